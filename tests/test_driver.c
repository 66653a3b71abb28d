/*  test_driver.c - the CUDA backend on a driver that is not there: see fake_cuda.h. Needs no GPU, uses none.
    */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
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
    if (heap) { desc.heap = (sf_heap){ test_heap_alloc, test_heap_free, heap }; }
    return sf_device_open(&desc, device);
}
static void check_nothing_is_left(void)
{
    CHECK_EQUAL(fake.streams, 0);
    CHECK_EQUAL(fake.events, 0);
    CHECK_EQUAL(fake.blocks, 0);
    CHECK_EQUAL(fake.pools, 0);
    for (int i = 0; i < FAKE_GPUS; i++) { CHECK_EQUAL(fake.retained[i], 0); }
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
static void each_optional_symbol(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(optional); i++) {
        sf_device *device;
        sf_stream *s;
        sf_mem_pool *pool = NULL;
        sf_result r[6] = { SF_OK };
        void *p = NULL, *q = NULL;
        int refused = 0;
        fake_reset();
        fake.missing = optional[i];
        CHECK_OK(open_fake(SF_BACKEND_CUDA, 0, NULL, NULL, &device));
        CHECK_OK(sf_stream_create(device, NULL, &s));
        CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_MANAGED, &p));
        r[0] = sf_mem_prefetch_async(s, p, 64, true);
        r[1] = sf_mem_alloc_async(s, NULL, 64, &q);
        r[2] = q ? sf_mem_free_async(s, q) : SF_OK;
        r[3] = sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC }, &pool);
        r[4] = pool ? sf_mem_pool_trim(pool, 0) : SF_OK;
        r[5] = pool ? sf_mem_pool_destroy(pool) : SF_OK;
        for (int k = 0; k < 6; k++) {
            CHECK(r[k] == SF_OK || r[k] == SF_ERROR_NOT_SUPPORTED);
            refused += r[k] != SF_OK;
        }
        CHECK_EQUAL(refused > 0, strcmp(optional[i], "cuStreamGetId") != 0);
        if (refused) { CHECK_IS(sf_device_failure(device)->result, SF_ERROR_NOT_SUPPORTED); }
        CHECK_OK(sf_mem_free(device, p));
        test_close(device);
    }
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

/* -- all calls, and each of them failing -- */

static struct {
    uint32_t *dst, add;
    bool in_context;
    void *stream;
    sf_result inside;
    sf_device *device;
    int calls;
} seen;
static int add_cuda(void *stream, const void *args)
{
    const mix_args *a = (const mix_args *)args;
    seen.stream = stream;
    seen.in_context = fake_current() == &fake_contexts[0];
    for (uint32_t i = 0; i < a->n; i++) { a->dst[i] += a->add; }
    return 0;
}
static int wrong_cuda(void *stream, const void *args) { return (void)stream, (void)args, 98; }
static const sf_kernel add_kernel = { .name = "add", .cuda = add_cuda };
static const sf_kernel bodiless = { .name = "bodiless" };
static const sf_kernel wrong_kernel = { .name = "wrong", .cuda = wrong_cuda };
static void inside_func(void *user)
{
    sf_device_info info;
    seen.inside = sf_device_get_info(seen.device, &info);
    seen.calls++;
    ++*(uint32_t *)user;
}

enum { MAX_STEPS = 64 };
typedef struct record {
    sf_result r[MAX_STEPS];
    const char *what[MAX_STEPS];
    int n, context_lost;                     /* of the first call after which another context was current */
    sf_result opened, closed;
    uint32_t words[16], host_calls;
} record;
/* Goes on whatever fails, as careless programs do. */
static void scenario(record *rec, test_heap *heap)
{
    sf_device *device = NULL;
    sf_stream *s = NULL, *t = NULL, *wrapped = NULL, *legacy;
    sf_event *e = NULL, *f = NULL;
    sf_mem_pool *pool = NULL;
    sf_device_info info;
    fake_stream foreign = { 0x57, 1, -2, NULL };
    uint32_t *dev = NULL, *pinned = NULL, *managed = NULL, *host = NULL, *ordered = NULL, *pooled = NULL;
    uint32_t local[16];
    mix_args a = { .n = 16, .add = 5 };
    void *at, *before = fake_current();
    float ms;
    *rec = (record){ .context_lost = -1 };
    for (uint32_t i = 0; i < 16; i++) { local[i] = i; }
#define STEP(expression)                                                                                     \
    do {                                                                                                     \
        rec->what[rec->n] = #expression;                                                                     \
        rec->r[rec->n++] = (expression);                                                                     \
        if (fake_current() != before && rec->context_lost < 0) { rec->context_lost = rec->n - 1; }           \
    } while (0)
    rec->opened = open_fake(SF_BACKEND_CUDA, 0, NULL, heap, &device);
    if (fake_current() != before) { rec->context_lost = 0; }
    if (rec->opened) { return; }
    seen.device = device;
    legacy = sf_stream_legacy(device);
    STEP(sf_device_get_info(device, &info));
    STEP(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .priority = -9 }, &s));
    STEP(sf_stream_create(device, NULL, &t));
    STEP(sf_stream_wrap(device, &foreign, &wrapped));
    STEP(sf_event_create(device, 0, &e));
    STEP(sf_event_create(device, SF_EVENT_BLOCKING_SYNC, &f));
    STEP(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&dev));
    STEP(sf_mem_alloc(device, 64, SF_MEMORY_PINNED, (void **)&pinned));
    STEP(sf_mem_alloc(device, 64, SF_MEMORY_MANAGED, (void **)&managed));
    STEP(sf_mem_alloc(device, 64, SF_MEMORY_HOST, (void **)&host));
    if (pinned) { STEP(sf_mem_get_device_pointer(device, pinned, &at)); }
    if (s && dev) {
        STEP(sf_event_record(e, s));
        STEP(sf_memcpy_async(s, dev, local, 64));
        STEP(sf_memset_async(s, dev, 1, 4));
        a.dst = dev;
        STEP(sf_launch(s, &add_kernel, &a, sizeof a));
        STEP(sf_memcpy_2d_async(s, dev + 8, 8, dev, 8, 4, 3));
        STEP(sf_memcpy_peer_async(s, dev + 15, device, dev, device, 4));
        STEP(sf_event_record(f, s));
        STEP(sf_launch_host_func(s, inside_func, &rec->host_calls));
        STEP(sf_stream_query(s));
        STEP(sf_stream_synchronize(s, SF_FOREVER));
        STEP(sf_stream_synchronize(s, SF_MS(100)));
        STEP(sf_mem_alloc_async(s, NULL, 64, (void **)&ordered));
        if (ordered) { STEP(sf_mem_free_async(s, ordered)); }
    }
    STEP(sf_stream_wait_event(t, f, 0));
    STEP(sf_event_query(f));
    STEP(sf_event_synchronize(f, SF_FOREVER));
    STEP(sf_event_synchronize(f, SF_MS(100)));
    STEP(sf_event_elapsed_ms(e, f, &ms));
    if (managed) { STEP(sf_mem_prefetch_async(t, managed, 64, false)); }
    STEP(sf_mem_pool_create(device,
                            &(sf_mem_pool_desc){ .kind = SF_MEM_POOL_ASYNC,
                                                 .release_threshold_bytes = 4096,
                                                 .initial_bytes = 128 },
                            &pool));
    if (pool && t) {
        STEP(sf_mem_alloc_async(t, pool, 64, (void **)&pooled));
        if (pooled) { STEP(sf_mem_free_async(t, pooled)); }
    }
    if (pool) {
        STEP(sf_mem_pool_trim(pool, 0));
        STEP(sf_mem_pool_destroy(pool));
    }
    if (dev) { STEP(sf_memcpy_async(legacy, rec->words, dev, 64)); }
    STEP(sf_event_record(e, legacy));
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
    rec->closed = sf_device_close(device, SF_FOREVER);       /* s, f, managed, host: still alive */
    if (fake_current() != before && rec->context_lost < 0) { rec->context_lost = rec->n; }
#undef STEP
}
static void a_whole_program(void **state)
{
    static record rec;
    void *contexts[] = { NULL, &fake_foreign_context, &fake_contexts[1], &fake_contexts[0] };
    uint32_t expected[16];
    (void)state;
    for (uint32_t i = 0; i < 16; i++) { expected[i] = (i ? i : 0x01010101) + 5; }
    for (int y = 0; y < 3; y++) { expected[8 + 2 * y] = expected[2 * y]; }
    expected[15] = expected[0];
    for (size_t i = 0; i < COUNT(contexts); i++) { /* whatever is current before is so after each call */
        test_heap heap = { 0 };
        fake_reset();
        if (contexts[i]) { fake.stack[fake.depth++] = contexts[i]; }
        scenario(&rec, &heap);
        CHECK_OK(rec.opened);
        for (int k = 0; k < rec.n; k++) {
            if (rec.r[k]) { fail_msg("%s: %s", rec.what[k], sf_result_string(rec.r[k])); }
        }
        if (rec.context_lost >= 0) {
            fail_msg("another context is current after %s", rec.what[rec.context_lost]);
        }
        CHECK_OK(rec.closed);
        CHECK_BYTES(rec.words, expected, sizeof expected);
        CHECK_EQUAL(fake.outside, 0);
        CHECK(seen.in_context);
        CHECK_EQUAL(rec.host_calls, 1);
        CHECK_IS(seen.inside, SF_ERROR_NOT_PERMITTED);
        CHECK(fake.peer_contexts[0] == &fake_contexts[0] && fake.peer_contexts[1] == &fake_contexts[0]);
        CHECK_EQUAL(fake.last_copy.src_type, 4);
        CHECK_EQUAL(fake.last_copy.dst_type, 4);
        if (contexts[i] == &fake_contexts[0]) { CHECK_EQUAL(fake.pushes, 0); }       /* it is there already */
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
    for (size_t i = 0; i < COUNT(required); i++) {           /* so the next test makes each of them fail */
        if (strcmp(required[i], "cuGetErrorName") && strcmp(required[i], "cuGetErrorString") &&
            !*fake_count(required[i])) {
            if (strncmp(required[i], "cuCtxP", 6)) { fail_msg("the program never calls %s", required[i]); }
        }
    }
    for (size_t i = 0; i < COUNT(optional); i++) {
        if (!*fake_count(optional[i])) { fail_msg("the program never calls %s", optional[i]); }
    }
}
static bool tells_nobody(const char *symbol) /* nothing to return it from, or a detail of get_info */
{
    static const char *const quiet[] = { "cuStreamDestroy_v2",
                                         "cuEventDestroy_v2",
                                         "cuCtxPopCurrent_v2",
                                         "cuMemPoolDestroy",
                                         "cuDevicePrimaryCtxRelease_v2",
                                         "cuDeviceGetAttribute",
                                         "cuDeviceGetName",
                                         "cuStreamGetId",
                                         "cuCtxGetCurrent",
                                         "cuGetErrorName",
                                         "cuGetErrorString" };
    for (size_t i = 0; i < COUNT(quiet); i++) {
        if (!strcmp(symbol, quiet[i])) { return true; }
    }
    return false;
}
static void check_failed_run(const record *rec, const char *symbol, uint32_t at, int code)
{
    int first = 0;
    bool fault = code == 700 || code == 719;
    if (rec->context_lost >= 0) {
        fail_msg("%s %u, %d: the current context changed: %s", symbol, at, code,
                 rec->what[rec->context_lost]);
    }
    if (rec->opened) {
        CHECK_IS(rec->opened, (sf_result)-code);
        return;
    }
    while (first < rec->n && rec->r[first] == SF_OK) { first++; }
    if (first == rec->n && rec->closed == SF_OK) {
        if (!tells_nobody(symbol)) { fail_msg("%s %u, %d: nobody said so", symbol, at, code); }
        return;
    }
    if (first < rec->n && rec->r[first] != (sf_result)-code) {
        fail_msg("%s %u, %d: %s says %d", symbol, at, code, rec->what[first], rec->r[first]);
    }
    for (int k = first + 1; fault && k < rec->n; k++) {      /* sticks, even to calls that need no driver */
        if (rec->r[k] != (sf_result)-code && rec->r[k] != SF_ERROR_INVALID_HANDLE) {
            fail_msg("%s %u: after %d, %s says %d", symbol, at, code, rec->what[k], rec->r[k]);
        }
    }
    if (fault) { CHECK_IS(rec->closed, (sf_result)-code); }
}
static void each_call_fails_once(void **state)
{
    static const int codes[] = { 1, 2, 100, 201, 400, 700, 719, 900, 999 };
    static record rec, good;
    const char *symbols[COUNT(required) + COUNT(optional)];
    uint32_t runs = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(symbols); i++) {
        symbols[i] = i < COUNT(required) ? required[i] : optional[i - COUNT(required)];
    }
    for (size_t i = 0; i < COUNT(symbols); i++) {
        uint32_t calls;
        fake_reset();
        scenario(&good, NULL);
        calls = *fake_count(symbols[i]);
        for (uint32_t at = 1; at <= calls; at++) {
            for (size_t k = 0; k < COUNT(codes); k++) {
                test_heap heap = { 0 };
                fake_reset();
                fake.stack[fake.depth++] = &fake_foreign_context;
                fake.fail = symbols[i], fake.fail_at = at, fake.code = codes[k];
                scenario(&rec, &heap);
                check_failed_run(&rec, symbols[i], at, codes[k]);
                if (heap.live) {
                    fail_msg("%s %u, %d: %ld blocks of the heap are lost", symbols[i], at, codes[k],
                             heap.live);
                }
                if (!fake.fault && fake.retained[0]) {
                    fail_msg("%s %u, %d: the context is kept", symbols[i], at, codes[k]);
                }
                if (!fake.fault && (fake.streams || fake.events || fake.pools)) {
                    fail_msg("%s %u, %d: %ld streams, %ld events, %ld pools are lost", symbols[i], at,
                             codes[k], fake.streams, fake.events, fake.pools);
                }
                runs++;
            }
        }
    }
    CHECK(runs > 500);
}
static void heap_requests_fail_once(void **state)
{
    static record rec;
    test_heap heap = { 0 };
    long requests;
    (void)state;
    fake_reset();
    scenario(&rec, &heap);
    requests = heap.total;
    CHECK(requests > 10);
    for (long i = 1; i <= requests; i++) {
        int bad = 0;
        heap = (test_heap){ .fail_at = i };
        fake_reset();
        scenario(&rec, &heap);
        for (int k = 0; k < rec.n; k++) {
            bad += rec.r[k] == SF_ERROR_OUT_OF_MEMORY;
            if (rec.r[k] && rec.r[k] != SF_ERROR_OUT_OF_MEMORY && rec.r[k] != SF_ERROR_INVALID_HANDLE) {
                fail_msg("request %ld: %s says %d", i, rec.what[k], rec.r[k]);
            }
        }
        CHECK(bad || rec.opened == SF_ERROR_OUT_OF_MEMORY);
        CHECK_EQUAL(heap.live, 0);
        check_nothing_is_left();
    }
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
        CHECK_IS(sf_event_record(e, s), expected);
        CHECK_IS(sf_device_reset(device), SF_ERROR_NOT_SUPPORTED);
        CHECK_IS(sf_device_close(device, SF_FOREVER), expected);
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
    CHECK_OK(sf_event_record(e, s));
    CHECK_OK(sf_event_record(f, s));
    fake.busy = UINT32_MAX;
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
    fake.busy = 20;
    CHECK_OK(sf_stream_synchronize(s, GUARD));               /* asks until it is done */
    CHECK_EQUAL(fake.busy, 0);
    fake.busy = 20;
    CHECK_OK(sf_event_synchronize(e, GUARD));
    fake.busy = 20;
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_OK(sf_event_elapsed_ms(e, f, &ms));
    CHECK(ms == 0.5f);
    CHECK_IS(sf_device_poll(device, 0), SF_IDLE);
    test_close(device);
    check_nothing_is_left();
}
static void streams_and_wrapping(void **state)
{
    sf_device *device;
    sf_stream *s, *w;
    fake_stream foreign = { 0x57, 1, -3, NULL };
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
    CHECK_EQUAL(foreign.magic, 0x57);        /* was not ours to destroy */
    CHECK_IS(sf_stream_query(w), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_stream_wrap(device, &foreign, &w));
    test_close(device);                      /* nor is it now */
    CHECK_EQUAL(foreign.magic, 0x57);
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
    CHECK_OK(sf_event_record(e, s[0]));
    CHECK_IS(sf_event_record(e, s[1]), SF_ERROR_INVALID_HANDLE);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_required_symbol),
        cmocka_unit_test(each_optional_symbol),
        cmocka_unit_test(auto_without_a_gpu),
        cmocka_unit_test(ordinals_and_info),
        cmocka_unit_test(a_whole_program),
        cmocka_unit_test(each_call_fails_once),
        cmocka_unit_test(heap_requests_fail_once),
        cmocka_unit_test(faults_stick),
        cmocka_unit_test(pending_work),
        cmocka_unit_test(streams_and_wrapping),
        cmocka_unit_test(kernels_and_their_bodies),
        cmocka_unit_test(pools_and_their_attributes),
        cmocka_unit_test(two_gpus),
    };
    int failed;
    test_arguments(argc, argv);
    failed = cmocka_run_group_tests_name("driver", tests, NULL, NULL);
    fake_reset();
    return failed;
}
