#!/usr/bin/env bash
# video.sh: examples/v4l2.c with files of random frames, with a driver that is played, and with vivid where there is one.
set -u
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1

build() {
    ${CC:-cc} -O0 -g -w -std=gnu11 -pthread "$root/examples/v4l2.c" -lm -o v4l2 &
    ${CC:-cc} -O1 -Wall -Wextra -Werror -shared -fPIC -pthread "$root/tests/video_device.c" -o device.so
    wait $!
}
files() { # in each format, with padding and dark lines, against the samples that were written
    python3 - <<'END'
import random, subprocess
FORMATS = {'pRCC': 12, 'pgAA': 10, 'Y12 ': 12, 'Y10 ': 10, 'GREY': 8, 'YUYV': 8, 'Y12P': 12, 'Y10P': 10}


def pack(code, line):
    if code == 'GREY':
        return bytes(line)
    if code == 'YUYV':
        return bytes(b for v in line for b in (v, random.randrange(256)))
    if code in ('Y12 ', 'Y10 '):
        return bytes(b for v in line for b in (v % 256, v // 256))
    n, bits = (4, 2) if FORMATS[code] == 10 else (2, 4)
    line, out = line + [0] * (-len(line) % n), bytearray()
    for at in range(0, len(line), n):
        out += bytes(v >> bits for v in line[at:at + n])
        out.append(sum(v % 2 ** bits << bits * k for k, v in enumerate(line[at:at + n])))
    return bytes(out)


def percentile(bins, percent):
    pixels, so_far = sum(bins), 0
    for at, n in enumerate(bins):
        so_far += n
        if so_far * 100 >= pixels * percent:
            return at


for seed in range(24):
    random.seed(seed)
    code = list(FORMATS)[seed % len(FORMATS)]
    bits, width, height = FORMATS[code], random.randint(1, 90), random.randint(1, 60)
    dark = random.choice((0, 0, random.randint(1, 9)))
    stride = len(pack(code, [0] * width)) + random.choice((0, random.randint(1, 40)))
    most = random.choice((2 ** bits, random.randint(1, 2 ** bits)))
    want = f'{code}, {width}x{height}, {stride} bytes a line\n'
    frames = random.randint(1, 9)
    with open('film', 'wb') as file:
        for number in range(frames):
            lines = [[random.randrange(most) for _ in range(width)] for _ in range(dark + height)]
            for line in lines:
                packed = pack(code, line)
                file.write(packed + random.randbytes(stride - len(packed)))
            masked, bins = [v for line in lines[:dark] for v in line], [0] * 256
            samples = [v for line in lines[dark:] for v in line]
            for v in samples:
                bins[v >> bits - 8] += 1
            tenths = (10 * sum(samples) + len(samples) // 2) // len(samples)
            black = (sum(masked) + len(masked) // 2) // len(masked) if dark else 2 ** bits // 16
            want += f'frame {number} at {number / 30:.3f} s: mean {tenths // 10}.{tenths % 10}, black {black}, ' \
                    f'bins of 1, 50, 99 %: {percentile(bins, 1)} {percentile(bins, 50)} {percentile(bins, 99)}\n'
    want += f'{frames} frames, 0 lost, 0 damaged\n'
    command = ['./v4l2', 'film', '--format', code, '--size', f'{width}x{height}', '--stride', str(stride),
               '--dark', str(dark), '--backend', 'host']
    got = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    assert got == want, f'seed {seed}: {" ".join(command)}\n{got}\nnot\n{want}'
END
}
play() { # WORDS STATUS ARGUMENT...: with a device like that; its own last line is checked, too
    local words=$1 want=$2 got=0
    shift 2
    DEVICE=$words LD_PRELOAD=./device.so timeout 60 ./v4l2 /dev/zero --backend host "$@" >out 2>errors || got=$?
    cat out errors
    [ "$got" = "$want" ] && grep -q '^device: 0 wrong calls, \([0-9]\) of \1 buffers unmapped, off, all came back$' errors
}
grey() { # SCALE: each frame in `out` is the one that the driver filled, whole
    awk -v scale="$1" '/^frame/ { n++; v = $2 * 37 % 251
        if ($7 != v * scale ".0," || $(NF - 2) != v || $(NF - 1) != v || $NF != v) { print "not whole:", $0; bad = 1 } }
        END { exit bad || !n }' out
}
whole() { # also with as few buffers as can be, and when readers are behind
    play 'GREY pad=24' 0 --frames 600 && grey 1 && grep -q '^GREY, 64x48, 88 bytes a line$' out
    play 'pBAA buffers=2 old' 0 --frames 300 && grey 4
    play 'YUYV buffers=1' 0 --frames 5 && grey 1
    play 'YUYV GREY' 0 --frames 1 && grep -q GREY out            # the better one
    play 'YUYV GREY' 0 --frames 1 --format YUYV && grep -q YUYV out
}
gaps() {
    play 'GREY gap@2 gap@3 gap@9 error@6 short@8' 0 --frames 8 && grey 1
    [ "$(grep -E 'lost|damaged' out | tr '\n' ' ')" = "2 lost 1 damaged 1 lost 1 damaged 8 frames, 3 lost, 2 damaged " ]
}
stamps() { # of a clock that is not ours: the time at which the frame came
    play 'GREY wall' 0 --frames 50
    awk '/^reported/ { exit !($2 >= 0 && $4 < 10000) }' out
}
ends() {
    play 'GREY eio@5' 1 && grep -q 'does not recover from (EIO)' errors
    play 'GREY unplugged@5' 1 && grep -q 'the camera was unplugged' errors
    play 'GREY silent@5' 1 && grep -q 'has sent nothing for 2 s' errors
    play 'RGB3' 1 && grep -q 'no format that this program reads' errors
    play 'RGB3 old' 1 && grep -q 'no format that this program reads' errors
    play 'GREY' 1 --format YUYV && grep -q 'no format that this program reads' errors
    play 'GREY planes' 1 && grep -q 'in one plane' errors
    [ "$(./v4l2 /dev/null 2>&1)" = 'v4l2: /dev/null: neither a file nor a camera' ]
    ! ./v4l2 "$root/examples/v4l2.c" 2>errors && grep -q 'no whole number of frames of' errors
}
ctrl_c() { # SIGNALS: with frames in flight. The second one may come when all is over: then again
    local pid n status=130
    while [ $status = 130 ]; do
        DEVICE=GREY LD_PRELOAD=./device.so ./v4l2 /dev/zero --backend host --frames 100000 >out 2>errors & pid=$!
        for n in $(seq 50); do [ "$(grep -c ^frame out)" -le 20 ] || break; sleep 0.1; done
        for n in $(seq "$1"); do kill -INT "$pid" || true; done
        status=0
        wait "$pid" || status=$?
    done
    [ $status = 0 ] && grey 1 && grep -q 'all came back' errors
}
find_vivid() {
    local name
    for name in /sys/class/video4linux/video*/name; do
        if grep -qs 'vivid.*vid-cap' "$name"; then name=${name%/name}; echo "/dev/${name##*/}"; return; fi
    done
    false
}
vivid() { # the kernel's own virtual camera
    local device status=0
    device=$(find_vivid)
    for format in GREY YUYV 'Y12 '; do
        timeout 60 ./v4l2 "$device" --backend host --frames 10 --format "$format" >out
        grep -q '^10 frames, .* 0 damaged$' out
        awk '/^frame/ { split($7, mean, ","); if (mean[1] < 1) { bad = 1 } } END { exit bad }' out
    done
    command -v v4l2-ctl >/dev/null || return 0
    v4l2-ctl -d "$device" -c percentage_of_dropped_buffers=40
    timeout 60 ./v4l2 "$device" --backend host --frames 20 --format GREY >out
    v4l2-ctl -d "$device" -c percentage_of_dropped_buffers=0
    grep -Eq '^20 frames, [1-9][0-9]* lost' out
    (sleep 1; v4l2-ctl -d "$device" -c disconnect=1) &
    timeout 60 ./v4l2 "$device" --backend host --format GREY >out 2>errors || status=$?
    [ $status = 1 ] && grep -q 'the camera was unplugged' errors
}

plan 9
check "it is built" build
check "files in each format" files
check "every frame is whole, and every buffer comes back" whole
check "lost and damaged frames are said" gaps
check "a driver's stamps" stamps
check "ends that nobody asked for, in words" ends
check "Ctrl-C" ctrl_c 1
check "Ctrl-C twice" ctrl_c 2
if find_vivid >/dev/null; then
    check "vivid" vivid
else
    absent "vivid" "the kernel has no vivid: modprobe vivid"
fi
exit "$tap_failed"
