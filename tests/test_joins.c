/*  test_joins.c - joins by time and max_age among the rest of the library: tensors, streams, copies, policies of queues,
    ends, reports. What they join is tested by test_fusion.c, against a model. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "hooks.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }
enum { EVENTS = 16 };
/* A source: at time `at` it emits what is stamped `stamp` (-1: nothing is), with that as its value; then it ends, at
   `end` if that is later. */
typedef struct event { int64_t at, stamp; } event;
typedef struct script { event events[EVENTS]; int count; int64_t end; int sent; } script;
static sf_readiness script_check(void *user, int64_t now, int64_t *wake)
{
    const script *s = (const script *)user;
    int64_t next = s->sent < s->count ? s->events[s->sent].at : s->end;
    if (s->sent == s->count && now >= next) { return SF_NEVER; }
    *wake = next;
    return now >= next && s->sent < s->count ? SF_READY : SF_WAIT;
}
static sf_result script_emit(sf_context *ctx)
{
    script *s = (script *)ctx->user;
    const event *e = &s->events[s->sent++];
    if (e->stamp >= 0) { sf_set_timestamp(ctx, e->stamp); }
    return sf_emit_value(ctx, 0, number(e->stamp));
}
static sf_op source_of(sf_flow *f, script *s)
{
    s->sent = 0;
    return sf_flow_add(f, &(sf_op_desc){
        .compute = script_emit, .user = s, .out = { OUT("out") },
        .when = { { .kind = SF_CONDITION_USER, .custom = { .check = script_check, .user = s } } } });
}
#define SCRIPT(last, ...) \
    { .events = { __VA_ARGS__ }, .count = (int)(sizeof((event[]){ __VA_ARGS__ }) / sizeof(event)), .end = last }
static sf_flow *flow_with(int32_t workers, bool simulated)
{
    sf_flow_desc d = { .device = device, .clock.simulated = simulated };
    sf_flow *f;
    d.workers[0].count = workers;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    return f;
}
static void sums_hold(const sf_flow *f, sf_op op, int inputs)
{
    for (int p = 0; p < inputs; p++) {
        sf_edge_info e = edge_of(f, op, p, 0);
        uint64_t sum = e.queued;
        for (int i = 0; i < SF_FATES; i++) { sum += e.fates[i]; }
        if (sum != e.messages) { fail_msg("port %d: %u fates, %u messages", p, (unsigned)sum, (unsigned)e.messages); }
    }
}
static uint64_t fate_of(const sf_flow *f, sf_op op, int input, sf_fate fate) { return edge_of(f, op, input, 0).fates[fate]; }

/* -- age -- */

static sf_result note_value(sf_context *ctx)                 /* the value, or why there is none: below 0 */
{
    note_down(1, sf_flow_now(ctx->flow));
    note_down(2, sf_available(ctx, 0) ? sf_receive_value(ctx, 0).i64 : -(long long)sf_why_absent(ctx, 0));
    return SF_OK;
}
/* A reader of one input, which looks at `times` of the clock. */
static sf_op reader_of(sf_flow *f, sf_port port, int64_t period, uint64_t count)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = note_value, .in = { port }, .period = period, .count = count });
}
static void age_is_inclusive(void **state)   /* 50 old is taken, 51 is not; with an offset, the sum counts */
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const struct { int64_t at, offset; bool old; } cases[] = {
            { 150, 0, false }, { 151, 0, true }, { 151, 1, false }, { 140, -11, true }
        };
        script s = SCRIPT(0, { 0, 100 });
        sf_flow *f = flow_with(0, true);
        sf_op a = source_of(f, &s), b;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){
            .compute = note_value,
            .in = { { .name = "in", .optional = true, .max_age = 50, .offset = cases[k].offset } },
            .when = { { .kind = SF_CONDITION_TIME, .ns = cases[k].at } }, .count = 1 });
        connect(f, a, b);
        run_is(f, SF_OK);
        check_notes(1, (long long[]){ cases[k].at }, 1);
        check_notes(2, (long long[]){ cases[k].old ? -(long long)SF_INPUT_ENDED : 100 }, 1);
        CHECK_EQUAL(fate_of(f, b, 0, SF_FATE_TOO_OLD), cases[k].old);
        CHECK_EQUAL(edge_of(f, b, 0, 0).dropped, cases[k].old);
        sums_hold(f, b, 1);
        destroy(f);
    }
}
static void age_of_latest(void **state)      /* read again until it is too old; a value that was read is no loss */
{
    script s = SCRIPT(200, { 0, 0 }, { 100, 100 }, { 101, 90 });
    sf_flow *f = flow_with(0, true);
    sf_op a = source_of(f, &s), b = reader_of(f, (sf_port){ .name = "in", .optional = true, .max_age = 25 }, 20, 8);
    (void)state;
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    run_is(f, SF_OK);
    CHECK_NOTES(1, 0, 20, 40, 60, 80, 100, 120, 140);
    CHECK_NOTES(2, 0, 0, -SF_TOO_OLD, -SF_TOO_OLD, -SF_TOO_OLD, 100, -SF_TOO_OLD, -SF_TOO_OLD);      /* 90 at 120 */
    CHECK_EQUAL(fate_of(f, b, 0, SF_FATE_DELIVERED), 2);
    CHECK_EQUAL(fate_of(f, b, 0, SF_FATE_TOO_OLD), 1);
    sums_hold(f, b, 1);
    destroy(f);
}
static void age_of_a_required_latest(void **state)           /* waits for the next one */
{
    script s = SCRIPT(0, { 0, 0 }, { 100, 95 });
    sf_flow *f = flow_with(0, true);
    sf_op a = source_of(f, &s), b;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = note_value, .in = { IN("in") }, .count = 1,
                                 .when = { { .kind = SF_CONDITION_TIME, .ns = 10 } } });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST, .max_age = 5 }));
    run_is(f, SF_OK);
    CHECK_NOTES(1, 100);
    CHECK_NOTES(2, 95);
    CHECK_EQUAL(fate_of(f, b, 0, SF_FATE_TOO_OLD), 1);
    destroy(f);
}
static void age_within_a_queue(void **state) /* any message of it; the edge's limit comes before the port's */
{
    (void)state;
    for (int32_t workers = 0; workers < 4; workers += 3) {
        script s = SCRIPT(0, { 0, 60 }, { 0, 10 }, { 0, 70 }, { 0, 80 }, { 0, 20 });
        sf_flow *f = flow_with(workers, true);
        sf_op a = source_of(f, &s), b;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_values, .user = &ids[3], .in = { { .name = "in", .batch = 2, .capacity = 5, .max_age = 1 } },
                                     .when = { { .kind = SF_CONDITION_TIME, .ns = 100 } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .max_age = 40 }));
        guarded_run_is(f, SF_OK, NULL);
        CHECK_NOTES(3, 60, 70, 80);
        CHECK_EQUAL(fate_of(f, b, 0, SF_FATE_TOO_OLD), 2);
        CHECK_EQUAL(fate_of(f, b, 0, SF_FATE_DELIVERED), 3);
        destroy(f);
    }
}
/* A display: it runs by a period, and ends by itself when its input has. */
static sf_result show(sf_context *ctx)
{
    sf_absence why = sf_why_absent(ctx, 0);
    if (why == SF_INPUT_ENDED) { return SF_DONE; }
    return note_down(1, sf_available(ctx, 0) ? sf_receive_value(ctx, 0).i64 : -(long long)why), SF_OK;
}
static void an_optional_input_ends(void **state)
{
    enum { QUEUE, MANY, LATEST, NOTHING, KINDS };
    (void)state;
    for (int k = 0; k < 4 * KINDS; k++) {
        int kind = k % KINDS;
        script s = SCRIPT(0, { 0, 1 }, { 10, 2 }, { 21, 3 }), none = { .end = 30 };
        sf_flow *f = flow_with(k / KINDS, true);
        sf_port in = { .name = "in", .optional = true, .capacity = 4, .many = kind == MANY,
                       .max_age = kind == LATEST ? 5 : 0 };
        sf_edge_desc latest = { .overflow = SF_OVERFLOW_LATEST };
        sf_op a = source_of(f, kind == NOTHING ? &none : &s), b;
        long long got[16];
        size_t n;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){ .name = "display", .compute = show, .period = 8, .count = 16,
                                          .in = { in } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, kind >= LATEST ? &latest : NULL));
        if (kind == MANY) {
            sf_op other = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 1 });
            CHECK_OK(sf_flow_connect(f, other, NULL, b, NULL, NULL));
        }
        run_is(f, SF_OK);                    /* it ends; and nothing that came before the end was overlooked */
        n = notes_of(1, got, COUNT(got));
        CHECK(n >= 3 && n < COUNT(got));
        if (kind == QUEUE || kind == MANY) {
            size_t messages = 0;
            for (size_t i = 0; i < n; i++) { messages += got[i] > 0; }
            CHECK_EQUAL(messages, kind == MANY ? 4 : 3);
            CHECK_EQUAL(edge_of(f, b, 0, 0).fates[SF_FATE_DELIVERED], 3);
        }
        for (size_t i = 0; i < n; i++) {
            CHECK(got[i] > 0 || got[i] == -SF_NONE_YET || (kind == LATEST && got[i] == -SF_TOO_OLD));
            CHECK(kind != NOTHING || got[i] == -SF_NONE_YET);
        }
        destroy(f);
    }
}
static sf_result show_turns(sf_context *ctx)
{
    return (void)sf_receive_value(ctx, 1), note_down(1, sf_available(ctx, 0) ? sf_receive_value(ctx, 0).i64
                                                                             : -(long long)sf_why_absent(ctx, 0)), SF_OK;
}
static void an_external_input_ends(void **state)
{
    (void)state;
    for (int32_t workers = 0; workers < 4; workers++) {
        sf_flow *f = flow_with(workers, true);
        sf_op b = sf_flow_add(f, &(sf_op_desc){
            .compute = show_turns, .in = { { .name = "in", .optional = true, .external = true, .capacity = 4 },
                                           { .name = "turn", .external = true, .capacity = 8 } } });
        notes_clear();
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        for (int i = 1; i <= 3; i++) { CHECK_OK(sf_flow_push_value(f, b, 0, number(i))); }
        for (int i = 1; i <= 5; i++) { CHECK_OK(sf_flow_push_value(f, b, 1, number(i))); }
        CHECK_OK(sf_flow_finish(f));
        run_is(f, SF_OK);
        CHECK_NOTES(1, 1, 2, 3, -SF_INPUT_ENDED, -SF_INPUT_ENDED);
        destroy(f);
    }
}
static void age_needs_a_stamp(void **state)  /* but for what a delay has put there */
{
    (void)state;
    for (int stamped = 0; stamped < 2; stamped++) {
        script s = SCRIPT(0, { 0, stamped ? 0 : -1 });
        sf_flow *f = flow_with(0, true);
        sf_op a = source_of(f, &s), b;
        notes_clear();
        b = sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = keep_one, .user = &ids[3], .in = { { .name = "in", .max_age = 10 } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .delay = 1 }));
        run_is(f, stamped ? SF_OK : SF_ERROR_INVALID_VALUE);
        if (stamped) { CHECK_NOTES(3, 0, 0); } else { CHECK(strstr(sf_flow_failure(f)->text, "\"in\"") != NULL); }
        destroy_is(f, stamped ? SF_OK : SF_ERROR_INVALID_VALUE);
    }
}
static void stamped_on_emit_alone(void **state)              /* on any input, also for sf_get_timestamp() */
{
    static const event at[] = { { 5, -1 }, { 8, 3 }, { 9, -1 } };
    script s = { .count = 3 };
    sf_flow *f = flow_with(0, true);
    sf_op a, b;
    (void)state;
    memcpy(s.events, at, sizeof at);
    a = source_of(f, &s);
    b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { { .name = "in", .stamped_on_emit = true, .max_age = 6 } }, .out = { OUT("out") } });
    connect(f, a, b);
    (void)b;
    run_is(f, SF_OK);
    CHECK_EQUAL(fate_of(f, b, 0, SF_FATE_DELIVERED), 3);
    destroy(f);
}

/* -- joins -- */

static sf_result note_pair(sf_context *ctx)                  /* a * 1000 + b; absent: its reason + 900 */
{
    long long v[2];
    for (int p = 0; p < 2; p++) {
        v[p] = sf_available(ctx, p) ? sf_receive_value(ctx, p).i64 : 900 + (long long)sf_why_absent(ctx, p);
    }
    return note_down(4, v[0] * 1000 + v[1]), SF_OK;
}
static sf_op_desc pair_of(void)
{
    sf_op_desc d = { .name = "pair", .compute = note_pair,
                     .in = { { .name = "a", .capacity = 8 }, { .name = "b", .capacity = 8 } },
                     .when = { { .kind = SF_CONDITION_ALIGNED } } };
    return d;
}
static sf_op joined(sf_flow *f, const sf_op_desc *d, script *a, script *b, const sf_edge_desc *edge)
{
    sf_op from[2] = { source_of(f, a), source_of(f, b) }, to = sf_flow_add(f, d);
    CHECK_OK(sf_flow_connect(f, from[0], NULL, to, "a", edge));
    CHECK_OK(sf_flow_connect(f, from[1], NULL, to, "b", edge));
    return to;
}
static void put_in_order(void **state)       /* .reorder holds messages back, and counts those that are too late */
{
    script a = SCRIPT(0, { 0, 10 }, { 1, 30 }, { 2, 20 }, { 3, 25 }, { 4, 50 }, { 5, 24 }, { 6, 40 }),
           b = SCRIPT(9, { 0, 10 }, { 0, 20 }, { 0, 25 }, { 7, 30 }, { 7, 40 }, { 7, 50 });
    sf_flow *f = flow_with(0, true);
    sf_op_desc d = pair_of();
    sf_op to;
    (void)state;
    d.in[0].reorder = 20;
    to = joined(f, &d, &a, &b, NULL);
    run_is(f, SF_OK);
    CHECK_NOTES(4, 10010, 20020, 25025, 30030, 40040, 50050);
    CHECK_EQUAL(fate_of(f, to, 0, SF_FATE_BACKWARD), 1);
    destroy(f);
}
static void age_of_a_set(void **state)       /* looked at when the set is about to be taken */
{
    script a = SCRIPT(0, { 0, 0 }, { 60, 60 }), b = SCRIPT(0, { 50, 0 }, { 70, 60 });
    sf_flow *f = flow_with(0, true);
    sf_op_desc d = pair_of();
    sf_op to;
    (void)state;
    d.in[0].max_age = 49;
    to = joined(f, &d, &a, &b, NULL);
    run_is(f, SF_OK);
    CHECK_NOTES(4, 60060);
    CHECK_EQUAL(fate_of(f, to, 0, SF_FATE_TOO_OLD), 1);
    CHECK_EQUAL(fate_of(f, to, 1, SF_FATE_UNMATCHED), 1);
    destroy(f);
}
static void an_input_without_an_edge(void **state)
{
    script a = SCRIPT(0, { 0, 5 });
    sf_flow *f = flow_with(0, true);
    sf_op_desc d = pair_of();
    sf_op from = source_of(f, &a), to;
    (void)state;
    d.in[1].optional = true;
    to = sf_flow_add(f, &d);
    CHECK_OK(sf_flow_connect(f, from, NULL, to, "a", NULL));
    run_is(f, SF_OK);
    CHECK_NOTES(4, 5000 + 900 + SF_INPUT_ENDED);
    destroy(f);
}
/* Sources that never wait: the join's compute is slow, so that queues overflow while messages are lent. */
static sf_result stamp_each(sf_context *ctx)
{
    sf_set_timestamp(ctx, (int64_t)ctx->run);
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run));
}
static uint64_t failures;
static sf_result pair_is_equal(sf_context *ctx)
{
    int64_t a = sf_peek_timestamp(ctx, 0, 0), b = sf_peek_timestamp(ctx, 1, 0);
    test_spin(ctx->run % 7 * 300);
    if (a < 0 || a != b || sf_receive_value(ctx, 0).i64 != a || sf_receive_value(ctx, 1).i64 != b) {
        return sf_fail(ctx, SF_ERROR_USER - 1, "not a pair");
    }
    return failures++ % 3 == 0 ? SF_ERROR_USER - 2 : SF_OK;
}
static void overflow_while_it_computes(void **state)         /* the set of a compute, and of its retry, stays */
{
    (void)state;
    for (int32_t workers = 0; workers < 7; workers += 2) {
        sf_flow *f = flow_with(workers, false);
        sf_op_desc d = pair_of();
        sf_op from[2], to;
        failures = 1;
        d.compute = pair_is_equal;
        d.on_error = SF_ON_ERROR_RETRY;
        d.retries = 2;
        d.in[0].capacity = d.in[1].capacity = 3;
        for (int p = 0; p < 2; p++) {
            from[p] = sf_flow_add(f, &(sf_op_desc){ .compute = stamp_each, .out = { OUT("out") }, .count = 2000 });
        }
        to = sf_flow_add(f, &d);
        for (int p = 0; p < 2; p++) {
            CHECK_OK(sf_flow_connect(f, from[p], NULL, to, p ? "b" : "a", &(sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_OLDEST }));
        }
        guarded_run_is(f, SF_OK, NULL);
        sums_hold(f, to, 2);
        CHECK_EQUAL(fate_of(f, to, 0, SF_FATE_FAILED), 0);
        CHECK_EQUAL(fate_of(f, to, 0, SF_FATE_DELIVERED), runs_of(f, to));
        CHECK_EQUAL(fate_of(f, to, 1, SF_FATE_DELIVERED), runs_of(f, to));
        destroy(f);
    }
}
static void nobody_reads_it(void **state)    /* its sink ends: the join is unneeded, and ends with its sources */
{
    (void)state;
    for (int32_t workers = 0; workers < 5; workers += 2) {
        sf_flow *f = flow_with(workers, false);
        sf_op_desc d = pair_of();
        sf_op from[2], to, sink;
        d.out[0].name = "out";
        d.compute = pass_value;
        for (int p = 0; p < 2; p++) { from[p] = sf_flow_add(f, &(sf_op_desc){ .compute = stamp_each, .out = { OUT("out") } }); }
        to = sf_flow_add(f, &d);
        sink = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") }, .count = 50 });
        CHECK_OK(sf_flow_connect(f, from[0], NULL, to, "a", NULL));
        CHECK_OK(sf_flow_connect(f, from[1], NULL, to, "b", NULL));
        connect(f, to, sink);
        guarded_run_is(f, SF_OK, NULL);
        CHECK_EQUAL(runs_of(f, sink), 50);
        sums_hold(f, to, 2);
        destroy(f);
    }
}
static sf_flow *running;
static sf_result finish_at_20(sf_context *ctx)
{
    if (ctx->run == 20) { CHECK_OK(sf_flow_finish(running)); }
    return note_pair(ctx);
}
static void finished_and_stopped(void **state)               /* by sf_flow_finish(); by sf_op_stop() of the join */
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        sf_flow *f = running = flow_with(k / 2 * 2, false);
        sf_op_desc d = pair_of();
        sf_op from[2], to;
        d.compute = k % 2 ? note_pair : finish_at_20;
        for (int p = 0; p < 2; p++) { from[p] = sf_flow_add(f, &(sf_op_desc){ .compute = stamp_each, .out = { OUT("out") } }); }
        to = sf_flow_add(f, &d);
        for (int p = 0; p < 2; p++) { CHECK_OK(sf_flow_connect(f, from[p], NULL, to, p ? "b" : "a", NULL)); }
        notes_clear();
        CHECK_OK(sf_flow_start(f));
        if (k % 2) {
            until(&note_count, 30);
            CHECK_OK(sf_op_stop(f, to));
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK(note_count > 20);
        for (uint32_t i = 0; i < note_count && i < COUNT(notes); i++) { CHECK_EQUAL(notes[i].what, (long long)i * 1001); }
        sums_hold(f, to, 2);
        destroy(f);
    }
}

/* -- windows -- */

static sf_result note_window(sf_context *ctx)                /* anchor * 1000000, then its samples, by two calls each */
{
    int n = sf_available(ctx, 1);
    note_down(5, sf_receive_value(ctx, 0).i64 * 1000000);
    for (int i = 0; i < n; i++) { CHECK(sf_peek_timestamp(ctx, 1, i) >= 0); }
    CHECK_EQUAL(sf_peek_timestamp(ctx, 1, n), -1);
    for (int i = 0; i < n; i++) {
        int64_t stamp = sf_peek_timestamp(ctx, 1, 0), v = sf_receive_value(ctx, 1).i64;
        if (stamp != v || sf_get_timestamp(ctx, 1) != v) { return sf_fail(ctx, SF_ERROR_USER, "another stamp"); }
        note_down(5, v);
    }
    if (!n) { note_down(5, -(long long)sf_why_absent(ctx, 1)); }
    return SF_OK;
}
static sf_op_desc window_of(void)
{
    sf_op_desc d = { .name = "window", .compute = note_window,
                     .in = { { .name = "a", .capacity = 8 }, { .name = "b", .capacity = 4 } },
                     .when = { { .kind = SF_CONDITION_WINDOW, .anchor = 0, .before = 10 } } };
    return d;
}
static void why_a_window_is_empty(void **state)
{
    script a = SCRIPT(0, { 0, 50 }, { 0, 100 }, { 100, 200 }), b = SCRIPT(90, { 20, 30 }, { 30, 60 }, { 40, 61 });
    sf_flow *f = flow_with(0, true);
    sf_op_desc d = window_of();
    (void)state;
    d.when[0].max_wait = 55;
    joined(f, &d, &a, &b, NULL);
    run_is(f, SF_OK);
    /* 50: none lies in it. 100: its time was over at 85. 200: no sample can come */
    CHECK_NOTES(5, 50000000, -SF_NONE_YET, 100000000, -SF_TOO_LATE, 200000000, -SF_INPUT_ENDED);
    destroy(f);
}
static void a_window_that_is_too_large(void **state)         /* a full stop is named; DROP_OLDEST keeps the newest */
{
    (void)state;
    for (int drop = 0; drop < 2; drop++) {
        script a = SCRIPT(0, { 0, 10 }), b = SCRIPT(0, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 4 }, { 5, 5 }, { 6, 6 }, { 7, 11 });
        sf_flow *f = flow_with(0, true);
        sf_op_desc d = window_of();
        sf_op to = joined(f, &d, &a, &b, &(sf_edge_desc){ .overflow = drop ? SF_OVERFLOW_DROP_OLDEST : SF_OVERFLOW_BLOCK });
        notes_clear();
        run_is(f, drop ? SF_OK : SF_ERROR_DEADLOCK);
        if (drop) {
            CHECK_NOTES(5, 10000000, 4, 5, 6);
            CHECK_EQUAL(fate_of(f, to, 1, SF_FATE_OVERFLOW), 3);
        } else {
            const char *text = sf_flow_failure(f)->text;
            if (!strstr(text, "\"b\"") || !strstr(text, "full")) { fail_msg("it says: %s", text); }
        }
        sums_hold(f, to, 2);
        destroy_is(f, drop ? SF_OK : SF_ERROR_DEADLOCK);
    }
}

/* -- tensors -- */

enum { FRAMES = 12, SPIN = 2000 };
static uint32_t *logs;                       /* PROBE words for each */
static sf_result paint_stamped(sf_context *ctx)              /* stamped run * step, painted with that + 1 */
{
    const int *step = (const int *)ctx->user;
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    int64_t stamp = (int64_t)ctx->run * *step;
    CHECK_OK(paint(sf_compute_stream(ctx), t->data, NULL, NULL, (uint32_t)stamp + 1, SPIN));
    sf_set_timestamp(ctx, stamp);
    return sf_emit(ctx, 0, t);
}
static sf_result probe_all(sf_context *ctx)  /* the set's, and what was dropped */
{
    sf_dropped x;
    for (int p = 0; p < 2; p++) {
        while (sf_receive_dropped(ctx, p, &x)) {
            CHECK(x.tensor != NULL && x.fate == SF_FATE_UNMATCHED);
            CHECK_OK(probe(sf_compute_stream(ctx), x.tensor->data, logs + PROBE * (2 * x.time + p), 0));
        }
        if (!sf_available(ctx, p)) { continue; }
        int64_t stamp = sf_peek_timestamp(ctx, p, 0);
        sf_tensor *t = sf_receive(ctx, p);
        CHECK_OK(probe(sf_compute_stream(ctx), t->data, logs + PROBE * (2 * stamp + p), 0));
    }
    return SF_OK;
}
static void dropped_tensors(void **state)    /* are lent until the compute returns, in the order of their GPU work */
{
    (void)state;
    for (uint32_t order = 0; order < order_count(); order++) {
        for (int32_t workers = 0; workers < 4; workers += 3) {
            sf_device *d = open_order(order, 7 + order);
            sf_flow_desc desc = { .device = d };
            sf_op_desc pair = pair_of();
            sf_op from[2], to;
            sf_flow *f;
            desc.workers[0].count = workers;
            f = sf_flow_create(&desc);
            logs = (uint32_t *)test_memory(d, 2 * PROBE * sizeof(uint32_t) * 2 * FRAMES);
            for (int p = 0; p < 2; p++) {    /* 0 1 2 ... and 0 2 4 ... */
                from[p] = sf_flow_add(f, &(sf_op_desc){ .compute = paint_stamped, .user = &ids[1 + p], .count = p ? FRAMES / 2 : FRAMES,
                                                   .out = { { .name = "out", .bytes = BYTES } } });
            }
            pair.compute = probe_all;
            pair.when[0].drops = true;
            to = sf_flow_add(f, &pair);
            for (int p = 0; p < 2; p++) { CHECK_OK(sf_flow_connect(f, from[p], NULL, to, p ? "b" : "a", NULL)); }
            guarded_run_is(f, SF_OK, NULL);
            CHECK_OK(sf_device_synchronize(d, GUARD));
            for (int i = 0; i < FRAMES - 1; i++) {           /* the last one is left as the others end */
                CHECK_PROBE(logs + PROBE * (2 * i), i + 1);
                if (i % 2 == 0) { CHECK_PROBE(logs + PROBE * (2 * i + 1), i + 1); }
            }
            sums_hold(f, to, 2);
            destroy(f);
            CHECK_OK(sf_mem_free(d, logs));
            test_close(d);
        }
    }
}
static sf_result read_on_cpu(sf_context *ctx)
{
    for (int p = 0; p < 2; p++) {
        int64_t stamp = sf_peek_timestamp(ctx, p, 0);
        const sf_tensor *t = sf_receive(ctx, p);
        for (uint32_t i = 0; i < WORDS; i++) {
            if (((const uint32_t *)t->data)[i] != (uint32_t)stamp + 1) { return sf_fail(ctx, SF_ERROR_USER, "not written yet"); }
        }
    }
    return SF_OK;
}
static void with_a_stream_condition(void **state)            /* the set waits until the GPU is done with its messages */
{
    (void)state;
    for (int32_t workers = 0; workers < 4; workers += 3) {
        sf_flow *f = flow_with(workers, false);
        sf_op_desc pair = pair_of();
        sf_op from[2], to;
        for (int p = 0; p < 2; p++) {
            from[p] = sf_flow_add(f, &(sf_op_desc){ .compute = paint_stamped, .user = &ids[2 - p], .count = FRAMES,
                                               .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
        }
        pair.compute = read_on_cpu;
        pair.when[1].kind = SF_CONDITION_STREAM;
        to = sf_flow_add(f, &pair);
        for (int p = 0; p < 2; p++) { CHECK_OK(sf_flow_connect(f, from[p], NULL, to, p ? "b" : "a", NULL)); }
        guarded_run_is(f, SF_OK, NULL);
        CHECK_EQUAL(runs_of(f, to), FRAMES / 2);
        sums_hold(f, to, 2);
        destroy(f);
    }
}
static void copies_to_another_device(void **state)           /* of the set alone */
{
    sf_device *other;
    sf_stream_pool *pool;
    (void)state;
    if (on_cuda()) { skip(); }
    other = open_device();
    CHECK_OK(sf_stream_pool_create(other, NULL, &pool));
    logs = (uint32_t *)test_memory(device, 2 * PROBE * sizeof(uint32_t) * 2 * FRAMES);
    for (int optional = 0; optional < 2; optional++) {
        sf_flow *f = flow_with(0, false);
        sf_op_desc pair = pair_of();
        sf_op from[2], to;
        for (int p = 0; p < 2; p++) {
            from[p] = sf_flow_add(f, &(sf_op_desc){ .compute = paint_stamped, .user = &ids[1 + p], .count = FRAMES / 2,
                                               .out = { { .name = "out", .bytes = BYTES } } });
        }
        pair.compute = probe_all;
        pair.streams = pool;
        pair.in[1].optional = optional;
        to = sf_flow_add(f, &pair);
        for (int p = 0; p < 2; p++) {
            CHECK_OK(sf_flow_connect(f, from[p], NULL, to, p ? "b" : "a", &(sf_edge_desc){ .copy = true }));
        }
        memset(logs, 0, 2 * PROBE * sizeof(uint32_t) * 2 * FRAMES);
        run_is(f, SF_OK);
        for (int i = 0; i < FRAMES / 2; i += 2) {
            CHECK_PROBE(logs + PROBE * (2 * i), i + 1);
            CHECK_PROBE(logs + PROBE * (2 * i + 1), i + 1);
        }
        sums_hold(f, to, 2);
        destroy(f);
    }
    CHECK_OK(sf_mem_free(device, logs));
    CHECK_OK(sf_stream_pool_destroy(pool));
    test_close(other);
}

/* -- what a user reads -- */

static void names_of_fates(void **state)
{
    static const char *const names[SF_FATES + 1] = { "delivered", "failed", "overflow", "ended", "too old", "unmatched",
                                                     "passed over", "backward", "timed out", "no fate" };
    (void)state;
    for (int i = 0; i <= SF_FATES; i++) { CHECK(!strcmp(sf_fate_name((sf_fate)i), names[i])); }
    CHECK(!strcmp(sf_fate_name((sf_fate)-1), "no fate"));
}
static void plan_and_trace(void **state)
{
    script a = SCRIPT(0, { 0, 0 }, { 10, 9 }, { 20, 20 }, { 30, 19 }), b = SCRIPT(40, { 0, 0 }, { 20, 20 });
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true, .trace_events = 100 });
    sf_op_desc d = pair_of();
    (void)state;
    d.when[0].ns = 5;
    d.when[0].pick = SF_PICK_NEAREST;
    d.when[0].max_wait = 7000;
    joined(f, &d, &a, &b, NULL);
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK_EQUAL(count_of("when: ALIGNED of a, b: within 5, the nearest, max_wait 7000"), 1);
    report_clear();
    CHECK_OK(sf_flow_check(f, true, report_add, NULL));
    CHECK_EQUAL(count_of("{\"kind\":\"ALIGNED\",\"count\":0,\"ns\":5,\"any\":0,\"ports\":3,\"pick\":\"nearest\",\"max_wait\":7000,"
                         "\"anchor\":0,\"before\":0,\"after\":0,\"tiles\":false,\"drops\":false}"), 1);
    run_is(f, SF_OK);
    report_clear();
    CHECK_OK(sf_flow_trace(f, report_add, NULL));
    CHECK_EQUAL(count_of("pair.a: dropped, unmatched\""), 1);
    CHECK_EQUAL(count_of("pair.a: dropped, backward\""), 1);
    CHECK_EQUAL(count_of(": dropped"), 2);
    destroy(f);
}
static void refused(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        sf_flow *f = flow_with(0, true);
        sf_op_desc d = pair_of();
        script a = SCRIPT(0, { 0, 0 }), b = SCRIPT(0, { 0, 0 });
        sf_edge_desc e = { .capacity = 4 };
        const char *part = "\"pair\"";
        switch (k) {
        case 0: d.region = 1; break;
        case 1: d.when[0].any = 1; break;
        case 2: e.overflow = SF_OVERFLOW_LATEST, part = "LATEST"; break;
        case 3: e.delay = 1, part = "delay"; break;
        case 4: d.when[1].kind = SF_CONDITION_MESSAGES, part = "MESSAGES"; break;
        case 5: e.max_age = -1, part = "max_age"; break;
        case 6: d.when[0].kind = SF_CONDITION_NONE, d.region = 1, d.in[0].max_age = 1, part = "region"; break;
        }
        joined(f, &d, &a, &b, &e);
        report_clear();
        CHECK(sf_flow_check(f, false, report_add, NULL) < 0);
        if (!strstr(report.text, part)) { fail_msg("case %d: nothing says %s: %s", k, part, report.text); }
        destroy_is(f, SF_OK);
    }
}
static void drops_in_memory_of_ours(void **state)            /* limits.drops: capacities of the inputs together */
{
    static _Alignas(16) char block[1 << 17];
    (void)state;
    for (uint32_t drops = 7; drops <= 16; drops += 9) {
        sf_flow_desc desc = { .memory = { block, sizeof block }, .clock.simulated = true, .device = device };
        script a = SCRIPT(0, { 0, 0 }, { 10, 9 }), b = SCRIPT(40, { 20, 20 });
        sf_op_desc d = pair_of();
        sf_flow *f;
        desc.limits.ops = 3;
        desc.limits.edges = 2;
        desc.limits.messages = 16;
        desc.limits.drops = drops;
        desc.memory.bytes = sf_flow_memory(&desc);
        CHECK(desc.memory.bytes <= sizeof block);
        f = sf_flow_create(&desc);
        CHECK(f != NULL);
        d.when[0].drops = true;
        joined(f, &d, &a, &b, NULL);
        run_is(f, drops == 16 ? SF_OK : SF_ERROR_NO_ROOM);
        destroy_is(f, drops == 16 ? SF_OK : SF_ERROR_NO_ROOM);
    }
}
static void many_ports(void **state)         /* 32 inputs: the best of 2^31 sets, found at once */
{
    static script scripts[SF_MAX_PORTS];
    sf_flow *f = flow_with(0, true);
    sf_op_desc d = { .name = "pair", .compute = nothing, .when = { { .kind = SF_CONDITION_ALIGNED, .ns = 1000, .pick = SF_PICK_NEAREST } } };
    sf_op to, from[SF_MAX_PORTS];
    char name[8];
    (void)state;
    for (int p = 0; p < SF_MAX_PORTS; p++) { /* each has 100 - p and 200 + p; the pivot is 150 */
        scripts[p] = (script)SCRIPT(0, { 0, 100 - p }, { 1, 200 + p });
        if (p == 9) { scripts[p].events[0].stamp = 150; }
        from[p] = source_of(f, &scripts[p]);
    }
    to = sf_flow_add(f, &d);
    for (int p = 0; p < SF_MAX_PORTS; p++) {
        snprintf(name, sizeof name, "p%d", p);
        CHECK_EQUAL(sf_op_add_input(f, to, &(sf_port){ .name = name, .capacity = 4 }), p);
        CHECK_OK(sf_flow_connect(f, from[p], NULL, to, name, NULL));
    }
    run_is(f, SF_OK);
    /* 69 to 150 spans 81, as 150 to 231 does; others have more. The earliest: the first ones; then the others meet 209 */
    for (int p = 0; p < SF_MAX_PORTS; p++) {
        CHECK_EQUAL(fate_of(f, to, p, SF_FATE_DELIVERED), 2);
    }
    CHECK_EQUAL(runs_of(f, to), 2);
    destroy(f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(age_is_inclusive),
        TEST(age_of_latest),
        TEST(age_of_a_required_latest),
        TEST(age_within_a_queue),
        TEST(an_optional_input_ends),
        TEST(an_external_input_ends),
        TEST(age_needs_a_stamp),
        TEST(stamped_on_emit_alone),
        TEST(put_in_order),
        TEST(age_of_a_set),
        TEST(an_input_without_an_edge),
        TEST(overflow_while_it_computes),
        TEST(nobody_reads_it),
        TEST(finished_and_stopped),
        TEST(why_a_window_is_empty),
        TEST(a_window_that_is_too_large),
        TEST(dropped_tensors),
        TEST(with_a_stream_condition),
        TEST(copies_to_another_device),
        TEST(names_of_fates),
        TEST(plan_and_trace),
        TEST(refused),
        TEST(drops_in_memory_of_ours),
        TEST(many_ports),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("joins", tests, NULL, NULL);
}
