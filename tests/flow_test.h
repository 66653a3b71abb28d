/*  flow_test.h - what the suites of the operator runtime share: slow kernels that show what they read,
    notes that computes take for the main thread to check, and devices of every order. Comes after test.h.
    */
#ifndef FLOW_TEST_H
#define FLOW_TEST_H

#include "test.h"

enum { WORDS = 64, BYTES = 4 * WORDS, PROBE = 3 };

/* out[i] = a[i] + b[i] + add (a, b may be NULL), in two halves with a pause between them. */
typedef struct paint_args { uint32_t *out; const uint32_t *a, *b; uint32_t n, add, spin, padding; } paint_args;
/* log[0] = in[0], log[1] += words that differ from it, log[2] += 1; a pause in the middle, too. */
typedef struct probe_args { const uint32_t *in; uint32_t *log; uint32_t n, spin; } probe_args;

#ifdef SF_WITH_CUDA_BODIES
    #ifdef __cplusplus
extern "C" {
    #endif
int paint_cuda(void *stream, const void *args);
int probe_cuda(void *stream, const void *args);
    #ifdef __cplusplus
}
    #endif
#endif

#ifndef __CUDACC__

static inline int paint_host(const sf_slice *slice, const void *args)
{
    const paint_args *p = (const paint_args *)args;
    (void)slice;
    for (uint32_t i = 0; i < p->n; i++) {
        if (i == p->n / 2) { test_spin(p->spin); }
        p->out[i] = (p->a ? p->a[i] : 0) + (p->b ? p->b[i] : 0) + p->add;
    }
    return 0;
}
static inline int probe_host(const sf_slice *slice, const void *args)
{
    const probe_args *p = (const probe_args *)args;
    uint32_t value = p->in[0], torn = 0;
    (void)slice;
    for (uint32_t i = 0; i < p->n; i++) {
        if (i == p->n / 2) { test_spin(p->spin); }
        torn += p->in[i] != value;
    }
    p->log[0] = value;
    p->log[1] += torn;
    test_add(&p->log[2], 1);
    return 0;
}
static const sf_kernel paint_kernel = { .name = "paint",
                                        .host = paint_host,
                                        .cuda = SF_CUDA_BODY(paint_cuda) };
static const sf_kernel probe_kernel = { .name = "probe",
                                        .host = probe_host,
                                        .cuda = SF_CUDA_BODY(probe_cuda) };

static inline sf_result paint(sf_stream *s, void *out, const void *a, const void *b, uint32_t add,
                              uint32_t spin)
{
    paint_args p = { (uint32_t *)out, (const uint32_t *)a, (const uint32_t *)b, WORDS, add, spin, 0 };
    return sf_launch(s, &paint_kernel, &p, sizeof p);
}
static inline sf_result probe(sf_stream *s, const void *in, uint32_t *log, uint32_t spin)
{
    probe_args p = { (const uint32_t *)in, log, WORDS, spin };
    return sf_launch(s, &probe_kernel, &p, sizeof p);
}
    #define CHECK_PROBE(log, value)                                                                          \
        do {                                                                                                 \
            const uint32_t *log_ = (log);                                                                    \
            if (log_[0] != (uint32_t)(value) || log_[1] || !log_[2]) {                                       \
                fail_msg("%s saw %u, %u words torn, %u times; not %u", #log, log_[0], log_[1], log_[2],      \
                         (unsigned)(value));                                                                 \
            }                                                                                                \
        } while (0)

/* -- notes: computes write, the main thread checks after the run -- */

typedef struct note { int who; long long what; } note;
static note notes[16384];
static uint32_t note_count;

static inline void notes_clear(void) { test_store(&note_count, 0); }
static inline void note_down(int who, long long what)
{
    uint32_t i = test_add(&note_count, 1);
    if (i < COUNT(notes)) { notes[i] = (note){ who, what }; }
}
static inline uint32_t notes_of(int who, long long *what, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < test_load(&note_count) && i < COUNT(notes); i++) {
        if (notes[i].who != who) { continue; }
        if (n < max) { what[n] = notes[i].what; }
        n++;
    }
    return n;
}
static inline void check_notes(int who, const long long *want, uint32_t count)
{
    long long got[1024];
    uint32_t n = notes_of(who, got, COUNT(got));
    for (uint32_t i = 0; i < n && i < count; i++) {
        if (got[i] != want[i]) { fail_msg("note %u of %d is %lld, not %lld", i, who, got[i], want[i]); }
    }
    if (n != count) { fail_msg("%d took %u notes, not %u", who, n, count); }
}
    #define CHECK_NOTES(who, ...)                                                                            \
        do {                                                                                                 \
            static const long long want_[] = { __VA_ARGS__ };                                                \
            check_notes(who, want_, COUNT(want_));                                                           \
        } while (0)
static inline void check_counts(int who, long long first, uint32_t count)    /* first, first + 1, ... */
{
    static long long want[1024];
    for (uint32_t i = 0; i < count; i++) { want[i] = first + i; }
    check_notes(who, want, count);
}

/* -- operators that many tests use; `user` points into ids[] -- */

static int ids[] __attribute__((unused)) = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static inline int id_of(const sf_context *ctx) { return *(const int *)ctx->user; }
static inline sf_value number(int64_t n)
{
    sf_value v;
    memset(&v, 0, sizeof v);
    v.i64 = n;
    return v;
}
static inline sf_result count_up(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run + 1));
}
static inline sf_result pass_value(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0));
}
static inline sf_result keep_values(sf_context *ctx)         /* notes all there are on input 0 */
{
    while (sf_available(ctx, 0)) { note_down(id_of(ctx), sf_receive_value(ctx, 0).i64); }
    return SF_OK;
}
static inline sf_result keep_one(sf_context *ctx)
{
    return note_down(id_of(ctx), sf_receive_value(ctx, 0).i64), SF_OK;
}
static inline sf_result nothing(sf_context *ctx) { return (void)ctx, SF_OK; }
static inline sf_result take_value(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
static inline sf_result take_tensor(sf_context *ctx) { return (void)sf_receive(ctx, 0), SF_OK; }

/* -- devices and flows -- */

static const sf_order all_orders[] = {
    SF_ORDER_THREADS, SF_ORDER_FIRST_IN, SF_ORDER_LAZY, SF_ORDER_REVERSE, SF_ORDER_RANDOM, SF_ORDER_PCT
};
static inline uint32_t order_count(void) { return on_cuda() ? 1 : (uint32_t)COUNT(all_orders); }
static inline void load_kernels(sf_device *d)                /* of this file, on a GPU: see test_open_desc() */
{
    uint32_t *m;
    if (!on_cuda()) { return; }
    m = (uint32_t *)test_memory(d, 2 * BYTES);
    CHECK_OK(paint(sf_stream_legacy(d), m, NULL, NULL, 0, 0));
    CHECK_OK(probe(sf_stream_legacy(d), m, m + WORDS, 0));
    CHECK_OK(sf_stream_synchronize(sf_stream_legacy(d), GUARD));
    CHECK_OK(sf_mem_free(d, m));
}
static inline sf_device *open_order(uint32_t index, uint64_t seed)
{
    sf_device *d = index ? test_open_order(all_orders[index], seed) : test_open();
    load_kernels(d);
    return d;
}
static inline sf_device *open_device(void) { return open_order(0, 0); }

#ifdef FLOW_TEST_DEVICE                          /* a device of its own for each test of the suite */
static sf_device *device;
static int setup(void **state)
{
    (void)state;
    notes_clear();
    device = open_device();
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    return sf_device_close(device, GUARD) < 0;
}
#endif

static inline sf_flow *flow_on(sf_device *d)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .backend = test_backend });
    CHECK(f != NULL);
    return f;
}
static inline void run_is(sf_flow *f, sf_result want)
{
    sf_result r = sf_flow_run(f);
    if (r != want) {
        fail_msg("sf_flow_run is %d, %s\n  not %d, %s\n  %s", (int)r, sf_result_string(r), (int)want,
                 sf_result_string(want), sf_flow_failure(f)->text);
    }
}
/* In the background, so that a hang is a failure here; `gate`, if any, is opened then, to get away. */
static inline void guarded_run_is(sf_flow *f, sf_result want, uint32_t *gate)
{
    sf_result r = sf_flow_start(f);
    if (r >= 0) { r = sf_flow_wait(f, GUARD); }
    if (r == SF_TIMEOUT) {
        if (gate) { test_store(gate, UINT32_MAX); }
        sf_flow_stop(f);
        sf_flow_wait(f, GUARD / 4);
    }
    if (r != want) {
        fail_msg("the run is %d, %s\n  not %d, %s\n  %s", (int)r, sf_result_string(r), (int)want,
                 sf_result_string(want), sf_flow_failure(f)->text);
    }
}
static inline void until(const uint32_t *word, uint32_t value)               /* sleeps until *word >= value */
{
    for (int i = 0; i < 60000 && test_load(word) < value; i++) { usleep(1000); }
    if (test_load(word) < value) { fail_msg("still %u, not %u, after a minute", test_load(word), value); }
}
static inline void destroy_is(sf_flow *f, sf_result want) { CHECK_IS(sf_flow_destroy(f), want); }
static inline void destroy(sf_flow *f) { destroy_is(f, SF_OK); }
static inline uint64_t runs_of(const sf_flow *f, sf_op op)
{
    sf_op_info info;
    CHECK_OK(sf_op_get_info(f, op, &info));
    return info.runs;
}
static inline sf_edge_info edge_of(const sf_flow *f, sf_op op, int input, int index)
{
    sf_edge_info info;
    memset(&info, 0, sizeof info);
    CHECK_OK(sf_op_get_edge_info(f, op, input, index, &info));
    return info;
}
/* What a flow writes about itself: its plan, its picture, its trace. */
static struct { char text[1 << 16]; size_t bytes; } report;
static inline void report_add(void *user, const char *text, size_t bytes)    /* an sf_text_func */
{
    CHECK(bytes > 0);
    (void)user;
    if (bytes > sizeof report.text - 1 - report.bytes) { bytes = sizeof report.text - 1 - report.bytes; }
    memcpy(report.text + report.bytes, text, bytes);
    report.text[report.bytes += bytes] = 0;
}
static inline void report_clear(void) { report.text[report.bytes = 0] = 0; }
static inline int count_of(const char *what)
{
    int n = 0;
    for (const char *at = report.text; (at = strstr(at, what)) != NULL; at++) { n++; }
    return n;
}

static inline void connect(sf_flow *f, sf_op a, sf_op b) { CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL)); }

#endif /* __CUDACC__ */
#endif /* FLOW_TEST_H */
