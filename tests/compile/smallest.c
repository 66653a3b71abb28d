/* The smallest flow of values on bare metal, in memory handed in: for tests/sizes.py. main() is the reset handler. */
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"

static uint64_t sum;
static union { sf_value aligned; uint8_t bytes[8192]; } memory;
static sf_result count(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run + 1 }); }
static sf_result twice(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = 2 * sf_receive_value(ctx, 0).u64 });
}
static sf_result add(sf_context *ctx) { return sum += sf_receive_value(ctx, 0).u64, SF_OK; }
static const sf_op_desc source = { .name = "a", .compute = count, .out = { { .name = "n" } }, .count = 3 };
static const sf_op_desc middle = { .name = "b", .compute = twice, .in = { { .name = "n" } }, .out = { { .name = "n" } } };
static const sf_op_desc sink = { .name = "c", .compute = add, .in = { { .name = "n" } } };
static const sf_flow_desc desc = { .memory = { memory.bytes, sizeof memory.bytes },
                                   .limits = { .ops = 3, .edges = 2, .messages = 2 } };

int main(void)
{
    sf_flow *flow = sf_flow_create(&desc);
    sf_op a = sf_flow_add(flow, &source), b = sf_flow_add(flow, &middle), c = sf_flow_add(flow, &sink);
    sf_result r;
    sf_flow_connect(flow, a, NULL, b, NULL, NULL);
    sf_flow_connect(flow, b, NULL, c, NULL, NULL);
    while ((r = sf_flow_step(flow, NULL)) >= 0 && r != SF_DONE) {}
    sf_flow_destroy(flow);
    return r < 0 || sum != 12;
}
