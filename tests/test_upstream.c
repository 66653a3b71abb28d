/*  test_upstream.c - what users of Holoscan and GXF expect of an operator runtime: each condition and policy, routes
    and turns, subflows, metadata, errors, latencies per path, ends. One thread, one step at a time, on a clock that
    is simulated or the test's own: nothing here depends on time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }

/* -- clocks, and flows that are driven step by step -- */

static int64_t my_time;
static int64_t my_clock(void *user) { return (void)user, my_time; }
static sf_flow *make(sf_flow_desc d)
{
    sf_flow *f;
    d.device = device;
    if (!d.clock.simulated) { d.clock.now = my_clock; }
    my_time = 100;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    return f;
}
static sf_flow *clocked(void) { return make((sf_flow_desc){ .name = "flow" }); }
static sf_flow *simulated(void) { return make((sf_flow_desc){ .clock.simulated = true }); }

/* To its end: SF_DONE or the error. SF_IDLE: it waits for the outside; SF_TIMEOUT: so many steps were not enough. */
static sf_result drive(sf_flow *f, int steps)
{
    int64_t wake;
    while (steps-- > 0) {
        sf_result r = sf_flow_step(f, &wake);
        if (r == SF_OK) { continue; }
        if (r != SF_IDLE || wake < 0) { return r; }
        if (wake > my_time) { my_time = wake; }
    }
    return SF_TIMEOUT;
}
/* Drives and destroys it, whatever comes: a test that fails leaves nothing behind. */
static void end_is(sf_flow *f, sf_result want)
{
    sf_result r = drive(f, 5000), life;
    char text[512];
    snprintf(text, sizeof text, "%s", sf_flow_failure(f)->text);
    life = sf_flow_destroy(f);
    if (r != want) { fail_msg("it ends with %d, not %d: %s", (int)r, (int)want, text); }
    CHECK_IS(life, want < 0 ? want : SF_OK);
}
static sf_op_info info_of(const sf_flow *f, sf_op op)
{
    sf_op_info info;
    memset(&info, 0, sizeof info);
    CHECK_OK(sf_op_get_info(f, op, &info));
    return info;
}
static void control(sf_flow *f, sf_op a, sf_op b, uint16_t delay)
{
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true, .delay = delay }));
}

/* An operator that computes at given times, then ends. */
typedef struct plan { const int64_t *at; uint32_t count, next; } plan;
#define PLAN(...) (&(plan){ (const int64_t[]){ __VA_ARGS__ }, COUNT(((const int64_t[]){ __VA_ARGS__ })), 0 })
static sf_readiness plan_check(void *user, int64_t now, int64_t *wake)
{
    plan *p = (plan *)user;
    if (p->next == p->count) { return SF_NEVER; }
    if (now >= p->at[p->next]) { return SF_READY; }
    *wake = p->at[p->next];
    return SF_WAIT;
}
static void plan_executed(void *user, int64_t now) { (void)now, ((plan *)user)->next++; }
static sf_op planned(sf_flow *f, const char *name, sf_compute_func compute, int id, plan *p)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = compute, .user = &ids[id], .out = { OUT("out") },
                                    .when = { { .kind = SF_CONDITION_USER,
                                                .custom = { plan_check, plan_executed, p } } } });
}
static sf_op planned_source(sf_flow *f, plan *p) { return planned(f, NULL, count_up, 0, p); }
static sf_op source(sf_flow *f, uint64_t count)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = count_up, .out = { OUT("out") },
                                         .count = count });
}
static sf_op sink(sf_flow *f, int id)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = keep_values, .user = &ids[id],
                                         .in = { IN("in") } });
}
static void into(sf_flow *f, sf_op a, sf_op b, const char *input)
{
    CHECK_OK(sf_flow_connect(f, a, NULL, b, input, NULL));
}

static sf_result tick(sf_context *ctx) { return note_down(id_of(ctx), sf_flow_now(ctx->flow)), SF_OK; }
static sf_result tick_and_take(sf_context *ctx) { return tick(ctx), take_value(ctx); }
static sf_result take_all(sf_context *ctx)       /* time * 100 + how many there were on all ports */
{
    int n = 0;
    for (int p = 0; p < 3; p++) {
        for (; sf_available(ctx, p); n++) { (void)sf_receive_value(ctx, p); }
    }
    return note_down(id_of(ctx), sf_flow_now(ctx->flow) * 100 + n), SF_OK;
}
static sf_result tick_and_keep(sf_context *ctx)  /* time * 100 + value */
{
    return note_down(id_of(ctx), sf_flow_now(ctx->flow) * 100 + sf_receive_value(ctx, 0).i64), SF_OK;
}

/* -- times -- */

/* A period and a message: who is late because of the message catches up as its policy says. */
static void periods_that_wait_for_messages(void **state)
{
    static const struct { sf_catch_up policy; long long at[5]; } cases[] = {
        { SF_CATCH_UP_MISSED, { 0, 25, 26, 30, 60 } },
        { SF_CATCH_UP_MIN_BETWEEN, { 0, 25, 35, 45, 60 } },
        { SF_CATCH_UP_SKIP_MISSED, { 0, 25, 30, 40, 60 } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = simulated();
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = tick_and_take, .user = &ids[1],
                                           .in = { { .name = "in", .capacity = 4 } },
                                           .when = { { .kind = SF_CONDITION_PERIOD, .ns = 10,
                                                       .catch_up = (uint8_t)cases[i].policy } } });
        notes_clear();
        connect(f, planned_source(f, PLAN(0, 25, 26, 27, 60)), b);
        end_is(f, SF_DONE);
        check_notes(1, cases[i].at, 5);
    }
}
static void a_rate(void **state)
{
    sf_flow *f = simulated();
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .period = SF_HZ(50), .count = 3 });
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 0, SF_MS(20), SF_MS(40));
}
/* GXF's target time: set by the operator for its next turn, each good for one. */
static struct { int64_t at; bool set; } target;
static sf_readiness at_target(void *user, int64_t now, int64_t *wake)
{
    (void)user;
    if (!target.set) { return SF_WAIT; }
    *wake = target.at;
    return now >= target.at ? SF_READY : SF_WAIT;
}
static sf_result aim(sf_context *ctx)
{
    tick(ctx);
    target.set = ctx->run < 3;
    target.at = sf_flow_now(ctx->flow) + 7 * ((int64_t)ctx->run + 1);
    return SF_OK;
}
static void a_target_of_one_s_own(void **state)
{
    sf_flow *f = simulated();
    sf_result r;
    (void)state;
    target.at = 5, target.set = true;
    sf_flow_add(f, &(sf_op_desc){ .compute = aim, .user = &ids[1],
                             .when = { { .kind = SF_CONDITION_USER, .custom = { .check = at_target } } } });
    r = drive(f, 1000);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_DEADLOCK);
    CHECK_IS(r, SF_ERROR_DEADLOCK);              /* no target: it waits, and for nothing that may come */
    CHECK_NOTES(1, 5, 12, 26, 47);
}

/* -- signals -- */

static sf_op boss_of;
static sf_readiness orders[4];
static sf_result give_order(sf_context *ctx)
{
    sf_result r = sf_flow_signal(ctx->flow, boss_of, 0, orders[ctx->run]);
    return r < 0 ? r : SF_OK;
}
static void paused_by_another_operator(void **state)         /* and resumed; then never again */
{
    sf_flow *f = simulated();
    (void)state;
    boss_of = sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1],
                                       .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true },
                                                 { .kind = SF_CONDITION_PERIOD, .ns = 10,
                                                   .catch_up = SF_CATCH_UP_SKIP_MISSED } } });
    orders[0] = SF_WAIT, orders[1] = SF_READY, orders[2] = SF_NEVER;
    planned(f, "boss", give_order, 0, PLAN(25, 58, 95));
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 0, 10, 20, 58, 60, 70, 80, 90);
}
static void a_pause_loses_nothing(void **state)
{
    sf_flow *f = clocked();
    sf_op a = source(f, 9);
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = keep_one, .user = &ids[1],
                                       .in = { { .name = "in", .capacity = 3 } },
                                       .when = { { .kind = SF_CONDITION_SIGNAL, .latch = true } } });
    (void)state;
    connect(f, a, b);
    CHECK_IS(drive(f, 100), SF_IDLE);
    CHECK_EQUAL(runs_of(f, a), 3);               /* no room for more */
    CHECK_EQUAL(runs_of(f, b), 0);
    CHECK_EQUAL(info_of(f, b).state, SF_OP_WAITING);
    CHECK(strstr(info_of(f, a).waits_for, "room") && info_of(f, b).waits_for[0]);
    CHECK_OK(sf_flow_signal(f, b, 0, SF_READY));
    while (runs_of(f, b) < 4) { CHECK_OK(sf_flow_step(f, NULL)); }
    CHECK_OK(sf_flow_signal(f, b, 0, SF_WAIT));
    CHECK_IS(drive(f, 100), SF_IDLE);
    CHECK_EQUAL(runs_of(f, b), 4);
    CHECK_OK(sf_flow_signal(f, b, 0, SF_READY));
    end_is(f, SF_DONE);
    check_counts(1, 1, 9);
}
static void a_signal_is_for_one_message(void **state)        /* it waits for it, and two at once are one */
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1],
                                       .in = { { .name = "in", .external = true, .capacity = 4 } },
                                       .when = { { .kind = SF_CONDITION_SIGNAL } } });
    (void)state;
    CHECK_IS(drive(f, 10), SF_IDLE);
    CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));
    CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));
    CHECK_IS(drive(f, 10), SF_IDLE);
    CHECK_EQUAL(runs_of(f, a), 0);
    for (int i = 1; i < 4; i++) { CHECK_OK(sf_flow_push_value(f, a, 0, number(i))); }
    CHECK_IS(drive(f, 10), SF_IDLE);
    CHECK_EQUAL(runs_of(f, a), 1);
    CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));
    CHECK_OK(sf_flow_signal(f, a, 0, SF_WAIT));       /* thought better of */
    CHECK_IS(drive(f, 10), SF_IDLE);
    CHECK_EQUAL(runs_of(f, a), 1);
    CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));
    CHECK_IS(drive(f, 10), SF_IDLE);
    CHECK_OK(sf_flow_signal(f, a, 0, SF_NEVER));
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 1, 2);
}
static void signals_before_the_start(void **state)           /* count, as what is pushed then does */
{
    static const struct { sf_readiness initial, state; sf_result end; uint64_t runs; } cases[] = {
        { SF_WAIT, SF_READY, SF_IDLE, 1 },
        { SF_READY, SF_WAIT, SF_IDLE, 0 },
        { SF_READY, SF_NEVER, SF_DONE, 0 },
        { SF_NEVER, SF_READY, SF_IDLE, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = clocked();
        sf_condition signal = { .kind = SF_CONDITION_SIGNAL, .initial = (uint8_t)cases[i].initial };
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .when = { signal } });
        sf_result signalled, end;
        uint64_t runs;
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        signalled = sf_flow_signal(f, a, 0, cases[i].state);
        end = drive(f, 100);
        runs = runs_of(f, a);
        CHECK_OK(sf_flow_destroy(f));
        CHECK_OK(signalled);
        if (end != cases[i].end || runs != cases[i].runs) {
            fail_msg("case %zu: %d after %d runs, not %d after %d", i, (int)end, (int)runs, (int)cases[i].end,
                     (int)cases[i].runs);
        }
    }
}
/* An operator gives work to a thread and runs again when that is done: GXF's asynchronous term. */
enum { JOBS = 300 };
static struct { sf_flow *flow; sf_op op; uint32_t posted, quit; int64_t result; sf_result failed; } jobs;
static void *do_jobs(void *arg)
{
    uint32_t done = 0;
    while (!test_load(&jobs.quit)) {
        sf_result r;
        if (test_load(&jobs.posted) == done) {
            usleep(20);
            continue;
        }
        done++;
        jobs.result = (int64_t)done * done;
        r = sf_flow_signal(jobs.flow, jobs.op, 0, SF_READY);
        if (r < 0) { jobs.failed = r; }
    }
    return arg;
}
static sf_result post_job(sf_context *ctx)
{
    if (ctx->run) { note_down(1, jobs.result); }
    if (ctx->run == JOBS) { return SF_DONE; }
    test_add(&jobs.posted, 1);
    return SF_OK;
}
static void work_of_another_thread(void **state)
{
    static long long want[JOBS];
    sf_flow *f = flow_on(device);
    pthread_t thread;
    sf_result r;
    (void)state;
    memset(&jobs, 0, sizeof jobs);
    for (int i = 0; i < JOBS; i++) { want[i] = (i + 1) * (i + 1); }
    jobs.flow = f;
    jobs.op = sf_flow_add(f, &(sf_op_desc){ .compute = post_job,
                                       .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY } } });
    CHECK_OK(sf_flow_start(f));
    CHECK_EQUAL(pthread_create(&thread, NULL, do_jobs, NULL), 0);
    r = sf_flow_wait(f, GUARD);
    test_store(&jobs.quit, 1);
    pthread_join(thread, NULL);
    destroy(f);
    CHECK_OK(r);
    CHECK_OK(jobs.failed);
    check_notes(1, want, JOBS);
}

/* -- messages -- */

static void a_batch_on_each_port_or_a_time(void **state)     /* 2 and 3, or 10 after the last run, even with none */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all, .user = &ids[5], .count = 4,
                                       .in = { { .name = "x", .batch = 2 }, { .name = "y", .batch = 3 } },
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .ns = 10 } } });
    (void)state;
    into(f, planned_source(f, PLAN(12, 14, 30)), c, "x");
    into(f, planned_source(f, PLAN(13, 15, 16)), c, "y");
    end_is(f, SF_DONE);
    CHECK_NOTES(5, 1000, 1605, 2600, 3601);
}
static void so_many_or_a_time(void **state)      /* 3 on both together, or 10 after the last run */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all, .user = &ids[5], .count = 4,
                                       .in = { { .name = "x", .capacity = 3 }, { .name = "y", .capacity = 3 } },
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .count = 3, .ns = 10 } } });
    (void)state;
    into(f, planned_source(f, PLAN(1, 2, 31)), c, "x");
    into(f, planned_source(f, PLAN(3, 21)), c, "y");
    end_is(f, SF_DONE);
    CHECK_NOTES(5, 303, 1300, 2301, 3301);
}
static void either_port(void **state)            /* Holoscan's or_combine_port_conditions */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all, .user = &ids[5],
                                       .in = { IN("x"), { .name = "y", .batch = 2 } },
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .ports = 1, .any = 3 },
                                                 { .kind = SF_CONDITION_MESSAGES, .ports = 2, .any = 3 } } });
    (void)state;
    into(f, planned_source(f, PLAN(0, 5, 20)), c, "x");
    into(f, planned_source(f, PLAN(7, 9, 18)), c, "y");
    end_is(f, SF_DONE);
    CHECK_NOTES(5, 1, 501, 902, 2002);           /* with what the other port has by then */
}
static void leftovers_of_either_port(void **state)           /* what no condition will ever take is dropped */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = take_all, .user = &ids[5],
                                       .in = { IN("x"), { .name = "y", .batch = 2 } },
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .ports = 1, .any = 3 },
                                                 { .kind = SF_CONDITION_MESSAGES, .ports = 2, .any = 3 } } });
    (void)state;
    into(f, planned_source(f, PLAN(0, 5)), c, "x");
    into(f, planned_source(f, PLAN(7, 9, 18)), c, "y");
    end_is(f, SF_DONE);
    CHECK_NOTES(5, 1, 501, 902);
}
static void expiring_ones_that_stay(void **state)            /* taken one by one: each has its own time */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = tick_and_keep, .user = &ids[5],
                                       .in = { { .name = "in", .capacity = 6 } },
                                       .when = { { .kind = SF_CONDITION_EXPIRING, .count = 5, .ns = 10 } } });
    (void)state;
    connect(f, planned_source(f, PLAN(0, 4, 4, 30)), c);
    end_is(f, SF_DONE);
    CHECK_NOTES(5, 1001, 1402, 1403, 4004);
}
static void expiring_on_two_ports(void **state)  /* the oldest of both counts, and so do both */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all, .user = &ids[5],
                                       .in = { { .name = "x", .capacity = 4 }, { .name = "y", .capacity = 4 } },
                                       .when = { { .kind = SF_CONDITION_EXPIRING, .count = 4, .ns = 10 } } });
    (void)state;
    into(f, planned_source(f, PLAN(5, 20)), c, "x");
    into(f, planned_source(f, PLAN(3, 21, 22, 23)), c, "y");
    end_is(f, SF_DONE);
    CHECK_NOTES(5, 1302, 2304);
}
static void expiring_pushes(void **state)
{
    sf_flow *f = clocked();
    int64_t wake;
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = take_all, .user = &ids[5],
                                       .in = { { .name = "in", .capacity = 3, .external = true } },
                                       .when = { { .kind = SF_CONDITION_EXPIRING, .count = 3, .ns = 10 } } });
    (void)state;
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, -1);
    CHECK_OK(sf_flow_push_value(f, a, 0, number(1)));
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, 110);
    my_time = 104;
    CHECK_OK(sf_flow_push_value(f, a, 0, number(2)));
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, 110);
    my_time = 110;
    CHECK_OK(sf_flow_step(f, NULL));
    for (int i = 0; i < 3; i++) { CHECK_OK(sf_flow_push_value(f, a, 0, number(3))); }
    CHECK_OK(sf_flow_step(f, NULL));             /* full: at once */
    CHECK_OK(sf_flow_stop(f));
    end_is(f, SF_DONE);
    CHECK_NOTES(5, 11002, 11003);
}

/* -- room, and what happens without -- */

static sf_result emit_five(sf_context *ctx)
{
    for (int p = 0; p < 5; p++) { sf_emit_value(ctx, p, number(10 * (int64_t)ctx->run + p)); }
    return SF_OK;
}
static void five_outputs_into_one_input(void **state)        /* GXF loses 5 of 20: five promises of one place */
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    (void)state;
    for (int custom = 0; custom < 2; custom++) {
        sf_flow *f = clocked();
        sf_op_desc d = { .compute = keep_values, .user = &ids[1], .in = { { .name = "in", .many = true } } };
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_five, .count = 4, .priority = -custom,
                                           .out = { OUT("a"), OUT("b"), OUT("c"), OUT("d"), OUT("e") } }), b;
        long long want[20];
        if (custom) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .count = 1 }; }
        b = sf_flow_add(f, &d);
        notes_clear();
        for (int i = 0; i < 5; i++) { CHECK_OK(sf_flow_connect(f, a, names[i], b, "in", NULL)); }
        for (int i = 0; i < 20; i++) { want[i] = i / 5 * 10 + i % 5; }
        CHECK_IS(drive(f, 1000), SF_DONE);
        for (int i = 0; i < 5; i++) {
            CHECK_EQUAL(edge_of(f, b, 0, i).messages, 4);
            CHECK_EQUAL(edge_of(f, b, 0, i).dropped + edge_of(f, b, 0, i).refused, 0);
        }
        CHECK_OK(sf_flow_destroy(f));
        check_notes(1, want, 20);
    }
}
static sf_result two_and_one(sf_context *ctx)
{
    sf_emit_value(ctx, 0, number(2 * (int64_t)ctx->run + 1));
    sf_emit_value(ctx, 0, number(2 * (int64_t)ctx->run + 2));
    return sf_emit_value(ctx, 1, number((int64_t)ctx->run + 1));
}
static void room_on_one_output(void **state)     /* two on x; y as ever */
{
    sf_flow *f = clocked();
    sf_condition signal = { .kind = SF_CONDITION_SIGNAL };
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = two_and_one, .count = 3, .out = { OUT("x"), OUT("y") },
                                       .when = { { .kind = SF_CONDITION_ROOM, .ports = 1, .count = 2 } } });
    sf_op x = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .when = { signal },
                                       .in = { { .name = "in", .capacity = 3 } } });
    sf_op y = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[2], .when = { signal },
                                       .in = { IN("in") } });
    (void)state;
    CHECK_OK(sf_flow_connect(f, a, "x", x, NULL, NULL));
    CHECK_OK(sf_flow_connect(f, a, "y", y, NULL, NULL));
    for (uint64_t i = 0; i < 3; i++) {           /* each in turn: y makes room, x for one, x for two */
        CHECK_IS(drive(f, 10), SF_IDLE);
        CHECK_EQUAL(runs_of(f, a), i + 1);
        CHECK_OK(sf_flow_signal(f, i & 1 ? x : y, 0, SF_READY));
        CHECK_IS(drive(f, 10), SF_IDLE);
        CHECK_EQUAL(runs_of(f, a), i + 1);       /* half of it is not enough */
        CHECK_OK(sf_flow_signal(f, i & 1 ? y : x, 0, SF_READY));
        CHECK_IS(drive(f, 10), SF_IDLE);
        if (i == 0) { CHECK_EQUAL(runs_of(f, a), 2); }       /* one of x's three places was free all the time */
        if (i > 0 && i < 2) {
            CHECK_EQUAL(runs_of(f, a), i + 1);
            CHECK_OK(sf_flow_signal(f, x, 0, SF_READY));
        }
    }
    while (runs_of(f, x) < 6) {
        CHECK_OK(sf_flow_signal(f, x, 0, SF_READY));
        CHECK_OK(sf_flow_step(f, NULL));
    }
    while (runs_of(f, y) < 3) {
        CHECK_OK(sf_flow_signal(f, y, 0, SF_READY));
        CHECK_OK(sf_flow_step(f, NULL));
    }
    end_is(f, SF_DONE);
    check_counts(1, 1, 6);
    check_counts(2, 1, 3);
}
static sf_result count_from_id(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number(100 * id_of(ctx) + (int64_t)ctx->run + 1));
}
static void each_edge_has_a_policy(void **state) /* of an input of many, too */
{
    static const sf_overflow policies[] = { SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_BLOCK };
    sf_flow *f = clocked();
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = keep_values, .user = &ids[9],
                                        .in = { { .name = "in", .many = true, .capacity = 2 } },
                                        .when = { { .kind = SF_CONDITION_SIGNAL, .latch = true } } });
    (void)state;
    for (int i = 0; i < 3; i++) {
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_from_id, .user = &ids[i + 1], .out = { OUT("out") },
                                           .count = i < 2 ? 5 : 2 });
        CHECK_OK(sf_flow_connect(f, a, NULL, to, NULL, &(sf_edge_desc){ .overflow = policies[i] }));
    }
    CHECK_IS(drive(f, 100), SF_IDLE);
    CHECK_OK(sf_flow_signal(f, to, 0, SF_READY));
    CHECK_IS(drive(f, 100), SF_DONE);
    CHECK_EQUAL(edge_of(f, to, 0, 0).messages, 5);
    CHECK_EQUAL(edge_of(f, to, 0, 0).dropped, 3);
    CHECK_EQUAL(edge_of(f, to, 0, 1).messages, 2);
    CHECK_EQUAL(edge_of(f, to, 0, 1).refused, 3);
    CHECK_EQUAL(edge_of(f, to, 0, 2).messages, 2);
    CHECK_EQUAL(edge_of(f, to, 0, 2).dropped + edge_of(f, to, 0, 2).refused, 0);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_NOTES(9, 104, 201, 301, 105, 202, 302);
}
static void refused_and_on_it_goes(void **state) /* GXF's kFault: the message is lost, the graph goes on */
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .out = { OUT("out") }, .count = 5,
                                       .priority = -1, .on_error = SF_ON_ERROR_IGNORE }), b = sink(f, 1);
    (void)state;
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_ERROR, .capacity = 2 }));
    CHECK_IS(drive(f, 100), SF_DONE);
    CHECK_EQUAL(info_of(f, a).errors, 3);
    CHECK_EQUAL(info_of(f, a).runs, 5);
    CHECK_EQUAL(edge_of(f, b, 0, 0).messages, 2);
    CHECK_EQUAL(edge_of(f, b, 0, 0).refused, 3);
    CHECK_EQUAL(sf_flow_failure(f)->result, SF_ERROR_QUEUE_FULL);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_NOTES(1, 1, 2);
}
static sf_result latest_or_none(sf_context *ctx) /* time * 100 + value, or 99 */
{
    note_down(id_of(ctx), sf_flow_now(ctx->flow) * 100 + (sf_available(ctx, 0) ? sf_receive_value(ctx, 0).i64 : 99));
    return SF_OK;
}
static void the_latest_value(void **state)       /* a reader waits for the first one only, unless it is optional */
{
    sf_flow *f = simulated();
    sf_condition period = { .kind = SF_CONDITION_PERIOD, .ns = 10, .catch_up = SF_CATCH_UP_SKIP_MISSED };
    sf_edge_desc latest = { .overflow = SF_OVERFLOW_LATEST };
    sf_op a = planned_source(f, PLAN(25, 47));
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = tick_and_keep, .user = &ids[1], .count = 5, .when = { period },
                                       .in = { IN("in") } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = latest_or_none, .user = &ids[2], .count = 7,
                                            .when = { period },
                                       .in = { { .name = "in", .optional = true } } });
    (void)state;
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &latest));
    CHECK_OK(sf_flow_connect(f, a, NULL, c, NULL, &latest));
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 2501, 3001, 4001, 5002);      /* the last one once */
    CHECK_NOTES(2, 99, 1099, 2099, 3001, 4001, 5002, 6002);
}

/* -- all of them, or one -- */

static void a_signal_or_a_time(void **state)     /* neither keeps the other waiting */
{
    sf_flow *f = simulated();
    (void)state;
    boss_of = sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .count = 6,
                                       .when = { { .kind = SF_CONDITION_SIGNAL, .any = 1 },
                                                 { .kind = SF_CONDITION_PERIOD, .ns = 10, .any = 1 } } });
    for (int i = 0; i < 3; i++) { orders[i] = SF_READY; }
    planned(f, "boss", give_order, 0, PLAN(3, 14, 15));
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 0, 3, 10, 14, 15, 20);
}
static void count_or_messages(void **state)      /* twice anyway, then per message; in GXF the count alone decides */
{
    (void)state;
    for (int gxf = 0; gxf < 2; gxf++) {
        sf_flow *f = make((sf_flow_desc){ .clock.simulated = true, .gxf_or = gxf });
        sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all, .user = &ids[5], .in = { IN("in") },
                                           .when = { { .kind = SF_CONDITION_COUNT, .count = 2, .any = 1 },
                                                     { .kind = SF_CONDITION_MESSAGES, .count = 1, .any = 1 } } });
        notes_clear();
        connect(f, planned_source(f, PLAN(10, 20, 30)), c);
        end_is(f, SF_DONE);
        if (gxf) {
            CHECK_NOTES(5, 0, 0);
        } else {
            CHECK_NOTES(5, 0, 0, 1001, 2001, 3001);
        }
    }
}
static void one_never_is_enough(void **state)    /* to end an operator whose other conditions only wait */
{
    sf_flow *f = simulated();
    sf_op a;
    (void)state;
    a = sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .in = { { .name = "in", .external = true } },
                                 .when = { { .kind = SF_CONDITION_SIGNAL },
                                           { .kind = SF_CONDITION_TIME, .ns = 1000 },
                                           { .kind = SF_CONDITION_SIGNAL, .initial = SF_NEVER } } });
    CHECK_IS(drive(f, 10), SF_DONE);
    CHECK_EQUAL(runs_of(f, a), 0);
    CHECK_EQUAL(info_of(f, a).state, SF_OP_STOPPED);
    CHECK_OK(sf_flow_destroy(f));
}

/* -- dynamic flow -- */

static sf_op routes[4];
static sf_result note_turn(sf_context *ctx) { return note_down(0, id_of(ctx)), SF_OK; }
static void in_sequence(void **state)            /* a start, then one after the other; and again */
{
    sf_flow *f = clocked();
    sf_op start, n[3];
    (void)state;
    for (int i = 2; i >= 0; i--) {
        n[i] = sf_flow_add(f, &(sf_op_desc){ .compute = note_turn, .user = &ids[i + 1] });
    }
    start = sf_flow_add(f, &(sf_op_desc){ .compute = note_turn, .user = &ids[0], .count = 1 });
    control(f, start, n[0], 0);
    control(f, n[0], n[1], 0);
    control(f, n[1], n[2], 0);
    CHECK_IS(drive(f, 100), SF_DONE);
    end_is(f, SF_DONE);
    CHECK_NOTES(0, 0, 1, 2, 3, 0, 1, 2, 3);
}
static sf_result pick_by_parity(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    sf_route(ctx, routes[v.i64 & 1]);
    return sf_emit_value(ctx, 0, v);
}
static sf_result times_ten(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number(10 * sf_receive_value(ctx, 0).i64));
}
static sf_result negate(sf_context *ctx) { return sf_emit_value(ctx, 0, number(-sf_receive_value(ctx, 0).i64)); }
static sf_result keep_either(sf_context *ctx)
{
    for (int p = 0; p < 2; p++) {
        while (sf_available(ctx, p)) { note_down(id_of(ctx), sf_receive_value(ctx, p).i64); }
    }
    return SF_OK;
}
static void one_branch_or_the_other(void **state)            /* and whoever joins them takes what comes */
{
    sf_flow *f = clocked();
    sf_op pick = sf_flow_add(f, &(sf_op_desc){ .compute = pick_by_parity, .in = { IN("in") },
                                               .out = { OUT("out") } });
    sf_op join = sf_flow_add(f, &(sf_op_desc){ .compute = keep_either, .user = &ids[1], .priority = -2,
                                          .in = { IN("even"), IN("odd") },
                                          .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } });
    (void)state;
    routes[0] = sf_flow_add(f, &(sf_op_desc){ .compute = times_ten, .in = { IN("in") }, .out = { OUT("out") },
                                         .priority = -1 });
    routes[1] = sf_flow_add(f, &(sf_op_desc){ .compute = negate, .in = { IN("in") }, .out = { OUT("out") },
                                         .priority = -1 });
    connect(f, source(f, 6), pick);
    connect(f, pick, routes[0]);
    connect(f, pick, routes[1]);
    into(f, routes[0], join, "even");
    into(f, routes[1], join, "odd");
    end_is(f, SF_DONE);
    CHECK_NOTES(1, -1, 20, -3, 40, -5, 60);
}
static sf_result stream_on(sf_context *ctx)      /* to the consumer; and the turn to itself, but for the last time */
{
    sf_route(ctx, routes[1]);
    if (ctx->run < 4) { sf_route(ctx, routes[0]); }
    return count_up(ctx);
}
static void a_loop_that_streams(void **state)    /* an operator that keeps itself going, as long as it wants to */
{
    sf_flow *f = clocked();
    (void)state;
    routes[0] = sf_flow_add(f, &(sf_op_desc){ .compute = stream_on, .out = { OUT("out") } });
    routes[1] = sink(f, 1);
    control(f, routes[0], routes[0], 1);
    connect(f, routes[0], routes[1]);
    CHECK_IS(drive(f, 100), SF_DONE);
    CHECK_EQUAL(runs_of(f, routes[0]), 5);
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5);
}
static sf_result three_laps(sf_context *ctx)     /* two more to the loop, then on */
{
    note_down(0, id_of(ctx));
    return sf_route(ctx, routes[ctx->run % 3 < 2]);
}
static void a_loop_entered_from_outside(void **state)        /* no turn is in it at the start: no delay */
{
    sf_flow *f = clocked();
    sf_op start = sf_flow_add(f, &(sf_op_desc){ .compute = note_turn, .user = &ids[1], .period = 10, .count = 2 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = three_laps, .user = &ids[2] });
    (void)state;
    routes[0] = sf_flow_add(f, &(sf_op_desc){ .compute = note_turn, .user = &ids[4] });
    routes[1] = sf_flow_add(f, &(sf_op_desc){ .compute = note_turn, .user = &ids[3] });
    control(f, start, a, 0);
    control(f, a, routes[0], 0);
    control(f, a, routes[1], 0);
    control(f, routes[1], a, 0);
    end_is(f, SF_DONE);
    CHECK_NOTES(0, 1, 2, 3, 2, 3, 2, 4, 1, 2, 3, 2, 3, 2, 4);
}
/* Numbers go round until they are 1 (Collatz); the upper half of a value counts how often. */
static sf_result enter_loop(sf_context *ctx)
{
    int port = sf_available(ctx, 1) ? 1 : 0;
    return sf_emit_value(ctx, 0, sf_receive_value(ctx, port));
}
static sf_result go_round(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    if (v.u32[0] != 1) {
        v.u32[0] = v.u32[0] & 1 ? 3 * v.u32[0] + 1 : v.u32[0] / 2;
        v.u32[1]++;
    }
    sf_route(ctx, routes[v.u32[0] == 1]);
    return sf_emit_value(ctx, 0, v);
}
static sf_result emit_seeds(sf_context *ctx)
{
    static const int64_t seeds[] = { 27, 1, 6 };
    return sf_emit_value(ctx, 0, number(seeds[ctx->run]));
}
static sf_result keep_laps(sf_context *ctx) { return note_down(1, sf_receive_value(ctx, 0).u32[1]), SF_OK; }
static void messages_that_go_round(void **state)
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_seeds, .out = { OUT("out") }, .count = 3 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = go_round, .in = { IN("in") }, .out = { OUT("out") } });
    (void)state;
    routes[0] = sf_flow_add(f, &(sf_op_desc){ .compute = enter_loop, .out = { OUT("out") },
                                         .in = { IN("new"), { .name = "back", .optional = true, .capacity = 4 } },
                                         .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } });
    routes[1] = sf_flow_add(f, &(sf_op_desc){ .compute = keep_laps, .in = { IN("in") } });
    into(f, a, routes[0], "new");
    connect(f, routes[0], b);
    into(f, b, routes[0], "back");
    connect(f, b, routes[1]);
    end_is(f, SF_DONE);
    {
        long long got[4] = { 0 }, sum = 0;
        CHECK_EQUAL(notes_of(1, got, 4), 3);
        for (int i = 0; i < 3; i++) { sum += got[i]; }
        CHECK_EQUAL(sum, 111 + 0 + 8);
    }
}
static sf_result route_and_fail(sf_context *ctx) /* the first try goes the wrong way, and wrong */
{
    sf_emit_value(ctx, 0, number((int64_t)ctx->run));
    if (note_count == 0) {
        note_down(9, 0);
        sf_route(ctx, routes[0]);
        return SF_ERROR_USER;
    }
    return sf_route(ctx, routes[1]);
}
static void a_route_ends_with_its_compute(void **state)      /* also with one that failed */
{
    static const sf_on_error policies[] = { SF_ON_ERROR_IGNORE, SF_ON_ERROR_RETRY };
    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        sf_flow *f = clocked();
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = route_and_fail, .out = { OUT("out") }, .count = 3,
                                           .on_error = policies[i], .retries = 1 });
        uint64_t turns;
        notes_clear();
        for (int k = 0; k < 2; k++) {
            routes[k] = sink(f, k);
            connect(f, a, routes[k]);
        }
        sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1 });
        CHECK_IS(drive(f, 100), SF_DONE);
        turns = runs_of(f, routes[0]);
        CHECK_OK(sf_flow_destroy(f));
        CHECK_EQUAL(notes_of(0, NULL, 0), 0);    /* not by the route of the one that failed */
        CHECK_EQUAL(turns, 0);
        if (policies[i] == SF_ON_ERROR_IGNORE) { CHECK_NOTES(1, 1, 2); } else { CHECK_NOTES(1, 0, 1, 2); }
    }
}
static sf_result route_mixed(sf_context *ctx)    /* the message alone, one turn, both, two calls that add up, all */
{
    static const uint8_t sets[] = { 1, 2, 3, 6, 0 };
    for (int i = 0; i < 3; i++) {
        if (sets[ctx->run] >> i & 1) { sf_route(ctx, routes[i]); }
    }
    return count_up(ctx);
}
static void messages_and_turns_are_routed(void **state)
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = route_mixed, .out = { OUT("out") }, .count = 5 });
    (void)state;
    routes[0] = sink(f, 0);
    routes[1] = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
    routes[2] = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
    connect(f, a, routes[0]);
    control(f, a, routes[1], 0);
    control(f, a, routes[2], 0);
    CHECK_IS(drive(f, 100), SF_DONE);
    CHECK_EQUAL(runs_of(f, routes[1]), 4);
    CHECK_EQUAL(runs_of(f, routes[2]), 2);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_NOTES(0, 1, 3, 5);
}
static sf_result route_to_nobody(sf_context *ctx)            /* nobody, but for one; all; nobody from then on */
{
    if (ctx->run != 1) { sf_route(ctx, (sf_op){ 0 }); }
    if (ctx->run == 0) { sf_route(ctx, routes[0]); }
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static void routes_to_nobody(void **state)       /* keep the turn, and give back what was emitted */
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = route_to_nobody, .count = 40,
                                       .out = { { .name = "out", .bytes = 64, .memory = SF_MEMORY_HOST } } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
    sf_result r;
    uint64_t one, other, turns, all;
    (void)state;
    for (int i = 0; i < 2; i++) {
        routes[i] = sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } });
        connect(f, a, routes[i]);
    }
    control(f, a, c, 0);
    r = drive(f, 1000);
    one = runs_of(f, routes[0]), other = runs_of(f, routes[1]), turns = runs_of(f, c), all = runs_of(f, a);
    (void)sf_flow_destroy(f);
    CHECK_IS(r, SF_DONE);
    CHECK_EQUAL(one, 2);
    CHECK_EQUAL(other, 1);
    CHECK_EQUAL(turns, 1);
    CHECK_EQUAL(all, 40);
}
static sf_result route_in_start(sf_context *ctx) { return note_down(5, sf_route(ctx, routes[0])), SF_OK; }
static void no_routes_before_the_start(void **state)
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .start = route_in_start, .out = { OUT("out") },
                                       .count = 1 });
    sf_result r;
    (void)state;
    routes[0] = sink(f, 1);
    connect(f, a, routes[0]);
    r = drive(f, 10);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_ILLEGAL_STATE);
    CHECK_IS(r, SF_ERROR_ILLEGAL_STATE);
    CHECK_NOTES(5, SF_ERROR_ILLEGAL_STATE);
}
static void a_turn_for_nobody(void **state)      /* who works only for one that has ended, ends, too */
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = nothing });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = nothing, .count = 3 });
    sf_result r;
    uint64_t runs;
    (void)state;
    control(f, a, b, 0);
    r = drive(f, 100);
    runs = runs_of(f, b);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_EQUAL(runs, 3);
    CHECK_IS(r, SF_DONE);
}
static void a_turn_and_a_message(void **state)   /* it takes both; without turns to come it ends */
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = nothing, .count = 2 });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "both", .compute = keep_one, .user = &ids[1],
                                            .in = { IN("in") } });
    (void)state;
    control(f, a, c, 0);
    connect(f, source(f, 4), c);
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 1, 2);
}

/* -- subflows: C functions -- */

typedef struct half { sf_op in, out; } half;
static sf_result halve(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    if (v & 1) { return sf_fail(ctx, SF_ERROR_USER - 1, "it is odd"); }
    return sf_emit_value(ctx, 0, number(v / 2));
}
static half add_half(sf_flow *f, const char *scope)
{
    half h;
    sf_flow_scope(f, scope);
    h.in = sf_flow_add(f, &(sf_op_desc){ .name = "first", .compute = halve, .in = { IN("in") },
                                         .out = { OUT("out") } });
    h.out = sf_flow_add(f, &(sf_op_desc){ .name = "second", .compute = halve, .in = { IN("in") },
                                          .out = { OUT("out") } });
    sf_flow_scope(f, NULL);
    connect(f, h.in, h.out);
    return h;
}
static sf_result emit_sixteens(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number(ctx->run < 2 ? 16 * ((int64_t)ctx->run + 1) : 20));
}
static bool path_named(const sf_flow *f, const char *name, sf_latency *latency)
{
    char at[1024];
    for (uint32_t i = 0; sf_flow_get_path(f, i, latency, at, sizeof at) == SF_OK; i++) {
        if (!strcmp(at, name)) { return true; }
    }
    memset(latency, 0, sizeof *latency);
    return false;
}
static void subflows(void **state)               /* the same one twice, at two places, and one within a scope */
{
    sf_flow *f = make((sf_flow_desc){ .track.latency = true });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = emit_sixteens, .out = { OUT("out") },
                                            .period = 10 });
    half left = add_half(f, "left"), right = add_half(f, "right/inner");
    sf_latency latency;
    sf_result r;
    bool named;
    (void)state;
    connect(f, a, left.in);
    connect(f, left.out, right.in);
    connect(f, right.out, sink(f, 1));
    r = drive(f, 1000);
    CHECK(!strcmp(sf_flow_failure(f)->where, "right/inner/first"));
    CHECK(strstr(sf_flow_failure(f)->text, "it is odd") != NULL);
    named = path_named(f, "a,left/first,left/second,right/inner/first,right/inner/second,sink", &latency);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_USER - 1);
    CHECK_IS(r, SF_ERROR_USER - 1);
    CHECK(named);
    CHECK_NOTES(1, 1, 2);
}

static sf_result note_name(sf_context *ctx)
{
    return note_down(0, !strcmp(ctx->name, (const char *)ctx->user)), SF_OK;
}
static void named(sf_flow *f, const char *name, const char *full)
{
    sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = note_name, .user = (void *)(uintptr_t)full, .count = 1 });
}
static void subflows_of_subflows(void **state)   /* the end of one is not the end of the one around it */
{
    sf_flow *f = clocked();
    (void)state;
    named(f, "a", "a");
    sf_flow_scope(f, "outer");
    named(f, "b", "outer/b");
    for (int i = 0; i < 2; i++) {
        sf_flow_scope(f, i ? "deep/er" : "inner");
        named(f, "c", i ? "outer/deep/er/c" : "outer/inner/c");
        sf_flow_scope(f, NULL);
        named(f, "d", "outer/d");
    }
    sf_flow_scope(f, NULL);
    named(f, "e", "e");
    sf_flow_scope(f, NULL);                           /* one too many: nothing to end */
    named(f, "f", "f");
    end_is(f, SF_DONE);
    CHECK_NOTES(0, 1, 1, 1, 1, 1, 1, 1, 1);
}

/* -- metadata -- */

static sf_result tell(sf_context *ctx)           /* 1 is who and when; 20 + who says so */
{
    sf_set_metadata(ctx, 1, number(100 * id_of(ctx) + (int64_t)ctx->run));
    sf_set_metadata(ctx, 20 + (uint32_t)id_of(ctx), number(7));
    return count_up(ctx);
}
static sf_result hear_all(sf_context *ctx)       /* user 0: in the order of the ports; 1: the other way round */
{
    sf_value v = number(-1);
    uint32_t key, n = 0;
    for (int i = 0; i < 3; i++) {
        int port = id_of(ctx) ? 2 - i : i;
        for (int k = 0; k < 9 && sf_available(ctx, port); k++) { (void)sf_receive_value(ctx, port); }
    }
    note_down(1, sf_get_metadata(ctx, 1, &v) ? v.i64 : -1);
    while (sf_list_metadata(ctx, n, &key, &v)) { n++; }
    note_down(2, n);
    return SF_OK;
}
static const struct { sf_metadata_policy policy; sf_result result; } policies[] = {
    { SF_METADATA_UPDATE, SF_DONE }, { SF_METADATA_REJECT, SF_DONE }, { SF_METADATA_RAISE, SF_ERROR_MISMATCH }
};
static void metadata_of_many(void **state)       /* three edges into one input, connected as 2, 1, 3 */
{
    static const int order[] = { 2, 1, 3 };
    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        sf_flow *f = make((sf_flow_desc){ .metadata = policies[i].policy, .metadata_entries = 6 });
        sf_op join = sf_flow_add(f, &(sf_op_desc){ .name = "join", .compute = hear_all, .user = &ids[0],
                                              .in = { { .name = "in", .many = true } } });
        notes_clear();
        for (int k = 0; k < 3; k++) {
            connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[order[k]], .out = { OUT("out") },
                                                .count = 2 }), join);
        }
        end_is(f, policies[i].result);
        if (i == 0) { CHECK_NOTES(1, 300, 301); }
        if (i == 1) { CHECK_NOTES(1, 200, 201); }
        if (i < 2) { CHECK_NOTES(2, 4, 4); }
    }
}
static void metadata_in_order_of_receipt(void **state)       /* not of the ports */
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (int backwards = 0; backwards < 2; backwards++) {
            sf_flow *f = make((sf_flow_desc){ .metadata = policies[i].policy, .metadata_entries = 6 });
            sf_op join = sf_flow_add(f, &(sf_op_desc){ .compute = hear_all, .user = &ids[backwards],
                                                  .in = { IN("x"), IN("y"), IN("z") } });
            long long first[] = { 100, 101 }, last[] = { 300, 301 };
            notes_clear();
            for (int k = 0; k < 3; k++) {
                sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[k + 1], .out = { OUT("out") },
                                                   .count = 2 });
                into(f, a, join, (const char *[]){ "x", "y", "z" }[k]);
            }
            end_is(f, SF_DONE);
            check_notes(1, (i == 0) == (backwards == 0) ? last : first, 2);
        }
    }
}
static void metadata_of_a_batch(void **state)    /* of one edge: the same rule */
{
    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        sf_flow *f = make((sf_flow_desc){ .metadata = policies[i].policy, .metadata_entries = 2 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "join", .compute = hear_all, .user = &ids[0],
                                           .in = { { .name = "in", .batch = 2 } } });
        notes_clear();
        connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[1], .count = 4,
                                                 .out = { OUT("out") } }),
                b);
        end_is(f, policies[i].result);
        if (i == 0) { CHECK_NOTES(1, 101, 103); }
        if (i == 1) { CHECK_NOTES(1, 100, 102); }
    }
}
static void metadata_beyond_its_room(void **state)           /* of two messages together: told, not lost */
{
    sf_flow *f = make((sf_flow_desc){ .metadata_entries = 2 });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "join", .compute = hear_all, .user = &ids[0],
                                       .in = { { .name = "in", .many = true } } });
    sf_result r;
    char text[512];
    (void)state;
    for (int i = 1; i < 3; i++) {
        connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[i], .count = 1,
                                                 .out = { OUT("out") } }),
                c);
    }
    r = drive(f, 100);
    snprintf(text, sizeof text, "%s", sf_flow_failure(f)->text);
    (void)sf_flow_destroy(f);
    CHECK_IS(r, SF_ERROR_NO_ROOM);
    CHECK(strstr(text, "join") && strstr(text, "metadata_entries"));
}
static sf_result tell_sometimes(sf_context *ctx) { return ctx->run & 1 ? count_up(ctx) : tell(ctx); }
static sf_result pass_and_say(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    sf_set_metadata(ctx, 30, v);
    return sf_emit_value(ctx, 0, v);
}
static void metadata_goes_with_its_message(void **state)     /* over hops that do not look, and no further */
{
    sf_flow *f = make((sf_flow_desc){ .metadata_entries = 3 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tell_sometimes, .user = &ids[1], .count = 4,
                                       .out = { OUT("out") } });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { IN("in") }, .out = { OUT("out") } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = pass_and_say, .in = { IN("in") }, .out = { OUT("out") } });
    (void)state;
    connect(f, a, b);
    connect(f, b, c);
    connect(f, c, sf_flow_add(f, &(sf_op_desc){ .compute = hear_all, .user = &ids[0], .in = { IN("in") } }));
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 100, -1, 102, -1);
    CHECK_NOTES(2, 3, 1, 3, 1);
}
static void a_clash_may_be_ignored(void **state) /* the operator's policy says what becomes of it */
{
    sf_flow *f = make((sf_flow_desc){ .metadata = SF_METADATA_RAISE, .metadata_entries = 3 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tell_sometimes, .user = &ids[1], .count = 4,
                                       .out = { OUT("out") } });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { IN("in") }, .out = { OUT("out") } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "join", .compute = hear_all, .user = &ids[0],
                                       .in = { IN("x"), IN("y") }, .on_error = SF_ON_ERROR_IGNORE });
    (void)state;
    connect(f, a, b);
    into(f, a, c, "x");
    into(f, b, c, "y");
    CHECK_IS(drive(f, 1000), SF_DONE);
    CHECK_EQUAL(info_of(f, c).errors, 2);
    CHECK_EQUAL(sf_flow_failure(f)->result, SF_ERROR_MISMATCH);
    CHECK(!strcmp(sf_flow_failure(f)->where, "join"));
    CHECK_OK(sf_flow_destroy(f));
    CHECK_EQUAL(notes_of(1, NULL, 0), 4);        /* computes go on after a failed call, and emit nothing */
}

/* -- errors -- */

static int fails;                                /* that are still to come, from run 1 on */
static sf_result tick_and_fail(sf_context *ctx)
{
    tick(ctx);
    return ctx->run == 1 && fails ? fails--, SF_ERROR_USER - 2 : SF_OK;
}
static void tried_again_at_once(void **state)    /* not a period later */
{
    static const struct { sf_on_error policy; long long at[5]; uint32_t count; } cases[] = {
        { SF_ON_ERROR_RETRY, { 0, 10, 10, 10, 20 }, 5 },
        { SF_ON_ERROR_IGNORE, { 0, 10, 20 }, 3 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = simulated();
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tick_and_fail, .user = &ids[1], .period = 10, .count = 3,
                                           .on_error = cases[i].policy, .retries = 2 });
        notes_clear();
        fails = 2;
        CHECK_IS(drive(f, 100), SF_DONE);
        CHECK_EQUAL(info_of(f, a).errors, i ? 1 : 2);
        CHECK_EQUAL(info_of(f, a).runs, 3);
        CHECK_OK(sf_flow_destroy(f));
        check_notes(1, cases[i].at, cases[i].count);
    }
}
static sf_result fail_first(sf_context *ctx)     /* as often as `fails` says */
{
    note_down(id_of(ctx), sf_available(ctx, 0));
    while (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    return fails ? fails--, SF_ERROR_USER - 2 : SF_OK;
}
/* One signal is good for one compute, however often that is tried: also if messages come in between. */
static void tried_again_with_what_it_had(void **state)
{
    (void)state;
    for (int messages = 0; messages < 2; messages++) {
        sf_flow *f = clocked();
        sf_op_desc d = { .name = "b", .compute = fail_first, .user = &ids[1], .on_error = SF_ON_ERROR_RETRY,
                         .retries = 3, .when = { { .kind = SF_CONDITION_SIGNAL } } };
        sf_op_info info;
        sf_result waits, idle;
        sf_op b;
        notes_clear();
        fails = 2;
        d.in[0] = (sf_port){ .name = "in", .capacity = 8, .external = true, .optional = !messages };
        if (messages) { d.when[1] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .count = 1 }; }
        b = sf_flow_add(f, &d);
        waits = sf_flow_step(f, NULL);
        CHECK_OK(sf_flow_push_value(f, b, 0, number(1)));
        CHECK_OK(sf_flow_signal(f, b, 0, SF_READY));
        CHECK_OK(sf_flow_step(f, NULL));         /* the first try */
        CHECK_OK(sf_flow_push_value(f, b, 0, number(2)));
        idle = drive(f, 100);
        info = info_of(f, b);
        CHECK_OK(sf_flow_destroy(f));
        CHECK_IS(waits, SF_IDLE);
        CHECK_IS(idle, SF_IDLE);
        CHECK_EQUAL(info.errors, 2);
        CHECK_EQUAL(info.runs, 1);
    }
}
static void tried_again_with_its_turn(void **state)
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 2 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = fail_first, .user = &ids[1], .on_error = SF_ON_ERROR_RETRY,
                                       .retries = 3 });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
    (void)state;
    fails = 2;
    control(f, a, b, 0);
    control(f, b, c, 0);
    CHECK_IS(drive(f, 100), SF_DONE);
    CHECK_EQUAL(runs_of(f, b), 2);
    CHECK_EQUAL(info_of(f, b).errors, 2);
    CHECK_EQUAL(runs_of(f, c), 2);
    CHECK_OK(sf_flow_destroy(f));
}
static void no_turn_after_an_error(void **state) /* who failed hands none on, and has spent its own */
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 3 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = fail_first, .user = &ids[1], .on_error = SF_ON_ERROR_IGNORE });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
    (void)state;
    fails = 1;
    control(f, a, b, 0);
    control(f, b, c, 0);
    CHECK_IS(drive(f, 100), SF_DONE);
    CHECK_EQUAL(runs_of(f, b), 3);
    CHECK_EQUAL(runs_of(f, c), 2);
    CHECK_OK(sf_flow_destroy(f));
}
static sf_result fail_at_two(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    if (v == 2 && fails-- > 0) { return sf_fail(ctx, SF_ERROR_USER - 10 - id_of(ctx), "not 2"); }
    return sf_emit_value(ctx, 0, number(v));
}
static void each_operator_has_a_policy(void **state)         /* side by side; the first failure is kept, all count */
{
    static const sf_on_error on[] = { SF_ON_ERROR_IGNORE, SF_ON_ERROR_STOP_OPERATOR, SF_ON_ERROR_RETRY };
    static const sf_op_state states[] = { SF_OP_STOPPED, SF_OP_FAILED, SF_OP_STOPPED };
    static const char *const names[] = { "ignorant", "proud", "stubborn" };
    sf_flow *f = clocked();
    sf_op a[3], b[3];
    (void)state;
    fails = 3;
    for (int i = 0; i < 3; i++) {
        a[i] = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = i == 1 ? 0 : 4 });
        b[i] = sf_flow_add(f, &(sf_op_desc){ .name = names[i], .compute = fail_at_two, .user = &ids[i],
                                             .in = { IN("in") },
                                        .out = { OUT("out") }, .on_error = on[i], .retries = 1 });
        connect(f, a[i], b[i]);
        connect(f, b[i], sink(f, i));
    }
    CHECK_IS(drive(f, 1000), SF_DONE);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(info_of(f, b[i]).errors, 1);
        CHECK_EQUAL(info_of(f, b[i]).state, states[i]);
    }
    CHECK_EQUAL(info_of(f, a[1]).state, SF_OP_STOPPED);      /* it had no end of its own */
    CHECK_EQUAL(sf_flow_failure(f)->count, 3);
    CHECK_EQUAL(sf_flow_failure(f)->result, SF_ERROR_USER - 10);
    CHECK(!strcmp(sf_flow_failure(f)->where, "ignorant"));
    CHECK_OK(sf_flow_destroy(f));
    CHECK_NOTES(0, 1, 3, 4);
    CHECK_NOTES(1, 1);
    CHECK_NOTES(2, 1, 2, 3, 4);
}
static sf_result note_hook(sf_context *ctx) { return note_down(8, id_of(ctx)), SF_OK; }
static sf_result no_lens(sf_context *ctx) { return sf_fail(ctx, SF_ERROR_USER - 3, "no lens"); }
static void an_error_before_the_start(void **state)          /* in initialize: nobody starts, nobody is stopped */
{
    sf_flow *f = clocked();
    sf_result r;
    (void)state;
    for (int i = 0; i < 3; i++) {
        sf_flow_add(f, &(sf_op_desc){ .name = i == 1 ? "camera" : NULL, .compute = nothing, .user = &ids[i],
                                      .count = 1,
                                 .initialize = i == 1 ? no_lens : NULL, .start = note_hook, .stop = note_hook });
    }
    r = drive(f, 10);
    CHECK(!strcmp(sf_flow_failure(f)->where, "camera") && strstr(sf_flow_failure(f)->text, "no lens"));
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_USER - 3);
    CHECK_IS(r, SF_ERROR_USER - 3);
    CHECK_EQUAL(notes_of(8, NULL, 0), 0);
}
static sf_result emit_and_done(sf_context *ctx) { return count_up(ctx), ctx->run == 2 ? SF_DONE : SF_OK; }
static void the_last_words(void **state)         /* of one that is done arrive */
{
    sf_flow *f = clocked();
    (void)state;
    connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = emit_and_done, .out = { OUT("out") } }), sink(f, 1));
    end_is(f, SF_DONE);
    CHECK_NOTES(1, 1, 2, 3);
}

static sf_result take_wrongly(sf_context *ctx)   /* values as if they were tensors, as long as there are any */
{
    int tries = 0;
    for (; tries < 9 && sf_available(ctx, 0); tries++) { (void)sf_receive(ctx, 0); }
    return note_down(1, tries), SF_OK;
}
static void loops_end_after_an_error(void **state)           /* nothing is available to a compute that has failed */
{
    sf_flow *f = clocked();
    sf_result r;
    (void)state;
    connect(f, source(f, 2), sf_flow_add(f, &(sf_op_desc){ .compute = take_wrongly,
                                                      .in = { { .name = "in", .batch = 2 } } }));
    r = drive(f, 100);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_MISMATCH);
    CHECK_IS(r, SF_ERROR_MISMATCH);
    CHECK_NOTES(1, 1);
}

/* -- states -- */

static sf_op looked_at[4];
static sf_result look_around(sf_context *ctx)
{
    for (int i = 0; i < 4; i++) {
        sf_op_info info = { .state = (sf_op_state)99 };
        (void)sf_op_get_info(ctx->flow, looked_at[i], &info);
        note_down(0, info.state);
    }
    return SF_OK;
}
static sf_result always_wrong(sf_context *ctx) { return (void)ctx, SF_ERROR_USER; }
static void states(void **state)
{
    sf_flow *f = clocked();
    (void)state;
    looked_at[0] = sf_flow_add(f, &(sf_op_desc){ .compute = look_around, .count = 2 });
    looked_at[1] = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1, .priority = 1 });
    looked_at[2] = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .in = { { .name = "in", .external = true } } });
    looked_at[3] = sf_flow_add(f, &(sf_op_desc){ .compute = always_wrong, .on_error = SF_ON_ERROR_STOP_OPERATOR,
                                            .priority = -1 });
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < 4 && !again; i++) { CHECK_EQUAL(info_of(f, looked_at[i]).state, SF_OP_NEW); }
        notes_clear();
        CHECK_OK(sf_flow_pause(f, true));
        CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
        for (int i = 0; i < 4; i++) { CHECK_EQUAL(info_of(f, looked_at[i]).state, SF_OP_PAUSED); }
        CHECK_OK(sf_flow_pause(f, false));
        CHECK_IS(drive(f, 100), SF_IDLE);
        CHECK_EQUAL(info_of(f, looked_at[0]).state, SF_OP_STOPPED);
        CHECK_EQUAL(info_of(f, looked_at[2]).state, SF_OP_WAITING);
        CHECK_OK(sf_flow_stop(f));
        CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
        CHECK_EQUAL(info_of(f, looked_at[2]).state, SF_OP_STOPPED);
        CHECK_EQUAL(info_of(f, looked_at[3]).state, SF_OP_FAILED);
        CHECK_NOTES(0, SF_OP_COMPUTING, SF_OP_QUEUED, SF_OP_WAITING, SF_OP_FAILED,
                    SF_OP_COMPUTING, SF_OP_QUEUED, SF_OP_WAITING, SF_OP_FAILED);
    }
    CHECK_OK(sf_flow_destroy(f));
}

/* -- again -- */

/* Stopped after any number of steps, a flow runs as if it were new: no message, turn, route or signal is left. */
static sf_flow *a_bit_of_everything(sf_op *signalled)
{
    sf_flow *f = make((sf_flow_desc){ .clock.simulated = true, .metadata_entries = 4 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tell, .user = &ids[1], .out = { OUT("out") }, .count = 12 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = pick_by_parity, .in = { { .name = "in", .capacity = 3 } },
                                       .out = { OUT("out") } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = note_turn, .user = &ids[4] });
    sf_op d = sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[2], .period = 7, .count = 4 });
    connect(f, a, b);
    for (int i = 0; i < 2; i++) {
        routes[i] = sf_flow_add(f, &(sf_op_desc){ .compute = keep_values, .user = &ids[5 + i],
                                             .in = { { .name = "in", .batch = 2, .capacity = 4 } } });
        connect(f, b, routes[i]);
    }
    control(f, d, c, 0);
    control(f, routes[0], c, 0);
    *signalled = sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[3],
                                          .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY } } });
    return f;
}
static void as_if_it_were_new(void **state)
{
    static note want[200];
    uint32_t count = 0;
    sf_op signalled;
    sf_flow *f = a_bit_of_everything(&signalled);
    (void)state;
    for (int steps = 0; steps < 45; steps++) {
        int64_t wake;
        for (int i = 0; i < steps; i++) { CHECK(sf_flow_step(f, &wake) >= 0); }
        if (steps & 1) { (void)sf_flow_signal(f, signalled, 0, SF_READY); }
        if (steps) {
            CHECK(sf_flow_stop(f) >= 0);
            CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
        }
        notes_clear();
        CHECK_IS(drive(f, 1000), SF_IDLE);       /* it waits for one more signal */
        if (!steps) {
            count = note_count;
            CHECK(count > 20 && count < COUNT(want));
            memcpy(want, notes, count * sizeof *want);
        }
        if (note_count != count || memcmp(want, notes, count * sizeof *want)) {
            fail_msg("after %d steps: %u notes, not %u, or others", steps, note_count, count);
        }
        CHECK_OK(sf_flow_stop(f));
        CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
    }
    CHECK_OK(sf_flow_destroy(f));
}
static void three_ways_in_turn(void **state)     /* to drive one flow */
{
    sf_flow *f = clocked();
    (void)state;
    connect(f, source(f, 3), sink(f, 1));
    for (int i = 0; i < 6; i++) {
        notes_clear();
        if (i % 3 == 0) {
            run_is(f, SF_OK);
        } else if (i % 3 == 1) {
            guarded_run_is(f, SF_OK, NULL);
        } else {
            CHECK_IS(drive(f, 100), SF_DONE);
        }
        check_counts(1, 1, 3);
    }
    CHECK_OK(sf_flow_destroy(f));
}
static bool stops_itself;
static sf_result stop_too_late(sf_context *ctx)
{
    if (stops_itself) { (void)sf_op_stop(ctx->flow, ctx->op); }
    return SF_OK;
}
static sf_result emit_tensor(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static void a_stop_does_not_outlive_its_run(void **state)    /* of an operator, asked for when it was too late */
{
    sf_flow *f = clocked();
    sf_mem_pool *pool;
    uint64_t runs[2] = { 0, 0 };
    sf_op a;
    (void)state;
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 64, .blocks = 2,
                                                             .memory = SF_MEMORY_HOST }, &pool));
    a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_tensor, .stop = stop_too_late, .count = 6,
                                 .out = { { .name = "out", .bytes = 64, .memory = SF_MEMORY_HOST, .pool = pool } },
                                 .when = { { .kind = SF_CONDITION_MEMORY, .count = 1 } } });
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } }));
    for (int i = 0; i < 2; i++) {
        stops_itself = i == 0;
        CHECK_IS(drive(f, 1000), SF_DONE);
        runs[i] = runs_of(f, a);
    }
    CHECK_OK(sf_flow_destroy(f));
    CHECK_OK(sf_mem_pool_destroy(pool));
    CHECK_EQUAL(runs[0], 6);
    CHECK_EQUAL(runs[1], 6);
}

/* -- latencies: root operators to those without a successor; begin of the first compute to end of the last -- */

/* Each compute takes as long as its list says: what is upstream waits, so that latencies are exact. */
typedef struct cost { int64_t of[12]; } cost;
static void spend(const sf_context *ctx) { my_time += ((const cost *)ctx->user)->of[ctx->run % 12]; }
static sf_result spend_and_count(sf_context *ctx) { return spend(ctx), count_up(ctx); }
static sf_result spend_and_pass(sf_context *ctx) { return spend(ctx), pass_value(ctx); }
static sf_result spend_and_take(sf_context *ctx)
{
    spend(ctx);
    for (int p = 0; p < 3; p++) {
        while (sf_available(ctx, p)) { (void)sf_receive_value(ctx, p); }
    }
    return SF_OK;
}
static const cost five = { { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 } }, none = { { 0 } };
static sf_op cost_source(sf_flow *f, const char *name, const cost *c, uint64_t count)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = spend_and_count, .user = (void *)(uintptr_t)c,
                                    .out = { OUT("out") }, .count = count });
}
static sf_op cost_pass(sf_flow *f, const char *name, const cost *c)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = spend_and_pass, .user = (void *)(uintptr_t)c,
                                    .in = { IN("in") }, .out = { OUT("out") }, .priority = -1 });
}
static sf_op cost_sink(sf_flow *f, const char *name, const cost *c)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = spend_and_take, .user = (void *)(uintptr_t)c,
                                    .in = { IN("in") }, .priority = -2 });
}
static sf_flow *tracked(uint32_t skip_first, uint32_t discard_last, int64_t threshold)
{
    return make((sf_flow_desc){ .track = { .latency = true, .skip_first = skip_first, .discard_last = discard_last,
                                           .threshold = threshold } });
}
/* The latencies of a source that takes no time and a sink with the given costs. */
static sf_latency latency_of(sf_flow *f, const cost *c, uint64_t count, bool *there)
{
    sf_latency latency;
    sf_result r;
    connect(f, cost_source(f, "a", &none, count), cost_sink(f, "b", c));
    r = drive(f, 5000);
    *there = path_named(f, "a,b", &latency);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    return latency;
}
static void end_to_end(void **state)             /* with what each operator on the way takes; anew in each run */
{
    static const cost sink_cost = { { 7, 1, 12, 100, 3 } };
    sf_flow *f = tracked(0, 0, 0);
    sf_flow_info info;
    (void)state;
    {
        sf_op a = cost_source(f, "a", &five, 5), b = cost_pass(f, "b", &five), c = cost_sink(f, "c", &sink_cost);
        connect(f, a, b);
        connect(f, b, c);
    }
    for (int again = 0; again < 2; again++) {
        sf_latency l;
        CHECK_IS(drive(f, 1000), SF_DONE);
        CHECK(path_named(f, "a,b,c", &l));
        CHECK_EQUAL(l.count, 5);
        CHECK_EQUAL(l.min, 11);
        CHECK_EQUAL(l.max, 110);
        CHECK_EQUAL(l.mean, (17 + 11 + 22 + 110 + 13) / 5);
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK_EQUAL(info.paths, 1);
    }
    CHECK_OK(sf_flow_destroy(f));
}
static void percentiles(void **state)            /* right within a sixteenth, in order, between min and max */
{
    static const cost equal = { { 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000 } };
    static const cost tail = { { 47, 47, 47, 47, 47, 47, 47, 47, 47, 47, 8191, 1001 } };
    static const cost *const all[] = { &equal, &tail };
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        bool there;
        sf_latency l = latency_of(tracked(0, 0, 0), all[i], 1200, &there);
        int64_t p[] = { l.min, l.p50, l.p90, l.p99, l.p999, l.max };
        CHECK(there);
        CHECK_EQUAL(l.count, 1200);
        CHECK_EQUAL(l.min, i ? 47 : 1000);
        CHECK_EQUAL(l.max, i ? 8191 : 1000);
        if (i) {
            CHECK(p[1] * 16 >= 47 * 15 && p[1] * 16 <= 47 * 17);         /* 10 of 12 */
            CHECK(p[2] * 16 >= 1001 * 15 && p[2] * 16 <= 1001 * 17);     /* the eleventh */
            CHECK(p[3] * 16 >= 8191 * 15);
        }
        for (int k = 1; k < 6; k++) {
            if (p[k] < p[k - 1]) { fail_msg("%d of 5 is %lld < %lld", k, (long long)p[k], (long long)p[k - 1]); }
        }
    }
}
static void percentiles_of_long_times(void **state)          /* hours, and more days than there are steps for */
{
    const int64_t hour = SF_MS(3600 * 1000ll);
    cost c;
    bool there;
    sf_latency l;
    (void)state;
    for (int i = 0; i < 12; i++) { c.of[i] = (i + 1) * hour; }
    l = latency_of(tracked(0, 0, 0), &c, 12, &there);
    CHECK(there);
    CHECK(l.p50 * 16 >= 6 * hour * 15 && l.p50 * 16 <= 6 * hour * 17);
    CHECK(l.p90 * 16 >= 11 * hour * 15 && l.p90 * 16 <= 11 * hour * 17);
    CHECK(l.p99 * 16 >= 12 * hour * 15 && l.p99 <= 12 * hour);
    for (int i = 0; i < 12; i++) { c.of[i] = i < 6 ? hour : 24 * 100 * hour; }
    l = latency_of(tracked(0, 0, 0), &c, 12, &there);
    CHECK(l.p50 * 16 >= hour * 15 && l.p50 <= hour);
    CHECK_EQUAL(l.p90, 24 * 100 * hour);
}
static void the_first_and_the_last_do_not_count(void **state)
{
    static const cost c = { { 100, 90, 10, 20, 30, 40, 50, 1000, 5, 900 } };
    static const struct { uint32_t skip, discard; uint64_t count; int64_t min, mean, max; } cases[] = {
        { 0, 0, 10, 5, 224, 1000 }, { 2, 3, 5, 10, 30, 50 }, { 2, 0, 8, 5, 256, 1000 }, { 0, 3, 7, 10, 48, 100 },
        { 9, 0, 1, 900, 900, 900 }, { 0, 9, 1, 100, 100, 100 },
        { 10, 0, 0, 0, 0, 0 },      { 0, 10, 0, 0, 0, 0 },     { 5, 5, 0, 0, 0, 0 }, { 99, 99, 0, 0, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool there;
        sf_latency l = latency_of(tracked(cases[i].skip, cases[i].discard, 0), &c, 10, &there);
        if (l.count != cases[i].count || l.min != cases[i].min || l.mean != cases[i].mean || l.max != cases[i].max) {
            fail_msg("skip %u, discard %u: %d from %d to %d, mean %d", cases[i].skip, cases[i].discard, (int)l.count,
                     (int)l.min, (int)l.max, (int)l.mean);
        }
    }
}
static void strictly_below_the_threshold(void **state)       /* does not count */
{
    static const cost c = { { 29, 30, 31, 5, 400, 0 } };
    bool there;
    sf_latency l = latency_of(tracked(0, 0, 30), &c, 6, &there);
    (void)state;
    CHECK(there);
    CHECK_EQUAL(l.count, 3);
    CHECK_EQUAL(l.min, 30);
    CHECK_EQUAL(l.max, 400);
}
static void each_path_skips_its_own(void **state)            /* two sources, one sink that takes what comes */
{
    sf_flow *f = tracked(2, 0, 0);
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = spend_and_take, .user = (void *)(uintptr_t)&five,
                                       .in = { IN("x"), IN("y") }, .priority = -2,
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } });
    sf_latency a_latency, b_latency;
    sf_result r;
    (void)state;
    into(f, cost_source(f, "a", &none, 5), c, "x");
    into(f, cost_source(f, "b", &none, 7), c, "y");
    r = drive(f, 1000);
    (void)path_named(f, "a,c", &a_latency);
    (void)path_named(f, "b,c", &b_latency);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    CHECK_EQUAL(a_latency.count, 3);
    CHECK_EQUAL(b_latency.count, 5);
}
static void all_paths_of_a_diamond(void **state) /* a message that has come two ways counts on both */
{
    sf_flow *f = tracked(0, 0, 0);
    sf_op a = cost_source(f, "a", &five, 6), b = cost_pass(f, "b", &five), c = cost_pass(f, "c", &five);
    sf_op d = sf_flow_add(f, &(sf_op_desc){ .name = "d", .compute = spend_and_take, .user = (void *)(uintptr_t)&five,
                                       .in = { IN("x"), IN("y"), IN("z") }, .priority = -2 });
    sf_latency l[3];
    bool there[3];
    sf_result r;
    (void)state;
    connect(f, a, b);
    connect(f, a, c);
    into(f, b, d, "x");
    into(f, c, d, "y");
    into(f, a, d, "z");
    r = drive(f, 1000);
    there[0] = path_named(f, "a,b,d", &l[0]);
    there[1] = path_named(f, "a,c,d", &l[1]);
    there[2] = path_named(f, "a,d", &l[2]);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    for (int i = 0; i < 3; i++) {
        CHECK(there[i]);
        CHECK_EQUAL(l[i].count, 6);
        CHECK_EQUAL(l[i].min, 20);
        CHECK_EQUAL(l[i].max, 20);
    }
}
static sf_result pass_each(sf_context *ctx)
{
    sf_value v = number(0);
    while (sf_available(ctx, 0) > 0) { v = sf_receive_value(ctx, 0); }
    return sf_emit_value(ctx, 0, v);
}
/* Branches that join, and as many sinks; what is too much is counted, and logged once. */
static uint32_t warnings;
static char warning[512];
static void keep_warning(const char *tag, uint32_t level, uint32_t item, const char *text, uint32_t line,
                         const char *file, void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    if (level != 2) { return; }
    warnings++;
    snprintf(warning, sizeof warning, "%s", text);
}
static uint32_t paths_of(bool join, uint32_t branches, sf_flow_info *info)
{
    sf_flow *f = make((sf_flow_desc){ .track.latency = true, .logger.func = keep_warning });
    sf_op a = cost_source(f, "a", &none, 3), all = { 0 };
    sf_result r[2];
    sf_latency l;
    uint32_t whole = 0;
    if (join) {
        all = sf_flow_add(f, &(sf_op_desc){ .name = "all", .compute = pass_each,
                                            .in = { { .name = "in", .many = true } },
                                       .out = { OUT("out") }, .priority = -1 });
        connect(f, all, cost_sink(f, "z", &five));
    }
    for (uint32_t i = 0; i < branches; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        if (join) {
            sf_op b = cost_pass(f, name, &none);
            connect(f, a, b);
            into(f, b, all, "in");
        } else {
            connect(f, a, cost_sink(f, name, &five));
        }
    }
    for (int again = 0; again < 2; again++) {    /* each run counts anew */
        warnings = 0;
        r[again] = drive(f, 5000);
        CHECK_OK(sf_flow_get_info(f, info));
        CHECK_EQUAL(warnings, info->paths_lost != 0);
    }
    for (uint32_t i = 0; sf_flow_get_path(f, i, &l, NULL, 0) == SF_OK; i++) { whole += l.count == 3; }
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r[0], SF_DONE);
    CHECK_IS(r[1], SF_DONE);
    CHECK_EQUAL(whole, info->paths);
    return whole;
}
static void no_path_is_lost_silently(void **state)
{
    sf_flow_info info;
    (void)state;
    CHECK_EQUAL(paths_of(true, 6, &info), 6);
    CHECK_EQUAL(info.paths_lost, 0);
    CHECK_EQUAL(paths_of(true, 16, &info), 16);
    CHECK_EQUAL(info.paths_lost, 0);
    CHECK_EQUAL(paths_of(true, 18, &info), 16);
    CHECK_EQUAL(info.paths_lost, 2 * 3);
    CHECK(strstr(warning, "\"a,b16,all\"") != NULL);
    CHECK_EQUAL(paths_of(false, 64, &info), 64);
    CHECK_EQUAL(info.paths_lost, 0);
    CHECK_EQUAL(paths_of(false, 70, &info), 64);
    CHECK_EQUAL(info.paths_lost, 6 * 3);
    CHECK(strstr(warning, "\"a,b64\"") != NULL);
}
static void every_message_of_a_batch_counts(void **state)
{
    static const cost growing = { { 1, 2, 3, 4, 5, 6 } };
    sf_flow *f = tracked(0, 0, 0);
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = spend_and_take, .user = (void *)(uintptr_t)&five,
                                       .in = { { .name = "in", .batch = 2 } } });
    sf_latency l;
    sf_result r;
    (void)state;
    connect(f, cost_source(f, "a", &growing, 6), b);
    r = drive(f, 1000);
    (void)path_named(f, "a,b", &l);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    CHECK_EQUAL(l.count, 6);                     /* 1 + 2 + 5, 2 + 5; 3 + 4 + 5, 4 + 5; 5 + 6 + 5, 6 + 5 */
    CHECK_EQUAL(l.min, 7);
    CHECK_EQUAL(l.max, 16);
}
static void what_is_read_again_counts_once(void **state)     /* behind LATEST: old values make no latencies */
{
    sf_flow *f = tracked(0, 0, 0);
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = spend_and_take, .user = (void *)(uintptr_t)&five,
                                       .in = { IN("in") }, .priority = 1, .count = 9 });
    sf_latency l;
    sf_result r;
    (void)state;
    CHECK_OK(sf_flow_connect(f, cost_source(f, "a", &none, 1), NULL, b, NULL,
                        &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    r = drive(f, 1000);
    (void)path_named(f, "a,b", &l);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    CHECK_EQUAL(l.count, 1);
    CHECK_EQUAL(l.max, 5);
}
static sf_result spend_and_filter(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    spend(ctx);
    return v.i64 & 1 ? SF_OK : sf_emit_value(ctx, 0, v);
}
static void paths_end_where_nobody_comes_after(void **state) /* not where a message is dropped */
{
    sf_flow *f = tracked(0, 0, 0);
    sf_op a = cost_source(f, "a", &none, 6), c = cost_pass(f, "c", &five);
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = spend_and_filter,
                                            .user = (void *)(uintptr_t)&five,
                                       .in = { IN("in") }, .out = { OUT("out") } });
    sf_latency l;
    sf_flow_info info;
    sf_result r;
    bool there;
    (void)state;
    connect(f, a, b);
    connect(f, b, c);                            /* c emits, but nobody listens */
    r = drive(f, 1000);
    there = path_named(f, "a,b,c", &l);
    CHECK_OK(sf_flow_get_info(f, &info));
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    CHECK(there);
    CHECK_EQUAL(l.count, 3);
    CHECK_EQUAL(info.paths, 1);
}
static void a_cycle_is_a_path(void **state)      /* "a,b,a": from the begin of a to when the message is there again */
{
    static const cost three = { { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 } };
    sf_flow *f = tracked(0, 0, 0);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = spend_and_pass, .user = (void *)(uintptr_t)&five,
                                       .in = { IN("in") }, .out = { OUT("out") }, .count = 200 });
    sf_op b = cost_pass(f, "b", &three);
    sf_latency l;
    sf_flow_info info;
    sf_result r;
    bool there;
    (void)state;
    connect(f, a, b);
    CHECK_OK(sf_flow_connect(f, b, NULL, a, NULL, &(sf_edge_desc){ .delay = 1 }));
    r = drive(f, 1000);
    there = path_named(f, "a,b,a", &l);
    CHECK_OK(sf_flow_get_info(f, &info));
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    CHECK(there);
    CHECK_EQUAL(l.count, 199);
    CHECK_EQUAL(l.min, 8);
    CHECK_EQUAL(l.max, 8);
    CHECK_EQUAL(info.paths, 1);
}
static void the_last_ones_are_the_last(void **state)         /* below the threshold or not, as the first ones are */
{
    static const cost c = { { 100, 100, 100, 100, 100, 10, 10, 10 } };
    static const struct { uint32_t skip, discard; int64_t threshold; uint64_t count; } cases[] = {
        { 0, 0, 50, 5 }, { 0, 3, 50, 5 }, { 0, 4, 50, 4 }, { 3, 0, 50, 2 }, { 3, 4, 50, 1 }, { 0, 3, 0, 5 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool there;
        sf_latency l = latency_of(tracked(cases[i].skip, cases[i].discard, cases[i].threshold), &c, 8, &there);
        if (l.count != cases[i].count || l.min != 100) { fail_msg("case %zu: %d", i, (int)l.count); }
    }
}
static void the_path_of_a_long_chain(void **state)
{
    enum { LONG = 100 };
    sf_flow *f = tracked(0, 0, 0);
    sf_op last = cost_source(f, "a", &five, 3), z = cost_sink(f, "z", &five);
    sf_latency l;
    static char name[2048];
    uint32_t commas = 0;
    sf_result r, path;
    (void)state;
    for (int i = 0; i < LONG; i++) {
        sf_op b = cost_pass(f, NULL, &none);
        connect(f, last, b);
        last = b;
    }
    connect(f, last, z);
    r = drive(f, 5000);
    path = sf_flow_get_path(f, 0, &l, name, sizeof name);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(r, SF_DONE);
    CHECK_OK(path);
    for (const char *c = name; *c; c++) { commas += *c == ','; }
    CHECK_EQUAL(commas, LONG + 1);
    CHECK(!strncmp(name, "a,op2,op3,", 10) && !strcmp(name + strlen(name) - 2, ",z"));
    CHECK_EQUAL(l.count, 3);
}
static void no_tracking_no_paths(void **state)
{
    sf_flow *f = clocked();
    sf_flow_info info;
    sf_latency l;
    (void)state;
    connect(f, source(f, 3), sink(f, 1));
    CHECK_IS(drive(f, 100), SF_DONE);
    CHECK_OK(sf_flow_get_info(f, &info));
    CHECK_EQUAL(info.paths, 0);
    CHECK_IS(sf_flow_get_path(f, 0, &l, NULL, 0), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_flow_destroy(f));
}

/* -- deadlocks -- */

static sf_result swallow(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
static sf_result answered(sf_context *ctx)
{
    sf_receive_value(ctx, 0), sf_receive_value(ctx, 1);
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run });
}
static void three_for_one_answer(sf_flow *f)     /* "asks" needs an answer to go on, and gets none */
{
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "asks", .compute = answered, .in = { IN("in"), IN("answer") },
                                       .out = { { .name = "out" } } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "mute", .compute = swallow, .in = { IN("in") },
                                            .out = { { .name = "out" } } });
    CHECK_OK(sf_flow_connect(f, source(f, 3), NULL, b, "in", NULL));
    connect(f, b, c);
    CHECK_OK(sf_flow_connect(f, c, NULL, b, "answer", &(sf_edge_desc){ .delay = 1 }));
}
static void a_deadlock_before_the_time_is_over(void **state) /* is one; however the flow is driven */
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        sf_flow *f = make((sf_flow_desc){ .max_duration = 1000000 });
        sf_result r;
        char text[512];
        three_for_one_answer(f);
        if (how == 0) {
            r = drive(f, 100);
        } else if (how == 1) {
            r = sf_flow_run(f);
        } else {
            CHECK_OK(sf_flow_start(f));
            r = sf_flow_wait(f, GUARD);
        }
        snprintf(text, sizeof text, "%s", sf_flow_failure(f)->text);
        (void)sf_flow_destroy(f);
        CHECK_IS(r, SF_ERROR_DEADLOCK);
        CHECK(strstr(text, "asks waits for messages on \"answer\" from mute (0 of 1)"));
    }
}
static void deadlocks_have_time(void **state)    /* deadlock_timeout, on the flow's clock; below 0 for ever */
{
    sf_flow *f = make((sf_flow_desc){ .deadlock_timeout = 50 });
    int64_t wake;
    (void)state;
    three_for_one_answer(f);
    for (int i = 0; i < 4; i++) { CHECK_OK(sf_flow_step(f, &wake)); }
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, 150);
    my_time = 149;
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, 150);
    my_time = 150;
    CHECK_IS(sf_flow_step(f, &wake), SF_ERROR_DEADLOCK);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_DEADLOCK);
    f = make((sf_flow_desc){ .deadlock_timeout = -1 });
    three_for_one_answer(f);
    CHECK_IS(drive(f, 100), SF_IDLE);
    my_time += SF_MS(1000000);
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, -1);
    CHECK_OK(sf_flow_stop(f));
    end_is(f, SF_DONE);
}
static void deadlocks_in_simulated_time(void **state)        /* the clock jumps there */
{
    sf_flow *f = make((sf_flow_desc){ .clock.simulated = true, .deadlock_timeout = 50 });
    sf_result r;
    int64_t now;
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .period = 10, .count = 3 });
    three_for_one_answer(f);
    r = drive(f, 100);
    now = sf_flow_now(f);
    (void)sf_flow_destroy(f);
    CHECK_IS(r, SF_ERROR_DEADLOCK);
    CHECK_EQUAL(now, 70);
}

/* -- the longest duration -- */

static sf_result ten_later(sf_context *ctx) { return (void)ctx, my_time += 10, SF_OK; }
static void nothing_begins_after_the_end(void **state)       /* of an operator that is always ready; in each run */
{
    sf_flow *f = make((sf_flow_desc){ .max_duration = 50 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = ten_later });
    uint64_t runs[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        CHECK_IS(drive(f, 100), SF_DONE);
        runs[i] = runs_of(f, a);
    }
    CHECK_OK(sf_flow_destroy(f));
    CHECK_EQUAL(runs[0], 5);
    CHECK_EQUAL(runs[1], 5);
}
static void the_end_of_a_paused_flow(void **state)
{
    sf_flow *f = make((sf_flow_desc){ .max_duration = 50 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
    sf_result r;
    int64_t wake = 0;
    (void)state;
    CHECK_OK(sf_flow_step(f, &wake));
    CHECK_OK(sf_flow_pause(f, true));
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    my_time = 150;
    r = sf_flow_step(f, NULL);
    CHECK_EQUAL(runs_of(f, a), 1);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_EQUAL(wake, 150);
    CHECK_IS(r, SF_DONE);
}
static void the_end_of_one_that_waits(void **state)          /* for a signal that does not come */
{
    (void)state;
    for (int simulate = 0; simulate < 2; simulate++) {
        sf_flow *f = make((sf_flow_desc){ .clock.simulated = simulate, .max_duration = 100 });
        sf_result r;
        int64_t now, begin = simulate ? 0 : 100;
        sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .when = { { .kind = SF_CONDITION_SIGNAL } } });
        sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .period = 30, .count = 2 });
        r = drive(f, 100);
        now = sf_flow_now(f);
        CHECK_OK(sf_flow_destroy(f));
        CHECK_IS(r, SF_DONE);
        CHECK_EQUAL(now, begin + 100);
    }
}

/* -- stop and pause -- */

static sf_result pause_at_two(sf_context *ctx)
{
    sf_result r = ctx->run == 2 ? sf_flow_pause(ctx->flow, true) : SF_OK;
    return r < 0 ? r : count_up(ctx);
}
static void paused_from_inside(void **state)
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = pause_at_two, .out = { OUT("out") }, .count = 6 });
    int64_t wake;
    (void)state;
    connect(f, a, sink(f, 1));
    CHECK_IS(drive(f, 100), SF_IDLE);
    CHECK_EQUAL(runs_of(f, a), 3);
    CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
    CHECK_EQUAL(wake, -1);
    CHECK_EQUAL(info_of(f, a).state, SF_OP_PAUSED);
    CHECK_OK(sf_flow_pause(f, false));
    end_is(f, SF_DONE);
    check_counts(1, 1, 6);
}
static void missed_in_a_pause(void **state)      /* the same as missed otherwise; from 104 to 145 */
{
    static const struct { sf_catch_up policy; long long at[6]; uint32_t count; } cases[] = {
        { SF_CATCH_UP_MISSED, { 100, 145, 145, 145, 145, 150 }, 6 },
        { SF_CATCH_UP_MIN_BETWEEN, { 100, 145, 155 }, 3 },
        { SF_CATCH_UP_SKIP_MISSED, { 100, 145, 150 }, 3 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = clocked();
        sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .count = cases[i].count,
                                 .when = { { .kind = SF_CONDITION_PERIOD, .ns = 10,
                                             .catch_up = (uint8_t)cases[i].policy } } });
        notes_clear();
        CHECK_OK(sf_flow_step(f, NULL));
        my_time = 104;
        CHECK_OK(sf_flow_pause(f, true));
        my_time = 145;
        CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
        CHECK_OK(sf_flow_pause(f, false));
        end_is(f, SF_DONE);
        check_notes(1, cases[i].at, cases[i].count);
    }
}
static void stopped_in_a_pause(void **state)
{
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing });
    (void)state;
    CHECK_OK(sf_flow_step(f, NULL));
    CHECK_OK(sf_flow_pause(f, true));
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
    CHECK_EQUAL(runs_of(f, a), 1);
    CHECK_OK(sf_flow_pause(f, false));
    CHECK_OK(sf_flow_destroy(f));
}
static sf_op neighbour;
static sf_result stop_one(sf_context *ctx)       /* in run 2, whoever `neighbour` is */
{
    sf_result r = ctx->run == 2 ? sf_op_stop(ctx->flow, neighbour) : SF_OK;
    return r < 0 ? r : SF_OK;
}
static void operators_stop_operators(void **state)           /* themselves, or one another: no compute more */
{
    (void)state;
    for (int self = 0; self < 2; self++) {
        sf_flow *f = clocked();
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = stop_one, .count = self ? 0 : 5 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = self ? 5 : 0 });
        neighbour = self ? a : b;
        CHECK_IS(drive(f, 100), SF_DONE);
        CHECK_EQUAL(runs_of(f, a), self ? 3 : 5);
        CHECK_EQUAL(runs_of(f, b), self ? 5 : 2);
        CHECK_OK(sf_flow_destroy(f));
    }
}
static void count_release(void *data, void *user) { (void)data, test_add((uint32_t *)user, 1); }
static void stopped_with_messages(void **state)  /* which are released unseen, once */
{
    static uint32_t words[4], released;
    sf_flow *f = clocked();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor,
                                       .in = { { .name = "in", .external = true, .capacity = 4 } } });
    (void)state;
    released = 0;
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(sf_flow_push(f, a, 0, sf_tensor_wrap(f, &(sf_tensor_desc){ .data = &words[i], .shape = { 4 },
                                                                       .memory = SF_MEMORY_HOST,
                                                                       .release = count_release,
                                                                       .user = &released })));
    }
    CHECK_OK(sf_flow_step(f, NULL));
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
    CHECK_EQUAL(runs_of(f, a), 1);
    CHECK_EQUAL(test_load(&released), 4);
    CHECK_OK(sf_flow_destroy(f));
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(periods_that_wait_for_messages), TEST(a_rate), TEST(a_target_of_one_s_own),
        TEST(paused_by_another_operator), TEST(a_pause_loses_nothing), TEST(a_signal_is_for_one_message),
        TEST(signals_before_the_start),
        TEST(work_of_another_thread),
        TEST(a_batch_on_each_port_or_a_time), TEST(so_many_or_a_time), TEST(either_port),
        TEST(leftovers_of_either_port), TEST(expiring_ones_that_stay), TEST(expiring_on_two_ports),
        TEST(expiring_pushes),
        TEST(five_outputs_into_one_input), TEST(room_on_one_output), TEST(each_edge_has_a_policy),
        TEST(refused_and_on_it_goes), TEST(the_latest_value),
        TEST(a_signal_or_a_time), TEST(count_or_messages), TEST(one_never_is_enough),
        TEST(in_sequence), TEST(one_branch_or_the_other), TEST(a_loop_that_streams),
        TEST(a_loop_entered_from_outside), TEST(messages_that_go_round),
        TEST(a_route_ends_with_its_compute), TEST(messages_and_turns_are_routed),
        TEST(routes_to_nobody), TEST(no_routes_before_the_start),
        TEST(a_turn_for_nobody), TEST(a_turn_and_a_message),
        TEST(subflows), TEST(subflows_of_subflows),
        TEST(metadata_of_many), TEST(metadata_in_order_of_receipt), TEST(metadata_of_a_batch),
        TEST(metadata_beyond_its_room),
        TEST(metadata_goes_with_its_message), TEST(a_clash_may_be_ignored),
        TEST(tried_again_at_once), TEST(tried_again_with_what_it_had), TEST(tried_again_with_its_turn),
        TEST(no_turn_after_an_error),
        TEST(each_operator_has_a_policy), TEST(an_error_before_the_start), TEST(the_last_words),
        TEST(loops_end_after_an_error),
        TEST(states), TEST(as_if_it_were_new), TEST(three_ways_in_turn),
        TEST(a_stop_does_not_outlive_its_run),
        TEST(end_to_end), TEST(percentiles), TEST(the_first_and_the_last_do_not_count),
        TEST(strictly_below_the_threshold), TEST(each_path_skips_its_own), TEST(all_paths_of_a_diamond),
        TEST(no_path_is_lost_silently), TEST(percentiles_of_long_times), TEST(the_last_ones_are_the_last),
        TEST(every_message_of_a_batch_counts), TEST(what_is_read_again_counts_once),
        TEST(paths_end_where_nobody_comes_after), TEST(a_cycle_is_a_path), TEST(the_path_of_a_long_chain),
        TEST(no_tracking_no_paths),
        TEST(a_deadlock_before_the_time_is_over), TEST(deadlocks_have_time), TEST(deadlocks_in_simulated_time),
        TEST(nothing_begins_after_the_end), TEST(the_end_of_a_paused_flow), TEST(the_end_of_one_that_waits),
        TEST(paused_from_inside), TEST(missed_in_a_pause), TEST(stopped_in_a_pause),
        TEST(operators_stop_operators), TEST(stopped_with_messages),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("upstream", tests, NULL, NULL);
}
