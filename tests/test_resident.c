/*  test_resident.c - the GPU-resident executor while it runs: rings, policies, stops, faults, what it tells, and the
    bridge to a flow; each frame is checked; on threads, on a GPU, and in a hundred thousand interleavings. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include <sched.h>
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <cmocka.h>
#include "hooks.h"
#include "resident_test.h"
#include "resident_ring.h"

#ifndef SF_WITH_CUDA_BODIES
SF_RESIDENT_FUSED(ring_fused, ring_fused_op)
#endif

typedef struct ring ring;

/* -- between any two stores: in threads a nap now and then, in a chosen order the loop runs for a while -- */

static struct {
    uint32_t naps;                           /* one in so many steps; 0: none */
    uint32_t count;
    sf_device *poll;                         /* in one thread */
    sf_resident *victim;                     /* stopped in the middle of a submit, as if by another thread */
    sf_resident *relaunched;                 /* in the middle of a result, as if by another thread */
    sf_resident *passed_on;                  /* launched before its flow knows why it failed, as if by another thread */
    ring *asked;                             /* in the middle of a question, frames come, as if by another thread */
    uint32_t held;                           /* late submissions are, as if by a slow copy */
    uint32_t late;                           /* the loop's end is, so many us */
    uint32_t untold;                         /* a result is out, and not yet counted as done */
    sf_resident *discards;                   /* stopped and launched in the middle of that, as if by another thread */
    bool releases;                           /* another thread begins to, in the middle of a launch */
    ring *reads;                             /* there, as if by another thread */
    uint32_t stalls, stalled;                /* at stalls_at[stalls - 1] who comes first stays for a while */
    bool inside, stopped, aborted;
    rng coin;
    uint64_t trace;                          /* of all choices made so far */
} steps;

static const char *const stalls_at[] = { "submit time", "submit count", "release" };

static void note_step(const char *id, uint32_t n)
{
    for (; *id; id++) { steps.trace = (steps.trace ^ (uint8_t)*id) * 0x100000001b3u; }
    steps.trace = (steps.trace ^ n) * 0x100000001b3u;
}
static void frames_come(void);
static void release_begins(void);
static void result_is_asked_for(void);
static void on_step(const char *id)
{
    uint32_t every = test_load(&steps.naps), n;
    sf_resident *r = steps.relaunched;
    if (r && !strcmp(id, "lend")) {
        steps.relaunched = NULL;
        launch(r);
    }
    if (!strcmp(id, "ask") && steps.asked) { frames_come(); }        /* by who asks, not by the loop */
    while (!strcmp(id, "late submit") && test_load(&steps.held)) { usleep(100); }
    while (!strcmp(id, "loop completed") && test_load(&steps.untold)) { usleep(100); }
    if (!strcmp(id, "loop end")) { usleep(test_load(&steps.late)); }
    if (!strcmp(id, "discard") && (r = steps.discards) != NULL) {
        steps.discards = NULL;
        CHECK_OK(sf_resident_tear_down(r, false, GUARD));
        launch(r);
    }
    if (!strcmp(id, "pass on") && (r = steps.passed_on) != NULL) {
        steps.passed_on = NULL;
        launch(r);
    }
    if (!strcmp(id, "launch") && steps.releases) {
        steps.releases = false;
        release_begins();
    }
    if (!strcmp(id, "launch ring") && steps.reads) { result_is_asked_for(); }
    n = test_load(&steps.stalls);
    if (n && !strcmp(id, stalls_at[n - 1]) && !test_add(&steps.stalled, 1)) { usleep(50000); }
    if (every) {
        rng r = rng_seed(test_add(&steps.count, 1));
        n = rng_below(&r, every * 8);
        if (n < 8) { usleep(n ? 20 : 1000); }
        return;
    }
    if (!steps.poll || steps.inside) { return; }
    if (!strncmp(id, "loop", 4)) {
        note_step(id, 0);
        return;
    }
    steps.inside = true;
    n = rng_below(&steps.coin, 4);
    n = n < 2 ? 0 : n == 2 ? 1 : 1 + rng_below(&steps.coin, 12);
    note_step(id, n);
    while (n--) { (void)sf_device_poll(steps.poll, 0); }
    if (steps.victim && !steps.stopped && !strncmp(id, "submit", 6) && !rng_below(&steps.coin, 64)) {
        steps.stopped = true;
        steps.aborted = rng_below(&steps.coin, 2);
        note_step("stopped inside", steps.aborted);
        (void)sf_resident_tear_down(steps.victim, !steps.aborted, 0);
    }
    steps.inside = false;
}

/* -- residents through which frames go -- */

enum { RINGS = 17, STAGES = 4 };
typedef enum shape {
    LINE,                                    /* operators in a row, the host at both ends */
    JOIN,                                    /* two sources, put side by side */
    PAIR,                                    /* one source with two ports, put side by side */
    TRIGGER,                                 /* no input, no output: only notes */
    FUSED                                    /* one operator, in a fused loop */
} shape;

typedef struct ring_op { ring *t; int stage, inputs; } ring_op;
struct ring {
    sf_resident *r;
    shape shape;
    int stages, obeys;                       /* that stage does what the orders say */
    sf_op first, second, last;
    ring_orders *orders;
    ring_note *note;                         /* of each stage */
    ring_op ops[STAGES];
};
typedef struct ring_board {                  /* pinned */
    ring_orders orders[RINGS], none;
    ring_note note[RINGS][STAGES];
} ring_board;
static ring rings[RINGS];
static ring_board *board;

static void board_make(void)
{
    memset(&steps, 0, sizeof steps);
    memset(rings, 0, sizeof rings);
    board = (ring_board *)test_memory(device, sizeof *board);
    board->none.gate = UINT32_MAX;
    CHECK_OK(sf_device_get_counters(device, &at_start));
}
static int ring_open(void **state)
{
    ring_mark_args none = { NULL, 0 };
    if (open_test(state)) { return 1; }
    CHECK_OK(sf_kernel_preload(device, &ring_mark_kernel, &none, sizeof none));
    board_make();
    return 0;
}
static int ring_close(void **state)
{
    int r;
    memset(&steps, 0, sizeof steps);
    frame_words = WORDS;
    for (int i = 0; board && i < RINGS; i++) { test_store(&board->orders[i].gate, UINT32_MAX); }
    r = close_test(state);
    board = NULL;
    return r;
}
static int ring_open_small(void **state)     /* frames of 28 bytes: one or two travel in words with a number */
{
    frame_words = 7;
    return ring_open(state);
}
#define RING_TEST(func) cmocka_unit_test_setup_teardown(func, ring_open, ring_close)
#define SMALL_TEST(func) { #func ", small", func, ring_open_small, ring_close, NULL }

static sf_result ring_compute(sf_context *ctx)
{
    const ring_op *o = (const ring_op *)ctx->user;
    ring_args a = {
        .control = sf_resident_get_control(o->t->r), .note = &o->t->note[o->stage], .n = frame_words,
        .orders = o->stage == o->t->obeys ? o->t->orders : &board->none, .key = ring_key(o->stage),
    };
    sf_tensor *in[2] = { NULL, NULL }, *out = NULL;
    sf_stream *s;
    for (int k = 0; k < o->inputs; k++) { in[k] = sf_receive(ctx, k); }
    s = sf_compute_stream(ctx);
    if (o->inputs) { out = sf_tensor_create(ctx, 0, NULL); }
    a.out = out ? (uint32_t *)out->data : NULL;
    a.a = in[0] ? (const uint32_t *)in[0]->data : NULL;
    a.b = in[1] ? (const uint32_t *)in[1]->data : NULL;
    sf_launch(s, &ring_kernel, &a, sizeof a);
    return out ? sf_emit(ctx, 0, out) : SF_OK;
}
static sf_op add_stage(ring *t, const char *name, int stage, int inputs, bool from_host, bool to_host)
{
    sf_op_desc desc = { .name = name, .compute = ring_compute, .user = &t->ops[stage] };
    t->ops[stage] = (ring_op){ t, stage, inputs };
    for (int k = 0; k < inputs; k++) {
        desc.in[k] = (sf_port){ .name = k ? "in2" : "in", .bytes = frame_bytes(), .external = from_host };
    }
    if (inputs) {
        desc.out[0] = (sf_port){ .name = "out", .bytes = (size_t)inputs * frame_bytes(), .external = to_host };
    }
    return sf_resident_add(t->r, &desc);
}
static ring *ring_of(shape shape, int stages, sf_resident_desc desc)
{
    static const char *const names[STAGES] = { "stage0", "stage1", "stage2", "stage3" };
    size_t i = 0;
    ring *t;
    while (i < RINGS && rings[i].r) { i++; }
    CHECK(i < RINGS);
    t = &rings[i];
    memset(t, 0, sizeof *t);
    memset(board->note[i], 0, sizeof board->note[i]);
    t->shape = shape;
    t->stages = stages;
    t->orders = &board->orders[i];
    t->note = board->note[i];
    *t->orders = (ring_orders){ .gate = UINT32_MAX, .words = frame_words };
    if (shape == FUSED) { desc.fused = &ring_fused; }
    t->r = resident_of(desc);
    if (shape == FUSED) {
        sf_op_desc op = { .name = names[0], .user = t->orders, .in = { { .name = "in", .bytes = frame_bytes(), .external = true } },
                          .out = { { .name = "out", .bytes = frame_bytes(), .external = true } } };
        t->first = t->last = sf_resident_add(t->r, &op);
    } else if (shape == JOIN) {
        t->first = add_stage(t, "left", 0, 1, true, false);
        t->second = add_stage(t, "right", 1, 1, true, false);
        t->last = add_stage(t, "join", 2, 2, false, true);
        t->stages = 3;
        t->obeys = 2;
        wire(t->r, t->first, "out", t->last, "in");
        wire(t->r, t->second, "out", t->last, "in2");
    } else if (shape == PAIR) {
        t->first = t->second = t->last = add_stage(t, names[0], 0, 2, true, true);
    } else {
        int inputs = shape == TRIGGER ? 0 : 1;
        for (int k = 0; k < stages; k++) {
            sf_op op = add_stage(t, names[k], k, inputs, k == 0, k == stages - 1);
            if (k == 0) { t->first = op; } else { wire(t->r, t->last, "out", op, "in"); }
            t->last = op;
        }
    }
    return t;
}
#define RING(shape, stages)           ring_of(shape, stages, (sf_resident_desc){ .name = NULL })
#define RING_WITH(shape, stages, ...) ring_of(shape, stages, (sf_resident_desc){ __VA_ARGS__ })

static void gate(ring *t, uint32_t iteration) { test_store(&t->orders->gate, iteration); }
static void end_is(ring *t, sf_result want)
{
    gate(t, UINT32_MAX);
    destroy_is(t->r, want);
    t->r = NULL;
}
static void end(ring *t) { end_is(t, SF_OK); }
static void finish(ring *t)
{
    end(t);
    nothing_is_left();
}
static void adds_up(const ring *t)
{
    sf_resident_info i = info_of(t->r);
    if (i.submitted != i.completed + i.dropped + i.queued) {
        fail_msg("%llu submitted, but %llu completed, %llu dropped, %llu queued", (unsigned long long)i.submitted,
                 (unsigned long long)i.completed, (unsigned long long)i.dropped, (unsigned long long)i.queued);
    }
}
static void counts_are(const ring *t, uint64_t submitted, uint64_t completed, uint64_t dropped, uint64_t queued)
{
    sf_resident_info i = info_of(t->r);
    adds_up(t);
    CHECK_EQUAL(i.submitted, submitted);
    CHECK_EQUAL(i.completed, completed);
    CHECK_EQUAL(i.dropped, dropped);
    CHECK_EQUAL(i.queued, queued);
}
static sf_result ask(ring *t, uint64_t sequence, int64_t timeout)    /* whether there is a result, in words */
{
    sf_resident_slot slot;
    return sf_resident_result(t->r, t->last, sequence, timeout, &slot);
}

static bool failure_says(const ring *t, const char *call, const char *words)         /* the latest, or the first */
{
    const sf_failure *f = sf_resident_failure(t->r);
    bool good = !strncmp(f->text, "resident: ", 10) && !strcmp(f->call, call) && strstr(f->text, words);
    if (!good) { fprintf(stderr, "# call %s, where %s: %s\n", f->call, f->where, f->text); }
    return good;
}

/* -- frames in and out -- */

static uint32_t mask_of(const ring *t, uint32_t i)
{
    return t->shape == FUSED ? (uint32_t)FUSED_KEY * (i + 1) : ring_mask(t->stages, i);
}
static bool frame_is(const uint32_t *got, const uint32_t *mask, uint64_t sequence, uint32_t source, char *why)
{
    uint32_t want[WORDS];
    frame_fill(want, sequence, source);
    for (uint32_t i = 0; i < frame_words; i++) {
        if (got[i] == (want[i] ^ mask[i])) { continue; }
        snprintf(why, 200, "frame %u of source %u: word %u is not its own; it says to be frame %u of source %u",
                 (uint32_t)sequence, source, i, got[0] ^ mask[0], got[1] ^ mask[1]);
        return false;
    }
    return true;
}
/* What every slot of a result says, besides its data. */
static bool slot_is(const ring *t, const sf_resident_slot *s, uint64_t sequence, sf_result status, char *why)
{
    if (s->op.id != t->last.id || s->sequence != sequence || s->status != status || !s->data[0]) {
        snprintf(why, 200, "result %llu: operator %u, sequence %llu, status %d, data %p",
                 (unsigned long long)sequence, s->op.id, (unsigned long long)s->sequence, (int)s->status, s->data[0]);
        return false;
    }
    if (s->submitted <= 0 || s->submitted > s->started || s->started > s->finished || s->finished > s->published) {
        snprintf(why, 200, "result %llu: submitted %lld, started %lld, finished %lld, published %lld",
                 (unsigned long long)sequence, (long long)s->submitted, (long long)s->started,
                 (long long)s->finished, (long long)s->published);
        return false;
    }
    return true;
}
static bool result_good(const ring *t, const sf_resident_slot *s, uint64_t sequence, sf_result status, char *why)
{
    uint32_t mask[WORDS];
    for (uint32_t i = 0; i < frame_words; i++) { mask[i] = mask_of(t, i); }
    return slot_is(t, s, sequence, status, why) && frame_is((uint32_t *)s->data[0], mask, sequence, 0, why);
}
static uint64_t send(ring *t)                /* the next frame */
{
    sf_resident_slot slot = lend(t->r, t->first);
    frame_fill((uint32_t *)slot.data[0], slot.sequence, 0);
    return submit(t->r, &slot);
}
static void send_many(ring *t, uint64_t first, uint64_t last)
{
    for (uint64_t k = first; k <= last; k++) { CHECK_EQUAL(send(t), k); }
}
static sf_resident_slot receive(ring *t, uint64_t sequence)  /* checked, and still lent */
{
    sf_resident_slot slot = fetch(t->r, t->last, sequence);
    char why[256];
    if (!result_good(t, &slot, slot.sequence, SF_OK, why)) { fail_msg("%s", why); }
    return slot;
}
static void receive_many(ring *t, uint64_t first, uint64_t last)
{
    for (uint64_t k = first; k <= last; k++) {
        sf_resident_slot slot = receive(t, k);
        give(t->r, &slot);
    }
}

/* -- in other threads; what is wrong is told when they are joined -- */

typedef struct job {
    pthread_t thread;
    ring *t;
    sf_op op;
    uint32_t source, every;                  /* a nap after so many */
    uint64_t first, last, seen, dropped;     /* sequences */
    sf_result result;
    bool drain;
    uint32_t stop, done;
    char why[256];
} job;
static job jobs[8];                          /* outlive a test that fails */

static void job_hangs(job *j, const char *at, uint64_t k)    /* says where the loop was */
{
    sf_resident_info i;
    if (j->result != SF_TIMEOUT || sf_resident_get_info(j->t->r, &i) != SF_OK) { return; }
    snprintf(j->why, sizeof j->why, "%s %llu: no answer; loop %d in \"%s\", %llu submitted, %llu completed, "
             "%llu dropped, heartbeat %llu", at, (unsigned long long)k, (int)i.loop, i.stage,
             (unsigned long long)i.submitted, (unsigned long long)i.completed, (unsigned long long)i.dropped,
             (unsigned long long)i.heartbeat);
}
static void *writer_main(void *arg)
{
    job *j = (job *)arg;
    int64_t until = sf_flow_now(NULL) + GUARD;
    uint64_t k;
    for (k = j->first; k <= j->last && !j->why[0]; k++) {
        sf_resident_slot slot;
        while ((j->result = sf_resident_acquire(j->t->r, j->op, GUARD, &slot)) == SF_BUSY
               && sf_flow_now(NULL) < until) {
            sched_yield();                   /* SF_OVERFLOW_ERROR */
        }
        if (j->result != SF_OK) { break; }
        if (slot.sequence != k) { snprintf(j->why, sizeof j->why, "lent %llu, not %llu",
                                           (unsigned long long)slot.sequence, (unsigned long long)k); }
        frame_fill((uint32_t *)slot.data[0], k, j->source);
        if ((j->result = sf_resident_submit(j->t->r, &slot)) != SF_OK) { break; }
        j->seen++;
        if (j->every && k % j->every == 0) { usleep(100); }
    }
    job_hangs(j, "acquire", k);
    test_store(&j->done, 1);
    return NULL;
}
static void *reader_main(void *arg)
{
    job *j = (job *)arg;
    uint64_t k;
    for (k = j->first; k <= j->last && !j->why[0]; k++) {
        sf_resident_slot slot;
        j->result = sf_resident_result(j->t->r, j->op, k, GUARD, &slot);
        if (j->result == SF_IGNORED) {
            j->dropped++;
            j->result = SF_OK;
            continue;
        }
        if (j->result != SF_OK) { break; }
        if (j->every && k % j->every == 0) { usleep(100); }
        (void)result_good(j->t, &slot, k, SF_OK, j->why);
        j->seen++;
        if ((j->result = sf_resident_release(j->t->r, &slot)) != SF_OK) { break; }
    }
    job_hangs(j, "result", k);
    test_store(&j->done, 1);
    return NULL;
}
static void *snapshot_main(void *arg)        /* until told to stop */
{
    job *j = (job *)arg;
    sf_resident_info i, before;
    memset(&before, 0, sizeof before);
    while (!test_load(&j->stop) && !j->why[0]) {
        j->result = sf_resident_get_info(j->t->r, &i);
        if (j->result != SF_OK) { break; }
        if (i.submitted != i.completed + i.dropped + i.queued || i.submitted < before.submitted ||
            i.completed < before.completed || i.dropped < before.dropped || i.heartbeat < before.heartbeat) {
            snprintf(j->why, sizeof j->why, "%llu submitted, %llu completed, %llu dropped, %llu queued; "
                     "before: %llu, %llu, %llu, %llu; heartbeat %llu, before %llu",
                     (unsigned long long)i.submitted, (unsigned long long)i.completed,
                     (unsigned long long)i.dropped, (unsigned long long)i.queued,
                     (unsigned long long)before.submitted, (unsigned long long)before.completed,
                     (unsigned long long)before.dropped, (unsigned long long)before.queued,
                     (unsigned long long)i.heartbeat, (unsigned long long)before.heartbeat);
        }
        before = i;
        if (++j->seen % 16 == 0) { usleep(20); }
    }
    test_store(&j->done, 1);
    return NULL;
}
static void *stopper_main(void *arg)
{
    job *j = (job *)arg;
    j->result = sf_resident_tear_down(j->t->r, j->drain, GUARD);
    test_store(&j->done, 1);
    return NULL;
}
static job *begin_job(int index, void *(*func)(void *), job desc)
{
    job *j = &jobs[index];
    *j = desc;
    CHECK_EQUAL(pthread_create(&j->thread, NULL, func, j), 0);
    return j;
}
static void join_is(job *j, sf_result want)
{
    CHECK_EQUAL(pthread_join(j->thread, NULL), 0);
    if (j->why[0]) { fail_msg("%s", j->why); }
    CHECK_IS(j->result, want);
}
static void join(job *j) { join_is(j, SF_OK); }

/* All loops, with rings of every size; the last one is fused. */
enum { LOOPS = 5 };
static const sf_resident_loop loop_kinds[LOOPS] = {
    SF_RESIDENT_LOOP_EXACT, SF_RESIDENT_LOOP_FAST, SF_RESIDENT_LOOP_UNROLLED, SF_RESIDENT_LOOP_AUTO,
    SF_RESIDENT_LOOP_FUSED,
};
static ring *line_of(uint32_t loop, uint32_t slots, sf_overflow overflow)
{
    bool fused = loop_kinds[loop] == SF_RESIDENT_LOOP_FUSED;
    sf_resident_desc desc = { .slots = slots, .overflow = overflow, .loop = loop_kinds[loop] };
    return ring_of(fused ? FUSED : LINE, fused ? 1 : 1 + (int)(slots % 3), desc);
}

/* -- frames -- */

static void frames_go_through(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        for (uint32_t slots = 1; slots <= 64; slots *= 4) {
            ring *t = line_of(loop, slots, SF_OVERFLOW_BLOCK);
            sf_resident_info i;
            launch(t->r);
            for (uint64_t k = 1; k <= 40; k++) { /* one at a time */
                CHECK_EQUAL(send(t), k);
                receive_many(t, k, k);
            }
            for (uint64_t k = 41; k < 41 + 10 * slots; k += slots) {         /* as many as there is room for */
                send_many(t, k, k + slots - 1);
                receive_many(t, k, k + slots - 1);
            }
            counts_are(t, 40 + 10 * slots, 40 + 10 * slots, 0, 0);
            stop(t->r);
            i = info_of(t->r);
            CHECK_EQUAL(i.state, SF_RESIDENT_STOPPED);
            if (loop_kinds[loop] != SF_RESIDENT_LOOP_AUTO) { CHECK_EQUAL(i.loop, loop_kinds[loop]); }
            CHECK(i.loop != SF_RESIDENT_LOOP_AUTO);
            finish(t);
        }
    }
}
static void frames_of_any_size(void **state)
{
    static const size_t sizes[] = { 4, 60, 4096, 65540, 1 << 20, 5 << 20 };
    (void)state;
    for (size_t k = 0; k < 4 * COUNT(sizes); k++) {
        single t;
        rng r = rng_seed(k);
        uint32_t *in[3], n = (uint32_t)sizes[k / 4] / 4;
        single_make(&t, (sf_resident_desc){ .loop = loop_kinds[k % 4], .slots = 2 }, sizes[k / 4]);
        launch(t.r);
        for (uint64_t turn = 0; turn < 3; turn++) {
            in[turn] = (uint32_t *)malloc(sizes[k / 4]);
            for (uint32_t i = 0; i < n; i++) { in[turn][i] = rng_next(&r); }
            CHECK_EQUAL(feed(t.r, t.op, in[turn], sizes[k / 4]), turn + 1);
        }
        for (uint64_t turn = 0; turn < 3; turn++) {
            sf_resident_slot s = fetch(t.r, t.op, turn + 1);
            const uint32_t *out = (const uint32_t *)s.data[0];
            for (uint32_t i = 0; i < n; i++) {
                if (out[i] != in[turn][i] * 3 + 7) { fail_msg("%u words, frame %u: word %u", n, (uint32_t)turn, i); }
            }
            give(t.r, &s);
            free(in[turn]);
        }
        stop(t.r);
        destroy(t.r);
        nothing_is_left();
    }
}
/* The host's bytes come back crosswise: two ports each way, or one. */
typedef struct crosswise { sf_resident *r; sf_op op; size_t bytes[2]; int ports; } crosswise;
static sf_result cross_compute(sf_context *ctx)
{
    const crosswise *t = (const crosswise *)ctx->user;
    const sf_tensor *in[2] = { sf_receive(ctx, 0), t->ports > 1 ? sf_receive(ctx, 1) : NULL };
    for (int k = 0; k < t->ports; k++) {
        sf_tensor *out = sf_tensor_create(ctx, k, NULL);
        int from = t->ports - 1 - k;
        sf_result r = sf_memcpy_async(sf_compute_stream(ctx), out->data, in[from]->data, t->bytes[from]);
        if (r == SF_OK) { r = sf_emit(ctx, k, out); }
        if (r != SF_OK) { return r; }
    }
    return SF_OK;
}
static void cross_make(crosswise *t, sf_resident_desc desc, size_t a, size_t b)
{
    sf_op_desc op = { .name = "cross", .compute = cross_compute, .user = t };
    memset(t, 0, sizeof *t);
    t->bytes[0] = a, t->bytes[1] = b;
    t->ports = b ? 2 : 1;
    t->r = resident_of(desc);
    for (int k = 0; k < t->ports; k++) {
        op.in[k] = (sf_port){ .name = k ? "in2" : "in", .bytes = t->bytes[k], .external = true };
        op.out[k] = (sf_port){ .name = k ? "out2" : "out", .bytes = t->bytes[t->ports - 1 - k], .external = true };
    }
    t->op = sf_resident_add(t->r, &op);
}
static void noise(uint8_t *to, size_t bytes, uint64_t sequence, int port)
{
    rng r = rng_seed(sequence * 2 + (uint64_t)port);
    for (size_t i = 0; i < bytes; i++) { to[i] = (uint8_t)(rng_next(&r) >> 24); }
}
static void cross_frames(crosswise *t, uint32_t slots, rng *r)
{
    static uint8_t want[70000];
    uint64_t sent = 0, read = 0;
    launch(t->r);
    while (read < 24) {
        sf_resident_slot s;
        for (uint32_t n = 1 + rng_below(r, slots); n; n--) {
            resident_is(t->r, "acquire", sf_resident_acquire(t->r, t->op, GUARD, &s), SF_OK);
            CHECK_EQUAL(s.sequence, ++sent);
            for (int k = 0; k < t->ports; k++) { noise((uint8_t *)s.data[k], t->bytes[k], sent, k); }
            submit(t->r, &s);
        }
        while (read < sent) {
            s = fetch(t->r, t->op, ++read);
            for (int k = 0; k < t->ports; k++) {
                int from = t->ports - 1 - k;
                noise(want, t->bytes[from], read, from);
                if (!memcmp(want, s.data[k], t->bytes[from])) { continue; }
                fail_msg("%zu and %zu bytes, %u slots: frame %u, output %d", t->bytes[0], t->bytes[1], slots,
                         (uint32_t)read, k);
            }
            give(t->r, &s);
        }
    }
    stop(t->r);
    destroy(t->r);
}
/* Up to 14 words of four bytes travel with their number; a port begins with a word of its own. */
static void bytes_of_every_size(void **state)
{
    static const size_t large[] = { 4095, 4096, 65535, 65536, 65537 };
    rng r = rng_seed(28);
    (void)state;
    for (uint32_t k = 0; k < 64 + 64 + COUNT(large) * 4; k++) {
        uint32_t slots = (uint32_t)1 << rng_below(&r, 4);
        size_t a = k < 64 ? k + 1 : k < 128 ? 1 + rng_below(&r, 56) : large[(k - 128) / 4];
        size_t b = k < 64 ? 0 : 1 + rng_below(&r, k < 128 ? 60 - (uint32_t)a : 65536);
        crosswise t;
        cross_make(&t, (sf_resident_desc){ .loop = loop_kinds[k % 4], .slots = slots, .no_host_writes = k & 4,
                                           .overflow = k & 8 ? SF_OVERFLOW_DROP_NEWEST : SF_OVERFLOW_BLOCK }, a, b);
        cross_frames(&t, slots, &r);
    }
    nothing_is_left();
}
/* The lower half of the number of a request or result is in each of its words: it is 0 once in 2^32. */
static void numbers_wrap_around(void **state)
{
    const uint64_t wrap = (uint64_t)1 << 32;
    (void)state;
    for (uint32_t k = 0; k < 4 * LOOPS; k++) {
        uint32_t slots = (uint32_t)1 << k % 4;
        uint64_t first = wrap - 20 - k, at = first;
        ring *t;
        frame_words = k & 1 ? WORDS : k & 2 ? 14 : 7;
        t = line_of(k / 4, slots, SF_OVERFLOW_BLOCK);
        build(t->r);
        CHECK_OK(test_resident_count_from(t->r, first));
        launch(t->r);
        while (at < wrap + 20) {
            CHECK_EQUAL(send(t), at + 1);    /* one at a time, and as many as there is room for */
            receive_many(t, at + 1, at + 1);
            send_many(t, at + 2, at + 1 + slots);
            receive_many(t, at + 2, at + 1 + slots);
            at += 1 + slots;
        }
        counts_are(t, at, at, 0, 0);
        CHECK_IS(ask(t, at + 1, 0), SF_TIMEOUT);
        stop(t->r);
        finish(t);
    }
}
/* Words of results arrive in any order, and so does the hint how many there are: nobody gets half of one. */
static void words_in_any_order(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 40; seed++) {
        rng r = rng_seed(seed);
        ring *t;
        uint32_t missing[3] = { 0 }, left = 3, words;
        frame_words = 4 + seed % 11;
        words = 16 + frame_words;
        t = RING_WITH(LINE, 1, .slots = 4, .loop = SF_RESIDENT_LOOP_EXACT);
        launch(t->r);
        for (int n = 0; n < 3; n++) {        /* all but one word; that may be any */
            missing[n] = rng_below(&r, words);
            test_resident_write(t->r, (uint64_t)n + 1, 0, missing[n], rng_below(&r, 4));
            test_resident_write(t->r, (uint64_t)n + 1, missing[n] + 1, words, rng_below(&r, 4));
        }
        for (uint64_t next = 1; left;) {
            uint32_t n = rng_below(&r, 3);
            if (missing[n] == UINT32_MAX) { continue; }
            CHECK_IS(ask(t, next, 0), SF_TIMEOUT);
            test_resident_write(t->r, n + 1, missing[n], missing[n] + 1, rng_below(&r, 4));
            missing[n] = UINT32_MAX;
            left--;
            for (; next <= 3 && missing[next - 1] == UINT32_MAX; next++) {
                sf_resident_slot s;
                test_resident_write(t->r, 1, 0, 0, next);    /* from now on the hint is right, or late */
                resident_is(t->r, "result", sf_resident_result(t->r, t->last, 0, 0, &s), SF_OK);
                CHECK_EQUAL(s.sequence, next);
                for (uint32_t i = 0; i < frame_words; i++) {
                    CHECK_EQUAL(((const uint32_t *)s.data[0])[i], next * 100 + i);
                }
                give(t->r, &s);
            }
        }
        resident_is(t->r, "tear_down", sf_resident_tear_down(t->r, false, GUARD), SF_OK);
        finish(t);
    }
}
static void with_every_setting(void **state)
{
    static const sf_resident_desc descs[] = {
        { .slots = 1024 },
        { .idle = SF_RESIDENT_IDLE_LATENCY, .spin = 1 },
        { .idle = SF_RESIDENT_IDLE_BALANCED },
        { .idle = SF_RESIDENT_IDLE_POWER },
        { .idle = SF_RESIDENT_IDLE_POWER, .data_not_ready_sleep_interval_us = 500 },
        { .data_not_ready_sleep_interval_us = 1 },
        { .default_priority = true, .sync_with_host = true },
        { .no_programmatic_launch = true },
        { .no_stages = true, .measure_operators = true },
    };
    (void)state;
    for (size_t k = 0; k < 4 * COUNT(descs); k++) {
        sf_resident_desc desc = descs[k / 4];
        ring *t;
        if (desc.slots && test_seeds() < 1000) { desc.slots = 256; }         /* sanitizers: a loop is unrolled by slots */
        desc.loop = loop_kinds[k % 4];
        t = ring_of(LINE, 3, desc);
        launch(t->r);
        for (uint64_t turn = 0; turn < 20; turn++) {
            send_many(t, 4 * turn + 1, 4 * turn + 4);
            receive_many(t, 4 * turn + 1, 4 * turn + 4);
        }
        usleep(300);                         /* asleep, or at least idle */
        send_many(t, 81, 81);
        receive_many(t, 81, 81);
        stop(t->r);
        counts_are(t, 81, 81, 0, 0);
        finish(t);
    }
}
static void exactly_once(void **state)       /* per operator and iteration */
{
    (void)state;
    ring *t = RING_WITH(LINE, 3, .loop = SF_RESIDENT_LOOP_EXACT);
    for (int turn = 0; turn < 5; turn++) {
        launch(t->r);
        for (uint64_t k = 1; k <= 50; k++) {
            CHECK_EQUAL(send(t), (uint64_t)turn * 50 + k);
            receive_many(t, (uint64_t)turn * 50 + k, (uint64_t)turn * 50 + k);
        }
        stop(t->r);
        for (int s = 0; s < 3; s++) {
            CHECK_EQUAL(t->note[s].runs, 50 * (turn + 1));
            CHECK_EQUAL(t->note[s].gaps + t->note[s].repeats, 0);
        }
    }
    finish(t);
}
static void writer_and_reader(ring *t, uint64_t frames)
{
    job *w, *r;
    launch(t->r);
    w = begin_job(0, writer_main, (job){ .t = t, .op = t->first, .first = 1, .last = frames });
    r = begin_job(1, reader_main, (job){ .t = t, .op = t->last, .first = 1, .last = frames });
    join(w);
    join(r);
    CHECK_EQUAL(r->seen, frames);
    CHECK_EQUAL(r->dropped, 0);
    counts_are(t, frames, frames, 0, 0);
}
static void from_two_threads(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        for (uint32_t slots = 1; slots <= 16; slots *= 4) {
            ring *t = line_of(loop, slots, SF_OVERFLOW_BLOCK);
            writer_and_reader(t, 100 + test_seeds() / 10);
            finish(t);
        }
    }
}
static void with_naps_in_between(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        for (uint32_t slots = 1; slots <= 4; slots *= 2) {
            ring *t = line_of(loop, slots, SF_OVERFLOW_BLOCK);
            test_store(&steps.naps, 16);
            writer_and_reader(t, 50 + test_seeds() / 50);
            end(t);
            test_store(&steps.naps, 0);
            nothing_is_left();
        }
    }
}
static void submitted_while_it_runs(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        gate(t, 0);
        launch(t->r);
        CHECK_EQUAL(send(t), 1);
        wait_until(&t->note[0].entered, 1);
        send_many(t, 2, 4);                  /* the first one is not done */
        counts_are(t, 4, 0, 0, 4);
        CHECK_IS(ask(t, 1, 0), SF_TIMEOUT);
        CHECK_IS(sf_resident_result_ready(t->r, 1), SF_NOT_READY);
        for (uint32_t k = 1; k <= 4; k++) {
            gate(t, k);
            receive_many(t, k, k);
            CHECK_OK(sf_resident_result_ready(t->r, k));
            CHECK_EQUAL(send(t), k + 4);
            counts_are(t, k + 4, k, 0, 4);
        }
        gate(t, UINT32_MAX);
        receive_many(t, 5, 8);
        finish(t);
    }
}

/* -- iterations without data -- */

static void wait_for(ring *t, uint64_t sequence)
{
    uint64_t done = 0;                       /* as long as the loop gets on: a sanitizer may make it slow */
    for (int i = 0; i < 30000 && sf_resident_result_ready(t->r, sequence) == SF_NOT_READY; i++) {
        uint64_t now = info_of(t->r).completed;
        if (now != done) { i = 0; }
        done = now;
        usleep(1000);
    }
    resident_is(t->r, "result_ready", sf_resident_result_ready(t->r, sequence), SF_OK);
}
static void a_million_triggers(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        uint32_t n = test_seeds() * (loop == 0 ? 100 : 10);
        ring *t = RING_WITH(TRIGGER, 1, .loop = loop_kinds[loop]);
        sf_counters before, after;
        uint64_t sequence = 0;
        CHECK_OK(sf_device_get_counters(device, &before));
        launch(t->r);
        for (uint64_t k = 1; k <= n; k++) {
            sf_result r = sf_resident_data_ready(t->r, &sequence);
            if (r != SF_OK || sequence != k) { fail_msg("%llu: %d", (unsigned long long)k, (int)r); }
        }
        wait_for(t, n);
        counts_are(t, n, n, 0, 0);
        stop(t->r);
        CHECK_OK(sf_device_get_counters(device, &after));
        CHECK_EQUAL(after.graph_launches - before.graph_launches, 1);
        CHECK_EQUAL(t->note->gaps, 0);
        CHECK(t->note->runs >= n && t->note->runs <= n + 8);
        if (loop == 0) {                     /* exact */
            CHECK_EQUAL(t->note->runs, n);
            CHECK_EQUAL(t->note->left, n);
            CHECK_EQUAL(t->note->repeats, 0);
        }
        finish(t);
    }
}
static void a_million_frames_are_one_launch(void **state)
{
    uint32_t n = test_seeds() * 10;
    (void)state;
    for (uint32_t loop = 3; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 64, SF_OVERFLOW_BLOCK);
        sf_counters before, after;
        CHECK_OK(sf_resident_build(t->r));
        CHECK_OK(sf_device_get_counters(device, &before));
        writer_and_reader(t, n);
        stop(t->r);
        CHECK_OK(sf_device_get_counters(device, &after));
        CHECK_EQUAL(after.graph_launches - before.graph_launches, t->shape == FUSED ? 0 : 1);
        if (t->shape == FUSED) { CHECK_EQUAL(after.launches - before.launches, 1); }         /* of one kernel */
        finish(t);
    }
}
static void triggered_from_the_gpu(void **state)     /* by a kernel outside the loop: none is lost */
{
    enum { MARKS = 200 };
    ring *t = RING_WITH(TRIGGER, 1, .loop = SF_RESIDENT_LOOP_EXACT);
    sf_stream *s = test_stream(device);
    ring_mark_args a;
    uint64_t sequence;
    (void)state;
    launch(t->r);
    a = (ring_mark_args){ sf_resident_get_control(t->r), 1 };
    for (int i = 0; i < MARKS; i++) { CHECK_OK(sf_launch(s, &ring_mark_kernel, &a, sizeof a)); }
    for (int i = 0; i < MARKS; i++) { CHECK_OK(sf_resident_data_ready(t->r, &sequence)); }
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    wait_for(t, 2 * MARKS);
    stop(t->r);
    counts_are(t, 2 * MARKS, 2 * MARKS, 0, 0);
    CHECK_EQUAL(t->note->runs, 2 * MARKS);
    CHECK_EQUAL(t->note->gaps + t->note->repeats, 0);
    CHECK_OK(sf_stream_destroy(s));
    finish(t);
}
/* The host is heard, however many marks the device has ready. */
static void stopped_in_a_flood_of_marks(void **state)
{
    enum { MARKS = 20000, FEW = 32 };
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(TRIGGER, 1, .loop = loop_kinds[loop]);
        sf_stream *s = test_stream(device);
        ring_mark_args a;
        gate(t, 2);
        launch(t->r);
        a = (ring_mark_args){ sf_resident_get_control(t->r), MARKS };
        CHECK_OK(sf_launch(s, &ring_mark_kernel, &a, sizeof a));
        CHECK_OK(sf_stream_synchronize(s, GUARD));
        wait_until(&t->note->entered, 3);
        CHECK_IS(sf_resident_tear_down(t->r, false, 0), SF_TIMEOUT);
        gate(t, UINT32_MAX);
        CHECK_OK(sf_resident_wait(t->r, GUARD));
        CHECK(info_of(t->r).completed >= 3 && info_of(t->r).completed < FEW);
        CHECK_OK(sf_stream_destroy(s));
        finish(t);
    }
}
static void triggers_that_are_stopped(void **state)
{
    (void)state;
    for (int drain = 0; drain < 2; drain++) {
        ring *t = RING_WITH(TRIGGER, 1, .loop = SF_RESIDENT_LOOP_EXACT);
        uint64_t sequence = 0;
        gate(t, 0);
        launch(t->r);
        for (int i = 0; i < 100; i++) { CHECK_OK(sf_resident_data_ready(t->r, &sequence)); }
        CHECK_EQUAL(sequence, 100);
        wait_until(&t->note->entered, 1);
        counts_are(t, 100, 0, 0, 100);
        CHECK_IS(sf_resident_tear_down(t->r, drain, 0), SF_TIMEOUT);
        CHECK_IS(sf_resident_data_ready(t->r, &sequence), SF_ERROR_ILLEGAL_STATE);
        usleep(1000);                        /* where the host was heard within 50 us, it is not asked again */
        gate(t, UINT32_MAX);
        CHECK_OK(sf_resident_wait(t->r, GUARD));
        counts_are(t, 100, drain ? 100 : 1, drain ? 0 : 99, 0);
        CHECK_EQUAL(t->note->runs, drain ? 100 : 1);
        launch(t->r);
        CHECK_OK(sf_resident_data_ready(t->r, &sequence));
        CHECK_EQUAL(sequence, 101);
        wait_for(t, 101);
        CHECK_EQUAL(t->note->left, 101);
        stop(t->r);
        finish(t);
    }
}

/* -- full rings -- */

static void full_ring(uint32_t loop, uint32_t slots, sf_overflow overflow)
{
    ring *t = line_of(loop, slots, overflow);
    sf_resident_slot slot;
    int64_t now;
    gate(t, 0);
    launch(t->r);
    CHECK_EQUAL(send(t), 1);
    wait_until(&t->note[0].entered, 1);
    send_many(t, 2, slots);
    counts_are(t, slots, 0, 0, slots);
    switch (overflow) {
    case SF_OVERFLOW_ERROR:                  /* at once, whatever the deadline */
        CHECK_IS(sf_resident_acquire(t->r, t->first, GUARD, &slot), SF_BUSY);
        CHECK_IS(sf_resident_acquire(t->r, t->first, SF_FOREVER, &slot), SF_BUSY);
        break;
    case SF_OVERFLOW_DROP_NEWEST:
        send_many(t, slots + 1, slots + 3);
        counts_are(t, slots + 3, 0, 3, slots);
        break;
    default:
        CHECK_IS(sf_resident_acquire(t->r, t->first, 0, &slot), SF_BUSY);
        now = sf_flow_now(NULL);
        CHECK_IS(sf_resident_acquire(t->r, t->first, SF_MS(5), &slot), SF_TIMEOUT);
        CHECK(sf_flow_now(NULL) - now >= SF_MS(5));
    }
    gate(t, UINT32_MAX);
    receive_many(t, 1, 1);
    if (overflow == SF_OVERFLOW_LATEST) {
        receive_many(t, slots, slots);
        for (uint64_t k = 2; k < slots; k++) { CHECK_IS(ask(t, k, GUARD), SF_IGNORED); }
        counts_are(t, slots, 2, slots - 2, 0);
    } else {
        receive_many(t, 2, slots);
    }
    if (overflow == SF_OVERFLOW_DROP_NEWEST) {
        for (uint64_t k = slots + 1; k <= slots + 3; k++) { CHECK_IS(ask(t, k, GUARD), SF_IGNORED); }
        counts_are(t, slots + 3, slots, 3, 0);
        CHECK_EQUAL(send(t), slots + 4);
        receive_many(t, slots + 4, slots + 4);
    } else {
        CHECK_EQUAL(send(t), slots + 1);
        receive_many(t, slots + 1, slots + 1);
    }
    stop(t->r);
    adds_up(t);
    finish(t);
}
static void full_rings(void **state)
{
    static const sf_overflow policies[] = {
        SF_OVERFLOW_BLOCK, SF_OVERFLOW_ERROR, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_LATEST
    };
    (void)state;
    for (uint32_t k = 0; k < COUNT(policies) * 3; k++) {
        full_ring(k % 3, k < COUNT(policies) ? 4 : 8, policies[k % COUNT(policies)]);
    }
}
/* The reader holds up the loop, the ring fills behind it; then the next one taken is the newest. */
static void the_older_are_dropped(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_LATEST);
        launch(t->r);
        for (uint64_t k = 1; k <= 4; k++) {  /* never more than one in the ring: nothing to drop */
            CHECK_EQUAL(send(t), k);
            wait_for(t, k);
        }
        send_many(t, 5, 8);
        counts_are(t, 8, 4, 0, 4);
        receive_many(t, 1, 1);
        wait_for(t, 8);
        receive_many(t, 2, 4);
        for (uint64_t k = 5; k < 8; k++) { CHECK_IS(ask(t, k, GUARD), SF_IGNORED); }
        receive_many(t, 8, 8);
        counts_are(t, 8, 5, 3, 0);
        stop(t->r);
        finish(t);
    }
}
static void next_result_skips_the_dropped(void **state)
{
    ring *t = RING_WITH(LINE, 2, .overflow = SF_OVERFLOW_LATEST);
    sf_resident_slot a, b;
    (void)state;
    gate(t, 0);
    launch(t->r);
    CHECK_EQUAL(send(t), 1);
    wait_until(&t->note[0].entered, 1);
    send_many(t, 2, 4);
    CHECK_IS(ask(t, 0, 0), SF_TIMEOUT);
    gate(t, UINT32_MAX);
    a = receive(t, 0);
    CHECK_EQUAL(a.sequence, 1);
    b = receive(t, 0);                       /* the one after the last one lent, released or not */
    CHECK_EQUAL(b.sequence, 4);
    CHECK_IS(ask(t, 0, 0), SF_TIMEOUT);
    give(t->r, &a);
    give(t->r, &b);
    CHECK_EQUAL(send(t), 5);
    a = receive(t, 0);
    CHECK_EQUAL(a.sequence, 5);
    give(t->r, &a);
    finish(t);
}
static void policy_under_load(uint32_t loop, uint32_t slots, sf_overflow overflow, uint32_t slow_reader,
                              uint32_t slow_writer)
{
    ring *t = line_of(loop, slots, overflow);
    uint64_t n = 100 + test_seeds() / 20;
    sf_resident_info i;
    job *w, *r, *s;
    launch(t->r);
    s = begin_job(2, snapshot_main, (job){ .t = t });
    w = begin_job(0, writer_main, (job){ .t = t, .op = t->first, .first = 1, .last = n, .every = slow_writer });
    r = begin_job(1, reader_main, (job){ .t = t, .op = t->last, .first = 1, .last = n, .every = slow_reader });
    join(w);
    join(r);
    test_store(&s->stop, 1);
    join(s);
    CHECK_EQUAL(r->seen + r->dropped, n);
    i = info_of(t->r);
    CHECK_EQUAL(i.dropped, r->dropped);
    counts_are(t, n, r->seen, r->dropped, 0);
    if (overflow == SF_OVERFLOW_BLOCK || overflow == SF_OVERFLOW_ERROR) { CHECK_EQUAL(r->dropped, 0); }
    CHECK_OK(sf_resident_result_ready(t->r, n));             /* read or dropped, by the loop or by the host */
    stop(t->r);
    counts_are(t, n, r->seen, r->dropped, 0);
    finish(t);
}
static void policies_under_load(void **state)
{
    static const sf_overflow policies[] = {
        SF_OVERFLOW_BLOCK, SF_OVERFLOW_ERROR, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_LATEST
    };
    (void)state;
    for (size_t p = 0; p < COUNT(policies); p++) {
        for (uint32_t loop = 0; loop < LOOPS; loop++) {
            policy_under_load(loop, 4, policies[p], 0, 0);
            policy_under_load(loop, loop % 2 ? 2 : 8, policies[p], 4, 0);
            policy_under_load(loop, 1, policies[p], 0, 8);
            test_store(&steps.naps, 64);
            policy_under_load(loop, 4, policies[p], 0, 0);
            test_store(&steps.naps, 0);
        }
    }
}

/* The reader asks for the second frame, which comes right then, and behind it one that is dropped. */
static void frames_come(void)
{
    ring *t = steps.asked;
    steps.asked = NULL;
    send_many(t, 2, 3);
}
static void asked_while_frames_come(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {      /* nothing holds a fused operator */
        ring *t = line_of(loop, 1, SF_OVERFLOW_DROP_NEWEST);
        launch(t->r);
        send_many(t, 1, 1);
        receive_many(t, 1, 1);
        gate(t, 1);
        steps.asked = t;
        CHECK_IS(ask(t, 2, 0), SF_TIMEOUT);
        CHECK(!steps.asked);
        gate(t, UINT32_MAX);
        receive_many(t, 2, 2);
        CHECK_IS(ask(t, 3, 0), SF_IGNORED);
        finish(t);
    }
}

/* -- slots -- */

static void lent_slots(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_resident_slot a, b, stale, zero;
        memset(&zero, 0, sizeof zero);
        launch(t->r);
        a = lend(t->r, t->first);
        b = lend(t->r, t->first);            /* the same one again */
        CHECK_EQUAL(b.sequence, 1);
        CHECK_EQUAL(a.sequence, b.sequence);
        CHECK(a.data[0] == b.data[0] && a.op.id == t->first.id);
        CHECK_IS(sf_resident_submit(t->r, &zero), SF_ERROR_UNKNOWN_OPERATOR);
        zero.op = t->first;
        CHECK_IS(sf_resident_submit(t->r, &zero), SF_ERROR_ILLEGAL_STATE);
        stale = a;
        stale.sequence = 7;
        CHECK_IS(sf_resident_submit(t->r, &stale), SF_ERROR_ILLEGAL_STATE);
        stale = a;
        frame_fill((uint32_t *)a.data[0], 1, 0);
        CHECK_EQUAL(submit(t->r, &a), 1);
        CHECK_IS(sf_resident_submit(t->r, &stale), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_resident_submit(t->r, &b), SF_ERROR_ILLEGAL_STATE);
        adds_up(t);
        CHECK_EQUAL(info_of(t->r).submitted, 1);
        a = receive(t, 1);
        CHECK(sf_resident_submit(t->r, &a) < 0);     /* a result is not a request */
        stale = a;
        give(t->r, &a);
        CHECK_IS(sf_resident_release(t->r, &a), SF_ERROR_UNKNOWN_OPERATOR);  /* zeros by now */
        CHECK(failure_says(t, "sf_resident_release", "not lent"));
        CHECK_IS(sf_resident_release(t->r, &stale), SF_ERROR_ILLEGAL_STATE);
        CHECK(failure_says(t, "sf_resident_release", "released already"));
        CHECK_IS(ask(t, 1, GUARD), SF_ERROR_ILLEGAL_STATE);  /* released already */
        CHECK_OK(sf_resident_result_ready(t->r, 1));
        counts_are(t, 1, 1, 0, 0);
        finish(t);
    }
}
static void released_in_order(void **state)
{
    ring *t = RING(LINE, 2);
    sf_resident_slot lent[4], none;
    (void)state;
    launch(t->r);
    memset(&none, 0, sizeof none);
    none.op = t->last;
    CHECK_IS(sf_resident_release(t->r, &none), SF_ERROR_ILLEGAL_STATE);
    none.sequence = 1;
    CHECK_IS(sf_resident_release(t->r, &none), SF_ERROR_ILLEGAL_STATE);
    for (uint64_t turn = 0; turn < 3; turn++) {
        send_many(t, 4 * turn + 1, 4 * turn + 4);
        for (uint64_t k = 0; k < 4; k++) { lent[k] = receive(t, 4 * turn + k + 1); }
        for (int k = 3; k > 0; k--) { CHECK_IS(sf_resident_release(t->r, &lent[k]), SF_ERROR_ILLEGAL_STATE); }
        for (int k = 0; k < 4; k++) {
            sf_resident_slot again = lent[k];
            give(t->r, &lent[k]);
            CHECK_IS(sf_resident_release(t->r, &again), SF_ERROR_ILLEGAL_STATE);
        }
    }
    counts_are(t, 12, 12, 0, 0);
    stop(t->r);
    finish(t);
}
/* Four results lent, or not even asked for; the ring fills behind them; nothing of them changes. */
static void a_slow_reader_holds_up_the_loop(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_resident_slot lent[2], slot;
        char why[256];
        launch(t->r);
        send_many(t, 1, 4);
        wait_for(t, 4);
        lent[0] = receive(t, 1);
        lent[1] = receive(t, 2);
        send_many(t, 5, 8);
        CHECK_IS(ask(t, 5, SF_MS(2)), SF_TIMEOUT);
        CHECK_IS(sf_resident_acquire(t->r, t->first, 0, &slot), SF_BUSY);
        counts_are(t, 8, 4, 0, 4);
        for (int k = 0; k < 2; k++) {
            if (!result_good(t, &lent[k], (uint64_t)k + 1, SF_OK, why)) { fail_msg("%s", why); }
            give(t->r, &lent[k]);
        }
        wait_for(t, 6);
        CHECK_IS(sf_resident_result_ready(t->r, 7), SF_NOT_READY);
        receive_many(t, 3, 8);
        counts_are(t, 8, 8, 0, 0);
        finish(t);
    }
}

/* -- several ports, several sources -- */

static uint32_t side_mask(const ring *t, int side, uint32_t i)       /* of the two halves of a result */
{
    return t->shape == JOIN ? ring_key(side) * (i + 1) ^ ring_key(2) * (i + 1) : mask_of(t, i);
}
static bool pair_is(const ring *t, const sf_resident_slot *s, uint64_t left, uint64_t right, char *why)
{
    const uint32_t *got = (const uint32_t *)s->data[0];
    uint32_t mask[2][WORDS];
    for (uint32_t i = 0; i < frame_words; i++) {
        mask[0][i] = side_mask(t, 0, i);
        mask[1][i] = side_mask(t, 1, i);
    }
    return frame_is(got, mask[0], left, 0, why) && frame_is(got + frame_words, mask[1], right, 1, why);
}
static uint64_t send_to(ring *t, sf_op op, uint32_t source)
{
    sf_resident_slot slot = lend(t->r, op);
    frame_fill((uint32_t *)slot.data[0], slot.sequence, source);
    return submit(t->r, &slot);
}
static void a_source_of_two_ports(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(PAIR, 1, .loop = loop_kinds[loop]);
        char why[256];
        launch(t->r);
        for (uint64_t k = 1; k <= 50; k++) {
            sf_resident_slot s = lend(t->r, t->first);
            CHECK(s.data[0] && s.data[1] && s.data[0] != s.data[1] && !s.data[2]);
            frame_fill((uint32_t *)s.data[0], k, 0);
            frame_fill((uint32_t *)s.data[1], k, 1);
            CHECK_EQUAL(submit(t->r, &s), k);
            s = fetch(t->r, t->last, k);
            if (!slot_is(t, &s, k, SF_OK, why) || !pair_is(t, &s, k, k, why)) { fail_msg("%s", why); }
            give(t->r, &s);
        }
        stop(t->r);
        finish(t);
    }
}
static void read_early(ring *t, uint64_t sequence)   /* what the first stage made of it */
{
    sf_resident_slot s = fetch(t->r, t->first, sequence);
    uint32_t mask[WORDS];
    char why[256];
    for (uint32_t i = 0; i < frame_words; i++) { mask[i] = ring_mask(1, i); }
    if (!frame_is((uint32_t *)s.data[0], mask, sequence, 0, why)) { fail_msg("%s", why); }
    give(t->r, &s);
}
static void sinks_are_read_apart(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(TRIGGER, 0, .loop = loop_kinds[loop]);
        t->shape = LINE;
        t->stages = 2;
        t->first = add_stage(t, "stage0", 0, 1, true, true);
        t->last = add_stage(t, "stage1", 1, 1, false, true);
        wire(t->r, t->first, "out", t->last, "in");
        launch(t->r);
        send_many(t, 1, 4);
        for (uint64_t k = 1; k <= 4; k++) { read_early(t, k); }
        send_many(t, 5, 8);                  /* the slower reader holds up the loop */
        CHECK_IS(sf_resident_wait(t->r, SF_MS(2)), SF_TIMEOUT);
        counts_are(t, 8, 4, 0, 4);
        receive_many(t, 1, 4);
        for (uint64_t k = 5; k <= 8; k++) {
            receive_many(t, k, k);
            if (k % 2 == 0) { read_early(t, k - 1), read_early(t, k); }
        }
        stop(t->r);
        counts_are(t, 8, 8, 0, 0);
        finish(t);
    }
}
static void all_sources(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(JOIN, 3, .loop = loop_kinds[loop]);
        uint64_t n = 100 + test_seeds() / 20;
        char why[256];
        job *left, *right, *watch;
        launch(t->r);
        CHECK_EQUAL(send_to(t, t->first, 0), 1);
        CHECK_EQUAL(send_to(t, t->first, 0), 2);
        CHECK_IS(ask(t, 1, SF_MS(2)), SF_TIMEOUT);   /* the other one has nothing */
        counts_are(t, 0, 0, 0, 0);
        CHECK_EQUAL(send_to(t, t->second, 1), 1);
        CHECK_OK(ask(t, 1, GUARD));
        watch = begin_job(2, snapshot_main, (job){ .t = t });
        left = begin_job(0, writer_main, (job){ .t = t, .op = t->first, .first = 3, .last = n });
        right = begin_job(1, writer_main, (job){ .t = t, .op = t->second, .source = 1, .first = 2, .last = n });
        for (uint64_t k = 1; k <= n; k++) {
            sf_resident_slot s = fetch(t->r, t->last, k);
            if (!slot_is(t, &s, k, SF_OK, why) || !pair_is(t, &s, k, k, why)) { fail_msg("%s", why); }
            give(t->r, &s);
        }
        join(left);
        join(right);
        test_store(&watch->stop, 1);
        join(watch);
        counts_are(t, n, n, 0, 0);
        stop(t->r);
        finish(t);
    }
}
static void any_source_one_by_one(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(JOIN, 3, .loop = loop_kinds[loop], .any_source = true);
        uint64_t count[2] = { 0, 0 }, n = 0;
        rng r = rng_seed(loop);
        char why[256];
        launch(t->r);
        CHECK_EQUAL(send_to(t, t->first, 0), ++count[0]);    /* both once, so that both hold a frame */
        CHECK_OK(ask(t, ++n, GUARD));
        CHECK_EQUAL(send_to(t, t->second, 1), ++count[1]);
        CHECK_OK(ask(t, ++n, GUARD));
        for (int k = 0; k < 100; k++) {      /* the idle one keeps its last content */
            uint32_t side = rng_below(&r, 2);
            sf_resident_slot s;
            if (k == 0) {                    /* lent above */
                for (uint64_t i = 1; i <= 2; i++) {
                    s = fetch(t->r, t->last, i);
                    if (i == 2 && !pair_is(t, &s, 1, 1, why)) { fail_msg("loop %u: %s", loop, why); }
                    give(t->r, &s);
                }
            }
            CHECK_EQUAL(send_to(t, side ? t->second : t->first, side), ++count[side]);
            s = fetch(t->r, t->last, ++n);
            if (!slot_is(t, &s, n, SF_OK, why) || !pair_is(t, &s, count[0], count[1], why)) {
                fail_msg("loop %u: %s", loop, why);
            }
            give(t->r, &s);
            counts_are(t, n, n, 0, 0);
        }
        stop(t->r);
        finish(t);
    }
}
/* In a held iteration both get requests: one of each is taken together, then what is left of one alone. */
/* Each source drops its own, and results are of iterations. */
static void any_source_drops_the_newest(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(JOIN, 3, .loop = loop_kinds[loop], .any_source = true,
                            .overflow = SF_OVERFLOW_DROP_NEWEST);
        sf_resident_slot s;
        sf_resident_info i;
        launch(t->r);
        for (uint64_t k = 1; k <= 20; k++) {
            (void)send_to(t, t->second, 1);
            s = fetch(t->r, t->last, k % 2 ? k : 0);
            CHECK_EQUAL(s.sequence, k);
            give(t->r, &s);
        }
        for (int k = 0; k < 200; k++) { (void)send_to(t, k % 2 ? t->second : t->first, k % 2); }     /* nobody reads */
        CHECK_OK(sf_resident_get_info(t->r, &i));
        CHECK(i.dropped > 0 && i.submitted == i.completed + i.dropped + i.queued);
        sf_resident_tear_down(t->r, false, GUARD);
        CHECK_OK(sf_resident_get_info(t->r, &i));
        CHECK(!i.queued && i.submitted == i.completed + i.dropped);
        finish(t);
    }
}
static void any_source_takes_one_of_each(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(JOIN, 3, .loop = loop_kinds[loop], .any_source = true);
        static const uint64_t want[4][2] = { { 1, 0 }, { 2, 1 }, { 3, 2 }, { 4, 2 } };
        char why[256];
        gate(t, 0);
        launch(t->r);
        CHECK_EQUAL(send_to(t, t->first, 0), 1);
        wait_until(&t->note[2].entered, 1);
        for (uint64_t k = 2; k <= 4; k++) { CHECK_EQUAL(send_to(t, t->first, 0), k); }
        for (uint64_t k = 1; k <= 2; k++) { CHECK_EQUAL(send_to(t, t->second, 1), k); }
        adds_up(t);
        gate(t, UINT32_MAX);
        for (uint64_t k = 1; k <= 4; k++) {
            sf_resident_slot s = fetch(t->r, t->last, k);
            if (k > 1 && !pair_is(t, &s, want[k - 1][0], want[k - 1][1], why)) { fail_msg("loop %u: %s", loop, why); }
            give(t->r, &s);
        }
        CHECK_IS(ask(t, 5, 0), SF_TIMEOUT);
        counts_are(t, 4, 4, 0, 0);
        stop(t->r);
        finish(t);
    }
}
static void any_source_from_threads(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < 4; loop++) {
        ring *t = RING_WITH(JOIN, 3, .loop = loop_kinds[loop], .any_source = true);
        uint64_t n = 100 + test_seeds() / 20, at[2] = { 0, 0 }, k = 0;
        job *left, *right, *watch;
        launch(t->r);
        watch = begin_job(2, snapshot_main, (job){ .t = t });
        left = begin_job(0, writer_main, (job){ .t = t, .op = t->first, .last = n, .first = 1 });
        right = begin_job(1, writer_main, (job){ .t = t, .op = t->second, .last = n, .first = 1, .source = 1 });
        while (at[0] < n || at[1] < n) {
            sf_resident_slot s = fetch(t->r, t->last, ++k);
            const uint32_t *got = (const uint32_t *)s.data[0];
            uint64_t now[2];
            char why[256];
            for (int i = 0; i < 2; i++) {
                now[i] = got[i * frame_words] ^ ring_key(i) ^ ring_key(2);
                if (at[i] && now[i] != at[i] && now[i] != at[i] + 1) {
                    fail_msg("source %d: %llu after %llu", i, (unsigned long long)now[i], (unsigned long long)at[i]);
                }
            }
            for (int i = 0; i < 2; i++) { now[i] = now[i] == at[i] + 1 ? now[i] : at[i]; }
            if (now[0] && now[1] && !pair_is(t, &s, now[0], now[1], why)) { fail_msg("%s", why); }
            at[0] = now[0], at[1] = now[1];
            give(t->r, &s);
        }
        join(left);
        join(right);
        test_store(&watch->stop, 1);
        join(watch);
        counts_are(t, k, k, 0, 0);
        stop(t->r);
        finish(t);
    }
}

/* -- stopping -- */

static void fill_behind_a_gate(ring *t, uint64_t first, uint64_t last)       /* the first one is running, and held */
{
    gate(t, (uint32_t)first - 1);
    CHECK_EQUAL(send(t), first);
    wait_until(&t->note[t->obeys].entered, (uint32_t)first);
    send_many(t, first + 1, last);
}
static void stopped_with_work_queued(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * (LOOPS - 1); k++) {
        bool drain = k % 2;
        ring *t = line_of(k / 2, 4, SF_OVERFLOW_BLOCK);
        sf_resident_slot slot, kept;
        launch(t->r);
        CHECK(sf_resident_is_launched(t->r));
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_RUNNING);
        fill_behind_a_gate(t, 1, 3);
        kept = lend(t->r, t->first);
        CHECK_IS(sf_resident_tear_down(t->r, drain, 0), SF_TIMEOUT);
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_STOPPING);
        CHECK(sf_resident_is_launched(t->r));
        CHECK_IS(sf_resident_submit(t->r, &kept), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_resident_acquire(t->r, t->first, GUARD, &slot), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_resident_launch(t->r), SF_ERROR_ILLEGAL_STATE);
        CHECK(failure_says(t, "sf_resident_launch", "still being stopped"));
        CHECK_IS(sf_resident_wait(t->r, SF_MS(1)), SF_TIMEOUT);
        counts_are(t, 3, 0, 0, 3);
        gate(t, UINT32_MAX);
        CHECK_OK(sf_resident_wait(t->r, GUARD));
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_STOPPED);
        CHECK(!sf_resident_is_launched(t->r));
        CHECK_OK(sf_resident_tear_down(t->r, !drain, 0));
        counts_are(t, 3, drain ? 3 : 1, drain ? 0 : 2, 0);
        receive_many(t, 1, 1);
        for (uint64_t i = 2; i <= 3; i++) {
            if (drain) { receive_many(t, i, i); } else { CHECK_IS(ask(t, i, GUARD), SF_IGNORED); }
        }
        CHECK_IS(ask(t, 4, GUARD), SF_ERROR_ILLEGAL_STATE);
        CHECK(strlen(sf_resident_failure(t->r)->text) > 0);
        launch(t->r);                        /* and on it goes */
        CHECK_EQUAL(send(t), 4);
        receive_many(t, 4, 4);
        finish(t);
    }
}
static void stopped_behind_a_slow_reader(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * LOOPS; k++) {
        bool drain = k % 2;
        ring *t = line_of(k / 2, 4, SF_OVERFLOW_BLOCK);
        launch(t->r);
        send_many(t, 1, 4);
        wait_for(t, 4);
        send_many(t, 5, 8);
        if (drain) {                         /* needs the reader */
            CHECK_IS(sf_resident_tear_down(t->r, true, SF_MS(5)), SF_TIMEOUT);
            receive_many(t, 1, 8);
        } else {
            CHECK_OK(sf_resident_tear_down(t->r, false, GUARD));
            receive_many(t, 1, 4);
            for (uint64_t i = 5; i <= 8; i++) { CHECK_IS(ask(t, i, GUARD), SF_IGNORED); }
        }
        CHECK_OK(sf_resident_wait(t->r, GUARD));
        counts_are(t, 8, drain ? 8 : 4, drain ? 0 : 4, 0);
        finish(t);
    }
}
static void an_abort_ends_a_drain(void **state)
{
    ring *t = RING(LINE, 2);
    (void)state;
    launch(t->r);
    send_many(t, 1, 4);
    wait_for(t, 4);
    send_many(t, 5, 8);
    CHECK_IS(sf_resident_tear_down(t->r, true, 0), SF_TIMEOUT);
    CHECK_OK(sf_resident_tear_down(t->r, false, GUARD));
    counts_are(t, 8, 4, 4, 0);
    finish(t);
}
static void stopped_in_every_way(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        job *a, *b;
        CHECK_IS(sf_resident_tear_down(t->r, true, GUARD), SF_IGNORED);      /* before launch */
        CHECK_IS(sf_resident_wait(t->r, GUARD), SF_IGNORED);
        build(t->r);
        CHECK_IS(sf_resident_tear_down(t->r, false, GUARD), SF_IGNORED);
        CHECK_IS(sf_resident_wait(t->r, GUARD), SF_IGNORED);
        for (uint64_t turn = 0; turn < 20; turn++) {
            launch(t->r);
            CHECK_EQUAL(send(t), turn + 1);
            if (turn % 2) { receive_many(t, turn + 1, turn + 1); }
            switch (turn % 4) {
            case 0:                          /* twice */
                CHECK_OK(sf_resident_tear_down(t->r, true, GUARD));
                CHECK_OK(sf_resident_tear_down(t->r, false, GUARD));
                break;
            case 1:                          /* elsewhere */
                join(begin_job(0, stopper_main, (job){ .t = t }));
                break;
            default:                         /* two at once, and here */
                a = begin_job(0, stopper_main, (job){ .t = t, .drain = true });
                b = begin_job(1, stopper_main, (job){ .t = t, .drain = true });
                if (turn % 4 == 3) { CHECK_OK(sf_resident_tear_down(t->r, true, GUARD)); }
                join(a);
                join(b);
            }
            CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_STOPPED);
            CHECK(!sf_resident_is_launched(t->r));
            CHECK_OK(sf_resident_wait(t->r, 0));
            counts_are(t, turn + 1, turn + 1, 0, 0);
        }
        finish(t);
    }
}
static void destroyed_while_it_runs(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 4 * LOOPS; k++) {
        ring *t = line_of(k / 4, 4, SF_OVERFLOW_BLOCK);
        if (k % 4) { launch(t->r); }
        if (k % 4 >= 2) { send_many(t, 1, 3); }
        if (k % 4 == 3) { receive_many(t, 1, 1); }
        finish(t);
    }
}
static void *waiter_main(void *arg)
{
    job *j = (job *)arg;
    j->result = sf_resident_wait(j->t->r, GUARD);
    return NULL;
}
static void whoever_waits_is_woken(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        job *w, *r, *v;
        launch(t->r);
        gate(t, 0);
        w = begin_job(0, writer_main, (job){ .t = t, .op = t->first, .first = 1, .last = 100 });
        r = begin_job(1, reader_main, (job){ .t = t, .op = t->last, .first = 1, .last = 100 });
        v = begin_job(2, waiter_main, (job){ .t = t });
        wait_until(&t->note[0].entered, 1);
        while (info_of(t->r).submitted < 4) { usleep(100); }
        CHECK_IS(sf_resident_tear_down(t->r, false, 0), SF_TIMEOUT);
        join_is(w, SF_ERROR_ILLEGAL_STATE);  /* though the iteration is still held */
        CHECK_EQUAL(w->seen, 4);
        usleep(1000);                        /* where the host was heard within 50 us, it is not asked again */
        gate(t, UINT32_MAX);
        join(v);
        join_is(r, SF_ERROR_ILLEGAL_STATE);
        CHECK_EQUAL(r->seen, 1);
        CHECK_EQUAL(r->dropped, 3);
        counts_are(t, 4, 1, 3, 0);
        finish(t);
    }
}
/* That is how a writer and a reader are to end: nothing is logged as an error, and no failure is kept. */
static void a_stop_is_no_failure(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * LOOPS; k++) {
        ring *t = line_of(k / 2, 4, SF_OVERFLOW_BLOCK);
        sf_resident_slot slot, kept;
        uint64_t n;
        job *w, *r, *v;
        memset(&logged, 0, sizeof logged);
        launch(t->r);
        w = begin_job(0, writer_main, (job){ .t = t, .op = t->first, .first = 1, .last = UINT64_MAX });
        r = begin_job(1, reader_main, (job){ .t = t, .op = t->last, .first = 1, .last = UINT64_MAX });
        v = begin_job(2, waiter_main, (job){ .t = t });
        while (info_of(t->r).completed < 10) { usleep(100); }
        CHECK_OK(sf_resident_tear_down(t->r, k % 2, GUARD));
        join_is(w, SF_ERROR_ILLEGAL_STATE);
        join_is(r, SF_ERROR_ILLEGAL_STATE);
        join(v);
        n = w->seen;
        CHECK_EQUAL(r->seen + r->dropped, n);
        CHECK_IS(sf_resident_acquire(t->r, t->first, GUARD, &slot), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_resident_result_ready(t->r, n + 1), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_resident_failure(t->r)->result, SF_OK);
        CHECK_EQUAL(sf_resident_failure(t->r)->count, 0);
        launch(t->r);
        kept = lend(t->r, t->first);
        stop(t->r);
        CHECK_IS(sf_resident_submit(t->r, &kept), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(ask(t, 0, GUARD), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_resident_failure(t->r)->result, SF_OK);
        CHECK_EQUAL(logged_at(1) + logged_at(2), 0);
        CHECK_LOGGED(3, "sf_resident_submit", "ended", NULL);
        finish(t);
    }
}
static void before_the_launch_it_is_one(void **state)
{
    ring *t = RING(LINE, 1);
    sf_resident_slot slot;
    (void)state;
    build(t->r);
    CHECK_IS(sf_resident_acquire(t->r, t->first, GUARD, &slot), SF_ERROR_ILLEGAL_STATE);
    CHECK(failure_says(t, "sf_resident_acquire", "not launched"));
    CHECK_LOGGED(1, "sf_resident_acquire", NULL, NULL);
    CHECK_IS(ask(t, 1, GUARD), SF_ERROR_ILLEGAL_STATE);
    CHECK(failure_says(t, "sf_resident_result", "not launched"));    /* the latest that was refused */
    launch(t->r);
    CHECK_IS(sf_resident_failure(t->r)->result, SF_OK);
    finish(t);
}
static void *long_waiter_main(void *arg)     /* the longest time there is */
{
    job *j = (job *)arg;
    j->result = sf_resident_wait(j->t->r, INT64_MAX);
    return NULL;
}
static void waits_of_any_length(void **state)
{
    ring *t = RING_WITH(LINE, 1, .stall_timeout = INT64_MAX);
    job *v;
    (void)state;
    launch(t->r);
    v = begin_job(0, long_waiter_main, (job){ .t = t });
    CHECK_EQUAL(send(t), 1);
    receive_many(t, 1, 1);
    usleep(1000);
    CHECK_OK(sf_resident_tear_down(t->r, true, INT64_MAX));
    join(v);
    launch(t->r);
    finish(t);
}
/* At any moment. What was submitted is a result, or was dropped; nothing else ever is. */
static void stopped_at_any_moment(void **state)
{
    uint32_t turns = 20 + test_seeds() / 200;
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        uint64_t n = 0, completed = 0, dropped = 0;
        rng random = rng_seed(loop);
        for (uint32_t turn = 0; turn < turns; turn++) {
            bool drain = rng_below(&random, 2);
            job *w, *r, *s;
            test_store(&steps.naps, turn % 2 ? 32 : 0);
            launch(t->r);
            s = begin_job(2, snapshot_main, (job){ .t = t });
            w = begin_job(0, writer_main, (job){ .t = t, .op = t->first, .first = n + 1, .last = UINT64_MAX });
            r = begin_job(1, reader_main, (job){ .t = t, .op = t->last, .first = n + 1, .last = UINT64_MAX });
            usleep(rng_below(&random, 2000));
            CHECK_OK(sf_resident_tear_down(t->r, drain, GUARD));
            test_store(&s->stop, 1);
            join_is(w, SF_ERROR_ILLEGAL_STATE);
            join_is(r, SF_ERROR_ILLEGAL_STATE);
            join(s);
            CHECK_EQUAL(r->seen + r->dropped, w->seen);
            if (drain) { CHECK_EQUAL(r->dropped, 0); }
            n += w->seen;
            completed += r->seen;
            dropped += r->dropped;
            counts_are(t, n, completed, dropped, 0);
        }
        test_store(&steps.naps, 0);
        finish(t);
    }
}
static void relaunched_a_thousand_times(void **state)
{
    uint32_t turns = test_seeds() < 1000 ? test_seeds() : 1000;
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_counters first, now;
        uint64_t n = 0;
        build(t->r);
        launch(t->r);
        stop(t->r);
        CHECK_OK(sf_device_get_counters(device, &first));
        for (uint32_t turn = 1; turn <= turns; turn++) {
            uint64_t frames = turn % 4;
            launch(t->r);
            send_many(t, n + 1, n + frames);
            if (turn % 3) { receive_many(t, n + 1, n + frames); }
            stop(t->r);
            if (turn % 3 == 0) { receive_many(t, n + 1, n + frames); }
            n += frames;
            CHECK_OK(sf_device_get_counters(device, &now));
            CHECK_EQUAL(now.graph_launches - first.graph_launches, t->shape == FUSED ? 0 : turn);
            CHECK_EQUAL(now.live_streams, first.live_streams);
            CHECK_EQUAL(now.live_events, first.live_events);
            CHECK_EQUAL(now.live_graphs, first.live_graphs);
            CHECK_EQUAL(now.live_bytes, first.live_bytes);
        }
        counts_are(t, n, n, 0, 0);
        finish(t);
    }
}
static void results_stay_until_the_next_launch(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_resident_slot lent[2];
        launch(t->r);
        send_many(t, 1, 4);
        lent[0] = receive(t, 1);
        stop(t->r);
        lent[1] = receive(t, loop % 2 ? 0 : 2);
        CHECK_EQUAL(lent[1].sequence, 2);
        CHECK_OK(sf_resident_result_ready(t->r, 4));
        give(t->r, &lent[0]);
        launch(t->r);
        CHECK_IS(sf_resident_release(t->r, &lent[1]), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(ask(t, 4, GUARD), SF_ERROR_ILLEGAL_STATE);
        CHECK(failure_says(t, "sf_resident_result", "gone"));
        send_many(t, 5, 8);                  /* nobody is held up by what was not released */
        wait_for(t, 8);
        CHECK_OK(sf_resident_result(t->r, t->last, 0, 0, &lent[0]));         /* nor by what was not read */
        CHECK_EQUAL(lent[0].sequence, 5);
        give(t->r, &lent[0]);
        for (uint64_t k = 6; k <= 8; k++) {
            lent[0] = receive(t, 0);
            CHECK_EQUAL(lent[0].sequence, k);
            give(t->r, &lent[0]);
        }
        counts_are(t, 8, 8, 0, 0);
        finish(t);
    }
}
/* Who reads while somebody else launches gets what was published before, or after, and nothing in between. */
static void launched_beside_a_reader(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        for (uint64_t asked = 0; asked < 2; asked++) {
            ring *t = line_of(loop, 1, SF_OVERFLOW_BLOCK);
            sf_resident_slot s;
            launch(t->r);
            send_many(t, 1, 1);
            stop(t->r);
            steps.relaunched = t->r;
            CHECK_IS(ask(t, asked, 0), asked ? SF_ERROR_ILLEGAL_STATE : SF_TIMEOUT);
            CHECK(!steps.relaunched);
            for (uint64_t k = 2; k <= 4; k++) {
                send_many(t, k, k);
                s = receive(t, 0);
                CHECK_EQUAL(s.sequence, k);
                give(t->r, &s);
            }
            counts_are(t, 4, 4, 0, 0);
            finish(t);
        }
    }
}
/* So do a submit and a release beside a stop and a launch: they count in the run that they were for, or nowhere. */
static void *releaser_main(void *arg)
{
    job *j = (job *)arg;
    sf_resident_slot slot;
    if (sf_resident_result(j->t->r, j->op, j->first, 0, &slot) == SF_OK) {
        j->result = sf_resident_release(j->t->r, &slot);
    }
    return NULL;
}
static void launched_beside_who_counts(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < LOOPS * COUNT(stalls_at); k++) {
        uint32_t kind = k % (uint32_t)COUNT(stalls_at);
        ring *t = line_of(k / COUNT(stalls_at), 4, SF_OVERFLOW_BLOCK);
        sf_resident_slot slot[4];
        job *j = &jobs[0];
        launch(t->r);
        send_many(t, 1, 5);                  /* the last one finds the first one's slot */
        wait_for(t, 4);
        receive_many(t, 1, 3);
        wait_for(t, 5);
        memset(&jobs, 0, sizeof jobs);
        *j = (job){ .t = t, .op = kind < 2 ? t->first : t->last, .first = kind < 2 ? 6 : 4, .last = 6 };
        test_store(&steps.stalled, 0);
        test_store(&steps.stalls, kind + 1);
        pthread_create(&j->thread, NULL, kind < 2 ? writer_main : releaser_main, j);
        while (!test_load(&steps.stalled)) { usleep(100); }
        CHECK_OK(sf_resident_tear_down(t->r, false, GUARD));
        launch(t->r);
        slot[0] = lend(t->r, t->first);
        pthread_join(j->thread, NULL);
        test_store(&steps.stalls, 0);
        CHECK_IS(j->result, kind < 2 ? SF_ERROR_ILLEGAL_STATE : SF_OK);
        CHECK_EQUAL(slot[0].sequence, 6);
        frame_fill((uint32_t *)slot[0].data[0], 6, 0);
        CHECK_EQUAL(submit(t->r, &slot[0]), 6);
        send_many(t, 7, 9);
        wait_for(t, 9);                      /* as many as there are slots */
        for (uint32_t i = 0; i < 4; i++) {
            slot[i] = receive(t, 0);
            CHECK_EQUAL(slot[i].sequence, 6 + i);
        }
        for (uint32_t i = 0; i < 4; i++) { give(t->r, &slot[i]); }
        counts_are(t, 9, 9, 0, 0);
        finish(t);
    }
}
/* What begins while a launch sets the words is too late: it counts nowhere, too. */
static sf_resident_slot kept_slot;           /* outlives a test that fails */
static void *late_releaser_main(void *arg)
{
    job *j = (job *)arg;
    j->result = sf_resident_release(j->t->r, &kept_slot);
    test_store(&j->done, 1);
    return NULL;
}
static void release_begins(void)             /* and is in the middle of it, or has been refused */
{
    pthread_create(&jobs[0].thread, NULL, late_releaser_main, &jobs[0]);
    while (!test_load(&steps.stalled) && !test_load(&jobs[0].done)) { usleep(100); }
}
static void released_during_a_launch(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 2, SF_OVERFLOW_BLOCK);
        sf_resident_slot slot[2];
        launch(t->r);
        send_many(t, 1, 2);
        wait_for(t, 2);
        kept_slot = receive(t, 1);
        stop(t->r);
        jobs[0] = (job){ .t = t };
        test_store(&steps.stalled, 0);
        test_store(&steps.stalls, COUNT(stalls_at));         /* at "release" */
        steps.releases = true;
        launch(t->r);
        join_is(&jobs[0], SF_ERROR_ILLEGAL_STATE);
        test_store(&steps.stalls, 0);
        CHECK_EQUAL(kept_slot.sequence, 1);  /* not released: not zeros */
        send_many(t, 3, 4);
        CHECK_IS(ask(t, 2, 0), SF_ERROR_ILLEGAL_STATE);
        wait_for(t, 4);                      /* as many as there are slots */
        for (uint32_t i = 0; i < 2; i++) { slot[i] = receive(t, 3 + i); }
        for (uint32_t i = 0; i < 2; i++) { give(t->r, &slot[i]); }
        counts_are(t, 4, 4, 0, 0);
        finish(t);
    }
}
/* Nor is anything lent then: a mark of it would stay, and hold up the release of what is later there. */
static void result_is_asked_for(void)
{
    ring *t = steps.reads;
    steps.reads = NULL;
    CHECK_IS(ask(t, 0, 0), SF_ERROR_ILLEGAL_STATE);
}
static void read_during_a_launch(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 2, SF_OVERFLOW_BLOCK);
        launch(t->r);
        send_many(t, 1, 2);
        wait_for(t, 2);
        stop(t->r);
        steps.reads = t;
        launch(t->r);
        CHECK(!steps.reads);
        send_many(t, 3, 4);
        receive_many(t, 4, 4);               /* not the first one: that is passed over */
        counts_are(t, 4, 4, 0, 0);
        finish(t);
    }
}

/* -- ending by itself -- */

static void ends_after_its_time(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        bool fused = loop_kinds[loop] == SF_RESIDENT_LOOP_FUSED;
        ring *t = ring_of(fused ? FUSED : LINE, fused ? 1 : 2,
                          (sf_resident_desc){ .loop = loop_kinds[loop], .timeout_ms = 20 });
        uint64_t n = 0, read = 0;
        for (int turn = 0; turn < 5; turn++) {
            int64_t began = sf_flow_now(NULL);
            sf_resident_info i;
            sf_resident_slot slot;
            sf_result r;
            launch(t->r);
            while (sf_flow_now(NULL) - began < GUARD &&
                   (r = sf_resident_acquire(t->r, t->first, GUARD, &slot)) == SF_OK) {
                frame_fill((uint32_t *)slot.data[0], slot.sequence, 0);
                CHECK_EQUAL(slot.sequence, n + 1);
                r = sf_resident_submit(t->r, &slot);
                if (r != SF_OK) { break; }
                n++;
                if (ask(t, read + 1, 0) == SF_OK) {
                    read++;
                    receive_many(t, read, read);
                }
            }
            CHECK_IS(r, SF_ERROR_ILLEGAL_STATE);
            CHECK_OK(sf_resident_wait(t->r, GUARD));
            CHECK(sf_flow_now(NULL) - began >= SF_MS(20));
            CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_STOPPED);
            CHECK(!sf_resident_is_launched(t->r));
            i = info_of(t->r);
            adds_up(t);
            CHECK_EQUAL(i.submitted, n);
            CHECK_EQUAL(i.dropped, 0);
            receive_many(t, read + 1, i.completed);
            read = i.completed;
        }
        for (int turn = 0; turn < 100 && read < n; turn++) { /* what came too late */
            launch(t->r);
            receive_many(t, read + 1, n);
            read = n;
            CHECK_OK(sf_resident_wait(t->r, GUARD));
        }
        counts_are(t, n, n, 0, 0);
        finish(t);
    }
}
/* What came when time was up is in the queue, and goes with it. */
static void aborted_after_its_time(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {      /* a fused operator cannot be held */
        ring *t = RING_WITH(LINE, 2, .loop = loop_kinds[loop], .timeout_ms = 400);   /* enough to take the first */
        gate(t, 0);
        launch(t->r);
        send_many(t, 1, 2);
        wait_until(&t->note[0].entered, 1);
        usleep(410000);                      /* time is up, which the loop sees when it takes the second one */
        gate(t, 1);
        wait_until(&t->note[0].entered, 2);
        send_many(t, 3, 4);
        counts_are(t, 4, 1, 0, 3);
        CHECK_IS(sf_resident_tear_down(t->r, false, 0), SF_TIMEOUT);
        gate(t, UINT32_MAX);
        CHECK_OK(sf_resident_tear_down(t->r, false, GUARD));
        counts_are(t, 4, 2, 2, 0);
        receive_many(t, 1, 2);
        CHECK_IS(ask(t, 3, 0), SF_IGNORED);
        CHECK_IS(ask(t, 4, 0), SF_IGNORED);
        finish(t);
    }
}
static void an_earlier_stop_cuts_the_time_short(void **state)
{
    ring *t = RING_WITH(LINE, 2, .timeout_ms = 3600 * 1000);
    int64_t began;
    (void)state;
    for (uint64_t turn = 1; turn <= 3; turn++) {
        launch(t->r);
        CHECK_EQUAL(send(t), turn);
        receive_many(t, turn, turn);
        CHECK_OK(sf_resident_tear_down(t->r, true, GUARD));
    }
    end(t);
    t = RING_WITH(LINE, 2, .timeout_ms = 60);
    launch(t->r);
    usleep(40000);
    CHECK_OK(sf_resident_tear_down(t->r, true, GUARD));
    began = sf_flow_now(NULL);
    launch(t->r);                            /* has a time of its own */
    CHECK_OK(sf_resident_wait(t->r, GUARD));
    CHECK(sf_flow_now(NULL) - began >= SF_MS(60));
    finish(t);
}
/* What is raised, or asked for by a word, before the loop has looked for the first time is heard then. */
static void raised_at_once(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* the host cannot write there */
    for (int k = 0; k < 30; k++) {
        ring *t = RING_WITH(TRIGGER, 1, .loop = loop_kinds[k % 4]);
        sf_resident_control *c = sf_resident_get_control(t->r);
        for (int turn = 0; turn < 3; turn++) {
            launch(t->r);
            sf_resident_raise(c, SF_ERROR_USER - turn);
            CHECK_IS(sf_resident_wait(t->r, GUARD), SF_ERROR_USER - turn);
        }
        launch(t->r);
        test_store((uint32_t *)(void *)c, 2);
        while (sf_resident_result_ready(t->r, 1) == SF_NOT_READY) { sched_yield(); }
        stop(t->r);
        CHECK_OK(sf_resident_wait(t->r, GUARD));
        end_is(t, SF_ERROR_USER);
        nothing_is_left();
    }
}
static void raised_by_a_kernel(void **state)
{
    static const sf_result codes[][2] = {
        { SF_ERROR_USER, SF_ERROR_USER }, { (sf_result)-4711, (sf_result)-4711 }, { SF_OK, SF_ERROR_USER },
        { SF_BUSY, SF_ERROR_USER }, { SF_ERROR_INVALID_VALUE, SF_ERROR_INVALID_VALUE },
        { (sf_result)INT32_MIN, (sf_result)INT32_MIN },
    };
    (void)state;
    for (uint32_t k = 0; k < 4 * COUNT(codes); k++) {
        ring *t = line_of(k % 4, 4, SF_OVERFLOW_BLOCK);
        sf_result code = codes[k / 4][1];
        sf_resident_slot slot;
        char why[256];
        t->obeys = t->stages - 1;
        launch(t->r);
        fill_behind_a_gate(t, 1, 4);
        t->orders->code = codes[k / 4][0];
        test_store(&t->orders->raise_at, 3);
        gate(t, UINT32_MAX);
        CHECK_IS(sf_resident_wait(t->r, GUARD), code);
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_STOPPED);
        CHECK_IS(sf_resident_failure(t->r)->result, code);
        CHECK(sf_resident_failure(t->r)->count > 0);
        snprintf(why, sizeof why, "code %d, ", (int)code);
        CHECK(failure_says(t, "sf_resident_raise", why) && failure_says(t, "sf_resident_raise", "iteration 3"));
        CHECK(!strcmp(sf_resident_failure(t->r)->where, on_cuda() ? "" : "stage1"));
        if (!on_cuda()) { CHECK(!strcmp(info_of(t->r).stage, "stage1")); }
        CHECK_IS(sf_resident_acquire(t->r, t->first, GUARD, &slot), SF_ERROR_ILLEGAL_STATE);
        counts_are(t, 4, 3, 0, 1);
        receive_many(t, 1, 2);
        CHECK_OK(sf_resident_result(t->r, t->last, 3, GUARD, &slot));
        if (!result_good(t, &slot, 3, code, why)) { fail_msg("%s", why); }
        give(t->r, &slot);
        CHECK_IS(ask(t, 4, GUARD), SF_ERROR_ILLEGAL_STATE);
        CHECK_IS(sf_resident_wait(t->r, 0), code);
        CHECK_IS(sf_resident_failure(t->r)->result, code);
        test_store(&t->orders->raise_at, 0);
        launch(t->r);
        receive_many(t, 4, 4);
        CHECK_EQUAL(send(t), 5);
        receive_many(t, 5, 5);
        stop(t->r);
        counts_are(t, 5, 5, 0, 0);
        end_is(t, code);
        nothing_is_left();
    }
}
static void raised_by_a_fused_operator(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 8; k++) {
        ring *t = RING_WITH(FUSED, 1, .slots = 4);
        sf_resident_slot slot;
        char why[256];
        t->orders->code = -4711 - (int32_t)k;
        test_store(&t->orders->raise_at, 3);
        launch(t->r);
        send_many(t, 1, 3);
        CHECK_IS(sf_resident_wait(t->r, GUARD), (sf_result)(-4711 - (int)k));
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_STOPPED);
        counts_are(t, 3, 3, 0, 0);
        receive_many(t, 1, 2);
        CHECK_OK(sf_resident_result(t->r, t->last, 3, GUARD, &slot));
        if (!result_good(t, &slot, 3, (sf_result)(-4711 - (int)k), why)) { fail_msg("%s", why); }
        give(t->r, &slot);
        test_store(&t->orders->raise_at, 0);
        launch(t->r);
        CHECK_EQUAL(send(t), 4);
        receive_many(t, 4, 4);
        stop(t->r);
        counts_are(t, 4, 4, 0, 0);
        end_is(t, (sf_result)(-4711 - (int)k));
        nothing_is_left();
    }
}
static void the_first_code_stays(void **state)
{
    ring *t = RING(LINE, 2);
    (void)state;
    if (on_cuda()) { return; }               /* its control words are the GPU's */
    launch(t->r);
    fill_behind_a_gate(t, 1, 2);
    sf_resident_raise(sf_resident_get_control(t->r), (sf_result)-2000);
    sf_resident_raise(sf_resident_get_control(t->r), (sf_result)-3000);
    gate(t, UINT32_MAX);
    CHECK_IS(sf_resident_wait(t->r, GUARD), (sf_result)-2000);
    CHECK(failure_says(t, "sf_resident_raise", "stage0: ") && failure_says(t, "sf_resident_raise", "iteration 1"));
    counts_are(t, 2, 1, 0, 1);
    end_is(t, (sf_result)-2000);
}
static void raised_while_nothing_is_at_work(void **state)   /* by nobody, in no iteration */
{
    (void)state;
    if (on_cuda()) { return; }
    for (int stages = 1; stages <= 2; stages++) {
        ring *t = RING(LINE, stages);
        uint64_t before;
        launch(t->r);                        /* once in an iteration, and that is forgotten */
        t->orders->code = -2000;
        test_store(&t->orders->raise_at, 1);
        CHECK_EQUAL(send(t), 1);
        CHECK_IS(sf_resident_wait(t->r, GUARD), (sf_result)-2000);
        CHECK(failure_says(t, "sf_resident_raise", "iteration 1") && sf_resident_failure(t->r)->where[0]);
        before = info_of(t->r).heartbeat;
        launch(t->r);
        while (info_of(t->r).heartbeat <= before) { usleep(100); }
        sf_resident_raise(sf_resident_get_control(t->r), (sf_result)-2000);
        CHECK_IS(sf_resident_wait(t->r, GUARD), (sf_result)-2000);
        CHECK(failure_says(t, "sf_resident_raise", "code -2000"));
        CHECK(!sf_resident_failure(t->r)->where[0] && !strstr(sf_resident_failure(t->r)->text, "iteration"));
        end_is(t, (sf_result)-2000);
    }
}

/* -- stalls and faults -- */

static void stalled(void **state)
{
    static const char *const seen_by[] = { "sf_resident_result", "sf_resident_wait", "sf_resident_tear_down" };
    (void)state;
    for (uint32_t k = 0; k < 5; k++) {
        ring *t = RING_WITH(LINE, 3, .loop = loop_kinds[k % 4], .stall_timeout = SF_MS(200), .no_stages = k == 4);
        const char *where = k == 4 ? "work" : "stage1";
        sf_resident_slot slot, kept;
        uint64_t sequence;
        t->obeys = 1;
        launch(t->r);
        for (uint64_t i = 1; i <= 2; i++) {
            CHECK_EQUAL(send(t), i);
            receive_many(t, i, i);
        }
        gate(t, 2);
        CHECK_EQUAL(send(t), 3);
        kept = lend(t->r, t->first);
        switch (k) {                         /* whoever asks is told */
        case 0: CHECK_IS(ask(t, 3, GUARD), SF_ERROR_STALLED); break;
        case 1: CHECK_IS(sf_resident_wait(t->r, GUARD), SF_ERROR_STALLED); break;
        case 2: CHECK(sf_resident_tear_down(t->r, true, GUARD) < 0); break;
        default:
            for (int i = 0; i < 30000 && sf_resident_get_state(t->r) == SF_RESIDENT_RUNNING; i++) { usleep(1000); }
        }
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_FAULTED);
        CHECK_IS(sf_resident_failure(t->r)->result, SF_ERROR_STALLED);
        if (strcmp(sf_resident_failure(t->r)->where, where) || !strstr(sf_resident_failure(t->r)->text, where)) {
            fail_msg("where: %s, %s", sf_resident_failure(t->r)->where, sf_resident_failure(t->r)->text);
        }
        CHECK(failure_says(t, k > 2 ? "sf_resident_get_state" : seen_by[k], "200 ms"));
        CHECK(!strcmp(info_of(t->r).stage, where));
        CHECK_EQUAL(info_of(t->r).state, SF_RESIDENT_FAULTED);
        CHECK_IS(ask(t, 3, GUARD), SF_ERROR_STALLED);
        CHECK_IS(ask(t, 0, GUARD), SF_ERROR_STALLED);
        CHECK_IS(sf_resident_wait(t->r, GUARD), SF_ERROR_STALLED);
        CHECK_IS(sf_resident_acquire(t->r, t->first, GUARD, &slot), SF_ERROR_STALLED);
        CHECK_IS(sf_resident_submit(t->r, &kept), SF_ERROR_STALLED);
        CHECK(sf_resident_release(t->r, &kept) < 0);
        CHECK(sf_resident_data_ready(t->r, &sequence) < 0);
        CHECK(sf_resident_result_ready(t->r, 3) < 0);
        CHECK(sf_resident_tear_down(t->r, false, GUARD) < 0);
        CHECK_IS(sf_resident_launch(t->r), SF_ERROR_ILLEGAL_STATE);
        adds_up(t);
        end_is(t, SF_ERROR_STALLED);         /* the gate is open by now */
        nothing_is_left();
    }
}
/* Who is told of something may ask, and stop the loop: nothing of it hangs. */
static struct { sf_resident *r; sf_op first; uint32_t told, stopped, late; } asker;
static void ask_when_told(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                          const char *file, void *user)
{
    sf_resident_info i;
    sf_resident_slot slot;
    (void)tag, (void)level, (void)item, (void)message, (void)line, (void)file, (void)user;
    if (!asker.r || test_add(&asker.told, 1)) { return; }    /* the first time */
    (void)sf_resident_get_state(asker.r);
    (void)sf_resident_get_info(asker.r, &i);
    (void)sf_resident_failure(asker.r);
    (void)sf_resident_acquire(asker.r, asker.first, 0, &slot);
    test_add(&asker.late, sf_resident_tear_down(asker.r, false, GUARD) == SF_TIMEOUT);
    test_add(&asker.late, sf_resident_wait(asker.r, GUARD) == SF_TIMEOUT);
    test_add(&asker.stopped, 1);
}
static void a_logger_that_asks_and_stops(void **state)
{
    enum { RAISES, STALLS, REFUSED };
    (void)state;
    for (uint32_t k = 0; k < 12; k++) {
        sf_result want = k % 3 == RAISES ? SF_ERROR_USER : k % 3 == STALLS ? SF_ERROR_STALLED : SF_OK;
        ring *t = RING_WITH(LINE, 3, .loop = loop_kinds[k / 3], .stall_timeout = k % 3 == STALLS ? SF_MS(50) : GUARD,
                            .logger = { ask_when_told, NULL });
        t->obeys = 1;
        launch(t->r);
        CHECK_EQUAL(send(t), 1);
        receive_many(t, 1, 1);
        asker.told = asker.stopped = asker.late = 0;
        asker.first = t->first;
        asker.r = t->r;
        t->orders->code = SF_ERROR_USER;
        if (k % 3 == RAISES) { test_store(&t->orders->raise_at, 2); }
        if (k % 3 == STALLS) { gate(t, 1); }
        if (k % 3 == REFUSED) { CHECK_IS(sf_resident_launch(t->r), SF_ERROR_ILLEGAL_STATE); } else { (void)send(t); }
        CHECK_IS(sf_resident_wait(t->r, GUARD), want);
        CHECK_EQUAL(test_load(&asker.stopped), 1);
        CHECK_EQUAL(test_load(&asker.late), 0);
        asker.r = NULL;
        end_is(t, want);
        nothing_is_left();
    }
}
static void a_stall_outlives_the_resident(void **state)
{
    static sf_resident *volatile leaked;     /* as it should be; the leak checker knows it from here */
    ring *t = RING_WITH(LINE, 2, .stall_timeout = SF_MS(50));
    int64_t began;
    (void)state;
    launch(t->r);
    gate(t, 0);
    CHECK_EQUAL(send(t), 1);
    CHECK_IS(ask(t, 1, GUARD), SF_ERROR_STALLED);
    began = sf_flow_now(NULL);
    leaked = t->r;
    destroy_is(leaked, SF_TIMEOUT);
    CHECK(sf_flow_now(NULL) - began >= SF_MS(1000));
    t->r = NULL;
    gate(t, UINT32_MAX);
    CHECK_OK(sf_device_synchronize(device, GUARD));
}
static void waiting_is_no_stall(void **state)        /* for data, for room, for the reader */
{
    static const uint32_t loops[] = { 0, 3, 4 };
    (void)state;
    for (uint32_t k = 0; k < COUNT(loops); k++) {
        bool fused = loop_kinds[loops[k]] == SF_RESIDENT_LOOP_FUSED;
        ring *t = ring_of(fused ? FUSED : LINE, fused ? 1 : 2,
                          (sf_resident_desc){ .loop = loop_kinds[loops[k]], .stall_timeout = SF_MS(300) });
        launch(t->r);
        CHECK_IS(sf_resident_wait(t->r, SF_MS(350)), SF_TIMEOUT);
        send_many(t, 1, 4);
        wait_for(t, 4);
        send_many(t, 5, 8);
        CHECK_IS(sf_resident_wait(t->r, SF_MS(350)), SF_TIMEOUT);
        receive_many(t, 1, 8);
        stop(t->r);
        finish(t);
    }
}
/* Somebody looks at it while it waits, nobody for long, then there is work: no stall either. */
static void looked_at_while_it_waits(void **state)
{
    static const uint32_t loops[] = { 0, 1, 2, 3, 4 };
    (void)state;
    for (uint32_t k = 0; k < COUNT(loops); k++) {
        bool fused = loop_kinds[loops[k]] == SF_RESIDENT_LOOP_FUSED;
        ring *t = ring_of(fused ? FUSED : LINE, fused ? 1 : 2,
                          (sf_resident_desc){ .loop = loop_kinds[loops[k]], .slots = 1, .stall_timeout = SF_MS(400) });
        sf_resident_slot slot;
        launch(t->r);
        for (uint64_t n = 1; n <= 3; n += 2) {
            usleep(2000);
            CHECK_EQUAL(info_of(t->r).state, SF_RESIDENT_RUNNING);
            usleep(500000);
            send_many(t, n, n);              /* it waited for data */
            slot = receive(t, n);
            send_many(t, n + 1, n + 1);
            usleep(2000);
            CHECK_EQUAL(info_of(t->r).state, SF_RESIDENT_RUNNING);
            usleep(500000);
            give(t->r, &slot);               /* it waited for room */
            receive_many(t, n + 1, n + 1);
        }
        CHECK_IS(sf_resident_result_ready(t->r, 0), SF_ERROR_INVALID_VALUE);
        stop(t->r);
        finish(t);
    }
}
static void faulted(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* see a_trap_on_the_gpu */
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t at = k < 4 ? 1 : 3;
        ring *t = RING_WITH(LINE, 3, .loop = loop_kinds[k % 4], .no_stages = k == 7);
        const char *where = k == 7 ? "work" : "stage1";
        sf_resident_slot slot;
        t->obeys = 1;
        t->orders->fault_at = at;
        launch(t->r);
        for (uint64_t i = 1; i < at; i++) {
            CHECK_EQUAL(send(t), i);
            receive_many(t, i, i);
        }
        CHECK_EQUAL(send(t), at);
        CHECK_IS(ask(t, at, GUARD), SF_ERROR_ILLEGAL_ADDRESS);
        CHECK_IS(sf_resident_wait(t->r, GUARD), SF_ERROR_ILLEGAL_ADDRESS);
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_FAULTED);
        CHECK(!sf_resident_is_launched(t->r));
        CHECK_IS(sf_resident_failure(t->r)->result, SF_ERROR_ILLEGAL_ADDRESS);
        if (strcmp(sf_resident_failure(t->r)->where, where) || !strstr(sf_resident_failure(t->r)->text, where)) {
            fail_msg("where: %s, %s", sf_resident_failure(t->r)->where, sf_resident_failure(t->r)->text);
        }
        CHECK(failure_says(t, "sf_resident_result", "sf_device_reset()"));
        CHECK(failure_says(t, "sf_resident_result", "kernel \"ring\" on stream \""));
        CHECK_IS(sf_resident_acquire(t->r, t->first, GUARD, &slot), SF_ERROR_ILLEGAL_ADDRESS);
        CHECK(sf_resident_result_ready(t->r, at) < 0);
        CHECK(sf_resident_tear_down(t->r, true, GUARD) < 0);
        CHECK_IS(sf_resident_launch(t->r), SF_ERROR_ILLEGAL_STATE);
        adds_up(t);
        CHECK_EQUAL(info_of(t->r).completed, at - 1);
        end_is(t, SF_ERROR_ILLEGAL_ADDRESS);
        CHECK_OK(sf_device_reset(device));
        nothing_is_left();
    }
}
/* Another loop's fault, and a reset before anybody looks: it has not come to its end all the same. */
static void reset_before_a_look(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (uint32_t k = 0; k < 4; k++) {
        ring *bad = RING_WITH(LINE, 2, .loop = loop_kinds[k]), *t = RING_WITH(LINE, 2, .loop = loop_kinds[k]);
        bad->obeys = 1;
        bad->orders->fault_at = 1;
        launch(bad->r);
        launch(t->r);
        CHECK_EQUAL(send(t), 1);
        receive_many(t, 1, 1);
        CHECK_EQUAL(send(bad), 1);
        CHECK_IS(ask(bad, 1, GUARD), SF_ERROR_ILLEGAL_ADDRESS);
        end_is(bad, SF_ERROR_ILLEGAL_ADDRESS);
        CHECK_OK(sf_device_reset(device));
        CHECK_EQUAL(sf_resident_get_state(t->r), SF_RESIDENT_FAULTED);
        CHECK(!sf_resident_is_launched(t->r));
        CHECK_IS(sf_resident_wait(t->r, GUARD), SF_ERROR_LAUNCH_FAILED);
        CHECK(strstr(sf_resident_failure(t->r)->text, "reset") != NULL);
        CHECK_IS(sf_resident_launch(t->r), SF_ERROR_ILLEGAL_STATE);
        end_is(t, SF_ERROR_LAUNCH_FAILED);
        nothing_is_left();
    }
}
/* The context is lost until the process ends, so that is another process: this program, with --trap. */
static int trap_main(void)
{
    static ring_board here;
    sf_device_desc desc = { .backend = SF_BACKEND_CUDA };
    sf_resident_slot slot;
    ring t = { .shape = LINE, .stages = 2, .obeys = 1 };
    sf_result fault;
    if (sf_device_open(&desc, &device)) { return 10; }
    if (sf_mem_alloc(device, sizeof *board, SF_MEMORY_PINNED, (void **)&board)) { return 11; }
    *board = here;
    board->none.gate = board->orders[0].gate = UINT32_MAX;
    board->orders[0].fault_at = 2;
    t.orders = &board->orders[0];
    t.note = board->note[0];
    t.r = sf_resident_create(&(sf_resident_desc){ .device = device });
    t.first = add_stage(&t, "stage0", 0, 1, true, false);
    t.last = add_stage(&t, "stage1", 1, 1, false, true);
    if (sf_resident_connect(t.r, t.first, "out", t.last, "in", NULL)) { return 12; }
    if (sf_resident_launch(t.r)) { return 13; }
    for (uint64_t k = 1; k <= 2; k++) {
        if (sf_resident_acquire(t.r, t.first, GUARD, &slot) || slot.sequence != k) { return 14; }
        memset(slot.data[0], (int)k, frame_bytes());
        if (sf_resident_submit(t.r, &slot)) { return 15; }
        if (k == 1 && (sf_resident_result(t.r, t.last, k, GUARD, &slot) || sf_resident_release(t.r, &slot))) {
            return 16;
        }
    }
    fault = sf_resident_result(t.r, t.last, 2, GUARD, &slot);
    if (fault >= 0) { return 20; }
    if (sf_resident_wait(t.r, GUARD) != fault) { return 21; }
    if (sf_resident_get_state(t.r) != SF_RESIDENT_FAULTED || sf_resident_is_launched(t.r)) { return 22; }
    if (sf_resident_acquire(t.r, t.first, GUARD, &slot) != fault) { return 23; }
    if (sf_resident_launch(t.r) != SF_ERROR_ILLEGAL_STATE) { return 24; }
    if (sf_resident_tear_down(t.r, true, GUARD) >= 0) { return 25; }
    if (sf_resident_failure(t.r)->result != fault || strcmp(sf_resident_failure(t.r)->where, "stage1")) { return 26; }
    if (!strstr(sf_resident_failure(t.r)->text, "stage1")) { return 27; }
    if (sf_resident_destroy(t.r) != fault) { return 28; }
    return sf_device_close(device, GUARD) == fault ? 0 : 29;
}
static void a_trap_on_the_gpu(void **state)
{
    (void)state;
    if (!on_cuda()) { return; }
    CHECK_EQUAL(system("exec \"$SF_TEST_SELF\" --trap"), 0);
}

/* -- every call in every state -- */

typedef enum at_state {
    AT_NEW, AT_BUILT, AT_RUNNING, AT_STOPPING, AT_STOPPED, AT_FAULTED, AT_STALLED, AT_STATES
} at_state;
static const char *const at_names[AT_STATES] = {
    "new", "built", "running", "stopping", "stopped", "faulted", "stalled"
};
/* One request is done (running, stopped), or has been taken (stopping, faulted, stalled). */
static ring *ring_at(at_state at)
{
    ring *t = RING_WITH(LINE, 2, .stall_timeout = at == AT_STALLED ? SF_MS(50) : GUARD);
    if (at == AT_BUILT) { build(t->r); }
    if (at < AT_RUNNING) { return t; }
    if (at == AT_FAULTED) { t->orders->fault_at = 1; }
    if (at == AT_STOPPING || at == AT_STALLED) { gate(t, 0); }
    launch(t->r);
    CHECK_EQUAL(send(t), 1);
    switch (at) {
    case AT_STOPPING:
        wait_until(&t->note[0].entered, 1);
        CHECK_IS(sf_resident_tear_down(t->r, false, 0), SF_TIMEOUT);
        break;
    case AT_STOPPED: stop(t->r); break;
    case AT_FAULTED: CHECK_IS(sf_resident_wait(t->r, GUARD), SF_ERROR_ILLEGAL_ADDRESS); break;
    case AT_STALLED: CHECK_IS(sf_resident_wait(t->r, GUARD), SF_ERROR_STALLED); break;
    default: wait_for(t, 1);
    }
    return t;
}

static sf_result call_add(ring *t)
{
    sf_op_desc desc = { .name = "more", .compute = ring_compute, .user = &t->ops[3] };
    t->ops[3] = (ring_op){ t, 3, 0 };
    return sf_resident_add(t->r, &desc).id ? SF_OK : SF_ERROR_ILLEGAL_STATE;
}
static sf_result call_add_input(ring *t)
{
    sf_port port = { .name = "more", .bytes = 64, .optional = true };
    return sf_resident_add_input(t->r, t->first, &port) == 1 ? SF_OK : SF_ERROR_ILLEGAL_STATE;
}
static sf_result call_add_output(ring *t)
{
    sf_port port = { .name = "more", .bytes = 64 };
    return sf_resident_add_output(t->r, t->first, &port) == 1 ? SF_OK : SF_ERROR_ILLEGAL_STATE;
}
static sf_result call_connect(ring *t)       /* again, which is wrong in any state */
{
    sf_result r = sf_resident_connect(t->r, t->first, "out", t->last, "in", NULL);
    return r;
}
static sf_result call_handler(ring *t) { return sf_resident_register_data_ready_handler(t->r, t->first); }
static sf_result call_branch(ring *t)
{
    sf_resident_branch_desc desc = { .kind = SF_RESIDENT_EVERY, .every = 2 };
    return sf_resident_add_branch(t->r, &desc).id ? SF_OK : SF_ERROR_ILLEGAL_STATE;
}
static sf_result call_put(ring *t) { return sf_resident_put(t->r, t->last, (sf_resident_branch){ 1 }, 0); }
static sf_result call_build(ring *t) { return sf_resident_build(t->r); }
static sf_result call_launch(ring *t) { return sf_resident_launch(t->r); }
static sf_result call_is_launched(ring *t) { return sf_resident_is_launched(t->r) ? SF_DONE : SF_OK; }
static sf_result call_get_state(ring *t) { return (sf_result)sf_resident_get_state(t->r); }
static sf_result call_drain(ring *t)
{
    return sf_resident_tear_down(t->r, true, sf_resident_get_state(t->r) == SF_RESIDENT_STOPPING ? 0 : GUARD);
}
static sf_result call_abort(ring *t)
{
    return sf_resident_tear_down(t->r, false, sf_resident_get_state(t->r) == SF_RESIDENT_STOPPING ? 0 : GUARD);
}
static sf_result call_wait(ring *t) { return sf_resident_wait(t->r, 0); }
static sf_result call_wait_some(ring *t) { return sf_resident_wait(t->r, SF_MS(2)); }
static sf_result call_acquire(ring *t)
{
    sf_resident_slot slot;
    return sf_resident_acquire(t->r, t->first, 0, &slot);
}
static sf_result call_submit(ring *t)        /* what was never lent */
{
    sf_resident_slot slot;
    memset(&slot, 0, sizeof slot);
    slot.op = t->first;
    slot.sequence = 2;
    return sf_resident_submit(t->r, &slot);
}
static sf_result call_result(ring *t) { return ask(t, 1, 0); }
static sf_result call_result_of_none(ring *t) { return ask(t, 2, 0); }
static sf_result call_release(ring *t)
{
    sf_resident_slot slot;
    memset(&slot, 0, sizeof slot);
    slot.op = t->last;
    slot.sequence = 1;
    return sf_resident_release(t->r, &slot);
}
static sf_result call_data_ready(ring *t)
{
    uint64_t sequence = 0;
    return sf_resident_data_ready(t->r, &sequence);
}
static sf_result call_result_ready(ring *t) { return sf_resident_result_ready(t->r, 1); }
static sf_result call_memory(ring *t)
{
    return sf_resident_device_memory(t->r, t->first, "out", 0) ? SF_OK : SF_ERROR_ILLEGAL_STATE;
}
static sf_result call_control(ring *t)
{
    return sf_resident_get_control(t->r) ? SF_OK : SF_ERROR_ILLEGAL_STATE;
}
static sf_result call_info(ring *t)
{
    sf_resident_info i;
    sf_result r = sf_resident_get_info(t->r, &i);
    return r == SF_OK && i.state != sf_resident_get_state(t->r) ? SF_ERROR_UNKNOWN : r;
}
static sf_result call_latency(ring *t)
{
    sf_latency l;
    return sf_resident_get_latency(t->r, SF_RESIDENT_SPAN_TOTAL, &l);
}
static sf_result call_report(ring *t)
{
    char *text = NULL;
    sf_result r = sf_resident_report(t->r, SF_RESIDENT_REPORT_TABLE, append_text, &text);
    r = r == SF_OK && !text ? SF_ERROR_UNKNOWN : r;
    free(text);
    return r;
}

enum { OK = SF_OK, ILLEGAL = SF_ERROR_ILLEGAL_STATE, IGNORED = SF_IGNORED, LATER = SF_TIMEOUT,
       PENDING = SF_NOT_READY, ADDRESS = SF_ERROR_ILLEGAL_ADDRESS, STALL = SF_ERROR_STALLED,
       ANY_ERROR = -1000000, ANYTHING = -1000001 };
typedef struct call_row {
    const char *name;
    sf_result (*call)(ring *t);
    int want[AT_STATES];
} call_row;
static const call_row call_rows[] = {
    /*                                new      built    running  stopping stopped  faulted  stalled */
    { "add", call_add,               { OK, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL } },
    { "add_input", call_add_input,   { OK, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL } },
    { "add_output", call_add_output, { OK, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL } },
    { "connect", call_connect,
      { SF_ERROR_CONNECTED_TWICE, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL } },
    { "register_data_ready_handler", call_handler,
      { ANYTHING, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL } },
    { "add_branch", call_branch,     { OK, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL } },
    { "put", call_put,               { ANY_ERROR, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL } },
    { "build", call_build,           { OK, OK, OK, OK, OK, ANYTHING, ANYTHING } },
    { "launch", call_launch,         { OK, OK, ILLEGAL, ILLEGAL, OK, ILLEGAL, ILLEGAL } },
    { "is_launched", call_is_launched, { 0, 0, 1, 1, 0, 0, 1 } },
    { "get_state", call_get_state,
      { SF_RESIDENT_NEW, SF_RESIDENT_BUILT, SF_RESIDENT_RUNNING, SF_RESIDENT_STOPPING, SF_RESIDENT_STOPPED,
        SF_RESIDENT_FAULTED, SF_RESIDENT_FAULTED } },
    { "tear_down, drain", call_drain, { IGNORED, IGNORED, OK, LATER, OK, ANY_ERROR, ANY_ERROR } },
    { "tear_down, abort", call_abort, { IGNORED, IGNORED, OK, LATER, OK, ANY_ERROR, ANY_ERROR } },
    { "wait, 0", call_wait,          { IGNORED, IGNORED, LATER, LATER, OK, ADDRESS, STALL } },
    { "wait, 2 ms", call_wait_some,  { IGNORED, IGNORED, LATER, LATER, OK, ADDRESS, STALL } },
    { "acquire", call_acquire,       { ILLEGAL, ILLEGAL, OK, ILLEGAL, ILLEGAL, ADDRESS, STALL } },
    { "submit", call_submit,         { ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ANY_ERROR, ANY_ERROR } },
    { "result", call_result,         { ANYTHING, ANYTHING, OK, LATER, OK, ANY_ERROR, ANY_ERROR } },
    { "result of none", call_result_of_none, { ANYTHING, ANYTHING, LATER, ANYTHING, ILLEGAL, ANY_ERROR, ANY_ERROR } },
    { "release", call_release,       { ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ANY_ERROR, ANY_ERROR } },
    { "data_ready", call_data_ready, { ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ILLEGAL, ANY_ERROR, ANY_ERROR } },
    { "result_ready", call_result_ready, { ILLEGAL, ILLEGAL, OK, PENDING, OK, ANY_ERROR, ANY_ERROR } },
    { "device_memory", call_memory,  { ILLEGAL, OK, OK, OK, OK, ANYTHING, ANYTHING } },
    { "get_control", call_control,   { ANYTHING, OK, OK, OK, OK, ANYTHING, ANYTHING } },
    { "get_info", call_info,         { OK, OK, OK, OK, OK, OK, OK } },
    { "get_latency", call_latency,   { ANYTHING, OK, OK, OK, OK, ANYTHING, ANYTHING } },
    { "report", call_report,         { ANYTHING, OK, OK, OK, OK, ANYTHING, ANYTHING } },
};
static uint32_t wrong_count;
static void wrong(const char *call, const char *at, sf_result got, int want)
{
    wrong_count++;
    fprintf(stderr, "wrong: %s, %s: is %d, %s; not %d\n", call, at, (int)got, sf_result_string(got), want);
}
static void every_call_in_every_state(void **state)
{
    (void)state;
    wrong_count = 0;
    for (size_t k = 0; k < COUNT(call_rows) * AT_STATES; k++) {
        const call_row *row = &call_rows[k / AT_STATES];
        at_state at = (at_state)(k % AT_STATES);
        sf_result got, want = (sf_result)row->want[at];
        ring *t;
        if (at == AT_FAULTED && on_cuda()) { continue; }     /* see a_trap_on_the_gpu */
        t = ring_at(at);
        got = row->call(t);
        if ((int)want == ANY_ERROR ? got >= 0 : (int)want != ANYTHING && got != want) {
            wrong(row->name, at_names[at], got, (int)want);
        }
        gate(t, UINT32_MAX);
        (void)sf_resident_tear_down(t->r, false, GUARD);
        got = sf_resident_destroy(t->r);
        for (size_t i = 0; i < COUNT(residents); i++) {
            if (residents[i] == t->r) { residents[i] = NULL; }
        }
        t->r = NULL;
        if (at == AT_FAULTED ? got != SF_ERROR_ILLEGAL_ADDRESS : at == AT_STALLED ? got != SF_ERROR_STALLED
            : at != AT_NEW && got != SF_OK) {
            wrong(row->name, "destroyed after that", got, 0);
        }
        if (at == AT_FAULTED) { CHECK_OK(sf_device_reset(device)); }
    }
    if (wrong_count) { fail_msg("%u are wrong, see above", wrong_count); }
    nothing_is_left();
}
static void destroyed_in_every_state(void **state)
{
    (void)state;
    for (int at = 0; at < AT_STATES; at++) {
        ring *t;
        if (at == AT_FAULTED && on_cuda()) { continue; }
        t = ring_at((at_state)at);
        end_is(t, at == AT_FAULTED ? SF_ERROR_ILLEGAL_ADDRESS : at == AT_STALLED ? SF_ERROR_STALLED : SF_OK);
        if (at == AT_FAULTED) { CHECK_OK(sf_device_reset(device)); }
        nothing_is_left();
    }
}

/* -- handles and arguments -- */

static void handles_that_are_none(void **state)
{
    const sf_result none = SF_ERROR_INVALID_HANDLE;
    sf_op op = { 1 };
    sf_resident_slot slot;
    sf_resident_info info;
    sf_latency latency;
    sf_op_desc desc = { .compute = ring_compute };
    sf_port port = { .name = "x", .bytes = 4 };
    sf_resident_branch_desc branch = { .kind = SF_RESIDENT_EVERY, .every = 1 };
    uint64_t sequence;
    char *text = NULL;
    (void)state;
    memset(&slot, 0, sizeof slot);
    CHECK_IS(sf_resident_destroy(NULL), none);
    CHECK_EQUAL(sf_resident_add(NULL, &desc).id, 0);
    CHECK(sf_resident_add_input(NULL, op, &port) < 0);
    CHECK(sf_resident_add_output(NULL, op, &port) < 0);
    CHECK_IS(sf_resident_connect(NULL, op, "a", op, "b", NULL), none);
    CHECK_IS(sf_resident_build(NULL), none);
    CHECK_IS(sf_resident_register_data_ready_handler(NULL, op), none);
    CHECK_EQUAL(sf_resident_add_branch(NULL, &branch).id, 0);
    CHECK_IS(sf_resident_put(NULL, op, (sf_resident_branch){ 1 }, 0), none);
    CHECK_IS(sf_resident_launch(NULL), none);
    CHECK(!sf_resident_is_launched(NULL));
    CHECK_EQUAL(sf_resident_get_state(NULL), SF_RESIDENT_NEW);
    CHECK_IS(sf_resident_tear_down(NULL, true, 0), none);
    CHECK_IS(sf_resident_wait(NULL, 0), none);
    CHECK_IS(sf_resident_acquire(NULL, op, 0, &slot), none);
    CHECK_IS(sf_resident_submit(NULL, &slot), none);
    CHECK_IS(sf_resident_result(NULL, op, 0, 0, &slot), none);
    CHECK_IS(sf_resident_release(NULL, &slot), none);
    CHECK_IS(sf_resident_data_ready(NULL, &sequence), none);
    CHECK_IS(sf_resident_result_ready(NULL, 1), none);
    CHECK(!sf_resident_device_memory(NULL, op, "x", 0));
    CHECK(!sf_resident_get_control(NULL));
    CHECK_IS(sf_resident_get_info(NULL, &info), none);
    CHECK_IS(sf_resident_get_latency(NULL, SF_RESIDENT_SPAN_TOTAL, &latency), none);
    CHECK_IS(sf_resident_get_op_latency(NULL, op, &latency), none);
    CHECK_IS(sf_resident_report(NULL, SF_RESIDENT_REPORT_TABLE, append_text, &text), none);
    CHECK(!text);
    CHECK(sf_resident_failure(NULL) != NULL);
    sf_resident_mark_data_ready(NULL);       /* no crash */
    sf_resident_mark_data_not_ready(NULL);
    sf_resident_raise(NULL, SF_ERROR_USER);
    CHECK_EQUAL(sf_resident_iteration(NULL), 0);
}
#define TOLD(expression, words)                                                                                      \
    do {                                                                                                             \
        CHECK_IS(expression, SF_ERROR_INVALID_VALUE);                                                                \
        CHECK(strstr(sf_resident_failure(t->r)->text, words) != NULL);                                               \
    } while (0)
static void operators_that_are_none(void **state)
{
    ring *t = RING(LINE, 3), *other = RING(LINE, 4);
    const sf_result unknown = SF_ERROR_UNKNOWN_OPERATOR, invalid = SF_ERROR_INVALID_VALUE;
    sf_op zero = { 0 }, far = { 0xfffff }, middle = { 0 };
    sf_resident_slot slot, lent;
    sf_latency latency;
    (void)state;
    middle.id = t->first.id + (t->last.id - t->first.id) / 2;
    launch(t->r);
    launch(other->r);
    CHECK_IS(sf_resident_acquire(t->r, zero, 0, &slot), unknown);
    CHECK_IS(sf_resident_acquire(t->r, far, 0, &slot), unknown);
    CHECK_IS(sf_resident_acquire(t->r, other->last, 0, &slot), unknown);
    CHECK_IS(sf_resident_acquire(t->r, middle, 0, &slot), invalid);  /* nothing external there */
    CHECK_IS(sf_resident_acquire(t->r, t->last, 0, &slot), invalid);
    TOLD(sf_resident_acquire(t->r, t->first, 0, NULL), "sf_resident_acquire: the slot is NULL");
    CHECK_IS(sf_resident_result(t->r, zero, 0, 0, &slot), unknown);
    CHECK_IS(sf_resident_result(t->r, far, 1, 0, &slot), unknown);
    CHECK_IS(sf_resident_result(t->r, other->last, 1, 0, &slot), unknown);
    CHECK_IS(sf_resident_result(t->r, middle, 1, 0, &slot), invalid);
    CHECK_IS(sf_resident_result(t->r, t->first, 1, 0, &slot), invalid);
    TOLD(sf_resident_result(t->r, t->last, 1, 0, NULL), "sf_resident_result: the slot");
    TOLD(sf_resident_submit(t->r, NULL), "sf_resident_submit: the slot");
    TOLD(sf_resident_release(t->r, NULL), "sf_resident_release: the slot");
    TOLD(sf_resident_get_info(t->r, NULL), "info is NULL");
    TOLD(sf_resident_get_latency(t->r, SF_RESIDENT_SPAN_TOTAL, NULL), "latency is NULL");
    TOLD(sf_resident_get_latency(t->r, (sf_resident_span)5, &latency), "span");
    CHECK_IS(sf_resident_get_op_latency(t->r, zero, &latency), unknown);
    TOLD(sf_resident_get_op_latency(t->r, t->first, NULL), "latency is NULL");
    TOLD(sf_resident_report(t->r, SF_RESIDENT_REPORT_TABLE, NULL, NULL), "text is NULL");
    TOLD(sf_resident_report(t->r, (sf_resident_report_kind)4, append_text, NULL), "no such report");
    CHECK(!sf_resident_device_memory(t->r, zero, "out", 0));
    CHECK(!sf_resident_device_memory(t->r, t->first, "nothing", 0));
    CHECK(!sf_resident_device_memory(t->r, t->first, NULL, 0));
    CHECK(!sf_resident_device_memory(t->r, t->first, "out", 1024));
    CHECK(sf_resident_device_memory(t->r, t->first, "out", 0) != NULL);
    lent = lend(t->r, t->first);
    slot = lend(other->r, other->first);
    if (slot.op.id != lent.op.id) {          /* one resident's slot is not the other's */
        CHECK(sf_resident_submit(other->r, &lent) < 0);
        CHECK(sf_resident_submit(t->r, &slot) < 0);
    }
    frame_fill((uint32_t *)lent.data[0], 1, 0);
    CHECK_EQUAL(submit(t->r, &lent), 1);
    lent = receive(t, 1);
    CHECK(sf_resident_release(other->r, &lent) < 0);         /* nothing is lent there */
    give(t->r, &lent);
    end(t);
    end(other);
    nothing_is_left();
}

/* -- deadlines -- */

#define TAKES(ns, expression, expected)                                                                              \
    do {                                                                                                             \
        int64_t began_ = sf_flow_now(NULL);                                                                               \
        CHECK_IS(expression, expected);                                                                              \
        CHECK(sf_flow_now(NULL) - began_ >= (ns));                                                                        \
    } while (0)
static void every_wait_has_a_deadline(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_resident_slot slot;
        launch(t->r);
        for (int64_t ns = 0; ns <= SF_MS(10); ns += SF_MS(5)) {
            TAKES(ns, sf_resident_wait(t->r, ns), SF_TIMEOUT);
            TAKES(ns, ask(t, 1, ns), SF_TIMEOUT);
            TAKES(ns, ask(t, 0, ns), SF_TIMEOUT);
            TAKES(ns, ask(t, 1000000, ns), SF_TIMEOUT);
        }
        fill_behind_a_gate(t, 1, 4);
        for (int64_t ns = 0; ns <= SF_MS(10); ns += SF_MS(5)) {
            TAKES(ns, sf_resident_acquire(t->r, t->first, ns, &slot), ns ? SF_TIMEOUT : SF_BUSY);
            TAKES(ns, ask(t, 1, ns), SF_TIMEOUT);
        }
        for (int64_t ns = 0; ns <= SF_MS(10); ns += SF_MS(5)) {
            TAKES(ns, sf_resident_tear_down(t->r, ns > 0, ns), SF_TIMEOUT);
            TAKES(ns, sf_resident_wait(t->r, ns), SF_TIMEOUT);
            TAKES(ns, ask(t, 1, ns), SF_TIMEOUT);
        }
        finish(t);
    }
}

/* -- what it tells -- */

static void latency_is_sane(const sf_latency *l, uint64_t count)
{
    CHECK_EQUAL(l->count, count);
    if (!count) { return; }
    CHECK(l->min >= 0 && l->min <= l->mean && l->mean <= l->max);
    CHECK(l->p50 <= l->p90 && l->p90 <= l->p99 && l->p99 <= l->p999 && l->p999 <= l->max);
    CHECK(l->min <= l->p50);
}
/* What a GPU may do whose clock goes in steps, and is read a moment before a request is seen. */
typedef struct behind_args { sf_resident *r; } behind_args;
static int behind_host(const sf_slice *slice, const void *args)
{
    (void)slice;
    test_resident_set_back(((const behind_args *)args)->r, SF_MS(5));
    return 0;
}
static sf_result behind_compute(sf_context *ctx)
{
    static const sf_kernel behind = { .name = "behind", .host = behind_host };
    behind_args a = { (sf_resident *)ctx->user };
    (void)sf_receive(ctx, 0);
    sf_launch(sf_compute_stream(ctx), &behind, &a, sizeof a);
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static void a_clock_that_is_behind(void **state)
{
    (void)state;
    if (on_cuda()) { skip(); }
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        sf_latency l;
        sf_resident *r;
        sf_op op;
        if (loop_kinds[loop] == SF_RESIDENT_LOOP_FUSED) { continue; }
        r = resident_of((sf_resident_desc){ .loop = loop_kinds[loop] });
        op = sf_resident_add(r, &(sf_op_desc){ .name = "behind", .compute = behind_compute, .user = r,
                                               .in = { { .name = "in", .bytes = 8, .external = true } },
                                               .out = { { .name = "out", .bytes = 8, .external = true } } });
        launch(r);
        for (uint64_t k = 1; k <= 20; k++) {
            int64_t began = sf_flow_now(NULL);
            sf_resident_slot s = lend(r, op);
            CHECK_EQUAL(submit(r, &s), k);
            CHECK_OK(sf_resident_result(r, op, k, GUARD, &s));
            CHECK(began <= s.submitted && s.submitted <= s.started);
            CHECK(s.started <= s.finished && s.finished <= s.published && s.published <= sf_flow_now(NULL));
            CHECK_OK(sf_resident_release(r, &s));
        }
        for (int span = 0; span <= SF_RESIDENT_SPAN_PERIOD; span++) {
            CHECK_OK(sf_resident_get_latency(r, (sf_resident_span)span, &l));
            CHECK(l.count > 0 && l.min >= 0 && l.min <= l.p50 && l.p50 <= l.max && l.max < GUARD);
            if (span == SF_RESIDENT_SPAN_QUEUE) { CHECK_EQUAL(l.min, 0); }
        }
        destroy(r);
    }
    nothing_is_left();
}
static void it_tells(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * LOOPS; k++) {
        uint32_t loop = k / 2, n = 100;
        bool fused = loop_kinds[loop] == SF_RESIDENT_LOOP_FUSED, measure = k % 2 && !fused;
        ring *t = ring_of(fused ? FUSED : LINE, fused ? 1 : 2,
                          (sf_resident_desc){ .name = "the loop", .loop = loop_kinds[loop],
                                              .measure_operators = measure, .deadline = k % 2 ? 1 : GUARD });
        sf_resident_info i = info_of(t->r), before;
        sf_latency total = { .count = 0 }, l;
        CHECK_EQUAL(i.state, SF_RESIDENT_NEW);
        CHECK_EQUAL(i.submitted + i.completed + i.dropped + i.queued + i.missed, 0);
        build(t->r);
        CHECK_EQUAL(info_of(t->r).state, SF_RESIDENT_BUILT);
        for (int turn = 0; turn < 2; turn++) {
            uint64_t first = (uint64_t)turn * n;
            int64_t began, last = 0;
            launch(t->r);
            before = info_of(t->r);
            for (uint64_t j = first + 1; j <= first + n; j++) {
                sf_resident_slot s;
                began = sf_flow_now(NULL);
                CHECK_EQUAL(send(t), j);
                s = receive(t, j);
                CHECK(s.submitted >= began - (on_cuda() ? SF_MS(1) : 0) && s.published >= last);
                CHECK(s.published <= sf_flow_now(NULL) + (on_cuda() ? SF_MS(1) : 0));
                last = s.published;
                give(t->r, &s);
            }
            i = info_of(t->r);
            CHECK_EQUAL(i.state, SF_RESIDENT_RUNNING);
            CHECK(i.heartbeat >= before.heartbeat + n);
            CHECK_EQUAL(i.missed, k % 2 ? first + n : 0);
            CHECK((fused || i.nodes > 0) && i.predicted > 0);
            for (uint32_t a = 0; a < i.advice_count && fused; a++) {
                CHECK(i.advice[a].kind >= SF_RESIDENT_ADVICE_NO_HOST_WRITES);
            }
            CHECK(i.host_bytes > 0 && i.device_bytes > 0);
            stop(t->r);
            CHECK_EQUAL(info_of(t->r).heartbeat >= i.heartbeat, 1);
        }
        n *= 2;
        counts_are(t, n, n, 0, 0);
        for (int span = 0; span < 5; span++) {
            CHECK_OK(sf_resident_get_latency(t->r, (sf_resident_span)span, &l));
            if (span == SF_RESIDENT_SPAN_TOTAL) { total = l; }
            latency_is_sane(&l, span == SF_RESIDENT_SPAN_PERIOD ? n - 2 : n);
            CHECK(span == SF_RESIDENT_SPAN_PERIOD || l.max <= total.max);
        }
        for (int op = 0; op < 2; op++) {
            sf_result r = sf_resident_get_op_latency(t->r, op ? t->last : t->first, &l);
            if (measure) {
                CHECK_IS(r, SF_OK);
                latency_is_sane(&l, n);
                CHECK(l.max <= total.max);
            } else {
                CHECK(r < 0);
            }
        }
        finish(t);
    }
}
static void is_at(ring *t, const char *where)
{
    for (int i = 0; i < 30000 && strcmp(info_of(t->r).stage, where); i++) { usleep(1000); }
    if (strcmp(info_of(t->r).stage, where)) { fail_msg("at %s, not %s", info_of(t->r).stage, where); }
}
static void where_it_is(void **state)
{
    (void)state;
    for (int stage = 0; stage < 3; stage++) {
        ring *t = RING(LINE, 3);
        char want[24];
        t->obeys = stage;
        snprintf(want, sizeof want, "stage%d", stage);
        launch(t->r);
        is_at(t, "wait");
        fill_behind_a_gate(t, 1, 1);
        is_at(t, want);
        gate(t, UINT32_MAX);
        receive_many(t, 1, 1);
        is_at(t, "wait");
        finish(t);
    }
}
static bool has_number(const char *text, const char *line_with, uint64_t number)
{
    char word[32];
    const char *line = strstr(text, line_with);
    size_t n = (size_t)snprintf(word, sizeof word, "%llu", (unsigned long long)number);
    for (; line; line = strstr(line + 1, line_with)) {
        const char *end = strchr(line, '\n'), *p = line;
        for (; (p = strstr(p, word)) && (!end || p < end); p++) {
            if ((p == line || p[-1] < '0' || p[-1] > '9') && (p[n] < '0' || p[n] > '9')) { return true; }
        }
    }
    return false;
}
static void reports(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        bool fused = loop_kinds[loop] == SF_RESIDENT_LOOP_FUSED;
        ring *t = ring_of(fused ? FUSED : LINE, fused ? 1 : 2,
                          (sf_resident_desc){ .name = "the loop", .loop = loop_kinds[loop],
                                              .measure_operators = true });   /* fused: a warning */
        sf_latency of_one;
        char *text;
        const char *names[] = { "stage0", "stage1" };
        launch(t->r);
        for (uint64_t k = 1; k <= 137; k++) {
            CHECK_EQUAL(send(t), k);
            receive_many(t, k, k);
        }
        stop(t->r);
        CHECK_IS(sf_resident_get_op_latency(t->r, t->first, &of_one), fused ? SF_ERROR_ILLEGAL_STATE : SF_OK);
        if (fused) { CHECK(strstr(sf_resident_failure(t->r)->text, "fused") != NULL); }
        for (int kind = 0; kind < 4; kind++) {
            text = report_of(t->r, (sf_resident_report_kind)kind);
            CHECK(strlen(text) > 30);
            for (int op = 0; op < t->stages && fused && kind < 2; op++) { CHECK(!strstr(text, names[op])); }
            for (int op = 0; op < t->stages && !(fused && kind < 2); op++) {
                if (!strstr(text, names[op])) { fail_msg("report %d without %s:\n%s", kind, names[op], text); }
            }
            if (kind == SF_RESIDENT_REPORT_DOT) { CHECK(strstr(text, "digraph \"the loop\" {")); }
            if (kind == SF_RESIDENT_REPORT_DOT && !fused) { CHECK(strstr(text, "\"stage0\" -> \"stage1\"")); }
            if (kind == SF_RESIDENT_REPORT_PLAN) {
                CHECK((strstr(text, "in 4 copies") != NULL) == (info_of(t->r).loop == SF_RESIDENT_LOOP_UNROLLED));
            }
            if (kind < 2 && !has_number(text, "", 137)) { fail_msg("report %d: no count of 137:\n%s", kind, text); }
            if (kind == SF_RESIDENT_REPORT_CSV) {
                CHECK(strchr(text, ',') != NULL);
                for (int op = 0; op < t->stages && !fused; op++) {
                    if (!has_number(text, names[op], 137)) { fail_msg("%s: no count of 137:\n%s", names[op], text); }
                }
            }
            free(text);
        }
        finish(t);
    }
}

/* -- several, on one device -- */

static void each_gets_on(ring **t, int count, uint64_t first, uint64_t last)
{
    for (uint64_t k = first; k <= last; k++) {
        for (int i = 0; i < count; i++) { CHECK_EQUAL(send(t[i]), k); }
        for (int i = 0; i < count; i++) { receive_many(t[i], k, k); }
    }
}
/* As many as there may be, next to streams that the driver gave any of the hardware's queues: all get on. */
static void beside_any_streams(void **state)
{
    enum { MOST = 8 };
    (void)state;
    for (int n = 0; n < MOST; n++) {
        uint32_t *words = (uint32_t *)test_memory(device, MOST * sizeof *words);
        sf_stream *streams[MOST];
        ring *t[MOST];
        for (int i = 0; i < MOST; i++) {
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .priority = i < n ? INT32_MIN : 0 }, &streams[i]));
            t[i] = line_of((uint32_t)(i + n) % LOOPS, 4, SF_OVERFLOW_BLOCK);
            build(t[i]->r);
        }
        for (int i = 0; i < MOST; i++) { launch(t[i]->r); }
        for (uint64_t k = 1; k <= 3; k++) {
            for (int i = 0; i < MOST; i++) {
                CHECK_OK(sf_memset_async(streams[i], &words[i], (int)k, sizeof *words));
            }
            each_gets_on(t, MOST, k, k);
            for (int i = 0; i < MOST; i++) {
                CHECK_OK(sf_stream_synchronize(streams[i], GUARD));
                CHECK_EQUAL(words[i], k * 0x01010101u);
            }
        }
        for (int i = 0; i < MOST; i++) {
            end(t[i]);
            CHECK_OK(sf_stream_destroy(streams[i]));
        }
        CHECK_OK(sf_mem_free(device, words));
        nothing_is_left();
    }
}
static void as_many_fused_ones(void **state)
{
    enum { MOST = 16 };
    ring *t[MOST + 1];
    (void)state;
    for (int i = 0; i <= MOST; i++) {
        t[i] = line_of(LOOPS - 1, 4, SF_OVERFLOW_BLOCK);
        build(t[i]->r);
    }
    for (int i = 0; i < MOST; i++) { launch(t[i]->r); }
    CHECK_IS(sf_resident_launch(t[MOST]->r), SF_BUSY);
    each_gets_on(t, MOST, 1, 10);
    for (int i = 0; i < MOST; i++) { stop(t[i]->r); }
    launch(t[MOST]->r);
    CHECK_EQUAL(send(t[MOST]), 1);
    receive_many(t[MOST], 1, 1);
    for (int i = 0; i < MOST; i++) { end(t[i]); }
    finish(t[MOST]);
}
static void several_at_once(void **state)
{
    enum { MOST = 8 };
    ring *t[MOST + 1];
    (void)state;
    for (int i = 0; i <= MOST; i++) {
        t[i] = line_of((uint32_t)i % LOOPS, 4, SF_OVERFLOW_BLOCK);
        build(t[i]->r);                      /* while there is a hardware queue for it */
    }
    for (int i = 0; i < MOST; i++) { launch(t[i]->r); }
    CHECK_IS(sf_resident_launch(t[MOST]->r), SF_BUSY);
    CHECK_IS(sf_resident_failure(t[MOST]->r)->result, SF_BUSY);
    CHECK(strlen(sf_resident_failure(t[MOST]->r)->text) > 20);
    CHECK_EQUAL(sf_resident_get_state(t[MOST]->r), SF_RESIDENT_BUILT);
    CHECK(!sf_resident_is_launched(t[MOST]->r));
    each_gets_on(t, MOST, 1, 50);
    stop(t[3]->r);
    launch(t[MOST]->r);
    CHECK_EQUAL(send(t[MOST]), 1);
    receive_many(t[MOST], 1, 1);
    CHECK_IS(sf_resident_launch(t[3]->r), SF_BUSY);
    for (int i = 0; i <= MOST; i++) {
        if (i != 3) { counts_are(t[i], i == MOST ? 1 : 50, i == MOST ? 1 : 50, 0, 0); }
        if (i != 3 && i != MOST) { end(t[i]); }
    }
    launch(t[3]->r);
    CHECK_EQUAL(send(t[3]), 51);
    receive_many(t[3], 51, 51);
    (void)sf_resident_tear_down(t[3]->r, true, GUARD);
    (void)sf_resident_tear_down(t[MOST]->r, true, GUARD);
    (void)sf_resident_destroy(t[3]->r);      /* SF_BUSY is no error, whatever it says of the first one */
    (void)sf_resident_destroy(t[MOST]->r);
    memset(residents, 0, sizeof residents);
    nothing_is_left();
}
static void from_several_pairs_of_threads(void **state)
{
    enum { PAIRS = 3 };
    ring *t[PAIRS];
    uint64_t n = 100 + test_seeds() / 20;
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        t[i] = line_of((uint32_t)i, 4, SF_OVERFLOW_BLOCK);
        launch(t[i]->r);
        begin_job(2 * i, writer_main, (job){ .t = t[i], .op = t[i]->first, .first = 1, .last = n });
        begin_job(2 * i + 1, reader_main, (job){ .t = t[i], .op = t[i]->last, .first = 1, .last = n });
    }
    for (int i = 0; i < 2 * PAIRS; i++) { join(&jobs[i]); }
    for (int i = 0; i < PAIRS; i++) {
        counts_are(t[i], n, n, 0, 0);
        end(t[i]);
    }
    nothing_is_left();
}
static void with_a_device_of_its_own(void **state)
{
    sf_resident_desc desc = { .backend = test_backend, .logger = { lines_func, &logged }, .stall_timeout = GUARD };
    ring t = { .shape = LINE, .stages = 1 };
    (void)state;
    t.orders = &board->orders[0];
    t.note = board->note[0];
    t.orders->gate = UINT32_MAX;
    t.r = sf_resident_create(&desc);
    CHECK(t.r != NULL);
    t.first = t.last = add_stage(&t, "stage0", 0, 1, true, true);
    launch(t.r);
    for (uint64_t k = 1; k <= 20; k++) {
        CHECK_EQUAL(send(&t), k);
        receive_many(&t, k, k);
    }
    CHECK_OK(sf_resident_destroy(t.r));
    nothing_is_left();
}

/* -- beside other work on the device -- */

enum { USER_ROUNDS = 40 };
static sf_result use_device(uint32_t round, char *why)
{
    static const sf_memory kinds[] = {
        SF_MEMORY_DEVICE, SF_MEMORY_PINNED, SF_MEMORY_MANAGED, SF_MEMORY_HOST, SF_MEMORY_PINNED
    };
    uint32_t *p[COUNT(kinds)], want = 0;
    fresh_args a = { .turns = 3, .add = round + 1 };
    sf_stream *s = NULL;
    sf_event *e = NULL;
    sf_result r = SF_OK;
    memset(p, 0, sizeof p);
#define USE(call)                                                                                            \
    do {                                                                                                     \
        if (r == SF_OK && (r = (call)) != SF_OK) { snprintf(why, 200, "%s: %d", #call, (int)r); }            \
    } while (0)
    for (size_t i = 0; i < COUNT(kinds); i++) { USE(sf_mem_alloc(device, 4096 << i, kinds[i], (void **)&p[i])); }
    USE(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &s));
    USE(sf_event_create(device, SF_EVENT_DEFAULT, &e));
    a.count = p[0];
    USE(sf_memset_async(s, p[0], 0, 4096));
    for (int i = 0; i < 4; i++) {
        USE(sf_launch(s, &fresh_kernels[i], &a, sizeof a));
        want += a.turns * a.add;
    }
    USE(sf_memcpy_async(s, p[1], p[0], 4096));
    USE(sf_event_record(e, s, 0));
    USE(sf_event_synchronize(e, GUARD));
    if (r == SF_OK && p[1][0] != want) { snprintf(why, 200, "counted %u, not %u", p[1][0], want); }
    for (size_t i = 0; i < COUNT(kinds); i++) { USE(sf_mem_free(device, p[i])); }
    USE(sf_event_destroy(e));
    USE(sf_stream_destroy(s));
#undef USE
    return r;
}
static void *user_main(void *arg)
{
    job *j = (job *)arg;
    for (uint32_t i = 0; i < USER_ROUNDS && j->result == SF_OK && !j->why[0]; i++) {
        j->result = use_device(i, j->why);
    }
    test_store(&j->done, 1);
    return NULL;
}
static void beside_other_work(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {            /* or they would be refused beside a loop */
        fresh_args none = { .turns = 0 };
        CHECK_OK(sf_kernel_preload(device, &fresh_kernels[i], &none, sizeof none));
    }
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        uint64_t n = 0;
        sf_counters before, after;
        bool done;
        job *user;
        build(t->r);
        launch(t->r);
        CHECK_OK(sf_device_get_counters(device, &before));
        user = begin_job(0, user_main, (job){ .t = t });
        for (int64_t until = sf_flow_now(NULL) + GUARD; !test_load(&user->done) && sf_flow_now(NULL) < until; n++) {
            CHECK_EQUAL(send(t), n + 1);
            receive_many(t, n + 1, n + 1);
        }
        done = test_load(&user->done);
        CHECK(sf_resident_is_launched(t->r));
        stop(t->r);                          /* if a free hangs, it hangs no longer than this */
        join(user);
        CHECK(done);
        counts_are(t, n, n, 0, 0);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_OK(sf_device_get_counters(device, &after));
        CHECK_EQUAL(after.live_bytes, before.live_bytes);    /* put off, but not for good */
        CHECK_EQUAL(after.live_streams, before.live_streams);
        CHECK_EQUAL(after.live_events, before.live_events);
        finish(t);
    }
}

/* Kernels that are loaded before a loop is launched, beside it: 1 by a preload, 2 by a launch, 3 by a graph. Kernel 0
   is alone in its file, and not loaded: CUDA would wait for the loop, so its launch is refused. A host device has
   nothing to load. */
static bool loads_lazily(void)
{
    const char *mode = getenv("CUDA_MODULE_LOADING");
    sf_device_info info;
    CHECK_OK(sf_device_get_info(device, &info));
    return on_cuda() && info.driver_version >= 11070 && (!mode || strcmp(mode, "EAGER") != 0);
}
typedef struct cold_work {
    uint32_t *count;
    sf_stream *s;
    sf_graph *graph;                         /* of kernel 0, if that is not refused */
    sf_graph_exec *exec;                     /* of kernel 3 */
    bool lazy;
    const char *at;                          /* the latest call */
    char text[512];                          /* why a flow failed */
} cold_work;
static cold_work cold;
static sf_result cold_launch(sf_stream *s, int kernel)
{
    fresh_args a = { .count = cold.count, .turns = 1, .add = 1 };
    return sf_launch(s, &cold_kernels[kernel], &a, sizeof a);
}
static sf_result cold_compute(sf_context *ctx)
{
    (void)cold_launch(sf_compute_stream(ctx), 0);
    return SF_DONE;
}
static sf_result cold_flow(void)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
    sf_result r;
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "cold", .compute = cold_compute });
    r = sf_flow_run(f);
    snprintf(cold.text, sizeof cold.text, "%s", sf_flow_failure(f)->text);
    (void)sf_flow_destroy(f);
    return r;
}
/* Each call beside the loop, with the code it is to return, up to the first that returns another one. */
static void *cold_main(void *arg)
{
    job *j = (job *)arg;
    const sf_result refused = cold.lazy ? SF_ERROR_ILLEGAL_STATE : SF_OK;
    const fresh_args none = { .turns = 0 };
    sf_module *module;
    sf_result r;
#define COLD(call, expected)                                                                                 \
    do {                                                                                                     \
        int64_t began_ = sf_flow_now(NULL);                                                                  \
        if (j->why[0]) { break; }                                                                            \
        cold.at = #call;                                                                                     \
        r = (sf_result)(call);                                                                               \
        if (r != (sf_result)(expected)) { snprintf(j->why, sizeof j->why, "%s: %d", #call, (int)r); }        \
        if (!on_cuda()) { break; }                                                                           \
        printf("# beside a loop: %s: %d, %d us\n", #call, (int)r, (int)((sf_flow_now(NULL) - began_) / 1000)); \
    } while (0)
    COLD(sf_stream_begin_capture(cold.s, SF_CAPTURE_RELAXED), SF_OK);
    COLD(cold_launch(cold.s, 0), refused);
    COLD(sf_stream_end_capture(cold.s, &cold.graph), SF_OK);
    COLD(sf_kernel_preload(device, &cold_kernels[0], &none, sizeof none), refused);
    COLD(cold_launch(cold.s, 0), refused);
    COLD(strstr(sf_device_failure(device)->text, "cold 0") != NULL, cold.lazy);
    COLD(cold_launch(cold.s, 1), SF_OK);
    COLD(cold_launch(cold.s, 2), SF_OK);
    COLD(sf_graph_launch(cold.exec, cold.s), SF_OK);
    COLD(cold_launch(cold.s, 3), SF_OK);
    COLD(sf_stream_synchronize(cold.s, GUARD), SF_OK);
    COLD(cold_flow(), refused);
    COLD(sf_module_load(device, "ptx", 4, 0, &module), on_cuda() ? SF_ERROR_ILLEGAL_STATE : SF_ERROR_NOT_SUPPORTED);
#undef COLD
    test_store(&j->done, 1);
    return NULL;
}
static void kernels_not_loaded_beside_a_loop(void **state)
{
    ring *t = line_of(0, 4, SF_OVERFLOW_BLOCK);
    const fresh_args none = { .turns = 0 };
    fresh_args one = { .turns = 1, .add = 1 };
    sf_graph *g;
    job *user;
    bool done;
    (void)state;
    memset(&cold, 0, sizeof cold);
    cold.lazy = loads_lazily();
    cold.count = (uint32_t *)test_memory(device, sizeof *cold.count);
    *cold.count = 0;
    one.count = cold.count;
    CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &cold.s));
    CHECK_OK(sf_kernel_preload(device, &cold_kernels[1], &none, sizeof none));
    CHECK_OK(cold_launch(cold.s, 2));
    CHECK_OK(sf_graph_create(device, &g));
    CHECK_OK(sf_graph_add_node(g, NULL, 0, &(sf_node_desc){
        .type = SF_NODE_KERNEL, .kernel = { &cold_kernels[3], &one, sizeof one } }, NULL));
    CHECK_OK(sf_graph_instantiate(g, 0, &cold.exec));
    CHECK_OK(sf_stream_synchronize(cold.s, GUARD));
    CHECK_EQUAL(*cold.count, 1);             /* a preload launches nothing */
    build(t->r);
    launch(t->r);
    user = begin_job(0, cold_main, (job){ .t = t });
    for (int i = 0; i < 30000 && !test_load(&user->done); i++) { usleep(1000); }
    done = test_load(&user->done);
    CHECK_EQUAL(send(t), 1);
    receive_many(t, 1, 1);                   /* the loop goes on */
    stop(t->r);                              /* a call that hangs goes on, too */
    join(user);
    if (!done) { fail_msg("it hung: %s", cold.at); }
    CHECK_EQUAL(*cold.count, cold.lazy ? 5 : 7);
    if (cold.lazy) { CHECK(strstr(cold.text, "cold 0") && strstr(cold.text, "sf_kernel_preload()")); }
    CHECK_OK(sf_kernel_preload(device, &cold_kernels[0], &none, sizeof none));
    launch(t->r);
    CHECK_OK(cold_launch(cold.s, 0));
    CHECK_OK(sf_stream_synchronize(cold.s, GUARD));
    stop(t->r);
    CHECK_EQUAL(*cold.count, cold.lazy ? 6 : 8);
    CHECK_OK(sf_graph_exec_destroy(cold.exec));
    CHECK_OK(sf_graph_destroy(g));
    CHECK_OK(sf_graph_destroy(cold.graph));
    CHECK_OK(sf_stream_destroy(cold.s));
    CHECK_OK(sf_mem_free(device, cold.count));
    end(t);                                  /* a flow leaves its events to the device */
}

/* -- interleavings: one thread, a seeded choice of what runs next, and of when the host goes on -- */

static struct {
    uint32_t order, seed, round;
    uint32_t count, different;
    uint64_t seen[1 << 18];
} explored;
static const char *explored_where(void)
{
    static char text[96];
    snprintf(text, sizeof text, "in order %u, seed %u, round %u", explored.order, explored.seed, explored.round);
    return text;
}
#define MUST(condition)                                                                                              \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            fail_msg("not true: %s, %s", #condition, explored_where());                                              \
        }                                                                                                            \
    } while (0)
static void count_interleaving(void)
{
    uint64_t key = steps.trace | 1;
    uint32_t i = (uint32_t)(key >> 20) % COUNT(explored.seen);
    explored.count++;
    for (uint32_t n = 0; n < 64; n++, i = (i + 1) % COUNT(explored.seen)) {
        if (explored.seen[i] == key) { return; }
        if (explored.seen[i]) { continue; }
        explored.seen[i] = key;
        explored.different++;
        return;
    }
}

typedef struct model {                       /* of one resident, over all its launches */
    sf_overflow overflow;
    bool any;
    uint64_t sent[2];                        /* by source */
    uint64_t lent, completed, dropped;       /* the last result lent */
    uint64_t at[2], next[2];                 /* any_source: whose content is there, and what comes next */
    int64_t when[64];                        /* the frames were sent */
    sf_resident_slot held[8];
    int holds;
} model;
static void poll_some(rng *r)
{
    for (uint32_t n = rng_below(r, 8); n; n--) { (void)sf_device_poll(device, 0); }
}
static void try_send(ring *t, model *m, uint32_t side)
{
    sf_resident_slot slot;
    sf_result r = sf_resident_acquire(t->r, side ? t->second : t->first, 0, &slot);
    note_step("send", (uint32_t)r);
    MUST(r == SF_OK || (r == SF_BUSY && m->overflow != SF_OVERFLOW_DROP_NEWEST) ||
         (r == SF_ERROR_ILLEGAL_STATE && steps.stopped));
    if (r != SF_OK) { return; }
    MUST(slot.sequence == m->sent[side] + 1);
    frame_fill((uint32_t *)slot.data[0], slot.sequence, side);
    m->when[slot.sequence % COUNT(m->when)] = sf_flow_now(NULL);
    r = sf_resident_submit(t->r, &slot);
    note_step("sent", (uint32_t)r);
    MUST(r == SF_OK || (r == SF_ERROR_ILLEGAL_STATE && steps.stopped));      /* then it counts, or it does not */
    m->sent[side] += r == SF_OK;
}
static bool content_good(ring *t, model *m, const sf_resident_slot *s, char *why)
{
    const uint32_t *got = (const uint32_t *)s->data[0];
    if (t->shape != JOIN) { return result_good(t, s, s->sequence, SF_OK, why); }
    if (!slot_is(t, s, s->sequence, SF_OK, why)) { return false; }
    if (!m->any) { return pair_is(t, s, s->sequence, s->sequence, why); }
    for (int i = 0; i < 2; i++) {            /* before its first request an input is zero */
        uint64_t now = got[i * frame_words] ^ ring_key(i) ^ ring_key(2);
        if (now != m->at[i] && now != m->next[i]) {
            snprintf(why, 200, "source %d: %llu, not %llu or %llu", i, (unsigned long long)now,
                     (unsigned long long)m->at[i], (unsigned long long)m->next[i]);
            return false;
        }
        if (now == m->next[i] && now != m->at[i]) { m->at[i] = m->next[i]++; }
    }
    return !m->at[0] || !m->at[1] || pair_is(t, s, m->at[0], m->at[1], why);
}
static void note_result(ring *t, model *m, sf_resident_slot *s)
{
    char why[256];
    MUST(s->sequence > m->lent);
    MUST(t->shape == JOIN || s->submitted >= m->when[s->sequence % COUNT(m->when)]);
    if (!content_good(t, m, s, why)) { fail_msg("%s, %s", why, explored_where()); }
    for (uint64_t k = m->lent + 1; k < s->sequence; k++) {
        MUST(ask(t, k, 0) == SF_IGNORED);
        m->dropped++;
    }
    m->lent = s->sequence;
    m->completed++;
}
static void try_receive(ring *t, model *m)
{
    sf_resident_slot s;
    sf_result r = sf_resident_result(t->r, t->last, 0, 0, &s);
    note_step("receive", (uint32_t)r);
    MUST(r == SF_OK || r == SF_TIMEOUT || r == SF_ERROR_ILLEGAL_STATE);      /* the loop has ended */
    if (r != SF_OK) { return; }
    note_result(t, m, &s);
    MUST(m->holds < (int)COUNT(m->held));
    m->held[m->holds++] = s;
}
static void try_release(ring *t, model *m)
{
    char why[256];
    if (!m->holds) { return; }
    if (t->shape != JOIN && !result_good(t, &m->held[0], m->held[0].sequence, SF_OK, why)) {
        fail_msg("when released: %s, %s", why, explored_where());
    }
    MUST(sf_resident_release(t->r, &m->held[0]) == SF_OK);
    note_step("released", 0);
    m->holds--;
    memmove(m->held, m->held + 1, sizeof *m->held * (size_t)m->holds);
}
static void any_action(ring *t, model *m, rng *r)
{
    switch (rng_below(r, 8)) {
    case 0:
    case 1:
    case 2: try_send(t, m, t->shape == JOIN ? rng_below(r, 2) : 0); break;
    case 3:
    case 4: try_receive(t, m); break;
    case 5:
    case 6: try_release(t, m); break;
    default: poll_some(r);
    }
}
static void model_is(ring *t, model *m, bool at_rest)
{
    sf_resident_info i;
    uint64_t sent = m->sent[0];
    MUST(sf_resident_get_info(t->r, &i) == SF_OK);
    MUST(i.submitted == i.completed + i.dropped + i.queued);
    if (t->shape == JOIN) { sent = m->any || m->sent[0] < m->sent[1] ? i.submitted : m->sent[1]; }
    if (t->shape == JOIN && !m->any && m->sent[0] < m->sent[1]) { sent = m->sent[0]; }
    MUST(i.submitted == sent);
    MUST(i.completed >= m->completed);
    if (at_rest) { MUST(i.completed == m->completed && i.dropped == m->dropped && i.queued == 0); }
}
static void explore_begin(ring *t)
{
    steps.trace = 0xcbf29ce484222325u;
    steps.stopped = steps.aborted = false;
    MUST(sf_resident_launch(t->r) == SF_OK);
    steps.victim = t->r;
}
static void explore_launch(ring *t, model *m, rng *r)
{
    bool drain = rng_below(r, 2);
    uint64_t dropped = m->dropped;
    sf_result got;
    explore_begin(t);
    for (uint32_t n = rng_below(r, 16); n && !steps.stopped; n--) {
        any_action(t, m, r);
        model_is(t, m, false);
    }
    got = sf_resident_tear_down(t->r, drain, 0);
    note_step("stopped", (uint32_t)got);
    MUST(got == SF_OK || got == SF_TIMEOUT);
    drain = drain && !steps.aborted;
    steps.victim = NULL;
    for (uint32_t n = 0; (got = sf_resident_wait(t->r, 0)) == SF_TIMEOUT; n++) {
        sf_resident_slot slot;
        MUST(n < 20000);
        model_is(t, m, false);
        if (n == 0) { MUST(sf_resident_acquire(t->r, t->first, 0, &slot) == SF_ERROR_ILLEGAL_STATE); }
        if (n % 4 == 0 && (drain || rng_below(r, 4) == 0)) { try_receive(t, m); }
        if (n % 4 == 1 && (drain || rng_below(r, 4) == 0)) { try_release(t, m); }
        (void)sf_device_poll(device, 0);
    }
    MUST(got == SF_OK);
    while (m->holds) { try_release(t, m); }
    for (sf_resident_info i = info_of(t->r); m->lent < i.submitted;) {
        sf_resident_slot s;
        got = sf_resident_result(t->r, t->last, m->lent + 1, 0, &s);
        MUST(got == SF_OK || got == SF_IGNORED);
        if (got == SF_OK) {
            note_result(t, m, &s);
            MUST(sf_resident_release(t->r, &s) == SF_OK);
        } else {
            m->lent++;
            m->dropped++;
        }
    }
    for (int i = 0; i < 2 && !drain; i++) { m->next[i] = m->sent[i] + 1; }   /* what was queued is dropped */
    model_is(t, m, true);
    if (m->overflow != SF_OVERFLOW_BLOCK && m->overflow != SF_OVERFLOW_ERROR) { drain = false; }
    MUST(!drain || m->dropped == dropped);
    count_interleaving();
}
static void explore_triggers(ring *t, model *m, rng *r)
{
    bool drain = rng_below(r, 2);
    sf_result got;
    explore_begin(t);
    for (uint32_t n = rng_below(r, 16); n && !steps.stopped; n--) {
        uint64_t sequence = 0;
        if (rng_below(r, 3)) {
            got = sf_resident_data_ready(t->r, &sequence);
            note_step("ready", (uint32_t)got);
            MUST(got == SF_OK || (got == SF_ERROR_ILLEGAL_STATE && steps.stopped));
            MUST(got != SF_OK || sequence == ++m->sent[0]);
        } else {
            poll_some(r);
        }
        got = sf_resident_result_ready(t->r, m->lent + 1);
        note_step("result", (uint32_t)got);
        MUST(got == SF_OK || got == SF_NOT_READY || (got == SF_ERROR_ILLEGAL_STATE && steps.stopped));
        if (got == SF_OK) { m->lent++; }
        MUST(m->lent <= m->sent[0]);
        model_is(t, m, false);
    }
    got = sf_resident_tear_down(t->r, drain, 0);
    note_step("stopped", (uint32_t)got);
    drain = drain && !steps.aborted;
    steps.victim = NULL;
    for (uint32_t n = 0; (got = sf_resident_wait(t->r, 0)) == SF_TIMEOUT; n++) {
        MUST(n < 20000);
        (void)sf_device_poll(device, 0);
    }
    MUST(got == SF_OK);
    m->completed = info_of(t->r).completed;
    if (drain) { MUST(m->completed + m->dropped == m->sent[0]); }
    m->dropped = m->sent[0] - m->completed;
    m->lent = m->sent[0];
    model_is(t, m, true);
    MUST(t->note->runs == m->completed && t->note->repeats == 0);            /* exact */
    count_interleaving();
}
static void explore(sf_order order, uint32_t seeds)
{
    enum { ROUNDS = 20 };
    static const sf_overflow policies[] = {
        SF_OVERFLOW_BLOCK, SF_OVERFLOW_ERROR, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_LATEST
    };
    static const uint32_t sizes[] = { 7, 14, 15, WORDS };    /* 56 bytes at most go with their number */
    for (uint32_t seed = 0; seed * ROUNDS < seeds; seed++) {
        rng r = rng_seed(seed * 16 + (uint32_t)order);
        uint32_t loop = rng_below(&r, LOOPS), kind = rng_below(&r, 8);
        model m;
        sf_resident_desc desc = { .slots = (uint32_t)1 << rng_below(&r, 3) };
        ring *t;
        memset(&m, 0, sizeof m);
        m.overflow = policies[rng_below(&r, COUNT(policies))];
        m.any = kind == 6;
        m.next[0] = m.next[1] = 1;
        explored.order = (uint32_t)order;
        explored.seed = seed;
        frame_words = sizes[rng_below(&r, COUNT(sizes))];
        device = test_open_order(order, seed);
        board_make();
        if (kind >= 5) { m.overflow = SF_OVERFLOW_BLOCK; }
        desc.overflow = m.overflow;
        desc.any_source = m.any;
        desc.loop = loop_kinds[kind == 7 ? 0 : kind >= 5 ? loop % 4 : loop];
        t = kind == 7                                     ? ring_of(TRIGGER, 1, desc)
            : kind >= 5                                   ? ring_of(JOIN, 3, desc)
            : desc.loop == SF_RESIDENT_LOOP_FUSED         ? ring_of(FUSED, 1, desc)
                                                          : ring_of(LINE, 1 + (int)rng_below(&r, 3), desc);
        build(t->r);
        steps.coin = rng_seed(seed);
        steps.poll = device;
        for (explored.round = 0; explored.round < ROUNDS; explored.round++) {
            if (kind == 7) { explore_triggers(t, &m, &r); } else { explore_launch(t, &m, &r); }
        }
        steps.poll = NULL;
        finish(t);
        board = NULL;                        /* goes with the device */
        CHECK_OK(sf_device_close(device, GUARD));
        device = NULL;
    }
}
static void interleavings(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    CHECK_OK(sf_device_close(device, GUARD));
    memset(&explored, 0, sizeof explored);
    explore(SF_ORDER_RANDOM, 6 * test_seeds());
    explore(SF_ORDER_PCT, 5 * test_seeds());
    printf("# %u interleavings, %u of them different\n", explored.count, explored.different);
    CHECK(explored.count >= 10 * test_seeds());
    device = test_open();                    /* for the teardown */
}
static void in_every_order(void **state)     /* and with calls that wait */
{
    static const sf_order orders[] = {
        SF_ORDER_FIRST_IN, SF_ORDER_LAZY, SF_ORDER_REVERSE, SF_ORDER_RANDOM, SF_ORDER_PCT
    };
    (void)state;
    if (on_cuda()) { return; }
    CHECK_OK(sf_device_close(device, GUARD));
    for (size_t k = 0; k < COUNT(orders) * LOOPS; k++) {
        ring *t;
        device = test_open_order(orders[k / LOOPS], k);
        board_make();
        t = line_of(k % LOOPS, 4, SF_OVERFLOW_BLOCK);
        for (uint64_t turn = 0; turn < 3; turn++) {
            launch(t->r);
            for (uint64_t i = turn * 40 + 1; i <= turn * 40 + 40; i += 4) {
                send_many(t, i, i + 3);
                receive_many(t, i, i + 3);
            }
            CHECK_IS(ask(t, 0, SF_US(50)), SF_TIMEOUT);
            CHECK_IS(sf_resident_wait(t->r, SF_US(50)), SF_TIMEOUT);
            stop(t->r);
        }
        counts_are(t, 120, 120, 0, 0);
        finish(t);
        board = NULL;
        CHECK_OK(sf_device_close(device, GUARD));
    }
    device = test_open();
}

/* -- the bridge: the same frames, from a flow and to a flow -- */

enum { KEY_FRAME = 7 };
static struct {
    uint32_t frames, sources;                /* each source sends that many */
    uint32_t sent[2], shown, wrong, nap;
    uint64_t lost;                           /* on their way when the loop was stopped */
    uint32_t extra;                          /* entries of metadata */
    uint32_t in_flight;                      /* the most that were between camera and display */
    uint64_t last;
    const ring *t;
    uint32_t *frames_there;                  /* pinned, where the camera writes to the GPU */
    char why[256];
} show;

static sf_result camera(sf_context *ctx)
{
    uint32_t source = *(const uint32_t *)ctx->user;
    sf_tensor *frame = sf_tensor_create(ctx, 0, NULL);
    sf_value v;
    memset(&v, 0, sizeof v);
    v.u64 = (ctx->run + 1) * 3;
    v.u32[3] = ~v.u32[0];                    /* all of it travels */
    if (show.frames_there) {
        uint32_t *from = show.frames_there + ctx->run * frame_words;
        frame_fill(from, ctx->run + 1, source);
        if (!on_cuda()) { frame->device_type = 2; }          /* as if */
        sf_memcpy_async(sf_compute_stream(ctx), frame->data, from, frame_bytes());
    } else {
        frame_fill((uint32_t *)frame->data, ctx->run + 1, source);
    }
    sf_set_timestamp(ctx, (int64_t)ctx->run + 1001);
    sf_set_metadata(ctx, KEY_FRAME + source, v);
    for (uint32_t i = 0; i < show.extra; i++) {
        v.u64 = ctx->run + 1 + i;
        sf_set_metadata(ctx, 100 + i, v);
    }
    test_store(&show.sent[source], (uint32_t)ctx->run + 1);
    return sf_emit(ctx, 0, frame);
}
static sf_result display(sf_context *ctx)
{
    const sf_tensor *frame = sf_receive(ctx, 0);
    const uint32_t *got = (const uint32_t *)frame->data;
    uint32_t in_flight = test_load(&show.sent[0]) - show.shown, mask[2][WORDS];
    uint64_t k = show.last + 1;
    sf_value v[2];
    char why[256] = "";
    for (uint32_t i = 0; i < frame_words; i++) {
        mask[0][i] = side_mask(show.t, 0, i);
        mask[1][i] = side_mask(show.t, 1, i);
    }
    if (show.t->r && got[0] != ((uint32_t)k ^ mask[0][0])) {
        uint64_t later = got[0] ^ mask[0][0];        /* some were dropped */
        if (later > k && later <= show.frames) { k = later; }
    }
    if (!frame_is(got, mask[0], k, 0, why) || (show.sources == 2 && !frame_is(got + frame_words, mask[1], k, 1, why))) {
        show.wrong++;
    }
    if (sf_get_timestamp(ctx, 0) != (int64_t)k + 1000) {
        snprintf(why, sizeof why, "frame %llu: timestamp %lld", (unsigned long long)k,
                 (long long)sf_get_timestamp(ctx, 0));
        show.wrong++;
    }
    for (uint32_t i = 0; i < show.sources; i++) {
        bool there = sf_get_metadata(ctx, KEY_FRAME + i, &v[i]);
        if (there && v[i].u64 == 3 * k && v[i].u32[3] == ~v[i].u32[0]) { continue; }
        snprintf(why, sizeof why, "frame %llu: metadata of source %u", (unsigned long long)k, i);
        show.wrong++;
    }
    for (uint32_t i = 0; i < show.extra; i++) {
        bool there = sf_get_metadata(ctx, 100 + i, &v[0]) && v[0].u64 == k + i;
        if (there == (i < 15)) { continue; } /* with that of each frame 16 */
        snprintf(why, sizeof why, "frame %llu: entry %u", (unsigned long long)k, i);
        show.wrong++;
    }
    if (!show.why[0]) { snprintf(show.why, sizeof show.why, "%s", why); }
    if (in_flight > show.in_flight) { show.in_flight = in_flight; }
    show.last = k;
    test_add(&show.shown, 1);
    if (show.nap) { usleep(show.nap); }
    return SF_OK;
}
static void finish_bridge(ring *t, sf_flow *f, sf_result of_flow, sf_result of_loop)
{
    sf_counters now;
    CHECK_IS(sf_flow_destroy(f), of_flow);
    end_is(t, of_loop);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_OK(sf_device_get_counters(device, &now));          /* a flow leaves its events to the device */
    CHECK_EQUAL(now.live_streams, at_start.live_streams);
    CHECK_EQUAL(now.live_graphs, at_start.live_graphs);
    CHECK_EQUAL(now.live_bytes, at_start.live_bytes);
}
static uint32_t camera_ids[2] = { 0, 1 };
static sf_flow *bridge_from(ring *t, uint32_t frames, int32_t workers, sf_memory memory)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .metadata_entries = 32,
                                                 .workers = { { .count = workers } } });
    sf_op_desc feed_first = sf_resident_feeder(t->r, t->first), feed_second = sf_resident_feeder(t->r, t->second);
    sf_op_desc read = sf_resident_reader(t->r, t->last);
    sf_op feeder[2], reader, shown;
    memset(&show, 0, sizeof show);
    show.frames = frames;
    show.sources = t->shape == JOIN || t->shape == PAIR ? 2 : 1;
    show.t = t;
    if (memory == SF_MEMORY_DEVICE) { show.frames_there = (uint32_t *)test_memory(device, (size_t)frames * frame_bytes()); }
    CHECK(f != NULL);
    reader = sf_flow_add(f, &read);
    shown = sf_flow_add(f, &(sf_op_desc){ .name = "display", .compute = display, .in = { { .name = "frame" } } });
    CHECK_OK(sf_flow_connect(f, reader, "out", shown, "frame", NULL));
    feeder[0] = feeder[1] = sf_flow_add(f, &feed_first);
    if (t->shape == JOIN) { feeder[1] = sf_flow_add(f, &feed_second); }
    for (uint32_t i = 0; i < show.sources; i++) {
        sf_op cam = sf_flow_add(f, &(sf_op_desc){
            .name = i ? "right camera" : "left camera", .compute = camera, .user = &camera_ids[i], .count = frames,
            .out = { { .name = "frame", .bytes = frame_bytes(), .memory = (uint8_t)memory } },
        });
        CHECK_OK(sf_flow_connect(f, cam, "frame", feeder[i], i && t->shape == PAIR ? "in2" : "in", NULL));
    }
    return f;
}
static sf_flow *bridge_of(ring *t, uint32_t frames, int32_t workers)
{
    return bridge_from(t, frames, workers, SF_MEMORY_PINNED);
}
static void run_bridge(sf_flow *f, sf_result want)           /* a hang is a failure */
{
    sf_result r = sf_flow_start(f);
    char text[512];
    if (r >= 0) { r = sf_flow_wait(f, GUARD); }
    if (r == want) { return; }
    snprintf(text, sizeof text, "%s", sf_flow_failure(f)->text);
    (void)sf_flow_stop(f);
    (void)sf_flow_wait(f, GUARD);
    (void)sf_flow_destroy(f);
    fail_msg("the run is %d, %s\n  not %d, %s\n  %s", (int)r, sf_result_string(r), (int)want,
             sf_result_string(want), text);
}
static void all_were_shown(ring *t, uint32_t frames)
{
    if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
    CHECK_EQUAL(show.shown, frames);
    CHECK_EQUAL(show.last, frames);
    counts_are(t, frames + show.lost, frames, show.lost, 0);
}
static void bridged(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * LOOPS + 8; k++) {
        uint32_t frames = 100 + test_seeds() / 100, more = k - 2 * LOOPS;
        ring *t = k < 2 * LOOPS ? line_of(k / 2, 4, SF_OVERFLOW_BLOCK)
                  : more % 2    ? RING_WITH(JOIN, 3, .loop = loop_kinds[more / 2])
                                : RING_WITH(PAIR, 1, .loop = loop_kinds[more / 2]);
        sf_flow *f = bridge_of(t, frames, k % 2);
        launch(t->r);
        run_bridge(f, SF_OK);
        all_were_shown(t, frames);
        stop(t->r);
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
static void bridged_from_the_gpu(void **state)       /* frames that no thread has waited for */
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_flow *f = bridge_from(t, 100, (int32_t)loop % 2, SF_MEMORY_DEVICE);
        launch(t->r);
        run_bridge(f, SF_OK);
        all_were_shown(t, 100);
        stop(t->r);
        CHECK_OK(sf_mem_free(device, show.frames_there));
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
static void bridged_again(void **state)      /* the same flow runs twice over one loop, then over a relaunched one */
{
    ring *t = RING(LINE, 2);
    sf_flow *f = bridge_of(t, 50, 0);
    (void)state;
    launch(t->r);
    for (uint32_t turn = 1; turn <= 4; turn++) {
        show.last = show.shown = 0;
        run_bridge(f, SF_OK);
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        CHECK_EQUAL(show.shown, 50);
        counts_are(t, 50 * turn, 50 * turn, 0, 0);
        if (turn == 2) {
            stop(t->r);
            launch(t->r);
        }
    }
    finish_bridge(t, f, SF_OK, SF_OK);
}
static void bridged_with_much_metadata(void **state) /* no more than there is room for, and a warning says so */
{
    (void)state;
    for (uint32_t extra = 15; extra <= 16; extra++) {
        ring *t = RING(LINE, 2);
        sf_flow *f = bridge_of(t, 20, 1);
        memset(&logged, 0, sizeof logged);
        show.extra = extra;
        launch(t->r);
        run_bridge(f, SF_OK);
        all_were_shown(t, 20);
        CHECK_EQUAL(logged_at(2), extra - 15);
        if (extra > 15) { CHECK_LOGGED(2, "stage0 feeder", "metadata", "lost"); }
        stop(t->r);
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
static void a_slow_display_holds_up_the_camera(void **state)
{
    ring *t = RING(LINE, 2);
    sf_flow *f = bridge_of(t, 200, 1);
    (void)state;
    show.nap = 200;
    launch(t->r);
    run_bridge(f, SF_OK);
    all_were_shown(t, 200);
    CHECK(show.in_flight <= 2 * 4 + 8);      /* both rings, and what the flow's queues and pools hold */
    finish_bridge(t, f, SF_OK, SF_OK);
}
static void a_full_ring_holds_up_the_camera(void **state)
{
    ring *t = RING(LINE, 2);
    sf_flow *f = bridge_of(t, 100, 1);
    (void)state;
    gate(t, 0);
    launch(t->r);
    CHECK_OK(sf_flow_start(f));
    wait_until(&t->note[0].entered, 1);
    CHECK_IS(sf_flow_wait(f, SF_MS(20)), SF_TIMEOUT);
    CHECK(test_load(&show.sent[0]) <= 4 + 6);
    CHECK_EQUAL(test_load(&show.shown), 0);
    gate(t, UINT32_MAX);
    CHECK_OK(sf_flow_wait(f, GUARD));
    all_were_shown(t, 100);
    finish_bridge(t, f, SF_OK, SF_OK);
}
static void bridged_with_drops(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_LATEST };
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(policies); k++) {
        uint32_t frames = k % 2 ? 3000 : 100;        /* results that wait to be read are of requests far apart */
        sf_overflow policy = policies[k / 2];
        ring *t = RING_WITH(LINE, 2, .overflow = policy, .slots = k % 2 ? 16 : 4);
        sf_flow *f = bridge_of(t, frames, k % 2 ? 2 : 1);
        sf_resident_info i;
        show.nap = k % 2 ? 500 : 50;
        launch(t->r);
        run_bridge(f, SF_OK);
        if (show.wrong) { fail_msg("policy %d: %u are wrong: %s", policy, show.wrong, show.why); }
        i = info_of(t->r);
        counts_are(t, frames, show.shown, frames - show.shown, 0);
        if (policy != SF_OVERFLOW_DROP_NEWEST) { CHECK_EQUAL(show.last, frames); }
        CHECK_EQUAL(i.completed, show.shown);
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
static void a_failure_fails_the_flow(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        ring *t = RING_WITH(LINE, 2, .stall_timeout = k == 2 ? SF_MS(100) : GUARD);
        sf_flow *f = bridge_of(t, 100, 1);
        sf_result want = k == 0 ? (sf_result)-4711 : k == 1 ? SF_ERROR_ILLEGAL_ADDRESS : SF_ERROR_STALLED;
        if (k == 0) { t->orders->raise_at = 30, t->orders->code = -4711; }
        if (k == 1) { t->orders->fault_at = 30; }
        if (k == 2) { gate(t, 29); }
        if (k == 1 && on_cuda()) {           /* see a_trap_on_the_gpu */
            CHECK(sf_flow_destroy(f) != SF_TIMEOUT);
            end(t);
            continue;
        }
        launch(t->r);
        run_bridge(f, want);
        CHECK_IS(sf_flow_failure(f)->result, want);
        CHECK(sf_flow_failure(f)->text[0] && sf_flow_failure(f)->where[0]);
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        CHECK(show.shown <= 30);
        gate(t, UINT32_MAX);
        if (k == 1) { CHECK_OK(sf_device_reset(device)); }
        finish_bridge(t, f, want, want);
    }
}
static void a_loop_that_failed_tells_its_feeder(void **state)     /* no reader there that could tell it first */
{
    ring *t = RING(LINE, 2);
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .metadata_entries = 4 });
    sf_op_desc feed = sf_resident_feeder(t->r, t->first);
    sf_op feeder, cam;
    (void)state;
    memset(&show, 0, sizeof show);
    show.t = t;
    CHECK(f != NULL);
    feeder = sf_flow_add(f, &feed);
    cam = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = camera, .user = &camera_ids[0], .count = 10,
                                   .out = { { .name = "frame", .bytes = frame_bytes(), .memory = SF_MEMORY_PINNED } } });
    CHECK_OK(sf_flow_connect(f, cam, "frame", feeder, "in", NULL));
    t->orders->raise_at = 1, t->orders->code = -4711;
    launch(t->r);
    CHECK_EQUAL(send(t), 1);
    CHECK_IS(sf_resident_wait(t->r, GUARD), -4711);
    run_bridge(f, (sf_result)-4711);
    CHECK_IS(sf_flow_failure(f)->result, -4711);
    finish_bridge(t, f, (sf_result)-4711, (sf_result)-4711);
}
/* The reader has all results, and no feeder is left: it ends when it is known how the loop does. */
/* What a loop said is lent until a launch: a flow that fails with it asks for no longer. */
static void launched_again_as_a_failure_goes(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        ring *t = RING(LINE, 2);
        sf_flow *f = bridge_of(t, 5, (int32_t)k);
        t->orders->raise_at = 3, t->orders->code = -4711;
        launch(t->r);
        steps.passed_on = t->r;
        run_bridge(f, (sf_result)-4711);
        CHECK(!steps.passed_on);
        CHECK(strstr(sf_flow_failure(f)->text, "the loop was ended with this code, and launched again"));
        stop(t->r);
        finish_bridge(t, f, (sf_result)-4711, (sf_result)-4711);
    }
}
static void raised_in_the_last_iteration(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * (LOOPS - 1); k++) {         /* nothing tells a fused operator to raise */
        ring *t = line_of(k / 2, 4, SF_OVERFLOW_BLOCK);
        sf_flow *f = bridge_of(t, 5, (int32_t)k % 2);
        t->orders->raise_at = 5, t->orders->code = -4711;
        test_store(&steps.late, 20000);
        launch(t->r);
        run_bridge(f, (sf_result)-4711);
        test_store(&steps.late, 0);
        CHECK(strstr(sf_flow_failure(f)->text, "in iteration 5"));
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        CHECK_EQUAL(show.shown, 5);
        finish_bridge(t, f, (sf_result)-4711, (sf_result)-4711);
    }
}
/* Under the flow, in the middle: all results are shown, nothing has failed, and the flow is over. */
static void stopped_under_a_flow(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 4 * (LOOPS - 1); k++) {
        bool drain = k % 2, there = k % 4 > 1;       /* frames that only the GPU has seen */
        ring *t = line_of(k / 4, 4, SF_OVERFLOW_BLOCK);
        sf_flow *f = bridge_from(t, 1000, (int32_t)k % 2, there ? SF_MEMORY_DEVICE : SF_MEMORY_PINNED);
        sf_resident_info i;
        memset(&logged, 0, sizeof logged);
        gate(t, 20);
        launch(t->r);
        CHECK_OK(sf_flow_start(f));
        wait_until(&t->note[0].entered, 21);
        while (info_of(t->r).queued < 4) { usleep(100); }
        CHECK_IS(sf_resident_tear_down(t->r, drain, 0), SF_TIMEOUT);
        CHECK_IS(sf_flow_wait(f, SF_MS(2)), SF_TIMEOUT);  /* how it ends is not known yet */
        gate(t, UINT32_MAX);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_OK(sf_resident_wait(t->r, GUARD));
        i = info_of(t->r);
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        CHECK_EQUAL(show.shown, i.completed);
        CHECK_EQUAL(show.last, i.completed);
        CHECK_EQUAL(i.completed, drain ? 24 : 21);
        counts_are(t, 24, i.completed, drain ? 0 : 3, 0);
        CHECK_IS(sf_flow_failure(f)->result, SF_OK);
        CHECK_IS(sf_resident_failure(t->r)->result, SF_OK);
        CHECK_EQUAL(logged_at(1), 0);
        if (there) { CHECK_OK(sf_mem_free(device, show.frames_there)); }
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
/* A camera that has nothing more to send does not keep the flow waiting for a loop that is gone. */
static sf_result silent(sf_context *ctx) { return (void)ctx, SF_OK; }
static void stopped_under_a_silent_camera(void **state)
{
    ring *t = RING(LINE, 2);
    sf_op_desc feed = sf_resident_feeder(t->r, t->first), read = sf_resident_reader(t->r, t->last);
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
    sf_op feeder, reader, cam, shown;
    (void)state;
    memset(&show, 0, sizeof show);
    show.t = t;
    feeder = sf_flow_add(f, &feed);
    reader = sf_flow_add(f, &read);
    cam = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = silent,
                                   .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_WAIT } },
                                   .out = { { .name = "frame", .bytes = frame_bytes(), .memory = SF_MEMORY_PINNED } } });
    shown = sf_flow_add(f, &(sf_op_desc){ .name = "display", .compute = display, .in = { { .name = "frame" } } });
    CHECK_OK(sf_flow_connect(f, cam, "frame", feeder, "in", NULL));
    CHECK_OK(sf_flow_connect(f, reader, "out", shown, "frame", NULL));
    launch(t->r);
    CHECK_OK(sf_flow_start(f));
    CHECK_IS(sf_flow_wait(f, SF_MS(5)), SF_TIMEOUT);
    CHECK_OK(sf_resident_tear_down(t->r, true, GUARD));
    CHECK_OK(sf_flow_wait(f, GUARD));
    finish_bridge(t, f, SF_OK, SF_OK);
}
static void a_flow_over_a_loop_that_had_ended(void **state)  /* is told to launch it */
{
    ring *t = RING(LINE, 2);
    sf_flow *f = bridge_of(t, 20, 0);
    (void)state;
    launch(t->r);
    stop(t->r);
    run_bridge(f, SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(sf_flow_failure(f)->text, "stage0 feeder") && strstr(sf_flow_failure(f)->text, "launch"));
    launch(t->r);
    show.last = show.shown = 0;
    run_bridge(f, SF_OK);
    all_were_shown(t, 20);
    finish_bridge(t, f, SF_ERROR_ILLEGAL_STATE, SF_OK);
}
static void a_flow_waits_for_the_launch(void **state)        /* and a warning says so, once in each run */
{
    ring *t = RING(LINE, 2);
    sf_flow *f = bridge_of(t, 20, 1);
    (void)state;
    memset(&logged, 0, sizeof logged);
    CHECK_OK(sf_flow_start(f));
    CHECK_IS(sf_flow_wait(f, SF_MS(20)), SF_TIMEOUT);
    CHECK_LOGGED(2, "resident: stage", "sf_resident_launch()", NULL);
    CHECK_EQUAL(logged_at(2), 1);
    launch(t->r);
    CHECK_OK(sf_flow_wait(f, GUARD));
    all_were_shown(t, 20);
    show.last = show.shown = 0;
    run_bridge(f, SF_OK);
    CHECK_EQUAL(logged_at(2), 1);
    finish_bridge(t, f, SF_OK, SF_OK);
}
static void what_a_stopped_run_left(void **state)            /* is not what the next one asked for */
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_flow *f = bridge_of(t, 100, (int32_t)loop % 2);
        uint64_t before;
        gate(t, 20);
        launch(t->r);
        CHECK_OK(sf_flow_start(f));
        wait_until(&t->note[0].entered, 21);
        while (info_of(t->r).queued < 4) { usleep(100); }
        CHECK_OK(sf_flow_stop(f));
        CHECK_IS(sf_flow_wait(f, GUARD), SF_OK);
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        before = info_of(t->r).submitted;
        CHECK_EQUAL(before, 24);
        show.last = show.shown = 0;
        CHECK_OK(sf_flow_start(f));
        gate(t, UINT32_MAX);
        CHECK_OK(sf_flow_wait(f, GUARD));
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        CHECK_EQUAL(show.shown, 100);
        counts_are(t, before + 100, before + 100, 0, 0);
        stop(t->r);
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
/* ... and if the loop is launched again while they are discarded, that is no failure. */
static void launched_again_as_results_go(void **state)
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        sf_flow *f = bridge_of(t, 30, (int32_t)loop % 2);
        gate(t, 20);
        launch(t->r);
        CHECK_OK(sf_flow_start(f));
        wait_until(&t->note[0].entered, 21);
        while (info_of(t->r).queued < 4) { usleep(100); }
        CHECK_OK(sf_flow_stop(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        gate(t, UINT32_MAX);
        steps.discards = t->r;
        show.last = show.shown = 0;
        run_bridge(f, SF_OK);                /* that launch was not for this run */
        CHECK(!steps.discards);
        CHECK_EQUAL(show.shown, 0);
        run_bridge(f, SF_OK);
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        CHECK_EQUAL(show.shown, 30);
        stop(t->r);
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
static sf_result count_shown(sf_context *ctx)
{
    (void)sf_receive(ctx, 0);
    test_add(&show.shown, 1);
    if (sf_get_timestamp(ctx, 0) != -1) { show.wrong++; }    /* of which frame it would be nobody knows */
    return SF_OK;
}
static void bridged_from_any_source(void **state)    /* to the last result, however late that is told */
{
    (void)state;
    for (uint32_t loop = 0; loop < LOOPS - 1; loop++) {
        ring *t = RING_WITH(JOIN, 3, .loop = loop_kinds[loop], .any_source = true);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .metadata_entries = 4,
                                                     .workers = { { .count = 1 } } });
        sf_op_desc feed[2] = { sf_resident_feeder(t->r, t->first), sf_resident_feeder(t->r, t->second) };
        sf_op_desc read = sf_resident_reader(t->r, t->last);
        sf_op reader, shown;
        memset(&show, 0, sizeof show);
        show.t = t;
        reader = sf_flow_add(f, &read);
        shown = sf_flow_add(f, &(sf_op_desc){ .name = "display", .compute = count_shown,
                                              .in = { { .name = "frame" } } });
        CHECK_OK(sf_flow_connect(f, reader, "out", shown, "frame", NULL));
        for (uint32_t i = 0; i < 2; i++) {
            sf_op cam = sf_flow_add(f, &(sf_op_desc){
                .name = i ? "right camera" : "left camera", .compute = camera, .user = &camera_ids[i],
                .count = 7 + 5 * i,
                .out = { { .name = "frame", .bytes = frame_bytes(), .memory = (uint8_t)SF_MEMORY_PINNED } },
            });
            CHECK_OK(sf_flow_connect(f, cam, "frame", sf_flow_add(f, &feed[i]), "in", NULL));
        }
        launch(t->r);
        test_store(&steps.naps, 4);
        for (uint32_t turn = 0; turn < 10; turn++) {
            run_bridge(f, SF_OK);
            CHECK_EQUAL(test_load(&show.shown), info_of(t->r).completed);
            CHECK_EQUAL(info_of(t->r).queued, 0);
        }
        test_store(&steps.naps, 0);
        CHECK_EQUAL(show.wrong, 0);
        stop(t->r);
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
/* -- two cameras, two feeders, a loop that joins their frames, one reader -- */

static struct { uint32_t run, count[2], sent[2], shown, wrong; bool waits; } two;
static sf_result two_camera(sf_context *ctx)
{
    const int i = *(const int *)ctx->user;
    uint32_t k = (uint32_t)ctx->run + 1;
    sf_tensor *t;
    if (k > two.count[i]) { return two.waits ? (usleep(500), SF_OK) : SF_DONE; }         /* has more, some time */
    t = sf_tensor_create(ctx, 0, NULL);
    *(uint32_t *)t->data = 1000 * two.run + k;
    test_store(&two.sent[i], k);
    return sf_emit(ctx, 0, t);
}
static sf_result two_joined(sf_context *ctx)
{
    sf_tensor *a = sf_receive(ctx, 0), *b = sf_receive(ctx, 1), *t = sf_tensor_create(ctx, 0, NULL);
    sf_result r = sf_memcpy_async(sf_compute_stream(ctx), t->data, a->data, 4);
    if (r >= 0) { r = sf_memcpy_async(sf_compute_stream(ctx), (char *)t->data + 4, b->data, 4); }
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
static sf_result two_shown(sf_context *ctx)
{
    const uint32_t *pair = (const uint32_t *)sf_receive(ctx, 0)->data;
    if (pair[0] != pair[1] || pair[0] / 1000 != two.run) { two.wrong++; }
    two.shown++;
    return SF_OK;
}
static sf_result hands_on(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    return t ? sf_emit(ctx, 0, t) : SF_OK;
}
static sf_op op_that_hands_on(sf_resident *r)        /* from a ring to a ring */
{
    return sf_resident_add(r, &(sf_op_desc){ .name = "op", .compute = hands_on,
                                             .in = { { .name = "in", .bytes = 4, .external = true } },
                                             .out = { { .name = "out", .bytes = 4, .external = true } } });
}
static sf_result hands_nothing_on(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static sf_flow *two_cameras(sf_resident *r)
{
    static const int ids[2] = { 0, 1 };
    static const char *const names[2] = { "left", "right" };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
    sf_op joined, reader, shown;
    sf_op_desc d;
    CHECK(f != NULL);
    joined = sf_resident_add(r, &(sf_op_desc){ .name = "joined", .compute = two_joined,
                                               .in = { { .name = "left" }, { .name = "right" } },
                                               .out = { { .name = "out", .bytes = 8, .external = true } } });
    d = sf_resident_reader(r, joined);
    reader = sf_flow_add(f, &d);
    shown = sf_flow_add(f, &(sf_op_desc){ .name = "shown", .compute = two_shown, .in = { { .name = "in" } } });
    CHECK_OK(sf_flow_connect(f, reader, "out", shown, "in", NULL));
    for (int i = 0; i < 2; i++) {
        sf_op feeder, cam, source = sf_resident_add(r, &(sf_op_desc){
            .name = names[i], .compute = hands_on, .in = { { .name = "in", .bytes = 4, .external = true } },
            .out = { { .name = "out", .bytes = 4 } } });
        CHECK_OK(sf_resident_connect(r, source, "out", joined, names[i], NULL));
        d = sf_resident_feeder(r, source);
        feeder = sf_flow_add(f, &d);
        cam = sf_flow_add(f, &(sf_op_desc){ .name = i ? "camera 1" : "camera 0", .compute = two_camera,
                                       .user = (void *)(uintptr_t)&ids[i],
                                       .out = { { .name = "out", .bytes = 4, .memory = SF_MEMORY_PINNED } } });
        CHECK_OK(sf_flow_connect(f, cam, "out", feeder, "in", NULL));
    }
    return f;
}
/* Described before an initialize hook of the loop has set its size. */
static sf_result four_bytes(sf_context *ctx) { return sf_set_port_bytes(ctx, "out", 4); }
static sf_result emit_frame(sf_context *ctx, uint32_t n)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    if (t) { memcpy(t->data, &n, sizeof n); }
    return sf_emit(ctx, 0, t);
}
static uint32_t number_of_frame(const sf_tensor *t)          /* 0: none */
{
    uint32_t n = 0;
    if (t && t->bytes == 4) { memcpy(&n, t->data, sizeof n); }
    return n;
}
static sf_result next_frame(sf_context *ctx) { return emit_frame(ctx, (uint32_t)ctx->run + 1); }
static sf_result five_frames(sf_context *ctx)
{
    sf_result r = next_frame(ctx);
    return ctx->run < 4 ? r : SF_DONE;
}
static sf_result sums_frames(sf_context *ctx)
{
    *(uint32_t *)ctx->user += number_of_frame(sf_receive(ctx, 0));
    return SF_OK;
}
static void read_by_a_size_set_later(void **state)
{
    (void)state;
    for (int built = 0; built < 2; built++) {
        uint32_t sum = 0;
        sf_resident *r = RESIDENT(.name = "later");
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device });
        sf_op op = sf_resident_add(r, &(sf_op_desc){ .name = "op", .compute = hands_on, .initialize = four_bytes,
                                                     .in = { { .name = "in", .bytes = 4, .external = true } },
                                                     .out = { { .name = "out", .external = true } } });
        sf_op_desc feed = sf_resident_feeder(r, op), read = sf_resident_reader(r, op);
        sf_op camera = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = five_frames,
                                                     .out = { { .name = "out", .bytes = 4,
                                                .memory = SF_MEMORY_PINNED } } });
        sf_op show = sf_flow_add(f, &(sf_op_desc){ .name = "show", .compute = sums_frames, .user = &sum,
                                              .in = { { .name = "in" } } });
        CHECK_OK(sf_flow_connect(f, camera, NULL, sf_flow_add(f, &feed), NULL, NULL));
        CHECK_OK(sf_flow_connect(f, sf_flow_add(f, &read), NULL, show, NULL, NULL));
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        if (built) { launch(r); }
        CHECK_IS(sf_flow_start(f), built ? SF_OK : SF_ERROR_ILLEGAL_STATE);
        if (built) { CHECK_OK(sf_flow_wait(f, GUARD)); }
        CHECK_EQUAL(sum, built ? 1 + 2 + 3 + 4 + 5 : 0);
        if (!built) { CHECK(strstr(sf_flow_failure(f)->text, "op reader") && strstr(sf_flow_failure(f)->text, "sf_resident_build()")); }
        CHECK_IS(sf_flow_destroy(f), built ? SF_OK : SF_ERROR_ILLEGAL_STATE);
        destroy(r);
    }
}
/* Whoever needs no more ends; the others get all that there is, and a camera without end ends with the last of them. */
typedef struct { uint64_t until; uint32_t got, wrong; } viewer;
static sf_result looks_until(sf_context *ctx)
{
    viewer *v = (viewer *)ctx->user;
    v->wrong += number_of_frame(sf_receive(ctx, 0)) != v->got + 1;
    return ++v->got == v->until ? SF_DONE : SF_OK;
}
/* One op of the loop, two views: returns the feeder; views[k] are added to the flow. */
static sf_op two_views(sf_resident *r, sf_flow *f, sf_op cam, viewer *views, sf_op *added, bool gated)
{
    static const char *const names[] = { "left", "right" };
    sf_op in = sf_resident_add(r, &(sf_op_desc){ .name = "in", .compute = hands_on,
                                                 .in = { { .name = "in", .bytes = 4, .external = true } },
                                                 .out = { { .name = "out", .bytes = 4 } } }), feeder;
    sf_op_desc d = sf_resident_feeder(r, in);
    feeder = sf_flow_add(f, &d);
    CHECK_OK(sf_flow_connect(f, cam, NULL, feeder, NULL, NULL));
    for (int k = 0; k < 2; k++) {
        sf_op_desc view = { .name = k ? "right view" : "left view", .compute = looks_until, .user = &views[k],
                            .in = { { .name = "in" } } };
        sf_op sink = sf_resident_add(r, &(sf_op_desc){ .name = names[k], .compute = hands_on,
                                                       .in = { { .name = "in", .bytes = 4 } },
                                                       .out = { { .name = "out", .bytes = 4, .external = true } } });
        CHECK_OK(sf_resident_connect(r, in, "out", sink, "in", NULL));
        d = sf_resident_reader(r, sink);
        if (gated && !k) { view.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .latch = true }; }
        added[k] = sf_flow_add(f, &view);
        CHECK_OK(sf_flow_connect(f, sf_flow_add(f, &d), NULL, added[k], NULL, NULL));
    }
    return feeder;
}
/* No feeder is left that looks when one of two readers ends: the other one does. */
static void read_on_behind_the_feeder(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers += 3) {
        viewer views[2] = { { .until = 1 }, { .until = 1000 } };
        sf_resident *r = RESIDENT(.name = "two views");
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_op cam = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = next_frame, .count = 8,
                                             .out = { { .name = "out", .bytes = 4, .memory = SF_MEMORY_PINNED } } });
        sf_op added[2], feeder = two_views(r, f, cam, views, added, true);
        launch(r);
        CHECK_OK(sf_flow_start(f));
        while (info_of(r).submitted < 8) { usleep(100); }
        CHECK_OK(sf_op_stop(f, feeder));
        for (sf_op_info info = { .state = SF_OP_NEW }; info.state < SF_OP_STOPPED; usleep(100)) {
            CHECK_OK(sf_op_get_info(f, feeder, &info));
        }
        CHECK_OK(sf_flow_signal(f, added[0], 0, SF_READY));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK(views[0].got == 1 && views[1].got == 8 && !views[0].wrong && !views[1].wrong);
        CHECK_OK(sf_flow_destroy(f));
        CHECK_OK(sf_resident_tear_down(r, false, GUARD));
        destroy(r);
    }
}
static void read_by_some_who_end(void **state)
{
    static const struct { uint64_t frames, until[2]; sf_overflow overflow; } rows[] = {
        { 0, { 3, 3 }, SF_OVERFLOW_BLOCK }, { 0, { 3, 40 }, SF_OVERFLOW_BLOCK }, { 0, { 40, 3 }, SF_OVERFLOW_BLOCK },
        { 30, { 3, 1000 }, SF_OVERFLOW_BLOCK }, { 30, { 1000, 3 }, SF_OVERFLOW_BLOCK },
        { 5, { 1000, 1 }, SF_OVERFLOW_BLOCK }, { 0, { 3, 3 }, SF_OVERFLOW_LATEST }, { 0, { 1, 9 }, SF_OVERFLOW_DROP_NEWEST },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows) * 2; i++) {
        const sf_overflow overflow = rows[i / 2].overflow;
        viewer views[2] = { { .until = rows[i / 2].until[0] }, { .until = rows[i / 2].until[1] } };
        sf_resident *r = RESIDENT(.name = "two views", .overflow = overflow);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = i & 1 ? 3 : 0 } } });
        sf_op cam = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = next_frame,
                                                  .count = rows[i / 2].frames,
                                             .out = { { .name = "out", .bytes = 4, .memory = SF_MEMORY_PINNED } } });
        sf_op added[2];
        (void)two_views(r, f, cam, views, added, false);
        launch(r);
        for (int again = 0; again < 2; again++) {            /* a second run begins with both */
            uint64_t most = rows[i / 2].frames;
            for (int k = 0; k < 2; k++) { views[k].got = views[k].wrong = 0; }
            CHECK_OK(sf_flow_start(f));
            CHECK_OK(sf_flow_wait(f, GUARD));
            for (int k = 0; k < 2; k++) {
                uint64_t want = views[k].until;
                CHECK_EQUAL(views[k].got, most && most < want ? most : want);
                CHECK(!views[k].wrong || overflow != SF_OVERFLOW_BLOCK);
            }
        }
        CHECK_OK(sf_flow_destroy(f));
        CHECK_OK(sf_resident_tear_down(r, false, GUARD));
        destroy(r);
    }
}
/* Nothing comes any more to wake the feeder: that the last reader has ended does. */
static sf_result forwards_one(sf_context *ctx) { return emit_frame(ctx, (uint32_t)sf_receive_value(ctx, 0).u64); }
static void fed_by_a_source_that_pauses(void **state)
{
    (void)state;
    for (int workers = 0; workers < 4; workers++) {
        viewer view = { .until = 3 };
        sf_resident *r = RESIDENT(.name = "pauses");
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = workers } } });
        sf_op op = op_that_hands_on(r), feeder, pushed;
        sf_op_desc d = sf_resident_feeder(r, op);
        feeder = sf_flow_add(f, &d);
        pushed = sf_flow_add(f, &(sf_op_desc){ .name = "pushed", .compute = forwards_one,
                                          .in = { { .name = "in", .external = true, .capacity = 4 } },
                                          .out = { { .name = "out", .bytes = 4, .memory = SF_MEMORY_PINNED } } });
        CHECK_OK(sf_flow_connect(f, pushed, NULL, feeder, NULL, NULL));
        d = sf_resident_reader(r, op);
        CHECK_OK(sf_flow_connect(f, sf_flow_add(f, &d), NULL,
                            sf_flow_add(f, &(sf_op_desc){ .name = "view", .compute = looks_until, .user = &view,
                                                     .in = { { .name = "in" } } }), NULL, NULL));
        launch(r);
        CHECK_OK(sf_flow_start(f));
        for (uint64_t i = 1; i <= 3; i++) {
            sf_value v = { .u64 = i };
            CHECK_OK(sf_flow_push_value(f, pushed, 0, v));
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK(view.got == 3 && !view.wrong);
        CHECK_OK(sf_flow_destroy(f));
        CHECK_OK(sf_resident_tear_down(r, false, GUARD));
        destroy(r);
    }
}
static void two_begin(uint32_t run, uint32_t first, uint32_t second)
{
    two.run = run, two.shown = two.wrong = 0;
    two.count[0] = first, two.count[1] = second;
    test_store(&two.sent[0], 0);
    test_store(&two.sent[1], 0);
}
/* One sends more frames than the other: those that have no partner are shown by nobody, and the flow ends. */
static void bridged_from_unequal_cameras(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 3; more++) {
        for (uint32_t many = 1; many <= 16; many *= 16) {    /* one too many; more than the ring has room for */
            sf_resident *r = RESIDENT(.name = "two");
            sf_flow *f = two_cameras(r);
            launch(r);
            two_begin(1, 20 + (more == 0) * many, 20 + (more == 1) * many);
            CHECK_OK(sf_flow_start(f));
            CHECK_OK(sf_flow_wait(f, GUARD));
            CHECK_EQUAL(two.shown, 20);
            CHECK_EQUAL(two.wrong, 0);
            CHECK_OK(sf_flow_destroy(f));
            destroy(r);
        }
    }
}
/* A run is stopped when one source is ahead: the frames of the next run come in pairs all the same. */
static void pairs_behind_a_stopped_run(void **state)
{
    (void)state;
    for (uint32_t ahead = 0; ahead < 2; ahead++) {
        sf_resident *r = RESIDENT(.name = "two");
        sf_flow *f = two_cameras(r);
        launch(r);
        two_begin(1, 2 + !ahead, 2 + ahead);
        two.waits = true;
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < 2; i++) {
            while (test_load(&two.sent[i]) < two.count[i]) { usleep(1000); }
        }
        usleep(50000);                       /* and with the loop */
        CHECK_OK(sf_flow_stop(f));
        CHECK(sf_flow_wait(f, GUARD) >= 0);
        two_begin(2, 10, 10);
        two.waits = false;
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(two.shown, 10);
        CHECK_EQUAL(two.wrong, 0);
        CHECK_OK(sf_flow_destroy(f));
        destroy(r);
    }
}
/* Torn down under a flow, and launched again before both of its operators have seen that: they end all the same. */
static sf_result quick_camera(sf_context *ctx) { return usleep(80), sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static sf_result nobody_s(sf_context *ctx) { return (void)sf_receive(ctx, 0), SF_OK; }
static void launched_again_under_a_flow(void **state)
{
    uint32_t tries = on_cuda() ? 20 : 20 + test_seeds() / 2;
    (void)state;
    for (uint32_t i = 0; i < tries; i++) {
        sf_resident *r = RESIDENT(.name = "again", .slots = 1);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = 2 } } });
        sf_op op = op_that_hands_on(r);
        sf_op_desc read = sf_resident_reader(r, op), feed = sf_resident_feeder(r, op);
        sf_op reader = sf_flow_add(f, &read), feeder = sf_flow_add(f, &feed);
        sf_op shown = sf_flow_add(f, &(sf_op_desc){ .name = "shown", .compute = nobody_s,
                                                    .in = { { .name = "in" } } });
        sf_op cam = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = quick_camera, .count = 60,
                                             .out = { { .name = "out", .bytes = 4, .memory = SF_MEMORY_PINNED } } });
        CHECK_OK(sf_flow_connect(f, reader, "out", shown, "in", NULL));
        CHECK_OK(sf_flow_connect(f, cam, "out", feeder, "in", NULL));
        launch(r);
        CHECK_OK(sf_flow_start(f));
        usleep(i * 37 % 3000);
        CHECK_OK(sf_resident_tear_down(r, true, GUARD));
        CHECK_OK(sf_resident_launch(r));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_OK(sf_flow_destroy(f));
        CHECK_OK(sf_resident_tear_down(r, false, GUARD));
        destroy(r);
    }
}
/* ... while frames that only the GPU has seen are on their way: they are nobody's, and no slot is lent to which one
   may still be copied. */
static void launched_again_beside_a_copy(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * LOOPS; k++) {
        ring *t = line_of(k / 2, 4, k % 2 ? SF_OVERFLOW_ERROR : SF_OVERFLOW_BLOCK);
        sf_flow *f = bridge_from(t, k % 2 ? 4 : 50, (int32_t)k % 2, SF_MEMORY_DEVICE);
        sf_resident_slot slot;
        test_store(&steps.held, 1);
        launch(t->r);
        CHECK_OK(sf_flow_start(f));
        while (!test_resident_feeder_rings(t->r, t->first, 2)) { usleep(100); }
        CHECK_OK(sf_resident_tear_down(t->r, false, GUARD));
        launch(t->r);
        CHECK_IS(sf_resident_acquire(t->r, t->first, 0, &slot), SF_BUSY);
        if (k % 2 == 0) { CHECK_IS(sf_resident_acquire(t->r, t->first, SF_MS(1), &slot), SF_TIMEOUT); }
        test_store(&steps.held, 0);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(show.shown, 0);
        show.lost = info_of(t->r).dropped;
        CHECK(show.lost >= 2);
        counts_are(t, show.lost, 0, show.lost, 0);           /* all that the feeder took */
        run_bridge(f, SF_OK);
        all_were_shown(t, show.frames);
        stop(t->r);
        CHECK_OK(sf_mem_free(device, show.frames_there));
        finish_bridge(t, f, SF_OK, SF_OK);
    }
}
static void bridged_in_every_order(void **state)
{
    static const sf_order orders[] = {
        SF_ORDER_FIRST_IN, SF_ORDER_LAZY, SF_ORDER_REVERSE, SF_ORDER_RANDOM, SF_ORDER_PCT
    };
    (void)state;
    if (on_cuda()) { return; }
    CHECK_OK(sf_device_close(device, GUARD));
    for (size_t k = 0; k < COUNT(orders) * 4; k++) {
        ring *t;
        sf_flow *f;
        device = test_open_order(orders[k % COUNT(orders)], k);
        board_make();
        t = line_of((uint32_t)k % LOOPS, 4, SF_OVERFLOW_BLOCK);
        f = bridge_of(t, 50, 0);
        launch(t->r);
        run_bridge(f, SF_OK);
        all_were_shown(t, 50);
        finish_bridge(t, f, SF_OK, SF_OK);
        board = NULL;
        CHECK_OK(sf_device_close(device, GUARD));
    }
    device = test_open();
}
static void bridges_have_the_ports(void **state)
{
    ring *t = RING(LINE, 2);
    sf_op_desc feeder = sf_resident_feeder(t->r, t->first), reader = sf_resident_reader(t->r, t->last);
    sf_flow *f;
    (void)state;
    CHECK(feeder.compute && reader.compute);
    CHECK(feeder.in[0].name && !strcmp(feeder.in[0].name, "in") && !feeder.in[1].name && !feeder.out[0].name);
    CHECK(reader.out[0].name && !strcmp(reader.out[0].name, "out") && !reader.out[1].name && !reader.in[0].name);
    CHECK(feeder.in[0].bytes == frame_bytes() || feeder.in[0].bytes == 0);
    CHECK(reader.out[0].bytes == frame_bytes() || reader.out[0].bytes == 0);
    f = sf_flow_create(&(sf_flow_desc){ .device = device });
    feeder = sf_resident_feeder(NULL, t->first);             /* nothing crashes, and the run fails */
    (void)sf_flow_add(f, &feeder);
    reader = sf_resident_reader(t->r, (sf_op){ 0 });
    (void)sf_flow_add(f, &reader);
    CHECK(sf_flow_run(f) < 0);
    CHECK_IS(sf_flow_destroy(f), SF_ERROR_INVALID_VALUE);
    memset(&logged, 0, sizeof logged);
    feeder = sf_resident_feeder(t->r, t->last);              /* not fed by the host: told at once, and by the flow */
    CHECK_LOGGED(1, "stage1: ", "sf_resident_feeder", "external input");
    CHECK(failure_says(t, "sf_resident_feeder", "external input"));
    CHECK(feeder.name && !strcmp(feeder.name, "stage1"));
    f = sf_flow_create(&(sf_flow_desc){ .device = device });
    (void)sf_flow_add(f, &feeder);
    CHECK(sf_flow_run(f) < 0);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_resident_feeder(): ") && strstr(sf_flow_failure(f)->text, "stage1"));
    finish_bridge(t, f, SF_ERROR_INVALID_VALUE, SF_OK);
}
/* All in one flow, each once: what would hang or mix up frames is refused when the flow starts. */
static void add_feeder(sf_flow *f, ring *t, const char *name, const char *cam)
{
    sf_op_desc feed = sf_resident_feeder(t->r, t->first);
    sf_op from = sf_flow_add(f, &(sf_op_desc){ .name = cam, .compute = camera, .user = &camera_ids[0], .count = 20,
                                          .out = { { .name = "frame", .bytes = frame_bytes(),
                                                     .memory = (uint8_t)SF_MEMORY_PINNED } } });
    if (name) { feed.name = name; }
    CHECK_OK(sf_flow_connect(f, from, "frame", sf_flow_add(f, &feed), "in", NULL));
}
static void add_reader(sf_flow *f, ring *t, const char *name, const char *screen)
{
    sf_op_desc read = sf_resident_reader(t->r, t->last);
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .name = screen, .compute = display, .in = { { .name = "frame" } } });
    if (name) { read.name = name; }
    CHECK_OK(sf_flow_connect(f, sf_flow_add(f, &read), "out", to, "frame", NULL));
}
static void start_refused(sf_flow *f, sf_result want, const char *op, const char *why)
{
    const char *text;
    sf_result r = sf_flow_start(f);
    if (r >= 0) { r = sf_flow_wait(f, SF_MS(200)); }
    CHECK_IS(r, want);
    text = sf_flow_failure(f)->text;
    if (!strstr(text, op) || !strstr(text, why)) { fail_msg("no \"%s\", \"%s\" in: %s", op, why, text); }
    CHECK_IS(sf_flow_destroy(f), want);
}
static void bridges_in_one_flow(void **state)
{
    ring *t = RING(LINE, 2);
    sf_flow *f[2];
    (void)state;
    memset(&show, 0, sizeof show);
    show.t = t, show.frames = 20, show.sources = 1;
    launch(t->r);
    for (int i = 0; i < 4; i++) {            /* a feeder runs, or a reader; the other one's flow; twice in one */
        for (int k = 0; k < 2; k++) { f[k] = sf_flow_create(&(sf_flow_desc){ .device = device,
                                                                             .metadata_entries = 4 }); }
        if (i != 1) { add_feeder(f[0], t, NULL, "camera"); }
        if (i > 0) { add_reader(f[0], t, NULL, "display"); }
        if (i == 0) { add_reader(f[1], t, NULL, "display"); }
        if (i == 1) { add_feeder(f[1], t, NULL, "camera"); }
        if (i == 2) { add_feeder(f[0], t, "second", "second camera"); }
        if (i == 3) { add_reader(f[0], t, "second", "second display"); }
        if (i < 2) {
            CHECK_OK(sf_flow_start(f[0]));
            start_refused(f[1], SF_ERROR_ILLEGAL_STATE, i ? "stage0 feeder" : "stage1 reader",
                          i ? "'stage1 reader' is in another flow" : "'stage0 feeder' is in another flow");
            CHECK_OK(sf_flow_stop(f[0]));
            CHECK_OK(sf_flow_wait(f[0], GUARD));
            CHECK_OK(sf_flow_destroy(f[0]));
        } else {
            start_refused(f[0], SF_ERROR_CONNECTED_TWICE, "\"second\"",
                          i == 2 ? "'stage0 feeder'" : "'stage1 reader'");
            CHECK_OK(sf_flow_destroy(f[1]));
        }
        CHECK_OK(sf_resident_tear_down(t->r, false, GUARD));         /* without a reader there is no drain */
        launch(t->r);
    }
    for (int i = 0; i < 2; i++) {            /* as it should be, in one flow after the other */
        sf_flow *g = bridge_of(t, 20, i);
        run_bridge(g, SF_OK);
        if (show.wrong) { fail_msg("%u are wrong: %s", show.wrong, show.why); }
        CHECK_EQUAL(show.shown, 20);
        CHECK_OK(sf_flow_destroy(g));
    }
    stop(t->r);
    end(t);
}

/* -- what the host looks at -- */

/* A handler that marks every n-th time it asks is alive, whoever looks how often. */
typedef struct now_and_then_args { sf_resident_control *control; uint32_t *turn; uint32_t every; } now_and_then_args;
static int now_and_then_host(const sf_slice *slice, const void *args)
{
    const now_and_then_args *a = (const now_and_then_args *)args;
    (void)slice;
    if (++*a->turn % a->every == 0) { sf_resident_mark_data_ready(a->control); }
    return 0;
}
static const sf_kernel now_and_then_kernel = { .name = "now and then", .host = now_and_then_host };
static sf_result asks_now_and_then(sf_context *ctx)
{
    return sf_launch(sf_compute_stream(ctx), &now_and_then_kernel, ctx->user, sizeof(now_and_then_args));
}
static void a_loop_that_lives_has_not_stalled(void **state)
{
    uint32_t turn = 0;
    now_and_then_args a = { .turn = &turn, .every = 15 };    /* with its own: sixteen beats an iteration */
    sf_resident *r;
    sf_op h;
    (void)state;
    if (on_cuda()) { return; }               /* a kernel of the host's; the watch is the host's, too */
    r = RESIDENT(.name = "now and then", .stall_timeout = SF_MS(300));
    a.control = sf_resident_get_control(r);
    h = sf_resident_add(r, &(sf_op_desc){ .name = "ask", .compute = asks_now_and_then, .user = &a });
    CHECK_OK(sf_resident_register_data_ready_handler(r, h));
    launch(r);
    for (int i = 0; i < 12; i++) {
        CHECK_EQUAL(info_of(r).state, SF_RESIDENT_RUNNING);
        usleep(310000);
    }
    CHECK_OK(sf_resident_tear_down(r, false, GUARD));
    destroy(r);
}
/* In a report as in a failure a name is a name, whatever is in it, and the reason stays. */
static void odd_names(void **state)
{
    static char longest[600];
    sf_resident *r = RESIDENT(.name = "odd", .measure_operators = true);
    char *text;
    sf_op op;
    (void)state;
    memset(longest, 'n', sizeof longest - 1);
    op = sf_resident_add(r, &(sf_op_desc){ .name = "a,\"b\"\\", .compute = hands_nothing_on,
                                           .out = { { .name = "out", .bytes = 4 } } });
    CHECK(op.id != 0);
    launch(r);
    CHECK_OK(sf_resident_data_ready(r, NULL));
    while (sf_resident_result_ready(r, 1) == SF_NOT_READY) { usleep(100); }
    CHECK_OK(sf_resident_tear_down(r, true, GUARD));
    text = report_of(r, SF_RESIDENT_REPORT_CSV);
    CHECK(strstr(text, "\n\"a,\"\"b\"\"\\\",1,"));
    free(text);
    destroy(r);
    r = RESIDENT(.name = longest);
    (void)sf_resident_add(r, &(sf_op_desc){ .name = longest });
    CHECK(sf_resident_build(r) < 0);
    CHECK(strstr(sf_resident_failure(r)->text, "nnn...: sf_resident_build: .compute: there is none"));
    destroy_is(r, sf_resident_failure(r)->result);
}
/* The loop counts its beats in 32 bits; the info counts on. */
static void the_heart_beats_on(void **state)
{
    uint64_t last = 0;
    sf_resident *r;
    (void)state;
    if (on_cuda()) { return; }               /* where its words are not the host's to set */
    r = RESIDENT(.name = "beats");
    (void)sf_resident_add(r, &(sf_op_desc){ .name = "op", .compute = hands_nothing_on,
                                            .out = { { .name = "out", .bytes = 4 } } });
    launch(r);
    for (uint64_t i = 1; i <= 12; i++) {     /* the loop has begun, and waits, when its count is put on */
        if (i == 2 || i == 3) { test_resident_set_beat(r, i == 2 ? 0x90000000u : UINT32_MAX - 4); }
        CHECK_OK(sf_resident_data_ready(r, NULL));
        while (info_of(r).completed < i) { usleep(100); }
        usleep(2000);
        CHECK(info_of(r).heartbeat > last);
        last = info_of(r).heartbeat;
    }
    CHECK_OK(sf_resident_tear_down(r, true, GUARD));
    destroy(r);
}
/* Who is told of an end by the logger, and launches then and there, is told that it cannot be. */
static struct { sf_resident *r; sf_result said; uint32_t calls; } again;
static void launches_again(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                           const char *file, void *user)
{
    (void)tag, (void)level, (void)item, (void)line, (void)file, (void)user;
    if (strstr(message, "was ended") && !again.calls++) { again.said = sf_resident_launch(again.r); }
}
static sf_result raises_word(sf_context *ctx)
{
    raise_args a = { sf_resident_get_control(again.r), (const uint32_t *)ctx->user, 1, -4711 };
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    (void)sf_launch(sf_compute_stream(ctx), &raise_kernel, &a, sizeof a);
    return sf_emit(ctx, 0, t);
}
static void launched_by_the_logger(void **state)
{
    uint32_t *word = (uint32_t *)test_memory(device, 4);
    (void)state;
    memset(&again, 0, sizeof again);
    again.r = RESIDENT(.name = "again", .logger = { launches_again, NULL });
    (void)sf_resident_add(again.r, &(sf_op_desc){ .name = "op", .compute = raises_word, .user = word,
                                                  .out = { { .name = "out", .bytes = 4 } } });
    launch(again.r);
    test_store(word, 1);
    CHECK_OK(sf_resident_data_ready(again.r, NULL));
    CHECK_IS(sf_resident_wait(again.r, GUARD), (sf_result)-4711);
    CHECK_EQUAL(again.calls, 1);
    CHECK_IS(again.said, SF_ERROR_ILLEGAL_STATE);
    launch(again.r);                         /* afterwards it can */
    CHECK_OK(sf_resident_tear_down(again.r, false, GUARD));
    destroy_is(again.r, (sf_result)-4711);
    CHECK_OK(sf_mem_free(device, word));
}
/* Nothing was dropped: so no result is said to have been, however long ago it was released. */
static void released_long_ago(void **state)
{
    enum { RESULTS = 30 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        sf_resident *r = RESIDENT(.name = "long ago", .slots = 1u << k / 2,
                                  .overflow = k % 2 ? SF_OVERFLOW_DROP_NEWEST : SF_OVERFLOW_BLOCK);
        sf_op op = op_that_hands_on(r);
        sf_resident_slot s;
        launch(r);
        for (int i = 0; i < RESULTS; i++) {
            CHECK_OK(sf_resident_acquire(r, op, GUARD, &s));
            CHECK_OK(sf_resident_submit(r, &s));
            CHECK_OK(sf_resident_result(r, op, 0, GUARD, &s));
            CHECK_OK(sf_resident_release(r, &s));
        }
        for (uint64_t i = 1; i <= RESULTS; i++) {
            CHECK_IS(sf_resident_result(r, op, i, 0, &s), SF_ERROR_ILLEGAL_STATE);
            CHECK(strstr(sf_resident_failure(r)->text, "released"));
            CHECK_OK(sf_resident_result_ready(r, i));
        }
        CHECK_EQUAL(info_of(r).dropped, 0);
        stop(r);
        destroy(r);
    }
}
/* Who has a result knows that its request was read: the slot is free, though the loop has not said so yet. */
static void a_result_frees_its_slot(void **state)
{
    static const sf_overflow overflows[] = { SF_OVERFLOW_BLOCK, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_ERROR };
    (void)state;
    for (int k = 0; k < 3; k++) {
        sf_resident *r = RESIDENT(.name = "slot", .slots = 1, .overflow = overflows[k]);
        sf_op op = op_that_hands_on(r);
        sf_resident_slot s;
        sf_result lent, fed;
        launch(r);
        for (uint64_t i = 1; i <= 20; i += 2) {
            test_store(&steps.untold, 1);
            CHECK_OK(sf_resident_acquire(r, op, 0, &s));
            CHECK_OK(sf_resident_submit(r, &s));
            CHECK_OK(sf_resident_result(r, op, 0, GUARD, &s));
            CHECK_EQUAL(s.sequence, i);
            CHECK_OK(sf_resident_release(r, &s));
            lent = sf_resident_acquire(r, op, 0, &s);
            fed = sf_resident_submit(r, &s);
            test_store(&steps.untold, 0);
            CHECK_OK(lent);
            CHECK_OK(fed);
            CHECK_EQUAL(info_of(r).dropped, 0);
            CHECK_OK(sf_resident_result(r, op, 0, GUARD, &s));
            CHECK_EQUAL(s.sequence, i + 1);
            CHECK_OK(sf_resident_release(r, &s));
            while (test_resident_done(r) <= i) { usleep(100); }    /* the next one is held, not this */
        }
        stop(r);
        destroy(r);
    }
}
/* A look in the middle of an iteration's accounts: its count was read before its sum. */
static void means_of_a_moment(void **state)
{
    sf_resident *r;
    sf_latency l;
    (void)state;
    if (on_cuda()) { return; }               /* where its words are not the host's to set */
    r = RESIDENT(.name = "means");
    (void)sf_resident_add(r, &(sf_op_desc){ .name = "op", .compute = hands_nothing_on,
                                            .out = { { .name = "out", .bytes = 4 } } });
    build(r);
    for (uint64_t sum = 5; sum <= 45; sum += 20) {
        test_resident_set_histogram(r, 1, sum, 10, 30);
        CHECK_OK(sf_resident_get_latency(r, SF_RESIDENT_SPAN_TOTAL, &l));
        CHECK_EQUAL(l.mean, sum < 10 ? 10 : sum > 30 ? 30 : sum);
    }
    destroy(r);
}
/* Any thread may ask a host device's loop where it is. */
static void *asks_where(void *arg)
{
    job *j = (job *)arg;
    while (!test_load(&j->stop)) {
        uint64_t now = sf_resident_iteration(sf_resident_get_control(j->t->r));
        if (now < j->seen || now > j->last) { snprintf(j->why, sizeof j->why, "%llu after %llu",
                                                       (unsigned long long)now, (unsigned long long)j->seen); }
        j->seen = now;
    }
    return NULL;
}
static void asked_for_its_iteration(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (uint32_t loop = 0; loop < LOOPS; loop++) {
        ring *t = line_of(loop, 4, SF_OVERFLOW_BLOCK);
        job *j;
        launch(t->r);
        j = begin_job(0, asks_where, (job){ .t = t, .last = 200 });
        for (uint64_t k = 1; k <= 200; k += 4) {
            send_many(t, k, k + 3);
            receive_many(t, k, k + 3);
        }
        CHECK_EQUAL(sf_resident_iteration(sf_resident_get_control(t->r)), 200);
        test_store(&j->stop, 1);
        join(j);
        finish(t);
    }
}

int main(int argc, char **argv)
{
    library.resident_step = on_step;
    const struct CMUnitTest tests[] = {
        RING_TEST(frames_go_through),
        SMALL_TEST(frames_go_through),
        RING_TEST(frames_of_any_size),
        TEST(bytes_of_every_size),
        RING_TEST(numbers_wrap_around),
        RING_TEST(words_in_any_order),
        RING_TEST(with_every_setting),
        RING_TEST(exactly_once),
        SMALL_TEST(exactly_once),
        RING_TEST(from_two_threads),
        RING_TEST(with_naps_in_between),
        SMALL_TEST(with_naps_in_between),
        RING_TEST(submitted_while_it_runs),
        RING_TEST(a_million_triggers),
        RING_TEST(a_million_frames_are_one_launch),
        RING_TEST(triggered_from_the_gpu),
        RING_TEST(stopped_in_a_flood_of_marks),
        RING_TEST(triggers_that_are_stopped),
        RING_TEST(full_rings),
        SMALL_TEST(full_rings),
        RING_TEST(the_older_are_dropped),
        SMALL_TEST(the_older_are_dropped),
        RING_TEST(next_result_skips_the_dropped),
        SMALL_TEST(next_result_skips_the_dropped),
        RING_TEST(policies_under_load),
        RING_TEST(asked_while_frames_come),
        SMALL_TEST(asked_while_frames_come),
        RING_TEST(lent_slots),
        SMALL_TEST(lent_slots),
        RING_TEST(released_in_order),
        SMALL_TEST(released_in_order),
        RING_TEST(a_slow_reader_holds_up_the_loop),
        SMALL_TEST(a_slow_reader_holds_up_the_loop),
        RING_TEST(a_source_of_two_ports),
        SMALL_TEST(a_source_of_two_ports),
        RING_TEST(sinks_are_read_apart),
        SMALL_TEST(sinks_are_read_apart),
        RING_TEST(all_sources),
        SMALL_TEST(all_sources),
        RING_TEST(any_source_one_by_one),
        SMALL_TEST(any_source_one_by_one),
        RING_TEST(any_source_takes_one_of_each),
        RING_TEST(any_source_drops_the_newest),
        RING_TEST(any_source_from_threads),
        RING_TEST(stopped_with_work_queued),
        SMALL_TEST(stopped_with_work_queued),
        RING_TEST(stopped_behind_a_slow_reader),
        SMALL_TEST(stopped_behind_a_slow_reader),
        RING_TEST(an_abort_ends_a_drain),
        SMALL_TEST(an_abort_ends_a_drain),
        RING_TEST(stopped_in_every_way),
        RING_TEST(destroyed_while_it_runs),
        RING_TEST(whoever_waits_is_woken),
        RING_TEST(a_stop_is_no_failure),
        RING_TEST(before_the_launch_it_is_one),
        RING_TEST(waits_of_any_length),
        RING_TEST(stopped_at_any_moment),
        SMALL_TEST(stopped_at_any_moment),
        RING_TEST(relaunched_a_thousand_times),
        SMALL_TEST(relaunched_a_thousand_times),
        RING_TEST(results_stay_until_the_next_launch),
        RING_TEST(launched_beside_a_reader),
        SMALL_TEST(launched_beside_a_reader),
        RING_TEST(launched_beside_who_counts),
        RING_TEST(released_during_a_launch),
        RING_TEST(read_during_a_launch),
        RING_TEST(ends_after_its_time),
        RING_TEST(aborted_after_its_time),
        RING_TEST(an_earlier_stop_cuts_the_time_short),
        RING_TEST(raised_by_a_kernel),
        SMALL_TEST(raised_by_a_kernel),
        RING_TEST(raised_by_a_fused_operator),
        SMALL_TEST(raised_by_a_fused_operator),
        RING_TEST(raised_at_once),
        RING_TEST(the_first_code_stays),
        RING_TEST(raised_while_nothing_is_at_work),
        RING_TEST(stalled),
        RING_TEST(a_logger_that_asks_and_stops),
        RING_TEST(a_stall_outlives_the_resident),
        RING_TEST(waiting_is_no_stall),
        RING_TEST(looked_at_while_it_waits),
        RING_TEST(faulted),
        RING_TEST(reset_before_a_look),
        RING_TEST(a_trap_on_the_gpu),
        RING_TEST(every_call_in_every_state),
        RING_TEST(destroyed_in_every_state),
        RING_TEST(handles_that_are_none),
        RING_TEST(operators_that_are_none),
        RING_TEST(every_wait_has_a_deadline),
        RING_TEST(a_clock_that_is_behind),
        RING_TEST(it_tells),
        RING_TEST(where_it_is),
        RING_TEST(reports),
        RING_TEST(several_at_once),
        RING_TEST(beside_any_streams),
        RING_TEST(as_many_fused_ones),
        RING_TEST(from_several_pairs_of_threads),
        RING_TEST(with_a_device_of_its_own),
        RING_TEST(beside_other_work),
        RING_TEST(kernels_not_loaded_beside_a_loop),
        RING_TEST(interleavings),
        RING_TEST(in_every_order),
        RING_TEST(bridged),
        SMALL_TEST(bridged),
        RING_TEST(bridged_from_the_gpu),
        SMALL_TEST(bridged_from_the_gpu),
        RING_TEST(bridged_again),
        RING_TEST(bridged_with_much_metadata),
        RING_TEST(a_slow_display_holds_up_the_camera),
        RING_TEST(a_full_ring_holds_up_the_camera),
        RING_TEST(bridged_with_drops),
        RING_TEST(a_failure_fails_the_flow),
        RING_TEST(a_loop_that_failed_tells_its_feeder),
        RING_TEST(launched_again_as_a_failure_goes),
        RING_TEST(raised_in_the_last_iteration),
        RING_TEST(stopped_under_a_flow),
        RING_TEST(stopped_under_a_silent_camera),
        RING_TEST(a_flow_over_a_loop_that_had_ended),
        RING_TEST(a_flow_waits_for_the_launch),
        RING_TEST(what_a_stopped_run_left),
        RING_TEST(launched_again_as_results_go),
        RING_TEST(bridged_from_any_source),
        TEST(read_by_a_size_set_later),
        TEST(read_by_some_who_end),
        TEST(read_on_behind_the_feeder),
        TEST(fed_by_a_source_that_pauses),
        TEST(bridged_from_unequal_cameras),
        TEST(pairs_behind_a_stopped_run),
        TEST(launched_again_under_a_flow),
        RING_TEST(launched_again_beside_a_copy),
        RING_TEST(bridged_in_every_order),
        SMALL_TEST(bridged_in_every_order),
        RING_TEST(bridges_have_the_ports),
        RING_TEST(bridges_in_one_flow),
        TEST(a_loop_that_lives_has_not_stalled),
        TEST(odd_names),
        TEST(the_heart_beats_on),
        TEST(launched_by_the_logger),
        TEST(released_long_ago),
        TEST(a_result_frees_its_slot),
        TEST(means_of_a_moment),
        RING_TEST(asked_for_its_iteration),
    };
    if (argc > 1 && !strcmp(argv[1], "--trap")) { return trap_main(); }
    setenv("SF_TEST_SELF", argv[0], 1);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "16", 1);          /* for several loops */
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("resident", tests, NULL, NULL);
}
