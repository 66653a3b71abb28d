/*  stream_bench.c - what the stream layer costs: call by call, in stencils, hops and graphs. See bench.h for options
    and output. On CUDA the bare side makes the driver's call; on the host backend there is none, but for round_trip
    and scaling, where it is pthreads.

    queued: the stream is held meanwhile (on the host by a worker that spins in a kernel), so that enqueueing alone is
    timed. running: what is enqueued is executed at the same time. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include "bench.h"

enum { BYTES = 65536, BLOCK = 64, WIDTH = 8, STEPS = 100, HOPS = 200 };

static struct {
    sf_stream *s, *t;
    sf_event *event, *timed;
    void *ns, *nt, *native_event, *native_timed;             /* the driver's handles of these */
    uint8_t *memory, *pinned;
    uint32_t *word, *gate, *entered, generation;
    uint64_t calls;
    sf_function *function;
} b;

static cu_ptr address(const void *p) { return (cu_ptr)(uintptr_t)p; }
static bench_style style(const char *unit, double per)
{
    return (bench_style){ .unit = unit, .per = per, .both = bench.cuda };
}

/* -- a gate: what is enqueued behind it waits, and on the host a worker is awake when it opens -- */

typedef struct hold_args { uint32_t *entered, *gate; uint32_t generation; } hold_args;
static int hold_host(const sf_slice *slice, const void *args)
{
    const hold_args *a = args;
    (void)slice;
    bench_store(a->entered, a->generation);
    return bench_spin(a->gate, a->generation) ? 0 : 719;
}
static const sf_kernel hold = { .name = "hold", .host = hold_host };

static void gate_close(sf_stream *s)
{
    hold_args args = { b.entered, b.gate, ++b.generation };
    if (bench.cuda) {
        BENCH_OK(sf_stream_wait_value(s, b.gate, 4, b.generation, SF_WAIT_VALUE_GEQ));
    } else {
        BENCH_OK(sf_launch(s, &hold, &args, sizeof args));
        if (!bench_spin(b.entered, b.generation)) { bench_die("no worker", 0); }
    }
}
static void gate_open(void) { bench_store(b.gate, b.generation); }

enum { QUEUED, RUNNING };
static const char *const modes[] = { "queued", "running" };
static void before(int mode)
{
    if (mode == QUEUED || !bench.cuda) { gate_close(b.s); }
    if (mode == RUNNING) { gate_open(); }
}
static void after(void)
{
    gate_open();
    BENCH_OK(bench_sync(b.s));
    BENCH_OK(bench_sync(b.t));
}

/* -- call by call -- */

static void idle_calls(void)
{
    sf_capture_status status;
    int native_status;
    BENCH_OK(sf_event_record(b.event, b.s, 0));
    BENCH_OK(bench_sync(b.s));
    BENCH_CALLS("stream_query", "idle", BLOCK, (void)0, sf_stream_query(b.s), cu.stream_query(b.ns), (void)0);
    BENCH_CALLS("stream_synchronize", "idle", BLOCK, (void)0, sf_stream_synchronize(b.s, SF_FOREVER),
                cu.stream_synchronize(b.ns), (void)0);
    BENCH_CALLS("stream_synchronize", "idle with a deadline", BLOCK, (void)0, sf_stream_synchronize(b.s, SF_MS(1000)),
                cu.stream_synchronize(b.ns), (void)0);
    BENCH_CALLS("event_query", "done", BLOCK, (void)0, sf_event_query(b.event), cu.event_query(b.native_event),
                (void)0);
    BENCH_CALLS("is_capturing", "no", BLOCK, (void)0, sf_stream_is_capturing(b.s, &status),
                cu.is_capturing(b.ns, &native_status), (void)0);
}

static void before_wait(int mode)
{
    before(mode);
    BENCH_OK(sf_event_record(b.event, b.s, 0));
    if (mode == RUNNING) { BENCH_OK(bench_sync(b.s)); }
}
static void event_calls(int mode)
{
    char param[64];
    snprintf(param, sizeof param, "%s timing=0", modes[mode]);
    BENCH_CALLS("event_record", param, BLOCK, before(mode), sf_event_record(b.event, b.s, 0),
                cu.event_record(b.native_event, b.ns), after());
    snprintf(param, sizeof param, "%s timing=1", modes[mode]);
    BENCH_CALLS("event_record", param, BLOCK, before(mode), sf_event_record(b.timed, b.s, 0),
                cu.event_record(b.native_timed, b.ns), after());
    BENCH_CALLS("wait_event", mode == QUEUED ? "pending" : "done", BLOCK, before_wait(mode),
                sf_stream_wait_event(b.t, b.event, 0), cu.stream_wait_event(b.nt, b.native_event, 0), after());
}

/* Kernels: `empty` is launched by the driver on both sides, `runtime` by <<<>>>. */
static int args_host(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 0; }
static const sf_kernel runtime = {
    .name = "empty", .host = bench_empty_host, .cuda = SF_CUDA_BODY(bench_empty_cuda),
};
static const sf_kernel runtime_args = { .name = "args", .host = args_host, .cuda = SF_CUDA_BODY(bench_args_cuda) };

static void launch_calls(int mode)
{
    bench_args args = { .word = { 1 } };
    static uint8_t large[SF_MAX_ARGS];
    char param[64];
    snprintf(param, sizeof param, "%s args=0", modes[mode]);
    BENCH_CALLS("launch", param, BLOCK, before(mode), sf_launch(b.s, &bench_empty, NULL, 0),
                bench_launch_bare(b.ns, NULL), after());
    if (!bench.cuda) {
        snprintf(param, sizeof param, "%s args=64", modes[mode]);
        BENCH_CALLS("launch", param, BLOCK, before(mode), sf_launch(b.s, &runtime_args, &args, sizeof args), 0,
                    after());
        snprintf(param, sizeof param, "%s args=4096", modes[mode]);
        BENCH_CALLS("launch", param, BLOCK, before(mode), sf_launch(b.s, &runtime_args, large, sizeof large), 0,
                    after());
        return;
    }
    snprintf(param, sizeof param, "%s args=0", modes[mode]);
    BENCH_CALLS("launch_kernel", param, BLOCK, before(mode), sf_launch_kernel(b.s, b.function, &(sf_grid){ 0 }, NULL),
                bench_launch_bare(b.ns, NULL), after());
#ifdef SF_WITH_CUDA_BODIES
    BENCH_CALLS("launch_runtime", param, BLOCK, before(mode), sf_launch(b.s, &runtime, NULL, 0),
                bench_empty_cuda(b.ns, NULL), after());
    snprintf(param, sizeof param, "%s args=64", modes[mode]);
    BENCH_CALLS("launch_runtime", param, BLOCK, before(mode), sf_launch(b.s, &runtime_args, &args, sizeof args),
                bench_args_cuda(b.ns, &args), after());
#else
    (void)runtime;
#endif
}

static void count(void *user) { ++*(uint64_t *)user; }
static void memory_calls(int mode)
{
    char param[64];
    snprintf(param, sizeof param, "%s bytes=64", modes[mode]);
    BENCH_CALLS("memset_async", param, BLOCK, before(mode), sf_memset_async(b.s, b.memory, 1, 64),
                cu.memset(address(b.memory), 1, 64, b.ns), after());
    BENCH_CALLS("memcpy_async", param, BLOCK, before(mode), sf_memcpy_async(b.s, b.memory, b.memory + 4096, 64),
                cu.memcpy(address(b.memory), address(b.memory + 4096), 64, b.ns), after());
    snprintf(param, sizeof param, "%s bytes=4096 from pinned", modes[mode]);
    BENCH_CALLS("memcpy_async", param, BLOCK, before(mode), sf_memcpy_async(b.s, b.memory, b.pinned, 4096),
                cu.memcpy(address(b.memory), address(b.pinned), 4096, b.ns), after());
    BENCH_CALLS("launch_host_func", modes[mode], BLOCK, before(mode), sf_launch_host_func(b.s, count, &b.calls),
                cu.launch_host_func(b.ns, count, &b.calls), after());
    BENCH_CALLS("write_value32", modes[mode], BLOCK, before(mode), sf_stream_write_value(b.s, b.word, 4, 1, 0),
                cu.write_value32(b.ns, address(b.word), 1, 0), after());
}

static int create_destroy_stream(void)
{
    sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING };
    sf_stream *s;
    int code = sf_stream_create(bench.device, &desc, &s);
    return code ? code : (int)sf_stream_destroy(s);
}
static int create_destroy_stream_bare(void)
{
    void *s;
    int code = cu.stream_create(&s, CU_NON_BLOCKING, 0);
    return code ? code : cu.stream_destroy(s);
}
static int create_destroy_event(void)
{
    sf_event *e;
    int code = sf_event_create(bench.device, SF_EVENT_DISABLE_TIMING, &e);
    return code ? code : (int)sf_event_destroy(e);
}
static int create_destroy_event_bare(void)
{
    void *e;
    int code = cu.event_create(&e, CU_DISABLE_TIMING);
    return code ? code : cu.event_destroy(e);
}
static int alloc_free(void)
{
    void *p;
    int code = sf_mem_alloc_async(b.s, NULL, BYTES, &p);
    return code ? code : (int)sf_mem_free_async(b.s, p);
}
static int alloc_free_bare(void)
{
    cu_ptr p;
    int code = cu.alloc(&p, BYTES, b.ns);
    return code ? code : cu.free(p, b.ns);
}
static int fork_join(void)
{
    sf_stream *child;
    int code = sf_stream_fork(b.s, &child);
    return code ? code : (int)sf_stream_join(b.s, child);
}
static int fork_join_bare(void)                              /* with a stream and events that are there already */
{
    return cu.event_record(b.native_event, b.ns) | cu.stream_wait_event(b.nt, b.native_event, 0) |
           cu.event_record(b.native_timed, b.nt) | cu.stream_wait_event(b.ns, b.native_timed, 0);
}
static void object_calls(void)
{
    BENCH_CALLS("stream_create_destroy", "-", 8, (void)0, create_destroy_stream(), create_destroy_stream_bare(),
                (void)0);
    BENCH_CALLS("event_create_destroy", "-", BLOCK, (void)0, create_destroy_event(), create_destroy_event_bare(),
                (void)0);
    BENCH_CALLS("mem_alloc_free_async", "bytes=65536", 16, (void)0, alloc_free(), alloc_free_bare(), after());
    BENCH_CALLS("fork_join", "-", 16, before(RUNNING), fork_join(), fork_join_bare(), after());
}

/* -- capture and graphs -- */

static int begin_end(void)
{
    sf_graph *graph = NULL;
    return (int)sf_stream_begin_capture(b.s, SF_CAPTURE_THREAD_LOCAL) | (int)sf_stream_end_capture(b.s, &graph) |
           (int)sf_graph_destroy(graph);
}
static int begin_end_bare(void)
{
    void *graph = NULL;
    return cu.begin_capture(b.ns, CU_THREAD_LOCAL) | cu.end_capture(b.ns, &graph) | cu.graph_destroy(graph);
}
static void begin_capture(int side)
{
    if (side == BENCH_SF) {
        BENCH_OK(sf_stream_begin_capture(b.s, SF_CAPTURE_THREAD_LOCAL));
    } else {
        BENCH_OK(cu.begin_capture(b.ns, CU_THREAD_LOCAL));
    }
}
static void drop_capture(int side)
{
    sf_graph *graph = NULL;
    void *native = NULL;
    if (side == BENCH_SF) {
        BENCH_OK(sf_stream_end_capture(b.s, &graph));
        BENCH_OK(sf_graph_destroy(graph));
    } else {
        BENCH_OK(cu.end_capture(b.ns, &native));
        BENCH_OK(cu.graph_destroy(native));
    }
}

/* A graph of empty kernels, and the executable that both sides launch: one after the other, or all but two side by
   side between a first and a last one. */
typedef struct graph_case {
    int nodes, launches;                     /* per sample */
    bool fan;
    sf_graph *graph;
    sf_graph_exec *exec;
    void *native, *native_exec;
} graph_case;
enum { MAX_NODES = 1024 };

static void graph_build(graph_case *g)
{
    static sf_dependency after[MAX_NODES];
    sf_node_desc desc = { .type = SF_NODE_KERNEL, .kernel.func = &bench_empty };
    BENCH_OK(sf_graph_create(bench.device, &g->graph));
    if (bench.cuda) { desc.kernel.func = NULL, desc.function.func = b.function; }
    for (int i = 0; i < g->nodes; i++) {
        bool join = g->fan && i == g->nodes - 1;
        int count = i == 0 ? 0 : join ? i - 1 : 1;
        BENCH_OK(sf_graph_add_node(g->graph, !i ? NULL : join ? after + 1 : g->fan ? after : after + i - 1, count,
                                   &desc, &after[i].node));
    }
    BENCH_OK(sf_graph_instantiate(g->graph, 0, &g->exec));
}
static void graph_build_bare(graph_case *g)
{
    static void *after[MAX_NODES];
    cu_kernel_node desc = { .func = cu.function, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    BENCH_OK(cu.graph_create(&g->native, 0));
    for (int i = 0; i < g->nodes; i++) {
        bool join = g->fan && i == g->nodes - 1;
        size_t count = i == 0 ? 0 : join ? (size_t)i - 1 : 1;
        BENCH_OK(cu.graph_add_kernel(&after[i], g->native, join ? after + 1 : g->fan ? after : after + i - (i > 0),
                                     count, &desc));
    }
    BENCH_OK(cu.graph_instantiate(&g->native_exec, g->native, 0));
}
static graph_case graph_open(int nodes, bool fan)
{
    graph_case g = { .nodes = nodes, .fan = fan, .launches = nodes < 64 ? 32 : 2048 / nodes };
    graph_build(&g);
    if (bench.cuda) { graph_build_bare(&g); }
    return g;
}
static void graph_close(graph_case *g)
{
    BENCH_OK(sf_graph_exec_destroy(g->exec));
    BENCH_OK(sf_graph_destroy(g->graph));
    if (bench.cuda) { BENCH_OK(cu.graph_exec_destroy(g->native_exec) | cu.graph_destroy(g->native)); }
}
static double graph_run(int side, void *self)
{
    const graph_case *g = self;
    int64_t start = bench_now();
    for (int i = 0; i < g->launches; i++) {
        BENCH_OK(side == BENCH_SF ? (int)sf_graph_launch(g->exec, b.s) : cu.graph_launch(g->native_exec, b.ns));
    }
    BENCH_OK(side == BENCH_SF ? bench_sync(b.s) : cu.stream_synchronize(b.ns));
    return (double)(bench_now() - start) / g->launches;
}
static int instantiate(const graph_case *g)
{
    sf_graph_exec *exec = NULL;
    return (int)sf_graph_instantiate(g->graph, 0, &exec) | (int)sf_graph_exec_destroy(exec);
}
static int instantiate_bare(const graph_case *g)
{
    void *exec = NULL;
    return cu.graph_instantiate(&exec, g->native, 0) | cu.graph_exec_destroy(exec);
}

static void capture_calls(void)
{
    BENCH_CALLS("begin_end_capture", "empty", 16, (void)0, begin_end(), begin_end_bare(), (void)0);
    BENCH_CALLS("launch_captured", "nodes=64", BLOCK, begin_capture(side_), sf_launch(b.s, &bench_empty, NULL, 0),
                bench_launch_bare(b.ns, NULL), drop_capture(side_));
}
static void graph_calls(int nodes)
{
    char param[64];
    graph_case g;
    if (!bench_wanted("graph_launch") && !bench_wanted("graph_instantiate_destroy")) { return; }
    g = graph_open(nodes, false);
    for (int mode = QUEUED; mode <= RUNNING; mode++) {
        snprintf(param, sizeof param, "%s nodes=%d", modes[mode], nodes);
        BENCH_CALLS("graph_launch", param, 8, before(mode), sf_graph_launch(g.exec, b.s),
                    cu.graph_launch(g.native_exec, b.ns), after());
    }
    snprintf(param, sizeof param, "nodes=%d", nodes);
    BENCH_CALLS("graph_instantiate_destroy", param, 4, (void)0, instantiate(&g), instantiate_bare(&g), (void)0);
    graph_close(&g);
}
/* From the first launch until all are done, per launch. */
static void graphs(void)
{
    static const int nodes[] = { 1, 4, 16, 64, 256, 1024 };
    if (!bench_wanted("graph")) { return; }
    for (int fan = 0; fan < 2; fan++) {
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
            graph_case g = graph_open(nodes[i], fan);
            char param[64];
            snprintf(param, sizeof param, "%s nodes=%d", fan ? "fan" : "chain", nodes[i]);
            (void)bench_compare("graph", param, 101, style("ns", 1), graph_run, &g);
            graph_close(&g);
        }
    }
}

/* -- a stencil: each task follows its own column and both neighbours of the step before -- */

typedef struct cell_args { uint32_t *cells, *errors, column, step; } cell_args;
static int cell_host(const sf_slice *slice, const void *args)
{
    const cell_args *a = args;
    uint32_t left = a->column ? a->column - 1 : 0, right = a->column < WIDTH - 1 ? a->column + 1 : a->column;
    (void)slice;
    if (bench_load(&a->cells[left]) < a->step || bench_load(&a->cells[right]) < a->step) {
        __atomic_fetch_add(a->errors, 1, __ATOMIC_RELAXED);
    }
    bench_store(&a->cells[a->column], a->step + 1);
    return 0;
}
static const sf_kernel cell = { .name = "cell", .host = cell_host, .cuda = bench_launch_bare };

typedef struct stencil {
    sf_stream *stream[WIDTH];
    sf_event *event[2][WIDTH], *forked;
    void *native_stream[WIDTH], *native_event[2][WIDTH], *native_forked;
    sf_graph_exec *exec;
    void *native_exec;
    uint32_t cells[WIDTH], errors;
} stencil;

static void stencil_open(stencil *x)
{
    *x = (stencil){ .forked = bench_event(bench.device) };
    x->native_forked = sf_event_native(x->forked);
    for (int c = 0; c < WIDTH; c++) {
        x->stream[c] = bench_stream(bench.device);
        x->native_stream[c] = sf_stream_native(x->stream[c]);
        for (int k = 0; k < 2; k++) {
            x->event[k][c] = bench_event(bench.device);
            x->native_event[k][c] = sf_event_native(x->event[k][c]);
        }
    }
}
static void stencil_close(stencil *x)
{
    for (int c = 0; c < WIDTH; c++) {
        BENCH_OK(sf_stream_destroy(x->stream[c]));
        for (int k = 0; k < 2; k++) { BENCH_OK(sf_event_destroy(x->event[k][c])); }
    }
    BENCH_OK(sf_event_destroy(x->forked));
    if (x->errors) { bench_die("stencil: tasks out of order", (int)x->errors); }
}
/* All columns start after what stream 0 holds, and stream 0 goes on after all of them. */
static int stencil_enqueue(stencil *x)
{
    int code = sf_event_record(x->forked, x->stream[0], 0);
    for (int c = 1; c < WIDTH; c++) { code |= (int)sf_stream_wait_event(x->stream[c], x->forked, 0); }
    for (int step = 0; step < STEPS; step++) {
        for (int c = 0; c < WIDTH; c++) {
            cell_args args = { x->cells, &x->errors, (uint32_t)c, (uint32_t)step };
            sf_event **last = x->event[~step & 1];
            if (step && c) { code |= (int)sf_stream_wait_event(x->stream[c], last[c - 1], 0); }
            if (step && c < WIDTH - 1) { code |= (int)sf_stream_wait_event(x->stream[c], last[c + 1], 0); }
            code |= (int)sf_launch(x->stream[c], &cell, &args, sizeof args);
            code |= (int)sf_event_record(x->event[step & 1][c], x->stream[c], 0);
        }
    }
    for (int c = 1; c < WIDTH; c++) {
        code |= (int)sf_stream_wait_event(x->stream[0], x->event[(STEPS - 1) & 1][c], 0);
    }
    return code;
}
static int stencil_enqueue_bare(stencil *x)
{
    int code = cu.event_record(x->native_forked, x->native_stream[0]);
    for (int c = 1; c < WIDTH; c++) { code |= cu.stream_wait_event(x->native_stream[c], x->native_forked, 0); }
    for (int step = 0; step < STEPS; step++) {
        for (int c = 0; c < WIDTH; c++) {
            void **last = x->native_event[~step & 1];
            if (step && c) { code |= cu.stream_wait_event(x->native_stream[c], last[c - 1], 0); }
            if (step && c < WIDTH - 1) { code |= cu.stream_wait_event(x->native_stream[c], last[c + 1], 0); }
            code |= bench_launch_bare(x->native_stream[c], NULL);
            code |= cu.event_record(x->native_event[step & 1][c], x->native_stream[c]);
        }
    }
    for (int c = 1; c < WIDTH; c++) {
        code |= cu.stream_wait_event(x->native_stream[0], x->native_event[(STEPS - 1) & 1][c], 0);
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
        BENCH_OK(x->exec ? (int)sf_graph_launch(x->exec, x->stream[0]) : stencil_enqueue(x));
        BENCH_OK(bench_sync(x->stream[0]));
    } else {
        BENCH_OK(x->native_exec ? cu.graph_launch(x->native_exec, x->native_stream[0]) : stencil_enqueue_bare(x));
        BENCH_OK(cu.stream_synchronize(x->native_stream[0]));
    }
    return (double)(bench_now() - start) / (WIDTH * STEPS);
}
static void stencils(void)
{
    stencil x;
    sf_graph *graph;
    void *native;
    if (!bench_wanted("stencil")) { return; }
    stencil_open(&x);
    (void)bench_compare("stencil", "record and wait", 101, style("us", 1000), stencil_run, &x);
    BENCH_OK(sf_stream_begin_capture(x.stream[0], SF_CAPTURE_THREAD_LOCAL));
    BENCH_OK(stencil_enqueue(&x));
    BENCH_OK(sf_stream_end_capture(x.stream[0], &graph));
    BENCH_OK(sf_graph_instantiate(graph, 0, &x.exec));
    BENCH_OK(sf_graph_destroy(graph));
    if (bench.cuda) {
        BENCH_OK(cu.begin_capture(x.native_stream[0], CU_THREAD_LOCAL));
        BENCH_OK(stencil_enqueue_bare(&x));
        BENCH_OK(cu.end_capture(x.native_stream[0], &native));
        BENCH_OK(cu.graph_instantiate(&x.native_exec, native, 0) | cu.graph_destroy(native));
    }
    (void)bench_compare("stencil", "captured", 101, style("us", 1000), stencil_run, &x);
    BENCH_OK(sf_graph_exec_destroy(x.exec));
    if (bench.cuda) { BENCH_OK(cu.graph_exec_destroy(x.native_exec)); }
    stencil_close(&x);
}

/* -- hops: kernels that follow each other, on one stream or from stream to stream by an event -- */

typedef struct stamp_args { int64_t *at; } stamp_args;
static int stamp_host(const sf_slice *slice, const void *args)
{
    (void)slice;
    __atomic_store_n(((const stamp_args *)args)->at, bench_now(), __ATOMIC_RELEASE);
    return 0;
}
static const sf_kernel stamp = { .name = "stamp", .host = stamp_host, .cuda = bench_launch_bare };

typedef struct hop_case {
    bool two, waiter;                        /* a thread that waits in sf_stream_synchronize() meanwhile */
    sf_stream *stream[2];
    sf_event *event;
    void *native_stream[2], *native_event;
} hop_case;

/* On the host from the first kernel's clock to the last one's; on CUDA from the gate to the end of the wait. */
static double hop_run(int side, void *self)
{
    hop_case *h = self;
    int64_t first = 0, last = 0;
    stamp_args begin = { &first }, end = { &last };
    int at = 0, code = 0;
    gate_close(h->stream[0]);
    for (int i = 0; i <= HOPS; i++) {
        const stamp_args *args = i < HOPS ? &begin : &end;
        const sf_kernel *kernel = i == 0 || i == HOPS ? &stamp : &bench_empty;
        if (side == BENCH_SF) {
            code |= (int)sf_launch(h->stream[at], kernel, args, sizeof *args);
        } else {
            code |= bench_launch_bare(h->native_stream[at], NULL);
        }
        if (!h->two || i == HOPS) { continue; }
        if (side == BENCH_SF) {
            code |= (int)sf_event_record(h->event, h->stream[at], 0) |
                    (int)sf_stream_wait_event(h->stream[!at], h->event, 0);
        } else {
            code |= cu.event_record(h->native_event, h->native_stream[at]) |
                    cu.stream_wait_event(h->native_stream[!at], h->native_event, 0);
        }
        at = !at;
    }
    BENCH_OK(code);
    if (bench.cuda) { first = bench_now(); }
    gate_open();
    while (!bench.cuda && !h->waiter && !__atomic_load_n(&last, __ATOMIC_ACQUIRE)) { bench_relax(); }
    BENCH_OK(side == BENCH_SF ? bench_sync(h->stream[at]) : cu.stream_synchronize(h->native_stream[at]));
    if (bench.cuda) { last = bench_now(); }
    BENCH_OK(bench_sync(h->stream[0]) | bench_sync(h->stream[1]));
    return (double)(last - first) / HOPS;
}
static void hops(void)
{
    if (!bench_wanted("hop")) { return; }
    for (int workers = 1; workers <= (bench.cuda ? 1 : 2); workers++) {
        sf_device *device = bench_open(workers);
        hop_case h = { .stream = { bench_stream(device), bench_stream(device) }, .event = bench_event(device) };
        char param[64];
        for (int k = 0; k < 2; k++) { h.native_stream[k] = sf_stream_native(h.stream[k]); }
        h.native_event = sf_event_native(h.event);
        for (int kind = 0; kind < (bench.cuda ? 2 : 4); kind++) {
            h.two = kind & 1;
            h.waiter = kind & 2;
            snprintf(param, sizeof param, "%s workers=%d%s", h.two ? "two streams" : "one stream", workers,
                     h.waiter ? " and a waiter" : "");
            (void)bench_compare("hop", param, 101, style("ns", 1), hop_run, &h);
        }
        BENCH_OK(sf_device_close(device, SF_FOREVER));
    }
}

/* -- there and back: an empty kernel and a wait for it, from rest -- */

static struct echo {                         /* the host's bare side: a thread that answers */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    uint32_t asked, answered;
    bool quit;
} echo = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER };
static void *echo_thread(void *arg)
{
    pthread_mutex_lock(&echo.lock);
    while (!echo.quit) {
        if (echo.answered != echo.asked) {
            echo.answered = echo.asked;
            pthread_cond_signal(&echo.done);
        } else {
            pthread_cond_wait(&echo.wake, &echo.lock);
        }
    }
    pthread_mutex_unlock(&echo.lock);
    return arg;
}
static void echo_ask(bool quit)
{
    pthread_mutex_lock(&echo.lock);
    echo.asked++;
    echo.quit = quit;
    pthread_cond_signal(&echo.wake);
    while (!quit && echo.answered != echo.asked) { pthread_cond_wait(&echo.done, &echo.lock); }
    pthread_mutex_unlock(&echo.lock);
}
static double round_trip_run(int side, void *self)
{
    int64_t start = bench_now();
    (void)self;
    if (side == BENCH_SF) {
        BENCH_OK(sf_launch(b.s, &bench_empty, NULL, 0));
        BENCH_OK(bench_sync(b.s));
    } else if (bench.cuda) {
        BENCH_OK(bench_launch_bare(b.ns, NULL));
        BENCH_OK(cu.stream_synchronize(b.ns));
    } else {
        echo_ask(false);
    }
    return (double)(bench_now() - start);
}
static void round_trip(void)
{
    bench_style both = { .unit = "ns", .per = 1, .both = true, .tail = true };
    pthread_t thread;
    if (!bench_wanted("round_trip")) { return; }
    if (!bench.cuda) { BENCH_OK(pthread_create(&thread, NULL, echo_thread, NULL)); }
    (void)bench_compare("round_trip", bench.cuda ? "cuStreamSynchronize" : "condition variables", 2001, both,
                        round_trip_run, NULL);
    if (!bench.cuda) {
        echo_ask(true);
        BENCH_OK(pthread_join(thread, NULL));
    }
}

/* -- scaling: the same work on one worker and on more -- */

enum { WORK = 6400000, MAX_WORKERS = 64, MAX_STREAMS = 16 };
typedef struct lcg_args { uint64_t *sum; uint32_t steps; } lcg_args;
static uint64_t lcg(uint64_t x, uint32_t steps)
{
    while (steps--) { x = x * 6364136223846793005u + 1442695040888963407u; }
    return x;
}
static int lcg_host(const sf_slice *slice, const void *args)
{
    const lcg_args *a = args;
    __atomic_fetch_xor(a->sum, lcg((uint64_t)slice->index, a->steps), __ATOMIC_RELAXED);
    return 0;
}
static const sf_kernel lcg_kernel = { .name = "lcg", .host = lcg_host };
static const sf_kernel lcg_slices = { .name = "lcg in slices", .host = lcg_host, .slices = 64 };

typedef struct scaling {
    int workers;                             /* of side 0; side 1 has one */
    uint32_t steps;
    bool slices, threads;
    sf_stream *stream[2][MAX_STREAMS];
    uint64_t sum;
} scaling;
static void *lcg_thread(void *arg)           /* bare: its share in one loop */
{
    scaling *x = arg;
    uint32_t tasks = WORK / x->steps / (uint32_t)x->workers;
    for (uint32_t i = 0; i < tasks; i++) { __atomic_fetch_xor(&x->sum, lcg(0, x->steps), __ATOMIC_RELAXED); }
    return NULL;
}
static double scaling_run(int side, void *self)
{
    scaling *x = self;
    lcg_args args = { &x->sum, x->steps };
    uint32_t tasks = WORK / x->steps;
    int64_t start = bench_now();
    if (x->threads) {
        pthread_t threads[MAX_WORKERS];
        scaling mine = *x;
        int n = side == 0 ? x->workers : 1;
        mine.workers = n;
        for (int i = 0; i < n; i++) { BENCH_OK(pthread_create(&threads[i], NULL, lcg_thread, &mine)); }
        for (int i = 0; i < n; i++) { BENCH_OK(pthread_join(threads[i], NULL)); }
        return (double)(bench_now() - start);
    }
    for (uint32_t i = 0; i < tasks; i += x->slices ? 64 : 1) {
        sf_stream *stream = x->stream[side][x->slices ? 0 : i % MAX_STREAMS];
        BENCH_OK(sf_launch(stream, x->slices ? &lcg_slices : &lcg_kernel, &args, sizeof args));
    }
    for (int i = 0; i < MAX_STREAMS; i++) { BENCH_OK(bench_sync(x->stream[side][i])); }
    return (double)(bench_now() - start);
}
static void scaling_case(scaling *x, const char *peer, const char *kind)
{
    char param[64];
    int rounds = bench_rounds(31);
    double speedup[BENCH_ROUNDS];
    for (int r = -1; r < rounds; r++) {
        for (int side = 0; side < 2; side++) { bench.ns[side][r < 0 ? 0 : r] = scaling_run(side, x); }
    }
    for (int r = 0; r < rounds; r++) { speedup[r] = bench.ns[1][r] / bench.ns[0][r]; }
    bench_sort(speedup, rounds);
    for (int side = 0; side < 2; side++) { bench_sort(bench.ns[side], rounds); }
    snprintf(param, sizeof param, "%s workers=%d steps=%u", kind, x->workers, (unsigned)x->steps);
    bench_emit(peer, "scaling", param, "ns_one_worker", bench_median(bench.ns[1], rounds));
    bench_emit(peer, "scaling", param, "ns_median", bench_median(bench.ns[0], rounds));
    bench_emit(peer, "scaling", param, "speedup", bench_median(speedup, rounds));
}
static void scalings(void)
{
    static const uint32_t steps[] = { 1000, 10000, 100000 };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    sf_device *alone;
    if (bench.cuda || !bench_wanted("scaling")) { return; }
    alone = bench_open(1);
    for (int workers = 2; workers <= cores && workers <= MAX_WORKERS; workers *= 2) {
        sf_device *device = bench_open(workers);
        scaling x = { .workers = workers };
        for (int i = 0; i < MAX_STREAMS; i++) {
            x.stream[0][i] = bench_stream(device);
            x.stream[1][i] = bench_stream(alone);
        }
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            x.steps = steps[i];
            x.threads = x.slices = false;
            scaling_case(&x, "streamflow", "16 streams");
            x.slices = true;
            scaling_case(&x, "streamflow", "64 slices");
            x.threads = true;
            scaling_case(&x, "bare", "threads");
        }
        for (int i = 0; i < MAX_STREAMS; i++) { BENCH_OK(sf_stream_destroy(x.stream[1][i])); }
        BENCH_OK(sf_device_close(device, SF_FOREVER));
    }
    BENCH_OK(sf_device_close(alone, SF_FOREVER));
}

/* -- all of it -- */

static void open_all(void)
{
    sf_device *device = bench_open(1);
    sf_module *module;
    b.s = bench_stream(device);
    b.t = bench_stream(device);
    b.event = bench_event(device);
    BENCH_OK(sf_event_create(device, SF_EVENT_DEFAULT, &b.timed));
    b.ns = sf_stream_native(b.s);
    b.nt = sf_stream_native(b.t);
    b.native_event = sf_event_native(b.event);
    b.native_timed = sf_event_native(b.timed);
    b.memory = bench_memory(device, BYTES, SF_MEMORY_DEVICE);
    b.pinned = bench_memory(device, BYTES, SF_MEMORY_PINNED);
    b.word = bench_memory(device, 256, SF_MEMORY_PINNED);
    b.gate = b.word + 16;                    /* each in a cache line of its own */
    b.entered = b.word + 32;
    if (bench.cuda) {
        BENCH_OK(sf_module_load(device, bench_ptx, sizeof bench_ptx, 0, &module));
        BENCH_OK(sf_module_get_function(module, "bench_empty", &b.function));
        BENCH_OK(sf_function_preload(b.function));
        BENCH_OK(bench_launch_bare(b.ns, NULL));             /* loaded now: behind a gate that might never end */
#ifdef SF_WITH_CUDA_BODIES
        BENCH_OK(bench_empty_cuda(b.ns, NULL) | bench_args_cuda(b.ns, &(bench_args){ 0 }));
#endif
        BENCH_OK(bench_sync(b.s));
    }
}

int main(int argc, char **argv)
{
    bench_arguments(argc, argv);
    open_all();
    idle_calls();
    for (int mode = QUEUED; mode <= RUNNING; mode++) {
        event_calls(mode);
        launch_calls(mode);
        memory_calls(mode);
    }
    object_calls();
    capture_calls();
    graph_calls(1);
    graph_calls(64);
    graphs();
    stencils();
    hops();
    round_trip();
    scalings();
    BENCH_OK(sf_device_close(bench.device, SF_FOREVER));
    return 0;
}
