/*  test_stream.c - results, devices, streams, host functions, the default stream. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"
#include "race.h"
#ifdef __linux__
#include <sys/wait.h>
#endif

/* -- results -- */

static void results_have_words(void **state)
{
    static const sf_result all[] = { SF_OK,
                                     SF_DONE,
                                     SF_IDLE,
                                     SF_BUSY,
                                     SF_TIMEOUT,
                                     SF_IGNORED,
                                     SF_NOT_READY,
                                     SF_ERROR_INVALID_VALUE,
                                     SF_ERROR_OUT_OF_MEMORY,
                                     SF_ERROR_NO_DEVICE,
                                     SF_ERROR_INVALID_DEVICE,
                                     SF_ERROR_INVALID_CONTEXT,
                                     SF_ERROR_INVALID_HANDLE,
                                     SF_ERROR_ILLEGAL_STATE,
                                     SF_ERROR_LOSSY_QUERY,
                                     SF_ERROR_ILLEGAL_ADDRESS,
                                     SF_ERROR_LAUNCH_FAILED,
                                     SF_ERROR_NOT_PERMITTED,
                                     SF_ERROR_NOT_SUPPORTED,
                                     SF_ERROR_CAPTURE_UNSUPPORTED,
                                     SF_ERROR_CAPTURE_INVALIDATED,
                                     SF_ERROR_CAPTURE_MERGE,
                                     SF_ERROR_CAPTURE_UNMATCHED,
                                     SF_ERROR_CAPTURE_UNJOINED,
                                     SF_ERROR_CAPTURE_ISOLATION,
                                     SF_ERROR_CAPTURE_IMPLICIT,
                                     SF_ERROR_CAPTURED_EVENT,
                                     SF_ERROR_CAPTURE_WRONG_THREAD,
                                     SF_ERROR_GRAPH_EXEC_UPDATE,
                                     SF_ERROR_UNKNOWN,
                                     SF_ERROR_DRIVER,
                                     SF_ERROR_NO_ROOM,
                                     SF_ERROR_UNKNOWN_OPERATOR,
                                     SF_ERROR_UNKNOWN_PORT,
                                     SF_ERROR_NOT_CONNECTED,
                                     SF_ERROR_CONNECTED_TWICE,
                                     SF_ERROR_MISMATCH,
                                     SF_ERROR_NOT_RECEIVED,
                                     SF_ERROR_POOL_EXHAUSTED,
                                     SF_ERROR_QUEUE_FULL,
                                     SF_ERROR_DEADLOCK,
                                     SF_ERROR_STALLED,
                                     SF_ERROR_REENTRANT,
                                     SF_ERROR_USER };
    static const int32_t strange[] = { 7, 599, 601, 12345, INT32_MAX, -3, -666, -1000, -1014, -1099 };
    const char *unknown = sf_result_string((sf_result)12345);
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        const char *text = sf_result_string(all[i]);
        CHECK(text && text[0] && strcmp(text, unknown) != 0);
        for (size_t k = 0; k < i; k++) { CHECK(strcmp(text, sf_result_string(all[k])) != 0); }
    }
    for (size_t i = 0; i < COUNT(strange); i++) {
        const char *text = sf_result_string((sf_result)strange[i]);
        CHECK(text && text[0]);
        for (size_t k = 0; k < COUNT(all); k++) { CHECK(strcmp(text, sf_result_string(all[k])) != 0); }
    }
    CHECK(!strcmp(sf_result_string((sf_result)-5000), sf_result_string(SF_ERROR_USER)));
    CHECK(!strcmp(sf_result_string(SF_ERROR_USER_LAST), sf_result_string(SF_ERROR_USER)));
}

/* -- devices -- */

static void open_says_what_it_took(void **state)
{
    test_log log = { 0 };
    sf_device_desc desc = { .logger = { test_log_func, &log } };
    sf_device_info info;
    sf_device *device = NULL, *cuda = (sf_device *)&log;
    sf_result r;
    (void)state;
    CHECK_OK(sf_device_open(&desc, &device));
    CHECK_OK(sf_device_get_info(device, &info));
    CHECK(log.count >= 1);
    CHECK_EQUAL(log.level, 3);
    CHECK(!strcmp(log.tag, "streamflow"));
    desc.backend = SF_BACKEND_CUDA;
    log.count = 0;
    r = sf_device_open(&desc, &cuda);
    if (info.backend == SF_BACKEND_HOST) {
        CHECK(r == SF_ERROR_DRIVER || r == SF_ERROR_NO_DEVICE);
        CHECK(!cuda);
        CHECK_EQUAL(log.level, 1);
        CHECK_EQUAL(log.item, -(int)r);
        CHECK(strstr(log.text, "CUDA") || strstr(log.text, "libcuda"));
    } else {                                 /* what AUTO takes must work by name, too */
        CHECK_OK(r);
        CHECK_OK(sf_device_close(cuda, GUARD));
    }
    test_close(device);
    CHECK_OK(sf_device_open(NULL, &device)); /* all defaults */
    test_close(device);
}
static void auto_names_the_reason(void **state)
{
    test_log log = { 0 };
    sf_device_desc desc = { .logger = { test_log_func, &log } };
    sf_device *device = NULL;
    sf_device_info info;
    (void)state;
    if (on_cuda() || access("/dev/nvidiactl", F_OK) == 0) { return; }
    CHECK_OK(sf_device_open(&desc, &device));
    CHECK_OK(sf_device_get_info(device, &info));
    CHECK_EQUAL(info.backend, SF_BACKEND_HOST);
    CHECK(strstr(log.text, "host"));
    CHECK(strstr(log.text, "libcuda") || strstr(log.text, "GPU"));
    CHECK_EQUAL(sf_device_failure(device)->result, SF_OK);
    test_close(device);
}
static void open_refuses(void **state)
{
    sf_device *device = (sf_device *)&device;
    const struct { const char *what; sf_device_desc desc; } wrong[] = {
        { "backend", { .backend = (sf_backend)3 } },
        { "backend < 0", { .backend = (sf_backend)-1 } },
        { "order", { .backend = SF_BACKEND_HOST, .host.order = (sf_order)(SF_ORDER_REPLAY + 1) } },
        { "order < 0", { .backend = SF_BACKEND_HOST, .host.order = (sf_order)-1 } },
        { "workers", { .backend = SF_BACKEND_HOST, .host.workers = -1 } },
        { "half a heap", { .backend = SF_BACKEND_HOST, .heap.alloc = test_heap_alloc } },
        { "the other half", { .backend = SF_BACKEND_HOST, .heap.free = test_heap_free } },
    };
    (void)state;
    CHECK_IS(sf_device_open(NULL, NULL), SF_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sf_device_desc desc = wrong[i].desc;
        test_log log = { 0 };
        desc.logger = (sf_logger){ test_log_func, &log };
        device = (sf_device *)&device;
        if (sf_device_open(&desc, &device) != SF_ERROR_INVALID_VALUE || device) {
            fail_msg("opened with a wrong %s", wrong[i].what);
        }
        CHECK(log.count == 1 && log.level == 1 && log.item == 1 && strstr(log.text, "sf_device_open"));
    }
    if (on_cuda()) {
        for (int32_t i = 0; i < 2; i++) {
            sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .ordinal = i ? 4096 : -1 };
            CHECK_IS(sf_device_open(&desc, &device), SF_ERROR_INVALID_DEVICE);
            CHECK(!device);
        }
    }
}
static void device_info(void **state)
{
    sf_device *device = test_open();
    sf_device_info info;
    void *p;
    size_t free_bytes;
    (void)state;
    memset(&info, 0xff, sizeof info);
    CHECK_OK(sf_device_get_info(device, &info));
    CHECK_EQUAL(info.backend, test_backend);
    CHECK_EQUAL(info.ordinal, 0);
    CHECK(info.multiprocessors >= 1);
    CHECK_EQUAL(info.priority_least, 0);
    CHECK(info.priority_greatest < 0);
    CHECK(info.name[0] && memchr(info.name, 0, sizeof info.name));
    CHECK_EQUAL(info.compute_capability > 0, on_cuda());
    CHECK_EQUAL(info.driver_version > 0, on_cuda());
    CHECK_EQUAL(sf_device_native(device) != NULL, on_cuda());
    CHECK(info.memory_free_bytes <= info.memory_bytes);
    if (!on_cuda()) {
        CHECK_EQUAL(info.memory_bytes, 1 << 30);
        free_bytes = info.memory_free_bytes;
        CHECK_OK(sf_mem_alloc(device, 1000, SF_MEMORY_DEVICE, &p));
        CHECK_OK(sf_device_get_info(device, &info));
        CHECK_EQUAL(info.memory_free_bytes, free_bytes - 1000);
    }
    CHECK_IS(sf_device_get_info(device, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_get_counters(device, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_get_replay(device, NULL, 0), SF_ERROR_INVALID_VALUE);
    CHECK_EQUAL(sf_device_failure(device)->count, 3);
    CHECK(sf_device_failure(device)->text && sf_device_failure(device)->where &&
          sf_device_failure(device)->call);
    test_close(device);
}
static void null_devices(void **state)
{
    sf_device_info info;
    sf_counters counters;
    sf_stream *s = NULL;
    sf_stream_pool *pool = NULL;
    sf_event *e = NULL;
    char line[8];
    (void)state;
    CHECK_IS(sf_device_close(NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_get_info(NULL, &info), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_synchronize(NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_reset(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_get_counters(NULL, &counters), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_get_replay(NULL, line, sizeof line), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_poll(NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_create(NULL, NULL, &s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_wrap(NULL, &s, &s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_pool_create(NULL, NULL, &pool), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_pool_destroy(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_event_create(NULL, 0, &e), SF_ERROR_INVALID_HANDLE);
    CHECK(!sf_stream_legacy(NULL));
    CHECK(!sf_device_native(NULL));
    CHECK_EQUAL(sf_device_failure(NULL)->result, SF_ERROR_INVALID_HANDLE);
    CHECK(sf_device_failure(NULL)->text[0]);
}
static void close_with_work_in_flight(void **state)
{
    sf_device *device = test_open_workers(1);
    uint32_t *words = (uint32_t *)test_memory(device, 4096), *flag = words, *data = words + 64;
    sf_stream *s = test_stream(device), *copy = test_stream(device);
    sf_event *e = test_event(device);
    (void)state;
    CHECK_OK(test_gate(s, flag, 1));
    CHECK_OK(test_mix(s, data, NULL, 1, 1, 7, 1000));
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_stream_wait_event(copy, e, 0));
    CHECK_OK(test_mix(copy, data + 1, data, 1, 0, 0, 0)); /* CUDA blocks in a memcpy between host memories */
    CHECK_IS(sf_device_close(device, 0), SF_TIMEOUT);
    CHECK_IS(sf_device_close(device, SF_MS(2)), SF_TIMEOUT);
    CHECK_IS(sf_device_synchronize(device, 0), SF_TIMEOUT);
    CHECK_IS(sf_device_synchronize(device, SF_MS(2)), SF_TIMEOUT);
    CHECK_IS(sf_stream_query(copy), SF_NOT_READY);           /* still open: all of it works */
    test_store(flag, 1);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_EQUAL(data[1], 7);
    CHECK_OK(test_mix(s, data, NULL, 1, 3, 1, 200000));
    CHECK_OK(sf_stream_destroy(s));
    test_close(device);                      /* handles alive, work not waited for: nothing leaks */
}

/* -- fixed memory, heaps -- */

static _Alignas(16) unsigned char fixed[1 << 18];
static uint32_t fixed_program(sf_device *device, uint32_t *out)      /* 0, or where it failed */
{
    sf_stream *s[2];
    sf_event *e;
    uint32_t *data;
    if (sf_mem_alloc(device, 64, SF_MEMORY_PINNED, (void **)&data)) { return 1; }
    for (int i = 0; i < 2; i++) {
        if (sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &s[i])) {
            return 2;
        }
    }
    if (sf_event_create(device, 0, &e)) { return 3; }
    if (sf_memset_async(s[0], data, 1, 64) || test_mix(s[0], data, NULL, 16, 3, 5, 0)) { return 4; }
    if (sf_event_record(e, s[0], 0) || sf_stream_wait_event(s[1], e, 0)) { return 5; }
    for (uint32_t i = 0; i < 40; i++) {      /* more than the stream holds */
        if (test_mix(s[1], data, NULL, 16, 5, i, 0)) { return 6; }
    }
    if (sf_device_synchronize(device, GUARD)) { return 7; }
    memcpy(out, data, 64);
    return sf_mem_free(device, data) || sf_stream_destroy(s[1]) || sf_event_destroy(e) ? 8 : 0;
}
static void lives_in_memory_handed_in(void **state)
{
    const sf_order orders[] = { SF_ORDER_THREADS, SF_ORDER_FIRST_IN, SF_ORDER_LAZY };
    uint32_t model[16], out[16], failed = 0, worked = 0;
    sf_device *device = NULL;
    (void)state;
    if (on_cuda()) { return; }
    memset(model, 1, sizeof model);
    test_mix_model(model, NULL, 16, 3, 5);
    for (uint32_t i = 0; i < 40; i++) { test_mix_model(model, NULL, 16, 5, i); }
    for (size_t o = 0; o < COUNT(orders); o++) {
        for (size_t bytes = 0; bytes < 40000; bytes += bytes < 16000 ? 97 : 1001) {
            test_heap heap = { 0 };          /* must not be asked */
            sf_device_desc desc = {
                .backend = SF_BACKEND_HOST, .host = { .order = orders[o], .workers = 2 },
                .heap = { test_heap_alloc, test_heap_free, &heap }, .memory = { fixed + 64, bytes }
            };
            memset(fixed, 0xa5, sizeof fixed);
            sf_result r = sf_device_open(&desc, &device);
            if (r == SF_OK) {
                uint32_t at = fixed_program(device, out);
                if (at == 0) {
                    worked++;
                    CHECK_BYTES(out, model, sizeof out);
                }
                CHECK(at <= 6);              /* room may lack, but what was taken gets done */
                CHECK_OK(sf_device_close(device, GUARD));
            } else {
                CHECK_IS(r, SF_ERROR_NO_ROOM);
                CHECK(!device);
                failed++;
            }
            CHECK_EQUAL(heap.total, 0);
            for (size_t i = 0; i < 64; i++) { CHECK_EQUAL(fixed[i], 0xa5); }
            for (size_t i = 64 + bytes; i < 64 + bytes + 256; i++) { CHECK_EQUAL(fixed[i], 0xa5); }
        }
    }
    CHECK(failed > 10 && worked > 10);
}
static void memory_not_aligned(void **state)
{
    uint32_t out[16];
    sf_device *device = NULL;
    (void)state;
    if (on_cuda()) { return; }
    for (size_t shift = 1; shift < 16; shift += 7) {
        sf_device_desc desc = { .host.order = SF_ORDER_FIRST_IN, .memory = { fixed + shift, 60000 } };
        CHECK_OK(sf_device_open(&desc, &device));
        CHECK_EQUAL(fixed_program(device, out), 0);
        test_close(device);
    }
}
static void heap_is_used_and_given_back(void **state)
{
    test_heap heap = { 0 };
    sf_device_desc desc = { .host.workers = 2, .heap = { test_heap_alloc, test_heap_free, &heap } };
    uint32_t out[16];
    long requests;
    sf_device *device;
    (void)state;
    if (on_cuda()) { return; }
    device = test_open_desc(&desc);
    CHECK(heap.live > 0);
    CHECK_EQUAL(fixed_program(device, out), 0);
    test_close(device);
    CHECK_EQUAL(heap.live, 0);
    requests = heap.total;
    for (long i = 1; i <= requests; i++) {   /* each request refused once */
        heap = (test_heap){ .fail_at = i };
        desc.backend = SF_BACKEND_HOST;
        sf_result r = sf_device_open(&desc, &device);
        if (r == SF_OK) {
            (void)fixed_program(device, out);
            test_close(device);
        } else {
            CHECK_IS(r, SF_ERROR_OUT_OF_MEMORY);
            CHECK(!device);
        }
        CHECK_EQUAL(heap.live, 0);
    }
}

/* -- streams -- */

/* -- how many, what they can, how threads wait -- */

static void *lift_soon(void *flag)
{
    usleep(1000);
    return test_store((uint32_t *)flag, 1), NULL;
}

static void devices_are_counted(void **state)
{
    int32_t n = 99, gpus = 99;
    sf_device *device;
    test_log log = { 0 };
    (void)state;
    CHECK_OK(sf_device_count(&(sf_device_desc){ .backend = SF_BACKEND_HOST }, &n));
    CHECK_EQUAL(n, 1);
    CHECK_OK(sf_device_count(NULL, &n));     /* GPUs, or the host device */
    CHECK(n >= 1);
    if (on_cuda()) {
        CHECK_OK(sf_device_count(&(sf_device_desc){ .backend = SF_BACKEND_CUDA }, &gpus));
        CHECK(gpus >= 1 && n == gpus);
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_CUDA, .ordinal = gpus - 1 }, &device));
        test_close(device);
        CHECK_IS(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_CUDA, .ordinal = gpus }, &device),
                 SF_ERROR_INVALID_DEVICE);
    }
    CHECK_IS(sf_device_count(NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_count(&(sf_device_desc){ .backend = (sf_backend)9, .logger = { test_log_func, &log } }, &n),
             SF_ERROR_INVALID_VALUE);
    CHECK(log.level == 1 && strstr(log.text, "sf_device_count") && strstr(log.text, ".backend"));
}
static void what_a_device_can(void **state)  /* numbers that go together */
{
    sf_device *device = test_open();
    sf_device_info i;
    (void)state;
    memset(&i, 0xee, sizeof i);
    CHECK_OK(sf_device_get_info(device, &i));
    CHECK(i.multiprocessors >= 1 && i.warp >= 1 && i.block_threads >= i.warp);
    CHECK(i.multiprocessor_threads >= i.block_threads);
    CHECK(i.mem_sync_domains >= 1 && i.copy_engines >= 0);
    CHECK(i.l2_persisting_bytes <= i.l2_bytes);
    CHECK(i.memory_bytes >= i.memory_free_bytes && i.memory_bytes > 0);
    CHECK(!i.concurrent_managed || i.managed);
    CHECK_EQUAL(i.pci[0] != 0, on_cuda());
    CHECK_EQUAL(memchr(i.pci, 0, sizeof i.pci) != NULL, true);
    CHECK_EQUAL(i.shared_bytes != 0, on_cuda());
    test_close(device);
}
/* The device's way to wait is that of streams, events and the device itself; a wrong one is refused. */
static void devices_wait_by_policy(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        sf_device_desc desc = { .wait = (sf_wait_policy)k, .host.workers = 2 };
        sf_device *device = test_open_desc(&desc);
        uint32_t *words = (uint32_t *)test_memory(device, 4096);
        sf_stream *s = test_stream(device);
        sf_event *e = test_event(device), *blocking;
        CHECK_OK(sf_event_create(device, SF_EVENT_BLOCKING_SYNC | SF_EVENT_DISABLE_TIMING, &blocking));
        for (int i = 0; i < 4; i++) {
            pthread_t lifter;
            words[0] = 0;
            CHECK_OK(test_gate(s, words, 1));
            CHECK_OK(test_mix(s, words + 64, NULL, 1, 1, 1, 0));
            CHECK_OK(sf_event_record(e, s, 0));
            CHECK_OK(sf_event_record(blocking, s, 0));
            CHECK_IS(sf_device_synchronize(device, SF_US(100)), SF_TIMEOUT);
            CHECK_IS(sf_event_synchronize(e, SF_US(100)), SF_TIMEOUT);
            CHECK_EQUAL(pthread_create(&lifter, NULL, lift_soon, words), 0);
            CHECK_OK(i == 0   ? sf_device_synchronize(device, GUARD)
                     : i == 1 ? sf_event_synchronize(e, GUARD)
                     : i == 2 ? sf_event_synchronize(blocking, SF_FOREVER)
                              : sf_stream_synchronize(s, SF_FOREVER));
            CHECK_EQUAL(words[64], (uint32_t)i + 1);
            CHECK_EQUAL(pthread_join(lifter, NULL), 0);
        }
        test_close(device);
    }
    sf_device *none = NULL;
    CHECK_IS(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .wait = (sf_wait_policy)4 }, &none),
             SF_ERROR_INVALID_VALUE);
    CHECK(!none);
}
static void stream_getters(void **state)
{
    sf_device *device = test_open(), *of = NULL;
    sf_device_info info;
    sf_stream *s, *legacy = sf_stream_legacy(device);
    uint64_t id = 0, ids[8], seen = 0;
    const int32_t wanted[] = { 0, -1, -100, 1, 100, INT32_MIN, INT32_MAX };
    (void)state;
    CHECK_OK(sf_device_get_info(device, &info));
    for (size_t i = 0; i < COUNT(wanted); i++) {
        int32_t p = wanted[i] < info.priority_greatest ? info.priority_greatest
                    : wanted[i] > 0                    ? 0
                                                       : wanted[i],
                got = 7;
        uint32_t flags = 99;
        sf_stream_desc desc = { .flags = i & 1,
                                .priority = wanted[i],
                                .name = i ? "a name that is longer than what is "
                                            "kept of names, which is cut"
                                          : NULL };
        CHECK_OK(sf_stream_create(device, &desc, &s));
        CHECK_OK(sf_stream_get_priority(s, &got));
        CHECK_EQUAL(got, p);
        CHECK_OK(sf_stream_get_flags(s, &flags));
        CHECK_EQUAL(flags, desc.flags);
        CHECK_OK(sf_stream_get_device(s, &of));
        CHECK(of == device);
        CHECK_OK(sf_stream_get_id(s, &id));
        for (uint64_t k = 0; k < seen; k++) { CHECK(ids[k] != id); }
        ids[seen++] = id;
        CHECK_EQUAL(sf_stream_native(s) != NULL, on_cuda());
        CHECK_OK(sf_stream_query(s));
        CHECK_OK(sf_stream_synchronize(s, 0));
        CHECK_OK(sf_stream_destroy(s));      /* an id is not used again */
    }
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_IS(sf_stream_get_priority(s, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_get_flags(s, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_get_id(s, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_get_device(s, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_create(device, NULL, NULL), SF_ERROR_INVALID_VALUE);
    for (uint32_t flags = 2; flags; flags <<= 1) {
        sf_stream_desc desc = { .flags = flags };
        if (flags == SF_STREAM_PROGRAMMATIC) { continue; }
        CHECK_IS(sf_stream_create(device, &desc, &s), SF_ERROR_INVALID_VALUE);
    }
    CHECK(legacy && legacy == sf_stream_legacy(device));
    CHECK_OK(sf_stream_get_device(legacy, &of));
    CHECK(of == device);
    CHECK_IS(sf_stream_destroy(legacy), SF_ERROR_INVALID_HANDLE);
    if (!on_cuda()) { CHECK_IS(sf_stream_wrap(device, &s, &s), SF_ERROR_NOT_SUPPORTED); }
    CHECK_IS(sf_stream_wrap(device, NULL, &s), SF_ERROR_INVALID_VALUE);
    test_close(device);
}
static void noop(void *user) { (void)user; }
static void check_stream_handle(sf_stream *s, sf_device *device, uint32_t *data)     /* not a stream */
{
    sf_event *e = test_event(device);
    sf_device *of;
    int32_t priority;
    uint32_t flags;
    uint64_t id;
    void *p;
    CHECK_IS(sf_stream_destroy(s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_query(s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_synchronize(s, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_wait_event(s, e, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_wait_stream(s, sf_stream_legacy(device)), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_wait_stream(sf_stream_legacy(device), s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_wait_stream(s, s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_join(s, sf_stream_legacy(device)), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_join(sf_stream_legacy(device), s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_get_priority(s, &priority), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_get_flags(s, &flags), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_get_id(s, &id), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_get_device(s, &of), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_launch_host_func(s, noop, NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_event_record(e, s, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_alloc_async(s, NULL, 16, &p), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_free_async(s, data), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_prefetch_async(s, data, 4, false), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_memset_async(s, data, 0, 4), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_memcpy_async(s, data, data, 4), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_memcpy_2d_async(s, data, 4, data, 4, 4, 1), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_memcpy_peer_async(s, data, device, data, device, 4), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(test_mix(s, data, NULL, 1, 1, 1, 0), SF_ERROR_INVALID_HANDLE);
    CHECK(!sf_stream_native(s));
    CHECK_OK(sf_event_destroy(e));
}
static void stale_and_foreign_handles(void **state)
{
    sf_device *device = test_open();
    uint32_t *data = (uint32_t *)test_memory(device, 64);
    sf_stream *s = test_stream(device);
    sf_event *e = test_event(device);
    sf_device_info info;
    (void)state;
    CHECK_OK(sf_stream_destroy(s));
    check_stream_handle(NULL, device, data);
    check_stream_handle(s, device, data);
    check_stream_handle((sf_stream *)(void *)e, device, data);
    check_stream_handle((sf_stream *)(void *)device, device, data);
    s = test_stream(device);
    CHECK_IS(sf_device_get_info((sf_device *)(void *)s, &info), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_event_query((sf_event *)(void *)s), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_pool_trim((sf_mem_pool *)(void *)s, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_stream_pool_destroy((sf_stream_pool *)(void *)s), SF_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(data[0], 0);
    test_close(device);
}
static void destroyed_stream_finishes(void **state)
{
    sf_device *device = test_open_workers(1);
    uint32_t *words = (uint32_t *)test_memory(device, 4096), *flag = words, *data = words + 64,
             model[64] = { 0 };
    sf_counters counters;
    sf_stream *s = test_stream(device), *other;
    sf_event *e = test_event(device);
    (void)state;
    CHECK_OK(test_gate(s, flag, 1));
    for (uint32_t i = 0; i < 50; i++) {
        CHECK_OK(test_mix(s, data, NULL, 64, 3, i, 500));
        test_mix_model(model, NULL, 64, 3, i);
    }
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_stream_destroy(s));
    CHECK_IS(sf_stream_query(s), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_device_get_counters(device, &counters));
    CHECK_EQUAL(counters.live_streams, 0);
    other = test_stream(device);             /* does not get the slot of one that still drains */
    CHECK(other != s);
    CHECK_OK(sf_stream_wait_event(other, e, 0));
    CHECK_OK(test_mix(other, data, NULL, 64, 5, 9, 0));
    test_mix_model(model, NULL, 64, 5, 9);
    CHECK_IS(sf_event_query(e), SF_NOT_READY);
    CHECK_IS(sf_device_synchronize(device, SF_MS(1)), SF_TIMEOUT);
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(other, GUARD));
    CHECK_BYTES(data, model, sizeof model);
    CHECK_OK(sf_event_query(e));
    test_close(device);
}
static void query_and_synchronize(void **state)
{
    sf_device *device = test_open_workers(1);
    uint32_t *flag = (uint32_t *)test_memory(device, 64);
    sf_stream *s = test_stream(device), *idle = test_stream(device);
    (void)state;
    CHECK_OK(test_gate(s, flag, 1));
    for (int i = 0; i < 3; i++) {
        CHECK_IS(sf_stream_query(s), SF_NOT_READY);
        CHECK_OK(sf_stream_query(idle));
        CHECK_IS(sf_stream_synchronize(s, 0), SF_TIMEOUT);
        CHECK_IS(sf_stream_synchronize(s, SF_MS(1)), SF_TIMEOUT);
        CHECK_OK(sf_stream_synchronize(idle, 0));
        CHECK_OK(sf_stream_synchronize(idle, SF_FOREVER));
    }
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(s, SF_FOREVER));
    CHECK_OK(sf_stream_query(s));
    CHECK_OK(sf_stream_synchronize(s, 0));
    CHECK_OK(sf_device_synchronize(device, 0));
    test_close(device);
}
static void in_order_within_a_stream(void **state)
{
    sf_device *device = test_open_workers(4);
    enum { N = 256, STREAMS = 5, ROUNDS = 300 };
    uint32_t *data = (uint32_t *)test_memory(device, STREAMS * N * 4), model[STREAMS][N] = { { 0 } };
    sf_stream *s[STREAMS];
    rng r = rng_seed(1);
    (void)state;
    for (int i = 0; i < STREAMS; i++) { s[i] = test_stream(device); }
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < STREAMS; i++) {
            uint32_t mul = rng_next(&r) | 1, add = rng_next(&r), half = rng_below(&r, N / 2);
            uint32_t *d = data + i * N;
            switch (rng_below(&r, 3)) {
            case 0:
                CHECK_OK(test_mix(s[i], d, NULL, N, mul, add, rng_below(&r, 2000)));
                test_mix_model(model[i], NULL, N, mul, add);
                break;
            case 1:
                CHECK_OK(sf_memcpy_async(s[i], d, d + N / 2, half * 4));
                memcpy(model[i], model[i] + N / 2, half * 4);
                break;
            default:
                CHECK_OK(sf_memset_async(s[i], d + half, (uint8_t)add, 16));
                memset(model[i] + half, (uint8_t)add, 16);
            }
        }
    }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_BYTES(data, model, sizeof model);
    test_close(device);
}

/* A kernel that waits for what is enqueued later, by another stream or by the host, must not hold up a
   worker. */
static void waiting_kernels_block_nobody(void **state)
{
    (void)state;
    for (int32_t workers = 1; workers <= 3; workers++) {
        sf_device *device = test_open_workers(workers);
        enum { STREAMS = 8 };
        uint32_t *words = (uint32_t *)test_memory(device, 4096), *flags = words, *data = words + 512;
        sf_stream *s[STREAMS + 1];
        const int n = on_cuda() ? 4 : STREAMS;   /* a GPU has 8 queues, and streams that share one wait in it */
        for (int i = 0; i <= n; i++) { s[i] = test_stream(device); }
        for (int i = 0; i < n; i++) {        /* each waits for the next one, the last for the host */
            CHECK_OK(test_gate(s[i], &flags[i + 1], 1));
            CHECK_OK(test_mix(s[i], &data[i], &data[i + 1], 1, 0, 1, 100));
            CHECK_OK(test_lift(s[i], &flags[i], 1));
        }
        CHECK_OK(test_mix(s[n], &data[100], NULL, 1, 1, 5, 0));
        CHECK_OK(sf_stream_synchronize(s[n], GUARD));  /* gets through, though all others wait */
        CHECK_EQUAL(data[100], 5);
        CHECK_IS(sf_device_synchronize(device, SF_MS(1)), SF_TIMEOUT);
        test_store(&flags[n], 1);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        for (int i = 0; i < n; i++) { CHECK_EQUAL(data[i], (uint32_t)(n - i)); }
        test_close(device);
    }
}
/* A thread that is cancelled in a wait goes at once, and takes no lock and no handle with it. */
static void *wait_to_be_cancelled(void *arg) { return (void)sf_stream_synchronize((sf_stream *)arg, SF_FOREVER), NULL; }
static void cancelled_in_a_wait(void **state)
{
    sf_device *device;
    uint32_t *words;
    sf_stream *s;
    (void)state;
    if (on_cuda()) { return; }               /* the driver's wait */
    device = test_open_workers(2);
    words = (uint32_t *)test_memory(device, 4096);
    s = test_stream(device);
    for (uint32_t i = 1; i <= 20; i++) {
        sf_counters counters;
        pthread_t thread;
        void *result = NULL;
        sf_stream_value wait = { .wait = (sf_wait_policy)(i % 4) };
        CHECK_OK(sf_stream_set_attribute(s, SF_STREAM_SYNCHRONIZATION_POLICY, &wait));
        CHECK_OK(test_gate(s, words, i));
        CHECK_EQUAL(pthread_create(&thread, NULL, wait_to_be_cancelled, s), 0);
        do { CHECK_OK(sf_device_get_counters(device, &counters)); } while (counters.synchronizes < i && !sched_yield());
        usleep(i * 100);                     /* it is in the wait by now, most times */
        CHECK_EQUAL(pthread_cancel(thread), 0);
        CHECK_EQUAL(pthread_join(thread, &result), 0);
        CHECK(result == PTHREAD_CANCELED);
        CHECK_IS(sf_stream_query(s), SF_NOT_READY);
        test_store(words, i);
        CHECK_OK(sf_stream_synchronize(s, GUARD));
    }
    CHECK_OK(sf_stream_destroy(s));          /* nobody is inside */
    test_close(device);
}
/* Of kernels that wait, all are asked again and again, the less urgent ones, too. */
static void waiting_kernels_take_turns(void **state)
{
    (void)state;
    for (int32_t workers = 1; workers <= 2; workers++) {
        sf_device *device = test_open_workers(workers);
        enum { STREAMS = 6 };
        uint32_t *words = (uint32_t *)test_memory(device, 4096), *flags = words, *data = words + 512;
        sf_stream *s[STREAMS];
        const int n = on_cuda() ? 4 : STREAMS;
        for (int i = 0; i < n; i++) {        /* the most urgent one waits for the next, and so on */
            sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING, .priority = i - STREAMS };
            CHECK_OK(sf_stream_create(device, &desc, &s[i]));
            CHECK_OK(test_gate(s[i], &flags[i + 1], 1));
            CHECK_OK(test_mix(s[i], &data[i], &data[i + 1], 1, 0, 1, 100));
            CHECK_OK(test_lift(s[i], &flags[i], 1));
        }
        CHECK_IS(sf_device_synchronize(device, SF_MS(20)), SF_TIMEOUT);     /* all have been asked by now */
        test_store(&flags[n], 1);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        for (int i = 0; i < n; i++) { CHECK_EQUAL(data[i], (uint32_t)(n - i)); }
        test_close(device);
    }
}
static void urgent_streams_first(void **state)
{
    sf_device *device;
    uint32_t *words, *flag, *log;
    sf_stream *gate, *s[6];
    (void)state;
    if (on_cuda()) { return; }               /* a hint there */
    device = test_open_workers(1);
    words = (uint32_t *)test_memory(device, 4096);
    flag = words, log = words + 64;
    gate = test_stream(device);
    for (int32_t i = 0; i < 6; i++) {
        sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING, .priority = -i };
        CHECK_OK(sf_stream_create(device, &desc, &s[i]));
    }
    CHECK_OK(test_gate(gate, flag, 1));
    sf_event *e = test_event(device);
    CHECK_OK(sf_event_record(e, gate, 0));
    for (uint32_t i = 0; i < 6; i++) {
        mix_args a = { .dst = &words[512], .n = 1, .log = log, .id = i };
        CHECK_OK(sf_stream_wait_event(s[i], e, 0));
        CHECK_OK(sf_launch(s[i], &mix_kernel, &a, sizeof a));
    }
    test_store(flag, 1);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    for (uint32_t i = 0; i < 6; i++) { CHECK_EQUAL(log[1 + i], 5 - i); }
    test_close(device);
}
static void small_depth(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth <= 4; depth++) {
        sf_device *device =
            test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .stream_depth = depth } });
        uint32_t *data = (uint32_t *)test_memory(device, 256), model[4] = { 0 };
        sf_stream *s[2] = { test_stream(device), test_stream(device) };
        sf_event *e = test_event(device);
        for (uint32_t i = 0; i < 300;
             i++) { /* commands of different size, so that the ring wraps everywhere */
            blob_args b = { .out = data + 8, .words = i % 7 };
            CHECK_OK(test_mix(s[i & 1], data, NULL, 4, 3, i, i % 50));
            CHECK_OK(sf_launch(s[i & 1], &blob_kernel, &b, i % 3 ? sizeof b : 16 + 4 * (i % 7)));
            CHECK_OK(sf_event_record(e, s[i & 1], 0));
            CHECK_OK(sf_stream_wait_event(s[~i & 1], e, 0));
            test_mix_model(model, NULL, 4, 3, i);
        }
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_BYTES(data, model, sizeof model);
        test_close(device);
    }
}
static void depth_is_exact(void **state)     /* so many wait; for one more the caller runs the first */
{
    (void)state;
    if (on_cuda()) { return; }
    for (uint32_t depth = 0; depth < 6; depth++) {
        sf_device *device = test_open_desc(
            &(sf_device_desc){ .host = { .order = SF_ORDER_FIRST_IN, .stream_depth = depth } });
        sf_stream *s = test_stream(device);
        uint32_t data = 0, holds = depth ? depth : 1024;
        for (uint32_t i = 0; i < holds + 3; i++) {
            CHECK_OK(test_mix(s, &data, NULL, 1, 1, 1, 0));
            CHECK_EQUAL(data, i < holds ? 0 : i + 1 - holds);
        }
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_EQUAL(data, holds + 3);
        test_close(device);
    }
}
static void a_deep_queue_behind_a_gate(void **state)
{
    sf_device *device = test_open_workers(1);
    uint32_t *words = (uint32_t *)test_memory(device, 1024), *data = words + 64, model[2] = { 0 };
    uint32_t n = on_cuda() ? 500 : 1023;     /* the driver's own queue holds about 1000 */
    sf_stream *s = test_stream(device);
    (void)state;
    CHECK_OK(test_gate(s, words, 1));
    for (uint32_t i = 0; i < n;
         i++) { /* blocks for ever if fewer fit: nobody opens the gate before the end */
        CHECK_OK(test_mix(s, data, NULL, 2, 3, i, 0));
        test_mix_model(model, NULL, 2, 3, i);
    }
    CHECK_EQUAL(data[0], 0);
    test_store(words, 1);
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_BYTES(data, model, sizeof model);
    test_close(device);
}

/* CUDA's driver would wait for the kernel, to make room for more of them. */
enum { STREAMS = 100 };
typedef struct stream_maker {
    sf_device *device;
    uint32_t *words, done;
    sf_stream *made[STREAMS];
    sf_result result;
} stream_maker;
static void *make_streams(void *arg)
{
    stream_maker *m = (stream_maker *)arg;
    sf_device_info info;
    m->result = sf_device_get_info(m->device, &info);
    for (uint32_t i = 0; i < STREAMS && m->result >= 0; i++) {
        sf_stream_desc desc = { .flags = i % 2 ? SF_STREAM_NON_BLOCKING : SF_STREAM_DEFAULT };
        desc.priority = -(int32_t)(i % (uint32_t)(1 - info.priority_greatest));
        m->result = sf_stream_create(m->device, &desc, &m->made[i]);
        if (m->result >= 0) { m->result = test_mix(m->made[i], m->words + i, NULL, 1, 3, i + 1, 0); }
        if (m->result >= 0) { m->result = sf_stream_synchronize(m->made[i], GUARD); }
    }
    test_store(&m->done, 1);
    return NULL;
}
static void streams_made_while_a_kernel_stays(void **state)
{
    sf_device *device = test_open_workers(2);
    uint32_t *words = (uint32_t *)test_memory(device, 1024);
    sf_stream *s = test_stream(device);
    stream_maker m = { .device = device, .words = words + 64 };
    pthread_t thread;
    bool in_time;
    (void)state;
    CHECK_OK(test_mix(s, words + 32, NULL, 1, 0, 0, 0));     /* loads it */
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_OK(sf_device_stay(device));
    CHECK_OK(test_gate(s, words, 1));
    CHECK_EQUAL(pthread_create(&thread, NULL, make_streams, &m), 0);
    for (int i = 0; i < 30000 && !test_load(&m.done); i++) { usleep(1000); }
    in_time = test_load(&m.done) != 0;
    test_store(words, 1);                    /* or it would wait for ever */
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK(in_time);
    CHECK_OK(m.result);
    for (uint32_t i = 0; i < STREAMS; i++) {
        CHECK_EQUAL(m.words[i], i + 1);
        CHECK_OK(sf_stream_destroy(m.made[i]));
    }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_OK(sf_device_leave(device));
    test_close(device);
}

/* What a device has to do, with a deadline: on a stream that is destroyed, and on another thread's default stream. */
typedef struct own_work { sf_device *device; uint32_t *words; sf_result result; } own_work;
static void *begin_own_work(void *user)
{
    own_work *w = (own_work *)user;
    sf_stream *own = sf_stream_per_thread(w->device);
    w->result = own ? test_gate(own, w->words, 2) : SF_ERROR_INVALID_HANDLE;
    if (w->result >= 0) { w->result = test_mix(own, w->words + 2, NULL, 1, 0, 7, 0); }
    return NULL;
}
static void a_device_is_done_with_what_nobody_has(void **state)
{
    sf_device *device = test_open_workers(2);
    uint32_t *words = (uint32_t *)test_memory(device, 64);
    sf_stream *s = test_stream(device);
    own_work w = { .device = device, .words = words };
    pthread_t thread;
    (void)state;
    CHECK_OK(test_gate(s, words, 1));
    CHECK_OK(test_mix(s, words + 1, NULL, 1, 0, 5, 0));
    CHECK_OK(sf_stream_destroy(s));
    CHECK_IS(sf_device_synchronize(device, 0), SF_TIMEOUT);
    CHECK_IS(sf_device_synchronize(device, SF_MS(2)), SF_TIMEOUT);
    CHECK_EQUAL(test_load(words + 1), 0);
    test_store(words, 1);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_EQUAL(words[1], 5);
    CHECK_EQUAL(pthread_create(&thread, NULL, begin_own_work, &w), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_OK(w.result);
    CHECK_IS(sf_device_synchronize(device, SF_MS(2)), SF_TIMEOUT);
    CHECK_EQUAL(test_load(words + 2), 0);
    test_store(words, 2);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_EQUAL(words[2], 7);
    CHECK_OK(sf_mem_free(device, words));
    test_close(device);
}

/* A thread that ends leaves its default stream as it is; the next thread, which mostly has its block, starts anew. */
typedef struct successor {
    sf_device *device;
    uint32_t *words;
    bool captures;                           /* what it leaves behind: a capture, or work that waits */
    sf_result result;
} successor;
static void *leave_a_stream(void *user)
{
    successor *x = (successor *)user;
    sf_stream *own = sf_stream_per_thread(x->device);
    x->result = own == sf_stream_per_thread(x->device) ? SF_OK : SF_ERROR_INVALID_HANDLE;
    if (x->captures) {
        if (x->result >= 0) { x->result = sf_stream_begin_capture(own, SF_CAPTURE_THREAD_LOCAL); }
        if (x->result >= 0) { x->result = test_mix(own, x->words + 2, NULL, 1, 0, 3, 0); }
        (void)sf_memset_async(own, NULL, 0, 4);              /* a failure of its own */
    } else if (x->result >= 0) {
        x->result = test_gate(own, x->words, 1);
    }
    return NULL;
}
static void *find_a_stream(void *user)
{
    successor *x = (successor *)user;
    sf_stream *own = sf_stream_per_thread(x->device);
    sf_capture_status status = SF_CAPTURE_ACTIVE;
    x->result = sf_stream_is_capturing(own, &status);
    if (x->result >= 0 && status != SF_CAPTURE_NONE) { x->result = SF_ERROR_CAPTURE_UNSUPPORTED; }
    if (x->result >= 0) { x->result = sf_stream_take_failure(own); }
    if (x->result >= 0) { x->result = test_mix(own, x->words + 1, NULL, 1, 1, 5, 0); }
    if (x->result >= 0) { x->result = sf_stream_synchronize(own, GUARD / 10); }
    return NULL;
}
static void a_new_thread_has_a_new_stream(void **state)
{
    sf_device *device = test_open();
    uint32_t *words = (uint32_t *)test_memory(device, 64), turns = 0;
    (void)state;
    for (int i = 0; i < 6; i++) {
        successor x = { .device = device, .words = words, .captures = i % 2 == 0 };
        void *(*const step[])(void *) = { leave_a_stream, find_a_stream };
        test_store(words, 0);
        for (int k = 0; k < 2; k++) {
            pthread_t thread;
            CHECK_EQUAL(pthread_create(&thread, NULL, step[k], &x), 0);
            CHECK_EQUAL(pthread_join(thread, NULL), 0);
            CHECK_OK(x.result);
        }
        CHECK_EQUAL(test_load(words + 1), 5 * ++turns);
        CHECK_EQUAL(test_load(words + 2), 0);
        test_store(words, 1);
    }
    test_close(device);                      /* a thread with another block has left the capture to this */
}

static void stays_are_counted(void **state)
{
    sf_device *device = test_open();
    const char *queues = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    int most = !on_cuda() ? 16 : queues ? atoi(queues) : 8, n = 0;
    sf_result r;
    (void)state;
    while ((r = sf_device_stay(device)) == SF_OK) { n++; }
    CHECK_IS(r, SF_BUSY);
    CHECK(strstr(sf_device_failure(device)->text, "CUDA_DEVICE_MAX_CONNECTIONS=16"));
    CHECK_EQUAL(n, most < 16 ? most : 16);
    CHECK_OK(sf_device_leave(device));
    CHECK_OK(sf_device_stay(device));
    while (n-- > 0) { CHECK_OK(sf_device_leave(device)); }
    CHECK_IS(sf_device_leave(device), SF_ERROR_ILLEGAL_STATE);
    test_close(device);
}

/* -- host functions -- */

typedef struct host_call { uint32_t *calls, *data, expected, seen; } host_call;
static void host_call_func(void *user)
{
    host_call *c = (host_call *)user;
    c->seen = *c->data;                      /* all earlier work done, no later work begun */
    test_spin(500);
    c->seen += *c->data - c->seen;
    c->expected = ++*c->calls;
}
static void host_functions_once_in_order(void **state)
{
    sf_device *device = test_open_workers(4);
    enum { N = 200 };
    uint32_t *data = (uint32_t *)test_memory(device, 64), model[N], calls = 0;
    static host_call call[N];
    sf_stream *s = test_stream(device);
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        call[i] = (host_call){ .calls = &calls, .data = data };
        CHECK_OK(test_mix(s, data, NULL, 1, 3, i + 1, 300));
        CHECK_OK(sf_launch_host_func(s, host_call_func, &call[i]));
        model[i] = i ? model[i - 1] * 3 + i + 1 : 1;
    }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(calls, N);
    for (uint32_t i = 0; i < N; i++) {
        CHECK_EQUAL(call[i].expected, i + 1);
        CHECK_EQUAL(call[i].seen, model[i]);
    }
    CHECK_IS(sf_launch_host_func(s, NULL, NULL), SF_ERROR_INVALID_VALUE);
    test_close(device);
}

enum { MAX_CALLS = 64 };
typedef struct every_call {
    sf_device *device;
    sf_stream *stream, *idle;
    sf_event *event;
    sf_mem_pool *mem_pool;
    sf_stream_pool *stream_pool;
    void *memory;
    sf_result results[MAX_CALLS];
    const char *names[MAX_CALLS];
    uint32_t count;
    bool handed_out;
} every_call;
static void every_call_func(void *user)
{
    every_call *c = (every_call *)user;
    sf_device *device = NULL;
    sf_device_info info;
    sf_counters counters;
    sf_stream *s = NULL;
    sf_event *e = NULL;
    sf_stream_pool *sp = NULL;
    sf_mem_pool *mp = NULL;
    sf_mem_pool_info pool_info;
    sf_mem_pool_desc pool_desc = { .kind = SF_MEM_POOL_BLOCKS, .block_bytes = 16, .blocks = 1 };
    char line[64];
    int32_t priority;
    uint32_t flags;
    uint64_t id;
    float ms;
    void *p = NULL;
    sf_memory kind;
#define CALL(expression) c->names[c->count] = #expression, c->results[c->count++] = (expression)
    CALL(sf_device_open(NULL, &device));
    CALL(sf_device_close(c->device, 0));
    CALL(sf_device_get_info(c->device, &info));
    CALL(sf_device_synchronize(c->device, 0));
    CALL(sf_device_reset(c->device));
    CALL(sf_device_get_counters(c->device, &counters));
    CALL(sf_device_get_replay(c->device, line, sizeof line));
    CALL(sf_device_poll(c->device, 0));
    CALL(sf_stream_create(c->device, NULL, &s));
    CALL(sf_stream_destroy(c->idle));
    CALL(sf_stream_wrap(c->device, c, &s));
    CALL(sf_stream_query(c->idle));
    CALL(sf_stream_synchronize(c->stream, SF_FOREVER));
    CALL(sf_stream_wait_event(c->stream, c->event, 0));
    CALL(sf_stream_wait_stream(c->stream, c->idle));
    CALL(sf_stream_wait_stream(c->stream, c->stream));
    CALL(sf_stream_join(c->stream, c->idle));
    CALL(sf_stream_get_priority(c->idle, &priority));
    CALL(sf_stream_get_flags(c->idle, &flags));
    CALL(sf_stream_get_id(c->idle, &id));
    CALL(sf_stream_get_device(c->idle, &device));
    CALL(sf_launch_host_func(c->stream, noop, NULL));
    CALL(sf_stream_pool_create(c->device, NULL, &sp));
    CALL(sf_stream_pool_destroy(c->stream_pool));
    CALL(sf_event_create(c->device, 0, &e));
    CALL(sf_event_destroy(c->event));
    CALL(sf_event_record(c->event, c->stream, 0));
    CALL(sf_event_query(c->event));
    CALL(sf_event_synchronize(c->event, SF_FOREVER));
    CALL(sf_event_elapsed_ms(c->event, c->event, &ms));
    CALL(sf_mem_alloc(c->device, 16, SF_MEMORY_HOST, &p));
    CALL(sf_mem_free(c->device, c->memory));
    CALL(sf_mem_get_device_pointer(c->device, c->memory, &p));
    CALL(sf_mem_get_kind(c->device, c->memory, &kind));
    CALL(sf_mem_alloc_async(c->stream, NULL, 16, &p));
    CALL(sf_mem_free_async(c->stream, c->memory));
    CALL(sf_mem_prefetch_async(c->stream, c->memory, 16, true));
    CALL(sf_memset_async(c->stream, c->memory, 0xff, 16));
    CALL(sf_memcpy_async(c->stream, c->memory, line, 16));
    CALL(sf_memcpy_2d_async(c->stream, c->memory, 8, line, 8, 8, 2));
    CALL(sf_memcpy_peer_async(c->stream, c->memory, c->device, c->memory, c->device, 16));
    CALL(sf_mem_pool_create(c->device, &pool_desc, &mp));
    CALL(sf_mem_pool_destroy(c->mem_pool));
    CALL(sf_mem_pool_trim(c->mem_pool, 0));
    CALL(sf_mem_pool_get_info(c->mem_pool, &pool_info));
    CALL(test_mix(c->stream, (uint32_t *)c->memory, NULL, 1, 1, 1, 0));
    CALL(sf_stream_query(sf_stream_legacy(c->device)));
    CALL(sf_stream_query(sf_stream_per_thread(c->device)));
#undef CALL
    c->handed_out = device || s || e || sp || mp || p || sf_device_native(c->device) || sf_stream_native(c->stream) || sf_event_native(c->event);
}
static void nothing_is_permitted_inside(void **state)
{
    static every_call c;
    sf_mem_pool_desc pool_desc = { .kind = SF_MEM_POOL_BLOCKS, .block_bytes = 16, .blocks = 1 };
    uint32_t zero[4] = { 0 };
    (void)state;
    c = (every_call){ .device = test_open() };
    c.stream = test_stream(c.device), c.idle = test_stream(c.device), c.event = test_event(c.device);
    c.memory = test_memory(c.device, 64);
    CHECK_OK(sf_mem_pool_create(c.device, &pool_desc, &c.mem_pool));
    CHECK_OK(sf_stream_pool_create(c.device, NULL, &c.stream_pool));
    CHECK_OK(sf_launch_host_func(c.stream, every_call_func, &c));
    CHECK_OK(sf_stream_synchronize(c.stream, GUARD));
    CHECK(c.count > 40);
    for (uint32_t i = 0; i < c.count; i++) {
        if (c.results[i] != SF_ERROR_NOT_PERMITTED) {
            fail_msg("inside a host function %s: %s", c.names[i], sf_result_string(c.results[i]));
        }
    }
    CHECK(!c.handed_out);
    CHECK_BYTES(c.memory, zero, sizeof zero);
    CHECK_OK(test_mix(c.idle, (uint32_t *)c.memory, NULL, 1, 1, 4, 0)); /* and all is well outside of it */
    CHECK_OK(sf_event_record(c.event, c.idle, 0));
    CHECK_OK(sf_event_synchronize(c.event, GUARD));
    CHECK_EQUAL(*(uint32_t *)c.memory, 4);
    CHECK_OK(sf_mem_pool_destroy(c.mem_pool));
    CHECK_OK(sf_stream_pool_destroy(c.stream_pool));
    test_close(c.device);
}
/* What is none of an enum, or a flag of another call, is refused, and the sentence says which argument it is. */
static void unknown_values_are_named(void **state)
{
    test_log log = { 0 };
    sf_device *device = test_open_desc(&(sf_device_desc){ .logger = { test_log_func, &log } }), *none;
    sf_stream *s = test_stream(device), *t;
    sf_mem_pool *pool;
    sf_policy *policy;
    sf_graph *g;
    sf_graph_exec *x;
    sf_graph_node *n;
    void *p;
    const sf_node_desc memset_node = { .type = SF_NODE_MEMSET, .mem = { .dst = test_memory(device, 64), .bytes = 4 } };
    (void)state;
#define REFUSED(call, word)                                                                                  \
    do {                                                                                                     \
        log.text[0] = 0;                                                                                     \
        CHECK_IS(call, SF_ERROR_INVALID_VALUE);                                                              \
        if (!strstr(log.text, word)) { fail_msg("%s: %s", #call, log.text); }                                \
    } while (0)
#define OPEN(...) sf_device_open(&(sf_device_desc){ .logger = { test_log_func, &log }, __VA_ARGS__ }, &none)
    REFUSED(OPEN(.backend = (sf_backend)99), ".backend");
    REFUSED(OPEN(.backend = test_backend, .host.order = (sf_order)99), ".host.order");
    REFUSED(OPEN(.backend = test_backend, .host.workers = -1), ".host.workers");
    REFUSED(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_ADOPT }, &t), "sf_receive_stream()");
    REFUSED(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_SYNC_TO_DEFAULT }, &t), "flags");
    REFUSED(sf_mem_alloc(device, 64, (sf_memory)99, &p), "kind of memory");
    REFUSED(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .kind = (sf_mem_pool_kind)99 }, &pool), ".kind");
    REFUSED(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .memory = (sf_memory)99, .blocks = 1, .block_bytes = 8 }, &pool),
            ".memory");
    REFUSED(sf_policy_create(device, &(sf_policy_desc){ .kind = (sf_policy_kind)99 }, &policy), "no such kind");
    REFUSED(sf_stream_begin_capture(s, (sf_capture_mode)99), "mode");
    CHECK_OK(sf_graph_create(device, &g));
    REFUSED(sf_stream_begin_capture_to_graph(s, g, NULL, 0, (sf_capture_mode)99), "mode");
    CHECK_OK(sf_graph_add_node(g, NULL, 0, &memset_node, &n));
    REFUSED(sf_graph_add_node(g, &(sf_dependency){ n, (sf_dependency_type)99 }, 1, &memset_node, NULL), "edge type");
    REFUSED(sf_graph_add_node(g, NULL, 0, &(sf_node_desc){ .type = (sf_node_type)99 }, NULL), "type of node");
    REFUSED(sf_graph_instantiate(g, 4, &x), "flags");
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
    REFUSED(sf_stream_update_capture_dependencies(s, NULL, 0, 2), "SF_CAPTURE_ADD_DEPENDENCIES");
    CHECK_OK(sf_stream_end_capture(s, NULL));
    REFUSED(sf_event_create(device, 4, NULL), "flags");
#undef OPEN
#undef REFUSED
    CHECK_OK(sf_graph_destroy(g));
    test_close(device);
}
/* A host function that blocks holds up its stream and the other host functions, but no kernel. */
static struct { uint32_t open, inside, most, ran; } hall;
static void stay_in_the_hall(void *user)
{
    uint32_t now = test_add(&hall.inside, 1) + 1;
    (void)user;
    if (now > test_load(&hall.most)) { test_store(&hall.most, now); }
    for (int i = 0; i < 30000 && !test_load(&hall.open); i++) { usleep(1000); }
    test_add(&hall.ran, 1);
    test_add(&hall.inside, (uint32_t)-1);
}
static void stay_as_callback(sf_stream *stream, sf_result status, void *user)
{
    (void)stream, (void)status;
    stay_in_the_hall(user);
}
static void host_functions_block_no_kernel(void **state)
{
    (void)state;
    for (int32_t workers = 1; workers <= 3; workers++) {
        sf_device *device = test_open_workers(workers);
        sf_stream *s[5];
        uint32_t *word = (uint32_t *)test_memory(device, 64);
        memset(&hall, 0, sizeof hall);
        for (int i = 0; i < 5; i++) { s[i] = test_stream(device); }
        for (int i = 0; i < 4; i++) {
            CHECK_OK(i == 1 ? sf_stream_add_callback(s[i], stay_as_callback, NULL, 0)
                            : sf_launch_host_func(s[i], stay_in_the_hall, NULL));
            CHECK_OK(test_lift(s[i], word + 1 + i, 1));
        }
        for (int i = 0; i < 30000 && !test_load(&hall.inside); i++) { usleep(1000); }
        CHECK_OK(test_lift(s[4], word, 7));
        CHECK_OK(sf_stream_synchronize(s[4], GUARD));
        CHECK_EQUAL(test_load(word), 7);
        CHECK_EQUAL(test_load(&hall.inside), 1);
        for (int i = 0; i < 4; i++) { CHECK_EQUAL(test_load(word + 1 + i), 0); }     /* behind theirs */
        test_store(&hall.open, 1);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_EQUAL(test_load(&hall.ran), 4);
        CHECK_EQUAL(test_load(&hall.most), 1);
        CHECK_OK(sf_mem_free(device, word));
        test_close(device);
    }
}

/* -- the default stream -- */

static sf_stream *blocking_stream(sf_device *device)
{
    sf_stream *s;
    CHECK_OK(sf_stream_create(device, NULL, &s));
    return s;
}
static void legacy_waits_for_blocking_streams(void **state)
{
    sf_device *device = test_open_workers(2);
    uint32_t *words = (uint32_t *)test_memory(device, 4096), *flag = words, *data = words + 64;
    sf_stream *legacy = sf_stream_legacy(device), *a = blocking_stream(device), *b = blocking_stream(device);
    sf_stream *free_one = test_stream(device);
    (void)state;
    CHECK_OK(test_gate(a, flag, 1));
    CHECK_OK(test_mix(a, data, NULL, 1, 1, 10, 1000));
    CHECK_OK(test_mix(b, data + 8, NULL, 1, 1, 3, 0)); /* nothing on the default stream yet: b is free */
    CHECK_OK(sf_stream_synchronize(b, GUARD));
    CHECK_EQUAL(data[8], 3);
    CHECK_IS(sf_stream_query(legacy), SF_NOT_READY);         /* busy while a blocking stream is */
    CHECK_OK(test_mix(legacy, data, NULL, 1, 3, 1, 1000));   /* after a */
    CHECK_OK(test_mix(legacy, data + 2, data, 1, 0, 0, 1000));
    CHECK_OK(test_mix(b, data, NULL, 1, 5, 2, 1000));        /* after the default stream */
    CHECK_OK(test_mix(a, data + 1, data + 2, 1, 0, 0, 0));   /* and so is a */
    CHECK_OK(test_mix(free_one, data + 9, NULL, 1, 1, 4, 0));
    CHECK_OK(sf_stream_synchronize(free_one, GUARD));        /* not blocking: not held up */
    CHECK_EQUAL(data[9], 4);
    CHECK_IS(sf_stream_query(b), SF_NOT_READY);
    CHECK_IS(sf_stream_synchronize(legacy, SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(data[0], 0);
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(legacy, GUARD));          /* of the default stream: of all blocking ones */
    CHECK_OK(sf_stream_query(a));
    CHECK_OK(sf_stream_query(b));
    CHECK_EQUAL(data[0], (10 * 3 + 1) * 5 + 2);
    CHECK_EQUAL(data[1], 10 * 3 + 1);
    test_close(device);
}
static void legacy_and_non_blocking(void **state)
{
    sf_device *device = test_open_workers(2);
    uint32_t *words = (uint32_t *)test_memory(device, 4096), *flag = words, *data = words + 64;
    sf_stream *legacy = sf_stream_legacy(device), *b = blocking_stream(device), *n = test_stream(device);
    (void)state;
    CHECK_OK(test_gate(n, flag, 1));
    CHECK_OK(sf_stream_query(legacy));
    CHECK_OK(test_mix(legacy, data, NULL, 1, 1, 1, 0));      /* not held up by n */
    CHECK_OK(sf_stream_synchronize(legacy, GUARD));
    CHECK_EQUAL(data[0], 1);
    CHECK_OK(test_gate(legacy, flag + 1, 1));                /* now the default stream is busy */
    CHECK_OK(sf_stream_query(b));            /* b is empty: the order is made by the next command */
    CHECK_OK(test_mix(b, data, NULL, 1, 1, 1, 0));
    CHECK_IS(sf_stream_query(b), SF_NOT_READY);
    CHECK_IS(sf_stream_synchronize(b, SF_MS(1)), SF_TIMEOUT);
    CHECK_EQUAL(data[0], 1);
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(n, GUARD));
    test_store(flag + 1, 1);
    CHECK_OK(sf_stream_synchronize(b, GUARD));
    CHECK_EQUAL(data[0], 2);
    test_close(device);
}
/* Who has to wait for room comes behind what others have enqueued meanwhile, or before it, but not beside it. */
static struct { sf_stream *stream; uint32_t open, inside, beside; sf_result result; } full;
static int full_gate(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    return test_load(&full.open) ? 0 : SF_NOT_READY;
}
static int full_work(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    full.beside += test_add(&full.inside, 1) != 0;
    usleep(20000);
    test_add(&full.inside, UINT32_MAX);
    return 0;
}
static const sf_kernel full_gates = { .name = "gate", .host = full_gate };
static const sf_kernel full_works = { .name = "work", .host = full_work };
static void *into_a_full_stream(void *arg)
{
    full.result = sf_launch(full.stream, &full_works, NULL, 0);
    return arg;
}
static void legacy_beside_a_full_stream(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* the driver's matter */
    for (uint32_t depth = 2; depth < 6; depth++) {           /* with room for a wait and its launch */
        for (int swap = 0; swap < 2; swap++) {
            sf_device *device =
                test_open_desc(&(sf_device_desc){ .host = { .workers = 3, .stream_depth = depth } });
            sf_stream *s, *legacy = sf_stream_legacy(device);
            pthread_t thread;
            memset(&full, 0, sizeof full);
            CHECK_OK(sf_stream_create(device, NULL, &s));
            full.stream = swap ? legacy : s;
            for (uint32_t i = 0; i < depth; i++) { CHECK_OK(sf_launch(full.stream, &full_gates, NULL, 0)); }
            CHECK_EQUAL(pthread_create(&thread, NULL, into_a_full_stream, NULL), 0);
            usleep(20000);
            CHECK_OK(sf_launch(swap ? s : legacy, &full_works, NULL, 0));
            test_store(&full.open, 1);
            pthread_join(thread, NULL);
            CHECK_OK(full.result);
            CHECK_OK(sf_device_synchronize(device, GUARD));
            CHECK_EQUAL(full.beside, 0);
            test_close(device);
        }
    }
}
/* Synchronizing the default stream waits for what was enqueued before, not for what others go on to enqueue. */
static struct { sf_stream *stream; uint32_t *words, stop, begun; sf_result result; } feeding;
static void *feed_a_stream(void *arg)
{
    sf_event *ring[16];
    for (size_t i = 0; i < COUNT(ring); i++) { ring[i] = test_event((sf_device *)arg); }
    for (uint32_t i = 0; !test_load(&feeding.stop) && feeding.result == SF_OK; i++) {
        sf_event *e = ring[i % COUNT(ring)];
        if (i >= COUNT(ring)) { feeding.result = sf_event_synchronize(e, GUARD); }
        if (i >= COUNT(ring)) { test_store(&feeding.begun, 1); }
        if (feeding.result >= 0) { feeding.result = test_mix(feeding.stream, feeding.words, NULL, 1, 1, 1, 1000000); }
        if (feeding.result >= 0) { feeding.result = sf_event_record(e, feeding.stream, 0); }
    }
    for (size_t i = 0; i < COUNT(ring); i++) { (void)sf_event_destroy(ring[i]); }
    return NULL;
}
static void legacy_beside_who_goes_on(void **state)
{
    sf_device *device;
    pthread_t thread;
    (void)state;
    if (on_cuda()) { return; }               /* there a deadline is polled for, and it counts */
    device = test_open();
    memset(&feeding, 0, sizeof feeding);
    feeding.words = (uint32_t *)test_memory(device, 64);
    CHECK_OK(sf_stream_create(device, NULL, &feeding.stream));
    CHECK_EQUAL(pthread_create(&thread, NULL, feed_a_stream, device), 0);
    while (!test_load(&feeding.begun)) { usleep(100); }
    for (int i = 0; i < 3; i++) { CHECK_OK(sf_stream_synchronize(sf_stream_legacy(device), GUARD)); }
    test_store(&feeding.stop, 1);
    pthread_join(thread, NULL);
    CHECK_OK(feeding.result);
    CHECK_OK(sf_stream_synchronize(feeding.stream, GUARD));
    CHECK_OK(sf_mem_free(device, feeding.words));
    test_close(device);
}
static void legacy_and_destroyed_streams(void **state)
{
    sf_device *device = test_open_workers(2);
    uint32_t *words = (uint32_t *)test_memory(device, 4096), *flag = words, *data = words + 64;
    sf_stream *legacy = sf_stream_legacy(device), *a = blocking_stream(device);
    (void)state;
    CHECK_OK(test_gate(a, flag, 1));
    CHECK_OK(test_mix(a, data, NULL, 1, 1, 10, 1000));
    CHECK_OK(sf_stream_destroy(a));          /* drains still: the default stream waits all the same */
    CHECK_OK(test_mix(legacy, data, NULL, 1, 3, 1, 0));
    CHECK_IS(sf_stream_synchronize(legacy, SF_MS(1)), SF_TIMEOUT);
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(legacy, GUARD));
    CHECK_EQUAL(data[0], 31);
    test_close(device);
}

/* -- counters, pools, threads -- */

static void counters_count(void **state)
{
    sf_device *device = test_open();
    uint32_t *data = (uint32_t *)test_memory(device, 256);
    sf_counters a, b, all[2];
    sf_stream *s, *t;
    sf_event *e;
    void *p;
    (void)state;
    CHECK_OK(sf_device_get_counters(device, &all[0]));
    CHECK_EQUAL(all[0].live_streams, 0);
    CHECK_EQUAL(all[0].live_events, 0);
    CHECK_EQUAL(all[0].live_bytes, 256);
    a = all[0];
    s = test_stream(device), t = test_stream(device), e = test_event(device);
    for (int i = 0; i < 3; i++) { CHECK_OK(test_mix(s, data, NULL, 1, 1, 1, 0)); }
    for (int i = 0; i < 4; i++) { CHECK_OK(sf_memcpy_async(s, data, data + 8, 4)); }
    CHECK_OK(sf_memset_async(s, data, 0, 4));
    CHECK_OK(sf_memset_async(s, data, 0, 0));                /* nothing to do: no copy */
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_event_record(e, s, 0)); }
    for (int i = 0; i < 5; i++) { CHECK_OK(sf_stream_wait_event(t, e, 0)); }
    CHECK_OK(sf_launch_host_func(s, noop, NULL));
    CHECK_OK(sf_mem_alloc(device, 1000, SF_MEMORY_HOST, &p));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_OK(sf_event_synchronize(e, GUARD));
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_OK(sf_event_query(e));
    CHECK_OK(sf_stream_query(t));
    CHECK_OK(sf_device_get_counters(device, &b));
    CHECK_EQUAL(b.launches - a.launches, 3);
    CHECK_EQUAL(b.graph_launches, 0);
    CHECK_EQUAL(b.copies - a.copies, 5);
    CHECK_EQUAL(b.event_records - a.event_records, 2);
    CHECK_EQUAL(b.event_waits - a.event_waits, 5);
    CHECK_EQUAL(b.host_functions - a.host_functions, 1);
    CHECK_EQUAL(b.synchronizes - a.synchronizes, 3);
    CHECK_EQUAL(b.queries - a.queries, 2);
    CHECK_EQUAL(b.stream_creates - a.stream_creates, 2);
    CHECK_EQUAL(b.event_creates - a.event_creates, 1);
    CHECK_EQUAL(b.allocations - a.allocations, 1);
    CHECK_EQUAL(b.live_streams, 2);
    CHECK_EQUAL(b.live_events, 1);
    CHECK_EQUAL(b.live_graphs, 0);
    CHECK_EQUAL(b.live_bytes, 1256);
    if (!on_cuda()) { CHECK_EQUAL(b.device_switches, 0); }
    CHECK_OK(sf_mem_free(device, p));
    CHECK_OK(sf_mem_free(device, data));
    CHECK_OK(sf_event_destroy(e));
    CHECK_OK(sf_stream_destroy(s));
    CHECK_OK(sf_stream_destroy(t));
    CHECK_OK(sf_device_get_counters(device, &all[1]));
    CHECK_EQUAL(all[1].live_streams + all[1].live_events + all[1].live_bytes, 0);
    test_close(device);
}

/* -- streams that wait for streams -- */

static const sf_order waiting_orders[] = {
    SF_ORDER_THREADS, SF_ORDER_REVERSE, SF_ORDER_LAZY, SF_ORDER_FIRST_IN, SF_ORDER_RANDOM, SF_ORDER_PCT
};
static sf_device *open_waiting(size_t order)
{
    return order ? test_open_order(waiting_orders[order], 7) : test_open();
}
static size_t waiting_order_count(void) { return on_cuda() ? 1 : COUNT(waiting_orders); }
/* Streams of all kinds, a fork last. */
enum { KINDS = 6, FORK_KIND = KINDS - 1 };
static void streams_of_all_kinds(sf_device *device, sf_stream *s[KINDS])
{
    s[0] = test_stream(device), s[1] = test_stream(device);
    CHECK_OK(sf_stream_create(device, NULL, &s[2]));
    s[3] = sf_stream_legacy(device), s[4] = sf_stream_per_thread(device);
    CHECK_OK(sf_stream_fork(s[0], &s[FORK_KIND]));
}
/* Of each pair `a` waits for what `b` holds, and for nothing that comes later: one record and one wait, no creation. */
static void a_stream_waits_for_a_stream(void **state)
{
    (void)state;
    for (size_t order = 0; order < waiting_order_count(); order++) {
        sf_device *device = open_waiting(order);
        uint32_t *words = (uint32_t *)test_memory(device, 4096), *flag = words, *data = words + 64, n = 0;
        sf_stream *s[KINDS];
        sf_event *end = test_event(device);
        sf_counters before, after;
        streams_of_all_kinds(device, s);
        CHECK_OK(sf_stream_wait_stream(s[0], s[1]));         /* makes the event */
        for (uint32_t i = 0; i < 2 * KINDS * KINDS; i++) {
            sf_stream *a = s[i / 2 % KINDS], *b = s[i / 2 / KINDS];
            bool join = i % 2 && b != s[FORK_KIND];
            if (a == b) { continue; }
            n++;
            CHECK_OK(test_gate(b, flag, n));
            CHECK_OK(test_mix(b, data, NULL, 1, 1, 3, 0));
            CHECK_OK(sf_device_get_counters(device, &before));
            CHECK_OK(join ? sf_stream_join(a, b) : sf_stream_wait_stream(a, b));
            CHECK_OK(sf_device_get_counters(device, &after));
            before.event_records++, before.event_waits++;
            before.device_switches = after.device_switches;
            CHECK_BYTES(&after, &before, sizeof after);
            CHECK_OK(test_mix(a, data + 1, data, 1, 0, 0, 0));
            CHECK_OK(sf_event_record(end, a, 0));
            CHECK_OK(test_gate(b, flag + 1, n));             /* later: nothing waits for it */
            for (int k = 0; k < 8; k++) {
                if (!order) { usleep(50); }
                CHECK_IS(sf_event_query(end), SF_NOT_READY);
            }
            test_store(flag, n);
            CHECK_OK(sf_event_synchronize(end, GUARD));
            CHECK_EQUAL(test_load(data + 1), 3 * n);
            test_store(flag + 1, n);
            CHECK_OK(sf_device_synchronize(device, GUARD));
            CHECK_OK(sf_stream_query(b));    /* a stream that was joined lives on */
        }
        CHECK_OK(sf_stream_join(s[0], s[FORK_KIND]));
        test_close(device);
    }
}
static sf_result by_hand(sf_stream *stream, sf_stream *other, sf_event *e)
{
    sf_result r = sf_event_record(e, other, 0);
    return r < 0 ? r : sf_stream_wait_event(stream, e, 0);
}
/* One stream given twice: nothing. Nothing is allocated after the first call of a device, on whatever streams. */
static void a_wait_for_a_stream_allocates_nothing(void **state)
{
    test_heap heap = { 0 };
    sf_device *device = test_open_desc(&(sf_device_desc){
        .host.workers = 2, .heap = { test_heap_alloc, test_heap_free, &heap } });
    sf_stream *s[KINDS];
    sf_counters before, after;
    long total;
    (void)state;
    streams_of_all_kinds(device, s);
    CHECK_OK(sf_device_get_counters(device, &before));
    for (int i = 0; i < KINDS; i++) {
        CHECK_OK(sf_stream_wait_stream(s[i], s[i]));
        if (i != FORK_KIND) { CHECK_OK(sf_stream_join(s[i], s[i])); }
    }
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_BYTES(&after, &before, sizeof after);
    CHECK_OK(sf_stream_wait_stream(s[0], s[1]));
    total = heap.total;
    for (int i = 0; i < 20 * KINDS * KINDS; i++) {
        CHECK_OK(sf_stream_wait_stream(s[i % KINDS], s[i / KINDS % KINDS]));
        if (i / KINDS % KINDS != FORK_KIND) { CHECK_OK(sf_stream_join(s[i % KINDS], s[i / KINDS % KINDS])); }
    }
    CHECK_EQUAL(heap.total, total);
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_EQUAL(after.live_events + after.event_creates, 0);
    CHECK_OK(sf_stream_join(s[0], s[FORK_KIND]));
    test_close(device);
    CHECK_EQUAL(heap.live, 0);
}
/* A refused call enqueues nothing, is told, and is stored on the stream that should wait. */
static void refused_waits_for_streams(void **state)
{
    test_heap heap = { 0 };
    sf_device *device = test_open_desc(&(sf_device_desc){
        .host.workers = 2, .heap = { test_heap_alloc, test_heap_free, &heap } });
    sf_stream *s = test_stream(device), *t = test_stream(device), *gone = test_stream(device), *child;
    sf_event *e;
    (void)state;
    CHECK_OK(sf_stream_destroy(gone));
    if (!on_cuda()) {                        /* the first call finds no memory for its event */
        heap.fail_at = heap.total + 1;
        CHECK_IS(sf_stream_wait_stream(s, t), SF_ERROR_OUT_OF_MEMORY);
        CHECK(!strcmp(sf_device_failure(device)->call, "sf_stream_wait_stream"));
        CHECK_IS(sf_stream_take_failure(s), SF_ERROR_OUT_OF_MEMORY);
    }
    CHECK_OK(sf_stream_wait_stream(s, t));
    e = test_event(device);
    {
        sf_stream *bad[] = { NULL, gone, (sf_stream *)(void *)e, (sf_stream *)(void *)device };
        for (size_t i = 0; i < COUNT(bad); i++) {
            for (int call = 0; call < 4; call++) {
                sf_stream *a = call % 2 ? s : bad[i], *b = call % 2 ? bad[i] : s;
                sf_counters before, after;
                CHECK_OK(sf_device_get_counters(device, &before));
                CHECK_IS(call / 2 ? sf_stream_join(a, b) : sf_stream_wait_stream(a, b), SF_ERROR_INVALID_HANDLE);
                CHECK_OK(sf_device_get_counters(device, &after));
                CHECK_BYTES(&after, &before, sizeof after);
                CHECK(!strcmp(sf_device_failure(device)->call, call / 2 ? "sf_stream_join" : "sf_stream_wait_stream"));
                CHECK_IS(sf_stream_take_failure(s), call % 2 ? SF_ERROR_INVALID_HANDLE : SF_OK);
                CHECK_IS(by_hand(a, b, e), SF_ERROR_INVALID_HANDLE);
                (void)sf_stream_take_failure(s);
            }
        }
    }
    CHECK_OK(sf_stream_fork(s, &child));
    CHECK_OK(sf_stream_wait_stream(child, t));
    CHECK_OK(sf_stream_wait_stream(t, child));               /* a fork that is waited for is not given back */
    CHECK_OK(sf_stream_synchronize(child, GUARD));
    CHECK_OK(sf_stream_query(child));
    CHECK_IS(sf_stream_join(child, child), SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_device_failure(device)->text, "cannot join itself"));
    CHECK_OK(sf_stream_join(s, child));
    CHECK_IS(sf_stream_wait_stream(s, child), SF_ERROR_INVALID_HANDLE);
    test_close(device);
    CHECK_EQUAL(heap.live, 0);
}
/* Threads that order streams side by side: one or all of them pass a value from stream to stream and back, the others,
   whose streams are idle, wait and do nothing else. */
enum { WAITERS = 4 };
typedef struct waiter {
    sf_stream *source, *own;
    uint32_t *word, *over;                   /* two words; over: set when the value has been passed on */
    uint64_t calls;
    sf_result result;
    pthread_t thread;
} waiter;
static void *pass_on(void *arg)
{
    waiter *w = (waiter *)arg;
    uint32_t model[2] = { 0 };
    for (uint32_t i = 0, n = test_seeds() < 1000 ? 2000 : 50000; i < n && w->result >= 0; i++, w->calls += 2) {
        w->result = test_mix(w->source, &w->word[0], &w->word[1], 1, 3, i, 0);
        if (w->result >= 0) { w->result = sf_stream_wait_stream(w->own, w->source); }
        if (w->result >= 0) { w->result = test_mix(w->own, &w->word[1], &w->word[0], 1, 5, 1, 0); }
        if (w->result >= 0) { w->result = sf_stream_wait_stream(w->source, w->own); }
        test_mix_model(&model[0], &model[1], 1, 3, i);
        test_mix_model(&model[1], &model[0], 1, 5, 1);
    }
    if (w->result >= 0) { w->result = sf_stream_synchronize(w->own, GUARD); }
    if (w->result >= 0 && memcmp(w->word, model, sizeof model)) { w->result = SF_ERROR_UNKNOWN; }
    test_store(w->over, 1);
    return NULL;
}
static void *only_wait(void *arg)
{
    waiter *w = (waiter *)arg;
    for (; !test_load(w->over) && w->result >= 0; w->calls++) { w->result = sf_stream_wait_stream(w->own, w->source); }
    return NULL;
}
static void threads_wait_for_streams(void **state)
{
    (void)state;
    for (int each = 0; each < 2; each++) {
        sf_device *device = test_open();
        uint32_t *words = (uint32_t *)test_memory(device, 64 * WAITERS), over = 0;
        sf_stream *source = test_stream(device);
        waiter w[WAITERS];
        sf_counters c;
        uint64_t calls = 0;
        for (int i = 0; i < WAITERS; i++) {
            w[i] = (waiter){ .source = each ? test_stream(device) : source, .own = test_stream(device),
                             .word = words + 16 * i, .over = &over };
        }
        for (int i = 0; i < WAITERS; i++) {
            CHECK_EQUAL(pthread_create(&w[i].thread, NULL, each && i ? only_wait : pass_on, &w[i]), 0);
        }
        for (int i = 0; i < WAITERS; i++) { CHECK_EQUAL(pthread_join(w[i].thread, NULL), 0); }
        for (int i = 0; i < WAITERS; i++) {
            CHECK_OK(w[i].result);
            calls += w[i].calls;
        }
        CHECK_OK(sf_device_get_counters(device, &c));
        CHECK_EQUAL(c.event_records, calls);
        CHECK_EQUAL(c.event_waits, calls);
        test_close(device);
    }
}
static void stream_pools(void **state)
{
    sf_device *device = test_open();
    sf_stream_pool *pool = NULL, *second = NULL;
    sf_counters counters;
    const sf_stream_pool_desc wrong[] = { { .reserved = -1 }, { .max = -1 }, { .reserved = 5, .max = 2 } };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CHECK_IS(sf_stream_pool_create(device, &wrong[i], &pool), SF_ERROR_INVALID_VALUE);
    }
    CHECK_IS(sf_stream_pool_create(device, NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_stream_pool_create(device, NULL, &pool));
    CHECK_OK(sf_device_get_counters(device, &counters));
    CHECK_EQUAL(counters.live_streams, 1);
    CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .reserved = 5, .max = 8, .name = "five" },
                                   &second));
    CHECK_OK(sf_device_get_counters(device, &counters));
    CHECK_EQUAL(counters.live_streams, 6);
    CHECK_OK(sf_stream_pool_destroy(pool));
    CHECK_IS(sf_stream_pool_destroy(pool), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_stream_pool_destroy(second));
    CHECK_OK(sf_device_get_counters(device, &counters));
    CHECK_EQUAL(counters.live_streams, 0);
    CHECK_OK(sf_stream_pool_create(device, NULL, &pool));    /* dies with the device */
    test_close(device);
}

enum { USERS = 4, USER_ROUNDS = 400, SHARED = 4 };
typedef struct user_thread {
    pthread_t thread;
    sf_device *device;
    sf_stream *shared;
    uint32_t *own, *sums, index, failures;
    uint32_t model[8];
} user_thread;
static void *user_thread_main(void *arg)
{
    user_thread *u = (user_thread *)arg;
    sf_stream *s = NULL, *extra;
    sf_event *e = NULL;
    rng r = rng_seed(u->index);
    uint32_t bad = 0;
    bad += sf_stream_create(u->device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &s) != SF_OK;
    bad += sf_event_create(u->device, 0, &e) != SF_OK;
    for (uint32_t i = 0; i < USER_ROUNDS; i++) {
        uint32_t add = rng_next(&r);
        bad += test_mix(s, u->own, NULL, 8, 3, add, rng_below(&r, 100)) != SF_OK;
        test_mix_model(u->model, NULL, 8, 3, add);
        if (i % 5 == 0) { /* all threads on one stream: sums do not depend on their order */
            bad += sf_event_record(e, s, 0) != SF_OK;
            bad += sf_stream_wait_event(u->shared, e, 0) != SF_OK;
            bad += test_mix(u->shared, u->sums, NULL, SHARED, 1, 1, 20) != SF_OK;
        }
        if (i % 64 == 0) {
            void *p = NULL;
            bad += sf_mem_alloc(u->device, 100 + i, SF_MEMORY_HOST, &p) != SF_OK;
            bad += sf_stream_create(u->device, NULL, &extra) != SF_OK;
            bad += sf_stream_destroy(extra) != SF_OK;
            bad += sf_stream_synchronize(s, GUARD) != SF_OK;
            bad += sf_mem_free(u->device, p) != SF_OK;
        }
    }
    bad += sf_stream_synchronize(s, GUARD) != SF_OK;
    bad += sf_stream_destroy(s) != SF_OK;
    bad += sf_event_destroy(e) != SF_OK;
    u->failures = bad;
    return NULL;
}
static void many_user_threads(void **state)
{
    sf_device *device = test_open_desc(&(sf_device_desc){ .host = { .workers = 3, .stream_depth = 64 } });
    uint32_t *words = (uint32_t *)test_memory(device, 4096);
    sf_stream *shared = test_stream(device);
    sf_counters counters;
    user_thread users[USERS];
    (void)state;
    for (uint32_t i = 0; i < USERS; i++) {
        users[i] = (user_thread){
            .device = device, .shared = shared, .own = words + 64 * (i + 1), .sums = words, .index = i
        };
        CHECK_EQUAL(pthread_create(&users[i].thread, NULL, user_thread_main, &users[i]), 0);
    }
    for (uint32_t i = 0; i < USERS; i++) { CHECK_EQUAL(pthread_join(users[i].thread, NULL), 0); }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    for (uint32_t i = 0; i < USERS; i++) {
        CHECK_EQUAL(users[i].failures, 0);
        CHECK_BYTES(users[i].own, users[i].model, sizeof users[i].model);
    }
    for (uint32_t i = 0; i < SHARED; i++) { CHECK_EQUAL(words[i], USERS * USER_ROUNDS / 5); }
    CHECK_OK(sf_device_get_counters(device, &counters));
    CHECK_EQUAL(counters.live_streams, 1);
    CHECK_EQUAL(counters.launches - (on_cuda() ? 4 : 0), USERS * USER_ROUNDS * 6 / 5);
    test_close(device);
}

/* -- handles that are destroyed meanwhile -- */

static int race_work(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    for (volatile int i = 0; i < 100; i++) {}
    return 0;
}
static const sf_kernel race_kernel = { .name = "work", .host = race_work, .slices = 2 };
static void *race_stream(sf_device *device)
{
    sf_stream *s = NULL;
    (void)sf_stream_create(device, NULL, &s);
    return s;
}
static void *race_event(sf_device *device)
{
    sf_event *e = NULL;
    (void)sf_event_create(device, 0, &e);
    return e;
}
static sf_result race_end_stream(void *s) { return sf_stream_destroy((sf_stream *)s); }
static void use_streams(race *r, void *x, void *y, uint32_t choice, void *own)
{
    sf_stream *a = (sf_stream *)x, *b = (sf_stream *)y, *child = NULL;
    sf_event *e = (sf_event *)own;
    int32_t priority;
    uint64_t id;
    switch (choice % 10) {
    case 8: race_is(r, sf_stream_wait_stream(a, b)); break;
    case 9: race_is(r, sf_stream_join(b, a)); break;
    case 0: race_is(r, sf_launch(a, &race_kernel, NULL, 0)); break;
    case 1:
        race_is(r, sf_event_record(e, a, 0));
        race_is(r, sf_stream_wait_event(b, e, 0));
        break;
    case 2:
        if (race_is(r, sf_stream_fork(a, &child)) < 0) { break; }
        race_is(r, sf_launch(child, &race_kernel, NULL, 0));
        if (race_is(r, sf_stream_join(b, child)) < 0) { race_is(r, sf_stream_join(sf_stream_legacy(r->device), child)); }
        break;
    case 3: race_is(r, sf_stream_synchronize(a, SF_US(50))); break;
    case 4: race_is(r, sf_stream_query(a)); break;
    case 5: race_is(r, sf_stream_get_priority(a, &priority)), race_is(r, sf_stream_get_id(b, &id)); break;
    case 6: race_is(r, sf_stream_take_failure(a)), (void)sf_stream_native(b); break;
    default: race_is(r, sf_stream_copy_attributes(a, b)); break;
    }
}
static void streams_go_while_used(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* no such kernel there; the same code enters and leaves */
    for (uint32_t depth = 4; depth <= 64; depth *= 16) {     /* callers have to wait for room; or not */
        race r = { .make = race_stream, .destroy = race_end_stream, .use = use_streams, .own = race_event };
        r.device = test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .stream_depth = depth } });
        race_run(&r, 4000);
        test_close(r.device);
    }
}
/* One that waits for room in a stream, which is destroyed meanwhile. */
static void destroyed_with_a_caller_in_it(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (int i = 0; i < 20; i++) {
        sf_device *device = test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .stream_depth = 2 } });
        sf_stream *next[4];
        pthread_t thread;
        memset(&full, 0, sizeof full);
        full.stream = test_stream(device);
        for (int k = 0; k < 2; k++) { CHECK_OK(sf_launch(full.stream, &full_gates, NULL, 0)); }
        CHECK_EQUAL(pthread_create(&thread, NULL, into_a_full_stream, NULL), 0);
        usleep((unsigned)i * 100);
        CHECK_OK(sf_stream_destroy(full.stream));
        CHECK_IS(sf_stream_destroy(full.stream), SF_ERROR_INVALID_HANDLE);
        for (size_t k = 0; k < COUNT(next); k++) { next[k] = test_stream(device); }
        test_store(&full.open, 1);
        pthread_join(thread, NULL);
        CHECK(full.result == SF_OK || full.result == SF_ERROR_INVALID_HANDLE);
        for (size_t k = 0; k < COUNT(next); k++) {
            CHECK_OK(sf_stream_synchronize(next[k], GUARD));
            CHECK_OK(sf_stream_destroy(next[k]));
        }
        test_close(device);
    }
}
/* Threads that fill one stream with arguments of very different sizes, so that its memory grows while calls wait for
   room: each launch adds its word once. */
typedef struct several { sf_device *device; sf_stream *stream; uint32_t sum, want; } several;
static several many_sizes;
static int add_word(const sf_slice *slice, const void *args)
{
    (void)slice;
    return (void)test_add(&many_sizes.sum, *(const uint32_t *)args), 0;
}
static const sf_kernel word_kernel = { .name = "word", .host = add_word };
static void *of_many_sizes(void *seed)
{
    uint32_t args[1100] = { 0 }, n = *(const uint32_t *)seed;
    rng g = rng_seed(n);
    for (uint32_t i = 0; i < 30; i++) {      /* the default stream is waited for by the other one, which takes place */
        sf_stream *s = n % 4 == 0 && i % 2 ? sf_stream_legacy(many_sizes.device) : many_sizes.stream;
        uint32_t words = 1 + (rng_below(&g, 6) ? 0 : rng_below(&g, 1000));
        args[0] = rng_below(&g, 1000);
        (void)test_add(&many_sizes.want, args[0]);
        if (sf_launch(s, &word_kernel, args, words * sizeof *args) < 0) { return seed; }
    }
    return NULL;
}
static void arguments_of_many_sizes(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    FOR_SEEDS(seed, 100 + test_seeds() / 50) {
        pthread_t threads[4];
        uint32_t seeds[4];
        memset(&many_sizes, 0, sizeof many_sizes);
        many_sizes.device =
            test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .stream_depth = 2 + seed % 4 } });
        CHECK_OK(sf_stream_create(many_sizes.device, NULL, &many_sizes.stream));
        for (uint32_t i = 0; i < 4; i++) {
            seeds[i] = seed * 4 + i;
            CHECK_EQUAL(pthread_create(&threads[i], NULL, of_many_sizes, &seeds[i]), 0);
        }
        for (uint32_t i = 0; i < 4; i++) {
            void *failed;
            CHECK_EQUAL(pthread_join(threads[i], &failed), 0);
            CHECK(!failed);
        }
        CHECK_OK(sf_device_synchronize(many_sizes.device, GUARD));
        CHECK_EQUAL(many_sizes.sum, many_sizes.want);
        test_close(many_sizes.device);
    }
}
/* A worker gives the place back, while another thread looks at the handle. */
static void stale_while_it_drains(void **state)
{
    sf_device *device;
    uint32_t wrong = 0;
    (void)state;
    if (on_cuda()) { return; }
    device = test_open_workers(2);
    for (int i = 0; i < 3000; i++) {
        sf_stream *s = test_stream(device);
        CHECK_OK(sf_launch(s, &race_kernel, NULL, 0));
        CHECK_OK(sf_stream_destroy(s));
        for (int k = 0; k < 10; k++) { wrong += sf_stream_query(s) != SF_ERROR_INVALID_HANDLE; }
    }
    CHECK_EQUAL(wrong, 0);
    test_close(device);
}
#ifdef __linux__
static int in_a_child(sf_device *device, sf_stream *s)       /* 0, or the number of the call that went wrong */
{
    sf_event *e;
    alarm(10);
    if (sf_device_close(device, SF_MS(100)) != SF_ERROR_INVALID_HANDLE) { return 1; }
    if (!strstr(sf_device_failure(device)->text, "fork()")) { return 2; }
    if (sf_device_synchronize(device, SF_FOREVER) != SF_ERROR_INVALID_HANDLE) { return 3; }
    if (sf_stream_synchronize(s, SF_FOREVER) != SF_ERROR_INVALID_HANDLE) { return 4; }
    if (sf_device_poll(device, SF_FOREVER) != SF_ERROR_INVALID_HANDLE) { return 5; }
    if (sf_device_reset(device) != SF_ERROR_INVALID_HANDLE) { return 6; }
    if (sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .host.order = SF_ORDER_FIRST_IN }, &device) < 0) {
        return 7;                            /* one of its own */
    }
    if (sf_event_create(device, 0, &e) < 0 || sf_event_synchronize(e, SF_FOREVER) < 0) { return 8; }
    return sf_device_close(device, SF_FOREVER) == SF_OK ? 0 : 9;
}
static void devices_stay_with_their_process(void **state)
{
    sf_device *device;
    sf_stream *s;
    uint32_t *words;
    int status = -1;
    pid_t child;
    (void)state;
    if (on_cuda()) { return; }               /* nor does CUDA */
    device = test_open_workers(2);
    s = test_stream(device);
    words = (uint32_t *)test_memory(device, 64);
    CHECK_OK(test_gate(s, words, 1));
    child = fork();
    if (!child) { _exit(in_a_child(device, s)); }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    if (status) { fail_msg("the child ended with %x", (unsigned)status); }
    test_store(words, 1);
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    test_close(device);
}
#endif

/* -- every failure is told -- */

/* Of the call that failed last, never of an earlier one: each case begins behind another failure. */
typedef struct told { sf_device *device; sf_stream *s, *other; sf_event *e, *plain; void *p; } told;
static sf_result end_unjoined(told *t)
{
    CHECK_OK(sf_stream_begin_capture(t->s, SF_CAPTURE_RELAXED));
    CHECK_OK(sf_event_record(t->e, t->s, 0));
    CHECK_OK(sf_stream_wait_event(t->other, t->e, 0));
    CHECK_OK(sf_memset_async(t->other, t->p, 1, 8));
    return sf_stream_end_capture(t->s, NULL);
}
static sf_result synchronize_captured(told *t)
{
    sf_result r;
    CHECK_OK(sf_stream_begin_capture(t->s, SF_CAPTURE_GLOBAL));
    r = sf_stream_synchronize(t->s, 0);
    (void)sf_stream_end_capture(t->s, NULL); /* fails, too, and would be the latest */
    CHECK_IS(sf_device_failure(t->device)->result, SF_ERROR_CAPTURE_INVALIDATED);
    CHECK(strstr(sf_device_failure(t->device)->text, "sf_stream_end_capture"));
    CHECK_OK(sf_stream_begin_capture(t->s, SF_CAPTURE_GLOBAL));
    CHECK_IS(sf_stream_synchronize(t->s, 0), r);
    return r;
}
static sf_result end_spoiled(told *t)
{
    CHECK_OK(sf_stream_begin_capture(t->s, SF_CAPTURE_GLOBAL));
    CHECK_IS(sf_stream_query(t->s), SF_ERROR_CAPTURE_UNSUPPORTED);
    return sf_stream_end_capture(t->s, NULL);
}
static sf_result end_none(told *t) { return sf_stream_end_capture(t->s, NULL); }
static sf_result begin_twice(told *t)
{
    CHECK_OK(sf_stream_begin_capture(t->s, SF_CAPTURE_RELAXED));
    return sf_stream_begin_capture(t->s, SF_CAPTURE_RELAXED);
}
static sf_result too_much(told *t) { return sf_mem_alloc(t->device, (size_t)1 << 60, SF_MEMORY_DEVICE, &t->p); }
static sf_result of_no_kind(told *t) { return sf_mem_alloc(t->device, 8, (sf_memory)9, &t->p); }
static sf_result never_recorded(told *t)
{
    float ms;
    return sf_event_elapsed_ms(t->plain, t->plain, &ms);
}
static sf_result odd_flags(told *t) { return sf_event_record(t->e, t->s, 8); }
static sf_result no_stream(told *t) { return (void)t, sf_stream_query(NULL); }
static sf_result no_event(told *t) { return sf_event_record(NULL, t->s, 0); }
static sf_result no_info(told *t) { return sf_device_get_info(t->device, NULL); }
static sf_result no_room_for_a_child(told *t) { return sf_stream_fork(t->s, NULL); }
static sf_result no_such_pool(told *t)
{
    sf_stream_pool *pool = NULL;
    sf_stream_pool_desc desc = { .reserved = -1 };
    return sf_stream_pool_create(t->device, &desc, &pool);
}
static sf_result no_such_mode(told *t)
{
    sf_capture_mode mode = (sf_capture_mode)7;
    (void)t;
    return sf_thread_exchange_stream_capture_mode(&mode);
}
static sf_result destroy_the_default(told *t) { return sf_stream_destroy(sf_stream_legacy(t->device)); }
static void every_failure_is_told(void **state)
{
    static const struct { sf_result (*run)(told *t), result; const char *call, *words[2]; } cases[] = {
        { end_unjoined, SF_ERROR_CAPTURE_UNJOINED, "sf_stream_end_capture", { "record an event", "join again" } },
        { synchronize_captured, SF_ERROR_CAPTURE_UNSUPPORTED, "sf_stream_synchronize", { "capture", "before" } },
        { end_spoiled, SF_ERROR_CAPTURE_INVALIDATED, "sf_stream_end_capture", { "spoiled", "again" } },
        { end_none, SF_ERROR_ILLEGAL_STATE, "sf_stream_end_capture", { "does not capture", "begin" } },
        { begin_twice, SF_ERROR_ILLEGAL_STATE, "sf_stream_begin_capture", { "already", "end that" } },
        { too_much, SF_ERROR_OUT_OF_MEMORY, "sf_mem_alloc", { "memory", "memory_bytes" } },
        { of_no_kind, SF_ERROR_INVALID_VALUE, "sf_mem_alloc", { "kind of memory", "" } },
        { never_recorded, SF_ERROR_INVALID_HANDLE, "sf_event_elapsed_ms", { "never recorded", "TIMING" } },
        { odd_flags, SF_ERROR_INVALID_VALUE, "sf_event_record", { "flags", "EXTERNAL" } },
        { no_stream, SF_ERROR_INVALID_HANDLE, "sf_stream_query", { "NULL", "destroyed" } },
        { no_event, SF_ERROR_INVALID_HANDLE, "sf_event_record", { "NULL", "destroyed" } },
        { no_info, SF_ERROR_INVALID_VALUE, "sf_device_get_info", { "NULL", "" } },
        { no_room_for_a_child, SF_ERROR_INVALID_VALUE, "sf_stream_fork", { "NULL", "" } },
        { no_such_pool, SF_ERROR_INVALID_VALUE, "sf_stream_pool_create", { ".reserved", ".max" } },
        { no_such_mode, SF_ERROR_INVALID_VALUE, "sf_thread_exchange_stream_capture_mode", { "mode", "" } },
        { destroy_the_default, SF_ERROR_INVALID_HANDLE, "sf_stream_destroy", { "default", "sf_stream_join" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_log log = { 0 };
        sf_device_desc desc = { .backend = test_backend, .logger = { test_log_func, &log } };
        told t = { 0 };
        const sf_failure *f;
        CHECK_OK(sf_device_open(&desc, &t.device));
        t.s = test_stream(t.device), t.other = test_stream(t.device), t.e = test_event(t.device);
        CHECK_OK(sf_event_create(t.device, SF_EVENT_DEFAULT, &t.plain));
        CHECK_OK(sf_mem_alloc(t.device, 64, SF_MEMORY_DEVICE, &t.p));
        CHECK_IS(sf_mem_free(t.device, &t), SF_ERROR_INVALID_VALUE);
        CHECK_IS(cases[i].run(&t), cases[i].result);
        f = sf_device_failure(t.device);
        CHECK_IS(f->result, cases[i].result);
        CHECK(!strcmp(f->call, cases[i].call));
        CHECK(f->count > 1 && !strncmp(f->text, cases[i].call, strlen(cases[i].call)));
        if (!strstr(f->text, cases[i].words[0]) || !strstr(f->text, cases[i].words[1])) { fail_msg("%s", f->text); }
        if (!strstr(f->text, "(-") && !on_cuda()) { fail_msg("no code: %s", f->text); }
        CHECK(!strcmp(log.text, f->text));
        CHECK_OK(sf_stream_destroy(t.s));
        CHECK_IS(sf_device_failure(t.device)->result, cases[i].result);      /* what succeeds leaves it alone */
        test_close(t.device);
    }
}
/* The failure names the call that was made, not one that it is made of. */
static void who_called_is_named(void **state)
{
    static const sf_value value = { .u64 = 1 };
    sf_device *device = test_open();
    sf_stream *s = test_stream(device), *given = test_stream(device);
    sf_policy_desc desc = { .kind = SF_POLICY_GIVEN, .given = s };
    const sf_failure *f = sf_device_failure(device);
    sf_policy *policy;
    uint8_t *p;
    uint64_t count = 0;
    (void)state;
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&p));
    CHECK_OK(sf_policy_create(device, &desc, &policy));
#define NAMED(name, expression, expected)                                                                    \
    do {                                                                                                     \
        CHECK_IS(expression, expected);                                                                      \
        CHECK_IS(sf_device_failure(device)->result, expected);                                               \
        if (strcmp(f->call, name)) { fail_msg("%s: %s", name, f->text); }                                    \
        CHECK_EQUAL(f->count, ++count);                                                                      \
    } while (0)
    NAMED("sf_memcpy_async", sf_memcpy_async(s, NULL, p, 8), SF_ERROR_INVALID_VALUE);
    NAMED("sf_memcpy_async", sf_memcpy_async(NULL, p, p + 32, 8), SF_ERROR_INVALID_HANDLE);
    NAMED("sf_memcpy_2d_async", sf_memcpy_2d_async(s, NULL, 8, p, 8, 8, 2), SF_ERROR_INVALID_VALUE);
    NAMED("sf_memcpy_2d_async", sf_memcpy_2d_async(s, p, 4, p + 32, 8, 8, 2), SF_ERROR_INVALID_VALUE);
    NAMED("sf_memcpy_2d_async", sf_memcpy_2d_async(NULL, p, 8, p + 32, 8, 8, 1), SF_ERROR_INVALID_HANDLE);
    NAMED("sf_lazy_schedule", sf_lazy_schedule(sf_lazy_value(device, value), NULL, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
    NAMED("sf_lazy_async_on", sf_lazy_async_on(sf_lazy_value(device, value), s), SF_ERROR_CAPTURE_UNSUPPORTED);
    NAMED("sf_lazy_sync_on", sf_lazy_sync_on(sf_lazy_value(device, value), s, GUARD, NULL),
          SF_ERROR_CAPTURE_UNSUPPORTED);
    NAMED("sf_lazy_sync", sf_lazy_sync(sf_lazy_value(device, value), policy, GUARD, NULL),
          SF_ERROR_CAPTURE_UNSUPPORTED);
    NAMED("sf_lazy_sync_on", sf_lazy_sync_on(NULL, given, GUARD, NULL), SF_ERROR_INVALID_HANDLE);
    (void)sf_stream_end_capture(s, NULL);
#undef NAMED
    CHECK_OK(sf_policy_destroy(policy));
    test_close(device);
}
/* Whatever was wrong with a call on it, a stream has its failure until that is asked for; a fork begins without. */
static sf_result fails_on_its_stream(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count, (void)out;
    return sf_launch(x->stream, NULL, NULL, 0);
}
static void a_stream_keeps_its_failure(void **state)
{
    sf_device *device = test_open(), *none = NULL;
    sf_stream_desc desc = { .name = "mine" };
    sf_stream *s, *child;
    sf_event *e = test_event(device), *gone = test_event(device);
    sf_graph *graph;
    uint64_t word = 0;
    (void)state;
    CHECK_OK(sf_stream_create(device, &desc, &s));
    CHECK_OK(sf_graph_create(device, &graph));
    CHECK_OK(sf_event_destroy(gone));
#define KEPT(expression)                                                                                     \
    do {                                                                                                     \
        sf_result r_ = (expression);                                                                         \
        CHECK(r_ < 0 && sf_device_failure(device)->result == r_);                                            \
        if (sf_stream_take_failure(s) != r_) { fail_msg("not kept: %s", #expression); }                       \
        CHECK(!strcmp(sf_device_failure(device)->where, "mine"));                                            \
        CHECK_OK(sf_stream_take_failure(s));                                                                  \
    } while (0)
    KEPT(sf_launch(s, NULL, NULL, 0));
    KEPT(sf_stream_wait_event(s, NULL, 0));
    KEPT(sf_stream_wait_event(s, gone, 0));
    KEPT(sf_stream_wait_event(s, e, 7));
    KEPT(sf_stream_wait_stream(s, NULL));
    KEPT(sf_stream_wait_stream(s, (sf_stream *)(void *)e));
    KEPT(sf_event_record(NULL, s, 0));
    KEPT(sf_event_record(e, s, 7));
    KEPT(sf_mem_alloc_async(s, NULL, 8, NULL));
    KEPT(sf_mem_alloc_async(s, (sf_mem_pool *)(void *)e, 8, (void **)&word));
    KEPT(sf_graph_launch(NULL, s));
    KEPT(sf_graph_upload(NULL, s));
    KEPT(sf_memcpy_peer_async(s, &word, none, &word, device, 4));
    KEPT(sf_launch_kernel(s, NULL, NULL, NULL));
    KEPT(sf_stream_fork(s, NULL));
    KEPT(sf_stream_join(s, NULL));
    KEPT(sf_stream_get_priority(s, NULL));
    KEPT(sf_stream_get_flags(s, NULL));
    KEPT(sf_stream_get_id(s, NULL));
    KEPT(sf_stream_get_device(s, NULL));
    KEPT(sf_stream_copy_attributes(s, NULL));
    KEPT(sf_stream_begin_capture_to_graph(s, graph, NULL, -1, SF_CAPTURE_RELAXED));
    KEPT(sf_stream_begin_capture_to_graph(s, NULL, NULL, 0, SF_CAPTURE_RELAXED));
    KEPT(sf_stream_is_capturing(s, NULL));
    KEPT(sf_stream_get_capture_info(s, NULL, NULL, 0));
    KEPT(sf_stream_update_capture_dependencies(s, NULL, -1, 0));
    KEPT(sf_lazy_async_on(NULL, s));
#undef KEPT
    CHECK_OK(sf_stream_fork(s, &child));
    CHECK_IS(sf_launch(child, NULL, NULL, 0), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_stream_take_failure(s));
    CHECK_OK(sf_stream_join(s, child));
    CHECK_IS(sf_stream_take_failure(s), SF_ERROR_INVALID_VALUE);              /* nobody can ask the fork any more */
    CHECK_OK(sf_stream_take_failure(s));
    CHECK_OK(sf_stream_fork(s, &child));     /* the same one */
    CHECK_OK(sf_stream_take_failure(child));
    CHECK_IS(sf_launch(child, NULL, NULL, 0), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_take_failure(child), SF_ERROR_INVALID_VALUE);          /* asked for, it is nobody's */
    CHECK_OK(sf_stream_join(s, child));
    CHECK_OK(sf_stream_take_failure(s));
    CHECK_IS(sf_lazy_sync_on(sf_lazy_graph(sf_lazy_do(device, &(sf_lazy_desc){ .run = fails_on_its_stream })), s,
                             SF_FOREVER,
                        NULL), SF_ERROR_INVALID_VALUE);
    (void)sf_stream_take_failure(s);
    CHECK_OK(sf_stream_fork(s, &child));     /* the one that was captured */
    CHECK_OK(sf_stream_take_failure(child));
    CHECK_OK(sf_stream_join(s, child));
    CHECK_OK(sf_graph_destroy(graph));
    test_close(device);
}
/* Attributes are read while another thread copies them: for the thread sanitizer. */
static struct { sf_stream *s; uint32_t wrong, done; } painted;
static void *look_at_it(void *arg)
{
    for (int i = 0; i < 20000; i++) {
        sf_stream *child;
        int32_t priority = 1;
        if (sf_stream_get_priority(painted.s, &priority) < 0 || (priority && priority != -1)) { painted.wrong++; }
        if (i % 1024) { continue; }          /* else its locks alone would keep the two apart */
        if (sf_stream_fork(painted.s, &child) < 0 || sf_stream_join(painted.s, child) < 0) { painted.wrong++; }
    }
    test_store(&painted.done, 1);
    return arg;
}
static void attributes_are_copied_meanwhile(void **state)
{
    sf_device *device = test_open();
    sf_stream_desc low = { .name = "low" }, high = { .priority = -1 };
    sf_stream *streams[2];
    pthread_t thread;
    (void)state;
    painted.s = test_stream(device);
    painted.wrong = painted.done = 0;
    CHECK_OK(sf_stream_create(device, &low, &streams[0]));
    CHECK_OK(sf_stream_create(device, &high, &streams[1]));
    CHECK_EQUAL(pthread_create(&thread, NULL, look_at_it, NULL), 0);
    for (int i = 0; !test_load(&painted.done); i++) {
        CHECK_OK(sf_stream_copy_attributes(painted.s, streams[i % 2]));
    }
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL(painted.wrong, 0);
    test_close(device);
}
/* Inside a host function no lock is taken: its thread keeps the sentence for whom it asks. */
static struct { sf_device *device; sf_result result; } inside;
static void ask_inside(void *user)
{
    (void)user;
    inside.result = sf_stream_query(sf_stream_legacy(inside.device));
    inside.result = sf_device_synchronize(inside.device, 0);
}
static void a_host_function_spoils_no_failure(void **state)
{
    sf_stream *s;
    (void)state;
    inside.device = test_open();
    s = test_stream(inside.device);
    CHECK_IS(sf_device_get_info(inside.device, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_launch_host_func(s, ask_inside, NULL));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_IS(inside.result, SF_ERROR_NOT_PERMITTED);
    CHECK(sf_device_failure(inside.device)->result != SF_OK);
    CHECK_IS(sf_device_get_counters(inside.device, NULL), SF_ERROR_INVALID_VALUE);
    CHECK(!strcmp(sf_device_failure(inside.device)->call, "sf_device_get_counters"));
    test_close(inside.device);
}
/* A call with a bad handle has no device, so its thread stores the failure until it asks a device. If another thread
   has failed there since, that is the latest failure. Both are counted, and logged. */
static struct { sf_device *device; sf_result result; } elder;
static void *fail_later(void *arg)
{
    sf_stream *s;
    elder.result = sf_stream_create(elder.device, &(sf_stream_desc){ .flags = 99 }, &s);
    return arg;
}
static void fail_on_a_thread(void)
{
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, fail_later, NULL), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_IS(elder.result, SF_ERROR_INVALID_VALUE);
}
static void a_bad_handle_replaces_no_later_failure(void **state)
{
    test_log log = { 0 };
    sf_device *other = test_open();
    const sf_failure *f;
    (void)state;
    elder.device = test_open_desc(&(sf_device_desc){ .logger = { test_log_func, &log } });
    CHECK_IS(sf_stream_query(NULL), SF_ERROR_INVALID_HANDLE);
    fail_on_a_thread();
    CHECK(strstr(log.text, "sf_stream_create"));
    f = sf_device_failure(elder.device);
    CHECK_IS(f->result, SF_ERROR_INVALID_VALUE);
    CHECK(!strcmp(f->call, "sf_stream_create") && !strncmp(f->text, "sf_stream_create: ", 18));
    CHECK_EQUAL(f->count, 2);
    CHECK(strstr(log.text, "sf_stream_query: the stream is NULL"));
    for (int i = 0; i < 2; i++) {            /* asked again, it is told once */
        CHECK_EQUAL(sf_device_failure(elder.device)->count, 2);
        CHECK_IS(sf_device_failure(other)->result, SF_OK);
    }
    CHECK_IS(sf_stream_synchronize(NULL, 0), SF_ERROR_INVALID_HANDLE);       /* later than the other thread's */
    CHECK(!strcmp(sf_device_failure(elder.device)->call, "sf_stream_synchronize"));
    CHECK_EQUAL(f->count, 3);
    CHECK_IS(sf_stream_query(NULL), SF_ERROR_INVALID_HANDLE);
    fail_on_a_thread();
    CHECK(!strcmp(sf_device_failure(other)->call, "sf_stream_query"));       /* of a device where nothing else failed */
    test_close(elder.device);
    test_close(other);
}

/* Several threads fail at once: every failure is counted, and the latest is one sentence, not two. */
enum { FAILERS = 4, FAILURES = 500 };
static struct { sf_device *device; uint32_t go; } crowd;
static void *fail_often(void *arg)
{
    size_t me = (size_t)(uintptr_t)arg;
    float ms;
    sf_event *e = NULL;
    (void)sf_event_create(crowd.device, 0, &e);
    while (!test_load(&crowd.go)) { sched_yield(); }
    for (int i = 0; i < FAILURES; i++) {
        switch (me) {
        case 0: (void)sf_event_elapsed_ms(e, e, &ms); break;
        case 1: (void)sf_device_get_info(crowd.device, NULL); break;
        case 2: (void)sf_stream_end_capture(sf_stream_legacy(crowd.device), NULL); break;
        default: (void)sf_mem_free(crowd.device, &ms); break;
        }
    }
    (void)sf_event_destroy(e);
    return NULL;
}
static void many_fail_at_once(void **state)
{
    pthread_t threads[FAILERS];
    const sf_failure *f;
    (void)state;
    crowd.device = test_open();
    crowd.go = 0;
    for (size_t i = 0; i < FAILERS; i++) {
        CHECK_EQUAL(pthread_create(&threads[i], NULL, fail_often, (void *)(uintptr_t)i), 0);
    }
    test_store(&crowd.go, 1);
    for (size_t i = 0; i < FAILERS; i++) { CHECK_EQUAL(pthread_join(threads[i], NULL), 0); }
    f = sf_device_failure(crowd.device);
    CHECK_EQUAL(f->count, FAILERS * FAILURES);
    CHECK(!strncmp(f->text, f->call, strlen(f->call)) && strchr(": ", f->text[strlen(f->call)]));    /* not torn */
    test_close(crowd.device);
}

/* A reset ends though work does not: it gives up what runs no code. What does has to return first. */
static uint32_t stuck[2];                    /* the gate; whether the function has begun */
static void stay_in_host_func(void *user)
{
    (void)user;
    test_store(&stuck[1], 1);
    while (!test_load(&stuck[0])) { usleep(100); }
}
static int stay_in_kernel(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    return stay_in_host_func(NULL), 0;
}
static const sf_kernel stays = { .name = "stays", .host = stay_in_kernel };
static void a_reset_gives_up_what_does_not_end(void **state)
{
    static const char *const waits_for[] = { "kernel \"gate\" on stream \"deaf\"", "a wait for a value on stream \"deaf\"",
                                             "kernel \"stays\" on stream \"deaf\"",
                                             "a host function on stream \"deaf\"" };
    (void)state;
    if (on_cuda()) { skip(); }
    for (uint32_t k = 0; k < 6 * 4; k++) {
        const uint32_t what = k % 4;
        const bool runs = what > 1;
        test_log log = { 0 };
        sf_device *device = test_open_desc(&(sf_device_desc){
            .backend = SF_BACKEND_HOST, .host = { .order = (sf_order)(k / 4), .workers = 2, .seed = k },
            .logger = { test_log_func, &log }, .reset_timeout = SF_MS(runs ? 40 : 10) });
        uint32_t *words = (uint32_t *)test_memory(device, 64);
        sf_stream *s, *other = test_stream(device);
        sf_event *e = test_event(device);
        if (runs && k / 4) {                 /* on one thread it would be this one that stays inside */
            test_close(device);
            continue;
        }
        memset(words, 0, 64);
        test_store(&stuck[0], 0), test_store(&stuck[1], 0);
        CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .name = "deaf" }, &s));
        if (what == 0) { CHECK_OK(test_gate(s, words, 1)); }
        if (what == 1) { CHECK_OK(sf_stream_wait_value(s, words, 4, 1, SF_WAIT_VALUE_EQ)); }
        if (what == 2) { CHECK_OK(sf_launch(s, &stays, NULL, 0)); }
        if (what == 3) { CHECK_OK(sf_launch_host_func(s, stay_in_host_func, NULL)); }
        while (runs && !test_load(&stuck[1])) { usleep(100); }
        CHECK_OK(sf_event_record(e, s, 0));
        CHECK_OK(sf_stream_wait_event(other, e, 0));
        CHECK_OK(test_mix(other, words + 1, NULL, 1, 1, 7, 0));
        log.count = 0;
        CHECK_IS(sf_device_reset(device), runs ? SF_TIMEOUT : SF_OK);
        CHECK_EQUAL(log.count, 1);
        CHECK_EQUAL(log.level, 2);
        if (!strstr(log.text, waits_for[what])) { fail_msg("%s", log.text); }
        if (runs) {
            CHECK_IS(sf_launch(other, &stays, NULL, 0), SF_ERROR_STALLED);
            test_store(&stuck[0], 1);
            for (int i = 0; i < 60000 && sf_device_reset(device) == SF_TIMEOUT; i++) { usleep(100); }
        }
        CHECK_EQUAL(words[1], 0);            /* given up */
        CHECK_OK(test_mix(s, words + 1, NULL, 1, 1, 5, 0));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_EQUAL(words[1], 5);
        test_close(device);
    }
}

/* A host stream takes what its commands need: little at first, more when they need more than ever before, and then
   nothing more. Commands lie in two memories while it grows, and all of them run in order. */
typedef struct byte_heap { size_t bytes; uint32_t calls; } byte_heap;
static void *byte_heap_alloc(size_t bytes, void *user)
{
    byte_heap *h = (byte_heap *)user;
    size_t *at = (size_t *)malloc(bytes + 16);
    (void)test_add(&h->calls, 1);
    if (!at) { return NULL; }
    at[0] = bytes;
    __atomic_add_fetch(&h->bytes, bytes, __ATOMIC_RELAXED);
    return at + 2;
}
static void byte_heap_free(void *ptr, void *user)
{
    size_t *at = (size_t *)ptr - 2;
    if (!ptr) { return; }
    __atomic_sub_fetch(&((byte_heap *)user)->bytes, at[0], __ATOMIC_RELAXED);
    free(at);
}
typedef struct large_args { uint32_t *sum; uint32_t values[(SF_MAX_ARGS - sizeof(uint32_t *)) / 4]; } large_args;
static int sum_host(const sf_slice *slice, const void *args)
{
    const large_args *a = (const large_args *)args;
    (void)slice;
    *a->sum = *a->sum * 3 + a->values[0] + a->values[COUNT(a->values) - 1];
    return 0;
}
static void a_stream_takes_what_its_commands_need(void **state)
{
    static const sf_kernel sums = { .name = "sum", .host = sum_host };
    static large_args args;
    (void)state;
    if (on_cuda()) { skip(); }
    for (uint32_t order = 0; order < 6; order++) {
        byte_heap heap = { 0 };
        sf_device *device = test_open_desc(&(sf_device_desc){
            .backend = SF_BACKEND_HOST, .host = { .order = (sf_order)order, .workers = 2, .seed = order },
            .heap = { byte_heap_alloc, byte_heap_free, &heap } });
        uint32_t *words = (uint32_t *)test_memory(device, 64), calls = 0;
        sf_stream *s = test_stream(device);
        size_t before = heap.bytes;
        for (int i = 0; i < 100; i++) { (void)test_stream(device); }
        CHECK(heap.bytes - before < 100 * 40000);
        for (uint32_t round = 1; round < 4; round++) {
            uint32_t model = 0;
            words[1] = 0;
            if (round > 1) { calls = test_load(&heap.calls); }
            CHECK_OK(test_gate(s, words, round));
            for (uint32_t i = 1; i < 1024; i++) {            /* as many as it holds, and none of them waits */
                const size_t bytes = i % 3 ? 16 : sizeof args;
                args.sum = &words[1];
                args.values[0] = i;
                args.values[COUNT(args.values) - 1] = i * 7;
                if (bytes == sizeof args) {
                    CHECK_OK(sf_launch(s, &sums, &args, sizeof args));
                    model = model * 3 + i * 8;
                } else {
                    CHECK_OK(test_mix(s, words + 1, NULL, 1, 3, i, 0));
                    model = model * 3 + i;
                }
            }
            test_store(words, round);
            CHECK_OK(sf_stream_synchronize(s, GUARD));
            CHECK_EQUAL(words[1], model);
            if (round == 3) { CHECK_EQUAL(test_load(&heap.calls), calls); }
        }
        CHECK(heap.bytes - before > 1000000);
        test_close(device);
        CHECK_EQUAL(heap.bytes, 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_words),
        cmocka_unit_test(open_says_what_it_took),
        cmocka_unit_test(auto_names_the_reason),
        cmocka_unit_test(open_refuses),
        cmocka_unit_test(device_info),
        cmocka_unit_test(null_devices),
        cmocka_unit_test(close_with_work_in_flight),
        cmocka_unit_test(lives_in_memory_handed_in),
        cmocka_unit_test(memory_not_aligned),
        cmocka_unit_test(heap_is_used_and_given_back),
        cmocka_unit_test(stream_getters),
        cmocka_unit_test(stale_and_foreign_handles),
        cmocka_unit_test(destroyed_stream_finishes),
        cmocka_unit_test(query_and_synchronize),
        cmocka_unit_test(devices_are_counted),
        cmocka_unit_test(what_a_device_can),
        cmocka_unit_test(devices_wait_by_policy),
        cmocka_unit_test(in_order_within_a_stream),
        cmocka_unit_test(waiting_kernels_block_nobody),
        cmocka_unit_test(cancelled_in_a_wait),
        cmocka_unit_test(waiting_kernels_take_turns),
        cmocka_unit_test(urgent_streams_first),
        cmocka_unit_test(small_depth),
        cmocka_unit_test(depth_is_exact),
        cmocka_unit_test(a_deep_queue_behind_a_gate),
        cmocka_unit_test(streams_made_while_a_kernel_stays),
        cmocka_unit_test(a_device_is_done_with_what_nobody_has),
        cmocka_unit_test(a_new_thread_has_a_new_stream),
        cmocka_unit_test(stays_are_counted),
        cmocka_unit_test(host_functions_once_in_order),
        cmocka_unit_test(nothing_is_permitted_inside),
        cmocka_unit_test(host_functions_block_no_kernel),
        cmocka_unit_test(unknown_values_are_named),
        cmocka_unit_test(legacy_waits_for_blocking_streams),
        cmocka_unit_test(legacy_and_non_blocking),
        cmocka_unit_test(legacy_and_destroyed_streams),
        cmocka_unit_test(legacy_beside_a_full_stream),
        cmocka_unit_test(legacy_beside_who_goes_on),
        cmocka_unit_test(counters_count),
        cmocka_unit_test(a_stream_waits_for_a_stream),
        cmocka_unit_test(a_wait_for_a_stream_allocates_nothing),
        cmocka_unit_test(refused_waits_for_streams),
        cmocka_unit_test(threads_wait_for_streams),
        cmocka_unit_test(stream_pools),
        cmocka_unit_test(many_user_threads),
        cmocka_unit_test(streams_go_while_used),
        cmocka_unit_test(destroyed_with_a_caller_in_it),
        cmocka_unit_test(arguments_of_many_sizes),
        cmocka_unit_test(stale_while_it_drains),
#ifdef __linux__
        cmocka_unit_test(devices_stay_with_their_process),
#endif
        cmocka_unit_test(every_failure_is_told),
        cmocka_unit_test(who_called_is_named),
        cmocka_unit_test(a_stream_keeps_its_failure),
        cmocka_unit_test(a_stream_takes_what_its_commands_need),
        cmocka_unit_test(a_reset_gives_up_what_does_not_end),
        cmocka_unit_test(attributes_are_copied_meanwhile),
        cmocka_unit_test(a_host_function_spoils_no_failure),
        cmocka_unit_test(a_bad_handle_replaces_no_later_failure),
        cmocka_unit_test(many_fail_at_once),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
