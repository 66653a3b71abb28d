/* 2_tensors.c: operators that send buffers.   cc -O2 -pthread 2_tensors.c -o 2_tensors && ./2_tensors */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <stdio.h>
enum { N = 1000 };

static sf_result ramp(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);       /* from output 0's pool: its port says .bytes */
    float *x = (float *)t->data;
    for (int i = 0; i < N; i++) { x[i] = (float)(ctx->run + 1) * (float)i; }
    return sf_emit(ctx, 0, t);                           /* our reference goes with the message */
}
static sf_result sum(sf_context *ctx)
{
    const float *x = (const float *)sf_receive(ctx, 0)->data;    /* lent until this function returns */
    double total = 0;
    for (int i = 0; i < N; i++) { total += (double)x[i]; }
    printf("%.0f\n", total);
    return SF_OK;
}
int main(void)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST, .logger.func = sf_log_stderr });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){
        .name = "ramp", .compute = ramp, .count = 3,
        .out = {{ .name = "x", .bytes = N * sizeof(float), .memory = SF_MEMORY_PINNED }} });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){ .name = "sum", .compute = sum, .in = {{ .name = "x" }} });
    sf_flow_connect(flow, a, "x", b, "x", NULL);
    sf_result r = sf_flow_run(flow);
    sf_flow_destroy(flow);
    return r < 0;
}
