/* firmware_loop.c: a vibration monitor in a superloop. No heap, no threads, no OS: descriptors in flash, the flow in
   8.3 KB of RAM, samples pushed by an interrupt, the CPU asleep whenever nothing can run.

       timer interrupt -> window (sum and peak of 16 samples) -> alarm (peaks above a limit) -> report

   cc -O2 -pthread firmware_loop.c -lm            on a PC, interrupts are simulated; on a Cortex-M3, emulated or real:
   arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Os -ffreestanding -nostdlib -ffunction-sections -fdata-sections \
       -Wl,--gc-sections -T firmware/lm3s6965.ld firmware_loop.c firmware/startup_lm3s6965.c -lgcc -o firmware_loop.elf
   qemu-system-arm -M lm3s6965evb -nographic -semihosting -kernel firmware_loop.elf */
#define SF_NO_STDLIB
#define SF_NO_THREADS
#define SF_NO_CUDA
#define SF_NO_DEVICE                                             /* sends values alone */
#if !defined(__arm__) && !defined(__riscv)
#define SF_NO_INTERRUPTS                                         /* a PC: simulated ones come only while it sleeps */
#endif
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include "firmware/board.h"

enum { WINDOW = 16, SAMPLES = 20 * WINDOW };                     /* then the demonstration ends */

static volatile uint32_t milliseconds, samples, lost;            /* counted by the interrupt */
static _Alignas(16) uint8_t memory[2304 * sizeof(void *)];     /* 9.2 KB on a microcontroller */
static sf_flow *flow;
static sf_op window;
static uint32_t total, windows, led;

static int64_t clock_now(void *user) { return (void)user, SF_MS(milliseconds); }

void SysTick_Handler(void)                                       /* every millisecond: one sample, as from an ADC */
{
    uint32_t n = milliseconds++;
    if (samples == SAMPLES) { return; }
    sf_value sample = { .u64 = n * n * 37 % 4001 };
    /* No lock; wakes the operator when its batch is full. */
    lost += sf_flow_push_value(flow, window, 0, sample) != SF_OK;
    if (++samples == SAMPLES) { sf_flow_finish(flow); }          /* what has come is worked off */
}

static sf_result window_compute(sf_context *ctx)
{
    uint32_t sum = 0, peak = 0;
    for (int i = 0; i < WINDOW; i++) {                           /* there may be more, of the next window */
        uint32_t sample = sf_receive_value(ctx, 0).u32[0];
        sum += sample, peak = sample > peak ? sample : peak;
    }
    total += sum, windows++;
    return sf_emit_value(ctx, 0, (sf_value){ .u32 = { windows, sum, peak } });
}
static sf_result alarm_compute(sf_context *ctx)
{
    const uint32_t *limit = ctx->user;
    sf_value v = sf_receive_value(ctx, 0);
    return v.u32[2] > *limit ? sf_emit_value(ctx, 0, v) : SF_OK;
}
static sf_result report_compute(sf_context *ctx)                 /* every alarm, and at least once a second */
{
    if (sf_available(ctx, 0) == 0) { return led ^= 1, SF_OK; }
    sf_value v = sf_receive_value(ctx, 0);
    board_print("window ", v.u32[0]), board_print(": sum ", v.u32[1]), board_print(", peak ", v.u32[2]);
    board_print("\n", -1);
    return SF_OK;
}

static uint32_t limit = 3900;
static const sf_op_desc window_desc = {
    .name = "window", .compute = window_compute, .out = {{ .name = "features" }},
    .in = {{ .name = "samples", .capacity = 2 * WINDOW, .batch = WINDOW, .external = true }},
};
static const sf_op_desc alarm_desc = {
    .name = "alarm", .compute = alarm_compute, .user = &limit,
    .in = {{ .name = "features" }}, .out = {{ .name = "alarm" }},
};
static const sf_op_desc report_desc = {
    .name = "report", .compute = report_compute, .in = {{ .name = "alarm", .capacity = 4 }},
    .when = {{ .kind = SF_CONDITION_MESSAGES, .count = 1, .ns = SF_MS(1000) }},
};
static const sf_edge_desc drop_oldest = { .overflow = SF_OVERFLOW_DROP_OLDEST };
static const sf_flow_desc flow_desc = {
    .backend = SF_BACKEND_HOST, .clock = { .now = clock_now },
    .memory = { memory, sizeof memory }, .limits = { .ops = 3, .edges = 2, .messages = 48 },
};

int main(void)
{
    flow = sf_flow_create(&flow_desc);
    window = sf_flow_add(flow, &window_desc);
    sf_op alarm = sf_flow_add(flow, &alarm_desc), report = sf_flow_add(flow, &report_desc);
    sf_flow_connect(flow, window, NULL, alarm, NULL, NULL);
    sf_flow_connect(flow, alarm, NULL, report, NULL, &drop_oldest);
    sf_result result = sf_flow_check(flow, false, NULL, NULL);   /* from here on the interrupt may push */
    if (result >= 0) { board_start(); }
    while (result >= 0 && result != SF_DONE) {
        result = sf_flow_step(flow, NULL);                       /* at most one operator: the watchdog stays in time */
        if (result == SF_IDLE) { board_sleep(); }
    }
    if (result < 0) { board_print(sf_flow_failure(flow)->text, -1), board_print("\n", -1); }
    board_print("samples ", (int64_t)samples), board_print(", sum ", total), board_print(", lost ", lost);
    board_print("\n", -1);
    return result < 0;
}
