/*  test_region.c - regions: operators that are one unit of a flow, and one graph launch per turn. A flow is laid out
    in arrays; a model says what each operator sees in each turn. Kernels are slow, or run in an order that a seed
    chooses, so that a missing edge of a graph, or a missing wait, shows in content. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static const char *nap_at;                                   /* threads give the others time here */
static void step(const char *place)
{
    if (nap_at && !strcmp(place, nap_at)) { usleep(300); }
}
#include "../streamflow.h"
#include <cmocka.h>
#include "flow_test.h"
#include "hooks.h"

enum { SPIN = 2000, NODES = 16, TURNS = 64, LOG_WORDS = NODES * TURNS * PROBE };
static sf_device *device;
static uint32_t *logs, *gate, *frames;       /* PROBE words per node and turn; a word that opens; what is pushed */
static uint32_t *scratch;                    /* two times WORDS */
static test_heap heap;                       /* of the device, on the host */

/* Each body under each order of the host device, and once on CUDA. */
static uint32_t order_now;
static void begin(uint32_t order, uint64_t seed)
{
    notes_clear();
    order_now = order;
    device = open_order(order, seed);
    logs = (uint32_t *)test_memory(device, (LOG_WORDS + 1 + 10 * WORDS) * sizeof *logs);
    gate = logs + LOG_WORDS;
    frames = gate + 1;
    scratch = frames + 8 * WORDS;
    for (uint32_t i = 0; i < 8 * WORDS; i++) { frames[i] = 7000 + i / WORDS; }
}
static void end(void)
{
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}
static void in_orders(void (*body)(void), uint32_t count)
{
    for (uint32_t o = 0; o < count; o++) {
        begin(o, 42);
        body();
        end();
    }
}
#define TEST_IN(name, count)                                                                                 \
    static void name##_body(void);                                                                           \
    static void name(void **state)                                                                           \
    {                                                                                                        \
        (void)state;                                                                                         \
        in_orders(name##_body, count);                                                                       \
    }                                                                                                        \
    static void name##_body(void)
#define EACH_ORDER(name) TEST_IN(name, order_count())
#define ON_THREADS(name) TEST_IN(name, 1)
static void clear_logs(void)
{
    memset(logs, 0, LOG_WORDS * sizeof *logs);
    test_store(gate, 0);
    notes_clear();
}
static sf_counters counters(void)
{
    sf_counters c;
    CHECK_OK(sf_device_get_counters(device, &c));
    return c;
}

/* -- flows laid out in arrays -- */

enum { NO = -1, OUTSIDE = -2 };              /* inputs from nowhere; from sf_flow_push() */
typedef enum node_kind {
    WORK, COPIES, MOODY, VALUE, FORWARD, TOUCH, SINK, RANDOM_KINDS,  /* of any flow */
    GATHER = RANDOM_KINDS, GATE, LIFT, HOLD, KEEP, LINGER, REST
} node_kind;
typedef struct node {
    int id, inputs, from[3];
    sf_edge_desc edge[3];
    node_kind kind;
    int32_t region;
    uint32_t spin, done_at, bad_at;          /* in that turn, from 1 on: SF_DONE; mischief */
    bool notes, own_pool;
} node;
static node nodes[NODES];
static sf_op_desc descs[NODES];
static sf_op ops[NODES];
static const char *const names[NODES] = {
    "n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11", "n12", "n13", "n14", "n15"
};
static const char *const ports[] = { "a", "b", "c" };
static uint32_t variety;                     /* so many different turns has a region, then they come again */
static uint32_t arrived, go_on, entered;
static sf_tensor *kept;
static sf_result mischief(sf_context *ctx, const node *n);

static uint32_t *log_of(int id, uint64_t run) { return logs + PROBE * (TURNS * (uint32_t)id + (uint32_t)run); }
static uint32_t mood(const node *n, uint64_t run) { return (uint32_t)(n->region ? run % variety : run); }
static uint32_t word_of(const node *n, uint64_t run) { return 1000 * (uint32_t)n->id + mood(n, run); }
static bool logged(const node *n)
{
    return (!n->region || variety >= TURNS) && n->kind != FORWARD && n->kind != VALUE;
}
static bool is_value(const node *n, int port) { return n->from[port] >= 0 && nodes[n->from[port]].kind == VALUE; }
static uint32_t seen_by(int id, uint64_t run);
static struct { uint32_t value; bool known; } modelled[NODES][TURNS];         /* of value_of(), until nodes change */
static void forget_modelled(void) { memset(modelled, 0, sizeof modelled); }
static uint32_t value_of(int id, uint64_t run)               /* the model: what it emits */
{
    const node *n = &nodes[id];
    uint32_t v = word_of(n, run);
    if (n->kind == FORWARD || n->kind == TOUCH || n->kind == KEEP) { return seen_by(id, run); }
    if (run < TURNS && modelled[id][run].known) { return modelled[id][run].value; }
    for (int p = 0; p < n->inputs; p++) {
        uint64_t d = n->edge[p].delay;
        if (n->from[p] == OUTSIDE) { v += 7000 + (uint32_t)run; }
        if (n->from[p] < 0 || run < d || (n->kind == VALUE && !is_value(n, p))) { continue; }
        v += value_of(n->from[p], run - d);
    }
    if (run < TURNS) { modelled[id][run].value = v, modelled[id][run].known = true; }
    return v;
}
static uint32_t seen_by(int id, uint64_t run)
{
    const node *n = &nodes[id];
    uint64_t d = n->edge[0].delay;
    if (n->kind != FORWARD && n->kind != TOUCH && n->kind != KEEP && n->kind != SINK) { return value_of(id, run); }
    return n->from[0] == OUTSIDE ? 7000 + (uint32_t)run : run < d ? 0 : value_of(n->from[0], run - d);
}
static void check_log(int id, uint32_t turns)
{
    forget_modelled();
    for (uint32_t k = 0; k < turns; k++) {
        const uint32_t *log = log_of(id, k), want = seen_by(id, k);
        if (log[0] != want || log[1] || !log[2]) {
            fail_msg("%s, turn %u: %u with %u words torn, %u times; not %u", names[id], k, log[0], log[1],
                     log[2], want);
        }
    }
    if (turns < TURNS && log_of(id, turns)[2]) { fail_msg("%s has turn %u", names[id], turns); }
}

static sf_result linger(uint32_t *word)                      /* for computes: until somebody says go */
{
    test_store(word, 1);
    for (int i = 0; i < 60000 && !test_load(&go_on); i++) { usleep(200); }
    return test_load(&go_on) ? SF_OK : (sf_result)(SF_ERROR_USER - 99);
}
static sf_result work(sf_context *ctx)
{
    const node *n = (const node *)ctx->user;
    uint32_t add = word_of(n, ctx->run), steps = n->kind == MOODY ? mood(n, ctx->run) % 3 : 0;
    uint32_t *log = logged(n) && ctx->run < TURNS ? log_of(n->id, ctx->run) : NULL, *o, *data[3] = { NULL };
    sf_tensor *t[3] = { NULL }, *out;
    sf_stream *s;
    int count = 0;
    if (n->bad_at == ctx->run + 1) { return mischief(ctx, n); }
    if (n->notes) { note_down(n->id, sf_flow_now(ctx->flow)); }
    for (int p = 0; p < n->inputs; p++) {
        if (is_value(n, p)) { add += (uint32_t)sf_receive_value(ctx, p).u64; continue; }
        t[count] = sf_receive(ctx, p);
        data[count] = (uint32_t *)t[count]->data;
        count++;
    }
    if (n->kind == VALUE) { return sf_emit_value(ctx, 0, number(add)); }     /* these two ask for no stream */
    if (n->kind == FORWARD) { return sf_emit(ctx, 0, t[0]); }
    s = sf_compute_stream(ctx);
    switch (n->kind) {
    case KEEP: kept = sf_tensor_retain(t[0]); /* fallthrough */
    case SINK: case TOUCH:
        if (log) { probe(s, data[0], log, n->spin); }
        return n->kind == SINK ? SF_OK : sf_emit(ctx, 0, t[0]);
    case GATE: test_gate(s, gate, (uint32_t)ctx->run + 1); break;
    case LIFT: test_lift(s, gate, (uint32_t)ctx->run + 1); break;
    case HOLD: test_gate(s, gate, 1); break;
    case LINGER: if (ctx->run == 2 && linger(&arrived) < 0) { return SF_ERROR_USER; } break;
    case REST: if (ctx->run % 2) { return SF_OK; } break;    /* every other turn: neither launches nor emits */
    default: break;
    }
    out = sf_tensor_create(ctx, 0, NULL);
    o = (uint32_t *)out->data;
    if (n->kind == COPIES && count) {                        /* a copy of the first input, in pieces; then as usual */
        sf_memset_async(s, o, 0xee, BYTES);
        sf_memcpy_async(s, o, data[0], BYTES / 2);
        sf_memcpy_2d_async(s, o + WORDS / 2, BYTES / 4, data[0] + WORDS / 2, BYTES / 4, BYTES / 4, 2);
        paint(s, o, o, data[1], add, n->spin);
    } else {
        paint(s, o, data[0], data[1], add - steps, n->spin);
    }
    for (uint32_t i = 0; i < steps; i++) { paint(s, o, o, NULL, 1, 0); }
    if (data[2]) { paint(s, o, o, data[2], 0, n->spin); }
    if (log) { probe(s, o, log, n->spin); }
    sf_emit(ctx, 0, out);
    return n->done_at == ctx->run + 1 ? SF_DONE : SF_OK;
}
static sf_result gather(sf_context *ctx)
{
    const node *n = (const node *)ctx->user;
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL), *t;
    sf_stream *s = NULL;
    uint32_t add = word_of(n, ctx->run), *last = NULL;
    for (int p = 0; p < n->inputs; p++) {
        while (sf_available(ctx, p) && (t = sf_receive(ctx, p)) != NULL) {
            s = p & 1 ? sf_receive_stream(ctx, p, 0) : sf_compute_stream(ctx);
            paint(s, out->data, t->data, last, add, n->spin);
            last = (uint32_t *)out->data, add = 0;
        }
    }
    return sf_emit(ctx, 0, out);
}

static void forget(void)
{
    memset(nodes, 0, sizeof nodes);
    memset(descs, 0, sizeof descs);
    memset(ops, 0, sizeof ops);
    variety = TURNS;
    arrived = go_on = entered = 0;
}
static sf_op_desc *have(int id, int32_t region, node_kind kind, int a, int b, int c)
{
    node *n = &nodes[id];
    sf_op_desc *d = &descs[id];
    *n = (node){ .id = id, .from = { a, b, c }, .kind = kind, .region = region, .spin = SPIN };
    *d = (sf_op_desc){ .name = names[id], .compute = kind == GATHER ? gather : work, .user = n, .region = region };
    for (; n->inputs < 3 && n->from[n->inputs] != NO; n->inputs++) {
        d->in[n->inputs] = (sf_port){ .name = ports[n->inputs], .external = n->from[n->inputs] == OUTSIDE };
    }
    if (kind != SINK) {
        d->out[0].name = "o";
        d->out[0].bytes = kind == VALUE || kind == FORWARD || kind == TOUCH || kind == KEEP ? 0 : BYTES;
    }
    return d;
}
/* Those that are not in a flow yet, added in an order that `seed` chooses; 0: as numbered. */
static void add_all(sf_flow *f, uint64_t seed)
{
    int order[NODES], count = 0;
    rng r = rng_seed(seed);
    for (int i = 0; i < NODES; i++) {
        int k = seed ? (int)rng_below(&r, (uint32_t)count + 1) : count;
        if (!descs[i].compute || ops[i].id) { continue; }
        order[count] = order[k];
        order[k] = i;
        count++;
    }
    for (int i = 0; i < count; i++) { ops[order[i]] = sf_flow_add(f, &descs[order[i]]); }
    for (int i = 0; i < count; i++) {
        const node *n = &nodes[order[i]];
        for (int p = 0; p < n->inputs; p++) {
            if (n->from[p] < 0) { continue; }
            CHECK_OK(sf_flow_connect(f, ops[n->from[p]], NULL, ops[n->id], ports[p], &n->edge[p]));
        }
    }
}
static sf_flow *flow_from(sf_flow_desc d, uint64_t seed)
{
    sf_flow *f;
    d.device = device;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    add_all(f, seed);
    return f;
}
static sf_flow *flow_of(uint64_t seed) { return flow_from((sf_flow_desc){ .name = NULL }, seed); }
static sf_flow *crew_of(int32_t threads, uint64_t seed)
{
    return flow_from((sf_flow_desc){ .workers = { { .count = threads }, { .count = 1 } } }, seed);
}

/* Source 0; in the region 1 -> { 2, 3 } -> 4; sink 5 behind 4; sink 6 behind 1, whose messages could leave early. */
static void diamond_at(int base, int32_t region, uint64_t turns)
{
    have(base, 0, WORK, NO, NO, NO)->count = turns;
    have(base + 1, region, WORK, base, NO, NO);
    have(base + 2, region, WORK, base + 1, NO, NO);
    have(base + 3, region, WORK, base + 1, NO, NO);
    have(base + 4, region, WORK, base + 2, base + 3, NO);
    have(base + 5, 0, SINK, base + 4, NO, NO);
    have(base + 6, 0, SINK, base + 1, NO, NO);
}
static void diamond(uint64_t turns)
{
    forget();
    diamond_at(0, 7, turns);
}
static void check_diamond(int base, uint32_t turns)
{
    for (int i = base + 1; i < base + 7; i++) {              /* the source may have had more */
        if (logged(&nodes[i])) { check_log(i, turns); }
    }
}
static void runs_are(const sf_flow *f, int first, int last, uint64_t want)
{
    for (int i = first; i <= last; i++) { CHECK_EQUAL(runs_of(f, ops[i]), want); }
}
/* Runs a diamond from beginning to end: how many graphs that takes. */
static uint64_t graphs_of(uint64_t seed, uint32_t turns)
{
    sf_counters a = counters(), b;
    sf_flow *f = flow_of(seed);
    clear_logs();
    guarded_run_is(f, SF_OK, gate);
    b = counters();
    check_diamond(0, turns);
    runs_are(f, 1, 6, turns);
    CHECK(b.synchronizes - a.synchronizes <= 10);            /* at the end; none per turn */
    CHECK(b.live_graphs - a.live_graphs <= 20);              /* 8 executables, with a graph each, and some */
    destroy(f);
    return b.graph_launches - a.graph_launches;
}
static sf_mem_pool *pool_of(size_t blocks, sf_memory memory)
{
    sf_mem_pool_desc d = { .memory = memory, .block_bytes = BYTES, .blocks = blocks };
    sf_mem_pool *pool = NULL;
    CHECK_OK(sf_mem_pool_create(device, &d, &pool));
    return pool;
}

/* -- one launch per turn -- */

EACH_ORDER(one_launch_per_turn)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        diamond(20);
        CHECK_EQUAL(graphs_of(seed, 20), 20);
    }
}

/* A flow's whole life: the difference of two tells what the turns between cost, to the last allocation. */
typedef struct life { sf_counters c; long device_heap, flow_heap; } life;
static test_heap flow_heap;
static life life_of(uint32_t turns, uint32_t different)
{
    life l;
    sf_counters a, *b = &l.c;
    sf_mem_pool *pools[5];
    sf_flow *f;
    clear_logs();
    diamond(turns);
    variety = different;
    for (int i = 0; i < 5; i++) { descs[i].out[0].pool = pools[i] = pool_of(1, SF_MEMORY_DEVICE); }
    a = counters();
    l.device_heap = heap.total, l.flow_heap = flow_heap.total;
    f = flow_from((sf_flow_desc){ .heap = { test_heap_alloc, test_heap_free, &flow_heap } }, turns);
    run_is(f, SF_OK);
    *b = counters();
    CHECK(b->live_graphs - a.live_graphs <= 20);
    for (int i = 5; i < 7; i++) { check_log(i, turns); }
    destroy(f);
    l.device_heap = heap.total - l.device_heap, l.flow_heap = flow_heap.total - l.flow_heap;
    b->launches -= a.launches, b->graph_launches -= a.graph_launches, b->allocations -= a.allocations;
    b->event_records -= a.event_records, b->event_waits -= a.event_waits, b->copies -= a.copies;
    b->stream_creates -= a.stream_creates, b->event_creates -= a.event_creates;
    for (int i = 0; i < 5; i++) { CHECK_OK(sf_mem_pool_destroy(pools[i])); }
    return l;
}
static void turns_that_come_again_are_replayed(void **state)
{
    (void)state;
    for (uint32_t different = 1; different <= 8; different += different < 3 ? 1 : 5) {
        const uint32_t more = 32;
        life a, b;
        notes_clear();
        memset(&heap, 0, sizeof heap);
        device = test_open_desc(
            &(sf_device_desc){ .host.workers = 3, .heap = { test_heap_alloc, test_heap_free, &heap } });
        logs = (uint32_t *)test_memory(device, (LOG_WORDS + 1) * sizeof *logs);
        gate = logs + LOG_WORDS;
        life_of(16 + more, different);                       /* the device's own structures grow */
        a = life_of(16, different);
        b = life_of(16 + more, different);
        CHECK_EQUAL(b.c.graph_launches - a.c.graph_launches, more);
        CHECK_EQUAL(b.c.launches - a.c.launches, 4 * more);  /* the source's two and a sink's one: no capture */
        CHECK_EQUAL(b.c.stream_creates - a.c.stream_creates, 0);
        CHECK(b.c.event_creates <= a.c.event_creates);
        CHECK_EQUAL(b.c.allocations - a.c.allocations, 0);
        CHECK(b.device_heap - a.device_heap < (long)more);   /* the device may grow at any time, but not per turn */
        CHECK(b.flow_heap - a.flow_heap < (long)more);       /* built in another order: a chunk more or less */
        /* A record for each sink, one for the source and one for the region; a wait for each message, and one for
           each block that two streams had: as if the region were one operator. */
        CHECK_EQUAL(b.c.event_records - a.c.event_records, 4 * more);
        CHECK(b.c.event_waits - a.c.event_waits <= 6 * more);
        CHECK_OK(sf_mem_free(device, logs));
        test_close(device);
        CHECK_EQUAL(heap.live, 0);
    }
}
EACH_ORDER(turns_that_never_come_again)                      /* update an executable, or make it anew: not one more */
{
    CHECK_EQUAL(life_of(TURNS - 1, 9).c.graph_launches, TURNS - 1);
    for (int kind = WORK; kind <= MOODY; kind++) {           /* other copies; more launches, and less */
        diamond(TURNS - 1);
        nodes[1].kind = nodes[2].kind = nodes[4].kind = (node_kind)kind;
        CHECK_EQUAL(graphs_of(3, TURNS - 1), TURNS - 1);
    }
}

ON_THREADS(out_of_memory)                                    /* wherever it happens: said so, and nothing is lost */
{
    sf_device *outer = device;
    uint32_t *outer_logs = logs, last = 0;
    if (on_cuda()) { return; }
    for (long n = 1; last < 20; n += 1 + n / 100) {
        sf_result r;
        sf_flow *f;
        memset(&heap, 0, sizeof heap);
        device = test_open_desc(&(sf_device_desc){ .host = { .order = SF_ORDER_FIRST_IN },
                                                   .heap = { test_heap_alloc, test_heap_free, &heap } });
        logs = (uint32_t *)test_memory(device, (LOG_WORDS + 1) * sizeof *logs);
        gate = logs + LOG_WORDS;
        diamond(12);
        f = flow_of(1);
        heap.fail_at = heap.total + n;
        r = sf_flow_run(f);
        CHECK(r == SF_OK || r == SF_ERROR_OUT_OF_MEMORY);
        last += heap.total < heap.fail_at;                   /* there were not so many */
        if (r == SF_OK) { check_diamond(0, 12); }
        CHECK_IS(sf_flow_destroy(f), r);
        (void)sf_mem_free(device, logs);
        test_close(device);
        CHECK_EQUAL(heap.live, 0);
    }
    device = outer, logs = outer_logs;
}

/* Turns that differ in the last byte of the arguments. */
static blob_args blob;
static sf_result blob_member(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    blob.out = (uint32_t *)out->data, blob.words = BLOB_WORDS;
    blob.data[BLOB_WORDS - 1] = (uint32_t)(ctx->run % 3) << 24;
    sf_launch(s, &blob_kernel, &blob, sizeof blob);
    return sf_emit(ctx, 0, out);
}
static sf_result copy_word(sf_context *ctx)
{
    const uint32_t *t = (const uint32_t *)sf_receive(ctx, 0)->data;
    return sf_memcpy_async(sf_compute_stream(ctx), log_of(2, ctx->run), t + BLOB_WORDS - 1, 4);
}
EACH_ORDER(every_byte_of_the_arguments_counts)
{
    sf_flow *f;
    forget();
    have(1, 2, WORK, NO, NO, NO)->compute = blob_member;
    have(2, 0, SINK, 1, NO, NO)->compute = copy_word;
    descs[1].count = 30;
    descs[1].out[0].bytes = 4 * BLOB_WORDS;
    f = flow_of(1);
    run_is(f, SF_OK);
    for (uint32_t k = 0; k < 30; k++) { CHECK_EQUAL(log_of(2, k)[0], (k % 3) << 24); }
    destroy(f);
}

/* 1 clears the scratch, 2 writes 7 there, and 3, behind it, adds one; but in even turns 4, which is behind 1 only,
   does so: the same launches in the same order, and one edge less. These turns are a race, so not on threads; the
   last one is none. */
static sf_result same_launches(sf_context *ctx)
{
    const node *n = (const node *)ctx->user;
    sf_stream *s;
    for (int p = 0; p < n->inputs; p++) { (void)sf_receive_value(ctx, p); }
    s = sf_compute_stream(ctx);
    if (n->id == 1) { sf_memset_async(s, scratch, 0, 2 * BYTES); }
    if (n->id == 2) { paint(s, scratch, NULL, NULL, 7, SPIN); }
    if (n->id == (ctx->run % 2 ? 3 : 4)) { paint(s, scratch + WORDS, scratch, NULL, 1, 0); }
    return n->id < 5 ? sf_emit_value(ctx, 0, number(1)) : probe(s, scratch + WORDS, log_of(0, 0), 0);
}
EACH_ORDER(the_same_launches_by_others)
{
    sf_flow *f;
    if (!order_now && !on_cuda()) { return; }
    forget();
    have(1, 2, VALUE, NO, NO, NO)->count = 24;
    have(2, 2, VALUE, 1, NO, NO);
    have(3, 2, VALUE, 2, NO, NO);
    have(4, 2, VALUE, 1, NO, NO);
    have(5, 2, SINK, 3, 4, NO);
    for (int i = 1; i <= 5; i++) { descs[i].compute = same_launches; }
    f = flow_of(0);
    for (int again = 0; again < 10; again++) {
        run_is(f, SF_OK);
        CHECK_EQUAL(log_of(0, 0)[0], 8);
    }
    destroy(f);
}

/* -- what a newcomer does wrong with regions is told once -- */

static struct { uint32_t warnings; char text[512]; bool writes, launches, hands_on, changes; } told;
static void hear(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line, const char *file,
                 void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    if (level != 2) { return; }
    told.warnings++;
    snprintf(told.text, sizeof told.text, "%s", message);
}
static sf_result told_writer(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (told.writes) { sf_memset_async(sf_compute_stream(ctx), t->data, told.changes ? (uint8_t)ctx->run : 7, BYTES); }
    return sf_emit(ctx, 0, t);
}
static sf_result told_reader(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    if (told.launches) { sf_memset_async(sf_compute_stream(ctx), t->data, 8, BYTES); }
    return told.hands_on ? sf_emit(ctx, 0, t) : SF_OK;
}
static sf_result told_end(sf_context *ctx) { return (void)sf_receive(ctx, 0), SF_OK; }
static void what_is_wrong_in_a_region_is_told(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 32; k++) {
        const bool inside = !(k & 16);
        sf_flow *f;
        sf_op a, b;
        memset(&told, 0, sizeof told);
        told.writes = k & 1, told.launches = k & 2, told.hands_on = k & 4, told.changes = k & 8;
        device = open_device();
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger.func = hear });
        a = sf_flow_add(f, &(sf_op_desc){ .name = "writer", .compute = told_writer, .region = 1, .count = 100,
                                          .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = told_reader, .in = { { .name = "frame" } },
                                          .region = inside, .out = { { .name = told.hands_on ? "out" : NULL } },
                                          .when = { { .kind = inside ? SF_CONDITION_NONE : SF_CONDITION_STREAM } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
        if (told.hands_on) {                 /* it may hand on what it does not read */
            sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = told_end, .in = { { .name = "in" } },
                                                    .when = { { .kind = SF_CONDITION_STREAM } } });
            CHECK_OK(sf_flow_connect(f, b, "out", c, NULL, NULL));
        }
        CHECK_OK(sf_flow_run(f));
        CHECK_OK(sf_flow_destroy(f));
        if (inside && told.writes && !told.launches && !told.hands_on) {
            CHECK_EQUAL(told.warnings, told.changes ? 2 : 1);
            if (!told.changes) {
                CHECK(strstr(told.text, "operator \"reader\" launched nothing, and what input \"frame\" brings"));
            }
        } else {
            CHECK_EQUAL(told.warnings, told.writes && told.changes);
        }
        if (told.writes && told.changes) {
            CHECK(strstr(told.text, "region 1: 64 graphs were captured anew, as more than 8 launch sequences"));
        }
        test_close(device);
    }
}

EACH_ORDER(nothing_launched_no_graph)
{
    sf_counters a = counters();
    sf_flow *f;
    forget();
    have(0, 0, WORK, NO, NO, NO)->count = 20;
    have(1, 5, FORWARD, 0, NO, NO);                          /* what is behind waits for the source all the same */
    have(2, 5, VALUE, 1, NO, NO);
    have(3, 5, FORWARD, 1, NO, NO);
    have(4, 0, TOUCH, 3, NO, NO);
    have(5, 0, WORK, 2, 4, NO);
    f = flow_of(2);
    run_is(f, SF_OK);
    CHECK_EQUAL(counters().graph_launches, a.graph_launches);
    check_log(4, 20), check_log(5, 20);
    destroy(f);
    clear_logs();
    forget();                                                /* and in every other turn */
    have(0, 0, WORK, NO, NO, NO)->count = 20;
    have(1, 5, FORWARD, 0, NO, NO);
    have(2, 5, REST, 1, NO, NO);
    have(3, 0, SINK, 2, NO, NO);
    f = flow_of(2);
    run_is(f, SF_OK);
    CHECK_EQUAL(counters().graph_launches - a.graph_launches, 10);
    forget_modelled();
    for (uint32_t k = 0; k < 10; k++) { CHECK_PROBE(log_of(3, k), value_of(2, 2 * k)); }
    destroy(f);
}

/* -- order -- */

EACH_ORDER(members_side_by_side)                             /* one waits for one that it does not depend on */
{
    for (int which = 2; which < 4; which++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            diamond(12);
            nodes[which].kind = GATE, nodes[5 - which].kind = LIFT;
            CHECK_EQUAL(graphs_of(seed, 12), 12);
        }
    }
    diamond(12);                                             /* behind one that launches nothing, too */
    have(2, 7, GATE, 0, NO, NO), have(7, 7, FORWARD, 1, NO, NO), have(3, 7, LIFT, 7, NO, NO);
    CHECK_EQUAL(graphs_of(0, 12), 12);
}
EACH_ORDER(turns_in_flight)                                  /* all computed while the first is on the device */
{
    for (uint32_t different = 1; different <= TURNS; different += TURNS - 1) {
        sf_flow *f;
        clear_logs();
        diamond(12);
        variety = different;
        nodes[2].kind = HOLD;
        for (int i = 1; i < 7; i++) { descs[i].in[0].capacity = descs[i].in[1].capacity = 4; }
        f = flow_of(different);
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < 30000 && runs_of(f, ops[5]) < 12; i++) { usleep(1000); }
        CHECK_EQUAL(runs_of(f, ops[5]), 12);
        CHECK_EQUAL(test_load(&log_of(5, 0)[2]), 0);
        test_store(gate, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        check_diamond(0, 12);
        destroy(f);
    }
}
/* Whoever wrote a block or still reads it: blocks are few, readers slow, and a region's readers are inside, too. */
EACH_ORDER(blocks_are_reused_when_the_graph_is_done)
{
    for (uint32_t blocks = 4; blocks >= 3; blocks--) {       /* of the four that a turn takes */
        sf_mem_pool *shared = pool_of(blocks, SF_MEMORY_DEVICE), *one = pool_of(1, SF_MEMORY_PINNED);
        diamond(16);
        descs[0].out[0].pool = one;
        for (int i = 1; i < 5; i++) { descs[i].out[0].pool = shared, nodes[i].spin = 4 * SPIN; }
        nodes[5].spin = nodes[6].spin = 8 * SPIN;
        if (blocks == 4) {
            CHECK_EQUAL(graphs_of(blocks, 16), 16);
        } else {
            sf_flow *f = flow_of(blocks);
            sf_result r = sf_flow_run(f);
            CHECK(r < 0);
            runs_are(f, 1, 6, 0);
            destroy_is(f, r);
        }
        CHECK_OK(sf_mem_pool_destroy(shared));
        CHECK_OK(sf_mem_pool_destroy(one));
    }
}
EACH_ORDER(back_through_an_operator_outside)                 /* a delayed edge is no dependency */
{
    diamond(20);
    have(7, 0, WORK, 4, NO, NO);
    have(1, 7, WORK, 0, 7, NO);
    nodes[1].edge[1].delay = 1;
    CHECK_EQUAL(graphs_of(9, 20), 20);
    check_log(7, 20);
}

/* -- a turn is whole -- */

static sf_result push(sf_flow *f, int id, int port, uint32_t k)
{
    sf_tensor_desc d = { .shape = { BYTES }, .data = frames + WORDS * k, .memory = SF_MEMORY_PINNED };
    return sf_flow_push(f, ops[id], port, sf_tensor_wrap(f, &d));
}
static void steps_are(sf_flow *f, int ok)                    /* so many, then none */
{
    for (; ok; ok--) { CHECK_OK(sf_flow_step(f, NULL)); }
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
}
EACH_ORDER(a_turn_begins_when_all_can_run)
{
    sf_mem_pool *shared = pool_of(1, SF_MEMORY_DEVICE), *pool = pool_of(1, SF_MEMORY_DEVICE);
    sf_flow *f;
    forget();
    clear_logs();
    have(1, 4, WORK, OUTSIDE, NO, NO)->out[0].pool = shared;
    have(2, 4, WORK, 1, OUTSIDE, NO)->out[0].pool = pool;
    have(3, 4, KEEP, 2, NO, NO);
    have(4, 0, SINK, 3, NO, NO);
    have(5, 0, WORK, OUTSIDE, NO, NO)->out[0].pool = shared;
    have(6, 0, SINK, 5, NO, NO);
    for (int i = 1; i < 4; i++) { descs[i].priority = -5; }  /* urgent: not the others are what keeps it back */
    f = flow_of(0);
    steps_are(f, 0);
    CHECK_OK(push(f, 1, 0, 0));
    steps_are(f, 0);                                         /* the second lacks an input: nobody runs */
    runs_are(f, 1, 4, 0);
    CHECK_OK(push(f, 2, 1, 0));
    CHECK_OK(sf_flow_step(f, NULL));                         /* a step is a turn */
    runs_are(f, 1, 3, 1), runs_are(f, 4, 4, 0);
    sf_tensor_release(kept), kept = NULL;
    CHECK_OK(push(f, 1, 0, 1));
    CHECK_OK(push(f, 2, 1, 1));
    CHECK_OK(sf_flow_step(f, NULL));                         /* no room behind the third: the sink */
    runs_are(f, 1, 4, 1);
    CHECK_OK(sf_flow_step(f, NULL));
    runs_are(f, 1, 3, 2);
    CHECK_OK(push(f, 1, 0, 2));
    CHECK_OK(push(f, 2, 1, 2));
    steps_are(f, 1);                                         /* the sink; there is no block for the second, ... */
    CHECK_OK(push(f, 5, 0, 0));
    steps_are(f, 2);                                         /* ... so the first takes none from others */
    runs_are(f, 1, 4, 2), runs_are(f, 5, 6, 1);
    sf_tensor_release(kept);
    steps_are(f, 2);
    runs_are(f, 1, 4, 3);
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
    for (int i = 1; i <= 4; i++) { check_log(i, 3); }
    sf_tensor_release(kept), kept = NULL;
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(shared));
    CHECK_OK(sf_mem_pool_destroy(pool));
}

static sf_readiness answer;
static uint32_t executed;
static sf_readiness user_check(void *user, int64_t now, int64_t *wake)
{
    *wake = now + SF_MS(3600000);            /* else nothing would keep the flow waiting for it */
    return (void)user, answer;
}
static void user_executed(void *user, int64_t now) { (void)user, (void)now, executed++, answer = SF_WAIT; }
ON_THREADS(signals_and_conditions_of_the_user)
{
    for (int i = 0; i < 4; i++) {
        int which = 1 + i / 2;
        sf_flow *f;
        clear_logs();
        diamond(8);
        answer = SF_WAIT, executed = 0;
        descs[which].when[0].kind = i & 1 ? SF_CONDITION_USER : SF_CONDITION_SIGNAL;
        descs[which].when[0].custom.check = user_check;
        descs[which].when[0].custom.on_execute = user_executed;
        f = flow_of((uint64_t)i);
        for (uint32_t turn = 0; turn < 3; turn++) {
            while (sf_flow_step(f, NULL) == SF_OK) {}
            runs_are(f, 1, 6, turn);
            answer = SF_READY;
            CHECK_OK(sf_flow_signal(f, ops[which], 0, SF_READY));
            CHECK_OK(sf_flow_step(f, NULL));
            runs_are(f, 1, 4, turn + 1);
            CHECK_EQUAL(executed, i & 1 ? turn + 1 : 0);
        }
        while (sf_flow_step(f, NULL) == SF_OK) {}
        answer = SF_NEVER;                                   /* ends the member, and with it the region */
        CHECK_OK(sf_flow_signal(f, ops[which], 0, SF_NEVER));
        for (int k = 0; k < 20 && sf_flow_step(f, NULL) == SF_OK; k++) {}
        CHECK_IS(sf_flow_wait(f, 0), SF_OK);
        check_diamond(0, 3);
        destroy(f);
    }
}
ON_THREADS(a_condition_ends_a_region_whose_leader_waits)
{
    for (int which = 1; which <= 2; which++) {
        sf_flow *f;
        forget();
        clear_logs();
        have(1, 4, WORK, OUTSIDE, NO, NO);
        have(2, 4, WORK, 1, NO, NO);
        have(3, 0, SINK, 2, NO, NO);
        answer = SF_NEVER;
        descs[which].when[0].kind = SF_CONDITION_USER;
        descs[which].when[0].custom.check = user_check;
        f = flow_of(0);
        for (int k = 0; k < 20 && sf_flow_step(f, NULL) == SF_OK; k++) {}
        CHECK_IS(sf_flow_wait(f, 0), SF_OK);                 /* no message came, and none is waited for */
        runs_are(f, 1, 3, 0);
        destroy(f);
    }
}
ON_THREADS(counts_and_times)
{
    static const struct {
        sf_condition_kind a, b;
        uint32_t of_a, of_b, turns;
        long long at[5];
    } cases[] = {
        { SF_CONDITION_COUNT, SF_CONDITION_COUNT, 3, 4, 3, { 0, 0, 0 } },
        { SF_CONDITION_PERIOD, SF_CONDITION_PERIOD, 4, 10, 5, { 0, 10, 20, 30, 40 } },
        { SF_CONDITION_TIME, SF_CONDITION_PERIOD, 25, 20, 5, { 25, 25, 40, 60, 80 } },
        { SF_CONDITION_TIME, SF_CONDITION_NONE, 70, 0, 5, { 70, 70, 70, 70, 70 } },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f;
        diamond(5);
        descs[2].when[0] = (sf_condition){ .kind = cases[i].a, .ns = cases[i].of_a, .count = cases[i].of_a };
        descs[3].when[0] = (sf_condition){ .kind = cases[i].b, .ns = cases[i].of_b, .count = cases[i].of_b };
        for (int k = 1; k < 5; k++) { nodes[k].notes = true; }
        f = flow_from((sf_flow_desc){ .clock.simulated = true }, i);
        for (int again = 0; again < 2; again++) {            /* conditions begin anew with each run */
            clear_logs();
            run_is(f, SF_OK);
            for (int k = 1; k < 5; k++) { check_notes(k, cases[i].at, cases[i].turns); }
            check_diamond(0, cases[i].turns);
        }
        destroy(f);
    }
}
EACH_ORDER(inputs_from_outside_of_every_kind)                /* batches, many, optional, and asked to be done */
{
    for (int kind = 0; kind < 5; kind++) {
        sf_flow *f;
        uint32_t words = 0;
        clear_logs();
        forget();
        variety = 1;
        have(0, 0, WORK, NO, NO, NO)->count = kind < 2 ? 24 : 12;
        have(1, 3, GATHER, 0, NO, NO);
        have(2, 3, WORK, 1, NO, NO);
        have(3, 0, SINK, 2, NO, NO);
        if (kind == 0) { descs[1].in[0].batch = 2; }
        if (kind == 1) {
            descs[1].in[0].capacity = 2;
            descs[1].when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .ports = 1, .count = 2 };
        }
        if (kind == 2) { descs[1].in[0].many = true, have(4, 0, WORK, NO, NO, NO)->count = 12; }
        if (kind == 3) { descs[1].in[1] = (sf_port){ .name = "b", .optional = true }, nodes[1].inputs = 2; }
        if (kind == 4) {
            descs[1].when[0] = (sf_condition){ .kind = SF_CONDITION_STREAM };
            descs[0].out[0].memory = SF_MEMORY_PINNED;
        }
        f = flow_of(0);
        if (kind == 2) { CHECK_OK(sf_flow_connect(f, ops[4], NULL, ops[1], "a", NULL)); }
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, ops[2]), 12);
        for (uint32_t k = 0; k < 12; k++) {
            words = kind < 2 ? 4 * k + 1 : kind == 2 ? 2 * k + 4000 : k;
            CHECK_PROBE(log_of(3, k), words + 3000);
        }
        destroy(f);
    }
}

static sf_result see_what_left(sf_context *ctx)              /* in the last member: 6 has nothing of this turn yet */
{
    sf_edge_info info = { .messages = 77 };
    sf_op_get_edge_info(ctx->flow, ops[6], 0, 0, &info);
    note_down(4, (long long)info.messages - (long long)ctx->run);
    return work(ctx);
}
static sf_result one_of_four(sf_context *ctx)                /* by whom, in which turn: no other member meanwhile */
{
    sf_result r;
    note_down(10, test_add(&entered, 1));
    note_down(11, (long long)(intptr_t)(void *)(uintptr_t)pthread_self());
    note_down(12, ((const node *)ctx->user)->id);
    r = work(ctx);
    test_add(&entered, UINT32_MAX);
    return r;
}
ON_THREADS(one_after_the_other_on_one_worker)
{
    for (int group = 0; group < 2; group++) {
        long long alone[160], thread[160], who[160];
        sf_flow *f;
        clear_logs();
        diamond(40);
        for (int i = 1; i < 5; i++) { descs[i].compute = one_of_four, descs[i].workers = group; }
        f = flow_from((sf_flow_desc){ .workers = { { .count = 2 }, { .count = 2 } } }, 3);
        guarded_run_is(f, SF_OK, NULL);
        CHECK_EQUAL(notes_of(10, alone, 160), 160);
        CHECK_EQUAL(notes_of(11, thread, 160), 160);
        CHECK_EQUAL(notes_of(12, who, 160), 160);
        for (int i = 0; i < 160; i++) {
            CHECK_EQUAL(alone[i], 0);
            CHECK_EQUAL(thread[i], thread[i / 4 * 4]);
            CHECK(i % 4 == 0 ? who[i] == 1 : i % 4 == 3 ? who[i] == 4 : who[i] == 2 || who[i] == 3);
        }
        check_diamond(0, 40);
        destroy(f);
    }
}
ON_THREADS(what_leaves_leaves_at_the_end)
{
    for (int threads = 0; threads < 3; threads++) {
        sf_flow *f;
        clear_logs();
        diamond(40);
        descs[4].compute = see_what_left;
        f = crew_of(threads, 1);
        guarded_run_is(f, SF_OK, NULL);
        CHECK_EQUAL(notes_of(4, NULL, 0), 40);
        for (uint32_t i = 0; i < note_count; i++) { CHECK_EQUAL(notes[i].what, 0); }
        destroy(f);
    }
}

/* -- what is refused -- */

static uint8_t block[1 << 17] __attribute__((aligned(16)));
static sf_stream_pool *some_streams;
static void *run_at_once(void (*task)(void *arg), void *arg, void *user) { return (void)user, task(arg), NULL; }
static void finished(void *task, void *user) { (void)task, (void)user; }
static const char *condition_on(int id, sf_condition_kind kind, uint32_t of)
{
    descs[id].when[0] = (sf_condition){ .kind = kind, .ports = of, .count = 1, .ns = 5 };
    return "n2 condition region";
}
static int control_from, control_to;
/* Who is to blame (-: any of its operators), and two words of why; NULL: there are no more. */
static const char *spoil(int how, sf_flow_desc *d)
{
    sf_op_desc *o = &descs[2];
    switch (how) {
    case 0: d->jobs.enqueue = run_at_once, d->jobs.finish = finished; return "- jobs region";
    case 1:
        d->memory = (sf_range){ block, sizeof block };
        d->limits.ops = 16, d->limits.edges = 32, d->limits.messages = 64, d->limits.payload_bytes = 1 << 14;
        return "- memory region";
    case 2: o->adopt_stream = true; return "n2 adopt_stream region";
    case 3: o->streams = some_streams; return "- streams region";
    case 4: d->workers[0].count = d->workers[1].count = 1, o->workers = 1; return "- workers region";
    case 5: o->on_error = SF_ON_ERROR_STOP_OPERATOR; return "n2 on_error region";
    case 6: o->on_error = SF_ON_ERROR_IGNORE; return "n2 on_error region";
    case 7: o->on_error = SF_ON_ERROR_RETRY; return "n2 on_error region";
    case 8: control_from = 2, control_to = 7; return "- control n2";
    case 9: control_from = 7, control_to = 2; return "- control n2";
    case 10: control_from = 2, control_to = 3; return "- control region";
    case 11: nodes[4].edge[0].delay = 1; return "- delay n4";
    case 12: nodes[2].edge[0].overflow = SF_OVERFLOW_DROP_OLDEST; return "- n2 region";
    case 13: nodes[2].edge[0].overflow = SF_OVERFLOW_DROP_NEWEST; return "- n2 region";
    case 14: nodes[2].edge[0].overflow = SF_OVERFLOW_LATEST; return "- n2 region";
    case 15: nodes[2].edge[0].overflow = SF_OVERFLOW_ERROR; return "- n2 region";
    case 16: o->in[0].batch = 2; return "- batch n2";
    case 17: o->in[0].many = true; return "- many n2";
    case 18: return condition_on(2, SF_CONDITION_MESSAGES, 1);
    case 19: return condition_on(2, SF_CONDITION_MESSAGES, 0);
    case 20: return condition_on(2, SF_CONDITION_EXPIRING, 1);
    case 21: return condition_on(2, SF_CONDITION_STREAM, 1);
    case 22: return condition_on(2, SF_CONDITION_STREAM, 0);
    case 23: return condition_on(2, SF_CONDITION_ROOM, 1);
    case 24: have(2, 0, WORK, 1, NO, NO); return "- n2 region";
    case 25:
        have(2, 0, WORK, 1, NO, NO), have(8, 0, WORK, 2, NO, NO), have(4, 7, WORK, 8, 3, NO);
        return "- n region";
    case 26:                                 /* 1 and 2 are one, 3 and 4 another; 1 -> 3, 4 -> 2 */
        have(3, 8, WORK, 1, NO, NO), have(4, 8, WORK, 0, NO, NO), have(2, 7, WORK, 4, NO, NO);
        have(7, 0, SINK, 3, NO, NO), have(5, 0, SINK, 2, NO, NO);
        return "- n region";
    default: return NULL;
    }
}
ON_THREADS(what_is_refused)
{
    uint32_t wrong = 0;
    CHECK_OK(sf_stream_pool_create(device, NULL, &some_streams));
    for (int how = 0;; how++) {
        sf_flow_desc d = { .name = "refused" };
        char where[16], words[2][16];
        const sf_failure *failure;
        const char *want;
        sf_flow *f;
        sf_result r[4];
        diamond(5);
        have(7, 0, WORK, NO, NO, NO)->count = 5;
        control_from = control_to = 0, report_clear();
        if (!(want = spoil(how, &d))) { break; }
        CHECK_EQUAL(sscanf(want, "%15s %15s %15s", where, words[0], words[1]), 3);
        f = flow_from(d, (uint64_t)how);
        failure = sf_flow_failure(f);
        if (control_from) {
            sf_flow_connect(f, ops[control_from], NULL, ops[control_to], NULL, &(sf_edge_desc){ .control = true });
        }
        r[0] = sf_flow_check(f, how & 1, report_add, NULL);
        r[1] = sf_flow_run(f), r[2] = sf_flow_start(f), r[3] = sf_flow_step(f, NULL);
        for (int k = 0; k < 4; k++) {
            if (r[k] == SF_ERROR_NOT_SUPPORTED) { continue; }
            printf("# %d (%s): call %d is %d\n", how, want, k, (int)r[k]), wrong++;
        }
        for (int w = 0; w < 2; w++) {
            bool told = d.memory.ptr || strstr(report.text, words[w]);       /* there it keeps the first one only */
            if (told && strstr(failure->text, words[w]) && strstr(failure->text, "\"n") &&
                (*where == '-' || !strcmp(failure->where, where))) { continue; }
            printf("# %d (%s): \"%s\": %s\n%s\n", how, want, failure->where, failure->text, report.text), wrong++;
        }
        (void)sf_flow_stop(f);
        (void)sf_flow_destroy(f);
    }
    for (int k = 0; k < NODES; k++) { CHECK_EQUAL(log_of(k, 0)[2], 0); }
    CHECK_OK(sf_stream_pool_destroy(some_streams));
    if (wrong) { fail_msg("%u are wrong, see above", wrong); }
}
/* What looks like one of those, and is none: two regions of one pool and group each; what is odd is outside. */
EACH_ORDER(what_is_not_refused)
{
    sf_flow *f;
    diamond(10);
    have(4, 7, WORK, 2, 3, 7)->in[2].capacity = 3;
    have(7, 0, WORK, NO, NO, NO)->count = 9;
    descs[7].on_error = SF_ON_ERROR_IGNORE;
    nodes[4].edge[2] = (sf_edge_desc){ .delay = 1, .capacity = 3 };
    have(8, 7, SINK, 0, NO, NO);                             /* depends on no member, nor does any on it */
    descs[8].when[0] = (sf_condition){ .kind = SF_CONDITION_STREAM };
    descs[4].when[0] = (sf_condition){ .kind = SF_CONDITION_ROOM, .ports = 1, .count = 1 };
    descs[1].when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .ports = 1, .count = 1 };
    descs[2].when[0] = (sf_condition){ .kind = SF_CONDITION_MEMORY, .ports = 1, .count = 1 };
    CHECK_EQUAL(graphs_of(4, 10), 10);
    check_log(8, 10);
    clear_logs();
    CHECK_OK(sf_stream_pool_create(device, NULL, &some_streams));
    diamond(10), diamond_at(8, -3, 10);
    for (int i = 9; i < 13; i++) { descs[i].streams = some_streams, descs[i].workers = 1; }
    f = crew_of(1, 1);
    guarded_run_is(f, SF_OK, NULL);
    check_diamond(0, 10), check_diamond(8, 10);
    destroy(f);
    CHECK_OK(sf_stream_pool_destroy(some_streams));
}

/* -- what fails -- */

static int trick;
static sf_event *an_event;
static sf_graph_exec *an_exec;
static void no_host_func(void *user) { (void)user; }
static void no_callback(sf_stream *s, sf_result status, void *user) { (void)s, (void)status, (void)user; }
enum { ON_STREAM = 11, NO_SUCH_FUNCTION = 33, TWICE, RETURNED };     /* the first of call_on(); its last; two more */
static sf_result call_on(sf_stream *s, int what)
{
    void *p = NULL;
    sf_stream *child = NULL;
    switch (what) {
    case 11: return sf_stream_query(s);
    case 12: return sf_stream_synchronize(s, 0);
    case 13: return sf_event_record(an_event, s, 0);
    case 14: return sf_stream_wait_event(s, an_event, 0);
    case 15: return sf_launch_host_func(s, no_host_func, NULL);
    case 16: return sf_stream_add_callback(s, no_callback, NULL, 0);
    case 17: return sf_stream_write_value(s, gate, 4, 1, 0);
    case 18: return sf_stream_wait_value(s, gate, 4, 0, SF_WAIT_VALUE_GEQ);
    case 19: return sf_stream_write_value(s, frames, 8, 1, 0);
    case 20: return sf_mem_alloc_async(s, NULL, 64, &p);
    case 21: return sf_mem_free_async(s, &kept);
    case 22: return sf_stream_begin_capture(s, SF_CAPTURE_THREAD_LOCAL);
    case 23: return sf_graph_launch(an_exec, s);
    case 24: return sf_stream_fork(s, &child);
    case 25: return sf_mem_prefetch_async(s, frames, 64, true);
    case 26: return sf_memcpy_peer_async(s, frames, device, logs, device, 4);
    case 27: return sf_event_record(an_event, s, 0);
    case 28: return sf_graph_upload(an_exec, s);
    case 29: return sf_lazy_async_on(sf_lazy_memcpy(device, frames, logs, 4), s);
    case 30: return sf_stream_wait_stream(s, sf_stream_legacy(device));
    case 31: return sf_stream_join(s, sf_stream_legacy(device));
    case 32: return sf_stream_wait_stream(sf_stream_legacy(device), s);
    default: return sf_launch_kernel(s, NULL, NULL, NULL);
    }
}
static sf_result mischief(sf_context *ctx, const node *n)
{
    sf_tensor *t = sf_receive(ctx, 0), *out;
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = SF_OK;
    switch (trick) {
    case 0: return SF_OK;                                    /* emits nothing */
    case 1: return SF_ERROR_USER - 3;
    case 2: return sf_fail(ctx, SF_ERROR_USER - 3, "the lens cap is on");
    case 3: return sf_memset_async(s, t->data, 0, 4), SF_DONE;       /* without what its successor needs */
    case 4: r = sf_route(ctx, ops[4]); break;
    case 5: r = sf_set_stream(ctx, 0, s); break;
    case 6: r = sf_allocate_stream(ctx, "one") ? SF_ERROR_UNKNOWN : SF_ERROR_USER; break;
    case 7: r = sf_synchronize_streams(ctx, &s, 1, s); break;
    case 8: sf_receive_stream(ctx, 0, SF_STREAM_SYNC_TO_DEFAULT), r = SF_ERROR_USER; break;
    case 9: r = sf_launch(s, NULL, NULL, 0); break;
    case 10: r = sf_launch(s, &paint_kernel, &t, SF_MAX_ARGS + 1); break;
    case TWICE: r = SF_ERROR_USER; break;
    case RETURNED: return sf_launch_host_func(s, no_host_func, NULL);
    default: r = call_on(s, trick);
    }
    note_down(0, r);
    out = sf_tensor_create(ctx, 0, NULL);                    /* and nobody looks at it */
    paint(s, out->data, t->data, NULL, word_of(n, ctx->run), 0);
    sf_emit(ctx, 0, out);
    if (trick == TWICE) { sf_emit(ctx, 0, out); }
    return SF_OK;
}
ON_THREADS(computes_that_fail)
{
    uint32_t wrong = 0;
    sf_graph *graph;
    an_event = test_event(device);
    CHECK_OK(sf_graph_create(device, &graph));
    CHECK_OK(sf_graph_instantiate(graph, 0, &an_exec));
    for (trick = 0; trick <= RETURNED; trick++) {
        for (uint32_t turn = 1; turn <= 3; turn += 2) {      /* in the turn that would capture; in a later one */
            long long got = SF_ERROR_NOT_SUPPORTED;
            const sf_failure *failure;
            sf_counters a;
            sf_flow *f;
            sf_result r;
            clear_logs();
            diamond(5);
            nodes[2].bad_at = turn;
            f = flow_of((uint64_t)trick);
            failure = sf_flow_failure(f);
            a = counters();
            r = sf_flow_run(f);
            if (r >= 0 || failure->result != r || strcmp(failure->where, "n2") != 0) {
                printf("# trick %d: %d, \"%s\": %s\n", trick, (int)r, failure->where, failure->text), wrong++;
            }
            if (trick == RETURNED && !strstr(failure->text, "take it out of region")) {
                printf("# trick %d: %s\n", trick, failure->text), wrong++;
            }
            notes_of(0, &got, 1);
            if (trick >= ON_STREAM && trick < NO_SUCH_FUNCTION ? got != SF_ERROR_NOT_SUPPORTED : got >= 0) {
                printf("# trick %d: the call says %lld\n", trick, got), wrong++;
            }
            if (counters().graph_launches - a.graph_launches != turn - 1 || log_of(1, turn - 1)[2] ||
                edge_of(f, ops[5], 0, 0).messages != turn - 1 || edge_of(f, ops[6], 0, 0).messages != turn - 1) {
                printf("# trick %d: something of the turn is left\n", trick), wrong++;
            }
            nodes[2].bad_at = 0;                             /* the flow is as good as new */
            clear_logs();
            run_is(f, SF_OK);
            check_diamond(0, 5);
            CHECK_IS(sf_flow_destroy(f), r);
        }
    }
    CHECK_OK(sf_graph_exec_destroy(an_exec));
    CHECK_OK(sf_graph_destroy(graph));
    CHECK_OK(sf_event_destroy(an_event));
    if (wrong) { fail_msg("%u are wrong, see above", wrong); }
}
/* A launch that can only fail when the graph is made, or on the device. */
static sf_result hollow(sf_context *ctx)
{
    static const sf_kernel none = { .name = "hollow" };
    if (ctx->run == 3) { sf_launch(sf_compute_stream(ctx), trick ? &trap_kernel : &none, NULL, 0); }
    return work(ctx);
}
static void graphs_that_fail(void **state)
{
    (void)state;
    for (trick = 0; trick < (on_cuda() ? 1 : 2); trick++) {
        for (uint32_t o = 0; o < order_count(); o++) {
            sf_flow *f;
            sf_result r;
            begin(o, 7);
            diamond(30);
            descs[3].compute = hollow;
            f = flow_of(o);
            CHECK_OK(sf_flow_start(f));
            r = sf_flow_wait(f, GUARD);
            CHECK(r < 0 && (!trick || r == SF_ERROR_LAUNCH_FAILED));
            CHECK_EQUAL(sf_flow_failure(f)->result, r);
            if (!trick) {
                CHECK_EQUAL(edge_of(f, ops[5], 0, 0).messages, 3);
                CHECK_EQUAL(edge_of(f, ops[6], 0, 0).messages, 3);
            }
            CHECK_IS(sf_flow_destroy(f), r);
            (void)sf_mem_free(device, logs);
            (void)sf_device_close(device, GUARD);
        }
    }
}

/* -- ends -- */

EACH_ORDER(done_ends_the_region)                             /* whoever says it, after a whole turn */
{
    for (int who = 1; who < 5; who++) {
        sf_flow *f;
        diamond(12);
        nodes[who].done_at = 4;
        f = flow_of((uint64_t)who);
        for (int again = 0; again < 2; again++) {
            sf_counters a = counters();
            clear_logs();
            run_is(f, SF_OK);
            runs_are(f, 1, 6, 4);
            for (int i = 1; i < 7; i++) { check_log(i, 4); }
            CHECK_EQUAL(counters().graph_launches - a.graph_launches, 4);
        }
        destroy(f);
    }
}
/* Said instead of a message: who receives from it has no turn, the others have; what is left then is dropped, in a
   region as without one. */
static sf_result tick(sf_context *ctx)
{
    sf_tensor *t;
    if (ctx->user && ctx->run == 2) { return SF_DONE; }
    t = sf_tensor_create(ctx, 0, NULL);
    sf_memset_async(sf_compute_stream(ctx), t->data, (uint8_t)ctx->run, 16);
    return sf_emit(ctx, 0, t);
}
static sf_result relay(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out;
    if (ctx->user && ctx->run == 2) { return SF_DONE; }
    out = sf_tensor_create(ctx, 0, NULL);
    sf_memcpy_async(sf_compute_stream(ctx), out->data, in->data, 16);
    return sf_emit(ctx, 0, out);
}
static sf_result meet(sf_context *ctx)
{
    sf_receive(ctx, 0), sf_receive(ctx, 1);
    return ctx->user && ctx->run == 2 ? SF_DONE : SF_OK;
}
static sf_result see(sf_context *ctx) { return sf_receive(ctx, 0), SF_OK; }
ON_THREADS(done_means_the_same_without_a_region)
{
    static const char *const names[] = { "source", "left", "right", "join" };
    static const sf_compute_func computes[] = { tick, relay, relay, meet };
    for (int which = 0; which < 3; which++) {                /* of the region: nobody, all but the source, all */
        for (int who = 0; who < 4; who++) {
            sf_flow_desc d = { .device = device };
            sf_flow *f = sf_flow_create(&d);
            sf_op o[5];
            for (int i = 0; i < 4; i++) {
                sf_op_desc op = { .name = names[i], .compute = computes[i], .user = who == i ? f : NULL };
                op.region = which && (i || which == 2) ? 7 : 0;
                op.count = i ? 0 : 6;
                if (i) { op.in[0].name = i == 3 ? "a" : "in"; }
                if (i == 3) { op.in[1].name = "b"; } else { op.out[0] = (sf_port){ .name = "out", .bytes = 16 }; }
                o[i] = sf_flow_add(f, &op);
            }
            o[4] = sf_flow_add(f, &(sf_op_desc){ .name = "beside", .compute = see, .in = { { .name = "in" } } });
            CHECK_OK(sf_flow_connect(f, o[0], NULL, o[1], NULL, NULL));
            CHECK_OK(sf_flow_connect(f, o[0], NULL, o[2], NULL, NULL));
            CHECK_OK(sf_flow_connect(f, o[1], NULL, o[3], "a", NULL));
            CHECK_OK(sf_flow_connect(f, o[2], NULL, o[3], "b", NULL));
            CHECK_OK(sf_flow_connect(f, o[who == 2 ? 1 : 2], NULL, o[4], NULL, NULL));    /* from who goes on */
            for (int again = 0; again < 2; again++) {
                sf_result r = sf_flow_run(f);
                const sf_failure *failure = sf_flow_failure(f);
                if (r != SF_OK || failure->result != r) {
                    fail_msg("region %d, done %d: %d: %s", which, who, (int)r, failure->text);
                }
                CHECK_EQUAL(runs_of(f, o[3]), who == 3 ? 3 : 2);
                if (who == 1 || who == 2) { CHECK(runs_of(f, o[4]) >= 3); }          /* of that turn, too */
            }
            CHECK_OK(sf_flow_destroy(f));
        }
    }
}
ON_THREADS(an_operator_of_it_is_stopped)
{
    for (int who = 1; who < 5; who++) {
        sf_flow *f;
        int i;
        diamond(40);
        f = flow_of(0);
        while (runs_of(f, ops[5]) < 5) { CHECK_OK(sf_flow_step(f, NULL)); }
        CHECK_OK(sf_op_stop(f, ops[who]));
        for (i = 0; i < 100 && sf_flow_step(f, NULL) == SF_OK; i++) {}
        CHECK(i < 100);
        CHECK_IS(sf_flow_wait(f, 0), SF_OK);
        CHECK(runs_of(f, ops[1]) >= 5 && runs_of(f, ops[1]) <= 6);
        runs_are(f, 1, 4, runs_of(f, ops[1]));
        destroy(f);
    }
}
/* As at the end of a file: the source of a region has no more, and says so without a message. */
static sf_result file(sf_context *ctx) { return ctx->run < 5 ? sf_emit_value(ctx, 0, (sf_value){ .u64 = 1 }) : SF_DONE; }
static sf_result reader(sf_context *ctx)
{
    uint32_t *count = (uint32_t *)ctx->user;
    *count += (uint32_t)sf_receive_value(ctx, 0).u64;
    return SF_OK;
}
ON_THREADS(a_source_within_ends_without_a_message)
{
    for (int threads = 0; threads < 3; threads += 2) {
        uint32_t counts[2] = { 0, 0 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = {{ .count = threads }} });
        sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = file, .region = 3, .out = {{ .name = "o" }} });
        for (int i = 0; i < 2; i++) {        /* one within, one outside */
            sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = reader, .user = &counts[i], .region = i ? 0 : 3,
                                                .in = {{ .name = "i" }} });
            connect(f, from, to);
        }
        for (uint32_t run = 1; run < 4; run++) {
            run_is(f, SF_OK);
            CHECK_EQUAL(counts[0], 5 * run);
            CHECK_EQUAL(counts[1], 5 * run);
        }
        destroy(f);
    }
}
ON_THREADS(one_that_waits_is_stopped)                        /* the other one can run, and never will */
{
    for (int which = 1; which < 3; which++) {
        sf_flow *f;
        sf_op_info info;
        forget();
        clear_logs();
        have(1, 4, WORK, OUTSIDE, NO, NO);
        have(2, 4, WORK, 1, OUTSIDE, NO);
        have(3, 0, SINK, 1, NO, NO);                         /* still wants something of the first */
        f = flow_of(0);
        steps_are(f, 0);
        CHECK_OK(push(f, 1, 0, 0));
        steps_are(f, 0);
        CHECK_OK(sf_op_stop(f, ops[which]));
        for (int i = 0; i < 20 && sf_flow_step(f, NULL) == SF_OK; i++) {}
        for (int i = 1; i < 3; i++) {
            CHECK_OK(sf_op_get_info(f, ops[i], &info));
            CHECK_EQUAL(info.state, SF_OP_STOPPED);
            CHECK_EQUAL(info.runs, 0);
        }
        CHECK_IS(sf_flow_wait(f, 0), SF_OK);
        destroy(f);
    }
}
ON_THREADS(stopped_in_a_turn)                                /* which is whole: then it ends */
{
    for (int threads = 0; threads < 3; threads += 2) {
        sf_counters a = counters();
        sf_flow *f;
        clear_logs();
        diamond(40);
        nodes[2].kind = LINGER;
        f = crew_of(threads, 1);
        CHECK_OK(sf_flow_start(f));
        until(&arrived, 1);
        CHECK_OK(sf_flow_stop(f));
        test_store(&go_on, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(counters().graph_launches - a.graph_launches, 3);
        runs_are(f, 1, 4, 3);
        clear_logs();
        guarded_run_is(f, SF_OK, NULL);
        check_diamond(0, 40);
        destroy(f);
    }
}
ON_THREADS(stopped_at_any_time)                              /* and paused, and destroyed */
{
    for (int i = 0; i < 20; i++) {
        sf_flow *f;
        diamond(0);                                          /* without end; the source may be inside */
        variety = 1;
        descs[0].region = i & 1 ? 7 : 0;
        nodes[0].region = nodes[5].region = nodes[6].region = 7;     /* there is no room to log so much */
        f = crew_of(i % 3, (uint64_t)i);
        CHECK_OK(sf_flow_start(f));
        while (runs_of(f, ops[5]) < 3) { usleep(100); }
        if (i & 4) {
            CHECK_OK(sf_flow_pause(f, true));
            CHECK_OK(sf_flow_pause(f, false));
        }
        if (i % 5) {
            CHECK_OK(sf_flow_stop(f));
            CHECK_OK(sf_flow_wait(f, GUARD));
            runs_are(f, 1, 4, runs_of(f, ops[1]));
        }
        destroy(f);
    }
}

/* -- and all the rest -- */

static sf_result hook(sf_context *ctx)                       /* an ordinary stream, on which all may be done */
{
    int id = ((const node *)ctx->user)->id;
    sf_stream *s = sf_compute_stream(ctx);
    note_down(0, id);
    note_down(1, paint(s, frames, NULL, NULL, 40 + (uint32_t)id, SPIN));
    note_down(1, sf_launch_host_func(s, no_host_func, NULL));
    note_down(1, sf_stream_synchronize(s, GUARD));
    note_down(1, (long long)frames[WORDS - 1] - 40 - id);
    return SF_OK;
}
EACH_ORDER(hooks_work_by_hand)
{
    sf_flow *f;
    diamond(5);
    for (int i = 1; i < 5; i++) { descs[i].start = descs[i].stop = hook; }
    f = flow_of(0);
    for (int again = 0; again < 2; again++) {
        clear_logs();
        run_is(f, SF_OK);
        CHECK_NOTES(0, 1, 2, 3, 4, 4, 3, 2, 1);
        CHECK_EQUAL(notes_of(1, NULL, 0), 32);
        for (uint32_t i = 0; i < note_count; i++) { CHECK(notes[i].who == 0 || notes[i].what == 0); }
        check_diamond(0, 5);
    }
    destroy(f);
}
/* Times and keys, merged on the way: the same as without a region. */
static sf_result along(sf_context *ctx)
{
    const node *n = (const node *)ctx->user;
    sf_value v;
    uint32_t key;
    for (int p = 0; p < n->inputs; p++) { (void)sf_receive_value(ctx, p); }
    if (n->inputs) { note_down(n->id, sf_get_timestamp(ctx, 0)); }
    for (uint32_t i = 0; sf_list_metadata(ctx, i, &key, &v); i++) { note_down(n->id, 1000 * key + v.i64); }
    sf_set_metadata(ctx, 100 + (uint32_t)n->id, number((int64_t)ctx->run));
    if (n->id % 3 == 0) { sf_set_timestamp(ctx, 1000 * n->id + (int64_t)ctx->run); }
    return n->kind == SINK ? SF_OK : sf_emit_value(ctx, 0, number(1));
}
ON_THREADS(what_travels_along)
{
    static long long want[7][1024];
    uint32_t count[7] = { 0 };
    for (int32_t region = 0; region <= 7; region += 7) {
        sf_flow *f;
        clear_logs();
        forget();
        diamond_at(0, region, 10);
        for (int i = 0; i < 7; i++) { descs[i].compute = along, descs[i].out[0].bytes = 0; }
        f = flow_from((sf_flow_desc){ .metadata_entries = 16 }, 3);
        run_is(f, SF_OK);
        for (int i = 1; i < 7; i++) {
            if (!region) { count[i] = notes_of(i, want[i], 1024); }
            CHECK(count[i] >= 20);
            check_notes(i, want[i], count[i]);
        }
        destroy(f);
    }
}
EACH_ORDER(regions_of_one_and_all)                           /* one each; all are one; two behind each other */
{
    static const uint64_t graphs[] = { 105, 15, 30 };
    for (int how = 0; how < 3; how++) {
        diamond(15);
        for (int i = 0; i < 7; i++) {
            nodes[i].region = descs[i].region = how == 0 ? 100 - i : how == 1 ? 1 : i < 2 ? 1 : i < 5 ? -1 : 0;
        }
        CHECK_EQUAL(graphs_of((uint64_t)how, 15), graphs[how]);
    }
}
ON_THREADS(two_flows_at_once)
{
    for (int threads = 0; threads < 3; threads += 2) {
        sf_flow *f[2];
        clear_logs();
        diamond(30);
        f[0] = crew_of(threads, 1);
        diamond_at(8, 7, 30);
        f[1] = crew_of(threads, 2);
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_flow_start(f[i])); }
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_flow_wait(f[i], GUARD)); }
        check_diamond(0, 30), check_diamond(8, 30);
        for (int i = 0; i < 2; i++) { destroy(f[i]); }
    }
}
EACH_ORDER(a_hundred_runs)                                   /* leave nothing behind */
{
    sf_counters before = counters(), first = before, now = before;
    for (int round = 0; round < 4; round++) {                /* the device keeps some events for later */
        sf_flow *f;
        diamond(4);
        f = flow_of(6);
        for (int i = 0; i < 100; i++) {
            run_is(f, SF_OK);
            now = counters();
            if (i == 9) { first = now; }
        }
        check_diamond(0, 4);
        CHECK(now.live_graphs <= first.live_graphs && now.live_events <= first.live_events);
        CHECK(now.live_streams <= first.live_streams && now.live_bytes <= first.live_bytes);
        destroy(f);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        now = counters();
        CHECK_EQUAL(now.live_graphs, before.live_graphs);
        if (round == 3) { CHECK_EQUAL(now.live_events, before.live_events); }
        CHECK_EQUAL(now.live_bytes, before.live_bytes);
        before = now;
    }
}
ON_THREADS(the_plan_names_the_region)
{
    for (int json = 0; json < 2; json++) {
        int plain = 0;
        for (int32_t region = 0; region <= 714; region += 714) {
            sf_flow *f;
            forget();
            diamond_at(0, region, 4);
            f = flow_of(1);
            report_clear();
            CHECK_OK(sf_flow_check(f, json, report_add, NULL));
            if (!region) { plain = count_of("714"); }
            if (region && (count_of("714") < plain + 4 || !count_of("region"))) { fail_msg("%s", report.text); }
            destroy(f);
        }
    }
}
EACH_ORDER(the_graph_s_time_is_each_member_s)
{
    sf_op_info info[5];
    sf_flow *f;
    diamond(20);
    f = flow_from((sf_flow_desc){ .track.device_time = true, .track.latency = true }, 1);
    run_is(f, SF_OK);
    for (int i = 1; i < 5; i++) {
        CHECK_OK(sf_op_get_info(f, ops[i], &info[i]));
        CHECK_EQUAL(info[i].cpu.count, 20);
        CHECK(info[i].device.count > 0 && info[i].device.count <= 20 && info[i].device.max > 0);
        CHECK_EQUAL(info[i].device.count, info[1].device.count);
        CHECK_EQUAL(info[i].device.max, info[1].device.max);
        CHECK_EQUAL(info[i].device.mean, info[1].device.mean);
        if (order_now) { CHECK(info[i].device.mean >= 8000); }       /* of eight kernels, in virtual time */
    }
    check_diamond(0, 20);
    destroy(f);
}

/* An operator outside adopts the region's stream. It has launched its work there and said so, when the last member
   says that the graph, which is in front of that work, used the same block: it gets the time for that between two
   members' commits. */
static sf_readiness always(void *user, int64_t now, int64_t *wake)
{
    (void)user, (void)now, (void)wake;
    return SF_READY;
}
static void an_adopter(void)
{
    enum { LAST = 4, ADOPTER };
    sf_mem_pool *pool = pool_of(1, SF_MEMORY_DEVICE);
    sf_flow *f;
    clear_logs();
    forget();
    have(0, 0, WORK, NO, NO, NO)->count = 2;
    descs[0].out[0].pool = pool;
    have(1, 7, TOUCH, 0, NO, NO);
    for (int i = 2; i < LAST; i++) { have(i, 7, VALUE, i - 1, NO, NO); }
    have(LAST, 7, SINK, 0, LAST - 1, NO);
    have(ADOPTER, 0, SINK, 1, NO, NO);
    descs[ADOPTER].adopt_stream = true;
    descs[ADOPTER].when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom = { always, NULL, NULL } };
    nodes[0].spin = 0, nodes[ADOPTER].spin = 2000 * SPIN;
    f = crew_of(2, 0);
    nap_at = "region commit";
    guarded_run_is(f, SF_OK, gate);
    nap_at = NULL;
    check_log(ADOPTER, 2);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
ON_THREADS(an_adopter_beside_the_commits)
{
    for (int again = 0; again < 6; again++) { an_adopter(); }
}

/* -- any flow -- */

enum { ANY = 10, FRAMES = 12 };
static bool can_turn(int count)                              /* no unit depends on itself */
{
    bool out[NODES] = { false };
    for (int left = count, before = 0; left && left != before;) {
        before = left;
        for (int i = 0; i < count; i++) {
            bool ready = !out[i];
            for (int k = 0; k < count; k++) {
                if (k != i && !(nodes[i].region && nodes[k].region == nodes[i].region)) { continue; }
                for (int p = 0; p < nodes[k].inputs; p++) {
                    int from = nodes[k].from[p];
                    bool inside = nodes[i].region && nodes[from].region == nodes[i].region;
                    ready = ready && (inside || out[from] || nodes[k].edge[p].delay);
                }
            }
            for (int k = 0; k < count && ready; k++) {
                if (k != i && !(nodes[i].region && nodes[k].region == nodes[i].region)) { continue; }
                out[k] = true, left--;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        if (!out[i]) { return false; }
    }
    return true;
}
static void any_layout(rng *r, int count, bool slow)
{
    static const int32_t numbers[] = { 0, 3, -1, 1000000 };
    static const uint32_t varieties[] = { 1, 3, 10, TURNS };
    int regions = 1 + (int)rng_below(r, 3);
    forget();
    variety = varieties[rng_below(r, 4)];
    for (int i = 0; i < count; i++) {
        node_kind kind = (node_kind)rng_below(r, RANDOM_KINDS);
        int32_t region = numbers[rng_below(r, 1 + (uint32_t)regions)];
        int from[3] = { NO, NO, NO }, inputs = i ? (int)rng_below(r, i < 3 ? (uint32_t)i + 1 : 4) : 0;
        if (inputs == 0 && i && rng_below(r, 3)) { inputs = 1; }
        for (int p = 0; p < inputs; p++) {
            do { from[p] = (int)rng_below(r, (uint32_t)i); } while (!descs[from[p]].out[0].name);
        }
        if (kind == FORWARD || kind == TOUCH || kind == SINK) {
            if (!inputs || nodes[from[0]].kind == VALUE || (kind == SINK && i + 1 < count && rng_below(r, 2))) {
                kind = WORK;
            } else {
                from[1] = from[2] = NO;
            }
        }
        have(i, region, kind, from[0], from[1], from[2]);
        if (i == 0) { nodes[0].kind = WORK, descs[0].out[0].bytes = BYTES; }
        nodes[i].spin = slow ? rng_below(r, 4000) : 0;
        descs[i].priority = (int32_t)rng_below(r, 3);
        if (!nodes[i].inputs) { descs[i].count = FRAMES; }
        for (int p = 0; p < nodes[i].inputs; p++) { descs[i].in[p].capacity = (uint16_t)(1 + rng_below(r, 3)); }
    }
    while (!can_turn(count)) { nodes[rng_below(r, (uint32_t)count)].region = 0; }
    for (int tries = 0; tries < 2; tries++) {                /* back, by a delayed edge */
        int to = (int)rng_below(r, (uint32_t)count), from = (int)rng_below(r, (uint32_t)count), p = nodes[to].inputs;
        bool same = nodes[from].region && nodes[from].region == nodes[to].region;
        for (int k = 0; k < count; k++) {                    /* a source ends its region, and that who works for it */
            same = same || (nodes[to].region && nodes[k].region == nodes[to].region && !nodes[k].inputs);
        }
        if (same || from <= to || p > 2 || !p || !descs[from].out[0].bytes || nodes[to].kind > MOODY) { continue; }
        for (int k = 0; k < p; k++) { same = same || nodes[to].from[k] == from; }
        nodes[to].from[p] = from, nodes[to].inputs++;
        nodes[to].edge[p] = (sf_edge_desc){ .delay = 1, .capacity = 3 };
        descs[to].in[p] = (sf_port){ .name = ports[p], .capacity = 3 };
        nodes[from].own_pool = true;                         /* the message on the edge holds a block */
    }
}
static uint32_t seen[2][NODES][FRAMES];
static void any_flow(uint64_t seed, uint32_t order, bool slow)
{
    bool back = false;                       /* an edge with a delay: one message less is needed from its producer */
    memset(seen, 0, sizeof seen);
    for (int with = 0; with < 2; with++) {                   /* without its regions, and with them */
        rng r = rng_seed(seed);
        int count = 3 + (int)rng_below(&r, ANY - 2), threads = slow ? (int)rng_below(&r, 3) : 0;
        sf_mem_pool *pools[ANY] = { NULL };
        uint64_t graphs = 0;
        sf_counters a;
        sf_flow *f;
        begin(order, seed);
        any_layout(&r, count, slow);
        for (int i = 0; i < count; i++) {
            static const sf_mem_pool_kind kinds[] = { SF_MEM_POOL_BLOCKS, SF_MEM_POOL_ASYNC, SF_MEM_POOL_UNBOUNDED };
            sf_mem_pool_desc d = { .kind = kinds[rng_below(&r, 3)], .block_bytes = BYTES };
            if (d.kind == SF_MEM_POOL_BLOCKS) { d.blocks = 1 + rng_below(&r, 3); }
            for (int p = 0; p < nodes[i].inputs; p++) { back = back || nodes[i].edge[p].delay; }
            descs[i].region = with ? nodes[i].region : 0;
            descs[i].adopt_stream = !nodes[i].region && !rng_below(&r, 4);
            if (!nodes[i].own_pool && descs[i].out[0].bytes && rng_below(&r, 2)) {
                CHECK_OK(sf_mem_pool_create(device, &d, &pools[i]));
                descs[i].out[0].pool = pools[i];
            }
            for (int k = 0; k <= i; k++) {                   /* each region is counted by the first who launches */
                if (nodes[k].region != nodes[i].region || nodes[k].kind == FORWARD || nodes[k].kind == VALUE ||
                    ((nodes[k].kind == TOUCH || nodes[k].kind == SINK) && !logged(&nodes[k]))) { continue; }
                if (with && k == i && nodes[i].region) { graphs += FRAMES; }
                break;
            }
        }
        f = flow_from((sf_flow_desc){ .workers = { { .count = threads } } }, seed + 1);
        for (int again = 0; again < 2; again++) {
            sf_result result;
            clear_logs();
            a = counters();
            result = sf_flow_start(f);
            if (result >= 0) { result = sf_flow_wait(f, GUARD); }
            if (result != SF_OK) {
                fail_msg("seed %llu, order %u, %d: %s", (unsigned long long)seed, order, (int)result,
                         sf_flow_failure(f)->text);
            }
            forget_modelled();
            for (int i = 0; i < count; i++) {
                for (uint32_t k = 0; k < FRAMES; k++) {
                    const uint32_t *log = log_of(i, k), want = seen_by(i, k);
                    if (back && k + 1 == FRAMES && !log[0]) { continue; }    /* its reader had enough one earlier */
                    seen[with][i][k] = log[0];
                    if (logged(&nodes[i]) && (log[0] != want || log[1] || log[2] != 1)) {
                        fail_msg("seed %llu, order %u, with %d, %s, turn %u: %u, %u torn, %u times; not %u",
                                 (unsigned long long)seed, order, with, names[i], k, log[0], log[1], log[2], want);
                    }
                }
            }
            if (counters().graph_launches - a.graph_launches != graphs && !back) {
                fail_msg("seed %llu: %u graphs were launched, not %u", (unsigned long long)seed,
                         (unsigned)(counters().graph_launches - a.graph_launches), (unsigned)graphs);
            }
        }
        destroy(f);
        for (int i = 0; i < count; i++) {
            if (pools[i]) { CHECK_OK(sf_mem_pool_destroy(pools[i])); }
        }
        end();
    }
    for (int i = 0; back && i < NODES; i++) { seen[0][i][FRAMES - 1] = seen[1][i][FRAMES - 1] = 0; }
    if (memcmp(seen[0], seen[1], sizeof seen[0])) { fail_msg("seed %llu differs", (unsigned long long)seed); }
}
/* Its start says DONE: no member computes, whoever of several threads hears of it first. */
static uint32_t done_ran;
static sf_result done_makes(sf_context *ctx)
{
    test_add(&done_ran, 1);
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static sf_result done_takes(sf_context *ctx) { return test_add(&done_ran, 1), (void)sf_receive(ctx, 0), SF_OK; }
static sf_result done_at_start(sf_context *ctx) { return (void)ctx, SF_DONE; }
EACH_ORDER(done_at_the_start_of_one)
{
    done_ran = 0;
    for (int32_t threads = 0; threads < 12; threads++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = threads % 4 } } });
        bool second = threads & 4;
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = done_makes, .region = 1, .count = 3,
                                           .start = second ? NULL : done_at_start,
                                           .out = { { .name = "out", .bytes = 64 } } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = done_takes, .region = 1,
                                           .start = second ? done_at_start : NULL, .in = { { .name = "in" } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
        CHECK_OK(sf_flow_run(f));
        CHECK_OK(sf_flow_destroy(f));
        CHECK_EQUAL(done_ran, 0);
    }
}
static void any_flow_in_any_order(void **state)
{
    const uint32_t seeds = on_cuda() ? 0 : test_seeds() / 4 + 1;
    (void)state;
    FOR_SEEDS(i, seeds) { any_flow(i, 1 + i % 5, false); }
}
static void any_flow_on_threads(void **state)                /* or on the GPU; slow kernels, several workers */
{
    const uint32_t seeds = test_seeds_of(test_seeds() / 40 + 1, 60);
    (void)state;
    FOR_SEEDS(i, seeds) { any_flow(1000000 + i, 0, true); }
}

int main(int argc, char **argv)
{
    library.step = step;
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(one_launch_per_turn), TEST(turns_that_come_again_are_replayed), TEST(turns_that_never_come_again),
        TEST(out_of_memory),
        TEST(every_byte_of_the_arguments_counts), TEST(the_same_launches_by_others), TEST(what_is_wrong_in_a_region_is_told),
        TEST(nothing_launched_no_graph), TEST(members_side_by_side), TEST(turns_in_flight),
        TEST(blocks_are_reused_when_the_graph_is_done), TEST(back_through_an_operator_outside),
        TEST(a_turn_begins_when_all_can_run), TEST(signals_and_conditions_of_the_user), TEST(counts_and_times),
        TEST(a_condition_ends_a_region_whose_leader_waits),
        TEST(inputs_from_outside_of_every_kind), TEST(one_after_the_other_on_one_worker),
        TEST(what_leaves_leaves_at_the_end), TEST(what_is_refused), TEST(what_is_not_refused),
        TEST(computes_that_fail), TEST(graphs_that_fail), TEST(done_ends_the_region), TEST(done_at_the_start_of_one),
        TEST(done_means_the_same_without_a_region),
        TEST(an_operator_of_it_is_stopped), TEST(one_that_waits_is_stopped),
        TEST(a_source_within_ends_without_a_message), TEST(stopped_in_a_turn), TEST(stopped_at_any_time),
        TEST(hooks_work_by_hand), TEST(what_travels_along), TEST(regions_of_one_and_all), TEST(two_flows_at_once),
        TEST(a_hundred_runs),
        TEST(the_plan_names_the_region), TEST(the_graph_s_time_is_each_member_s), TEST(an_adopter_beside_the_commits),
        TEST(any_flow_in_any_order), TEST(any_flow_on_threads),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("regions", tests, NULL, NULL);
}
