#!/usr/bin/env bash
# wrap.sh: streamflow as others take it in: a Meson subproject, and installed with a pkg-config file.
set -u
. "$(dirname "$0")/tap.sh"
consumer=$tmp/consumer
copy=$consumer/subprojects/streamflow

prepare() {
    cp -r "$root/tests/wrap" "$consumer"
    mkdir -p "$copy"
    (cd "$root" && tar cf - --exclude=./build* --exclude=./.git .) | tar xf - -C "$copy"
}
subproject() {
    meson setup "$consumer/build" "$consumer"
    meson compile -C "$consumer/build"
    meson test -C "$consumer/build"
}
nothing_else() { # neither examples nor tests nor CUDA are the consumer's business
    meson introspect --targets "$consumer/build" >"$tmp/targets.json"
    python3 -c 'import json, sys; names = [t["name"] for t in json.load(open(sys.argv[1]))]; print(names); sys.exit(names != ["consumer"])' "$tmp/targets.json"
}
installed() {
    meson setup "$tmp/build" "$root" --prefix "$tmp/prefix" -Dexamples=disabled -Dtests=disabled
    meson install -C "$tmp/build"
    find "$tmp/prefix" -type f
    export PKG_CONFIG_PATH=$tmp/prefix/share/pkgconfig
    [ "$(pkg-config --modversion streamflow)" = "$(meson introspect --projectinfo "$tmp/build" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')" ]
    cc -Wall -Wextra -Werror "$consumer/main.c" $(pkg-config --cflags --libs streamflow) -o "$tmp/installed"
    "$tmp/installed"
}

plan 3
if tool=$(missing meson ninja pkg-config); then
    skip "Meson subproject" "$tool not found"
    skip "brings nothing else along" "$tool not found"
    skip "installed, with pkg-config" "$tool not found"
    exit $tap_failed
fi
prepare || exit 1
check "Meson subproject" subproject
check "brings nothing else along" nothing_else
check "installed, with pkg-config" installed
exit $tap_failed
