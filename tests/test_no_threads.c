/*  test_no_threads.c - SF_NO_THREADS: commands run inside the calls that wait or poll. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"

static sf_device *open_depth(uint32_t depth)
{
    return test_open_desc(&(sf_device_desc){ .host.stream_depth = depth });
}

static void the_host_is_all_there_is(void **state)
{
    test_log log = { 0 };
    sf_device_desc desc = { .logger = { test_log_func, &log } };
    sf_device *device = NULL;
    sf_device_info info;
    char line[64];
    (void)state;
    CHECK_OK(sf_device_open(&desc, &device));
    CHECK_OK(sf_device_get_info(device, &info));
    CHECK_EQUAL(info.backend, SF_BACKEND_HOST);
    CHECK_EQUAL(info.multiprocessors, 1);
    CHECK(strstr(log.text, "host") && log.level == 3);
    CHECK_OK(sf_device_get_replay(device, line, sizeof line));       /* of an order that is deterministic */
    test_close(device);
    desc.backend = SF_BACKEND_CUDA;
    CHECK_IS(sf_device_open(&desc, &device), SF_ERROR_DRIVER);
    CHECK(!device && log.level == 1 && log.text[0]);
}
static void nothing_runs_by_itself(void **state)
{
    (void)state;
    for (int how = 0; how < 6; how++) {      /* each of these runs it */
        sf_device *device = test_open();
        sf_stream *s = test_stream(device);
        sf_event *e = test_event(device);
        uint32_t data = 0, tries = 0;
        for (uint32_t i = 0; i < 3; i++) { CHECK_OK(test_mix(s, &data, NULL, 1, 3, i + 1, 0)); }
        CHECK_OK(sf_event_record(e, s, 0));
        CHECK_EQUAL(data, 0);
        switch (how) {
        case 0: CHECK_OK(sf_stream_synchronize(s, SF_FOREVER)); break;
        case 1: CHECK_OK(sf_event_synchronize(e, SF_FOREVER)); break;
        case 2: CHECK_OK(sf_device_synchronize(device, SF_FOREVER)); break;
        case 3: while (sf_device_poll(device, 0) == SF_OK) { CHECK(++tries <= 3); } break;
        case 4: while (sf_stream_query(s) == SF_NOT_READY) { CHECK(++tries <= 3); } break;
        default: while (sf_event_query(e) == SF_NOT_READY) { CHECK(++tries <= 3); }
        }
        CHECK_EQUAL(data, (1 * 3 + 2) * 3 + 3);
        CHECK_OK(sf_stream_query(s));
        CHECK_IS(sf_device_poll(device, SF_FOREVER), SF_IDLE);
        test_close(device);
    }
}
static void closing_runs_the_rest(void **state)
{
    sf_device *device = test_open();
    sf_stream *s = test_stream(device);
    uint32_t data = 0;
    (void)state;
    CHECK_OK(test_mix(s, &data, NULL, 1, 1, 5, 0));
    CHECK_OK(sf_stream_destroy(s));
    test_close(device);
    CHECK_EQUAL(data, 5);
}
static void a_full_stream_makes_room(void **state)           /* the caller runs commands itself */
{
    (void)state;
    for (uint32_t depth = 1; depth < 6; depth++) {
        sf_device *device = open_depth(depth);
        sf_stream *s[3];
        sf_event *e = test_event(device);
        uint32_t data[8] = { 0 }, model[8] = { 0 };
        for (int i = 0; i < 3; i++) { s[i] = test_stream(device); }
        for (uint32_t i = 0; i < 500; i++) {
            CHECK_OK(test_mix(s[i % 3], data, NULL, 8, 3, i, 0));
            CHECK_OK(sf_event_record(e, s[i % 3], 0));
            CHECK_OK(sf_stream_wait_event(s[(i + 1) % 3], e, 0));
            test_mix_model(model, NULL, 8, 3, i);
        }
        CHECK_OK(sf_device_synchronize(device, SF_FOREVER));
        CHECK_BYTES(data, model, sizeof model);
        test_close(device);
    }
}
static void kernels_that_wait(void **state)
{
    sf_device *device = test_open();
    sf_stream *a = test_stream(device), *b = test_stream(device);
    uint32_t flag[2] = { 0 }, data = 0;
    (void)state;
    CHECK_OK(test_gate(a, &flag[0], 1));
    CHECK_OK(test_mix(a, &data, NULL, 1, 3, 1, 0));
    CHECK_OK(test_gate(b, &flag[1], 1));
    CHECK_OK(test_mix(b, &data, NULL, 1, 1, 10, 0));
    CHECK_OK(test_lift(b, &flag[0], 1));
    CHECK_IS(sf_stream_synchronize(a, SF_MS(1)), SF_TIMEOUT);
    CHECK_IS(sf_stream_query(b), SF_NOT_READY);
    test_store(&flag[1], 1);
    CHECK_OK(sf_stream_synchronize(a, SF_FOREVER));
    CHECK_EQUAL(data, 31);
    test_close(device);
}
static sf_result inside;
static void inside_func(void *user)
{
    inside = sf_stream_query((sf_stream *)user);
}
static void host_functions_and_the_default_stream(void **state)
{
    sf_device *device = test_open();
    sf_stream *legacy = sf_stream_legacy(device), *b, *n = test_stream(device);
    uint32_t data = 0, other = 0;
    (void)state;
    CHECK_OK(sf_stream_create(device, NULL, &b));
    CHECK_OK(test_mix(b, &data, NULL, 1, 1, 2, 0));
    CHECK_OK(test_mix(legacy, &data, NULL, 1, 3, 1, 0));
    CHECK_OK(sf_launch_host_func(legacy, inside_func, n));
    CHECK_OK(test_mix(b, &data, NULL, 1, 5, 1, 0));
    CHECK_OK(test_mix(n, &other, NULL, 1, 1, 9, 0));
    CHECK_OK(sf_stream_synchronize(b, SF_FOREVER));
    CHECK_EQUAL(data, (2 * 3 + 1) * 5 + 1);
    CHECK_IS(inside, SF_ERROR_NOT_PERMITTED);
    CHECK_OK(sf_stream_synchronize(n, SF_FOREVER));
    CHECK_EQUAL(other, 9);
    test_close(device);
}
static int fault_host(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 700; }
static void faults_and_reset(void **state)
{
    static const sf_kernel fault = { .name = "fault", .host = fault_host };
    sf_device *device = test_open();
    sf_stream *a = test_stream(device), *b = test_stream(device);
    uint32_t data = 0;
    (void)state;
    CHECK_OK(sf_launch(a, &fault, NULL, 0));
    CHECK_OK(test_mix(a, &data, NULL, 1, 1, 1, 0));
    CHECK_OK(test_mix(b, &data, NULL, 1, 1, 1, 0));
    CHECK_IS(sf_stream_synchronize(a, SF_FOREVER), SF_ERROR_ILLEGAL_ADDRESS);
    CHECK_IS(test_mix(b, &data, NULL, 1, 1, 1, 0), SF_ERROR_ILLEGAL_ADDRESS);
    CHECK_OK(sf_device_reset(device));
    data = 0;
    CHECK_OK(sf_device_synchronize(device, SF_FOREVER));
    CHECK_EQUAL(data, 0);
    CHECK_OK(test_mix(b, &data, NULL, 1, 1, 4, 0));
    CHECK_OK(sf_stream_synchronize(b, SF_FOREVER));
    CHECK_EQUAL(data, 4);
    test_close(device);
}
static void in_a_static_buffer(void **state)
{
    static _Alignas(16) unsigned char memory[32768];
    test_heap heap = { 0 };
    sf_device_desc desc = { .heap = { test_heap_alloc, test_heap_free, &heap },
                            .memory = { memory, sizeof memory } };
    sf_device *device;
    sf_stream *a, *b;
    sf_event *e;
    uint32_t *p, model[4] = { 0 };
    (void)state;
    for (int round = 0; round < 3; round++) {                /* and again in the same memory */
        CHECK_OK(sf_device_open(&desc, &device));
        CHECK_OK(sf_stream_create(device, NULL, &a));
        CHECK_OK(sf_stream_create(device, NULL, &b));
        CHECK_OK(sf_event_create(device, SF_EVENT_DISABLE_TIMING, &e));
        CHECK_OK(sf_mem_alloc(device, 16, SF_MEMORY_DEVICE, (void **)&p));
        CHECK((unsigned char *)p > memory && (unsigned char *)p < memory + sizeof memory);
        CHECK_OK(sf_memset_async(a, p, 0, 16));
        memset(model, 0, sizeof model);
        for (uint32_t i = 0; i < 100; i++) {
            CHECK_OK(test_mix(i & 1 ? b : a, p, NULL, 4, 3, i, 0));
            CHECK_OK(sf_event_record(e, i & 1 ? b : a, 0));
            CHECK_OK(sf_stream_wait_event(i & 1 ? a : b, e, 0));
            test_mix_model(model, NULL, 4, 3, i);
        }
        CHECK_OK(sf_device_synchronize(device, SF_FOREVER));
        CHECK_BYTES(p, model, sizeof model);
        test_close(device);
    }
    CHECK_EQUAL(heap.total, 0);
    desc.memory.bytes = 64;
    CHECK_IS(sf_device_open(&desc, &device), SF_ERROR_NO_ROOM);
    CHECK_EQUAL(heap.total, 0);
}
/* Two producers, one consumer, in random order of waiting, against the model. */
static void random_programs(void **state)
{
    uint32_t seeds = test_seeds() / 10;
    (void)state;
    FOR_SEEDS(seed, seeds) {
        rng r = rng_seed(seed);
        sf_order order = (sf_order)rng_below(&r, SF_ORDER_REPLAY);           /* THREADS means FIRST_IN here */
        sf_device *device = test_open_desc(&(sf_device_desc){
            .host = { .order = order, .seed = seed, .stream_depth = 2 + rng_below(&r, 20) } });
        sf_stream *s[3] = { test_stream(device), test_stream(device), test_stream(device) };
        sf_event *e = test_event(device);
        uint32_t data = 0, model = 0, at = 0;
        for (uint32_t i = 0; i < 30; i++) {
            uint32_t next = rng_below(&r, 3);
            CHECK_OK(sf_event_record(e, s[at], 0));
            CHECK_OK(sf_stream_wait_event(s[next], e, 0));
            CHECK_OK(test_mix(s[next], &data, NULL, 1, 3, i, 0));
            model = model * 3 + i;
            at = next;
            switch (rng_below(&r, 8)) {
            case 0: (void)sf_device_poll(device, 0); break;
            case 1: (void)sf_stream_query(s[rng_below(&r, 3)]); break;
            case 2: CHECK_OK(sf_stream_synchronize(s[at], SF_FOREVER)); CHECK_EQUAL(data, model); break;
            default: break;
            }
        }
        CHECK_OK(sf_stream_synchronize(s[at], SF_FOREVER));
        CHECK_EQUAL(data, model);
        test_close(device);
    }
}

/* What a compute pushes is behind its stream, though nothing is recorded there: it might be an interrupt. */
static struct { sf_flow *flow; sf_op op; uint32_t data[4], seen[4]; } pushed;
static sf_result push_one(sf_context *ctx)
{
    uint32_t *word = &pushed.data[ctx->run];
    sf_stream *s = sf_compute_stream(ctx);
    sf_tensor *t = sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){ .data = word, .shape = { 4 },
                                                                .memory = SF_MEMORY_HOST });
    CHECK_OK(test_mix(s, word, NULL, 1, 1, 5, 0));
    CHECK_OK(sf_flow_push(pushed.flow, pushed.op, 0, t));
    CHECK_EQUAL(*word, 0);                                   /* it runs later */
    return SF_OK;
}
static sf_result look_at_one(sf_context *ctx)
{
    const uint32_t *word = (const uint32_t *)sf_receive(ctx, 0)->data;
    pushed.seen[ctx->run] = *word;
    return SF_OK;
}
static void pushed_behind_a_compute_s_work(void **state)
{
    sf_device *device = test_open();
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
    (void)state;
    memset(&pushed, 0, sizeof pushed);
    pushed.flow = sf_flow_create(&(sf_flow_desc){ .device = device });
    pushed.op = sf_flow_add(pushed.flow, &(sf_op_desc){ .compute = look_at_one, .count = 4,
                                                   .in = { { .name = "in", .external = true, .capacity = 4 } },
                                                   .when = { { .kind = SF_CONDITION_STREAM } } });
    (void)sf_flow_add(f, &(sf_op_desc){ .compute = push_one, .count = 4 });
    CHECK_OK(sf_flow_check(pushed.flow, false, NULL, NULL));
    while (sf_flow_step(f, NULL) == SF_OK) {}                /* to its end, but for what its stream holds */
    CHECK_OK(sf_flow_run(pushed.flow));
    for (int i = 0; i < 4; i++) { CHECK_EQUAL(pushed.seen[i], 5); }
    CHECK_OK(sf_flow_destroy(pushed.flow));
    CHECK_OK(sf_flow_destroy(f));
    test_close(device);
}

/* A wait for a ticket runs the flow, until the message is delivered; a timeout of 0 only asks. */
static sf_result take_one(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
static void a_wait_for_a_ticket_runs_the_flow(void **state)
{
    (void)state;
    for (int policy = 0; policy <= SF_OVERFLOW_ERROR; policy++) {
        bool newest = policy == SF_OVERFLOW_DROP_OLDEST || policy == SF_OVERFLOW_LATEST;
        sf_ticket tickets[3];
        sf_fate fate = SF_FATES;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ 0 });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = take_one, .in = { { .name = "in", .external = true,
            .capacity = 2, .overflow = (sf_overflow)policy, .tickets = true } } });
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        for (int i = 0; i < 3; i++) {
            const sf_message message = { .time = i, .ticket = &tickets[i] };
            CHECK((sf_flow_push_message(f, a, 0, &message) == SF_OK) == (i < 2 || newest));
        }
        CHECK_IS(sf_ticket_wait(f, &tickets[1], SF_FOREVER, &fate),
                 policy == SF_OVERFLOW_LATEST ? SF_OK : SF_ERROR_ILLEGAL_STATE);     /* nothing runs the flow yet */
        CHECK_OK(sf_flow_start(f));
        CHECK_IS(sf_ticket_wait(f, &tickets[newest ? 2 : 1], 0, &fate), SF_TIMEOUT);
        CHECK_OK(sf_ticket_wait(f, &tickets[newest ? 2 : 1], SF_FOREVER, &fate));
        CHECK_EQUAL(fate, SF_FATE_DELIVERED);
        CHECK_OK(sf_ticket_wait(f, &tickets[0], 0, &fate));
        CHECK_EQUAL(fate, newest ? SF_FATE_OVERFLOW : SF_FATE_DELIVERED);
        if (!newest) { CHECK_IS(sf_ticket_wait(f, &tickets[2], 0, &fate), SF_ERROR_ILLEGAL_STATE); }
        CHECK_OK(sf_flow_push_message(f, a, 0, &(sf_message){ .time = -1, .ticket = &tickets[0] }));
        CHECK_OK(sf_ticket_cancel(f, &tickets[0]));
        CHECK_OK(sf_flow_push_message(f, a, 0, &(sf_message){ .time = -1, .ticket = &tickets[0] }));
        CHECK_OK(sf_flow_stop(f));
        CHECK_OK(sf_ticket_wait(f, &tickets[0], SF_FOREVER, &fate));
        CHECK_EQUAL(fate, SF_FATE_ENDED);
        CHECK_OK(sf_flow_wait(f, SF_FOREVER));
        CHECK_OK(sf_flow_destroy(f));
    }
}

/* Each way to run a flow, and each change from one way to another within a run, runs it to its end. */
enum { BY_RUN, BY_WAIT, BY_STEP, BY_STEP_AND_WAIT, BY_WAIT_AND_STEP, BY_START_AND_STEP, WAYS_TO_RUN };
static int counted;
static sf_result count_runs(sf_context *ctx) { return (void)ctx, counted++, SF_OK; }
static sf_result steps(sf_flow *f, int most)
{
    sf_result r = SF_OK;
    while (most-- && r >= 0 && r != SF_DONE) {
        int before = counted;
        r = sf_flow_step(f, NULL);
        CHECK(counted <= before + 1);        /* one operator at most */
    }
    return r;
}
static sf_result run_by(sf_flow *f, int way)
{
    if (way == BY_RUN) { return sf_flow_run(f); }
    if (way == BY_WAIT || way == BY_START_AND_STEP || way == BY_WAIT_AND_STEP) {
        CHECK_OK(sf_flow_start(f));
        CHECK_IS(sf_flow_run(f), SF_ERROR_ILLEGAL_STATE);
        CHECK(strstr(sf_flow_failure(f)->text, "background"));
    } else {
        CHECK_OK(steps(f, 2));
    }
    if (way == BY_WAIT_AND_STEP) { CHECK_IS(sf_flow_wait(f, 0), SF_TIMEOUT); }
    if (way == BY_WAIT || way == BY_STEP_AND_WAIT) { return sf_flow_wait(f, SF_FOREVER); }
    return steps(f, 1000) == SF_DONE ? SF_OK : SF_ERROR_USER;
}
static void all_ways_to_run(void **state)
{
    (void)state;
    for (int first = 0; first < WAYS_TO_RUN; first++) {
        for (int second = 0; second < WAYS_TO_RUN; second++) {
            sf_flow *f = sf_flow_create(&(sf_flow_desc){ 0 });
            (void)sf_flow_add(f, &(sf_op_desc){ .compute = count_runs, .count = 10 });
            (void)sf_flow_add(f, &(sf_op_desc){ .compute = count_runs, .count = 10 });
            counted = 0;
            CHECK_OK(run_by(f, first));
            CHECK_EQUAL(counted, 20);
            CHECK_OK(run_by(f, second));
            CHECK_EQUAL(counted, 40);
            (void)sf_flow_destroy(f);
        }
    }
}

static uint64_t numbers;                     /* of the computes, in decimal */
static sf_result keep_number(sf_context *ctx)
{
    numbers = 10 * numbers + sf_receive_value(ctx, 0).u64;
    CHECK_EQUAL(ctx->copy, 0);
    return SF_OK;
}
static sf_result send_number(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run + 1 }); }
static void copies_are_one(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .name = "one" });
    sf_op from = sf_flow_add(f, &(sf_op_desc){ .name = "from", .compute = send_number, .count = 5, .out = { { "n" } } });
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .name = "to", .compute = keep_number, .copies = 4, .in = { { "n" } } });
    sf_op_info info;
    (void)state;
    CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, NULL));
    CHECK_OK(sf_flow_run(f));
    CHECK_EQUAL(numbers, 12345);
    CHECK_OK(sf_op_get_info(f, to, &info));
    CHECK_EQUAL(info.runs, 5);
    CHECK_EQUAL(sf_flow_add(f, &(sf_op_desc){ .name = "wrong", .compute = keep_number, .copies = -1 }).id, 0);
    (void)sf_flow_destroy(f);
}
static void there_are_no_links(void **state)                 /* without SF_WITH_LINKS: in words, and the flow says so, too */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .name = "alone" });
    sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "from", .compute = send_number, .count = 5, .out = { { "n" } } });
    sf_peer peer;
    sf_peer_info info;
    (void)state;
    CHECK_IS(sf_flow_link(f, op, "n", (sf_peer){ 1 }, NULL), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_flow_link_from(f, (sf_peer){ 1 }, op, "n", NULL), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_flow_get_peer(f, (sf_peer){ 1 }, &info), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_flow_link(NULL, op, "n", (sf_peer){ 1 }, NULL), SF_ERROR_INVALID_HANDLE);
    peer = sf_flow_add_peer(f, &(sf_peer_desc){ .name = "other", .address = "127.0.0.1:7000", .token = "12345678" });
    CHECK_EQUAL(peer.id, 0);
    CHECK_IS(sf_flow_failure(f)->result, SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(sf_flow_failure(f)->text, "define SF_WITH_UCX"));
    CHECK(strstr(sf_flow_failure(f)->text, "SF_WITH_LINKS for a transport of your own"));
    CHECK_IS(sf_flow_run(f), SF_ERROR_NOT_SUPPORTED);
    (void)sf_flow_destroy(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushed_behind_a_compute_s_work),
        cmocka_unit_test(all_ways_to_run),
        cmocka_unit_test(copies_are_one),
        cmocka_unit_test(there_are_no_links),
        cmocka_unit_test(a_wait_for_a_ticket_runs_the_flow),
        cmocka_unit_test(the_host_is_all_there_is),
        cmocka_unit_test(nothing_runs_by_itself),
        cmocka_unit_test(closing_runs_the_rest),
        cmocka_unit_test(a_full_stream_makes_room),
        cmocka_unit_test(kernels_that_wait),
        cmocka_unit_test(host_functions_and_the_default_stream),
        cmocka_unit_test(faults_and_reset),
        cmocka_unit_test(in_a_static_buffer),
        cmocka_unit_test(random_programs),
    };
    test_arguments_of_host(argc, argv);
    return cmocka_run_group_tests_name("no_threads", tests, NULL, NULL);
}
