/*  test_kernel.c - launches: slices, arguments, bodies that are missing, fail, or ask for time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"

/* -- slices -- */

static void slices_cover_all_once(void **state)
{
    rng r = rng_seed(1);
    (void)state;
    for (int round = 0; round < 3000; round++) {
        ptrdiff_t n = round < 200 ? round : (ptrdiff_t)rng_below(&r, 1u << (1 + rng_below(&r, 30))), at = 0;
        int32_t count = round % 3 ? 1 + (int32_t)rng_below(&r, 70) : 1 + round % 64;
        ptrdiff_t least = PTRDIFF_MAX, most = 0;
        for (int32_t i = 0; i < count; i++) {
            sf_slice s = { i, count };
            ptrdiff_t begin = sf_slice_begin(&s, n), end = sf_slice_end(&s, n);
            CHECK_EQUAL(begin, at);          /* where the last one ended: no gap, no overlap */
            CHECK(end >= begin);
            least = end - begin < least ? end - begin : least;
            most = end - begin > most ? end - begin : most;
            at = end;
        }
        CHECK_EQUAL(at, n);
        CHECK(most - least <= 1);            /* and shared fairly */
    }
}
enum { MAX_SLICES = 64 };
typedef struct slice_args { uint32_t *visits, *rows; uint32_t n, expected; uint32_t *wrong; } slice_args;
static int slice_host(const sf_slice *slice, const void *args)
{
    const slice_args *a = (const slice_args *)args;
    if (slice->index < 0 || slice->index >= slice->count || slice->count > (int32_t)a->expected ||
        slice->count < 1) {
        test_add(a->wrong, 1);
        return 0;
    }
    test_add(&a->visits[slice->index], 1);
    test_spin(50 * (uint32_t)(slice->index % 7));
    for (ptrdiff_t i = sf_slice_begin(slice, a->n); i < sf_slice_end(slice, a->n); i++) { a->rows[i]++; }
    return 0;
}
static void every_slice_once(void **state)
{
    enum { ROWS = 1000, ROUNDS = 40 };
    static uint32_t rows[ROWS];
    (void)state;
    if (on_cuda()) { return; }
    for (int order = SF_ORDER_THREADS; order <= SF_ORDER_REPLAY; order++) {
        sf_device *device = test_open_desc(
            &(sf_device_desc){ .host = { .workers = 4, .order = (sf_order)order, .seed = 9 } });
        sf_stream *s[2] = { test_stream(device), test_stream(device) };
        static sf_kernel kernels[MAX_SLICES + 3];
        memset(rows, 0, sizeof rows);
        for (int32_t n = 0; n < (int32_t)COUNT(kernels); n++) {
            uint32_t visits[2 * MAX_SLICES] = { 0 }, wrong = 0, total = 0;
            kernels[n] = (sf_kernel){ .name = "slices", .host = slice_host, .slices = n };
            slice_args a = { visits, rows, ROWS, n ? (uint32_t)n : 1, &wrong };
            CHECK_OK(sf_launch(s[0], &kernels[n], &a, sizeof a));
            CHECK_OK(sf_stream_synchronize(s[0], GUARD));
            CHECK_EQUAL(wrong, 0);
            while (total < COUNT(visits) && visits[total] == 1) { total++; }
            CHECK_EQUAL(total, n < 1 ? 1 : n > MAX_SLICES ? MAX_SLICES : n);
            for (uint32_t i = total; i < COUNT(visits); i++) { CHECK_EQUAL(visits[i], 0); }
        }
        for (size_t i = 0; i < ROWS; i++) { CHECK_EQUAL(rows[i], COUNT(kernels)); }
        test_close(device);
    }
}
/* All slices of a launch are done before the next command of its stream begins, and begin after the last one.
   */
static void slices_keep_the_order(void **state)
{
    static const sf_kernel sliced = { .name = "mix in slices", .host = mix_host, .slices = 16 };
    enum { N = 4096 };
    sf_device *device;
    uint32_t *data, *sum, model[N] = { 0 }, total = 0;
    sf_stream *s[3];
    sf_event *e;
    (void)state;
    if (on_cuda()) { return; }
    device = test_open_workers(4);
    data = (uint32_t *)test_memory(device, N * 4), sum = (uint32_t *)test_memory(device, 64);
    for (int i = 0; i < 3; i++) { s[i] = test_stream(device); }
    e = test_event(device);
    for (uint32_t i = 0; i < 200;
         i++) { /* each launch is on the next stream, sliced at other rows than before */
        mix_args a = { .dst = data, .n = N - i % 100, .mul = 3, .add = i, .spin = i % 9 * 50 };
        CHECK_OK(sf_launch(s[i % 3], i % 2 ? &sliced : &mix_kernel, &a, sizeof a));
        CHECK_OK(test_mix(s[i % 3], sum, data + i, 1, 5, 0, 0));
        test_mix_model(model, NULL, a.n, 3, i);
        total = total * 5 + model[i];
        CHECK_OK(sf_event_record(e, s[i % 3], 0));
        CHECK_OK(sf_stream_wait_event(s[(i + 1) % 3], e, 0));
    }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_BYTES(data, model, sizeof model);
    CHECK_EQUAL(sum[0], total);
    test_close(device);
}
typedef struct retry_args { uint32_t *flag, *tries, *done; } retry_args;
static int retry_host(const sf_slice *slice,
                      const void *args) /* odd slices ask for time until the flag is up */
{
    const retry_args *a = (const retry_args *)args;
    test_add(&a->tries[slice->index], 1);
    if (slice->index % 2 && !test_load(a->flag)) { return SF_NOT_READY; }
    test_add(&a->done[slice->index], 1);
    return 0;
}
static void slices_that_ask_for_time(void **state)
{
    static const sf_kernel retry = { .name = "retry", .host = retry_host, .slices = 8 };
    (void)state;
    if (on_cuda()) { return; }
    for (int order = SF_ORDER_THREADS; order <= SF_ORDER_PCT; order++) {
        sf_device *device = test_open_desc(
            &(sf_device_desc){ .host = { .workers = 2, .order = (sf_order)order, .seed = 3 } });
        sf_stream *s = test_stream(device), *t = test_stream(device);
        uint32_t flag = 0, after = 0, tries[8] = { 0 }, done[8] = { 0 };
        retry_args a = { &flag, tries, done };
        CHECK_OK(sf_launch(s, &retry, &a, sizeof a));
        CHECK_OK(test_mix(s, &after, NULL, 1, 1, 1, 0));
        CHECK_IS(sf_stream_synchronize(s, SF_MS(1)), SF_TIMEOUT);
        CHECK_EQUAL(after, 0);
        CHECK_OK(test_lift(t, &flag, 1));
        CHECK_OK(sf_stream_synchronize(s, GUARD));           /* runs what t has, too */
        CHECK_EQUAL(after, 1);
        for (int i = 0; i < 8; i++) {
            CHECK_EQUAL(done[i], 1);
            CHECK(tries[i] >= 1 && (i % 2 || tries[i] == 1));
        }
        test_close(device);
    }
}

/* -- arguments -- */

static void arguments_are_copied(void **state)
{
    sf_device *device = test_open_workers(2);
    uint32_t *words = (uint32_t *)test_memory(device, 65536), *flag = words;
    sf_stream *s = test_stream(device);
    static blob_args a;
    static uint32_t model[12][BLOB_WORDS];
    rng r = rng_seed(5);
    (void)state;
    assert_int_equal(sizeof a, SF_MAX_ARGS);
    CHECK_OK(test_gate(s, flag, 1));
    for (uint32_t i = 0; i < COUNT(model); i++) {
        a.out = words + 64 + i * BLOB_WORDS;
        a.words = BLOB_WORDS;
        rng_fill(&r, a.data, sizeof a.data);
        memcpy(model[i], a.data, sizeof a.data);
        CHECK_OK(sf_launch(s, &blob_kernel, &a, sizeof a));
        memset(&a, 0xee, sizeof a);          /* the caller's again */
    }
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_BYTES(words + 64, model, sizeof model);
    test_close(device);
}
static int aligned_host(const sf_slice *slice, const void *args)
{
    (void)slice;
    **(uint32_t *const *)args += (uintptr_t)args % 16 == 0;
    return 0;
}
static void arguments_of_any_size(void **state)
{
    static const sf_kernel aligned = { .name = "aligned", .host = aligned_host };
    sf_device *device = test_open_workers(2);
    sf_stream *s = test_stream(device);
    static struct { uint32_t *count; char rest[SF_MAX_ARGS]; } a;
    uint32_t count = 0, n = 0;
    (void)state;
    CHECK_IS(sf_launch(s, &mix_kernel, &a, SF_MAX_ARGS + 1), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_launch(s, &mix_kernel, &a, SIZE_MAX), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_launch(s, &mix_kernel, NULL, 8), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_launch(s, NULL, &a, 8), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_stream_query(s));            /* nothing of that was enqueued */
    if (!on_cuda()) {
        a.count = &count;
        for (size_t bytes = sizeof a.count; bytes <= SF_MAX_ARGS; bytes += bytes < 200 ? 1 : 61, n++) {
            CHECK_OK(sf_launch(s, &aligned, &a, bytes));
        }
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_EQUAL(count, n);
    }
    test_close(device);
}
static void no_body(void **state)
{
    static const sf_kernel none = { .name = "bodiless" };
    test_log log = { 0 };
    sf_device *device =
        test_open_desc(&(sf_device_desc){ .host.workers = 1, .logger = { test_log_func, &log } });
    sf_stream *s;
    const sf_failure *f;
    uint32_t *data = (uint32_t *)test_memory(device, 64);
    (void)state;
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .name = "left" }, &s));
    CHECK_IS(sf_launch(s, &none, NULL, 0), SF_ERROR_NOT_SUPPORTED);
    f = sf_device_failure(device);
    CHECK_IS(f->result, SF_ERROR_NOT_SUPPORTED);
    CHECK_EQUAL(f->count, 1);
    CHECK(!strcmp(f->call, "sf_launch"));
    CHECK(strstr(f->text, "bodiless") && strstr(f->text, on_cuda() ? "cuda" : "host"));
    CHECK_EQUAL(log.level, 1);
    CHECK_EQUAL(log.item, -SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(log.text, "bodiless"));
    CHECK_OK(test_mix(s, data, NULL, 1, 1, 3, 0));           /* the device is none the worse for it */
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(data[0], 3);
    test_close(device);
}

/* -- faults -- */

static int fault_host(const sf_slice *slice, const void *args) { return (void)slice, *(const int *)args; }
static const sf_kernel fault_kernel = { .name = "faulty", .host = fault_host };
static void count_call(void *user) { test_add((uint32_t *)user, 1); }
static void a_fault_poisons_the_device(void **state)
{
    static const int codes[] = { 719, -719, 700, 1, 3, 999, INT_MAX, -INT_MAX, INT_MIN };
    (void)state;
    if (on_cuda()) { return; }               /* see a_trap_on_the_gpu */
    for (int order = SF_ORDER_THREADS; order <= SF_ORDER_PCT; order++) {
        for (size_t k = 0; k < COUNT(codes); k++) {
            sf_device *device =
                test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .order = (sf_order)order } });
            sf_result fault = (sf_result)(codes[k] == INT_MIN ? -INT_MAX : codes[k] < 0 ? codes[k] : -codes[k]);
            sf_stream *s, *t = test_stream(device), *u = NULL;
            sf_event *e = test_event(device), *never = test_event(device);
            uint32_t *words = (uint32_t *)test_memory(device, 256), calls = 0, flags;
            sf_device_info info;
            sf_counters counters;
            void *p = NULL;
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .name = "left" }, &s));
            CHECK_OK(test_gate(s, words, 1));
            CHECK_OK(test_mix(s, words + 8, NULL, 1, 1, 4, 0));
            CHECK_OK(sf_launch(s, &fault_kernel, &codes[k], sizeof codes[k]));
            CHECK_OK(test_mix(s, words + 8, NULL, 1, 1, 100, 0));            /* from here on nothing runs */
            CHECK_OK(sf_launch_host_func(s, count_call, &calls));
            CHECK_OK(sf_memset_async(s, words + 9, 1, 4));
            CHECK_OK(sf_event_record(e, s, 0));
            CHECK_OK(sf_stream_wait_event(t, e, 0));
            for (int i = 0; i < 100; i++) { CHECK_OK(test_mix(t, words + 10, NULL, 1, 1, 1, 0)); }
            CHECK_OK(sf_launch_host_func(t, count_call, &calls));
            test_store(words, 1);
            CHECK_IS(sf_stream_synchronize(t, GUARD), fault);                /* does not hang */
            CHECK_IS(sf_event_synchronize(e, GUARD), fault);
            CHECK_IS(sf_event_query(never), fault);                          /* every call says it */
            CHECK_IS(sf_stream_synchronize(s, GUARD), fault);
            CHECK_IS(sf_stream_query(s), fault);
            CHECK_IS(sf_stream_get_flags(s, &flags), fault);
            CHECK_IS(sf_stream_create(device, NULL, &u), fault);
            CHECK_IS(sf_device_synchronize(device, GUARD), fault);
            CHECK_IS(sf_device_get_info(device, &info), fault);
            CHECK_IS(sf_mem_alloc(device, 16, SF_MEMORY_HOST, &p), fault);
            CHECK_IS(test_mix(t, words, NULL, 1, 1, 1, 0), fault);
            CHECK_IS(sf_event_record(e, s, 0), fault);
            CHECK_IS(sf_stream_wait_event(s, e, 0), fault);
            CHECK(!u && !p);
            CHECK_IS(sf_device_failure(device)->result, fault);
            CHECK(strstr(sf_device_failure(device)->text, "faulty"));
            CHECK(strstr(sf_device_failure(device)->text, "left"));
            CHECK_OK(sf_device_get_counters(device, &counters)); /* who looks for the cause may count */
            CHECK_OK(sf_device_reset(device));
            CHECK_EQUAL(words[8], 4);
            CHECK_EQUAL(words[9], 0);
            CHECK_EQUAL(words[10], 0);
            CHECK_EQUAL(calls, 0);
            CHECK_IS(sf_device_failure(device)->result, SF_OK);
            CHECK_OK(test_mix(t, words + 10, NULL, 1, 1, 7, 0));             /* and all of it works again */
            CHECK_OK(sf_launch_host_func(t, count_call, &calls));
            CHECK_OK(sf_event_record(e, t, 0));
            CHECK_OK(sf_stream_wait_event(s, e, 0));
            CHECK_OK(test_mix(s, words + 10, NULL, 1, 3, 0, 0));
            CHECK_OK(sf_device_synchronize(device, GUARD));
            CHECK_EQUAL(words[10], 21);
            CHECK_EQUAL(calls, 1);
            CHECK_OK(sf_stream_destroy(s));
            test_close(device);
        }
    }
}
/* All that was enqueued before the reset is dropped, on whichever stream; nothing of it runs afterwards. */
static void reset_drops_what_is_left(void **state)
{
    enum { STREAMS = 8, DEEP = 200 };
    (void)state;
    if (on_cuda()) { return; }
    for (int order = SF_ORDER_THREADS; order <= SF_ORDER_PCT; order++) {
        sf_device *device =
            test_open_desc(&(sf_device_desc){ .host = { .workers = 3, .order = (sf_order)order } });
        uint32_t *words = (uint32_t *)test_memory(device, 4096), ran[STREAMS];
        sf_stream *s[STREAMS], *bad = test_stream(device);
        int code = 700;
        for (int i = 0; i < STREAMS; i++) { s[i] = test_stream(device); }
        for (int k = 0; k < DEEP; k++) {
            for (int i = 0; i < STREAMS; i++) {
                CHECK_OK(test_mix(s[i], words + 64 * (i + 1), NULL, 1, 1, 1, 2000));
            }
            if (k == 3) { CHECK_OK(sf_launch(bad, &fault_kernel, &code, sizeof code)); break; }
        }
        for (int k = 0; k < DEEP; k++) {     /* the fault may have come already */
            for (int i = 0; i < STREAMS; i++) {
                (void)test_mix(s[i], words + 64 * (i + 1), NULL, 1, 1, 1, 2000);
            }
        }
        CHECK_IS(sf_stream_synchronize(bad, GUARD), SF_ERROR_ILLEGAL_ADDRESS);
        CHECK_OK(sf_device_reset(device));
        for (int i = 0; i < STREAMS; i++) { ran[i] = test_load(words + 64 * (i + 1)); }
        CHECK_OK(sf_device_synchronize(device, GUARD));
        for (int i = 0; i < STREAMS; i++) {
            CHECK_EQUAL(words[64 * (i + 1)], ran[i]);
            CHECK_OK(sf_stream_query(s[i]));
        }
        test_close(device);
    }
}
/* Calls that met the fault before the reset, on other threads, do not bring it back when they report it behind that. */
typedef struct reset_calls {
    sf_stream *stream;
    uint32_t stop, met;
} reset_calls;
static void *query_until_stop(void *user)
{
    reset_calls *c = (reset_calls *)user;
    while (!test_load(&c->stop)) {
        if (sf_stream_query(c->stream) == SF_ERROR_ILLEGAL_ADDRESS) { test_add(&c->met, 1); }
    }
    return NULL;
}
static void resets_beside_calls(void **state)
{
    enum { CALLERS = 3, ROUNDS = 500 };
    sf_device *device;
    static reset_calls calls;                /* static: a failed check leaves while the threads run */
    pthread_t threads[CALLERS];
    int code = 700;
    (void)state;
    if (on_cuda()) { return; }
    device = test_open_workers(1);
    calls.stream = test_stream(device);
    for (int i = 0; i < CALLERS; i++) { CHECK(!pthread_create(&threads[i], NULL, query_until_stop, &calls)); }
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t met = test_load(&calls.met);
        CHECK_OK(sf_launch(calls.stream, &fault_kernel, &code, sizeof code));
        while (test_load(&calls.met) == met) { sched_yield(); }
        CHECK_OK(sf_device_reset(device));
        CHECK_OK(sf_device_synchronize(device, GUARD));
    }
    test_store(&calls.stop, 1);
    for (int i = 0; i < CALLERS; i++) { CHECK(!pthread_join(threads[i], NULL)); }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK(calls.met);
    test_close(device);
}
static void closing_a_poisoned_device(void **state) /* its workers are still dropping commands meanwhile */
{
    enum { STREAMS = 8, DEEP = 300 };
    (void)state;
    if (on_cuda()) { return; }
    for (int round = 0; round < 20; round++) {
        sf_device *device = test_open_workers(3);
        uint32_t *words = (uint32_t *)test_memory(device, 4096);
        sf_stream *s[STREAMS];
        int code = 700;
        sf_result r;
        for (int i = 0; i < STREAMS; i++) {
            s[i] = test_stream(device);
            CHECK_OK(test_gate(s[i], words, 1));
            for (int k = 0; k < DEEP; k++) {
                CHECK_OK(test_mix(s[i], words + 64 * (i + 1), NULL, 1, 1, 1, 0));
            }
        }
        CHECK_OK(sf_launch(test_stream(device), &fault_kernel, &code, sizeof code));
        r = sf_device_close(device, GUARD);  /* closed all the same, and says it */
        CHECK_IS(r, SF_ERROR_ILLEGAL_ADDRESS);
    }
}
static void reset_of_a_sound_device(void **state)
{
    sf_device *device = test_open();
    uint32_t *data = (uint32_t *)test_memory(device, 64);
    sf_stream *s = test_stream(device);
    (void)state;
    CHECK_OK(test_mix(s, data, NULL, 1, 1, 5, 0));
    CHECK_IS(sf_device_reset(device), on_cuda() ? SF_ERROR_NOT_SUPPORTED : SF_OK);
    CHECK_OK(test_mix(s, data, NULL, 1, 3, 1, 0));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(data[0], 16);
    test_close(device);
}
/* The context is lost until the process ends, so that is another process: this program, with --trap. */
static int trap_main(void)
{
    sf_device *device;
    sf_stream *s;
    uint32_t calls = 0, flags;
    sf_result r[6];
    if (sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_CUDA }, &device)) { return 10; }
    if (sf_stream_create(device, NULL, &s)) { return 11; }
    if (sf_launch(s, &trap_kernel, NULL, 0)) { return 12; }
    (void)sf_launch_host_func(s, count_call, &calls);
    r[0] = sf_stream_synchronize(s, GUARD);
    r[1] = sf_stream_query(s);
    r[2] = sf_stream_get_flags(s, &flags);
    r[3] = sf_device_synchronize(device, GUARD);
    r[4] = sf_launch(s, &trap_kernel, NULL, 0);
    r[5] = sf_device_failure(device)->result;
    for (int i = 0; i < 6; i++) {
        if (r[i] >= 0 || r[i] != r[0]) { return 20 + i; }
    }
    if (sf_device_reset(device) != SF_ERROR_NOT_SUPPORTED) { return 30; }
    if (calls) { return 31; }
    return sf_device_close(device, GUARD) == r[0] ? 0 : 32;
}
static void a_trap_on_the_gpu(void **state)
{
    (void)state;
    if (!on_cuda()) { return; }
    CHECK_EQUAL(system("exec \"$SF_TEST_SELF\" --trap"), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_cover_all_once),
        cmocka_unit_test(every_slice_once),
        cmocka_unit_test(slices_keep_the_order),
        cmocka_unit_test(slices_that_ask_for_time),
        cmocka_unit_test(arguments_are_copied),
        cmocka_unit_test(arguments_of_any_size),
        cmocka_unit_test(no_body),
        cmocka_unit_test(a_fault_poisons_the_device),
        cmocka_unit_test(reset_drops_what_is_left),
        cmocka_unit_test(resets_beside_calls),
        cmocka_unit_test(closing_a_poisoned_device),
        cmocka_unit_test(reset_of_a_sound_device),
        cmocka_unit_test(a_trap_on_the_gpu),
    };
    if (argc > 1 && !strcmp(argv[1], "--trap")) { return trap_main(); }
    setenv("SF_TEST_SELF", argv[0], 1);
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
