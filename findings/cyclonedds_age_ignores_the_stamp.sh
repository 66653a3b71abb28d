#!/usr/bin/env bash
# The lifespan of a sample in Cyclone DDS begins with the call of write(), also if the writer gives it a timestamp: a
# sample that is stamped 10 s ago is delivered with a lifespan of 1 s, and one that is stamped 5 s ahead is gone after
# 1 s. The time-based filter of the same reader does go by the timestamp.
# One expects: age and filter go by the same clock. The DDS standard adds the lifespan to the source timestamp, and
# allows the time of reception where clocks differ; Cyclone DDS always takes the latter, so no clocks have to agree.
# Seen with cyclonedds 11.0.1 (Python): see `expected`. Writer and reader are in one process; DDS uses loopback only.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check cyclonedds==11.0.1 ||
    { echo "cannot install the packages"; exit 77; }
cat >dds.xml <<'XML'
<CycloneDDS>
  <Domain id="any">
    <General>
      <Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces>
      <AllowMulticast>false</AllowMulticast>
    </General>
  </Domain>
</CycloneDDS>
XML
cat >age.py <<'PY'
from dataclasses import dataclass
from importlib.metadata import version
from time import sleep, time_ns

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration


@dataclass
class Sample(IdlStruct, typename="Sample"):
    offset: int  # of its stamp from now, ms


def seen(policy, offsets, wait):
    qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepAll, policy)
    topic = Topic(participant, type(policy).__name__ + str(wait), Sample, qos=qos)
    reader, writer = DataReader(participant, topic, qos=qos), DataWriter(participant, topic, qos=qos)
    now = time_ns()
    for offset in offsets:
        writer.write(Sample(offset), timestamp=now + offset * 1_000_000)
    sleep(wait)
    return [sample.offset for sample in reader.take(N=100)]


print("cyclonedds", version("cyclonedds"))
participant = DomainParticipant(77)
second = Policy.Lifespan(duration(seconds=1))
stamps = [-10000, 0, 5000]
print(f"lifespan 1000 ms, stamps {stamps} ms from now: taken at once {seen(second, stamps, 0)},",
      f"after 1500 ms {seen(second, stamps, 1.5)}")
stamps = [0, 50, 100, 150, 200, 250]
print(f"filter 100 ms, stamps {stamps} ms from now: taken at once",
      seen(Policy.TimeBasedFilter(duration(milliseconds=100)), stamps, 0))
PY
echo "guess: taken at once [0, 5000], after 1500 ms [5000]; filter [0, 100, 200]"
cat >expected <<'TEXT'
cyclonedds 11.0.1
lifespan 1000 ms, stamps [-10000, 0, 5000] ms from now: taken at once [-10000, 0, 5000], after 1500 ms []
filter 100 ms, stamps [0, 50, 100, 150, 200, 250] ms from now: taken at once [0, 100, 200]
TEXT
CYCLONEDDS_URI="file://$folder/dds.xml" HOME=$folder timeout 60 v/bin/python age.py >seen
cat seen
diff expected seen
