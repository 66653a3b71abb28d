/* What a block chains of operators need on bare metal: prints the rows of a table in examples/firmware.md. For
   tests/firmware.sh, with board.h's board. */
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"
#include "../../examples/firmware/board.h"

static struct { _Alignas(16) uint8_t bytes[32768]; } memory;
static sf_flow_desc desc;
static sf_flow_info info;
static sf_result send(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
static sf_result pass(sf_context *ctx) { return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0)); }
static sf_result take(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
static const sf_op_desc first = { .name = "first", .compute = send, .out = { { .name = "n" } }, .count = 3 };
static const sf_op_desc middle = { .name = "middle", .compute = pass, .in = { { .name = "n" } },
                                   .out = { { .name = "n" } } };
static const sf_op_desc last = { .name = "last", .compute = take, .in = { { .name = "n" } } };

void SysTick_Handler(void) {}
static sf_result chain(uint32_t operators, size_t bytes)
{
    sf_flow *flow;
    sf_op from;
    sf_result r;
    desc = (sf_flow_desc){ .memory = { memory.bytes, bytes },
                           .limits = { .ops = operators, .edges = operators - 1, .messages = operators - 1 } };
    flow = sf_flow_create(&desc);
    from = sf_flow_add(flow, &first);
    for (uint32_t i = 1; i < operators; i++) {
        sf_op to = sf_flow_add(flow, i < operators - 1 ? &middle : &last);
        sf_flow_connect(flow, from, NULL, to, NULL, NULL);
        from = to;
    }
    r = sf_flow_run(flow);
    sf_flow_get_info(flow, &info);
    sf_flow_destroy(flow);
    return r;
}
int main(void)
{
    static const uint32_t operators[] = { 2, 3, 5, 8 };
    for (int i = 0; i < 4; i++) {
        size_t small = 0, enough = sizeof memory;                /* the flow does not run in `small` bytes */
        if (chain(operators[i], enough) < 0) { return 1; }
        board_print("| ", operators[i]);
        board_print(" | ", (int64_t)sf_flow_memory(&desc)), board_print(" | ", (int64_t)info.memory_bytes);
        while (enough - small > 16) {
            size_t half = (small + enough) / 32 * 16;
            if (chain(operators[i], half) < 0) { small = half; } else { enough = half; }
        }
        board_print(" | ", (int64_t)enough), board_print(" |\n", -1);
    }
    return 0;
}
