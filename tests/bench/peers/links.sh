#!/usr/bin/env bash
# links.sh [ROUNDS]: the transport over UCX against ucx_perftest -e -H 64, in turn, with the same UCX_ variables: 8 bytes
# (us one way) and 1 MiB (MB/s), over shared memory and TCP. Prints lines `peer,workload,param,metric,value` per round,
# and at the end ratios of the medians: latencies streamflow / perftest, bandwidths too. SF_UCX_LIBRARY names another
# libucp.so.0; ucx_perftest is then taken from PERFTEST. Exit status 77: UCX or ucx_perftest is missing.
set -u
cd "$(dirname "$0")" || exit 1
rounds=${1:-5}
perftest=${PERFTEST:-ucx_perftest}
command -v "$perftest" >/dev/null || exit 77
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -O2 -std=gnu11 -pthread -w links.c -o "$folder/links" -ldl -lm || exit 77
export UCX_NET_DEVICES=lo UCX_POSIX_ERROR_HANDLING=y UCX_CMA_MEMORY_INVALIDATE=y UCX_WARN_UNUSED_ENV_VARS=n
if [ -z "${SF_UCX_LIBRARY:-}" ] && ucx_info -v 2>/dev/null | grep -q ' 1\.13'; then
    export UCX_ZCOPY_THRESH=inf UCX_TCP_PUT_ENABLE=n         # what the library sets for this release
fi
if [ -n "${SF_UCX_LIBRARY:-}" ]; then export LD_LIBRARY_PATH=${SF_UCX_LIBRARY%/*}; fi
port=$((20000 + RANDOM % 10000))
say() { echo "$1,$2,$3,$4,$5"; echo "$1 $2/$3 $5" >>"$folder/all"; }
ours() { # lat|bw COUNT BYTES
    local value
    port=$((port + 1))
    coproc SERVER { exec "$folder/links" listen "127.0.0.1:$port"; }
    local pid=$SERVER_PID
    read -r _ <&"${SERVER[0]}" || return 1
    value=$("$folder/links" "$1" "127.0.0.1:$port" "$2" "$3")
    wait "$pid"
    say streamflow "link_$1" "$transport-$3" "$([ "$1" = lat ] && echo us || echo MB/s)" "$value"
}
theirs() { # lat|bw COUNT BYTES: typical latency in us, or average MB/s
    local pid line
    port=$((port + 1))
    "$perftest" -p "$port" >/dev/null 2>&1 &
    pid=$!
    sleep 0.5
    line=$("$perftest" -p "$port" -t "ucp_am_$1" -e -H 64 -s "$3" -n "$2" -w $(($2 / 10)) -f -v 127.0.0.1 2>/dev/null | tail -1)
    wait "$pid"
    # iterations, typical, average, overall (us), average, overall (MB/s), ...
    if [ "$1" = lat ]; then line=$(echo "$line" | cut -d, -f2); else line=$(echo "$line" | cut -d, -f6); fi
    say perftest "link_$1" "$transport-$3" "$([ "$1" = lat ] && echo us || echo MB/s)" "$line"
}
for ((i = 0; i < rounds; i++)); do
    for transport in shm tcp; do
        if [ "$transport" = shm ]; then export UCX_TLS=posix,cma,tcp; else export UCX_TLS=tcp; fi
        theirs lat 20000 8
        ours lat 20000 8
        theirs bw 1500 1048576
        ours bw 1500 1048576
    done
done
python3 - "$folder/all" <<'P'
import statistics, sys
values = {}
for line in open(sys.argv[1]):
    peer, what, value = line.split()
    values.setdefault(what, {}).setdefault(peer, []).append(float(value))
for what, peers in values.items():
    ratio = statistics.median(peers['streamflow']) / statistics.median(peers['perftest'])
    print('ratio,%s,%s,times,%.2f' % (*what.split('/'), ratio))
P
