# TAP for the scripts beside it: plan N; check NAME COMMAND...; skip NAME WHY; absent NAME WHY
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tap_number=0 tap_failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

plan() { echo "1..$1"; }
check() { # NAME COMMAND...: its output is shown if it fails
    local name=$1 log=$tmp/check.log
    shift
    tap_number=$((tap_number + 1))
    (set -e; "$@") >"$log" 2>&1 </dev/null  # not in a condition: there bash would ignore -e
    if [ $? = 0 ]; then
        echo "ok $tap_number - $name"
        return 0
    fi
    tap_failed=1
    echo "not ok $tap_number - $name"
    { echo "$*"; tail -n 40 "$log"; } | sed 's/^/# /'
    return 1
}
skip() { # NAME WHY: a failure in CI, which installs all that is needed
    tap_number=$((tap_number + 1))
    if [ -n "${CI:-}" ]; then
        tap_failed=1
        echo "not ok $tap_number - $1"
        echo "# $2"
    else
        echo "ok $tap_number - $1 # SKIP $2"
    fi
}
absent() { # NAME WHY: what CI's machine cannot have either
    tap_number=$((tap_number + 1))
    echo "ok $tap_number - $1 # SKIP $2"
}
missing() { # TOOL...: prints the first that is absent
    local tool
    for tool in "$@"; do command -v "$tool" >/dev/null || { echo "$tool"; return 0; }; done
    return 1
}
