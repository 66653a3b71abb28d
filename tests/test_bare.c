/*  test_bare.c - bare metal: no libc, no threads, no clock but the user's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"

static int64_t my_time;
static int64_t my_clock(void *user) { return (void)user, my_time += SF_MS(1); }
static sf_result nothing(sf_context *ctx) { return (void)ctx, SF_OK; }
static sf_result take(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }

/* What waits for a time is refused where there is none: it would wait for ever. */
static void time_needs_a_clock(void **state)
{
    static _Alignas(16) unsigned char memory[32768];
    static const struct { sf_condition when; int64_t period, max_duration; bool refused; } cases[] = {
        { .period = SF_MS(3), .refused = true },
        { .when = { .kind = SF_CONDITION_PERIOD, .ns = SF_MS(3) }, .refused = true },
        { .when = { .kind = SF_CONDITION_TIME, .ns = SF_MS(3) }, .refused = true },
        { .when = { .kind = SF_CONDITION_MESSAGES, .count = 1, .ns = SF_MS(3) }, .refused = true },
        { .when = { .kind = SF_CONDITION_EXPIRING, .count = 2, .ns = SF_MS(3) }, .refused = true },
        { .max_duration = SF_MS(3), .refused = true },
        { .when = { .kind = SF_CONDITION_MESSAGES, .count = 1 } },
        { .when = { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY } },
        { .when = { .kind = 0 } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int how = 0; how < 3; how++) {                  /* no clock, one, a simulated one */
            sf_flow_desc d = { .memory = { memory, sizeof memory }, .limits = { .ops = 2, .edges = 1, .messages = 4 },
                               .max_duration = cases[i].max_duration };
            sf_op_desc o = { .name = "late", .compute = nothing, .count = 2, .period = cases[i].period };
            sf_flow *f;
            sf_op late;
            sf_result r;
            o.when[0] = cases[i].when;
            if (cases[i].when.kind == SF_CONDITION_MESSAGES || cases[i].when.kind == SF_CONDITION_EXPIRING) {
                o.in[0] = (sf_port){ .name = "in", .capacity = 4, .external = true };
                o.compute = take;
            }
            if (how == 1) { d.clock.now = my_clock; }
            d.clock.simulated = how == 2;
            f = sf_flow_create(&d);
            CHECK(f != NULL);
            late = sf_flow_add(f, &o);
            r = sf_flow_check(f, false, NULL, NULL);
            if (how == 0 && cases[i].refused) {
                CHECK_IS(r, SF_ERROR_INVALID_VALUE);
                CHECK_IS(sf_flow_step(f, NULL), SF_ERROR_INVALID_VALUE);
                CHECK(strstr(sf_flow_failure(f)->text, "clock.now") != NULL);
            } else {
                CHECK_OK(r);
                for (int k = 0; k < 2 && o.in[0].name; k++) {
                    CHECK_OK(sf_flow_push_value(f, late, 0, (sf_value){ .u64 = 1 }));
                }
                for (int k = 0; k < 40 && (r = sf_flow_step(f, NULL)) >= 0 && r != SF_DONE; k++) {}
                CHECK(r >= 0);
                CHECK(sf_flow_stop(f) >= 0);
            }
            (void)sf_flow_destroy(f);
        }
    }
}

/* Values of an interrupt, the newest first of all, and what became of each. */
static sf_value newest;
static sf_result take_newest(sf_context *ctx) { return newest = sf_receive_value(ctx, 0), SF_OK; }
static void the_newest_of_an_interrupt(void **state)
{
    static _Alignas(16) unsigned char memory[8192];
    const sf_flow_desc d = { .memory = { memory, sizeof memory }, .limits = { .ops = 1, .messages = 3 } };
    sf_flow *f = sf_flow_create(&d);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = take_newest, .in = { { .name = "in",
        .external = true, .overflow = SF_OVERFLOW_LATEST, .tickets = true } } });
    sf_ticket tickets[4];
    sf_fate fate = SF_FATES;
    (void)state;
    if (sf_flow_start(f) < 0) { fail_msg("%s", sf_flow_failure(f)->text); }
    for (uint32_t i = 0; i < 4; i++) {
        CHECK_OK(sf_flow_push_message(f, a, 0, &(sf_message){ .value = { .u64 = i }, .time = 5, .ticket = &tickets[i] }));
    }
    CHECK_OK(sf_ticket_wait(f, &tickets[3], SF_FOREVER, &fate));
    CHECK_EQUAL(fate, SF_FATE_DELIVERED);
    CHECK_EQUAL(newest.u64, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_OK(sf_ticket_wait(f, &tickets[i], 0, &fate));
        CHECK_EQUAL(fate, SF_FATE_OVERFLOW);
    }
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, SF_FOREVER));
    CHECK_OK(sf_flow_destroy(f));
}

/* Another flow in the same memory has other ids. */
static void ids_end_with_their_flow(void **state)
{
    static _Alignas(16) unsigned char memory[32768];
    const sf_flow_desc d = { .memory = { memory, sizeof memory }, .limits = { .ops = 2, .edges = 1, .messages = 4 } };
    const sf_op_desc o = { .compute = nothing };
    sf_op old = { 0 };
    (void)state;
    for (int k = 0; k < 4095; k++) {
        sf_flow *f = sf_flow_create(&d);
        sf_op_info info;
        sf_op id = sf_flow_add(f, &o);
        CHECK_OK(sf_op_get_info(f, id, &info));
        CHECK_IS(sf_op_get_info(f, old, &info), SF_ERROR_UNKNOWN_OPERATOR);
        if (k == 0) { old = id; }            /* that of the first one, to the end */
        CHECK_OK(sf_flow_destroy(f));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_end_with_their_flow),
        cmocka_unit_test(time_needs_a_clock),
        cmocka_unit_test(the_newest_of_an_interrupt),
    };
    test_arguments_of_host(argc, argv);
    return cmocka_run_group_tests_name("bare", tests, NULL, NULL);
}
