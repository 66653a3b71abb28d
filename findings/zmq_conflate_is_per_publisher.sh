#!/usr/bin/env bash
# A SUB socket of ZeroMQ with CONFLATE that is connected to three publishers keeps three messages, and gives them in the
# order of its connect() calls: who reads until nothing is left, ends with the oldest one.
# One expects: one message, the newest. The manual says: "a socket shall keep only one message in its inbound/outbound
# queue, this message being the last message received".
# Seen with libzmq 4.3.5 (pyzmq 27.3.0): see `expected`. It keeps one message per connection; a publisher that restarts
# is a connection, too. Of one publisher it keeps the newest, as stated.
# For who ports to streamflow: LATEST is one value per edge, and a link is one edge. What SUB with CONFLATE does is an
# input per publisher with LATEST each, and the newest is found by timestamp.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check pyzmq==27.3.0 ||
    { echo "cannot install the packages"; exit 77; }
cat >conflate.py <<'PY'
from itertools import count
from time import sleep

import zmq

context, names = zmq.Context(), count()


def read(transport, order):
    """All that a reader finds after publishers have sent in that order."""
    reader, publishers = context.socket(zmq.SUB), [context.socket(zmq.PUB) for _ in range(3)]
    reader.setsockopt(zmq.CONFLATE, 1)
    reader.subscribe(b"")
    for publisher in publishers:
        publisher.bind(f"inproc://{next(names)}" if transport == "inproc" else "tcp://127.0.0.1:*")
        reader.connect(publisher.getsockopt_string(zmq.LAST_ENDPOINT))
    sleep(0.5)                                           # subscriptions have arrived
    for number, index in enumerate(order, 1):
        publishers[index].send_string(f"{number}:{'ABC'[index]}")
        sleep(0.1)
    sleep(0.4)
    found = []
    while reader.poll(0):
        found.append(reader.recv_string())
    for socket in publishers + [reader]:
        socket.close(0)
    return " ".join(found)


print("libzmq", zmq.zmq_version(), "pyzmq", zmq.__version__)
for transport in ("inproc", "tcp"):
    for order in ([0, 0, 0], [0, 1, 2], [2, 1, 0], [1, 2, 2, 0]):
        sent = " ".join(f"{number}:{'ABC'[index]}" for number, index in enumerate(order, 1))
        print(f"{transport}: sent {sent}, read {read(transport, order)}")
PY
echo "guess: read the last one that was sent, and nothing else"
cat >expected <<'TEXT'
libzmq 4.3.5 pyzmq 27.3.0
inproc: sent 1:A 2:A 3:A, read 3:A
inproc: sent 1:A 2:B 3:C, read 1:A 2:B 3:C
inproc: sent 1:C 2:B 3:A, read 3:A 2:B 1:C
inproc: sent 1:B 2:C 3:C 4:A, read 4:A 1:B 3:C
tcp: sent 1:A 2:A 3:A, read 3:A
tcp: sent 1:A 2:B 3:C, read 1:A 2:B 3:C
tcp: sent 1:C 2:B 3:A, read 3:A 2:B 1:C
tcp: sent 1:B 2:C 3:C 4:A, read 4:A 1:B 3:C
TEXT
HOME=$folder timeout 60 v/bin/python conflate.py >seen
cat seen
diff expected seen
