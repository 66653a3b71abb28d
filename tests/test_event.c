/*  test_event.c - events: points in a stream's work, across streams and devices. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"
#include "race.h"

typedef struct setup {
    sf_device *device;
    uint32_t *flag, *data;                   /* 64 and 960 words */
    sf_stream *s[4];
} setup;
static setup begin(int32_t workers)
{
    setup t = { .device = test_open_workers(workers) };
    t.flag = (uint32_t *)test_memory(t.device, 4096);
    t.data = t.flag + 64;
    for (size_t i = 0; i < COUNT(t.s); i++) { t.s[i] = test_stream(t.device); }
    return t;
}

static void a_wait_is_a_snapshot(void **state)
{
    setup t = begin(2);
    sf_event *e = test_event(t.device);
    (void)state;
    CHECK_OK(test_gate(t.s[0], t.flag, 1));
    CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 1, 7, 3000));
    CHECK_OK(sf_event_record(e, t.s[0], 0));
    CHECK_OK(sf_stream_wait_event(t.s[1], e, 0));
    CHECK_OK(test_mix(t.s[1], t.data, NULL, 1, 3, 1, 0));
    CHECK_OK(sf_event_record(e, t.s[2], 0));    /* now it means an idle stream; the wait above does not */
    CHECK_OK(sf_event_synchronize(e, GUARD)); /* at once on the host; a GPU takes microseconds to record */
    CHECK_OK(sf_event_query(e));
    CHECK_IS(sf_stream_query(t.s[1]), SF_NOT_READY);
    CHECK_OK(sf_stream_wait_event(t.s[3], e, 0));            /* and this one waits for the idle stream only */
    CHECK_OK(test_mix(t.s[3], t.data + 1, NULL, 1, 1, 5, 0));
    CHECK_OK(sf_stream_synchronize(t.s[3], GUARD));
    CHECK_EQUAL(t.data[1], 5);
    CHECK_EQUAL(t.data[0], 0);
    test_store(t.flag, 1);
    CHECK_OK(sf_stream_synchronize(t.s[1], GUARD));
    CHECK_EQUAL(t.data[0], 7 * 3 + 1);
    test_close(t.device);
}
static void recording_again_holds_up_nobody(void **state)
{
    setup t = begin(1);
    sf_event *e = test_event(t.device);
    (void)state;
    CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 1, 7, 0));
    CHECK_OK(sf_event_record(e, t.s[0], 0));
    CHECK_OK(sf_stream_wait_event(t.s[1], e, 0));
    CHECK_OK(test_gate(t.s[2], t.flag, 1));
    CHECK_OK(sf_event_record(e, t.s[2], 0));    /* s[1] waits for s[0] still */
    CHECK_OK(test_mix(t.s[1], t.data, NULL, 1, 3, 1, 0));
    CHECK_OK(sf_stream_synchronize(t.s[1], GUARD));
    CHECK_EQUAL(t.data[0], 22);
    CHECK_IS(sf_event_query(e), SF_NOT_READY);
    test_store(t.flag, 1);
    CHECK_OK(sf_event_synchronize(e, GUARD));
    test_close(t.device);
}
static void only_earlier_work_counts(void **state)
{
    setup t = begin(1);
    sf_event *e = test_event(t.device);
    (void)state;
    CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 1, 7, 1000));
    CHECK_OK(sf_event_record(e, t.s[0], 0));
    CHECK_OK(test_gate(t.s[0], t.flag, 1));  /* after the record: nobody has to wait for it */
    CHECK_OK(sf_stream_wait_event(t.s[1], e, 0));
    CHECK_OK(test_mix(t.s[1], t.data, NULL, 1, 3, 1, 0));
    CHECK_OK(sf_event_synchronize(e, GUARD));
    CHECK_OK(sf_stream_synchronize(t.s[1], GUARD));
    CHECK_EQUAL(t.data[0], 22);
    CHECK_IS(sf_stream_query(t.s[0]), SF_NOT_READY);
    test_store(t.flag, 1);
    test_close(t.device);
}
static void never_recorded(void **state)
{
    setup t = begin(1);
    sf_event *e = test_event(t.device);
    float ms;
    (void)state;
    CHECK_OK(sf_event_query(e));
    CHECK_OK(sf_event_synchronize(e, 0));
    CHECK_OK(sf_event_synchronize(e, SF_FOREVER));
    CHECK_OK(sf_stream_wait_event(t.s[0], e, 0));
    CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 1, 7, 0));
    CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
    CHECK_EQUAL(t.data[0], 7);
    CHECK_IS(sf_event_elapsed_ms(e, e, &ms), SF_ERROR_INVALID_HANDLE);
    test_close(t.device);
}
static void destroyed_after_the_wait(void **state)
{
    setup t = begin(2);
    sf_event *e = test_event(t.device), *more[200];
    (void)state;
    CHECK_OK(test_gate(t.s[0], t.flag, 1));
    CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 1, 7, 3000));
    CHECK_OK(sf_event_record(e, t.s[0], 0));
    CHECK_OK(sf_stream_wait_event(t.s[1], e, 0));
    CHECK_OK(test_mix(t.s[1], t.data, NULL, 1, 3, 1, 0));
    CHECK_OK(sf_event_destroy(e));
    for (size_t i = 0; i < COUNT(more); i++) {               /* one of them gets its slot */
        more[i] = test_event(t.device);
        CHECK_OK(sf_event_record(more[i], t.s[2], 0));
        CHECK_OK(sf_event_synchronize(more[i], GUARD));
    }
    CHECK_IS(sf_stream_query(t.s[1]), SF_NOT_READY);
    CHECK_EQUAL(t.data[0], 0);
    test_store(t.flag, 1);
    CHECK_OK(sf_stream_synchronize(t.s[1], GUARD));
    CHECK_EQUAL(t.data[0], 22);
    for (size_t i = 0; i < COUNT(more); i++) { CHECK_OK(sf_event_destroy(more[i])); }
    test_close(t.device);
}
static void query_and_synchronize(void **state)
{
    setup t = begin(1);
    const uint32_t flags[] = { SF_EVENT_DEFAULT, SF_EVENT_BLOCKING_SYNC, SF_EVENT_DISABLE_TIMING,
                               SF_EVENT_BLOCKING_SYNC | SF_EVENT_DISABLE_TIMING };
    (void)state;
    for (uint32_t i = 0; i < COUNT(flags); i++) {
        sf_event *e;
        CHECK_OK(sf_event_create(t.device, flags[i], &e));
        CHECK_EQUAL(sf_event_native(e) != NULL, on_cuda());
        CHECK_OK(test_gate(t.s[i], t.flag + i, 1));
        CHECK_OK(test_mix(t.s[i], t.data + i, NULL, 1, 1, 9, 1000));
        CHECK_OK(sf_event_record(e, t.s[i], 0));
        CHECK_IS(sf_event_query(e), SF_NOT_READY);
        CHECK_IS(sf_event_synchronize(e, 0), SF_TIMEOUT);
        CHECK_IS(sf_event_synchronize(e, SF_MS(1)), SF_TIMEOUT);
        test_store(t.flag + i, 1);
        CHECK_OK(sf_event_synchronize(e, i & 1 ? SF_FOREVER : GUARD));
        CHECK_EQUAL(t.data[i], 9);
        CHECK_OK(sf_event_query(e));
        CHECK_OK(sf_event_destroy(e));
    }
    test_close(t.device);
}
static void wrong_arguments(void **state)
{
    setup t = begin(1);
    sf_event *e = test_event(t.device), *good = test_event(t.device), *wrong[4];
    float ms;
    (void)state;
    CHECK_IS(sf_event_create(t.device, 0, NULL), SF_ERROR_INVALID_VALUE);
    for (uint32_t flags = 4; flags; flags <<= 1) {
        CHECK_IS(sf_event_create(t.device, flags, &e), SF_ERROR_INVALID_VALUE);
    }
    CHECK_IS(sf_stream_wait_event(t.s[0], good, 1), SF_ERROR_ILLEGAL_STATE); /* while capturing only */
    CHECK_IS(sf_stream_wait_event(t.s[0], good, 2), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_event_elapsed_ms(good, good, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_event_destroy(e));
    wrong[0] = NULL, wrong[1] = e, wrong[2] = (sf_event *)(void *)t.s[0],
    wrong[3] = (sf_event *)(void *)t.device;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CHECK_IS(sf_event_destroy(wrong[i]), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_record(wrong[i], t.s[0], 0), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_query(wrong[i]), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_synchronize(wrong[i], 0), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_elapsed_ms(wrong[i], good, &ms), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_elapsed_ms(good, wrong[i], &ms), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_wait_event(t.s[0], wrong[i], 0), SF_ERROR_INVALID_HANDLE);
        CHECK(!sf_event_native(wrong[i]));
    }
    CHECK_IS(sf_event_record(good, NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_event_query(good));          /* a record that was refused left no trace */
    test_close(t.device);
}

/* -- time -- */

static void elapsed_errors(void **state)
{
    setup t = begin(1);
    sf_event *a = test_event(t.device), *b = test_event(t.device), *untimed;
    float ms = -1;
    (void)state;
    CHECK_OK(sf_event_create(t.device, SF_EVENT_DISABLE_TIMING, &untimed));
    CHECK_OK(sf_event_record(a, t.s[0], 0));
    CHECK_OK(sf_event_record(untimed, t.s[0], 0));
    CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
    CHECK_IS(sf_event_elapsed_ms(a, b, &ms), SF_ERROR_INVALID_HANDLE);       /* b was never recorded */
    CHECK_IS(sf_event_elapsed_ms(b, a, &ms), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_event_elapsed_ms(a, untimed, &ms), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_event_elapsed_ms(untimed, a, &ms), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(test_gate(t.s[0], t.flag, 1));
    CHECK_OK(sf_event_record(b, t.s[0], 0));
    CHECK_IS(sf_event_elapsed_ms(a, b, &ms), SF_NOT_READY);
    CHECK_IS(sf_event_elapsed_ms(b, a, &ms), SF_NOT_READY);
    CHECK(ms == -1);
    test_store(t.flag, 1);
    CHECK_OK(sf_event_synchronize(b, GUARD));
    CHECK_OK(sf_event_elapsed_ms(a, b, &ms));
    CHECK(ms > 0);                           /* the gate was closed in between */
    CHECK_OK(test_gate(t.s[1], t.flag + 1, 1));
    CHECK_OK(sf_event_record(b, t.s[1], 0));    /* pending again */
    CHECK_IS(sf_event_elapsed_ms(a, b, &ms), SF_NOT_READY);
    test_store(t.flag + 1, 1);
    CHECK_OK(sf_event_synchronize(b, GUARD));
    CHECK_OK(sf_event_elapsed_ms(a, b, &ms));
    CHECK(ms > 0);
    test_close(t.device);
}
static int nothing_host(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 0; }
static void virtual_time_is_exact(void **state)
{
    static const sf_kernel k7 = { .name = "7 us", .host = nothing_host, .host_ns = 7000 };
    static const sf_kernel k1 = { .name = "default", .host = nothing_host };
    static const sf_kernel k3x4 = {
        .name = "four slices", .host = nothing_host, .host_ns = 3000, .slices = 4
    };
    (void)state;
    if (on_cuda()) { return; }
    for (int order = SF_ORDER_FIRST_IN; order <= SF_ORDER_REPLAY; order++) {
        sf_device *device = test_open_order((sf_order)order, 5);
        sf_stream *s = test_stream(device);
        sf_event *e[5];
        const float expected[] = { 0.007f, 0.001f, 0.012f, 0.001f }; /* a copy takes the default, too */
        uint32_t word = 0;
        float ms;
        for (size_t i = 0; i < COUNT(e); i++) { e[i] = test_event(device); }
        CHECK_OK(sf_event_record(e[0], s, 0));
        CHECK_OK(sf_launch(s, &k7, NULL, 0));
        CHECK_OK(sf_event_record(e[1], s, 0));
        CHECK_OK(sf_launch(s, &k1, NULL, 0));
        CHECK_OK(sf_event_record(e[2], s, 0));
        CHECK_OK(sf_launch(s, &k3x4, NULL, 0));
        CHECK_OK(sf_event_record(e[3], s, 0));
        CHECK_OK(sf_memset_async(s, &word, 1, 4));
        CHECK_OK(sf_event_record(e[4], s, 0));
        CHECK_IS(sf_event_elapsed_ms(e[0], e[4], &ms), SF_NOT_READY);        /* nobody waited: nothing ran */
        CHECK_OK(sf_stream_synchronize(s, SF_FOREVER));
        for (size_t i = 0; i < COUNT(expected); i++) {
            CHECK_OK(sf_event_elapsed_ms(e[i], e[i + 1], &ms));
            CHECK(ms == expected[i]);
            CHECK_OK(sf_event_elapsed_ms(e[i + 1], e[i], &ms));
            CHECK(ms == -expected[i]);
        }
        CHECK_OK(sf_event_elapsed_ms(e[2], e[2], &ms));
        CHECK(ms == 0);
        test_close(device);
    }
}
/* An event's time is that of its last record, even if an earlier one is reached later, or another event's. */
static void an_old_record_tells_no_time(void **state)
{
    static const sf_kernel k7 = { .name = "7 us", .host = nothing_host, .host_ns = 7000 };
    (void)state;
    if (on_cuda()) { return; }
    for (int renew = 0; renew < 2; renew++) {
        sf_device *device = test_open_order(SF_ORDER_LAZY, 0);
        sf_stream *slow = test_stream(device), *idle = test_stream(device);
        sf_event *start = test_event(device), *e = test_event(device), *more[200] = { e };
        float ms = -1;
        CHECK_OK(sf_event_record(start, idle, 0));
        CHECK_OK(sf_launch(slow, &k7, NULL, 0));
        CHECK_OK(sf_event_record(e, slow, 0));
        if (renew) {                         /* one of these gets its slot */
            CHECK_OK(sf_event_destroy(e));
            for (size_t i = 0; i < COUNT(more); i++) { more[i] = test_event(device); }
        }
        for (size_t i = 0; i < (renew ? COUNT(more) : 1); i++) { CHECK_OK(sf_event_record(more[i], idle, 0)); }
        CHECK_OK(sf_stream_synchronize(slow, GUARD));
        for (size_t i = 0; i < (renew ? COUNT(more) : 1); i++) {
            CHECK_OK(sf_event_elapsed_ms(start, more[i], &ms));
            CHECK(ms == 0);
        }
        test_close(device);
    }
}
static void virtual_deadlines(void **state)                  /* a deadline is virtual time, too */
{
    static const sf_kernel slow = { .name = "1 s", .host = nothing_host, .host_ns = 1000000000 };
    sf_device *device;
    sf_stream *s;
    sf_event *e;
    (void)state;
    if (on_cuda()) { return; }
    device = test_open_order(SF_ORDER_FIRST_IN, 0);
    s = test_stream(device), e = test_event(device);
    for (int i = 0; i < 10; i++) { CHECK_OK(sf_launch(s, &slow, NULL, 0)); }
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_IS(sf_event_synchronize(e, SF_MS(1500)), SF_TIMEOUT);      /* two have run */
    CHECK_IS(sf_stream_synchronize(s, SF_MS(3000)), SF_TIMEOUT);     /* five */
    CHECK_IS(sf_device_synchronize(device, SF_MS(4000)), SF_TIMEOUT);        /* nine */
    CHECK_IS(sf_event_query(e), SF_OK);      /* a query runs one, too: that was the last */
    test_close(device);
}
static void for_ever_at_the_end_of_time(void **state)        /* virtual time goes no further: what waits does */
{
    static const sf_kernel age = { .name = "an age", .host = nothing_host, .host_ns = INT64_MAX };
    (void)state;
    if (on_cuda()) { return; }
    for (int order = SF_ORDER_FIRST_IN; order < SF_ORDER_REPLAY; order++) {
        sf_device *device = test_open_order((sf_order)order, 7);
        sf_stream *s = test_stream(device);
        sf_event *e = test_event(device);
        uint32_t done = 0;
        for (uint32_t k = 1; k <= 4; k++) {
            for (int i = 0; i < 3; i++) { CHECK_OK(sf_launch(s, &age, NULL, 0)); }
            CHECK_OK(sf_stream_write_value(s, &done, 4, k, 0));
            CHECK_OK(sf_event_record(e, s, 0));
            CHECK_OK(k == 1   ? sf_event_synchronize(e, SF_FOREVER)
                     : k == 2 ? sf_stream_synchronize(s, SF_FOREVER)
                     : k == 3 ? sf_device_synchronize(device, SF_FOREVER)
                              : SF_OK);
            CHECK(k == 4 || done == k);
        }
        for (int i = 0; i < 5; i++) { CHECK_OK(sf_launch(s, &age, NULL, 0)); }
        CHECK_IS(sf_stream_synchronize(s, SF_MS(1)), SF_TIMEOUT);    /* what has an end has come to it */
        CHECK_OK(sf_device_close(device, SF_FOREVER));
        CHECK_EQUAL(done, 4);
    }
}

/* -- chains -- */

static void a_token_over_many_streams(void **state)
{
    setup t = begin(3);
    enum { STEPS = 3000, EVENTS = 7 };
    sf_event *e[EVENTS];
    uint32_t model[16] = { 0 };
    rng r = rng_seed(3);
    uint32_t at = 0;
    (void)state;
    for (size_t i = 0; i < EVENTS; i++) { e[i] = test_event(t.device); }
    for (uint32_t i = 0; i < STEPS; i++) { /* few events, recorded again and again while others still wait */
        uint32_t next = rng_below(&r, 4), add = rng_next(&r);
        CHECK_OK(sf_event_record(e[i % EVENTS], t.s[at], 0));
        CHECK_OK(sf_stream_wait_event(t.s[next], e[i % EVENTS], 0));
        CHECK_OK(test_mix(t.s[next], t.data, NULL, 16, 3, add, rng_below(&r, 60)));
        test_mix_model(model, NULL, 16, 3, add);
        at = next;
        if (i % 500 == 499) {
            CHECK_OK(sf_stream_synchronize(t.s[at], GUARD));
        } /* the driver's queue is finite */
    }
    CHECK_OK(sf_stream_synchronize(t.s[at], GUARD));
    CHECK_BYTES(t.data, model, sizeof model);
    test_close(t.device);
}
static void fork_and_join(void **state)
{
    setup t = begin(3);
    sf_event *fork = test_event(t.device), *join[3];
    uint32_t expected = 0;
    (void)state;
    for (int i = 0; i < 3; i++) { join[i] = test_event(t.device); }
    for (uint32_t round = 1; round <= 60; round++) {
        CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 3, round, 2000));
        CHECK_OK(sf_event_record(fork, t.s[0], 0));
        for (int i = 1; i < 4; i++) {
            CHECK_OK(sf_stream_wait_event(t.s[i], fork, 0));
            CHECK_OK(test_mix(t.s[i], t.data + 64 * i, t.data, 1, 0, (uint32_t)i, 500 * (uint32_t)i));
            CHECK_OK(sf_event_record(join[i - 1], t.s[i], 0));
        }
        for (int i = 0; i < 3; i++) { CHECK_OK(sf_stream_wait_event(t.s[0], join[i], 0)); }
        for (int i = 1; i < 4; i++) { CHECK_OK(test_mix(t.s[0], t.data, t.data + 64 * i, 1, 5, 0, 0)); }
        expected = expected * 3 + round;
        uint32_t x = expected;
        for (uint32_t i = 1; i < 4; i++) { expected = expected * 5 + x + i; }
    }
    CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
    CHECK_EQUAL(t.data[0], expected);
    test_close(t.device);
}
static void a_point_of_the_default_stream(void **state)
{
    setup t = begin(2);
    sf_event *e = test_event(t.device);
    sf_stream *legacy = sf_stream_legacy(t.device), *blocking;
    (void)state;
    CHECK_OK(sf_stream_create(t.device, NULL, &blocking));
    CHECK_OK(test_gate(blocking, t.flag, 1));
    CHECK_OK(test_mix(blocking, t.data, NULL, 1, 1, 7, 1000));
    CHECK_OK(sf_event_record(e, legacy, 0));    /* which is behind all blocking streams */
    CHECK_OK(sf_stream_wait_event(t.s[0], e, 0));
    CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 3, 1, 0));
    CHECK_IS(sf_event_query(e), SF_NOT_READY);
    CHECK_IS(sf_stream_synchronize(t.s[0], SF_MS(1)), SF_TIMEOUT);
    test_store(t.flag, 1);
    CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
    CHECK_EQUAL(t.data[0], 22);
    CHECK_OK(test_gate(t.s[0], t.flag + 1, 1)); /* a wait of the default stream holds up blocking ones */
    CHECK_OK(sf_event_record(e, t.s[0], 0));
    CHECK_OK(sf_stream_wait_event(legacy, e, 0));
    CHECK_OK(test_mix(blocking, t.data, NULL, 1, 5, 2, 0));
    CHECK_IS(sf_stream_synchronize(blocking, SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(t.data[0], 22);
    test_store(t.flag + 1, 1);
    CHECK_OK(sf_stream_synchronize(blocking, GUARD));
    CHECK_EQUAL(t.data[0], 112);
    test_close(t.device);
}

/* -- two devices -- */

static void waits_cross_devices(void **state)
{
    (void)state;
    for (int order = SF_ORDER_THREADS; order <= SF_ORDER_PCT; order++) {
        sf_device *d[2];
        sf_stream *s[2];
        sf_event *e[2];
        uint32_t *data, expected = 0;
        float ms;
        if (on_cuda() && order != SF_ORDER_THREADS) { break; }
        for (int i = 0; i < 2; i++) {
            d[i] = test_open_order((sf_order)order, (uint64_t)i);
            s[i] = test_stream(d[i]), e[i] = test_event(d[i]);
        }
        data = (uint32_t *)test_memory(d[0], 256);
        CHECK_IS(sf_event_record(e[0], s[1], 0), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_record(e[1], s[0], 0), SF_ERROR_INVALID_HANDLE);
        for (uint32_t i = 0; i < 100; i++) { /* to and fro */
            CHECK_OK(test_mix(s[i & 1], data, NULL, 1, 3, i, 500));
            CHECK_OK(sf_event_record(e[i & 1], s[i & 1], 0));
            CHECK_OK(sf_stream_wait_event(s[~i & 1], e[i & 1], 0));
            expected = expected * 3 + i;
        }
        CHECK_OK(test_mix(s[0], data, NULL, 1, 5, 1, 0));
        CHECK_OK(sf_stream_synchronize(s[0], GUARD));        /* runs what it needs of the other, too */
        CHECK_EQUAL(data[0], expected * 5 + 1);
        CHECK_OK(sf_stream_synchronize(s[1], GUARD));
        CHECK_IS(sf_event_elapsed_ms(e[0], e[1], &ms), SF_ERROR_INVALID_HANDLE);
        CHECK_OK(sf_device_close(d[0], GUARD));
        CHECK_OK(sf_device_close(d[1], GUARD));
    }
}
/* Its work is done, so the device may go, even if somebody who waited for it has not come to look at that
   yet. */
static void the_other_device_goes_first(void **state)
{
    (void)state;
    for (int order = SF_ORDER_THREADS; order <= SF_ORDER_LAZY; order++) {
        sf_device *a, *b;
        sf_stream *sa, *sb;
        sf_event *e;
        uint32_t *words;
        if (on_cuda() && order != SF_ORDER_THREADS) { break; }
        a = test_open_order((sf_order)order, 0), b = test_open_order((sf_order)order, 0);
        words = (uint32_t *)test_memory(a, 256);
        sa = test_stream(a), sb = test_stream(b), e = test_event(b);
        if (order == SF_ORDER_THREADS) { CHECK_OK(test_gate(sa, words, 1)); }
        CHECK_OK(test_mix(sa, words + 8, NULL, 1, 1, 1, 0));
        CHECK_OK(test_mix(sb, words + 9, NULL, 1, 1, 5, 1000));
        CHECK_OK(sf_event_record(e, sb, 0));
        CHECK_OK(sf_stream_wait_event(sa, e, 0));
        CHECK_OK(test_mix(sa, words + 8, words + 9, 1, 3, 0, 0));
        CHECK_OK(sf_device_close(b, GUARD)); /* waits for sb */
        test_store(words, 1);
        CHECK_OK(sf_stream_synchronize(sa, GUARD));
        CHECK_EQUAL(words[8], 8);
        test_close(a);
    }
}

/* Nobody calls the other device, whose commands run inside calls: waits, queries and polls of one with threads run
   them. Also where that device is between, and where a node waits. */
static void now_over(void *user) { test_store((uint32_t *)user, 1); }
static void waits_drive_the_other_device(void **state)
{
    enum { WAIT, QUERY, EVENT, POLL, DEVICE, CALLS };
    (void)state;
    if (on_cuda()) { return; }
    for (int call = 0; call < CALLS; call++) {
        for (int way = 0; way < 8; way++) {
            const bool between = way & 1, by_node = way & 2, works_first = way & 4;
            sf_device *d = test_open_workers(2), *middle = between ? test_open_workers(1) : NULL;
            sf_device *other = test_open_order(way & 1 ? SF_ORDER_RANDOM : SF_ORDER_FIRST_IN, (uint64_t)way);
            sf_stream *s = test_stream(d), *t = test_stream(other), *m = between ? test_stream(middle) : NULL;
            sf_event *e = test_event(other), *end = test_event(d);
            uint32_t *words = (uint32_t *)test_memory(d, 256);
            sf_graph *g = NULL;
            sf_graph_exec *exec = NULL;
            CHECK_OK(test_mix(t, words + 8, NULL, 1, 1, 5, 0));
            CHECK_OK(test_mix(t, words + 8, NULL, 1, 3, 1, 0));
            CHECK_OK(sf_event_record(e, t, 0));
            if (between) {
                CHECK_OK(test_mix(m, words + 10, NULL, 1, 1, 1, 0));
                CHECK_OK(sf_stream_wait_event(m, e, 0));
                e = test_event(middle);
                CHECK_OK(sf_event_record(e, m, 0));
            }
            if (works_first) { CHECK_OK(test_mix(s, words + 11, NULL, 1, 1, 1, 5000)); }
            if (by_node) {
                sf_node_desc wait = { .type = SF_NODE_EVENT_WAIT, .event = e };
                CHECK_OK(sf_graph_create(d, &g));
                CHECK_OK(sf_graph_add_node(g, NULL, 0, &wait, NULL));
                CHECK_OK(sf_graph_instantiate(g, 0, &exec));
                CHECK_OK(sf_graph_launch(exec, s));
            } else {
                CHECK_OK(sf_stream_wait_event(s, e, 0));
            }
            CHECK_OK(test_mix(s, words + 9, words + 8, 1, 1, 1, 0));
            CHECK_OK(sf_launch_host_func(s, now_over, words));
            CHECK_OK(sf_event_record(end, s, 0));
            switch (call) {
            case WAIT: CHECK_OK(sf_stream_synchronize(s, GUARD)); break;
            case QUERY: while (sf_stream_query(s) == SF_NOT_READY) { sched_yield(); } break;
            case EVENT: CHECK_OK(sf_event_synchronize(end, GUARD)); break;
            case POLL: while (!test_load(words)) { (void)sf_device_poll(d, 0); } break;
            default: CHECK_OK(sf_device_synchronize(d, GUARD));
            }
            CHECK_EQUAL(words[9], 17);
            CHECK_OK(sf_mem_free(d, words));
            test_close(d);
            if (middle) { test_close(middle); }
            test_close(other);
        }
    }
}
/* Threads that run what waits for the other device, step by step, while that is closed. */
/* Two threads, each of which waits for one of two devices without threads that wait for each other: what one finds
   nowhere another has just completed, and that is no deadlock. */
typedef struct crossing { sf_device *device[2]; sf_stream *stream[2]; uint32_t failed; } crossing;
static void spin_some(void *user) { (void)user, test_spin(300); }
static void *cross(void *arg)
{
    crossing *c = (crossing *)arg;
    for (int i = 0; i < 3000 && !test_load(&c->failed); i++) {
        const int a = i & 1;
        sf_event *e = NULL;
        bool good = sf_launch_host_func(c->stream[a], spin_some, NULL) >= 0 &&
                    sf_event_create(c->device[a], SF_EVENT_DEFAULT, &e) >= 0 && sf_event_record(e, c->stream[a], 0) >= 0 &&
                    sf_stream_wait_event(c->stream[1 - a], e, 0) >= 0 && sf_event_destroy(e) >= 0;
        if (!good || sf_stream_synchronize(c->stream[1 - a], GUARD) != SF_OK) { test_store(&c->failed, 1); }
    }
    return NULL;
}
static void two_threads_drive_two_devices(void **state)
{
    (void)state;
    for (int times = 0; times < 8 && !on_cuda(); times++) {
        crossing c = { .failed = 0 };
        pthread_t thread[2];
        for (int i = 0; i < 2; i++) {
            c.device[i] = test_open_order(SF_ORDER_FIRST_IN, 1);
            c.stream[i] = test_stream(c.device[i]);
        }
        for (int i = 0; i < 2; i++) { CHECK_EQUAL(pthread_create(&thread[i], NULL, cross, &c), 0); }
        for (int i = 0; i < 2; i++) { CHECK_EQUAL(pthread_join(thread[i], NULL), 0); }
        for (int i = 0; i < 2 && c.failed; i++) { printf("# %s\n", sf_device_failure(c.device[i])->text); }
        CHECK(!c.failed);
        for (int i = 0; i < 2; i++) { test_close(c.device[i]); }
    }
}

typedef struct poller { sf_device *device; uint32_t over; pthread_t thread[2]; } poller;
static void *poll_device(void *arg)
{
    poller *p = (poller *)arg;
    while (!test_load(&p->over)) { (void)sf_device_poll(p->device, 0); }
    return NULL;
}
static void the_other_device_goes_meanwhile(void **state)
{
    poller p = { .over = 0 };
    sf_stream *s;
    uint32_t *words;
    (void)state;
    if (on_cuda()) { return; }
    p.device = test_open_order(SF_ORDER_FIRST_IN, 0);
    s = test_stream(p.device);
    words = (uint32_t *)test_memory(p.device, 256);
    for (int k = 0; k < 2; k++) { CHECK_EQUAL(pthread_create(&p.thread[k], NULL, poll_device, &p), 0); }
    for (uint32_t i = 0; i < 400; i++) {
        sf_device *other = test_open_order(i % 2 ? SF_ORDER_FIRST_IN : SF_ORDER_THREADS, 0);
        sf_stream *t = test_stream(other);
        sf_event *e = test_event(other);
        CHECK_OK(test_mix(t, words, NULL, 1, 1, 1, 300));
        CHECK_OK(sf_event_record(e, t, 0));
        CHECK_OK(sf_stream_wait_event(s, e, 0));
        CHECK_OK(sf_device_close(other, GUARD));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_EQUAL(words[0], i + 1);
    }
    test_store(&p.over, 1);
    for (int k = 0; k < 2; k++) { CHECK_EQUAL(pthread_join(p.thread[k], NULL), 0); }
    test_close(p.device);
}

/* Events that are destroyed while other threads record them, wait for them and ask. */
static void *race_event(sf_device *device)
{
    sf_event *e = NULL;
    (void)sf_event_create(device, 0, &e);
    return e;
}
static void *race_stream(sf_device *device)
{
    sf_stream *s = NULL;
    (void)sf_stream_create(device, NULL, &s);
    return s;
}
static sf_result race_end_event(void *e) { return sf_event_destroy((sf_event *)e); }
static void use_events(race *r, void *x, void *y, uint32_t choice, void *own)
{
    sf_event *a = (sf_event *)x, *b = (sf_event *)y;
    sf_stream *s = (sf_stream *)own;
    float ms;
    switch (choice % 6) {
    case 0:
    case 1: race_is(r, sf_event_record(a, s, 0)); break;
    case 2: race_is(r, sf_stream_wait_event(s, a, 0)); break;
    case 3: race_is(r, sf_event_query(a)); break;
    case 4: race_is(r, sf_event_synchronize(a, SF_US(50))); break;
    default:
        race_is(r, sf_event_elapsed_ms(a, b, &ms));
        (void)sf_event_native(a);
        break;
    }
}
static void events_go_while_used(void **state)
{
    race r = { .make = race_event, .destroy = race_end_event, .use = use_events, .own = race_stream };
    (void)state;
    r.device = test_open_workers(2);
    race_run(&r, 4000);
    test_close(r.device);
}
/* Events that nodes name live on when they are destroyed. Others cost no more for that, and each one's memory is used
   again when the last node that names it goes, also if that is one of another device. */
enum { NAMED = 20000 };
static int64_t nanoseconds(void)                                /* ns */
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static int64_t time_of_an_event(sf_device *device)           /* ns; the least of many */
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 200; i++) {
        int64_t start = nanoseconds(), ns;
        CHECK_OK(sf_event_destroy(test_event(device)));
        ns = nanoseconds() - start;
        least = ns < least ? ns : least;
    }
    return least;
}
static void named_by_nodes(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (int other = 0; other < 2; other++) {
        test_heap h = { 0 };
        sf_device *device = test_open_desc(&(sf_device_desc){ .heap = { test_heap_alloc, test_heap_free, &h } });
        sf_device *of_graph = other ? test_open() : device;
        sf_graph *g[4];
        int64_t alone = time_of_an_event(device), among;
        long total;
        for (size_t k = 0; k < COUNT(g); k++) { CHECK_OK(sf_graph_create(of_graph, &g[k])); }
        for (size_t i = 0; i < NAMED; i++) {
            sf_event *e = test_event(device);
            sf_node_desc node = { .type = SF_NODE_EVENT_WAIT, .event = e };
            CHECK_OK(sf_graph_add_node(g[i % COUNT(g)], NULL, 0, &node, NULL));
            CHECK_OK(sf_event_destroy(e));
        }
        among = time_of_an_event(device);
        if (among > 10 * alone + 10000) { fail_msg("%d ns, alone %d ns", (int)among, (int)alone); }
        for (size_t k = 0; k < COUNT(g); k++) { CHECK_OK(sf_graph_destroy(g[k])); }
        total = h.total;
        for (size_t i = 0; i < NAMED; i++) { (void)test_event(device); }
        CHECK_EQUAL(h.total, total);
        if (other) { test_close(of_graph); }
        test_close(device);
        CHECK_EQUAL(h.live, 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_is_a_snapshot),
        cmocka_unit_test(recording_again_holds_up_nobody),
        cmocka_unit_test(only_earlier_work_counts),
        cmocka_unit_test(never_recorded),
        cmocka_unit_test(destroyed_after_the_wait),
        cmocka_unit_test(query_and_synchronize),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(elapsed_errors),
        cmocka_unit_test(virtual_time_is_exact),
        cmocka_unit_test(an_old_record_tells_no_time),
        cmocka_unit_test(virtual_deadlines),
        cmocka_unit_test(for_ever_at_the_end_of_time),
        cmocka_unit_test(a_token_over_many_streams),
        cmocka_unit_test(fork_and_join),
        cmocka_unit_test(a_point_of_the_default_stream),
        cmocka_unit_test(waits_cross_devices),
        cmocka_unit_test(the_other_device_goes_first),
        cmocka_unit_test(the_other_device_goes_meanwhile),
        cmocka_unit_test(waits_drive_the_other_device),
        cmocka_unit_test(two_threads_drive_two_devices),
        cmocka_unit_test(events_go_while_used),
        cmocka_unit_test(named_by_nodes),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
