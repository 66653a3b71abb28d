/*  lazy_bench.c - what lazy operations and futures cost: how late the CPU learns that work is done, futures per
    second, composing, barriers of a stencil. See bench.h for options and output. On CUDA the bare side does the same
    by hand with the driver's calls; on the host backend there is none. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include "bench.h"

enum { WINDOW = 32, FUTURES = 1024, STAGES = 8, NODES = 64, WIDTH = 8, STEPS = 100 };

static struct {
    sf_stream *s;
    sf_event *event;
    void *ns, *native_event;
    uint32_t *word, generation;
} b;

static bench_style style(const char *unit, double per, bool both)
{
    return (bench_style){ .unit = unit, .per = per, .both = both && bench.cuda };
}
static sf_lazy *kernel_op(void) { return sf_lazy_kernel(bench.device, &bench_empty, NULL, 0); }
static sf_lazy *value_op(void) { return sf_lazy_value(bench.device, (sf_value){ .u64 = 7 }); }

/* -- completion: from the launch of an empty kernel until this thread knows that it is done -- */

static void raise_flag(void *user) { bench_store((uint32_t *)user, b.generation); }
static void spin_flag(void)
{
    if (!bench_spin(b.word, b.generation)) { bench_die("completion: no answer", 0); }
}
static int ready(int code)                   /* of a query: nonzero ends the spin */
{
    if (code && code != SF_NOT_READY) { bench_die("completion", code); }
    return !code;
}

static void by_synchronize(int side)
{
    BENCH_OK(side == BENCH_SF ? (int)sf_launch(b.s, &bench_empty, NULL, 0) : bench_launch_bare(b.ns, NULL));
    BENCH_OK(side == BENCH_SF ? bench_sync(b.s) : cu.stream_synchronize(b.ns));
}
static void by_deadline(int side)
{
    BENCH_OK(side == BENCH_SF ? (int)sf_launch(b.s, &bench_empty, NULL, 0) : bench_launch_bare(b.ns, NULL));
    BENCH_OK(side == BENCH_SF ? (int)sf_stream_synchronize(b.s, SF_MS(10000)) : cu.stream_synchronize(b.ns));
}
static void by_sync_on(int side)
{
    if (side == BENCH_SF) {
        BENCH_OK(sf_lazy_sync_on(kernel_op(), b.s, SF_FOREVER, NULL)); } else { by_synchronize(side);
    }
}
static void by_future(int side)
{
    sf_future *future = NULL;
    if (side == BENCH_BARE) { by_synchronize(side); return; }
    BENCH_OK(sf_lazy_schedule(kernel_op(), NULL, &future));
    BENCH_OK(sf_future_wait(future, SF_FOREVER));
    sf_future_drop(future);
}
static void by_poll(int side)
{
    sf_future *future = NULL;
    if (side == BENCH_BARE) {
        BENCH_OK(bench_launch_bare(b.ns, NULL));
        while (!ready(cu.stream_query(b.ns))) { bench_relax(); }
        return;
    }
    BENCH_OK(sf_lazy_schedule(kernel_op(), NULL, &future));
    while (!ready((int)sf_future_poll(future))) { bench_relax(); }
    sf_future_drop(future);
}
static void on_ready(sf_future *future, sf_result result, void *user)
{
    (void)future, (void)result;
    raise_flag(user);
}
static void by_on_ready(int side)            /* bare: a host function, the nearest there is */
{
    sf_future *future = NULL;
    b.generation++;
    if (side == BENCH_SF) {
        BENCH_OK(sf_lazy_schedule(kernel_op(), NULL, &future));
        BENCH_OK(sf_future_on_ready(future, on_ready, b.word));
        sf_future_drop(future);
    } else {
        BENCH_OK(bench_launch_bare(b.ns, NULL) | cu.launch_host_func(b.ns, raise_flag, b.word));
    }
    spin_flag();
}
static void by_write_value(int side)
{
    b.generation++;
    if (side == BENCH_SF) {
        BENCH_OK((int)sf_launch(b.s, &bench_empty, NULL, 0) |
                 (int)sf_stream_write_value(b.s, b.word, 4, b.generation, 0));
    } else {
        BENCH_OK(bench_launch_bare(b.ns, NULL) | cu.write_value32(b.ns, (cu_ptr)(uintptr_t)b.word, b.generation, 0));
    }
    spin_flag();
}
static void by_host_func(int side)
{
    b.generation++;
    if (side == BENCH_SF) {
        BENCH_OK((int)sf_launch(b.s, &bench_empty, NULL, 0) | (int)sf_launch_host_func(b.s, raise_flag, b.word));
    } else {
        BENCH_OK(bench_launch_bare(b.ns, NULL) | cu.launch_host_func(b.ns, raise_flag, b.word));
    }
    spin_flag();
}
static void by_event_query(int side)
{
    if (side == BENCH_SF) {
        BENCH_OK((int)sf_launch(b.s, &bench_empty, NULL, 0) | (int)sf_event_record(b.event, b.s, 0));
        while (!ready((int)sf_event_query(b.event))) { bench_relax(); }
    } else {
        BENCH_OK(bench_launch_bare(b.ns, NULL) | cu.event_record(b.native_event, b.ns));
        while (!ready(cu.event_query(b.native_event))) { bench_relax(); }
    }
}
typedef struct completion { const char *name; void (*run)(int side); } completion;
static double completion_run(int side, void *self)
{
    int64_t start = bench_now(), end;
    ((const completion *)self)->run(side);
    end = bench_now();
    BENCH_OK(bench_sync(b.s));               /* the rest of it is not the next one's */
    return (double)(end - start);
}
static void completions(void)
{
    static completion all[] = {
        { "synchronize", by_synchronize },
        { "synchronize with a deadline", by_deadline },
        { "sync_on", by_sync_on },
        { "future_wait", by_future },
        { "future_poll", by_poll },
        { "on_ready", by_on_ready },
        { "write_value and spin", by_write_value },
        { "host function and spin", by_host_func },
        { "event query and spin", by_event_query },
    };
    bench_style tail = { .unit = "ns", .per = 1, .both = bench.cuda, .tail = true };
    if (!bench_wanted("completion")) { return; }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        (void)bench_compare("completion", all[i].name, 2001, tail, completion_run, &all[i]);
    }
}

/* -- futures: a window of them in flight -- */

typedef struct future_case {
    bool kernel;
    sf_policy *policy;
    sf_stream *stream[4];                    /* bare: round-robin by hand */
    sf_event *event[WINDOW];
    void *native_stream[4], *native_event[WINDOW];
} future_case;

static double futures_run(int side, void *self)
{
    future_case *x = self;
    sf_future *window[WINDOW] = { NULL };
    int total = bench.quick ? FUTURES / 8 : FUTURES;
    int64_t start = bench_now();
    for (int i = 0; i < total + WINDOW; i++) {
        int k = i % WINDOW;
        if (side == BENCH_BARE) {
            if (i >= WINDOW) { BENCH_OK(cu.event_synchronize(x->native_event[k])); }
            if (i >= total) { continue; }
            BENCH_OK(bench_launch_bare(x->native_stream[i % 4], NULL));
            BENCH_OK(cu.event_record(x->native_event[k], x->native_stream[i % 4]));
            continue;
        }
        if (i >= WINDOW) {
            BENCH_OK(sf_future_wait(window[k], SF_FOREVER));
            sf_future_drop(window[k]);
        }
        if (i >= total) { continue; }
        BENCH_OK(sf_lazy_schedule(x->kernel ? kernel_op() : value_op(), x->policy, &window[k]));
        (void)ready((int)sf_future_poll(window[k]));         /* submits */
    }
    return (double)(bench_now() - start) / total;
}
static void futures(void)
{
    static const struct { const char *name; sf_policy_kind kind; } policies[] = {
        { "round robin", SF_POLICY_ROUND_ROBIN }, { "single stream", SF_POLICY_SINGLE_STREAM },
        { "per thread", SF_POLICY_PER_THREAD },   { "least loaded", SF_POLICY_LEAST_LOADED },
        { "given", SF_POLICY_GIVEN },
    };
    future_case x = { .kernel = false };
    char param[64];
    if (!bench_wanted("future")) { return; }
    for (int i = 0; i < 4; i++) {
        x.stream[i] = bench_stream(bench.device);
        x.native_stream[i] = sf_stream_native(x.stream[i]);
    }
    for (int i = 0; i < WINDOW; i++) {
        x.event[i] = bench_event(bench.device);
        x.native_event[i] = sf_event_native(x.event[i]);
    }
    for (int kernel = 0; kernel < 2; kernel++) {
        x.kernel = kernel;
        for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
            sf_policy_desc desc = { .kind = policies[i].kind };
            double ns;
            if (desc.kind == SF_POLICY_GIVEN) { desc.given = b.s; }
            BENCH_OK(sf_policy_create(bench.device, &desc, &x.policy));
            snprintf(param, sizeof param, "%s %s", kernel ? "kernel" : "value", policies[i].name);
            ns = bench_compare("future", param, 51, style("ns", 1, kernel), futures_run, &x);
            bench_emit("streamflow", "future", param, "per_second", 1e9 / ns);
            BENCH_OK(sf_policy_destroy(x.policy));
        }
    }
    for (int i = 0; i < 4; i++) { BENCH_OK(sf_stream_destroy(x.stream[i])); }
    for (int i = 0; i < WINDOW; i++) { BENCH_OK(sf_event_destroy(x.event[i])); }
}

/* -- composing: built and run to the end, per stage or part -- */

static sf_result add_one(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)x;
    out->u64 = count ? in[0].u64 + 1 : 0;
    return SF_OK;
}
static double then_run(int side, void *self)
{
    static const sf_lazy_desc desc = { .name = "add one", .run = add_one };
    int64_t start = bench_now();
    sf_value out = { .u64 = 0 };
    sf_lazy *op = value_op();
    (void)side, (void)self;
    for (int i = 0; i < STAGES; i++) { op = sf_lazy_then(op, &desc); }
    BENCH_OK(sf_lazy_sync_on(op, b.s, SF_FOREVER, &out));
    if (out.u64 != 7 + STAGES) { bench_die("then", (int)out.u64); }
    return (double)(bench_now() - start) / STAGES;
}
static double zip_run(int side, void *self)
{
    int64_t start = bench_now();
    sf_lazy *parts[STAGES];
    (void)self;
    if (side == BENCH_SF) {
        for (int i = 0; i < STAGES; i++) { parts[i] = kernel_op(); }
        BENCH_OK(sf_lazy_sync_on(sf_lazy_zip(parts, STAGES), b.s, SF_FOREVER, NULL));
    } else {
        for (int i = 0; i < STAGES; i++) { BENCH_OK(bench_launch_bare(b.ns, NULL)); }
        BENCH_OK(cu.stream_synchronize(b.ns));
    }
    return (double)(bench_now() - start) / STAGES;
}

typedef struct replay { sf_lazy *op; void *native_exec; } replay;
static double replay_run(int side, void *self)
{
    const replay *x = self;
    int64_t start = bench_now();
    if (side == BENCH_SF) {
        BENCH_OK(sf_lazy_sync_on(sf_lazy_retain(x->op), b.s, SF_FOREVER, NULL));
    } else {
        BENCH_OK(cu.graph_launch(x->native_exec, b.ns));
        BENCH_OK(cu.stream_synchronize(b.ns));
    }
    return (double)(bench_now() - start) / NODES;
}
static void composing(void)
{
    char param[64];
    replay x = { NULL, NULL };
    void *graph;
    if (!bench_wanted("compose")) { return; }
    snprintf(param, sizeof param, "then stages=%d", STAGES);
    (void)bench_compare("compose", param, 501, style("ns", 1, false), then_run, NULL);
    snprintf(param, sizeof param, "zip kernels=%d", STAGES);
    (void)bench_compare("compose", param, 501, style("ns", 1, true), zip_run, NULL);
    x.op = sf_lazy_graph(sf_lazy_repeat(kernel_op(), NODES));
    if (bench.cuda) {
        BENCH_OK(cu.begin_capture(b.ns, CU_THREAD_LOCAL));
        for (int i = 0; i < NODES; i++) { BENCH_OK(bench_launch_bare(b.ns, NULL)); }
        BENCH_OK(cu.end_capture(b.ns, &graph));
        BENCH_OK(cu.graph_instantiate(&x.native_exec, graph, 0) | cu.graph_destroy(graph));
    }
    snprintf(param, sizeof param, "graph kernels=%d", NODES);
    (void)bench_compare("compose", param, 501, style("ns", 1, true), replay_run, &x);
    sf_lazy_drop(x.op);
    if (bench.cuda) { BENCH_OK(cu.graph_exec_destroy(x.native_exec)); }
}

/* -- a stencil's steps as barriers: `width` kernels side by side, joined, then the next step -- */

typedef struct cell_args { uint32_t *cells, *errors, column, step; } cell_args;
static int cell_host(const sf_slice *slice, const void *args)
{
    const cell_args *a = args;
    (void)slice;
    for (uint32_t c = 0; c < WIDTH; c++) {
        if (bench_load(&a->cells[c]) < a->step) { __atomic_fetch_add(a->errors, 1, __ATOMIC_RELAXED); }
    }
    bench_store(&a->cells[a->column], a->step + 1);
    return 0;
}
static const sf_kernel cell = { .name = "cell", .host = cell_host, .cuda = bench_launch_bare };

typedef struct stencil {
    sf_lazy *op;                             /* built before; NULL: built by each run */
    sf_stream *stream[WIDTH];
    sf_event *event[WIDTH];
    void *native_stream[WIDTH], *native_event[WIDTH], *native_exec;
    uint32_t cells[WIDTH], errors;
} stencil;

static sf_lazy *stencil_build(stencil *x)
{
    sf_lazy *steps[STEPS], *row[WIDTH];
    for (int step = 0; step < STEPS; step++) {
        for (int c = 0; c < WIDTH; c++) {
            cell_args args = { x->cells, &x->errors, (uint32_t)c, (uint32_t)step };
            row[c] = sf_lazy_kernel(bench.device, &cell, &args, sizeof args);
        }
        steps[step] = sf_lazy_par(row, WIDTH);
    }
    return sf_lazy_zip(steps, STEPS);
}
static int stencil_enqueue_bare(stencil *x)
{
    void **stream = x->native_stream, **event = x->native_event;
    int code = 0;
    for (int step = 0; step < STEPS; step++) {
        code |= cu.event_record(event[0], stream[0]);
        for (int c = 1; c < WIDTH; c++) { code |= cu.stream_wait_event(stream[c], event[0], 0); }
        for (int c = 0; c < WIDTH; c++) { code |= bench_launch_bare(stream[c], NULL); }
        for (int c = 1; c < WIDTH; c++) {
            code |= cu.event_record(event[c], stream[c]) | cu.stream_wait_event(stream[0], event[c], 0);
        }
    }
    return code;
}
static double stencil_run(int side, void *self)
{
    stencil *x = self;
    int64_t start;
    memset(x->cells, 0, sizeof x->cells);
    start = bench_now();
    if (side == BENCH_SF) {
        BENCH_OK(sf_lazy_sync_on(x->op ? sf_lazy_retain(x->op) : stencil_build(x), b.s, SF_FOREVER, NULL));
    } else {
        BENCH_OK(x->native_exec ? cu.graph_launch(x->native_exec, x->native_stream[0]) : stencil_enqueue_bare(x));
        BENCH_OK(cu.stream_synchronize(x->native_stream[0]));
    }
    return (double)(bench_now() - start) / (WIDTH * STEPS);
}
static void stencils(void)
{
    stencil x = { .op = NULL };
    void *graph;
    if (!bench_wanted("stencil")) { return; }
    for (int c = 0; c < WIDTH; c++) {
        x.stream[c] = bench_stream(bench.device);
        x.event[c] = bench_event(bench.device);
        x.native_stream[c] = sf_stream_native(x.stream[c]);
        x.native_event[c] = sf_event_native(x.event[c]);
    }
    (void)bench_compare("stencil", "zip of par built each time", 51, style("us", 1000, true), stencil_run, &x);
    x.op = stencil_build(&x);
    (void)bench_compare("stencil", "zip of par", 51, style("us", 1000, true), stencil_run, &x);
    x.op = sf_lazy_graph(x.op);
    if (bench.cuda) {
        BENCH_OK(cu.begin_capture(x.native_stream[0], CU_THREAD_LOCAL));
        BENCH_OK(stencil_enqueue_bare(&x));
        BENCH_OK(cu.end_capture(x.native_stream[0], &graph));
        BENCH_OK(cu.graph_instantiate(&x.native_exec, graph, 0) | cu.graph_destroy(graph));
    }
    (void)bench_compare("stencil", "zip of par in a graph", 51, style("us", 1000, true), stencil_run, &x);
    sf_lazy_drop(x.op);
    if (bench.cuda) { BENCH_OK(cu.graph_exec_destroy(x.native_exec)); }
    for (int c = 0; c < WIDTH; c++) {
        BENCH_OK(sf_stream_destroy(x.stream[c]));
        BENCH_OK(sf_event_destroy(x.event[c]));
    }
    if (x.errors) { bench_die("stencil: tasks out of order", (int)x.errors); }
}

int main(int argc, char **argv)
{
    bench_arguments(argc, argv);
    bench_open(1);
    b.s = bench_stream(bench.device);
    b.event = bench_event(bench.device);
    b.ns = sf_stream_native(b.s);
    b.native_event = sf_event_native(b.event);
    b.word = bench_memory(bench.device, 64, SF_MEMORY_PINNED);
    completions();
    futures();
    composing();
    stencils();
    BENCH_OK(sf_device_close(bench.device, SF_FOREVER));
    return 0;
}
