/*  test_flow_conditions.c - when operators run: counts, messages, room, signals, times, conditions of the
    user's, and one of several. Times are exact: the clock is simulated, or the test's own. */
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

static sf_flow *simulated(void)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
    CHECK(f != NULL);
    return f;
}
/* Notes the time; what each does with its messages, too. */
static sf_result tick(sf_context *ctx) { return note_down(id_of(ctx), sf_flow_now(ctx->flow)), SF_OK; }
static sf_result emit_tick(sf_context *ctx) { return tick(ctx), count_up(ctx); }
static int64_t heard[4];
static bool on_threads;
static sf_result take_all(sf_context *ctx) /* time * 100 + how many there were on all ports */
{
    int n = 0;
    for (int p = 0; p < 3; p++) {
        while (sf_available(ctx, p)) { (void)sf_receive_value(ctx, p), n++; }
    }
    note_down(id_of(ctx), sf_flow_now(ctx->flow) * 100 + n);
    return SF_OK;
}
static sf_op periodic_source(sf_flow *f, int id, int64_t period, uint64_t count)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "source",
                                    .compute = emit_tick,
                                    .user = &ids[id],
                                    .out = { OUT("out") },
                                    .period = period,
                                    .count = count });
}

/* -- counts -- */

static void counts(void **state)
{
    sf_flow *f = simulated();
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[0], .count = 3 }), b, c;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                                 .user = &ids[1],
                                 .when = { { .kind = SF_CONDITION_COUNT, .count = 4 } } });
    c = sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                                 .user = &ids[2],
                                 .count = 9,
                                 .when = { { .kind = SF_CONDITION_COUNT, .count = 2 } } });
    for (int again = 0; again < 2; again++) {                /* the count begins anew with each run */
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, a), 3);
        CHECK_EQUAL(runs_of(f, b), 4);
        CHECK_EQUAL(runs_of(f, c), 2);
    }
    destroy(f);
}

/* -- times -- */

static void periods(void **state)
{
    sf_flow *f = simulated();
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .period = 3, .count = 6 });
    sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                             .user = &ids[2],
                             .when = { { .kind = SF_CONDITION_PERIOD, .ns = 5 } },
                             .count = 4 });
    for (int again = 0; again < 2; again++) {
        notes_clear();
        run_is(f, SF_OK);
        CHECK_NOTES(1, 0, 3, 6, 9, 12, 15);                  /* the first at once */
        CHECK_NOTES(2, 0, 5, 10, 15);
        for (uint32_t i = 1; i < note_count; i++) { CHECK(notes[i].what >= notes[i - 1].what); }
    }
    destroy(f);
}
static int64_t my_time;
static int64_t my_clock(void *user) { return (void)user, my_time; }
static void missed_periods(void **state) /* late at 35, with a period of 10 from 1000 on */
{
    static const struct { sf_catch_up policy; long long ticks[8]; uint32_t count; int64_t wake; } cases[] = {
        { SF_CATCH_UP_MISSED, { 1000, 1035, 1035, 1035, 1040 }, 5, 1050 },
        { SF_CATCH_UP_MIN_BETWEEN, { 1000, 1035, 1045 }, 3, 1055 },
        { SF_CATCH_UP_SKIP_MISSED, { 1000, 1035, 1040 }, 3, 1050 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = my_clock });
        int64_t wake;
        notes_clear();
        my_time = 1000;
        sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                                 .user = &ids[1],
                                 .when = { { .kind = SF_CONDITION_PERIOD,
                                             .ns = 10,
                                             .catch_up = (uint8_t)cases[i].policy } } });
        CHECK_OK(sf_flow_step(f, &wake));
        CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
        CHECK_EQUAL(wake, 1010);
        my_time = 1035;
        while (sf_flow_step(f, &wake) == SF_OK) {}
        my_time = wake;
        while (sf_flow_step(f, &wake) == SF_OK) {}
        CHECK_EQUAL(wake, cases[i].wake);
        check_notes(1, cases[i].ticks, cases[i].count);
        CHECK_OK(sf_flow_stop(f));
        CHECK_IS(sf_flow_step(f, &wake), SF_DONE);
        destroy(f);
    }
}
/* Periods go by when a compute began: what it took, or another condition that let it run earlier, moves none. */
static int64_t takes;
static sf_result tick_and_take(sf_context *ctx)
{
    (void)tick(ctx);
    my_time += takes;
    return SF_OK;
}
static void periods_of_slow_computes(void **state)
{
    static const struct { sf_catch_up policy; long long ticks[8]; } cases[] = {
        { SF_CATCH_UP_MISSED, { 0, 10, 20, 30, 40, 50, 60, 70 } },
        { SF_CATCH_UP_MIN_BETWEEN, { 0, 10, 20, 30, 40, 50, 60, 70 } },
        { SF_CATCH_UP_SKIP_MISSED, { 0, 10, 20, 30, 40, 50, 60, 70 } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = my_clock });
        int64_t wake;
        notes_clear();
        my_time = 0;
        takes = 4;
        sf_flow_add(f, &(sf_op_desc){ .compute = tick_and_take, .user = &ids[1],
                                 .when = { { .kind = SF_CONDITION_PERIOD, .ns = 10, .catch_up = (uint8_t)cases[i].policy } } });
        while (my_time < 80) {
            int64_t before = my_time;
            while (my_time < 80 && sf_flow_step(f, &wake) == SF_OK) {}
            if (my_time == before) { my_time++; }
        }
        check_notes(1, cases[i].ticks, 8);
        destroy(f);
    }
}
static void a_run_before_its_time(void **state)  /* by a signal at 9, until 14: the period of 10 has not been used up */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = my_clock });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = tick_and_take, .user = &ids[1],
                                       .when = { { .kind = SF_CONDITION_PERIOD, .ns = 10, .any = 1 },
                                                 { .kind = SF_CONDITION_SIGNAL, .any = 1 } } });
    int64_t wake;
    (void)state;
    notes_clear();
    my_time = takes = 0;
    while (sf_flow_step(f, &wake) == SF_OK) {}
    my_time = 9;
    takes = 5;
    CHECK_OK(sf_flow_signal(f, a, 1, SF_READY));
    CHECK_OK(sf_flow_step(f, &wake));
    takes = 0;
    for (my_time = 14; my_time <= 40; my_time++) {
        while (sf_flow_step(f, &wake) == SF_OK) {}
    }
    CHECK_NOTES(1, 0, 9, 14, 20, 30, 40);
    destroy(f);
}
/* What lies beyond the end of time never comes, and the clock may begin before zero. */
static sf_result tick_of_all(sf_context *ctx)
{
    while (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    return tick(ctx);
}
static void times_without_end(void **state)
{
    static const struct { sf_condition when; uint32_t runs; } cases[] = {
        { { .kind = SF_CONDITION_PERIOD, .catch_up = SF_CATCH_UP_MISSED }, 1 },
        { { .kind = SF_CONDITION_PERIOD, .catch_up = SF_CATCH_UP_MIN_BETWEEN }, 1 },
        { { .kind = SF_CONDITION_PERIOD, .catch_up = SF_CATCH_UP_SKIP_MISSED }, 1 },
        { { .kind = SF_CONDITION_TIME }, 0 },
        { { .kind = SF_CONDITION_MESSAGES, .count = 3 }, 2 },
        { { .kind = SF_CONDITION_EXPIRING, .count = 3 }, 2 },
    };
    static const int64_t begins[] = { 1000, -1000, INT64_MAX - 1, INT64_MIN };
    (void)state;
    for (size_t i = 0; i < COUNT(cases) * COUNT(begins); i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .clock.now = my_clock, .deadlock_timeout = INT64_MAX, .max_duration = INT64_MAX });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 6 }), b;
        sf_op_desc d = { .compute = tick_of_all, .user = &ids[1], .in = { { .name = "in", .capacity = 3 } } };
        int64_t wake;
        d.when[0] = cases[i % COUNT(cases)].when;
        d.when[0].ns = INT64_MAX;
        d.in[0].optional = d.when[0].kind == SF_CONDITION_PERIOD || d.when[0].kind == SF_CONDITION_TIME;
        b = sf_flow_add(f, &d);
        if (!d.in[0].optional) { connect(f, a, b); }
        my_time = begins[i / COUNT(cases)];
        for (int k = 0; k < 20 && sf_flow_step(f, &wake) == SF_OK; k++) {}
        CHECK_EQUAL(sf_flow_failure(f)->result, SF_OK);
        CHECK_EQUAL(runs_of(f, b), cases[i % COUNT(cases)].runs);
        destroy(f);
    }
}
static sf_result take_both(sf_context *ctx) { return (void)take_value(ctx), take_value(ctx); }
static sf_readiness says_wait(void *user, int64_t now, int64_t *wake)
{
    return (void)user, (void)now, (void)wake, SF_WAIT;
}
static int64_t clock_of_reads(void *user) { return (*(int64_t *)user)++; }
static void times_before_zero(void **state)
{
    int64_t time = -500;
    sf_flow *f = sf_flow_create(&(sf_flow_desc){
        .device = device, .clock = { .now = clock_of_reads, .user = &time }, .deadlock_timeout = 100 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){
        .compute = count_up, .out = { { .name = "out" } }, .period = 20, .count = 3 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = take_both,
                                            .in = { { .name = "in", .capacity = 4, .batch = 2 } } });
    (void)state;
    connect(f, a, b);
    sf_flow_add(f, &(sf_op_desc){ .compute = nothing,
                             .when = { { .kind = SF_CONDITION_USER, .custom = { says_wait, NULL, NULL } } } });
    guarded_run_is(f, SF_ERROR_DEADLOCK, NULL);
    CHECK_EQUAL(runs_of(f, a), 3);
    CHECK(time < 0);                         /* it did not wait for that */
    destroy_is(f, SF_ERROR_DEADLOCK);
}
static void from_a_time_on(void **state)
{
    sf_flow *f = simulated();
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                             .user = &ids[1],
                             .when = { { .kind = SF_CONDITION_TIME, .ns = 70 } },
                             .count = 2 });
    sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                             .user = &ids[2],
                             .when = { { .kind = SF_CONDITION_TIME, .ns = 0 } },
                             .count = 1 });
    sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                             .user = &ids[3],
                             .when = { { .kind = SF_CONDITION_TIME, .ns = 25 } },
                             .period = 10,
                             .count = 3 });
    run_is(f, SF_OK);
    CHECK_NOTES(1, 70, 70);
    CHECK_NOTES(2, 0);
    CHECK_NOTES(3, 25, 25, 25); /* periods from 0 on; what was missed is caught up with */
    destroy(f);
}
/* Once the time has come, no compute reads the clock for it; the next run waits for it again. */
static void a_time_that_has_come(void **state)
{
    int64_t time = 0;
    sf_flow *f = sf_flow_create(
        &(sf_flow_desc){ .device = device, .clock = { .now = clock_of_reads, .user = &time } });
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .count = 1,
                                  .when = { { .kind = SF_CONDITION_TIME, .ns = 40 } } });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1000,
                                            .when = { { .kind = SF_CONDITION_TIME, .ns = 20 },
                                                      { .kind = SF_CONDITION_TIME, .ns = 30 } } });
    for (int again = 0; again < 2; again++) {
        time = 0;
        long long when = 0;
        notes_clear();
        run_is(f, SF_OK);
        CHECK_EQUAL(notes_of(1, &when, 1), 1);
        CHECK(when >= 40);
        CHECK_EQUAL(runs_of(f, b), 1000);
        CHECK(time >= 40 && time < 200);     /* the number of reads */
    }
    destroy(f);
}
/* Whoever asks to be asked again at once, or in the past, holds up no timer. */
static uint32_t asked, asked_by_then;
static sf_readiness ask_again(void *user, int64_t now, int64_t *wake)
{
    *wake = *(const bool *)user ? now : 0;
    return ++asked < 5000 ? SF_WAIT : SF_READY;
}
static sf_result five_times(sf_context *ctx)
{
    if (ctx->run == 4) { asked_by_then = asked; }
    return SF_OK;
}
static void the_past_is_no_reason_to_wait(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bool at_once = k;
        int64_t time = 1000;
        sf_flow *f = sf_flow_create(
            &(sf_flow_desc){ .device = device, .clock = { .now = clock_of_reads, .user = &time } });
        asked = asked_by_then = 0;
        sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1,
                                 .when = { { .kind = SF_CONDITION_USER, .custom = { ask_again, NULL, &at_once } } } });
        sf_flow_add(f, &(sf_op_desc){ .compute = five_times, .count = 5, .period = 20 });
        run_is(f, SF_OK);
        CHECK(asked == 5000 && asked_by_then > 0 && asked_by_then < 1000);
        destroy(f);
    }
}
static void times_of_a_real_clock(void **state) /* not too early; how late is not this test's business */
{
    sf_flow *f = flow_on(device);
    int64_t before = sf_flow_now(NULL);
    long long at[5];
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[1], .period = SF_MS(2), .count = 5 });
    run_is(f, SF_OK);
    CHECK_EQUAL(notes_of(1, at, 5), 5);
    for (int i = 1; i < 5; i++) { CHECK(at[i] - before >= SF_MS(2) * i); }
    destroy(f);
}

/* -- messages -- */

static void messages_of_several_ports(void **state)          /* 3 on x and y together; z as ever */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(
        f, &(sf_op_desc){ .compute = take_all,
                          .user = &ids[5],
                          .in = { { .name = "x", .capacity = 4 }, { .name = "y", .capacity = 4 }, IN("z") },
                          .when = { { .kind = SF_CONDITION_MESSAGES, .ports = 3, .count = 3 } } });
    (void)state;
    CHECK_OK(sf_flow_connect(f, periodic_source(f, 1, 10, 6), NULL, c, "x", NULL));       /* 0 10 20 30 40 50 */
    CHECK_OK(sf_flow_connect(f, periodic_source(f, 2, 25, 3), NULL, c, "y", NULL));       /* 0 25 50 */
    CHECK_OK(sf_flow_connect(f, periodic_source(f, 3, 1, 3), NULL, c, "z", NULL)); /* 0, then when there is room */
    run_is(f, SF_OK);
    CHECK_NOTES(5, 10 * 100 + 4, 30 * 100 + 4, 50 * 100 + 4);
    destroy(f);
}
static sf_result emit_number(sf_context *ctx)                /* its own * 100 + how many before */
{
    return sf_emit_value(ctx, 0, number(*(const int *)ctx->user * 100 + (int64_t)ctx->run));
}
static sf_result take_in_turns(sf_context *ctx)
{
    int n = sf_available(ctx, 0), taken = 0;
    for (; sf_available(ctx, 0); taken++) {
        int64_t v = sf_receive_value(ctx, 0).i64;
        int from = (int)(v / 100 - 1);
        CHECK(from >= 0 && from < 4 && v % 100 == heard[from]++);    /* each one's in order, none twice */
        CHECK(n != 8 || from == taken % 4 || on_threads);    /* a message of each, in turns */
    }
    CHECK_EQUAL(n, taken);
    note_down(9, sf_flow_now(ctx->flow) * 100 + n);
    return SF_OK;
}
static void counted_on_many_edges(void **state)              /* what the condition counts can be received */
{
    (void)state;
    for (int workers = 0; workers < 3; workers += 2) {
        for (int kind = workers > 0; kind < 2; kind++) {     /* with workers more than 8 may be there, and few left */
            sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = !workers,
                                                         .workers = { { .count = workers } } });
            sf_op c;
            notes_clear();
            memset(heard, 0, sizeof heard);
            on_threads = workers > 0;
            c = sf_flow_add(f, &(sf_op_desc){
                              .compute = take_in_turns, .in = { { .name = "x", .many = true, .capacity = 8 } },
                              .when = { { .kind = kind ? SF_CONDITION_EXPIRING : SF_CONDITION_MESSAGES, .count = 8,
                                          .ns = kind ? workers ? SF_MS(5) : SF_MS(1000) : 0 } } });
            for (int i = 1; i < 5; i++) {
                connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = emit_number, .user = &ids[i],
                                                         .out = { OUT("out") },
                                                    .period = workers ? 0 : SF_MS(10), .count = 6 }), c);
            }
            run_is(f, SF_OK);
            if (!workers) { CHECK_NOTES(9, SF_MS(10) * 100 + 8, SF_MS(30) * 100 + 8, SF_MS(50) * 100 + 8); }
            for (int i = 0; i < 4; i++) { CHECK_EQUAL(heard[i], 6); }
            destroy(f);
        }
    }
}
static void a_batch_on_each_port(void **state) /* count 0: batches; the same as without the condition */
{
    for (int with = 0; with < 2; with++) {
        sf_flow *f = simulated();
        sf_op_desc d = { .compute = take_all,
                         .user = &ids[5],
                         .in = { { .name = "x", .batch = 2 }, { .name = "y", .batch = 3 } } };
        sf_op c;
        (void)state;
        notes_clear();
        if (with) { d.when[0].kind = SF_CONDITION_MESSAGES; }
        c = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, periodic_source(f, 1, 10, 4), NULL, c, "x", NULL));   /* 0 10, 20 30 */
        CHECK_OK(sf_flow_connect(f, periodic_source(f, 2, 4, 6), NULL, c, "y", NULL));    /* 0 4 8, ... */
        run_is(f, SF_OK);
        CHECK_NOTES(5, 10 * 100 + 5, 30 * 100 + 5);
        destroy(f);
    }
}
static void a_batch_on_each_edge(void **state) /* that has not ended: its last message goes along */
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        sf_flow *f = simulated();
        sf_op_desc d = { .compute = take_all, .user = &ids[5], .in = { { .name = "x", .many = true, .batch = 2 } } };
        sf_op c;
        notes_clear();
        if (with) { d.when[0].kind = SF_CONDITION_MESSAGES; }
        c = sf_flow_add(f, &d);
        connect(f, periodic_source(f, 1, 10, 3), c);         /* 0 10, 20 */
        connect(f, periodic_source(f, 2, 10, 8), c);
        run_is(f, SF_OK);
        CHECK_NOTES(5, 10 * 100 + 4, 30 * 100 + 3, 50 * 100 + 2, 70 * 100 + 2);
        destroy(f);
    }
}
static void messages_or_a_time(void **state)                 /* 2, or 10 after the last run, even with none */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all,
                                       .user = &ids[5],
                                       .in = { { .name = "x", .capacity = 3 } },
                                       .count = 6,
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .count = 2, .ns = 10 } } });
    (void)state;
    connect(f, periodic_source(f, 1, 4, 5), c);              /* 0 4 8 12 16 */
    run_is(f, SF_OK);
    CHECK_NOTES(5, 402, 1202, 2201);         /* and ends: what is left was one last batch */
    destroy(f);
}
static void expiring_messages(void **state) /* `count`, or the oldest is 10 old, from its arrival on */
{
    static const struct { uint32_t count; long long at[5]; uint32_t runs;
    } cases[] = {
        { 3, { 803, 2002 }, 2 },  /* three at 8; of 12 and 16 ... at 20 the third */
        { 5, { 1003, 2202 }, 2 }, /* 0 is 10 old at 10; 12 at 22 */
        { 1, { 1, 401, 801, 1201, 1601 }, 5 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = simulated();
        sf_op c;
        long long got[8];
        notes_clear();
        c = sf_flow_add(f, &(sf_op_desc){
                          .compute = take_all,
                          .user = &ids[5],
                          .in = { { .name = "x", .capacity = 6 } },
                          .when = { { .kind = SF_CONDITION_EXPIRING, .count = cases[i].count, .ns = 10 } } });
        connect(f, periodic_source(f, 1, 4, 5), c);          /* 0 4 8 12 16 */
        run_is(f, SF_OK);
        if (i == 0) {                                        /* 12 expires at 22, with 16 */
            CHECK_EQUAL(notes_of(5, got, 8), 2);
            CHECK_EQUAL(got[0], 803);
            CHECK_EQUAL(got[1], 2202);
        } else {
            check_notes(5, cases[i].at, cases[i].runs);
        }
        destroy(f);
    }
}
static void more_than_the_queues_hold(void **state)          /* by time, too: the count could never be reached */
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        sf_flow *f = simulated();
        sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = take_all, .user = &ids[5],
                                     .in = { { .name = "x", .capacity = 2 } },
                                     .when = { { .kind = kind ? SF_CONDITION_MESSAGES : SF_CONDITION_EXPIRING,
                                                 .count = 3, .ns = kind < 2 ? 10 : 0 } } });
        connect(f, periodic_source(f, 1, 4, 4), c);
        run_is(f, SF_ERROR_INVALID_VALUE);
        CHECK(strstr(sf_flow_failure(f)->text, "wants a .count of 3, the queue holds 2: raise sf_port.capacity (or sf_edge_desc.capacity)") != NULL);
        destroy_is(f, SF_ERROR_INVALID_VALUE);
    }
}

/* -- room -- */

static sf_result emit_two(sf_context *ctx)
{
    sf_emit_value(ctx, 0, number(2 * (int64_t)ctx->run));
    return sf_emit_value(ctx, 0, number(2 * (int64_t)ctx->run + 1));
}
static void room_for_several(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        sf_flow *f = flow_on(device);
        sf_op_desc d = { .compute = emit_two, .out = { OUT("out") }, .count = 10 };
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b",
                                           .compute = keep_one,
                                           .user = &ids[1],
                                           .in = { { .name = "in", .capacity = 3 } },
                                           .priority = 1 });
        notes_clear();
        if (with) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_ROOM, .count = 2 }; }
        connect(f, sf_flow_add(f, &d), b);
        run_is(f, with ? SF_OK : SF_ERROR_QUEUE_FULL);       /* without it: one place is enough to run */
        if (with) { check_counts(1, 0, 20); }
        CHECK(edge_of(f, b, 0, 0).queued_high <= 3);
        destroy_is(f, with ? SF_OK : SF_ERROR_QUEUE_FULL);
    }
}

static void room_or_an_error(void **state)   /* who asks for room is held up, though the edge does not */
{
    (void)state;
    for (uint16_t capacity = 1; capacity < 4; capacity++) {
        sf_flow *f = simulated();
        sf_op_desc d = { .compute = emit_tick, .user = &ids[1], .out = { OUT("out") }, .count = 10,
                         .when = { { .kind = SF_CONDITION_ROOM, .count = 1 } } };
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[2], .period = 7,
                                           .in = { { .name = "in", .capacity = capacity } } });
        notes_clear();
        CHECK_OK(sf_flow_connect(f, sf_flow_add(f, &d), NULL, b, NULL,
                                 &(sf_edge_desc){ .overflow = SF_OVERFLOW_ERROR }));
        run_is(f, SF_OK);
        check_counts(2, 1, 10);
        CHECK_EQUAL(edge_of(f, b, 0, 0).refused, 0);
        destroy(f);
    }
}

/* -- signals -- */

static void one_compute_per_signal(void **state)             /* thousands of times: no wake-up gets lost */
{
    enum { TIMES = 5000 };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .spin = -1 } } });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .when = { { .kind = SF_CONDITION_SIGNAL } } });
    (void)state;
    CHECK_OK(sf_flow_start(f));
    for (uint64_t i = 0; i < TIMES; i++) {
        int64_t until_time = sf_flow_now(NULL) + GUARD;
        CHECK_EQUAL(runs_of(f, a), i);
        CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));
        while (runs_of(f, a) == i && sf_flow_now(NULL) < until_time) {}
    }
    CHECK_EQUAL(runs_of(f, a), TIMES);
    CHECK_IS(sf_flow_wait(f, 0), SF_TIMEOUT);                     /* it waits for more */
    CHECK_OK(sf_flow_signal(f, a, 0, SF_NEVER));
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_EQUAL(runs_of(f, a), TIMES);
    destroy(f);
}
static sf_result count_me(sf_context *ctx) { return ++*(uint32_t *)ctx->user, SF_OK; }
/* Any few of many operators: exactly those that were signalled run, wherever they lie in the schedule order. */
static void signals_among_many(void **state)
{
    static const uint32_t sizes[] = { 1, 63, 64, 65, 128, 129, 4095, 4096, 4097, 4160, 9000 };
    static uint32_t runs[9000], wanted[9000];
    static sf_op ops[9000];
    rng r = rng_seed(29);
    (void)state;
    for (size_t k = 0; k < COUNT(sizes); k++) {
        uint32_t n = sizes[k], wrong = 0;
        sf_flow *f = flow_on(device);
        sf_result result = SF_OK;
        memset(runs, 0, sizeof runs);
        memset(wanted, 0, sizeof wanted);
        for (uint32_t i = 0; i < n; i++) {
            ops[i] = sf_flow_add(f, &(sf_op_desc){ .compute = count_me, .user = &runs[i],
                                                   .when = { { .kind = SF_CONDITION_SIGNAL } } });
        }
        CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
        for (int round = 0; round < 40; round++) {
            uint32_t few = rng_below(&r, round % 8 ? 6 : 300), first = rng_below(&r, n);
            for (uint32_t i = 0; i < few; i++) {             /* here and there, or side by side */
                uint32_t at = round % 3 ? rng_below(&r, n) : (first + i) % n;
                CHECK_OK(sf_flow_signal(f, ops[at], 0, SF_READY));
                wanted[at] = runs[at] + 1;   /* two signals before a run are one */
            }
            while ((result = sf_flow_step(f, NULL)) == SF_OK) {}
            CHECK_IS(result, SF_IDLE);
            for (uint32_t i = 0; i < n; i++) { wrong += runs[i] != wanted[i]; }
        }
        CHECK_EQUAL(wrong, 0);
        destroy(f);
    }
}
static uint64_t settled(sf_flow *f, sf_op op)                /* its runs, when it runs no more */
{
    uint64_t runs;
    do {
        runs = runs_of(f, op);
        usleep(3000);
    } while (runs_of(f, op) != runs);
    return runs;
}
static void more_than(sf_flow *f, sf_op op, uint64_t runs)
{
    for (int i = 0; i < 60000 && runs_of(f, op) <= runs; i++) { usleep(1000); }
    CHECK(runs_of(f, op) > runs);
}
static void pause_and_resume(void **state) /* again and again, and the rest goes on meanwhile */
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .name = "a",
                          .compute = count_up,
                          .out = { OUT("out") },
                          .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true } } });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = take_value, .in = { IN("in") } });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = nothing, .period = 1000 });
    uint64_t runs;
    (void)state;
    connect(f, a, b);
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 5; i++) {
        more_than(f, a, runs_of(f, a) + 20);
        CHECK_OK(sf_flow_signal(f, a, 0, SF_WAIT));
        more_than(f, c, runs_of(f, c) + 2);  /* by then it has been heard */
        runs = runs_of(f, a);
        more_than(f, c, runs_of(f, c) + 2);
        CHECK_EQUAL(runs_of(f, a), runs);
        CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));
        more_than(f, a, runs);
    }
    CHECK_OK(sf_flow_signal(f, a, 0, SF_NEVER));
    more_than(f, c, runs_of(f, c) + 2);
    for (int i = 0; i < 60000 && runs_of(f, b) < runs_of(f, a); i++) { usleep(1000); }
    CHECK_EQUAL(runs_of(f, b), runs_of(f, a));               /* what it had emitted arrived */
    CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));                  /* too late */
    runs = runs_of(f, a);
    more_than(f, c, runs_of(f, c) + 5);
    CHECK_EQUAL(runs_of(f, a), runs);
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
}
/* An operator that left its message runs again for a message; memory that comes back is no news, even if it asks for
   memory or messages. */
static sf_result keep_the_block(sf_context *ctx)
{
    *(sf_tensor **)ctx->user = sf_tensor_retain(sf_tensor_create(ctx, 0, NULL));
    return SF_OK;
}
static sf_result leave_the_first(sf_context *ctx)            /* of all inputs */
{
    note_down(1, sf_available(ctx, 0) * 10 + sf_available(ctx, 1));
    for (int p = 0; ctx->run && p < 2; p++) {
        while (sf_available(ctx, p)) { (void)sf_receive_value(ctx, p); }
    }
    return SF_OK;
}
static void memory_is_no_news(void **state)
{
    sf_flow *f = flow_on(device);
    sf_tensor *kept = NULL;
    sf_mem_pool *pool;
    sf_op a;
    int64_t wake;
    (void)state;
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 64, .blocks = 1 }, &pool));
    sf_flow_add(f, &(sf_op_desc){ .compute = keep_the_block, .user = &kept, .count = 1,
                                  .out = { { .name = "out", .bytes = 64, .pool = pool } } });
    a = sf_flow_add(f, &(sf_op_desc){ .compute = leave_the_first,
                                      .in = { { .name = "x", .external = true, .capacity = 2 },
                                              { .name = "y", .external = true } },
                                      .out = { { .name = "out", .bytes = 64, .pool = pool } },
                                      .when = { { .kind = SF_CONDITION_MEMORY, .any = 1 },
                                                { .kind = SF_CONDITION_MESSAGES, .ports = 2, .any = 1 } } });
    while (!kept) { CHECK_OK(sf_flow_step(f, &wake)); }
    CHECK_OK(sf_flow_push_value(f, a, 0, number(1)));
    CHECK_OK(sf_flow_push_value(f, a, 1, number(1)));
    while (sf_flow_step(f, &wake) == SF_OK) {}
    CHECK_NOTES(1, 11);                      /* in vain */
    sf_tensor_release(kept);
    while (sf_flow_step(f, &wake) == SF_OK) {}
    CHECK_NOTES(1, 11);
    CHECK_OK(sf_flow_push_value(f, a, 0, number(2)));
    while (sf_flow_step(f, &wake) == SF_OK) {}
    CHECK_NOTES(1, 11, 21);
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_step(f, &wake), SF_DONE);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
/* What comes between two tries of a compute, which leaves all, is news to it. */
static sf_result leave_at_the_second_try(sf_context *ctx)
{
    int *tries = ctx->user;
    note_down(1, sf_available(ctx, 0));
    if (++*tries <= 2) { return *tries == 1 ? SF_ERROR_USER : SF_OK; }
    while (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    return SF_OK;
}
static void news_between_two_tries(void **state)
{
    sf_flow *f = flow_on(device);
    int tries = 0;
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") }, .count = 2 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = leave_at_the_second_try, .user = &tries,
                                            .in = { { .name = "in", .capacity = 4 } },
                                            .on_error = SF_ON_ERROR_RETRY, .retries = 3 });
    (void)state;
    connect(f, a, b);
    run_is(f, SF_OK);
    CHECK_NOTES(1, 1, 1, 2);
    destroy(f);
}
/* Who resumes a paused flow does so between any two of its looks: nothing ends early. The clock that it asks in
   between plays that other thread. */
static struct { sf_flow *flow; int looks, at; bool paused; } pauser;
static int64_t resume_at_a_look(void *user)
{
    (void)user;
    if (pauser.paused && ++pauser.looks == pauser.at) {
        pauser.paused = false;
        CHECK_OK(sf_flow_pause(pauser.flow, false));
    }
    return 1000;
}
static sf_result pause_it(sf_context *ctx)
{
    if (ctx->run == 1) {
        pauser.looks = 0;
        pauser.paused = true;
        CHECK_OK(sf_flow_pause(ctx->flow, true));
    }
    return ctx->user ? count_up(ctx) : SF_OK;
}
static void resumed_between_two_looks(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 6; k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = resume_at_a_look,
                                                     .max_duration = SF_MS(1000) });
        sf_op_desc d = { .compute = pause_it, .count = 5 };
        sf_op a;
        if (k & 1) { d.user = f, d.out[0] = (sf_port)OUT("out"); }
        a = sf_flow_add(f, &d);
        if (k & 1) { connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } })); }
        memset(&pauser, 0, sizeof pauser);
        pauser.flow = f;
        pauser.at = 1 + k / 2;
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, a), 5);
        destroy(f);
    }
}
static void initial_signals(void **state)
{
    static const struct {
        sf_readiness initial;
        uint64_t runs;
    } cases[] = { { SF_READY, 1 }, { SF_NEVER, 0 } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing,
                                           .when = { { .kind = SF_CONDITION_SIGNAL,
                                                       .initial = (uint8_t)cases[i].initial } } });
        for (int again = 0; again < 2; again++) {
            CHECK_OK(sf_flow_start(f));
            if (cases[i].runs) {
                more_than(f, a, 0);
                CHECK_EQUAL(settled(f, a), 1);               /* READY is for one compute */
                CHECK_OK(sf_flow_stop(f));
            }
            CHECK_OK(sf_flow_wait(f, GUARD));
            CHECK_EQUAL(runs_of(f, a), cases[i].runs);
        }
        destroy(f);
    }
}
static void signals_that_mean_nothing(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing,
                                       .count = 1,
                                       .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY },
                                                 { .kind = SF_CONDITION_COUNT, .count = 5 } } });
    (void)state;
    CHECK_IS(sf_flow_signal(f, a, 0, SF_READY), SF_IGNORED);      /* not laid out yet */
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_IS(sf_flow_signal(f, a, 1, SF_READY), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_flow_signal(f, a, 2, SF_READY), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_flow_signal(f, a, -1, SF_READY), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_flow_signal(f, a, 0, (sf_readiness)9), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_flow_signal(f, (sf_op){ a.id + 1 }, 0, SF_READY), SF_ERROR_UNKNOWN_OPERATOR);
    run_is(f, SF_OK);
    CHECK_IS(sf_flow_signal(f, a, 0, SF_READY), SF_IGNORED);      /* over */
    destroy(f);
}

/* -- conditions of the user's -- */

static sf_result done_at_three(sf_context *ctx) { return ctx->run == 2 ? SF_DONE : SF_OK; }
static sf_result fails_at_three(sf_context *ctx) { return ctx->run == 2 ? SF_ERROR_USER : SF_OK; }
typedef struct mine { int64_t next; uint32_t asked, executed; sf_readiness state; } mine;
static sf_readiness every_seven(void *user, int64_t now, int64_t *wake)
{
    mine *m = (mine *)user;
    m->asked++;
    if (m->executed >= 4) { return SF_NEVER; }
    if (now >= m->next) { return SF_READY; }
    *wake = m->next;
    return SF_WAIT;
}
static void seven_later(void *user, int64_t now)
{
    mine *m = (mine *)user;
    note_down(9, now);
    m->executed++;
    m->next = now + 7;
}
static void a_condition_of_the_user_s(void **state)
{
    sf_flow *f = simulated();
    mine m = { .next = 3 };
    (void)state;
    sf_flow_add(f, &(sf_op_desc){
                  .compute = tick,
                  .user = &ids[1],
                  .when = { { .kind = SF_CONDITION_USER, .custom = { every_seven, seven_later, &m } } } });
    sf_flow_add(f, &(sf_op_desc){ .compute = tick, .user = &ids[2], .period = 5, .count = 3 });
    run_is(f, SF_OK);
    CHECK_NOTES(1, 3, 10, 17, 24);
    CHECK_NOTES(9, 3, 10, 17, 24);
    CHECK_NOTES(2, 0, 5, 10);
    CHECK(m.asked < 40);                                     /* asked when it may matter, not all the time */
    destroy(f);
}
static sf_readiness at_any_time(void *user, int64_t now, int64_t *wake)
{
    return (void)user, (void)now, (void)wake, SF_READY;
}
static void told_of_the_last_run(void **state)       /* whatever ends it */
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        static const sf_on_error on_error[] = { SF_ON_ERROR_STOP_FLOW, SF_ON_ERROR_STOP_FLOW, SF_ON_ERROR_IGNORE,
                                                SF_ON_ERROR_STOP_OPERATOR };
        sf_flow *f = simulated();
        mine m = { .next = 0 };
        sf_op op = sf_flow_add(f, &(sf_op_desc){
            .compute = how == 1 ? done_at_three : how == 3 ? fails_at_three : nothing, .count = how == 1 ? 0 : 3,
            .on_error = on_error[how],
            .when = { { .kind = SF_CONDITION_USER, .custom = { at_any_time, seven_later, &m } } } });
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, op), 3);
        CHECK_EQUAL(m.executed, 3);
        destroy(f);
    }
}
static sf_readiness as_told(void *user, int64_t now, int64_t *wake)
{
    mine *m = (mine *)user;
    *wake = now + SF_MS(3600000);            /* this is what keeps the flow alive */
    return (sf_readiness)test_load((const uint32_t *)&m->state);
}
static void back_to_wait(void *user, int64_t now)
{
    (void)now;
    test_store((uint32_t *)&((mine *)user)->state, SF_WAIT);
}
static void asked_again_after_a_signal(void **state)
{
    sf_flow *f = flow_on(device);
    mine m = { .state = SF_WAIT };
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing,
                                       .when = { { .kind = SF_CONDITION_USER,
                                                   .custom = { as_told, back_to_wait, &m } } } });
    (void)state;
    CHECK_OK(sf_flow_start(f));
    for (uint64_t i = 0; i < 500; i++) {
        test_store((uint32_t *)&m.state, SF_READY);
        CHECK_OK(sf_flow_signal(f, a, 0, SF_WAIT)); /* the state is the user's; this only makes it ask */
        more_than(f, a, i);
        while (test_load((uint32_t *)&m.state) != SF_WAIT) { sched_yield(); }    /* it is counted first */
        CHECK_EQUAL(runs_of(f, a), i + 1);
    }
    test_store((uint32_t *)&m.state, SF_NEVER);
    CHECK_OK(sf_flow_signal(f, a, 0, SF_WAIT));
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
}

/* -- one of several -- */

/* A compute leaves its message, so it runs again when its time comes; other messages of its producer, for another
   operator, have it looked at meanwhile. */
static sf_result first_to_both(sf_context *ctx)
{
    sf_result r = ctx->run ? SF_OK : sf_emit_value(ctx, 1, (sf_value){ .u64 = 7 });
    return r < 0 ? r : sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run });
}
static sf_result leave_once(sf_context *ctx)
{
    int64_t *at = (int64_t *)ctx->user;
    if (ctx->run < 2) { at[ctx->run] = sf_flow_now(ctx->flow); }
    if (ctx->run) { at[2] += (int64_t)sf_receive_value(ctx, 0).u64; }
    return SF_OK;
}
static sf_result below_20(sf_context *ctx) { return sf_receive_value(ctx, 0).u64 < 20 ? SF_OK : SF_ERROR_USER; }
static void a_left_message_comes_back_in_time(void **state)
{
    sf_flow *f = simulated();
    int64_t at[3] = { -1, -1, 0 };
    sf_op_desc producer = { .compute = first_to_both, .count = 20, .period = SF_MS(1),
                            .out = { { .name = "a" }, { .name = "b" } } };
    sf_op_desc leaver = { .compute = leave_once, .user = at, .in = { { .name = "in", .capacity = 2 } },
                          .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1, .ns = SF_MS(10) } } };
    sf_op_desc other = { .compute = below_20, .in = { { .name = "in" } } };
    sf_op p = sf_flow_add(f, &producer), b = sf_flow_add(f, &leaver), c = sf_flow_add(f, &other);
    (void)state;
    CHECK_OK(sf_flow_connect(f, p, "a", c, "in", NULL));
    CHECK_OK(sf_flow_connect(f, p, "b", b, "in", NULL));
    CHECK_OK(sf_flow_run(f));
    CHECK_EQUAL(at[1] - at[0], SF_MS(10));
    CHECK_EQUAL(at[2], 7);
    sf_flow_destroy(f);
}
static void either_of_two_counts(void **state)               /* READY beats NEVER; as in GXF if asked for */
{
    (void)state;
    for (int gxf = 0; gxf < 2; gxf++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .gxf_or = gxf });
        sf_op a =
            sf_flow_add(f, &(sf_op_desc){ .compute = nothing,
                                     .when = { { .kind = SF_CONDITION_COUNT, .count = 10, .any = 1 },
                                               { .kind = SF_CONDITION_COUNT, .count = 20, .any = 1 } } });
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, a), gxf ? 10 : 20);
        destroy(f);
    }
}
static void the_earlier_of_two_times(void **state)
{
    sf_flow *f = simulated();
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                             .user = &ids[1],
                             .count = 3,
                             .when = { { .kind = SF_CONDITION_TIME, .ns = 90, .any = 7 },
                                       { .kind = SF_CONDITION_PERIOD, .ns = 20, .any = 7 } } });
    sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                             .user = &ids[2],
                             .count = 1,
                             .when = { { .kind = SF_CONDITION_TIME, .ns = 90, .any = 7 },
                                       { .kind = SF_CONDITION_TIME, .ns = 30, .any = 7 } } });
    sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                             .user = &ids[3],
                             .count = 1, /* and the later one of two that are both wanted */
                             .when = { { .kind = SF_CONDITION_TIME, .ns = 90 },
                                       { .kind = SF_CONDITION_TIME, .ns = 30 } } });
    run_is(f, SF_OK);
    CHECK_NOTES(1, 0, 20, 40);
    CHECK_NOTES(2, 30);
    CHECK_NOTES(3, 90);
    destroy(f);
}
static void a_message_or_a_timer(void **state)               /* a message is not kept waiting for the timer */
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all,
                                       .user = &ids[5],
                                       .in = { { .name = "x", .capacity = 4 } },
                                       .count = 6,
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1, .any = 1 },
                                                 { .kind = SF_CONDITION_PERIOD, .ns = 100, .any = 1 } } });
    (void)state;
    connect(f,
            sf_flow_add(f, &(sf_op_desc){ .compute = count_up,
                                     .out = { OUT("out") },
                                     .count = 2,
                                     .period = 30,
                                     .when = { { .kind = SF_CONDITION_TIME, .ns = 30 } } }),
            c); /* 30 (two of them) */
    run_is(f, SF_OK);
    {
        long long got[8];
        uint32_t messages = 0;
        CHECK_EQUAL(notes_of(5, got, 8), 6);
        CHECK_EQUAL(got[0], 0);                              /* the period's first */
        CHECK_EQUAL(got[1] / 100, 30);
        for (int i = 0; i < 6; i++) { messages += (uint32_t)(got[i] % 100); }
        CHECK_EQUAL(messages, 2);
        CHECK_EQUAL(got[5] % 10000, 0);                      /* then at hundreds */
    }
    destroy(f);
}
static void two_groups(void **state)                         /* (40 or 60) and (50 or never) */
{
    sf_flow *f = simulated();
    sf_op a, b;
    (void)state;
    a = sf_flow_add(f,
               &(sf_op_desc){ .compute = tick,
                              .user = &ids[1],
                              .count = 1,
                              .when = { { .kind = SF_CONDITION_TIME, .ns = 40, .any = 1 },
                                        { .kind = SF_CONDITION_TIME, .ns = 50, .any = 2 },
                                        { .kind = SF_CONDITION_TIME, .ns = 60, .any = 1 },
                                        { .kind = SF_CONDITION_SIGNAL, .initial = SF_NEVER, .any = 2 } } });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = tick,
                                 .user = &ids[2], /* a group of which nothing is left */
                                 .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_NEVER, .any = 1 },
                                           { .kind = SF_CONDITION_COUNT, .count = 3, .any = 1 },
                                           { .kind = SF_CONDITION_PERIOD, .ns = 10 } } });
    CHECK_OK(sf_flow_start(f));
    more_than(f, a, 0);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(1, 50);
    CHECK_NOTES(2, 0, 10, 20);
    CHECK_EQUAL(runs_of(f, b), 3);
    destroy(f);
}
static void four_conditions_and_the_short_ones(void **state)
{
    sf_flow *f = simulated();
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = take_all,
                                       .user = &ids[5],
                                       .in = { { .name = "x", .capacity = 9 } },
                                       .period = 15,
                                       .count = 3,
                                       .when = { { .kind = SF_CONDITION_MESSAGES, .count = 2 },
                                                 { .kind = SF_CONDITION_TIME, .ns = 8 },
                                                 { .kind = SF_CONDITION_STREAM },
                                                 { .kind = SF_CONDITION_COUNT, .count = 9 } } });
    (void)state;
    connect(f, periodic_source(f, 1, 4, 9), c);              /* 0 4 8 ... 32 */
    run_is(f, SF_OK);
    CHECK_NOTES(5, 802, 1502, 3004); /* at 8: the time, before its message; then the period */
    destroy(f);
}

/* -- the end -- */

static void what_keeps_a_flow_alive(void **state)
{
    static const struct { sf_condition c; bool external, alive; } cases[] = {
        { { .kind = SF_CONDITION_SIGNAL }, false, true },
        { { .kind = SF_CONDITION_USER, .custom = { as_told, NULL, NULL } }, false, true },
        { { .kind = SF_CONDITION_NONE }, true, true },
        { { .kind = SF_CONDITION_MESSAGES, .count = 1 }, false, false },
    };
    static mine waits = { .state = SF_WAIT };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_op_desc d = { .compute = nothing,
                         .in = { { .name = "in",
                                   .external = cases[i].external,
                                   .optional = !cases[i].external,
                                   .capacity = 1 } } };
        sf_op b;
        d.when[0] = cases[i].c;
        if (d.when[0].kind == SF_CONDITION_USER) { d.when[0].custom.user = &waits; }
        b = sf_flow_add(f, &d);
        if (!cases[i].external) {
            connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .out = { OUT("out") }, .count = 1 }), b);
        }
        CHECK_OK(sf_flow_start(f));
        if (cases[i].alive) {
            CHECK_IS(sf_flow_wait(f, SF_MS(5)), SF_TIMEOUT);
            CHECK_OK(sf_flow_stop(f));
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(counts),
        TEST(periods),
        TEST(missed_periods),
        TEST(periods_of_slow_computes),
        TEST(a_run_before_its_time),
        TEST(times_without_end),
        TEST(times_before_zero),
        TEST(from_a_time_on),
        TEST(the_past_is_no_reason_to_wait),
        TEST(a_time_that_has_come),
        TEST(times_of_a_real_clock),
        TEST(messages_of_several_ports),
        TEST(counted_on_many_edges),
        TEST(a_batch_on_each_port), TEST(a_batch_on_each_edge),
        TEST(messages_or_a_time),
        TEST(expiring_messages),
        TEST(more_than_the_queues_hold),
        TEST(room_for_several),
        TEST(room_or_an_error),
        TEST(one_compute_per_signal),
        TEST(signals_among_many),
        TEST(pause_and_resume),
        TEST(resumed_between_two_looks),
        TEST(initial_signals),
        TEST(signals_that_mean_nothing),
        TEST(a_condition_of_the_user_s),
        TEST(told_of_the_last_run),
        TEST(asked_again_after_a_signal),
        TEST(either_of_two_counts), TEST(a_left_message_comes_back_in_time),
        TEST(the_earlier_of_two_times),
        TEST(a_message_or_a_timer),
        TEST(two_groups), TEST(memory_is_no_news),
        TEST(news_between_two_tries),
        TEST(four_conditions_and_the_short_ones),
        TEST(what_keeps_a_flow_alive),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("flow conditions", tests, NULL, NULL);
}
