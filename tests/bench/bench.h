/*  bench.h - what the benchmark programs share: options, two sides timed in turn, lines of results, and the bare CUDA
    driver, found when the program runs. Comes after streamflow.h with its implementation.

        PROGRAM [WORKLOAD...] [--backend host|cuda] [--quick]

    Prints lines `peer,workload,param,metric,value` and nothing else on stdout. Peer is streamflow, or bare: the same
    done by hand in the same run, with the driver's calls or, on the host backend, with pthreads where there is an
    equivalent. Both sides run in alternating blocks, so that drift of the machine cancels; overhead is the median
    of the differences of neighbouring blocks. Judge by ratios within a run. Exit status 77: no GPU. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

/* -- bodies in bench_kernels.cu -- */

typedef struct bench_args { uint64_t word[8]; } bench_args;

#ifdef SF_WITH_CUDA_BODIES
    #ifdef __cplusplus
extern "C" {
    #endif
int bench_empty_cuda(void *stream, const void *args);        /* none */
int bench_args_cuda(void *stream, const void *args);         /* bench_args, by value */
    #ifdef __cplusplus
}
    #endif
#endif

#ifndef __CUDACC__

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BENCH_ROUNDS = 201, BENCH_QUICK_ROUNDS = 3, BENCH_MAX_ROUNDS = 4000, BENCH_SF = 0, BENCH_BARE = 1 };

static struct bench {
    bool cuda, quick;
    char **wanted;                           /* workloads named on the command line; none: all */
    int wanted_count;
    sf_device *device;                       /* of the running workload, for its last words */
    double ns[2][BENCH_MAX_ROUNDS];          /* of each side, per round */
} bench;

static inline int64_t bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static inline void bench_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* -- failure: no figure is better than a wrong one -- */

static inline void bench_die(const char *what, int code)
{
    const char *text = bench.device ? sf_device_failure(bench.device)->text : "";
    fprintf(stderr, "%s: %d%s%s\n", what, code, *text ? ": " : "", text);
    exit(1);
}
#define BENCH_OK(expression)                                                                                 \
    do {                                                                                                     \
        int code_of_ = (int)(expression);                                                                    \
        if (code_of_) { bench_die(#expression, code_of_); }                                                  \
    } while (0)

/* -- results -- */

static inline void bench_emit(const char *peer, const char *work, const char *param, const char *metric, double value)
{
    printf("%s,%s,%s,%s,%.3f\n", peer, work, param, metric, value);
    fflush(stdout);
}
static inline int bench_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static inline void bench_sort(double *values, int n) { qsort(values, (size_t)n, sizeof *values, bench_ascending); }
static inline double bench_median(const double *sorted, int n)
{
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}
static inline bool bench_wanted(const char *work)
{
    int i;
    for (i = 0; i < bench.wanted_count && strcmp(bench.wanted[i], work) != 0; i++) {}
    return !bench.wanted_count || i < bench.wanted_count;
}
static inline int bench_rounds(int n) { return bench.quick ? BENCH_QUICK_ROUNDS : n; }

/* Reports bench.ns, which it sorts. The unit is a prefix of the metrics; `tail` adds p99. */
typedef struct bench_style { const char *unit; double per; bool both, tail; } bench_style;
static inline double bench_report(const char *work, const char *param, int rounds, bench_style style)
{
    static const char *const peers[] = { "streamflow", "bare" };
    static double difference[BENCH_MAX_ROUNDS];
    double median[2] = { 0, 0 };
    char metric[32];
    for (int r = 0; r < rounds; r++) { difference[r] = bench.ns[BENCH_SF][r] - bench.ns[BENCH_BARE][r]; }
    for (int side = 0; side < (style.both ? 2 : 1); side++) {
        double *ns = bench.ns[side];
        bench_sort(ns, rounds);
        median[side] = bench_median(ns, rounds);
        snprintf(metric, sizeof metric, "%s_min", style.unit);
        bench_emit(peers[side], work, param, metric, ns[0] / style.per);
        snprintf(metric, sizeof metric, "%s_median", style.unit);
        bench_emit(peers[side], work, param, metric, median[side] / style.per);
        if (style.tail) {
            snprintf(metric, sizeof metric, "%s_p99", style.unit);
            bench_emit(peers[side], work, param, metric, ns[(rounds - 1) * 99 / 100] / style.per);
        }
    }
    if (style.both) {
        bench_sort(difference, rounds);
        snprintf(metric, sizeof metric, "overhead_%s", style.unit);
        bench_emit(peers[BENCH_SF], work, param, metric, bench_median(difference, rounds) / style.per);
        bench_emit(peers[BENCH_SF], work, param, "overhead_percent",
                   100 * bench_median(difference, rounds) / median[BENCH_BARE]);
    }
    return median[BENCH_SF];
}

/* -- two sides in turn -- */

/* One side's block: `call` n times (its number is i), an expression that is 0 if all is well. */
#define BENCH_BLOCK(side, round, n, before, call, after)                                                     \
    do {                                                                                                     \
        const int side_ = side;                                                                              \
        int64_t start_;                                                                                      \
        (void)side_;                                                                                         \
        before;                                                                                              \
        start_ = bench_now();                                                                                \
        for (int i = 0; i < (n); i++) { code_ |= (int)(call); }                                              \
        bench.ns[side][(round) < 0 ? 0 : (round)] = (double)(bench_now() - start_) / (n);                    \
        after;                                                                                               \
    } while (0)
/* `before` and `after` stand around each block, untimed, and may ask for side_. The host backend has no bare side. */
#define BENCH_CALLS(work, param, n, before, sf, bare, after)                                                 \
    do {                                                                                                     \
        int code_ = 0, rounds_ = bench_rounds(BENCH_ROUNDS);                                                 \
        bench_style style_ = { "ns", 1, bench.cuda, false };                                                 \
        if (!bench_wanted(work)) { break; }                                                                  \
        for (int r_ = -1; r_ < rounds_; r_++) {              /* the first round warms up */                  \
            if (r_ & 1) {                                                                                    \
                BENCH_BLOCK(BENCH_SF, r_, n, before, sf, after);                                             \
                if (bench.cuda) { BENCH_BLOCK(BENCH_BARE, r_, n, before, bare, after); }                     \
            } else {                                                                                         \
                if (bench.cuda) { BENCH_BLOCK(BENCH_BARE, r_, n, before, bare, after); }                     \
                BENCH_BLOCK(BENCH_SF, r_, n, before, sf, after);                                             \
            }                                                                                                \
            if (code_) { bench_die(work, code_); }                                                           \
        }                                                                                                    \
        (void)bench_report(work, param, rounds_, style_);                                                    \
    } while (0)

/* The same with a function that times itself and returns nanoseconds. */
typedef double (*bench_func)(int side, void *self);
static inline double bench_compare(const char *work, const char *param, int rounds, bench_style style,
                                   bench_func func, void *self)
{
    rounds = bench_rounds(rounds);
    for (int r = -1; r < rounds; r++) {
        for (int turn = 0; turn < 2; turn++) {
            int side = turn ^ (r & 1);
            if (side == BENCH_BARE && !style.both) { continue; }
            bench.ns[side][r < 0 ? 0 : r] = func(side, self);
        }
    }
    return bench_report(work, param, rounds, style);
}

/* -- the bare driver -- */

typedef unsigned long long cu_ptr;
typedef struct cu_kernel_node {              /* CUDA_KERNEL_NODE_PARAMS_v2 */
    void *func;
    unsigned grid[3], block[3], shared_bytes;
    void **params, **extra, *kernel, *context;
} cu_kernel_node;
enum { CU_NON_BLOCKING = 1, CU_DISABLE_TIMING = 2, CU_THREAD_LOCAL = 1, CU_WAIT_GEQ = 0 };

#define CU_ENTRIES(X)                                                                                        \
    X(ctx_push, "cuCtxPushCurrent_v2", (void *))                                                             \
    X(ctx_set, "cuCtxSetCurrent", (void *))                                                                  \
    X(module_load, "cuModuleLoadData", (void **, const void *))                                              \
    X(module_get_function, "cuModuleGetFunction", (void **, void *, const char *))                           \
    X(launch_kernel, "cuLaunchKernel", (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
      unsigned, void *, void **, void **))                                                                   \
    X(launch_host_func, "cuLaunchHostFunc", (void *, void (*)(void *), void *))                              \
    X(memset, "cuMemsetD8Async", (cu_ptr, unsigned char, size_t, void *))                                    \
    X(memcpy, "cuMemcpyAsync", (cu_ptr, cu_ptr, size_t, void *))                                             \
    X(memcpy_peer, "cuMemcpyPeerAsync", (cu_ptr, void *, cu_ptr, void *, size_t, void *))                    \
    X(alloc, "cuMemAllocAsync", (cu_ptr *, size_t, void *))                                                  \
    X(free, "cuMemFreeAsync", (cu_ptr, void *))                                                              \
    X(stream_create, "cuStreamCreateWithPriority", (void **, unsigned, int))                                 \
    X(stream_destroy, "cuStreamDestroy_v2", (void *))                                                        \
    X(stream_query, "cuStreamQuery", (void *))                                                               \
    X(stream_synchronize, "cuStreamSynchronize", (void *))                                                   \
    X(stream_wait_event, "cuStreamWaitEvent", (void *, void *, unsigned))                                    \
    X(write_value32, "cuStreamWriteValue32_v2", (void *, cu_ptr, unsigned, unsigned))                        \
    X(event_create, "cuEventCreate", (void **, unsigned))                                                    \
    X(event_destroy, "cuEventDestroy_v2", (void *))                                                          \
    X(event_record, "cuEventRecord", (void *, void *))                                                       \
    X(event_query, "cuEventQuery", (void *))                                                                 \
    X(event_synchronize, "cuEventSynchronize", (void *))                                                     \
    X(begin_capture, "cuStreamBeginCapture_v2", (void *, int))                                               \
    X(end_capture, "cuStreamEndCapture", (void *, void **))                                                  \
    X(is_capturing, "cuStreamIsCapturing", (void *, int *))                                                  \
    X(graph_create, "cuGraphCreate", (void **, unsigned))                                                    \
    X(graph_destroy, "cuGraphDestroy", (void *))                                                             \
    X(graph_add_kernel, "cuGraphAddKernelNode_v2",                                                           \
      (void **, void *, void *const *, size_t, const cu_kernel_node *))                                      \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))               \
    X(graph_launch, "cuGraphLaunch", (void *, void *))                                                       \
    X(graph_exec_destroy, "cuGraphExecDestroy", (void *))

static struct cu {
#define X(field, symbol, params) int(*field) params;
    CU_ENTRIES(X)
#undef X
    void *function;                          /* of bench_ptx, loaded by hand */
} cu;

static const char bench_ptx[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                                ".visible .entry bench_empty()\n{\n    ret;\n}\n";

static inline void cu_load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *address, *module;
    if (!library) { bench_die("libcuda.so.1", 0); }
#define X(field, symbol, params)                                                                             \
    address = dlsym(library, symbol);                                                                        \
    if (!address) { bench_die("the driver has no " symbol, 0); }                                             \
    memcpy(&cu.field, &address, sizeof address);             /* an object pointer may not be cast to a function's */
    CU_ENTRIES(X)
#undef X
    BENCH_OK(cu.ctx_push(sf_device_native(bench.device)));   /* current, as it is while an operator computes */
    BENCH_OK(cu.module_load(&module, bench_ptx));
    BENCH_OK(cu.module_get_function(&cu.function, module, "bench_empty"));
}

/* -- kernels for both sides: launched by the driver, so that no nvcc is needed -- */

static inline int bench_launch_bare(void *stream, const void *args)
{
    (void)args;
    return cu.launch_kernel(cu.function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}
static inline int bench_empty_host(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 0; }
static const sf_kernel bench_empty = { .name = "empty", .host = bench_empty_host, .cuda = bench_launch_bare };

static inline uint32_t bench_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void bench_store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

/* Until *word >= value, or for 20 s: false. */
static inline bool bench_spin(const uint32_t *word, uint32_t value)
{
    int64_t start = 0;
    for (uint32_t turn = 1; bench_load(word) < value; turn++) {
        bench_relax();
        if (turn % 4096) { continue; }
        if (!start) { start = bench_now(); }
        if (bench_now() - start > SF_MS(20000)) { return false; }
    }
    return true;
}

/* -- devices -- */

static inline void bench_arguments(int argc, char **argv)
{
    bench.wanted = argv + 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            bench.quick = true;
        } else if (!strcmp(argv[i], "--backend") && i + 1 < argc) {
            bench.cuda = !strcmp(argv[++i], "cuda");
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "%s [WORKLOAD...] [--backend host|cuda] [--quick]\n", argv[0]);
            exit(2);
        } else {
            bench.wanted[bench.wanted_count++] = argv[i];
        }
    }
    alarm(bench.quick ? 120 : 900);          /* whatever hangs ends there */
}

/* A device, current on this thread. On CUDA the bare driver comes with it; without a GPU the program ends. */
static inline sf_device *bench_open(int workers)
{
    sf_device_desc desc = { .backend = bench.cuda ? SF_BACKEND_CUDA : SF_BACKEND_HOST, .host.workers = workers };
    sf_device *device = NULL;
    sf_result r = sf_device_open(&desc, &device);
    if (r < 0 && bench.cuda && access("/dev/nvidiactl", F_OK) != 0) {
        fprintf(stderr, "no GPU: %s\n", sf_result_string(r));
        exit(77);
    }
    if (r < 0) { bench_die(sf_result_string(r), r); }
    if (!bench.device) {
        bench.device = device;
        if (bench.cuda) { cu_load(); }
    }
    return device;
}
static inline sf_stream *bench_stream(sf_device *device)
{
    sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING };
    sf_stream *s = NULL;
    BENCH_OK(sf_stream_create(device, &desc, &s));
    return s;
}
static inline sf_event *bench_event(sf_device *device)
{
    sf_event *e = NULL;
    BENCH_OK(sf_event_create(device, SF_EVENT_DISABLE_TIMING, &e));
    return e;
}
static inline void *bench_memory(sf_device *device, size_t bytes, sf_memory memory)
{
    void *p = NULL;
    BENCH_OK(sf_mem_alloc(device, bytes, memory, &p));
    if (memory != SF_MEMORY_DEVICE) { memset(p, 0, bytes); }
    return p;
}
/* CUDA's own wait, or the host backend's: both without a deadline, which is the alarm's. */
static inline int bench_sync(sf_stream *s) { return sf_stream_synchronize(s, SF_FOREVER); }

#endif /* __CUDACC__ */
#endif /* BENCH_H */
