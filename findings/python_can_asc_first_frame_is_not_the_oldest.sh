#!/usr/bin/env bash
# python-can writes a log in ASC form with times since the first frame. A frame of a second bus that was received
# 10 ms before the first one, but logged behind it, gets its time since 1970: it reads back years late.
# One expects: a time of -0.01 s, or 0 s, as the writers of other forms do.
# Seen with python-can 4.6.1: see `expected`. Frames that go back later, but not before the first one, are right.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check python-can==4.6.1 ||
    { echo "cannot install the packages"; exit 77; }
cat >frames.py <<'PY'
import can

print("python-can", can.__version__)
begin = 1_600_000_000
for steps in ((0.0, 0.02, 0.01, 0.03), (0.0, -0.01, 0.01, 0.02)):
    for form in ("asc", "blf", "csv"):
        with can.Logger(f"frames.{form}") as log:
            for channel, step in enumerate(steps):
                log(can.Message(timestamp=begin + step, arbitration_id=channel, channel=channel % 2, data=[1]))
        times = [frame.timestamp for frame in can.LogReader(f"frames.{form}")]
        print(f"{form}: logged {steps}, read", *(f"{time - times[0]:.2f}" for time in times))
PY
echo "guess: what was logged; in asc and blf -0.01 may be 0.00"
cat >expected <<'TEXT'
python-can 4.6.1
asc: logged (0.0, 0.02, 0.01, 0.03), read 0.00 0.02 0.01 0.03
blf: logged (0.0, 0.02, 0.01, 0.03), read 0.00 0.02 0.01 0.03
csv: logged (0.0, 0.02, 0.01, 0.03), read 0.00 0.02 0.01 0.03
asc: logged (0.0, -0.01, 0.01, 0.02), read 0.00 1599999999.99 0.01 0.02
blf: logged (0.0, -0.01, 0.01, 0.02), read 0.00 0.00 0.01 0.02
csv: logged (0.0, -0.01, 0.01, 0.02), read 0.00 -0.01 0.01 0.02
TEXT
HOME=$folder timeout 100 v/bin/python frames.py >seen
cat seen
diff expected seen
