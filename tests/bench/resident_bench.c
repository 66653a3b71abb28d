/*  resident_bench.c - a chain of eight small operators that loops on the GPU, from request to result, against the
    same chain by hand; at the end what the executor is meant to reach, and whether it does. See bench.h for options
    and output; --only NAME is NAME. On CUDA, where nothing is named, it measures what the goals need, in 45 s, and
    prints them alone: each goal, its figure, and ok or short; below it, indented, what bare CUDA reaches in the same
    run. --all measures everything.

        trigger     sf_resident_data_ready() to sf_resident_result_ready(); bare: CUDA without this library
        slot        acquire, submit, result, of 8 bytes and of 64 KiB
        producer    a kernel elsewhere is about to mark data ready, to the first operator's beginning
        throughput  per iteration, with a deep queue of requests
        stop        sf_resident_tear_down() of a loop that waits; and to the first result of the next launch
        load        as trigger, while a kernel of another stream fills the device with blocks of 100 us
        partition   as trigger: alone; beside a filler, which keeps all threads of the device at arithmetic for 100 us;
                    and in multiprocessors of its own, SMS of them, default 8 (on the host backend 1 of 4 workers)
        build, call, info, goals

    Loops: exact, fast, unrolled (eight slots), fused; pdl: kernels that are declared programmatic; quiet: with
    no_host_writes; wide: fused, of 1024 threads. Requests come back
    to back, or paced: 25 to 75 us after the one before (after 500 to 1500 where Holoscan's structure sleeps 500, so
    that the sleep is met). The host backend has no bare side, and its figures mean little. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sched.h>
#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../../streamflow.h"
#include "../../streamflow_gpu_resident.h"
#include "bench.h"
#include "resident_bench.h"

enum { NUMBERS = 8192, ROUNDS = 2, SAMPLES = 10000, QUICK_SAMPLES = 20, FIGURES = 200 };

static struct {
    sf_stream *stream, *beside;
    uint64_t *stamps, *pinned;               /* in pinned memory: of producer and first operator; to copy through */
    uint32_t *load_stop;                     /* in device memory: read across the bus it would hold up the loops */
    fused_user *fused;                       /* in device memory */
    uint64_t random;
    bool goals;                              /* they alone are printed */
} b;

/* -- figures: lines, and kept for the goals -- */

static struct figure { const char *work; char param[64]; double p50, p99; } figures[FIGURES];
static int figure_count;

static void keep(const char *work, const char *param, double p50, double p99)
{
    struct figure *f = &figures[figure_count++];
    if (figure_count > FIGURES) { bench_die("FIGURES", figure_count); }
    f->work = work, f->p50 = p50, f->p99 = p99;
    snprintf(f->param, sizeof f->param, "%s", param);
}
static void emit(const char *peer, const char *work, const char *param, const char *metric, double value)
{
    if (!b.goals) { bench_emit(peer, work, param, metric, value); }
}
static const struct figure *find(const char *work, const char *param)
{
    for (int i = 0; i < figure_count; i++) {
        if (!strcmp(figures[i].work, work) && !strcmp(figures[i].param, param)) { return &figures[i]; }
    }
    return NULL;
}
static void report_tail(bool bare, const char *work, const char *param, double *us, int n)
{
    const char *peer = bare ? "bare" : "streamflow";
    if (!n) { return; }
    bench_sort(us, n);
    emit(peer, work, param, "us_min", us[0]);
    emit(peer, work, param, "us_p50", us[n / 2]);
    emit(peer, work, param, "us_p99", us[(int)(n * 0.99)]);
    emit(peer, work, param, "us_p999", us[(int)(n * 0.999)]);
    emit(peer, work, param, "us_max", us[n - 1]);
    keep(work, param, us[n / 2], us[(int)(n * 0.99)]);
}

/* -- kernels -- */

static int step_host(const sf_slice *slice, const void *args)
{
    const step_args *a = args;
    (void)slice;
    if (a->stamp) { *a->stamp = stamp_now(); }
    for (uint32_t i = 0; i < a->n; i++) { a->out[i] = lcg(a->in[i]); }
    return 0;
}
static int produce_host(const sf_slice *slice, const void *args)
{
    const produce_args *a = args;
    (void)slice;
    *a->stamp = stamp_now();
    sf_resident_mark_data_ready(a->control);
    return 0;
}
static int load_host(const sf_slice *slice, const void *args)       /* one block after the other, until the stop */
{
    const load_args *a = args;
    uint64_t begun = stamp_now();
    (void)slice;
    if (bench_load(a->stop)) { return 0; }
    while (stamp_now() - begun < a->ns) {}
    return SF_NOT_READY;
}
static const sf_kernel step = { .name = "step", .host = step_host, .cuda = SF_CUDA_BODY(step_cuda) };
static const sf_kernel step_programmatic = {
    .name = "step", .host = step_host, .cuda = SF_CUDA_BODY(step_programmatic_cuda), .programmatic = true,
};
static const sf_kernel produce = { .name = "produce", .host = produce_host, .cuda = SF_CUDA_BODY(produce_cuda) };
static int fill_host(const sf_slice *slice, const void *args)        /* likewise; keeps workers, if not their cores */
{
    const load_args *a = args;
    struct timespec t = { 0, (long)a->ns };
    (void)slice;
    if (bench_load(a->stop)) { return 0; }
    (void)nanosleep(&t, NULL);
    return SF_NOT_READY;
}
static const sf_kernel fill = { .name = "fill", .host = fill_host, .cuda = SF_CUDA_BODY(fill_cuda), .slices = 6 };
static const sf_kernel load = { .name = "load", .host = load_host, .cuda = SF_CUDA_BODY(load_cuda) };

#ifdef SF_WITH_CUDA_BODIES
extern const sf_kernel chain_fused, wide_fused, number_fused;            /* in the .cu file */
#else
SF_RESIDENT_FUSED(chain_fused, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step,
                  fused_step)
SF_RESIDENT_FUSED(wide_fused, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step,
                  fused_step)
SF_RESIDENT_FUSED(number_fused, fused_number, fused_number, fused_number, fused_number, fused_number, fused_number,
                  fused_number, fused_number)
#endif

/* -- one of the competitors -- */

typedef struct stage { const sf_kernel *kernel; uint64_t *stamp; uint32_t n; bool first; } stage;
enum { BACK_TO_BACK, PACED, MODES };
static const char *const modes[] = { "back to back", "paced" };

typedef struct side {
    const char *name;
    bool bare;
    raw_desc raw;
    sf_resident_loop loop;
    bool programmatic, quiet, wide;
    sf_partition *partition;
    size_t bytes;                            /* of a slot; 0: triggered */
    bool stamped;
    int samples;                             /* default SAMPLES; fewer where each takes long */
    int64_t gap;                             /* paced: from gap / 2 to 3 gap / 2 */
    int64_t limit;                           /* of all samples; default none */

    sf_resident *resident;
    sf_op op[CHAIN];
    stage stage[CHAIN];
    sf_resident_slot slot;
    uint64_t sequence;                       /* the last one asked for */
    double *us[MODES];
    int count[MODES];
} side;

#define LOOPS(loops)                                                                                         \
    loops("exact", SF_RESIDENT_LOOP_EXACT, false), loops("exact pdl", SF_RESIDENT_LOOP_EXACT, true),         \
    loops("fast", SF_RESIDENT_LOOP_FAST, false), loops("fast pdl", SF_RESIDENT_LOOP_FAST, true),             \
    loops("unrolled", SF_RESIDENT_LOOP_UNROLLED, false),                                                     \
    loops("unrolled pdl", SF_RESIDENT_LOOP_UNROLLED, true), loops("fused", SF_RESIDENT_LOOP_FUSED, false)
#define OURS(title, shape, pdl) { .name = title, .loop = shape, .programmatic = pdl }
#define BARE(title, ...) { .name = title, .bare = true, .raw = { __VA_ARGS__ } }
static const side ours[] = { LOOPS(OURS) };
enum { LOOPS_OURS = sizeof ours / sizeof *ours };

static void side_check(const side *s, const char *what, int code)
{
    if (!code) { return; }
    fprintf(stderr, "%s, %s: %d: %s\n", s->name, what, code,
            s->bare ? "CUDA's own code" : sf_resident_failure(s->resident)->text);
    exit(1);
}
#define SIDE_OK(s, call) side_check(s, #call, (int)(call))

static sf_result chain_compute(sf_context *ctx)
{
    const stage *stage = ctx->user;
    const sf_tensor *out = sf_tensor_create(ctx, 0, NULL), *in = stage->first ? out : sf_receive(ctx, 0);
    step_args args = { out->data, in->data, stage->stamp, stage->n };
    sf_launch(sf_compute_stream(ctx), stage->kernel, &args, sizeof args);
    return sf_emit(ctx, 0, (sf_tensor *)out);
}

/* What the fused operators read lies in device memory: over PCIe it would be a microsecond for each. */
static fused_user *fused_user_of(const side *s, uint32_t n)
{
    fused_user user = { s->stamped ? b.stamps + 16 : NULL, n };
    if (n == 1 && !s->stamped) { return NULL; }
    memcpy(b.pinned, &user, sizeof user);
    BENCH_OK(sf_memcpy_async(b.stream, b.fused, b.pinned, sizeof user));
    BENCH_OK(bench_sync(b.stream));
    return b.fused;
}
static void side_describe(side *s)
{
    static const char *const names[CHAIN] = { "op1", "op2", "op3", "op4", "op5", "op6", "op7", "op8" };
    bool fused = s->loop == SF_RESIDENT_LOOP_FUSED;
    size_t bytes = s->bytes ? s->bytes : sizeof(uint64_t);
    uint32_t n = (uint32_t)(bytes / sizeof(uint64_t));
    sf_resident_desc desc = {
        .name = s->name, .device = bench.device, .logger.func = sf_log_stderr, .slots = SLOTS, .loop = s->loop,
        .timeout_ms = 60000, .no_stages = true, .no_host_writes = s->quiet,
    };
    desc.partition = s->partition;
    if (fused) { desc.fused = s->wide ? &wide_fused : n > 1 || s->stamped ? &chain_fused : &number_fused; }
    s->sequence = 0;
    s->resident = sf_resident_create(&desc);
    for (int i = 0; i < CHAIN; i++) {
        bool external = s->bytes && i == 0;
        sf_op_desc op = { .name = names[i], .compute = fused ? NULL : chain_compute };
        s->stage[i] = (stage){ .kernel = s->programmatic ? &step_programmatic : &step, .n = n,
                               .stamp = s->stamped && i == 0 ? b.stamps + 16 : NULL, .first = i == 0 && !external };
        op.user = !fused ? (void *)&s->stage[i] : i == 0 || n > 1 ? (void *)fused_user_of(s, n) : NULL;
        if (i > 0 || external) { op.in[0] = (sf_port){ .name = "x", .bytes = bytes, .external = external }; }
        op.out[0] = (sf_port){ .name = "y", .bytes = bytes, .external = s->bytes && i == CHAIN - 1 };
        s->op[i] = sf_resident_add(s->resident, &op);
        if (i > 0) { SIDE_OK(s, sf_resident_connect(s->resident, s->op[i - 1], "y", s->op[i], "x", NULL)); }
    }
}
static void side_open(side *s)
{
    sf_resident_info info;
    if (s->bare) {
        SIDE_OK(s, raw_open(&s->raw));
        return;
    }
    side_describe(s);
    SIDE_OK(s, sf_resident_build(s->resident));
    SIDE_OK(s, sf_resident_launch(s->resident));
    SIDE_OK(s, sf_resident_get_info(s->resident, &info));
    if (info.loop != s->loop) { side_check(s, "another loop than asked for", (int)info.loop); }
}

static void side_fire(side *s)
{
    if (s->bare) {
        SIDE_OK(s, raw_fire(b.random));
    } else if (!s->bytes) {
        SIDE_OK(s, sf_resident_data_ready(s->resident, &s->sequence));
    } else {
        SIDE_OK(s, sf_resident_acquire(s->resident, s->op[0], SF_MS(1000), &s->slot));
        s->sequence = s->slot.sequence;
        *(uint64_t *)s->slot.data[0] = b.random;
        SIDE_OK(s, sf_resident_submit(s->resident, &s->slot));
    }
}
static bool side_ready(side *s)
{
    sf_result r;
    if (s->bare) { return raw_ready(); }
    if (!s->bytes) {
        r = sf_resident_result_ready(s->resident, s->sequence);
        if (r == SF_NOT_READY) { return false; }
    } else {
        r = sf_resident_result(s->resident, s->op[CHAIN - 1], s->sequence, 0, &s->slot);
        if (r == SF_TIMEOUT) { return false; }
    }
    side_check(s, "result", (int)r);
    return true;
}
static uint64_t chain_of(uint64_t x)
{
    for (int i = 0; i < CHAIN; i++) { x = lcg(x); }
    return x;
}
static void side_read(side *s)               /* not timed */
{
    if (s->bare || !s->bytes) { return; }
    if (*(const uint64_t *)s->slot.data[0] != chain_of(b.random)) { side_check(s, "wrong result", 999); }
    SIDE_OK(s, sf_resident_release(s->resident, &s->slot));
}
/* Until it is ready, or for 5 s: then it never will be. */
static void side_wait(side *s)
{
    int64_t start = 0;
    for (uint32_t turn = 1; !side_ready(s); turn++) {
        bench.cuda ? bench_relax() : (void)sched_yield();    /* the host's loop needs the core */
        if (turn % 1024) { continue; }
        if (!start) { start = bench_now(); }
        if (bench_now() - start > SF_MS(5000)) { side_check(s, "no result within 5 s", 999); }
    }
}

/* Triggered operators keep their numbers in device memory: the last is the chain of the first, in each slot. */
static void side_verify(side *s)
{
    uint32_t slots = s->bytes ? 0 : s->loop == SF_RESIDENT_LOOP_UNROLLED ? SLOTS : 1;
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint64_t *first = b.pinned, *last = b.pinned + 1, expected;
        BENCH_OK(sf_memcpy_async(b.stream, first, sf_resident_device_memory(s->resident, s->op[0], "y", slot), 8));
        BENCH_OK(sf_memcpy_async(b.stream, last,
                                 sf_resident_device_memory(s->resident, s->op[CHAIN - 1], "y", slot), 8));
        BENCH_OK(bench_sync(b.stream));
        expected = *first;
        for (int i = 1; i < CHAIN; i++) { expected = lcg(expected); }
        if (*last != expected) { side_check(s, "wrong numbers", 999); }
    }
}
static void side_close(side *s)
{
    sf_resident_info info;
    if (s->bare) {
        SIDE_OK(s, raw_close());
        return;
    }
    SIDE_OK(s, sf_resident_tear_down(s->resident, true, SF_MS(5000)));
    SIDE_OK(s, sf_resident_wait(s->resident, 0));
    SIDE_OK(s, sf_resident_get_info(s->resident, &info));
    if (info.submitted != info.completed || info.completed != s->sequence) { side_check(s, "lost a request", 999); }
    side_verify(s);
    SIDE_OK(s, sf_resident_destroy(s->resident));
}

/* -- from request to result -- */

static int64_t random_below(int64_t n)
{
    b.random = lcg(b.random);
    return (int64_t)(b.random >> 33) % n;
}
static void pause_until(int64_t when)
{
    while (bench_now() < when) { bench_relax(); }
}
static void side_sample(side *s, int mode)
{
    int64_t gap = s->gap ? s->gap : SF_US(50), start = bench_now(), end = s->limit ? start + s->limit : INT64_MAX;
    int n = bench.quick ? QUICK_SAMPLES : s->samples ? s->samples : SAMPLES;
    for (int i = -n / 20; i < n && bench_now() < end; i++) { /* the first ones warm up */
        int64_t wait = gap / 2 + random_below(gap);
        if (mode == PACED) { pause_until(start + wait); }
        start = bench_now();
        side_fire(s);
        side_wait(s);
        if (i >= 0) { s->us[mode][s->count[mode]++] = (double)(bench_now() - start) / 1e3; }
        side_read(s);
    }
}
/* All sides in turn, and all of that again, so that drift of the machine meets everyone. */
static void race(const char *work, side *sides, int count)
{
    char param[64];
    int rounds = bench.quick ? 1 : ROUNDS;
    for (int i = 0; i < count; i++) {
        for (int mode = 0; mode < MODES; mode++) {
            sides[i].us[mode] = calloc((size_t)SAMPLES * ROUNDS, sizeof(double));
            if (!sides[i].us[mode]) { bench_die("calloc", 0); }
        }
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            side *s = &sides[round & 1 ? count - 1 - i : i];
            if (s->bare && !bench.cuda) { continue; }
            side_open(s);
            for (int mode = 0; mode < MODES; mode++) { side_sample(s, mode); }
            side_close(s);
        }
    }
    for (int i = 0; i < count; i++) {
        for (int mode = 0; mode < MODES; mode++) {
            snprintf(param, sizeof param, "%s %s", sides[i].name, modes[mode]);
            report_tail(sides[i].bare, work, param, sides[i].us[mode], sides[i].count[mode]);
            free(sides[i].us[mode]);
        }
    }
}

static void trigger(void)
{
    side sides[] = {
        BARE("persistent", .kind = RAW_PERSISTENT),
        BARE("graph spin", .kind = RAW_GRAPH_SPIN),
        BARE("graph spin pdl", .kind = RAW_GRAPH_SPIN, .programmatic = true),
        BARE("graph sync", .kind = RAW_GRAPH_SYNC),
        BARE("8 launches sync", .kind = RAW_LAUNCHES_SYNC),
        BARE("holoscan sleep=0", .kind = RAW_HOLOSCAN),
        BARE("holoscan sleep=500us", .kind = RAW_HOLOSCAN, .sleep_us = 500),
        BARE("unrolled loop", .kind = RAW_UNROLLED),
        BARE("unrolled loop pdl", .kind = RAW_UNROLLED, .programmatic = true),
        LOOPS(OURS),
    };
    if (b.goals || !bench_wanted("trigger")) { return; }
    sides[4].samples = 4000;
    sides[6].samples = 600, sides[6].gap = SF_US(1000);
    race("trigger", sides, sizeof sides / sizeof *sides);
}

#define SLOT_OF(title, shape, pdl, size)                                                                     \
    { .name = title " bytes=" #size, .loop = shape, .programmatic = pdl, .bytes = size, .samples = 3000 }
#define SLOT_8(title, shape, pdl) SLOT_OF(title, shape, pdl, 8)
#define SLOT_64K(title, shape, pdl) SLOT_OF(title, shape, pdl, 65536)
static void slot(void)
{
    side sides[] = {
        BARE("graph spin bytes=8", .kind = RAW_GRAPH_SPIN, .bytes = 8),
        BARE("graph spin bytes=65536", .kind = RAW_GRAPH_SPIN, .bytes = 65536),
        LOOPS(SLOT_8),
        LOOPS(SLOT_64K),
        { .name = "wide bytes=65536", .loop = SF_RESIDENT_LOOP_FUSED, .wide = true, .bytes = 65536, .samples = 3000 },
    };
    if (b.goals || !bench_wanted("slot")) { return; }
    sides[0].samples = sides[1].samples = 3000;
    race("slot", sides, sizeof sides / sizeof *sides);
}

/* What the goals compare, side by side. */
#define UNROLLED(title, pdl, hush)                                                                           \
    { .name = title, .loop = SF_RESIDENT_LOOP_UNROLLED, .programmatic = pdl, .quiet = hush, .samples = 4000 }
#define UNROLLED_SLOT(title, pdl, hush, size)                                                                \
    { .name = title " bytes=" #size, .loop = SF_RESIDENT_LOOP_UNROLLED, .programmatic = pdl, .quiet = hush,  \
      .bytes = size, .samples = 4000 }
#define FUSED_SLOT(title, hush, broad, size)                                                                 \
    { .name = title " bytes=" #size, .loop = SF_RESIDENT_LOOP_FUSED, .quiet = hush, .wide = broad,           \
      .bytes = size, .samples = 4000 }
static void compared(void)
{
    side sides[] = {
        BARE("persistent", .kind = RAW_PERSISTENT),
        BARE("persistent block", .kind = RAW_PERSISTENT, .memory = true),
        BARE("graph spin", .kind = RAW_GRAPH_SPIN),
        BARE("graph spin pdl", .kind = RAW_GRAPH_SPIN, .programmatic = true),
        BARE("unrolled loop", .kind = RAW_UNROLLED),
        BARE("unrolled loop pdl", .kind = RAW_UNROLLED, .programmatic = true),
        UNROLLED("unrolled", false, false),
        UNROLLED("unrolled pdl", true, false),
        UNROLLED_SLOT("unrolled", false, false, 8),
        UNROLLED_SLOT("unrolled pdl", true, false, 8),
        UNROLLED_SLOT("unrolled quiet", false, true, 8),
        UNROLLED_SLOT("unrolled pdl quiet", true, true, 8),
        FUSED_SLOT("fused", false, false, 8),
        FUSED_SLOT("fused quiet", true, false, 8),
        UNROLLED_SLOT("unrolled", false, false, 65536),
        UNROLLED_SLOT("unrolled pdl", true, false, 65536),
        FUSED_SLOT("fused", false, false, 65536),
        FUSED_SLOT("wide", false, true, 65536),
    };
    for (int i = 0; i < 6; i++) { sides[i].samples = 4000; }
    if (b.goals) { race("goals", sides, sizeof sides / sizeof *sides); }
}

/* -- a producer on the GPU -- */

static void producer(void)
{
    static double us[SAMPLES];
    side bare[] = {
        BARE("bare", .kind = RAW_MARKED, .programmatic = true, .stamps = b.stamps),
        BARE("bare ask=64", .kind = RAW_MARKED, .programmatic = true, .stamps = b.stamps, .ask = 64),
        BARE("bare split", .kind = RAW_MARKED, .programmatic = true, .stamps = b.stamps, .split = true),
        BARE("bare split ask=64", .kind = RAW_MARKED, .programmatic = true, .stamps = b.stamps, .split = true,
             .ask = 64),
    };
    if (!bench_wanted("producer")) { return; }
    for (int k = bench.cuda ? -4 : 0; k < LOOPS_OURS; k++) {
        side s = k < 0 ? bare[k + 4] : ours[k];
        int n = bench.quick ? QUICK_SAMPLES : 2000;
        produce_args args = { NULL, NULL };
        if (b.goals && !s.bare && !s.programmatic) { continue; }
        s.stamped = true;
        side_open(&s);
        if (!s.bare) { args = (produce_args){ sf_resident_get_control(s.resident), b.stamps }; }
        for (int i = -n / 20; i < n; i++) {
            pause_until(bench_now() + SF_US(25) + random_below(SF_US(50)));
            s.sequence++;
            if (s.bare) { SIDE_OK(&s, raw_fire(0)); }
            if (!s.bare) { BENCH_OK(sf_launch(b.beside, &produce, &args, sizeof args)); }
            side_wait(&s);
            BENCH_OK(bench_sync(b.beside));
            if (i >= 0) { us[i] = (double)(int64_t)(b.stamps[16] - b.stamps[0]) / 1e3; }
        }
        side_close(&s);
        report_tail(s.bare, "producer", s.name, us, n);
    }
}

/* -- iterations per second -- */

static double throughput_run(side *s, int iterations)
{
    int64_t start = bench_now();
    for (int i = 0; i < iterations; i++) { side_fire(s); }
    side_wait(s);
    return (double)(bench_now() - start) / iterations;
}
static void throughput_report(const char *peer, const char *param, int rounds)
{
    double *ns = bench.ns[0];
    bench_sort(ns, rounds);
    emit(peer, "throughput", param, "us_min", ns[0] / 1e3);
    emit(peer, "throughput", param, "us_median", bench_median(ns, rounds) / 1e3);
    keep("throughput", param, bench_median(ns, rounds) / 1e3, 0);
}
static void throughput(void)
{
    static const side loops[] = {
        BARE("unrolled loop", .kind = RAW_UNROLLED),
        BARE("unrolled loop pdl", .kind = RAW_UNROLLED, .programmatic = true),
        BARE("loose loop", .kind = RAW_UNROLLED, .loose = true),
        BARE("loose loop pdl", .kind = RAW_UNROLLED, .programmatic = true, .loose = true),
        UNROLLED("unrolled quiet", false, true),
        UNROLLED("unrolled pdl quiet", true, true),
    };
    enum { BARE_LOOPS = 4, LOOPS_MORE = sizeof loops / sizeof *loops };
    int rounds = bench_rounds(11), iterations = bench.quick ? 64 : 8000;
    if (!bench_wanted("throughput")) { return; }
    for (int pdl = 0; bench.cuda && pdl < 2; pdl++) {
        for (int r = -1; r < rounds; r++) {
            BENCH_OK(raw_throughput(pdl, SLOTS, iterations / SLOTS, &bench.ns[0][r < 0 ? 0 : r]));
        }
        throughput_report("bare", pdl ? "graph pdl" : "graph", rounds);
    }
    for (int k = bench.cuda ? 0 : BARE_LOOPS; k < LOOPS_MORE + LOOPS_OURS; k++) {
        side s = k < LOOPS_MORE ? loops[k] : ours[k - LOOPS_MORE];
        if (b.goals && !s.bare && s.loop != SF_RESIDENT_LOOP_UNROLLED) { continue; }
        side_open(&s);
        for (int r = -1; r < rounds; r++) { bench.ns[0][r < 0 ? 0 : r] = throughput_run(&s, iterations); }
        side_close(&s);
        throughput_report(s.bare ? "bare" : "streamflow", s.name, rounds);
    }
}

/* -- stop, and on again -- */

static void stop_from(side *s, int64_t idle, const char *how, int n)
{
    static double stop[100], launch[100], first[100];
    char param[64];
    for (int i = 0; i < n; i++) {
        int64_t start;
        side_fire(s);
        side_wait(s);
        pause_until(bench_now() + idle);
        start = bench_now();
        SIDE_OK(s, sf_resident_tear_down(s->resident, false, SF_MS(5000)));
        stop[i] = (double)(bench_now() - start) / 1e3;
        start = bench_now();
        SIDE_OK(s, sf_resident_launch(s->resident));
        launch[i] = (double)(bench_now() - start) / 1e3;
        side_fire(s);
        side_wait(s);
        first[i] = (double)(bench_now() - start) / 1e3;
    }
    snprintf(param, sizeof param, "%s idle %s", s->name, how);
    report_tail(false, "stop", param, stop, n);
    snprintf(param, sizeof param, "%s relaunch after %s", s->name, how);
    report_tail(false, "stop", param, launch, n);
    snprintf(param, sizeof param, "%s relaunch to result after %s", s->name, how);
    report_tail(false, "stop", param, first, n);
}
static void stop(void)
{
    if (b.goals || !bench_wanted("stop")) { return; }
    for (int k = 0; k < LOOPS_OURS; k++) {
        side s = ours[k];
        if (!s.programmatic && s.loop != SF_RESIDENT_LOOP_FUSED) { continue; }
        side_open(&s);
        stop_from(&s, SF_MS(1), "1 ms", bench_rounds(60));
        stop_from(&s, SF_MS(20), "20 ms", bench_rounds(20));         /* it naps for longer by then */
        side_close(&s);
    }
}

/* -- next to other work -- */

enum { LOAD_LAUNCHES = 400, LOAD_WAVES = 60 };
static uint32_t load_blocks(void)
{
    sf_device_info info;
    BENCH_OK(sf_device_get_info(bench.device, &info));
    return (uint32_t)(2 * info.multiprocessors);
}
static void load_stop(uint32_t on)
{
    BENCH_OK(sf_stream_write_value(b.stream, b.load_stop, 4, on, 0));
    BENCH_OK(bench_sync(b.stream));
}
static void load_begin(int launches, uint32_t waves)
{
    load_args args = { b.load_stop, 100000, waves * load_blocks() };
    load_stop(0);
    for (int i = 0; i < launches; i++) { BENCH_OK(sf_launch(b.beside, &load, &args, sizeof args)); }
}
static void load_end(void)
{
    if (sf_stream_query(b.beside) != SF_NOT_READY) { bench_die("the load ended too early", 0); }
    load_stop(1);
    BENCH_OK(bench_sync(b.beside));
}
static void under_load(void)
{
    static double us[SAMPLES];
    side bare[] = { BARE("persistent", .kind = RAW_PERSISTENT), BARE("graph spin", .kind = RAW_GRAPH_SPIN) };
    if (b.goals || !bench_wanted("load")) { return; }
    for (int k = bench.cuda ? -2 : 0; k < LOOPS_OURS; k++) {
        side s = k < 0 ? bare[k + 2] : ours[k];
        s.us[BACK_TO_BACK] = us;
        s.samples = 3000;
        s.limit = SF_MS(1200);                               /* while the load lasts: about twice as long */
        side_open(&s);
        load_begin(LOAD_LAUNCHES, LOAD_WAVES);
        pause_until(bench_now() + SF_MS(5));
        side_sample(&s, BACK_TO_BACK);
        load_end();
        side_close(&s);
        report_tail(s.bare, "load", s.name, us, s.count[BACK_TO_BACK]);
    }
}

/* -- in multiprocessors of its own -- */

enum { FILL_BLOCKS = 8 };                    /* of a multiprocessor, of 256 threads each */
/* Which partition: -2: there is no filler; -1: none, so the whole device. */
typedef struct place { const char *name; int loop, filler; } place;
static const place places[] = {
    { "alone", -1, -2 }, { "beside", -1, -1 }, { "alone in a partition", 0, -2 },
    { "beside in a partition", 0, 1 }, { "in a partition beside a filler of none", 0, -1 }
};
enum { PLACES = sizeof places / sizeof *places };

static bool open_partitions(sf_partition **parts, sf_device_info *info)
{
    const char *sms = getenv("SMS");
    sf_partitions_desc desc = { .count = 1, .sms = { sms ? atoi(sms) : bench.cuda ? 8 : 1 }, .min_sms = 1 };
    sf_result r = sf_device_split(bench.device, &desc);
    if (r == SF_ERROR_NOT_SUPPORTED) { return false; }       /* a driver before 12.5 */
    BENCH_OK(r);
    for (int i = 0; i < 2; i++) { BENCH_OK(sf_device_get_partition(bench.device, i, &parts[i])); }
    BENCH_OK(sf_device_get_info(bench.device, info));
    return true;
}
static void place_run(side *s, const place *at, sf_partition *const *parts, int32_t sms)
{
    load_args args = { b.load_stop, 100000, (uint32_t)(sms * FILL_BLOCKS) * LOAD_WAVES };
    sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING, .partition = at->filler < 0 ? NULL : parts[at->filler] };
    sf_stream *filler;
    s->partition = at->loop < 0 ? NULL : parts[at->loop];
    BENCH_OK(sf_stream_create(bench.device, &desc, &filler));
    load_stop(1);
    BENCH_OK(sf_launch(filler, &fill, &args, sizeof args));  /* loads it, and this stream's context */
    BENCH_OK(bench_sync(filler));
    load_stop(0);
    side_open(s);
    for (int i = 0; i < LOAD_LAUNCHES && at->filler > -2; i++) {
        BENCH_OK(sf_launch(filler, &fill, &args, sizeof args));
    }
    pause_until(bench_now() + SF_MS(5));
    for (int mode = 0; mode < MODES; mode++) { side_sample(s, mode); }
    if (at->filler > -2 && sf_stream_query(filler) != SF_NOT_READY) { bench_die("the filler ended too early", 0); }
    load_stop(1);
    BENCH_OK(bench_sync(filler));
    side_close(s);
    BENCH_OK(sf_stream_destroy(filler));
}
/* Each way twice, in turn; then what it takes by what it takes alone. Other loops than the fused one have partitions
   from CUDA 13.4 on. */
static void in_partitions(void)
{
    static const side loops[] = {
        { .name = "fused", .loop = SF_RESIDENT_LOOP_FUSED },
        { .name = "unrolled pdl", .loop = SF_RESIDENT_LOOP_UNROLLED, .programmatic = true },
    };
    static double us[PLACES][MODES][SAMPLES * ROUNDS];
    sf_partition *parts[2];
    sf_device_info info;
    if (!bench_wanted("partition") || !open_partitions(parts, &info)) { return; }
    for (int k = 0; k < (b.goals ? 1 : 2); k++) {
        const bool all = loops[k].loop == SF_RESIDENT_LOOP_FUSED || info.driver_version >= 13040;
        int count[PLACES][MODES] = { { 0 } };
        for (int n = 0; n < PLACES * (bench.quick ? 1 : ROUNDS); n++) {
            int i = n < PLACES ? n : 2 * PLACES - 1 - n;     /* and back: drift of the machine meets all */
            side s = loops[k];
            if (places[i].loop >= 0 && !all) { continue; }
            s.samples = 8000, s.limit = SF_MS(600);          /* the filler lasts for twice as long as both modes */
            for (int mode = 0; mode < MODES; mode++) { s.us[mode] = us[i][mode], s.count[mode] = count[i][mode]; }
            place_run(&s, &places[i], parts, info.multiprocessors);
            for (int mode = 0; mode < MODES; mode++) { count[i][mode] = s.count[mode]; }
        }
        for (int i = 0; i < PLACES; i++) {
            for (int mode = 0; mode < MODES; mode++) {
                char param[64], alone[64];
                const struct figure *f, *g;
                snprintf(param, sizeof param, "%s %s %s", loops[k].name, places[i].name, modes[mode]);
                snprintf(alone, sizeof alone, "%s alone %s", loops[k].name, modes[mode]);
                report_tail(false, "partition", param, us[i][mode], count[i][mode]);
                f = find("partition", param), g = find("partition", alone);
                if (!f || !g || f == g) { continue; }
                emit("streamflow", "partition", param, "p50_by_alone", f->p50 / g->p50);
                emit("streamflow", "partition", param, "p99_by_alone", f->p99 / g->p99);
            }
        }
    }
}

/* -- before and beside the loop -- */

static void build(void)
{
    static double created[100], built[100], first[100], destroyed[100];
    if (b.goals || !bench_wanted("build")) { return; }
    for (int k = 0; k < LOOPS_OURS; k++) {
        int n = bench_rounds(11);
        char param[64];
        for (int i = -1; i < n; i++) {
            side s = ours[k];
            int64_t t[5];
            int r = i < 0 ? 0 : i;
            t[0] = bench_now();
            side_describe(&s);
            t[1] = bench_now();
            SIDE_OK(&s, sf_resident_build(s.resident));
            t[2] = bench_now();
            SIDE_OK(&s, sf_resident_launch(s.resident));
            side_fire(&s);
            side_wait(&s);
            t[3] = bench_now();
            SIDE_OK(&s, sf_resident_tear_down(s.resident, false, SF_MS(5000)));
            t[4] = bench_now();
            SIDE_OK(&s, sf_resident_destroy(s.resident));
            destroyed[r] = (double)(bench_now() - t[4]) / 1e3;
            created[r] = (double)(t[1] - t[0]) / 1e3;
            built[r] = (double)(t[2] - t[1]) / 1e3;
            first[r] = (double)(t[3] - t[2]) / 1e3;
        }
        snprintf(param, sizeof param, "%s create", ours[k].name);
        report_tail(false, "build", param, created, n);
        snprintf(param, sizeof param, "%s build", ours[k].name);
        report_tail(false, "build", param, built, n);
        snprintf(param, sizeof param, "%s launch to result", ours[k].name);
        report_tail(false, "build", param, first, n);
        snprintf(param, sizeof param, "%s destroy", ours[k].name);
        report_tail(false, "build", param, destroyed, n);
    }
}

/* A ring's worth of slots at a time. */
static void call_slots(side *s, int round, double *submit, double *result)
{
    sf_resident_slot slots[SLOTS];
    sf_op sink = s->op[CHAIN - 1];
    sf_result r;
    int64_t start = bench_now();
    for (int i = 0; i < SLOTS; i++) {
        SIDE_OK(s, sf_resident_acquire(s->resident, s->op[0], 0, &slots[i]));
        *(uint64_t *)slots[i].data[0] = (uint64_t)round;
        SIDE_OK(s, sf_resident_submit(s->resident, &slots[i]));
    }
    *submit = (double)(bench_now() - start) / SLOTS;
    s->sequence = slots[SLOTS - 1].sequence;
    while ((r = sf_resident_result_ready(s->resident, s->sequence)) == SF_NOT_READY) { bench_relax(); }
    side_check(s, "result_ready", (int)r);   /* the last one: so all are there */
    start = bench_now();
    for (int i = 0; i < SLOTS; i++) {
        SIDE_OK(s, sf_resident_result(s->resident, sink, slots[i].sequence, 0, &s->slot));
        SIDE_OK(s, sf_resident_release(s->resident, &s->slot));
    }
    *result = (double)(bench_now() - start) / SLOTS;
}
static void calls(void)
{
    bench_style style = { .unit = "ns", .per = 1, .tail = true };
    side triggered = ours[3], slotted = ours[3];
    static double result[BENCH_ROUNDS];
    int rounds = bench_rounds(BENCH_ROUNDS);
    if (b.goals || !bench_wanted("call")) { return; }
    side_open(&triggered);
    BENCH_CALLS("call", "data_ready", 64, (void)0, sf_resident_data_ready(triggered.resident, &triggered.sequence), 0,
                side_wait(&triggered));
    BENCH_CALLS("call", "result_ready", 64, (void)0,
                sf_resident_result_ready(triggered.resident, triggered.sequence), 0, (void)0);
    side_close(&triggered);
    slotted.bytes = 8;
    side_open(&slotted);
    for (int r = -1; r < rounds; r++) {
        int into = r < 0 ? 0 : r;
        call_slots(&slotted, r, &bench.ns[BENCH_SF][into], &result[into]);
    }
    side_close(&slotted);
    (void)bench_report("call", "acquire and submit", rounds, style);
    memcpy(bench.ns[BENCH_SF], result, sizeof result);
    (void)bench_report("call", "result and release", rounds, style);
}

static void info_of(const char *name, const sf_resident_info *info)
{
    emit("streamflow", "info", name, "nodes", info->nodes);
    emit("streamflow", "info", name, "us_predicted", (double)info->predicted / 1e3);
    emit("streamflow", "info", name, "device_bytes", (double)info->device_bytes);
    emit("streamflow", "info", name, "host_bytes", (double)info->host_bytes);
}
static void infos(void)
{
    if (b.goals || !bench_wanted("info")) { return; }
    for (int k = 0; k < LOOPS_OURS; k++) {
        side s = ours[k];
        sf_resident_info info;
        side_open(&s);
        for (int i = 0; i < 10; i++) {
            side_fire(&s);
            side_wait(&s);
        }
        SIDE_OK(&s, sf_resident_get_info(s.resident, &info));
        side_close(&s);
        info_of(s.name, &info);
    }
}

/* -- what it is meant to reach -- */

static void goal(const char *name, double value, double limit)
{
    FILE *to = b.goals ? stdout : stderr;
    emit("streamflow", "goals", name, "value", value);
    emit("streamflow", "goals", name, "limit", limit);
    emit("streamflow", "goals", name, "met", value <= limit);
    fprintf(to, "%-62s %9.3f  of %9.3f  %s\n", name, value, limit, value <= limit ? "ok" : "SHORT");
}
static void goal_us(const char *name, const char *work, const char *param, bool tail, double limit)
{
    const struct figure *f = find(work, param);
    if (f) { goal(name, tail ? f->p99 : f->p50, limit); }
}
static void goal_ratio(const char *name, const char *work, const char *param, const char *than, double limit)
{
    const struct figure *f = find(work, param), *g = find(work, than);
    if (f && g) { goal(name, f->p50 / g->p50, limit); }
}
static void goal_tail(const char *name, const char *param)   /* 1.5 us, or what the floor itself has */
{
    const struct figure *f = find("trigger", param), *g = find("trigger", "persistent paced");
    if (f && g) { goal(name, f->p99 - f->p50, g->p99 - g->p50 > 1.5 ? g->p99 - g->p50 : 1.5); }
}
/* -- the same, if they are all: what is beyond reach has a bare program below that shows it -- */

static double median_of(const char *work, const char *param)
{
    const struct figure *f = find(work, param);
    return f ? f->p50 : 0;
}
static double spread_of(const char *work, const char *param)
{
    const struct figure *f = find(work, param);
    return f ? f->p99 - f->p50 : 0;
}
static void bare_line(const char *name, double value) { printf("    %-58s %9.3f\n", name, value); }
static void median_line(const char *name, const char *param) { bare_line(name, median_of("goals", param)); }
static void ring_goals(void)
{
    static const char *const loops[][2] = {  /* by trigger, through the ring */
        { "unrolled back to back", "unrolled bytes=8 back to back" },
        { "unrolled pdl back to back", "unrolled pdl bytes=8 back to back" },
        { "unrolled back to back", "unrolled quiet bytes=8 back to back" },
        { "unrolled pdl back to back", "unrolled pdl quiet bytes=8 back to back" },
    };
    double graph = median_of("goals", "graph spin back to back");
    char name[96];
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        double ring = median_of("goals", loops[i][1]);
        snprintf(name, sizeof name, "ring over trigger, %s: us", loops[i][1]);
        goal(name, ring - median_of("goals", loops[i][0]), 1.5);
        snprintf(name, sizeof name, "ring by CPU graph launch, %s", loops[i][1]);
        goal(name, ring / graph, i & 1 ? 0.75 : 1);
        median_line("us_p50 of it", loops[i][1]);
    }
    median_line("bare CPU graph launch: us_p50", "graph spin back to back");
    median_line("bare CPU graph launch pdl: us_p50", "graph spin pdl back to back");
    median_line("bare unrolled loop: us_p50", "unrolled loop back to back");
    median_line("bare unrolled loop pdl: us_p50", "unrolled loop pdl back to back");
    goal("paced, unrolled bytes=8: us_p99 - us_p50", spread_of("goals", "unrolled bytes=8 paced"), 2);
    goal("paced, unrolled pdl bytes=8: us_p99 - us_p50", spread_of("goals", "unrolled pdl bytes=8 paced"), 2);
    goal("paced, fused bytes=8: us_p99 - us_p50", spread_of("goals", "fused bytes=8 paced"), 2);
    bare_line("bare persistent kernel", spread_of("goals", "persistent paced"));
    bare_line("bare CPU graph launch", spread_of("goals", "graph spin paced"));
    bare_line("bare unrolled loop", spread_of("goals", "unrolled loop paced"));
    bare_line("bare unrolled loop pdl", spread_of("goals", "unrolled loop pdl paced"));
}
static void throughput_goals(void)
{
    static const struct { const char *what, *graph; bool bare; } loops[] = {
        { "unrolled", "graph", false }, { "unrolled pdl", "graph pdl", false },
        { "unrolled quiet", "graph", false }, { "unrolled pdl quiet", "graph pdl", false },
        { "unrolled loop", "graph", true }, { "unrolled loop pdl", "graph pdl", true },
        { "loose loop", "graph", true }, { "loose loop pdl", "graph pdl", true },
    };
    char name[96];
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        double ratio = median_of("throughput", loops[i].what) / median_of("throughput", loops[i].graph);
        snprintf(name, sizeof name, "%s%s by bare %s", loops[i].bare ? "bare " : "throughput, ", loops[i].what,
                 loops[i].graph);
        if (loops[i].bare) { bare_line(name, ratio); } else { goal(name, ratio, 1.15); }
    }
}
static void partition_goals(void)            /* what a filler adds to the tail of a fused loop */
{
    static const char *const ways[] = { "beside", "alone in a partition", "in a partition beside a filler of none" };
    char name[96], param[64];
    for (int mode = 0; mode < MODES; mode++) {
        const struct figure *alone, *beside;
        snprintf(param, sizeof param, "fused alone %s", modes[mode]);
        alone = find("partition", param);
        snprintf(param, sizeof param, "fused beside in a partition %s", modes[mode]);
        beside = find("partition", param);
        if (!alone || !beside) { continue; }
        snprintf(name, sizeof name, "fused in a partition beside a filler, %s: p99 by alone", modes[mode]);
        goal(name, beside->p99 / alone->p99, 1.3);
        bare_line("us_p99 of it", beside->p99);
        bare_line("us_p99 alone", alone->p99);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            snprintf(param, sizeof param, "fused %s %s", ways[i], modes[mode]);
            beside = find("partition", param);
            snprintf(name, sizeof name, "%s: p99 by alone", ways[i]);
            if (beside) { bare_line(name, beside->p99 / alone->p99); }
        }
    }
}
static void issue_goals(void)
{
    double persistent = median_of("goals", "persistent back to back");
    ring_goals();
    throughput_goals();
    goal("producer on the GPU to work, fast pdl: us_p50", median_of("producer", "fast pdl"), 1.5);
    goal("producer on the GPU to work, unrolled pdl: us_p50", median_of("producer", "unrolled pdl"), 1.5);
    bare_line("bare unrolled loop pdl, device word alone", median_of("producer", "bare"));
    bare_line("the same, the host asked each 64th time", median_of("producer", "bare ask=64"));
    bare_line("publishes in another kernel, device word alone", median_of("producer", "bare split"));
    bare_line("the same, the host asked each 64th time", median_of("producer", "bare split ask=64"));
    goal("ring fused by bare persistent kernel", median_of("goals", "fused bytes=8 back to back") / persistent, 1.15);
    goal("ring fused quiet by bare persistent kernel",
         median_of("goals", "fused quiet bytes=8 back to back") / persistent, 1.15);
    bare_line("bare persistent kernel: us_p50", persistent);
    median_line("the same, operators through memory, with barriers: us_p50", "persistent block back to back");
    goal("64 KiB, fused of 1024 threads by unrolled", median_of("goals", "wide bytes=65536 back to back") /
         median_of("goals", "unrolled bytes=65536 back to back"), 1);
    goal("64 KiB, fused of 1024 threads by unrolled pdl", median_of("goals", "wide bytes=65536 back to back") /
         median_of("goals", "unrolled pdl bytes=65536 back to back"), 1);
    partition_goals();
    median_line("fused of 1024 threads: us_p50", "wide bytes=65536 back to back");
    median_line("fused of 256 threads: us_p50", "fused bytes=65536 back to back");
    median_line("unrolled: us_p50", "unrolled bytes=65536 back to back");
}
static void goals(void)
{
    if (!bench.cuda || bench.quick || !bench_wanted("goals")) { return; }
    if (b.goals) {
        issue_goals();
        return;
    }
    goal_us("fast pdl back to back: us_p50", "trigger", "fast pdl back to back", false, 8);
    goal_ratio("fast pdl by graph spin: p50", "trigger", "fast pdl back to back", "graph spin back to back", 0.6);
    goal_ratio("fast pdl by holoscan sleep=0: p50", "trigger", "fast pdl back to back",
               "holoscan sleep=0 back to back", 0.4);
    goal_ratio("fast pdl by holoscan sleep=500us: p50 paced", "trigger", "fast pdl paced",
               "holoscan sleep=500us paced", 1 / 30.0);
    goal_tail("fast pdl paced: us_p99 over us_p50", "fast pdl paced");
    goal_us("unrolled pdl back to back: us_p50", "trigger", "unrolled pdl back to back", false, 8);
    goal_ratio("unrolled pdl by graph spin: p50", "trigger", "unrolled pdl back to back", "graph spin back to back",
               0.6);
    goal_ratio("unrolled pdl by holoscan sleep=0: p50", "trigger", "unrolled pdl back to back",
               "holoscan sleep=0 back to back", 0.4);
    goal_ratio("unrolled pdl by holoscan sleep=500us: p50 paced", "trigger", "unrolled pdl paced",
               "holoscan sleep=500us paced", 1 / 30.0);
    goal_tail("unrolled pdl paced: us_p99 over us_p50", "unrolled pdl paced");
    goal_ratio("fused by persistent: p50", "trigger", "fused back to back", "persistent back to back", 1.15);
    goal_us("producer to work fast pdl: us_p50", "producer", "fast pdl", false, 1.5);
    goal_us("producer to work unrolled pdl: us_p50", "producer", "unrolled pdl", false, 1.5);
    goal_ratio("throughput unrolled by graph", "throughput", "unrolled", "graph", 1.1);
    goal_ratio("throughput unrolled pdl by graph pdl", "throughput", "unrolled pdl", "graph pdl", 1.1);
    goal_us("stop from idle 1 ms: us_p50", "stop", "fast pdl idle 1 ms", false, 100);
    goal_us("stop from idle 20 ms: us_p50", "stop", "fast pdl idle 20 ms", false, 100);
    goal_us("load fast pdl: us_p99", "load", "fast pdl", true, 300);
    goal_us("load unrolled pdl: us_p99", "load", "unrolled pdl", true, 300);
}

/* -- all of it -- */

/* Kernels are loaded and the clocks are up before anything stays on the device. */
static void warm_up(void)
{
    produce_args nothing = { NULL, NULL };
    if (!bench.cuda) { return; }
    BENCH_OK(sf_launch(b.stream, &produce, &nothing, sizeof nothing));
    load_begin(bench.quick ? 1 : 60, LOAD_WAVES);
    if (!bench.quick) { pause_until(bench_now() + SF_MS(200)); }
    load_stop(1);
    BENCH_OK(bench_sync(b.beside));
}
static void open_all(void)
{
    sf_device *device = bench_open(4);
    b.stream = bench_stream(device);
    b.beside = bench_stream(device);
    b.stamps = bench_memory(device, 256, SF_MEMORY_PINNED);  /* each in a cache line of its own */
    b.pinned = bench_memory(device, 256, SF_MEMORY_PINNED);
    b.load_stop = bench_memory(device, 128, SF_MEMORY_DEVICE);
    b.fused = bench_memory(device, sizeof *b.fused, SF_MEMORY_DEVICE);
    b.random = 1;
    warm_up();
}

int main(int argc, char **argv)
{
    int kept = 1;
    bool all = false;
    for (int i = 1; i < argc; i++) {
        all |= !strcmp(argv[i], "--all");
        if (strcmp(argv[i], "--only") && strcmp(argv[i], "--all")) { argv[kept++] = argv[i]; }
    }
    bench_arguments(kept, argv);
    b.goals = bench.cuda && !bench.quick && !all && !bench.wanted_count;
    alarm(bench.quick ? 120 : 240);
#ifndef SF_WITH_CUDA_BODIES
    if (bench.cuda) {
        fprintf(stderr, "built without its .cu file: --backend host alone\n");
        return 77;
    }
#endif
    open_all();
    compared();
    trigger();
    slot();
    producer();
    throughput();
    stop();
    under_load();
    build();
    calls();
    infos();
    in_partitions();                         /* last, as it splits the device */
    goals();
    BENCH_OK(sf_device_close(bench.device, SF_FOREVER));
    return 0;
}
