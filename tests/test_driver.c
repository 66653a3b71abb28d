/*  test_driver.c - the CUDA backend on a driver that is not there: see fake_cuda.h. Needs no GPU, uses none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#define SFI_STREAM_ROOM 2                    /* each call of the driver is one that may fail */
#define SFI_STAY_PATIENCE SF_MS(10)
#include "library.c"                         /* whose entry points and structs the played driver has */
#include <cmocka.h>
#include "test.h"
#include "fake_cuda.h"

static const char *const required[] = {
#define X(field, symbol, params) symbol,
    SFI_CUDA_REQUIRED(X)
};
static const char *const optional[] = {
    SFI_CUDA_OPTIONAL(X)
#undef X
};

static sf_result open_fake(sf_backend backend, int32_t ordinal, test_log *log, test_heap *heap,
                           sf_device **device)
{
    sf_device_desc desc = { .backend = backend, .ordinal = ordinal, .cuda.resolve = fake_resolve };
    if (log) { desc.logger = (sf_logger){ test_log_func, log }; }
    if (heap) {                              /* the programs below */
        desc.heap = (sf_heap){ test_heap_alloc, test_heap_free, heap };
        desc.wait = SF_WAIT_BLOCK;
    }
    return sf_device_open(&desc, device);
}
/* Live objects of the driver in words, "" if there are none. Memory goes with a context that is lost. */
static const char *what_is_left(void)
{
    static char text[256];
    int n = 0;
    long captures = 0, reserved = 0;
    for (int i = 0; i < FAKE_ROOM; i++) {
        captures += fake.captures[i] != NULL;
        reserved += !fake.fault && fake.reserved[i].ptr;
    }
    const struct { const char *what; long count; } kinds[] = {
        { "streams", fake.streams }, { "events", fake.events }, { "blocks", fake.fault ? 0 : fake.blocks },
        { "pools", fake.fault ? 0 : fake.pools }, { "graphs", fake.graphs }, { "nodes", fake.nodes },
        { "execs", fake.execs }, { "user objects", fake.objects }, { "modules", fake.fault ? 0 : fake.modules },
        { "captures", captures }, { "green contexts", fake.fault ? 0 : fake.greens },
        { "addresses of graphs", reserved }, { "contexts", fake.fault ? 0 : fake.retained[0] + fake.retained[1] },
    };
    text[0] = 0;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].count) {
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%ld %s", n ? ", " : "", kinds[i].count,
                          kinds[i].what);
        }
    }
    return text;
}
static void check_nothing_is_left(void)
{
    if (what_is_left()[0]) { fail_msg("left: %s", what_is_left()); }
    CHECK_EQUAL(fake.fatal, 0);              /* nothing was called that crashes the real one */
    CHECK_EQUAL(fake_thread.mode, 0);
}

/* -- opening -- */

static void each_required_symbol(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(required); i++) {
        test_log log = { 0 };
        test_heap heap = { 0 };
        sf_device *device = (sf_device *)&log;
        sf_device_info info;
        fake_reset();
        fake.missing = required[i];
        CHECK_IS(open_fake(SF_BACKEND_CUDA, 0, &log, &heap, &device), SF_ERROR_DRIVER);
        CHECK(!device);
        CHECK_EQUAL(heap.live, 0);
        CHECK_EQUAL(log.level, 1);
        CHECK_EQUAL(log.item, -SF_ERROR_DRIVER);
        if (!strstr(log.text, required[i])) { fail_msg("does not name %s: %s", required[i], log.text); }
        CHECK_OK(open_fake(SF_BACKEND_AUTO, 0, &log, &heap, &device)); /* AUTO: the host, and says why */
        CHECK_OK(sf_device_get_info(device, &info));
        CHECK_EQUAL(info.backend, SF_BACKEND_HOST);
        CHECK_EQUAL(log.level, 3);
        CHECK(strstr(log.text, required[i]));
        test_close(device);
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
    CHECK(COUNT(required) >= 38);
}
static void auto_without_a_gpu(void **state)
{
    static const struct {
        int init, count, gpus;
    } cases[] = { { 100, 0, 2 }, { 0, 100, 0 }, { 0, 0, 0 }, { 3, 0, 1 }, { 999, 0, 1 } };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_log log = { 0 };
        test_heap heap = { 0 };
        sf_device *device;
        sf_device_info info;
        int code = cases[i].init ? cases[i].init : 100;
        fake_reset();
        fake.init_code = cases[i].init, fake.count_code = cases[i].count, fake.gpus = cases[i].gpus;
        CHECK_IS(open_fake(SF_BACKEND_CUDA, 0, &log, &heap, &device), (sf_result)-code);
        CHECK(!device);
        CHECK_EQUAL(log.level, 1);
        CHECK_EQUAL(heap.live, 0);
        CHECK_OK(open_fake(SF_BACKEND_AUTO, 0, &log, &heap, &device));
        CHECK_OK(sf_device_get_info(device, &info));
        CHECK_EQUAL(info.backend, SF_BACKEND_HOST);
        CHECK(strstr(log.text, "host") && log.level == 3);
        test_close(device);
        check_nothing_is_left();
    }
    sf_device *device;
    sf_device_info info;
    test_log log = { 0 };
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_AUTO, 0, &log, NULL, &device));
    CHECK_OK(sf_device_get_info(device, &info));
    CHECK_EQUAL(info.backend, SF_BACKEND_CUDA);
    CHECK(strstr(log.text, "CUDA") && log.level == 3);
    test_close(device);
}
static void ordinals_and_info(void **state)
{
    sf_device *device;
    sf_device_info info;
    (void)state;
    fake_reset();
    CHECK_IS(open_fake(SF_BACKEND_CUDA, 2, NULL, NULL, &device), SF_ERROR_INVALID_DEVICE);
    CHECK_IS(open_fake(SF_BACKEND_CUDA, -1, NULL, NULL, &device), SF_ERROR_INVALID_DEVICE);
    for (int i = 0; i < FAKE_GPUS; i++) {
        char name[32];
        snprintf(name, sizeof name, "Fake %d", i);
        CHECK_OK(open_fake(SF_BACKEND_CUDA, i, NULL, NULL, &device));
        CHECK_OK(sf_device_get_info(device, &info));
        CHECK_EQUAL(info.backend, SF_BACKEND_CUDA);
        CHECK_EQUAL(info.ordinal, i);
        CHECK_EQUAL(info.multiprocessors, 100 + i);
        CHECK_EQUAL(info.compute_capability, 90);
        CHECK_EQUAL(info.driver_version, 12080);
        CHECK_EQUAL(info.priority_least, 0);
        CHECK_EQUAL(info.priority_greatest, -5);
        CHECK_EQUAL(info.memory_bytes, 3000);
        CHECK_EQUAL(info.memory_free_bytes, 1000);
        CHECK(!strcmp(info.name, name));
        CHECK(sf_device_native(device) == &fake_contexts[i]);
        CHECK_EQUAL(fake.retained[i], 1);
        test_close(device);
    }
    CHECK_EQUAL(fake.outside, 0);
    check_nothing_is_left();
}
static sf_result count_fake(sf_backend backend, test_log *log, int32_t *count)
{
    sf_device_desc desc = { .backend = backend, .cuda.resolve = fake_resolve, .logger = { test_log_func, log } };
    return sf_device_count(&desc, count);
}
/* A value carries the stream of a GPU to an operator on a host device, which cannot wait for it: no order is no run. */
static sf_result ask_for_stream(sf_context *ctx)
{
    if (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    (void)sf_compute_stream(ctx);
    return ctx->user ? sf_emit_value(ctx, 0, (sf_value){ 0 }) : SF_OK;
}
static void no_wait_across_backends(void **state)
{
    sf_device *gpu, *host;
    sf_stream_pool *of_gpu, *of_host;
    sf_flow *f;
    sf_op a, b;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &gpu));
    CHECK_OK(open_fake(SF_BACKEND_HOST, 0, NULL, NULL, &host));
    CHECK_OK(sf_stream_pool_create(gpu, NULL, &of_gpu));
    CHECK_OK(sf_stream_pool_create(host, NULL, &of_host));
    f = sf_flow_create(&(sf_flow_desc){ .device = host });
    a = sf_flow_add(f, &(sf_op_desc){ .compute = ask_for_stream, .user = f, .out = { { .name = "out" } }, .count = 1,
                                      .streams = of_gpu });
    b = sf_flow_add(f, &(sf_op_desc){ .compute = ask_for_stream, .in = { { .name = "in" } }, .streams = of_host });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
    CHECK_IS(sf_flow_run(f), SF_ERROR_INVALID_HANDLE);
    CHECK(strstr(sf_flow_failure(f)->text, "waiting for a message's work failed"));
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_stream_pool_destroy(of_gpu));
    CHECK_OK(sf_stream_pool_destroy(of_host));
    test_close(host);
    test_close(gpu);
    check_nothing_is_left();
}
static void gpus_are_counted(void **state)   /* no context is made; none is no error, no driver is */
{
    static const struct { int init, count, gpus; const char *missing; sf_result cuda; int32_t gpus_found; } cases[] = {
        { 0, 0, 2, NULL, SF_OK, 2 }, { 0, 0, 0, NULL, SF_OK, 0 }, { 100, 0, 2, NULL, SF_OK, 0 },
        { 3, 0, 2, NULL, (sf_result)-3, 0 }, { 0, 999, 2, NULL, SF_ERROR_UNKNOWN, 0 },
        { 0, 0, 2, "cuInit", SF_ERROR_DRIVER, 0 }, { 0, 0, 2, "cuDeviceGetCount", SF_ERROR_DRIVER, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_log log = { 0 };
        int32_t n = 99;
        fake_reset();
        fake.init_code = cases[i].init, fake.count_code = cases[i].count, fake.gpus = cases[i].gpus;
        fake.missing = cases[i].missing;
        CHECK_IS(count_fake(SF_BACKEND_CUDA, &log, &n), cases[i].cuda);
        CHECK_EQUAL(n, cases[i].gpus_found);
        CHECK_EQUAL(log.level, cases[i].cuda ? 1 : 0);
        if (cases[i].cuda) { CHECK(strstr(log.text, "sf_device_count")); }
        CHECK_OK(count_fake(SF_BACKEND_AUTO, &log, &n));
        CHECK_EQUAL(n, cases[i].gpus_found ? cases[i].gpus_found : 1);
        CHECK_OK(count_fake(SF_BACKEND_HOST, &log, &n));
        CHECK_EQUAL(n, 1);
        CHECK_EQUAL(*fake_count("cuDevicePrimaryCtxRetain"), 0);
        check_nothing_is_left();
    }
}
/* The primary context's other flags stay, and so do all of them where the desc says nothing. */
static void contexts_wait_by_policy(void **state)
{
    static const unsigned theirs[] = { 0, 1, 2, 4 };
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .wait = (sf_wait_policy)k, .cuda.resolve = fake_resolve };
        sf_device *device;
        fake_reset();
        fake.scheduling[0] = 16 | 2;
        CHECK_OK(sf_device_open(&desc, &device));
        CHECK_EQUAL(fake.scheduling[0], k ? (16 | theirs[k]) : (16 | 2));
        CHECK_EQUAL(*fake_count("cuDevicePrimaryCtxSetFlags_v2"), k != 0);
        test_close(device);
    }
}
static void what_a_gpu_can(void **state)     /* as the driver says; what it does not know is "no" */
{
    static const struct { int attribute; size_t offset; } bools[] = {
        { 83, offsetof(sf_device_info, managed) }, { 89, offsetof(sf_device_info, concurrent_managed) },
        { 98, offsetof(sf_device_info, flush_writes) }, { 122, offsetof(sf_device_info, values64) },
        { 123, offsetof(sf_device_info, value_nor) }, { 148, offsetof(sf_device_info, stream_atomics) },
    };
    (void)state;
    for (size_t i = 0; i <= COUNT(bools); i++) {
        sf_device *device;
        sf_device_info info;
        uint8_t uuid[16];
        fake_reset();
        fake.version = 13010;
        fake.zero_attribute = i < COUNT(bools) ? bools[i].attribute : -1;
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, NULL, &device));
        CHECK_OK(sf_device_get_info(device, &info));
        for (size_t k = 0; k < COUNT(bools); k++) {
            CHECK_EQUAL(*((const bool *)&info + bools[k].offset), k != i);
        }
        memset(uuid, 0x41, sizeof uuid);
        CHECK_BYTES(info.uuid, uuid, sizeof uuid);
        CHECK(!strcmp(info.pci, "0000:31:00.0"));
        CHECK(!info.native_atomics && !info.pageable_access && info.warp == 32 && info.mem_sync_domains == 4);
        CHECK_EQUAL(info.multiprocessors, 101);
        CHECK_EQUAL(info.window_bytes, 1 << 27);
        CHECK_EQUAL(info.shared_bytes, 227 << 10);
        test_close(device);
    }
}
/* What the device's attributes decide is refused before the driver is asked, and says which attribute. */
static void values_as_the_gpu_has_them(void **state)
{
    static const struct { int attribute; sf_stream_op op; const char *word; } cases[] = {
        { 98, { SF_STREAM_OP_WAIT32, SF_WAIT_VALUE_EQ | SF_WAIT_VALUE_FLUSH, NULL, 0 }, "flush" },
        { 98, { .type = SF_STREAM_OP_FLUSH }, "flush" },
        { 122, { SF_STREAM_OP_WAIT64, 0, NULL, 0 }, "64 bits" }, { 122, { SF_STREAM_OP_WRITE64, 0, NULL, 0 }, "64 bits" },
        { 123, { SF_STREAM_OP_WAIT32, SF_WAIT_VALUE_NOR, NULL, 0 }, "NOR" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases) * 2; i++) {
        sf_stream_op op = cases[i / 2].op;
        sf_device *device;
        sf_stream *s;
        uint64_t *word;
        fake_reset();
        fake.zero_attribute = i % 2 ? -1 : cases[i / 2].attribute;
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_PINNED, (void **)&word));
        *word = 0;
        if (op.type != SF_STREAM_OP_FLUSH) { op.ptr = word; }
        CHECK_IS(sf_stream_batch(s, &op, 1, 0), i % 2 ? SF_OK : SF_ERROR_NOT_SUPPORTED);
        CHECK_EQUAL(*fake_count("cuStreamBatchMemOp_v2"), i % 2);
        if (i % 2 == 0) {
            CHECK(strstr(sf_device_failure(device)->text, cases[i / 2].word));
            CHECK_IS(sf_stream_take_failure(s), SF_ERROR_NOT_SUPPORTED);
        }
        test_close(device);
    }
}
/* Managed memory of others is known by what the driver says; pageable memory where the device takes it. */
static void memory_of_others(void **state)
{
    static uint64_t theirs[8], pageable[8];
    (void)state;
    for (int k = 0; k < 2; k++) {
        sf_device *device;
        sf_stream *s;
        sf_memory kind;
        fake_reset();
        fake.managed = theirs;
        fake.pageable = k;
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sf_mem_get_kind(device, theirs + 1, &kind));
        CHECK_EQUAL(kind, SF_MEMORY_MANAGED);
        CHECK_OK(sf_stream_attach_mem_async(s, theirs, 0, SF_ATTACH_SINGLE));
        CHECK(fake.last_attach.ptr == theirs && fake.last_attach.bytes == 0);
        CHECK_OK(sf_stream_attach_mem_async(s, theirs, 64, SF_ATTACH_GLOBAL));
        CHECK_OK(sf_mem_prefetch_async(s, theirs, 64, false));
        CHECK_IS(sf_stream_attach_mem_async(s, pageable, 64, SF_ATTACH_GLOBAL), k ? SF_OK : SF_ERROR_INVALID_VALUE);
        if (!k) { CHECK(strstr(sf_device_failure(device)->text, "pageable_access")); }
        CHECK_IS(sf_stream_attach_mem_async(s, pageable, 0, SF_ATTACH_GLOBAL), SF_ERROR_INVALID_VALUE);
        CHECK_EQUAL(*fake_count("cuStreamAttachMemAsync"), 2 + k);
        test_close(device);
    }
}
/* What the library does with a stream of a part of the GPU, and what it hands the driver. */
static void streams_of_a_part(void **state)
{
    sf_device *device;
    sf_stream *s;
    sf_stream_resource r = { 0 };
    fake_green green = { .magic = FAKE_GREEN_MAGIC, .sms = 16 };
    (void)state;
    for (int k = 0; k < 4; k++) {
        fake_stream foreign = { FAKE_STREAM_MAGIC, .flags = 1, .context = &fake_contexts[0], .green = k ? &green : NULL };
        fake_reset();
        if (k > 1) { fake.missing = k == 2 ? "cuStreamGetCtx_v2" : "cuGreenCtxGetDevResource"; }
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_wrap(device, &foreign, &s));
        CHECK_OK(sf_stream_get_dev_resource(s, &r));
        CHECK_EQUAL(r.multiprocessors, k == 1 ? 16 : 100);
        test_close(device);
    }
}
static void attributes_reach_the_driver(void **state)        /* by its numbers; it is asked each time */
{
    sf_device *device;
    sf_stream *s;
    sf_stream_value v = { .wait = SF_WAIT_BLOCK };
    sf_stream_desc desc = { .priority = -1 };
    fake_stream *theirs;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &desc, &s));
    theirs = (fake_stream *)sf_stream_native(s);
    CHECK_OK(sf_stream_set_attribute(s, SF_STREAM_SYNCHRONIZATION_POLICY, &v));
    CHECK_EQUAL(theirs->values[3].value, 4);
    theirs->values[3].value = 2;             /* somebody else's call */
    CHECK_OK(sf_stream_get_attribute(s, SF_STREAM_SYNCHRONIZATION_POLICY, &v));
    CHECK_EQUAL(v.wait, SF_WAIT_SPIN);
    v = (sf_stream_value){ .window = { &v, 4096, 0.25f, SF_ACCESS_PERSISTING, SF_ACCESS_STREAMING } };
    CHECK_OK(sf_stream_set_attribute(s, SF_STREAM_ACCESS_POLICY_WINDOW, &v));
    CHECK(theirs->values[1].stream.window.base == &v && theirs->values[1].stream.window.bytes == 4096);
    CHECK(theirs->values[1].stream.window.hit_ratio == 0.25f && theirs->values[1].stream.window.hit == 2);
    CHECK_EQUAL(theirs->values[1].stream.window.miss, 1);
    v = (sf_stream_value){ .priority = -100 };
    CHECK_OK(sf_stream_set_attribute(s, SF_STREAM_PRIORITY, &v));
    CHECK_EQUAL(theirs->priority, -5);
    v = (sf_stream_value){ .map = { 2, 3 } };
    CHECK_OK(sf_stream_set_attribute(s, SF_STREAM_MEM_SYNC_DOMAIN_MAP, &v));
    CHECK(theirs->values[9].stream.map[0] == 2 && theirs->values[9].stream.map[1] == 3);
    test_close(device);
}

/* -- all calls, and each of them failing -- */

static struct {
    bool in_context;
    void *stream;
    sf_result inside;
    sf_device *device;
    int calls;
} seen;
static void fake_add(void **params)
{
    const mix_args *a = (const mix_args *)params[0];
    for (uint32_t i = 0; i < a->n; i++) { a->dst[i] += a->add; }
}
static fake_function fake_add_function = { FAKE_FUNCTION_MAGIC, "add", fake_add, { sizeof(mix_args) }, 77 };
static int add_cuda(void *stream, const void *args)
{
    void *params[] = { (void *)(uintptr_t)args };
    seen.stream = stream;
    seen.in_context = fake_current() == &fake_contexts[0];
    return fake_launch(stream, &fake_add_function, params);
}
static int fake_twice(void *stream, const void *args)
{
    int code = add_cuda(stream, args);
    return code ? code : add_cuda(stream, args);
}
static int nothing_cuda(void *stream, const void *args) { return (void)stream, (void)args, 0; }
static int wrong_cuda(void *stream, const void *args) { return (void)stream, (void)args, 98; }
static int library_cuda(void *stream, const void *args)      /* of a library with codes of its own: its code is 2 */
{
    return (void)stream, (void)args, SF_ERROR_USER - 2;
}
static int late_cuda(void *stream, const void *args)         /* launches, then finds fault */
{
    int code = add_cuda(stream, args);
    return code ? code : 98;
}
static int sync_cuda(void *stream, const void *args)         /* breaks a capture, and hides it */
{
    (void)fake_stream_synchronize(stream);
    return (void)args, 0;
}
static void fake_sub(void **params)
{
    const mix_args *a = (const mix_args *)params[0];
    for (uint32_t i = 0; i < a->n; i++) { a->dst[i] -= a->add; }
}
static fake_function fake_sub_function = { FAKE_FUNCTION_MAGIC, "sub", fake_sub, { sizeof(mix_args) }, 0 };
static int sub_cuda(void *stream, const void *args)
{
    void *params[] = { (void *)(uintptr_t)args };
    return fake_launch(stream, &fake_sub_function, params);
}
static const sf_kernel sub_kernel = { .name = "sub", .cuda = sub_cuda };
static const sf_kernel add_kernel = { .name = "add", .cuda = add_cuda };
static const sf_kernel twice = { .name = "twice", .cuda = fake_twice };
static const sf_kernel nothing_kernel = { .name = "nothing", .cuda = nothing_cuda };
static const sf_kernel bodiless = { .name = "bodiless" };
static const sf_kernel wrong_kernel = { .name = "wrong", .cuda = wrong_cuda };
static const sf_kernel library_kernel = { .name = "library", .cuda = library_cuda };
static const sf_kernel late_kernel = { .name = "late", .cuda = late_cuda };
static const sf_kernel sync_kernel = { .name = "sync", .cuda = sync_cuda };
static void inside_func(void *user)
{
    sf_device_info info;
    seen.inside = sf_device_get_info(seen.device, &info);
    seen.calls++;
    ++*(uint32_t *)user;
}
static void count_func(void *user) { ++*(uint32_t *)user; }
static void count_callback(sf_stream *stream, sf_result status, void *user)
{
    (void)stream, (void)status;
    ++*(uint32_t *)user;
}
static void no_text(void *user, const char *text, size_t bytes) { (void)user, (void)text, (void)bytes; }

enum { MAX_STEPS = 200, WORDS = 64 };
typedef struct record {
    sf_device *device, *asked;               /* asked: whose failure it is, if not the first one's */
    sf_result r[MAX_STEPS];
    const char *what[MAX_STEPS];
    int n, context_lost, mode_lost;          /* of the first call after which it was another */
    int first;                               /* that failed, and what the device says of it */
    char call[64], text[512];
    void *before;
    sf_result opened, closed;
    bool in_close;                           /* the driver call that was to fail did so there, or never */
    uint32_t words[WORDS], host_calls;
} record;
typedef void (*program)(record *rec, test_heap *heap);
static sf_capture_mode program_mode;         /* in which it runs: RELAXED exchanges the driver's around many a call */

static void note_state(record *rec, int step)
{
    if (fake_current() != rec->before && rec->context_lost < 0) { rec->context_lost = step; }
    if (fake_thread.mode != 0 && rec->mode_lost < 0) { rec->mode_lost = step; }
}
static void note_step(record *rec, const char *what, sf_result r)
{
    rec->what[rec->n] = what;
    rec->r[rec->n] = r;
    if (r < 0 && rec->first < 0) {
        const sf_failure *f = sf_device_failure(rec->asked ? rec->asked : rec->device);
        rec->first = rec->n;
        snprintf(rec->call, sizeof rec->call, "%s", f->call);
        snprintf(rec->text, sizeof rec->text, "%s", f->text);
    }
    note_state(rec, rec->n);
    rec->n++;
    if (rec->n == MAX_STEPS) { abort(); }
}
#define STEP(expression) note_step(rec, #expression, (expression))
#define DO(expression) (STEP(expression), rec->r[rec->n - 1] >= 0)
static bool begin_program(record *rec, test_heap *heap, test_log *log)
{
    *rec = (record){ .context_lost = -1, .mode_lost = -1, .first = -1, .before = fake_current() };
    rec->opened = open_fake(SF_BACKEND_CUDA, 0, log, heap, &rec->device);
    note_state(rec, 0);
    (void)sf_thread_exchange_stream_capture_mode(&program_mode);
    if (rec->opened == SF_OK) { return true; }
    if (log) { snprintf(rec->text, sizeof rec->text, "%s", log->text); }
    (void)sf_thread_exchange_stream_capture_mode(&program_mode);
    return false;
}
static void end_program(record *rec)
{
    rec->in_close = fake_has_yet_to_fail();
    rec->closed = sf_device_close(rec->device, SF_FOREVER);
    note_state(rec, rec->n);
    if (rec->in_close) { fake_destroy_execs(); }     /* one that could not be destroyed holds its host functions */
    (void)sf_thread_exchange_stream_capture_mode(&program_mode);
}

/* A call that locks itself out would hang: it is left then, with all that it had. */
static sigjmp_buf locked_out;
static void leave(int signal) { (void)signal, siglongjmp(locked_out, 1); }
static bool run_program(program run, record *rec, test_heap *heap)
{
    bool back = sigsetjmp(locked_out, 1) == 0;
    (void)signal(SIGALRM, leave);
    if (back) {
        alarm(30);
        run(rec, heap);
    }
    alarm(0);
    return back;
}

/* Streams, events and memory. Goes on whatever fails, as careless programs do. */
static void stream_program(record *rec, test_heap *heap)
{
    sf_stream_op batch[4] = {
        { SF_STREAM_OP_WRITE32, 0, NULL, 78 }, { SF_STREAM_OP_WAIT32, SF_WAIT_VALUE_EQ, NULL, 78 },
        { SF_STREAM_OP_WRITE32, 0, NULL, 77 },
        { SF_STREAM_OP_BARRIER, SF_BARRIER_GPU, NULL, 0 },
    };
    static test_log log;                     /* outlives the device, as does what is lent to it below */
    static fake_stream foreign;
    sf_device *device;
    sf_stream *s = NULL, *t = NULL, *wrapped = NULL, *green = NULL, *legacy, *own, *child = NULL;
    sf_event *e = NULL, *f = NULL;
    sf_mem_pool *pool = NULL;
    sf_partition *part = NULL;
    sf_partition_info part_info;
    sf_device_info info;
    sf_mem_pool_info pool_info;
    uint32_t *dev = NULL, *pinned = NULL, *managed = NULL, *host = NULL, *ordered = NULL, *pooled = NULL, *zero;
    uint32_t local[WORDS];
    uint64_t id;
    mix_args a = { .n = 16, .add = 5 };
    void *at;
    sf_memory kind;
    float ms;
    foreign = (fake_stream){ FAKE_STREAM_MAGIC, .flags = 1, .priority = -2, .context = &fake_contexts[0] };
    for (uint32_t i = 0; i < WORDS; i++) { local[i] = i; }
    if (!begin_program(rec, heap, &log)) { return; }
    seen.device = device = rec->device;
    legacy = sf_stream_legacy(device);
    STEP(sf_device_get_info(device, &info));
    STEP(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .priority = -9 }, &s));
    STEP(sf_stream_create(device, NULL, &t));
    STEP(sf_stream_wrap(device, &foreign, &wrapped));
    if (DO(sf_device_split(device, &(sf_partitions_desc){ .count = 2, .sms = { 16, 10 } }))) {
        STEP(sf_device_get_partition(device, 1, &part));
    }
    if (part) {
        STEP(sf_partition_get_info(part, &part_info));
        STEP(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .partition = part }, &green));
    }
    STEP(sf_event_create(device, 0, &e));
    STEP(sf_event_create(device, SF_EVENT_BLOCKING_SYNC, &f));
    STEP(sf_mem_alloc(device, 256, SF_MEMORY_DEVICE, (void **)&dev));
    STEP(sf_mem_alloc(device, 64, SF_MEMORY_PINNED, (void **)&pinned));
    STEP(sf_mem_alloc(device, 64, SF_MEMORY_MANAGED, (void **)&managed));
    STEP(sf_mem_alloc(device, 64, SF_MEMORY_HOST, (void **)&host));
    if (pinned) { STEP(sf_mem_get_device_pointer(device, pinned, &at)); }
    STEP(sf_mem_get_kind(device, &at, &kind));
    if (s && dev) {
        STEP(sf_event_record(e, s, 0));
        STEP(sf_memcpy_async(s, dev, local, 256));
        STEP(sf_memset_async(s, dev, 1, 4));
        a.dst = dev;
        STEP(sf_launch(s, &add_kernel, &a, sizeof a));
        STEP(sf_memcpy_2d_async(s, dev + 8, 8, dev, 8, 4, 3));
        STEP(sf_memcpy_peer_async(s, dev + 15, device, dev, device, 4));
        STEP(sf_event_record(f, s, 0));
        STEP(sf_launch_host_func(s, inside_func, &rec->host_calls));
        STEP(sf_stream_add_callback(s, count_callback, &rec->host_calls, 0));
        STEP(sf_stream_query(s));
        STEP(sf_stream_synchronize(s, SF_FOREVER));
        STEP(sf_stream_synchronize(s, SF_MS(100)));
        STEP(sf_mem_alloc_async(s, NULL, 0, (void **)&zero));
        STEP(sf_mem_alloc_async(s, NULL, 64, (void **)&ordered));
        if (ordered) { STEP(sf_mem_free_async(s, ordered)); }
        STEP(sf_stream_write_value(s, dev + 20, 4, 77, 0));
        STEP(sf_stream_write_value(s, dev + 22, 8, 0x500000004u, 0));
        STEP(sf_stream_wait_value(s, dev + 20, 4, 77, SF_WAIT_VALUE_EQ));
        STEP(sf_stream_wait_value(s, dev + 22, 8, 0x500000004u, SF_WAIT_VALUE_GEQ));
        batch[0].ptr = batch[1].ptr = batch[2].ptr = dev + 20;
        STEP(sf_stream_batch(s, batch, COUNT(batch), 0));
        STEP(sf_stream_fork(s, &child));
        if (child) {
            a = (mix_args){ .dst = dev + 24, .n = 1, .add = 1 };
            STEP(sf_launch(child, &add_kernel, &a, sizeof a));
            STEP(sf_stream_join(s, child));
        }
        STEP(sf_stream_wait_stream(s, t));
        STEP(sf_stream_wait_stream(t, s));   /* by the same event: no driver call makes it */
        STEP(sf_stream_join(s, t));
        if (green) {                         /* into another partition and back */
            STEP(sf_event_record(e, s, 0));
            STEP(sf_stream_wait_event(green, e, 0));
            a = (mix_args){ .dst = dev + 26, .n = 1, .add = 3 };
            STEP(sf_launch(green, &add_kernel, &a, sizeof a));
            STEP(sf_stream_get_partition(green, &part));
            STEP(sf_event_record(e, green, 0));
            STEP(sf_stream_wait_event(s, e, 0));
        }
        STEP(sf_stream_fork(s, &child));     /* the same one again: no driver call makes it */
        if (child) { STEP(sf_stream_join(s, child)); }
    }
    if (managed && s) { STEP(sf_stream_attach_mem_async(s, managed, 64, SF_ATTACH_SINGLE)); }
    if (s && t) { STEP(sf_stream_copy_attributes(t, s)); }
    if (s) {
        sf_stream_value v = { .priority = -1 };
        sf_stream_resource resource;
        STEP(sf_stream_set_attribute(s, SF_STREAM_PRIORITY, &v));
        STEP(sf_stream_get_attribute(s, SF_STREAM_PRIORITY, &v));
        STEP(sf_stream_get_dev_resource(green ? green : s, &resource));
    }
    STEP(sf_stream_wait_event(t, f, 0));
    STEP(sf_event_query(f));
    STEP(sf_event_synchronize(f, SF_FOREVER));
    STEP(sf_event_synchronize(f, SF_MS(100)));
    STEP(sf_event_elapsed_ms(e, f, &ms));
    if (managed) { STEP(sf_mem_prefetch_async(t, managed, 64, false)); }
    STEP(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC, .release_threshold_bytes = 4096,
                                                         .initial_bytes = 128 }, &pool));
    if (pool && t) {
        STEP(sf_mem_alloc_async(t, pool, 64, (void **)&pooled));
        STEP(sf_mem_pool_get_info(pool, &pool_info));
        if (pooled) { STEP(sf_mem_free_async(t, pooled)); }
    }
    if (pool) {
        STEP(sf_mem_pool_trim(pool, 0));
        STEP(sf_mem_pool_destroy(pool));
    }
    own = sf_stream_per_thread(device);
    if (own && dev) {
        a = (mix_args){ .dst = dev + 25, .n = 1, .add = 2 };
        STEP(sf_launch(own, &add_kernel, &a, sizeof a));
        STEP(sf_event_record(e, own, 0));
        STEP(sf_stream_get_id(own, &id));
        STEP(sf_stream_synchronize(own, SF_FOREVER));
    }
    if (dev) { STEP(sf_memcpy_async(legacy, rec->words, dev, 256)); }
    STEP(sf_event_record(e, legacy, 0));
    STEP(sf_stream_wait_event(legacy, f, 0));
    STEP(sf_stream_query(legacy));
    STEP(sf_stream_synchronize(legacy, SF_FOREVER));
    STEP(sf_device_synchronize(device, SF_FOREVER));
    STEP(sf_device_synchronize(device, SF_MS(100)));
    if (dev) { STEP(sf_mem_free(device, dev)); }
    if (pinned) { STEP(sf_mem_free(device, pinned)); }
    STEP(sf_stream_destroy(wrapped));
    STEP(sf_stream_destroy(t));
    STEP(sf_event_destroy(e));
    end_program(rec);                        /* s, green, f, managed, host: still alive */
}
static void expect_of_streams(uint32_t *w)
{
    for (uint32_t i = 0; i < WORDS; i++) { w[i] = i; }
    w[0] = 0x01010101;
    for (uint32_t i = 0; i < 16; i++) { w[i] += 5; }
    for (int y = 0; y < 3; y++) { w[8 + 2 * y] = w[2 * y]; }
    w[15] = w[0];
    w[20] = 77, w[22] = 4, w[23] = 5;
    w[24] += 1, w[25] += 2, w[26] += 3;
}

/* Captures, on words 0 to 15 of `dev`. */
static sf_graph *captured(record *rec, sf_stream *s, sf_stream *t, sf_event *e, sf_event *f, uint32_t *dev,
                          sf_function *store)
{
    sf_device *device = rec->device;
    sf_graph *graph = NULL;
    sf_capture_status status;
    sf_capture_info info;
    sf_dependency after[4] = { { NULL, SF_DEPENDENCY_FULL } };
    sf_stream *child = NULL;
    sf_event *idle = NULL;
    uint32_t value = 13, flags, *taken = NULL, *p = dev + 6;
    void *params[] = { &p, &value };
    sf_capture_mode mode = SF_CAPTURE_RELAXED;
    mix_args a = { .dst = dev + 5, .n = 1, .add = 1 };
    STEP(sf_event_create(device, 0, &idle));
    STEP(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
    STEP(sf_stream_is_capturing(s, &status));
    STEP(sf_launch(s, &add_kernel, &a, sizeof a));
    STEP(sf_event_record(e, s, 0));
    STEP(sf_stream_wait_event(t, e, 0));
    STEP(sf_memset_async(t, dev + 7, 3, 4));
    STEP(sf_memcpy_async(s, dev + 8, dev + 5, 4));
    STEP(sf_memcpy_2d_async(s, dev + 10, 8, dev + 8, 8, 4, 2));
    STEP(sf_stream_write_value(t, dev + 12, 4, 21, 0));
    STEP(sf_stream_wait_value(t, dev + 12, 4, 21, SF_WAIT_VALUE_EQ));
    STEP(sf_event_record(f, t, 0));
    STEP(sf_stream_wait_event(s, f, 0));
    STEP(sf_event_record(idle, s, SF_EVENT_RECORD_EXTERNAL));
    STEP(sf_stream_wait_event(s, idle, SF_EVENT_WAIT_EXTERNAL));
    STEP(sf_launch_host_func(s, inside_func, &rec->host_calls));
    if (store) { STEP(sf_launch_kernel(s, store, NULL, params)); }
    STEP(sf_mem_alloc_async(s, NULL, 64, (void **)&taken));
    if (taken) {
        STEP(sf_memset_async(s, taken, 9, 4));
        STEP(sf_memcpy_async(s, dev + 13, taken, 4));
        STEP(sf_mem_free_async(s, taken));
    }
    STEP(sf_stream_wait_stream(t, s));       /* again */
    STEP(sf_memset_async(t, dev + 12, 21, 1));
    STEP(sf_stream_join(s, t));
    STEP(sf_stream_fork(s, &child));
    if (child) {
        a.dst = dev + 14;
        STEP(sf_launch(child, &add_kernel, &a, sizeof a));
        STEP(sf_stream_join(s, child));
    }
    STEP(sf_stream_get_flags(sf_stream_legacy(device), &flags));     /* s does not block it */
    STEP(sf_stream_get_capture_info(s, &info, after, 4));
    if (after[0].node) { STEP(sf_stream_update_capture_dependencies(s, after, 1, SF_CAPTURE_ADD_DEPENDENCIES)); }
    STEP(sf_thread_exchange_stream_capture_mode(&mode));
    STEP(sf_event_query(idle));              /* would break the capture in another mode, as would the next */
    STEP(sf_stream_query(sf_stream_legacy(device)));
    STEP(sf_thread_exchange_stream_capture_mode(&mode));
    STEP(sf_stream_end_capture(s, &graph));
    STEP(sf_event_destroy(idle));
    return graph;
}
static sf_graph_node *add_node(record *rec, sf_graph *graph, sf_graph_node *after, const sf_node_desc *desc)
{
    sf_dependency d = { after, SF_DEPENDENCY_FULL };
    sf_graph_node *node = NULL;
    STEP(sf_graph_add_node(graph, after ? &d : NULL, after ? 1 : 0, desc, &node));
    return node;
}
/* Builds a graph on words 16 to 31, and changes its executable. */
static void built(record *rec, sf_stream *s, sf_event *e, uint32_t *dev, sf_function *store, sf_function *steer,
                  sf_graph *child, sf_graph **graph, sf_graph_exec **exec)
{
    sf_device *device = rec->device;
    sf_graph_node *k = NULL, *set, *copy, *host, *fun, *n, *list[32];
    sf_graph *body = NULL;
    sf_graph_conditional handle = 0;
    sf_dependency after[4], d;
    sf_node_type type;
    unsigned long long h;
    uint32_t value = 41, off = 0, *p = dev + 17;
    int count;
    void *params[] = { &p, &value }, *steering[] = { &h, &off };
    mix_args a = { .dst = dev + 16, .n = 1, .add = 1 };
    sf_node_desc kernel = { .type = SF_NODE_KERNEL, .kernel = { &add_kernel, &a, sizeof a } };
    sf_node_desc function = { .type = SF_NODE_KERNEL, .function = { .func = store, .params = params } };
    sf_node_desc fill = { .type = SF_NODE_MEMSET, .mem = { .dst = dev + 18, .bytes = 4, .value = 2 } };
    sf_node_desc move = { .type = SF_NODE_MEMCPY, .mem = { .dst = dev + 19, .src = dev + 18, .bytes = 4 } };
    sf_node_desc call = { .type = SF_NODE_HOST, .host = { count_func, &rec->host_calls } };
    sf_node_desc record_event = { .type = SF_NODE_EVENT_RECORD, .event = e };
    sf_node_desc wait_event = { .type = SF_NODE_EVENT_WAIT, .event = e };
    sf_node_desc embed = { .type = SF_NODE_CHILD, .child = child };
    sf_node_desc branch = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1, .body = &body } };
    STEP(sf_graph_create(device, graph));
    if (!*graph) { return; }
    k = add_node(rec, *graph, NULL, &kernel);
    fun = store ? add_node(rec, *graph, k, &function) : NULL;
    set = add_node(rec, *graph, k, &fill);
    copy = add_node(rec, *graph, set, &move);
    host = add_node(rec, *graph, copy, &call);
    n = add_node(rec, *graph, host, &record_event);
    n = add_node(rec, *graph, n, &wait_event);
    if (child) { n = add_node(rec, *graph, n, &embed); }
    STEP(sf_graph_conditional_create(*graph, 1, true, &handle));
    branch.conditional.handle = handle;
    if (handle) { n = add_node(rec, *graph, n, &branch); }
    if (body) {                              /* one kernel captured into it, one that ends it */
        if (DO(sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_RELAXED))) {
            a.dst = dev + 20;
            STEP(sf_launch(s, &add_kernel, &a, sizeof a));
            STEP(sf_stream_end_capture(s, NULL));
        }
        move.mem.dst = dev + 22, move.mem.src = dev + 16;
        (void)add_node(rec, body, NULL, &move);
        h = handle;
        function = (sf_node_desc){ .type = SF_NODE_KERNEL, .function = { .func = steer, .params = steering } };
        if (steer) { (void)add_node(rec, body, NULL, &function); }
    }
    d = (sf_dependency){ fun, SF_DEPENDENCY_FULL };
    if (n && fun) { STEP(sf_graph_add_dependencies(*graph, n, &d, 1)); }
    STEP(sf_graph_get_nodes(*graph, list, 32, &count));
    if (n) {
        STEP(sf_graph_node_get_type(n, &type));
        STEP(sf_graph_node_get_dependencies(n, after, 4, &count));
    }
    STEP(sf_graph_dot(*graph, no_text, NULL));
    STEP(sf_graph_preload(*graph));
    if (handle && !body) { return; }         /* is refused: a handle without a node */
    STEP(sf_graph_instantiate(*graph, 0, exec));
    if (!*exec) { return; }
    STEP(sf_graph_upload(*exec, s));
    STEP(sf_graph_launch(*exec, s));
    a = (mix_args){ .dst = dev + 16, .n = 1, .add = 100 };
    value = 42, fill.mem.value = 5, move.mem.dst = dev + 21, move.mem.src = dev + 18;
    function = (sf_node_desc){ .type = SF_NODE_KERNEL, .function = { .func = store, .params = params } };
    if (k) { STEP(sf_graph_exec_set_node(*exec, k, &kernel)); }
    if (fun) { STEP(sf_graph_exec_set_node(*exec, fun, &function)); }
    if (set) { STEP(sf_graph_exec_set_node(*exec, set, &fill)); }
    if (copy) { STEP(sf_graph_exec_set_node(*exec, copy, &move)); }
    if (host) { STEP(sf_graph_exec_set_node(*exec, host, &call)); }
    STEP(sf_graph_launch(*exec, s));
}
static sf_result told_func(void *user, const sf_graph_node *node, sf_recapture_status status)
{
    (void)user, (void)status;
    return node ? SF_OK : SF_ERROR_USER;
}
/* A graph that is captured twice, with another destination. */
static void recaptured(record *rec, sf_stream *s, uint32_t *dev)
{
    sf_graph *graph = NULL, *again = NULL;
    sf_graph_exec *exec = NULL;
    mix_args a = { .dst = dev + 34, .n = 1, .add = 5 };
    if (!DO(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED))) { return; }
    STEP(sf_launch(s, &add_kernel, &a, sizeof a));
    STEP(sf_memset_async(s, dev + 36, 1, 4));
    STEP(sf_stream_end_capture(s, &graph));
    if (!graph) { return; }
    STEP(sf_graph_instantiate(graph, 0, &exec));
    a.dst = dev + 35;
    if (DO(sf_stream_begin_recapture_to_graph(s, SF_CAPTURE_RELAXED, graph, told_func, NULL))) {
        STEP(sf_launch(s, &add_kernel, &a, sizeof a));
        STEP(sf_memset_async(s, dev + 36, 2, 4));
        STEP(sf_stream_end_capture(s, &again));
    }
    if (exec) {
        if (again) { STEP(sf_graph_exec_update(exec, again)); }
        STEP(sf_graph_launch(exec, s));
        STEP(sf_graph_exec_destroy(exec));
    }
    STEP(sf_graph_destroy(graph));
}
/* Captures, graphs and modules. */
static void graph_program(record *rec, test_heap *heap)
{
    static test_log log;
    static const char image[] = "fake store steer";
    sf_device *device;
    sf_stream *s = NULL, *t = NULL;
    sf_event *e = NULL, *f = NULL;
    uint32_t *dev = NULL, value = 11, *p, *kept = NULL;
    void *params[] = { &p, &value };
    sf_module *module = NULL, *unused = NULL;
    sf_function *store = NULL, *steer = NULL;
    sf_graph *graph = NULL, *small = NULL, *clone = NULL, *other = NULL;
    sf_graph_exec *exec = NULL, *whole = NULL;
    sf_dependency d = { NULL, SF_DEPENDENCY_FULL };
    mix_args a = { .n = 1, .add = 1 };
    if (!begin_program(rec, heap, &log)) { return; }
    seen.device = device = rec->device;
    STEP(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
    STEP(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &t));
    STEP(sf_event_create(device, 0, &e));
    STEP(sf_event_create(device, 0, &f));
    STEP(sf_mem_alloc(device, 256, SF_MEMORY_DEVICE, (void **)&dev));
    if (dev) { memset(dev, 0, 256); }
    STEP(sf_module_load(device, image, sizeof image - 1, 0, &module));
    if (module) {
        STEP(sf_module_get_function(module, "store", &store));
        STEP(sf_module_get_function(module, "steer", &steer));
    }
    if (s && t && e && f && dev) {
        p = dev + 4;
        if (store) {
            STEP(sf_function_preload(store));
            STEP(sf_launch_kernel(s, store, &(sf_grid){ .grid = { 2 }, .programmatic = true }, params));
        }
        graph = captured(rec, s, t, e, f, dev, store);
        if (graph) {
            STEP(sf_graph_instantiate(graph, 0, &exec));
            if (exec) {
                STEP(sf_graph_launch(exec, s));
                STEP(sf_graph_exec_destroy(exec));
            }
            STEP(sf_graph_destroy(graph));
        }
        a.dst = dev + 32;
        STEP(sf_graph_create(device, &small));
        if (small) {                         /* a graph made by a capture into it, and its clone */
            d.node = add_node(rec, small, NULL, &(sf_node_desc){ .type = SF_NODE_EMPTY, .name = "begin" });
            int count = d.node ? 1 : 0;
            if (DO(sf_stream_begin_capture_to_graph(s, small, count ? &d : NULL, count, SF_CAPTURE_RELAXED))) {
                STEP(sf_launch(s, &twice, &a, sizeof a));
                STEP(sf_launch_host_func(s, count_func, &rec->host_calls));
                STEP(sf_stream_end_capture(s, &graph));
            }
            STEP(sf_graph_clone(small, &clone));
        }
        recaptured(rec, s, dev);
        graph = NULL;
        built(rec, s, e, dev, store, steer, clone, &graph, &whole);
        exec = NULL;
        if (small) { STEP(sf_graph_instantiate(small, 0, &exec)); }
        if (exec && clone) {
            STEP(sf_graph_exec_update(exec, clone));
            STEP(sf_graph_destroy(clone));
            STEP(sf_graph_launch(exec, s));
        }
        STEP(sf_graph_create(device, &other));
        if (other) {                         /* memory that a graph hands out, freed after its launch */
            sf_graph_exec *once = NULL;
            sf_graph_node *n = add_node(rec, other, NULL, &(sf_node_desc){ .type = SF_NODE_MEM_ALLOC,
                                                                           .alloc = { NULL, 64, (void **)&kept } });
            if (n && kept) {
                (void)add_node(rec, other, n, &(sf_node_desc){ .type = SF_NODE_MEMSET,
                                                              .mem = { .dst = kept, .bytes = 4, .value = 6 } });
            }
            STEP(sf_graph_instantiate(other, 0, &once));
            if (once && kept) {
                STEP(sf_graph_launch(once, s));
                STEP(sf_memcpy_async(s, dev + 33, kept, 4));
                if (DO(sf_mem_free_async(s, kept))) { STEP(sf_graph_launch(once, s)); }
                STEP(sf_mem_free(device, kept));
                STEP(sf_graph_exec_destroy(once));
            }
        }
        STEP(sf_memcpy_async(s, rec->words, dev, 256));
        STEP(sf_stream_synchronize(s, SF_FOREVER));
        if (whole) { STEP(sf_graph_exec_destroy(whole)); }
        if (graph) { STEP(sf_graph_destroy(graph)); }
    }
    if (DO(sf_module_load(device, image, sizeof image - 1, 0, &unused))) { STEP(sf_module_unload(unused)); }
    STEP(sf_device_synchronize(device, SF_FOREVER));
    end_program(rec);                        /* small, its executable, the module: still alive */
}
static void expect_of_graphs(uint32_t *w)
{
    memset(w, 0, WORDS * 4);
    w[4] = 11;
    w[5] = 1, w[6] = 13, w[7] = 0x03030303, w[8] = 1, w[10] = 1, w[12] = 21;
    w[13] = 0x09090909, w[14] = 1;
    w[16] = 1 + 100, w[17] = 42, w[18] = 0x05050505, w[19] = 0x02020202, w[21] = 0x05050505;
    w[20] = 2, w[22] = 1 + 100;
    w[32] = 2 * 2 + 2;                       /* as a child, and updated */
    w[33] = 0x06060606;
    w[35] = 5, w[36] = 0x02020202;
}

/* What the driver is handed by a recapture, and what the function is told; a driver before CUDA 13.3 has none. */
static struct { const sf_graph_node *nodes[4]; int count; sf_result say; } retold;
static sf_result note_told(void *user, const sf_graph_node *node, sf_recapture_status status)
{
    if (user == &retold && status == SF_RECAPTURE_UPDATE && retold.count < 4) { retold.nodes[retold.count++] = node; }
    return retold.say;
}
static void recaptures_on_the_driver(void **state)
{
    enum { FINE, REFUSED, OTHER, MISSING, EXTRA, CASES };
    (void)state;
    for (int k = 0; k < 2 * CASES; k++) {
        const int what = k / 2;
        uint32_t words[4] = { 0 };
        mix_args a = { .dst = words, .n = 1, .add = 5 };
        sf_device *device;
        sf_stream *s;
        sf_graph *graph = NULL, *again = NULL, *copy = NULL;
        sf_graph_exec *exec;
        sf_graph_node *nodes[4];
        int count;
        sf_result r[4] = { SF_OK, SF_OK, SF_OK, SF_OK }, end;
        fake_reset();
        retold.count = 0, retold.say = what == REFUSED ? SF_ERROR_USER : SF_OK;
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
        CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));
        CHECK_OK(sf_memset_async(s, words + 1, 1, 4));
        CHECK_OK(sf_memset_async(s, words + 2, 1, 4));
        CHECK_OK(sf_stream_end_capture(s, &graph));
        CHECK_OK(sf_graph_get_nodes(graph, nodes, 4, &count));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_OK(sf_stream_begin_recapture_to_graph(s, SF_CAPTURE_GLOBAL, graph, k % 2 ? note_told : NULL, &retold));
        r[0] = sf_launch(s, &add_kernel, &a, sizeof a);
        r[1] = what == OTHER ? sf_memcpy_async(s, words + 1, words, 4) : sf_memset_async(s, words + 1, 2, 4);
        if (what != MISSING) { r[2] = sf_memset_async(s, words + 2, 1, 4); }
        if (what == EXTRA) { r[3] = sf_memset_async(s, words + 3, 1, 4); }
        end = sf_stream_end_capture(s, &again);
        if (what == FINE || (what == REFUSED && k % 2 == 0)) {       /* NULL refuses nothing */
            for (int i = 0; i < 4; i++) { CHECK_OK(r[i]); }
            CHECK_OK(end);
            CHECK(again == graph);
            CHECK_EQUAL(retold.count, k % 2);
            if (k % 2) { CHECK(retold.nodes[0] == nodes[1]); }
            CHECK_OK(sf_graph_exec_update(exec, graph));
            CHECK_OK(sf_graph_launch(exec, s));
            CHECK_OK(sf_stream_synchronize(s, SF_FOREVER));
            CHECK_EQUAL(words[1], 0x02020202);
        } else {
            CHECK(end < 0 && !again);
            CHECK(r[1] == SF_ERROR_GRAPH_RECAPTURE || r[2] == SF_ERROR_GRAPH_RECAPTURE ||
                  r[3] == SF_ERROR_GRAPH_RECAPTURE || end == SF_ERROR_GRAPH_RECAPTURE);
            CHECK_IS(sf_graph_exec_update(exec, graph), SF_ERROR_GRAPH_RECAPTURE);
            CHECK_IS(sf_graph_clone(graph, &copy), SF_ERROR_GRAPH_RECAPTURE);
            CHECK(strstr(sf_device_failure(device)->text, "capture a new one"));
            CHECK_OK(sf_graph_launch(exec, s));              /* is what it was */
            CHECK_OK(sf_stream_synchronize(s, SF_FOREVER));
            CHECK_EQUAL(words[1], 0x01010101);
        }
        CHECK_EQUAL(words[0], 5);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));
        test_close(device);
        check_nothing_is_left();
    }
}
/* Two GPUs that reach each other's memory, stream-ordered, too. */
static void peer_program(record *rec, test_heap *heap)
{
    static test_log log;
    sf_device *other = NULL;
    sf_mem_pool *before = NULL, *after = NULL;
    sf_stream *s = NULL;
    uint32_t *here = NULL, *there = NULL, word = 7;
    bool yes = false, in_close;
    sf_result r;
    if (!begin_program(rec, heap, &log)) { return; }
    r = open_fake(SF_BACKEND_CUDA, 1, &log, heap, &other);
    if (r < 0) {
        snprintf(rec->text, sizeof rec->text, "%s", log.text);
        end_program(rec);
        rec->opened = r;
        return;
    }
    STEP(sf_mem_pool_create(rec->device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &before));
    STEP(sf_device_can_access_peer(rec->device, other, &yes));
    STEP(sf_device_enable_peer(rec->device, other));
    STEP(sf_device_enable_peer(rec->device, other));         /* asks nobody */
    rec->asked = other;
    STEP(sf_device_enable_peer(other, rec->device));
    rec->asked = NULL;
    STEP(sf_mem_pool_create(rec->device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &after));
    STEP(sf_stream_create(rec->device, NULL, &s));
    STEP(sf_mem_alloc(rec->device, 4, SF_MEMORY_DEVICE, (void **)&here));
    rec->asked = other;
    STEP(sf_mem_alloc(other, 4, SF_MEMORY_DEVICE, (void **)&there));
    rec->asked = NULL;
    if (s && here && there) {
        STEP(sf_memcpy_async(s, here, &word, 4));
        STEP(sf_memcpy_peer_async(s, there, other, here, rec->device, 4));
        STEP(sf_stream_synchronize(s, SF_FOREVER));
        rec->words[0] = *there;
    }
    in_close = fake_has_yet_to_fail();
    r = sf_device_close(other, SF_FOREVER);
    end_program(rec);
    rec->in_close = in_close;
    if (!rec->closed) { rec->closed = r; }
}
static void expect_of_peers(uint32_t *w)
{
    memset(w, 0, WORDS * sizeof *w);
    w[0] = 7;
}

static const struct {
    const char *name;
    program run;
    void (*expect)(uint32_t *words);
    uint32_t host_calls;
} programs[] = {
    { "streams", stream_program, expect_of_streams, 2 },
    { "graphs", graph_program, expect_of_graphs, 1 + 2 * 2 + 1 },
    { "peers", peer_program, expect_of_peers, 0 },
};
static const char *symbol_of(size_t i) { return i < COUNT(required) ? required[i] : optional[i - COUNT(required)]; }
enum { SYMBOLS = COUNT(required) + COUNT(optional) };
static void whole_programs(void **state)
{
    static record rec;
    static uint32_t calls[SYMBOLS];
    void *contexts[] = { NULL, &fake_foreign_context, &fake_contexts[1], &fake_contexts[0] };
    uint32_t expected[WORDS];
    (void)state;
    memset(calls, 0, sizeof calls);
    for (size_t i = 0; i < COUNT(contexts) * COUNT(programs); i++) { /* the current context stays what it is */
        void *context = contexts[i % COUNT(contexts)];
        size_t which = i / COUNT(contexts);
        test_heap heap = { 0 };
        fake_reset();
        if (context) { fake_thread.stack[fake_thread.depth++] = context; }
        programs[which].run(&rec, &heap);
        CHECK_OK(rec.opened);
        for (int k = 0; k < rec.n; k++) {
            if (rec.r[k]) { fail_msg("%s: %s: %s", rec.what[k], sf_result_string(rec.r[k]), rec.text); }
        }
        if (rec.context_lost >= 0) { fail_msg("another context is current after %s", rec.what[rec.context_lost]); }
        if (rec.mode_lost >= 0) { fail_msg("another capture mode is left by %s", rec.what[rec.mode_lost]); }
        CHECK_OK(rec.closed);
        programs[which].expect(expected);
        for (uint32_t k = 0; k < WORDS; k++) {
            if (rec.words[k] != expected[k]) {
                fail_msg("%s: word %u is %x, not %x", programs[which].name, k, rec.words[k], expected[k]);
            }
        }
        CHECK_EQUAL(rec.host_calls, programs[which].host_calls);
        CHECK_EQUAL(fake.outside, 0);
        CHECK_EQUAL(fake.unmet, 0);
        CHECK(seen.in_context);
        CHECK_IS(seen.inside, SF_ERROR_NOT_PERMITTED);
        if (which == 0) {
            CHECK(fake.peer_contexts[0] == &fake_contexts[0] && fake.peer_contexts[1] == &fake_contexts[0]);
            CHECK(fake.last_copy.src_type == 4 && fake.last_copy.dst_type == 4);
            CHECK(fake.last_attach.flags == SF_ATTACH_SINGLE && fake.last_attach.bytes == 64);
        }
        if (context == &fake_contexts[0] && which < 2) { CHECK_EQUAL(fake.pushes, 0); }      /* it is there already */
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
        for (size_t k = 0; k < SYMBOLS; k++) { calls[k] += *fake_count(symbol_of(k)); }
    }
    for (size_t k = 0; k < SYMBOLS; k++) {   /* so the next test makes each of them fail */
        const char *symbol = symbol_of(k);
        if (!strcmp(symbol, "cuGetErrorName") || !strcmp(symbol, "cuGetErrorString")) { continue; }
        if (!strcmp(symbol, "cuUserObjectRelease")) { continue; }    /* only where cuGraphRetainUserObject fails */
        if (!strcmp(symbol, "cuStreamGetCtx")) { continue; }         /* only where there is no cuStreamGetCtx_v2 */
        if (!strcmp(symbol, "cuCtxGetDevice")) { continue; }         /* in streams_and_wrapping() */
        if (!strcmp(symbol, "cuLaunchHostFunc_v2")) { continue; }    /* in own_host_functions_spin() */
        if (!calls[k]) { fail_msg("the programs never call %s", symbol); }
    }
}
static bool tells_nobody(const char *symbol) /* nothing to return it from, or a detail that has a default */
{
    static const char *const quiet[] = {
        "cuStreamDestroy_v2", "cuEventDestroy_v2", "cuCtxPopCurrent_v2", "cuMemPoolDestroy", "cuGraphDestroy",
        "cuUserObjectRelease", "cuDevicePrimaryCtxRelease_v2", "cuDeviceGetAttribute", "cuDeviceGetName",
        "cuStreamGetId", "cuCtxGetCurrent", "cuGetErrorName", "cuGetErrorString", "cuThreadExchangeStreamCaptureMode",
        "cuStreamGetPriority", "cuPointerGetAttribute", "cuGraphMemcpyNodeGetParams", "cuStreamGetCtx",
        "cuGreenCtxDestroy", "cuDevSmResourceSplit",
        "cuDeviceGetDefaultMemPool",         /* where it is not supported there are no such pools */
    };
    for (size_t i = 0; i < COUNT(quiet); i++) {
        if (!strcmp(symbol, quiet[i])) { return true; }
    }
    return false;
}
/* Whether the sentence names the call that failed, "sf_foo(x)" in the program, or one that it is made of. */
static bool names_call(const record *rec, const char *what)
{
    static const struct { const char *whole, *parts; } made_of[] = {
        { "sf_stream_fork",
          "sf_stream_create sf_event_create sf_event_record sf_stream_wait_event sf_stream_get_capture_info" },
        { "sf_stream_join", "sf_event_create sf_event_record sf_stream_wait_event" },
        { "sf_stream_wait_stream", "sf_event_create sf_event_record sf_stream_wait_event" },
        { "sf_stream_end_capture", "sf_stream_is_capturing" },
        { "sf_mem_free_async", "sf_stream_is_capturing" },
        { "sf_device_enable_peer", "sf_device_can_access_peer" },
        { "sf_mem_pool_create", "sf_stream_create sf_mem_alloc_async sf_mem_free_async sf_stream_synchronize" },
    };
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(what, "("), what);
    if (strncmp(rec->call, "sf_", 3) != 0 || !strstr(rec->text, rec->call)) { return false; }
    for (size_t i = 0; i < COUNT(made_of); i++) {
        if (!strcmp(name, made_of[i].whole) && strstr(made_of[i].parts, rec->call)) { return true; }
    }
    return !strcmp(rec->call, name);
}
/* What is wrong with a run in which one driver call failed: of which kind, and in words; NULL if nothing is. */
static const char *check_failed_run(const record *rec, const test_heap *heap, const char *symbol, int code,
                                    char *text, size_t size)
{
    static const char exchange[] = "cuThreadExchangeStreamCaptureMode";
    bool fault = code == 700 || code == 719;
    int first = rec->first;
    text[0] = 0;
    if (rec->context_lost >= 0) {
        snprintf(text, size, "%s", rec->what[rec->context_lost]);
        return "another context is current after";
    }
    if (rec->mode_lost >= 0 && !fault && (strcmp(symbol, exchange) || (fake.fail_at & 1))) {     /* odd: not set */
        snprintf(text, size, "%s", rec->what[rec->mode_lost]);
        return "another capture mode is left by";
    }
    if (rec->opened) {
        snprintf(text, size, "%s", rec->text);
        if (rec->opened != (sf_result)-code) { return "not told by sf_device_open"; }
        return strstr(rec->text, "sf_device_open") ? NULL : "not named: sf_device_open";
    }
    if (first < 0 && rec->closed == SF_OK && !rec->in_close && !tells_nobody(symbol)) { return "nobody said so"; }
    if (first >= 0) {
        bool unsure = !strcmp(symbol, "cuStreamIsCapturing") && rec->r[first] == SF_ERROR_CAPTURE_INVALIDATED;
        snprintf(text, size, "%s is %d, \"%s\", call \"%s\"", rec->what[first], rec->r[first], rec->text, rec->call);
        if (rec->r[first] != (sf_result)-code) { return tells_nobody(symbol) || unsure ? NULL : "another error"; }
        if (!names_call(rec, rec->what[first])) { return "the call is not named"; }
    }
    if (fault && first >= 0 && rec->closed != (sf_result)-code) { return "sf_device_close does not tell"; }
    for (int k = first + 1; fault && first >= 0 && k < rec->n; k++) {        /* sticks */
        if (rec->r[k] == (sf_result)-code || rec->r[k] == SF_ERROR_INVALID_HANDLE) { continue; }
        if (strstr(rec->what[k], "sf_thread_")) { continue; }
        snprintf(text, size, "%s is %d", rec->what[k], rec->r[k]);
        return "the fault is forgotten";
    }
    if (fake.fatal) { return "the driver would have crashed"; }
    if (rec->closed < 0 || (first >= 0 && strstr(rec->what[first], "sf_mem_free"))) { fake.blocks = 0; }
    snprintf(text, size, "%s", rec->in_close ? "" : what_is_left()); /* what close cannot destroy stays */
    if (text[0]) { return "left in the driver"; }
    snprintf(text, size, "%ld blocks", heap->live);
    return heap->live ? "left on the heap" : NULL;
}
/* Shows one of a kind. */
static void each_call_fails_once(void **state)
{
    static const int codes[] = { 1, 2, 100, 201, 400, 700, 719, 801, 900, 999 };
    static record rec;
    /* ASan: three of the codes at each call; TSan: one, as threads do not ask which error it is. */
    const size_t step = test_seeds() < 200 ? 12 : test_seeds() < 1000 ? 4 : 1;
    uint32_t runs = 0, bad = 0;
    (void)state;
    for (size_t i = 0; i < SYMBOLS * COUNT(programs); i++) {
        const char *symbol = symbol_of(i % SYMBOLS), *shown[32] = { NULL };
        program run = programs[i / SYMBOLS].run;
        uint32_t calls;
        fake_reset();
        program_mode = SF_CAPTURE_RELAXED;   /* makes the most calls */
        run(&rec, NULL);
        program_mode = SF_CAPTURE_GLOBAL;
        calls = *fake_count(symbol);
        for (uint32_t at = 1; at <= calls; at++) {
            for (size_t k = at % step; k < COUNT(codes) + 2; k += step) {    /* two of them again, in the other mode */
                int code = codes[k % COUNT(codes)];
                test_heap heap = { 0 };
                char text[1024];
                const char *wrong;
                size_t kind = 0;
                fake_reset();
                fake_thread.stack[fake_thread.depth++] = &fake_foreign_context;
                fake.fail = symbol, fake.fail_at = at, fake.code = code;
                program_mode = k < COUNT(codes) ? SF_CAPTURE_GLOBAL : SF_CAPTURE_RELAXED;
                if (run_program(run, &rec, &heap)) {
                    wrong = check_failed_run(&rec, &heap, symbol, code, text, sizeof text);
                } else {
                    wrong = "hangs after";
                    snprintf(text, sizeof text, "%s", rec.what[rec.n - 1]);
                }
                program_mode = SF_CAPTURE_GLOBAL;
                runs++;
                bad += wrong != NULL;
                while (wrong && shown[kind] && shown[kind] != wrong) { kind++; }
                if (wrong && (!shown[kind] || getenv("SF_TEST_ALL"))) {
                    shown[kind] = wrong;
                    printf("# %s, call %u, code %d: %s: %s\n", symbol, at, code, wrong, text);
                }
            }
        }
    }
    CHECK(runs * step > 12000);
    if (bad) { fail_msg("%u of %u runs went wrong", bad, runs); }
}
static void heap_requests_fail_once(void **state)
{
    static record rec;
    (void)state;
    for (size_t w = 0; w < COUNT(programs); w++) {
        test_heap heap = { 0 };
        long requests;
        fake_reset();
        programs[w].run(&rec, &heap);
        requests = heap.total;
        CHECK(requests > 5);
        for (long i = 1; i <= requests; i++) {
            int bad = 0;
            heap = (test_heap){ .fail_at = i };
            fake_reset();
            if (!run_program(programs[w].run, &rec, &heap)) {
                fail_msg("%s, request %ld: hangs", programs[w].name, i);
            }
            for (int k = 0; k < rec.n; k++) {
                bad += rec.r[k] == SF_ERROR_OUT_OF_MEMORY;
                if (rec.r[k] < 0 && rec.r[k] != SF_ERROR_OUT_OF_MEMORY && !bad) {
                    fail_msg("%s, request %ld: %s says %d", programs[w].name, i, rec.what[k], rec.r[k]);
                }
            }
            if (!bad && rec.opened != SF_ERROR_OUT_OF_MEMORY) {
                fail_msg("%s, request %ld: nobody says so", programs[w].name, i);
            }
            if (heap.live) { fail_msg("%s, request %ld: %ld blocks are lost", programs[w].name, i, heap.live); }
            if (what_is_left()[0]) { fail_msg("%s, request %ld: left: %s", programs[w].name, i, what_is_left()); }
        }
    }
}

/* -- lazy operations, while the driver fails -- */

static struct {
    uint32_t made, dropped, taken, states, states_gone, told, asked;
    uint32_t *dev;
    sf_result strange;                       /* an error that nothing explains, and who told */
    const char *who;
    sf_result code;
} lz;
static sf_result lazy_make(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    sf_result r = sf_memset_async(x->stream, lz.dev, 1, 4);
    (void)in, (void)count;
    if (r >= 0) { r = sf_launch_host_func(x->stream, count_func, lz.dev + 1); }
    if (r < 0) { return r; }
    out->u64 = test_add(&lz.made, 1) + 1;
    return SF_OK;
}
static void lazy_drop_value(void *state, sf_value value, sf_stream *stream)
{
    (void)state, (void)stream;
    test_add(&lz.dropped, value.u64 != 0);
}
static void lazy_drop_state(void *state) { (void)state, test_add(&lz.states_gone, 1); }
static sf_lazy_desc lazy_desc(void)
{
    lz.states++;
    return (sf_lazy_desc){ .name = "make", .run = lazy_make, .state = &lz, .drop_state = lazy_drop_state,
                           .drop_value = lazy_drop_value };
}
static sf_lazy *lazy_one(sf_device *device)
{
    sf_lazy_desc desc = lazy_desc();
    sf_lazy *lazy = sf_lazy_do(device, &desc);
    if (!lazy) { lz.states--; }              /* it took nothing */
    return lazy;
}
static sf_lazy *lazy_two(sf_device *device)  /* one after the other */
{
    sf_lazy_desc desc = lazy_desc();
    sf_lazy *lazy = sf_lazy_then(lazy_one(device), &desc);
    if (!lazy) { lz.states--; }
    return lazy;
}
static void lazy_told(sf_future *future, sf_result result, void *user)
{
    (void)future, (void)result;
    test_add((uint32_t *)user, 1);
}
#define LAZY(expression)                                                                                             \
    do {                                                                                                             \
        sf_result r_ = (expression);                                                                                 \
        if (r_ < 0 && r_ != lz.code && r_ != SF_ERROR_INVALID_HANDLE && lz.strange == SF_OK) {                       \
            lz.strange = r_, lz.who = #expression;                                                                   \
        }                                                                                                            \
        if (r_ == SF_TIMEOUT) { lz.strange = r_, lz.who = #expression; }                                             \
    } while (0)
static void lazy_program(record *rec, test_heap *heap)
{
    static test_log log;
    sf_device *device;
    sf_stream *s = NULL;
    sf_policy *policy = NULL;
    sf_lazy *parts[3], *shared, *graph;
    sf_future *f = NULL, *g = NULL;
    sf_value value;
    mix_args a = { .n = 1, .add = 1 };
    memset(&lz, 0, sizeof lz);
    lz.code = (sf_result)-fake.code;
    if (!begin_program(rec, heap, &log)) { return; }
    device = rec->device;
    LAZY(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
    LAZY(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&lz.dev));
    if (s && lz.dev) {
        memset(lz.dev, 0, 64);
        a.dst = lz.dev + 2;
        LAZY(sf_policy_create(device, &(sf_policy_desc){ .kind = SF_POLICY_ROUND_ROBIN, .streams = 2 }, &policy));
        parts[0] = lazy_one(device), parts[1] = lazy_two(device);
        parts[2] = sf_lazy_kernel(device, &add_kernel, &a, sizeof a);
        LAZY(sf_lazy_sync(sf_lazy_par(parts, 3), NULL, GUARD, NULL));
        parts[0] = lazy_one(device), parts[1] = sf_lazy_memcpy(device, lz.dev + 3, lz.dev + 2, 4);
        LAZY(sf_lazy_sync_on(sf_lazy_zip(parts, 2), s, GUARD, NULL));
        if (policy) {
            LAZY(sf_lazy_schedule(lazy_two(device), policy, &f));
            if (f && sf_future_on_ready(f, lazy_told, &lz.told) >= 0) { lz.asked++; }
            LAZY(f ? sf_future_wait(f, GUARD) : SF_OK);
            if (f && sf_future_take(f, &value, 1) >= 0) { lz.taken += value.u64 != 0; }
            sf_future_drop(f);
            shared = sf_lazy_share(lazy_one(device));
            f = NULL;
            LAZY(sf_lazy_schedule(sf_lazy_retain(shared), policy, &f));
            LAZY(sf_lazy_schedule(shared, policy, &g));
            LAZY(g ? sf_future_wait(g, GUARD) : SF_OK);
            LAZY(f ? sf_future_poll(f) : SF_OK);
            sf_future_drop(f);
            sf_future_drop(g);
            f = g = NULL;
            LAZY(sf_lazy_schedule(lazy_one(device), policy, &f)); /* never submitted */
            sf_future_drop(f);
            f = NULL;
        }
        graph = sf_lazy_graph(sf_lazy_repeat(lazy_one(device), 2));
        for (int i = 0; i < 3; i++) { LAZY(sf_lazy_sync_on(sf_lazy_retain(graph), s, GUARD, NULL)); }
        sf_lazy_drop(graph);
        LAZY(sf_lazy_async_on(lazy_one(device), s));
        LAZY(sf_lazy_schedule(lazy_one(device), policy, &f));
        if (f && sf_future_on_ready(f, lazy_told, &lz.told) >= 0) { lz.asked++; }
        sf_future_drop(f);                   /* told all the same */
        if (policy) { LAZY(sf_policy_destroy(policy)); }
    }
    end_program(rec);
}
/* Whatever fails: nothing hangs, each value is taken or dropped once, each state goes, nothing is left. */
static void lazy_operations_survive(void **state)
{
    static const int codes[] = { 1, 2, 700, 801 };
    static record rec;
    uint32_t runs = 0, bad = 0;
    (void)state;
    for (size_t i = 0; i < SYMBOLS + 1; i++) {               /* the last: nothing fails */
        const char *symbol = i < SYMBOLS ? symbol_of(i) : NULL, *shown[8] = { NULL };
        uint32_t calls = 1;
        fake_reset();
        lazy_program(&rec, NULL);
        if (symbol) { calls = *fake_count(symbol); }
        for (uint32_t at = 1; at <= calls; at++) {
            for (size_t k = 0; k < COUNT(codes); k++) {
                test_heap heap = { 0 };
                const char *wrong = NULL;
                size_t kind = 0;
                fake_reset();
                fake.fail = symbol, fake.fail_at = at, fake.code = symbol ? codes[k] : 0;
                if (!run_program(lazy_program, &rec, &heap)) {
                    fail_msg("%s, call %u, code %d: hangs", symbol, at, codes[k]);
                }
                if (lz.strange && !(symbol && tells_nobody(symbol))) { wrong = "an error that nothing explains"; }
                if (lz.strange == SF_TIMEOUT) { wrong = "nobody completes a future"; }
                if (lz.made != lz.dropped + lz.taken) { wrong = "values are lost, or dropped twice"; }
                if (lz.states != lz.states_gone) { wrong = "states are lost, or dropped twice"; }
                if (lz.told != lz.asked) { wrong = "somebody was not told, or twice"; }
                if (!symbol && (rec.closed || lz.asked != 2)) { wrong = "it fails though nothing does"; }
                if (fake.fatal) { wrong = "the driver would have crashed"; }
                if (!rec.in_close && what_is_left()[0]) { wrong = what_is_left(); }
                if (heap.live) { wrong = "heap is lost"; }
                runs++;
                bad += wrong != NULL;
                while (wrong && kind < COUNT(shown) - 1 && shown[kind] && strcmp(shown[kind], wrong)) { kind++; }
                if (!wrong || (shown[kind] && !getenv("SF_TEST_ALL"))) { continue; }
                shown[kind] = wrong == what_is_left() ? "" : wrong;
                printf("# %s, call %u, code %d: %s (%s is %d; %u made, %u dropped, %u taken; %u of %u states; told "
                       "%u of %u; %ld blocks)\n", symbol ? symbol : "nothing", at, codes[k], wrong,
                       lz.who ? lz.who : "nothing", lz.strange, lz.made, lz.dropped, lz.taken, lz.states_gone,
                       lz.states, lz.told, lz.asked, heap.live);
            }
        }
    }
    CHECK(runs > 500);
    if (bad) { fail_msg("%u of %u runs went wrong", bad, runs); }
}

/* Another device may share the context, and be busy for as long as it likes: only who asks for all waits for that. */
static void a_close_asks_its_own_streams(void **state)
{
    sf_device *device;
    sf_stream *s;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &s));
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_EQUAL(*fake_count("cuCtxRecordEvent"), 1);
    CHECK_OK(sf_device_close(device, GUARD));
    CHECK_EQUAL(*fake_count("cuCtxRecordEvent"), 1);
    CHECK_EQUAL(*fake_count("cuCtxSynchronize"), 0);
}

/* -- what an older driver lacks -- */

/* A missing entry point makes these calls fail, with a sentence that names call and symbol; all others work. */
static const struct { const char *symbol, *calls; } needs[] = {
    { "cuCtxRecordEvent", "" },              /* our streams are asked */
    { "cuCtxGetDevice", "" },                /* whose a stream of another context is, is not known then */
    { "cuDeviceCanAccessPeer", "sf_device_can_access_peer sf_device_enable_peer" },
    { "cuCtxEnablePeerAccess", "sf_device_enable_peer" },
    { "cuStreamGetId", "" },
    { "cuStreamGetCtx", "" },                /* a stream of another context is not known for one */
    { "cuStreamGetCtx_v2", "" },             /* nor whether one is of a partition */
    { "cuDeviceGetDevResource", "sf_device_split" },
    { "cuDevSmResourceSplitByCount", "sf_device_split" },
    { "cuDevSmResourceSplit", "" },          /* groups of one size do as well */
    { "cuDevResourceGenerateDesc", "sf_device_split" },
    { "cuGreenCtxCreate", "sf_device_split" },
    { "cuGreenCtxDestroy", "sf_device_split" },
    { "cuGreenCtxStreamCreate", "sf_device_split" },
    { "cuGreenCtxGetDevResource", "sf_device_split" },
    { "cuMemPrefetchAsync", "sf_mem_prefetch_async" },
    { "cuMemAllocAsync", "sf_mem_alloc_async sf_mem_pool_create" },
    { "cuMemFreeAsync", "sf_mem_free_async sf_mem_pool_create" },
    { "cuMemAllocFromPoolAsync", "sf_mem_alloc_async sf_mem_pool_create" },
    { "cuMemPoolCreate", "sf_mem_pool_create" },
    { "cuMemPoolDestroy", "sf_mem_pool_create" },
    { "cuMemPoolSetAttribute", "sf_mem_pool_create" },
    { "cuMemPoolSetAccess", "sf_device_enable_peer sf_mem_pool_create" },
    { "cuDeviceGetDefaultMemPool", "sf_device_enable_peer" },
    { "cuMemPoolTrimTo", "sf_mem_pool_trim" },
    { "cuMemPoolGetAttribute", "" },         /* what is reserved is not known then */
    { "cuDeviceGetUuid_v2", "" },
    { "cuStreamCopyAttributes", "sf_stream_copy_attributes" },
    { "cuStreamGetAttribute", "sf_stream_get_attribute" },
    { "cuStreamSetAttribute", "sf_stream_set_attribute" },
    { "cuStreamBatchMemOp_v2", "sf_stream_batch" },
    { "cuStreamWriteValue32_v2", "sf_stream_write_value sf_stream_write_value" },
    { "cuStreamWriteValue64_v2", "sf_stream_write_value sf_stream_write_value" },
    { "cuStreamWaitValue32_v2", "sf_stream_wait_value sf_stream_wait_value" },
    { "cuStreamWaitValue64_v2", "sf_stream_wait_value sf_stream_wait_value" },
    { "cuEventRecordWithFlags", "sf_event_record" },
    { "cuStreamBeginRecaptureToGraph", "sf_stream_begin_recapture_to_graph" },
    { "cuStreamBeginCaptureToGraph", "sf_stream_begin_capture_to_graph sf_graph_add_node" },
    { "cuStreamGetCaptureInfo_v3",
      "sf_stream_get_capture_info sf_graph_add_node sf_launch_host_func sf_mem_alloc_async sf_stream_fork" },
    { "cuStreamUpdateCaptureDependencies_v2", "sf_stream_update_capture_dependencies" },
    { "cuGraphAddNode_v2", "sf_graph_add_node" },
    { "cuGraphAddDependencies_v2", "sf_graph_add_dependencies" },
    { "cuGraphNodeGetDependencies_v2",       /* all that looks at a graph */
      "sf_graph_node_get_dependencies sf_graph_get_nodes sf_graph_dot sf_graph_preload sf_graph_instantiate "
      "sf_graph_clone sf_graph_exec_update sf_graph_add_node sf_stream_get_capture_info sf_stream_fork "
      "sf_stream_begin_recapture_to_graph" },
    { "cuGraphConditionalHandleCreate", "sf_graph_conditional_create" },
    { "cuGraphInstantiateWithFlags", "sf_graph_instantiate" },
    { "cuGraphUpload", "sf_graph_upload" },
    { "cuGraphExecUpdate_v2", "sf_graph_exec_update" },
    { "cuGraphExecNodeSetParams", "sf_graph_exec_set_node" },
    { "cuGraphKernelNodeGetParams_v2", "sf_graph_add_node sf_graph_exec_set_node" },     /* for launchers only */
    { "cuGraphKernelNodeCopyAttributes", "" },
    { "cuGraphMemcpyNodeGetParams", "" },    /* the driver refuses by itself, without saying why */
    { "cuUserObjectCreate", "" },            /* captured calls stay until the device closes */
    { "cuUserObjectRelease", "" },
    { "cuGraphRetainUserObject", "" },
    { "cuModuleGetLoadingMode", "" },        /* such drivers load at once */
    { "cuFuncLoad", "" },                    /* nothing is loaded before its launch; nor refused */
    { "cuFuncIsLoaded", "" },
    { "cuLaunchKernelEx", "sf_launch_kernel" },
    { "cuLaunchHostFunc_v2", "" },           /* the older one does as well */
    { "cuGraphNodeGetParams", "" },          /* what others have put into a graph is not known then */
};
static void each_optional_symbol(void **state)
{
    static record rec;
    uint32_t bad = 0;
    (void)state;
    CHECK_EQUAL(COUNT(needs), COUNT(optional));
    for (size_t i = 0; i < COUNT(needs); i++) {
        const char *symbol = needs[i].symbol;
        bool refused = false;
        CHECK(!strcmp(symbol, optional[i]));
        for (size_t w = 0; w < COUNT(programs); w++) {
            test_heap heap = { 0 };
            fake_reset();
            fake.missing = symbol;
            if (!run_program(programs[w].run, &rec, &heap)) { fail_msg("without %s: hangs", symbol); }
            CHECK_OK(rec.opened);
            for (int k = 0; k < rec.n; k++) {
                char name[64];
                const char *wrong = NULL;
                snprintf(name, sizeof name, "%.*s", (int)strcspn(rec.what[k], "("), rec.what[k]);
                if (rec.r[k] >= 0 || rec.r[k] == SF_ERROR_INVALID_HANDLE) { continue; }
                refused = true;
                if (rec.r[k] != SF_ERROR_NOT_SUPPORTED) { wrong = "another error"; }
                if (!strstr(needs[i].calls, name)) { wrong = "refused"; }
                if (!wrong && k == rec.first && !strstr(rec.text, symbol)) { wrong = "not named"; }
                if (!wrong && k == rec.first && !names_call(&rec, rec.what[k])) { wrong = "the call is not named"; }
                if (!wrong) { continue; }
                printf("# without %s: %s: %s is %d: \"%s\"\n", symbol, wrong, rec.what[k], rec.r[k], rec.text);
                bad++;
                break;
            }
            if (heap.live) { printf("# without %s: %ld blocks of the heap are lost\n", symbol, heap.live), bad++; }
            if (what_is_left()[0]) { printf("# without %s: left: %s\n", symbol, what_is_left()), bad++; }
            if (fake.fatal) { printf("# without %s: the driver would have crashed\n", symbol), bad++; }
        }
        if (needs[i].calls[0] && !refused) { printf("# without %s: nothing is refused\n", symbol), bad++; }
    }
    if (bad) { fail_msg("%u are wrong", bad); }
}

/* -- beside what stays -- */

typedef struct beside {
    test_log log;
    sf_device *device;
    sf_stream *s;
    uint32_t *p;
    sf_module *module;
    sf_function *store, *steer;
    sf_graph *graph;                         /* launches steer */
    sf_graph_exec *exec;                     /* launches add */
    sf_graph_node *node;                     /* of that */
} beside;
static sf_node_desc node_of(const sf_kernel *k, const mix_args *a)
{
    return (sf_node_desc){ .type = SF_NODE_KERNEL, .kernel = { k, a, sizeof *a } };
}
static void beside_open(beside *t, int loading)
{
    mix_args a = { .n = 1, .add = 1 };
    sf_node_desc add = node_of(&add_kernel, &a);
    sf_graph *g;
    uint32_t value = 7;
    void *params[2] = { &t->p, &value };
    memset(t, 0, sizeof *t);
    fake_reset();
    fake.loading = loading;
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, &t->log, NULL, &t->device));
    CHECK_OK(sf_stream_create(t->device, NULL, &t->s));
    CHECK_OK(sf_mem_alloc(t->device, 64, SF_MEMORY_PINNED, (void **)&t->p));
    memset(t->p, 0, 64);
    a.dst = t->p;
    CHECK_OK(sf_module_load(t->device, "fake store steer", 16, SF_MODULE_SHARED, &t->module));
    CHECK_OK(sf_module_get_function(t->module, "store", &t->store));
    CHECK_OK(sf_module_get_function(t->module, "steer", &t->steer));
    CHECK_OK(sf_stream_begin_capture(t->s, SF_CAPTURE_RELAXED));
    CHECK_OK(sf_launch_kernel(t->s, t->steer, NULL, params));
    CHECK_OK(sf_stream_end_capture(t->s, &t->graph));
    CHECK_OK(sf_graph_create(t->device, &g));
    CHECK_OK(sf_graph_add_node(g, NULL, 0, &add, &t->node));
    CHECK_OK(sf_graph_instantiate(g, 0, &t->exec));
    CHECK(fake_is_loaded(&fake_add_function));       /* by the capture of its launcher */
    CHECK_EQUAL(fake_is_loaded(&fake_sub_function), loading);
}
static void beside_close(beside *t)
{
    test_close(t->device);
    CHECK_EQUAL(fake.hangs, 0);
    check_nothing_is_left();
}
static void is_refused(beside *t, sf_result r, const char *call, const char *where, const char *remedy)
{
    const sf_failure *f = sf_device_failure(t->device);
    CHECK_IS(r, SF_ERROR_ILLEGAL_STATE);
    if (strcmp(f->call, call) != 0) { fail_msg("%s, not %s: %s", f->call, call, f->text); }
    if (strcmp(f->where, where) != 0) { fail_msg("\"%s\": %s", f->where, f->text); }
    CHECK(strstr(f->text, remedy));
}
static void kernels_are_loaded_before_something_stays(void **state)
{
    static const char remedy[] = "sf_kernel_preload() before that is launched, or set sf_device_desc.cuda.load_all";
    beside t;
    mix_args a;
    uint32_t value = 7;
    void *params[2] = { &t.p, &value };
    sf_module *module = NULL;
    sf_graph_exec *exec = NULL;
    sf_node_desc sub;
    (void)state;
    beside_open(&t, 0);
    a = (mix_args){ .dst = t.p, .n = 1, .add = 5 };
    sub = node_of(&sub_kernel, &a);
    CHECK_OK(sf_function_preload(t.store));
    CHECK_OK(sf_device_stay(t.device));
    CHECK_OK(sf_launch_kernel(t.s, t.store, NULL, params));  /* this one stays */
    fake.stays = true;
    CHECK_OK(sf_launch_kernel(t.s, t.store, NULL, params));
    CHECK_OK(sf_launch(t.s, &add_kernel, &a, sizeof a));     /* the graph has loaded it */
    CHECK_OK(sf_kernel_preload(t.device, &add_kernel, &a, sizeof a));
    CHECK_OK(sf_graph_launch(t.exec, t.s));
    CHECK_EQUAL(t.p[0], 13);
    is_refused(&t, sf_launch(t.s, &sub_kernel, &a, sizeof a), "sf_launch", "sub", remedy);
    CHECK_EQUAL(t.log.item, -SF_ERROR_ILLEGAL_STATE);
    is_refused(&t, sf_kernel_preload(t.device, &sub_kernel, &a, sizeof a), "sf_kernel_preload", "sub", remedy);
    is_refused(&t, sf_function_preload(t.steer), "sf_function_preload", "steer", remedy);
    is_refused(&t, sf_launch_kernel(t.s, t.steer, NULL, params), "sf_launch_kernel", "steer", remedy);
    is_refused(&t, sf_graph_preload(t.graph), "sf_graph_preload", "kernel node 0", remedy);
    is_refused(&t, sf_graph_instantiate(t.graph, 0, &exec), "sf_graph_instantiate", "kernel node 0", remedy);
    is_refused(&t, sf_graph_exec_update(t.exec, t.graph), "sf_graph_exec_update", "kernel node 0", remedy);
    is_refused(&t, sf_graph_add_node(t.graph, NULL, 0, &sub, NULL), "sf_graph_add_node", "sub", remedy);
    is_refused(&t, sf_graph_exec_set_node(t.exec, t.node, &sub), "sf_graph_exec_set_node", "sub", remedy);
    is_refused(&t, sf_module_load(t.device, "fake", 4, 0, &module), "sf_module_load", "", "load the module before");
    CHECK_OK(sf_module_load(t.device, "fake store steer", 16, SF_MODULE_SHARED, &module));
    CHECK_OK(sf_stream_begin_capture(t.s, SF_CAPTURE_RELAXED));
    is_refused(&t, sf_launch(t.s, &sub_kernel, &a, sizeof a), "sf_launch", "sub", remedy);
    CHECK_OK(sf_launch_kernel(t.s, t.steer, NULL, params));  /* a node of a function loads nothing */
    CHECK_OK(sf_stream_end_capture(t.s, NULL));
    CHECK_EQUAL(t.p[0], 13);
    fake.stays = false;
    CHECK_OK(sf_device_leave(t.device));
    CHECK_OK(sf_launch(t.s, &sub_kernel, &a, sizeof a));
    CHECK_OK(sf_graph_instantiate(t.graph, 0, &exec));
    CHECK(fake_is_loaded(t.steer->native));
    CHECK_EQUAL(t.p[0], 8);
    beside_close(&t);
}
static void what_loads_a_kernel(void **state)        /* so that it can be launched beside what stays */
{
    enum { PRELOAD, LAUNCH, NODE, EAGER, WAYS };
    (void)state;
    for (int how = 0; how < WAYS; how++) {
        beside t;
        mix_args a;
        beside_open(&t, how == EAGER ? 1 : 0);
        a = (mix_args){ .dst = t.p, .n = 1, .add = 5 };
        if (how == PRELOAD) { CHECK_OK(sf_kernel_preload(t.device, &sub_kernel, &a, sizeof a)); }
        if (how == LAUNCH) { CHECK_OK(sf_launch(t.s, &sub_kernel, &a, sizeof a)); }
        if (how == NODE) {
            sf_node_desc sub = node_of(&sub_kernel, &a);
            CHECK_OK(sf_graph_add_node(t.graph, NULL, 0, &sub, NULL));
        }
        CHECK_EQUAL(t.p[0], how == LAUNCH ? (uint32_t)-5 : 0);       /* to load launches nothing */
        CHECK(fake_is_loaded(&fake_sub_function));
        CHECK_OK(sf_device_stay(t.device));
        CHECK_OK(sf_launch(t.s, &add_kernel, &a, sizeof a));
        fake.stays = true;
        t.p[0] = 20;
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_launch(t.s, &sub_kernel, &a, sizeof a)); }
        CHECK_EQUAL(t.p[0], 10);
        fake.stays = false;
        CHECK_OK(sf_device_leave(t.device));
        beside_close(&t);
    }
}
/* A launcher that no capture survives cannot be preloaded: launch it once. */
static void launchers_that_break_captures(void **state)
{
    beside t;
    (void)state;
    for (int before = 0; before < 2; before++) {
        beside_open(&t, 0);
        if (before) { CHECK_IS(sf_kernel_preload(t.device, &sync_kernel, NULL, 0), (sf_result)-901); }
        if (before) { CHECK_OK(sf_launch(t.s, &sync_kernel, NULL, 0)); }
        CHECK_OK(sf_device_stay(t.device));
        CHECK_OK(sf_launch(t.s, &nothing_kernel, NULL, 0));
        fake.stays = true;
        CHECK_IS(sf_launch(t.s, &sync_kernel, NULL, 0), before ? SF_OK : SF_ERROR_ILLEGAL_STATE);
        fake.stays = false;
        CHECK_OK(sf_device_leave(t.device));
        beside_close(&t);
    }
}
static void preloads_that_are_refused(void **state)
{
    beside t;
    mix_args a = { .n = 0 };
    (void)state;
    beside_open(&t, 0);
    CHECK_IS(sf_kernel_preload(t.device, NULL, &a, sizeof a), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_kernel_preload(t.device, &add_kernel, NULL, sizeof a), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_kernel_preload(t.device, &add_kernel, &a, SF_MAX_ARGS + 1), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_kernel_preload(t.device, &bodiless, &a, sizeof a), SF_ERROR_NOT_SUPPORTED);
    CHECK(!strcmp(sf_device_failure(t.device)->call, "sf_kernel_preload"));
    CHECK_IS(sf_kernel_preload(t.device, &wrong_kernel, &a, sizeof a), (sf_result)-98);
    CHECK_IS(sf_kernel_preload(NULL, &add_kernel, &a, sizeof a), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_kernel_preload(t.device, &nothing_kernel, NULL, 0));
    beside_close(&t);
}
static void streams_beside_what_stays(void **state)  /* SFI_STREAM_ROOM of them */
{
    beside t;
    sf_stream *made[3] = { NULL };
    (void)state;
    beside_open(&t, 0);
    CHECK_OK(sf_device_stay(t.device));
    fake.stays = true;
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_stream_create(t.device, NULL, &made[i])); }
    is_refused(&t, sf_stream_create(t.device, NULL, &made[2]), "sf_stream_create", "", "make streams before");
    CHECK_OK(sf_stream_destroy(made[0]));
    CHECK_OK(sf_stream_create(t.device, NULL, &made[2]));
    fake.stays = false;
    CHECK_OK(sf_device_leave(t.device));
    CHECK_OK(sf_stream_create(t.device, NULL, &made[0]));
    beside_close(&t);
}
static sf_partition *partition_at(sf_device *device, int32_t index);
/* A green context may have room of its own: it is made there, too, also where the device was split between two loops. */
static void streams_of_partitions_beside_what_stays(void **state)
{
    (void)state;
    for (int before = 0; before < 2; before++) {
        beside t;
        beside_open(&t, 0);
        if (!before) { CHECK_OK(sf_device_stay(t.device)); }
        if (!before) { CHECK_OK(sf_device_leave(t.device)); }
        CHECK_OK(sf_device_split(t.device, &(sf_partitions_desc){ .count = 2 }));
        CHECK_OK(sf_device_stay(t.device));
        fake.stays = true;
        for (int32_t i = 0; i < 3; i++) {
            const sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING, .partition = partition_at(t.device, i) };
            sf_stream *made[2] = { NULL };
            for (int k = 0; k < 2; k++) { CHECK_OK(sf_stream_create(t.device, &desc, &made[k])); }
            CHECK_EQUAL(fake.hangs, 0);
            for (int k = 0; k < 2; k++) { CHECK_OK(sf_stream_destroy(made[k])); }
        }
        CHECK_OK(sf_device_stay(t.device));  /* room is made once */
        fake.stays = false;
        CHECK_OK(sf_device_leave(t.device));
        CHECK_OK(sf_device_leave(t.device));
        beside_close(&t);
    }
}
/* What stays may be of another device of the GPU, or come before its announcement: nothing waits for it. */
static void what_stays_unannounced(void **state)
{
    beside t;
    mix_args a = { .n = 0 };
    sf_module *module;
    (void)state;
    beside_open(&t, 0);
    fake.busy = UINT32_MAX, fake.stays = true;
    is_refused(&t, sf_device_stay(t.device), "sf_device_stay", "", "use one sf_device for all that stays");
    CHECK_IS(sf_device_leave(t.device), SF_ERROR_ILLEGAL_STATE);
    fake.busy = 3, fake.stays = false;       /* other work ends */
    CHECK_OK(sf_device_stay(t.device));
    CHECK_EQUAL(fake.busy, 0);
    fake.busy = UINT32_MAX, fake.stays = true;       /* launched by other code: no launch was seen here */
    is_refused(&t, sf_launch(t.s, &sub_kernel, &a, sizeof a), "sf_launch", "sub", "sf_kernel_preload()");
    is_refused(&t, sf_module_load(t.device, "fake", 4, 0, &module), "sf_module_load", "", "load the module before");
    fake.busy = 0, fake.stays = false;
    CHECK_OK(sf_launch(t.s, &sub_kernel, &a, sizeof a));     /* nothing stays yet: it may be what will */
    CHECK_OK(sf_device_leave(t.device));
    beside_close(&t);
}
static void all_is_loaded_at_the_open(void **state)
{
    static const struct { const char *set; int loading; sf_result r; } cases[] = {
        { NULL, 0, SF_OK }, { "LAZY", 0, SF_OK }, { "EAGER", 1, SF_OK }, { NULL, 2, SF_ERROR_ILLEGAL_STATE }
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_log log = { 0 };
        sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda = { fake_resolve, NULL, true },
                                .logger = { test_log_func, &log } };
        sf_device *device;
        fake_reset();
        fake.loading = cases[i].loading;
        (void)(cases[i].set ? setenv("CUDA_MODULE_LOADING", cases[i].set, 1) : unsetenv("CUDA_MODULE_LOADING"));
        CHECK_IS(sf_device_open(&desc, &device), cases[i].r);
        CHECK(!strcmp(getenv("CUDA_MODULE_LOADING"), "EAGER"));
        if (cases[i].r >= 0) {
            CHECK(device->cuda->eager);
            test_close(device);
        } else {
            CHECK(strstr(log.text, "load_all") && strstr(log.text, "CUDA_MODULE_LOADING=EAGER"));
        }
        check_nothing_is_left();
    }
    (void)unsetenv("CUDA_MODULE_LOADING");
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &seen.device));
    CHECK(!getenv("CUDA_MODULE_LOADING"));   /* not by itself */
    CHECK(!seen.device->cuda->eager);
    test_close(seen.device);
}

/* -- details -- */

static void faults_stick(void **state)
{
    static const int faults[] = { 700, 719 }, errors[] = { 2, 98, 209, 999 };
    sf_device *device;
    sf_stream *s;
    sf_event *e;
    uint32_t flags;
    (void)state;
    for (size_t i = 0; i < COUNT(faults) + COUNT(errors); i++) {
        bool fault = i < COUNT(faults);
        int code = fault ? faults[i] : errors[i - COUNT(faults)];
        sf_result expected = fault ? (sf_result)-code : SF_OK;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .name = "camera" }, &s));
        CHECK_OK(sf_event_create(device, 0, &e));
        fake.fail = "cuStreamQuery", fake.fail_at = 1, fake.code = code;
        CHECK_IS(sf_stream_query(s), (sf_result)-code);
        CHECK_IS(sf_device_failure(device)->result, (sf_result)-code);
        CHECK(strstr(sf_device_failure(device)->text, "camera"));
        CHECK_IS(sf_stream_query(s), expected);
        CHECK_IS(sf_stream_get_flags(s, &flags), expected);  /* getters included */
        CHECK_IS(sf_event_query(e), expected);
        CHECK_IS(sf_event_record(e, s, 0), expected);
        CHECK_IS(sf_device_reset(device), SF_ERROR_NOT_SUPPORTED);
        CHECK_IS(sf_device_close(device, SF_FOREVER), expected);
    }
}
/* The driver says a code and no more. What is not known to be done is the culprit: one launch, or one of several. */
static void faults_name_the_launch(void **state)
{
    static const sf_kernel blur = { .name = "blur", .cuda = add_cuda };
    sf_device *device;
    sf_stream *s[2];
    sf_event *e;
    sf_graph *g;
    sf_graph_exec *x;
    uint32_t data[4] = { 0 };
    mix_args a = { .n = 4, .dst = data };
    (void)state;
    for (int way = 0; way < 9; way++) {
        const char *text, *want;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .name = "left" }, &s[0]));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .name = way == 8 ? "" : "right" }, &s[1]));
        CHECK_OK(sf_event_create(device, 0, &e));
        CHECK_OK(sf_launch(s[0], &add_kernel, &a, sizeof a));
        CHECK_OK(sf_launch(s[0], &add_kernel, &a, sizeof a));
        CHECK_OK(sf_event_record(e, s[0], 0));
        if (way == 1) { CHECK_OK(sf_stream_query(s[0])); }
        if (way == 2) { CHECK_OK(sf_stream_synchronize(s[0], SF_FOREVER)); }
        if (way == 3) { CHECK_OK(sf_event_query(e)); }
        if (way == 4) { CHECK_OK(sf_event_synchronize(e, SF_MS(1))); }
        if (way == 5 || way == 7 || way == 8) { CHECK_OK(sf_device_synchronize(device, SF_FOREVER)); }
        if (way == 6) { for (int i = 0; i < 200; i++) { CHECK_OK(sf_launch(s[0], &add_kernel, &a, sizeof a)); } }
        if (way == 7) {                      /* a node runs when its graph does */
            CHECK_OK(sf_stream_begin_capture(s[1], SF_CAPTURE_RELAXED));
            CHECK_OK(sf_launch(s[1], &blur, &a, sizeof a));
            CHECK_OK(sf_stream_end_capture(s[1], &g));
            CHECK_OK(sf_graph_instantiate(g, 0, &x));
            CHECK_OK(sf_graph_launch(x, s[0]));
        } else {
            CHECK_OK(sf_launch(s[1], &blur, &a, sizeof a));
        }
        fake.fail = way % 2 ? "cuStreamQuery" : "cuEventRecord", fake.fail_at = *fake_count(fake.fail) + 1;
        fake.calls_of_fail = fake.fail_at - 1, fake.code = 700;
        CHECK_IS(way % 2 ? sf_stream_query(s[0]) : sf_event_record(e, s[0], 0), SF_ERROR_ILLEGAL_ADDRESS);
        text = sf_device_failure(device)->text;
        want = way == 0 || way == 6 ? "one of 2 launches under way: kernel \"add\" on stream \"left\", "
                                      "kernel \"blur\" on stream \"right\" failed"
               : way == 7           ? ": a graph on stream \"left\" failed"
               : way == 8           ? ": kernel \"blur\" on stream "
                                    : ": kernel \"blur\" on stream \"right\" failed";
        if (!strstr(text, want)) { fail_msg("way %d: %s", way, text); }
        CHECK_IS(sf_stream_query(sf_stream_legacy(device)), SF_ERROR_ILLEGAL_ADDRESS);
        CHECK_IS(sf_stream_query(sf_stream_per_thread(device)), SF_ERROR_ILLEGAL_ADDRESS);
        CHECK_IS(sf_device_close(device, SF_FOREVER), SF_ERROR_ILLEGAL_ADDRESS);
    }
}
/* As on the host: who launched, whoever meets the fault. */
static sf_result launch_frame(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    mix_args a = { .n = 4, .dst = (uint32_t *)t->data };
    (void)sf_launch(sf_compute_stream(ctx), &add_kernel, &a, sizeof a);
    return sf_emit(ctx, 0, t);
}
static sf_result meet_fault(sf_context *ctx)
{
    (void)sf_receive(ctx, 0);
    fake.fail = "cuStreamQuery", fake.fail_at = 1, fake.calls_of_fail = 0, fake.code = 719;
    return sf_stream_query(sf_compute_stream(ctx));
}
static void faults_in_flows(void **state)
{
    sf_device *device;
    (void)state;
    for (int region = 0; region < 2; region++) {
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "denoise", .compute = launch_frame, .count = 1,
                                                .region = region,
                                           .out = {{ .name = "o", .bytes = 64 }} });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "colour", .compute = meet_fault, .in = {{ .name = "i" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
        CHECK_IS(sf_flow_run(f), SF_ERROR_LAUNCH_FAILED);
        if (!strstr(sf_flow_failure(f)->text, region ? "a graph of operator \"denoise\" on stream \"denoise\" failed"
                                                     : "kernel \"add\" of operator \"denoise\" on stream \"denoise\"")) {
            fail_msg("%s", sf_flow_failure(f)->text);
        }
        CHECK(!strcmp(sf_flow_failure(f)->where, "denoise"));
        CHECK_IS(sf_flow_destroy(f), SF_ERROR_LAUNCH_FAILED);
        CHECK_IS(sf_device_close(device, SF_FOREVER), SF_ERROR_LAUNCH_FAILED);
    }
}
static void *end_elsewhere(void *s)
{
    return (void *)(intptr_t)sf_stream_end_capture((sf_stream *)s, NULL);
}
static sf_result elsewhere_end(sf_stream *s)
{
    pthread_t thread;
    void *r = NULL;
    CHECK_EQUAL(pthread_create(&thread, NULL, end_elsewhere, s), 0);
    CHECK_EQUAL(pthread_join(thread, &r), 0);
    return (sf_result)(intptr_t)r;
}
/* What is wrong with a capture says by whom: on the driver, which gives a code, as on the host. */
static sf_result capture_wrongly(sf_device *device, sf_stream **s, int way)
{
    sf_graph *g = NULL;
    sf_event *e;
    uint32_t data[4] = { 0 };
    CHECK_OK(sf_event_create(device, SF_EVENT_DISABLE_TIMING, &e));
    CHECK_OK(sf_stream_begin_capture(s[0], SF_CAPTURE_THREAD_LOCAL));
    CHECK_OK(sf_event_record(e, s[0], 0));
    for (int i = 1; i < 4; i++) { CHECK_OK(sf_stream_wait_event(s[i], e, 0)); }
    switch (way) {
    case 0:                                  /* "b" works and never joins; "a" does, "c" only came along */
        for (int i = 1; i < 3; i++) { CHECK_OK(sf_memset_async(s[i], data, 0, 4)); }
        CHECK_OK(sf_event_record(e, s[1], 0));
        CHECK_OK(sf_stream_wait_event(s[0], e, 0));
        return sf_stream_end_capture(s[0], &g);
    case 1:                                  /* "a" works on after it joined */
        CHECK_OK(sf_memset_async(s[1], data, 0, 4));
        CHECK_OK(sf_event_record(e, s[1], 0));
        CHECK_OK(sf_stream_wait_event(s[0], e, 0));
        CHECK_OK(sf_memset_async(s[1], data, 0, 4));
        return sf_stream_end_capture(s[0], &g);
    case 2:                                  /* no name */
        CHECK_OK(sf_memset_async(s[3], data, 0, 4));
        return sf_stream_end_capture(s[0], &g);
    case 3:
        CHECK_IS(sf_stream_query(s[0]), SF_ERROR_CAPTURE_UNSUPPORTED);
        return sf_memset_async(s[0], data, 0, 4);
    case 4:
        CHECK_IS(sf_stream_synchronize(s[1], 0), SF_ERROR_CAPTURE_UNSUPPORTED);
        CHECK_IS(sf_stream_query(s[0]), SF_ERROR_CAPTURE_UNSUPPORTED);       /* the first one counts */
        return sf_stream_end_capture(s[0], &g);
    case 5:
        CHECK_IS(sf_device_synchronize(device, 0), SF_ERROR_CAPTURE_UNSUPPORTED);
        return sf_stream_end_capture(s[0], &g);
    case 6: CHECK_OK(sf_event_destroy(e)); return elsewhere_end(s[0]);
    default:                                 /* an event that was recorded outside */
        CHECK_OK(sf_event_record(e, s[4], 0));
        CHECK_IS(sf_stream_wait_event(s[0], e, 0), SF_ERROR_CAPTURE_ISOLATION);
        return sf_event_record(e, s[0], 0);
    }
}
static void captures_name_names(void **state)
{
    static const struct { sf_result result; const char *text, *more; } want[] = {
        { SF_ERROR_CAPTURE_UNJOINED, "stream \"b\" took part and did not join", "record an event on it" },
        { SF_ERROR_CAPTURE_UNJOINED, "stream \"a\" took part and did not join", "" },
        { SF_ERROR_CAPTURE_UNJOINED, " (no name) took part", "" },
        { SF_ERROR_CAPTURE_INVALIDATED, "sf_stream_query() was refused and spoiled the capture", "mend that call" },
        { SF_ERROR_CAPTURE_INVALIDATED, "sf_stream_synchronize() was refused", "" },
        { SF_ERROR_CAPTURE_INVALIDATED, "sf_device_synchronize() was refused", "" },
        { SF_ERROR_CAPTURE_WRONG_THREAD, "is over now", "end it on the thread that begins it" },
        { SF_ERROR_CAPTURE_INVALIDATED, "sf_stream_wait_event() was refused", "" },
    };
    static const char *const names[] = { "main", "a", "b", NULL, "outside" };
    (void)state;
    for (int way = 0; way < 2 * (int)COUNT(want); way++) {
        sf_device *device;
        sf_stream *s[5];
        const char *text;
        fake_reset();
        CHECK_OK(open_fake(way % 2 ? SF_BACKEND_CUDA : SF_BACKEND_HOST, 0, NULL, NULL, &device));
        for (int i = 0; i < 5; i++) {
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .name = names[i] }, &s[i]));
        }
        CHECK_IS(capture_wrongly(device, s, way / 2), want[way / 2].result);
        text = sf_device_failure(device)->text;
        if (!strstr(text, want[way / 2].text) || !strstr(text, want[way / 2].more)) {
            fail_msg("way %d, %s: %s", way / 2, way % 2 ? "cuda" : "host", text);
        }
        test_close(device);
        CHECK_EQUAL(fake.fatal, 0);
    }
}
static void pending_work(void **state)
{
    sf_device *device;
    sf_stream *s;
    sf_event *e, *f;
    float ms;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_OK(sf_event_create(device, 0, &e));
    CHECK_OK(sf_event_create(device, 0, &f));
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_event_record(f, s, 0));
    fake_set_busy(UINT32_MAX);
    CHECK_IS(sf_stream_query(s), SF_NOT_READY);
    CHECK_IS(sf_event_query(e), SF_NOT_READY);
    CHECK_IS(sf_event_elapsed_ms(e, f, &ms), SF_NOT_READY);
    CHECK_IS(sf_stream_synchronize(s, 0), SF_TIMEOUT);
    CHECK_IS(sf_stream_synchronize(s, SF_MS(1)), SF_TIMEOUT);
    CHECK_IS(sf_event_synchronize(e, 0), SF_TIMEOUT);
    CHECK_IS(sf_event_synchronize(e, SF_MS(1)), SF_TIMEOUT);
    CHECK_IS(sf_device_synchronize(device, 0), SF_TIMEOUT);
    CHECK_IS(sf_device_close(device, 0), SF_TIMEOUT);
    CHECK_IS(sf_device_failure(device)->result, SF_OK);      /* none of that is a failure */
    fake_set_busy(20);
    CHECK_OK(sf_stream_synchronize(s, GUARD));               /* asks until it is done */
    CHECK_EQUAL(fake.busy, 0);
    fake_set_busy(20);
    CHECK_OK(sf_event_synchronize(e, GUARD));
    fake_set_busy(20);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_OK(sf_event_elapsed_ms(e, f, &ms));
    CHECK(ms == 0.5f);
    CHECK_IS(sf_device_poll(device, 0), SF_IDLE);
    test_close(device);
    check_nothing_is_left();
}
/* A close that is too early spoils no capture, of whatever mode, by looking at streams. */
static void a_close_beside_a_capture(void **state)
{
    (void)state;
    for (int mode = SF_CAPTURE_GLOBAL; mode <= SF_CAPTURE_RELAXED; mode++) {
        sf_device *device;
        sf_stream *s, *other;
        sf_graph *g = NULL;
        sf_capture_status status = SF_CAPTURE_NONE;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sf_stream_create(device, NULL, &other));
        CHECK_OK(sf_stream_begin_capture(s, (sf_capture_mode)mode));
        fake_set_busy(UINT32_MAX);
        CHECK_IS(sf_device_close(device, 0), SF_TIMEOUT);
        CHECK_IS(sf_device_close(device, SF_MS(1)), SF_TIMEOUT);
        CHECK_IS(sf_device_failure(device)->result, SF_OK);
        CHECK_OK(sf_stream_is_capturing(s, &status));
        CHECK_EQUAL(status, SF_CAPTURE_ACTIVE);
        fake_set_busy(0);
        CHECK_OK(sf_stream_end_capture(s, &g));
        CHECK_OK(sf_graph_destroy(g));
        CHECK_OK(sf_stream_begin_capture(s, (sf_capture_mode)mode));
        fake_set_busy(5);
        test_close(device);
        check_nothing_is_left();
    }
}
static void streams_and_wrapping(void **state)
{
    sf_device *device, *other;
    sf_stream *s, *w;
    fake_stream foreign = { FAKE_STREAM_MAGIC, .flags = 1, .priority = -3, .context = &fake_contexts[1] };
    int32_t priority;
    uint32_t flags;
    uint64_t a, b;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, NULL, &device));
    for (int p = -7; p <= 2; p++) {
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = p & 1, .priority = p }, &s));
        CHECK_EQUAL(((fake_stream *)sf_stream_native(s))->priority, p < -5 ? -5 : p > 0 ? 0 : p);
        CHECK_EQUAL(((fake_stream *)sf_stream_native(s))->flags, p & 1);
        CHECK(((fake_stream *)sf_stream_native(s))->context == &fake_contexts[1]);
        CHECK_OK(sf_stream_destroy(s));
    }
    CHECK_EQUAL(fake.streams, 0);
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_OK(sf_stream_wrap(device, &foreign, &w));
    CHECK(sf_stream_native(w) == &foreign);
    CHECK_OK(sf_stream_get_flags(w, &flags));
    CHECK_OK(sf_stream_get_priority(w, &priority));
    CHECK_EQUAL(flags, 1);
    CHECK_EQUAL(priority, -3);
    CHECK_OK(sf_stream_get_id(s, &a));
    CHECK_OK(sf_stream_get_id(w, &b));
    CHECK(a != b);
    CHECK_OK(sf_stream_query(w));
    CHECK_OK(sf_stream_destroy(w));
    CHECK_EQUAL(foreign.magic, FAKE_STREAM_MAGIC);        /* was not ours to destroy */
    CHECK_IS(sf_stream_query(w), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_stream_wrap(device, &foreign, &w));
    w = s;
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &other));
    for (int i = 0; i < 4; i++) {            /* another GPU's, and one of a context that is not primary */
        static const char *const says[] = {
            "one of GPU 0, the device is GPU 1: wrap it with the device that was opened with "
            "sf_device_desc.ordinal = 0", "a context of GPU 0 that is not the primary one", "not the primary one",
            "another CUDA context than the device, which has the primary one of GPU 1",
        };
        int current = fake_thread.depth;
        foreign.context = i & 1 ? (void *)&fake_foreign_context : (void *)&fake_contexts[0];
        fake.idle_gpu = i == 2;              /* then none of its contexts is the primary one */
        if (i == 3) { fake.fail = "cuCtxGetDevice", fake.fail_at = 1, fake.code = 999; }     /* not told */
        CHECK_IS(sf_stream_wrap(device, &foreign, &w), SF_ERROR_INVALID_CONTEXT);
        if (w != s || !strstr(sf_device_failure(device)->text, says[i])) {
            fail_msg("%d: %s", i, sf_device_failure(device)->text);
        }
        CHECK(fake.retained[0] == 1 && fake.retained[1] == 1);
        CHECK_EQUAL(fake_thread.depth, current);
    }
    test_close(other);
    test_close(device);                      /* nor is it now */
    CHECK_EQUAL(foreign.magic, FAKE_STREAM_MAGIC);
    check_nothing_is_left();
}
/* -- partitions -- */

static sf_device *open_split(const sf_partitions_desc *desc)
{
    sf_device *device;
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, NULL, &device));
    CHECK_OK(sf_device_split(device, desc));
    return device;
}
static fake_green *green_of(const sf_stream *s) { return ((fake_stream *)sf_stream_native(s))->green; }
static sf_partition *partition_at(sf_device *device, int32_t index)
{
    sf_partition *p = NULL;
    CHECK_OK(sf_device_get_partition(device, index, &p));
    return p;
}
/* Counts as the driver rounds them, the remainder, the default; streams of all kinds; wrapped ones. */
static void partitions(void **state)
{
    sf_device *device;
    sf_partition *of;
    sf_partition_info info;
    sf_device_info device_info;
    sf_stream *s, *child, *w;
    sf_stream_pool *pool;
    fake_stream foreign, *native;
    fake_green other = { .magic = FAKE_GREEN_MAGIC, .device = 1 };
    static const int32_t want[] = { 16, 16, 64, 5 };         /* of 101 */
    (void)state;
    fake_reset();
    device = open_split(&(sf_partitions_desc){ .count = 3, .sms = { 10, 16, 57 } });
    CHECK_OK(sf_device_get_info(device, &device_info));
    CHECK_EQUAL(device_info.partitions, 4);
    CHECK_EQUAL(fake.greens, 4);
    for (int32_t i = 0; i < 4; i++) {
        CHECK_OK(sf_partition_get_info(partition_at(device, i), &info));
        CHECK_EQUAL(info.sms, want[i]);
        CHECK_EQUAL(info.step, 8);
        CHECK_EQUAL(info.index, i);
        CHECK(info.device == device && info.remainder == (i == 3) && info.is_default == (i == 3));
        CHECK_EQUAL(((fake_green *)info.native)->sms, (unsigned)want[i]);
        CHECK_EQUAL(((fake_green *)info.native)->queues, 0);
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .priority = -2,
                                                             .partition = partition_at(device, i) }, &s));
        CHECK(green_of(s) == info.native);
        CHECK_EQUAL(((fake_stream *)sf_stream_native(s))->priority, -2);
        CHECK_OK(sf_stream_get_partition(s, &of));
        CHECK(of == partition_at(device, i));
        CHECK_OK(sf_stream_fork(s, &child));                 /* in the same one */
        CHECK(green_of(child) == info.native);
        native = (fake_stream *)sf_stream_native(child);
        CHECK_OK(sf_stream_join(s, child));
        CHECK_OK(sf_stream_fork(s, &child));                 /* and it alone uses it again */
        CHECK(sf_stream_native(child) == native);
        CHECK_OK(sf_stream_join(s, child));
        CHECK_OK(sf_stream_wrap(device, sf_stream_native(s), &w));
        CHECK_OK(sf_stream_get_partition(w, &of));
        CHECK(of == partition_at(device, i));
        CHECK_OK(sf_stream_destroy(w));
        CHECK_OK(sf_stream_destroy(s));
    }
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK(!green_of(s));
    CHECK_OK(sf_stream_get_partition(s, &of));
    CHECK(!of);
    foreign = (fake_stream){ FAKE_STREAM_MAGIC, .flags = 1, .context = &fake_contexts[1], .green = &other };
    CHECK_OK(sf_stream_wrap(device, &foreign, &w));          /* of this GPU, and of no partition of ours */
    CHECK_OK(sf_stream_get_partition(w, &of));
    CHECK(!of);
    foreign.context = &fake_contexts[0];
    CHECK_IS(sf_stream_wrap(device, &foreign, &w), SF_ERROR_INVALID_CONTEXT);
    CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .reserved = 3, .partition = partition_at(device, 0) },
                                   &pool));
    CHECK_OK(sf_partition_get_info(partition_at(device, 0), &info));
    CHECK_EQUAL(((fake_green *)info.native)->streams, 1 + 3);        /* the pooled child is one */
    test_close(device);                      /* streams first, then their contexts */
    CHECK_EQUAL(other.magic, FAKE_GREEN_MAGIC);
    CHECK_EQUAL(fake.outside, 0);
    check_nothing_is_left();
    fake_reset();                            /* an older driver cannot tell, and refuses no stream for it */
    fake.missing = "cuStreamGetCtx_v2";
    device = open_split(&(sf_partitions_desc){ .count = 1 });
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .partition = partition_at(device, 0) }, &s));
    CHECK_OK(sf_stream_wrap(device, sf_stream_native(s), &w));
    CHECK_OK(sf_stream_get_partition(w, &of));
    CHECK(!of);
    test_close(device);
    check_nothing_is_left();
}
static void partitions_refused(void **state)
{
    static const struct { sf_partitions_desc desc; sf_result r; const char *text; } cases[] = {
        { { .count = 1, .sms = { 102 } }, SF_ERROR_INVALID_VALUE, "102 multiprocessors, and 101 of 101 are left" },
        { { .count = 2, .sms = { 8, INT32_MAX } }, SF_ERROR_INVALID_VALUE, "2147483647 multiprocessors, and 93 of 101" },
        { { .count = 2, .sms = { 90, 6 } }, SF_ERROR_INVALID_VALUE,
          "partition 1 is to have 8 multiprocessors, and 5 of 101 are left, each rounded up to a multiple of 8" },
        { { .count = 1, .sms = { 98 } }, SF_OK, NULL },      /* all of them */
        { { .count = 1, .sms = { 98 }, .default_partition = 2 }, SF_ERROR_INVALID_VALUE, "nothing is left" },
        { { .count = 2, .sms = { 45, 55 }, .default_partition = 3, .flags = 1 }, SF_ERROR_INVALID_VALUE,
          "a multiple of 2" },
        { { .count = 2, .sms = { 45, 54 }, .default_partition = 3, .flags = 1 }, SF_OK, NULL },
        { { .count = 1, .work_queues = 2 }, SF_ERROR_NOT_SUPPORTED, "CUDA 13.1" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_device *device;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, NULL, &device));
        CHECK_IS(sf_device_split(device, &cases[i].desc), cases[i].r);
        if (cases[i].text && !strstr(sf_device_failure(device)->text, cases[i].text)) {
            fail_msg("case %zu: %s", i, sf_device_failure(device)->text);
        }
        if (cases[i].r < 0) {
            sf_partition *p = NULL;
            CHECK_EQUAL(fake.greens, 0);
            CHECK_IS(sf_device_get_partition(device, 0, &p), SF_ERROR_INVALID_VALUE);
            CHECK_OK(sf_device_split(device, &(sf_partitions_desc){ .count = 1 }));      /* again is fine */
        }
        test_close(device);
        check_nothing_is_left();
    }
    fake_reset();
    fake.version = 13010;
    sf_device *device = open_split(&(sf_partitions_desc){ .count = 1, .work_queues = 4 });
    for (int32_t i = 0; i < 2; i++) {
        sf_partition_info info;
        CHECK_OK(sf_partition_get_info(partition_at(device, i), &info));
        CHECK_EQUAL(((fake_green *)info.native)->queues, 4);
    }
    test_close(device);
    check_nothing_is_left();
}
/* Fewer groups than the multiprocessors would make: 15 of 8 on an H100 with 132. */
static void too_few_groups(void **state)
{
    sf_device *device;
    (void)state;
    fake_reset();
    fake.missing = "cuDevSmResourceSplit";
    fake.most_groups = 9;
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, NULL, &device));
    CHECK_IS(sf_device_split(device, &(sf_partitions_desc){ .count = 2, .sms = { 64, 24 } }), SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_device_failure(device)->text, "partition 1 is to have 24 multiprocessors, and the GPU's 101 make only "
                                                  "9 groups of 8: make .sms"));
    CHECK_OK(sf_device_split(device, &(sf_partitions_desc){ .count = 2, .sms = { 64, 8 } }));
    test_close(device);
    check_nothing_is_left();
}
/* The newer call makes each partition one group; without it, it is several of the size that divides all. */
static void partitions_by_sizes_and_in_groups(void **state)
{
    static const unsigned want[2][4] = { { 1, 1, 1, 1 }, { 1, 3, 2, 1 } };
    (void)state;
    for (uint32_t flags = 0; flags <= 2; flags++) {
        for (int way = 0; way < 2; way++) {
            sf_device *device;
            sf_partition_info info;
            int32_t sum = 0;
            fake_reset();
            if (way) { fake.missing = "cuDevSmResourceSplit"; }
            device = open_split(&(sf_partitions_desc){ .count = 3, .sms = { 8, 24, 16 }, .flags = flags });
            for (int32_t i = 0; i < 4; i++) {
                CHECK_OK(sf_partition_get_info(partition_at(device, i), &info));
                CHECK_EQUAL(((fake_green *)info.native)->groups, want[way || flags == SF_SPLIT_MAX_CLUSTER][i]);
                CHECK_EQUAL(info.sms, i == 3 ? 101 - 48 : i == 1 ? 24 : 8 + 4 * i);
                CHECK_EQUAL(info.step, flags == SF_SPLIT_IGNORE_COSCHEDULING ? 2 : 8);
                sum += info.sms;
            }
            CHECK_EQUAL(sum, 101);
            test_close(device);
            check_nothing_is_left();
        }
    }
}
/* What the driver refuses of kernels captured in a green context is said before it is asked, with what to do. */
static void partitions_and_graphs(void **state)
{
    sf_device *device;
    sf_stream *s[2];
    (void)state;
    fake_reset();
    device = open_split(&(sf_partitions_desc){ .count = 1 });
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&lz.dev));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .partition = i ? partition_at(device, 0) : NULL },
                                  &s[i]));
    }
    for (int i = 0; i < 2; i++) {            /* captured on a stream of none; of a partition */
        mix_args a = { .dst = lz.dev, .n = 1, .add = 1 };
        sf_node_desc d = { .type = SF_NODE_KERNEL, .kernel = { &add_kernel, &a, sizeof a } }, loop = { 0 };
        sf_graph *graph[2], *whole, *body, *end;
        sf_graph_exec *exec;
        sf_graph_node *node;
        int count;
        for (int k = 0; k < 2; k++) {
            CHECK_OK(sf_stream_begin_capture(s[(i + k) % 2], SF_CAPTURE_RELAXED));
            CHECK_OK(sf_launch(s[(i + k) % 2], &add_kernel, &a, sizeof a));
            CHECK_OK(sf_stream_end_capture(s[(i + k) % 2], &graph[k]));
        }
        CHECK_OK(sf_graph_get_nodes(graph[0], &node, 1, &count));
        CHECK_OK(sf_graph_instantiate(graph[0], 0, &exec));
        CHECK_IS(sf_graph_exec_set_node(exec, node, &d), i ? SF_ERROR_NOT_SUPPORTED : SF_OK);
        if (i) { CHECK(strstr(sf_device_failure(device)->text, "sf_graph_exec_update()")); }
        CHECK_OK(sf_graph_exec_update(exec, graph[0]));
        CHECK_IS(sf_graph_exec_update(exec, graph[1]), SF_ERROR_GRAPH_EXEC_UPDATE);
        CHECK_OK(sf_graph_create(device, &whole));
        loop = (sf_node_desc){ .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1, .body = &body } };
        CHECK_OK(sf_graph_conditional_create(whole, 1, true, &loop.conditional.handle));
        CHECK_OK(sf_graph_add_node(whole, NULL, 0, &loop, NULL));
        CHECK_OK(sf_stream_begin_capture_to_graph(s[i], body, NULL, 0, SF_CAPTURE_RELAXED));
        CHECK_OK(sf_launch(s[i], &add_kernel, &a, sizeof a));
        CHECK_OK(sf_stream_end_capture(s[i], &end));
        CHECK_IS(sf_graph_instantiate(whole, 0, &exec), i ? SF_ERROR_NOT_SUPPORTED : SF_OK);
        if (i) { CHECK(strstr(sf_device_failure(device)->text, "capture bodies on streams of none")); }
    }
    CHECK_IS(sf_stream_copy_attributes(s[0], s[1]), SF_ERROR_NOT_SUPPORTED);
    CHECK_EQUAL(fake.fatal, 0);
    test_close(device);
    check_nothing_is_left();
}
/* A flow whose operators are in partitions: streams of their contexts, given back and gone at its end. */
static struct { void *green[3]; bool in_context; } placed;
static sf_result placed_compute(sf_context *ctx)
{
    sf_stream *s;
    if (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    s = sf_compute_stream(ctx);
    placed.green[(uintptr_t)ctx->user] = green_of(s);
    placed.in_context = fake_current() == ((fake_stream *)sf_stream_native(s))->context;
    (void)sf_memset_async(s, lz.dev, 1, 4);
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = 1 });
}
static void partitions_of_operators(void **state)
{
    sf_partition_info info[3];
    sf_device *device;
    sf_flow *f;
    sf_op op[3];
    (void)state;
    fake_reset();
    device = open_split(&(sf_partitions_desc){ .count = 2, .sms = { 8, 16 } });
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&lz.dev));
    for (int32_t i = 0; i < 3; i++) { CHECK_OK(sf_partition_get_info(partition_at(device, i), &info[i])); }
    f = sf_flow_create(&(sf_flow_desc){ .partition = partition_at(device, 2) });     /* and so its device */
    for (int32_t i = 0; i < 3; i++) {
        op[i] = sf_flow_add(f, &(sf_op_desc){ .compute = placed_compute, .user = (void *)(uintptr_t)i, .count = 3,
                                         .partition = i < 2 ? partition_at(device, i) : NULL,
                                         .in = {{ .name = i ? "i" : NULL }}, .out = {{ .name = "o" }} });
        if (i) { CHECK_OK(sf_flow_connect(f, op[i - 1], NULL, op[i], NULL, NULL)); }
    }
    for (int turn = 0; turn < 3; turn++) {
        memset(&placed, 0, sizeof placed);
        if (sf_flow_run(f) < 0) { fail_msg("%s", sf_flow_failure(f)->text); }
        for (int i = 0; i < 3; i++) {
            CHECK(placed.green[i] == info[i].native);
            CHECK_EQUAL(((fake_green *)info[i].native)->streams, 1);         /* however often it runs */
        }
    }
    CHECK_IS(sf_device_close(device, 0), SF_ERROR_ILLEGAL_STATE);
    CHECK_OK(sf_flow_destroy(f));
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(((fake_green *)info[i].native)->streams, 0); }
    test_close(device);
    check_nothing_is_left();
}
/* What it launches by <<<>>> needs the context of its partition's GPU, which is not the flow's. */
static void a_partition_of_another_gpu(void **state)
{
    sf_partition_info info;
    sf_device *device[2];
    sf_flow *f;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device[0]));
    device[1] = open_split(&(sf_partitions_desc){ .count = 1, .sms = { 8 } });
    CHECK_OK(sf_mem_alloc(device[1], 64, SF_MEMORY_DEVICE, (void **)&lz.dev));
    CHECK_OK(sf_partition_get_info(partition_at(device[1], 0), &info));
    f = sf_flow_create(&(sf_flow_desc){ .device = device[0] });
    (void)sf_flow_add(f, &(sf_op_desc){ .compute = placed_compute, .count = 3, .partition = partition_at(device[1],
            0),
                                   .out = {{ .name = "o" }} });
    for (int turn = 0; turn < 2; turn++) {
        memset(&placed, 0, sizeof placed);
        if (sf_flow_run(f) < 0) { fail_msg("%s", sf_flow_failure(f)->text); }
        CHECK(placed.green[0] == info.native && placed.in_context);
    }
    CHECK_OK(sf_flow_destroy(f));
    for (int i = 0; i < 2; i++) { test_close(device[i]); }
}
/* Stream-ordered memory has a list of its own of who reaches it: pools there, later ones, the default one. */
static void pools_of_peers(void **state)
{
    const sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC };
    sf_device *d[2];
    sf_mem_pool *before, *after, *apart;
    fake_pool *first;
    bool yes;
    (void)state;
    for (int no_peer = 0; no_peer < 2; no_peer++) {
        fake_reset();
        fake.no_peer = no_peer;
        for (int i = 0; i < 2; i++) { CHECK_OK(open_fake(SF_BACKEND_CUDA, i, NULL, NULL, &d[i])); }
        CHECK_OK(sf_mem_pool_create(d[0], &desc, &before));
        first = fake.last_pool;
        for (int i = 0; i < 4; i++) {
            CHECK_OK(sf_device_can_access_peer(d[i & 1], d[i >> 1], &yes));
            CHECK_EQUAL(yes, !no_peer || (i & 1) == i >> 1);
        }
        CHECK_IS(sf_device_enable_peer(d[1], d[0]), no_peer ? SF_ERROR_PEER_UNSUPPORTED : SF_OK);
        if (no_peer) {
            CHECK(strstr(sf_device_failure(d[1])->text, "sf_edge_desc.copy"));
            CHECK_EQUAL(*fake_count("cuCtxEnablePeerAccess"), 0);
        }
        CHECK_OK(sf_mem_pool_create(d[0], &desc, &after));
        CHECK_EQUAL(fake.last_pool->readers, no_peer ? 0 : 2);
        CHECK_EQUAL(first->readers, no_peer ? 0 : 2);
        CHECK_EQUAL(fake.first_pools[0].readers, no_peer ? 0 : 2);
        CHECK_OK(sf_mem_pool_create(d[1], &desc, &apart));   /* the other direction was not asked for */
        CHECK_EQUAL(fake.last_pool->readers, 0);
        CHECK_EQUAL(fake.peers[0], 0);
        CHECK_EQUAL(fake.peers[1], no_peer ? 0 : 1);
        CHECK_OK(sf_mem_pool_destroy(before));
        CHECK_IS(sf_device_enable_peer(d[1], d[0]), no_peer ? SF_ERROR_PEER_UNSUPPORTED : SF_OK);
        CHECK_EQUAL(*fake_count("cuCtxEnablePeerAccess"), no_peer ? 0 : 2);  /* asked again: the driver knows */
        CHECK_IS(sf_device_can_access_peer(d[0], NULL, &yes), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_device_can_access_peer(d[0], d[1], NULL), SF_ERROR_INVALID_VALUE);
        for (int i = 0; i < 2; i++) { test_close(d[i]); }
        check_nothing_is_left();
    }
    fake_reset();                            /* the same GPU, opened twice; and one that another library enabled */
    for (int i = 0; i < 2; i++) { CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, NULL, &d[i])); }
    CHECK_OK(sf_device_enable_peer(d[0], d[1]));
    CHECK_EQUAL(*fake_count("cuCtxEnablePeerAccess"), 0);
    test_close(d[0]);
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &d[0]));
    fake.peers[1] = 1;
    CHECK_OK(sf_device_enable_peer(d[1], d[0]));
    for (int i = 0; i < 2; i++) { test_close(d[i]); }
    check_nothing_is_left();
}
static void kernels_and_their_bodies(void **state)
{
    sf_device *device;
    sf_stream *s;
    uint32_t *data;
    mix_args a = { .n = 4, .add = 3 };
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_MANAGED, (void **)&data));
    memset(data, 0, 64);
    a.dst = data;
    seen.in_context = false;
    CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));
    CHECK(seen.in_context && seen.stream == sf_stream_native(s));
    CHECK_OK(sf_launch(sf_stream_legacy(device), &add_kernel, &a, sizeof a));
    CHECK(seen.stream == (void *)1);         /* CU_STREAM_LEGACY, whatever the .cu file was compiled for */
    CHECK_EQUAL(data[3], 6);
    CHECK(!fake_current());
    CHECK_IS(sf_launch(s, &bodiless, NULL, 0), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_launch(s, &wrong_kernel, NULL, 0), (sf_result)-98);
    CHECK(strstr(sf_device_failure(device)->text, "wrong"));
    CHECK_IS(sf_launch(s, &library_kernel, NULL, 0), SF_ERROR_USER - 2);
    CHECK_OK(sf_stream_query(s));            /* a launch that was refused loses no context */
    test_close(device);
    check_nothing_is_left();
}
static void pools_and_their_attributes(void **state)
{
    sf_device *device;
    sf_mem_pool *pool;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, NULL, &device));
    for (unsigned bits = 0; bits < 16; bits++) {
        sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC,
                                  .max_bytes = bits & 8 ? 1 << 20 : 0,
                                  .no_follow_event = bits & 1,
                                  .no_opportunistic = bits & 2,
                                  .no_internal_wait = bits & 4,
                                  .release_threshold_bytes = bits & 8 ? 4096 : 0 };
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
        CHECK_EQUAL(fake.last_pool->props.location.type, 1);
        CHECK_EQUAL(fake.last_pool->props.location.id, 1);
        CHECK_EQUAL(fake.last_pool->props.max_bytes, desc.max_bytes);
        for (int i = 1; i <= 3; i++) {       /* on by default: nothing to set */
            CHECK_EQUAL(!fake.last_pool->set[i] || fake.last_pool->attributes[i], !(bits >> (i - 1) & 1));
        }
        CHECK_EQUAL(fake.last_pool->attributes[4], desc.release_threshold_bytes);
        CHECK_OK(sf_mem_pool_trim(pool, 77));
        CHECK_EQUAL(fake.last_pool->kept, 77);
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_EQUAL(fake.pools, 0);
    }
    test_close(device);
    check_nothing_is_left();
}
static void two_gpus(void **state)
{
    sf_device *d[2];
    sf_stream *s[2];
    sf_event *e;
    sf_counters c;
    uint32_t *p[2], word = 7;
    (void)state;
    fake_reset();
    for (int i = 0; i < 2; i++) {
        CHECK_OK(open_fake(SF_BACKEND_CUDA, i, NULL, NULL, &d[i]));
        CHECK_OK(sf_stream_create(d[i], NULL, &s[i]));
        CHECK_OK(sf_mem_alloc(d[i], 4, SF_MEMORY_DEVICE, (void **)&p[i]));
    }
    CHECK_OK(sf_event_create(d[0], 0, &e));
    CHECK_OK(sf_event_record(e, s[0], 0));
    CHECK_IS(sf_event_record(e, s[1], 0), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_stream_wait_event(s[1], e, 0));
    CHECK_OK(sf_memcpy_async(s[0], p[0], &word, 4));
    CHECK_OK(sf_memcpy_peer_async(s[0], p[1], d[1], p[0], d[0], 4));
    CHECK(fake.peer_contexts[0] == &fake_contexts[1] && fake.peer_contexts[1] == &fake_contexts[0]);
    CHECK_EQUAL(*p[1], 7);
    CHECK_IS(sf_mem_free(d[0], p[1]), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_device_get_counters(d[0], &c));
    CHECK_EQUAL(c.device_switches > 0, true);
    for (int i = 0; i < 2; i++) { test_close(d[i]); }
    check_nothing_is_left();
}

/* -- capture modes -- */

typedef struct unsafe_setup {
    sf_device *device;
    sf_stream *s, *t;                        /* t captures */
    sf_event *e;
    sf_graph *graph;
    sf_graph_exec *exec;
    sf_module *module;
    void *dev, *pinned, *managed, *ordered, *made;
} unsafe_setup;
static sf_result unsafe_call(unsafe_setup *u, int which)
{
    switch (which) {
    case 0: return sf_event_query(u->e);
    case 1: return sf_event_synchronize(u->e, SF_FOREVER);
    case 2: return sf_event_synchronize(u->e, SF_MS(100));
    case 3: return sf_stream_query(u->s);
    case 4: return sf_stream_synchronize(u->s, SF_FOREVER);
    case 5: return sf_stream_synchronize(u->s, SF_MS(100));
    case 6: return sf_mem_alloc(u->device, 16, SF_MEMORY_DEVICE, &u->made);
    case 7: return sf_mem_alloc(u->device, 16, SF_MEMORY_PINNED, &u->made);
    case 8: return sf_mem_alloc(u->device, 16, SF_MEMORY_MANAGED, &u->made);
    case 9: return sf_mem_free(u->device, u->dev);
    case 10: return sf_mem_free(u->device, u->pinned);
    case 11: return sf_mem_free(u->device, u->managed);
    case 12: return sf_mem_alloc_async(u->s, NULL, 16, &u->made);
    case 13: return sf_mem_free_async(u->s, u->ordered);
    case 14: return sf_stream_query(sf_stream_legacy(u->device));
    case 15: return sf_stream_synchronize(sf_stream_per_thread(u->device), SF_FOREVER);
    case 16: return sf_graph_exec_destroy(u->exec);
    case 17: return sf_graph_instantiate(u->graph, 0, &u->exec);
    case 18: return sf_module_unload(u->module);
    default: return SF_ERROR_UNKNOWN;
    }
}
enum { UNSAFE_CALLS = 19 };
static void *begin_elsewhere(void *arg)
{
    unsafe_setup *u = (unsafe_setup *)arg;
    sf_result r = sf_stream_begin_capture(u->t, SF_CAPTURE_GLOBAL);
    return (void *)(intptr_t)r;
}
/* The thread's mode is set in the driver for each unsafe call, and for nothing else: allowed, none breaks a capture;
   not allowed, each does. Whether it was is checked at the driver. */
static void unsafe_calls_in_each_mode(void **state)
{
    (void)state;
    for (int mode = SF_CAPTURE_GLOBAL; mode <= SF_CAPTURE_RELAXED; mode++) {
        for (int mine = 0; mine < 2; mine++) {               /* this thread captures, or another one does */
            bool allowed = mode == SF_CAPTURE_RELAXED || (mode == SF_CAPTURE_THREAD_LOCAL && !mine);
            for (int which = 0; which < UNSAFE_CALLS; which++) {
                unsafe_setup u = { 0 };
                sf_capture_mode exchanged = (sf_capture_mode)mode;
                sf_capture_status status;
                uint32_t exchanges, strict;
                sf_result r;
                fake_reset();
                CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &u.device));
                CHECK_OK(sf_stream_create(u.device, &(sf_stream_desc){ .flags = 1 }, &u.s));
                CHECK_OK(sf_stream_create(u.device, &(sf_stream_desc){ .flags = 1 }, &u.t));
                CHECK_OK(sf_event_create(u.device, 0, &u.e));
                CHECK_OK(sf_mem_alloc(u.device, 16, SF_MEMORY_DEVICE, &u.dev));
                CHECK_OK(sf_mem_alloc(u.device, 16, SF_MEMORY_PINNED, &u.pinned));
                CHECK_OK(sf_mem_alloc(u.device, 16, SF_MEMORY_MANAGED, &u.managed));
                CHECK_OK(sf_mem_alloc_async(u.s, NULL, 16, &u.ordered));
                CHECK_OK(sf_module_load(u.device, "fake", 5, 0, &u.module));
                CHECK_OK(sf_graph_create(u.device, &u.graph));
                CHECK_OK(sf_graph_instantiate(u.graph, 0, &u.exec));
                if (mine) {
                    CHECK_OK(sf_stream_begin_capture(u.t, SF_CAPTURE_GLOBAL));
                } else {
                    pthread_t thread;
                    void *began = NULL;
                    CHECK_EQUAL(pthread_create(&thread, NULL, begin_elsewhere, &u), 0);
                    CHECK_EQUAL(pthread_join(thread, &began), 0);
                    CHECK_EQUAL((intptr_t)began, SF_OK);
                }
                CHECK_OK(sf_thread_exchange_stream_capture_mode(&exchanged));
                CHECK_EQUAL(exchanged, SF_CAPTURE_GLOBAL);
                exchanges = fake.exchanges, strict = fake.strict;
                r = unsafe_call(&u, which);
                if (r != (allowed ? SF_OK : SF_ERROR_CAPTURE_UNSUPPORTED)) {
                    fail_msg("call %d in mode %d is %d: %s", which, mode, r, sf_device_failure(u.device)->text);
                }
                CHECK_EQUAL(fake.exchanges - exchanges, mode == SF_CAPTURE_GLOBAL ? 0 : 2);
                CHECK_EQUAL(fake.strict - strict, mode == SF_CAPTURE_RELAXED ? 0 : 1);
                CHECK_EQUAL(fake_thread.mode, 0);
                CHECK_OK(sf_stream_is_capturing(u.t, &status));
                CHECK_EQUAL(status, allowed ? SF_CAPTURE_ACTIVE : SF_CAPTURE_INVALIDATED);
                if (r < 0 && (which == 16 || which == 17)) { CHECK_EQUAL(fake.execs, 1); }
                exchanged = SF_CAPTURE_GLOBAL;
                CHECK_OK(sf_thread_exchange_stream_capture_mode(&exchanged));
                CHECK_EQUAL(exchanged, mode);
                CHECK_IS(sf_stream_end_capture(u.t, NULL),
                         !allowed ? SF_ERROR_CAPTURE_INVALIDATED : mine ? SF_OK : SF_ERROR_CAPTURE_WRONG_THREAD);
                CHECK_OK(sf_stream_is_capturing(u.t, &status));
                CHECK_EQUAL(status, SF_CAPTURE_NONE);
                if (r < 0) {                 /* what was refused is there, and can be done now */
                    if (which == 9) { CHECK_OK(sf_mem_free(u.device, u.dev)); }
                    if (which == 13) { CHECK_OK(sf_mem_free_async(u.s, u.ordered)); }
                    if (which == 16) { CHECK_OK(sf_graph_exec_destroy(u.exec)); }
                    if (which == 18) { CHECK_OK(sf_module_unload(u.module)); }
                }
                test_close(u.device);
                check_nothing_is_left();
            }
        }
    }
}
/* The other calls are harmless in a capture: they leave the mode alone. */
static void safe_calls_leave_the_mode(void **state)
{
    sf_device *device;
    sf_stream *s, *t;
    sf_event *e;
    sf_graph *graph;
    sf_module *module;
    sf_function *store;
    sf_capture_mode mode = SF_CAPTURE_RELAXED;
    sf_capture_status status;
    void *p, *managed;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &t));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, &p));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_MANAGED, &managed));
    CHECK_OK(sf_stream_begin_capture(t, SF_CAPTURE_GLOBAL));
    fake.strict = 0;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sf_event_create(device, 0, &e));
        CHECK_OK(sf_event_record(e, s, 0));
        CHECK_OK(sf_stream_wait_event(s, e, 0));
        CHECK_OK(sf_memset_async(s, p, 0, 64));
        CHECK_OK(sf_mem_prefetch_async(s, managed, 64, false));
        CHECK_OK(sf_module_load(device, "fake store", 10, 0, &module));
        CHECK_OK(sf_module_get_function(module, "store", &store));
        CHECK_OK(sf_function_preload(store));
        CHECK_OK(sf_graph_create(device, &graph));
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_OK(sf_event_destroy(e));
        CHECK_OK(sf_stream_destroy(s));
        CHECK_EQUAL(fake.exchanges, 0);
        CHECK_EQUAL(fake.strict, 0);
        CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
    }
    CHECK_OK(sf_stream_is_capturing(t, &status));
    CHECK_EQUAL(status, SF_CAPTURE_ACTIVE);
    CHECK_OK(sf_stream_end_capture(t, NULL));
    test_close(device);
    check_nothing_is_left();
}
static sf_result flow_make(sf_context *ctx)
{
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_memset_async(sf_compute_stream(ctx), out->data, (uint8_t)ctx->run, out->bytes);
    return sf_emit(ctx, 0, out);
}
static sf_result flow_pass(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_like(ctx, 0, in);
    sf_memcpy_async(sf_compute_stream(ctx), out->data, in->data, in->bytes);
    return sf_emit(ctx, 0, out);
}
static sf_result flow_take(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0);
    *(uint32_t *)ctx->user += ((uint8_t *)in->data)[7];
    return SF_OK;
}
/* What the library asks and waits for on its own behalf, while the user's thread captures: pools, flows. */
static void own_queries_are_relaxed(void **state)
{
    sf_device *device;
    sf_stream *t;
    sf_capture_status status;
    sf_stream_pool *streams;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &t));
    CHECK_OK(sf_stream_begin_capture(t, SF_CAPTURE_GLOBAL));
    fake.strict = 0;
    for (int kind = SF_MEM_POOL_BLOCKS; kind <= SF_MEM_POOL_UNBOUNDED; kind++) {
        for (int memory = SF_MEMORY_DEVICE; memory <= SF_MEMORY_HOST; memory++) {
            sf_mem_pool_desc desc = { .kind = (sf_mem_pool_kind)kind, .memory = (sf_memory)memory, .block_bytes = 64,
                                      .blocks = 3, .initial_bytes = kind == SF_MEM_POOL_ASYNC ? 128 : 0 };
            sf_mem_pool *pool;
            sf_mem_pool_info info;
            if (kind == SF_MEM_POOL_ASYNC && memory != SF_MEMORY_DEVICE) { continue; }
            CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
            CHECK(sf_mem_pool_trim(pool, 0) >= 0);
            CHECK_OK(sf_mem_pool_get_info(pool, &info));
            CHECK_OK(sf_mem_pool_destroy(pool));
            CHECK_EQUAL(fake.strict, 0);
        }
    }
    CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .reserved = 2 }, &streams));
    CHECK_OK(sf_stream_pool_destroy(streams));
    for (int memory = SF_MEMORY_DEVICE; memory <= SF_MEMORY_PINNED; memory++) {
        uint32_t sum = 0;
        sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .device = device });
        sf_port out = { .name = "out", .bytes = 64, .memory = (sf_memory)memory }, in = { .name = "in" };
        sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "a", .compute = flow_make, .out = { out }, .count = 20 });
        sf_op b = sf_flow_add(flow, &(sf_op_desc){ .name = "b", .compute = flow_pass, .in = { in }, .out = { out } });
        sf_op c = sf_flow_add(flow, &(sf_op_desc){ .name = "c", .compute = flow_take, .in = { in }, .user = &sum,
                                              .when = { { .kind = SF_CONDITION_STREAM } } });
        sf_flow_connect(flow, a, "out", b, "in", NULL);
        sf_flow_connect(flow, b, "out", c, "in", NULL);
        fake_set_busy(5);                       /* so that it has something to wait for */
        if (sf_flow_run(flow) < 0) { fail_msg("%s", sf_flow_failure(flow)->text); }
        CHECK_OK(sf_flow_destroy(flow));
        CHECK_EQUAL(sum, 190);
        CHECK_EQUAL(fake.strict, 0);
    }
    CHECK_EQUAL(fake_thread.mode, 0);
    CHECK_OK(sf_stream_is_capturing(t, &status));
    CHECK_EQUAL(status, SF_CAPTURE_ACTIVE);
    CHECK_OK(sf_stream_end_capture(t, NULL));
    test_close(device);
    check_nothing_is_left();
}
/* So do lazy operations, on whatever thread; without cuStreamWriteValue32 by events. */
static void futures_are_relaxed(void **state)
{
    (void)state;
    for (int events = 0; events < 2; events++) {
        sf_device *device;
        sf_stream *s, *t;
        sf_future *f;
        sf_capture_status status;
        sf_value value;
        fake_reset();
        if (events) { fake.missing = "cuStreamWriteValue32_v2"; }
        memset(&lz, 0, sizeof lz);
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &t));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&lz.dev));
        memset(lz.dev, 0, 64);
        CHECK_OK(sf_stream_begin_capture(t, SF_CAPTURE_GLOBAL));
        fake.strict = 0;
        for (int i = 0; i < 20; i++) {
            sf_lazy *graph = sf_lazy_graph(lazy_two(device));
            fake_set_busy(3);
            CHECK_OK(sf_lazy_sync_on(sf_lazy_retain(graph), s, GUARD, NULL));
            CHECK_OK(sf_lazy_sync(graph, NULL, GUARD, NULL));
            CHECK_OK(sf_lazy_schedule(lazy_one(device), NULL, &f));
            CHECK_OK(sf_future_on_ready(f, lazy_told, &lz.told));
            CHECK_OK(sf_future_wait(f, GUARD));
            CHECK_OK(sf_future_take(f, &value, 1));
            sf_future_drop(f);
            CHECK_OK(sf_lazy_async_on(lazy_one(device), s));
        }
        CHECK_EQUAL(fake.strict, 0);
        CHECK_OK(sf_stream_is_capturing(t, &status));
        CHECK_EQUAL(status, SF_CAPTURE_ACTIVE);
        CHECK_OK(sf_stream_end_capture(t, NULL));
        test_close(device);
        CHECK_EQUAL(test_load(&lz.told), 20);
        CHECK_EQUAL(lz.made, lz.dropped + 20);
        CHECK_EQUAL(lz.states, lz.states_gone);
        check_nothing_is_left();
    }
}

/* -- captures that go wrong -- */

static sf_graph *make_body(sf_device *device, sf_graph **body)       /* the graph around one */
{
    sf_graph *graph;
    sf_graph_conditional handle;
    sf_node_desc desc = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1, .body = body } };
    CHECK_OK(sf_graph_create(device, &graph));
    CHECK_OK(sf_graph_conditional_create(graph, 1, true, &handle));
    desc.conditional.handle = handle;
    CHECK_OK(sf_graph_add_node(graph, NULL, 0, &desc, NULL));
    return graph;
}
/* What streams do while some of them capture into bodies: the same on the host and on the driver, which no call may
   reach that would break such a capture there. */
enum { W_STREAMS = 5, W_EVENTS = 4 };        /* the last two streams: blocking, and the default one */
typedef struct world {
    sf_device *device;
    sf_stream *s[W_STREAMS];
    sf_event *e[W_EVENTS], *own;             /* own: for W_FOLLOW by hand */
    bool by_hand;
    sf_graph *graph, *body[2], *plain;
    sf_graph_exec *exec;
    void *dev, *managed, *allocated;
    uint64_t word, calls;
} world;
enum {                                       /* what, on a stream, with an event or something else */
    W_BODY = 1, W_PLAIN, W_END, W_END_NULL, W_FOLLOW, W_RECORD, W_WAIT, W_LAUNCH, W_MEMSET, W_COPY, W_FUNC, W_WRITE, W_PREFETCH,
    W_UPLOAD, W_FORK, W_TELL, W_QUERY, W_SYNCHRONIZE, W_CALLBACK, W_ATTACH, W_GRAPH, W_ASK, W_EVENT_WAIT, W_ELAPSED,
    W_ALLOC, W_ALLOC_ASYNC, W_DEVICE, W_RENEW, W_UPDATE, W_EXTERNAL, W_INSTANTIATE, W_MODE, W_GETTER, W_OPS
};
static const char *const w_names[W_OPS] = {
    "", "body", "begin", "end", "end into NULL", "follow", "record", "wait", "launch", "memset", "copy", "function", "write",
    "prefetch", "upload", "fork", "status", "query", "synchronize", "callback", "attach", "graph launch",
    "event query", "event synchronize", "elapsed", "alloc", "alloc async", "device synchronize", "destroy", "update",
    "external", "instantiate", "mode", "getter"
};
static void no_callback(sf_stream *s, sf_result status, void *user) { (void)s, (void)status, (void)user; }
static int add_host(const sf_slice *slice, const void *args)
{
    const mix_args *a = (const mix_args *)args;
    (void)slice;
    return a->dst[0] += a->add, 0;
}
static sf_stream *w_stream(const world *w, uint32_t i)
{
    sf_stream *s;
    CHECK_OK(sf_stream_create(w->device, &(sf_stream_desc){ .flags = i < 3 }, &s));
    return s;
}
static void w_open(world *w, bool host)
{
    memset(w, 0, sizeof *w);
    if (host) {
        sf_device_desc d = {                 /* many streams are made */
            .backend = SF_BACKEND_HOST, .host = { .workers = 1, .stream_depth = 64 } };
        CHECK_OK(sf_device_open(&d, &w->device));
    } else {
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &w->device));
    }
    for (uint32_t i = 0; i + 1 < W_STREAMS; i++) { w->s[i] = w_stream(w, i); }
    w->s[W_STREAMS - 1] = sf_stream_legacy(w->device);
    for (uint32_t i = 0; i < W_EVENTS; i++) { CHECK_OK(sf_event_create(w->device, 0, &w->e[i])); }
    CHECK_OK(sf_event_create(w->device, SF_EVENT_DISABLE_TIMING, &w->own));
    CHECK_OK(sf_mem_alloc(w->device, 64, SF_MEMORY_DEVICE, &w->dev));
    CHECK_OK(sf_mem_alloc(w->device, 64, SF_MEMORY_MANAGED, &w->managed));
    CHECK_OK(sf_graph_create(w->device, &w->graph));
    for (int i = 0; i < 2; i++) {
        sf_node_desc d = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1, .body = &w->body[i] } };
        CHECK_OK(sf_graph_conditional_create(w->graph, 0, true, &d.conditional.handle));
        CHECK_OK(sf_graph_add_node(w->graph, NULL, 0, &d, NULL));
    }
    CHECK_OK(sf_graph_create(w->device, &w->plain));
    CHECK_OK(sf_graph_instantiate(w->plain, 0, &w->exec));
}
static sf_result w_do(world *w, uint32_t op, uint32_t i, uint32_t k)
{
    static const sf_kernel both = { .name = "add", .host = add_host, .cuda = add_cuda };
    mix_args a = { .dst = (uint32_t *)w->dev, .add = 1 };
    sf_stream *s = w->s[i], *child, *other = w->s[(i + 1 + k) % W_STREAMS];
    sf_event *e = w->e[k];
    sf_capture_info info = { .status = SF_CAPTURE_NONE };
    sf_capture_mode mode = (sf_capture_mode)(k % 3);
    sf_dependency none[1];
    sf_graph_exec *exec;
    sf_graph *g = NULL;
    uint32_t flags;
    float ms;
    void *p;
    sf_result r;
    switch (op) {
    case W_BODY: return sf_stream_begin_capture_to_graph(s, w->body[k % 2], NULL, 0, (sf_capture_mode)(k / 2));
    case W_PLAIN: return sf_stream_begin_capture(s, mode);
    case W_END:
        r = sf_stream_end_capture(s, &g);
        if (g && g != w->body[0] && g != w->body[1]) { CHECK_OK(sf_graph_destroy(g)); }
        CHECK(r < 0 ? !g : !!g);
        return r;
    case W_END_NULL: return sf_stream_end_capture(s, NULL);
    case W_RECORD: return sf_event_record(e, s, 0);
    case W_WAIT: return sf_stream_wait_event(s, e, 0);
    case W_LAUNCH: return sf_launch(s, &both, &a, sizeof a);
    case W_FOLLOW:                           /* what is done by hand in one world, and by the call in the other */
        if (!w->by_hand) { return k % 2 ? sf_stream_wait_stream(s, other) : sf_stream_join(s, other); }
        r = sf_event_record(w->own, other, 0);
        return r < 0 ? r : sf_stream_wait_event(s, w->own, 0);
    case W_MEMSET: return sf_memset_async(s, w->dev, 1, 4);
    case W_COPY: return sf_memcpy_async(s, w->dev, (char *)w->dev + 16, 4);
    case W_FUNC: return sf_launch_host_func(s, count_func, &w->calls);
    case W_WRITE: return sf_stream_write_value(s, w->dev, 4, 5, 0);
    case W_PREFETCH: return sf_mem_prefetch_async(s, w->managed, 64, false);
    case W_UPLOAD: return sf_graph_upload(w->exec, s);
    case W_FORK:
        r = sf_stream_fork(s, &child);
        if (r >= 0 && k) { (void)sf_launch(child, &both, &a, sizeof a); }
        return r < 0 ? r : sf_stream_join(s, child);
    case W_TELL:
        r = sf_stream_get_capture_info(s, &info, none, 0);
        return r < 0 ? r : (sf_result)(info.status * 1000 + (info.graph == w->body[0]) + 2 * info.dependencies);
    case W_QUERY: return sf_stream_query(s);
    case W_SYNCHRONIZE: return sf_stream_synchronize(s, k ? SF_FOREVER : GUARD);
    case W_CALLBACK: return sf_stream_add_callback(s, no_callback, NULL, 0);
    case W_ATTACH: return i + 1 == W_STREAMS ? SF_OK : sf_stream_attach_mem_async(s, w->managed, 0, SF_ATTACH_SINGLE);
    case W_GRAPH: return sf_graph_launch(w->exec, s);
    case W_ASK: return sf_event_query(e);
    case W_EVENT_WAIT: return sf_event_synchronize(e, i ? SF_FOREVER : GUARD);
    case W_ELAPSED: return sf_event_elapsed_ms(e, w->e[i % W_EVENTS], &ms);
    case W_ALLOC:
        r = sf_mem_alloc(w->device, 16, (sf_memory)(k % 3), &p);
        return r < 0 ? r : sf_mem_free(w->device, p);
    case W_ALLOC_ASYNC:
        r = sf_mem_alloc_async(s, NULL, 16, &p);
        return r < 0 ? r : sf_mem_free_async(s, p);
    case W_DEVICE: return sf_device_synchronize(w->device, k ? SF_FOREVER : GUARD);
    case W_RENEW:
        if (i + 1 == W_STREAMS) { return SF_OK; }
        r = sf_stream_destroy(s);
        w->s[i] = w_stream(w, i);
        return r;
    case W_UPDATE: return sf_stream_update_capture_dependencies(s, NULL, 0, k % 2);
    case W_EXTERNAL:
        return k ? sf_event_record(e, s, SF_EVENT_RECORD_EXTERNAL)
                 : sf_stream_wait_event(s, e, SF_EVENT_WAIT_EXTERNAL);
    case W_INSTANTIATE:
        r = sf_graph_instantiate(w->plain, 0, &exec);
        return r < 0 ? r : sf_graph_exec_destroy(exec);
    case W_MODE: return sf_thread_exchange_stream_capture_mode(&mode);
    case W_GETTER: return sf_stream_get_flags(s, &flags);
    default: return SF_ERROR_UNKNOWN;
    }
}
static sf_capture_status w_status(const world *w, uint32_t i)
{
    sf_capture_status status = SF_CAPTURE_NONE;
    (void)sf_stream_is_capturing(w->s[i], &status);
    return status;
}
static void w_close(world *w, bool host)
{
    sf_capture_mode mode = SF_CAPTURE_GLOBAL;
    CHECK_OK(sf_thread_exchange_stream_capture_mode(&mode));
    for (uint32_t i = 0; i + 1 < W_STREAMS; i++) { (void)sf_stream_end_capture(w->s[i], NULL); }
    CHECK_OK(sf_graph_destroy(w->graph));    /* a body that was broken is like any other */
    CHECK_OK(sf_device_synchronize(w->device, SF_FOREVER));
    test_close(w->device);
    if (!host) { check_nothing_is_left(); }
}
typedef struct deed { uint8_t op, i, k; } deed;
static const struct {
    const char *name;
    deed before[4], deed;
    sf_result result;
    sf_capture_status other;                 /* what becomes of stream 1 */
} breaks[] = {                               /* stream 0 captures into a body; for the events see w_history() */
    { "query", { { 0 } }, { W_QUERY, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "synchronize", { { 0 } }, { W_SYNCHRONIZE, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "synchronize for ever", { { 0 } }, { W_SYNCHRONIZE, 0, 1 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "callback", { { 0 } }, { W_CALLBACK, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "attach", { { 0 } }, { W_ATTACH, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "graph launch", { { 0 } }, { W_GRAPH, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe: query of another", { { 0 } }, { W_QUERY, 2, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe: event", { { 0 } }, { W_ASK, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe: alloc", { { 0 } }, { W_ALLOC, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe: pinned alloc", { { 0 } }, { W_ALLOC, 0, 1 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe: managed alloc", { { 0 } }, { W_ALLOC, 0, 2 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe: alloc async", { { 0 } }, { W_ALLOC_ASYNC, 1, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe: instantiate", { { 0 } }, { W_INSTANTIATE, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "unsafe beside another capture", { { W_PLAIN, 1, 1 } }, { W_ASK, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED,
      SF_CAPTURE_INVALIDATED },
    { "unsafe beside a relaxed capture", { { W_PLAIN, 1, 2 } }, { W_ASK, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED,
      SF_CAPTURE_ACTIVE },
    { "device synchronize", { { W_PLAIN, 1, 2 } }, { W_DEVICE, 0, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED,
      SF_CAPTURE_INVALIDATED },
    { "device synchronize for ever", { { 0 } }, { W_DEVICE, 0, 1 }, SF_ERROR_CAPTURE_UNSUPPORTED, 0 },
    { "a captured event", { { W_RECORD, 0, 2 } }, { W_ASK, 0, 2 }, SF_ERROR_CAPTURED_EVENT, 0 },
    { "a wait for a captured event", { { W_RECORD, 0, 2 } }, { W_EVENT_WAIT, 0, 2 }, SF_ERROR_CAPTURED_EVENT, 0 },
    { "outside", { { 0 } }, { W_WAIT, 0, 0 }, SF_ERROR_CAPTURE_ISOLATION, 0 },
    { "poisoned", { { W_PLAIN, 1, 0 }, { W_RECORD, 1, 2 }, { W_END, 1, 0 } }, { W_WAIT, 0, 2 },
      SF_ERROR_INVALID_VALUE, 0 },
    { "recorded by a node", { { 0 } }, { W_WAIT, 0, 3 }, SF_ERROR_CAPTURE_ISOLATION, 0 },
    { "recorded beside a capture", { { W_PLAIN, 1, 0 }, { W_RECORD, 2, 2 } }, { W_WAIT, 0, 2 },
      SF_ERROR_CAPTURE_ISOLATION, SF_CAPTURE_ACTIVE },
    { "merge: it waits", { { W_PLAIN, 1, 2 }, { W_RECORD, 1, 2 } }, { W_WAIT, 0, 2 }, SF_ERROR_CAPTURE_MERGE,
      SF_CAPTURE_INVALIDATED },
    { "merge: the other one waits", { { W_PLAIN, 1, 2 }, { W_RECORD, 0, 2 } }, { W_WAIT, 1, 2 },
      SF_ERROR_CAPTURE_MERGE, SF_CAPTURE_INVALIDATED },
    { "merge of bodies", { { W_BODY, 1, 1 }, { W_RECORD, 0, 2 } }, { W_WAIT, 1, 2 }, SF_ERROR_CAPTURE_MERGE,
      SF_CAPTURE_INVALIDATED },
    { "end on a participant", { { W_RECORD, 0, 2 }, { W_WAIT, 1, 2 } }, { W_END, 1, 0 }, SF_ERROR_CAPTURE_UNMATCHED,
      SF_CAPTURE_INVALIDATED },
    { "query of a participant", { { W_RECORD, 0, 2 }, { W_WAIT, 1, 2 }, { W_LAUNCH, 1, 0 } }, { W_QUERY, 1, 0 },
      SF_ERROR_CAPTURE_UNSUPPORTED, SF_CAPTURE_INVALIDATED },
    { "callback of a participant's", { { W_RECORD, 0, 2 }, { W_WAIT, 1, 2 }, { W_RECORD, 1, 2 }, { W_WAIT, 2, 2 } },
      { W_CALLBACK, 2, 0 }, SF_ERROR_CAPTURE_UNSUPPORTED, SF_CAPTURE_INVALIDATED },
    { "the default stream waits", { { W_RECORD, 0, 2 } }, { W_WAIT, 4, 2 }, SF_ERROR_CAPTURE_IMPLICIT, 0 },
    { "the default stream", { { W_RECORD, 0, 2 }, { W_WAIT, 3, 2 } }, { W_MEMSET, 4, 0 }, SF_ERROR_CAPTURE_IMPLICIT,
      0 },
    { "the default stream's query", { { W_RECORD, 0, 2 }, { W_WAIT, 3, 2 } }, { W_QUERY, 4, 0 },
      SF_ERROR_CAPTURE_IMPLICIT, 0 },
};
/* Event 0 was recorded in a capture, then outside; 3 by a node; 1 and 2 never. */
static void w_history(world *w)
{
    sf_graph *g;
    sf_graph_exec *exec;
    CHECK_OK(w_do(w, W_PLAIN, 2, 0));
    CHECK_OK(w_do(w, W_RECORD, 2, 0));
    CHECK_OK(w_do(w, W_END, 2, 0));
    CHECK_OK(w_do(w, W_RECORD, 2, 0));
    CHECK_OK(sf_graph_create(w->device, &g));
    CHECK_OK(sf_graph_add_node(g, NULL, 0, &(sf_node_desc){ .type = SF_NODE_EVENT_RECORD, .event = w->e[3] }, NULL));
    CHECK_OK(sf_graph_instantiate(g, 0, &exec));
    CHECK_OK(sf_graph_launch(exec, w->s[2]));
    CHECK_OK(w_do(w, W_DEVICE, 0, 0));
    CHECK_OK(sf_graph_exec_destroy(exec));
    CHECK_OK(sf_graph_destroy(g));
}
static void *w_end_there(void *arg) { return (void *)(intptr_t)w_do((world *)arg, W_END, 0, 0); }
static sf_result w_elsewhere_end(world *w)
{
    void *r = NULL;
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, w_end_there, w), 0);
    CHECK_EQUAL(pthread_join(thread, &r), 0);
    return (sf_result)(intptr_t)r;
}
/* A driver that ends an invalid capture into a body crashes: so nothing that would break one gets there. */
static void a_body_s_broken_capture(void **state)
{
    (void)state;
    for (size_t b = 0; b < COUNT(breaks); b++) {
        for (uint32_t how = 0; how < 10; how++) {            /* host and driver; how it is ended; 8: wrapped */
            bool host = how % 2;
            uint32_t end = how / 2;
            void *native = NULL;
            world w;
            fake_reset();
            w_open(&w, host);
            if (end == 4 && !host) {
                fake_thread.stack[fake_thread.depth++] = &fake_contexts[0];
                CHECK_EQUAL(fake_stream_create(&native, 1, 0), 0);
                CHECK_OK(sf_stream_destroy(w.s[0]));
                CHECK_OK(sf_stream_wrap(w.device, native, &w.s[0]));
            }
            w_history(&w);
            CHECK_OK(w_do(&w, W_BODY, 0, 0));
            CHECK_OK(w_do(&w, W_LAUNCH, 0, 0));
            for (int k = 0; k < 4 && breaks[b].before[k].op; k++) {
                const deed *d = &breaks[b].before[k];
                sf_result r = w_do(&w, d->op, d->i, d->k);
                if (r) { fail_msg("%s, way %u: %s is %d", breaks[b].name, how, w_names[d->op], r); }
            }
            for (int twice = 0; twice < 2; twice++) {        /* what is broken can be broken again */
                sf_result r = w_do(&w, breaks[b].deed.op, breaks[b].deed.i, breaks[b].deed.k);
                if (twice ? r >= 0 : r != breaks[b].result) {
                    fail_msg("%s, way %u: %d, not %d", breaks[b].name, how, r, breaks[b].result);
                }
            }
            CHECK_EQUAL(w_status(&w, 0), SF_CAPTURE_INVALIDATED);
            CHECK_EQUAL(w_status(&w, 1), breaks[b].other);
            CHECK_EQUAL(w_do(&w, W_TELL, 0, 0), SF_CAPTURE_INVALIDATED * 1000);
            for (uint32_t op = W_RECORD; op <= W_WRITE; op++) {
                CHECK_IS(w_do(&w, op, 0, op == W_WAIT ? 1 : 3), SF_ERROR_CAPTURE_INVALIDATED);
            }
            CHECK_IS(w_do(&w, W_ALLOC_ASYNC, 0, 0), SF_ERROR_CAPTURE_INVALIDATED);
            CHECK_IS(w_do(&w, W_UPDATE, 0, 0), SF_ERROR_CAPTURE_INVALIDATED);
            CHECK_IS(w_do(&w, W_PLAIN, 0, 0), SF_ERROR_ILLEGAL_STATE);
            CHECK_IS(w_do(&w, W_BODY, 2, 0), SF_ERROR_ILLEGAL_STATE);
            CHECK_IS(sf_graph_destroy(w.graph), SF_ERROR_ILLEGAL_STATE);
            if (end == 0) { CHECK_IS(w_do(&w, W_END, 0, 0), SF_ERROR_CAPTURE_INVALIDATED); }
            if (end == 1) { CHECK_IS(w_elsewhere_end(&w), SF_ERROR_CAPTURE_INVALIDATED); }
            if (end == 2) { CHECK_OK(w_do(&w, W_RENEW, 0, 0)); }
            if (end != 3) {                  /* 3: by closing the device */
                if (end == 4) { CHECK_IS(w_do(&w, W_END_NULL, 0, 0), SF_ERROR_CAPTURE_INVALIDATED); }
                CHECK_EQUAL(w_status(&w, 0), SF_CAPTURE_NONE);
                (void)w_do(&w, W_END, 1, 0); /* the other one's */
                CHECK_OK(w_do(&w, W_LAUNCH, 0, 0));
                CHECK_OK(w_do(&w, W_SYNCHRONIZE, 0, 0));
                CHECK_OK(w_do(&w, W_BODY, 0, 0));            /* it works again, and so does the body */
                CHECK_OK(w_do(&w, W_END, 0, 0));
                CHECK_OK(sf_graph_destroy(w.graph));
            }
            CHECK_OK(sf_device_close(w.device, SF_FOREVER));
            CHECK_EQUAL(fake.spoilt, 0);
            if (native) {
                CHECK_EQUAL(fake_stream_destroy(native), 0);
                fake_thread.depth--;
            }
            check_nothing_is_left();
        }
    }
}
/* A driver that refuses a wait has not drawn the stream in. */
static void a_body_s_wait_that_fails(void **state)
{
    world w;
    (void)state;
    fake_reset();
    w_open(&w, false);
    CHECK_OK(w_do(&w, W_BODY, 0, 0));
    CHECK_OK(w_do(&w, W_RECORD, 0, 2));
    fake.fail = "cuStreamWaitEvent", fake.fail_at = 1, fake.code = 2;
    CHECK_IS(w_do(&w, W_WAIT, 1, 2), SF_ERROR_OUT_OF_MEMORY);
    CHECK_EQUAL(w_status(&w, 1), SF_CAPTURE_NONE);
    CHECK_OK(w_do(&w, W_CALLBACK, 1, 0));
    CHECK_EQUAL(w_status(&w, 0), SF_CAPTURE_ACTIVE);
    CHECK_OK(w_do(&w, W_END, 0, 0));
    w_close(&w, false);
}
/* Everybody breaks everybody's. */
typedef struct breaker { world *w; sf_graph *graph, *body; uint32_t at, done; pthread_t thread; } breaker;
static void *break_bodies(void *arg)
{
    breaker *b = (breaker *)arg;
    world *w = b->w;
    sf_stream *s = w->s[b->at];
    rng g = rng_seed(b->at);
    for (int i = 0; i < 400; i++) {
        sf_capture_status status;
        sf_result r = sf_stream_begin_capture_to_graph(s, b->body, NULL, 0, (sf_capture_mode)rng_below(&g, 3));
        if (r < 0) { return (void *)(intptr_t)r; }
        for (uint32_t n = rng_below(&g, 6); n > 0; n--) {
            switch (rng_below(&g, 6)) {
            case 0: (void)sf_event_query(w->e[3]); break;
            case 1: (void)sf_stream_query(w->s[3]); break;
            case 2: (void)sf_event_record(w->e[b->at], s, 0); break;
            case 3: (void)sf_stream_wait_event(s, w->e[b->at], 0); break;
            case 4: (void)sf_stream_is_capturing(s, &status); break;
            default: (void)sf_stream_wait_event(s, w->e[3], 0); break;
            }
        }
        if (rng_below(&g, 40) == 0) { (void)sf_memset_async(s, w->managed, 0, 4); }
        r = sf_stream_end_capture(s, NULL);
        if (r < 0 && r != SF_ERROR_CAPTURE_INVALIDATED) { return (void *)(intptr_t)r; }
        b->done += r == SF_OK;
    }
    return NULL;
}
static void bodies_on_threads(void **state)
{
    breaker b[3];
    uint32_t done = 0;
    world w;
    (void)state;
    fake_reset();
    w_open(&w, false);
    memset(b, 0, sizeof b);
    CHECK_OK(sf_event_record(w.e[3], w.s[3], 0));
    for (uint32_t i = 0; i < 3; i++) {
        b[i].w = &w, b[i].at = i;
        b[i].graph = make_body(w.device, &b[i].body);
    }
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(pthread_create(&b[i].thread, NULL, break_bodies, &b[i]), 0); }
    for (int i = 0; i < 3; i++) {
        void *r = NULL;
        CHECK_EQUAL(pthread_join(b[i].thread, &r), 0);
        CHECK_EQUAL((intptr_t)r, 0);
        done += b[i].done;
    }
    CHECK(done > 0 && done < 1200);
    CHECK_EQUAL(fake.spoilt, 0);
    for (int i = 0; i < 3; i++) { CHECK_OK(sf_graph_destroy(b[i].graph)); }
    w_close(&w, false);
}
/* Threads that record and wait for one event, for the first time and while one of them captures. */
enum { FIRST_EVENTS = 200 };
typedef struct recorder {
    world *w;
    sf_event **event;
    bool captures;
    uint32_t at, *begun;
    pthread_t thread;
} recorder;
static void *record_first(void *arg)
{
    recorder *c = (recorder *)arg;
    sf_stream *s = c->w->s[c->at];
    sf_result r = SF_OK;
    for (uint32_t i = 0; i < FIRST_EVENTS; i++) {
        (void)test_add(c->begun, 1);
        while (r >= 0 && test_load(c->begun) < 3 * (i + 1)) { sched_yield(); }       /* all at once */
        if (c->captures) { r = sf_stream_begin_capture(s, SF_CAPTURE_RELAXED); }
        if (r >= 0) { r = sf_event_record(c->event[i], s, c->captures); }    /* a node */
        if (r >= 0) { r = sf_event_query(c->event[i]); }
        if (r >= 0) { r = sf_stream_wait_event(s, c->event[i], c->captures); }
        if (r >= 0 && c->captures) { r = sf_stream_end_capture(s, NULL); }
    }
    return (void *)(intptr_t)r;
}
static void first_records_on_threads(void **state)
{
    (void)state;
    for (int captures = 0; captures < 2; captures++) {
        sf_event *e[FIRST_EVENTS];
        recorder c[3];
        uint32_t begun = 0;
        world w;
        fake_reset();
        w_open(&w, false);
        for (int i = 0; i < FIRST_EVENTS; i++) { CHECK_OK(sf_event_create(w.device, 0, &e[i])); }
        for (uint32_t i = 0; i < 3; i++) {
            c[i] = (recorder){ .w = &w, .event = e, .captures = captures && i == 2, .at = i, .begun = &begun };
        }
        for (int i = 0; i < 3; i++) { CHECK_EQUAL(pthread_create(&c[i].thread, NULL, record_first, &c[i]), 0); }
        for (int i = 0; i < 3; i++) {
            void *r = NULL;
            CHECK_EQUAL(pthread_join(c[i].thread, &r), 0);
            CHECK_EQUAL((intptr_t)r, 0);
        }
        for (int i = 0; i < FIRST_EVENTS; i++) { CHECK_OK(sf_event_destroy(e[i])); }
        w_close(&w, false);
    }
}
/* Threads that load one image at the same time get one module. */
enum { SHARED_LOADS = 10 };
typedef struct loader { sf_device *device; sf_module *module[SHARED_LOADS]; uint32_t *begun; pthread_t thread; } loader;
static uint32_t in_load;
static int load_together(void **module, const void *image, unsigned n, int *options, void **values)
{
    uint32_t round = test_add(&in_load, 1) / 2;
    for (int i = 0; i < 10000 && test_load(&in_load) < 2 * (round + 1); i++) { sched_yield(); }
    return fake_module_load_data(module, image, n, options, values);
}
static void *load_shared(void *arg)
{
    loader *l = (loader *)arg;
    sf_result r = SF_OK;
    for (uint32_t i = 0; i < SHARED_LOADS; i++) {
        char image[32];
        size_t bytes = (size_t)snprintf(image, sizeof image, "fake %u", (unsigned)i);
        (void)test_add(l->begun, 1);
        while (test_load(l->begun) < 2 * (i + 1)) { sched_yield(); }
        if (r >= 0) { r = sf_module_load(l->device, image, bytes, SF_MODULE_SHARED, &l->module[i]); }
    }
    return (void *)(intptr_t)r;
}
static void one_module_for_all_threads(void **state)
{
    static loader l[2];
    uint32_t begun = 0;
    sf_device *device;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    in_load = 0;
    device->cuda->module_load_data = load_together;
    for (int k = 0; k < 2; k++) {
        l[k] = (loader){ .device = device, .begun = &begun };
        CHECK_EQUAL(pthread_create(&l[k].thread, NULL, load_shared, &l[k]), 0);
    }
    for (int k = 0; k < 2; k++) {
        void *r = NULL;
        CHECK_EQUAL(pthread_join(l[k].thread, &r), 0);
        CHECK_EQUAL((intptr_t)r, 0);
    }
    CHECK_EQUAL(fake.modules, SHARED_LOADS);
    for (int i = 0; i < SHARED_LOADS; i++) {
        CHECK(l[0].module[i] == l[1].module[i]);
        CHECK_OK(sf_module_unload(l[0].module[i]));
        CHECK_OK(sf_module_unload(l[1].module[i]));
    }
    CHECK_EQUAL(fake.modules, 0);
    test_close(device);
    check_nothing_is_left();
}
/* Calls that are not the library's break one all the same: the driver is not asked to end it, and the stream is
   replaced. It crashes too when the graph goes: that one stays. */
static void a_body_that_others_break(void **state)
{
    (void)state;
    for (int how = 0; how < 8; how++) {      /* ended, destroyed, left open, ended into NULL; 4: of a wrapped one */
        bool wrap = how >= 4;
        sf_device *device;
        sf_stream *s;
        sf_graph *graph, *body, *ended = (sf_graph *)&device;
        sf_capture_status status;
        uint32_t *dev;
        void *native = NULL;
        mix_args a = { .n = 1, .add = 3 };
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        if (wrap) {
            fake_thread.stack[fake_thread.depth++] = &fake_contexts[0];
            CHECK_EQUAL(fake_stream_create(&native, 1, 0), 0);
            CHECK_OK(sf_stream_wrap(device, native, &s));
        } else {
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .priority = -2 }, &s));
        }
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
        dev[0] = 0, a.dst = dev;
        graph = make_body(device, &body);
        CHECK_OK(sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_GLOBAL));
        CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));
        CHECK_EQUAL(fake_stream_query(sf_stream_native(s)), 900);
        CHECK_EQUAL(fake.spoilt, 1);
        CHECK_OK(sf_stream_is_capturing(s, &status));
        CHECK_EQUAL(status, SF_CAPTURE_INVALIDATED);
        if (how % 4 == 0 || how % 4 == 3) {
            CHECK_IS(sf_stream_end_capture(s, how % 4 ? NULL : &ended), SF_ERROR_CAPTURE_INVALIDATED);
            if (how % 4 == 0) { CHECK(!ended); }
        }
        if (how % 4 == 1 || wrap) { CHECK_OK(sf_stream_destroy(s)); }
        if (wrap) {                          /* whose it is ends it in the only way there is */
            CHECK_EQUAL(fake_stream_destroy(native), 0);
            fake_thread.depth--;
        } else if (how == 0 || how == 3) {   /* ours works again */
            CHECK_OK(sf_stream_is_capturing(s, &status));
            CHECK_EQUAL(status, SF_CAPTURE_NONE);
            CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));
            CHECK_EQUAL(dev[0], 3);
            CHECK_OK(sf_stream_synchronize(s, SF_FOREVER));
            CHECK_EQUAL(((fake_stream *)sf_stream_native(s))->priority, -2);
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
            CHECK_OK(sf_stream_end_capture(s, NULL));
        }
        if (how % 4 != 2) { CHECK_OK(sf_graph_destroy(graph)); }
        if (how == 2) {                      /* a capture that goes on is given up */
            CHECK_OK(sf_device_close(device, SF_FOREVER));
        } else {
            test_close(device);
        }
        if (fake.fatal || strcmp(what_is_left(), "2 graphs, 2 nodes") != 0) {
            fail_msg("way %d: %u fatal calls, left: %s", how, fake.fatal, what_is_left());
        }
    }
}
/* A capture into a body that a refused call made invalid ends in the driver as a valid one: with what a stream did that
   was destroyed meanwhile. */
static void a_stream_that_leaves_an_invalid_body(void **state)
{
    sf_device *device;
    sf_stream *s, *other;
    sf_graph *graph, *body;
    uint32_t *dev;
    mix_args a = { .n = 1, .add = 3 };
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &other));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
    a.dst = dev;
    graph = make_body(device, &body);
    CHECK_OK(sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));
    CHECK_OK(sf_stream_wait_stream(other, s));
    CHECK_OK(sf_launch(other, &add_kernel, &a, sizeof a));
    CHECK_IS(sf_stream_query(s), SF_ERROR_CAPTURE_UNSUPPORTED);
    CHECK_OK(sf_stream_destroy(other));
    CHECK_IS(sf_stream_end_capture(s, NULL), SF_ERROR_CAPTURE_INVALIDATED);
    CHECK(!fake.spoilt && !fake.fatal);
    CHECK_OK(sf_graph_destroy(graph));
    test_close(device);
    check_nothing_is_left();
}
/* Whatever is done in whatever order: the host says the same. Other captures only without the default stream: which
   of two reasons it gives is nobody's rule. */
static void bodies_as_on_the_host(void **state)
{
    uint32_t seeds = test_seeds(), refused = 0, unjoined = 0;
    (void)state;
    FOR_SEEDS(seed, seeds) {
        rng g = rng_seed(seed);
        world w[2];
        char said[80][64];
        fake_reset();
        for (int n = 0; n < 2; n++) { w_open(&w[n], n); }
        w[seed / 4 % 2].by_hand = true;
        for (int n = 0; n < 80; n++) {
            const uint32_t likely[] = { W_MEMSET, W_WRITE, seed % 4 < 2 ? W_MEMSET : W_OPS };
            uint32_t op = rng_below(&g, likely[rng_below(&g, COUNT(likely))]);
            uint32_t i = rng_below(&g, seed % 2 ? 3 : W_STREAMS), k = rng_below(&g, W_EVENTS);
            sf_result r[2];
            if (op == 0 || (op == W_PLAIN && seed % 2 == 0)) { op = W_BODY; }
            if (op == W_EXTERNAL) { k = 0; } /* to be recorded by a node, sometime, is recorded to CUDA's mirror */
            for (int m = 0; m < 2; m++) {
                r[m] = w_do(&w[m], op, i, k);
                if (r[m] == SF_NOT_READY) { r[m] = SF_OK; }
            }
            if (op == W_ELAPSED && r[0] < 0 && r[1] < 0) { r[0] = r[1]; }    /* two events, two reasons */
            snprintf(said[n], sizeof said[n], "%s(%u, %u) %d", w_names[op], i, k, r[0]);
            refused += r[0] < 0, unjoined += r[0] == SF_ERROR_CAPTURE_UNJOINED;
            for (uint32_t at = 0; at < W_STREAMS; at++) {
                bool same = r[0] == r[1] && w_status(&w[0], at) == w_status(&w[1], at);
                if (same && !fake.spoilt && !fake.fatal) { continue; }
                for (int m = 0; m <= n; m++) { printf("# %s\n", said[m]); }
                fail_msg("seed %u: not %d; stream %u: %d, not %d; %u spoilt, %u fatal", seed, r[1], at,
                         w_status(&w[0], at), w_status(&w[1], at), fake.spoilt, fake.fatal);
            }
        }
        for (int n = 0; n < 2; n++) { w_close(&w[n], n); }
    }
    printf("# %u calls refused, %u captures not joined\n", refused, unjoined);
}
/* A MEM_FREE node that the driver refused to another graph changes nothing: the allocating graph can get one. */
static void a_free_node_that_fails(void **state)
{
    sf_device *device;
    sf_graph *g[2];
    void *p = NULL;
    (void)state;
    for (int own = 0; own < 2; own++) {      /* 1: the allocating graph gets the node; 0: the other one */
        sf_node_desc alloc = { .type = SF_NODE_MEM_ALLOC, .alloc = { .bytes = 64, .ptr = &p } };
        sf_node_desc end = { .type = SF_NODE_MEM_FREE };
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_graph_create(device, &g[i])); }
        CHECK_OK(sf_graph_add_node(g[0], NULL, 0, &alloc, NULL));
        end.free = p;
        fake.fail = "cuGraphAddNode_v2", fake.fail_at = 1, fake.calls_of_fail = 0, fake.code = 2;
        CHECK_IS(sf_graph_add_node(g[1], NULL, 0, &end, NULL), SF_ERROR_OUT_OF_MEMORY);
        fake.fail = NULL;
        CHECK_OK(sf_graph_add_node(g[!own], NULL, 0, &end, NULL));
        CHECK_IS(sf_graph_add_node(g[0], NULL, 0, &end, NULL), SF_ERROR_INVALID_VALUE);
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_graph_destroy(g[i])); }
        test_close(device);
        check_nothing_is_left();
    }
}
/* The owner of a wrapped stream has set its priority: a copy of the attributes has the driver's value. */
static void a_copy_of_foreign_attributes(void **state)
{
    sf_device *device;
    sf_stream *s, *w[2];
    void *native = NULL;
    int32_t priority = 9;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
    fake_thread.stack[fake_thread.depth++] = &fake_contexts[0];
    CHECK_EQUAL(fake_stream_create(&native, 1, 0), 0);
    fake_thread.depth--;
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_stream_wrap(device, native, &w[i])); }
    CHECK_OK(sf_stream_set_attribute(w[0], SF_STREAM_PRIORITY, &(sf_stream_value){ .priority = -2 }));
    CHECK_OK(sf_stream_copy_attributes(s, w[1]));
    CHECK_OK(sf_stream_get_priority(s, &priority));
    CHECK_EQUAL(priority, -2);
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_stream_destroy(w[i])); }
    fake_thread.stack[fake_thread.depth++] = &fake_contexts[0];
    CHECK_EQUAL(fake_stream_destroy(native), 0);
    fake_thread.depth--;
    test_close(device);
    check_nothing_is_left();
}
/* A driver may let a capture go on for a while behind cuStreamDestroy(): the library ends it before. */
static void an_origin_that_is_destroyed(void **state)
{
    (void)state;
    for (uint32_t how = 0; how < 16; how++) {    /* into a graph; with another stream; spoiled; wrapped */
        sf_device *device;
        sf_stream *s, *other;
        sf_graph *graph = NULL;
        void *native = NULL;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &other));
        if (how & 8) {
            fake_thread.stack[fake_thread.depth++] = &fake_contexts[0];
            CHECK_EQUAL(fake_stream_create(&native, 1, 0), 0);
            CHECK_OK(sf_stream_wrap(device, native, &s));
        } else {
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        }
        if (how & 1) {
            CHECK_OK(sf_graph_create(device, &graph));
            CHECK_OK(sf_stream_begin_capture_to_graph(s, graph, NULL, 0, SF_CAPTURE_GLOBAL));
        } else {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
        }
        if (how & 2) { CHECK_OK(sf_stream_wait_stream(other, s)); }
        if (how & 4) { CHECK_IS(sf_stream_query(s), SF_ERROR_CAPTURE_UNSUPPORTED); }
        CHECK_OK(sf_stream_destroy(s));
        CHECK_EQUAL(*fake_count("cuStreamEndCapture"), how & (8 | 1) ? 0 : 1);
        if (how & 8) {                           /* its owner's capture goes on */
            CHECK_EQUAL(fake_stream_destroy(native), 0);
            fake_thread.depth--;
        }
        CHECK_EQUAL(fake_stream_query(sf_stream_native(other)), 0);
        if (graph) { CHECK_OK(sf_graph_destroy(graph)); }
        test_close(device);
        check_nothing_is_left();
    }
}
/* Whatever is open when the device closes goes with it. */
static void captures_left_open(void **state)
{
    (void)state;
    for (int how = 0; how < 6; how++) {      /* a graph of its own, a given one, a body; each sound or broken */
        test_heap heap = { 0 };
        sf_device *device;
        sf_stream *s;
        sf_graph *graph = NULL, *body;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, &heap, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        if (how % 3 == 0) {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
        } else {
            CHECK_OK(sf_graph_create(device, &graph));
            body = graph;
            if (how % 3 == 2) { graph = make_body(device, &body); }
            CHECK_OK(sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_RELAXED));
            CHECK_IS(sf_graph_destroy(graph), SF_ERROR_ILLEGAL_STATE);
        }
        if (how >= 3) { CHECK_IS(sf_stream_query(s), SF_ERROR_CAPTURE_UNSUPPORTED); }
        CHECK_OK(sf_device_close(device, SF_FOREVER));
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}
/* A capture into a body, of the graph that another one captures, which comes to nothing: the driver's has ended before. */
static void a_body_within_a_capture(void **state)
{
    (void)state;
    for (int how = 0; how < 8; how++) {      /* broken, not asked for, not joined, its stream destroyed; given or not */
        test_heap heap = { 0 };
        sf_device *device;
        sf_stream *around, *within, *drawn;
        sf_event *e;
        sf_graph *body = NULL, *given = NULL, *ended = NULL;
        sf_node_desc desc = { .type = SF_NODE_CONDITIONAL, .conditional = { .bodies = 1, .body = &body } };
        sf_capture_info info;
        uint32_t *dev;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, &heap, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &around));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &within));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &drawn));
        CHECK_OK(sf_event_create(device, 0, &e));
        dev = (uint32_t *)test_memory(device, 64);
        if (how < 4) {
            CHECK_OK(sf_stream_begin_capture(around, SF_CAPTURE_RELAXED));
        } else {
            CHECK_OK(sf_graph_create(device, &given));
            CHECK_OK(sf_stream_begin_capture_to_graph(around, given, NULL, 0, SF_CAPTURE_RELAXED));
        }
        CHECK_OK(sf_stream_get_capture_info(around, &info, NULL, 0));
        CHECK_OK(sf_graph_conditional_create(info.graph, 1, true, &desc.conditional.handle));
        CHECK_OK(sf_graph_add_node(info.graph, NULL, 0, &desc, NULL));
        CHECK_OK(sf_stream_begin_capture_to_graph(within, body, NULL, 0, SF_CAPTURE_RELAXED));
        CHECK_OK(sf_memset_async(within, dev, 1, 4));
        if (how % 4 == 0) {
            CHECK_IS(sf_stream_query(around), SF_ERROR_CAPTURE_UNSUPPORTED);
            CHECK_IS(sf_stream_end_capture(around, &ended), SF_ERROR_CAPTURE_INVALIDATED);
        } else if (how % 4 == 1) {
            CHECK_OK(sf_stream_end_capture(around, NULL));
        } else if (how % 4 == 2) {
            CHECK_OK(sf_event_record(e, around, 0));
            CHECK_OK(sf_stream_wait_event(drawn, e, 0));
            CHECK_OK(sf_memset_async(drawn, dev, 2, 4));
            CHECK_IS(sf_stream_end_capture(around, &ended), SF_ERROR_CAPTURE_UNJOINED);
        } else {
            CHECK_OK(sf_stream_destroy(around));
        }
        CHECK(!ended);
        if (how % 4 != 1 || how < 4) {       /* a given one that ends well stays, and so does the capture in it */
            CHECK_IS(sf_memset_async(within, dev, 3, 4), SF_ERROR_CAPTURE_INVALIDATED);
            CHECK_IS(sf_stream_end_capture(within, &ended), SF_ERROR_CAPTURE_INVALIDATED);
        } else {
            CHECK_OK(sf_stream_end_capture(within, &ended));
        }
        CHECK_OK(sf_memset_async(within, dev, 4, 4));        /* it captures no more */
        if (given) { CHECK_OK(sf_graph_destroy(given)); }
        CHECK_OK(sf_mem_free(device, dev));
        CHECK_OK(sf_event_destroy(e));
        CHECK_OK(sf_device_close(device, SF_FOREVER));
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}
/* A given graph goes with a capture into it that fails, in the driver: the handle stays, and says so. */
static void a_given_graph_is_lost(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {      /* broken, not joined, a failing call */
        sf_device *device;
        sf_stream *s, *t;
        sf_event *e;
        sf_graph *graph, *copy, *ended;
        sf_graph_exec *exec;
        int count;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &t));
        CHECK_OK(sf_event_create(device, 0, &e));
        CHECK_OK(sf_graph_create(device, &graph));
        CHECK_OK(sf_stream_begin_capture_to_graph(s, graph, NULL, 0, SF_CAPTURE_GLOBAL));
        CHECK_OK(sf_launch_host_func(s, count_func, &count));
        if (how == 0) { CHECK_IS(sf_stream_query(s), SF_ERROR_CAPTURE_UNSUPPORTED); }
        if (how == 1) {
            CHECK_OK(sf_event_record(e, s, 0));
            CHECK_OK(sf_stream_wait_event(t, e, 0));
            CHECK_OK(sf_launch_host_func(t, count_func, &count));
        }
        if (how == 2) { fake.fail = "cuStreamEndCapture", fake.fail_at = 1, fake.code = 2; }
        CHECK_IS(sf_stream_end_capture(s, &ended), how == 0   ? SF_ERROR_CAPTURE_INVALIDATED
                                                   : how == 1 ? SF_ERROR_CAPTURE_UNJOINED
                                                              : SF_ERROR_OUT_OF_MEMORY);
        CHECK(!ended);
        CHECK(strstr(sf_device_failure(device)->text, "sf_stream_end_capture"));
        CHECK_EQUAL(fake.graphs, 0);
        CHECK(sf_graph_get_nodes(graph, NULL, 0, &count) < 0);
        CHECK(sf_graph_add_node(graph, NULL, 0, &(sf_node_desc){ .type = SF_NODE_EMPTY }, NULL) < 0);
        CHECK(sf_graph_clone(graph, &copy) < 0);
        CHECK(sf_graph_instantiate(graph, 0, &exec) < 0);
        CHECK(sf_stream_begin_capture_to_graph(s, graph, NULL, 0, SF_CAPTURE_GLOBAL) < 0);
        CHECK(sf_device_failure(device)->text[0]);
        CHECK_OK(sf_graph_destroy(graph));
        test_close(device);
        check_nothing_is_left();
    }
}
/* A stream that is not ours, and captures because somebody else said so. */
static void a_foreign_capture(void **state)
{
    sf_device *device;
    sf_stream *w;
    sf_graph *graph;
    sf_graph_exec *exec;
    sf_capture_status status;
    sf_capture_info info = { .graph = (sf_graph *)&status };
    sf_dependency after[2] = { { (sf_graph_node *)&status, SF_DEPENDENCY_FULL } };
    sf_graph_node *nodes[4];
    sf_node_type type;
    fake_stream *native;
    uint32_t calls = 0, *dev;
    void *theirs, *run;
    int count;
    (void)state;
    for (int ours = 0; ours < 2; ours++) {   /* who ends it */
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
        seen.device = device;
        fake_thread.stack[fake_thread.depth++] = &fake_contexts[0];
        CHECK_EQUAL(fake_stream_create((void **)&native, 1, 0), 0);
        CHECK_OK(sf_stream_wrap(device, native, &w));
        CHECK_EQUAL(fake_stream_begin_capture(native, 2), 0);
        CHECK_OK(sf_stream_is_capturing(w, &status));
        CHECK_EQUAL(status, SF_CAPTURE_ACTIVE);
        CHECK_OK(sf_memset_async(w, dev, 0, 4));
        calls = 0;
        CHECK_OK(sf_launch_host_func(w, inside_func, &calls));
        CHECK_EQUAL(calls, 0);
        CHECK_OK(sf_stream_get_capture_info(w, &info, after, 1));
        CHECK(info.status == SF_CAPTURE_ACTIVE && info.id == native->capture->id && info.dependencies == 1);
        if (ours) {
            CHECK_OK(sf_stream_end_capture(w, &graph));
            CHECK_OK(sf_graph_get_nodes(graph, nodes, 4, &count));
            CHECK_EQUAL(count, 2);
            CHECK_OK(sf_graph_node_get_type(nodes[0], &type));
            CHECK_EQUAL(type, SF_NODE_MEMSET);
            CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
            CHECK_OK(sf_graph_destroy(graph));
            for (int i = 0; i < 3; i++) { CHECK_OK(sf_graph_launch(exec, w)); }
            CHECK_EQUAL(calls, 3);
            CHECK_OK(sf_graph_exec_destroy(exec));
        } else {
            CHECK_EQUAL(fake_stream_end_capture(native, &theirs), 0);
            CHECK_EQUAL(fake_graph_instantiate(&run, theirs, 0), 0);
            CHECK_EQUAL(fake_graph_destroy(theirs), 0);
            for (int i = 0; i < 3; i++) { CHECK_EQUAL(fake_graph_launch(run, native), 0); }
            CHECK_EQUAL(calls, 3);
            CHECK_EQUAL(fake_graph_exec_destroy(run), 0);
        }
        CHECK_IS(seen.inside, SF_ERROR_NOT_PERMITTED);
        CHECK_OK(sf_stream_destroy(w));
        CHECK_EQUAL(fake_stream_destroy(native), 0);
        fake_thread.depth--;
        test_close(device);
        check_nothing_is_left();
    }
}

/* -- host functions and callbacks -- */

static struct { uint32_t calls; sf_stream *stream; sf_result status, inside; } told;
static void tell(sf_stream *stream, sf_result status, void *user)
{
    told.calls++;
    told.stream = stream;
    told.status = status;
    told.inside = sf_stream_query(stream);
    ++*(uint32_t *)user;
}
static void callbacks_and_faults(void **state)
{
    static const int codes[] = { 0, 700, 719 };
    (void)state;
    for (size_t i = 0; i < COUNT(codes); i++) {
        test_heap heap = { 0 };
        sf_device *device;
        sf_stream *s;
        uint32_t calls = 0, functions = 0;
        fake_reset();
        memset(&told, 0, sizeof told);
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, &heap, &device));
        CHECK_OK(sf_stream_create(device, NULL, &s));
        fake.hold = true;
        CHECK_OK(sf_stream_add_callback(s, tell, &calls, 0));
        CHECK_OK(sf_launch_host_func(s, count_func, &functions));
        CHECK_OK(sf_stream_add_callback(s, tell, &calls, 0));
        CHECK_EQUAL(calls + functions, 0);
        if (codes[i]) {
            fake.fail = "cuStreamQuery", fake.fail_at = 1, fake.code = codes[i];
            CHECK_IS(sf_stream_query(s), (sf_result)-codes[i]);
        }
        fake_run_queue();
        CHECK_EQUAL(calls, 2);
        CHECK_EQUAL(functions, codes[i] ? 0 : 1);
        CHECK_EQUAL(told.calls, 2);
        CHECK(told.stream == s);
        CHECK_IS(told.status, (sf_result)-codes[i]);
        CHECK_IS(told.inside, SF_ERROR_NOT_PERMITTED);
        CHECK_IS(sf_stream_add_callback(s, tell, &calls, 0), (sf_result)-codes[i]);
        fake_run_queue();
        CHECK_EQUAL(calls, codes[i] ? 2 : 3);
        CHECK_IS(sf_device_close(device, SF_FOREVER), (sf_result)-codes[i]);
        CHECK_EQUAL(heap.live, 0);
        CHECK_EQUAL(fake.fatal, 0);
    }
    {                                        /* the callback is the first to know: the device learns it from there */
        sf_device *device;
        sf_stream *s;
        uint32_t calls = 0;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, NULL, &s));
        fake.hold = true;
        CHECK_OK(sf_stream_add_callback(s, tell, &calls, 0));
        fake.fault = 719;
        fake_run_queue();
        CHECK_IS(told.status, SF_ERROR_LAUNCH_FAILED);
        CHECK_IS(sf_stream_query(s), SF_ERROR_LAUNCH_FAILED);
        CHECK_IS(sf_device_close(device, SF_FOREVER), SF_ERROR_LAUNCH_FAILED);
    }
}
/* A host function in a graph is there as long as something may run it, and no longer. */
static void host_functions_in_graphs(void **state)
{
    sf_device *device;
    sf_stream *s;
    (void)state;
    for (int how = 0; how < 6; how++) {      /* captured; added; then a clone, a child, an update, a changed exec */
        sf_graph *graph, *other = NULL;
        sf_graph_exec *exec;
        sf_graph_node *node = NULL, *n2;
        uint32_t first = 0, second = 0;
        sf_node_desc desc = { .type = SF_NODE_HOST, .host = { count_func, &first } };
        test_heap heap = { 0 };
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, &heap, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        if (how == 0) {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
            CHECK_OK(sf_launch_host_func(s, count_func, &first));
            CHECK_OK(sf_stream_end_capture(s, &graph));
        } else {
            CHECK_OK(sf_graph_create(device, &graph));
            CHECK_OK(sf_graph_add_node(graph, NULL, 0, &desc, &node));
        }
        CHECK_EQUAL(fake.objects, 1);
        if (how == 2) {                      /* only the clone lives on */
            CHECK_OK(sf_graph_clone(graph, &other));
            CHECK_OK(sf_graph_destroy(graph));
            graph = other, other = NULL;
        }
        if (how == 3) {                      /* only what a child copied */
            sf_node_desc child = { .type = SF_NODE_CHILD, .child = graph };
            CHECK_OK(sf_graph_create(device, &other));
            CHECK_OK(sf_graph_add_node(other, NULL, 0, &child, &n2));
            CHECK_OK(sf_graph_destroy(graph));
            graph = other, other = NULL;
        }
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        desc.host.user = &second;
        if (how == 4) {                      /* what it was updated from goes, too */
            CHECK_OK(sf_graph_create(device, &other));
            CHECK_OK(sf_graph_add_node(other, NULL, 0, &desc, NULL));
            CHECK_OK(sf_graph_exec_update(exec, other));
            CHECK_OK(sf_graph_destroy(other));
        }
        if (how == 5) { CHECK_OK(sf_graph_exec_set_node(exec, node, &desc)); }
        CHECK_OK(sf_graph_destroy(graph));
        for (int i = 0; i < 3; i++) { CHECK_OK(sf_graph_launch(exec, s)); }
        CHECK_EQUAL(first, how < 4 ? 3 : 0);
        CHECK_EQUAL(second, how < 4 ? 0 : 3);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_EQUAL(fake.objects, 0);
        test_close(device);
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}

/* -- what graphs name -- */

enum { BY_CAPTURE, BY_CAPTURED_WAIT, ADDED, ADDED_WAIT, CLONED, IN_CHILD, UPDATED, SET, WITHOUT_OBJECTS, HOWS };
/* The driver's event lives as long as a graph, an executable or a launch under way names it, and no longer, except
   where nothing tells the end of that: then until the device closes. */
static void events_in_graphs(void **state)
{
    (void)state;
    for (int how = 0; how < HOWS; how++) {
        const bool lasts = how == SET || how == WITHOUT_OBJECTS;
        const bool waits = how == BY_CAPTURED_WAIT || how == ADDED_WAIT;
        sf_node_desc desc = { .type = waits ? SF_NODE_EVENT_WAIT : SF_NODE_EVENT_RECORD };
        sf_node_desc child = { .type = SF_NODE_CHILD };
        sf_graph *graph = NULL, *other = NULL;
        sf_graph_exec *exec = NULL;
        sf_graph_node *node = NULL;
        sf_event *e = NULL, *own = NULL, *more = NULL;
        test_heap heap = { 0 };
        sf_device *device;
        sf_stream *s;
        fake_event *native;
        fake_reset();
        if (how == WITHOUT_OBJECTS) { fake.missing = "cuUserObjectCreate"; }
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, &heap, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_event_create(device, 0, &e));
        CHECK_OK(sf_event_create(device, 0, &own));
        native = (fake_event *)sf_event_native(e);
        if (how <= BY_CAPTURED_WAIT) {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
            CHECK_OK(waits ? sf_stream_wait_event(s, e, SF_EVENT_WAIT_EXTERNAL)
                           : sf_event_record(e, s, SF_EVENT_RECORD_EXTERNAL));
            CHECK_OK(sf_stream_end_capture(s, &graph));
        } else {
            desc.event = how == UPDATED || how == SET ? own : e;
            CHECK_OK(sf_graph_create(device, &graph));
            CHECK_OK(sf_graph_add_node(graph, NULL, 0, &desc, &node));
        }
        child.child = graph;
        if (how == CLONED) { CHECK_OK(sf_graph_clone(graph, &other)); }
        if (how == IN_CHILD) {
            CHECK_OK(sf_graph_create(device, &other));
            CHECK_OK(sf_graph_add_node(other, NULL, 0, &child, NULL));
        }
        if (other) {                         /* only the copy lives on */
            CHECK_OK(sf_graph_destroy(graph));
            graph = other, other = NULL;
        }
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        desc.event = e;
        if (how == UPDATED) {
            CHECK_OK(sf_graph_create(device, &other));
            CHECK_OK(sf_graph_add_node(other, NULL, 0, &desc, NULL));
            CHECK_OK(sf_graph_exec_update(exec, other));
            CHECK_OK(sf_graph_destroy(other));
        }
        if (how == SET) { CHECK_OK(sf_graph_exec_set_node(exec, node, &desc)); }
        CHECK_OK(sf_event_destroy(e));
        CHECK_IS(sf_event_destroy(e), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_query(e), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_event_record(e, s, 0), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_wait_event(s, e, 0), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_graph_add_node(graph, NULL, 0, &desc, NULL), SF_ERROR_INVALID_HANDLE);
        CHECK(!sf_event_native(e));
        CHECK_OK(sf_event_create(device, 0, &more));
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_EQUAL(native->recorded, !waits);
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_EQUAL(fake.events, 3);
        fake.flies = how == ADDED;
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_EQUAL(fake.events, lasts || how == ADDED ? 3 : 2);
        if (how == ADDED) { fake_land(); }
        CHECK_OK(sf_event_destroy(more));
        CHECK_EQUAL(fake.events, lasts ? 2 : 1);
        test_close(device);
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}
/* An event that a capture has recorded lives until that is over. One that a graph never named goes at once. */
static void events_of_captures(void **state)
{
    sf_device *device;
    sf_stream *s, *t;
    sf_event *e[2];
    sf_graph *graph = NULL;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &t));
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_event_create(device, 0, &e[i])); }
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_event_record(e[0], s, 0));
    CHECK_OK(sf_stream_wait_event(t, e[0], 0));
    CHECK_OK(sf_event_record(e[1], t, 0));
    CHECK_OK(sf_stream_wait_event(s, e[1], 0));
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_event_destroy(e[i])); }
    CHECK_IS(sf_stream_wait_event(t, e[0], 0), SF_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(fake.events, 2);
    CHECK_OK(sf_stream_end_capture(s, &graph));
    CHECK_OK(sf_event_create(device, 0, &e[0]));
    CHECK_EQUAL(fake.events, 1);
    CHECK_OK(sf_event_destroy(e[0]));
    CHECK_EQUAL(fake.events, 0);
    CHECK_OK(sf_graph_destroy(graph));
    test_close(device);
    check_nothing_is_left();
}
/* Its context stays, too, when its device is closed. */
static void events_that_another_device_waits_for(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {   /* which of the two is closed last */
        sf_node_desc wait = { .type = SF_NODE_EVENT_WAIT };
        sf_device *device, *other;
        test_heap heap = { 0 };
        sf_graph *graph;
        sf_graph_exec *exec;
        sf_stream *s;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, &heap, &device));
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 1, NULL, &heap, &other));
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sf_event_create(other, 0, &wait.event));
        CHECK_OK(sf_graph_create(device, &graph));
        CHECK_OK(sf_graph_add_node(graph, NULL, 0, &wait, NULL));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_OK(sf_event_destroy(wait.event));
        if (!last) {
            test_close(other);
            CHECK_EQUAL(fake.retained[1], 1);
            CHECK_EQUAL(fake.events, 1);
        }
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_OK(sf_graph_exec_destroy(exec));
        test_close(device);
        if (last) { test_close(other); }
        CHECK_EQUAL(fake.retained[1], !last);
        CHECK_EQUAL(fake.events, !last);     /* the context frees it, at the end of the process */
        fake.retained[1] = 0, fake.events = 0;
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}
/* A module stays loaded as long as graphs have its functions. */
static void modules_in_graphs(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {      /* captured; added; the same function set; another one set */
        sf_node_desc desc = { .type = SF_NODE_KERNEL };
        sf_module *module[3];
        sf_function *store[2];
        uint32_t *dev, value = 5;
        void *params[] = { &dev, &value };
        test_heap heap = { 0 };
        sf_graph *graph = NULL;
        sf_graph_exec *exec = NULL;
        sf_graph_node *node = NULL;
        sf_device *device;
        sf_stream *s;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, &heap, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
        for (int i = 0; i < 2; i++) {
            CHECK_OK(sf_module_load(device, i ? "fake steer" : "fake store", 10, how ? 0 : SF_MODULE_SHARED,
                                    &module[i]));
            CHECK_OK(sf_module_get_function(module[i], i ? "steer" : "store", &store[i]));
        }
        desc.function.func = store[0], desc.function.params = params;
        if (how == 0) {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
            for (int i = 0; i < 40; i++) { CHECK_OK(sf_launch_kernel(s, store[0], NULL, params)); }
            CHECK_EQUAL(fake.objects, 1);    /* one for all */
            CHECK_OK(sf_stream_end_capture(s, &graph));
        } else {
            CHECK_OK(sf_graph_create(device, &graph));
            CHECK_OK(sf_graph_add_node(graph, NULL, 0, &desc, &node));
        }
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        if (how == 2) { CHECK_OK(sf_graph_exec_set_node(exec, node, &desc)); }
        if (how == 3) {
            unsigned long long none = 0;
            void *handle[] = { &none, &value };
            sf_node_desc steer = { .type = SF_NODE_KERNEL, .function = { .func = store[1], .params = handle } };
            CHECK_OK(sf_graph_exec_set_node(exec, node, &steer));
            CHECK_OK(sf_graph_exec_set_node(exec, node, &desc));
        }
        CHECK_OK(sf_graph_destroy(graph));
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_module_unload(module[i])); }
        CHECK_IS(sf_module_unload(module[0]), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_launch_kernel(s, store[0], NULL, params), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_module_get_function(module[0], "store", &store[0]), SF_ERROR_INVALID_HANDLE);
        CHECK_EQUAL(fake.modules, how == 3 ? 2 : 1);
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_EQUAL(dev[0], 5);
        CHECK_OK(sf_module_load(device, "fake store", 10, how ? 0 : SF_MODULE_SHARED, &module[2]));
        CHECK_EQUAL(fake.modules, how == 3 ? 3 : 2);         /* another one: that has ended */
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_module_unload(module[2]));
        CHECK_EQUAL(fake.modules, how == 3);                 /* what an executable was given stays until the close */
        test_close(device);
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}

/* -- the mirror of the driver's graph -- */

static void nodes_and_edges(void **state)
{
    static const sf_node_type types[] = { SF_NODE_KERNEL, SF_NODE_MEMSET, SF_NODE_KERNEL, SF_NODE_HOST,
                                          SF_NODE_BATCH_MEM_OP, SF_NODE_KERNEL };
    sf_device *device;
    sf_stream *s, *t;
    sf_event *e;
    sf_graph *graph, *clone = NULL;
    sf_graph_node *nodes[8], *added;
    sf_dependency after[8];
    sf_capture_info info;
    sf_node_type type;
    uint32_t *dev, calls = 0;
    mix_args a = { .n = 1, .add = 1 };
    sf_node_desc empty = { .type = SF_NODE_EMPTY };
    sf_node_desc kernel = { .type = SF_NODE_KERNEL, .kernel = { &add_kernel, &a, sizeof a } };
    int count;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &t));
    CHECK_OK(sf_event_create(device, 0, &e));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
    a.dst = dev;
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
    CHECK_OK(sf_stream_get_capture_info(s, &info, NULL, 0));
    CHECK(info.dependencies == 0 && info.status == SF_CAPTURE_ACTIVE && info.id);
    graph = info.graph;                      /* lent: the same one comes of the end */
    CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));       /* 0 */
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_stream_wait_event(t, e, 0));
    CHECK_OK(sf_memset_async(t, dev, 0, 4));                 /* 1, after 0 */
    CHECK_OK(sf_event_record(e, t, 0));
    CHECK_OK(sf_stream_get_capture_info(t, &info, after, 1));
    CHECK(info.dependencies == 1 && info.graph == graph);
    after[0].type = SF_DEPENDENCY_FULL;
    CHECK_OK(sf_stream_get_capture_info(s, &info, after, 1));
    after[0].type = SF_DEPENDENCY_PROGRAMMATIC;
    CHECK_OK(sf_stream_update_capture_dependencies(s, after, 1, SF_CAPTURE_SET_DEPENDENCIES));
    CHECK_OK(sf_stream_get_capture_info(s, &info, after, 1));
    CHECK(info.dependencies == 1 && after[0].type == SF_DEPENDENCY_PROGRAMMATIC);
    CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));       /* 2, after 0: at its trigger */
    CHECK_OK(sf_stream_wait_event(s, e, 0));
    CHECK_OK(sf_stream_get_capture_info(s, &info, after, 1));        /* room for one of two */
    CHECK_EQUAL(info.dependencies, 2);
    CHECK_OK(sf_launch_host_func(s, count_func, &calls));    /* 3, after 2 and 1 */
    CHECK_OK(sf_stream_write_value(s, dev, 4, 1, 0));         /* 4, after 3 */
    CHECK_OK(sf_stream_end_capture(s, &graph));
    CHECK(graph == info.graph);
    after[0] = (sf_dependency){ NULL, SF_DEPENDENCY_FULL };
    CHECK_OK(sf_graph_get_nodes(graph, nodes, 8, &count));
    CHECK_EQUAL(count, 5);
    after[0] = (sf_dependency){ nodes[2], SF_DEPENDENCY_LAUNCH_ORDER };
    after[1] = (sf_dependency){ nodes[4], SF_DEPENDENCY_FULL };
    CHECK_IS(sf_graph_add_node(graph, after, 2, &empty, NULL), SF_ERROR_INVALID_VALUE);  /* between kernels only */
    CHECK_OK(sf_graph_add_node(graph, after, 2, &kernel, &added));   /* 5 */
    CHECK_OK(sf_graph_get_nodes(graph, nodes, 8, &count));
    CHECK_EQUAL(count, 6);
    CHECK(nodes[5] == added);
    for (int copied = 0; copied < 2; copied++) {             /* the copy gets a node before it is looked at */
        for (int i = 0; i < 6; i++) {
            static const struct { int n, of[2]; sf_dependency_type type[2]; } expected[] = {
                { 0, { 0 }, { SF_DEPENDENCY_FULL } }, { 1, { 0 }, { SF_DEPENDENCY_FULL } },
                    { 1, { 0 }, { SF_DEPENDENCY_PROGRAMMATIC } },
                { 2, { 2, 1 }, { SF_DEPENDENCY_FULL } }, { 1, { 3 }, { SF_DEPENDENCY_FULL } },
                { 2, { 2, 4 }, { SF_DEPENDENCY_LAUNCH_ORDER, SF_DEPENDENCY_FULL } },
            };
            int n = -1;
            CHECK_OK(sf_graph_node_get_type(nodes[i], &type));
            CHECK_EQUAL(type, types[i]);
            CHECK_OK(sf_graph_node_get_dependencies(nodes[i], after, 8, &n));
            CHECK_EQUAL(n, expected[i].n);
            for (int k = 0; k < n; k++) {
                CHECK(after[k].node == nodes[expected[i].of[k]]);
                CHECK_EQUAL(after[k].type, expected[i].type[k]);
            }
        }
        if (copied) { break; }
        CHECK_OK(sf_graph_clone(graph, &clone));
        CHECK_OK(sf_graph_destroy(graph));
        graph = clone;
        CHECK_OK(sf_graph_add_node(graph, NULL, 0, &empty, &added));
        CHECK_OK(sf_graph_get_nodes(graph, nodes, 8, &count));
        CHECK_EQUAL(count, 7);
        CHECK(nodes[6] == added);
    }
    CHECK_OK(sf_graph_destroy(graph));
    test_close(device);
    check_nothing_is_left();
}
/* Launchers are captured: several kernels, none, and those that fail half way. A node that could not be added has
   left nothing in the graph. */
/* In a loop one conditional comes after the other, in an order that fits the edges; nowhere else. */
static void conditionals_in_order(void **state)
{
    enum { CONDITIONALS = 3 };
    (void)state;
    for (int way = 0; way < 4; way++) {      /* a loop or not; there, or one body further in */
        sf_device *device;
        sf_graph *graph, *body = NULL, *arm = NULL;
        sf_graph_exec *exec = NULL;
        sf_graph_node *n[CONDITIONALS];
        sf_dependency first = { NULL, SF_DEPENDENCY_FULL };
        sf_node_desc d = { .type = SF_NODE_CONDITIONAL };
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_graph_create(device, &graph));
        for (int depth = 0; depth <= way / 2; depth++) {
            d.conditional.type = depth || way % 2 ? SF_GRAPH_IF : SF_GRAPH_WHILE;
            d.conditional.bodies = 1, d.conditional.body = &arm;
            CHECK_OK(sf_graph_conditional_create(graph, 1, true, &d.conditional.handle));
            CHECK_OK(sf_graph_add_node(body ? body : graph, NULL, 0, &d, NULL));
            body = arm;
        }
        d.conditional.type = SF_GRAPH_IF;
        for (int i = 0; i < CONDITIONALS; i++) {
            CHECK_OK(sf_graph_conditional_create(graph, 1, true, &d.conditional.handle));
            CHECK_OK(sf_graph_add_node(body, NULL, 0, &d, &n[i]));
        }
        first.node = n[2];
        CHECK_OK(sf_graph_add_dependencies(body, n[0], &first, 1));          /* against the order of their numbers */
        CHECK_EQUAL(*fake_count("cuGraphAddDependencies_v2"), 1);
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_EQUAL(*fake_count("cuGraphAddDependencies_v2"), 2 - way % 2);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));     /* by now they are in order */
        CHECK_EQUAL(*fake_count("cuGraphAddDependencies_v2"), 2 - way % 2);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_OK(sf_device_close(device, GUARD));
        check_nothing_is_left();
    }
}
static void launchers_as_nodes(void **state)
{
    static const struct { const sf_kernel *kernel; sf_result expected; uint32_t runs; } cases[] = {
        { &add_kernel, SF_OK, 1 }, { &twice, SF_OK, 2 }, { &nothing_kernel, SF_ERROR_INVALID_VALUE, 0 },
        { &wrong_kernel, (sf_result)-98, 0 }, { &library_kernel, (sf_result)(SF_ERROR_USER - 2), 0 }, { &late_kernel, (sf_result)-98, 0 },
        { &sync_kernel, SF_ERROR_CAPTURE_INVALIDATED, 0 }, { &bodiless, SF_ERROR_NOT_SUPPORTED, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int where = 0; where < 4; where++) {            /* a graph or a body; as a root or behind a node */
            sf_device *device;
            sf_stream *s;
            sf_graph *graph, *into = NULL;
            sf_graph_node *node = NULL, *before = NULL, *nodes[8];
            sf_graph_exec *exec;
            sf_dependency d;
            uint32_t *dev;
            mix_args a = { .n = 1, .add = 1 };
            sf_node_desc desc = { .type = SF_NODE_KERNEL, .kernel = { cases[i].kernel, &a, sizeof a } };
            sf_node_desc empty = { .type = SF_NODE_EMPTY };
            int count, n;
            fake_reset();
            CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
            CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
            dev[0] = 0, a.dst = dev;
            graph = make_body(device, &into);
            if (!(where & 1)) {
                CHECK_OK(sf_graph_destroy(graph));
                CHECK_OK(sf_graph_create(device, &graph));
                into = graph;
            }
            if (where & 2) { CHECK_OK(sf_graph_add_node(into, NULL, 0, &empty, &before)); }
            d = (sf_dependency){ before, SF_DEPENDENCY_FULL };
            CHECK_IS(sf_graph_add_node(into, before ? &d : NULL, before ? 1 : 0, &desc, &node), cases[i].expected);
            a.add = 50;                      /* it has its copy */
            CHECK_EQUAL(node != NULL, cases[i].expected == SF_OK);
            if (cases[i].expected < 0) { CHECK(strstr(sf_device_failure(device)->text, cases[i].kernel->name)); }
            CHECK_OK(sf_graph_get_nodes(into, nodes, 8, &count));
            if (node) {
                CHECK(nodes[count - 1] == node);
                if (count == (before ? 2 : 1)) {
                    CHECK_OK(sf_graph_node_get_dependencies(node, &d, 1, &n));
                    CHECK_EQUAL(n, before != NULL);
                    if (n) { CHECK(d.node == before); }
                }
                if (cases[i].runs == 1) { CHECK_EQUAL(((fake_node *)node->native)->attribute, 77); }
            } else if (count != (before ? 1 : 0)) {
                fail_msg("%s, %d: %d nodes", cases[i].kernel->name, where, count);
            }
            CHECK_EQUAL(dev[0], 0);          /* nothing ran yet */
            CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
            CHECK_OK(sf_graph_launch(exec, s));
            CHECK_EQUAL(dev[0], cases[i].runs);
            test_close(device);
            check_nothing_is_left();
        }
    }
}
/* The driver's pool ends behind its last block, however that goes. */
static void a_pool_lives_as_long_as_its_blocks(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {      /* the block is freed after the pool, by the close, before the pool */
        sf_device *device;
        sf_stream *s;
        sf_mem_pool *pool, *next;
        void *p = NULL;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &pool));
        CHECK_OK(sf_mem_alloc_async(s, pool, 64, &p));
        if (how == 2) { CHECK_OK(sf_mem_free_async(s, p)); }
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_EQUAL(fake.pools, how != 2);
        CHECK_IS(sf_mem_pool_trim(pool, 0), SF_ERROR_INVALID_HANDLE);
        if (how == 0) {
            CHECK_OK(sf_mem_free_async(s, p));
            CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &next));
            CHECK_EQUAL(fake.pools, 1);
            CHECK_OK(sf_mem_pool_destroy(next));
            CHECK_EQUAL(fake.pools, 0);
        }
        test_close(device);
        check_nothing_is_left();
    }
}
/* What a graph allocates and frees can be launched again and again, built or captured. */
static void memory_of_graphs(void **state)
{
    (void)state;
    for (int captured_one = 0; captured_one < 2; captured_one++) {
        sf_device *device;
        sf_stream *s;
        sf_graph *graph;
        sf_graph_exec *exec;
        uint32_t *p = NULL, *out;
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&out));
        if (captured_one) {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
            CHECK_OK(sf_mem_alloc_async(s, NULL, 64, (void **)&p));
            CHECK_OK(sf_memset_async(s, p, 4, 4));
            CHECK_OK(sf_memcpy_async(s, out, p, 4));
            CHECK_OK(sf_mem_free_async(s, p));
            CHECK_IS(sf_mem_free_async(s, p), SF_ERROR_INVALID_VALUE);
            CHECK_OK(sf_stream_end_capture(s, &graph));
        } else {
            sf_node_desc alloc = { .type = SF_NODE_MEM_ALLOC, .alloc = { NULL, 64, (void **)&p } };
            sf_node_desc fill = { .type = SF_NODE_MEMSET }, move = { .type = SF_NODE_MEMCPY };
            sf_node_desc give = { .type = SF_NODE_MEM_FREE };
            sf_dependency d = { NULL, SF_DEPENDENCY_FULL };
            sf_graph_node *node;
            CHECK_OK(sf_graph_create(device, &graph));
            CHECK_OK(sf_graph_add_node(graph, NULL, 0, &alloc, &node));
            fill.mem.dst = p, fill.mem.bytes = 4, fill.mem.value = 4;
            move.mem.dst = out, move.mem.src = p, move.mem.bytes = 4, give.free = p;
            d.node = node;
            CHECK_OK(sf_graph_add_node(graph, &d, 1, &fill, &node));
            d.node = node;
            CHECK_OK(sf_graph_add_node(graph, &d, 1, &move, &node));
            d.node = node;
            CHECK_OK(sf_graph_add_node(graph, &d, 1, &give, &node));
            CHECK_IS(sf_graph_add_node(graph, &d, 1, &give, NULL), SF_ERROR_INVALID_VALUE);
        }
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        for (int i = 0; i < 3; i++) {
            out[0] = 0;
            CHECK_OK(sf_graph_launch(exec, s));
            CHECK_EQUAL(out[0], 0x04040404);
            CHECK_IS(sf_mem_free_async(s, p), SF_ERROR_INVALID_VALUE);       /* free it is */
        }
        if (captured_one) { CHECK_OK(sf_graph_destroy(graph)); }
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_OK(sf_graph_exec_destroy(exec));
        test_close(device);
        check_nothing_is_left();
    }
}
/* Memory that a graph allocated and nobody could free is still there to be freed. */
static void frees_that_fail(void **state)
{
    static const char *const frees[] = { "cuMemFreeAsync", "cuMemFree_v2" };
    (void)state;
    for (int of_graph = 0; of_graph < 2; of_graph++) {
        for (int with = 0; with < 2; with++) {
            sf_device *device;
            sf_stream *s;
            sf_graph *graph;
            sf_graph_exec *exec;
            void *p = NULL;
            sf_node_desc alloc = { .type = SF_NODE_MEM_ALLOC, .alloc = { NULL, 64, &p } };
            fake_reset();
            CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
            if (of_graph) {
                CHECK_OK(sf_graph_create(device, &graph));
                CHECK_OK(sf_graph_add_node(graph, NULL, 0, &alloc, NULL));
                CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
                CHECK_OK(sf_graph_launch(exec, s));
            } else {
                CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, &p));
            }
            fake.fail = frees[with], fake.fail_at = 1, fake.code = 2;
            CHECK_IS(with ? sf_mem_free(device, p) : sf_mem_free_async(s, p), SF_ERROR_OUT_OF_MEMORY);
            if (of_graph) { CHECK_IS(sf_graph_launch(exec, s), SF_ERROR_INVALID_VALUE); }    /* still in use */
            CHECK_OK(with ? sf_mem_free(device, p) : sf_mem_free_async(s, p));
            CHECK_IS(with ? sf_mem_free(device, p) : sf_mem_free_async(s, p), SF_ERROR_INVALID_VALUE);
            if (of_graph) { CHECK_OK(sf_graph_launch(exec, s)); }
            test_close(device);
            check_nothing_is_left();
        }
    }
}

/* -- what is refused before the driver sees it -- */

static void nothing_reaches_the_driver(void **state)
{
    sf_device *device;
    sf_stream *s;
    sf_event *e;
    sf_graph *graph, *body;
    sf_graph_node *n[3];
    sf_graph_exec *exec;
    sf_graph_conditional handle;
    sf_dependency d = { NULL, SF_DEPENDENCY_FULL };
    uint32_t *managed, *dev, word, calls = 0;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
    CHECK_OK(sf_event_create(device, 0, &e));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_MANAGED, (void **)&managed));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
    for (uint32_t flags = 0; flags < 16; flags++) {          /* 0 crashes the driver */
        bool fine = flags == SF_ATTACH_GLOBAL || flags == SF_ATTACH_HOST || flags == SF_ATTACH_SINGLE;
        CHECK_IS(sf_stream_attach_mem_async(s, managed, 0, flags), fine ? SF_OK : SF_ERROR_INVALID_VALUE);
    }
    CHECK_IS(sf_stream_attach_mem_async(s, NULL, 0, SF_ATTACH_SINGLE), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_attach_mem_async(s, dev, 0, SF_ATTACH_SINGLE), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_attach_mem_async(s, managed + 1, 0, SF_ATTACH_SINGLE), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_attach_mem_async(s, managed, 32, SF_ATTACH_SINGLE), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_attach_mem_async(sf_stream_legacy(device), managed, 0, SF_ATTACH_SINGLE),
             SF_ERROR_INVALID_VALUE);
    CHECK_EQUAL(*fake_count("cuStreamAttachMemAsync"), 3);
    CHECK_IS(sf_stream_write_value(s, NULL, 4, 0, 0), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_write_value(s, (char *)dev + 4, 8, 0, 0), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_wait_value(s, dev, 4, 0, 4), SF_ERROR_INVALID_VALUE);
    CHECK_EQUAL(*fake_count("cuStreamWriteValue32_v2") + *fake_count("cuStreamWriteValue64_v2"), 0);
    CHECK_EQUAL(*fake_count("cuStreamWaitValue32_v2"), 0);
    for (int i = 0; i < 8; i++) {            /* a cycle, an unused handle, and what bodies must not hold */
        sf_node_desc in_body = { .name = "the culprit" };
        const char *word_of[] = { "cycle", "handle", "host", "event", "event", "memory", "pageable", "value" };
        void *taken;
        CHECK_OK(sf_graph_create(device, &graph));
        if (i == 0) {
            for (int k = 0; k < 3; k++) {
                CHECK_OK(sf_graph_add_node(graph, NULL, 0, &(sf_node_desc){ .name = "the culprit" }, &n[k]));
                if (k) { CHECK_OK(sf_graph_add_dependencies(graph, n[k], &d, 1)); }
                d.node = n[k];
            }
            CHECK_OK(sf_graph_add_dependencies(graph, n[0], &d, 1));
        } else {
            CHECK_OK(sf_graph_conditional_create(graph, 0, true, &handle));
        }
        if (i > 1) {
            sf_node_desc branch = { .type = SF_NODE_CONDITIONAL,
                                    .conditional = { handle, SF_GRAPH_WHILE, 1, &body } };
            CHECK_OK(sf_graph_add_node(graph, NULL, 0, &branch, NULL));
            in_body.type = i == 2   ? SF_NODE_HOST
                           : i == 3 ? SF_NODE_EVENT_RECORD
                           : i == 4 ? SF_NODE_EVENT_WAIT
                           : i == 5 ? SF_NODE_MEM_ALLOC
                                    : SF_NODE_MEMCPY;
            in_body.host.func = count_func, in_body.host.user = &calls;
            in_body.event = e;
            in_body.alloc.bytes = 64, in_body.alloc.ptr = &taken;
            in_body.mem.dst = dev, in_body.mem.src = &word, in_body.mem.bytes = 4;
            if (i == 7) {
                CHECK_OK(sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_GLOBAL));
                CHECK_OK(sf_stream_write_value(s, dev, 4, 1, 0));
                CHECK_OK(sf_stream_end_capture(s, NULL));
            } else {
                CHECK_OK(sf_graph_add_node(body, NULL, 0, &in_body, NULL));
            }
        }
        CHECK_IS(sf_graph_instantiate(graph, 0, &exec), SF_ERROR_INVALID_VALUE);
        CHECK(!exec);
        if (!strstr(sf_device_failure(device)->text, word_of[i]) ||
            (i != 1 && i != 7 && !strstr(sf_device_failure(device)->text, "the culprit"))) {
            fail_msg("%s: %s", word_of[i], sf_device_failure(device)->text);
        }
        CHECK_EQUAL(*fake_count("cuGraphInstantiateWithFlags"), 0);
        CHECK_OK(sf_graph_destroy(graph));
    }
    test_close(device);
    check_nothing_is_left();
}

/* -- modules -- */

static void nodes_of_another_backend(void **state)           /* what a host device cannot run, or wait for */
{
    sf_device *gpu, *host;
    sf_stream *s;
    sf_module *module;
    sf_function *store;
    sf_event *e;
    sf_graph *graph, *there;
    sf_graph_node *node;
    sf_graph_exec *exec;
    uint32_t word = 0;
    mix_args mix = { .dst = &word, .n = 1, .mul = 1, .add = 1 };
    sf_node_desc wait = { .type = SF_NODE_EVENT_WAIT }, function = { .type = SF_NODE_KERNEL },
                 kernel = { .type = SF_NODE_KERNEL, .kernel = { &mix_kernel, &mix, sizeof mix } };
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &gpu));
    CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST }, &host));
    CHECK_OK(sf_stream_create(gpu, NULL, &s));
    CHECK_OK(sf_event_create(gpu, 0, &e));
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_module_load(gpu, "fake store", 10, 0, &module));
    CHECK_OK(sf_module_get_function(module, "store", &store));
    CHECK_OK(sf_graph_create(host, &graph));
    wait.event = e, function.function.func = store;
    CHECK_IS(sf_graph_add_node(graph, NULL, 0, &wait, &node), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_graph_add_node(graph, NULL, 0, &function, &node), SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_device_failure(host)->text, "function"));
    CHECK_IS(sf_stream_wait_stream(s, sf_stream_legacy(host)), SF_ERROR_INVALID_HANDLE);
    CHECK(!strcmp(sf_device_failure(host)->call, "sf_stream_wait_stream"));
    CHECK(!strcmp(sf_device_failure(gpu)->call, "sf_stream_wait_stream"));
    CHECK_IS(sf_stream_join(sf_stream_legacy(host), s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_take_failure(s), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_stream_take_failure(s));
    CHECK_OK(sf_graph_add_node(graph, NULL, 0, &kernel, &node));
    CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
    CHECK_IS(sf_graph_exec_set_node(exec, node, &function), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_graph_launch(exec, sf_stream_legacy(host)));
    CHECK_OK(sf_device_synchronize(host, GUARD));
    CHECK_EQUAL(word, 1);
    CHECK_OK(sf_event_destroy(e));
    CHECK_OK(sf_event_create(host, 0, &e));
    CHECK_OK(sf_graph_create(gpu, &there));
    wait.event = e;
    CHECK_IS(sf_graph_add_node(there, NULL, 0, &wait, &node), SF_ERROR_INVALID_HANDLE);
    test_close(host);
    test_close(gpu);
    check_nothing_is_left();
}
static void modules_and_launches(void **state)
{
    sf_device *device;
    sf_stream *s;
    sf_module *module;
    sf_function *store, *none;
    uint32_t *dev, value = 5;
    void *params[] = { &dev, &value };
    (void)state;
    fake_reset();
    fake_stored = 0;
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
    CHECK_IS(sf_module_load(device, "no image", 9, 0, &module), (sf_result)-200);
    CHECK(!module);
    CHECK_OK(sf_module_load(device, "fake store", 10, 0, &module));     /* without a zero at its end: one is added */
    CHECK(!strcmp(((fake_module *)module->native)->image, "fake store"));
    CHECK_IS(sf_module_get_function(module, "blur", &none), (sf_result)-500);
    CHECK(!none);
    CHECK(strstr(sf_device_failure(device)->text, "blur"));
    CHECK_OK(sf_module_get_function(module, "store", &store));
    CHECK_OK(sf_launch_kernel(s, store, NULL, params));
    CHECK_EQUAL(dev[0], 5);
    for (int i = 0; i < 3; i++) { CHECK(fake.last_launch.grid[i] == 1 && fake.last_launch.block[i] == 1); }
    CHECK(fake.last_launch.stream == sf_stream_native(s) && fake.last_launch.attribute_count == 0);
    value = 6;
    CHECK_OK(sf_launch_kernel(sf_stream_legacy(device), store, &(sf_grid){ { 4, 2 }, { 32 }, 1024, true }, params));
    CHECK_EQUAL(dev[0], 6);
    CHECK(fake.last_launch.grid[0] == 4 && fake.last_launch.grid[1] == 2 && fake.last_launch.grid[2] == 1);
    CHECK(fake.last_launch.block[0] == 32 && fake.last_launch.block[2] == 1 && fake.last_launch.shared_bytes == 1024);
    CHECK(fake.last_launch.stream == (void *)1 && fake.last_launch.attribute_count == 1);
    CHECK(fake.last_attribute.id == 6 && fake.last_attribute.u.value == 1);  /* programmatic stream serialization */
    CHECK_OK(sf_module_unload(module));
    CHECK_IS(sf_launch_kernel(s, store, NULL, params), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_function_preload(store), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_module_get_function(module, "store", &store), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_module_unload(module), SF_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(fake_stored, 2);
    CHECK(!fake_current());
    test_close(device);
    check_nothing_is_left();
}
static void what_a_pool_holds(void **state)
{
    sf_device *device;
    sf_stream *s;
    sf_mem_pool *pool;
    sf_mem_pool_info info;
    void *p;
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &pool));
    fake.last_pool->attributes[5] = 1 << 20, fake.last_pool->attributes[6] = (unsigned long long)5 << 32;
    CHECK_OK(sf_mem_alloc_async(s, pool, 100, &p));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK(info.used == 100 && info.used_high == 100);
    CHECK(info.reserved == 1 << 20 && info.reserved_high == (size_t)5 << 32);
    CHECK_OK(sf_mem_free_async(s, p));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK(info.used == 0 && info.used_high == 100);
    CHECK_OK(sf_mem_pool_destroy(pool));
    test_close(device);
    check_nothing_is_left();
}

/* Behind a submission a stream writes a word of the library's: the next future takes it again, with another value. */
static struct { uint32_t *word, value, writes; } late;
static int late_write(void *stream, sfi_cuda_ptr word, uint32_t value, unsigned flags)
{
    (void)stream, (void)flags;
    late.word = (uint32_t *)(uintptr_t)word, late.value = value, late.writes++;
    return 0;
}
static sf_proc late_resolve(const char *symbol, void *user)
{
    return !strcmp(symbol, "cuStreamWriteValue32_v2") ? (sf_proc)late_write : fake_resolve(symbol, user);
}
/* What lies in a captured graph that comes to nothing is dropped, and to free it is no failure, also where only the
   driver knows the capture. */
typedef struct lost { uint32_t drops; sf_result freed; } lost;
static sf_result lost_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count;
    return sf_mem_alloc_async(x->stream, NULL, 4096, &out->ptr);
}
static sf_result lost_fails(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)x, (void)in, (void)count, (void)out;
    return SF_ERROR_USER;
}
static void lost_drop(void *state, sf_value v, sf_stream *s)
{
    lost *l = (lost *)state;
    l->freed = sf_mem_free_async(s, v.ptr);
    l->drops++;
}
static void a_graph_that_comes_to_nothing(void **state)
{
    sf_device *device;
    lost l = { .freed = SF_ERROR_USER };
    (void)state;
    fake_reset();
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_IS(sf_lazy_sync(sf_lazy_graph(sf_lazy_then(
                 sf_lazy_do(device, &(sf_lazy_desc){ .run = lost_run, .state = &l, .drop_value = lost_drop }),
                 &(sf_lazy_desc){ .run = lost_fails })), NULL, GUARD, NULL), SF_ERROR_USER);
    CHECK_EQUAL(l.drops, 1);
    CHECK_OK(l.freed);
    CHECK_IS(sf_device_failure(device)->result, SF_ERROR_USER);
    test_close(device);
    check_nothing_is_left();
}
static void words_of_futures(void **state)
{
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = late_resolve };
    sf_device *device;
    sf_future *f;
    uint32_t *word = NULL;
    (void)state;
    fake_reset();
    memset(&late, 0, sizeof late);
    CHECK_OK(sf_device_open(&desc, &device));
    for (uint32_t i = 0; i < 3; i++) {
        sf_value value = { .u64 = i + 7 };
        CHECK_OK(sf_lazy_schedule(sf_lazy_value(device, value), NULL, &f));
        CHECK_EQUAL(late.writes, i);
        CHECK_IS(sf_future_poll(f), SF_NOT_READY);
        CHECK_EQUAL(late.writes, i + 1);
        CHECK(!word || late.word == word);
        word = late.word;
        CHECK_IS(sf_future_wait(f, SF_MS(1)), SF_TIMEOUT);
        test_store(word, late.value);
        CHECK_OK(sf_future_poll(f));
        CHECK_OK(sf_future_take(f, &value, 1));
        CHECK_EQUAL(value.u64, i + 7);
        sf_future_drop(f);
    }
    CHECK_OK(sf_lazy_schedule(sf_lazy_value(device, (sf_value){ .u64 = 1 }), NULL, &f));
    CHECK_IS(sf_future_poll(f), SF_NOT_READY);
    fake.fail = "cuStreamQuery", fake.fail_at = 1, fake.code = 719;
    CHECK_IS(sf_future_wait(f, GUARD), SF_ERROR_LAUNCH_FAILED);      /* the word is never written: a query tells */
    sf_future_drop(f);
    CHECK_IS(sf_device_close(device, SF_FOREVER), SF_ERROR_LAUNCH_FAILED);
}

/* What futures left behind is freed by the close, which says so if the driver would not. */
static void a_close_that_cannot_free(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        sf_device *device;
        sf_value value = { .u64 = 3 };
        fake_reset();
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_lazy_sync(sf_lazy_value(device, value), NULL, GUARD, &value));
        fake.fail = "cuMemFreeHost", fake.fail_at = 1, fake.code = with ? 2 : 0;
        CHECK_IS(sf_device_close(device, SF_FOREVER), with ? SF_ERROR_OUT_OF_MEMORY : SF_OK);
        CHECK(!with || fake.calls_of_fail);
    }
}

/* -- a region, on the driver's side -- */

enum { REGION_TURNS = 14, REGION_WORDS = 16 };
typedef enum region_way { AS_IT_IS, MORE_LAUNCHES, NO_LAUNCH_BESIDE, PASSED_ON, NO_LAUNCH, REGION_WAYS } region_way;
static region_way region_way_now;
static uint32_t region_results[REGION_TURNS], region_scratch[2][REGION_WORDS];

static void region_add_body(void **params)
{
    const mix_args *a = (const mix_args *)params[0];
    for (uint32_t i = 0; i < a->n; i++) { a->dst[i] = (a->src ? a->src[i] : 0) + a->add; }
}
static fake_function region_add = { FAKE_FUNCTION_MAGIC, "region_add", region_add_body, { sizeof(mix_args) }, 77 };
static int region_add_cuda(void *stream, const void *args)   /* as many launches as .mul says, each adds one more */
{
    mix_args a = *(const mix_args *)args;
    void *params[] = { &a };
    int r = 0;
    for (uint32_t i = 0; i < a.mul && !r; i++, a.src = a.dst, a.add = 1) {
        r = fake_launch(stream, &region_add, params);
    }
    return r;
}
static const sf_kernel region_kernel = { .name = "region_add", .cuda = region_add_cuda };
static void region_go(sf_stream *s, void *dst, const void *src, uint32_t more, uint32_t launches)
{
    mix_args a = { .dst = dst, .src = src, .n = REGION_WORDS, .mul = launches, .add = more };
    (void)sf_launch(s, &region_kernel, &a, sizeof a);        /* one that fails, fails the compute */
}
static sf_result region_source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    region_go(sf_compute_stream(ctx), t->data, NULL, (uint32_t)ctx->run, 1);
    return sf_emit(ctx, 0, t);
}
static sf_result region_side(sf_context *ctx)
{
    (void)sf_receive(ctx, 0);
    region_go(sf_compute_stream(ctx), region_scratch[1], NULL, 0, region_way_now == NO_LAUNCH_BESIDE ? 0 : 1);
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = 5 });
}
static sf_result region_first(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *t = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    if (region_way_now == NO_LAUNCH_BESIDE) { region_go(s, region_scratch, NULL, 0, 0); }
    if (region_way_now == PASSED_ON && ctx->run % 2) { return sf_emit(ctx, 0, in); }
    region_go(s, t->data, in->data, 100, region_way_now == MORE_LAUNCHES ? 1 + (uint32_t)(ctx->run % 3) : 1);
    return sf_emit(ctx, 0, t);
}
static sf_result region_second(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *t;
    uint32_t more = (uint32_t)sf_receive_value(ctx, 1).u64;
    sf_stream *s = sf_compute_stream(ctx);
    if (region_way_now == NO_LAUNCH) {
        region_go(s, region_scratch, NULL, 0, 0);
        return sf_emit(ctx, 0, in);
    }
    t = sf_tensor_create(ctx, 0, NULL);
    (void)sf_memset_async(s, t->data, 0, 8);
    (void)sf_memcpy_async(s, t->data, in->data, REGION_WORDS * 4);
    (void)sf_memcpy_2d_async(s, t->data, 16, in->data, 16, 16, 2 + ctx->run % 3);
    region_go(s, t->data, t->data, more, 1);
    return sf_emit(ctx, 0, t);
}
static sf_result region_sink(sf_context *ctx)
{
    const sf_tensor *in = sf_receive(ctx, 0);
    return sf_memcpy_async(sf_compute_stream(ctx), &region_results[ctx->run], in->data, 4);
}
static uint32_t region_wants(uint32_t turn)
{
    uint32_t v = turn;
    if (region_way_now != PASSED_ON || turn % 2 == 0) {
        v += 100 + (region_way_now == MORE_LAUNCHES ? turn % 3 : 0);
    }
    return region_way_now == NO_LAUNCH ? v : v + 5;
}
/* From the opening of the device to its end: what the run says. */
static sf_result region_life(test_heap *heap)
{
    const size_t bytes = REGION_WORDS * 4;
    sf_device *device = NULL;
    sf_flow *f;
    sf_op source, side, first, second, sink;
    sf_result r = open_fake(SF_BACKEND_CUDA, 0, NULL, heap, &device);
    memset(region_results, 0xff, sizeof region_results);
    if (r < 0) { return r; }
    f = sf_flow_create(&(sf_flow_desc){ .device = device });
    source = sf_flow_add(f, &(sf_op_desc){ .compute = region_source, .count = REGION_TURNS,
                                      .out = {{ .name = "o", .bytes = bytes }} });
    side = sf_flow_add(f, &(sf_op_desc){ .compute = region_side, .region = 1, .in = {{ .name = "i" }},
                                    .out = {{ .name = "o" }} });
    first = sf_flow_add(f, &(sf_op_desc){ .compute = region_first, .region = 1, .in = {{ .name = "i" }},
                                     .out = {{ .name = "o", .bytes = bytes }} });
    second = sf_flow_add(f, &(sf_op_desc){ .compute = region_second, .region = 1,
                                      .in = {{ .name = "i" }, { .name = "k" }},
                                      .out = {{ .name = "o", .bytes = bytes }} });
    sink = sf_flow_add(f, &(sf_op_desc){ .compute = region_sink, .in = {{ .name = "i" }} });
    (void)sf_flow_connect(f, source, NULL, side, NULL, NULL), (void)sf_flow_connect(f, source, NULL, first, NULL,
            NULL);
    (void)sf_flow_connect(f, first, NULL, second, "i", NULL), (void)sf_flow_connect(f, side, NULL, second, "k", NULL);
    (void)sf_flow_connect(f, second, NULL, sink, NULL, NULL);
    r = sf_flow_run(f);
    (void)sf_flow_destroy(f);
    (void)sf_device_close(device, SF_MS(1000));
    return r;
}
static void check_region_results(const char *what)
{
    for (uint32_t k = 0; k < REGION_TURNS; k++) {
        if (region_results[k] != region_wants(k)) {
            fail_msg("%s, way %d, turn %u: %u, not %u", what, (int)region_way_now, k, region_results[k],
                     region_wants(k));
        }
    }
}
static void regions_on_the_driver(void **state)
{
    (void)state;
    for (region_way_now = AS_IT_IS; region_way_now < REGION_WAYS; region_way_now++) {
        test_heap heap = { 0 };
        fake_reset();
        CHECK_OK(region_life(&heap));
        check_region_results("all is well");
        CHECK_EQUAL(*fake_count("cuGraphLaunch"), REGION_TURNS);
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}
/* Each call of the driver's fails once: an error, or the right data all the same, and nothing is left. */
/* Under TSan each call fails with one of the codes, in turn. */
static size_t code_step(size_t codes) { return test_seeds() < 200 ? codes : 1; }
static size_t first_code(uint32_t at, size_t codes) { return at % code_step(codes); }
static void regions_on_a_driver_that_fails(void **state)
{
    static const int codes[] = { 2, 719, 910 };
    (void)state;
    for (size_t i = 0; i < SYMBOLS; i++) {
        uint32_t calls;
        region_way_now = MORE_LAUNCHES;
        fake_reset();
        CHECK_OK(region_life(NULL));
        calls = *fake_count(symbol_of(i));
        for (uint32_t at = 1; at <= calls; at += 1 + at / 8) {
            for (size_t c = first_code(at, COUNT(codes)); c < COUNT(codes); c += code_step(COUNT(codes))) {
                test_heap heap = { 0 };
                fake_reset();
                fake.fail = symbol_of(i), fake.fail_at = at, fake.code = codes[c];
                if (region_life(&heap) >= 0) { check_region_results(symbol_of(i)); }
                CHECK_EQUAL(fake.fatal, 0);
                if (heap.live) {
                    fail_msg("%s, call %u, code %d: %ld blocks are left", symbol_of(i), at, codes[c], heap.live);
                }
                if (codes[c] != 719 && strncmp(symbol_of(i), "cuDevicePrimaryCtx", 18) != 0 && what_is_left()[0]) {
                    fail_msg("%s, call %u, code %d: left: %s", symbol_of(i), at, codes[c], what_is_left());
                }
            }
        }
    }
}


/* -- flows over two GPUs -- */

enum { HOPS = 4 };
static uint32_t hop_results[HOPS];
static sf_result hop_source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    (void)sf_memset_async(sf_compute_stream(ctx), t->data, (uint8_t)(1 + ctx->run), 16);
    return sf_emit(ctx, 0, t);
}
static sf_result hop_sink(sf_context *ctx)
{
    const sf_tensor *in = sf_receive(ctx, 0);
    return sf_memcpy_async(sf_compute_stream(ctx), &hop_results[ctx->run], in->data, 4);
}
/* From the opening of both to their end: what the run says, and why. */
static sf_result hop_life(bool copy, bool async, test_heap *heap, char *why, size_t size)
{
    sf_device *d[2] = { NULL, NULL };
    sf_stream_pool *far = NULL;
    sf_mem_pool *pool = NULL;
    sf_flow *f = NULL;
    sf_result r = open_fake(SF_BACKEND_CUDA, 0, NULL, heap, &d[0]);
    memset(hop_results, 0, sizeof hop_results);
    if (why) { why[0] = 0; }
    if (r >= 0) { r = open_fake(SF_BACKEND_CUDA, 1, NULL, heap, &d[1]); }
    if (r >= 0) { r = sf_stream_pool_create(d[1], NULL, &far); }
    if (r >= 0 && async) { r = sf_mem_pool_create(d[0], &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &pool); }
    if (r >= 0) {
        sf_op a, b;
        f = sf_flow_create(&(sf_flow_desc){ .device = d[0] });
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = hop_source, .count = HOPS,
                                     .out = {{ .name = "o", .bytes = 16, .pool = pool }} });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = hop_sink, .streams = far,
                                          .in = {{ .name = "i" }} });
        (void)sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .copy = copy });
        r = sf_flow_run(f);
        if (why) { snprintf(why, size, "%s", sf_flow_failure(f)->text); }
    }
    if (f) { (void)sf_flow_destroy(f); }
    if (pool) { (void)sf_mem_pool_destroy(pool); }
    for (int i = 1; i >= 0; i--) {
        if (d[i]) { (void)sf_device_close(d[i], SF_MS(1000)); }
    }
    return r;
}
static void check_hops(const char *what)
{
    for (uint32_t k = 0; k < HOPS; k++) {
        if (hop_results[k] != 0x01010101 * (k + 1)) { fail_msg("%s: frame %u is %x", what, k, hop_results[k]); }
    }
}
static void hops_between_gpus(void **state)
{
    static const struct { const char *missing, *fail; bool no_peer; sf_result r; const char *why; } cases[] = {
        { NULL, NULL, false, SF_OK, "" },
        { NULL, NULL, true, SF_ERROR_PEER_UNSUPPORTED,
          "\"a\".o sends tensors that lie on device 0 (GPU 0), and \"b\".i is read on device 1 (GPU 1)" },
        { "cuDeviceCanAccessPeer", NULL, false, SF_ERROR_NOT_SUPPORTED, "has no cuDeviceCanAccessPeer" },
        { "cuCtxEnablePeerAccess", NULL, false, SF_ERROR_NOT_SUPPORTED, "has no cuCtxEnablePeerAccess" },
        { "cuMemPoolSetAccess", NULL, false, SF_ERROR_NOT_SUPPORTED, "has no cuMemPoolSetAccess" },
        { NULL, "cuDeviceCanAccessPeer", false, SF_ERROR_INVALID_DEVICE, "sf_edge_desc.copy" },
        { NULL, "cuCtxEnablePeerAccess", false, SF_ERROR_INVALID_DEVICE, "sf_edge_desc.copy" },
        { NULL, "cuMemPoolSetAccess", false, SF_ERROR_INVALID_DEVICE, "sf_edge_desc.copy" },
    };
    char why[512];
    (void)state;
    for (size_t i = 0; i < COUNT(cases) * 4; i++) {
        const size_t c = i / 4;
        const bool copy = i & 1, async = i & 2;
        test_heap heap = { 0 };
        sf_result r;
        fake_reset();
        fake.no_peer = cases[c].no_peer;
        fake.missing = cases[c].missing;
        fake.fail = cases[c].fail, fake.fail_at = 1, fake.code = 101;
        r = hop_life(copy, async, &heap, why, sizeof why);
        if (r != (copy ? SF_OK : cases[c].r) || (!copy && !strstr(why, cases[c].why))) {
            fail_msg("case %zu, copy %d: %d, %s", c, copy, (int)r, why);
        }
        if (r >= 0) { check_hops("all is well"); }
        CHECK_EQUAL(*fake_count("cuMemcpyPeerAsync"), copy ? HOPS : 0);
        if (copy) {
            CHECK(fake.peer_contexts[0] == &fake_contexts[1] && fake.peer_contexts[1] == &fake_contexts[0]);
        }
        if (!c) { CHECK_EQUAL(fake.peers[1], 1); }           /* also for copies: they are faster then */
        if (!c) { CHECK_EQUAL(*fake_count("cuCtxEnablePeerAccess"), 1); }    /* by the start, not for each message */
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
}
/* Tensors between a host device and a GPU: refused, with copies too, and values are not. */
static void hops_between_backends(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const bool copy = i & 1, values = i >= 4;
        sf_device *d[2];
        sf_stream_pool *far;
        sf_flow *f;
        sf_op a, b;
        sf_result want = values ? SF_OK : SF_ERROR_NOT_SUPPORTED;
        fake_reset();
        CHECK_OK(open_fake(i & 2 ? SF_BACKEND_CUDA : SF_BACKEND_HOST, 0, NULL, NULL, &d[0]));
        CHECK_OK(open_fake(i & 2 ? SF_BACKEND_HOST : SF_BACKEND_CUDA, 0, NULL, NULL, &d[1]));
        CHECK_OK(sf_stream_pool_create(d[1], NULL, &far));
        f = sf_flow_create(&(sf_flow_desc){ .device = d[0] });
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = hop_source, .count = HOPS,
                                     .out = {{ .name = "o", .bytes = values ? 0 : 16 }} });
        b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = hop_sink, .streams = far,
                                          .in = {{ .name = "i" }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .copy = copy && !values }));
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), want);
        if (!values && !strstr(sf_flow_failure(f)->text, "\"a\".o sends tensors to \"b\".i")) {
            fail_msg("%s", sf_flow_failure(f)->text);
        }
        CHECK_IS(sf_flow_destroy(f), SF_OK);           /* it has not run */
        CHECK_OK(sf_stream_pool_destroy(far));
        for (int k = 1; k >= 0; k--) { test_close(d[k]); }
        check_nothing_is_left();
    }
}
/* Each call of the driver's fails once: an error, or the right data all the same, and nothing is left. */
static void hops_on_a_driver_that_fails(void **state)
{
    static const int codes[] = { 2, 217, 719 };
    uint32_t runs = 0;
    (void)state;
    for (size_t i = 0; i < SYMBOLS * 4; i++) {
        const char *symbol = symbol_of(i / 4);
        uint32_t calls;
        fake_reset();
        CHECK_OK(hop_life(i & 1, i & 2, NULL, NULL, 0));
        calls = *fake_count(symbol);
        for (uint32_t at = 1; at <= calls; at += 1 + at / 8) {
            for (size_t c = first_code(at, COUNT(codes)); c < COUNT(codes); c += code_step(COUNT(codes))) {
                test_heap heap = { 0 };
                bool fault = codes[c] == 719;
                fake_reset();
                fake.fail = symbol, fake.fail_at = at, fake.code = codes[c];
                if (hop_life(i & 1, i & 2, &heap, NULL, 0) >= 0) { check_hops(symbol); }
                CHECK_EQUAL(fake.fatal, 0);
                if (heap.live) {
                    fail_msg("%s, call %u, code %d: %ld blocks are left", symbol, at, codes[c], heap.live);
                }
                if (!fault && strncmp(symbol, "cuDevicePrimaryCtx", 18) && what_is_left()[0]) {
                    fail_msg("%s, call %u, code %d: left: %s", symbol, at, codes[c], what_is_left());
                }
                runs++;
            }
        }
    }
    CHECK(runs > 500 / code_step(COUNT(codes)));
}

/* -- drivers of CUDA 13.0 to 13.5: what each has, and what is refused without it -- */

static const int versions[] = { 13000, 13010, 13020, 13030, 13040, 13050 };
typedef struct dot_text { char text[4096]; size_t bytes; } dot_text;
static void keep_text(void *user, const char *text, size_t bytes)
{
    dot_text *to = (dot_text *)user;
    if (to->bytes + bytes >= sizeof to->text) { abort(); }
    memcpy(to->text + to->bytes, text, bytes);
    to->text[to->bytes += bytes] = 0;
}
static sf_device *open_version(int version, sf_wait_policy wait)
{
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = fake_resolve, .wait = wait };
    sf_device *device;
    fake_reset();
    fake.version = version;
    CHECK_OK(sf_device_open(&desc, &device));
    return device;
}
static void atomics_from_13_1_on(void **state)
{
    (void)state;
    for (size_t v = 0; v <= COUNT(versions); v++) {          /* the last time a GPU without them */
        const int version = v < COUNT(versions) ? versions[v] : 13050;
        const bool can = v < COUNT(versions) && version >= 13010;
        sf_device *device;
        sf_device_info info;
        sf_stream *s;
        uint64_t *w;
        sf_graph *graph;
        sf_graph_exec *exec;
        fake_reset();
        fake.version = version;
        fake.zero_attribute = v < COUNT(versions) ? -1 : 148;
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_device_get_info(device, &info));
        CHECK_EQUAL(info.stream_atomics, can);
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_PINNED, (void **)&w));
        for (int i = 0; i < 3; i++) { w[i] = 0xf0fffffff0u; }
        sf_stream_op ops[] = {
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_ADD, w, 0x20 },                     /* the lower word alone */
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_ADD | SF_ATOMIC_64, w + 1, (uint64_t)1 << 40 },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_AND | SF_ATOMIC_64, w + 1, (uint64_t)0xff << 36 },
            { SF_STREAM_OP_ATOMIC, SF_ATOMIC_OR, w + 2, 0x0f },
        };
        CHECK_IS(sf_stream_batch(s, ops, COUNT(ops), 0), can ? SF_OK : SF_ERROR_NOT_SUPPORTED);
        CHECK_EQUAL(*fake_count("cuStreamBatchMemOp_v2"), can);
        if (can) {
            CHECK(w[0] == 0xf000000010u);
            CHECK(w[1] == (uint64_t)0x1f << 36);
            CHECK(w[2] == 0xf0ffffffffu);
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
            CHECK_OK(sf_stream_batch(s, ops, 1, 0));
            CHECK_OK(sf_stream_end_capture(s, &graph));
            CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
            CHECK_OK(sf_graph_launch(exec, s));
            CHECK(w[0] == 0xf000000030u);
            CHECK_OK(sf_graph_destroy(graph));
            CHECK_OK(sf_graph_exec_destroy(exec));
        } else {
            CHECK(strstr(sf_device_failure(device)->text, "operation 0: the device has no atomic operations of streams, "
                                                          "which came with CUDA 13.1"));
            CHECK(w[0] == 0xf0fffffff0u);
        }
        test_close(device);
        check_nothing_is_left();
    }
}
/* The driver's thread spins for host functions of the library from 13.2 on, unless the device's threads are to sleep or
   yield; for those of the user it does not. A driver that has the call and refuses it gets the old one. */
static void own_host_functions_spin(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT(versions) * 4; v++) {
        const sf_wait_policy wait = (sf_wait_policy)(v % 4);
        const bool can = versions[v / 4] >= 13020, spins = can && (wait == SF_WAIT_AUTO || wait == SF_WAIT_SPIN);
        uint32_t ran = 0;
        sf_device *device = open_version(versions[v / 4], wait);
        sf_stream *s;
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sfi_stream_host_func(s, count_func, &ran, true));
        CHECK_EQUAL(fake.spins, spins);
        CHECK_EQUAL(*fake_count("cuLaunchHostFunc_v2"), spins);
        CHECK_EQUAL(*fake_count("cuLaunchHostFunc"), !spins);
        CHECK_OK(sf_launch_host_func(s, count_func, &ran));
        CHECK_EQUAL(*fake_count("cuLaunchHostFunc"), 2 - (uint32_t)spins);
        fake.fail = "cuLaunchHostFunc_v2", fake.fail_at = 1, fake.code = 801;
        CHECK_OK(sfi_stream_host_func(s, count_func, &ran, true));
        CHECK_EQUAL(ran, 3);
        CHECK_EQUAL(*fake_count("cuLaunchHostFunc"), 3 - (uint32_t)spins);
        fake.calls_of_fail = 0, fake.code = 2;
        CHECK_IS(sfi_stream_host_func(s, count_func, &ran, true), spins ? SF_ERROR_OUT_OF_MEMORY : SF_OK);
        fake.fail = NULL;
        test_close(device);
        check_nothing_is_left();
    }
}
/* A STREAM condition of a flow ends in such a function. */
static uint64_t met;
static sf_result work_compute(sf_context *ctx)
{
    mix_args a = { .dst = lz.dev, .n = 1, .add = 1 };
    CHECK_OK(sf_launch(sf_compute_stream(ctx), &add_kernel, &a, sizeof a));
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = 1 });
}
static sf_result meet_compute(sf_context *ctx)
{
    met += sf_receive_value(ctx, 0).u64;
    return SF_OK;
}
static void stream_conditions_spin(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT(versions); v++) {
        sf_device *device = open_version(versions[v], SF_WAIT_AUTO);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
        sf_op a, b;
        met = 0;
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&lz.dev));
        a = sf_flow_add(f, &(sf_op_desc){ .compute = work_compute, .count = 3, .out = {{ .name = "o" }} });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = meet_compute, .in = {{ .name = "i" }},
                                          .when = {{ .kind = SF_CONDITION_STREAM }} });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
        fake.busy = 1;                       /* the first query of the event finds work pending */
        if (sf_flow_run(f) < 0) { fail_msg("%s", sf_flow_failure(f)->text); }
        CHECK_EQUAL(met, 3);
        CHECK(fake.spins == *fake_count("cuLaunchHostFunc_v2"));
        CHECK((versions[v] >= 13020) >= (fake.spins > 0));
        CHECK_OK(sf_flow_destroy(f));
        test_close(device);
        check_nothing_is_left();
    }
}
/* A kernel of a partition in the body of a conditional: refused before 13.4, and from then on the driver's to judge. */
static void partitions_in_bodies_from_13_4_on(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT(versions); v++) {
        const bool can = versions[v] >= 13040;
        mix_args a = { .n = 1, .add = 1 };
        sf_node_desc branch = { .type = SF_NODE_CONDITIONAL };
        sf_device *device;
        sf_stream *s;
        sf_graph *whole, *body, *end;
        sf_graph_exec *exec = NULL;
        fake_reset();
        fake.version = versions[v];
        device = open_split(&(sf_partitions_desc){ .count = 1 });
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&a.dst));
        a.dst[0] = 0;
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .partition = partition_at(device, 0) }, &s));
        CHECK_OK(sf_graph_create(device, &whole));
        branch.conditional.bodies = 1, branch.conditional.body = &body;
        CHECK_OK(sf_graph_conditional_create(whole, 1, true, &branch.conditional.handle));
        CHECK_OK(sf_graph_add_node(whole, NULL, 0, &branch, NULL));
        CHECK_OK(sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_RELAXED));
        CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));
        CHECK_OK(sf_stream_end_capture(s, &end));
        CHECK_IS(sf_graph_instantiate(whole, 0, &exec), can ? SF_OK : SF_ERROR_NOT_SUPPORTED);
        if (!can) { CHECK(strstr(sf_device_failure(device)->text, "which CUDA refuses before 13.4")); }
        if (can) {
            CHECK_OK(sf_graph_launch(exec, s));
            CHECK_EQUAL(a.dst[0], 1);
            CHECK_OK(sf_graph_exec_destroy(exec));
        }
        CHECK_OK(sf_graph_destroy(whole));
        test_close(device);
        check_nothing_is_left();
    }
}
/* Launchers that capture what the library has no call for: another type of node, a conditional, a free. */
static int other_cuda(void *stream, const void *args)
{
    int code = add_cuda(stream, args);
    return code ? code : fake_capture_other(stream, FAKE_COPIES);
}
static const sf_kernel other_kernel = { .name = "other", .cuda = other_cuda };
static int branch_cuda(void *stream, const void *args)
{
    void *const params[] = { (void *)(uintptr_t)args };
    sfi_cuda_node branch = { .type = FAKE_CONDITIONAL }, kernel = { .type = FAKE_KERNEL };
    void *graph, *node, *inner, *const *after;
    const sfi_cuda_edge *edges;
    unsigned long long id;
    size_t count;
    int status;
    FAKE(fake_stream_get_capture_info(stream, &status, &id, &graph, &after, &edges, &count));
    FAKE(fake_graph_conditional_create(&branch.u.conditional.handle, graph, fake_current(), 1, 1));
    branch.u.conditional.size = 1;
    FAKE(fake_graph_add_node(&node, graph, after, edges, count, &branch));
    kernel.u.kernel = (sfi_cuda_kernel){ .func = &fake_sub_function, .params = (void **)(uintptr_t)params };
    FAKE(fake_graph_add_node(&inner, branch.u.conditional.bodies[0], NULL, NULL, 0, &kernel));
    return fake_stream_update_capture(stream, &node, NULL, 1, 1);
}
static const sf_kernel branch_kernel = { .name = "branch", .cuda = branch_cuda };
static int free_cuda(void *stream, const void *args)
{
    sfi_cuda_ptr p;
    memcpy(&p, args, sizeof p);
    return fake_mem_free_async(p, stream);
}
static const sf_kernel free_kernel = { .name = "free", .cuda = free_cuda };

/* It is shown, and run, as what it is; what would have to describe it is refused, and names it. */
static void nodes_without_a_name(void **state)
{
    (void)state;
    for (size_t v = 0; v < COUNT(versions); v++) {
        mix_args a = { .n = 1, .add = 1 };
        sf_device *device = open_version(versions[v], SF_WAIT_AUTO);
        sf_node_desc d = { .type = SF_NODE_OTHER, .name = "mine" }, branch = { .type = SF_NODE_CONDITIONAL };
        sf_node_desc launcher = node_of(&other_kernel, &a);
        sf_graph_node *nodes[4];
        sf_dependency after;
        sf_node_type type;
        sf_graph *graph, *copy, *whole, *body, *end;
        sf_graph_exec *exec, *none = NULL;
        sf_stream *s;
        dot_text dot = { .bytes = 0 };
        int count;
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&a.dst));
        launcher = node_of(&other_kernel, &a);
        a.dst[0] = 0;
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
        CHECK_OK(sf_launch(s, &other_kernel, &a, sizeof a));
        CHECK_OK(sf_launch(s, &add_kernel, &a, sizeof a));
        CHECK_OK(sf_stream_end_capture(s, &graph));
        CHECK_OK(sf_graph_get_nodes(graph, nodes, 4, &count));
        CHECK_EQUAL(count, 3);
        CHECK_OK(sf_graph_node_get_type(nodes[1], &type));
        CHECK_EQUAL(type, SF_NODE_OTHER);
        CHECK_OK(sf_graph_node_get_dependencies(nodes[2], &after, 1, &count));
        CHECK(count == 1 && after.node == nodes[1]);
        CHECK_OK(sf_graph_dot(graph, keep_text, &dot));
        if (!strstr(dot.text, "label=\"OTHER node 1, CUDA's type 14\", tooltip=\"OTHER\"")) { fail_msg("%s", dot.text); }
        CHECK_OK(sf_graph_preload(graph));
        CHECK_OK(sf_graph_clone(graph, &copy));              /* its node is the same */
        CHECK_OK(sf_graph_get_nodes(copy, nodes, 4, &count));
        CHECK_OK(sf_graph_node_get_type(nodes[1], &type));
        CHECK_EQUAL(type, SF_NODE_OTHER);
        CHECK_OK(sf_graph_get_nodes(graph, nodes, 4, &count));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_EQUAL(a.dst[0], 2);
        CHECK_OK(sf_graph_exec_update(exec, graph));

        CHECK_IS(sf_graph_exec_set_node(exec, nodes[1], &d), SF_ERROR_NOT_SUPPORTED);
        CHECK(strstr(sf_device_failure(device)->text, "OTHER node 1, CUDA's type 14"));
        CHECK_IS(sf_graph_add_node(graph, NULL, 0, &d, NULL), SF_ERROR_INVALID_VALUE);
        CHECK(strstr(sf_device_failure(device)->text, "nodes of type OTHER are other code's"));
        for (int k = 0; k < 2; k++) {        /* in a body: captured there; in a child */
            CHECK_OK(sf_graph_create(device, &whole));
            branch.conditional.bodies = 1, branch.conditional.body = &body;
            CHECK_OK(sf_graph_conditional_create(whole, 1, true, &branch.conditional.handle));
            CHECK_OK(sf_graph_add_node(whole, NULL, 0, &branch, NULL));
            if (k) {
                CHECK_OK(sf_graph_add_node(body, NULL, 0, &launcher, NULL));
            } else {
                CHECK_OK(sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_RELAXED));
                CHECK_OK(sf_launch(s, &other_kernel, &a, sizeof a));
                CHECK_OK(sf_stream_end_capture(s, &end));
            }
            CHECK_IS(sf_graph_instantiate(whole, 0, &none), SF_ERROR_INVALID_VALUE);
            CHECK(strstr(sf_device_failure(device)->text, "OTHER node 1, CUDA's type 14"));
            CHECK(strstr(sf_device_failure(device)->text, "cannot stand in the body of a conditional"));
            CHECK_OK(sf_graph_destroy(whole));
        }
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(copy));
        CHECK_OK(sf_graph_destroy(graph));
        test_close(device);
        check_nothing_is_left();
    }
}
static const sfi_graph_memory *memory_of_graph(sf_device *device, const void *p)
{
    const sfi_graph_memory *m;
    SFI_LOCKED(&device->lock, m = sfi_find_graph_memory(device, p));
    return m;
}
/* From 13.2 on the driver says what is in the bodies of a conditional that other code has made, and what it frees. */
static void parameters_of_others_from_13_2_on(void **state)
{
    (void)state;
    for (size_t v = 0; v <= COUNT(versions); v++) {          /* the last time a driver without that call */
        const bool can = v < COUNT(versions) && versions[v] >= 13020;
        mix_args a = { .n = 1, .add = 3 };
        sf_node_desc alloc = { .type = SF_NODE_MEM_ALLOC };
        sf_graph *graph;
        sf_graph_exec *exec, *frees;
        sf_device *device;
        sf_stream *s;
        void *p;
        dot_text dot = { .bytes = 0 };
        fake_reset();
        fake.version = v < COUNT(versions) ? versions[v] : 13050;
        fake.missing = v < COUNT(versions) ? NULL : "cuGraphNodeGetParams";
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&a.dst));
        a.dst[0] = 10;
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1 }, &s));
        CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
        CHECK_OK(sf_launch(s, &branch_kernel, &a, sizeof a));
        CHECK_OK(sf_stream_end_capture(s, &graph));
        CHECK_OK(sf_graph_dot(graph, keep_text, &dot));
        CHECK(strstr(dot.text, "shape=diamond"));
        CHECK_EQUAL(strstr(dot.text, "kernel node 0") != NULL, can);
        CHECK(!fake_is_loaded(&fake_sub_function));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_EQUAL(fake_is_loaded(&fake_sub_function), can);        /* before a launch has to */
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_EQUAL(a.dst[0], 7);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));

        CHECK_OK(sf_graph_create(device, &graph));
        alloc.alloc.bytes = 64, alloc.alloc.ptr = &p;
        CHECK_OK(sf_graph_add_node(graph, NULL, 0, &alloc, NULL));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
        CHECK_OK(sf_launch(s, &free_kernel, &p, sizeof p));
        CHECK_OK(sf_stream_end_capture(s, &graph));
        CHECK_OK(sf_graph_instantiate(graph, 0, &frees));
        CHECK(memory_of_graph(device, p)->live);
        CHECK_OK(sf_graph_launch(frees, s));
        CHECK_EQUAL(memory_of_graph(device, p)->live, !can);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_exec_destroy(frees));
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_EQUAL(memory_of_graph(device, p) == NULL, can);  /* known to be free, it is forgotten */
        CHECK_IS(sf_device_close(device, GUARD), can ? SF_OK : SF_ERROR_INVALID_VALUE);      /* or freed once more */
        check_nothing_is_left();
    }
}
/* A stream of a green context that other code has destroyed: each call says it, by a name of its own. */
static void streams_that_are_detached(void **state)
{
    sfi_cuda_resource all;
    void *desc, *green, *native;
    sf_device *device;
    sf_stream *s;
    uint32_t ran = 0;
    (void)state;
    fake_reset();
    fake.version = 13010;
    CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
    CHECK_EQUAL(fake_device_get_resource(0, &all, 1), 0);
    CHECK_EQUAL(fake_resource_describe(&desc, &all, 1), 0);
    CHECK_EQUAL(fake_context_push(&fake_contexts[0]), 0);
    CHECK_EQUAL(fake_green_create(&green, desc, 0, 1), 0);
    CHECK_EQUAL(fake_green_stream_create(&native, green, 1, 0), 0);
    CHECK_OK(sf_stream_wrap(device, native, &s));
    CHECK_OK(sf_launch_host_func(s, count_func, &ran));
    CHECK_EQUAL(fake_green_destroy(green), 0);
    CHECK_IS(sf_stream_query(s), SF_ERROR_STREAM_DETACHED);
    CHECK_IS(sf_stream_synchronize(s, GUARD), SF_ERROR_STREAM_DETACHED);
    CHECK_IS(sf_launch_host_func(s, count_func, &ran), SF_ERROR_STREAM_DETACHED);
    CHECK(strstr(sf_device_failure(device)->text, "has destroyed the green context that the stream is of"));
    CHECK(!strcmp(sf_result_string(SF_ERROR_STREAM_DETACHED), "the green context of the stream is destroyed"));
    CHECK_EQUAL(ran, 1);
    CHECK_OK(sf_stream_destroy(s));
    CHECK_EQUAL(fake_stream_destroy(native), 0);
    CHECK_EQUAL(fake_context_pop(&native), 0);
    test_close(device);
    check_nothing_is_left();
}
/* Each version once without each entry point that is younger than 12.8. */
static void younger_symbols_missing(void **state)
{
    static const char *const symbols[] = {
        "cuDevSmResourceSplit", "cuLaunchHostFunc_v2", "cuGraphNodeGetParams", "cuStreamBeginRecaptureToGraph"
    };
    static record rec;
    (void)state;
    for (size_t v = 0; v < COUNT(versions) * COUNT(symbols); v++) {
        const char *symbol = symbols[v % COUNT(symbols)];
        const int version = versions[v / COUNT(symbols)];
        for (size_t w = 0; w < COUNT(programs); w++) {
            test_heap heap = { 0 };
            fake_reset();
            fake.version = version;
            fake.missing = symbol;
            if (!run_program(programs[w].run, &rec, &heap)) { fail_msg("%d without %s: hangs", version, symbol); }
            CHECK_OK(rec.opened);
            for (int k = 0; k < rec.n; k++) {
                if (rec.r[k] >= 0 || rec.r[k] == SF_ERROR_INVALID_HANDLE || strstr(rec.what[k], "recapture")) { continue; }
                fail_msg("%d without %s: %s is %d: %s", version, symbol, rec.what[k], (int)rec.r[k], rec.text);
            }
            CHECK_EQUAL(heap.live, 0);
            CHECK_EQUAL(fake.fatal, 0);
            if (what_is_left()[0]) { fail_msg("%d without %s: left: %s", version, symbol, what_is_left()); }
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_required_symbol),
        cmocka_unit_test(each_optional_symbol),
        cmocka_unit_test(auto_without_a_gpu),
        cmocka_unit_test(ordinals_and_info),
        cmocka_unit_test(no_wait_across_backends),
        cmocka_unit_test(gpus_are_counted),
        cmocka_unit_test(contexts_wait_by_policy),
        cmocka_unit_test(what_a_gpu_can),
        cmocka_unit_test(values_as_the_gpu_has_them),
        cmocka_unit_test(memory_of_others),
        cmocka_unit_test(recaptures_on_the_driver),
        cmocka_unit_test(streams_of_a_part),
        cmocka_unit_test(attributes_reach_the_driver),
        cmocka_unit_test(whole_programs),
        cmocka_unit_test(each_call_fails_once),
        cmocka_unit_test(heap_requests_fail_once),
        cmocka_unit_test(lazy_operations_survive),
        cmocka_unit_test(kernels_are_loaded_before_something_stays),
        cmocka_unit_test(what_loads_a_kernel),
        cmocka_unit_test(launchers_that_break_captures),
        cmocka_unit_test(preloads_that_are_refused),
        cmocka_unit_test(streams_beside_what_stays),
        cmocka_unit_test(streams_of_partitions_beside_what_stays),
        cmocka_unit_test(what_stays_unannounced),
        cmocka_unit_test(all_is_loaded_at_the_open),
        cmocka_unit_test(faults_stick),
        cmocka_unit_test(faults_name_the_launch),
        cmocka_unit_test(faults_in_flows),
        cmocka_unit_test(captures_name_names),
        cmocka_unit_test(pending_work),
        cmocka_unit_test(a_close_beside_a_capture),
        cmocka_unit_test(streams_and_wrapping),
        cmocka_unit_test(partitions),
        cmocka_unit_test(partitions_refused),
        cmocka_unit_test(partitions_by_sizes_and_in_groups),
        cmocka_unit_test(too_few_groups),
        cmocka_unit_test(partitions_and_graphs),
        cmocka_unit_test(partitions_of_operators),
        cmocka_unit_test(a_partition_of_another_gpu),
        cmocka_unit_test(kernels_and_their_bodies),
        cmocka_unit_test(pools_and_their_attributes),
        cmocka_unit_test(two_gpus),
        cmocka_unit_test(pools_of_peers),
        cmocka_unit_test(unsafe_calls_in_each_mode),
        cmocka_unit_test(safe_calls_leave_the_mode),
        cmocka_unit_test(own_queries_are_relaxed),
        cmocka_unit_test(futures_are_relaxed),
        cmocka_unit_test(a_body_s_broken_capture),
        cmocka_unit_test(a_body_s_wait_that_fails),
        cmocka_unit_test(bodies_on_threads),
        cmocka_unit_test(first_records_on_threads),
        cmocka_unit_test(one_module_for_all_threads),
        cmocka_unit_test(a_body_that_others_break),
        cmocka_unit_test(a_stream_that_leaves_an_invalid_body),
        cmocka_unit_test(bodies_as_on_the_host),
        cmocka_unit_test(captures_left_open),
        cmocka_unit_test(an_origin_that_is_destroyed),
        cmocka_unit_test(a_copy_of_foreign_attributes),
        cmocka_unit_test(a_free_node_that_fails),
        cmocka_unit_test(a_body_within_a_capture),
        cmocka_unit_test(a_given_graph_is_lost),
        cmocka_unit_test(a_foreign_capture),
        cmocka_unit_test(callbacks_and_faults),
        cmocka_unit_test(host_functions_in_graphs),
        cmocka_unit_test(events_in_graphs),
        cmocka_unit_test(events_of_captures),
        cmocka_unit_test(events_that_another_device_waits_for),
        cmocka_unit_test(modules_in_graphs),
        cmocka_unit_test(nodes_and_edges),
        cmocka_unit_test(conditionals_in_order),
        cmocka_unit_test(launchers_as_nodes),
        cmocka_unit_test(a_pool_lives_as_long_as_its_blocks),
        cmocka_unit_test(memory_of_graphs),
        cmocka_unit_test(frees_that_fail),
        cmocka_unit_test(a_close_that_cannot_free),
        cmocka_unit_test(nothing_reaches_the_driver),
        cmocka_unit_test(a_close_asks_its_own_streams),
        cmocka_unit_test(nodes_of_another_backend),
        cmocka_unit_test(modules_and_launches),
        cmocka_unit_test(what_a_pool_holds),
        cmocka_unit_test(a_graph_that_comes_to_nothing),
        cmocka_unit_test(words_of_futures),
        cmocka_unit_test(regions_on_the_driver),
        cmocka_unit_test(regions_on_a_driver_that_fails),
        cmocka_unit_test(hops_between_gpus),
        cmocka_unit_test(hops_between_backends),
        cmocka_unit_test(hops_on_a_driver_that_fails),
        cmocka_unit_test(atomics_from_13_1_on),
        cmocka_unit_test(own_host_functions_spin),
        cmocka_unit_test(stream_conditions_spin),
        cmocka_unit_test(partitions_in_bodies_from_13_4_on),
        cmocka_unit_test(nodes_without_a_name),
        cmocka_unit_test(parameters_of_others_from_13_2_on),
        cmocka_unit_test(streams_that_are_detached),
        cmocka_unit_test(younger_symbols_missing),
    };
    int failed;
    test_arguments(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);        /* whatever crashes, what went before is seen */
    failed = cmocka_run_group_tests_name("driver", tests, NULL, NULL);
    fake_reset();
    return failed;
}
