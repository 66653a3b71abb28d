#!/usr/bin/env bash
# pyxdf puts the stamps of a stream with a nominal rate on a straight line, also across a pause of 4 s: samples of a
# 100 Hz sensor move by up to 2 s, and the first one is 1 s before the recording. Events in the same file stay where
# they are, so a join by time pairs them with other samples.
# One expects: load_xdf() gives the stamps that were recorded, or takes out jitter of milliseconds, piece by piece: it
# has "support for breaks in the data", by a threshold of 1 second.
# Seen with pyxdf 1.17.5: see `expected`. A break must be of 500 samples, too: 5 s at 100 Hz. A warning tells of another
# rate, not of the pause. With dejitter_timestamps=False, or jitter_break_threshold_samples=0, the stamps are right.
# For who replays such a recording into streamflow: its joins and windows go by the stamps, so load it without dejitter.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check pyxdf==1.17.5 numpy==2.4.6 ||
    { echo "cannot install the packages"; exit 77; }
cat >pause.py <<'PY'
import struct
from importlib.metadata import version

import numpy
import pyxdf


def chunk(tag, content):
    return struct.pack("<BIH", 4, len(content) + 2, tag) + content


def stream(number, name, rate, stamps):
    """Header, samples and footer of a stream; the value of a sample is its time."""
    number = struct.pack("<I", number)
    head = (f"<info><name>{name}</name><type>{name}</type><channel_count>1</channel_count><nominal_srate>{rate}"
            "</nominal_srate><channel_format>double64</channel_format></info>").encode()
    samples = b"".join(struct.pack("<Bdd", 8, stamp, stamp) for stamp in stamps)
    foot = (f"<info><first_timestamp>{stamps[0]}</first_timestamp><last_timestamp>{stamps[-1]}</last_timestamp>"
            f"<sample_count>{len(stamps)}</sample_count></info>").encode()
    return (chunk(2, number + head) + chunk(3, number + struct.pack("<BI", 4, len(stamps)) + samples) +
            chunk(6, number + foot))


def load(pause, how="default", **options):
    """A sensor that runs for 5 s, is silent, and runs for 5 s again; an event 1 s after each begin."""
    run = numpy.arange(500) / 100
    with open("recording.xdf", "wb") as file:
        file.write(b"XDF:" + chunk(1, b"<info><version>1.0</version></info>") +
                   stream(1, "imu", 100, [*run, *(run + 5 + pause)]) + stream(2, "event", 0, [1, 6 + pause]))
    streams = {s["info"]["name"][0]: s for s in pyxdf.load_xdf("recording.xdf", **options)[0]}
    stamps, taken = streams["imu"]["time_stamps"], streams["imu"]["time_series"][:, 0]
    pairs = [f"{event:g}: sample of {taken[numpy.abs(stamps - event).argmin()]:.2f}"
             for event in streams["event"]["time_stamps"]]
    print(f"pause {pause} s, {how}: first stamp {stamps[0] + 0.0:.2f}, moved by up to",
          f"{numpy.abs(stamps - taken).max():.2f} s; event {', event '.join(pairs)}")


print("pyxdf", version("pyxdf"))
load(0)
load(4)
load(6)
load(4, "no dejitter", dejitter_timestamps=False)
load(4, "0 samples", jitter_break_threshold_samples=0)
PY
echo "guess: first stamp 0.00, moved by up to 0.00 s; event 1: sample of 1.00, event 10: sample of 10.00"
cat >expected <<'TEXT'
pyxdf 1.17.5
pause 0 s, default: first stamp 0.00, moved by up to 0.00 s; event 1: sample of 1.00, event 6: sample of 6.00
pause 4 s, default: first stamp -1.00, moved by up to 2.00 s; event 1: sample of 1.25, event 10: sample of 10.87
pause 6 s, default: first stamp 0.00, moved by up to 0.00 s; event 1: sample of 1.00, event 12: sample of 12.00
pause 4 s, no dejitter: first stamp 0.00, moved by up to 0.00 s; event 1: sample of 1.00, event 10: sample of 10.00
pause 4 s, 0 samples: first stamp 0.00, moved by up to 0.00 s; event 1: sample of 1.00, event 10: sample of 10.00
TEXT
HOME=$folder timeout 60 v/bin/python pause.py 2>warnings >seen
cat seen
diff expected seen
