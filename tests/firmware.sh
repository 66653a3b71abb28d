#!/usr/bin/env bash
# firmware.sh: examples/firmware_loop.c prints the right sums on an emulated Cortex-M3; on this machine it does, too:
# that is one of the tests of the examples.
set -u
. "$(dirname "$0")/tap.sh"
want=$root/tests/expected/firmware_loop.txt
arm=(arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -ffreestanding -nostdlib -ffunction-sections -fdata-sections
    -Wl,--gc-sections -Wall -Wextra -Werror)
qemu=(timeout 60 qemu-system-arm -M lm3s6965evb -display none -serial none -monitor none
    -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console)      # to stdout, not stderr
cd "$root/examples" || exit 1

expected() { # computed here, from the signal's formula alone
    awk 'BEGIN {
        for (n = 0; n < 320; n++) {
            x = (n * n * 37) % 4001; sum += x; total += x; if (x > peak) peak = x
            if (n % 16 == 15) {
                if (peak > 3900) print "window " (n + 1) / 16 ": sum " sum ", peak " peak
                sum = peak = 0
            }
        }
        print "samples 320, sum " total ", lost 0"
    }'
}
compare() { "$@" >"$tmp/got" || { echo "exit status $?"; cat "$tmp/got"; return 1; }; diff -u "$want" "$tmp/got"; }
for_cortex_m3() {
    "${arm[@]}" -c firmware_loop.c -o "$tmp/firmware_loop.o"
    "${arm[@]}" -T firmware/lm3s6965.ld "$tmp/firmware_loop.o" firmware/startup_lm3s6965.c -lgcc -o "$tmp/firmware_loop.elf"
}
on_cortex_m3() {
    compare "${qemu[@]}" -kernel "$tmp/firmware_loop.elf"
}
stack() { # at most what firmware.md says, and at least nine tenths of it. The processor is slowed down to 1 MHz, so
    # that interrupts come everywhere, also where the stack is deepest
    local stated used
    stated=$(sed -n 's/^| `examples\/firmware_loop.c` | \([0-9,]*\).*/\1/p' firmware.md | tr -d ,)
    "${arm[@]}" -T firmware/lm3s6965.ld -Wl,--wrap=main "$tmp/firmware_loop.o" "$root/tests/compile/stack.c" \
        firmware/startup_lm3s6965.c -lgcc -o "$tmp/stack.elf"
    used=$("${qemu[@]}" -icount shift=10 -kernel "$tmp/stack.elf" | sed -n 's/^stack //p')
    echo "# firmware.md says $stated bytes, used are $used"
    [ "$used" -le "$stated" ] && [ "$used" -ge $((stated * 9 / 10)) ]
}
block() { # each number of its rows in firmware.md: the same rule
    sed -n 's/,//g; /^| [0-9]* | [0-9]* | [0-9]* | [0-9]* |$/p' firmware.md >"$tmp/stated"
    "${arm[@]}" -DSF_NO_STDLIB -DSF_NO_THREADS -DSF_NO_CUDA -I "$root" -T firmware/lm3s6965.ld \
        "$root/tests/compile/block.c" firmware/startup_lm3s6965.c -lgcc -o "$tmp/block.elf"
    "${qemu[@]}" -kernel "$tmp/block.elf" >"$tmp/used"
    sed 's/^/# used: /' "$tmp/used"
    paste -d ' ' "$tmp/stated" "$tmp/used" | awk '
        NF != 18 { wrong = 1 }
        { for (i = 2; i < 9; i += 2) if ($(i + 9) > $i || $(i + 9) < 0.9 * $i) wrong = 1 }
        END { exit wrong || NR != 4 }'
}
fault_is_seen() { # the exit status comes through: a program that fails says so
    echo 'int main(void) { return 3; } void SysTick_Handler(void) {}' >"$tmp/fails.c"
    "${arm[@]}" -T firmware/lm3s6965.ld "$tmp/fails.c" firmware/startup_lm3s6965.c -lgcc -o "$tmp/fails.elf"
    status=0
    "${qemu[@]}" -kernel "$tmp/fails.elf" || status=$?
    [ "$status" = 3 ]
}

plan 6
expected >"$tmp/expected"
check "the expected sums are right" diff -u "$want" "$tmp/expected"
if tool=$(missing arm-none-eabi-gcc); then
    skip "builds for a Cortex-M3" "$tool not found"
else
    check "builds for a Cortex-M3" for_cortex_m3
fi
if tool=$(missing arm-none-eabi-gcc qemu-system-arm); then
    skip "on an emulated Cortex-M3" "$tool not found"
    skip "its stack" "$tool not found"
    skip "the blocks of chains" "$tool not found"
    skip "its exit status comes through" "$tool not found"
else
    check "on an emulated Cortex-M3" on_cortex_m3
    check "its stack" stack
    check "the blocks of chains" block
    check "its exit status comes through" fault_is_seen
fi
exit $tap_failed
