/*  test_copies.c - sf_op_desc.copies: one operator on several workers, its results in order. Random programs against a
    model of the rule, on every way to run; then each rule by itself. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include <unistd.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "jobs.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }
enum { AHEAD = 2, RESULTS = 4, MOST = 8 };                   /* as the declaration of sf_op_desc.copies says */

/* -- a task system: each task has a thread of its own -- */

/* -- random programs: sources, the operator, sinks -- */

enum { INS = 3, OUTS = 3, SOURCES = 2, RUNS = 128, RECORDS = 1024, NONE = -1 };
typedef struct record { uint64_t value; int64_t time, keys[INS]; } record;
typedef struct plan {
    uint64_t salt;
    int ins, outs, copies;
    bool unordered;
    struct { int sources; uint16_t batch, capacity; uint32_t count; bool tensor; } in[INS];
    struct { bool tensor; uint16_t capacity, batch; uint32_t most; } out[OUTS];
    uint32_t bad_every, ends_at, pause;
    sf_on_error on_error;
} plan;
typedef struct sink { record got[RECORDS]; uint32_t count; } sink;
typedef struct port { int in, source, out; } port;           /* `user` of sources and sinks */
static plan p;
static sink sinks[OUTS];
static port ports[INS * SOURCES + OUTS];
static uint32_t tries[RUNS], inside[MOST], wrong, begun;
static bool alone;                           /* without copies */

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9e3779b97f4a7c15u;
    return a ^ a >> 29;
}
static uint64_t sent(int in, int source, uint64_t i) { return mix(p.salt, (uint64_t)in << 40 | (uint64_t)source << 32 | i); }
static uint32_t sent_number(int in, int source, uint64_t i) { return (uint32_t)sent(in, source, i) & 0xffff; }
static int64_t sent_time(int in, int source, uint64_t i) { return i % 3 ? (int64_t)i * 100 + in * 10 + source : NONE; }
static uint32_t emits(uint64_t run, int out) { return (uint32_t)(mix(p.salt ^ 77, run * OUTS + (uint32_t)out) >> 20) % (p.out[out].most + 1); }
static bool is_bad(uint64_t run) { return p.bad_every && run % p.bad_every == p.bad_every - 1; }

static sf_result send(sf_context *ctx)
{
    const port *at = (const port *)ctx->user;
    sf_value key = number((int64_t)ctx->run);
    if (sent_time(at->in, at->source, ctx->run) != NONE) { sf_set_timestamp(ctx, sent_time(at->in, at->source, ctx->run)); }
    if (ctx->run % 4 != 3) { sf_set_metadata(ctx, (uint32_t)at->in, key); }
    if (p.in[at->in].tensor) {
        sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
        paint(sf_compute_stream(ctx), t->data, NULL, NULL, sent_number(at->in, at->source, ctx->run), p.pause);
        return sf_emit(ctx, 0, t);
    }
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = sent(at->in, at->source, ctx->run) });
}
/* What one compute has received: a hash of all values, and the last tensor. */
typedef struct taken { uint64_t hash; sf_tensor *tensor; } taken;
static void take(sf_context *ctx, taken *t)
{
    for (int k = 0; k < p.ins; k++) {
        for (int n = 0; n < p.in[k].batch * p.in[k].sources; n++) {
            if (p.in[k].tensor) {
                t->tensor = sf_receive(ctx, k);
            } else {
                t->hash = mix(t->hash, sf_receive_value(ctx, k).u64);
            }
        }
        if (!alone && sf_available(ctx, k)) { test_add(&wrong, 1); }
    }
}
static sf_result work(sf_context *ctx)
{
    taken t = { 0, NULL };
    sf_result r = SF_OK;
    if (ctx->copy >= (uint32_t)p.copies || test_add(&inside[ctx->copy], 1) || ctx->run >= RUNS) { test_add(&wrong, 1); }
    test_spin((uint32_t)(mix(p.salt ^ 5, ctx->run) >> 40) % (p.pause + 1));
    if (p.pause > 2000 && mix(p.salt ^ 6, ctx->run) % 16 == 0) { usleep(200); }
    take(ctx, &t);
    for (int k = 0; k < p.outs; k++) {
        for (uint32_t n = 0; n < emits(ctx->run, k); n++) {
            if (p.out[k].tensor) {
                sf_tensor *out = sf_tensor_create(ctx, k, NULL);
                paint(sf_compute_stream(ctx), out->data, t.tensor ? t.tensor->data : NULL, NULL,
                      (uint32_t)ctx->run * 8 + n, p.pause);
                sf_emit(ctx, k, out);
            } else {
                sf_emit_value(ctx, k, (sf_value){ .u64 = mix(t.hash, ctx->run * 8 + n) });
            }
        }
    }
    if (is_bad(ctx->run) && (p.on_error != SF_ON_ERROR_RETRY || tries[ctx->run]++ < 2)) { r = SF_ERROR_USER; }
    if (ctx->run == p.ends_at) { r = p.on_error == SF_ON_ERROR_STOP_OPERATOR ? SF_ERROR_USER : SF_DONE; }
    test_add(&inside[ctx->copy], UINT32_MAX);
    return r;
}
static sf_result receive_all(sf_context *ctx)                /* the sink of output port->out */
{
    const port *at = (const port *)ctx->user;
    sink *s = &sinks[at->out];
    for (int n = 0; n < p.out[at->out].batch; n++) {
        record *r = &s->got[s->count];
        if (s->count++ == RECORDS) { return SF_ERROR_USER; }
        if (p.out[at->out].tensor) {
            const uint32_t *words = (const uint32_t *)sf_receive(ctx, 0)->data;
            for (int i = 1; i < WORDS; i++) { test_add(&wrong, words[i] != words[0]); }
            r->value = words[0];
        } else {
            r->value = sf_receive_value(ctx, 0).u64;
        }
        r->time = sf_get_timestamp(ctx, 0);
        for (uint32_t k = 0; k < INS; k++) {
            sf_value v;
            r->keys[k] = n == 0 && sf_get_metadata(ctx, k, &v) ? v.i64 : NONE;       /* of the first: later ones merge */
        }
    }
    return SF_OK;
}

/* The rule: what reaches the sinks, in order. Returns how often the operator computes. */
static sink want[OUTS];
static uint64_t model(void)
{
    uint32_t at[INS];                        /* messages of each source that were received */
    uint64_t run;
    memset(at, 0, sizeof at);
    for (int k = 0; k < OUTS; k++) { want[k].count = 0; }
    for (run = 0;; run++) {
        record r = { 0, NONE, { NONE, NONE, NONE } };
        uint64_t hash = 0;
        uint32_t last = 0;
        bool lacks = false;
        for (int k = 0; k < p.ins; k++) { lacks = lacks || p.in[k].count - at[k] < p.in[k].batch; }
        if (lacks) { return run; }
        for (int k = 0; k < p.ins; k++) {
            for (int n = 0; n < p.in[k].batch; n++, at[k]++) {
                for (int s = 0; s < p.in[k].sources; s++) {
                    if (p.in[k].tensor) { last = sent_number(k, s, at[k]); } else { hash = mix(hash, sent(k, s, at[k])); }
                    if (r.time == NONE) { r.time = sent_time(k, s, at[k]); }
                    if (at[k] % 4 != 3) { r.keys[k] = at[k]; }
                }
            }
        }
        if (run == p.ends_at && p.on_error == SF_ON_ERROR_STOP_OPERATOR) { return run + 1; }
        for (int k = 0; k < p.outs && (run == p.ends_at || !is_bad(run) || p.on_error == SF_ON_ERROR_RETRY); k++) {
            for (uint32_t n = 0; n < emits(run, k); n++) {
                r.value = p.out[k].tensor ? last + run * 8 + n : mix(hash, run * 8 + n);
                want[k].got[want[k].count++] = r;
            }
        }
        if (run == p.ends_at) { return run + 1; }
    }
}
static void draw(rng *r)
{
    memset(&p, 0, sizeof p);
    p.salt = rng_next(r);
    p.ins = 1 + (int)rng_below(r, INS);
    p.outs = (int)rng_below(r, OUTS + 1);
    p.copies = 2 + (int)rng_below(r, MOST - 1);
    p.pause = rng_below(r, 3) ? rng_below(r, 400) : rng_below(r, 6000);
    for (int k = 0; k < p.ins; k++) {
        p.in[k].sources = 1 + (rng_below(r, 4) == 0);
        p.in[k].batch = (uint16_t)(1 + rng_below(r, 3) / 2);
        p.in[k].capacity = (uint16_t)(p.in[k].batch + rng_below(r, 6));
        p.in[k].tensor = rng_below(r, 3) == 0;
        p.in[k].count = 1 + rng_below(r, 90);
    }
    for (int k = 0; k < p.outs; k++) {
        p.out[k].batch = (uint16_t)(1 + rng_below(r, 3) * rng_below(r, 4));
        p.out[k].tensor = rng_below(r, 3) == 0;
        p.out[k].most = 1 + rng_below(r, p.out[k].tensor ? 2 : 3);
        p.out[k].capacity = (uint16_t)(p.out[k].batch + p.out[k].most - 1 + rng_below(r, 4));
    }
    p.ends_at = rng_below(r, 3) ? UINT32_MAX : rng_below(r, 60);
    p.on_error = (sf_on_error)rng_below(r, 4);
    if (p.on_error == SF_ON_ERROR_IGNORE || p.on_error == SF_ON_ERROR_RETRY) { p.bad_every = 2 + rng_below(r, 9); }
}
static const char *const names[] = { "a", "b", "c" };
static sf_op add_work(sf_flow *f, bool one)
{
    sf_op_desc d = { .name = "work", .compute = work, .on_error = p.on_error, .retries = 2 };
    d.copies = one ? 1 : p.copies;
    d.unordered = p.unordered;
    for (int k = 0; k < p.ins; k++) {
        d.in[k] = (sf_port){ .name = names[k], .batch = p.in[k].batch, .capacity = p.in[k].capacity,
                             .many = p.in[k].sources > 1 };
    }
    for (int k = 0; k < p.outs; k++) {
        d.out[k] = (sf_port){ .name = names[k], .bytes = p.out[k].tensor ? BYTES : 0, .memory = SF_MEMORY_PINNED };
        if (!one) { continue; }              /* alone it has to ask for the room; copies have it */
        d.when[k] = (sf_condition){ .kind = SF_CONDITION_ROOM, .ports = 1u << k, .count = p.out[k].most };
    }
    return sf_flow_add(f, &d);
}
typedef enum way { ONE_THREAD, STEPPED, JOBS, WORKERS } way; /* WORKERS + n: n workers */
static sf_flow *build(int on, bool one, sf_op *op)
{
    sf_flow_desc d = { .device = device, .metadata_entries = INS };
    sf_flow *f;
    port *at = ports;
    if (on == JOBS) { d.jobs.enqueue = job_enqueue, d.jobs.finish = job_finish; }
    if (on > WORKERS) { d.workers[0].count = on - WORKERS; }
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    *op = add_work(f, one);
    for (int k = 0; k < p.ins; k++) {
        for (int s = 0; s < p.in[k].sources; s++, at++) {
            sf_op_desc source = { .compute = send, .user = at, .out = { OUT("out") }, .count = p.in[k].count };
            *at = (port){ k, s, 0 };
            source.out[0].bytes = p.in[k].tensor ? BYTES : 0;
            CHECK_OK(sf_flow_connect(f, sf_flow_add(f, &source), NULL, *op, names[k], NULL));
        }
    }
    for (int k = 0; k < p.outs; k++, at++) {
        sf_op_desc last = { .compute = receive_all, .user = at, .in = { IN("in") } };
        *at = (port){ 0, 0, k };
        last.in[0].batch = p.out[k].batch;
        last.in[0].capacity = p.out[k].capacity;
        if (p.out[k].tensor) { last.when[0].kind = SF_CONDITION_STREAM; }
        CHECK_OK(sf_flow_connect(f, *op, names[k], sf_flow_add(f, &last), NULL, NULL));
    }
    memset(tries, 0, sizeof tries);
    memset(inside, 0, sizeof inside);
    memset(sinks, 0, sizeof sinks);
    wrong = 0;
    alone = one;
    return f;
}
static void run_to_end(sf_flow *f, int on)
{
    sf_result r = SF_OK;
    for (int i = 0; on == STEPPED && r >= 0 && r != SF_DONE; i++) { r = sf_flow_step(f, NULL); }
    if (on != STEPPED) { guarded_run_is(f, SF_OK, NULL); }
    if (r < 0) { fail_msg("a step is %d: %s", (int)r, sf_flow_failure(f)->text); }
}
static int by_content(const void *a, const void *b)
{
    const record *x = (const record *)a, *y = (const record *)b;
    if (x->value != y->value) { return x->value < y->value ? -1 : 1; }
    return memcmp(x, y, sizeof *x);
}
static void check_sink(const char *who, int k)
{
    uint32_t count = want[k].count / p.out[k].batch * p.out[k].batch;
    if (sinks[k].count != count) { fail_msg("%s: output %d brought %u, not %u", who, k, sinks[k].count, count); }
    if (p.unordered) {
        qsort(sinks[k].got, count, sizeof(record), by_content);
        qsort(want[k].got, count, sizeof(record), by_content);
    }
    for (uint32_t i = 0; i < count; i++) {
        const record *got = &sinks[k].got[i], *is = &want[k].got[i];
        if (got->value != is->value || got->time != is->time) {
            fail_msg("%s: message %u of output %d is %llx at %lld, not %llx at %lld", who, i, k,
                     (unsigned long long)got->value, (long long)got->time, (unsigned long long)is->value,
                     (long long)is->time);
        }
        for (int key = 0; key < INS && i % p.out[k].batch == 0; key++) {
            if (got->keys[key] == is->keys[key]) { continue; }
            fail_msg("%s: message %u of output %d has %lld as metadata %d, not %lld", who, i, k,
                     (long long)got->keys[key], key, (long long)is->keys[key]);
        }
    }
}
static void one_way(uint32_t seed, int on, bool one)
{
    char who[96];
    sf_op op;
    sf_flow *f = build(on, one, &op);
    uint64_t runs = model();
    snprintf(who, sizeof who, "seed %u, %d copies, way %d", seed, one ? 1 : p.copies, on);
    for (int again = 0; again < 2; again++) {
        run_to_end(f, on);
        if (wrong) { fail_msg("%s: %u calls were wrong", who, wrong); }
        for (int k = 0; k < p.outs; k++) { check_sink(who, k); }
        if (p.ends_at >= runs ? runs_of(f, op) != runs : runs_of(f, op) < runs) {
            fail_msg("%s: %llu runs, not %llu", who, (unsigned long long)runs_of(f, op), (unsigned long long)runs);
        }
        if (again || seed % 8) { break; }    /* a second run begins anew */
        memset(tries, 0, sizeof tries);
        memset(sinks, 0, sizeof sinks);
    }
    destroy(f);
}
static void random_programs(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 50) {
        rng r = rng_seed(seed);
        draw(&r);
        one_way(seed, ONE_THREAD, true);
        one_way(seed, (int)rng_below(&r, 3), false);
        one_way(seed, WORKERS + 1 + (int)rng_below(&r, 8), false);
        one_way(seed, WORKERS + 2, false);
    }
}
static void random_programs_unordered(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 100) {
        rng r = rng_seed(seed + 1000000);
        draw(&r);
        p.unordered = true;
        p.ends_at = UINT32_MAX;              /* without an order it is not said which ones are later */
        for (int k = 0; k < p.outs; k++) { p.out[k].batch = 1; }
        one_way(seed, (int)rng_below(&r, 3), false);
        one_way(seed, WORKERS + 1 + (int)rng_below(&r, 8), false);
    }
}

/* -- values from outside -- */

static uint32_t gate, computed;
static sf_result pass_on(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    test_spin((uint32_t)(mix(v.u64, 9) >> 40) % 3000);
    test_add(&computed, 1);
    return sf_emit_value(ctx, 0, v);
}
static sf_flow *passing(int workers, int32_t copies, sf_compute_func compute, uint16_t capacity, sf_op *op)
{
    sf_flow_desc d = { .device = device };
    sf_flow *f;
    d.workers[0].count = workers;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    *op = sf_flow_add(f, &(sf_op_desc){ .name = "pass", .compute = compute, .copies = copies,
                                   .in = { { .name = "in", .external = true, .capacity = capacity } },
                                   .out = { OUT("out") } });
    connect(f, *op, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1],
                                             .in = { { .name = "in", .capacity = 2 } } }));
    computed = gate = begun = 0;
    return f;
}
typedef struct pusher { sf_flow *flow; sf_op op; uint32_t accepted; } pusher;
static void *push_until_done(void *arg)
{
    pusher *q = (pusher *)arg;
    sf_result r = SF_OK;
    while (r != SF_DONE && q->accepted < 900) {
        r = sf_flow_push_value(q->flow, q->op, 0, number(q->accepted + 1));
        if (r == SF_OK) { q->accepted++; } else if (r == SF_BUSY) { usleep(20); } else if (r < 0) { return NULL; }
    }
    return arg;
}
static void finish_loses_nothing(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 50) {
        rng r = rng_seed(seed + 7);
        pusher q = { NULL, { 0 }, 0 };
        pthread_t thread;
        void *well;
        int workers = (int)rng_below(&r, 9);
        uint32_t after = rng_below(&r, 300);
        q.flow = passing(workers, 1 + (int32_t)rng_below(&r, 8), pass_on, (uint16_t)(1 + rng_below(&r, 8)), &q.op);
        notes_clear();
        CHECK_OK(sf_flow_start(q.flow));
        CHECK_EQUAL(pthread_create(&thread, NULL, push_until_done, &q), 0);
        usleep(after);
        CHECK_OK(sf_flow_finish(q.flow));
        CHECK_IS(sf_flow_wait(q.flow, GUARD), SF_OK);
        pthread_join(thread, &well);
        CHECK(well != NULL);
        check_counts(1, 1, q.accepted);      /* all that was accepted, in order */
        CHECK_EQUAL(runs_of(q.flow, q.op), q.accepted);
        destroy(q.flow);
    }
}
/* The first compute waits: each other copy does RESULTS more, and no result leaves before the first one's. */
static sf_result first_waits(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    if (!ctx->run) {
        test_store(&begun, 1 + ctx->copy);
        while (!test_load(&gate)) { usleep(50); }
    } else {
        test_add(&computed, 1);
    }
    return sf_emit_value(ctx, 0, v);
}
static void one_that_takes_long(void **state)
{
    sf_op op;
    sf_op_info info;
    sf_flow *f = passing(3, 3, first_waits, 64, &op);
    (void)state;
    CHECK_OK(sf_flow_start(f));
    for (int i = 1; i <= 40; i++) { CHECK_OK(sf_flow_push_value(f, op, 0, number(i))); }
    until(&computed, 2 * RESULTS);
    usleep(3000);
    CHECK_EQUAL(test_load(&computed), 2 * RESULTS);          /* their places are full */
    CHECK_EQUAL(note_count, 0);
    CHECK_OK(sf_op_get_info(f, op, &info));
    CHECK_EQUAL(info.state, SF_OP_COMPUTING);
    CHECK_EQUAL(info.runs, 1 + 2 * RESULTS);
    test_store(&gate, 1);
    CHECK_OK(sf_flow_finish(f));
    CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
    check_counts(1, 1, 40);
    destroy(f);
}
/* A push alone comes out, however many copies have nothing to do. */
static void one_message_alone(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers++) {
        sf_op op;
        sf_flow *f = passing(workers, 4, pass_on, 4, &op);
        notes_clear();
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 1; i <= 5; i++) {
            CHECK_OK(sf_flow_push_value(f, op, 0, number(i)));
            until(&note_count, i);
        }
        CHECK_OK(sf_flow_finish(f));
        CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
        check_counts(1, 1, 5);
        destroy(f);
    }
}
static sf_result second_waits(sf_context *ctx)               /* all but the first wait */
{
    sf_value v = sf_receive_value(ctx, 0);
    while (ctx->run && !test_load(&gate)) { usleep(50); }
    return sf_emit_value(ctx, 0, v);
}
static void unordered_results(void **state)
{
    sf_flow_desc d = { .device = device, .workers = { { .count = 3 } } };
    sf_op op;
    sf_flow *f = sf_flow_create(&d);
    long long got[8];
    (void)state;
    gate = begun = computed = 0;
    op = sf_flow_add(f, &(sf_op_desc){ .name = "any", .compute = first_waits, .copies = 3, .unordered = true,
                                  .in = { { .name = "in", .external = true, .capacity = 8 } }, .out = { OUT("out") } });
    connect(f, op, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
    CHECK_OK(sf_flow_start(f));
    CHECK_OK(sf_flow_push_value(f, op, 0, number(1)));
    until(&begun, 1);
    for (int i = 2; i <= 4; i++) { CHECK_OK(sf_flow_push_value(f, op, 0, number(i))); }
    until(&note_count, 2);                   /* later ones have left before the first one */
    test_store(&gate, 1);
    CHECK_OK(sf_flow_finish(f));
    CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
    CHECK_EQUAL(notes_of(1, got, COUNT(got)), 4);
    CHECK(got[0] != 1);
    destroy(f);
}

/* -- what a copy is told and keeps -- */

static uint32_t started[MOST], stopped[MOST], sized[MOST];
static uint64_t states[MOST];
static sf_result size_it(sf_context *ctx)
{
    sized[ctx->copy]++;
    return sf_set_port_bytes(ctx, "out", BYTES);
}
static sf_result start_it(sf_context *ctx) { return started[ctx->copy]++, SF_OK; }
static sf_result stop_it(sf_context *ctx) { return stopped[ctx->copy]++, SF_OK; }
static sf_result count_states(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (t->bytes != BYTES || ctx->user != states || strncmp(ctx->name, "states/", 7)) { test_add(&wrong, 1); }
    ((uint64_t *)ctx->user)[ctx->copy]++;
    (void)sf_receive_value(ctx, 0);
    (void)sf_compute_stream(ctx);
    return sf_emit(ctx, 0, t);
}
static void hooks_and_states(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = 2 } } });
    sf_op a, b;
    uint64_t all = 0;
    (void)state;
    memset(started, 0, sizeof started);
    memset(stopped, 0, sizeof stopped);
    memset(sized, 0, sizeof sized);
    memset(states, 0, sizeof states);
    wrong = 0;
    a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 50 });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "states", .compute = count_states, .user = states, .copies = 3,
                                 .initialize = size_it, .start = start_it, .stop = stop_it,
                                 .in = { IN("in") }, .out = { OUT("out") } });
    connect(f, a, b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { { .name = "in", .bytes = BYTES } } }));
    run_is(f, SF_OK);
    CHECK_EQUAL(wrong, 0);
    for (int i = 0; i < MOST; i++) {
        CHECK_EQUAL(started[i], i < 3);
        CHECK_EQUAL(stopped[i], i < 3);
        CHECK_EQUAL(sized[i], i < 3);
        CHECK((states[i] > 0) == (i < 3));
        all += states[i];
    }
    CHECK_EQUAL(all, 50);
    CHECK_EQUAL(runs_of(f, b), 50);
    destroy(f);
}
static sf_result not_this_time(sf_context *ctx) { return ctx->copy % 2 ? SF_OK : SF_DONE; }
static void a_copy_that_does_not_start(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 30 }), b;
        b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .copies = 4, .start = not_this_time,
                                     .in = { IN("in") }, .out = { OUT("out") } });
        notes_clear();
        connect(f, a, b);
        connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
        run_is(f, SF_OK);
        check_counts(1, 1, 30);
        destroy(f);
    }
}
static sf_result count_runs(sf_context *ctx)                 /* a source */
{
    if (ctx->run == 40) { return SF_DONE; }
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run + 1));
}
static void sources(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers++) {
        for (int count = 0; count < 2; count++) {
            sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_runs, .copies = 3, .out = { OUT("out") },
                                               .count = count ? 25 : 0 });
            notes_clear();
            connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
            run_is(f, SF_OK);
            check_counts(1, 1, count ? 25 : 40);
            if (count) { CHECK_EQUAL(runs_of(f, a), 25); }
            destroy(f);
        }
    }
}
static sf_result add_to_state(sf_context *ctx)
{
    ((uint64_t *)ctx->user)[ctx->copy] += sf_receive_value(ctx, 0).u64;
    return SF_OK;
}
static void sinks_add_up(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        uint64_t all = 0;
        memset(states, 0, sizeof states);
        connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 100 }),
                sf_flow_add(f, &(sf_op_desc){ .compute = add_to_state, .user = states, .copies = 4, .in = { IN("in") } }));
        run_is(f, SF_OK);
        for (int i = 0; i < MOST; i++) { all += states[i]; }
        CHECK_EQUAL(all, 5050);
        destroy(f);
    }
}

/* -- what one compute gets -- */

static sf_result leave_some(sf_context *ctx)                 /* receives one of what it gets */
{
    int there = sf_available(ctx, 0);
    int64_t first = sf_receive_value(ctx, 0).i64;
    return sf_emit_value(ctx, 0, number(first * 100 + there));
}
static void what_is_left_is_gone(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 9 }), b;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = leave_some, .copies = 2, .out = { OUT("out") },
                                 .in = { { .name = "in", .batch = 3, .capacity = 6 } } });
    connect(f, a, b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
    run_is(f, SF_OK);
    CHECK_NOTES(1, 103, 403, 703);
    destroy(f);
}
static sf_result take_both(sf_context *ctx)                  /* input 1 is optional */
{
    int64_t n = sf_available(ctx, 1);
    sf_value v = sf_receive_value(ctx, 0);
    if (n > 1) { test_add(&wrong, 1); }
    if (n) { note_down(2, sf_receive_value(ctx, 1).i64); }
    return sf_emit_value(ctx, 0, v);
}
static void optional_inputs(void **state)
{
    (void)state;
    for (int connected = 0; connected < 2; connected++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 30 }), b, c;
        wrong = 0;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){ .compute = take_both, .copies = 3, .out = { OUT("out") },
                                     .in = { IN("in"), { .name = "more", .optional = true, .capacity = 8 } } });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 5 });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, "in", NULL));
        if (connected) { CHECK_OK(sf_flow_connect(f, c, NULL, b, "more", NULL)); }
        connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
        run_is(f, SF_OK);
        CHECK_EQUAL(wrong, 0);
        check_counts(1, 1, 30);
        if (connected) { check_counts(2, 1, 5); }
        destroy(f);
    }
}
static sf_result how_many(sf_context *ctx)
{
    int n = 0;
    while (sf_available(ctx, 0)) { n++, (void)sf_receive_value(ctx, 0); }
    return sf_emit_value(ctx, 0, number(n));
}
/* Conditions say when messages are dealt, and which. The clock is simulated. */
static void conditions(void **state)
{
    static const struct { sf_condition c; int64_t period; uint64_t count; long long want[6]; uint32_t notes; } cases[] = {
        { { .kind = SF_CONDITION_MESSAGES, .count = 4 }, 0, 0, { 4, 4, 4 }, 3 },             /* 12 in a queue of 4 */
        { { .kind = SF_CONDITION_EXPIRING, .count = 4, .ns = 50 }, 0, 0, { 4, 4, 4 }, 3 },
        { { .kind = SF_CONDITION_PERIOD, .ns = 100 }, 0, 3, { 1, 1, 1 }, 3 },
        { { .kind = SF_CONDITION_TIME, .ns = 500 }, 0, 2, { 1, 1 }, 2 },
        { { .kind = SF_CONDITION_NONE }, 10, 4, { 1, 1, 1, 1 }, 4 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 12 }), b;
        sf_op_desc d = { .compute = how_many, .copies = 3, .in = { { .name = "in", .capacity = 4 } },
                         .out = { OUT("out") }, .period = cases[i].period, .count = cases[i].count };
        d.when[0] = cases[i].c;
        notes_clear();
        b = sf_flow_add(f, &d);
        connect(f, a, b);
        connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
        run_is(f, SF_OK);
        check_notes(1, cases[i].want, cases[i].notes);
        destroy(f);
    }
}
static void one_compute_per_signal(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 5 }), b;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .copies = 2, .in = { { .name = "in", .capacity = 8 } },
                                 .out = { OUT("out") }, .when = { { .kind = SF_CONDITION_SIGNAL } } });
    connect(f, a, b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
    CHECK_OK(sf_flow_start(f));
    for (uint32_t i = 1; i <= 5; i++) {
        CHECK_OK(sf_flow_signal(f, b, 0, SF_READY));
        until(&note_count, i);
        CHECK_EQUAL(runs_of(f, b), i);
    }
    CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
    check_counts(1, 1, 5);
    destroy(f);
}
static sf_result turn_and_pass(sf_context *ctx) { return pass_value(ctx); }
/* A turn is one compute; a route names the operator by its id. */
static sf_op routed_to;
static sf_result route_odd(sf_context *ctx)
{
    sf_op none = { 0 };
    (void)sf_route(ctx, ctx->run % 2 ? routed_to : none);
    return count_up(ctx);
}
static void turns_and_routes(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = route_odd, .out = { OUT("out") }, .count = 10 }), b, c;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = turn_and_pass, .copies = 2, .in = { { .name = "in", .capacity = 8 } },
                                 .out = { OUT("out") } });
    c = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 3 });
    routed_to = b;
    connect(f, a, b);
    CHECK_OK(sf_flow_connect(f, c, NULL, b, NULL, &(sf_edge_desc){ .control = true }));
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
    run_is(f, SF_OK);
    CHECK_NOTES(1, 2, 4, 6);                 /* three turns, of the five that were routed to it */
    CHECK_EQUAL(runs_of(f, b), 3);
    destroy(f);
}

/* -- ends, errors, counters -- */

static sf_result fail_some(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    return v.i64 % 3 ? sf_emit_value(ctx, 0, v) : SF_ERROR_USER;
}
static void counters(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 30 }), b, ids_[1];
    sf_op_info info;
    sf_edge_info edge;
    uint64_t sum = 0;
    (void)state, (void)ids_;
    b = sf_flow_add(f, &(sf_op_desc){ .name = "some", .compute = fail_some, .copies = 3, .in = { IN("in") },
                                 .out = { OUT("out") }, .on_error = SF_ON_ERROR_IGNORE });
    connect(f, a, b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } }));
    run_is(f, SF_OK);
    CHECK_OK(sf_op_get_info(f, b, &info));
    CHECK_EQUAL(info.runs, 30);
    CHECK_EQUAL(info.errors, 10);
    CHECK_EQUAL(info.state, SF_OP_STOPPED);
    edge = edge_of(f, b, 0, 0);
    CHECK_EQUAL(edge.messages, 30);
    CHECK_EQUAL(edge.fates[SF_FATE_FAILED], 10);
    CHECK_EQUAL(edge.fates[SF_FATE_DELIVERED], 20);
    for (int i = 0; i < SF_FATES; i++) { sum += edge.fates[i]; }
    CHECK_EQUAL(sum + edge.queued, 30);
    CHECK_IS(sf_op_get_edge_info(f, b, 1, 0, &edge), SF_ERROR_UNKNOWN_PORT);
    destroy(f);
}
static void an_error_ends_it(void **state)
{
    static const struct { sf_on_error policy; sf_result result; sf_op_state state; } cases[] = {
        { SF_ON_ERROR_STOP_OPERATOR, SF_OK, SF_OP_FAILED }, { SF_ON_ERROR_STOP_FLOW, SF_ERROR_USER, SF_OP_FAILED },
        { SF_ON_ERROR_RETRY, SF_ERROR_USER, SF_OP_FAILED },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = (int32_t)i } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 30 }), b;
        sf_op_info info;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){ .name = "some", .compute = fail_some, .copies = 2, .in = { IN("in") },
                                     .out = { OUT("out") }, .on_error = cases[i].policy, .retries = 2 });
        connect(f, a, b);
        connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
        run_is(f, cases[i].result);
        if (cases[i].result == SF_OK) { CHECK_NOTES(1, 1, 2); }
        CHECK_OK(sf_op_get_info(f, b, &info));
        CHECK_EQUAL(info.state, cases[i].state);
        if (cases[i].result < 0) { CHECK(strstr(sf_flow_failure(f)->text, "some/") != NULL); }
        destroy_is(f, cases[i].result);
    }
}
static void stopped_from_outside(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers++) {
        sf_op op;
        sf_flow *f = passing(workers, 3, pass_on, 8, &op);
        uint32_t accepted = 0;
        sf_result r = SF_OK;
        notes_clear();
        CHECK_OK(sf_flow_start(f));
        while (accepted < 20) { accepted += sf_flow_push_value(f, op, 0, number(accepted + 1)) == SF_OK; }
        CHECK_OK(sf_op_stop(f, op));
        for (int i = 0; i < 60000 && r != SF_DONE; i++) {
            r = sf_flow_push_value(f, op, 0, number(0));
            usleep(1000);
        }
        CHECK_IS(r, SF_DONE);
        CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);             /* nothing comes any more */
        CHECK(runs_of(f, op) <= accepted + 8);
        check_counts(1, 1, note_count < accepted ? note_count : accepted);
        destroy(f);
    }
}
static sf_result three(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), ctx->run == 2 ? SF_DONE : SF_OK; }
static void its_reader_ends(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers++) {
        sf_op op, last;
        sf_flow *f = passing(workers, 3, pass_on, 8, &op);
        sf_flow *g = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_op a = sf_flow_add(g, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") } }), b;
        destroy(f);
        b = sf_flow_add(g, &(sf_op_desc){ .compute = pass_value, .copies = 3, .in = { IN("in") }, .out = { OUT("out") } });
        last = sf_flow_add(g, &(sf_op_desc){ .compute = three, .in = { IN("in") } });
        connect(g, a, b);
        connect(g, b, last);
        guarded_run_is(g, SF_OK, NULL);      /* an endless source ends, too */
        CHECK_EQUAL(runs_of(g, last), 3);
        destroy(g);
    }
}
/* The operator is in a circle: what it emits comes back to it. */
static sf_result add_one(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    v.i64++;
    if (v.i64 == 40) { return SF_DONE; }
    note_down(1, v.i64);
    return sf_emit_value(ctx, 0, v);
}
static void in_a_circle(void **state)
{
    (void)state;
    for (int workers = 0; workers < 3; workers++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = add_one, .copies = 2, .in = { IN("in") }, .out = { OUT("out") } });
        notes_clear();
        CHECK_OK(sf_flow_connect(f, a, NULL, a, NULL, &(sf_edge_desc){ .delay = 1 }));
        guarded_run_is(f, SF_OK, NULL);
        check_counts(1, 1, 39);
        destroy(f);
    }
}

/* -- tensors: memory -- */

static sf_result make_tensor(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, (uint32_t)sf_receive_value(ctx, 0).u64, 500);
    return sf_emit(ctx, 0, t);
}
static sf_result check_eight(sf_context *ctx)
{
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t *words = (const uint32_t *)sf_receive(ctx, 0)->data;
        wrong += words[0] != ctx->run * 8 + i + 1 || words[WORDS - 1] != words[0];
    }
    return SF_OK;
}
/* A consumer that needs eight at a time gets them, whatever pool they are from. */
static void batches_behind_it(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        int workers = i / 2;
        sf_mem_pool *pool = NULL;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 160 }), b, c;
        sf_port out = { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED };
        if (i % 2) {
            CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_BLOCKS, .block_bytes = BYTES,
                                                                .memory = SF_MEMORY_PINNED, .blocks = 3 * RESULTS + 9 },
                                        &pool));
            out.pool = pool;
        }
        wrong = 0;
        b = sf_flow_add(f, &(sf_op_desc){ .compute = make_tensor, .copies = 3, .in = { IN("in") }, .out = { out } });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = check_eight, .when = { { .kind = SF_CONDITION_STREAM } },
                                     .in = { { .name = "in", .batch = 8 } } });
        connect(f, a, b);
        connect(f, b, c);
        guarded_run_is(f, SF_OK, NULL);
        CHECK_EQUAL(wrong, 0);
        CHECK_EQUAL(runs_of(f, c), 20);
        destroy(f);
        if (pool) { CHECK_OK(sf_mem_pool_destroy(pool)); }
    }
}
static sf_result forward(sf_context *ctx) { return sf_emit(ctx, 0, sf_receive(ctx, 0)); }
static void tensors_pass_through(void **state)               /* untouched, from outside */
{
    static uint32_t data[32];
    sf_flow *f = flow_on(device);
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = forward, .copies = 2, .out = { OUT("out") },
                                       .in = { { .name = "in", .external = true, .capacity = 32 } } });
    (void)state;
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } }));
    CHECK_OK(sf_flow_start(f));
    for (uint32_t i = 0; i < 32; i++) {
        sf_tensor *t = sf_tensor_wrap(f, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { 1 }, .data = &data[i],
                                                       .memory = SF_MEMORY_HOST });
        CHECK_OK(sf_flow_push(f, b, 0, t));
    }
    CHECK_OK(sf_flow_finish(f));
    CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
    CHECK_EQUAL(runs_of(f, b), 32);
    destroy(f);                              /* waits for no tensor: all were released */
}
static void in_memory_handed_in(void **state)
{
    static _Alignas(64) char memory[1 << 20];
    enum { COPIES = 3 };
    sf_flow_desc d = { .limits = { .ops = 2 + COPIES + 2, .edges = 2 + COPIES * (1 + 1 + 2), .messages = 0 } };
    (void)state;
    /* the user's two queues; per copy its messages and orders, what it has emitted, and notes */
    d.limits.messages = 2 + COPIES * (AHEAD + RESULTS + AHEAD * 1 + (RESULTS - 1 + 1));
    d.memory = (sf_range){ memory, sf_flow_memory(&d) };
    CHECK(d.memory.bytes && d.memory.bytes < sizeof memory);
    for (int less = 0; less < 3; less++) {
        sf_flow *f;
        sf_op a, b;
        if (less == 1) { d.limits.ops--; }
        if (less == 2) { d.limits.ops++, d.limits.edges -= 8; }
        f = sf_flow_create(&d);
        CHECK(f != NULL);
        notes_clear();
        a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 20 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .copies = COPIES, .in = { IN("in") }, .out = { OUT("out") } });
        (void)sf_flow_connect(f, a, NULL, b, NULL, NULL);
        (void)sf_flow_connect(f, b, NULL, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1],
                                                                  .in = { IN("in") } }), NULL, NULL);
        run_is(f, less ? SF_ERROR_NO_ROOM : SF_OK);
        if (!less) { check_counts(1, 1, 20); }
        if (less) { CHECK(strstr(sf_flow_failure(f)->text, less == 1 ? "limits.ops" : "limits.edges") != NULL); }
        destroy_is(f, less ? SF_ERROR_NO_ROOM : SF_OK);
    }
}

/* -- reports, and what is refused -- */

static void reports(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .track = { .latency = true }, .trace_events = 200 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = count_up, .out = { OUT("out") }, .count = 30 }), b;
    sf_latency latency;
    sf_op_info info;
    sf_flow_info flow;
    char name[64];
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .name = "blur", .compute = pass_value, .copies = 3, .in = { IN("in") },
                                 .out = { OUT("out") } });
    connect(f, a, b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .name = "screen", .compute = take_value, .in = { IN("in") } }));
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK_EQUAL(count_of("\n4 blur/2\n"), 1);
    CHECK_EQUAL(count_of(" -> blur/2."), 2);
    CHECK_EQUAL(count_of("\n1 blur\n"), 1);
    CHECK(count_of("blur/out") > 0);
    run_is(f, SF_OK);
    CHECK_OK(sf_flow_get_info(f, &flow));
    CHECK_EQUAL(flow.ops, 7);
    CHECK_EQUAL(flow.paths, 1);              /* the copies are one place */
    CHECK_OK(sf_flow_get_path(f, 0, &latency, name, sizeof name));
    assert_string_equal(name, "camera,blur,screen");
    CHECK_EQUAL(latency.count, 30);
    CHECK_OK(sf_op_get_info(f, b, &info));
    CHECK_EQUAL(info.cpu.count, 30);
    CHECK(info.cpu.min <= info.cpu.p50 && info.cpu.p50 <= info.cpu.max);
    report_clear();
    CHECK_OK(sf_flow_dot(f, report_add, NULL));
    CHECK_EQUAL(count_of("blur/1"), 1);
    report_clear();
    CHECK_OK(sf_flow_trace(f, report_add, NULL));
    CHECK(count_of("\"name\":\"blur/") > 0);
    destroy(f);
}
static void described_waits(void **state)
{
    sf_op op;
    sf_op_info info;
    sf_flow *f = passing(2, 2, second_waits, 16, &op);
    (void)state;
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 60000; i++) {
        CHECK_OK(sf_op_get_info(f, op, &info));
        if (info.state == SF_OP_WAITING) { break; }
        usleep(1000);
    }
    assert_string_equal(info.waits_for, "messages on \"in\" from outside (0 of 1)");
    test_store(&gate, 1);
    CHECK_OK(sf_flow_finish(f));
    CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
    CHECK_OK(sf_op_get_info(f, op, &info));
    CHECK_EQUAL(info.state, SF_OP_STOPPED);
    destroy(f);
}
static sf_result wrong_ports(sf_context *ctx)
{
    if (ctx->run == 0) { (void)sf_receive_value(ctx, 1); }   /* it has one input, one output */
    if (ctx->run == 1) { (void)sf_emit_value(ctx, 1, number(1)); }
    if (ctx->run == 2) { (void)sf_route(ctx, ctx->op); }
    return SF_OK;
}
static void calls_that_fail(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 10 }), b;
    sf_op_info info;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = wrong_ports, .copies = 2, .in = { IN("in") }, .out = { OUT("out") },
                                 .on_error = SF_ON_ERROR_IGNORE });
    connect(f, a, b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } }));
    run_is(f, SF_OK);
    CHECK_OK(sf_op_get_info(f, b, &info));
    CHECK_EQUAL(info.errors, 3);
    CHECK_EQUAL(info.runs, 10);
    destroy(f);
}
static void refused(void **state)
{
    static char buffer[BYTES];
    static const struct { sf_op_desc d; sf_result result; const char *text; } cases[] = {
        { { .copies = -1 }, SF_ERROR_INVALID_VALUE, "64 at most" },
        { { .copies = 65 }, SF_ERROR_INVALID_VALUE, "copies of 65" },
        { { .copies = 2, .region = 1 }, SF_ERROR_NOT_SUPPORTED, ".region" },
        { { .copies = 2, .out = { { .name = "out", .bytes = BYTES, .data = buffer } } }, SF_ERROR_NOT_SUPPORTED, ".data" },
        { { .copies = 2, .when = { { .kind = SF_CONDITION_ROOM, .count = 1 } } }, SF_ERROR_NOT_SUPPORTED, "ROOM" },
        { { .copies = 2, .when = { { .kind = SF_CONDITION_MEMORY, .count = 1 } } }, SF_ERROR_NOT_SUPPORTED, "MEMORY" },
        { { .copies = 2, .when = { { .kind = SF_CONDITION_ALIGNED } } }, SF_ERROR_NOT_SUPPORTED, "part of a set" },
        { { .copies = 2, .when = { { .kind = SF_CONDITION_WINDOW } } }, SF_ERROR_NOT_SUPPORTED, "part of a set" },
        { { .copies = 2, .flush = true }, SF_ERROR_NOT_SUPPORTED, "flush" },
    };
    sf_mem_pool *pool;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_op_desc d = cases[i].d;
        d.name = "it";
        d.compute = nothing;
        CHECK_EQUAL(sf_flow_add(f, &d).id, 0);
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), cases[i].result);
        if (!strstr(sf_flow_failure(f)->text, cases[i].text)) { fail_msg("%s", sf_flow_failure(f)->text); }
        (void)sf_flow_destroy(f);
    }
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_BLOCKS, .block_bytes = BYTES,
                                                        .blocks = 3 * RESULTS - 1 }, &pool));
    for (int i = 0; i < 5; i++) {
        sf_flow *f = flow_on(device);
        sf_op_desc d = { .name = "it", .compute = nothing, .copies = 3, .in = { { .name = "in", .optional = true } },
                         .out = { OUT("out") }, .period = 1 };
        sf_op a, b;
        const char *text = i < 2 ? "in its desc" : i == 2 ? "no turns" : i == 3 ? "overflow" : "raise sf_mem_pool_desc";
        if (i == 4) { d.out[0].pool = pool; }
        a = sf_flow_add(f, &d);
        b = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } });
        if (i == 0) { CHECK(sf_op_add_input(f, a, &(sf_port){ .name = "more" }) < 0); }
        if (i == 1) { CHECK(sf_op_add_output(f, a, &(sf_port){ .name = "more" }) < 0); }
        if (i == 2) { (void)sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true }); }
        if (i == 3) { (void)sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_ERROR }); }
        if (i != 3) { connect(f, a, b); }
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), i < 4 ? SF_ERROR_NOT_SUPPORTED : SF_ERROR_INVALID_VALUE);
        if (!strstr(sf_flow_failure(f)->text, text)) { fail_msg("%s", sf_flow_failure(f)->text); }
        (void)sf_flow_destroy(f);
    }
    CHECK_OK(sf_mem_pool_destroy(pool));
}

/* Limits of lateness are those of each copy, and an input's age is looked at once, by the dealer. */
static int late_computes;
static sf_result late_source(sf_context *ctx)
{
    sf_set_timestamp(ctx, sf_flow_now(ctx->flow));
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run });
}
static sf_result late_compute(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    late_computes += sf_late_by(ctx) > 0;
    return SF_OK;
}
static void late_copies_and_old_messages(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST, .clock.simulated = true });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = late_source, .out = {{ .name = "o" }}, .count = 6,
                                                .period = SF_MS(1) });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = late_compute, .copies = 2, .period = SF_MS(10),
            .late = { .start = 1 }, .in = {{ .name = "i", .capacity = 8, .max_age = old ? SF_MS(7) : 0 }} });
        sf_op_info info;
        sf_edge_info edge;
        late_computes = 0;
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
        CHECK_OK(sf_flow_run(f));
        CHECK_OK(sf_op_get_info(f, b, &info));
        CHECK_EQUAL(info.late, late_computes);
        CHECK_OK(sf_op_get_edge_info(f, b, 0, 0, &edge));
        CHECK_EQUAL(edge.fates[SF_FATE_TOO_OLD] > 0, old);
        CHECK_EQUAL(edge.fates[SF_FATE_TOO_OLD] + info.runs, 6);
        CHECK_OK(sf_flow_destroy(f));
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(random_programs), TEST(random_programs_unordered), TEST(finish_loses_nothing), TEST(one_that_takes_long),
        TEST(one_message_alone), TEST(unordered_results), TEST(hooks_and_states), TEST(a_copy_that_does_not_start),
        TEST(sources), TEST(sinks_add_up), TEST(what_is_left_is_gone), TEST(optional_inputs), TEST(conditions),
        TEST(one_compute_per_signal), TEST(turns_and_routes), TEST(counters), TEST(an_error_ends_it),
        TEST(stopped_from_outside), TEST(its_reader_ends), TEST(in_a_circle), TEST(batches_behind_it),
        TEST(tensors_pass_through), TEST(in_memory_handed_in), TEST(reports), TEST(described_waits),
        TEST(calls_that_fail), TEST(late_copies_and_old_messages), TEST(refused),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}
