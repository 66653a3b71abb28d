/*  test_flow_memory.c - buffers of flows: who may reuse them when, what happens without memory, buffers
    that come from elsewhere or stay, and flows that live in memory handed in. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>

#include "../streamflow.h"
#include <cmocka.h>
#include "flow_test.h"
#include "hooks.h"

enum { SPIN = 3000 };
static sf_device *device;
static uint32_t *logs, *gate;
static uint32_t *log_of(int id, uint64_t run) { return logs + PROBE * (64 * (uint32_t)id + (uint32_t)run); }
static void open_with_logs(uint32_t order)
{
    notes_clear();
    device = open_order(order, 42);
    logs = (uint32_t *)test_memory(device, (64 * 16 * PROBE + 1) * sizeof *logs);
    gate = logs + 64 * 16 * PROBE;
}
static void close_with_logs(void)
{
    CHECK_OK(sf_mem_free(device, logs));
    test_close(device);
}
static void in_each_order(void (*body)(void))
{
    for (uint32_t o = 0; o < order_count(); o++) {
        open_with_logs(o);
        body();
        close_with_logs();
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

#define IN(n) { .name = n }
static sf_mem_pool *make_pool(const sf_mem_pool_desc *desc)
{
    sf_mem_pool *pool = NULL;
    CHECK_OK(sf_mem_pool_create(device, desc, &pool));
    return pool;
}
static size_t used(sf_mem_pool *pool)
{
    sf_mem_pool_info info;
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    return info.used;
}
static sf_result source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, SPIN);
    return sf_emit(ctx, 0, t);
}
static sf_result create_late(sf_context *ctx)                /* takes its stream first, then the memory */
{
    sf_stream *s = sf_compute_stream(ctx), *side = sf_allocate_stream(ctx, "side");
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(ctx->run & 1 ? side : s, t->data, NULL, NULL, 100 + (uint32_t)ctx->run, SPIN);
    if (ctx->run & 1) { sf_set_stream(ctx, 0, side); }
    return sf_emit(ctx, 0, t);
}
static sf_result write_by_cpu(sf_context *ctx) /* pinned: nobody is using it, so it may write at once */
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    for (int i = 0; i < WORDS && t->owner; i++) { ((uint32_t *)t->data)[i] = 100 + (uint32_t)ctx->run; }
    return sf_emit(ctx, 0, t);
}
static sf_result probe_sink(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    return probe(sf_compute_stream(ctx), t->data, log_of(id_of(ctx), ctx->run), SPIN * (uint32_t)id_of(ctx));
}
static sf_op add_sink(sf_flow *f, int id)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "sink",
                                    .compute = probe_sink,
                                    .user = &ids[id],
                                    .in = { { .name = "in", .capacity = 2 } } });
}
static void logs_are(int id, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) { CHECK_PROBE(log_of(id, i), 100 + i); }
}

/* -- reuse -- */

/* 40 frames through few blocks, three sinks on three streams, one of them slow: nobody paints over what one
   reads. */
static const struct pool_case { const char *name; sf_mem_pool_desc desc; bool own;
} pool_cases[] = {
    { "the port's own, device", { .memory = SF_MEMORY_DEVICE }, true },
    { "the port's own, pinned", { .memory = SF_MEMORY_PINNED }, true },
    { "one block, device", { .memory = SF_MEMORY_DEVICE, .block_bytes = BYTES, .blocks = 1 }, false },
    { "one block, pinned", { .memory = SF_MEMORY_PINNED, .block_bytes = BYTES, .blocks = 1 }, false },
    { "one block, managed", { .memory = SF_MEMORY_MANAGED, .block_bytes = BYTES, .blocks = 1 }, false },
    { "two large blocks, device",
      { .memory = SF_MEMORY_DEVICE, .block_bytes = BYTES + 100, .blocks = 2 },
      false },
    { "three blocks, pinned", { .memory = SF_MEMORY_PINNED, .block_bytes = BYTES, .blocks = 3 }, false },
    { "async", { .kind = SF_MEM_POOL_ASYNC }, false },
    { "async, limited", { .kind = SF_MEM_POOL_ASYNC, .max_bytes = 2 * BYTES }, false },
    { "async, limited, without waits",
      { .kind = SF_MEM_POOL_ASYNC, .max_bytes = 2 * BYTES, .no_internal_wait = true, .no_follow_event = true },
      false },
    { "async, with some to begin with", { .kind = SF_MEM_POOL_ASYNC, .initial_bytes = 4 * BYTES }, false },
    { "unbounded, device", { .kind = SF_MEM_POOL_UNBOUNDED, .memory = SF_MEMORY_DEVICE }, false },
    { "unbounded, pinned", { .kind = SF_MEM_POOL_UNBOUNDED, .memory = SF_MEMORY_PINNED }, false },
};
static void sinks_are_not_painted_over(sf_compute_func compute, bool by_cpu)
{
    for (size_t i = 0; i < COUNT(pool_cases); i++) {
        const struct pool_case *c = &pool_cases[i];
        sf_flow *f;
        sf_port out = { .name = "out", .bytes = BYTES, .memory = (uint8_t)c->desc.memory };
        sf_op a;
        if (by_cpu && c->desc.memory != SF_MEMORY_PINNED) { continue; }
        memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
        f = flow_on(device);
        out.pool = c->own ? NULL : make_pool(&c->desc);
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = compute, .out = { out }, .count = 40 });
        for (int k = 1; k <= 3; k++) { connect(f, a, add_sink(f, k)); }
        run_is(f, SF_OK);
        for (int k = 1; k <= 3; k++) {
            for (uint32_t n = 0; n < 40; n++) {
                const uint32_t *log = log_of(k, n);
                if (log[0] != 100 + n || log[1]) {
                    fail_msg("%s: sink %d, frame %u: %u, %u torn", c->name, k, n, log[0], log[1]);
                }
            }
        }
        if (out.pool) {
            CHECK_EQUAL(used(out.pool), 0);
            CHECK_OK(sf_mem_pool_destroy(out.pool));
        }
        destroy(f);
    }
}
EACH_ORDER(reuse_waits_for_every_reader) { sinks_are_not_painted_over(source, false); }
EACH_ORDER(reuse_on_streams_that_were_there_before) { sinks_are_not_painted_over(create_late, false); }
EACH_ORDER(the_cpu_may_write_at_once) { sinks_are_not_painted_over(write_by_cpu, true); }

/* Readers that hold a buffer beyond their own stream: through a forwarder, on a side stream, by a call. */
static sf_stream *foreign;
static sf_result forward(sf_context *ctx) { return sf_emit(ctx, 0, sf_receive(ctx, 0)); }
static sf_result side_sink(sf_context *ctx)                  /* reads on a stream of another name */
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx), *side = sf_allocate_stream(ctx, "side");
    sf_synchronize_streams(ctx, &s, 1, side);
    return probe(side, t->data, log_of(id_of(ctx), ctx->run), SPIN);
}
static sf_result foreign_sink(sf_context *ctx)               /* and says so */
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    sf_synchronize_streams(ctx, &s, 1, foreign);
    probe(foreign, t->data, log_of(id_of(ctx), ctx->run), SPIN);
    note_down(0, sf_tensor_set_deallocation_stream(t, foreign));
    return SF_OK;
}
EACH_ORDER(reuse_waits_for_other_readers_too)
{
    for (int blocks = 1; blocks < 4; blocks++) {
        for (int pinned = 0; pinned < 2; pinned++) {
            sf_mem_pool *pool =
                make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES,
                                               .blocks = (size_t)blocks,
                                               .memory = pinned ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE });
            sf_flow *f = flow_on(device);
            sf_op a, b, c, d;
            notes_clear();
            memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
            foreign = test_stream(device);
            a = sf_flow_add(f, &(sf_op_desc){ .compute = pinned ? write_by_cpu : source,
                                         .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                         .count = 20 });
            b = sf_flow_add(f,
                       &(sf_op_desc){ .compute = forward, .in = { IN("in") }, .out = { { .name = "out" } } });
            c = sf_flow_add(f, &(sf_op_desc){ .compute = side_sink, .user = &ids[2], .in = { IN("in") } });
            d = sf_flow_add(f, &(sf_op_desc){ .compute = foreign_sink, .user = &ids[3], .in = { IN("in") } });
            connect(f, a, b);
            connect(f, b, add_sink(f, 1));
            connect(f, b, c);
            connect(f, a, d);
            run_is(f, SF_OK);
            CHECK_OK(sf_stream_synchronize(foreign, GUARD));
            for (int k = 1; k <= 3; k++) { logs_are(k, 20); }
            for (uint32_t i = 0; i < 20; i++) { CHECK_EQUAL(notes[i].what, SF_OK); }
            destroy(f);
            CHECK_OK(sf_stream_destroy(foreign));
            CHECK_OK(sf_mem_pool_destroy(pool));
        }
    }
}
/* The stream comes after the memory: adopted, or the user's. The sinks are still reading what was in it. */
static sf_result adopt_after_create(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL), *in = sf_receive(ctx, 0);
    sf_stream *s = ctx->user ? foreign : sf_receive_stream(ctx, 0, SF_STREAM_ADOPT), *from[1];
    if (ctx->user) {
        sf_set_stream(ctx, 0, s);
        sf_receive_streams(ctx, 0, from, 1);
        sf_synchronize_streams(ctx, from, 1, s);
    }
    paint(s, out->data, in->data, NULL, 0, SPIN);
    return sf_emit(ctx, 0, out);
}
EACH_ORDER(reuse_on_streams_that_come_later)
{
    for (int variant = 0; variant < 2; variant++) {
        sf_mem_pool *pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1 });
        sf_flow *f = flow_on(device);
        sf_op a, b;
        memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
        foreign = test_stream(device);
        a = sf_flow_add(
            f, &(sf_op_desc){ .compute = source, .out = { { .name = "out", .bytes = BYTES } }, .count = 20 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = adopt_after_create,
                                     .user = variant ? &ids[0] : NULL,
                                     .in = { IN("in") },
                                     .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                     .adopt_stream = !variant });
        connect(f, a, b);
        for (int k = 1; k < 4; k++) { connect(f, b, add_sink(f, k)); }
        run_is(f, SF_OK);
        for (int k = 1; k < 4; k++) { logs_are(k, 20); }
        destroy(f);
        CHECK_OK(sf_stream_destroy(foreign));
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
}
/* More readers than a block can remember. */
EACH_ORDER(reuse_waits_for_many_readers)
{
    sf_flow *f = flow_on(device);
    sf_mem_pool *pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = source,
                                       .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                       .count = 10 });
    for (int k = 0; k < 15; k++) { connect(f, a, add_sink(f, k)); }
    run_is(f, SF_OK);
    for (int k = 0; k < 15; k++) { logs_are(k, 10); }
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
/* Work that a compute enqueued on memory before it failed counts, too: the CPU must not get it back
   meanwhile. */
static sf_result fails_late(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (ctx->run & 1) { /* writes by the CPU what the last one's kernel would spoil */
        for (int i = 0; i < WORDS && t->owner; i++) {
            ((uint32_t *)t->data)[i] = 100 + (uint32_t)ctx->run / 2;
        }
        return sf_emit(ctx, 0, t);
    }
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 7, SPIN);
    return SF_ERROR_USER;
}
EACH_ORDER(memory_of_a_failed_compute)
{
    sf_flow *f = flow_on(device);
    sf_mem_pool *pool =
        make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1, .memory = SF_MEMORY_PINNED });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = fails_late,
                                       .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                       .count = 40,
                                       .on_error = SF_ON_ERROR_IGNORE });
    connect(f, a, add_sink(f, 1));
    run_is(f, SF_OK);
    logs_are(1, 20);
    CHECK_EQUAL(used(pool), 0);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
/* Scratch memory: created, used, not emitted. It is one block, shared by two operators on two streams. */
static sf_result use_scratch(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *scratch = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    paint(s, scratch->data, in->data, NULL, 0, SPIN);
    return probe(s, scratch->data, log_of(id_of(ctx), ctx->run), SPIN);
}
EACH_ORDER(scratch_memory_is_taken_back)
{
    for (int pinned = 0; pinned < 2; pinned++) {
        sf_flow *f = flow_on(device);
        sf_mem_pool *pool = make_pool(&(sf_mem_pool_desc){
            .block_bytes = BYTES, .blocks = 1, .memory = pinned ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE });
        sf_op a = sf_flow_add(
            f, &(sf_op_desc){ .compute = source, .out = { { .name = "out", .bytes = BYTES } }, .count = 20 });
        memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
        for (int k = 1; k < 4; k++) {
            connect(
                f, a,
                sf_flow_add(f, &(sf_op_desc){ .compute = use_scratch,
                                         .user = &ids[k],
                                         .in = { IN("in") },
                                         .out = { { .name = "scratch", .bytes = BYTES, .pool = pool } } }));
        }
        run_is(f, SF_OK);
        for (int k = 1; k < 4; k++) { logs_are(k, 20); }
        CHECK_EQUAL(used(pool), 0);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
}
/* Two producers share a pool; and two flows, one after the other, on blocks whose last work is still under
   way. */
EACH_ORDER(shared_pools)
{
    sf_mem_pool *pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 3 });
    for (int again = 0; again < 2; again++) {
        sf_flow *f = flow_on(device);
        memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
        for (int k = 1; k < 4; k++) {
            connect(f,
                    sf_flow_add(f, &(sf_op_desc){ .compute = source,
                                             .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                             .count = 20 }),
                    add_sink(f, k));
        }
        run_is(f, SF_OK);
        for (int k = 1; k < 4; k++) { logs_are(k, 20); }
        destroy(f);
        CHECK_EQUAL(used(pool), 0);
    }
    CHECK_OK(sf_mem_pool_destroy(pool));
}
static void flows_side_by_side_share_a_pool(void **state) /* each waits for what the other one gives back */
{
    sf_mem_pool *pool;
    sf_flow *f[2];
    (void)state;
    open_with_logs(0);
    pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 2, .memory = SF_MEMORY_PINNED });
    for (int i = 0; i < 2; i++) {
        f[i] = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = GUARD });
        connect(f[i],
                sf_flow_add(f[i], &(sf_op_desc){ .compute = write_by_cpu,
                                            .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                            .count = 60 }),
                add_sink(f[i], i + 1));
        CHECK_OK(sf_flow_start(f[i]));
    }
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_flow_wait(f[i], GUARD)); }
    for (int i = 0; i < 2; i++) {
        logs_are(i + 1, 60);
        destroy(f[i]);
    }
    CHECK_OK(sf_mem_pool_destroy(pool));
    close_with_logs();
}
static sf_result two_ports(sf_context *ctx)                  /* one tensor, two outputs, three edges */
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, SPIN);
    sf_emit(ctx, 0, t);
    return sf_emit(ctx, 1, t);
}
EACH_ORDER(one_tensor_on_two_ports)
{
    sf_flow *f = flow_on(device);
    sf_mem_pool *pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1 });
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .compute = two_ports,
                          .out = { { .name = "out", .bytes = BYTES, .pool = pool }, { .name = "too" } },
                          .count = 12 });
    for (int k = 1; k < 4; k++) {
        CHECK_OK(sf_flow_connect(f, a, k < 3 ? "out" : "too", add_sink(f, k), NULL, NULL));
    }
    run_is(f, SF_OK);
    for (int k = 1; k < 4; k++) { logs_are(k, 12); }
    CHECK_EQUAL(used(pool), 0);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
EACH_ORDER(a_port_s_own_buffer)                              /* the same memory each time, and not too soon */
{
    sf_flow *f = flow_on(device);
    uint32_t *mine = (uint32_t *)test_memory(device, BYTES);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = source,
                                       .out = { { .name = "out", .bytes = BYTES, .data = mine } },
                                       .count = 12 });
    connect(f, a, add_sink(f, 1));
    connect(f, a, add_sink(f, 2));
    run_is(f, SF_OK);
    logs_are(1, 12);
    logs_are(2, 12);
    CHECK_EQUAL(mine[0], 111);                               /* the last frame lies in it */
    destroy(f);
    CHECK_OK(sf_mem_free(device, mine));
}
static sf_result many_shapes(sf_context *ctx)
{
    const sf_tensor_desc matrix = { .dtype = SF_F32, .shape = { 3, 5 } };
    const sf_tensor_desc strided = { .dtype = SF_I16, .shape = { 4, 6 }, .strides = { 16, 2 } };
    int64_t eight = 8, one = 1;
    const sf_tensor view = { .ndim = 1, .shape = &eight, .strides = &one };  /* the user's, without a type */
    sf_tensor *a = sf_tensor_create(ctx, 0, &matrix), *b = sf_tensor_create(ctx, 0, &strided), *c, *d, *e;
    note_down(0, a->bytes == 60 && a->ndim == 2 && a->dtype == SF_F32 && a->strides[0] == 5 &&
                     a->strides[1] == 1);
    note_down(0, b->bytes == (3 * 16 + 5 * 2 + 1) * 2 && b->strides[0] == 16 && b->strides[1] == 2);
    c = sf_tensor_like(ctx, 0, b);                           /* packed */
    note_down(0, c->bytes == 48 && c->shape[0] == 4 && c->shape[1] == 6 && c->strides[0] == 6 &&
                     c->dtype == SF_I16);
    d = sf_tensor_create(ctx, 0, NULL);
    note_down(0, d->bytes == BYTES && d->ndim == 1 && d->dtype == SF_U8);
    e = sf_tensor_like(ctx, 0, &view);
    note_down(0, e->bytes == 8 && e->ndim == 1 && e->dtype == SF_U8);
    note_down(0,
              a->data != b->data && b->data != c->data && c->data != d->data && a->owner && !a->byte_offset);
    note_down(0, a->device_type == (on_cuda() ? 3 : 1));
    return SF_OK;
}
static void tensors_have_shapes(void **state)
{
    sf_flow *f;
    sf_mem_pool *pool;
    (void)state;
    open_with_logs(0);
    f = flow_on(device);
    pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 5, .memory = SF_MEMORY_PINNED });
    sf_flow_add(f, &(sf_op_desc){ .compute = many_shapes,
                             .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                             .count = 2 });
    run_is(f, SF_OK);
    CHECK_NOTES(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
    close_with_logs();
}

/* -- without memory -- */

static sf_tensor *kept[8];
static uint32_t kept_count;
static sf_result retain_sink(sf_context *ctx)
{
    kept[ctx->run] = sf_tensor_retain(sf_receive(ctx, 0));
    test_add(&kept_count, 1);
    return SF_OK;
}
static void no_memory_is_a_condition(void **state) /* who has none waits until somebody gives some back */
{
    static const sf_mem_pool_desc kinds[] = {
        { .block_bytes = BYTES, .blocks = 2 },
        { .block_bytes = BYTES, .blocks = 2, .memory = SF_MEMORY_PINNED },
        { .kind = SF_MEM_POOL_ASYNC, .max_bytes = 2 * BYTES },
        { .kind = SF_MEM_POOL_UNBOUNDED, .max_bytes = 2 * BYTES },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        sf_mem_pool *pool;
        sf_op_info info;
        sf_flow *f;
        sf_op a;
        open_with_logs(0);
        pool = make_pool(&kinds[i]);
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = -1 });
        kept_count = 0;
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a",
                                     .compute = source,
                                     .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                     .count = 6 });
        connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = retain_sink, .in = { IN("in") } }));
        CHECK_OK(sf_flow_start(f));
        for (uint32_t k = 0; k < 6; k++) {                   /* two are out, the third waits */
            until(&kept_count, k + 1);
            if (k >= 1 && k < 5) {
                for (int n = 0; n < 10000; n++) {
                    CHECK_OK(sf_op_get_info(f, a, &info));
                    if (strstr(info.waits_for, "memory")) { break; }
                    usleep(1000);
                }
                CHECK(strstr(info.waits_for, "memory") != NULL);
                CHECK_EQUAL(info.runs, k + 1);
                sf_tensor_release(kept[k - 1]);
            }
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        sf_tensor_release(kept[4]);
        sf_tensor_release(kept[5]);
        CHECK_EQUAL(used(pool), 0);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
        close_with_logs();
    }
}
/* A block of another size that was freed before takes no room from the messages of a batch: where its work is done, and
   where not. The pool has room for one batch. */
static sf_result create_any(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static sf_result take_three(sf_context *ctx)
{
    for (int i = 0; i < 3; i++) { CHECK(sf_receive(ctx, 0) != NULL); }
    test_add(&kept_count, 3);
    return SF_OK;
}
EACH_ORDER(a_batch_behind_a_larger_block)
{
    for (int i = 0; i < 8; i++) {
        const size_t bytes = i & 1 ? BYTES : BYTES - 12;
        sf_mem_pool *pool = make_pool(&(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC, .max_bytes = 3 * bytes,
                                                           .release_threshold_bytes = 3 * bytes });
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = SF_MS(20) });
        sf_stream *s = test_stream(device);
        void *p = NULL;
        CHECK_OK(sf_mem_alloc_async(s, pool, i & 4 ? 3 * bytes : 2 * bytes, &p));
        CHECK_OK(paint(s, p, NULL, NULL, 1, SPIN));
        CHECK_OK(sf_mem_free_async(s, p));
        if (i & 2) { CHECK_OK(sf_stream_synchronize(s, GUARD)); }
        kept_count = 0;
        connect(f, sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = create_any, .count = 9,
                                            .out = { { .name = "out", .bytes = bytes, .pool = pool } } }),
                sf_flow_add(f, &(sf_op_desc){ .compute = take_three,
                                         .in = { { .name = "in", .capacity = 3, .batch = 3 } } }));
        run_is(f, SF_OK);
        CHECK_EQUAL(kept_count, 9);
        destroy(f);
        CHECK_OK(sf_stream_destroy(s));
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
}
static void memory_that_never_comes_back(void **state)       /* a deadlock, once its time is over */
{
    static const int64_t timeouts[] = { 1, SF_MS(20) };      /* 0: it waits until somebody releases one */
    (void)state;
    for (size_t i = 0; i < COUNT(timeouts); i++) {
        sf_mem_pool *pool;
        sf_flow *f;
        open_with_logs(0);
        pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 2 });
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = timeouts[i] });
        kept_count = 0;
        connect(f,
                sf_flow_add(f, &(sf_op_desc){ .name = "hungry",
                                         .compute = source,
                                         .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                         .count = 6 }),
                sf_flow_add(f, &(sf_op_desc){ .name = "miser", .compute = retain_sink, .in = { IN("in") } }));
        run_is(f, SF_ERROR_DEADLOCK);
        CHECK(strstr(sf_flow_failure(f)->text, "hungry") && strstr(sf_flow_failure(f)->text, "memory"));
        CHECK_EQUAL(kept_count, 2);
        for (uint32_t k = 0; k < 2; k++) { sf_tensor_release(kept[k]); }
        destroy_is(f, SF_ERROR_DEADLOCK);
        CHECK_OK(sf_mem_pool_destroy(pool));
        close_with_logs();
    }
}
/* Somebody outside holds the one block again and again, for a moment: the flow waits, and does all it has to do. */
static sf_tensor *lent;
static uint32_t lending_is_over;
static void *give_back_what_is_lent(void *arg)
{
    rng r = rng_seed(11);
    while (!test_load(&lending_is_over)) {
        sf_tensor *t = __atomic_exchange_n(&lent, NULL, __ATOMIC_ACQ_REL);
        if (!t) { continue; }
        for (volatile uint32_t n = rng_below(&r, 512); n; n--) {}
        sf_tensor_release(t);
    }
    sf_tensor_release(__atomic_exchange_n(&lent, NULL, __ATOMIC_ACQ_REL));
    return arg;
}
static sf_result lend(sf_context *ctx)
{
    __atomic_store_n(&lent, sf_tensor_retain(sf_receive(ctx, 0)), __ATOMIC_RELEASE);
    return SF_OK;
}
static sf_result create_one(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static void memory_held_for_a_moment(void **state)
{
    sf_mem_pool *pool;
    pthread_t other;
    (void)state;
    open_with_logs(0);
    pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1, .memory = SF_MEMORY_HOST });
    lending_is_over = 0;
    CHECK(!pthread_create(&other, NULL, give_back_what_is_lent, NULL));
    for (uint32_t k = 0; k < 40; k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = GUARD,
                                                     .workers = { { .count = k / 2 % 3 } } });
        sf_op_desc d = { .compute = create_one, .out = { { .name = "out", .bytes = BYTES, .pool = pool } }, .count = 300 };
        sf_op a;
        if (k & 1) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_MEMORY, .count = 1 }; }
        a = sf_flow_add(f, &d);
        connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = lend, .in = { IN("in") } }));
        run_is(f, SF_OK);
        CHECK_EQUAL(runs_of(f, a), 300);
        destroy(f);
    }
    test_store(&lending_is_over, 1);
    CHECK(!pthread_join(other, NULL));
    CHECK_EQUAL(used(pool), 0);
    CHECK_OK(sf_mem_pool_destroy(pool));
    close_with_logs();
}
/* Several flows and one block: each is woken when another gives it back. */
static void flows_that_wait_for_one_block(void **state)
{
    enum { FLOWS = 3 };
    (void)state;
    for (int condition = 0; condition < 2; condition++) {
        sf_mem_pool *pool;
        sf_flow *f[FLOWS];
        sf_op a[FLOWS];
        open_with_logs(0);
        pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1, .memory = SF_MEMORY_HOST });
        for (int i = 0; i < FLOWS; i++) {
            sf_op_desc d = { .compute = create_one, .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                             .count = 3000 };
            if (condition) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_MEMORY }; }
            f[i] = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = -1 });
            a[i] = sf_flow_add(f[i], &d);
            connect(f[i], a[i], sf_flow_add(f[i], &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } }));
        }
        for (int i = 0; i < FLOWS; i++) { CHECK_OK(sf_flow_start(f[i])); }
        for (int i = 0; i < FLOWS; i++) {
            CHECK_OK(sf_flow_wait(f[i], GUARD));
            CHECK_EQUAL(runs_of(f[i], a[i]), 3000);
            destroy(f[i]);
        }
        CHECK_EQUAL(used(pool), 0);
        CHECK_OK(sf_mem_pool_destroy(pool));
        close_with_logs();
    }
}
/* What is tried again waits for the memory that its condition asks for, too: the GPU may still work on the first
   try's blocks, or somebody may have kept one. */
static bool keep_one_of_them;
static sf_result create_in_vain(sf_context *ctx)
{
    uint32_t want = *(const uint32_t *)ctx->user;
    for (uint32_t i = 0; i < want; i++) {
        sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
        paint(sf_compute_stream(ctx), t->data, NULL, NULL, i, 20 * SPIN);
        note_down(0, t->owner != NULL);
        if (keep_one_of_them && note_count == want) {
            kept[0] = sf_tensor_retain(t);
            test_add(&kept_count, 1);
        }
    }
    return note_count == want ? SF_ERROR_USER : SF_OK;       /* the first try fails, by itself */
}
static void memory_of_the_next_try(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * 12; k++) {
        uint32_t want = k & 1 ? 2 : 1;
        sf_flow *f;
        sf_op a;
        sf_op_desc d = { .compute = create_in_vain, .user = &want, .count = 1, .on_error = SF_ON_ERROR_RETRY, .retries = 3,
                         .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } };
        open_with_logs(0);
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = k / 4 % 3 } },
                                            .deadlock_timeout = -1 });
        keep_one_of_them = k >= 12 && want == 2;
        kept_count = 0;
        if (k % 4) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_MEMORY, .count = want }; }
        if (k & 1) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_MEMORY, .count = 2 }; }
        notes_clear();
        a = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_start(f));
        if (keep_one_of_them) {
            until(&kept_count, 1);
            usleep(2000);                                    /* for it to be tried in vain; without, this proves less */
            sf_tensor_release(kept[0]);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(runs_of(f, a), 1);
        CHECK_EQUAL(note_count, 2 * want);
        for (uint32_t i = 0; i < note_count; i++) { CHECK(notes[i].what); }
        destroy(f);
        close_with_logs();
    }
}
static sf_result create_three(sf_context *ctx)
{
    for (int i = 0; i < 3; i++) { note_down(0, sf_tensor_create(ctx, 0, NULL)->owner != NULL); }
    note_down(1, sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)));
    return SF_OK;
}
static void no_memory_is_an_error(void **state) /* if told so, or where a compute asks for more than one */
{
    static const sf_mem_pool_desc kinds[] = {
        { .block_bytes = BYTES, .blocks = 2 },
        { .block_bytes = BYTES, .blocks = 2, .fail_when_empty = true },
        { .kind = SF_MEM_POOL_ASYNC, .max_bytes = 2 * BYTES, .fail_when_empty = true },
        { .kind = SF_MEM_POOL_UNBOUNDED,
          .max_bytes = 2 * BYTES,
          .memory = SF_MEMORY_PINNED,
          .fail_when_empty = true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        sf_mem_pool *pool;
        sf_flow *f;
        open_with_logs(0);
        pool = make_pool(&kinds[i]);
        f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "hungry",
                                 .compute = create_three,
                                 .out = { { .name = "frames", .bytes = BYTES, .pool = pool } },
                                 .count = 1 });
        run_is(f, SF_ERROR_POOL_EXHAUSTED);
        CHECK_NOTES(0, 1, 1, 0);
        CHECK_NOTES(1, SF_ERROR_POOL_EXHAUSTED);
        CHECK(strstr(sf_flow_failure(f)->text, "hungry") && strstr(sf_flow_failure(f)->text, "frames"));
        CHECK_EQUAL(used(pool), 0);
        destroy_is(f, SF_ERROR_POOL_EXHAUSTED);
        if (kinds[i].fail_when_empty) {                      /* the third message is the one too many */
            f = flow_on(device);
            kept_count = 0;
            connect(f,
                    sf_flow_add(f, &(sf_op_desc){ .name = "hungry",
                                             .compute = source,
                                             .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                             .count = 6 }),
                    sf_flow_add(f, &(sf_op_desc){ .compute = retain_sink, .in = { IN("in") } }));
            run_is(f, SF_ERROR_POOL_EXHAUSTED);
            for (uint32_t k = 0; k < kept_count; k++) { sf_tensor_release(kept[k]); }
            destroy_is(f, SF_ERROR_POOL_EXHAUSTED);
        }
        CHECK_OK(sf_mem_pool_destroy(pool));
        close_with_logs();
    }
}
/* The MEMORY condition means memory that can be had: pinned blocks are not there before the GPU is done
   with them. */
static sf_result two_at_once(sf_context *ctx)
{
    for (int i = 0; i < 2; i++) {
        sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
        for (int w = 0; w < WORDS && t->owner; w++) {
            ((uint32_t *)t->data)[w] = 100 + 2 * (uint32_t)ctx->run + (uint32_t)i;
        }
        sf_emit(ctx, 0, t);
    }
    return SF_OK;
}
EACH_ORDER(memory_condition_and_the_gpu)
{
    sf_flow *f = flow_on(device);
    sf_mem_pool *pool =
        make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 2, .memory = SF_MEMORY_PINNED });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a",
                                       .compute = two_at_once,
                                       .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                       .count = 10,
                                       .when = { { .kind = SF_CONDITION_MEMORY, .count = 2 },
                                                 { .kind = SF_CONDITION_ROOM, .count = 2 } } });
    connect(f, a, add_sink(f, 1));
    guarded_run_is(f, SF_OK, NULL);
    logs_are(1, 20);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
EACH_ORDER(memory_condition_on_a_shared_pool) /* one of them gets the blocks, the other one waits */
{
    sf_flow *f = flow_on(device);
    sf_mem_pool *pool =
        make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 3, .memory = SF_MEMORY_PINNED });
    for (int k = 1; k < 4; k++) {
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a",
                                           .compute = two_at_once,
                                           .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                           .count = 10,
                                           .when = { { .kind = SF_CONDITION_MEMORY, .count = 2 },
                                                     { .kind = SF_CONDITION_ROOM, .count = 2 } } });
        connect(f, a, add_sink(f, k));
    }
    guarded_run_is(f, SF_OK, NULL);
    for (int k = 1; k < 4; k++) { logs_are(k, 20); }
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
static uint32_t opened;
static sf_result fill_behind_a_gate(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (!ctx->run) { (void)test_gate(sf_compute_stream(ctx), &opened, 1); }
    return sf_emit(ctx, 0, t);
}
static sf_result let_pass(sf_context *ctx) { return sf_receive(ctx, 0) ? SF_OK : SF_ERROR_USER; }
static void a_block_is_for_who_can_run(void **state) /* not for who waited for it, and is paused by now */
{
    const sf_condition on = { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true };
    const sf_condition off = { .kind = SF_CONDITION_SIGNAL, .latch = true };
    sf_mem_pool *pool;
    sf_flow *f;
    sf_op op[4];
    (void)state;
    if (on_cuda()) { return; }
    device = test_open_order(SF_ORDER_FIRST_IN, 1);
    pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = 8, .blocks = 1, .memory = SF_MEMORY_PINNED });
    f = flow_on(device);
    for (int k = 0; k < 2; k++) {
        op[k] = sf_flow_add(f, &(sf_op_desc){ .compute = fill_behind_a_gate, .when = { k ? off : on },
                                         .out = { { .name = "out", .bytes = 8, .pool = pool } } });
        op[k + 2] = sf_flow_add(f, &(sf_op_desc){ .compute = let_pass, .in = { IN("in") } });
        connect(f, op[k], op[k + 2]);
    }
    test_store(&opened, 0);
    for (int i = 0; i < 50; i++) { CHECK(sf_flow_step(f, NULL) >= SF_OK); }
    CHECK_EQUAL(runs_of(f, op[0]), 1);                       /* the GPU has the only block */
    CHECK_OK(sf_flow_signal(f, op[0], 0, SF_WAIT));
    CHECK(sf_flow_step(f, NULL) >= SF_OK);
    test_store(&opened, 1);                                  /* and is done with it now */
    for (int i = 0; i < 50; i++) { CHECK(sf_flow_step(f, NULL) >= SF_OK); }
    CHECK_OK(sf_flow_signal(f, op[1], 0, SF_READY));
    for (int i = 0; i < 50; i++) { CHECK(sf_flow_step(f, NULL) >= SF_OK); }
    CHECK(runs_of(f, op[1]) > 1);
    CHECK_EQUAL(runs_of(f, op[0]), 1);
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
    test_close(device);
}
static sf_result too_large(sf_context *ctx)
{
    note_down(0, sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .shape = { BYTES + 1 } })->owner != NULL);
    return SF_OK;
}
static sf_result no_size(sf_context *ctx)
{
    note_down(0, sf_tensor_create(ctx, 0, NULL)->owner != NULL);
    return SF_OK;
}
static sf_result negative(sf_context *ctx)
{
    note_down(0, sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .shape = { 3, -1 } })->owner != NULL);
    return SF_OK;
}
static sf_result overflowing(sf_context *ctx)
{
    note_down(
        0, sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .shape = { INT64_MAX / 2, INT64_MAX / 2 } })->owner !=
               NULL);
    return SF_OK;
}
static sf_result like_nothing(sf_context *ctx)
{
    return note_down(0, sf_tensor_like(ctx, 0, NULL)->owner != NULL), SF_OK;
}
static sf_result wrong_output(sf_context *ctx)
{
    return note_down(0, sf_tensor_create(ctx, 4, NULL)->owner != NULL), SF_OK;
}
static void tensors_that_cannot_be(void **state)             /* an error, and a stand-in instead of a crash */
{
    static const struct { sf_compute_func compute; size_t bytes; sf_result result;
    } cases[] = {
        { too_large, BYTES, SF_ERROR_MISMATCH },         { no_size, 0, SF_ERROR_INVALID_VALUE },
        { negative, BYTES, SF_ERROR_INVALID_VALUE },     { overflowing, BYTES, SF_ERROR_INVALID_VALUE },
        { like_nothing, BYTES, SF_ERROR_INVALID_VALUE }, { wrong_output, BYTES, SF_ERROR_UNKNOWN_PORT },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f;
        open_with_logs(0);
        f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "shaper",
                                 .compute = cases[i].compute,
                                 .out = { { .name = "out", .bytes = cases[i].bytes } },
                                 .count = 1 });
        run_is(f, cases[i].result);
        CHECK_NOTES(0, 0);
        CHECK(strstr(sf_flow_failure(f)->text, "shaper") != NULL);
        destroy_is(f, cases[i].result);
        close_with_logs();
    }
}

/* -- buffers that stay -- */

EACH_ORDER(retained_tensors_outlive_the_flow) /* and the pool; the last release gives the memory back */
{
    sf_mem_pool *pool = make_pool(&(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 8 });
    sf_counters counters, before;
    sf_stream *s = test_stream(device);
    sf_flow *f;
    CHECK_OK(sf_device_get_counters(device, &before));
    for (int own = 0; own < 2; own++) {
        f = flow_on(device);
        kept_count = 0;
        connect(
            f,
            sf_flow_add(f, &(sf_op_desc){ .compute = source,
                                     .out = { { .name = "out", .bytes = BYTES, .pool = own ? NULL : pool } },
                                     .count = 3 }),
            sf_flow_add(f, &(sf_op_desc){ .compute = retain_sink, .in = { IN("in") } }));
        run_is(f, SF_OK);
        destroy(f);
        if (!own) { CHECK_OK(sf_mem_pool_destroy(pool)); }
        CHECK_EQUAL(kept_count, 3);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_OK(probe(s, kept[i]->data, log_of(1 + own, i), SPIN));
            CHECK_OK(sf_tensor_set_deallocation_stream(kept[i], s));
        }
        for (uint32_t i = 0; i < 3; i++) {
            CHECK(sf_tensor_retain(kept[i]) == kept[i]);     /* twice, so the first release is not the last */
            sf_tensor_release(kept[i]);
            sf_tensor_release(kept[i]);
        }
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        logs_are(1 + own, 3);
    }
    CHECK_OK(sf_stream_destroy(s));
    CHECK_OK(sf_device_get_counters(device, &counters));
    CHECK(counters.live_bytes < before.live_bytes);          /* the pool's blocks are gone, too */
    CHECK(sf_tensor_retain(NULL) == NULL);
    sf_tensor_release(NULL);
}

/* What is retained is used until it is released, in later computes, too: on streams that received it and on one that
   did not, in a region, from a pool or wrapped, and whoever releases it last. */
enum { LATE_OWN, LATE_FIRST_USE, LATE_SHARED, LATE_REGION, LATE_OUTSIDE, LATE_ELSEWHERE, LATE_WAYS };
enum { LATE_FRAMES = 12 };
static struct { int way; bool wrapped; sf_tensor *held; uint32_t *data; } late;
static void paint_over(void *data, void *user)
{
    for (uint32_t i = 0; i < WORDS; i++) { ((uint32_t *)data)[i] = 999; }
    (void)user;
}
static sf_result late_source(sf_context *ctx)
{
    sf_tensor_desc d = { .dtype = SF_U32, .shape = { WORDS }, .memory = SF_MEMORY_PINNED, .release = paint_over };
    sf_tensor *t;
    d.data = late.data + WORDS * ctx->run;
    t = late.wrapped ? sf_tensor_wrap(ctx->flow, &d) : sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, 0);
    return sf_emit(ctx, 0, t);
}
static sf_result late_sink(sf_context *ctx)                  /* reads each frame one compute later, and gives it back */
{
    sf_tensor *t = sf_receive(ctx, 0), *held = late.held;
    sf_stream *s = held || late.way != LATE_FIRST_USE ? sf_compute_stream(ctx) : NULL;
    sf_value v = { .ptr = held };
    late.held = ctx->run + 1 < LATE_FRAMES ? sf_tensor_retain(t) : NULL;
    if (!held) { return SF_OK; }
    probe(s, held->data, log_of(1, ctx->run - 1), 4 * SPIN);
    if (late.way == LATE_ELSEWHERE) { return sf_emit_value(ctx, 0, v); }
    if (late.way == LATE_OUTSIDE) { sf_tensor_set_deallocation_stream(held, s); }
    sf_tensor_release(held);
    return SF_OK;
}
static sf_result late_release(sf_context *ctx)               /* of a tensor that it has not received */
{
    sf_tensor_release((sf_tensor *)sf_receive_value(ctx, 0).ptr);
    return SF_OK;
}
EACH_ORDER(what_is_retained_is_used_until_it_is_released)
{
    for (int k = 0; k < 3 * LATE_WAYS; k++) {
        sf_flow *f = flow_on(device);
        sf_op a, b;
        late.way = k / 3;
        late.wrapped = k % 3 == 2;
        late.held = NULL;
        late.data = (uint32_t *)test_memory(device, LATE_FRAMES * BYTES);
        memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = late_source, .count = LATE_FRAMES,
                                     .out = { { .name = "out", .bytes = late.wrapped ? 0 : BYTES,
                                                .memory = k % 3 ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE } } });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = late_sink, .in = { IN("in") }, .out = { { .name = "done" } },
                                     .region = late.way == LATE_REGION, .adopt_stream = late.way == LATE_ELSEWHERE });
        connect(f, a, b);
        if (late.way == LATE_ELSEWHERE) {
            connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = late_release, .in = { IN("in") } }));
        }
        if (late.way == LATE_SHARED) {       /* the flow is the last one to release it */
            connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .priority = 1,
                                                   .in = { { .name = "in", .capacity = 3 } } }));
        }
        run_is(f, SF_OK);
        CHECK(!late.held);
        logs_are(1, LATE_FRAMES - 1);
        destroy(f);
        CHECK_OK(sf_mem_free(device, late.data));
    }
}
/* Of the compute that creates it, too: its own stream is one, another is given. */
static sf_result lend_to_a_stream(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx), *other = (sf_stream *)ctx->user;
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(s, t->data, NULL, NULL, 100 + (uint32_t)ctx->run, 0);
    sf_synchronize_streams(ctx, &s, 1, other);
    probe(other, t->data, log_of(1, ctx->run), 4 * SPIN);
    sf_tensor_set_deallocation_stream(t, other);
    return sf_emit(ctx, 0, t);
}
EACH_ORDER(reuse_waits_for_a_stream_that_was_given)
{
    for (int pinned = 0; pinned < 2; pinned++) {
        sf_stream *s = test_stream(device);
        sf_flow *f = flow_on(device);
        memset(logs, 0, 64 * 16 * PROBE * sizeof *logs);
        connect(f,
                sf_flow_add(f, &(sf_op_desc){ .compute = lend_to_a_stream, .user = s, .count = 12,
                                         .out = { { .name = "out", .bytes = BYTES,
                                                    .memory = pinned ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE } } }),
                sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") } }));
        run_is(f, SF_OK);
        destroy(f);
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        logs_are(1, 12);
        CHECK_OK(sf_stream_destroy(s));
    }
}

/* Release of wrapped memory: once, when the last GPU user is done, and at the latest when the run is over. */
static uint32_t released, released_early;
static void count_release(void *data, void *user)
{
    const uint32_t *g = (const uint32_t *)user;
    if (g && !test_load(g)) { released_early++; }
    (void)data;
    test_add(&released, 1);
}
static uint32_t *outside;                                    /* memory of the user's */
static sf_result wrap_source(sf_context *ctx)
{
    sf_tensor_desc d = {
        .dtype = SF_U32, .shape = { WORDS }, .memory = SF_MEMORY_PINNED, .release = count_release
    };
    sf_tensor *t;
    d.data = outside + WORDS * ctx->run;
    d.user = ctx->run == 0 && ctx->user ? ctx->user : NULL;
    t = sf_tensor_wrap(ctx->flow, &d);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, SPIN);
    return sf_emit(ctx, 0, t);
}
EACH_ORDER(wrapped_memory_is_released_once)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = wrap_source, .out = { { .name = "out" } }, .count = 10 });
    sf_tensor *t;
    released = released_early = 0;
    outside = (uint32_t *)test_memory(device, 10 * BYTES);
    for (int k = 1; k < 4; k++) { connect(f, a, add_sink(f, k)); }
    run_is(f, SF_OK);
    CHECK_EQUAL(released, 10);
    for (int k = 1; k < 4; k++) { logs_are(k, 10); }
    t = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = outside, .shape = { 4 }, .release = count_release });
    CHECK_EQUAL(released, 10);
    sf_tensor_retain(t);
    sf_tensor_release(t);
    CHECK_EQUAL(released, 10);
    sf_tensor_release(t);                                    /* nobody has seen it: at once */
    CHECK_EQUAL(released, 11);
    destroy(f);
    CHECK_EQUAL(released, 11);
    CHECK_OK(sf_mem_free(device, outside));
}
static sf_result gated_sink(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    test_gate(sf_compute_stream(ctx), gate, 1);
    probe(sf_compute_stream(ctx), t->data, log_of(1, ctx->run), SPIN);
    return test_add(&kept_count, 1), SF_OK;
}
static sf_result wrap_again(sf_context *ctx) /* looks at its leisure whether something is released */
{
    return ctx->run < 10 ? wrap_source(ctx) : SF_DONE;
}
static void released_when_the_gpu_is_done(void **state)
{
    sf_flow *f;
    sf_op a;
    (void)state;
    open_with_logs(0);
    released = released_early = kept_count = 0;
    outside = (uint32_t *)test_memory(device, 10 * BYTES);
    f = flow_on(device);
    a = sf_flow_add(f, &(sf_op_desc){ .compute = wrap_again, .user = gate, .out = { { .name = "out" } } });
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = gated_sink, .in = { IN("in") } }));
    CHECK_OK(sf_flow_start(f));
    until(&kept_count, 10); /* all computes have returned, the work is behind the gate */
    CHECK_EQUAL(test_load(&released), 0);
    test_store(gate, 1);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_EQUAL(released, 10);
    CHECK_EQUAL(released_early, 0);
    logs_are(1, 10);
    destroy(f);
    CHECK_OK(sf_mem_free(device, outside));
    close_with_logs();
}
/* A driver with a ring of two buffers needs no call to get them back: a thread that pushes, a source that waits for a
   signal of `release`, and a flow that is stepped. */
enum { RING = 2, RING_FRAMES = 30 };
enum { RING_THREAD, RING_SIGNAL, RING_STEPS, RING_WAYS };
static struct { uint32_t busy[RING], back, sent; int way; sf_flow *flow; sf_op op; } ring;
static void ring_release(void *data, void *user)
{
    (void)data;
    test_store((uint32_t *)user, 0);
    test_add(&ring.back, 1);
    if (ring.way == RING_SIGNAL) { sf_flow_signal(ring.flow, ring.op, 0, SF_READY); }
}
static sf_tensor *ring_wrap(uint32_t k)
{
    test_store(&ring.busy[k], 1);
    return sf_tensor_wrap(ring.flow, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS },
                                                        .data = outside + k * WORDS, .memory = SF_MEMORY_PINNED,
                                                        .release = ring_release, .user = &ring.busy[k] });
}
static void ring_fill(uint32_t n)                            /* the driver writes frame n, by the CPU */
{
    for (uint32_t i = 0; i < WORDS; i++) { outside[n % RING * WORDS + i] = 100 + n; }
}
static sf_result ring_source(sf_context *ctx)                /* a signal may be of an earlier release */
{
    uint32_t n = ring.sent;
    sf_flow_signal(ctx->flow, ctx->op, 0, SF_WAIT);          /* before the look: a release may come now */
    if (test_load(&ring.busy[n % RING])) { return SF_OK; }
    sf_flow_signal(ctx->flow, ctx->op, 0, SF_READY);
    ring_fill(n);
    (void)sf_emit(ctx, 0, ring_wrap(n % RING));
    return ++ring.sent == RING_FRAMES ? SF_DONE : SF_OK;
}
static sf_result ring_reader(sf_context *ctx)
{
    return probe(sf_compute_stream(ctx), sf_receive(ctx, 0)->data, log_of(1, ctx->run), 4 * SPIN);
}
static void *ring_driver(void *unused)
{
    for (uint32_t n = 0; n < RING_FRAMES; n++) {
        sf_tensor *t;
        for (int i = 0; i < 30000 && test_load(&ring.busy[n % RING]); i++) { usleep(1000); }
        if (test_load(&ring.busy[n % RING])) { break; }
        ring_fill(n);
        t = ring_wrap(n % RING);
        if (sf_flow_push(ring.flow, ring.op, 0, t) != SF_OK) { sf_tensor_release(t); }
    }
    return unused;
}
static void ring_steps(void)
{
    for (uint32_t n = 0; n < RING_FRAMES; n++) {
        for (int i = 0; i < 30000 && test_load(&ring.busy[n % RING]); i++) {
            CHECK(sf_flow_step(ring.flow, NULL) >= 0);
            usleep(1000);
        }
        CHECK_EQUAL(test_load(&ring.busy[n % RING]), 0);
        ring_fill(n);
        CHECK_OK(sf_flow_push(ring.flow, ring.op, 0, ring_wrap(n % RING)));
        while (sf_flow_step(ring.flow, NULL) == SF_OK) {}
    }
}
static void a_ring_of_buffers_goes_round(void **state)
{
    (void)state;
    for (int k = 0; k < 3 * RING_WAYS; k++) {
        int32_t workers = k % 3;
        pthread_t thread;
        sf_op reader;
        memset(&ring, 0, sizeof ring);
        ring.way = k / 3;
        if (ring.way == RING_STEPS && workers) { continue; }         /* steps are for one worker */
        open_with_logs(0);
        outside = (uint32_t *)test_memory(device, RING * BYTES);
        ring.flow = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        reader = sf_flow_add(ring.flow, &(sf_op_desc){ .compute = ring_reader,
                                                       .in = { { .name = "in", .external = ring.way != RING_SIGNAL,
                                                                 .capacity = RING } } });
        ring.op = reader;
        if (ring.way == RING_SIGNAL) {
            ring.op = sf_flow_add(ring.flow, &(sf_op_desc){ .compute = ring_source,
                                                            .when = { { .kind = SF_CONDITION_SIGNAL,
                                                                        .initial = SF_READY } },
                                                            .out = { { .name = "out" } } });
            connect(ring.flow, ring.op, reader);
        }
        CHECK_OK(ring.way == RING_STEPS ? sf_flow_check(ring.flow, false, NULL, NULL) : sf_flow_start(ring.flow));
        if (ring.way == RING_THREAD) {
            CHECK(!pthread_create(&thread, NULL, ring_driver, NULL));
            CHECK(!pthread_join(thread, NULL));
        }
        if (ring.way == RING_STEPS) { ring_steps(); }
        if (ring.way != RING_SIGNAL) { CHECK_OK(sf_flow_finish(ring.flow)); }
        while (ring.way == RING_STEPS && sf_flow_step(ring.flow, NULL) != SF_DONE) {}
        if (ring.way != RING_STEPS) { CHECK_OK(sf_flow_wait(ring.flow, GUARD)); }
        CHECK_EQUAL(ring.back, RING_FRAMES);
        logs_are(1, RING_FRAMES);
        destroy(ring.flow);
        CHECK_OK(sf_mem_free(device, outside));
        close_with_logs();
    }
}
/* So is what goes nowhere: nobody listens, the compute has failed before, or the emit itself fails. */
enum { TO_NOBODY, TO_NOBODY_OFTEN, AFTER_A_FAILURE, IN_A_FULL_QUEUE, IN_A_REGION, NOWHERES };
static sf_result wrap_for_nobody(sf_context *ctx)
{
    const uint32_t *how = (const uint32_t *)ctx->user, n = *how == TO_NOBODY_OFTEN ? 8 : 1;
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = SF_OK;
    (void)test_gate(s, gate, 1);
    if (*how == IN_A_FULL_QUEUE) { (void)sf_emit_value(ctx, 0, number(1)); }
    for (uint32_t i = 0; i < n; i++) {
        sf_tensor *t = sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS },
                                                                    .memory = SF_MEMORY_PINNED, .user = gate,
                                                                    .data = outside + i * WORDS,
                                                                    .release = count_release });
        (void)paint(s, t->data, NULL, NULL, 100 + i, SPIN);
        if (*how == AFTER_A_FAILURE) { (void)sf_fail(ctx, SF_ERROR_USER, "before it emits"); }
        r = sf_emit(ctx, 0, t);
    }
    return test_add(&kept_count, 1), r;
}
static void what_goes_nowhere_is_released_when_the_gpu_is_done(void **state)
{
    (void)state;
    for (uint32_t how = 0; how < NOWHERES; how++) {
        sf_flow *f;
        sf_op a;
        open_with_logs(0);
        released = released_early = kept_count = 0;
        test_store(gate, 0);
        outside = (uint32_t *)test_memory(device, 8 * BYTES);
        f = flow_on(device);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = wrap_for_nobody, .user = &how, .count = 1,
                                     .out = { { .name = "out" } }, .region = how == IN_A_REGION,
                                     .on_error = how == IN_A_REGION ? SF_ON_ERROR_STOP_FLOW : SF_ON_ERROR_IGNORE });
        if (how == IN_A_FULL_QUEUE) {
            connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } }));
        }
        CHECK_OK(sf_flow_start(f));
        until(&kept_count, 1);
        test_store(gate, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(test_load(&released), how == TO_NOBODY_OFTEN ? 8 : 1);
        CHECK_EQUAL(test_load(&released_early), 0);
        for (uint32_t i = 0; i < test_load(&released); i++) { CHECK_EQUAL(outside[i * WORDS + WORDS - 1], 100 + i); }
        destroy(f);
        CHECK_OK(sf_mem_free(device, outside));
        close_with_logs();
    }
}
/* However much goes nowhere, it takes no place from what somebody hears. */
static sf_result mostly_to_nobody(sf_context *ctx)
{
    for (uint32_t i = 0; i < 20; i++) {
        sf_tensor *t = sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS },
                                                                    .memory = SF_MEMORY_PINNED, .user = gate,
                                                                    .data = outside, .release = count_release });
        if (sf_emit(ctx, 0, t) < 0) { return SF_ERROR_USER; }
    }
    return sf_emit_value(ctx, 1, number(ctx->run));
}
static sf_result count_value(sf_context *ctx)
{
    kept_count += sf_receive_value(ctx, 0).u64 == ctx->run;
    return SF_OK;
}
static void nobody_takes_no_place(void **state)
{
    sf_flow *f;
    sf_op from;
    (void)state;
    open_with_logs(0);
    released = kept_count = 0;
    test_store(gate, 1);
    outside = (uint32_t *)test_memory(device, BYTES);
    f = flow_on(device);
    from = sf_flow_add(f, &(sf_op_desc){ .compute = mostly_to_nobody, .count = 5,
                                    .out = { { .name = "nobody" }, { .name = "out" } } });
    for (int i = 0; i < 2; i++) {
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = count_value, .in = { IN("in") } });
        sf_flow_connect(f, from, "out", to, "in", NULL);
    }
    run_is(f, SF_OK);
    CHECK_EQUAL(kept_count, 2 * 5);
    CHECK_EQUAL(test_load(&released), 100);
    destroy(f);
    CHECK_OK(sf_mem_free(device, outside));
    close_with_logs();
}
/* The first emit hands a new tensor over; nothing else takes a reference from who calls sf_emit(): not of a tensor that
   was retained in this compute, nor of one from an earlier compute, nor at a second output, nor when the call fails. */
enum { KEEP_RECEIVED, KEEP_CREATED, KEEP_WRAPPED, KEEP_PUSHED, KEEPS, LATER_ROOM = 4 };
static struct { sf_tensor *tensor; int what; bool fails, twice; } later;
static sf_result emit_later(sf_context *ctx)                 /* retained in one compute, emitted in the next two */
{
    sf_tensor *in = later.what == KEEP_RECEIVED || later.what == KEEP_PUSHED ? sf_receive(ctx, 0) : NULL;
    sf_result r;
    if (ctx->run % 3 == 0) {
        sf_tensor *t = in;
        if (later.what == KEEP_CREATED) { t = sf_tensor_create(ctx, 0, NULL); }
        if (later.what == KEEP_WRAPPED) {
            t = sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .shape = { BYTES }, .memory = SF_MEMORY_PINNED, .user = gate,
                                                             .data = outside, .release = count_release });
        }
        later.tensor = sf_tensor_retain(t);
        r = sf_emit(ctx, 0, t);
        if (later.twice && r >= 0) { r = sf_emit(ctx, 1, t); }
        return r;
    }
    if (later.fails) { (void)sf_fail(ctx, SF_ERROR_USER, "before it emits"); }
    r = sf_emit(ctx, 0, later.tensor);
    if (ctx->run % 3 == 2) { sf_tensor_release(later.tensor); }
    return r;
}
static sf_result emit_a_new_one(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static sf_result take_what_comes(sf_context *ctx)
{
    while (sf_receive(ctx, 0)) { test_add(&kept_count, 1); }
    return SF_OK;
}
static void what_was_retained_is_released_by_who_did(void **state)
{
    (void)state;
    for (int k = 0; k < KEEPS * 2 * 2 * 2; k++) {
        const int what = k / 8;
        const bool fed = what == KEEP_RECEIVED || what == KEEP_PUSHED;
        sf_op_desc d = { .name = "keeper", .compute = emit_later, .count = 30, .on_error = SF_ON_ERROR_IGNORE,
                         .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED }, { .name = "too" } } };
        sf_mem_pool *pool;
        sf_mem_pool_info info;
        sf_flow *f;
        sf_op keeper;
        open_with_logs(0);
        later.what = what, later.fails = k & 1, later.twice = k & 2, later.tensor = NULL;
        released = released_early = kept_count = 0;
        test_store(gate, 1);
        outside = (uint32_t *)test_memory(device, 30 * BYTES);
        CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = LATER_ROOM,
                                                                 .memory = SF_MEMORY_PINNED }, &pool));
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = k & 4 ? 2 : 0 } } });
        d.out[0].pool = pool;
        /* one block is kept, one queued, one reserved by either producer: with more queued, none is left to go on */
        if (fed) { d.in[0] = (sf_port){ .name = "in", .capacity = what == KEEP_PUSHED ? 30 : 1, .external = what == KEEP_PUSHED }; }
        keeper = sf_flow_add(f, &d);
        if (what == KEEP_RECEIVED) {
            connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = emit_a_new_one, .count = 30,
                                                .out = { { .name = "out", .bytes = BYTES, .pool = pool } } }), keeper);
        }
        for (int i = 0; i < 2; i++) {
            sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = take_what_comes,
                                                     .in = { { .name = "in", .capacity = 4 } } });
            CHECK_OK(sf_flow_connect(f, keeper, i ? "too" : "out", to, NULL, NULL));
        }
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 0; what == KEEP_PUSHED && i < 30; i++) {
            sf_tensor *t = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = outside + i * WORDS, .shape = { BYTES }, .user = gate,
                                                                .memory = SF_MEMORY_PINNED, .release = count_release });
            CHECK_OK(sf_flow_push(f, keeper, 0, t));
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(kept_count, (later.fails ? 10 : 30) + (later.twice ? 10 : 0));
        CHECK_EQUAL(released, what == KEEP_WRAPPED ? 10 : what == KEEP_PUSHED ? 30 : 0);
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK_EQUAL(info.used, 0);           /* nobody holds a block */
        CHECK_OK(sf_mem_free(device, outside));
        (void)sf_flow_destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
        close_with_logs();
    }
}
static void wrapped_and_kept(void **state)                   /* the flow may go first */
{
    static uint8_t data[64];
    sf_flow *f;
    sf_op a;
    sf_tensor *t;
    (void)state;
    open_with_logs(0);
    released = 0;
    f = flow_on(device);
    a = sf_flow_add(
        f, &(sf_op_desc){ .compute = take_tensor, .in = { { .name = "in", .external = true } }, .count = 1 });
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    t = sf_tensor_wrap(
        f, &(sf_tensor_desc){
               .data = data, .shape = { 64 }, .memory = SF_MEMORY_HOST, .release = count_release });
    CHECK_OK(sf_flow_push(f, a, 0, sf_tensor_retain(t)));
    run_is(f, SF_OK);
    CHECK_EQUAL(released, 0);
    destroy(f);
    CHECK_EQUAL(released, 0);
    CHECK(t->data == data);
    sf_tensor_release(t);
    CHECK_EQUAL(released, 1);
    close_with_logs();
}
static void what_cannot_be_wrapped(void **state)
{
    static uint8_t data[64];
    sf_flow *f;
    sf_tensor *t;
    sf_stream *s;
    (void)state;
    open_with_logs(0);
    released = 0;
    f = flow_on(device);
    s = test_stream(device);
    CHECK(sf_tensor_wrap(NULL, &(sf_tensor_desc){ .data = data, .shape = { 4 } }) == NULL);
    CHECK(sf_tensor_wrap(f, NULL) == NULL);
    CHECK(sf_tensor_wrap(f, &(sf_tensor_desc){ .shape = { 4 } }) == NULL);
    CHECK(sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { -4 }, .release = count_release }) ==
          NULL);
    CHECK(sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { 4 }, .memory = (sf_memory)9 }) ==
          NULL);
    CHECK_EQUAL(released, 0);                                /* refused: still the caller's */
    t = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { 4 }, .memory = SF_MEMORY_HOST });
    CHECK_IS(sf_tensor_set_deallocation_stream(t, s), SF_IGNORED);  /* not this library's to free */
    CHECK_IS(sf_tensor_set_deallocation_stream(t, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK(sf_tensor_set_deallocation_stream(NULL, s) < 0);
    sf_tensor_release(t);
    t = sf_tensor_wrap(
        f, &(sf_tensor_desc){
               .data = data, .shape = { 4 }, .memory = SF_MEMORY_HOST, .release = count_release });
    CHECK_OK(sf_tensor_set_deallocation_stream(t, s));
    sf_tensor_release(t);
    destroy(f);
    CHECK_EQUAL(released, 1);
    CHECK_OK(sf_stream_destroy(s));
    close_with_logs();
}

/* -- nothing is allocated on the way -- */

static test_heap heap;
static long allocated_at[2];
static sf_result look_at_heap(sf_context *ctx)
{
    if (ctx->run == 0) {
        allocated_at[0] =
            __atomic_load_n(&heap.total, __ATOMIC_RELAXED) + __atomic_load_n(&library.mallocs, __ATOMIC_RELAXED);
    }
    allocated_at[1] =
        __atomic_load_n(&heap.total, __ATOMIC_RELAXED) + __atomic_load_n(&library.mallocs, __ATOMIC_RELAXED);
    return probe_sink(ctx);
}
static sf_result paint_on(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    paint(sf_compute_stream(ctx), out->data, in->data, NULL, 0, 0);
    return sf_emit(ctx, 0, out);
}
static void steady_state_allocates_nothing(void **state)
{
    (void)state;
    for (int pinned = 0; pinned < 2; pinned++) {
        sf_heap h = { test_heap_alloc, test_heap_free, &heap };
        sf_port out = { .name = "out",
                        .bytes = BYTES,
                        .memory = pinned ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE };
        sf_flow *f;
        sf_op a, b;
        memset(&heap, 0, sizeof heap);
        device = test_open_desc(&(sf_device_desc){ .heap = h, .host.workers = 2 });
        logs = (uint32_t *)test_memory(device, 64 * 16 * PROBE * sizeof *logs);
        f = sf_flow_create(&(sf_flow_desc){ .device = device,
                                            .heap = h,
                                            .metadata_entries = 2,
                                            .track = { true, true, 0, 0, 0 },
                                            .trace_events = 100 });
        a = sf_flow_add(f, &(sf_op_desc){ .compute = source, .out = { out }, .count = 60 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = paint_on, .in = { IN("in") }, .out = { out } });
        connect(f, a, b);
        connect(f, b,
                sf_flow_add(f, &(sf_op_desc){ .compute = look_at_heap, .user = &ids[1], .in = { IN("in") } }));
        connect(f, a, add_sink(f, 2));
        library.mallocs = 0;
        run_is(f, SF_OK);
        CHECK_EQUAL(allocated_at[1] - allocated_at[0], 0);
        CHECK_EQUAL(library.mallocs, 0);                             /* and never past the heap that was given */
        logs_are(1, 60);
        destroy(f);
        CHECK_OK(sf_mem_free(device, logs));
        test_close(device);
        CHECK_EQUAL(heap.live, 0);
        CHECK(heap.total > 0);
    }
}

/* -- memory handed in -- */

static uint32_t static_sum;
static sf_result static_sink(sf_context *ctx)                /* pinned, and the GPU is done */
{
    const uint32_t *d = (const uint32_t *)sf_receive(ctx, 0)->data;
    static_sum += d[0] == d[WORDS - 1] ? d[0] : 0;
    return SF_OK;
}
static sf_flow *static_flow(sf_flow_desc *desc)
{
    sf_port out = { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED };
    sf_flow *f = sf_flow_create(desc);
    sf_op a, b;
    if (!f) { return NULL; }
    a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = source, .out = { out }, .count = 20 });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = paint_on, .in = { IN("in") }, .out = { out } });
    (void)sf_flow_connect(f, a, NULL, b, NULL, NULL);
    a = sf_flow_add(f, &(sf_op_desc){ .name = "c",
                                 .compute = static_sink,
                                 .in = { { .name = "in", .capacity = 2 } },
                                 .when = { { .kind = SF_CONDITION_STREAM } } });
    (void)sf_flow_connect(f, b, NULL, a, NULL, NULL);
    return f;
}
static void static_desc(sf_flow_desc *d)
{
    *d =
        (sf_flow_desc){ .limits = { .ops = 3, .edges = 2, .messages = 3, .payload_bytes = (3 + 4) * BYTES } };
}
static void lives_in_memory_handed_in(void **state) /* in exactly what sf_flow_memory says, with no malloc */
{
    sf_flow_desc d;
    sf_flow *f;
    size_t bytes;
    void *block;
    (void)state;
    if (on_cuda()) { return; } /* a flow in a block of memory has a host device in it */
    static_desc(&d);
    bytes = sf_flow_memory(&d);
    CHECK(bytes > 0);
    block = malloc(bytes + 16);
    memset(block, 0xa5, bytes + 16);
    d.memory = (sf_range){ block, bytes };
    for (int again = 0; again < 3; again++) {
        sf_flow_info info;
        library.mallocs = 0;
        static_sum = 0;
        f = static_flow(&d);
        CHECK(f != NULL);
        run_is(f, SF_OK);
        CHECK_EQUAL(static_sum, 20 * 100 + 190);
        run_is(f, SF_OK);
        CHECK_EQUAL(static_sum, 2 * (20 * 100 + 190));
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK(info.memory_bytes > 0 && info.memory_bytes <= bytes);
        destroy(f);
        CHECK_EQUAL(library.mallocs, 0);
        for (int i = 0; i < 16; i++) { CHECK(((uint8_t *)block)[bytes + (size_t)i] == 0xa5); }
    }
    free(block);
}
static void memory_that_is_too_small(void **state) /* at any size: a result in words, never a crash */
{
    sf_flow_desc d;
    size_t whole, good = 0;
    uint8_t *block;
    (void)state;
    if (on_cuda()) { return; }
    static_desc(&d);
    whole = sf_flow_memory(&d);
    block = (uint8_t *)malloc(whole);
    for (size_t bytes = 0; bytes <= whole; bytes += bytes < whole - 64 ? whole / 61 / 16 * 16 : 16) {
        sf_flow *f;
        sf_result r;
        memset(block, 0xa5, whole);
        d.memory = (sf_range){ block, bytes };
        if (!bytes) { continue; }                            /* that is no range: the heap's */
        f = static_flow(&d);
        if (!f) { continue; }
        r = sf_flow_run(f);
        if (r != SF_OK && r != SF_ERROR_NO_ROOM) {
            fail_msg("%zu of %zu bytes: %d, %s", bytes, whole, (int)r, sf_flow_failure(f)->text);
        }
        if (r == SF_OK) { good++; } else { CHECK(sf_flow_failure(f)->text[0] != 0); }
        sf_flow_destroy(f);
        for (size_t i = bytes; i < whole; i++) { CHECK(block[i] == 0xa5); }
    }
    CHECK(good > 0);
    free(block);
}
/* The text says a size that is enough for what failed: who follows it gets there. */
static void a_block_that_is_made_larger_as_told(void **state)
{
    uint8_t *block;
    size_t whole, bytes = 4096;
    sf_flow_desc d;
    int rounds = 0;
    (void)state;
    if (on_cuda()) { return; }
    static_desc(&d);
    whole = sf_flow_memory(&d);
    block = (uint8_t *)malloc(whole);
    for (sf_result r = SF_ERROR_NO_ROOM; r != SF_OK; rounds++) {
        const char *told;
        size_t has = 0, enough = 0;
        sf_flow *f;
        d.memory = (sf_range){ block, bytes };
        f = static_flow(&d);
        if (!f || strstr(sf_flow_failure(f)->text, "these limits need")) {   /* not even its tables: no size is told */
            sf_flow_destroy(f);
            bytes += 512;
            CHECK(bytes < whole);
            continue;
        }
        r = sf_flow_run(f);
        told = strstr(sf_flow_failure(f)->text, "sf_flow_desc.memory has ");
        CHECK(r == SF_OK || (r == SF_ERROR_NO_ROOM && told));
        if (told && sscanf(told, "sf_flow_desc.memory has %zu bytes: make it %zu at least", &has, &enough) != 2) {
            fail_msg("%s", sf_flow_failure(f)->text);
        }
        CHECK(r == SF_OK || (has == bytes && enough > bytes && enough <= whole && strlen(told) < 160));
        sf_flow_destroy(f);
        bytes = r == SF_OK ? bytes : enough;
    }
    CHECK(rounds < 100);
    free(block);
}
static void limits_are_needed(void **state)
{
    static uint64_t block[8192];
    sf_flow_desc d = { .memory = { block, sizeof block } };
    sf_flow *f = sf_flow_create(&d);
    (void)state;
    if (f) {
        CHECK_IS(sf_flow_run(f), SF_ERROR_INVALID_VALUE);
        CHECK(strstr(sf_flow_failure(f)->text, "limits") != NULL);
        destroy_is(f, SF_ERROR_INVALID_VALUE);
    }
    CHECK_EQUAL(sf_flow_memory(NULL), 0);
    /* one operator more than the limits allow */
    d.limits.ops = 2;
    d.limits.edges = 1;
    d.limits.messages = 1;
    CHECK(sf_flow_memory(&d) <= sizeof block);
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    CHECK(sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1 }).id != 0);
    CHECK(sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1 }).id != 0);
    CHECK_EQUAL(sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .count = 1 }).id, 0);
    CHECK_IS(sf_flow_run(f), SF_ERROR_NO_ROOM);
    CHECK(strstr(sf_flow_failure(f)->text, "limits.ops is 2, this is one more: make it 3 at least") != NULL);
    destroy_is(f, SF_ERROR_NO_ROOM);
}
/* Operators whose every port is an output with memory of its own, in a block of `bytes`. */
enum { PORTS = SF_DESC_PORTS };
static uint32_t fed;
static sf_result fill_all(sf_context *ctx)
{
    uint32_t outputs = *(const uint32_t *)ctx->user;
    for (uint32_t p = 0; p < outputs; p++) {
        sf_tensor *t = sf_tensor_create(ctx, (int)p, NULL);
        (void)sf_memset_async(sf_compute_stream(ctx), t->data, 1, t->bytes);
        (void)sf_emit(ctx, (int)p, t);
    }
    fed++;
    return SF_OK;
}
static sf_result fill_in(sf_flow_desc *d, void *block, size_t bytes, uint32_t outputs, sf_failure *failure)
{
    static const char *const names[PORTS] = { "a", "b", "c", "d", "e", "f", "g", "h" };
    sf_flow *f;
    sf_result r;
    fed = 0;
    d->memory = (sf_range){ block, bytes };
    f = sf_flow_create(d);
    if (!f) { return SF_ERROR_NO_ROOM; }
    for (uint32_t i = 0; i < d->limits.ops; i++) {
        sf_op_desc o = { .compute = fill_all, .count = 3, .user = &outputs };
        for (uint32_t p = 0; p < outputs; p++) { o.out[p] = (sf_port){ .name = names[p], .bytes = 16 }; }
        (void)sf_flow_add(f, &o);
    }
    r = sf_flow_run(f);
    *failure = *sf_flow_failure(f);
    sf_flow_destroy(f);
    return r;
}
static void memory_for_every_output(void **state)            /* is in what sf_flow_memory says */
{
    static const uint32_t ops[] = { 1, 4, 20 };
    (void)state;
    if (on_cuda()) { return; }
    for (uint32_t k = 0; k < COUNT(ops) * PORTS; k++) {
        uint32_t n = ops[k / PORTS], outputs = 1 + k % PORTS;
        sf_flow_desc d = { .limits = { .ops = n, .payload_bytes = n * outputs * 2 * 64 },
                           .track.device_time = k & 1 };
        size_t bytes = sf_flow_memory(&d);
        void *block = malloc(bytes);
        sf_failure failure;
        if (fill_in(&d, block, bytes, outputs, &failure) != SF_OK) {
            fail_msg("%u operators of %u outputs: %s", n, outputs, failure.text);
        }
        CHECK_EQUAL(fed, 3 * n);
        free(block);
    }
}
/* And for operators with any number of edges: most of them of one, and connected in turn to two ports of it. */
static sf_result pass_two(sf_context *ctx)
{
    for (int p = 0; p < 2; p++) {
        uint64_t sum = 0;
        while (sf_available(ctx, p)) { sum += sf_receive_value(ctx, p).u64; }
        (void)sf_emit_value(ctx, p, number((int64_t)sum));
    }
    return SF_OK;
}
static sf_result say_one(sf_context *ctx) { return sf_emit_value(ctx, 0, number(1)); }
static sf_result add_up(sf_context *ctx)
{
    fed += (uint32_t)sf_receive_value(ctx, 0).u64;
    return SF_OK;
}
static sf_flow *flow_in_its_memory(sf_flow_desc *d)          /* in as many bytes as sf_flow_memory() says. Free these */
{
    d->memory.bytes = sf_flow_memory(d);
    d->memory.ptr = malloc(d->memory.bytes);
    return sf_flow_create(d);
}
static void memory_for_many_edges(void **state)
{
    static const char *const ins[] = { "in0", "in1" }, *const outs[] = { "out0", "out1" };
    (void)state;
    for (uint32_t n = 2; n <= 130; n += n < 20 ? 1 : 11) {
        sf_flow_desc d = { .limits = { .ops = 2 * n + 1, .edges = 3 * n, .messages = 2 * n } };
        sf_edge_desc turn = { .control = true };
        sf_flow_info info;
        sf_op hub;
        sf_flow *f;
        f = flow_in_its_memory(&d);
        fed = 0;
        hub = sf_flow_add(f, &(sf_op_desc){ .compute = pass_two, .in = { { .name = "in0", .many = true },
                                                                    { .name = "in1", .many = true } },
                                       .out = { { .name = "out0" }, { .name = "out1" } } });
        for (uint32_t i = 0; i < n; i++) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = say_one, .count = 2, .out = { { .name = "out" } } });
            sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = add_up, .in = { IN("in") } });
            CHECK_OK(sf_flow_connect(f, a, NULL, hub, ins[i & 1], NULL));
            CHECK_OK(sf_flow_connect(f, hub, outs[i & 1], b, NULL, NULL));
            CHECK_OK(sf_flow_connect(f, hub, NULL, b, NULL, &turn));
        }
        run_is(f, SF_OK);
        CHECK_EQUAL(fed, 2 * (n / 2 * (n / 2) + (n - n / 2) * (n - n / 2)));
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK(info.memory_bytes <= d.memory.bytes);
        destroy_is(f, SF_OK);
        free(d.memory.ptr);
    }
}
/* And for jobs: each has a turn of its own, for all that any operator may emit. */
static void *do_at_once(void (*task)(void *arg), void *arg, void *user)
{
    (void)user;
    task(arg);
    return NULL;
}
static void end_at_once(void *task, void *user) { (void)task, (void)user; }
static sf_result emit_all(sf_context *ctx)
{
    for (uint32_t i = 0; i < *(const uint32_t *)ctx->user; i++) { (void)sf_emit_value(ctx, 0, number(i)); }
    return SF_OK;
}
static sf_result take_all(sf_context *ctx)
{
    while (sf_available(ctx, 0)) { fed += 1 + (uint32_t)sf_receive_value(ctx, 0).u64 * 0; }
    return SF_OK;
}
static void memory_for_jobs(void **state)
{
    static const uint32_t sizes[] = { 1, 8, 100 };
    (void)state;
    for (uint32_t k = 0; k < 2 * COUNT(sizes); k++) {
        uint32_t n = sizes[k / 2];
        sf_flow_desc d = { .limits = { .ops = 2, .edges = 1, .messages = n }, .metadata_entries = k & 1 ? 8 : 0,
                           .jobs = { do_at_once, end_at_once, NULL } };
        sf_op a, b;
        sf_flow *f;
        f = flow_in_its_memory(&d);
        fed = 0;
        a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_all, .user = &n, .count = 3, .out = { { .name = "out" } },
                                     .when = { { .kind = SF_CONDITION_ROOM, .count = n } } });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = take_all,
                                     .in = { { .name = "in", .capacity = (uint16_t)n, .batch = (uint16_t)n } } });
        connect(f, a, b);
        run_is(f, SF_OK);
        CHECK_EQUAL(fed, 3 * n);
        destroy_is(f, SF_OK);
        free(d.memory.ptr);
    }
}
/* And for threads, in whichever group: with group 0 left out the caller's thread is one more worker. */
static void memory_for_threads(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 9 * 4; k++) {
        uint32_t n = 2 + k / 9;
        sf_flow_desc d = { .limits = { .ops = n, .edges = n - 1, .messages = n - 1 },
                           .workers = { { .count = (int32_t)(k % 9 / 3) }, { .count = (int32_t)(k % 3) } } };
        sf_flow_info info;
        sf_op last;
        sf_flow *f;
        f = flow_in_its_memory(&d);
        fed = 0;
        last = sf_flow_add(f, &(sf_op_desc){ .compute = say_one, .count = 9, .out = { { .name = "out" } } });
        for (uint32_t i = 1; i < n; i++) {
            sf_op_desc o = { .compute = i < n - 1 ? pass_value : add_up, .in = { IN("in") },
                             .workers = d.workers[1].count ? (int32_t)(i & 1) : 0 };
            sf_op next;
            if (i < n - 1) { o.out[0].name = "out"; }
            next = sf_flow_add(f, &o);
            CHECK_OK(sf_flow_connect(f, last, NULL, next, NULL, NULL));
            last = next;
        }
        run_is(f, SF_OK);
        CHECK_EQUAL(fed, 9);
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK(info.memory_bytes <= d.memory.bytes);
        destroy_is(f, SF_OK);
        free(d.memory.ptr);
    }
}
static void too_little_memory_is_told_at_the_start(void **state)     /* not in a compute; and how much it takes */
{
    sf_flow_desc d = { .limits = { .ops = 4, .payload_bytes = 4 * PORTS * 2 * 64 } };
    size_t whole = sf_flow_memory(&d);
    void *block = malloc(whole);
    char need[32];
    uint32_t good = 0, bad = 0;
    (void)state;
    snprintf(need, sizeof need, "%zu", whole);
    for (size_t bytes = 512; bytes <= whole && !on_cuda(); bytes += whole / 500 / 16 * 16) {
        sf_failure failure = { .text = need };
        sf_result r = fill_in(&d, block, bytes, PORTS, &failure);
        good += r == SF_OK;
        bad += r != SF_OK;
        bool told = strstr(failure.text, need) || strstr(failure.text, "bytes: make it ");
        if (r != SF_OK && (r != SF_ERROR_NO_ROOM || fed || !told)) {
            fail_msg("%zu of %zu bytes: %d after %u computes, %s", bytes, whole, (int)r, fed, failure.text);
        }
    }
    CHECK(on_cuda() || (good && bad));
    free(block);
}
static void the_limit_that_is_met_is_named(void **state)
{
    static uint64_t block[8192];
    sf_flow_desc d = { .limits = { .ops = 1, .messages = 8 }, .memory = { block, sizeof block } };
    sf_op_desc o = { .compute = nothing, .in = { { .name = "x", .external = true },
                                                 { .name = "y", .external = true } } };
    for (uint32_t limit = 0; limit < 4; limit++) {           /* a chain of 3 edges; operators have room for more */
        sf_flow *f;
        sf_op ops[4];
        d.limits.ops = 4, d.limits.edges = limit;
        f = sf_flow_create(&d);
        for (int i = 0; i < 4; i++) {
            sf_op_desc link = { .compute = i ? pass_value : count_up, .out = { { .name = "out" } },
                                .count = i ? 0 : 1 };
            if (i) { link.in[0].name = "in"; }
            ops[i] = sf_flow_add(f, &link);
            if (i) { CHECK_OK(sf_flow_connect(f, ops[i - 1], NULL, ops[i], NULL, NULL)); }
        }
        run_is(f, limit < 3 ? SF_ERROR_NO_ROOM : SF_OK);
        CHECK(limit == 3 || strstr(sf_flow_failure(f)->text, "has 3 edges"));
        CHECK(limit == 3 || strstr(sf_flow_failure(f)->text, "limits.edges is "));
        sf_flow_destroy(f);
    }
    d.limits.ops = 1;
    for (int more = 0; more < 2; more++) {                   /* an external input is an edge, but for one */
        sf_flow *f;
        d.limits.edges = (uint32_t)more;
        CHECK(sf_flow_memory(&d) <= sizeof block);
        f = sf_flow_create(&d);
        CHECK((sf_flow_add(f, &o).id != 0) == (more != 0));
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), more ? SF_OK : SF_ERROR_NO_ROOM);
        CHECK(more || strstr(sf_flow_failure(f)->text, "limits.edges is 0"));
        sf_flow_destroy(f);
    }
    (void)state;
#ifndef SF_NO_THREADS
    d.workers[0].count = 8;                                  /* threads that do not fit are no wrong number of them */
    for (size_t bytes = 512; bytes < 32768; bytes += 512) {
        sf_flow *f;
        d.memory.bytes = bytes;
        f = sf_flow_create(&d);
        if (f && sf_flow_failure(f)->result != SF_OK) {
            CHECK_IS(sf_flow_failure(f)->result, SF_ERROR_NO_ROOM);
            CHECK(strstr(sf_flow_failure(f)->text, "bytes") != NULL);
        }
        sf_flow_destroy(f);
    }
#endif
}
/* What tensors need is said before anything runs. A buffer of one's own takes a stream, and no payload. */
static void memory_for_tensors_is_checked(void **state)
{
    static uint64_t block[1 << 16], own[BYTES / 8 + 1];
    (void)state;
    if (on_cuda()) { return; }
    for (int k = 0; k < 4; k++) {
        bool good = k & 1, mine = k & 2;
        sf_flow_desc d = { .limits = { .ops = 2, .edges = 1, .messages = 2 } };
        sf_op_desc from = { .name = "from", .compute = source, .count = 3,
                            .out = { { .name = "out", .bytes = BYTES, .data = mine ? own : NULL } } };
        sf_flow_info info;
        sf_flow *f;
        if (good && mine) { d.limits.streams = 1; }
        if (good && !mine) { d.limits.payload_bytes = 3 * BYTES; }
        d.memory = (sf_range){ block, sf_flow_memory(&d) };
        CHECK(d.memory.bytes <= sizeof block && BYTES <= sizeof own);
        f = sf_flow_create(&d);
        CHECK_OK(sf_flow_connect(f, sf_flow_add(f, &from), NULL, sf_flow_add(f, &(sf_op_desc){ .compute = let_pass,
                .in = { IN("in") } }),
                            NULL, NULL));
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), good ? SF_OK : SF_ERROR_NO_ROOM);
        if (!good) {
            const char *text = sf_flow_failure(f)->text;
            CHECK(strstr(text, "from") && strstr(text, mine ? "limits.streams" : "limits.payload_bytes"));
        }
        run_is(f, good ? SF_OK : SF_ERROR_NO_ROOM);
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK_EQUAL(info.payload_bytes, good && !mine ? 3 * BYTES : 0);
        destroy_is(f, good ? SF_OK : SF_ERROR_NO_ROOM);
    }
}
/* Every request of a whole life refused once: no crash, nothing leaks, and the result says so. */
static void every_allocation_fails_once(void **state)
{
    (void)state;
    for (long at = 1;; at += on_cuda() ? 7 : 1) {           /* opening a GPU takes long */
        test_heap h = { .fail_at = at };
        sf_heap hooks = { test_heap_alloc, test_heap_free, &h };
        sf_device *d = NULL;
        sf_device_desc desc = { .backend = test_backend,
                                .host = { .order = SF_ORDER_FIRST_IN },
                                .heap = hooks };
        sf_result r = sf_device_open(&desc, &d);
        if (r == SF_OK) {
            sf_flow_desc fd = { .device = d, .heap = hooks };
            sf_flow *f = static_flow(&fd);
            if (f) {
                r = sf_flow_run(f);
                if (r != SF_OK && r != SF_ERROR_OUT_OF_MEMORY) {
                    fail_msg("allocation %ld: %d, %s", at, (int)r, sf_flow_failure(f)->text);
                }
                if (r < 0) { CHECK_EQUAL(sf_flow_failure(f)->result, SF_ERROR_OUT_OF_MEMORY); }
                sf_flow_destroy(f);
            }
            CHECK_OK(sf_device_close(d, GUARD));
        } else {
            CHECK_IS(r, SF_ERROR_OUT_OF_MEMORY);
        }
        if (h.live) { fail_msg("%ld blocks leak when request %ld is refused", h.live, at); }
        if (h.total < at) { break; }                         /* it never came to that many */
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(reuse_waits_for_every_reader),
        TEST(reuse_on_streams_that_were_there_before),
        TEST(the_cpu_may_write_at_once),
        TEST(reuse_waits_for_other_readers_too),
        TEST(reuse_on_streams_that_come_later),
        TEST(reuse_waits_for_many_readers),
        TEST(memory_of_a_failed_compute),
        TEST(scratch_memory_is_taken_back),
        TEST(shared_pools),
        TEST(flows_side_by_side_share_a_pool),
        TEST(one_tensor_on_two_ports),
        TEST(a_port_s_own_buffer),
        TEST(tensors_have_shapes),
        TEST(no_memory_is_a_condition),
        TEST(a_batch_behind_a_larger_block),
        TEST(memory_that_never_comes_back),
        TEST(memory_held_for_a_moment),
        TEST(flows_that_wait_for_one_block),
        TEST(memory_of_the_next_try),
        TEST(no_memory_is_an_error),
        TEST(memory_condition_and_the_gpu),
        TEST(memory_condition_on_a_shared_pool),
        TEST(a_block_is_for_who_can_run),
        TEST(tensors_that_cannot_be),
        TEST(retained_tensors_outlive_the_flow),
        TEST(what_is_retained_is_used_until_it_is_released),
        TEST(reuse_waits_for_a_stream_that_was_given),
        TEST(wrapped_memory_is_released_once),
        TEST(released_when_the_gpu_is_done),
        TEST(a_ring_of_buffers_goes_round),
        TEST(what_goes_nowhere_is_released_when_the_gpu_is_done),
        TEST(nobody_takes_no_place),
        TEST(what_was_retained_is_released_by_who_did),
        TEST(wrapped_and_kept),
        TEST(what_cannot_be_wrapped),
        TEST(steady_state_allocates_nothing),
        TEST(lives_in_memory_handed_in),
        TEST(memory_that_is_too_small),
        TEST(a_block_that_is_made_larger_as_told),
        TEST(limits_are_needed),
        TEST(memory_for_tensors_is_checked),
        TEST(memory_for_every_output),
        TEST(memory_for_many_edges),
        TEST(memory_for_jobs),
        TEST(memory_for_threads),
        TEST(too_little_memory_is_told_at_the_start),
        TEST(the_limit_that_is_met_is_named),
        TEST(every_allocation_fails_once),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("flow memory", tests, NULL, NULL);
}
