#!/usr/bin/env bash
# Messages of one time on several topics: read from a ROS 2 bag they come in the order of writing, from a ROS 1 bag
# topic by topic. So a cause and its effect at one time (a trigger, its frame) change places; a conversion keeps that.
# One expects: one order, that of writing, in each format; all of them store it.
# Seen with rosbags 0.11.9: see `expected`. Values are numbers in order of writing, b and a the topics.
# Work around it: give such messages times that differ, or a sequence number.
# For streamflow: joins by time compare times alone, so that equal times may come in any order.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check rosbags==0.11.9 ||
    { echo "cannot install the packages"; exit 77; }
cat >order.py <<'PY'
import importlib.metadata
import pathlib
from rosbags import rosbag1, rosbag2
from rosbags.rosbag2.enums import StoragePlugin
from rosbags.typesys import Stores, get_typestore

KIND = "std_msgs/msg/Int32"
SENT = [("b", 10), ("a", 10), ("b", 20), ("a", 20), ("b", 20), ("a", 20), ("b", 20), ("a", 20), ("b", 30)]
new, old = get_typestore(Stores.ROS2_HUMBLE), get_typestore(Stores.ROS1_NOETIC)


def write(writer, store, pack):
    with writer:
        topics = {name: writer.add_connection("/" + name, KIND, typestore=store) for name in "ba"}
        for number, (name, time) in enumerate(SENT):
            writer.write(topics[name], time, pack(store.types[KIND](data=number), KIND))


def read(reader, unpack):
    with reader:
        return " ".join(f"{unpack(raw, KIND).data}{topic.topic[1:]}" for topic, _, raw in reader.messages())


print("rosbags", importlib.metadata.version("rosbags"))
print("written:", " ".join(f"{number}{name}" for number, (name, _) in enumerate(SENT)))
for plugin in (StoragePlugin.SQLITE3, StoragePlugin.MCAP):
    path = pathlib.Path(plugin.name)
    write(rosbag2.Writer(path, version=8, storage_plugin=plugin), new, new.serialize_cdr)
    print(f"ROS 2, {plugin.name}:", read(rosbag2.Reader(path), new.deserialize_cdr))
path = pathlib.Path("one.bag")
write(rosbag1.Writer(path), old, old.serialize_ros1)
print("ROS 1:", read(rosbag1.Reader(path), old.deserialize_ros1))
PY
echo "guess: the order of writing each time"
cat >expected <<'TEXT'
rosbags 0.11.9
written: 0b 1a 2b 3a 4b 5a 6b 7a 8b
ROS 2, SQLITE3: 0b 1a 2b 3a 4b 5a 6b 7a 8b
ROS 2, MCAP: 0b 1a 2b 3a 4b 5a 6b 7a 8b
ROS 1: 0b 1a 2b 4b 6b 3a 5a 7a 8b
TEXT
HOME=$folder timeout 60 v/bin/python order.py >seen
cat seen
diff expected seen
