/*  test.h - what the suites share: a backend chosen on the command line, results in words, seeds, and kernels
    with a body per backend. Comes after streamflow.h with its implementation, and after cmocka.h. */
#ifndef TEST_H
#define TEST_H

#include <stddef.h>
#include <stdint.h>

/* -- arguments of the kernels in kernels.cu -- */

/* dst[i] = dst[i] * mul + src[i] + add: any other order of two of them gives another result. `id` goes into
   the log, whose first word counts; `spin` makes it slow. src and log may be NULL. */
typedef struct mix_args {
    uint32_t *dst;
    const uint32_t *src;
    uint32_t *log;
    uint32_t n, mul, add, spin, id;
} mix_args;
typedef struct flag_args { uint32_t *flag; uint32_t value; } flag_args;
typedef struct tally_args { uint32_t *word; uint32_t n; } tally_args;
enum { BLOB_WORDS = 1020 };
typedef struct blob_args { uint32_t *out; uint32_t words, pad; uint32_t data[BLOB_WORDS]; } blob_args;

#ifdef SF_WITH_CUDA_BODIES
    #ifdef __cplusplus
extern "C" {
    #endif
int mix_cuda(void *stream, const void *args);                /* mix_args */
int gate_cuda(void *stream, const void *args);               /* flag_args: until *flag >= value */
int lift_cuda(void *stream, const void *args);               /* flag_args: *flag = value */
int blob_cuda(void *stream, const void *args);               /* blob_args: data to out */
int tally_cuda(void *stream, const void *args);              /* tally_args: adds n to the word, atomically */
int trap_cuda(void *stream, const void *args);               /* none: faults */
uint32_t *managed_elsewhere(void);                           /* 1024 words of a __managed__ variable */
    #ifdef __cplusplus
}
    #endif
#endif

#ifndef __CUDACC__

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A deadlock shows as SF_TIMEOUT instead of as a program that hangs. No test depends on how fast it
   is. */
#define GUARD SF_MS(30000)

#define CHECK_IS(expression, expected)                                                                       \
    do {                                                                                                     \
        sf_result got_ = (expression), want_ = (expected);                                                   \
        if (got_ != want_) {                                                                                 \
            fail_msg("%s\n  is %d, %s\n  not %d, %s", #expression, (int)got_, sf_result_string(got_),        \
                     (int)want_, sf_result_string(want_));                                                   \
            abort(); /* never: tells the compiler that fail_msg() does not return */                         \
        }                                                                                                    \
    } while (0)
#define CHECK_OK(expression) CHECK_IS(expression, SF_OK)
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) { fail_msg("not true: %s", #condition); }                                          \
    } while (0)
#define CHECK_EQUAL(got, expected)                                                                           \
    do {                                                                                                     \
        long long got_ = (long long)(got), want_ = (long long)(expected);                                    \
        if (got_ != want_) { fail_msg("%s\n  is %lld, not %lld: %s", #got, got_, want_, #expected); }        \
    } while (0)
#define CHECK_BYTES(got, expected, bytes) test_bytes(#got, got, expected, bytes)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline void test_bytes(const char *what, const void *got, const void *expected, size_t bytes)
{
    const unsigned char *a = (const unsigned char *)got, *b = (const unsigned char *)expected;
    for (size_t i = 0; i < bytes; i++) {
        if (a[i] != b[i]) { fail_msg("%s: byte %zu of %zu is %d, not %d", what, i, bytes, a[i], b[i]); }
    }
}

/* -- random numbers: xorshift64*, so that a seed means the same everywhere -- */

typedef struct rng { uint64_t state; } rng;
static inline rng rng_seed(uint64_t seed) { return (rng){ (seed + 1) * 0x9e3779b97f4a7c15u | 1 }; }
static inline uint32_t rng_next(rng *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return (uint32_t)(r->state * 0x2545f4914f6cdd1du >> 32);
}
static inline uint32_t rng_below(rng *r, uint32_t n) { return (uint32_t)((uint64_t)rng_next(r) * n >> 32); }
static inline void rng_fill(rng *r, void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) { ((unsigned char *)data)[i] = (unsigned char)rng_next(r); }
}
static inline uint32_t test_seeds(void)                      /* sanitizers get fewer */
{
    const char *s = getenv("SF_TEST_SEEDS");
    long n = s ? strtol(s, NULL, 10) : 0;
    return n > 0 ? (uint32_t)n : 10000;
}
/* `count` seeds from 0, or from SF_TEST_FIRST=N in the environment, on; with SF_TEST_SEED=N N alone. */
static inline uint32_t test_first_seed(void)
{
    const char *s = getenv("SF_TEST_SEED") ? getenv("SF_TEST_SEED") : getenv("SF_TEST_FIRST");
    return s ? (uint32_t)strtoul(s, NULL, 10) % 1000000 : 0;
}
#define FOR_SEEDS(seed, count)                                                                                      \
    for (uint32_t seed = test_first_seed(), end_ = seed + (getenv("SF_TEST_SEED") ? 1 : (count)); seed < end_; seed++)

/* -- kernels -- */

static inline uint32_t test_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline void test_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
static inline uint32_t test_add(uint32_t *word, uint32_t n)
{
    return __atomic_fetch_add(word, n, __ATOMIC_ACQ_REL);
}
static inline void test_spin(uint32_t turns) { for (volatile uint32_t i = 0; i < turns; i++) {} }

static inline int mix_host(const sf_slice *slice, const void *args)
{
    const mix_args *a = (const mix_args *)args;
    test_spin(a->spin);
    for (ptrdiff_t i = sf_slice_begin(slice, a->n); i < sf_slice_end(slice, a->n); i++) {
        a->dst[i] = a->dst[i] * a->mul + (a->src ? a->src[i] : 0) + a->add;
    }
    if (a->log && slice->index == 0) { a->log[1 + test_add(a->log, 1)] = a->id; }
    return 0;
}
static inline int gate_host(const sf_slice *slice, const void *args)
{
    const flag_args *a = (const flag_args *)args;
    (void)slice;
    return test_load(a->flag) >= a->value ? 0 : SF_NOT_READY;
}
static inline int lift_host(const sf_slice *slice, const void *args)
{
    const flag_args *a = (const flag_args *)args;
    (void)slice;
    test_store(a->flag, a->value);
    return 0;
}
static inline int blob_host(const sf_slice *slice, const void *args)
{
    const blob_args *a = (const blob_args *)args;
    (void)slice;
    for (uint32_t i = 0; i < a->words; i++) { a->out[i] = a->data[i]; }
    return 0;
}
static inline int tally_host(const sf_slice *slice, const void *args)
{
    const tally_args *a = (const tally_args *)args;
    (void)slice;
    test_add(a->word, a->n);
    return 0;
}
static inline int trap_host(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 719; }

static const sf_kernel mix_kernel = { .name = "mix", .host = mix_host, .cuda = SF_CUDA_BODY(mix_cuda) };
static const sf_kernel gate_kernel = { .name = "gate", .host = gate_host, .cuda = SF_CUDA_BODY(gate_cuda) };
/* As gate_kernel, but on the host backend its slices keep their workers. */
static inline int occupy_host(const sf_slice *slice, const void *args)
{
    const flag_args *a = (const flag_args *)args;
    (void)slice;
    while (test_load(a->flag) < a->value) { usleep(100); }
    return 0;
}
static const sf_kernel occupy_kernel __attribute__((unused)) = {
    .name = "occupy", .host = occupy_host, .cuda = SF_CUDA_BODY(gate_cuda), .slices = 16
};
static const sf_kernel lift_kernel = { .name = "lift", .host = lift_host, .cuda = SF_CUDA_BODY(lift_cuda) };
static const sf_kernel blob_kernel = { .name = "blob", .host = blob_host, .cuda = SF_CUDA_BODY(blob_cuda) };
static const sf_kernel tally_kernel __attribute__((unused)) = {
    .name = "tally", .host = tally_host, .cuda = SF_CUDA_BODY(tally_cuda)
};
static const sf_kernel trap_kernel = { .name = "trap", .host = trap_host, .cuda = SF_CUDA_BODY(trap_cuda) };

static inline sf_result test_mix(sf_stream *s, uint32_t *dst, const uint32_t *src, uint32_t n, uint32_t mul,
                                 uint32_t add, uint32_t spin)
{
    mix_args a = { .dst = dst, .src = src, .n = n, .mul = mul, .add = add, .spin = spin };
    return sf_launch(s, &mix_kernel, &a, sizeof a);
}
static inline sf_result test_gate(sf_stream *s, uint32_t *flag, uint32_t value)
{
    flag_args a = { flag, value };
    return sf_launch(s, &gate_kernel, &a, sizeof a);
}
static inline sf_result test_lift(sf_stream *s, uint32_t *flag, uint32_t value)
{
    flag_args a = { flag, value };
    return sf_launch(s, &lift_kernel, &a, sizeof a);
}
static inline void test_mix_model(uint32_t *dst, const uint32_t *src, uint32_t n, uint32_t mul, uint32_t add)
{
    for (uint32_t i = 0; i < n; i++) { dst[i] = dst[i] * mul + (src ? src[i] : 0) + add; }
}

/* -- devices -- */

static sf_backend test_backend = SF_BACKEND_HOST;
static inline bool on_cuda(void) { return test_backend == SF_BACKEND_CUDA; }
/* How many random programs a test runs: `host`, on a GPU `gpu`, or what SF_TEST_GPU_SEEDS says. */
static inline uint32_t test_seeds_of(uint32_t host, uint32_t gpu)
{
    const char *s = getenv("SF_TEST_GPU_SEEDS");
    return !on_cuda() ? host : s ? (uint32_t)strtoul(s, NULL, 10) : gpu;
}

/* Memory for kernels and the CPU, zeroed. */
static inline void *test_memory(sf_device *device, size_t bytes)
{
    void *p = NULL;
    CHECK_OK(sf_mem_alloc(device, bytes, SF_MEMORY_PINNED, &p));
    memset(p, 0, bytes);
    return p;
}
static inline sf_device *test_open_desc(const sf_device_desc *desc)
{
    sf_device_desc d = *desc;
    sf_device *device = NULL;
    d.backend = test_backend;
    CHECK_OK(sf_device_open(&d, &device));
    if (on_cuda()) { /* a kernel is loaded at its first launch, which waits for running ones */
        uint32_t *words = (uint32_t *)test_memory(device, 64);
        sf_stream *s = sf_stream_legacy(device);
        blob_args b = { .out = words };
        CHECK_OK(test_mix(s, words, NULL, 1, 1, 0, 0));
        CHECK_OK(test_lift(s, words, 1));
        CHECK_OK(test_gate(s, words, 1));
        CHECK_OK(sf_launch(s, &blob_kernel, &b, sizeof b));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        CHECK_OK(sf_mem_free(device, words));
    }
    return device;
}
static inline sf_device *test_open(void) { return test_open_desc(&(sf_device_desc){ .host.workers = 3 }); }
static inline sf_device *test_open_workers(int32_t n)
{
    return test_open_desc(&(sf_device_desc){ .host.workers = n });
}
static inline sf_device *test_open_order(sf_order order, uint64_t seed)
{
    return test_open_desc(&(sf_device_desc){ .host = { .workers = 4, .order = order, .seed = seed,
                                                       .stream_depth = 64 } });
}
/* Into three partitions, which all the devices above allow. False: a GPU's driver is too old. */
static inline bool test_split(sf_device *device)
{
    sf_result r = sf_device_split(device, &(sf_partitions_desc){ .count = 2, .sms = { 1, 1 }, .min_sms = 1 });
    if (!on_cuda() || r != SF_ERROR_NOT_SUPPORTED) { CHECK_OK(r); }
    return r == SF_OK;
}
static inline sf_partition *test_partition(sf_device *device, int32_t index)
{
    sf_partition *p = NULL;
    CHECK_OK(sf_device_get_partition(device, index, &p));
    return p;
}
/* One of them or, at times, none. */
static inline sf_partition *test_random_partition(rng *r, sf_device *device)
{
    sf_device_info info;
    CHECK_OK(sf_device_get_info(device, &info));
    int32_t i = (int32_t)rng_below(r, (uint32_t)info.partitions + 1) - 1;
    return i < 0 ? NULL : test_partition(device, i);
}
static inline void test_close(sf_device *device) { CHECK_OK(sf_device_close(device, GUARD)); }
static inline sf_stream *test_stream(sf_device *device)
{
    sf_stream *s = NULL;
    sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING };
    CHECK_OK(sf_stream_create(device, &desc, &s));
    return s;
}
static inline sf_event *test_event(sf_device *device)
{
    sf_event *e = NULL;
    CHECK_OK(sf_event_create(device, SF_EVENT_DEFAULT, &e));
    return e;
}

/* The last messages that a device logged. */
typedef struct test_log { uint32_t count, level, item; char tag[32], text[512]; } test_log;
static inline void test_log_func(const char *tag, uint32_t level, uint32_t item, const char *message,
                                 uint32_t line, const char *file, void *user)
{
    test_log *log = (test_log *)user;
    (void)line, (void)file;
    log->count++;
    log->level = level;
    log->item = item;
    snprintf(log->tag, sizeof log->tag, "%s", tag ? tag : "");
    snprintf(log->text, sizeof log->text, "%s", message ? message : "");
}

/* A heap that counts, and that can refuse one request. */
typedef struct test_heap { long live, total, fail_at; } test_heap;
static inline void *test_heap_alloc(size_t bytes, void *user)
{
    test_heap *h = (test_heap *)user;
    if (__atomic_add_fetch(&h->total, 1, __ATOMIC_RELAXED) == h->fail_at) { return NULL; }
    __atomic_add_fetch(&h->live, 1, __ATOMIC_RELAXED);
    return malloc(bytes);
}
static inline void test_heap_free(void *ptr, void *user)
{
    __atomic_sub_fetch(&((test_heap *)user)->live, 1, __ATOMIC_RELAXED);
    free(ptr);
}

/* "host" or "cuda"; false: neither. */
static inline bool test_choose_backend(const char *name)
{
    test_backend = !strcmp(name, "cuda") ? SF_BACKEND_CUDA : SF_BACKEND_HOST;
    return on_cuda() || !strcmp(name, "host");
}
/* Returns only if there is a backend to test. Without a GPU that is a skip; with one that does not open, a failure. */
static inline void test_skip_without_gpu(void)
{
    printf("1..0 # SKIP no GPU\n");
    exit(0);
}
static inline void test_need_backend(void)
{
    if (on_cuda()) {
        sf_device_desc desc = { .backend = SF_BACKEND_CUDA };
        sf_device *device;
        sf_result r = sf_device_open(&desc, &device);
        if (r == SF_OK) {
            sf_device_close(device, SF_FOREVER);
        } else if (access("/dev/nvidiactl", F_OK) == 0) {
            printf("Bail out! there is a GPU, but sf_device_open: %s\n", sf_result_string(r));
            exit(1);
        } else {
            test_skip_without_gpu();
        }
    }
}

#ifdef CMOCKA_H_
static const char *test_only;                /* the cases to run, by name; NULL: all */

/* cmocka passes if no case has the name that --only asks for. */
static inline int test_run_group(const char *group, const struct CMUnitTest *tests, size_t count,
                                 CMFixtureFunction setup, CMFixtureFunction teardown)
{
    bool found = !test_only;
    for (size_t i = 0; i < count && !found; i++) {
        found = !strcmp(tests[i].name, test_only) || fnmatch(test_only, tests[i].name, 0) == 0;
    }
    if (!found) {
        printf("Bail out! --only %s: no case has this name\n", test_only);
        return 1;
    }
    if (test_only) { cmocka_set_test_filter(test_only); }
    return _cmocka_run_group_tests(group, tests, count, setup, teardown);
}
    #undef cmocka_run_group_tests_name
    #define cmocka_run_group_tests_name(group, tests, setup, teardown) \
        test_run_group(group, tests, COUNT(tests), setup, teardown)

/* --backend host|cuda, --only NAME. */
static inline void test_read_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--only") && *value) {
            test_only = value;
        } else if (strcmp(argv[i], "--backend") != 0 || !test_choose_backend(value)) {
            printf("Bail out! %s %s: the options are --backend host, --backend cuda, --only NAME\n", argv[i], value);
            exit(2);
        }
    }
}
/* Returns only if there is a backend to test. */
static inline void test_arguments(int argc, char **argv)
{
    test_read_arguments(argc, argv);
    test_need_backend();
}
/* Of a program without CUDA in it: returns only for the host. */
static inline void test_arguments_of_host(int argc, char **argv)
{
    test_read_arguments(argc, argv);
    if (on_cuda()) { test_skip_without_gpu(); }
}
#endif /* CMOCKA_H_ */
#endif /* __CUDACC__ */
/* -- graphs: kernels that steer conditionals; skip: only loaded -- */

/* *word = (src ? *src % mod : *word) + add, and so is the condition. */
typedef struct steer_args {
    uint64_t handle;
    uint32_t *word;
    const uint32_t *src;
    uint32_t mod, add, skip;
} steer_args;
typedef struct until_args { uint64_t handle; const uint32_t *flag; uint32_t value, skip; } until_args;
typedef struct vote_args { uint64_t handle; uint32_t value, step, skip; } vote_args;

#ifdef SF_WITH_CUDA_BODIES
    #ifdef __cplusplus
extern "C" {
    #endif
int steer_cuda(void *stream, const void *args);              /* steer_args */
int until_cuda(void *stream, const void *args);              /* until_args: goes on while *flag < value */
int vote_cuda(void *stream, const void *args);               /* vote_args: all slices set value + step * index */
int twice_cuda(void *stream, const void *args);              /* mix_args: two launches */
    #ifdef __cplusplus
}
    #endif
#endif

#ifndef __CUDACC__

static inline int steer_host(const sf_slice *slice, const void *args)
{
    const steer_args *a = (const steer_args *)args;
    (void)slice;
    if (a->skip) { return 0; }
    *a->word = (a->src ? *a->src % a->mod : *a->word) + a->add;
    sf_graph_conditional_set(a->handle, *a->word);
    return 0;
}
static inline int until_host(const sf_slice *slice, const void *args)
{
    const until_args *a = (const until_args *)args;
    (void)slice;
    if (!a->skip) { sf_graph_conditional_set(a->handle, test_load(a->flag) < a->value); }
    return 0;
}
static inline int vote_host(const sf_slice *slice, const void *args)
{
    const vote_args *a = (const vote_args *)args;
    if (!a->skip) { sf_graph_conditional_set(a->handle, a->value + a->step * (uint32_t)slice->index); }
    return 0;
}
static inline int twice_host(const sf_slice *slice, const void *args)
{
    (void)mix_host(slice, args);
    return mix_host(slice, args);
}
static const sf_kernel steer_kernel = {
    .name = "steer", .host = steer_host, .cuda = SF_CUDA_BODY(steer_cuda)
};
static const sf_kernel until_kernel = {
    .name = "until", .host = until_host, .cuda = SF_CUDA_BODY(until_cuda)
};
static const sf_kernel vote_kernel = {
    .name = "vote", .host = vote_host, .cuda = SF_CUDA_BODY(vote_cuda), .slices = 8
};
static const sf_kernel twice_kernel = {
    .name = "twice", .host = twice_host, .cuda = SF_CUDA_BODY(twice_cuda)
};

/* CUDA loads a kernel at its first launch, which waits for running ones. */
static inline void test_load_steering(sf_device *device)
{
    sf_stream *s = sf_stream_legacy(device);
    steer_args steer = { .skip = 1 };
    until_args until = { .skip = 1 };
    vote_args vote = { .skip = 1 };
    mix_args none = { .n = 0 };
    if (!on_cuda()) { return; }
    CHECK_OK(sf_launch(s, &steer_kernel, &steer, sizeof steer));
    CHECK_OK(sf_launch(s, &until_kernel, &until, sizeof until));
    CHECK_OK(sf_launch(s, &vote_kernel, &vote, sizeof vote));
    CHECK_OK(sf_launch(s, &twice_kernel, &none, sizeof none));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
}

#endif /* __CUDACC__ */
#endif /* TEST_H */
