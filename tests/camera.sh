#!/usr/bin/env bash
# camera.sh: README's first command, and what the main example promises: its picture, its orders, its sentences.
set -u
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

readme() { # as a new user types it, in a copy of the checkout
    mkdir "$tmp/user" && cp -r "$root/streamflow.h" "$root/README.md" "$root/examples" "$tmp/user" && cd "$tmp/user"
    sh -c "$(grep -m1 '^    cc .*camera_isp.c' README.md)" | tee "$tmp/first"
    cp camera_isp "$tmp"
    ls frame0001.* frame0004.*
}
psnr() { # exactly one line, as written
    [ "$(grep -cE '^PSNR [0-9]+\.[0-9] dB$' "$1")" = 1 ] && sed -n 's/^PSNR \(.*\) dB$/\1/p' "$1"
}
good() { # at least 30.0, and better than bilinear
    ./user/camera_isp --demosaic bilinear >bilinear
    awk -v a="$(psnr first)" -v b="$(psnr bilinear)" 'BEGIN { print a, b; exit !(a >= 30.0 && a > b && b > 0) }'
}
orders() { # the same pictures, whatever the host runs next
    mkdir -p threads && ./user/camera_isp --frames 5 --out threads
    for order in first-in lazy reverse random pct; do
        mkdir -p "$order" && ./user/camera_isp --frames 5 --order "$order" --seed 7 --out "$order"
        diff -r threads "$order"
    done
    cmp threads/frame0001.* threads/frame0005.*              # the file is read again
}
grey() { ./user/camera_isp --wb grey >grey && psnr grey; }
summary() { for name in camera unpack balance demosaic denoise sharpness combine colour sink; do grep -qE "^$name +4 " first; done; }
refused() { # STATUS WORDS ARGUMENT...: one sentence that has these words
    local status=$1 words=$2 got=0
    shift 2
    ./user/camera_isp "$@" >out 2>errors || got=$?
    cat errors
    [ "$got" = "$status" ] && [ "$(wc -l <errors)" = 1 ] && grep -qe "$words" errors
}
ctrl_c() { # the camera ends, what is under way is worked off
    ./user/camera_isp --frames 1000000 --workers 2 >stopped & local pid=$!
    sleep 2; kill -INT "$pid"; wait "$pid" || return
    awk '$1 == "camera" { sent = $2 } $1 == "sink" { got = $2 } END { print sent, got; exit !(sent > 0 && sent < 1000000 && sent == got) }' stopped
}
truncated() {
    head -c 300000 "$root/examples/data/frames_512x384_rggb_raw10.bin" >short.bin
    refused 1 short.bin --input short.bin
}

workers() { # the same pictures on several threads, a trace that is drawn, and the graph
    mkdir -p workers && ./user/camera_isp --frames 5 --workers 3 --out workers --trace trace.json --dot flow.dot
    diff -r threads workers
    python3 "$root/examples/trace_svg.py" trace.json trace.svg && grep -q 'demosaic: [0-9.]* us' trace.svg
    grep -q 'label="demosaic.n5 runs"' flow.dot
}

names() { # a row has the name of its thread, if it has one
    cat >names.json <<'END'
{"traceEvents":[{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"R&D 1"}},
{"name":"a","ph":"X","pid":1,"tid":1,"ts":0,"dur":5},{"name":"b","ph":"X","pid":1,"tid":2,"ts":5,"dur":5}]}
END
    python3 "$root/examples/trace_svg.py" names.json names.svg
    grep -q '>worker 0</text>' names.svg
    grep -q '>R&amp;D 1</text>' names.svg
    [ "$(grep -c '>worker ' names.svg)" = 1 ]
}

repack() { # BITS STRIDE DARK >FILE: the frames as RAW10 or RAW12, with padding and dark lines; their sums and histograms in model
    python3 - "$@" "$root/examples/data/frames_512x384_rggb_raw10.bin" <<'END'
import sys
bits, stride, dark = map(int, sys.argv[1:4])
packed = open(sys.argv[4], 'rb').read()
samples = [packed[i // 4 * 5 + i % 4] << 2 | packed[i // 4 * 5 + 4] >> i % 4 * 2 & 3 for i in range(len(packed) * 4 // 5)]
samples = [v << (bits - 10) for v in samples]

def pack(line):
    n, low = (4, 2) if bits == 10 else (2, 4)
    line_bytes = bytes()
    for i in range(0, len(line), n):
        group = line[i:i + n]
        line_bytes += bytes(v >> low for v in group) + bytes([sum(v % (1 << low) << low * k for k, v in enumerate(group))])
    return line_bytes + b'\xa5' * (stride - len(line_bytes))

with open('model', 'w') as model:
    for at in range(0, len(samples), 512 * 384):
        frame, bins = samples[at:at + 512 * 384], [0] * 256
        for v in frame:
            bins[v >> (bits - 8)] += 1
        print(sum(frame), *bins, file=model)
        for y in range(dark):
            sys.stdout.buffer.write(pack([(60, 68)[(x + y) % 2] << (bits - 10) for x in range(512)]))
        for y in range(384):
            sys.stdout.buffer.write(pack(frame[y * 512:(y + 1) * 512]))
END
}
dark_lines() { # lines with padding, black measured: the same pictures; the histograms are those of the samples
    mkdir -p plain dark && ./user/camera_isp --out plain
    repack 10 700 6 >dark.bin
    ./user/camera_isp --input dark.bin --stride 700 --dark 6 --histogram bins --out dark
    diff -r plain dark
    cmp model bins
}
raw12() { # of other steps, hence not the same to the bit
    repack 12 768 0 >raw12.bin
    ./user/camera_isp --input raw12.bin --raw 12 --histogram bins --truth "$root/examples/data/astronaut_512x384_truth.ppm" >raw12
    cmp model bins
    awk -v a="$(psnr first)" -v b="$(psnr raw12)" 'BEGIN { print a, b; exit !(b > a - 0.15) }'
}

plan 17
check "README's first command" readme
check "PSNR of at least 30 dB, better than bilinear" good
check "the same pictures in every order" orders
check "the same pictures on several workers, a trace and a graph" workers
check "a trace's rows have the names of its threads" names
check "grey-world white balance" grey
check "a summary of every operator" summary
check "--help" sh -c './user/camera_isp --help | grep -q -- --demosaic'
check "no progress bar where there is no terminal" sh -c './user/camera_isp >out 2>errors && [ ! -s errors ]'
check "an unknown option" refused 2 nonsense --nonsense 1
check "an impossible value" refused 2 frames --frames 0
check "a missing folder" refused 1 nowhere --out nowhere
check "a truncated file" truncated
check "padded lines, dark lines, histograms" dark_lines
check "RAW12" raw12
check "a stride that is too short" refused 2 "has 768 bytes" --raw 12 --stride 767
check "Ctrl-C loses nothing" ctrl_c
exit "$tap_failed"
