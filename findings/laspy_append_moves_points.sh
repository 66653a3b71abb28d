#!/usr/bin/env bash
# append_points() of laspy writes the integers of the points as they are, also if they have another scale or offset than
# the file: a point at x = 1001 comes back at x = 10, and the bounds in the header are wrong with it. write_points() of
# the same points into a new file converts them.
# One expects: both convert, or refuse. append_points() asks for the same point format, and has it.
# Seen with laspy 2.7.0: see `expected`. Each tile or flight line chooses an offset near its points, so files of one
# sensor differ. No error, no warning. Points of the same scale and offset are right.
# Work around it: points.change_scaling(header.scales, header.offsets) on the LasData before the append.
# For streamflow: data whose meaning is in a header must bring it along, or a link must compare headers, not types only.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check laspy==2.7.0 numpy==2.4.6 ||
    { echo "cannot install the packages"; exit 77; }
cat >points.py <<'PY'
import laspy
import numpy


def write(name, scale, offset, x):
    header = laspy.LasHeader(point_format=6, version="1.4")
    header.scales, header.offsets = [scale] * 3, [offset] * 3
    cloud = laspy.LasData(header)
    cloud.x = cloud.y = cloud.z = numpy.array(x, float)
    cloud.write(name)


def shown(name):
    cloud = laspy.read(name)
    return f"x {' '.join(f'{x:g}' for x in cloud.x)}, header {cloud.header.mins[0]:g} to {cloud.header.maxs[0]:g}"


print("laspy", laspy.__version__)
for scale, offset in ((0.01, 0), (0.001, 0), (0.01, 1000), (0.001, 1000)):
    write("first.las", 0.01, 0, [1, 2])
    write("second.las", scale, offset, [1001, 1002])
    first, second = laspy.read("first.las"), laspy.read("second.las")
    with laspy.open("new.las", "w", header=first.header) as out:
        out.write_points(first.points)
        out.write_points(second.points)
    with laspy.open("first.las", "a") as out:
        out.append_points(second.points)
    print(f"scale {scale:g}, offset {offset:g}: written {shown('new.las')}; appended {shown('first.las')}")
write("first.las", 0.01, 0, [1, 2])
second.change_scaling([0.01] * 3, [0] * 3)
with laspy.open("first.las", "a") as out:
    out.append_points(second.points)
print(f"after change_scaling(): appended {shown('first.las')}")
PY
echo "guess: x 1 2 1001 1002, header 1 to 1002 each time"
cat >expected <<'TEXT'
laspy 2.7.0
scale 0.01, offset 0: written x 1 2 1001 1002, header 1 to 1002; appended x 1 2 1001 1002, header 1 to 1002
scale 0.001, offset 0: written x 1 2 1001 1002, header 1 to 1002; appended x 1 2 10010 10020, header 1 to 10020
scale 0.01, offset 1000: written x 1 2 1001 1002, header 1 to 1002; appended x 1 2 1 2, header 1 to 2
scale 0.001, offset 1000: written x 1 2 1001 1002, header 1 to 1002; appended x 1 2 10 20, header 1 to 20
after change_scaling(): appended x 1 2 1001 1002, header 1 to 1002
TEXT
HOME=$folder timeout 100 v/bin/python points.py >seen
cat seen
diff expected seen
