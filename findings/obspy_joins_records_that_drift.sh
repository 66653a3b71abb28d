#!/usr/bin/env bash
# ObsPy reads the records of a miniSEED file as one trace without a gap if each begins within half a sample of the end
# of the one before. What the records drift adds up: after 7 minutes the samples are 39 samples from the time that their
# own record states, with no warning and no gap reported, and an hour on it is 3.6 s. Read alone, a record is right.
# One expects: a tolerance is against the time line of the trace. When half a sample is used up, a new trace begins, so
# no stamp is wrong by more than that.
# Seen with obspy 1.5.1: see `expected`; the sensor makes 99.9 samples a second and is written down as 100 Hz, with a
# right start time in each record. The end of a trace is moved to each record, its beginning and rate stay.
# For who replays such a recording into streamflow: take the stamps record by record, as a join by time with another
# sensor goes by them.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check obspy==1.5.1 numpy==2.4.6 ||
    { echo "cannot install the packages"; exit 77; }
cat >drift.py <<'PY'
import warnings
from io import BytesIO

import numpy
import obspy

warnings.simplefilter("always")
print("obspy", obspy.__version__)
samples, begin = 400, obspy.UTCDateTime(2024, 1, 1)


def file(count, late):
    """The records of a sensor at 100 Hz, each late by that many samples more than the one before."""
    records = []
    for number in range(count):
        start = begin + number * (samples + late) / 100
        trace = obspy.Trace(numpy.arange(samples, dtype="int32") + number * samples,   # a sample is its number
                            {"sampling_rate": 100, "starttime": start, "station": "A", "channel": "HHZ"})
        out = BytesIO()
        trace.write(out, format="MSEED", reclen=4096, encoding="INT32")
        records.append(out.getvalue())
    return records


for count, late in ((2, 0.4), (100, 0.4), (100, -0.4), (100, 0.6)):
    records = file(count, late)
    stream = obspy.read(BytesIO(b"".join(records)))
    first = (count - 1) * samples                       # first sample of the last record
    trace = next(trace for trace in stream if first in trace.data)
    stamp = trace.times("utcdatetime")[int(numpy.flatnonzero(trace.data == first)[0])]
    alone = obspy.read(BytesIO(records[-1]))[0].stats.starttime
    print(f"{count} records, each {late:+g} samples late: traces {len(stream)}, gaps {len(stream.get_gaps())};",
          f"last record at {alone - begin:.3f} s if read alone, {stamp - begin:.3f} s in the file")
PY
echo "guess: the same time, to 0.005 s; more than one trace where the drift exceeds half a sample"
cat >expected <<'TEXT'
obspy 1.5.1
2 records, each +0.4 samples late: traces 1, gaps 0; last record at 4.004 s if read alone, 4.000 s in the file
100 records, each +0.4 samples late: traces 1, gaps 0; last record at 396.396 s if read alone, 396.000 s in the file
100 records, each -0.4 samples late: traces 1, gaps 0; last record at 395.604 s if read alone, 396.000 s in the file
100 records, each +0.6 samples late: traces 100, gaps 99; last record at 396.594 s if read alone, 396.594 s in the file
TEXT
HOME=$folder timeout 100 v/bin/python drift.py >seen
cat seen
diff expected seen
