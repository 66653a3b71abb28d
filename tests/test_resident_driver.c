/*  test_resident_driver.c - loops on a CUDA driver that is not there: see fake_cuda.h. Their kernels are the twins
    that host devices run, one after the other, but nobody waits: a loop that has nothing to do ends. Needs no GPU,
    uses none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#define SFI_STREAM_ROOM 2                    /* each call of the driver is one that may fail */
#define SFI_RESIDENT_PATIENCE SF_MS(100)
#include "library.c"                         /* whose entry points, structs and loop the played driver has */
#if defined(__GNUC__) && !defined(__clang__)     /* each build of a loop unpacks its PTX; at -O0 that is half of the time */
static char *sfi_resident_ptx_unpack(const uint8_t *, const char *, char *) __attribute__((optimize("O2")));
static char *sfi_resident_ptx_number(const char *, char *) __attribute__((optimize("O2")));
#endif
#include "library_resident.c"
#include <cmocka.h>
#include "test.h"
#include "fake_cuda.h"

/* -- the kernels -- */

static bool clock_is_late;                   /* its kernel has not begun when the host gives up */

static const sfi_resident_args *args_of(void **params) { return (const sfi_resident_args *)params[0]; }
static void run_begin(void **params) { sfi_resident_begin(args_of(params)->control); }
static void run_end(void **params) { sfi_resident_end(args_of(params)->control); }
static void wait_here(const sfi_resident_args *a, uint32_t first, uint32_t count)
{
    sf_resident_control *c = a->control;
    int64_t now = sfi_resident_clock();
    if (c->aligned && c->at.done % c->slots != a->pass) {
        c->at.live = 0;
    } else if (sfi_resident_poll(c, now) == SFI_RESIDENT_TAKE) {
        sfi_resident_take(c, now);
        c->pass = a->pass;
        sfi_resident_fetch(c, first, count);
    } else if (a->loop) {
        fake_set_conditional(a->loop, 0);
    }
}
static void run_wait(void **params) { wait_here(args_of(params), args_of(params)->first, args_of(params)->count); }
static void run_publish(void **params)
{
    const sfi_resident_args *a = args_of(params);
    sfi_resident_deliver(a->control, a->first, a->count);
}
static void run_turn(void **params)
{
    run_publish(params);
    wait_here(args_of(params), args_of(params)->next, args_of(params)->next_count);
}
static void run_copy(void **params)
{
    const sfi_resident_args *a = args_of(params);
    sfi_resident_move_all(a->control, a->first, a->count);
}
static void run_mark(void **params) { sfi_resident_mark_here(args_of(params)); }
static void run_choose(void **params)
{
    fake_set_conditional(args_of(params)->branch, sfi_resident_choice_of(args_of(params)));
}
static void run_clock(void **params)         /* answers all rings at once */
{
    sfi_resident_board *board = &args_of(params)->control->mail->board;
    if (clock_is_late) {
        fake.busy = UINT32_MAX;
        return;
    }
    board->began = (uint64_t)sfi_resident_clock();
    board->done = 8;
}
#define OURS(name, body)                                                                                     \
    { FAKE_FUNCTION_MAGIC, "sf_resident_" name "_kernel", body, { sizeof(sfi_resident_args) }, 0 }
static fake_function ours[] = {
    OURS("begin", run_begin), OURS("wait", run_wait), OURS("publish", run_publish), OURS("turn", run_turn),
    OURS("check", run_wait), OURS("copy", run_copy), OURS("mark", run_mark), OURS("choose", run_choose),
    OURS("end", run_end), OURS("clock", run_clock),
};

static uint32_t ran;
static void add_one(void **params)
{
    ++**(uint32_t **)params[0];
    ran++;
}
static fake_function add_function = { FAKE_FUNCTION_MAGIC, "add_one", add_one, { sizeof(void *) }, 0 };
static int add_cuda(void *stream, const void *args)
{
    void *params[1] = { (void *)(uintptr_t)args };
    return fake_launch(stream, &add_function, params);
}
static const sf_kernel add_kernel = { .name = "add_one", .cuda = add_cuda };
static sf_result add_compute(sf_context *ctx)
{
    sf_tensor *out;
    if (!ctx->user) { (void)sf_receive(ctx, 0); }
    out = sf_tensor_create(ctx, 0, NULL);
    sf_launch(sf_compute_stream(ctx), &add_kernel, &out->data, sizeof out->data);
    return sf_emit(ctx, 0, out);
}
/* A fused loop of two operators, each of which adds one. It ends where others would wait. */
static void add_fused(const sf_resident_fused_call *call)
{
    ++*(uint32_t *)call->out[0];
    ran++;
}
static void run_fused(void **params)
{
    static const sf_resident_fused_func ops[] = { add_fused, add_fused };
    sf_resident_control *c = args_of(params)->control;
    uint64_t before;
    do {
        before = c->at.completed;
        if (sf_resident_run_fused(args_of(params), ops, 2) != SF_NOT_READY) { return; }
    } while (c->at.completed != before);
    sfi_resident_end(c);
}
static fake_function fused_function = { FAKE_FUNCTION_MAGIC, "fused", run_fused, { sizeof(sfi_resident_args) }, 0 };
static int fused_cuda(void *stream, const void *args)
{
    void *params[1] = { (void *)(uintptr_t)args };
    return fake_launch(stream, &fused_function, params);
}
static const sf_kernel fused_kernel = { .name = "fused", .cuda = fused_cuda };
static uint32_t started, stopped;
static sf_result start_hook(sf_context *ctx) { return (void)ctx, started++, SF_OK; }
static sf_result stop_hook(sf_context *ctx) { return (void)ctx, stopped++, SF_OK; }

/* -- a program: two launches, each with two marks -- */

typedef struct record { int n; sf_result r[40]; const char *call[40]; } record;
static record rec;
static sf_result note(const char *call, sf_result r)
{
    rec.call[rec.n] = call;
    rec.r[rec.n++] = r;
    return r;
}
static struct { sf_partition *loop, *last, *side; } in;      /* of the loop, and of two operators; or NULL */
static sf_resident *make(sf_device *device, sf_heap heap, sf_resident_loop loop, sf_op *last)
{
    bool branches = loop == SF_RESIDENT_LOOP_FAST, fused = loop == SF_RESIDENT_LOOP_FUSED;
    sf_resident *r = sf_resident_create(&(sf_resident_desc){
        .device = device, .partition = in.loop, .heap = heap, .loop = loop, .measure_operators = branches,
        .stall_timeout = SF_MS(50), .fused = fused ? &fused_kernel : NULL });
    sf_edge_desc late = { .delay = 2 };
    sf_op_desc op = { .name = "first", .compute = fused ? NULL : add_compute, .user = r, .start = start_hook,
                      .stop = stop_hook, .out = { { .name = "y", .bytes = 64 } } };
    sf_op first, side;
    if (!r) { return NULL; }
    first = sf_resident_add(r, &op);
    op.partition = in.last;
    op.name = "last", op.user = NULL, op.in[0] = op.out[0], op.in[0].name = "x", op.out[0].external = true;
    *last = sf_resident_add(r, &op);
    (void)note("connect", sf_resident_connect(r, first, "y", *last, "x", branches ? &late : NULL));
    if (!branches) { return r; }
    op.name = "side", op.out[0].external = false, op.partition = in.side;
    side = sf_resident_add(r, &op);
    (void)note("connect", sf_resident_connect(r, first, "y", side, "x", NULL));
    (void)note("put", sf_resident_put(r, side, sf_resident_add_branch(r, &(sf_resident_branch_desc){
        .kind = SF_RESIDENT_EVERY, .every = 2, .clear_skipped = true }), 0));
    return r;
}
static void run_twice(sf_resident *r, sf_op last)
{
    sf_resident_info info;
    for (int turn = 0; turn < 2; turn++) {
        sf_resident_slot slot;
        sf_latency latency;
        for (int k = 0; k < 2 && sf_resident_get_state(r) >= SF_RESIDENT_BUILT; k++) {
            sf_resident_mark_data_ready(sf_resident_get_control(r));
        }
        (void)note("launch", sf_resident_launch(r));
        (void)note("wait", sf_resident_wait(r, GUARD));
        if (note("result", sf_resident_result(r, last, 0, 0, &slot)) == SF_OK) {
            (void)note("release", sf_resident_release(r, &slot));
        }
        (void)note("latency", sf_resident_get_latency(r, SF_RESIDENT_SPAN_TOTAL, &latency));
        (void)note("tear_down", sf_resident_tear_down(r, turn, GUARD));
    }
    (void)note("info", sf_resident_get_info(r, &info));
    if (info.submitted != info.completed + info.dropped + info.queued) { (void)note("the sum", SF_ERROR_UNKNOWN); }
}
/* SPLIT: the loop is in a partition, and where the driver takes that, two operators are in other ones. */
typedef enum places { PLAIN, SPLIT } places;
static void run_program(sf_resident_loop loop, places where, test_heap *heap)
{
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = fake_resolve,
                            .heap = { test_heap_alloc, test_heap_free, heap } };
    sf_device *device = NULL;
    sf_resident *r;
    sf_op last;
    rec.n = 0;
    ran = started = stopped = 0;
    memset(&in, 0, sizeof in);
    fake.version = where == SPLIT && loop != SF_RESIDENT_LOOP_FUSED ? 13040 : 0;
    if (note("open", sf_device_open(&desc, &device)) < 0) { return; }
    if (where == SPLIT && note("split", sf_device_split(device, &(sf_partitions_desc){ .count = 2 })) == SF_OK) {
        (void)note("partition", sf_device_get_partition(device, 0, &in.loop));
        if (fake.version) { (void)note("partition", sf_device_get_partition(device, 1, &in.last)); }
        if (fake.version) { (void)note("partition", sf_device_get_partition(device, 2, &in.side)); }
    }
    r = make(device, desc.heap, loop, &last);
    (void)note("create", r ? SF_OK : SF_ERROR_OUT_OF_MEMORY);
    if (r) { (void)note("build", sf_resident_build(r)); }
    if (r) { run_twice(r, last); }
    if (r) { (void)note("destroy", sf_resident_destroy(r)); }
    (void)note("close", sf_device_close(device, GUARD));
}
static const char *first_failure(void)
{
    for (int i = 0; i < rec.n; i++) {
        if (rec.r[i] < 0) { return rec.call[i]; }
    }
    return "nothing";
}
/* Live objects of the driver in words; what a lost context had goes with it. */
static const char *what_is_left(void)
{
    static char text[200];
    const struct { const char *what; long count; } kinds[] = {
        { "streams", fake.streams }, { "events", fake.events }, { "blocks", fake.fault ? 0 : fake.blocks },
        { "graphs", fake.graphs }, { "nodes", fake.nodes }, { "execs", fake.execs },
        { "modules", fake.fault ? 0 : fake.modules },
    };
    int n = 0;
    text[0] = 0;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].count) {
            n += snprintf(text + n, sizeof text - (size_t)n, "%ld %s ", kinds[i].count, kinds[i].what);
        }
    }
    return text;
}
/* A run in which something has failed, maybe unnoticed. NULL: as it should. */
static const char *wrong_with(const test_heap *heap, uint32_t ran_then)
{
    if (fake.fatal) { return "the driver would have crashed"; }
    if (fake.spoilt) { return "a capture into a body became invalid"; }
    if (heap->live) { return "the heap's memory is left"; }
    if (started != stopped) { return "who was started was not stopped"; }
    if (!strcmp(first_failure(), "nothing") && ran != ran_then) { return "nothing failed, and iterations lack"; }
    if (!strcmp(first_failure(), "the sum")) { return "the counters do not add up"; }
    return fake.fault != 700 && what_is_left()[0] ? what_is_left() : NULL;
}

static const sf_resident_loop loops[] = {
    SF_RESIDENT_LOOP_EXACT, SF_RESIDENT_LOOP_FAST, SF_RESIDENT_LOOP_UNROLLED
};
static const struct program { sf_resident_loop loop; places where; } programs[] = {
    { SF_RESIDENT_LOOP_EXACT, PLAIN }, { SF_RESIDENT_LOOP_FAST, PLAIN }, { SF_RESIDENT_LOOP_UNROLLED, PLAIN },
    { SF_RESIDENT_LOOP_FAST, SPLIT }, { SF_RESIDENT_LOOP_FUSED, SPLIT }
};
static int open_driver(void **state)
{
    (void)state;
    clock_is_late = false;
    fake_more.list = ours;
    fake_more.count = COUNT(ours);
    fake_ran = NULL;
    memset(&in, 0, sizeof in);
    fake_reset();
    return 0;
}
static int close_driver(void **state)
{
    (void)state;
    fake_more.count = 0;
    fake_ran = NULL;
    fake_reset();
    return 0;
}
#define DRIVER_TEST(func) cmocka_unit_test_setup_teardown(func, open_driver, close_driver)

static void each_call_fails_once(void **state)
{
    static const int codes[] = { 2, 700 };
    (void)state;
    for (size_t l = 0; l < COUNT(programs); l++) {
        /* one of the codes at each call: what differs in its streams alone; at every third call: sanitizers */
        const size_t step = test_seeds() < 1000 ? 3 * COUNT(codes) : programs[l].where == SPLIT ? COUNT(codes) : 1;
        test_heap heap = { 0 };
        uint32_t calls[FAKE_SYMBOLS], well;
        const char *symbols[FAKE_SYMBOLS];
        size_t count = 0, i;
        fake_reset();
        run_program(programs[l].loop, programs[l].where, &heap);
        for (i = 0; i < (size_t)rec.n; i++) {
            if (rec.r[i] != SF_OK) { fail_msg("program %d: %s is %d", (int)l, rec.call[i], (int)rec.r[i]); }
        }
        well = ran;
        CHECK(well >= 8);
        for (; count < FAKE_SYMBOLS && fake.counts[count].symbol; count++) {
            symbols[count] = fake.counts[count].symbol;
            calls[count] = fake.counts[count].calls;
        }
        for (i = 0; i < count * COUNT(codes); i++) {
            const char *symbol = symbols[i / COUNT(codes)], *wrong;
            for (uint32_t at = 1; at <= calls[i / COUNT(codes)]; at++) {
                test_heap one = { 0 };
                if ((i + at + l) % step) { continue; }
                fake_reset();
                fake.fail = symbol, fake.fail_at = at, fake.code = codes[i % COUNT(codes)];
                run_program(programs[l].loop, programs[l].where, &one);
                wrong = wrong_with(&one, well);
                if (!wrong) { continue; }
                fail_msg("program %d, %s, call %u, code %d: %s; the first that failed: %s", (int)l, symbol, at,
                         fake.code, wrong, first_failure());
            }
        }
        for (long at = 1; at <= heap.total; at++) {
            test_heap one = { .fail_at = at };
            const char *wrong;
            fake_reset();
            run_program(programs[l].loop, programs[l].where, &one);
            wrong = wrong_with(&one, well);
            if (wrong) { fail_msg("program %d, request %ld of the heap: %s", (int)l, at, wrong); }
        }
    }
}
/* A kernel that comes when the build has given up would count in the loop's words. */
static void a_clock_that_comes_late(void **state)
{
    test_heap heap = { 0 };
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = fake_resolve,
                            .heap = { test_heap_alloc, test_heap_free, &heap } };
    sf_device *device = NULL;
    sf_resident *r;
    sf_op last;
    (void)state;
    CHECK_OK(sf_device_open(&desc, &device));
    rec.n = 0;
    r = make(device, desc.heap, SF_RESIDENT_LOOP_EXACT, &last);
    CHECK(r != NULL);
    clock_is_late = true;
    CHECK_IS(sf_resident_build(r), SF_ERROR_STALLED);
    CHECK(!strcmp(sf_resident_failure(r)->call, "sf_resident_build"));
    fake.busy = 0;
    CHECK_IS(sf_resident_launch(r), SF_ERROR_STALLED);
    CHECK_IS(sf_resident_destroy(r), SF_ERROR_STALLED);
    CHECK_OK(sf_device_close(device, GUARD));
    CHECK_EQUAL(heap.live, 0);
    if (what_is_left()[0]) { fail_msg("left: %s", what_is_left()); }
}
/* An operator captures a node of a type that the library has no name for: the build names the operator and the node. */
static int other_cuda(void *stream, const void *args)
{
    int code = add_cuda(stream, args);
    return code ? code : fake_capture_other(stream, FAKE_COPIES);
}
static const sf_kernel other_kernel = { .name = "batch_of_copies", .cuda = other_cuda };
static sf_result other_compute(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    (void)in;
    sf_launch(sf_compute_stream(ctx), &other_kernel, &out->data, sizeof out->data);
    return sf_emit(ctx, 0, out);
}
static void a_node_without_a_name(void **state)
{
    static const int versions[] = { 0, 13000, 13050 };
    (void)state;
    for (size_t i = 0; i < COUNT(versions) * COUNT(loops); i++) {
        sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = fake_resolve };
        sf_op_desc op = { .name = "camera", .compute = add_compute, .out = {{ .name = "y", .bytes = 64 }} };
        const char *text;
        sf_device *device = NULL;
        sf_resident *r;
        sf_op first, last;
        fake_reset();
        fake.version = versions[i / COUNT(loops)];
        CHECK_OK(sf_device_open(&desc, &device));
        r = sf_resident_create(&(sf_resident_desc){ .device = device, .loop = loops[i % COUNT(loops)] });
        op.user = r;
        first = sf_resident_add(r, &op);
        op.name = "stitch", op.compute = other_compute, op.in[0] = op.out[0], op.out[0].external = true;
        last = sf_resident_add(r, &op);
        CHECK_OK(sf_resident_connect(r, first, "y", last, "y", NULL));
        CHECK_IS(sf_resident_build(r), SF_ERROR_NOT_SUPPORTED);
        text = sf_resident_failure(r)->text;
        if (!strstr(text, "stitch") || !strstr(text, "SF_NODE_OTHER") || !strstr(text, "node ")) { fail_msg("%s", text); }
        CHECK(!strcmp(sf_resident_failure(r)->where, "stitch"));
        CHECK_IS(sf_resident_destroy(r), SF_ERROR_NOT_SUPPORTED);
        CHECK_OK(sf_device_close(device, GUARD));
        CHECK_EQUAL(fake.fatal + fake.spoilt, 0);
        if (what_is_left()[0]) { fail_msg("left: %s", what_is_left()); }
    }
}
/* A library takes memory in a capture, and gives it back: both are nodes, which the driver refuses only when all is
   instantiated. The build says it at the operator that called the library. */
static int library_cuda(void *stream, const void *args)
{
    sfi_cuda_ptr workspace = 0;
    int code = fake_mem_alloc_async(&workspace, 64, stream);
    if (!code) { code = add_cuda(stream, args); }
    return code ? code : fake_mem_free_async(workspace, stream);
}
static const sf_kernel library_kernel = { .name = "sgemm", .cuda = library_cuda };
static sf_result library_compute(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    (void)in;
    sf_launch(sf_compute_stream(ctx), &library_kernel, &out->data, sizeof out->data);
    return sf_emit(ctx, 0, out);
}
static void a_library_takes_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(loops); i++) {
        sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = fake_resolve };
        sf_op_desc op = { .name = "camera", .compute = add_compute, .out = {{ .name = "y", .bytes = 64 }} };
        const char *text;
        sf_device *device = NULL;
        sf_op first, last;
        sf_resident *r;
        fake_reset();
        CHECK_OK(sf_device_open(&desc, &device));
        r = sf_resident_create(&(sf_resident_desc){ .device = device, .loop = loops[i] });
        op.user = r;
        first = sf_resident_add(r, &op);
        op.name = "beams", op.compute = library_compute, op.in[0] = op.out[0], op.out[0].external = true;
        last = sf_resident_add(r, &op);
        CHECK_OK(sf_resident_connect(r, first, "y", last, "y", NULL));
        CHECK_IS(sf_resident_build(r), SF_ERROR_NOT_SUPPORTED);
        text = sf_resident_failure(r)->text;
        if (!strstr(text, "allocations") || !strstr(text, "library a workspace of its own")) { fail_msg("%s", text); }
        CHECK(!strcmp(sf_resident_failure(r)->where, "beams"));
        CHECK_IS(sf_resident_destroy(r), SF_ERROR_NOT_SUPPORTED);
        CHECK_OK(sf_device_close(device, GUARD));
        CHECK_EQUAL(fake.fatal + fake.spoilt, 0);
        if (what_is_left()[0]) { fail_msg("left: %s", what_is_left()); }
    }
}

/* -- multiprocessors of its own: where each kernel was launched or captured -- */

static struct { const fake_green *green; uint32_t ran, elsewhere, in_other; const fake_green *other; } seen;
static void see(const fake_function *f, const fake_green *green)
{
    (void)f;
    seen.ran++;
    if (green == seen.green) { return; }
    if (green && green == seen.other) { seen.in_other++; } else { seen.elsewhere++; }
}
static sf_device *open_three(int version)    /* in three partitions */
{
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = fake_resolve };
    sf_device *device = NULL;
    memset(&seen, 0, sizeof seen);
    memset(&in, 0, sizeof in);
    rec.n = 0;
    fake_reset();
    fake.version = version;
    CHECK_OK(sf_device_open(&desc, &device));
    CHECK_OK(sf_device_split(device, &(sf_partitions_desc){ .count = 2 }));
    fake_ran = see;
    return device;
}
static fake_green *green_at(sf_device *device, int32_t index, sf_partition **p)
{
    sf_partition_info info;
    CHECK_OK(sf_device_get_partition(device, index, p));
    CHECK_OK(sf_partition_get_info(*p, &info));
    return (fake_green *)info.native;
}
static void close_three(sf_device *device)
{
    CHECK_OK(sf_device_close(device, GUARD));
    CHECK_EQUAL(fake.fatal + fake.spoilt + fake.greens, 0);
    if (what_is_left()[0]) { fail_msg("left: %s", what_is_left()); }
}
static void plan_add(void *user, const char *text, size_t bytes) { strncat((char *)user, text, bytes); }
static bool plan_has(sf_resident *r, const char *words)
{
    static char text[8192];
    text[0] = 0;
    CHECK_OK(sf_resident_report(r, SF_RESIDENT_REPORT_PLAN, plan_add, text));
    return strstr(text, words) != NULL;
}
static void run_well(sf_resident *r, sf_op last)
{
    rec.n = 0;
    run_twice(r, last);
    for (int i = 0; i < rec.n; i++) { CHECK_IS(rec.r[i], SF_OK); }
}
/* A fused loop: all that it launches, in each version of the driver. Of no partition: on a stream of none. */
static void a_fused_loop_in_a_partition(void **state)
{
    static const int versions[] = { 0, 13000, 13040 };
    (void)state;
    for (size_t v = 0; v < COUNT(versions); v++) {
        for (int32_t at = -1; at < 3; at++) {
            sf_device *device = open_three(versions[v]);
            fake_green *green = at < 0 ? NULL : green_at(device, at, &in.loop);
            sf_resident_info info;
            sf_resident *r;
            sf_op last;
            char words[64];
            seen.green = green;
            in.last = in.loop;               /* an operator may name it, too */
            r = make(device, (sf_heap){ 0 }, SF_RESIDENT_LOOP_FUSED, &last);
            CHECK_OK(sf_resident_build(r));
            if (green) { CHECK_EQUAL(green->streams, 1); }
            run_well(r, last);
            CHECK(seen.ran >= 3 && !seen.elsewhere);         /* the clock, and two launches */
            CHECK_OK(sf_resident_get_info(r, &info));
            CHECK_EQUAL(info.partition, at);
            CHECK_EQUAL(info.completed, 4);
            snprintf(words, sizeof words, "loop fused, in partition %d of %d multiprocessors", (int)at,
                     (int)(green ? green->sms : 0));
            CHECK_EQUAL(plan_has(r, words), at >= 0);
            CHECK_OK(sf_resident_destroy(r));
            if (green) { CHECK_EQUAL(green->streams, 0); }
            close_three(device);
        }
    }
}
/* Other loops: refused in words before 13.4, from then on all kernels are in the partition; with operators elsewhere,
   these alone are there, also in a branch, and no edge is programmatic. */
static void other_loops_in_a_partition(void **state)
{
    static const int versions[] = { 12080, 13000, 13030, 13040, 13050 };
    (void)state;
    for (size_t k = 0; k < COUNT(versions) * COUNT(loops) * 3; k++) {
        const int version = versions[k / 3 / COUNT(loops)], way = (int)(k % 3);      /* the loop's; operators'; both */
        const sf_resident_loop loop = loops[k / 3 % COUNT(loops)];
        const bool can = version >= 13040;
        sf_device *device = open_three(version);
        fake_green *mine = green_at(device, 0, &in.loop), *other = green_at(device, 1, &in.last);
        sf_resident_info info;
        sf_resident *r;
        sf_op last;
        char here[64];
        in.side = in.last;
        if (way == 0) { in.last = in.side = in.loop; } else { seen.other = other; }
        if (way == 1) { in.loop = NULL; }
        seen.green = way == 1 ? NULL : mine;
        r = make(device, (sf_heap){ 0 }, loop, &last);
        CHECK_IS(sf_resident_build(r), can ? SF_OK : SF_ERROR_NOT_SUPPORTED);
        snprintf(here, sizeof here, "13.4 (this driver is %d.%d): make the loop a fused one", version / 1000,
                 version % 1000 / 10);
        if (!can) {
            const sf_failure *f = sf_resident_failure(r);
            if (strcmp(f->where, way == 1 ? "last" : "resident") || !strstr(f->text, here)) { fail_msg("%s", f->text); }
            CHECK_IS(sf_resident_destroy(r), SF_ERROR_NOT_SUPPORTED);
            close_three(device);
            continue;
        }
        run_well(r, last);
        CHECK(seen.ran > 10);
        CHECK_EQUAL(seen.elsewhere, 0);
        CHECK_EQUAL(seen.in_other > 0, way > 0);
        CHECK_OK(sf_resident_get_info(r, &info));
        CHECK_EQUAL(info.partition, way == 1 ? -1 : 0);
        CHECK_EQUAL(plan_has(r, ", in partition 0 of "), way != 1);
        CHECK_EQUAL(plan_has(r, "  last, in partition 1\n"), way > 0);
        if (loop == SF_RESIDENT_LOOP_FAST) { CHECK_EQUAL(plan_has(r, "  side, in partition 1 (every 2"), way > 0); }
        CHECK(!plan_has(r, "  first, in partition"));
        for (size_t i = 0; i < fake_objects.count && way; i++) {
            const fake_node *n = (const fake_node *)fake_objects.items[i];
            for (size_t e = 0; n->magic == FAKE_NODE_MAGIC && e < n->after.count; e++) {
                CHECK_EQUAL(n->after.edges[e].type, 0);
            }
        }
        CHECK_OK(sf_resident_destroy(r));
        CHECK_EQUAL(mine->streams + other->streams, 0);
        close_three(device);
    }
}
/* A compute on a stream of its own that fails, or waits: the body's capture ends, and the operator is named. */
static int misdeed;
static sf_result misbehaves(sf_context *ctx)
{
    sf_result r = add_compute(ctx);
    if (misdeed) { (void)sf_stream_synchronize(sf_compute_stream(ctx), 0); }
    return misdeed ? r : SF_ERROR_USER;
}
static void computes_elsewhere_that_fail(void **state)
{
    (void)state;
    for (misdeed = 0; misdeed < 2; misdeed++) {
        const sf_result want = misdeed ? SF_ERROR_CAPTURE_UNSUPPORTED : SF_ERROR_USER;
        sf_device *device = open_three(13040);
        sf_op_desc op = { .name = "bad", .compute = misbehaves, .out = { { .name = "y", .bytes = 64 } } };
        sf_resident *r;
        (void)green_at(device, 1, &op.partition);
        r = sf_resident_create(&(sf_resident_desc){ .device = device });
        op.user = r;
        (void)sf_resident_add(r, &op);
        CHECK_IS(sf_resident_build(r), want);
        CHECK(!strcmp(sf_resident_failure(r)->where, "bad"));
        CHECK_IS(sf_resident_destroy(r), want);
        close_three(device);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(each_call_fails_once),
        DRIVER_TEST(a_clock_that_comes_late),
        DRIVER_TEST(a_node_without_a_name),
        DRIVER_TEST(a_library_takes_memory),
        DRIVER_TEST(a_fused_loop_in_a_partition),
        DRIVER_TEST(other_loops_in_a_partition),
        DRIVER_TEST(computes_elsewhere_that_fail),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("resident_driver", tests, NULL, NULL);
}
