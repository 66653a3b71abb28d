/*  test_flow_streams.c - streams in flows: who works on which, what waits for what, and what that costs.
    Order is proven by content: kernels are slow, or run in an order that a seed chooses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include <dlfcn.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "flow_test.h"

enum { SPIN = 3000, LOGS = 256 };
static sf_device *device;
static uint32_t *logs, *gate;                                /* PROBE words each; a word that opens */
static uint32_t *log_of(int id, uint64_t run) { return logs + PROBE * (64 * (uint32_t)id + (uint32_t)run); }

/* Each body under each order of the host device, and once on CUDA. */
static void in_each_order(void (*body)(void))
{
    for (uint32_t o = 0; o < order_count(); o++) {
        notes_clear();
        device = open_order(o, 42);
        logs = (uint32_t *)test_memory(device, (64 * 16 * PROBE + 1) * sizeof *logs);
        gate = logs + 64 * 16 * PROBE;
        body();
        CHECK_OK(sf_mem_free(device, logs));
        test_close(device);
    }
}
#define EACH_ORDER(name)                                                                                     \
    static void name##_body(void);                                                                           \
    static void name(void **state)                                                                           \
    {                                                                                                        \
        (void)state;                                                                                         \
        in_each_order(name##_body);                                                                          \
    }                                                                                                        \
    static void name##_body(void)

#define IN(n)     { .name = n }
#define OUT       { .name = "out", .bytes = BYTES }
static long long handle(const void *p) { return (long long)(intptr_t)p; }
static sf_tensor *painted(sf_context *ctx, int port, sf_stream *s, uint32_t value)
{
    sf_tensor *t = sf_tensor_create(ctx, port, NULL);
    paint(s, t->data, NULL, NULL, value, SPIN);
    return t;
}
/* Sources: frame `run` of operator `id` is all 1000 * id + run. */
static uint32_t value_of(int id, uint64_t run) { return 1000 * (uint32_t)id + (uint32_t)run; }
static sf_result source(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    note_down(id_of(ctx), handle(s));
    return sf_emit(ctx, 0, painted(ctx, 0, s, value_of(id_of(ctx), ctx->run)));
}
static sf_result gated_source(sf_context *ctx)               /* its work waits until the gate opens */
{
    sf_stream *s = sf_compute_stream(ctx);
    test_gate(s, gate, (uint32_t)ctx->run + 1);
    return sf_emit(ctx, 0, painted(ctx, 0, s, value_of(id_of(ctx), ctx->run)));
}
static sf_result default_source(sf_context *ctx) /* has nothing to adopt: works on the default stream */
{
    return source(ctx);
}
static sf_op add_source(sf_flow *f, int id, sf_compute_func compute, uint64_t count)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = compute == gated_source ? "gated" : "source",
                                    .compute = compute,
                                    .user = &ids[id],
                                    .out = { OUT },
                                    .count = count,
                                    .adopt_stream = compute == default_source });
}
static sf_result probe_sink(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    return probe(sf_compute_stream(ctx), t->data, log_of(id_of(ctx), ctx->run), SPIN);
}
static sf_op add_sink(sf_flow *f, int id)
{
    return sf_flow_add(
        f, &(sf_op_desc){ .name = "sink", .compute = probe_sink, .user = &ids[id], .in = { IN("in") } });
}
static void to_port(sf_flow *f, sf_op a, sf_op b, const char *port)
{
    CHECK_OK(sf_flow_connect(f, a, NULL, b, port, NULL));
}
static sf_stream *noted(int who, uint32_t index)
{
    long long got[64];
    uint32_t n = notes_of(who, got, 64);
    if (index >= n) { fail_msg("%d took %u notes only", who, n); }
    return (sf_stream *)(intptr_t)got[index];
}

/* -- receiving streams -- */

static bool asks_for_all;
static sf_result ask_too_early(sf_context *ctx)              /* in its second compute */
{
    sf_stream *s;
    if (ctx->run == 1) {
        note_down(0, asks_for_all ? sf_receive_streams(ctx, 0, &s, 1) : handle(sf_receive_stream(ctx, 0, 0)));
    }
    (void)sf_receive(ctx, 0);
    if (ctx->run == 0) { note_down(0, sf_receive_stream(ctx, 0, 0) != NULL); }
    return SF_OK;
}
EACH_ORDER(the_message_comes_before_its_stream)
{
    for (int all = 0; all < 2; all++) {
        sf_flow *f = flow_on(device);
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "hasty", .compute = ask_too_early, .in = { IN("frames") } });
        connect(f, add_source(f, 1, source, 3), b);
        asks_for_all = all;
        notes_clear();
        run_is(f, SF_ERROR_NOT_RECEIVED);
        CHECK_NOTES(0, 1, 0);                /* NULL: a stream on which nothing can be launched */
        CHECK(strstr(sf_flow_failure(f)->text, "hasty") && strstr(sf_flow_failure(f)->text, "frames"));
        CHECK(strstr(sf_flow_failure(f)->text, "sf_receive()") != NULL);
        CHECK(!strcmp(sf_flow_failure(f)->call, all ? "sf_receive_streams" : "sf_receive_stream"));
        destroy_is(f, SF_ERROR_NOT_RECEIVED);
    }
}

static sf_result ask_each_port(sf_context *ctx)
{
    for (int p = 0; p < 3; p++) {
        if (p == 2) { (void)sf_receive_value(ctx, p); } else { (void)sf_receive(ctx, p); }
        note_down(10, handle(sf_receive_stream(ctx, p, 0)));
    }
    note_down(10, handle(sf_compute_stream(ctx)));
    return SF_OK;
}
EACH_ORDER(own_stream_same_for_all_ports)
{
    sf_flow *f = flow_on(device);
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = ask_each_port, .in = { IN("x"), IN("y"), IN("v") } });
    sf_op v = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 3 });
    to_port(f, add_source(f, 1, source, 3), c, "x");
    to_port(f, add_source(f, 2, source, 3), c, "y");
    to_port(f, v, c, "v");
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < 12; i++) { CHECK(noted(10, i) == noted(10, 0)); }
    for (uint32_t i = 1; i < 3; i++) { CHECK(noted(1, i) == noted(1, 0) && noted(2, i) == noted(2, 0)); }
    CHECK(noted(10, 0) && noted(10, 0) != sf_stream_legacy(device));
    CHECK(noted(10, 0) != noted(1, 0) && noted(10, 0) != noted(2, 0) && noted(1, 0) != noted(2, 0));
    destroy(f);
}

/* Port 0's stream is not held up by port 1: its work opens the gate for what port 1 received. */
static sf_result port_by_port(sf_context *ctx)
{
    sf_tensor *x = sf_receive(ctx, 0), *y = sf_receive(ctx, 1);
    sf_stream *s = sf_receive_stream(ctx, 0, 0);
    probe(s, x->data, log_of(3, ctx->run), SPIN);
    test_lift(s, gate, (uint32_t)ctx->run + 1);
    s = sf_receive_stream(ctx, 1, 0);
    return probe(s, y->data, log_of(4, ctx->run), SPIN);
}
static sf_result all_so_far(sf_context *ctx)
{
    sf_tensor *x = sf_receive(ctx, 0), *y;
    sf_stream *s = sf_compute_stream(ctx);
    probe(s, x->data, log_of(3, ctx->run), SPIN);
    test_lift(s, gate, (uint32_t)ctx->run + 1);
    y = sf_receive(ctx, 1);
    return probe(sf_compute_stream(ctx), y->data, log_of(4, ctx->run), SPIN);
}
static void two_ports(sf_compute_func compute, bool adopt)
{
    sf_flow *f = flow_on(device);
    sf_op c = sf_flow_add(
        f,
        &(sf_op_desc){ .name = "c", .compute = compute, .in = { IN("x"), IN("y") }, .adopt_stream = adopt });
    memset(logs, 0, (64 * 16 * PROBE + 1) * sizeof *logs);
    to_port(f, add_source(f, 1, source, 10), c, "x");
    to_port(f, add_source(f, 2, gated_source, 10), c, "y");
    guarded_run_is(f, SF_OK, gate);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_PROBE(log_of(3, i), value_of(1, i));
        CHECK_PROBE(log_of(4, i), value_of(2, i));
    }
    destroy(f);
}
EACH_ORDER(a_port_s_stream_waits_for_that_port) { two_ports(port_by_port, false); }
EACH_ORDER(compute_stream_waits_for_all_received_so_far) { two_ports(all_so_far, false); }
EACH_ORDER(adopted_streams_wait_port_by_port)
{
    two_ports(port_by_port, true);
    two_ports(all_so_far, true);
}

/* -- without a stream of its own -- */

static uint32_t adopt_flags;
static sf_result adopt_first(sf_context *ctx)
{
    sf_tensor *x = sf_receive(ctx, 0), *y = sf_receive(ctx, 1), *z = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_receive_stream(ctx, 0, adopt_flags),
              *t = sf_receive_stream(ctx, 1, adopt_flags);
    note_down(10, handle(s));
    note_down(10, handle(t));
    note_down(10, handle(sf_compute_stream(ctx)));
    paint(t, z->data, x->data, y->data, 0, SPIN);
    return sf_emit(ctx, 0, z);
}
static sf_result keep_streams(sf_context *ctx)               /* how many, and which; then the content */
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s[2] = { (sf_stream *)&logs, (sf_stream *)&logs };
    note_down(id_of(ctx), sf_receive_streams(ctx, 0, s, 2));
    note_down(id_of(ctx), handle(s[0]));
    return probe(sf_compute_stream(ctx), t->data, log_of(id_of(ctx), ctx->run), SPIN);
}
/* Told to by the desc, by the call, or because its pool is exhausted: always the first stream of the first
   port. */
EACH_ORDER(adopts_the_first_stream_received)
{
    for (int variant = 0; variant < 3; variant++) {
        sf_flow *f = flow_on(device);
        sf_stream_pool *pool;
        sf_op c, d;
        notes_clear();
        memset(logs, 0, (64 * 16 * PROBE + 1) * sizeof *logs);
        adopt_flags = variant == 1 ? SF_STREAM_ADOPT : 0;
        CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .max = 2 }, &pool));
        if (variant == 2) {
            destroy(f);
            f = sf_flow_create(&(sf_flow_desc){ .device = device, .streams = pool });
        }
        c = sf_flow_add(f, &(sf_op_desc){ .compute = adopt_first,
                                     .in = { IN("x"), IN("y") },
                                     .out = { OUT },
                                     .adopt_stream = variant == 0 });
        d = sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams, .user = &ids[11], .in = { IN("in") } });
        to_port(f, add_source(f, 1, source, 8), c, "x");
        to_port(f, add_source(f, 2, source, 8), c, "y");
        connect(f, c, d);
        run_is(f, SF_OK);
        for (uint32_t i = 0; i < 24; i++) { CHECK(noted(10, i) == noted(1, 0)); }
        for (uint32_t i = 0; i < 8; i++) {
            CHECK_EQUAL(handle(noted(11, 2 * i)), 1);
            CHECK(noted(11, 2 * i + 1) == noted(1, 0));
            CHECK_PROBE(log_of(11, i), value_of(1, i) + value_of(2, i));
        }
        CHECK(noted(1, 0) != noted(2, 0));
        destroy(f);
        CHECK_OK(sf_stream_pool_destroy(pool));
    }
}
static sf_result adopt_late(sf_context *ctx) /* port 0 carried none: the default stream, for both */
{
    sf_tensor *y, *z = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s;
    (void)sf_receive_value(ctx, 0);
    s = sf_receive_stream(ctx, 0, 0);
    note_down(10, handle(s));
    y = sf_receive(ctx, 1);
    s = sf_receive_stream(ctx, 1, 0);
    note_down(10, handle(s));
    paint(s, z->data, y->data, NULL, 7, SPIN);
    return sf_emit(ctx, 0, z);
}
EACH_ORDER(nothing_received_is_the_default_stream)           /* which orders, but is not listed */
{
    sf_flow *f = flow_on(device);
    sf_op c, d, v;
    v = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 8 });
    c = sf_flow_add(f,
               &(sf_op_desc){
                   .compute = adopt_late, .in = { IN("v"), IN("y") }, .out = { OUT }, .adopt_stream = true });
    d = sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams, .user = &ids[11], .in = { IN("in") } });
    to_port(f, v, c, "v");
    to_port(f, add_source(f, 2, source, 8), c, "y");
    connect(f, c, d);
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < 16; i++) { CHECK(noted(10, i) == sf_stream_legacy(device)); }
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_EQUAL(handle(noted(11, 2 * i)), 1);
        CHECK(noted(11, 2 * i + 1) == NULL);
        CHECK_PROBE(log_of(11, i), value_of(2, i) + 7);
    }
    destroy(f);
}

/* -- the default stream -- */

static sf_result legacy_probe(sf_context *ctx) /* reads on the default stream what its own stream wrote */
{
    sf_tensor *x = sf_receive(ctx, 0);
    sf_stream *s = sf_receive_stream(ctx, 0, SF_STREAM_SYNC_TO_DEFAULT);
    note_down(10, s != NULL && s != sf_stream_legacy(device));
    probe(sf_stream_legacy(device), x->data, log_of(3, ctx->run), SPIN);
    sf_tensor_set_deallocation_stream(x, sf_stream_legacy(device));
    return SF_OK;
}
EACH_ORDER(sync_to_default)
{
    sf_flow *f = flow_on(device);
    connect(f, add_source(f, 1, source, 10),
            sf_flow_add(f, &(sf_op_desc){ .compute = legacy_probe, .in = { IN("in") } }));
    run_is(f, SF_OK);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    for (uint32_t i = 0; i < 10; i++) { CHECK_PROBE(log_of(3, i), value_of(1, i)); }
    destroy(f);
}
static sf_result open_from_legacy(sf_context *ctx) /* the default stream waits for nothing, unless asked */
{
    sf_tensor *x = sf_receive(ctx, 0);
    sf_stream *s = sf_receive_stream(ctx, 0, 0), *list[3] = { s, NULL, s },
              *side = sf_allocate_stream(ctx, "side");
    note_down(10, sf_synchronize_streams(ctx, list, 3, side));
    test_lift(sf_stream_legacy(device), gate, (uint32_t)ctx->run + 1);
    probe(side, x->data, log_of(3, ctx->run), SPIN);
    return SF_OK;
}
EACH_ORDER(the_default_stream_is_left_alone)
{
    sf_flow *f = flow_on(device);
    connect(f, add_source(f, 1, gated_source, 10),
            sf_flow_add(f, &(sf_op_desc){ .compute = open_from_legacy, .in = { IN("in") } }));
    guarded_run_is(f, SF_OK, gate);
    for (uint32_t i = 0; i < 10; i++) { CHECK_PROBE(log_of(3, i), value_of(1, i)); }
    destroy(f);
}

/* -- lists of streams -- */

static sf_result list_streams(sf_context *ctx)
{
    sf_stream *s[6];
    sf_counters before, after;
    sf_device_get_counters(device, &before);
    for (int i = 0; i < 4; i++) {
        (void)(i == 1 ? (void)sf_receive_value(ctx, 0) : (void)sf_receive(ctx, 0));
        if (i == 0) { note_down(10, sf_receive_streams(ctx, 0, NULL, 0)); }
    }
    for (int i = 0; i < 6; i++) { s[i] = (sf_stream *)&logs; }
    note_down(10, sf_receive_streams(ctx, 0, s, 2));
    note_down(10, s[2] == (sf_stream *)&logs);               /* no more than there is room for */
    note_down(10, sf_receive_streams(ctx, 0, s, 6));
    for (int i = 0; i < 4; i++) { note_down(11, handle(s[i])); }
    note_down(10, s[4] == (sf_stream *)&logs);
    sf_device_get_counters(device, &after);
    note_down(
        10, (long long)(after.event_waits + after.event_records - before.event_waits - before.event_records));
    return SF_OK;
}
EACH_ORDER(one_entry_per_message)
{
    sf_flow *f = flow_on(device);
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = list_streams, .in = { { .name = "in", .many = true } } });
    connect(f, add_source(f, 1, source, 2), c);
    connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 2 }), c);
    connect(f, add_source(f, 3, default_source, 2), c);
    connect(f, add_source(f, 2, source, 2), c);
    run_is(f, SF_OK);
    CHECK_NOTES(10, 1, 4, 1, 4, 1, 0, 1, 4, 1, 4, 1, 0);
    for (uint32_t i = 0; i < 8; i += 4) {
        CHECK(noted(11, i) == noted(1, 0));
        CHECK(!noted(11, i + 1) && !noted(11, i + 2));
        CHECK(noted(11, i + 3) == noted(2, 0));
    }
    CHECK(noted(3, 0) == sf_stream_legacy(device));
    destroy(f);
}

/* -- streams by name -- */

static sf_result allocate_in_start(sf_context *ctx)
{
    return note_down(10, handle(sf_allocate_stream(ctx, "a"))), SF_OK;
}
static sf_result allocate_two(sf_context *ctx) /* odd runs: set; even runs: not, so it goes without */
{
    sf_stream *a = sf_allocate_stream(ctx, "a"), *b = sf_allocate_stream(ctx, "b");
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    note_down(10, handle(a));
    note_down(11, handle(b));
    paint(b, t->data, NULL, NULL, value_of(1, ctx->run), SPIN);
    if (ctx->run & 1) { sf_set_stream(ctx, 0, b); } else { sf_stream_synchronize(b, GUARD); }
    return sf_emit(ctx, 0, t);
}
EACH_ORDER(allocated_streams_have_names)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .compute = allocate_two, .start = allocate_in_start, .out = { OUT }, .count = 6 });
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams, .user = &ids[12], .in = { IN("in") } }));
    for (int again = 0; again < 2; again++) {
        notes_clear();
        run_is(f, SF_OK);
        for (uint32_t i = 0; i < 7; i++) { CHECK(noted(10, i) == noted(10, 0)); }
        for (uint32_t i = 0; i < 6; i++) {
            CHECK(noted(11, i) == noted(11, 0));
            CHECK_EQUAL(handle(noted(12, 2 * i)), 1);
            CHECK(noted(12, 2 * i + 1) == (i & 1 ? noted(11, 0) : NULL));
            CHECK_PROBE(log_of(12, i), value_of(1, i));
        }
        CHECK(noted(10, 0) && noted(11, 0) && noted(10, 0) != noted(11, 0));
    }
    destroy(f);
}
/* A failure names the operator and the stream that it has by name. */
static sf_result fail_on_side(sf_context *ctx) { return sf_launch(sf_allocate_stream(ctx, "side"), &trap_kernel, NULL, 0); }
static void failures_name_allocated_streams(void **state)
{
    sf_flow *f;
    (void)state;
    if (on_cuda()) { return; }               /* a fault ends the context there */
    device = open_device();
    f = flow_on(device);
    sf_flow_add(f, &(sf_op_desc){ .name = "twist", .compute = fail_on_side, .count = 1 });
    run_is(f, SF_ERROR_LAUNCH_FAILED);
    CHECK(strstr(sf_flow_failure(f)->text, "\"twist.side\""));
    destroy_is(f, SF_ERROR_LAUNCH_FAILED);
    CHECK_IS(sf_device_close(device, GUARD), SF_ERROR_LAUNCH_FAILED);
}
/* However long the name; and where nothing looked as if anybody needed a stream. */
static sf_result allocate_by_name(sf_context *ctx)
{
    return note_down(1, handle(sf_allocate_stream(ctx, (const char *)ctx->user))), SF_OK;
}
static void names_of_any_length_in_any_flow(void **state)
{
    static char name[200];
    (void)state;
    device = open_device();
    memset(name, 'n', sizeof name - 1);
    for (uint32_t k = 0; k < 4; k++) {
        sf_flow *f = flow_on(device);
        sf_op_desc d = { .compute = allocate_by_name, .user = k & 1 ? (void *)(uintptr_t)"short" : name, .count = 3 };
        sf_flow_add(f, &d);
        d.compute = nothing;
        for (uint32_t i = 1; i < (k & 2 ? 300u : 2u); i++) { sf_flow_add(f, &d); }
        notes_clear();
        run_is(f, SF_OK);
        CHECK(noted(1, 0) != NULL);
        for (uint32_t i = 1; i < 3; i++) { CHECK(noted(1, i) == noted(1, 0)); }
        destroy(f);
    }
    test_close(device);
}
/* An operator that gets no stream may go on. The flow fails, with the reason, if the operator returns an error or makes
   a call on the NULL. */
enum { GOES_ON, GIVES_UP, FAILS_LATER, LAUNCHES, LAUNCHES_ON_ITS_OWN, MANNERS };
static int manner;
static uint32_t *target;
static sf_result allocate_named(sf_context *ctx)
{
    sf_stream *own = sf_compute_stream(ctx), *two;
    mix_args a = { .dst = target, .n = 1, .mul = 1, .add = 1 };
    note_down(0, own != NULL);
    note_down(0, sf_allocate_stream(ctx, "one") != NULL);
    two = sf_allocate_stream(ctx, (const char *)ctx->user);
    note_down(0, two != NULL);
    switch (manner) {
    case GIVES_UP: return two ? SF_OK : SF_ERROR_USER;
    case FAILS_LATER: return two ? SF_OK : sf_fail(ctx, SF_ERROR_USER - 1, "later");
    case LAUNCHES: (void)sf_launch(two, &mix_kernel, &a, sizeof a); break;
    case LAUNCHES_ON_ITS_OWN: (void)sf_launch(two ? two : own, &mix_kernel, &a, sizeof a); break;
    default: break;
    }
    return SF_OK;
}
static void allocation_fails(void **state)
{
    typedef struct allocation {
        int32_t max;
        bool adopt;
        const char *name, *word;
        sf_result result;
        uint32_t good;
    } allocation;
    static const allocation cases[] = {
        { 3, false, "two", "", SF_OK, 3 },
        { 2, false, "two", "max", SF_ERROR_POOL_EXHAUSTED, 2 },
        { 2, false, "one", "", SF_OK, 3 }, /* by the same name: the same */
        { 1, false, "two", "max", SF_ERROR_POOL_EXHAUSTED, 1 },
        { 9, true, "two", "adopt_stream", SF_ERROR_POOL_EXHAUSTED, 1 },
        { 9, false, NULL, "name", SF_ERROR_INVALID_VALUE, 2 },
    };
    (void)state;
    device = open_device();
    target = (uint32_t *)test_memory(device, 64 * 4);
    for (size_t i = 0; i < COUNT(cases) * MANNERS; i++) {
        const allocation *c = &cases[i / MANNERS];
        sf_result want = c->result;
        sf_stream_pool *pool;
        sf_flow *f;
        uint32_t good = 0;
        long long got[3];
        notes_clear();
        manner = (int)(i % MANNERS);
        if (!c->name && (manner == GIVES_UP || manner == FAILS_LATER)) { continue; }         /* another error, too */
        if (want == SF_ERROR_POOL_EXHAUSTED) {
            want = manner == GIVES_UP ? SF_ERROR_USER : manner == FAILS_LATER ? SF_ERROR_USER - 1
                   : manner == LAUNCHES ? SF_ERROR_POOL_EXHAUSTED : SF_OK;
        }
        CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .max = c->max }, &pool));
        f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "alloc",
                                 .compute = allocate_named,
                                 .user = (void *)(uintptr_t)c->name,
                                 .adopt_stream = c->adopt,
                                 .streams = pool,
                                 .count = 1 });
        run_is(f, want);
        CHECK_EQUAL(notes_of(0, got, 3), 3);
        while (good < 3 && got[good]) { good++; }
        CHECK_EQUAL(good, c->good);
        if (want < 0) {
            CHECK(strstr(sf_flow_failure(f)->text, "alloc") &&
                  strstr(sf_flow_failure(f)->text, want == SF_ERROR_USER - 1 ? "later" : c->word));
            if (want != SF_ERROR_USER - 1) { CHECK(strstr(sf_flow_failure(f)->text, "sf_allocate_stream") != NULL); }
        }
        destroy_is(f, want);
        CHECK_OK(sf_stream_pool_destroy(pool));
    }
    CHECK_OK(sf_mem_free(device, target));
    test_close(device);
}

/* -- setting streams -- */

static sf_result set_some(sf_context *ctx) /* runs: 0 twice, 1 not at all, 2 after the emit */
{
    sf_stream *own = sf_compute_stream(ctx), *a = sf_allocate_stream(ctx, "a"),
              *b = sf_allocate_stream(ctx, "b");
    sf_stream *use = ctx->run % 3 == 0 ? b : ctx->run % 3 == 2 ? a : own;
    note_down(10, handle(own));
    note_down(11, handle(use));
    if (ctx->run % 3 == 0) { sf_set_stream(ctx, 0, a), sf_set_stream(ctx, 0, b); }
    sf_emit(ctx, 0, painted(ctx, 0, use, value_of(1, ctx->run)));
    if (ctx->run % 3 == 2) { sf_set_stream(ctx, 0, a); }
    return sf_emit(ctx, 1, painted(ctx, 1, own, value_of(2, ctx->run)));
}
EACH_ORDER(set_stream_is_for_one_port_and_one_compute)
{
    sf_flow *f = flow_on(device);
    sf_op a, x, y;
    a = sf_flow_add(f, &(sf_op_desc){
                      .compute = set_some, .out = { OUT, { .name = "other", .bytes = BYTES } }, .count = 9 });
    x = sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams, .user = &ids[12], .in = { IN("in") } });
    y = sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams, .user = &ids[13], .in = { IN("in") } });
    CHECK_OK(sf_flow_connect(f, a, "out", x, NULL, NULL));
    CHECK_OK(sf_flow_connect(f, a, "other", y, NULL, NULL));
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < 9; i++) {
        CHECK(noted(12, 2 * i + 1) == noted(11, i));
        CHECK(noted(13, 2 * i + 1) == noted(10, 0));
        CHECK_PROBE(log_of(12, i), value_of(1, i));
        CHECK_PROBE(log_of(13, i), value_of(2, i));
    }
    destroy(f);
}
static sf_stream *foreign;
static sf_result set_foreign(sf_context *ctx) /* a stream of the user's: he orders it himself */
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s[1];
    note_down(10, sf_set_stream(ctx, 0, foreign));
    sf_receive_streams(ctx, 0, s, 1);
    sf_synchronize_streams(ctx, s, 1, foreign);
    paint(foreign, out->data, in->data, NULL, 5, SPIN);
    return sf_emit(ctx, 0, out);
}
EACH_ORDER(a_foreign_stream_may_be_set)
{
    sf_flow *f = flow_on(device);
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = set_foreign, .in = { IN("in") }, .out = { OUT } });
    foreign = test_stream(device);
    connect(f, add_source(f, 1, source, 12), b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams, .user = &ids[12], .in = { IN("in") } }));
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < 12; i++) {
        CHECK(noted(12, 2 * i + 1) == foreign);
        CHECK_PROBE(log_of(12, i), value_of(1, i) + 5);
    }
    destroy(f);
    CHECK_OK(sf_stream_destroy(foreign));
}

/* Calls that go wrong. Each fails its compute even if nobody looks; text names operator and call. */
static int wrong_case;
static sf_stream *dead;
static sf_result call_wrong(sf_context *ctx)
{
    sf_stream *own = sf_compute_stream(ctx), *list[2] = { own, dead };
    switch (wrong_case) {
    case 0: note_down(0, sf_set_stream(ctx, 0, NULL)); break;
    case 1: note_down(0, sf_set_stream(ctx, 0, dead)); break;
    case 2: note_down(0, sf_set_stream(ctx, 7, own)); break;
    case 3: note_down(0, sf_set_stream(ctx, -1, own)); break;
    case 4: note_down(0, sf_synchronize_streams(ctx, list, 1, NULL)); break;
    case 5: note_down(0, sf_synchronize_streams(ctx, NULL, 1, own)); break;
    case 6: note_down(0, sf_synchronize_streams(ctx, list, 2, own)); break;
    case 7: note_down(0, sf_synchronize_streams(ctx, list, -1, own)); break;
    case 8: note_down(0, sf_synchronize_streams(ctx, list, 1, dead)); break;
    case 9: note_down(0, sf_receive_stream(ctx, 0, 0) ? 0 : SF_ERROR_UNKNOWN_PORT); break; /* has no inputs */
    case 10: note_down(0, sf_receive_streams(ctx, 3, list, 2) ? 0 : SF_ERROR_UNKNOWN_PORT); break;
    }
    note_down(1, sf_compute_stream(ctx) == NULL);            /* from then on: stand-ins */
    return SF_OK;
}
static void calls_that_go_wrong(void **state)
{
    static const struct { sf_result result; const char *call;
    } cases[] = {
        { SF_ERROR_INVALID_HANDLE, "sf_set_stream" },
        { SF_ERROR_INVALID_HANDLE, "sf_set_stream" },
        { SF_ERROR_UNKNOWN_PORT, "sf_set_stream" },
        { SF_ERROR_UNKNOWN_PORT, "sf_set_stream" },
        { SF_ERROR_INVALID_HANDLE, "sf_synchronize_streams" },
        { SF_ERROR_INVALID_VALUE, "sf_synchronize_streams" },
        { SF_ERROR_INVALID_HANDLE, "sf_synchronize_streams" },
        { SF_ERROR_INVALID_VALUE, "sf_synchronize_streams" },
        { SF_ERROR_INVALID_HANDLE, "sf_synchronize_streams" },
        { SF_ERROR_UNKNOWN_PORT, "sf_receive_stream" },
        { SF_ERROR_UNKNOWN_PORT, "sf_receive_streams" },
    };
    (void)state;
    device = open_device();
    dead = test_stream(device);
    CHECK_OK(sf_stream_destroy(dead));
    for (wrong_case = 0; wrong_case < (int)COUNT(cases); wrong_case++) {
        sf_flow *f = flow_on(device);
        const sf_failure *failure;
        notes_clear();
        sf_flow_add(f, &(sf_op_desc){ .name = "wrong", .compute = call_wrong, .out = { OUT }, .count = 1 });
        run_is(f, cases[wrong_case].result);
        check_notes(0, (long long[]){ cases[wrong_case].result }, 1);
        CHECK_NOTES(1, 1);
        failure = sf_flow_failure(f);
        CHECK(!strcmp(failure->where, "wrong") && strstr(failure->text, "wrong"));
        CHECK(!strcmp(failure->call, cases[wrong_case].call));
        destroy_is(f, cases[wrong_case].result);
    }
    test_close(device);
}

static sf_result synchronize_some(sf_context *ctx)
{
    sf_tensor *x = sf_receive(ctx, 0), *y = sf_receive(ctx, 1);
    sf_stream *s[5] = { NULL, NULL, NULL, NULL, NULL }, *side = sf_allocate_stream(ctx, "side");
    sf_counters a, b;
    sf_receive_streams(ctx, 0, &s[1], 1);
    sf_receive_streams(ctx, 1, &s[3], 1);
    s[2] = side;
    s[4] = s[1];                                             /* twice is once */
    sf_device_get_counters(device, &a);
    note_down(10, sf_synchronize_streams(ctx, s, 5, side));
    sf_device_get_counters(device, &b);
    note_down(11, (long long)(b.event_waits - a.event_waits));
    note_down(12, (long long)(b.event_creates - a.event_creates));
    note_down(10, sf_synchronize_streams(ctx, NULL, 0, side));
    probe(side, x->data, log_of(3, ctx->run), SPIN);
    return probe(side, y->data, log_of(4, ctx->run), SPIN);
}
EACH_ORDER(synchronize_streams)
{
    sf_flow *f = flow_on(device);
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = synchronize_some, .in = { IN("x"), IN("y") } });
    to_port(f, add_source(f, 1, source, 10), c, "x");
    to_port(f, add_source(f, 2, source, 10), c, "y");
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_PROBE(log_of(3, i), value_of(1, i));
        CHECK_PROBE(log_of(4, i), value_of(2, i));
        CHECK_EQUAL(handle(noted(11, i)), 2);
        CHECK_EQUAL(handle(noted(12, i)), 0);
        CHECK_EQUAL(handle(noted(10, 2 * i)), SF_OK);
        CHECK_EQUAL(handle(noted(10, 2 * i + 1)), SF_OK);
    }
    destroy(f);
}
static sf_result ask_devices(sf_context *ctx)
{
    sf_stream *s = NULL, *own;
    (void)sf_receive(ctx, 0);
    sf_receive_streams(ctx, 0, &s, 1);
    own = sf_compute_stream(ctx);
    note_down(0, sf_device_from_stream(ctx, s) == device);
    note_down(0, sf_device_from_stream(ctx, own) == device);
    note_down(0, sf_device_from_stream(ctx, sf_allocate_stream(ctx, "x")) == device);
    note_down(0, sf_device_from_stream(ctx, sf_stream_legacy(device)) == NULL);
    note_down(0, sf_device_from_stream(ctx, foreign) == NULL);
    note_down(0, sf_device_from_stream(ctx, NULL) == NULL);
    return SF_OK;
}
static sf_result destroy_own(sf_context *ctx) { return sf_stream_destroy(sf_compute_stream(ctx)); }
static void an_operator_s_stream_is_its_pool_s(void **state)
{
    sf_flow *f;
    (void)state;
    device = open_device();
    f = flow_on(device);
    sf_flow_add(f, &(sf_op_desc){ .name = "destroyer", .compute = destroy_own, .count = 1 });
    CHECK_IS(sf_flow_run(f), SF_ERROR_INVALID_HANDLE);
    CHECK(strstr(sf_flow_failure(f)->text, "destroyer") != NULL);
    CHECK(strstr(sf_device_failure(device)->text, "with the pool") != NULL);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_INVALID_HANDLE);
    test_close(device);
}
static void device_from_stream(void **state)
{
    sf_flow *f;
    (void)state;
    notes_clear();
    device = open_device();
    f = flow_on(device);
    foreign = test_stream(device);
    connect(f, add_source(f, 1, source, 1),
            sf_flow_add(f, &(sf_op_desc){ .compute = ask_devices, .in = { IN("in") } }));
    run_is(f, SF_OK);
    CHECK_NOTES(0, 1, 1, 1, 1, 1, 1);
    CHECK(sf_device_from_stream(NULL, foreign) == NULL);
    CHECK_OK(sf_stream_destroy(foreign));
    destroy(f);
    test_close(device);
}

/* -- passing on -- */

static bool touches;
static uint32_t *word, *order_log;
static sf_result log_on(sf_stream *s, uint32_t id)
{
    mix_args a = { .dst = word + id, .n = 1, .mul = 1, .add = 1, .spin = SPIN, .log = order_log, .id = id };
    return sf_launch(s, &mix_kernel, &a, sizeof a);
}
static sf_result forward(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    if (touches) {
        note_down(10, handle(sf_compute_stream(ctx)));
        log_on(sf_compute_stream(ctx), 2 * (uint32_t)ctx->run);
    }
    return sf_emit(ctx, 0, t);
}
static sf_result after_forward(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = NULL;
    sf_receive_streams(ctx, 0, &s, 1);
    note_down(12, handle(s));
    s = sf_compute_stream(ctx);
    if (touches) { log_on(s, 2 * (uint32_t)ctx->run + 1); }
    return probe(s, t->data, log_of(12, ctx->run), SPIN);
}
/* A host's tensor goes to who works and passes it on, and to who keeps it: when that emits it, nobody's work is behind
   it. With workers both do so at once, for ThreadSanitizer to look at. */
static sf_result hosts_source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    memset(t->data, (int)ctx->run, t->bytes);
    return sf_emit(ctx, 0, t);
}
static sf_result works_and_forwards(sf_context *ctx)
{
    mix_args a = { .dst = word + 32 * (ctx->name[1] - '0'), .n = 1, .mul = 1, .add = 1, .spin = SPIN };
    sf_tensor *t = sf_receive(ctx, 0);
    (void)sf_launch(sf_compute_stream(ctx), &mix_kernel, &a, sizeof a);
    return sf_emit(ctx, 0, t);
}
static sf_result keeps_one(sf_context *ctx)                  /* and emits the one before */
{
    sf_tensor **kept = (sf_tensor **)ctx->user, *t = sf_receive(ctx, 0), *before = *kept;
    sf_result r = before ? sf_emit(ctx, 0, before) : SF_OK;
    *kept = sf_tensor_retain(t);
    sf_tensor_release(before);
    return r;
}
static void run_with_a_keeper(sf_flow *f, sf_op from, sf_compute_func last)
{
    sf_tensor *kept = NULL;
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = keeps_one, .user = &kept, .in = { IN("in") },
                                       .out = { { .name = "out" } } });
    CHECK_OK(sf_flow_connect(f, from, "out", c, NULL, NULL));
    connect(f, c, sf_flow_add(f, &(sf_op_desc){ .name = "d", .compute = last, .in = { IN("in") } }));
    run_is(f, SF_OK);
    if (kept) { sf_tensor_release(kept); }
    destroy(f);
}
static sf_result has_no_stream(sf_context *ctx)
{
    sf_stream *s = NULL;
    const sf_tensor *t = sf_receive(ctx, 0);
    CHECK_EQUAL(*(const uint8_t *)t->data, ctx->run & 0xff);
    CHECK(sf_receive_streams(ctx, 0, &s, 1) == 1 && !s);
    return SF_OK;
}
static void kept_beside_a_forwarder(void **state)
{
    enum { FRAMES = 200 };
    (void)state;
    device = open_device();
    for (int workers = 0; workers < 5; workers += 4) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = hosts_source, .count = FRAMES,
                                           .out = { { .name = "out", .bytes = 64, .memory = SF_MEMORY_PINNED } } });
        word = (uint32_t *)test_memory(device, 64 * 4);
        for (int i = 0; i < 2; i++) {
            sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = i ? "b1" : "b0", .compute = works_and_forwards,
                                                    .in = { IN("in") },
                                               .out = { { .name = "out" } } });
            connect(f, a, b);
            connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } }));
        }
        run_with_a_keeper(f, a, has_no_stream);
        CHECK_OK(sf_mem_free(device, word));
    }
    test_close(device);
}
/* Who makes a tensor by wrapping memory may emit it twice, or keep it as well: who emits it later is behind that work. */
static sf_result wraps_and_works(sf_context *ctx)
{
    static uint8_t memory[64];
    int how = *(const int *)ctx->user;
    mix_args a = { .dst = word, .n = 1, .mul = 1, .add = 1, .spin = SPIN };
    sf_tensor *t = sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .shape = { 64 }, .data = memory, .memory = SF_MEMORY_HOST });
    (void)sf_launch(sf_compute_stream(ctx), &mix_kernel, &a, sizeof a);
    if (how == 1) { (void)sf_emit(ctx, 1, t); }
    if (how == 2) { (void)sf_tensor_retain(t); }
    (void)sf_emit(ctx, 0, t);
    if (how == 2) { sf_tensor_release(t); }
    return SF_OK;
}
static sf_result has_a_stream(sf_context *ctx)
{
    sf_stream *s = NULL;
    CHECK(sf_receive(ctx, 0) && sf_receive_streams(ctx, 0, &s, 1) == 1 && s);
    return SF_OK;
}
static void kept_of_who_wraps(void **state)
{
    (void)state;
    device = open_device();
    word = (uint32_t *)test_memory(device, 64 * 4);
    for (int how = 0; how < 3; how++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = wraps_and_works, .count = 20, .user = &how,
                                           .out = { { .name = "out" }, { .name = "too" } } });
        if (how == 1) {
            CHECK_OK(sf_flow_connect(f, a, "too", sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor,
                    .in = { IN("in") } }), NULL,
                                NULL));
        }
        run_with_a_keeper(f, a, has_a_stream);
    }
    CHECK_OK(sf_mem_free(device, word));
    test_close(device);
}
EACH_ORDER(a_forwarded_message_carries_the_forwarder_s_stream)
{
    for (int variant = 0; variant < 2; variant++) {
        sf_flow *f = flow_on(device);
        sf_op a = add_source(f, 1, source, 8), b, c, d;
        touches = variant == 0;
        notes_clear();
        memset(logs, 0, (64 * 16 * PROBE + 1) * sizeof *logs);
        word = (uint32_t *)test_memory(device, 64 * 4);
        order_log = word + 32;
        b = sf_flow_add(f,
                   &(sf_op_desc){
                       .name = "b", .compute = forward, .in = { IN("in") }, .out = { { .name = "out" } } });
        c = sf_flow_add(
            f, &(sf_op_desc){ .name = "c", .compute = keep_streams, .user = &ids[11], .in = { IN("in") } });
        d = sf_flow_add(f, &(sf_op_desc){ .name = "d", .compute = after_forward, .in = { IN("in") } });
        connect(f, a, b);
        connect(f, a, c);
        connect(f, b, d);
        run_is(f, SF_OK);
        for (uint32_t i = 0; i < 8; i++) {
            CHECK(noted(12, i) == (touches ? noted(10, 0) : noted(1, 0)));
            CHECK(noted(11, 2 * i + 1) == noted(1, 0));      /* the sibling's is not disturbed */
            CHECK_PROBE(log_of(11, i), value_of(1, i));
            CHECK_PROBE(log_of(12, i), value_of(1, i));
        }
        if (touches) {                                       /* in d's stream after the forwarder's work */
            uint32_t place[16];
            CHECK_EQUAL(order_log[0], 16);
            for (uint32_t i = 0; i < 16; i++) { place[order_log[1 + i]] = i; }
            for (uint32_t i = 0; i < 16; i += 2) { CHECK(place[i] < place[i + 1]); }
        }
        destroy(f);
        CHECK_OK(sf_mem_free(device, word));
    }
}

/* Passed on upon a stream that has not waited for it: whoever gets it can rely on that stream all the same.
   */
static sf_result forward_aside(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *side = sf_allocate_stream(ctx, "side");
    note_down(10, handle(side));
    sf_set_stream(ctx, 0, side);
    return sf_emit(ctx, 0, t);
}
EACH_ORDER(forwarded_on_another_stream)
{
    sf_flow *f = flow_on(device);
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .compute = forward_aside, .in = { IN("in") }, .out = { { .name = "out" } } });
    connect(f, add_source(f, 1, source, 12), b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams, .user = &ids[11], .in = { IN("in") } }));
    run_is(f, SF_OK);
    for (uint32_t i = 0; i < 12; i++) {
        CHECK(noted(11, 2 * i + 1) == noted(10, 0));
        CHECK_PROBE(log_of(11, i), value_of(1, i));
    }
    destroy(f);
}

/* -- cost -- */

enum { FIRST = 30, LAST = 90 };
static sf_counters cost[2];
static void look_at_cost(const sf_context *ctx)
{
    if (ctx->run == FIRST) { sf_device_get_counters(device, &cost[0]); }
    if (ctx->run == LAST) { sf_device_get_counters(device, &cost[1]); }
}
static sf_result cost_source(sf_context *ctx)                /* one tensor on each output */
{
    sf_stream *s = sf_compute_stream(ctx);
    for (int p = 0; p < *(const int *)ctx->user; p++) { sf_emit(ctx, p, painted(ctx, p, s, 1)); }
    return SF_OK;
}
static sf_result cost_two_streams(sf_context *ctx)
{
    sf_stream *a = sf_compute_stream(ctx), *b = sf_allocate_stream(ctx, "b");
    sf_emit(ctx, 0, painted(ctx, 0, a, 1));
    sf_set_stream(ctx, 1, b);
    return sf_emit(ctx, 1, painted(ctx, 1, b, 1));
}
static sf_result cost_middle(sf_context *ctx)
{
    sf_tensor *x = sf_receive(ctx, 0), *z = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_receive_stream(ctx, 0, 0);
    paint(s, z->data, x->data, NULL, 1, 0);
    return sf_emit(ctx, 0, z);
}
static sf_result cost_sink(sf_context *ctx)                  /* of all ports */
{
    sf_stream *s;
    sf_tensor *t = NULL, *last = NULL;
    look_at_cost(ctx);
    for (int p = 0; p < 2; p++) {
        while (sf_available(ctx, p) && (t = sf_receive(ctx, p)) != NULL) { last = t; }
    }
    s = sf_compute_stream(ctx);
    return last ? probe(s, last->data, logs + PROBE * (ctx->op.id & 15), 0) : SF_OK;
}
static sf_result work_value(sf_context *ctx)                 /* in the middle, and where it begins */
{
    sf_value v = ctx->user ? sf_receive_value(ctx, 0) : number(1);
    return sf_compute_stream(ctx) ? sf_emit_value(ctx, 0, v) : SF_ERROR_USER;
}
static sf_result work_value_sink(sf_context *ctx)
{
    look_at_cost(ctx);
    (void)sf_receive_value(ctx, 0);
    return sf_compute_stream(ctx) ? SF_OK : SF_ERROR_USER;
}
static sf_result value_sink(sf_context *ctx)
{
    return look_at_cost(ctx), (void)sf_receive_value(ctx, 0), SF_OK;
}

enum cost_kind {
    COST_VALUES,
    COST_CHAIN,
    COST_ADOPT,
    COST_DIAMOND,
    COST_TWO_PORTS,
    COST_MANY,
    COST_FAN,
    COST_TIMED,
    COST_TWO_STREAMS,
    COST_WORK_VALUES,
    COST_ADOPT_VALUES
};
/* Sources are "a"; outputs of two; the sink is the last one added. */
static sf_flow *cost_flow(enum cost_kind kind)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .track.device_time = kind == COST_TIMED });
    sf_port x = IN("x"), y = IN("y"), o = { .name = "o", .bytes = BYTES },
            p = { .name = "p", .bytes = BYTES };
    sf_op_desc source_desc = {
        .name = "a", .compute = cost_source, .user = &ids[1], .out = { o }, .count = LAST + 50
    };
    sf_op_desc middle = {
        .name = "m", .compute = cost_middle, .in = { x }, .out = { o }, .adopt_stream = kind == COST_ADOPT
    };
    sf_op_desc sink = { .name = "z", .compute = cost_sink, .in = { x }, .adopt_stream = kind == COST_ADOPT };
    sf_op a, b, c, z;
    if (kind == COST_VALUES) {
        connect(
            f, sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "o" } }, .count = LAST + 1 }),
            sf_flow_add(f, &(sf_op_desc){ .compute = value_sink, .in = { x } }));
        return f;
    }
    if (kind == COST_WORK_VALUES || kind == COST_ADOPT_VALUES) {
        source_desc.compute = middle.compute = work_value, sink.compute = work_value_sink;
        source_desc.user = NULL, middle.user = &ids[1];
        source_desc.out[0].bytes = middle.out[0].bytes = 0;
        middle.adopt_stream = sink.adopt_stream = kind == COST_ADOPT_VALUES;
    }
    if (kind == COST_TWO_PORTS || kind == COST_TWO_STREAMS || kind == COST_MANY) {
        source_desc.out[1] = p;
        source_desc.user = &ids[2];
    }
    if (kind == COST_TWO_STREAMS) { source_desc.compute = cost_two_streams; }
    if (kind == COST_MANY) {
        sf_op many[12];
        sink.in[0].many = true;
        z = sf_flow_add(f, &sink);
        for (int i = 0; i < 12; i++) { many[i] = sf_flow_add(f, &source_desc); }
        for (int i = 0; i < 24; i++) {
            CHECK_OK(sf_flow_connect(f, many[i % 12], i < 12 ? "o" : "p", z, NULL, NULL));
        }
        return f;
    }
    a = sf_flow_add(f, &source_desc);
    if (kind == COST_TWO_PORTS || kind == COST_TWO_STREAMS || kind == COST_DIAMOND) { sink.in[1] = y; }
    if (kind == COST_TWO_PORTS || kind == COST_TWO_STREAMS) {
        z = sf_flow_add(f, &sink);
        CHECK_OK(sf_flow_connect(f, a, "o", z, "x", NULL));
        CHECK_OK(sf_flow_connect(f, a, "p", z, "y", NULL));
        return f;
    }
    if (kind == COST_FAN) {
        for (int i = 0; i < 3; i++) { connect(f, a, sf_flow_add(f, &sink)); }
        return f;
    }
    b = sf_flow_add(f, &middle);
    connect(f, a, b);
    z = sf_flow_add(f, &sink);
    CHECK_OK(sf_flow_connect(f, b, "o", z, "x", NULL));
    if (kind == COST_DIAMOND) {
        c = sf_flow_add(f, &middle);
        connect(f, a, c);
        CHECK_OK(sf_flow_connect(f, c, "o", z, "y", NULL));
    }
    return f;
}
static void what_a_message_costs(void **state)
{
    /* Per frame. Waits: one per message from another stream, one per other user when a block is reused. */
    static const struct { enum cost_kind kind; const char *name; uint64_t least, records, waits;
    } cases[] = {
        { COST_VALUES, "values", 0, 0, 0 },
        { COST_CHAIN, "a chain of three", 3, 3, 2 + 2 }, /* the sink's record: it used pool memory */
        { COST_ADOPT, "a chain on one stream", 0, 1, 0 },
        { COST_DIAMOND, "a diamond", 4, 4, 4 + 4 },
        { COST_TWO_PORTS, "one producer, two ports", 2, 2, 1 + 1 },
        { COST_MANY, "twelve producers, two ports of each", 13, 13, 12 + 12 },
        { COST_FAN, "three sinks", 4, 4, 3 + 3 },
        { COST_TIMED, "a chain with GPU timing", 9, 9, 2 + 2 },
        { COST_TWO_STREAMS, "two streams emitted", 3, 3,
          2 + 2 * 2 }, /* either block may be used on either stream */
        { COST_WORK_VALUES, "values of operators with work", 2, 2, 2 },
        { COST_ADOPT_VALUES, "such values on one stream", 0, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint64_t n = LAST - FIRST;
        sf_flow *f;
        uint64_t records, waits;
        device = open_device();
        logs = (uint32_t *)test_memory(device, 16 * PROBE * sizeof *logs);
        f = cost_flow(cases[i].kind);
        memset(cost, 0, sizeof cost);
        run_is(f, SF_OK);
        records = cost[1].event_records - cost[0].event_records;
        waits = cost[1].event_waits - cost[0].event_waits;
        if (records < cases[i].least * n || records > cases[i].records * n || waits != cases[i].waits * n) {
            fail_msg("%s: %.2f records, %.2f waits a frame, not %d and %d", cases[i].name,
                     (double)records / (double)n, (double)waits / (double)n, (int)cases[i].records,
                     (int)cases[i].waits);
        }
        CHECK_EQUAL(cost[1].event_creates, cost[0].event_creates);
        CHECK_EQUAL(cost[1].stream_creates, cost[0].stream_creates);
        CHECK_EQUAL(cost[1].allocations, cost[0].allocations);
        CHECK_EQUAL(cost[1].device_switches, cost[0].device_switches);
        CHECK_EQUAL(cost[1].synchronizes, cost[0].synchronizes);
        CHECK_EQUAL(cost[1].host_functions, cost[0].host_functions);
        destroy(f);
        CHECK_OK(sf_mem_free(device, logs));
        test_close(device);
    }
}
/* A pool that reuses memory behind waits alone, and not because its free is done, sees the flow's own waits, too. */
static struct { sf_mem_pool *pool; void *freed, *given; } reuse;
static sf_result frees_block(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    CHECK_OK(sf_mem_alloc_async(s, reuse.pool, 4096, &reuse.freed));
    CHECK_OK(sf_mem_free_async(s, reuse.freed));
    return sf_emit_value(ctx, 0, number(1));
}
static sf_result takes_block(sf_context *ctx)
{
    sf_stream *s;
    (void)sf_receive_value(ctx, 0);
    s = sf_compute_stream(ctx);
    CHECK_OK(sf_mem_alloc_async(s, reuse.pool, 4096, &reuse.given));
    return sf_mem_free_async(s, reuse.given);
}
EACH_ORDER(a_pool_sees_waits_between_operators)
{
    const sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .no_opportunistic = true, .no_internal_wait = true };
    for (int i = 0; i < 20; i++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = frees_block, .out = { { .name = "out" } }, .count = 1 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = takes_block, .in = { IN("in") } });
        CHECK_OK(sf_mem_pool_create(device, &desc, &reuse.pool));
        connect(f, a, b);
        run_is(f, SF_OK);
        if (!on_cuda()) { CHECK(reuse.given == reuse.freed); }           /* the driver may give another one */
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(reuse.pool));
    }
}
/* A compute ends the stream on which its message is, before the record behind its work: the run fails, and the place of
   the stream, which has no record, serves the next one. */
static sf_stream *ends_early;
static sf_result end_stream(sf_context *ctx)
{
    sf_tensor *t;
    CHECK_OK(sf_set_stream(ctx, 0, ends_early));
    t = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(sf_memset_async(ends_early, logs, 1, 64));
    CHECK_OK(sf_stream_destroy(ends_early));
    return sf_emit(ctx, 0, t);
}
EACH_ORDER(a_stream_ends_before_its_record)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = end_stream, .out = { OUT }, .count = 1 });
    sf_stream *others[4];
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &ends_early));
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } }));
    run_is(f, SF_ERROR_INVALID_HANDLE);
    destroy_is(f, SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    for (int i = 0; i < 4; i++) { CHECK_OK(sf_stream_create(device, NULL, &others[i])); }
    for (int i = 0; i < 4; i++) { CHECK_OK(sf_stream_destroy(others[i])); }
}
/* From the first compute to the last: no events, streams or memory, also with a sink that no output's size
   gives away. */
static sf_counters whole[2];
static sf_result first_look(sf_context *ctx)
{
    return (void)ctx, sf_device_get_counters(device, &whole[0]), SF_OK;
}
static sf_result last_look(sf_context *ctx)
{
    return (void)ctx, sf_device_get_counters(device, &whole[1]), SF_OK;
}
EACH_ORDER(nothing_is_created_after_start)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f,
        &(sf_op_desc){ .compute = source, .user = &ids[1], .out = { OUT }, .count = 40, .stop = last_look });
    sf_op b = sf_flow_add(f,
                     &(sf_op_desc){ .compute = forward, .in = { IN("in") }, .out = { { .name = "out" } } }),
          c = add_sink(f, 2);
    sf_op d = sf_flow_add(f, &(sf_op_desc){ .compute = keep_streams,
                                       .user = &ids[3],
                                       .in = { { .name = "in", .capacity = 5 } },
                                       .start = first_look });
    touches = false;
    connect(f, a, b);
    connect(f, a, c);
    connect(f, b, d);
    run_is(f, SF_OK);
    CHECK(whole[1].event_records > whole[0].event_records);
    CHECK_EQUAL(whole[1].event_creates, whole[0].event_creates);
    CHECK_EQUAL(whole[1].stream_creates, whole[0].stream_creates);
    CHECK_EQUAL(whole[1].allocations, whole[0].allocations);
    destroy(f);
}
static sf_result use_stream(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    log_on(sf_compute_stream(ctx), 0);
    return SF_OK;
}
EACH_ORDER(nothing_is_created_for_values_either) /* operators whose ports say nothing of GPU work */
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 8, .stop = last_look });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = use_stream, .in = { IN("in") }, .start = first_look });
    word = (uint32_t *)test_memory(device, 64 * 4);
    order_log = NULL;
    connect(f, a, b);
    run_is(f, SF_OK);
    CHECK_EQUAL(word[0], 8);
    CHECK_EQUAL(whole[1].event_creates, whole[0].event_creates);
    CHECK_EQUAL(whole[1].stream_creates, whole[0].stream_creates);
    destroy(f);
    CHECK_OK(sf_mem_free(device, word));
}

/* -- values of operators that have work on the GPU -- */

enum { RELAYS = 6, RELAYED = 8 };
enum { BY_PORT = 1, ADOPTS = 2, EMITS_FIRST = 4, TWO_SINKS = 8, RELAY_KINDS = 16 };
typedef struct relay { int id, how; uint32_t *frames; } relay;               /* frames: of WORDS each */
/* Where its work is, is the value. By the port it asks for its stream on the long way, else on the quick one. */
static sf_result run_relay(sf_context *ctx)
{
    const relay *me = (const relay *)ctx->user;
    uint32_t *to = me->frames + WORDS * ctx->run, *from = NULL;
    bool last = me->id == RELAYS - 1;
    sf_stream *s;
    if (me->id) { from = (uint32_t *)sf_receive_value(ctx, 0).ptr; }
    if (me->how & EMITS_FIRST && !last) { sf_emit_value(ctx, 0, (sf_value){ .ptr = to }); }
    s = me->id && me->how & BY_PORT ? sf_receive_stream(ctx, 0, 0) : sf_compute_stream(ctx);
    note_down(me->id, handle(s));
    paint(s, to, from, NULL, me->id ? 1 : value_of(1, ctx->run), SPIN);
    if (last) { return probe(s, to, log_of((int)(ctx->op.id & 1), ctx->run), SPIN); }
    return me->how & EMITS_FIRST ? SF_OK : sf_emit_value(ctx, 0, (sf_value){ .ptr = to });
}
static void relay_values(int how, uint32_t workers)
{
    relay relays[RELAYS + 1];
    uint32_t *frames = (uint32_t *)test_memory(device, (RELAYS + 1) * RELAYED * BYTES);
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
    sf_op ops[RELAYS + 1];
    int count = how & TWO_SINKS ? RELAYS + 1 : RELAYS;
    for (int i = 0; i < count; i++) {
        sf_op_desc d = { .compute = run_relay, .user = &relays[i], .in = { IN("in") }, .out = { { .name = "out" } } };
        relays[i] = (relay){ i < RELAYS ? i : RELAYS - 1, how, frames + WORDS * RELAYED * (uint32_t)i };
        d.adopt_stream = how & ADOPTS && i % 4;              /* else on a stream of its own */
        if (!i) { d.count = RELAYED, d.in[0].name = NULL; }
        if (i >= RELAYS - 1) { d.out[0].name = NULL; }
        ops[i] = sf_flow_add(f, &d);
        if (i) { connect(f, ops[(i < RELAYS ? i : RELAYS - 1) - 1], ops[i]); }
    }
    run_is(f, SF_OK);
    for (int sink = RELAYS - 1; sink < count; sink++) {
        for (uint64_t k = 0; k < RELAYED; k++) {
            CHECK_PROBE(log_of((int)(ops[sink].id & 1), k), value_of(1, k) + RELAYS - 1);
        }
    }
    for (int i = 1; i < RELAYS && workers == 1; i++) {
        CHECK((noted(i, 0) == noted(i - 1, 0)) == (how & ADOPTS && i % 4));
        CHECK(noted(i, 0) != sf_stream_legacy(device));
    }
    destroy(f);
    CHECK_OK(sf_mem_free(device, frames));
}
EACH_ORDER(values_carry_the_stream_of_the_work_before_them)
{
    for (int how = 0; how < RELAY_KINDS; how++) {
        notes_clear();
        relay_values(how, 1);
    }
}
static void values_carry_it_between_workers(void **state)
{
    (void)state;
    device = open_device();
    logs = (uint32_t *)test_memory(device, 64 * 16 * PROBE * sizeof *logs);
    for (int how = 0; how < 2 * RELAY_KINDS; how++) {
        notes_clear();
        relay_values(how % RELAY_KINDS, 2 + (uint32_t)how / RELAY_KINDS);
    }
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}

/* -- no false waits -- */

/* The source runs ahead: its frame n + 1 waits for a gate that the consumer's work on frame n opens. */
static sf_result ahead_source(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    test_gate(s, gate, (uint32_t)ctx->run);
    return sf_emit(ctx, 0, painted(ctx, 0, s, value_of(1, ctx->run)));
}
static sf_result opening_sink(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    probe(s, t->data, log_of(3, ctx->run), 0);
    return test_lift(s, gate, (uint32_t)ctx->run + 1);
}
static void run_ahead(bool forwarder, bool adopt)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f,
                     &(sf_op_desc){
                         .name = "a", .compute = ahead_source, .out = { OUT }, .count = 12, .priority = -1 }),
          b;
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c",
                                       .compute = opening_sink,
                                       .in = { { .name = "in", .capacity = 5 } },
                                       .priority = 1 });
    touches = false;
    memset(logs, 0, (64 * 16 * PROBE + 1) * sizeof *logs);
    if (forwarder) {
        b = sf_flow_add(f, &(sf_op_desc){ .name = "b",
                                     .compute = forward,
                                     .in = { { .name = "in", .capacity = 3 } },
                                     .out = { { .name = "out" } },
                                     .adopt_stream = adopt });
        connect(f, a, b);
        connect(f, b, c);
    } else {
        connect(f, a, c);
    }
    guarded_run_is(f, SF_OK, gate);
    for (uint32_t i = 0; i < 12; i++) { CHECK_PROBE(log_of(3, i), value_of(1, i)); }
    CHECK(edge_of(f, c, 0, 0).queued_high > 1);
    destroy(f);
}
static uint32_t *ahead_frames;
static sf_result ahead_value_source(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    uint32_t *to = ahead_frames + WORDS * ctx->run;
    if (ctx->user) { (void)sf_get_timestamp(ctx, 0); }       /* from here on no quick turn */
    test_gate(s, gate, (uint32_t)ctx->run);
    paint(s, to, NULL, NULL, value_of(1, ctx->run), SPIN);
    return sf_emit_value(ctx, 0, (sf_value){ .ptr = to });
}
static sf_result opening_value_sink(sf_context *ctx)
{
    const void *from = sf_receive_value(ctx, 0).ptr;
    sf_stream *s = sf_compute_stream(ctx);
    probe(s, from, log_of(3, ctx->run), 0);
    return test_lift(s, gate, (uint32_t)ctx->run + 1);
}
EACH_ORDER(no_wait_for_later_work_behind_a_value)
{
    ahead_frames = (uint32_t *)test_memory(device, 12 * BYTES);
    for (int quick = 0; quick < 2; quick++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = ahead_value_source, .user = quick ? NULL
                                                : &ids[1],
                                           .out = { { .name = "out" } }, .count = 12, .priority = -1 });
        sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = opening_value_sink, .priority = 1,
                                           .in = { { .name = "in", .capacity = 5 } } });
        memset(logs, 0, (64 * 16 * PROBE + 1) * sizeof *logs);
        connect(f, a, c);
        guarded_run_is(f, SF_OK, gate);
        for (uint32_t i = 0; i < 12; i++) { CHECK_PROBE(log_of(3, i), value_of(1, i)); }
        CHECK(edge_of(f, c, 0, 0).queued_high > 1);
        destroy(f);
    }
    CHECK_OK(sf_mem_free(device, ahead_frames));
}
EACH_ORDER(no_wait_for_the_producer_s_later_work) { run_ahead(false, false); }
EACH_ORDER(no_wait_for_later_work_through_a_forwarder) { run_ahead(true, false); }
EACH_ORDER(no_wait_for_later_work_through_an_adopting_forwarder) { run_ahead(true, true); }

/* A block comes back when its users' work of then is done, not what they have enqueued since: the
   consumer's frame n + 1 waits for what the source paints into the block of frame n. */
static sf_result late_source(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    sf_tensor *t = painted(ctx, 0, s, value_of(1, ctx->run));
    if (ctx->run >= 2) { test_lift(s, gate, (uint32_t)ctx->run - 1); }
    return sf_emit(ctx, 0, t);
}
static sf_result late_sink(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    if (ctx->run >= 1 && ctx->run < 10) { test_gate(s, gate, (uint32_t)ctx->run); }
    return probe(s, t->data, log_of(3, ctx->run), SPIN);
}
EACH_ORDER(no_wait_for_a_user_s_later_work)
{
    sf_flow *f = flow_on(device);
    sf_mem_pool *pool;
    sf_op a, b;
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 2 }, &pool));
    a = sf_flow_add(f, &(sf_op_desc){ .compute = late_source,
                                 .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                 .count = 12,
                                 .priority = 1 });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = late_sink, .in = { IN("in") }, .priority = -1 });
    connect(f, a, b);
    guarded_run_is(f, SF_OK, gate);
    for (uint32_t i = 0; i < 12; i++) { CHECK_PROBE(log_of(3, i), value_of(1, i)); }
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}

/* -- the condition that the GPU is done -- */

static sf_result cpu_sink(sf_context *ctx)                   /* looks with the CPU, at two of each port */
{
    for (int i = 0; i < 4; i++) {
        const uint32_t *d;
        if (!sf_available(ctx, i / 2)) { continue; }
        d = (const uint32_t *)sf_receive(ctx, i / 2)->data;
        note_down(10 + i / 2, d[0] == d[WORDS - 1] ? (long long)d[0] : -1);
    }
    return SF_OK;
}
EACH_ORDER(stream_condition)                                 /* for every message that is queued */
{
    sf_flow *f = flow_on(device);
    sf_port pinned = { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED };
    sf_op c = sf_flow_add(
        f, &(sf_op_desc){ .name = "cpu",
                          .compute = cpu_sink,
                          .in = { { .name = "x", .capacity = 4, .batch = 2 }, { .name = "y", .many = true } },
                          .when = { { .kind = SF_CONDITION_STREAM } } });
    for (int i = 1; i < 4; i++) {
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = source,
                                           .user = &ids[i],
                                           .out = { pinned },
                                           .count = i == 1 ? 40 : 20,
                                           .priority = -1 });
        to_port(f, a, c, i == 1 ? "x" : "y");
    }
    guarded_run_is(f, SF_OK, NULL);
    {
        long long x[64], y[64];
        CHECK_EQUAL(notes_of(10, x, 64), 40);
        CHECK_EQUAL(notes_of(11, y, 64), 40);
        for (uint32_t i = 0; i < 40; i++) {
            CHECK_EQUAL(x[i], value_of(1, i));
            CHECK_EQUAL(y[i], value_of(i & 1 ? 3 : 2, i / 2));
        }
    }
    destroy(f);
}
EACH_ORDER(stream_condition_without_gpu_work)                /* is met at once */
{
    for (int optional = 0; optional < 2; optional++) {       /* an empty queue meets nothing */
        sf_flow *f = flow_on(device);
        notes_clear();
        sf_op sink = sf_flow_add(f, &(sf_op_desc){ .compute = keep_values, .user = &ids[0], .priority = -1,
                                              .in = { { .name = "in", .optional = optional } },
                                              .when = { { .kind = SF_CONDITION_STREAM } } });
        connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 5 }),
                sink);
        guarded_run_is(f, SF_OK, NULL);
        CHECK_NOTES(0, 1, 2, 3, 4, 5);
        CHECK(runs_of(f, sink) <= 5);
        destroy(f);
    }
}
/* -- ... and receives what it is done with, and no more -- */

/* A reader on the CPU: receives all that is there, at least `least` at a time, and checks the contents. */
typedef struct reader_of { uint32_t next, computes, wrong, least; bool drops; } reader_of;
static reader_of scout, held;
static sf_result read_what_is_there(sf_context *ctx)
{
    reader_of *r = (reader_of *)ctx->user;
    uint32_t n = 0, next = test_load(&r->next), least = test_load(&r->least);
    while (n % least || sf_available(ctx, 0) >= (int)least) {
        const uint32_t *d = (const uint32_t *)sf_receive(ctx, 0)->data;
        bool right = r->drops ? d[0] >= value_of(1, next) : d[0] == value_of(1, next + n);
        for (uint32_t i = 1; i < WORDS; i++) { right = right && d[i] == d[0]; }
        if (r->drops) { next = d[0] - value_of(1, 0); }
        r->wrong += !right;
        n++;
    }
    if (r == &held) { note_down(10, n); }
    test_add(&r->computes, 1);
    test_store(&r->next, r->drops ? next : next + n);
    return SF_OK;
}
enum { GATED = 6, UNTIL_FINISH = 0 };
/* A source whose message i is done when the gate is at i + 1, and two readers. */
static sf_op gated;
static uint16_t held_batch = 1;
static sf_flow *gated_flow(int32_t workers, uint64_t count, const sf_condition *when, uint16_t capacity, sf_op *reader)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
    sf_op_desc d = { .name = "held", .compute = read_what_is_there, .user = &held,
                     .in = { { .name = "in", .capacity = capacity, .batch = held_batch } } };
    gated = sf_flow_add(f, &(sf_op_desc){ .compute = gated_source, .user = &ids[1], .count = count,
                                          .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
    notes_clear();
    memset(&scout, 0, sizeof scout);
    memset(&held, 0, sizeof held);
    scout.least = held.least = 1;
    test_store(gate, 0);
    memcpy(d.when, when, 3 * sizeof *when);
    *reader = sf_flow_add(f, &d);
    connect(f, gated, *reader);
    connect(f, gated, sf_flow_add(f, &(sf_op_desc){ .name = "scout", .compute = read_what_is_there, .user = &scout,
                                                    .in = { { .name = "in", .capacity = GATED + 1 } },
                                                    .when = { { .kind = SF_CONDITION_STREAM } } }));
    CHECK_OK(sf_flow_start(f));
    return f;
}
static void gate_to(uint32_t to)                             /* the GPU is done with so many, and with no more */
{
    test_store(gate, to);
    until(&scout.next, to);
}
static void ends_right(sf_flow *f)
{
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_EQUAL(held.next, GATED);
    CHECK_EQUAL(held.wrong + scout.wrong, 0);
    destroy(f);
}
static void in_gated_flows(void (*body)(int32_t workers))    /* with 1 to 4 workers */
{
    device = open_device();
    logs = (uint32_t *)test_memory(device, (64 * 16 * PROBE + 1) * sizeof *logs);
    gate = logs + 64 * 16 * PROBE;
    for (int32_t workers = 1; workers <= 4; workers++) { body(workers); }
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}
/* The queues are never full, and something is always under way. */
static void the_finished_ones(int32_t workers)
{
    static const sf_condition when[3] = { { .kind = SF_CONDITION_SIGNAL }, { .kind = SF_CONDITION_STREAM } };
    static const uint32_t steps[] = { 1, 3, 4, 6 };
    sf_op reader;
    sf_flow *f = gated_flow(workers, GATED, when, workers & 1 ? GATED + 1 : 32, &reader);
    for (size_t i = 0; i < COUNT(steps); i++) {
        gate_to(steps[i]);
        CHECK_OK(sf_flow_signal(f, reader, 0, SF_READY));
        until(&held.next, steps[i]);
    }
    ends_right(f);
    CHECK_NOTES(10, 1, 2, 1, 2);
}
static void a_compute_gets_the_finished_ones(void **state) { (void)state, in_gated_flows(the_finished_ones); }

/* A batch, MESSAGES and EXPIRING count the finished ones; an expired one goes alone. */
static void counted_when_finished(int32_t workers)
{
    static const struct { uint16_t batch; sf_condition when[3]; } twos[] = {
        { 1, { { .kind = SF_CONDITION_MESSAGES, .count = 2 }, { .kind = SF_CONDITION_STREAM } } },
        { 1, { { .kind = SF_CONDITION_EXPIRING, .count = 2, .ns = INT64_MAX }, { .kind = SF_CONDITION_STREAM } } },
        { 2, { { .kind = SF_CONDITION_STREAM }, { .kind = SF_CONDITION_MESSAGES } } },
        { 2, { { .kind = SF_CONDITION_STREAM } } },
    };
    static const sf_condition soon[3] = { { .kind = SF_CONDITION_STREAM },
                                          { .kind = SF_CONDITION_EXPIRING, .count = GATED, .ns = SF_MS(1) } };
    sf_op reader;
    sf_flow *f;
    for (size_t k = 0; k < COUNT(twos); k++) {
        held_batch = twos[k].batch;
        f = gated_flow(workers, GATED, twos[k].when, GATED, &reader);
        held_batch = 1;
        gate_to(1);
        usleep(5000);
        CHECK_EQUAL(test_load(&held.computes), 0);           /* there are six, of which one is finished */
        gate_to(2);
        until(&held.next, 2);
        gate_to(3);
        usleep(5000);
        CHECK_EQUAL(test_load(&held.computes), 1);
        gate_to(4);
        until(&held.next, 4);
        gate_to(GATED);
        ends_right(f);
        CHECK_NOTES(10, 2, 2, 2);
    }
    f = gated_flow(workers, GATED, soon, GATED, &reader);
    for (uint32_t i = 1; i <= GATED; i++) {
        gate_to(i);
        until(&held.next, i);
    }
    ends_right(f);
    CHECK_NOTES(10, 1, 1, 1, 1, 1, 1);
}
static void conditions_count_the_finished_ones(void **state) { (void)state, in_gated_flows(counted_when_finished); }

/* What finishes is news to a reader that left what there was, and nothing else is; a condition that holds instead of
   STREAM does not hand out what is unfinished. */
static void as_if_not_there(int32_t workers)
{
    static const sf_condition stream[3] = { { .kind = SF_CONDITION_STREAM } };
    static const sf_condition either[3] = { { .kind = SF_CONDITION_STREAM, .any = 1 },
                                            { .kind = SF_CONDITION_TIME, .any = 1 } };
    sf_op reader;
    sf_flow *f = gated_flow(workers, GATED, stream, GATED, &reader);
    test_store(&held.least, 2);
    gate_to(1);
    until(&held.computes, 1);
    usleep(5000);
    CHECK_EQUAL(test_load(&held.computes), 1);
    CHECK_EQUAL(test_load(&held.next), 0);
    gate_to(2);
    until(&held.next, 2);
    gate_to(GATED);
    ends_right(f);
    f = gated_flow(workers, GATED, either, GATED, &reader);
    usleep(5000);
    CHECK_EQUAL(test_load(&held.computes), 0);
    gate_to(1);
    until(&held.next, 1);
    gate_to(GATED);
    ends_right(f);
}
static void the_unfinished_are_not_there(void **state) { (void)state, in_gated_flows(as_if_not_there); }

/* All that is there when the source ends, or sf_flow_finish() comes, is received. */
static void left_at_the_end(int32_t workers)
{
    static const sf_condition stream[3] = { { .kind = SF_CONDITION_STREAM } };
    sf_op reader;
    sf_flow *f = gated_flow(workers, UNTIL_FINISH, stream, 32, &reader);
    while (runs_of(f, gated) < 4) { usleep(100); }
    gate_to(1);
    CHECK_OK(sf_flow_finish(f));
    CHECK_IS(sf_flow_wait(f, SF_MS(5)), SF_TIMEOUT);
    gate_to(3);
    CHECK_IS(sf_flow_wait(f, SF_MS(5)), SF_TIMEOUT);
    test_store(gate, UINT32_MAX);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_EQUAL(held.next, runs_of(f, gated));
    CHECK_EQUAL(scout.next, runs_of(f, gated));
    CHECK_EQUAL(held.wrong + scout.wrong, 0);
    destroy(f);
    f = gated_flow(workers, GATED, stream, 32, &reader);
    while (runs_of(f, gated) < GATED) { usleep(100); }
    CHECK_IS(sf_flow_wait(f, SF_MS(5)), SF_TIMEOUT);
    test_store(gate, GATED);
    ends_right(f);
}
static void the_unfinished_are_not_lost(void **state) { (void)state, in_gated_flows(left_at_the_end); }

/* What an edge of a `many` input has left at its end, less than a batch, goes with a batch of the others, however long
   the GPU takes for it. */
static sf_result count_received(sf_context *ctx)
{
    uint32_t n = 0;
    while (sf_available(ctx, 0)) { n += sf_receive(ctx, 0) != NULL; }
    return note_down(10, n), SF_OK;
}
static void one_left(int32_t workers)
{
    const sf_port out = { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = gated_source, .user = &ids[1], .count = 1, .out = { out } });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = source, .user = &ids[2], .count = 2, .out = { out } });
    sf_op sink = sf_flow_add(f, &(sf_op_desc){ .compute = count_received,
                                               .in = { { .name = "in", .many = true, .batch = 2 } },
                                               .when = { { .kind = SF_CONDITION_STREAM } } });
    notes_clear();
    test_store(gate, 0);
    connect(f, a, sink);
    connect(f, b, sink);
    CHECK_OK(sf_flow_start(f));
    CHECK_IS(sf_flow_wait(f, SF_MS(20)), SF_TIMEOUT);
    CHECK_EQUAL(runs_of(f, sink), 0);
    test_store(gate, 1);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(10, 3);
    destroy(f);
}
static void the_last_of_an_edge_goes_along(void **state) { (void)state, in_gated_flows(one_left); }

/* Any delays, capacities, batches and workers: what is read is whole, in order, and all of it; on edges that drop,
   up to the last one. */
enum { READ_FRAMES = 40 };
static uint32_t read_seed;
static sf_result random_source(sf_context *ctx)
{
    rng r = rng_seed(1000 * (uint64_t)read_seed + 100 * (uint64_t)id_of(ctx) + ctx->run);
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, value_of(1, ctx->run), rng_below(&r, 2) * rng_below(&r, 20000));
    return sf_emit(ctx, 0, t);
}
static sf_result read_of_many(sf_context *ctx)               /* a message of each edge, in turns */
{
    reader_of *r = (reader_of *)ctx->user;
    uint32_t edges = r->least, n = 0;
    for (; sf_available(ctx, 0) > 0; n++) {
        const uint32_t *d = (const uint32_t *)sf_receive(ctx, 0)->data;
        r->wrong += d[0] != value_of(1, r->next + n / edges) || d[WORDS - 1] != d[0];
    }
    r->wrong += n % edges != 0;
    r->next += n / edges;
    return SF_OK;
}
static void random_readers(uint32_t seed, uint32_t order)
{
    rng r = rng_seed(seed);
    static reader_of readers[3];
    static const uint8_t overflows[] = { SF_OVERFLOW_BLOCK, SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_LATEST };
    sf_flow *f;
    sf_op a[2], many;
    uint32_t edges = 1 + rng_below(&r, 2);
    read_seed = seed;
    if (!on_cuda()) { device = open_order(order, seed); }
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = (int)(1 + rng_below(&r, 4)) } } });
    for (uint32_t i = 0; i < edges; i++) {
        a[i] = sf_flow_add(f, &(sf_op_desc){ .compute = random_source, .user = &ids[i + 1], .count = READ_FRAMES,
                                             .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
    }
    for (int i = 0; i < 3; i++) {
        uint16_t batch = (uint16_t)(overflows[i] == SF_OVERFLOW_BLOCK ? 1 + rng_below(&r, 2) : 1);
        sf_op_desc d = { .compute = read_what_is_there, .user = &readers[i],
                         .in = { { .name = "in", .capacity = (uint16_t)(batch + rng_below(&r, 33 - batch)),
                                   .batch = batch } },
                         .when = { { .kind = SF_CONDITION_STREAM } }, .region = i == 0 && rng_below(&r, 4) == 0 };
        memset(&readers[i], 0, sizeof readers[i]);
        readers[i].drops = i > 0;
        readers[i].least = batch;
        if (i == 0 && rng_below(&r, 2)) {
            d.when[1] = (sf_condition){ .kind = SF_CONDITION_EXPIRING, .count = d.in[0].capacity, .ns = SF_US(200) };
        }
        CHECK_OK(sf_flow_connect(f, a[0], NULL, sf_flow_add(f, &d), NULL,
                                 &(sf_edge_desc){ .overflow = (sf_overflow)overflows[i] }));
    }
    memset(&held, 0, sizeof held);
    held.least = edges;
    many = sf_flow_add(f, &(sf_op_desc){ .compute = read_of_many, .user = &held,
                                         .in = { { .name = "in", .many = true,
                                                   .capacity = (uint16_t)(1 + rng_below(&r, 32)) } },
                                         .when = { { .kind = SF_CONDITION_STREAM } } });
    for (uint32_t i = 0; i < edges; i++) { connect(f, a[i], many); }
    guarded_run_is(f, SF_OK, NULL);
    for (int i = 0; i < 3; i++) {
        if (readers[i].wrong || readers[i].next != (i ? READ_FRAMES - 1 : READ_FRAMES)) {
            fail_msg("seed %u, order %u, reader %d: %u wrong, up to %u", seed, order, i, readers[i].wrong,
                     readers[i].next);
        }
    }
    if (held.wrong || held.next != READ_FRAMES) {
        fail_msg("seed %u, order %u: of many, %u wrong, up to %u", seed, order, held.wrong, held.next);
    }
    destroy(f);
    if (!on_cuda()) { test_close(device); }
}
static void any_reader_on_the_cpu(void **state)
{
    (void)state;
    if (on_cuda()) { device = open_device(); }
    FOR_SEEDS(i, test_seeds_of(test_seeds() / 20 + 1, test_seeds() / 20 + 1)) { random_readers((uint32_t)i, on_cuda() ? 0 : (uint32_t)i % order_count()); }
    if (on_cuda()) { test_close(device); }
}

/* -- ... by wake-ups, and faults -- */

static sf_result quick_source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, (uint32_t)ctx->run, ctx->run % 7 * 200);
    return sf_emit(ctx, 0, t);
}
static sf_result check_sink(sf_context *ctx)                 /* both sinks count what is wrong */
{
    const uint32_t *d = (const uint32_t *)sf_receive(ctx, 0)->data;
    if (d[0] != (uint32_t)ctx->run || d[WORDS - 1] != (uint32_t)ctx->run) {
        note_down(0, (long long)ctx->run);
    }
    return SF_OK;
}
static void no_wake_up_is_lost(void **state)
{
    enum { MANY = 4000 };
    sf_flow *f;
    sf_op a, b[3];
    (void)state;
    notes_clear();
    device = open_device();
    f = sf_flow_create(
        &(sf_flow_desc){ .device = device, .workers = { { .spin = -1 } } }); /* sleeps at once */
    a = sf_flow_add(f, &(sf_op_desc){ .compute = quick_source,
                                 .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } },
                                 .count = MANY });
    for (int i = 0; i < 3; i++) {
        b[i] = sf_flow_add(f, &(sf_op_desc){ .compute = check_sink,
                                        .in = { { .name = "in", .capacity = (uint16_t)(1 + i) } },
                                        .when = { { .kind = SF_CONDITION_STREAM } } });
        connect(f, a, b[i]);
    }
    guarded_run_is(f, SF_OK, NULL);
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(runs_of(f, b[i]), MANY); }
    CHECK_EQUAL(note_count, 0);
    destroy(f);
    test_close(device);
}
static void one_host_function_per_stream(void **state) /* however many messages and operators wait for it */
{
    sf_flow *f;
    sf_op a, b = { 0 };
    sf_counters before, after;
    (void)state;
    notes_clear();
    device = open_device();
    logs = (uint32_t *)test_memory(device, (64 * 16 * PROBE + 1) * sizeof *logs);
    gate = logs + 64 * 16 * PROBE;
    f = flow_on(device);
    a = sf_flow_add(f, &(sf_op_desc){ .compute = gated_source, .user = &ids[1], .count = 16,
                                 .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
    for (int i = 0; i < 3; i++) {
        b = sf_flow_add(
            f, &(sf_op_desc){ .compute = cpu_sink,
                              .in = { { .name = "x", .capacity = 16 }, { .name = "y", .optional = true } },
                              .when = { { .kind = SF_CONDITION_STREAM } } });
        to_port(f, a, b, "x");
    }
    CHECK_OK(sf_device_get_counters(device, &before));
    CHECK_OK(sf_flow_start(f));
    while (runs_of(f, a) < 16) { usleep(100); }
    usleep(20000); /* time to launch more than one, if it wants to */
    CHECK_OK(sf_device_get_counters(device, &after));
    test_store(gate, 100);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK(after.host_functions - before.host_functions <= 1);
    CHECK_EQUAL(notes_of(10, NULL, 0), 48);
    destroy(f);
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}
static sf_result faulty_source(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    sf_tensor *t = painted(ctx, 0, s, 1);
    if (ctx->run == 3) { sf_launch(s, &trap_kernel, NULL, 0); }
    return sf_emit(ctx, 0, t);
}
static int a_fault(uint32_t o) /* 0: the flow ends with it, says so, and does not hang */
{
    sf_flow *f;
    sf_op a, b;
    sf_result r;
    device = open_order(o, 3);
    f = flow_on(device);
    a = sf_flow_add(f, &(sf_op_desc){ .name = "faulty", .compute = faulty_source, .count = 50,
                                 .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "cpu",
                                 .compute = take_tensor,
                                 .in = { IN("in") },
                                 .when = { { .kind = SF_CONDITION_STREAM } } });
    sf_flow_connect(f, a, NULL, b, NULL, NULL);
    r = sf_flow_start(f);
    if (r == SF_OK) { r = sf_flow_wait(f, GUARD / 4); }
    if (r >= 0 || (!on_cuda() && r != SF_ERROR_LAUNCH_FAILED) || runs_of(f, b) > 4 ||
        sf_flow_failure(f)->result != r || sf_flow_destroy(f) != r) {
        fprintf(stderr, "the run is %d, %s\n", (int)r, sf_result_string(r));
        return 1;
    }
    sf_device_close(device, GUARD);
    return 0;
}
static const char *program;
static void a_fault_is_no_hang(void **state)
{
    (void)state;
    if (on_cuda()) {                                         /* the context does not survive it: in a child */
        char command[512];
        snprintf(command, sizeof command, "'%s' --backend cuda --fault", program);
        CHECK_EQUAL(system(command), 0);
        return;
    }
    for (uint32_t o = 0; o < order_count(); o++) { CHECK_EQUAL(a_fault(o), 0); }
}

/* -- pushed -- */

/* Frames that computes of one flow push into another: each way to come by a tensor, work on it and push it. */
enum { PUSH_CREATED, PUSH_WRAPPED, PUSH_CHANGED, PUSH_PASSED_ON, PUSH_HELD, PUSH_WAYS, PUSHED_FRAMES = 10 };
static struct { sf_flow *flow; sf_op op; int way; bool by_cpu, steps, done; uint32_t *data; sf_tensor *held; } express;
static void push_step(void)                                  /* runs the other flow as far as it goes */
{
    sf_result r = express.steps && !express.done ? SF_OK : SF_IDLE;
    while (r == SF_OK) { r = sf_flow_step(express.flow, NULL); }
    express.done = express.done || r == SF_DONE;
}
static sf_result push_out(sf_tensor *t)
{
    sf_result r = sf_flow_push(express.flow, express.op, 0, t);
    for (int64_t end = sf_flow_now(NULL) + GUARD; r == SF_BUSY && sf_flow_now(NULL) < end;) {
        if (express.steps) { push_step(); } else { usleep(100); }
        r = sf_flow_push(express.flow, express.op, 0, t);
    }
    push_step();
    return r;
}
static sf_result pushing_source(sf_context *ctx)
{
    uint32_t *data = express.data + WORDS * ctx->run;
    sf_stream *s = sf_compute_stream(ctx);
    sf_tensor *t = express.way == PUSH_CREATED
                       ? sf_tensor_retain(sf_tensor_create(ctx, 0, NULL))
                       : sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS }, .data = data,
                                                                      .memory = SF_MEMORY_PINNED });
    paint(s, t->data, NULL, NULL, value_of(1, ctx->run), 4 * SPIN);
    return push_out(t);
}
static sf_result forwarding_pusher(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_retain(sf_receive(ctx, 0));
    if (express.way == PUSH_HELD) {          /* the one before this */
        sf_tensor *held = express.held;
        express.held = t;
        if (!held) { return SF_OK; }
        t = held;
    }
    if (express.way != PUSH_PASSED_ON) {
        paint(sf_compute_stream(ctx), t->data, (uint32_t *)t->data, NULL, 500, 4 * SPIN);
    }
    return push_out(t);
}
static sf_result pushed_sink(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    uint32_t *log = log_of(1, ctx->run), *word = (uint32_t *)t->data;
    if (!express.by_cpu) { return probe(sf_compute_stream(ctx), t->data, log, 4 * SPIN); }
    log[0] = word[0], log[1] = word[0] != word[WORDS - 1], log[2] = 1;
    return SF_OK;
}
static void add_pushed_sink(sf_device *d, int32_t workers)
{
    sf_op_desc sink = { .name = "pushed to", .compute = pushed_sink, .count = PUSHED_FRAMES,
                        .in = { { .name = "in", .external = true, .capacity = 2 } } };
    if (express.by_cpu) { sink.when[0] = (sf_condition){ .kind = SF_CONDITION_STREAM }; }
    express.flow = sf_flow_create(&(sf_flow_desc){ .device = d, .workers = { { .count = workers } } });
    express.op = sf_flow_add(express.flow, &sink);
    express.done = false;
    memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
}
static void push_across(sf_device *other, int32_t workers)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } },
                                                 .deadlock_timeout = -1 });          /* the other one has the memory */
    bool source_pushes = express.way <= PUSH_WRAPPED;
    sf_mem_pool_desc blocks = { .memory = express.by_cpu ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE, .block_bytes = BYTES,
                                .blocks = express.by_cpu ? PUSHED_FRAMES + 2 : 3 };
    sf_port out = { .name = "out", .bytes = express.way == PUSH_WRAPPED ? 0 : BYTES };
    sf_mem_pool *pool = NULL;
    sf_op a;
    add_pushed_sink(other, workers);
    express.held = NULL;
    if (express.way != PUSH_WRAPPED) { CHECK_OK(sf_mem_pool_create(device, &blocks, &pool)); }
    out.pool = pool;
    a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = source_pushes ? pushing_source : source,
                                      .user = &ids[1],
                                 .out = { out }, .count = PUSHED_FRAMES + (express.way == PUSH_HELD) });
    if (!source_pushes) { connect(f, a, sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = forwarding_pusher,
                                                                 .in = { IN("in") } })); }
    CHECK_OK(express.steps ? sf_flow_check(express.flow, false, NULL, NULL) : sf_flow_start(express.flow));
    run_is(f, SF_OK);
    for (int64_t end = sf_flow_now(NULL) + GUARD; express.steps && !express.done && sf_flow_now(NULL) < end;) {
        push_step();
    }
    CHECK(express.steps ? express.done : sf_flow_wait(express.flow, GUARD) == SF_OK);
    for (uint32_t i = 0; i < PUSHED_FRAMES; i++) {
        CHECK_PROBE(log_of(1, i), value_of(1, i) + (express.way == PUSH_CHANGED || express.way == PUSH_HELD ? 500 : 0));
    }
    destroy(express.flow);
    sf_tensor_release(express.held);
    destroy(f);
    if (pool) { CHECK_OK(sf_mem_pool_destroy(pool)); }
}
static void push_each_way(sf_device *other, int32_t workers)
{
    express.data = (uint32_t *)test_memory(device, PUSHED_FRAMES * BYTES);
    for (int k = 0; k < 2 * PUSH_WAYS; k++) {
        express.way = k / 2;
        express.by_cpu = k & 1;
        push_across(other, workers);
    }
    CHECK_OK(sf_mem_free(device, express.data));
}
EACH_ORDER(pushed_behind_the_work_of_its_compute)            /* the other flow is stepped in between */
{
    express.steps = true;
    push_each_way(device, 0);
    express.steps = false;
}
static void in_two_flows_on_threads(void (*body)(sf_device *other, int32_t workers))
{
    device = open_device();
    logs = (uint32_t *)test_memory(device, (64 * 16 * PROBE + 1) * sizeof *logs);
    gate = logs + 64 * 16 * PROBE;
    for (int k = 0; k < 4; k++) {
        sf_device *other = k & 1 ? open_device() : device;
        body(other, k & 2);
        if (k & 1) { test_close(other); }
    }
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}
static void pushed_between_threads_and_devices(void **state)
{
    (void)state;
    in_two_flows_on_threads(push_each_way);
}

/* A thread enqueues on a stream of its own, names it, and goes on. What nobody looks at is released behind it, too. */
enum { PUSHED_TO_KERNELS, PUSHED_TO_THE_CPU, PUSHED_TO_NOBODY, PUSHED_AND_LEFT, PUSHED_TOS };
static void paint_over(void *data, void *user)
{
    for (uint32_t i = 0; i < WORDS; i++) { ((uint32_t *)data)[i] = 999; }
    (void)user;
}
static void *push_from_a_thread(void *stream)
{
    for (uint32_t i = 0; i < PUSHED_FRAMES; i++) {
        sf_stream *s = (sf_stream *)stream;
        sf_tensor *t = sf_tensor_wrap(express.flow, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS },
                                                                       .data = express.data + WORDS * i,
                                                                       .memory = SF_MEMORY_PINNED,
                                                                       .release = paint_over });
        sf_result r = paint(s, t->data, NULL, NULL, value_of(1, i), 4 * SPIN);
        if (r >= 0) { r = sf_flow_push_on(express.flow, express.op, 0, t, s); }
        while (r == SF_BUSY && express.way != PUSHED_AND_LEFT) {
            usleep(100);
            r = sf_flow_push_on(express.flow, express.op, 0, t, s);
        }
        if (r == SF_BUSY) { (void)sf_tensor_set_deallocation_stream(t, s); }
        if (r != SF_OK) { sf_tensor_release(t); }
        note_down(0, r);
    }
    return NULL;
}
static uint32_t painted_over(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < PUSHED_FRAMES * WORDS; i++) { n += ((volatile uint32_t *)express.data)[i] == 999; }
    return n;
}
static sf_result nobody(sf_context *ctx) { return (void)sf_receive(ctx, 0), SF_OK; }
static void push_behind_a_stream(sf_device *other, int32_t workers)
{
    sf_stream *s = test_stream(device);
    for (int way = 0; way < PUSHED_TOS; way++) {
        pthread_t thread;
        sf_op_desc sink = { .name = "pushed to", .compute = way < PUSHED_TO_NOBODY ? pushed_sink : nobody,
                            .count = PUSHED_FRAMES, .in = { { .name = "in", .external = true, .capacity = 2 } } };
        if (way == PUSHED_TO_THE_CPU) { sink.when[0] = (sf_condition){ .kind = SF_CONDITION_STREAM }; }
        if (way == PUSHED_AND_LEFT) { sink.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL }; }
        notes_clear();
        memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
        test_store(gate, 0);
        express.way = way;
        express.by_cpu = way == PUSHED_TO_THE_CPU;
        express.data = (uint32_t *)test_memory(device, PUSHED_FRAMES * BYTES);
        express.flow = sf_flow_create(&(sf_flow_desc){ .device = other, .workers = { { .count = workers } } });
        express.op = sf_flow_add(express.flow, &sink);
        CHECK_OK(sf_flow_start(express.flow));
        if (way == PUSHED_AND_LEFT) { CHECK_OK(test_gate(s, gate, 1)); }
        CHECK(!pthread_create(&thread, NULL, push_from_a_thread, s));
        CHECK(!pthread_join(thread, NULL));
        if (way == PUSHED_AND_LEFT) {
            CHECK_NOTES(0, SF_OK, SF_OK, SF_BUSY, SF_BUSY, SF_BUSY, SF_BUSY, SF_BUSY, SF_BUSY, SF_BUSY, SF_BUSY);
            CHECK_OK(sf_flow_stop(express.flow));
            CHECK_OK(sf_flow_wait(express.flow, GUARD));
            CHECK_EQUAL(painted_over(), 0);
            test_store(gate, 1);
        } else {
            CHECK_NOTES(0, SF_OK, SF_OK, SF_OK, SF_OK, SF_OK, SF_OK, SF_OK, SF_OK, SF_OK, SF_OK);
            CHECK_OK(sf_flow_wait(express.flow, GUARD));
        }
        for (uint32_t i = 0; i < PUSHED_FRAMES && way < PUSHED_TO_NOBODY; i++) {
            CHECK_PROBE(log_of(1, i), value_of(1, i));
        }
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        destroy(express.flow);
        CHECK_EQUAL(painted_over(), PUSHED_FRAMES * WORDS);  /* once the GPU was done, and not before */
        CHECK_OK(sf_mem_free(device, express.data));
    }
    CHECK_OK(sf_stream_destroy(s));
}
static void pushed_behind_a_stream(void **state)
{
    (void)state;
    in_two_flows_on_threads(push_behind_a_stream);
}

/* What cannot be waited for is refused, with a sentence, and what costs something is counted. */
static sf_result push_in_a_region(sf_context *ctx)
{
    paint(sf_compute_stream(ctx), express.held->data, NULL, NULL, 1, 0);
    return note_down(1, sf_flow_push(express.flow, express.op, 0, express.held)), SF_OK;
}
static void push_in_a_host_function(void *stream)
{
    note_down(2, sf_flow_push_on(express.flow, express.op, 0, express.held, (sf_stream *)stream));
    note_down(3, sf_flow_push(express.flow, express.op, 0, express.held));
}
static void pushes_that_are_refused(void **state)
{
    sf_counters before, after;
    sf_stream *s, *gone;
    sf_graph *graph = NULL;
    sf_flow *f;
    (void)state;
    notes_clear();
    device = open_device();
    s = test_stream(device), gone = test_stream(device);
    express.data = (uint32_t *)test_memory(device, BYTES);
    express.flow = flow_on(device);
    express.op = sf_flow_add(express.flow, &(sf_op_desc){ .compute = take_tensor, .count = 2,
                                                     .in = { { .name = "in", .external = true, .capacity = 2 } } });
    CHECK_OK(sf_flow_check(express.flow, false, NULL, NULL));
    express.held = sf_tensor_wrap(express.flow, &(sf_tensor_desc){ .data = express.data, .shape = { BYTES },
                                                                   .memory = SF_MEMORY_PINNED });
    CHECK_OK(sf_stream_destroy(gone));
    CHECK_IS(sf_flow_push_on(express.flow, express.op, 0, express.held, gone), SF_ERROR_INVALID_HANDLE);
    CHECK(strstr(sf_device_failure(device)->text, "sf_flow_push_on") && strstr(sf_device_failure(device)->text,
            "destroyed"));
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
    CHECK_IS(sf_flow_push_on(express.flow, express.op, 0, express.held, s), SF_ERROR_CAPTURE_UNSUPPORTED);
    CHECK(strstr(sf_device_failure(device)->text, "sf_flow_push_on") && strstr(sf_device_failure(device)->text,
            "captures"));
    CHECK_OK(sf_stream_end_capture(s, &graph));              /* and not spoiled */
    CHECK_OK(sf_graph_destroy(graph));
    (void)sf_stream_take_failure(s);
    f = flow_on(device);                                     /* its work is launched when the compute is over */
    sf_flow_add(f, &(sf_op_desc){ .name = "member", .compute = push_in_a_region, .region = 3, .count = 1 });
    run_is(f, SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_flow_push") && strstr(sf_flow_failure(f)->text, "region 3"));
    destroy_is(f, SF_ERROR_NOT_SUPPORTED);
    CHECK_NOTES(1, SF_ERROR_NOT_SUPPORTED);
    CHECK_OK(sf_launch_host_func(s, push_in_a_host_function, s));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_NOTES(2, SF_ERROR_NOT_PERMITTED);
    CHECK_NOTES(3, SF_OK);                                   /* what is complete may come from there */
    sf_tensor_retain(express.held);
    CHECK_OK(sf_device_get_counters(device, &before));
    CHECK_OK(sf_flow_push_on(express.flow, express.op, 0, express.held, s));
    CHECK_IS(sf_flow_push_on(express.flow, express.op, 0, express.held, s), SF_BUSY);
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_EQUAL(after.event_records - before.event_records, 1);              /* none for what has no room */
    run_is(express.flow, SF_OK);
    destroy(express.flow);
    CHECK_OK(sf_stream_destroy(s));
    CHECK_OK(sf_mem_free(device, express.data));
    test_close(device);
}

/* What a stream gets behind the release of what was retained holds up nobody who uses that memory again. */
static sf_result release_before_a_gate(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    if (ctx->run == 0) { express.held = sf_tensor_retain(t); }
    if (ctx->run != 1) { return SF_OK; }
    probe(s, express.held->data, log_of(1, 0), SPIN);
    sf_tensor_release(express.held);
    return test_gate(s, gate, 1);
}
static sf_result open_at_the_third(sf_context *ctx)
{
    (void)sf_receive(ctx, 0);
    if (ctx->run == 2) { test_store(gate, 1); }
    return SF_OK;
}
static void no_wait_for_work_behind_a_release(void **state)
{
    sf_mem_pool *pool = NULL;
    sf_flow *f;
    sf_op a;
    (void)state;
    device = open_device();
    logs = (uint32_t *)test_memory(device, (64 * 16 * PROBE + 1) * sizeof *logs);
    gate = logs + 64 * 16 * PROBE;
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 2 }, &pool));
    f = flow_on(device);
    a = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = source, .user = &ids[1], .count = 3,
                                 .out = { { .name = "out", .bytes = BYTES, .pool = pool } } });
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = release_before_a_gate, .in = { IN("in") } }));
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = open_at_the_third, .in = { IN("in") },
                                           .when = { { .kind = SF_CONDITION_STREAM } } }));
    guarded_run_is(f, SF_OK, gate);
    CHECK_PROBE(log_of(1, 0), value_of(1, 0));
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}

/* -- the CPU reads what the GPU has not written -- */

/* Told once for each operator that may: with its name, its input and what to do. */
enum reader { READS, READS_LATE, READS_NO_WORK, HANDS_ON, RETAINS, USES_A_KERNEL, TAKES_A_STREAM, LISTS_STREAMS, WAITS, IN_REGION };
static const struct { enum reader how; uint8_t memory; const char *told; } readers[] = {
    { READS, SF_MEMORY_PINNED, "SF_CONDITION_STREAM" },     { READS_LATE, SF_MEMORY_PINNED, "SF_CONDITION_STREAM" },
    { READS, SF_MEMORY_DEVICE, "SF_MEMORY_DEVICE" },        { READS_NO_WORK, SF_MEMORY_DEVICE, "SF_MEMORY_DEVICE" },
    { READS_NO_WORK, SF_MEMORY_HOST, NULL },                { HANDS_ON, SF_MEMORY_DEVICE, NULL },
    { RETAINS, SF_MEMORY_PINNED, NULL },                    { USES_A_KERNEL, SF_MEMORY_DEVICE, NULL },
    { TAKES_A_STREAM, SF_MEMORY_PINNED, NULL },             { LISTS_STREAMS, SF_MEMORY_PINNED, NULL },
    { WAITS, SF_MEMORY_DEVICE, "SF_MEMORY_DEVICE" },
    { WAITS, SF_MEMORY_PINNED, NULL },                      { IN_REGION, SF_MEMORY_PINNED, NULL },
};
static struct { enum reader how; uint32_t warnings; char text[512]; sf_tensor *held; } reading;
static void count_warnings(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                           const char *file, void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    if (level != 2 || strstr(message, "\"writer\"")) { return; }  /* that one is told if it does no work */
    test_add(&reading.warnings, 1);
    snprintf(reading.text, sizeof reading.text, "%s", message);
}
static sf_result nothing_but_probe(sf_context *ctx)
{
    return probe(sf_compute_stream(ctx), sf_receive(ctx, 0)->data, log_of(2, ctx->run), 0);
}
static sf_result read_source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (reading.how != READS_NO_WORK) {
        if (reading.how != WAITS) { test_gate(sf_compute_stream(ctx), gate, (uint32_t)ctx->run + 1); }
        paint(sf_compute_stream(ctx), t->data, NULL, NULL, 7, 0);
        test_lift(sf_compute_stream(ctx), log_of(15, 0), (uint32_t)ctx->run + 1);
    }
    return sf_emit(ctx, 0, t);
}
static sf_result reader(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = NULL;
    sf_result r = SF_OK;
    if (reading.how == HANDS_ON) { r = sf_emit(ctx, 0, t); }
    if (reading.how == RETAINS) {
        sf_tensor_release(reading.held);
        reading.held = sf_tensor_retain(t);
    }
    if (reading.how == USES_A_KERNEL || reading.how == IN_REGION) {
        r = probe(sf_compute_stream(ctx), t->data, log_of(1, ctx->run), 0);
    }
    if (reading.how == TAKES_A_STREAM) { (void)sf_receive_stream(ctx, 0, 0); }
    if (reading.how == LISTS_STREAMS) { (void)sf_receive_streams(ctx, 0, &s, 1); }
    if (reading.how != READS || ctx->run) { test_store(gate, (uint32_t)ctx->run + 1); }
    if (reading.how == READS_LATE) {         /* it is done before the compute returns */
        until(log_of(15, 0), (uint32_t)ctx->run + 1);
        usleep(1000);
    }
    return r;
}
static void who_reads_too_early_is_told(void **state)
{
    (void)state;
    device = open_device();
    logs = (uint32_t *)test_memory(device, (64 * 16 * PROBE + 1) * sizeof *logs);
    gate = logs + 64 * 16 * PROBE;
    for (size_t i = 0; i < 2 * COUNT(readers); i++) {
        const uint8_t memory = readers[i / 2].memory;
        sf_op_desc d = { .name = "reader", .compute = reader, .in = { IN("frame") }, .out = { OUT } };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger.func = count_warnings,
                                                     .workers = { { .count = i & 1 ? 2 : 0 } } });
        sf_op a, b;
        memset(&reading, 0, sizeof reading);
        reading.how = readers[i / 2].how;
        test_store(gate, 0);
        test_store(log_of(15, 0), 0);
        if (reading.how == WAITS) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_STREAM }; }
        d.region = reading.how == IN_REGION;
        a = sf_flow_add(f, &(sf_op_desc){ .name = "writer", .compute = read_source, .count = 4,
                                     .out = { { .name = "out", .bytes = BYTES, .memory = memory } } });
        b = sf_flow_add(f, &d);
        connect(f, a, b);
        if (reading.how == HANDS_ON) {
            connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = nothing_but_probe, .in = { IN("in") } }));
        }
        guarded_run_is(f, SF_OK, gate);
        if (reading.warnings != (readers[i / 2].told != NULL) || (readers[i / 2].told &&
            (!strstr(reading.text, readers[i / 2].told) || !strstr(reading.text, "\"reader\"") ||
             !strstr(reading.text, "\"frame\"") || !strstr(reading.text, "SF_CONDITION_STREAM")))) {
            fail_msg("case %zu: %u warnings, the last one: %s", i / 2, reading.warnings, reading.text);
        }
        sf_tensor_release(reading.held);
        destroy(f);
    }
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}

static void device_memory_of_the_user_s_is_told(void **state)        /* wrapped: DEVICE is what it says by default */
{
    static uint32_t mine[WORDS];
    (void)state;
    device = open_device();
    for (int k = 0; k < 4; k++) {            /* behind a STREAM condition, too */
        sf_memory memory = k & 1 ? SF_MEMORY_HOST : SF_MEMORY_DEVICE;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger.func = count_warnings });
        sf_op a = sf_flow_add(f, &(sf_op_desc){
            .name = "reader", .compute = take_tensor, .in = { { .name = "frame", .external = true } },
            .when = { { .kind = k & 2 ? SF_CONDITION_STREAM : SF_CONDITION_NONE } } });
        memset(&reading, 0, sizeof reading);
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        CHECK_OK(sf_flow_push(f, a, 0, sf_tensor_wrap(f, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS },
                                                                            .data = mine, .memory = memory })));
        CHECK_OK(sf_flow_finish(f));
        run_is(f, SF_OK);
        CHECK_EQUAL(reading.warnings, memory == SF_MEMORY_DEVICE);
        CHECK(!reading.warnings || strstr(reading.text, "\"reader\" took no stream, and input \"frame\" received"));
        destroy(f);
    }
    test_close(device);
}

/* On one thread a query of an event runs commands: the look for unfinished work must not. The CPU reads what a memset
   has not written yet, in each order of a host device. */
static uint32_t early;                       /* computes that read old bytes */
static sf_result set_seven(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    memset(t->data, 0, t->bytes);
    (void)sf_memset_async(sf_compute_stream(ctx), t->data, 7, t->bytes);
    return sf_emit(ctx, 0, t);
}
static sf_result read_at_once(sf_context *ctx)
{
    early += *(const uint8_t *)sf_receive(ctx, 0)->data != 7;
    return SF_OK;
}
static void early_reads_in_every_order(void **state)
{
    (void)state;
    if (on_cuda()) { skip(); }
    for (sf_order order = SF_ORDER_FIRST_IN; order <= SF_ORDER_PCT; order++) {
        sf_flow *f;
        sf_op a, b;
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .host = { .order = order, .seed = 5 } },
                                &device));
        memset(&reading, 0, sizeof reading);
        early = 0;
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger.func = count_warnings });
        a = sf_flow_add(f, &(sf_op_desc){ .name = "writer", .compute = set_seven, .count = 3,
                                          .out = { { .name = "out", .bytes = 64, .memory = SF_MEMORY_PINNED } } });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = read_at_once, .in = { IN("frame") } });
        connect(f, a, b);
        CHECK_OK(sf_flow_run(f));
        CHECK_EQUAL(reading.warnings, 1);
        CHECK(strstr(reading.text, "\"reader\"") && strstr(reading.text, "SF_CONDITION_STREAM"));
        CHECK(early > 0);                    /* the look has not run the memset */
        destroy(f);
        CHECK_OK(sf_device_close(device, SF_FOREVER));
    }
}

/* A LATEST tensor stays, and is read on the writer's stream, and then on another one, which has to wait. */
static uint8_t *latest_reads, latest_value;
static sf_result write_once(sf_context *ctx)
{
    sf_tensor *t;
    if (ctx->run) { return SF_OK; }
    t = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(sf_memset_async(sf_compute_stream(ctx), t->data, latest_value, 64));
    return sf_emit(ctx, 0, t);
}
static sf_result read_again(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = ctx->run ? sf_compute_stream(ctx) : sf_receive_stream(ctx, 0, SF_STREAM_ADOPT);
    CHECK_OK(sf_memcpy_async(s, latest_reads + 64 * ctx->run, t->data, 64));
    return ctx->run == 2 ? SF_DONE : SF_OK;
}
static void a_latest_tensor_on_another_stream(void **state)
{
    (void)state;
    for (sf_order order = SF_ORDER_THREADS; order <= (on_cuda() ? SF_ORDER_THREADS : SF_ORDER_PCT); order++) {
        uint8_t want[192];
        sf_flow *f;
        sf_op a, b;
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = test_backend, .host = { .order = order, .seed = 5 } },
                                &device));
        memset(want, latest_value = (uint8_t)(42 + order), sizeof want);     /* the memory may be that of the last one */
        latest_reads = (uint8_t *)test_memory(device, sizeof want);
        f = sf_flow_create(&(sf_flow_desc){ .device = device });
        a = sf_flow_add(f, &(sf_op_desc){ .name = "writer", .compute = write_once, .count = 5,
                                          .out = { { .name = "out", .bytes = 64 } } });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = read_again, .in = { IN("frame") } });
        sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST });
        CHECK_OK(sf_flow_run(f));
        CHECK_OK(sf_device_synchronize(device, SF_FOREVER));
        CHECK_BYTES(latest_reads, want, sizeof want);
        destroy(f);
        CHECK_OK(sf_mem_free(device, latest_reads));
        CHECK_OK(sf_device_close(device, SF_FOREVER));
    }
}

/* A fault ends the run at once, but kernels of other streams go on: the end of the run waits for them, as it frees the
   memory that they write. */
static uint32_t slow_writes;
static int write_slowly(const sf_slice *slice, const void *args)
{
    uint32_t *words = *(uint32_t *const *)args;
    (void)slice;
    test_store(&slow_writes, 1);
    for (int i = 0; i < 50; i++) {
        usleep(2000);
        words[i % WORDS]++;
    }
    test_store(&slow_writes, 2);
    return 0;
}
static int fail_meanwhile(const sf_slice *slice, const void *args)
{
    (void)slice;
    (void)args;
    until(&slow_writes, 1);
    return SF_ERROR_LAUNCH_FAILED;
}
static sf_result launch_alone(sf_context *ctx)
{
    static const sf_kernel slow = { .name = "slow", .host = write_slowly }, bad = { .name = "bad", .host = fail_meanwhile };
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    CHECK(t && s);
    if (ctx->user) { return sf_launch(s, &slow, &t->data, sizeof t->data); }
    CHECK_OK(sf_launch(s, &bad, NULL, 0));
    while (sf_stream_query(s) == SF_NOT_READY) { usleep(100); }
    return SF_OK;
}
static void a_fault_waits_for_kernels(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* a fault of a GPU ends all its kernels */
    for (int i = 0; i < 5; i++) {
        sf_flow *f;
        device = open_device();
        slow_writes = 0;
        f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .compute = launch_alone, .user = f, .out = { OUT }, .count = 1 });
        sf_flow_add(f, &(sf_op_desc){ .compute = launch_alone, .out = { OUT }, .count = 1 });
        run_is(f, SF_ERROR_LAUNCH_FAILED);
        CHECK_EQUAL(test_load(&slow_writes), 2);
        destroy_is(f, SF_ERROR_LAUNCH_FAILED);
        CHECK_IS(sf_device_close(device, GUARD), SF_ERROR_LAUNCH_FAILED);
    }
}

/* Likewise while the run goes on, and behind its end: what a kernel uses stays until that has returned. */
enum { WRAPPED, UNBOUNDED, FLOWS_OWN, USERS_OWN, KEPT_WAYS };
static struct { int way; sf_stream *user; sf_mem_pool *pool; uint32_t released, early; } kept;
static void release_slow(void *data, void *user)
{
    (void)user;
    kept.released++;
    kept.early += test_load(&slow_writes) != 2;
    free(data);
}
static sf_result use_slowly(sf_context *ctx)                 /* nobody reads it, so it is given up at once */
{
    static const sf_kernel slow = { .name = "slow", .host = write_slowly };
    sf_stream *s = sf_compute_stream(ctx);
    sf_tensor *t = kept.way == WRAPPED
        ? sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .shape = { BYTES }, .data = calloc(1, BYTES),
                                                       .memory = SF_MEMORY_HOST, .release = release_slow })
        : sf_tensor_create(ctx, 0, NULL);
    CHECK(t && s);
    if (kept.way >= FLOWS_OWN) {             /* used by a stream that the flow does not know */
        CHECK_OK(sf_tensor_set_deallocation_stream(t, kept.user));
        s = kept.user;
    }
    CHECK_OK(sf_launch(s, &slow, &t->data, sizeof t->data));
    return sf_emit(ctx, 0, t);
}
static sf_result drop_it(sf_context *ctx) { return (void)sf_receive(ctx, 0), (void)sf_compute_stream(ctx), SF_OK; }
static void memory_stays_behind_a_fault(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (kept.way = 0; kept.way < KEPT_WAYS; kept.way++) {
        sf_mem_pool_desc d = { .kind = kept.way == UNBOUNDED ? SF_MEM_POOL_UNBOUNDED : SF_MEM_POOL_BLOCKS,
                               .memory = SF_MEMORY_PINNED, .block_bytes = BYTES, .blocks = kept.way == UNBOUNDED ? 0 : 2 };
        sf_flow *f;
        sf_op a, b;
        device = open_device();
        kept.user = test_stream(device);
        kept.pool = NULL;
        kept.released = kept.early = slow_writes = 0;
        if (kept.way == UNBOUNDED || kept.way == USERS_OWN) { CHECK_OK(sf_mem_pool_create(device, &d, &kept.pool)); }
        f = flow_on(device);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = use_slowly, .count = 1,
                                          .out = { { .name = "out", .bytes = kept.way == WRAPPED ? 0 : BYTES,
                                                     .memory = SF_MEMORY_PINNED, .pool = kept.pool } } });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = drop_it, .in = { { .name = "in" } } });
        connect(f, a, b);
        sf_flow_add(f, &(sf_op_desc){ .compute = launch_alone, .out = { OUT }, .count = 1 });
        sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .period = SF_MS(1), .count = 60 });   /* goes on */
        run_is(f, SF_ERROR_LAUNCH_FAILED);
        destroy_is(f, SF_ERROR_LAUNCH_FAILED);
        if (kept.pool) { CHECK_IS(sf_mem_pool_destroy(kept.pool), SF_ERROR_LAUNCH_FAILED); }
        CHECK_IS(sf_device_close(device, GUARD), SF_ERROR_LAUNCH_FAILED);
        CHECK_EQUAL(test_load(&slow_writes), 2);             /* else it wrote to memory that was free: ASan */
        CHECK_EQUAL(kept.released, kept.way == WRAPPED);
        CHECK_EQUAL(kept.early, 0);
    }
}

/* -- pools of streams -- */

static sf_result keep_stream_kind(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    uint32_t flags = 77;
    int32_t priority = 77;
    note_down(0, sf_stream_get_flags(s, &flags));
    note_down(0, flags);
    note_down(0, sf_stream_get_priority(s, &priority));
    note_down(1, priority);
    note_down(id_of(ctx), handle(s));
    return SF_OK;
}
static void pools_of_streams(void **state)
{
    sf_stream_pool *pool;
    sf_device_info info;
    sf_counters before, after;
    sf_flow *f;
    (void)state;
    device = open_device();
    CHECK_OK(sf_device_get_info(device, &info));
    for (int i = 0; i < 3; i++) { /* the default pool; non-blocking and urgent; blocking */
        sf_stream_pool_desc d = {
            .blocking = i == 2, .priority = i == 1 ? info.priority_greatest : 0, .reserved = 3, .max = 4
        };
        notes_clear();
        CHECK_OK(sf_device_get_counters(device, &before));
        CHECK_OK(sf_stream_pool_create(device, &d, &pool));
        CHECK_OK(sf_device_get_counters(device, &after));
        CHECK_EQUAL(after.stream_creates - before.stream_creates, 3);
        f = flow_on(device);
        for (int k = 2; k < 5; k++) {                        /* shared by three */
            sf_flow_add(f, &(sf_op_desc){ .compute = keep_stream_kind,
                                     .user = &ids[k],
                                     .streams = i ? pool : NULL,
                                     .count = 2 });
        }
        run_is(f, SF_OK);
        for (uint32_t k = 0; k < 6; k++) {
            CHECK_EQUAL(notes[5 * k].what, SF_OK);
            CHECK_EQUAL(notes[5 * k + 1].what, i == 2 ? SF_STREAM_DEFAULT : SF_STREAM_NON_BLOCKING);
            CHECK_EQUAL(notes[5 * k + 3].what, i == 1 ? info.priority_greatest : 0);
        }
        for (int k = 2; k < 5; k++) {
            CHECK(noted(k, 0) == noted(k, 1) && noted(k, 0));
            for (int n = 2; n < k; n++) { CHECK(noted(k, 0) != noted(n, 0)); }
        }
        if (i) {
            CHECK_OK(sf_device_get_counters(device, &before));
            CHECK(before.stream_creates - after.stream_creates <= 1);        /* never more than max in all */
        }
        destroy(f);
        CHECK_OK(sf_stream_pool_destroy(pool));
        CHECK_IS(sf_stream_pool_destroy(pool), SF_ERROR_INVALID_HANDLE);
    }
    CHECK_IS(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .max = -1 }, &pool),
             SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .reserved = -1 }, &pool),
             SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_pool_create(NULL, NULL, &pool), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_pool_create(device, NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_pool_destroy(NULL), SF_ERROR_INVALID_HANDLE);
    test_close(device);
}
static sf_stream_pool *busy_pool;
static sf_result destroy_pool(sf_context *ctx)
{
    (void)sf_compute_stream(ctx);
    return note_down(0, sf_stream_pool_destroy(busy_pool)), SF_OK;
}
static void a_pool_in_use_stays(void **state)
{
    sf_flow *f;
    (void)state;
    notes_clear();
    device = open_device();
    CHECK_OK(sf_stream_pool_create(device, NULL, &busy_pool));
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .streams = busy_pool });
    sf_flow_add(f, &(sf_op_desc){ .compute = destroy_pool, .count = 1 });
    run_is(f, SF_OK);
    CHECK_NOTES(0, SF_ERROR_ILLEGAL_STATE);
    destroy(f);
    CHECK_OK(sf_stream_pool_destroy(busy_pool));
    test_close(device);
}
/* Two flows take turns with the one stream of a pool: it comes back only when its work is done, and it
   does. */
EACH_ORDER(streams_come_back)
{
    sf_stream_pool *pool;
    CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .max = 2 }, &pool));
    for (int i = 0; i < 3; i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .streams = pool });
        notes_clear();
        connect(f, add_source(f, 1, source, 4), add_sink(f, 2));
        run_is(f, SF_OK);
        CHECK_OK(sf_stream_query(noted(1, 0)));
        for (uint32_t k = 0; k < 4; k++) { CHECK_PROBE(log_of(2, k), value_of(1, k)); }
        destroy(f);
    }
    CHECK_OK(sf_stream_pool_destroy(pool));
}

/* -- the caller's device -- */

typedef int (*current_func)(void **context);
static void *current_of_thread(void *arg)                    /* has no context before, and none afterwards */
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    current_func current = lib ? (current_func)(intptr_t)dlsym(lib, "cuCtxGetCurrent") : NULL;
    void *context = arg;
    sf_flow *f = (sf_flow *)arg;
    if (!current) { return (void *)(intptr_t)2; }
    if (current(&context) != 0 || context != NULL) { return (void *)(intptr_t)3; }
    if (sf_flow_run(f) != SF_OK) { return (void *)(intptr_t)4; }
    if (current(&context) != 0 || context != NULL) { return (void *)(intptr_t)5; }
    if (sf_flow_step(f, NULL) != SF_OK) { return (void *)(intptr_t)6; }      /* between two computes, too */
    if (current(&context) != 0 || context != NULL) { return (void *)(intptr_t)7; }
    return NULL;
}
static void the_caller_s_context_is_restored(void **state)
{
    sf_flow *f;
    pthread_t thread;
    void *got = &thread;
    (void)state;
    if (!on_cuda()) { return; }
    device = open_device();
    logs = (uint32_t *)test_memory(device, 64 * 16 * PROBE * sizeof *logs);
    f = flow_on(device);
    connect(f, add_source(f, 1, source, 4), add_sink(f, 2));
    CHECK_EQUAL(pthread_create(&thread, NULL, current_of_thread, f), 0);
    pthread_join(thread, &got);
    CHECK_EQUAL((intptr_t)got, 0);
    destroy(f);
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}

/* -- any graph -- */

enum { NODES = 7, FRAMES = 5 };
typedef enum node_kind {
    NODE_OWN, NODE_PORTS, NODE_ADOPT, NODE_SIDE, NODE_FORWARD, NODE_TOUCH, NODE_CPU, NODE_SINK, NODE_KINDS
} node_kind;
static const char *const node_names[] = {
    "own", "ports", "adopt", "side", "forward", "touch", "cpu", "sink"
};
typedef struct node {
    int id, inputs, from[3];
    node_kind kind;
    uint32_t add, spin;
} node;
static node nodes[NODES];
static uint32_t *node_log(int id, uint64_t run)
{
    return logs + PROBE * (FRAMES * (uint32_t)id + (uint32_t)run);
}
static uint32_t node_value(int id, uint32_t run)             /* the model */
{
    const node *n = &nodes[id];
    uint32_t v = n->add + (n->inputs ? 0 : run);
    if (n->kind == NODE_FORWARD || n->kind == NODE_TOUCH) { return node_value(n->from[0], run); }
    for (int i = 0; i < n->inputs; i++) { v += node_value(n->from[i], run); }
    return v;
}
static sf_result run_node(sf_context *ctx)
{
    const node *n = (const node *)ctx->user;
    sf_tensor *t[3] = { NULL, NULL, NULL }, *out;
    sf_stream *s = NULL;
    uint32_t add = n->add + (n->inputs ? 0 : (uint32_t)ctx->run), *log = node_log(n->id, ctx->run);
    for (int i = 0; i < n->inputs; i++) {
        t[i] = sf_receive(ctx, i);
        if (n->kind == NODE_PORTS || n->kind == NODE_ADOPT) { s = sf_receive_stream(ctx, i, 0); }
    }
    if (n->kind == NODE_FORWARD) { return sf_emit(ctx, 0, t[0]); }
    if (n->kind == NODE_CPU) {                               /* its condition says that the GPU is done */
        uint32_t *d;
        out = sf_tensor_create(ctx, 0, NULL);
        d = (uint32_t *)out->data;
        for (uint32_t w = 0; w < WORDS; w++) {
            d[w] = add;
            for (int i = 0; i < n->inputs; i++) { d[w] += ((const uint32_t *)t[i]->data)[w]; }
        }
        log[0] = d[0];
        log[2] = 1;
        return sf_emit(ctx, 0, out);
    }
    if (!s) { s = sf_compute_stream(ctx); }
    if (n->kind == NODE_SINK || n->kind == NODE_TOUCH) {
        for (int i = 0; i < n->inputs; i++) { probe(s, t[i]->data, log, n->spin); }
        return n->kind == NODE_TOUCH ? sf_emit(ctx, 0, t[0]) : SF_OK;
    }
    if (n->kind == NODE_SIDE) {
        sf_stream *side = sf_allocate_stream(ctx, "side");
        sf_synchronize_streams(ctx, &s, 1, side);
        sf_set_stream(ctx, 0, side);
        s = side;
    }
    out = sf_tensor_create(ctx, 0, NULL);
    paint(s, out->data, t[0] ? t[0]->data : NULL, t[1] ? t[1]->data : NULL, add, n->spin);
    if (t[2]) { paint(s, out->data, out->data, t[2]->data, 0, n->spin); }
    probe(s, out->data, log, n->spin);
    return sf_emit(ctx, 0, out);
}
static sf_mem_pool *random_pool(rng *r, bool pinned)         /* NULL: the port's own */
{
    sf_mem_pool_desc d = { .memory = pinned ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE, .block_bytes = BYTES };
    sf_mem_pool *pool = NULL;
    switch (rng_below(r, 4)) {
    case 0: return NULL;
    case 1: d.kind = pinned ? SF_MEM_POOL_UNBOUNDED : SF_MEM_POOL_ASYNC; break;
    case 2: d.kind = SF_MEM_POOL_UNBOUNDED; break;
    default: d.blocks = 1 + rng_below(r, 3);
    }
    CHECK_OK(sf_mem_pool_create(device, &d, &pool));
    return pool;
}
static void random_graph(uint64_t seed, uint32_t order, uint32_t spin)
{
    rng r = rng_seed(seed);
    sf_flow *f;
    sf_op ops[NODES];
    sf_mem_pool *pools[NODES];
    const int count = 3 + (int)rng_below(&r, NODES - 2);
    const bool pinned = rng_below(&r, 2);
    sf_result result;
    rng places = rng_seed(seed + 1);         /* of its own: graphs are what they were without partitions */
    if (!on_cuda()) { device = open_order(order, seed); } /* there, one for all seeds: opening takes long */
    if (!on_cuda() && seed % 4) { (void)test_split(device); }
    logs = (uint32_t *)test_memory(device, NODES * FRAMES * PROBE * sizeof *logs);
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .partition = test_random_partition(&places, device) });
    for (int i = 0; i < count; i++) {
        node *n = &nodes[i];
        sf_op_desc d = { .name = node_names[0], .compute = run_node, .user = n, .count = i ? 0 : FRAMES,
                         .partition = test_random_partition(&places, device) };
        *n = (node){ .id = i, .add = 1 + rng_below(&r, 1000), .spin = spin ? rng_below(&r, spin) : 0 };
        n->inputs = i ? 1 + (int)rng_below(&r, i < 2 ? 1 : i < 3 ? 2 : 3) : 0;
        n->kind = i ? (node_kind)rng_below(&r, NODE_KINDS) : NODE_OWN;
        if (n->kind == NODE_CPU && !pinned) { n->kind = NODE_PORTS; }
        if (n->kind == NODE_SINK && i + 1 < count) {
            n->kind = NODE_TOUCH;
        } /* or nobody listens to the rest */
        if (n->kind == NODE_FORWARD || n->kind == NODE_TOUCH) { n->inputs = 1; }
        d.name = node_names[n->kind];
        d.adopt_stream = n->kind == NODE_ADOPT;
        if (d.adopt_stream) { d.partition = NULL; }          /* it works in its sender's */
        if (n->kind == NODE_CPU) { d.when[0].kind = SF_CONDITION_STREAM; }
        for (int p = 0; p < n->inputs; p++) {
            static const char *const names[] = { "a", "b", "c" };
            d.in[p] = (sf_port){ .name = names[p], .capacity = (uint16_t)(1 + rng_below(&r, 3)) };
            n->from[p] = (int)rng_below(&r, (uint32_t)i);
        }
        pools[i] = NULL;
        if (n->kind != NODE_SINK) {
            d.out[0] = (sf_port){ .name = "out" };
            if (n->kind != NODE_FORWARD && n->kind != NODE_TOUCH) {
                pools[i] = random_pool(&r, pinned);
                d.out[0].bytes = BYTES;
                d.out[0].pool = pools[i];
                d.out[0].memory = pinned ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE;
            }
        }
        ops[i] = sf_flow_add(f, &d);
        for (int p = 0; p < n->inputs; p++) {
            CHECK_OK(sf_flow_connect(f, ops[n->from[p]], NULL, ops[i], d.in[p].name, NULL));
        }
    }
    result = sf_flow_run(f);
    if (result != SF_OK) {
        fail_msg("seed %llu, order %u: %s", (unsigned long long)seed, order, sf_flow_failure(f)->text);
    }
    for (int i = 0; i < count; i++) {
        for (uint32_t k = 0; k < FRAMES; k++) {
            const uint32_t *log = node_log(i, k);
            uint32_t want = node_value(i, k);
            if (nodes[i].kind == NODE_FORWARD) { continue; }
            if (nodes[i].kind == NODE_SINK) { want = node_value(nodes[i].from[nodes[i].inputs - 1], k); }
            if (log[0] != want || log[1] || !log[2]) {
                fail_msg("seed %llu, order %u, operator %d (%s), frame %u: %u with %u words torn, not %u",
                         (unsigned long long)seed, order, i, node_names[nodes[i].kind], k, log[0], log[1],
                         want);
            }
        }
    }
    destroy(f);
    for (int i = 0; i < count; i++) {
        if (pools[i]) { CHECK_OK(sf_mem_pool_destroy(pools[i])); }
    }
    CHECK_OK(sf_mem_free(device, logs));
    if (!on_cuda()) { test_close(device); }
}
static void any_graph_in_any_order(void **state)
{
    const uint32_t seeds = on_cuda() ? 0 : test_seeds();
    (void)state;
    FOR_SEEDS(i, seeds) { random_graph(i, 1 + i % 5, 0); }
}
static void any_graph_on_threads(void **state)               /* or on the GPU; slow kernels */
{
    const uint32_t seeds = test_seeds_of(test_seeds() / 20 + 1, 200);
    (void)state;
    if (on_cuda()) {
        device = open_device();
        (void)test_split(device);
    }
    FOR_SEEDS(i, seeds) { random_graph(1000000 + i, 0, i & 1 ? 5000 : 300); }
    if (on_cuda()) { test_close(device); }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(the_message_comes_before_its_stream),
        TEST(own_stream_same_for_all_ports),
        TEST(a_port_s_stream_waits_for_that_port),
        TEST(compute_stream_waits_for_all_received_so_far),
        TEST(adopted_streams_wait_port_by_port),
        TEST(adopts_the_first_stream_received),
        TEST(nothing_received_is_the_default_stream),
        TEST(sync_to_default),
        TEST(the_default_stream_is_left_alone),
        TEST(one_entry_per_message),
        TEST(allocated_streams_have_names),
        TEST(failures_name_allocated_streams),
        TEST(names_of_any_length_in_any_flow),
        TEST(allocation_fails),
        TEST(set_stream_is_for_one_port_and_one_compute),
        TEST(a_foreign_stream_may_be_set),
        TEST(calls_that_go_wrong),
        TEST(synchronize_streams),
        TEST(device_from_stream),
        TEST(an_operator_s_stream_is_its_pool_s),
        TEST(kept_beside_a_forwarder),
        TEST(kept_of_who_wraps),
        TEST(a_forwarded_message_carries_the_forwarder_s_stream),
        TEST(forwarded_on_another_stream),
        TEST(what_a_message_costs), TEST(a_pool_sees_waits_between_operators),
        TEST(a_stream_ends_before_its_record),
        TEST(nothing_is_created_after_start),
        TEST(nothing_is_created_for_values_either),
        TEST(values_carry_the_stream_of_the_work_before_them),
        TEST(values_carry_it_between_workers),
        TEST(no_wait_for_later_work_behind_a_value),
        TEST(no_wait_for_the_producer_s_later_work),
        TEST(no_wait_for_later_work_through_a_forwarder),
        TEST(no_wait_for_later_work_through_an_adopting_forwarder),
        TEST(no_wait_for_a_user_s_later_work),
        TEST(stream_condition),
        TEST(stream_condition_without_gpu_work),
        TEST(a_compute_gets_the_finished_ones),
        TEST(conditions_count_the_finished_ones),
        TEST(the_unfinished_are_not_there),
        TEST(the_unfinished_are_not_lost), TEST(the_last_of_an_edge_goes_along),
        TEST(any_reader_on_the_cpu),
        TEST(pushed_behind_the_work_of_its_compute),
        TEST(pushed_between_threads_and_devices),
        TEST(pushed_behind_a_stream),
        TEST(pushes_that_are_refused),
        TEST(no_wait_for_work_behind_a_release),
        TEST(who_reads_too_early_is_told), TEST(device_memory_of_the_user_s_is_told),
        TEST(early_reads_in_every_order),
        TEST(a_latest_tensor_on_another_stream),
        TEST(no_wake_up_is_lost),
        TEST(one_host_function_per_stream),
        TEST(a_fault_is_no_hang),
        TEST(a_fault_waits_for_kernels), TEST(memory_stays_behind_a_fault),
        TEST(pools_of_streams),
        TEST(a_pool_in_use_stays),
        TEST(streams_come_back),
        TEST(the_caller_s_context_is_restored),
        TEST(any_graph_in_any_order),
        TEST(any_graph_on_threads),
    };
    program = argv[0];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--fault")) {
            test_backend = SF_BACKEND_CUDA;
            return a_fault(0);
        }
    }
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("flow streams", tests, NULL, NULL);
}
