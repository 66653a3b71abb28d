#!/usr/bin/env bash
# A TDMS file that a logger appends to has one wf_start_offset and one wf_increment per channel: those of the last
# segment. time_track() of npTDMS applies them to all samples, so an append moves and stretches the earlier ones:
# 0, 0.1, 0.2 s become 100, 100.5, 101 s.
# One expects: each segment keeps the time base that it was written with, as its data are written with it.
# Seen with npTDMS 1.13.0: see `expected`. No warning. In the format properties belong to the object, not to a segment.
# If the append says nothing of the time, it is as if there had been no pause.
# Work around it: a group or channel per recording, or times as a channel of their own.
# For streamflow: sample times belong to messages, not to a stream's description; a recording keeps both per message.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check npTDMS==1.13.0 numpy==2.4.6 ||
    { echo "cannot install the packages"; exit 77; }
cat >append.py <<'PY'
import nptdms
import numpy


def write(mode, properties, first):
    with nptdms.TdmsWriter("log.tdms", mode=mode) as writer:
        data = numpy.arange(first, first + 3.0)
        writer.write_segment([nptdms.ChannelObject("imu", "x", data, properties=properties)])


def shown():
    channel = nptdms.TdmsFile.read("log.tdms")["imu"]["x"]
    return "  ".join(f"{value:g} at {time:g} s" for value, time in zip(channel[:], channel.time_track()))


print("npTDMS", nptdms.__version__)
for increment, offset in ((0.1, 0.3), (0.1, 100), (0.5, 100)):
    write("w", {"wf_increment": 0.1, "wf_start_offset": 0.0}, 0)
    print("first run:", shown())
    write("a", {"wf_increment": increment, "wf_start_offset": float(offset)}, 10)
    print(f"appended from {offset:g} s, each {increment:g} s:", shown())
write("w", {"wf_increment": 0.1, "wf_start_offset": 0.0}, 0)
write("a", {}, 10)
print("appended without properties:", shown())
PY
echo "guess: the first three stay at 0, 0.1 and 0.2 s"
cat >expected <<'TEXT'
npTDMS 1.13.0
first run: 0 at 0 s  1 at 0.1 s  2 at 0.2 s
appended from 0.3 s, each 0.1 s: 0 at 0.3 s  1 at 0.4 s  2 at 0.5 s  10 at 0.6 s  11 at 0.7 s  12 at 0.8 s
first run: 0 at 0 s  1 at 0.1 s  2 at 0.2 s
appended from 100 s, each 0.1 s: 0 at 100 s  1 at 100.1 s  2 at 100.2 s  10 at 100.3 s  11 at 100.4 s  12 at 100.5 s
first run: 0 at 0 s  1 at 0.1 s  2 at 0.2 s
appended from 100 s, each 0.5 s: 0 at 100 s  1 at 100.5 s  2 at 101 s  10 at 101.5 s  11 at 102 s  12 at 102.5 s
appended without properties: 0 at 0 s  1 at 0.1 s  2 at 0.2 s  10 at 0.3 s  11 at 0.4 s  12 at 0.5 s
TEXT
HOME=$folder timeout 60 v/bin/python append.py >seen
cat seen
diff expected seen
