/*  partition_bench.c - what multiprocessors of its own are good for: a small latency-critical kernel beside work that
    fills the device. See bench.h for options and output; the environment variable SMS says how many multiprocessors the
    critical one gets, default 16 (on the host backend 2 of 6 workers).

        stream     launch and wait: from the call to the end of the wait
        operator   an operator launches, another one runs when the GPU is done: from launch to compute; a third one,
                   with a thread of its own, keeps the device full

    Each alone; beside the filler, as it is; with the highest stream priority; in a partition, the filler in the rest.
    The kernel has 4 blocks; one of the filler's has 8 blocks of 256 threads for each multiprocessor, which take 100 us.
    On the host backend the filler has two slices for each worker, which sleep 100 us: they keep the workers, and not
    the cores, of which a machine may have fewer. bare: the driver's two calls on the same stream. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include "bench.h"

enum { WORDS = 1024, BLOCKS = 4, FILL_NS = 100000, FILL_BLOCKS = 8, FILL_THREADS = 256, ROUNDS = 2000, WORKERS = 6,
       WARM = 20, FILLED = 4 };              /* operators: so many messages and filler kernels come before */
typedef enum way { ALONE, BESIDE, PRIORITY, PARTITION, WAYS } way;
static const char *const ways[] = { "alone", "beside", "beside with priority", "beside in a partition" };

static struct {
    sf_device *plain, *split;                /* the same GPU; each host device has workers of its own */
    void *critical, *fill;                   /* the driver's functions */
    int32_t all;
    uint32_t *words, turns, fills;
    int answers;
    sf_event *filled[2];
    int64_t asked;
} p;

/* -- kernels: PTX, so that no nvcc is needed -- */

static const char ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry critical(.param .u64 words)\n{\n"
    "    .reg .b32 %r<6>;\n    .reg .b64 %d<4>;\n"
    "    ld.param.u64 %d0, [words];\n    cvta.to.global.u64 %d1, %d0;\n"
    "    mov.u32 %r0, %ctaid.x;\n    mov.u32 %r1, %ntid.x;\n    mov.u32 %r2, %tid.x;\n"
    "    mad.lo.s32 %r3, %r0, %r1, %r2;\n    mul.wide.s32 %d2, %r3, 4;\n    add.s64 %d3, %d1, %d2;\n"
    "    ld.global.u32 %r4, [%d3];\n    add.s32 %r5, %r4, 1;\n    st.global.u32 [%d3], %r5;\n    ret;\n}\n"
    ".visible .entry fill(.param .u64 ns)\n{\n"
    "    .reg .b64 %d<4>;\n    .reg .pred %p;\n"
    "    ld.param.u64 %d0, [ns];\n    mov.u64 %d1, %globaltimer;\n    add.s64 %d2, %d1, %d0;\n"
    "again:\n    mov.u64 %d3, %globaltimer;\n    setp.lt.u64 %p, %d3, %d2;\n    @%p bra again;\n    ret;\n}\n";

typedef struct fill_args { uint64_t ns; } fill_args;
static int critical_host(const sf_slice *slice, const void *args)
{
    uint32_t *words = *(uint32_t *const *)args;
    for (ptrdiff_t i = sf_slice_begin(slice, WORDS); i < sf_slice_end(slice, WORDS); i++) { words[i]++; }
    return 0;
}
static int critical_cuda(void *stream, const void *args)
{
    void *params[] = { (void *)(uintptr_t)args };
    return cu.launch_kernel(p.critical, BLOCKS, 1, 1, WORDS / BLOCKS, 1, 1, 0, stream, params, NULL);
}
static int fill_host(const sf_slice *slice, const void *args)
{
    struct timespec t = { 0, (long)((const fill_args *)args)->ns };
    (void)slice;
    return nanosleep(&t, NULL);
}
static int fill_cuda(void *stream, const void *args)
{
    void *params[] = { (void *)(uintptr_t)args };
    return cu.launch_kernel(p.fill, (unsigned)(p.all * FILL_BLOCKS), 1, 1, FILL_THREADS, 1, 1, 0, stream, params, NULL);
}
static const sf_kernel critical = { .name = "critical", .host = critical_host, .cuda = critical_cuda, .slices = 2 };
static const sf_kernel filler = { .name = "filler", .host = fill_host, .cuda = fill_cuda, .slices = 12 };

static sf_result launch_fill(sf_stream *s)
{
    fill_args args = { FILL_NS };
    return sf_launch(s, &filler, &args, sizeof args);
}

/* -- devices and places -- */

static void open_all(void)
{
    const char *sms = getenv("SMS");
    sf_device_info info;
    sf_result r;
    p.plain = bench_open(WORKERS);
    p.split = bench_open(WORKERS);
    BENCH_OK(sf_device_get_info(p.plain, &info));
    p.all = info.multiprocessors;
    r = sf_device_split(p.split, &(sf_partitions_desc){ .count = 1, .sms = { sms ? atoi(sms) : bench.cuda ? 16 : 2 } });
    if (r < 0) {
        bench.device = p.split;
        bench_die("sf_device_split", r);
    }
    p.words = bench_memory(p.plain, WORDS * 4, SF_MEMORY_PINNED);
    if (bench.cuda) {
        void *module;
        BENCH_OK(cu.module_load(&module, ptx));
        BENCH_OK(cu.module_get_function(&p.critical, module, "critical"));
        BENCH_OK(cu.module_get_function(&p.fill, module, "fill"));
    }
}
static sf_device *device_of(way w) { return w == PARTITION ? p.split : p.plain; }
static sf_partition *partition_of(way w, bool is_filler)
{
    sf_partition *part = NULL;
    if (w == PARTITION) { BENCH_OK(sf_device_get_partition(p.split, is_filler ? -1 : 0, &part)); }
    return part;
}
static int32_t priority_of(way w)
{
    sf_device_info info;
    BENCH_OK(sf_device_get_info(p.plain, &info));
    return w == PRIORITY ? info.priority_greatest : 0;
}
/* Each word counts the critical kernels: none was lost, none ran twice. */
static void check_words(uint32_t from)
{
    for (int i = 0; i < WORDS; i++) {
        if (p.words[i] != from + p.turns) { bench_die("a word is wrong", (int)p.words[i]); }
    }
}

/* -- launch and wait -- */

typedef struct pair { way w; sf_stream *critical, *filler; uint32_t calls; } pair;
static double launch_and_wait(int side, void *self)
{
    pair *x = self;
    int64_t start;
    if (x->filler && x->calls++ % 4 == 0) {
        BENCH_OK(launch_fill(x->filler));
        BENCH_OK(launch_fill(x->filler));
    }
    p.turns++;
    start = bench_now();
    if (side == BENCH_SF) {
        BENCH_OK(sf_launch(x->critical, &critical, &p.words, sizeof p.words));
        BENCH_OK(bench_sync(x->critical));
    } else {
        void *s = sf_stream_native(x->critical);
        BENCH_OK(critical_cuda(s, &p.words));
        BENCH_OK(cu.stream_synchronize(s));
    }
    return (double)(bench_now() - start);
}
static void streams(void)
{
    bench_style style = { .unit = "ns", .per = 1, .both = bench.cuda, .tail = true };
    if (!bench_wanted("stream")) { return; }
    for (way w = ALONE; w < WAYS; w++) {
        pair x = { .w = w };
        const uint32_t before = p.words[0];
        sf_stream_desc d = { .flags = SF_STREAM_NON_BLOCKING, .priority = priority_of(w) };
        d.partition = partition_of(w, false);
        BENCH_OK(sf_stream_create(device_of(w), &d, &x.critical));
        d = (sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING, .partition = partition_of(w, true) };
        if (w != ALONE) { BENCH_OK(sf_stream_create(device_of(w), &d, &x.filler)); }
        p.turns = 0;
        (void)bench_compare("stream", ways[w], ROUNDS, style, launch_and_wait, &x);
        check_words(before);
        BENCH_OK(sf_device_synchronize(device_of(w), SF_FOREVER));
    }
}

/* -- operators -- */

static sf_result fill_on(sf_context *ctx)    /* launches the next kernel while one runs: the device is always full */
{
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = launch_fill(s);
    if (r >= 0) { r = sf_event_record(p.filled[ctx->run % 2], s, 0); }
    if (r >= 0 && ctx->run) { r = sf_event_synchronize(p.filled[(ctx->run + 1) % 2], SF_FOREVER); }
    __atomic_add_fetch(&p.fills, 1, __ATOMIC_RELAXED);
    return r;
}
static sf_result ask(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    p.turns++;
    p.asked = bench_now();
    (void)sf_launch(s, &critical, &p.words, sizeof p.words);
    return sf_emit(ctx, 0, t);
}
static sf_result answer(sf_context *ctx)     /* the GPU is done; the next one is asked when this has returned */
{
    int64_t now = bench_now();
    (void)sf_receive(ctx, 0);
    if (ctx->run < WARM || __atomic_load_n(&p.fills, __ATOMIC_RELAXED) < FILLED) { return SF_OK; }
    bench.ns[BENCH_SF][p.answers++] = (double)(now - p.asked);
    return p.answers == bench_rounds(ROUNDS) ? sf_flow_stop(ctx->flow) : SF_OK;
}
static void operators(void)
{
    bench_style style = { .unit = "ns", .per = 1, .tail = true };
    if (!bench_wanted("operator")) { return; }
    for (way w = ALONE; w < WAYS; w++) {
        sf_stream_pool *pool;
        const uint32_t before = p.words[0];
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device_of(w), .workers = { { .count = 1, .spin = SF_MS(1) }, { .count = 1 } },
            .partition = partition_of(w, true) });
        sf_op source, sink;
        BENCH_OK(sf_stream_pool_create(device_of(w), &(sf_stream_pool_desc){ .priority = priority_of(w) }, &pool));
        source = sf_flow_add(f, &(sf_op_desc){
            .name = "ask", .compute = ask, .period = SF_US(50), .streams = w == PRIORITY ? pool : NULL,
            .partition = partition_of(w, false), .out = { { .name = "done", .bytes = 64, .memory = SF_MEMORY_PINNED } } });
        sink = sf_flow_add(f, &(sf_op_desc){ .name = "answer", .compute = answer, .in = { { .name = "done" } },
                                        .when = { { .kind = SF_CONDITION_STREAM } } });
        (void)sf_flow_connect(f, source, NULL, sink, NULL, NULL);
        if (w != ALONE) { (void)sf_flow_add(f, &(sf_op_desc){ .name = "fill", .compute = fill_on, .workers = 1 }); }
        for (int i = 0; i < 2; i++) {
            BENCH_OK(sf_event_create(device_of(w), SF_EVENT_DISABLE_TIMING, &p.filled[i]));
        }
        p.turns = 0, p.answers = 0, p.fills = w == ALONE ? FILLED : 0;
        if (sf_flow_run(f) < 0) {
            fprintf(stderr, "operator, %s: %s\n", ways[w], sf_flow_failure(f)->text);
            exit(1);
        }
        BENCH_OK(sf_flow_destroy(f));
        BENCH_OK(sf_stream_pool_destroy(pool));
        for (int i = 0; i < 2; i++) { BENCH_OK(sf_event_destroy(p.filled[i])); }
        (void)bench_report("operator", ways[w], bench_rounds(ROUNDS), style);
        check_words(before);
    }
}

int main(int argc, char **argv)
{
    bench_arguments(argc, argv);
    open_all();
    streams();
    operators();
    BENCH_OK(sf_device_close(p.split, SF_FOREVER));
    BENCH_OK(sf_device_close(p.plain, SF_FOREVER));
    return 0;
}
