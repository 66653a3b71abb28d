#!/bin/sh
# copies.sh [FOLDER]: flow_bench's workload `copies` beside oneTBB 2021.8 (Debian 12's libtbb-dev) and Taskflow 4.1, in one
# run. Builds in FOLDER, default a temporary one, and runs there. FOLDER/run repeats it, on another machine, too: it
# needs nothing else. TASKFLOW: a git directory or URL of Taskflow. Nothing is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$(mktemp -d)}
mkdir -p "$out/tbb" && out=$(cd "$out" && pwd) && cd "$out"
with="" libs=""
if (cd tbb && apt-get download -q libtbb-dev libtbb12 >/dev/null 2>&1); then
    for package in tbb/*.deb; do dpkg -x "$package" tbb; done
    cp "$(find tbb -name 'libtbb.so.12.*' | head -n 1)" libtbb.so.12
    with="-DWITH_TBB -Itbb/usr/include" libs="./libtbb.so.12"
else
    echo "left out: oneTBB" >&2
fi
if [ -d taskflow ] || git clone -q --depth 1 -b v4.1.0 "${TASKFLOW:-https://github.com/taskflow/taskflow}" taskflow; then
    with="$with -DWITH_TASKFLOW -Itaskflow"
else
    echo "left out: Taskflow" >&2
fi
# shellcheck disable=SC2086
c++ -O2 -std=c++20 -pthread $with -c "$here/copies.cpp" -o copies.o
cc -O2 -pthread -c "$here/../flow_bench.c" -o flow_bench.o
# shellcheck disable=SC2086
c++ -pthread -static-libstdc++ -static-libgcc flow_bench.o copies.o $libs -ldl -Wl,-rpath,'$ORIGIN' -o flow_bench
# shellcheck disable=SC2016
printf '#!/bin/sh\nexec "$(dirname "$0")/flow_bench" copies "$@"\n' >run
chmod +x run
./run
