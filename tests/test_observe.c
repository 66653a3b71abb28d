/*  test_observe.c - what a flow tells about itself: its plan, its picture, its times, and how it ends. The clock is one
    that moves by 1 us each time it is read, so that times are exact. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* As nvtx3/nvToolsExt.h has them: what a profiler would see. */
#define NVTX_VERSION 3
enum { RANGES = 64 };
static struct { char name[RANGES][16]; unsigned begun, ended, depth; } ranges;
static int nvtxRangePushA(const char *name)
{
    snprintf(ranges.name[ranges.begun++ % RANGES], sizeof ranges.name[0], "%s", name);
    return (int)ranges.depth++;
}
static int nvtxRangePop(void) { return ranges.ended++, (int)--ranges.depth; }
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"

static bool says(const char *what) { return strstr(report.text, what) != NULL; }
static bool is_json(void)                        /* as far as brackets, strings and their order go */
{
    char open[64];
    int depth = 0;
    bool text = false;
    for (const char *c = report.text; *c; c++) {
        if (text) {
            if (*c == '\\' && c[1]) { c++; } else if (*c == '"') { text = false; }
            continue;
        }
        if (*c == '"') { text = true; }
        if (*c == '{' || *c == '[') { open[depth++] = *c == '{' ? '}' : ']'; }
        if ((*c == '}' || *c == ']') && (depth == 0 || open[--depth] != *c)) { return false; }
    }
    return !text && depth == 0 && !says(",]") && !says(",}") && !says("}{");
}

static int64_t ticks;
static int64_t tick(void *user) { return (void)user, __atomic_add_fetch(&ticks, 1000, __ATOMIC_RELAXED); }

static sf_result nobody(sf_context *ctx) { return (void)ctx, SF_OK; }
/* One range for each compute, of its operator's name: on the short way, on the long one and in a region. */
static void computes_are_ranges(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST, .track.latency = how == 1 });
        static const char *const want[] = { "left", "right" };
        for (int i = 0; i < 2; i++) {
            sf_add(f, &(sf_op_desc){ .name = want[i], .compute = nobody, .count = 20, .region = how == 2 ? 1 + i : 0 });
        }
        memset(&ranges, 0, sizeof ranges);
        CHECK_OK(sf_run(f));
        CHECK_EQUAL(ranges.begun, 40);
        CHECK_EQUAL(ranges.ended, 40);
        CHECK_EQUAL(ranges.depth, 0);
        for (int i = 0; i < 40; i++) {
            CHECK(strcmp(ranges.name[i], want[0]) == 0 || strcmp(ranges.name[i], want[1]) == 0);
        }
        CHECK(strcmp(ranges.name[0], ranges.name[1]) != 0);      /* in turn */
        CHECK_OK(sf_flow_destroy(f));
    }
}

typedef struct diamond { sf_flow *flow; sf_op source, left, right, sum; } diamond;
static sf_result add_two(sf_context *ctx)
{
    int64_t a = sf_receive_value(ctx, 0).i64, b = sf_receive_value(ctx, 1).i64;
    note_down(0, a + b);
    return SF_OK;
}
static diamond make(const sf_flow_desc *desc)
{
    diamond d = { .flow = sf_flow_create(desc) };
    d.source = sf_add(d.flow, &(sf_op_desc){ .name = "source", .compute = count_up, .out = { { .name = "out" } }, .count = 9 });
    d.left = sf_add(d.flow, &(sf_op_desc){ .name = "left \"x\"", .compute = pass_value, .in = { { .name = "in" } },
                                           .out = { { .name = "out" } } });
    d.right = sf_add(d.flow, &(sf_op_desc){ .name = "right", .compute = pass_value, .in = { { .name = "in" } },
                                            .out = { { .name = "out" } } });
    d.sum = sf_add(d.flow, &(sf_op_desc){ .name = "sum", .compute = add_two, .in = { { .name = "a" }, { .name = "b" } } });
    connect(d.flow, d.source, d.left);
    connect(d.flow, d.source, d.right);
    CHECK_OK(sf_connect(d.flow, d.left, NULL, d.sum, "a", NULL));
    CHECK_OK(sf_connect(d.flow, d.right, NULL, d.sum, "b", &(sf_edge_desc){ .capacity = 3 }));
    return d;
}

static void the_plan(void **state)
{
    diamond d = make(&(sf_flow_desc){ .name = "d", .device = device });
    (void)state;
    report_clear();
    CHECK_OK(sf_flow_check(d.flow, false, report_add, NULL));
    CHECK(says("4 operators") && says("4 edges") && says("0 problems"));
    CHECK(says("out -> sum.b: 3 messages") && says("out -> sum.a: 1 messages"));
    report_clear();
    CHECK_OK(sf_flow_check(d.flow, true, report_add, NULL));
    CHECK(is_json());
    CHECK(says("\"left \\\"x\\\"\"") && says("\"capacity\":3") && says("\"problems\":[]"));
    destroy(d.flow);
}
static void the_plan_of_what_is_wrong(void **state)          /* all problems, and still a plan */
{
    sf_flow *f = flow_on(device);
    (void)state;
    (void)sf_add(f, &(sf_op_desc){ .name = "one", .compute = take_value, .in = { { .name = "in" } } });
    (void)sf_add(f, &(sf_op_desc){ .name = "two", .compute = take_value, .in = { { .name = "in" } } });
    report_clear();
    CHECK_IS(sf_flow_check(f, true, report_add, NULL), SF_ERROR_NOT_CONNECTED);
    CHECK(is_json());
    CHECK(says("\\\"one\\\".in") && says("\\\"two\\\".in"));
    CHECK_EQUAL(sf_flow_failure(f)->count, 2);
    destroy_is(f, SF_OK);                        /* it never ran, and nothing else went wrong */
}
static void the_picture(void **state)
{
    diamond d = make(&(sf_flow_desc){ .name = "d", .device = device });
    (void)state;
    run_is(d.flow, SF_OK);
    report_clear();
    CHECK_OK(sf_flow_dot(d.flow, report_add, NULL));
    CHECK(says("digraph \"d\" {") && says("left \\\"x\\\"\\n9 runs"));
    CHECK_EQUAL(count_of(" -> "), 4);
    CHECK_EQUAL(count_of("[label=\"9\"]"), 4);
    destroy(d.flow);
}
static void times(void **state)                  /* begin and end of a compute: two looks at the clock, 1 us apart */
{
    diamond d = make(&(sf_flow_desc){ .device = device, .clock = { .now = tick }, .track = { .latency = true } });
    sf_op ops[] = { d.source, d.left, d.right, d.sum };
    sf_latency path;
    sf_flow_info info;
    char name[64];
    (void)state;
    run_is(d.flow, SF_OK);
    for (size_t i = 0; i < COUNT(ops); i++) {
        sf_op_info op;
        CHECK_OK(sf_op_get_info(d.flow, ops[i], &op));
        CHECK_EQUAL(op.cpu.count, 9);
        CHECK_EQUAL(op.cpu.min, 1000);
        CHECK_EQUAL(op.cpu.max, 1000);
        CHECK_EQUAL(op.cpu.mean, 1000);
        CHECK(op.cpu.p50 <= 1000 && op.cpu.p50 > 1000 * 15 / 16);    /* 16 steps per power of two */
        CHECK_EQUAL(op.device.count, 0);
    }
    CHECK_OK(sf_flow_get_info(d.flow, &info));
    CHECK_EQUAL(info.paths, 2);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_OK(sf_flow_get_path(d.flow, i, &path, name, sizeof name));
        assert_string_equal(name, i ? "source,right,sum" : "source,left \"x\",sum");
        CHECK_EQUAL(path.count, 9);
        CHECK(path.min >= 7000 && path.p50 >= path.min && path.p99 >= path.p50 && path.max >= path.p99);
    }
    CHECK_IS(sf_flow_get_path(d.flow, 2, &path, name, sizeof name), SF_ERROR_INVALID_VALUE);
    destroy(d.flow);
}
static void skipped_and_short_ones(void **state) /* skip_first leaves out runs of the last operator, threshold short times */
{
    diamond d = make(&(sf_flow_desc){ .device = device, .clock = { .now = tick },
                                      .track = { .latency = true, .skip_first = 4 } });
    sf_latency path;
    (void)state;
    run_is(d.flow, SF_OK);
    CHECK_OK(sf_flow_get_path(d.flow, 0, &path, NULL, 0));
    CHECK_EQUAL(path.count, 5);
    destroy(d.flow);
    d = make(&(sf_flow_desc){ .device = device, .clock = { .now = tick },
                              .track = { .latency = true, .threshold = SF_MS(1000) } });
    run_is(d.flow, SF_OK);
    CHECK_IS(sf_flow_get_path(d.flow, 0, &path, NULL, 0), SF_ERROR_INVALID_VALUE);
    destroy(d.flow);
}
static void the_trace(void **state)              /* the last ones, where the ring is too small for all */
{
    (void)state;
    for (uint32_t room = 8; room <= 512; room *= 8) {
        diamond d = make(&(sf_flow_desc){ .device = device, .clock = { .now = tick }, .trace_events = room });
        run_is(d.flow, SF_OK);
        report_clear();
        CHECK_OK(sf_flow_trace(d.flow, report_add, NULL));
        CHECK(is_json());
        CHECK_EQUAL(count_of("\"dur\":1.0"), count_of("\"ph\":\"X\""));
        if (room < 512) {
            CHECK_EQUAL(count_of("\"ph\":\"X\"") + count_of("\"ph\":\"C\""), (int)room);
        } else {                             /* 4 computes and 4 messages, 9 times */
            CHECK_EQUAL(count_of("\"ph\":\"X\""), 36);
            CHECK_EQUAL(count_of("\"ph\":\"s\""), 36);
            CHECK_EQUAL(count_of("\"ph\":\"f\""), 36);
            CHECK_EQUAL(count_of("\"id\":\"0.9\""), 2);
        }
        CHECK(says("\"name\":\"sum\""));
        destroy(d.flow);
    }
    diamond d = make(&(sf_flow_desc){ .device = device });
    CHECK_IS(sf_flow_trace(d.flow, report_add, NULL), SF_IGNORED);
    destroy(d.flow);
}
static sf_result paint_one(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_result r = paint(sf_compute_stream(ctx), out->data, NULL, NULL, 1, 100000);
    if (r < 0) { return r; }
    return sf_emit(ctx, 0, out);
}
static void device_times(void **state)           /* GPU work is charged to the operator that enqueued it */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .track = { .device_time = true },
                                                 .trace_events = 256 });
    sf_op a = sf_add(f, &(sf_op_desc){ .compute = paint_one, .out = { { .name = "out", .bytes = BYTES } }, .count = 5 });
    sf_op b = sf_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { { .name = "in" } },
                                       .when = { { .kind = SF_CONDITION_STREAM } } });
    sf_op_info info;
    (void)state;
    connect(f, a, b);
    run_is(f, SF_OK);
    CHECK_OK(sf_op_get_info(f, a, &info));
    CHECK_EQUAL(info.device.count, 5);
    CHECK(info.device.min > 10000);              /* the kernel pauses for 100 us */
    CHECK_OK(sf_op_get_info(f, b, &info));
    CHECK_EQUAL(info.device.count, 0);
    report_clear();
    CHECK_OK(sf_flow_trace(f, report_add, NULL));
    CHECK(is_json());
    CHECK_EQUAL(count_of("\"ph\":\"X\",\"pid\":2"), 5);     /* on the GPU */
    CHECK_EQUAL(count_of("\"ph\":\"X\",\"pid\":1"), 10);
    destroy(f);
}
static void hook(sf_hook which, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)port, (void)tensor;
    note_down(*(int *)user, which * 10 + (int)(ctx->op.id & 0xf));
}
static void hooks_are_called(void **state)       /* for each operator in turn: start, begin, what it does, end, stop */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .hook = { hook, &ids[5] } });
    sf_op a = sf_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 1 });
    sf_op b = sf_add(f, &(sf_op_desc){ .compute = take_value, .in = { { .name = "in" } } });
    static const long long want[] = { SF_HOOK_START * 10 + 1, SF_HOOK_START * 10 + 2, SF_HOOK_BEGIN * 10 + 1,
                                      SF_HOOK_EMIT * 10 + 1, SF_HOOK_END * 10 + 1, SF_HOOK_BEGIN * 10 + 2,
                                      SF_HOOK_RECEIVE * 10 + 2, SF_HOOK_END * 10 + 2, SF_HOOK_STOP * 10 + 2,
                                      SF_HOOK_STOP * 10 + 1 };
    (void)state;
    connect(f, a, b);
    run_is(f, SF_OK);
    check_notes(5, want, COUNT(want));
    destroy(f);
}

/* -- the end -- */

static sf_result take_what_is_there(sf_context *ctx)
{
    sf_receive_value(ctx, 0);
    while (sf_available(ctx, 1)) { sf_receive_value(ctx, 1); }
    return SF_OK;
}
/* What an optional input still holds when the required one has come to its end is no deadlock. */
static void leftovers_of_optional_inputs(void **state)
{
    (void)state;
    for (int overflow = SF_OVERFLOW_BLOCK; overflow <= SF_OVERFLOW_LATEST; overflow++) {
        for (uint32_t count = 1; count <= 5; count++) {
            sf_flow *f = flow_on(device);
            sf_op a = sf_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .out = { { .name = "out" } }, .count = 1 });
            sf_op b = sf_add(f, &(sf_op_desc){ .name = "b", .compute = count_up, .out = { { .name = "out" } },
                                               .count = count, .priority = 1 });
            sf_op c = sf_add(f, &(sf_op_desc){ .name = "c", .compute = take_what_is_there,
                                               .in = { { .name = "x" }, { .name = "y", .optional = true } } });
            CHECK_OK(sf_connect(f, a, NULL, c, "x", NULL));
            CHECK_OK(sf_connect(f, b, NULL, c, "y", &(sf_edge_desc){ .overflow = (sf_overflow)overflow }));
            run_is(f, SF_OK);
            CHECK_EQUAL(runs_of(f, c), 1);
            destroy(f);
        }
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(computes_are_ranges), TEST(the_plan), TEST(the_plan_of_what_is_wrong), TEST(the_picture), TEST(times), TEST(skipped_and_short_ones),
        TEST(the_trace), TEST(device_times), TEST(hooks_are_called), TEST(leftovers_of_optional_inputs),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("observe", tests, NULL, NULL);
}
