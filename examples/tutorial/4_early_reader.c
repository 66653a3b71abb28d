/* 4_early_reader.c: what a CPU reader without a STREAM condition sees, on one thread in a chosen order.

   cc -O2 -pthread 4_early_reader.c -o 4_early_reader && ./4_early_reader */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <stdio.h>
#include <string.h>

static sf_result fill(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    memset(t->data, 0, t->bytes);
    sf_memset_async(sf_compute_stream(ctx), t->data, 7, t->bytes);       /* the device writes it later */
    return sf_emit(ctx, 0, t);
}
static sf_result show(sf_context *ctx)
{
    printf("%d\n", *(const uint8_t *)sf_receive(ctx, 0)->data);
    return SF_OK;
}
static sf_result run(sf_device *device, bool waits)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .device = device });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){
        .name = "fill", .compute = fill, .count = 1,
        .out = {{ .name = "x", .bytes = 64, .memory = SF_MEMORY_PINNED }} });
    sf_op_desc reader = { .name = "show", .compute = show, .in = {{ .name = "x" }} };
    if (waits) { reader.when[0].kind = SF_CONDITION_STREAM; }
    sf_op b = sf_flow_add(flow, &reader);
    sf_flow_connect(flow, a, "x", b, "x", NULL);
    sf_result r = sf_flow_run(flow);
    sf_flow_destroy(flow);
    return r;
}
int main(void)
{
    sf_device *device = NULL;
    sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .host.order = SF_ORDER_LAZY }, &device);
    sf_result early = run(device, false), late = run(device, true);
    sf_device_close(device, SF_FOREVER);
    return early < 0 || late < 0;
}
