/*  resident_ring.h - frames that carry their sequence and a checksum, and the kernel through which they go: it can be
    held, told to raise or to fault, and notes what it saw. Comes after streamflow_gpu_resident.h and test.h. */
#ifndef RESIDENT_RING_H
#define RESIDENT_RING_H

#include <stddef.h>
#include <stdint.h>

enum { WORDS = 64 };                         /* of a frame at most: see frame_words */

/* In pinned memory. The kernel waits in iterations above `gate`; at these others it raises, or faults. `words`: of a
   frame, for the fused operator. */
typedef struct ring_orders { uint32_t gate, raise_at, fault_at; int32_t code; uint32_t words; } ring_orders;
typedef struct ring_note {
    uint32_t entered, left;                  /* the iteration that it is, was in */
    uint32_t runs, gaps, repeats;            /* passes; iterations left out; others than the next one */
    uint32_t pad[3];
} ring_note;
/* out[i] = a[i] ^ key * (i + 1), for n words; where there is a `b`, n more of it. */
typedef struct ring_args {
    uint32_t *out;
    const uint32_t *a, *b;
    sf_resident_control *control;
    const ring_orders *orders;
    ring_note *note;
    uint32_t n, key;
} ring_args;
/* *count += add, `turns` times: kernels that nobody has launched before. */
typedef struct fresh_args { uint32_t *count; uint32_t turns, add; } fresh_args;
typedef struct ring_mark_args { sf_resident_control *control; uint32_t times; } ring_mark_args;

#ifdef SF_WITH_CUDA_BODIES
    #ifdef __cplusplus
extern "C" {
    #endif
int ring_cuda(void *stream, const void *args);
int fresh0_cuda(void *stream, const void *args);
int fresh1_cuda(void *stream, const void *args);
int fresh2_cuda(void *stream, const void *args);
int fresh3_cuda(void *stream, const void *args);
int cold0_cuda(void *stream, const void *args);
int cold1_cuda(void *stream, const void *args);
int cold2_cuda(void *stream, const void *args);
int cold3_cuda(void *stream, const void *args);
int ring_mark_cuda(void *stream, const void *args);
    #ifdef __cplusplus
}
    #endif
#endif

enum { FUSED_KEY = 0x2545f491 };             /* of the fused loop's one operator, which does what `ring` does */
#ifdef __CUDACC__
    #define RING_BOTH static __host__ __device__
#else
    #define RING_BOTH static
#endif
/* `user`: orders, of which it obeys the raise and the words. */
RING_BOTH inline void ring_fused_raise(const sf_resident_fused_call *call)
{
    const volatile ring_orders *orders = (const volatile ring_orders *)call->user;
#ifdef __CUDA_ARCH__
    if (orders->raise_at && sf_resident_iteration_dev(call->control) == orders->raise_at) {
        sf_resident_raise_dev(call->control, orders->code);
    }
#else
    if (orders->raise_at && sf_resident_iteration(call->control) == orders->raise_at) {
        sf_resident_raise(call->control, (sf_result)orders->code);
    }
#endif
}
RING_BOTH inline void ring_fused_op(const sf_resident_fused_call *call)
{
    const uint32_t *in = (const uint32_t *)call->in[0];
    uint32_t *out = (uint32_t *)call->out[0];
    int32_t words = (int32_t)((const volatile ring_orders *)call->user)->words;
    for (int32_t i = call->thread; i < words; i += call->threads) {
        out[i] = in[i] ^ (uint32_t)FUSED_KEY * (uint32_t)(i + 1);
    }
    if (call->thread == call->threads - 1) { ring_fused_raise(call); }
}

#ifndef __CUDACC__

static inline int ring_host(const sf_slice *slice, const void *args)
{
    const ring_args *a = (const ring_args *)args;
    uint32_t now = (uint32_t)sf_resident_iteration(a->control);
    (void)slice;
    test_store(&a->note->entered, now);
    if (now > test_load(&a->orders->gate)) { return SF_NOT_READY; }
    for (uint32_t i = 0; a->a && i < a->n; i++) { a->out[i] = a->a[i] ^ a->key * (i + 1); }
    for (uint32_t i = 0; a->b && i < a->n; i++) { a->out[a->n + i] = a->b[i] ^ a->key * (i + 1); }
    if (now > a->note->left + 1) { test_add(&a->note->gaps, 1); }
    if (now <= a->note->left) { test_add(&a->note->repeats, 1); }
    test_store(&a->note->left, now);
    test_add(&a->note->runs, 1);
    if (now && now == test_load(&a->orders->raise_at)) { sf_resident_raise(a->control, (sf_result)a->orders->code); }
    return now && now == test_load(&a->orders->fault_at) ? 700 : 0;
}
static inline int fresh_host(const sf_slice *slice, const void *args)
{
    const fresh_args *a = (const fresh_args *)args;
    (void)slice;
    for (uint32_t i = 0; i < a->turns; i++) { *a->count += a->add; }
    return 0;
}
static inline int ring_mark_host(const sf_slice *slice, const void *args)
{
    const ring_mark_args *a = (const ring_mark_args *)args;
    (void)slice;
    for (uint32_t i = 0; i < a->times; i++) { sf_resident_mark_data_ready(a->control); }
    return 0;
}
static const sf_kernel ring_kernel = { .name = "ring", .host = ring_host, .cuda = SF_CUDA_BODY(ring_cuda) };
static const sf_kernel ring_mark_kernel = {
    .name = "ring mark", .host = ring_mark_host, .cuda = SF_CUDA_BODY(ring_mark_cuda)
};
static const sf_kernel fresh_kernels[4] = {
    { .name = "fresh 0", .host = fresh_host, .cuda = SF_CUDA_BODY(fresh0_cuda) },
    { .name = "fresh 1", .host = fresh_host, .cuda = SF_CUDA_BODY(fresh1_cuda) },
    { .name = "fresh 2", .host = fresh_host, .cuda = SF_CUDA_BODY(fresh2_cuda) },
    { .name = "fresh 3", .host = fresh_host, .cuda = SF_CUDA_BODY(fresh3_cuda) },
};
static const sf_kernel cold_kernels[4] = {   /* no other test launches them */
    { .name = "cold 0", .host = fresh_host, .cuda = SF_CUDA_BODY(cold0_cuda) },
    { .name = "cold 1", .host = fresh_host, .cuda = SF_CUDA_BODY(cold1_cuda) },
    { .name = "cold 2", .host = fresh_host, .cuda = SF_CUDA_BODY(cold2_cuda) },
    { .name = "cold 3", .host = fresh_host, .cuda = SF_CUDA_BODY(cold3_cuda) },
};
    #ifdef SF_WITH_CUDA_BODIES
extern const sf_kernel ring_fused;
    #endif

/* -- frames: sequence, source, noise, and a sum over all of it -- */

static uint32_t frame_words = WORDS;         /* 14 at most travel in the words of a request or result */
static inline size_t frame_bytes(void) { return 4 * (size_t)frame_words; }

static inline uint32_t frame_sum(const uint32_t *f, uint32_t n)
{
    uint32_t sum = 0x811c9dc5u;
    for (uint32_t i = 0; i < n; i++) { sum = (sum ^ f[i]) * 0x01000193u; }
    return sum;
}
static inline void frame_fill(uint32_t *f, uint64_t sequence, uint32_t source)
{
    rng r = rng_seed(sequence * 64 + source);
    f[0] = (uint32_t)sequence;
    f[1] = source;
    for (uint32_t i = 2; i < frame_words - 1; i++) { f[i] = rng_next(&r); }
    f[frame_words - 1] = frame_sum(f, frame_words - 1);
}
static inline uint32_t ring_key(int stage) { return 0x9e3779b9u * (uint32_t)(stage + 1); }
static inline uint32_t ring_mask(int stages, uint32_t i)     /* of that many in a row */
{
    uint32_t mask = 0;
    for (int k = 0; k < stages; k++) { mask ^= ring_key(k) * (i + 1); }
    return mask;
}

#endif /* __CUDACC__ */
#endif /* RESIDENT_RING_H */
