/* diamond.c: source -> { left, right } -> sum -> sink, ordered on streams; no thread waits.

   cc -O2 -pthread diamond.c -lm                  and with the CUDA body of `add`: see diamond.cu */
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include <stdio.h>
enum { N = 1 << 20 };

typedef struct { uint8_t *z; const uint8_t *x, *y; } add_args;
static int add_host(const sf_slice *s, const void *p)
{
    const add_args *a = p;
    for (ptrdiff_t i = sf_slice_begin(s, N); i < sf_slice_end(s, N); i++) { a->z[i] = a->x[i] + (a->y ? a->y[i] : 1); }
    return 0;
}
int add_cuda(void *stream, const void *args);                   /* in diamond.cu: a launcher with the same arguments */
static const sf_kernel add = { .name = "add", .host = add_host, .cuda = SF_CUDA_BODY(add_cuda) };

static sf_result source(sf_context *ctx)
{
    sf_tensor *z = sf_tensor_create(ctx, 0, NULL);              /* from output 0's pool */
    sf_memset_async(sf_compute_stream(ctx), z->data, (uint8_t)ctx->run, z->bytes);
    return sf_emit(ctx, 0, z);                                  /* carries this operator's stream */
}
static sf_result sum(sf_context *ctx)                           /* of two inputs; of one input and 1 */
{
    sf_tensor *x = sf_receive(ctx, 0), *y = sf_receive(ctx, 1), *z = sf_tensor_like(ctx, 0, x);
    add_args args = { z->data, x->data, y ? y->data : NULL };
    sf_launch(sf_compute_stream(ctx), &add, &args, sizeof args);        /* runs after x and y; this returns at once */
    return sf_emit(ctx, 0, z);
}
static sf_result sink(sf_context *ctx)                          /* condition `done`: the GPU has written what it reads */
{
    return printf("%d\n", *(uint8_t *)sf_receive(ctx, 0)->data) > 0 ? SF_OK : SF_ERROR_USER;
}
int main(int argc, char **argv)                                 /* --backend host | cuda */
{
    sf_port x = { .name = "x" }, y = { .name = "y", .optional = true };
    sf_port z = { .name = "z", .bytes = N, .memory = SF_MEMORY_PINNED };
    sf_condition done = { .kind = SF_CONDITION_STREAM };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){
        .backend = argc > 2 && *argv[2] == 'c' ? SF_BACKEND_CUDA : SF_BACKEND_HOST, .logger.func = sf_log_stderr });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = source, .out = { z }, .count = 10 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "left", .compute = sum, .in = { x, y }, .out = { z } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "right", .compute = sum, .in = { x, y }, .out = { z } });
    sf_op d = sf_flow_add(f, &(sf_op_desc){ .name = "sum", .compute = sum, .in = { x, y }, .out = { z } });
    sf_op e = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = sink, .in = { x }, .when = { done } });
    sf_flow_connect(f, a, "z", b, "x", NULL), sf_flow_connect(f, a, "z", c, "x", NULL);
    sf_flow_connect(f, b, "z", d, "x", NULL), sf_flow_connect(f, c, "z", d, "y", NULL), sf_flow_connect(f, d, "z", e,
            "x", NULL);
    /* Errors stick: one check covers every call above. */
    return sf_flow_run(f), sf_flow_destroy(f) < 0;
}
