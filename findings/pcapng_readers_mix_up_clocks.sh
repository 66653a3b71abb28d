#!/usr/bin/env bash
# Three readers of pcapng go wrong in three ways where a file has more than one clock: dpkt reads the times of each
# interface with the resolution of the first one, scapy those of a second section with the interfaces of the first, and
# scapy and python-pcapng leave out the offset that an interface states.
# One expects: the time of a packet by the resolution and offset of its interface, in its section. The format says so,
# and Wireshark 4.0.17 reads all of them so. Its mergecap makes such a file of a us and a ns capture; `cat` of two files
# makes two sections.
# Seen with dpkt 1.9.8, scapy 2.8.0, python-pcapng 2.1.1: see `expected`. No error and no warning. With one section,
# one resolution and no offset all three are right.
# For streamflow: a recording of several clocks needs the clock beside each stamp; who imports a capture, checks that
# the time spans of its interfaces overlap.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check dpkt==1.9.8 scapy==2.8.0 python-pcapng==2.1.1 ||
    { echo "cannot install the packages"; exit 77; }
cat >clocks.py <<'PY'
import logging
from importlib.metadata import version
from struct import pack

import dpkt
import pcapng

logging.getLogger("scapy").setLevel(logging.ERROR)      # no network here
from scapy.utils import PcapNgReader

begin = 1_700_000_000


def block(kind, body):
    body += bytes(-len(body) % 4)
    return pack("<II", kind, len(body) + 12) + body + pack("<I", len(body) + 12)


def section():
    return block(0x0A0D0D0A, pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(digits, offset=0):
    """Ethernet, with times in 10^-digits s behind the offset in s."""
    return block(1, pack("<HHI", 1, 0, 65535) + pack("<HHB3x", 9, 1, digits) + pack("<HHq", 14, 8, offset) + bytes(4))


def packet(number, digits, tenths, since=0):
    ticks, data = ((begin - since) * 10 + tenths) * 10 ** (digits - 1), bytes(60)
    return block(6, pack("<IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data)) + data)


def by_dpkt(name):
    with open(name, "rb") as file:
        return [time for time, _ in dpkt.pcapng.Reader(file)]


def by_scapy(name):
    with PcapNgReader(name) as reader:
        return [float(frame.time) for frame in reader]


def by_pcapng(name):
    with open(name, "rb") as file:
        return [part.timestamp for part in pcapng.FileScanner(file) if isinstance(part, pcapng.blocks.EnhancedPacket)]


print("dpkt", dpkt.__version__, "scapy", version("scapy"), "python-pcapng", version("python-pcapng"))
for what, content in (
        ("one clock", [section(), interface(6), interface(6), packet(0, 6, 0), packet(1, 6, 1), packet(0, 6, 2)]),
        ("us, ns", [section(), interface(6), interface(9), packet(0, 6, 0), packet(1, 9, 1), packet(0, 6, 2)]),
        ("two sections", [section(), interface(6), packet(0, 6, 0), section(), interface(9), packet(0, 9, 1)]),
        ("offset", [section(), interface(6, begin), packet(0, 6, 0, begin), packet(0, 6, 1, begin)])):
    with open("capture.pcapng", "wb") as file:
        file.write(b"".join(content))
    for name, reader in (("dpkt", by_dpkt), ("scapy", by_scapy), ("python-pcapng", by_pcapng)):
        print(f"{what}, {name}:", *(f"{time - begin:.1f}" for time in reader("capture.pcapng")))
PY
echo "guess: 0.0 0.1, and 0.2 where there are three, each time"
cat >expected <<'TEXT'
dpkt 1.9.8 scapy 2.8.0 python-pcapng 2.1.1
one clock, dpkt: 0.0 0.1 0.2
one clock, scapy: 0.0 0.1 0.2
one clock, python-pcapng: 0.0 0.1 0.2
us, ns, dpkt: 0.0 1698300000100.0 0.2
us, ns, scapy: 0.0 0.1 0.2
us, ns, python-pcapng: 0.0 0.1 0.2
two sections, dpkt: 0.0 1698300000100.0
two sections, scapy: 0.0 1698300000100.0
two sections, python-pcapng: 0.0 0.1
offset, dpkt: 0.0 0.1
offset, scapy: -1700000000.0 -1699999999.9
offset, python-pcapng: -1700000000.0 -1699999999.9
TEXT
HOME=$folder timeout 100 v/bin/python clocks.py >seen
cat seen
diff expected seen
