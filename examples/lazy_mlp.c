/* lazy_mlp.c: a neural network's forward pass, described first and run later. y = W2 relu(W1 x + b1) + b2 for many
   batches at once: each is a chain of operations, and a policy picks the stream it runs on. The weights go up once,
   for whoever needs them first; the others wait for that on their streams, no thread does. Buffers are made in
   stream order and go back by themselves when all that used them is done.

       x  -> upload -+                       +-> zip -> layer 2 -> download -> y
       W1 -> share --+-> zip -> layer 1 -----+
       b1 -> share --+          W2, b2 -> share

   The results are compared with a reference in double precision; then the same work is timed under several policies.

   cc -O2 -pthread lazy_mlp.c -lm                 and with the CUDA body of its kernel: see lazy_mlp.cu
   ./a.out [--backend host | cuda | auto] [--check]     --check: no times, nothing that differs between machines */
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOLERANCE 1e-4
enum { IN = 128, HIDDEN = 256, OUT = 32, SAMPLES = 32, BATCHES = 64, GROUP = 8 };

/* -- one layer on a batch: y[row][sample], weights times x and the bias, negative values cut off if it says so -- */

typedef struct { float *y; const float *w, *b, *x; int32_t rows, columns, cut; } layer_args;
static int layer_host(const sf_slice *slice, const void *p)
{
    const layer_args *a = p;
    for (ptrdiff_t r = sf_slice_begin(slice, a->rows); r < sf_slice_end(slice, a->rows); r++) {
        float sum[SAMPLES];
        for (int s = 0; s < SAMPLES; s++) { sum[s] = a->b[r]; }
        for (int32_t c = 0; c < a->columns; c++) {
            float w = a->w[r * a->columns + c];
            for (int s = 0; s < SAMPLES; s++) { sum[s] += w * a->x[c * SAMPLES + s]; }
        }
        for (int s = 0; s < SAMPLES; s++) { a->y[r * SAMPLES + s] = a->cut && sum[s] < 0 ? 0 : sum[s]; }
    }
    return 0;
}
int layer_cuda(void *stream, const void *args);                     /* in lazy_mlp.cu */
static const sf_kernel layer_kernel = {
    .name = "layer", .host = layer_host, .cuda = SF_CUDA_BODY(layer_cuda), .slices = 4 };

/* -- the operations. A `run` enqueues and returns at once; what it puts out is the input of whoever comes next -- */

static void free_memory(void *state, sf_value value, sf_stream *stream)     /* when all that used it is done */
{
    (void)state;
    sf_mem_free_async(stream, value.ptr);
}
typedef struct { int32_t rows, columns, cut; } layer;
static sf_result run_layer(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    const layer *l = x->state;                                      /* in: weights, bias, x */
    if (count != 3) { return SF_ERROR_INVALID_VALUE; }
    sf_result r = sf_mem_alloc_async(x->stream, NULL, (size_t)l->rows * SAMPLES * sizeof(float), &out->ptr);
    if (r < 0) { return r; }
    layer_args args = { out->ptr, in[0].ptr, in[1].ptr, in[2].ptr, l->rows, l->columns, l->cut };
    r = sf_launch(x->stream, &layer_kernel, &args, sizeof args);
    if (r < 0) { sf_mem_free_async(x->stream, out->ptr); }          /* what a failing run made is its own */
    return r;
}
typedef struct { float *at; size_t bytes; } buffer;                 /* on the CPU, page-locked */
static sf_result run_upload(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    const buffer *b = x->state;
    (void)in, (void)count;
    sf_result r = sf_mem_alloc_async(x->stream, NULL, b->bytes, &out->ptr);
    if (r < 0) { return r; }
    r = sf_memcpy_async(x->stream, out->ptr, b->at, b->bytes);
    if (r < 0) { sf_mem_free_async(x->stream, out->ptr); }
    return r;
}
static sf_result run_download(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    const buffer *b = x->state;
    out->ptr = b->at;
    return count == 1 ? sf_memcpy_async(x->stream, b->at, in[0].ptr, b->bytes) : SF_ERROR_INVALID_VALUE;
}

static sf_lazy *upload(sf_device *device, buffer *b)
{
    return sf_lazy_do(device, &(sf_lazy_desc){
        .name = "upload", .run = run_upload, .state = b, .drop_value = free_memory });
}
static sf_lazy *dense(sf_lazy *weights, sf_lazy *bias, sf_lazy *x, layer *l)
{
    sf_lazy *parts[] = { sf_lazy_retain(weights), sf_lazy_retain(bias), x };
    return sf_lazy_then(sf_lazy_zip(parts, 3), &(sf_lazy_desc){
        .name = l->cut ? "layer 1" : "layer 2", .run = run_layer, .state = l, .drop_value = free_memory });
}

typedef struct {
    sf_device *device;
    buffer w1, b1, w2, b2, x[BATCHES], y[BATCHES];
    float expected[BATCHES][OUT * SAMPLES];
    atomic_int ready;
} network;
static layer first_layer = { HIDDEN, IN, 1 }, second_layer = { OUT, HIDDEN, 0 };

/* The whole of a batch. Nothing is checked on the way: made from NULL it is NULL. */
static sf_lazy *forward(network *n, sf_lazy *const *shared, int batch)
{
    sf_lazy *hidden = dense(shared[0], shared[1], upload(n->device, &n->x[batch]), &first_layer);
    return sf_lazy_then(dense(shared[2], shared[3], hidden, &second_layer), &(sf_lazy_desc){
        .name = "download", .run = run_download, .state = &n->y[batch] });
}

/* -- all batches in flight -- */

static void count_ready(sf_future *future, sf_result result, void *user)    /* on the library's thread */
{
    (void)future;
    if (result == SF_OK) { atomic_fetch_add(&((network *)user)->ready, 1); }
}
/* Each batch, or each `group` of them side by side, is one submission. Returns how many batches are done. */
static int run_all(network *n, sf_policy *policy, int group)
{
    buffer *const weights[] = { &n->w1, &n->b1, &n->w2, &n->b2 };
    sf_lazy *shared[4], *parts[BATCHES];
    sf_future *future[BATCHES] = { NULL };
    sf_result r = SF_OK;
    int count = BATCHES / group;
    atomic_store(&n->ready, 0);
    for (int i = 0; i < 4; i++) { shared[i] = sf_lazy_share(upload(n->device, weights[i])); }
    for (int f = 0; f < count && r >= 0; f++) {
        for (int i = 0; i < group; i++) { parts[i] = forward(n, shared, f * group + i); }
        r = sf_lazy_schedule(group == 1 ? parts[0] : sf_lazy_par(parts, group), policy, &future[f]);
        if (r >= 0) { r = sf_future_on_ready(future[f], count_ready, n); }  /* submits */
    }
    for (int i = 0; i < 4; i++) { sf_lazy_drop(shared[i]); }        /* the submissions keep what they need */
    for (int f = 0; f < count && future[f]; f++) {
        sf_result one = sf_future_wait(future[f], SF_MS(10000));
        if (one != SF_OK && r == SF_OK) { r = one; }
    }
    while (r == SF_OK && atomic_load(&n->ready) < count) {          /* a wait does not include on_ready functions */
        if (sf_device_poll(n->device, SF_US(100)) < 0) { break; }
    }
    for (int f = 0; f < count; f++) { sf_future_drop(future[f]); }
    if (r != SF_OK) {
        fprintf(stderr, "lazy_mlp: %s: %s\n", sf_result_string(r), sf_device_failure(n->device)->text);
    }
    return r == SF_OK ? atomic_load(&n->ready) * group : 0;
}

/* -- the reference, on the CPU, in double precision -- */

static void reference(network *n)
{
    static double hidden[HIDDEN];
    for (int b = 0; b < BATCHES; b++) {
        for (int s = 0; s < SAMPLES; s++) {
            for (int r = 0; r < HIDDEN; r++) {
                double sum = n->b1.at[r];
                for (int c = 0; c < IN; c++) { sum += (double)n->w1.at[r * IN + c] * n->x[b].at[c * SAMPLES + s]; }
                hidden[r] = sum < 0 ? 0 : sum;
            }
            for (int r = 0; r < OUT; r++) {
                double sum = n->b2.at[r];
                for (int c = 0; c < HIDDEN; c++) { sum += n->w2.at[r * HIDDEN + c] * hidden[c]; }
                n->expected[b][r * SAMPLES + s] = (float)sum;
            }
        }
    }
}
static double largest_error(const network *n)
{
    double worst = 0;
    for (int b = 0; b < BATCHES; b++) {
        for (int i = 0; i < OUT * SAMPLES; i++) {
            double error = fabs((double)n->y[b].at[i] - n->expected[b][i]);
            if (!(error <= worst)) { worst = error; }               /* NaN, too */
        }
    }
    return worst;
}

/* -- the program -- */

static float noise(void)                                            /* the same on every machine */
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (1 << 24) - 0.5f;
}
static bool make_buffer(sf_device *device, buffer *b, int floats, float scale)
{
    void *p;
    if (sf_mem_alloc(device, (size_t)floats * sizeof(float), SF_MEMORY_PINNED, &p) < 0) { return false; }
    *b = (buffer){ p, (size_t)floats * sizeof(float) };
    for (int i = 0; i < floats; i++) { b->at[i] = noise() * scale; }
    return true;
}
static bool make_network(network *n)
{
    bool made = make_buffer(n->device, &n->w1, HIDDEN * IN, 0.25f) && make_buffer(n->device, &n->b1, HIDDEN, 1) &&
                make_buffer(n->device, &n->w2, OUT * HIDDEN, 0.25f) && make_buffer(n->device, &n->b2, OUT, 1);
    for (int b = 0; b < BATCHES && made; b++) {
        made = make_buffer(n->device, &n->x[b], IN * SAMPLES, 2) &&
               make_buffer(n->device, &n->y[b], OUT * SAMPLES, 0);
    }
    if (!made) { fprintf(stderr, "lazy_mlp: %s\n", sf_device_failure(n->device)->text); }
    return made;
}
static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
/* One line per policy: the best of a few runs. */
static bool measure(network *n, const char *name, const sf_policy_desc *desc, int group)
{
    sf_policy *policy;
    double best = 1e9;
    bool good = true;
    if (sf_policy_create(n->device, desc, &policy) < 0) { return false; }
    for (int i = 0; i < 6 && good; i++) {
        double start = seconds();
        good = run_all(n, policy, group) == BATCHES;
        double took = seconds() - start;
        if (i && took < best) { best = took; }                      /* the first one warms up */
    }
    sf_policy_destroy(policy);
    if (good) { printf("%-28s %10.0f samples/s\n", name, BATCHES * SAMPLES / best); }
    return good;
}
static bool measure_all(network *n)
{
    static const struct { const char *name; sf_policy_desc policy; int group; } lines[] = {
        { "single stream", { .kind = SF_POLICY_SINGLE_STREAM }, 1 },
        { "round-robin over 2 streams", { .kind = SF_POLICY_ROUND_ROBIN, .streams = 2 }, 1 },
        { "round-robin over 4 streams", { .kind = SF_POLICY_ROUND_ROBIN, .streams = 4 }, 1 },
        { "round-robin over 8 streams", { .kind = SF_POLICY_ROUND_ROBIN, .streams = 8 }, 1 },
        { "par, 8 batches side by side", { .kind = SF_POLICY_SINGLE_STREAM }, GROUP },
    };
    bool good = true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines && good; i++) {
        good = measure(n, lines[i].name, &lines[i].policy, lines[i].group);
    }
    return good;
}
static int work(network *n, bool check)
{
    sf_device_info info;
    sf_policy *policy;
    if (!make_network(n) || sf_device_get_info(n->device, &info) < 0) { return 1; }
    reference(n);
    if (sf_policy_create(n->device, &(sf_policy_desc){ .kind = SF_POLICY_ROUND_ROBIN, .streams = 4 }, &policy) < 0) {
        return 1;
    }
    int done = run_all(n, policy, 1);
    sf_policy_destroy(policy);
    double error = largest_error(n);
    bool pass = done == BATCHES && error < TOLERANCE;
    printf("%d -> %d -> %d, %d of %d batches of %d samples\n", IN, HIDDEN, OUT, done, BATCHES, SAMPLES);
    if (check && pass) {
        printf("max error below %g: PASS\n", TOLERANCE);
    } else {
        printf("max error %.2g on %s: %s\n", error, info.name, pass ? "PASS" : "FAIL");
    }
    if (check || !pass) { return !pass; }
    if (measure_all(n) && largest_error(n) < TOLERANCE) { return 0; }
    puts("FAIL");
    return 1;
}
int main(int argc, char **argv)
{
    static network n;
    sf_device_desc desc = { .logger.func = sf_log_stderr };
    const char *backend = "auto";
    bool check = false, known = true;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--check")) {
            check = true;
        } else if (!strcmp(argv[i], "--backend") && i + 1 < argc) {
            backend = argv[++i];
        } else {
            known = false;
        }
    }
    if (!strcmp(backend, "cuda")) {
        desc.backend = SF_BACKEND_CUDA;
    } else if (!strcmp(backend, "host") || (!strcmp(backend, "auto") && !layer_kernel.cuda)) {
        desc.backend = SF_BACKEND_HOST;                             /* no body for a GPU is built in: it is no use */
    } else {
        known = known && !strcmp(backend, "auto");
    }
    if (!known) { return fputs("usage: lazy_mlp [--backend host | cuda | auto] [--check]\n", stderr), 2; }
    if (sf_device_open(&desc, &n.device) < 0) { return 1; }
    int status = work(&n, check);
    return sf_device_close(n.device, SF_MS(10000)) == SF_OK ? status : 1;       /* frees all that was allocated */
}
