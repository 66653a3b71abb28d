/* resident.c: scale -> offset, looping on the GPU. It is launched once; then the host fills slots, rings the doorbell
   and reads what comes out.

   cc -O2 -pthread resident.c -lm                 and with the CUDA body of its kernel: see resident.cu */
#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <stdio.h>
enum { N = 4096, B = N * sizeof(float), FRAMES = 1000 };

typedef struct { float *y; const float *x; float a, b; } axpb_args;
static int axpb_host(const sf_slice *s, const void *p)
{
    const axpb_args *k = p;
    for (ptrdiff_t i = sf_slice_begin(s, N); i < sf_slice_end(s, N); i++) { k->y[i] = k->a * k->x[i] + k->b; }
    return 0;
}
int axpb_cuda(void *stream, const void *args);                  /* in resident.cu: a launcher with these arguments */
static const sf_kernel axpb = { .name = "axpb", .host = axpb_host, .cuda = SF_CUDA_BODY(axpb_cuda) };

static sf_result affine(sf_context *ctx)                        /* as in a flow; called once, under capture */
{
    sf_tensor *x = sf_receive(ctx, 0), *y = sf_tensor_create(ctx, 0, NULL);
    axpb_args args = { y->data, x->data, ((float *)ctx->user)[0], ((float *)ctx->user)[1] };
    sf_launch(sf_compute_stream(ctx), &axpb, &args, sizeof args);
    return sf_emit(ctx, 0, y);
}
int main(int argc, char **argv)                                 /* --backend host | cuda */
{
    float twice[] = { 2, 0 }, plus_one[] = { 1, 1 };
    sf_op_desc scale = { .name = "scale", .compute = affine, .user = twice, .out = {{ .name = "y", .bytes = B }},
                         .in = {{ .name = "x", .bytes = B, .external = true }} };       /* external: the host's */
    sf_op_desc offset = { .name = "offset", .compute = affine, .user = plus_one, .in = {{ .name = "x", .bytes = B }},
                          .out = {{ .name = "y", .bytes = B, .external = true }} };
    sf_resident *r = sf_resident_create(&(sf_resident_desc){
        .backend = argc > 2 && *argv[2] == 'c' ? SF_BACKEND_CUDA : SF_BACKEND_HOST, .logger.func = sf_log_stderr });
    sf_op a = sf_resident_add(r, &scale), b = sf_resident_add(r, &offset);
    sf_resident_connect(r, a, "y", b, "x", NULL);
    sf_resident_launch(r);                                      /* checks, captures, starts; returns at once */

    uint64_t frame = 0, right = 0;
    for (sf_resident_slot s; frame < FRAMES && sf_resident_acquire(r, a, SF_MS(10000), &s) == SF_OK;) {
        frame = s.sequence;
        for (int i = 0; i < N; i++) { ((float *)s.data[0])[i] = (float)(frame + (unsigned)i); }
        sf_resident_submit(r, &s);
        if (sf_resident_result(r, b, frame, SF_MS(10000), &s) != SF_OK) { break; }
        const float *y = s.data[0];
        int good = 0;
        while (good < N && y[good] == (float)(2 * (frame + (unsigned)good) + 1)) { good++; }
        right += good == N;
        if (frame <= 3 || frame > FRAMES - 3) { printf("%d -> %g\n", (int)frame, y[0]); }
        sf_resident_release(r, &s);                             /* its slot is free for a later frame */
    }
    printf("%d of %d frames are right\n", (int)right, FRAMES);
    return sf_resident_destroy(r) < 0 || right != FRAMES;       /* stops it; its first error, if there was one */
}
