#!/usr/bin/env bash
# A SigMF recording may have a header before the samples of each capture, in a file that core:dataset names. Of such a
# file read_samples_in_capture() skips the first header twice: it leaves out the first samples of each capture, and
# gives bytes of the second header as the last samples of the first one. read_samples() and [] skip the first header
# alone, so all behind the second one moves: index 150 is sample 146.
# One expects: capture 0 is samples 0 to 99, as the format says, with an example of two such captures. sample_count
# and get_capture_byte_boundaries() are right.
# Seen with sigmf 1.14.0, Python 3.11.7: see `expected`; the value of a sample is its number, 255 a byte of a header.
# The metadata pass its validate(). No warning. That read_samples() can be wrong there is an old issue of the project;
# read_samples_in_capture() came with it, for such files, and is right if the first capture has no header.
# Work around it: read the bytes that get_capture_byte_boundaries() tells.
# When replaying such a recording into streamflow: times of messages come from sample numbers, so check the first and
# the last sample of each block; a source that reads blocks with headers should count samples, not bytes.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check sigmf==1.14.0 numpy==2.4.6 ||
    { echo "cannot install the packages"; exit 77; }
cat >captures.py <<'PY'
import json

import numpy
import sigmf


def shown(samples):
    """The samples as ranges: 0-99 are 0, 1, ... 99."""
    samples = [int(sample) for sample in samples]
    starts = [n for n, sample in enumerate(samples) if n == 0 or sample != samples[n - 1] + 1]
    ranges = [f"{samples[begin]}-{samples[end - 1]}" if end - begin > 1 else f"{samples[begin]}"
              for begin, end in zip(starts, [*starts[1:], len(samples)])]
    return " ".join(ranges)


def read(*headers):
    """Two captures of 100 samples with these bytes of headers."""
    with open("recording.dat", "wb") as file:
        for n, size in enumerate(headers):
            file.write(b"\xff" * size + bytes(range(100 * n, 100 * n + 100)))
    captures = [{"core:sample_start": 100 * n} | ({"core:header_bytes": size} if size else {})
                for n, size in enumerate(headers)]
    with open("recording.sigmf-meta", "w") as file:
        json.dump({"global": {"core:datatype": "ru8", "core:version": "1.2.0", "core:dataset": "recording.dat"},
                   "captures": captures, "annotations": []}, file)
    recording = sigmf.fromfile("recording.sigmf-meta", autoscale=False)
    recording.validate()
    print(f"headers of {headers[0]} and {headers[1]} bytes, {recording.sample_count} samples")
    for n in range(2):
        begin, end = recording.get_capture_byte_boundaries(n)
        print(f"  capture {n}: {shown(recording.read_samples_in_capture(n))}; its bytes:",
              shown(numpy.fromfile("recording.dat", numpy.uint8, end - begin, offset=begin)))
    print(f"  all: {shown(recording.read_samples())}; [150]: {recording[150]}")


print("sigmf", sigmf.__version__)
read(0, 0)
read(0, 4)
read(4, 0)
read(4, 4)
PY
echo "guess: capture 0: 0-99; capture 1: 100-199; all: 0-199; [150]: 150; each time"
cat >expected <<'TEXT'
sigmf 1.14.0
headers of 0 and 0 bytes, 200 samples
  capture 0: 0-99; its bytes: 0-99
  capture 1: 100-199; its bytes: 100-199
  all: 0-199; [150]: 150
headers of 0 and 4 bytes, 200 samples
  capture 0: 0-99; its bytes: 0-99
  capture 1: 100-199; its bytes: 100-199
  all: 0-99 255 255 255 255 100-195; [150]: 146
headers of 4 and 0 bytes, 200 samples
  capture 0: 4-103; its bytes: 0-99
  capture 1: 104-199; its bytes: 100-199
  all: 0-199; [150]: 150
headers of 4 and 4 bytes, 200 samples
  capture 0: 4-99 255 255 255 255; its bytes: 0-99
  capture 1: 104-199; its bytes: 100-199
  all: 0-99 255 255 255 255 100-195; [150]: 146
TEXT
HOME=$folder timeout 60 v/bin/python captures.py >seen
cat seen
diff expected seen
