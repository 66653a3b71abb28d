/*  test_resident_build.c - building a resident graph: what is refused, and in which words; how ports agree on memory;
    graphs of any shape against a model, frame by frame, in every shape of the loop; branches, delays, data-ready
    handlers, fused loops; what computes may and may not do under capture. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <cmocka.h>
#include "hooks.h"
#include "resident_test.h"

enum { FRAME = 64, LARGE = 128 };            /* bytes of the small graphs' ports */

/* Of many results all that are wrong are told. */
static uint32_t wrong_count;
static void wrong(const char *format, ...)
{
    va_list args;
    if (wrong_count++ >= 40) { return; }
    fprintf(stderr, "wrong: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
}
static void result_should_be(const char *who, const char *call, sf_result got, sf_result want)
{
    if (got != want) { wrong("%s: %s is %d, not %d", who, call, (int)got, (int)want); }
}
static void check_nothing_wrong(void)
{
    uint32_t n = wrong_count;
    wrong_count = 0;
    if (n) { fail_msg("%u are wrong, see above", n); }
}

/* -- two operators that fit: the host's -> sensor.raw, .cooked -> display.picture, .shown -> the host's -- */

static work plain = { .ins = 1, .outs = 1, .mul = { 3 }, .add = 5 };
static sf_op_desc sensor_desc(void)
{
    return (sf_op_desc){ .name = "sensor",
                         .compute = work_compute,
                         .user = &plain,
                         .in = { { .name = "raw", .bytes = FRAME, .external = true } },
                         .out = { { .name = "cooked", .bytes = FRAME } } };
}
static sf_op_desc display_desc(void)
{
    return (sf_op_desc){ .name = "display",
                         .compute = work_compute,
                         .user = &plain,
                         .in = { { .name = "picture", .bytes = FRAME } },
                         .out = { { .name = "shown", .bytes = FRAME, .external = true } } };
}
/* In between: filter.left -> filter.right. */
static sf_op_desc filter_desc(const char *name)
{
    return (sf_op_desc){ .name = name,
                         .compute = work_compute,
                         .user = &plain,
                         .in = { { .name = "left", .bytes = FRAME } },
                         .out = { { .name = "right", .bytes = FRAME } } };
}
static sf_op add_desc(sf_resident *r, sf_op_desc desc) { return sf_resident_add(r, &desc); }
static sf_op add_sensor(sf_resident *r) { return add_desc(r, sensor_desc()); }
static sf_op add_display(sf_resident *r) { return add_desc(r, display_desc()); }
static void join(sf_resident *r, sf_op from, sf_op to)       /* the only output to the only input */
{
    (void)sf_resident_connect(r, from, NULL, to, NULL, NULL);
}
static void join_late(sf_resident *r, sf_op from, sf_op to, int delay)
{
    sf_edge_desc edge = { .delay = (uint16_t)delay };
    (void)sf_resident_connect(r, from, NULL, to, NULL, &edge);
}
/* sensor -> display: a frame goes through, whatever went wrong elsewhere on this device. */
static void check_device_works(void)
{
    sf_resident *r = RESIDENT(.name = "good");
    sf_op a = add_sensor(r), b = add_display(r);
    uint32_t in[FRAME / 4], want[FRAME / 4];
    join(r, a, b);
    launch(r);
    for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = i * i, want[i] = (i * i * 3 + 5) * 3 + 5; }
    result_is(r, b, feed(r, a, in, sizeof in), want, sizeof want);
    stop(r);
    destroy(r);
}

/* -- one thing that is not allowed: its code, and the words that say so -- */

typedef struct refusal {
    const char *name;
    void (*make)(sf_resident *r);
    sf_result result;                        /* 1: any error */
    const char *words[4];                    /* all in the text; "a|b": one of them */
    sf_resident_desc desc;
} refusal;
#define ANY_ERROR ((sf_result)1)

static void check_failure(const sf_resident *r, const char *name, sf_result result, const char *const *words,
                          int count)
{
    const sf_failure *f = sf_resident_failure(r);
    if (result == ANY_ERROR ? f->result >= 0 : f->result != result) {
        wrong("%s: the failure is %d, not %d: %s", name, (int)f->result, (int)result, f->text);
    }
    if (f->result < 0 && (!f->count || !f->text[0] || !f->where || !f->call || !f->call[0])) {
        wrong("%s: count %d, call \"%s\", text \"%s\"", name, (int)f->count, f->call, f->text);
    }
    for (int i = 0; i < count && words[i]; i++) {
        if (!says(f->text, words[i])) { wrong("%s: no \"%s\" in: %s", name, words[i], f->text); }
        if (!logged_with(1, says(f->text, words[i]) ? NULL : words[i], NULL, NULL)) {
            wrong("%s: nothing logged", name);
        }
    }
}
static void check_leaks(const char *name)
{
    sf_counters now;
    if (sf_device_get_counters(device, &now) < 0) { wrong("%s: the device does not even count", name); }
    if (now.live_streams != at_start.live_streams || now.live_events != at_start.live_events ||
        now.live_graphs != at_start.live_graphs || now.live_bytes != at_start.live_bytes) {
        wrong("%s: %d streams, %d events, %d graphs, %lld bytes more than before", name,
              (int)(now.live_streams - at_start.live_streams), (int)(now.live_events - at_start.live_events),
              (int)(now.live_graphs - at_start.live_graphs), (long long)(now.live_bytes - at_start.live_bytes));
        at_start = now;
    }
}
static void refuse(const refusal *row)
{
    sf_resident *r;
    sf_result got;
    sf_op op;
    memset(&logged, 0, sizeof logged);
    r = resident_of(row->desc);
    row->make(r);
    got = sf_resident_build(r);
    if (row->result == ANY_ERROR ? got >= 0 : got != row->result) {
        wrong("%s: build is %d, %s, not %d", row->name, (int)got, sf_result_string(got), (int)row->result);
    }
    if (got < 0) {
        sf_op_desc late = filter_desc("late");
        check_failure(r, row->name, got, row->words, 4);
        op = sf_resident_add(r, &late);
        if (op.id) { wrong("%s: still takes operators after the failed build", row->name); }
        result_should_be(row->name, "connect, later", sf_resident_connect(r, op, NULL, op, NULL, NULL),
                         SF_ERROR_ILLEGAL_STATE);
        if (sf_resident_build(r) >= 0) { wrong("%s: builds the second time", row->name); }
        if (sf_resident_launch(r) >= 0) { wrong("%s: launches", row->name); }
        if (sf_resident_is_launched(r)) { wrong("%s: is launched", row->name); }
        if (sf_resident_failure(r)->result != got) { wrong("%s: not the first failure any more", row->name); }
    }
    for (size_t i = 0; i < COUNT(residents); i++) {
        if (residents[i] == r) { residents[i] = NULL; }
    }
    result_should_be(row->name, "destroy", sf_resident_destroy(r), got < 0 ? got : SF_OK);
    check_leaks(row->name);
}
static void refuse_all(const refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) { refuse(&rows[i]); }
    check_nothing_wrong();
    check_device_works();
    nothing_is_left();
}

/* Features of a flow that would need the CPU for every message. */
static void wrong_count_of_runs(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.count = 3;
    (void)sf_resident_add(r, &d);
}
static void wrong_period(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.period = SF_MS(1);
    (void)sf_resident_add(r, &d);
}
static void wrong_when(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.when[0].kind = SF_CONDITION_SIGNAL;
    (void)sf_resident_add(r, &d);
}
static void wrong_retry(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.on_error = SF_ON_ERROR_RETRY;
    (void)sf_resident_add(r, &d);
}
static void wrong_retries(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.retries = 2;
    (void)sf_resident_add(r, &d);
}
static void wrong_many(sf_resident *r)
{
    sf_op_desc d = display_desc();
    d.in[0].many = true;
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void wrong_batch(sf_resident *r)
{
    sf_op_desc d = display_desc();
    d.in[0].batch = 2;
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void wrong_overflow(sf_resident *r)
{
    sf_op_desc d = display_desc();
    d.in[0].overflow = SF_OVERFLOW_LATEST;
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void wrong_pool(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    sf_mem_pool_desc pool = { .kind = SF_MEM_POOL_BLOCKS, .block_bytes = FRAME, .blocks = 2 };
    if (sf_mem_pool_create(device, &pool, &d.out[0].pool) < 0) { return; }
    join(r, sf_resident_add(r, &d), add_display(r));
    (void)sf_mem_pool_destroy(d.out[0].pool);                /* refused: so nobody looks at it later */
}
static void features_that_need_the_cpu(void **state)
{
    static const refusal rows[] = {
        { "count", wrong_count_of_runs, SF_ERROR_NOT_SUPPORTED, { "sensor", "count" }, { 0 } },
        { "period", wrong_period, SF_ERROR_NOT_SUPPORTED, { "sensor", "period" }, { 0 } },
        { "when", wrong_when, SF_ERROR_NOT_SUPPORTED, { "sensor", "when|condition" }, { 0 } },
        { "RETRY", wrong_retry, SF_ERROR_NOT_SUPPORTED, { "sensor", "RETRY|retry|retries|on_error" }, { 0 } },
        { "retries", wrong_retries, SF_ERROR_NOT_SUPPORTED, { "sensor", "RETRY|retry|retries" }, { 0 } },
        { "many", wrong_many, SF_ERROR_NOT_SUPPORTED, { "display", "picture", "many" }, { 0 } },
        { "batch", wrong_batch, SF_ERROR_NOT_SUPPORTED, { "display", "picture", "batch" }, { 0 } },
        { "overflow", wrong_overflow, SF_ERROR_NOT_SUPPORTED, { "display", "picture", "overflow" }, { 0 } },
        { "pool", wrong_pool, SF_ERROR_NOT_SUPPORTED, { "sensor", "cooked", "pool" }, { 0 } },
    };
    (void)state;
    refuse_all(rows, COUNT(rows));
}

/* Operators and ports. */
static void wrong_nothing(sf_resident *r) { (void)r; }
static void wrong_no_compute(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.compute = NULL;
    (void)sf_resident_add(r, &d);
}
static void wrong_twins(sf_resident *r)
{
    sf_op_desc d = display_desc();
    d.name = "sensor";
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void wrong_twin_inputs(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.in[1] = d.in[0];
    (void)sf_resident_add(r, &d);
}
static void wrong_twin_outputs(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.out[1] = d.out[0];
    (void)sf_resident_add(r, &d);
}
static void wrong_33_inputs(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    sf_op op;
    d.in[0].name = NULL;
    op = sf_resident_add(r, &d);
    for (int i = 0; i < 33; i++) {
        char name[32];
        sf_port p = { .name = name, .bytes = FRAME, .external = true };
        snprintf(name, sizeof name, "raw%d", i);
        if (sf_resident_add_input(r, op, &p) != i && i < 32) { wrong("input %d has another number", i); }
    }
}
static void wrong_33_sources(sf_resident *r)
{
    for (int i = 0; i < 33; i++) {
        sf_op_desc d = sensor_desc();
        char name[32];
        snprintf(name, sizeof name, "sensor%d", i);
        d.name = name;
        (void)sf_resident_add(r, &d);
    }
}
static void wrong_33_sinks(sf_resident *r)
{
    sf_op first = add_sensor(r);
    for (int i = 0; i < 33; i++) {
        sf_op_desc d = display_desc();
        char name[32];
        snprintf(name, sizeof name, "display%d", i);
        d.name = name;
        join(r, first, sf_resident_add(r, &d));
    }
}
static void wrong_add_nothing(sf_resident *r) { (void)sf_resident_add(r, NULL); }
static void wrong_port_nowhere(sf_resident *r)
{
    sf_port p = { .name = "more", .bytes = FRAME };
    sf_op nobody = { 77 };
    (void)add_sensor(r);
    if (sf_resident_add_input(r, nobody, &p) >= 0) { wrong("an input of nobody has a number"); }
}
static void wrong_port_without_name(sf_resident *r)
{
    sf_port p = { .bytes = FRAME };
    if (sf_resident_add_output(r, add_sensor(r), &p) >= 0) { wrong("an output without a name has a number"); }
}
static void wrong_port_behind_the_end(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.in[2].name = "late";
    sf_resident_add(r, &d);
}
static void wrong_size(sf_resident *r, size_t bytes)
{
    sf_op_desc d = sensor_desc();
    d.in[0].bytes = bytes;
    (void)sf_resident_add(r, &d);
}
static void wrong_size_0x0f(sf_resident *r) { wrong_size(r, SIZE_MAX - 15); }
static void wrong_size_half(sf_resident *r) { wrong_size(r, SIZE_MAX / 2); }
static void wrong_size_of_a_ring(sf_resident *r) { wrong_size(r, SIZE_MAX / 5 + 1); }    /* 5 slots of it */
static void wrong_size_within(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.out[0].bytes = SIZE_MAX / 2;
    (void)sf_resident_add(r, &d);
}
static void wrong_sum(sf_resident *r, bool external)
{
    sf_op_desc d = sensor_desc();
    sf_op op;
    d.out[0].name = NULL;
    op = sf_resident_add(r, &d);
    for (int i = 0; i < 32; i++) {
        char name[32];
        sf_port p = { .name = name, .bytes = SIZE_MAX / 30, .external = external };
        snprintf(name, sizeof name, "cooked%d", i);
        CHECK_EQUAL(sf_resident_add_output(r, op, &p), i);
    }
}
static void wrong_ops(sf_resident *r)        /* more than stages; one of them often, as adding takes its time */
{
    (void)sf_resident_add(r, &(sf_op_desc){ .name = "op", .compute = work_compute, .user = &plain });
    CHECK(test_resident_repeat_op(r, 0xffff - 1));
}
static void wrong_sum_of_rings(sf_resident *r) { wrong_sum(r, true); }
static void wrong_sum_of_buffers(sf_resident *r) { wrong_sum(r, false); }
static void operators_and_ports(void **state)
{
    static const refusal rows[] = {
        { "no operator", wrong_nothing, SF_ERROR_INVALID_VALUE, { "operator" }, { 0 } },
        { "no compute", wrong_no_compute, SF_ERROR_INVALID_VALUE, { "sensor", "compute" }, { 0 } },
        { "two of a name", wrong_twins, SF_ERROR_INVALID_VALUE, { "sensor" }, { 0 } },
        { "two inputs of a name", wrong_twin_inputs, SF_ERROR_INVALID_VALUE, { "sensor", "raw" }, { 0 } },
        { "two outputs of a name", wrong_twin_outputs, SF_ERROR_INVALID_VALUE, { "sensor", "cooked" }, { 0 } },
        { "33 inputs", wrong_33_inputs, ANY_ERROR, { "sensor" }, { 0 } },
        { "33 sources", wrong_33_sources, ANY_ERROR, { "32" }, { 0 } },
        { "33 sinks", wrong_33_sinks, ANY_ERROR, { "32" }, { 0 } },
        { "nothing added", wrong_add_nothing, SF_ERROR_INVALID_VALUE, { NULL }, { 0 } },
        { "a port of nobody", wrong_port_nowhere, SF_ERROR_UNKNOWN_OPERATOR, { NULL }, { 0 } },
        { "a port without name", wrong_port_without_name, SF_ERROR_INVALID_VALUE, { "sensor" }, { 0 } },
        { "a port behind the end", wrong_port_behind_the_end, SF_ERROR_INVALID_VALUE, { "sensor", "ends" }, { 0 } },
        { "nearly all bytes", wrong_size_0x0f, SF_ERROR_INVALID_VALUE, { "sensor", "raw", "600 bytes|280 bytes",
                                                                         "4 slots" }, { 0 } },
        { "half of all bytes", wrong_size_half, SF_ERROR_INVALID_VALUE, { "sensor", "raw", ".bytes" }, { 0 } },
        { "a ring of all bytes", wrong_size_of_a_ring, SF_ERROR_INVALID_VALUE, { "sensor", "raw", ".bytes" },
          { 0 } },
        { "an edge of half of all bytes", wrong_size_within, SF_ERROR_INVALID_VALUE,
          { "sensor", "cooked", "807 bytes:|647 bytes:" }, { 0 } },
        { "65,534 operators", wrong_ops, SF_ERROR_NOT_SUPPORTED, { "65533", "no_stages" }, { 0 } },
        { "rings of all bytes", wrong_sum_of_rings, SF_ERROR_OUT_OF_MEMORY, { "rings", ".bytes" }, { 0 } },
        { "buffers of all bytes", wrong_sum_of_buffers, SF_ERROR_OUT_OF_MEMORY, { "buffers", ".bytes" }, { 0 } },
    };
    (void)state;
    refuse_all(rows, COUNT(rows));
}

/* Connections. */
static void connect_is(sf_resident *r, sf_op from, const char *output, sf_op to, const char *input, sf_result want)
{
    result_should_be(output ? output : "?", "connect", sf_resident_connect(r, from, output, to, input, NULL), want);
}
static void wrong_unknown_op(sf_resident *r)
{
    sf_op nobody = { 77 };
    connect_is(r, add_sensor(r), "cooked", nobody, "picture", SF_ERROR_UNKNOWN_OPERATOR);
}
static void wrong_unknown_from(sf_resident *r)
{
    sf_op nobody = { 0 };
    connect_is(r, nobody, "cooked", add_display(r), "picture", SF_ERROR_UNKNOWN_OPERATOR);
}
static void wrong_unknown_output(sf_resident *r)
{
    sf_op a = add_sensor(r), b = add_display(r);
    connect_is(r, a, "boiled", b, "picture", SF_ERROR_UNKNOWN_PORT);
}
static void wrong_unknown_input(sf_resident *r)
{
    sf_op a = add_sensor(r), b = add_display(r);
    connect_is(r, a, "cooked", b, "sound", SF_ERROR_UNKNOWN_PORT);
}
static void wrong_unnamed_of_two(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.out[1] = (sf_port){ .name = "fried", .bytes = FRAME };
    connect_is(r, sf_resident_add(r, &d), NULL, add_display(r), NULL, SF_ERROR_UNKNOWN_PORT);
}
static void wrong_the_other_way(sf_resident *r)              /* inputs are no outputs */
{
    sf_op a = add_sensor(r), b = add_display(r);
    connect_is(r, b, "picture", a, "cooked", SF_ERROR_UNKNOWN_PORT);
}
static void wrong_connected_twice(sf_resident *r)
{
    sf_op a = add_sensor(r), b = add_display(r);
    sf_op_desc d = sensor_desc();
    d.name = "camera";
    join(r, a, b);
    join(r, sf_resident_add(r, &d), b);
}
static void wrong_same_edge_twice(sf_resident *r)
{
    sf_op a = add_sensor(r), b = add_display(r);
    join(r, a, b);
    join(r, a, b);
}
static void wrong_connected_and_external(sf_resident *r)
{
    sf_op_desc d = display_desc();
    d.in[0].external = true;
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void wrong_not_connected(sf_resident *r)
{
    (void)add_sensor(r);
    (void)add_display(r);
}
static void wrong_external_without_bytes(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.in[0].bytes = 0;
    join(r, sf_resident_add(r, &d), add_display(r));
}
static void wrong_external_out_without_bytes(sf_resident *r)
{
    sf_op_desc d = display_desc();
    d.out[0].bytes = 0;
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void wrong_sizes(sf_resident *r)
{
    sf_op_desc d = display_desc();
    d.in[0].bytes = LARGE;
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void wrong_no_size(sf_resident *r)
{
    sf_op_desc a = sensor_desc(), b = display_desc();
    a.out[0].bytes = b.in[0].bytes = 0;
    join(r, sf_resident_add(r, &a), sf_resident_add(r, &b));
}
static void wrong_size_of_the_second(sf_resident *r)         /* fan-out: one of two differs */
{
    sf_op_desc d = display_desc();
    sf_op a = add_sensor(r);
    join(r, a, add_display(r));
    d.name = "monitor";
    d.in[0].bytes = LARGE;
    join(r, a, sf_resident_add(r, &d));
}
static void *device_memory(size_t bytes)
{
    void *p = NULL;
    CHECK_OK(sf_mem_alloc(device, bytes, SF_MEMORY_DEVICE, &p));
    return p;
}
static uint8_t *handed_in;
static void wrong_memory(sf_resident *r)
{
    sf_op_desc a = sensor_desc();
    a.out[0].data = handed_in;
    join(r, sf_resident_add(r, &a), add_display(r));
}
static void wrong_pointers(sf_resident *r)                   /* fan-out: two inputs with memory of their own */
{
    sf_op_desc a = sensor_desc(), b = display_desc(), c = display_desc();
    sf_op op;
    a.out[0].bytes = b.in[0].bytes = c.in[0].bytes = 0;
    b.in[0].data = handed_in;
    c.in[0].data = handed_in + LARGE;
    c.name = "monitor";
    op = sf_resident_add(r, &a);
    join(r, op, sf_resident_add(r, &b));
    join(r, op, sf_resident_add(r, &c));
}
static void wrong_cycle_of_one(sf_resident *r)
{
    sf_op op = add_desc(r, filter_desc("snake"));
    join(r, op, op);
}
static void wrong_cycle(sf_resident *r)
{
    sf_op_desc d = filter_desc("hare");
    sf_op hare, hedgehog = add_desc(r, filter_desc("hedgehog")), hound = add_desc(r, filter_desc("hound"));
    d.in[1] = (sf_port){ .name = "start", .bytes = FRAME };
    hare = sf_resident_add(r, &d);
    (void)sf_resident_connect(r, add_sensor(r), "cooked", hare, "start", NULL);
    join(r, hare, hedgehog);
    join(r, hedgehog, hound);
    (void)sf_resident_connect(r, hound, "right", hare, "left", NULL);
}
static void wrong_long_delay(sf_resident *r) { join_late(r, add_sensor(r), add_display(r), 9); }
static void wrong_control(sf_resident *r)
{
    sf_edge_desc edge = { .control = true };
    sf_op_desc d = display_desc();
    d.in[0].name = NULL;
    (void)sf_resident_connect(r, add_sensor(r), NULL, sf_resident_add(r, &d), NULL, &edge);
}
static void connections(void **state)
{
    static const refusal rows[] = {
        { "to nobody", wrong_unknown_op, SF_ERROR_UNKNOWN_OPERATOR, { NULL }, { 0 } },
        { "from nobody", wrong_unknown_from, SF_ERROR_UNKNOWN_OPERATOR, { NULL }, { 0 } },
        { "unknown output", wrong_unknown_output, SF_ERROR_UNKNOWN_PORT, { "sensor", "boiled" }, { 0 } },
        { "unknown input", wrong_unknown_input, SF_ERROR_UNKNOWN_PORT, { "display", "sound" }, { 0 } },
        { "one of two", wrong_unnamed_of_two, SF_ERROR_UNKNOWN_PORT, { "sensor" }, { 0 } },
        { "the other way", wrong_the_other_way, SF_ERROR_UNKNOWN_PORT, { "display|sensor" }, { 0 } },
        { "twice", wrong_connected_twice, SF_ERROR_CONNECTED_TWICE, { "display", "picture" }, { 0 } },
        { "the same twice", wrong_same_edge_twice, SF_ERROR_CONNECTED_TWICE, { "display", "picture" }, { 0 } },
        { "and external", wrong_connected_and_external, SF_ERROR_CONNECTED_TWICE, { "display", "picture" }, { 0 } },
        { "not at all", wrong_not_connected, SF_ERROR_NOT_CONNECTED, { "display", "picture", ".external" }, { 0 } },
        { "external, no size", wrong_external_without_bytes, SF_ERROR_INVALID_VALUE, { "sensor", "raw" }, { 0 } },
        { "out, no size", wrong_external_out_without_bytes, SF_ERROR_INVALID_VALUE, { "display", "shown" }, { 0 } },
        { "sizes", wrong_sizes, SF_ERROR_MISMATCH, { "sensor|display", "cooked|picture", "64", "128" }, { 0 } },
        { "no size", wrong_no_size, SF_ERROR_MISMATCH, { "sensor|display", "cooked|picture" }, { 0 } },
        { "one of two sizes", wrong_size_of_the_second, SF_ERROR_MISMATCH, { "monitor|sensor" }, { 0 } },
        { "two pointers", wrong_pointers, SF_ERROR_MISMATCH, { "monitor|display|sensor" }, { 0 } },
        { "a cycle of one", wrong_cycle_of_one, SF_ERROR_DEADLOCK, { "snake" }, { 0 } },
        { "a cycle", wrong_cycle, SF_ERROR_DEADLOCK, { "hare", "hedgehog", "hound" }, { 0 } },
        { "a delay of nine", wrong_long_delay, ANY_ERROR, { "display|sensor", "delay" }, { 0 } },
        { "control", wrong_control, ANY_ERROR, { "display|sensor" }, { 0 } },
    };
    (void)state;
    handed_in = (uint8_t *)device_memory(2 * LARGE);
    at_start.live_bytes += 2 * LARGE;
    refuse_all(rows, COUNT(rows));
    CHECK_OK(sf_mem_free(device, handed_in));
    at_start.live_bytes -= 2 * LARGE;
}
/* A kernel would fault there, and say neither where nor whose memory it was. */
static void memory_out_of_reach(void **state)
{
    static const refusal managed = { "managed", wrong_memory, SF_ERROR_INVALID_VALUE,
                                     { "sensor", "output 'cooked'", ".data is managed", "SF_MEMORY_DEVICE" }, { 0 } };
    static const refusal pageable = { "pageable", wrong_memory, SF_ERROR_INVALID_VALUE,
                                      { "sensor", "output 'cooked'", ".data is the host's pageable", ".bytes" },
                                      { 0 } };
    static uint8_t of_the_host[LARGE];
    sf_memory kinds[] = { SF_MEMORY_DEVICE, SF_MEMORY_PINNED, SF_MEMORY_HOST };
    void *p;
    (void)state;
    CHECK_OK(sf_mem_alloc(device, LARGE, SF_MEMORY_MANAGED, &p));
    handed_in = (uint8_t *)p;
    at_start.live_bytes += LARGE;
    refuse(&managed);
    CHECK_OK(sf_mem_free(device, p));
    at_start.live_bytes -= LARGE;
    handed_in = of_the_host;
    if (on_cuda()) { refuse(&pageable); }
    for (size_t i = 0; i < COUNT(kinds); i++) {
        uint32_t in[FRAME / 4] = { 3 }, want[FRAME / 4];
        sf_op_desc d = sensor_desc();
        sf_op from, to;
        sf_resident *r = RESIDENT(.name = "reach");
        if (kinds[i] == SF_MEMORY_HOST && on_cuda()) {
            destroy(r);
            continue;
        }
        p = of_the_host;
        if (kinds[i] != SF_MEMORY_HOST) { CHECK_OK(sf_mem_alloc(device, LARGE, kinds[i], &p)); }
        d.out[0].data = p;
        from = sf_resident_add(r, &d), to = add_display(r);
        join(r, from, to);
        build(r);
        for (uint32_t k = 0; k < FRAME / 4; k++) { want[k] = (in[k] * 3 + 5) * 3 + 5; }
        launch(r);
        result_is(r, to, feed(r, from, in, sizeof in), want, sizeof want);
        stop(r);
        destroy(r);
        if (kinds[i] != SF_MEMORY_HOST) { CHECK_OK(sf_mem_free(device, p)); }
    }
    check_nothing_wrong();
    nothing_is_left();
}
static void a_long_way_to_the_stop(void **state)             /* an unrolled loop passes all its slots: it is no stall */
{
    work slow = { .ins = 1, .outs = 1, .mul = { 1 }, .spin = on_cuda() ? 30000000 : 20000000 };
    sf_op_desc a = sensor_desc();
    sf_resident *r = RESIDENT(.name = "slow", .slots = 64, .loop = SF_RESIDENT_LOOP_UNROLLED,
                              .stall_timeout = SF_MS(400));
    (void)state;
    a.user = &slow;
    join(r, sf_resident_add(r, &a), add_display(r));
    launch(r);
    usleep(10000);
    destroy(r);
    nothing_is_left();
}
static sf_result idle_compute(sf_context *ctx)
{
    return (void)sf_receive(ctx, 0), (void)sf_tensor_create(ctx, 0, NULL), SF_OK;
}
static void a_loop_that_does_nothing(void **state)           /* no error, as upstream's; but a warning */
{
    (void)state;
    for (int works = 0; works < 2; works++) {
        sf_op_desc a = sensor_desc(), b = display_desc();
        sf_resident *r = RESIDENT(.name = "nothing");
        a.compute = idle_compute;
        if (!works) { b.compute = idle_compute; }
        memset(&logged, 0, sizeof logged);
        join(r, sf_resident_add(r, &a), sf_resident_add(r, &b));
        build(r);
        CHECK_EQUAL(logged_with(2, "does nothing", NULL, NULL), works ? 0 : 1);
        destroy(r);
    }
    nothing_is_left();
}

/* The description of the whole. */
static void right_chain(sf_resident *r) { join(r, add_sensor(r), add_display(r)); }
static void wrong_pointer_and_unrolled(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.out[0].data = handed_in;
    join(r, sf_resident_add(r, &d), add_display(r));
}
static void descriptions(void **state)
{
    static const refusal rows[] = {
        { "3 slots", right_chain, SF_ERROR_INVALID_VALUE, { "slots" }, { .slots = 3 } },
        { "2048 slots", right_chain, SF_ERROR_INVALID_VALUE, { "slots" }, { .slots = 2048 } },
        { "a spin", right_chain, SF_ERROR_INVALID_VALUE, { "wrong times: ", ".spin" },
          { .name = "wrong times", .spin = -1 } },
        { "a nap", right_chain, SF_ERROR_INVALID_VALUE, { ".data_not_ready_sleep_interval_us" },
          { .data_not_ready_sleep_interval_us = -1 } },
        { "a time", right_chain, SF_ERROR_INVALID_VALUE, { ".timeout_ms" }, { .timeout_ms = -1 } },
        { "a stall", right_chain, SF_ERROR_INVALID_VALUE, { ".stall_timeout" }, { .stall_timeout = SF_FOREVER } },
        { "a deadline", right_chain, SF_ERROR_INVALID_VALUE, { ".deadline" }, { .deadline = -1 } },
        { "half a heap", right_chain, SF_ERROR_INVALID_VALUE, { ".heap" }, { .heap = { .alloc = test_heap_alloc } } },
        { "no such loop", right_chain, SF_ERROR_INVALID_VALUE, { "loop" }, { .loop = (sf_resident_loop)9 } },
        { "no such idle", right_chain, SF_ERROR_INVALID_VALUE, { "idle" }, { .idle = (sf_resident_idle)9 } },
        { "no such overflow", right_chain, SF_ERROR_INVALID_VALUE, { "overflow" }, { .overflow = (sf_overflow)9 } },
        { "an overflow that would block", right_chain, SF_ERROR_INVALID_VALUE, { "take LATEST", "DROP_NEWEST" },
          { .overflow = SF_OVERFLOW_DROP_OLDEST } },
        { "nothing fused", right_chain, SF_ERROR_INVALID_VALUE, { "fused" }, { .loop = SF_RESIDENT_LOOP_FUSED } },
        { "unrolled", wrong_pointer_and_unrolled, SF_ERROR_NOT_SUPPORTED, { "sensor", "cooked" },
          { .loop = SF_RESIDENT_LOOP_UNROLLED } },
    };
    (void)state;
    handed_in = (uint8_t *)device_memory(FRAME);
    at_start.live_bytes += FRAME;
    refuse_all(rows, COUNT(rows));
    CHECK_OK(sf_mem_free(device, handed_in));
    at_start.live_bytes -= FRAME;
}

/* All that is wrong is logged, and the first of it is the failure; later calls change nothing. */
static void all_is_told(void **state)
{
    sf_resident *r = RESIDENT(.name = "wrong");
    sf_op_desc d = sensor_desc();
    sf_op a, b;
    (void)state;
    a = add_sensor(r);
    b = add_display(r);
    CHECK_IS(sf_resident_connect(r, a, "boiled", b, "picture", NULL), SF_ERROR_UNKNOWN_PORT);
    CHECK_IS(sf_resident_connect(r, a, "cooked", b, "sound", NULL), SF_ERROR_UNKNOWN_PORT);
    CHECK_IS(sf_resident_failure(r)->result, SF_ERROR_UNKNOWN_PORT);
    CHECK(strstr(sf_resident_failure(r)->text, "boiled"));
    d.name = "camera";
    d.period = SF_MS(1);
    d.in[0].batch = 2;
    (void)sf_resident_add(r, &d);
    d = filter_desc("alone");
    (void)sf_resident_add(r, &d);
    CHECK_IS(sf_resident_build(r), SF_ERROR_UNKNOWN_PORT);
    CHECK(strstr(sf_resident_failure(r)->text, "boiled"));
    CHECK(sf_resident_failure(r)->count >= 6);
    CHECK_LOGGED(1, "wrong: sensor: ", "boiled", NULL);
    CHECK_LOGGED(1, "wrong: display: ", "sound", NULL);
    CHECK_LOGGED(1, "camera", "period", NULL);
    CHECK_LOGGED(1, "camera", "raw", "batch");
    CHECK_LOGGED(1, "alone", "left", NULL);
    CHECK_LOGGED(1, "display", "picture", NULL);
    destroy_is(r, SF_ERROR_UNKNOWN_PORT);
    nothing_is_left();
}
static void handles(void **state)
{
    sf_op_desc d = sensor_desc();
    sf_resident_branch_desc branch = { .kind = SF_RESIDENT_EVERY, .every = 2 };
    sf_resident_branch none = { 0 };
    sf_resident_slot slot;
    sf_resident_info info;
    sf_latency latency;
    uint64_t sequence;
    sf_op op = { 1 };
    sf_resident *r;
    char *text = NULL;
    (void)state;
    memset(&slot, 0, sizeof slot);
    CHECK_EQUAL(sf_resident_add(NULL, &d).id, 0);
    CHECK(sf_resident_add_input(NULL, op, &d.in[0]) < 0);
    CHECK(sf_resident_add_output(NULL, op, &d.out[0]) < 0);
    CHECK_IS(sf_resident_connect(NULL, op, NULL, op, NULL, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_build(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_destroy(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_register_data_ready_handler(NULL, op), SF_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(sf_resident_add_branch(NULL, &branch).id, 0);
    CHECK_IS(sf_resident_put(NULL, op, none, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_launch(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK(!sf_resident_is_launched(NULL));
    (void)sf_resident_get_state(NULL);
    CHECK_IS(sf_resident_tear_down(NULL, false, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_wait(NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_acquire(NULL, op, 0, &slot), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_submit(NULL, &slot), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_result(NULL, op, 0, 0, &slot), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_release(NULL, &slot), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_data_ready(NULL, &sequence), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_result_ready(NULL, 1), SF_ERROR_INVALID_HANDLE);
    CHECK(!sf_resident_device_memory(NULL, op, "raw", 0));
    CHECK(!sf_resident_get_control(NULL));
    CHECK_IS(sf_resident_get_info(NULL, &info), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_get_latency(NULL, SF_RESIDENT_SPAN_TOTAL, &latency), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_get_op_latency(NULL, op, &latency), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_resident_report(NULL, SF_RESIDENT_REPORT_PLAN, append_text, &text), SF_ERROR_INVALID_HANDLE);
    CHECK(sf_resident_failure(NULL) != NULL);
    CHECK(!text);
    r = RESIDENT(.name = "r");
    CHECK_IS(sf_resident_failure(r)->result, SF_OK);
    CHECK_EQUAL(sf_resident_get_state(r), SF_RESIDENT_NEW);
    CHECK_IS(sf_resident_get_info(r, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_resident_report(r, SF_RESIDENT_REPORT_PLAN, NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_EQUAL(info_of(r).submitted, 0);
    destroy(r);
    nothing_is_left();
}
static void plan_add(void *user, const char *text, size_t bytes) { strncat((char *)user, text, bytes); }
/* The plan says how often EVERY is, and counts what lies in branches. */
static void the_plan_of_every(void **state)
{
    uint32_t nodes[2];
    (void)state;
    for (int in_branch = 0; in_branch < 2; in_branch++) {
        sf_resident *r = RESIDENT(.name = "r", .loop = SF_RESIDENT_LOOP_EXACT);
        sf_resident_branch_desc every = { .kind = SF_RESIDENT_EVERY, .every = 30, .phase = 7 };
        sf_resident_branch branch = { 0 };
        char text[4096] = "";
        sf_op last = add_sensor(r);
        if (in_branch) { branch = sf_resident_add_branch(r, &every); }
        for (int i = 0; i < 6; i++) {
            char name[24];
            sf_op_desc d = filter_desc(name);
            sf_op op;
            snprintf(name, sizeof name, "filter%d", i);
            op = sf_resident_add(r, &d);
            join(r, last, op);
            if (in_branch) { CHECK_OK(sf_resident_put(r, op, branch, 0)); }
            last = op;
        }
        join(r, last, add_display(r));
        build(r);
        nodes[in_branch] = info_of(r).nodes;
        CHECK_OK(sf_resident_report(r, SF_RESIDENT_REPORT_PLAN, plan_add, text));
        CHECK_EQUAL(strstr(text, "(every 30, phase 7)") != NULL, in_branch);
        destroy(r);
    }
    if (nodes[1] < nodes[0]) { fail_msg("%u nodes, in a branch %u", (unsigned)nodes[0], (unsigned)nodes[1]); }
    nothing_is_left();
}
/* Built once; from then on nothing can be added, and the build says OK again. */
static void built_is_built(void **state)
{
    sf_resident *r = RESIDENT(.name = "r");
    sf_op a = add_sensor(r), b = add_display(r), late;
    sf_op_desc d = filter_desc("late");
    sf_resident_branch_desc branch = { .kind = SF_RESIDENT_EVERY, .every = 2 };
    sf_resident_branch none = { 1 };
    sf_port p = { .name = "more", .bytes = FRAME, .optional = true };
    (void)state;
    join(r, a, b);
    CHECK_EQUAL(sf_resident_get_state(r), SF_RESIDENT_NEW);
    build(r);
    CHECK_EQUAL(sf_resident_get_state(r), SF_RESIDENT_BUILT);
    build(r);
    CHECK(info_of(r).nodes >= 2);
    CHECK(info_of(r).device_bytes + info_of(r).host_bytes > 3 * FRAME);
    late = sf_resident_add(r, &d);
    CHECK_EQUAL(late.id, 0);
    CHECK(sf_resident_add_input(r, a, &p) < 0);
    CHECK(sf_resident_add_output(r, a, &p) < 0);
    CHECK_IS(sf_resident_connect(r, a, "cooked", b, "picture", NULL), SF_ERROR_ILLEGAL_STATE);
    CHECK_IS(sf_resident_register_data_ready_handler(r, a), SF_ERROR_ILLEGAL_STATE);
    CHECK_EQUAL(sf_resident_add_branch(r, &branch).id, 0);
    CHECK_IS(sf_resident_put(r, a, none, 0), SF_ERROR_ILLEGAL_STATE);
    build(r);
    launch(r);
    CHECK_EQUAL(sf_resident_get_state(r), SF_RESIDENT_RUNNING);
    build(r);
    stop(r);
    destroy(r);
    nothing_is_left();
}

/* -- how two ends agree on memory -- */

typedef enum end { NO_SIZE, SIZE, OTHER_SIZE, POINTER, POINTER_AND_SIZE, ENDS } end;
static sf_port port_of(const char *name, end kind, void *data)
{
    static const size_t bytes[ENDS] = { 0, FRAME, LARGE, 0, FRAME };
    return (sf_port){ .name = name, .bytes = bytes[kind], .data = kind >= POINTER ? data : NULL };
}
static bool warned(const char *op, const char *port) { return logged_with(2, op, port, NULL) > 0; }
static void pair(end source, end sink, uint8_t *mine, uint8_t *yours)
{
    static const char *const names[ENDS] = { "no size", "64", "128", "a pointer", "a pointer and 64" };
    bool pointer = source >= POINTER || sink >= POINTER, sized = source == SIZE || source == OTHER_SIZE;
    bool mismatch = !pointer && (source != sink ? source != NO_SIZE && sink != NO_SIZE : source == NO_SIZE);
    bool both = source >= POINTER && sink >= POINTER;
    bool same = (source == SIZE && sink == POINTER_AND_SIZE) || (source == POINTER_AND_SIZE && sink == SIZE);
    bool ignored = !both && pointer && !same && (source >= POINTER ? sink == SIZE || sink == OTHER_SIZE : sized);
    bool warns = both || ignored || (!pointer && source != sink);
    sf_op_desc from = sensor_desc(), to = display_desc();
    char who[64];
    sf_resident *r;
    sf_result got;
    sf_op a, b;
    void *out, *in;
    snprintf(who, sizeof who, "%s -> %s", names[source], names[sink]);
    memset(&logged, 0, sizeof logged);
    r = RESIDENT(.name = "pair", .loop = SF_RESIDENT_LOOP_EXACT);
    from.out[0] = port_of("cooked", source, mine);
    to.in[0] = port_of("picture", sink, yours);
    a = sf_resident_add(r, &from), b = sf_resident_add(r, &to);
    join(r, a, b);
    got = sf_resident_build(r);
    result_should_be(who, "build", got, mismatch ? SF_ERROR_MISMATCH : SF_OK);
    if (mismatch) {
        const char *text = sf_resident_failure(r)->text;
        if (!says(text, "sensor|display") || !says(text, "cooked|picture")) { wrong("%s: says %s", who, text); }
    } else if (got == SF_OK) {
        out = sf_resident_device_memory(r, a, "cooked", 0), in = sf_resident_device_memory(r, b, "picture", 0);
        if (!out || out != in) { wrong("%s: the ends are not one", who); }
        if (source >= POINTER ? out != mine : sink >= POINTER ? out != yours : out == mine || out == yours) {
            wrong("%s: it is another's memory", who);
        }
        if (warns != (warned("sensor", "cooked") || warned("display", "picture"))) {
            wrong("%s: %s warning", who, warns ? "no" : "a");
        }
        if (!warns && logged_at(2)) { wrong("%s: some warning", who); }
        if (ignored && !logged_with(2, "ignore", NULL, NULL)) { wrong("%s: not said to be ignored", who); }
    }
    if (got == SF_OK && (source == SIZE || source == POINTER_AND_SIZE || (!pointer && sink == SIZE))) {
        uint32_t data[FRAME / 4], want[FRAME / 4];
        for (uint32_t i = 0; i < FRAME / 4; i++) { data[i] = 7 * i + source, want[i] = (data[i] * 3 + 5) * 3 + 5; }
        launch(r);
        result_is(r, b, feed(r, a, data, sizeof data), want, sizeof want);
        stop(r);
    }
    destroy_is(r, mismatch ? SF_ERROR_MISMATCH : SF_OK);
}
static void pairs_of_ports(void **state)
{
    uint8_t *mine = (uint8_t *)device_memory(LARGE), *yours = (uint8_t *)device_memory(LARGE);
    (void)state;
    for (int a = 0; a < ENDS; a++) {
        for (int b = 0; b < ENDS; b++) { pair((end)a, (end)b, mine, yours); }
    }
    CHECK_OK(sf_mem_free(device, mine));
    CHECK_OK(sf_mem_free(device, yours));
    check_nothing_wrong();
    nothing_is_left();
}
/* One output, three inputs: one memory, whoever brings it. */
static void fan_out_shares(void **state)
{
    static const struct { end out, in[3]; int data[3]; sf_result want; bool warns; } rows[] = {
        { SIZE, { SIZE, SIZE, SIZE }, { 0, 0, 0 }, SF_OK, false },
        { SIZE, { SIZE, NO_SIZE, SIZE }, { 0, 0, 0 }, SF_OK, true },
        { NO_SIZE, { SIZE, SIZE, SIZE }, { 0, 0, 0 }, SF_OK, true },
        { NO_SIZE, { SIZE, NO_SIZE, SIZE }, { 0, 0, 0 }, SF_OK, true },
        { SIZE, { SIZE, SIZE, OTHER_SIZE }, { 0, 0, 0 }, SF_ERROR_MISMATCH, false },
        { NO_SIZE, { SIZE, SIZE, OTHER_SIZE }, { 0, 0, 0 }, SF_ERROR_MISMATCH, false },
        { NO_SIZE, { NO_SIZE, NO_SIZE, NO_SIZE }, { 0, 0, 0 }, SF_ERROR_MISMATCH, false },
        { POINTER_AND_SIZE, { NO_SIZE, NO_SIZE, NO_SIZE }, { 0, 0, 0 }, SF_OK, false },
        { POINTER_AND_SIZE, { POINTER, NO_SIZE, NO_SIZE }, { 1, 0, 0 }, SF_OK, true },
        { POINTER_AND_SIZE, { POINTER, POINTER, POINTER }, { 1, 2, 3 }, SF_OK, true },
        { NO_SIZE, { POINTER_AND_SIZE, NO_SIZE, NO_SIZE }, { 1, 0, 0 }, SF_OK, false },
        { NO_SIZE, { NO_SIZE, NO_SIZE, POINTER_AND_SIZE }, { 0, 0, 1 }, SF_OK, false },
        { SIZE, { NO_SIZE, POINTER_AND_SIZE, NO_SIZE }, { 0, 1, 0 }, SF_OK, false },
        { SIZE, { NO_SIZE, POINTER, NO_SIZE }, { 0, 1, 0 }, SF_OK, true },
        { NO_SIZE, { POINTER_AND_SIZE, POINTER_AND_SIZE, NO_SIZE }, { 1, 1, 0 }, SF_OK, false },
        { NO_SIZE, { POINTER_AND_SIZE, POINTER_AND_SIZE, NO_SIZE }, { 1, 2, 0 }, SF_ERROR_MISMATCH, false },
    };
    uint8_t *memory = (uint8_t *)device_memory(4 * LARGE);
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf_op_desc d = sensor_desc();
        sf_op from, to[3];
        sf_result got;
        sf_resident *r;
        char who[32];
        snprintf(who, sizeof who, "row %zu", i);
        memset(&logged, 0, sizeof logged);
        r = RESIDENT(.name = "fan");
        d.out[0] = port_of("cooked", rows[i].out, memory);
        from = sf_resident_add(r, &d);
        for (int k = 0; k < 3; k++) {
            static const char *const names[] = { "display", "monitor", "screen" };
            d = display_desc();
            d.name = names[k];
            d.in[0] = port_of("picture", rows[i].in[k], memory + rows[i].data[k] * LARGE);
            to[k] = sf_resident_add(r, &d);
            join(r, from, to[k]);
        }
        got = sf_resident_build(r);
        result_should_be(who, "build", got, rows[i].want);
        if (got == SF_OK) {
            void *out = sf_resident_device_memory(r, from, "cooked", 0);
            uint8_t *own = rows[i].out >= POINTER ? memory : NULL;
            for (int k = 0; k < 3; k++) {
                if (!own && rows[i].in[k] >= POINTER) { own = memory + rows[i].data[k] * LARGE; }
                void *in = sf_resident_device_memory(r, to[k], "picture", 0);
                if (!out || in != out) { wrong("%s: not shared", who); }
            }
            if (own && out != own) { wrong("%s: not in the memory given", who); }
            if (rows[i].warns != (logged_at(2) > 0)) { wrong("%s: %u warnings", who, logged_at(2)); }
        }
        destroy_is(r, rows[i].want);
    }
    CHECK_OK(sf_mem_free(device, memory));
    check_nothing_wrong();
    nothing_is_left();
}
static void memory_of_ports(void **state)
{
    sf_resident *r = RESIDENT(.name = "memory", .slots = 8, .loop = SF_RESIDENT_LOOP_UNROLLED);
    sf_op a = add_sensor(r), b = add_display(r), nobody = { 99 };
    void *slot[8];
    (void)state;
    CHECK(!sf_resident_device_memory(r, a, "cooked", 0));    /* not built */
    CHECK(sf_resident_failure(r)->result < 0 || logged_at(1));
    destroy(r);                              /* a question that was refused is no error of its life */
    r = RESIDENT(.name = "memory", .slots = 8, .loop = SF_RESIDENT_LOOP_UNROLLED);
    a = add_sensor(r), b = add_display(r);
    join(r, a, b);
    build(r);
    for (uint32_t i = 0; i < 8; i++) {
        slot[i] = sf_resident_device_memory(r, a, "cooked", i);
        CHECK(slot[i] != NULL);
        CHECK(sf_resident_device_memory(r, b, "picture", i) == slot[i]);
        CHECK(sf_resident_device_memory(r, a, "raw", i) != NULL);
        CHECK(sf_resident_device_memory(r, b, "shown", i) != NULL);
        for (uint32_t k = 0; k < i; k++) { CHECK(slot[k] != slot[i]); }
    }
    launch(r);
    for (uint32_t i = 0; i < 8; i++) { CHECK(sf_resident_device_memory(r, a, "cooked", i) == slot[i]); }
    stop(r);
    for (uint32_t i = 0; i < 8; i++) { CHECK(sf_resident_device_memory(r, a, "cooked", i) == slot[i]); }
    CHECK(!sf_resident_device_memory(r, a, "boiled", 0));
    CHECK_IS(sf_resident_failure(r)->result, SF_ERROR_UNKNOWN_PORT);
    CHECK(strstr(sf_resident_failure(r)->text, "sensor") && strstr(sf_resident_failure(r)->text, "boiled"));
    CHECK(!sf_resident_device_memory(r, a, NULL, 0));
    CHECK(!sf_resident_device_memory(r, nobody, "cooked", 0));
    CHECK(!sf_resident_device_memory(r, a, "cooked", 8));
    destroy(r);
    nothing_is_left();
}

/* -- hooks -- */

typedef struct hooks { char name; sf_result initialize, start, compute, stop; size_t set; const char *port; } hooks;
static char hook_log[512];
static sf_result hook_note(const hooks *h, char what, sf_result result)
{
    size_t n = strlen(hook_log);
    if (n + 2 < sizeof hook_log) { hook_log[n] = what, hook_log[n + 1] = h->name, hook_log[n + 2] = 0; }
    return result;
}
static sf_result hook_initialize(sf_context *ctx)
{
    const hooks *h = (const hooks *)ctx->user;
    if (h->port) { (void)sf_set_port_bytes(ctx, h->port, h->set); }
    return hook_note(h, 'i', h->initialize);
}
static sf_result hook_start(sf_context *ctx)
{
    return hook_note((const hooks *)ctx->user, 's', ((const hooks *)ctx->user)->start);
}
static sf_result hook_stop(sf_context *ctx)
{
    return hook_note((const hooks *)ctx->user, 't', ((const hooks *)ctx->user)->stop);
}
static sf_result hook_compute(sf_context *ctx)               /* out = in */
{
    const hooks *h = (const hooks *)ctx->user;
    sf_emit(ctx, 0, sf_receive(ctx, 0));
    return hook_note(h, 'c', h->compute);
}
static sf_op_desc hooked(sf_op_desc d, hooks *h)
{
    d.compute = hook_compute;
    d.user = h;
    d.initialize = hook_initialize;
    d.start = hook_start;
    d.stop = hook_stop;
    return d;
}
static void hooks_in_order(void **state)
{
    hooks h[3] = { { .name = '0' }, { .name = '1' }, { .name = '2' } };
    sf_resident *r = RESIDENT(.name = "hooks", .loop = SF_RESIDENT_LOOP_EXACT);
    uint32_t in[FRAME / 4] = { 4, 5, 6 };
    sf_op a, b, c;
    (void)state;
    hook_log[0] = 0;
    a = add_desc(r, hooked(sensor_desc(), &h[0]));
    b = add_desc(r, hooked(filter_desc("filter"), &h[1]));
    c = add_desc(r, hooked(display_desc(), &h[2]));
    join(r, a, b);
    join(r, b, c);
    CHECK(!hook_log[0]);
    build(r);
    CHECK(!strncmp(hook_log, "i0i1i2s0s1s2", 12) && strlen(hook_log) == 18);
    CHECK(strstr(hook_log, "c0") && strstr(hook_log, "c1") && strstr(hook_log, "c2"));
    for (int i = 0; i < 3; i++) {
        launch(r);
        in[3] = (uint32_t)i;
        result_is(r, c, feed(r, a, in, sizeof in), in, sizeof in);
        stop(r);
    }
    CHECK_EQUAL(strlen(hook_log), 18);       /* once: not at the launches, nor at the stops */
    destroy(r);
    CHECK(!strcmp(hook_log + 18, "t2t1t0"));
    nothing_is_left();
}
static void sizes_set_in_initialize(void **state)
{
    hooks h[2] = { { .name = '0', .port = "raw", .set = LARGE }, { .name = '1', .port = "picture", .set = LARGE } };
    sf_resident *r = RESIDENT(.name = "sizes");
    sf_op_desc a = sensor_desc(), b = display_desc();
    uint32_t in[LARGE / 4];
    sf_op from, to;
    rng g = rng_seed(3);
    (void)state;
    rng_fill(&g, in, sizeof in);
    a.in[0].bytes = b.in[0].bytes = 0;       /* external, and known only after the hook */
    a.out[0].bytes = b.out[0].bytes = LARGE;
    from = add_desc(r, hooked(a, &h[0])), to = add_desc(r, hooked(b, &h[1]));
    join(r, from, to);
    launch(r);
    CHECK_EQUAL(logged_at(2), 0);
    result_is(r, to, feed(r, from, in, sizeof in), in, sizeof in);
    stop(r);
    destroy(r);
    nothing_is_left();
}
/* Whichever is connected first: what one input says is the output's size, and the other's. */
static void a_size_for_all_behind_an_output(void **state)
{
    static work same = { .ins = 1, .outs = 1, .mul = { 1 } };
    (void)state;
    for (int order = 0; order < 2; order++) {
        sf_resident *r = RESIDENT(.name = "sizes");
        sf_op_desc a = sensor_desc(), b = display_desc(), c = display_desc();
        uint32_t in[FRAME / 4];
        sf_op from, to[2];
        rng g = rng_seed(4);
        rng_fill(&g, in, sizeof in);
        a.out[0].bytes = c.in[0].bytes = 0;
        c.name = "monitor";
        a.user = b.user = c.user = &same;
        from = add_desc(r, a), to[0] = add_desc(r, b), to[1] = add_desc(r, c);
        join(r, from, to[order]);
        join(r, from, to[!order]);
        launch(r);
        result_is(r, to[0], feed(r, from, in, sizeof in), in, sizeof in);
        result_is(r, to[1], 1, in, sizeof in);
        stop(r);
        destroy(r);
        nothing_is_left();
    }
}
static sf_result resize(sf_context *ctx) { return (void)sf_set_port_bytes(ctx, "cooked", LARGE), SF_OK; }
static sf_result resize_and_work(sf_context *ctx)
{
    (void)sf_set_port_bytes(ctx, "cooked", LARGE);
    return work_compute(ctx);
}
static sf_result hook_receives(sf_context *ctx) { return (void)sf_receive(ctx, 0), SF_OK; }
static sf_result hook_creates(sf_context *ctx) { return (void)sf_tensor_create(ctx, 0, NULL), SF_OK; }
static sf_result hook_emits(sf_context *ctx) { return (void)sf_emit(ctx, 0, NULL), SF_OK; }
static sf_result hook_streams(sf_context *ctx) { return (void)sf_compute_stream(ctx), SF_OK; }
static sf_result hook_fails(sf_context *ctx) { return sf_fail(ctx, (sf_result)-2345, "no lens"); }
static sf_result hook_returns(sf_context *ctx) { return (void)ctx, (sf_result)-2346; }
static void initialized(sf_resident *r, sf_compute_func hook)
{
    sf_op_desc d = sensor_desc();
    d.initialize = hook;
    join(r, sf_resident_add(r, &d), add_display(r));
}
static void started(sf_resident *r, sf_compute_func hook)
{
    sf_op_desc d = sensor_desc();
    d.start = hook;
    join(r, sf_resident_add(r, &d), add_display(r));
}
static void initialize_receives(sf_resident *r) { initialized(r, hook_receives); }
static void initialize_creates(sf_resident *r) { initialized(r, hook_creates); }
static void initialize_emits(sf_resident *r) { initialized(r, hook_emits); }
static void initialize_streams(sf_resident *r) { initialized(r, hook_streams); }
static void initialize_fails(sf_resident *r) { initialized(r, hook_fails); }
static void initialize_returns(sf_resident *r) { initialized(r, hook_returns); }
static void start_receives(sf_resident *r) { started(r, hook_receives); }
static void start_creates(sf_resident *r) { started(r, hook_creates); }
static void start_emits(sf_resident *r) { started(r, hook_emits); }
static void start_streams(sf_resident *r) { started(r, hook_streams); }
static void start_fails(sf_resident *r) { started(r, hook_fails); }
static void start_returns(sf_resident *r) { started(r, hook_returns); }
static void start_resizes(sf_resident *r) { started(r, resize); }
static void compute_resizes(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    d.compute = resize_and_work;
    join(r, sf_resident_add(r, &d), add_display(r));
}
static sf_result resize_unknown(sf_context *ctx) { return (void)sf_set_port_bytes(ctx, "boiled", LARGE), SF_OK; }
static void initialize_unknown(sf_resident *r) { initialized(r, resize_unknown); }
static void initialize_mismatch(sf_resident *r) { initialized(r, resize); }
static void hooks_that_go_wrong(void **state)
{
    static const refusal rows[] = {
        { "initialize receives", initialize_receives, SF_ERROR_ILLEGAL_STATE, { "sensor", "sf_receive" }, { 0 } },
        { "initialize creates", initialize_creates, SF_ERROR_ILLEGAL_STATE, { "sensor", "sf_tensor_create" }, { 0 } },
        { "initialize emits", initialize_emits, SF_ERROR_ILLEGAL_STATE, { "sensor", "sf_emit" }, { 0 } },
        { "initialize streams", initialize_streams, SF_ERROR_ILLEGAL_STATE, { "sensor", "stream" }, { 0 } },
        { "initialize fails", initialize_fails, (sf_result)-2345, { "sensor", "no lens" }, { 0 } },
        { "initialize returns", initialize_returns, (sf_result)-2346, { "sensor" }, { 0 } },
        { "start receives", start_receives, SF_ERROR_ILLEGAL_STATE, { "sensor", "sf_receive" }, { 0 } },
        { "start creates", start_creates, SF_ERROR_ILLEGAL_STATE, { "sensor", "sf_tensor_create" }, { 0 } },
        { "start emits", start_emits, SF_ERROR_ILLEGAL_STATE, { "sensor", "sf_emit" }, { 0 } },
        { "start streams", start_streams, SF_ERROR_ILLEGAL_STATE, { "sensor", "stream" }, { 0 } },
        { "start fails", start_fails, (sf_result)-2345, { "sensor", "no lens" }, { 0 } },
        { "start returns", start_returns, (sf_result)-2346, { "sensor" }, { 0 } },
        { "start resizes", start_resizes, SF_ERROR_ILLEGAL_STATE, { "sensor", "initialize" }, { 0 } },
        { "compute resizes", compute_resizes, SF_ERROR_ILLEGAL_STATE, { "sensor", "initialize" }, { 0 } },
        { "resizes what is not", initialize_unknown, SF_ERROR_UNKNOWN_PORT, { "sensor", "boiled" }, { 0 } },
        { "resizes one end", initialize_mismatch, SF_ERROR_MISMATCH, { "sensor|display", "cooked|picture" }, { 0 } },
    };
    (void)state;
    refuse_all(rows, COUNT(rows));
}
/* Who was started is stopped, in reverse, though the build failed later. */
static void started_is_stopped(void **state)
{
    hooks h[3] = { { .name = '0' }, { .name = '1' }, { .name = '2' } };
    (void)state;
    for (int fails = 0; fails < 3; fails++) {
        static const char *const logs[3] = { "i0i1i2s0s1", "i0i1i2s0s1s2", "i0i1i2s0s1s2" };
        static const char *const ends[3] = { "s1t0", "t2t1t0", "t2t1t0" };
        sf_resident *r = RESIDENT(.name = "hooks");
        sf_op a = add_desc(r, hooked(sensor_desc(), &h[0])), b = add_desc(r, hooked(filter_desc("filter"), &h[1]));
        sf_op c = add_desc(r, hooked(display_desc(), &h[2]));
        hook_log[0] = 0;
        h[1].start = fails == 0 ? (sf_result)-3000 : SF_OK;
        h[1].compute = fails == 1 ? (sf_result)-3000 : SF_OK;
        h[2].stop = fails == 2 ? (sf_result)-3000 : SF_OK;
        join(r, a, b);
        join(r, b, c);
        CHECK_IS(sf_resident_build(r), fails == 2 ? SF_OK : -3000);
        destroy_is(r, (sf_result)-3000);
        CHECK(!strncmp(hook_log, logs[fails], strlen(logs[fails])));
        CHECK(!strcmp(hook_log + strlen(hook_log) - strlen(ends[fails]), ends[fails]));
        nothing_is_left();
    }
}

/* -- computes -- */

typedef struct seen {
    uint32_t computes, wrong;
    uint64_t runs[16];
    uint32_t dtype;
    int32_t ndim;
    int64_t shape[SF_MAX_DIMS];
    size_t bytes;
} seen;
static sf_result look_and_pass(sf_context *ctx)
{
    seen *s = (seen *)ctx->user;
    sf_tensor *t = sf_receive(ctx, 0), *out;
    if (s->computes < COUNT(s->runs)) { s->runs[s->computes] = ctx->run; }
    s->computes++;
    s->wrong += !t || !t->data || ctx->flow || !ctx->executor || !ctx->op.id || ctx->name[0] != 'f';
    s->wrong += sf_receive(ctx, 0) != NULL;  /* there is one message, no more */
    s->wrong += !sf_compute_stream(ctx);
    if (!t) { return SF_OK; }
    s->dtype = t->dtype, s->ndim = t->ndim, s->bytes = t->bytes;
    for (int i = 0; i < t->ndim && i < SF_MAX_DIMS; i++) { s->shape[i] = t->shape[i]; }
    out = sf_tensor_like(ctx, 0, t);
    s->wrong += !out || out->bytes != t->bytes || out->dtype != t->dtype || out->data == t->data;
    if (!out) { return SF_OK; }
    sf_memcpy_async(sf_compute_stream(ctx), out->data, t->data, t->bytes);
    return sf_emit(ctx, 0, out);
}
static sf_result create_shaped(sf_context *ctx)              /* 4 x 4 floats, or so */
{
    sf_tensor_desc d = { .dtype = SF_F32, .shape = { 2, 8 } };
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, &d);
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    sf_memcpy_async(sf_compute_stream(ctx), out->data, in->data, in->bytes);
    return sf_emit(ctx, 0, out);
}
static sf_result forward(sf_context *ctx) { return sf_emit(ctx, 0, sf_receive(ctx, 0)); }
static void computes_see(void **state)
{
    (void)state;
    for (size_t shape = 0; shape < COUNT(all_loops); shape++) {
        sf_resident *r = RESIDENT(.name = "see", .loop = all_loops[shape], .slots = 4);
        seen first, second;
        sf_op_desc d = sensor_desc();
        sf_op op[5];
        uint32_t in[FRAME / 4], computes = all_loops[shape] == SF_RESIDENT_LOOP_UNROLLED ? 4 : 1;
        rng g = rng_seed(shape);
        memset(&first, 0, sizeof first);
        memset(&second, 0, sizeof second);
        d.compute = create_shaped;
        op[0] = sf_resident_add(r, &d);
        d = filter_desc("filter");
        d.compute = look_and_pass, d.user = &first;
        op[1] = sf_resident_add(r, &d);
        d = filter_desc("hand on");
        d.compute = forward;
        op[2] = sf_resident_add(r, &d);
        d = filter_desc("finder");
        d.compute = look_and_pass, d.user = &second;
        op[3] = sf_resident_add(r, &d);
        d = display_desc();
        d.compute = forward;
        op[4] = sf_resident_add(r, &d);
        for (int i = 0; i < 4; i++) { join(r, op[i], op[i + 1]); }
        launch(r);
        if (info_of(r).loop == SF_RESIDENT_LOOP_UNROLLED) { computes = 4; }
        CHECK_EQUAL(first.computes, computes);
        for (uint32_t i = 0; i < computes; i++) { CHECK_EQUAL(first.runs[i], i); }
        CHECK_EQUAL(first.wrong + second.wrong, 0);
        CHECK_EQUAL(first.bytes, FRAME);
        CHECK(first.dtype == SF_F32 && first.ndim == 2 && first.shape[0] == 2 && first.shape[1] == 8);
        CHECK(second.dtype == SF_F32 && second.ndim == 2 && second.shape[0] == 2 && second.shape[1] == 8);
        for (int i = 0; i < 6; i++) {
            rng_fill(&g, in, sizeof in);
            result_is(r, op[4], feed(r, op[0], in, sizeof in), in, sizeof in);
        }
        stop(r);
        destroy(r);
        nothing_is_left();
    }
}
/* Who writes to the port's memory by himself need not emit; he is reminded. */
static void *written_by_hand;
static sf_result write_by_hand(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0);
    return in ? sf_memcpy_async(sf_compute_stream(ctx), written_by_hand, in->data, in->bytes) : SF_ERROR_UNKNOWN;
}
static void outputs_that_are_not_emitted(void **state)
{
    sf_resident *r = RESIDENT(.name = "by hand", .loop = SF_RESIDENT_LOOP_FAST);
    sf_op_desc d = sensor_desc();
    uint32_t in[FRAME / 4], want[FRAME / 4];
    sf_op a, b;
    (void)state;
    written_by_hand = device_memory(FRAME);
    d.compute = write_by_hand;
    d.out[0].data = written_by_hand;
    d.out[1] = (sf_port){ .name = "unused", .bytes = FRAME };        /* leads nowhere: nobody minds */
    a = sf_resident_add(r, &d), b = add_display(r);
    CHECK_OK(sf_resident_connect(r, a, "cooked", b, "picture", NULL));
    build(r);
    CHECK_LOGGED(2, "by hand: sensor: ", "cooked", NULL);
    CHECK_EQUAL(logged_with(2, "sensor", "unused", NULL), 0);
    launch(r);
    for (uint32_t k = 1; k < 6; k++) {
        for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = k * i, want[i] = in[i] * 3 + 5; }
        result_is(r, b, feed(r, a, in, sizeof in), want, sizeof want);
    }
    stop(r);
    destroy(r);
    CHECK_OK(sf_mem_free(device, written_by_hand));
    nothing_is_left();
}
static void optional_inputs(void **state)
{
    sf_resident *r = RESIDENT(.name = "optional");
    work w = { .ins = 2, .outs = 1, .mul = { 3, 100 }, .add = 1 };
    sf_op_desc d = display_desc();
    uint32_t in[FRAME / 4], want[FRAME / 4];
    sf_op a, b;
    (void)state;
    d.user = &w;
    d.in[1] = (sf_port){ .name = "overlay", .bytes = FRAME, .optional = true };
    a = add_sensor(r), b = sf_resident_add(r, &d);
    CHECK_OK(sf_resident_connect(r, a, "cooked", b, "picture", NULL));
    for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = i, want[i] = (i * 3 + 5) * 3 + 1; }
    launch(r);
    result_is(r, b, feed(r, a, in, sizeof in), want, sizeof want);
    stop(r);
    destroy(r);
    nothing_is_left();
}

/* What a compute does on the captured stream, and what becomes of the build. */
static sf_stream *other_stream;
static sf_event *other_event;
static uint32_t *other_memory;
static void nobody(void *user) { (void)user; }
static void work_here(sf_context *ctx, sf_stream *s)
{
    mix_args a = { .dst = other_memory, .n = 1, .mul = 1, .add = 1 };
    (void)ctx;
    (void)sf_launch(s, &mix_kernel, &a, sizeof a);
}
static sf_result calls_host_func(sf_context *ctx)
{
    (void)sf_launch_host_func(sf_compute_stream(ctx), nobody, NULL);
    return work_compute(ctx);
}
static sf_result calls_callback(sf_context *ctx)
{
    (void)sf_stream_add_callback(sf_compute_stream(ctx), NULL, NULL, 0);
    return sf_stream_synchronize(sf_compute_stream(ctx), GUARD);
}
static sf_result calls_record_external(sf_context *ctx)
{
    (void)sf_event_record(other_event, sf_compute_stream(ctx), SF_EVENT_RECORD_EXTERNAL);
    return work_compute(ctx);
}
static sf_result calls_synchronize(sf_context *ctx)
{
    (void)sf_stream_synchronize(sf_compute_stream(ctx), GUARD);
    return work_compute(ctx);
}
static sf_result calls_query(sf_context *ctx)
{
    (void)sf_stream_query(sf_compute_stream(ctx));
    return work_compute(ctx);
}
static sf_result calls_device_synchronize(sf_context *ctx)
{
    (void)sf_compute_stream(ctx);
    (void)sf_device_synchronize(device, GUARD);
    return work_compute(ctx);
}
static sf_result calls_alloc_async(sf_context *ctx)
{
    void *p = NULL;
    (void)sf_mem_alloc_async(sf_compute_stream(ctx), NULL, 64, &p);
    return work_compute(ctx);
}
static sf_result calls_free_async(sf_context *ctx)
{
    void *p = NULL;
    if (sf_mem_alloc_async(sf_compute_stream(ctx), NULL, 64, &p) >= 0) {
        (void)sf_mem_free_async(sf_compute_stream(ctx), p);
    }
    return work_compute(ctx);
}
static sf_result calls_alloc(sf_context *ctx)
{
    void *p = NULL;
    (void)sf_compute_stream(ctx);
    if (sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, &p) == SF_OK) { (void)sf_mem_free(device, p); }
    return work_compute(ctx);
}
static sf_result emits_twice(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0);
    (void)sf_emit(ctx, 0, in);
    (void)sf_emit(ctx, 0, in);
    return SF_OK;
}
static sf_result calls_wait_value(sf_context *ctx)
{
    (void)sf_stream_wait_value(sf_compute_stream(ctx), other_memory, 4, 1, SF_WAIT_VALUE_GEQ);
    return work_compute(ctx);
}
static sf_result copies_pageable(sf_context *ctx)
{
    static uint32_t pageable[FRAME / 4];
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    (void)sf_memcpy_async(sf_compute_stream(ctx), out->data, pageable, sizeof pageable);
    return sf_emit(ctx, 0, out);
}
static sf_result forks_and_forgets(sf_context *ctx)          /* other_stream joins the capture, and stays away */
{
    (void)sf_event_record(other_event, sf_compute_stream(ctx), 0);
    (void)sf_stream_wait_event(other_stream, other_event, 0);
    work_here(ctx, other_stream);
    return work_compute(ctx);
}
static sf_result ends_the_capture(sf_context *ctx)
{
    sf_graph *g = NULL;
    (void)sf_stream_end_capture(sf_compute_stream(ctx), &g);
    return work_compute(ctx);
}
static sf_result uses_the_legacy_stream(sf_context *ctx)     /* which would have to wait for the capture */
{
    (void)sf_compute_stream(ctx);
    (void)sf_event_record(other_event, sf_compute_stream(ctx), 0);
    (void)sf_stream_wait_event(sf_stream_legacy(device), other_event, 0);
    return work_compute(ctx);
}
static sf_result waits_for_an_outsider(sf_context *ctx)      /* an event of no capture: an isolation error */
{
    (void)sf_event_record(other_event, other_stream, 0);
    (void)sf_stream_wait_event(sf_compute_stream(ctx), other_event, 0);
    return work_compute(ctx);
}
/* Computes in the style of all examples: nobody looks whether there is a tensor or a stream. */
static void careless(sf_context *ctx, int from, int to, const sf_tensor_desc *desc)
{
    sf_tensor *in = sf_receive(ctx, from), *out = sf_tensor_create(ctx, to, desc);
    sf_stream *s = sf_compute_stream(ctx);
    mix_args a = { .dst = (uint32_t *)out->data, .src = (const uint32_t *)in->data, .mul = 1 };
    a.n = in->shape[0] && in->strides[0] ? (uint32_t)(out->bytes / 4) : 0;
    if (out->data || out->bytes || out->shape[0] || out->ndim != 1 || s) { wrong("no stand-ins"); }
    (void)sf_launch(s, &mix_kernel, &a, sizeof a);
    (void)sf_memcpy_async(s, out->data, in->data, in->bytes);
    (void)sf_emit(ctx, to, out);
    if (sf_receive(ctx, 0)->data) { wrong("a tensor after an error"); }
}
static sf_result careless_input(sf_context *ctx) { return careless(ctx, 5, 0, NULL), SF_OK; }
static sf_result careless_output(sf_context *ctx) { return careless(ctx, 0, -5, NULL), SF_OK; }
static sf_result careless_shape(sf_context *ctx)
{
    sf_tensor_desc d = { .shape = { LARGE } };
    return careless(ctx, 0, 0, &d), SF_OK;
}
static sf_result careless_size(sf_context *ctx) { return careless(ctx, 0, 1, NULL), SF_OK; }
static sf_result careless_after_all(sf_context *ctx)
{
    return (void)sf_fail(ctx, (sf_result)-4322, "no lens"), careless(ctx, 0, 0, NULL), SF_OK;
}
static sf_result is_done(sf_context *ctx) { return (void)work_compute(ctx), SF_DONE; }
static sf_result returns_an_error(sf_context *ctx) { return (void)work_compute(ctx), (sf_result)-4321; }
static sf_result fails_with_words(sf_context *ctx) { return sf_fail(ctx, (sf_result)-4322, "no lens"); }
static sf_result fails_and_says_ok(sf_context *ctx)
{
    (void)sf_fail(ctx, (sf_result)-4322, "no lens");
    return SF_OK;
}
static sf_result receives_from_nowhere(sf_context *ctx) { return (void)sf_receive(ctx, 7), work_compute(ctx); }
static sf_result creates_for_nobody(sf_context *ctx)
{
    return (void)sf_tensor_create(ctx, 7, NULL), work_compute(ctx);
}
static sf_result emits_to_nobody(sf_context *ctx) { return (void)sf_emit(ctx, 7, sf_receive(ctx, 0)), SF_OK; }
static sf_result emits_nothing(sf_context *ctx) { return (void)sf_emit(ctx, 0, NULL), SF_OK; }
static sf_result creates_too_much(sf_context *ctx)
{
    sf_tensor_desc d = { .shape = { LARGE } };
    (void)sf_tensor_create(ctx, 0, &d);
    return work_compute(ctx);
}
#define CREATES(name, ...) \
    static sf_result creates_##name(sf_context *ctx) \
    { \
        sf_tensor_desc d = { __VA_ARGS__ }; \
        return (void)sf_tensor_create(ctx, 0, &d), work_compute(ctx); \
    }
CREATES(an_overflow, .dtype = SF_F32, .ndim = 2, .shape = { INT64_MAX / 2 + 1, 4 })
CREATES(a_square_overflow, .ndim = 2, .shape = { INT64_MAX, INT64_MAX })
CREATES(a_wide_stride, .ndim = 2, .shape = { 2, 2 }, .strides = { INT64_MAX, 1 })
CREATES(a_hole, .ndim = 2, .shape = { 0, 7 })
CREATES(less_than_nothing, .ndim = 1, .shape = { -4 })
CREATES(backwards, .ndim = 1, .shape = { 4 }, .strides = { -1 })
CREATES(many_dimensions, .ndim = 99, .shape = { 1 })
CREATES(fewer_than_no_dimensions, .ndim = -3, .shape = { 1 })
static sf_result receives_a_value(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), work_compute(ctx); }
static sf_result emits_a_value(sf_context *ctx)
{
    sf_value v;
    memset(&v, 0, sizeof v);
    return (void)sf_emit_value(ctx, 0, v), SF_OK;
}
static sf_result asks_for_streams(sf_context *ctx)
{
    (void)sf_receive(ctx, 0);
    return (void)sf_receive_streams(ctx, 0, &other_stream, 0), SF_OK;
}
static sf_result allocates_a_stream(sf_context *ctx)
{
    return (void)sf_allocate_stream(ctx, "more"), work_compute(ctx);
}
static sf_result sets_a_stream(sf_context *ctx)
{
    return (void)sf_set_stream(ctx, 0, other_stream), work_compute(ctx);
}
static sf_result synchronizes_streams(sf_context *ctx)
{
    return (void)sf_synchronize_streams(ctx, &other_stream, 1, sf_compute_stream(ctx)), work_compute(ctx);
}
static sf_result routes(sf_context *ctx) { return (void)sf_route(ctx, ctx->op), work_compute(ctx); }
static sf_result sets_metadata(sf_context *ctx)
{
    sf_value v;
    memset(&v, 0, sizeof v);
    return (void)sf_set_metadata(ctx, 1, v), work_compute(ctx);
}

static sf_result returns_synchronize(sf_context *ctx) { return sf_stream_synchronize(sf_compute_stream(ctx), 0); }
static sf_result returns_minus_7(sf_context *ctx) { return (void)work_compute(ctx), (sf_result)-7; }

typedef struct misdeed { const char *name; sf_compute_func compute; sf_result result; const char *words; } misdeed;
static const misdeed misdeeds[] = {
    { "host function", calls_host_func, ANY_ERROR, "host" },
    { "callback", calls_callback, ANY_ERROR, "" },
    { "external record", calls_record_external, ANY_ERROR, "event" },
    { "synchronize", calls_synchronize, ANY_ERROR, "synchron|captur" },
    { "query", calls_query, ANY_ERROR, "query|captur" },
    { "device synchronize", calls_device_synchronize, ANY_ERROR, "synchron|captur" },
    { "alloc", calls_alloc, ANY_ERROR, "alloc|captur" },
    { "alloc async", calls_alloc_async, ANY_ERROR, "alloc" },
    { "alloc and free", calls_free_async, ANY_ERROR, "alloc|free" },
    { "wait_value", calls_wait_value, ANY_ERROR, "wait|batch|value" },
    { "pageable", copies_pageable, ANY_ERROR, "pageable|memory" },
    { "no join", forks_and_forgets, ANY_ERROR, "join" },
    { "end of capture", ends_the_capture, ANY_ERROR, "captur" },
    { "legacy stream", uses_the_legacy_stream, ANY_ERROR, "captur" },
    { "outsider", waits_for_an_outsider, ANY_ERROR, "captur" },
    { "creates: an overflow", creates_an_overflow, SF_ERROR_INVALID_VALUE, "too large" },
    { "creates: a square overflow", creates_a_square_overflow, SF_ERROR_INVALID_VALUE, "too large" },
    { "creates: a wide stride", creates_a_wide_stride, SF_ERROR_INVALID_VALUE, "too large" },
    { "creates: a hole", creates_a_hole, SF_ERROR_INVALID_VALUE, "too large" },
    { "creates: less than nothing", creates_less_than_nothing, SF_ERROR_INVALID_VALUE, "too large" },
    { "creates: backwards", creates_backwards, SF_ERROR_INVALID_VALUE, "too large" },
    { "creates: many dimensions", creates_many_dimensions, SF_ERROR_INVALID_VALUE, "too large" },
    { "creates: fewer than no dimensions", creates_fewer_than_no_dimensions, SF_ERROR_INVALID_VALUE, "too large" },
    { "careless: input", careless_input, SF_ERROR_UNKNOWN_PORT, "no input 5" },
    { "careless: output", careless_output, SF_ERROR_UNKNOWN_PORT, "no output -5" },
    { "careless: shape", careless_shape, SF_ERROR_MISMATCH, "'right'" },
    { "careless: size", careless_size, SF_ERROR_MISMATCH, "'spare'" },
    { "careless: all", careless_after_all, (sf_result)-4322, "no lens" },
    { "DONE", is_done, SF_ERROR_NOT_SUPPORTED, "DONE" },
    { "error", returns_an_error, (sf_result)-4321, "" },
    { "sf_fail", fails_with_words, (sf_result)-4322, "no lens" },
    { "sf_fail, and OK", fails_and_says_ok, (sf_result)-4322, "no lens" },
    { "unknown input", receives_from_nowhere, ANY_ERROR, "sf_receive" },
    { "unknown output", creates_for_nobody, ANY_ERROR, "sf_tensor_create" },
    { "emit to nobody", emits_to_nobody, ANY_ERROR, "sf_emit" },
    { "emit nothing", emits_nothing, ANY_ERROR, "sf_emit" },
    { "emit twice", emits_twice, ANY_ERROR, "sf_emit" },
    { "too large", creates_too_much, ANY_ERROR, "sf_tensor_create" },
    { "receive_value", receives_a_value, SF_ERROR_NOT_SUPPORTED, "sf_receive_value" },
    { "value, remedy", receives_a_value, SF_ERROR_NOT_SUPPORTED, "as a tensor of .bytes" },
    { "synchronize, remedy", calls_synchronize, ANY_ERROR, "sf_stream_synchronize" },
    { "synchronize, returned", returns_synchronize, ANY_ERROR, "sf_stream_synchronize" },
    { "its own code", returns_minus_7, (sf_result)-7, "it returned -7" },
    { "emit_value", emits_a_value, SF_ERROR_NOT_SUPPORTED, "sf_emit_value" },
    { "receive_streams", asks_for_streams, SF_ERROR_NOT_SUPPORTED, "sf_receive_streams" },
    { "allocate_stream", allocates_a_stream, SF_ERROR_NOT_SUPPORTED, "sf_allocate_stream" },
    { "set_stream", sets_a_stream, SF_ERROR_NOT_SUPPORTED, "sf_set_stream" },
    { "synchronize_streams", synchronizes_streams, SF_ERROR_NOT_SUPPORTED, "sf_synchronize_streams" },
    { "route", routes, SF_ERROR_NOT_SUPPORTED, "sf_route" },
    { "set_metadata", sets_metadata, SF_ERROR_NOT_SUPPORTED, "sf_set_metadata" },
};
static const misdeed *misdeed_of_row;
/* In the middle of a chain, so that there is work before and behind; or in a branch. */
static sf_op add_misdeed(sf_resident *r)
{
    sf_op_desc d = filter_desc("filter");
    sf_op a = add_sensor(r), b, c = add_display(r);
    d.compute = misdeed_of_row->compute;
    d.out[1] = (sf_port){ .name = "spare" }; /* no size, and nobody behind it: harmless until it is asked for */
    b = sf_resident_add(r, &d);
    join(r, a, b);
    (void)sf_resident_connect(r, b, "right", c, NULL, NULL);
    return b;
}
static void misbehave(sf_resident *r) { (void)add_misdeed(r); }
static void misbehave_in_a_branch(sf_resident *r)
{
    sf_resident_branch_desc every = { .kind = SF_RESIDENT_EVERY, .every = 2 };
    sf_op op = add_misdeed(r);
    (void)sf_resident_put(r, op, sf_resident_add_branch(r, &every), 0);
}
static void open_others(void)
{
    other_stream = test_stream(device);
    other_event = test_event(device);
    other_memory = (uint32_t *)test_memory(device, 4096);
    CHECK_OK(sf_device_get_counters(device, &at_start));
}
static void what_cannot_be_captured(void **state)
{
    (void)state;
    open_others();
    for (size_t i = 0; i < COUNT(misdeeds); i++) {
        for (int way = 0; way < 3; way++) {
            static const sf_resident_loop loops[] = { SF_RESIDENT_LOOP_EXACT, SF_RESIDENT_LOOP_UNROLLED,
                                                      SF_RESIDENT_LOOP_FAST };
            sf_capture_status status = SF_CAPTURE_ACTIVE;
            refusal row = { misdeeds[i].name, way == 2 ? misbehave_in_a_branch : misbehave, misdeeds[i].result,
                            { "filter", misdeeds[i].words }, { .loop = loops[way] } };
            misdeed_of_row = &misdeeds[i];
            refuse(&row);
            (void)sf_stream_is_capturing(other_stream, &status);     /* who was drawn in may have to end it himself */
            if (status != SF_CAPTURE_NONE) { wrong("%s: leaves another stream capturing", misdeeds[i].name); }
        }
    }
    check_nothing_wrong();
    check_device_works();
    nothing_is_left();
}

/* What may be captured: other streams that come back, copies, sets, events of its own, pooled streams. */
static sf_result forks_and_joins(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx), *child = NULL;
    uint32_t half = FRAME / 8;
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    if (sf_memset_async(s, out->data, 0, FRAME) < 0) { return SF_ERROR_UNKNOWN; }
    if (sf_event_record(other_event, s, 0) < 0) { return SF_ERROR_UNKNOWN; }
    if (sf_stream_wait_event(other_stream, other_event, 0) < 0) { return SF_ERROR_UNKNOWN; }
    { /* out = 0 * 1 + in + 5, one half on each stream */
        uint32_t *to = (uint32_t *)out->data;
        const uint32_t *from = (const uint32_t *)in->data;
        mix_args a = { .dst = to, .src = from, .n = half, .mul = 1, .add = 5 };
        mix_args b = { .dst = to + half, .src = from + half, .n = half, .mul = 1, .add = 6 };
        if (sf_launch(s, &mix_kernel, &a, sizeof a) < 0) { return SF_ERROR_UNKNOWN; }
        if (sf_launch(other_stream, &mix_kernel, &b, sizeof b) < 0) { return SF_ERROR_UNKNOWN; }
    }
    if (sf_event_record(other_event, other_stream, 0) < 0) { return SF_ERROR_UNKNOWN; }
    if (sf_stream_wait_event(s, other_event, 0) < 0) { return SF_ERROR_UNKNOWN; }
    if (sf_stream_fork(s, &child) < 0) { return SF_ERROR_UNKNOWN; }
    {
        mix_args a = { .dst = (uint32_t *)out->data, .n = 2 * half, .mul = 3, .add = 1 };
        if (sf_launch(child, &mix_kernel, &a, sizeof a) < 0) { return SF_ERROR_UNKNOWN; }
    }
    if (sf_stream_join(s, child) < 0) { return SF_ERROR_UNKNOWN; }
    return sf_emit(ctx, 0, out);
}
static void what_can_be_captured(void **state)
{
    (void)state;
    open_others();
    for (size_t k = 0; k < COUNT(all_loops); k++) {
        sf_resident *r = RESIDENT(.name = "forks", .loop = all_loops[k]);
        sf_op_desc d = filter_desc("filter");
        uint32_t in[FRAME / 4], want[FRAME / 4];
        rng g = rng_seed(k);
        sf_op a = add_sensor(r), b, c = add_display(r);
        d.compute = forks_and_joins;
        b = sf_resident_add(r, &d);
        join(r, a, b);
        join(r, b, c);
        launch(r);
        for (int i = 0; i < 10; i++) {
            rng_fill(&g, in, sizeof in);
            for (uint32_t n = 0; n < FRAME / 4; n++) {
                want[n] = ((in[n] * 3 + 5 + (n < FRAME / 8 ? 5 : 6)) * 3 + 1) * 3 + 5;
            }
            result_is(r, c, feed(r, a, in, sizeof in), want, sizeof want);
        }
        stop(r);
        destroy(r);
    }
    CHECK_OK(sf_stream_destroy(other_stream));
    CHECK_OK(sf_event_destroy(other_event));
    CHECK_OK(sf_mem_free(device, other_memory));
    CHECK_OK(sf_device_synchronize(device, GUARD));
}

/* -- graphs of any shape, and a model of them in plain C -- */

enum { NET_OPS = 160, NET_PAST = 10, NET_WAITING = 16, NET_BRANCHES = 8 };
typedef struct net_port {
    size_t bytes, declared;                  /* of the payload; what the port says */
    void *data;                              /* memory of the test's */
    bool external;
    int from, output, delay;                 /* inputs: where it comes from; from -1: external, or nothing */
    uint32_t *value[NET_PAST];               /* outputs: after this iteration, after the one before, ... */
    bool known[NET_PAST];                    /* not what was there before it ever ran */
    uint32_t *want[NET_WAITING];             /* external outputs: of iterations whose results were not fetched yet */
    bool want_known[NET_WAITING];
} net_port;
typedef struct net_op {
    work w;
    char name[16];
    bool tainted;                            /* depends on what a branch may leave unknown */
    net_port in[BLEND], out[BLEND];
    sf_op id;
    int branch, which;                       /* -1: in none */
    bool runs;                               /* in this iteration */
    uint32_t expected;                       /* how often it ran */
} net_op;
typedef struct net_branch {
    sf_resident_branch_kind kind;
    int predicate, output;
    uint32_t cases, every, phase;
    bool clears;
    sf_resident_branch id;
} net_branch;
typedef struct net {
    sf_resident *r;
    sf_device *device;
    rng g;
    int count, branch_count, sources;
    uint64_t sequence, launches, since_launch, compared, unknown;
    bool lost;                               /* a branch was decided by what nobody knows: nothing can be compared */
    uint32_t *ran;                           /* one word per operator */
    sf_resident_loop loop;
    uint32_t slots;
    net_op op[NET_OPS];
    net_branch branch[NET_BRANCHES];
} net;
static net *the_net;                         /* one at a time; freed with its test, whatever became of it */
static sf_kernel net_kernels[NET_OPS];       /* "op_7_" is what the operator is called, and its kernel */
static char net_names[NET_OPS][16];

static void net_free(net *n)
{
    if (!n) { return; }
    for (int i = 0; i < n->count; i++) {
        for (int p = 0; p < n->op[i].w.outs; p++) {
            for (int k = 0; k < NET_PAST; k++) { free(n->op[i].out[p].value[k]); }
            for (int k = 0; k < NET_WAITING; k++) { free(n->op[i].out[p].want[k]); }
        }
        for (int p = 0; p < n->op[i].w.ins; p++) { free(n->op[i].in[p].value[0]); }
    }
    if (n == the_net) { the_net = NULL; }
    free(n);
}
static int close_net(void **state)
{
    int r = close_test(state);
    net_free(the_net);
    return r;
}
static net *net_new(uint64_t seed)
{
    net *n = (net *)calloc(1, sizeof *n);
    CHECK(n != NULL);
    net_free(the_net);
    n->g = rng_seed(seed);
    return the_net = n;
}
/* Operator `index`: all its inputs and outputs of that size, until told otherwise. */
static int net_add(net *n, int ins, int outs, size_t bytes)
{
    int i = n->count++;
    net_op *op = &n->op[i];
    CHECK(i < NET_OPS && ins <= BLEND && outs <= BLEND);
    op->w.ins = ins, op->w.outs = outs;
    op->w.add = rng_next(&n->g);
    for (int k = 0; k < ins; k++) { op->w.mul[k] = rng_next(&n->g) | 1; }
    snprintf(op->name, sizeof op->name, "op_%d_", i);
    memcpy(net_names[i], op->name, sizeof op->name);
    net_kernels[i] = rng_below(&n->g, 2) ? blend_kernel : early_kernel;
    net_kernels[i].name = net_names[i];
    op->w.kernel = &net_kernels[i];
    for (int k = 0; k < ins; k++) { op->in[k].bytes = op->in[k].declared = bytes, op->in[k].from = -1; }
    for (int k = 0; k < outs; k++) { op->out[k].bytes = op->out[k].declared = bytes; }
    op->branch = -1;
    return i;
}
static void net_link(net *n, int from, int output, int to, int input, int delay)
{
    net_port *in = &n->op[to].in[input];
    in->from = from, in->output = output, in->delay = delay;
    in->bytes = in->declared = n->op[from].out[output].bytes;
}
static int net_source(net *n, int outs, size_t bytes)        /* the host's input, one */
{
    int i = net_add(n, 1, outs, bytes);
    n->op[i].in[0].external = true;
    return i;
}
static int net_sink(net *n, int ins, size_t bytes)
{
    int i = net_add(n, ins, 1, bytes);
    n->op[i].out[0].external = true;
    return i;
}
static int net_branch_on(net *n, sf_resident_branch_kind kind, int predicate, uint32_t cases)
{
    int b = n->branch_count++;
    CHECK(b < NET_BRANCHES);
    n->branch[b] = (net_branch){ .kind = kind, .predicate = predicate, .cases = cases };
    if (kind != SF_RESIDENT_EVERY) { n->op[predicate].w.mod = cases; }
    return b;
}
static void net_put(net *n, int op, int branch, int which) { n->op[op].branch = branch, n->op[op].which = which; }

static void net_shuffle(net *n, int *order, int count)
{
    for (int i = 0; i < count; i++) { order[i] = i; }
    for (int i = count - 1; i > 0; i--) {
        int k = (int)rng_below(&n->g, (uint32_t)i + 1), t = order[i];
        order[i] = order[k], order[k] = t;
    }
}
static sf_port net_port_desc(const net_port *p, char *name, size_t size, const char *format, int index)
{
    snprintf(name, size, format, index);
    return (sf_port){ .name = name, .bytes = p->declared, .data = p->data, .external = p->external };
}
static void net_add_op(net *n, int i)
{
    net_op *op = &n->op[i];
    sf_op_desc d = { .name = op->name, .compute = work_compute, .user = &op->w };
    char name[16];
    op->w.ran = n->ran + i;
    op->id = sf_resident_add(n->r, &d);
    for (int k = 0; k < op->w.ins; k++) {
        sf_port p = net_port_desc(&op->in[k], name, sizeof name, "in%d", k);
        CHECK_EQUAL(sf_resident_add_input(n->r, op->id, &p), k);
        if (op->in[k].external) { op->in[k].value[0] = (uint32_t *)calloc(1, op->in[k].bytes); }
    }
    for (int k = 0; k < op->w.outs; k++) {
        sf_port p = net_port_desc(&op->out[k], name, sizeof name, "out%d", k);
        CHECK_EQUAL(sf_resident_add_output(n->r, op->id, &p), k);
        for (int t = 0; t < NET_PAST; t++) { op->out[k].value[t] = (uint32_t *)calloc(1, op->out[k].bytes); }
        for (int t = 0; t < NET_WAITING; t++) { op->out[k].want[t] = (uint32_t *)calloc(1, op->out[k].bytes); }
    }
}
static void net_add_branches(net *n)
{
    char name[16];
    for (int i = 0; i < n->branch_count; i++) {
        net_branch *b = &n->branch[i];
        sf_resident_branch_desc d = { .kind = b->kind, .every = b->every, .phase = b->phase };
        d.clear_skipped = b->clears;
        if (b->kind != SF_RESIDENT_EVERY) {
            snprintf(name, sizeof name, "out%d", b->output);
            d.predicate = n->op[b->predicate].id;
            d.port = name;
        }
        if (b->kind == SF_RESIDENT_SWITCH) { d.cases = b->cases; }
        b->id = sf_resident_add_branch(n->r, &d);
        resident_is(n->r, "add_branch", b->id.id ? SF_OK : sf_resident_failure(n->r)->result, SF_OK);
    }
    for (int i = 0; i < n->count; i++) {
        net_op *op = &n->op[i];
        if (op->branch < 0) { continue; }
        resident_is(n->r, "put", sf_resident_put(n->r, op->id, n->branch[op->branch].id, (uint32_t)op->which), SF_OK);
    }
}
/* Operators and edges in any order: what matters is how they are connected. */
static sf_result net_create(net *n, sf_resident_desc desc)
{
    int order[NET_OPS];
    n->slots = desc.slots ? desc.slots : 4;
    n->r = resident_of(desc);
    if (!n->device) { n->device = device; }
    n->ran = (uint32_t *)test_memory(n->device, NET_OPS * 4);
    net_shuffle(n, order, n->count);
    for (int i = 0; i < n->count; i++) { net_add_op(n, order[i]); }
    net_shuffle(n, order, n->count);
    for (int i = 0; i < n->count; i++) {
        net_op *op = &n->op[order[i]];
        for (int k = 0; k < op->w.ins; k++) {
            net_port *p = &op->in[k];
            sf_edge_desc edge = { .delay = (uint16_t)p->delay };
            char from[16], to[16];
            if (p->from < 0) { continue; }
            snprintf(from, sizeof from, "out%d", p->output);
            snprintf(to, sizeof to, "in%d", k);
            resident_is(n->r, "connect",
                        sf_resident_connect(n->r, n->op[p->from].id, from, op->id, to, p->delay ? &edge : NULL),
                        SF_OK);
        }
    }
    net_add_branches(n);
    return sf_resident_build(n->r);
}
static void net_build(net *n, sf_resident_desc desc)
{
    resident_is(n->r, "build", net_create(n, desc), SF_OK);
    n->loop = info_of(n->r).loop;
    if (desc.loop != SF_RESIDENT_LOOP_AUTO) { CHECK_EQUAL(n->loop, desc.loop); }
    CHECK_EQUAL(logged_at(1), 0);
}
static void net_launch(net *n)
{
    launch(n->r);
    n->launches++;
    n->since_launch = 0;
    for (int i = 0; i < n->count; i++) {
        for (int p = 0; p < n->op[i].w.outs; p++) {
            net_port *out = &n->op[i].out[p];
            for (int t = 0; t < NET_PAST; t++) {
                memset(out->value[t], 0, out->bytes);
                out->known[t] = t > 0;       /* the past is zero; what lies in memory now, nobody says */
            }
        }
    }
}

/* One iteration of the model. */
static int net_taken(const net *n, const net_branch *b, bool *lost)  /* the body, -1: none */
{
    const net_op *p;
    uint32_t word;
    if (b->kind == SF_RESIDENT_EVERY) { return n->sequence % b->every == b->phase % b->every ? 0 : -1; }
    p = &n->op[b->predicate];
    if (!p->runs) { return -1; }
    if (!p->out[b->output].known[0]) { *lost = true; }
    word = p->out[b->output].value[0][0];
    if (b->kind == SF_RESIDENT_IF) { return word ? 0 : 1; }
    return word < b->cases ? (int)word : -1;
}
static void net_age(net_port *out)           /* what there is becomes the past, and stays */
{
    uint32_t *last = out->value[NET_PAST - 1];
    memmove(out->value + 1, out->value, (NET_PAST - 1) * sizeof *out->value);
    memmove(out->known + 1, out->known, (NET_PAST - 1) * sizeof *out->known);
    out->value[0] = last;
    memcpy(last, out->value[1], out->bytes);
}
static void net_compute(net *n, net_op *op)
{
    const void *in[BLEND];
    size_t bytes[BLEND];
    bool known = true;
    for (int k = 0; k < op->w.ins; k++) {
        net_port *p = &op->in[k];
        net_port *from = p->from < 0 ? NULL : &n->op[p->from].out[p->output];
        /* a delayed one sees the end of an earlier iteration: index 0 is this one only for who comes later */
        in[k] = from ? from->value[p->delay] : p->value[0];
        bytes[k] = p->bytes;
        if (from && !from->known[p->delay]) { known = false; }
    }
    for (int p = 0; p < op->w.outs; p++) {
        work_model(&op->w, p, op->out[p].value[0], op->out[p].bytes, in, bytes);
        op->out[p].known[0] = known;
    }
}
static void net_iterate(net *n, uint32_t waiting)
{
    n->sequence++;
    n->since_launch++;
    for (int i = 0; i < n->count; i++) {
        for (int p = 0; p < n->op[i].w.outs; p++) { net_age(&n->op[i].out[p]); }
    }
    if (n->since_launch == 1) {              /* net_age() copied zeros that are not there */
        for (int i = 0; i < n->count; i++) {
            for (int p = 0; p < n->op[i].w.outs; p++) {
                n->op[i].out[p].known[0] = false;
                n->op[i].out[p].known[1] = true;
            }
        }
    }
    for (int i = 0; i < n->count; i++) {
        net_op *op = &n->op[i];
        const net_branch *b = op->branch < 0 ? NULL : &n->branch[op->branch];
        op->runs = !b || net_taken(n, b, &n->lost) == op->which;
        if (op->runs) {
            net_compute(n, op);
            op->expected++;
        } else if (b->clears) {
            for (int p = 0; p < op->w.outs; p++) {
                memset(op->out[p].value[0], 0, op->out[p].bytes);
                op->out[p].known[0] = true;
            }
        }
        for (int p = 0; p < op->w.outs; p++) {
            if (!op->out[p].external) { continue; }
            memcpy(op->out[p].want[waiting], op->out[p].value[0], op->out[p].bytes);
            op->out[p].want_known[waiting] = op->out[p].known[0] && !n->lost;
        }
    }
}

/* The host's side of one iteration. */
static void net_submit(net *n, uint32_t waiting)
{
    bool any = false;
    uint64_t sequence = n->sequence + 1;
    for (int i = 0; i < n->count; i++) {
        net_op *op = &n->op[i];
        sf_resident_slot slot;
        bool mine = false;
        for (int k = 0; k < op->w.ins; k++) { mine = mine || op->in[k].external; }
        if (!mine) { continue; }
        any = true;
        slot = lend(n->r, op->id);
        CHECK_EQUAL(slot.sequence, sequence);
        CHECK_EQUAL(slot.op.id, op->id.id);
        for (int k = 0; k < op->w.ins; k++) {
            if (!op->in[k].external) { CHECK(!slot.data[k]); continue; }
            rng_fill(&n->g, op->in[k].value[0], op->in[k].bytes);
            CHECK(slot.data[k] != NULL);
            memcpy(slot.data[k], op->in[k].value[0], op->in[k].bytes);
        }
        submit(n->r, &slot);
    }
    if (!any) {
        uint64_t got = 0;
        resident_is(n->r, "data_ready", sf_resident_data_ready(n->r, &got), SF_OK);
        CHECK_EQUAL(got, sequence);
    }
    net_iterate(n, waiting);
}
static void net_fetch(net *n, uint64_t sequence, uint32_t waiting)
{
    for (int i = 0; i < n->count; i++) {
        net_op *op = &n->op[i];
        sf_resident_slot slot;
        bool mine = false;
        for (int k = 0; k < op->w.outs; k++) { mine = mine || op->out[k].external; }
        if (!mine) { continue; }
        slot = fetch(n->r, op->id, sequence);
        for (int k = 0; k < op->w.outs; k++) {
            const net_port *p = &op->out[k];
            if (!p->external) { CHECK(!slot.data[k]); continue; }
            CHECK(slot.data[k] != NULL);
            n->compared += p->want_known[waiting];
            n->unknown += !p->want_known[waiting];
            if (p->want_known[waiting] && memcmp(slot.data[k], p->want[waiting], p->bytes)) {
                uint32_t at = 0;
                const uint32_t *got = (const uint32_t *)slot.data[k];
                while (got[at] == p->want[waiting][at]) { at++; }
                fail_msg("loop %d, frame %llu, %s.out%d: word %u of %zu is %u, not %u", (int)n->loop,
                         (unsigned long long)sequence, op->name, k, at, p->bytes / 4, got[at], p->want[waiting][at]);
            }
        }
        give(n->r, &slot);
    }
}
/* That many frames, as many at a time as there is room for. */
static void net_frames(net *n, uint32_t frames)
{
    while (frames) {
        uint32_t burst = 1 + rng_below(&n->g, n->slots < NET_WAITING ? n->slots : NET_WAITING);
        uint64_t first = n->sequence + 1;
        if (burst > frames) { burst = frames; }
        for (uint32_t i = 0; i < burst; i++) { net_submit(n, i); }
        for (uint32_t i = 0; i < burst; i++) { net_fetch(n, first + i, i); }
        frames -= burst;
    }
}
/* How often each operator ran: once per iteration, and, by the loop's shape, in passes that nobody sees. */
static void net_stop(net *n)
{
    sf_resident_info info;
    uint64_t spare = n->launches * (n->loop == SF_RESIDENT_LOOP_EXACT  ? 0
                                    : n->loop == SF_RESIDENT_LOOP_FAST ? 1
                                                                       : n->slots);
    stop(n->r);
    info = info_of(n->r);
    CHECK_EQUAL(info.completed, n->sequence);
    CHECK_EQUAL(info.submitted, n->sequence);
    CHECK_EQUAL(info.dropped + info.queued, 0);
    for (int i = 0; i < n->count; i++) {
        uint32_t ran = test_load(n->ran + i), expected = n->op[i].expected;
        if (!n->lost && (ran < expected || ran > expected + spare)) {
            fail_msg("loop %d: %s ran %u times, not %u to %llu", (int)n->loop, n->op[i].name, ran, expected,
                     (unsigned long long)(expected + spare));
        }
    }
}
static void net_end(net *n)
{
    destroy(n->r);
    CHECK_OK(sf_mem_free(n->device, n->ran));
    net_free(n);
}
static uint32_t nets_lost, nets_compared;
/* Built, run, stopped, run again, stopped: in that shape. */
static void net_check(net *n, sf_resident_desc desc, uint32_t frames)
{
    net_build(n, desc);
    for (int again = 0; again < 2; again++) {
        net_launch(n);
        net_frames(n, frames);
        net_stop(n);
    }
    CHECK(frames < 20 || (!n->lost && n->compared > n->unknown));    /* or nothing was tried */
    if (n->lost) { nets_lost++; } else { nets_compared++; }
    net_end(n);
}
/* In each shape of the loop, with one slot and more. */
static void net_check_shapes(net *(*make)(uint64_t seed), uint64_t seed, uint32_t frames)
{
    for (size_t k = 0; k < COUNT(all_loops); k++) {
        sf_resident_desc desc = { .name = "net", .loop = all_loops[k], .slots = 1u << (seed + k) % 4 };
        net_check(make(seed), desc, frames);
    }
}
static void shapes_of_net(net *(*make)(uint64_t seed))
{
    for (uint64_t seed = 0; seed < 3; seed++) { net_check_shapes(make, seed, 12); }
    nothing_is_left();
}

static net *make_single(uint64_t seed)
{
    net *n = net_new(seed);
    int i = net_source(n, 1, 256);
    n->op[i].out[0].external = true;
    return n;
}
static net *make_chain(uint64_t seed)
{
    net *n = net_new(seed);
    int last = net_source(n, 1, FRAME);
    while (n->count < 100) {
        int next = net_add(n, 1, 1, FRAME);
        net_link(n, last, 0, next, 0, 0);
        last = next;
    }
    n->op[last].out[0].external = true;
    return n;
}
static net *make_fan_out(uint64_t seed)
{
    net *n = net_new(seed);
    int from = net_source(n, 1, 512);
    n->op[from].w.spin = 20000;
    for (int i = 0; i < 20; i++) { net_link(n, from, 0, net_sink(n, 1, 512), 0, 0); }
    return n;
}
static net *make_fan_in(uint64_t seed)       /* several sources, one port each */
{
    net *n = net_new(seed);
    int source[12], to;
    for (int i = 0; i < 12; i++) {
        source[i] = net_source(n, 1, 256);
        n->op[source[i]].w.spin = rng_below(&n->g, 20000);
    }
    to = net_sink(n, 12, 256);
    for (int i = 0; i < 12; i++) { net_link(n, source[i], 0, to, i, 0); }
    return n;
}
static net *make_diamond(uint64_t seed)
{
    net *n = net_new(seed);
    int from = net_source(n, 1, 1024), a = net_add(n, 1, 1, 1024), b = net_add(n, 1, 1, 1024);
    int to = net_sink(n, 2, 1024);
    n->op[a].w.spin = seed % 2 ? 30000 : 0;
    n->op[b].w.spin = seed % 2 ? 0 : 30000;
    net_link(n, from, 0, a, 0, 0);
    net_link(n, from, 0, b, 0, 0);
    net_link(n, a, 0, to, 0, 0);
    net_link(n, b, 0, to, 1, 0);
    return n;
}
static net *make_asymmetric(uint64_t seed)   /* one way of eight steps, one of one, one of none */
{
    net *n = net_new(seed);
    int from = net_source(n, 2, 512), last = from, by, to;
    for (int i = 0; i < 8; i++) {
        int next = net_add(n, 1, 1, 512);
        n->op[next].w.spin = 3000;
        net_link(n, last, 0, next, 0, 0);
        last = next;
    }
    by = net_add(n, 1, 1, 512);
    net_link(n, from, 1, by, 0, 0);
    to = net_sink(n, 4, 512);
    net_link(n, last, 0, to, 0, 0);
    net_link(n, by, 0, to, 1, 0);
    net_link(n, from, 0, to, 2, 0);
    net_link(n, from, 1, to, 3, 0);
    return n;
}
static net *make_parts(uint64_t seed)        /* three that have nothing to do with each other */
{
    net *n = net_new(seed);
    for (int i = 0; i < 3; i++) {
        int from = net_source(n, 1, 128 << i), to = net_sink(n, 1, 64 << i);
        net_link(n, from, 0, to, 0, 0);
        n->op[to].out[0].bytes = n->op[to].out[0].declared = 4u << i;
    }
    return n;
}
static net *make_triggered(uint64_t seed)    /* nothing comes from the host */
{
    net *n = net_new(seed);
    int from = net_add(n, 0, 1, 64), sum = net_add(n, 2, 1, 64), to = net_sink(n, 1, 64);
    net_link(n, from, 0, sum, 0, 0);
    net_link(n, sum, 0, sum, 1, 1);
    net_link(n, sum, 0, to, 0, 0);
    return n;
}
static void a_single_operator(void **state) { (void)state, shapes_of_net(make_single); }
static void a_chain_of_100(void **state) { (void)state, shapes_of_net(make_chain); }
static void fan_out(void **state) { (void)state, shapes_of_net(make_fan_out); }
static void fan_in(void **state) { (void)state, shapes_of_net(make_fan_in); }
static void diamonds(void **state) { (void)state, shapes_of_net(make_diamond); }
static void ways_of_any_length(void **state) { (void)state, shapes_of_net(make_asymmetric); }
static void disconnected_parts(void **state) { (void)state, shapes_of_net(make_parts); }
static void triggered_by_the_host(void **state)      /* its late edge keeps it from being unrolled */
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        net_check(make_triggered(seed), (sf_resident_desc){ .name = "net", .loop = all_loops[seed % 2] }, 12);
    }
    nothing_is_left();
}
/* From 1 to 20 ports, all connected crosswise, all sizes different; external ones, too. */
static net *make_ports(int ports)
{
    net *n = net_new((uint64_t)ports);
    int source = net_add(n, ports, ports, 4), middle = net_add(n, ports, ports, 4);
    int sink = net_add(n, ports, ports, 4);
    for (int k = 0; k < ports; k++) {
        net_op *s = &n->op[source], *t = &n->op[sink];
        s->in[k].external = t->out[k].external = true;
        s->in[k].bytes = s->in[k].declared = 4 + 4 * rng_below(&n->g, 100);
        s->out[k].bytes = s->out[k].declared = 4 + 4 * rng_below(&n->g, 100);
        n->op[middle].out[k].bytes = n->op[middle].out[k].declared = 4 + 4 * rng_below(&n->g, 100);
        t->out[k].bytes = t->out[k].declared = 4 + 4 * rng_below(&n->g, 100);
    }
    for (int k = 0; k < ports; k++) {
        net_link(n, source, k, middle, ports - 1 - k, 0);
        net_link(n, middle, k, sink, (k + ports / 2) % ports, 0);
    }
    return n;
}
/* Frames of a megabyte, which no single block copies, beside small ones; and of sizes that fit no vector. */
static net *make_large(uint64_t seed)
{
    net *n = net_new(seed);
    int a = net_add(n, 3, 2, 1 << 20), b = net_add(n, 2, 3, 1 << 20);
    for (int k = 0; k < 3; k++) { n->op[a].in[k].external = n->op[b].out[k].external = true; }
    n->op[a].in[1].bytes = n->op[a].in[1].declared = n->op[b].out[2].bytes = n->op[b].out[2].declared = 20;
    n->op[a].in[2].bytes = n->op[a].in[2].declared = n->op[b].out[0].bytes = n->op[b].out[0].declared = 40004;
    net_link(n, a, 0, b, 0, 0);
    net_link(n, a, 1, b, 1, 0);
    return n;
}
static void large_frames(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(all_loops); k++) {
        net_check(make_large(k), (sf_resident_desc){ .name = "large", .loop = all_loops[k], .slots = 2 }, 4);
    }
    nothing_is_left();
}
static void frames_of_odd_sizes(void **state)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 13, 17, 31, 33, 4097, 16385, 99999 };
    static uint8_t data[99999];
    rng g = rng_seed(1);
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        sf_resident *r = RESIDENT(.name = "odd", .loop = all_loops[i % 4]);
        sf_op_desc d = sensor_desc(), e = display_desc();
        sf_op a, b;
        d.compute = e.compute = forward;
        d.in[0].bytes = d.out[0].bytes = e.in[0].bytes = e.out[0].bytes = sizes[i];
        a = sf_resident_add(r, &d), b = sf_resident_add(r, &e);
        join(r, a, b);
        launch(r);
        for (int n = 0; n < 6; n++) {
            sf_resident_slot slot;
            rng_fill(&g, data, sizes[i]);
            slot = fetch(r, b, feed(r, a, data, sizes[i]));
            CHECK_BYTES(slot.data[0], data, sizes[i]);
            give(r, &slot);
        }
        stop(r);
        destroy(r);
    }
    nothing_is_left();
}
static void one_to_twenty_ports(void **state)
{
    (void)state;
    for (int ports = 1; ports <= 20; ports++) {
        net_check(make_ports(ports), (sf_resident_desc){ .name = "ports", .loop = all_loops[ports % 4] }, 6);
    }
    net_check(make_ports(32), (sf_resident_desc){ .name = "ports" }, 6);
    nothing_is_left();
}

/* -- random graphs -- */

enum { WITH_DELAYS = 1, WITH_POINTERS = 2, WITH_BRANCHES = 4 };
static uint8_t *arena;                       /* memory of the test's, for ports with pointers */
static size_t arena_used;
enum { ARENA = 1 << 20 };

static bool chance(net *n, uint32_t in) { return rng_below(&n->g, in) == 0; }
static size_t random_bytes(net *n) { return 4 + 4 * rng_below(&n->g, chance(n, 4) ? 1024 : 64); }
/* An operator whose inputs come from the operators in [0, before) or [from, n->count), or from the host. */
static int random_op(net *n, int before, int from, uint32_t options)
{
    int ins = (int)rng_below(&n->g, 4), outs = 1 + (int)rng_below(&n->g, 3), i;
    if (n->count && !ins && !chance(n, 4)) { ins = 1; }
    i = net_add(n, ins, outs, 4);
    for (int k = 0; k < outs; k++) {
        net_port *out = &n->op[i].out[k];
        out->bytes = out->declared = random_bytes(n);
        if ((options & WITH_POINTERS) && chance(n, 4) && arena_used + out->bytes <= ARENA) {
            out->data = arena + arena_used;
            arena_used += (out->bytes + 255) & ~(size_t)255;
        }
    }
    for (int k = 0; k < ins; k++) {
        int choices = before + (i - from), at;
        net_port *in = &n->op[i].in[k];
        if (!choices || (chance(n, 5) && n->sources < 28)) {
            n->sources++;
            in->external = true;
            in->bytes = in->declared = random_bytes(n);
            continue;
        }
        at = (int)rng_below(&n->g, (uint32_t)choices);
        if (at >= before) { at += from - before; }
        net_link(n, at, (int)rng_below(&n->g, (uint32_t)n->op[at].w.outs), i, k, 0);
    }
    if (chance(n, 4)) { n->op[i].w.spin = rng_below(&n->g, 5000); }
    for (int k = 0; k < ins; k++) {
        const net_op *source = n->op[i].in[k].from < 0 ? NULL : &n->op[n->op[i].in[k].from];
        if (source && (source->tainted || source->branch >= 0)) { n->op[i].tainted = true; }
    }
    return i;
}
/* Some edges more, against the direction: delayed. */
static void random_delays(net *n)
{
    for (int times = 1 + (int)rng_below(&n->g, 4); times > 0; times--) {
        int to = (int)rng_below(&n->g, (uint32_t)n->count), from = (int)rng_below(&n->g, (uint32_t)n->count);
        net_op *op = &n->op[to];
        int k = op->w.ins;
        if (k == BLEND) { continue; }
        op->w.ins++;
        op->w.mul[k] = rng_next(&n->g) | 1;
        memset(&op->in[k], 0, sizeof op->in[k]);
        net_link(n, from, (int)rng_below(&n->g, (uint32_t)n->op[from].w.outs), to, k, 1 + (int)rng_below(&n->g, 3));
    }
}
/* A branch on an operator made for it, with a few operators in each body: they read what was there before the
   branch, and each other. `outer`: the body that it lies in. */
static void random_branch(net *n, int outer, int outer_which, int before, int from, int depth)
{
    sf_resident_branch_kind kind = depth || !chance(n, 3) ? chance(n, 2) ? SF_RESIDENT_IF : SF_RESIDENT_SWITCH
                                                          : SF_RESIDENT_EVERY;
    uint32_t bodies = kind == SF_RESIDENT_IF ? 2 : kind == SF_RESIDENT_SWITCH ? 1 + rng_below(&n->g, 4) : 1;
    int predicate = -1, b, first;
    if (kind != SF_RESIDENT_EVERY) {
        net_op *op = &n->op[predicate = random_op(n, before, from, 0)];
        net_put(n, predicate, outer, outer_which);
        for (int k = 0; k < op->w.ins && op->tainted; k++) { /* it decides on what is known: the host's, or nothing */
            if (op->in[k].external) { op->in[0] = op->in[k], op->w.ins = 1, op->tainted = false; }
        }
        if (op->tainted) { op->w.ins = 0, op->tainted = false; }
    }
    b = net_branch_on(n, kind, predicate, kind == SF_RESIDENT_IF ? 2 : bodies + (kind == SF_RESIDENT_SWITCH));
    if (kind == SF_RESIDENT_EVERY) {
        n->branch[b].every = 1 + rng_below(&n->g, 4);
        n->branch[b].phase = rng_below(&n->g, 5);
    } else {
        n->branch[b].cases = bodies;
        n->branch[b].output = (int)rng_below(&n->g, (uint32_t)n->op[predicate].w.outs);
    }
    n->branch[b].clears = !depth && chance(n, 3);
    first = n->count;
    if (outer < 0) { before = from = first; }        /* all that is at the top may be read in it */
    for (uint32_t body = 0; body < bodies; body++) {
        int start = n->count, count = 1 + (int)rng_below(&n->g, 3);
        if (kind == SF_RESIDENT_IF && body == 1 && chance(n, 2)) { break; }  /* no ELSE */
        for (int k = 0; k < count; k++) {
            net_put(n, random_op(n, before, start, 0), b, (int)body);
            if (n->branch[b].clears || depth || n->branch_count >= NET_BRANCHES || !chance(n, 4)) { continue; }
            random_branch(n, b, (int)body, before, start, depth + 1);
        }
    }
}
static net *make_random(uint64_t seed, uint32_t options)
{
    net *n = net_new(seed);
    int ops = 1 + (int)rng_below(&n->g, 20), externals = 0;
    for (int i = 0; i < ops && n->count < NET_OPS - 40; i++) {
        (void)random_op(n, n->count, n->count, options);
        if ((options & WITH_BRANCHES) && n->branch_count < NET_BRANCHES - 2 && chance(n, 3)) {
            random_branch(n, -1, 0, n->count, n->count, 0);
        }
    }
    if (options & WITH_BRANCHES) { (void)random_op(n, n->count, n->count, 0); }
    if (options & WITH_DELAYS) { random_delays(n); }
    for (int i = 0; i < n->count && externals < 30; i++) {
        if (!chance(n, 3) && i != n->count - 1) { continue; }
        n->op[i].out[rng_below(&n->g, (uint32_t)n->op[i].w.outs)].external = true;
        externals++;
    }
    /* sizes of some inputs, or of their output, are left to the other end */
    for (int i = 0; i < n->count; i++) {
        for (int k = 0; k < n->op[i].w.ins; k++) {
            if (!n->op[i].in[k].external && chance(n, 6)) { n->op[i].in[k].declared = 0; }
        }
    }
    return n;
}
static void random_graphs(uint32_t options, uint32_t seeds, const sf_resident_loop *loops, uint32_t loop_count)
{
    arena = (uint8_t *)device_memory(ARENA);
    FOR_SEEDS(seed, seeds) {
        for (uint32_t k = 0; k < loop_count; k++) {
            sf_resident_desc desc = { .name = "random", .loop = loops[k], .slots = 1u << (seed + k) % 4 };
            desc.measure_operators = seed % 5 == 4;
            desc.no_stages = seed % 7 > 4;
            desc.no_programmatic_launch = seed % 11 > 7;
            desc.default_priority = seed % 13 == 12;
            net *n;
            arena_used = 0;
            memset(&logged, 0, sizeof logged);
            n = make_random(seed, options);
            if (arena_used && loops[k] == SF_RESIDENT_LOOP_UNROLLED) {       /* memory that is there only once */
                CHECK_IS(net_create(n, desc), SF_ERROR_NOT_SUPPORTED);
                destroy_is(n->r, SF_ERROR_NOT_SUPPORTED);
                CHECK_OK(sf_mem_free(device, n->ran));
                net_free(n);
            } else {
                net_check(n, desc, 6);
            }
        }
    }
    CHECK_OK(sf_mem_free(device, arena));
    nothing_is_left();
}
static uint32_t seeds_of(uint32_t one_in)    /* fewer where each takes a graph */
{
    uint32_t n = test_seeds_of(test_seeds() / one_in, test_seeds() / one_in / 8);
    return n < 5 ? 5 : n;
}
static void any_graph(void **state) { (void)state, random_graphs(0, seeds_of(25), all_loops, COUNT(all_loops)); }
static void any_graph_with_pointers(void **state)
{
    (void)state;
    random_graphs(WITH_POINTERS, seeds_of(50), all_loops, COUNT(all_loops));
}
static const sf_resident_loop rolled[] = { SF_RESIDENT_LOOP_EXACT, SF_RESIDENT_LOOP_FAST, SF_RESIDENT_LOOP_AUTO };
static void any_graph_with_delays(void **state)
{
    (void)state;
    random_graphs(WITH_DELAYS | WITH_POINTERS, seeds_of(50), rolled, COUNT(rolled));
}
static void any_graph_with_branches(void **state)
{
    (void)state;
    nets_lost = nets_compared = 0;
    random_graphs(WITH_BRANCHES, seeds_of(25), rolled, COUNT(rolled));
    random_graphs(WITH_BRANCHES | WITH_DELAYS, seeds_of(50), rolled, COUNT(rolled));
    printf("# compared %u, left %u to themselves\n", nets_compared, nets_lost);
    CHECK(nets_compared > 4 * nets_lost);
}

/* On one thread, in whatever order the device runs what is ready: an edge that is missing shows. */
static void any_graph_in_any_order(void **state)
{
    static const sf_order orders[] = {
        SF_ORDER_FIRST_IN, SF_ORDER_LAZY, SF_ORDER_REVERSE, SF_ORDER_RANDOM, SF_ORDER_PCT
    };
    (void)state;
    if (on_cuda()) { return; }
    for (uint64_t seed = 0; seed < seeds_of(50); seed++) {
        sf_device *d = test_open_order(orders[seed % COUNT(orders)], seed);
        sf_counters c;
        net *n = make_random(seed, seed % 3 == 1 ? WITH_DELAYS : seed % 3 == 2 ? WITH_BRANCHES : 0);
        sf_resident_loop loop = seed % 3 ? rolled[seed % 2] : all_loops[seed / 3 % 4];
        n->device = d;
        net_check(n, (sf_resident_desc){ .name = "ordered", .device = d, .loop = loop, .slots = 2 }, 4);
        CHECK_OK(sf_device_get_counters(d, &c));
        CHECK_EQUAL(c.live_graphs + c.live_bytes, 0);
        test_close(d);
    }
    nothing_is_left();
}

/* -- which loop AUTO is -- */

static void auto_is_the_fastest_allowed(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        net *n = net_new((uint64_t)k);
        int a = net_source(n, 1, k == 1 ? 1 << 20 : 1 << 10), b = net_sink(n, k == 3 ? 2 : 1, 1 << 10);
        sf_resident_desc desc = { .name = "auto", .slots = k == 2 ? 1024 : 4 };
        net_link(n, a, 0, b, 0, 0);
        if (k == 1) { n->op[b].in[0].bytes = n->op[b].in[0].declared = 1 << 20; }
        if (k == 2) {
            n->op[a].out[0].bytes = n->op[a].out[0].declared = 1 << 13;
            net_link(n, a, 0, b, 0, 0);
        }
        if (k == 3) { net_link(n, b, 0, b, 1, 1); }
        if (k == 4) { n->op[a].out[0].data = arena = (uint8_t *)device_memory(1 << 10); }
        if (k == 5) {
            int every = net_branch_on(n, SF_RESIDENT_EVERY, -1, 0);
            n->branch[every].every = 1;
            net_put(n, b, every, 0);
        }
        net_build(n, desc);
        CHECK_EQUAL(n->loop, k == 0 || k == 6 ? SF_RESIDENT_LOOP_UNROLLED : SF_RESIDENT_LOOP_FAST);
        net_launch(n);
        net_frames(n, 10);
        net_stop(n);
        net_end(n);
        if (k == 4) { CHECK_OK(sf_mem_free(device, arena)); }
    }
    nothing_is_left();
}

/* -- parallel branches -- */

typedef struct meeting { uint32_t *words; uint64_t *since; int side; } meeting;
static sf_kernel meet_kernels[2];            /* "lefthand", "righthand" */
static sf_result meet_compute(sf_context *ctx)
{
    const meeting *m = (const meeting *)ctx->user;
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    meet_args a;
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    memset(&a, 0, sizeof a);
    a.mine = m->words + 32 * m->side;
    a.other = m->words + 32 * !m->side;
    a.missed = m->words + 64;
    a.since = m->since + m->side;
    a.in = (const uint32_t *)in->data;
    a.out = (uint32_t *)out->data;
    a.n = (uint32_t)(out->bytes / 4);
    (void)sf_launch(sf_compute_stream(ctx), &meet_kernels[m->side], &a, sizeof a);
    return sf_emit(ctx, 0, out);
}
/* The way from a node to another one in a picture: its lines are `a [...label="..."...]` and `a -> b`. */
enum { DOT_NODES = 4096, DOT_EDGES = 16384 };
typedef struct dot {
    int nodes, edges;
    char id[DOT_NODES][24], label[DOT_NODES][48];
    int from[DOT_EDGES], to[DOT_EDGES];
    bool early[DOT_EDGES];                   /* programmatic */
    bool reached[DOT_NODES];
} dot;
static dot picture;
static int dot_node(const char *id, size_t length)
{
    for (int i = 0; i < picture.nodes; i++) {
        if (strlen(picture.id[i]) == length && !memcmp(picture.id[i], id, length)) { return i; }
    }
    CHECK(picture.nodes < DOT_NODES && length < sizeof picture.id[0]);
    memcpy(picture.id[picture.nodes], id, length);
    return picture.nodes++;
}
static void dot_read(const char *text)
{
    memset(&picture, 0, sizeof picture);
    CHECK(strstr(text, "digraph"));
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *end = strchr(line, '\n') ? strchr(line, '\n') : line + strlen(line), *arrow, *label;
        size_t n;
        line += strspn(line, " \t");
        n = strcspn(line, " \t[;\n");
        if (!n || line[n] == '\n') { continue; }
        arrow = line + n + strspn(line + n, " \t");
        if (!strncmp(arrow, "->", 2)) {
            const char *to = arrow + 2 + strspn(arrow + 2, " \t");
            CHECK(picture.edges < DOT_EDGES);
            label = strstr(to, "programmatic");
            picture.early[picture.edges] = label && label < end;
            picture.from[picture.edges] = dot_node(line, n);
            picture.to[picture.edges++] = dot_node(to, strcspn(to, " \t[;\n"));
        } else if (*arrow == '[') {
            label = strstr(arrow, "label=\"");
            if (!label || label > end) { continue; }
            label += 7;
            snprintf(picture.label[dot_node(line, n)], sizeof picture.label[0], "%.*s", (int)strcspn(label, "\"\n"),
                     label);
        }
    }
}
static void dot_is_whole(const char *text)   /* one digraph, each brace of which is closed */
{
    size_t n = strlen(text);
    int depth = 0;
    CHECK(!strncmp(text, "digraph ", 8) && !strstr(text + 8, "digraph "));
    for (size_t i = 0; i < n; i++) {
        depth += (text[i] == '{') - (text[i] == '}');
        CHECK(depth > 0 || i < strcspn(text, "{") || i + 2 >= n);
    }
    CHECK_EQUAL(depth, 0);
}
static int dot_labelled(const char *word)    /* how many nodes are called so */
{
    int n = 0;
    for (int i = 0; i < picture.nodes; i++) { n += strstr(picture.label[i], word) != NULL; }
    return n;
}
static bool dot_leads(const char *from, const char *to)
{
    bool more = true;
    for (int i = 0; i < picture.nodes; i++) { picture.reached[i] = strstr(picture.label[i], from) != NULL; }
    while (more) {
        more = false;
        for (int e = 0; e < picture.edges; e++) {
            if (picture.reached[picture.from[e]] && !picture.reached[picture.to[e]]) {
                picture.reached[picture.to[e]] = more = true;
            }
        }
    }
    for (int i = 0; i < picture.nodes; i++) {
        if (picture.reached[i] && strstr(picture.label[i], to)) { return true; }
    }
    return false;
}
static sf_op add_named(sf_resident *r, const char *name, sf_compute_func compute, void *user, int ins, int host)
{
    sf_op_desc d = { .name = name, .compute = compute, .user = user, .out = { { .name = "out0", .bytes = FRAME } } };
    for (int i = 0; i < ins; i++) {
        static const char *const names[] = { "in0", "in1", "in2", "in3" };
        d.in[i] = (sf_port){ .name = names[i], .bytes = FRAME };
    }
    d.in[0].external = (host & HOST_IN) != 0;
    d.out[0].external = (host & HOST_OUT) != 0;
    return sf_resident_add(r, &d);
}
/* Two that wait for each other can only end side by side: on two branches of a diamond, from two sources, in two
   parts that have nothing to do with each other. */
enum { DIAMOND, TWO_SOURCES, TWO_PARTS, MEETINGS };
static void side_by_side(void **state)
{
    static sf_kernel splits, adds;
    static work add_up = { .ins = 2, .outs = 1, .mul = { 1, 2 }, .kernel = &adds };
    static work split = { .ins = 1, .outs = 1, .mul = { 3 }, .add = 5, .kernel = &splits };
    (void)state;
    splits = adds = blend_kernel;
    meet_kernels[0] = meet_kernels[1] = meet_kernel;
    splits.name = "splitter", adds.name = "merger";
    meet_kernels[0].name = "lefthand", meet_kernels[1].name = "righthand";
    for (int shape = 0; shape < MEETINGS; shape++) {
        for (size_t k = 0; k < COUNT(all_loops); k++) {
            sf_resident *r = RESIDENT(.name = "meet", .loop = all_loops[k], .slots = 2);
            uint32_t *words = (uint32_t *)test_memory(device, 4096), in[FRAME / 4], want[FRAME / 4];
            meeting m[2] = { { words, (uint64_t *)(words + 128), 0 }, { words, (uint64_t *)(words + 128), 1 } };
            sf_op from = { 0 }, left, right, to = { 0 };
            char *text;
            if (shape == DIAMOND) { from = add_named(r, "splitter", work_compute, &split, 1, HOST_IN); }
            left = add_named(r, "lefthand", meet_compute, &m[0], 1,
                             (shape == DIAMOND ? 0 : HOST_IN) | (shape == TWO_PARTS ? HOST_OUT : 0));
            right = add_named(r, "righthand", meet_compute, &m[1], 1,
                              (shape == DIAMOND ? 0 : HOST_IN) | (shape == TWO_PARTS ? HOST_OUT : 0));
            if (shape != TWO_PARTS) { to = add_named(r, "merger", work_compute, &add_up, 2, HOST_OUT); }
            if (shape == DIAMOND) {
                wire(r, from, "out0", left, "in0");
                wire(r, from, "out0", right, "in0");
            }
            if (shape != TWO_PARTS) {
                wire(r, left, "out0", to, "in0");
                wire(r, right, "out0", to, "in1");
            }
            build(r);
            text = report_of(r, SF_RESIDENT_REPORT_DOT);
            dot_read(text);
            dot_is_whole(text);
            CHECK(strstr(text, "  \"lefthand\";\n") && strstr(text, "  \"righthand\";\n"));
            if (shape != TWO_PARTS) {
                CHECK(strstr(text, "  \"righthand\" -> \"merger\" [taillabel=\"out0\", headlabel=\"in1\"];\n"));
            }
            free(text);
            CHECK(dot_labelled("lefthand") && dot_labelled("righthand"));
            CHECK(!dot_leads("lefthand", "righthand") || all_loops[k] == SF_RESIDENT_LOOP_UNROLLED ||
                  info_of(r).loop == SF_RESIDENT_LOOP_UNROLLED);     /* there one pass leads to the next */
            CHECK(!dot_leads("righthand", "lefthand") || info_of(r).loop == SF_RESIDENT_LOOP_UNROLLED);
            if (shape == DIAMOND) { CHECK(dot_leads("splitter", "lefthand") && dot_leads("splitter", "righthand")); }
            if (shape != TWO_PARTS) { CHECK(dot_leads("lefthand", "merger") && dot_leads("righthand", "merger")); }
            launch(r);
            for (uint32_t i = 1; i <= 5; i++) {
                uint64_t sequence;
                for (uint32_t w = 0; w < FRAME / 4; w++) { in[w] = i + 100 * w; }
                for (uint32_t w = 0; w < FRAME / 4; w++) {
                    uint32_t one = (shape == DIAMOND ? in[w] * 3 + 5 : in[w]) + 1;
                    want[w] = shape == TWO_PARTS ? one : one * 3;
                }
                sequence = feed(r, shape == DIAMOND ? from : left, in, sizeof in);
                if (shape != DIAMOND) { feed(r, right, in, sizeof in); }
                result_is(r, shape == TWO_PARTS ? left : to, sequence, want, sizeof want);
                if (shape == TWO_PARTS) { result_is(r, right, sequence, want, sizeof want); }
            }
            stop(r);
            if (test_load(words + 64)) {
                fail_msg("loop %d, shape %d: not side by side", (int)all_loops[k], shape);
            }
            destroy(r);
            CHECK_OK(sf_mem_free(device, words));
        }
    }
    nothing_is_left();
}
/* And no more order than that: what comes one after the other is so in the picture, and nothing else is. */
static void edges_of_the_picture(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        net *n = make_random(seed, 0);
        static bool before[NET_OPS][NET_OPS];
        char *text;
        memset(before, 0, sizeof before);
        for (int i = 0; i < n->count; i++) {
            for (int k = 0; k < n->op[i].w.ins; k++) {
                int from = n->op[i].in[k].from;
                if (from < 0) { continue; }
                before[from][i] = true;
                for (int j = 0; j < from; j++) { before[j][i] = before[j][i] || before[j][from]; }
            }
        }
        net_build(n, (sf_resident_desc){ .name = "picture", .loop = SF_RESIDENT_LOOP_EXACT });
        text = report_of(n->r, SF_RESIDENT_REPORT_DOT);
        dot_read(text);
        for (int a = 0; a < n->count; a++) {
            for (int b = 0; b < n->count; b++) {
                if (a != b && dot_leads(n->op[a].name, n->op[b].name) != before[a][b]) {
                    fprintf(stderr, "%s", text);
                    fail_msg("seed %d: %s %s before %s", (int)seed, n->op[a].name, before[a][b] ? "is not" : "is",
                             n->op[b].name);
                }
            }
        }
        free(text);
        net_end(n);
    }
    nothing_is_left();
}

/* An edge becomes programmatic only into a kernel that says it waits by itself, or into the library's own. */
static void programmatic_edges(void **state)
{
    static sf_kernel first, early, last;
    static work w[3] = { { .ins = 1, .outs = 1, .mul = { 3 }, .kernel = &first },
                         { .ins = 1, .outs = 1, .mul = { 3 }, .kernel = &early },
                         { .ins = 1, .outs = 1, .mul = { 3 }, .kernel = &last } };
    sf_device_info info;
    (void)state;
    CHECK_OK(sf_device_get_info(device, &info));
    first = last = blend_kernel, early = early_kernel;
    first.name = "forerunner", early.name = "earlybird", last.name = "latecomer";
    for (int none = 0; none < 2; none++) {
        sf_resident *r = RESIDENT(.name = "early", .loop = SF_RESIDENT_LOOP_FAST, .no_programmatic_launch = none,
                                  .no_stages = true);
        sf_op a = add_named(r, "a", work_compute, &w[0], 1, HOST_IN);
        sf_op b = add_named(r, "b", work_compute, &w[1], 1, 0);
        sf_op c = add_named(r, "c", work_compute, &w[2], 1, HOST_OUT);
        int into_early = 0;
        char *text;
        wire(r, a, "out0", b, "in0");
        wire(r, b, "out0", c, "in0");
        build(r);
        text = report_of(r, SF_RESIDENT_REPORT_DOT);
        dot_read(text);
        for (int e = 0; e < picture.edges; e++) {
            const char *label = picture.label[picture.to[e]];
            if (!picture.early[e]) { continue; }
            CHECK(!none);
            if (!strstr(label, "earlybird") && !strstr(label, "sf_resident_")) { fail_msg("into %s", label); }
            into_early += strstr(label, "earlybird") != NULL;
        }
        free(text);
        CHECK_EQUAL(into_early, !none && (!on_cuda() || info.compute_capability >= 90));
        destroy(r);
    }
    nothing_is_left();
}

/* -- advice: who follows it is told that it costs less, by just as much -- */

typedef struct advised { sf_resident_desc desc; size_t in, out; bool early[3]; } advised;
static void advised_part(const sf_resident_fused_call *call) { (void)call; }
SF_RESIDENT_FUSED(advised_fused, advised_part, advised_part, advised_part)
static sf_resident *build_advised(const advised *a, char **plan)
{
    static work w[3];
    static const char *const names[3] = { "alpha", "beta", "gamma" };
    sf_resident *r = resident_of(a->desc);
    sf_op op[3];
    for (int k = 0; k < 3; k++) {
        w[k] = (work){ .ins = 1, .outs = 1, .mul = { 3 }, .kernel = a->early[k] ? &early_kernel : &blend_kernel };
        op[k] = sf_resident_add(r, &(sf_op_desc){
            .name = names[k], .compute = a->desc.fused ? NULL : work_compute, .user = &w[k],
            .in = { { .name = "in0", .bytes = k ? a->out : a->in, .external = k == 0 } },
            .out = { { .name = "out0", .bytes = a->out, .external = k == 2 } } });
        if (k) { wire(r, op[k - 1], "out0", op[k], "in0"); }
    }
    CHECK_EQUAL(info_of(r).advice_count, 0);
    build(r);
    if (plan) { *plan = report_of(r, SF_RESIDENT_REPORT_PLAN); }
    return r;
}
static sf_resident_info info_advised(const advised *a, char **plan)
{
    sf_resident *r = build_advised(a, plan);
    sf_resident_info info = info_of(r);
    destroy(r);
    return info;
}
static const sf_resident_advice *advice_of(const sf_resident_info *i, sf_resident_advice_kind kind)
{
    for (uint32_t k = 0; k < i->advice_count; k++) {
        if (i->advice[k].kind == kind) { return &i->advice[k]; }
    }
    return NULL;
}
static bool follow(advised *a, const sf_resident_advice *advice)
{
    switch (advice->kind) {
    case SF_RESIDENT_ADVICE_PROGRAMMATIC: a->early[0] = a->early[1] = a->early[2] = true; return true;
    case SF_RESIDENT_ADVICE_UNROLL:
        a->desc.loop = SF_RESIDENT_LOOP_AUTO;
        a->desc.slots = advice->count;
        return true;
    case SF_RESIDENT_ADVICE_SLOTS: a->desc.slots = advice->count; return true;
    case SF_RESIDENT_ADVICE_NOT_MEASURED: a->desc.measure_operators = false; return true;
    case SF_RESIDENT_ADVICE_NO_HOST_WRITES: a->desc.no_host_writes = true; return true;
    case SF_RESIDENT_ADVICE_SMALL:
        a->in = a->in < 56 ? a->in : 56;
        a->out = a->out < 56 ? a->out : 56;
        return true;
    case SF_RESIDENT_ADVICE_FUSE:
        a->desc.fused = &advised_fused;
        a->desc.loop = SF_RESIDENT_LOOP_AUTO;
        return true;
    default: return false;
    }
}
static void advice_is_good(const advised *a)
{
    char *plan;
    sf_resident_info before = info_advised(a, &plan);
    CHECK(before.nodes > 0 && before.predicted > 0 && before.advice_count <= SF_RESIDENT_ADVICES);
    CHECK_EQUAL(strstr(plan, "faster by about ") != NULL, before.advice_count > 0);
    free(plan);
    for (uint32_t k = 0; k < before.advice_count; k++) {
        const sf_resident_advice *advice = &before.advice[k];
        advised better = *a;
        sf_resident_info after;
        CHECK(advice->saves > 0 && advice->saves < before.predicted && advice->count > 0);
        CHECK(!k || advice->saves <= before.advice[k - 1].saves);
        if (!follow(&better, advice) || (better.desc.fused && on_cuda())) { continue; }   /* a kernel of the host's */
        after = info_advised(&better, NULL);
        if (after.predicted != before.predicted - advice->saves || advice_of(&after, advice->kind)) {
            fail_msg("advice %d was to save %lld: %lld, and then %lld", (int)advice->kind, (long long)advice->saves,
                     (long long)before.predicted, (long long)after.predicted);
        }
    }
}
static void advice(void **state)
{
    enum {
        EARLY = 1 << SF_RESIDENT_ADVICE_PROGRAMMATIC, FUSE = 1 << SF_RESIDENT_ADVICE_FUSE,
        UNROLL = 1 << SF_RESIDENT_ADVICE_UNROLL, SLOTS = 1 << SF_RESIDENT_ADVICE_SLOTS,
        NOT_MEASURED = 1 << SF_RESIDENT_ADVICE_NOT_MEASURED, QUIET = 1 << SF_RESIDENT_ADVICE_NO_HOST_WRITES,
        SMALL = 1 << SF_RESIDENT_ADVICE_SMALL
    };
    static const struct { advised a; uint32_t kinds; uint32_t slots; } cases[] = {
        { { { .loop = SF_RESIDENT_LOOP_FAST, .slots = 4 }, 256, 256, { false, true, false } },
          EARLY | FUSE | UNROLL | SMALL, 4 },
        { { { .loop = SF_RESIDENT_LOOP_EXACT, .slots = 4, .measure_operators = true }, 56, 56, { false } },
          FUSE | UNROLL | NOT_MEASURED | QUIET, 4 },
        { { { .slots = 2, .no_host_writes = true }, 32, 32, { true, true, true } }, FUSE | SLOTS, 8 },
        { { { .slots = 8 }, 512 << 10, 512 << 10, { true, true, true } }, FUSE | SLOTS, 2 },  /* fewer: unrolled */
        { { { .slots = 8, .no_programmatic_launch = true }, 8, 8, { false } }, FUSE | QUIET, 0 },
        { { { .slots = 8 }, 8, 57, { true, true, true } }, FUSE, 0 },        /* a result alone saves the fence, if that */
        { { { .slots = 8, .no_host_writes = true }, 8, 57, { true, true, true } }, FUSE | SMALL, 0 },
        { { { .slots = 8, .no_host_writes = true }, 1024, 57, { true, true, true } }, FUSE | SMALL, 0 },
        { { { .loop = SF_RESIDENT_LOOP_EXACT, .slots = 1 }, 8, 8, { false, true, true } }, FUSE | UNROLL | QUIET, 8 },
        { { { .loop = SF_RESIDENT_LOOP_EXACT, .slots = 8 }, 512 << 10, 512 << 10, { true, true, true } },
          FUSE | UNROLL, 2 },
        { { { .loop = SF_RESIDENT_LOOP_FAST, .slots = 16, .measure_operators = true }, 8, 8, { true, true, true } },
          FUSE | UNROLL | NOT_MEASURED | QUIET, 16 },
    };
    sf_device_info device_is;
    (void)state;
    CHECK_OK(sf_device_get_info(device, &device_is));
    for (size_t k = 0; k < COUNT(cases); k++) {
        advised a = cases[k].a;
        sf_resident_info info;
        uint32_t kinds = 0;
        const sf_resident_advice *shape;
        char *plan;
        advice_is_good(&a);
        a.desc.no_stages = true;
        info = info_advised(&a, &plan);
        for (uint32_t i = 0; i < info.advice_count; i++) { kinds |= 1u << info.advice[i].kind; }
        if (!on_cuda() || device_is.compute_capability >= 90) {
            if (kinds != cases[k].kinds) { fail_msg("case %zu: kinds %x, not %x", k, kinds, cases[k].kinds); }
        }
        shape = advice_of(&info, kinds & UNROLL ? SF_RESIDENT_ADVICE_UNROLL : SF_RESIDENT_ADVICE_SLOTS);
        if (shape) { CHECK_EQUAL(shape->count, cases[k].slots); }
        CHECK_EQUAL(advice_of(&info, SF_RESIDENT_ADVICE_FUSE)->count, 3);
        if (kinds & EARLY) {                 /* two of the three are not */
            CHECK_EQUAL(advice_of(&info, SF_RESIDENT_ADVICE_PROGRAMMATIC)->count, 2);
            CHECK(strstr(plan, "2 kernels wait by themselves (sf_kernel.programmatic), of alpha, gamma\n") != NULL);
        }
        free(plan);
        advice_is_good(&a);
    }
    nothing_is_left();
}

static void plan_in_words(void **state)
{
    sf_resident *r = RESIDENT(.loop = SF_RESIDENT_LOOP_FAST, .no_stages = true);
    work w = { .ins = 1, .outs = 1, .mul = { 3 } };
    char *plan;
    (void)state;
    add_work(r, "alone", &w, 8, 8, HOST_IN | HOST_OUT);
    plan = report_of(r, SF_RESIDENT_REPORT_PLAN);
    CHECK(strstr(plan, "not built") != NULL && !strstr(plan, "predicted"));
    free(plan);
    build(r);
    plan = report_of(r, SF_RESIDENT_REPORT_PLAN);
    CHECK(strstr(plan, "fuse 1 operator into") != NULL && !strstr(plan, "not built"));
    CHECK(strstr(plan, "predicted") != NULL);
    free(plan);
    destroy(r);
    nothing_is_left();
}

/* What needs the fence keeps it, and says so: then no time is saved. */
static void no_host_writes(void **state)
{
    static const size_t bytes[] = { 56, 60, 56 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        int64_t predicted[2];
        bool needs = k > 0;
        for (int quiet = 0; quiet < 2; quiet++) {
            sf_resident *r = RESIDENT(.loop = SF_RESIDENT_LOOP_FAST, .no_host_writes = quiet);
            work w = { .ins = 1, .outs = 1, .mul = { 3 } };
            sf_op op = add_work(r, "writer", &w, bytes[k], bytes[k], HOST_IN | HOST_OUT);
            sf_op_desc own = { .name = "own", .compute = work_compute, .user = &w };
            if (k == 2) {
                own.in[0] = (sf_port){ .name = "in0", .bytes = bytes[k] };
                own.out[0] = (sf_port){ .name = "out0", .bytes = bytes[k], .data = test_memory(device, 64) };
                wire(r, op, "out0", sf_resident_add(r, &own), "in0");
            }
            test_store(&logged.count, 0);
            build(r);
            CHECK_EQUAL(logged_with(2, "no_host_writes", NULL, NULL) > 0, quiet && needs);
            if (quiet && k == 2) { CHECK(logged_with(2, "own", ".data", NULL) > 0); }
            predicted[quiet] = info_of(r).predicted;
            destroy(r);
        }
        CHECK_EQUAL(predicted[0] - predicted[1], needs ? 0 : 1600);
    }
}

/* -- delay edges -- */

static net *make_accumulator(uint64_t seed, int delay)       /* sum = in * a + sum * b, `delay` iterations ago */
{
    net *n = net_new(seed);
    int sum = net_source(n, 1, 256);
    n->op[sum].w.ins = 2;
    n->op[sum].w.mul[1] = 3;
    net_link(n, sum, 0, sum, 1, delay);
    n->op[sum].out[0].external = true;
    return n;
}
static net *make_ring(uint64_t seed, int delay)      /* three in a circle, one edge of which is late; one taps it */
{
    net *n = net_new(seed);
    int a = net_source(n, 1, 128), b = net_add(n, 1, 1, 128), c = net_add(n, 1, 1, 128), tap = net_sink(n, 3, 128);
    n->op[a].w.ins = 2;
    n->op[a].w.mul[1] = 7;
    n->op[c].w.spin = 20000;
    net_link(n, a, 0, b, 0, 0);
    net_link(n, b, 0, c, 0, 0);
    net_link(n, c, 0, a, 1, delay);
    net_link(n, b, 0, tap, 0, 0);            /* the same output now ... */
    net_link(n, b, 0, tap, 1, delay);        /* ... then ... */
    net_link(n, b, 0, tap, 2, delay + 1);    /* ... and before */
    return n;
}
static net *make_ladder(uint64_t seed, int delay)    /* a shift register: no cycle, and every edge is late */
{
    net *n = net_new(seed);
    int last = net_source(n, 1, 64);
    for (int i = 0; i < 4; i++) {
        int next = net_sink(n, 1, 64);
        net_link(n, last, 0, next, 0, delay);
        last = next;
    }
    return n;
}
static void delay_edges(void **state)
{
    static net *(*const makes[])(uint64_t, int) = { make_accumulator, make_ring, make_ladder };
    (void)state;
    for (size_t m = 0; m < COUNT(makes); m++) {
        for (int delay = 1; delay <= 3; delay++) {
            for (size_t k = 0; k < COUNT(rolled); k++) {
                net_check(makes[m]((uint64_t)delay, delay),
                          (sf_resident_desc){ .name = "late", .loop = rolled[k], .slots = 4u >> k }, 20);
            }
        }
    }
    net_check(make_accumulator(1, 8), (sf_resident_desc){ .name = "late" }, 40);
    net_check(make_ladder(1, 8), (sf_resident_desc){ .name = "late" }, 60);
    nothing_is_left();
}
/* A late edge does not make its reader wait: the reader may come first, and its writer after it. */
static void late_edges_order_nothing(void **state)
{
    net *n = net_new(5);
    int a = net_source(n, 1, 64), b = net_sink(n, 1, 64);
    char *text;
    (void)state;
    n->op[a].w.ins = 2;
    n->op[a].w.mul[1] = 5;
    net_link(n, b, 0, a, 1, 1);              /* b before a, late; a before b */
    net_link(n, a, 0, b, 0, 0);
    net_build(n, (sf_resident_desc){ .name = "late", .loop = SF_RESIDENT_LOOP_EXACT });
    text = report_of(n->r, SF_RESIDENT_REPORT_DOT);
    dot_read(text);
    CHECK(dot_leads(n->op[a].name, n->op[b].name));
    CHECK(!dot_leads(n->op[b].name, n->op[a].name));
    free(text);
    net_launch(n);
    net_frames(n, 10);
    net_stop(n);
    net_end(n);
    nothing_is_left();
}
/* Unrolled, an edge has a buffer per slot; whoever asks for it with a late edge is either served right or refused. */
static void unrolled_with_what_it_forbids(void **state)
{
    static const uint32_t with[] = { WITH_DELAYS, WITH_BRANCHES };
    (void)state;
    for (size_t i = 0; i < COUNT(with); i++) {
        net *n = i == 0 ? make_accumulator(1, 1) : net_new(1);
        sf_resident_desc desc = { .name = "unrolled", .loop = SF_RESIDENT_LOOP_UNROLLED, .slots = 4 };
        sf_result r;
        if (i == 1) {
            int a = net_source(n, 1, 64), b = net_add(n, 1, 1, 64), c = net_sink(n, 2, 64), branch;
            branch = net_branch_on(n, SF_RESIDENT_IF, a, 2);
            net_link(n, a, 0, b, 0, 0);
            net_put(n, b, branch, 0);
            n->branch[branch].clears = true; /* nothing stays: a buffer per slot shows no difference */
            net_link(n, a, 0, c, 0, 0);
            net_link(n, b, 0, c, 1, 0);
        }
        r = net_create(n, desc);
        if (r == SF_ERROR_NOT_SUPPORTED) {
            printf("# refused: %s\n", sf_resident_failure(n->r)->text);
            CHECK(sf_resident_failure(n->r)->text[0]);
            destroy_is(n->r, SF_ERROR_NOT_SUPPORTED);
            CHECK_OK(sf_mem_free(device, n->ran));
            net_free(n);
            continue;
        }
        resident_is(n->r, "build", r, SF_OK);
        n->loop = info_of(n->r).loop;
        net_launch(n);
        net_frames(n, 20);
        net_stop(n);
        net_end(n);
    }
    nothing_is_left();
}

/* -- branches -- */

/* One predicate, a few operators per body, one that reads them all. */
static net *make_branch(uint64_t seed, sf_resident_branch_kind kind, uint32_t bodies, bool clears)
{
    net *n = net_new(seed);
    int from = net_source(n, 2, 64), branch, to, body[12], count = 0;
    branch = net_branch_on(n, kind, from, kind == SF_RESIDENT_IF ? 2 : bodies + 1);
    n->branch[branch].cases = bodies;
    n->branch[branch].output = 1;
    n->branch[branch].every = 3;
    n->branch[branch].phase = (uint32_t)seed;
    n->branch[branch].clears = clears;
    for (uint32_t b = 0; b < bodies; b++) {
        int first = net_add(n, 1, 1, 64), second = net_add(n, 2, 1, 64);
        n->op[first].w.spin = 5000;
        net_link(n, from, 0, first, 0, 0);
        net_link(n, from, 0, second, 0, 0);
        net_link(n, first, 0, second, 1, 0);
        net_put(n, first, branch, (int)b);
        net_put(n, second, branch, (int)b);
        body[count++] = second;
    }
    to = net_sink(n, count + 1, 64);
    net_link(n, from, 0, to, 0, 0);
    for (int i = 0; i < count; i++) { net_link(n, body[i], 0, to, i + 1, 0); }
    for (int i = 0; i < count; i++) {        /* and one for each, which is known as soon as its body ran once */
        int tap = net_sink(n, 1, 64);
        net_link(n, body[i], 0, tap, 0, 0);
    }
    return n;
}
static void branches(void **state)
{
    static const struct { sf_resident_branch_kind kind; uint32_t bodies; } rows[] = {
        { SF_RESIDENT_IF, 1 }, { SF_RESIDENT_IF, 2 }, { SF_RESIDENT_SWITCH, 1 }, { SF_RESIDENT_SWITCH, 5 },
        { SF_RESIDENT_EVERY, 1 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t k = 0; k < COUNT(rolled); k++) {
            for (int clears = 0; clears < 2; clears++) {
                net_check(make_branch(i + k, rows[i].kind, rows[i].bodies, clears),
                          (sf_resident_desc){ .name = "branch", .loop = rolled[k] }, 30);
            }
        }
    }
    nothing_is_left();
}
/* Of two outputs it writes the first; the other keeps its bytes. */
static sf_result half_compute(sf_context *ctx)
{
    const work *w = (const work *)ctx->user;
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    const void *from[] = { in->data };
    blend_args a = work_args(w, 0, from, &in->bytes);
    a.out = (uint32_t *)out->data;
    a.n = (uint32_t)(out->bytes / 4);
    sf_launch(sf_compute_stream(ctx), &blend_kernel, &a, sizeof a);
    return sf_emit(ctx, 0, out);
}
/* Only who is skipped is cleared. */
static void what_runs_keeps_its_output(void **state)
{
    static const struct { sf_resident_branch_kind kind; uint32_t runs, skips; } rows[] = {
        { SF_RESIDENT_IF, 1, 0 }, { SF_RESIDENT_SWITCH, 1, 0 }, { SF_RESIDENT_SWITCH, 1, 2 },
        { SF_RESIDENT_EVERY, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows) * COUNT(rolled); i++) {
        sf_resident *r = RESIDENT(.name = "half", .loop = rolled[i % COUNT(rolled)]);
        sf_resident_branch_desc d = { .kind = rows[i / COUNT(rolled)].kind, .clear_skipped = true };
        work copies = { .ins = 1, .outs = 1, .mul = { 1 } }, halves = { .ins = 1, .outs = 2, .mul = { 1 } };
        sf_op from = add_named(r, "from", work_compute, &copies, 1, HOST_IN);
        sf_op half = add_named(r, "half", half_compute, &halves, 1, 0);
        sf_op tail = add_named(r, "tail", work_compute, &copies, 1, HOST_OUT);
        uint32_t value[FRAME / 4] = { 0 }, want[FRAME / 4], *kept = (uint32_t *)test_memory(device, FRAME);
        sf_port own = { .name = "out1", .bytes = FRAME, .data = kept };
        CHECK_EQUAL(sf_resident_add_output(r, half, &own), 1);
        wire(r, from, "out0", half, "in0");
        wire(r, half, "out1", tail, "in0");
        if (d.kind == SF_RESIDENT_EVERY) { d.every = 2, d.phase = 1; } else { d.predicate = from, d.port = "out0"; }
        if (d.kind == SF_RESIDENT_SWITCH) { d.cases = 2; }
        CHECK_OK(sf_resident_put(r, half, sf_resident_add_branch(r, &d), d.kind == SF_RESIDENT_SWITCH));
        for (uint32_t k = 0; k < FRAME / 4; k++) { kept[k] = want[k] = 77 + k; }
        launch(r);
        for (uint32_t n = 1; n <= 6; n++) {
            bool runs = n % 2;
            value[0] = runs ? rows[i / COUNT(rolled)].runs : rows[i / COUNT(rolled)].skips;
            (void)feed(r, from, value, sizeof value);
            if (!runs) { memset(want, 0, sizeof want); }
            result_is(r, tail, n, want, sizeof want);
        }
        stop(r);
        destroy(r);
        CHECK_OK(sf_mem_free(device, kept));
    }
    nothing_is_left();
}
/* An IF within a case of a SWITCH within an ELSE. */
static void nested_branches(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        for (size_t k = 0; k < COUNT(rolled); k++) {
            net *n = net_new(seed);
            int from = net_source(n, 1, 64);
            int p = net_add(n, 1, 1, 4), q = net_add(n, 1, 1, 4), s = net_add(n, 1, 1, 4);
            int x = net_add(n, 1, 1, 64), y = net_add(n, 1, 1, 64), z = net_add(n, 2, 1, 64);
            int w = net_add(n, 1, 1, 64);
            int outer, middle, inner, after;
            net_link(n, from, 0, p, 0, 0);
            net_link(n, from, 0, q, 0, 0);
            net_link(n, from, 0, s, 0, 0);
            net_link(n, from, 0, x, 0, 0);
            net_link(n, from, 0, y, 0, 0);
            net_link(n, from, 0, z, 0, 0);
            net_link(n, x, 0, z, 1, 0);      /* x in the SWITCH, z in the IF within it */
            net_link(n, from, 0, w, 0, 0);
            outer = net_branch_on(n, SF_RESIDENT_IF, p, 2);
            middle = net_branch_on(n, SF_RESIDENT_SWITCH, q, 3);
            n->branch[middle].cases = 3;
            inner = net_branch_on(n, SF_RESIDENT_IF, s, 2);
            net_put(n, q, outer, 1);         /* the SWITCH lies where its predicate lies: in the ELSE */
            net_put(n, w, outer, 0);
            net_put(n, x, middle, 2);
            net_put(n, s, middle, 2);
            net_put(n, y, middle, 0);
            net_put(n, z, inner, 1);
            after = net_sink(n, 4, 64);
            net_link(n, w, 0, after, 0, 0);
            net_link(n, x, 0, after, 1, 0);
            net_link(n, y, 0, after, 2, 0);
            net_link(n, z, 0, after, 3, 0);
            for (int i = 0; i < 4; i++) {
                int of[4] = { w, x, y, z }, tap = net_sink(n, 1, 64);
                net_link(n, of[i], 0, tap, 0, 0);
            }
            net_check(n, (sf_resident_desc){ .name = "nested", .loop = rolled[k] }, 60);
        }
    }
    nothing_is_left();
}
static void branch_warns_if_empty(void **state)
{
    sf_resident *r = RESIDENT(.name = "empty");
    sf_op a = add_sensor(r), b = add_display(r);
    sf_resident_branch_desc d = { .kind = SF_RESIDENT_IF, .predicate = a, .port = "cooked" };
    uint32_t in[FRAME / 4] = { 3 }, want[FRAME / 4];
    (void)state;
    join(r, a, b);
    CHECK(sf_resident_add_branch(r, &d).id != 0);
    build(r);
    CHECK(logged_at(2) > 0);
    for (uint32_t i = 0; i < FRAME / 4; i++) { want[i] = (in[i] * 3 + 5) * 3 + 5; }
    launch(r);
    result_is(r, b, feed(r, a, in, sizeof in), want, sizeof want);
    stop(r);
    destroy(r);
    nothing_is_left();
}
static sf_resident_branch_desc branch_desc;  /* of sensor.cooked; the display is put into it */
static uint32_t branch_which;
static void branch_from_desc(sf_resident *r)
{
    sf_op a = add_sensor(r), b = add_display(r);
    sf_resident_branch_desc d = branch_desc;
    if (d.kind != SF_RESIDENT_EVERY && !d.predicate.id) { d.predicate = a; }
    join(r, a, b);
    (void)sf_resident_put(r, b, sf_resident_add_branch(r, &d), branch_which);
}
static void wrong_put_twice(sf_resident *r)
{
    sf_op a = add_sensor(r), b = add_display(r);
    sf_resident_branch_desc d = { .kind = SF_RESIDENT_IF, .predicate = a, .port = "cooked" };
    sf_resident_branch branch = sf_resident_add_branch(r, &d);
    join(r, a, b);
    (void)sf_resident_put(r, b, branch, 0);
    (void)sf_resident_put(r, b, branch, 1);
}
static void wrong_put_nobody(sf_resident *r)
{
    sf_op a = add_sensor(r), nobody = { 77 };
    sf_resident_branch_desc d = { .kind = SF_RESIDENT_IF, .predicate = a, .port = "cooked" };
    join(r, a, add_display(r));
    (void)sf_resident_put(r, nobody, sf_resident_add_branch(r, &d), 0);
}
static void wrong_put_nowhere(sf_resident *r)
{
    sf_resident_branch nowhere = { 77 };
    sf_op a = add_sensor(r), b = add_display(r);
    join(r, a, b);
    (void)sf_resident_put(r, b, nowhere, 0);
}
static void wrong_in_between(sf_resident *r) /* sensor -> first (in) -> outsider -> display (in) */
{
    sf_op a = add_sensor(r), first = add_desc(r, filter_desc("first")), out = add_desc(r, filter_desc("outsider"));
    sf_op b = add_display(r);
    sf_resident_branch_desc d = { .kind = SF_RESIDENT_IF, .predicate = a, .port = "cooked" };
    sf_resident_branch branch = sf_resident_add_branch(r, &d);
    join(r, a, first);
    join(r, first, out);
    join(r, out, b);
    (void)sf_resident_put(r, first, branch, 0);
    (void)sf_resident_put(r, b, branch, 0);
}
static void wrong_decides_on_itself(sf_resident *r)  /* the predicate reads what its branch makes */
{
    sf_op a = add_sensor(r), in = add_desc(r, filter_desc("within")), p = add_desc(r, filter_desc("judge"));
    sf_resident_branch_desc d = { .kind = SF_RESIDENT_IF, .predicate = p, .port = "right" };
    join(r, a, in);
    join(r, in, p);
    join(r, p, add_display(r));
    (void)sf_resident_put(r, in, sf_resident_add_branch(r, &d), 0);
}
static void decided_by(sf_resident *r, size_t bytes)
{
    sf_op_desc d = filter_desc("judge");
    sf_op a = add_sensor(r), b = add_display(r), p;
    sf_resident_branch_desc branch = { .kind = SF_RESIDENT_IF, .port = "right" };
    d.out[0].bytes = bytes;
    branch.predicate = p = sf_resident_add(r, &d);
    join(r, a, b);
    join(r, a, p);
    (void)sf_resident_put(r, b, sf_resident_add_branch(r, &branch), 0);
}
static void wrong_two_bytes(sf_resident *r) { decided_by(r, 2); }
static void wrong_no_bytes(sf_resident *r) { decided_by(r, 0); }
static void wrong_odd_address(sf_resident *r)
{
    sf_op_desc d = sensor_desc();
    sf_resident_branch_desc b = { .kind = SF_RESIDENT_IF, .port = "cooked" };
    sf_op from, to;
    d.out[0].data = handed_in + 2;
    from = sf_resident_add(r, &d), to = add_display(r);
    join(r, from, to);
    b.predicate = from;
    (void)sf_resident_put(r, to, sf_resident_add_branch(r, &b), 0);
}
static void branches_that_are_wrong(void **state)
{
    static const struct {
        const char *name;
        sf_resident_branch_desc desc;
        uint32_t which;
        const char *words;
    } rows[] = {
        { "no such port", { .kind = SF_RESIDENT_IF, .port = "boiled" }, 0, "boiled" },
        { "an input", { .kind = SF_RESIDENT_IF, .port = "raw" }, 0, "raw" },
        { "nobody decides", { .kind = SF_RESIDENT_IF, .predicate = { 77 }, .port = "cooked" }, 0, "" },
        { "no such kind", { .kind = (sf_resident_branch_kind)9, .port = "cooked" }, 0, "" },
        { "no cases", { .kind = SF_RESIDENT_SWITCH, .port = "cooked" }, 0, "cases" },
        { "every none", { .kind = SF_RESIDENT_EVERY }, 0, "every" },
        { "an IF's third", { .kind = SF_RESIDENT_IF, .port = "cooked" }, 2, "" },
        { "a case too many", { .kind = SF_RESIDENT_SWITCH, .port = "cooked", .cases = 3 }, 3, "" },
        { "an EVERY's second", { .kind = SF_RESIDENT_EVERY, .every = 2 }, 1, "" },
    };
    static const refusal more[] = {
        { "put twice", wrong_put_twice, ANY_ERROR, { "display" }, { 0 } },
        { "put nobody", wrong_put_nobody, SF_ERROR_UNKNOWN_OPERATOR, { NULL }, { 0 } },
        { "put nowhere", wrong_put_nowhere, ANY_ERROR, { "display|branch" }, { 0 } },
        { "in between", wrong_in_between, SF_ERROR_DEADLOCK, { "outsider" }, { 0 } },
        { "on itself", wrong_decides_on_itself, SF_ERROR_DEADLOCK, { "judge <- the branch of judge" }, { 0 } },
        { "two bytes", wrong_two_bytes, SF_ERROR_MISMATCH, { "judge", "'right'", "2 bytes", "uint32_t" }, { 0 } },
        { "no bytes", wrong_no_bytes, SF_ERROR_MISMATCH, { "judge", "'right'", "0 bytes", "uint32_t" }, { 0 } },
        { "odd", wrong_odd_address, SF_ERROR_INVALID_VALUE, { "sensor", "'cooked'", "not aligned", "uint32_t" }, { 0 } },
    };
    (void)state;
    handed_in = (uint8_t *)device_memory(2 * FRAME);
    at_start.live_bytes += 2 * FRAME;
    for (size_t i = 0; i < COUNT(rows); i++) {
        refusal row = { rows[i].name, branch_from_desc, ANY_ERROR, { rows[i].words }, { 0 } };
        branch_desc = rows[i].desc;
        branch_which = rows[i].which;
        refuse(&row);
    }
    refuse_all(more, COUNT(more));
    CHECK_OK(sf_mem_free(device, handed_in));
    at_start.live_bytes -= 2 * FRAME;
}

/* -- operators that record graphs themselves, through the stream layer -- */

/* Where the next node of the stream goes; 16 are enough for what is tried here. */
typedef struct spot { sf_stream *stream; sf_graph *graph; sf_dependency after[16]; int count; } spot;
static sf_result spot_of(sf_context *ctx, spot *at)
{
    sf_capture_info info;
    sf_result r;
    memset(&info, 0, sizeof info);
    at->stream = sf_compute_stream(ctx);
    r = sf_stream_get_capture_info(at->stream, &info, at->after, 16);
    at->graph = info.graph;
    at->count = info.dependencies;
    return r < 0 ? r : info.status != SF_CAPTURE_ACTIVE || info.dependencies > 16 ? SF_ERROR_UNKNOWN : SF_OK;
}
static sf_result spot_add(spot *at, const sf_node_desc *desc)        /* the stream goes on after it */
{
    sf_dependency node = { NULL, SF_DEPENDENCY_FULL };
    sf_result r = sf_graph_add_node(at->graph, at->count ? at->after : NULL, at->count, desc, &node.node);
    if (r >= 0) { r = sf_stream_update_capture_dependencies(at->stream, &node, 1, SF_CAPTURE_SET_DEPENDENCIES); }
    at->after[0] = node;
    at->count = 1;
    return r;
}
static sf_node_desc mix_node(const char *name, const mix_args *a)
{
    return (sf_node_desc){ .type = SF_NODE_KERNEL, .name = name, .kernel = { &mix_kernel, a, sizeof *a } };
}
typedef struct recorder { sf_graph_conditional_type type; int bodies; uint32_t *scratch; bool nested; } recorder;
/* scratch = in; then by scratch[0] % mod: out = f(scratch), with another f in each body, or as often as it says. */
static sf_result record(sf_context *ctx)
{
    const recorder *c = (const recorder *)ctx->user;
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    uint32_t *word = c->scratch + 64 * ctx->run, mod = c->type == SF_GRAPH_WHILE ? 5 : (uint32_t)c->bodies + 1;
    sf_graph *body[4] = { NULL, NULL, NULL, NULL };
    sf_node_desc choice = { .type = SF_NODE_CONDITIONAL, .name = "choice" };
    steer_args steer = { .word = word, .mod = mod };
    sf_result r;
    spot at;
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    r = spot_of(ctx, &at);
    if (r >= 0) { r = sf_graph_conditional_create(at.graph, 0, false, &steer.handle); }
    if (r >= 0) { r = sf_memcpy_async(at.stream, out->data, in->data, in->bytes); }
    steer.src = (const uint32_t *)in->data;
    if (r >= 0) { r = sf_launch(at.stream, &steer_kernel, &steer, sizeof steer); }
    if (r >= 0) { r = spot_of(ctx, &at); }
    choice.conditional.handle = steer.handle;
    choice.conditional.type = c->type;
    choice.conditional.bodies = c->bodies;
    choice.conditional.body = body;
    if (r >= 0) { r = spot_add(&at, &choice); }
    for (int i = 0; i < c->bodies && r >= 0; i++) {
        mix_args a = { .dst = (uint32_t *)out->data, .n = FRAME / 4, .mul = 3 + (uint32_t)i, .add = 11 };
        sf_dependency after = { NULL, SF_DEPENDENCY_FULL };
        sf_node_desc work = mix_node("step", &a);
        r = sf_graph_add_node(body[i], NULL, 0, &work, &after.node);
        if (c->type == SF_GRAPH_WHILE && r >= 0) {     /* word - 1, and on while there is something left */
            steer_args less = { .handle = steer.handle, .word = word, .add = UINT32_MAX };
            sf_node_desc again = { .type = SF_NODE_KERNEL, .name = "again" };
            again.kernel.func = &steer_kernel, again.kernel.args = &less, again.kernel.bytes = sizeof less;
            r = sf_graph_add_node(body[i], &after, 1, &again, NULL);
        }
    }
    if (r >= 0) { r = sf_emit(ctx, 0, out); }
    return r;
}
static void record_model(const recorder *c, uint32_t *frame)
{
    uint32_t mod = c->type == SF_GRAPH_WHILE ? 5 : (uint32_t)c->bodies + 1, word = frame[0] % mod, times = 1;
    uint32_t mul = 3;
    if (c->type == SF_GRAPH_WHILE) { times = word; }
    if (c->type == SF_GRAPH_IF) {
        times = word || c->bodies == 2;
        mul = word ? 3 : 4;
    }
    if (c->type == SF_GRAPH_SWITCH) {
        times = word < (uint32_t)c->bodies;
        mul = 3 + word;
    }
    for (uint32_t t = 0; t < times; t++) {
        for (uint32_t i = 0; i < FRAME / 4; i++) { frame[i] = frame[i] * mul + 11; }
    }
}
static void run_recorder(recorder *c, sf_compute_func compute, sf_resident_loop loop, bool in_branch,
                         void (*model)(const recorder *, uint32_t *))
{
    sf_resident *r = RESIDENT(.name = "record", .loop = loop, .slots = 4);
    sf_op a = add_sensor(r), b = add_named(r, "recorder", compute, c, 1, 0), to = add_display(r);
    uint32_t frame[FRAME / 4];
    rng g = rng_seed((uint64_t)c->type * 10 + (uint64_t)c->bodies);
    wire(r, a, "cooked", b, "in0");
    wire(r, b, "out0", to, "picture");
    if (in_branch) {
        sf_resident_branch_desc every = { .kind = SF_RESIDENT_EVERY, .every = 1 };
        CHECK_OK(sf_resident_put(r, b, sf_resident_add_branch(r, &every), 0));
    }
    launch(r);
    for (int n = 0; n < 25; n++) {
        uint64_t sequence;
        rng_fill(&g, frame, sizeof frame);
        sequence = feed(r, a, frame, sizeof frame);
        for (uint32_t i = 0; i < FRAME / 4; i++) { frame[i] = frame[i] * 3 + 5; }
        model(c, frame);
        for (uint32_t i = 0; i < FRAME / 4; i++) { frame[i] = frame[i] * 3 + 5; }
        result_is(r, to, sequence, frame, sizeof frame);
    }
    stop(r);
    destroy(r);
}
static void conditionals_of_operators(void **state)
{
    static const struct { sf_graph_conditional_type type; int bodies; } rows[] = {
        { SF_GRAPH_IF, 1 }, { SF_GRAPH_IF, 2 }, { SF_GRAPH_SWITCH, 3 }, { SF_GRAPH_WHILE, 1 },
    };
    uint32_t *scratch = (uint32_t *)test_memory(device, 64 * 4 * 4);
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t k = 0; k < COUNT(all_loops); k++) {
            recorder c = { .type = rows[i].type, .bodies = rows[i].bodies, .scratch = scratch };
            run_recorder(&c, record, all_loops[k], false, record_model);
        }
        for (size_t k = 0; k < COUNT(rolled); k++) {
            recorder c = { .type = rows[i].type, .bodies = rows[i].bodies, .scratch = scratch };
            run_recorder(&c, record, rolled[k], true, record_model);
        }
    }
    CHECK_OK(sf_mem_free(device, scratch));
    nothing_is_left();
}
/* A graph of the operator's own, as a child; and a body that is captured on another stream. */
static sf_result record_child(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    mix_args a = { .n = FRAME / 4, .mul = 3, .add = 1 }, b = { .n = FRAME / 4, .mul = 5, .add = 2 };
    sf_node_desc first, second, child = { .type = SF_NODE_CHILD, .name = "family" };
    sf_dependency after = { NULL, SF_DEPENDENCY_FULL };
    sf_result r;
    spot at;
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    a.dst = b.dst = (uint32_t *)out->data;
    first = mix_node("elder", &a), second = mix_node("younger", &b);
    r = sf_graph_create(device, &child.child);
    if (r >= 0) { r = sf_graph_add_node(child.child, NULL, 0, &first, &after.node); }
    if (r >= 0) { r = sf_graph_add_node(child.child, &after, 1, &second, NULL); }
    if (r >= 0) { r = sf_memcpy_async(sf_compute_stream(ctx), out->data, in->data, in->bytes); }
    if (r >= 0) { r = spot_of(ctx, &at); }
    if (r >= 0) { r = spot_add(&at, &child); }
    (void)sf_graph_destroy(child.child);     /* the node has a copy */
    if (r >= 0) { r = sf_emit(ctx, 0, out); }
    return r;
}
static void child_model(const recorder *c, uint32_t *frame)
{
    (void)c;
    for (uint32_t i = 0; i < FRAME / 4; i++) { frame[i] = (frame[i] * 3 + 1) * 5 + 2; }
}
static sf_result record_captured(sf_context *ctx)            /* IF the first word is odd: the body is captured */
{
    const recorder *c = (const recorder *)ctx->user;
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    sf_graph *body = NULL;
    sf_node_desc choice = { .type = SF_NODE_CONDITIONAL, .name = "choice" };
    steer_args steer = { .word = c->scratch + ctx->run, .mod = 2 };
    mix_args a = { .n = FRAME / 4, .mul = 9, .add = 4 };
    sf_result r;
    spot at;
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    r = spot_of(ctx, &at);
    if (r >= 0) { r = sf_graph_conditional_create(at.graph, 0, false, &steer.handle); }
    if (r >= 0) { r = sf_memcpy_async(at.stream, out->data, in->data, in->bytes); }
    steer.src = (const uint32_t *)in->data;
    a.dst = (uint32_t *)out->data;
    if (r >= 0) { r = sf_launch(at.stream, &steer_kernel, &steer, sizeof steer); }
    if (r >= 0) { r = spot_of(ctx, &at); }
    choice.conditional.handle = steer.handle;
    choice.conditional.type = SF_GRAPH_IF;
    choice.conditional.bodies = 1;
    choice.conditional.body = &body;
    if (r >= 0) { r = spot_add(&at, &choice); }
    if (r >= 0) { r = sf_stream_begin_capture_to_graph(other_stream, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL); }
    if (r >= 0) { r = sf_launch(other_stream, &mix_kernel, &a, sizeof a); }
    if (r >= 0) { r = sf_launch(other_stream, &mix_kernel, &a, sizeof a); }
    if (r >= 0) { r = sf_stream_end_capture(other_stream, &body); }
    if (r >= 0) { r = sf_emit(ctx, 0, out); }
    return r;
}
static void captured_model(const recorder *c, uint32_t *frame)
{
    (void)c;
    if (frame[0] % 2 == 0) { return; }
    for (uint32_t i = 0; i < FRAME / 4; i++) { frame[i] = (frame[i] * 9 + 4) * 9 + 4; }
}
static void children_and_captured_bodies(void **state)
{
    recorder c = { .bodies = 1 };
    (void)state;
    open_others();
    c.scratch = other_memory;
    for (size_t k = 0; k < COUNT(all_loops); k++) {
        run_recorder(&c, record_child, all_loops[k], false, child_model);
        run_recorder(&c, record_captured, all_loops[k], false, captured_model);
    }
    for (size_t k = 0; k < COUNT(rolled); k++) {
        run_recorder(&c, record_child, rolled[k], true, child_model);
        run_recorder(&c, record_captured, rolled[k], true, captured_model);
    }
    nothing_is_left();
}
/* A conditional in a child is what CUDA cannot do: refused when the graph is built, by name. */
static sf_result record_conditional_in_child(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    sf_node_desc child = { .type = SF_NODE_CHILD, .name = "family" };
    sf_node_desc choice = { .type = SF_NODE_CONDITIONAL, .name = "choice" };
    sf_graph *body = NULL;
    sf_result r;
    spot at;
    if (!in || !out) { return SF_ERROR_UNKNOWN; }
    r = sf_graph_create(device, &child.child);
    if (r >= 0) { r = sf_graph_conditional_create(child.child, 0, false, &choice.conditional.handle); }
    choice.conditional.type = SF_GRAPH_IF;
    choice.conditional.bodies = 1;
    choice.conditional.body = &body;
    if (r >= 0) { r = sf_graph_add_node(child.child, NULL, 0, &choice, NULL); }
    if (r >= 0) { r = spot_of(ctx, &at); }
    if (r >= 0) { r = spot_add(&at, &child); }
    (void)sf_graph_destroy(child.child);
    (void)sf_emit(ctx, 0, out);
    return r;
}
static void conditionals_in_children(void **state)
{
    static const misdeed deed = { "conditional in child", record_conditional_in_child, ANY_ERROR, "" };
    refusal row = { deed.name, misbehave, ANY_ERROR, { "filter" }, { 0 } };
    (void)state;
    misdeed_of_row = &deed;
    refuse(&row);
    check_nothing_wrong();
    check_device_works();
    nothing_is_left();
}

/* -- data-ready handlers -- */

enum { SCRIPT = 200 };
typedef struct script {
    sf_resident *r;
    uint32_t *words, *limit, *turn;          /* SCRIPT words, and two */
    uint32_t ready;                          /* how many of them are a frame */
    uint32_t wrap;                           /* the script begins again after so many */
    bool chained;                            /* it has an input, to come after somebody */
    uint32_t at[SCRIPT];                     /* which */
} script;
static sf_result mark_compute(sf_context *ctx)        /* after whoever is before it, if there is one */
{
    const script *s = (const script *)ctx->user;
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    mark_args a;
    if (s->chained) { (void)sf_receive(ctx, 0); }
    if (!out) { return SF_ERROR_UNKNOWN; }
    memset(&a, 0, sizeof a);
    a.wrap = s->wrap;
    a.control = sf_resident_get_control(s->r);
    a.script = s->words;
    a.limit = s->limit;
    a.turn = s->turn;
    a.out = (uint32_t *)out->data;
    a.n = (uint32_t)(out->bytes / 4);
    (void)sf_launch(sf_compute_stream(ctx), &mark_kernel, &a, sizeof a);
    return sf_emit(ctx, 0, out);
}
static void script_make(script *s, sf_resident *r, uint64_t seed)
{
    static const uint32_t words[] = { MARK_NOTHING,  MARK_NOT_READY,       MARK_READY,        MARK_READY,
                                      MARK_TWICE,    MARK_RAW + 0,         MARK_RAW + 1,      MARK_RAW + 3,
                                      MARK_RAW + 77, MARK_RAW + 0x2000000, UINT32_MAX,        MARK_RAW + 2 };
    rng g = rng_seed(seed);
    memset(s, 0, sizeof *s);
    s->r = r;
    s->words = (uint32_t *)test_memory(device, (SCRIPT + 64) * 4);
    s->limit = s->words + SCRIPT;
    s->turn = s->words + SCRIPT + 32;
    for (uint32_t i = 0; i < SCRIPT; i++) {
        uint32_t w = words[rng_below(&g, COUNT(words))];
        s->words[i] = w;
        if (w == MARK_READY || w == MARK_TWICE || w == MARK_RAW + 2) { s->at[s->ready++] = i; }
    }
}
/* Not one iteration more, and not one less, than turns that were ready; each with the data of its turn. */
static void handlers(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(rolled); k++) {
        sf_resident *r = RESIDENT(.name = "handler", .loop = rolled[k], .slots = 4);
        sf_resident_control *control = sf_resident_get_control(r);
        sf_op eye, body, tail;
        uint32_t want[FRAME / 4], next = 0;
        uint64_t sequence = 0;
        script s;
        script_make(&s, r, k);
        eye = add_named(r, "eye", mark_compute, &s, 0, 0);
        body = add_named(r, "body", work_compute, &plain, 1, 0);
        tail = add_named(r, "tail", work_compute, &plain, 1, HOST_OUT);
        wire(r, eye, "out0", body, "in0");
        wire(r, body, "out0", tail, "in0");
        CHECK_OK(sf_resident_register_data_ready_handler(r, eye));
        CHECK(sf_resident_get_control(r) == control || !control);
        control = sf_resident_get_control(r);
        build(r);
        CHECK(control && sf_resident_get_control(r) == control);
        CHECK_EQUAL(logged_at(2), 0);
        launch(r);
        CHECK_IS(sf_resident_data_ready(r, &sequence), SF_ERROR_ILLEGAL_STATE);
        for (uint32_t limit = 0; limit <= SCRIPT; limit += 20) { /* what is not said yet is not there */
            sf_resident_slot none;
            test_store(s.limit, limit);
            while (next < s.ready && s.at[next] < limit) {
                for (uint32_t i = 0; i < FRAME / 4; i++) { want[i] = (s.at[next] * 3 + 5) * 3 + 5; }
                result_is(r, tail, ++next, want, sizeof want);
            }
            wait_until(s.turn, limit);
            CHECK_IS(sf_resident_result(r, tail, next + 1, 0, &none), SF_TIMEOUT);
        }
        CHECK_EQUAL(next, s.ready);
        stop(r);
        CHECK_EQUAL(info_of(r).completed, s.ready);
        destroy_is(r, SF_OK);
        CHECK_OK(sf_mem_free(device, s.words));
    }
    nothing_is_left();
}
/* All operators before the handler belong to it, and what they make goes to the others, too. */
static void handlers_of_several(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(rolled); k++) {
        sf_resident *r = RESIDENT(.name = "handler", .loop = rolled[k]);
        work none = { .ins = 0, .outs = 1, .add = 9 };
        work two = { .ins = 3, .outs = 1, .mul = { 1, 10, 100 }, .add = 1 };
        sf_op first, second, eye, tail;
        uint32_t want[FRAME / 4];
        uint32_t *ran = (uint32_t *)test_memory(device, 64);
        script s;
        script_make(&s, r, k + 10);
        none.ran = ran;
        s.chained = true;
        first = add_named(r, "first", work_compute, &none, 0, 0);        /* 9 */
        second = add_named(r, "second", work_compute, &plain, 1, 0);     /* 32 */
        eye = add_named(r, "eye", mark_compute, &s, 1, 0);               /* the turn */
        tail = add_named(r, "tail", work_compute, &two, 3, HOST_OUT);
        wire(r, first, "out0", second, "in0");
        wire(r, second, "out0", eye, "in0");
        wire(r, first, "out0", tail, "in0");
        wire(r, second, "out0", tail, "in1");
        wire(r, eye, "out0", tail, "in2");
        CHECK_OK(sf_resident_register_data_ready_handler(r, eye));
        launch(r);
        test_store(s.limit, SCRIPT);
        for (uint32_t n = 0; n < s.ready; n++) {
            for (uint32_t i = 0; i < FRAME / 4; i++) { want[i] = 9 + 32 * 10 + s.at[n] * 100 + 1; }
            result_is(r, tail, n + 1, want, sizeof want);
        }
        wait_until(s.turn, SCRIPT);
        stop(r);
        CHECK(test_load(ran) >= SCRIPT);     /* in each turn, ready or not */
        CHECK_EQUAL(info_of(r).completed, s.ready);
        destroy(r);
        CHECK_OK(sf_mem_free(device, s.words));
        CHECK_OK(sf_mem_free(device, ran));
    }
    nothing_is_left();
}
/* Turns that are not ready leave everything as it is: delays, branches, and what the handler itself remembers. */
static void handlers_branches_and_delays(void **state)
{
    (void)state;
    for (int feedback = 0; feedback < 2; feedback++) {
        sf_resident *r = RESIDENT(.name = "handler", .slots = 2);
        sf_resident_branch_desc odd = { .kind = SF_RESIDENT_IF, .port = "out0", .clear_skipped = true };
        sf_resident_branch_desc third = { .kind = SF_RESIDENT_EVERY, .every = 3, .clear_skipped = true };
        sf_edge_desc late = { .delay = 1 };
        work judge = { .ins = 1, .outs = 1, .mul = { 1 << 8 }, .mod = 2 };   /* the turn, % 2 */
        work sums = { .ins = 2, .outs = 1, .mul = { 1, 3 } }, last = { .ins = 4, .outs = 1, .mul = { 1, 1, 1, 1 } };
        work looks = { .ins = 1, .outs = 1, .mul = { 5 }, .add = 2 };
        sf_op eye, p, sum, one, two, tail, look = { 0 };
        uint32_t sequence = 0, next = 0, sum_value, tail_value;
        script s;
        script_make(&s, r, 40 + (uint64_t)feedback);
        s.chained = feedback;
        eye = add_named(r, "eye", mark_compute, &s, feedback, 0);
        p = add_named(r, "judge", work_compute, &judge, 1, 0);
        sum = add_named(r, "sum", work_compute, &sums, 2, 0);
        one = add_named(r, "one", work_compute, &plain, 1, 0);
        two = add_named(r, "two", work_compute, &plain, 1, 0);
        tail = add_named(r, "tail", work_compute, &last, 4, HOST_OUT);
        if (feedback) {                      /* the handler sees the last result */
            look = add_named(r, "look", work_compute, &looks, 1, 0);
            CHECK_OK(sf_resident_connect(r, tail, "out0", look, "in0", &late));
            wire(r, look, "out0", eye, "in0");
        }
        wire(r, eye, "out0", p, "in0");
        wire(r, eye, "out0", sum, "in0");
        CHECK_OK(sf_resident_connect(r, sum, "out0", sum, "in1", &late));
        wire(r, sum, "out0", one, "in0");
        wire(r, sum, "out0", two, "in0");
        wire(r, one, "out0", tail, "in0");
        wire(r, two, "out0", tail, "in1");
        wire(r, sum, "out0", tail, "in2");
        wire(r, feedback ? look : eye, "out0", tail, "in3");
        odd.predicate = p;
        CHECK_OK(sf_resident_put(r, one, sf_resident_add_branch(r, &odd), 0));
        CHECK_OK(sf_resident_put(r, two, sf_resident_add_branch(r, &third), 0));
        CHECK_OK(sf_resident_register_data_ready_handler(r, eye));
        for (int again = 0; again < 2; again++) {
            launch(r);
            sum_value = tail_value = 0;
            test_store(s.limit, again ? SCRIPT : SCRIPT / 2);
            while (next < s.ready && s.at[next] < test_load(s.limit)) {
                uint32_t turn = s.at[next++], want[FRAME / 4], looked = tail_value * 5 + 2;
                sequence++;
                sum_value = turn + sum_value * 3;
                tail_value = sum_value + (feedback ? looked : turn);
                if (turn % 2) { tail_value += sum_value * 3 + 5; }
                if (sequence % 3 == 0) { tail_value += sum_value * 3 + 5; }
                for (uint32_t i = 0; i < FRAME / 4; i++) { want[i] = tail_value; }
                result_is(r, tail, sequence, want, sizeof want);
            }
            wait_until(s.turn, test_load(s.limit));
            stop(r);
        }
        CHECK_EQUAL(next, s.ready);
        destroy(r);
        CHECK_OK(sf_mem_free(device, s.words));
    }
    nothing_is_left();
}
/* The second call counts, and warns. */
static void handlers_are_replaced(void **state)
{
    sf_resident *r = RESIDENT(.name = "handler");
    script s, unused;
    sf_op first, second, tail;
    work both = { .ins = 2, .outs = 1, .mul = { 1, 0 }, .add = 0 };
    uint32_t want[FRAME / 4];
    (void)state;
    script_make(&s, r, 20);
    script_make(&unused, r, 21);
    for (uint32_t i = 0; i < SCRIPT; i++) { unused.words[i] = MARK_NOTHING; }
    test_store(unused.limit, SCRIPT);
    first = add_named(r, "first", mark_compute, &unused, 0, 0);
    second = add_named(r, "second", mark_compute, &s, 0, 0);
    tail = add_named(r, "tail", work_compute, &both, 2, HOST_OUT);
    wire(r, second, "out0", tail, "in0");
    wire(r, first, "out0", tail, "in1");     /* an ordinary operator now: once per iteration */
    CHECK_OK(sf_resident_register_data_ready_handler(r, first));
    CHECK_EQUAL(logged_at(2), 0);
    CHECK(sf_resident_register_data_ready_handler(r, second) >= 0);
    CHECK_LOGGED(2, "second", NULL, NULL);
    launch(r);
    test_store(s.limit, SCRIPT);
    for (uint32_t n = 0; n < s.ready; n++) {
        for (uint32_t i = 0; i < FRAME / 4; i++) { want[i] = s.at[n]; }
        result_is(r, tail, n + 1, want, sizeof want);
    }
    wait_until(s.turn, SCRIPT);
    stop(r);
    CHECK_EQUAL(info_of(r).completed, s.ready);
    CHECK(test_load(unused.turn) <= s.ready + 2 && test_load(unused.turn) >= s.ready);
    destroy(r);
    CHECK_OK(sf_mem_free(device, s.words));
    CHECK_OK(sf_mem_free(device, unused.words));
    nothing_is_left();
}
/* External inputs elsewhere: an iteration takes a ready turn and a frame of the host's. */
static void handlers_and_the_host(void **state)
{
    sf_resident *r = RESIDENT(.name = "handler", .slots = 4);
    work both = { .ins = 2, .outs = 1, .mul = { 1, 0x10000 }, .add = 0 };
    script s;
    sf_op eye, tail;
    uint32_t in[FRAME / 4], want[FRAME / 4];
    (void)state;
    script_make(&s, r, 30);
    for (uint32_t i = 0; i < SCRIPT; i++) { s.words[i] = i % 3 ? MARK_READY : MARK_NOTHING; }
    s.wrap = SCRIPT;
    eye = add_named(r, "eye", mark_compute, &s, 0, 0);
    tail = add_named(r, "tail", work_compute, &both, 2, HOST_IN | HOST_OUT);
    wire(r, eye, "out0", tail, "in1");
    CHECK_OK(sf_resident_register_data_ready_handler(r, eye));
    launch(r);
    test_store(s.limit, UINT32_MAX);
    for (uint32_t n = 1; n <= 20; n++) {
        sf_resident_slot slot;
        uint64_t sequence;
        for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = n; }
        sequence = feed(r, tail, in, sizeof in);
        CHECK_EQUAL(sequence, n);
        slot = fetch(r, tail, sequence);
        for (uint32_t i = 0; i < FRAME / 4; i++) { want[i] = ((const uint32_t *)slot.data[0])[i]; }
        CHECK_EQUAL(want[0] % 0x10000, n);   /* the host's frame; of which turn it is nobody knows */
        for (uint32_t i = 1; i < FRAME / 4; i++) { CHECK_EQUAL(want[i], want[0]); }
        give(r, &slot);
    }
    stop(r);
    CHECK_EQUAL(info_of(r).completed, 20);
    destroy(r);
    CHECK_OK(sf_mem_free(device, s.words));
    nothing_is_left();
}
/* A mark waits for a frame, and for room, as long as it takes; and a drain leaves what no mark has let in. */
static void handlers_wait_for_the_host(void **state)
{
    sf_resident *r = RESIDENT(.name = "handler", .slots = 2, .stall_timeout = SF_MS(100));
    work both = { .ins = 2, .outs = 1, .mul = { 1, 0 }, .add = 0 };
    script s;
    sf_op eye, tail;
    uint32_t in[FRAME / 4];
    (void)state;
    script_make(&s, r, 32);
    s.wrap = 1;
    test_store(&s.words[0], MARK_READY);
    eye = add_named(r, "eye", mark_compute, &s, 0, 0);
    tail = add_named(r, "tail", work_compute, &both, 2, HOST_IN | HOST_OUT);
    wire(r, eye, "out0", tail, "in1");
    CHECK_OK(sf_resident_register_data_ready_handler(r, eye));
    launch(r);
    test_store(s.limit, UINT32_MAX);
    wait_until(s.turn, 1);
    CHECK_IS(sf_resident_wait(r, SF_MS(300)), SF_TIMEOUT);           /* for a frame: no stall */
    for (uint32_t n = 1; n <= 4; n++) {
        for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = n; }
        CHECK_EQUAL(feed(r, tail, in, sizeof in), n);
    }
    CHECK_IS(sf_resident_wait(r, SF_MS(300)), SF_TIMEOUT);           /* for room */
    CHECK_EQUAL(info_of(r).completed, 2);
    for (uint32_t n = 1; n <= 4; n++) {
        for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = n; }
        result_is(r, tail, n, in, sizeof in);
    }
    stop(r);
    test_store(&s.words[0], MARK_NOT_READY);
    launch(r);
    CHECK_EQUAL(feed(r, tail, in, sizeof in), 5);
    stop(r);
    CHECK_EQUAL(info_of(r).completed, 4);
    CHECK_EQUAL(info_of(r).queued, 1);
    test_store(&s.words[0], MARK_READY);
    launch(r);
    result_is(r, tail, 5, in, sizeof in);
    stop(r);
    destroy(r);
    CHECK_OK(sf_mem_free(device, s.words));
    nothing_is_left();
}
/* Any source is enough, but a ready turn has to be there, too; which waits for a frame if there is none. */
static void handlers_with_any_source(void **state)
{
    sf_resident *r = RESIDENT(.name = "handler", .any_source = true);
    work both = { .ins = 2, .outs = 1, .mul = { 1, 0x100 }, .add = 0 };
    script s;
    sf_op eye, left, right, tail;
    uint64_t done = 0;
    (void)state;
    script_make(&s, r, 31);
    s.wrap = 1;
    test_store(&s.words[0], MARK_NOT_READY);
    eye = add_named(r, "eye", mark_compute, &s, 0, HOST_OUT);
    left = add_named(r, "left", work_compute, &plain, 1, HOST_IN);
    right = add_named(r, "right", work_compute, &plain, 1, HOST_IN);
    tail = add_named(r, "tail", work_compute, &both, 2, HOST_OUT);
    wire(r, left, "out0", tail, "in0");
    wire(r, right, "out0", tail, "in1");
    CHECK_OK(sf_resident_register_data_ready_handler(r, eye));
    launch(r);
    test_store(s.limit, UINT32_MAX);
    for (uint32_t n = 1; n <= 30; n++) {
        uint32_t in[FRAME / 4], turn = test_load(s.turn);
        bool asked = n % 3 == 1;             /* of three frames the first comes when no turn is ready */
        sf_resident_slot slot;
        for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = n; }
        if (n % 3 == 0) { test_store(&s.words[0], MARK_NOT_READY); }
        (void)feed(r, n % 2 ? left : right, in, sizeof in);
        if (asked) {
            wait_until(s.turn, turn + 5);
            CHECK_EQUAL(info_of(r).completed, done);
            test_store(&s.words[0], MARK_READY);
        }
        slot = fetch(r, tail, ++done);
        CHECK_EQUAL((((const uint32_t *)slot.data[0])[1] >> (n % 2 ? 0 : 8)) & 0xff, n * 3 + 5);
        give(r, &slot);
        slot = fetch(r, eye, done);
        turn = ((const uint32_t *)slot.data[0])[0];
        give(r, &slot);
        if (n % 3) { wait_until(s.turn, turn + 2); } /* the turn after it is ready, too, and has no frame */
        CHECK_EQUAL(info_of(r).completed, done);
    }
    stop(r);
    destroy(r);
    CHECK_OK(sf_mem_free(device, s.words));
    nothing_is_left();
}
static void wrong_handler_fed(sf_resident *r)
{
    sf_op a = add_sensor(r);
    join(r, a, add_display(r));
    (void)sf_resident_register_data_ready_handler(r, a);
}
static void wrong_handler_fed_before(sf_resident *r)
{
    sf_op a = add_sensor(r), f = add_desc(r, filter_desc("filter"));
    join(r, a, f);
    join(r, f, add_display(r));
    (void)sf_resident_register_data_ready_handler(r, f);
}
static void wrong_handler_nobody(sf_resident *r)
{
    sf_op nobody = { 77 };
    join(r, add_sensor(r), add_display(r));
    result_should_be("handler", "register", sf_resident_register_data_ready_handler(r, nobody),
                     SF_ERROR_UNKNOWN_OPERATOR);
}
static void handlers_that_are_wrong(void **state)
{
    static const refusal rows[] = {
        { "fed by the host", wrong_handler_fed, ANY_ERROR, { "sensor", "raw" }, { 0 } },
        { "fed before", wrong_handler_fed_before, ANY_ERROR, { "sensor", "raw" }, { 0 } },
        { "nobody", wrong_handler_nobody, SF_ERROR_UNKNOWN_OPERATOR, { NULL }, { 0 } },
    };
    (void)state;
    refuse_all(rows, COUNT(rows));
}

/* -- fused loops -- */

#ifdef SF_WITH_CUDA_BODIES
extern const sf_kernel fused_three;          /* in resident_kernels.cu, for both backends */
#else
SF_RESIDENT_FUSED(fused_three, fused_first, fused_second, fused_third)
#endif
static sf_op add_fused(sf_resident *r, const char *name, uint32_t *user, int ins, int outs, int host)
{
    static const char *const in[] = { "in0", "in1" }, *const out[] = { "out0", "out1" };
    sf_op_desc d = { .name = name, .user = user };
    for (int i = 0; i < ins; i++) { d.in[i] = (sf_port){ .name = in[i], .bytes = FUSED_WORDS * 4 }; }
    for (int i = 0; i < outs; i++) { d.out[i] = (sf_port){ .name = out[i], .bytes = FUSED_WORDS * 4 }; }
    d.in[0].external = (host & HOST_IN) != 0;
    d.out[0].external = (host & HOST_OUT) != 0;
    return sf_resident_add(r, &d);
}
typedef struct fused { sf_resident *r; uint32_t *user; sf_op a, b, c; } fused;
static void fused_fill(fused *f)             /* the operators of a loop of fused_three */
{
    f->user = (uint32_t *)test_memory(device, 64);
    f->user[0] = 11, f->user[1] = 22, f->user[2] = 33;
    f->a = add_fused(f->r, "first", f->user, 1, 2, HOST_IN);
    f->b = add_fused(f->r, "second", f->user + 1, 1, 1, 0);
    f->c = add_fused(f->r, "third", f->user + 2, 2, 1, HOST_OUT);
    wire(f->r, f->a, "out0", f->b, "in0");
    wire(f->r, f->b, "out0", f->c, "in0");
    wire(f->r, f->a, "out1", f->c, "in1");
}
static void fused_make(fused *f, sf_resident_desc desc)
{
    desc.fused = &fused_three;
    f->r = resident_of(desc);
    fused_fill(f);
}
static void fused_with_another_number(void **state)          /* three functions, two operators */
{
    uint32_t *user = (uint32_t *)test_memory(device, 64);
    sf_resident *r = RESIDENT(.name = "two", .fused = &fused_three);
    sf_op a = add_fused(r, "first", user, 1, 1, HOST_IN), b = add_fused(r, "second", user + 1, 1, 1, HOST_OUT);
    (void)state;
    wire(r, a, "out0", b, "in0");
    launch(r);
    CHECK_IS(sf_resident_wait(r, GUARD), SF_ERROR_MISMATCH);
    CHECK(strstr(sf_resident_failure(r)->text, "SF_RESIDENT_FUSED()"));
    destroy_is(r, SF_ERROR_MISMATCH);
    CHECK_OK(sf_mem_free(device, user));
    nothing_is_left();
}
static void fused_model(const uint32_t *in, uint32_t *want)
{
    for (uint32_t i = 0; i < FUSED_WORDS; i++) {
        want[i] = in[FUSED_WORDS - 1 - i] * 3 + 11 + 22 + (in[i] + 1) * 33;
    }
}
static void fused_loops(void **state)
{
    (void)state;
    for (uint32_t slots = 1; slots <= 8; slots *= 2) {
        for (int asked = 0; asked < 2; asked++) {
            uint32_t in[FUSED_WORDS], want[8][FUSED_WORDS];
            rng g = rng_seed(slots);
            fused f;
            fused_make(&f, (sf_resident_desc){ .name = "fused",
                                               .slots = slots,
                                               .loop = asked ? SF_RESIDENT_LOOP_FUSED : SF_RESIDENT_LOOP_AUTO });
            build(f.r);
            CHECK_EQUAL(info_of(f.r).loop, SF_RESIDENT_LOOP_FUSED);
            CHECK_EQUAL(logged_at(2), 0);
            CHECK(sf_resident_device_memory(f.r, f.a, "out0", 0) == sf_resident_device_memory(f.r, f.b, "in0", 0));
            CHECK(sf_resident_device_memory(f.r, f.a, "out1", 0) == sf_resident_device_memory(f.r, f.c, "in1", 0));
            CHECK(sf_resident_device_memory(f.r, f.a, "out0", 0) != sf_resident_device_memory(f.r, f.a, "out1", 0));
            for (int again = 0; again < 2; again++) {
                launch(f.r);
                for (int burst = 0; burst < 5; burst++) {
                    uint64_t first = 0;
                    for (uint32_t i = 0; i < slots; i++) {
                        uint64_t sequence;
                        rng_fill(&g, in, sizeof in);
                        fused_model(in, want[i]);
                        sequence = feed(f.r, f.a, in, sizeof in);
                        if (!i) { first = sequence; }
                    }
                    for (uint32_t i = 0; i < slots; i++) { result_is(f.r, f.c, first + i, want[i], sizeof in); }
                }
                stop(f.r);
            }
            CHECK_EQUAL(info_of(f.r).completed, 10 * slots);
            destroy(f.r);
            CHECK_OK(sf_mem_free(device, f.user));
        }
    }
    nothing_is_left();
}
static uint32_t fused_user;
static void wrong_fused_order(sf_resident *r)        /* the second is given before what it reads */
{
    sf_op b = add_fused(r, "second", &fused_user, 1, 1, 0), a = add_fused(r, "first", &fused_user, 1, 2, HOST_IN);
    sf_op c = add_fused(r, "third", &fused_user, 2, 1, HOST_OUT);
    (void)sf_resident_connect(r, a, "out0", b, "in0", NULL);
    (void)sf_resident_connect(r, b, "out0", c, "in0", NULL);
    (void)sf_resident_connect(r, a, "out1", c, "in1", NULL);
}
static void wrong_fused_compute(sf_resident *r)
{
    sf_op a = add_fused(r, "first", &fused_user, 1, 2, HOST_IN), b;
    sf_op_desc d = display_desc();
    d.in[0].bytes = FUSED_WORDS * 4;
    b = sf_resident_add(r, &d);
    (void)sf_resident_connect(r, a, "out0", b, "picture", NULL);
}
static void wrong_fused_branch(sf_resident *r)
{
    sf_op a = add_fused(r, "first", &fused_user, 1, 2, HOST_IN);
    sf_op b = add_fused(r, "second", &fused_user, 1, 1, HOST_OUT);
    sf_resident_branch_desc d = { .kind = SF_RESIDENT_IF, .predicate = a, .port = "out1" };
    (void)sf_resident_connect(r, a, "out0", b, "in0", NULL);
    (void)sf_resident_put(r, b, sf_resident_add_branch(r, &d), 0);
}
static void wrong_fused_handler(sf_resident *r)
{
    sf_op a = add_fused(r, "first", &fused_user, 0, 2, 0), b = add_fused(r, "second", &fused_user, 1, 1, HOST_OUT);
    (void)sf_resident_connect(r, a, "out0", b, "in0", NULL);
    (void)sf_resident_register_data_ready_handler(r, a);
}
static void wrong_fused_sizeless(sf_resident *r)     /* who would write there */
{
    sf_op_desc d = { .name = "first",
                     .in = { { .name = "in0", .bytes = FUSED_WORDS * 4, .external = true } },
                     .out = { { .name = "out0", .bytes = FUSED_WORDS * 4, .external = true }, { .name = "out1" } } };
    (void)sf_resident_add(r, &d);
}
static void fused_loops_that_are_wrong(void **state)
{
    static const refusal rows[] = {
        { "order", wrong_fused_order, ANY_ERROR, { "second|first" }, { .fused = &fused_three } },
        { "a compute", wrong_fused_compute, ANY_ERROR, { "display", "compute" }, { .fused = &fused_three } },
        { "a branch", wrong_fused_branch, ANY_ERROR, { NULL }, { .fused = &fused_three } },
        { "a handler", wrong_fused_handler, ANY_ERROR, { NULL }, { .fused = &fused_three } },
        { "no bytes", wrong_fused_sizeless, SF_ERROR_MISMATCH, { "first", "'out1'" }, { .fused = &fused_three } },
        { "another loop", right_chain, ANY_ERROR, { NULL },
          { .fused = &fused_three, .loop = SF_RESIDENT_LOOP_EXACT } },
    };
    (void)state;
    refuse_all(rows, COUNT(rows));
}
/* How many functions there are only the kernel knows: none may be called for an operator that is not there. */
static uint32_t fused_strays;
static void fused_careful(const sf_resident_fused_call *call)
{
    if (call->user == &fused_user) {
        memcpy(call->out[0], call->in[0], FUSED_WORDS * 4);
    } else {
        test_add(&fused_strays, 1);
    }
}
static int careful_host(const sf_slice *slice, const void *args)
{
    static const sf_resident_fused_func ops[] = { fused_careful, fused_careful, fused_careful };
    (void)slice;
    return sf_resident_run_fused(args, ops, 3);
}
static const sf_kernel careful_kernel = { .name = "careful", .host = careful_host };
static void as_many_functions_as_operators(void **state)
{
    sf_resident *r = RESIDENT(.name = "fused", .fused = &careful_kernel);
    uint32_t in[FUSED_WORDS] = { 1 };
    sf_resident_slot slot;
    sf_op a, b;
    sf_result got;
    (void)state;
    if (on_cuda()) { return; }               /* there it is the compiler that unrolls them */
    fused_strays = 0;
    a = add_fused(r, "first", &fused_user, 1, 1, HOST_IN), b = add_fused(r, "second", &fused_user, 1, 1, HOST_OUT);
    wire(r, a, "out0", b, "in0");
    got = sf_resident_launch(r);
    if (got == SF_OK) {
        memset(&slot, 0, sizeof slot);
        (void)feed(r, a, in, sizeof in);
        got = sf_resident_result(r, b, 1, GUARD, &slot);
        if (got == SF_OK) { got = slot.status; }
        if (got == SF_OK) { got = sf_resident_tear_down(r, false, GUARD); }
        if (got == SF_OK) { got = sf_resident_wait(r, GUARD); }
    }
    CHECK_EQUAL(test_load(&fused_strays), 0);
    CHECK(got < 0);
    (void)sf_resident_destroy(r);
    residents[0] = NULL;
}

/* -- multiprocessors of its own -- */

static struct {
    sf_partition *mine, *other, *foreign;    /* of the test's device, two; of another device */
    sf_stream_pool *pool, *plain;            /* of `mine`; of no partition */
} place;
static void *no_partition;                   /* what is none */
/* False: a GPU's driver is too old to have any. */
static bool open_places(sf_device **elsewhere)
{
    *elsewhere = test_open();
    if (!test_split(device) || !test_split(*elsewhere)) {
        test_close(*elsewhere);
        skip();
        return false;
    }
    place.mine = test_partition(device, 0), place.other = test_partition(device, 1);
    place.foreign = test_partition(*elsewhere, 0);
    CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .partition = place.mine }, &place.pool));
    CHECK_OK(sf_stream_pool_create(device, NULL, &place.plain));
    no_partition = place.plain;
    CHECK_OK(sf_device_get_counters(device, &at_start));
    return true;
}
static void close_places(sf_device *elsewhere)
{
    CHECK_OK(sf_stream_pool_destroy(place.pool));
    CHECK_OK(sf_stream_pool_destroy(place.plain));
    test_close(elsewhere);
}
static bool bodies_take_partitions(void)     /* a driver of CUDA 13.4 */
{
    sf_device_info info;
    CHECK_OK(sf_device_get_info(device, &info));
    return on_cuda() && info.driver_version >= 13040;
}
static void place_display(sf_resident *r, sf_partition *p, sf_stream_pool *pool)
{
    sf_op_desc d = display_desc();
    d.partition = p, d.streams = pool;
    join(r, add_sensor(r), sf_resident_add(r, &d));
}
static void placed_here(sf_resident *r) { place_display(r, place.mine, NULL); }
static void placed_by_a_pool(sf_resident *r) { place_display(r, NULL, place.pool); }
static void placed_in_a_branch(sf_resident *r)
{
    sf_resident_branch_desc d = { .kind = SF_RESIDENT_EVERY, .every = 2 };
    sf_op_desc of = filter_desc("filter");
    sf_op a = add_sensor(r), b;
    of.partition = place.mine;
    b = sf_resident_add(r, &of);
    join(r, a, b);
    join(r, a, add_display(r));
    (void)sf_resident_put(r, b, sf_resident_add_branch(r, &d), 0);
}
static void placed_handler(sf_resident *r)
{
    sf_op_desc of = filter_desc("filter");
    sf_op a;
    of.in[0].name = NULL, of.partition = place.mine;
    a = sf_resident_add(r, &of);
    join(r, a, add_display(r));
    (void)sf_resident_register_data_ready_handler(r, a);
}
static void placed_twice(sf_resident *r) { place_display(r, place.other, place.pool); }
static void placed_in_none_of_a_pool(sf_resident *r) { place_display(r, place.mine, place.plain); }
static void placed_elsewhere(sf_resident *r) { place_display(r, place.foreign, NULL); }
static void placed_nowhere(sf_resident *r) { place_display(r, (sf_partition *)no_partition, NULL); }
static void placed_by_no_pool(sf_resident *r) { place_display(r, NULL, (sf_stream_pool *)(void *)place.mine); }
static void place_fused(sf_resident *r, sf_partition *p)
{
    sf_op_desc d = { .name = "first", .partition = p,
                     .in = { { .name = "in0", .bytes = FUSED_WORDS * 4, .external = true } },
                     .out = { { .name = "out0", .bytes = FUSED_WORDS * 4, .external = true } } };
    (void)sf_resident_add(r, &d);
}
static void fused_here(sf_resident *r) { place_fused(r, place.mine); }
static void fused_there(sf_resident *r) { place_fused(r, place.other); }
static void fused_elsewhere(sf_resident *r) { place_fused(r, place.foreign); }
/* A partition that cannot be obeyed is refused: of the loop, and of each operator, wherever that is. */
static void partitions_that_are_refused(void **state)
{
    static const char in_a_body[] = "in a conditional's body, where CUDA refuses those of a partition before 13.4";
    sf_device *elsewhere;
    (void)state;
    if (!open_places(&elsewhere)) { return; }
    const refusal bodies[] = {
        { "auto", right_chain, SF_ERROR_NOT_SUPPORTED,
          { "it is to run in partition 0", in_a_body, "make the loop a fused one (.fused), take a driver for CUDA" },
          { .partition = place.mine } },
        { "exact", right_chain, SF_ERROR_NOT_SUPPORTED, { "partition 1", in_a_body },
          { .partition = place.other, .loop = SF_RESIDENT_LOOP_EXACT } },
        { "fast", right_chain, SF_ERROR_NOT_SUPPORTED, { "partition 0", in_a_body },
          { .partition = place.mine, .loop = SF_RESIDENT_LOOP_FAST } },
        { "unrolled", right_chain, SF_ERROR_NOT_SUPPORTED, { "partition 0", in_a_body },
          { .partition = place.mine, .loop = SF_RESIDENT_LOOP_UNROLLED } },
        { "in the loop's own", placed_here, SF_ERROR_NOT_SUPPORTED, { "partition 0", in_a_body },
          { .partition = place.mine } },
        { "an operator", placed_here, SF_ERROR_NOT_SUPPORTED,
          { "display: ", "it is to run in partition 0", in_a_body, "a fused one (.fused) in this partition" }, { 0 } },
        { "a pool's", placed_by_a_pool, SF_ERROR_NOT_SUPPORTED, { "display: ", "partition 0", in_a_body }, { 0 } },
        { "in a branch", placed_in_a_branch, SF_ERROR_NOT_SUPPORTED, { "filter: ", "partition 0", in_a_body }, { 0 } },
        { "a handler", placed_handler, SF_ERROR_NOT_SUPPORTED, { "filter: ", "partition 0", in_a_body }, { 0 } },
    };
    const refusal rows[] = {
        { "no partition", right_chain, SF_ERROR_INVALID_HANDLE, { ".partition is none: ask" },
          { .partition = (sf_partition *)no_partition } },
        { "another device's", right_chain, SF_ERROR_INVALID_HANDLE, { ".partition is of another device than .device" },
          { .partition = place.foreign } },
        { "twice", placed_twice, SF_ERROR_MISMATCH, { "display: ", "sf_stream_pool_desc.partition to the same" },
          { 0 } },
        { "a pool of none", placed_in_none_of_a_pool, SF_ERROR_MISMATCH, { "display: ", "set one of the two" }, { 0 } },
        { "elsewhere", placed_elsewhere, SF_ERROR_INVALID_HANDLE, { "display: ", "of another device than the loop" },
          { 0 } },
        { "nowhere", placed_nowhere, SF_ERROR_INVALID_HANDLE, { "display: ", ".partition is none" }, { 0 } },
        { "no pool", placed_by_no_pool, SF_ERROR_INVALID_HANDLE, { "display: ", ".streams is no pool" }, { 0 } },
        { "fused, of none", fused_here, SF_ERROR_NOT_SUPPORTED,
          { "first: ", "it is to run in partition 0", "one kernel, in none: set sf_resident_desc.partition" },
          { .fused = &fused_three } },
        { "fused, of another", fused_there, SF_ERROR_NOT_SUPPORTED,
          { "first: ", "it is to run in partition 1", "a fused loop is one kernel, in partition 0" },
          { .fused = &fused_three, .partition = place.mine } },
        { "fused, elsewhere", fused_elsewhere, SF_ERROR_INVALID_HANDLE,
          { "first: ", "of another device than the loop" }, { .fused = &fused_three, .partition = place.mine } },
    };
    if (!bodies_take_partitions()) { refuse_all(bodies, COUNT(bodies)); }
    refuse_all(rows, COUNT(rows));
    close_places(elsewhere);
}
static sf_stream *hold(sf_partition *p, uint32_t *flag)      /* more slices than the partition has workers */
{
    flag_args args = { flag, 1 };
    sf_stream *s = NULL;
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING, .partition = p }, &s));
    CHECK_OK(sf_launch(s, &occupy_kernel, &args, sizeof args));
    return s;
}
/* A fused loop runs in its partition: whatever is busy elsewhere does not hold it up, and on a host device what is busy
   there does. Without .device it is on the partition's, which lives on. */
static void a_fused_loop_in_a_partition(void **state)
{
    uint32_t in[FUSED_WORDS], want[FUSED_WORDS];
    sf_device *elsewhere;
    (void)state;
    if (!open_places(&elsewhere)) { return; }
    for (uint32_t i = 0; i < FUSED_WORDS; i++) { in[i] = i; }
    fused_model(in, want);
    for (int32_t at = 0; at < 3; at++) {
        sf_partition *p = test_partition(device, at);
        sf_partition_info info;
        uint32_t *flag = (uint32_t *)test_memory(device, 4);
        char plan[4096] = "", words[80];
        sf_stream *s[2];
        sf_resident_slot slot;
        uint64_t sequence;
        fused f;
        test_store(flag, 0);
        f.r = sf_resident_create(&(sf_resident_desc){ .name = "placed", .partition = p, .fused = &fused_three,
                                                      .logger = { lines_func, &logged }, .stall_timeout = GUARD });
        residents[0] = f.r;
        CHECK(f.r != NULL);
        CHECK_EQUAL(info_of(f.r).partition, at);
        fused_fill(&f);
        build(f.r);
        CHECK_EQUAL(info_of(f.r).partition, at);
        CHECK_OK(sf_partition_get_info(p, &info));
        snprintf(words, sizeof words, "placed: loop fused, in partition %d of %d multiprocessors, slots 4", (int)at,
                 (int)info.sms);
        CHECK_OK(sf_resident_report(f.r, SF_RESIDENT_REPORT_PLAN, plan_add, plan));
        if (!strstr(plan, words)) { fail_msg("%s", plan); }
        CHECK_OK(sf_kernel_preload(device, &occupy_kernel, &(flag_args){ flag, 1 }, sizeof(flag_args)));
        launch(f.r);
        for (int i = 0; i < 2; i++) { s[i] = hold(test_partition(device, (at + 1 + i) % 3), flag); }
        for (int i = 0; i < 50; i++) { result_is(f.r, f.c, feed(f.r, f.a, in, sizeof in), want, sizeof want); }
        for (int i = 0; i < 2; i++) { CHECK_IS(sf_stream_query(s[i]), SF_NOT_READY); }
        if (!on_cuda()) {
            sf_stream *own = hold(p, flag);
            while (sf_resident_result(f.r, f.c, 0, 0, &slot) != SF_TIMEOUT) {}
            usleep(20000);                   /* what is under way ends; then its worker is held, too */
            sequence = feed(f.r, f.a, in, sizeof in);
            CHECK_IS(sf_resident_result(f.r, f.c, sequence, SF_MS(50), &slot), SF_TIMEOUT);
            test_store(flag, 1);
            result_is(f.r, f.c, sequence, want, sizeof want);
            CHECK_OK(sf_stream_destroy(own));
        }
        test_store(flag, 1);
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_stream_destroy(s[i])); }
        stop(f.r);
        destroy(f.r);
        CHECK_OK(sf_mem_free(device, f.user));
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_OK(sf_mem_free(device, flag));
    }
    nothing_is_left();
    close_places(elsewhere);
}
/* Its operators may name the loop's partition, too, or a pool of streams: that one, and one of no partition. */
static void operators_in_the_loops_partition(void **state)
{
    sf_device *elsewhere;
    (void)state;
    if (!open_places(&elsewhere)) { return; }
    for (int way = 0; way < 4; way++) {
        sf_resident *r = RESIDENT(.name = "placed", .partition = place.mine, .fused = &careful_kernel);
        sf_op_desc d = { .name = "first", .partition = way == 0 || way == 2 ? place.mine : NULL,
                         .streams = way == 3 ? place.plain : way ? place.pool : NULL,
                         .in = { { .name = "in0", .bytes = 64, .external = true } },
                         .out = { { .name = "out0", .bytes = 64, .external = true } } };
        char plan[4096] = "";
        (void)sf_resident_add(r, &d);
        if (!on_cuda()) { build(r); }        /* a kernel of the host's */
        CHECK_OK(sf_resident_report(r, SF_RESIDENT_REPORT_PLAN, plan_add, plan));
        CHECK(!strstr(plan, "first, in partition"));         /* as all of the loop */
        destroy(r);
    }
    sf_resident *none = RESIDENT(.name = "none");
    CHECK_EQUAL(info_of(none).partition, -1);
    destroy(none);
    nothing_is_left();
    close_places(elsewhere);
}
/* From CUDA 13.4 on the other loops have a partition, too, and their operators other ones. */
static void other_loops_in_a_partition(void **state)
{
    sf_device *elsewhere;
    (void)state;
    if (!open_places(&elsewhere)) { return; }
    for (size_t k = 0; k < COUNT(all_loops) && bodies_take_partitions(); k++) {
        for (int apart = 0; apart < 2; apart++) {
            sf_resident *r = RESIDENT(.name = "placed", .partition = apart ? NULL : place.mine, .loop = all_loops[k]);
            sf_op_desc d = display_desc();
            sf_op a = add_sensor(r), b;
            uint32_t in[FRAME / 4], want[FRAME / 4];
            if (apart) { d.partition = place.other; }
            b = sf_resident_add(r, &d);
            join(r, a, b);
            launch(r);
            for (uint32_t i = 0; i < FRAME / 4; i++) { in[i] = i * i, want[i] = (i * i * 3 + 5) * 3 + 5; }
            for (int i = 0; i < 50; i++) { result_is(r, b, feed(r, a, in, sizeof in), want, sizeof want); }
            stop(r);
            destroy(r);
        }
    }
    nothing_is_left();
    close_places(elsewhere);
}

/* -- building beside other work, often, and with too little memory -- */

typedef struct rival { uint32_t stop, rounds; sf_result result; } rival;
static void *allocate_all_the_time(void *arg)
{
    rival *x = (rival *)arg;
    sf_result r = SF_OK;
    while (!test_load(&x->stop) && r >= 0) {
        void *a = NULL, *b = NULL;
        sf_stream_desc d = { .flags = SF_STREAM_NON_BLOCKING };
        sf_stream *s = NULL;
        sf_event *e = NULL;
        r = sf_mem_alloc(device, 4096, SF_MEMORY_DEVICE, &a);
        if (r >= 0) { r = sf_mem_alloc(device, 4096, SF_MEMORY_PINNED, &b); }
        if (r >= 0) { r = sf_stream_create(device, &d, &s); }
        if (r >= 0) { r = sf_event_create(device, 0, &e); }
        if (r >= 0) { r = sf_memset_async(s, a, 1, 4096); }
        if (r >= 0) { r = sf_event_record(e, s, 0); }
        if (r >= 0) { r = sf_stream_synchronize(s, GUARD); }
        if (e) { (void)sf_event_destroy(e); }
        if (s) { (void)sf_stream_destroy(s); }
        if (a) { (void)sf_mem_free(device, a); }
        if (b) { (void)sf_mem_free(device, b); }
        test_add(&x->rounds, 1);
    }
    x->result = r;
    return NULL;
}
static void beside_other_threads(void **state)
{
    rival x[2];
    pthread_t thread[2];
    (void)state;
    memset(x, 0, sizeof x);
    for (int i = 0; i < 2; i++) { CHECK_EQUAL(pthread_create(&thread[i], NULL, allocate_all_the_time, &x[i]), 0); }
    for (uint64_t seed = 0; seed < 12; seed++) {
        net_check(make_random(seed, 0), (sf_resident_desc){ .name = "busy", .loop = all_loops[seed % 4] }, 5);
    }
    for (int i = 0; i < 2; i++) { wait_until(&x[i].rounds, 3); }
    for (int i = 0; i < 2; i++) { test_store(&x[i].stop, 1); }
    for (int i = 0; i < 2; i++) {
        CHECK_EQUAL(pthread_join(thread[i], NULL), 0);
        CHECK_OK(x[i].result);
    }
    nothing_is_left();
}
/* Two threads build side by side, each its own, on one device. */
typedef struct builder { int number; sf_result result; uint32_t wrong; } builder;
static void *build_some(void *arg)
{
    builder *b = (builder *)arg;
    for (int i = 0; i < 10 && b->result >= 0; i++) {
        sf_resident_desc desc = { .name = "one", .device = device, .backend = test_backend, .stall_timeout = GUARD };
        sf_resident *r = sf_resident_create(&desc);
        sf_op x = add_sensor(r), y = add_display(r);
        sf_resident_slot slot;
        sf_result end;
        join(r, x, y);
        memset(&slot, 0, sizeof slot);
        b->result = sf_resident_launch(r);
        if (b->result >= 0) { b->result = sf_resident_acquire(r, x, GUARD, &slot); }
        if (b->result >= 0) {
            memset(slot.data[0], b->number + i, FRAME);
            b->result = sf_resident_submit(r, &slot);
        }
        if (b->result >= 0) { b->result = sf_resident_result(r, y, 1, GUARD, &slot); }
        if (b->result >= 0) {
            uint32_t in;
            memset(&in, b->number + i, 4);
            b->wrong += ((const uint32_t *)slot.data[0])[FRAME / 4 - 1] != (in * 3 + 5) * 3 + 5;
            b->result = sf_resident_release(r, &slot);
        }
        end = sf_resident_destroy(r);
        if (b->result >= 0) { b->result = end; }
    }
    return NULL;
}
static void builders_side_by_side(void **state)
{
    builder b[3] = { { .number = 1 }, { .number = 50 }, { .number = 100 } };
    pthread_t thread[3];
    (void)state;
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(pthread_create(&thread[i], NULL, build_some, &b[i]), 0); }
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(pthread_join(thread[i], NULL), 0); }
    for (int i = 0; i < 3; i++) {
        CHECK_OK(b[i].result);
        CHECK_EQUAL(b[i].wrong, 0);
    }
    nothing_is_left();
}
static void destroyed_at_any_stage(void **state)
{
    (void)state;
    for (int stage = 0; stage < 6; stage++) {
        sf_resident *r = RESIDENT(.name = "short");
        sf_op a = { 0 }, b;
        uint32_t in[FRAME / 4] = { 1 };
        if (stage >= 1) {
            a = add_sensor(r), b = add_display(r);
            join(r, a, b);
        }
        if (stage >= 2) { build(r); }
        if (stage >= 3) { launch(r); }
        if (stage >= 4) { (void)feed(r, a, in, sizeof in); }
        if (stage >= 5) { stop(r); }
        destroy(r);
        nothing_is_left();
    }
}
/* A device of its own: nothing to be told, nothing left. */
/* A loop on each of two devices (two GPUs, where there are): frames go through one, then the other; meanwhile memory
   of one is copied to the other, in the order of an event. */
static void loops_on_two_devices(void **state)
{
    sf_device_desc second = { .backend = test_backend, .ordinal = on_cuda(), .host.workers = 3 };
    sf_device *other = NULL;
    single one, two;
    sf_stream *s, *t;
    sf_event *e;
    uint32_t in[FRAME / 4], between[FRAME / 4], *from, *to, *back;
    rng g = rng_seed(5);
    (void)state;
    if (sf_device_open(&second, &other) == SF_OK) {
        CHECK_OK(sf_device_close(other, GUARD));
    } else {
        second.ordinal = 0;                  /* two of one GPU */
    }
    if (on_cuda()) { printf("# the other device is GPU %d\n", (int)second.ordinal); }
    other = test_open_desc(&second);
    load_resident_kernels(other);
    single_make(&one, (sf_resident_desc){ .name = "one" }, FRAME);
    single_make(&two, (sf_resident_desc){ .name = "two", .device = other }, FRAME);
    CHECK_OK(sf_mem_alloc(device, FRAME, SF_MEMORY_DEVICE, (void **)&from));
    CHECK_OK(sf_mem_alloc(other, FRAME, SF_MEMORY_DEVICE, (void **)&to));
    back = (uint32_t *)test_memory(other, FRAME);
    s = test_stream(device), t = test_stream(other), e = test_event(device);
    build(one.r);
    build(two.r);                            /* if it is the same GPU, this could not be while the other one runs */
    launch(one.r);
    launch(two.r);
    for (int i = 0; i < 50; i++) {
        sf_resident_slot slot;
        rng_fill(&g, in, sizeof in);
        slot = fetch(one.r, one.op, feed(one.r, one.op, in, sizeof in));
        memcpy(between, slot.data[0], sizeof between);
        give(one.r, &slot);
        for (uint32_t k = 0; k < FRAME / 4; k++) { CHECK_EQUAL(between[k], in[k] * 3 + 7); }
        single_result(&two, feed(two.r, two.op, between, sizeof between), between);
        CHECK_OK(sf_memset_async(s, from, (uint8_t)(i + 1), FRAME));
        CHECK_OK(sf_event_record(e, s, 0));
        CHECK_OK(sf_stream_wait_event(t, e, 0));
        CHECK_OK(sf_memcpy_peer_async(t, to, other, from, device, FRAME));
        CHECK_OK(sf_memcpy_async(t, back, to, FRAME));
        CHECK_OK(sf_stream_synchronize(t, GUARD));
        for (uint32_t k = 0; k < FRAME / 4; k++) { CHECK_EQUAL(back[k], (uint32_t)(i + 1) * 0x01010101u); }
    }
    stop(one.r);
    single_result(&two, feed(two.r, two.op, in, sizeof in), in);         /* goes on without the other one */
    stop(two.r);
    destroy(one.r);
    destroy(two.r);
    CHECK_OK(sf_mem_free(device, from));
    test_close(other);
}
static void a_device_of_its_own(void **state)
{
    sf_resident_desc d = { .name = "alone", .backend = test_backend, .stall_timeout = GUARD };
    uint32_t in[FRAME / 4] = { 5 }, want[FRAME / 4];
    sf_resident *r = sf_resident_create(&d);
    sf_op a = add_sensor(r), b = add_display(r);
    (void)state;
    CHECK(r != NULL);
    residents[0] = r;
    join(r, a, b);
    launch(r);
    for (uint32_t i = 0; i < FRAME / 4; i++) { want[i] = (in[i] * 3 + 5) * 3 + 5; }
    result_is(r, b, feed(r, a, in, sizeof in), want, sizeof want);
    stop(r);
    destroy(r);
}
static void defaults(void **state)
{
    sf_resident *r = sf_resident_create(NULL);               /* any backend that works */
    (void)state;
    CHECK(r != NULL);
    residents[0] = r;
    CHECK_IS(sf_resident_build(r), SF_ERROR_INVALID_VALUE);  /* without operators */
    destroy_is(r, SF_ERROR_INVALID_VALUE);
}
static sf_result sets_ones(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_memset_async(sf_compute_stream(ctx), out->data, 1, out->bytes);
    return sf_emit(ctx, 0, out);
}
/* What is created where another one was knows none of its ids; nor does a flow. */
static void ids_end_with_their_loop(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        sf_resident *r = resident_of((sf_resident_desc){ .name = "first" });
        sf_op old = add_sensor(r), id;
        sf_op_info info;
        sf_flow *f;
        destroy(r);
        r = resident_of((sf_resident_desc){ .name = "second" });
        id = add_display(r);
        CHECK(id.id != old.id);
        CHECK_IS(sf_resident_connect(r, old, "cooked", id, "picture", NULL), SF_ERROR_UNKNOWN_OPERATOR);
        f = sf_flow_create(NULL);
        CHECK(sf_flow_add(f, &(sf_op_desc){ .compute = sets_ones }).id != 0);
        CHECK_IS(sf_op_get_info(f, id, &info), SF_ERROR_UNKNOWN_OPERATOR);
        CHECK_OK(sf_flow_destroy(f));
        destroy_is(r, SF_ERROR_UNKNOWN_OPERATOR);
    }
}
static void discard(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }
/* What was refused is looked at all the same; times that no clock reaches are none. */
static void odd_settings(void **state)
{
    static const sf_resident_desc odd[] = {
        { .loop = (sf_resident_loop)77 }, { .idle = (sf_resident_idle)-3 }, { .overflow = (sf_overflow)200 },
        { .slots = 3 }, { .spin = -1 },
    };
    static const sf_resident_desc far[] = {
        { .timeout_ms = INT64_MAX }, { .timeout_ms = INT64_MAX / 500000 },
        { .data_not_ready_sleep_interval_us = INT64_MAX }, { .deadline = INT64_MAX, .stall_timeout = INT64_MAX },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(odd); i++) {
        sf_resident *r = resident_of(odd[i]);
        CHECK_IS(sf_resident_build(r), SF_ERROR_INVALID_VALUE);
        for (int k = 0; k <= (int)SF_RESIDENT_REPORT_DOT; k++) {
            (void)sf_resident_report(r, (sf_resident_report_kind)k, discard, NULL);
        }
        destroy_is(r, SF_ERROR_INVALID_VALUE);
    }
    for (size_t i = 0; i < COUNT(far); i++) {
        sf_resident *r = resident_of(far[i]);
        sf_op op = sf_resident_add(r, &(sf_op_desc){ .name = "op", .compute = sets_ones,
                                                     .out = { { .name = "out", .bytes = 8 } } });
        uint64_t n = 0;
        (void)op;
        launch(r);
        CHECK_OK(sf_resident_data_ready(r, &n));
        while (sf_resident_result_ready(r, n) == SF_NOT_READY) { sched_yield(); }
        CHECK(sf_resident_is_launched(r));
        stop(r);
        destroy_is(r, SF_OK);
    }
}
static sf_resident *own;
static sf_result reenters(sf_context *ctx)
{
    CHECK_IS(sf_resident_build(own), SF_ERROR_REENTRANT);
    CHECK(strstr(sf_resident_failure(own)->text, "hook of its own"));
    CHECK_IS(sf_resident_launch(own), SF_ERROR_REENTRANT);
    CHECK_IS(sf_resident_destroy(own), SF_ERROR_REENTRANT);
    return ctx->run == 0 ? SF_OK : SF_ERROR_USER;
}
static sf_result stops_again(sf_context *ctx)                /* it is being destroyed */
{
    (void)ctx;
    CHECK(sf_resident_launch(own) < 0);
    CHECK(sf_resident_destroy(own) < 0);
    return SF_OK;
}
static void called_from_inside(void **state)
{
    sf_op op;
    (void)state;
    own = resident_of((sf_resident_desc){ .loop = SF_RESIDENT_LOOP_FAST });
    op = sf_resident_add(own, &(sf_op_desc){ .name = "op", .compute = reenters, .initialize = reenters,
                                             .start = reenters, .stop = stops_again,
                                             .out = { { .name = "out", .bytes = 8 } } });
    (void)op;
    launch(own);
    stop(own);
    destroy_is(own, SF_OK);
}
static sf_result hands_on(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    return t ? sf_emit(ctx, 0, t) : SF_OK;
}
static sf_result sets_a_word(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_result r = sf_memset_async(sf_compute_stream(ctx), t->data, 0, 4);
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
static uint32_t taken_once;
static sf_result takes_and_counts(sf_context *ctx) { return (void)sf_receive(ctx, 0), taken_once++, SF_OK; }
/* A delayed edge copies: memory of the source's own does not make its size the other's. */
static void delayed_ends_of_two_sizes(void **state)
{
    (void)state;
    for (int own = 0; own < 2; own++) {
        void *m = test_memory(device, 64);
        sf_resident *r = RESIDENT(.name = "two sizes");
        sf_op b = sf_resident_add(r, &(sf_op_desc){ .name = "behind", .compute = takes_and_counts,
                                                    .in = { { .name = "in", .bytes = 65536 } } });
        sf_op a = sf_resident_add(r, &(sf_op_desc){ .name = "before", .compute = sets_a_word,
                                                    .out = { { .name = "out", .bytes = 64, .data = own ? m : NULL } } });
        (void)sf_resident_connect(r, a, "out", b, "in", &(sf_edge_desc){ .delay = 1 });
        resident_is(r, "build", sf_resident_build(r), SF_ERROR_MISMATCH);
        CHECK(strstr(sf_resident_failure(r)->text, "64") && strstr(sf_resident_failure(r)->text, "65536"));
        destroy_is(r, SF_ERROR_MISMATCH);
        CHECK_OK(sf_mem_free(device, m));
    }
}
/* The device's heap refuses once: what is built is whole, or there is an error. */
static void a_device_s_heap_refuses_once(void **state)
{
    (void)state;
    for (long at = 1; at < 60; at++) {
        test_heap heap = { 0 };
        sf_device *d;
        sf_resident *r;
        sf_op asks, works;
        sf_result got;
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = test_backend,
                                                   .heap = { test_heap_alloc, test_heap_free, &heap } }, &d));
        r = sf_resident_create(&(sf_resident_desc){ .device = d, .stall_timeout = GUARD });
        asks = sf_resident_add(r, &(sf_op_desc){ .name = "ask", .compute = sets_a_word,
                                                 .out = { { .name = "out", .bytes = 4 } } });
        works = sf_resident_add(r, &(sf_op_desc){ .name = "work", .compute = takes_and_counts,
                                                  .in = { { .name = "in" } } });
        CHECK_OK(sf_resident_connect(r, asks, "out", works, "in", NULL));
        CHECK_OK(sf_resident_register_data_ready_handler(r, asks));
        heap.fail_at = heap.total + at;
        taken_once = 0;
        got = sf_resident_build(r);
        if (got == SF_OK) { CHECK(taken_once > 0); }
        CHECK_IS(sf_resident_failure(r)->result, got);
        CHECK_IS(sf_resident_destroy(r), got);
        CHECK_OK(sf_device_close(d, GUARD));
        CHECK_EQUAL(heap.live, 0);
    }
}
/* Build, failure and destroy say the same, whatever was refused before, and whoever is at fault beside. */
static void calls_the_host(void *user) { (void)user; }
static sf_result calls_back(sf_context *ctx)
{
    (void)sf_receive(ctx, 0);
    return sf_launch_host_func(sf_compute_stream(ctx), calls_the_host, NULL);
}
static void builds_without_memory_say_so(void **state)
{
    (void)state;
    for (long at = 1; at < 120; at++) {
        test_heap heap = { 0 };
        bool wrong = at >= 60;
        sf_resident *r = sf_resident_create(&(sf_resident_desc){
            .device = device, .stall_timeout = GUARD, .slots = 1, .heap = { test_heap_alloc, test_heap_free, &heap } });
        sf_op op = sf_resident_add(r, &(sf_op_desc){ .name = "op", .compute = wrong ? calls_back : hands_on,
                                                     .in = { { .name = "in", .bytes = 4, .external = true } },
                                                     .out = { { .name = wrong ? NULL : "out", .bytes = 4 } } });
        sf_result got;
        if (!wrong) { CHECK(!sf_resident_device_memory(r, op, "out", 0)); }          /* not built yet */
        heap.fail_at = heap.total + at % 60;
        got = sf_resident_build(r);
        if (got < 0) { CHECK_IS(sf_resident_failure(r)->result, got); }
        if (wrong) { CHECK(got < 0); }
        CHECK_IS(sf_resident_destroy(r), got);
        CHECK_EQUAL(heap.live, 0);
    }
}
static void count_bytes(void *user, const char *text, size_t bytes) { (void)text, *(size_t *)user += bytes; }
static void a_connection_refused_leaves_none(void **state)
{
    (void)state;
    for (long at = 1; at < 40; at++) {
        test_heap heap = { .fail_at = at };
        size_t bytes = 0;
        sf_op a, b;
        sf_resident *r = sf_resident_create(&(sf_resident_desc){
            .device = device, .heap = { test_heap_alloc, test_heap_free, &heap } });
        if (!r) { continue; }
        a = sf_resident_add(r, &(sf_op_desc){ .compute = sets_a_word, .out = { { .name = "out", .bytes = 4 } } });
        b = sf_resident_add(r, &(sf_op_desc){ .compute = hands_on, .in = { { .name = "in" } } });
        (void)sf_resident_connect(r, a, "out", b, "in", NULL);
        (void)sf_resident_report(r, SF_RESIDENT_REPORT_PLAN, count_bytes, &bytes);
        (void)sf_resident_destroy(r);
        CHECK_EQUAL(heap.live, 0);
    }
}
/* Each request for memory refused once: an error, nothing lost, and the device goes on. */
static void every_request_refused_once(void **state)
{
    bool done = false;
    (void)state;
    for (long at = 1; !done; at++) {
        test_heap heap = { .fail_at = at };
        sf_resident_desc d = { .name = "poor", .device = device, .backend = test_backend,
                               .heap = { test_heap_alloc, test_heap_free, &heap }, .stall_timeout = GUARD };
        sf_resident *r = sf_resident_create(&d);
        sf_resident_branch_desc branch = { .kind = SF_RESIDENT_IF, .port = "cooked" };
        sf_op a, f, b;
        sf_result got;
        if (!r) {
            CHECK_EQUAL(heap.live, 0);
            continue;
        }
        a = add_sensor(r), f = add_desc(r, filter_desc("filter")), b = add_display(r);
        branch.predicate = a;
        join(r, a, f);
        join(r, f, b);
        (void)sf_resident_put(r, f, sf_resident_add_branch(r, &branch), 0);
        got = sf_resident_build(r);
        done = heap.total < heap.fail_at;
        if (done) { CHECK_OK(got); }
        if (got < 0) { CHECK_IS(got, SF_ERROR_OUT_OF_MEMORY); }
        if (got >= 0) {                      /* refused what it can do without, or what it needs later */
            got = sf_resident_launch(r);
            if (got >= 0) { CHECK_IS(sf_resident_tear_down(r, true, GUARD), SF_OK); }
        }
        got = sf_resident_destroy(r);
        if (got != SF_OK && got != SF_ERROR_OUT_OF_MEMORY) { fail_msg("request %ld: destroy is %d", at, (int)got); }
        CHECK_EQUAL(heap.live, 0);
        nothing_is_left();
        CHECK(at < 100000);
    }
    check_device_works();
}
/* A device that has too little memory for the ports says so. */
static void too_little_memory(void **state)
{
    sf_device *small = NULL;
    (void)state;
    if (on_cuda()) { return; }
    for (size_t k = 0; k < COUNT(all_loops); k++) {
        sf_device_desc dd = { .backend = SF_BACKEND_HOST, .host = { .workers = 2, .memory_bytes = 4 << 20 } };
        sf_op_desc a = sensor_desc(), b = display_desc();
        sf_resident *r;
        sf_counters c;
        sf_op from, to;
        CHECK_OK(sf_device_open(&dd, &small));
        r = RESIDENT(.name = "big", .device = small, .loop = all_loops[k]);
        a.out[0].bytes = b.in[0].bytes = 64 << 20;
        from = sf_resident_add(r, &a), to = sf_resident_add(r, &b);
        join(r, from, to);
        CHECK_IS(sf_resident_build(r), SF_ERROR_OUT_OF_MEMORY);
        CHECK(says(sf_resident_failure(r)->text, "sensor|display|memory"));
        destroy_is(r, SF_ERROR_OUT_OF_MEMORY);
        CHECK_OK(sf_device_get_counters(small, &c));
        CHECK_EQUAL(c.live_bytes + c.live_graphs, 0);
        test_close(small);
    }
}

#define NET(func) cmocka_unit_test_setup_teardown(func, open_test, close_net)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(features_that_need_the_cpu),
        TEST(operators_and_ports),
        TEST(connections),
        TEST(descriptions),
        TEST(all_is_told),
        TEST(handles),
        TEST(the_plan_of_every), TEST(built_is_built),
        TEST(pairs_of_ports),
        TEST(fan_out_shares),
        TEST(memory_out_of_reach),
        TEST(a_loop_that_does_nothing),
        TEST(a_long_way_to_the_stop),
        TEST(memory_of_ports),
        TEST(hooks_in_order),
        TEST(sizes_set_in_initialize),
        TEST(a_size_for_all_behind_an_output),
        TEST(hooks_that_go_wrong),
        TEST(started_is_stopped),
        TEST(computes_see),
        TEST(outputs_that_are_not_emitted),
        TEST(optional_inputs),
        TEST(what_cannot_be_captured),
        TEST(what_can_be_captured),
        NET(a_single_operator),
        NET(a_chain_of_100),
        NET(fan_out),
        NET(fan_in),
        NET(diamonds),
        NET(ways_of_any_length),
        NET(disconnected_parts),
        NET(triggered_by_the_host),
        NET(one_to_twenty_ports),
        NET(large_frames),
        TEST(frames_of_odd_sizes),
        NET(any_graph),
        NET(any_graph_with_pointers),
        NET(any_graph_with_delays),
        NET(any_graph_with_branches),
        NET(any_graph_in_any_order),
        NET(auto_is_the_fastest_allowed),
        TEST(side_by_side),
        NET(edges_of_the_picture),
        TEST(programmatic_edges),
        TEST(advice),
        TEST(plan_in_words),
        TEST(no_host_writes),
        NET(delay_edges),
        NET(late_edges_order_nothing),
        NET(unrolled_with_what_it_forbids),
        NET(branches),
        NET(what_runs_keeps_its_output),
        NET(nested_branches),
        TEST(branch_warns_if_empty),
        TEST(branches_that_are_wrong),
        TEST(conditionals_of_operators),
        TEST(children_and_captured_bodies),
        TEST(conditionals_in_children),
        TEST(handlers),
        TEST(handlers_of_several),
        TEST(handlers_branches_and_delays),
        TEST(handlers_are_replaced),
        TEST(handlers_and_the_host),
        TEST(handlers_wait_for_the_host),
        TEST(handlers_with_any_source),
        TEST(handlers_that_are_wrong),
        TEST(fused_with_another_number),
        TEST(fused_loops),
        TEST(fused_loops_that_are_wrong),
        TEST(partitions_that_are_refused),
        TEST(a_fused_loop_in_a_partition),
        TEST(operators_in_the_loops_partition),
        TEST(other_loops_in_a_partition),
        TEST(as_many_functions_as_operators),
        NET(beside_other_threads),
        TEST(builders_side_by_side),
        TEST(destroyed_at_any_stage),
        TEST(loops_on_two_devices),
        TEST(a_device_of_its_own),
        TEST(defaults),
        TEST(ids_end_with_their_loop),
        TEST(odd_settings),
        TEST(called_from_inside),
        TEST(delayed_ends_of_two_sizes),
        TEST(a_device_s_heap_refuses_once),
        TEST(builds_without_memory_say_so),
        TEST(a_connection_refused_leaves_none),
        TEST(every_request_refused_once),
        TEST(too_little_memory),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("resident_build", tests, NULL, NULL);
}
