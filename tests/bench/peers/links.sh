#!/usr/bin/env bash
# links.sh [ROUNDS]: the transport over UCX against ucx_perftest -e -H 64, in turn, with the same UCX_ variables: 8 bytes
# (us one way) and 1 MiB (MB/s, 2 and 32 under way), over shared memory and TCP. Prints lines
# `peer,workload,param,metric,value` per round, and at the end ratios of the medians: latencies streamflow / perftest,
# bandwidths too. SF_UCX_LIBRARY names another libucp.so.0; ucx_perftest is then taken from PERFTEST. Exit status 77:
# there is no ucx_perftest, or links.c does not compile. A run that fails has no value. SF_LINKS_GPU=1 adds memory of two
# GPUs of this host, over CUDA IPC: also the latency of 1 MiB, and the bandwidth of 64 MiB; =only takes just these. Needs
# a UCX with CUDA. The server's GPU is 0, the client's 1, as ucx_perftest takes them by itself if both see both. Of 8
# bytes, ucx_perftest drops what arrives in host memory, while the transport copies it to the GPU. No further round
# begins after SF_LINKS_SECONDS.
set -u
cd "$(dirname "$0")" || exit 1
rounds=${1:-5}
perftest=${PERFTEST:-ucx_perftest}
command -v "$perftest" >/dev/null || exit 77
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -O2 -std=gnu11 -pthread -w links.c -o "$folder/links" -ldl -lm || exit 77
export UCX_NET_DEVICES=lo UCX_POSIX_ERROR_HANDLING=y UCX_CMA_MEMORY_INVALIDATE=y UCX_WARN_UNUSED_ENV_VARS=n
minor=$("${perftest/ucx_perftest/ucx_info}" -v 2>/dev/null | grep -oE '1\.[0-9]+' | head -1 | cut -d. -f2)
[ "${minor:-99}" -ge 14 ] || export UCX_ZCOPY_THRESH=inf     # what the library sets for these releases
[ "${minor:-99}" -ge 22 ] || export UCX_TCP_PUT_ENABLE=n
if [ -n "${SF_UCX_LIBRARY:-}" ]; then
    export LD_LIBRARY_PATH=${SF_UCX_LIBRARY%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
transports=("shm" "tcp") limit=("env")
case ${SF_LINKS_GPU:-} in 1) transports+=("gpu") ;; only) transports=("gpu") ;; esac
port=$((20000 + RANDOM % 10000))
say() { echo "$1,$2,$3,$4,$5"; if [ -n "$5" ]; then echo "$1 $2/$3 $5" >>"$folder/all"; fi; }
on_gpu() { # NUMBER COMMAND...: with memory of this GPU, if it is their turn
    if [ "$transport" = gpu ]; then export LINKS_GPU=$1; fi
    exec "${limit[@]}" "${@:2}"
}
ours() { # lat|bw COUNT BYTES [DEPTH]
    local value
    port=$((port + 1))
    coproc SERVER { on_gpu 0 "$folder/links" listen "127.0.0.1:$port"; }
    local pid=$SERVER_PID
    read -r _ <&"${SERVER[0]}" || return 1
    value=$(on_gpu 1 "$folder/links" "$1" "127.0.0.1:$port" "${@:2}")
    wait "$pid"
    say streamflow "link_$1" "$transport-$3${4:+-$4}" "$([ "$1" = lat ] && echo us || echo MB/s)" "$value"
}
theirs() { # lat|bw COUNT BYTES [DEPTH]: typical latency in us, or average MB/s
    local pid line more=()
    port=$((port + 1))
    if [ "$transport" = gpu ]; then more+=(-m cuda); fi
    if [ $# -gt 3 ]; then more+=(-O "$4"); fi
    "${limit[@]}" "$perftest" -p "$port" >/dev/null 2>&1 &
    pid=$!
    sleep 0.5
    line=$("${limit[@]}" "$perftest" -p "$port" -t "ucp_am_$1" -e -H 64 -s "$3" -n "$2" -w $(($2 / 10)) -f -v \
        "${more[@]}" 127.0.0.1 2>/dev/null | tail -1)
    wait "$pid"
    # iterations, typical, average, overall (us), average, overall (MB/s), ...
    if [ "$1" = lat ]; then line=$(echo "$line" | cut -d, -f2); else line=$(echo "$line" | cut -d, -f6); fi
    if [[ ! $line =~ ^[0-9.]+$ ]]; then line=; fi            # it failed
    say perftest "link_$1" "$transport-$3${4:+-$4}" "$([ "$1" = lat ] && echo us || echo MB/s)" "$line"
}
both() {
    theirs "$@"
    ours "$@"
}
for ((i = 0; i < rounds && (i == 0 || SECONDS < ${SF_LINKS_SECONDS:-1000000}); i++)); do
    for transport in "${transports[@]}"; do
        if [ "$transport" = gpu ]; then
            export UCX_TLS=posix,cma,tcp,cuda_copy,cuda_ipc UCX_CUDA_COPY_ENABLE_FABRIC=n
            limit=(timeout --foreground 20)
            both lat 10000 8
            both lat 5000 1048576
            both bw 10000 1048576 2
            both bw 10000 1048576 32
            both bw 300 67108864 2
            limit=("env")
            continue
        fi
        if [ "$transport" = shm ]; then export UCX_TLS=posix,cma,tcp; else export UCX_TLS=tcp; fi
        both lat 20000 8
        both bw 3000 1048576 2
        both bw 3000 1048576 32
    done
done
python3 - "$folder/all" <<'P'
import statistics, sys
values = {}
for line in open(sys.argv[1]):
    peer, what, value = line.split()
    values.setdefault(what, {}).setdefault(peer, []).append(float(value))
for what, peers in values.items():
    if len(peers) < 2:
        continue
    ratio = statistics.median(peers['streamflow']) / statistics.median(peers['perftest'])
    print('ratio,%s,%s,times,%.2f' % (*what.split('/'), ratio))
P
