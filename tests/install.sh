#!/usr/bin/env bash
# install.sh: every way of README's "Use it in your project", from README's own lines, with the warnings of strict users.
# The implementation is compiled with -O0, once per compiler and way.
set -u
. "$(dirname "$0")/tap.sh"
here=$root/tests/install
strict='-Wall -Wextra -Wconversion -Wshadow -Werror'
designated=-Wno-missing-field-initializers      # g++ warns about the members that a designated initializer leaves out
prefix=$tmp/prefix
start=$SECONDS

try() { # "TOOL..." NAME COMMAND...
    local tool
    if tool=$(missing $1); then skip "$2" "$tool not found"; else check "${@:2}"; fi
}
not() { if "$@"; then return 1; fi; }   # "!" would not end a check
block() { # MARK: README's lines behind the one that begins with MARK, to the next mark or the end of the code
    awk -v mark="$1" 'on && (/^```/ || /^# /) { exit } on { print; found = 1 } index($0, mark) == 1 { on = 1 }
        END { exit !found }' "$root/README.md"
}
cheap() { sed 's/-O2/-O0/g'; }
user() { # FOLDER: a user's files in it
    mkdir -p "$1"
    cp "$here"/main.c "$here"/main.cc "$1"
    block '/* streamflow.c' >"$1/streamflow.c"
}

# What nobody asked for is neither built nor looked for. Libraries are not found: there is no folder of .pc files.
setup_and_install() {
    PKG_CONFIG_LIBDIR=$tmp meson setup "$tmp/build" "$root" --prefix "$prefix"
    meson install -C "$tmp/build"
    ls "$prefix"/include/streamflow.h "$prefix"/share/pkgconfig/streamflow.pc "$prefix"/share/cmake/streamflow/*Config.cmake
}
installation() { # at most 20 s, which is 10 times what it takes
    local begin=$EPOCHREALTIME
    setup_and_install
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "# installed in %.1f s\n", b - a; exit b - a > 20 }' |
        tee "$tmp/time"
    [ "$(meson introspect --targets "$tmp/build")" = '[]' ]
    not grep -E 'nvcc|cmocka' "$tmp/build/meson-logs/meson-log.txt"
}

# The files alone.
no_warning() { # COMPILER...: both implementations
    printf '#define %s\n' STREAMFLOW_IMPLEMENTATION STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION >"$tmp/both.c"
    printf '#include "%s"\n' streamflow.h streamflow_gpu_resident.h >>"$tmp/both.c"
    "$@" $strict -I "$root" -fsyntax-only "$tmp/both.c"
}
copied() { # README's lines, with each compiler as cc
    local cc
    for cc in gcc clang; do
        user "$tmp/copied-$cc"
        cp "$root/streamflow.h" "$tmp/copied-$cc"
        (cd "$tmp/copied-$cc" && cc() { command "$cc" $strict "$@"; } && eval "$(block '# copied: main.c' | cheap)" && ./app)
    done
}
copied_cc() {
    local cc
    for cc in g++ clang++; do
        user "$tmp/copied-$cc"
        cp "$root/streamflow.h" "$tmp/copied-$cc"
        (cd "$tmp/copied-$cc" && mv streamflow.c streamflow.cc
            $cc -std=c++17 $strict -c streamflow.cc
            for std in c++11 c++17 c++20; do
                $cc -std=$std $strict -I. main.cc streamflow.o -pthread -ldl -o app
                ./app
            done)
    done
}

# Meson, with the whole repository in subprojects/.
meson_user() { # FOLDER
    user "$1"
    {
        echo "project('app', 'c', 'cpp', default_options: ['warning_level=2', 'werror=true'])"
        grep '^executable(' "$root/README.md"
        for std in 17 20; do
            echo "static_library('user$std', 'main.cc', dependencies: dependency('streamflow'), override_options: 'cpp_std=c++$std')"
        done
    } >"$1/meson.build"
}
subproject() {
    meson_user "$tmp/meson"
    mkdir -p "$tmp/meson/subprojects"
    cp -r "$tmp/streamflow" "$tmp/meson/subprojects"
    CC=clang CXX=clang++ CFLAGS=$strict CXXFLAGS=$strict meson setup "$tmp/meson/build" "$tmp/meson" -Doptimization=0
    meson compile -C "$tmp/meson/build"
    "$tmp/meson/build/app"
}
nothing_else() { # neither examples nor tests nor CUDA are the user's business
    meson introspect --targets "$tmp/meson/build" | python3 -c 'import json, sys
names = [t["name"] for t in json.load(sys.stdin)]
sys.exit(names != ["app", "user17", "user20"] and f"{names}")'
}

# Installed.
pkg_config() {
    user "$tmp/pc"
    export PKG_CONFIG_PATH=$prefix/share/pkgconfig
    [ "$(pkg-config --modversion streamflow)" = "$(meson introspect --projectinfo "$tmp/build" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')" ]
    (cd "$tmp/pc" && cc() { gcc $strict "$@"; } && eval "$(block '# installed, by:' | cheap)" && ./app)
    for cc in 'g++ -std=c++17' 'g++ -std=c++20' 'clang++ -std=c++17' 'clang++ -std=c++20'; do
        $cc $strict -fsyntax-only $(pkg-config --cflags streamflow) "$tmp/pc/main.cc"
    done
}
meson_installed() { # the same lines as with a subproject; found is enough
    meson_user "$tmp/meson-installed"
    PKG_CONFIG_PATH=$prefix/share/pkgconfig meson setup "$tmp/meson-installed/build" "$tmp/meson-installed"
    ninja -C "$tmp/meson-installed/build" libuser17.a
}
cmake_user() { # FOLDER TARGET CC CXX MARK... -- ARGUMENT...: README's lines, then C++ users of the target
    local folder=$1 target=$2 cc=$3 cxx=$4
    shift 4
    user "$folder"
    {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.14)' 'project(user C CXX)' 'set(CMAKE_NO_SYSTEM_FROM_IMPORTED ON)'
        while [ "$1" != -- ]; do block "$1"; shift; done
        printf 'foreach(std 17 20)\n    add_library(user${std} OBJECT main.cc)\n'
        printf '    set_target_properties(user${std} PROPERTIES CXX_STANDARD ${std})\n'
        printf '    target_link_libraries(user${std} PRIVATE %s)\nendforeach()\n' "$target"
    } >"$folder/CMakeLists.txt"
    cmake -G Ninja -S "$folder" -B "$folder/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
        -DCMAKE_C_FLAGS="$strict" -DCMAKE_CXX_FLAGS="$strict" -Wno-dev "${@:2}"
    cmake --build "$folder/build"
    "$folder/build/app"
}
cmake_installed() {
    cmake_user "$tmp/cmake" streamflow::streamflow gcc g++ '# an installed package' -- -DCMAKE_PREFIX_PATH="$prefix"
}
cmake_versions() { # 0.1 is there; 9.0 is not
    printf '%s\n' 'cmake_minimum_required(VERSION 3.14)' 'project(user C)' 'find_package(streamflow 9.0 QUIET)' \
        'if(streamflow_FOUND)' 'message(FATAL_ERROR "9.0")' 'endif()' 'find_package(streamflow 0.1 REQUIRED)' >"$tmp/CMakeLists.txt"
    cmake -G Ninja -S "$tmp" -B "$tmp/cmake-versions" -DCMAKE_PREFIX_PATH="$prefix"
}
cmake_copied() {
    mkdir -p "$tmp/cmake-copied/third_party/streamflow"
    cp "$root/streamflow.h" "$tmp/cmake-copied/third_party/streamflow"
    cmake_user "$tmp/cmake-copied" streamflow clang clang++ '# copied: streamflow.h' '# copied or fetched' --
}
cmake_fetched() {
    tar czf "$tmp/streamflow.tar.gz" -C "$tmp" streamflow
    cmake_user "$tmp/cmake-fetched" streamflow gcc g++ '# fetched' '# copied or fetched' -- -DARCHIVE="$tmp/streamflow.tar.gz"
}

# C++.
overloads() {
    local cxx
    for cxx in 'g++ -std=c++11' 'g++ -std=c++17' "g++ -std=c++20 $designated" 'clang++ -std=c++11' 'clang++ -std=c++17' \
        "clang++ -std=c++20 $designated"; do
        $cxx $strict -I "$root" -c "$here/overloads.cc" -o "$tmp/overloads.o"
    done
    printf '#define %s\n' SF_STATIC STREAMFLOW_IMPLEMENTATION STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION >"$tmp/static.h"
    g++ -std=c++11 -I "$root" -include "$tmp/static.h" -c "$here/overloads.cc" -o "$tmp/overloads.o"
    nm "$tmp/overloads.o" >"$tmp/symbols"
    not grep ' W .*sf_' "$tmp/symbols"          # one for all files of a program: with SF_STATIC the functions differ
}
readme_cc() { # all of it as C++20; what is not marked as C++20 also as C++17, and with g++ -Wextra
    local with
    {
        echo '#include <streamflow.h>'
        echo 'void f(sf_flow *flow, sf_compute_func sum, sf_compute_func sink);'
        echo 'void f(sf_flow *flow, sf_compute_func sum, sf_compute_func sink)'
        echo '{'
        sed -n '/^```cpp/,/^```$/p' "$root/README.md" | grep -v '^```'
        echo '    (void)a, (void)sink;'
        echo '}'
    } >"$tmp/readme.cc"
    grep -q 'C++20$' "$tmp/readme.cc"
    clang++ -std=c++20 $strict $designated -I "$root" -fsyntax-only "$tmp/readme.cc"
    g++ -std=c++20 $strict $designated -I "$root" -fsyntax-only "$tmp/readme.cc"
    sed -i '/C++20$/d' "$tmp/readme.cc"
    for with in g++ clang++; do
        for std in c++11 c++17 c++20; do $with -std=$std $strict -I "$root" -fsyntax-only "$tmp/readme.cc"; done
    done
}

# SF_STATIC without the functions: one error, which names what is missing.
one_error() { # MACRO LINE...
    local macro=$1 cc
    shift
    printf '%s\n' "$@" >"$tmp/static.c"
    for cc in gcc clang 'g++ -x c++' 'clang++ -x c++'; do
        not $cc -DSF_STATIC -I "$root" -fsyntax-only "$tmp/static.c" 2>"$tmp/errors"
        cat "$tmp/errors"
        [ "$(grep -c 'error:' "$tmp/errors")" = 1 ]
        grep -q "error:.*define $macro before" "$tmp/errors"
    done
}

(cd "$root" && tar cf - --exclude='./build*' --exclude=./.git --transform 's,^\.,streamflow,' .) | tar xf - -C "$tmp" || exit 1

try 'meson ninja' 'setup and install compile nothing' installation
cat "$tmp/time" 2>/dev/null
for cc in 'gcc -std=gnu11' 'clang -std=gnu11' 'g++ -x c++ -std=c++17' 'g++ -x c++ -std=c++20' 'clang++ -x c++ -std=c++17' \
    'clang++ -x c++ -std=c++20'; do
    try "${cc%% *}" "$strict: $cc" no_warning $cc
done
try 'gcc clang' 'copied, C' copied
try 'g++ clang++' 'copied, C++11, C++17, C++20' copied_cc
try 'meson ninja clang clang++' 'Meson subproject' subproject
try 'meson' 'Meson subproject brings nothing else along' nothing_else
try 'meson pkg-config gcc g++ clang++' 'installed, pkg-config' pkg_config
try 'meson ninja pkg-config g++' 'installed, Meson' meson_installed
try 'cmake ninja gcc g++' 'installed, CMake' cmake_installed
try 'cmake ninja' 'installed, versions in CMake' cmake_versions
try 'cmake ninja clang clang++' 'copied, CMake' cmake_copied
try 'cmake ninja gcc g++' 'fetched, CMake' cmake_fetched
try 'g++ clang++ nm' 'C++: every call with a desc takes a reference' overloads
try 'g++ clang++' "C++: README's lines" readme_cc
try 'gcc clang g++ clang++' 'SF_STATIC without the implementation' one_error STREAMFLOW_IMPLEMENTATION '#include "streamflow.h"'
try 'gcc clang g++ clang++' 'SF_STATIC without the implementation of the loop' one_error STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION \
    '#define STREAMFLOW_IMPLEMENTATION' '#include "streamflow.h"' '#include "streamflow_gpu_resident.h"'
echo "# $((SECONDS - start)) s"
plan $tap_number
exit $tap_failed
