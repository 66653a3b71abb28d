/*  resident_test.h - what the suites of the GPU-resident executor share: kernels with a body per backend, operators
    made of them with a model in plain C, residents that go with their test, a logger that keeps all, and the host's
    side of a frame. Comes after streamflow_gpu_resident.h with its implementation, and after cmocka.h. */
#ifndef RESIDENT_TEST_H
#define RESIDENT_TEST_H

#include "test.h"

/* -- arguments of the kernels in resident_kernels.cu -- */

enum { BLEND = 32 };                         /* SF_MAX_PORTS */
/* out[i] = add + the sum of in[k][i % words[k]] * mul[k]; (out[i] >> 8) % mod, if there is one. *ran counts; `spin`
   makes it slow in the middle, so that whoever reads too early sees half of it. */
typedef struct blend_args {
    uint32_t *out, *ran;
    const uint32_t *in[BLEND];
    uint32_t words[BLEND], mul[BLEND];
    uint32_t count, n, add, mod, spin, pad;
} blend_args;
/* out[0] = the iteration's sequence. */
typedef struct stamp_args { uint32_t *out; sf_resident_control *control; } stamp_args;
/* Data-ready: turn after turn the next word of the script, as far as *limit; then not ready. After `wrap` words, if
   that is not 0, from the beginning. *turn counts the words taken; out[i] = the word's number, for n words.
   From MARK_RAW on: word - MARK_RAW is stored as it is. */
typedef enum mark_word { MARK_NOTHING, MARK_NOT_READY, MARK_READY, MARK_TWICE, MARK_RAW = 16 } mark_word;
typedef struct mark_args {
    sf_resident_control *control;
    const uint32_t *script, *limit;
    uint32_t *turn, *out;
    uint32_t n, wrap;
} mark_args;
/* Raises `code` when in[0] is `value`. */
typedef struct raise_args {
    sf_resident_control *control;
    const uint32_t *in;
    uint32_t value;
    int32_t code;
} raise_args;
/* *mine = *turn, then waits until *other is *turn, too: two of them can only end side by side. Who has waited for
   MEET_NS gives up: *missed = 1, and nobody waits any more. out[i] = in[i] + 1. */
#define MEET_NS 4000000000u
typedef struct meet_args {
    uint32_t *mine, *other, *missed, *out;
    const uint32_t *in;
    uint64_t *since;                         /* on a host device, where a body that waits is called again and again */
    uint32_t n, pad;
} meet_args;

#ifdef SF_WITH_CUDA_BODIES
    #ifdef __cplusplus
extern "C" {
    #endif
int blend_cuda(void *stream, const void *args);
int early_cuda(void *stream, const void *args);              /* blend_args: waits by itself, see sf_kernel */
int stamp_cuda(void *stream, const void *args);
int mark_cuda(void *stream, const void *args);
int raise_cuda(void *stream, const void *args);
int meet_cuda(void *stream, const void *args);
    #ifdef __cplusplus
}
    #endif
#endif

#ifdef __CUDACC__
    #define BOTH_SIDES static __host__ __device__ inline
#else
    #define BOTH_SIDES static inline
#endif
BOTH_SIDES uint32_t blend_word(const blend_args *a, uint32_t i)
{
    uint32_t sum = a->add;
    for (uint32_t k = 0; k < a->count; k++) { sum += a->in[k][i % a->words[k]] * a->mul[k]; }
    return a->mod ? (sum >> 8) % a->mod : sum;
}
/* Operators of a fused loop; user: one word, in test_memory(). Each thread does its share. */
enum { FUSED_WORDS = 500 };
BOTH_SIDES void fused_first(const sf_resident_fused_call *call)      /* out0 = in0 * 3 + user, out1 = in0 + 1 */
{
    const uint32_t *in = (const uint32_t *)call->in[0];
    for (int32_t i = call->thread; i < FUSED_WORDS; i += call->threads) {
        ((uint32_t *)call->out[0])[i] = in[i] * 3 + *(const uint32_t *)call->user;
        ((uint32_t *)call->out[1])[i] = in[i] + 1;
    }
}
/* out = in0 reversed + user: reads what other threads wrote before the barrier. */
BOTH_SIDES void fused_second(const sf_resident_fused_call *call)
{
    const uint32_t *in = (const uint32_t *)call->in[0];
    for (int32_t i = call->thread; i < FUSED_WORDS; i += call->threads) {
        ((uint32_t *)call->out[0])[i] = in[FUSED_WORDS - 1 - i] + *(const uint32_t *)call->user;
    }
}
BOTH_SIDES void fused_third(const sf_resident_fused_call *call)      /* out = in0 + in1 * user */
{
    for (int32_t i = call->thread; i < FUSED_WORDS; i += call->threads) {
        ((uint32_t *)call->out[0])[i] =
            ((const uint32_t *)call->in[0])[i] + ((const uint32_t *)call->in[1])[i] * *(const uint32_t *)call->user;
    }
}

#ifndef __CUDACC__

static inline int blend_host(const sf_slice *slice, const void *args)
{
    const blend_args *a = (const blend_args *)args;
    (void)slice;
    for (uint32_t i = 0; i < a->n; i++) {
        if (i == a->n / 2) { test_spin(a->spin); }
        a->out[i] = blend_word(a, i);
    }
    if (a->ran) { test_add(a->ran, 1); }
    return 0;
}
static inline int stamp_host(const sf_slice *slice, const void *args)
{
    const stamp_args *a = (const stamp_args *)args;
    (void)slice;
    a->out[0] = (uint32_t)sf_resident_iteration(a->control);
    return 0;
}
static inline int mark_host(const sf_slice *slice, const void *args)
{
    const mark_args *a = (const mark_args *)args;
    uint32_t turn = *a->turn, word = MARK_NOT_READY;
    (void)slice;
    if (turn < test_load(a->limit)) {
        word = test_load(&a->script[a->wrap ? turn % a->wrap : turn]);
        test_store(a->turn, turn + 1);
        for (uint32_t i = 0; i < a->n; i++) { a->out[i] = turn; }
    }
    if (word == MARK_NOT_READY) { sf_resident_mark_data_not_ready(a->control); }
    if (word == MARK_READY || word == MARK_TWICE) { sf_resident_mark_data_ready(a->control); }
    if (word == MARK_TWICE) { sf_resident_mark_data_ready(a->control); }
    if (word >= MARK_RAW) { test_store((uint32_t *)a->control, word - MARK_RAW); }
    return 0;
}
static inline int raise_host(const sf_slice *slice, const void *args)
{
    const raise_args *a = (const raise_args *)args;
    (void)slice;
    if (a->in[0] == a->value) { sf_resident_raise(a->control, (sf_result)a->code); }
    return 0;
}
static inline int meet_host(const sf_slice *slice, const void *args)
{
    const meet_args *a = (const meet_args *)args;
    uint64_t now = (uint64_t)sf_flow_now(NULL);
    (void)slice;
    if (!*a->since) { *a->since = now; }
    test_store(a->mine, a->in[0]);
    if (test_load(a->other) != a->in[0] && !test_load(a->missed)) {
        if (now - *a->since < MEET_NS) { return SF_NOT_READY; }
        test_store(a->missed, 1);
    }
    *a->since = 0;
    for (uint32_t i = 0; i < a->n; i++) { a->out[i] = a->in[i] + 1; }
    return 0;
}
static const sf_kernel blend_kernel = { .name = "blend", .host = blend_host, .cuda = SF_CUDA_BODY(blend_cuda) };
static const sf_kernel early_kernel = {
    .name = "early", .host = blend_host, .cuda = SF_CUDA_BODY(early_cuda), .programmatic = true
};
static const sf_kernel stamp_kernel = { .name = "stamp", .host = stamp_host, .cuda = SF_CUDA_BODY(stamp_cuda) };
static const sf_kernel mark_kernel = { .name = "mark", .host = mark_host, .cuda = SF_CUDA_BODY(mark_cuda) };
static const sf_kernel raise_kernel = { .name = "raise", .host = raise_host, .cuda = SF_CUDA_BODY(raise_cuda) };
static const sf_kernel meet_kernel = { .name = "meet", .host = meet_host, .cuda = SF_CUDA_BODY(meet_cuda) };

/* -- what was logged -- */

typedef struct lines {
    uint32_t count;
    struct { uint32_t level, item; char text[512]; } line[512];
} lines;
static lines logged;
static inline void lines_func(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                              const char *file, void *user)
{
    lines *all = (lines *)user;
    uint32_t i = test_add(&all->count, 1);
    (void)tag, (void)line, (void)file;
    if (i >= COUNT(all->line)) { return; }
    all->line[i].level = level;
    all->line[i].item = item;
    snprintf(all->line[i].text, sizeof all->line[i].text, "%s", message ? message : "");
}
static inline uint32_t logged_at(uint32_t level)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < test_load(&logged.count) && i < COUNT(logged.line); i++) {
        n += logged.line[i].level == level;
    }
    return n;
}
/* Lines of that level with all these words in them; NULL is in each. */
static inline uint32_t logged_with(uint32_t level, const char *a, const char *b, const char *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < test_load(&logged.count) && i < COUNT(logged.line); i++) {
        const char *text = logged.line[i].text;
        n += logged.line[i].level == level && (!a || strstr(text, a)) && (!b || strstr(text, b)) &&
             (!c || strstr(text, c));
    }
    return n;
}
static inline void print_logged(void)
{
    for (uint32_t i = 0; i < test_load(&logged.count) && i < COUNT(logged.line); i++) {
        fprintf(stderr, "# logged %u, %u: %s\n", logged.line[i].level, logged.line[i].item, logged.line[i].text);
    }
}
#define CHECK_LOGGED(level, a, b, c)                                                                         \
    do {                                                                                                     \
        const char *a_ = (a), *b_ = (b), *c_ = (c);                                                          \
        if (!logged_with(level, a_, b_, c_)) {                                                               \
            print_logged();                                                                                  \
            fail_msg("not logged at level %d: %s %s %s", level, a_, b_ ? b_ : "", c_ ? c_ : "");             \
        }                                                                                                    \
    } while (0)

static inline bool says(const char *text, const char *words)         /* one of "this|or that" */
{
    char word[64];
    if (!*words) { return true; }
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, w);
        if (strstr(text, word)) { return true; }
        w += n + (w[n] == '|');
    }
    return false;
}

/* -- a device and residents for each test -- */

static sf_device *device;
static sf_counters at_start;
static sf_resident *residents[20];

static inline void load_resident_kernels(sf_device *d)       /* see test_open_desc() */
{
    uint32_t *m;
    blend_args b = { .n = 0 };
    if (!on_cuda()) { return; }
    m = (uint32_t *)test_memory(d, 4096);
    b.out = m;
    CHECK_OK(sf_launch(sf_stream_legacy(d), &blend_kernel, &b, sizeof b));
    CHECK_OK(sf_launch(sf_stream_legacy(d), &early_kernel, &b, sizeof b));
    CHECK_OK(sf_stream_synchronize(sf_stream_legacy(d), GUARD));
    CHECK_OK(sf_mem_free(d, m));
    test_load_steering(d);
}
static int open_test(void **state)
{
    (void)state;
    memset(&logged, 0, sizeof logged);
    memset(residents, 0, sizeof residents);
    device = test_open();
    load_resident_kernels(device);
    CHECK_OK(sf_device_get_counters(device, &at_start));
    return 0;
}
/* After a failure, too: nothing of a test may reach the next one. */
static int close_test(void **state)
{
    sf_result r;
    (void)state;
    for (size_t i = 0; i < COUNT(residents); i++) {
        if (residents[i]) { (void)sf_resident_destroy(residents[i]); }
    }
    r = sf_device_close(device, GUARD);
    device = NULL;
    return r < 0;
}
#define TEST(func) cmocka_unit_test_setup_teardown(func, open_test, close_test)

/* On the test's device; a stall takes as long as a hang, unless the test says otherwise. */
static inline sf_resident *resident_of(sf_resident_desc desc)
{
    sf_resident *r;
    size_t i = 0;
    if (!desc.device) { desc.device = device; }
    if (!desc.backend) { desc.backend = test_backend; }
    if (!desc.logger.func) { desc.logger = (sf_logger){ lines_func, &logged }; }
    if (!desc.stall_timeout) { desc.stall_timeout = GUARD; }
    r = sf_resident_create(&desc);
    CHECK(r != NULL);
    while (i < COUNT(residents) && residents[i]) { i++; }
    CHECK(i < COUNT(residents));
    residents[i] = r;
    return r;
}
#define RESIDENT(...) resident_of((sf_resident_desc){ __VA_ARGS__ })
static inline void destroy_is(sf_resident *r, sf_result want)
{
    for (size_t i = 0; i < COUNT(residents); i++) {
        if (residents[i] == r) { residents[i] = NULL; }
    }
    CHECK_IS(sf_resident_destroy(r), want);
}
static inline void destroy(sf_resident *r) { destroy_is(r, SF_OK); }
/* The device holds what it held when the test began. */
static inline void nothing_is_left(void)
{
    sf_counters now;
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_OK(sf_device_get_counters(device, &now));
    CHECK_EQUAL(now.live_streams, at_start.live_streams);
    CHECK_EQUAL(now.live_events, at_start.live_events);
    CHECK_EQUAL(now.live_graphs, at_start.live_graphs);
    CHECK_EQUAL(now.live_bytes, at_start.live_bytes);
}
static inline void resident_is(sf_resident *r, const char *call, sf_result got, sf_result want)
{
    if (got == want) { return; }
    sf_resident_info is;
    print_logged();
    memset(&is, 0, sizeof is);
    if (sf_resident_get_info(r, &is) == SF_OK) {
        print_message("state %d, submitted %llu, completed %llu, dropped %llu, queued %llu, beat %llu in %s\n",
                      (int)is.state, (unsigned long long)is.submitted, (unsigned long long)is.completed,
                      (unsigned long long)is.dropped, (unsigned long long)is.queued,
                      (unsigned long long)is.heartbeat, is.stage);
    }
    fail_msg("%s is %d, %s\n  not %d, %s\n  %s", call, (int)got, sf_result_string(got), (int)want,
             sf_result_string(want), sf_resident_failure(r)->text);
}
static inline void build(sf_resident *r) { resident_is(r, "build", sf_resident_build(r), SF_OK); }
static inline void launch(sf_resident *r) { resident_is(r, "launch", sf_resident_launch(r), SF_OK); }
static inline void stop(sf_resident *r)                      /* what is queued is run first */
{
    resident_is(r, "tear_down", sf_resident_tear_down(r, true, GUARD), SF_OK);
    resident_is(r, "wait", sf_resident_wait(r, GUARD), SF_OK);
}
static inline sf_resident_info info_of(const sf_resident *r)
{
    sf_resident_info info;
    memset(&info, 0, sizeof info);
    CHECK_OK(sf_resident_get_info(r, &info));
    return info;
}

/* -- operators -- */

/* Output p: blend of all inputs, with mul[k] + p and add + 1000 * p. `ran` is in test_memory(). */
typedef struct work {
    int ins, outs;
    uint32_t mul[BLEND], add, mod, spin;
    uint32_t *ran;
    const sf_kernel *kernel;                 /* blend_kernel by another name: pictures of graphs show it */
} work;
static inline blend_args work_args(const work *w, int output, const void *const *in, const size_t *bytes)
{
    blend_args a;
    memset(&a, 0, sizeof a);
    for (int k = 0; k < w->ins; k++) {
        if (!in[k] || !bytes[k]) { continue; }       /* optional, and not connected */
        a.in[a.count] = (const uint32_t *)in[k];
        a.words[a.count] = (uint32_t)(bytes[k] / 4);
        a.mul[a.count++] = w->mul[k] + (uint32_t)output;
    }
    a.add = w->add + 1000 * (uint32_t)output;
    a.mod = w->mod;
    return a;
}
static inline sf_result work_compute(sf_context *ctx)
{
    const work *w = (const work *)ctx->user;
    const void *in[BLEND];
    size_t bytes[BLEND];
    sf_stream *s;
    for (int k = 0; k < w->ins; k++) {
        sf_tensor *t = sf_receive(ctx, k);
        in[k] = t ? t->data : NULL;
        bytes[k] = t ? t->bytes : 0;
    }
    s = sf_compute_stream(ctx);
    for (int p = 0; p < w->outs; p++) {
        sf_tensor *t = sf_tensor_create(ctx, p, NULL);
        blend_args a = work_args(w, p, in, bytes);
        if (!t) { return SF_ERROR_UNKNOWN; }
        a.out = (uint32_t *)t->data;
        a.n = (uint32_t)(t->bytes / 4);
        a.spin = w->spin;
        a.ran = p == 0 ? w->ran : NULL;
        sf_launch(s, w->kernel ? w->kernel : &blend_kernel, &a, sizeof a);
        sf_emit(ctx, p, t);
    }
    return SF_OK;
}
/* The same in plain C. */
static inline void work_model(const work *w, int output, uint32_t *out, size_t out_bytes, const void *const *in,
                              const size_t *bytes)
{
    blend_args a = work_args(w, output, in, bytes);
    for (uint32_t i = 0; i < out_bytes / 4; i++) { out[i] = blend_word(&a, i); }
}

enum { HOST_IN = 1, HOST_OUT = 2 };          /* the first input, all outputs: external */
/* An operator with inputs "in0", ... and outputs "out0", ..., up to 32 each. */
static inline sf_op add_work(sf_resident *r, const char *name, work *w, size_t in_bytes, size_t out_bytes, int host)
{
    sf_op_desc desc = { .name = name, .compute = work_compute, .user = w };
    sf_op op = sf_resident_add(r, &desc);
    for (int k = 0; k < w->ins + w->outs; k++) {
        bool out = k >= w->ins;
        int i = out ? k - w->ins : k;
        char port[16];
        sf_port p = { .name = port, .bytes = out ? out_bytes : in_bytes };
        snprintf(port, sizeof port, "%s%d", out ? "out" : "in", i);
        p.external = out ? (host & HOST_OUT) != 0 : i == 0 && (host & HOST_IN) != 0;
        if (out) {
            CHECK_EQUAL(sf_resident_add_output(r, op, &p), i);
        } else {
            CHECK_EQUAL(sf_resident_add_input(r, op, &p), i);
        }
    }
    return op;
}
static inline void wire(sf_resident *r, sf_op from, const char *output, sf_op to, const char *input)
{
    resident_is(r, "connect", sf_resident_connect(r, from, output, to, input, NULL), SF_OK);
}

/* -- frames -- */

static inline sf_resident_slot lend(sf_resident *r, sf_op source)
{
    sf_resident_slot slot;
    memset(&slot, 0, sizeof slot);
    resident_is(r, "acquire", sf_resident_acquire(r, source, GUARD, &slot), SF_OK);
    return slot;
}
static inline uint64_t submit(sf_resident *r, sf_resident_slot *slot)
{
    uint64_t sequence = slot->sequence;
    resident_is(r, "submit", sf_resident_submit(r, slot), SF_OK);
    return sequence;
}
/* To input 0; returns the sequence. */
static inline uint64_t feed(sf_resident *r, sf_op source, const void *data, size_t bytes)
{
    sf_resident_slot slot = lend(r, source);
    CHECK(slot.data[0] != NULL);
    memcpy(slot.data[0], data, bytes);
    return submit(r, &slot);
}
static inline sf_resident_slot fetch(sf_resident *r, sf_op sink, uint64_t sequence)
{
    sf_resident_slot slot;
    memset(&slot, 0, sizeof slot);
    resident_is(r, "result", sf_resident_result(r, sink, sequence, GUARD, &slot), SF_OK);
    CHECK_IS(slot.status, SF_OK);
    if (sequence) { CHECK_EQUAL(slot.sequence, sequence); }
    return slot;
}
static inline void give(sf_resident *r, sf_resident_slot *slot)
{
    resident_is(r, "release", sf_resident_release(r, slot), SF_OK);
}
/* Output 0 of that iteration is this. */
static inline void result_is(sf_resident *r, sf_op sink, uint64_t sequence, const uint32_t *want, size_t bytes)
{
    sf_resident_slot slot = fetch(r, sink, sequence);
    const uint32_t *got = (const uint32_t *)slot.data[0];
    CHECK(got != NULL);
    for (size_t i = 0; i < bytes / 4; i++) {
        if (got[i] != want[i]) {
            fail_msg("result %llu, word %zu is %u, not %u", (unsigned long long)slot.sequence, i, got[i], want[i]);
        }
    }
    give(r, &slot);
}
static inline void wait_until(const uint32_t *word, uint32_t value)  /* sleeps until *word >= value */
{
    for (int i = 0; i < 30000 && test_load(word) < value; i++) { usleep(1000); }
    if (test_load(word) < value) { fail_msg("still %u, not %u, after half a minute", test_load(word), value); }
}

/* -- all that most tests of the running loop need: one operator, the host on both sides -- */

typedef struct single {
    sf_resident *r;
    sf_op op;
    work w;                                  /* out = in * 3 + 7 */
    size_t bytes;
} single;
static inline void single_make(single *t, sf_resident_desc desc, size_t bytes)
{
    memset(t, 0, sizeof *t);
    t->bytes = bytes;
    t->w = (work){ .ins = 1, .outs = 1, .mul = { 3 }, .add = 7 };
    t->r = resident_of(desc);
    t->op = add_work(t->r, "single", &t->w, bytes, bytes, HOST_IN | HOST_OUT);
}
static inline void single_result(single *t, uint64_t sequence, const uint32_t *in)
{
    uint32_t want[4096];
    const void *ins[1] = { in };
    CHECK(t->bytes <= sizeof want);
    work_model(&t->w, 0, want, t->bytes, ins, &t->bytes);
    result_is(t->r, t->op, sequence, want, t->bytes);
}

/* -- reports -- */

static inline void append_text(void *user, const char *text, size_t bytes)   /* user: char **, from malloc */
{
    char **all = (char **)user;
    size_t n = *all ? strlen(*all) : 0;
    char *more = (char *)realloc(*all, n + bytes + 1);
    if (!more) { abort(); }
    memcpy(more + n, text, bytes);
    more[n + bytes] = 0;
    *all = more;
}
static inline char *report_of(sf_resident *r, sf_resident_report_kind kind)  /* free() it */
{
    char *text = NULL;
    resident_is(r, "report", sf_resident_report(r, kind, append_text, &text), SF_OK);
    CHECK(text != NULL);
    return text;
}

static const sf_resident_loop all_loops[] __attribute__((unused)) = {
    SF_RESIDENT_LOOP_EXACT, SF_RESIDENT_LOOP_FAST, SF_RESIDENT_LOOP_UNROLLED, SF_RESIDENT_LOOP_AUTO
};

#endif /* __CUDACC__ */
#endif /* RESIDENT_TEST_H */
