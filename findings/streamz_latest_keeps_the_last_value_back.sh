#!/usr/bin/env bash
# latest() of streamz keeps back the newest value if it arrives while the sink is busy: after a burst of five values and
# a second of rest the sink has seen the first alone. The next value, whenever it comes, replaces the one that waits.
# One expects: old values are dropped, the newest one comes as soon as the sink is free; its text says "Drop held-up
# data and emit the latest result".
# Seen with streamz 0.6.6: see `expected`. A value wakes the node only if it already waits; nobody looks at what came
# meanwhile. So a command "stop" that follows "go" at once never arrives.
# For who ports to streamflow: a LATEST queue is looked at when the callback returns, so its last value is always seen.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check streamz==0.6.6 tornado==6.6.1 ||
    { echo "cannot install the packages"; exit 77; }
cat >latest.py <<'PY'
import asyncio
from importlib.metadata import version
from time import sleep

from streamz import Stream


async def burst(busy, values):
    """What a sink that takes 0.1 s has seen 1 s after these values, one each 10 ms, and after one more."""
    seen, source = [], Stream(asynchronous=True)

    async def sink(value):
        await asyncio.sleep(0.1)
        seen.append(value)
    busy(source).sink(sink)
    for value in values:
        await source.emit(value)
        await asyncio.sleep(0.01)
    await asyncio.sleep(1)
    first = list(seen)
    await source.emit("later")
    await asyncio.sleep(0.5)
    return f"seen {first}, and after one more {seen[len(first):]}"


def threaded():
    """The same, with the loop in a thread of its own."""
    seen, source = [], Stream()
    source.latest().rate_limit(0.1).sink(seen.append)
    for value in range(5):
        source.emit(value)
        sleep(0.01)
    sleep(1)
    return f"seen {seen}"


print("streamz", version("streamz"))
for values in ([0], [0, 1, 2, 3, 4], ["go", "stop"]):
    print(f"latest: sent {values}, {asyncio.run(burst(lambda source: source.latest(), values))}")
print(f"buffer: sent ['go', 'stop'], {asyncio.run(burst(lambda source: source.buffer(9), ['go', 'stop']))}")
print(f"latest in a thread, rate_limit: sent [0, 1, 2, 3, 4], {threaded()}")
PY
echo "guess: the last value that was sent is the last one seen, before one more is sent"
cat >expected <<'TEXT'
streamz 0.6.6
latest: sent [0], seen [0], and after one more ['later']
latest: sent [0, 1, 2, 3, 4], seen [0], and after one more ['later']
latest: sent ['go', 'stop'], seen ['go'], and after one more ['later']
buffer: sent ['go', 'stop'], seen ['go', 'stop'], and after one more ['later']
latest in a thread, rate_limit: sent [0, 1, 2, 3, 4], seen [0, 1]
TEXT
HOME=$folder timeout 60 v/bin/python latest.py >seen
cat seen
diff expected seen
