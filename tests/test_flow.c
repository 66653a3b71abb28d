/*  test_flow.c - building and running flows: ports, edges, queues, turns, hooks, ways to drive them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include <signal.h>
#ifdef __linux__
#include <sys/wait.h>
#endif
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }

static sf_op source(sf_flow *f, uint64_t count)              /* 1, 2, ..., count */
{
    return sf_flow_add(
        f, &(sf_op_desc){ .name = "source", .compute = count_up, .out = { OUT("out") }, .count = count });
}
static sf_op sink(sf_flow *f, int id, sf_port in)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = keep_values, .user = &ids[id], .in = { in } });
}

/* -- messages and ports -- */

static sf_result add_ten(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number(sf_receive_value(ctx, 0).i64 + 10));
}
static void values_travel(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 5), b, c = sink(f, 0, (sf_port)IN("in"));
    sf_flow_info info;
    (void)state;
    b = sf_flow_add(f,
               &(sf_op_desc){ .name = "ten", .compute = add_ten, .in = { IN("in") }, .out = { OUT("out") } });
    connect(f, a, b);
    CHECK_OK(sf_flow_connect(f, b, "out", c, "in", NULL));
    run_is(f, SF_OK);
    CHECK_NOTES(0, 11, 12, 13, 14, 15);
    CHECK_EQUAL(runs_of(f, a), 5);
    CHECK_EQUAL(runs_of(f, b), 5);
    CHECK_EQUAL(edge_of(f, c, 0, 0).messages, 5);
    CHECK_EQUAL(edge_of(f, c, 0, 0).queued, 0);
    CHECK_OK(sf_flow_get_info(f, &info));
    CHECK_EQUAL(info.ops, 3);
    CHECK_EQUAL(info.edges, 2);
    CHECK_EQUAL(info.running, 0);
    CHECK_EQUAL(info.result, SF_OK);
    CHECK_EQUAL(sf_flow_failure(f)->count, 0);
    destroy(f);
}

static uint32_t *probes;                                     /* PROBE words per message */
static sf_result paint_source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, 1000);
    return sf_emit(ctx, 0, t);
}
static sf_result paint_on(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    paint(sf_compute_stream(ctx), out->data, in->data, NULL, 1000, 1000);
    return sf_emit(ctx, 0, out);
}
static sf_result probe_sink(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0);
    return probe(sf_compute_stream(ctx), in->data, probes + PROBE * ctx->run, 1000);
}
static void tensors_travel(void **state)
{
    sf_flow *f = flow_on(device);
    sf_port out = { .name = "out", .bytes = BYTES };
    sf_op a, b, c;
    (void)state;
    probes = (uint32_t *)test_memory(device, 50 * PROBE * 4);
    a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = paint_source, .out = { out }, .count = 50 });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = paint_on, .in = { { .name = "in", .bytes = BYTES } },
                                 .out = { out } });
    c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = probe_sink, .in = { IN("in") } });
    connect(f, a, b);
    connect(f, b, c);
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < 50; i++) { CHECK_PROBE(probes + PROBE * i, 1100 + i); }
    destroy(f);
    CHECK_OK(sf_mem_free(device, probes));
}

static sf_result emit_all(sf_context *ctx)                   /* 100 + port on each of 32 */
{
    for (int p = 0; p < SF_MAX_PORTS; p++) { sf_emit_value(ctx, p, number(100 + p)); }
    return SF_OK;
}
static sf_result keep_all(sf_context *ctx)
{
    for (int p = 0; p < SF_MAX_PORTS; p++) { note_down(p, sf_receive_value(ctx, p).i64); }
    return SF_OK;
}
static void as_many_ports_as_a_word_has_bits(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a, b;
    char name[16], other[16];
    (void)state;
    a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_all, .out = { OUT("p0"), OUT("p1") }, .count = 1 });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_all, .in = { IN("p0"), IN("p1"), IN("p2") } });
    for (int p = 2; p < SF_MAX_PORTS; p++) {
        snprintf(name, sizeof name, "p%d", p);
        CHECK_EQUAL(sf_op_add_output(f, a, &(sf_port){ .name = name }), p);
        if (p > 2) { CHECK_EQUAL(sf_op_add_input(f, b, &(sf_port){ .name = name }), p); }
    }
    for (int p = 0; p < SF_MAX_PORTS; p++) {                 /* crosswise */
        snprintf(name, sizeof name, "p%d", p);
        snprintf(other, sizeof other, "p%d", SF_MAX_PORTS - 1 - p);
        CHECK_OK(sf_flow_connect(f, a, name, b, other, NULL));
    }
    run_is(f, SF_OK);
    for (int p = 0; p < SF_MAX_PORTS; p++) {
        long long got[2] = { 0, 0 };
        CHECK_EQUAL(notes_of(p, got, 2), 1);
        CHECK_EQUAL(got[0], 100 + SF_MAX_PORTS - 1 - p);
    }
    CHECK_EQUAL(sf_op_add_output(f, b, &(sf_port)OUT("out")), 0);       /* the other side has room of its own */
    CHECK_EQUAL(sf_op_add_input(f, a, &(sf_port){ .name = "in", .optional = true }), 0);
    run_is(f, SF_OK);
    CHECK_EQUAL(sf_op_add_input(f, b, &(sf_port){ .name = "one more" }), -1);
    CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_INVALID_VALUE);
    destroy_is(f, SF_ERROR_INVALID_VALUE);
}

static sf_result emit_both(sf_context *ctx)
{
    sf_emit_value(ctx, 0, number((int64_t)ctx->run));
    return sf_emit_value(ctx, 1, number(100 + (int64_t)ctx->run));
}
static void fan_out(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .name = "a", .compute = emit_both, .out = { OUT("x"), OUT("y") }, .count = 3 });
    (void)state;
    for (int i = 0; i < 5; i++) {
        CHECK_OK(sf_flow_connect(f, a, i < 3 ? "x" : "y", sink(f, i, (sf_port)IN("in")), NULL, NULL));
    }
    run_is(f, SF_OK);
    for (int i = 0; i < 3; i++) { check_counts(i, 0, 3); }
    for (int i = 3; i < 5; i++) { check_counts(i, 100, 3); }
    destroy(f);
}

static sf_result forward_tensor(sf_context *ctx) { return sf_emit(ctx, 0, sf_receive(ctx, 0)); }
static sf_result keep_pointer(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    note_down(id_of(ctx), (long long)(intptr_t)t->data);
    return SF_OK;
}
static sf_result create_and_keep(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    note_down(0, (long long)(intptr_t)t->data);
    return sf_emit(ctx, 0, t);
}
static void payloads_are_shared(void **state)                /* not copied: by fan-out nor by passing on */
{
    sf_flow *f = flow_on(device);
    long long got[5];
    sf_op a, b;
    (void)state;
    a = sf_flow_add(f, &(sf_op_desc){
                      .compute = create_and_keep, .out = { { .name = "out", .bytes = 64 } }, .count = 1 });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = forward_tensor, .in = { IN("in") }, .out = { OUT("out") } });
    connect(f, a, b);
    for (int i = 1; i < 5; i++) {
        connect(f, i < 3 ? a : b,
                sf_flow_add(f, &(sf_op_desc){ .compute = keep_pointer, .user = &ids[i], .in = { IN("in") } }));
    }
    run_is(f, SF_OK);
    for (int i = 0; i < 5; i++) { CHECK_EQUAL(notes_of(i, &got[i], 1), 1); }
    for (int i = 1; i < 5; i++) { CHECK_EQUAL(got[i], got[0]); }
    destroy(f);
}

static sf_result emit_id(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number(1000 * id_of(ctx) + (int64_t)ctx->run));
}
static sf_result keep_turn(sf_context *ctx)                  /* how many there are, then each */
{
    note_down(1, sf_available(ctx, 0));
    while (sf_available(ctx, 0)) { note_down(0, sf_receive_value(ctx, 0).i64); }
    note_down(2, sf_receive_value(ctx, 0).i64);
    return SF_OK;
}
static void fan_in(void **state)                             /* one of each, as connected, not as emitted */
{
    sf_flow *f = flow_on(device);
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = keep_turn, .in = { { .name = "in", .many = true } } });
    static const int order[] = { 3, 1, 4, 2 };
    (void)state;
    for (int i = 0; i < 4; i++) {
        sf_op a = sf_flow_add(
            f,
            &(sf_op_desc){ .compute = emit_id, .user = &ids[order[i]], .out = { OUT("out") }, .count = 3 });
        connect(f, a, to);
    }
    run_is(f, SF_OK);
    CHECK_NOTES(0, 3000, 1000, 4000, 2000, 3001, 1001, 4001, 2001, 3002, 1002, 4002, 2002);
    CHECK_NOTES(1, 4, 4, 4);
    CHECK_NOTES(2, 0, 0, 0);                                 /* no more: zero */
    CHECK_EQUAL(edge_of(f, to, 0, 3).messages, 3);
    destroy(f);
}
static sf_result keep_mixed(sf_context *ctx)                 /* four of them; which are tensors, `user` says */
{
    for (int i = 0; i < 4; i++) {
        if (*(const int *)ctx->user >> i & 1) {
            note_down(0, sf_receive(ctx, 0) != NULL);
        } else {
            note_down(0, sf_receive_value(ctx, 0).i64);
        }
    }
    if (ctx->run == 1) { (void)sf_emit_value(ctx, 0, number(7)); }   /* kept by nobody: counted */
    return SF_OK;
}
static void values_and_tensors_at_one_input(void **state)
{
    (void)state;
    for (int mask = 0; mask < 16; mask++) {
        sf_flow *f = flow_on(device);
        sf_flow_info info;
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = keep_mixed, .user = &mask, .out = { OUT("out") },
                                            .in = { { .name = "in", .many = true } } });
        notes_clear();
        for (int i = 0; i < 4; i++) {
            sf_op_desc d = { .compute = emit_id, .user = &ids[i], .out = { OUT("out") }, .count = 2 };
            if (mask >> i & 1) { d.compute = paint_source, d.out[0].bytes = BYTES; }
            connect(f, sf_flow_add(f, &d), to);
        }
        run_is(f, SF_OK);
        for (int run = 0; run < 2; run++) {
            for (int i = 0; i < 4; i++) {
                CHECK_EQUAL(notes[4 * run + i].what, mask >> i & 1 ? 1 : 1000 * i + run);
            }
        }
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK_EQUAL(info.dropped, 1);
        destroy(f);
    }
}
/* Edges of a port are in the order in which they were connected, whatever was connected between them. */
static struct { int64_t values[2][COUNT(ids)]; uint32_t count[2]; } heard;
static sf_result hear_two(sf_context *ctx)
{
    for (int p = 0; p < 2; p++) {
        while (sf_available(ctx, p)) { heard.values[p][heard.count[p]++] = sf_receive_value(ctx, p).i64; }
    }
    return SF_OK;
}
static sf_op add_speaker(sf_flow *f, sf_op hub, int i)       /* its edge is known by its capacity */
{
    sf_op op = sf_flow_add(f, &(sf_op_desc){ .compute = emit_id, .user = &ids[i], .out = { OUT("out") },
                                             .count = 1 });
    sf_edge_desc edge = { .capacity = (uint16_t)(1 + i) };
    CHECK_OK(sf_flow_connect(f, op, NULL, hub, i & 1 ? "odd" : "even", &edge));
    return op;
}
static void edges_are_in_order(const sf_flow *f, sf_op hub, int n)
{
    sf_edge_info info;
    for (int i = 0; i < n; i++) { CHECK_EQUAL(edge_of(f, hub, i & 1, i / 2).capacity, 1 + i); }
    for (int p = 0; p < 2; p++) {
        CHECK_IS(sf_op_get_edge_info(f, hub, p, (n + 1 - p) / 2, &info), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_op_get_edge_info(f, hub, p, -1, &info), SF_ERROR_INVALID_VALUE);
    }
}
static void edges_in_the_order_of_connection(void **state)
{
    static const int sizes[] = { 1, 2, 3, 5, 9, 16 };
    (void)state;
    for (size_t s = 0; s < COUNT(sizes); s++) {
        sf_flow *f = flow_on(device);
        sf_op hub = sf_flow_add(f, &(sf_op_desc){ .compute = hear_two,
                                             .in = { { .name = "even", .many = true, .optional = true },
                                                     { .name = "odd", .many = true, .optional = true } },
                                             .when = { { .kind = SF_CONDITION_MESSAGES } } });
        sf_op kick = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1 }), speakers[COUNT(ids)];
        CHECK_OK(sf_flow_connect(f, kick, NULL, hub, NULL, &(sf_edge_desc){ .control = true }));
        for (int i = 0; i < sizes[s]; i++) {
            speakers[i] = add_speaker(f, hub, i);
            edges_are_in_order(f, hub, i + 1);
            if (i % 3 == 1) { CHECK_OK(sf_flow_check(f, false, NULL, NULL)); }       /* and is built on */
            edges_are_in_order(f, hub, i + 1);
            if (i + 1 < sizes[s] && i % 4 != 2) { continue; }
            memset(&heard, 0, sizeof heard);
            run_is(f, SF_OK);
            edges_are_in_order(f, hub, i + 1);
            for (int k = 0; k <= i; k++) { CHECK_EQUAL(heard.values[k & 1][k / 2], 1000 * k); }
            CHECK_EQUAL(heard.count[0] + heard.count[1], i + 1);
        }
        for (int i = 0; i < sizes[s]; i++) {
            CHECK_IS(sf_flow_connect(f, speakers[i], NULL, hub, i & 1 ? "odd" : "even", NULL),
                     SF_ERROR_CONNECTED_TWICE);
        }
        destroy_is(f, SF_ERROR_CONNECTED_TWICE);
    }
}
static void fan_in_of_none(void **state) /* `many` allows any number of edges, also with optional */
{
    sf_flow *f = flow_on(device);
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = keep_turn,
                             .in = { { .name = "in", .many = true, .optional = true } },
                             .count = 2 });
    run_is(f, SF_OK);
    CHECK_NOTES(1, 0, 0);
    destroy(f);
}

/* -- queues -- */

static sf_result keep_batch(sf_context *ctx)
{
    int64_t sum = 0, n = sf_available(ctx, 0);
    while (sf_available(ctx, 0)) { sum = 100 * sum + sf_receive_value(ctx, 0).i64; }
    note_down(0, n);
    note_down(1, sum);
    return SF_OK;
}
static sf_result take_batch(sf_context *ctx)                 /* two, although there may be more */
{
    note_down(0, sf_receive_value(ctx, 0).i64);
    note_down(0, sf_receive_value(ctx, 0).i64);
    return SF_OK;
}
/* Who is more urgent decides how full the queue gets: with an eager source full, with an eager consumer
   never. */
static void capacity_and_batch(void **state)
{
    static const struct {
        uint16_t capacity, batch, edge;
        int32_t urgency;
        uint32_t capacity_is, high;
    } cases[] = {
        { 4, 2, 0, -1, 4, 4 }, { 4, 2, 0, 1, 4, 2 }, { 0, 2, 0, -1, 2, 2 }, { 0, 0, 0, -1, 1, 1 },
        { 2, 2, 8, -1, 8, 8 }, { 9, 2, 3, -1, 3, 3 }, { 7, 0, 0, -1, 7, 7 }, { 12, 12, 0, -1, 12, 12 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_port in = { .name = "in", .capacity = cases[i].capacity, .batch = cases[i].batch };
        sf_op a = sf_flow_add(
            f, &(sf_op_desc){
                   .compute = count_up, .out = { OUT("out") }, .count = 12, .priority = cases[i].urgency });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_values, .user = &ids[0], .in = { in } });
        notes_clear();
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .capacity = cases[i].edge }));
        run_is(f, SF_OK);
        check_counts(0, 1, 12);
        CHECK_EQUAL(edge_of(f, b, 0, 0).capacity, cases[i].capacity_is);
        CHECK_EQUAL(edge_of(f, b, 0, 0).queued_high, cases[i].high);
        destroy(f);
    }
}
static void batches(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .compute = keep_batch, .in = { { .name = "in", .capacity = 3, .batch = 3 } } });
    (void)state;
    connect(f, source(f, 9), b);
    run_is(f, SF_OK);
    CHECK_NOTES(0, 3, 3, 3);
    CHECK_NOTES(1, 10203, 40506, 70809);
    destroy(f);
}
static void what_is_not_taken_stays(void **state)            /* a compute may receive fewer than there are */
{
    sf_flow *f = flow_on(device);
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .compute = take_batch, .in = { { .name = "in", .capacity = 5, .batch = 2 } } });
    (void)state;
    CHECK_OK(sf_flow_connect(
        f, sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 6, .priority = -1 }),
        NULL, b, NULL, NULL));
    run_is(f, SF_OK);
    check_counts(0, 1, 6);
    CHECK_EQUAL(runs_of(f, b), 3);
    destroy(f);
}
static void the_last_batch_is_not_whole(void **state)        /* 5 messages, in batches of 2: one is dropped */
{
    sf_flow *f = flow_on(device);
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .name = "pairs", .compute = keep_batch, .in = { { .name = "in", .batch = 2 } } });
    (void)state;
    connect(f, source(f, 5), b);
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, b), 2);
    CHECK_EQUAL(edge_of(f, b, 0, 0).dropped, 1);
    destroy(f);
}
static sf_result emit_five(sf_context *ctx)
{
    for (int i = 1; i <= 5; i++) { sf_emit_value(ctx, 0, number(i)); }
    return SF_OK;
}
static sf_result emit_error_late(sf_context *ctx) { return ctx->run < 5 ? count_up(ctx) : SF_DONE; }
static void overflow_policies(void **state)
{
    static const struct {
        sf_overflow policy;
        uint32_t got[6], count, messages, dropped, refused;
        uint64_t limit;
        sf_result result;
    } cases[] = {
        { SF_OVERFLOW_BLOCK, { 1, 2, 3, 4, 5 }, 5, 5, 0, 0, 0, SF_OK },
        { SF_OVERFLOW_DROP_OLDEST, { 4, 5 }, 2, 5, 3, 0, 0, SF_OK },
        { SF_OVERFLOW_DROP_NEWEST, { 1, 2 }, 2, 2, 0, 3, 0, SF_OK },
        { SF_OVERFLOW_LATEST, { 5 }, 1, 5, 4, 0, 3, SF_OK },         /* the last one once */
        { SF_OVERFLOW_ERROR, { 0 }, 0, 2, 0, 1, 0, SF_ERROR_QUEUE_FULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(
            f,
            &(sf_op_desc){ .name = "a", .compute = emit_error_late, .out = { OUT("out") }, .priority = -1 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b",
                                           .compute = keep_one,
                                           .user = &ids[0],
                                           .in = { IN("in") },
                                           .count = cases[i].limit });
        long long want[6];
        sf_edge_info edge;
        sf_flow_info info;
        for (uint32_t k = 0; k < cases[i].count; k++) { want[k] = cases[i].got[k]; }
        notes_clear();
        CHECK_OK(
            sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = cases[i].policy, .capacity = 2 }));
        run_is(f, cases[i].result);
        check_notes(0, want, cases[i].count);
        edge = edge_of(f, b, 0, 0);
        CHECK_OK(sf_flow_get_info(f, &info));
        if (edge.messages != cases[i].messages || edge.dropped != cases[i].dropped ||
            edge.refused != cases[i].refused) {
            fail_msg("policy %d: %d accepted, %d dropped, %d refused", (int)cases[i].policy,
                     (int)edge.messages, (int)edge.dropped, (int)edge.refused);
        }
        if (cases[i].result == SF_OK) { CHECK_EQUAL(info.dropped, cases[i].dropped + cases[i].refused); }
        CHECK(edge.queued_high <= 2);
        destroy_is(f, cases[i].result);
    }
}
static void dropped_tensors_go_back(void **state) /* 100 frames through a pool of 4, a consumer of 1 */
{
    static const sf_overflow policies[] = { SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST,
                                            SF_OVERFLOW_LATEST };
    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        sf_flow *f = flow_on(device);
        sf_mem_pool *pool;
        sf_mem_pool_info info;
        sf_op a, b;
        CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 4 }, &pool));
        a = sf_flow_add(f, &(sf_op_desc){ .compute = paint_source,
                                     .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                     .count = 100,
                                     .priority = -1 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .in = { IN("in") }, .count = 1 });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = policies[i], .capacity = 2 }));
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, a), 100);
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK_EQUAL(info.used, 0);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
}
/* LATEST holds nobody up: a slow reader reads again, a slow writer is read again. */
static sf_result keep_latest(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 1);
    note_down(0, sf_receive_value(ctx, 0).i64);
    return SF_OK;
}
static void latest_is_read_again(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op slow = source(f, 2), clock = source(f, 6), b;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_latest, .in = { IN("value"), IN("tick") } });
    CHECK_OK(sf_flow_connect(f, slow, NULL, b, "value", &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    CHECK_OK(sf_flow_connect(f, clock, NULL, b, "tick", NULL));
    run_is(f, SF_OK);
    {
        long long got[8];
        CHECK_EQUAL(notes_of(0, got, 8), 6);                 /* each tick, with a value of 1 or, later, 2 */
        for (int i = 0; i < 6; i++) { CHECK(got[i] == 1 || got[i] == 2); }
        for (int i = 1; i < 6; i++) { CHECK(got[i] >= got[i - 1]); }
        CHECK_EQUAL(got[5], 2);
    }
    destroy(f);
}
/* An operator with messages left runs on, though nobody reads what it sends. */
static sf_result send_before_taking(sf_context *ctx)         /* the first ten emit, and receive nothing */
{
    sf_result r = sf_emit_value(ctx, 0, (sf_value){ .i64 = (int64_t)ctx->run });
    if (ctx->run >= 10) { (void)sf_receive_value(ctx, 0); }
    return r;
}
static sf_result look_on(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    return SF_OK;
}
static void latest_behind_what_is_left(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 20 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = send_before_taking, .in = { { .name = "in", .capacity = 3 } },
                                            .out = { OUT("out") } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = look_on, .in = { IN("in") },
                                            .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_WAIT } } });
    (void)state;
    connect(f, a, b);
    CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 5000 && runs_of(f, b) < 30; i++) { usleep(1000); }
    CHECK_EQUAL(runs_of(f, b), 30);
    CHECK_EQUAL(runs_of(f, c), 0);
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, -1));
    destroy(f);
}
/* The second tensor of a compute takes the place of the first, which it may have received, where only one has room:
   neither is lost before the compute is done with it. */
static sf_result make_mark(sf_context *ctx, uint8_t mark)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    *(uint8_t *)t->data = mark;
    return sf_emit(ctx, 0, t);
}
static sf_result send_two(sf_context *ctx) { (void)make_mark(ctx, 1); return make_mark(ctx, (uint8_t)(2 + ctx->run)); }
static sf_result pass_and_make(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    uint8_t before = *(uint8_t *)t->data;
    sf_result r = sf_emit(ctx, 0, t);
    if (r >= 0) { r = make_mark(ctx, (uint8_t)(before + 100)); }
    if (r >= 0) { *(uint8_t *)sf_tensor_create(ctx, 0, NULL)->data = 255; }       /* another block than these */
    note_down(1, *(uint8_t *)t->data == before);
    return r;
}
static sf_result take_mark(sf_context *ctx) { return note_down(0, *(uint8_t *)sf_receive(ctx, 0)->data), SF_OK; }
static void the_second_takes_the_place_of_the_first(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_LATEST };
    (void)state;
    for (size_t k = 0; k < COUNT(policies); k++) {
        test_log log = { 0 };
        sf_edge_desc drops = { .overflow = policies[k] };
        sf_port out = { .name = "out", .bytes = 16, .memory = SF_MEMORY_PINNED };
        long long got[128];
        uint32_t n;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = test_backend, .logger = { test_log_func, &log } });
        sf_op a, b, c;
        notes_clear();
        a = sf_flow_add(f, &(sf_op_desc){ .compute = send_two, .out = { out }, .count = 9 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_and_make, .in = { IN("in") }, .out = { out } });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = take_mark, .in = { IN("in") } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_OLDEST }));
        CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &drops));
        run_is(f, SF_OK);
        CHECK_EQUAL(log.count, 0);
        n = notes_of(1, got, COUNT(got));
        CHECK(n >= 9 && notes_of(0, got + 64, 64) >= 9);
        for (uint32_t i = 0; i < n; i++) { CHECK_EQUAL(got[i], 1); }
        for (uint32_t i = 64; i < 64 + notes_of(0, got + 64, 64); i++) { CHECK(got[i] >= 100 && got[i] < 200); }
        destroy(f);
    }
}
static void one_output_two_policies(void **state) /* a slow branch behind DROP_OLDEST stalls nobody */
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 20), fast = sink(f, 0, (sf_port)IN("in"));
    sf_op slow = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") },
                                          .when = { { .kind = SF_CONDITION_SIGNAL } } });
    (void)state;
    connect(f, a, fast);
    CHECK_OK(sf_flow_connect(f, a, NULL, slow, NULL,
                        &(sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_OLDEST, .capacity = 3 }));
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 10000 && runs_of(f, fast) < 20; i++) { usleep(1000); }
    CHECK_EQUAL(runs_of(f, fast), 20);
    CHECK_EQUAL(runs_of(f, slow), 0);
    CHECK_EQUAL(edge_of(f, slow, 0, 0).queued, 3);
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    check_counts(0, 1, 20);
    CHECK_EQUAL(edge_of(f, slow, 0, 0).dropped, 17);
    destroy(f);
}

/* Values and tensors of one output, in any order, arrive in that order. */
static struct { bool wrapped; uint64_t seen; } mixed;
static uint64_t mixed_kinds(uint64_t run) { return run % 16; }         /* bit i: message i is a tensor */
static sf_result mix_messages(sf_context *ctx)
{
    static uint64_t memory[16][4];
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t x = ctx->run * 4 + i, *data = &memory[ctx->run % 16][i];
        sf_tensor *t;
        sf_result r;
        if (!(mixed_kinds(ctx->run) >> i & 1)) {
            r = sf_emit_value(ctx, 0, (sf_value){ .u64 = x });
        } else {
            t = mixed.wrapped ? sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .shape = { 8 }, .data = data,
                                                                             .memory = SF_MEMORY_HOST })
                              : sf_tensor_create(ctx, 0, NULL);
            *(uint64_t *)t->data = x;
            r = sf_emit(ctx, 0, t);
        }
        if (r < 0) { return r; }
    }
    return SF_OK;
}
static sf_result take_mixed(sf_context *ctx)
{
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t want = ctx->run * 4 + i;
        bool is_tensor = mixed_kinds(ctx->run) >> i & 1;
        const sf_tensor *t = is_tensor ? sf_receive(ctx, 0) : NULL;
        mixed.seen += (is_tensor ? *(const uint64_t *)t->data : sf_receive_value(ctx, 0).u64) == want;
    }
    return SF_OK;
}
static void values_and_tensors_of_one_output(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 3 * 2; k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = k / 2 % 3 } } });
        sf_port out = { .name = "out", .memory = SF_MEMORY_HOST, .bytes = k % 2 ? 0 : 8 };
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = mix_messages, .count = 64, .out = { out } }), b;
        mixed.wrapped = k % 2;
        mixed.seen = 0;
        b = sf_flow_add(f, &(sf_op_desc){ .compute = take_mixed,
                                          .in = { { .name = "in", .batch = 4, .capacity = k / 6 ? 8 : 4 } } });
        connect(f, a, b);
        run_is(f, SF_OK);
        CHECK_EQUAL(mixed.seen, 64 * 4);
        destroy(f);
    }
}
/* Its only receiver ends between two messages of one compute: each is delivered or counted, once. */
static sf_result send_around_an_end(sf_context *ctx)
{
    const sf_op *to = ctx->user;
    sf_op_info info;
    sf_result r = sf_emit_value(ctx, 0, (sf_value){ .u64 = 1 });
    if (r == SF_OK && ctx->run == 1) {
        CHECK_OK(sf_op_stop(ctx->flow, *to));
        do { CHECK_OK(sf_op_get_info(ctx->flow, *to, &info)); } while (info.state != SF_OP_STOPPED);
    }
    r = r < 0 ? r : sf_emit_value(ctx, 0, (sf_value){ .u64 = 2 });
    return r < 0 ? r : sf_emit_value(ctx, 1, (sf_value){ .u64 = 3 });
}
static void refused_once(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = 1 }, { .count = 1 } } });
    sf_op ends, a = sf_flow_add(f, &(sf_op_desc){ .compute = send_around_an_end, .user = &ends, .count = 3,
                                             .out = { OUT("out"), OUT("more") } });
    sf_edge_info info;
    sf_flow_info all;
    (void)state;
    ends = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .workers = 1,
                                         .in = { { .name = "in", .capacity = 8 } } });
    CHECK_OK(sf_flow_connect(f, a, "out", ends, NULL, NULL));
    CHECK_OK(sf_flow_connect(f, a, "more", sf_flow_add(f, &(sf_op_desc){ .compute = take_value,
            .in = { IN("in") } }), NULL, NULL));
    run_is(f, SF_OK);
    info = edge_of(f, ends, 0, 0);
    CHECK_EQUAL(info.messages + info.refused, 6);
    CHECK_OK(sf_flow_get_info(f, &all));
    CHECK_EQUAL(all.dropped, info.refused + info.dropped);
    destroy(f);
}
static sf_result emit_tensors(sf_context *ctx)
{
    note_down(9, (long long)ctx->run);
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static void an_output_that_leads_nowhere(void **state)       /* is fine: released, not kept */
{
    sf_flow *f = flow_on(device);
    (void)state;
    sf_flow_add(f,
           &(sf_op_desc){ .compute = emit_tensors, .out = { { .name = "out", .bytes = 64 } }, .count = 50 });
    sf_flow_add(f, &(sf_op_desc){ .compute = emit_five, .out = { OUT("out") }, .count = 1 });
    run_is(f, SF_OK);
    check_counts(9, 0, 50);
    destroy(f);
}

/* -- optional inputs -- */

static sf_result keep_optional(sf_context *ctx)
{
    note_down(0, sf_receive_value(ctx, 0).i64);
    note_down(1, sf_available(ctx, 1) ? sf_receive_value(ctx, 1).i64 : -1);
    note_down(2, sf_receive(ctx, 2) == NULL);
    return SF_OK;
}
static void optional_inputs(void **state)                    /* hold nobody up, connected or not */
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 6), rare, b;
    (void)state;
    rare = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 2, .priority = -1 });
    b = sf_flow_add(f,
               &(sf_op_desc){
                   .compute = keep_optional,
                   .in = { IN("x"), { .name = "y", .optional = true }, { .name = "z", .optional = true } } });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, "x", NULL));
    CHECK_OK(sf_flow_connect(f, rare, NULL, b, "y", NULL));
    run_is(f, SF_OK);
    check_counts(0, 1, 6);
    {
        long long got[6], want = 1;
        CHECK_EQUAL(notes_of(1, got, 6), 6);
        for (int i = 0; i < 6; i++) {
            if (got[i] != -1) { CHECK_EQUAL(got[i], want++); }
        }
        CHECK_EQUAL(want, 3);
    }
    CHECK_NOTES(2, 1, 1, 1, 1, 1, 1);
    destroy(f);
}

/* -- cycles -- */

static sf_result add_and_pass(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    note_down(id_of(ctx), v);
    return sf_emit_value(ctx, 0, number(v + 1));
}
static void cycles_turn_by_delay(void **state)
{
    static const uint16_t delays[] = { 1, 2, 5 };
    (void)state;
    for (size_t d = 0; d < COUNT(delays); d++) {
        sf_flow *f = flow_on(device);
        sf_op a, b;
        long long want[30];
        notes_clear();
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a",
                                     .compute = add_and_pass,
                                     .user = &ids[0],
                                     .in = { IN("in") },
                                     .out = { OUT("out") },
                                     .count = 30 });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "b",
                                     .compute = add_and_pass,
                                     .user = &ids[1],
                                     .in = { IN("in") },
                                     .out = { OUT("out") } });
        connect(f, a, b);
        CHECK_OK(sf_flow_connect(f, b, NULL, a, NULL, &(sf_edge_desc){ .delay = delays[d] }));
        run_is(f, SF_OK);
        for (int i = 0; i < 30; i++) {                       /* `delay` numbers go round, each grows by 2 */
            want[i] = i / delays[d] * 2;
        }
        check_notes(0, want, 30);
        for (int i = 0; i < 30; i++) { want[i]++; }          /* b works off what it has */
        check_notes(1, want, 30);
        destroy(f);
    }
}
static void edge_to_itself(void **state) /* an accumulator; also when its queue holds just one */
{
    static const uint16_t delays[] = { 1, 3 };
    (void)state;
    for (size_t d = 0; d < COUNT(delays); d++) {
        sf_flow *f = flow_on(device);
        sf_op a;
        long long want[20];
        notes_clear();
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a",
                                     .compute = add_and_pass,
                                     .user = &ids[0],
                                     .in = { IN("in") },
                                     .out = { OUT("out") },
                                     .count = 20 });
        CHECK_OK(sf_flow_connect(f, a, NULL, a, NULL, &(sf_edge_desc){ .delay = delays[d] }));
        run_is(f, SF_OK);
        for (int i = 0; i < 20; i++) { want[i] = i / delays[d]; }
        check_notes(0, want, 20);
        destroy(f);
    }
}
static sf_result accumulate(sf_context *ctx)                 /* state = state + 7, on the GPU */
{
    sf_tensor *state = sf_receive(ctx, 0), *next = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), next->data, state->data, NULL, 7, 500);
    probe(sf_compute_stream(ctx), next->data, probes + PROBE * ctx->run, 0);
    return sf_emit(ctx, 0, next);
}
static void delayed_tensors_are_zeroed(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a;
    (void)state;
    probes = (uint32_t *)test_memory(device, 40 * PROBE * 4);
    a = sf_flow_add(f, &(sf_op_desc){ .compute = accumulate,
                                 .in = { IN("in") },
                                 .out = { { .name = "out", .bytes = BYTES } },
                                 .count = 40 });
    CHECK_OK(sf_flow_connect(f, a, NULL, a, NULL, &(sf_edge_desc){ .delay = 2 }));
    for (int again = 0; again < 2; again++) {                /* and zeroed again for the next run */
        memset(probes, 0, 40 * PROBE * 4);
        run_is(f, SF_OK);
        for (uint32_t i = 0; i < 40; i++) { CHECK_PROBE(probes + PROBE * i, 7 * (i / 2 + 1)); }
    }
    destroy(f);
    CHECK_OK(sf_mem_free(device, probes));
}

/* -- messages from outside -- */

static sf_result keep_until(sf_context *ctx)                 /* a negative value is the last */
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    note_down(id_of(ctx), v);
    return v < 0 ? SF_DONE : SF_OK;
}
static void pushed_before_the_start(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = keep_until, .user = &ids[0],
                                       .in = { { .name = "in", .external = true, .capacity = 3 } } });
    (void)state;
    CHECK(sf_flow_push_value(f, a, 0, number(9)) < 0); /* neither checked nor started: no queue to put it in */
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_OK(sf_flow_push_value(f, a, 0, number(1)));
    CHECK_OK(sf_flow_push_value(f, a, 0, number(2)));
    CHECK_OK(sf_flow_push_value(f, a, 0, number(-1)));
    CHECK_IS(sf_flow_push_value(f, a, 0, number(4)), SF_BUSY);
    run_is(f, SF_OK);
    CHECK_NOTES(0, 1, 2, -1);
    CHECK_EQUAL(edge_of(f, a, 0, 0).messages, 3);
    CHECK_IS(sf_flow_push_value(f, a, 1, number(1)), SF_ERROR_UNKNOWN_PORT);
    CHECK_IS(sf_flow_push_value(f, a, -1, number(1)), SF_ERROR_UNKNOWN_PORT);
    CHECK_IS(sf_flow_push_value(f, (sf_op){ 0 }, 0, number(1)), SF_ERROR_UNKNOWN_OPERATOR);
    destroy(f);
}
static void pushed_but_never_run(void **state)               /* given back, released once */
{
    sf_flow *f = flow_on(device);
    static uint8_t data[64];
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .compute = nothing, .in = { { .name = "in", .external = true, .capacity = 2 } } });
    sf_tensor *t =
        sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { 64 }, .memory = SF_MEMORY_HOST });
    (void)state;
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_OK(sf_flow_push(f, a, 0, t));
    destroy(f);
}

enum { PUSHERS = 4, PUSHES = 3000 };
static struct pusher { sf_flow *flow; sf_op op; int port; uint32_t busy; sf_result failed; } pushers[PUSHERS];
static void *push_many(void *arg)
{
    struct pusher *p = (struct pusher *)arg;
    for (int64_t i = 1; i <= PUSHES;) {
        sf_result r = sf_flow_push_value(p->flow, p->op, p->port, number(i));
        if (r == SF_OK) {
            i++;
        } else if (r == SF_BUSY) {
            p->busy++, usleep(10);
        } else {
            p->failed = r;
            break;
        }
    }
    return NULL;
}
static int64_t next_of[PUSHERS], disorder;
static sf_result take_any(sf_context *ctx)
{
    int64_t all = 0;
    for (int p = 0; p < PUSHERS; p++) {
        while (sf_available(ctx, p)) { disorder += sf_receive_value(ctx, p).i64 != ++next_of[p]; }
        all += next_of[p];
    }
    return all == (int64_t)PUSHERS * PUSHES ? SF_DONE : SF_OK;
}
static void pushed_by_threads(void **state)                  /* none lost, each thread's in order */
{
    sf_flow *f = flow_on(device);
    sf_op_desc d = { .name = "a",
                     .compute = take_any,
                     .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } };
    pthread_t threads[PUSHERS];
    sf_op a;
    (void)state;
    for (int p = 0; p < PUSHERS; p++) {
        d.in[p] =
            (sf_port){ .name = (const char *[]){ "a", "b", "c", "d" }[p], .external = true, .capacity = 8 };
    }
    memset(next_of, 0, sizeof next_of);
    disorder = 0;
    a = sf_flow_add(f, &d);
    CHECK_OK(sf_flow_start(f));
    for (int p = 0; p < PUSHERS; p++) {
        pushers[p] = (struct pusher){ .flow = f, .op = a, .port = p };
        CHECK_EQUAL(pthread_create(&threads[p], NULL, push_many, &pushers[p]), 0);
    }
    for (int p = 0; p < PUSHERS; p++) { pthread_join(threads[p], NULL); }
    CHECK_OK(sf_flow_wait(f, GUARD));
    for (int p = 0; p < PUSHERS; p++) {
        CHECK_OK(pushers[p].failed);
        CHECK_EQUAL(next_of[p], PUSHES);
    }
    CHECK_EQUAL(disorder, 0);
    destroy(f);
}
static sf_result keep_content(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    note_down(0, *(uint32_t *)t->data);
    return *(uint32_t *)t->data == 0 ? SF_DONE : SF_OK;
}
static void count_release(void *data, void *user) { (void)data, test_add((uint32_t *)user, 1); }
static void pushed_tensors(void **state)
{
    sf_flow *f = flow_on(device);
    static uint32_t data[3] = { 5, 6, 0 }, released;
    sf_op a =
        sf_flow_add(f, &(sf_op_desc){ .compute = keep_content,
                                 .in = { { .name = "in", .bytes = 4, .external = true, .capacity = 4 } } });
    sf_tensor *big =
        sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { 12 }, .memory = SF_MEMORY_HOST });
    (void)state;
    released = 0;
    CHECK_OK(sf_flow_start(f));
    CHECK_IS(sf_flow_push(f, a, 0, big), SF_ERROR_MISMATCH);      /* the wrong size: still ours */
    CHECK_IS(sf_flow_push_value(f, a, 0, number(5)), SF_ERROR_MISMATCH);
    sf_tensor_release(big);
    CHECK(sf_flow_push(f, a, 0, NULL) < 0);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(sf_flow_push(f, a, 0,
                         sf_tensor_wrap(f, &(sf_tensor_desc){ .data = &data[i],
                                                              .shape = { 4 },
                                                              .memory = SF_MEMORY_HOST,
                                                              .release = count_release,
                                                              .user = &released })));
    }
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(0, 5, 6, 0);
    CHECK_EQUAL(released, 3);
    destroy(f);
}

/* -- hooks, runs, ways to drive a flow -- */

enum { INITIALIZE = 1000, START = 2000, COMPUTE = 3000, STOP = 4000 };
static sf_result note_initialize(sf_context *ctx) { return note_down(0, INITIALIZE + id_of(ctx)), SF_OK; }
static sf_result note_start(sf_context *ctx) { return note_down(0, START + id_of(ctx)), SF_OK; }
static sf_result note_stop(sf_context *ctx) { return note_down(0, STOP + id_of(ctx)), SF_OK; }
static sf_result note_source(sf_context *ctx) { return note_down(0, COMPUTE + id_of(ctx)), count_up(ctx); }
static sf_result note_sink(sf_context *ctx)
{
    return note_down(0, COMPUTE + id_of(ctx)), (void)sf_receive_value(ctx, 0), SF_OK;
}
static void hooks_in_order(void **state)                     /* all starts, as added, before any compute */
{
    sf_flow *f = flow_on(device);
    sf_op a, b;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = note_sink,
                                 .user = &ids[1],
                                 .initialize = note_initialize,
                                 .start = note_start,
                                 .stop = note_stop,
                                 .in = { IN("in") } });
    a = sf_flow_add(f, &(sf_op_desc){ .compute = note_source,
                                 .user = &ids[2],
                                 .initialize = note_initialize,
                                 .start = note_start,
                                 .stop = note_stop,
                                 .out = { OUT("out") },
                                 .count = 2 });
    sf_flow_add(f, &(sf_op_desc){
                  .compute = nothing, .user = &ids[3], .start = note_start, .stop = note_stop, .count = 1 });
    connect(f, a, b);
    for (int again = 0; again < 2; again++) {
        notes_clear();
        run_is(f, SF_OK);
        CHECK_NOTES(0, 1001, 1002, 2001, 2002, 2003, 3002, 3001, 3002, 3001, 4003, 4002, 4001);
    }
    destroy(f);
}

static void note_hook(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)tensor;
    note_down(*(int *)user, hook * 100 + (ctx->user ? id_of(ctx) : 0) * 10 + (port + 1));
}
static void the_flow_s_hook(void **state)                    /* hook * 100 + operator * 10 + port + 1 */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .hook = { note_hook, &ids[5] } });
    sf_op a =
        sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .user = &ids[1], .out = { OUT("out") }, .count = 1 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[2], .in = { IN("in") } });
    (void)state;
    connect(f, a, b);
    run_is(f, SF_OK);
    CHECK_NOTES(5, SF_HOOK_START * 100 + 10, SF_HOOK_START * 100 + 20,
                SF_HOOK_BEGIN * 100 + 10, SF_HOOK_EMIT * 100 + 11, SF_HOOK_END * 100 + 10,
                SF_HOOK_BEGIN * 100 + 20, SF_HOOK_RECEIVE * 100 + 21, SF_HOOK_END * 100 + 20,
                SF_HOOK_STOP * 100 + 20, SF_HOOK_STOP * 100 + 10);
    destroy(f);
}

static int fail_on_run;
static sf_result fail_once(sf_context *ctx)
{
    return ctx->run == 1 && fail_on_run ? SF_ERROR_USER - 5 : keep_one(ctx);
}
static void runs_again(void **state) /* also after an error; nothing is left from the last run */
{
    sf_flow *f = flow_on(device);
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b",
                                       .compute = fail_once,
                                       .user = &ids[0],
                                       .in = { { .name = "in", .capacity = 4 } } });
    (void)state;
    connect(f, source(f, 4), b);
    for (int i = 0; i < 5; i++) {
        notes_clear();
        fail_on_run = i == 1 || i == 3;
        run_is(f, fail_on_run ? SF_ERROR_USER - 5 : SF_OK);
        if (fail_on_run) {
            CHECK_NOTES(0, 1);
        } else {
            CHECK_NOTES(0, 1, 2, 3, 4);
            CHECK_EQUAL(edge_of(f, b, 0, 0).queued, 0);
        }
        CHECK_EQUAL(sf_flow_failure(f)->count, fail_on_run);
        CHECK_EQUAL(sf_flow_failure(f)->result, fail_on_run ? SF_ERROR_USER - 5 : SF_OK);
    }
    destroy_is(f, SF_ERROR_USER - 5);                        /* the first error of its life */
}
static void grows_between_runs(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 3), b = sink(f, 0, (sf_port)IN("in"));
    (void)state;
    connect(f, a, b);
    run_is(f, SF_OK);
    connect(f, a, sink(f, 1, (sf_port)IN("in")));
    run_is(f, SF_OK);
    CHECK_NOTES(0, 1, 2, 3, 1, 2, 3);
    CHECK_NOTES(1, 1, 2, 3);
    destroy(f);
}

static uint32_t release_word;
static sf_result wait_for_word(sf_context *ctx)
{
    note_down(0, (long long)ctx->run);
    while (!test_load(&release_word)) { usleep(100); }
    return SF_OK;
}
static void in_the_background(void **state)
{
    sf_flow *f = flow_on(device);
    sf_flow_info info;
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = wait_for_word, .count = 1 });
    CHECK(sf_flow_wait(f, 0) < 0);                                /* it never ran */
    for (int i = 0; i < 2; i++) {
        test_store(&release_word, 0);
        CHECK_OK(sf_flow_start(f));
        CHECK_IS(sf_flow_wait(f, 0), SF_TIMEOUT);
        CHECK_IS(sf_flow_wait(f, SF_MS(2)), SF_TIMEOUT);
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK(info.running);
        CHECK_IS(sf_flow_step(f, NULL), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_flow_start(f), SF_ERROR_ILLEGAL_STATE);       /* one run at a time */
        CHECK_IS(sf_flow_run(f), SF_ERROR_ILLEGAL_STATE);
        test_store(&release_word, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_OK(sf_flow_wait(f, 0));                             /* the result can be asked for again */
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK(!info.running);
    }
    CHECK_NOTES(0, 0, 0);
    destroy(f);
}
static sf_result tick(sf_context *ctx) { return note_down(7, (long long)ctx->run), SF_OK; }
static void stopped_from_outside(void **state)               /* a source without an end */
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){
               .name = "a", .compute = count_up, .stop = note_stop, .user = &ids[1], .out = { OUT("out") } });
    (void)state;
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } }));
    CHECK_OK(sf_flow_start(f));
    while (runs_of(f, a) < 100) { usleep(100); }
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(0, STOP + 1);
    CHECK_OK(sf_flow_start(f));
    destroy(f);                                              /* stops it */
    CHECK_NOTES(0, STOP + 1, STOP + 1);
}
static sf_result note_any_hook(sf_context *ctx) { return note_down(1, (long long)ctx->run), SF_OK; }
static sf_result step_to_the_end(sf_flow *f)
{
    sf_result r;
    while ((r = sf_flow_step(f, NULL)) == SF_OK || r == SF_IDLE) {}
    return r == SF_DONE ? SF_OK : r;
}
static sf_result start_and_wait(sf_flow *f)
{
    sf_result r = sf_flow_start(f);
    return r < 0 ? r : sf_flow_wait(f, GUARD);
}
/* A stop that comes before a run, or between two, is for the next run, and for that alone. */
static void stopped_before_the_run(void **state)
{
    sf_result (*const run[])(sf_flow *f) = { sf_flow_run, start_and_wait, step_to_the_end };
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(run); i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .workers = { { .count = i % COUNT(run) == 2 ? 0 : (int)i / 3 } }
        });
        notes_clear();
        sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = tick, .initialize = note_any_hook,
                                      .start = note_any_hook,
                                 .stop = note_any_hook, .count = 3 });
        CHECK_OK(sf_flow_stop(f));
        CHECK_OK(sf_flow_stop(f));                                /* of several one is kept */
        for (int k = 0; k < 3; k++) {
            CHECK_OK(run[i % COUNT(run)](f));                /* ends at once */
            CHECK_EQUAL(note_count, (uint32_t)(k * 6));
            CHECK_OK(run[i % COUNT(run)](f));
            CHECK_EQUAL(note_count, (uint32_t)(k * 6 + 6));
            CHECK_OK(sf_flow_stop(f));
        }
        CHECK_IS(sf_flow_failure(f)->result, SF_OK);
        destroy(f);
    }
}

/* -- calls that overlap -- */

static struct { sf_flow *flow; uint32_t computes, ran, refused, wrong, arrived; } shared;
enum { OVERLAPS = 300, CALLERS = 3 };
static void meet(uint32_t round)                             /* all begin their calls at the same time */
{
    (void)test_add(&shared.arrived, 1);
    while (test_load(&shared.arrived) < CALLERS * (round + 1)) { sched_yield(); }
}
static sf_result count_computes(sf_context *ctx)
{
    (void)ctx;
    (void)test_add(&shared.computes, 1);
    sched_yield();
    return SF_OK;
}
static sf_result run_it(void) { return sf_flow_run(shared.flow); }
static sf_result start_it(void) { return start_and_wait(shared.flow); }
static sf_result check_it(void) { return sf_flow_check(shared.flow, false, NULL, NULL); }
static void *overlap(void *arg)
{
    const int *how = (const int *)arg;
    for (uint32_t i = 0; i < OVERLAPS; i++) {
        sf_result r;
        meet(i);
        r = *how == 0 ? run_it() : *how == 1 ? start_it() : check_it();
        if (*how < 2) { (void)test_add(r == SF_OK ? &shared.ran : &shared.refused, 1); }
        if (r != SF_OK && r != SF_ERROR_ILLEGAL_STATE) { (void)test_add(&shared.wrong, 1); }
    }
    return NULL;
}
/* Of calls that overlap one goes on; each of the others is refused, and changes nothing. */
static void overlapping_runs(void **state)
{
    static const int kinds[][CALLERS] = { { 0, 0, 2 }, { 0, 0, 0 }, { 1, 2, 2 }, { 0, 2, 0 } };
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(kinds); i++) {
        pthread_t threads[CALLERS];
        memset(&shared, 0, sizeof shared);
        shared.flow = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = (int)(i & 1) * 2 } } });
        sf_flow_add(shared.flow, &(sf_op_desc){ .name = "a", .compute = count_computes, .count = 3 });
        for (int k = 0; k < CALLERS; k++) {
            CHECK_EQUAL(pthread_create(&threads[k], NULL, overlap, (void *)(uintptr_t)&kinds[i / 2][k]), 0);
        }
        for (int k = 0; k < CALLERS; k++) { pthread_join(threads[k], NULL); }
        CHECK_EQUAL(shared.wrong, 0);
        CHECK(shared.ran > 0);
        CHECK_EQUAL(shared.computes, 3 * shared.ran);
        CHECK_OK(sf_flow_destroy(shared.flow));
    }
}
static void *step_beside(void *arg)
{
    for (uint32_t i = 0; i < OVERLAPS; i++) {
        sf_result r;
        meet(i);
        r = sf_flow_step(shared.flow, NULL);
        if (r < 0 && r != SF_ERROR_ILLEGAL_STATE) { (void)test_add(&shared.wrong, 1); }
        if (r == SF_DONE) { (void)test_add(&shared.ran, 1); }
    }
    return arg;
}
static void overlapping_steps(void **state)
{
    pthread_t threads[CALLERS];
    (void)state;
    memset(&shared, 0, sizeof shared);
    shared.flow = sf_flow_create(&(sf_flow_desc){ .device = device });
    sf_flow_add(shared.flow, &(sf_op_desc){ .name = "a", .compute = count_computes, .count = 3 });
    for (int k = 0; k < CALLERS; k++) { CHECK_EQUAL(pthread_create(&threads[k], NULL, step_beside, NULL), 0); }
    for (int k = 0; k < CALLERS; k++) { pthread_join(threads[k], NULL); }
    CHECK_EQUAL(shared.wrong, 0);
    CHECK(shared.ran > 0 && shared.computes >= 3 * shared.ran && shared.computes <= 3 * shared.ran + 3);
    CHECK_OK(sf_flow_destroy(shared.flow));
}
static sf_result wait_while_refused(sf_context *ctx)
{
    (void)ctx;
    test_store(&shared.computes, 1);
    while (!test_load(&release_word)) { usleep(100); }
    return SF_OK;
}
static void *run_in_a_thread(void *arg)
{
    shared.ran = sf_flow_run(shared.flow) == SF_OK;
    return arg;
}
static void destroyed_beside_a_run(void **state)             /* of another thread's: refused, with a sentence */
{
    (void)state;
    for (int workers = 0; workers < 2; workers++) {
        pthread_t thread;
        memset(&shared, 0, sizeof shared);
        test_store(&release_word, 0);
        shared.flow = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_flow_add(shared.flow, &(sf_op_desc){ .name = "a", .compute = wait_while_refused, .count = 1 });
        CHECK_EQUAL(pthread_create(&thread, NULL, run_in_a_thread, NULL), 0);
        while (!test_load(&shared.computes)) { usleep(100); }
        CHECK_IS(sf_flow_destroy(shared.flow), SF_ERROR_ILLEGAL_STATE);
        CHECK(strstr(sf_flow_failure(shared.flow)->text, "sf_flow_destroy"));
        test_store(&release_word, 1);
        pthread_join(thread, NULL);
        CHECK(shared.ran);
        CHECK_OK(sf_flow_destroy(shared.flow));
    }
}
#ifdef __linux__
static int in_a_child(sf_flow *f)                            /* 0, or the number of the call that went wrong */
{
    alarm(10);
    if (sf_flow_wait(f, SF_FOREVER) != SF_ERROR_INVALID_HANDLE) { return 1; }
    if (!strstr(sf_flow_failure(f)->text, "fork()")) { return 2; }
    if (sf_flow_run(f) != SF_ERROR_INVALID_HANDLE) { return 3; }
    if (sf_flow_start(f) != SF_ERROR_INVALID_HANDLE) { return 4; }
    if (sf_flow_check(f, false, NULL, NULL) != SF_ERROR_INVALID_HANDLE) { return 5; }
    if (sf_flow_step(f, NULL) != SF_ERROR_INVALID_HANDLE) { return 6; }
    return sf_flow_destroy(f) == SF_ERROR_INVALID_HANDLE ? 0 : 7;
}
static void flows_stay_with_their_process(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (int runs = 0; runs < 2; runs++) {
        sf_flow *f = flow_on(device);
        int status = -1;
        pid_t child;
        sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = wait_while_refused, .count = 1 });
        test_store(&release_word, 0);
        if (runs) { CHECK_OK(sf_flow_start(f)); }
        child = fork();
        if (!child) { _exit(in_a_child(f)); }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        if (status) { fail_msg("the child ended with %x", (unsigned)status); }
        test_store(&release_word, 1);
        CHECK_OK(runs ? sf_flow_wait(f, GUARD) : sf_flow_run(f));
        destroy(f);
    }
}
static sf_flow *interrupted;
static void on_signal(int number) { (void)number, (void)sf_flow_stop(interrupted); }
static void stopped_by_a_signal_handler(void **state)        /* whatever the thread that is interrupted is at */
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        struct sigaction action = { .sa_handler = on_signal }, before;
        sf_op a;
        interrupted = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = i % 3 } } });
        a = sf_flow_add(interrupted,
                   &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .period = i & 1 ? SF_MS(1) : 0 });
        connect(interrupted, a, sf_flow_add(interrupted, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } }));
        CHECK(sigaction(SIGUSR1, &action, &before) == 0);
        CHECK_OK(sf_flow_start(interrupted));
        while (!runs_of(interrupted, a)) { usleep(100); }
        CHECK(kill(getpid(), SIGUSR1) == 0);
        CHECK_OK(sf_flow_wait(interrupted, GUARD));
        CHECK(sigaction(SIGUSR1, &before, NULL) == 0);
        destroy(interrupted);
    }
}
#endif
static sf_result stop_the_flow(sf_context *ctx)
{
    note_down(0, (long long)ctx->run);
    return ctx->run == 4 ? sf_flow_stop(ctx->flow) : SF_OK;
}
static void stopped_from_inside(void **state)
{
    sf_flow *f = flow_on(device);
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = stop_the_flow });
    run_is(f, SF_OK);
    check_counts(0, 0, 5);
    run_is(f, SF_OK);                                        /* the wish does not outlive the run */
    CHECK_EQUAL(note_count, 10);
    destroy(f);
}

static void a_loop_of_your_own(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 3), b = sink(f, 0, (sf_port)IN("in"));
    (void)state;
    connect(f, a, b);
    for (int again = 0; again < 2; again++) {
        int ran = 0;
        int64_t wake = 77;
        sf_result r;
        notes_clear();
        while ((r = sf_flow_step(f, &wake)) == SF_OK) {
            ran++;
            CHECK_EQUAL(runs_of(f, a) + runs_of(f, b), ran); /* at most one operator per step */
        }
        CHECK_IS(r, SF_DONE);
        CHECK_EQUAL(ran, 6);
        CHECK_NOTES(0, 1, 2, 3);
    }
    destroy(f);
}
static int64_t my_time;
static int64_t my_clock(void *user) { return *(int64_t *)user; }
static void steps_and_a_clock(void **state)                  /* *wake is absolute, on the flow's clock */
{
    sf_flow *f =
        sf_flow_create(&(sf_flow_desc){ .device = device, .clock = { .now = my_clock, .user = &my_time } });
    int64_t wake;
    (void)state;
    my_time = 1000000;
    sf_flow_add(f, &(sf_op_desc){ .compute = tick, .period = 500, .count = 3 });
    CHECK_EQUAL(sf_flow_now(f), 1000000);
    CHECK_OK(sf_flow_step(f, &wake));                        /* the first at once */
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, 1000500);
    my_time = 1000499;
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    my_time = 1000500;
    CHECK_OK(sf_flow_step(f, &wake));
    my_time = 1001200;
    CHECK_OK(sf_flow_step(f, NULL));
    CHECK_IS(sf_flow_step(f, &wake), SF_DONE);
    CHECK_NOTES(7, 0, 1, 2);
    destroy(f);
    f = sf_flow_create(&(sf_flow_desc){ .device = device });
    sf_flow_add(f, &(sf_op_desc){
                  .compute = keep_one, .user = &ids[0], .in = { { .name = "in", .external = true } } });
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, -1);                                   /* nothing before a signal */
    destroy(f);
}

/* Whoever rings between two steps, in whatever order and however often: all are heard. */
static void rung_between_steps(void **state)
{
    enum { OPS = 80, ROUNDS = 200 };         /* more than share a flag */
    sf_flow *f = flow_on(device);
    sf_op op[OPS];
    uint32_t sent[OPS] = { 0 };
    rng random = rng_seed(7);
    int64_t sum = 0, got = 0;
    (void)state;
    for (int i = 0; i < OPS; i++) {
        op[i] = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[3],
                                         .in = { { .name = "in", .external = true, .capacity = 8 } } });
    }
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
    for (int round = 0; round < ROUNDS; round++) {
        notes_clear();
        sum = got = 0;
        for (uint32_t k = 0, n = rng_below(&random, 6); k < n; k++) {
            uint32_t i = rng_below(&random, OPS);
            int64_t value = i * 1000 + sent[i]++;
            CHECK_OK(sf_flow_push_value(f, op[i], 0, (sf_value){ .i64 = value }));
            sum += value;
            if (rng_below(&random, 4) == 0) { CHECK(sf_flow_step(f, NULL) == SF_OK); }
        }
        while (sf_flow_step(f, NULL) == SF_OK) {}
        for (uint32_t i = 0; i < note_count; i++) { got += notes[i].what; }
        CHECK_EQUAL(got, sum);
    }
    destroy(f);
}

/* An end from outside that loses nothing: the last message says so, and who gets it is done. */
static sf_result done_at_the_last(sf_context *ctx)
{
    int64_t x = sf_receive_value(ctx, 0).i64;
    return x < 0 ? SF_DONE : sf_emit_value(ctx, 0, number(x));
}
/* How much one compute may emit is a matter of the edge alone: another one's capacity changes nothing. */
static uint32_t emits;
static sf_result emit_many(sf_context *ctx)
{
    for (emits = 0; emits < 100; emits++) {
        sf_result r = sf_emit_value(ctx, 0, number(emits));
        if (r < 0) { return r; }
    }
    return SF_OK;
}
static void as_many_emits_as_the_edge_holds(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_BLOCK, SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST,
                                            SF_OVERFLOW_LATEST, SF_OVERFLOW_ERROR };
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(policies); k++) {
        sf_overflow policy = policies[k / 2];
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_many, .out = { { .name = "out" } }, .count = 1 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { { .name = "in" } },
                                                .out = { { .name = "out" } } });
        sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { { .name = "in" } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .capacity = 8, .overflow = policy }));
        CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &(sf_edge_desc){ .capacity = k & 1 ? 64 : 8 }));
        run_is(f, SF_ERROR_QUEUE_FULL);
        CHECK_EQUAL(emits, policy == SF_OVERFLOW_BLOCK || policy == SF_OVERFLOW_ERROR ? 8 : 9);
        destroy_is(f, SF_ERROR_QUEUE_FULL);
    }
}
static void a_last_push_ends_it(void **state)
{
    enum { PUSHED = 20 };
    sf_flow *f = flow_on(device);
    sf_op in = sf_flow_add(f, &(sf_op_desc){ .compute = done_at_the_last, .out = { OUT("out") },
                                        .in = { { .name = "in", .external = true, .capacity = PUSHED + 1 } } });
    (void)state;
    connect(f, in, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[0], .in = { IN("in") } }));
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    for (int64_t i = 0; i < PUSHED; i++) { CHECK_OK(sf_flow_push_value(f, in, 0, number(i))); }
    CHECK_OK(sf_flow_push_value(f, in, 0, number(-1)));
    run_is(f, SF_OK);
    CHECK_EQUAL(note_count, PUSHED);
    destroy(f);
}
/* Refused, and told, whoever of the builders it is; the run goes on. */
static void not_built_while_it_runs(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 0), b = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } });
    (void)state;
    connect(f, a, b);
    CHECK_OK(sf_flow_start(f));
    CHECK_EQUAL(sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } }).id, 0);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_flow_add: the flow is not free") != NULL);
    CHECK_IS(sf_flow_connect(f, a, "out", b, "in", NULL), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_flow_connect: the flow is not free") != NULL);
    CHECK_EQUAL(sf_op_add_input(f, b, &(sf_port){ .name = "more" }), -1);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_op_add_input: the flow is not free") != NULL);
    sf_flow_scope(f, "scope");
    CHECK(strstr(sf_flow_failure(f)->text, "sf_flow_scope: the flow is not free") != NULL);
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
}
/* A flow that is created where another one was, on the heap or in a block, knows none of its ids. */
static void ids_end_with_their_flow(void **state)
{
    static _Alignas(16) char block[1 << 16];
    (void)state;
    for (int k = 0; k < 100; k++) {
        sf_flow_desc d = { .name = "again" };
        sf_op_desc a = { .compute = take_any, .in = { { .name = "in", .external = true } },
                         .when = { { .kind = SF_CONDITION_SIGNAL } } };
        const bool runs = k / 2 % 2;
        sf_op old, id;
        sf_op_info info;
        sf_edge_info edge;
        sf_flow *f;
        if (k & 1) {
            d.memory = (sf_range){ block, sizeof block };
            d.limits.ops = 2, d.limits.edges = 2, d.limits.messages = 8;
        }
        f = sf_flow_create(&d);
        old = sf_flow_add(f, &a);
        CHECK(old.id != 0);
        destroy(f);
        f = sf_flow_create(&d);
        id = sf_flow_add(f, &a);
        CHECK(id.id != 0 && id.id != old.id);
        if (runs) { CHECK_OK(sf_flow_start(f)); }
        CHECK_IS(sf_op_get_info(f, old, &info), SF_ERROR_UNKNOWN_OPERATOR);
        CHECK_IS(sf_op_get_edge_info(f, old, 0, 0, &edge), SF_ERROR_UNKNOWN_OPERATOR);
        CHECK_IS(sf_flow_push_value(f, old, 0, number(1)), SF_ERROR_UNKNOWN_OPERATOR);
        CHECK_IS(sf_flow_signal(f, old, 0, SF_READY), SF_ERROR_UNKNOWN_OPERATOR);
        CHECK_IS(sf_op_stop(f, old), SF_ERROR_UNKNOWN_OPERATOR);
        CHECK_OK(sf_op_get_info(f, id, &info));
        if (runs) {
            CHECK_OK(sf_flow_stop(f));
            CHECK_OK(sf_flow_wait(f, GUARD));
            destroy(f);
            continue;
        }
        CHECK_IS(sf_flow_connect(f, old, NULL, id, NULL, NULL), SF_ERROR_UNKNOWN_OPERATOR);
        CHECK(sf_op_add_output(f, old, &(sf_port){ .name = "out" }) < 0);
        destroy_is(f, SF_ERROR_UNKNOWN_OPERATOR);
    }
}
static void odd_flows_are_not_made(void **state)
{
    sf_device *d = NULL;
    (void)state;
    CHECK(!sf_flow_create(&(sf_flow_desc){ .memory = { NULL, 1 << 16 }, .limits = { .ops = 1, .messages = 1 } }));
    CHECK_IS(sf_device_open(&(sf_device_desc){ .memory = { NULL, 1 << 16 } }, &d), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .host.workers = 1025 }, &d),
             SF_ERROR_INVALID_VALUE);
    for (int count = -1; count <= 65; count += 66) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = count } } });
        (void)source(f, 1);
        run_is(f, SF_ERROR_INVALID_VALUE);
        CHECK(strstr(sf_flow_failure(f)->text, "0 threads at least, 64 at most") != NULL);
        CHECK_IS(sf_flow_destroy(f), SF_ERROR_INVALID_VALUE);
    }
}

static void paused(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 0);
    sf_op_info info;
    uint64_t runs;
    (void)state;
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } }));
    CHECK_OK(sf_flow_pause(f, true));
    CHECK_OK(sf_flow_start(f));
    usleep(2000);
    CHECK_EQUAL(runs_of(f, a), 0);
    CHECK_OK(sf_op_get_info(f, a, &info));
    CHECK_EQUAL(info.state, SF_OP_PAUSED);
    CHECK_OK(sf_flow_pause(f, false));
    while (runs_of(f, a) < 50) { usleep(100); }
    CHECK_OK(sf_flow_pause(f, true));
    usleep(5000); /* what was on its way has ended, or this may fail rarely: */
    do {                                                     /* so until two looks agree */
        runs = runs_of(f, a);
        usleep(5000);
    } while (runs_of(f, a) != runs);
    CHECK_OK(sf_flow_pause(f, false));
    while (runs_of(f, a) < runs + 50) { usleep(100); }
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
}

static void a_longest_duration(void **state)                 /* a normal end */
{
    sf_flow *f = sf_flow_create(
        &(sf_flow_desc){ .device = device, .clock.simulated = true, .max_duration = SF_MS(10) });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tick, .period = SF_MS(3) });
    (void)state;
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, a), 4);                           /* at 0, 3, 6, 9 ms */
    destroy(f);
}
static void urgent_operators_first(void **state)
{
    static const int32_t priorities[] = { 5, -3, 0, 7, -3 };
    sf_flow *f = flow_on(device);
    (void)state;
    for (int i = 0; i < 5; i++) {
        sf_flow_add(f, &(sf_op_desc){
                      .compute = note_start, .user = &ids[i], .count = 1, .priority = priorities[i] });
    }
    run_is(f, SF_OK);
    CHECK_NOTES(0, START + 1, START + 4, START + 2, START + 0, START + 3);
    destroy(f);
}

static struct { char name[5][32]; uint64_t run[5]; sf_flow *flow; uint32_t op; void *user; } seen;
static sf_result look_at_context(sf_context *ctx)
{
    int i = (int)ctx->run;
    snprintf(seen.name[i], sizeof seen.name[i], "%s", ctx->name);
    seen.run[i] = ctx->run;
    seen.flow = ctx->flow;
    seen.op = ctx->op.id;
    seen.user = ctx->user;
    note_down(3, ctx->executor != NULL);
    return i == 4 ? SF_DONE : SF_OK;
}
static void what_a_context_says(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a;
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1 });
    sf_flow_scope(f, "camera");
    a = sf_flow_add(f, &(sf_op_desc){ .name = "lens", .compute = look_at_context, .user = &seen });
    sf_flow_scope(f, NULL);
    run_is(f, SF_OK);
    for (int i = 0; i < 5; i++) {
        CHECK(!strcmp(seen.name[i], "camera/lens"));
        CHECK_EQUAL(seen.run[i], i);
    }
    CHECK(seen.flow == f && seen.op == a.id && seen.user == &seen);
    CHECK_NOTES(3, 0, 0, 0, 0, 0);
    destroy(f);
}
static sf_result name_is(sf_context *ctx)
{
    return note_down(0, !strcmp(ctx->name, (const char *)ctx->user)), SF_OK;
}
static void names_by_number(void **state)                    /* and names are copied, as descs are */
{
    sf_flow *f = flow_on(device);
    char name[8] = "brief", port[8] = "in";
    sf_op_desc d = { .name = name, .compute = name_is, .user = (void *)(uintptr_t)"brief", .count = 1,
                     .in = { { .name = port, .optional = true } } };
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = name_is, .user = (void *)(uintptr_t)"op0", .count = 1 });
    sf_flow_add(f, &(sf_op_desc){ .compute = name_is, .user = (void *)(uintptr_t)"op1", .count = 1 });
    sf_flow_add(f, &d);
    memset(name, 'x', sizeof name);
    memset(port, 'x', sizeof port);
    memset(&d, 0, sizeof d);
    run_is(f, SF_OK);
    CHECK_NOTES(0, 1, 1, 1);
    destroy(f);
}

/* -- what travels along -- */

static sf_result stamp(sf_context *ctx)
{
    note_down(1, sf_get_timestamp(ctx, 0));
    if (ctx->run != 1) { sf_set_timestamp(ctx, 5000 + (int64_t)ctx->run); }
    return count_up(ctx);
}
static sf_result look_at_time(sf_context *ctx)               /* before and after the receive */
{
    int id = id_of(ctx);
    note_down(id, sf_get_timestamp(ctx, 0));
    (void)sf_receive_value(ctx, 0);
    note_down(id, sf_get_timestamp(ctx, 0));
    if (id == 3) { sf_set_timestamp(ctx, 1); }
    return id == 4 ? SF_OK : sf_emit_value(ctx, 0, number(0));
}
static sf_result first_of_two(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 1);                          /* received first: its time is the message's */
    (void)sf_receive_value(ctx, 0);
    return sf_emit_value(ctx, 0, number(0));
}
static void timestamps(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a, b, c, two, end;
    (void)state;
    a = sf_flow_add(f, &(sf_op_desc){ .compute = stamp,
                                 .in = { { .name = "in", .optional = true } },
                                 .out = { OUT("out") },
                                 .count = 3 });
    b = sf_flow_add(f, &(sf_op_desc){
                      .compute = look_at_time, .user = &ids[2], .in = { IN("in") }, .out = { OUT("out") } });
    c = sf_flow_add(f, &(sf_op_desc){
                      .compute = look_at_time, .user = &ids[3], .in = { IN("in") }, .out = { OUT("out") } });
    two = sf_flow_add(f,
                 &(sf_op_desc){ .compute = first_of_two, .in = { IN("x"), IN("y") }, .out = { OUT("out") } });
    end = sf_flow_add(f, &(sf_op_desc){ .compute = look_at_time, .user = &ids[4], .in = { IN("in") } });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
    CHECK_OK(sf_flow_connect(f, a, NULL, c, NULL, NULL));
    CHECK_OK(sf_flow_connect(f, c, NULL, two, "x", NULL));
    CHECK_OK(sf_flow_connect(f, b, NULL, two, "y", NULL));
    connect(f, two, end);
    run_is(f, SF_OK);
    CHECK_NOTES(1, -1, -1, -1);
    CHECK_NOTES(2, -1, 5000, -1, -1, -1, 5002);              /* the second carries none */
    CHECK_NOTES(3, -1, 5000, -1, -1, -1, 5002);
    CHECK_NOTES(4, -1, 5000, -1, 1, -1, 5002);               /* y's; where y has none, x's */
    destroy(f);
}

static sf_result tell(sf_context *ctx) /* key 1: the run; key of its own; first run only: key 50 */
{
    sf_set_metadata(ctx, 1, number(100 * id_of(ctx) + (int64_t)ctx->run));
    sf_set_metadata(ctx, 10u + (uint32_t)id_of(ctx), number(id_of(ctx)));
    if (!ctx->run) { sf_set_metadata(ctx, 50, number(-5)); }
    return count_up(ctx);
}
static sf_result branch(sf_context *ctx)                     /* changes what it has, for those behind it */
{
    sf_value v = number(-1);
    (void)sf_receive_value(ctx, 0);
    note_down(1, sf_get_metadata(ctx, 50, &v) ? v.i64 : -1);
    sf_set_metadata(ctx, 10, number(77));
    return sf_emit_value(ctx, 0, number(0));
}
static sf_result look_at_metadata(sf_context *ctx)
{
    static const uint32_t keys[] = { 1, 10, 11, 12, 50 };
    note_down(0, sf_get_metadata(ctx, 1, NULL));             /* nothing before a receive */
    for (int p = 0; p < 2; p++) { (void)sf_receive_value(ctx, p); }
    for (size_t i = 0; i < COUNT(keys); i++) {
        sf_value v = number(-1);
        note_down(0, sf_get_metadata(ctx, keys[i], &v) ? v.i64 : -1);
    }
    return SF_OK;
}
static void metadata(void **state)
{
    static const struct { sf_metadata_policy policy; sf_result result; } cases[] = {
        { SF_METADATA_UPDATE, SF_OK }, { SF_METADATA_REJECT, SF_OK }, { SF_METADATA_RAISE, SF_ERROR_MISMATCH }
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = sf_flow_create(
            &(sf_flow_desc){ .device = device, .metadata = cases[i].policy, .metadata_entries = 6 });
        sf_op a, b, c;
        notes_clear();
        a = sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[1], .out = { OUT("out") }, .count = 2 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[2], .out = { OUT("out") }, .count = 2 });
        c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = look_at_metadata, .in = { IN("x"), IN("y") } });
        CHECK_OK(sf_flow_connect(f, a, NULL, c, "x", NULL));
        CHECK_OK(sf_flow_connect(f, b, NULL, c, "y", NULL));
        run_is(f, cases[i].result);
        if (cases[i].policy == SF_METADATA_UPDATE) {         /* the later message's value */
            CHECK_NOTES(0, 0, 200, -1, 1, 2, -5, 0, 201, -1, 1, 2, -1);
        } else if (cases[i].policy == SF_METADATA_REJECT) {  /* the earlier one's */
            CHECK_NOTES(0, 0, 100, -1, 1, 2, -5, 0, 101, -1, 1, 2, -1);
        }
        destroy_is(f, cases[i].result);
    }
}
static void metadata_of_siblings(void **state) /* a branch that changes it does not change the other's */
{
    sf_flow *f = sf_flow_create(
        &(sf_flow_desc){ .device = device, .metadata = SF_METADATA_REJECT, .metadata_entries = 4 });
    sf_op a, b, c;
    (void)state;
    a = sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[0], .out = { OUT("out") }, .count = 2 });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = branch, .in = { IN("in") }, .out = { OUT("out") } });
    c = sf_flow_add(f, &(sf_op_desc){ .compute = look_at_metadata, .in = { IN("x"), IN("y") } });
    connect(f, a, b);
    CHECK_OK(sf_flow_connect(f, a, NULL, c, "x", NULL));
    CHECK_OK(sf_flow_connect(f, b, NULL, c, "y", NULL));
    run_is(f, SF_OK);
    CHECK_NOTES(0, 0, 0, 0, -1, -1, -5, 0, 1, 0, -1, -1, -1);        /* x came first: 10 is 0 */
    CHECK_NOTES(1, -5, -1);
    destroy(f);
}
static sf_result tell_too_much(sf_context *ctx)
{
    for (uint32_t k = 0; k < 3; k++) { note_down(0, sf_set_metadata(ctx, k, number(0))); }
    return SF_OK;
}
static void no_such_metadata_policy(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .metadata = (sf_metadata_policy)3 });
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = nothing, .count = 1 });
    CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_flow_desc.metadata is 3"));
    destroy(f);
}
/* A start that is DONE: the operator computes nothing, and who works with it alone ends, too. */
static sf_result nothing_to_do(sf_context *ctx) { return (void)ctx, SF_DONE; }
static void done_at_the_start(void **state)
{
    (void)state;
    for (int threads = 0; threads < 4; threads++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = threads } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .start = nothing_to_do,
                                                .out = { { .name = "out" } } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = take_value, .in = { { .name = "in" } } });
        sf_op other = sf_flow_add(f, &(sf_op_desc){ .name = "other", .compute = nothing, .count = 2 });
        connect(f, a, b);
        for (int again = 0; again < 2; again++) {
            run_is(f, SF_OK);
            CHECK_EQUAL(runs_of(f, a), 0);
            CHECK_EQUAL(runs_of(f, b), 0);
            CHECK_EQUAL(runs_of(f, other), 2);
        }
        destroy(f);
    }
}
static void metadata_has_a_limit(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .metadata_entries = 2 });
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "talker", .compute = tell_too_much, .count = 1 });
    run_is(f, SF_ERROR_NO_ROOM);
    CHECK_NOTES(0, 0, 0, SF_ERROR_NO_ROOM);
    CHECK(strstr(sf_flow_failure(f)->text, "metadata_entries") != NULL);
    destroy_is(f, SF_ERROR_NO_ROOM);
}

/* -- dynamic flow -- */

static sf_op routes[3];
static sf_result route_some(sf_context *ctx) /* run 0: all, 1: to 0, 2: to 1 and 2, 3: all again */
{
    if (ctx->run == 1) { sf_route(ctx, routes[0]); }
    if (ctx->run == 2) { sf_route(ctx, routes[1]), sf_route(ctx, routes[2]); }
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run));
}
static void routing(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = route_some, .out = { OUT("out") }, .count = 4 });
    (void)state;
    for (int i = 0; i < 3; i++) {
        routes[i] = sink(f, i, (sf_port){ .name = "in", .capacity = 4 });
        connect(f, a, routes[i]);
    }
    run_is(f, SF_OK);
    CHECK_NOTES(0, 0, 1, 3);
    CHECK_NOTES(1, 0, 2, 3);
    CHECK_NOTES(2, 0, 2, 3);
    destroy(f);
}
static sf_result route_wrong(sf_context *ctx)
{
    return note_down(0, sf_route(ctx, routes[0])), count_up(ctx);
}
static void routing_to_a_stranger(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .name = "router", .compute = route_wrong, .out = { OUT("out") }, .count = 1 });
    sf_op b = sink(f, 1, (sf_port)IN("in"));
    (void)state;
    routes[0] = a;
    connect(f, a, b);
    run_is(f, SF_ERROR_UNKNOWN_OPERATOR);
    CHECK_NOTES(0, SF_ERROR_UNKNOWN_OPERATOR);
    CHECK_EQUAL(runs_of(f, b), 0);
    destroy_is(f, SF_ERROR_UNKNOWN_OPERATOR);
}
static sf_result turn(sf_context *ctx) { return note_down(0, 100 * id_of(ctx) + (long long)ctx->run), SF_OK; }
static void control_edges_hand_on_the_turn(void **state)
{
    sf_flow *f = flow_on(device);
    sf_edge_desc control = { .control = true };
    sf_op a, b, c;
    (void)state;
    c = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[3] });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[2] });
    a = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[1], .count = 3 });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &control));
    CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &control));
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, b), 3);
    CHECK_EQUAL(runs_of(f, c), 3);
    CHECK_EQUAL(note_count, 9);
    {
        int got[4] = { 0, 0, 0, 0 }; /* nobody before the one that gives it the turn */
        for (uint32_t i = 0; i < note_count; i++) {
            int who = (int)notes[i].what / 100;
            got[who]++;
            CHECK(who == 1 || got[who] <= got[who - 1]);
        }
    }
    destroy(f);
}
static void either_control_edge_gives_a_turn(void **state)
{
    sf_flow *f = flow_on(device);
    sf_edge_desc control = { .control = true };
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[1], .count = 2 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[2], .count = 5 });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[3] });
    (void)state;
    CHECK_OK(sf_flow_connect(f, a, NULL, c, NULL, &control));
    CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, &control));
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, c), 7);
    destroy(f);
}
static sf_result route_turn(sf_context *ctx)
{
    return note_down(0, (long long)ctx->run), sf_route(ctx, routes[ctx->run % 3]);
}
static void turns_are_routed(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = route_turn, .count = 7 });
    (void)state;
    for (int i = 0; i < 3; i++) {
        routes[i] = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
        CHECK_OK(sf_flow_connect(f, a, NULL, routes[i], NULL, &(sf_edge_desc){ .control = true }));
    }
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, routes[0]), 3);
    CHECK_EQUAL(runs_of(f, routes[1]), 2);
    CHECK_EQUAL(runs_of(f, routes[2]), 2);
    destroy(f);
}
static void a_loop_of_turns(void **state) /* a turn at the start, by delay; ends by count */
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[0], .count = 4 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = turn, .user = &ids[1] });
    (void)state;
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true }));
    CHECK_OK(sf_flow_connect(f, b, NULL, a, NULL, &(sf_edge_desc){ .control = true, .delay = 1 }));
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, a), 4);
    CHECK_EQUAL(runs_of(f, b), 4);
    for (uint32_t i = 0; i < 8; i++) { CHECK_EQUAL(notes[i].what, (i & 1 ? 100 : 0) + i / 2); }
    destroy(f);
}

/* Who feeds back works off what it has; but an end waits for nobody who may never come. */
static sf_result once_in_a_while(sf_context *ctx) { return ctx->run < 9 ? count_up(ctx) : SF_OK; }
static sf_result take_both(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 1);
    return pass_value(ctx);
}
static void fed_from_elsewhere_and_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {                   /* a push, a signal, a source without end, what gathers */
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = kind > 1 });
        sf_op_desc d = { .name = "plant", .compute = kind == 1 ? pass_value : take_both,
                         .in = { IN("in"), { .name = "beside", .capacity = 16 } }, .out = { OUT("out") } };
        sf_op head = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value,
                                                   .in = { { .name = "in", .optional = true } },
                                              .out = { OUT("out") }, .count = 10 }), plant, other;
        if (kind == 0) { d.in[1].external = true; }
        if (kind == 1) { d.in[1].name = NULL, d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL }; }
        plant = sf_flow_add(f, &d);
        if (kind > 1) {
            other = sf_flow_add(f, &(sf_op_desc){ .compute = once_in_a_while, .out = { OUT("out") },
                                             .period = kind == 2 ? 1000 : 0, .count = kind == 2 ? 0 : 9 });
            if (kind == 3) {
                sf_op pairs = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value,
                                                            .in = { { .name = "in", .capacity = 8 } },
                                                       .out = { OUT("out") },
                                                       .when = { { .kind = SF_CONDITION_MESSAGES, .count = 2 } } });
                connect(f, other, pairs);
                other = pairs;
            }
            CHECK_OK(sf_flow_connect(f, other, NULL, plant, "beside", NULL));
        }
        CHECK_OK(sf_flow_connect(f, head, NULL, plant, "in", &(sf_edge_desc){ .capacity = 16 }));
        CHECK_OK(sf_flow_connect(f, plant, NULL, head, NULL, &(sf_edge_desc){ .capacity = 16 }));
        run_is(f, SF_OK);
        CHECK(runs_of(f, head) <= 10);                       /* nobody but the plant reads from it */
        CHECK(runs_of(f, plant) < 10);
        destroy(f);
    }
}
static sf_result optional_head(sf_context *ctx)
{
    if (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    return count_up(ctx);
}
static sf_op head_of(sf_flow *f, uint64_t count)             /* it waits for nobody */
{
    return sf_flow_add(f, &(sf_op_desc){ .compute = optional_head, .in = { { .name = "in", .optional = true } },
                                    .out = { OUT("out") }, .count = count });
}
static sf_result take_pairs(sf_context *ctx)
{
    if (sf_available(ctx, 0) < 2) { return SF_OK; }
    (void)sf_receive_value(ctx, 0);
    (void)sf_receive_value(ctx, 0);
    return count_up(ctx);
}
static sf_flow *loop_of_pairs(sf_port in, sf_op *head, sf_op *pairs)        /* a head of 11, who takes two at a time */
{
    sf_flow *f = flow_on(device);
    *head = head_of(f, 11);
    *pairs = sf_flow_add(f, &(sf_op_desc){ .compute = take_pairs, .in = { in }, .out = { OUT("out") } });
    connect(f, *head, *pairs);
    connect(f, *pairs, *head);
    return f;
}
static void feeds_back_and_leaves_one(void **state)          /* which it will never take */
{
    sf_op head, pairs;
    sf_flow *f = loop_of_pairs((sf_port){ .name = "in", .capacity = 4 }, &head, &pairs);
    (void)state;
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, head), 11);
    destroy(f);
}
static void feeds_back_in_batches(void **state)              /* the last one is not enough: no deadlock, it is dropped */
{
    sf_op head, pairs;
    sf_flow *f = loop_of_pairs((sf_port){ .name = "in", .batch = 2 }, &head, &pairs);
    (void)state;
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, head), 11);
    CHECK_EQUAL(runs_of(f, pairs), 5);
    destroy(f);
}
/* Who is kept but cannot go on holds nobody up, though somebody else waits for the outside. */
static sf_result four_and_one(sf_context *ctx)
{
    for (int i = 0; i < 4; i++) { (void)sf_emit_value(ctx, 0, number(i)); }
    return sf_emit_value(ctx, 1, number(9));
}
static sf_result both_ways(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    return sf_emit_value(ctx, 0, v) < 0 ? SF_ERROR_USER : sf_emit_value(ctx, 1, v);
}
static void kept_beside_who_waits(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op head = sf_flow_add(f, &(sf_op_desc){ .compute = four_and_one, .count = 1,
                                               .in = { { .name = "in", .optional = true } },
                                          .out = { OUT("four"), OUT("one") } });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = both_ways, .in = { { .name = "in", .capacity = 8 } },
                                       .out = { OUT("back"), OUT("on") } });
    sf_op s = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") },
                                       .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true } } });
    sf_op back = sf_flow_add(f, &(sf_op_desc){ .compute = take_both, .in = { IN("in"), IN("beside") },
                                               .out = { OUT("out") } });
    (void)state;
    CHECK_OK(sf_flow_connect(f, head, "four", a, NULL, NULL));
    CHECK_OK(sf_flow_connect(f, head, "one", back, "beside", NULL));
    CHECK_OK(sf_flow_connect(f, a, "back", back, "in", NULL));
    CHECK_OK(sf_flow_connect(f, a, "on", s, NULL, NULL));
    connect(f, back, head);
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, s), 4);
    destroy(f);
}
static sf_result fails_at_last(sf_context *ctx) { return ctx->run > 1 ? SF_ERROR_USER : pass_value(ctx); }
static void feeds_back_and_fails(void **state)               /* before it has received anything, again and again */
{
    sf_flow *f = flow_on(device);
    sf_op head = head_of(f, 3);
    sf_op back = sf_flow_add(f, &(sf_op_desc){ .compute = fails_at_last, .in = { IN("in") }, .out = { OUT("out") },
                                          .on_error = SF_ON_ERROR_IGNORE });
    (void)state;
    connect(f, head, back);
    connect(f, back, head);
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, head), 3);
    destroy(f);
}
static void no_loop_nothing_fed_back(void **state)           /* an optional input in a line */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = keep_values, .user = &ids[1], .period = 1000, .count = 3,
                                        .in = { { .name = "in", .optional = true } } });
    sf_op from = source(f, 500);
    sf_op slow = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .period = 1000, .out = { OUT("out") },
                                          .in = { { .name = "in", .capacity = 1000 } } });
    (void)state;
    connect(f, from, slow);
    connect(f, slow, to);
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, to), 3);
    CHECK(runs_of(f, slow) <= 4);            /* and not 500, for nobody */
    destroy(f);
}
static sf_result done_after_four(sf_context *ctx) { return ctx->run == 3 ? SF_DONE : pass_value(ctx); }
static void nobody_needs_who_is_on_the_way(void **state)     /* who feeds back has ended before it has worked off all */
{
    sf_flow *f = flow_on(device);
    sf_op head = sf_flow_add(f, &(sf_op_desc){ .compute = optional_head, .in = { { .name = "in", .optional = true } },
                                          .out = { OUT("out") }, .count = 8, .priority = -1 });
    sf_op way = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { { .name = "in", .capacity = 8 } },
                                         .out = { OUT("out") } });
    sf_op back = sf_flow_add(f, &(sf_op_desc){ .compute = done_after_four, .in = { IN("in") },
                                               .out = { OUT("out") } });
    (void)state;
    connect(f, head, way);
    connect(f, way, back);
    connect(f, back, head);
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, back), 4);
    destroy(f);
}
static sf_readiness always(void *user, int64_t now, int64_t *wake) { return (void)user, (void)now, (void)wake, SF_READY; }
static void turns_that_end(void **state) /* nobody waits for what comes behind them */
{
    (void)state;
    for (int signal = 0; signal < 2; signal++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 3 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") } });
        sf_op_desc d = { .compute = take_value, .in = { IN("in") } };
        sf_op c;
        d.when[0] = (sf_condition){ .kind = signal ? SF_CONDITION_SIGNAL : SF_CONDITION_USER, .initial = SF_READY,
                                    .latch = true, .custom = { .check = always } };
        c = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true }));
        connect(f, b, c);
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, c), 3);
        destroy(f);
    }
}

/* -- operators that end -- */

static sf_result done_after_three(sf_context *ctx)
{
    note_down(id_of(ctx), sf_receive_value(ctx, 0).i64);
    return ctx->run == 2 ? SF_DONE : SF_OK;
}
static void done_ends_those_who_work_for_it_alone(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 0), b, other = source(f, 20), keep = sink(f, 1, (sf_port)IN("in"));
    sf_op_info info;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = done_after_three, .user = &ids[0], .in = { IN("in") } });
    connect(f, a, b);
    connect(f, other, keep);
    run_is(f, SF_OK);                                        /* although `a` has no end of its own */
    CHECK_NOTES(0, 1, 2, 3);
    check_counts(1, 1, 20);
    CHECK_OK(sf_op_get_info(f, a, &info));
    CHECK_EQUAL(info.state, SF_OP_STOPPED);
    destroy(f);
}
static void one_branch_ends(void **state)                    /* the other one goes on, and gets everything */
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 12), b, c = sink(f, 1, (sf_port)IN("in"));
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = done_after_three, .user = &ids[0], .in = { IN("in") } });
    connect(f, a, b);
    connect(f, a, c);
    run_is(f, SF_OK);
    CHECK_NOTES(0, 1, 2, 3);
    check_counts(1, 1, 12);
    destroy(f);
}
static void one_operator_is_stopped(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = source(f, 0), b = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = keep_until, .user = &ids[1],
                                       .in = { { .name = "in", .external = true, .capacity = 2 } } });
    (void)state;
    connect(f, a, b);
    CHECK_IS(sf_op_stop(f, b), SF_IGNORED);
    CHECK_OK(sf_flow_start(f));
    while (runs_of(f, b) < 10) { usleep(100); }
    CHECK_OK(sf_op_stop(f, b));                              /* and `a`, which depends on it alone */
    for (int i = 0; i < 10000; i++) {
        sf_op_info info;
        CHECK_OK(sf_op_get_info(f, a, &info));
        if (info.state == SF_OP_STOPPED) { break; }
        usleep(1000);
    }
    CHECK_OK(sf_flow_push_value(f, c, 0, number(3)));             /* the rest is alive */
    CHECK_OK(sf_flow_push_value(f, c, 0, number(-1)));
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(1, 3, -1);
    CHECK_IS(sf_op_stop(f, (sf_op){ 0 }), SF_ERROR_UNKNOWN_OPERATOR);
    destroy(f);
}

/* -- and -- */

static void opens_a_device_itself(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = test_backend });
    sf_op a = sf_flow_add(
        f,
        &(sf_op_desc){ .compute = paint_source, .out = { { .name = "out", .bytes = BYTES } }, .count = 5 });
    (void)state;
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } }));
    run_is(f, SF_OK);
    run_is(f, SF_OK);
    destroy(f);
}
static sf_result resize(sf_context *ctx)
{
    return sf_set_port_bytes(ctx, "out", 256), sf_set_port_bytes(ctx, "none", 1), SF_OK;
}
static sf_result resize_well(sf_context *ctx) { return sf_set_port_bytes(ctx, "out", 256); }
static sf_result keep_size(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    note_down(0, (long long)t->bytes);
    note_down(0, t->dtype == SF_U8 && t->ndim == 1 && t->shape[0] == 256 && t->strides[0] == 1);
    return SF_OK;
}
static void initialize_sets_sizes(void **state)
{
    sf_flow *f = flow_on(device);
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = keep_size,
                             .initialize = resize_well,
                             .out = { { .name = "out", .bytes = 8 } },
                             .count = 1 });
    run_is(f, SF_OK);
    CHECK_NOTES(0, 256, 1);
    destroy(f);
    f = flow_on(device);
    sf_flow_add(f, &(sf_op_desc){ .name = "sized",
                             .compute = keep_size,
                             .initialize = resize,
                             .out = { { .name = "out", .bytes = 8 } },
                             .count = 1 });
    run_is(f, SF_ERROR_UNKNOWN_PORT);
    CHECK(strstr(sf_flow_failure(f)->text, "none") != NULL);
    destroy_is(f, SF_ERROR_UNKNOWN_PORT);
    f = flow_on(device);                     /* in the start hook the pools are there already */
    sf_flow_add(f, &(sf_op_desc){ .compute = keep_size,
                             .initialize = nothing,
                             .start = resize_well,
                             .out = { { .name = "out", .bytes = 8 } },
                             .count = 1 });
    run_is(f, SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(sf_flow_failure(f)->text, "only the initialize hook sets sizes") != NULL);
    destroy_is(f, SF_ERROR_ILLEGAL_STATE);
}
static sf_op pass_on(sf_flow *f, sf_op from)                 /* one more behind it */
{
    sf_op op = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { IN("in") }, .out = { OUT("out") } });
    CHECK_OK(sf_flow_connect(f, from, NULL, op, NULL, NULL));
    return op;
}
static void ends_with_both(sf_flow *f, sf_op last)           /* messages of a source */
{
    connect(f, last, sink(f, 0, (sf_port)IN("in")));
    run_is(f, SF_OK);
    CHECK_NOTES(0, 1, 2);
    CHECK_EQUAL(runs_of(f, last), 2);
    destroy(f);
}
static void a_long_chain(void **state)
{
    enum { LONG = 20000 };
    sf_flow *f = flow_on(device);
    sf_op last = source(f, 2);
    (void)state;
    for (int i = 0; i < LONG; i++) { last = pass_on(f, last); }
    ends_with_both(f, last);
}
static sf_result drop_value(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
/* Each of many hands what it gets to the next one and to one that ends there: as deep as that nobody calls another. */
static void fans_in_fans(void **state)
{
    enum { DEEP = 50000 };
    sf_flow *f = flow_on(device);
    sf_op last = source(f, 2);
    (void)state;
    for (int i = 0; i < DEEP; i++) {
        sf_op next = pass_on(f, last), end = sf_flow_add(f, &(sf_op_desc){ .compute = drop_value,
                .in = { IN("in") } });
        CHECK_OK(sf_flow_connect(f, last, NULL, end, NULL, NULL));
        last = next;
    }
    ends_with_both(f, last);
}
static sf_result create_one(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static sf_result pass_first(sf_context *ctx)
{
    sf_tensor *first = sf_receive(ctx, 0);
    while (sf_available(ctx, 0)) { (void)sf_receive(ctx, 0); }
    return sf_emit(ctx, 0, first);
}
/* Eight ways from each of eight operators to the next layer: as many ways as that are not to be walked. */
static void a_dense_net(void **state)
{
    enum { WIDE = 8, LAYERS = 12 };
    sf_flow *f = flow_on(device);
    sf_op before[WIDE], a = sf_flow_add(f, &(sf_op_desc){ .compute = create_one,
                                                          .out = { { .name = "out", .bytes = 8 } },
                                                     .count = 3 });
    (void)state;
    for (int i = 0; i < LAYERS * WIDE; i++) {
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_first,
                                           .in = { { .name = "in", .many = true } },
                                           .out = { OUT("out") } });
        if (i < WIDE) { connect(f, a, b); }
        for (int k = 0; i >= WIDE && k < WIDE; k++) { connect(f, before[k], b); }
        for (int k = 0; i % WIDE == WIDE - 1 && k < WIDE; k++) { before[k].id = b.id - WIDE + 1 + (uint32_t)k; }
    }
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK_EQUAL(count_of(": 714 blocks of 8 bytes: "), 1);    /* the queues, each once: 8 + 11 * 64, and two */
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, before[WIDE - 1]), 3);
    destroy(f);
}
/* What is told of a flow is told whole, however long its names are. */
static void long_names(void **state)
{
    enum { LONG = 3000 };
    static char from[LONG], to[LONG], out[LONG], in[LONG], line[4 * LONG];
    sf_flow *f = flow_on(device);
    sf_op a, b;
    (void)state;
    memset(from, 'a', LONG - 1), memset(to, 'b', LONG - 1), memset(out, 'o', LONG - 1), memset(in, 'i', LONG - 1);
    a = sf_flow_add(f, &(sf_op_desc){ .name = from, .compute = create_one, .out = { { .name = out, .bytes = 8 } },
                                 .count = 1 });
    b = sf_flow_add(f, &(sf_op_desc){ .name = to, .compute = pass_first, .in = { { .name = in } },
                                 .out = { OUT("out") } });
    CHECK_OK(sf_flow_connect(f, a, out, b, in, NULL));
    for (int json = 0; json < 2; json++) {
        report_clear();
        CHECK_OK(sf_flow_check(f, json, report_add, NULL));
        CHECK(count_of(from) && count_of(to));
        snprintf(line, sizeof line, "    %s -> %s.%s: 1 message; 1 place, ", out, to, in);
        CHECK_EQUAL(count_of(line), !json);
    }
    report_clear();
    sf_flow_dot(f, report_add, NULL);
    CHECK(count_of(from) && count_of(to) && count_of("}\n") == 1);
    run_is(f, SF_OK);
    destroy(f);
}
static void an_empty_flow(void **state)
{
    sf_flow *f = flow_on(device);
    (void)state;
    run_is(f, SF_OK);
    CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
    destroy(f);
    f = sf_flow_create(NULL);
    CHECK(f != NULL);
    destroy(f);
}

static sf_result fail_first(sf_context *ctx)     /* each message once */
{
    static uint64_t seen = UINT64_MAX;
    uint64_t v = (uint64_t)sf_receive_value(ctx, 0).i64;
    if (v != seen) { return seen = v, SF_ERROR_USER; }
    note_down(0, (long long)v);
    return SF_OK;
}
static void tries_are_counted_per_message(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 20 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = fail_first, .in = { { .name = "in", .capacity = 4 } },
                                       .on_error = SF_ON_ERROR_RETRY, .retries = 1 });
    sf_op_info info;
    (void)state;
    notes_clear();
    connect(f, a, b);
    CHECK_OK(sf_flow_run(f));
    CHECK_OK(sf_op_get_info(f, b, &info));
    CHECK_EQUAL(info.runs, 20);
    CHECK_EQUAL(info.errors, 20);
    CHECK_EQUAL(note_count, 20);
    CHECK_IS(sf_flow_destroy(f), SF_OK);
}

/* -- from hand to hand: a message that goes along a chain at once leaves no trace of having done so -- */

enum { HANDS = 12, HAND_TURNS = 400 };
typedef enum drive { DRIVE_RUN, DRIVE_HOOKED, DRIVE_STEPS } drive;
typedef struct hands {
    sf_flow *f;
    sf_op ops[HANDS];
    int count, edge_count, from[2 * HANDS], to[2 * HANDS], answer;           /* the edges; that with a delay, or 0 */
    int degree[HANDS];                       /* edges out, the second one of the same output or another */
    int ins[HANDS], ports[HANDS], outs[HANDS];               /* ins: edges, shared out among the input ports */
    uint64_t seed;
    bool calm;                               /* computes seldom do more than receive and emit */
    uint32_t sum, turns, line[4096];         /* what was seen so far, after each turn */
} hands;
static hands at;

static void hands_note(uint64_t what) { at.sum = (at.sum ^ (uint32_t)what) * 0x9e3779b1u + (uint32_t)(what >> 7); }
static void hands_look(void)                                 /* at all that can be seen of a flow */
{
    for (int i = 0; i < at.count; i++) {
        sf_op_info info;
        sf_edge_info edge;
        hands_note((uint64_t)sf_op_get_info(at.f, at.ops[i], &info));
        hands_note((uint64_t)info.state + 16 * info.runs + 16000 * info.errors);
        for (const char *c = info.waits_for; *c; c++) { hands_note((uint64_t)*c); }
        for (int e = 0; e < at.ins[i]; e++) {
            if (sf_op_get_edge_info(at.f, at.ops[i], e % at.ports[i], e / at.ports[i], &edge) < 0) { hands_note(1); }
            hands_note(edge.messages + edge.queued * 1000 + edge.queued_high * 100000 + edge.refused * 10000000 +
                       edge.dropped * 1000000000);
        }
    }
}
static int64_t hands_take(sf_context *ctx, int id, uint32_t how)
{
    int64_t x = (int64_t)ctx->run;
    if (how == 1) { hands_note((uint64_t)sf_available(ctx, 0)); }
    for (int i = 0; i < at.ins[id] && how != 2; i++) {       /* 14: the last ports first; 15: the first port only */
        int k = how == 14 ? at.ins[id] - 1 - i : i, port = k % at.ports[id];
        if (how != 15 || port == 0) { x = (int64_t)((uint64_t)x * 3 + sf_receive_value(ctx, port).u64); }
        if (how == 16 && i == 0) { hands_note((uint64_t)sf_available(ctx, port)); }
    }
    if (how == 3) { hands_note((uint64_t)sf_get_timestamp(ctx, 0)); }
    if (how == 4) { sf_set_timestamp(ctx, x); }
    if (how == 5 && at.ins[id]) { x += sf_receive_value(ctx, 0).i64; }
    return x;
}
static sf_result hands_compute(sf_context *ctx)
{
    int id = id_of(ctx);
    rng r = rng_seed(at.seed * 1000003 + (uint64_t)id * 7919 + ctx->run);
    uint32_t how = rng_below(&r, at.calm ? 256 : 32);
    int64_t x = hands_take(ctx, id, how);
    sf_result result = SF_OK;
    if (how == 6 || how == 4) { hands_look(); }
    if (how == 7) { result = sf_fail(ctx, SF_ERROR_USER, "for once"); }
    if (how == 8 && ctx->run > 20) { result = SF_DONE; }
    if (how == 17 || how == 18) { hands_note(sf_compute_stream(ctx) != NULL); }
    if (how == 9 && at.turns > HAND_TURNS) { sf_flow_stop(at.f); }
    if (how == 10 && ctx->run > 20) { sf_op_stop(at.f, at.ops[rng_below(&r, (uint32_t)at.count)]); }
    for (int p = 0; p < at.outs[id] && how != 11; p++) {
        hands_note((uint64_t)sf_emit_value(ctx, p, number(x + p)));
        if (how == 12) { hands_note((uint64_t)sf_emit_value(ctx, p, number(x + 1))); }
    }
    if (how == 13) { hands_look(); }
    hands_note((uint64_t)x + (uint64_t)id);
    at.line[at.turns++ % COUNT(at.line)] = at.sum;
    return result;
}
static void hands_hook(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)hook, (void)ctx, (void)port, (void)tensor, (void)user;
}
static const char *const hands_in[] = { "in", "in 1", "in 2" }, *const hands_out[] = { "out", "out 1" };
static void hands_ports(rng *r, int i, uint16_t capacity, sf_op_desc *desc)
{
    at.ports[i] = rng_below(r, 3) ? 1 : 1 + (int)rng_below(r, 3);
    if (at.ports[i] > at.ins[i]) { at.ports[i] = at.ins[i]; }
    for (int p = 0; p < at.ports[i]; p++) {
        desc->in[p] = (sf_port){
            .name = hands_in[p], .capacity = capacity, .many = at.ins[i] > p + at.ports[i],
            .optional = p && rng_below(r, 8) == 0 };
    }
    at.outs[i] = at.degree[i] ? 1 + (at.degree[i] > 1 && rng_below(r, 4) == 0) : 0;
    for (int p = 0; p < at.outs[i]; p++) { desc->out[p].name = hands_out[p]; }
}
static void hands_edge(int from, int to)
{
    at.from[at.edge_count] = from;
    at.to[at.edge_count++] = to;
    at.degree[from]++;
    at.ins[to]++;
}
/* Each operator but the first one added emits to one or two that were added before: chains, fans and joins, all to
   one. Or it receives from one, and those that emit to nobody else do to the first one: fans of fans. */
static void hands_draw_downwards(rng *r)
{
    if (rng_below(r, 3)) {
        for (int i = 1; i < at.count; i++) {
            int to = rng_below(r, 4) ? i - 1 : (int)rng_below(r, (uint32_t)i);
            int also = rng_below(r, 6) ? 0 : (int)rng_below(r, (uint32_t)i);
            hands_edge(i, to);
            if (also && also != to) { hands_edge(i, also); }
        }
        return;
    }
    for (int i = at.count - 2; i > 0; i--) {
        int most = at.count - 1 - i;
        hands_edge(i + 1 + (int)rng_below(r, (uint32_t)(most < 3 ? most : 3)), i);
    }
    for (int i = 1; i < at.count; i++) {
        if (!at.degree[i] && (at.ins[0] == 0 || rng_below(r, 3))) { hands_edge(i, 0); }
    }
}
/* Fans of which all work for one, which may be the next one to have several. */
static void hands_draw_diamonds(rng *r)
{
    int i = at.count - 1;
    while (i > 1) {
        int wide = 1 + (int)rng_below(r, 4), join;
        if (wide > i - 1) { wide = i - 1; }
        join = i - wide - 1;
        for (int k = 1; k <= wide; k++) {
            hands_edge(i, i - k);
            hands_edge(i - k, join);
        }
        i = join;
    }
    if (i == 1) { hands_edge(1, 0); }
}
static void hands_draw(rng *r)                               /* maybe with a circle of two */
{
    if (rng_below(r, 3)) { hands_draw_downwards(r); } else { hands_draw_diamonds(r); }
    if (rng_below(r, 4)) { return; }
    int e = (int)rng_below(r, (uint32_t)at.edge_count);
    at.answer = at.edge_count;
    hands_edge(at.to[e], at.from[e]);
}
static void hands_build(uint64_t seed, bool hooked)
{
    rng r = rng_seed(seed);
    bool urgent = rng_below(&r, 3) == 0;
    memset(&at, 0, sizeof at);
    at.seed = seed;
    at.count = 2 + (int)rng_below(&r, HANDS - 1);
    at.calm = rng_below(&r, 2);
    at.f = sf_flow_create(&(sf_flow_desc){
        .device = device, .backend = test_backend, .hook = { hooked ? hands_hook : NULL, NULL } });
    hands_draw(&r);
    for (int i = 0; i < at.count; i++) {
        uint16_t capacity = (uint16_t)(1 + rng_below(&r, 3));
        sf_op_desc desc = { .compute = hands_compute, .user = &ids[i], .on_error = SF_ON_ERROR_IGNORE };
        hands_ports(&r, i, capacity, &desc);
        desc.count = at.ins[i] ? rng_below(&r, 8) ? 0 : 30 : 40 + rng_below(&r, 20);
        if (urgent) { desc.priority = rng_below(&r, 4) ? 1 : (int32_t)rng_below(&r, 3); }
        at.ops[i] = sf_flow_add(at.f, &desc);
    }
    for (int e = 0, in[HANDS] = { 0 }, out[HANDS] = { 0 }; e < at.edge_count; e++) {
        int from = at.from[e], to = at.to[e], port = in[to]++ % at.ports[to];
        const char *output = hands_out[out[from]++ % at.outs[from]];
        sf_edge_desc delayed = { .delay = 1 };
        CHECK_OK(sf_flow_connect(at.f, at.ops[from], output, at.ops[to], hands_in[port],
                            e && e == at.answer ? &delayed : NULL));
    }
}
static void hands_drive(uint64_t seed, drive how)
{
    sf_result r;
    hands_build(seed, how == DRIVE_HOOKED);
    if (how == DRIVE_STEPS) {
        while ((r = sf_flow_step(at.f, NULL)) == SF_OK) {}
        if (r == SF_DONE) { r = SF_OK; }
    } else {
        r = sf_flow_run(at.f);
    }
    hands_look();
    hands_note((uint64_t)r);
    sf_flow_destroy(at.f);
}
static void from_hand_to_hand(void **state)
{
    static hands first;
    (void)state;
    FOR_SEEDS(seed, test_seeds()) {
        for (drive how = DRIVE_RUN; how <= DRIVE_STEPS; how = (drive)(how + 1)) {
            uint32_t i = 0;
            hands_drive(seed, how);
            if (how == DRIVE_RUN) { first = at; }
            while (i < at.turns && i < first.turns && i < COUNT(at.line) && at.line[i] == first.line[i]) { i++; }
            if (at.sum != first.sum || at.turns != first.turns) {
                fail_msg("seed %llu, %d: turn %u of %u, %u differs", (unsigned long long)seed, (int)how, i, at.turns,
                         first.turns);
            }
        }
    }
}

/* A fan of two and a join: 0 to 1 and 2, both to 3. One of them calls an urgent operator, which runs before the
   others go on. */
static struct { sf_op urgent; int caller; } call;
static sf_result pass_and_call(sf_context *ctx)
{
    int id = id_of(ctx);
    int64_t x = (int64_t)ctx->run;
    note_down(0, id);
    for (int i = 0; i < (id == 3 ? 2 : id == 1 || id == 2); i++) { x += sf_receive_value(ctx, 0).i64; }
    if (id == call.caller && !ctx->run) { CHECK_OK(sf_flow_signal(ctx->flow, call.urgent, 0, SF_READY)); }
    if (id == 3) { note_down(1, x); }
    return id < 3 ? sf_emit_value(ctx, 0, number(x)) : SF_OK;
}
static sf_flow *hooked_or_not(bool hooked)
{
    return sf_flow_create(&(sf_flow_desc){
        .device = device, .backend = test_backend, .hook = { hooked ? hands_hook : NULL, NULL } });
}
static void called_before_a_join(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        sf_flow *f = hooked_or_not(i / 4);
        sf_op o[4];
        notes_clear();
        call.caller = i % 4;
        for (int k = 0; k < 4; k++) {
            sf_op_desc d = { .compute = pass_and_call, .user = &ids[k], .count = k ? 0 : 2 };
            if (k) { d.in[0] = (sf_port){ .name = "in", .many = k == 3 }; }
            if (k < 3) { d.out[0].name = "out"; }
            o[k] = sf_flow_add(f, &d);
        }
        call.urgent = sf_flow_add(f, &(sf_op_desc){ .compute = pass_and_call, .user = &ids[4], .count = 1,
                                                    .priority = -1,
                                               .when = { { .kind = SF_CONDITION_SIGNAL } } });
        connect(f, o[0], o[1]);
        connect(f, o[0], o[2]);
        connect(f, o[1], o[3]);
        connect(f, o[2], o[3]);
        run_is(f, SF_OK);
        if (call.caller == 0) { CHECK_NOTES(0, 0, 4, 1, 2, 3, 0, 1, 2, 3); }
        if (call.caller == 1) { CHECK_NOTES(0, 0, 1, 4, 2, 3, 0, 1, 2, 3); }
        if (call.caller == 2) { CHECK_NOTES(0, 0, 1, 2, 4, 3, 0, 1, 2, 3); }
        if (call.caller == 3) { CHECK_NOTES(0, 0, 1, 2, 3, 4, 0, 1, 2, 3); }
        CHECK_NOTES(1, 0, 1 + 2 * (1 + 1));                  /* run, and twice: run, and the first one's run */
        destroy(f);
    }
}
/* ... but for who can do without some: it sees what others have to give in the same round. */
static sf_result count_what_is_there(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    note_down(0, sf_available(ctx, 1));
    (void)sf_receive_value(ctx, 1);
    return SF_OK;
}
static void an_optional_one_waits(void **state)
{
    (void)state;
    for (int hooked = 0; hooked < 2; hooked++) {
        sf_flow *f = hooked_or_not(hooked);
        sf_op a = source(f, 4), b, c, j;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .in = { IN("in") }, .out = { OUT("out") } });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .in = { IN("in") }, .out = { OUT("out") } });
        j = sf_flow_add(f, &(sf_op_desc){ .compute = count_what_is_there,
                                     .in = { { .name = "a" }, { .name = "b", .optional = true } } });
        connect(f, a, b);
        connect(f, a, c);
        CHECK_OK(sf_flow_connect(f, b, NULL, j, "a", NULL));
        CHECK_OK(sf_flow_connect(f, c, NULL, j, "b", NULL));
        run_is(f, SF_OK);
        CHECK_NOTES(0, 1, 1, 1, 1);
        destroy(f);
    }
}
/* What a join leaves of one branch stays in front of it. */
static sf_result take_a_and_b(sf_context *ctx)
{
    note_down(0, sf_receive_value(ctx, 0).i64);
    if (ctx->run != 3) { note_down(1, sf_receive_value(ctx, 1).i64); }
    return SF_OK;
}
static void a_join_leaves_one(void **state)
{
    (void)state;
    for (int hooked = 0; hooked < 2; hooked++) {
        sf_flow *f = hooked_or_not(hooked);
        sf_port in = { .name = "in", .capacity = 2 };
        sf_op a = source(f, 6), b, c, j;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .in = { in }, .out = { OUT("out") } });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = add_ten, .in = { in }, .out = { OUT("out") } });
        j = sf_flow_add(f, &(sf_op_desc){ .compute = take_a_and_b, .in = { { .name = "a", .capacity = 2 },
                                                                       { .name = "b", .capacity = 2 } } });
        connect(f, a, b);
        connect(f, a, c);
        CHECK_OK(sf_flow_connect(f, b, NULL, j, "a", NULL));
        CHECK_OK(sf_flow_connect(f, c, NULL, j, "b", NULL));
        run_is(f, SF_OK);                                    /* the sixth one is dropped */
        CHECK_NOTES(0, 11, 12, 13, 14, 15, 16);
        CHECK_NOTES(1, 11, 12, 13, 14, 15);
        (void)sf_flow_destroy(f);
    }
}
/* 0 and 2 to 3, and 1 beside them: as they were added, one sweep after the other. */
static void sweeps_go_by_the_schedule(void **state)
{
    (void)state;
    for (int hooked = 0; hooked < 2; hooked++) {
        sf_flow *f = hooked_or_not(hooked);
        sf_op o[4];
        notes_clear();
        call.caller = -1;
        for (int k = 0; k < 4; k++) {
            int id = k == 1 ? 4 : k == 2 ? 0 : k;
            sf_op_desc d = { .compute = pass_and_call, .user = &ids[id], .count = k == 1 ? 3 : 2 };
            if (k == 3) { d.in[0] = (sf_port){ .name = "in", .many = true }; }
            if (k % 2 == 0) { d.out[0].name = "out"; }
            o[k] = sf_flow_add(f, &d);
        }
        connect(f, o[0], o[3]);
        connect(f, o[2], o[3]);
        run_is(f, SF_OK);
        CHECK_NOTES(0, 0, 4, 0, 3, 0, 4, 0, 3, 4);
        destroy(f);
    }
}

/* A heap that hands out lower addresses later: a cycle is one wherever its operators lie. */
static struct { char *bytes; size_t left; } downwards;
static void *alloc_downwards(size_t bytes, void *user)
{
    size_t n = (bytes + 63) / 64 * 64;
    (void)user;
    if (n > downwards.left) { return NULL; }
    downwards.left -= n;
    return downwards.bytes + downwards.left;
}
static void free_nothing(void *ptr, void *user) { (void)ptr, (void)user; }
static void cycles_in_any_memory(void **state)
{
    (void)state;
    downwards.left = (size_t)16 << 20;
    downwards.bytes = (char *)aligned_alloc(4096, downwards.left);
    {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST,
                                                     .heap = { alloc_downwards, free_nothing, NULL } });
        sf_op op[400];
        for (int i = 0; i < 400; i++) {      /* those in between are so many only to be far apart */
            op[i] = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value,
                                                  .in = { { .name = "in", .optional = i % 399 > 0 } },
                                             .out = { OUT("out") } });
        }
        connect(f, op[0], op[399]);
        connect(f, op[399], op[0]);
        CHECK(sf_flow_check(f, false, NULL, NULL) < 0);
        CHECK(strstr(sf_flow_failure(f)->text, "delay") != NULL);
        (void)sf_flow_destroy(f);
    }
    free(downwards.bytes);
}
/* A thread that is cancelled in sf_flow_wait() leaves the flow as it was. */
static void *wait_for_the_end(void *arg) { return (void)sf_flow_wait((sf_flow *)arg, SF_FOREVER), NULL; }
static void cancelled_in_a_wait(void **state)
{
    sf_flow *f = flow_on(device);
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .when = { { .kind = SF_CONDITION_SIGNAL } } });
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        void *result = NULL;
        CHECK_EQUAL(pthread_create(&thread, NULL, wait_for_the_end, f), 0);
        usleep(i * 1000);
        CHECK_EQUAL(pthread_cancel(thread), 0);
        CHECK_EQUAL(pthread_join(thread, &result), 0);
        CHECK(result == PTHREAD_CANCELED);
    }
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
}
/* sf_flow_run() is no cancellation point, also if threads of the flow's own run it. */
static void *run_to_be_cancelled(void *arg) { return (void)sf_flow_run((sf_flow *)arg), pthread_testcancel(), NULL; }
static void cancelled_in_a_run(void **state)
{
    (void)state;
    for (int workers = 0; workers < 3; workers++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers[0].count = workers });
        sf_op op = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1,
                                                 .when = { { .kind = SF_CONDITION_SIGNAL, .latch = true } } });
        pthread_t thread;
        void *result = NULL;
        CHECK_OK(sf_flow_check(f, true, NULL, NULL));
        CHECK_EQUAL(pthread_create(&thread, NULL, run_to_be_cancelled, f), 0);
        usleep(2000);
        CHECK_EQUAL(pthread_cancel(thread), 0);
        usleep(1000);
        CHECK_OK(sf_flow_signal(f, op, 0, SF_READY));
        CHECK_EQUAL(pthread_join(thread, &result), 0);
        CHECK(result == PTHREAD_CANCELED);   /* behind the run */
        CHECK_EQUAL(runs_of(f, op), 1);
        destroy(f);
    }
}
/* Several threads wait for the same end: when one of them returns, the run's thread has left. */
static void *wait_and_start(void *arg)
{
    sf_flow *f = (sf_flow *)arg;
    for (int i = 0; i < 300; i++) {
        (void)sf_flow_wait(f, SF_FOREVER);
        (void)sf_flow_start(f);              /* one of the threads may */
    }
    return NULL;
}
static void many_wait_for_one_end(void **state)
{
    sf_flow *f = flow_on(device);
    pthread_t thread[3];
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1 });
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(pthread_create(&thread[i], NULL, wait_and_start, f), 0); }
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(pthread_join(thread[i], NULL), 0); }
    (void)sf_flow_wait(f, GUARD);
    CHECK_OK(sf_flow_run(f));
    destroy(f);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(values_travel),
        TEST(no_such_metadata_policy),
        TEST(done_at_the_start),
        TEST(tries_are_counted_per_message),
        TEST(tensors_travel),
        TEST(as_many_ports_as_a_word_has_bits),
        TEST(fan_out),
        TEST(payloads_are_shared),
        TEST(fan_in),
        TEST(values_and_tensors_at_one_input),
        TEST(edges_in_the_order_of_connection),
        TEST(fan_in_of_none),
        TEST(capacity_and_batch),
        TEST(batches),
        TEST(what_is_not_taken_stays),
        TEST(the_last_batch_is_not_whole),
        TEST(overflow_policies),
        TEST(dropped_tensors_go_back),
        TEST(latest_behind_what_is_left), TEST(the_second_takes_the_place_of_the_first),
        TEST(latest_is_read_again),
        TEST(one_output_two_policies),
        TEST(values_and_tensors_of_one_output),
        TEST(refused_once),
        TEST(an_output_that_leads_nowhere),
        TEST(optional_inputs),
        TEST(cycles_turn_by_delay),
        TEST(edge_to_itself),
        TEST(delayed_tensors_are_zeroed),
        TEST(pushed_before_the_start),
        TEST(pushed_but_never_run),
        TEST(pushed_by_threads),
        TEST(rung_between_steps),
        TEST(pushed_tensors),
        TEST(hooks_in_order),
        TEST(the_flow_s_hook),
        TEST(runs_again),
        TEST(grows_between_runs),
        TEST(in_the_background),
        TEST(stopped_from_outside),
        TEST(stopped_before_the_run),
        TEST(overlapping_runs),
        TEST(overlapping_steps),
        TEST(destroyed_beside_a_run),
#ifdef __linux__
        TEST(flows_stay_with_their_process),
        TEST(stopped_by_a_signal_handler),
#endif
        TEST(stopped_from_inside),
        TEST(a_loop_of_your_own),
        TEST(steps_and_a_clock),
        TEST(as_many_emits_as_the_edge_holds),
        TEST(a_last_push_ends_it),
        TEST(not_built_while_it_runs),
        TEST(ids_end_with_their_flow),
        TEST(odd_flows_are_not_made),
        TEST(paused),
        TEST(a_longest_duration),
        TEST(urgent_operators_first),
        TEST(what_a_context_says),
        TEST(names_by_number),
        TEST(timestamps),
        TEST(metadata),
        TEST(metadata_of_siblings),
        TEST(metadata_has_a_limit),
        TEST(routing),
        TEST(routing_to_a_stranger),
        TEST(control_edges_hand_on_the_turn),
        TEST(either_control_edge_gives_a_turn),
        TEST(turns_are_routed),
        TEST(a_loop_of_turns),
        TEST(fed_from_elsewhere_and_back),
        TEST(feeds_back_and_leaves_one),
        TEST(feeds_back_in_batches),
        TEST(kept_beside_who_waits),
        TEST(feeds_back_and_fails),
        TEST(no_loop_nothing_fed_back),
        TEST(nobody_needs_who_is_on_the_way),
        TEST(turns_that_end),
        TEST(done_ends_those_who_work_for_it_alone),
        TEST(one_branch_ends),
        TEST(one_operator_is_stopped),
        TEST(opens_a_device_itself),
        TEST(initialize_sets_sizes),
        TEST(from_hand_to_hand),
        TEST(called_before_a_join),
        TEST(sweeps_go_by_the_schedule),
        TEST(an_optional_one_waits),
        TEST(a_join_leaves_one),
        TEST(a_long_chain),
        TEST(fans_in_fans),
        TEST(a_dense_net),
        TEST(long_names),
        TEST(an_empty_flow),
        TEST(cycles_in_any_memory),
        TEST(cancelled_in_a_wait),
        TEST(cancelled_in_a_run),
        TEST(many_wait_for_one_end),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
