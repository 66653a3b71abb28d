/*  soak.c - a million random commands of all kinds over 64 streams, and what must come out of them:

        soak [--backend host|cuda] [--commands 1000000] [--seed 1] [--order 0]

    The order is one of sf_order, for a host device. Streams, events, graphs and memory come and go meanwhile; the data
    is compared with a model every now and then. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "../streamflow.h"

static void soak_failed(void);
#define fail_msg(...) (printf("soak: "), printf(__VA_ARGS__), soak_failed())
#include "traffic.h"

enum { FIXED = 2, BLOCKING = 8 };            /* the last streams are not ours to destroy; the first are blocking */
enum { GRAPHS = 8, GRAPH_STREAMS = 3, GRAPH_BUFFERS = 4, GRAPH_OPS = 12, JOBS = 8192, CHECK_EACH = 10000 };

typedef struct graph {                       /* of four buffers, from `first` on */
    sf_graph *graph;
    sf_graph_exec *exec;
    traffic_script script;
    traffic_job jobs[GRAPH_OPS + GRAPH_STREAMS * GRAPH_OPS];
    uint32_t first;
} graph;
static traffic t, sub;
static graph graphs[GRAPHS];
static sf_mem_pool *pools[3];
static uint64_t seed = 1;
static int order_number;
static uint32_t callbacks, callbacks_expected;

static void soak_failed(void)
{
    printf("\n  seed %llu, after %llu commands\n", (unsigned long long)seed, (unsigned long long)t.commands);
    fflush(stdout);
    _Exit(1);                                /* threads of the library are at work */
}

/* -- one step each -- */

static uint32_t any_stream(void) { return rng_below(&t.r, t.streams); }
static uint32_t own_stream(void) { return rng_below(&t.r, t.streams - FIXED); }

static void step_command(void)
{
    traffic_op op = traffic_pick(&t);
    traffic_put(&t, any_stream(), &op);
    traffic_apply(t.model, &op);
}
static void step_wait(void)
{
    uint32_t e = rng_below(&t.r, t.events);
    if (t.event_epoch[e] == t.epoch) { traffic_wait(&t, any_stream(), e); }
}
/* Memory in stream order, from buffer to buffer through it; freed on the same stream or on another. */
static void step_memory(void)
{
    uint32_t s = any_stream(), on = any_stream(), dst = rng_below(&t.r, t.buffers), src = rng_below(&t.r, t.buffers);
    uint32_t *p = NULL, n = TRAFFIC_WORDS << rng_below(&t.r, 6), add = rng_next(&t.r);
    sf_mem_pool *pool = rng_below(&t.r, 4) ? pools[rng_below(&t.r, COUNT(pools))] : NULL;
    if (src != dst) { traffic_need(&t, s, src, false); }
    traffic_need(&t, s, dst, true);
    CHECK_OK(sf_mem_alloc_async(t.s[s], pool, n * 4, (void **)&p));
    CHECK_OK(sf_memset_async(t.s[s], p, 0, n * 4));
    CHECK_OK(test_mix(t.s[s], p + n - TRAFFIC_WORDS, traffic_at(&t, src), TRAFFIC_WORDS, 1, add, 0));
    CHECK_OK(test_mix(t.s[s], traffic_at(&t, dst), p + n - TRAFFIC_WORDS, TRAFFIC_WORDS, 3, 1, 0));
    traffic_note(&t, s, dst, src);
    for (uint32_t i = 0; i < TRAFFIC_WORDS; i++) {
        t.model[dst][i] = t.model[dst][i] * 3 + t.model[src][i] + add + 1;
    }
    if (rng_below(&t.r, 2)) { traffic_order(&t, on, s); } else { on = s; }
    CHECK_OK(sf_mem_free_async(t.s[on], p));
    t.commands += 4;
}
static void step_query(void)
{
    uint32_t e = rng_below(&t.r, t.events);
    sf_result r = rng_below(&t.r, 2) ? sf_stream_query(t.s[any_stream()]) : sf_event_query(t.e[e]);
    if (r != SF_OK && r != SF_NOT_READY) { CHECK_OK(r); }
    t.commands++;
}
static void step_synchronize(void)
{
    uint32_t e = rng_below(&t.r, t.events);
    if (rng_below(&t.r, 2)) {
        CHECK_OK(sf_stream_synchronize(t.s[any_stream()], GUARD));
    } else {
        CHECK_OK(sf_event_synchronize(t.e[e], GUARD));
    }
    t.commands++;
}
static void callback(sf_stream *s, sf_result status, void *user)
{
    (void)s, (void)user;
    test_add(&callbacks, status == SF_OK ? 1 : 1000000);
}
static void step_callback(void)
{
    CHECK_OK(sf_stream_add_callback(t.s[any_stream()], callback, NULL, 0));
    callbacks_expected++;
    t.commands++;
}
static void step_stream(void)                /* its work goes on; the next one comes after it */
{
    uint32_t s = own_stream(), e = rng_below(&t.r, t.events);
    sf_stream_desc desc = { .flags = s < BLOCKING ? SF_STREAM_DEFAULT : SF_STREAM_NON_BLOCKING };
    desc.priority = -(int32_t)rng_below(&t.r, 6);
    traffic_record(&t, e, s);
    CHECK_OK(sf_stream_destroy(t.s[s]));
    CHECK_OK(sf_stream_create(t.device, &desc, &t.s[s]));
    if (rng_below(&t.r, 2)) { CHECK_OK(sf_stream_copy_attributes(t.s[s], t.s[any_stream()])); }
    traffic_wait(&t, s, e);
    t.commands += 2;
}
static void step_event(void)
{
    uint32_t e = rng_below(&t.r, t.events);
    CHECK_OK(sf_event_destroy(t.e[e]));
    CHECK_OK(sf_event_create(t.device, rng_below(&t.r, 4), &t.e[e]));
    t.event_epoch[e] = 0;
    t.commands += 2;
}
static void step_fork(void)                  /* a stream of the library's, for one command */
{
    uint32_t s = any_stream(), b = rng_below(&t.r, t.buffers);
    traffic_op op = { .kind = TRAFFIC_MIX, .dst = b, .src = b, .n = TRAFFIC_WORDS, .mul = 5, .add = rng_next(&t.r) };
    sf_stream *child = NULL;
    traffic_need(&t, s, b, true);
    CHECK_OK(sf_stream_fork(t.s[s], &child));
    CHECK_OK(traffic_call(&t, child, &op));
    CHECK_OK(sf_stream_join(t.s[s], child));
    traffic_note(&t, s, b, b);
    traffic_apply(t.model, &op);
    t.commands += 2;
}
static void step_capture(void)               /* beside all that is in flight, on streams of its own */
{
    graph *g = &graphs[rng_below(&t.r, GRAPHS)];
    if (g->exec) {                           /* in flight or not */
        CHECK_OK(sf_graph_exec_destroy(g->exec));
        CHECK_OK(sf_device_synchronize(t.device, GUARD));    /* before its host functions' arguments go */
        CHECK_OK(sf_graph_destroy(g->graph));
    }
    g->first = rng_below(&t.r, t.buffers - GRAPH_BUFFERS) / 2 * 2;
    sub.pinned = traffic_at(&t, g->first), sub.gpu = traffic_at(&t, g->first + 1);
    sub.jobs = g->jobs, sub.job_count = 0, sub.job_room = COUNT(g->jobs);
    sub.r = rng_seed(rng_next(&t.r));
    g->graph = traffic_capture(&sub, (sf_capture_mode)rng_below(&t.r, 3), 1 + rng_below(&t.r, GRAPH_OPS - 1),
                               &g->script);
    traffic_check_graph(g->graph, &g->script);
    CHECK_OK(sf_graph_instantiate(g->graph, 0, &g->exec));
    t.commands += sub.commands;
    sub.commands = 0;
}
static void step_launch(void)
{
    graph *g = &graphs[rng_below(&t.r, GRAPHS)];
    uint32_t s = any_stream();
    if (!g->exec) { return; }
    for (uint32_t b = 0; b < GRAPH_BUFFERS; b++) { traffic_need(&t, s, g->first + b, true); }
    CHECK_OK(sf_graph_launch(g->exec, t.s[s]));
    traffic_launched(&t, t.model + g->first, &g->script);
    for (uint32_t b = 0; b < GRAPH_BUFFERS; b++) { traffic_note(&t, s, g->first + b, g->first + b); }
    t.commands -= GRAPH_BUFFERS;
}
static void *managed;
static void step_managed(void)
{
    sf_stream *s = t.s[own_stream()];
    if (rng_below(&t.r, 2)) {
        CHECK_OK(sf_mem_prefetch_async(s, managed, 65536, rng_below(&t.r, 2)));
    } else {
        CHECK_OK(sf_stream_attach_mem_async(s, managed, 0, SF_ATTACH_GLOBAL));
    }
    t.commands++;
}
static const struct { void (*step)(void); uint32_t weight; } steps[] = {
    { step_command, 600 }, { step_wait, 120 }, { step_memory, 40 }, { step_query, 30 }, { step_synchronize, 6 },
    { step_callback, 30 }, { step_stream, 8 }, { step_event, 12 }, { step_fork, 30 }, { step_capture, 2 },
    { step_launch, 30 }, { step_managed, 4 },
};
static void step(void)
{
    uint32_t sum = 0, pick;
    for (size_t i = 0; i < COUNT(steps); i++) { sum += steps[i].weight; }
    pick = rng_below(&t.r, sum);
    for (size_t i = 0;; pick -= steps[i++].weight) {
        if (pick < steps[i].weight) {
            steps[i].step();
            return;
        }
    }
}

/* -- begin, end -- */

static void check(void)
{
    traffic_check(&t);
    for (int i = 0; i < 30000 && test_load(&callbacks) < callbacks_expected; i++) { usleep(1000); }
    CHECK_EQUAL(test_load(&callbacks), callbacks_expected);
    t.job_count = 0;                         /* all have run */
}
static void soak_begin(void)
{
    static const sf_mem_pool_desc descs[COUNT(pools)] = {
        { .kind = SF_MEM_POOL_ASYNC, .release_threshold_bytes = 1 << 20 },
        { .kind = SF_MEM_POOL_ASYNC, .no_internal_wait = true, .release_threshold_bytes = 1 << 24 },
        { .kind = SF_MEM_POOL_ASYNC, .no_follow_event = true, .no_opportunistic = true },
    };
    sf_device *device = test_open_desc(
        &(sf_device_desc){ .host = { .workers = 3, .order = (sf_order)order_number, .seed = seed } });
    t.streams = TRAFFIC_STREAMS - FIXED;
    t.buffers = TRAFFIC_BUFFERS, t.events = TRAFFIC_EVENTS, t.job_room = JOBS, t.spin = 100;
    traffic_make(&t, device, seed);
    for (uint32_t i = 0; i < BLOCKING; i++) {
        CHECK_OK(sf_stream_destroy(t.s[i]));
        CHECK_OK(sf_stream_create(device, NULL, &t.s[i]));
    }
    t.s[t.streams++] = sf_stream_legacy(device);
    t.s[t.streams++] = sf_stream_per_thread(device);
    t.values = (uint32_t *)test_memory(device, sizeof t.value);
    sub.device = device;
    sub.streams = GRAPH_STREAMS, sub.buffers = GRAPH_BUFFERS, sub.events = GRAPH_STREAMS;
    for (uint32_t i = 0; i < GRAPH_STREAMS; i++) { sub.s[i] = test_stream(device), sub.e[i] = test_event(device); }
    for (size_t i = 0; i < COUNT(pools); i++) { CHECK_OK(sf_mem_pool_create(device, &descs[i], &pools[i])); }
    CHECK_OK(sf_mem_alloc(device, 65536, SF_MEMORY_MANAGED, &managed));
}
static void soak_end(void)
{
    sf_counters c;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        if (graphs[i].exec) { CHECK_OK(sf_graph_exec_destroy(graphs[i].exec)); }
        if (graphs[i].graph) { CHECK_OK(sf_graph_destroy(graphs[i].graph)); }
    }
    for (uint32_t i = 0; i < GRAPH_STREAMS; i++) {
        CHECK_OK(sf_stream_destroy(sub.s[i]));
        CHECK_OK(sf_event_destroy(sub.e[i]));
    }
    for (size_t i = 0; i < COUNT(pools); i++) { CHECK_OK(sf_mem_pool_destroy(pools[i])); }
    CHECK_OK(sf_mem_free(t.device, managed));
    CHECK_OK(sf_mem_free(t.device, t.values));
    t.streams -= FIXED;
    traffic_end(&t);
    CHECK_OK(sf_device_synchronize(t.device, GUARD));
    CHECK_OK(sf_device_get_counters(t.device, &c));
    CHECK_EQUAL(c.live_graphs, 0);
    CHECK_EQUAL(c.live_bytes, 0);
    CHECK_EQUAL(c.live_streams, 0);
    CHECK_EQUAL(c.live_events, 0);
    test_close(t.device);
}

int main(int argc, char **argv)
{
    uint64_t commands = 1000000, next = 0;
    for (int i = 1; i + 1 < argc; i++) {
        if (!strcmp(argv[i], "--backend") && !test_choose_backend(argv[i + 1])) { return 2; }
        if (!strcmp(argv[i], "--commands")) { commands = strtoull(argv[i + 1], NULL, 10); }
        if (!strcmp(argv[i], "--seed")) { seed = strtoull(argv[i + 1], NULL, 10); }
        if (!strcmp(argv[i], "--order")) { order_number = atoi(argv[i + 1]); }
    }
    test_need_backend();
    soak_begin();
    while (t.commands < commands) {
        step();
        if (t.commands >= next || t.job_count > JOBS - 64) {
            check();
            next = t.commands + CHECK_EACH;
        }
    }
    check();
    soak_end();
    printf("soak %s %llu %llu ok\n", on_cuda() ? "cuda" : "host", (unsigned long long)seed,
           (unsigned long long)t.commands);
    return 0;
}
