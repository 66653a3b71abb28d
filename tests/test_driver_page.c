/*  test_driver_page.c - the rest of the driver's page on streams, rule by rule: streams and their getters, queries,
    waits, events, callbacks and host functions, attached memory, words to wait for, memory in stream order, modules,
    handles that are none, and faults. Capture has a suite of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "rows.h"

/* -- 2.0: results by pointer, the special streams -- */

static sf_result null_for_a_result(setup *t)                 /* arg: the getter */
{
    switch (t->row->arg) {
    case 0: return sf_stream_get_priority(t->s[0], NULL);
    case 1: return sf_stream_get_flags(t->s[0], NULL);
    case 2: return sf_stream_get_id(t->s[0], NULL);
    case 3: return sf_stream_get_device(t->s[0], NULL);
    case 4: return sf_stream_create(t->device, NULL, NULL);
    case 5: return sf_event_create(t->device, 0, NULL);
    case 6: return sf_mem_alloc_async(t->s[0], NULL, 64, NULL);
    case 7: return sf_event_elapsed_ms(t->e[0], t->e[1], NULL);
    case 8: return sf_stream_fork(t->s[0], NULL);
    case 9: return sf_device_ready_fd(t->device, NULL);
    default: return sf_graph_create(t->device, NULL);
    }
}
static sf_result getters_of_special_streams(setup *t)        /* arg 0: the default one, 1: the thread's */
{
    sf_stream *s = t->row->arg ? t->own : t->legacy;
    sf_device *device = NULL;
    int32_t priority = 9;
    uint32_t flags = 9;
    uint64_t id = 0, again = 0;
    CHECK_OK(sf_stream_get_priority(s, &priority));
    CHECK_OK(sf_stream_get_flags(s, &flags));
    CHECK_OK(sf_stream_get_id(s, &id));
    CHECK_OK(sf_stream_get_device(s, &device));
    CHECK(priority == 0 && flags == 0 && device == t->device);
    CHECK(s == (t->row->arg ? sf_stream_per_thread(t->device) : sf_stream_legacy(t->device)));
    CHECK_OK(sf_stream_get_id(s, &again));
    CHECK(id == again);
    for (int i = 0; i < ROW_STREAMS; i++) {
        CHECK_OK(sf_stream_get_id(t->s[i], &again));
        CHECK(id != again);
    }
    CHECK_OK(sf_stream_get_id(t->row->arg ? t->legacy : t->own, &again));
    CHECK(id != again);
    return work(t, s);
}
static sf_result use_own_stream(setup *t)    /* on whatever thread this is */
{
    sf_stream *s = sf_stream_per_thread(t->device);
    sf_result r = !s || s == t->own ? SF_ERROR_UNKNOWN : test_mix(s, t->data + 64, NULL, 8, 3, 1, 0);
    if (r == SF_OK) { r = sf_event_record(t->e[0], s, 0); }
    return r == SF_OK ? sf_stream_synchronize(s, GUARD) : r;
}
static sf_result each_thread_has_its_stream(setup *t)
{
    CHECK_OK(test_gate(t->own, t->flag, 1)); /* mine is busy; that of the other thread is another */
    sf_result r = elsewhere(t, use_own_stream, SF_CAPTURE_GLOBAL);
    CHECK_EQUAL(t->data[64], 1);
    CHECK_IS(sf_stream_query(t->own), SF_NOT_READY);
    CHECK_OK(sf_event_query(t->e[0]));
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->own, GUARD));
    CHECK_OK(sf_device_get_counters(t->device, &t->before)); /* its stream stays: only that may be more */
    return r;
}
static sf_result ids_are_for_ever(setup *t)
{
    uint64_t ids[40];
    for (uint32_t i = 0; i < COUNT(ids); i++) {
        sf_stream *s = test_stream(t->device);
        CHECK_OK(sf_stream_get_id(s, &ids[i]));
        for (uint32_t k = 0; k < i; k++) { CHECK(ids[k] != ids[i]); }
        CHECK_OK(sf_stream_destroy(s));
    }
    return SF_OK;
}

/* -- 2.0: the rule of the default stream -- */

static sf_result default_while_blocking_is_busy(setup *t)
{
    CHECK_OK(test_gate(t->b[0], t->flag, 1));
    return sf_stream_query(t->legacy);
}
static sf_result default_while_non_blocking_is_busy(setup *t)
{
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    return sf_stream_query(t->legacy);
}
static sf_result default_while_the_thread_s_is_busy(setup *t)
{
    CHECK_OK(test_gate(t->own, t->flag, 1));
    CHECK_OK(test_mix(t->own, t->data, NULL, 1, 1, 7, 1000));
    CHECK_OK(test_mix(t->legacy, t->data, NULL, 1, 3, 1, 0));
    CHECK_IS(sf_stream_synchronize(t->legacy, SF_MS(1)), SF_TIMEOUT);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->legacy, GUARD));
    CHECK_EQUAL(t->data[0], 22);
    return SF_OK;
}
static sf_result idle_while_default_is_busy(setup *t)        /* arg 0: blocking, 1: the thread's, 2: non-blocking */
{
    sf_stream *s = t->row->arg == 0 ? t->b[0] : t->row->arg == 1 ? t->own : t->s[0];
    CHECK_OK(test_gate(t->legacy, t->flag, 1));
    sf_result r = sf_stream_query(s);
    CHECK_OK(test_mix(s, t->data, NULL, 1, 1, 1, 0));        /* the order is made by the next command */
    if (t->row->arg < 2) {
        CHECK_IS(sf_stream_query(s), SF_NOT_READY);
        CHECK_IS(sf_stream_synchronize(s, SF_MS(1)), SF_TIMEOUT);
        CHECK_EQUAL(t->data[0], 0);
        test_store(t->flag, 1);
    }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(t->data[0], 1);
    test_store(t->flag, 1);
    return r;
}
static sf_result blocking_while_another_is_busy(setup *t)
{
    CHECK_OK(test_gate(t->b[0], t->flag, 1));
    CHECK_OK(test_mix(t->b[1], t->data, NULL, 1, 1, 1, 0));
    CHECK_OK(sf_stream_synchronize(t->b[1], GUARD));
    return sf_stream_query(t->b[1]);
}
static sf_result default_in_between(setup *t)                /* blocking, default, blocking: all in turn */
{
    uint32_t model = 0;
    for (uint32_t i = 0; i < 30; i++) {
        sf_stream *s = i % 3 == 1 ? t->legacy : i % 3 ? t->b[1] : t->b[0];
        CHECK_OK(test_mix(s, t->data, NULL, 1, 3, i, 200));
        if (i % 3 == 2) { CHECK_OK(test_mix(t->legacy, t->data, NULL, 1, 5, i, 200)); }
        model = model * 3 + i;
        if (i % 3 == 2) { model = model * 5 + i; }
    }
    CHECK_OK(sf_stream_synchronize(t->legacy, GUARD));
    CHECK_EQUAL(t->data[0], model);
    return SF_OK;
}

/* -- 2.1 to 2.6: create, priority, flags, destroy -- */

static sf_result create_with_flags(setup *t)
{
    sf_stream_desc desc = { .flags = (uint32_t)t->row->arg, .priority = -1 };
    sf_stream *s = NULL;
    uint32_t flags = 99;
    sf_result r = sf_stream_create(t->device, &desc, &s);
    if (r == SF_OK) {
        CHECK_OK(sf_stream_get_flags(s, &flags));
        CHECK_EQUAL(flags, t->row->arg);
        CHECK_OK(sf_stream_destroy(s));
    } else {
        CHECK(!s);
    }
    return r;
}
static sf_result create_with_priority(setup *t)              /* clamped, not refused */
{
    sf_stream_desc desc = { .priority = t->row->arg };
    sf_device_info info;
    sf_stream *s = NULL;
    int32_t got = 99, want = t->row->arg > 0 ? 0 : t->row->arg;
    CHECK_OK(sf_device_get_info(t->device, &info));
    if (want < info.priority_greatest) { want = info.priority_greatest; }
    sf_result r = sf_stream_create(t->device, &desc, &s);
    CHECK_OK(sf_stream_get_priority(s, &got));
    CHECK_EQUAL(got, want);
    CHECK_OK(sf_stream_destroy(s));
    return r;
}
static sf_result create_with_defaults(setup *t)
{
    sf_stream *s = NULL;
    sf_device *device = NULL;
    uint32_t flags = 9;
    sf_result r = sf_stream_create(t->device, NULL, &s);
    CHECK_OK(sf_stream_get_flags(s, &flags));
    CHECK_OK(sf_stream_get_device(s, &device));
    CHECK(flags == SF_STREAM_DEFAULT && device == t->device);
    CHECK_OK(sf_stream_destroy(s));
    return r;
}
static sf_result destroy_a_busy_one(setup *t)                /* at once; what it holds is done all the same */
{
    sf_stream *s = test_stream(t->device);
    CHECK_OK(test_gate(s, t->flag, 1));
    CHECK_OK(test_mix(s, t->data, NULL, 1, 1, 7, 500));
    CHECK_OK(sf_launch_host_func(s, count_call, &t->calls));
    CHECK_OK(sf_event_record(t->e[0], s, 0));
    sf_result r = sf_stream_destroy(s);
    CHECK_EQUAL(t->data[0], 0);
    CHECK_IS(sf_event_query(t->e[0]), SF_NOT_READY);
    test_store(t->flag, 1);
    CHECK_OK(sf_event_synchronize(t->e[0], GUARD));
    CHECK_EQUAL(t->data[0], 7);
    CHECK_EQUAL(t->calls, 1);
    return r;
}
static sf_result destroy_what_may_not_be(setup *t)
{
    sf_stream *s = test_stream(t->device);
    switch (t->row->arg) {
    case 0: CHECK_OK(sf_stream_destroy(s)); return sf_stream_destroy(NULL);
    case 1: CHECK_OK(sf_stream_destroy(s)); return sf_stream_destroy(t->legacy);
    case 2: CHECK_OK(sf_stream_destroy(s)); return sf_stream_destroy(t->own);
    default: CHECK_OK(sf_stream_destroy(s)); return sf_stream_destroy(s);
    }
}

/* -- 2.7, 2.8: query, synchronize -- */

static void hold_func(void *user)            /* until the word is set; half a minute at most */
{
    for (int i = 0; i < 30000 && !test_load((uint32_t *)user); i++) { usleep(1000); }
}
static void hold_callback(sf_stream *s, sf_result status, void *user) { (void)s, (void)status, hold_func(user); }
static void make_busy(setup *t)              /* arg: with what; flag[0] ends it */
{
    switch (t->row->arg) {
    case 0: CHECK_OK(test_gate(t->s[0], t->flag, 1)); break;
    case 1: CHECK_OK(sf_launch_host_func(t->s[0], hold_func, t->flag)); break;
    case 2: CHECK_OK(sf_stream_add_callback(t->s[0], hold_callback, t->flag, 0)); break;
    case 3: CHECK_OK(sf_stream_wait_value(t->s[0], t->flag, 4, 1, SF_WAIT_VALUE_GEQ)); break;
    default:
        CHECK_OK(test_gate(t->s[1], t->flag, 1));
        CHECK_OK(sf_event_record(t->e[0], t->s[1], 0));
        CHECK_OK(sf_stream_wait_event(t->s[0], t->e[0], 0));
    }
}
static sf_result query_idle(setup *t) { return sf_stream_query(t->s[0]); }
static sf_result query_busy(setup *t)
{
    make_busy(t);
    sf_result r = sf_stream_query(t->s[0]);
    CHECK_IS(sf_stream_synchronize(t->s[0], SF_MS(1)), SF_TIMEOUT);
    CHECK_IS(sf_stream_query(t->s[0]), SF_NOT_READY);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_OK(sf_stream_query(t->s[0]));
    return r;
}
static sf_result synchronize_with_timeout_0(setup *t)
{
    make_busy(t);
    return sf_stream_synchronize(t->s[0], 0);
}
static sf_result synchronize_for_ever(setup *t)
{
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 7, 20000));
    sf_result r = sf_stream_synchronize(t->s[0], SF_FOREVER);
    CHECK_EQUAL(t->data[0], 7);
    return r;
}
static sf_result synchronize_the_default_stream(setup *t)    /* waits for the blocking ones, and only them */
{
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(test_mix(t->b[0], t->data, NULL, 1, 1, 7, 20000));
    sf_result r = sf_stream_synchronize(t->legacy, GUARD);
    CHECK_EQUAL(t->data[0], 7);
    CHECK_IS(sf_stream_query(t->s[0]), SF_NOT_READY);
    return r;
}

/* -- 2.9: events outside of captures -- */

static sf_result waiter_after_a_new_record(setup *t)         /* the event is complete, who waited before is not */
{
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_stream_wait_event(t->s[1], t->e[0], 0));
    CHECK_OK(sf_event_record(t->e[0], t->s[2], 0));
    CHECK_OK(sf_event_synchronize(t->e[0], GUARD));
    CHECK_OK(sf_event_query(t->e[0]));
    return sf_stream_query(t->s[1]);
}
static sf_result wait_for_a_never_recorded_one(setup *t)
{
    sf_result r = sf_stream_wait_event(t->s[0], t->e[0], 0);
    CHECK_OK(sf_event_query(t->e[0]));
    CHECK_OK(sf_stream_query(t->s[0]));
    return r;
}
static sf_result wait_null_event(setup *t) { return sf_stream_wait_event(t->s[0], NULL, 0); }
static sf_result wait_destroyed_event(setup *t)
{
    sf_event *e = test_event(t->device);
    CHECK_OK(sf_event_destroy(e));
    return sf_stream_wait_event(t->s[0], e, 0);
}
static sf_result destroyed_after_the_wait(setup *t)
{
    sf_event *e = test_event(t->device);
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 7, 500));
    order(t->s[0], e, t->s[1]);
    sf_result r = sf_event_destroy(e);
    CHECK_OK(test_mix(t->s[1], t->data, NULL, 1, 3, 1, 0));
    CHECK_IS(sf_stream_synchronize(t->s[1], SF_MS(1)), SF_TIMEOUT);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_EQUAL(t->data[0], 22);
    return r;
}
static sf_result wait_across_devices(setup *t)
{
    sf_device *other = test_open();
    sf_stream *s = test_stream(other);
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 7, 500));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    sf_result r = sf_stream_wait_event(s, t->e[0], 0);
    CHECK_OK(test_mix(s, t->data, NULL, 1, 3, 1, 0));
    CHECK_IS(sf_stream_synchronize(s, SF_MS(1)), SF_TIMEOUT);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(t->data[0], 22);
    test_close(other);
    return r;
}
/* What belongs to another device; arg: the call. */
static sf_result foreign_handle(setup *t)
{
    sf_device *other = test_open();
    sf_stream *s = test_stream(other);
    sf_event *e = test_event(other);
    sf_graph *g = NULL;
    sf_mem_pool *pool = NULL;
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC };
    sf_result r;
    float ms;
    void *p = NULL;
    t->graph = one_kernel_graph(t);
    CHECK_OK(sf_graph_instantiate(t->graph, 0, &t->exec));
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_OK(sf_graph_create(other, &g));
    CHECK_OK(sf_mem_pool_create(other, &desc, &pool));
    switch (t->row->arg) {
    case 0: r = sf_event_record(t->e[0], s, 0); break;
    case 1: r = sf_event_elapsed_ms(t->e[0], e, &ms); break;
    case 2: r = sf_stream_copy_attributes(t->s[0], s); break;
    case 3: r = sf_graph_launch(t->exec, s); break;
    case 4: r = sf_graph_upload(t->exec, s); break;
    case 5: r = sf_stream_begin_capture_to_graph(t->s[0], g, NULL, 0, SF_CAPTURE_GLOBAL); break;
    case 6: r = sf_mem_alloc_async(t->s[0], pool, 64, &p); break;
    default: r = sf_event_record(t->e[0], s, 0);
    }
    CHECK(!p);
    CHECK_OK(sf_graph_destroy(g));
    CHECK_OK(sf_mem_pool_destroy(pool));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    test_close(other);
    return r;
}
static sf_result event_flags(setup *t)
{
    sf_event *e = NULL;
    sf_result r = sf_event_create(t->device, (uint32_t)t->row->arg, &e);
    if (r == SF_OK) { CHECK_OK(sf_event_destroy(e)); }
    return r;
}
static sf_result elapsed(setup *t)           /* arg: what is the matter */
{
    sf_event *untimed;
    float ms = -77;
    sf_result r;
    CHECK_OK(sf_event_create(t->device, SF_EVENT_DISABLE_TIMING, &untimed));
    CHECK_OK(sf_event_record(untimed, t->s[0], 0));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 7, 100000));
    CHECK_OK(sf_event_record(t->e[1], t->s[0], 0));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(sf_event_record(t->e[2], t->s[0], 0));
    switch (t->row->arg) {
    case 0: r = sf_event_elapsed_ms(t->e[3], t->e[0], &ms); break;   /* never recorded */
    case 1: r = sf_event_elapsed_ms(t->e[0], t->e[3], &ms); break;
    case 2: r = sf_event_elapsed_ms(untimed, t->e[0], &ms); break;
    case 3: r = sf_event_elapsed_ms(t->e[0], untimed, &ms); break;
    case 4: r = sf_event_elapsed_ms(t->e[0], t->e[2], &ms); break;   /* pending */
    case 5: r = sf_event_elapsed_ms(t->e[0], t->e[1], &ms); break;
    default: r = sf_event_elapsed_ms(t->e[1], t->e[0], &ms);
    }
    CHECK(r == SF_OK ? t->row->arg == 5 ? ms > 0 : ms < 0 && ms > -77 : ms == -77);
    CHECK_OK(sf_event_destroy(untimed));
    return r;
}

/* -- 2.10: callbacks, host functions -- */

typedef struct told { setup *t; sf_stream *stream; sf_result status; uint32_t calls, seen, at; } told;
static void told_callback(sf_stream *s, sf_result status, void *user)
{
    told *c = (told *)user;
    c->stream = s;
    c->status = status;
    c->seen = *(volatile uint32_t *)c->t->data;
    c->at = test_add(&c->t->calls, 1);
    test_add(&c->calls, 1);
}
static void told_func(void *user) { told_callback(NULL, SF_OK, user); }
static sf_result callback_null(setup *t) { return sf_stream_add_callback(t->s[0], NULL, NULL, 0); }
static sf_result callback_flags(setup *t)
{
    told c = { .t = t };
    sf_result r = sf_stream_add_callback(t->s[0], told_callback, &c, (uint32_t)t->row->arg);
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(c.calls, 0);
    return r;
}
static sf_result callback_on_null(setup *t)
{
    told c = { .t = t };
    return sf_stream_add_callback(NULL, told_callback, &c, 0);
}
static sf_result host_func_null(setup *t) { return sf_launch_host_func(t->s[0], NULL, NULL); }
/* Once each, in turn, after what comes before and before what comes after; on any stream (arg). */
static sf_result callbacks_keep_the_order(setup *t)
{
    enum { N = 40 };
    static told c[N];
    sf_stream *on[] = { t->s[0], t->b[0], t->legacy, t->own };
    sf_stream *s = on[t->row->arg];
    uint32_t model = 0, want[N];
    for (uint32_t i = 0; i < N; i++) {
        c[i] = (told){ .t = t, .status = SF_ERROR_UNKNOWN };
        CHECK_OK(test_mix(s, t->data, NULL, 1, 3, i + 1, 300));
        want[i] = model = model * 3 + i + 1;
        if (i % 3) {
            CHECK_OK(sf_stream_add_callback(s, told_callback, &c[i], 0));
        } else {
            CHECK_OK(sf_launch_host_func(s, told_func, &c[i]));
        }
    }
    sf_result r = sf_stream_synchronize(s, GUARD);
    for (uint32_t i = 0; i < N; i++) {
        CHECK_EQUAL(c[i].calls, 1);
        CHECK_EQUAL(c[i].seen, want[i]);
        CHECK_EQUAL(c[i].at, i);
        CHECK_IS(c[i].status, SF_OK);
        if (i % 3) { CHECK(c[i].stream == s); }
    }
    return r;
}
static sf_result callback_of_a_destroyed_stream(setup *t)
{
    static told c;
    sf_stream *s = test_stream(t->device);
    c = (told){ .t = t };
    CHECK_OK(test_gate(s, t->flag, 1));
    CHECK_OK(sf_stream_add_callback(s, told_callback, &c, 0));
    CHECK_OK(sf_event_record(t->e[0], s, 0));
    CHECK_OK(sf_stream_destroy(s));
    CHECK_EQUAL(c.calls, 0);
    test_store(t->flag, 1);
    sf_result r = sf_event_synchronize(t->e[0], GUARD);
    CHECK_EQUAL(c.calls, 1);
    return r;
}
static sf_result independent_callbacks(setup *t)             /* on all streams: each once, in whatever order */
{
    static told c[ROW_STREAMS][10];
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < ROW_STREAMS; i++) {
            c[i][k] = (told){ .t = t };
            CHECK_OK(sf_stream_add_callback(t->s[i], told_callback, &c[i][k], 0));
        }
    }
    sf_result r = sf_device_synchronize(t->device, GUARD);
    for (int i = 0; i < ROW_STREAMS; i++) {
        for (int k = 0; k < 10; k++) {
            CHECK_EQUAL(c[i][k].calls, 1);
            CHECK(c[i][k].stream == t->s[i]);
            CHECK(!k || c[i][k].at > c[i][k - 1].at);
        }
    }
    return r;
}

/* -- 2.11: attach -- */

static const struct {
    const char *what;
    int memory;                              /* sf_memory; -1 none, -2 the caller's own */
    size_t offset, bytes;
    uint32_t flags;
    int stream;                              /* 0 s[0], 1 the default one, 2 the thread's */
    sf_result expected;
} attachments[] = {
    { "managed, length 0", SF_MEMORY_MANAGED, 0, 0, SF_ATTACH_SINGLE, 0, SF_OK },
    { "managed, all of it", SF_MEMORY_MANAGED, 0, 65536, SF_ATTACH_SINGLE, 0, SF_OK },
    { "managed, GLOBAL", SF_MEMORY_MANAGED, 0, 0, SF_ATTACH_GLOBAL, 0, SF_OK },
    { "managed, HOST", SF_MEMORY_MANAGED, 0, 0, SF_ATTACH_HOST, 0, SF_OK },
    { "managed, GLOBAL, default stream", SF_MEMORY_MANAGED, 0, 0, SF_ATTACH_GLOBAL, 1, SF_OK },
    { "managed, HOST, default stream", SF_MEMORY_MANAGED, 0, 0, SF_ATTACH_HOST, 1, SF_OK },
    { "managed, SINGLE, thread's stream", SF_MEMORY_MANAGED, 0, 0, SF_ATTACH_SINGLE, 2, SF_OK },
    { "part of it", SF_MEMORY_MANAGED, 0, 4096, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
    { "more than it", SF_MEMORY_MANAGED, 0, 65536 * 2, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
    { "from inside", SF_MEMORY_MANAGED, 4096, 0, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
    { "flags 0", SF_MEMORY_MANAGED, 0, 0, 0, 0, SF_ERROR_INVALID_VALUE },    /* the driver crashes */
    { "flags 3", SF_MEMORY_MANAGED, 0, 0, 3, 0, SF_ERROR_INVALID_VALUE },
    { "flags 5", SF_MEMORY_MANAGED, 0, 0, 5, 0, SF_ERROR_INVALID_VALUE },
    { "flags 8", SF_MEMORY_MANAGED, 0, 0, 8, 0, SF_ERROR_INVALID_VALUE },
    { "device memory", SF_MEMORY_DEVICE, 0, 0, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
    { "pinned memory", SF_MEMORY_PINNED, 0, 0, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
    { "pageable memory", SF_MEMORY_HOST, 0, 0, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
    { "pageable memory, with a length", SF_MEMORY_HOST, 0, 4096, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
    { "the caller's memory, with a length", -2, 0, 4096, SF_ATTACH_GLOBAL, 0, SF_ERROR_INVALID_VALUE },
    { "the caller's memory", -2, 0, 0, SF_ATTACH_GLOBAL, 0, SF_ERROR_INVALID_VALUE },
    { "no memory", -1, 0, 0, SF_ATTACH_SINGLE, 0, SF_ERROR_INVALID_VALUE },
};
static bool takes_pageable(sf_device *device)
{
    sf_device_info info;
    CHECK_OK(sf_device_get_info(device, &info));
    return info.pageable_access;
}
static sf_result attach(setup *t)
{
    static char own[65536];
    int i = t->row->arg;
    sf_stream *on[] = { t->s[0], t->legacy, t->own };
    char *p = attachments[i].memory == -2 ? own : NULL;
    if (attachments[i].memory >= 0) {
        CHECK_OK(sf_mem_alloc(t->device, 65536, (sf_memory)attachments[i].memory, (void **)&p));
        t->spare[0] = p;
    }
    sf_result r = sf_stream_attach_mem_async(on[attachments[i].stream], p ? p + attachments[i].offset : NULL,
                                             attachments[i].bytes, attachments[i].flags);
    CHECK_OK(sf_stream_synchronize(on[attachments[i].stream], GUARD));
    if (takes_pageable(t->device) && attachments[i].bytes && (p == own || attachments[i].memory == SF_MEMORY_HOST)) {
        CHECK_OK(r);                         /* some GPUs do */
        return SF_ERROR_INVALID_VALUE;
    }
    return r;
}
/* Memory that the program declares __managed__: as that of sf_mem_alloc(). */
static sf_result managed_by_others(setup *t)
{
#ifdef SF_WITH_CUDA_BODIES
    if (on_cuda()) {
        uint32_t *p = managed_elsewhere();
        sf_memory kind = SF_MEMORY_HOST;
        CHECK_OK(sf_mem_get_kind(t->device, p + 5, &kind));
        CHECK_EQUAL(kind, SF_MEMORY_MANAGED);
        for (int i = 0; i < 1024; i++) { p[i] = (uint32_t)i; }
        CHECK_OK(sf_stream_attach_mem_async(t->s[0], p, 0, SF_ATTACH_SINGLE));
        CHECK_OK(sf_mem_prefetch_async(t->s[0], p, 4096, false));
        CHECK_OK(test_mix(t->s[0], p, NULL, 1024, 3, 2, 0));
        CHECK_OK(sf_mem_prefetch_async(t->s[0], p + 256, 1024, true));
        CHECK_OK(sf_stream_attach_mem_async(t->s[0], p, 4096, SF_ATTACH_GLOBAL));
        CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
        for (uint32_t i = 0; i < 1024; i++) { CHECK_EQUAL(p[i], i * 3 + 2); }
    }
#endif
    return (void)t, SF_OK;
}
/* A host device that acts as a GPU with access to pageable memory, and such a GPU. */
static sf_result pageable_memory(setup *t)
{
    static uint32_t own[1024];
    sf_device_desc desc = { .backend = SF_BACKEND_HOST, .host.pageable = true };
    sf_device *device = on_cuda() ? t->device : test_open_desc(&desc);
    sf_stream *s = test_stream(device);
    if (!on_cuda() || takes_pageable(device)) {
        CHECK(takes_pageable(device));
        for (int i = 0; i < 1024; i++) { own[i] = 1; }
        CHECK_OK(sf_stream_attach_mem_async(s, own, sizeof own, SF_ATTACH_GLOBAL));
        CHECK_OK(sf_mem_prefetch_async(s, own, sizeof own, false));
        CHECK_OK(test_mix(s, own, NULL, 1024, 3, 2, 0));
        CHECK_OK(sf_mem_prefetch_async(s, own + 512, 64, true));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        for (int i = 0; i < 1024; i++) { CHECK_EQUAL(own[i], 5); }
        CHECK_IS(sf_stream_attach_mem_async(s, own, 0, SF_ATTACH_GLOBAL), SF_ERROR_INVALID_VALUE);
    }
    CHECK_OK(sf_stream_destroy(s));
    if (device != t->device) { test_close(device); }
    return SF_OK;
}
static sf_result attach_single_to_the_default_stream(setup *t)
{
    CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, &t->spare[0]));
    return sf_stream_attach_mem_async(t->legacy, t->spare[0], 0, SF_ATTACH_SINGLE);
}
static sf_result attach_on_null(setup *t)
{
    CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, &t->spare[0]));
    return sf_stream_attach_mem_async(NULL, t->spare[0], 0, SF_ATTACH_SINGLE);
}
static sf_result attached_memory_works(setup *t)             /* by its stream, then by others, then by the CPU */
{
    sf_stream *s = test_stream(t->device);
    uint32_t *p;
    CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, &t->spare[0]));
    p = (uint32_t *)t->spare[0];
    memset(p, 0, 4096);
    CHECK_OK(sf_stream_attach_mem_async(s, p, 0, SF_ATTACH_SINGLE));
    CHECK_OK(test_mix(s, p, NULL, 1024, 1, 7, 0));
    CHECK_OK(sf_stream_attach_mem_async(s, p, 4096, SF_ATTACH_GLOBAL));
    order(s, t->e[0], t->s[1]);
    CHECK_OK(test_mix(t->s[1], p, NULL, 1024, 3, 1, 0));
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_OK(sf_stream_attach_mem_async(s, p, 0, SF_ATTACH_SINGLE));
    CHECK_OK(sf_stream_destroy(s));          /* drained, its memory is everybody's again */
    CHECK_OK(sf_device_synchronize(t->device, GUARD));
    CHECK_OK(test_mix(t->s[0], p, NULL, 1024, 5, 2, 0));
    sf_result r = sf_stream_synchronize(t->s[0], GUARD);
    for (int i = 0; i < 1024; i++) { CHECK_EQUAL(p[i], 112); }
    return r;
}

/* -- 2.17: attributes, words -- */

static sf_result copy_attributes(setup *t)   /* arg: dst + 10 * src: 0, 1 ours, 2 the default one, 3 NULL, 4 gone */
{
    sf_stream *gone = test_stream(t->device);
    sf_stream *which[] = { t->s[0], t->s[1], t->legacy, NULL, gone };
    CHECK_OK(sf_stream_destroy(gone));
    return sf_stream_copy_attributes(which[t->row->arg % 10], which[t->row->arg / 10]);
}

static sf_result attributes_hold_the_priority(setup *t)      /* and not the flags */
{
    sf_stream *s = NULL;
    int32_t want = 9, got = 9;
    uint32_t flags = 9;
    CHECK_OK(sf_stream_create(t->device, &(sf_stream_desc){ .priority = -2 }, &s));
    CHECK_OK(sf_stream_get_priority(s, &want));
    sf_result r = sf_stream_copy_attributes(t->s[0], s);
    CHECK_OK(sf_stream_get_priority(t->s[0], &got));
    CHECK_OK(sf_stream_get_flags(t->s[0], &flags));
    CHECK_EQUAL(got, want);
    CHECK_EQUAL(flags, SF_STREAM_NON_BLOCKING);
    CHECK_OK(sf_stream_destroy(s));
    return r;
}
static const sf_stream_attribute all_attributes[] = {
    SF_STREAM_ACCESS_POLICY_WINDOW, SF_STREAM_SYNCHRONIZATION_POLICY, SF_STREAM_PRIORITY, SF_STREAM_MEM_SYNC_DOMAIN_MAP,
    SF_STREAM_MEM_SYNC_DOMAIN
};
enum { ATTRIBUTES = COUNT(all_attributes) };
typedef struct kept_attributes { sf_stream_value v[ATTRIBUTES]; } kept_attributes;
static kept_attributes attributes_of(const sf_stream *s)
{
    kept_attributes all;
    memset(&all, 0x77, sizeof all);
    for (int i = 0; i < ATTRIBUTES; i++) { CHECK_OK(sf_stream_get_attribute(s, all_attributes[i], &all.v[i])); }
    return all;
}
static bool same_value(sf_stream_attribute what, const sf_stream_value *a, const sf_stream_value *b)
{
    switch (what) {
    case SF_STREAM_ACCESS_POLICY_WINDOW:
        return a->window.base == b->window.base && a->window.bytes == b->window.bytes &&
               a->window.hit_ratio == b->window.hit_ratio && a->window.hit == b->window.hit &&
               a->window.miss == b->window.miss;
    case SF_STREAM_SYNCHRONIZATION_POLICY: return a->wait == b->wait;
    case SF_STREAM_PRIORITY: return a->priority == b->priority;
    case SF_STREAM_MEM_SYNC_DOMAIN: return a->domain == b->domain;
    default: return a->map[0] == b->map[0] && a->map[1] == b->map[1];
    }
}
static void check_attributes(const sf_stream *s, const kept_attributes *want)
{
    kept_attributes got = attributes_of(s);
    int32_t priority = 9;
    CHECK_OK(sf_stream_get_priority(s, &priority));
    CHECK_EQUAL(priority, want->v[2].priority);
    for (int i = 0; i < ATTRIBUTES; i++) {
        if (!same_value(all_attributes[i], &got.v[i], &want->v[i])) { fail_msg("attribute %d", (int)all_attributes[i]); }
    }
}
static sf_stream_value random_value(setup *t, rng *r, sf_stream_attribute what, const sf_device_info *info)
{
    sf_stream_value v = { .priority = 0 };
    switch (what) {
    case SF_STREAM_ACCESS_POLICY_WINDOW:
        v.window.base = (char *)t->gpu + rng_below(r, 4) * 128;
        v.window.bytes = 128 + 128 * rng_below(r, 8);
        v.window.hit_ratio = (float)rng_below(r, 9) / 8;
        v.window.hit = (sf_access)rng_below(r, 3);
        v.window.miss = (sf_access)rng_below(r, 2);
        break;
    case SF_STREAM_SYNCHRONIZATION_POLICY: v.wait = (sf_wait_policy)rng_below(r, 4); break;
    case SF_STREAM_PRIORITY: v.priority = -(int32_t)rng_below(r, (uint32_t)(1 - info->priority_greatest)); break;
    case SF_STREAM_MEM_SYNC_DOMAIN: v.domain = (int32_t)rng_below(r, 2); break;
    default:
        v.map[0] = (uint8_t)rng_below(r, (uint32_t)info->mem_sync_domains);
        v.map[1] = (uint8_t)rng_below(r, (uint32_t)info->mem_sync_domains);
        break;
    }
    return v;
}
static sf_result attribute_defaults(setup *t)
{
    sf_device_info info;
    kept_attributes want;
    CHECK_OK(sf_device_get_info(t->device, &info));
    memset(&want, 0, sizeof want);
    want.v[3].map[1] = info.mem_sync_domains > 1;
    for (int i = 0; i < ROW_STREAMS; i++) { check_attributes(t->s[i], &want); }
    return SF_OK;
}
/* Each keeps what it was set to, and nothing else changes, on this stream or another. Copying takes them all. */
static sf_result attributes_are_kept(setup *t)
{
    rng r = rng_seed(test_first_seed());
    kept_attributes want[2];
    sf_device_info info;
    CHECK_OK(sf_device_get_info(t->device, &info));
    for (int k = 0; k < 2; k++) { want[k] = attributes_of(t->s[k]); }
    for (int n = 0; n < 100; n++) {
        int k = (int)rng_below(&r, 2), i = (int)rng_below(&r, ATTRIBUTES + 1);
        if (i == ATTRIBUTES) {
            CHECK_OK(sf_stream_copy_attributes(t->s[k], t->s[1 - k]));
            want[k] = want[1 - k];
        } else {
            want[k].v[i] = random_value(t, &r, all_attributes[i], &info);
            CHECK_OK(sf_stream_set_attribute(t->s[k], all_attributes[i], &want[k].v[i]));
        }
        for (int m = 0; m < 2; m++) { check_attributes(t->s[m], &want[m]); }
        /* Each stream works with any of them, on words of its own. */
        CHECK_OK(test_mix(t->s[k], t->data + 8 * k, NULL, 8, 3, 1, 0));
    }
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    return sf_stream_synchronize(t->s[1], GUARD);
}
static sf_result priorities_are_clamped(setup *t)
{
    static const int32_t ask[] = { -100, -1, 0, 1, 100 };
    sf_device_info info;
    CHECK_OK(sf_device_get_info(t->device, &info));
    for (size_t i = 0; i < COUNT(ask); i++) {
        sf_stream_value v = { .priority = ask[i] }, got = { .priority = 9 };
        int32_t want = ask[i] > 0 ? 0 : ask[i] < info.priority_greatest ? info.priority_greatest : ask[i], now = 9;
        CHECK_OK(sf_stream_set_attribute(t->s[0], SF_STREAM_PRIORITY, &v));
        CHECK_OK(sf_stream_get_attribute(t->s[0], SF_STREAM_PRIORITY, &got));
        CHECK_OK(sf_stream_get_priority(t->s[0], &now));
        CHECK_EQUAL(got.priority, want);
        CHECK_EQUAL(now, want);
    }
    return SF_OK;
}
static sf_result wrong_attribute(setup *t)   /* arg: what is wrong; nothing changes */
{
    kept_attributes before = attributes_of(t->s[0]);
    sf_stream_attribute what = SF_STREAM_ACCESS_POLICY_WINDOW;
    sf_stream_value v = { .window = { t->gpu, 128, 0.5f, SF_ACCESS_PERSISTING, SF_ACCESS_STREAMING } };
    sf_stream *s = t->s[0];
    sf_device_info info;
    sf_result r;
    CHECK_OK(sf_device_get_info(t->device, &info));
    switch (t->row->arg) {
    case 0: v.window.hit_ratio = -0.125f; break;
    case 1: v.window.hit_ratio = 1.125f; break;
    case 2: v.window.hit_ratio = 0.0f / (float)(t->row->arg - 2); break;     /* not a number */
    case 3: v.window.hit = (sf_access)3; break;
    case 4: v.window.miss = SF_ACCESS_PERSISTING; break;
    case 5: v.window.bytes = info.window_bytes + 1; break;
    case 6: what = SF_STREAM_SYNCHRONIZATION_POLICY, v = (sf_stream_value){ .wait = (sf_wait_policy)4 }; break;
    case 7: what = SF_STREAM_SYNCHRONIZATION_POLICY, v = (sf_stream_value){ .wait = (sf_wait_policy)-1 }; break;
    case 8: what = SF_STREAM_MEM_SYNC_DOMAIN, v = (sf_stream_value){ .domain = 2 }; break;
    case 9: what = SF_STREAM_MEM_SYNC_DOMAIN, v = (sf_stream_value){ .domain = -1 }; break;
    case 10: what = SF_STREAM_MEM_SYNC_DOMAIN_MAP, v = (sf_stream_value){ .map = { 0, 255 } }; break;
    case 11: what = (sf_stream_attribute)0; break;
    case 12: what = (sf_stream_attribute)2; break;           /* of kernels */
    case 13: what = (sf_stream_attribute)99; break;
    case 14: return sf_stream_set_attribute(s, what, NULL);
    case 15: return sf_stream_get_attribute(s, what, NULL);
    case 16: return sf_stream_get_attribute(s, (sf_stream_attribute)4, &v);
    case 17: return sf_stream_set_attribute(NULL, what, &v);
    default: return sf_stream_get_attribute(NULL, what, &v);
    }
    r = sf_stream_set_attribute(s, what, &v);
    check_attributes(s, &before);
    return r;
}
static sf_result attributes_of_default_streams(setup *t)     /* are asked, set and copied as any */
{
    sf_stream *which[] = { t->legacy, t->own };
    for (size_t i = 0; i < COUNT(which); i++) {
        kept_attributes kept = attributes_of(which[i]), copied;
        sf_stream_value v = { .priority = -1 - (int32_t)i };
        CHECK_OK(sf_stream_set_attribute(t->s[0], SF_STREAM_PRIORITY, &v));
        copied = attributes_of(t->s[0]);
        CHECK_OK(sf_stream_copy_attributes(which[i], t->s[0]));
        check_attributes(which[i], &copied);
        for (int k = 0; k < ATTRIBUTES; k++) { CHECK_OK(sf_stream_set_attribute(which[i], all_attributes[k], &kept.v[k])); }
        check_attributes(which[i], &kept);
    }
    return SF_OK;
}
static sf_result attributes_in_a_capture(setup *t)           /* no work of the stream: neither nodes nor refused */
{
    sf_stream_value v = { .priority = -1 }, w = { .domain = 1 };
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_set_attribute(t->s[0], SF_STREAM_PRIORITY, &v));
    CHECK_OK(work(t, t->s[0]));
    CHECK_OK(sf_stream_set_attribute(t->s[0], SF_STREAM_MEM_SYNC_DOMAIN, &w));
    (void)attributes_of(t->s[0]);
    CHECK_OK(sf_stream_copy_attributes(t->s[1], t->s[0]));
    CHECK_OK(work(t, t->s[0]));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(node_count(t->graph), 2);
    return run_exec(t, t->s[1]);
}
static sf_result forks_begin_plain(setup *t) /* a pooled child does not keep what its last parent made of it */
{
    sf_stream_value wait = { .wait = SF_WAIT_SPIN }, domain = { .domain = 1 };
    for (int i = 0; i < 4; i++) {
        kept_attributes want, now;
        sf_stream *child = NULL;
        CHECK_OK(sf_stream_fork(t->s[0], &child));
        now = attributes_of(child), want = attributes_of(t->s[2]);
        for (int k = 0; k < ATTRIBUTES; k++) {
            if (!same_value(all_attributes[k], &now.v[k], &want.v[k])) { fail_msg("%d: %d", i, (int)all_attributes[k]); }
        }
        if (i % 2) {
            CHECK_OK(sf_stream_set_attribute(child, SF_STREAM_SYNCHRONIZATION_POLICY, &wait));
            CHECK_OK(sf_stream_set_attribute(child, SF_STREAM_MEM_SYNC_DOMAIN, &domain));
        } else {
            CHECK_OK(sf_stream_set_attribute(t->s[1], SF_STREAM_SYNCHRONIZATION_POLICY, &wait));
            CHECK_OK(sf_stream_copy_attributes(child, t->s[1]));
        }
        CHECK_OK(sf_stream_join(t->s[0], child));
    }
    return sf_stream_synchronize(t->s[0], GUARD);
}
/* Whatever the policy: a wait ends with the work, and not before; and at its deadline. */
static void *lift_later(void *flag)
{
    usleep(2000);
    return test_store((uint32_t *)flag, 1), NULL;
}
static sf_result waits_by_policy(setup *t)
{
    sf_stream_value v = { .wait = (sf_wait_policy)t->row->arg };
    CHECK_OK(sf_stream_set_attribute(t->s[0], SF_STREAM_SYNCHRONIZATION_POLICY, &v));
    for (int i = 0; i < 6; i++) {
        pthread_t lifter;
        uint32_t want = t->data[0] + 1;
        sf_result r;
        test_store(t->flag, 0);
        CHECK_OK(test_gate(t->s[0], t->flag, 1));
        CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 1, 0));
        CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
        CHECK_IS(sf_stream_synchronize(t->s[0], 0), SF_TIMEOUT);
        CHECK_IS(sf_stream_synchronize(t->s[0], SF_US(200)), SF_TIMEOUT);
        CHECK_EQUAL(test_load(t->data), want - 1);
        CHECK_EQUAL(pthread_create(&lifter, NULL, lift_later, t->flag), 0);
        r = i % 3 == 2 ? sf_event_synchronize(t->e[0], i < 3 ? GUARD : SF_FOREVER)
                       : sf_stream_synchronize(t->s[0], i % 3 ? GUARD : SF_FOREVER);
        CHECK_OK(r);
        CHECK_EQUAL(test_load(t->data), want);
        CHECK_EQUAL(pthread_join(lifter, NULL), 0);
    }
    return SF_OK;
}
static sf_result resources_of_streams(setup *t)              /* of no partition: the device's, all of it */
{
    sf_stream_resource got = { 0 };
    sf_device_info info;
    sf_stream *which[] = { t->s[0], t->b[0], t->legacy, t->own };
    CHECK_OK(sf_device_get_info(t->device, &info));
    for (size_t i = 0; i < COUNT(which); i++) {
        CHECK_OK(sf_stream_get_dev_resource(which[i], &got));
        CHECK_EQUAL(got.multiprocessors, info.multiprocessors);
    }
    CHECK_IS(sf_stream_get_dev_resource(NULL, &got), SF_ERROR_INVALID_HANDLE);
    return sf_stream_get_dev_resource(t->s[0], NULL);
}

/* -- batches -- */

static sf_stream_op write_op(void *at, uint32_t value) { return (sf_stream_op){ SF_STREAM_OP_WRITE32, 0, at, value }; }
static sf_stream_op wait_op(void *at, uint32_t value, uint32_t flags)
{
    return (sf_stream_op){ SF_STREAM_OP_WAIT32, flags, at, value };
}
/* Random operations over few words, so that each depends on the order of those before it. */
static int random_batch(rng *r, uint32_t *words, uint32_t *model, sf_stream_op *ops, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t at = rng_below(r, 7) * 2;
        uint64_t value = (uint64_t)rng_next(r) << 32 | rng_next(r);
        ops[i] = (sf_stream_op){ .ptr = words + at, .value = value };
        switch (rng_below(r, 6)) {
        case 0: ops[i].type = SF_STREAM_OP_WRITE64; memcpy(model + at, &value, 8); break;
        case 1: ops[i].type = SF_STREAM_OP_WAIT32, ops[i].flags = SF_WAIT_VALUE_EQ, ops[i].value = model[at]; break;
        case 2:
            ops[i].type = SF_STREAM_OP_WAIT64, ops[i].flags = SF_WAIT_VALUE_EQ;
            memcpy(&ops[i].value, model + at, 8);
            break;
        case 3: ops[i] = (sf_stream_op){ .type = SF_STREAM_OP_BARRIER, .flags = rng_below(r, 2) }; break;
        default: ops[i].type = SF_STREAM_OP_WRITE32, ops[i].value = model[at] = (uint32_t)value; break;
        }
    }
    return n;
}
static sf_result batches_in_order(setup *t)  /* within and among each other; up to the most there can be */
{
    rng r = rng_seed(test_first_seed());
    sf_stream_op ops[SF_MAX_STREAM_OPS];
    uint32_t model[16];
    memset(t->data, 0, 64);
    memset(model, 0, sizeof model);
    for (int i = 0; i < 20; i++) {
        int n = random_batch(&r, t->data, model, ops, i == 7 ? SF_MAX_STREAM_OPS : 1 + (int)rng_below(&r, 20));
        CHECK_OK(sf_stream_batch(t->s[i % 2], ops, n, 0));
        memset(ops, 0xee, sizeof ops);       /* they were copied */
        order(t->s[i % 2], t->e[i % 4], t->s[1 - i % 2]);
    }
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_stream_synchronize(t->s[i], GUARD)); }
    CHECK_BYTES(t->data, model, sizeof model);
    return SF_OK;
}
static sf_result a_batch_waits_within(setup *t)      /* what is before the wait is done, what is behind it is not */
{
    uint32_t *word = t->flag + 8;
    sf_stream_op ops[] = { write_op(t->flag + 1, 5), wait_op(word, 9, SF_WAIT_VALUE_EQ), write_op(t->flag + 2, 6),
                           wait_op(word + 1, 3, SF_WAIT_VALUE_GEQ), write_op(t->flag + 3, 7) };
    CHECK_OK(sf_stream_batch(t->s[0], ops, COUNT(ops), 0));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 1, 0));
    while (test_load(t->flag + 1) != 5) { (void)sf_device_poll(t->device, SF_MS(1)); }
    CHECK_IS(sf_stream_synchronize(t->s[0], SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(test_load(t->flag + 2), 0);
    test_store(word, 9);
    while (test_load(t->flag + 2) != 6) { (void)sf_device_poll(t->device, SF_MS(1)); }
    CHECK_IS(sf_stream_synchronize(t->s[0], SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(test_load(t->flag + 3) + t->data[0], 0);
    CHECK_OK(work(t, t->s[1]));              /* and no worker waits with it */
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    t->data[0] = 0;
    test_store(word + 1, 3);
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(test_load(t->flag + 3), 7);
    CHECK_EQUAL(t->data[0], 1);
    return SF_OK;
}
static sf_result a_captured_batch(setup *t)  /* is one node, which begins at its first operation each time */
{
    uint32_t *word = t->flag + 8;
    sf_node_type type = SF_NODE_EMPTY;
    sf_graph_node *node = NULL;
    int count = 0;
    sf_stream_op ops[] = { write_op(word, 1), wait_op(t->flag, 1, SF_WAIT_VALUE_EQ), write_op(t->flag, 2),
                           wait_op(t->flag + 1, 1, SF_WAIT_VALUE_EQ), write_op(t->flag + 2, 8) };
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_batch(t->s[0], ops, COUNT(ops), 0));
    memset(ops, 0xee, sizeof ops);
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 1, 0));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_OK(sf_graph_get_nodes(t->graph, &node, 1, &count));
    CHECK_OK(sf_graph_node_get_type(node, &type));
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(type, SF_NODE_BATCH_MEM_OP);
    for (uint32_t i = 1; i <= 3; i++) {
        memset(t->flag, 0, 64);
        CHECK_OK(sf_graph_launch(t->exec, t->s[1]));
        while (test_load(word) != 1) { (void)sf_device_poll(t->device, SF_MS(1)); }
        CHECK_EQUAL(test_load(t->flag), 0);
        test_store(t->flag, 1);
        while (test_load(t->flag) != 2) { (void)sf_device_poll(t->device, SF_MS(1)); }
        CHECK_EQUAL(test_load(t->flag + 2), 0);
        test_store(t->flag + 1, 1);
        CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
        CHECK_EQUAL(test_load(t->flag + 2), 8);
        CHECK_EQUAL(t->data[0], i);
    }
    return SF_OK;
}
static sf_result wrong_batch(setup *t)       /* arg: what is wrong; none of the operations runs */
{
    sf_stream_op ops[SF_MAX_STREAM_OPS + 1];
    uint32_t *p = t->data + 64, flags = 0;
    int n = 3;
    sf_stream *s = t->s[0];
    sf_result r;
    p[0] = p[1] = 0;
    for (size_t i = 0; i < COUNT(ops); i++) { ops[i] = write_op(p + i % 2, 1); }
    switch (t->row->arg) {
    case 0: n = SF_MAX_STREAM_OPS + 1; break;
    case 1: n = -1; break;
    case 2: flags = 1; break;
    case 3: return sf_stream_batch(s, NULL, 1, 0);
    case 4: return sf_stream_batch(NULL, ops, 1, 0);
    case 5: ops[1].type = (sf_stream_op_type)0; break;
    case 6: ops[1].type = (sf_stream_op_type)99; break;
    case 7: ops[1] = (sf_stream_op){ .type = SF_STREAM_OP_BARRIER, .flags = 2 }; break;
    case 8: ops[1] = (sf_stream_op){ .type = SF_STREAM_OP_FLUSH, .flags = 1 }; break;
    case 9: ops[1].flags = 1; break;
    case 10: ops[1] = wait_op(p, 0, 4); break;
    case 11: ops[1].ptr = NULL; break;
    case 12: ops[1].ptr = (char *)p + 2; break;
    case 13: ops[1].type = SF_STREAM_OP_WRITE64, ops[1].ptr = p + 1; break;
    case 14: ops[1].value = (uint64_t)1 << 40; break;
    case 15: ops[1] = wait_op(p, 0, 0), ops[1].value = (uint64_t)1 << 32; break;
    case 16: ops[1].type = (sf_stream_op_type)7; break;
    case 17: ops[1] = (sf_stream_op){ SF_STREAM_OP_ATOMIC, 1, p, 1 }; break;
    case 18: ops[1] = (sf_stream_op){ SF_STREAM_OP_ATOMIC, 32, p, 1 }; break;
    case 19: ops[1] = (sf_stream_op){ SF_STREAM_OP_ATOMIC, SF_ATOMIC_OR, NULL, 1 }; break;
    case 20: ops[1] = (sf_stream_op){ SF_STREAM_OP_ATOMIC, SF_ATOMIC_AND | SF_ATOMIC_64, p + 1, 1 }; break;
    default: ops[1] = (sf_stream_op){ SF_STREAM_OP_ATOMIC, SF_ATOMIC_ADD, p, (uint64_t)1 << 32 }; break;     /* 21 */
    }
    r = sf_stream_batch(s, ops, n, flags);
    if (t->row->arg == 14 || t->row->arg == 15 || t->row->arg == 21) {
        CHECK(strstr(sf_device_failure(t->device)->text, "operation 1: the value has more than 32"));
    }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(p[0] + p[1], 0);
    return r;
}
static sf_result an_empty_batch(setup *t) { return sf_stream_batch(t->s[0], NULL, 0, 0); }
static sf_result flushes(setup *t)           /* where the device can, by its own word */
{
    sf_device_info info;
    sf_result want;
    sf_stream_op op = { .type = SF_STREAM_OP_FLUSH };
    CHECK_OK(sf_device_get_info(t->device, &info));
    want = info.flush_writes ? SF_OK : SF_ERROR_NOT_SUPPORTED;
    CHECK_IS(sf_stream_batch(t->s[0], &op, 1, 0), want);
    CHECK_IS(sf_stream_wait_value(t->s[0], t->data, 4, 0, SF_WAIT_VALUE_GEQ | SF_WAIT_VALUE_FLUSH), want);
    return sf_stream_synchronize(t->s[0], GUARD);
}
/* Streams add to one word, clear bits of another and set bits of a third, all at the same time. Nothing is lost. */
static sf_result atomic_operations(setup *t)
{
    static const uint32_t turns = 300;
    sf_device_info info;
    sf_node_type type = SF_NODE_EMPTY;
    sf_graph_node *node = NULL;
    uint64_t *wide = (uint64_t *)t->flag;
    uint32_t *narrow = t->flag + 8;
    int count = 0;
    sf_stream_op one = { SF_STREAM_OP_ATOMIC, SF_ATOMIC_ADD, narrow, 1 };
    CHECK_OK(sf_device_get_info(t->device, &info));
    if (!info.stream_atomics) {
        CHECK(on_cuda());
        CHECK_IS(sf_stream_batch(t->s[0], &one, 1, 0), SF_ERROR_NOT_SUPPORTED);
        return SF_OK;
    }
    memset(t->flag, 0, 64);
    wide[1] = UINT64_MAX, narrow[2] = UINT32_MAX, narrow[4] = narrow[5] = 7;
    for (uint32_t i = 0; i < 2 * turns; i++) {
        const uint32_t k = i % 2, bit = i / 2 % 16 * 2 + k;  /* each stream has bits of its own */
        const sf_stream_op ops[] = {
            { SF_STREAM_OP_BARRIER, SF_BARRIER_SYSTEM, NULL, 0 },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_ADD | SF_ATOMIC_64, wide, ((uint64_t)1 << 32) - 1 },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_AND | SF_ATOMIC_64, wide + 1, ~((uint64_t)1 << (bit + 32)) },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_OR | SF_ATOMIC_64, wide + 2, (uint64_t)1 << (bit + 16) },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_ADD, narrow, UINT32_MAX },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_AND, narrow + 2, (uint32_t) ~((uint32_t)1 << bit) },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_OR, narrow + 3, (uint32_t)1 << bit },
        };
        CHECK_OK(sf_stream_batch(t->s[k], ops, COUNT(ops), 0));
    }
    for (int k = 0; k < 2; k++) { CHECK_OK(sf_stream_synchronize(t->s[k], GUARD)); }
    CHECK(wide[0] == 2 * turns * (((uint64_t)1 << 32) - 1));
    CHECK(wide[1] == UINT32_MAX && wide[2] == (uint64_t)UINT32_MAX << 16);
    CHECK_EQUAL(narrow[0], (uint32_t)0 - 2 * turns);
    CHECK_EQUAL(narrow[1], 0);
    CHECK_EQUAL(narrow[2], 0);
    CHECK_EQUAL(narrow[3], UINT32_MAX);
    narrow[0] = UINT32_MAX, one.value = 2;   /* around, and not into the word behind it */
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_batch(t->s[0], &one, 1, 0));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_OK(sf_graph_get_nodes(t->graph, &node, 1, &count));
    CHECK_OK(sf_graph_node_get_type(node, &type));
    CHECK_EQUAL(type, SF_NODE_BATCH_MEM_OP);
    for (uint32_t i = 0; i < 3; i++) { CHECK_OK(sf_graph_launch(t->exec, t->s[1])); }
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    CHECK_EQUAL(narrow[0], 5);
    CHECK_EQUAL(narrow[1], 0);
    return SF_OK;
}
static const struct { uint64_t word, value; uint32_t how; bool passes; } word_waits[] = {
    { 5, 5, SF_WAIT_VALUE_GEQ, true },       { 6, 5, SF_WAIT_VALUE_GEQ, true },
    { 4, 5, SF_WAIT_VALUE_GEQ, false },      { 1, ~(uint64_t)0, SF_WAIT_VALUE_GEQ, true },   /* wraps */
    { ~(uint64_t)0, 1, SF_WAIT_VALUE_GEQ, false },
    { 5, 5, SF_WAIT_VALUE_EQ, true },        { 6, 5, SF_WAIT_VALUE_EQ, false },
    { 0, 0, SF_WAIT_VALUE_EQ, true },        { 6, 2, SF_WAIT_VALUE_AND, true },
    { 6, 3, SF_WAIT_VALUE_AND, true },       { 4, 2, SF_WAIT_VALUE_AND, false },
    { 0, 0, SF_WAIT_VALUE_NOR, true },       { ~(uint64_t)0, 0, SF_WAIT_VALUE_NOR, false },
    { 0xf0f0f0f0f0f0f0f0u, 0x0f0f0f0f0f0f0f0fu, SF_WAIT_VALUE_NOR, false },
    { 0xf0f0f0f0f0f0f0f0u, 0x0f0f0f0f0f0f0f0eu, SF_WAIT_VALUE_NOR, true },
};
static const struct { uint64_t word, value; uint32_t how; bool passes; } long_waits[] = {
    { (uint64_t)1 << 40, ((uint64_t)1 << 40) - 1, SF_WAIT_VALUE_GEQ, true },
    { ((uint64_t)1 << 40) - 1, (uint64_t)1 << 40, SF_WAIT_VALUE_GEQ, false },
    { (uint64_t)3 << 40 | 1, (uint64_t)2 << 40 | 1, SF_WAIT_VALUE_EQ, false },
    { (uint64_t)4 << 40 | 1, (uint64_t)2 << 40, SF_WAIT_VALUE_AND, false },
    { (uint64_t)6 << 40, (uint64_t)2 << 40, SF_WAIT_VALUE_AND, true },
    { 0x00000000ffffffffu, 0, SF_WAIT_VALUE_NOR, true },
};
static void wait_case(setup *t, uint64_t word, uint64_t value, uint32_t how, bool passes, bool is64)
{
    uint64_t *at = (uint64_t *)(void *)(t->flag + 32);
    uint64_t good = how == SF_WAIT_VALUE_NOR ? 0 : value;
    uint32_t *at32 = (uint32_t *)(void *)at;
    if (is64) { __atomic_store_n(at, word, __ATOMIC_RELEASE); } else { test_store(at32, (uint32_t)word); }
    t->data[0] = 0;
    CHECK_OK(is64 ? sf_stream_wait_value(t->s[0], at, 8, value, how)
                  : sf_stream_wait_value(t->s[0], at32, 4, (uint32_t)value, how));
    CHECK_OK(test_mix(t->s[0], t->data, NULL, 1, 1, 1, 0));
    if (!passes) {
        CHECK_IS(sf_stream_synchronize(t->s[0], SF_MS(1)), SF_TIMEOUT);
        CHECK_IS(sf_stream_query(t->s[0]), SF_NOT_READY);
        CHECK_EQUAL(t->data[0], 0);
        if (is64) { __atomic_store_n(at, good, __ATOMIC_RELEASE); } else { test_store(at32, (uint32_t)good); }
    }
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(t->data[0], 1);
}
static sf_result wait_for_words(setup *t)
{
    for (size_t i = 0; i < COUNT(word_waits); i++) {
        wait_case(t, word_waits[i].word, word_waits[i].value, word_waits[i].how, word_waits[i].passes, t->row->arg);
    }
    for (size_t i = 0; i < COUNT(long_waits) && t->row->arg; i++) {
        wait_case(t, long_waits[i].word, long_waits[i].value, long_waits[i].how, long_waits[i].passes, true);
    }
    return SF_OK;
}
static sf_result write_words(setup *t)       /* after what comes before, and no byte beside */
{
    uint32_t model[16];
    memset(t->data, 0x5a, 64);
    memset(model, 0x5a, 64);
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    CHECK_OK(sf_stream_write_value(t->s[0], t->data + 1, 4, 0x12345678, 0));
    CHECK_OK(sf_stream_write_value(t->s[0], t->data + 4, 8, 0x123456789abcdef0u, 0));
    CHECK_OK(sf_stream_write_value(t->s[0], t->data + 8, 4, 1, 0));
    CHECK_OK(test_mix(t->s[0], t->data + 8, NULL, 1, 3, 1, 0));
    CHECK_OK(sf_stream_write_value(t->s[0], t->data + 9, 4, 1, 0));
    CHECK_OK(sf_stream_write_value(t->s[0], t->data + 9, 4, 2, 0));
    CHECK_IS(sf_stream_query(t->s[0]), SF_NOT_READY);
    CHECK_BYTES(t->data, model, 64);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    model[1] = 0x12345678;
    model[4] = 0x9abcdef0, model[5] = 0x12345678;
    model[8] = 4, model[9] = 2;
    CHECK_BYTES(t->data, model, 64);
    return SF_OK;
}
static sf_result words_order_streams(setup *t)               /* as events do; of memory of both kinds (arg) */
{
    uint32_t model = 0, *word = t->row->arg ? t->gpu : t->flag + 8;
    CHECK_OK(sf_memset_async(t->s[0], word, 0, 4));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    for (uint32_t i = 0; i < 30; i++) {
        CHECK_OK(test_mix(t->s[i % 4], t->data, NULL, 1, 3, i, 300));
        CHECK_OK(sf_stream_write_value(t->s[i % 4], word, 4, i + 1, 0));
        CHECK_OK(sf_stream_wait_value(t->s[(i + 1) % 4], word, 4, i + 1, SF_WAIT_VALUE_GEQ));
        model = model * 3 + i;
    }
    CHECK_OK(sf_device_synchronize(t->device, GUARD));
    CHECK_EQUAL(t->data[0], model);
    return SF_OK;
}
static sf_result word_arguments(setup *t)    /* arg: what is wrong */
{
    uint64_t *p = (uint64_t *)(void *)t->data;
    switch (t->row->arg) {
    case 0: return sf_stream_write_value(t->s[0], NULL, 4, 1, 0);
    case 1: return sf_stream_write_value(t->s[0], NULL, 8, 1, 0);
    case 2: return sf_stream_wait_value(t->s[0], NULL, 4, 1, 0);
    case 3: return sf_stream_wait_value(t->s[0], NULL, 8, 1, 0);
    case 4: return sf_stream_write_value(NULL, p, 4, 1, 0);
    case 5: return sf_stream_write_value(NULL, p, 8, 1, 0);
    case 6: return sf_stream_wait_value(NULL, p, 4, 1, 0);
    case 7: return sf_stream_wait_value(NULL, p, 8, 1, 0);
    case 8: return sf_stream_wait_value(t->s[0], p, 4, 0, 8);
    case 9: return sf_stream_wait_value(t->s[0], p, 8, 0, 8);
    case 10: return sf_stream_wait_value(t->s[0], p, 4, 0, 4);
    case 11: return sf_stream_write_value(t->s[0], p, 4, 0, 1);
    case 12: return sf_stream_write_value(t->s[0], p, 8, 0, 8);
    case 13: return sf_stream_write_value(t->s[0], (char *)p + 2, 4, 1, 0);
    case 14: return sf_stream_write_value(t->s[0], t->data + 1, 8, 1, 0);
    case 15: return sf_stream_wait_value(t->s[0], (char *)p + 2, 4, 0, 0);
    default: return sf_stream_wait_value(t->s[0], t->data + 1, 8, 0, 0);
    }
}
static sf_result words_of_pageable_memory(setup *t)
{
    CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_HOST, &t->spare[0]));
    return sf_stream_write_value(t->s[0], t->spare[0], 4, 1, 0);
}
static sf_result words_of_managed_memory(setup *t)
{
    CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, &t->spare[0]));
    return sf_stream_write_value(t->s[0], t->spare[0], 4, 1, 0);
}

/* -- 2.17: memory in stream order -- */

static sf_result alloc_nothing(setup *t)
{
    void *p = t;
    sf_result r = sf_mem_alloc_async(t->s[0], NULL, 0, &p);
    CHECK(!p);
    return r;
}
static sf_result alloc_before_its_turn(setup *t)             /* the pointer is there at once */
{
    uint32_t *p = NULL;
    CHECK_OK(test_gate(t->s[0], t->flag, 1));
    sf_result r = sf_mem_alloc_async(t->s[0], NULL, 256, (void **)&p);
    CHECK(p != NULL);
    CHECK_OK(sf_memset_async(t->s[0], p, 0, 256));
    CHECK_OK(test_mix(t->s[0], p, NULL, 64, 1, 7, 0));
    CHECK_OK(test_mix(t->s[0], t->data, p, 64, 1, 1, 0));
    CHECK_OK(sf_mem_free_async(t->s[0], p));
    CHECK_EQUAL(t->data[0], 0);
    test_store(t->flag, 1);
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    for (int i = 0; i < 64; i++) { CHECK_EQUAL(t->data[i], 8); }
    return r;
}
static sf_result free_elsewhere(setup *t)    /* arg 0: another stream, 1: of sf_mem_alloc, 2: by sf_mem_free */
{
    void *p = NULL;
    CHECK_OK(t->row->arg == 1 ? sf_mem_alloc(t->device, 256, SF_MEMORY_DEVICE, &p)
                              : sf_mem_alloc_async(t->s[0], NULL, 256, &p));
    CHECK_OK(sf_memset_async(t->s[0], p, 3, 256));
    order(t->s[0], t->e[0], t->s[1]);
    if (t->row->arg < 2) { return sf_mem_free_async(t->s[1], p); }
    CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    return sf_mem_free(t->device, p);
}
static sf_result free_what_is_none(setup *t)
{
    static uint32_t own[16];
    void *p = NULL;
    CHECK_OK(sf_mem_alloc_async(t->s[0], NULL, 256, &p));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    if (t->row->arg == 0) { CHECK_OK(sf_mem_free_async(t->s[0], p)); } else { t->spare[0] = p; }
    switch (t->row->arg) {
    case 0: return sf_mem_free_async(t->s[0], p);            /* twice */
    case 1: return sf_mem_free_async(t->s[0], NULL);
    case 2: return sf_mem_free_async(t->s[0], own);
    case 3: return sf_mem_free_async(t->s[0], (char *)p + 16);
    default: return sf_mem_free_async(NULL, p);
    }
}
static sf_mem_pool *async_pool(setup *t, bool follow, bool opportunistic, bool internal, size_t threshold)
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .release_threshold_bytes = threshold };
    sf_mem_pool *pool = NULL;
    desc.no_follow_event = !follow;
    desc.no_opportunistic = !opportunistic;
    desc.no_internal_wait = !internal;
    CHECK_OK(sf_mem_pool_create(t->device, &desc, &pool));
    return pool;
}
enum { BLOCK = 1 << 16, KEEP = 1 << 30 };
static void *block_of(setup *t, sf_mem_pool *pool, int s)
{
    void *p = NULL;
    CHECK_OK(sf_mem_alloc_async(t->s[s], pool, BLOCK, &p));
    CHECK_OK(sf_memset_async(t->s[s], p, s, BLOCK));
    return p;
}
/* Who may have freed memory, under each rule alone; arg: which, and what should come of it. */
static sf_result reuse(setup *t)
{
    const int how = t->row->arg;
    sf_mem_pool *pool = async_pool(t, how == 1 || how == 2 || how == 7, how == 3 || how == 4, how == 5, KEEP);
    sf_mem_pool_info before, after;
    void *p, *q = NULL;
    bool same;
    if (how == 7) { order(t->s[0], t->e[1], t->s[1]); }
    if (how != 4) { CHECK_OK(test_gate(t->s[0], t->flag, 1)); }
    p = block_of(t, pool, 0);
    CHECK_OK(sf_mem_free_async(t->s[0], p));
    CHECK_OK(sf_event_record(t->e[0], t->s[0], 0));
    if (how == 4) { CHECK_OK(sf_event_synchronize(t->e[0], GUARD)); }
    if (how == 2) { CHECK_OK(sf_stream_wait_event(t->s[1], t->e[0], 0)); }
    CHECK_OK(sf_mem_pool_get_info(pool, &before));
    q = block_of(t, pool, how == 0 ? 0 : 1);
    CHECK_OK(sf_mem_pool_get_info(pool, &after));
    same = p == q;
    CHECK_EQUAL(same, how == 0 || how == 2 || how == 4 || how == 5);
    CHECK_EQUAL(after.reserved > before.reserved, !same);
    if (how == 5) {                          /* it waits for the other stream, inside */
        CHECK_IS(sf_stream_synchronize(t->s[1], SF_MS(1)), SF_TIMEOUT);
    } else if (!same) {                      /* it need not, and does not */
        CHECK_OK(sf_stream_synchronize(t->s[1], GUARD));
    }
    test_store(t->flag, 1);
    CHECK_OK(sf_mem_free_async(t->s[how == 0 ? 0 : 1], q));
    CHECK_OK(sf_device_synchronize(t->device, GUARD));
    return sf_mem_pool_destroy(pool);
}
/* Whatever is reused when: nobody sees another's data. On all eight kinds of pool. */
static sf_result reuse_is_never_seen(setup *t)
{
    enum { ROUNDS = 150 };
    rng r = rng_seed(t->row->arg);
    sf_mem_pool *pool = async_pool(t, t->row->arg & 1, t->row->arg & 2, t->row->arg & 4, t->row->arg & 8 ? KEEP : 0);
    uint32_t model[ROW_STREAMS] = { 0 };
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t s = rng_below(&r, ROW_STREAMS), n = 64 + 64 * rng_below(&r, 4), add = rng_next(&r), *p = NULL;
        uint32_t on = rng_below(&r, 3) ? s : rng_below(&r, ROW_STREAMS);
        CHECK_OK(sf_mem_alloc_async(t->s[s], pool, n * 4, (void **)&p));
        CHECK_OK(sf_memset_async(t->s[s], p, 0, n * 4));
        CHECK_OK(test_mix(t->s[s], p, NULL, n, 1, add, rng_below(&r, 2000)));
        CHECK_OK(test_mix(t->s[s], t->data + 64 * s, p + n - 8, 8, 3, 0, rng_below(&r, 500)));
        model[s] = model[s] * 3 + add;
        if (on != s) { order(t->s[s], t->e[0], t->s[on]); }
        CHECK_OK(sf_mem_free_async(t->s[on], p));
        if (rng_below(&r, 20) == 0) { CHECK_OK(sf_stream_synchronize(t->s[on], GUARD)); }
    }
    CHECK_OK(sf_device_synchronize(t->device, GUARD));
    for (uint32_t s = 0; s < ROW_STREAMS; s++) {
        for (int k = 0; k < 8; k++) { CHECK_EQUAL(t->data[64 * s + (uint32_t)k], model[s]); }
    }
    return sf_mem_pool_destroy(pool);
}
static sf_result pool_statistics(setup *t)
{
    sf_mem_pool *pool = async_pool(t, true, true, true, KEEP);
    sf_mem_pool_info info, high;
    void *p[4];
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK_EQUAL(info.used, 0);
    for (int i = 0; i < 4; i++) { p[i] = block_of(t, pool, i); }
    CHECK_OK(sf_mem_pool_get_info(pool, &high));
    CHECK(high.used >= 4 * BLOCK && high.used_high >= high.used);
    CHECK(high.reserved >= high.used && high.reserved_high >= high.reserved);
    for (int i = 0; i < 4; i++) { CHECK_OK(sf_mem_free_async(t->s[i], p[i])); }
    CHECK_OK(sf_device_synchronize(t->device, SF_FOREVER));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK_EQUAL(info.used, 0);
    CHECK_EQUAL(info.used_high, high.used_high);             /* what it was at most */
    CHECK_EQUAL(info.reserved, high.reserved);               /* below the threshold it keeps what it has */
    CHECK_OK(sf_mem_pool_trim(pool, 0));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK_EQUAL(info.reserved, 0);
    CHECK_EQUAL(info.reserved_high, high.reserved_high);
    p[0] = block_of(t, pool, 0);             /* and is none the worse for it */
    CHECK_OK(sf_mem_free_async(t->s[0], p[0]));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    return sf_mem_pool_destroy(pool);
}
static sf_result trim_keeps_what_it_is_told(setup *t)
{
    sf_mem_pool *pool = async_pool(t, true, true, true, KEEP);
    sf_mem_pool_info info;
    void *p[8];
    for (int i = 0; i < 8; i++) { p[i] = block_of(t, pool, 0); }
    for (int i = 1; i < 8; i++) { CHECK_OK(sf_mem_free_async(t->s[0], p[i])); }
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_OK(sf_mem_pool_trim(pool, 3 * BLOCK));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK(info.reserved >= 3 * BLOCK);
    CHECK_OK(sf_mem_pool_trim(pool, 0));     /* what is in use stays */
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK(info.used >= BLOCK && info.reserved >= info.used);
    CHECK_OK(test_mix(t->s[0], (uint32_t *)p[0], NULL, BLOCK / 4, 1, 7, 0));
    CHECK_OK(test_mix(t->s[0], t->data, (uint32_t *)p[0] + 100, 8, 1, 0, 0));
    CHECK_OK(sf_mem_free_async(t->s[0], p[0]));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(t->data[0], 7);
    return sf_mem_pool_destroy(pool);
}
static sf_result without_a_threshold_nothing_is_kept(setup *t)
{
    sf_mem_pool *pool = async_pool(t, true, true, true, 0);
    sf_mem_pool_info info;
    void *p = block_of(t, pool, 0);
    CHECK_OK(sf_mem_free_async(t->s[0], p));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_OK(sf_device_synchronize(t->device, SF_FOREVER));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK_EQUAL(info.used, 0);
    CHECK_EQUAL(info.reserved, 0);
    return sf_mem_pool_destroy(pool);
}
static sf_result memory_to_begin_with(setup *t)
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .initial_bytes = 1 << 20, .release_threshold_bytes = KEEP };
    sf_mem_pool *pool = NULL;
    sf_mem_pool_info info;
    CHECK_OK(sf_mem_pool_create(t->device, &desc, &pool));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK(info.reserved >= 1 << 20);
    CHECK_EQUAL(info.used, 0);
    return sf_mem_pool_destroy(pool);
}
static sf_result more_than_the_pool_may_have(setup *t)
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .max_bytes = 64 << 20 };
    sf_mem_pool *pool = NULL;
    void *p = NULL;
    CHECK_OK(sf_mem_pool_create(t->device, &desc, &pool));
    sf_result r = sf_mem_alloc_async(t->s[0], pool, 65 << 20, &p);
    CHECK(!p);
    CHECK_OK(sf_mem_pool_destroy(pool));
    return r;
}
static sf_result alloc_of_a_pool_that_is_gone(setup *t)
{
    sf_mem_pool *pool = async_pool(t, true, true, true, 0);
    void *p = NULL;
    CHECK_OK(sf_mem_pool_destroy(pool));
    return sf_mem_alloc_async(t->s[0], pool, 64, &p);
}
static sf_result alloc_of_a_pool_of_blocks(setup *t)
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_BLOCKS, .block_bytes = 64, .blocks = 4 };
    sf_mem_pool *pool = NULL;
    void *p = NULL;
    CHECK_OK(sf_mem_pool_create(t->device, &desc, &pool));
    sf_result r = sf_mem_alloc_async(t->s[0], pool, 64, &p);
    CHECK_OK(sf_mem_pool_destroy(pool));
    return r;
}
static sf_result prefetch(setup *t)          /* arg: what of */
{
    uint32_t *p;
    sf_result r;
    CHECK_OK(sf_mem_alloc(t->device, 65536, SF_MEMORY_MANAGED, &t->spare[0]));
    p = (uint32_t *)t->spare[0];
    if (t->row->arg == 1) { return sf_mem_prefetch_async(t->s[0], NULL, 4096, false); }
    if (t->row->arg == 2) { return sf_mem_prefetch_async(t->s[0], p, 0, false); }
    if (t->row->arg == 3) { return sf_mem_prefetch_async(NULL, p, 65536, false); }
    if (t->row->arg == 4) { return sf_mem_prefetch_async(t->s[0], t->data, 64, false); }
    if (t->row->arg == 5) { return sf_mem_prefetch_async(t->s[0], t->gpu, 64, false); }
    if (t->row->arg == 6) {
        r = sf_mem_prefetch_async(t->s[0], t, 64, true);     /* on the heap */
        CHECK_IS(r, takes_pageable(t->device) ? SF_OK : SF_ERROR_INVALID_VALUE);
        return SF_ERROR_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < 16384; i++) { p[i] = i; }
    CHECK_OK(sf_mem_prefetch_async(t->s[0], p, 65536, false));
    CHECK_OK(test_mix(t->s[0], p, NULL, 16384, 3, 1, 0));
    r = sf_mem_prefetch_async(t->s[0], p, 65536, true);
    CHECK_OK(sf_mem_prefetch_async(t->s[0], p, 4096, false));        /* a part */
    CHECK_OK(sf_mem_prefetch_async(t->s[0], p, 4096, true));
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    for (uint32_t i = 0; i < 16384; i++) { CHECK_EQUAL(p[i], i * 3 + 1); }
    return r;
}

/* -- modules -- */

static sf_result module_on_a_host_device(setup *t)
{
    sf_module *m = NULL;
    sf_result r = sf_module_load(t->device, ptx, sizeof ptx, 0, &m);
    CHECK(!m);
    CHECK_IS(sf_device_failure(t->device)->result, r);
    return r;
}
static sf_result module_arguments(setup *t)
{
    sf_module *m = NULL;
    switch (t->row->arg) {
    case 0: return sf_module_load(NULL, ptx, sizeof ptx, 0, &m);
    case 1: return sf_module_unload(NULL);
    case 2: return sf_function_preload(NULL);
    case 3: return sf_launch_kernel(t->s[0], NULL, NULL, NULL);
    default: return sf_launch_kernel(NULL, NULL, NULL, NULL);
    }
}
static sf_result module_without_an_image(setup *t)
{
    sf_module *m = NULL;
    return sf_module_load(t->device, NULL, 16, 0, &m);
}
static sf_result module_of_garbage(setup *t)                 /* CUDA has several words for it */
{
    static const char text[] = "neither PTX nor a cubin";
    sf_module *m = NULL;
    sf_result r = sf_module_load(t->device, text, sizeof text, 0, &m);
    CHECK(!m);
    return r < 0 ? SF_OK : SF_ERROR_UNKNOWN;
}
static sf_result module_with_a_kernel(setup *t)
{
    sf_module *m = NULL;
    sf_function *f = NULL, *none = NULL;
    sf_grid one = { .shared_bytes = 0 };
    uint32_t *word = t->data + 5, n = 7;
    void *params[] = { &word, &n };
    sf_result r = sf_module_load(t->device, ptx, sizeof ptx, 0, &m);
    CHECK_OK(r);
    CHECK_OK(sf_module_get_function(m, "add", &f));
    CHECK_IS(sf_module_get_function(m, "subtract", &none), (sf_result)-500);         /* NOT_FOUND */
    CHECK(!none);
    CHECK_OK(sf_function_preload(f));
    CHECK_OK(sf_launch_kernel(t->s[0], f, &one, params));
    n = 100, word = NULL;                    /* the caller's again */
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    CHECK_EQUAL(t->data[5], 7);
    word = t->data + 6, n = 3;
    CHECK_OK(sf_stream_begin_capture(t->s[0], SF_CAPTURE_THREAD_LOCAL));
    CHECK_OK(sf_launch_kernel(t->s[0], f, &one, params));
    CHECK_OK(end_to_exec(t, t->s[0]));
    CHECK_EQUAL(t->data[6], 0);
    CHECK_OK(run_exec(t, t->s[0]));
    CHECK_OK(run_exec(t, t->s[1]));
    CHECK_EQUAL(t->data[6], 6);
    CHECK_OK(sf_graph_exec_destroy(t->exec));
    CHECK_OK(sf_graph_destroy(t->graph));
    t->exec = NULL, t->graph = NULL;
    CHECK_OK(sf_module_unload(m));
    CHECK_IS(sf_launch_kernel(t->s[0], f, &one, params), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_module_get_function(m, "add", &f), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_module_unload(m), SF_ERROR_INVALID_HANDLE);
    return r;
}

/* -- every call of the stream layer, with whatever handles -- */

enum { MAX_CALLS = 128 };
typedef struct handles {
    bool live;                               /* else they are NULL, stale, or of another kind */
    bool faulted;                            /* then not all calls are asked */
    sf_device *device;
    sf_stream *stream, *idle;
    sf_event *event;
    sf_graph *graph;
    sf_graph_node *node;
    sf_graph_exec *exec;
    sf_mem_pool *mem_pool;
    sf_stream_pool *stream_pool;
    sf_policy *policy;
    sf_module *module;
    sf_function *function;
    sf_future *future;
    sf_lazy *lazy[4];                        /* each is taken by one call */
    void *memory, *managed;
} handles;
typedef struct call_list {
    const char *names[MAX_CALLS];
    sf_result results[MAX_CALLS];
    uint32_t count;
    bool handed_out;
} call_list;
static void no_func(void *user) { (void)user; }
static void no_callback(sf_stream *s, sf_result status, void *user) { (void)s, (void)status, (void)user; }
static void no_text(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }
static void no_ready(sf_future *f, sf_result result, void *user) { (void)f, (void)result, (void)user; }
#define CALL(expression) (l->names[l->count] = #expression, l->results[l->count] = (expression), l->count++)
static void call_devices_and_streams(const handles *h, call_list *l)
{
    sf_device *device = NULL;
    sf_device_info info;
    sf_counters counters;
    sf_stream *s = NULL;
    sf_stream_pool *pool = NULL;
    int32_t priority;
    uint32_t flags;
    uint64_t id;
    int fd = -1;
    if (!h->faulted) {                       /* ways out, and who looks for the cause may count */
        CALL(sf_device_close(h->device, 0));
        CALL(sf_device_reset(h->device));
        CALL(sf_device_get_counters(h->device, &counters));
    }
    CALL(sf_device_get_info(h->device, &info));
    CALL(sf_device_synchronize(h->device, 0));
    CALL(sf_device_poll(h->device, 0));
    CALL(sf_device_ready_fd(h->device, &fd));
    CALL(sf_stream_create(h->device, NULL, &s));
    CALL(sf_stream_wrap(h->device, l, &s));
    CALL(sf_stream_query(h->idle));
    CALL(sf_stream_synchronize(h->idle, 0));
    CALL(sf_stream_wait_event(h->stream, h->event, 0));
    CALL(sf_stream_wait_stream(h->stream, h->idle));
    CALL(sf_stream_add_callback(h->stream, no_callback, NULL, 0));
    CALL(sf_stream_attach_mem_async(h->stream, h->managed, 0, SF_ATTACH_GLOBAL));
    CALL(sf_stream_get_priority(h->idle, &priority));
    CALL(sf_stream_get_flags(h->idle, &flags));
    CALL(sf_stream_get_id(h->idle, &id));
    CALL(sf_stream_get_device(h->idle, &device));
    CALL(sf_stream_copy_attributes(h->stream, h->idle));
    CALL(sf_stream_write_value(h->stream, h->memory, 4, 1, 0));
    CALL(sf_stream_write_value(h->stream, h->memory, 8, 1, 0));
    CALL(sf_stream_wait_value(h->stream, h->memory, 4, 0, 0));
    CALL(sf_stream_wait_value(h->stream, h->memory, 8, 0, 0));
    CALL(sf_launch_host_func(h->stream, no_func, NULL));
    CALL(sf_stream_fork(h->stream, &s));
    CALL(sf_stream_join(h->stream, h->idle));
    CALL(sf_stream_pool_create(h->device, NULL, &pool));
    CALL(sf_stream_pool_destroy(h->stream_pool));
    CALL(test_mix(h->stream, (uint32_t *)h->memory, NULL, 1, 1, 1, 0));
    CALL(sf_stream_destroy(h->idle));
    CALL(sf_stream_query(sf_stream_legacy(h->device)));      /* handed out, and no more */
    CALL(test_mix(sf_stream_per_thread(h->device), (uint32_t *)h->memory, NULL, 1, 1, 1, 0));
    l->handed_out |= device || s || pool || fd != -1 || sf_device_native(h->device) || sf_stream_native(h->stream);
}
static void call_events_and_memory(const handles *h, call_list *l)
{
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC };
    sf_mem_pool_info info;
    sf_mem_pool *pool = NULL;
    sf_event *e = NULL;
    sf_memory kind;
    float ms;
    void *p = NULL;
    CALL(sf_event_create(h->device, 0, &e));
    CALL(sf_event_record(h->event, h->stream, 0));
    CALL(sf_event_record(h->event, h->stream, 0));
    CALL(sf_event_query(h->event));
    CALL(sf_event_synchronize(h->event, 0));
    CALL(sf_event_elapsed_ms(h->event, h->event, &ms));
    CALL(sf_event_destroy(h->event));
    CALL(sf_mem_alloc(h->device, 16, SF_MEMORY_DEVICE, &p));
    CALL(sf_mem_alloc(h->device, 16, SF_MEMORY_HOST, &p));
    CALL(sf_mem_free(h->device, h->memory));
    CALL(sf_mem_get_device_pointer(h->device, h->memory, &p));
    CALL(sf_mem_get_kind(h->device, &p, &kind));
    CALL(sf_mem_alloc_async(h->stream, NULL, 16, &p));
    CALL(sf_mem_free_async(h->stream, h->memory));
    CALL(sf_mem_prefetch_async(h->stream, h->managed, 16, true));
    CALL(sf_memset_async(h->stream, h->memory, 0xff, 16));
    CALL(sf_memcpy_async(h->stream, h->memory, h->managed, 16));
    CALL(sf_memcpy_2d_async(h->stream, h->memory, 8, h->managed, 8, 8, 2));
    CALL(sf_memcpy_peer_async(h->stream, h->memory, h->device, h->memory, h->device, 16));
    CALL(sf_mem_pool_create(h->device, &desc, &pool));
    CALL(sf_mem_pool_trim(h->mem_pool, 0));
    CALL(sf_mem_pool_get_info(h->mem_pool, &info));
    CALL(sf_mem_pool_destroy(h->mem_pool));
    l->handed_out |= pool || e || p || sf_event_native(h->event);
}
static void call_captures_and_graphs(const handles *h, call_list *l)
{
    sf_capture_status status;
    sf_capture_info info;
    sf_dependency after = { h->node, SF_DEPENDENCY_FULL };
    sf_node_desc desc = { .type = SF_NODE_EMPTY };
    sf_node_type type;
    sf_graph_conditional conditional;
    sf_graph *g = NULL;
    sf_graph_exec *exec = NULL;
    int count;
    CALL(sf_stream_begin_capture(h->stream, SF_CAPTURE_RELAXED));
    CALL(sf_stream_begin_capture_to_graph(h->stream, h->graph, NULL, 0, SF_CAPTURE_RELAXED));
    CALL(sf_stream_end_capture(h->stream, NULL));
    CALL(sf_stream_is_capturing(h->stream, &status));
    CALL(sf_stream_get_capture_info(h->stream, &info, NULL, 0));
    CALL(sf_stream_update_capture_dependencies(h->stream, NULL, 0, SF_CAPTURE_ADD_DEPENDENCIES));
    CALL(sf_graph_create(h->device, &g));
    CALL(sf_graph_clone(h->graph, &g));
    CALL(sf_graph_conditional_create(h->graph, 0, true, &conditional));
    CALL(sf_graph_add_node(h->graph, NULL, 0, &desc, NULL));
    CALL(sf_graph_add_dependencies(h->graph, h->node, &after, 1));
    CALL(sf_graph_get_nodes(h->graph, NULL, 0, &count));
    CALL(sf_graph_node_get_type(h->node, &type));
    CALL(sf_graph_node_get_dependencies(h->node, NULL, 0, &count));
    CALL(sf_graph_dot(h->graph, no_text, NULL));
    CALL(sf_graph_preload(h->graph));
    CALL(sf_graph_instantiate(h->graph, 0, &exec));
    CALL(sf_graph_upload(h->exec, h->stream));
    CALL(sf_graph_launch(h->exec, h->stream));
    CALL(sf_graph_exec_update(h->exec, h->graph));
    CALL(sf_graph_exec_set_node(h->exec, h->node, &desc));
    CALL(sf_graph_exec_destroy(h->exec));
    CALL(sf_graph_destroy(h->graph));
    l->handed_out |= g || exec;
}
static void call_modules_and_lazies(const handles *h, call_list *l)
{
    sf_policy_desc desc = { .kind = SF_POLICY_SINGLE_STREAM };
    sf_policy *policy = NULL;
    sf_future *future = NULL;
    sf_module *module = NULL;
    sf_function *function = NULL;
    sf_grid grid = { .shared_bytes = 0 };
    sf_value value;
    CALL(sf_module_load(h->device, ptx, sizeof ptx, 0, &module));
    if (h->module || !h->live) {             /* a host device has none */
        CALL(sf_module_get_function(h->module, "add", &function));
        CALL(sf_function_preload(h->function));
        CALL(sf_launch_kernel(h->stream, h->function, &grid, NULL));
        CALL(sf_module_unload(h->module));
    }
    CALL(sf_policy_create(h->device, &desc, &policy));
    CALL(sf_lazy_schedule(h->lazy[0], h->policy, &future));
    CALL(sf_lazy_sync(h->lazy[1], h->policy, 0, &value));
    CALL(sf_lazy_sync_on(h->lazy[2], h->stream, 0, &value));
    CALL(sf_lazy_async_on(h->lazy[3], h->stream));
    CALL(sf_policy_destroy(h->policy));
    CALL(sf_future_poll(h->future));
    CALL(sf_future_wait(h->future, 0));
    if (!h->faulted) {
        CALL(sf_future_take(h->future, &value, 1));
        CALL(sf_future_on_ready(h->future, no_ready, NULL));
    }
    l->handed_out |= module || function || policy || future;
}
static void call_everything(const handles *h, call_list *l)
{
    memset(l, 0, sizeof *l);
    call_captures_and_graphs(h, l);
    call_modules_and_lazies(h, l);
    call_events_and_memory(h, l);
    call_devices_and_streams(h, l);
}
static bool good(sf_result r) { return r == SF_OK; }
static sf_result nothing_to_do(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)x, (void)in, (void)count, out->u64 = 0;
    return SF_OK;
}
/* No cmocka here: this runs in a process without it, too. */
static bool handles_make(handles *h, sf_device *device)
{
    sf_node_desc empty = { .type = SF_NODE_EMPTY };
    sf_mem_pool_desc pool = { .kind = SF_MEM_POOL_ASYNC };
    sf_policy_desc policy = { .kind = SF_POLICY_SINGLE_STREAM };
    sf_lazy_desc lazy = { .run = nothing_to_do };
    memset(h, 0, sizeof *h);
    h->live = true;
    h->device = device;
    for (int i = 0; i < 4; i++) { h->lazy[i] = sf_lazy_do(device, &lazy); }
    return good(sf_stream_create(device, NULL, &h->stream)) && good(sf_stream_create(device, NULL, &h->idle)) &&
           good(sf_event_create(device, 0, &h->event)) && good(sf_event_record(h->event, h->stream, 0)) &&
           good(sf_graph_create(device, &h->graph)) && good(sf_graph_add_node(h->graph, NULL, 0, &empty, &h->node)) &&
           good(sf_graph_instantiate(h->graph, 0, &h->exec)) &&
           good(sf_mem_pool_create(device, &pool, &h->mem_pool)) &&
           good(sf_stream_pool_create(device, NULL, &h->stream_pool)) &&
           good(sf_policy_create(device, &policy, &h->policy)) &&
           good(sf_lazy_schedule(sf_lazy_do(device, &lazy), NULL, &h->future)) &&
           good(sf_mem_alloc(device, 4096, SF_MEMORY_PINNED, &h->memory)) &&
           good(sf_mem_alloc(device, 4096, SF_MEMORY_MANAGED, &h->managed)) &&
           (!on_cuda() || (good(sf_module_load(device, ptx, sizeof ptx, 0, &h->module)) &&
                           good(sf_module_get_function(h->module, "add", &h->function)))) &&
           good(sf_stream_synchronize(h->stream, GUARD));
}
static void handles_gone(handles *h)         /* and live no more */
{
    CHECK_OK(sf_stream_destroy(h->stream));
    CHECK_OK(sf_stream_destroy(h->idle));
    CHECK_OK(sf_event_destroy(h->event));
    CHECK_OK(sf_graph_exec_destroy(h->exec));
    CHECK_OK(sf_graph_destroy(h->graph));
    CHECK_OK(sf_mem_pool_destroy(h->mem_pool));
    CHECK_OK(sf_stream_pool_destroy(h->stream_pool));
    CHECK_OK(sf_policy_destroy(h->policy));
    sf_future_drop(h->future);
    CHECK_OK(sf_mem_free(h->device, h->memory));
    CHECK_OK(sf_mem_free(h->device, h->managed));
    if (h->module) { CHECK_OK(sf_module_unload(h->module)); }
    h->live = false;
}
static void check_calls(const call_list *l, sf_result want, const char *what)
{
    for (uint32_t i = 0; i < l->count; i++) { SHOULD_BE(l->results[i], want, "%s: %s", what, l->names[i]); }
    if (l->handed_out) { wrong("%s: something was handed out", what); }
    printf("# %s: %u calls\n", what, l->count);
}

typedef struct inside_call {
    handles h;
    call_list l;
    sf_capture_mode mode;
    sf_result opened, exchanged;
} inside_call;
static void inside_func(void *user)
{
    inside_call *c = (inside_call *)user;
    sf_device *device = NULL;
    call_everything(&c->h, &c->l);
    c->opened = sf_device_open(NULL, &device);
    c->exchanged = sf_thread_exchange_stream_capture_mode(&c->mode);
}
static void inside_callback(sf_stream *s, sf_result status, void *user) { (void)s, (void)status, inside_func(user); }
static void nothing_is_permitted_inside(void **state)
{
    static inside_call c;
    setup *t = &fixture;
    (void)state;
    setup_make(t);
    for (int i = 0; i < 2; i++) {
        memset(&c, 0, sizeof c);
        CHECK(handles_make(&c.h, t->device));
        c.mode = SF_CAPTURE_RELAXED;
        CHECK_OK(i ? sf_stream_add_callback(t->s[0], inside_callback, &c, 0)
                   : sf_launch_host_func(t->s[0], inside_func, &c));
        CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
        check_calls(&c.l, SF_ERROR_NOT_PERMITTED, i ? "inside a callback" : "inside a host function");
        CHECK_IS(c.opened, SF_ERROR_NOT_PERMITTED);
        CHECK_IS(c.exchanged, SF_ERROR_NOT_PERMITTED);
        handles_gone(&c.h);                  /* all are as good as before */
    }
    check_nothing_wrong();
    CHECK_OK(sf_device_get_counters(t->device, &t->before)); /* the policy of the device keeps its streams */
    setup_end(t);
}
static void handles_that_are_none(void **state)
{
    static call_list l;
    setup *t = &fixture;
    handles h, none;
    (void)state;
    setup_make(t);
    memset(&none, 0, sizeof none);
    call_everything(&none, &l);
    check_calls(&l, SF_ERROR_INVALID_HANDLE, "NULL");

    CHECK(handles_make(&h, t->device));
    for (int i = 0; i < 4; i++) { sf_lazy_drop(h.lazy[i]); }
    none = h;
    none.live = false, none.future = NULL;
    memset(none.lazy, 0, sizeof none.lazy);
    none.device = (sf_device *)(void *)t->s[1];              /* of another kind */
    none.stream = none.idle = (sf_stream *)(void *)h.event;
    none.event = (sf_event *)(void *)h.graph;
    none.graph = (sf_graph *)(void *)h.exec;
    none.exec = (sf_graph_exec *)(void *)h.graph;
    none.node = (sf_graph_node *)(void *)h.event;
    none.mem_pool = (sf_mem_pool *)(void *)h.stream;
    none.stream_pool = (sf_stream_pool *)(void *)h.mem_pool;
    none.policy = NULL;                      /* which means the device's own; the lazy says it first */
    none.module = (sf_module *)(void *)h.event;
    none.function = (sf_function *)(void *)h.event;
    memset(&l, 0, sizeof l);
    call_captures_and_graphs(&none, &l);
    call_events_and_memory(&none, &l);
    call_devices_and_streams(&none, &l);
    check_calls(&l, SF_ERROR_INVALID_HANDLE, "of another kind");

    none = h;
    handles_gone(&h);
    none.live = false, none.future = NULL;
    memset(none.lazy, 0, sizeof none.lazy);
    none.device = (sf_device *)(void *)h.stream;
    call_everything(&none, &l);
    check_calls(&l, SF_ERROR_INVALID_HANDLE, "destroyed");
    check_nothing_wrong();
    CHECK_OK(sf_device_get_counters(t->device, &t->before));
    setup_end(t);
}

/* -- faults: on CUDA in a process of their own, for the context is lost until it ends; so no cmocka here -- */

static bool until_set(sf_device *device, const uint32_t *word, uint32_t value)
{
    for (int i = 0; i < 10000 && test_load(word) < value; i++) {
        (void)sf_device_poll(device, 0);     /* where no thread does it */
        usleep(1000);
    }
    return test_load(word) >= value;
}
typedef struct fault_told { sf_result status; uint32_t calls; } fault_told;
static void fault_callback(sf_stream *s, sf_result status, void *user)
{
    fault_told *c = (fault_told *)user;
    (void)s;
    c->status = status;
    test_add(&c->calls, 1);
}
#define NEED(expression) SHOULD_BE(expression, SF_OK, "%s", #expression)
static void fault_tells_callbacks(sf_device *device)         /* and skips host functions */
{
    static fault_told before, behind, elsewhere_told, late;
    static uint32_t skipped;
    uint32_t *words = NULL;
    sf_stream *s = NULL, *t = NULL;
    sf_event *e = NULL;
    memset(&before, 0, sizeof before), memset(&behind, 0, sizeof behind);
    memset(&elsewhere_told, 0, sizeof elsewhere_told), memset(&late, 0, sizeof late);
    skipped = 0;
    NEED(sf_mem_alloc(device, 4096, SF_MEMORY_PINNED, (void **)&words));
    memset(words, 0, 4096);
    NEED(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &s));
    NEED(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &t));
    NEED(sf_event_create(device, 0, &e));
    NEED(test_gate(s, words, 1));
    NEED(test_mix(s, words + 64, NULL, 1, 1, 7, 0));
    NEED(sf_stream_add_callback(s, fault_callback, &before, 0));
    NEED(sf_launch(s, &trap_kernel, NULL, 0));
    NEED(sf_launch_host_func(s, count_call, &skipped));
    NEED(sf_stream_add_callback(s, fault_callback, &behind, 0));
    NEED(test_mix(s, words + 65, NULL, 1, 1, 7, 0));
    NEED(sf_launch_host_func(s, count_call, &skipped));
    NEED(sf_event_record(e, s, 0));
    NEED(sf_stream_wait_event(t, e, 0));
    NEED(sf_stream_add_callback(t, fault_callback, &elsewhere_told, 0));
    NEED(sf_launch_host_func(t, count_call, &skipped));
    test_store(words, 1);
    SHOULD_BE(sf_stream_synchronize(s, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize");
    SHOULD_BE(sf_stream_synchronize(t, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize another");
    if (!until_set(device, &behind.calls, 1) || !until_set(device, &elsewhere_told.calls, 1)) {
        wrong("a callback is not told");
    }
    SHOULD_BE(before.status, SF_OK, "the callback before it");
    SHOULD_BE(behind.status, SF_ERROR_LAUNCH_FAILED, "the callback behind it");
    SHOULD_BE(elsewhere_told.status, SF_ERROR_LAUNCH_FAILED, "the callback on another stream");
    SHOULD_BE(sf_stream_add_callback(s, fault_callback, &late, 0), SF_ERROR_LAUNCH_FAILED, "a callback afterwards");
    SHOULD_BE(sf_launch_host_func(s, count_call, &skipped), SF_ERROR_LAUNCH_FAILED, "a host function afterwards");
    usleep(10000);                           /* nothing is to come; if it does, the better */
    if (before.calls != 1 || behind.calls != 1 || elsewhere_told.calls != 1) {
        wrong("callbacks are called %u, %u, %u times", before.calls, behind.calls, elsewhere_told.calls);
    }
    if (test_load(&skipped)) { wrong("a host function is called"); }
    if (test_load(&late.calls)) { wrong("a callback is called that was refused"); }
    if (words[64] != 7 || words[65]) { wrong("%u before the fault, %u behind it", words[64], words[65]); }
}
static void fault_is_told_by_every_call(sf_device *device)
{
    static call_list l;
    sf_counters counters;
    handles h;
    if (!handles_make(&h, device)) { wrong("no handles"); }
    h.faulted = true;
    NEED(sf_launch(h.stream, &trap_kernel, NULL, 0));
    SHOULD_BE(sf_stream_synchronize(h.stream, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize");
    call_everything(&h, &l);
    check_calls(&l, SF_ERROR_LAUNCH_FAILED, "after a fault");
    NEED(sf_device_get_counters(device, &counters));
    SHOULD_BE(sf_device_failure(device)->result, SF_ERROR_LAUNCH_FAILED, "the device's failure");
    SHOULD_BE(sf_device_synchronize(device, GUARD), SF_ERROR_LAUNCH_FAILED, "it does not wear off");
    sf_future_drop(h.future);
}
static void fault_in_a_graph(sf_device *device)
{
    static uint32_t skipped;
    uint32_t *words = NULL;
    sf_stream *s = NULL;
    sf_graph *g = NULL;
    sf_graph_exec *exec = NULL;
    skipped = 0;
    NEED(sf_mem_alloc(device, 4096, SF_MEMORY_PINNED, (void **)&words));
    memset(words, 0, 4096);
    NEED(sf_stream_create(device, NULL, &s));
    NEED(sf_stream_begin_capture(s, SF_CAPTURE_THREAD_LOCAL));
    NEED(test_gate(s, words + 8, 1));        /* the fault comes when all is enqueued */
    NEED(test_mix(s, words, NULL, 1, 1, 7, 0));
    NEED(sf_launch(s, &trap_kernel, NULL, 0));
    NEED(sf_launch_host_func(s, count_call, &skipped));
    NEED(test_mix(s, words, NULL, 1, 1, 100, 0));
    NEED(sf_stream_end_capture(s, &g));
    NEED(sf_graph_instantiate(g, 0, &exec));
    NEED(sf_stream_query(s));                /* nothing has happened so far */
    NEED(sf_graph_launch(exec, s));
    NEED(sf_launch_host_func(s, count_call, &skipped));
    test_store(words + 8, 1);
    SHOULD_BE(sf_stream_synchronize(s, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize");
    SHOULD_BE(sf_graph_launch(exec, s), SF_ERROR_LAUNCH_FAILED, "another launch");
    if (words[0] != 7 || skipped) { wrong("%u, and %u host functions", words[0], skipped); }
}
static void fault_ends_all_waits(sf_device *device)          /* for what will never come */
{
    uint32_t *words = NULL;
    sf_stream *s[5] = { NULL };
    sf_event *e = NULL;
    sf_result r;
    NEED(sf_mem_alloc(device, 4096, SF_MEMORY_PINNED, (void **)&words));
    memset(words, 0, 4096);
    NEED(sf_event_create(device, 0, &e));
    for (int i = 0; i < 5; i++) {
        NEED(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &s[i]));
    }
    NEED(sf_stream_wait_value(s[0], words, 4, 1, SF_WAIT_VALUE_GEQ));
    NEED(test_gate(s[1], words, 1));
    NEED(sf_event_record(e, s[1], 0));
    NEED(sf_stream_wait_event(s[2], e, 0));
    NEED(test_mix(s[3], words + 8, NULL, 1, 1, 1, 0));
    NEED(sf_launch(s[4], &trap_kernel, NULL, 0));
    SHOULD_BE(sf_stream_synchronize(s[4], GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize");
    for (int i = 0; i < 4; i++) {
        r = sf_stream_synchronize(s[i], GUARD);
        SHOULD_BE(r, SF_ERROR_LAUNCH_FAILED, "synchronize of stream %d", i);
    }
    SHOULD_BE(sf_event_synchronize(e, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize of an event");
    SHOULD_BE(sf_device_synchronize(device, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize of the device");
}
static void fault_and_reset(sf_device *device)
{
    sf_stream *s = sf_stream_legacy(device), *t;
    for (int i = 0; i < 3; i++) {
        uint32_t *words = NULL;
        NEED(sf_launch(s, &trap_kernel, NULL, 0));
        SHOULD_BE(sf_stream_synchronize(s, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize");
        SHOULD_BE(sf_device_reset(device), on_cuda() ? SF_ERROR_NOT_SUPPORTED : SF_OK, "reset");
        if (on_cuda()) { return; }
        NEED(sf_stream_query(s));
        NEED(sf_mem_alloc(device, 64, SF_MEMORY_PINNED, (void **)&words));
        memset(words, 0, 64);
        NEED(test_mix(s, words, NULL, 1, 1, 7, 0));
        NEED(sf_stream_synchronize(s, GUARD));
        if (words[0] != 7) { wrong("%u after the reset", words[0]); }
        NEED(sf_mem_free(device, words));
    }
    NEED(sf_launch(s, &trap_kernel, NULL, 0));
    SHOULD_BE(sf_stream_synchronize(s, GUARD), SF_ERROR_LAUNCH_FAILED, "synchronize");
    t = sf_stream_per_thread(device);
    if (sf_stream_legacy(device) != s || !t) { wrong("no default stream after a fault"); }
    SHOULD_BE(sf_stream_query(s), SF_ERROR_LAUNCH_FAILED, "query of the default stream");
    SHOULD_BE(sf_stream_query(t), SF_ERROR_LAUNCH_FAILED, "query of the thread's default stream");
}
static void (*const faults[])(sf_device *device) = {
    fault_tells_callbacks, fault_is_told_by_every_call, fault_in_a_graph, fault_ends_all_waits, fault_and_reset
};
static int fault_main(int which)
{
    sf_device *device;
    test_backend = SF_BACKEND_CUDA;
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);               /* loading a kernel may wait for one that runs */
    device = test_open();
    faults[which](device);
    SHOULD_BE(sf_device_close(device, GUARD), SF_ERROR_LAUNCH_FAILED, "close");
    fflush(stdout);
    return wrong_count ? 1 : 0;
}
static sf_result a_fault(setup *t)
{
    if (on_cuda()) {
        char command[64];
        snprintf(command, sizeof command, "exec \"$SF_TEST_SELF\" --fault %d", t->row->arg);
        fflush(stdout);
        return system(command) == 0 ? SF_OK : SF_ERROR_UNKNOWN;
    }
    for (int order = SF_ORDER_THREADS; order <= SF_ORDER_PCT; order++) {
        sf_device *device = test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .order = (sf_order)order } });
        faults[t->row->arg](device);
        if (wrong_count) { printf("# under order %d\n", order); }
        SHOULD_BE(sf_device_reset(device), SF_OK, "the reset, order %d", order);
        sf_stream *s = test_stream(device);
        SHOULD_BE(test_mix(s, t->data, NULL, 1, 1, 1, 0), SF_OK, "a launch after it, order %d", order);
        SHOULD_BE(sf_stream_synchronize(s, GUARD), SF_OK, "and its end, order %d", order);
        SHOULD_BE(sf_device_close(device, GUARD), SF_OK, "close, order %d", order);
    }
    CHECK_EQUAL(t->data[0], SF_ORDER_PCT + 1);
    check_nothing_wrong();
    return SF_OK;
}

#define R(f, expected, from) ROW(f, SF_##expected, NONE, from)
#define OF(name, f, arg, expected, from) ROW_OF(name, f, arg, SF_##expected, NONE, from)
#define HOST_POOL(name_, arg_)                                                                               \
    { .name = name_, .run = reuse, .arg = arg_, .expected = SF_OK, .after = NONE, .from = "page",            \
      .differs = HOST_ONLY, .why = "where CUDA's pool puts a block is its own affair: see `reused:`" }
static const row rows[] = {
    OF("no result: priority", null_for_a_result, 0, ERROR_INVALID_VALUE, "measured"),
    OF("no result: flags", null_for_a_result, 1, ERROR_INVALID_VALUE, "measured"),
    OF("no result: id", null_for_a_result, 2, ERROR_INVALID_VALUE, "measured"),
    OF("no result: device", null_for_a_result, 3, ERROR_INVALID_VALUE, "measured"),
    OF("no result: create", null_for_a_result, 4, ERROR_INVALID_VALUE, "measured"),
    OF("no result: event create", null_for_a_result, 5, ERROR_INVALID_VALUE, "header"),
    OF("no result: alloc_async", null_for_a_result, 6, ERROR_INVALID_VALUE, "header"),
    OF("no result: elapsed", null_for_a_result, 7, ERROR_INVALID_VALUE, "header"),
    OF("no result: fork", null_for_a_result, 8, ERROR_INVALID_VALUE, "decision"),
    OF("no result: ready_fd", null_for_a_result, 9, ERROR_INVALID_VALUE, "decision"),
    OF("no result: graph create", null_for_a_result, 10, ERROR_INVALID_VALUE, "decision"),
    OF("getters: the default stream", getters_of_special_streams, 0, OK, "measured"),
    OF("getters: the thread's stream", getters_of_special_streams, 1, OK, "measured"),
    R(each_thread_has_its_stream, OK, "page"),
    R(ids_are_for_ever, OK, "header"),

    R(default_while_blocking_is_busy, NOT_READY, "measured"),
    R(default_while_non_blocking_is_busy, OK, "measured"),
    R(default_while_the_thread_s_is_busy, OK, "page"),
    OF("default busy: a blocking stream", idle_while_default_is_busy, 0, OK, "measured"),
    OF("default busy: the thread's stream", idle_while_default_is_busy, 1, OK, "measured"),
    OF("default busy: a non-blocking stream", idle_while_default_is_busy, 2, OK, "page"),
    R(blocking_while_another_is_busy, OK, "measured"),
    R(default_in_between, OK, "page"),

    OF("create: flags 0", create_with_flags, 0, OK, "page"),
    OF("create: flags 1", create_with_flags, 1, OK, "page"),
    OF("create: flags 2", create_with_flags, 2, ERROR_INVALID_VALUE, "measured"),
    OF("create: flags 3", create_with_flags, 3, ERROR_INVALID_VALUE, "page"),
    OF("create: flags 4", create_with_flags, 4, ERROR_INVALID_VALUE, "page"),
    OF("create: flags INT_MIN", create_with_flags, INT32_MIN, ERROR_INVALID_VALUE, "page"),
    OF("create: priority -100", create_with_priority, -100, OK, "measured"),
    OF("create: priority -1", create_with_priority, -1, OK, "measured"),
    OF("create: priority 0", create_with_priority, 0, OK, "measured"),
    OF("create: priority 1", create_with_priority, 1, OK, "measured"),
    OF("create: priority 100", create_with_priority, 100, OK, "measured"),
    OF("create: priority INT_MIN", create_with_priority, INT32_MIN, OK, "page"),
    R(create_with_defaults, OK, "decision"),
    R(destroy_a_busy_one, OK, "measured"),
    OF("destroy: NULL", destroy_what_may_not_be, 0, ERROR_INVALID_HANDLE, "measured"),
    OF("destroy: the default stream", destroy_what_may_not_be, 1, ERROR_INVALID_HANDLE, "measured"),
    OF("destroy: the thread's stream", destroy_what_may_not_be, 2, ERROR_INVALID_HANDLE, "measured"),
    OF("destroy: twice", destroy_what_may_not_be, 3, ERROR_INVALID_HANDLE, "decision"),

    R(query_idle, OK, "page"),
    OF("query: a kernel runs", query_busy, 0, NOT_READY, "page"),
    OF("query: a host function runs", query_busy, 1, NOT_READY, "measured"),
    OF("query: a callback runs", query_busy, 2, NOT_READY, "measured"),
    OF("query: it waits for a word", query_busy, 3, NOT_READY, "page"),
    OF("query: it waits for an event", query_busy, 4, NOT_READY, "page"),
    OF("synchronize: timeout 0, a kernel", synchronize_with_timeout_0, 0, TIMEOUT, "decision"),
    OF("synchronize: timeout 0, a host function", synchronize_with_timeout_0, 1, TIMEOUT, "decision"),
    OF("synchronize: timeout 0, an event", synchronize_with_timeout_0, 4, TIMEOUT, "decision"),
    R(synchronize_for_ever, OK, "page"),
    R(synchronize_the_default_stream, OK, "page"),

    R(waiter_after_a_new_record, NOT_READY, "measured"),
    R(wait_for_a_never_recorded_one, OK, "page"),
    R(wait_null_event, ERROR_INVALID_HANDLE, "measured"),
    R(wait_destroyed_event, ERROR_INVALID_HANDLE, "decision"),
    R(destroyed_after_the_wait, OK, "measured"),
    R(wait_across_devices, OK, "measured"),
    OF("foreign: record", foreign_handle, 0, ERROR_INVALID_HANDLE, "measured"),
    OF("foreign: elapsed", foreign_handle, 1, ERROR_INVALID_HANDLE, "header"),
    OF("foreign: copy_attributes", foreign_handle, 2, ERROR_INVALID_HANDLE, "decision"),
    OF("foreign: launch of a graph", foreign_handle, 3, ERROR_INVALID_HANDLE, "decision"),
    OF("foreign: upload of a graph", foreign_handle, 4, ERROR_INVALID_HANDLE, "decision"),
    OF("foreign: capture to a graph", foreign_handle, 5, ERROR_INVALID_HANDLE, "decision"),
    OF("foreign: pool", foreign_handle, 6, ERROR_INVALID_HANDLE, "decision"),
    OF("foreign: record with flags", foreign_handle, 7, ERROR_INVALID_HANDLE, "measured"),
    OF("event: flags 0", event_flags, 0, OK, "page"),
    OF("event: flags 3", event_flags, 3, OK, "page"),
    OF("event: flags 4, INTERPROCESS", event_flags, 4, ERROR_INVALID_VALUE, "measured"),
    OF("event: flags 8", event_flags, 8, ERROR_INVALID_VALUE, "decision"),   /* the driver takes it */
    OF("elapsed: first never recorded", elapsed, 0, ERROR_INVALID_HANDLE, "header"),
    OF("elapsed: second never recorded", elapsed, 1, ERROR_INVALID_HANDLE, "header"),
    OF("elapsed: first without timing", elapsed, 2, ERROR_INVALID_HANDLE, "header"),
    OF("elapsed: second without timing", elapsed, 3, ERROR_INVALID_HANDLE, "header"),
    OF("elapsed: pending", elapsed, 4, NOT_READY, "header"),
    OF("elapsed: forwards", elapsed, 5, OK, "header"),
    OF("elapsed: backwards is negative", elapsed, 6, OK, "measured"),

    R(callback_null, ERROR_INVALID_VALUE, "measured"),
    OF("callback: flags 1", callback_flags, 1, ERROR_INVALID_VALUE, "measured"),
    OF("callback: flags INT_MIN", callback_flags, INT32_MIN, ERROR_INVALID_VALUE, "page"),
    R(callback_on_null, ERROR_INVALID_HANDLE, "decision"),
    R(host_func_null, ERROR_INVALID_VALUE, "header"),
    OF("callbacks in order: non-blocking", callbacks_keep_the_order, 0, OK, "page"),
    OF("callbacks in order: blocking", callbacks_keep_the_order, 1, OK, "page"),
    OF("callbacks in order: the default stream", callbacks_keep_the_order, 2, OK, "page"),
    OF("callbacks in order: the thread's stream", callbacks_keep_the_order, 3, OK, "page"),
    R(callback_of_a_destroyed_stream, OK, "page"),
    R(independent_callbacks, OK, "page"),

    R(attach_on_null, ERROR_INVALID_HANDLE, "decision"),
    ROW_OR(attach_single_to_the_default_stream, SF_ERROR_INVALID_VALUE, NONE, "page", SF_OK,
           "the page forbids it; the driver takes its handle CU_STREAM_LEGACY (measured)"),
    R(attached_memory_works, OK, "page"),
    R(managed_by_others, OK, "page"),
    R(pageable_memory, OK, "page"),

    OF("attributes: of another", copy_attributes, 10, OK, "measured"),
    OF("attributes: of oneself", copy_attributes, 0, OK, "page"),
    OF("attributes: of the default stream", copy_attributes, 20, OK, "measured"),
    OF("attributes: to the default stream", copy_attributes, 2, OK, "measured"),
    OF("attributes: to NULL", copy_attributes, 3, ERROR_INVALID_HANDLE, "decision"),
    OF("attributes: of NULL", copy_attributes, 30, ERROR_INVALID_HANDLE, "decision"),
    OF("attributes: to one that is gone", copy_attributes, 4, ERROR_INVALID_HANDLE, "decision"),
    OF("attributes: of one that is gone", copy_attributes, 40, ERROR_INVALID_HANDLE, "decision"),
    R(attributes_hold_the_priority, OK, "measured"),
    R(attribute_defaults, OK, "measured"),
    R(attributes_are_kept, OK, "measured"),
    R(priorities_are_clamped, OK, "measured"),
    R(attributes_of_default_streams, OK, "measured"),
    R(attributes_in_a_capture, OK, "measured"),
    R(forks_begin_plain, OK, "decision"),
    OF("attribute: a negative hit ratio", wrong_attribute, 0, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: a hit ratio above 1", wrong_attribute, 1, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: a hit ratio that is no number", wrong_attribute, 2, ERROR_INVALID_VALUE, "decision"),
    OF("attribute: no such access", wrong_attribute, 3, ERROR_INVALID_VALUE, "decision"),
    OF("attribute: misses that persist", wrong_attribute, 4, ERROR_INVALID_VALUE, "header"),
    OF("attribute: a window too large", wrong_attribute, 5, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: no such policy", wrong_attribute, 6, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: a negative policy", wrong_attribute, 7, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: domain 2", wrong_attribute, 8, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: domain -1", wrong_attribute, 9, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: domains that the device has not", wrong_attribute, 10, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: number 0", wrong_attribute, 11, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: one of kernels", wrong_attribute, 12, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: number 99", wrong_attribute, 13, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: set to NULL", wrong_attribute, 14, ERROR_INVALID_VALUE, "decision"),
    OF("attribute: get, no result", wrong_attribute, 15, ERROR_INVALID_VALUE, "decision"),
    OF("attribute: get one of kernels", wrong_attribute, 16, ERROR_INVALID_VALUE, "measured"),
    OF("attribute: set on NULL", wrong_attribute, 17, ERROR_INVALID_HANDLE, "decision"),
    OF("attribute: get of NULL", wrong_attribute, 18, ERROR_INVALID_HANDLE, "decision"),
    OF("waits as the device", waits_by_policy, SF_WAIT_AUTO, OK, "header"),
    OF("waits spin", waits_by_policy, SF_WAIT_SPIN, OK, "header"),
    OF("waits yield", waits_by_policy, SF_WAIT_YIELD, OK, "header"),
    OF("waits block", waits_by_policy, SF_WAIT_BLOCK, OK, "header"),
    R(resources_of_streams, ERROR_INVALID_VALUE, "header"),
    R(batches_in_order, OK, "header"),
    R(a_batch_waits_within, OK, "header"),
    R(a_captured_batch, OK, "measured"),
    R(an_empty_batch, OK, "measured"),
    R(flushes, OK, "header"),
    OF("batch: too many", wrong_batch, 0, ERROR_INVALID_VALUE, "header"),
    OF("batch: a negative count", wrong_batch, 1, ERROR_INVALID_VALUE, "decision"),
    OF("batch: flags", wrong_batch, 2, ERROR_INVALID_VALUE, "header"),
    OF("batch: NULL", wrong_batch, 3, ERROR_INVALID_VALUE, "measured"),
    OF("batch: on NULL", wrong_batch, 4, ERROR_INVALID_HANDLE, "decision"),
    OF("batch: operation 0", wrong_batch, 5, ERROR_INVALID_VALUE, "measured"),
    OF("batch: operation 99", wrong_batch, 6, ERROR_INVALID_VALUE, "measured"),
    OF("batch: a barrier of another kind", wrong_batch, 7, ERROR_INVALID_VALUE, "measured"),
    OF("batch: a flush with flags", wrong_batch, 8, ERROR_INVALID_VALUE, "measured"),
    OF("batch: a write with flags", wrong_batch, 9, ERROR_INVALID_VALUE, "measured"),
    OF("batch: a wait with flags", wrong_batch, 10, ERROR_INVALID_VALUE, "measured"),
    OF("batch: an address of NULL", wrong_batch, 11, ERROR_INVALID_VALUE, "measured"),
    OF("batch: misaligned", wrong_batch, 12, ERROR_INVALID_VALUE, "measured"),
    OF("batch: 64 bits, misaligned", wrong_batch, 13, ERROR_INVALID_VALUE, "measured"),
    OF("batch: a write of 40 bits", wrong_batch, 14, ERROR_INVALID_VALUE, "decision"),
    OF("batch: a wait for 33 bits", wrong_batch, 15, ERROR_INVALID_VALUE, "decision"),
    OF("batch: operation 7", wrong_batch, 16, ERROR_INVALID_VALUE, "header"),
    OF("batch: an atomic MIN", wrong_batch, 17, ERROR_INVALID_VALUE, "header"),
    OF("batch: an atomic with other flags", wrong_batch, 18, ERROR_INVALID_VALUE, "decision"),
    OF("batch: an atomic on NULL", wrong_batch, 19, ERROR_INVALID_VALUE, "decision"),
    OF("batch: an atomic of 64 bits, misaligned", wrong_batch, 20, ERROR_INVALID_VALUE, "decision"),
    OF("batch: an atomic of 33 bits", wrong_batch, 21, ERROR_INVALID_VALUE, "decision"),
    R(atomic_operations, OK, "header"),
    OF("words: waits of 32 bits", wait_for_words, 0, OK, "header"),
    OF("words: waits of 64 bits", wait_for_words, 1, OK, "header"),
    R(write_words, OK, "header"),
    OF("words: order, pinned memory", words_order_streams, 0, OK, "header"),
    OF("words: order, device memory", words_order_streams, 1, OK, "header"),
    OF("words: write 32 to NULL", word_arguments, 0, ERROR_INVALID_VALUE, "measured"),
    OF("words: write 64 to NULL", word_arguments, 1, ERROR_INVALID_VALUE, "measured"),
    OF("words: wait 32 for NULL", word_arguments, 2, ERROR_INVALID_VALUE, "measured"),
    OF("words: wait 64 for NULL", word_arguments, 3, ERROR_INVALID_VALUE, "measured"),
    OF("words: write 32 on NULL", word_arguments, 4, ERROR_INVALID_HANDLE, "decision"),
    OF("words: write 64 on NULL", word_arguments, 5, ERROR_INVALID_HANDLE, "decision"),
    OF("words: wait 32 on NULL", word_arguments, 6, ERROR_INVALID_HANDLE, "decision"),
    OF("words: wait 64 on NULL", word_arguments, 7, ERROR_INVALID_HANDLE, "decision"),
    OF("words: wait 32, flags 8", word_arguments, 8, ERROR_INVALID_VALUE, "measured"),
    OF("words: wait 64, flags 8", word_arguments, 9, ERROR_INVALID_VALUE, "measured"),
    OF("words: wait 32, flags 4", word_arguments, 10, ERROR_INVALID_VALUE, "measured"),
    OF("words: write 32, flags 1", word_arguments, 11, ERROR_INVALID_VALUE, "measured"),
    OF("words: write 64, flags 8", word_arguments, 12, ERROR_INVALID_VALUE, "measured"),
    OF("words: write 32, misaligned", word_arguments, 13, ERROR_INVALID_VALUE, "measured"),
    OF("words: write 64, misaligned", word_arguments, 14, ERROR_INVALID_VALUE, "measured"),
    OF("words: wait 32, misaligned", word_arguments, 15, ERROR_INVALID_VALUE, "measured"),
    OF("words: wait 64, misaligned", word_arguments, 16, ERROR_INVALID_VALUE, "measured"),
    ROW_OR(words_of_pageable_memory, SF_ERROR_INVALID_VALUE, NONE, "measured", SF_OK,
           "a host device writes to any memory"),
    ROW_OR(words_of_managed_memory, SF_ERROR_INVALID_VALUE, NONE, "measured", SF_ERROR_NOT_SUPPORTED,
           "rejected (measured), but the code was not kept"),

    R(alloc_nothing, OK, "measured"),
    R(alloc_before_its_turn, OK, "page"),
    OF("free: on another stream", free_elsewhere, 0, OK, "measured"),
    OF("free: in order, of sf_mem_alloc", free_elsewhere, 1, OK, "measured"),
    OF("free: at once, of sf_mem_alloc_async", free_elsewhere, 2, OK, "header"),
    OF("free: twice", free_what_is_none, 0, ERROR_INVALID_VALUE, "decision"),
    OF("free: NULL", free_what_is_none, 1, OK, "measured"),
    OF("free: the caller's memory", free_what_is_none, 2, ERROR_INVALID_VALUE, "decision"),
    OF("free: from inside", free_what_is_none, 3, ERROR_INVALID_VALUE, "decision"),
    OF("free: on NULL", free_what_is_none, 4, ERROR_INVALID_HANDLE, "decision"),
    HOST_POOL("reuse: on the same stream, pending", 0),
    HOST_POOL("reuse: follows events, there is none", 1),
    HOST_POOL("reuse: follows events", 2),
    HOST_POOL("reuse: follows events, of what was before", 7),
    HOST_POOL("reuse: opportunistic, pending", 3),
    HOST_POOL("reuse: opportunistic, done", 4),
    HOST_POOL("reuse: with a wait inside", 5),
    HOST_POOL("reuse: no rule at all", 6),
    OF("reused: no rule", reuse_is_never_seen, 0, OK, "page"),
    OF("reused: follow events", reuse_is_never_seen, 1, OK, "page"),
    OF("reused: opportunistic", reuse_is_never_seen, 2, OK, "page"),
    OF("reused: follow events, opportunistic", reuse_is_never_seen, 3, OK, "page"),
    OF("reused: waits", reuse_is_never_seen, 4, OK, "page"),
    OF("reused: follow events, waits", reuse_is_never_seen, 5, OK, "page"),
    OF("reused: opportunistic, waits", reuse_is_never_seen, 6, OK, "page"),
    OF("reused: all rules", reuse_is_never_seen, 7, OK, "page"),
    OF("reused: no rule, all kept", reuse_is_never_seen, 8, OK, "page"),
    OF("reused: all rules, all kept", reuse_is_never_seen, 15, OK, "page"),
    R(pool_statistics, OK, "header"),
    R(trim_keeps_what_it_is_told, OK, "header"),
    R(without_a_threshold_nothing_is_kept, OK, "header"),
    R(memory_to_begin_with, OK, "decision"),
    R(more_than_the_pool_may_have, ERROR_OUT_OF_MEMORY, "header"),
    R(alloc_of_a_pool_that_is_gone, ERROR_INVALID_HANDLE, "decision"),
    R(alloc_of_a_pool_of_blocks, ERROR_INVALID_VALUE, "decision"),
    OF("prefetch: there and back", prefetch, 0, OK, "header"),
    OF("prefetch: NULL", prefetch, 1, ERROR_INVALID_VALUE, "decision"),
    OF("prefetch: 0 bytes", prefetch, 2, ERROR_INVALID_VALUE, "decision"),
    OF("prefetch: on NULL", prefetch, 3, ERROR_INVALID_HANDLE, "decision"),
    OF("prefetch: pinned memory", prefetch, 4, ERROR_INVALID_VALUE, "decision"),
    OF("prefetch: device memory", prefetch, 5, ERROR_INVALID_VALUE, "decision"),
    OF("prefetch: pageable memory", prefetch, 6, ERROR_INVALID_VALUE, "decision"),

    ROW_ON(HOST_ONLY, module_on_a_host_device, SF_ERROR_NOT_SUPPORTED, NONE, "decision", "a GPU takes modules"),
    OF("module: load, device NULL", module_arguments, 0, ERROR_INVALID_HANDLE, "decision"),
    OF("module: unload NULL", module_arguments, 1, ERROR_INVALID_HANDLE, "decision"),
    OF("module: preload NULL", module_arguments, 2, ERROR_INVALID_HANDLE, "decision"),
    OF("module: launch NULL", module_arguments, 3, ERROR_INVALID_HANDLE, "decision"),
    OF("module: launch on NULL", module_arguments, 4, ERROR_INVALID_HANDLE, "decision"),
    ROW_OR(module_without_an_image, SF_ERROR_INVALID_VALUE, NONE, "decision", SF_ERROR_NOT_SUPPORTED,
           "a host device has no modules, whatever the image"),
    ROW_ON(CUDA_ONLY, module_of_garbage, SF_OK, NONE, "header", "a host device has no modules"),
    ROW_ON(CUDA_ONLY, module_with_a_kernel, SF_OK, NONE, "header", "a host device has no modules"),

    OF("fault: callbacks are told, host functions skipped", a_fault, 0, OK, "measured"),
    OF("fault: every call says it", a_fault, 1, OK, "measured"),
    OF("fault: in a graph", a_fault, 2, OK, "page"),
    OF("fault: ends all waits", a_fault, 3, OK, "page"),
    OF("fault: reset", a_fault, 4, OK, "decision"),
};

int main(int argc, char **argv)
{
    enum { ATTACHMENTS = COUNT(attachments), ROWS = COUNT(rows) };
    static row all[ROWS + ATTACHMENTS];
    static char names[ATTACHMENTS][64];
    static const struct CMUnitTest more[] = {
        cmocka_unit_test_teardown(nothing_is_permitted_inside, setup_abandon),
        cmocka_unit_test_teardown(handles_that_are_none, setup_abandon),
    };
    if (argc > 2 && !strcmp(argv[1], "--fault")) { return fault_main(atoi(argv[2]) % (int)COUNT(faults)); }
    setenv("SF_TEST_SELF", argv[0], 1);
    memcpy(all, rows, sizeof rows);
    for (int i = 0; i < ATTACHMENTS; i++) {
        snprintf(names[i], sizeof names[i], "attach: %s", attachments[i].what);
        all[ROWS + i] = (row)ROW_OF(names[i], attach, i, attachments[i].expected, NONE, "measured");
    }
    return run_rows("driver page", all, COUNT(all), more, COUNT(more), argc, argv);
}
