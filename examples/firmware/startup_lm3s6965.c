/* startup_lm3s6965.c: vectors, reset, SysTick and semihosting of the Cortex-M3 that QEMU emulates as lm3s6965evb. */
#include <stddef.h>
#include <stdint.h>
#include "board.h"

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];
int main(void);
void reset(void);
static void fault(void);

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))stack_top, reset, fault, fault, fault, fault, fault,         /* NMI, hard fault and its kin */
    0, 0, 0, 0, fault, fault, 0, fault, SysTick_Handler,
};

/* Semihosting: the debugger, or QEMU, carries out the operation. */
static int semihost(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}
static void leave(uint32_t status)
{
    const uint32_t how[2] = { 0x20026, status };                 /* ADP_Stopped_ApplicationExit */
    semihost(0x20, how);                                         /* SYS_EXIT_EXTENDED: with a status */
    semihost(0x18, (const void *)(uintptr_t)(status ? 0x20023 : 0x20026));       /* SYS_EXIT: without */
    for (;;) {}
}
static void fault(void) { leave(99); }

void reset(void)
{
    for (uint32_t *to = data_start, *from = data_load; to < data_end;) { *to++ = *from++; }
    for (uint32_t *to = bss_start; to < bss_end;) { *to++ = 0; }
    leave((uint32_t)main());
}

void board_start(void)
{
    volatile uint32_t *systick = (volatile uint32_t *)0xe000e010;
    systick[1] = 12500 - 1;                                      /* reload: 1 ms at 12.5 MHz, the clock after reset */
    systick[2] = 0;
    systick[0] = 7;                                              /* processor clock, interrupt, on */
}
void board_sleep(void) { __asm__ volatile("wfi" ::: "memory"); }
void board_print(const char *text, int64_t number)
{
    char digits[12], *p = digits + sizeof digits - 1;
    semihost(0x04, text);                                        /* SYS_WRITE0 */
    if (number < 0) { return; }
    *p = 0;
    for (uint32_t n = (uint32_t)number; p == digits + sizeof digits - 1 || n; n /= 10) { *--p = (char)('0' + n % 10); }
    semihost(0x04, p);
}

/* What a compiler may call even without a library. Built with -ffreestanding, these loops stay loops. */
void *memcpy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) { ((uint8_t *)to)[i] = ((const uint8_t *)from)[i]; }
    return to;
}
void *memset(void *to, int value, size_t n)
{
    for (size_t i = 0; i < n; i++) { ((uint8_t *)to)[i] = (uint8_t)value; }
    return to;
}
void *memmove(void *to, const void *from, size_t n)
{
    if ((uintptr_t)to <= (uintptr_t)from) { return memcpy(to, from, n); }
    while (n--) { ((uint8_t *)to)[n] = ((const uint8_t *)from)[n]; }
    return to;
}
int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *x = a, *y = b;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) { return x[i] - y[i]; }
    }
    return 0;
}
