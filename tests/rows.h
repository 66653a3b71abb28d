/*  rows.h - tables of rules: a row is a sequence of calls, the code that the last one must return, and where that
    comes from; each is a test of its own, on a device of its own. After every row the capture it left open is ended,
    all streams work again, and nothing is left. Comes after test.h. */
#ifndef ROWS_H
#define ROWS_H

#include <pthread.h>
#include <stdarg.h>
#include "test.h"

enum { ROW_STREAMS = 4, ROW_BLOCKING = 2, ROW_EVENTS = 6, ROW_WORDS = 1024 };
enum { NONE = SF_CAPTURE_NONE, ACTIVE = SF_CAPTURE_ACTIVE, INVALID = SF_CAPTURE_INVALIDATED };
static const sf_capture_mode modes[] = { SF_CAPTURE_GLOBAL, SF_CAPTURE_THREAD_LOCAL, SF_CAPTURE_RELAXED };
static const char *const mode_names[] = { "GLOBAL", "THREAD_LOCAL", "RELAXED" };

typedef struct row row;
typedef struct setup {
    const row *row;
    sf_device *device;
    sf_stream *s[ROW_STREAMS], *b[ROW_BLOCKING], *legacy, *own;      /* non-blocking, blocking; own: this thread's */
    sf_stream *at;                           /* whose capture the row is about; default s[0] */
    sf_event *e[ROW_EVENTS];
    uint32_t *flag, *data, *gpu;             /* 64 words, ROW_WORDS words, the same of the GPU's memory */
    sf_stream *more;                         /* what a row made and left to the runner: */
    sf_graph *graph, *copy;
    sf_graph_exec *exec;
    void *spare[8];
    uint32_t calls;                          /* of host functions and callbacks */
    sf_counters before;
} setup;

struct row {
    const char *name;
    sf_result (*run)(setup *t);
    sf_result expected;
    int after;                               /* the status of t->at then; ending it gives what that implies */
    const char *from;                        /* page, header, measured (once, on an H200) or decision (ours) */
    int arg;                                 /* one function, several rows */
    enum { ANYWHERE, HOST_ONLY, CUDA_ONLY, OR } differs;
    sf_result other;                         /* OR: what may come instead */
    const char *why;
};
#define ROW(f, expected_, after_, from_)                                                                             \
    { .name = #f, .run = f, .expected = expected_, .after = after_, .from = from_ }
#define ROW_OF(name_, f, arg_, expected_, after_, from_)                                                             \
    { .name = name_, .run = f, .arg = arg_, .expected = expected_, .after = after_, .from = from_ }
#define ROW_ON(where_, f, expected_, after_, from_, why_)                                                            \
    { .name = #f, .run = f, .expected = expected_, .after = after_, .from = from_, .differs = where_, .why = why_ }
#define ROW_OR(f, expected_, after_, from_, other_, why_)                                                            \
    { .name = #f, .run = f, .expected = expected_, .after = after_, .from = from_, .differs = OR, .other = other_,   \
      .why = why_ }

/* -- what rows do -- */

static inline sf_result work(setup *t, sf_stream *s) { return test_mix(s, t->data, NULL, 8, 3, 1, 0); }
static inline void count_call(void *user) { test_add((uint32_t *)user, 1); }
static inline int status_of(sf_stream *s)
{
    sf_capture_status status = (sf_capture_status)-1;
    CHECK_OK(sf_stream_is_capturing(s, &status));
    return (int)status;
}
static inline uint64_t capture_id(sf_stream *s)
{
    sf_capture_info info = { .id = 0 };
    CHECK_OK(sf_stream_get_capture_info(s, &info, NULL, 0));
    return info.status == SF_CAPTURE_ACTIVE ? info.id : 0;
}
static inline void begin_capture(setup *t, sf_capture_mode mode)
{
    CHECK_OK(sf_stream_begin_capture(t->at, mode));
    CHECK_OK(work(t, t->at));
}
/* `s` goes on after `after`. A row that calls one of these runs three times: by hand, and by the two calls that need no
   event of the user's. order(): it must work, and the event is recorded in any case, as rows go on with it. */
static enum { BY_HAND, BY_WAIT, BY_JOIN, ORDERINGS } ordering;
static bool orders;                          /* the row has called one */
static inline sf_result try_order(sf_stream *after, sf_event *e, sf_stream *s)
{
    sf_result r = ordering == BY_HAND ? sf_event_record(e, after, 0) : SF_OK;
    orders = true;
    return r < 0                 ? r
           : ordering == BY_HAND ? sf_stream_wait_event(s, e, 0)
           : ordering == BY_WAIT ? sf_stream_wait_stream(s, after)
                                 : sf_stream_join(s, after);
}
static inline void order(sf_stream *after, sf_event *e, sf_stream *s)
{
    if (ordering != BY_HAND) { CHECK_OK(sf_event_record(e, after, 0)); }
    CHECK_OK(try_order(after, e, s));
}
static inline void invalidate(setup *t) { CHECK_IS(sf_stream_query(t->at), SF_ERROR_CAPTURE_UNSUPPORTED); }
static inline int node_count(const sf_graph *graph)
{
    int count = -1;
    CHECK_OK(sf_graph_get_nodes(graph, NULL, 0, &count));
    return count;
}
static inline sf_result end_to_exec(setup *t, sf_stream *s)  /* ends the capture on `s`, which must work */
{
    CHECK_OK(sf_stream_end_capture(s, &t->graph));
    return sf_graph_instantiate(t->graph, 0, &t->exec);
}
static inline sf_result run_exec(setup *t, sf_stream *s)
{
    CHECK_OK(sf_graph_launch(t->exec, s));
    return sf_stream_synchronize(s, GUARD);
}
static inline sf_graph *one_kernel_graph(setup *t)
{
    mix_args a = { .dst = t->data, .n = 8, .mul = 3, .add = 1 };
    sf_node_desc desc = { .type = SF_NODE_KERNEL, .kernel = { &mix_kernel, &a, sizeof a } };
    sf_graph *g = NULL;
    CHECK_OK(sf_graph_create(t->device, &g));
    CHECK_OK(sf_graph_add_node(g, NULL, 0, &desc, NULL));
    return g;
}

/* On another thread, whose mode is set first; its result. */
typedef struct elsewhere_job {
    setup *t;
    sf_result (*func)(setup *t);
    sf_capture_mode mode;
    sf_result result;
} elsewhere_job;
static inline void *elsewhere_main(void *arg)
{
    elsewhere_job *j = (elsewhere_job *)arg;
    sf_capture_mode mode = j->mode;
    j->result = sf_thread_exchange_stream_capture_mode(&mode);
    if (j->result == SF_OK) { j->result = j->func(j->t); }
    return NULL;
}
static inline sf_result elsewhere(setup *t, sf_result (*func)(setup *t), sf_capture_mode mode)
{
    elsewhere_job j = { t, func, mode, SF_OK };
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, elsewhere_main, &j), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    return j.result;
}

/* Kernels as PTX: *word += add. */
static const char ptx[] __attribute__((unused)) =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 word, .param .u32 n)\n{\n"
    "    .reg .b32 %r<3>;\n    .reg .b64 %d<2>;\n"
    "    ld.param.u64 %d1, [word];\n    ld.param.u32 %r1, [n];\n    cvta.to.global.u64 %d1, %d1;\n"
    "    ld.global.u32 %r2, [%d1];\n    add.u32 %r2, %r2, %r1;\n    st.global.u32 [%d1], %r2;\n    ret;\n}\n";

/* -- many results at once: all that is wrong is told -- */

static uint32_t wrong_count;
static inline void wrong(const char *format, ...)
{
    va_list args;
    if (wrong_count++ >= 40) { return; }
    fprintf(stderr, "wrong: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
}
#define SHOULD_BE(got, want, ...)                                                                            \
    do {                                                                                                     \
        sf_result got_ = (got), want_ = (want);                                                              \
        if (got_ != want_) {                                                                                 \
            char text_[256];                                                                                 \
            snprintf(text_, sizeof text_, __VA_ARGS__);                                                      \
            wrong("%s: %d, not %d", text_, (int)got_, (int)want_);                                           \
        }                                                                                                    \
    } while (0)
static inline void check_nothing_wrong(void)
{
    uint32_t n = wrong_count;
    wrong_count = 0;
    if (n) { fail_msg("%u are wrong, see above", n); }
}

/* -- running them -- */

static setup fixture;
static inline void setup_make(setup *t)
{
    memset(t, 0, sizeof *t);
    t->device = test_open_workers(2);
    t->flag = (uint32_t *)test_memory(t->device, 64 * 4);
    t->data = (uint32_t *)test_memory(t->device, ROW_WORDS * 4);
    CHECK_OK(sf_mem_alloc(t->device, ROW_WORDS * 4, SF_MEMORY_DEVICE, (void **)&t->gpu));
    for (int i = 0; i < ROW_STREAMS; i++) { t->s[i] = test_stream(t->device); }
    for (int i = 0; i < ROW_BLOCKING; i++) { CHECK_OK(sf_stream_create(t->device, NULL, &t->b[i])); }
    for (int i = 0; i < ROW_EVENTS; i++) { t->e[i] = test_event(t->device); }
    t->legacy = sf_stream_legacy(t->device);
    t->own = sf_stream_per_thread(t->device);
    CHECK(t->legacy && t->own);
    t->at = t->s[0];
    CHECK_OK(sf_device_get_counters(t->device, &t->before));
}
/* The capture of t->at is in the state that the row promises, and ends as it must. */
static inline void setup_end_capture(setup *t, int after)
{
    sf_graph *graph = (sf_graph *)(void *)t;
    static const char *const names[] = { "not capturing", "ACTIVE", "INVALIDATED" };
    int status = status_of(t->at);
    if (status != after) { fail_msg("then the stream is %s, not %s", names[status], names[after]); }
    CHECK_IS(sf_stream_end_capture(t->at, &graph), after == ACTIVE    ? SF_OK
                                                   : after == INVALID ? SF_ERROR_CAPTURE_INVALIDATED
                                                                      : SF_ERROR_ILLEGAL_STATE);
    if (after == ACTIVE) { CHECK_OK(sf_graph_destroy(graph)); }
    if (after == INVALID) { CHECK(!graph); }
}
static inline void check_all_streams_work(setup *t)
{
    sf_stream *all[ROW_STREAMS + ROW_BLOCKING + 2];
    int n = 0;
    for (int i = 0; i < ROW_STREAMS; i++) { all[n++] = t->s[i]; }
    for (int i = 0; i < ROW_BLOCKING; i++) { all[n++] = t->b[i]; }
    all[n++] = t->own, all[n++] = t->legacy;
    for (int i = 0; i < n; i++) {
        CHECK_EQUAL(status_of(all[i]), NONE);
        t->data[ROW_WORDS - 1] = 5;
        CHECK_OK(test_mix(all[i], t->data + ROW_WORDS - 1, NULL, 1, 3, (uint32_t)i, 0));
        for (int k = 0; k < ROW_EVENTS; k++) { /* events too, whatever a capture made of them */
            CHECK_OK(sf_event_record(t->e[k], all[i], 0));
            if (i == n - 1) { CHECK_OK(sf_event_synchronize(t->e[k], GUARD)); }
        }
        CHECK_OK(sf_stream_synchronize(all[i], GUARD));
        CHECK_OK(sf_stream_query(all[i]));
        CHECK_EQUAL(t->data[ROW_WORDS - 1], 15 + i);
    }
}
static inline void check_nothing_left(setup *t)
{
    sf_counters now;
    CHECK_OK(sf_device_get_counters(t->device, &now));
    CHECK_EQUAL(now.live_streams, t->before.live_streams);
    CHECK_EQUAL(now.live_events, t->before.live_events);
    CHECK_EQUAL(now.live_graphs, t->before.live_graphs);
    CHECK_EQUAL(now.live_bytes, t->before.live_bytes);
}
static inline void setup_end(setup *t)
{
    sf_capture_mode mode = SF_CAPTURE_GLOBAL;
    CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
    CHECK_EQUAL(mode, SF_CAPTURE_GLOBAL);    /* rows put it back */
    for (int i = 0; i < 64; i++) { test_store(t->flag + i, UINT32_MAX / 2); }
    check_all_streams_work(t);
    if (t->exec) { CHECK_OK(sf_graph_exec_destroy(t->exec)); }
    if (t->graph) { CHECK_OK(sf_graph_destroy(t->graph)); }
    if (t->copy) { CHECK_OK(sf_graph_destroy(t->copy)); }
    if (t->more) { CHECK_OK(sf_stream_destroy(t->more)); }
    for (size_t i = 0; i < COUNT(t->spare); i++) {
        if (t->spare[i]) { CHECK_OK(sf_mem_free(t->device, t->spare[i])); }
    }
    CHECK_OK(sf_device_synchronize(t->device, GUARD));
    check_nothing_left(t);
    test_close(t->device);
    t->device = NULL;
}
/* After a failure: nothing of it may reach the next test. */
static int setup_abandon(void **state)
{
    setup *t = &fixture;
    sf_capture_mode mode = SF_CAPTURE_GLOBAL;
    (void)state;
    (void)sf_thread_exchange_stream_capture_mode(&mode);
    wrong_count = 0;
    ordering = BY_HAND;
    if (!t->device) { return 0; }
    for (int i = 0; t->flag && i < 64; i++) { test_store(t->flag + i, UINT32_MAX / 2); }
    for (int i = 0; i < ROW_STREAMS; i++) { (void)sf_stream_end_capture(t->s[i], NULL); }
    for (int i = 0; i < ROW_BLOCKING; i++) { (void)sf_stream_end_capture(t->b[i], NULL); }
    (void)sf_stream_end_capture(t->own, NULL);
    (void)sf_device_close(t->device, GUARD);
    t->device = NULL;
    return 0;
}

static void run_row_once(const row *r)
{
    setup *t = &fixture;
    sf_result got;
    setup_make(t);
    t->row = r;
    got = r->run(t);
    if (got < 0 && got != SF_ERROR_NOT_PERMITTED) {          /* whatever fails says so, unless on another thread */
        const sf_failure *f = sf_device_failure(t->device);
        if (f->result >= 0 || strncmp(f->text, f->call, strlen(f->call)) || !f->call[0]) {
            fail_msg("is %d, and the failure %d: %s", (int)got, (int)f->result, f->text);
        }
    }
    if (r->differs == OR && got == r->other) {
        printf("# %s: %d, as it may be: %s\n", r->name, (int)got, r->why);
    } else if (got != r->expected) {
        fail_msg("is %d, %s\n  not %d, %s (%s)", (int)got, sf_result_string(got), (int)r->expected,
                 sf_result_string(r->expected), r->from);
    }
    setup_end_capture(t, r->after);
    setup_end(t);
}
static void run_row(void **state)
{
    const row *r = (const row *)*state;
    if ((r->differs == HOST_ONLY && on_cuda()) || (r->differs == CUDA_ONLY && !on_cuda())) {
        printf("# %s: %s\n", r->name, r->why);
        return;
    }
    orders = false;
    for (int i = BY_HAND; i < (orders ? ORDERINGS : BY_WAIT); i++) {
        ordering = i;
        run_row_once(r);
    }
    ordering = BY_HAND;
}
/* One program: the rows, then other tests. */
static inline int run_rows(const char *group, const row *rows, size_t count, const struct CMUnitTest *more,
                           size_t more_count, int argc, char **argv)
{
    struct CMUnitTest *tests = (struct CMUnitTest *)calloc(count + more_count, sizeof *tests);
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA };
    sf_device *keeper = NULL;                /* CUDA's context would be made anew for each test */
    int failed;
    test_arguments(argc, argv);
    if (on_cuda()) { (void)sf_device_open(&desc, &keeper); }
    for (size_t i = 0; i < count; i++) {
        tests[i].name = rows[i].name;
        tests[i].test_func = run_row;
        tests[i].teardown_func = setup_abandon;
        tests[i].initial_state = (void *)(uintptr_t)&rows[i];
    }
    for (size_t i = 0; i < more_count; i++) { tests[count + i] = more[i]; }
    printf("# %zu rows\n", count);
    failed = test_run_group(group, tests, count + more_count, NULL, NULL);
    free(tests);
    if (keeper) { (void)sf_device_close(keeper, GUARD); }
    return failed;
}

#endif /* ROWS_H */
