/*  module.cc - a user of the module that compile_matrix.py writes, as C++20: 0 + 1 + ... + 9 = 45 has to arrive.
    A module exports no macros: those are in the header. */
#include "streamflow.h"
import flow;

static uint64_t sum;
static sf_result source(sf_context *ctx)
{
    sf_value v;
    v.u64 = ctx->run;
    return sf_emit_value(ctx, 0, v);
}
static sf_result sink(sf_context *ctx)
{
    sum += sf_receive_value(ctx, 0).u64;
    return SF_OK;
}
int main()
{
    sf_flow *flow = sf_flow_create({ .backend = SF_BACKEND_HOST });
    sf_op a = sf_flow_add(flow, { .name = "source", .compute = source, .out = { { .name = "x" } }, .count = 10 });
    sf_op b = sf_flow_add(flow, { .name = "sink", .compute = sink, .in = { { .name = "x" } } });
    sf_flow_connect(flow, a, "x", b, "x", sf_edge_desc{});
    sf_result r = sf_flow_run(flow);
    return sf_flow_destroy(flow) < 0 || r < 0 || sum != 45;
}
