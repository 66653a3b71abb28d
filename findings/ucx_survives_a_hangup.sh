#!/usr/bin/env bash
# UCX, once its library is loaded, handles SIGHUP: it switches its log to debugging. A program that never asked for
# that no longer ends when its terminal closes or its supervisor sends SIGHUP, and begins to log instead.
# One expects: a library for messages takes no signals by being loaded, at most those of crashes.
# Seen with UCX 1.22.0 (libucx-cu12), before any call of it. UCX_DEBUG_SIGNO=0 in the environment stops it.
# Needs pip, else exits 77.
set -eu
python3 -m venv --help >/dev/null 2>&1 || { echo "needs python3-venv"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v && v/bin/pip install -q --disable-pip-version-check --no-deps libucx-cu12==1.22.0 ||
    { echo "cannot install the packages"; exit 77; }
cat >load.py <<'PY'
import ctypes, glob, os, signal, subprocess, sys


def caught():
    """Signals with a handler."""
    with open('/proc/self/status', encoding='ascii') as file:
        mask = next(int(line.split()[1], 16) for line in file if line.startswith('SigCgt'))
    return {i + 1 for i in range(64) if mask >> i & 1}


if len(sys.argv) > 1:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)         # as a program has it
    before = caught()
    if sys.argv[1] == 'load':
        ctypes.CDLL(glob.glob('v/lib/*/site-packages/libucx/lib/libucp.so.0')[0])
    print('taken:', sorted(caught() - before), flush=True)
    os.kill(os.getpid(), signal.SIGHUP)
    print('still here', flush=True)
    sys.exit()
for how, more in (('without', {}), ('load', {}), ('load', {'UCX_DEBUG_SIGNO': '0'})):
    done = subprocess.run([sys.executable, 'load.py', how], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, **more})
    print(how, *more, '|', ' '.join(done.stdout.split('\n')).strip(), '|', done.returncode)
PY
cat >expected <<'TXT'
without | taken: [] | -1
load | taken: [1] still here | 0
load UCX_DEBUG_SIGNO | taken: [] | -1
TXT
v/bin/python load.py | tee seen
diff -u expected seen && echo "as stated"
