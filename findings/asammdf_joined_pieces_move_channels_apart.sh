#!/usr/bin/env bash
# A recording that asammdf cuts into two pieces and joins again has other stamps behind the cut, and channels of
# different rates are moved by different times: samples that were taken at one instant are half a second apart.
# One expects: the recording as it was, at worst with the sample at the cut twice.
# Seen with asammdf 8.8.28: see `expected`. A cut is closed at both ends, and adds interpolated samples there; a piece
# that does not begin behind the end of the piece before is moved, each channel by its own first step.
# With include_ends=False and a cut between samples the recording comes back; with a cut at a sample it does not.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check asammdf==8.8.28 ||
    { echo "cannot install the packages"; exit 77; }
cat >pieces.py <<'PY'
from asammdf import MDF, Signal, __version__
import numpy

print("asammdf", __version__)
slow, fast = numpy.arange(6.0), numpy.arange(11.0) / 2
recording = MDF()
for name, stamps in (("slow", slow), ("fast", fast)):
    recording.append(Signal(samples=stamps, timestamps=stamps, name=name))  # the value of a sample is its time
for cut, ends in ((2.3, True), (3.0, True), (3.0, False), (2.3, False)):
    joined = MDF.concatenate([recording.cut(start=0, stop=cut, include_ends=ends),
                              recording.cut(start=cut, stop=5, include_ends=ends)])
    channels = [joined.get(name) for name in ("slow", "fast")]
    print(f"cut at {cut:g} s, include_ends={ends}: {len(channels[0])} and {len(channels[1])} samples; taken at 4 s:",
          *(f"{channel.name} {channel.timestamps[channel.samples == 4][0]:g} s" for channel in channels))
PY
echo "guess: 6 and 11 samples, with include_ends at most one or two more; taken at 4 s: slow 4 s fast 4 s"
cat >expected <<'TEXT'
asammdf 8.8.28
cut at 2.3 s, include_ends=True: 8 and 13 samples; taken at 4 s: slow 4.7 s fast 4.2 s
cut at 3 s, include_ends=True: 7 and 12 samples; taken at 4 s: slow 5 s fast 4.5 s
cut at 3 s, include_ends=False: 7 and 12 samples; taken at 4 s: slow 5 s fast 4.5 s
cut at 2.3 s, include_ends=False: 6 and 11 samples; taken at 4 s: slow 4 s fast 4 s
TEXT
HOME=$folder timeout 100 v/bin/python pieces.py >seen
cat seen
diff expected seen
