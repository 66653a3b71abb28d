/*  test_devices.c - several devices in one flow: order across them, memory that a reader reaches or gets as a copy.
    Two host devices, or two GPUs; order is proven by content: kernels are slow, or run in an order that a seed
    chooses. With one GPU `--backend cuda` skips all. */
#include <stdarg.h>
#include <dlfcn.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "flow_test.h"

enum { SPIN = 3000, FRAMES = 8, LOGS = 16 };
static sf_device *here, *there;                              /* the flow's, and the other one */
static sf_stream_pool *near, *far;                           /* streams of each */
static uint32_t *logs;                                       /* PROBE words each; any device writes to them */
static uint32_t *log_of(int id, uint64_t run) { return logs + PROBE * (64 * (uint32_t)id + (uint32_t)run); }

static bool two_gpus(void)                                   /* or a host device more */
{
    sf_device_desc d = { .backend = SF_BACKEND_CUDA, .ordinal = 1 };
    sf_device *second = NULL;
    bool yes;
    if (!on_cuda()) { return true; }
    yes = sf_device_open(&d, &second) == SF_OK;
    if (yes) { CHECK_OK(sf_device_close(second, GUARD)); }
    return yes;
}
/* The driver, but for its answer whether GPUs reach each other: so nothing enables that. */
static sf_proc resolve_without_peers(const char *symbol, void *library)
{
    void *address = strcmp(symbol, "cuDeviceCanAccessPeer") ? dlsym(library, symbol) : NULL;
    sf_proc proc;
    memcpy(&proc, &address, sizeof proc);
    return proc;
}
static sf_device *open_with(sf_order order, uint64_t seed, int32_t ordinal, bool no_peer)
{
    sf_device_desc d = { .ordinal = ordinal, .host = { .order = order, .seed = seed, .no_peer = no_peer } };
    sf_device *device;
    d.host.workers = 2;
    if (no_peer && on_cuda()) {
        d.cuda.resolve = resolve_without_peers;
        d.cuda.user = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    }
    device = test_open_desc(&d);
    load_kernels(device);
    return device;
}
static void open_both(sf_order order, uint64_t seed, bool no_peer)
{
    here = open_with(order, seed, 0, false);
    there = open_with(order, seed + 1, on_cuda(), no_peer);          /* host devices: the plan tells them apart */
    CHECK_OK(sf_stream_pool_create(here, NULL, &near));
    CHECK_OK(sf_stream_pool_create(there, NULL, &far));
    logs = (uint32_t *)test_memory(here, 64 * LOGS * PROBE * sizeof *logs);
    notes_clear();
}
static void close_both(void)
{
    CHECK_OK(sf_mem_free(here, logs));
    CHECK_OK(sf_stream_pool_destroy(near));
    CHECK_OK(sf_stream_pool_destroy(far));
    test_close(there);
    test_close(here);
}
static bool have_peer(void)
{
    bool yes = false;
    CHECK_OK(sf_device_can_access_peer(there, here, &yes));
    return yes;
}
/* Each body with threads and under each order of host devices, once with two GPUs. Skipped with one. */
static void in_each_order(void (*body)(void), bool no_peer)
{
    if (!two_gpus()) { skip(); }
    for (uint32_t o = 0; o < order_count(); o++) {
        open_both(all_orders[o], 42, no_peer);
        body();
        close_both();
    }
}
#define EACH_ORDER(name, no_peer)                                                                            \
    static void name##_body(void);                                                                           \
    static void name(void **state)                                                                           \
    {                                                                                                        \
        (void)state;                                                                                         \
        in_each_order(name##_body, no_peer);                                                                 \
    }                                                                                                        \
    static void name##_body(void)
static sf_counters counters_of(sf_device *device)
{
    sf_counters c;
    CHECK_OK(sf_device_get_counters(device, &c));
    return c;
}
static void check_problem(sf_flow *f, sf_result want, const char *const *words, size_t count)
{
    sf_result r = sf_flow_check(f, false, NULL, NULL);
    const char *text = sf_flow_failure(f)->text;
    CHECK_IS(r, want);
    for (size_t i = 0; i < count; i++) {
        if (!strstr(text, words[i])) { fail_msg("not in it: %s\n  %s", words[i], text); }
    }
    CHECK_IS(sf_flow_run(f), want);
}
#define PROBLEM(f, want, ...)                                                                                \
    do {                                                                                                     \
        static const char *const words_[] = { __VA_ARGS__ };                                                 \
        check_problem(f, want, words_, COUNT(words_));                                                       \
    } while (0)

/* -- operators: frame `run` of a source is all 1 + run -- */

static sf_result source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(paint(sf_compute_stream(ctx), t->data, NULL, NULL, 1 + (uint32_t)ctx->run, SPIN));
    return sf_emit(ctx, 0, t);
}
static sf_result sink(sf_context *ctx)                       /* looks at each frame, slowly */
{
    const sf_tensor *t = sf_receive(ctx, 0);
    return probe(sf_compute_stream(ctx), t->data, log_of(id_of(ctx), ctx->run), SPIN);
}
static sf_result add_ten(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    CHECK_OK(paint(sf_compute_stream(ctx), out->data, in->data, NULL, 10, SPIN));
    return sf_emit(ctx, 0, out);
}
static sf_result pass_on(sf_context *ctx) { return sf_emit(ctx, 0, sf_receive(ctx, 0)); }
#define OUT { .name = "out", .bytes = BYTES }
static sf_op add_source(sf_flow *f, sf_stream_pool *streams, uint64_t count)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = source, .streams = streams, .count = count,
                                    .out = { OUT } });
}
static sf_op add_sink(sf_flow *f, sf_stream_pool *streams, int id)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = sink, .streams = streams, .user = &ids[id],
                                    .in = {{ .name = "in" }} });
}
static const sf_edge_desc copied = { .copy = true };
static void check_frames(int id, uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) { CHECK_PROBE(log_of(id, k), first + k); }
}

/* -- peer access -- */

static void who_reaches_whom(void **state)
{
    sf_device *a = NULL, *b = NULL, *alone = NULL;
    bool yes = false;
    (void)state;
    if (on_cuda()) { skip(); }
    CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST }, &a));
    CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST }, &b));
    CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .host.no_peer = true }, &alone));
    const struct { sf_device *device, *peer; bool yes; } cases[] = {
        { a, b, true }, { b, a, true }, { a, a, true }, { alone, alone, true },
        { a, alone, false }, { alone, a, false },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_OK(sf_device_can_access_peer(cases[i].device, cases[i].peer, &yes));
        CHECK_EQUAL(yes, cases[i].yes);
        for (int k = 0; k < 2; k++) {        /* enabled already: fine */
            CHECK_IS(sf_device_enable_peer(cases[i].device, cases[i].peer),
                     cases[i].yes ? SF_OK : SF_ERROR_PEER_UNSUPPORTED);
        }
        if (cases[i].yes) { continue; }
        CHECK_IS(sf_device_failure(cases[i].device)->result, SF_ERROR_PEER_UNSUPPORTED);
        CHECK(strstr(sf_device_failure(cases[i].device)->text, "sf_device_enable_peer: there is no peer access"));
        CHECK(strstr(sf_device_failure(cases[i].device)->text, "sf_memcpy_peer_async"));
    }
    CHECK_IS(sf_device_can_access_peer(NULL, a, &yes), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_can_access_peer(a, NULL, &yes), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_can_access_peer(a, b, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_enable_peer(a, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_enable_peer(NULL, a), SF_ERROR_INVALID_HANDLE);
    test_close(b);
    CHECK(!strcmp(sf_result_string(SF_ERROR_PEER_UNSUPPORTED), "no peer access between the devices"));
    for (int i = 0; i < 20; i++) {           /* more than a device keeps in mind */
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST }, &b));
        CHECK_OK(sf_device_enable_peer(a, b));
        CHECK_OK(sf_device_enable_peer(a, b));
        test_close(b);
    }
    test_close(alone);
    test_close(a);
}
/* A kernel of the other device reads what lies here: of sf_mem_alloc(), of pools made before and after, and of the
   default pool. */
EACH_ORDER(memory_of_a_peer, false)
{
    const sf_mem_pool_desc async = { .kind = SF_MEM_POOL_ASYNC };
    sf_mem_pool *before = NULL, *after = NULL;
    sf_stream *s = test_stream(here), *t = test_stream(there);
    sf_event *e = test_event(here);
    void *p[4];
    if (!have_peer()) { return; }
    CHECK_OK(sf_mem_pool_create(here, &async, &before));
    CHECK_OK(sf_device_enable_peer(there, here));
    CHECK_OK(sf_mem_pool_create(here, &async, &after));
    CHECK_OK(sf_mem_alloc(here, BYTES, SF_MEMORY_DEVICE, &p[0]));
    CHECK_OK(sf_mem_alloc_async(s, NULL, BYTES, &p[1]));
    CHECK_OK(sf_mem_alloc_async(s, before, BYTES, &p[2]));
    CHECK_OK(sf_mem_alloc_async(s, after, BYTES, &p[3]));
    for (uint32_t i = 0; i < 4; i++) { CHECK_OK(paint(s, p[i], NULL, NULL, 100 + i, SPIN)); }
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_stream_wait_event(t, e, 0));
    for (int i = 0; i < 4; i++) { CHECK_OK(probe(t, p[i], log_of(0, (uint64_t)i), SPIN)); }
    CHECK_OK(sf_stream_synchronize(t, GUARD));
    for (uint32_t i = 0; i < 4; i++) { CHECK_PROBE(log_of(0, i), 100 + i); }
    for (int i = 1; i < 4; i++) { CHECK_OK(sf_mem_free_async(s, p[i])); }
    CHECK_OK(sf_mem_free(here, p[0]));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_OK(sf_mem_pool_destroy(before));
    CHECK_OK(sf_mem_pool_destroy(after));
}

/* A stream waits for one of the other device: the record counts there, the wait here, and nothing is made. */
EACH_ORDER(streams_of_two_devices, false)
{
    sf_stream *s = test_stream(here), *t = test_stream(there), *child = NULL;
    uint32_t *words = (uint32_t *)test_memory(here, BYTES);
    sf_counters a, b, a2, b2;
    CHECK_OK(sf_stream_wait_stream(t, s));
    CHECK_OK(sf_stream_join(s, t));          /* both devices have an event now */
    a = counters_of(here), b = counters_of(there);
    for (uint32_t i = 0; i < 20; i++) {
        CHECK_OK(paint(s, words, NULL, NULL, i, SPIN));
        CHECK_OK(i % 2 ? sf_stream_wait_stream(t, s) : sf_stream_join(t, s));
        CHECK_OK(probe(t, words, log_of(0, i), SPIN));
        CHECK_OK(i % 3 ? sf_stream_wait_stream(s, t) : sf_stream_join(s, t));
    }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    for (uint32_t i = 0; i < 20; i++) { CHECK_PROBE(log_of(0, i), i); }
    a2 = counters_of(here), b2 = counters_of(there);
    CHECK_EQUAL(a2.event_records - a.event_records, 20);
    CHECK_EQUAL(a2.event_waits - a.event_waits, 20);
    CHECK_EQUAL(b2.event_records - b.event_records, 20);
    CHECK_EQUAL(b2.event_waits - b.event_waits, 20);
    CHECK_EQUAL(a2.event_creates + b2.event_creates, a.event_creates + b.event_creates);
    CHECK_OK(sf_stream_fork(s, &child));
    CHECK_IS(sf_stream_join(t, child), SF_ERROR_INVALID_HANDLE);     /* a fork goes back to its own device */
    CHECK_IS(sf_stream_take_failure(t), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_stream_wait_stream(t, child));
    CHECK_OK(sf_stream_join(s, child));
    if (!on_cuda()) {                        /* as by an event of the other device: what captures stays by itself */
        CHECK_OK(sf_stream_begin_capture(t, SF_CAPTURE_RELAXED));
        CHECK_IS(sf_stream_wait_stream(s, t), SF_ERROR_CAPTURE_ISOLATION);
        CHECK_OK(sf_stream_take_failure(t));
        CHECK_IS(sf_stream_wait_stream(t, s), SF_ERROR_CAPTURE_ISOLATION);
        CHECK_IS(sf_stream_end_capture(t, NULL), SF_ERROR_CAPTURE_INVALIDATED);
    }
    CHECK_OK(sf_stream_synchronize(t, GUARD));
    CHECK_OK(sf_mem_free(here, words));
}
/* A fault there leaves its waits for this device: what is here stays behind what was here. */
static void a_fault_keeps_the_order_across(void **state)
{
    uint32_t flags[2] = { 0, 0 };            /* opens the first; set by the second */
    sf_stream *first, *second, *between, *fails;
    (void)state;
    if (on_cuda()) { skip(); }               /* a fault of a GPU ends its context */
    open_both(SF_ORDER_THREADS, 0, false);
    first = test_stream(here), second = test_stream(here), between = test_stream(there), fails = test_stream(there);
    CHECK_OK(test_gate(first, &flags[0], 1));
    CHECK_OK(sf_stream_wait_stream(between, first));
    CHECK_OK(sf_stream_wait_stream(second, between));
    CHECK_OK(test_lift(second, &flags[1], 1));
    CHECK_OK(sf_launch(fails, &trap_kernel, NULL, 0));
    CHECK_IS(sf_stream_synchronize(fails, GUARD), SF_ERROR_LAUNCH_FAILED);
    CHECK_IS(sf_stream_synchronize(second, SF_MS(20)), SF_TIMEOUT);
    CHECK_EQUAL(test_load(&flags[1]), 0);
    test_store(&flags[0], 1);
    CHECK_OK(sf_stream_synchronize(second, GUARD));
    CHECK_EQUAL(test_load(&flags[1]), 1);
    CHECK_OK(sf_device_reset(there));
    close_both();
}
/* A close does not wait for what the other device never does. */
static void a_fault_is_closed_all_the_same(void **state)
{
    uint32_t flag = 0;
    sf_stream *first, *behind, *fails;
    (void)state;
    if (on_cuda()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    first = test_stream(here), behind = test_stream(there), fails = test_stream(there);
    CHECK_OK(test_gate(first, &flag, 1));
    CHECK_OK(sf_stream_wait_stream(behind, first));
    CHECK_OK(sf_launch(fails, &trap_kernel, NULL, 0));
    CHECK_IS(sf_stream_synchronize(fails, GUARD), SF_ERROR_LAUNCH_FAILED);
    CHECK_IS(sf_device_close(there, GUARD), SF_ERROR_LAUNCH_FAILED);
    test_store(&flag, 1);
    test_close(here);
}
/* A fault of the second device that another thread resets during the run is the run's result, too. */
static sf_result fail_and_reset(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    if (ctx->run != 2) { return SF_OK; }
    CHECK_OK(sf_launch(s, &trap_kernel, NULL, 0));
    while (sf_device_synchronize(there, 0) >= 0) { usleep(100); }
    return sf_device_reset(there);
}
static void a_reset_over_there_is_told(void **state)
{
    sf_stream_pool *pool;
    sf_flow *f;
    (void)state;
    if (on_cuda()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    CHECK_OK(sf_stream_pool_create(there, NULL, &pool));
    f = flow_on(here);
    sf_flow_add(f, &(sf_op_desc){ .compute = fail_and_reset, .streams = pool, .count = 4 });
    run_is(f, SF_ERROR_LAUNCH_FAILED);
    destroy_is(f, SF_ERROR_LAUNCH_FAILED);
    CHECK_OK(sf_stream_pool_destroy(pool));
    close_both();
}
EACH_ORDER(waits_beside_lost_captures, false)                /* for the other device's event, as for an own one */
{
    sf_stream *s = test_stream(here), *t = test_stream(there);
    sf_event *e = NULL;
    CHECK_OK(sf_event_create(there, SF_EVENT_DISABLE_TIMING, &e));
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
    CHECK_IS(sf_stream_query(s), SF_ERROR_CAPTURE_UNSUPPORTED);
    CHECK_IS(sf_stream_wait_event(s, e, 0), SF_ERROR_CAPTURE_INVALIDATED);
    CHECK_IS(sf_stream_end_capture(s, NULL), SF_ERROR_CAPTURE_INVALIDATED);
    CHECK_OK(sf_stream_begin_capture(t, SF_CAPTURE_RELAXED));
    CHECK_OK(sf_event_record(e, t, 0));
    CHECK_OK(sf_stream_end_capture(t, NULL));
    CHECK_IS(sf_stream_wait_event(s, e, 0), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_event_destroy(e));
}
/* A copy between devices may be captured; to enable access meanwhile spoils a capture that does not allow it. */
static void captured(void **state)
{
    sf_stream *s;
    sf_graph *graph = NULL;
    sf_graph_exec *exec = NULL;
    uint32_t *from = NULL, *to = NULL, words[WORDS];
    (void)state;
    if (!two_gpus()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    s = test_stream(there);
    CHECK_OK(sf_mem_alloc(here, BYTES, SF_MEMORY_DEVICE, (void **)&from));
    CHECK_OK(sf_mem_alloc(there, BYTES, SF_MEMORY_DEVICE, (void **)&to));
    CHECK_OK(paint(sf_stream_legacy(here), from, NULL, NULL, 31, 0));
    CHECK_OK(sf_stream_synchronize(sf_stream_legacy(here), GUARD));
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_THREAD_LOCAL));
    CHECK_OK(sf_memcpy_peer_async(s, to, there, from, here, BYTES));
    CHECK_OK(probe(s, to, log_of(0, 0), 0));
    CHECK_OK(sf_stream_end_capture(s, &graph));
    CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
    for (int i = 0; i < 3; i++) { CHECK_OK(sf_graph_launch(exec, s)); }
    CHECK_OK(sf_memcpy_async(s, words, to, BYTES));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    for (int i = 0; i < WORDS; i++) { CHECK_EQUAL(words[i], 31); }
    CHECK_PROBE(log_of(0, 0), 31);
    CHECK_EQUAL(log_of(0, 0)[2], 3);
    if (have_peer()) {
        for (int relaxed = 0; relaxed < 2; relaxed++) {
            sf_graph *g = NULL;
            sf_capture_mode mode = SF_CAPTURE_RELAXED;
            sf_result want = relaxed ? SF_OK : SF_ERROR_CAPTURE_UNSUPPORTED;     /* also if it is enabled already */
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_THREAD_LOCAL));
            if (relaxed) { CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode)); }
            CHECK_IS(sf_device_enable_peer(there, here), want);
            if (!relaxed) { CHECK(strstr(sf_device_failure(there)->text, "enable peer access before")); }
            if (relaxed) { CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode)); }
            CHECK_IS(sf_stream_end_capture(s, &g), relaxed ? SF_OK : SF_ERROR_CAPTURE_INVALIDATED);
            if (g) { CHECK_OK(sf_graph_destroy(g)); }
        }
    }
    CHECK_OK(sf_graph_exec_destroy(exec));
    CHECK_OK(sf_graph_destroy(graph));
    CHECK_OK(sf_mem_free(here, from));
    CHECK_OK(sf_mem_free(there, to));
    close_both();
}

/* -- edges -- */

/* From here to there and back: by peer access, and by copies; no thread waits. */
static void there_and_back(bool copy, sf_memory memory, sf_mem_pool *pool, int32_t workers)
{
    const sf_edge_desc edge = { .copy = copy, .capacity = 2 };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .workers = {{ .count = workers }} });
    sf_op a, b, c;
    uint64_t syncs = counters_of(here).synchronizes + counters_of(there).synchronizes;
    notes_clear();
    memset(logs, 0, 64 * PROBE * sizeof *logs);
    a = sf_flow_add(f, &(sf_op_desc){ .compute = source, .count = FRAMES,
                                 .out = {{ .name = "out", .bytes = BYTES, .memory = (uint8_t)memory,
                                           .pool = pool }} });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .streams = far, .in = {{ .name = "in" }},
                                 .out = {{ .name = "out", .bytes = BYTES, .memory = (uint8_t)memory }} });
    c = add_sink(f, NULL, 0);
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &edge));
    CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &edge));
    guarded_run_is(f, SF_OK, NULL);
    check_frames(0, 11, FRAMES);
    syncs = counters_of(here).synchronizes + counters_of(there).synchronizes - syncs;
    CHECK(syncs < FRAMES);                   /* those of the start and the end */
    destroy(f);
}
static void from_pools_of_all_kinds(bool copy, uint32_t blocks, int32_t workers)
{
    const sf_mem_pool_desc kinds[] = {
        { .kind = SF_MEM_POOL_ASYNC }, { .kind = SF_MEM_POOL_UNBOUNDED },
        { .block_bytes = BYTES, .blocks = blocks },
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        sf_mem_pool *pool = NULL;
        CHECK_OK(sf_mem_pool_create(here, &kinds[i], &pool));
        there_and_back(copy, SF_MEMORY_DEVICE, pool, workers);
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
}
EACH_ORDER(by_peer_access, false)
{
    if (!have_peer()) { return; }
    for (int32_t workers = 0; workers < 4; workers += 3) {
        there_and_back(false, SF_MEMORY_DEVICE, NULL, workers);
        from_pools_of_all_kinds(false, 2, workers);
    }
}
EACH_ORDER(by_memory_that_all_reach, true)
{
    there_and_back(false, SF_MEMORY_PINNED, NULL, 0);
    there_and_back(false, SF_MEMORY_MANAGED, NULL, 0);
    there_and_back(false, SF_MEMORY_PINNED, NULL, 2);
}
EACH_ORDER(by_copy, false)
{
    for (int32_t workers = 0; workers < 4; workers += 3) {
        for (int memory = SF_MEMORY_DEVICE; memory <= SF_MEMORY_MANAGED; memory++) {
            there_and_back(true, (sf_memory)memory, NULL, workers);
        }
        from_pools_of_all_kinds(true, 1, workers);
    }
}
EACH_ORDER(by_copy_without_peer_access, true)
{
    there_and_back(true, SF_MEMORY_DEVICE, NULL, 0);
    there_and_back(true, SF_MEMORY_DEVICE, NULL, 3);
}

/* -- refused where nothing else would go well -- */

static void refused_without_peer_access(void **state)
{
    (void)state;
    if (on_cuda()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, true);
    for (int passed_on = 0; passed_on < 2; passed_on++) {
        sf_flow *f = flow_on(here);
        sf_op a = add_source(f, NULL, 1), p, b = add_sink(f, far, 0);
        p = passed_on ? sf_flow_add(f, &(sf_op_desc){ .name = "pass", .compute = pass_on, .in = {{ .name = "in" }},
                                                 .out = {{ .name = "on" }} }) : a;
        if (passed_on) { connect(f, a, p); }
        connect(f, p, b);
        if (passed_on) {
            PROBLEM(f, SF_ERROR_PEER_UNSUPPORTED, "\"pass\".on", "\"sink\".in");
        } else {
            PROBLEM(f, SF_ERROR_PEER_UNSUPPORTED, "\"source\".out sends tensors that lie on device 0",
                    "\"sink\".in is read on device 1", "no peer access", "sf_edge_desc.copy",
                    "SF_MEMORY_PINNED");
        }
        CHECK_EQUAL(runs_of(f, a), 0);
        CHECK_IS(sf_flow_destroy(f), SF_ERROR_PEER_UNSUPPORTED);
    }
    {                                        /* the copy is where the reader is, and so is who it passes it to */
        sf_flow *f = flow_on(here);
        sf_op a = add_source(f, NULL, FRAMES), b = add_sink(f, far, 0), c = add_sink(f, NULL, 1), p;
        p = sf_flow_add(f, &(sf_op_desc){ .name = "pass", .compute = pass_on, .streams = far,
                                          .in = {{ .name = "in" }},
                                     .out = {{ .name = "on" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, p, NULL, &copied));
        connect(f, p, b);
        CHECK_OK(sf_flow_connect(f, p, NULL, c, NULL, &copied));
        PROBLEM(f, SF_ERROR_NOT_SUPPORTED, "\"pass\".on to \"sink\".in", ".bytes at the input");
        CHECK_IS(sf_flow_destroy(f), SF_ERROR_NOT_SUPPORTED);
        f = flow_on(here);
        a = add_source(f, NULL, FRAMES), b = add_sink(f, far, 0);
        p = sf_flow_add(f, &(sf_op_desc){ .name = "pass", .compute = pass_on, .streams = far,
                                          .in = {{ .name = "in" }},
                                     .out = {{ .name = "on" }} });
        c = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = sink, .user = &ids[1],
                                     .in = {{ .name = "in", .bytes = BYTES }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, p, NULL, &copied));
        connect(f, p, b);
        connect(f, p, c);                    /* back, of a copy: seen, too */
        PROBLEM(f, SF_ERROR_PEER_UNSUPPORTED, "\"pass\".on sends tensors that lie on device 1");
        CHECK_IS(sf_flow_destroy(f), SF_ERROR_PEER_UNSUPPORTED);
        f = flow_on(here);
        a = add_source(f, NULL, FRAMES), b = add_sink(f, far, 0);
        p = sf_flow_add(f, &(sf_op_desc){ .name = "pass", .compute = pass_on, .streams = far,
                                          .in = {{ .name = "in" }},
                                     .out = {{ .name = "on" }} });
        c = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = sink, .user = &ids[1],
                                     .in = {{ .name = "in", .bytes = BYTES }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, p, NULL, &copied));
        connect(f, p, b);
        CHECK_OK(sf_flow_connect(f, p, NULL, c, NULL, &copied));
        run_is(f, SF_OK);
        check_frames(0, 1, FRAMES);
        check_frames(1, 1, FRAMES);
        destroy(f);
    }
    {                                        /* values, and what nobody reads there, need nothing */
        sf_flow *f = flow_on(here);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .count = 3, .out = {{ .name = "n" }} });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .streams = far, .user = &ids[5],
                                           .in = {{ .name = "n" }} });
        connect(f, a, b);
        run_is(f, SF_OK);
        CHECK_NOTES(5, 1, 2, 3);
        destroy(f);
    }
    {                                        /* a pool of the other device: who creates there has to reach it */
        sf_mem_pool *pool = NULL;
        sf_flow *f = flow_on(here);
        CHECK_OK(sf_mem_pool_create(there, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 2 }, &pool));
        (void)sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = source, .count = 1,
                                       .out = {{ .name = "out", .bytes = BYTES, .pool = pool }} });
        PROBLEM(f, SF_ERROR_PEER_UNSUPPORTED, "output \"source\".out", "its pool is one of a device of no operator",
                "give it a pool of its own device");
        CHECK_IS(sf_flow_destroy(f), SF_ERROR_PEER_UNSUPPORTED);
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
    close_both();
}
/* The flow's own device is opened by its start: what could not be known before is refused there. */
static void refused_when_the_device_is_there(void **state)
{
    sf_flow *f;
    sf_op a, b;
    (void)state;
    if (on_cuda()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, true);
    for (int copy = 0; copy < 2; copy++) {
        f = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST });
        a = add_source(f, NULL, FRAMES), b = add_sink(f, far, 0);
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, copy ? &copied : NULL));
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        run_is(f, copy ? SF_OK : SF_ERROR_PEER_UNSUPPORTED);
        if (!copy) { CHECK(strstr(sf_flow_failure(f)->text, "\"sink\".in")); }
        if (copy) { check_frames(0, 1, FRAMES); }
        CHECK_IS(sf_flow_destroy(f), copy ? SF_OK : SF_ERROR_PEER_UNSUPPORTED);
    }
    close_both();
}
static sf_result pushes_on(sf_context *ctx)                  /* creates, but sends what it received */
{
    sf_tensor *t = sf_receive(ctx, 0);
    CHECK_OK(paint(sf_compute_stream(ctx), sf_tensor_create(ctx, 0, NULL)->data, NULL, NULL, 1, 0));
    return sf_emit(ctx, 0, t);
}
/* A way that no check follows: the receive says it. */
static void refused_by_the_receive(void **state)
{
    (void)state;
    if (on_cuda()) { skip(); }
    for (int no_peer = 0; no_peer < 2; no_peer++) {
        sf_flow *f;
        sf_op a, p, b;
        open_both(SF_ORDER_THREADS, 0, no_peer);
        f = flow_on(here);
        a = add_source(f, NULL, FRAMES), b = add_sink(f, far, 0);
        p = sf_flow_add(f, &(sf_op_desc){ .name = "pinned", .compute = pushes_on, .in = {{ .name = "in" }},
                                     .out = {{ .name = "on", .bytes = BYTES, .memory = SF_MEMORY_PINNED }} });
        connect(f, a, p);
        connect(f, p, b);
        run_is(f, no_peer ? SF_ERROR_PEER_UNSUPPORTED : SF_OK);
        if (no_peer) {
            CHECK(strstr(sf_flow_failure(f)->text, "operator \"sink\""));
            CHECK(strstr(sf_flow_failure(f)->text, "sf_edge_desc.copy"));
        } else {
            check_frames(0, 1, FRAMES);
        }
        CHECK_IS(sf_flow_destroy(f), no_peer ? SF_ERROR_PEER_UNSUPPORTED : SF_OK);
        close_both();
    }
}
/* A STREAM condition looks at the original: refused on an input into which an edge copies, not on others. */
static sf_op_desc waiting_reader(uint32_t ports)
{
    sf_op_desc d = { .name = "cpu", .compute = take_tensor, .streams = far,
                     .in = {{ .name = "in", .many = true }, { .name = "other", .optional = true }},
                     .when = {{ .kind = SF_CONDITION_STREAM }} };
    d.when[0].ports = ports;
    return d;
}
static void a_copy_is_not_waited_for(void **state)
{
    (void)state;
    if (!two_gpus()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    for (uint32_t ports = 0; ports < 3; ports++) {
        const sf_op_desc d = waiting_reader(ports);
        sf_flow *f = flow_on(here);
        sf_op a = add_source(f, NULL, 1), other = add_source(f, far, 1), b = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, a, NULL, b, "in", &copied));
        CHECK_OK(sf_flow_connect(f, other, NULL, b, "other", &copied));           /* on one device: copies nothing */
        if (ports == 2) {
            run_is(f, SF_OK);
            destroy(f);
            continue;
        }
        PROBLEM(f, SF_ERROR_NOT_SUPPORTED, "\"source\".out to \"cpu\".in", "STREAM", "take .copy away",
                "SF_MEMORY_PINNED", "take the condition away");
        CHECK_EQUAL(runs_of(f, a), 0);
        CHECK_IS(sf_flow_destroy(f), SF_ERROR_NOT_SUPPORTED);
    }
    close_both();
}
static void where_copies_are_refused(void **state)
{
    sf_flow *f;
    sf_op a, b;
    (void)state;
    if (on_cuda()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, true);
    f = flow_on(here);                       /* a turn is no tensor */
    a = add_source(f, NULL, 1), b = add_sink(f, far, 0);
    CHECK_IS(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true, .copy = true }),
             SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_flow_failure(f)->text, ".copy"));
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_INVALID_VALUE);

    f = flow_on(here);
    a = add_source(f, NULL, 1);
    b = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = sink, .streams = far, .region = 1, .user = &ids[0],
                                 .in = {{ .name = "in" }} });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    PROBLEM(f, SF_ERROR_NOT_SUPPORTED, "\"source\".out to \"sink\".in", "region");
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_NOT_SUPPORTED);

    f = flow_on(here);
    a = add_source(f, NULL, 1);
    b = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = sink, .streams = far, .adopt_stream = true,
                                 .user = &ids[0], .in = {{ .name = "in" }} });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    PROBLEM(f, SF_ERROR_NOT_SUPPORTED, "\"source\".out to \"sink\".in", ".adopt_stream");
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_NOT_SUPPORTED);

    f = flow_on(here);                       /* how large is a number? */
    a = sf_flow_add(f, &(sf_op_desc){ .name = "numbers", .compute = count_up, .count = 3, .out = {{ .name = "n" }} });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "sum", .compute = keep_one, .streams = far, .user = &ids[4],
                                 .in = {{ .name = "n" }} });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    PROBLEM(f, SF_ERROR_NOT_SUPPORTED, "\"numbers\".n to \"sum\".n", "take .copy away");
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_NOT_SUPPORTED);
    f = flow_on(here);                       /* with a size it takes no values */
    a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .count = 3, .out = {{ .name = "n" }} });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .streams = far, .user = &ids[4],
                                 .in = {{ .name = "n", .bytes = 8 }} });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    run_is(f, SF_ERROR_MISMATCH);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_MISMATCH);

    f = flow_on(here);                       /* on one device the flag does nothing */
    a = add_source(f, NULL, FRAMES), b = add_sink(f, near, 0);
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    run_is(f, SF_OK);
    check_frames(0, 1, FRAMES);
    CHECK_EQUAL(counters_of(here).copies, 0);
    destroy(f);
    close_both();
}
static sf_result large_once(sf_context *ctx)
{
    sf_tensor_desc d = { .shape = { ctx->run == 2 ? 2 * BYTES : BYTES } };
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, &d));
}
static void a_copy_does_not_fit(void **state)
{
    const sf_mem_pool_desc kind = { .kind = SF_MEM_POOL_UNBOUNDED };
    sf_mem_pool *pool = NULL;
    (void)state;
    if (!two_gpus()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    CHECK_OK(sf_mem_pool_create(here, &kind, &pool));
    for (int large = 0; large < 2; large++) {
        sf_flow *f = flow_on(here);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = large_once, .count = 4,
                                           .out = {{ .name = "out", .pool = pool }} });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = take_tensor, .streams = far,
                                           .in = {{ .name = "in", .bytes = (size_t)BYTES << large }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
        run_is(f, large ? SF_OK : SF_ERROR_MISMATCH);
        if (!large) {
            CHECK(strstr(sf_flow_failure(f)->text, "512 bytes does not fit"));
            CHECK(strstr(sf_flow_failure(f)->text, "raise .bytes at the input"));
        }
        CHECK_EQUAL(runs_of(f, b), large ? 4 : 3);
        CHECK_IS(sf_flow_destroy(f), large ? SF_OK : SF_ERROR_MISMATCH);
    }
    CHECK_OK(sf_mem_pool_destroy(pool));
    close_both();
}

/* -- what a copy is -- */

static void *sent[FRAMES];
static sf_result shaped(sf_context *ctx)
{
    sf_tensor_desc d = { .dtype = SF_F32, .shape = { 2, 3 }, .strides = { 4, 1 } };
    sf_value v = number(70 + (int64_t)ctx->run);
    sf_tensor *t = sf_tensor_create(ctx, 0, &d);
    sent[ctx->run] = t->data;
    CHECK_OK(paint(sf_compute_stream(ctx), t->data, NULL, NULL, 5, SPIN));
    sf_set_timestamp(ctx, 1000 + (int64_t)ctx->run);
    (void)sf_set_metadata(ctx, 9, v);
    return sf_emit(ctx, 0, t);
}
static sf_result looks_at_the_shape(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx), *received[2] = { NULL, NULL };
    sf_memory kind = SF_MEMORY_HOST;
    probe_args p = { NULL, NULL, 7, SPIN };                  /* with the gap between its two rows */
    sf_value v = number(0);
    note_down(0, t->dtype == SF_F32 && t->ndim == 2 && t->shape[0] == 2 && t->shape[1] == 3);
    note_down(0, t->strides[0] == 4 && t->strides[1] == 1 && t->bytes == 28);
    note_down(0, t->data != sent[ctx->run]);
    note_down(0, sf_mem_get_kind(there, t->data, &kind) == SF_OK && kind == SF_MEMORY_DEVICE);
    note_down(0, !on_cuda() || (t->device_type == 2 && t->device_id == 1));
    note_down(0, sf_get_timestamp(ctx, 0) == 1000 + (int64_t)ctx->run);
    note_down(0, sf_get_metadata(ctx, 9, &v) && v.i64 == 70 + (int64_t)ctx->run);
    note_down(0, sf_device_from_stream(ctx, s) == there);
    note_down(0, sf_receive_streams(ctx, 0, received, 2) == 1 && received[0] == s);
    p.in = (const uint32_t *)t->data;
    p.log = log_of(0, ctx->run);
    return sf_launch(s, &probe_kernel, &p, sizeof p);
}
static sf_result checks_the_original(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    note_down(0, t->data == sent[ctx->run]);
    return SF_OK;
}
EACH_ORDER(all_goes_along, false)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .metadata_entries = 2 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = shaped, .count = FRAMES, .out = { OUT } }), b, c;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = looks_at_the_shape, .streams = far, .in = {{ .name = "in" }} });
    c = sf_flow_add(f, &(sf_op_desc){ .compute = checks_the_original, .in = {{ .name = "in" }} });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    CHECK_OK(sf_flow_connect(f, a, NULL, c, NULL, &copied));     /* another reader, on the sender's device */
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < note_count; i++) {
        if (!notes[i].what) { fail_msg("note %u of %d", i % 10, 10); }
    }
    CHECK_EQUAL(note_count, 10 * FRAMES);
    for (uint32_t i = 0; i < FRAMES; i++) { CHECK_PROBE(log_of(0, i), 5); }
    destroy(f);
}
/* One copy, one wait and two records: the sender's, and one behind the copy, for the block it came in. */
static void what_a_copy_costs(void **state)
{
    enum { N = 40 };
    (void)state;
    if (!two_gpus()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    {
        sf_counters before[2] = { counters_of(here), counters_of(there) }, after[2];
        sf_flow *f = flow_on(here);
        sf_op a = add_source(f, NULL, N), b = add_sink(f, far, 0);
        sf_flow_info info;
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .copy = true, .capacity = 3 }));
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK_EQUAL(info.payload_bytes, 2 * (3 + 2) * BYTES);        /* the sender's blocks, and the copies' */
        after[0] = counters_of(here), after[1] = counters_of(there);
        CHECK_EQUAL(after[1].copies - before[1].copies, N);
        CHECK_EQUAL(after[0].copies - before[0].copies, 0);
        CHECK_EQUAL(after[0].event_records - before[0].event_records, N);
        CHECK_EQUAL(after[1].event_records - before[1].event_records, N);
        CHECK_EQUAL(after[1].event_waits - before[1].event_waits, N);
        CHECK(after[0].event_waits - before[0].event_waits <= N);    /* of the sender, for blocks it takes again */
        check_frames(0, 1, N);
        destroy(f);
    }
    close_both();
}
/* After the start nothing is allocated, from the first message to the last. */
static test_heap heap;
static long allocated;
static long allocations(void) { return __atomic_load_n(&heap.total, __ATOMIC_RELAXED); }
static sf_result source_that_counts(sf_context *ctx)
{
    if (!ctx->run) { allocated = allocations(); }
    return source(ctx);
}
static sf_result sink_that_counts(sf_context *ctx)
{
    sf_result r = sink(ctx);
    if (ctx->run + 1 == FRAMES) { allocated = allocations() - allocated; }
    return r;
}
static void copies_allocate_nothing(void **state)
{
    sf_device *own[2];
    sf_device_desc d = { .heap = { test_heap_alloc, test_heap_free, &heap }, .host.workers = 2 };
    (void)state;
    if (!two_gpus()) { skip(); }
    memset(&heap, 0, sizeof heap);
    for (int i = 0; i < 2; i++, d.ordinal++) { own[i] = test_open_desc(&d); }
    logs = (uint32_t *)test_memory(own[0], 64 * PROBE * sizeof *logs);
    CHECK_OK(sf_stream_pool_create(own[1], NULL, &far));
    for (int tracked = 0; tracked < 2; tracked++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = own[0], .heap = d.heap,
                                                     .metadata_entries = 2 * tracked,
                                                     .track = { tracked, tracked, 0, 0, 0 } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = source_that_counts, .count = FRAMES, .out = { OUT } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .streams = far, .in = {{ .name = "in" }},
                                           .out = { OUT } });
        sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = sink_that_counts, .user = &ids[0],
                                                .in = {{ .name = "in" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
        CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &copied));
        memset(logs, 0, 64 * PROBE * sizeof *logs);
        run_is(f, SF_OK);
        CHECK_EQUAL(allocated, 0);
        check_frames(0, 11, FRAMES);
        destroy(f);
    }
    CHECK_OK(sf_stream_pool_destroy(far));
    CHECK_OK(sf_mem_free(own[0], logs));
    test_close(own[1]);
    test_close(own[0]);
    CHECK(heap.total > 0);
    CHECK_EQUAL(heap.live, 0);
}
/* A flow in a block of the user's: as large as sf_flow_memory() says. Copies are memory of the reader's device. */
static void copies_in_a_given_block(void **state)
{
    (void)state;
    if (!two_gpus()) { skip(); }
    for (uint32_t n = 1; n <= 16; n *= 4) {
        sf_flow_desc d = { .limits = { .ops = 2 * n, .edges = n, .messages = n, .payload_bytes = n * 3 * BYTES } };
        size_t bytes;
        void *block;
        sf_flow *f;
        open_both(SF_ORDER_THREADS, 0, false);
        d.device = here;
        bytes = sf_flow_memory(&d);
        block = malloc(bytes);
        d.memory.ptr = block, d.memory.bytes = bytes;
        f = sf_flow_create(&d);
        for (uint32_t i = 0; i < n; i++) {
            sf_op a = add_source(f, near, 2), b = add_sink(f, far, (int)i);
            CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
        }
        run_is(f, SF_OK);
        for (uint32_t i = 0; i < n; i++) { check_frames((int)i, 1, 2); }
        destroy(f);
        free(block);
        close_both();
    }
}
static struct { uint32_t warnings, infos; char warning[512], info[512]; } told;
static void hear(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line, const char *file,
                 void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    if (level == 2) { snprintf(told.warning, sizeof told.warning, "%s", message); }
    if (level == 3) { snprintf(told.info, sizeof told.info, "%s", message); }
    if (level == 2) { test_add(&told.warnings, 1); }
    if (level == 3) { test_add(&told.infos, 1); }
}
/* Blocks of the sender's are free behind the copy, whatever becomes of that: one block is enough for it. */
static sf_tensor *kept[16];
static uint32_t kept_count;
static sf_result keeps(sf_context *ctx)
{
    kept[kept_count++] = sf_tensor_retain(sf_receive(ctx, 0));
    return probe(sf_compute_stream(ctx), kept[kept_count - 1]->data, log_of(0, ctx->run), SPIN);
}
static sf_result lets_go(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    if (kept_count) { sf_tensor_release(kept[--kept_count]); }
    return SF_OK;
}
static void what_is_kept(void **state)
{
    (void)state;
    if (!two_gpus()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    {                                        /* as many as there are copies: 1 + 2; then it waits for memory */
        sf_mem_pool *pool = NULL;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .logger.func = hear });
        sf_op a, b;
        sf_op_info info;
        memset(&told, 0, sizeof told);
        CHECK_OK(sf_mem_pool_create(here, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1 }, &pool));
        a = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = source, .count = FRAMES,
                                     .out = {{ .name = "out", .bytes = BYTES, .pool = pool }} });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "keeper", .compute = keeps, .streams = far,
                                          .in = {{ .name = "in" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
        kept_count = 0;
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < FRAMES - 3; i++) {
            for (int k = 0; k < 60000; k++) {
                CHECK_OK(sf_op_get_info(f, b, &info));
                if (info.runs == 3 + (uint64_t)i && strstr(info.waits_for, "memory for a copy in \"in\"")) { break; }
                usleep(1000);
            }
            CHECK_EQUAL(info.runs, 3 + i);
            sf_tensor_release(kept[i]);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(told.infos, 1);
        if (!strstr(told.info, "3 of the 3 blocks for copies on the edge from \"source\".out to \"keeper\".in") ||
            !strstr(told.info, "raise sf_edge_desc.capacity")) { fail_msg("%s", told.info); }
        check_frames(0, 1, FRAMES);
        destroy(f);                          /* what is kept still lives */
        for (uint32_t i = FRAMES - 3; i < kept_count; i++) { sf_tensor_release(kept[i]); }
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
    {                                        /* kept for good, and nobody outside: it says who has what */
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .deadlock_timeout = SF_MS(20) });
        sf_op a = add_source(f, NULL, FRAMES), b;
        b = sf_flow_add(f, &(sf_op_desc){ .name = "keeper", .compute = keeps, .streams = far,
                                          .in = {{ .name = "in" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
        kept_count = 0;
        run_is(f, SF_ERROR_DEADLOCK);
        CHECK(strstr(sf_flow_failure(f)->text, "keeper waits for memory for a copy in \"in\""));
        CHECK(strstr(sf_flow_failure(f)->text, "3 outside of the flow"));
        CHECK(strstr(sf_flow_failure(f)->text, "release what is retained"));
        destroy_is(f, SF_ERROR_DEADLOCK);
        for (uint32_t i = 0; i < kept_count; i++) { sf_tensor_release(kept[i]); }
    }
    {                                        /* let go by another operator of the flow */
        sf_flow *f = flow_on(here);
        sf_op a = add_source(f, NULL, FRAMES), b, c, d;
        b = sf_flow_add(f, &(sf_op_desc){ .name = "keeper", .compute = keeps, .streams = far,
                                          .in = {{ .name = "in" }} });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .count = FRAMES, .out = {{ .name = "n" }} });
        d = sf_flow_add(f, &(sf_op_desc){ .compute = lets_go, .in = {{ .name = "n" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
        connect(f, c, d);
        kept_count = 0;
        guarded_run_is(f, SF_OK, NULL);
        check_frames(0, 1, FRAMES);
        destroy(f);
        while (kept_count) { sf_tensor_release(kept[--kept_count]); }
    }
    close_both();
}

/* The CPU does not read a copy: told once, as for other SF_MEMORY_DEVICE, in any memory of the sender's. */
enum copy_reader { LOOKS, LOOKS_AGAIN, LAUNCHES, ASKS, LISTS, HAS_ITS_OWN, SENDS_ON, KEEPS, COPY_READERS };
static enum copy_reader reading;
static sf_result copy_reader(sf_context *ctx)
{
    sf_stream *s = NULL;
    sf_tensor *t;
    if (reading == HAS_ITS_OWN) { s = sf_allocate_stream(ctx, "own"); }
    t = sf_receive(ctx, 0);
    if (reading == LAUNCHES) { return probe(sf_compute_stream(ctx), t->data, log_of(0, ctx->run), 0); }
    if (reading == ASKS) { (void)sf_receive_stream(ctx, 0, 0); }
    if (reading == LISTS) { (void)sf_receive_streams(ctx, 0, &s, 1); }
    if (reading == SENDS_ON) { return sf_emit(ctx, 0, t); }
    if (reading == KEEPS) { kept[kept_count++] = sf_tensor_retain(t); }
    if (reading == LOOKS_AGAIN) { usleep(2000); }            /* the copy is done before the compute returns */
    return SF_OK;
}
EACH_ORDER(who_reads_a_copy_is_told, false)
{
    for (int i = 0; i < 3 * COPY_READERS; i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .logger.func = hear });
        sf_op a, b;
        reading = (enum copy_reader)(i / 3);
        kept_count = 0;
        memset(&told, 0, sizeof told);
        a = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = source, .count = 4,
                                     .out = {{ .name = "out", .bytes = BYTES, .memory = (uint8_t)(i % 3) }} });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = copy_reader, .streams = far,
                                     .in = {{ .name = "frame" }}, .out = {{ .name = "on" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .copy = true, .capacity = 4 }));
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, b), 4);
        CHECK_EQUAL(told.warnings, reading <= LOOKS_AGAIN);
        if (told.warnings && (!strstr(told.warning, "\"reader\" took no stream, and input \"frame\" received the") ||
                              !strstr(told.warning, "the copy of an edge with .copy") ||
                              !strstr(told.warning, "no .copy, .memory = SF_MEMORY_PINNED") ||
                              !strstr(told.warning, "SF_CONDITION_STREAM") ||
                              !strstr(told.warning, "sf_compute_stream()"))) {
            fail_msg("case %d: %s", i, told.warning);
        }
        while (kept_count) { sf_tensor_release(kept[--kept_count]); }
        destroy(f);
    }
}
/* What the warning asks for: the CPU on the other device reads PINNED memory, behind a STREAM condition. */
static sf_result cpu_reads(sf_context *ctx)
{
    const uint32_t *words = (const uint32_t *)sf_receive(ctx, 0)->data;
    for (uint32_t i = 0; i < WORDS; i++) { kept_count += words[i] != 1 + (uint32_t)ctx->run; }
    return SF_OK;
}
EACH_ORDER(the_cpu_reads_over_there, true)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .logger.func = hear });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = source, .count = FRAMES,
                                            .out = {{ .name = "out", .bytes = BYTES,
                                       .memory = SF_MEMORY_PINNED }} }), b;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = cpu_reads, .streams = far, .in = {{ .name = "in" }},
                                 .when = {{ .kind = SF_CONDITION_STREAM }} });
    memset(&told, 0, sizeof told);
    kept_count = 0;
    connect(f, a, b);
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, b), FRAMES);
    CHECK_EQUAL(kept_count, 0);
    CHECK_EQUAL(told.warnings, 0);
    destroy(f);
}

/* A copy that its reader keeps, and another operator sends on: what receives it is behind the copy. */
static sf_result keeps_and_says_so(sf_context *ctx)
{
    kept[ctx->run] = sf_tensor_retain(sf_receive(ctx, 0));
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run));
}
static sf_result sends_what_was_kept(sf_context *ctx)
{
    sf_tensor *t = kept[sf_receive_value(ctx, 0).i64];
    sf_result r = sf_emit(ctx, 0, t);
    sf_tensor_release(t);
    return r;
}
EACH_ORDER(sent_on_by_another, false)
{
    sf_flow *f = flow_on(here);
    sf_op a = add_source(f, NULL, FRAMES), b, c, d = add_sink(f, far, 0);
    b = sf_flow_add(f, &(sf_op_desc){ .compute = keeps_and_says_so, .streams = far, .in = {{ .name = "in" }},
                                 .out = {{ .name = "n" }} });
    c = sf_flow_add(f, &(sf_op_desc){ .compute = sends_what_was_kept, .in = {{ .name = "n" }},
                                 .out = {{ .name = "out" }} });
    memset(logs, 0, 64 * PROBE * sizeof *logs);
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    connect(f, b, c);
    connect(f, c, d);
    guarded_run_is(f, SF_OK, NULL);
    check_frames(0, 1, FRAMES);
    destroy(f);
}

/* -- queues of all kinds -- */

static sf_result paced_sink(sf_context *ctx)                 /* what it saw, frame by frame */
{
    int n = sf_available(ctx, 0);
    sf_tensor *t;
    note_down(1, n);
    while ((t = sf_receive(ctx, 0)) != NULL) {
        uint32_t i = kept_count++;
        CHECK_OK(probe(sf_compute_stream(ctx), t->data, log_of(0, i), SPIN));
    }
    return SF_OK;
}
/* `many`, batches, drops and delays: what is received is right, and all of it there. */
EACH_ORDER(batches, false)
{
    sf_flow *f = flow_on(here);
    sf_op a = add_source(f, NULL, 9), b;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = paced_sink, .streams = far,
                                 .in = {{ .name = "in", .batch = 3, .capacity = 4 }} });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    kept_count = 0;
    run_is(f, SF_OK);
    CHECK_EQUAL(kept_count, 9);
    check_frames(0, 1, 9);
    destroy(f);
}
EACH_ORDER(many_edges, false)
{
    sf_flow *f = flow_on(here);
    sf_op a[3], b;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = paced_sink, .streams = far,
                                 .in = {{ .name = "in", .many = true, .capacity = 2 }} });
    for (int i = 0; i < 3; i++) {            /* the second one is there, too */
        a[i] = add_source(f, i == 1 ? far : NULL, 4);
        CHECK_OK(sf_flow_connect(f, a[i], NULL, b, NULL, &copied));
    }
    kept_count = 0;
    run_is(f, SF_OK);
    CHECK_EQUAL(kept_count, 12);
    for (uint32_t i = 0; i < 12; i++) { CHECK_PROBE(log_of(0, i), 1 + i / 3); }
    destroy(f);
}
EACH_ORDER(messages_of_a_condition, false)                   /* all that are there, at once */
{
    sf_flow *f = flow_on(here);
    sf_op a = add_source(f, NULL, 12), b;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = paced_sink, .streams = far, .in = {{ .name = "in", .capacity = 4 }},
                                 .when = {{ .kind = SF_CONDITION_MESSAGES, .count = 4 }} });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    kept_count = 0;
    run_is(f, SF_OK);
    CHECK_EQUAL(kept_count, 12);
    check_frames(0, 1, 12);
    CHECK_NOTES(1, 4, 4, 4);
    destroy(f);
}
static sf_result runs_twice(sf_context *ctx)                 /* each frame, or turn: its number as a log */
{
    const sf_tensor *t = sf_receive(ctx, 0);
    if (kept_count >= 60) { return SF_DONE; }
    return probe(sf_compute_stream(ctx), t->data, log_of(0, kept_count++), SPIN);
}
/* The last value is read again: the same copy, and no second one. */
EACH_ORDER(the_latest_value, false)
{
    for (int32_t workers = 0; workers < 3; workers += 2) {
        uint64_t copies = counters_of(there).copies;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .workers = {{ .count = workers }} });
        sf_op a = add_source(f, NULL, 5), b, c;
        uint32_t last = 0;
        c = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .count = 20, .out = {{ .name = "n" }} });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = runs_twice, .streams = far,
                                     .in = {{ .name = "in" }, { .name = "n" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, "in", &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST,
                .copy = true }));
        CHECK_OK(sf_flow_connect(f, c, NULL, b, "n", NULL));
        kept_count = 0;
        memset(logs, 0, 64 * PROBE * sizeof *logs);
        guarded_run_is(f, SF_OK, NULL);
        copies = counters_of(there).copies - copies;
        CHECK(kept_count > 0 && copies >= 1 && copies <= 5);
        for (uint32_t i = 0; i < kept_count; i++) {
            const uint32_t *log = log_of(0, i);
            CHECK(!log[1] && log[2] == 1 && log[0] >= last && log[0] >= 1 && log[0] <= 5);
            last = log[0];
        }
        destroy(f);
    }
}
EACH_ORDER(dropped_before_the_copy, false)
{
    for (int policy = SF_OVERFLOW_DROP_OLDEST; policy <= SF_OVERFLOW_DROP_NEWEST; policy++) {
        for (int32_t workers = 0; workers < 3; workers += 2) {
            uint64_t copies = counters_of(there).copies;
            sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .workers = {{ .count = workers }} });
            sf_op a = add_source(f, NULL, 30), b = sf_flow_add(f, &(sf_op_desc){
                .compute = runs_twice, .streams = far, .in = {{ .name = "in" }} });
            sf_edge_desc d = { .overflow = (sf_overflow)policy, .capacity = 2, .copy = true };
            sf_edge_info info;
            uint32_t last = 0;
            CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &d));
            kept_count = 0;
            memset(logs, 0, 64 * PROBE * sizeof *logs);
            guarded_run_is(f, SF_OK, NULL);
            info = edge_of(f, b, 0, 0);
            copies = counters_of(there).copies - copies;
            CHECK_EQUAL(copies, kept_count);
            CHECK_EQUAL(kept_count + info.dropped + info.refused, 30);
            for (uint32_t i = 0; i < kept_count; i++) {
                const uint32_t *log = log_of(0, i);
                CHECK(!log[1] && log[2] == 1 && log[0] > last && log[0] <= 30);
                last = log[0];
            }
            destroy(f);
        }
    }
}
/* A diamond with each of its corners here or there: the two branches meet again in the sum. */
static sf_result adds_two(sf_context *ctx)
{
    const sf_tensor *a = sf_receive(ctx, 0), *b = sf_receive(ctx, 1);
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(paint(sf_compute_stream(ctx), out->data, a->data, b->data, 1000, SPIN));
    return sf_emit(ctx, 0, out);
}
static void diamond(unsigned placed, bool copy, int32_t workers)
{
    const sf_edge_desc edge = { .copy = copy, .capacity = (uint16_t)(1 + placed % 3) };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .workers = {{ .count = workers }} });
    sf_op a = add_source(f, placed & 1 ? far : NULL, FRAMES), b[2], c, d;
    memset(logs, 0, 64 * PROBE * sizeof *logs);
    for (int i = 0; i < 2; i++) {
        b[i] = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .streams = placed >> (1 + i) & 1 ? far : NULL,
                                        .in = {{ .name = "in" }}, .out = { OUT } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b[i], NULL, &edge));
    }
    c = sf_flow_add(f, &(sf_op_desc){ .compute = adds_two, .streams = placed >> 3 & 1 ? far : NULL,
                                 .in = {{ .name = "a" }, { .name = "b" }}, .out = { OUT } });
    CHECK_OK(sf_flow_connect(f, b[0], NULL, c, "a", &edge));
    CHECK_OK(sf_flow_connect(f, b[1], NULL, c, "b", &edge));
    d = add_sink(f, NULL, 0);
    CHECK_OK(sf_flow_connect(f, c, NULL, d, NULL, &edge));
    guarded_run_is(f, SF_OK, NULL);
    for (uint32_t k = 0; k < FRAMES; k++) { CHECK_PROBE(log_of(0, k), 2 * (1 + k + 10) + 1000); }
    destroy(f);
}
EACH_ORDER(diamonds, false)
{
    for (unsigned placed = 0; placed < 16; placed++) {
        diamond(placed, true, placed % 3);
        if (have_peer()) { diamond(placed, false, placed % 3); }
    }
}
/* A loop over both devices: what goes round is the sum of all rounds; zeros begin it. */
static sf_result adds_both(sf_context *ctx)
{
    const sf_tensor *a = sf_receive(ctx, 0), *b = sf_receive(ctx, 1);
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    CHECK_OK(paint(s, out->data, a->data, b->data, 0, SPIN));
    CHECK_OK(probe(s, out->data, log_of(0, ctx->run), SPIN));
    return sf_emit(ctx, 0, out);
}
static void go_round(bool copy, int32_t workers)
{
    const sf_edge_desc there_edge = { .copy = copy }, back = { .delay = 1, .copy = copy };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .workers = {{ .count = workers }} });
    sf_op a = add_source(f, NULL, FRAMES), b, c;
    uint32_t sum = 0;
    memset(logs, 0, 64 * PROBE * sizeof *logs);
    b = sf_flow_add(f, &(sf_op_desc){ .compute = adds_both, .in = {{ .name = "a" }, { .name = "b" }},
                                      .out = { OUT } });
    c = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .streams = far, .in = {{ .name = "in" }}, .out = { OUT } });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, "a", NULL));
    CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &there_edge));
    CHECK_OK(sf_flow_connect(f, c, NULL, b, "b", &back));
    guarded_run_is(f, SF_OK, NULL);
    for (uint32_t k = 0; k < FRAMES; k++) {
        sum += 1 + k + (k ? 10 : 0);
        CHECK_PROBE(log_of(0, k), sum);
    }
    destroy(f);
}
EACH_ORDER(loops, false)
{
    for (int32_t workers = 0; workers < 3; workers += 2) {
        go_round(true, workers);
        if (have_peer()) { go_round(false, workers); }
    }
}
static uint32_t attempts;
static sf_result fails_at_first(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    CHECK_OK(probe(sf_compute_stream(ctx), t->data, log_of(0, ctx->run), SPIN));
    return attempts++ % 3 == 2 ? SF_OK : sf_fail(ctx, SF_ERROR_USER, "once more");
}
EACH_ORDER(tried_again, false)                               /* with the same copy */
{
    for (int32_t workers = 0; workers < 3; workers += 2) {
        uint64_t copies = counters_of(there).copies;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .workers = {{ .count = workers }} });
        sf_op a = add_source(f, NULL, FRAMES), b;
        b = sf_flow_add(f, &(sf_op_desc){ .compute = fails_at_first, .streams = far, .in = {{ .name = "in" }},
                                     .on_error = SF_ON_ERROR_RETRY, .retries = 5 });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
        attempts = 0;
        memset(logs, 0, 64 * PROBE * sizeof *logs);
        guarded_run_is(f, SF_OK, NULL);
        CHECK_EQUAL(counters_of(there).copies - copies, FRAMES);
        check_frames(0, 1, FRAMES);
        destroy(f);
    }
}
/* A reader whose pool of streams is used up copies on its device's default stream. */
EACH_ORDER(without_a_stream, false)
{
    sf_stream_pool *few = NULL;
    sf_flow *f = flow_on(here);
    sf_op a = add_source(f, NULL, FRAMES), b[2];
    CHECK_OK(sf_stream_pool_create(there, &(sf_stream_pool_desc){ .max = 1 }, &few));
    for (int i = 0; i < 2; i++) {
        b[i] = add_sink(f, few, i);
        CHECK_OK(sf_flow_connect(f, a, NULL, b[i], NULL, &copied));
    }
    run_is(f, SF_OK);
    for (int i = 0; i < 2; i++) { check_frames(i, 1, FRAMES); }
    destroy(f);
    CHECK_OK(sf_stream_pool_destroy(few));
}

/* -- regions, pushes, lazy operations -- */

static sf_result member(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(paint(sf_compute_stream(ctx), out->data, in->data, NULL, 100, SPIN));
    return sf_emit(ctx, 0, out);
}
/* A region on the other device: it reads by peer access, what it sends back may be copied. */
EACH_ORDER(a_region_over_there, false)
{
    sf_flow *f;
    sf_op a, b, c, d;
    if (!have_peer()) { return; }
    f = flow_on(here);
    a = add_source(f, NULL, FRAMES);
    b = sf_flow_add(f, &(sf_op_desc){ .compute = member, .streams = far, .region = 1, .in = {{ .name = "in" }},
                                 .out = { OUT } });
    c = sf_flow_add(f, &(sf_op_desc){ .compute = member, .streams = far, .region = 1, .in = {{ .name = "in" }},
                                 .out = { OUT } });
    d = add_sink(f, NULL, 0);
    connect(f, a, b);
    connect(f, b, c);
    CHECK_OK(sf_flow_connect(f, c, NULL, d, NULL, &copied));
    run_is(f, SF_OK);
    check_frames(0, 201, FRAMES);
    destroy(f);
}
/* Pushed behind a stream of the other device, to a reader there and to one here, in memory that both reach; beside an
   edge that copies. */
EACH_ORDER(pushed_from_over_there, false)
{
    sf_stream *s = test_stream(there);
    sf_flow *f = flow_on(here);
    sf_op b[2], from, to;
    uint32_t *data = (uint32_t *)test_memory(there, 4 * BYTES);
    for (int i = 0; i < 2; i++) {
        b[i] = sf_flow_add(f, &(sf_op_desc){ .compute = sink, .streams = i ? far : NULL, .user = &ids[i],
                                        .in = {{ .name = "in", .external = true, .capacity = 4 }}, .count = 4 });
    }
    from = add_source(f, NULL, 4), to = add_sink(f, far, 2);
    CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, &copied));
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    for (uint32_t k = 0; k < 4; k++) {
        CHECK_OK(paint(s, data + k * WORDS, NULL, NULL, 1 + k, SPIN));
        for (int i = 0; i < 2; i++) {
            sf_tensor *t = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data + k * WORDS, .shape = { BYTES },
                                                                .memory = SF_MEMORY_PINNED });
            CHECK_OK(sf_flow_push_on(f, b[i], 0, t, s));
        }
    }
    run_is(f, SF_OK);
    for (int i = 0; i < 3; i++) { check_frames(i, 1, 4); }
    destroy(f);
    CHECK_OK(sf_mem_free(there, data));
}
static sf_result lazy_nothing(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count;
    note_down(7, x->device == there);
    *out = number(3);
    return SF_OK;
}
static sf_result lazy_elsewhere(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count, (void)out;
    x->next = sf_lazy_value(x->device == here ? there : here, number(1));
    return SF_OK;
}
/* A lazy operation is of one device, with its parts and what it goes on with; events order it against others. */
EACH_ORDER(lazy_operations_are_one_device_s, false)
{
    const sf_lazy_desc desc = { .name = "n", .run = lazy_nothing }, other = { .name = "o", .run = lazy_elsewhere };
    sf_lazy *parts[2];
    sf_value v = number(0);
    for (int par = 0; par < 2; par++) {
        parts[0] = sf_lazy_do(here, &desc), parts[1] = sf_lazy_do(there, &desc);
        CHECK(!(par ? sf_lazy_par(parts, 2) : sf_lazy_zip(parts, 2)));       /* and drops them */
        CHECK(strstr(sf_device_failure(here)->text, "of two devices"));
    }
    CHECK_IS(sf_lazy_sync(sf_lazy_do(here, &other), NULL, GUARD, &v), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_lazy_sync(sf_lazy_do(there, &desc), NULL, GUARD, &v));
    CHECK_EQUAL(v.i64, 3);
    CHECK_NOTES(7, 1);
    {                                        /* one behind the other, by an event */
        sf_stream *s = test_stream(here), *t = test_stream(there);
        sf_event *e = test_event(here);
        uint32_t *data = (uint32_t *)test_memory(here, BYTES);
        paint_args p = { data, NULL, NULL, WORDS, 9, SPIN, 0 };
        probe_args q = { data, log_of(0, 0), WORDS, SPIN };
        CHECK_OK(sf_lazy_async_on(sf_lazy_kernel(here, &paint_kernel, &p, sizeof p), s));
        CHECK_OK(sf_event_record(e, s, 0));
        CHECK_OK(sf_stream_wait_event(t, e, 0));
        CHECK_OK(sf_lazy_sync_on(sf_lazy_kernel(there, &probe_kernel, &q, sizeof q), t, GUARD, NULL));
        CHECK_PROBE(log_of(0, 0), 9);
        CHECK_OK(sf_mem_free(here, data));
    }
}

/* A diamond of lazy operations: one branch works on the other device, which an event before and one behind it order. */
typedef struct branch { sf_stream *stream; sf_event *before, *behind; uint32_t *from, *copy, *to; bool peer; } branch;
static sf_result lazy_branch(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    const branch *b = (const branch *)x->state;
    (void)in, (void)count;
    CHECK_OK(sf_event_record(b->before, x->stream, 0));
    CHECK_OK(sf_stream_wait_event(b->stream, b->before, 0));
    if (!b->peer) { CHECK_OK(sf_memcpy_peer_async(b->stream, b->copy, there, b->from, here, BYTES)); }
    CHECK_OK(paint(b->stream, b->to, b->peer ? b->from : b->copy, NULL, 200, SPIN));
    CHECK_OK(sf_event_record(b->behind, b->stream, 0));
    CHECK_OK(sf_stream_wait_event(x->stream, b->behind, 0));
    out->ptr = b->to;
    return SF_OK;
}
EACH_ORDER(lazy_operations_over_both, false)
{
    branch b = { .stream = test_stream(there), .before = test_event(here), .behind = test_event(there) };
    const sf_lazy_desc over_there = { .name = "there", .run = lazy_branch, .state = &b };
    uint32_t *left, *sum;
    CHECK_OK(sf_mem_alloc(here, 3 * BYTES, SF_MEMORY_DEVICE, (void **)&b.from));
    CHECK_OK(sf_mem_alloc(there, BYTES, SF_MEMORY_DEVICE, (void **)&b.copy));
    b.to = (uint32_t *)test_memory(here, BYTES);             /* that both reach */
    left = b.from + WORDS, sum = left + WORDS;
    for (int peer = 0; peer <= have_peer(); peer++) {
        if (peer) { CHECK_OK(sf_device_enable_peer(there, here)); }
        b.peer = peer;
        for (uint32_t k = 0; k < FRAMES; k++) {
            paint_args first = { b.from, NULL, NULL, WORDS, 1 + k, SPIN, 0 };
            paint_args other = { left, b.from, NULL, WORDS, 30, SPIN, 0 };
            paint_args both = { sum, left, b.to, WORDS, 0, SPIN, 0 };
            probe_args look = { sum, log_of(peer, k), WORDS, SPIN };
            sf_lazy *sides[2], *all[4];
            sides[0] = sf_lazy_kernel(here, &paint_kernel, &other, sizeof other);
            sides[1] = sf_lazy_do(here, &over_there);
            all[0] = sf_lazy_kernel(here, &paint_kernel, &first, sizeof first);
            all[1] = sf_lazy_par(sides, 2);
            all[2] = sf_lazy_kernel(here, &paint_kernel, &both, sizeof both);
            all[3] = sf_lazy_kernel(here, &probe_kernel, &look, sizeof look);
            CHECK_OK(sf_lazy_sync(sf_lazy_zip(all, 4), NULL, GUARD, NULL));
            CHECK_PROBE(log_of(peer, k), 2 * (1 + k) + 230);
        }
    }
    CHECK_OK(sf_mem_free(here, b.from));
    CHECK_OK(sf_mem_free(here, b.to));
    CHECK_OK(sf_mem_free(there, b.copy));
}

/* -- what a flow says of itself -- */

static void plans_show_devices(void **state)
{
    sf_flow *f;
    sf_op a, b, c;
    (void)state;
    if (!two_gpus()) { skip(); }
    open_both(SF_ORDER_THREADS, 0, false);
    f = flow_on(here);
    a = add_source(f, NULL, 1), b = add_sink(f, far, 0), c = add_sink(f, NULL, 1);
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .copy = true, .capacity = 5 }));
    CHECK_OK(sf_flow_connect(f, a, NULL, c, NULL, &(sf_edge_desc){ .copy = true }));
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK_EQUAL(count_of("0 source, on device 0"), 1);
    CHECK_EQUAL(count_of("1 sink, on device 1"), 1);
    CHECK_EQUAL(count_of("2 sink, on device 0"), 1);
    CHECK_EQUAL(count_of("(GPU 1)"), on_cuda());
    CHECK_EQUAL(count_of(", copied to the reader's device: 7 blocks of 256 bytes"), 1);
    report_clear();
    CHECK_OK(sf_flow_check(f, true, report_add, NULL));
    CHECK_EQUAL(count_of("\"device\":0"), 2);
    CHECK_EQUAL(count_of("\"device\":1"), 1);
    CHECK_EQUAL(count_of("\"control\":false,\"blocks\":7,\"bytes\":256,"), 1);
    CHECK_EQUAL(count_of("\"control\":false,\"places\""), 1);
    destroy(f);
    f = flow_on(here);                       /* one device is not worth a word */
    a = add_source(f, NULL, 1), b = add_sink(f, near, 0);
    connect(f, a, b);
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK_EQUAL(count_of("device"), 0);
    destroy(f);
    close_both();
}
/* GPU times of operators on both devices. */
EACH_ORDER(times_of_both_devices, false)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = here, .track = { .device_time = true },
                                                 .trace_events = 1000 });
    sf_op a = add_source(f, NULL, FRAMES), b = add_sink(f, far, 0);
    sf_op_info info;
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &copied));
    run_is(f, SF_OK);
    CHECK_OK(sf_op_get_info(f, a, &info));
    CHECK(info.device.count > 0);
    CHECK_OK(sf_op_get_info(f, b, &info));
    CHECK(info.device.count > 0);
    check_frames(0, 1, FRAMES);
    CHECK_IS(sf_device_failure(there)->result, SF_OK);
    CHECK_IS(sf_device_failure(here)->result, SF_OK);
    destroy(f);
}

/* -- random graphs over two devices -- */

enum { NODES = 8 };
typedef enum node_kind { NODE_ADD, NODE_FORWARD, NODE_TOUCH, NODE_SINK, NODE_KINDS } node_kind;
typedef struct node { int id, inputs, from[2]; uint32_t add, spin; node_kind kind; bool far; } node;
static node nodes[NODES];
static uint32_t node_value(int id, uint32_t run)             /* the model */
{
    const node *n = &nodes[id];
    uint32_t v = n->add + (n->inputs ? 0 : run);
    if (n->kind != NODE_ADD) { return node_value(n->from[0], run); }
    for (int i = 0; i < n->inputs; i++) { v += node_value(n->from[i], run); }
    return v;
}
static sf_result run_node(sf_context *ctx)
{
    const node *n = (const node *)ctx->user;
    sf_tensor *t[2] = { NULL, NULL }, *out;
    sf_stream *s;
    for (int i = 0; i < n->inputs; i++) { t[i] = sf_receive(ctx, i); }
    if (n->kind == NODE_FORWARD) { return sf_emit(ctx, 0, t[0]); }
    s = sf_compute_stream(ctx);
    if (n->kind == NODE_SINK || n->kind == NODE_TOUCH) {
        CHECK_OK(probe(s, t[0]->data, log_of(n->id, ctx->run), n->spin));
        return n->kind == NODE_TOUCH ? sf_emit(ctx, 0, t[0]) : SF_OK;
    }
    out = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(paint(s, out->data, t[0] ? t[0]->data : NULL, t[1] ? t[1]->data : NULL,
                   n->add + (n->inputs ? 0 : (uint32_t)ctx->run), n->spin));
    CHECK_OK(probe(s, out->data, log_of(n->id, ctx->run), n->spin));
    return sf_emit(ctx, 0, out);
}
static void random_graph(uint64_t seed, sf_order order, uint32_t spin, int32_t workers, bool open)
{
    static const char *const names[] = { "a", "b" };
    rng r = rng_seed(seed);
    const int count = 3 + (int)rng_below(&r, NODES - 2);
    const bool no_peer = !on_cuda() && rng_below(&r, 2);
    sf_flow *f;
    sf_op ops[NODES];
    sf_result result;
    if (open) { open_both(order, seed, no_peer); }
    memset(logs, 0, NODES * FRAMES * PROBE * sizeof *logs);
    f = sf_flow_create(&(sf_flow_desc){ .device = here, .workers = {{ .count = workers }} });
    for (int i = 0; i < count; i++) {
        node *n = &nodes[i];
        sf_op_desc d = { .compute = run_node, .user = n, .count = i ? 0 : FRAMES };
        *n = (node){ .id = i, .add = 1 + rng_below(&r, 1000), .spin = spin ? rng_below(&r, spin) : 0 };
        n->far = rng_below(&r, 2);
        n->kind = i ? (node_kind)rng_below(&r, NODE_KINDS) : NODE_ADD;
        if (n->kind == NODE_SINK && i + 1 < count) { n->kind = NODE_TOUCH; }
        n->inputs = !i ? 0 : n->kind == NODE_ADD ? 1 + (int)rng_below(&r, 2) : 1;
        if (n->inputs == 2 && i < 2) { n->inputs = 1; }
        d.streams = n->far ? far : rng_below(&r, 2) ? near : NULL;
        for (int p = 0; p < n->inputs; p++) {
            d.in[p] = (sf_port){ .name = names[p], .bytes = BYTES, .capacity = (uint16_t)(1 + rng_below(&r, 3)) };
            n->from[p] = (int)rng_below(&r, (uint32_t)i);
        }
        if (n->kind != NODE_SINK) { d.out[0].name = "out"; }
        if (n->kind == NODE_ADD) { d.out[0].bytes = BYTES; }
        ops[i] = sf_flow_add(f, &d);
        for (int p = 0; p < n->inputs; p++) {    /* what crosses without peer access has to be copied */
            const node *from = &nodes[n->from[p]];
            sf_edge_desc e = { .copy = rng_below(&r, 2) || no_peer || (on_cuda() && !have_peer()) };
            (void)from;
            CHECK_OK(sf_flow_connect(f, ops[n->from[p]], NULL, ops[i], d.in[p].name, &e));
        }
    }
    result = sf_flow_run(f);
    if (result != SF_OK) {
        fail_msg("seed %llu, order %d: %s", (unsigned long long)seed, (int)order, sf_flow_failure(f)->text);
    }
    for (int i = 0; i < count; i++) {
        for (uint32_t k = 0; k < FRAMES; k++) {
            const uint32_t *log = log_of(i, k);
            uint32_t want = node_value(i, k);
            if (nodes[i].kind == NODE_FORWARD) { continue; }
            if (log[0] != want || log[1] || !log[2]) {
                fail_msg("seed %llu, order %d, operator %d, frame %u: %u with %u words torn, not %u",
                         (unsigned long long)seed, (int)order, i, k, log[0], log[1], want);
            }
        }
    }
    destroy(f);
    if (open) { close_both(); }
}
static void any_graph_in_any_order(void **state)
{
    static const sf_order orders[] = { SF_ORDER_FIRST_IN, SF_ORDER_LAZY, SF_ORDER_REVERSE, SF_ORDER_RANDOM,
                                       SF_ORDER_PCT };
    (void)state;
    if (on_cuda()) { skip(); }
    FOR_SEEDS(i, test_seeds() / 4 + 1) { random_graph(i, orders[i % COUNT(orders)], 0, 0, true); }
}
static void any_graph_on_threads(void **state)
{
    (void)state;
    if (!two_gpus()) { skip(); }
    if (on_cuda()) { open_both(SF_ORDER_THREADS, 0, false); }        /* once: it takes long */
    FOR_SEEDS(i, test_seeds_of(test_seeds() / 20 + 1, 300)) {
        random_graph(1000000 + i, SF_ORDER_THREADS, i & 1 ? 5000 : 300, i % 3 ? (int32_t)(1 + i % 3) : 0, !on_cuda());
    }
    if (on_cuda()) { close_both(); }
}

/* A fault of one device: what the flow has enqueued on another one is waited for all the same. */
static uint32_t worked_late;
static int fault_now(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 1; }
static int work_late(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    usleep(20000);
    test_store(&worked_late, 1);
    return 0;
}
static const sf_kernel fault_kernel = { .name = "fault", .host = fault_now };
static const sf_kernel late_kernel = { .name = "late", .host = work_late };
static sf_result launch_one(sf_context *ctx) { return sf_launch(sf_compute_stream(ctx), ctx->user, NULL, 0); }
static void work_elsewhere_behind_a_fault(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* a context does not survive it */
    for (int first = 0; first < 2; first++) {
        sf_device *own[2] = { open_with(SF_ORDER_THREADS, 0, 0, false), open_with(SF_ORDER_THREADS, 0, 1, false) };
        sf_stream_pool *pools[2];
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = own[0], .backend = test_backend });
        sf_result r;
        worked_late = 0;
        for (int i = 0; i < 2; i++) {
            CHECK_OK(sf_stream_pool_create(own[i], NULL, &pools[i]));
            sf_flow_add(f, &(sf_op_desc){ .compute = launch_one, .count = 1, .streams = pools[i],
                                          .user = (void *)(uintptr_t)(i == first ? &fault_kernel : &late_kernel) });
        }
        r = sf_flow_run(f);
        CHECK(r < 0);
        CHECK_EQUAL(test_load(&worked_late), 1);
        (void)sf_flow_destroy(f);
        for (int i = 0; i < 2; i++) {
            (void)sf_stream_pool_destroy(pools[i]);          /* as the other calls: says the fault */
            (void)sf_device_close(own[i], GUARD);
        }
    }
}

/* A device stays while messages or tensors of another one's flow wait for its streams; then it can be closed. */
static void cannot_close(sf_device *device)
{
    CHECK_IS(sf_device_close(device, GUARD), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(sf_device_failure(device)->text, "waits for work on its streams"));
}
static void note_release(void *data, void *user) { (void)data, (void)user, note_down(1, 1); }
static sf_tensor *wrapped_for(sf_flow *f, void *data)
{
    return sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { BYTES }, .memory = SF_MEMORY_PINNED,
                                                .release = note_release });
}
EACH_ORDER(a_message_keeps_its_device, false)
{
    sf_device *third = open_with(SF_ORDER_THREADS, 3, on_cuda(), false);
    sf_stream *s = test_stream(third);
    sf_flow *f = flow_on(here);
    sf_op op = sf_flow_add(f, &(sf_op_desc){ .compute = sink, .user = &ids[0], .count = 1,
                                             .in = { { .name = "in", .external = true } } });
    uint32_t *data = (uint32_t *)test_memory(here, 2 * BYTES);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_OK(paint(s, data, NULL, NULL, 1, SPIN));
    CHECK_OK(sf_flow_push_on(f, op, 0, wrapped_for(f, data), s));
    cannot_close(third);
    run_is(f, SF_OK);
    check_frames(0, 1, 1);
    destroy(f);
    CHECK_OK(sf_stream_destroy(s));
    test_close(third);
    CHECK_NOTES(1, 1);
    CHECK_OK(sf_mem_free(here, data));
}
/* A tensor of the flow's, or of the user's pool, that a stream over there was named for, whoever releases it when. */
static sf_result keeps_one(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    if (ctx->run) { return SF_OK; }
    kept[0] = sf_tensor_retain(t);
    return sf_tensor_set_deallocation_stream(t, (sf_stream *)ctx->user);
}
EACH_ORDER(a_tensor_keeps_its_device, false)
{
    for (int way = 0; way < 3; way++) {      /* wrapped; of the flow's own pool; of one of the user's */
        sf_device *third = open_with(SF_ORDER_THREADS, 3, on_cuda(), false);
        sf_stream *s = test_stream(third);
        sf_flow *f = flow_on(here);
        sf_mem_pool *pool = NULL;
        uint32_t *data = (uint32_t *)test_memory(here, BYTES);
        notes_clear();
        if (way == 0) {
            kept[0] = wrapped_for(f, data);
            CHECK_OK(sf_tensor_set_deallocation_stream(kept[0], s));
        } else {
            sf_op_desc from = { .compute = source, .count = FRAMES, .out = { { .name = "out", .bytes = BYTES } } };
            sf_op_desc keeper = { .compute = keeps_one, .user = s, .in = { { .name = "in" } } };
            CHECK_OK(sf_mem_pool_create(here, &(sf_mem_pool_desc){ .blocks = 4, .block_bytes = BYTES }, &pool));
            if (way == 2) { from.out[0].pool = pool; }
            connect(f, sf_flow_add(f, &from), sf_flow_add(f, &keeper));
            run_is(f, SF_OK);
        }
        cannot_close(third);
        destroy(f);
        CHECK_IS(sf_device_close(third, GUARD), SF_ERROR_ILLEGAL_STATE);     /* the tensor is still held */
        sf_tensor_release(kept[0]);
        if (way == 2) {                      /* a run later the pool has forgotten the stream */
            f = flow_on(here);
            connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = source, .count = 1,
                                                     .out = { { .name = "out", .bytes = BYTES, .pool = pool } } }),
                    add_sink(f, NULL, 0));
            run_is(f, SF_OK);
            destroy(f);
        }
        CHECK_OK(sf_stream_destroy(s));
        test_close(third);
        if (pool) { CHECK_OK(sf_mem_pool_destroy(pool)); }
        CHECK_OK(sf_mem_free(here, data));
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(by_copy_without_peer_access),   /* first: a process that has enabled access mostly keeps it */
        TEST(who_reaches_whom),
        TEST(memory_of_a_peer),
        TEST(streams_of_two_devices),
        TEST(a_fault_keeps_the_order_across), TEST(a_fault_is_closed_all_the_same), TEST(a_reset_over_there_is_told), TEST(waits_beside_lost_captures), TEST(captured),
        TEST(by_peer_access),
        TEST(by_memory_that_all_reach),
        TEST(by_copy),
        TEST(refused_without_peer_access),
        TEST(refused_when_the_device_is_there),
        TEST(refused_by_the_receive),
        TEST(a_copy_is_not_waited_for),
        TEST(where_copies_are_refused),
        TEST(a_copy_does_not_fit),
        TEST(all_goes_along),
        TEST(what_a_copy_costs),
        TEST(copies_allocate_nothing),
        TEST(copies_in_a_given_block),
        TEST(what_is_kept),
        TEST(who_reads_a_copy_is_told),
        TEST(the_cpu_reads_over_there),
        TEST(sent_on_by_another),
        TEST(batches),
        TEST(many_edges),
        TEST(messages_of_a_condition),
        TEST(the_latest_value),
        TEST(dropped_before_the_copy),
        TEST(diamonds),
        TEST(loops),
        TEST(tried_again),
        TEST(without_a_stream),
        TEST(a_region_over_there),
        TEST(pushed_from_over_there),
        TEST(a_message_keeps_its_device),
        TEST(a_tensor_keeps_its_device),
        TEST(lazy_operations_are_one_device_s),
        TEST(lazy_operations_over_both),
        TEST(plans_show_devices),
        TEST(times_of_both_devices),
        TEST(work_elsewhere_behind_a_fault),
        TEST(any_graph_in_any_order),
        TEST(any_graph_on_threads),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("devices", tests, NULL, NULL);
}
