/* 6_overflow.c: a producer that is faster than its reader.   cc -O2 -pthread 6_overflow.c -o 6_overflow && ./6_overflow */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <stdio.h>

static sf_result burst(sf_context *ctx)                  /* three messages in one compute */
{
    for (uint64_t i = 0; i < 3; i++) { sf_emit_value(ctx, 0, (sf_value){ .u64 = i }); }
    return SF_OK;
}
static sf_result show(sf_context *ctx)
{
    printf(" %d", (int)sf_receive_value(ctx, 0).u64);
    return SF_OK;
}
static sf_result run(const char *name, sf_overflow overflow)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST, .logger.func = sf_log_stderr });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "burst", .compute = burst, .out = {{ .name = "n" }}, .count = 1 });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){ .name = "show", .compute = show, .in = {{ .name = "n" }} });
    sf_edge_info edge;
    sf_flow_connect(flow, a, "n", b, "n", &(sf_edge_desc){ .capacity = 2, .overflow = overflow });
    printf("%s:", name);
    sf_result r = sf_flow_run(flow);
    sf_op_get_edge_info(flow, b, 0, 0, &edge);
    printf(", dropped %d\n", (int)(edge.dropped + edge.refused));
    sf_flow_destroy(flow);
    return r;
}
int main(void)
{
    return run("DROP_OLDEST", SF_OVERFLOW_DROP_OLDEST) < 0 || run("DROP_NEWEST", SF_OVERFLOW_DROP_NEWEST) < 0;
}
