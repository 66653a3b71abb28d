#!/usr/bin/env bash
# UCX from 1.21 on takes 0.4 s of CPU time when it is loaded, before any call of it: each process that starts pays that.
# It patches functions of the C library, such as munmap(), and waits for each one, busily.
# One expects: a library for messages loads in milliseconds, as UCX 1.20 does in 45.
# Seen with UCX 1.20.0, 1.21.0 and 1.22.0 (libucx-cu12) on x86-64: see `expected`. UCX_MEM_EVENTS=n in the environment
# leaves the patches out, and with them the caches of memory that network cards and GPUs have registered.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >load.py <<'PY'
import ctypes, resource, sys


def used():
    """Seconds of CPU time."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


before = used()
ctypes.CDLL(f'{sys.argv[1]}/libucx/lib/libucp.so.0')
seconds = used() - before
print('under 0.1 s' if seconds < 0.1 else '0.3 s or more' if seconds >= 0.3 else f'{seconds:.2f} s')
PY
for release in 1.20.0 1.21.0 1.22.0; do
    python3 -m venv v$release
    v$release/bin/pip install -q --disable-pip-version-check --no-deps --target $release libucx-cu12==$release ||
        { echo "cannot install the packages"; exit 77; }
    echo "$release: $(python3 load.py $release), with UCX_MEM_EVENTS=n $(UCX_MEM_EVENTS=n python3 load.py $release)"
done >seen
cat >expected <<'TEXT'
1.20.0: under 0.1 s, with UCX_MEM_EVENTS=n under 0.1 s
1.21.0: 0.3 s or more, with UCX_MEM_EVENTS=n under 0.1 s
1.22.0: 0.3 s or more, with UCX_MEM_EVENTS=n under 0.1 s
TEXT
cat seen
diff expected seen
