/*  test_ending.c - how operators and flows end. Each test runs on every way to run a flow: on the caller's thread,
    step by step, in the background, by 1 to 8 workers, and on a task system. What comes out must be the same. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "jobs.h"
#include "hooks.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }
enum { HOUR = 3600, MANY = 64, WANTS = SF_ERROR_USER - 7 };
#define SECONDS(n) SF_MS((int64_t)(n) * 1000)

/* -- ways to run -- */

/* Threads stumble now and then where the library shares something, so that others overtake them there. */
static void stumble(const char *place)
{
    static __thread uint32_t n;
    (void)place;
    n = (n ? n : (uint32_t)(uintptr_t)&n) * 1664525u + 1013904223u;
    if (n >> 26 == 0) { sched_yield(); }
    if (n >> 23 == 0) { usleep(1); }
}

typedef enum how { RUN, STEP, START } how;
typedef struct way { const char *name; how how; int32_t workers; bool jobs; } way;
static const way ways[] = { { "sf_flow_run", RUN, 0, false },       { "sf_flow_step", STEP, 0, false },
                            { "sf_flow_start", START, 0, false },   { "1 worker", START, 1, false },
                            { "2 workers", START, 2, false },  { "3 workers", START, 3, false },
                            { "4 workers", START, 4, false },  { "8 workers", START, 8, false },
                            { "task system", START, 0, true }, { "jobs, sf_flow_run", RUN, 0, true } };
static const way *by;                                        /* the way of the test that runs */
static sf_flow *f;

/* Warnings of the flow: how many, and the last one. */
static struct {
    pthread_mutex_t lock;
    uint32_t count;
    char text[1024];
} warned = { .lock = PTHREAD_MUTEX_INITIALIZER };
static void take_warning(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                         const char *file, void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    if (level != 2) { return; }
    pthread_mutex_lock(&warned.lock);
    warned.count++;
    snprintf(warned.text, sizeof warned.text, "%s", message ? message : "");
    pthread_mutex_unlock(&warned.lock);
}

static sigset_t alarm_blocked(void)                          /* here, and in threads made here */
{
    sigset_t alarm, old;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &old);
    return old;
}

/* What an operator has received: how many, their sum, and a checksum of their order. Only its computes write. */
typedef struct tally { uint64_t count, sum, hash; int64_t last; } tally;
static tally tallies[16];
static void tally_add(tally *t, int64_t value)
{
    t->count++;
    t->sum += (uint64_t)value;
    t->hash = (t->hash ^ (uint64_t)value) * 1099511628211u;
    t->last = value;
}
static uint32_t word, reached;                               /* what computes and threads tell each other */
static sf_op ops[16];                                        /* of the flow that is built */

static void create(bool simulated)
{
    sf_flow_desc d = { .device = device, .logger.func = take_warning, .clock.simulated = simulated };
    d.workers[0].count = by->workers;
    if (by->jobs) {
        d.jobs.enqueue = job_enqueue;
        d.jobs.finish = job_finish;
    }
    f = sf_flow_create(&d);
    CHECK(f != NULL);
}
static void clear(void)
{
    notes_clear();
    memset(tallies, 0, sizeof tallies);
    test_store(&word, 0);
    test_store(&reached, 0);
    warned.count = 0;
    warned.text[0] = 0;
}
static void begin(void) { clear(), create(false); }
static void begin_simulated(void) { clear(), create(true); }

static struct { pthread_t thread; uint32_t ended; bool known; sf_result result; } runner;   /* known: it has ended */
static sf_result step_by_step(void)
{
    for (;;) {
        int64_t wake = -1;
        sf_result r = sf_flow_step(f, &wake);
        if (r == SF_DONE) { return SF_OK; }
        if (r < 0) { return r; }
        if (r == SF_IDLE) { usleep(20); }
    }
}
static void *run_it(void *arg)
{
    (void)arg;
    runner.result = by->how == STEP ? step_by_step() : sf_flow_run(f);
    test_store(&runner.ended, 1);
    return NULL;
}
static void launch(void)
{
    test_store(&runner.ended, 0);
    runner.known = false;
    if (by->how == START) {
        CHECK_OK(sf_flow_start(f));
    } else {
        CHECK_EQUAL(pthread_create(&runner.thread, NULL, run_it, NULL), 0);
    }
}
static bool over(int64_t timeout)                            /* the run has ended within that time */
{
    if (runner.known) { return true; }
    if (by->how == START) {
        runner.result = sf_flow_wait(f, timeout);
        runner.known = runner.result != SF_TIMEOUT;
    } else {
        for (int64_t end = sf_flow_now(NULL) + timeout; !test_load(&runner.ended) && sf_flow_now(NULL) < end;) {
            usleep(20);
        }
        runner.known = test_load(&runner.ended) && pthread_join(runner.thread, NULL) == 0;
    }
    return runner.known;
}
static const char *waits(void)                               /* of all operators, for the message of a hang */
{
    static char text[1024];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(ops) && ops[i].id; i++) {
        sf_op_info info;
        if (sf_op_get_info(f, ops[i], &info) < 0) { continue; }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n  op %zu: state %d, %llu runs; %s", i, (int)info.state,
                              (unsigned long long)info.runs, info.waits_for);
        if (n >= sizeof text) { break; }
    }
    return text;
}
static void outcome_is(sf_result want)
{
    if (!over(GUARD)) {
        char text[1024];
        snprintf(text, sizeof text, "%s", waits());
        sf_flow_stop(f);
        if (!over(GUARD / 4)) {
            printf("Bail out! %s: hangs even after sf_flow_stop()\n", by->name), fflush(stdout), _exit(1);
        }
        fail_msg("%s: hangs%s", by->name, text);
    }
    if (runner.result != want) {
        fail_msg("%s: the result is %d, %s\n  not %d, %s\n  %s", by->name, (int)runner.result,
                 sf_result_string(runner.result), (int)want, sf_result_string(want), sf_flow_failure(f)->text);
    }
}
static void ends(sf_result want) { launch(), outcome_is(want); }
static void end(void)
{
    CHECK(sf_flow_destroy(f) != SF_ERROR_INVALID_HANDLE);
    f = NULL;
    memset(ops, 0, sizeof ops);
}
static void goes_on(void) { CHECK(!over(SF_MS(20))); }       /* a while later it still runs */

static int setup_way(void **state)                           /* the device's threads take no signals */
{
    sigset_t old = alarm_blocked();
    int r = setup(state);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return r;
}
/* A body runs on every way. A failed case leaves `by`, and teardown says which way that was. */
static int teardown_way(void **state)
{
    if (by) { printf("# on the way: %s\n", by->name); }
    by = NULL;
    f = NULL;
    memset(ops, 0, sizeof ops);
    return teardown(state);
}
#define EACH_WAY(name)                                                                                       \
    static void name##_body(void);                                                                           \
    static void name(void **state)                                                                           \
    {                                                                                                        \
        (void)state;                                                                                         \
        for (by = ways; by < ways + COUNT(ways); by++) { name##_body(); }                                    \
        by = NULL;                                                                                           \
    }                                                                                                        \
    static void name##_body(void)

#define CHECK_QUIET()                                                                                        \
    do {                                                                                                     \
        if (warned.count) { fail_msg("%s: %u warnings; the last: %s", by->name, warned.count, warned.text); } \
    } while (0)
#define RUNS_ARE(op, n)                                                                                      \
    do {                                                                                                     \
        long long r_ = (long long)runs_of(f, op), n_ = (long long)(n);                                       \
        if (r_ != n_) { fail_msg("%s: runs of %s: %lld, not %lld", by->name, #op, r_, n_); }                 \
    } while (0)
#define GOT(id, n)                                                                                           \
    do {                                                                                                     \
        long long r_ = (long long)tallies[id].count, n_ = (long long)(n);                                    \
        if (r_ != n_) { fail_msg("%s: %d received %lld, not %lld", by->name, (int)(id), r_, n_); }           \
    } while (0)

/* -- operators -- */

static sf_result keep(sf_context *ctx)                       /* one message of each input */
{
    return tally_add(&tallies[id_of(ctx)], sf_receive_value(ctx, 0).i64), SF_OK;
}
static sf_result pass(sf_context *ctx)                       /* one of each input, summed up, to all outputs */
{
    int64_t sum = 0;
    for (int p = 0; p < 3; p++) {
        if (sf_available(ctx, p)) { sum += sf_receive_value(ctx, p).i64; }
    }
    tally_add(&tallies[id_of(ctx)], sum);
    return sf_emit_value(ctx, 0, number(sum));
}
static sf_op_desc desc_of(int id, sf_compute_func compute, int inputs, int outputs, uint64_t count)
{
    static const char *const names[] = { "a", "b", "c" }, *const outs[] = { "out", "out2" };
    sf_op_desc d = { .compute = compute, .user = &ids[id], .count = count };
    for (int p = 0; p < inputs; p++) { d.in[p].name = names[p]; }
    for (int p = 0; p < outputs; p++) { d.out[p].name = outs[p]; }
    return d;
}
static sf_op add(int id, const sf_op_desc *d) { return ops[id] = sf_flow_add(f, d); }
static sf_op add_op(int id, sf_compute_func compute, int inputs, int outputs, uint64_t count)
{
    sf_op_desc d = desc_of(id, compute, inputs, outputs, count);
    return add(id, &d);
}
static sf_op add_source(int id, uint64_t count) { return add_op(id, count_up, 0, 1, count); }
static sf_op add_pass(int id, int inputs, uint64_t count) { return add_op(id, pass, inputs, 1, count); }
static sf_op add_sink(int id, uint64_t count) { return add_op(id, keep, 1, 0, count); }
static void wire(sf_op from, sf_op to, const char *input, uint16_t delay)
{
    sf_edge_desc d = { .delay = delay, .capacity = (uint16_t)(delay + 1) };
    CHECK_OK(sf_flow_connect(f, from, NULL, to, input, &d));
}
static void wire_deep(sf_op from, sf_op to, const char *input, uint16_t capacity)
{
    CHECK_OK(sf_flow_connect(f, from, NULL, to, input, &(sf_edge_desc){ .capacity = capacity }));
}
static void wire_turns(sf_op from, sf_op to)
{
    CHECK_OK(sf_flow_connect(f, from, NULL, to, NULL, &(sf_edge_desc){ .control = true }));
}
static uint64_t dropped(void)
{
    sf_flow_info info;
    CHECK_OK(sf_flow_get_info(f, &info));
    return info.dropped;
}
static void counts_to(int id, int64_t n)                     /* it received 1, 2, ... n, in this order */
{
    tally want = { 0 };
    for (int64_t i = 1; i <= n; i++) { tally_add(&want, i); }
    GOT(id, n);
    CHECK_EQUAL(tallies[id].hash, want.hash);
}

/* -- lines and fan-outs -- */

/* What ends an operator in its compute number `ending.at`; a kind COUNT is set in the desc. */
typedef enum kind { BY_COUNT, BY_DONE, BY_OP_STOP, BY_USER_NEVER, BY_SIGNAL_NEVER, BY_FAILURE, KINDS } kind;
static struct { kind kind; uint64_t at; uint32_t over; } ending;
static sf_readiness never_after(void *user, int64_t now, int64_t *wake)
{
    (void)user, (void)now, (void)wake;
    return test_load(&ending.over) ? SF_NEVER : SF_READY;
}
static sf_result end_now(sf_context *ctx, sf_compute_func compute)
{
    sf_result r = compute(ctx);
    if (r < 0 || ctx->run + 1 != ending.at) { return r; }
    test_store(&ending.over, 1);
    switch (ending.kind) {
    case BY_DONE: return SF_DONE;
    case BY_OP_STOP: return sf_op_stop(ctx->flow, ctx->op);
    case BY_SIGNAL_NEVER: return sf_flow_signal(ctx->flow, ctx->op, 0, SF_NEVER);
    case BY_FAILURE: return sf_fail(ctx, (sf_result)WANTS, "as asked");
    default: return r;
    }
}
static sf_result pass_until(sf_context *ctx) { return end_now(ctx, pass); }
static sf_result keep_until(sf_context *ctx) { return end_now(ctx, keep); }
static sf_result count_until(sf_context *ctx) { return end_now(ctx, count_up); }
static void end_by(kind k, uint64_t at, sf_op_desc *d)
{
    ending.kind = k;
    ending.at = at;
    ending.over = 0;
    if (k == BY_COUNT) { d->count = at; }
    if (k == BY_FAILURE) { d->on_error = SF_ON_ERROR_STOP_OPERATOR; }
    if (k == BY_USER_NEVER) { d->when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom.check = never_after }; }
    if (k == BY_SIGNAL_NEVER) {
        d->when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true };
    }
}
EACH_WAY(a_sink_ends_its_line)
{
    for (int k = 0; k < KINDS; k++) {
        sf_op_desc d = desc_of(2, keep_until, 1, 0, 0);
        begin();
        end_by((kind)k, 3, &d);
        sf_op s = add_source(0, 0), p = add_pass(1, 1, 0), z = add(2, &d);
        connect(f, s, p), connect(f, p, z);
        ends(SF_OK);
        counts_to(2, 3);
        CHECK(runs_of(f, s) >= 3 && runs_of(f, s) <= 3 + 4);
        CHECK_EQUAL(warned.count, k == BY_FAILURE ? warned.count : 0);
        end();
    }
}
EACH_WAY(an_operator_ends_those_around_it)
{
    for (int k = 0; k < KINDS; k++) {
        sf_op_desc d = desc_of(1, pass_until, 1, 1, 0);
        begin();
        end_by((kind)k, 3, &d);
        sf_op s = add_source(0, 0), p = add(1, &d), z = add_sink(2, 0);
        connect(f, s, p), connect(f, p, z);
        ends(SF_OK);
        counts_to(2, k == BY_FAILURE ? 2 : 3);               /* of a compute that failed nothing leaves */
        RUNS_ARE(p, 3);
        end();
    }
}
EACH_WAY(a_source_ends_its_line)
{
    for (int k = 0; k < KINDS; k++) {
        sf_op_desc d = desc_of(0, count_until, 0, 1, 0);
        begin();
        end_by((kind)k, 5, &d);
        sf_op s = add(0, &d), p = add_pass(1, 1, 0), z = add_sink(2, 0);
        connect(f, s, p), wire_deep(p, z, NULL, 3);
        ends(SF_OK);
        counts_to(2, k == BY_FAILURE ? 4 : 5);
        CHECK_EQUAL(dropped(), 0);
        end();
    }
}
EACH_WAY(a_branch_ends)
{
    begin();
    sf_op s = add_source(0, 10), a = add_sink(1, 2), b = add_sink(2, 0);
    connect(f, s, a), connect(f, s, b);
    ends(SF_OK);
    counts_to(1, 2);
    counts_to(2, 10);
    RUNS_ARE(s, 10);
    CHECK(edge_of(f, a, 0, 0).messages <= 3);                /* the queue holds one */
    CHECK_QUIET();
    end();
}
EACH_WAY(a_source_ends_with_its_last_branch)
{
    begin();
    sf_op s = add_source(0, 0), a = add_sink(1, 2), b = add_pass(2, 1, 0), c = add_sink(3, 7);
    connect(f, s, a), connect(f, s, b), connect(f, b, c);
    ends(SF_OK);
    counts_to(1, 2);
    counts_to(3, 7);
    end();
}
EACH_WAY(an_operator_without_readers_works_for_itself)
{
    begin();
    sf_op s = add_source(0, 20), a = add_sink(1, 1), p = add_pass(2, 1, 0);
    connect(f, s, a), connect(f, s, p);                      /* nobody reads what p emits */
    ends(SF_OK);
    RUNS_ARE(p, 20);
    end();
}
static sf_result make_frame(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(paint(sf_compute_stream(ctx), t->data, NULL, NULL, (uint32_t)ctx->run + 1, 20));
    return sf_emit(ctx, 0, t);
}
static sf_result shade_frame(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *t = sf_tensor_create(ctx, 0, NULL);
    sf_result r = paint(sf_compute_stream(ctx), t->data, in->data, NULL, 100, 20);
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
static sf_result read_frame(sf_context *ctx)
{
    return tally_add(&tallies[id_of(ctx)], *(uint32_t *)sf_receive(ctx, 0)->data), SF_OK;
}
static sf_op add_frames(int id, sf_compute_func compute, uint64_t count, int32_t region)
{
    sf_op_desc d = desc_of(id, compute, compute == make_frame ? 0 : 1, compute == read_frame ? 0 : 1, count);
    d.out[0].bytes = compute == read_frame ? 0 : BYTES;
    d.out[0].memory = SF_MEMORY_PINNED;
    d.region = region;
    if (compute == read_frame) { d.when[0].kind = SF_CONDITION_STREAM; }
    return add(id, &d);
}
/* Tensors and kernels; with a region, which is one operator and ends with its first member, too. */
static void frames(int32_t region, uint64_t counts[4], uint64_t want)
{
    begin();
    sf_op s = add_frames(0, make_frame, counts[0], 0), a = add_frames(1, shade_frame, counts[1], region);
    sf_op b = add_frames(2, shade_frame, counts[2], region), z = add_frames(3, read_frame, counts[3], 0);
    connect(f, s, a), connect(f, a, b), connect(f, b, z);
    ends(SF_OK);
    GOT(3, want);
    CHECK_EQUAL(tallies[3].sum, 200 * want + want * (want + 1) / 2);
    if (region) { CHECK_EQUAL(runs_of(f, a), runs_of(f, b)); }
    end();
}
EACH_WAY(lines_of_kernels_and_regions)
{
    for (int32_t region = 0; region < (by->jobs ? 1 : 2); region++) {         /* a region takes no task system */
        for (int who = 0; who < 4; who++) {
            uint64_t counts[4] = { 0 };
            counts[who] = 5;
            frames(region, counts, 5);
        }
    }
}

/* -- joins -- */

static uint32_t amounts[3];                                  /* what emit_amount() emits at once, by operator */
static sf_result emit_amount(sf_context *ctx)
{
    for (uint32_t i = 1; i <= amounts[id_of(ctx)]; i++) {
        sf_result r = sf_emit_value(ctx, 0, number(i));
        if (r < 0) { return r; }
    }
    return SF_OK;
}
/* Source 0 emits all of its messages, then hands its turn to source 1, which does; a join adds them up. */
static sf_op uneven_join(uint32_t first, uint32_t second, uint16_t delay)
{
    amounts[0] = first;
    amounts[1] = second;
    sf_op_desc j = desc_of(2, pass, 2, 1, 0);
    j.name = "joiner";
    j.in[0].name = "longer";
    sf_op s = add_op(0, emit_amount, 0, 1, 1), t = add_op(1, emit_amount, 0, 1, 1), op = add(2, &j);
    wire_turns(s, t);
    CHECK_OK(sf_flow_connect(f, s, NULL, op, "longer", &(sf_edge_desc){ .capacity = 16, .delay = delay }));
    wire_deep(t, op, "b", 16);
    return op;
}
EACH_WAY(a_join_ends_with_its_shorter_side)
{
    begin();
    sf_op j = uneven_join(9, 4, 0), z = add_sink(3, 0);
    connect(f, j, z);
    ends(SF_OK);
    RUNS_ARE(j, 4);
    GOT(3, 4);
    CHECK_EQUAL(tallies[3].sum, 2 * (1 + 2 + 3 + 4));
    CHECK_EQUAL(dropped(), 5);
    CHECK_EQUAL(warned.count, 1);
    if (!strstr(warned.text, "joiner") || !strstr(warned.text, "longer") || !strstr(warned.text, "5")) {
        fail_msg("a warning without operator, port or number: %s", warned.text);
    }
    end();
}
EACH_WAY(either_side_of_a_join_may_be_the_longer)
{
    for (uint64_t n = 0; n < 2; n++) {
        begin();
        sf_op s = add_source(0, n ? 3 : 30), t = add_source(1, n ? 30 : 3), j = add_pass(2, 2, 0), z = add_sink(3, 0);
        wire(s, j, "a", 0), wire(t, j, "b", 0), connect(f, j, z);
        ends(SF_OK);
        GOT(3, 3);
        CHECK(warned.count <= 1);
        end();
    }
}
EACH_WAY(delays_account_for_what_is_left)
{
    begin();                                                 /* 2 + 5 messages meet 5 */
    sf_op j = uneven_join(5, 5, 2), z = add_sink(3, 0);
    connect(f, j, z);
    ends(SF_OK);
    GOT(3, 5);
    CHECK_EQUAL(dropped(), 2);
    CHECK_QUIET();
    end();
    begin();                                                 /* 2 + 6 messages meet 5 */
    j = uneven_join(6, 5, 2), z = add_sink(3, 0);
    connect(f, j, z);
    ends(SF_OK);
    GOT(3, 5);
    CHECK_EQUAL(dropped(), 3);
    CHECK_EQUAL(warned.count, 1);
    end();
}
EACH_WAY(no_warning_for_an_operator_that_nobody_needs)
{
    begin();
    sf_op j = uneven_join(9, 9, 0), z = add_sink(3, 2);
    connect(f, j, z);
    ends(SF_OK);
    GOT(3, 2);
    CHECK_QUIET();
    end();
}
static sf_result keep_and_stop(sf_context *ctx)
{
    (void)keep(ctx);
    return ctx->run == 1 ? (word == 1 ? sf_flow_stop(ctx->flow) : sf_flow_finish(ctx->flow)) : SF_OK;
}
EACH_WAY(no_warning_after_stop_or_finish)
{
    for (uint32_t k = 1; k <= 2; k++) {
        begin();
        word = k;
        sf_op s = add_source(0, 0), t = add_source(1, 0), j = add_pass(2, 2, 0);
        sf_op z = add_op(3, keep_and_stop, 1, 0, 0);
        wire(s, j, "a", 0), wire_deep(t, j, "b", 7), connect(f, j, z);
        ends(SF_OK);
        CHECK_QUIET();
        end();
    }
}
static sf_result stop_other(sf_context *ctx) { return ctx->run == 2 ? sf_op_stop(ctx->flow, ops[1]) : SF_OK; }
EACH_WAY(no_warning_in_front_of_a_loop_that_is_stopped)
{
    begin_simulated();                                       /* op 1 ends; op 0 works for it alone */
    sf_op_desc d = desc_of(1, pass, 1, 1, 0), t = desc_of(3, stop_other, 0, 0, 3);
    d.period = SECONDS(HOUR);
    t.period = SF_MS(1);
    sf_op a = add_pass(0, 2, 0), b = add(1, &d), s = add_source(2, 0);
    wire(s, a, "a", 0), wire(a, b, NULL, 0), wire(b, a, "b", 1), add(3, &t);
    ends(SF_OK);
    RUNS_ARE(a, 2);
    RUNS_ARE(b, 1);
    CHECK_QUIET();
    end();
}
EACH_WAY(a_batch_that_stays_short_is_left)
{
    for (int with = 0; with < 3; with++) {                   /* 7 messages in threes; some ask for the rest, too */
        begin_simulated();
        sf_op_desc d = desc_of(1, keep_values, 1, 0, 0);
        d.in[0].batch = with ? 1 : 3;
        d.in[0].capacity = 3;
        if (with) {
            d.when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .ports = 1, .count = 3, .any = 1 };
            d.when[1] = (sf_condition){ .kind = SF_CONDITION_EXPIRING, .ports = 1, .count = 3, .any = 1,
                                        .ns = SECONDS(HOUR) };
        }
        if (with == 2) {
            d.when[0] = d.when[1];
            d.when[1].kind = SF_CONDITION_NONE;
            d.when[0].any = 0;
        }
        sf_op s = add_source(0, 7), z = add(1, &d);
        connect(f, s, z);
        ends(SF_OK);
        RUNS_ARE(z, with ? 3 : 2);
        check_counts(1, 1, with ? 7 : 6);
        CHECK_EQUAL(dropped(), with ? 0 : 1);
        end();
    }
}
static sf_result take_three(sf_context *ctx)
{
    for (int i = 0; i < 3; i++) {
        tally_add(&tallies[2], sf_receive_value(ctx, sf_available(ctx, 0) ? 0 : 1).i64);
    }
    return SF_OK;
}
EACH_WAY(a_condition_asks_what_open_ports_can_still_bring)
{
    begin();                                                 /* three of 2 + 7 messages at a time, from either port */
    sf_op_desc d = desc_of(2, take_three, 2, 0, 0);
    d.in[0].capacity = d.in[1].capacity = 3;
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .ports = 3, .count = 3 };
    sf_op s = add_source(0, 2), t = add_source(1, 7), z = add(2, &d);
    wire_deep(s, z, "a", 3), wire_deep(t, z, "b", 3);
    ends(SF_OK);
    RUNS_ARE(z, 3);
    GOT(2, 9);
    CHECK_EQUAL(tallies[2].sum, 3 + 28);
    end();
}
EACH_WAY(an_ended_edge_drops_out_of_many)
{
    begin();
    sf_op_desc d = desc_of(2, NULL, 1, 0, 0);
    d.compute = keep_values;
    d.in[0].many = true;
    sf_op s = add_source(0, 3), t = add_source(1, 5), z = add(2, &d);
    connect(f, s, z), connect(f, t, z);
    ends(SF_OK);
    long long got[16];
    CHECK_EQUAL(notes_of(2, got, 16), 8);
    RUNS_ARE(z, 5);                                          /* one of each while both last */
    CHECK_EQUAL(dropped(), 0);
    CHECK_QUIET();
    end();
}
EACH_WAY(many_meets_a_required_input)
{
    begin();                                                 /* 5 turns of `many`, 4 messages of the other input */
    sf_op_desc d = desc_of(3, pass, 2, 1, 0);
    d.in[0].many = true;
    d.name = "joiner";
    sf_op s = add_source(0, 3), t = add_source(1, 5), u = add_source(2, 4), z = add(3, &d), k = add_sink(4, 0);
    wire(s, z, "a", 0), wire(t, z, "a", 0), wire(u, z, "b", 0), connect(f, z, k);
    ends(SF_OK);
    RUNS_ARE(z, 4);
    GOT(4, 4);
    end();
}
EACH_WAY(the_latest_value_is_read_once_more)
{
    begin_simulated();
    sf_op_desc d = desc_of(1, keep, 1, 0, 0);
    d.period = SF_MS(1);
    sf_op_desc from = desc_of(0, count_up, 0, 1, 5);
    from.period = SF_MS(3);
    sf_op s = add(0, &from), z = add(1, &d);
    CHECK_OK(sf_flow_connect(f, s, NULL, z, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    ends(SF_OK);
    CHECK_EQUAL(tallies[1].last, 5);
    CHECK(tallies[1].count >= 5);
    end();
}
EACH_WAY(the_latest_value_waits_for_its_reader)
{
    begin();                                                 /* the source ends long before its reader looks */
    sf_op_desc d = desc_of(1, keep, 1, 0, 0);
    sf_op s = add_op(0, emit_amount, 0, 1, 1), z = add(1, &d);
    amounts[0] = 1;
    CHECK_OK(sf_flow_connect(f, s, NULL, z, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    ends(SF_OK);                                             /* until the end is known it may read it again */
    CHECK(tallies[1].count >= 1);
    CHECK_EQUAL(tallies[1].sum, tallies[1].count);
    if (by->workers < 2 && !by->jobs) { GOT(1, 1); }
    end();
}
EACH_WAY(latest_inputs_join_a_required_one)
{
    begin();                                                 /* LATEST needs its first value alone */
    sf_op s = add_source(0, 1), t = add_source(1, 9), j = add_pass(2, 2, 0), z = add_sink(3, 0);
    CHECK_OK(sf_flow_connect(f, s, NULL, j, "a", &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    wire(t, j, "b", 0), connect(f, j, z);
    ends(SF_OK);
    GOT(3, 9);
    CHECK_EQUAL(tallies[3].sum, 9 + 45);
    end();
    begin();                                                 /* a LATEST edge whose source never emits */
    s = add_op(0, nothing, 0, 1, 3), t = add_source(1, 9), j = add_pass(2, 2, 0), z = add_sink(3, 0);
    CHECK_OK(sf_flow_connect(f, s, NULL, j, "a", &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
    wire(t, j, "b", 0), connect(f, j, z);
    ends(SF_OK);
    GOT(3, 0);
    end();
}
static sf_result take_what_is_there(sf_context *ctx)
{
    if (sf_available(ctx, 0)) { (void)keep(ctx); }
    return SF_OK;
}
EACH_WAY(optional_inputs_make_no_end)
{
    begin();                                                 /* a source that may be told something */
    sf_op_desc d = desc_of(1, take_what_is_there, 1, 0, 50);
    d.in[0].optional = true;
    sf_op s = add_source(0, 2), z = add(1, &d);
    wire_deep(s, z, NULL, 8);
    ends(SF_OK);
    RUNS_ARE(z, 50);
    end();
    begin();                                                 /* its reader ends it */
    d = desc_of(1, pass, 1, 1, 0);
    d.in[0].optional = true;
    s = add_source(0, 2), z = add(1, &d);
    sf_op k = add_sink(2, 30);
    connect(f, s, z), connect(f, z, k);
    ends(SF_OK);
    GOT(2, 30);
    end();
    begin();                                                 /* a condition that names the input needs messages */
    d = desc_of(1, keep, 1, 0, 0);
    d.in[0].optional = true;
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .ports = 1, .count = 1 };
    s = add_source(0, 4), z = add(1, &d);
    connect(f, s, z);
    ends(SF_OK);
    counts_to(1, 4);
    end();
}
static sf_result tick(sf_context *ctx) { return tallies[id_of(ctx)].count++, SF_OK; }
EACH_WAY(turns_end_as_a_whole)
{
    begin();
    sf_op s = add_op(0, tick, 0, 0, 3), t = add_op(1, tick, 0, 0, 5), z = add_op(2, tick, 0, 0, 0);
    wire_turns(s, z), wire_turns(t, z);
    ends(SF_OK);
    RUNS_ARE(z, 8);
    end();
    begin();                                                 /* readers by turns are readers */
    s = add_op(0, tick, 0, 0, 0), t = add_op(1, tick, 0, 0, 0), z = add_op(2, tick, 0, 0, 4);
    wire_turns(s, z), wire_turns(t, z);
    ends(SF_OK);
    RUNS_ARE(z, 4);
    end();
    begin();                                                 /* 3 + 2 turns, 9 messages */
    s = add_op(0, tick, 0, 0, 3), t = add_op(1, tick, 0, 0, 2);
    sf_op m = add_source(2, 9);
    z = add_sink(3, 0);
    wire_turns(s, z), wire_turns(t, z), connect(f, m, z);
    ends(SF_OK);
    counts_to(3, 5);
    end();
}

/* -- loops -- */

static sf_result step_on(sf_context *ctx)                    /* as pass(), and one more */
{
    int64_t sum = 1;
    for (int p = 0; p < 3; p++) {
        if (sf_available(ctx, p)) { sum += sf_receive_value(ctx, p).i64; }
    }
    tally_add(&tallies[id_of(ctx)], sum);
    return sf_emit_value(ctx, 0, number(sum));
}
static sf_result step_until(sf_context *ctx) { return end_now(ctx, step_on); }
/* A ring of `n` operators, `d` messages in front of operator `at`. Operator `who` ends in its compute 4. The others
   run once for each of its messages, and for each message that lies on the way from it. A reader outside ends behind
   the operator that it reads from: what follows in the ring may run less often then. */
static void ring(int n, int who, kind k, int at, uint16_t d, int reader)
{
    uint64_t want = k == BY_FAILURE ? 3 : 4;
    bool needed = reader != who;
    begin();
    for (int i = 0; i < n; i++) {
        sf_op_desc desc = desc_of(i, i == who ? step_until : step_on, 1, 1, 0);
        if (i == who) { end_by(k, 4, &desc); }
        add(i, &desc);
    }
    for (int i = 0; i < n; i++) { wire(ops[i], ops[(i + 1) % n], NULL, (i + 1) % n == at ? d : 0); }
    if (reader >= 0) { connect(f, ops[reader], add_sink(n, 0)); }
    ends(SF_OK);
    RUNS_ARE(ops[who], 4);
    if (reader == who) { GOT(n, want); }
    for (int i = (who + 1) % n; i != who; i = (i + 1) % n) {
        uint64_t runs = runs_of(f, ops[i]);
        want += i == at ? d : 0;
        if (needed ? runs != want : runs > want) {
            fail_msg("%s: %d of %d ends by %d, %u messages before %d, reader %d: %d ran %llu times, not %llu",
                     by->name, who, n, (int)k, d, at, reader, i, (unsigned long long)runs, (unsigned long long)want);
        }
        if (i == reader) { GOT(n, want); }
        needed &= i != reader;
    }
    CHECK_QUIET();
    end();
}
static void rings(int n, int first_reader, int readers)
{
    for (int who = 0; who < n; who++) {
        for (int at = 0; at < n; at++) {
            for (int reader = first_reader; reader < readers; reader++) {
                ring(n, who, BY_COUNT, at, 1, reader);
                ring(n, who, (kind)((who + at + reader + 1) % KINDS), at, 2, reader);
            }
        }
    }
}
EACH_WAY(a_loop_goes_round_until_somebody_lacks_a_message)
{
    for (int n = 1; n <= 3; n++) { rings(n, -1, 0); }
}
EACH_WAY(a_loop_with_a_reader_outside)
{
    for (int n = 1; n <= 3; n++) { rings(n, 0, n); }
}
EACH_WAY(a_reader_outside_ends_its_loop)
{
    for (int at = 0; at < 3; at++) {
        begin();
        for (int i = 0; i < 3; i++) { add_pass(i, 1, 0); }
        for (int i = 0; i < 3; i++) { wire(ops[i], ops[(i + 1) % 3], NULL, at == (i + 1) % 3 ? 2 : 0); }
        connect(f, ops[1], add_sink(3, 5));
        ends(SF_OK);
        GOT(3, 5);
        CHECK_QUIET();
        end();
    }
}
EACH_WAY(the_last_of_two_readers_ends_its_loop)
{
    begin();
    sf_op a = add_pass(0, 1, 0), b = add_pass(1, 1, 0), y = add_sink(2, 3), p = add_pass(3, 1, 0), z = add_sink(4, 8);
    wire(a, b, NULL, 0), wire(b, a, NULL, 1), connect(f, a, y), connect(f, b, p), connect(f, p, z);
    ends(SF_OK);
    GOT(2, 3);
    GOT(4, 8);
    end();
}
/* A source feeds operator 0, which joins it with the loop's message; `counts`: of source, both members, reader. */
static void fed_loop(const uint64_t counts[4], bool reader, uint16_t before_0, uint16_t before_1)
{
    begin();
    sf_op a = add_pass(0, 2, counts[1]), b = add_pass(1, 1, counts[2]), s = add_source(2, counts[0]);
    wire(s, a, "b", 0), wire(a, b, NULL, before_1), wire(b, a, "a", before_0);
    if (reader) { connect(f, a, add_sink(3, counts[3])); }
    ends(SF_OK);
}
EACH_WAY(a_source_feeds_a_loop)
{
    for (int reader = 0; reader < 2; reader++) {
        fed_loop((uint64_t[]){ 6, 0, 0, 0 }, reader, 1, 0);  /* the source ends */
        RUNS_ARE(ops[0], 6);
        RUNS_ARE(ops[1], 6);
        RUNS_ARE(ops[2], 6);
        if (reader) { GOT(3, 6); }
        end();
        fed_loop((uint64_t[]){ 6, 0, 0, 0 }, reader, 0, 1);
        RUNS_ARE(ops[0], 6);
        RUNS_ARE(ops[1], 7);
        end();
        fed_loop((uint64_t[]){ 0, 4, 0, 0 }, reader, 1, 0);  /* a member ends: */
        RUNS_ARE(ops[0], 4);
        RUNS_ARE(ops[1], 4);
        CHECK_QUIET();
        end();
        fed_loop((uint64_t[]){ 0, 0, 4, 0 }, reader, 1, 0);  /* the last message meets one of the source's ... */
        RUNS_ARE(ops[1], 4);
        CHECK(runs_of(f, ops[0]) <= 5 && runs_of(f, ops[0]) >= 4);
        if (reader) { GOT(3, 5); }                           /* ... for sure only if somebody needs it */
        end();
    }
    fed_loop((uint64_t[]){ 0, 0, 0, 5 }, true, 1, 0);        /* the reader ends */
    GOT(3, 5);
    end();
}
/* Operator i of a loop of three ends in compute 5; runs[] are those of all. `edges`: from, to, delay. */
typedef struct arc { int from, to; uint16_t delay; } arc;
static void three(const arc *links, int count, int who, const uint64_t runs[3], int reader)
{
    const char *const names[] = { "a", "b", "c" };
    int inputs[3] = { 0 }, wired[3] = { 0 };
    begin();
    for (int i = 0; i < count; i++) { inputs[links[i].to]++; }
    for (int i = 0; i < 3; i++) { add_pass(i, inputs[i], i == who ? 5 : 0); }
    for (int i = 0; i < count; i++) {
        wire(ops[links[i].from], ops[links[i].to], names[wired[links[i].to]++], links[i].delay);
    }
    if (reader >= 0) { connect(f, ops[reader], add_sink(3, 0)); }
    ends(SF_OK);
    for (int i = 0; i < 3; i++) {
        if (reader < 0 || reader == i ? runs_of(f, ops[i]) != runs[i] : runs_of(f, ops[i]) > runs[i]) {
            fail_msg("%s: %d ends, reader of %d: %d ran %llu times, not %llu", by->name, who, reader, i,
                     (unsigned long long)runs_of(f, ops[i]), (unsigned long long)runs[i]);
        }
    }
    if (reader >= 0) { GOT(3, runs[reader]); }
    CHECK_QUIET();
    end();
}
EACH_WAY(two_loops_that_share_an_operator)
{
    static const arc links[] = { { 0, 1, 0 }, { 1, 0, 1 }, { 1, 2, 0 }, { 2, 1, 1 } };
    static const uint64_t runs[3][3] = { { 5, 5, 5 }, { 6, 5, 5 }, { 7, 6, 5 } };
    for (int reader = -1; reader < 3; reader++) {
        for (int who = 0; who < 3; who++) { three(links, 4, who, runs[who], reader); }
    }
}
EACH_WAY(nested_loops)
{
    static const arc links[] = { { 0, 1, 0 }, { 1, 2, 0 }, { 2, 1, 1 }, { 2, 0, 1 } };
    static const uint64_t runs[3][3] = { { 5, 5, 5 }, { 6, 5, 5 }, { 6, 6, 5 } };
    for (int reader = -1; reader < 3; reader++) {
        for (int who = 0; who < 3; who++) { three(links, 4, who, runs[who], reader); }
    }
}
static sf_result drop_all(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), tick(ctx); }
EACH_WAY(a_loop_whose_filter_drops_everything)
{
    for (uint16_t d = 1; d <= 3; d++) {
        begin();
        sf_op a = add_pass(0, 1, 0), b = add_op(1, drop_all, 1, 1, 0), z = add_sink(2, 0);
        wire(a, b, NULL, 0), wire(b, a, NULL, d), connect(f, a, z);
        ends(SF_OK);
        RUNS_ARE(a, d);
        RUNS_ARE(b, d);
        GOT(2, d);
        end();
    }
}

/* -- operators that nobody needs, and what keeps a flow alive -- */

typedef enum hold { PERIOD, SIGNAL, USER, USER_WAKE, LEAVES, MEMORY, HOLDS } hold;
static sf_readiness ready_once(void *user, int64_t now, int64_t *wake)
{
    if (test_load(&word) == 0) { return SF_READY; }
    if (user) { *wake = now + SECONDS(HOUR); }
    return SF_WAIT;
}
static void once(void *user, int64_t now) { (void)user, (void)now, test_store(&word, 1); }
static sf_result emit_at_first(sf_context *ctx)              /* and leaves all messages */
{
    return ctx->run == 0 ? sf_emit_value(ctx, 0, number(1)) : SF_OK;
}
static sf_tensor *retained[4];
static sf_result emit_block(sf_context *ctx)
{
    if (ctx->user == &ids[1]) { (void)sf_receive_value(ctx, 0); }
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static sf_result retain_block(sf_context *ctx)
{
    retained[ctx->run] = sf_tensor_retain(sf_receive(ctx, 0));
    return tick(ctx);
}
static sf_mem_pool *pool_of(size_t blocks)
{
    sf_mem_pool_desc d = { .memory = SF_MEMORY_PINNED, .block_bytes = BYTES, .blocks = blocks };
    sf_mem_pool *pool = NULL;
    CHECK_OK(sf_mem_pool_create(device, &d, &pool));
    return pool;
}
static void hold_up(sf_op_desc *d, hold h, sf_mem_pool *pool)       /* it runs once, then it is held up */
{
    if (h == PERIOD) { d->period = SECONDS(HOUR); }
    if (h == SIGNAL) { d->when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_READY }; }
    if (h == USER || h == USER_WAKE) {
        d->when[0] = (sf_condition){ .kind = SF_CONDITION_USER,
                                     .custom = { ready_once, once, h == USER_WAKE ? &word : NULL } };
    }
    if (h == LEAVES) { d->compute = emit_at_first; }
    if (h == MEMORY) {
        d->compute = emit_block;
        d->out[0].pool = pool;
        d->out[0].bytes = BYTES;
    }
}
EACH_WAY(nobody_waits_for_an_operator_that_nobody_needs)
{
    for (int h = 0; h < HOLDS; h++) {
        for (int inputs = 0; inputs < 2; inputs++) {
            sf_mem_pool *pool = h == MEMORY ? pool_of(1) : NULL;
            begin();
            sf_op_desc d = desc_of(inputs, inputs ? pass : count_up, inputs, 1, 0);
            hold_up(&d, (hold)h, pool);
            sf_op x = add(inputs, &d), z = add_op(2, h == MEMORY ? retain_block : keep, 1, 0, 1);
            connect(f, x, z);
            if (inputs) { connect(f, add_source(0, 0), x); }
            ends(SF_OK);                                     /* and not after an hour */
            GOT(2, 1);
            if (h != LEAVES) { RUNS_ARE(x, 1); }
            if (h == MEMORY) { sf_tensor_release(retained[0]); }
            end();
            if (pool) { CHECK_OK(sf_mem_pool_destroy(pool)); }
        }
    }
}
EACH_WAY(an_open_external_input_keeps_a_flow_alive)
{
    begin();
    sf_op_desc d = desc_of(0, pass, 1, 1, 0);
    d.in[0].external = true;
    d.in[0].capacity = 4;
    sf_op x = add(0, &d), z = add_sink(1, 0);
    connect(f, x, z);
    launch();
    goes_on();
    for (int64_t i = 1; i <= 3; i++) { CHECK_OK(sf_flow_push_value(f, x, 0, number(i))); }
    goes_on();
    CHECK_OK(sf_flow_finish(f));
    outcome_is(SF_OK);
    counts_to(1, 3);
    end();
}
EACH_WAY(an_external_input_closes_with_the_last_reader)
{
    begin();
    sf_op_desc d = desc_of(0, pass, 1, 1, 0);
    d.in[0].external = true;
    d.in[0].capacity = 4;
    sf_op x = add(0, &d), z = add_sink(1, 2);
    connect(f, x, z);
    launch();
    for (int64_t i = 1; i <= 2; i++) {
        sf_result r;
        /* Not yet. */
        while ((r = sf_flow_push_value(f, x, 0, number(i))) == SF_ERROR_ILLEGAL_STATE) { usleep(50); }
        CHECK_OK(r);
    }
    outcome_is(SF_OK);
    counts_to(1, 2);
    end();
}
EACH_WAY(a_signal_that_says_wait_keeps_a_flow_alive)
{
    begin();
    sf_op_desc d = desc_of(0, count_up, 0, 1, 3);
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .latch = true };
    sf_op x = add(0, &d), z = add_sink(1, 0);
    connect(f, x, z);
    launch();
    goes_on();
    CHECK_OK(sf_flow_signal(f, x, 0, SF_READY));
    outcome_is(SF_OK);
    counts_to(1, 3);
    end();
}
static sf_readiness in_a_while(void *user, int64_t now, int64_t *wake)
{
    static int64_t at;
    (void)user;
    if (test_load(&reached) == 0) { at = now + SF_MS(5), test_store(&reached, 1); }
    *wake = at;
    return now < at ? SF_WAIT : SF_READY;
}
EACH_WAY(a_time_keeps_a_flow_alive)
{
    for (int k = 0; k < 3; k++) {
        for (int simulated = 0; simulated < 2; simulated++) {
            clear(), create(simulated);
            sf_op_desc d = desc_of(0, count_up, 0, 1, 2);
            if (k == 0) { d.period = SF_MS(3); }
            if (k == 1) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_TIME, .ns = sf_flow_now(f) + SF_MS(5) }; }
            if (k == 2) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom.check = in_a_while }; }
            sf_op x = add(0, &d), z = add_sink(1, 0);
            connect(f, x, z);
            ends(SF_OK);
            counts_to(1, 2);
            end();
        }
    }
}
static sf_tensor *outside;                                   /* a tensor that a thread holds */
static sf_result hand_out(sf_context *ctx)
{
    __atomic_store_n(&outside, sf_tensor_retain(sf_receive(ctx, 0)), __ATOMIC_RELEASE);
    return tick(ctx);
}
static void *release_later(void *arg)
{
    uint32_t n = 1;
    while (!test_load((uint32_t *)arg)) {
        sf_tensor *t = __atomic_exchange_n(&outside, NULL, __ATOMIC_ACQ_REL);
        n = n * 1664525u + 1013904223u;
        if (t && n >> 31) { usleep(n >> 22); }               /* at once, or within a millisecond */
        sf_tensor_release(t);
    }
    return NULL;
}
EACH_WAY(memory_held_outside_keeps_a_flow_alive)
{
    sf_mem_pool *pool = pool_of(1);
    pthread_t thread;
    begin();
    sf_op_desc d = desc_of(0, emit_block, 0, 1, 100);
    d.out[0].pool = pool;
    d.out[0].bytes = BYTES;
    sf_op x = add(0, &d), z = add_op(1, hand_out, 1, 0, 0);
    connect(f, x, z);
    CHECK_EQUAL(pthread_create(&thread, NULL, release_later, &word), 0);
    ends(SF_OK);
    GOT(1, 100);
    test_store(&word, 1);
    pthread_join(thread, NULL);
    sf_tensor_release(__atomic_exchange_n(&outside, NULL, __ATOMIC_ACQ_REL));
    end();
    CHECK_OK(sf_mem_pool_destroy(pool));
}
static void names_it(const char *a, const char *b)
{
    const char *text = sf_flow_failure(f)->text;
    if (!strstr(text, a) || !strstr(text, b)) { fail_msg("%s: no %s, or no %s, in: %s", by->name, a, b, text); }
}
static sf_result mostly_left(sf_context *ctx)
{
    sf_result r = sf_emit_value(ctx, 0, number(1));
    return r < 0 || ctx->run % 4 != 3 ? r : sf_emit_value(ctx, 1, number(1));
}
EACH_WAY(a_deadlock_names_operators_and_ports)
{
    for (int signal = 0; signal < 2; signal++) {
        begin();                                             /* one waits for room, one for a message */
        sf_op_desc d = desc_of(0, mostly_left, 0, 2, 0), j = desc_of(1, nothing, 2, 0, 0);
        d.name = "generous";
        j.name = "joiner";
        if (signal) { j.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true }; }
        sf_op s = add(0, &d), z = add(1, &j);
        CHECK_OK(sf_flow_connect(f, s, "out", z, "a", NULL));
        CHECK_OK(sf_flow_connect(f, s, "out2", z, "b", NULL));
        ends(SF_ERROR_DEADLOCK);                             /* a latched READY promises nothing */
        names_it("generous", "joiner");
        end();
    }
}
static sf_readiness waits_always(void *user, int64_t now, int64_t *wake)
{
    return (void)user, (void)now, (void)wake, SF_WAIT;
}
EACH_WAY(a_condition_without_a_time_is_no_promise)
{
    begin();
    sf_op_desc d = desc_of(0, count_up, 0, 1, 3);
    d.name = "waiter";
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom.check = waits_always };
    sf_op x = add(0, &d), z = add_sink(1, 0);
    connect(f, x, z);
    ends(SF_ERROR_DEADLOCK);
    names_it("waiter", "USER");
    end();
}
EACH_WAY(who_leaves_messages_waits_for_a_change)
{
    begin_simulated();                                       /* called once for each of five messages */
    sf_op_desc d = desc_of(0, count_up, 0, 1, 5);
    d.period = SF_MS(1);
    sf_op_desc l = desc_of(1, tick, 1, 0, 0);
    l.name = "leaver";
    sf_op s = add(0, &d), x = add(1, &l);
    wire_deep(s, x, NULL, 8);
    ends(SF_ERROR_DEADLOCK);
    names_it("leaver", "message");
    RUNS_ARE(x, 5);
    end();
    begin_simulated();                                       /* for each of five messages, and ten times */
    l = desc_of(1, tick, 1, 0, 14);
    l.period = SF_MS(1);
    s = add_op(0, emit_amount, 0, 1, 1), x = add(1, &l);
    amounts[0] = 5;
    wire_deep(s, x, NULL, 8);
    ends(SF_OK);
    RUNS_ARE(x, 14);
    end();
}
EACH_WAY(who_receives_or_emits_runs_again)
{
    begin();                                                 /* one message is received in its fifth compute */
    sf_op_desc d = desc_of(1, NULL, 1, 1, 20);
    d.compute = count_up;                                    /* receives nothing and emits each time */
    sf_op s = add_source(0, 1), x = add(1, &d), z = add_sink(2, 0);
    connect(f, s, x), connect(f, x, z);
    ends(SF_OK);
    counts_to(2, 20);
    end();
    begin();                                                 /* a source that emits nothing */
    s = add_op(0, tick, 0, 1, 7), z = add_sink(2, 0);
    connect(f, s, z);
    ends(SF_OK);
    GOT(0, 7);
    GOT(2, 0);
    end();
}

/* -- sf_flow_finish() -- */

static rng dice;
static sf_result keep_and_tell(sf_context *ctx) { return test_add(&reached, 1), keep(ctx); }
static void in_line(int sink, sf_op source)                  /* all that the source emitted came, in order */
{
    counts_to(sink, (int64_t)runs_of(f, source));
    CHECK_EQUAL(dropped(), 0);
    CHECK_QUIET();
}
static void build_line(sf_compute_func source, sf_compute_func sink)        /* endless; deep queues */
{
    sf_op s = add_op(0, source, 0, 1, 0), p = add_pass(1, 1, 0), z = add_op(2, sink, 1, 0, 0);
    wire_deep(s, p, NULL, 4), wire_deep(p, z, NULL, 5);
}
EACH_WAY(finish_at_any_moment_loses_nothing)
{
    dice = rng_seed(1);
    for (uint32_t round = 0; round < 8 + test_seeds() / 100; round++) {
        begin();
        build_line(count_up, keep_and_tell);
        launch();
        if (round % 2) { until(&reached, 1); }               /* else perhaps before it starts */
        usleep(rng_below(&dice, 300));
        CHECK_OK(sf_flow_finish(f));
        outcome_is(SF_OK);
        in_line(2, ops[0]);
        end();
    }
}
static sf_result finish_in_fifth(sf_context *ctx)
{
    sf_result r = count_up(ctx);
    return r < 0 || ctx->run != 4 ? r : sf_flow_finish(ctx->flow);
}
EACH_WAY(finish_from_a_compute_is_after_it)
{
    begin();
    build_line(finish_in_fifth, keep);
    ends(SF_OK);
    RUNS_ARE(ops[0], 5);
    in_line(2, ops[0]);
    end();
}
static void on_alarm(int signal)
{
    int kept = errno;
    (void)signal;
    if (test_add(&word, 1) == 0) { (void)sf_flow_finish(f); } else { (void)sf_flow_stop(f); }
    errno = kept;
}
static sf_result raise_in_fifth(sf_context *ctx)
{
    sf_result r = count_up(ctx);
    if (ctx->run == 4) {                                     /* the library's threads block it */
        sigset_t alarms, before;
        sigemptyset(&alarms);
        sigaddset(&alarms, SIGALRM);
        pthread_sigmask(SIG_UNBLOCK, &alarms, &before);
        raise(SIGALRM);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return r;
}
EACH_WAY(finish_from_a_signal_handler)
{
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, &old);
    begin();
    build_line(raise_in_fifth, keep);
    ends(SF_OK);
    RUNS_ARE(ops[0], 5);
    in_line(2, ops[0]);
    end();
    for (uint32_t round = 0; round < 5 + test_seeds() / 200; round++) {      /* whatever it does then */
        begin();
        build_line(count_up, keep_and_tell);
        launch();
        until(&reached, 1 + rng_below(&dice, 20));
        raise(SIGALRM);                                      /* while the flow's threads run */
        outcome_is(SF_OK);
        in_line(2, ops[0]);
        end();
    }
    begin();                                                 /* a second one stops it */
    build_line(count_up, keep_and_tell);
    sf_op_desc d = desc_of(3, tick, 1, 0, 0);
    d.when[0].kind = SF_CONDITION_SIGNAL;
    connect(f, ops[0], add(3, &d));
    launch();
    until(&reached, 1);
    raise(SIGALRM);
    goes_on();
    raise(SIGALRM);
    outcome_is(SF_OK);
    end();
    sigaction(SIGALRM, &old, NULL);
}
EACH_WAY(finish_is_kept_for_the_next_run_once)
{
    for (int calls = 1; calls <= 2; calls++) {
        begin();
        sf_op s = add_source(0, 50), z = add_sink(1, 0);
        connect(f, s, z);
        for (int i = 0; i < calls; i++) { CHECK_OK(sf_flow_finish(f)); }
        ends(SF_OK);
        RUNS_ARE(s, 0);
        GOT(1, 0);
        ends(SF_OK);
        counts_to(1, 50);
        end();
    }
}
EACH_WAY(finish_twice_is_finish)
{
    begin();
    build_line(count_up, keep_and_tell);
    launch();
    until(&reached, 3);
    CHECK_OK(sf_flow_finish(f));
    CHECK(sf_flow_finish(f) >= 0);
    outcome_is(SF_OK);
    in_line(2, ops[0]);
    end();
}
EACH_WAY(a_paused_flow_finishes_when_it_goes_on)
{
    begin();
    build_line(count_up, keep_and_tell);
    launch();
    until(&reached, 3);
    CHECK_OK(sf_flow_pause(f, true));
    CHECK_OK(sf_flow_finish(f));
    goes_on();
    CHECK_OK(sf_flow_pause(f, false));
    outcome_is(SF_OK);
    in_line(2, ops[0]);
    end();
}
EACH_WAY(stop_after_finish_ends_at_once)
{
    begin();
    build_line(count_up, keep);
    sf_op_desc d = desc_of(3, tick, 1, 0, 0);
    d.when[0].kind = SF_CONDITION_SIGNAL;
    connect(f, ops[0], add(3, &d));
    launch();
    usleep(1000);
    CHECK_OK(sf_flow_finish(f));
    usleep(1000);
    while (!over(SF_MS(1))) { (void)sf_flow_stop(f); }            /* which an unstarted run does not keep */
    outcome_is(SF_OK);
    end();
}
static sf_result at_what_time(sf_context *ctx) { return note_down(3, sf_flow_now(ctx->flow)), pass(ctx); }
EACH_WAY(times_hold_during_a_finish)
{
    begin_simulated();
    sf_op_desc d = desc_of(1, at_what_time, 1, 1, 0);
    d.period = SF_MS(2);
    sf_op s = add_op(0, finish_in_fifth, 0, 1, 0), p = add(1, &d), z = add_sink(2, 0);
    wire_deep(s, p, NULL, 8), connect(f, p, z);
    ends(SF_OK);
    in_line(2, s);
    GOT(2, 5);
    long long at[8];
    CHECK_EQUAL(notes_of(3, at, 8), 5);
    for (int i = 1; i < 5; i++) { CHECK_EQUAL(at[i] - at[i - 1], SF_MS(2)); }
    end();
}
EACH_WAY(signals_hold_during_a_finish)
{
    begin();
    sf_op_desc d = desc_of(1, pass, 1, 1, 0);
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .latch = true };
    sf_op s = add_op(0, finish_in_fifth, 0, 1, 0), p = add(1, &d), z = add_sink(2, 0);
    wire_deep(s, p, NULL, 8), connect(f, p, z);
    launch();
    goes_on();
    CHECK_OK(sf_flow_signal(f, p, 0, SF_READY));
    outcome_is(SF_OK);
    GOT(2, 5);
    in_line(2, s);
    end();
}
static sf_result step_and_tell(sf_context *ctx) { return test_add(&reached, 1), step_on(ctx); }
EACH_WAY(finish_ends_loops_that_nobody_feeds)
{
    for (int n = 1; n <= 3; n++) {
        for (int reader = -1; reader < n; reader++) {
            begin();
            for (int i = 0; i < n; i++) { add_op(i, i ? step_on : step_and_tell, 1, 1, 0); }
            for (int i = 0; i < n; i++) { wire(ops[i], ops[(i + 1) % n], NULL, i == n - 1 ? 2 : 0); }
            if (reader >= 0) { connect(f, ops[reader], add_sink(n, 0)); }
            launch();
            until(&reached, 5);
            CHECK_OK(sf_flow_finish(f));
            outcome_is(SF_OK);
            if (reader >= 0) { GOT(n, runs_of(f, ops[reader])); }
            CHECK_QUIET();
            end();
        }
    }
}
EACH_WAY(finish_ends_a_loop_with_its_source)
{
    begin();
    sf_op a = add_pass(0, 2, 0), b = add_pass(1, 1, 0), s = add_source(2, 0), z = add_op(3, keep_and_tell, 1, 0, 0);
    wire(s, a, "b", 0), wire(a, b, NULL, 0), wire(b, a, "a", 1), connect(f, a, z);
    launch();
    until(&reached, 5);
    CHECK_OK(sf_flow_finish(f));
    outcome_is(SF_OK);
    GOT(3, runs_of(f, s));
    end();
}

/* Threads push, one for each of two inputs, while the flow finishes. */
typedef struct pusher { pthread_t thread; int input; bool tensors; tally sent; uint32_t created, bad; } pusher;
static uint32_t freed;
static void count_free(void *data, void *user) { (void)data, (void)user, test_add(&freed, 1); }
static sf_result push_one(pusher *p, int64_t value)
{
    static uint32_t payload[WORDS];
    sf_tensor_desc d = { .dtype = SF_U32, .shape = { WORDS }, .data = payload, .memory = SF_MEMORY_HOST,
                         .release = count_free };
    if (!p->tensors) { return sf_flow_push_value(f, ops[0], p->input, number(value)); }
    sf_tensor *t = sf_tensor_wrap(f, &d);
    sf_result r = sf_flow_push(f, ops[0], p->input, t);
    if (!t) { p->bad++; }
    p->created += t != NULL;
    if (r != SF_OK) { sf_tensor_release(t); }                /* still ours */
    return r;
}
static void *push_all(void *arg)
{
    pusher *p = (pusher *)arg;
    bool done = false;
    while (!test_load(&word)) {
        sf_result r = push_one(p, (int64_t)p->sent.count + 1);
        if (r == SF_OK) {
            tally_add(&p->sent, (int64_t)p->sent.count + 1);
            test_add(&reached, 1);
        }
        if (r != SF_DONE && (done || (r != SF_OK && r != SF_BUSY))) { p->bad++; }    /* SF_DONE for good */
        done = done || r == SF_DONE;
        if (done && p->sent.count % 2) { sched_yield(); }
    }
    return NULL;
}
static sf_result take_pushed(sf_context *ctx)
{
    for (int p = 0; p < 2; p++) {
        while (sf_available(ctx, p)) {
            bool tensor = ctx->user == &ids[1] && sf_receive(ctx, p);
            tally_add(&tallies[p], tensor ? (int64_t)tallies[p].count + 1 : sf_receive_value(ctx, p).i64);
        }
    }
    return SF_OK;
}
static void build_pushed(bool tensors)
{
    begin();
    sf_op_desc d = desc_of(tensors ? 1 : 0, take_pushed, 2, 0, 0);
    d.in[0].external = d.in[1].external = true;
    d.in[0].capacity = d.in[1].capacity = 3;
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .ports = 3, .count = 1 };
    ops[0] = sf_flow_add(f, &d);
}
static void pushed_while_it_finishes(bool tensors, uint32_t rounds)
{
    pusher p[2] = { { .input = 0, .tensors = tensors }, { .input = 1, .tensors = tensors } };
    uint32_t created = 0;
    build_pushed(tensors);
    test_store(&freed, 0);
    for (uint32_t round = 0; round < rounds; round++) {
        clear();
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));       /* pushes are taken from here on */
        launch();
        for (int i = 0; i < 2; i++) {
            memset(&p[i].sent, 0, sizeof p[i].sent);
            CHECK_EQUAL(pthread_create(&p[i].thread, NULL, push_all, &p[i]), 0);
        }
        until(&reached, 1);
        for (uint32_t k = rng_below(&dice, 4); k; k--) { usleep(1); }
        CHECK_OK(sf_flow_finish(f));
        outcome_is(SF_OK);
        test_store(&word, 1);
        for (int i = 0; i < 2; i++) { pthread_join(p[i].thread, NULL); }
        for (int i = 0; i < 2; i++) {
            GOT(i, p[i].sent.count);
            CHECK_EQUAL(tallies[i].hash, p[i].sent.hash);
            CHECK_EQUAL(p[i].bad, 0);
        }
    }
    created = p[0].created + p[1].created;
    end();
    CHECK_EQUAL(test_load(&freed), created);
}
EACH_WAY(what_was_pushed_before_a_finish_is_received) { pushed_while_it_finishes(false, 20 + test_seeds() / 10); }
EACH_WAY(tensors_pushed_after_a_finish_stay_the_caller_s) { pushed_while_it_finishes(true, 5 + test_seeds() / 40); }
/* From the call on, though no worker has seen it: the queue is full, then there is room. */
static void a_push_behind_a_finish_says_done(void **state)
{
    (void)state;
    for (int full = 0; full < 2; full++) {
        by = &ways[1];
        begin();
        sf_op_desc d = desc_of(0, keep, 1, 0, 0);
        d.in[0].external = true;
        d.in[0].capacity = 3;
        sf_op x = add(0, &d);
        int64_t wake, n = full ? 3 : 2;
        CHECK_IS(sf_flow_step(f, &wake), SF_IDLE);
        for (int64_t i = 1; i <= n; i++) { CHECK_OK(sf_flow_push_value(f, x, 0, number(i))); }
        CHECK_IS(full ? sf_flow_push_value(f, x, 0, number(4)) : SF_BUSY, SF_BUSY);
        CHECK_OK(sf_flow_finish(f));
        for (sf_result r = SF_OK; r != SF_DONE; r = sf_flow_step(f, &wake)) {
            CHECK_IS(sf_flow_push_value(f, x, 0, number(4)), SF_DONE);
        }
        CHECK_IS(sf_flow_push_value(f, x, 0, number(4)), SF_DONE);
        counts_to(0, n);
        end();
    }
}
static void finish_meanwhile(const char *place)              /* the worker is about to take its wake-up */
{
    if (strcmp(place, "hear") == 0 && test_add(&word, 1) == 0) { (void)sf_flow_finish(f); }
}
static void a_finish_is_seen_before_a_sleep(void **state)
{
    (void)state;
    for (int32_t workers = 0; workers < 3; workers++) {
        clear();
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers, .spin = -1 } } });
        sf_op x = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { { .name = "in", .external = true } } });
        library.step = finish_meanwhile;
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        library.step = stumble;
        CHECK_EQUAL(runs_of(f, x), 0);
        end();
    }
}
EACH_WAY(a_closed_input_says_done)
{
    begin();
    sf_op_desc d = desc_of(0, keep, 1, 0, 0);
    d.in[0].external = true;
    d.in[0].capacity = 8;
    d.when[0].kind = SF_CONDITION_SIGNAL;
    sf_op x = add(0, &d);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    launch();
    for (int64_t i = 1; i <= 3; i++) { CHECK_OK(sf_flow_push_value(f, x, 0, number(i))); }
    usleep(2000);                                            /* it runs by now, or finish is kept */
    CHECK_OK(sf_flow_finish(f));
    sf_result r = SF_OK;
    int64_t sent = 3, deadline = sf_flow_now(NULL) + GUARD;
    while (r != SF_DONE && sf_flow_now(NULL) < deadline) {        /* closed in a moment; what was accepted counts */
        r = sf_flow_push_value(f, x, 0, number(sent + 1));
        if (r == SF_OK) { sent++; }
    }
    CHECK_IS(r, SF_DONE);
    goes_on();
    for (int64_t i = 0; i < sent; i++) {
        until(&reached, 0);
        CHECK(sf_flow_signal(f, x, 0, SF_READY) >= 0);
        for (int64_t t = sf_flow_now(NULL) + GUARD; runs_of(f, x) <= (uint64_t)i && sf_flow_now(NULL) < t;) {
            usleep(20);
        }
    }
    outcome_is(SF_OK);
    counts_to(0, sent);
    end();
}

static void feed_back(bool reader, uint64_t counts[3], const sf_edge_desc *back, bool optional)
{
    begin();
    sf_op_desc d = desc_of(0, pass, back->control ? 1 : 2, 1, counts[0]);
    d.in[1].optional = optional;
    sf_op a = add(0, &d), b = add_pass(1, 1, counts[1]), s = add_source(2, counts[2]);
    wire(s, a, "a", 0), wire(a, b, NULL, 0);
    CHECK_OK(sf_flow_connect(f, b, NULL, a, back->control ? NULL : "b", back));
    if (reader) { connect(f, a, add_sink(3, 0)); }
    ends(SF_OK);
    CHECK_QUIET();
}
EACH_WAY(loops_by_optional_latest_and_control_edges)
{
    static const sf_edge_desc backs[] = { { .capacity = 2 },
                                          { .capacity = 1 },
                                          { .overflow = SF_OVERFLOW_LATEST, .delay = 1 },
                                          { .control = true, .delay = 1 },
                                          { .overflow = SF_OVERFLOW_DROP_NEWEST, .delay = 1,
                                            .capacity = 8 } };
    for (size_t k = 0; k < COUNT(backs); k++) {
        for (int reader = 0; reader < 2; reader++) {
            feed_back(reader, (uint64_t[]){ 0, 0, 6 }, &backs[k], k < 2);       /* the source ends */
            RUNS_ARE(ops[0], 6);
            RUNS_ARE(ops[1], 6);
            if (reader) { GOT(3, 6); }
            end();
            feed_back(reader, (uint64_t[]){ 6, 0, 0 }, &backs[k], k < 2);       /* who joins ends */
            RUNS_ARE(ops[0], 6);
            if (!reader) { RUNS_ARE(ops[1], 6); }
            if (reader) { GOT(3, 6); }
            end();
            feed_back(false, (uint64_t[]){ 0, 6, 0 }, &backs[k], k < 2);        /* who feeds back ends */
            RUNS_ARE(ops[1], 6);
            end();
        }
    }
}
EACH_WAY(a_filter_in_a_fed_loop_is_a_deadlock)
{
    begin();
    sf_op_desc d = desc_of(0, pass, 2, 1, 0);
    d.name = "joiner";
    sf_op a = add(0, &d), b = add_op(1, drop_all, 1, 1, 0), s = add_source(2, 0), z = add_sink(3, 0);
    wire(s, a, "b", 0), wire(a, b, NULL, 0), wire(b, a, "a", 1), connect(f, a, z);
    ends(SF_ERROR_DEADLOCK);
    names_it("joiner", "op1");
    GOT(3, 1);
    end();
}
static sf_result keep_slowly(sf_context *ctx) { return usleep(50), keep_and_tell(ctx); }
EACH_WAY(stop_and_destroy_end_at_once)
{
    for (int k = 0; k < 3; k++) {
        begin();
        build_line(count_up, keep_slowly);
        sf_op_desc d = desc_of(3, tick, 1, 0, 0);
        d.when[0].kind = SF_CONDITION_SIGNAL;                /* holds up a finish, but nothing else */
        connect(f, ops[0], add(3, &d));
        launch();
        until(&reached, 1);
        if (k == 1) { CHECK_OK(sf_flow_finish(f)); }
        if (k == 2 && by->how == START) { end(); continue; }
        CHECK_OK(sf_flow_stop(f));
        outcome_is(SF_OK);
        CHECK_QUIET();
        end();
    }
}
EACH_WAY(an_operator_that_is_stopped_from_outside)
{
    for (int who = 0; who < 3; who++) {
        for (uint32_t round = 0; round < 5; round++) {
            begin();
            sf_op s = add_source(0, 0), p = add_pass(1, 1, 0), z = add_op(2, keep_and_tell, 1, 0, 0);
            wire_deep(s, p, NULL, 3), wire_deep(p, z, NULL, 3);
            launch();
            until(&reached, 1);
            usleep(rng_below(&dice, 100));
            CHECK_OK(sf_op_stop(f, ops[who]));
            outcome_is(SF_OK);
            counts_to(2, who == 2 ? (int64_t)runs_of(f, z) : (int64_t)runs_of(f, p));        /* behind it all comes */
            if (who == 0) { RUNS_ARE(p, runs_of(f, s)); }
            end();
        }
    }
}
EACH_WAY(a_region_ends_with_a_member)
{
    for (int who = 1; who < 3 && !by->jobs; who++) {
        for (int k = 0; k < 2; k++) {
            begin();
            sf_op s = add_frames(0, make_frame, 0, 0), a = add_frames(1, shade_frame, who == 1 ? 4 : 0, 1);
            sf_op b = add_frames(2, shade_frame, who == 2 ? 4 : 0, 1), z = add_frames(3, read_frame, 0, 0);
            connect(f, s, a), connect(f, a, b), connect(f, b, z);
            if (k) { connect(f, a, add_frames(4, read_frame, 0, 0)); }
            ends(SF_OK);
            GOT(3, 4);
            if (k) { GOT(4, 4); }
            end();
        }
    }
}
static sf_result gated_frame(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    CHECK_OK(paint(sf_compute_stream(ctx), t->data, NULL, NULL, 7, 4000000));
    return sf_emit(ctx, 0, t);
}
EACH_WAY(gpu_work_keeps_a_flow_alive)
{
    begin();
    sf_op_desc d = desc_of(0, gated_frame, 0, 1, 1);
    d.out[0].bytes = BYTES;
    d.out[0].memory = SF_MEMORY_PINNED;
    sf_op s = add(0, &d), z = add_frames(1, read_frame, 0, 0);
    connect(f, s, z);
    ends(SF_OK);
    GOT(1, 1);
    CHECK_EQUAL(tallies[1].last, 7);
    end();
}

EACH_WAY(finish_ends_sources_that_wait)
{
    for (int h = 0; h < MEMORY; h++) {
        if (h == USER) { continue; }                         /* which nothing keeps alive */
        begin();
        sf_op_desc d = desc_of(0, count_up, 0, 1, 0);
        hold_up(&d, (hold)h, NULL);
        sf_op x = add(0, &d), z = add_op(1, keep_and_tell, 1, 0, 0);
        connect(f, x, z);
        if (h == LEAVES) { ops[2] = add_op(2, take_what_is_there, 0, 0, 0); }        /* always runs */
        launch();
        until(&reached, 1);
        CHECK_OK(sf_flow_finish(f));
        outcome_is(SF_OK);
        GOT(1, 1);
        end();
    }
}
EACH_WAY(finish_and_inputs_that_need_little)
{
    for (int k = 0; k < 4; k++) {                            /* LATEST; optional; many; the rest of a batch */
        begin_simulated();
        sf_op_desc d = desc_of(1, keep_values, 1, 0, 0);
        d.in[0].capacity = 4;
        if (k == 0) { d.compute = keep, d.period = SF_MS(1); }
        if (k == 1) { d.compute = take_what_is_there, d.in[0].optional = true; }
        d.in[0].many = k == 2;
        if (k == 3) {
            d.when[0] = (sf_condition){ .kind = SF_CONDITION_EXPIRING, .ports = 1, .count = 3, .ns = SECONDS(HOUR) };
        }
        sf_op s = add_op(0, finish_in_fifth, 0, 1, 0), z = add(1, &d);
        sf_edge_desc e = { .overflow = k ? SF_OVERFLOW_BLOCK : SF_OVERFLOW_LATEST };
        CHECK_OK(sf_flow_connect(f, s, NULL, z, NULL, &e));
        ends(SF_OK);
        RUNS_ARE(s, 5);
        if (k == 0) { CHECK_EQUAL(tallies[1].last, 5); }
        if (k > 1) { check_counts(1, 1, 5); }
        if (k != 1) { CHECK_QUIET(); }       /* the check warns of one that waits for nothing */
        end();
    }
}
EACH_WAY(a_batch_with_a_deadline_ends)
{
    for (int period = 0; period < 2; period++) {             /* times go by with and without messages, then no more */
        begin_simulated();
        sf_op_desc d = desc_of(1, keep_values, 1, 0, 0), from = desc_of(0, count_up, 0, 1, 7);
        d.in[0].capacity = 3;
        d.when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .ports = 1, .count = 3, .ns = SF_MS(1) };
        from.period = period ? SF_MS(5) : 0;
        sf_op s = add(0, &from), z = add(1, &d);
        connect(f, s, z);
        ends(SF_OK);
        check_counts(1, 1, 7);
        CHECK_EQUAL(dropped(), 0);
        end();
    }
}
static sf_result done_at_start(sf_context *ctx) { return (void)ctx, SF_DONE; }
EACH_WAY(an_operator_that_ends_in_its_start)
{
    for (int who = 0; who < 3; who++) {
        begin();
        for (int i = 0; i < 3; i++) {
            sf_op_desc d = desc_of(i, i == 0 ? count_up : i == 1 ? pass : keep, i > 0, i < 2, 0);
            if (i == who) { d.start = done_at_start; }
            add(i, &d);
        }
        connect(f, ops[0], ops[1]), connect(f, ops[1], ops[2]);
        ends(SF_OK);
        GOT(2, 0);
        CHECK_QUIET();
        end();
    }
}
EACH_WAY(times_hold_when_a_source_has_ended)
{
    begin_simulated();
    sf_op_desc d = desc_of(1, pass, 1, 1, 0);
    d.period = SECONDS(HOUR);
    sf_op s = add_source(0, 5), p = add(1, &d), z = add_sink(2, 0);
    connect(f, s, p), connect(f, p, z);
    ends(SF_OK);
    counts_to(2, 5);
    end();
}
EACH_WAY(a_loop_whose_members_wait_for_times)
{
    for (int who = 0; who < 3; who++) {
        begin_simulated();
        for (int i = 0; i < 3; i++) {
            sf_op_desc d = desc_of(i, pass, 1, 1, i == who ? 4 : 0);
            d.period = SF_MS(1 + i);
            add(i, &d);
        }
        for (int i = 0; i < 3; i++) { wire(ops[i], ops[(i + 1) % 3], NULL, i == 2); }
        connect(f, ops[1], add_sink(3, 0));
        ends(SF_OK);
        RUNS_ARE(ops[who], 4);
        GOT(3, who == 2 ? 5 : 4 + 0 * who);
        end();
    }
}
EACH_WAY(pushed_into_a_loop)
{
    begin();
    sf_op_desc d = desc_of(0, pass, 2, 1, 0);
    d.in[1].external = true;
    d.in[1].capacity = 8;
    sf_op a = add(0, &d), b = add_pass(1, 1, 3), z = add_sink(2, 0);
    wire(a, b, NULL, 0), wire(b, a, "a", 1), connect(f, a, z);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    for (int64_t i = 1; i <= 6; i++) { CHECK_OK(sf_flow_push_value(f, a, 1, number(i))); }
    ends(SF_OK);                                             /* b ends; its last message meets one more */
    GOT(2, 4);
    RUNS_ARE(b, 3);
    end();
}

/* -- random graphs: each way does what a simulation of the rule says, and what the others do -- */

enum { NODES = 9, MOST = 4000 };
typedef struct edge { int from, to; uint16_t delay, batch; bool control; } edge;
typedef struct plan {
    int nodes, edges, ins[NODES];
    bool even, sink[NODES];
    uint64_t count[NODES], every[NODES];     /* ends by; emits in each `every`th compute */
    edge edge[3 * NODES];
} plan;
static plan graph;
static int add_edge(plan *g, int from, int to, uint16_t delay, bool control)
{
    if (!control && g->ins[to] == 3) { return 0; }
    g->ins[to] += !control;
    g->edge[g->edges++] = (edge){ from, to, delay, 1, control };
    return 1;
}
static void reach(const plan *g, bool to[NODES][NODES])      /* to[a][b]: a path from a to b */
{
    memset(to, 0, sizeof(bool) * NODES * NODES);
    for (int i = 0; i < g->edges; i++) { to[g->edge[i].from][g->edge[i].to] = true; }
    for (int k = 0; k < g->nodes; k++) {
        for (int i = 0; i < g->nodes; i++) {
            for (int j = 0; j < g->nodes; j++) { to[i][j] |= to[i][k] && to[k][j]; }
        }
    }
}
static void draw_ends(plan *g, rng *r)                       /* everybody ends by a source, or by a reader */
{
    bool to[NODES][NODES], by_readers = rng_below(r, 2);
    reach(g, to);
    for (int i = 0; i < g->nodes; i++) {
        bool source = true, read = false, turns = false;     /* no queue bounds turns */
        for (int k = 0; k < g->edges; k++) {
            source &= g->edge[k].to != i;
            read |= g->edge[k].from == i;
            turns |= g->edge[k].from == i && g->edge[k].control;
        }
        g->sink[i] = !read;
        if (to[i][i] || (by_readers ? !read : source)) { g->count[i] = 1 + rng_below(r, 12); }
        if (turns || rng_below(r, 6) == 0) { g->count[i] = 1 + rng_below(r, 12); }
        if (to[i][i] && rng_below(r, 2) && by_readers) {     /* a loop that a sink ends, or a member of it */
            bool needed = false;
            for (int k = 0; k < i; k++) { needed |= to[i][k] && !to[k][i]; }
            if (needed) { g->count[i] = 0; }
        }
        if (!to[i][i] && rng_below(r, 8) == 0) { g->every[i] = 2; }
    }
    for (int k = 0; k < g->edges; k++) {
        edge *e = &g->edge[k];
        if (!e->control && !to[e->to][e->from] && rng_below(r, 10) == 0) { e->batch = 2; }
        g->even &= e->batch == 1;
    }
    for (int i = 0; i < g->nodes; i++) { g->even &= g->every[i] == 1; }
}
static void draw(plan *g, uint64_t seed)
{
    rng r = rng_seed(seed);
    memset(g, 0, sizeof *g);
    g->nodes = 2 + (int)rng_below(&r, NODES - 1);
    g->even = true;
    for (int i = 0; i < g->nodes; i++) {
        g->every[i] = 1;
        for (uint32_t k = i ? 1 + rng_below(&r, 2) : 0; k; k--) {
            int from = (int)rng_below(&r, (uint32_t)i);
            if (rng_below(&r, 8)) { add_edge(g, from, i, rng_below(&r, 6) ? 0 : 1, false); }
        }
        if (i && rng_below(&r, 8) == 0) { add_edge(g, (int)rng_below(&r, (uint32_t)i), i, 0, true); }
    }
    for (uint32_t k = rng_below(&r, 3); k; k--) {            /* back: a loop, with a delay on it */
        int to = (int)rng_below(&r, (uint32_t)g->nodes), from = to + (int)rng_below(&r, (uint32_t)(g->nodes - to));
        add_edge(g, from, to, (uint16_t)(1 + rng_below(&r, 2)), false);
    }
    draw_ends(g, &r);
}
/* Each operator runs while it has what it needs: without fan-ins of unequal rates room never decides. */
static void simulate(const plan *g, uint64_t runs[NODES])
{
    uint64_t queued[3 * NODES], turns[NODES] = { 0 };
    bool going = true, by_turns[NODES] = { false };
    memset(runs, 0, sizeof *runs * NODES);
    for (int k = 0; k < g->edges; k++) {
        queued[k] = g->edge[k].delay;
        by_turns[g->edge[k].to] |= g->edge[k].control;
    }
    while (going) {
        going = false;
        for (int i = 0; i < g->nodes; i++) {
            bool can = (!g->count[i] || runs[i] < g->count[i]) && runs[i] < MOST && (!by_turns[i] || turns[i]);
            for (int k = 0; k < g->edges; k++) { can &= g->edge[k].control || g->edge[k].to != i || queued[k]; }
            if (!can) { continue; }
            going = true;
            runs[i]++;
            turns[i] -= by_turns[i];
            for (int k = 0; k < g->edges; k++) {
                const edge *e = &g->edge[k];
                if (!e->control && e->to == i) { queued[k]--; }
                if (!e->control && e->from == i) { queued[k]++; }
                if (e->control && e->from == i) { turns[e->to]++; }
            }
        }
    }
}
static sf_result mix(sf_context *ctx)
{
    int id = id_of(ctx);
    for (int p = 0; p < graph.ins[id]; p++) {
        uint32_t batch = 1;
        for (int k = 0, at = 0; k < graph.edges; k++) {
            if (graph.edge[k].to == id && !graph.edge[k].control && at++ == p) { batch = graph.edge[k].batch; }
        }
        while (batch--) { tally_add(&tallies[id], sf_receive_value(ctx, p).i64 + p); }
    }
    tally_add(&tallies[id], (int64_t)ctx->run * NODES + id);
    if (graph.sink[id] || (ctx->run + 1) % graph.every[id]) { return SF_OK; }
    return sf_emit_value(ctx, 0, number((int64_t)(tallies[id].hash >> 1)));
}
static void build(const plan *g)
{
    const char *const names[] = { "a", "b", "c" };
    int wired[NODES] = { 0 };
    begin();
    for (int i = 0; i < g->nodes; i++) {
        sf_op_desc d = desc_of(i, mix, g->ins[i], g->sink[i] ? 0 : 1, g->count[i]);
        for (int k = 0, at = 0; k < g->edges; k++) {
            if (g->edge[k].to == i && !g->edge[k].control) { d.in[at++].batch = g->edge[k].batch; }
        }
        add(i, &d);
    }
    for (int k = 0; k < g->edges; k++) {
        const edge *e = &g->edge[k];
        sf_edge_desc d = { .delay = e->delay, .control = e->control };
        if (!e->control) { d.capacity = (uint16_t)(e->delay + e->batch + (k + e->to) % 3 + 1); }
        CHECK_OK(sf_flow_connect(f, ops[e->from], e->control ? NULL : "out", ops[e->to],
                            e->control ? NULL : names[wired[e->to]++], &d));
    }
}
static void check_sinks(const plan *g, const tally want[NODES], const uint64_t runs[NODES], uint32_t seed)
{
    for (int i = 0; i < g->nodes; i++) {
        if (!g->sink[i]) { continue; }
        if (runs_of(f, ops[i]) != runs[i] || (want && tallies[i].hash != want[i].hash)) {
            fail_msg("seed %u, %s: sink %d ran %llu times, not %llu, or received something else", seed, by->name, i,
                     (unsigned long long)runs_of(f, ops[i]), (unsigned long long)runs[i]);
        }
    }
}
static void any_graph_ends_the_same_way(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 4) {
        tally want[NODES];
        uint64_t runs[NODES];
        sf_result result = SF_OK;
        draw(&graph, seed);
        for (by = ways; by < ways + COUNT(ways); by++) {
            build(&graph);
            launch();
            if (!over(GUARD)) { printf("# seed %u\n", seed), outcome_is(SF_OK); }
            if (by == ways) {
                result = graph.even ? SF_OK : runner.result;
                if (result != SF_ERROR_DEADLOCK) { result = SF_OK; }
                memcpy(want, tallies, sizeof want);
                for (int i = 0; i < graph.nodes; i++) { runs[i] = runs_of(f, ops[i]); }
                if (graph.even) { simulate(&graph, runs); }
            }
            if (runner.result != result) { printf("# seed %u\n", seed); }
            outcome_is(result);
            check_sinks(&graph, want, runs, seed);
            end();
        }
        by = NULL;
    }
}
/* All of it endless, until a finish at some moment. Nothing is lost in front of who needs one input alone. */
static void check_worked_off(const plan *g, uint32_t seed)
{
    bool to[NODES][NODES];
    reach(g, to);
    for (int i = 0; i < g->nodes; i++) {
        uint64_t least = UINT64_MAX, runs = runs_of(f, ops[i]);
        int inputs = 0, turns = 0;
        for (int k = 0; k < g->edges; k++) {
            if (g->edge[k].to != i) { continue; }
            turns += g->edge[k].control;
            if (g->edge[k].control) { continue; }
            uint64_t accepted = edge_of(f, ops[i], inputs++, 0).messages;
            if (accepted < least) { least = accepted; }
        }
        if (!inputs || turns || (to[i][i] && inputs > 1)) { continue; }
        if (runs != least) {
            fail_msg("seed %u, %s: %d ran %llu times, not %llu", seed, by->name, i, (unsigned long long)runs,
                     (unsigned long long)least);
        }
    }
}
static void any_graph_finishes_well(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 40) {
        rng r = rng_seed(seed);
        draw(&graph, seed);
        for (int i = 0; i < graph.nodes; i++) { graph.count[i] = 0, graph.every[i] = 1; }
        for (int k = 0; k < graph.edges; k++) { graph.edge[k].batch = 1; }
        for (by = ways; by < ways + COUNT(ways); by++) {
            build(&graph);
            launch();
            usleep(rng_below(&r, 200));
            CHECK_OK(sf_flow_finish(f));
            if (!over(GUARD)) { printf("# seed %u\n", seed); }
            outcome_is(SF_OK);
            if (warned.count) { printf("# seed %u\n", seed); }
            CHECK_QUIET();
            check_worked_off(&graph, seed);
            end();
        }
        by = NULL;
    }
}

/* -- last computes: sf_op_desc.flush -- */

/* What an operator has seen in its last computes: how many, messages received there, computes without any, and others
   that came behind one of them. Only its computes write. */
static struct { uint32_t count, got, empty, wrong; } lasts[16];
static void note_ending(const sf_context *ctx, uint32_t got)
{
    int id = id_of(ctx);
    lasts[id].wrong += !sf_is_ending(ctx) && lasts[id].count;
    if (!sf_is_ending(ctx)) { return; }
    lasts[id].count++;
    lasts[id].got += got;
    lasts[id].empty += !got;
}
static void begin_flush(bool simulated)
{
    memset(lasts, 0, sizeof lasts);
    clear();
    create(simulated);
}
#define LASTS_ARE(id, n, messages)                                                                           \
    do {                                                                                                     \
        if (lasts[id].count != (n) || lasts[id].got != (messages) || lasts[id].wrong) {                      \
            fail_msg("%s: %d has had %u last computes, with %u messages, and %u others behind them; not %u, %u", \
                     by->name, (int)(id), lasts[id].count, lasts[id].got, lasts[id].wrong, (unsigned)(n),    \
                     (unsigned)(messages));                                                                  \
        }                                                                                                    \
    } while (0)
/* One message of each input, in the last computes all that there are; the sum to output 0, if there was one. */
static sf_result add_up(sf_context *ctx)
{
    int id = id_of(ctx);
    uint32_t got = 0, most = sf_is_ending(ctx) ? UINT32_MAX : 1;
    int64_t sum = 0;
    for (int p = 0; p < 3; p++) {
        for (uint32_t n = 0; n < most && sf_available(ctx, p); n++, got++) {
            int64_t value = sf_receive_value(ctx, p).i64;
            tally_add(&tallies[id], value);
            tally_add(&tallies[id + 8 + p], value);
            sum += value;
        }
    }
    note_ending(ctx, got);
    return got ? sf_emit_value(ctx, 0, number(sum)) : SF_OK;
}
static sf_result add_three(sf_context *ctx)                  /* the sum of up to three of input 0 */
{
    uint32_t got = 0;
    int64_t sum = 0;
    for (; got < 3 && sf_available(ctx, 0); got++) { sum += sf_receive_value(ctx, 0).i64; }
    note_ending(ctx, got);
    test_add(&reached, 1);
    return got ? sf_emit_value(ctx, 0, number(sum)) : SF_OK;
}
static sf_op_desc flush_desc(int id, sf_compute_func compute, int inputs, int outputs)
{
    sf_op_desc d = desc_of(id, compute, inputs, outputs, 0);
    d.flush = true;
    return d;
}
/* Three at a time, by all that can ask for them. An hour is not waited for: a clock that is not simulated shows it. */
EACH_WAY(the_last_batch_is_given)
{
    static const sf_condition when[] = {
        { .kind = SF_CONDITION_NONE },
        { .kind = SF_CONDITION_MESSAGES, .count = 3 },
        { .kind = SF_CONDITION_MESSAGES, .count = 3, .ns = SECONDS(HOUR) },
        { .kind = SF_CONDITION_EXPIRING, .count = 3, .ns = SECONDS(HOUR) },
    };
    for (uint32_t n = 1; n <= 7; n++) {
        for (size_t k = 0; k <= COUNT(when); k++) {          /* the last one: a `many` input, of one edge */
            uint32_t rest = n % 3;
            begin_flush(false);
            sf_op_desc d = flush_desc(1, add_three, 1, 1);
            d.in[0].capacity = 4;
            d.in[0].many = k == COUNT(when);
            if (d.in[0].many || !when[k].kind) { d.in[0].batch = 3; } else { d.when[0] = when[k]; }
            sf_op s = add_source(0, n), b = add(1, &d), z = add_sink(2, 0);
            connect(f, s, b), connect(f, b, z);
            ends(SF_OK);
            LASTS_ARE(1, rest ? 2u : 1u, rest);
            RUNS_ARE(b, n / 3 + (rest ? 2 : 1));
            GOT(2, n / 3 + (rest > 0));
            CHECK_EQUAL(tallies[2].sum, n * (n + 1) / 2);
            CHECK_EQUAL(edge_of(f, b, 0, 0).fates[SF_FATE_DELIVERED], n);
            CHECK_EQUAL(dropped(), 0);
            CHECK_QUIET();
            end();
        }
    }
}
/* However far the longer side has run ahead as the shorter one ends. */
EACH_WAY(a_join_gets_the_rest_of_its_longer_side)
{
    static const uint64_t counts[][2] = { { 3, 9 }, { 9, 3 }, { 1, 40 }, { 5, 5 } };
    for (size_t k = 0; k < COUNT(counts); k++) {
        begin_flush(false);
        sf_op_desc d = flush_desc(2, add_up, 2, 1);
        sf_op s = add_source(0, counts[k][0]), t = add_source(1, counts[k][1]), j = add(2, &d), z = add_sink(3, 0);
        wire(s, j, "a", 0), wire(t, j, "b", 0), connect(f, j, z);
        ends(SF_OK);
        counts_to(10, (int64_t)counts[k][0]);
        counts_to(11, (int64_t)counts[k][1]);
        CHECK_EQUAL(tallies[3].sum, tallies[2].sum);
        LASTS_ARE(2, lasts[2].count, counts[k][0] + counts[k][1] - 2 * (k == 2 ? 1 : k == 3 ? 5 : 3));
        CHECK_EQUAL(lasts[2].empty, 1);
        CHECK_EQUAL(dropped(), 0);
        CHECK_QUIET();
        end();
    }
}
/* Keeps the last five values, and emits those before; in its last computes one by one, as there is room for one. */
static struct { int64_t value[8]; uint32_t count; } kept[16];
static sf_result keep_five(sf_context *ctx)
{
    int id = id_of(ctx);
    uint32_t got = sf_available(ctx, 0) > 0;
    note_ending(ctx, got);
    if (sf_is_ending(ctx)) { test_store(&reached, 1); }
    if (got) { kept[id].value[kept[id].count++] = sf_receive_value(ctx, 0).i64; }
    if (!kept[id].count || (!sf_is_ending(ctx) && kept[id].count <= 5)) { return SF_OK; }
    int64_t value = kept[id].value[0];
    for (uint32_t i = 1; i < kept[id].count; i++) { kept[id].value[i - 1] = kept[id].value[i]; }
    kept[id].count--;
    return sf_emit_value(ctx, 0, number(value));
}
static void line_that_keeps(sf_op s)                         /* four of these; the sink is 5 */
{
    memset(kept, 0, sizeof kept);
    for (int i = 1; i <= 5; i++) {
        sf_op_desc d = flush_desc(i, keep_five, 1, 1);
        sf_op x = i < 5 ? add(i, &d) : add_sink(5, 0);
        connect(f, s, x);
        s = x;
    }
}
EACH_WAY(what_operators_hold_leaves_them)
{
    for (uint64_t n = 1; n <= 50; n += 7) {
        begin_flush(false);
        line_that_keeps(add_source(0, n));
        ends(SF_OK);
        counts_to(5, (int64_t)n);
        for (int i = 1; i < 5; i++) { LASTS_ARE(i, 1 + (n < 5 ? n : 5), 0); }
        CHECK_EQUAL(dropped(), 0);
        CHECK_QUIET();
        end();
    }
}
EACH_WAY(finish_gives_what_operators_hold)
{
    for (uint32_t n = 0; n < 10 + test_seeds() / 20; n++) {
        begin_flush(false);
        sf_op s = add_source(0, 0);
        line_that_keeps(s);
        launch();
        usleep(rng_below(&dice, 300));
        CHECK_OK(sf_flow_finish(f));
        outcome_is(SF_OK);
        counts_to(5, (int64_t)runs_of(f, s));
        CHECK_EQUAL(dropped(), 0);
        end();
    }
}
/* A source that holds three. Neither its period nor its signal holds up the end, and no limit of runs counts. */
static sf_result emit_and_hold(sf_context *ctx)
{
    int id = id_of(ctx);
    note_ending(ctx, 0);
    tally_add(&tallies[id], 1);
    test_store(&reached, (uint32_t)ctx->run + 1);
    if (sf_is_ending(ctx) && lasts[id].count > 3) { return SF_OK; }
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run + 1));
}
EACH_WAY(a_source_flushes_as_the_flow_finishes)
{
    for (int k = 0; k < 4; k++) {
        begin_flush(false);
        sf_op_desc d = flush_desc(0, emit_and_hold, k == 3, 1);
        d.in[0].optional = true;
        d.in[0].external = k == 3;
        if (k != 1) { d.period = SECONDS(HOUR); }
        if (k == 1) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_READY }; }
        if (k == 2) { d.count = 2; }
        sf_op s = add(0, &d), z = add_sink(1, 0);
        connect(f, s, z);
        launch();
        until(&reached, 1);
        CHECK_OK(sf_flow_finish(f));
        outcome_is(SF_OK);
        LASTS_ARE(0, 4u, 0u);
        RUNS_ARE(s, 5);
        counts_to(1, 4);
        CHECK_QUIET();
        end();
    }
}
/* Edges of its own loop bring nothing new, so that it goes round no more. With and without a reader outside. */
EACH_WAY(an_operator_of_a_loop_flushes)
{
    for (int k = 0; k < 4; k++) {
        begin_flush(false);
        sf_op_desc d = flush_desc(1, add_up, 2, 1);
        sf_op s = add_source(0, k & 2 ? 0 : 12), m = add(1, &d), n = add_pass(2, 1, 0), z = add_sink(3, 0);
        wire(s, m, "a", 0), wire(n, m, "b", 2), connect(f, m, n);
        if (k & 1) { connect(f, n, z); } else { connect(f, s, z); }
        launch();
        if (k & 2) { CHECK_OK(sf_flow_finish(f)); }
        outcome_is(SF_OK);
        CHECK_EQUAL(lasts[1].empty, 1);
        for (int p = 0; p < 2; p++) {
            sf_edge_info e = edge_of(f, m, p, 0);
            CHECK_EQUAL(e.fates[SF_FATE_DELIVERED], tallies[9 + p].count);
            CHECK_EQUAL(e.fates[SF_FATE_DELIVERED], e.messages);
        }
        GOT(9, runs_of(f, s));
        CHECK_QUIET();
        end();
    }
}
/* Such a loop ends by itself, when nothing is under way in it. Then what is in it, and behind it, flushes. */
static sf_result let_ten_pass(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    return ctx->run < 10 ? sf_emit_value(ctx, 0, v) : SF_OK;
}
EACH_WAY(a_loop_that_has_run_dry_flushes)
{
    begin_flush(false);
    sf_op_desc d = flush_desc(1, add_up, 1, 1), e = flush_desc(2, add_three, 1, 1);
    e.in[0].batch = 3;
    sf_op a = add_op(0, let_ten_pass, 1, 1, 0), b = add(1, &d), c = add(2, &e), z = add_sink(3, 0), y = add_sink(4, 0);
    wire(b, a, "a", 1), connect(f, a, b), connect(f, a, c), connect(f, c, z), connect(f, b, y);
    ends(SF_OK);
    GOT(4, 10);
    LASTS_ARE(1, 1u, 0u);
    LASTS_ARE(2, 2u, 1u);
    GOT(3, 4);
    CHECK_QUIET();
    end();
}
/* Ends of any other kind: the operator computes no more. */
static sf_result end_it(sf_context *ctx)
{
    sf_result r = add_up(ctx);
    if (ctx->run != 2 || r < 0) { return r; }
    if (word == 2) { (void)sf_op_stop(ctx->flow, ctx->op); }
    if (word == 3) { test_store(&ending.over, 1); }
    if (word == 4) { (void)sf_flow_signal(ctx->flow, ctx->op, 0, SF_NEVER); }
    if (word == 6) { (void)sf_flow_stop(ctx->flow); }
    return word == 1 ? SF_DONE : word == 5 ? WANTS : SF_OK;
}
EACH_WAY(there_are_no_last_computes_at_other_ends)
{
    for (uint32_t k = 0; k < 10; k++) {
        begin_flush(false);
        test_store(&word, k);
        test_store(&ending.over, 0);
        sf_op_desc d = flush_desc(1, end_it, 1, 1);
        d.in[0].capacity = 4;
        if (k == 0) { d.count = 3; }
        if (k == 3) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom.check = never_after }; }
        if (k == 4) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true }; }
        if (k == 5) { d.on_error = SF_ON_ERROR_STOP_OPERATOR; }
        if (k == 8) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_COUNT, .count = 3 }; }
        if (k == 9) { d.count = 3; }
        sf_op s = add_source(0, k >= 8 ? 3 : 40), x = add(1, &d), z = add_sink(2, k == 7 ? 3 : 0);
        connect(f, s, x), connect(f, x, z);
        ends(SF_OK);
        LASTS_ARE(1, 0u, 0u);
        if (k != 7) { RUNS_ARE(x, 3); }
        end();
    }
}
/* SF_DONE, and errors, in last computes; what they have received is counted. */
static sf_result fail_at_the_end(sf_context *ctx)
{
    uint32_t got = 0, before = lasts[1].count;
    if (!sf_is_ending(ctx)) { return add_three(ctx); }
    for (; got < 2 && sf_available(ctx, 0); got++) { tally_add(&tallies[1], sf_receive_value(ctx, 0).i64); }
    note_ending(ctx, got);
    if (!before) { return word == SF_ON_ERROR_RETRY + 1 ? SF_DONE : WANTS; }
    return got ? sf_emit_value(ctx, 0, number(got)) : SF_OK;
}
EACH_WAY(errors_in_last_computes)
{
    for (uint32_t k = 0; k <= SF_ON_ERROR_RETRY + 1; k++) {
        begin_flush(false);
        test_store(&word, k);
        sf_op_desc d = flush_desc(1, fail_at_the_end, 1, 1);
        d.in[0].batch = 5;
        d.on_error = (sf_on_error)(k > SF_ON_ERROR_RETRY ? 0 : k);
        d.retries = 1;
        sf_op s = add_source(0, 4), x = add(1, &d), z = add_sink(2, 0);
        connect(f, s, x), connect(f, x, z);
        ends(k == SF_ON_ERROR_STOP_FLOW ? WANTS : SF_OK);
        sf_edge_info e = edge_of(f, x, 0, 0);
        bool ignores = k == SF_ON_ERROR_IGNORE, retries = k == SF_ON_ERROR_RETRY, done = k > SF_ON_ERROR_RETRY;
        LASTS_ARE(1, ignores ? 3u : retries ? 4u : 1u, ignores ? 4u : retries ? 6u : 2u);
        CHECK_EQUAL(e.fates[SF_FATE_DELIVERED], retries ? 4 : ignores || done ? 2 : 0);
        CHECK_EQUAL(e.fates[SF_FATE_FAILED], retries || done ? 0 : 2);
        CHECK_EQUAL(e.fates[SF_FATE_ENDED], ignores || retries ? 0 : 2);
        GOT(2, ignores ? 1 : retries ? 2 : 0);
        end();
    }
}
EACH_WAY(turns_do_not_hold_up_the_end)
{
    begin_flush(false);
    sf_op_desc d = flush_desc(2, add_three, 1, 1);
    d.in[0].capacity = 8;
    sf_op s = add_source(0, 5), t = add_source(1, 1), x = add(2, &d), z = add_sink(3, 0);
    connect(f, s, x), connect(f, x, z), wire_turns(t, x);
    ends(SF_OK);
    CHECK_EQUAL(tallies[3].sum, 15);
    CHECK_EQUAL(dropped(), t.id ? 1 : 0);                    /* what t emits where no edge is */
    CHECK_EQUAL(lasts[2].wrong, 0);
    CHECK_EQUAL(lasts[2].empty, 1);
    end();
}
static sf_result keep_all_there(sf_context *ctx)
{
    uint32_t got = 0;
    for (int p = 0; p < 2; p++) {
        for (int n = sf_available(ctx, p); n; n--, got++) {
            tally_add(&tallies[id_of(ctx)], sf_receive_value(ctx, p).i64);
        }
    }
    return note_ending(ctx, got), SF_OK;
}
/* A LATEST value is given once; read again it is nothing. An endless LATEST input is not waited for. */
EACH_WAY(latest_values_are_nothing_to_flush)
{
    for (int k = 0; k < 3; k++) {
        begin_flush(false);
        sf_op_desc d = flush_desc(2, add_up, k ? 2 : 1, 0);
        d.in[0].optional = k == 2;
        d.out[0].name = NULL;
        d.compute = keep_all_there;
        sf_op s = add_source(0, 7), t = k ? add_source(1, k == 2 ? 9 : 0) : s, x = add(2, &d);
        CHECK_OK(sf_flow_connect(f, s, NULL, x, k == 1 ? "b" : "a",
                                 &(sf_edge_desc){ .overflow = k == 1 ? SF_OVERFLOW_BLOCK : SF_OVERFLOW_LATEST }));
        if (k) {
            CHECK_OK(sf_flow_connect(f, t, NULL, x, k == 1 ? "a" : "b",
                                     &(sf_edge_desc){ .overflow = k == 1 ? SF_OVERFLOW_LATEST : SF_OVERFLOW_BLOCK }));
        }
        ends(SF_OK);
        CHECK(lasts[2].count >= 1 && !lasts[2].wrong);
        if (k == 0) { CHECK_EQUAL(tallies[2].last, 7); }
        if (k == 1) { CHECK_EQUAL(edge_of(f, x, 1, 0).fates[SF_FATE_DELIVERED], 7); }
        if (k == 2) { CHECK_EQUAL(edge_of(f, x, 1, 0).fates[SF_FATE_DELIVERED], 9); }
        end();
    }
}
/* It waits for room as ever, and says so; an operator behind it that is held up is no deadlock. */
EACH_WAY(last_computes_wait_for_room)
{
    begin_flush(false);
    memset(kept, 0, sizeof kept);
    sf_op_desc d = flush_desc(1, keep_five, 1, 1), e = desc_of(2, keep, 1, 0, 0);
    e.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .latch = true };
    sf_op s = add_source(0, 4), x = add(1, &d), z = add(2, &e);
    sf_op_info info;
    connect(f, s, x), connect(f, x, z);
    launch();
    until(&reached, 1);
    for (int i = 0; i < 60000; i++) {
        CHECK_OK(sf_op_get_info(f, x, &info));
        if (strstr(info.waits_for, "room")) { break; }
        usleep(1000);
    }
    if (!strstr(info.waits_for, "room behind \"out\"") || strstr(info.waits_for, "messages")) {
        fail_msg("%s: it waits for %s", by->name, info.waits_for);
    }
    goes_on();
    CHECK_OK(sf_flow_signal(f, z, 0, SF_READY));
    outcome_is(SF_OK);
    counts_to(2, 4);
    LASTS_ARE(1, 5u, 0u);
    end();
}
/* Tensors: a batch of which the GPU is done with all, and memory for what is emitted. */
static sf_result read_frames(sf_context *ctx)
{
    uint32_t got = 0;
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL), *in;
    while ((in = sf_receive(ctx, 0)) != NULL) { tally_add(&tallies[id_of(ctx)], *(uint32_t *)in->data), got++; }
    note_ending(ctx, got);
    if (!got) { return SF_OK; }
    sf_result r = paint(sf_compute_stream(ctx), t->data, NULL, NULL, got, 20);
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
EACH_WAY(the_last_batch_of_tensors)
{
    for (uint64_t n = 1; n <= 8; n++) {
        begin_flush(false);
        sf_op_desc d = flush_desc(1, read_frames, 1, 1);
        d.in[0].batch = 3;
        d.out[0].bytes = BYTES;
        d.out[0].memory = SF_MEMORY_PINNED;
        d.when[0].kind = SF_CONDITION_STREAM;
        sf_op s = add_frames(0, make_frame, n, 0), x = add(1, &d), z = add_frames(2, read_frame, 0, 0);
        connect(f, s, x), connect(f, x, z);
        ends(SF_OK);
        counts_to(1, (int64_t)n);
        CHECK_EQUAL(tallies[2].sum, n);
        CHECK_EQUAL(lasts[1].empty, 1);
        CHECK_EQUAL(dropped(), 0);
        end();
    }
}
EACH_WAY(what_was_pushed_is_flushed)
{
    begin_flush(false);
    sf_op_desc d = flush_desc(0, add_three, 1, 1);
    d.in[0].external = true;
    d.in[0].batch = 3;
    d.in[0].capacity = 16;
    sf_op x = add(0, &d), z = add_sink(1, 0);
    connect(f, x, z);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    launch();
    for (int64_t i = 1; i <= 8; i++) { CHECK_OK(sf_flow_push_value(f, x, 0, number(i))); }
    until(&reached, 2);                                      /* computes */
    CHECK_OK(sf_flow_finish(f));
    outcome_is(SF_OK);
    LASTS_ARE(0, 2u, 2u);
    CHECK_EQUAL(tallies[1].sum, 36);
    end();
}
static void a_region_refuses_to_flush(void **state)
{
    (void)state;
    by = &ways[0];
    begin();
    sf_op_desc d = flush_desc(0, take_tensor, 1, 0);
    d.in[0].external = true;
    d.region = 1;
    (void)add(0, &d);
    CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_NOT_SUPPORTED);
    if (!strstr(sf_flow_failure(f)->text, "take .flush away")) { fail_msg("%s", sf_flow_failure(f)->text); }
    CHECK(!sf_is_ending(NULL));
    (void)sf_flow_destroy(f);
    by = NULL;
}

/* -- each accepted message is delivered or counted -- */

/* Any flow of lines, joins and loops, half of whose operators flush. It finishes at some moment. Each message that an
   edge has accepted was received or is counted, and where all operators flush, none is lost outside of loops. */
static struct { uint64_t got[2]; } received[16];
static sf_result take_and_pass(sf_context *ctx)
{
    int id = id_of(ctx);
    uint32_t got = 0;
    int64_t sum = 0;
    for (int p = 0; p < 2; p++) {
        for (int n = sf_is_ending(ctx) || id_of(ctx) >= (int)word ? sf_available(ctx, p) : 1; n; n--, got++) {
            if (!sf_available(ctx, p)) { break; }
            sum += sf_receive_value(ctx, p).i64;
            received[id].got[p]++;
        }
    }
    note_ending(ctx, got);
    if (sf_is_ending(ctx) && !got) { return SF_OK; }
    return sf_emit_value(ctx, 0, number(sum));
}
static void each_message_is_accounted_for(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 10) {
        for (by = ways; by < ways + COUNT(ways); by++) {
            rng r = rng_seed(seed);
            int n = 4 + (int)rng_below(&r, 9), flush = (int)rng_below(&r, 3), ins[16] = { 0 };
            bool loops = rng_below(&r, 2) == 0;
            begin_flush(false);
            memset(received, 0, sizeof received);
            test_store(&word, (uint32_t)n - 2);              /* from here on, sinks */
            for (int i = 0; i < n; i++) {
                bool sink = i >= n - 2;
                ins[i] = !i ? 0 : sink ? 1 : (int)rng_below(&r, 3);
                sf_op_desc d = desc_of(i, take_and_pass, ins[i], 1, 0);
                d.flush = flush == 2 || (flush && rng_below(&r, 2));
                if (sink) { d.in[0].batch = (uint16_t)(1 + rng_below(&r, 3)); }      /* else rates differ */
                (void)add(i, &d);
            }
            for (int i = 0; i < n; i++) {
                for (int p = 0; p < ins[i]; p++) {
                    bool back = loops && p && rng_below(&r, 3) == 0;
                    int last = i < n - 2 ? i : n - 2, from = (int)rng_below(&r, (uint32_t)(back ? n - 2 - i : last));
                    sf_edge_desc e = { .capacity = (uint16_t)(3 + rng_below(&r, 4)), .delay = back ? 2 : 0 };
                    if (back) { from += i; }
                    CHECK_OK(sf_flow_connect(f, ops[from], NULL, ops[i], p ? "b" : "a", &e));
                }
            }
            launch();
            usleep(rng_below(&dice, 200));
            CHECK_OK(sf_flow_finish(f));
            if (!over(GUARD)) { printf("# seed %u\n", seed); }
            outcome_is(SF_OK);
            for (int i = 0; i < n; i++) {
                for (int p = 0; p < ins[i]; p++) {
                    sf_edge_info e = edge_of(f, ops[i], p, 0);
                    uint64_t lost = 0;
                    for (int k = SF_FATE_DELIVERED + 1; k < SF_FATES; k++) { lost += e.fates[k]; }
                    if (e.fates[SF_FATE_DELIVERED] != received[i].got[p] || received[i].got[p] + lost != e.messages ||
                        e.queued || (flush == 2 && lost && !loops)) {
                        fail_msg("seed %u, %s: input %d of %d: %llu messages, %llu received, %llu lost, %u left", seed,
                                 by->name, p, i, (unsigned long long)e.messages,
                                 (unsigned long long)received[i].got[p], (unsigned long long)lost, e.queued);
                    }
                }
            }
            end();
        }
        by = NULL;
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup_way, teardown_way)
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(a_sink_ends_its_line),
        CASE(an_operator_ends_those_around_it),
        CASE(a_source_ends_its_line),
        CASE(a_branch_ends),
        CASE(a_source_ends_with_its_last_branch),
        CASE(an_operator_without_readers_works_for_itself),
        CASE(lines_of_kernels_and_regions),
        CASE(a_join_ends_with_its_shorter_side),
        CASE(either_side_of_a_join_may_be_the_longer),
        CASE(delays_account_for_what_is_left),
        CASE(no_warning_for_an_operator_that_nobody_needs),
        CASE(no_warning_after_stop_or_finish),
        CASE(no_warning_in_front_of_a_loop_that_is_stopped),
        CASE(a_batch_that_stays_short_is_left),
        CASE(a_condition_asks_what_open_ports_can_still_bring),
        CASE(an_ended_edge_drops_out_of_many),
        CASE(many_meets_a_required_input),
        CASE(the_latest_value_is_read_once_more),
        CASE(the_latest_value_waits_for_its_reader),
        CASE(latest_inputs_join_a_required_one),
        CASE(optional_inputs_make_no_end),
        CASE(turns_end_as_a_whole),
        CASE(a_loop_goes_round_until_somebody_lacks_a_message),
        CASE(a_loop_with_a_reader_outside),
        CASE(a_reader_outside_ends_its_loop),
        CASE(the_last_of_two_readers_ends_its_loop),
        CASE(a_source_feeds_a_loop),
        CASE(two_loops_that_share_an_operator),
        CASE(nested_loops),
        CASE(a_loop_whose_filter_drops_everything),
        CASE(nobody_waits_for_an_operator_that_nobody_needs),
        CASE(an_open_external_input_keeps_a_flow_alive),
        CASE(an_external_input_closes_with_the_last_reader),
        CASE(a_signal_that_says_wait_keeps_a_flow_alive),
        CASE(a_time_keeps_a_flow_alive),
        CASE(memory_held_outside_keeps_a_flow_alive),
        CASE(a_deadlock_names_operators_and_ports),
        CASE(a_condition_without_a_time_is_no_promise),
        CASE(who_leaves_messages_waits_for_a_change),
        CASE(who_receives_or_emits_runs_again),
        CASE(finish_at_any_moment_loses_nothing),
        CASE(finish_from_a_compute_is_after_it),
        CASE(finish_from_a_signal_handler),
        CASE(finish_is_kept_for_the_next_run_once),
        CASE(finish_twice_is_finish),
        CASE(a_paused_flow_finishes_when_it_goes_on),
        CASE(stop_after_finish_ends_at_once),
        CASE(times_hold_during_a_finish),
        CASE(signals_hold_during_a_finish),
        CASE(finish_ends_loops_that_nobody_feeds),
        CASE(finish_ends_a_loop_with_its_source),
        CASE(what_was_pushed_before_a_finish_is_received),
        CASE(tensors_pushed_after_a_finish_stay_the_caller_s),
        CASE(a_push_behind_a_finish_says_done),
        CASE(a_finish_is_seen_before_a_sleep),
        CASE(a_closed_input_says_done),
        CASE(loops_by_optional_latest_and_control_edges),
        CASE(a_filter_in_a_fed_loop_is_a_deadlock),
        CASE(stop_and_destroy_end_at_once),
        CASE(an_operator_that_is_stopped_from_outside),
        CASE(a_region_ends_with_a_member),
        CASE(gpu_work_keeps_a_flow_alive),
        CASE(finish_ends_sources_that_wait),
        CASE(finish_and_inputs_that_need_little),
        CASE(a_batch_with_a_deadline_ends),
        CASE(an_operator_that_ends_in_its_start),
        CASE(times_hold_when_a_source_has_ended),
        CASE(a_loop_whose_members_wait_for_times),
        CASE(pushed_into_a_loop),
        CASE(any_graph_ends_the_same_way),
        CASE(any_graph_finishes_well),
        CASE(the_last_batch_is_given),
        CASE(a_join_gets_the_rest_of_its_longer_side),
        CASE(what_operators_hold_leaves_them),
        CASE(finish_gives_what_operators_hold),
        CASE(a_source_flushes_as_the_flow_finishes),
        CASE(an_operator_of_a_loop_flushes),
        CASE(a_loop_that_has_run_dry_flushes),
        CASE(there_are_no_last_computes_at_other_ends),
        CASE(errors_in_last_computes),
        CASE(turns_do_not_hold_up_the_end),
        CASE(latest_values_are_nothing_to_flush),
        CASE(last_computes_wait_for_room),
        CASE(the_last_batch_of_tensors),
        CASE(what_was_pushed_is_flushed),
        CASE(a_region_refuses_to_flush),
        CASE(each_message_is_accounted_for),
    };
    test_arguments(argc, argv);
    library.step = stumble;
    return cmocka_run_group_tests_name("ending", tests, NULL, NULL);
}
