/* 3_kernel.c: an operator that launches a kernel.   cc -O2 -pthread 3_kernel.c -o 3_kernel && ./3_kernel */
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include <stdio.h>
enum { N = 1000 };

typedef struct { float *out; const float *in; } scale_args;
static int scale_host(const sf_slice *slice, const void *p)      /* the host body: its slice of the work */
{
    const scale_args *a = (const scale_args *)p;
    for (ptrdiff_t i = sf_slice_begin(slice, N); i < sf_slice_end(slice, N); i++) { a->out[i] = 2 * a->in[i]; }
    return 0;
}
int scale_cuda(void *stream, const void *args);          /* the CUDA body, if you have one: a launcher in a .cu file */
static const sf_kernel scale = {
    .name = "scale", .host = scale_host, .cuda = SF_CUDA_BODY(scale_cuda), .slices = 4,
};

static sf_result ramp(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    float *x = (float *)t->data;
    for (int i = 0; i < N; i++) { x[i] = (float)i; }
    return sf_emit(ctx, 0, t);
}
static sf_result twice(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    scale_args args = { (float *)out->data, (const float *)in->data };
    sf_launch(sf_compute_stream(ctx), &scale, &args, sizeof args);       /* returns at once */
    return sf_emit(ctx, 0, out);                         /* carries our stream */
}
static sf_result show(sf_context *ctx)                   /* when: the kernel has written what this reads */
{
    const float *x = (const float *)sf_receive(ctx, 0)->data;
    printf("x[%d] = %.0f\n", N - 1, (double)x[N - 1]);
    return SF_OK;
}
int main(void)
{
    sf_port x = { .name = "x", .bytes = N * sizeof(float), .memory = SF_MEMORY_PINNED };
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST, .logger.func = sf_log_stderr });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "ramp", .compute = ramp, .out = { x }, .count = 2 });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){ .name = "twice", .compute = twice, .in = {{ .name = "x" }}, .out = { x } });
    sf_op c = sf_flow_add(flow, &(sf_op_desc){
        .name = "show", .compute = show, .in = {{ .name = "x" }}, .when = {{ .kind = SF_CONDITION_STREAM }} });
    sf_flow_connect(flow, a, "x", b, "x", NULL);
    sf_flow_connect(flow, b, "x", c, "x", NULL);
    sf_result r = sf_flow_run(flow);
    sf_flow_destroy(flow);
    return r < 0;
}
