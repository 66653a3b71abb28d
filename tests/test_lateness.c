/*  test_lateness.c - computes that begin too late (sf_op_desc.late), and values in place of absent ones. Times are
    exact: the clock is simulated, or the test's own, which moves within computes. What is expected comes from the rule
    in streamflow.h, not from the code. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }

static int64_t my_time;
static int64_t my_clock(void *user) { return (void)user, __atomic_load_n(&my_time, __ATOMIC_RELAXED); }
static sf_flow *my_flow(bool latency)                        /* the clock is my_time */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = my_clock,
                                                 .track.latency = latency });
    CHECK(f != NULL);
    return f;
}
static void step_to_end(sf_flow *f, sf_result want)          /* while nothing can run, the time moves on */
{
    int64_t wake;
    sf_result r;
    while ((r = sf_flow_step(f, &wake)) == SF_OK || r == SF_IDLE) {
        if (r == SF_IDLE && wake > my_time) { my_time = wake; }
    }
    if (r != want && !(want == SF_OK && r == SF_DONE)) {
        fail_msg("the run is %d, not %d: %s", (int)r, (int)want, sf_flow_failure(f)->text);
    }
}
/* What a compute does: takes .takes ns, receives one value of each input that has one, emits if it has an output. */
typedef struct work { int id, ins; int64_t takes; bool emits; } work;
static sf_result works(sf_context *ctx)
{
    const work *w = ctx->user;
    note_down(w->id, sf_late_by(ctx));
    for (int i = 0; i < w->ins; i++) {
        if (sf_available(ctx, i)) { (void)sf_receive_value(ctx, i); }
    }
    if (w->takes != 0) { my_time += w->takes; }      /* of several workers, none writes */
    CHECK(w->takes == 0 || sf_late_by(ctx) >= 0);
    return w->emits ? sf_emit_value(ctx, 0, number((int64_t)ctx->run)) : SF_OK;
}
static uint64_t late_of(const sf_flow *f, sf_op op)
{
    sf_op_info info;
    CHECK_OK(sf_op_get_info(f, op, &info));
    return info.late;
}
static sf_op source_of(sf_flow *f, work *w, int64_t period, uint64_t count)
{
    w->emits = true;
    return sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = works, .user = w, .out = { OUT("out") },
                                         .period = period, .count = count });
}

/* -- the two limits -- */

/* "a" runs first, and takes 30: the message of "b" has been there for so long. */
static void behind_another_operator(void **state)
{
    static const struct { int64_t limit; long long by; } cases[] = { { 1, 29 }, { 29, 1 }, { 30, 0 }, { 31, 0 } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        work s = { 0 }, a = { .id = 1, .ins = 1, .takes = 30 }, b = { .id = 2, .ins = 1, .takes = 2 };
        sf_flow *f = my_flow(false);
        sf_op from = source_of(f, &s, 100, 2), slow, late;
        my_time = 1000;
        notes_clear();
        slow = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = works, .user = &a, .in = { IN("in") } });
        late = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = works, .user = &b, .in = { IN("in") },
                                             .late.start = cases[i].limit });
        connect(f, from, slow);
        connect(f, from, late);
        for (int again = 0; again < 2; again++) {            /* counted anew in each run */
            step_to_end(f, SF_OK);
            CHECK_EQUAL(late_of(f, late), cases[i].by ? 2 : 0);
            CHECK_EQUAL(late_of(f, slow), 0);
        }
        check_notes(1, (long long[]){ 0, 0, 0, 0 }, 4);
        check_notes(2, (long long[]){ cases[i].by, cases[i].by, cases[i].by, cases[i].by }, 4);
        destroy(f);
    }
}
/* Source, 5; pass, 7; a queue that is read each 100: the path began 12 or more before. */
static void under_way(void **state)
{
    work s = { .takes = 5 }, p = { .id = 1, .ins = 1, .takes = 7, .emits = true }, b = { .id = 2, .ins = 1 };
    sf_flow *f = my_flow(true);
    sf_op from = source_of(f, &s, 40, 4), pass, sink;
    (void)state;
    my_time = 0;
    pass = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &p, .in = { IN("in") }, .out = { OUT("out") } });
    sink = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &b, .in = { { .name = "in", .capacity = 4 } },
                                         .when = { { .kind = SF_CONDITION_TIME, .ns = 100 } }, .late.path = 62 });
    connect(f, from, pass);
    connect(f, pass, sink);
    step_to_end(f, SF_OK);                   /* begun at 0, 40, 80, 120: three read at 100, the last at 132 */
    CHECK_NOTES(2, 38, 0, 0, 0);
    CHECK_EQUAL(late_of(f, sink), 1);
    destroy(f);
}
static void a_value_read_again(void **state) /* has no path the second time */
{
    work s = { .takes = 5 }, b = { .id = 2, .ins = 1, .takes = 1 };
    sf_edge_desc latest = { .overflow = SF_OVERFLOW_LATEST };
    sf_flow *f = my_flow(true);
    sf_op from = source_of(f, &s, 40, 3), to;
    (void)state;
    my_time = 0;
    to = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &b, .in = { IN("in") }, .period = 15, .count = 5,
                                       .late.path = 1 });
    CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, &latest));
    step_to_end(f, SF_OK);                   /* emitted at 5 and 45; read at 5, 15, 30, 45, 60 */
    CHECK_NOTES(2, 4, 0, 0, 4, 0);
    destroy(f);
}
static void both_limits(void **state) /* the larger excess: 30 - 25 of the start, 34 - 20 of the path */
{
    work s = { .takes = 4 }, a = { .id = 1, .ins = 1, .takes = 30 }, b = { .id = 2, .ins = 1 };
    static const struct { int64_t start, path; long long by; } cases[] = {
        { 25, 20, 14 }, { 10, 20, 20 }, { 30, 34, 0 }, { 30, 33, 1 }, { 29, 34, 1 }
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = my_flow(true);
        sf_op from = source_of(f, &s, 0, 1), late;
        notes_clear();
        connect(f, from, sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &a, .in = { IN("in") } }));
        late = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &b, .in = { IN("in") },
                                             .late = { cases[i].start, cases[i].path, SF_ON_LATE_COUNT } });
        connect(f, from, late);
        step_to_end(f, SF_OK);
        check_notes(2, &cases[i].by, 1);
        destroy(f);
    }
}

/* -- what an operator waits for -- */

static sf_result starts_slowly(sf_context *ctx) { return (void)ctx, my_time += 500, SF_OK; }
/* A source whose queue is full until its reader comes, each 25: due at 0, 10, 20, 30; the queue holds 1. */
static void no_room(void **state)
{
    static const int workers[] = { 0, 1, 2, 4 };
    (void)state;
    for (size_t i = 0; i < COUNT(workers); i++) {
        work s = { .emits = true }, b = { .id = 1, .ins = 1 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true,
                                                     .workers = { { .count = workers[i] } } });
        sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &s, .out = { OUT("out") }, .period = 10,
                                                   .count = 4, .late.start = 1 });
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &b, .in = { IN("in") },
                                                 .when = { { .kind = SF_CONDITION_PERIOD, .ns = 25 } },
                                                 .late.start = 1 });
        notes_clear();
        connect(f, from, to);
        run_is(f, SF_OK);
        /* source: 0, 10 (the first went at 0), then room at 25, 50: due at 20 and 30. */
        CHECK_NOTES(0, 0, 0, 4, 19);
        CHECK_NOTES(1, 0, 0, 0, 0);
        CHECK_EQUAL(late_of(f, from), 2);
        CHECK_EQUAL(late_of(f, to), 0);
        destroy(f);
    }
}
/* Its worker is in a compute while the message comes from another one: it has been there since. */
static uint32_t gate, busy;
static sf_result keeps_its_worker(sf_context *ctx)
{
    (void)ctx;
    test_store(&busy, 1);
    until(&gate, 1);
    return SF_OK;
}
static sf_result sends_to_a_busy_one(sf_context *ctx) { return until(&busy, 1), count_up(ctx); }
static void from_another_worker(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_BLOCK, SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_LATEST };
    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        work b = { .id = 1, .ins = 1 };
        sf_edge_desc e = { .overflow = policies[i] };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = my_clock,
                                                     .workers = { { .count = 1 }, { .count = 1 } } });
        sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = sends_to_a_busy_one, .out = { OUT("out") },
                                                   .period = 1000 });
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &b, .in = { IN("in") }, .workers = 1,
                                                 .late.start = 10, .count = 1 });
        sf_op_info info = { .state = SF_OP_NEW };
        sf_flow_add(f, &(sf_op_desc){ .compute = keeps_its_worker, .workers = 1, .count = 1 });
        notes_clear();
        test_store(&gate, 0);
        test_store(&busy, 0);
        __atomic_store_n(&my_time, 0, __ATOMIC_RELAXED);
        CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, &e));
        CHECK_OK(sf_flow_start(f));
        while (edge_of(f, to, 0, 0).messages == 0) { usleep(100); }
        __atomic_store_n(&my_time, 100, __ATOMIC_RELAXED);
        test_store(&gate, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_OK(sf_op_get_info(f, to, &info));
        CHECK_NOTES(1, 90);
        CHECK_EQUAL(info.late, 1);
        destroy(f);
    }
}
/* The hooks of the start, and a pause, are nobody's delay. */
static void start_and_pause(void **state)
{
    work s = { 0 };
    sf_flow *f = my_flow(false);
    int64_t wake;
    (void)state;
    my_time = 0;
    sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &s, .start = starts_slowly, .late.start = 5 });
    CHECK_OK(sf_flow_step(f, &wake));
    CHECK_OK(sf_flow_pause(f, true));
    my_time += 1000;
    CHECK_OK(sf_flow_pause(f, false));
    CHECK_OK(sf_flow_pause(f, false));
    my_time += 7;
    CHECK_OK(sf_flow_pause(f, false));       /* it was not paused: no excuse */
    CHECK_OK(sf_flow_step(f, &wake));
    CHECK_NOTES(0, 0, 2);
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_step(f, &wake), SF_DONE);
    destroy(f);
}
/* One operator of each kind of wait: messages come at 10, 20, 30, then another operator takes 100, and the operator
   under test begins at 130. `since`: when it could have begun, by the rule. */
typedef struct wait_case {
    const char *name;
    sf_port in;
    sf_condition when[2];
    sf_edge_desc edge;
    long long since;
} wait_case;
#define COUNTED(n, ...)  { .kind = SF_CONDITION_MESSAGES, .count = n, __VA_ARGS__ }
#define FROM(t, ...)     { .kind = SF_CONDITION_TIME, .ns = t, __VA_ARGS__ }
static const wait_case wait_cases[] = {
    { "one", { .name = "in" }, { { 0 } }, { .capacity = 3 }, 10 },
    { "a batch of two", { .name = "in", .batch = 2 }, { { 0 } }, { .capacity = 3 }, 20 },
    { "a batch of three", { .name = "in", .batch = 3 }, { { 0 } }, { .capacity = 3 }, 30 },
    { "three by a count", { .name = "in" }, { COUNTED(3) }, { .capacity = 3 }, 30 },
    { "two by a count", { .name = "in" }, { COUNTED(2) }, { .capacity = 3 }, 20 },
    { "a batch by a condition", { .name = "in", .batch = 2 }, { COUNTED(0) }, { .capacity = 3 }, 20 },
    { "two, and a time", { .name = "in" }, { COUNTED(2), FROM(25) }, { .capacity = 3 }, 25 },
    { "two, and an early time", { .name = "in" }, { COUNTED(2), FROM(15) }, { .capacity = 3 }, 20 },
    { "three, or 17 after the start", { .name = "in" }, { COUNTED(3, .ns = 17) }, { .capacity = 3 }, 17 },
    { "three, or 90 after the start", { .name = "in" }, { COUNTED(3, .ns = 90) }, { .capacity = 3 }, 30 },
    { "four, or 90 after the start", { .name = "in", .capacity = 4 }, { COUNTED(4, .ns = 90) }, { 0 }, 90 },
    { "three, or 15 old", { .name = "in" }, { { .kind = SF_CONDITION_EXPIRING, .count = 3, .ns = 15 } },
      { .capacity = 3 }, 25 },
    { "three, or 90 old", { .name = "in" }, { { .kind = SF_CONDITION_EXPIRING, .count = 3, .ns = 90 } },
      { .capacity = 3 }, 30 },
    { "a time alone", { .name = "in", .optional = true }, { FROM(19) }, { .capacity = 3 }, 19 },
    { "nothing", { .name = "in", .optional = true }, { { 0 } }, { .capacity = 3 }, 0 },
    { "a period", { .name = "in", .optional = true }, { { .kind = SF_CONDITION_PERIOD, .ns = 50 } },
      { .capacity = 3 }, 0 },
    { "a period, and one", { .name = "in" }, { { .kind = SF_CONDITION_PERIOD, .ns = 50 } }, { .capacity = 3 }, 10 },
    { "a time or three", { .name = "in" }, { COUNTED(3, .any = 1), FROM(19, .any = 1) }, { .capacity = 3 }, 19 },
    { "three or a time", { .name = "in" }, { FROM(129, .any = 1), COUNTED(3, .any = 1) }, { .capacity = 3 }, 30 },
    { "three or a time to come", { .name = "in" }, { FROM(999, .any = 1), COUNTED(3, .any = 1) }, { .capacity = 3 },
      30 },
    { "the first of those dropped", { .name = "in" }, { { 0 } }, { .overflow = SF_OVERFLOW_DROP_OLDEST }, 10 },
    { "two of those dropped", { .name = "in", .batch = 2 }, { { 0 } }, { .overflow = SF_OVERFLOW_DROP_OLDEST }, 20 },
    { "two by a count of those dropped", { .name = "in" }, { COUNTED(2) },
      { .overflow = SF_OVERFLOW_DROP_OLDEST, .capacity = 2 }, 20 },
    { "the first value", { .name = "in" }, { { 0 } }, { .overflow = SF_OVERFLOW_LATEST }, 10 },
    { "those that were there", { .name = "in" }, { { 0 } }, { .capacity = 4, .delay = 1 }, 0 },
};
static void kinds_of_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wait_cases); i++) {
        const wait_case *c = &wait_cases[i];
        work s = { .takes = 10 }, a = { .id = 1, .takes = 100 }, b = { .id = 2, .ins = 1 };
        sf_flow *f = my_flow(false);
        sf_op from, late;
        int64_t wake;
        long long by[8];
        sf_op_desc d = { .name = "b", .compute = works, .user = &b, .priority = 2, .late.start = 1 };
        my_time = 0;
        notes_clear();
        s.emits = true;
        from = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &s, .out = { OUT("out") }, .count = 3 });
        (void)sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &a, .count = 1, .priority = 1 });
        d.in[0] = c->in;
        memcpy(d.when, c->when, sizeof c->when);
        late = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, from, NULL, late, NULL, &c->edge));
        while (sf_flow_step(f, &wake) == SF_OK && !runs_of(f, late)) {}
        if (notes_of(2, by, 8) != 1) { fail_msg("%s: it did not run", c->name); }
        CHECK_EQUAL(my_time, 130);
        if (by[0] != 129 - c->since) { fail_msg("%s: late by %lld, not %lld", c->name, by[0], 129 - c->since); }
        CHECK_OK(sf_flow_stop(f));
        while (sf_flow_step(f, &wake) != SF_DONE) {}
        destroy(f);
    }
}
/* A turn of a control edge; the end of one of two edges; a signal; news for an operator that left its messages. */
static void waits_that_are_told(void **state)
{
    work s = { .takes = 10 }, a = { .id = 1, .takes = 100 }, b = { .id = 2, .ins = 1 };
    sf_edge_desc control = { .control = true }, deep = { .capacity = 9 };
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        sf_flow *f = my_flow(false);
        sf_op from, late, two;
        int64_t wake;
        sf_op_desc d = { .name = "b", .compute = works, .user = &b, .priority = 2, .late.start = 1,
                         .in = { { .name = "in", .many = true, .batch = (uint16_t)(kind == 1 ? 2 : 1) } } };
        my_time = 0;
        notes_clear();
        s.emits = true;
        from = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &s, .out = { OUT("out") }, .count = 3 });
        two = sf_flow_add(f, &(sf_op_desc){ .compute = kind == 1 ? count_up : works, .user = &a, .count = 1,
                                            .priority = 1, .out = { OUT("out") } });
        if (kind == 2) { d.when[0].kind = SF_CONDITION_SIGNAL; }
        late = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, from, NULL, late, NULL, &deep));
        if (kind == 0) { CHECK_OK(sf_flow_connect(f, two, NULL, late, NULL, &control)); }
        if (kind == 1) { CHECK_OK(sf_flow_connect(f, two, NULL, late, NULL, &deep)); }
        while (sf_flow_step(f, &wake) == SF_OK && !runs_of(f, late)) {}
        if (kind == 2) {                     /* it comes at 130, and the operator begins at 141 */
            CHECK_EQUAL(runs_of(f, late), 0);
            CHECK_OK(sf_flow_signal(f, late, 0, SF_READY));
            CHECK_IS(sf_flow_step(f, &wake), SF_OK);
        }
        CHECK_EQUAL(runs_of(f, late), 1);
        /* 0: the turn comes at 130. 1: the second edge ends at 30, with one message of two. 2: noticed as it runs. */
        CHECK_NOTES(2, 0);
        CHECK_OK(sf_flow_stop(f));
        while (sf_flow_step(f, &wake) != SF_DONE) {}
        destroy(f);
    }
}
/* It leaves what lies on "a" until there is something on "b": the wait for that is its own. */
static sf_result needs_both(sf_context *ctx)
{
    note_down(3, sf_late_by(ctx));
    if (sf_available(ctx, 0) && sf_available(ctx, 1)) {
        (void)sf_receive_value(ctx, 0);
        (void)sf_receive_value(ctx, 1);
    }
    return SF_OK;
}
static void left_messages(void **state)
{
    sf_flow *f = my_flow(false);
    work s = { .takes = 10 }, t = { .id = 1, .takes = 70 }, u = { .id = 2, .takes = 6, .ins = 1 };
    sf_op a = source_of(f, &s, 0, 1), b, both, after;
    (void)state;
    my_time = 0;
    both = sf_flow_add(f, &(sf_op_desc){ .compute = needs_both, .in = { IN("a"), { .name = "b", .optional = true } },
                                         .late.start = 1, .priority = 1 });
    t.emits = true;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &t, .out = { OUT("out") }, .count = 1,
                                      .priority = 2 });
    after = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &u, .in = { IN("in") } });
    CHECK_OK(sf_flow_connect(f, a, NULL, both, "a", NULL));
    CHECK_OK(sf_flow_connect(f, b, NULL, both, "b", NULL));
    connect(f, b, after);
    step_to_end(f, SF_OK);                   /* at 10 in vain; "b" comes at 80; `after` takes 6 */
    CHECK_NOTES(3, 0, 5);
    destroy(f);
}

/* The same, until so much time has passed since. */
static void left_for_a_time(void **state)
{
    sf_flow *f = my_flow(false);
    work s = { 0 };
    int64_t wake;
    sf_op from = source_of(f, &s, 1000, 2), to;
    (void)state;
    my_time = 0;
    to = sf_flow_add(f, &(sf_op_desc){ .compute = needs_both, .late.start = 1,
                                       .in = { IN("a"), { .name = "b", .optional = true } },
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1, .ns = 50,
                                                   .ports = 1 } } });
    CHECK_OK(sf_flow_connect(f, from, NULL, to, "a", NULL));
    for (int steps = 0; runs_of(f, to) < 3 && steps < 100; steps++) {
        if (sf_flow_step(f, &wake) == SF_IDLE) { my_time = wake; }
    }
    CHECK_EQUAL(my_time, 100);
    CHECK_NOTES(3, 0, 0, 0);
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_step(f, &wake), SF_DONE);
    destroy(f);
}
/* A condition of the user's that waits for 50; another operator takes 20 then. */
static sf_readiness from_50_on(void *user, int64_t now, int64_t *wake)
{
    (void)user;
    *wake = 50;
    return now < 50 ? SF_WAIT : SF_READY;
}
static void a_condition_of_the_user_s(void **state)
{
    sf_flow *f = my_flow(false);
    work b = { .id = 1 };
    (void)state;
    my_time = 0;
    sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &b, .late.start = 1, .count = 2,
                                  .when = { { .kind = SF_CONDITION_USER, .custom.check = from_50_on } } });
    step_to_end(f, SF_OK);
    CHECK(my_time == 50);
    CHECK_NOTES(1, 0, 0);
    destroy(f);
}

/* A window at 10 is complete when a sample comes behind it, at 100. */
static sf_result stamps_and_takes(sf_context *ctx)
{
    sf_set_timestamp(ctx, my_time);
    my_time += *(const int *)ctx->user;
    return count_up(ctx);
}
static sf_result reads_a_window(sf_context *ctx)
{
    note_down(1, sf_late_by(ctx));
    while (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    return (void)sf_receive_value(ctx, 1), SF_OK;
}
static void a_window(void **state)
{
    static int no_time = 0;
    sf_flow *f = my_flow(false);
    sf_edge_desc deep = { .capacity = 9 };
    sf_op a, b, to;
    (void)state;
    my_time = 0;
    to = sf_flow_add(f, &(sf_op_desc){ .compute = reads_a_window, .late.start = 1,
                                       .in = { { .name = "samples", .capacity = 9 }, IN("frames") },
                                       .when = { { .kind = SF_CONDITION_WINDOW, .anchor = 1, .before = 50 } } });
    a = sf_flow_add(f, &(sf_op_desc){ .compute = stamps_and_takes, .user = &no_time, .out = { OUT("out") },
                                      .period = 100, .count = 3 });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = stamps_and_takes, .user = &no_time, .out = { OUT("out") },
                                      .when = { { .kind = SF_CONDITION_TIME, .ns = 10 } }, .count = 1 });
    CHECK_OK(sf_flow_connect(f, a, NULL, to, "samples", &deep));
    CHECK_OK(sf_flow_connect(f, b, NULL, to, "frames", NULL));
    step_to_end(f, SF_OK);
    CHECK_NOTES(1, 0);
    destroy(f);
}

/* -- what is done about it -- */

static sf_result fails_once(sf_context *ctx)
{
    note_down(2, sf_late_by(ctx));
    my_time += 50;
    if (note_count % 2) { return SF_ERROR_USER; }
    return (void)sf_receive_value(ctx, 0), SF_OK;
}
static void retries_are_the_same_compute(void **state)
{
    work s = { .takes = 3 }, a = { .id = 1, .ins = 1, .takes = 30 };
    sf_flow *f = my_flow(false);
    sf_op from = source_of(f, &s, 0, 2), late;
    (void)state;
    s.id = a.id = 0;
    connect(f, from, sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &a, .in = { IN("in") } }));
    late = sf_flow_add(f, &(sf_op_desc){ .compute = fails_once, .in = { IN("in") }, .late.start = 10,
                                         .on_error = SF_ON_ERROR_RETRY, .retries = 3 });
    connect(f, from, late);
    my_time = 0;
    step_to_end(f, SF_OK);
    CHECK(runs_of(f, late) == 2 && late_of(f, late) <= 2);
    long long by[8];
    uint32_t n = notes_of(2, by, 8);
    CHECK(n >= 3);                           /* a try and its retry are equally late */
    CHECK_EQUAL(by[0], 20);
    CHECK_EQUAL(by[1], 20);
    destroy(f);
}
static char lines[16][512];
static uint32_t line_count;
static void keep_line(const char *tag, uint32_t level, uint32_t item, const char *text, uint32_t line,
                      const char *file, void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    if (level == 2 && line_count < COUNT(lines)) { snprintf(lines[line_count++], sizeof *lines, "%s", text); }
}
/* Late at each run, 0.4 s apart: the first is logged, then the one a second later. */
static void is_logged(int64_t unit, const char *text)
{
    work s = { .takes = 5 * unit }, a = { .id = 1, .takes = 0 };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = my_clock, .logger.func = keep_line,
                                                 .track.latency = true });
    sf_op from, late;
    my_time = 0;
    line_count = 0;
    notes_clear();
    a.ins = 1;
    from = source_of(f, &s, SF_MS(400), 5);
    late = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = works, .user = &a, .in = { IN("in") },
                                         .late = { .path = 4 * unit, .action = SF_ON_LATE_LOG } });
    connect(f, from, late);
    step_to_end(f, SF_OK);
    check_notes(1, (long long[]){ unit, unit, unit, unit, unit }, 5);     /* all of them have run, so late */
    CHECK_EQUAL(late_of(f, late), 5);
    CHECK_EQUAL(line_count, 2);
    for (int i = 0; i < 2; i++) {
        const char *since = strstr(lines[i], text);
        CHECK(since != NULL);
        since += strlen(text);
        CHECK(i ? !strncmp(since, "; 2 more since", 14) : !strstr(since, "since"));
    }
    destroy(f);
}
static void logged_once_a_second(void **state)
{
    (void)state;
    is_logged(1, "sf_op_desc.late: operator \"b\" is late: its messages have been under way for 5 ns, .path is 4 ns");
    is_logged(2010, "have been under way for 0.010 ms, .path is 8040 ns");
    is_logged(309000, "have been under way for 1.545 ms, .path is 1.236 ms");
}
static void the_end_of_the_flow(void **state) /* whatever on_error says */
{
    static const int workers[] = { 0, 1, 2, 4 };
    (void)state;
    for (size_t i = 0; i < 4 * COUNT(workers); i++) {
        work s = { 0 }, b = { .id = 1, .ins = 1 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true,
                                                     .workers = { { .count = workers[i / 4] } } });
        sf_op from, to;
        notes_clear();
        s.emits = true;
        from = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = works, .user = &s, .out = { OUT("out") },
                                             .period = 10, .late = { 14, 0, SF_ON_LATE_STOP_FLOW },
                                             .on_error = (sf_on_error)(i % 4), .retries = 2 });
        to = sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &b, .in = { IN("in") }, .period = 25 });
        connect(f, from, to);
        run_is(f, SF_ERROR_LATE);
        CHECK_NOTES(0, 0, 0, 0);             /* at 0, 10 for 10, 25 for 20 -- and 50 is for 30: 20 late */
        CHECK_EQUAL(late_of(f, from), 1);
        CHECK(!strcmp(sf_flow_failure(f)->where, "source"));
        CHECK(!strcmp(sf_flow_failure(f)->call, "sf_op_desc.late"));
        CHECK(strstr(sf_flow_failure(f)->text, "operator \"source\" is late: it begins 20 ns after it could, .start is "
                                               "14 ns: ") != NULL);
        destroy_is(f, SF_ERROR_LATE);
    }
}
static void refused(void **state)
{
    static const struct { int64_t start, path; int action, region; sf_result r; const char *why; } cases[] = {
        { -1, 0, 0, 0, SF_ERROR_INVALID_VALUE, "less than 0" },
        { 0, -1, 0, 0, SF_ERROR_INVALID_VALUE, "less than 0" },
        { 5, 0, 3, 0, SF_ERROR_INVALID_VALUE, "no such .action" },
        { 0, 0, SF_ON_LATE_LOG, 0, SF_ERROR_INVALID_VALUE, "set .start or .path" },
        { 0, 5, 0, 0, SF_ERROR_INVALID_VALUE, "track.latency" },
        { 5, 0, 0, 3, SF_ERROR_NOT_SUPPORTED, "region" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = nothing, .count = 1, .region = cases[i].region,
                                      .late = { cases[i].start, cases[i].path, (sf_on_late)cases[i].action } });
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), cases[i].r);
        if (!strstr(sf_flow_failure(f)->text, cases[i].why)) { fail_msg("%s", sf_flow_failure(f)->text); }
        destroy(f);
    }
}
static void in_the_plan(void **state)
{
    sf_flow *f = my_flow(true);
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = nothing, .count = 1,
                                  .late = { 7, 9, SF_ON_LATE_STOP_FLOW } });
    sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = nothing, .count = 1 });
    report_clear();
    CHECK_OK(sf_flow_check(f, true, report_add, NULL));
    CHECK_EQUAL(count_of(",\"late\":{\"start\":7,\"path\":9,\"action\":\"stop flow\"}}"), 1);
    CHECK_EQUAL(count_of("\"late\""), 1);
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK_EQUAL(count_of("    late: start 7 ns, path 9 ns, stop flow\n"), 1);
    CHECK_EQUAL(count_of("late:"), 1);
    destroy(f);
}

/* -- flows at random, against the rule --

   A reader of up to three inputs, with batches, behind sources of different pace, on a clock that the computes move.
   The model has no queues: only the times of emits, and what the reader had taken by then. */

enum { INPUTS = 3, EMITS = 64 };
typedef struct pace { int input, from, lasts; uint64_t runs; } pace;
static struct { int64_t at[EMITS]; uint32_t count; bool drops; uint32_t batch, capacity, left, seen; } fed[INPUTS];
static int64_t returned, limit, reader_lasts;
static int inputs, wrong;
static sf_result feeds(sf_context *ctx)
{
    const pace *p = ctx->user;
    my_time += (p->lasts * (int64_t)(ctx->run + 1) * 7) % 23;
    fed[p->input].at[fed[p->input].count++ % EMITS] = my_time;
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run));
}
static sf_result reads(sf_context *ctx)
{
    int64_t could = returned, by;
    for (int i = 0; i < inputs; i++) {
        uint32_t came = fed[i].count - fed[i].seen, lacked;
        lacked = fed[i].batch > fed[i].left ? fed[i].batch - fed[i].left : 0;
        if (lacked && fed[i].at[(fed[i].seen + lacked - 1) % EMITS] > could) {
            could = fed[i].at[(fed[i].seen + lacked - 1) % EMITS];
        }
        fed[i].left += came;                 /* what is there now */
        if (fed[i].left > fed[i].capacity) { fed[i].left = fed[i].capacity; }
        if ((uint32_t)sf_available(ctx, i) != fed[i].left) { wrong++; }
        fed[i].seen = fed[i].count;
        for (uint32_t k = 0; k < fed[i].batch; k++) { (void)sf_receive_value(ctx, i); }
        fed[i].left -= fed[i].batch;
    }
    by = my_time - could - limit;
    if (sf_late_by(ctx) != (by > 0 ? by : 0)) {
        if (!wrong++) {
            printf("run %u at %lld: late by %lld, not %lld\n", (unsigned)ctx->run, (long long)my_time,
                   (long long)sf_late_by(ctx), (long long)(by > 0 ? by : 0));
        }
    }
    my_time += reader_lasts * (int64_t)(ctx->run % 5);
    returned = my_time;
    return SF_OK;
}
static void flows_at_random(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 4) {
        rng r = rng_seed(seed);
        pace paces[INPUTS];
        work other = { .id = 9 };
        sf_flow *f = my_flow(false);
        sf_op_desc d = { .name = "reader", .compute = reads };
        sf_op reader;
        my_time = returned = 0;
        memset(fed, 0, sizeof fed);
        inputs = 1 + (int)rng_below(&r, INPUTS);
        limit = d.late.start = 1 + rng_below(&r, 20);
        reader_lasts = rng_below(&r, 9);
        d.priority = (int32_t)rng_below(&r, 3);
        for (int i = 0; i < inputs; i++) {
            static const char *const names[] = { "a", "b", "c" };
            fed[i].batch = 1 + rng_below(&r, 3);
            fed[i].capacity = fed[i].batch + rng_below(&r, 3);
            fed[i].drops = rng_below(&r, 2);
            d.in[i] = (sf_port){ .name = names[i], .batch = (uint16_t)fed[i].batch };
        }
        reader = sf_flow_add(f, &d);
        for (int i = 0; i < inputs; i++) {
            paces[i] = (pace){ .input = i, .lasts = (int)rng_below(&r, 5) };
            sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = feeds, .user = &paces[i], .out = { OUT("out") },
                                                       .priority = (int32_t)rng_below(&r, 3), .count = 20,
                                                       .period = rng_below(&r, 2) ? 1 + rng_below(&r, 30) : 0 });
            sf_edge_desc e = { .capacity = (uint16_t)fed[i].capacity,
                               .overflow = fed[i].drops ? SF_OVERFLOW_DROP_OLDEST : SF_OVERFLOW_BLOCK };
            CHECK_OK(sf_flow_connect(f, from, NULL, reader, d.in[i].name, &e));
        }
        other.takes = rng_below(&r, 25);
        sf_flow_add(f, &(sf_op_desc){ .compute = works, .user = &other, .period = 1 + rng_below(&r, 50),
                                      .count = 20 });
        wrong = 0;
        step_to_end(f, SF_OK);
        if (wrong) { fail_msg("seed %u: %d wrong", seed, wrong); }
        destroy(f);
    }
}

/* -- a value in place of an absent one -- */

static sf_result keep_or(sf_context *ctx)
{
    note_down(1, sf_available(ctx, 0));
    note_down(1, sf_receive_value(ctx, 0).i64);
    note_down(1, sf_receive_value(ctx, 0).i64);
    return SF_OK;
}
static void a_value_in_place(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {   /* BLOCK, LATEST, no edge, pushed from outside */
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = keep_or, .period = 10, .count = 3,
                                                 .in = { { .name = "in", .optional = true, .external = kind == 3,
                                                           .missing = SF_MISSING_FALLBACK,
                                                           .fallback = { .i64 = -7 } } } });
        sf_edge_desc e = { .overflow = kind == 1 ? SF_OVERFLOW_LATEST : SF_OVERFLOW_BLOCK };
        notes_clear();
        if (kind < 2) {
            sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 1,
                                                       .when = { { .kind = SF_CONDITION_TIME, .ns = 5 } } });
            CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, &e));
        }
        if (kind == 3) {
            CHECK_OK(sf_flow_check(f, false, NULL, NULL));
            CHECK_OK(sf_flow_push_value(f, to, 0, number(4)));
        }
        run_is(f, SF_OK);
        if (kind == 0) { CHECK_NOTES(1, 0, -7, -7, 1, 1, -7, 0, -7, -7); }
        if (kind == 1) { CHECK_NOTES(1, 0, -7, -7, 1, 1, -7, 1, 1, -7); }
        if (kind == 2) { CHECK_NOTES(1, 0, -7, -7, 0, -7, -7, 0, -7, -7); }
        if (kind == 3) { CHECK_NOTES(1, 1, 4, -7, 0, -7, -7, 0, -7, -7); }
        destroy(f);
    }
}
static void no_value_in_place(void **state)
{
    static const struct { sf_port in; const char *why; } cases[] = {
        { { .name = "in", .missing = SF_MISSING_FALLBACK, .external = true }, "set .optional" },
        { { .name = "in", .missing = SF_MISSING_FALLBACK, .optional = true, .bytes = 64 }, "takes tensors" },
        { { .name = "in", .missing = (sf_missing)9, .optional = true }, "none such" },
        { { .name = "in", .missing = SF_MISSING_REUSE, .external = true, .optional = true }, "for LATEST edges" },
        { { .name = "in", .max_future = -1, .optional = true }, "0 or more" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_op_desc d = { .name = "a", .compute = nothing, .count = 1 };
        d.in[0] = cases[i].in;
        sf_flow_add(f, &d);
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_INVALID_VALUE);
        if (!strstr(sf_flow_failure(f)->text, cases[i].why)) { fail_msg("%s", sf_flow_failure(f)->text); }
        destroy(f);
    }
}

/* Values of a LATEST edge, stamped as they are sent, at 0 and 40; 15 is the most that they may be old. */
static sf_result stamps(sf_context *ctx)
{
    sf_set_timestamp(ctx, sf_flow_now(ctx->flow) + (ctx->user ? *(const int *)ctx->user : 0));
    return count_up(ctx);
}
static sf_result reads_or(sf_context *ctx)
{
    note_down(1, (int)sf_why_absent(ctx, 0) * 100 + sf_available(ctx, 0));
    note_down(2, sf_receive_value(ctx, 0).i64);
    return SF_OK;
}
static void too_old_values(void **state)
{
    static const int workers[] = { 0, 1, 2, 4 };
    (void)state;
    for (int i = 0; i < 3 * (int)COUNT(workers); i++) {
        sf_missing missing = (sf_missing)(i % 3);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true,
                                                     .workers = { { .count = workers[i / 3] } } });
        sf_edge_desc e = { .overflow = SF_OVERFLOW_LATEST };
        sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = stamps, .out = { OUT("out") }, .period = 40,
                                                   .count = 3 });
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = reads_or, .count = 6,
                                                 .when = { { .kind = SF_CONDITION_PERIOD, .ns = 10 },
                                                           { .kind = SF_CONDITION_TIME, .ns = 5 } },
                                                 .in = { { .name = "in", .optional = true, .max_age = 15,
                                                           .missing = missing, .fallback = { .i64 = -1 } } } });
        notes_clear();
        CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, &e));
        run_is(f, SF_OK);                    /* reads at 5, 10, 20, 30, and around 40 at 40 or not */
        long long what[8], why[8];
        CHECK_EQUAL(notes_of(1, why, 8), 6);
        CHECK_EQUAL(notes_of(2, what, 8), 6);
        CHECK(why[0] == 1 && why[1] == 1 && what[0] == 1 && what[1] == 1);
        for (int k = 2; k < 4; k++) {        /* 20 and 30 old */
            CHECK_EQUAL(why[k], 100 * SF_TOO_OLD + (missing == SF_MISSING_REUSE));
            CHECK_EQUAL(what[k], missing == SF_MISSING_REUSE ? 1 : missing ? -1 : 0);
        }
        CHECK(why[5] == 1 && what[5] == 2);
        CHECK_EQUAL(edge_of(f, to, 0, 0).fates[SF_FATE_TOO_OLD], 0);
        destroy(f);
    }
}
static void ahead_of_the_clock(void **state) /* by 20, with an offset; 15 is normal */
{
    static const int workers[] = { 0, 1, 2 };
    (void)state;
    for (int i = 0; i < 4 * (int)COUNT(workers); i++) {
        static const struct { int64_t offset, most; uint64_t count; } cases[] = {
            { 0, 20, 0 }, { 0, 19, 3 }, { -1, 19, 0 }, { INT64_MAX, 19, 3 }
        };
        static int ahead = 20;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true,
                                                     .workers = { { .count = workers[i / 4] }, { .count = 1 } } });
        sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = stamps, .user = &ahead, .out = { OUT("out") },
                                                   .period = 7, .count = 3 });
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .workers = 1,
                                                 .in = { { .name = "in", .offset = cases[i % 4].offset,
                                                           .max_future = cases[i % 4].most } } });
        connect(f, from, to);
        run_is(f, SF_OK);
        CHECK_EQUAL(edge_of(f, to, 0, 0).future, cases[i % 4].count);
        CHECK_EQUAL(edge_of(f, to, 0, 0).fates[SF_FATE_DELIVERED], 3);
        destroy(f);
    }
}

/* -- with a GPU: a source paints, the sink reads on the CPU when that is done -- */

static sf_result paints(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(paint(sf_compute_stream(ctx), t->data, NULL, NULL, (uint32_t)ctx->run + 1, 2));
    my_time += 20;
    return sf_emit(ctx, 0, t);
}
static sf_result reads_paint(sf_context *ctx)
{
    const uint32_t *data = (const uint32_t *)sf_receive(ctx, 0)->data;
    note_down(1, data[0]);
    note_down(1, data[WORDS - 1]);
    note_down(2, sf_late_by(ctx));
    return SF_OK;
}
static void from_the_gpu_to_the_cpu(void **state)
{
    (void)state;
    for (int moves = 0; moves < 2; moves++) {                /* the clock stands while the GPU works, or goes on */
        sf_flow *f = my_flow(true);
        sf_op from, to;
        sf_result r;
        int64_t wake;
        my_time = 0;
        notes_clear();
        from = sf_flow_add(f, &(sf_op_desc){ .compute = paints, .period = 100,
                                             .out = { { .name = "out", .bytes = BYTES,
                                                        .memory = SF_MEMORY_PINNED } } });
        to = sf_flow_add(f, &(sf_op_desc){ .compute = reads_paint, .in = { IN("in") },
                                           .late = { 1, moves ? 0 : 19, SF_ON_LATE_COUNT },
                                           .when = { { .kind = SF_CONDITION_STREAM } } });
        connect(f, from, to);
        while (runs_of(f, to) < 3) {
            r = sf_flow_step(f, &wake);
            CHECK(r == SF_OK || r == SF_IDLE);
            if (r == SF_IDLE && runs_of(f, from) == runs_of(f, to) && wake > my_time) { my_time = wake; }
            if (moves && runs_of(f, from) != runs_of(f, to)) { my_time += 10; }
        }
        CHECK_NOTES(1, 1, 1, 2, 2, 3, 3);
        if (moves) { CHECK_NOTES(2, 0, 0, 0); } else { CHECK_NOTES(2, 1, 1, 1); }
        CHECK_EQUAL(late_of(f, to), moves ? 0 : 3);
        CHECK_OK(sf_flow_stop(f));
        CHECK_IS(sf_flow_step(f, &wake), SF_DONE);
        destroy(f);
    }
}

/* The value of a sender that has ended is too old like any other, however often it is given. */
static void the_old_value_of_an_ended_sender(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
    sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = stamps, .out = { OUT("out") }, .count = 1 });
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = reads_or, .period = 20, .count = 3,
                                             .in = { { .name = "in", .optional = true, .max_age = 15,
                                                       .missing = SF_MISSING_REUSE } } });
    (void)state;
    notes_clear();
    CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    run_is(f, SF_OK);
    CHECK_NOTES(1, 1, 100 * SF_TOO_OLD + 1, 100 * SF_TOO_OLD + 1);
    destroy(f);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(behind_another_operator),
        TEST(under_way),
        TEST(a_value_read_again),
        TEST(both_limits),
        TEST(no_room),
        TEST(from_another_worker),
        TEST(start_and_pause),
        TEST(kinds_of_waits),
        TEST(waits_that_are_told),
        TEST(left_messages),
        TEST(left_for_a_time),
        TEST(a_window),
        TEST(a_condition_of_the_user_s),
        TEST(retries_are_the_same_compute),
        TEST(logged_once_a_second),
        TEST(the_end_of_the_flow),
        TEST(refused),
        TEST(in_the_plan),
        TEST(flows_at_random),
        TEST(a_value_in_place),
        TEST(no_value_in_place),
        TEST(too_old_values),
        TEST(ahead_of_the_clock),
        TEST(the_old_value_of_an_ended_sender), TEST(from_the_gpu_to_the_cpu),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("lateness", tests, NULL, NULL);
}
