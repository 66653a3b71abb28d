/* 1_values.c: three operators that send numbers.   cc -O2 -pthread 1_values.c -o 1_values && ./1_values */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <stdio.h>

static sf_result count(sf_context *ctx)
{
    sf_value v = { .u64 = ctx->run + 1 };                /* run: how many computes came before */
    return sf_emit_value(ctx, 0, v);
}
static sf_result square(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    v.u64 *= v.u64;
    return sf_emit_value(ctx, 0, v);
}
static sf_result show(sf_context *ctx)
{
    printf("%d\n", (int)sf_receive_value(ctx, 0).u64);
    return SF_OK;
}
int main(void)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST, .logger.func = sf_log_stderr });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "count", .compute = count, .out = {{ .name = "n" }}, .count = 4 });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){
        .name = "square", .compute = square, .in = {{ .name = "n" }}, .out = {{ .name = "n2" }} });
    sf_op c = sf_flow_add(flow, &(sf_op_desc){ .name = "show", .compute = show, .in = {{ .name = "n2" }} });
    sf_flow_connect(flow, a, "n", b, "n", NULL);
    sf_flow_connect(flow, b, "n2", c, "n2", NULL);
    sf_result r = sf_flow_run(flow);                     /* errors stick: one check covers every call above */
    sf_flow_destroy(flow);
    return r < 0;
}
