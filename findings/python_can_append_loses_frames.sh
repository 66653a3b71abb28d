#!/usr/bin/env bash
# A logger of python-can that starts again with append=True loses frames, depending on the form. In .trc it writes the
# file anew: all of the earlier run is gone. In .trc.gz the frames of the second run get times of the first one. In
# .csv it writes no header line, so if there was no file yet, the reader takes the first frame for one.
# One expects: the frames of both runs with their times, or an error. `can.logger --append` says "Append to the log
# file if it already exists" and hands the option on. .asc raises an error, .blf and .log do as expected.
# Seen with python-can 4.6.1, Python 3.11.7: see `expected`; ids and times count from the begin of the first run. No
# warning. The text of CSVWriter tells of the header line, that of TRCWriter does not know the option.
# Work around it: a file for each run, or .blf or .log.
# For streamflow: a recorder that cannot append must say so before it opens the file. Recordings of python-can that
# were restarted are to be checked for a first run before they are replayed.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check python-can==4.6.1 ||
    { echo "cannot install the packages"; exit 77; }
cat >runs.py <<'PY'
import can

print("python-can", can.__version__)
begin = 1_600_000_000
for form in ("blf", "log", "log.gz", "asc", "csv", "trc", "trc.gz"):
    try:
        for run in (0, 100):
            with can.Logger(f"frames.{form}", append=True) as log:
                for step in (0, 1, 2):
                    log(can.Message(timestamp=begin + run + step, arbitration_id=run + step, channel=1, data=[step]))
        frames = [f"{frame.arbitration_id} at {frame.timestamp - begin:g}" for frame in can.LogReader(f"frames.{form}")]
        print(f"{form}: {', '.join(frames)}")
    except ValueError as error:
        print(f"{form}: error")
PY
echo "guess: 0 at 0, 1 at 1, 2 at 2, 100 at 100, 101 at 101, 102 at 102, or an error, each time"
cat >expected <<'TEXT'
python-can 4.6.1
blf: 0 at 0, 1 at 1, 2 at 2, 100 at 100, 101 at 101, 102 at 102
log: 0 at 0, 1 at 1, 2 at 2, 100 at 100, 101 at 101, 102 at 102
log.gz: 0 at 0, 1 at 1, 2 at 2, 100 at 100, 101 at 101, 102 at 102
asc: error
csv: 1 at 1, 2 at 2, 100 at 100, 101 at 101, 102 at 102
trc: 100 at 100, 101 at 101, 102 at 102
trc.gz: 0 at 0, 1 at 1, 2 at 2, 100 at 0, 101 at 1, 102 at 2
TEXT
HOME=$folder timeout 60 v/bin/python runs.py >seen
cat seen
diff expected seen
