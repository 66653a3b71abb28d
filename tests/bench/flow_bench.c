/*  flow_bench.c - what the operator runtime costs: per operator, per message, per wake-up. See bench.h for options
    and output; the environment variable M says how many messages, default a million.

    An operator is one step of a 64-bit LCG on a value that it receives and emits. Every run checks the sum of what
    arrived against a closed form; a wrong one ends the program with status 3. Edges hold one message, or 64 where
    the peer's name ends in -cap64. Times go from the first emission to the end of the last compute. What this
    version cannot do (several workers, once) is left out, with a line on stderr.

        chain   source, N - 2 steps, sink, on the caller's thread      alloc   the same, with a preloaded counter
        fan     source, W steps, a join of all W                       scale   chains of 10 to 100,000: built, run
        mt      a chain on two workers, g LCG steps per operator       lat     one message at a time, hot and cold
        par     16 chains of 8 on T workers                            sparse  100,000 sleepers beside a chain of two
        hops    lat on 1, 2, 4, 8 workers: from core to core           timer   a period of 1 ms: how far off
        copies  one operator of 100 us on 1, 2, 4, 8 workers, results in order; beside peers/copies.cpp, if linked
        when    a chain of 8 whose steps have a condition, an error policy, or edges that do not block
        gpu     8 operators with a kernel each, needs a GPU
        region  the same 8 as one region, against a graph of 8 kernels launched by hand; also on the host */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include "bench.h"

enum { CHAINS = 16, CHAIN = 8, QUEUE = 64, WARM_UP = 100, SPARSE_ROUNDS = 5, BURST = 64, FIRST = 16 };

__attribute__((weak)) uint64_t peers_alloc_count(void);      /* a preloaded library's: calls of malloc so far */

static uint64_t messages;                    /* M */
static uint64_t messages_by(uint64_t divisor) { return messages > divisor ? messages / divisor : 1; }

/* -- operators -- */

#define LCG_A 6364136223846793005u           /* Knuth's */
#define LCG_C 1442695040888963407u
static inline uint64_t lcg(uint64_t x) { return x * LCG_A + LCG_C; }

typedef struct stage {
    uint64_t add, more;                      /* to each value; LCG steps beyond the first */
    sf_condition when;
    sf_on_error on_error;
    sf_overflow overflow;                    /* of the edge to it */
} stage;
typedef struct end {                         /* in cache lines of its own: ends may run on different threads */
    _Alignas(128) uint64_t last, sum, allocs;                /* last: number of its last message */
    int64_t time;
    uint64_t width;                          /* of a join */
    sf_flow *stop;                           /* at the last message */
} end;

static uint64_t allocs(void) { return peers_alloc_count ? peers_alloc_count() : 0; }

static sf_result emit_number(sf_context *ctx)
{
    if (!ctx->run) {
        end *e = ctx->user;
        e->allocs = allocs();
        e->time = bench_now();
    }
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run });
}
/* Four at a time: a loop of one step takes 4 or 4.5 cycles, by how it happens to lie in memory. */
static uint64_t one_more(uint64_t x)
{
    x = lcg(x);
    __asm__ volatile("" : "+r"(x));          /* or the compiler finds the shortcut that closed_form() takes */
    return x;
}
static uint64_t steps(uint64_t x, uint64_t n)
{
    for (; n >= 4; n -= 4) { x = one_more(one_more(one_more(one_more(x)))); }
    for (; n; n--) { x = one_more(x); }
    return x;
}
static sf_result step(sf_context *ctx)
{
    const stage *s = ctx->user;
    uint64_t x = lcg(sf_receive_value(ctx, 0).u64 + s->add);
    if (s->more) { x = steps(x, s->more); }
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = x });
}
static sf_result arrived(sf_context *ctx, uint64_t x)
{
    end *e = ctx->user;
    e->sum += x;
    if (ctx->run == e->last) {
        e->time = bench_now();
        e->allocs = allocs();
        if (e->stop) { return sf_flow_stop(e->stop); }
    }
    return SF_OK;
}
static sf_result add_up(sf_context *ctx) { return arrived(ctx, sf_receive_value(ctx, 0).u64); }
static sf_result join(sf_context *ctx)
{
    const end *e = ctx->user;
    uint64_t x = 0;
    for (uint64_t i = 0; i < e->width; i++) { x += sf_receive_value(ctx, 0).u64; }
    return arrived(ctx, x);
}

/* -- what must come out -- */

static uint64_t below(uint64_t n) { return n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1); }      /* 0 + 1 + ... + n - 1 */

/* Of m messages 0, 1, ... that each went through `steps` LCG steps. */
static uint64_t closed_form(uint64_t steps, uint64_t m)
{
    uint64_t a = 1, c = 0;
    for (uint64_t i = 0; i < steps; i++) {
        a *= LCG_A;
        c = lcg(c);
    }
    return a * below(m) + c * m;
}
static void check_sum(const char *work, const char *param, uint64_t got, uint64_t expected)
{
    if (got == expected) { return; }
    fprintf(stderr, "%s %s: wrong sum %016llx, expected %016llx\n", work, param, (unsigned long long)got,
            (unsigned long long)expected);
    exit(3);
}

/* -- flows -- */

static void die_of(sf_flow *flow, const char *work, const char *param)
{
    fprintf(stderr, "%s %s: %s\n", work, param, sf_flow_failure(flow)->text);
    exit(1);
}
/* False, and said so: this version cannot. */
static bool is_done(sf_flow *flow, sf_result r, const char *work, const char *param)
{
    if (r < 0 && r != SF_ERROR_NOT_SUPPORTED) { die_of(flow, work, param); }
    if (r < 0) { fprintf(stderr, "%s %s: left out: %s\n", work, param, sf_flow_failure(flow)->text); }
    return r >= 0;
}
static sf_flow *new_flow(int workers)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){
        .device = bench.device, .workers = {{ .count = workers }},
    });
    if (!flow) { bench_die("sf_flow_create", 0); }
    return flow;
}
static void destroy(sf_flow *flow) { (void)sf_flow_destroy(flow); }      /* failures are told where they happen */
static sf_op add_source(sf_flow *flow, end *source, uint64_t m)
{
    return sf_flow_add(flow, &(sf_op_desc){
        .compute = emit_number, .user = source, .out = {{ .name = "out" }}, .count = m,
    });
}
static sf_op add_step(sf_flow *flow, stage *s, uint16_t capacity)
{
    return sf_flow_add(flow, &(sf_op_desc){
        .compute = step, .user = s, .in = {{ .name = "in", .capacity = capacity }}, .out = {{ .name = "out" }},
        .when = { s->when }, .on_error = s->on_error,
    });
}
static sf_op add_sink(sf_flow *flow, end *sink, sf_compute_func compute, sf_port in, uint64_t m)
{
    sink->last = m - 1;
    return sf_flow_add(flow, &(sf_op_desc){ .compute = compute, .user = sink, .in = { in } });
}

/* A chain of n operators. */
typedef struct chain { end source, sink; stage middle; } chain;
static void add_chain(sf_flow *flow, chain *c, uint64_t n, uint64_t m, uint16_t capacity)
{
    sf_op last = add_source(flow, &c->source, m), next;
    for (uint64_t i = 2; i < n; i++, last = next) {
        next = add_step(flow, &c->middle, capacity);
        sf_flow_connect(flow, last, NULL, next, NULL, &(sf_edge_desc){ .overflow = c->middle.overflow });
    }
    next = add_sink(flow, &c->sink, add_up, (sf_port){ .name = "in", .capacity = capacity }, m);
    sf_flow_connect(flow, last, NULL, next, NULL, NULL);
}
static void check_chain(const char *work, const char *param, const chain *c, uint64_t n)
{
    check_sum(work, param, c->sink.sum, closed_form((n - 2) * (1 + c->middle.more), c->sink.last + 1));
}

static const uint16_t capacities[] = { 1, QUEUE };
static const char *peer_of(uint16_t capacity) { return capacity > 1 ? "streamflow-cap64" : "streamflow"; }

/* -- chain, alloc -- */

enum { TIME = 1, ALLOCS = 2 };
static void run_chain(const char *work, const char *param, chain *c, uint64_t n, uint64_t m, uint16_t capacity,
                      int what)
{
    sf_flow *flow = new_flow(0);
    add_chain(flow, c, n, m, capacity);
    if (is_done(flow, sf_flow_run(flow), work, param)) {
        check_chain(work, param, c, n);
        if (what & TIME) {
            bench_emit(peer_of(capacity), work, param, "ns_per_op",
                       (double)(c->sink.time - c->source.time) / (double)(n * m));
        }
        if (what & ALLOCS && peers_alloc_count) {
            bench_emit(peer_of(capacity), work, param, "allocs_per_msg",
                       (double)(c->sink.allocs - c->source.allocs) / (double)m);
        }
    }
    destroy(flow);
}
static void one_chain(uint64_t n, uint64_t m, uint16_t capacity, int what)
{
    chain c = { 0 };
    char param[32];
    snprintf(param, sizeof param, "N=%u", (unsigned)n);
    run_chain("chain", param, &c, n, m, capacity, what);
}
static void chains(void)
{
    for (int i = 0; i < 2; i++) {
        uint16_t capacity = capacities[i];
        one_chain(2, messages, capacity, TIME | ALLOCS);
        one_chain(CHAIN, messages, capacity, TIME | ALLOCS);
        one_chain(64, messages_by(8), capacity, TIME | ALLOCS);
    }
}
static void when(void)
{
    static const struct { const char *param; stage middle; } all[] = {
        { "N=8;MESSAGES", { .when = { .kind = SF_CONDITION_MESSAGES, .count = 1 } } },
        { "N=8;COUNT", { .when = { .kind = SF_CONDITION_COUNT, .count = UINT32_MAX } } },
        { "N=8;SIGNAL", { .when = { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true } } },
        { "N=8;TIME", { .when = { .kind = SF_CONDITION_TIME, .ns = 1 } } },
        { "N=8;RETRY", { .on_error = SF_ON_ERROR_RETRY } },
        { "N=8;DROP_OLDEST", { .overflow = SF_OVERFLOW_DROP_OLDEST } },
        { "N=8;LATEST", { .overflow = SF_OVERFLOW_LATEST } },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        chain c = { .middle = all[i].middle };
        run_chain("when", all[i].param, &c, CHAIN, messages, 1, TIME);
    }
}
static void alloc(void)
{
    if (!peers_alloc_count) { fprintf(stderr, "alloc: nothing without the preloaded counter\n"); }
    one_chain(CHAIN, messages, 1, ALLOCS);
    one_chain(CHAIN, messages, QUEUE, ALLOCS);
}

/* -- fan: the source has one output with w edges, the join one input with as many -- */

static void one_fan(uint64_t w, uint64_t m, uint16_t capacity)
{
    end source = { 0 }, sink = { .width = w };
    stage stages[64];
    sf_flow *flow = new_flow(0);
    sf_op first = add_source(flow, &source, m);
    sf_op last = add_sink(flow, &sink, join, (sf_port){ .name = "in", .capacity = capacity, .many = true }, m);
    char param[32];
    snprintf(param, sizeof param, "W=%u", (unsigned)w);
    for (uint64_t i = 0; i < w; i++) {
        sf_op op;
        stages[i] = (stage){ .add = i };
        op = add_step(flow, &stages[i], capacity);
        sf_flow_connect(flow, first, NULL, op, NULL, NULL);
        sf_flow_connect(flow, op, NULL, last, NULL, NULL);
    }
    if (is_done(flow, sf_flow_run(flow), "fan", param)) {
        check_sum("fan", param, sink.sum, LCG_A * (w * below(m) + m * below(w)) + LCG_C * w * m);
        bench_emit(peer_of(capacity), "fan", param, "ns_per_op",
                   (double)(sink.time - source.time) / (double)((w + 2) * m));
    }
    destroy(flow);
}
static void fans(void)
{
    for (int i = 0; i < 2; i++) {
        uint16_t capacity = capacities[i];
        one_fan(2, messages, capacity);
        one_fan(8, messages, capacity);
        one_fan(62, messages_by(8), capacity);
    }
}

/* -- mt: two workers, and the bare loop of the same steps on one thread -- */

static double bare_steps(uint64_t n, uint64_t m, uint64_t grain)
{
    uint64_t sum = 0;
    int64_t start = bench_now();
    for (uint64_t i = 0; i < m; i++) {
        sum += steps(i, (n - 2) * grain);
    }
    __asm__ volatile("" : "+r"(sum));
    return (double)(bench_now() - start) / (double)(n * m);
}
static void one_mt(uint64_t n, uint64_t m, uint64_t grain)
{
    chain c = { .middle.more = grain - 1 };
    sf_flow *flow = new_flow(2);
    char param[48];
    snprintf(param, sizeof param, "N=%u;g=%u", (unsigned)n, (unsigned)grain);
    add_chain(flow, &c, n, m, QUEUE);
    if (is_done(flow, sf_flow_run(flow), "mt", param)) {
        double ns = (double)(c.sink.time - c.source.time) / (double)(n * m), serial = bare_steps(n, m, grain);
        check_chain("mt", param, &c, n);
        bench_emit("streamflow-cap64", "mt", param, "ns_per_op", ns);
        bench_emit("bare", "mt", param, "ns_per_op", serial);
        bench_emit("streamflow-cap64", "mt", param, "efficiency", serial / (2 * ns));
    }
    destroy(flow);
}
static void mt(void)
{
    one_mt(8, messages, 1);
    one_mt(64, messages_by(8), 1);
    one_mt(8, messages_by(8), 64);
    one_mt(8, messages_by(8), 256);
    one_mt(8, messages_by(32), 1024);
    one_mt(8, messages_by(64), 4096);
}

/* -- par: independent chains on 1, 2, 4 ... workers, as many as there are cores -- */

static void one_par(int workers, uint64_t m)
{
    static chain c[CHAINS];
    sf_flow *flow = new_flow(workers);
    char param[48];
    memset(c, 0, sizeof c);
    snprintf(param, sizeof param, "T=%d;P=%d;N=%d", workers, CHAINS, CHAIN);
    for (int i = 0; i < CHAINS; i++) { add_chain(flow, &c[i], CHAIN, m, 1); }
    if (is_done(flow, sf_flow_run(flow), "par", param)) {
        int64_t from = INT64_MAX, to = 0;
        for (int i = 0; i < CHAINS; i++) {
            check_chain("par", param, &c[i], CHAIN);
            if (c[i].source.time < from) { from = c[i].source.time; }
            if (c[i].sink.time > to) { to = c[i].sink.time; }
        }
        bench_emit("streamflow", "par", param, "ns_per_op", (double)(to - from) / (double)(CHAINS * CHAIN * m));
    }
    destroy(flow);
}
static void par(void)
{
    int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int workers = 1; workers <= cores && workers <= CHAINS; workers *= 2) { one_par(workers, messages_by(8)); }
}

/* -- copies: source, one operator of 100 us with n copies on n workers, sink. The sum depends on the order -- */

enum { PER_COMPUTE = 100000, COPIES_ROUNDS = 7, PEERS = 2 };
typedef struct copies_run {                  /* of one runtime; peers/copies.cpp has the same */
    uint64_t messages, steps, sum;           /* steps: per compute */
    uint64_t (*compute)(uint64_t x, uint64_t steps);
    int64_t begin, end;                      /* ns: first emission, last arrival */
    int64_t (*now)(void);
    int n;
} copies_run;
/* The same by runtime `which`, from 0 on: its name; NULL: there is none. */
__attribute__((weak)) const char *peers_copies(int which, copies_run *run);

static sf_result emit_copies(sf_context *ctx)
{
    copies_run *c = ctx->user;
    if (!ctx->run) { c->begin = bench_now(); }
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run });
}
static sf_result compute_copies(sf_context *ctx)
{
    const copies_run *c = ctx->user;
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = c->compute(sf_receive_value(ctx, 0).u64, c->steps) });
}
static sf_result sum_copies(sf_context *ctx)
{
    copies_run *c = ctx->user;
    c->sum = c->sum * 31 + sf_receive_value(ctx, 0).u64;
    if (ctx->run + 1 == c->messages) { c->end = bench_now(); }
    return SF_OK;
}
static const char *run_copies(copies_run *c)
{
    sf_flow *flow = new_flow(c->n > 1 ? c->n : 0);
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .compute = emit_copies, .user = c, .out = {{ .name = "out" }},
                                               .count = c->messages });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){ .compute = compute_copies, .user = c, .copies = c->n,
                                               .in = {{ .name = "in", .capacity = QUEUE }},
                                               .out = {{ .name = "out" }} });
    sf_op d = sf_flow_add(flow, &(sf_op_desc){ .compute = sum_copies, .user = c,
                                               .in = {{ .name = "in", .capacity = QUEUE }} });
    sf_flow_connect(flow, a, NULL, b, NULL, NULL);
    sf_flow_connect(flow, b, NULL, d, NULL, NULL);
    if (sf_flow_run(flow) < 0) { die_of(flow, "copies", ""); }
    destroy(flow);
    return "streamflow";
}
/* One round of each runtime in turn; runtime 0 is streamflow. */
static void copies(void)
{
    const char *name[1 + PEERS] = { NULL };
    double us[1 + PEERS][COPIES_ROUNDS], one[1 + PEERS] = { 0 };
    int rounds = bench.quick ? 1 : COPIES_ROUNDS, cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    copies_run c = { .messages = messages_by(500), .compute = steps, .now = bench_now };
    uint64_t expected = 0, step = 1 << 16;
    int64_t least = INT64_MAX;
    for (int i = 0; i < 50; i++) {           /* how many steps take 100 us */
        int64_t begin = bench_now(), took;
        expected += steps((uint64_t)i, step);
        took = bench_now() - begin;
        if (took < least) { least = took; }
    }
    c.steps = step * PER_COMPUTE / (uint64_t)least;
    expected = 0;
    for (uint64_t i = 0; i < c.messages; i++) { expected = expected * 31 + steps(i, c.steps); }
    for (c.n = 1; c.n <= 8 && (c.n <= cores || bench.quick); c.n *= 2) {
        char param[32];
        snprintf(param, sizeof param, "n=%d", c.n);
        for (int r = 0; r < rounds; r++) {
            for (int which = 0; which <= (peers_copies ? PEERS : 0); which++) {
                c.sum = 0;
                name[which] = which ? peers_copies(which - 1, &c) : run_copies(&c);
                if (!name[which]) { continue; }
                check_sum(name[which], param, c.sum, expected);
                us[which][r] = (double)(c.end - c.begin) / 1e3 / (double)c.messages;
            }
        }
        for (int which = 0; which <= PEERS; which++) {
            double median;
            if (!name[which]) { continue; }
            bench_sort(us[which], rounds);
            median = bench_median(us[which], rounds);
            if (c.n == 1) { one[which] = median; }
            bench_emit(name[which], "copies", param, "us_per_message", median);
            bench_emit(name[which], "copies", param, "speedup", one[which] / median);
        }
    }
}

/* -- lat: main pushes a message as soon as the last one arrived, or 1 ms later; a worker runs the operators -- */

typedef struct arrival { uint64_t sum; _Alignas(128) int64_t time; } arrival;
static sf_result stamp(sf_context *ctx)
{
    arrival *a = ctx->user;
    a->sum += sf_receive_value(ctx, 0).u64;
    __atomic_store_n(&a->time, bench_now(), __ATOMIC_RELEASE);
    return SF_OK;
}
static void report_spread(const char *work, const char *param, double *ns, int n)
{
    static const struct { const char *metric; int thousandths; } lines[] = {
        { "p50_ns", 500 }, { "p99_ns", 990 }, { "p999_ns", 999 }, { "max_ns", 1000 }, { "min_ns", 0 },
    };
    bench_sort(ns, n);
    for (int i = 0; i < 5; i++) {
        int at = (int)((int64_t)n * lines[i].thousandths / 1000);
        bench_emit("streamflow", work, param, lines[i].metric, ns[at < n ? at : n - 1]);
    }
}
static void one_lat(const char *work, const char *param, int workers, unsigned sleep_us, int n)
{
    static double ns[20000];
    static stage none;
    arrival a = { 0 };
    sf_flow *flow = new_flow(workers);
    sf_op first = sf_flow_add(flow, &(sf_op_desc){
        .compute = step, .user = &none, .in = {{ .name = "in", .external = true }}, .out = {{ .name = "out" }},
    });
    sf_op last = first, next;
    for (int i = 2; i < CHAIN; i++, last = next) {
        next = add_step(flow, &none, 1);
        sf_flow_connect(flow, last, NULL, next, NULL, NULL);
    }
    next = sf_flow_add(flow, &(sf_op_desc){ .compute = stamp, .user = &a, .in = {{ .name = "in" }} });
    sf_flow_connect(flow, last, NULL, next, NULL, NULL);
    if (!is_done(flow, sf_flow_start(flow), work, param)) {
        destroy(flow);
        return;
    }
    for (int i = 0; i < WARM_UP + n; i++) {
        int64_t start, then;
        if (sleep_us && i >= WARM_UP) { usleep(sleep_us); }
        __atomic_store_n(&a.time, 0, __ATOMIC_RELAXED);
        start = bench_now();
        if (sf_flow_push_value(flow, first, 0, (sf_value){ .u64 = (uint64_t)i }) != SF_OK) {
            die_of(flow, work, "push");
        }
        while (!(then = __atomic_load_n(&a.time, __ATOMIC_ACQUIRE))) { bench_relax(); }
        if (i >= WARM_UP) { ns[i - WARM_UP] = (double)(then - start); }
    }
    sf_flow_stop(flow);
    if (sf_flow_wait(flow, SF_MS(20000)) != SF_OK) { die_of(flow, work, param); }
    check_sum(work, param, a.sum, closed_form(CHAIN - 1, (uint64_t)(WARM_UP + n)));
    report_spread(work, param, ns, n);
    destroy(flow);
}
static void lat(void)
{
    one_lat("lat_hot", "N=8", 1, 0, bench.quick ? 200 : 20000);
    one_lat("lat_cold", "N=8", 1, 1000, bench.quick ? 20 : 1000);
}
/* The same, hot, on workers that share the operators: it goes from core to core, where there are that many. */
static void hops(void)
{
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int workers = 1; workers < cores && workers <= CHAIN; workers *= 2) {
        char param[32];
        snprintf(param, sizeof param, "T=%d;N=%d", workers, CHAIN);
        one_lat("hops", param, workers, 0, bench.quick ? 200 : 20000);
    }
}

/* -- scale: construction from sf_flow_create() to the first emission, and how much of it sf_flow_run() does; memory, as
      the system and as the flow counts it; a few messages -- */

static double resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (f) {
        if (fscanf(f, "%*u %lu", &pages) != 1) { pages = 0; }
        fclose(f);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}
static sf_flow *one_scale(chain *c, uint64_t n, uint64_t m)
{
    double before = resident_bytes(), size = (double)n;
    int64_t start = bench_now(), built;
    sf_flow *flow = new_flow(0);
    sf_flow_info info;
    char param[32];
    snprintf(param, sizeof param, "N=%u", (unsigned)n);
    add_chain(flow, c, n, m, 1);
    built = bench_now();
    if (!is_done(flow, sf_flow_run(flow), "scale", param)) { return flow; }
    check_chain("scale", param, c, n);
    bench_emit("streamflow", "scale", param, "construct_ns_per_op", (double)(c->source.time - start) / size);
    bench_emit("streamflow", "scale", param, "start_ns_per_op", (double)(c->source.time - built) / size);
    bench_emit("streamflow", "scale", param, "bytes_per_op", (resident_bytes() - before) / size);
    if (sf_flow_get_info(flow, &info) == SF_OK) {
        bench_emit("streamflow", "scale", param, "counted_bytes_per_op", (double)info.memory_bytes / size);
    }
    bench_emit("streamflow", "scale", param, "ns_per_op",
               (double)(c->sink.time - c->source.time) / (double)(n * m));
    return flow;
}
static void scale(void)
{
    static chain c[5];
    sf_flow *flows[5];                       /* kept to the end: each takes fresh pages */
    uint64_t n = 10, divisor = 1;
    for (int i = 0; i < 5; i++, n *= 10, divisor *= 10) { flows[i] = one_scale(&c[i], n, messages_by(divisor)); }
    for (int i = 0; i < 5; i++) { destroy(flows[i]); }
}

/* -- sparse: operators that wait for a signal which never comes -- */

static sf_result never(sf_context *ctx) { return sf_fail(ctx, SF_ERROR_USER, "nobody signalled"); }
typedef struct night { chain live; sf_flow *flow; double ns[SPARSE_ROUNDS]; } night;
static void add_sparse(night *n, int sleepers, uint64_t m)
{
    n->flow = new_flow(0);
    for (int i = 0; i < sleepers; i++) {
        sf_flow_add(n->flow, &(sf_op_desc){ .compute = never, .when = {{ .kind = SF_CONDITION_SIGNAL }} });
    }
    add_chain(n->flow, &n->live, 2, m, 1);
    n->live.sink.stop = n->flow;             /* sleepers would keep it alive */
}
static void sparse(void)
{
    static const char *const params[] = { "idle=0", "idle=100000" };
    uint64_t m = messages_by(SPARSE_ROUNDS);
    night n[2] = { 0 };
    for (int i = 0; i < 2; i++) { add_sparse(&n[i], i * 100000, m); }
    for (int round = 0; round < SPARSE_ROUNDS; round++) {
        for (int i = 0; i < 2; i++) {
            chain *c = &n[i].live;
            c->sink.sum = 0;
            if (sf_flow_run(n[i].flow) < 0) { die_of(n[i].flow, "sparse", params[i]); }
            check_chain("sparse", params[i], c, 2);
            n[i].ns[round] = (double)(c->sink.time - c->source.time) / (double)m;
        }
    }
    for (int i = 0; i < 2; i++) {
        bench_sort(n[i].ns, SPARSE_ROUNDS);
        bench_emit("streamflow", "sparse", params[i], "ns_per_msg", bench_median(n[i].ns, SPARSE_ROUNDS));
        destroy(n[i].flow);
    }
    bench_emit("streamflow", "sparse", params[1], "ratio",
               bench_median(n[1].ns, SPARSE_ROUNDS) / bench_median(n[0].ns, SPARSE_ROUNDS));
}

/* -- timer -- */

static sf_result tick(sf_context *ctx)
{
    ((int64_t *)ctx->user)[ctx->run] = bench_now();
    return SF_OK;
}
static void timer(void)
{
    static int64_t at[500];
    static double off[500];
    int ticks = bench.quick ? 20 : 500;
    sf_flow *flow = new_flow(0);
    sf_flow_add(flow, &(sf_op_desc){ .compute = tick, .user = at, .count = (uint64_t)ticks, .period = SF_MS(1) });
    if (is_done(flow, sf_flow_run(flow), "timer", "period=1ms")) {
        for (int i = 1; i < ticks; i++) {
            int64_t ns = at[i] - at[i - 1] - SF_MS(1);
            off[i - 1] = (double)(ns < 0 ? -ns : ns);
        }
        report_spread("timer", "period=1ms", off, ticks - 1);
    }
    destroy(flow);
}

/* -- gpu: the CPU's time to enqueue a kernel per operator, against the same calls by hand. A burst fits into the
      driver's queue, so nobody waits for the GPU. -- */

typedef enum streams { OWN, ADOPTED, REGION } streams;
typedef struct bursts {
    sf_flow *flow;
    end source, sink;
    sf_stream *streams[CHAIN];
    sf_event *events[CHAIN];
    sf_graph_exec *exec;                     /* REGION */
} bursts;

static sf_result launch(sf_context *ctx) { return sf_launch(sf_compute_stream(ctx), &bench_empty, NULL, 0); }
static sf_result launch_first(sf_context *ctx)
{
    if (ctx->run == FIRST) { ((end *)ctx->user)->time = bench_now(); }       /* a region has captured its graph */
    launch(ctx);                             /* a call that fails, fails the compute */
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run });
}
static sf_result launch_step(sf_context *ctx)
{
    uint64_t x = sf_receive_value(ctx, 0).u64;
    launch(ctx);
    return sf_emit_value(ctx, 0, (sf_value){ .u64 = lcg(x) });
}
static sf_result launch_last(sf_context *ctx)
{
    uint64_t x = sf_receive_value(ctx, 0).u64;
    launch(ctx);
    return arrived(ctx, x);
}
static double one_burst(int side, void *self)
{
    bursts *b = self;
    int64_t start = bench_now();
    int r = SF_OK;
    if (side == BENCH_SF) {
        b->sink.sum = 0;
        if (sf_flow_run(b->flow) < 0) { die_of(b->flow, "gpu", "run"); }
        check_sum("gpu", "N=8", b->sink.sum, closed_form(CHAIN - 2, FIRST + BURST));
        return (double)(b->sink.time - b->source.time);
    }
    for (int i = 0; b->exec && i < BURST; i++) { r |= sf_graph_launch(b->exec, b->streams[0]); }
    for (int i = 0; !b->exec && i < BURST * CHAIN; i++) {
        int k = i % CHAIN;                   /* with one stream only its order is needed */
        sf_stream *s = b->streams[b->events[0] ? k : 0];
        if (b->events[0] && k) { r |= sf_stream_wait_event(s, b->events[k - 1], 0); }
        r |= sf_launch(s, &bench_empty, NULL, 0);
        if (b->events[0] && k < CHAIN - 1) { r |= sf_event_record(b->events[k], s, 0); }
    }
    start = bench_now() - start;
    for (int k = 0; k < CHAIN; k++) { BENCH_OK(bench_sync(b->streams[k])); }
    BENCH_OK(r);
    return (double)start;
}
static sf_graph_exec *chain_graph(sf_stream *s)
{
    sf_graph *graph = NULL;
    sf_graph_exec *exec = NULL;
    BENCH_OK(sf_stream_begin_capture(s, SF_CAPTURE_RELAXED));
    for (int i = 0; i < CHAIN; i++) { BENCH_OK(sf_launch(s, &bench_empty, NULL, 0)); }
    BENCH_OK(sf_stream_end_capture(s, &graph));
    BENCH_OK(sf_graph_instantiate(graph, 0, &exec));
    BENCH_OK(sf_graph_destroy(graph));
    return exec;
}
static void gpu_chain(const char *work, const char *param, streams kind)
{
    bursts b = { .flow = sf_flow_create(&(sf_flow_desc){ .device = bench.device }) };
    sf_op last = { 0 }, next;
    b.sink.last = FIRST + BURST - 1;
    for (int i = 0; i < CHAIN; i++, last = next) {
        sf_op_desc desc = { .compute = launch_step, .in = {{ .name = "in" }}, .out = {{ .name = "out" }} };
        b.streams[i] = bench_stream(bench.device);
        b.events[i] = kind == OWN ? bench_event(bench.device) : NULL;
        desc.adopt_stream = kind == ADOPTED && i;
        desc.region = kind == REGION;
        if (i == 0) {
            desc.compute = launch_first, desc.user = &b.source, desc.count = FIRST + BURST;
            desc.in[0].name = NULL;
        } else if (i == CHAIN - 1) {
            desc.compute = launch_last, desc.user = &b.sink;
            desc.out[0].name = NULL;
        }
        next = sf_flow_add(b.flow, &desc);
        if (i) { sf_flow_connect(b.flow, last, NULL, next, NULL, NULL); }
    }
    if (kind == REGION) { b.exec = chain_graph(b.streams[0]); }
    (void)bench_compare(work, param, BENCH_ROUNDS, (bench_style){ "ns", BURST * CHAIN, true, false }, one_burst, &b);
    destroy(b.flow);
    if (b.exec) { BENCH_OK(sf_graph_exec_destroy(b.exec)); }
    for (int i = 0; i < CHAIN; i++) {
        BENCH_OK(sf_stream_destroy(b.streams[i]));
        if (b.events[i]) { BENCH_OK(sf_event_destroy(b.events[i])); }
    }
}
static void gpu(void)
{
    if (bench.cuda) {
        (void)bench_open(0);
    } else {                                 /* asked for by name only: without a GPU there is nothing to say */
        sf_device_desc desc = { .backend = SF_BACKEND_CUDA };
        if (sf_device_open(&desc, &bench.device) < 0) { return; }
        cu_load();
    }
    gpu_chain("gpu", "N=8;streams=own", OWN);
    gpu_chain("gpu", "N=8;streams=adopted", ADOPTED);
    gpu_chain("region", "N=8", REGION);
    BENCH_OK(sf_device_close(bench.device, SF_FOREVER));
}

static void region(void) { gpu_chain("region", "N=8", REGION); }

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); } works[] = {
        { "chain", chains }, { "fan", fans }, { "mt", mt }, { "lat", lat }, { "hops", hops }, { "par", par },
        { "copies", copies },
        { "scale", scale }, { "alloc", alloc }, { "sparse", sparse }, { "timer", timer }, { "region", region },
        { "when", when },
    };
    const char *m = getenv("M");
    bench_arguments(argc, argv);
    messages = m ? strtoull(m, NULL, 10) : bench.quick ? 2000 : 1000000;
    if (!bench.cuda) {
        (void)bench_open(1);                 /* of the host; its thread has nothing to do */
        for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
            if (bench_wanted(works[i].name)) { works[i].run(); }
        }
        BENCH_OK(sf_device_close(bench.device, SF_FOREVER));
        bench.device = NULL;
    }
    if (bench_wanted("gpu") && (bench.cuda || bench.wanted_count)) { gpu(); }
    return 0;
}
