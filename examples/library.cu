/* library.cu: cuFFT and cuBLAS as operators, under a flow, and captured in a loop on the GPU.

       antennas -> spectrum (cuFFT) -> beams (cuBLAS) -> check

   256 antennas give 256 complex samples each. The spectrum of each antenna is taken, and each beam is a weighted sum of
   the spectra. The flow and the loop have the same two compute functions; what they give is compared with the CPU.

   nvcc -O2 -arch=sm_90 -Xcompiler=-pthread library.cu -lcufft -lcublas -o library && ./library
   ./library [--backend cuda] [--workspace BYTES]  workspace: what cuBLAS gets, 4 MiB. Without a GPU it exits with 77 */
#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <cublas_v2.h>
#include <cufft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANTENNAS = 256, SAMPLES = 256, BEAMS = 256, FRAMES = 4, TURNS = 100 };
enum { FRAME = ANTENNAS * SAMPLES * sizeof(float2), RESULT = BEAMS * SAMPLES * sizeof(float2) };

/* A library's code is no sf_result: 1 would be SF_DONE, 5 SF_IGNORED, and 14 no failure at all. From a launcher it
   would read as a code of CUDA. */
enum { ERROR_CUFFT = SF_ERROR_USER - 1000, ERROR_CUBLAS = SF_ERROR_USER - 2000 };
#define CHECK(error, call)                                                                           \
    do {                                                                                             \
        int code_ = (int)(call);                                                                     \
        if (code_) { return fprintf(stderr, "%s: %d\n", #call, code_), (error) - code_; }            \
    } while (0)

static float weights[BEAMS * ANTENNAS];

/* Made once, before anything is captured, and kept until the last graph that uses it is gone. One per operator: a plan
   and a handle have one work area, so what runs side by side needs its own. */
struct libraries {
    sf_device *device;
    cufftHandle plan;
    cublasHandle_t blas;
    void *area, *workspace;                      /* of the plan; of cuBLAS */
    size_t area_bytes, workspace_bytes;
    float *weights;                              /* the array above, on the GPU */
};
static int open_libraries(libraries *l)
{
    CHECK(ERROR_CUFFT, cufftCreate(&l->plan));
    CHECK(ERROR_CUFFT, cufftSetAutoAllocation(l->plan, 0));
    CHECK(ERROR_CUFFT, cufftMakePlan1d(l->plan, SAMPLES, CUFFT_C2C, ANTENNAS, &l->area_bytes));
    CHECK(ERROR_CUBLAS, cublasCreate(&l->blas));
    sf_stream *stream = sf_stream_legacy(l->device);
    sf_result r = sf_mem_alloc(l->device, l->area_bytes + 1, SF_MEMORY_DEVICE, &l->area);    /* 1: it may need none */
    if (r >= 0) { r = sf_mem_alloc(l->device, l->workspace_bytes + 1, SF_MEMORY_DEVICE, &l->workspace); }
    if (r >= 0) { r = sf_mem_alloc(l->device, sizeof weights, SF_MEMORY_DEVICE, (void **)&l->weights); }
    if (r >= 0) { r = sf_memcpy_async(stream, l->weights, weights, sizeof weights); }
    if (r >= 0) { r = sf_stream_synchronize(stream, SF_MS(10000)); }
    if (r == SF_OK) { CHECK(ERROR_CUFFT, cufftSetWorkArea(l->plan, l->area)); }
    return r;
}
static void close_libraries(libraries *l)        /* a destroy waits for all work, and spoils a capture, but returns 0 */
{
    if (l->plan) { cufftDestroy(l->plan); }
    if (l->blas) { cublasDestroy(l->blas); }
    if (l->area) { sf_mem_free(l->device, l->area); }
    if (l->workspace) { sf_mem_free(l->device, l->workspace); }
    if (l->weights) { sf_mem_free(l->device, l->weights); }
}

/* kernels: launchers that call a library. They have no host body here; a library for the CPU could be one ---------- */

struct library_args { const libraries *of; float2 *out; const float2 *in; };

static int spectrum_cuda(void *stream, const void *args)
{
    const library_args *a = (const library_args *)args;
    CHECK(ERROR_CUFFT, cufftSetStream(a->of->plan, (cudaStream_t)stream));
    CHECK(ERROR_CUFFT, cufftExecC2C(a->of->plan, (cufftComplex *)a->in, a->out, CUFFT_FORWARD));
    return cudaGetLastError();
}
static int beams_cuda(void *stream, const void *args)
{
    const library_args *a = (const library_args *)args;
    const libraries *l = a->of;
    const float one = 1, zero = 0;               /* a capture keeps their values */
    const int floats = 2 * SAMPLES;              /* of a row. cuBLAS counts by columns: out' = in' * weights' */
    CHECK(ERROR_CUBLAS, cublasSetStream(l->blas, (cudaStream_t)stream));
    CHECK(ERROR_CUBLAS, cublasSetWorkspace(l->blas, l->workspace, l->workspace_bytes));  /* that line forgets it */
    CHECK(ERROR_CUBLAS,
          cublasSgemm(l->blas, CUBLAS_OP_N, CUBLAS_OP_N, floats, BEAMS, ANTENNAS, &one, (const float *)a->in, floats,
                      l->weights, ANTENNAS, &zero, (float *)a->out, floats));
    return cudaGetLastError();
}
static const sf_kernel spectrum = { "spectrum", NULL, spectrum_cuda, 1, false, 0 };
static const sf_kernel beams = { "beams", NULL, beams_cuda, 1, false, 0 };

/* operators: in the flow called once per frame, in the loop once, under capture ----------------------------------- */

static sf_result spectrum_compute(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    library_args args = { (const libraries *)ctx->user, (float2 *)out->data, (const float2 *)in->data };
    sf_launch(sf_compute_stream(ctx), &spectrum, &args, sizeof args);
    return sf_emit(ctx, 0, out);
}
static sf_result beams_compute(sf_context *ctx)  /* in the flow it also brings the result to the CPU */
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    sf_tensor *work = ctx->flow ? sf_tensor_create(ctx, 1, NULL) : out;
    library_args args = { (const libraries *)ctx->user, (float2 *)work->data, (const float2 *)in->data };
    sf_launch(sf_compute_stream(ctx), &beams, &args, sizeof args);
    if (work != out) { sf_memcpy_async(sf_compute_stream(ctx), out->data, work->data, out->bytes); }
    return sf_emit(ctx, 0, out);
}
static void describe(libraries *l, sf_op_desc *first, sf_op_desc *second)        /* for both */
{
    memset(first, 0, sizeof *first), memset(second, 0, sizeof *second);
    first->name = "spectrum", first->compute = spectrum_compute, first->user = l;
    second->name = "beams", second->compute = beams_compute, second->user = l;
    first->in[0].name = "samples", first->in[0].bytes = FRAME;
    first->out[0].name = second->in[0].name = "spectra";
    first->out[0].bytes = second->in[0].bytes = FRAME;
    second->out[0].name = "beams", second->out[0].bytes = RESULT;
}

/* the CPU's answer ------------------------------------------------------------------------------------------------ */

static float number(uint32_t i) { return (float)((i + 1) * 2654435761u >> 16) / 32768 - 1; }     /* -1 to 1 */
static void expose(float2 *samples, uint32_t frame)
{
    for (uint32_t i = 0; i < ANTENNAS * SAMPLES; i++) {
        samples[i] = make_float2(number(i * 2 + frame * 7919), number(i * 2 + 1 + frame * 7919));
    }
}
static double expected[FRAMES][BEAMS][SAMPLES][2];
static void compute_expected(void)               /* sums first: both steps are linear, and this is faster */
{
    static float2 samples[ANTENNAS * SAMPLES];
    static double sum[SAMPLES][2], turn[SAMPLES][2];
    for (int i = 0; i < SAMPLES; i++) {
        turn[i][0] = cos(-6.283185307179586 * i / SAMPLES), turn[i][1] = sin(-6.283185307179586 * i / SAMPLES);
    }
    for (uint32_t f = 0; f < FRAMES; f++) {
        expose(samples, f);
        for (int b = 0; b < BEAMS; b++) {
            memset(sum, 0, sizeof sum);
            for (int i = 0; i < ANTENNAS * SAMPLES; i++) {
                sum[i % SAMPLES][0] += (double)weights[b * ANTENNAS + i / SAMPLES] * samples[i].x;
                sum[i % SAMPLES][1] += (double)weights[b * ANTENNAS + i / SAMPLES] * samples[i].y;
            }
            for (int i = 0; i < SAMPLES * SAMPLES; i++) {
                const int k = i / SAMPLES, n = i % SAMPLES;
                const double *t = turn[k * n % SAMPLES];
                expected[f][b][k][0] += sum[n][0] * t[0] - sum[n][1] * t[1];
                expected[f][b][k][1] += sum[n][0] * t[1] + sum[n][1] * t[0];
            }
        }
    }
}
static bool is_right(const void *result, uint32_t frame)         /* results are about 7 */
{
    const float *got = (const float *)result;
    const double *want = &expected[frame % FRAMES][0][0][0], limit = 1e-3;
    int wrong = 0;
    for (int i = 0; i < BEAMS * SAMPLES * 2; i++) { wrong += !(fabs(got[i] - want[i]) < limit); }
    return !wrong;
}

/* the flow -------------------------------------------------------------------------------------------------------- */

static sf_result antennas_compute(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    expose((float2 *)t->data, (uint32_t)ctx->run);
    return sf_emit(ctx, 0, t);
}
static sf_result check_compute(sf_context *ctx)
{
    *(int *)ctx->user += is_right(sf_receive(ctx, 0)->data, (uint32_t)ctx->run);
    return SF_OK;
}
static int run_flow(libraries *l)                /* before the loop: beside it each first call would wait */
{
    int right = 0;
    sf_flow_desc flow_desc = {};
    sf_op_desc source = {}, first, second, sink = {};
    flow_desc.device = l->device, flow_desc.logger.func = sf_log_stderr;
    sf_flow *flow = sf_flow_create(&flow_desc);
    describe(l, &first, &second);
    second.out[0].memory = SF_MEMORY_PINNED;
    second.out[1].name = "work", second.out[1].bytes = RESULT;
    source.name = "antennas", source.compute = antennas_compute, source.count = FRAMES;
    source.out[0].name = "samples", source.out[0].bytes = FRAME, source.out[0].memory = SF_MEMORY_PINNED;
    sink.name = "check", sink.compute = check_compute, sink.user = &right;
    sink.in[0].name = "beams", sink.when[0].kind = SF_CONDITION_STREAM;
    sf_op a = sf_flow_add(flow, &source), b = sf_flow_add(flow, &first);
    sf_op c = sf_flow_add(flow, &second), d = sf_flow_add(flow, &sink);
    sf_flow_connect(flow, a, NULL, b, NULL, NULL);
    sf_flow_connect(flow, b, NULL, c, NULL, NULL);
    sf_flow_connect(flow, c, "beams", d, NULL, NULL);
    sf_result r = sf_flow_run(flow);
    printf("flow: %d of %d frames are right\n", right, FRAMES);
    sf_flow_destroy(flow);
    return r < 0 || right != FRAMES;
}

/* the loop -------------------------------------------------------------------------------------------------------- */

static int run_loop(libraries *l)
{
    int right = 0;
    sf_resident_desc loop_desc = {};
    sf_op_desc first, second;
    loop_desc.device = l->device, loop_desc.logger.func = sf_log_stderr;
    sf_resident *loop = sf_resident_create(&loop_desc);
    describe(l, &first, &second);
    first.in[0].external = second.out[0].external = true;        /* the CPU writes and reads them */
    sf_op a = sf_resident_add(loop, &first), b = sf_resident_add(loop, &second);
    sf_resident_connect(loop, a, "spectra", b, "spectra", NULL);
    sf_result r = sf_resident_launch(loop);
    for (uint32_t n = 0; n < TURNS && r >= 0; n++) {
        sf_resident_slot s;
        r = sf_resident_acquire(loop, a, SF_MS(10000), &s);
        if (r != SF_OK) { break; }
        expose((float2 *)s.data[0], n % FRAMES);
        sf_resident_submit(loop, &s);
        r = sf_resident_result(loop, b, s.sequence, SF_MS(10000), &s);
        if (r != SF_OK) { break; }
        right += is_right(s.data[0], n);
        r = sf_resident_release(loop, &s);
    }
    printf("loop: %d of %d frames are right\n", right, TURNS);
    return sf_resident_destroy(loop) < 0 || right != TURNS;
}

int main(int argc, char **argv)
{
    libraries l = {};
    bool known = true;
    l.workspace_bytes = (size_t)4 << 20;         /* of one size: another may choose other kernels, and other bits */
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--workspace")) { l.workspace_bytes = strtoull(value, NULL, 10); continue; }
        if (!strcmp(argv[i], "--backend") && !strcmp(value, "host")) { return puts("library: it needs a GPU"), 77; }
        known = known && !strcmp(argv[i], "--backend") && !strcmp(value, "cuda");
    }
    if (!known) { return puts("usage: see the first comment of library.cu"), 2; }
    sf_device_desc desc = {};
    desc.backend = SF_BACKEND_CUDA;
    sf_result r = sf_device_open(&desc, &l.device);
    if (r < 0) { return printf("library: it needs a GPU: %s\n", sf_result_string(r)), 77; }
    for (uint32_t i = 0; i < BEAMS * ANTENNAS; i++) { weights[i] = number(i * 3 + 1) / 16; }
    bool bad = open_libraries(&l) != 0;
    if (!bad) {
        compute_expected();
        bad = run_flow(&l);
        bad = run_loop(&l) || bad;
    }
    close_libraries(&l);
    return sf_device_close(l.device, SF_MS(10000)) != SF_OK || bad;
}
