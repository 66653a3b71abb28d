/*  test_memory.c - memory of all kinds, copies, pools. */
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

static const sf_memory kinds[] = { SF_MEMORY_DEVICE, SF_MEMORY_PINNED, SF_MEMORY_MANAGED, SF_MEMORY_HOST };
static bool for_the_cpu(sf_memory kind) { return kind != SF_MEMORY_DEVICE; }
static uint64_t live_bytes(sf_device *device)
{
    sf_counters c;
    CHECK_OK(sf_device_get_counters(device, &c));
    return c.live_bytes;
}
static void *get(sf_device *device, size_t bytes, sf_memory kind)
{
    void *p = NULL;
    CHECK_OK(sf_mem_alloc(device, bytes, kind, &p));
    CHECK(p && (uintptr_t)p % 16 == 0);
    return p;
}

static void all_directions(void **state)
{
    sf_device *device = test_open_workers(2);
    sf_stream *s = test_stream(device);
    enum { N = 10007 };
    static unsigned char in[N], out[N];
    rng r = rng_seed(7);
    (void)state;
    for (size_t a = 0; a < COUNT(kinds); a++) {
        for (size_t b = 0; b < COUNT(kinds); b++) {
            unsigned char *pa = (unsigned char *)get(device, N, kinds[a]),
                          *pb = (unsigned char *)get(device, N, kinds[b]);
            size_t at = rng_below(&r, N / 2), n = 1 + rng_below(&r, N / 2 - 1);
            rng_fill(&r, in, N);
            memset(out, 0x5a, N);
            if (on_cuda() && kinds[b] == SF_MEMORY_HOST) {   /* CUDA sets no pageable memory */
                memset(pb, 0xc3, N);
            } else {
                CHECK_OK(sf_memset_async(s, pb, 0xc3, N));
            }
            CHECK_OK(sf_memcpy_async(s, pa, in, N));         /* pageable -> a -> b, shifted -> pageable */
            CHECK_OK(sf_memcpy_async(s, pb + at, pa + 1, n));
            CHECK_OK(sf_memcpy_async(s, out, pb, N - 1));
            CHECK_OK(sf_stream_synchronize(s, GUARD));
            for (size_t i = 0; i < N; i++) {
                unsigned expected = i == N - 1 ? 0x5a : i < at || i >= at + n ? 0xc3 : in[i - at + 1];
                if (out[i] != expected) {
                    fail_msg("%d -> %d: byte %zu is %d", kinds[a], kinds[b], i, out[i]);
                }
            }
            if (for_the_cpu(kinds[b])) { CHECK_BYTES(pb, out, N - 1); }
            CHECK_OK(sf_mem_free(device, pa));
            CHECK_OK(sf_mem_free(device, pb));
        }
    }
    CHECK_EQUAL(live_bytes(device), 0);
    test_close(device);
}
static void two_dimensions(void **state)
{
    sf_device *device = test_open_workers(2);
    sf_stream *s = test_stream(device);
    enum { N = 4096 };
    unsigned char *src = (unsigned char *)get(device, N, SF_MEMORY_PINNED),
                  *dst = (unsigned char *)get(device, N, SF_MEMORY_DEVICE);
    static unsigned char model[N], out[N];
    rng r = rng_seed(11);
    (void)state;
    for (int round = 0; round < 60; round++) {
        size_t row = 1 + rng_below(&r, 60), rows = 1 + rng_below(&r, 30);
        size_t dp = row + (rng_below(&r, 4) ? rng_below(&r, 60) : 0),
               sp = row + (rng_below(&r, 4) ? rng_below(&r, 60) : 0);
        rng_fill(&r, src, N);
        memset(model, round, N);
        for (size_t y = 0; y < rows; y++) { memcpy(model + 3 + y * dp, src + 5 + y * sp, row); }
        CHECK_OK(sf_memset_async(s, dst, (uint8_t)round, N));
        CHECK_OK(sf_memcpy_2d_async(s, dst + 3, dp, src + 5, sp, row, rows));
        CHECK_OK(sf_memcpy_async(s, out, dst, N));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_BYTES(out, model, N);
    }
    CHECK_IS(sf_memcpy_2d_async(s, dst, 9, src, 10, 10, 2), SF_ERROR_INVALID_VALUE); /* rows would overlap */
    CHECK_IS(sf_memcpy_2d_async(s, dst, 10, src, 9, 10, 2), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_memcpy_2d_async(s, dst, 0, src, 0, 10, 1)); /* of one row the pitch says nothing */
    CHECK_OK(sf_memcpy_2d_async(s, dst, 9, src, 9, 10, 0));
    CHECK_OK(sf_memcpy_2d_async(s, dst, 9, src, 9, 0, 10));
    CHECK_OK(sf_memcpy_async(s, out, dst, 10));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_BYTES(out, src, 10);
    test_close(device);
}
static void sets(void **state)
{
    sf_device *device = test_open_workers(2);
    sf_stream *s = test_stream(device);
    enum { N = 1000 };
    unsigned char *p = (unsigned char *)get(device, N, SF_MEMORY_DEVICE), out[N], model[N];
    rng r = rng_seed(13);
    (void)state;
    memset(model, 0, N);
    CHECK_OK(sf_memset_async(s, p, 0, N));
    for (int i = 0; i < 200; i++) {
        size_t at = rng_below(&r, N), n = rng_below(&r, (uint32_t)(N - at) + 1);
        uint8_t v = (uint8_t)rng_next(&r);
        CHECK_OK(sf_memset_async(s, p + at, v, n));
        memset(model + at, v, n);
    }
    CHECK_OK(sf_memcpy_async(s, out, p, N));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_BYTES(out, model, N);
    test_close(device);
}
static void nothing_to_do_and_nothing_there(void **state)
{
    sf_device *device = test_open();
    sf_stream *s = test_stream(device);
    uint32_t *p = (uint32_t *)get(device, 64, SF_MEMORY_PINNED);
    void *q = p;
    sf_memory kind;
    (void)state;
    CHECK_OK(sf_memcpy_async(s, p, p + 8, 0));
    CHECK_OK(sf_memcpy_async(s, NULL, NULL, 0));
    CHECK_OK(sf_memset_async(s, NULL, 1, 0));
    CHECK_OK(sf_memcpy_peer_async(s, NULL, device, NULL, device, 0));
    CHECK_IS(sf_memcpy_async(s, NULL, p, 4), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_async(s, p, NULL, 4), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memset_async(s, NULL, 1, 4), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_peer_async(s, NULL, device, p, device, 4), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_peer_async(s, p, device, NULL, device, 4), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_peer_async(s, p, NULL, p, device, 4), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_memcpy_peer_async(s, p, device, p, NULL, 4), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_prefetch_async(s, NULL, 4, true), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_alloc(device, 16, SF_MEMORY_DEVICE, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_alloc(device, 0, SF_MEMORY_DEVICE, &q), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_alloc(device, 16, (sf_memory)4, &q), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_alloc(device, 16, (sf_memory)-1, &q), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_alloc(NULL, 16, SF_MEMORY_DEVICE, &q), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_alloc_async(s, NULL, 16, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_get_device_pointer(device, NULL, &q), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_get_device_pointer(device, p, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_get_device_pointer(NULL, p, &q), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_get_kind(device, NULL, &kind), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_get_kind(device, p, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_get_kind(NULL, p, &kind), SF_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(live_bytes(device), 64);     /* nothing of all that stuck */
    CHECK_OK(sf_stream_query(s));
    test_close(device);
}
static void wrong_frees(void **state)
{
    sf_device *device = test_open(), *other = test_open();
    sf_stream *s = test_stream(device);
    uint32_t local = 0;
    char *p = (char *)get(device, 64, SF_MEMORY_DEVICE), *theirs = (char *)get(other, 64, SF_MEMORY_DEVICE);
    void *q;
    (void)state;
    CHECK_IS(sf_mem_free(device, NULL), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_free(NULL, p), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_free(device, &local), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_free(device, p + 16), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_free(device, theirs), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_mem_free_async(s, NULL));
    CHECK_IS(sf_mem_free_async(s, &local), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_mem_free(device, p));
    CHECK_IS(sf_mem_free(device, p), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_mem_alloc_async(s, NULL, 100, &q));
    CHECK_OK(sf_mem_free_async(s, q));
    CHECK_IS(sf_mem_free_async(s, q), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_free(device, q), SF_ERROR_INVALID_VALUE);
    for (int m = 0; m <= SF_MEMORY_HOST; m++) {
        q = get(device, 64, (sf_memory)m);
        CHECK_IS(sf_mem_free_async(s, q), m == SF_MEMORY_DEVICE ? SF_OK : SF_ERROR_INVALID_VALUE);
        CHECK_EQUAL(live_bytes(device), m == SF_MEMORY_DEVICE ? 0 : 64);
        if (m != SF_MEMORY_DEVICE) { CHECK_OK(sf_mem_free(device, q)); }
    }
    CHECK_EQUAL(live_bytes(device), 0);
    CHECK_EQUAL(live_bytes(other), 64);
    test_close(other);
    test_close(device);
}
static void out_of_memory(void **state)
{
    sf_device *device;
    sf_stream *s;
    void *p[10], *q = &device;
    (void)state;
    if (on_cuda()) {
        device = test_open();
        CHECK_IS(sf_mem_alloc(device, (size_t)1 << 50, SF_MEMORY_DEVICE, &q), SF_ERROR_OUT_OF_MEMORY);
        CHECK(!q);
        test_close(device);
        return;
    }
    device = test_open_desc(&(sf_device_desc){ .host = { .workers = 1, .memory_bytes = 10000 } });
    s = test_stream(device);
    CHECK_IS(sf_mem_alloc(device, 10001, SF_MEMORY_DEVICE, &q), SF_ERROR_OUT_OF_MEMORY);
    CHECK(!q);
    CHECK_IS(sf_mem_alloc(device, SIZE_MAX, SF_MEMORY_DEVICE, &q), SF_ERROR_OUT_OF_MEMORY);
    CHECK_IS(sf_mem_alloc(device, SIZE_MAX - 10, SF_MEMORY_HOST, &q), SF_ERROR_OUT_OF_MEMORY);
    for (int round = 0; round < 3; round++) {                /* what is given back can be taken again */
        for (int i = 0; i < 10; i++) { p[i] = get(device, 1000, kinds[i % 4]); }
        CHECK_IS(sf_mem_alloc(device, 1, SF_MEMORY_PINNED, &q), SF_ERROR_OUT_OF_MEMORY);
        CHECK_IS(sf_mem_alloc_async(s, NULL, 1, &q), SF_ERROR_OUT_OF_MEMORY);
        for (int i = 0; i < 10; i++) { CHECK_OK(sf_mem_free(device, p[i])); }
    }
    CHECK_EQUAL(live_bytes(device), 0);
    test_close(device);
}
static void device_pointers(void **state)
{
    sf_device *device = test_open();
    sf_stream *s = test_stream(device);
    uint32_t *p = (uint32_t *)test_memory(device, 64);
    void *seen = NULL;
    (void)state;
    CHECK_OK(sf_mem_get_device_pointer(device, p, &seen));
    CHECK_OK(test_mix(s, (uint32_t *)seen, NULL, 4, 1, 77, 0));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    for (int i = 0; i < 4; i++) { CHECK_EQUAL(p[i], 77); }
    test_close(device);
}
static sf_memory kind_of(sf_device *device, const void *ptr)
{
    sf_memory kind = (sf_memory)77;
    CHECK_OK(sf_mem_get_kind(device, ptr, &kind));
    return kind;
}
static void kinds_of_memory(void **state)    /* of its own, of somebody else's on the same GPU, and of nobody's */
{
    static const sf_memory kinds[] = { SF_MEMORY_DEVICE, SF_MEMORY_PINNED, SF_MEMORY_MANAGED, SF_MEMORY_HOST };
    static char nobody_s[64];
    sf_device *device = test_open(), *other = test_open();
    sf_stream *s = test_stream(device);
    void *p;
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        CHECK_OK(sf_mem_alloc(device, 4096, kinds[i], &p));
        CHECK_EQUAL(kind_of(device, p), kinds[i]);
        CHECK_EQUAL(kind_of(device, (char *)p + 4095), kinds[i]);
        CHECK_EQUAL(kind_of(other, (char *)p + 100), on_cuda() ? kinds[i] : SF_MEMORY_HOST);
        CHECK_OK(sf_mem_free(device, p));
    }
    CHECK_OK(sf_mem_alloc_async(s, NULL, 4096, &p));
    CHECK_EQUAL(kind_of(device, p), SF_MEMORY_DEVICE);
    CHECK_EQUAL(kind_of(other, p), on_cuda() ? SF_MEMORY_DEVICE : SF_MEMORY_HOST);
    CHECK_OK(sf_mem_free_async(s, p));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(kind_of(device, nobody_s), SF_MEMORY_HOST);
    CHECK_EQUAL(kind_of(device, &p), SF_MEMORY_HOST);
    test_close(other);
    test_close(device);
}
static void peers(void **state)
{
    sf_device *a = test_open(), *b = test_open();
    sf_stream *s = test_stream(a);
    enum { N = 5000 };
    static unsigned char in[N], out[N];
    unsigned char *pa = (unsigned char *)get(a, N, SF_MEMORY_DEVICE),
                  *pb = (unsigned char *)get(b, N, SF_MEMORY_DEVICE);
    rng r = rng_seed(17);
    (void)state;
    rng_fill(&r, in, N);
    CHECK_OK(sf_memcpy_async(s, pa, in, N));
    CHECK_OK(sf_memcpy_peer_async(s, pb, b, pa, a, N));
    CHECK_OK(sf_memset_async(s, pa, 0, N));
    CHECK_OK(sf_memcpy_peer_async(s, pa + 1, a, pb, b, N - 1));
    CHECK_OK(sf_memcpy_async(s, out, pa + 1, N - 1));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_BYTES(out, in, N - 1);
    CHECK_OK(sf_mem_free(b, pb));
    test_close(b);
    test_close(a);
}
static void prefetch(void **state)
{
    sf_device *device = test_open();
    sf_stream *s = test_stream(device);
    uint32_t *p = (uint32_t *)get(device, 4096, SF_MEMORY_MANAGED);
    (void)state;
    memset(p, 0, 4096);
    CHECK_OK(sf_mem_prefetch_async(s, p, 4096, false));
    CHECK_OK(test_mix(s, p, NULL, 1024, 1, 3, 0));
    CHECK_OK(sf_mem_prefetch_async(s, p, 4096, true));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    for (int i = 0; i < 1024; i++) { CHECK_EQUAL(p[i], 3); }
    test_close(device);
}

/* -- in stream order -- */

static void memory_in_stream_order(void **state)
{
    sf_device *device = test_open_workers(2);
    uint32_t *words = (uint32_t *)test_memory(device, 4096), *flag = words, *out = words + 64, *p;
    sf_stream *s = test_stream(device), *t = test_stream(device);
    sf_event *e = test_event(device);
    sf_counters c;
    (void)state;
    CHECK_OK(test_gate(s, flag, 1)); /* freed at the call, but not before the kernels behind the gate ran */
    CHECK_OK(sf_mem_alloc_async(s, NULL, 256, (void **)&p));
    CHECK_OK(sf_memset_async(s, p, 0, 256));
    CHECK_OK(test_mix(s, p, NULL, 64, 1, 5, 1000));
    CHECK_OK(sf_event_record(e, s, 0));
    CHECK_OK(sf_stream_wait_event(t, e, 0));
    CHECK_OK(test_mix(t, p, NULL, 64, 3, 1, 1000));
    CHECK_OK(sf_memcpy_async(t, out, p, 256));
    CHECK_OK(sf_mem_free_async(t, p));       /* on another stream than it was allocated on */
    CHECK_EQUAL(live_bytes(device), 4096);
    CHECK_OK(sf_stream_destroy(s));
    test_store(flag, 1);
    CHECK_OK(sf_stream_synchronize(t, GUARD));
    for (int i = 0; i < 64; i++) { CHECK_EQUAL(out[i], 16); }
    for (uint32_t i = 0; i < 300; i++) {     /* alloc, use, free, over and over: no two users at once */
        CHECK_OK(sf_mem_alloc_async(t, NULL, 4 * (1 + i % 50), (void **)&p));
        CHECK_OK(sf_memset_async(t, p, 0, 4));
        CHECK_OK(test_mix(t, p, NULL, 1, 1, i, 100));
        CHECK_OK(test_mix(t, out + 100, p, 1, 3, 0, 0));
        CHECK_OK(sf_mem_free_async(t, p));
    }
    CHECK_OK(sf_stream_synchronize(t, GUARD));
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 300; i++) { expected = expected * 3 + i; }
    CHECK_EQUAL(out[100], expected);
    CHECK_OK(sf_device_get_counters(device, &c));
    CHECK_EQUAL(c.live_bytes, 4096);
    CHECK_OK(sf_mem_alloc_async(t, NULL, 64,
                                (void **)&p)); /* cuMemFreeAsync takes the other kind, and cuMemFree ours */
    CHECK_OK(sf_stream_synchronize(t, GUARD));
    CHECK_OK(sf_mem_free(device, p));
    CHECK_OK(sf_mem_alloc(device, 64, SF_MEMORY_DEVICE, (void **)&p));
    CHECK_OK(sf_mem_free_async(t, p));
    CHECK_OK(sf_mem_alloc_async(t, NULL, 64, (void **)&p));  /* and one that nobody frees */
    test_close(device);
}
/* A stream that is full waits before it takes a block that is free later; whoever comes meanwhile gets another. */
static struct { sf_stream *stream; void *ptr; sf_result result; } asks;
static void *ask_for_memory(void *arg)
{
    asks.result = sf_mem_alloc_async(asks.stream, NULL, 512, &asks.ptr);
    return arg;
}
static void two_ask_for_one_block(void **state)
{
    sf_device *device = test_open_desc(&(sf_device_desc){ .host = { .workers = 2, .stream_depth = 4 } });
    uint32_t *flag = (uint32_t *)test_memory(device, 64);
    sf_stream *s[2] = { test_stream(device), test_stream(device) };
    void *first, *other;
    pthread_t thread;
    (void)state;
    CHECK_OK(sf_mem_alloc_async(s[0], NULL, 512, &first));
    CHECK_OK(test_gate(s[0], flag, 1));
    CHECK_OK(sf_mem_free_async(s[0], first));
    for (int i = 0; i < (on_cuda() ? 1 : 4); i++) { CHECK_OK(test_gate(s[1], flag, 1)); }
    asks.stream = s[1];
    CHECK_EQUAL(pthread_create(&thread, NULL, ask_for_memory, NULL), 0);
    usleep(50000);
    CHECK_OK(sf_mem_alloc_async(s[0], NULL, 512, &other));
    test_store(flag, 1);
    pthread_join(thread, NULL);
    CHECK_OK(asks.result);
    CHECK(other != asks.ptr);
    CHECK_OK(sf_mem_free_async(s[1], asks.ptr));
    CHECK_OK(sf_mem_free_async(s[0], other));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(sf_stream_synchronize(s[i], GUARD));
        CHECK_OK(sf_stream_destroy(s[i]));
    }
    CHECK_OK(sf_mem_free(device, flag));
    test_close(device);
}
static void more_than_there_is(void **state)                 /* in stream order, too, and whatever is in use already */
{
    sf_device *device = test_open();
    sf_stream *s = test_stream(device);
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .max_bytes = 4096 };
    sf_mem_pool *pool;
    sf_counters before, after;
    void *kept, *p = &desc;
    (void)state;
    CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
    CHECK_OK(sf_mem_alloc_async(s, pool, 512, &kept));
    CHECK_OK(sf_device_get_counters(device, &before));
    for (size_t less = 0; less < 2000; less += 1 + less / 3) {
        CHECK_IS(sf_mem_alloc_async(s, pool, SIZE_MAX - less, &p), SF_ERROR_OUT_OF_MEMORY);
        CHECK(!p);
        if (on_cuda()) { continue; }         /* some drivers take such a size for another error */
        CHECK_IS(sf_mem_alloc_async(s, NULL, SIZE_MAX - less, &p), SF_ERROR_OUT_OF_MEMORY);
        CHECK(!p);
    }
    CHECK_OK(sf_device_get_counters(device, &after));
    CHECK_EQUAL(after.live_bytes, before.live_bytes);
    CHECK_OK(sf_mem_alloc_async(s, pool, 512, &p));
    CHECK_OK(sf_mem_free_async(s, p));
    CHECK_OK(sf_mem_free_async(s, kept));
    CHECK_OK(sf_stream_destroy(s));
    CHECK_OK(sf_mem_pool_destroy(pool));
    test_close(device);
}
/* What is freed counts towards the limit until the rules of reuse let an allocation on that stream have it. */
static void freed_memory_counts(void **state)
{
    enum { ALL = 32 << 20 };
    static const struct { sf_mem_pool_desc rules; bool other, known; } cases[] = {
        { { .no_internal_wait = false }, true, false },      /* waits for the other stream */
        { { .no_internal_wait = true }, false, false },      /* freed there */
        { { .no_internal_wait = true }, true, false },
        { { .no_internal_wait = true }, true, true },        /* has waited for the free */
        { { .no_internal_wait = true, .no_follow_event = true }, true, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool fits = !cases[i].rules.no_internal_wait || !cases[i].other ||
                          (cases[i].known && !cases[i].rules.no_follow_event);
        sf_device *device = test_open_workers(2);
        uint32_t *words = (uint32_t *)test_memory(device, 64);
        sf_stream *s = test_stream(device), *t = test_stream(device), *on = cases[i].other ? t : s;
        sf_event *e = test_event(device);
        sf_mem_pool_desc desc = cases[i].rules;
        sf_mem_pool_info info;
        sf_mem_pool *pool;
        void *p = NULL, *q = NULL;
        desc.kind = SF_MEM_POOL_ASYNC, desc.max_bytes = desc.release_threshold_bytes = ALL;
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
        CHECK_OK(test_mix(s, words + 8, NULL, 1, 0, 0, 0));
        CHECK_OK(sf_mem_alloc_async(s, pool, ALL, &p));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_OK(test_gate(s, words, 1));
        CHECK_OK(sf_mem_free_async(s, p));   /* behind the gate */
        CHECK_OK(sf_event_record(e, s, 0));
        if (cases[i].known) { CHECK_OK(sf_stream_wait_event(t, e, 0)); }
        CHECK_IS(sf_mem_alloc_async(on, pool, ALL, &q), fits ? SF_OK : SF_ERROR_OUT_OF_MEMORY);
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK(info.reserved_high <= ALL);
        CHECK_EQUAL(info.used, fits ? ALL : 0);
        test_store(words, 1);
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        if (!fits) { CHECK_OK(sf_mem_alloc_async(on, pool, ALL, &q)); }      /* now it is unused */
        CHECK_OK(sf_mem_free_async(on, q));
        CHECK_OK(sf_stream_synchronize(on, GUARD));
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK(info.reserved_high <= ALL);
        CHECK_OK(sf_mem_pool_destroy(pool));
        test_close(device);
    }
}
/* A limit is one of what is reserved: what is freed and kept is part of that, and may be given out in parts. */
static void reserved_memory_counts(void **state)
{
    enum { PART = 1 << 20, ALL = 4 * PART };
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        sf_device *device = test_open_workers(2);
        uint32_t *words = (uint32_t *)test_memory(device, 64);
        sf_stream *s = test_stream(device), *t = test_stream(device);
        sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .max_bytes = ALL, .no_internal_wait = !waits };
        sf_mem_pool_info info;
        sf_mem_pool *pool;
        void *p = NULL, *part[4];
        if (on_cuda()) { return; }           /* a driver may round the limit, and divide memory as it likes */
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
        CHECK_OK(sf_mem_alloc_async(s, pool, ALL, &p));
        CHECK_OK(test_gate(s, words, 1));
        CHECK_OK(sf_mem_free_async(s, p));   /* behind the gate */
        for (int i = 0; i < 4 && waits; i++) { CHECK_OK(sf_mem_alloc_async(t, pool, PART, &part[i])); }
        CHECK_IS(sf_mem_alloc_async(t, pool, PART, &p), SF_ERROR_OUT_OF_MEMORY);
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK_EQUAL(info.used, waits ? ALL : 0);
        CHECK_EQUAL(info.reserved, ALL);
        CHECK_IS(sf_stream_query(t), waits ? SF_NOT_READY : SF_OK);  /* behind the free */
        test_store(words, 1);
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        for (int i = 0; i < 4 && !waits; i++) { CHECK_OK(sf_mem_alloc_async(t, pool, PART, &part[i])); }
        for (int i = 0; i < 4; i++) {
            memset(part[i], i, PART);
            CHECK_OK(sf_mem_free_async(t, part[i]));
        }
        CHECK_OK(sf_stream_synchronize(t, GUARD));
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK_EQUAL(info.reserved, 0);
        CHECK_EQUAL(info.reserved_high, ALL);
        CHECK_OK(sf_mem_pool_destroy(pool));
        test_close(device);
    }
}
/* A heap that knows how much is in large pieces: those are memory of pools. */
enum { LARGE = 1 << 16, PIECE_HEAD = 80 };
typedef struct large_heap { size_t bytes, pieces; } large_heap;
static void *large_alloc(size_t bytes, void *user)
{
    large_heap *h = (large_heap *)user;
    size_t *head = (size_t *)malloc(bytes + 16);
    if (!head) { return NULL; }
    *head = bytes;
    if (bytes >= LARGE) { h->bytes += bytes, h->pieces++; }
    return head + 2;
}
static void large_free(void *ptr, void *user)
{
    large_heap *h = (large_heap *)user;
    size_t *head = ptr ? (size_t *)ptr - 2 : NULL;
    if (head && *head >= LARGE) { h->bytes -= *head, h->pieces--; }
    free(head);
}
static sf_device *open_with_large_heap(large_heap *h, uint64_t seed)
{
    sf_device_desc desc = { .host = { .order = SF_ORDER_RANDOM, .seed = seed },
                            .heap = { large_alloc, large_free, NULL } };
    *h = (large_heap){ 0, 0 };
    desc.heap.user = h;
    return test_open_desc(&desc);
}
static sf_mem_pool_info counted(sf_mem_pool *pool, const large_heap *h)      /* what the heap gave is reserved */
{
    sf_mem_pool_info info;
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK(info.used <= info.reserved);
    CHECK_EQUAL(info.reserved, h->bytes - PIECE_HEAD * h->pieces);
    return info;
}
/* A larger block that was freed before takes no room from others: where its work is done, and in parts where not. */
static void an_earlier_larger_block(void **state)
{
    static const struct { size_t earlier, bytes, count; bool unused, other; size_t more; } cases[] = {
        { 2 * LARGE, LARGE, 3, true, false, 0 },        { 2 * LARGE, LARGE, 3, false, false, 0 },
        { 2 * LARGE, LARGE, 3, false, true, 0 },        { 3 * LARGE, LARGE, 3, false, true, 0 },
        { LARGE + 400, LARGE, 3, true, false, 0 },      { 2 * LARGE + 65, LARGE + 1, 2, true, true, 0 },
        { 2 * LARGE + 65, LARGE + 1, 2, false, true, 0 }, { 3 * LARGE, 2 * LARGE, 1, false, false, 0 },
        { 3 * LARGE, 2 * LARGE, 1, true, false, 0 },    { 2 * LARGE + 100, LARGE, 2, false, true, 64 },
    };
    (void)state;
    if (on_cuda()) { return; }
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum { ALL = 3 * LARGE };
        large_heap h;
        sf_device *device = open_with_large_heap(&h, i);
        uint32_t *words = (uint32_t *)test_memory(device, 64);
        sf_stream *s = test_stream(device), *on = cases[i].other ? test_stream(device) : s;
        sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .max_bytes = ALL, .release_threshold_bytes = ALL };
        sf_mem_pool *pool;
        void *p = NULL, *q[3];
        size_t all = 0;
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
        CHECK_OK(test_gate(s, words, 1));
        CHECK_OK(sf_mem_alloc_async(s, pool, cases[i].earlier, &p));
        CHECK_OK(sf_mem_free_async(s, p));
        if (cases[i].unused) {
            test_store(words, 1);
            CHECK_OK(sf_stream_synchronize(s, GUARD));
        }
        for (size_t k = 0; k < cases[i].count; k++) {
            const size_t bytes = cases[i].bytes + k * cases[i].more;
            CHECK_OK(sf_mem_alloc_async(on, pool, bytes, &q[k]));
            all += bytes;
            CHECK_EQUAL(counted(pool, &h).used, all);
        }
        CHECK_IS(sf_mem_alloc_async(on, pool, ALL - all + 1, &p), SF_ERROR_OUT_OF_MEMORY);
        test_store(words, 1);
        CHECK_OK(sf_stream_synchronize(on, GUARD));
        for (size_t k = 0; k < cases[i].count; k++) {
            memset(q[k], (int)k + 1, cases[i].bytes + k * cases[i].more);
            CHECK_OK(sf_mem_free_async(k % 2 ? on : s, q[k]));
        }
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_OK(sf_mem_alloc_async(s, pool, ALL, &p));      /* what was given in parts is whole again */
        CHECK_EQUAL(counted(pool, &h).reserved, ALL);
        if (i % 2) { CHECK_OK(sf_mem_free_async(s, p)); }
        CHECK_OK(sf_mem_pool_destroy(pool));
        test_close(device);
        CHECK_EQUAL(h.bytes, 0);
    }
}
/* Whatever is taken and freed, in whatever sizes: the limit holds, the heap has given what is reserved, and in the end
   nothing is. Where the work is done at each call, all that fits below the limit is given. */
static void reserved_memory_comes_back(void **state)
{
    enum { MOST = 40 * LARGE, HELD = 12 };
    (void)state;
    if (on_cuda()) { return; }
    FOR_SEEDS(seed, test_seeds() / 20 + 10) {
        large_heap h;
        sf_device *device = open_with_large_heap(&h, seed);
        sf_stream *s[2] = { test_stream(device), test_stream(device) };
        rng random = rng_seed(seed);
        const bool done = seed % 4 == 0, coarse = seed % 3 == 0;
        sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .max_bytes = MOST, .release_threshold_bytes = MOST / 2 };
        sf_mem_pool *pool;
        void *held[HELD] = { NULL };
        sf_stream *of[HELD];
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
        for (int i = 0; i < 300; i++) {
            const size_t at = rng_below(&random, HELD);
            sf_stream *on = s[rng_below(&random, 2)];
            if (done) { CHECK_OK(sf_device_synchronize(device, GUARD)); }
            if (held[at]) {
                CHECK_OK(sf_mem_free_async(of[at], held[at]));
                held[at] = NULL;
            } else {
                size_t bytes = LARGE + (coarse ? rng_below(&random, 9) * LARGE : rng_below(&random, 9 * LARGE));
                const bool fits = counted(pool, &h).used + bytes <= MOST;
                sf_result r = sf_mem_alloc_async(on, pool, bytes, &held[at]);
                CHECK(r == SF_OK || r == SF_ERROR_OUT_OF_MEMORY);
                if (done || !fits) { CHECK_IS(r, fits ? SF_OK : SF_ERROR_OUT_OF_MEMORY); }
                of[at] = on;
            }
            CHECK(counted(pool, &h).reserved <= MOST);
            if (i % 50 == 49) { CHECK_OK(sf_stream_synchronize(s[0], GUARD)); }
        }
        for (int i = 0; i < HELD; i++) {
            if (held[i] && seed % 5) { CHECK_OK(sf_mem_free_async(of[i], held[i])); }
        }
        if (seed % 5) {                      /* else the pool, and then the close, meet what is in use */
            CHECK_OK(sf_device_synchronize(device, GUARD));
            CHECK_OK(sf_mem_pool_trim(pool, 0));
            CHECK_EQUAL(counted(pool, &h).reserved, 0);
        }
        CHECK_OK(sf_mem_pool_destroy(pool));
        for (int i = 0; i < HELD && seed % 2; i++) {
            if (held[i] && seed % 5 == 0) { CHECK_OK(sf_mem_free_async(of[i], held[i])); }
        }
        test_close(device);
        CHECK_EQUAL(h.bytes, 0);
    }
}
/* A limit holds, whoever reuses what, for sizes that no sum may wrap, and whoever asks at the same time. */
typedef struct asker { sf_device *device; sf_stream *s; sf_mem_pool *pool; sf_result wrong; uint64_t over; } asker;
static struct { uint32_t from_pool, from_device; } held;
static void *ask_often(void *arg)
{
    asker *a = (asker *)arg;
    for (int i = 0; i < 2000 && !a->wrong; i++) {
        void *p = NULL;
        sf_result r = i % 2 ? sf_mem_alloc(a->device, 4096, SF_MEMORY_DEVICE, &p)
                            : sf_mem_alloc_async(a->s, a->pool, 512, &p);
        uint32_t *count = i % 2 ? &held.from_device : &held.from_pool;
        if (r == SF_ERROR_OUT_OF_MEMORY) { continue; }
        a->over += r == SF_OK && test_add(count, 1) >= 2;
        if (r == SF_OK) { test_add(count, UINT32_MAX); }
        if (r == SF_OK) { r = i % 2 ? sf_mem_free(a->device, p) : sf_mem_free_async(a->s, p); }
        a->wrong = r;
    }
    return NULL;
}
static void limits_hold(void **state)
{
    sf_device *device;
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC, .max_bytes = 1024 };
    sf_mem_pool *pool;
    sf_stream *s;
    sf_counters c;
    asker a[4];
    pthread_t thread[COUNT(a)];
    void *p = NULL, *q = NULL;
    (void)state;
    if (on_cuda()) { return; }
    device = test_open_desc(&(sf_device_desc){ .host.memory_bytes = SIZE_MAX });
    s = test_stream(device);
    for (size_t less = 0; less < 2000; less += 1 + less / 3) {
        CHECK_IS(sf_mem_alloc(device, SIZE_MAX - less, SF_MEMORY_DEVICE, &p), SF_ERROR_OUT_OF_MEMORY);
        CHECK_IS(sf_mem_alloc_async(s, NULL, SIZE_MAX - less, &p), SF_ERROR_OUT_OF_MEMORY);
        CHECK(!p);
    }
    test_close(device);
    device = test_open_desc(&(sf_device_desc){ .host.memory_bytes = 10000 });
    s = test_stream(device);
    CHECK_OK(sf_mem_alloc_async(s, NULL, 6000, &p));
    CHECK_OK(sf_mem_free_async(s, p));
    CHECK_OK(sf_mem_alloc(device, 9000, SF_MEMORY_DEVICE, &q));
    CHECK_IS(sf_mem_alloc_async(s, NULL, 6000, &p), SF_ERROR_OUT_OF_MEMORY);         /* though it has the block */
    CHECK_OK(sf_mem_free(device, q));
    CHECK_OK(sf_mem_alloc_async(s, NULL, 6000, &p));
    CHECK_OK(sf_mem_free_async(s, p));
    CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
    for (size_t i = 0; i < COUNT(a); i++) {
        a[i] = (asker){ .device = device, .s = s, .pool = pool };
        CHECK_EQUAL(pthread_create(&thread[i], NULL, ask_often, &a[i]), 0);
    }
    for (size_t i = 0; i < COUNT(a); i++) {
        pthread_join(thread[i], NULL);
        CHECK_OK(a[i].wrong);
        CHECK_EQUAL(a[i].over, 0);
    }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_OK(sf_device_get_counters(device, &c));
    CHECK_EQUAL(c.live_bytes, 0);
    CHECK_OK(sf_mem_pool_destroy(pool));
    test_close(device);
}
/* The heap refuses whatever is asked of it right then: nothing is lost. */
static void frees_that_find_no_memory(void **state)
{
    test_heap heap = { 0, 0, 0 };
    sf_device_desc desc = { .heap = { .alloc = test_heap_alloc, .free = test_heap_free, .user = &heap } };
    sf_mem_pool_desc of_pool = { .kind = SF_MEM_POOL_ASYNC };
    sf_device *device = test_open_desc(&desc);
    sf_stream *s;
    sf_mem_pool *pool;
    void *p, *q, *again;
    (void)state;
    if (on_cuda()) {
        test_close(device);
        return;
    }
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_OK(sf_mem_pool_create(device, &of_pool, &pool));
    CHECK_OK(sf_mem_alloc_async(s, pool, 1000, &p));
    CHECK_OK(sf_mem_alloc_async(s, pool, 1000, &q));
    CHECK_OK(sf_mem_free_async(s, p));
    heap.fail_at = heap.total + 1;
    CHECK_OK(sf_mem_pool_destroy(pool));     /* what it keeps, and q, are the default pool's */
    heap.fail_at = 0;
    CHECK_OK(sf_mem_alloc_async(s, NULL, 1000, &again));
    CHECK(again == p);
    CHECK_OK(sf_mem_free_async(s, again));
    CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
    heap.fail_at = heap.total + 1;
    CHECK_IS(sf_mem_free_async(sf_stream_legacy(device), q), SF_ERROR_CAPTURE_IMPLICIT);
    heap.fail_at = 0;
    (void)sf_stream_end_capture(s, NULL);
    CHECK_EQUAL(live_bytes(device), 1000);
    CHECK_OK(sf_mem_free_async(s, q));       /* it was not freed, so it can be */
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(live_bytes(device), 0);
    test_close(device);
    CHECK_EQUAL(heap.live, 0);
}
static void freed_while_closing(void **state) /* nobody waits for the frees: ASan sees what is lost */
{
    sf_device *device = test_open_workers(1);
    uint32_t *flag = (uint32_t *)test_memory(device, 64);
    sf_stream *s = test_stream(device);
    void *p;
    (void)state;
    CHECK_OK(test_gate(s, flag, 1));
    for (int i = 0; i < 20; i++) {
        CHECK_OK(sf_mem_alloc_async(s, NULL, 100, &p));
        CHECK_OK(sf_mem_free_async(s, p));
    }
    CHECK_OK(sf_stream_destroy(s));
    test_store(flag, 1);
    test_close(device);
}

/* -- pools -- */

static void pool_descs(void **state)
{
    sf_device *device = test_open();
    sf_mem_pool *pool = NULL;
    sf_mem_pool_info info;
    const struct { const char *what; sf_mem_pool_desc desc;
    } wrong[] = {
        { "nothing", { 0 } },
        { "no blocks", { .block_bytes = 16 } },
        { "blocks of nothing", { .blocks = 4 } },
        { "kind", { .kind = (sf_mem_pool_kind)3, .block_bytes = 16, .blocks = 4 } },
        { "kind < 0", { .kind = (sf_mem_pool_kind)-1, .block_bytes = 16, .blocks = 4 } },
        { "memory", { .memory = (sf_memory)4, .block_bytes = 16, .blocks = 4 } },
        { "memory < 0", { .memory = (sf_memory)-1, .block_bytes = 16, .blocks = 4 } },
        { "async, pinned", { .kind = SF_MEM_POOL_ASYNC, .memory = SF_MEMORY_PINNED } },
        { "async, too much at once",
          { .kind = SF_MEM_POOL_ASYNC, .initial_bytes = 2000, .max_bytes = 1000 } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (sf_mem_pool_create(device, &wrong[i].desc, &pool) != SF_ERROR_INVALID_VALUE) {
            fail_msg("made a pool: %s", wrong[i].what);
        }
        CHECK(!pool);
    }
    CHECK_IS(sf_mem_pool_create(device, NULL, &pool), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 16, .blocks = 4 }, NULL),
             SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_pool_create(NULL, &(sf_mem_pool_desc){ .block_bytes = 16, .blocks = 4 }, &pool),
             SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_pool_destroy(NULL), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_pool_trim(NULL, 0), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_pool_get_info(NULL, &info), SF_ERROR_INVALID_HANDLE);
    CHECK_EQUAL(live_bytes(device), 0);
    test_close(device);
}
static void pools_of_blocks(void **state)
{
    sf_device *device = test_open();
    sf_mem_pool *pool;
    sf_mem_pool_info info;
    uint64_t held;
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        sf_mem_pool_desc desc = {
            .kind = SF_MEM_POOL_BLOCKS, .memory = kinds[k], .block_bytes = 1000, .blocks = 7
        };
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
        held = live_bytes(device);
        CHECK(held >= 7000);                 /* all of it at once */
        memset(&info, 0xff, sizeof info);
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK_EQUAL(info.used, 0);
        CHECK_EQUAL(info.used_high, 0);
        CHECK_EQUAL(info.reserved, held);
        CHECK_EQUAL(info.reserved_high, held);
        CHECK_IS(sf_mem_pool_get_info(pool, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_mem_pool_trim(pool, 0), SF_IGNORED);
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_IS(sf_mem_pool_destroy(pool), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_mem_pool_get_info(pool, &info), SF_ERROR_INVALID_HANDLE);
        CHECK_EQUAL(live_bytes(device), 0);
    }
    if (!on_cuda()) {
        sf_mem_pool_desc huge = { .kind = SF_MEM_POOL_BLOCKS, .block_bytes = 1 << 20, .blocks = 4096 };
        CHECK_IS(sf_mem_pool_create(device, &huge, &pool), SF_ERROR_OUT_OF_MEMORY);
        huge.block_bytes = SIZE_MAX / 2;
        CHECK_IS(sf_mem_pool_create(device, &huge, &pool), SF_ERROR_OUT_OF_MEMORY);
        huge.block_bytes = SIZE_MAX - 8;
        CHECK_IS(sf_mem_pool_create(device, &huge, &pool), SF_ERROR_OUT_OF_MEMORY);
        CHECK_EQUAL(live_bytes(device), 0);
    }
    {
        sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_BLOCKS, .block_bytes = 1000, .blocks = 7 };
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));  /* dies with the device */
    }
    test_close(device);
}
static void pools_in_stream_order(void **state)
{
    sf_device *device = test_open();
    sf_stream *s = test_stream(device);
    sf_mem_pool *pool, *blocks, *theirs;
    sf_device *other = test_open();
    sf_mem_pool_info info;
    uint32_t *out = (uint32_t *)test_memory(device, 64), *p = NULL, *q = NULL;
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC,
                              .max_bytes = 64 << 20,
                              .release_threshold_bytes = 1 << 20 };
    (void)state;
    CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
    CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .block_bytes = 16, .blocks = 4 }, &blocks));
    CHECK_OK(sf_mem_pool_create(other, &desc, &theirs));
    CHECK_IS(sf_mem_alloc_async(s, blocks, 16, (void **)&p), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_mem_alloc_async(s, theirs, 16, (void **)&p), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_mem_alloc_async(s, (sf_mem_pool *)(void *)s, 16, (void **)&p), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_mem_alloc_async(s, pool, 4000, (void **)&p));
    CHECK_OK(sf_mem_alloc_async(s, pool, 100, (void **)&q));
    CHECK_OK(sf_memset_async(s, p, 0, 4000));
    CHECK_OK(test_mix(s, p, NULL, 1000, 1, 6, 0));
    CHECK_OK(sf_memcpy_async(s, q, p + 999, 4));
    CHECK_OK(test_mix(s, out, q, 1, 1, 1, 0));
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK(info.used >= 4100 && info.used_high >= info.used && info.reserved >= info.used);
    CHECK_OK(sf_mem_free_async(s, p));
    CHECK_OK(sf_mem_free_async(s, q));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    CHECK_EQUAL(out[0], 7);
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    CHECK_EQUAL(info.used, 0);
    CHECK(info.used_high >= 4100);
    CHECK_IS(sf_mem_alloc_async(s, pool, 65 << 20, (void **)&p),
             SF_ERROR_OUT_OF_MEMORY); /* more than max_bytes */
    CHECK_OK(sf_mem_pool_trim(pool, 0));
    CHECK_OK(sf_mem_pool_destroy(pool));
    CHECK_IS(sf_mem_alloc_async(s, pool, 16, (void **)&p), SF_ERROR_INVALID_HANDLE);
    CHECK_OK(sf_mem_pool_destroy(blocks));
    test_close(other);                       /* and its pool */
    test_close(device);
}
static void pools_without_bounds(void **state)
{
    sf_device *device = test_open();
    sf_mem_pool *pool;
    sf_mem_pool_info info;
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_UNBOUNDED, .memory = kinds[k] };
        CHECK_OK(sf_mem_pool_create(device, &desc, &pool));
        CHECK_OK(sf_mem_pool_get_info(pool, &info));
        CHECK_EQUAL(info.used + info.reserved, 0);
        CHECK_OK(sf_mem_pool_trim(pool, 0));
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_EQUAL(live_bytes(device), 0);
    }
    test_close(device);
}

/* Of what another device was, nothing is left that could be taken for this one's: not when its streams lie where those
   did. The heap gives the block that came back last. */
static void *last_freed[4096];
static uint32_t last_freed_count;
static void *reusing_alloc(size_t bytes, void *user)
{
    size_t *p;
    (void)user;
    for (uint32_t i = last_freed_count; i-- > 0;) {
        p = (size_t *)last_freed[i];
        if (*p != bytes) { continue; }
        memmove(last_freed + i, last_freed + i + 1, (--last_freed_count - i) * sizeof *last_freed);
        return p + 2;
    }
    p = (size_t *)malloc(bytes + 16);
    if (p) { *p = bytes; }
    return p ? p + 2 : NULL;
}
static void reusing_free(void *ptr, void *user)
{
    (void)user;
    if (ptr && last_freed_count < COUNT(last_freed)) { last_freed[last_freed_count++] = (size_t *)ptr - 2; }
    else if (ptr) { free((size_t *)ptr - 2); }
}
static void where_a_closed_device_was(void **state)
{
    enum { OLD = 4, NEW = 200 };
    sf_device_desc desc = { .backend = SF_BACKEND_HOST, .host.order = SF_ORDER_FIRST_IN,
                            .heap = { reusing_alloc, reusing_free, NULL } };
    sf_mem_pool_desc of_pool = { .kind = SF_MEM_POOL_ASYNC, .no_opportunistic = true, .no_internal_wait = true };
    sf_device *one, *other;
    sf_stream *s, *old[OLD], *fresh;
    sf_mem_pool *pool;
    sf_event *e;
    uint32_t *words, met = 0;
    void *p, *q;
    (void)state;
    if (on_cuda()) { return; }
    CHECK_OK(sf_device_open(&desc, &one));
    CHECK_OK(sf_device_open(&desc, &other));
    CHECK_OK(sf_stream_create(one, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &s));
    CHECK_OK(sf_mem_pool_create(one, &of_pool, &pool));
    words = (uint32_t *)test_memory(one, 64);
    memset(words, 0, 64);
    CHECK_OK(sf_event_create(other, SF_EVENT_DISABLE_TIMING, &e));
    for (int i = 0; i < OLD; i++) {
        CHECK_OK(sf_stream_create(other, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &old[i]));
        for (int k = 0; k < 20; k++) { CHECK_OK(sf_memset_async(old[i], words + 1, 0, 4)); }
        CHECK_OK(sf_event_record(e, old[i], 0));
        CHECK_OK(sf_stream_synchronize(old[i], GUARD));
        CHECK_OK(sf_stream_wait_event(s, e, 0));
    }
    CHECK_OK(sf_device_close(other, GUARD));
    for (int i = 0; i < NEW; i++) {
        bool same = false;
        CHECK_OK(sf_stream_create(one, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &fresh));
        for (int k = 0; k < OLD; k++) { same = same || fresh == old[k]; }
        if (!same) { continue; }
        met++;
        CHECK_OK(sf_mem_alloc_async(fresh, pool, 256, &p));
        CHECK_OK(test_gate(fresh, words, 1));
        CHECK_OK(sf_mem_free_async(fresh, p));
        CHECK_OK(sf_mem_alloc_async(s, pool, 256, &q));
        CHECK(p != q);                       /* it is in use behind the gate */
        test_store(words, 1);
        CHECK_OK(sf_stream_synchronize(fresh, GUARD));
        CHECK_OK(sf_mem_free_async(s, q));
        test_store(words, 0);
    }
    CHECK(met > 0);
    CHECK_OK(sf_mem_free(one, words));
    CHECK_OK(sf_device_close(one, GUARD));
    while (last_freed_count) { free(last_freed[--last_freed_count]); }
}
static void larger_than_all_memory(void **state)
{
    uint32_t word = 0;
    sf_device *device = test_open();
    sf_stream *s;
    (void)state;
    CHECK_OK(sf_stream_create(device, NULL, &s));
    CHECK_IS(sf_memset_async(s, &word, 0, SIZE_MAX - 8), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_async(s, &word, &word, SIZE_MAX), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_2d_async(s, &word, SIZE_MAX, &word, SIZE_MAX, SIZE_MAX, 1), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_memcpy_peer_async(s, &word, device, &word, device, SIZE_MAX / 2 + 1), SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_device_failure(device)->text, "sf_memcpy_peer_async: no memory is as large"));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    test_close(device);
}

/* Pools that are destroyed while other threads take from them and ask them. */
static void *race_pool(sf_device *device)
{
    static uint32_t turn;
    sf_mem_pool_desc desc = { .kind = SF_MEM_POOL_ASYNC };
    sf_mem_pool *pool = NULL;
    if (turn++ & 1) { desc = (sf_mem_pool_desc){ .kind = SF_MEM_POOL_BLOCKS, .block_bytes = 64, .blocks = 2 }; }
    (void)sf_mem_pool_create(device, &desc, &pool);
    return pool;
}
static void *race_stream(sf_device *device)
{
    sf_stream *s = NULL;
    (void)sf_stream_create(device, NULL, &s);
    return s;
}
static sf_result race_end_pool(void *pool) { return sf_mem_pool_destroy((sf_mem_pool *)pool); }
static void use_pools(race *r, void *x, void *y, uint32_t choice, void *own)
{
    sf_mem_pool *pool = (sf_mem_pool *)x;
    sf_stream *s = (sf_stream *)own;
    sf_mem_pool_info info;
    sf_result got;
    void *p = NULL;
    switch (choice % 4) {
    case 0:                                  /* no pool counts memory that another one gave out */
        got = race_is(r, sf_mem_pool_get_info(pool, &info));
        race_is(r, got < 0 || info.reserved <= SIZE_MAX / 2 ? SF_OK : SF_ERROR_OUT_OF_MEMORY);
        break;
    case 1: race_is(r, sf_mem_pool_trim((sf_mem_pool *)y, 0)); break;
    default:
        got = sf_mem_alloc_async(s, pool, 64, &p);
        if (got != SF_ERROR_INVALID_VALUE) { race_is(r, got); }              /* a pool of blocks */
        if (p) { race_is(r, sf_mem_free_async(s, p)); }
        break;
    }
}
static void pools_go_while_used(void **state)
{
    race r = { .make = race_pool, .destroy = race_end_pool, .use = use_pools, .own = race_stream };
    (void)state;
    r.device = test_open_workers(2);
    race_run(&r, 1500);
    test_close(r.device);
}
/* What graphs had allocated is there again for others, also where it is set aside for a while: no leak, no lack. */
static void memory_of_gone_graphs_comes_back(void **state)
{
    enum { RANGE = 256 << 10, BYTES = 16000 };
    static char range[RANGE];
    sf_device_desc d = { .backend = SF_BACKEND_HOST, .memory = { range, RANGE } };
    sf_device *device;
    void *p, *all;
    (void)state;
    d.host.order = SF_ORDER_FIRST_IN;
    d.host.stream_depth = 16;
    CHECK_OK(sf_device_open(&d, &device));
    for (int i = 0; i < 100; i++) {
        sf_node_desc n = { .type = SF_NODE_MEM_ALLOC, .alloc = { .bytes = BYTES, .ptr = &p } };
        sf_graph *g;
        CHECK_OK(sf_graph_create(device, &g));
        CHECK_OK(sf_graph_add_node(g, NULL, 0, &n, NULL));
        CHECK_OK(sf_graph_destroy(g));
    }
    CHECK_OK(sf_mem_alloc(device, RANGE * 3 / 4, SF_MEMORY_DEVICE, &all));
    CHECK_OK(sf_mem_free(device, all));
    CHECK_OK(sf_device_close(device, GUARD));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_gone_graphs_comes_back),
        cmocka_unit_test(all_directions),
        cmocka_unit_test(two_dimensions),
        cmocka_unit_test(sets),
        cmocka_unit_test(nothing_to_do_and_nothing_there),
        cmocka_unit_test(wrong_frees),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(device_pointers),
        cmocka_unit_test(kinds_of_memory),
        cmocka_unit_test(peers),
        cmocka_unit_test(prefetch),
        cmocka_unit_test(memory_in_stream_order),
        cmocka_unit_test(two_ask_for_one_block),
        cmocka_unit_test(more_than_there_is),
        cmocka_unit_test(freed_memory_counts),
        cmocka_unit_test(reserved_memory_counts),
        cmocka_unit_test(an_earlier_larger_block),
        cmocka_unit_test(reserved_memory_comes_back),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(frees_that_find_no_memory),
        cmocka_unit_test(freed_while_closing),
        cmocka_unit_test(pool_descs),
        cmocka_unit_test(pools_of_blocks),
        cmocka_unit_test(pools_in_stream_order),
        cmocka_unit_test(pools_without_bounds),
        cmocka_unit_test(where_a_closed_device_was),
        cmocka_unit_test(larger_than_all_memory),
        cmocka_unit_test(pools_go_while_used),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
