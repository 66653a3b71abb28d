#!/usr/bin/env bash
# A subscription of LCM with a queue of one message gets older and older messages as soon as the same LCM object has
# another subscription to that channel with a longer queue: the tenth call gets message 9 when 19 is the newest.
# With memq:// the capacity has no effect at all.
# One expects: a queue is of its subscription; with capacity 1 a call gets the newest message, or, where new ones are
# dropped, the first since the last call. Who adds a logger beside it changes nothing for the controller.
# Seen with lcm 1.5.3 (Python): see `expected`. Alone it is as the second guess says. There is one queue per LCM object,
# and a subscription has only a count: a new message raises it, and the call takes the oldest message of the queue.
# For who ports to streamflow: an edge has its own queue, LATEST is the newest message whatever other edges do.
# Needs pip and multicast on this host (ttl=0: nothing leaves it), else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check lcm==1.5.3 ||
    { echo "cannot install the packages"; exit 77; }
cat >capacity.py <<'PY'
import sys
from importlib.metadata import version
from os import getpid
from time import sleep

import lcm

udp = f"udpm://239.255.76.67:{20000 + getpid() % 10000}?ttl=0"
try:
    bus, heard = lcm.LCM(udp), []
    bus.subscribe("x", lambda channel, data: heard.append(data))
    bus.publish("x", b"x")
    bus.handle_timeout(2000)
    del bus
except (OSError, RuntimeError):
    heard = []
if not heard:
    sys.exit(77)


def controller(url, logger):
    """What a subscription with capacity 1 gets: in each round two messages are sent, then one is handled."""
    bus, got, logged, number = lcm.LCM(url), [], [], 0
    bus.subscribe("imu", lambda channel, data: got.append(data[0])).set_queue_capacity(1)
    if logger:
        bus.subscribe("imu", lambda channel, data: logged.append(data[0])).set_queue_capacity(30)
    for _ in range(10):
        for _ in range(2):
            bus.publish("imu", bytes([number]))
            number += 1
        sleep(0.15)                                      # the receiving thread has them
        bus.handle_timeout(1000)
    return got


print("lcm", version("lcm"))
print("newest when called:    ", *range(1, 20, 2))
print("udpm, alone:           ", *controller(udp, False))
print("udpm, beside a logger: ", *controller(udp, True))
print("memq, alone:           ", *controller("memq://", False))
PY
echo "guess: 1 3 5 7 9 11 13 15 17 19, or 0 2 4 6 8 10 12 14 16 18, in all three"
cat >expected <<'TEXT'
lcm 1.5.3
newest when called:     1 3 5 7 9 11 13 15 17 19
udpm, alone:            0 2 4 6 8 10 12 14 16 18
udpm, beside a logger:  0 1 2 3 4 5 6 7 8 9
memq, alone:            0 1 2 3 4 5 6 7 8 9
TEXT
code=0
HOME=$folder timeout 60 v/bin/python capacity.py >seen || code=$?
[ $code != 77 ] || { echo "no multicast on this host"; exit 77; }
cat seen
diff expected seen
exit $code
