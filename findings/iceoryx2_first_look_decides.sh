#!/usr/bin/env bash
# A subscriber of iceoryx2 that exists before the publisher gets nothing from it if the publisher is gone before the
# subscriber looks for the first time, though each send() told that one subscriber received the sample. If it looks once
# while the publisher lives, before or after the send(), it gets them.
# One expects: what send() has put into a subscriber's buffer stays there; a publisher that ends takes nothing back.
# Seen with iceoryx2 0.10.0 (Python), within one process and between two: see `expected`. A subscriber opens
# its buffer, one per publisher, in receive() or has_samples(); until then the publisher alone holds it. The Python API
# has no update_connections().
# For who ports to streamflow: a link keeps what was sent before its sender ended. With iceoryx2, call has_samples()
# while each publisher lives, or let publishers live until the reader is through.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check iceoryx2==0.10.0 ||
    { echo "cannot install the packages"; exit 77; }
cat >look.py <<'PY'
import ctypes
import os
import subprocess
import sys
from importlib.metadata import version

import iceoryx2

iceoryx2.set_log_level_from_env_or(iceoryx2.LogLevel.Error)


class Number(ctypes.Structure):
    _fields_ = [("value", ctypes.c_int)]


def service(kind, name):
    node = iceoryx2.NodeBuilder.new().create(kind)
    name = iceoryx2.ServiceName.new(f"{os.path.basename(os.getcwd())}/{name}")
    return node, node.service_builder(name).publish_subscribe(Number).open_or_create()


def publish(kind, name):
    """Sends 1 and 2 from a publisher that then ends; returns what send() told."""
    node, channel = service(kind, name)
    publisher = channel.publisher_builder().create()
    told = [publisher.loan_uninit().write_payload(Number(value)).send() for value in (1, 2)]
    yield told
    publisher.delete()


def found(subscriber):
    values = []
    while (sample := subscriber.receive()) is not None:
        values.append(sample.payload().contents.value)
        sample.delete()
    return values


if len(sys.argv) > 1:
    for told in publish(iceoryx2.ServiceType.Ipc, sys.argv[1]):
        print(told, end=" ", flush=True)
        sys.stdin.readline()                            # until told to end
    sys.exit()
print("iceoryx2", version("iceoryx2"))
for looks in (False, True):
    text = "looked once" if looks else "did not look"
    node, channel = service(iceoryx2.ServiceType.Local, f"local{looks}")
    subscriber = channel.subscriber_builder().create()
    for told in publish(iceoryx2.ServiceType.Local, f"local{looks}"):
        if looks:
            subscriber.has_samples()
    print(f"one process, {text}: send() told {told}, found {found(subscriber)}")
    node, channel = service(iceoryx2.ServiceType.Ipc, f"ipc{looks}")
    subscriber = channel.subscriber_builder().create()
    with subprocess.Popen([sys.executable, __file__, f"ipc{looks}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as sender:
        told = "".join(iter(lambda: sender.stdout.read(1), "]")) + "]"
        if looks:
            subscriber.has_samples()
        sender.communicate("\n")
    print(f"two processes, {text}: send() told {told}, found {found(subscriber)}")
PY
echo "guess: found [1, 2] each time"
cat >expected <<'TEXT'
iceoryx2 0.10.0
one process, did not look: send() told [1, 1], found []
two processes, did not look: send() told [1, 1], found []
one process, looked once: send() told [1, 1], found [1, 2]
two processes, looked once: send() told [1, 1], found [1, 2]
TEXT
HOME=$folder timeout 60 v/bin/python look.py >seen
cat seen
diff expected seen
