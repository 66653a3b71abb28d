#!/usr/bin/env bash
# Zenoh's get() of a history: five samples that a queryable replies under one key come as one, the last. A hundred under
# a key each come all, but shuffled, in another order in each call.
# One expects: what one queryable replies in order comes in that order, and all of it. The default, AUTO, is described
# as "automatic consolidation based on queryable's preferences"; the queryable has stated none.
# Seen with eclipse-zenoh 1.10.2 (Python), within one session: see `expected`. AUTO means LATEST here: replies are held
# back in a table by key until all have come. consolidation=NONE gives all in order, and so does a selector with _time.
# For who replays a recording out of Zenoh into streamflow: messages that go back in time are dropped by a join
# (BACKWARD). Ask with NONE, or sort by timestamp before the push.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check eclipse-zenoh==1.10.2 ||
    { echo "cannot install the packages"; exit 77; }
cat >history.py <<'PY'
from importlib.metadata import version

import zenoh

config = zenoh.Config()
config.insert_json5("scouting/multicast/enabled", "false")
config.insert_json5("listen/endpoints", "[]")


def replies(*keys):
    """A handler that replies 0, 1, 2, ... under these keys."""
    def handler(query):
        for number, key in enumerate(keys):
            query.reply(key, str(number))
    return handler


def show(selector, count, **policy):
    got = [int(reply.ok.payload.to_string()) for reply in session.get(selector, **policy)]
    print(f"{selector}, {'NONE' if policy else 'default'}: {count} replied, {len(got)} came,",
          "in order" if got == sorted(got) else "not in order", f"({' '.join(map(str, got))})" if len(got) < 10 else "")


print("eclipse-zenoh", version("eclipse-zenoh"))
with zenoh.open(config) as session:
    one = session.declare_queryable("imu", replies(*["imu"] * 5))
    many = session.declare_queryable("log/**", replies(*(f"log/{number}" for number in range(100))))
    for policy in ({}, {"consolidation": zenoh.ConsolidationMode.NONE}):
        show("imu", 5, **policy)
        show("log/**", 100, **policy)
    show("imu?_time=[now(-1h)..]", 5)
PY
echo "guess: as many came as were replied, in that order"
cat >expected <<'TEXT'
eclipse-zenoh 1.10.2
imu, default: 5 replied, 1 came, in order (4)
log/**, default: 100 replied, 100 came, not in order
imu, NONE: 5 replied, 5 came, in order (0 1 2 3 4)
log/**, NONE: 100 replied, 100 came, in order
imu?_time=[now(-1h)..], default: 5 replied, 5 came, in order (0 1 2 3 4)
TEXT
HOME=$folder timeout 60 v/bin/python history.py >seen
sed -i 's/ *$//' seen
cat seen
diff expected seen
