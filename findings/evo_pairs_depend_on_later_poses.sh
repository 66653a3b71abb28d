#!/usr/bin/env bash
# evo associates the poses of two trajectories by time. Whether it uses a pose once or several times depends on poses
# far away: one more pose at 100 s changes the pairs at 1 s, and the error that is computed from them.
# One expects: a pose is in one pair at most, the nearest one, or in any number of pairs; pairs at 1 s depend on the
# stamps within max_diff of them.
# Seen with evo 1.38.1: see `expected`. It looks for the nearest partner of each pose of the shorter trajectory.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check evo==1.38.1 ||
    { echo "cannot install the packages"; exit 77; }
cat >pairs.py <<'PY'
from importlib.metadata import version
import numpy
from evo.core import metrics, sync
from evo.core.trajectory import PoseTrajectory3D


def trajectory(stamps):
    """One metre a second along x."""
    stamps = numpy.array(stamps, float)
    turns = numpy.tile([1.0, 0, 0, 0], (len(stamps), 1))
    return PoseTrajectory3D(numpy.c_[stamps, 0 * stamps, 0 * stamps], turns, stamps)


print("evo", version("evo"))
measured = [0, 1, 1.004, 1.008, 2]
reference = [0, 1.005, 2, 3]
for more in ([], [100]):
    right, left = sync.associate_trajectories(trajectory(reference + more), trajectory(measured), max_diff=0.01)
    error = metrics.APE(metrics.PoseRelation.translation_part)
    error.process_data((right, left))
    print(f"reference {reference + more}:",
          *(f"({a:g}, {b:g})" for a, b in zip(left.timestamps, right.timestamps)),
          f"rmse {1e3 * error.get_statistic(metrics.StatisticsType.rmse):.2f} mm")
PY
echo "guess: (0, 0) (1.004, 1.005) (2, 2) both times"
cat >expected <<'TEXT'
evo 1.38.1
reference [0, 1.005, 2, 3]: (0, 0) (1.004, 1.005) (2, 2) rmse 0.58 mm
reference [0, 1.005, 2, 3, 100]: (0, 0) (1, 1.005) (1.004, 1.005) (1.008, 1.005) (2, 2) rmse 2.65 mm
TEXT
HOME=$folder timeout 100 v/bin/python pairs.py >seen
cat seen
diff expected seen
