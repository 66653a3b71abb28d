/*  test_observe.c - what a flow tells about itself: its plan, its picture, its times, and how it ends. The clock is one
    that moves by 1 us each time it is read, so that times are exact. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include <string.h>
/* As nvtx3/nvToolsExt.h has them: what a profiler would see. */
enum { RANGES = 64 };
static struct { char name[RANGES][16]; unsigned begun, ended, depth; } ranges;
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;      /* of several workers */
static void range_begin(const char *name)
{
    pthread_mutex_lock(&ranges_lock);
    snprintf(ranges.name[ranges.begun++ % RANGES], sizeof ranges.name[0], "%s", name);
    ranges.depth++;
    pthread_mutex_unlock(&ranges_lock);
}
static void range_end(void)
{
    pthread_mutex_lock(&ranges_lock);
    ranges.ended++;
    ranges.depth--;
    pthread_mutex_unlock(&ranges_lock);
}
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "hooks.h"

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
            sf_flow_add(f, &(sf_op_desc){ .name = want[i], .compute = nobody, .count = 20, .region = how == 2 ? 1 + i
                                          : 0 });
        }
        memset(&ranges, 0, sizeof ranges);
        CHECK_OK(sf_flow_run(f));
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
    d.source = sf_flow_add(d.flow, &(sf_op_desc){ .name = "source", .compute = count_up,
                                                  .out = { { .name = "out" } }, .count = 9 });
    d.left = sf_flow_add(d.flow, &(sf_op_desc){ .name = "left \"x\"", .compute = pass_value,
                                                .in = { { .name = "in" } },
                                           .out = { { .name = "out" } } });
    d.right = sf_flow_add(d.flow, &(sf_op_desc){ .name = "right", .compute = pass_value, .in = { { .name = "in" } },
                                            .out = { { .name = "out" } } });
    d.sum = sf_flow_add(d.flow, &(sf_op_desc){ .name = "sum", .compute = add_two, .in = { { .name = "a" },
            { .name = "b" } } });
    connect(d.flow, d.source, d.left);
    connect(d.flow, d.source, d.right);
    CHECK_OK(sf_flow_connect(d.flow, d.left, NULL, d.sum, "a", NULL));
    CHECK_OK(sf_flow_connect(d.flow, d.right, NULL, d.sum, "b", &(sf_edge_desc){ .capacity = 3 }));
    return d;
}

static void the_plan(void **state)
{
    diamond d = make(&(sf_flow_desc){ .name = "d", .device = device });
    (void)state;
    report_clear();
    CHECK_OK(sf_flow_check(d.flow, false, report_add, NULL));
    CHECK(says("4 operators") && says("4 edges") && says("0 problems"));
    CHECK(says("out -> sum.b: 3 messages") && says("out -> sum.a: 1 message; 1 place, "));
    report_clear();
    CHECK_OK(sf_flow_check(d.flow, true, report_add, NULL));
    CHECK(is_json());
    CHECK(says("\"left \\\"x\\\"\"") && says("\"problems\":[]"));
    CHECK(says("{\"name\":\"sum\",\"region\":0,\"stream\":\"none\",\"device\":0,\"partition\":-1,\"inputs\":[\"a\",\"b\"],\"outputs\":[],"
               "\"workers\":0,\"priority\":0,\"count\":0,\"when\":[],"));
    CHECK(says("{\"from\":2,\"output\":\"out\",\"to\":3,\"input\":\"b\",\"capacity\":3,\"overflow\":\"block\",\"delay\":0,\"control\":false,"));
    destroy(d.flow);
}
static void the_plan_of_streams_and_memory(void **state)     /* text and JSON say the same */
{
    sf_flow *f = flow_on(device);
    sf_op_desc from = { .name = "from", .compute = count_up, .out = { { .name = "out", .bytes = 48 } } };
    sf_op a = sf_flow_add(f, &from), b, c, lone;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .name = "via", .compute = pass_value, .adopt_stream = true,
                                      .in = { { .name = "in" } },
                                 .out = { { .name = "out" } } });
    c = sf_flow_add(f, &(sf_op_desc){ .name = "to", .compute = take_value, .region = 2, .in = { { .name = "in" } } });
    lone = sf_flow_add(f, &(sf_op_desc){ .name = "lone", .compute = take_value,
                                    .in = { { .name = "push", .external = true, .capacity = 5 } } });
    connect(f, a, b);
    connect(f, b, c);
    CHECK_OK(sf_flow_connect(f, lone, NULL, a, NULL, &(sf_edge_desc){ .control = true }));
    report_clear();
    CHECK_OK(sf_flow_check(f, true, report_add, NULL));
    CHECK(is_json());
    CHECK(says("{\"name\":\"from\",\"region\":0,\"stream\":\"own\",\"device\":0,\"partition\":-1,\"inputs\":[],"
               "\"outputs\":[{\"name\":\"out\",\"blocks\":4,\"bytes\":48,"));
    CHECK(says("\"via\",\"region\":0,\"stream\":\"received\",\"device\":0,\"partition\":-1,\"inputs\":[\"in\"]"));
    CHECK(says("\"to\",\"region\":2,\"stream\":\"region\""));
    CHECK(says("{\"from\":-1,\"to\":3,\"input\":\"push\",\"capacity\":5,\"overflow\":\"block\",\"delay\":0,\"control\":false,"));
    CHECK(says("{\"from\":3,\"to\":0,\"capacity\":0,\"overflow\":\"block\",\"delay\":0,\"control\":true}"));
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK(says("0 from: a stream of its own") && says("out: 4 blocks of 48 bytes: ") && says("out -> via.in"));
    CHECK(says("1 via: works on the stream that it receives") && says("2 to, in region 2"));
    destroy_is(f, SF_OK);
}
/* Who runs it, how urgently, when, and what lies on its edges at start. */
static void the_plan_of_conditions(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = 1 }, { .count = 1 } } });
    sf_op_desc from = { .name = "from", .compute = count_up, .priority = -3, .workers = 1, .count = 7, .period = SF_MS(2),
                        .when = { { .kind = SF_CONDITION_SIGNAL, .any = 4 }, { .kind = SF_CONDITION_TIME, .ns = 9, .any = 4 } },
                        .out = { { .name = "out" } } };
    sf_op a = sf_flow_add(f, &from), b;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .name = "to", .compute = take_value, .in = { { .name = "in", .capacity = 4 },
            { .name = "push", .external = true } } });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, "in", &(sf_edge_desc){ .delay = 3 }));
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true }));
    report_clear();
    CHECK_OK(sf_flow_check(f, true, report_add, NULL));
    CHECK(is_json());
    CHECK(says("\"workers\":1,\"priority\":-3,\"count\":7,\"when\":[{\"kind\":\"SIGNAL\",\"count\":0,\"ns\":0,\"any\":4},"
               "{\"kind\":\"TIME\",\"count\":0,\"ns\":9,\"any\":4},{\"kind\":\"PERIOD\",\"count\":0,\"ns\":2000000,\"any\":0}],"));
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK(says("0 from, priority -3, by workers 1\n    when: COUNT, count 7\n    when: SIGNAL, any 4\n"
               "    when: TIME, ns 9, any 4\n    when: PERIOD, ns 2000000\n    special: control edges; worker 1; "));
    CHECK(says("    out -> to.in: 4 messages, delayed by 3; ") && says("    turn -> to\n1 to\n    special: control edges; "));
    CHECK(says("    outside -> to.push: 1 message; "));
    destroy(f);
}
static void the_plan_of_what_drops(void **state)     /* and the picture; what waits is not worth a word */
{
    static const char *const words[] = { "block", "drop oldest", "drop newest", "latest", "error" };
    (void)state;
    for (int policy = SF_OVERFLOW_BLOCK; policy <= SF_OVERFLOW_ERROR; policy++) {
        sf_flow *f = flow_on(device);
        char word[64];
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "from", .compute = count_up, .out = { { .name = "out" } } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "to", .compute = take_value, .in = { { .name = "in" } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = (sf_overflow)policy }));
        report_clear();
        CHECK_OK(sf_flow_check(f, true, report_add, NULL));
        snprintf(word, sizeof word, "\"overflow\":\"%s\"", words[policy]);
        CHECK(is_json() && says(word));
        report_clear();
        CHECK_OK(sf_flow_check(f, false, report_add, NULL));
        CHECK_OK(sf_flow_dot(f, report_add, NULL));
        CHECK_EQUAL(count_of(words[policy]), policy ? 2 : 0);
        destroy(f);
    }
}
static void the_plan_of_what_is_wrong(void **state)          /* all problems, and still a plan */
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "none", .compute = take_value, .in = { { .name = "in" } },
                                            .out = { { .name = "out" } } });
    (void)state;
    report_clear();
    CHECK_IS(sf_flow_check(f, false, report_add, NULL), SF_ERROR_NOT_CONNECTED);
    CHECK(says("\": 1 operator, 0 edges, 1 problem, "));
    CHECK_OK(sf_flow_connect(f, a, NULL, a, NULL, &(sf_edge_desc){ .delay = 1 }));
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK(says("\": 1 operator, 1 edge, 0 problems, "));
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "one", .compute = take_value, .in = { { .name = "in" } } });
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "two", .compute = take_value, .in = { { .name = "in" } } });
    report_clear();
    CHECK_IS(sf_flow_check(f, true, report_add, NULL), SF_ERROR_NOT_CONNECTED);
    CHECK(is_json());
    CHECK(says("\\\"one\\\".in") && says("\\\"two\\\".in"));
    CHECK_EQUAL(sf_flow_failure(f)->count, 2);
    destroy_is(f, SF_OK);                        /* it never ran, and nothing else went wrong */
}
/* Whatever operators and ports are called, JSON and Graphviz's language stay what they are, and a line is a problem.
   Long sentences are cut, not in the middle of a character. */
static void check_utf8(void)
{
    const unsigned char *c = (const unsigned char *)report.text;
    for (size_t i = 0, n; i < report.bytes; i += n) {
        n = c[i] < 0x80 ? 1 : c[i] >> 5 == 6 ? 2 : c[i] >> 4 == 14 ? 3 : 4;
        if (c[i] >= 0xf5 || (n > 1 && c[i] < 0xc2)) { fail_msg("byte %zu is 0x%x", i, c[i]); }
        for (size_t k = 1; k < n; k++) {
            if (c[i + k] >> 6 != 2) { fail_msg("byte %zu is 0x%x", i + k, c[i + k]); }
        }
        if (c[i] == '"' || c[i] == '\\') { i += c[i] == '\\' && strchr("\"\\n", c[i + 1]); }
        if (c[i] < ' ' && c[i] != '\n') { fail_msg("byte %zu is 0x%x", i, c[i]); }
    }
}
static void names_of_all_kinds(void **state)
{
    static const char *const odd[] = { "a\"b\\", "100%s%n", "new\nline", "", "\x01\x7f\r\t", "\xff\xfe", "\xe2\x82",
                                       "\xe2\x82\xac", "\xc0\x80", "\xed\xa0\x80", "\xf0\x9f\x98\x80", "\xf4\x90\x80\x80" };
    static char euros[3 * 200 + 1];
    (void)state;
    for (size_t i = 0; i + 3 < sizeof euros; i += 3) { memcpy(euros + i, "\xe2\x82\xac", 3); }
    for (size_t i = 0; i < COUNT(odd) + 3; i++) {
        char name[sizeof euros + 4];
        sf_flow *f;
        sf_op a, b;
        memset(name, 'x', sizeof name);      /* the euros are cut at each of their bytes */
        snprintf(name + (i < COUNT(odd) ? 0 : i - COUNT(odd)), sizeof euros, "%s", i < COUNT(odd) ? odd[i] : euros);
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .name = name, .trace_events = 64 });
        a = sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = count_up, .out = { { .name = name } },
                                          .count = 2 });
        b = sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = take_value, .in = { { .name = name } } });
        CHECK_OK(sf_flow_connect(f, a, name, b, name, NULL));
        run_is(f, SF_OK);
        for (int what = 0; what < 4; what++) {
            report_clear();
            if (what == 2) {                 /* and then two problems */
                sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = take_value, .in = { { .name = name } } });
                CHECK(sf_flow_connect(f, a, name, b, name, NULL) < 0);
            }
            switch (what) {
            case 0: CHECK_OK(sf_flow_trace(f, report_add, NULL)); break;
            case 1: CHECK_OK(sf_flow_dot(f, report_add, NULL)); break;
            default: CHECK(sf_flow_check(f, what == 2, report_add, NULL) < 0);
            }
            if (what < 3) { check_utf8(); }
            if (what == 2) { CHECK_EQUAL(count_of("\",\"sf_flow_check: "), 1); }
            if (what == 3) { CHECK_EQUAL(count_of("\nsf_flow_check: "), 1); }
        }
        sf_flow_destroy(f);
    }
}
/* Where the flow lives in memory handed in there is none for a list of problems; the first is written. */
static void problems_in_memory_handed_in(void **state)
{
    static char memory[1 << 16] __attribute__((aligned(16)));
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .memory = { memory, sizeof memory },
                                                 .limits = { .ops = 2, .edges = 1, .messages = 2 } });
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "lonely", .compute = take_value, .in = { { .name = "in" } } });
    for (int json = 0; json < 2; json++) {
        report_clear();
        CHECK_IS(sf_flow_check(f, json, report_add, NULL), SF_ERROR_NOT_CONNECTED);
        CHECK_EQUAL(count_of("sf_flow_check: "), 1);
        CHECK_EQUAL(count_of("lonely"), 2);      /* in the sentence, and in the plan */
    }
    sf_flow_destroy(f);
}
/* A message that moves up in a queue, because one before it was dropped while a compute looked at the first, takes
   its history along. */
static sf_result emit_own(sf_context *ctx) { return sf_emit_value(ctx, 0, number(id_of(ctx))); }
static uint32_t looking;
static sf_result pass_either(sf_context *ctx)                /* all but the first come while it is looked at */
{
    for (int i = 0; i < 30000 && ctx->run && !test_load(&looking); i++) { usleep(1000); }
    return sf_emit_value(ctx, 0, sf_receive_value(ctx, sf_available(ctx, 0) ? 0 : 1));
}
static sf_result look_when_all_came(sf_context *ctx)
{
    sf_edge_info info = { 0 };
    test_store(&looking, 1);
    for (int i = 0; i < 30000 && info.messages < 9; i++) {
        (void)sf_op_get_edge_info(ctx->flow, ctx->op, 0, 0, &info);
        usleep(1000);
    }
    return keep_one(ctx);
}
static void dropped_messages_keep_their_paths(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .track.latency = true,
                                                 .workers = { { .count = 1 }, { .count = 1 } } });
    sf_op from[2], mid, end;
    (void)state;
    test_store(&looking, 0);
    for (int i = 0; i < 2; i++) {
        from[i] = sf_flow_add(f, &(sf_op_desc){ .name = i ? "b" : "a", .compute = emit_own, .user = &ids[i],
                                           .out = { { .name = "out" } }, .count = i ? 4 : 5 });
    }
    mid = sf_flow_add(f, &(sf_op_desc){ .name = "mid", .compute = pass_either, .out = { { .name = "out" } },
                                   .in = { { .name = "a", .optional = true }, { .name = "b", .optional = true } },
                                   .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } });
    end = sf_flow_add(f, &(sf_op_desc){ .name = "end", .compute = look_when_all_came, .user = &ids[9], .workers = 1,
                                   .in = { { .name = "in", .capacity = 2 } } });
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_flow_connect(f, from[i], NULL, mid, i ? "b" : "a", NULL)); }
    CHECK_OK(sf_flow_connect(f, mid, NULL, end, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_OLDEST }));
    guarded_run_is(f, SF_OK, NULL);
    CHECK_EQUAL(edge_of(f, end, 0, 0).messages, 9);
    CHECK_EQUAL(edge_of(f, end, 0, 0).dropped, 6);
    for (uint32_t i = 0; i < 2; i++) {       /* as many by each way as came by it */
        long long got[9];
        uint32_t n = notes_of(9, got, COUNT(got)), want = 0, count = 0;
        for (uint32_t k = 0; k < n; k++) { want += got[k] == (long long)i; }
        for (uint32_t k = 0; k < 2; k++) {
            char name[16];
            sf_latency l;
            if (sf_flow_get_path(f, k, &l, name, sizeof name) != SF_OK) { continue; }
            if (!strcmp(name, i ? "b,mid,end" : "a,mid,end")) { count = (uint32_t)l.count; }
        }
        CHECK_EQUAL(count, want);
    }
    destroy(f);
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
static sf_result nothing_at_all(sf_context *ctx) { return (void)ctx, SF_OK; }
static void a_path_of_one(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = tick, .track.latency = true });
    sf_flow_info info;
    sf_latency path;
    char name[16];
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "solo", .compute = nothing_at_all, .count = 7 });
    run_is(f, SF_OK);
    CHECK_OK(sf_flow_get_info(f, &info));
    CHECK_EQUAL(info.paths, 1);
    CHECK_OK(sf_flow_get_path(f, 0, &path, name, sizeof name));
    assert_string_equal(name, "solo");
    CHECK(path.count == 7 && path.min > 0);
    destroy(f);
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
static void what_the_trace_names(void **state)   /* groups; queues, until they are empty; no GPU where there is none */
{
    (void)state;
    for (int groups = 0; groups < 2; groups++) {
        char *at, *last = NULL;
        sf_flow_desc d = { .device = device, .trace_events = 256 };
        sf_flow *f;
        sf_op a, b;
        if (groups) {
            d.workers[0] = (sf_workers){ .count = 1, .name = "ears" };
            d.workers[1] = (sf_workers){ .count = 1, .name = "\"eyes\"" };
        }
        f = sf_flow_create(&d);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 5 });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = take_value, .workers = groups,
                                          .in = { { .name = "in", .capacity = 3 } } });
        connect(f, a, b);
        run_is(f, SF_OK);
        report_clear();
        CHECK_OK(sf_flow_trace(f, report_add, NULL));
        CHECK(is_json());
        CHECK_EQUAL(count_of("\"thread_name\",\"ph\":\"M\""), 2 * groups);
        CHECK(!groups || says("\"pid\":1,\"tid\":1,\"args\":{\"name\":\"ears\"}}"));
        CHECK(!groups || says("\"pid\":1,\"tid\":2,\"args\":{\"name\":\"\\\"eyes\\\"\"}}"));
        CHECK_EQUAL(count_of("\"pid\":2"), 0);
        CHECK_EQUAL(count_of("queue of b.in"), 15);          /* sent, received, gone */
        for (at = report.text; (at = strstr(at, "\"messages\":")) != NULL; at++) { last = at; }
        CHECK(groups || (last && strncmp(last, "\"messages\":0}", 13) == 0));
        destroy(f);
    }
}
static void the_trace_numbers_threads(void **state)          /* of a group that has several */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .trace_events = 16,
            .workers = { { .count = 2, .name = "both" }, { .count = 1, .name = "one" }, { .count = 1 }, { .count = 2, .name = "two" } } });
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .compute = nothing_at_all, .count = 1 });
    run_is(f, SF_OK);
    report_clear();
    CHECK_OK(sf_flow_trace(f, report_add, NULL));
    CHECK(is_json());
    CHECK(says("\"tid\":1,\"args\":{\"name\":\"both 0\"}}") && says("\"tid\":2,\"args\":{\"name\":\"both 1\"}}"));
    CHECK(says("\"tid\":3,\"args\":{\"name\":\"one\"}}"));
    CHECK(says("\"tid\":5,\"args\":{\"name\":\"two 0\"}}") && says("\"tid\":6,\"args\":{\"name\":\"two 1\"}}"));
    CHECK_EQUAL(count_of("thread_name"), 5);
    destroy(f);
}
/* An instant for each message that a queue drops or does not let in, and for what is sent to a reader that has
   ended; its name says where. */
static sf_result two_values(sf_context *ctx)
{
    sf_result r = sf_emit_value(ctx, 0, number(1));
    return r < 0 ? r : sf_emit_value(ctx, 0, number(2));
}
static void the_trace_of_what_is_lost(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        static const sf_overflow policies[] = { SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_LATEST,
                                                SF_OVERFLOW_BLOCK };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .trace_events = 256 });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "micro\"phone", .compute = k < 3 ? two_values : count_up,
                                                .out = { { .name = "out" } }, .count = 5 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "recorder", .compute = take_value, .count = k < 3 ? 0 : 2,
                                                .in = { { .name = "pcm\"" } } });
        sf_flow_info info;
        (void)sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = policies[k] });
        if (k == 3) { connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { { .name = "in" } } })); }
        run_is(f, SF_OK);
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK_EQUAL(info.dropped, k == 3 ? 3 : 5);
        report_clear();
        CHECK_OK(sf_flow_trace(f, report_add, NULL));
        CHECK(is_json());
        CHECK_EQUAL(count_of("\"name\":\"recorder.pcm\\\": dropped\",\"ph\":\"i\""), (int)info.dropped);
        CHECK_EQUAL(count_of("\"ph\":\"i\""), (int)info.dropped);
        destroy(f);
    }
}
static void the_trace_of_what_no_compute_sent(void **state)  /* arrows between computes alone; queues for all */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .trace_events = 256 });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = pass_value, .out = { { .name = "out" } },
                                            .in = { { .name = "in", .external = true, .capacity = 3 } } });
    (void)state;
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = take_value, .in = { { .name = "in" } } }));
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    for (int i = 0; i < 3; i++) { CHECK_OK(sf_flow_push_value(f, a, 0, number(i))); }
    CHECK_OK(sf_flow_finish(f));
    run_is(f, SF_OK);
    report_clear();
    CHECK_OK(sf_flow_trace(f, report_add, NULL));
    CHECK(is_json());
    CHECK_EQUAL(count_of("\"ph\":\"s\""), 3);
    CHECK_EQUAL(count_of("\"ph\":\"f\""), 3);
    CHECK_EQUAL(count_of("queue of a.in"), 2 * 3);           /* received, gone */
    destroy(f);
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .trace_events = 256 });
    a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = pass_value, .count = 4, .in = { { .name = "in" } },
                                      .out = { { .name = "out" } } });
    CHECK_OK(sf_flow_connect(f, a, NULL, a, NULL, &(sf_edge_desc){ .delay = 1 }));
    run_is(f, SF_OK);
    report_clear();
    CHECK_OK(sf_flow_trace(f, report_add, NULL));
    CHECK_EQUAL(count_of("\"id\":\"0.1\""), 0);              /* was there at the start */
    CHECK_EQUAL(count_of("\"id\":\"0.2\""), 2);
    CHECK_EQUAL(count_of("\"ph\":\"f\""), 3);
    destroy(f);
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
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = paint_one, .out = { { .name = "out", .bytes = BYTES } },
                                            .count = 5 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { { .name = "in" } },
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
/* The time of an operator's GPU work leaves out all that its stream waits for: here, long kernels. On a host device
   these begin when `launched` short ones have been launched. */
static uint32_t launched;
static int paint_late(const sf_slice *slice, const void *args)
{
    return test_load(&launched) < ((const paint_args *)args)->add ? SF_NOT_READY : paint_host(slice, args);
}
static const sf_kernel long_kernel = { .name = "long", .host = paint_late, .cuda = SF_CUDA_BODY(paint_cuda),
                                       .host_ns = 50000 };
static const sf_kernel short_kernel = { .name = "short", .host = paint_host, .cuda = SF_CUDA_BODY(paint_cuda),
                                        .host_ns = 10000 };
static sf_result long_work(sf_stream *s, uint32_t after, sf_tensor *out)
{
    paint_args p = { (uint32_t *)out->data, NULL, NULL, WORDS, after, on_cuda() ? 20000000 : 0, 0 };
    return sf_launch(s, &long_kernel, &p, sizeof p);
}
static sf_result short_work(sf_stream *s, sf_tensor *out)
{
    paint_args p = { (uint32_t *)out->data, NULL, NULL, WORDS, 1, 0, 0 };
    sf_result r = sf_launch(s, &short_kernel, &p, sizeof p);
    (void)test_add(&launched, 1);
    return r;
}
static sf_result long_source(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_result r = long_work(sf_compute_stream(ctx), 1, out);
    return r < 0 ? r : sf_emit(ctx, 0, out);
}
enum { REUSES = 5 };
static sf_result short_source(sf_context *ctx)               /* its block was read by long kernels before */
{
    sf_stream *s = sf_compute_stream(ctx);
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_result r = short_work(s, out);
    return r < 0 ? r : sf_emit(ctx, 0, out);
}
static sf_result long_reader(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0);
    return long_work(sf_compute_stream(ctx), ctx->run + 2 < REUSES ? (uint32_t)ctx->run + 2 : REUSES, in);
}
typedef enum way {                           /* to get a stream, behind the work of two long kernels */
    BY_COMPUTE_STREAM,
    BY_ONE_CALL_PER_PORT,
    BY_ADOPTING,
    BY_HAND,
    BY_SETTING_A_STREAM,
    BY_PASSING_ON,
    IN_A_REGION,
    WAYS
} way;
static way way_now;
static sf_stream *foreign;
static sf_result short_middle(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = NULL, *list[2];
    sf_result r = SF_OK;
    int n;
    (void)sf_receive(ctx, 0);
    if (way_now != BY_PASSING_ON) { (void)sf_receive(ctx, 1); }
    switch (way_now) {
        case BY_ONE_CALL_PER_PORT: s = sf_receive_stream(ctx, 0, 0), (void)sf_receive_stream(ctx, 1, 0); break;
        case BY_ADOPTING: s = sf_receive_stream(ctx, 0, SF_STREAM_ADOPT), (void)sf_receive_stream(ctx, 1, 0); break;
        case BY_HAND:
            n = sf_receive_streams(ctx, 0, list, 1);
            n += sf_receive_streams(ctx, 1, list + n, 1);
            s = sf_allocate_stream(ctx, "mine");
            r = sf_synchronize_streams(ctx, list, n, s);
            break;
        case BY_SETTING_A_STREAM:            /* of the output, before there is one to work on */
            r = sf_set_stream(ctx, 0, foreign);
            s = sf_compute_stream(ctx);
            break;
        default: s = sf_compute_stream(ctx); break;
    }
    if (r >= 0) { r = short_work(s, out); }
    if (way_now == BY_PASSING_ON) { return sf_emit(ctx, 0, sf_receive(ctx, 1)); }
    return r < 0 ? r : sf_emit(ctx, 0, out);
}
static void check_short(sf_flow *f, sf_op op, uint64_t count)
{
    sf_op_info info;
    CHECK_OK(sf_op_get_info(f, op, &info));
    CHECK_EQUAL(info.device.count, count);
    if (on_cuda()) { CHECK(info.device.max < SF_MS(10)); }   /* less than half of a long kernel */
    if (!on_cuda()) { CHECK(info.device.min > 9990 && info.device.max < 10010); }        /* by way of a float of ms */
}
static sf_device *open_late(void)            /* on a host device commands run in an order that shows what waits */
{
    return on_cuda() ? test_open() : test_open_order(SF_ORDER_REVERSE, 1);
}
static void device_times_leave_out_waits(void **state)
{
    (void)state;
    for (way_now = (way)0; way_now < WAYS; way_now++) {
        sf_device *d = open_late();
        sf_port x = { .name = "x" }, y = { .name = "y" }, o = { .name = "o", .bytes = BYTES };
        sf_op_desc source = { .name = "a", .compute = long_source, .out = { o }, .count = 1 };
        sf_op_desc middle = { .name = "m", .compute = short_middle, .in = { x, y }, .out = { o },
                              .region = way_now == IN_A_REGION ? 1 : 0 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .track.device_time = true });
        sf_op a = sf_flow_add(f, &source), b = sf_flow_add(f, &source), m = sf_flow_add(f, &middle);
        foreign = test_stream(d);
        launched = 0;
        CHECK_OK(sf_flow_connect(f, a, NULL, m, "x", NULL));
        CHECK_OK(sf_flow_connect(f, b, NULL, m, "y", NULL));
        connect(f, m, sf_flow_add(f, &(sf_op_desc){ .name = "z", .compute = take_tensor, .in = { x } }));
        run_is(f, SF_OK);
        check_short(f, m, 1);
        destroy(f);
        CHECK_OK(sf_stream_destroy(foreign));
        test_close(d);
    }
}
/* Also for those who used a block before. */
static void device_times_leave_out_former_users(void **state)
{
    sf_device *d = open_late();
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .track.device_time = true });
    sf_mem_pool *pool = NULL;
    sf_op a, b;
    (void)state;
    CHECK_OK(sf_mem_pool_create(d, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1 }, &pool));
    launched = 0;
    a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = short_source, .count = REUSES,
                                      .out = { { .name = "o", .pool = pool, .bytes = BYTES } } });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = long_reader, .in = { { .name = "x" } } });
    connect(f, a, b);
    run_is(f, SF_OK);
    check_short(f, a, REUSES);
    destroy(f);
    CHECK_OK(sf_mem_pool_destroy(pool));
    test_close(d);
}
static void hook(sf_hook which, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)port, (void)tensor;
    note_down(*(int *)user, which * 10 + (int)(ctx->op.id & 0xf));
}
static void hooks_are_called(void **state)       /* for each operator in turn: start, begin, what it does, end, stop */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .hook = { hook, &ids[5] } });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 1 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { { .name = "in" } } });
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

/* A tensor that nobody else wants is still there when the hook looks at it, and no longer. */
static uint32_t seen_bytes, given_back;
static void free_it(void *data, void *user) { (void)user, free(data), given_back++; }
enum { TO_NOBODY = 100 };                    /* in a compute: more than are kept until it returns */
static sf_result emit_to_nobody(sf_context *ctx)
{
    sf_result r = SF_OK;
    for (int i = 0; i < TO_NOBODY && r == SF_OK; i++) {
        uint8_t *data = (uint8_t *)calloc(1, 64);
        data[0] = (uint8_t)(ctx->run + 1);
        r = sf_emit(ctx, 0, sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .data = data, .shape = { 64 },
                                                                         .memory = SF_MEMORY_HOST, .release = free_it }));
    }
    return r;
}
static void look_at_it(sf_hook which, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)ctx, (void)port, (void)user;
    if (which == SF_HOOK_EMIT) { seen_bytes += *(const uint8_t *)tensor->data; }
}
static void hooks_see_what_nobody_wants(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .hook.func = look_at_it });
    (void)state;
    seen_bytes = given_back = 0;
    sf_flow_add(f, &(sf_op_desc){ .compute = emit_to_nobody, .out = { { .name = "out" } }, .count = 3 });
    run_is(f, SF_OK);
    CHECK_EQUAL(seen_bytes, TO_NOBODY * (1 + 2 + 3));
    CHECK_EQUAL(given_back, TO_NOBODY * 3);
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
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .out = { { .name = "out" } },
                                                    .count = 1 });
            sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = count_up, .out = { { .name = "out" } },
                                               .count = count, .priority = 1 });
            sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = take_what_is_there,
                                               .in = { { .name = "x" }, { .name = "y", .optional = true } } });
            CHECK_OK(sf_flow_connect(f, a, NULL, c, "x", NULL));
            CHECK_OK(sf_flow_connect(f, b, NULL, c, "y", &(sf_edge_desc){ .overflow = (sf_overflow)overflow }));
            run_is(f, SF_OK);
            CHECK_EQUAL(runs_of(f, c), 1);
            destroy(f);
        }
    }
}

static sf_result hold_stream(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    return (void)in, (void)count, out->u64 = 1, test_gate(x->stream, (uint32_t *)x->state, 1);
}
/* A wait for what does not come ends at its deadline; until then the thread waits as the policy says, and no other way.
   calls: sf_lazy_sync() by a policy, sf_lazy_sync_on() a stream that has one, sf_future_wait(). */
static void waits_for_operations(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * 4 * 3; k++) {
        const sf_wait_policy of_device = (sf_wait_policy)(k % 4), own = (sf_wait_policy)(k / 4 % 4);
        const sf_wait_policy how = own ? own : of_device;
        sf_policy_desc by = { .kind = SF_POLICY_SINGLE_STREAM, .wait = own };
        sf_stream_value v = { .wait = own };
        sf_device *d = test_open_desc(&(sf_device_desc){ .wait = of_device, .host = { .workers = 2 } });
        uint32_t *flag = (uint32_t *)test_memory(d, 64);
        sf_lazy_desc held = { .name = "hold", .run = hold_stream, .state = flag };
        sf_stream *s = test_stream(d);
        sf_policy *p = NULL;
        sf_future *f = NULL;
        CHECK_OK(sf_policy_create(d, &by, &p));
        CHECK_OK(sf_stream_set_attribute(s, SF_STREAM_SYNCHRONIZATION_POLICY, &v));
        CHECK_OK(sf_lazy_schedule(sf_lazy_do(d, &held), p, &f));
        /* All that is made once. */
        CHECK_OK(sf_lazy_sync(sf_lazy_value(d, (sf_value){ .u64 = 1 }), p, GUARD, NULL));
        library_waited = (library_waits){ 0, 0, 0 };
        for (int i = 0; i < 200; i++) {      /* a thread that gets no core sees its deadline at once */
            sf_result r = k / 16 == 0   ? sf_lazy_sync(sf_lazy_do(d, &held), p, SF_MS(2), NULL)
                          : k / 16 == 1 ? sf_lazy_sync_on(sf_lazy_do(d, &held), s, SF_MS(2), NULL)
                                        : sf_future_wait(f, SF_MS(2));
            CHECK_IS(r, SF_TIMEOUT);
            if (how == SF_WAIT_SPIN || library_waited.blocks + library_waited.sleeps + library_waited.yields) { break; }
        }
        if (!on_cuda()) {
            const bool sleeps = how == SF_WAIT_AUTO || how == SF_WAIT_BLOCK;
            if (sleeps != (library_waited.blocks != 0) || (how == SF_WAIT_YIELD) != (library_waited.yields != 0)) {
                fail_msg("case %d: %u blocks, %u yields", k, library_waited.blocks, library_waited.yields);
            }
            CHECK_EQUAL(library_waited.sleeps, 0);
        } else if (how) {                    /* AUTO: the library polls, then sleeps */
            CHECK_EQUAL(library_waited.sleeps != 0, how == SF_WAIT_BLOCK);
            CHECK_EQUAL(library_waited.yields != 0, how == SF_WAIT_YIELD);
        }
        test_store(flag, 1);
        CHECK_OK(sf_future_wait(f, GUARD));
        sf_future_drop(f);
        CHECK_OK(sf_policy_destroy(p));
        test_close(d);
    }
}

/* One edge per fate: a slow reader of the newest two; one that fails at every third; one that ends early; and the rest
   that a stop leaves. At each look, also from within, the fates and what is queued add up to what was accepted. */
static int fate_runs[2];
static void fates_of(const sf_flow *f, sf_op op, sf_edge_info *edge)
{
    uint64_t sum = 0;
    CHECK_OK(sf_op_get_edge_info(f, op, 0, 0, edge));
    for (int i = 0; i < SF_FATES; i++) { sum += edge->fates[i]; }
    CHECK_EQUAL(sum + edge->queued, edge->messages);
}
static sf_result fate_source(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
static sf_result fate_take(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    fate_runs[0]++;
    return SF_OK;
}
static sf_result fate_fails(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    return ctx->run % 3 == 2 ? sf_fail(ctx, SF_ERROR_USER, "every third") : SF_OK;
}
static sf_result fate_stops(sf_context *ctx) { return ++fate_runs[1] == 4 ? sf_flow_stop(ctx->flow) : SF_OK; }
static void fates_add_up(void **state)
{
    (void)state;
    for (int stop = 0; stop < 2; stop++) {
        const sf_edge_desc drops = { .overflow = SF_OVERFLOW_DROP_OLDEST, .capacity = 2 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST, .clock.simulated = true });
        sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = fate_source, .out = {{ .name = "o" }},
                                                   .period = SF_MS(1), .count = 30 });
        sf_op slow = sf_flow_add(f, &(sf_op_desc){ .compute = fate_take, .in = {{ .name = "i" }}, .period = SF_MS(3) });
        sf_op fails = sf_flow_add(f, &(sf_op_desc){ .compute = fate_fails, .in = {{ .name = "i" }},
                                                    .on_error = SF_ON_ERROR_IGNORE });
        sf_op ends = sf_flow_add(f, &(sf_op_desc){ .compute = fate_take, .in = {{ .name = "i", .capacity = 4,
                                                   .batch = 4 }}, .count = 3 });
        sf_op stops = sf_flow_add(f, &(sf_op_desc){ .compute = stop ? fate_stops : fate_take, .count = 30,
                                                    .in = {{ .name = "i", .capacity = 40 }}, .period = SF_MS(2) });
        sf_edge_info edge;
        fate_runs[0] = fate_runs[1] = 0;
        sf_flow_connect(f, from, NULL, slow, NULL, &drops);
        sf_flow_connect(f, from, NULL, fails, NULL, NULL);
        sf_flow_connect(f, from, NULL, ends, NULL, NULL);
        sf_flow_connect(f, from, NULL, stops, NULL, NULL);
        CHECK_OK(sf_flow_run(f));
        fates_of(f, slow, &edge);
        CHECK(edge.fates[SF_FATE_OVERFLOW] > 0 || stop);
        CHECK_EQUAL(edge.dropped, edge.fates[SF_FATE_OVERFLOW]);
        fates_of(f, fails, &edge);
        CHECK_EQUAL(edge.fates[SF_FATE_FAILED], edge.messages / 3);
        CHECK_EQUAL(edge.fates[SF_FATE_DELIVERED] + edge.fates[SF_FATE_FAILED] + edge.fates[SF_FATE_ENDED],
                    edge.messages);
        fates_of(f, ends, &edge);
if (!stop) {                         /* it took three, one of each batch; the rest was dropped at its end */
            CHECK_EQUAL(edge.fates[SF_FATE_DELIVERED], 3);
            CHECK_EQUAL(edge.fates[SF_FATE_ENDED], edge.dropped);
        }
        fates_of(f, stops, &edge);
        if (stop) { CHECK_EQUAL(edge.fates[SF_FATE_ENDED], edge.messages); }         /* its computes take nothing */
        if (!stop) { CHECK_EQUAL(edge.fates[SF_FATE_DELIVERED], 30); }
        CHECK_EQUAL(edge.queued, 0);
        CHECK_OK(sf_flow_destroy(f));
    }
}

int main(int argc, char **argv)
{
    library.range_begin = range_begin;
    library.range_end = range_end;
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(names_of_all_kinds), TEST(problems_in_memory_handed_in), TEST(dropped_messages_keep_their_paths),
        TEST(computes_are_ranges), TEST(the_plan), TEST(the_plan_of_streams_and_memory), TEST(the_plan_of_conditions), TEST(the_plan_of_what_drops),
        TEST(the_plan_of_what_is_wrong), TEST(the_picture), TEST(times), TEST(a_path_of_one), TEST(skipped_and_short_ones),
        TEST(the_trace), TEST(what_the_trace_names), TEST(the_trace_numbers_threads), TEST(the_trace_of_what_is_lost), TEST(the_trace_of_what_no_compute_sent),
        TEST(device_times), TEST(device_times_leave_out_waits), TEST(device_times_leave_out_former_users), TEST(hooks_are_called), TEST(hooks_see_what_nobody_wants),
        TEST(fates_add_up), TEST(leftovers_of_optional_inputs), TEST(waits_for_operations),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("observe", tests, NULL, NULL);
}
