/*  test_no_device.c - SF_NO_DEVICE: flows of values, waits and conditions; what needs a device is refused. */
#define SF_NO_DEVICE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "library.c"                         /* its stream layer is private to the file of the implementation */
#include <cmocka.h>
#include "test.h"

static sf_result count(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run + 1 }); }
static sf_result twice(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = 2 * sf_receive_value(ctx, 0).u64 });
}
static sf_result add(sf_context *ctx) { return *(uint64_t *)ctx->user += sf_receive_value(ctx, 0).u64, SF_OK; }

static uint64_t runs_of(const sf_flow *f, sf_op op)
{
    sf_op_info info;
    CHECK_OK(sf_op_get_info(f, op, &info));
    return info.runs;
}

/* Pushed and counted values reach one sink by a `many` input, on one thread and on three. */
static void values_arrive(void **state)
{
    (void)state;
    for (int threads = 0; threads <= 3; threads += 3) {
        uint64_t sum = 0;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .workers = { { .count = threads } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count, .count = 100, .period = 1000,
                                                .out = { { .name = "n" } } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = twice, .in = { { .name = "n", .external = true,
                                                .capacity = 4 } }, .out = { { .name = "n" } } });
        sf_op c = sf_flow_add(f, &(sf_op_desc){ .compute = add, .user = &sum,
                                                .in = { { .name = "n", .many = true, .optional = true } },
                                                .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } });
        sf_flow_connect(f, a, "n", c, "n", NULL);
        sf_flow_connect(f, b, "n", c, "n", NULL);
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        CHECK_OK(sf_flow_push_value(f, b, 0, (sf_value){ .u64 = 1000 }));
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_push_value(f, b, 0, (sf_value){ .u64 = 500 }));
        while (runs_of(f, a) < 100) { CHECK_IS(sf_flow_wait(f, SF_MS(1)), SF_TIMEOUT); }     /* the input is open */
        CHECK_OK(sf_flow_finish(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(sum, 5050 + 2 * (1000 + 500));
        CHECK_OK(sf_flow_destroy(f));
    }
}
/* A lack of messages, a failure and a retry end as in any build. */
static sf_result fail_once(sf_context *ctx) { return ++*(int *)ctx->user == 1 ? SF_ERROR_USER : count(ctx); }
static void failures_are_reported(void **state)
{
    uint64_t sum = 0;
    int calls = 0;
    sf_flow *f = sf_flow_create(NULL);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = fail_once, .user = &calls, .count = 3,
                                            .on_error = SF_ON_ERROR_RETRY, .retries = 1, .out = { { .name = "n" } } });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = add, .user = &sum, .in = { { .name = "n" } } });
    (void)state;
    sf_flow_connect(f, a, "n", b, "n", NULL);
    CHECK_OK(sf_flow_run(f));
    CHECK_EQUAL(sum, 6);
    calls = -1;                              /* now the second compute fails, and is done again */
    CHECK_OK(sf_flow_run(f));
    CHECK_EQUAL(sum, 12);
    CHECK_OK(sf_flow_destroy(f));
}

static void open_is_refused(void **state)
{
    sf_device *device = (sf_device *)&state;
    int32_t devices = 1;
    (void)state;
    CHECK_IS(sf_device_open(NULL, &device), SF_ERROR_NOT_SUPPORTED);
    CHECK(device == NULL);
    CHECK_IS(sf_device_count(NULL, &devices), SF_ERROR_NOT_SUPPORTED);
    CHECK_EQUAL(devices, 0);
    CHECK_IS(sf_device_synchronize(device, 0), SF_ERROR_INVALID_HANDLE);
}

/* The check refuses it, and its sentence names the operator, the macro and the remedy. */
static void refused(const sf_flow_desc *flow, const sf_op_desc *op, const char *what)
{
    sf_flow *f = sf_flow_create(flow);
    sf_flow_add(f, op);
    CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_flow_failure(f)->result, SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(sf_flow_failure(f)->text, what) != NULL);
    CHECK(strstr(sf_flow_failure(f)->text, "compile the implementation without SF_NO_DEVICE") != NULL);
    CHECK_IS(sf_flow_run(f), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_NOT_SUPPORTED);
}
static void what_needs_a_device_is_refused(void **state)
{
    static uint64_t thing[512];
    const sf_flow_desc plain = { .name = "flow" };
    const sf_op_desc op = { .name = "x", .compute = count, .out = { { .name = "n" } } };
    sf_op_desc d;
    (void)state;
    d = op, d.region = 1;
    refused(&plain, &d, "\"x\": sf_op_desc.region");
    d = op, d.streams = (sf_stream_pool *)thing;
    refused(&plain, &d, "\"x\": sf_op_desc.streams");
    d = op, d.partition = (sf_partition *)thing;
    refused(&plain, &d, "\"x\": sf_op_desc.partition");
    d = op, d.out[0].bytes = 16;
    refused(&plain, &d, "\"x\": sf_op_desc.out[].bytes");
    d = op, d.out[0].bytes = 16, d.out[0].data = thing;
    refused(&plain, &d, "\"x\": sf_op_desc.out[].bytes");
    refused(&(sf_flow_desc){ .backend = SF_BACKEND_CUDA }, &op, "sf_flow_desc.backend");
    refused(&(sf_flow_desc){ .device = (sf_device *)thing }, &op, "sf_flow_desc.device");
    refused(&(sf_flow_desc){ .streams = (sf_stream_pool *)thing }, &op, "sf_flow_desc.device, .streams");
    refused(&(sf_flow_desc){ .partition = (sf_partition *)thing }, &op, "sf_flow_desc.device, .streams and .partition");
}
static void tensors_are_refused(void **state)
{
    uint8_t bytes[16];
    sf_flow *f = sf_flow_create(NULL);
    (void)state;
    CHECK(sf_tensor_wrap(f, &(sf_tensor_desc){ .data = bytes, .shape = { 16 } }) == NULL);
    CHECK_IS(sf_flow_failure(f)->result, SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_tensor_wrap: this build has no devices") != NULL);
    CHECK_OK(sf_flow_destroy(f));
}
static sf_result create(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static void a_created_tensor_fails_the_compute(void **state)
{
    sf_flow *f = sf_flow_create(NULL);
    (void)state;
    sf_flow_add(f, &(sf_op_desc){ .name = "x", .compute = create, .count = 1, .out = { { .name = "n" } } });
    CHECK(sf_flow_run(f) < 0);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_tensor_create: operator \"x\": output \"n\" has no memory") != NULL);
    CHECK(sf_flow_destroy(f) < 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(open_is_refused),
        cmocka_unit_test(what_needs_a_device_is_refused),
        cmocka_unit_test(tensors_are_refused),
        cmocka_unit_test(a_created_tensor_fails_the_compute),
    };
    test_arguments_of_host(argc, argv);
    return cmocka_run_group_tests_name("no device", tests, NULL, NULL);
}
