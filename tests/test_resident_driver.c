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
static sf_resident *make(sf_device *device, sf_heap heap, sf_resident_loop loop, sf_op *last)
{
    bool branches = loop == SF_RESIDENT_LOOP_FAST;
    sf_resident *r = sf_resident_create(&(sf_resident_desc){
        .device = device, .heap = heap, .loop = loop, .measure_operators = branches, .stall_timeout = SF_MS(50) });
    sf_edge_desc late = { .delay = 2 };
    sf_op_desc op = { .name = "first", .compute = add_compute, .user = r, .start = start_hook, .stop = stop_hook,
                      .out = { { .name = "y", .bytes = 64 } } };
    sf_op first, side;
    if (!r) { return NULL; }
    first = sf_resident_add(r, &op);
    op.name = "last", op.user = NULL, op.in[0] = op.out[0], op.in[0].name = "x", op.out[0].external = true;
    *last = sf_resident_add(r, &op);
    (void)note("connect", sf_resident_connect(r, first, "y", *last, "x", branches ? &late : NULL));
    if (!branches) { return r; }
    op.name = "side", op.out[0].external = false;
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
static void run_program(sf_resident_loop loop, test_heap *heap)
{
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA, .cuda.resolve = fake_resolve,
                            .heap = { test_heap_alloc, test_heap_free, heap } };
    sf_device *device = NULL;
    sf_resident *r;
    sf_op last;
    rec.n = 0;
    ran = started = stopped = 0;
    if (note("open", sf_device_open(&desc, &device)) < 0) { return; }
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
static int open_driver(void **state)
{
    (void)state;
    clock_is_late = false;
    fake_more.list = ours;
    fake_more.count = COUNT(ours);
    fake_reset();
    return 0;
}
static int close_driver(void **state)
{
    (void)state;
    fake_more.count = 0;
    fake_reset();
    return 0;
}
#define DRIVER_TEST(func) cmocka_unit_test_setup_teardown(func, open_driver, close_driver)

static void each_call_fails_once(void **state)
{
    static const int codes[] = { 2, 700 };
    (void)state;
    for (size_t l = 0; l < COUNT(loops); l++) {
        test_heap heap = { 0 };
        uint32_t calls[FAKE_SYMBOLS], well;
        const char *symbols[FAKE_SYMBOLS];
        size_t count = 0, i;
        fake_reset();
        run_program(loops[l], &heap);
        for (i = 0; i < (size_t)rec.n; i++) {
            if (rec.r[i] != SF_OK) { fail_msg("loop %d: %s is %d", (int)loops[l], rec.call[i], (int)rec.r[i]); }
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
                fake_reset();
                fake.fail = symbol, fake.fail_at = at, fake.code = codes[i % COUNT(codes)];
                run_program(loops[l], &one);
                wrong = wrong_with(&one, well);
                if (!wrong) { continue; }
                fail_msg("loop %d, %s, call %u, code %d: %s; the first that failed: %s", (int)loops[l], symbol, at,
                         fake.code, wrong, first_failure());
            }
        }
        for (long at = 1; at <= heap.total; at++) {
            test_heap one = { .fail_at = at };
            const char *wrong;
            fake_reset();
            run_program(loops[l], &one);
            wrong = wrong_with(&one, well);
            if (wrong) { fail_msg("loop %d, request %ld of the heap: %s", (int)loops[l], at, wrong); }
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(each_call_fails_once),
        DRIVER_TEST(a_clock_that_comes_late),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("resident_driver", tests, NULL, NULL);
}
