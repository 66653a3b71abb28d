/* Both implementations in one file; three frames go round a loop on a host device. */
#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "streamflow.h"
#include "streamflow_gpu_resident.h"
#include <string.h>

typedef struct twice_args { uint32_t *out; const uint32_t *in; } twice_args;
static int twice_host(const sf_slice *slice, const void *args)
{
    const twice_args *a = (const twice_args *)args;
    (void)slice;
    *a->out = 2 * *a->in;
    return 0;
}
static const sf_kernel twice = { "twice", twice_host, NULL, 1, false, 0 };

static sf_result compute(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    twice_args a;
    a.out = (uint32_t *)out->data;
    a.in = (const uint32_t *)in->data;
    sf_launch(sf_compute_stream(ctx), &twice, &a, sizeof a);
    return sf_emit(ctx, 0, out);
}
int main(void)
{
    sf_resident_desc desc;
    sf_op_desc d;
    sf_resident *r;
    sf_resident_slot slot;
    sf_op op;
    uint32_t i, wrong = 0;
    memset(&desc, 0, sizeof desc);
    memset(&d, 0, sizeof d);
    desc.backend = SF_BACKEND_HOST;
    d.compute = compute;
    d.in[0].name = "in";
    d.out[0].name = "out";
    d.in[0].bytes = d.out[0].bytes = 4;
    d.in[0].external = d.out[0].external = true;
    r = sf_resident_create(&desc);
    op = sf_resident_add(r, &d);
    if (sf_resident_launch(r) < 0) { return 1; }
    for (i = 1; i <= 3; i++) {
        if (sf_resident_acquire(r, op, SF_MS(10000), &slot) != SF_OK) { return 2; }
        memcpy(slot.data[0], &i, sizeof i);
        if (sf_resident_submit(r, &slot) != SF_OK) { return 3; }
        if (sf_resident_result(r, op, i, SF_MS(10000), &slot) != SF_OK) { return 4; }
        wrong += *(uint32_t *)slot.data[0] != 2 * i;
        sf_resident_release(r, &slot);
    }
    return sf_resident_destroy(r) < 0 || wrong;
}
