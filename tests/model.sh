#!/usr/bin/env bash
# model.sh: signal_protocol.pml, in all of its states, by Spin: right, and wrong as soon as one thing in it is.
set -u
. "$(dirname "$0")/tap.sh"

verify() { # "CFLAGS" "PAN FLAGS" -DMACRO...: leaves what Spin found in `found`
    rm -rf "$tmp/pan" && mkdir "$tmp/pan" && cd "$tmp/pan" || exit 1
    local cflags=$1 flags=$2
    shift 2
    echo "$*"
    spin -a "$@" "$root/tests/signal_protocol.pml"
    cc -w $cflags pan.c -o pan
    timeout 600 ./pan -m10000 -w22 $flags >found
    cat found
}
safety='-DSAFETY -DNOCLAIM' claim='-a -E'    # -E: deadlocks are the other runs' business
holds() {
    verify "-O1 $1" "$2" "${@:3}"
    grep -q 'errors: 0$' found && ! grep -E 'Search not completed|max search depth too small' found
}
right() { holds "$safety" '' "$@"; }
fails() {
    verify "-O0 $1" "$2" "${@:4}"
    grep -E "^pan:1: $3" found
}
wrong() { fails "$safety" '' 'assertion violated|invalid end state' "$@"; }

if tool=$(missing spin cc); then
    plan 1
    check "$tool is installed" false
    exit 1
fi
plan 28
check "BLOCK" right -DPOLICY=BLOCK -DRUNS=1
check "BLOCK, launched again" right -DPOLICY=BLOCK -DREQUESTS=3
check "DROP_OLDEST" right -DPOLICY=DROP_OLDEST -DRUNS=1
check "DROP_NEWEST" right -DPOLICY=DROP_NEWEST -DRUNS=1
check "LATEST, launched again" right -DPOLICY=LATEST -DREQUESTS=3
check "asked ahead, launched again" right -DAHEAD -DREQUESTS=3
check "words with numbers, launched again" right -DLINES -DREQUESTS=3
check "words with numbers, DROP_NEWEST, asked ahead" right -DLINES -DAHEAD -DPOLICY=DROP_NEWEST -DREQUESTS=3 -DRUNS=1
check "two sources" right -DSOURCES=2 -DREQUESTS=2 -DRUNS=1
check "the counters" right -DOBSERVER -DPOLICY=LATEST -DREQUESTS=3 -DRUNS=1
check "a stop ends the loop" holds '' "$claim" -DREQUESTS=2
check "not if it is not looked at" fails '' "$claim" 'acceptance cycle' -DDEAF_WITHOUT_ROOM

check "wrong: the stop bits in a word of their own" wrong -DSTOP_APART
check "wrong: one source's stop bit is enough" wrong -DSTOP_OF_ONE -DSOURCES=2 -DREQUESTS=2
check "wrong: consumed ignored" wrong -DCONSUMED_IGNORED
check "wrong: done stored before the payload" wrong -DDONE_FIRST
check "wrong: completed stored after done" wrong -DCOMPLETED_LAST
check "wrong: end_done read after completed" wrong -DEND_READ_LAST
check "wrong: done as a counter" wrong -DDONE_ASKED -DOBSERVER
check "wrong: a flag that the loop overwrites, as Holoscan's" wrong -DLEVEL_FLAG
check "wrong: the two stores of submit swapped" wrong -DSUBMIT_FIRST
check "wrong: not refused after a stop bit" wrong -DNOT_REFUSED
check "wrong: no slot to spare" wrong -DNO_SPARE -DPOLICY=DROP_NEWEST
check "wrong: no look at the stop bits without room" wrong -DDEAF_WITHOUT_ROOM
check "wrong: a copy after the stop" wrong -DUNSUPPRESSED
check "wrong: an abort that does not count" wrong -DQUEUE_FORGOTTEN
check "wrong: half a request" wrong -DLINES -DHALF_A_REQUEST
check "wrong: half a result" wrong -DLINES -DHALF_A_RESULT
exit $tap_failed
