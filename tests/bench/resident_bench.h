/*  resident_bench.h - what resident_bench.c and its kernels share: arguments, one operator that runs fused, and the
    same chain by hand, with the CUDA runtime alone. */
#ifndef RESIDENT_BENCH_H
#define RESIDENT_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { CHAIN = 8, SLOTS = 8, AT_ONCE = 8 };  /* operators; of rings, and passes of loops; loads of a thread */

#ifdef __CUDACC__
    #define BOTH_SIDES static __host__ __device__ __forceinline__
#else
    #define BOTH_SIDES static inline
#endif

BOTH_SIDES uint64_t lcg(uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }

BOTH_SIDES uint64_t stamp_now(void)
{
#ifdef __CUDA_ARCH__
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#endif
}

/* -- arguments of kernels -- */

typedef struct step_args {                   /* out[i] = lcg(in[i]) */
    uint64_t *out;
    const uint64_t *in;
    uint64_t *stamp;                         /* when it began; NULL: does not matter */
    uint32_t n;
} step_args;
typedef struct produce_args {                /* marks data ready; `stamp`: when it was about to */
    sf_resident_control *control;
    uint64_t *stamp;
} produce_args;
typedef struct load_args {                   /* blocks of `ns`, until *stop is not 0 */
    const uint32_t *stop;
    uint64_t ns;
    uint32_t blocks;
} load_args;

/* One operator of the fused chain. `user` lies in device memory; NULL: one number, no stamp. */
typedef struct fused_user { uint64_t *stamp; uint32_t n; } fused_user;
BOTH_SIDES void fused_step(const sf_resident_fused_call *call)
{
    const fused_user *user = (const fused_user *)call->user;
    uint64_t *out = (uint64_t *)call->out[0];
    const uint64_t *in = call->in[0] ? (const uint64_t *)call->in[0] : out;
    uint32_t n = user ? user->n : 1;
    if (user && user->stamp && call->thread == 0) { *(volatile uint64_t *)user->stamp = stamp_now(); }
    for (uint32_t i = (uint32_t)call->thread, threads = (uint32_t)call->threads; i < n; i += AT_ONCE * threads) {
        uint64_t some[AT_ONCE];              /* loads that do not wait for each other */
        for (uint32_t k = 0; k < AT_ONCE; k++) { some[k] = i + k * threads < n ? in[i + k * threads] : 0; }
        for (uint32_t k = 0; k < AT_ONCE; k++) {
            if (i + k * threads < n) { out[i + k * threads] = lcg(some[k]); }
        }
    }
}
/* The same for one number: the threads of the block need not share it. */
BOTH_SIDES void fused_number(const sf_resident_fused_call *call)
{
    uint64_t *out = (uint64_t *)call->out[0];
    if (call->thread == 0) { *out = lcg(call->in[0] ? *(const uint64_t *)call->in[0] : *out); }
}

/* -- the chain by hand: one at a time. Results are CUDA's; every loop on the device ends after 20 s -- */

typedef enum raw_kind {
    RAW_PERSISTENT,                          /* one kernel that stays, operators in a row: the floor */
    RAW_GRAPH_SPIN,                          /* graph launch; its last kernel writes a mapped word */
    RAW_GRAPH_SYNC,
    RAW_LAUNCHES_SYNC,
    RAW_HOLOSCAN,                            /* WHILE { controller; IF { operators; end marker } } */
    RAW_UNROLLED,                            /* WHILE { SLOTS times: publish and wait; operators } */
    RAW_MARKED                               /* the same, woken by a kernel that counts in device memory */
} raw_kind;
typedef struct raw_desc {
    raw_kind kind;
    bool programmatic;                       /* GRAPH_SPIN, UNROLLED: edges between kernels */
    bool memory;                             /* PERSISTENT: each operator reads the one before it from memory, and a
                                                barrier of 256 threads is between them */
    bool split;                              /* MARKED: publishes in a kernel, waits in another */
    uint32_t ask;                            /* MARKED: asks the host, too, each so many polls; 0: hardly ever */
    uint64_t *stamps;                        /* MARKED: when it was about to be marked; 16 on, when the work began */
    bool loose;                              /* UNROLLED: tells its results without a fence */
    uint32_t sleep_us;                       /* HOLOSCAN: the controller's, when there is no data */
    size_t bytes;                            /* GRAPH_SPIN: copied in and out; 0: nothing is */
} raw_desc;

#ifdef SF_WITH_CUDA_BODIES
    #ifdef __cplusplus
extern "C" {
    #endif
int step_cuda(void *stream, const void *args);
int step_programmatic_cuda(void *stream, const void *args);
int produce_cuda(void *stream, const void *args);
int load_cuda(void *stream, const void *args);
int fill_cuda(void *stream, const void *args);               /* load_args */

int raw_open(const raw_desc *desc);
int raw_fire(uint64_t first);                /* a request; `first`: of what is copied in. SYNC ones wait, too */
bool raw_ready(void);
int raw_close(void);                         /* also checks what was computed: 999 if that is wrong */
int raw_throughput(bool programmatic, int chains, int launches, double *ns);     /* of one chain */
    #ifdef __cplusplus
}
    #endif
#else                                        /* no GPU is asked for without them */
static inline int raw_open(const raw_desc *desc) { return (void)desc, 801; }
static inline int raw_fire(uint64_t first) { return (void)first, 801; }
static inline bool raw_ready(void) { return false; }
static inline int raw_close(void) { return 801; }
static inline int raw_throughput(bool programmatic, int chains, int launches, double *ns)
{
    return (void)programmatic, (void)chains, (void)launches, (void)ns, 801;
}
#endif

#endif /* RESIDENT_BENCH_H */
