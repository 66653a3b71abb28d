#!/usr/bin/env bash
# pyEDFlib writes as many annotations into an EDF+ file as it has data records, of 1 s: of ten events in 5 s it keeps
# the first five. Of six in the first second and one at 4 s it loses the last two. writeAnnotation() returns 0 for each,
# close() says nothing.
# One expects: all that were written, or an error. EDF+ has room for many annotations in a record.
# Seen with pyEDFlib 0.1.42: see `expected`. set_number_of_annotation_signals(4) makes room for four a record; its text
# tells when one needs it, that of writeAnnotation() does not. highlevel.write_edf() loses them, too.
# For streamflow: a recorder that runs out of room must say so at the message that it drops, or at the end.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check pyedflib==0.1.42 numpy==2.4.6 ||
    { echo "cannot install the packages"; exit 77; }
cat >events.py <<'PY'
import numpy
import pyedflib
from pyedflib import highlevel


def read(told=None):
    with pyedflib.EdfReader("events.edf") as file:
        onsets = file.readAnnotations()[0]
    return f"{told or ''}read {len(onsets)}, at {' '.join(f'{onset:g}' for onset in onsets)}"


def events(onsets, signals=None):
    """What is read of these events in a recording of 5 s."""
    file = pyedflib.EdfWriter("events.edf", 1)
    file.setSignalHeader(0, highlevel.make_signal_header("a", sample_frequency=100))
    if signals:
        file.set_number_of_annotation_signals(signals)
    told = {file.writeAnnotation(onset, -1, "event") for onset in onsets}
    file.writeSamples([numpy.zeros(500)])
    file.close()
    return read(f"told {told}, ")


print("pyEDFlib", pyedflib.__version__)
for onsets in (range(5), [n / 2 for n in range(10)], [0, 0.1, 0.2, 0.3, 0.4, 0.5, 4]):
    print(f"{len(onsets)} events: {events(onsets)}")
print(f"7 events, 4 signals: {events([0, 0.1, 0.2, 0.3, 0.4, 0.5, 4], 4)}")
header = highlevel.make_header() | {"annotations": [[n / 2, -1, "event"] for n in range(10)]}
signal = highlevel.make_signal_header("a", sample_frequency=100)
highlevel.write_edf("events.edf", numpy.zeros((1, 500)), [signal], header)
print(f"10 events, write_edf(): {read()}")
PY
echo "guess: as many as were written"
cat >expected <<'TEXT'
pyEDFlib 0.1.42
5 events: told {0}, read 5, at 0 1 2 3 4
10 events: told {0}, read 5, at 0 0.5 1 1.5 2
7 events: told {0}, read 5, at 0 0.1 0.2 0.3 0.4
7 events, 4 signals: told {0}, read 7, at 0 0.1 0.2 0.3 0.4 0.5 4
10 events, write_edf(): read 5, at 0 0.5 1 1.5 2
TEXT
HOME=$folder timeout 60 v/bin/python events.py >seen
cat seen
diff expected seen
