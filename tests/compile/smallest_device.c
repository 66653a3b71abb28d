/* The smallest flow of tensors on bare metal, with a device in memory handed in: for tests/sizes.py. main() is the
   reset handler. */
#define STREAMFLOW_IMPLEMENTATION
#include "streamflow.h"

enum { N = 16 };
typedef struct { uint32_t *out; const uint32_t *in; } twice_args;
static uint64_t sum;
static union { sf_value aligned; uint8_t bytes[8192]; } memory;
static union { sf_value aligned; uint8_t bytes[20480]; } device_memory;
static int twice_host(const sf_slice *slice, const void *p)
{
    const twice_args *a = p;
    for (ptrdiff_t i = sf_slice_begin(slice, N); i < sf_slice_end(slice, N); i++) { a->out[i] = 2 * a->in[i]; }
    return 0;
}
static const sf_kernel twice = { .name = "twice", .host = twice_host };
static sf_result count(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    for (uint32_t i = 0; i < N && out->data; i++) { ((uint32_t *)out->data)[i] = i; }
    return sf_emit(ctx, 0, out);
}
static sf_result launch(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    twice_args args = { out->data, in->data };
    sf_launch(sf_compute_stream(ctx), &twice, &args, sizeof args);
    return sf_emit(ctx, 0, out);
}
static sf_result add(sf_context *ctx)
{
    const uint32_t *x = sf_receive(ctx, 0)->data;
    for (int i = 0; i < N; i++) { sum += x[i]; }
    return SF_OK;
}
static const sf_op_desc source = { .name = "a", .compute = count, .count = 3,
                                   .out = { { .name = "x", .bytes = N * sizeof(uint32_t) } } };
static const sf_op_desc middle = { .name = "b", .compute = launch, .in = { { .name = "x" } },
                                   .out = { { .name = "x", .bytes = N * sizeof(uint32_t), .memory = SF_MEMORY_PINNED } } };
static const sf_op_desc sink = { .name = "c", .compute = add, .in = { { .name = "x" } },
                                 .when = { { .kind = SF_CONDITION_STREAM } } };
static const sf_device_desc device_desc = { .backend = SF_BACKEND_HOST,
                                            .memory = { device_memory.bytes, sizeof device_memory.bytes } };

int main(void)
{
    sf_flow_desc desc = { .memory = { memory.bytes, sizeof memory.bytes },
                          .limits = { .ops = 3, .edges = 2, .messages = 2, .payload_bytes = 1024 } };
    sf_result r = sf_device_open(&device_desc, &desc.device);
    sf_flow *flow = sf_flow_create(&desc);
    sf_op a = sf_flow_add(flow, &source), b = sf_flow_add(flow, &middle), c = sf_flow_add(flow, &sink);
    sf_flow_connect(flow, a, NULL, b, NULL, NULL);
    sf_flow_connect(flow, b, NULL, c, NULL, NULL);
    while (r >= 0 && (r = sf_flow_step(flow, NULL)) >= 0 && r != SF_DONE) {}
    sf_flow_destroy(flow);
    sf_device_close(desc.device, SF_FOREVER);
    return r < 0 || sum != 3 * N * (N - 1);
}
