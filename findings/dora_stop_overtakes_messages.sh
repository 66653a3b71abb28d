#!/usr/bin/env bash
# A dora node that is slower than its source reads the end before the messages: INPUT_CLOSED and STOP come first, and
# then what was sent before them. A node that ends its loop at STOP loses all that waits, without a word in the log.
# Messages of two inputs come by turns, not as they were sent: a2 behind b3.
# One expects: an event stream is in order, at least for one input and its end. Queues and dropping are as stated.
# Seen with dora-rs 1.1.0 (Python): see `expected`; of (a0, b3) either may come first. Events other than inputs have a
# queue of their own, which is looked at first; inputs take turns, so that none starves. If the source lives on until
# all is read, STOP is the last event.
# For who ports to or from streamflow: there an input ends behind what was emitted to it. In dora go on after STOP until
# the events are over, and order the messages of several inputs by their timestamps.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check dora-rs==1.1.0 dora-rs-cli==1.1.0 \
    pyarrow==26.0.1 || { echo "cannot install the packages"; exit 77; }
cat >flow.yml <<'YML'
nodes:
  - id: source
    path: source.py
    outputs: [a, b]
  - id: sink
    path: sink.py
    inputs:
      a: {source: source/a, queue_size: 10}
      b: {source: source/b, queue_size: 10}
YML
cat >source.py <<'PY'
import os
import time

import pyarrow
from dora import Node

node = Node()
for number, output in enumerate("aaabbb"):
    node.send_output(output, pyarrow.array([number]))
with open("sent", "w", encoding="ascii") as file:
    file.write(str(os.getpid()))
while os.environ["SOURCE"] == "lives on" and not os.path.exists("read"):
    time.sleep(0.05)
PY
cat >sink.py <<'PY'
import os
import time

from dora import Node

node = Node()
while not os.path.exists("sent") or not open("sent", encoding="ascii").read():
    time.sleep(0.05)                                     # the long work of a slow node
while os.environ["SOURCE"] == "ended" and os.path.exists("/proc/" + open("sent", encoding="ascii").read()):
    time.sleep(0.05)
time.sleep(2)
events, inputs = [], 0
for event in node:
    is_input = event["type"] == "INPUT"
    inputs += is_input
    events.append(event["id"] + str(event["value"][0].as_py()) if is_input else event["type"])
    if is_input and inputs % 2 == 0:                     # which input begins is not the same in each run
        events[-2:] = ["(" + ", ".join(sorted(events[-2:])) + ")"]
    if inputs == 6:
        open("read", "w", encoding="ascii").close()
with open("events", "w", encoding="ascii") as file:
    file.write(" ".join(events) + "\n")
PY
echo "guess: a0 a1 a2 b3 b4 b5 INPUT_CLOSED INPUT_CLOSED STOP both times"
cat >expected <<'TEXT'
dora-cli 1.1.0
source lives on, sent a0 a1 a2 b3 b4 b5, read: (a0, b3) (a1, b4) (a2, b5) INPUT_CLOSED INPUT_CLOSED STOP
source ended, sent a0 a1 a2 b3 b4 b5, read: INPUT_CLOSED INPUT_CLOSED STOP (a0, b3) (a1, b4) (a2, b5)
TEXT
export PATH="$folder/v/bin:$PATH" HOME="$folder"
dora --version >seen
for SOURCE in "lives on" ended; do
    rm -f sent read events
    SOURCE=$SOURCE timeout 60 dora run flow.yml >log 2>&1 || { cat log; exit 1; }
    echo "source $SOURCE, sent a0 a1 a2 b3 b4 b5, read: $(cat events)" >>seen
done
cat seen
diff expected seen
