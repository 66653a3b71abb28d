/*  test_flow_errors.c - what can be wrong with a flow, when it is built and when it runs: each with its
    code, the name of who is to blame, and words that help. */
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
static int64_t a_clock(void *user) { return (void)user, 0; }
#define OUT(n) { .name = n }
static sf_op add_source(sf_flow *f, const char *name)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = count_up, .out = { OUT("out") }, .count = 3 });
}
static sf_op add_sink(sf_flow *f, const char *name)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = take_value, .in = { IN("in") } });
}

/* -- building -- */

static sf_flow *other_flow;
static sf_mem_pool *small_pool;
static uint8_t some_memory[64];

static void unconnected(sf_flow *f) { add_sink(f, "lonely"); }
static void sizes_differ(sf_flow *f)
{
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .name = "camera", .compute = nothing, .out = { { .name = "raw", .bytes = 640 } } });
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .name = "isp", .compute = nothing, .in = { { .name = "frame", .bytes = 480 } } });
    sf_flow_connect(f, a, NULL, b, NULL, NULL);
}
static void no_such_output(sf_flow *f)
{
    note_down(0, sf_flow_connect(f, add_source(f, "camera"), "nonsense", add_sink(f, "sink"), "in", NULL));
}
static void no_such_input(sf_flow *f)
{
    note_down(0, sf_flow_connect(f, add_source(f, "camera"), "out", add_sink(f, "isp"), "nonsense", NULL));
}
static void name_the_output(sf_flow *f)
{
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .name = "stereo", .compute = nothing, .out = { OUT("left"), OUT("right") } });
    note_down(0, sf_flow_connect(f, a, NULL, add_sink(f, "sink"), NULL, NULL));
}
static void name_the_input(sf_flow *f)
{
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .name = "mixer",
                          .compute = nothing,
                          .in = { { .name = "x", .optional = true }, { .name = "y", .optional = true } } });
    note_down(0, sf_flow_connect(f, add_source(f, "a"), NULL, b, NULL, NULL));
}
static void zero_operator(sf_flow *f)
{
    note_down(0, sf_flow_connect(f, add_source(f, "camera"), "out", (sf_op){ 0 }, "in", NULL));
}
static void foreign_operator(sf_flow *f)
{
    note_down(0, sf_flow_connect(f, add_source(other_flow, "stranger"), "out", add_sink(f, "isp"), "in", NULL));
}
static void twice_the_same(sf_flow *f)
{
    sf_op a = add_source(f, "camera"),
          b = sf_flow_add(f, &(sf_op_desc){
                            .name = "isp", .compute = nothing, .in = { { .name = "in", .many = true } } });
    connect(f, a, b);
    note_down(0, sf_flow_connect(f, a, "out", b, "in", NULL));
}
static void two_into_one(sf_flow *f)
{
    sf_op b = add_sink(f, "isp");
    connect(f, add_source(f, "camera"), b);
    note_down(0, sf_flow_connect(f, add_source(f, "other"), "out", b, "in", NULL));
}
static void into_an_external(sf_flow *f)
{
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .name = "isp", .compute = nothing, .in = { { .name = "in", .external = true } } });
    note_down(0, sf_flow_connect(f, add_source(f, "camera"), "out", b, "in", NULL));
}
static void turn_twice(sf_flow *f)
{
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "first", .compute = nothing, .count = 1 }),
          b = sf_flow_add(f, &(sf_op_desc){ .name = "second", .compute = nothing });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true }));
    note_down(0, sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .control = true }));
}
static void batch_too_large(sf_flow *f)
{
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "fft",
                                       .compute = nothing,
                                       .in = { { .name = "blocks", .capacity = 3, .batch = 4 } } });
    connect(f, add_source(f, "adc"), b);
}
static void batch_too_large_for_the_edge(sf_flow *f)
{
    sf_op b = sf_flow_add(
        f, &(sf_op_desc){ .name = "fft", .compute = nothing, .in = { { .name = "blocks", .batch = 4 } } });
    CHECK_OK(sf_flow_connect(f, add_source(f, "adc"), NULL, b, NULL, &(sf_edge_desc){ .capacity = 2 }));
}
static sf_op ring_of(sf_flow *f, uint16_t delay)
{
    sf_op first = sf_flow_add(
        f,
        &(sf_op_desc){ .name = "loop_a", .compute = pass_value, .in = { IN("in") }, .out = { OUT("out") } });
    sf_op second = sf_flow_add(
        f,
        &(sf_op_desc){ .name = "loop_b", .compute = pass_value, .in = { IN("in") }, .out = { OUT("out") } });
    connect(f, first, second);
    CHECK_OK(sf_flow_connect(f, second, NULL, first, NULL, &(sf_edge_desc){ .delay = delay }));
    return first;
}
static void circle(sf_flow *f) { ring_of(f, 0); }
static void circle_behind_a_source(sf_flow *f)
{
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){
               .name = "loop_a", .compute = nothing, .in = { IN("x"), IN("back") }, .out = { OUT("out") } });
    sf_op b = sf_flow_add(
        f,
        &(sf_op_desc){ .name = "loop_b", .compute = pass_value, .in = { IN("in") }, .out = { OUT("out") } });
    CHECK_OK(sf_flow_connect(f, add_source(f, "innocent"), NULL, a, "x", NULL));
    connect(f, a, b);
    CHECK_OK(sf_flow_connect(f, b, NULL, a, "back", NULL));
}
static void circle_of_one(sf_flow *f)
{
    sf_op a = sf_flow_add(
        f,
        &(sf_op_desc){ .name = "loop_a", .compute = pass_value, .in = { IN("in") }, .out = { OUT("out") } });
    connect(f, a, a);
}
static void port_behind_the_end(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "holes", .compute = nothing, .in = { { .bytes = 4 }, IN("in") },
                                  .count = 1 });
}
static void output_behind_the_end(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "holes", .compute = nothing, .out = { [7] = OUT("out") }, .count = 1 });
}
static void condition_behind_the_end(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "holes", .compute = nothing, .count = 1,
                             .when = { [1] = { .kind = SF_CONDITION_SIGNAL } } });
}
static void no_compute(sf_flow *f)
{
    note_down(0, sf_flow_add(f, &(sf_op_desc){ .name = "hollow" }).id ? 0 : SF_ERROR_INVALID_VALUE);
}
static void with_condition(sf_flow *f, sf_condition c, uint16_t capacity)
{
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "picky",
                                       .compute = pass_value,
                                       .in = { { .name = "in", .capacity = capacity } },
                                       .out = { OUT("out") },
                                       .when = { c } });
    connect(f, add_source(f, "a"), a);
    connect(f, a, add_sink(f, "z"));
}
static void count_of_0(sf_flow *f) { with_condition(f, (sf_condition){ .kind = SF_CONDITION_COUNT }, 1); }
static void no_period(sf_flow *f) { with_condition(f, (sf_condition){ .kind = SF_CONDITION_PERIOD }, 1); }
static void negative_period(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "picky", .compute = nothing, .period = -1, .count = 1 });
}
static void no_such_catch_up(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_PERIOD, .ns = 5, .catch_up = 9 }, 1);
}
static void no_such_on_error(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "picky", .compute = nothing, .on_error = (sf_on_error)44, .count = 1 });
}
static void no_such_state(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = 7 }, 1);
}
static void no_check(sf_flow *f) { with_condition(f, (sf_condition){ .kind = SF_CONDITION_USER }, 1); }
static void no_such_kind(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = (sf_condition_kind)77 }, 1);
}
static void no_such_port(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_STREAM, .ports = 4 }, 1);
}
static void never_so_many(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_MESSAGES, .count = 3 }, 2);
}
static void never_so_many_in_time(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_MESSAGES, .count = 3, .ns = SF_MS(1) }, 2);
}
static void expires_before_so_many(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_EXPIRING, .count = 3, .ns = SF_MS(1) }, 2);
}
static void never_so_many_on_two(sf_flow *f)
{
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .name = "picky", .compute = nothing, .in = { { .name = "a", .many = true },
                                                 { .name = "b", .external = true, .capacity = 3 } },
                           .when = { { .kind = SF_CONDITION_EXPIRING, .count = 7, .ns = SF_MS(1) } } });
    for (uint16_t i = 1; i <= 2; i++) {                      /* 1 + 2 + 3 */
        CHECK_OK(sf_flow_connect(f, add_source(f, i == 1 ? "one" : "two"), NULL, to, "a",
                                 &(sf_edge_desc){ .capacity = i, .overflow = SF_OVERFLOW_DROP_OLDEST }));
    }
}
static void never_so_much_room(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_ROOM, .count = 2 }, 1);
}
static void never_two_of_the_latest(sf_flow *f)
{
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .name = "picky", .compute = nothing,
                                             .in = { { .name = "in", .capacity = 4 } },
                                        .when = { { .kind = SF_CONDITION_MESSAGES, .count = 2 } } });
    CHECK_OK(sf_flow_connect(f, add_source(f, "source"), NULL, to, NULL,
                             &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
}
static void never_so_much_room_or_an_error(sf_flow *f)
{
    sf_op from = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = nothing, .out = { OUT("out") },
                                               .count = 1,
                                          .when = { { .kind = SF_CONDITION_ROOM, .count = 9 } } });
    CHECK_OK(sf_flow_connect(f, from, NULL, add_sink(f, "sink"), NULL,
                             &(sf_edge_desc){ .overflow = SF_OVERFLOW_ERROR }));
}
static void expires_never(sf_flow *f)
{
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_EXPIRING, .count = 1 }, 1);
}
static void buffer_of_no_size(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){
                  .name = "camera", .compute = nothing, .out = { { .name = "raw", .data = some_memory } } });
}
static void no_such_memory(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "camera",
                             .compute = nothing,
                             .out = { { .name = "raw", .bytes = 8, .memory = 9 } } });
}
static void small_blocks(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "camera",
                             .compute = nothing,
                             .out = { { .name = "raw", .bytes = 65, .pool = small_pool } } });
}
static void no_such_policy(sf_flow *f)
{
    note_down(0, sf_flow_connect(f, add_source(f, "camera"), NULL, add_sink(f, "isp"), NULL,
                            &(sf_edge_desc){ .overflow = (sf_overflow)9 }));
}
static void nameless_port(sf_flow *f)
{
    note_down(0, sf_op_add_input(f, add_source(f, "camera"), &(sf_port){ .bytes = 3 }) < 0
                     ? SF_ERROR_INVALID_VALUE
                     : 0);
}
static void port_of_nobody(sf_flow *f)
{
    note_down(0, sf_op_add_output(f, (sf_op){ 12345 }, &(sf_port){ .name = "x" }) < 0 ? SF_ERROR_UNKNOWN_OPERATOR
                                                                                   : 0);
}
static void never_so_many_blocks(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "picky", .compute = nothing,
                             .out = { { .name = "raw", .bytes = 64, .pool = small_pool } },
                             .when = { { .kind = SF_CONDITION_MEMORY, .count = 2 } } });
}
static void memory_of_the_pool(sf_flow *f)
{
    for (int m = SF_MEMORY_DEVICE; m <= SF_MEMORY_PINNED; m++) {             /* the default says nothing */
        sf_flow_add(f, &(sf_op_desc){ .name = m ? "camera" : "other", .compute = nothing, .count = 1,
                                 .out = { { .name = "raw", .bytes = 64, .pool = small_pool, .memory = (sf_memory)m } } });
    }
}
static void share_a_block(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "stereo", .compute = nothing, .count = 1,
                             .out = { { .name = "left", .bytes = 64, .pool = small_pool }, { .name = "raw", .bytes = 64 },
                                      { .name = "right", .bytes = 64, .pool = small_pool } } });
}
static void two_inputs_of_a_name(sf_flow *f)
{
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "mixer", .compute = nothing, .in = { IN("x"), IN("y") } });
    CHECK_EQUAL(sf_op_add_input(f, b, &(sf_port){ .name = "y", .optional = true }), 2);
    sf_flow_connect(f, add_source(f, "a"), NULL, b, "x", NULL);
    sf_flow_connect(f, add_source(f, "b"), NULL, b, "y", NULL);
}
static void two_outputs_of_a_name(sf_flow *f)
{
    sf_flow_add(f, &(sf_op_desc){ .name = "stereo", .compute = nothing, .out = { OUT("left"), OUT("left") } });
}
static void too_many_ports(sf_flow *f)
{
    sf_op a = add_source(f, "camera");
    char name[16];
    for (int i = 1; i < SF_MAX_PORTS; i++) {
        snprintf(name, sizeof name, "o%d", i);
        CHECK_EQUAL(sf_op_add_output(f, a, &(sf_port){ .name = name }), i);
    }
    note_down(0, sf_op_add_output(f, a, &(sf_port){ .name = "more" }) < 0 ? SF_ERROR_INVALID_VALUE : 0);
}
/* SILENT: the building call has no result of its own; only the check tells. */
enum { SILENT = 1 };
static const struct build_case {
    const char *name;
    void (*build)(sf_flow *f);
    sf_result result;
    const char *where, *words[3];
    int silent;
} build_cases[] = {
    { "unconnected", unconnected, SF_ERROR_NOT_CONNECTED, "lonely", { "lonely", "in", "optional" }, SILENT },
    { "sizes differ", sizes_differ, SF_ERROR_MISMATCH, "isp", { "640", "480", "frame" }, SILENT },
    { "no such output",
      no_such_output,
      SF_ERROR_UNKNOWN_PORT,
      "camera",
      { "nonsense", "there is \"out\"", "output" },
      0 },
    { "no such input", no_such_input, SF_ERROR_UNKNOWN_PORT, "isp", { "nonsense", "there is \"in\"", "input" }, 0 },
    { "name the output",
      name_the_output,
      SF_ERROR_UNKNOWN_PORT,
      "stereo",
      { "stereo", "output", "name" },
      0 },
    { "name the input", name_the_input, SF_ERROR_UNKNOWN_PORT, "mixer", { "mixer", "input", "name" }, 0 },
    { "zero operator",
      zero_operator,
      SF_ERROR_UNKNOWN_OPERATOR,
      "camera",
      { "second", "its sf_flow_add() failed", "zero" },
      0 },
    { "foreign operator",
      foreign_operator,
      SF_ERROR_UNKNOWN_OPERATOR,
      "isp",
      { "first", "sf_flow_add()", "" },
      0 },
    { "twice the same", twice_the_same, SF_ERROR_CONNECTED_TWICE, "isp", { "camera", "isp", "already" }, 0 },
    { "two into one", two_into_one, SF_ERROR_CONNECTED_TWICE, "isp", { "isp", "in", "many" }, 0 },
    { "into an external",
      into_an_external,
      SF_ERROR_CONNECTED_TWICE,
      "isp",
      { "isp", "external", "sf_flow_push" },
      0 },
    { "turn twice", turn_twice, SF_ERROR_CONNECTED_TWICE, "second", { "first", "second", "turn" }, 0 },
    { "batch too large",
      batch_too_large,
      SF_ERROR_INVALID_VALUE,
      "fft",
      { "blocks", "batch of 4", "raise sf_port.capacity (or sf_edge_desc.capacity)" },
      SILENT },
    { "batch, edge",
      batch_too_large_for_the_edge,
      SF_ERROR_INVALID_VALUE,
      "fft",
      { "batch of 4", "2", "capacity" },
      SILENT },
    { "circle", circle, SF_ERROR_DEADLOCK, "loop_", { "loop_a", "loop_b", "delay" }, SILENT },
    { "circle, source",
      circle_behind_a_source,
      SF_ERROR_DEADLOCK,
      "loop_",
      { "loop_a", "loop_b", "delay" },
      SILENT },
    { "circle of one", circle_of_one, SF_ERROR_DEADLOCK, "loop_a", { "loop_a", "delay", "" }, SILENT },
    { "no compute", no_compute, SF_ERROR_INVALID_VALUE, "hollow", { "hollow", "compute", "" }, 0 },
    { "an input behind the end", port_behind_the_end, SF_ERROR_INVALID_VALUE, "holes", { "holes", ".in ", "" },
      SILENT },
    { "an output behind the end", output_behind_the_end, SF_ERROR_INVALID_VALUE, "holes", { "holes", ".out ", "" },
      SILENT },
    { "a condition behind the end", condition_behind_the_end, SF_ERROR_INVALID_VALUE, "holes",
      { "holes", ".when ", "" }, SILENT },
    { "count of 0",
      count_of_0,
      SF_ERROR_INVALID_VALUE,
      "picky",
      { "picky", "condition 0", "count" },
      SILENT },
    { "no period", no_period, SF_ERROR_INVALID_VALUE, "picky", { "picky", "condition 0", ".ns" }, SILENT },
    { "negative period",
      negative_period,
      SF_ERROR_INVALID_VALUE,
      "picky",
      { "picky", "condition 0", ".ns" },
      SILENT },
    { "no such catch_up", no_such_catch_up, SF_ERROR_INVALID_VALUE, "picky", { "picky", ".catch_up", "" }, SILENT },
    { "no such on_error", no_such_on_error, SF_ERROR_INVALID_VALUE, "picky", { "picky", "on_error is 44", "" }, SILENT },
    { "no such state", no_such_state, SF_ERROR_INVALID_VALUE, "picky", { "picky", "initial", "" }, SILENT },
    { "no check", no_check, SF_ERROR_INVALID_VALUE, "picky", { "picky", "check", "" }, SILENT },
    { "no such kind", no_such_kind, SF_ERROR_INVALID_VALUE, "picky", { "picky", "kind", "" }, SILENT },
    { "no such port", no_such_port, SF_ERROR_INVALID_VALUE, "picky", { "picky", "port", "" }, SILENT },
    { "never so many", never_so_many, SF_ERROR_INVALID_VALUE, "picky", { "picky", "capacit", "" }, SILENT },
    { "never so much room",
      never_so_much_room,
      SF_ERROR_INVALID_VALUE,
      "picky",
      { "picky", "room", "raise sf_port.capacity (or sf_edge_desc.capacity)" },
      SILENT },
    { "never so many blocks",
      never_so_many_blocks,
      SF_ERROR_INVALID_VALUE,
      "picky",
      { "picky", "condition 0", "blocks" },
      SILENT },
    { "so many in time", never_so_many_in_time, SF_ERROR_INVALID_VALUE, "picky",
      { "\"picky\".in:", "a .count of 3, the queue holds 2:", "capacity" }, SILENT },
    { "expires before", expires_before_so_many, SF_ERROR_INVALID_VALUE, "picky",
      { "\"picky\".in:", "a .count of 3, the queue holds 2:", "capacity" }, SILENT },
    { "so many on two", never_so_many_on_two, SF_ERROR_INVALID_VALUE, "picky",
      { "\"picky\".a and others:", "a .count of 7, the queues hold 6:", "raise sf_port.capacity (or sf_edge_desc.capacity), or lower .count" }, SILENT },
    { "expires never", expires_never, SF_ERROR_INVALID_VALUE, "picky", { "picky", ".ns", "" }, SILENT },
    { "buffer of no size",
      buffer_of_no_size,
      SF_ERROR_INVALID_VALUE,
      "camera",
      { "camera", "raw", "bytes" },
      SILENT },
    { "no such memory",
      no_such_memory,
      SF_ERROR_INVALID_VALUE,
      "camera",
      { "camera", "raw", "memory" },
      SILENT },
    { "small blocks", small_blocks, SF_ERROR_MISMATCH, "camera", { "raw", "65", "64" }, SILENT },
    { "memory of the pool", memory_of_the_pool, SF_ERROR_MISMATCH, "camera",
      { "\"camera\".raw", ".pool has DEVICE memory, .memory says PINNED", "set sf_mem_pool_desc.memory" }, SILENT },
    { "two outputs, one block", share_a_block, SF_ERROR_INVALID_VALUE, "stereo",
      { "\"stereo\".left and .right share a pool of 1 block,", "sf_mem_pool_desc.blocks to 2", "" }, SILENT },
    { "never two of the latest", never_two_of_the_latest, SF_ERROR_INVALID_VALUE, "picky", { "picky", "holds 1", "" }, SILENT },
    { "never so much room, or an error", never_so_much_room_or_an_error, SF_ERROR_INVALID_VALUE, "source", { "source", "room", "" }, SILENT },
    { "no such policy", no_such_policy, SF_ERROR_INVALID_VALUE, "isp", { "isp", "policy", "" }, 0 },
    { "nameless port", nameless_port, SF_ERROR_INVALID_VALUE, "camera", { "camera", "name", "" }, 0 },
    { "port of nobody", port_of_nobody, SF_ERROR_UNKNOWN_OPERATOR, "", { "operator", "", "" }, 0 },
    { "two inputs of a name", two_inputs_of_a_name, SF_ERROR_INVALID_VALUE, "mixer", { "mixer", "inputs", "\"y\"" }, SILENT },
    { "two outputs of a name",
      two_outputs_of_a_name,
      SF_ERROR_INVALID_VALUE,
      "stereo",
      { "stereo", "outputs", "\"left\"" },
      SILENT },
    { "too many ports", too_many_ports, SF_ERROR_INVALID_VALUE, "camera", { "camera", "32", "" }, 0 },
};
static void what_cannot_be_built(void **state)
{
    (void)state;
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 64, .blocks = 1 }, &small_pool));
    other_flow = flow_on(device);
    for (size_t i = 0; i < COUNT(build_cases); i++) {
        const struct build_case *c = &build_cases[i];
        sf_flow *f = flow_on(device);
        const sf_failure *failure = sf_flow_failure(f);
        notes_clear();
        c->build(f);
        if (!c->silent) {
            long long got = 77;
            notes_of(0, &got, 1);
            if (got != c->result) {
                fail_msg("%s: the call says %lld, not %d", c->name, got, (int)c->result);
            }
        }
        report_clear();
        CHECK_IS(sf_flow_check(f, false, report_add, NULL), c->result);
        if (failure->result != c->result || strncmp(failure->where, c->where, strlen(c->where)) != 0) {
            fail_msg("%s: %d at \"%s\": %s", c->name, (int)failure->result, failure->where, failure->text);
        }
        for (int w = 0; w < 3; w++) {
            if (!strstr(failure->text, c->words[w])) {
                fail_msg("%s: no \"%s\" in \"%s\"", c->name, c->words[w], failure->text);
            }
            if (!strstr(report.text, c->words[w])) {
                fail_msg("%s: no \"%s\" in the report\n%s", c->name, c->words[w], report.text);
            }
        }
        CHECK(!strncmp(failure->call, "sf_", 3));
        CHECK_IS(sf_flow_run(f), c->result);                      /* nothing has run */
        CHECK_IS(sf_flow_start(f), c->result);
        CHECK_IS(sf_flow_step(f, NULL), c->result);
        destroy_is(f, c->result);
    }
    destroy(other_flow);
    CHECK_OK(sf_mem_pool_destroy(small_pool));
}
static void destroyed_pools(void **state)
{
    sf_stream_pool *streams;
    (void)state;
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 64, .blocks = 1 }, &small_pool));
    CHECK_OK(sf_mem_pool_destroy(small_pool));
    CHECK_OK(sf_stream_pool_create(device, NULL, &streams));
    CHECK_OK(sf_stream_pool_destroy(streams));
    for (int i = 0; i < 3; i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .streams = i == 2 ? streams : NULL });
        sf_flow_add(f,
               &(sf_op_desc){ .name = "camera",
                              .compute = nothing,
                              .count = 1,
                              .streams = i == 1 ? streams : NULL,
                              .out = { { .name = "raw", .bytes = 8, .pool = i == 0 ? small_pool : NULL } } });
        run_is(f, SF_ERROR_INVALID_HANDLE);
        CHECK(strstr(sf_flow_failure(f)->text, "pool") != NULL);
        CHECK(i == 2 || !strcmp(sf_flow_failure(f)->where, "camera"));
        destroy_is(f, SF_ERROR_INVALID_HANDLE);
    }
}
/* Outputs that share a pool: refused where there can never be a block for each. */
static sf_result emit_on_all(sf_context *ctx)
{
    for (int p = 0; p < 3; p++) { (void)sf_emit(ctx, p, sf_tensor_create(ctx, p, NULL)); }
    return SF_OK;
}
static void outputs_share_a_pool(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 16; k++) {
        const uint32_t blocks = 1 + k % 4;
        sf_mem_pool_desc d = { .block_bytes = 64, .blocks = blocks, .fail_when_empty = k / 4 == 1 };
        sf_op_desc op = { .name = "triple", .compute = emit_on_all, .count = 1 };
        sf_flow *f = flow_on(device);
        sf_mem_pool *pool;
        const bool never = blocks < 3 && k / 4 == 0;
        if (k / 4 == 2) { d.kind = SF_MEM_POOL_UNBOUNDED; }
        CHECK_OK(sf_mem_pool_create(device, &d, &pool));
        for (int p = 0; p < 3; p++) { op.out[p] = (sf_port){ .name = &"x\0y\0z"[2 * p], .bytes = 64, .pool = pool }; }
        if (k / 4 == 3) {                    /* it may run without memory */
            op.when[0] = (sf_condition){ .kind = SF_CONDITION_MEMORY, .any = 1 };
            op.when[1] = (sf_condition){ .kind = SF_CONDITION_TIME, .any = 1 };
        }
        sf_flow_add(f, &op);
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), never ? SF_ERROR_INVALID_VALUE : SF_OK);
        if (never) {
            CHECK(strstr(sf_flow_failure(f)->text, "\"triple\".x and .y and others share a pool of ") != NULL);
            CHECK_EQUAL(sf_flow_failure(f)->count, 1);
        } else if (blocks >= 3 || k / 4 == 2) {
            run_is(f, SF_OK);
        }
        (void)sf_flow_destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
    }
}
static void all_problems_are_reported(void **state)          /* the first one sticks */
{
    static const char *const words[] = { "nonsense",   "hollow", "lonely",     "640",
                                         "batch of 4", "loop_b", "condition 0" };
    sf_flow *f = flow_on(device);
    (void)state;
    no_such_output(f);
    no_compute(f);
    unconnected(f);
    sizes_differ(f);
    batch_too_large(f);
    circle(f);
    with_condition(f, (sf_condition){ .kind = SF_CONDITION_COUNT }, 1);
    for (int json = 0; json < 2; json++) {
        report_clear();
        CHECK_IS(sf_flow_check(f, json, report_add, NULL), SF_ERROR_UNKNOWN_PORT);
        for (size_t i = 0; i < COUNT(words); i++) {
            if (!strstr(report.text, words[i])) {
                fail_msg("no \"%s\" in the report\n%s", words[i], report.text);
            }
        }
        if (json) {
            CHECK(report.text[0] == '{' && strstr(report.text, "\"problems\"") && report.text[report.bytes - 2] == '}');
        }
    }
    CHECK_EQUAL(sf_flow_failure(f)->result, SF_ERROR_UNKNOWN_PORT);
    CHECK(strstr(sf_flow_failure(f)->text, "nonsense") != NULL);
    CHECK(sf_flow_failure(f)->count >= 7);
    CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_UNKNOWN_PORT);
    CHECK_IS(sf_flow_run(f), SF_ERROR_UNKNOWN_PORT);
    destroy_is(f, SF_ERROR_UNKNOWN_PORT);
}
static void what_is_mended_is_forgotten(
    void **state) /* an edge that was missing is not a call that went wrong */
{
    sf_flow *f = flow_on(device);
    sf_op a = add_source(f, "a"), b = add_sink(f, "b");
    (void)state;
    CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_NOT_CONNECTED);
    connect(f, a, b);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    run_is(f, SF_OK);
    CHECK_EQUAL(runs_of(f, b), 3);
    destroy(f);
}

/* -- computes that fail -- */

static int wrong;
static sf_tensor not_a_tensor;
static sf_result fail_somehow(sf_context *ctx)
{
    switch (wrong) {
    case 0: return SF_ERROR_USER - 7;
    case 1: return sf_fail(ctx, SF_ERROR_USER - 8, "the lens cap is on");
    case 2: sf_fail(ctx, SF_ERROR_USER - 9, "nobody looks"); return SF_OK;
    case 3: return SF_ERROR_LAUNCH_FAILED;
    case 4: note_down(0, sf_receive(ctx, 5) && !sf_receive(ctx, 5)->owner); return SF_OK;
    case 5: note_down(0, sf_receive(ctx, -1) && !sf_receive(ctx, -1)->owner); return SF_OK;
    case 6: note_down(0, sf_receive_value(ctx, 3).i64 == 0); return SF_OK;
    case 7: note_down(0, sf_emit_value(ctx, 9, number(1)) < 0); return SF_OK;
    case 8: note_down(0, sf_emit(ctx, 0, NULL) < 0); return SF_OK;
    case 9: note_down(0, sf_emit(ctx, 0, &not_a_tensor) < 0); return SF_OK;
    case 10:
        sf_emit_value(ctx, 0, number(1));
        note_down(0, sf_emit_value(ctx, 0, number(2)) < 0);
        return SF_OK;
    case 11:
        note_down(0, sf_receive(ctx, 0) && !sf_receive(ctx, 0)->owner);
        return SF_OK; /* but it is a value */
    case 12: note_down(0, sf_set_port_bytes(ctx, "out", 4) < 0); return SF_OK;
    case 13:
        note_down(0, sf_launch(sf_compute_stream(ctx), &(sf_kernel){ .name = "hollow" }, NULL, 0) < 0);
        return SF_OK;
    case 14: note_down(0, sf_launch(sf_compute_stream(ctx), NULL, NULL, 0) < 0); return SF_OK;
    case 15:
        note_down(0, sf_launch(sf_compute_stream(ctx), &paint_kernel, &wrong, SF_MAX_ARGS + 1) < 0);
        return SF_OK;
    case 16: note_down(0, sf_set_metadata(ctx, 1, number(1)) < 0); return SF_OK;
    case 17: return sf_fail(ctx, SF_OK, "no code");
    case 18: return sf_launch(sf_compute_stream(ctx), &(sf_kernel){ .name = "hollow" }, NULL, 0);
    case 19:
        return sf_launch(sf_compute_stream(ctx), &(sf_kernel){ .name = "hollow" }, NULL, 0) < 0 ? SF_ERROR_USER - 7
                                                                                                : SF_OK;
    case 20: return sf_fail(ctx, SF_ERROR_USER, NULL);
    default: return SF_OK;
    }
}
static const struct fail_case { sf_result result; const char *call, *words[2]; int notes; } fail_cases[] = {
    { SF_ERROR_USER - 7, "", { "faulty", "-1107" }, 0 },
    { SF_ERROR_USER - 8, "sf_fail", { "faulty", "the lens cap is on" }, 0 },
    { SF_ERROR_USER - 9, "sf_fail", { "faulty", "nobody looks" }, 0 },
    { SF_ERROR_LAUNCH_FAILED, "", { "faulty", "" }, 0 },
    { SF_ERROR_UNKNOWN_PORT, "sf_receive", { "faulty", "5" }, 1 },
    { SF_ERROR_UNKNOWN_PORT, "sf_receive", { "faulty", "-1" }, 1 },
    { SF_ERROR_UNKNOWN_PORT, "sf_receive_value", { "faulty", "3" }, 1 },
    { SF_ERROR_UNKNOWN_PORT, "sf_emit_value", { "faulty", "9" }, 1 },
    { SF_ERROR_INVALID_VALUE, "sf_emit", { "faulty", "sf_tensor_create" }, 1 },
    { SF_ERROR_INVALID_VALUE, "sf_emit", { "faulty", "sf_tensor_create" }, 1 },
    { SF_ERROR_QUEUE_FULL, "sf_emit_value", { "sink", "raise sf_port.capacity (or sf_edge_desc.capacity), or wait" }, 1 },
    { SF_ERROR_MISMATCH, "sf_receive", { "in", "value" }, 1 },
    { SF_ERROR_ILLEGAL_STATE, "sf_set_port_bytes", { "faulty", "initialize" }, 1 },
    { SF_ERROR_NOT_SUPPORTED, "", { "faulty", "hollow" }, 1 },
    { SF_ERROR_INVALID_VALUE, "", { "faulty", "" }, 1 },
    { SF_ERROR_INVALID_VALUE, "", { "faulty", "" }, 1 },
    { SF_ERROR_NO_ROOM, "sf_set_metadata", { "faulty", "metadata_entries" }, 1 },
    { SF_ERROR_USER, "sf_fail", { "faulty", "no code" }, 0 },
    { SF_ERROR_NOT_SUPPORTED, "", { "faulty", "hollow" }, 0 },               /* returned, it is as well told */
    { SF_ERROR_USER - 7, "", { "-1107", "hollow" }, 0 },
    { SF_ERROR_USER, "sf_fail", { "faulty", ": error of an operator" }, 0 },
};
/* Each circle is a problem of its own, and names who is in it, not who waits behind it. */
static void every_circle_is_reported(void **state)
{
    enum { CIRCLES = 3, LONG = 4 };
    static char names[CIRCLES * LONG + 1][16];
    sf_flow *f = flow_on(device);
    sf_op op[CIRCLES * LONG], behind;
    (void)state;
    snprintf(names[CIRCLES * LONG], sizeof *names, "last");
    behind = sf_flow_add(f, &(sf_op_desc){ .name = "last", .compute = nothing,
                                           .in = { { .name = "in", .many = true } } });
    for (int i = 0; i < CIRCLES * LONG; i++) {
        snprintf(names[i], sizeof names[i], "c%d.%d", i / LONG, i % LONG);
        op[i] = sf_flow_add(f, &(sf_op_desc){ .name = names[i], .compute = nothing, .in = { { .name = "in" } },
                                         .out = { { .name = "out" } } });
        if (i % LONG) { connect(f, op[i - 1], op[i]); }
        if (i % LONG == LONG - 1) { connect(f, op[i], op[i - LONG + 1]); }
        if (i % LONG == LONG - 1) { connect(f, op[i], behind); }
    }
    report_clear();
    CHECK_IS(sf_flow_check(f, false, report_add, NULL), SF_ERROR_DEADLOCK);
    CHECK_EQUAL(sf_flow_failure(f)->count, CIRCLES);
    CHECK_EQUAL(count_of("in a circle: "), CIRCLES);
    for (int i = 0; i < CIRCLES; i++) {
        const char *line = report.text;
        for (int k = 0; k < i; k++) { line = strchr(line, '\n') + 1; }
        for (int k = 0; k <= CIRCLES * LONG; k++) {
            const char *at = strstr(line, names[k]);
            CHECK((at && at < strchr(line, '\n')) == (k / LONG == i));
        }
    }
    destroy_is(f, SF_OK);
}
static void computes_that_fail(void **state) /* the flow ends with it, even if nobody looked */
{
    (void)state;
    for (wrong = 0; wrong < (int)COUNT(fail_cases); wrong++) {
        const struct fail_case *c = &fail_cases[wrong];
        test_log log = { 0 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger = { test_log_func, &log } });
        const sf_failure *failure = sf_flow_failure(f);
        sf_op a, b, z;
        notes_clear();
        a = add_source(f, "source");
        b = sf_flow_add(
            f, &(sf_op_desc){
                   .name = "faulty", .compute = fail_somehow, .in = { IN("in") }, .out = { OUT("out") } });
        z = add_sink(f, "sink");
        connect(f, a, b);
        connect(f, b, z);
        run_is(f, c->result);
        for (int w = 0; w < 2; w++) {
            if (!strstr(failure->text, c->words[w])) {
                fail_msg("case %d: no \"%s\" in \"%s\"", wrong, c->words[w], failure->text);
            }
        }
        if (failure->result != c->result || strcmp(failure->where, "faulty") != 0 ||
            (c->call[0] && strcmp(failure->call, c->call))) {
            fail_msg("case %d: %d at \"%s\" by \"%s\": %s", wrong, (int)failure->result, failure->where,
                     failure->call, failure->text);
        }
        if (c->notes) { CHECK_NOTES(0, 1); }
        CHECK_EQUAL(runs_of(f, z), 0);                       /* an error emits nothing */
        CHECK(log.count >= 1 && log.level == 1 && strstr(log.text, "faulty"));
        destroy_is(f, c->result);
    }
}

/* Also over a plain edge, to one of several, and where an initialize hook has said .bytes. */
static sf_result say_bytes(sf_context *ctx) { return sf_set_port_bytes(ctx, "in", 64); }
static void values_into_an_input_for_tensors(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "adc", .compute = count_up, .out = { OUT("out") }, .count = 2 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "isp", .compute = nothing, .initialize = k & 1 ? say_bytes : NULL,
                                                .in = { { .name = "in", .bytes = k & 1 ? 0 : 64 } } });
        if (k & 2) { connect(f, a, add_sink(f, "log")); }
        connect(f, a, b);
        for (int again = 0; again < 2; again++) {
            run_is(f, SF_ERROR_MISMATCH);
            CHECK(strstr(sf_flow_failure(f)->text, "sf_emit_value: operator \"adc\"") != NULL);
            CHECK(strstr(sf_flow_failure(f)->text, "input \"isp\".in has .bytes, so it takes tensors") != NULL);
            CHECK_EQUAL(runs_of(f, b), 0);
        }
        destroy_is(f, SF_ERROR_MISMATCH);
    }
}

/* After the first error everything is a stand-in: nothing crashes, nothing is launched, the first error
   counts. */
static sf_result fail_and_go_on(sf_context *ctx)
{
    sf_tensor *t;
    sf_value v;
    sf_stream *s;
    sf_fail(ctx, SF_ERROR_USER - 1, "the first");
    sf_fail(ctx, SF_ERROR_USER - 2, "the second");
    t = sf_receive(ctx, 0);
    note_down(0, t && !t->owner && t->bytes == 0 && t->shape && t->ndim == 1);
    t = sf_tensor_create(ctx, 0, NULL);
    note_down(0, t && !t->owner && t->bytes == 0);
    t = sf_tensor_like(ctx, 0, t);
    note_down(0, t && !t->owner);
    s = sf_compute_stream(ctx);
    note_down(0, s == NULL);
    note_down(0, sf_receive_stream(ctx, 0, 0) == NULL);
    note_down(0, sf_allocate_stream(ctx, "x") == NULL);
    note_down(0, sf_launch(s, &paint_kernel, NULL, 0) == SF_ERROR_INVALID_HANDLE);
    note_down(0, sf_memset_async(s, t->data, 0, t->bytes) == SF_ERROR_INVALID_HANDLE);
    note_down(0, sf_emit(ctx, 0, t) < 0);
    v = sf_receive_value(ctx, 0);
    note_down(0, v.i64 == 0);
    note_down(0, sf_emit_value(ctx, 0, v) < 0);
    note_down(0, sf_receive_streams(ctx, 0, NULL, 0) == 0);
    note_down(0, sf_set_stream(ctx, 0, s) < 0);
    return SF_DONE;
}
static void stand_ins_after_an_error(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "faulty",
                                       .compute = fail_and_go_on,
                                       .in = { IN("in") },
                                       .out = { { .name = "out", .bytes = 64 } } });
    sf_counters before, after;
    (void)state;
    connect(f, add_source(f, "source"), a);
    CHECK_OK(sf_device_get_counters(device, &before));
    run_is(f, SF_ERROR_USER - 1);
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_EQUAL(after.launches, before.launches);
    for (uint32_t i = 0; i < note_count; i++) {
        if (!notes[i].what) { fail_msg("call %u of those after the error is wrong", i); }
    }
    CHECK_EQUAL(note_count, 13);
    CHECK(strstr(sf_flow_failure(f)->text, "the first") != NULL);
    destroy_is(f, SF_ERROR_USER - 1);
}

/* -- what happens then -- */

static int fail_from, fail_times;                            /* fails in run `fail_from`, so many times */
static sf_result fail_at_times(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    note_down(0, v);
    sf_emit_value(ctx, 0, number(v));                        /* never leaves if it fails */
    if (v == fail_from && fail_times) { return fail_times--, SF_ERROR_USER - 3; }
    return SF_OK;
}
static void error_policies(void **state)
{
    static const struct {
        sf_on_error policy;
        uint32_t retries, fails;
        sf_result result;
        long long computed[8], arrived[6];
        uint32_t computes, arrivals, errors;
        sf_op_state state;
    } cases[] = {
        { SF_ON_ERROR_STOP_FLOW, 0, 1, SF_ERROR_USER - 3, { 1, 2 }, { 1 }, 2, 1, 1, SF_OP_FAILED },
        { SF_ON_ERROR_STOP_OPERATOR, 0, 1, SF_OK, { 1, 2 }, { 1 }, 2, 1, 1, SF_OP_FAILED },
        { SF_ON_ERROR_IGNORE, 0, 1, SF_OK, { 1, 2, 3, 4 }, { 1, 3, 4 }, 4, 3, 1, SF_OP_STOPPED },
        { SF_ON_ERROR_RETRY, 2, 1, SF_OK, { 1, 2, 2, 3, 4 }, { 1, 2, 3, 4 }, 5, 4, 1, SF_OP_STOPPED },
        { SF_ON_ERROR_RETRY, 2, 2, SF_OK, { 1, 2, 2, 2, 3, 4 }, { 1, 2, 3, 4 }, 6, 4, 2, SF_OP_STOPPED },
        { SF_ON_ERROR_RETRY, 2, 3, SF_ERROR_USER - 3, { 1, 2, 2, 2 }, { 1 }, 4, 1, 3, SF_OP_FAILED },
        { SF_ON_ERROR_RETRY, 0, 1, SF_ERROR_USER - 3, { 1, 2 }, { 1 }, 2, 1, 1, SF_OP_FAILED },
    };
    static const char *const fates[] = { "", "the flow goes on", "ignored", "tried again" };
    sf_flow_info flow_info;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(
                  f,
                  &(sf_op_desc){ .name = "source", .compute = count_up, .out = { OUT("out") }, .count = 4 }),
              b, z, other;
        sf_op_info info;
        notes_clear();
        fail_from = 2;
        fail_times = (int)cases[i].fails;
        b = sf_flow_add(f, &(sf_op_desc){ .name = "faulty",
                                     .compute = fail_at_times,
                                     .in = { IN("in") },
                                     .out = { OUT("out") },
                                     .on_error = cases[i].policy,
                                     .retries = cases[i].retries });
        z = sf_flow_add(
            f, &(sf_op_desc){ .name = "sink", .compute = keep_values, .user = &ids[1], .in = { IN("in") } });
        other = sf_flow_add(f, &(sf_op_desc){ .name = "other", .compute = nothing, .count = 50, .priority = 1 });
        connect(f, a, b);
        connect(f, b, z);
        run_is(f, cases[i].result);
        check_notes(0, cases[i].computed, cases[i].computes);
        check_notes(1, cases[i].arrived, cases[i].arrivals);
        CHECK_OK(sf_op_get_info(f, b, &info));
        CHECK_EQUAL(info.errors, cases[i].errors);
        CHECK_EQUAL(info.state, cases[i].state);
        CHECK_EQUAL(sf_flow_failure(f)->result, SF_ERROR_USER - 3);          /* can still be asked for, ... */
        CHECK(strstr(sf_flow_failure(f)->text, "-1103"));    /* ... with its fate */
        CHECK(strstr(sf_flow_failure(f)->text, "faulty"));
        CHECK_EQUAL(strstr(sf_flow_failure(f)->text, fates[cases[i].policy]) != NULL,
                    cases[i].result == SF_OK || (cases[i].policy != SF_ON_ERROR_RETRY));
        CHECK_EQUAL(sf_flow_failure(f)->count, cases[i].errors);
        CHECK_OK(sf_flow_get_info(f, &flow_info));
        CHECK_IS(flow_info.result, SF_ERROR_USER - 3);
        if (cases[i].result == SF_OK) { CHECK_EQUAL(runs_of(f, other), 50); }
        destroy_is(f, cases[i].result);
    }
}
/* Behind an error that stops the flow nobody computes: not those either who hand on from one to the next. */
static uint32_t failed_yet, behind_it;
static sf_result fail_in_the_end(sf_context *ctx)
{
    if (ctx->run < 3) { return SF_OK; }
    failed_yet = 1;
    return SF_ERROR_USER;
}
static sf_result count_behind(sf_context *ctx) { return behind_it += failed_yet, count_up(ctx); }
static sf_result take_behind(sf_context *ctx) { return behind_it += failed_yet, take_value(ctx); }
static void nobody_computes_behind_an_error(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 2; k++) {
        sf_flow *f = flow_on(device);
        sf_result r = SF_OK;
        failed_yet = behind_it = 0;
        sf_flow_add(f, &(sf_op_desc){ .compute = fail_in_the_end,
                                      .when = { { .kind = SF_CONDITION_COUNT, .count = 10 } },
                                 .priority = -(k / 2) });
        connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = count_behind, .out = { OUT("out") } }),
                sf_flow_add(f, &(sf_op_desc){ .compute = take_behind, .in = { IN("in") } }));
        if (k & 1) { r = sf_flow_run(f); }
        while (r == SF_OK) { r = sf_flow_step(f, NULL); }
        CHECK_IS(r, SF_ERROR_USER);
        CHECK_EQUAL(behind_it, 0);
        destroy_is(f, SF_ERROR_USER);
    }
}
/* Retried with the same messages, and with memory: what the failed try created is taken back. */
static uint32_t *probes;
static sf_result retry_tensors(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), out->data, in->data, NULL, fail_times ? 5000 : 1, 2000);
    sf_emit(ctx, 0, out);
    return ctx->run == 1 && fail_times ? fail_times--, SF_ERROR_USER : SF_OK;
}
static sf_result paint_source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 * (uint32_t)ctx->run, 2000);
    return sf_emit(ctx, 0, t);
}
static sf_result probe_sink(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0);      /* first: arguments are evaluated in any order */
    return probe(sf_compute_stream(ctx), in->data, probes + PROBE * ctx->run, 2000);
}
static void retried_with_tensors(void **state)
{
    for (int blocks = 1; blocks < 3; blocks++) {
        sf_flow *f = flow_on(device);
        sf_mem_pool *pool;
        sf_op a, b;
        (void)state;
        probes = (uint32_t *)test_memory(device, 8 * PROBE * 4);
        CHECK_OK(sf_mem_pool_create(
            device, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = (size_t)blocks }, &pool));
        fail_times = 0;
        a = sf_flow_add(f, &(sf_op_desc){ .compute = paint_source,
                                     .out = { { .name = "out", .bytes = BYTES } },
                                     .count = 6 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = retry_tensors,
                                     .in = { IN("in") },
                                     .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                     .on_error = SF_ON_ERROR_RETRY,
                                     .retries = 5 });
        connect(f, a, b);
        connect(f, b, sf_flow_add(f, &(sf_op_desc){ .compute = probe_sink, .in = { IN("in") } }));
        run_is(f, SF_OK);
        for (uint32_t i = 0; i < 6; i++) { CHECK_PROBE(probes + PROBE * i, 100 * i + 1); }
        fail_times = 5;
        memset(probes, 0, 8 * PROBE * 4);
        run_is(f, SF_OK);
        for (uint32_t i = 1; i < 6; i++) { CHECK_PROBE(probes + PROBE * i, 100 * i + 1); }
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_OK(sf_mem_free(device, probes));
    }
}

static sf_result note_stop(sf_context *ctx) { return note_down(8, id_of(ctx)), SF_OK; }
static sf_result no_start(sf_context *ctx) { return sf_fail(ctx, SF_ERROR_USER - 4, "no trigger cable"); }
static sf_result no_stop(sf_context *ctx) { return note_down(8, id_of(ctx)), SF_ERROR_USER - 6; }
static sf_result note_compute(sf_context *ctx) { return note_down(9, id_of(ctx)), SF_OK; }
static sf_result emit_in_start(sf_context *ctx)
{
    return note_down(7, sf_emit_value(ctx, 0, number(1))), SF_OK;
}
static void hooks_that_fail(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op_info info;
    sf_op broken;
    (void)state;
    sf_flow_add(f, &(sf_op_desc){
                  .name = "a", .compute = note_compute, .stop = note_stop, .user = &ids[1], .count = 2 });
    broken = sf_flow_add(f, &(sf_op_desc){ .name = "broken",
                             .compute = note_compute,
                             .start = no_start,
                             .stop = note_stop,
                             .user = &ids[2],
                             .count = 2 });
    sf_flow_add(f, &(sf_op_desc){
                  .name = "c", .compute = note_compute, .stop = note_stop, .user = &ids[3], .count = 2 });
    run_is(f, SF_ERROR_USER - 4);
    CHECK_OK(sf_op_get_info(f, broken, &info));
    CHECK_EQUAL(info.errors, 1);
    CHECK_EQUAL(notes_of(9, NULL, 0), 0); /* nothing computed; only who had started is stopped */
    CHECK_NOTES(8, 1);
    CHECK(!strcmp(sf_flow_failure(f)->where, "broken") &&
          strstr(sf_flow_failure(f)->text, "no trigger cable"));
    CHECK_IS(sf_flow_start(f), SF_ERROR_USER - 4);
    destroy_is(f, SF_ERROR_USER - 4);
    f = flow_on(device); /* a stop that fails: the others are stopped all the same */
    notes_clear();
    sf_flow_add(f, &(sf_op_desc){
                  .name = "a", .compute = note_compute, .stop = note_stop, .user = &ids[1], .count = 2 });
    sf_flow_add(f, &(sf_op_desc){
                  .name = "broken", .compute = note_compute, .stop = no_stop, .user = &ids[2], .count = 2 });
    run_is(f, SF_ERROR_USER - 6);
    CHECK_NOTES(8, 2, 1);
    CHECK_EQUAL(notes_of(9, NULL, 0), 4);
    destroy_is(f, SF_ERROR_USER - 6);
    f = flow_on(device);
    notes_clear();
    sf_flow_add(
        f,
        &(sf_op_desc){
            .name = "eager", .compute = nothing, .start = emit_in_start, .out = { OUT("out") }, .count = 1 });
    run_is(f, SF_ERROR_ILLEGAL_STATE);
    CHECK_NOTES(7, SF_ERROR_ILLEGAL_STATE);
    destroy_is(f, SF_ERROR_ILLEGAL_STATE);
}

/* -- deadlocks -- */

static sf_result half_taker(sf_context *ctx)
{
    return (void)sf_receive_value(ctx, 0), (void)sf_receive_value(ctx, 1), SF_OK;
}
/* Of conditions of its own, and of memory, it is said which. */
static sf_result keep_a_block(sf_context *ctx)
{
    sf_tensor **kept = ctx->user;
    *kept = sf_tensor_retain(sf_tensor_create(ctx, 0, NULL));
    return sf_emit(ctx, 0, *kept);
}
static sf_readiness always_waits(void *user, int64_t now, int64_t *wake)
{
    return (void)user, (void)now, (void)wake, SF_WAIT;
}
static sf_result leaves_it(sf_context *ctx) { return (void)ctx, SF_OK; }
static sf_result pass_on(sf_context *ctx) { return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0)); }
static void deadlocks_name_conditions_and_memory(void **state)
{
    sf_flow *f = flow_on(device);
    sf_tensor *kept = NULL;
    sf_mem_pool *pool;
    const char *told;
    sf_op a, b;
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "gate", .compute = count_up, .out = { OUT("out") },
                             .when = { { .kind = SF_CONDITION_USER, .custom = { .check = always_waits } } } });
    run_is(f, SF_ERROR_DEADLOCK);
    told = sf_flow_failure(f)->text;
    CHECK(strstr(told, "gate") && strstr(told, "when: USER)") && strstr(told, "*wake"));
    destroy_is(f, SF_ERROR_DEADLOCK);

    f = flow_on(device);
    connect(f, add_source(f, "camera"), sf_flow_add(f, &(sf_op_desc){ .name = "lazy", .compute = leaves_it,
                                                                      .in = { IN("in") } }));
    run_is(f, SF_ERROR_DEADLOCK);
    told = sf_flow_failure(f)->text;
    CHECK(strstr(told, "lazy waits for news") && strstr(told, "receive what is there"));
    destroy_is(f, SF_ERROR_DEADLOCK);

    f = flow_on(device);                     /* the remedy is whole, and the one for the operator at fault */
    a = add_source(f, "source with a name of many characters");
    for (int i = 0; i < 6; i++) {
        static const char *const names[] = { "first operator behind the source", "second operator behind the source",
                                             "third operator behind the source", "fourth operator behind the source",
                                             "fifth operator behind the source", "sixth operator behind the source" };
        b = sf_flow_add(f, &(sf_op_desc){ .name = names[i], .compute = i == 5 ? leaves_it : pass_on,
                                          .in = { IN("in") }, .out = { OUT("out") } });
        connect(f, a, b);
        a = b;
    }
    run_is(f, SF_ERROR_DEADLOCK);
    told = sf_flow_failure(f)->text;
    if (!strstr(told, ": receive what is there, or say in .when what the operator waits for; ")) { fail_msg("%s", told); }
    destroy_is(f, SF_ERROR_DEADLOCK);

    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 64, .blocks = 1 }, &pool));
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = SF_MS(1) });
    connect(f,
            sf_flow_add(f, &(sf_op_desc){ .name = "hoarder", .compute = keep_a_block, .user = &kept,
                                     .out = { { .name = "frame", .bytes = 64, .pool = pool } } }),
            sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = take_tensor, .in = { IN("in") } }));
    run_is(f, SF_ERROR_DEADLOCK);
    told = sf_flow_failure(f)->text;
    CHECK(strstr(told, "hoarder") && strstr(told, "memory of \"frame\" (held: 1 outside of the flow)"));
    CHECK(strstr(told, "give the pool more blocks"));
    sf_tensor_release(kept);
    destroy_is(f, SF_ERROR_DEADLOCK);
    CHECK_OK(sf_mem_pool_destroy(pool));
}
/* A text that is cut says so, behind a whole character. */
static bool ends_with(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}
static sf_result fail_as_told(sf_context *ctx) { return sf_fail(ctx, SF_ERROR_USER, (const char *)ctx->user); }
static void cut_texts(void **state)
{
    static const char euro[] = "\xe2\x82\xac";
    char why[3 * 200 + 8], name[200];
    const char *told;
    sf_flow *f;
    sf_op a, b;
    (void)state;
    for (int pad = 0; pad < 4; pad++) {
        size_t n = (size_t)pad;
        memset(why, 'x', n);
        for (int i = 0; i < 200; i++, n += 3) { memcpy(why + n, euro, 4); }
        f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "liar", .compute = fail_as_told, .user = why });
        run_is(f, SF_ERROR_USER);
        told = sf_flow_failure(f)->text;
        CHECK(ends_with(told, "...") && strlen(told) > 200);
        CHECK_EQUAL((strlen(strstr(told, euro)) - 3) % 3, 0);
        destroy_is(f, SF_ERROR_USER);
    }
    f = flow_on(device);                     /* a deadlock of many operators */
    a = add_source(f, "source");
    for (int i = 0; i < 6; i++) {
        memset(name, 'a' + i, sizeof name);
        name[100] = 0;
        b = sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = i == 5 ? leaves_it : pass_on,
                                          .in = { IN("in") }, .out = { OUT("out") } });
        connect(f, a, b);
        a = b;
    }
    run_is(f, SF_ERROR_DEADLOCK);
    CHECK(ends_with(sf_flow_failure(f)->text, "..."));
    destroy_is(f, SF_ERROR_DEADLOCK);
    f = flow_on(device);                     /* and of one that fits */
    connect(f, add_source(f, "camera"), sf_flow_add(f, &(sf_op_desc){ .name = "lazy", .compute = leaves_it,
                                                                      .in = { IN("in") } }));
    run_is(f, SF_ERROR_DEADLOCK);
    CHECK(!strstr(sf_flow_failure(f)->text, "..."));
    destroy_is(f, SF_ERROR_DEADLOCK);
}
/* A tensor without memory or size: each sentence says which field gives it one. */
static sf_result create_with(sf_context *ctx)
{
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, (const sf_tensor_desc *)ctx->user));
}
static void tensors_without_size(void **state)
{
    sf_mem_pool *pool;
    sf_tensor_desc empty = { .shape = { -1 }, .ndim = 1 };
    (void)state;
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 64, .blocks = 2 }, &pool));
    for (int i = 0; i < 3; i++) {
        static const char *const told[] = { "set sf_port.bytes or .pool", "set sf_port.bytes, or give a desc",
                                            "correct the desc" };
        sf_flow *f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "maker", .compute = create_with, .user = i == 2 ? &empty : NULL, .count = 1,
                                      .out = { { .name = "frame", .pool = i ? pool : NULL } } });
        run_is(f, SF_ERROR_INVALID_VALUE);
        if (!strstr(sf_flow_failure(f)->text, told[i]) || !strstr(sf_flow_failure(f)->text, "\"frame\"")) {
            fail_msg("%d: %s", i, sf_flow_failure(f)->text);
        }
        destroy_is(f, SF_ERROR_INVALID_VALUE);
    }
    CHECK_OK(sf_mem_pool_destroy(pool));
}
/* Who waits for memory by a condition of its own is held up as by the one built in; a pool of the flow's has as many
   blocks as it asks for; and who has nothing to do does not wait. */
static struct { sf_tensor *tensor[64]; uint32_t count; bool keeps; } store;
static sf_result store_tensor(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    if (store.keeps) { store.tensor[store.count++] = sf_tensor_retain(t); }
    return SF_OK;
}
static sf_result send_a_new_one(sf_context *ctx)
{
    if (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static void memory_that_never_comes(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * 3 * 2 * 2 * 3; k++) {
        const uint32_t blocks[] = { 0, 1, 7 }, wants = blocks[k / 12 % 3], frames = k % 3 ? 20 : 2;
        const bool first = k >= 36;          /* it has no input: nothing is left anywhere */
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = k / 6 % 2 * 2 } },
                                                     .deadlock_timeout = SF_MS(1) });  /* else it waits for the store */
        sf_op_desc d = { .name = "painter", .compute = send_a_new_one, .count = frames,
                         .out = { { .name = "frame", .bytes = 64 } } };
        sf_op source, painter;
        bool stuck;
        memset(&store, 0, sizeof store);
        store.keeps = k / 3 % 2;
        stuck = store.keeps && frames == 20;
        if (wants) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_MEMORY, .count = wants }; }
        if (store.keeps && wants == 7) { stuck = true; }     /* all of them at once */
        if (!first) { d.in[0] = (sf_port)IN("in"), d.count = 0; }
        painter = sf_flow_add(f, &d);
        source = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = count_up, .count = frames,
                                               .out = { OUT("out") } });
        if (!first) { connect(f, source, painter); }         /* else nobody listens to it */
        connect(f, painter, sf_flow_add(f, &(sf_op_desc){ .name = "store", .compute = store_tensor,
                                                          .in = { IN("in") } }));
        run_is(f, stuck ? SF_ERROR_DEADLOCK : SF_OK);
        if (stuck) { CHECK(strstr(sf_flow_failure(f)->text, wants ? "when: MEMORY)" : "memory of \"frame\"")); }
        if (!stuck) { CHECK_EQUAL(runs_of(f, painter), frames); }
        while (store.count) { sf_tensor_release(store.tensor[--store.count]); }
        destroy_is(f, stuck ? SF_ERROR_DEADLOCK : SF_OK);
    }
}
/* A signal, or a push, does not help who waits for messages that will never come. */
/* An operator that lacks messages ends, whatever else may come to it. */
static void ends_although_it_may_be_signalled(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 3; k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = k / 3 * 2 } } });
        sf_op_desc d = { .name = "batcher", .compute = take_value, .in = { { .name = "in", .capacity = 4, .batch = 2 } } };
        sf_op b;
        if (k % 3 == 1) { d.in[0].batch = 1, d.in[0].many = true; }
        if (k % 3 == 2) {
            d.in[1] = (sf_port){ .name = "more", .external = true, .optional = true };
        } else {
            d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true };
        }
        b = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, add_source(f, "camera"), NULL, b, "in", NULL));       /* 3 messages */
        if (k % 3 == 1) {                    /* its edge drops out when it has ended */
            sf_op radar = sf_flow_add(f, &(sf_op_desc){ .name = "radar", .compute = count_up, .count = 1,
                                                        .out = { OUT("out") } });
            CHECK_OK(sf_flow_connect(f, radar, NULL, b, "in", NULL));
        }
        CHECK_OK(sf_flow_start(f));
        CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
        CHECK(runs_of(f, b) > 0);
        destroy(f);
    }
}
/* Nor does it help who works for such a one only. */
/* s works for x alone, which lacks a's messages: x ends, and so does s. */
static void a_source_for_one_that_lacks(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const sf_condition ready = { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = k * 2 } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .count = 1,
                                                .out = { OUT("out") } });
        sf_op s = sf_flow_add(f, &(sf_op_desc){ .name = "s", .compute = count_up, .when = { ready },
                                                .out = { OUT("out") } });
        sf_op x = sf_flow_add(f, &(sf_op_desc){ .name = "x", .compute = half_taker, .when = { ready },
                                           .in = { IN("a"), { .name = "b", .capacity = 2 } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, x, "a", NULL));
        CHECK_OK(sf_flow_connect(f, s, NULL, x, "b", NULL));
        CHECK_OK(sf_flow_start(f));
        CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
        CHECK_EQUAL(runs_of(f, x), 1);
        destroy(f);
    }
}
/* That was then: in the next run it waits for the outside again, and ends once. */
static void ended_for_one_run_only(void **state)
{
    const sf_condition ready = { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true };
    (void)state;
    for (int stopped = 0; stopped < 2; stopped++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .count = 1,
                                                .out = { OUT("out") } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = count_up, .count = 2,
                                                .out = { OUT("out") } });
        sf_op x = sf_flow_add(f, &(sf_op_desc){ .name = "x", .compute = half_taker, .when = { ready },
                                           .in = { IN("a"), { .name = "b", .capacity = 2 } } });
        sf_op y = sf_flow_add(f, &(sf_op_desc){ .name = "y", .compute = nothing,
                                           .when = { { .kind = SF_CONDITION_SIGNAL } } });
        sf_result r = SF_OK;
        CHECK_OK(sf_flow_connect(f, a, NULL, x, "a", NULL));
        CHECK_OK(sf_flow_connect(f, b, NULL, x, "b", NULL));
        CHECK_OK(sf_flow_step(f, NULL));
        CHECK_OK(sf_op_stop(f, y));
        while (r == SF_OK) { r = sf_flow_step(f, NULL); }
        CHECK_IS(r, SF_DONE);
        CHECK_EQUAL(runs_of(f, x), 1);
        CHECK_OK(sf_flow_step(f, NULL));                     /* the next run */
        CHECK_OK(sf_flow_signal(f, x, 0, SF_WAIT));
        if (stopped) { CHECK_OK(sf_op_stop(f, x)); }
        for (r = SF_OK; r == SF_OK;) { r = sf_flow_step(f, NULL); }
        CHECK_IS(r, SF_IDLE);                                /* y may be signalled; x, too, where it has not ended */
        CHECK_OK(sf_op_stop(f, y));
        for (r = SF_OK; r == SF_OK;) { r = sf_flow_step(f, NULL); }
        CHECK_IS(r, stopped ? SF_DONE : SF_IDLE);
        if (!stopped) {
            CHECK_OK(sf_flow_signal(f, x, 0, SF_READY));
            for (r = SF_OK; r == SF_OK;) { r = sf_flow_step(f, NULL); }
            CHECK_IS(r, SF_DONE);
            CHECK_EQUAL(runs_of(f, x), 1);
        }
        destroy(f);
    }
}
/* A compute that fails has emitted nothing, where nobody listens neither. */
static sf_result emit_to_nobody(sf_context *ctx)
{
    uint32_t *tries = (uint32_t *)ctx->user;
    sf_result r = sf_emit_value(ctx, 0, number(1));
    if (r >= 0) { r = sf_emit_value(ctx, 1, number(2)); }
    if (r >= 0) { r = sf_emit_value(ctx, 0, number(3)); }
    return r >= 0 && (*tries)++ % 3 ? SF_ERROR_USER : r;     /* the first of three is well */
}
static void what_fails_has_dropped_nothing(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        uint32_t tries = 0;
        sf_flow *f = flow_on(device);
        sf_flow_info info;
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_to_nobody, .user = &tries, .count = 6,
                                           .out = { OUT("alone"), OUT("heard") }, .retries = 2,
                                           .on_error = again ? SF_ON_ERROR_RETRY : SF_ON_ERROR_IGNORE });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { IN("in") } });
        CHECK_OK(sf_flow_connect(f, a, "heard", b, "in", NULL));
        notes_clear();
        run_is(f, SF_OK);
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK_EQUAL(tries, again ? 16 : 6);                  /* 6 runs: 1 + 5 * 3 tries */
        CHECK_EQUAL(notes_of(1, NULL, 0), again ? 6 : 2);
        CHECK_EQUAL(info.dropped, again ? 6 * 2 : 2 * 2);
        destroy(f);
    }
}
/* fusion needs an answer to each image, and nobody answers the second. */
static sf_result answers_once(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    return ctx->run ? SF_OK : sf_emit_value(ctx, 0, v);
}
static sf_result asks(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    (void)sf_receive_value(ctx, 1);
    return sf_emit_value(ctx, 0, v);
}
/* compare waits for ten levels before it takes the first frame: four operators before it wait for that. */
static sf_result compare_levels(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    return (void)sf_receive_value(ctx, 1), SF_OK;
}
static void deadlocks_name_the_cause_first(void **state)
{
    static const char *const links[] = { "microphone", "resampler", "equalizer", "compressor", "meter" };
    sf_flow *f = flow_on(device);
    sf_op ops[COUNT(links)], c;
    const char *told, *first;
    (void)state;
    for (size_t i = 0; i < COUNT(links); i++) {
        sf_op_desc d = { .name = links[i], .compute = i ? pass_value : count_up, .out = { OUT("out") },
                         .count = i ? 0 : 50 };
        if (i) { d.in[0] = (sf_port)IN("in"); }
        ops[i] = sf_flow_add(f, &d);
        if (i) { connect(f, ops[i - 1], ops[i]); }
    }
    c = sf_flow_add(f, &(sf_op_desc){ .name = "compare", .compute = compare_levels,
                                      .in = { IN("frame"), { .name = "level", .batch = 10 } } });
    CHECK_OK(sf_flow_connect(f, ops[3], NULL, c, "frame", NULL));
    CHECK_OK(sf_flow_connect(f, ops[4], NULL, c, "level", NULL));
    run_is(f, SF_ERROR_DEADLOCK);
    told = sf_flow_failure(f)->text;
    first = strstr(told, "compare waits for messages on \"level\" from meter (1 of 10)");
    if (!first || strstr(told, " waits for ") < first) { fail_msg("the cause comes first: %s", told); }
    destroy_is(f, SF_ERROR_DEADLOCK);
}
static void deadlocks_say_who_waits_for_what(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a, b, c;
    const char *told;
    (void)state;
    a = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = count_up, .out = { OUT("out") }, .count = 5 });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "fusion", .compute = asks, .in = { IN("image"), IN("echo") },
                                      .out = { OUT("out") } });
    c = sf_flow_add(f, &(sf_op_desc){ .name = "radar", .compute = answers_once, .in = { IN("in") },
                                      .out = { OUT("out") } });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, "image", NULL));
    CHECK_OK(sf_flow_connect(f, b, NULL, c, NULL, NULL));
    CHECK_OK(sf_flow_connect(f, c, NULL, b, "echo", &(sf_edge_desc){ .delay = 1 }));
    run_is(f, SF_ERROR_DEADLOCK);
    told = sf_flow_failure(f)->text;
    if (!strstr(told, "1 message from camera left in front of fusion (\"image\")") ||
        !strstr(told, "camera waits for room behind \"out\" at fusion") ||
        !strstr(told, "fusion waits for messages on \"echo\" from radar (0 of 1)") || !strstr(told, ".capacity")) {
        fail_msg("who waits for what: %s", told);
    }
    CHECK_EQUAL(runs_of(f, b), 2);
    destroy_is(f, SF_ERROR_DEADLOCK);
}
static sf_result fail_third(sf_context *ctx)                 /* by then its stream is there: a quick turn */
{
    sf_value v = sf_receive_value(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    if (ctx->run == 2) { (void)sf_launch(s, NULL, NULL, 0); }
    return sf_emit_value(ctx, 0, v);
}
static void a_call_that_fails_on_the_stream_of_a_quick_turn(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        const bool ignored = variant & 1;
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 6 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "faulty", .compute = fail_third, .in = { { .name = "in" } },
                                           .out = { { .name = "out" } }, .adopt_stream = variant & 2,
                                           .on_error = ignored ? SF_ON_ERROR_IGNORE : SF_ON_ERROR_STOP_FLOW });
        sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[1], .in = { { .name = "in" } } });
        connect(f, a, b);
        connect(f, b, c);
        notes_clear();
        run_is(f, ignored ? SF_OK : SF_ERROR_INVALID_VALUE);
        CHECK(strstr(sf_flow_failure(f)->text, "faulty") != NULL);
        if (ignored) { CHECK_NOTES(1, 1, 2, 4, 5, 6); } else { CHECK_NOTES(1, 1, 2); }
        destroy_is(f, ignored ? SF_OK : SF_ERROR_INVALID_VALUE);
    }
}
/* An error that its policy takes is not how the run ends: what ends it is told, and nothing if it ends well. */
static sf_result ignored_once(sf_context *ctx)
{
    sf_receive_value(ctx, 0);
    return ctx->run ? SF_OK : sf_fail(ctx, SF_ERROR_USER - 5, "dust on the lens");
}
static void what_is_ignored_hides_nothing(void **state)
{
    (void)state;
    for (int locks = 0; locks < 2; locks++) {
        for (int run = 0; run < 2; run++) {
            sf_flow *f = flow_on(device);
            const sf_failure *failure = sf_flow_failure(f);
            sf_op a, b, c, d;
            sf_flow_info info;
            sf_op_info op_info;
            a = sf_flow_add(
                f, &(sf_op_desc){ .name = "camera", .compute = count_up, .out = { OUT("out") }, .count = 5 });
            b = sf_flow_add(f, &(sf_op_desc){ .name = "radar",
                                         .compute = count_up,
                                         .out = { OUT("out") },
                                         .count = 5 });
            c = sf_flow_add(f, &(sf_op_desc){ .name = "fusion", .compute = half_taker,
                                              .in = { IN("image"), IN("echo") },
                                         .when = { { .kind = locks ? SF_CONDITION_USER : SF_CONDITION_NONE,
                                                     .custom = { .check = always_waits } } } });
            d = sf_flow_add(f, &(sf_op_desc){ .name = "dusty",
                                         .compute = ignored_once,
                                         .in = { IN("in") },
                                         .on_error = SF_ON_ERROR_IGNORE });
            CHECK_OK(sf_flow_connect(f, a, NULL, c, "image", NULL));
            CHECK_OK(sf_flow_connect(f, b, NULL, c, "echo", NULL));
            CHECK_OK(sf_flow_connect(f, b, NULL, d, NULL, NULL));
            run_is(f, locks ? SF_ERROR_DEADLOCK : SF_OK);    /* fusion waits, and says not for when */
            CHECK_IS(failure->result, locks ? SF_ERROR_DEADLOCK : SF_ERROR_USER - 5);
            CHECK_EQUAL(failure->count, 1 + locks);
            CHECK(strstr(failure->text, locks ? "nothing can run any more" : "dust on the lens; ignored"));
            CHECK_OK(sf_flow_get_info(f, &info));
            CHECK_IS(info.result, failure->result);
            CHECK_OK(sf_op_get_info(f, d, &op_info));
            CHECK_EQUAL(op_info.errors, 1);
            destroy_is(f, locks ? SF_ERROR_DEADLOCK : SF_OK);
        }
    }
}
/* Calls that are not for now say why, and leave the run's own end alone. */
static void refused_calls_say_why(void **state)
{
    sf_flow *f = flow_on(device);
    const sf_failure *failure = sf_flow_failure(f);
    sf_flow_desc several = { .name = "crew", .device = device, .workers = { { .count = 2 } } };
    sf_result r;
    (void)state;
    connect(f, add_source(f, "camera"), add_sink(f, "sink"));
    CHECK_IS(sf_flow_wait(f, 0), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(failure->text, "sf_flow_wait") && strstr(failure->text, "does not run"));
    CHECK_OK(sf_flow_step(f, NULL));
    CHECK_IS(failure->result, SF_OK);
    CHECK_IS(sf_flow_run(f), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(failure->text, "sf_flow_run") && strstr(failure->text, "stepped"));
    CHECK_IS(failure->result, SF_ERROR_ILLEGAL_STATE);
    CHECK_IS(sf_flow_start(f), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(failure->text, "sf_flow_start") && strstr(failure->text, "sf_flow_step()"));
    CHECK_IS(sf_flow_wait(f, 0), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(failure->text, "sf_flow_wait") && strstr(failure->text, "stepped"));
    while ((r = sf_flow_step(f, NULL)) == SF_OK) {}
    CHECK_IS(r, SF_DONE);
    CHECK_IS(failure->result, SF_OK);        /* the run has ended well */
    destroy(f);

    f = sf_flow_create(&several);
    failure = sf_flow_failure(f);
    connect(f, add_source(f, "camera"), add_sink(f, "sink"));
    CHECK_IS(sf_flow_step(f, NULL), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(failure->result, SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(failure->text, "workers") && strstr(failure->text, "sf_flow_start"));
    destroy_is(f, SF_ERROR_NOT_SUPPORTED);   /* it could not start, as any other start that fails */

    f = sf_flow_create(&several);
    connect(f, add_source(f, "camera"), add_sink(f, "sink"));
    CHECK_IS(sf_flow_step(f, NULL), SF_ERROR_NOT_SUPPORTED);
    run_is(f, SF_OK);
    CHECK_IS(sf_flow_failure(f)->result, SF_OK);
    destroy_is(f, SF_ERROR_NOT_SUPPORTED);
}
static void who_waits_can_be_asked(void **state)             /* while it runs */
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a",
                                       .compute = take_value,
                                       .in = { { .name = "commands", .external = true } } }),
          b, c;
    sf_op_info info;
    (void)state;
    b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = take_value, .in = { IN("numbers") } });
    c = sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = count_up, .out = { OUT("out") },
                                 .when = { { .kind = SF_CONDITION_SIGNAL } } });
    connect(f, c, b);
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 10000; i++) {
        CHECK_OK(sf_op_get_info(f, a, &info));
        if (strstr(info.waits_for, "commands")) { break; }
        usleep(1000);
    }
    CHECK(strstr(info.waits_for, "commands") && strstr(info.waits_for, "outside"));
    CHECK_EQUAL(info.state, SF_OP_WAITING);
    CHECK_OK(sf_op_get_info(f, b, &info));
    CHECK(strstr(info.waits_for, "numbers") && strstr(info.waits_for, "c"));
    CHECK_OK(sf_op_get_info(f, c, &info));
    CHECK(strstr(info.waits_for, "sf_op_desc.when: SIGNAL)") != NULL);
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
}

/* -- from where and when calls are allowed -- */

static sf_result call_from_inside(sf_context *ctx)
{
    int64_t wake;
    note_down(0, sf_flow_run(ctx->flow));
    note_down(0, sf_flow_start(ctx->flow));
    note_down(0, sf_flow_step(ctx->flow, &wake));
    note_down(0, sf_flow_destroy(ctx->flow));
    note_down(1, sf_flow_wait(ctx->flow, 0));
    note_down(1, sf_flow_check(ctx->flow, false, NULL, NULL));
    note_down(2, sf_flow_connect(ctx->flow, ctx->op, NULL, ctx->op, NULL, NULL));
    note_down(2, sf_flow_add(ctx->flow, &(sf_op_desc){ .compute = nothing }).id);
    note_down(2, sf_op_add_input(ctx->flow, ctx->op, &(sf_port){ .name = "late" }));
    return SF_OK;
}
static void calls_from_inside(void **state)                  /* of sf_flow_run(), and of the background */
{
    (void)state;
    for (int background = 0; background < 3; background++) {
        sf_flow *f = flow_on(device);
        long long got[4];
        notes_clear();
        sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = call_from_inside, .count = 1 });
        if (background == 2) {
            CHECK_OK(sf_flow_step(f, NULL));
            CHECK_IS(sf_flow_step(f, NULL), SF_DONE);
        } else if (background) {
            CHECK_OK(sf_flow_start(f));
            CHECK_OK(sf_flow_wait(f, GUARD));
        } else {
            run_is(f, SF_OK);
        }
        CHECK_EQUAL(notes_of(0, got, 4), 4);
        CHECK_EQUAL(got[0], SF_ERROR_REENTRANT);
        CHECK_EQUAL(got[1], SF_ERROR_REENTRANT);
        CHECK(got[2] == SF_ERROR_REENTRANT || (background == 1 && got[2] == SF_ERROR_ILLEGAL_STATE));
        CHECK_EQUAL(got[3], SF_ERROR_REENTRANT);
        CHECK_EQUAL(notes_of(1, got, 4), 2);
        CHECK(got[0] == SF_ERROR_REENTRANT || (background != 1 && got[0] == SF_ERROR_ILLEGAL_STATE));
        CHECK(got[1] < 0);
        CHECK_NOTES(2, SF_ERROR_ILLEGAL_STATE, 0, -1);
        destroy(f);
    }
}
/* And from conditions, clocks and the flow's hook, wherever they are called. */
static struct { sf_flow *flow; int place, calls; } re;
static void call_from(int place)
{
    if (re.place != place || re.calls++) { return; }
    note_down(0, sf_flow_run(re.flow));
    note_down(0, sf_flow_start(re.flow));
    note_down(0, sf_flow_step(re.flow, NULL));
    note_down(0, sf_flow_wait(re.flow, 0));
    note_down(0, sf_flow_destroy(re.flow));
}
static sf_readiness re_check(void *user, int64_t now, int64_t *wake)
{
    return (void)user, (void)now, (void)wake, call_from(0), SF_READY;
}
static void re_executed(void *user, int64_t now) { (void)user, (void)now, call_from(1); }
static void re_hook(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)ctx, (void)port, (void)tensor, (void)user;
    call_from(2 + (int)hook);
}
static int64_t re_clock(void *user)
{
    static int64_t now;
    (void)user;
    if (re.flow) { call_from(8); }
    return __atomic_add_fetch(&now, 1000, __ATOMIC_RELAXED);
}
static void calls_from_conditions_and_hooks(void **state)
{
    (void)state;
    for (int k = 0; k < 9 * 4; k++) {
        sf_flow_desc d = { .device = device, .workers = { { .count = k % 4 == 2 ? 1 : k % 4 == 3 ? 3 : 0 } } };
        sf_result r;
        memset(&re, 0, sizeof re);
        re.place = k / 4;
        if (re.place >= 2 && re.place < 8) { d.hook.func = re_hook; }
        if (re.place == 8) { d.clock.now = re_clock; }
        notes_clear();
        re.flow = sf_flow_create(&d);
        connect(re.flow,
                sf_flow_add(re.flow, &(sf_op_desc){ .name = "a", .compute = count_up, .count = 5,
                                                    .out = { OUT("out") },
                                               .when = { { .kind = SF_CONDITION_USER, .custom = { re_check, re_executed, NULL } } } }),
                add_sink(re.flow, "b"));
        if (k % 4 == 1) {
            while ((r = sf_flow_step(re.flow, NULL)) == SF_OK || r == SF_IDLE) {}
            CHECK_IS(r, SF_DONE);
        } else {
            run_is(re.flow, SF_OK);
        }
        if (re.place != 4 && re.place != 5) {                /* values: nobody receives or emits a tensor ... */
            CHECK_NOTES(0, SF_ERROR_REENTRANT, SF_ERROR_REENTRANT, SF_ERROR_REENTRANT, SF_ERROR_REENTRANT,
                        SF_ERROR_REENTRANT);
        }
        destroy_is(re.flow, SF_OK);
    }
    memset(&re, 0, sizeof re);               /* and from the stop hook of one that is destroyed between two steps */
    re.place = 2 + (int)SF_HOOK_STOP;
    notes_clear();
    re.flow = sf_flow_create(&(sf_flow_desc){ .device = device, .hook = { .func = re_hook } });
    add_source(re.flow, "a");
    CHECK_OK(sf_flow_step(re.flow, NULL));
    destroy_is(re.flow, SF_OK);
    CHECK_NOTES(0, SF_ERROR_REENTRANT, SF_ERROR_REENTRANT, SF_ERROR_REENTRANT, SF_ERROR_REENTRANT, SF_ERROR_REENTRANT);
}
static void no_flow(void **state)
{
    sf_flow_info info;
    sf_op_info op_info;
    sf_edge_info edge_info;
    sf_op none = { 0 };
    sf_flow *f;
    (void)state;
    CHECK_EQUAL(sf_flow_add(NULL, &(sf_op_desc){ .compute = nothing }).id, 0);
    CHECK_EQUAL(sf_op_add_input(NULL, none, &(sf_port){ .name = "x" }), -1);
    CHECK_EQUAL(sf_op_add_output(NULL, none, &(sf_port){ .name = "x" }), -1);
    sf_flow_scope(NULL, "x");
    CHECK_IS(sf_flow_connect(NULL, none, NULL, none, NULL, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_check(NULL, false, NULL, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_run(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_start(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_wait(NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_stop(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_pause(NULL, true), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_op_stop(NULL, none), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_step(NULL, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_signal(NULL, none, 0, SF_READY), SF_ERROR_INVALID_HANDLE);
    CHECK(sf_flow_push(NULL, none, 0, NULL) < 0);
    CHECK_IS(sf_flow_push_value(NULL, none, 0, number(0)), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_get_info(NULL, &info), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_get_path(NULL, 0, NULL, NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_op_get_info(NULL, none, &op_info), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_op_get_edge_info(NULL, none, 0, 0, &edge_info), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_dot(NULL, report_add, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_trace(NULL, report_add, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_destroy(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK(sf_flow_failure(NULL) && sf_flow_failure(NULL)->result < 0 && sf_flow_failure(NULL)->text[0]);
    CHECK(sf_flow_now(NULL) > 0);
    CHECK(sf_receive(NULL, 0) == NULL && sf_compute_stream(NULL) == NULL &&
          sf_tensor_create(NULL, 0, NULL) == NULL);
    CHECK(sf_emit(NULL, 0, NULL) < 0 && sf_emit_value(NULL, 0, number(0)) < 0 && sf_available(NULL, 0) == 0);
    CHECK(sf_fail(NULL, SF_ERROR_USER, "x") < 0 && sf_route(NULL, none) < 0 &&
          sf_set_metadata(NULL, 0, number(0)) < 0);
    CHECK(sf_receive_stream(NULL, 0, 0) == NULL && sf_allocate_stream(NULL, "x") == NULL &&
          sf_set_stream(NULL, 0, NULL) < 0);
    CHECK(sf_get_timestamp(NULL, 0) == -1 && !sf_get_metadata(NULL, 0, NULL) &&
          sf_receive_value(NULL, 0).i64 == 0);
    sf_set_timestamp(NULL, 0);
    f = flow_on(device);                                     /* and what else may be NULL or wrong */
    CHECK_EQUAL(sf_flow_add(f, NULL).id, 0);
    destroy_is(f, SF_ERROR_INVALID_VALUE);
    f = flow_on(device);
    none = add_source(f, "a");
    CHECK_IS(sf_flow_get_info(f, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_op_get_info(f, none, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_op_get_info(f, (sf_op){ none.id + 1 }, &op_info), SF_ERROR_UNKNOWN_OPERATOR);
    CHECK_IS(sf_op_get_edge_info(f, none, 0, 0, &edge_info), SF_ERROR_UNKNOWN_PORT);
    CHECK_IS(sf_flow_signal(f, none, 0, SF_READY), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_flow_dot(f, NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_flow_push(f, none, 0, NULL), SF_ERROR_INVALID_VALUE);
    destroy(f);
    f = sf_flow_create(&(sf_flow_desc){ .device = (sf_device *)(void *)some_memory });
    CHECK_IS(sf_flow_run(f), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_INVALID_HANDLE);
}
static sf_flow *flow_in_host_func;
static void call_from_host_func(void *user)
{
    (void)user;
    note_down(0, sf_flow_run(flow_in_host_func));
    note_down(0, sf_flow_start(flow_in_host_func));
    note_down(0, sf_flow_wait(flow_in_host_func, 0));
    note_down(0, sf_flow_step(flow_in_host_func, NULL));
    note_down(0, sf_flow_destroy(flow_in_host_func));
    note_down(0, sf_flow_create(NULL) ? SF_OK : SF_ERROR_NOT_PERMITTED);
}
static void calls_from_a_host_function(void **state)
{
    sf_stream *s = test_stream(device);
    (void)state;
    flow_in_host_func = flow_on(device);
    sf_flow_add(flow_in_host_func, &(sf_op_desc){ .compute = nothing, .count = 1 });
    CHECK_OK(sf_launch_host_func(s, call_from_host_func, NULL));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_NOTES(0, SF_ERROR_NOT_PERMITTED, SF_ERROR_NOT_PERMITTED, SF_ERROR_NOT_PERMITTED,
                SF_ERROR_NOT_PERMITTED, SF_ERROR_NOT_PERMITTED, SF_ERROR_NOT_PERMITTED);
    run_is(flow_in_host_func, SF_OK);
    destroy(flow_in_host_func);
    CHECK_OK(sf_stream_destroy(s));
}
static void devices_are_not_closed_under_flows(void **state)
{
    static uint32_t memory[4];
    sf_flow *f = flow_on(device);
    sf_tensor *t = sf_tensor_wrap(f, &(sf_tensor_desc){ .shape = { 4 }, .data = memory, .memory = SF_MEMORY_HOST });
    (void)state;
    CHECK_IS(sf_device_close(device, GUARD), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(sf_device_failure(device)->text, "destroy the flow") != NULL);
    destroy(f);
    CHECK_IS(sf_device_close(device, GUARD), SF_ERROR_ILLEGAL_STATE);        /* the tensor's flow is still there */
    CHECK(strstr(sf_device_failure(device)->text, "wrapped tensor") != NULL);
    sf_tensor_release(t);
}
/* What cannot be wrapped is told, inside of a compute and outside; a run goes on without it. */
static sf_result wrap_nothing(sf_context *ctx)
{
    note_down(0, sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .shape = { 4 } }) == NULL);
    return SF_OK;
}
static void what_cannot_be_wrapped(void **state)
{
    static uint32_t memory[4];
    const struct { sf_tensor_desc desc; const char *words; } cases[] = {
        { { .shape = { 4 } }, "sf_tensor_desc.data" },
        { { .shape = { 4 }, .data = memory, .memory = (sf_memory)77 }, "sf_memory" },
        { { .ndim = 1, .shape = { 0 }, .data = memory, .memory = SF_MEMORY_HOST }, "shape" },
        { { .ndim = SF_MAX_DIMS + 1, .data = memory, .memory = SF_MEMORY_HOST }, "dimensions" },
    };
    (void)state;
    for (size_t i = 0; i <= COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        const sf_failure *failure = sf_flow_failure(f);
        notes_clear();
        sf_flow_add(f, &(sf_op_desc){ .name = "wrapper", .compute = i ? nothing : wrap_nothing, .count = 1 });
        if (i) {
            CHECK(!sf_tensor_wrap(f, &cases[i - 1].desc));
            CHECK_IS(failure->result, SF_ERROR_INVALID_VALUE);
        } else {
            run_is(f, SF_OK);
            CHECK_NOTES(0, 1);
        }
        CHECK(strstr(failure->text, "sf_tensor_wrap") && strstr(failure->text, cases[i ? i - 1 : 0].words));
        CHECK(!strcmp(failure->call, "sf_tensor_wrap"));
        if (i) { run_is(f, SF_OK); }
        destroy_is(f, SF_OK);
    }
    CHECK(!sf_tensor_wrap(NULL, &cases[0].desc));
}
static void what_a_flow_cannot_be(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .name = "sim", .device = device,
                                                 .clock = { .simulated = true, .now = a_clock } });
    (void)state;
    add_source(f, "camera");
    CHECK_IS(sf_flow_run(f), SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_flow_failure(f)->text, "simulated") && strstr(sf_flow_failure(f)->text, ".now"));
    destroy_is(f, SF_ERROR_INVALID_VALUE);
    f = sf_flow_create(&(sf_flow_desc){ .name = "chatty", .device = device, .metadata_entries = 65536 });
    add_source(f, "camera");
    CHECK_IS(sf_flow_run(f), SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_flow_failure(f)->text, "metadata_entries is 65536: 65535") != NULL);
    destroy_is(f, SF_ERROR_INVALID_VALUE);
}
/* Of a flow that there is not only the log can say why. */
static void no_room_for_a_flow(void **state)
{
    static _Alignas(16) char memory[1024];
    test_log log = { 0 };
    sf_flow_desc d = { .logger = { test_log_func, &log }, .memory = { memory, sizeof memory },
                       .limits = { .ops = 2, .edges = 1, .messages = 1 } };
    char need[32];
    (void)state;
    CHECK(!sf_flow_create(&d));
    snprintf(need, sizeof need, "up to %zu", sf_flow_memory(&d));
    CHECK(log.count == 1 && log.item == 1002 && strstr(log.text, "has 1024 bytes") && strstr(log.text, need));
    d = (sf_flow_desc){ .logger = d.logger, .heap.alloc = test_heap_alloc };
    CHECK(!sf_flow_create(&d));
    CHECK(log.count == 2 && log.item == 1 && strstr(log.text, "heap"));
}
/* A tensor that is released too often comes back to its pool once all the same, and the log says what was wrong. */
static sf_result release_and_emit(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (ctx->run >= 3) { sf_tensor_release(t); }             /* once its queue has been as deep as it gets */
    return sf_emit(ctx, 0, t);
}
static sf_result emit_and_release(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_result r = sf_emit(ctx, 0, t);
    for (int i = 0; i < *(const int *)ctx->user; i++) { sf_tensor_release(t); }
    return r;
}
static void released_too_often(void **state)
{
    (void)state;
    for (int times = 0; times < 4; times++) {
        test_log log = { 0 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = test_backend, .logger = { test_log_func, &log } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = times ? emit_and_release
                                                : release_and_emit,
                                           .user = &times, .out = { { .name = "out", .bytes = 64 } }, .count = 99 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = take_tensor, .in = { IN("in") } });
        connect(f, a, b);
        run_is(f, times ? SF_OK : SF_ERROR_INVALID_VALUE);
        CHECK_EQUAL(runs_of(f, b), times ? 99 : 3);
        if (!times) { CHECK(strstr(sf_flow_failure(f)->text, "released already") != NULL); }
        CHECK(log.item == 400 && strstr(log.text, "sf_tensor_release"));
        destroy_is(f, times ? SF_OK : SF_ERROR_INVALID_VALUE);
    }
}
/* A device of the flow's own nobody can reset. */
static int traps(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 700; }
static const sf_kernel trap = { .name = "trap", .host = traps };
static sf_result launch_a_trap(sf_context *ctx) { return sf_launch(sf_compute_stream(ctx), &trap, NULL, 0); }
static void a_fault_of_the_flow_s_own_device(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .backend = SF_BACKEND_HOST });
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "faulty", .compute = launch_a_trap, .count = 1 });
    run_is(f, SF_ERROR_ILLEGAL_ADDRESS);
    run_is(f, SF_ERROR_ILLEGAL_ADDRESS);
    CHECK(strstr(sf_flow_failure(f)->text, "create another flow") != NULL);
    destroy_is(f, SF_ERROR_ILLEGAL_ADDRESS);
}
/* A fault is that of the operator that launched the kernel, not of the one that meets it. */
static sf_result launch_and_emit(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    (void)sf_launch(sf_compute_stream(ctx), &trap_kernel, NULL, 0);
    return sf_emit(ctx, 0, t);
}
static sf_result meet_the_fault(sf_context *ctx)
{
    (void)sf_receive(ctx, 0);
    return sf_stream_synchronize(sf_compute_stream(ctx), GUARD);
}
static sf_result ignore_and_use(sf_context *ctx)             /* what a fault leaves of a stream */
{
    sf_stream *s;
    (void)sf_receive(ctx, 0);
    (void)sf_device_synchronize(device, GUARD);
    s = sf_compute_stream(ctx);
    return sf_launch(s, &trap_kernel, NULL, 0);
}
static void a_fault_names_who_launched(void **state)
{
    const sf_compute_func meets[] = { meet_the_fault, ignore_and_use };
    (void)state;
    if (on_cuda()) { return; }               /* its context would be lost to the suite: test_driver plays it */
    for (int k = 0; k < 8; k++) {            /* adopting operators share a stream */
        sf_device *d = test_open_workers(2);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .workers = {{ .count = k / 4 * 2 }} });
        sf_device *old = device;
        const sf_failure *why = sf_flow_failure(f);
        sf_op a, b;
        device = d;
        a = sf_flow_add(f, &(sf_op_desc){ .name = "denoise", .compute = launch_and_emit,
                                          .out = {{ .bytes = 64, .name = "o" }},
                                     .count = 1 });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "colour", .compute = meets[k % 2], .in = {{ .name = "i" }},
                                     .adopt_stream = k / 2 % 2 });
        connect(f, a, b);
        run_is(f, SF_ERROR_LAUNCH_FAILED);
        if (strcmp(why->where, "denoise") || !strstr(why->text, "kernel \"trap\" of operator \"denoise\" on stream \"")) {
            fail_msg("%d: %s: %s", k, why->where, why->text);
        }
        CHECK_IS(why->result, SF_ERROR_LAUNCH_FAILED);
        CHECK(strstr(sf_device_failure(d)->text, "kernel \"trap\" on stream \"denoise\" failed"));
        (void)sf_stream_query(NULL);         /* another failure in between */
        CHECK_IS(sf_device_failure(d)->result, SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_device_synchronize(d, GUARD), SF_ERROR_LAUNCH_FAILED);
        CHECK(strstr(sf_device_failure(d)->text, "kernel \"trap\" on stream \"denoise\" failed"));
        destroy_is(f, SF_ERROR_LAUNCH_FAILED);
        CHECK_IS(sf_device_close(d, GUARD), SF_ERROR_LAUNCH_FAILED);
        device = old;
    }
}
/* Flags of another call, and values that are none of their enum. */
static uint32_t flags_to_ask_with;
static sf_result ask_with_flags(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    (void)sf_receive_stream(ctx, 0, flags_to_ask_with);
    return SF_OK;
}
static void unknown_values_of_a_flow(void **state)
{
    static const struct { uint32_t flags; const char *word; } asked[] = {
        { 0, NULL }, { SF_STREAM_ADOPT, NULL }, { SF_STREAM_SYNC_TO_DEFAULT, NULL },
        { SF_STREAM_NON_BLOCKING, "for sf_stream_create()" }, { SF_STREAM_PROGRAMMATIC, "for sf_stream_create()" },
        { 4, "are others than SF_STREAM_ADOPT" },
    };
    sf_flow *f;
    (void)state;
    for (size_t i = 0; i < COUNT(asked); i++) {
        sf_op a, b;
        f = flow_on(device);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = {{ .name = "o", .bytes = 8 }}, .count = 1 });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "faulty", .compute = ask_with_flags, .in = {{ .name = "i" }} });
        connect(f, a, b);
        flags_to_ask_with = asked[i].flags;
        run_is(f, asked[i].word ? SF_ERROR_INVALID_VALUE : SF_OK);
        if (asked[i].word && !strstr(sf_flow_failure(f)->text, asked[i].word)) { fail_msg("%s", sf_flow_failure(f)->text); }
        destroy_is(f, asked[i].word ? SF_ERROR_INVALID_VALUE : SF_OK);
    }
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = (sf_backend)99 });
    run_is(f, SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_flow_desc.backend is 99"));
    destroy_is(f, SF_ERROR_INVALID_VALUE);
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = {{ .count = 1 }, { .realtime = (sf_realtime)99 }} });
    run_is(f, SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_flow_failure(f)->text, "workers[1].realtime is 99"));
    destroy_is(f, SF_ERROR_INVALID_VALUE);
}
/* A call on a stream that fails is the hook's that made it. */
static sf_result launch_nothing(sf_context *ctx)
{
    (void)sf_launch(sf_compute_stream(ctx), NULL, NULL, 0);
    return SF_OK;
}
static void a_bad_call_is_the_hooks(void **state)
{
    static const char *calls[] = { "compute", "start", "stop" };
    (void)state;
    for (int i = 0; i < 3; i++) {
        sf_flow *f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "faulty", .compute = i == 0 ? launch_nothing : nothing, .count = 1,
                                 .start = i == 1 ? launch_nothing : NULL, .stop = i == 2 ? launch_nothing : NULL });
        run_is(f, SF_ERROR_INVALID_VALUE);
        CHECK(!strcmp(sf_flow_failure(f)->call, calls[i]));
        CHECK(!strcmp(sf_flow_failure(f)->where, "faulty"));
        destroy_is(f, SF_ERROR_INVALID_VALUE);
    }
}
/* Of a stream with a name, too, which is the only one that the compute asks for. */
static sf_result launch_nothing_aside(sf_context *ctx)
{
    sf_stream *side = sf_allocate_stream(ctx, "side");
    if (ctx->run == 6) { (void)sf_launch(side, NULL, NULL, 0); }
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static void a_bad_call_on_a_stream_aside(void **state)
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "faulty", .compute = launch_nothing_aside, .count = 9,
                                            .out = { { .name = "out", .bytes = 64, .memory = SF_MEMORY_PINNED } } });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = take_tensor, .in = { IN("in") } });
    (void)state;
    connect(f, a, b);
    run_is(f, SF_ERROR_INVALID_VALUE);
    CHECK(!strcmp(sf_flow_failure(f)->where, "faulty"));
    CHECK_EQUAL(runs_of(f, a), 7);                           /* with the one that failed */
    destroy_is(f, SF_ERROR_INVALID_VALUE);
}
/* Looked at or not, and whatever was wrong with it: above all a wait for an event that is none must not pass. */
static sf_event *no_event;
static sf_result wait_for_none(sf_context *ctx)
{
    return (void)sf_stream_wait_event(sf_compute_stream(ctx), NULL, 0), SF_OK;
}
static sf_result wait_for_what_is_gone(sf_context *ctx)
{
    return (void)sf_stream_wait_event(sf_compute_stream(ctx), no_event, 0), SF_OK;
}
static sf_result wait_oddly(sf_context *ctx)
{
    sf_event *e;
    (void)sf_event_create(device, 0, &e);
    (void)sf_stream_wait_event(sf_compute_stream(ctx), e, 7);
    (void)sf_event_destroy(e);
    return SF_OK;
}
static sf_result record_none(sf_context *ctx)
{
    return (void)sf_event_record(NULL, sf_compute_stream(ctx), 0), SF_OK;
}
static sf_result allocate_nowhere(sf_context *ctx)
{
    return (void)sf_mem_alloc_async(sf_compute_stream(ctx), NULL, 8, NULL), SF_OK;
}
static sf_result launch_no_graph(sf_context *ctx)
{
    return (void)sf_graph_launch(NULL, sf_compute_stream(ctx)), SF_OK;
}
static sf_result copy_to_nobody(sf_context *ctx)
{
    return (void)sf_memcpy_peer_async(sf_compute_stream(ctx), some_memory, NULL, some_memory, device, 4), SF_OK;
}
static sf_result fork_nothing(sf_context *ctx) { return (void)sf_stream_fork(sf_compute_stream(ctx), NULL), SF_OK; }
static sf_result launch_on_a_fork(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx), *side = NULL;
    (void)sf_stream_fork(s, &side);
    (void)sf_launch(side, &(sf_kernel){ .name = "hollow" }, NULL, 0);
    return (void)sf_stream_join(s, side), SF_OK;
}
static void no_bad_call_passes(void **state)
{
    static const struct { sf_compute_func compute; sf_result result; const char *call; } cases[] = {
        { wait_for_none, SF_ERROR_INVALID_HANDLE, "sf_stream_wait_event" },
        { wait_for_what_is_gone, SF_ERROR_INVALID_HANDLE, "sf_stream_wait_event" },
        { wait_oddly, SF_ERROR_INVALID_VALUE, "sf_stream_wait_event" },
        { record_none, SF_ERROR_INVALID_HANDLE, "sf_event_record" },
        { allocate_nowhere, SF_ERROR_INVALID_VALUE, "sf_mem_alloc_async" },
        { launch_no_graph, SF_ERROR_INVALID_HANDLE, "sf_graph_launch" },
        { copy_to_nobody, SF_ERROR_INVALID_HANDLE, "sf_memcpy_peer_async" },
        { fork_nothing, SF_ERROR_INVALID_VALUE, "sf_stream_fork" },
        { launch_on_a_fork, SF_ERROR_NOT_SUPPORTED, "sf_launch" },
    };
    (void)state;
    CHECK_OK(sf_event_create(device, 0, &no_event));
    CHECK_OK(sf_event_destroy(no_event));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sf_flow *f = flow_on(device);
        sf_flow_add(f, &(sf_op_desc){ .name = "faulty", .compute = cases[i].compute, .count = 1 });
        run_is(f, cases[i].result);
        if (!strstr(sf_flow_failure(f)->text, cases[i].call)) { fail_msg("%s", sf_flow_failure(f)->text); }
        destroy_is(f, cases[i].result);
    }
}
/* A call with several handles says which of them is bad. */
static void refusals_name_the_handle(void **state)
{
    sf_stream *s = test_stream(device);
    sf_event *e = NULL;
    float ms;
    (void)state;
    CHECK_OK(sf_event_create(device, SF_EVENT_DEFAULT, &e));
#define SAYS(call, what)                                                                                     \
    do {                                                                                                     \
        CHECK_IS(call, SF_ERROR_INVALID_HANDLE);                                                             \
        if (!strstr(sf_device_failure(device)->text, what)) { fail_msg("%s", sf_device_failure(device)->text); } \
    } while (0)
    SAYS(sf_stream_wait_event(s, NULL, 0), "the event is NULL");
    SAYS(sf_stream_wait_event(NULL, e, 0), "the stream is NULL");
    SAYS(sf_event_record(NULL, s, 0), "the event is NULL");
    SAYS(sf_event_record(e, NULL, 0), "the stream is NULL");
    SAYS(sf_event_elapsed_ms(NULL, e, &ms), "the event `start` is NULL");
    SAYS(sf_event_elapsed_ms(e, NULL, &ms), "the event is NULL");
    SAYS(sf_graph_launch(NULL, s), "the executable graph is NULL");
    SAYS(sf_mem_alloc_async(NULL, NULL, 4, NULL), "the stream is NULL");
    CHECK_OK(sf_event_destroy(e));
    CHECK_OK(sf_stream_destroy(s));
}
/* A stream pool without streams gives NULL: each call that gets it says why. */
static sf_result takes_a_stream(sf_context *ctx) { return sf_compute_stream(ctx) ? SF_OK : SF_ERROR_USER; }
static sf_result sets_none(sf_context *ctx)
{
    return sf_set_stream(ctx, 0, sf_allocate_stream(ctx, "x")), SF_OK;
}
static sf_result synchronizes_none(sf_context *ctx)
{
    return sf_synchronize_streams(ctx, NULL, 0, sf_allocate_stream(ctx, "x")), SF_OK;
}
static sf_result launches_on_none(sf_context *ctx)
{
    sf_stream *s = sf_allocate_stream(ctx, "x");
    return paint(s, some_memory, NULL, NULL, 1, 0), SF_OK;
}
static void who_gets_no_stream_says_why(void **state)
{
    static const sf_compute_func computes[] = { sets_none, synchronizes_none, launches_on_none };
    (void)state;
    for (size_t i = 0; i < COUNT(computes); i++) {
        sf_flow *f = flow_on(device);
        sf_stream_pool *pool = NULL;
        CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .max = 1 }, &pool));
        sf_flow_add(f, &(sf_op_desc){ .name = "first", .compute = takes_a_stream, .streams = pool, .count = 1 });
        sf_flow_add(f, &(sf_op_desc){ .name = "second", .compute = computes[i], .streams = pool, .count = 1,
                                      .out = { OUT("out") } });
        run_is(f, SF_ERROR_POOL_EXHAUSTED);
        if (!strstr(sf_flow_failure(f)->text, "got the NULL that it gave: its pool is used up")) {
            fail_msg("%u: %s", (unsigned)i, sf_flow_failure(f)->text);
        }
        destroy_is(f, SF_ERROR_POOL_EXHAUSTED);
        CHECK_OK(sf_stream_pool_destroy(pool));
    }
}

/* -- warnings: each once, and none for its neighbour that is right -- */

static test_log warned;
static void warned_of(const char *what)                      /* NULL: of nothing */
{
    if (!what && warned.count) { fail_msg("%s", warned.text); }
    if (what && (warned.count != 1 || warned.level != 2 || !strstr(warned.text, what))) {
        fail_msg("%u messages, not \"%s\": %s", (unsigned)warned.count, what, warned.text);
    }
    warned.count = 0;
}
static sf_flow *watched_flow(sf_flow_desc d)
{
    d.device = device;
    d.logger.func = test_log_func;
    d.logger.user = &warned;
    warned.count = 0;
    return sf_flow_create(&d);
}
static sf_result returns_the_user(sf_context *ctx) { return (sf_result)id_of(ctx); }
static void results_without_a_meaning(void **state)
{
    static int five = 5, done = SF_DONE, minus_one = -1;
    sf_flow *f = watched_flow((sf_flow_desc){ 0 });
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "five", .compute = returns_the_user, .user = &five, .count = 3 });
    sf_flow_add(f, &(sf_op_desc){ .name = "done", .compute = returns_the_user, .user = &done });
    run_is(f, SF_OK);
    warned_of("operator \"five\" returned 5, which counts as SF_OK");
    destroy(f);
    f = flow_on(device);
    sf_flow_add(f, &(sf_op_desc){ .name = "bad", .compute = returns_the_user, .user = &minus_one });
    run_is(f, (sf_result)-1);
    CHECK(strstr(sf_flow_failure(f)->text, "it returned -1, and no call on its streams failed") != NULL);
    destroy_is(f, (sf_result)-1);
}
static sf_result emits_unwritten(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (ctx->user) { (void)sf_compute_stream(ctx); }
    return sf_emit(ctx, 0, t);
}
static sf_result take_on_a_stream(sf_context *ctx)
{
    return (void)sf_receive(ctx, 0), sf_compute_stream(ctx) ? SF_OK : SF_ERROR_USER;
}
static sf_result drops_unwritten(sf_context *ctx) { return (void)sf_tensor_create(ctx, 0, NULL), SF_OK; }
static void device_memory_that_the_cpu_writes(void **state)
{
    static const struct { sf_compute_func compute; bool works; sf_memory memory; const char *warning; } cases[] = {
        { emits_unwritten, false, SF_MEMORY_DEVICE, "\"a\" took no stream, and emits SF_MEMORY_DEVICE" },
        { emits_unwritten, false, SF_MEMORY_PINNED, NULL },
        { emits_unwritten, true, SF_MEMORY_DEVICE, NULL },
        { drops_unwritten, false, SF_MEMORY_DEVICE, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = watched_flow((sf_flow_desc){ 0 });
        sf_op a = sf_flow_add(f, &(sf_op_desc){
            .name = "a", .compute = cases[i].compute, .count = 3, .user = cases[i].works ? &ids[1] : NULL,
            .out = { { .name = "out", .bytes = 64, .memory = cases[i].memory } } });
        connect(f, a, sf_flow_add(f, &(sf_op_desc){ .name = "z", .compute = take_on_a_stream, .in = { IN("in") } }));
        run_is(f, SF_OK);
        warned_of(cases[i].warning);
        destroy(f);
    }
}
static sf_result stops_at_the_third(sf_context *ctx)
{
    return (void)sf_receive_value(ctx, 0), ctx->run == 2 ? SF_DONE : SF_OK;
}
static void doubtful_flows(void **state)
{
    static const struct { const char *reader; bool optional; sf_condition when; const char *warning; } cases[] = {
        { "b", false, { .kind = SF_CONDITION_NONE }, NULL },
        { "a", false, { .kind = SF_CONDITION_NONE }, "two operators have the name \"a\"" },
        { "b", true, { .kind = SF_CONDITION_NONE }, "\"b\" waits for nothing, as all its inputs are optional" },
        { "b", true, { .kind = SF_CONDITION_MESSAGES, .count = 1 }, NULL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = watched_flow((sf_flow_desc){ 0 });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .count = 3, .out = { OUT("out") } });
        connect(f, a, sf_flow_add(f, &(sf_op_desc){ .name = cases[i].reader, .compute = stops_at_the_third,
                                                    .when = { cases[i].when },
                                                    .in = { { .name = "in", .optional = cases[i].optional } } }));
        CHECK_OK(sf_flow_check(f, false, report_add, NULL));
        warned_of(cases[i].warning);
        run_is(f, SF_OK);                    /* and not again */
        warned_of(NULL);
        destroy(f);
    }
}
static int64_t set_clock;
static int64_t tell_clock(void *user) { return (void)user, set_clock; }
static void a_clock_that_goes_back(void **state)
{
    sf_flow *f = watched_flow((sf_flow_desc){ .clock.now = tell_clock });
    int64_t wake;
    sf_result r = SF_OK;
    (void)state;
    set_clock = SF_MS(20000);
    sf_flow_add(f, &(sf_op_desc){ .name = "tick", .compute = nothing, .period = SF_MS(10) });
    for (int ms = 0; ms < 100 && r >= 0; ms++, set_clock += SF_MS(1)) {
        while ((r = sf_flow_step(f, &wake)) == SF_OK) {}
        if (ms == 50) {
            warned_of(NULL);
            set_clock -= SF_MS(5000);
        }
    }
    CHECK_IS(r, SF_IDLE);
    warned_of("its clock went back by 4999000000 ns");
    CHECK_OK(sf_flow_stop(f));
    (void)sf_flow_step(f, &wake);
    destroy(f);
}
/* One of two inputs from outside is full, and the other one empty: nothing goes on until someone pushes there. */
static sf_result takes_both(sf_context *ctx)
{
    return (void)sf_receive_value(ctx, 0), (void)sf_receive_value(ctx, 1), SF_OK;
}
static void a_full_input_that_nobody_takes(void **state)
{
    sf_flow *f = watched_flow((sf_flow_desc){ .name = "pair" });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "join", .compute = takes_both,
                                            .in = { { .name = "x", .external = true, .capacity = 2 },
                                                    { .name = "y", .external = true } } });
    (void)state;
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
    CHECK_OK(sf_flow_push_value(f, a, 0, number(1)));
    CHECK_OK(sf_flow_push_value(f, a, 0, number(2)));
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
    warned_of(NULL);                         /* that may be meant so, as long as there is room */
    for (int i = 0; i < 3; i++) {
        CHECK_IS(sf_flow_push_value(f, a, 0, number(3)), SF_BUSY);
        while (sf_flow_step(f, NULL) == SF_OK) {}
    }
    warned_of("flow \"pair\" stands still: input \"x\" of operator \"join\" is full (2 messages), and the operator "
              "waits for messages on \"y\" from outside");
    CHECK_OK(sf_flow_stop(f));
    (void)sf_flow_step(f, NULL);
    destroy(f);
}
/* Names so long that four of them fill the sentence. The last operator is the one at fault. */
static void no_culprit_is_cut_off(void **state)
{
    static char names[6][90];
    sf_flow *f = flow_on(device);
    sf_op ops[6], c;
    (void)state;
    for (size_t i = 0; i < COUNT(ops); i++) {
        snprintf(names[i], sizeof names[i], "%u_%080u", (unsigned)i, 0);
        ops[i] = sf_flow_add(f, &(sf_op_desc){ .name = names[i], .compute = emits_unwritten, .count = 50,
                                               .out = { { .name = "out", .bytes = 64 } } });
    }
    c = sf_flow_add(f, &(sf_op_desc){ .name = "culprit", .compute = nothing, .in = { { .name = "in", .many = true } } });
    for (size_t i = 0; i < COUNT(ops); i++) { connect(f, ops[i], c); }
    run_is(f, SF_ERROR_DEADLOCK);
    if (!strstr(sf_flow_failure(f)->text, "; culprit waits for news") ||
        !strstr(sf_flow_failure(f)->text, " more wait")) {
        fail_msg("%s", sf_flow_failure(f)->text);
    }
    destroy_is(f, SF_ERROR_DEADLOCK);
}
static void logged_and_counted(void **state) /* each failure once; sf_flow_failure keeps the first */
{
    test_log log = { 0 };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger = { test_log_func, &log } });
    (void)state;
    no_such_output(f);
    CHECK_EQUAL(log.count, 1);
    CHECK_EQUAL(log.item, 1004);
    CHECK(strstr(log.text, "nonsense") != NULL);
    no_compute(f);
    CHECK_EQUAL(log.count, 2);
    CHECK(strstr(log.text, "hollow") != NULL);
    CHECK_EQUAL(sf_flow_failure(f)->count, 2);
    CHECK(strstr(sf_flow_failure(f)->text, "nonsense") != NULL);
    destroy_is(f, SF_ERROR_UNKNOWN_PORT);
}

/* After a fault and a reset the same flow runs again, as often as it likes, whatever it waited for at the fault. */
static uint32_t breaks, breaks_after;        /* microseconds */
static int fill_or_break(const sf_slice *slice, const void *args)
{
    uint32_t *const *out = (uint32_t *const *)args;
    (void)slice;
    usleep(breaks_after);
    if (test_load(&breaks)) { return 719; }
    for (uint32_t i = 0; i < WORDS; i++) { (*out)[i] = 7; }
    return 0;
}
static const sf_kernel fills = { .name = "fills", .host = fill_or_break };
static sf_result emit_filled(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    (void)sf_launch(sf_compute_stream(ctx), &fills, &t->data, sizeof t->data);
    return sf_emit(ctx, 0, t);
}
static sf_result note_filled(sf_context *ctx)
{
    const uint32_t *in = (const uint32_t *)sf_receive(ctx, 0)->data;
    note_down(1, in[0] == 7 && in[WORDS - 1] == 7);
    return SF_OK;
}
static sf_flow *flow_that_breaks(uint32_t kind, int32_t threads)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = {{ .count = threads, .spin = -1 }},
                                                 .track.device_time = kind == 1 });
    for (uint32_t i = 0; i < 1 + (kind == 2); i++) {
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = i ? "a2" : "a", .compute = emit_filled, .count = 6,
                                                .out = {{ .name = "o", .bytes = BYTES, .memory = SF_MEMORY_PINNED }} });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = i ? "b2" : "b", .compute = note_filled, .in = { IN("i") },
                                                .when = {{ .kind = SF_CONDITION_STREAM }} });
        connect(f, a, b);
    }
    return f;
}
/* A reset gives the kernel of a run up: the run ends with that, and not as if it had ended. */
static int never_body(const sf_slice *slice, const void *args) { return (void)slice, (void)args, SF_NOT_READY; }
static const sf_kernel never = { .name = "never", .host = never_body };
static sf_result launches_never(sf_context *ctx) { return sf_launch(sf_compute_stream(ctx), &never, NULL, 0); }
static void a_run_that_a_reset_gives_up(void **state)
{
    sf_device *d;
    (void)state;
    if (on_cuda()) { skip(); }
    for (int32_t workers = 0; workers < 3; workers++) {
        sf_flow *f;
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .reset_timeout = SF_MS(400) }, &d));
        f = sf_flow_create(&(sf_flow_desc){ .device = d, .workers = { { .count = workers } } });
        sf_flow_add(f, &(sf_op_desc){ .name = "launches", .compute = launches_never, .count = 1 });
        CHECK_OK(sf_flow_start(f));
        CHECK_IS(sf_flow_wait(f, SF_MS(50)), SF_TIMEOUT);
        CHECK_OK(sf_device_reset(d));
        CHECK_IS(sf_flow_wait(f, GUARD), SF_ERROR_STALLED);
        CHECK(strlen(sf_flow_failure(f)->text) > 20);
        destroy_is(f, SF_ERROR_STALLED);
        test_close(d);
    }
}
static void after_a_fault_and_a_reset(void **state)
{
    (void)state;
    if (on_cuda()) { skip(); }               /* the context is lost */
    for (uint32_t k = 0; k < 3 * 3 * 2 * 3; k++) {           /* kind, threads, when it breaks, order */
        uint32_t kind = k % 3, pairs = 1 + (kind == 2), order = (uint32_t[]){ 0, 1, 4 }[k / 18];
        sf_device *old = device, *d = open_order(order, k);
        sf_flow *f;
        device = d;
        f = flow_that_breaks(kind, (int32_t)(k / 3 % 3));
        breaks_after = k / 9 % 2 ? 20000 : 0;
        test_store(&breaks, 1);
        guarded_run_is(f, SF_ERROR_LAUNCH_FAILED, NULL);
        CHECK_OK(sf_device_reset(d));
        test_store(&breaks, 0);
        breaks_after = 200;
        for (int run = 0; run < 2; run++) {
            notes_clear();
            guarded_run_is(f, SF_OK, NULL);
            CHECK_EQUAL(notes_of(1, NULL, 0), 6 * pairs);
            for (uint32_t i = 0; i < note_count; i++) { CHECK_EQUAL(notes[i].what, 1); }
        }
        destroy_is(f, SF_ERROR_LAUNCH_FAILED);               /* the first error of its life */
        test_close(d);
        device = old;
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_built),
        TEST(after_a_fault_and_a_reset),
        TEST(a_run_that_a_reset_gives_up),
        TEST(destroyed_pools),
        TEST(outputs_share_a_pool), TEST(cut_texts),
        TEST(all_problems_are_reported),
        TEST(every_circle_is_reported),
        TEST(what_is_mended_is_forgotten),
        TEST(computes_that_fail), TEST(values_into_an_input_for_tensors),
        TEST(stand_ins_after_an_error),
        TEST(error_policies),
        TEST(nobody_computes_behind_an_error),
        TEST(retried_with_tensors),
        TEST(hooks_that_fail),
        TEST(deadlocks_name_the_cause_first), TEST(deadlocks_say_who_waits_for_what),
        TEST(deadlocks_name_conditions_and_memory),
        TEST(tensors_without_size),
        TEST(memory_that_never_comes),
        TEST(ends_although_it_may_be_signalled),
        TEST(a_source_for_one_that_lacks),
        TEST(ended_for_one_run_only),
        TEST(what_fails_has_dropped_nothing),
        TEST(a_call_that_fails_on_the_stream_of_a_quick_turn),
        TEST(what_is_ignored_hides_nothing),
        TEST(refused_calls_say_why),
        TEST(who_waits_can_be_asked),
        TEST(calls_from_inside),
        TEST(calls_from_conditions_and_hooks),
        TEST(no_flow),
        TEST(calls_from_a_host_function),
        TEST(devices_are_not_closed_under_flows),
        TEST(what_cannot_be_wrapped),
        TEST(what_a_flow_cannot_be),
        TEST(no_room_for_a_flow),
        TEST(released_too_often),
        TEST(a_fault_of_the_flow_s_own_device),
        TEST(a_bad_call_is_the_hooks), TEST(a_bad_call_on_a_stream_aside),
        TEST(no_bad_call_passes),
        TEST(refusals_name_the_handle), TEST(who_gets_no_stream_says_why), TEST(results_without_a_meaning),
        TEST(device_memory_that_the_cpu_writes), TEST(doubtful_flows), TEST(a_clock_that_goes_back),
        TEST(a_full_input_that_nobody_takes), TEST(no_culprit_is_cut_off), TEST(logged_and_counted),
        TEST(a_fault_names_who_launched),
        TEST(unknown_values_of_a_flow),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("flow errors", tests, NULL, NULL);
}
