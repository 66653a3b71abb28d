/*  test_no_text.c - SF_NO_TEXT, on bare metal: codes, calls and operators without sentences. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"

static _Alignas(16) unsigned char memory[65536], device_memory[1 << 20];
static uint64_t sum;
static sf_result count(sf_context *ctx)
{
    sf_value v;
    v.u64 = ctx->run + 1;
    return sf_emit_value(ctx, 0, v);
}
static sf_result add(sf_context *ctx) { return sum += sf_receive_value(ctx, 0).u64, SF_OK; }
static sf_result fill(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    *(uint64_t *)t->data = ctx->run + 1;
    return sf_emit(ctx, 0, t);
}
static sf_result add_tensor(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    if (!t) { return SF_ERROR_USER; }
    sum += *(const uint64_t *)t->data;
    return SF_OK;
}
static sf_result refuse(sf_context *ctx) { return (void)ctx, SF_ERROR_USER; }

static uint32_t told, told_bytes, told_code;
static void listen(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line, const char *file,
                   void *user)
{
    (void)tag, (void)level, (void)line, (void)file, (void)user;
    told++;
    told_code = item;
    told_bytes += (uint32_t)strlen(message);
}
static uint32_t reported;
static void report(void *user, const char *text, size_t bytes) { (void)user, (void)text, reported += (uint32_t)bytes; }

static sf_flow *small_flow(const sf_op_desc *from, const sf_op_desc *to, sf_device *device, size_t payload, bool edge)
{
    sf_flow_desc d = { .memory = { memory, sizeof memory }, .limits = { .ops = 2, .edges = 1, .messages = 2 } };
    sf_flow *f;
    sf_op a, b;
    d.device = device;
    d.limits.payload_bytes = payload;
    d.logger.func = listen;
    told = told_bytes = told_code = reported = 0;
    sum = 0;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    if (!from) { return f; }
    a = sf_flow_add(f, from);
    b = sf_flow_add(f, to);
    if (edge) { (void)sf_flow_connect(f, a, NULL, b, NULL, NULL); }
    return f;
}
static const sf_op_desc source = { .name = "source", .compute = count, .out = { { .name = "n" } }, .count = 4 };
static const sf_op_desc sink = { .name = "sink", .compute = add, .in = { { .name = "n" } } };

static void a_flow_runs(void **state)
{
    sf_flow *f = small_flow(&source, &sink, NULL, 0, true);
    (void)state;
    CHECK_OK(sf_flow_check(f, false, report, NULL));
    CHECK_OK(sf_flow_check(f, true, report, NULL));
    CHECK_OK(sf_flow_run(f));
    CHECK_EQUAL(sum, 1 + 2 + 3 + 4);
    CHECK_EQUAL(reported, 0);
    CHECK_OK(sf_flow_destroy(f));
    CHECK(!strcmp(sf_flow_failure(NULL)->text, ""));
}
static void failed(const sf_flow *f, sf_result result, const char *call, const char *where)
{
    const sf_failure *failure = sf_flow_failure((sf_flow *)(uintptr_t)f);
    CHECK_IS(failure->result, result);
    CHECK(!strcmp(failure->call, call));
    CHECK(!strcmp(failure->where, where));
    CHECK(!strcmp(failure->text, ""));
    CHECK(!strcmp(sf_result_string(result), ""));
    CHECK(told > 0 && told_bytes == 0);
    CHECK_EQUAL(told_code, -(int32_t)result);
}
static void mistakes_keep_code_call_and_operator(void **state)
{
    sf_flow *f = small_flow(&source, &sink, NULL, 0, false);
    (void)state;
    CHECK_IS(sf_flow_check(f, false, report, NULL), SF_ERROR_NOT_CONNECTED);
    failed(f, SF_ERROR_NOT_CONNECTED, "sf_flow_check", "sink");
    CHECK_EQUAL(reported, 0);
    CHECK_IS(sf_flow_destroy(f), SF_OK);
}
/* A name is no sentence: scopes, and the names of those that have none, stay. */
static void names_stay(void **state)
{
    static const sf_op_desc nameless = { .compute = refuse, .in = { { .name = "n" } } };
    sf_flow *f = small_flow(&source, &nameless, NULL, 0, true);
    (void)state;
    CHECK_IS(sf_flow_run(f), SF_ERROR_USER);
    failed(f, SF_ERROR_USER, "compute", "op1");
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_USER);
    f = small_flow(NULL, NULL, NULL, 0, false);
    sf_flow_scope(f, "left");
    sf_flow_scope(f, "inner");
    (void)sf_flow_add(f, &sink);
    sf_flow_scope(f, NULL);
    (void)sf_flow_add(f, &nameless);
    CHECK_IS(sf_flow_check(f, false, report, NULL), SF_ERROR_NOT_CONNECTED);
    failed(f, SF_ERROR_NOT_CONNECTED, "sf_flow_check", "left/inner/sink");
    (void)sf_flow_destroy(f);
}
static void failures_keep_code_and_operator(void **state)
{
    static const sf_op_desc bad = { .name = "bad", .compute = refuse, .in = { { .name = "n" } } };
    sf_flow *f = small_flow(&source, &bad, NULL, 0, true);
    (void)state;
    CHECK_IS(sf_flow_run(f), SF_ERROR_USER);
    failed(f, SF_ERROR_USER, "compute", "bad");
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_USER);
}
/* Without an OS no flow opens a device: memory needs one that is handed in. */
static void memory_needs_a_device(void **state)
{
    static const sf_op_desc from = { .name = "fill", .compute = fill, .out = { { .name = "t", .bytes = 8 } },
                                     .count = 4 };
    static const sf_op_desc to = { .name = "sum", .compute = add_tensor, .in = { { .name = "t" } } };
    sf_device_desc d = { .backend = SF_BACKEND_HOST, .memory = { device_memory, sizeof device_memory } };
    sf_device *device;
    sf_flow *f = small_flow(&from, &to, NULL, 1024, true);
    (void)state;
    d.host.order = SF_ORDER_FIRST_IN;
    CHECK_IS(sf_flow_run(f), SF_ERROR_NO_ROOM);
    failed(f, SF_ERROR_NO_ROOM, "sf_flow_check", "fill");
    (void)sf_flow_destroy(f);
    CHECK_OK(sf_device_open(&d, &device));
    f = small_flow(&from, &to, device, 1024, true);
    CHECK_OK(sf_flow_run(f));
    CHECK_EQUAL(sum, 1 + 2 + 3 + 4);
    CHECK_OK(sf_flow_destroy(f));
    CHECK_IS(sf_stream_create(device, NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_failure(device)->result, SF_ERROR_INVALID_VALUE);
    CHECK(!strcmp(sf_device_failure(device)->call, "sf_stream_create"));
    CHECK(!strcmp(sf_device_failure(device)->text, ""));
    CHECK_OK(sf_device_close(device, SF_FOREVER));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_runs),
        cmocka_unit_test(mistakes_keep_code_call_and_operator),
        cmocka_unit_test(failures_keep_code_and_operator),
        cmocka_unit_test(names_stay),
        cmocka_unit_test(memory_needs_a_device),
    };
    test_arguments_of_host(argc, argv);
    return cmocka_run_group_tests_name("no_text", tests, NULL, NULL);
}
