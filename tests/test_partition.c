/*  test_partition.c - multiprocessors set aside: what a split gives, what works across partitions, and that work in one
    of them is held up by no other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"

static sf_partition_info info_of(const sf_partition *p)
{
    sf_partition_info info;
    CHECK_OK(sf_partition_get_info(p, &info));
    return info;
}
static int32_t sms_of(sf_device *device)
{
    sf_device_info info;
    CHECK_OK(sf_device_get_info(device, &info));
    return info.multiprocessors;
}
static int32_t partitions_of(sf_device *device)
{
    sf_device_info info;
    CHECK_OK(sf_device_get_info(device, &info));
    return info.partitions;
}
static sf_stream *stream_in(sf_partition *p, sf_device *device)
{
    sf_stream *s = NULL;
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING, .partition = p }, &s));
    return s;
}
static sf_partition *partition_of(const sf_stream *s)
{
    sf_partition *p = (sf_partition *)(uintptr_t)&test_backend;
    CHECK_OK(sf_stream_get_partition(s, &p));
    return p;
}
/* A driver that is too old says so, and there is nothing to test. */
static bool too_old(void)
{
    sf_device *device = test_open();
    bool old = !test_split(device);
    if (old) { CHECK(strstr(sf_device_failure(device)->text, "CUDA 12.5")); }
    test_close(device);
    if (old) { skip(); }
    return old;
}

/* -- what a split gives -- */

static void check_split(sf_device *device, const sf_partitions_desc *d, const int32_t *exact)
{
    const int32_t all = sms_of(device), count = partitions_of(device), least = d->min_sms ? d->min_sms : 2;
    const int32_t chosen = d->default_partition ? d->default_partition - 1 : count - 1;
    int32_t sum = 0;
    CHECK(count == d->count || count == d->count + 1);
    CHECK_EQUAL(info_of(test_partition(device, -1)).index, chosen);
    for (int32_t i = 0; i < count; i++) {
        sf_partition_info info = info_of(test_partition(device, i));
        const int32_t want = i == d->count ? 1 : d->sms[i] > least ? d->sms[i] : least;
        CHECK(info.device == device);
        CHECK_EQUAL(info.index, i);
        CHECK_EQUAL(info.remainder, i == d->count);
        CHECK_EQUAL(info.is_default, i == chosen);
        CHECK_EQUAL(info.native != NULL, on_cuda());
        CHECK(info.sms >= want && (on_cuda() ? info.step >= 1 : info.step == 1));
        if (!info.remainder && info.sms != all) { CHECK_EQUAL(info.sms, (want + info.step - 1) / info.step * info.step); }
        if (exact) { CHECK_EQUAL(info.sms, exact[i]); }
        sum += info.sms;
    }
    CHECK_EQUAL(sum, all);
    CHECK(count > d->count || sum == all);
}
static void counts(void **state)
{
    const uint32_t seeds = on_cuda() ? 20 : test_seeds() / 50 + 1;
    (void)state;
    if (too_old()) { return; }
    FOR_SEEDS(seed, seeds) {
        rng r = rng_seed(seed);
        const int32_t workers = 1 + (int32_t)rng_below(&r, 24);
        sf_device *device = test_open_desc(&(sf_device_desc){
            .host = { .workers = workers, .order = rng_below(&r, 2) ? SF_ORDER_THREADS : SF_ORDER_RANDOM } });
        sf_partitions_desc d = { .count = (int32_t)rng_below(&r, 5), .min_sms = (int32_t)rng_below(&r, 4) };
        const int32_t all = sms_of(device), least = d.min_sms ? d.min_sms : 2;
        int32_t exact[SF_MAX_PARTITIONS + 1] = { 0 }, sum = 0;
        sf_result result;
        if (!on_cuda()) { CHECK_EQUAL(all, workers); }
        for (int32_t i = 0; i < d.count; i++) {
            d.sms[i] = (int32_t)rng_below(&r, (uint32_t)all / 3 + 3);
            exact[i] = d.sms[i] > least ? d.sms[i] : least;
            sum += exact[i];
        }
        exact[d.count] = all - sum;
        d.default_partition = (int32_t)rng_below(&r, (uint32_t)d.count + 2);
        result = sf_device_split(device, &d);
        if (!on_cuda()) {
            const bool left = sum < all, fits = sum <= all && (left || d.default_partition <= d.count);
            CHECK_IS(result, fits ? SF_OK : SF_ERROR_INVALID_VALUE);
        }
        if (result == SF_OK) {
            check_split(device, &d, on_cuda() ? NULL : exact);
            CHECK_IS(sf_device_split(device, &d), SF_ERROR_ILLEGAL_STATE);
            CHECK(strstr(sf_device_failure(device)->text, "already"));
        } else {                             /* nothing is split: it may be tried again */
            const char *text = sf_device_failure(device)->text;
            CHECK(strstr(text, sum > all ? "are left" : "nothing is left") ||
                  (on_cuda() && (strstr(text, "are left") || strstr(text, "make only"))));
            CHECK_EQUAL(partitions_of(device), 0);
            CHECK_OK(sf_device_split(device, NULL));         /* all defaults */
            CHECK_EQUAL(partitions_of(device), 1);
            CHECK_EQUAL(info_of(test_partition(device, 0)).sms, all);
        }
        test_close(device);
    }
}
static void refused(void **state)
{
    sf_device *device = test_open_workers(6), *other = test_open_workers(6);
    sf_partition *p = NULL, *foreign;
    sf_partition_info info;
    sf_stream *s = NULL;
    sf_stream_pool *pool = NULL;
    sf_policy *policy = NULL;
    const struct { sf_partitions_desc desc; const char *text; } wrong[] = {
        { { .count = -1 }, ": .count is -1: make it 0 to 16" }, { { .count = SF_MAX_PARTITIONS + 1 }, ": .count is 17" },
        { { .count = 2, .sms = { 1, -1 } }, ": .sms[1] is -1: make it 0 or more" },
        { { .count = 1, .sms = { 1, 0, 4 } }, ": .sms[2] is 4, and .count ends before it" },
        { { .sms = { -5 } }, ": .sms[0] is -5, and .count ends before it" }, { { .min_sms = -1 }, ": .min_sms is -1" },
        { { .count = 1, .flags = 4 }, ": .flags is 4" }, { { .default_partition = -1 }, ": .default_partition is -1" },
        { { .count = 1, .default_partition = 3 }, ": .default_partition is 3: make it 0 to .count + 1" },
        { { .count = 1, .work_queues = -1 }, ": .work_queues is -1" },
    };
    (void)state;
    if (too_old()) { return; }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CHECK_IS(sf_device_split(device, &wrong[i].desc), SF_ERROR_INVALID_VALUE);
        if (!strstr(sf_device_failure(device)->text, wrong[i].text)) { fail_msg("%s", sf_device_failure(device)->text); }
    }
    CHECK_IS(sf_device_split(NULL, &wrong[0].desc), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_device_get_partition(device, 0, &p), SF_ERROR_INVALID_VALUE);
    CHECK(!p && strstr(sf_device_failure(device)->text, "call sf_device_split()"));
    CHECK_IS(sf_device_get_partition(device, -1, &p), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_split(device, &(sf_partitions_desc){ .count = 2, .sms = { 1, sms_of(device) } }),
             SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_device_failure(device)->text, "partition 1 is to have"));
    if (!on_cuda()) { CHECK(strstr(sf_device_failure(device)->text, "and 4 of 6 are left")); }
    CHECK(test_split(device) && test_split(other));
    p = test_partition(device, 1), foreign = test_partition(other, 1);
    CHECK_IS(sf_device_get_partition(device, 3, &foreign), SF_ERROR_INVALID_VALUE);
    CHECK(!foreign && strstr(sf_device_failure(device)->text, "0 to 2"));
    foreign = test_partition(other, 1);
    CHECK_IS(sf_device_get_partition(device, -2, &p), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_get_partition(device, 0, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_device_get_partition(NULL, 0, &p), SF_ERROR_INVALID_HANDLE);
    p = test_partition(device, 1);
    CHECK_IS(sf_partition_get_info(NULL, &info), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_partition_get_info(p, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_stream_create(device, &(sf_stream_desc){ .partition = p }, &s), SF_ERROR_INVALID_VALUE);
    CHECK(!s && strstr(sf_device_failure(device)->text, "set .flags to SF_STREAM_NON_BLOCKING"));
    CHECK_IS(sf_stream_create(device, &(sf_stream_desc){ .flags = 1, .partition = foreign }, &s),
             SF_ERROR_INVALID_HANDLE);
    CHECK(!s && strstr(sf_device_failure(device)->text, "another device"));
    CHECK_IS(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .blocking = true, .partition = p }, &pool),
             SF_ERROR_INVALID_VALUE);
    CHECK(!pool && strstr(sf_device_failure(device)->text, "take .blocking away"));
    CHECK_IS(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .partition = foreign }, &pool),
             SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_policy_create(device, &(sf_policy_desc){ .partition = foreign }, &policy), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_policy_create(device, &(sf_policy_desc){ .kind = SF_POLICY_PER_THREAD, .partition = p }, &policy),
             SF_ERROR_INVALID_VALUE);
    CHECK(!policy && strstr(sf_device_failure(device)->text, "makes no streams"));
    CHECK_IS(sf_stream_get_partition(NULL, &p), SF_ERROR_INVALID_HANDLE);
    s = stream_in(p, device);
    CHECK_IS(sf_stream_get_partition(s, NULL), SF_ERROR_INVALID_VALUE);
    for (int i = 0; i < 2; i++) {            /* a pool knows its desc's */
        CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .partition = i ? p : NULL }, &pool));
        foreign = (sf_partition *)(void *)pool;
        CHECK_OK(sf_stream_pool_get_partition(pool, &foreign));
        CHECK(foreign == (i ? p : NULL));
        CHECK_IS(sf_stream_pool_get_partition(pool, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_OK(sf_stream_pool_destroy(pool));
        foreign = p;
        CHECK_IS(sf_stream_pool_get_partition(pool, &foreign), SF_ERROR_INVALID_HANDLE);
        CHECK(!foreign);
    }
    CHECK_IS(sf_stream_pool_get_partition(NULL, &foreign), SF_ERROR_INVALID_HANDLE);
    test_close(device);
    test_close(other);
}
/* Who makes streams makes them where it is told. */
static sf_result note_stream(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count;
    out->ptr = partition_of(x->stream);
    return SF_OK;
}
static void streams_know_their_partition(void **state)
{
    sf_device *device = test_open_workers(6);
    sf_stream *child, *again, *s = NULL;
    sf_stream_resource resource;
    sf_value v;
    (void)state;
    if (too_old()) { return; }
    CHECK(!partition_of(sf_stream_legacy(device)));
    CHECK(test_split(device));
    CHECK(!partition_of(sf_stream_legacy(device)) && !partition_of(sf_stream_per_thread(device)));
    for (int32_t i = -1; i < 3; i++) {
        sf_partition *p = i < 0 ? NULL : test_partition(device, i);
        sf_policy *policy;
        s = stream_in(p, device);
        CHECK(partition_of(s) == p);
        CHECK_OK(sf_stream_get_dev_resource(s, &resource));
        CHECK_EQUAL(resource.multiprocessors, p ? info_of(p).sms : sms_of(device));
        CHECK_OK(sf_stream_fork(s, &child));
        CHECK(partition_of(child) == p);
        CHECK_OK(sf_stream_join(s, child));
        CHECK_OK(sf_stream_fork(s, &again));
        CHECK(partition_of(again) == p);
        CHECK_OK(sf_stream_join(s, again));
        for (int kind = SF_POLICY_ROUND_ROBIN; kind <= SF_POLICY_LEAST_LOADED; kind++) {
            if (kind == SF_POLICY_PER_THREAD) { continue; }
            CHECK_OK(sf_policy_create(device, &(sf_policy_desc){ .kind = (sf_policy_kind)kind, .partition = p }, &policy));
            CHECK_OK(sf_lazy_sync(sf_lazy_do(device, &(sf_lazy_desc){ .run = note_stream }), policy, GUARD, &v));
            CHECK(v.ptr == p);
            CHECK_OK(sf_policy_destroy(policy));
        }
        CHECK_OK(sf_lazy_sync_on(sf_lazy_graph(sf_lazy_do(device, &(sf_lazy_desc){ .run = note_stream })), s, GUARD,
                                 &v));
        CHECK(v.ptr == p);                   /* captured where it is to run */
        if (on_cuda() && p) {                /* a foreign stream of the same green context */
            sf_stream *w;
            CHECK_OK(sf_stream_wrap(device, sf_stream_native(s), &w));
            CHECK(partition_of(w) == p);
            CHECK_OK(sf_stream_destroy(w));
        }
        CHECK_OK(sf_stream_destroy(s));
        CHECK_IS(sf_stream_get_partition(s, &p), SF_ERROR_INVALID_HANDLE);
    }
    test_close(device);
}

/* -- a partition is not held up by another -- */

static void work_goes_on_beside_a_full_partition(void **state)
{
    enum { STREAMS = 4, WORDS = 256, TURNS = 50 };
    (void)state;
    if (too_old()) { return; }
    for (int32_t held = 0; held < 3; held++) {               /* the last is the default one */
        sf_device *device = test_open_workers(6);
        uint32_t *flag = (uint32_t *)test_memory(device, 4), *data[STREAMS], want[WORDS];
        flag_args hold = { flag, 1 };
        sf_stream *full, *behind, *s[STREAMS];
        sf_partition *beside;
        CHECK(test_split(device));
        beside = test_partition(device, (held + 1) % 3);
        full = stream_in(test_partition(device, held), device);
        behind = stream_in(test_partition(device, held), device);
        CHECK_OK(sf_launch(full, &occupy_kernel, &hold, sizeof hold));         /* more slices than it has workers */
        data[0] = (uint32_t *)test_memory(device, 4 * WORDS);
        CHECK_OK(test_mix(behind, data[0], NULL, WORDS, 3, 5, 0));
        for (int i = 1; i < STREAMS; i++) {
            s[i] = stream_in(i == 3 && held != 2 ? NULL : beside, device);   /* none: the default one runs it */
            data[i] = (uint32_t *)test_memory(device, 4 * WORDS);
            for (uint32_t k = 0; k < TURNS; k++) { CHECK_OK(test_mix(s[i], data[i], NULL, WORDS, 3, k, 0)); }
        }
        for (int i = 1; i < STREAMS; i++) { CHECK_OK(sf_stream_synchronize(s[i], GUARD)); }
        CHECK_IS(sf_stream_query(full), SF_NOT_READY);
        if (!on_cuda()) {                    /* a GPU has room for it beside one small kernel */
            CHECK_IS(sf_stream_query(behind), SF_NOT_READY);
            CHECK_EQUAL(data[0][0], 0);
        }
        for (int i = 1; i < STREAMS; i++) {
            memset(want, 0, sizeof want);
            for (uint32_t k = 0; k < TURNS; k++) { test_mix_model(want, NULL, WORDS, 3, k); }
            CHECK_BYTES(data[i], want, sizeof want);
        }
        test_store(flag, 1);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_EQUAL(data[0][WORDS - 1], 5);
        test_close(device);
    }
}
/* Which threads run the work of a partition: as many as it has workers at most, and none of another's. */
enum { SEEN = 16 };
typedef struct seen_by { pthread_t threads[SEEN]; uint32_t count, lock; } seen_by;
static int see_host(const sf_slice *slice, const void *args)
{
    seen_by *by = *(seen_by *const *)args;
    uint32_t i = 0;
    (void)slice;
    usleep(20);
    while (__atomic_exchange_n(&by->lock, 1, __ATOMIC_ACQUIRE)) {}
    while (i < by->count && !pthread_equal(by->threads[i], pthread_self())) { i++; }
    if (i == by->count && i < SEEN) { by->threads[by->count++] = pthread_self(); }
    __atomic_store_n(&by->lock, 0, __ATOMIC_RELEASE);
    return 0;
}
static const sf_kernel see_kernel = { .name = "see", .host = see_host, .slices = 12 };
static void workers_keep_to_their_partition(void **state)
{
    static seen_by by[4];                    /* the last: of no partition */
    static const int32_t sms[] = { 2, 3, 4 };
    (void)state;
    if (on_cuda()) { return; }
    for (int32_t chosen = 1; chosen <= 3; chosen++) {
        sf_device *device = test_open_workers(9);
        sf_stream *s[8], *in[4], *early = stream_in(NULL, device);
        sf_graph *graph = NULL;
        sf_graph_exec *exec[4];
        seen_by *p;
        memset(by, 0, sizeof by);
        p = &by[3];
        for (int k = 0; k < 20; k++) { CHECK_OK(sf_launch(early, &see_kernel, &p, sizeof p)); }
        CHECK_OK(sf_stream_synchronize(early, GUARD));
        by[3].count = 0;
        CHECK_OK(sf_device_split(device, &(sf_partitions_desc){ .count = 2, .sms = { 2, 3 },
                                                                .default_partition = chosen }));
        for (int i = 0; i < 8; i++) {        /* two in each; streams of before and after the split */
            int at = i % 4;
            s[i] = i == 3 ? early : stream_in(at == 3 ? NULL : test_partition(device, at), device);
            p = &by[at];
            for (int k = 0; k < 30; k++) { CHECK_OK(sf_launch(s[i], &see_kernel, &p, sizeof p)); }
            if (i > 3) { continue; }         /* the kernels of a graph run where they were captured */
            in[i] = stream_in(i == 3 ? NULL : test_partition(device, i), device);
            CHECK_OK(sf_stream_begin_capture(in[i], SF_CAPTURE_RELAXED));
            for (int k = 0; k < 5; k++) { CHECK_OK(sf_launch(in[i], &see_kernel, &p, sizeof p)); }
            CHECK_OK(sf_stream_end_capture(in[i], &graph));
            CHECK_OK(sf_graph_instantiate(graph, 0, &exec[i]));
            CHECK_OK(sf_graph_destroy(graph));
        }
        for (int i = 0; i < 4; i++) { CHECK_OK(sf_graph_launch(exec[i], s[(i + chosen) % 4])); }
        CHECK_OK(sf_device_synchronize(device, GUARD));
        for (int i = 0; i < 3; i++) {
            CHECK(by[i].count >= 1 && by[i].count <= (uint32_t)sms[i]);
            for (int k = 0; k < 4; k++) {
                bool shared = k == i || (k == 3 && i == chosen - 1);
                for (uint32_t a = 0; a < by[i].count && !shared; a++) {
                    for (uint32_t b = 0; b < by[k].count; b++) {
                        CHECK(!pthread_equal(by[i].threads[a], by[k].threads[b]));
                    }
                }
            }
        }
        CHECK(by[3].count >= 1 && by[3].count <= (uint32_t)sms[chosen - 1]);
        test_close(device);
    }
}
/* The same on a GPU: each block notes its multiprocessor, and stays there for 20 us, so that all are used. */
static const char note_ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry note(.param .u64 seen)\n{\n"
    "    .reg .b32 %r<3>;\n    .reg .b64 %d<7>;\n    .reg .pred %p;\n"
    "    ld.param.u64 %d0, [seen];\n    cvta.to.global.u64 %d1, %d0;\n    mov.u32 %r0, %smid;\n"
    "    mul.wide.u32 %d2, %r0, 4;\n    add.s64 %d3, %d1, %d2;\n    mov.u32 %r1, 1;\n"
    "    st.global.u32 [%d3], %r1;\n    mov.u64 %d4, %globaltimer;\n    add.s64 %d5, %d4, 20000;\n"
    "again:\n    mov.u64 %d6, %globaltimer;\n    setp.lt.u64 %p, %d6, %d5;\n    @%p bra again;\n    ret;\n}\n";
enum { MOST_SMS = 1024 };
static struct { sf_function *note; uint32_t *seen; sf_grid grid; } spot;
static void note_on(sf_stream *s)
{
    void *params[] = { &spot.seen };
    CHECK_OK(sf_launch_kernel(s, spot.note, &spot.grid, params));
}
/* How many multiprocessors have run it since this was last asked; each must be marked `by` in owner, or 0, and is then. */
static int32_t noted(sf_stream *s, uint8_t *owner, uint8_t by)
{
    int32_t n = 0;
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    for (int i = 0; i < MOST_SMS; i++) {
        if (!spot.seen[i]) { continue; }
        n++;
        if (owner && owner[i] && owner[i] != by) { fail_msg("multiprocessor %d is of %d and %d", i, owner[i], by); }
        if (owner) { owner[i] = by; }
        spot.seen[i] = 0;
    }
    return n;
}
static void kernels_keep_to_their_partition(void **state)
{
    sf_device *device;
    sf_module *module;
    uint8_t owner[MOST_SMS] = { 0 };
    (void)state;
    if (!on_cuda()) { return; }              /* workers_keep_to_their_partition */
    if (too_old()) { return; }
    device = test_open();
    CHECK(test_split(device));
    spot.seen = (uint32_t *)test_memory(device, MOST_SMS * 4);
    spot.grid = (sf_grid){ .grid = { 64 * (uint32_t)sms_of(device) }, .block = { 64 } };
    CHECK_OK(sf_module_load(device, note_ptx, sizeof note_ptx, 0, &module));
    CHECK_OK(sf_module_get_function(module, "note", &spot.note));
    for (int32_t i = 0; i < 3; i++) {
        sf_stream *s = stream_in(test_partition(device, i), device), *child;
        const int32_t sms = info_of(test_partition(device, i)).sms;
        sf_stream *none = stream_in(NULL, device);
        sf_graph *graph;
        sf_graph_exec *exec;
        note_on(s);
        CHECK_EQUAL(noted(s, owner, (uint8_t)(i + 1)), sms);
        CHECK_OK(sf_stream_fork(s, &child));
        note_on(child);
        CHECK_OK(sf_stream_join(s, child));
        CHECK_EQUAL(noted(s, owner, (uint8_t)(i + 1)), sms);
        CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
        note_on(s);
        CHECK_OK(sf_stream_end_capture(s, &graph));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_EQUAL(noted(s, owner, (uint8_t)(i + 1)), sms);
        CHECK_OK(sf_graph_launch(exec, none));
        CHECK_EQUAL(noted(none, owner, (uint8_t)(i + 1)), sms);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_OK(sf_stream_begin_capture(none, SF_CAPTURE_RELAXED));
        note_on(none);
        CHECK_OK(sf_stream_end_capture(none, &graph));
        CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
        CHECK_OK(sf_graph_launch(exec, s));
        CHECK_EQUAL(noted(s, NULL, 0), sms_of(device));
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(graph));
        CHECK_OK(sf_stream_destroy(s));
    }
    note_on(sf_stream_legacy(device));       /* of none: all of them */
    CHECK_EQUAL(noted(sf_stream_legacy(device), NULL, 0), sms_of(device));
    test_close(device);
}
/* What CUDA does not do across partitions, a host device does not either; it says what to do instead. */
static sf_graph *captured_on(sf_stream *s, uint32_t *data)
{
    sf_graph *graph = NULL;
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
    CHECK_OK(test_mix(s, data, NULL, 4, 1, 1, 0));
    CHECK_OK(sf_stream_end_capture(s, &graph));
    return graph;
}
static void what_graphs_refuse(void **state)
{
    sf_device *device = test_open_workers(6);
    sf_stream *s[3], *one;
    sf_graph *graph[3], *whole, *end;
    sf_graph_exec *exec, *other;
    sf_graph_node *node;
    sf_graph_conditional handle;
    uint32_t *data;
    (void)state;
    if (too_old()) { return; }
    CHECK(test_split(device));
    data = (uint32_t *)test_memory(device, 16);
    for (int i = 0; i < 3; i++) {
        s[i] = stream_in(i ? test_partition(device, i - 1) : NULL, device);
        graph[i] = captured_on(s[i], data);
    }
    for (int i = 0; i < 3; i++) {            /* an update from where it was captured; from nowhere else */
        sf_graph *again = captured_on(s[i], data);
        CHECK_OK(sf_graph_instantiate(graph[i], 0, &exec));
        CHECK_IS(sf_graph_exec_update(exec, graph[(i + 1) % 3]), SF_ERROR_GRAPH_EXEC_UPDATE);
        CHECK_OK(sf_graph_exec_update(exec, again));
        CHECK_OK(sf_graph_launch(exec, s[(i + 1) % 3]));
        CHECK_OK(sf_stream_synchronize(s[(i + 1) % 3], GUARD));
        CHECK_EQUAL(data[3], i + 1);
        CHECK_OK(sf_graph_exec_destroy(exec));
        CHECK_OK(sf_graph_destroy(again));
    }
    for (int i = 0; i < 2; i++) {            /* other arguments */
        mix_args a = { .dst = data, .n = 4, .mul = 1, .add = 5 };
        sf_node_desc d = { .type = SF_NODE_KERNEL, .kernel = { &mix_kernel, &a, sizeof a } };
        int count = 0;
        CHECK_OK(sf_graph_instantiate(graph[i], 0, &exec));
        CHECK_OK(sf_graph_get_nodes(graph[i], &node, 1, &count));
        CHECK_IS(sf_graph_exec_set_node(exec, node, &d), i ? SF_ERROR_NOT_SUPPORTED : SF_OK);
        if (i) { CHECK(strstr(sf_device_failure(device)->text, "call sf_graph_exec_update()")); }
        CHECK_OK(sf_graph_exec_destroy(exec));
    }
    for (int i = 0; i < 2; i++) {            /* a conditional's body */
        sf_node_desc d = { .type = SF_NODE_CONDITIONAL };
        CHECK_OK(sf_graph_create(device, &whole));
        CHECK_OK(sf_graph_conditional_create(whole, 1, true, &handle));
        d.conditional.handle = handle, d.conditional.bodies = 1, d.conditional.body = &end;
        CHECK_OK(sf_graph_add_node(whole, NULL, 0, &d, &node));
        CHECK_OK(sf_stream_begin_capture_to_graph(s[i], end, NULL, 0, SF_CAPTURE_RELAXED));
        CHECK_OK(test_mix(s[i], data, NULL, 4, 1, 1, 0));
        CHECK_OK(sf_stream_end_capture(s[i], &end));
        CHECK_IS(sf_graph_instantiate(whole, 0, &other), i ? SF_ERROR_NOT_SUPPORTED : SF_OK);
        if (i) { CHECK(strstr(sf_device_failure(device)->text, "capture bodies on streams of none")); }
        if (!i) { CHECK_OK(sf_graph_exec_destroy(other)); }
        CHECK_OK(sf_graph_destroy(whole));
    }
    one = stream_in(NULL, device);
    CHECK_OK(sf_stream_copy_attributes(one, s[0]));
    CHECK_IS(sf_stream_copy_attributes(one, s[1]), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_stream_copy_attributes(s[1], one), SF_ERROR_NOT_SUPPORTED);
    CHECK(strstr(sf_device_failure(device)->text, "sf_stream_desc.priority"));
    test_close(device);
}

/* One node gets new arguments while a launch goes on: the kernels of the others stay in their partition. */
static void a_changed_node_moves_no_other(void **state)
{
    sf_device *device = test_open_workers(6);
    uint32_t *flag, *data;
    sf_stream *s;
    sf_graph *graph;
    sf_graph_exec *exec;
    sf_graph_node *set;
    (void)state;
    if (too_old()) { return; }
    CHECK(test_split(device));
    flag = (uint32_t *)test_memory(device, 4);
    data = (uint32_t *)test_memory(device, 32);
    s = stream_in(test_partition(device, 0), device);
    graph = captured_on(s, data);
    sf_node_desc d = { .type = SF_NODE_MEMSET, .mem = { .dst = data + 4, .bytes = 4, .value = 1 } };
    CHECK_OK(sf_graph_add_node(graph, NULL, 0, &d, &set));
    CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
    CHECK_OK(test_gate(s, flag, 1));
    CHECK_OK(sf_graph_launch(exec, s));
    d.mem.value = 2;
    CHECK_OK(sf_graph_exec_set_node(exec, set, &d));
    CHECK_OK(sf_graph_exec_update(exec, graph));             /* refused if the kernel were of another partition */
    CHECK_OK(sf_graph_exec_set_node(exec, set, &d));
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(data[4], 0x01010101);
    CHECK_OK(sf_graph_launch(exec, s));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(data[4], 0x02020202);
    CHECK_EQUAL(data[3], 2);
    test_close(device);
}

/* -- across partitions: random programs against a model -- */

enum { BUFFERS = 5, STREAMS = 6, WORDS = 32, STEPS = 40 };
typedef struct buffer { uint32_t *data, want[WORDS]; sf_event *done; sf_stream *by; } buffer;
static void after_uses(sf_stream *s, buffer *b)              /* s goes on when the last use of the buffer is over */
{
    if (b->by && b->by != s) { CHECK_OK(sf_stream_wait_event(s, b->done, 0)); }
}
static void used(sf_stream *s, buffer *b)
{
    CHECK_OK(sf_event_record(b->done, s, 0));
    b->by = s;
}
static void random_program(sf_device *device, uint32_t seed)
{
    rng r = rng_seed(seed);
    sf_stream *s[STREAMS];
    buffer b[BUFFERS];
    uint32_t *flags = (uint32_t *)test_memory(device, STEPS * 4);
    (void)test_split(device);
    for (int i = 0; i < STREAMS; i++) { s[i] = stream_in(test_random_partition(&r, device), device); }
    for (int i = 0; i < BUFFERS; i++) {
        memset(&b[i], 0, sizeof b[i]);
        b[i].data = (uint32_t *)test_memory(device, sizeof b[i].want);
        b[i].done = test_event(device);
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t add = rng_next(&r), what = rng_below(&r, 6);
        sf_stream *at = s[rng_below(&r, STREAMS)], *other = s[rng_below(&r, STREAMS)], *child;
        buffer *x = &b[rng_below(&r, BUFFERS)], *y = &b[rng_below(&r, BUFFERS)];
        sf_graph *graph;
        sf_graph_exec *exec;
        uint32_t *tmp;
        if (x == y) { y = &b[(uint32_t)(x - b + 1) % BUFFERS]; }
        after_uses(at, x), after_uses(at, y);
        switch (what) {
        case 0:                              /* a fork */
            CHECK_OK(sf_stream_fork(at, &child));
            CHECK_OK(test_mix(child, x->data, y->data, WORDS, 3, add, 200));
            CHECK_OK(sf_stream_join(at, child));
            break;
        case 1:                              /* captured on one, with another drawn in, launched on a third */
            child = stream_in(test_random_partition(&r, device), device);
            CHECK_OK(sf_stream_begin_capture(child, SF_CAPTURE_RELAXED));
            if (other == at) { other = s[rng_below(&r, STREAMS)]; }
            CHECK_OK(test_mix(child, x->data, y->data, WORDS, 3, 0, 50));
            CHECK_OK(sf_event_record(x->done, child, 0));
            CHECK_OK(sf_stream_wait_event(other, x->done, 0));
            CHECK_OK(test_mix(other, x->data, NULL, WORDS, 1, add, 50));
            CHECK_OK(sf_event_record(x->done, other, 0));
            CHECK_OK(sf_stream_wait_event(child, x->done, 0));
            CHECK_OK(sf_stream_end_capture(child, &graph));
            CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
            CHECK_OK(sf_graph_launch(exec, at));
            CHECK_OK(sf_graph_exec_destroy(exec));
            CHECK_OK(sf_graph_destroy(graph));
            CHECK_OK(sf_stream_destroy(child));
            break;
        case 2:                              /* stream-ordered memory: made in one, freed in another */
            CHECK_OK(sf_mem_alloc_async(at, NULL, sizeof x->want, (void **)&tmp));
            CHECK_OK(sf_memcpy_async(at, tmp, x->data, sizeof x->want));
            CHECK_OK(test_mix(at, tmp, y->data, WORDS, 3, add, 50));
            CHECK_OK(sf_memcpy_async(at, x->data, tmp, sizeof x->want));
            used(at, x);
            after_uses(other, x);
            CHECK_OK(sf_mem_free_async(other, tmp));
            break;
        case 3:                              /* a word that one writes and the other waits for */
            if (at != other) {
                CHECK_OK(sf_stream_write_value(other, flags + step, 4, 1, 0));
                CHECK_OK(sf_stream_wait_value(at, flags + step, 4, 1, SF_WAIT_VALUE_GEQ));
            }
            CHECK_OK(test_mix(at, x->data, y->data, WORDS, 3, add, 0));
            break;
        default: CHECK_OK(test_mix(at, x->data, y->data, WORDS, 3, add, what == 4 ? 500 : 0));
        }
        test_mix_model(x->want, y->want, WORDS, 3, add);
        used(at, x);
        used(at, y);                         /* who writes it next waits for this read */
        if (rng_below(&r, 12) == 0) {
            CHECK_OK(sf_stream_destroy(other));
            for (int i = 0; i < STREAMS; i++) {
                if (s[i] == other) { s[i] = stream_in(test_random_partition(&r, device), device); }
            }
        }
    }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    for (int i = 0; i < BUFFERS; i++) {
        if (memcmp(b[i].data, b[i].want, sizeof b[i].want) != 0) {
            fail_msg("seed %u: buffer %d is %u ..., not %u ...", seed, i, b[i].data[0], b[i].want[0]);
        }
    }
}
static void any_program(void **state)
{
    const uint32_t seeds = test_seeds_of(test_seeds() / 8 + 1, 30);
    sf_device *kept;                         /* the context lives as long as one device is open */
    (void)state;
    if (too_old()) { return; }
    kept = test_open_workers(1);
    FOR_SEEDS(seed, seeds) {
        static const sf_order orders[] = { SF_ORDER_THREADS, SF_ORDER_RANDOM, SF_ORDER_REVERSE, SF_ORDER_LAZY };
        sf_order order = on_cuda() ? SF_ORDER_THREADS : orders[seed % COUNT(orders)];
        sf_device *device = order == SF_ORDER_THREADS ? test_open_workers(5) : test_open_order(order, seed);
        random_program(device, seed);
        test_close(device);
    }
    test_close(kept);
}
/* A close waits for all partitions; what is destroyed before finishes its work. */
static void a_close_waits_for_every_partition(void **state)
{
    uint32_t *words;
    (void)state;
    if (too_old()) { return; }
    for (int i = 0; i < (on_cuda() ? 4 : 20); i++) {
        sf_device *device = test_open_workers(4);
        sf_stream_pool *pool;
        sf_stream *s;
        uint32_t *flag = (uint32_t *)test_memory(device, 4);
        CHECK(test_split(device));
        words = (uint32_t *)test_memory(device, 12);
        for (int32_t k = 0; k < 3; k++) {
            s = stream_in(test_partition(device, k), device);
            CHECK_OK(test_gate(s, flag, 1));
            CHECK_OK(test_mix(s, words + k, NULL, 1, 1, 7, 1000));
            if (i & 1) { CHECK_OK(sf_stream_destroy(s)); }
        }
        CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .reserved = 2,
                                                                       .partition = test_partition(device, 1) }, &pool));
        if (i & 2) { CHECK_OK(sf_stream_pool_destroy(pool)); }
        if (!(i & 1)) { CHECK_IS(sf_device_close(device, SF_MS(1)), SF_TIMEOUT); }
        test_store(flag, 1);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        for (int k = 0; k < 3; k++) { CHECK_EQUAL(words[k], 7); }
        test_close(device);
    }
}

/* -- threads -- */

typedef struct hand { sf_device *device; uint32_t *words; uint64_t seed; pthread_t thread; int failed; } hand;
static void *split_and_work(void *arg)       /* each tries the split; whoever comes first does it */
{
    hand *h = (hand *)arg;
    rng r = rng_seed(h->seed);
    sf_result split = sf_device_split(h->device, &(sf_partitions_desc){ .count = 2, .sms = { 1, 1 }, .min_sms = 1 });
    h->failed += split != SF_OK && split != SF_ERROR_ILLEGAL_STATE;
    for (int i = 0; i < 40; i++) {
        sf_partition *p = NULL;
        sf_stream *s = NULL, *child;
        sf_result got = sf_device_get_partition(h->device, (int32_t)rng_below(&r, 4) - 1, &p);
        h->failed += got != SF_OK && got != SF_ERROR_INVALID_VALUE;          /* the split may still go on */
        h->failed += sf_stream_create(h->device, &(sf_stream_desc){ .flags = 1, .partition = p }, &s) != SF_OK;
        h->failed += test_mix(s, h->words, NULL, 4, 1, 1, 100) != SF_OK;
        h->failed += sf_stream_fork(s, &child) != SF_OK;
        h->failed += test_mix(child, h->words, NULL, 4, 1, 1, 0) != SF_OK;
        h->failed += sf_stream_join(s, child) != SF_OK;
        h->failed += sf_stream_synchronize(s, GUARD) != SF_OK;
        h->failed += sf_stream_destroy(s) != SF_OK;
    }
    return NULL;
}
/* A wait for the device is one for graphs in partitions, too, which driver 580 leaves out: with and without a deadline,
   also where the stream is gone, or only the capture was in a partition. */
static void the_device_waits_for_graphs_in_partitions(void **state)
{
    (void)state;
    if (too_old()) { return; }
    for (int how = 0; how < 16; how++) {
        sf_device *device = test_open();
        sf_partition *p;
        sf_stream *s, *plain;
        sf_graph *g = NULL;
        sf_graph_exec *x = NULL;
        uint32_t *word = (uint32_t *)test_memory(device, sizeof *word);
        mix_args m = { .dst = word, .n = 1, .mul = 1, .add = 1, .spin = 300000 };
        sf_node_desc node = { .type = SF_NODE_KERNEL, .kernel = { &mix_kernel, &m, sizeof m } };
        CHECK(test_split(device));
        CHECK_OK(sf_device_get_partition(device, how & 1, &p));
        s = stream_in(p, device);
        plain = test_stream(device);
        if (how & 8) {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_GLOBAL));
            CHECK_OK(sf_launch(s, &mix_kernel, &m, sizeof m));
            CHECK_OK(sf_stream_end_capture(s, &g));
        } else {
            CHECK_OK(sf_graph_create(device, &g));
            CHECK_OK(sf_graph_add_node(g, NULL, 0, &node, NULL));
        }
        CHECK_OK(sf_graph_instantiate(g, 0, &x));
        *word = 4;
        CHECK_OK(sf_graph_launch(x, how & 8 ? plain : s));
        if (how & 2) { CHECK_OK(sf_stream_destroy(s)); }
        if (how & 8 && how & 2) { CHECK_OK(sf_stream_destroy(plain)); }
        CHECK_OK(sf_device_synchronize(device, how & 4 ? SF_FOREVER : GUARD));
        CHECK_EQUAL(*(volatile uint32_t *)word, 5);
        CHECK_OK(sf_graph_exec_destroy(x));
        CHECK_OK(sf_graph_destroy(g));
        CHECK_OK(sf_mem_free(device, word));
        test_close(device);
    }
}
static void split_by_threads(void **state)
{
    enum { HANDS = 4 };
    (void)state;
    if (too_old()) { return; }
    for (uint64_t round = 0; round < 5; round++) {
        sf_device *device = test_open_workers(4);
        hand hands[HANDS];
        for (int i = 0; i < HANDS; i++) {
            hands[i] = (hand){ device, (uint32_t *)test_memory(device, 16), round * HANDS + (uint64_t)i, 0, 0 };
        }
        for (int i = 0; i < HANDS; i++) {
            CHECK_EQUAL(pthread_create(&hands[i].thread, NULL, split_and_work, &hands[i]), 0);
        }
        for (int i = 0; i < HANDS; i++) { pthread_join(hands[i].thread, NULL); }
        for (int i = 0; i < HANDS; i++) {
            CHECK_EQUAL(hands[i].failed, 0);
            for (int w = 0; w < 4; w++) { CHECK_EQUAL(hands[i].words[w], 80); }
        }
        CHECK_EQUAL(partitions_of(device), 3);
        test_close(device);
    }
}

/* -- flows -- */

static struct { sf_partition *seen[4]; char text[8192]; size_t bytes; uint32_t *words; bool region; } flow;
static void add_text(void *user, const char *text, size_t bytes)
{
    (void)user;
    CHECK(flow.bytes + bytes < sizeof flow.text);
    memcpy(flow.text + flow.bytes, text, bytes);
    flow.text[flow.bytes += bytes] = 0;
}
static const char *plan_of(sf_flow *f, bool json)
{
    flow.bytes = 0, flow.text[0] = 0;
    (void)sf_flow_check(f, json, add_text, NULL);
    return flow.text;
}
static sf_result place(sf_context *ctx)
{
    const uint32_t id = (uint32_t)(uintptr_t)ctx->user;
    sf_tensor *in = id ? sf_receive(ctx, 0) : NULL, *out = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = SF_OK;
    if (ctx->run == 0 && !(flow.region && in)) { r = sf_stream_get_partition(s, &flow.seen[id]); }
    if (!in) { r = r < 0 ? r : sf_memset_async(s, out->data, 0, 16); }
    if (r >= 0) { r = test_mix(s, (uint32_t *)out->data, in ? (const uint32_t *)in->data : NULL, 4, 0, id + 1, 300); }
    return r < 0 ? r : sf_emit(ctx, 0, out);
}
static sf_result gather(sf_context *ctx)
{
    const sf_tensor *in = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = ctx->run ? SF_OK : sf_stream_get_partition(s, &flow.seen[3]);
    return r < 0 ? r : sf_memcpy_async(s, flow.words + 4 * ctx->run, in->data, 16);
}
static sf_op add_place(sf_flow *f, uint32_t id, sf_partition *p, sf_stream_pool *pool, int32_t region)
{
    static const char *const names[] = { "camera", "filter", "detector", "sink" };
    return sf_flow_add(f, &(sf_op_desc){ .name = names[id], .compute = id == 3 ? gather : place,
                                    .user = (void *)(uintptr_t)id, .count = id ? 0 : 8, .partition = p,
                                    .streams = pool, .region = region, .in = {{ .name = id ? "in" : NULL }},
                                    .out = {{ .name = id < 3 ? "out" : NULL, .bytes = 16 }} });
}
static void operators_name_partitions(void **state)
{
    sf_device *device = test_open_workers(6);
    sf_partition *p[3];
    sf_stream_pool *pool;
    (void)state;
    if (too_old()) { return; }
    CHECK(test_split(device));
    for (int32_t i = 0; i < 3; i++) { p[i] = test_partition(device, i); }
    CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .partition = p[1] }, &pool));
    flow.words = (uint32_t *)test_memory(device, 8 * 16);
    for (int way = 0; way < 4; way++) {      /* 2: the middle two are a region; 3: a pool that agrees, by worker threads */
        sf_flow_desc d = { .device = way ? device : NULL, .partition = p[2] };
        sf_flow *f;
        sf_op op[4];
        if (way == 3) { d.workers[0].count = 2; }
        memset(flow.seen, 0, sizeof flow.seen);
        flow.region = way == 2;
        f = sf_flow_create(&d);
        for (uint32_t i = 0; i < 4; i++) {
            op[i] = add_place(f, i, i == 3 ? NULL : i == 0 ? p[0] : p[1], way == 3 && i == 1 ? pool : NULL,
                              way == 2 && (i == 1 || i == 2));
            if (i) { CHECK_OK(sf_flow_connect(f, op[i - 1], NULL, op[i], NULL, NULL)); }
        }
        CHECK(strstr(plan_of(f, true), "\"name\":\"camera\",\"region\":0,\"stream\":\"own\",\"device\":0,\"partition\":0,"));
        CHECK(strstr(flow.text, "\"stream\":\"own\",\"device\":0,\"partition\":2,"));     /* the sink: the flow's */
        CHECK(strstr(plan_of(f, false), ", in partition 1"));
        for (int turn = 0; turn < 2; turn++) {
            memset(flow.words, 0xff, 8 * 16);
            if (sf_flow_run(f) < 0) { fail_msg("%s", sf_flow_failure(f)->text); }
            CHECK(flow.seen[0] == p[0] && flow.seen[3] == p[2]);
            if (way != 2) { CHECK(flow.seen[1] == p[1] && flow.seen[2] == p[1]); }   /* the same one for two */
            for (uint32_t k = 0; k < 32; k++) { CHECK_EQUAL(flow.words[k], 1 + 2 + 3); }
        }
        CHECK_OK(sf_flow_destroy(f));
    }
    CHECK_OK(sf_stream_pool_destroy(pool));
    test_close(device);
}
static void wrong_partitions_are_named(void **state)
{
    sf_device *device = test_open_workers(6), *other = test_open_workers(6);
    sf_partition *p, *q, *foreign;
    sf_stream_pool *pool;
    (void)state;
    if (too_old()) { return; }
    CHECK(test_split(device) && test_split(other));
    p = test_partition(device, 0), q = test_partition(device, 1), foreign = test_partition(other, 0);
    CHECK_OK(sf_stream_pool_create(device, &(sf_stream_pool_desc){ .partition = p }, &pool));
    for (int way = 0; way < 6; way++) {
        static const struct { sf_result r; const char *who, *text; } want[] = {
            { SF_ERROR_MISMATCH, "\"filter\"", "sf_stream_pool_desc.partition to the same" },
            { SF_ERROR_NOT_SUPPORTED, "\"detector\"", "make .partition the same" },
            { SF_ERROR_INVALID_HANDLE, "sf_flow_desc.partition", "another device" },
            { SF_ERROR_MISMATCH, "sf_flow_desc.streams", "set one of the two" },
            { SF_ERROR_INVALID_HANDLE, "\"filter\"", "sf_op_desc.partition is none" },
            { SF_ERROR_MISMATCH, "\"adopter\"", "with .adopt_stream it works on a sender's" },
        };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .name = "f", .streams = way == 3 ? pool : NULL,
                                                     .partition = way == 2 ? foreign : way == 3 ? q : NULL });
        sf_op op[4];
        for (uint32_t i = 0; i < 4; i++) {
            bool middle = i == 1 || i == 2;
            op[i] = add_place(f, i, way == 4 && i == 1 ? (sf_partition *)(void *)pool
                                    : way == 0 && i == 1 ? q : way == 1 && i == 1 ? p : way == 1 && i == 2 ? q : NULL,
                              way == 0 && i == 1 ? pool : NULL, way == 1 && middle);
            if (i) { CHECK_OK(sf_flow_connect(f, op[i - 1], NULL, op[i], NULL, NULL)); }
        }
        if (way == 5) {                      /* would run in the sender's partition; without .partition it may */
            (void)sf_flow_add(f, &(sf_op_desc){ .name = "adopter", .compute = gather, .adopt_stream = true,
                                                .partition = p,
                                           .in = {{ .name = "in", .external = true }} });
        }
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), want[way].r);
        CHECK_IS(sf_flow_run(f), want[way].r);
        if (!strstr(sf_flow_failure(f)->text, want[way].who) || !strstr(sf_flow_failure(f)->text, want[way].text)) {
            fail_msg("way %d: %s", way, sf_flow_failure(f)->text);
        }
        (void)sf_flow_destroy(f);
    }
    CHECK_OK(sf_stream_pool_destroy(pool));
    test_close(device);
    test_close(other);
}
/* What this is for: an operator in a partition of its own goes on while another fills the rest, for good. */
static struct { uint32_t *flag; uint32_t ran; } beside;
static sf_result fill_it(sf_context *ctx)
{
    flag_args hold = { beside.flag, 1 };
    return sf_launch(sf_compute_stream(ctx), &occupy_kernel, &hold, sizeof hold);
}
static sf_result quick_one(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = test_mix(s, flow.words, NULL, 4, 1, 1, 0);
    if (r >= 0) { r = sf_stream_synchronize(s, GUARD); }
    if (r == SF_OK) { beside.ran++; }
    if (ctx->run == 19) { test_store(beside.flag, 1); }      /* only now the other one's work ends */
    return r == SF_TIMEOUT ? SF_ERROR_USER : r;
}
static void an_operator_is_held_up_by_no_other(void **state)
{
    sf_device *device = test_open_workers(6);
    sf_flow *f;
    (void)state;
    if (too_old()) { return; }
    CHECK(test_split(device));
    beside.flag = (uint32_t *)test_memory(device, 4);
    flow.words = (uint32_t *)test_memory(device, 16);
    beside.ran = 0;
    f = sf_flow_create(&(sf_flow_desc){ .partition = test_partition(device, -1) });
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "filler", .compute = fill_it, .count = 4 });
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "critical", .compute = quick_one, .count = 20,
                                   .partition = test_partition(device, 0) });
    if (sf_flow_run(f) < 0) { fail_msg("%s", sf_flow_failure(f)->text); }
    CHECK_EQUAL(beside.ran, 20);
    CHECK_EQUAL(flow.words[3], 20);
    CHECK_OK(sf_flow_destroy(f));
    test_close(device);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(refused),
        cmocka_unit_test(streams_know_their_partition),
        cmocka_unit_test(work_goes_on_beside_a_full_partition),
        cmocka_unit_test(workers_keep_to_their_partition),
        cmocka_unit_test(kernels_keep_to_their_partition),
        cmocka_unit_test(what_graphs_refuse),
        cmocka_unit_test(a_changed_node_moves_no_other),
        cmocka_unit_test(any_program),
        cmocka_unit_test(a_close_waits_for_every_partition),
        cmocka_unit_test(the_device_waits_for_graphs_in_partitions),
        cmocka_unit_test(split_by_threads),
        cmocka_unit_test(operators_name_partitions),
        cmocka_unit_test(wrong_partitions_are_named),
        cmocka_unit_test(an_operator_is_held_up_by_no_other),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("partition", tests, NULL, NULL);
}
