/*  test_flow_captures.c - flows beside captures of the user's: on streams that a flow was told of, the library adds
    nothing to the user's graph, waits for nothing that only a launch can do, and gives out no memory too early. */
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

enum { FRAMES = 12, HELD = 3, SPIN = 3000 };
static sf_stream *side, *told;                               /* the user's, which captures; what flows know it as */
static sf_event *ready;
static uint32_t *buffer, *probed, *gate;
static sf_tensor *held[HELD];
static uint32_t held_count, seen, go, pause_at;              /* pause_at: the source waits there for a 0 */

static void begin(void)
{
    notes_clear();
    told = side = test_stream(device);
    ready = test_event(device);
    buffer = (uint32_t *)test_memory(device, BYTES + (PROBE * HELD + 1) * sizeof *buffer);
    probed = buffer + WORDS;
    gate = probed + PROBE * HELD;
    test_store(&held_count, 0), test_store(&seen, 0), test_store(&go, 0), test_store(&pause_at, 0);
}
static void end(void)
{
    CHECK_OK(sf_stream_synchronize(side, GUARD));
    CHECK_OK(sf_stream_destroy(side));
    CHECK_OK(sf_event_destroy(ready));
    CHECK_OK(sf_mem_free(device, buffer));
}
static void capture(void)
{
    CHECK_OK(sf_stream_begin_capture(side, SF_CAPTURE_THREAD_LOCAL));
    CHECK_OK(sf_memset_async(side, buffer, 1, BYTES));
}
/* The graph is the user's two nodes, no more, and works, also when the flow is gone. */
static sf_graph *captured(void)
{
    sf_graph *graph = NULL;
    sf_capture_status status;
    int n = 0;
    CHECK_OK(sf_stream_is_capturing(side, &status));
    CHECK_EQUAL(status, SF_CAPTURE_ACTIVE);
    CHECK_OK(sf_memset_async(side, buffer, 2, BYTES));
    CHECK_OK(sf_stream_end_capture(side, &graph));
    CHECK_OK(sf_graph_get_nodes(graph, NULL, 0, &n));
    CHECK_EQUAL(n, 2);
    return graph;
}
static void launch(sf_graph *graph)
{
    sf_graph_exec *exec;
    CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
    CHECK_OK(sf_graph_launch(exec, side));
    CHECK_OK(sf_stream_synchronize(side, GUARD));
    CHECK_EQUAL(buffer[WORDS - 1], 0x02020202);
    CHECK_OK(sf_graph_exec_destroy(exec));
    CHECK_OK(sf_graph_destroy(graph));
}

static void follow(sf_stream *s)                             /* what `side` gets next is behind the work on `s` */
{
    sf_event_record(ready, s, 0);
    sf_stream_wait_event(told, ready, 0);
}
static sf_result frames(sf_context *ctx)                     /* frame n is all 100 + n */
{
    sf_tensor *t;
    for (int i = 0; i < 30000 && ctx->run && ctx->run == test_load(&pause_at); i++) { usleep(1000); }
    t = sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS } });
    if (!t) { return SF_ERROR_POOL_EXHAUSTED; }
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, SPIN);
    return sf_emit(ctx, 0, t);
}
/* Keeps the first frames, and lets `side` read them, behind the gate. */
static sf_result keeps(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    if (ctx->run >= (uint32_t)*(const int *)ctx->user) { return SF_OK; }
    follow(s);
    if (ctx->run == 0) { test_gate(told, gate, 1); }
    probe(told, t->data, probed + PROBE * ctx->run, SPIN);
    sf_tensor_set_deallocation_stream(t, told);
    held[ctx->run] = sf_tensor_retain(t);
    test_add(&held_count, 1);
    return SF_OK;
}
static sf_flow *keeper(const sf_port *out, const int *keep, int32_t workers)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
    sf_op_desc from = { .name = "frames", .compute = frames, .count = FRAMES };
    from.out[0] = *out;
    connect(f, sf_flow_add(f, &from),
            sf_flow_add(f, &(sf_op_desc){ .name = "keeps", .compute = keeps, .user = (void *)(uintptr_t)keep,
                                          .in = { { .name = "in" } } }));
    return f;
}
static void frames_were_probed(int count)
{
    for (int i = 0; i < count; i++) { CHECK_PROBE(probed + PROBE * i, 100 + i); }
}

/* All blocks were read on a stream that captures now: the source waits for one, and what wakes it is no node. */
static void out_of_blocks(sf_device *other)          /* other: has the stream, and the flow's device wraps it */
{
    static const sf_port out = { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED };
    for (int32_t workers = 0; workers < 3; workers++) {
        sf_flow *f;
        sf_graph *graph;
        begin();
        if (other) {
            CHECK_OK(sf_stream_destroy(side));
            CHECK_OK(sf_event_destroy(ready));
            side = test_stream(other);
            CHECK_OK(sf_stream_wrap(device, sf_stream_native(side), &told));
            ready = test_event(device);
        }
        test_store(gate, 1);
        f = keeper(&out, &ids[HELD], workers);
        CHECK_OK(sf_flow_start(f));
        until(&held_count, HELD);
        capture();
        for (int i = 0; i < HELD; i++) { sf_tensor_release(held[i]); }
        usleep(5000);                        /* the flow has run out of blocks, and sleeps */
        graph = captured();
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
        launch(graph);
        frames_were_probed(HELD);
        if (other) { CHECK_OK(sf_stream_destroy(told)); }
        end();
    }
}
static void wake_ups_are_no_nodes(void **state) { (void)state, out_of_blocks(NULL); }
/* The capture of a CUstream begins where the device of the flow does not see it. */
static void wake_ups_are_no_nodes_of_a_wrapped_stream(void **state)
{
    sf_device *other;
    (void)state;
    if (!on_cuda()) { return; }              /* a host device wraps none */
    other = open_device();
    out_of_blocks(other);
    test_close(other);
}

/* What `side` got before its capture is not done when the block is released. Of each kind of pool, the block is given
   out when it is; the run goes on and ends without that block; and the memory is freed after the capture. */
static void pool_beside_a_capture(const sf_mem_pool_desc *desc)
{
    bool pinned_of_its_own = desc->kind == SF_MEM_POOL_UNBOUNDED && desc->memory == SF_MEMORY_PINNED;
    sf_counters before, after;
    sf_port out = { .name = "out", .bytes = BYTES };
    sf_mem_pool *pool = NULL;
    sf_flow *f;
    sf_graph *graph;
    CHECK_OK(sf_device_get_counters(device, &before));
    begin();
    if (desc->block_bytes) {
        CHECK_OK(sf_mem_pool_create(device, desc, &pool));
        out.pool = pool;
    } else {
        out.memory = desc->memory;           /* the flow's own pool */
    }
    f = keeper(&out, &ids[1], 2);
    test_store(&pause_at, 2);                /* the release comes while frames are left */
    CHECK_OK(sf_flow_start(f));
    until(&held_count, 1);
    if (pinned_of_its_own) { test_store(gate, 1); }          /* to free pinned memory, CUDA waits for the whole GPU */
    capture();
    sf_tensor_release(held[0]);
    test_store(&pause_at, 0);
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
    graph = captured();
    test_store(gate, 1);
    launch(graph);
    frames_were_probed(1);
    if (pool) {
        f = keeper(&out, &ids[0], 0);        /* the block has come back */
        run_is(f, SF_OK);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
    end();
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .blocks = 1, .block_bytes = 4 }, &pool));
    CHECK_OK(sf_mem_pool_destroy(pool));     /* has freed what waited for the capture */
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_EQUAL(after.live_bytes, before.live_bytes);
}
static void memory_waits_for_a_capture(void **state)
{
    static const sf_mem_pool_desc pools[] = {
        { .memory = SF_MEMORY_DEVICE }, { .memory = SF_MEMORY_PINNED },
        { .memory = SF_MEMORY_DEVICE, .blocks = 3, .block_bytes = BYTES },
        { .memory = SF_MEMORY_PINNED, .blocks = 3, .block_bytes = BYTES },
        { .kind = SF_MEM_POOL_ASYNC, .block_bytes = BYTES },
        { .kind = SF_MEM_POOL_UNBOUNDED, .block_bytes = BYTES },
        { .kind = SF_MEM_POOL_UNBOUNDED, .memory = SF_MEMORY_PINNED, .block_bytes = BYTES },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pools); i++) { pool_beside_a_capture(&pools[i]); }
}
/* All operators have ended, and a wrapped tensor still waits for a capture: the run ends, under each order. */
static void released(void *data, void *user) { (void)data, (void)user, note_down(9, 1); }
static void a_run_ends_beside_a_tensor_in_limbo(void **state)
{
    sf_device *of_setup = device;
    (void)state;
    for (uint32_t o = 0; o < order_count(); o++) {
        for (int32_t workers = 0; workers < 3; workers++) {
            sf_flow *f;
            sf_tensor *t;
            device = open_order(o, 7);
            begin();
            f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
            sf_flow_add(f, &(sf_op_desc){ .name = "one", .compute = nothing, .count = 3 });
            t = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = buffer, .shape = { BYTES }, .memory = SF_MEMORY_PINNED,
                                                     .release = released });
            CHECK_OK(sf_tensor_set_deallocation_stream(t, side));
            capture();
            sf_tensor_release(t);
            CHECK_OK(sf_flow_start(f));
            CHECK_OK(sf_flow_wait(f, GUARD));
            CHECK_EQUAL(notes_of(9, NULL, 0), 0);
            launch(captured());
            destroy(f);
            CHECK_EQUAL(notes_of(9, NULL, 0), 1);
            end();
            test_close(device);
        }
    }
    device = of_setup;
}
/* The last reference goes in a host function, where nothing can be enqueued; then the stream captures. */
static sf_tensor *last;
static void release_last(void *user) { (void)user, sf_tensor_release(last); }
static sf_result retains_one(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    if (ctx->run) { return SF_OK; }
    follow(sf_compute_stream(ctx));
    sf_tensor_set_deallocation_stream(t, side);
    last = sf_tensor_retain(t);
    return SF_OK;
}
static void released_in_a_host_function(void **state)
{
    static const sf_mem_pool_desc pools[] = {
        { .blocks = 2, .block_bytes = BYTES }, { .memory = SF_MEMORY_PINNED, .blocks = 2, .block_bytes = BYTES },
        { .kind = SF_MEM_POOL_ASYNC }, { .kind = SF_MEM_POOL_UNBOUNDED },
        { .kind = SF_MEM_POOL_UNBOUNDED, .memory = SF_MEMORY_PINNED },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pools); i++) {
        sf_op_desc from = { .compute = frames, .count = 4, .out = { { .name = "out", .bytes = BYTES } } };
        sf_counters before, after;
        sf_mem_pool *pool;
        sf_flow *f;
        sf_stream *s = test_stream(device);
        begin();
        CHECK_OK(sf_device_get_counters(device, &before));
        CHECK_OK(sf_mem_pool_create(device, &pools[i], &pool));
        from.out[0].pool = pool;
        f = flow_on(device);
        connect(f, sf_flow_add(f, &from),
                sf_flow_add(f, &(sf_op_desc){ .compute = retains_one, .in = { { .name = "in" } } }));
        run_is(f, SF_OK);
        CHECK_OK(sf_launch_host_func(s, release_last, NULL));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        capture();
        launch(captured());
        run_is(f, SF_OK);
        sf_tensor_release(last);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_OK(sf_device_get_counters(device, &after));
        CHECK_EQUAL(after.live_bytes, before.live_bytes);
        end();
        CHECK_OK(sf_stream_destroy(s));
    }
}
/* The end of a run leaves a block behind that a stream of the user's still reads, and does not wait for it. */
static void a_run_ends_beside_a_reader(void **state)
{
    static const sf_port out = { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED };
    sf_counters before, after;
    sf_flow *f;
    (void)state;
    CHECK_OK(sf_device_get_counters(device, &before));
    begin();
    f = keeper(&out, &ids[1], 0);
    CHECK_OK(sf_flow_start(f));
    until(&held_count, 1);
    sf_tensor_release(held[0]);
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);                              /* and the gate is closed */
    test_store(gate, 1);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    frames_were_probed(1);
    end();
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_EQUAL(after.live_bytes, before.live_bytes);
}
/* A pool is destroyed while its block waits for a capture: the call does not block, nor free the block too early. */
static void a_pool_is_destroyed_beside_a_capture(void **state)
{
    static const sf_memory kinds[] = { SF_MEMORY_DEVICE, SF_MEMORY_PINNED };
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        sf_mem_pool *pool;
        sf_flow *f;
        sf_graph *graph;
        begin();
        CHECK_OK(sf_mem_pool_create(
            device, &(sf_mem_pool_desc){ .memory = kinds[i], .blocks = 3, .block_bytes = BYTES }, &pool));
        f = keeper(&(sf_port){ .name = "out", .bytes = BYTES, .pool = pool }, &ids[1], 0);
        run_is(f, SF_OK);
        destroy(f);
        capture();
        sf_tensor_release(held[0]);
        CHECK_OK(sf_mem_pool_destroy(pool));
        graph = captured();
        test_store(gate, 1);
        launch(graph);
        frames_were_probed(1);
        end();
    }
}

/* The run ends while a stream that a compute named captures: both go well. */
static sf_result hands_over(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0), *o = sf_tensor_like(ctx, 0, t);
    follow(sf_compute_stream(ctx));
    paint(side, o->data, t->data, NULL, 1000, SPIN);
    sf_set_stream(ctx, 0, side);
    return sf_emit(ctx, 0, o);
}
static sf_result last_waits(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    note_down(1, ((const uint32_t *)t->data)[WORDS - 1]);
    if (test_add(&seen, 1) + 1 == FRAMES) { until(&go, 1); }
    return SF_OK;
}
static void a_run_ends_beside_a_capture(void **state)
{
    (void)state;
    for (int32_t workers = 0; workers < 3; workers += 2) {
        sf_flow *f;
        sf_op a, b, c;
        sf_graph *graph;
        begin();
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        a = sf_flow_add(f, &(sf_op_desc){ .compute = frames, .count = FRAMES,
                                          .out = { { .name = "out", .bytes = BYTES } } });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = hands_over, .in = { { .name = "in" } },
                                          .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = last_waits, .in = { { .name = "in" } },
                                          .when = { { .kind = SF_CONDITION_STREAM } } });
        connect(f, a, b), connect(f, b, c);
        CHECK_OK(sf_flow_start(f));
        until(&seen, FRAMES);
        CHECK_OK(sf_stream_synchronize(side, GUARD));
        capture();
        test_store(&go, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        graph = captured();
        check_counts(1, 1100, FRAMES);
        destroy(f);
        launch(graph);
        end();
    }
}

/* A stream that captures is refused where the library would have to wait for its work. */
static sf_result names_it(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    note_down(1, sf_tensor_set_deallocation_stream(t, side));
    note_down(1, sf_tensor_to_dlpack(t, side) != NULL);
    note_down(1, sf_set_stream(ctx, 0, side));
    return sf_emit(ctx, 0, t);
}
static void refused_where_it_is_told(void **state)
{
    sf_flow *f;
    sf_tensor *t;
    const char *text;
    (void)state;
    begin();
    f = flow_on(device);
    sf_flow_add(f, &(sf_op_desc){ .name = "names it", .compute = names_it, .count = 1,
                                  .out = { { .name = "out", .bytes = BYTES } } });
    capture();
    t = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = buffer, .shape = { BYTES }, .memory = SF_MEMORY_PINNED,
                                             .release = released });
    CHECK_IS(sf_tensor_set_deallocation_stream(t, side), SF_ERROR_CAPTURE_UNSUPPORTED);
    text = sf_device_failure(device)->text;
    CHECK(strstr(text, "sf_tensor_set_deallocation_stream") && strstr(text, "captures"));
    sf_tensor_release(t);
    run_is(f, SF_ERROR_CAPTURE_UNSUPPORTED);
    CHECK_NOTES(1, SF_ERROR_CAPTURE_UNSUPPORTED, 0, SF_ERROR_CAPTURE_UNSUPPORTED);
    text = sf_flow_failure(f)->text;
    CHECK(strstr(text, "names it") && strstr(text, "sf_set_stream") && strstr(text, "captures"));
    launch(captured());
    destroy_is(f, SF_ERROR_CAPTURE_UNSUPPORTED);
    end();
}

/* An operator that leaves its own stream captured fails, by name; its messages go to nobody. */
static sf_result leaves_it(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    sf_stream_begin_capture(s, SF_CAPTURE_RELAXED);
    sf_memset_async(s, t->data, 1, t->bytes);
    return sf_emit(ctx, 0, t);
}
static sf_result ends_it(sf_context *ctx)
{
    sf_graph *graph = NULL;
    int n = 0;
    note_down(2, sf_stream_end_capture(sf_compute_stream(ctx), &graph));
    sf_graph_get_nodes(graph, NULL, 0, &n);
    note_down(2, n);
    return sf_graph_destroy(graph);
}
static void an_operator_s_own_capture_fails_it(void **state)
{
    sf_flow *f;
    (void)state;
    begin();
    f = flow_on(device);
    connect(f, sf_flow_add(f, &(sf_op_desc){ .name = "leaves it", .compute = leaves_it, .stop = ends_it, .count = 1,
                                             .out = { { .name = "out", .bytes = BYTES } } }),
            sf_flow_add(f, &(sf_op_desc){ .compute = last_waits, .in = { { .name = "in" } } }));
    run_is(f, SF_ERROR_CAPTURE_UNSUPPORTED);
    CHECK(strstr(sf_flow_failure(f)->text, "\"leaves it\"") && strstr(sf_flow_failure(f)->text, "still captures"));
    CHECK_NOTES(2, SF_OK, 1);
    CHECK_EQUAL(seen, 0);
    destroy_is(f, SF_ERROR_CAPTURE_UNSUPPORTED);
    end();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(wake_ups_are_no_nodes),
        TEST(wake_ups_are_no_nodes_of_a_wrapped_stream),
        TEST(memory_waits_for_a_capture),
        TEST(a_pool_is_destroyed_beside_a_capture),
        TEST(a_run_ends_beside_a_tensor_in_limbo),
        TEST(released_in_a_host_function),
        TEST(a_run_ends_beside_a_reader),
        TEST(a_run_ends_beside_a_capture),
        TEST(refused_where_it_is_told),
        TEST(an_operator_s_own_capture_fails_it),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("flow captures", tests, NULL, NULL);
}
