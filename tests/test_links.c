/*  test_links.c - links between flows, over the transport of link_pipe.h: two flows of this process, each on its own
    thread, or stepped in turn. What arrives is checked by content: number, bytes, shape, timestamp and metadata. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "jobs.h"
#include "link_pipe.h"

enum { MOST = 2000, KEY = 1, ODD = 7, ROOM = 4096 };

/* -- ways to run the two -- */

typedef struct way { const char *name; bool steps; int32_t workers; bool jobs; } way;
static const way ways[] = { { "threads", false, 0, false }, { "stepped", true, 0, false },
                            { "1 worker", false, 1, false }, { "3 workers", false, 3, false },
                            { "jobs", false, 0, true } };
static const way *by = &ways[0];
#define FOR_WAYS() for (by = ways; by < ways + COUNT(ways); by++)

/* -- a side: a flow with a peer; its operators send and take numbers -- */

typedef struct feed {                        /* a source: sends from, from + 1, ... */
    struct side *of;
    int64_t from;
    uint32_t count, allowed, sent;           /* count 0: without end. It waits in front of number `allowed` */
    size_t bytes;                            /* tensors up to that; 0: values */
    bool when_up;                            /* waits for the peer */
    uint8_t scratch[ROOM];
} feed;
typedef struct drain {                       /* a sink */
    struct side *of;
    uint32_t allowed, quit, got;             /* quit: SF_DONE behind so many; 0: it does not */
    uint32_t holds;                          /* tensors that it keeps for a while */
    int64_t numbers[MOST];
    size_t bytes;
    bool bare, every;                        /* bare: numbers alone; every: a PERIOD, for LATEST */
    sf_tensor *held[16];
    uint8_t scratch[ROOM];
    char wrong[200];                         /* what was wrong first */
} drain;
typedef struct side {
    sf_flow *flow;
    sf_peer peer;
    test_heap heap;
    sf_result result;
    bool started, done;
    char log[2000];
} side;
static side a, b;
static feed feeds[8];
static drain drains[8];

static void fill(uint8_t *to, size_t bytes, int64_t number)
{
    for (size_t i = 0; i < bytes; i++) { to[i] = (uint8_t)((uint64_t)number * 31 + i * 7 + (i >> 8)); }
}
static void shape_of(int64_t number, size_t room, sf_tensor_desc *d)         /* within `room` bytes, at least 512 */
{
    static const sf_dtype types[] = { SF_U8, SF_I16, SF_F32, SF_C128, SF_BOOL, SF_BF16, (sf_dtype)0x40810,
                                      (sf_dtype)0x32001 };
    memset(d, 0, sizeof *d);
    d->dtype = types[number % 8];
    d->ndim = 1 + (int32_t)(number / 3 % 8);
    for (int32_t i = 0; i < d->ndim; i++) { d->shape[i] = 1 + (number + i) % (i < 4 ? 2 : 1); }
    if (number % 5 == 0) {                   /* as large as it may be */
        d->ndim = 2;
        d->shape[0] = 2;
        d->shape[1] = (int64_t)(room / 2 / ((uint32_t)d->dtype >> 8 & 0xff) * 8 / ((uint32_t)d->dtype >> 16));
    }
}
static size_t bytes_of(const sf_tensor_desc *d)
{
    size_t n = ((uint32_t)d->dtype >> 8 & 0xff) / 8 * ((uint32_t)d->dtype >> 16);
    for (int32_t i = 0; i < d->ndim; i++) { n *= (size_t)d->shape[i]; }
    return n;
}
static bool is_up(const side *s)
{
    sf_peer_info info;
    return sf_flow_get_peer(s->flow, s->peer, &info) == SF_OK && info.state == SF_PEER_UP;
}
static sf_readiness feed_check(void *user, int64_t now, int64_t *wake)
{
    feed *x = (feed *)user;
    if (test_load(&x->sent) < test_load(&x->allowed)) { return SF_READY; }
    *wake = now + SF_MS(1);
    return SF_WAIT;
}
static sf_result feed_compute(sf_context *ctx)
{
    feed *x = (feed *)ctx->user;
    uint32_t n = test_load(&x->sent);
    int64_t number = x->from + n;
    if (x->count && n >= x->count) { return SF_DONE; }
    if (number % 3) { sf_set_timestamp(ctx, number * 10); }
    (void)sf_set_metadata(ctx, KEY, (sf_value){ .i64 = number });
    if (number % 2) { (void)sf_set_metadata(ctx, ODD, (sf_value){ .f64 = (double)number / 2 }); }
    test_store(&x->sent, n + 1);
    if (x->bytes) {
        sf_tensor_desc d;
        sf_tensor *t;
        shape_of(number, x->bytes, &d);
        t = sf_tensor_create(ctx, 0, &d);
        fill(x->scratch, bytes_of(&d), number);
        if (sf_memcpy_async(sf_compute_stream(ctx), t->data, x->scratch, bytes_of(&d)) < 0) { return SF_OK; }
        (void)sf_stream_synchronize(sf_compute_stream(ctx), GUARD);          /* `scratch` is used again */
        return sf_emit(ctx, 0, t);
    }
    return sf_emit_value(ctx, 0, (sf_value){ .i64 = number });
}
static sf_readiness drain_check(void *user, int64_t now, int64_t *wake)
{
    drain *x = (drain *)user;
    if (test_load(&x->got) < test_load(&x->allowed)) { return SF_READY; }
    *wake = now + SF_MS(1);
    return SF_WAIT;
}
#define WRONG(x, ...) ((x)->wrong[0] ? (void)0 : (void)snprintf((x)->wrong, sizeof (x)->wrong, __VA_ARGS__))
static void drain_tensor(sf_context *ctx, drain *x, const sf_tensor *t, int64_t number)
{
    uint8_t want[ROOM];
    sf_tensor_desc d;
    size_t n;
    shape_of(number, x->bytes, &d);
    n = bytes_of(&d);
    if (t->dtype != d.dtype || t->ndim != d.ndim || memcmp(t->shape, d.shape, sizeof d.shape[0] * (size_t)d.ndim)) {
        WRONG(x, "tensor %lld has another type or shape", (long long)number);
        return;
    }
    fill(want, n, number);
    if (sf_memcpy_async(sf_compute_stream(ctx), x->scratch, t->data, n) < 0 ||
        sf_stream_synchronize(sf_compute_stream(ctx), GUARD) != SF_OK) {
        WRONG(x, "tensor %lld cannot be read", (long long)number);
        return;
    }
    if (memcmp(x->scratch, want, n)) { WRONG(x, "tensor %lld has other bytes", (long long)number); }
}
static sf_result drain_compute(sf_context *ctx)
{
    drain *x = (drain *)ctx->user;
    uint32_t n = test_load(&x->got);
    sf_value v;
    int64_t number, time;
    if (!sf_available(ctx, 0)) { return SF_OK; }
    if (x->bytes) {
        sf_tensor *t = sf_receive(ctx, 0);
        if (!sf_get_metadata(ctx, KEY, &v)) { WRONG(x, "there is no number"); }
        number = v.i64;
        drain_tensor(ctx, x, t, number);
        if (x->holds) {
            sf_tensor **place = &x->held[n % x->holds];
            if (*place) { sf_tensor_release(*place); }
            *place = sf_tensor_retain(t);
        }
    } else {
        number = sf_receive_value(ctx, 0).i64;
    }
    if (!x->bare) {
        if (!sf_get_metadata(ctx, KEY, &v) || v.i64 != number) { WRONG(x, "%lld: other metadata", (long long)number); }
        if (sf_get_metadata(ctx, ODD, &v) != (number % 2 != 0)) { WRONG(x, "%lld: other keys", (long long)number); }
        if (number % 2 && v.f64 != (double)number / 2) { WRONG(x, "%lld: an other value", (long long)number); }
        time = number % 3 ? number * 10 : -1;
        if (sf_get_timestamp(ctx, 0) != time) {
            WRONG(x, "%lld: time %lld", (long long)number, (long long)sf_get_timestamp(ctx, 0));
        }
    }
    if (n < MOST) { x->numbers[n] = number; }
    test_store(&x->got, n + 1);
    return x->quit && n + 1 >= x->quit ? SF_DONE : SF_OK;
}
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static void keep_log(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                     const char *file, void *user)
{
    side *s = (side *)user;
    size_t n;
    (void)tag, (void)item, (void)line, (void)file;
    if (level > 2) { return; }
    pthread_mutex_lock(&log_lock);
    n = strlen(s->log);
    snprintf(s->log + n, sizeof s->log - n, "%s\n", message ? message : "");
    pthread_mutex_unlock(&log_lock);
}
/* A loss is logged after the state shows it. */
static bool has_logged(const side *s, const char *words)
{
    bool has;
    pthread_mutex_lock(&log_lock);
    has = strstr(s->log, words) != NULL;
    pthread_mutex_unlock(&log_lock);
    return has;
}
static void clear_log(side *s)
{
    pthread_mutex_lock(&log_lock);
    s->log[0] = 0;
    pthread_mutex_unlock(&log_lock);
}
static void make_flow(side *s, const char *name)
{
    sf_flow_desc d = { .name = name, .device = device, .backend = test_backend, .metadata_entries = 4,
                       .logger = { keep_log, s }, .heap = { test_heap_alloc, test_heap_free, &s->heap } };
    d.workers[0].count = by->workers;
    if (by->jobs) {
        d.jobs.enqueue = job_enqueue;
        d.jobs.finish = job_finish;
    }
    s->flow = sf_flow_create(&d);
    CHECK(s->flow != NULL);
    s->started = s->done = false;
    s->result = SF_OK;
    s->log[0] = 0;
}
static void make_side(side *s, bool listen, const sf_peer_desc *more)
{
    sf_peer_desc p = { .name = "peer", .address = "pipe:one", .token = "open sesame", .listen = listen,
                       .transport = &pipe_table, .deadline = SF_MS(20000) };
    make_flow(s, listen ? "listens" : "connects");
    if (more) {
        p.on_lost = more->on_lost;
        p.wait = more->wait;
        if (more->name) { p.name = more->name; }
        if (more->address) { p.address = more->address; }
        if (more->token) { p.token = more->token; }
        if (more->deadline) { p.deadline = more->deadline; }
    }
    s->peer = sf_flow_add_peer(s->flow, &p);
    if (!s->peer.id) { fail_msg("%s", sf_flow_failure(s->flow)->text); }
}
static sf_op add_feed(side *s, int i, const char *name, uint32_t count, const sf_link_desc *link)
{
    sf_op_desc d = { .name = name, .compute = feed_compute, .user = &feeds[i], .out = { { .name = "out" } } };
    sf_op op;
    feeds[i].of = s;
    feeds[i].count = count;
    feeds[i].allowed = UINT32_MAX;
    feeds[i].bytes = link ? link->bytes : 0;
    d.out[0].bytes = feeds[i].bytes;
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom = { .check = feed_check, .user = &feeds[i] } };
    op = sf_flow_add(s->flow, &d);
    CHECK_OK(sf_flow_link(s->flow, op, "out", s->peer, link));
    return op;
}
static sf_op add_drain(side *s, int i, const char *name, const sf_link_desc *link)
{
    sf_op_desc d = { .name = name, .compute = drain_compute, .user = &drains[i], .in = { { .name = "in" } } };
    sf_op op;
    drains[i].of = s;
    drains[i].allowed = UINT32_MAX;
    drains[i].bytes = link ? link->bytes : 0;
    d.when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom = { .check = drain_check, .user = &drains[i] } };
    if (link && link->overflow == SF_OVERFLOW_LATEST) { d.period = SF_MS(1); }
    op = sf_flow_add(s->flow, &d);
    CHECK_OK(sf_flow_link_from(s->flow, s->peer, op, "in", link));
    return op;
}
static void clear(void)
{
    memset(feeds, 0, sizeof feeds);
    memset(drains, 0, sizeof drains);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
}
/* -- running -- */

static void begin_side(side *s)
{
    s->started = true;
    s->done = false;
    if (by->steps) { return; }
    s->result = sf_flow_start(s->flow);
    s->done = s->result < 0;
}
static bool step_side(side *s)               /* a little of it; false: it only polled */
{
    bool any = false;
    if (!s->started || s->done || !by->steps) { return false; }
    for (int i = 0; i < 20; i++) {
        sf_result r = sf_flow_step(s->flow, NULL);
        any = any || r != SF_IDLE;
        if (r == SF_DONE || r < 0) {
            s->result = r < 0 ? r : SF_OK;
            s->done = true;
            break;
        }
    }
    return any;
}
static bool over(side *s)
{
    if (!s->started || s->done) { return true; }
    if (by->steps) { return false; }
    s->result = sf_flow_wait(s->flow, 0);
    s->done = s->result != SF_TIMEOUT;
    return s->done;
}
/* Both, a little. Stepped sides that wait for a time to pass leave the core to other programs. */
static void go_on(void)
{
    static uint32_t idle;
    const bool any_of_a = step_side(&a), any_of_b = step_side(&b);
    idle = any_of_a || any_of_b ? 0 : idle + 1;
    if (!by->steps || idle > 20) { usleep(200); }
}
static void peer_text(const side *s, char *to, size_t n)
{
    sf_peer_info i;
    memset(&i, 0, sizeof i);
    (void)sf_flow_get_peer(s->flow, s->peer, &i);
    snprintf(to, n, "state %d, epoch %u, sent %llu, received %llu, lost %llu, \"%s\"", (int)i.state, i.epoch,
             (unsigned long long)i.sent, (unsigned long long)i.received, (unsigned long long)i.lost, i.why);
}
static bool both_are_over(int64_t timeout)
{
    int64_t end = sf_flow_now(NULL) + timeout;
    while (!(over(&a) & over(&b))) {
        if (sf_flow_now(NULL) > end) { return false; }
        go_on();
    }
    return true;
}
static void stop_both(void)
{
    if (a.flow) { (void)sf_flow_stop(a.flow); }
    if (b.flow) { (void)sf_flow_stop(b.flow); }
    (void)both_are_over(GUARD / 4);
}
#define UNTIL(condition)                                                                                     \
    do {                                                                                                     \
        int64_t end_ = sf_flow_now(NULL) + GUARD;                                                            \
        while (!(condition) && sf_flow_now(NULL) < end_) { go_on(); }                                        \
        if (!(condition)) { hangs(#condition); }                                                             \
    } while (0)
static void hangs(const char *what)
{
    char pa[400], pb[400];
    peer_text(&a, pa, sizeof pa);
    peer_text(&b, pb, sizeof pb);
    stop_both();
    fail_msg("%s: still not: %s; sent %u, got %u\n  a: %s\n  b: %s", by->name, what, feeds[0].sent, drains[0].got, pa,
             pb);
}
static void run_both(void)
{
    begin_side(&b);
    begin_side(&a);
    if (!both_are_over(GUARD)) { hangs("both are over"); }
}
static void result_is(const side *s, sf_result want, const char *words)
{
    const sf_failure *failure = sf_flow_failure(s->flow);
    if (s->result != want) {
        char pa[400], pb[400];
        peer_text(&a, pa, sizeof pa);
        peer_text(&b, pb, sizeof pb);
        fail_msg("%s: %s is %d, not %d: %s\n  a: %s\n  b: %s\n%s%s", by->name, s == &a ? "a" : "b", (int)s->result,
                 (int)want, failure->text, pa, pb, a.log, b.log);
    }
    if (words && !strstr(failure->text, words)) {
        fail_msg("%s: %s says \"%s\", not \"%s\"", by->name, s == &a ? "a" : "b", failure->text, words);
    }
}
static void both_end_well(void)
{
    result_is(&a, SF_OK, NULL);
    result_is(&b, SF_OK, NULL);
}
static void numbers_are(int i, int64_t first, uint32_t count)
{
    const drain *x = &drains[i];
    if (x->wrong[0]) { fail_msg("%s: drain %d: %s", by->name, i, x->wrong); }
    if (x->got != count) {
        char pa[400], pb[400];
        peer_text(&a, pa, sizeof pa);
        peer_text(&b, pb, sizeof pb);
        fail_msg("%s: drain %d has %u, not %u; the last is %lld\n  a: %d, %s\n  b: %d, %s\n%s%s", by->name, i, x->got,
                 count, x->got ? (long long)x->numbers[(x->got < MOST ? x->got : MOST) - 1] : -1, (int)a.result, pa,
                 (int)b.result, pb, a.log, b.log);
    }
    for (uint32_t n = 0; n < count; n++) {
        if (x->numbers[n] != first + n) {
            fail_msg("%s: drain %d, message %u is %lld", by->name, i, n, (long long)x->numbers[n]);
        }
    }
}
static void numbers_rise(int i)              /* each comes once, in order */
{
    const drain *x = &drains[i];
    if (x->wrong[0]) { fail_msg("%s: drain %d: %s", by->name, i, x->wrong); }
    for (uint32_t n = 1; n < x->got && n < MOST; n++) {
        if (x->numbers[n] <= x->numbers[n - 1]) {
            fail_msg("%s: drain %d: %lld behind %lld", by->name, i, (long long)x->numbers[n],
                     (long long)x->numbers[n - 1]);
        }
    }
}
static sf_peer_info info_of(const side *s)
{
    sf_peer_info i;
    CHECK_OK(sf_flow_get_peer(s->flow, s->peer, &i));
    return i;
}
static void drop_held(void)
{
    for (int i = 0; i < (int)COUNT(drains); i++) {
        for (int k = 0; k < (int)COUNT(drains[i].held); k++) {
            if (drains[i].held[k]) { sf_tensor_release(drains[i].held[k]); }
            drains[i].held[k] = NULL;
        }
    }
}
static void end_side(side *s)
{
    if (!s->flow) { return; }
    (void)sf_flow_destroy(s->flow);          /* the result of its life */
    CHECK_EQUAL(s->heap.live, 0);
    s->flow = NULL;
}
static void end_both(void)
{
    const char *left;
    drop_held();
    end_side(&a);
    end_side(&b);
    left = pipes_are_empty();
    if (left) { fail_msg("%s: %s", by->name, left); }
}

/* -- what arrives -- */

static void values_arrive(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (uint32_t lazy = 0; lazy <= 50; lazy += 50) {
            clear();
            pipes_begin(PIPE_SOUND, 0, 4096, lazy, 1);
            make_side(&a, false, NULL);
            make_side(&b, true, NULL);
            add_feed(&a, 0, "there", 500, &(sf_link_desc){ .name = "there" });
            add_feed(&a, 1, "thin", 300, &(sf_link_desc){ .name = "thin", .capacity = 1 });
            add_feed(&b, 2, "back", 400, &(sf_link_desc){ .name = "back", .capacity = 100 });
            add_drain(&b, 1, "thin", &(sf_link_desc){ .name = "thin", .capacity = 9 });      /* in another order */
            add_drain(&b, 0, "there", &(sf_link_desc){ .name = "there" });
            add_drain(&a, 2, "back", &(sf_link_desc){ .name = "back", .capacity = 3 });
            run_both();
            both_end_well();
            numbers_are(0, 0, 500);
            numbers_are(1, 0, 300);
            numbers_are(2, 0, 400);
            CHECK_EQUAL(info_of(&a).sent, 800);
            CHECK_EQUAL(info_of(&a).received, 400);
            CHECK_EQUAL(info_of(&b).sent, 400);
            CHECK_EQUAL(info_of(&b).received, 800);
            CHECK_EQUAL(info_of(&a).lost + info_of(&b).lost, 0);
            CHECK_EQUAL(info_of(&a).state, SF_PEER_ENDED);
            CHECK_EQUAL(info_of(&b).epoch, 1);
            if (a.log[0] || b.log[0]) { fail_msg("%s: logged: %s%s", by->name, a.log, b.log); }
            end_both();
        }
    }
}
static void tensors_arrive(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (uint32_t i = 0; i < 6; i++) {   /* eager, rendezvous; at once, lazily; a reader that holds some */
            sf_link_desc link = { .name = "pictures", .bytes = 2048, .capacity = (uint16_t)(1 + 3 * (i % 3)),
                                  .memory = i % 2 ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE };
            clear();
            pipes_begin(PIPE_SOUND, 0, i % 3 ? 700 : 4096, i * 20, i);
            make_side(&a, false, NULL);
            make_side(&b, true, NULL);
            add_feed(&a, 0, "camera", 200, &link);
            add_drain(&b, 0, "screen", &link);
            link.name = "answers";
            add_feed(&b, 1, "answers", 100, &link);
            add_drain(&a, 1, "answers", &link);
            drains[0].holds = i % 2 ? 2 : 0;
            run_both();
            both_end_well();
            numbers_are(0, 0, 200);
            numbers_are(1, 0, 100);
            end_both();
        }
    }
}
static sf_result emit_odd(sf_context *ctx)   /* what a link refuses to send */
{
    static uint8_t memory[256];
    const int *kind = (const int *)ctx->user;
    sf_tensor_desc d = { .dtype = SF_U8, .shape = { 8, 4 }, .ndim = 2, .data = memory, .memory = SF_MEMORY_PINNED };
    if (*kind == 1) { d.strides[0] = 8, d.strides[1] = 1; }
    if (*kind == 2) { d.shape[1] = 16; }
    return sf_emit(ctx, 0, sf_tensor_wrap(ctx->flow, &d));
}
static void what_does_not_fit_fails(void **state)
{
    static const struct { int kind; size_t bytes; sf_result result; const char *words; } cases[] = {
        { 1, 64, SF_ERROR_NOT_SUPPORTED, "packed" }, { 2, 64, SF_ERROR_MISMATCH, "larger than sf_link_desc.bytes" },
        { 0, 0, SF_ERROR_MISMATCH, "larger than sf_link_desc.bytes" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_link_desc link = { .name = "x", .bytes = cases[i].bytes };
        int kind = cases[i].kind;
        sf_op op;
        by = &ways[i % 2];
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        make_side(&a, false, NULL);
        make_side(&b, true, &(sf_peer_desc){ .on_lost = SF_ON_LOST_END });
        op = sf_flow_add(a.flow, &(sf_op_desc){ .name = "odd", .compute = emit_odd, .user = &kind, .count = 3,
                                                .out = { { .name = "out" } } });
        CHECK_OK(sf_flow_link(a.flow, op, "out", a.peer, &link));
        add_drain(&b, 0, "in", &link);
        run_both();
        result_is(&a, cases[i].result, cases[i].words);
        result_is(&b, SF_OK, NULL);
        CHECK_EQUAL(drains[0].got, 0);
        end_both();
    }
}
static sf_result emit_mixed(sf_context *ctx)
{
    if (ctx->run % 2) { return sf_emit_value(ctx, 0, number((int64_t)ctx->run)); }
    sf_tensor *t = sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .shape = { 8 } });
    memset(t->data, (int)ctx->run, 8);
    return sf_emit(ctx, 0, t);
}
static uint32_t mixed_right;
static sf_result take_mixed(sf_context *ctx)
{
    if (ctx->run % 2) {
        mixed_right += sf_receive_value(ctx, 0).u64 == ctx->run;
    } else {
        sf_tensor *t = sf_receive(ctx, 0);
        mixed_right += t && t->bytes == 8 && t->shape[0] == 8 && ((uint8_t *)t->data)[7] == (uint8_t)ctx->run;
    }
    return SF_OK;
}
static void values_and_tensors_on_one_link(void **state)
{
    (void)state;
    FOR_WAYS() {
        sf_link_desc link = { .bytes = 8, .memory = SF_MEMORY_PINNED };
        sf_op x, y;
        clear();
        mixed_right = 0;
        pipes_begin(PIPE_SOUND, 0, 0, 30, 5);
        make_side(&a, false, NULL);
        make_side(&b, true, NULL);
        x = sf_flow_add(a.flow, &(sf_op_desc){ .name = "x", .compute = emit_mixed, .count = 100,
            .out = { { .name = "it", .bytes = 8, .memory = SF_MEMORY_PINNED } } });
        y = sf_flow_add(b.flow, &(sf_op_desc){ .name = "y", .compute = take_mixed, .in = { { .name = "it" } } });
        CHECK_OK(sf_flow_link(a.flow, x, NULL, a.peer, &link));
        CHECK_OK(sf_flow_link_from(b.flow, b.peer, y, NULL, &link));
        run_both();
        both_end_well();
        CHECK_EQUAL(mixed_right, 100);
        end_both();
    }
}

static void several_peers_at_one_address(void **state)       /* a ring of numbers through three flows */
{
    static side c;
    (void)state;
    for (by = ways; by < ways + COUNT(ways); by++) {
        sf_peer_desc p = { .address = "pipe:hub", .token = "for the first", .transport = &pipe_table, .listen = true,
                           .deadline = SF_MS(20000) }, q = p;
        sf_peer first, second;
        sf_op op;
        clear();
        memset(&c, 0, sizeof c);
        pipes_begin(PIPE_SOUND, 0, 4096, 20, 1);
        make_flow(&b, "hub");
        p.name = "first";
        q.name = "second";
        q.token = "for the second";
        first = sf_flow_add_peer(b.flow, &p);
        second = sf_flow_add_peer(b.flow, &q);
        CHECK(first.id && second.id && first.id != second.id);
        op = sf_flow_add(b.flow, &(sf_op_desc){ .name = "pass", .compute = pass_value, .in = { { .name = "in" } },
            .out = { { .name = "out" } } });
        CHECK_OK(sf_flow_link_from(b.flow, first, op, "in", NULL));
        CHECK_OK(sf_flow_link(b.flow, op, "out", second, NULL));
        b.peer = first;
        make_flow(&a, "a");
        p.listen = q.listen = false;
        a.peer = sf_flow_add_peer(a.flow, &p);
        add_feed(&a, 0, "source", 200, &(sf_link_desc){ .name = "in" });
        make_flow(&c, "c");
        c.peer = sf_flow_add_peer(c.flow, &q);
        add_drain(&c, 0, "reader", &(sf_link_desc){ .name = "out" });
        begin_side(&b);
        begin_side(&c);
        begin_side(&a);
        UNTIL((step_side(&c), over(&a) & over(&b) & over(&c)));
        both_end_well();
        result_is(&c, SF_OK, NULL);
        numbers_are(0, 0, 200);
        {
            sf_peer_info x, y;
            CHECK_OK(sf_flow_get_peer(b.flow, first, &x));
            CHECK_OK(sf_flow_get_peer(b.flow, second, &y));
            CHECK(x.received == 200 && !x.sent && y.sent == 200 && !y.received);
        }
        end_side(&c);
        end_both();
    }
}
static void peers_of_another_group(void **state)             /* of workers; and an output that has other edges, too */
{
    (void)state;
    for (int32_t count = 1; count <= 3; count++) {
        sf_link_desc link = { .name = "x", .capacity = 2, .bytes = 512 };
        sf_op source, near;
        by = &ways[0];
        clear();
        pipes_begin(PIPE_SOUND, 0, 200, 20, 1);
        for (int i = 0; i < 2; i++) {
            side *s = i ? &b : &a;
            sf_flow_desc d = { .device = device, .backend = test_backend, .metadata_entries = 4,
                               .logger = { keep_log, s }, .heap = { test_heap_alloc, test_heap_free, &s->heap } };
            d.workers[0].count = 1;
            d.workers[1].count = count;
            s->flow = sf_flow_create(&d);
            s->peer = sf_flow_add_peer(s->flow, &(sf_peer_desc){ .name = "peer", .address = "pipe:one", .workers = 1,
                .token = "open sesame", .listen = i, .transport = &pipe_table, .deadline = SF_MS(20000) });
            CHECK(s->peer.id);
        }
        source = add_feed(&a, 0, "source", 200, &link);
        near = sf_flow_add(a.flow, &(sf_op_desc){ .name = "near", .compute = drain_compute, .user = &drains[1],
            .in = { { .name = "in" } } });
        drains[1].bytes = 512;
        CHECK_OK(sf_flow_connect(a.flow, source, "out", near, "in", NULL));
        add_drain(&b, 0, "reader", &link);
        run_both();
        both_end_well();
        numbers_are(0, 0, 200);
        numbers_are(1, 0, 200);
        end_both();
    }
}
static void copies_send_in_order(void **state)
{
    (void)state;
    FOR_WAYS() {
        sf_op source, copies;
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 20, 1);
        make_side(&a, false, NULL);
        make_side(&b, true, NULL);
        source = sf_flow_add(a.flow, &(sf_op_desc){ .name = "source", .compute = count_up, .count = 200,
            .out = { { .name = "out" } } });
        copies = sf_flow_add(a.flow, &(sf_op_desc){ .name = "copies", .compute = pass_value, .copies = 3,
            .in = { { .name = "in" } }, .out = { { .name = "out" } } });
        connect(a.flow, source, copies);
        CHECK_OK(sf_flow_link(a.flow, copies, "out", a.peer, NULL));
        add_drain(&b, 0, "reader", &(sf_link_desc){ .name = "out" });
        drains[0].bare = true;
        run_both();
        both_end_well();
        numbers_are(0, 1, 200);
        end_both();
    }
}
/* A loop of the user's that steps a flow and sleeps until *wake: messages of a peer come all the same. */
static void a_loop_that_sleeps(void **state)
{
    sf_link_desc link = { .name = "x", .capacity = 2 };
    int64_t end = sf_flow_now(NULL) + GUARD;
    (void)state;
    by = &ways[0];
    clear();
    pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
    make_side(&a, false, NULL);
    make_side(&b, true, NULL);
    add_feed(&a, 0, "source", 20, &link);
    add_drain(&b, 0, "reader", &link);
    begin_side(&a);                          /* on its own thread */
    b.started = true;
    while (!b.done && sf_flow_now(NULL) < end) {
        int64_t wake = -1;
        sf_result r = sf_flow_step(b.flow, &wake);
        if (r == SF_IDLE) {
            int64_t now = sf_flow_now(NULL);
            if (wake < 0) { fail_msg("it says that nothing will wake it"); }
            if (wake > now) { usleep((useconds_t)((wake - now) / 1000)); }
        } else if (r == SF_DONE || r < 0) {
            b.done = true;
            b.result = r < 0 ? r : SF_OK;
        }
    }
    CHECK(b.done);
    UNTIL(over(&a));
    both_end_well();
    numbers_are(0, 0, 20);
    end_both();}
static void names_of_any_language(void **state)
{
    static const char longest[] = "/0123456789/0123456789/0123456789/0123456789/01";
    static const char *const names[] = { "kam\xc3\xa9ra", "\xe6\xa9\x9f", "a b", ":", longest };
    (void)state;
    CHECK_EQUAL(sizeof longest, 48);
    for (size_t i = 0; i < COUNT(names); i++) {
        const sf_peer_desc p = { .name = names[i], .token = "01234567890123456789012345678901" };
        const sf_link_desc link = { .name = names[i] };
        by = &ways[1];
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        make_side(&a, false, &p);
        make_side(&b, true, &p);
        add_feed(&a, 0, "source", 5, &link);
        add_drain(&b, 0, "reader", &link);
        run_both();
        both_end_well();
        numbers_are(0, 0, 5);
        CHECK_EQUAL(info_of(&a).why[0] | info_of(&b).why[0], 0);             /* a good end is no loss */
        end_both();
    }
}
/* A worker whose links have nothing to do sleeps: it polls a few times in 300 ms, not all the time. */
static sf_readiness never_ready(void *user, int64_t now, int64_t *wake)
{
    (void)user, (void)now, (void)wake;
    return SF_WAIT;
}
static sf_result send_one(sf_context *ctx) { return sf_emit_value(ctx, 0, number(1)); }
static sf_result take_one(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_DONE; }
static void idle_links_sleep(void **state)
{
    (void)state;
    by = &ways[0];
    for (int i = 0; i < 3; i++) {            /* as it is; a deadline that never comes; a link whose reader has ended */
        const sf_peer_desc p = { .deadline = i == 1 ? INT64_MAX : 0 };
        const sf_link_desc x = { .name = "x" }, y = { .name = "y", .capacity = 1 };
        uint64_t polls;
        sf_op op;
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        make_side(&a, false, &p);
        make_side(&b, true, &p);
        op = sf_flow_add(a.flow, &(sf_op_desc){ .name = "silent", .compute = send_one, .out = { { .name = "out" } },
            .when = { { .kind = SF_CONDITION_USER, .custom = { .check = never_ready } } } });
        CHECK_OK(sf_flow_link(a.flow, op, NULL, a.peer, &x));
        op = sf_flow_add(b.flow, &(sf_op_desc){ .name = "waits", .compute = take_one, .in = { { .name = "in" } } });
        CHECK_OK(sf_flow_link_from(b.flow, b.peer, op, NULL, &x));
        if (i == 2) {
            op = sf_flow_add(a.flow, &(sf_op_desc){ .name = "one", .compute = send_one, .out = { { .name = "out" } } });
            CHECK_OK(sf_flow_link(a.flow, op, NULL, a.peer, &y));
            op = sf_flow_add(b.flow, &(sf_op_desc){ .name = "ends", .compute = take_one, .in = { { .name = "in" } } });
            CHECK_OK(sf_flow_link_from(b.flow, b.peer, op, NULL, &y));
        }
        begin_side(&b);
        begin_side(&a);
        UNTIL(is_up(&a) && is_up(&b) && (i != 2 || info_of(&b).received > 0));
        usleep(100000);
        polls = __atomic_load_n(&pipes.polls, __ATOMIC_RELAXED);
        usleep(300000);
        polls = __atomic_load_n(&pipes.polls, __ATOMIC_RELAXED) - polls;
        if (polls > 1000) { fail_msg("case %d: %llu polls", i, (unsigned long long)polls); }
        stop_both();
        end_both();
    }
}

/* -- policies, in front of a reader that reads nothing for a while -- */

/* One link from a to b. The reader may compute `allowed` times at first; the source begins when the link is up. */
static sf_op reader;
static void one_link(const sf_link_desc *from, const sf_link_desc *to, uint32_t count, uint32_t allowed)
{
    clear();
    pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
    make_side(&a, false, NULL);
    make_side(&b, true, NULL);
    add_feed(&a, 0, "source", count, from);
    reader = add_drain(&b, 0, "reader", to);
    feeds[0].allowed = 0;
    drains[0].allowed = allowed;
    begin_side(&b);
    begin_side(&a);
    UNTIL(is_up(&a) && is_up(&b));
}
/* Nothing changes any more: `what` stays for so long. */
static void settle(void)
{
    uint32_t sent = 0, got = 0, quiet = 0;
    uint64_t received = 0;
    while (quiet < 30) {
        for (int i = 0; i < 5; i++) { go_on(); }
        if (sent == test_load(&feeds[0].sent) && got == test_load(&drains[0].got) &&
            received == info_of(&b).received) {
            quiet++;
        } else {
            quiet = 0;
        }
        sent = test_load(&feeds[0].sent);
        got = test_load(&drains[0].got);
        received = info_of(&b).received;
    }
}
static void block_holds_the_producer(void **state)
{
    static const uint16_t capacities[][2] = { { 1, 1 }, { 3, 9 }, { 0, 0 }, { 2, 2 }, { 9, 3 }, { 1, 20 } };
    (void)state;
    FOR_WAYS() {
        for (size_t i = 0; i < (by->steps ? COUNT(capacities) : 3); i++) {
            uint32_t from = capacities[i][0], to = capacities[i][1], most;
            for (int tensors = 0; tensors < 2; tensors++) {
                sf_link_desc x = { .name = "x", .capacity = (uint16_t)from, .bytes = tensors ? 512 : 0 }, y = x;
                y.capacity = (uint16_t)to;
                most = from && from < to ? from : to ? to : 8;
                one_link(&x, &y, 60, 0);
                test_store(&feeds[0].allowed, UINT32_MAX);
                UNTIL(test_load(&feeds[0].sent) >= most + 1);
                settle();
                if (test_load(&feeds[0].sent) != most + 1) {
                    fail_msg("%s: capacity %u and %u: %u were sent", by->name, from, to, test_load(&feeds[0].sent));
                }
                test_store(&drains[0].allowed, 1);           /* room for one more */
                UNTIL(test_load(&feeds[0].sent) >= most + 2);
                settle();
                CHECK_EQUAL(test_load(&feeds[0].sent), most + 2);
                test_store(&drains[0].allowed, UINT32_MAX);
                UNTIL(over(&a) && over(&b));
                both_end_well();
                numbers_are(0, 0, 60);
                end_both();
            }
        }
    }
}
/* Each of 100 messages was dropped, or is in the reader's queue; `one`: or in front of the link. */
static bool all_is_there(bool one)
{
    sf_flow_info from;
    sf_peer_info sent = info_of(&a), got = info_of(&b);
    CHECK_OK(sf_flow_get_info(a.flow, &from));
    return sent.sent + from.dropped + one == 100 && got.received == sent.sent &&
           edge_of(b.flow, reader, 0, 0).messages == got.received;
}
static void without_room(sf_overflow overflow, uint16_t capacity, size_t bytes)
{
    sf_link_desc link = { .name = "x", .capacity = capacity, .overflow = overflow, .bytes = bytes };
    uint32_t c = capacity;
    sf_flow_info from;
    bool on_the_way;
    const drain *x = &drains[0];
    one_link(&link, &link, 100, 0);
    for (uint32_t i = 1; i <= 100; i++) {    /* one at a time, so that each goes as far as it can */
        test_store(&feeds[0].allowed, i);
        UNTIL(test_load(&feeds[0].sent) == i);
        for (int k = 0; k < 3; k++) { go_on(); }
    }
    UNTIL(all_is_there(overflow == SF_OVERFLOW_DROP_NEWEST));
    CHECK_OK(sf_flow_get_info(a.flow, &from));
    on_the_way = from.dropped > 0;           /* the source was faster than the link */
    CHECK_EQUAL(test_load(&feeds[0].sent), 100);     /* held up by nobody */
    test_store(&feeds[0].allowed, UINT32_MAX);
    test_store(&drains[0].allowed, overflow == SF_OVERFLOW_LATEST ? 1 : UINT32_MAX);
    if (overflow == SF_OVERFLOW_LATEST) {
        UNTIL(test_load(&drains[0].got) == 1);
        test_store(&drains[0].allowed, UINT32_MAX);
    }
    UNTIL(over(&a) && over(&b));
    both_end_well();
    if (overflow != SF_OVERFLOW_LATEST) { numbers_rise(0); }
    if (x->wrong[0]) { fail_msg("%s", x->wrong); }
    switch ((int)overflow) {
    case SF_OVERFLOW_DROP_NEWEST:            /* so many, from the first one on; one waited in front of the link. A
                                                source that runs ahead of that finds it full: the next ones may go */
        CHECK(x->numbers[0] == 0);
        if (x->got != c + 1) { fail_msg("%s: %u came, not %u", by->name, x->got, c + 1); }
        break;
    case SF_OVERFLOW_DROP_OLDEST:            /* the last ones */
        if (x->got != c || (!on_the_way && x->numbers[0] != 100 - c) || x->numbers[c - 1] != 99) {
            fail_msg("%s: %u came, from %lld to %lld, not %u", by->name, x->got, (long long)x->numbers[0],
                     (long long)x->numbers[x->got - 1], c);
        }
        break;
    default:
        CHECK_EQUAL(x->numbers[0], 99);      /* the newest, also when it is read again */
        CHECK_EQUAL(x->numbers[x->got - 1], 99);
    }
    end_both();
}
static void drop_newest_keeps_the_first(void **state)
{
    (void)state;
    FOR_WAYS() {
        without_room(SF_OVERFLOW_DROP_NEWEST, 1, 0);
        without_room(SF_OVERFLOW_DROP_NEWEST, 5, 0);
        if (by->steps) { without_room(SF_OVERFLOW_DROP_NEWEST, 3, 512); }
    }
}
static void drop_oldest_keeps_the_last(void **state)
{
    (void)state;
    FOR_WAYS() {
        if (by->steps) { without_room(SF_OVERFLOW_DROP_OLDEST, 1, 0); }
        without_room(SF_OVERFLOW_DROP_OLDEST, 5, 0);
        without_room(SF_OVERFLOW_DROP_OLDEST, 3, 512);
    }
}
static void latest_is_the_newest(void **state)
{
    (void)state;
    FOR_WAYS() {
        without_room(SF_OVERFLOW_LATEST, 0, 0);
        without_room(SF_OVERFLOW_LATEST, 4, 512);
    }
}
static void a_fast_source_never_waits(void **state)          /* nor does its reader get anything twice */
{
    (void)state;
    FOR_WAYS() {
        for (sf_overflow o = SF_OVERFLOW_DROP_OLDEST; o <= SF_OVERFLOW_DROP_NEWEST; o++) {
            sf_link_desc link = { .name = "x", .capacity = 2, .overflow = o, .bytes = 512 };
            one_link(&link, &link, 1000, UINT32_MAX);
            test_store(&feeds[0].allowed, UINT32_MAX);
            UNTIL(over(&a) && over(&b));
            both_end_well();
            numbers_rise(0);
            CHECK(drains[0].got > 0);
            if (o == SF_OVERFLOW_DROP_OLDEST) { CHECK_EQUAL(drains[0].numbers[drains[0].got - 1], 999); }
            end_both();
        }
    }
}

/* A reader that waits for more messages than the sender's end of the link lets come would wait for ever. */
static void a_window_below_the_batch_is_refused(void **state)
{
    static const struct { uint16_t from, to, needs; bool fits; } cases[] = {
        { 2, 8, 8, false }, { 0, 16, 9, false }, { 7, 9, 8, false }, { 8, 9, 8, true }, { 20, 8, 8, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases) * 4; i++) {
        const size_t n = i / 4;
        const bool counts = i % 2, listens = i / 2 % 2;
        const sf_overflow overflow = n % 2 ? SF_OVERFLOW_BLOCK : SF_OVERFLOW_DROP_NEWEST;
        const sf_peer_desc p = { .wait = SF_MS(20000) };
        const sf_link_desc from = { .name = "x", .capacity = cases[n].from, .overflow = overflow };
        const sf_link_desc to = { .name = "x", .capacity = cases[n].to, .overflow = overflow };
        sf_op_desc d = { .name = "reader", .compute = take_one, .in = { { .name = "in" } } };
        sf_op op;
        by = &ways[1];
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        make_side(&a, !listens, &p);
        make_side(&b, listens, &p);
        add_feed(&a, 0, "source", 0, &from);
        d.in[0].batch = counts ? 0 : cases[n].needs;
        if (counts) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_MESSAGES, .count = cases[n].needs }; }
        op = sf_flow_add(b.flow, &d);
        CHECK_OK(sf_flow_link_from(b.flow, b.peer, op, "in", &to));
        if (cases[n].fits) {
            run_both();
            both_end_well();
        } else {                             /* the listening side goes on to wait for another peer */
            const char *const words = "the sender's .capacity is less than";
            side *asks = listens ? &a : &b, *answers = listens ? &b : &a;
            begin_side(&b);
            begin_side(&a);
            UNTIL(over(asks));
            result_is(asks, SF_ERROR_PEER_LOST, words);
            CHECK(!over(answers));
            if (!strstr(info_of(answers).why, words)) { fail_msg("it says \"%s\"", info_of(answers).why); }
            stop_both();
            result_is(answers, SF_OK, NULL);
        }
        end_both();
    }
}

/* -- ends -- */

static void the_end_of_the_reader_ends_the_source(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (sf_overflow o = SF_OVERFLOW_BLOCK; o < SF_OVERFLOW_ERROR; o++) {
            for (uint32_t quit = 1; quit < 40; quit += 13) {
                sf_link_desc link = { .name = "x", .capacity = 5, .overflow = o };
                clear();
                pipes_begin(PIPE_SOUND, 0, 4096, 30, quit);
                make_side(&a, false, NULL);
                make_side(&b, true, NULL);
                add_feed(&a, 0, "source", 0, &link);
                add_drain(&b, 0, "reader", &link);
                drains[0].quit = quit;
                run_both();
                both_end_well();
                CHECK_EQUAL(drains[0].got, quit);
                if (o == SF_OVERFLOW_BLOCK) { numbers_are(0, 0, quit); }
                end_both();
            }
        }
    }
}
/* The reader ends while messages lie in front of it: in its queue and, behind a batch, in the link. */
static void a_reader_ends_in_front_of_messages(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (uint16_t capacity = 1; capacity < 7; capacity++) {
            sf_link_desc link = { .name = "x", .capacity = capacity, .bytes = capacity % 2 ? 512 : 0 };
            one_link(&link, &link, 0, 0);
            test_store(&feeds[0].allowed, UINT32_MAX);
            UNTIL(test_load(&feeds[0].sent) == capacity + 1u);
            drains[0].quit = 1;
            test_store(&drains[0].allowed, 1);
            UNTIL(over(&a) && over(&b));
            both_end_well();
            numbers_are(0, 0, 1);
            end_both();
        }
    }
}
static void one_of_two_links_ends_early(void **state)        /* the other one goes on */
{
    (void)state;
    FOR_WAYS() {
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        make_side(&a, false, NULL);
        make_side(&b, true, NULL);
        add_feed(&a, 0, "short", 3, &(sf_link_desc){ .name = "short" });
        add_feed(&a, 1, "long", 300, &(sf_link_desc){ .name = "long" });
        add_feed(&a, 2, "refused", 0, &(sf_link_desc){ .name = "refused" });
        add_drain(&b, 0, "short", &(sf_link_desc){ .name = "short" });
        add_drain(&b, 1, "long", &(sf_link_desc){ .name = "long" });
        add_drain(&b, 2, "refuses", &(sf_link_desc){ .name = "refused" });
        drains[2].quit = 5;
        run_both();
        both_end_well();
        numbers_are(0, 0, 3);
        numbers_are(1, 0, 300);
        numbers_are(2, 0, 5);
        end_both();
    }
}
static void finish_loses_nothing(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (int who = 0; who < 2; who++) {
            sf_link_desc link = { .name = "x", .capacity = 6 };
            one_link(&link, &link, 0, UINT32_MAX);
            test_store(&feeds[0].allowed, UINT32_MAX);
            UNTIL(test_load(&drains[0].got) >= 20);
            CHECK_OK(sf_flow_finish(who ? b.flow : a.flow));
            UNTIL(over(&a) && over(&b));
            both_end_well();
            if (!who && drains[0].got < MOST) { numbers_are(0, 0, feeds[0].sent); }  /* all that it sent */
            numbers_rise(0);
            end_both();
        }
    }
}
/* One side is stopped; what the other one says, and what it does then, by its policy. */
static void a_stop_is_told(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (int who = 0; who < 2; who++) {
            for (sf_on_lost lost = SF_ON_LOST_STOP_FLOW; lost <= SF_ON_LOST_WAIT; lost++) {
                side *stops = who ? &b : &a, *other = who ? &a : &b;
                sf_link_desc link = { .name = "x" };
                sf_peer_desc p = { .on_lost = lost, .wait = SF_MS(lost == SF_ON_LOST_WAIT ? 300 : 20000) };
                clear();
                pipes_begin(PIPE_SOUND, 0, 4096, 20, (uint64_t)who);
                make_side(&a, false, &p);
                make_side(&b, true, &p);
                add_feed(&a, 0, "source", 0, &link);
                add_drain(&b, 0, "reader", &link);
                begin_side(&b);
                begin_side(&a);
                UNTIL(test_load(&drains[0].got) >= 20);
                CHECK_OK(sf_flow_stop(stops->flow));
                UNTIL(over(&a) && over(&b));
                result_is(stops, SF_OK, NULL);
                if (lost == SF_ON_LOST_END) {
                    result_is(other, SF_OK, NULL);
                } else {
                    result_is(other, SF_ERROR_PEER_LOST, "\"peer\" at pipe:one");
                }
                if (!strstr(other->log, "its run was stopped, or failed")) { fail_msg("logged: %s", other->log); }
                if (lost == SF_ON_LOST_WAIT) { result_is(other, SF_ERROR_PEER_LOST, "within 300 ms"); }
                if (drains[0].got < MOST) { numbers_are(0, 0, drains[0].got); }
                end_both();
            }
        }
    }
}
static sf_result fails_at_ten(sf_context *ctx)
{
    return ctx->run == 10 ? sf_fail(ctx, SF_ERROR_USER, "no light") : sf_emit_value(ctx, 0, number(0));
}
static void a_failure_is_told(void **state)
{
    (void)state;
    FOR_WAYS() {
        sf_op op;
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        make_side(&a, false, NULL);
        make_side(&b, true, NULL);
        op = sf_flow_add(a.flow, &(sf_op_desc){ .name = "camera", .compute = fails_at_ten,
                                                .out = { { .name = "x" } } });
        CHECK_OK(sf_flow_link(a.flow, op, NULL, a.peer, NULL));
        add_drain(&b, 0, "reader", &(sf_link_desc){ .name = "x" });
        drains[0].bare = true;
        run_both();
        result_is(&a, SF_ERROR_USER, "no light");
        result_is(&b, SF_ERROR_PEER_LOST, "its run was stopped, or failed");
        end_both();
    }
}
static void runs_follow_each_other(void **state)             /* the same two flows, run again and again */
{
    (void)state;
    FOR_WAYS() {
        sf_link_desc link = { .name = "x", .bytes = 512 };
        clear();
        pipes_begin(PIPE_SOUND, 0, 300, 20, 1);
        make_side(&a, false, NULL);
        make_side(&b, true, NULL);
        add_feed(&a, 0, "source", 30, &link);
        add_drain(&b, 0, "reader", &link);
        for (int run = 0; run < 4; run++) {
            feeds[0].sent = drains[0].got = 0;
            run_both();
            both_end_well();
            numbers_are(0, 0, 30);
            CHECK_EQUAL(info_of(&b).epoch, 1);
            CHECK_EQUAL(info_of(&b).received, 30);
        }
        end_both();
    }
}

/* Two programs that run their flows in a loop, without waiting for each other: a run meets the end of the last one
   there, and waits for the next. */
typedef struct looper { side *of; int runs; sf_result result; } looper;
static void *run_again(void *arg)
{
    looper *x = (looper *)arg;
    for (; x->runs < 30 && x->result >= 0; x->runs++) {
        if (x->of == &a) { test_store(&feeds[0].sent, 0); }
        x->result = sf_flow_run(x->of->flow);
    }
    return NULL;
}
static void runs_in_two_loops(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {            /* the listening side has other work behind the last message, or none */
        looper of_a = { .of = &a }, of_b = { .of = &b };
        pthread_t threads[2];
        by = &ways[0];
        clear();
        pipes_begin(PIPE_SOUND, 0, 300, 20, (uint64_t)i);
        make_side(&a, i % 2, &(sf_peer_desc){ .wait = SF_MS(20000) });
        make_side(&b, !(i % 2), &(sf_peer_desc){ .wait = SF_MS(20000) });
        add_feed(&a, 0, "source", 20, &(sf_link_desc){ .name = "x" });
        add_drain(&b, 0, "reader", &(sf_link_desc){ .name = "x" });
        (void)sf_flow_add(i / 2 ? a.flow : b.flow, &(sf_op_desc){ .name = "late", .compute = nothing, .count = 4,
                                                                  .period = SF_MS(5) });
        CHECK_EQUAL(pthread_create(&threads[0], NULL, run_again, &of_a), 0);
        CHECK_EQUAL(pthread_create(&threads[1], NULL, run_again, &of_b), 0);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        if (of_a.result < 0 || of_b.result < 0) {
            fail_msg("run %d and %d: %s, %s", of_a.runs, of_b.runs, sf_flow_failure(a.flow)->text,
                     sf_flow_failure(b.flow)->text);
        }
        CHECK_EQUAL(drains[0].got, 30 * 20);
        if (drains[0].wrong[0]) { fail_msg("%s", drains[0].wrong); }
        end_both();
    }
}

/* -- losses -- */

/* All messages have come and one side has ended, but for a while the other side has not: the last receipt is lost. */
static bool one_side_waits(int64_t *since)
{
    const int64_t now = sf_flow_now(NULL);
    if (over(&a) == over(&b) || test_load(&drains[0].got) < 20) { return false; }
    if (!*since) { *since = now; }
    return now - *since > SF_MS(300);
}
/* The connection breaks at each message in turn, by each policy on both sides. */
static void lost_anywhere(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (sf_on_lost lost = SF_ON_LOST_STOP_FLOW; lost <= SF_ON_LOST_WAIT; lost++) {
            const uint32_t step = by == ways || by->steps ? 1 : 5;
            for (uint32_t at = 1, fired = 1, slow = 0; fired; at += step) {
                sf_link_desc link = { .name = "x", .capacity = 3, .bytes = at % 2 ? 512 : 0 };
                /* Stepped sides meet at once. Threads may be late: there the wait is long, and a stop ends it. */
                const bool stops = lost == SF_ON_LOST_WAIT && !by->steps;
                sf_peer_desc p = { .on_lost = lost, .wait = SF_MS(slow || stops ? 20000 : 1000) };
                sf_peer_info sent, got;
                int64_t since = 0;
                clear();
                pipes_begin(PIPE_LOST, at, 200, 30, at);
                make_side(&a, false, &p);
                make_side(&b, true, &p);
                add_feed(&a, 0, "source", 20, &link);
                add_drain(&b, 0, "reader", &link);
                begin_side(&b);
                begin_side(&a);
                UNTIL((over(&a) & over(&b)) || (stops && one_side_waits(&since)));
                if (!over(&a) || !over(&b)) { stop_both(); }
                fired = pipes.fired;
                if (!fired && !slow) {       /* again, with time for a slow machine: all must arrive */
                    end_both();
                    slow = fired = 1;
                    at -= step;
                    continue;
                }
                sent = info_of(&a);
                got = info_of(&b);
                numbers_rise(0);
                for (int i = 0; i < 2; i++) {                /* HELLO or WELCOME lost: the other one has ended */
                    side *s = i ? &b : &a;
                    if (s->result < 0 && !strstr(sf_flow_failure(s->flow)->text, "did not come ") &&
                        !strstr(sf_flow_failure(s->flow)->text, "did not get through")) {
                        result_is(s, SF_ERROR_PEER_LOST, "the pipe was told to break");
                    }
                }
                if (lost == SF_ON_LOST_WAIT && fired && (a.result < 0) != (b.result < 0)) {
                    numbers_are(0, 0, 20);   /* the last receipt is lost: the other side has all, and has ended */
                } else if (lost != SF_ON_LOST_STOP_FLOW || !fired) {
                    both_end_well();
                }
                if (lost == SF_ON_LOST_WAIT) {               /* those that are missing are counted */
                    CHECK_EQUAL(feeds[0].sent, 20);
                    CHECK_EQUAL(sent.sent, 20);
                    if (drains[0].got + sent.lost < 20) {
                        fail_msg("%s: at %u: %u came, %u count as lost", by->name, at, drains[0].got,
                                 (unsigned)sent.lost);
                    }
                    CHECK(got.epoch == sent.epoch || got.epoch == sent.epoch + 1);   /* WELCOME was lost */
                    CHECK_EQUAL(got.received, drains[0].got);
                } else {
                    numbers_are(0, 0, drains[0].got);        /* what came is the beginning */
                    if (!fired) { numbers_are(0, 0, 20); }
                    if (lost == SF_ON_LOST_STOP_FLOW && a.result == SF_OK) { CHECK_EQUAL(got.received, 20); }
                }
                end_both();
            }
        }
    }
}
/* A peer that goes, and a new flow of the same name. `listens`: the one that goes. */
static void a_new_peer(bool listens)
{
    side *stays = listens ? &a : &b, *goes = listens ? &b : &a;
    sf_link_desc link = { .name = "x", .capacity = 4, .bytes = 512 };
    sf_peer_desc p = { .on_lost = SF_ON_LOST_WAIT, .wait = SF_MS(20000) };
    clear();
    pipes_begin(PIPE_SOUND, 0, 200, 20, 3);
    make_side(stays, !listens, &p);
    add_drain(stays, 0, "reader", &link);
    begin_side(stays);
    for (uint32_t life = 0; life < 4; life++) {
        make_side(goes, listens, NULL);
        feeds[0].from = life * 10000;
        feeds[0].sent = 0;
        add_feed(goes, 0, "source", life == 3 ? 30 : 0, &link);
        begin_side(goes);
        if (life == 3) { break; }
        {
            uint32_t before = test_load(&drains[0].got);
            UNTIL(test_load(&drains[0].got) >= before + 15);
        }
        CHECK_EQUAL(info_of(stays).epoch, life + 1);
        CHECK_OK(sf_flow_stop(goes->flow));
        UNTIL(over(goes));
        result_is(goes, SF_OK, NULL);
        end_side(goes);
        CHECK(!over(stays));
    }
    UNTIL(over(&a) && over(&b));
    both_end_well();
    numbers_rise(0);
    CHECK_EQUAL(info_of(stays).epoch, 4);
    if (drains[0].got <= MOST) {
        CHECK_EQUAL(info_of(stays).received, drains[0].got);
        CHECK_EQUAL(drains[0].numbers[drains[0].got - 1], 30029);            /* all of the last one */
        CHECK_EQUAL(drains[0].numbers[drains[0].got - 30], 30000);
    }
    end_both();
}
static void a_new_peer_is_heard(void **state)
{
    (void)state;
    FOR_WAYS() {
        a_new_peer(false);
        a_new_peer(true);
    }
}
/* A reader that goes, and a new one; what was sent and did not arrive counts. */
static void a_new_reader_is_heard(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (int listens = 0; listens < 2; listens++) {
            side *stays = listens ? &b : &a, *goes = listens ? &a : &b;
            sf_link_desc link = { .name = "x", .capacity = 4 };
            sf_peer_desc p = { .on_lost = SF_ON_LOST_WAIT, .wait = SF_MS(20000) };
            uint32_t all = 0;
            clear();
            pipes_begin(PIPE_SOUND, 0, 200, 20, 3);
            make_side(stays, listens, &p);
            add_feed(stays, 0, "source", 0, &link);
            begin_side(stays);
            for (uint32_t life = 0; life < 3; life++) {
                make_side(goes, !listens, NULL);
                drains[0].got = 0;
                drains[0].quit = life == 2 ? 40 : 0;
                add_drain(goes, 0, "reader", &link);
                begin_side(goes);
                if (life < 2) {
                    UNTIL(test_load(&drains[0].got) >= 15);
                    CHECK_OK(sf_flow_stop(goes->flow));
                    UNTIL(over(goes));
                    numbers_rise(0);
                    all += drains[0].got;
                    end_side(goes);
                }
            }
            UNTIL(over(&a) && over(&b));
            both_end_well();
            numbers_rise(0);
            CHECK_EQUAL(info_of(stays).epoch, 3);
            CHECK(info_of(stays).lost <= 2 * 10);
            CHECK(all + info_of(stays).lost <= (uint64_t)drains[0].numbers[0] + 2 * 10);
            end_both();
        }
    }
}
/* Runs into a hang at message `at`. On a slow machine the deadline may pass before it: then again, with more time. */
static void run_into_a_hang(uint32_t at)
{
    for (int64_t deadline = SF_MS(150);; deadline *= 2) {
        sf_link_desc link = { .name = "x", .capacity = 3, .bytes = 512 };
        sf_peer_desc p = { .deadline = deadline, .wait = SF_MS(20000) };
        clear();
        pipes_begin(PIPE_HANG, at, 200, 30, at);
        make_side(&a, false, &p);
        make_side(&b, true, &p);
        add_feed(&a, 0, "source", 1000, &link);
        add_drain(&b, 0, "reader", &link);
        run_both();
        if (pipes.fired || deadline > SF_MS(2000)) { return; }
        end_both();
    }
}
/* Nothing comes through any more, and nobody says so. */
static void a_hang_is_a_loss(void **state)
{
    (void)state;
    FOR_WAYS() {
        for (uint32_t at = 3; at < 40; at += by->steps || by == ways ? 4 : 12) {
            run_into_a_hang(at);
            CHECK_EQUAL(pipes.fired, 1);
            CHECK(a.result < 0 || b.result < 0);
            for (int i = 0; i < 2; i++) {
                side *s = i ? &b : &a;
                if (s->result < 0 && !strstr(sf_flow_failure(s->flow)->text, "disconnected") &&
                    !strstr(sf_flow_failure(s->flow)->text, "did not get through")) {
                    result_is(s, SF_ERROR_PEER_LOST, "no byte came for");
                }
            }
            numbers_are(0, 0, drains[0].got);
            end_both();
        }
    }
}
static sf_result start_slowly(sf_context *ctx) { return (void)ctx, (void)usleep(300000), SF_OK; }
static void the_wait_begins_behind_initialize(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {            /* of the side that listens, or connects; in threads, or stepped */
        const sf_peer_desc p = { .wait = SF_MS(250) }, patient = { .wait = SF_MS(10000) };
        side *slow = i % 2 ? &a : &b;
        const sf_op_desc d = { .name = "slow", .initialize = start_slowly, .compute = nothing, .count = 1 };
        by = &ways[i / 2];
        clear();
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        make_side(&a, false, slow == &a ? &p : &patient);
        make_side(&b, true, slow == &b ? &p : &patient);
        add_feed(&a, 0, "source", 20, &(sf_link_desc){ .name = "x" });
        add_drain(&b, 0, "reader", &(sf_link_desc){ .name = "x" });
        (void)sf_flow_add(slow->flow, &d);
        begin_side(slow == &a ? &b : &a);
        begin_side(slow);
        if (!both_are_over(GUARD)) { hangs("both are over"); }
        both_end_well();
        numbers_are(0, 0, 20);
        end_both();
    }
}
static bool all_are_over(side *sides, int count)
{
    bool done = true;
    for (int i = 0; i < count; i++) {
        (void)step_side(&sides[i]);
        done = over(&sides[i]) && done;
    }
    return done;
}
static void nobody_comes(void **state)       /* twelve flows at once, each by itself: all of them wait */
{
    enum { FLOWS = 12 };
    static side sides[FLOWS];
    static char addresses[FLOWS][16];
    (void)state;
    FOR_WAYS() {
        clear();
        memset(sides, 0, sizeof sides);
        pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
        for (int i = 0; i < FLOWS; i++) {
            snprintf(addresses[i], sizeof addresses[i], "pipe:%d", i);
            make_side(&sides[i], i % 2, &(sf_peer_desc){ .on_lost = (sf_on_lost)(i / 4), .wait = SF_MS(300),
                                                         .address = addresses[i] });
            if (i % 4 / 2) {
                add_feed(&sides[i], i / 2, "x", 10, NULL);
            } else {
                add_drain(&sides[i], i / 2, "x", NULL);
            }
        }
        for (int i = 0; i < FLOWS; i++) { begin_side(&sides[i]); }
        UNTIL(all_are_over(sides, FLOWS));
        for (int i = 0; i < FLOWS; i++) {
            side *s = &sides[i];
            if (i / 4 == SF_ON_LOST_END) {
                result_is(s, SF_OK, NULL);
            } else {
                result_is(s, SF_ERROR_PEER_LOST, "it did not come within 300 ms");
                if (i % 2 == 0) { result_is(s, SF_ERROR_PEER_LOST, "nobody listens there"); }
            }
            CHECK_EQUAL(info_of(s).epoch, 0);
            end_side(s);
        }
        for (size_t i = 0; i < COUNT(drains); i++) { CHECK_EQUAL(drains[i].got, 0); }
        end_both();
    }
}

/* -- what is refused: by both sides, in words -- */

static void sides_that_do_not_fit(void **state)
{
    static const struct { const char *connects, *listens; } words[] = {
        { "the peer's name or token is wrong", "it did not come" }, { "the peer's name or token is wrong", "" },
        { "there is no link \"y\" on the other side", "there is no link" },
        { "different .overflow", "different .overflow" }, { "different .bytes", "different .bytes" },
        { "both sides send", "both sides" }, { "1 links, the other", "" },
        { "metadata_entries are fewer", "metadata_entries" }, { "both sides receive", "both sides" },
    };
    (void)state;
    for (by = ways; by < ways + 2; by++) {
        for (size_t i = 0; i < COUNT(words); i++) {
            for (int end = by->steps, again = 0; end <= by->steps; end++) {
                sf_link_desc x = { .name = "x", .bytes = 512, .capacity = 3 }, y = x;
                sf_peer_desc p = { .wait = SF_MS(20000), .on_lost = end ? SF_ON_LOST_END : SF_ON_LOST_STOP_FLOW }, q = p;
                q.wait = SF_MS((by->steps ? 200 : 400) << 2 * again);        /* a slow machine comes too late at first */
                if (i == 0) { p.token = "open sesamf"; }
                if (i == 1) { p.name = "beer"; }
                if (i == 2) { x.name = "y"; }
                if (i == 3) { x.overflow = SF_OVERFLOW_DROP_OLDEST; }
                if (i == 4) { x.bytes = 513; }
                clear();
                pipes_begin(PIPE_SOUND, 0, 4096, 30, i);
                if (i == 7) {                /* a receiver with less room for metadata */
                    b.flow = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend,
                        .metadata_entries = 3, .logger = { keep_log, &b } });
                    b.peer = sf_flow_add_peer(b.flow, &(sf_peer_desc){ .name = "peer", .address = "pipe:one",
                        .token = "open sesame", .listen = true, .transport = &pipe_table, .wait = q.wait,
                        .on_lost = q.on_lost });
                } else {
                    make_side(&b, true, &q);
                }
                make_side(&a, false, &p);
                if (i == 8) { add_drain(&a, 1, "drain", &x); } else { add_feed(&a, 0, "source", 10, &x); }
                if (i == 5) { add_feed(&b, 1, "source", 10, &y); } else { add_drain(&b, 0, "reader", &y); }
                if (i == 6) { add_feed(&b, 1, "more", 10, &(sf_link_desc){ .name = "more" }); }
                run_both();
                if (again < 3 && !strstr(sf_flow_failure(a.flow)->text, words[i].connects)) {
                    end_both();
                    again++;
                    end--;
                    continue;
                }
                again = 0;
                result_is(&a, SF_ERROR_PEER_LOST, words[i].connects);
                result_is(&a, SF_ERROR_PEER_LOST, "it refuses the connection");
                if (end) {
                    result_is(&b, SF_OK, NULL);
                } else {
                    result_is(&b, SF_ERROR_PEER_LOST, words[i].listens);
                }
                CHECK_EQUAL(drains[0].got + drains[1].got, 0);
                CHECK_EQUAL(info_of(&a).epoch + info_of(&b).epoch, 0);
                end_both();
            }
        }
    }
}

/* -- a peer that this test plays: the wire, byte by byte -- */

static raw_peer raw, more_raw[8];
static uint64_t conn;                        /* of the last WELCOME */
static uint32_t epoch;

static void header_of(uint8_t *h, int word, uint64_t number, uint64_t credit, uint64_t bytes)
{
    memset(h, 0, 512);
    put(h, 0x314c4653, 4);
    h[4] = 1;
    h[5] = (uint8_t)word;
    put(h + 6, 64, 2);
    put(h + 8, conn, 8);
    put(h + 20, epoch, 4);
    put(h + 24, number, 8);
    put(h + 32, credit, 8);
    put(h + 40, bytes, 8);
    put(h + 48, UINT64_MAX, 8);
}
static void value_of(uint8_t *h, uint64_t number, int64_t value)             /* DATA: 80 bytes */
{
    header_of(h, DATA, number, 0, 0);
    put(h + 6, 80, 2);
    h[62] = 1;
    put(h + 64, (uint64_t)value, 8);
}
static size_t body_of(uint8_t *at, const char *name, const char *token, bool sends, size_t bytes)    /* one link "x" */
{
    memset(at, 0, 208);
    if (token) { memcpy(at, token, strlen(token)); }
    put(at + 32, 77, 8);
    put(at + 40, 4, 4);
    put(at + 44, 1000, 4);
    memcpy(at + 48, name, strlen(name));
    put(at + 96, 1, 4);
    at[128] = 'x';
    at[128 + 48] = sends;
    put(at + 128 + 50, 4, 2);
    put(at + 128 + 56, bytes, 8);
    return 208;
}
static void pump(void)
{
    if (raw.transport) { (void)pipe_progress(raw.transport); }
    for (size_t i = 0; i < COUNT(more_raw); i++) {
        if (more_raw[i].transport) { (void)pipe_progress(more_raw[i].transport); }
    }
    go_on();
}
#define PUMP_UNTIL(condition)                                                                                \
    do {                                                                                                     \
        int64_t end_ = sf_flow_now(NULL) + GUARD;                                                            \
        while (!(condition) && sf_flow_now(NULL) < end_) { pump(); }                                         \
        if (!(condition)) { hangs(#condition); }                                                             \
    } while (0)
static const raw_message *heard(int word)    /* NULL: no such one */
{
    for (uint32_t i = 0; i < raw.count && i < COUNT(raw.got); i++) {
        if (raw.got[i].header[5] == word) { return &raw.got[i]; }
    }
    return NULL;
}
static void hello(size_t bytes)              /* as a right peer that sends on "x" */
{
    static uint8_t body[512];
    uint8_t h[512];
    raw_open(&raw, "pipe:one", false);
    conn = epoch = 0;
    header_of(h, HELLO, 0, 0, body_of(body, "peer", "open sesame", true, bytes));
    raw_send(&raw, h, 64, body, 208);
    PUMP_UNTIL(heard(WELCOME) || raw.lost);
    if (raw.lost) { fail_msg("not welcome: %s", raw.why); }
    conn = get(heard(WELCOME)->header + 8, 8);
    epoch = (uint32_t)get(heard(WELCOME)->header + 20, 4);
    header_of(h, PING, 0, 0, 0);
    raw_send(&raw, h, 64, NULL, 0);
    PUMP_UNTIL(heard(CREDIT));               /* so it is heard */
}
static void b_listens(size_t bytes)          /* with a reader of "x", for ever */
{
    clear();
    pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
    make_side(&b, true, &(sf_peer_desc){ .on_lost = SF_ON_LOST_WAIT, .wait = -1 });
    add_drain(&b, 0, "reader", &(sf_link_desc){ .name = "x", .capacity = 4, .bytes = bytes });
    drains[0].bare = true;
    begin_side(&b);
}
/* A sound flow comes, and is heard: what was before has left nothing behind. */
static void b_still_hears(size_t bytes)
{
    uint32_t before = test_load(&drains[0].got);
    make_side(&a, false, NULL);
    feeds[0].from = 1000;
    add_feed(&a, 0, "source", 20, &(sf_link_desc){ .name = "x", .capacity = 4, .bytes = bytes });
    begin_side(&a);
    PUMP_UNTIL(over(&a) && over(&b));
    both_end_well();
    if (drains[0].wrong[0]) { fail_msg("%s", drains[0].wrong); }
    CHECK_EQUAL(drains[0].got, before + 20);
    CHECK_EQUAL(drains[0].numbers[before + 19], 1019);
    end_both();
}
static void wait_for_listener(void)
{
    UNTIL(pipe_listener("pipe:one") != NULL);
}
static void a_hand_made_peer(void **state)   /* the wire is what it says it is */
{
    uint8_t h[512];
    (void)state;
    for (by = ways; by < ways + 2; by++) {
        b_listens(0);
        wait_for_listener();
        hello(0);
        CHECK_EQUAL(get(heard(CREDIT)->header + 32, 8), 4);
        for (uint64_t n = 0; n < 4; n++) {
            value_of(h, n, 500 + (int64_t)n);
            raw_send(&raw, h, 80, NULL, 0);
        }
        header_of(h, END, 4, 0, 0);
        raw_send(&raw, h, 64, NULL, 0);
        PUMP_UNTIL(heard(BYE));
        header_of(h, BYE, 0, 0, 0);
        raw_send(&raw, h, 64, NULL, 0);
        for (int i = 0; i < 20; i++) { pump(); }
        raw_close(&raw);
        UNTIL(over(&b));
        result_is(&b, SF_OK, NULL);
        numbers_are(0, 500, 4);
        CHECK(heard(BYE) && !heard(STOP));
        end_both();
    }
}
static void bad_words_are_named(void **state)
{
    static const struct { const char *field; int kind; } cases[] = {
        { "(magic)", 0 }, { "(version)", 1 }, { "(word)", 2 }, { "(word)", 3 }, { "(size)", 4 }, { "(size)", 5 },
        { "(connection)", 6 }, { "(epoch)", 7 }, { "(number)", 8 }, { "(credit)", 9 }, { "(bytes)", 10 },
        { "(shape)", 11 }, { "(dimensions)", 12 }, { "(flags)", 13 }, { "(metadata)", 14 }, { "(metadata)", 15 },
        { "(timestamp)", 16 }, { "(link)", 17 }, { "(direction)", 18 }, { "(number)", 19 },
        { "(content)", 21 }, { "(bytes)", 22 }, { "(word)", 23 }, { "(shape)", 24 }, { "(shape)", 25 },
        { "(direction)", 26 }, { "(content)", 27 }, { "(size)", 28 }, { "(bytes)", 29 },
        { "(end)", 20 },                     /* the last one, as it ends the reader */
    };
    static uint8_t data[1024];
    (void)state;
    for (by = ways; by < ways + 2; by++) {
        b_listens(512);
        drains[0].bytes = 0;                 /* values alone are right here */
        wait_for_listener();
        for (size_t i = 0; i < COUNT(cases); i++) {
            uint8_t h[512];
            size_t n = 80, bytes = 0;
            uint32_t got = test_load(&drains[0].got);
            hello(512);
            value_of(h, 0, 5);
            switch (cases[i].kind) {
            case 0: h[0] ^= 1; break;
            case 1: h[4] = 2; break;
            case 2: h[5] = 0; break;
            case 3: h[5] = 11; break;
            case 4: n = 63; break;
            case 5: put(h + 6, 81, 2); break;
            case 6: h[8] ^= 1; break;
            case 7: h[20] ^= 1; break;
            case 8: h[24] = 1; break;
            case 9:                          /* more than it may send: the reader does not read meanwhile */
                test_store(&drains[0].allowed, got);
                for (uint64_t k = 0; k < 4; k++) {
                    value_of(h, k, 5);
                    raw_send(&raw, h, 80, NULL, 0);
                }
                value_of(h, 4, 5);
                break;
            case 10:
            case 11:
            case 24:
            case 25:                         /* a tensor of more than .bytes; of another size than its shape; without
                                                an element; whose size overflows */
                bytes = cases[i].kind == 10 ? 520 : 256;
                header_of(h, DATA, 0, 0, bytes);
                put(h + 6, n = 64 + 8 * (cases[i].kind == 25 ? 2 : 1), 2);
                put(h + 58, SF_U8, 3);
                h[61] = cases[i].kind == 25 ? 2 : 1;
                put(h + 64, cases[i].kind == 11 ? 257 : bytes, 8);
                if (cases[i].kind == 24) { put(h + 64, UINT64_MAX - 255, 8); }
                if (cases[i].kind == 25) {
                    put(h + 64, (uint64_t)1 << 60, 8);
                    put(h + 72, (uint64_t)1 << 12, 8);
                }
                break;
            case 12: h[61] = 9; break;
            case 13: h[63] = 1; break;
            case 14: put(h + 56, 7, 2); break;
            case 15:                         /* five entries: this flow has four */
                put(h + 56, 100, 2);
                put(h + 6, n = 180, 2);
                break;
            case 16: put(h + 48, (uint64_t)-5, 8); break;
            case 17: h[16] = 7; break;
            case 18: header_of(h, CREDIT, 0, 4, 0), n = 64; break;
            case 19: header_of(h, END, 3, 0, 0), n = 64; break;
            case 20:
                test_store(&drains[0].allowed, got);
                value_of(h, 0, 5);
                raw_send(&raw, h, 80, NULL, 0);
                header_of(h, END, 1, 0, 0);
                raw_send(&raw, h, 64, NULL, 0);
                value_of(h, 1, 5);
                break;
            case 21: h[5] = PING; break;
            case 22: h[40] = 8; break;
            case 23: h[5] = HELLO, h[62] = 0, put(h + 6, n = 64, 2), h[40] = 8, bytes = 8; break;
            case 26: header_of(h, CLOSE, 0, 0, 0), n = 64; break;
            case 27: h[61] = 1, put(h + 6, n = 88, 2); break;
            case 28: n = 500; break;
            default: h[5] = PING, h[62] = 0, put(h + 6, n = 64, 2), h[40] = 8, bytes = 8;
            }
            raw_send(&raw, h, n, data, bytes);
            PUMP_UNTIL(raw.lost);
            raw_close(&raw);
            UNTIL(!is_up(&b));
            if (cases[i].kind == 20) {
                CHECK(strstr(info_of(&b).why, cases[i].field));
            } else {
                UNTIL(has_logged(&b, cases[i].field));
            }
            clear_log(&b);
            test_store(&drains[0].allowed, UINT32_MAX);
            if (cases[i].kind != 20 && over(&b)) { fail_msg("%s: over behind case %zu: %d", by->name, i, (int)b.result); }
        }
        UNTIL(over(&b));                     /* all that was to come had come */
        result_is(&b, SF_OK, NULL);
        end_both();
    }
}
/* Before HELLO nothing is believed, and nothing is kept. */
static void strangers(void **state)
{
    static uint8_t body[4096];
    rng r = rng_seed(4);
    (void)state;
    for (by = ways; by < ways + 2; by++) {
        b_listens(512);
        wait_for_listener();
        for (int i = 0; i < 60; i++) {
            uint8_t h[512];
            size_t n = 1 + rng_below(&r, 512), bytes = rng_below(&r, 2) * rng_below(&r, 4096);
            raw_open(&raw, "pipe:one", false);
            conn = epoch = 0;
            rng_fill(&r, h, sizeof h);
            rng_fill(&r, body, sizeof body);
            if (i % 3 == 0) {                /* a HELLO with a wrong body */
                size_t of = body_of(body, "peer", "open sesame", true, 512);
                size_t at = rng_below(&r, 140);
                bytes = i % 2 ? of : rng_below(&r, 207) + 1;
                if (i % 2) { body[at] ^= (uint8_t)(1 + rng_below(&r, 255)); }
                if (i % 2 && at >= 12 && at < 48) { body[3] = 0; }           /* what may be anything */
                if (i % 2 && at >= 53) { body[96] = 33; }
                header_of(h, HELLO, 0, 0, bytes);
                n = 64;
            } else if (i % 3 == 1) {         /* another word first */
                header_of(h, 2 + i % 12, 0, 0, bytes);
                n = 64;
            }
            raw_send(&raw, h, n, bytes ? body : NULL, bytes);
            PUMP_UNTIL(raw.lost || heard(REFUSE));
            if (heard(WELCOME)) { fail_msg("%d: welcome", i); }
            PUMP_UNTIL(raw.lost);
            raw_close(&raw);
        }
        CHECK_EQUAL(info_of(&b).epoch, 0);
        b_still_hears(512);
    }
}
static void too_many_strangers(void **state) /* four may be silent for two seconds; a fifth is turned away */
{
    (void)state;
    for (by = ways; by < ways + 2; by++) {
        uint32_t away = 0;
        b_listens(0);
        wait_for_listener();
        for (size_t i = 0; i < COUNT(more_raw); i++) {
            raw_open(&more_raw[i], "pipe:one", false);
            for (int k = 0; k < 5; k++) { go_on(); }
        }
        for (int i = 0; i < 100; i++) { pump(); }
        for (size_t i = 0; i < COUNT(more_raw); i++) { away += more_raw[i].lost; }
        CHECK_EQUAL(away, COUNT(more_raw) - 4);
        for (size_t i = 0; i < COUNT(more_raw); i++) { PUMP_UNTIL(more_raw[i].lost); }
        for (size_t i = 0; i < COUNT(more_raw); i++) { raw_close(&more_raw[i]); }
        b_still_hears(0);
    }
}
/* The side that connects, and a listener that answers wrongly. */
static void bad_answers(void **state)
{
    static const struct { const char *words; int kind; bool refuses; } cases[] = {
        { "(version)", 0, false }, { "(magic)", 1, false }, { "(word)", 2, false },
        { "its answer is damaged", 3, false }, { "description of links is damaged", 4, false },
        { "no link \"z\"", 5, false },
        { "it refuses the connection: go away?", 6, true }, { "it refuses the connection: try again", 7, false },
        { "both sides send", 8, false }, { "the name of a link is damaged", 9, false },
        { "it does not answer", 10, false },
    };
    static uint8_t body[512];
    (void)state;
    for (by = ways; by < ways + 2; by++) {
        for (size_t i = 0; i < COUNT(cases); i++) {
            uint8_t h[512];
            size_t bytes;
            clear();
            pipes_begin(PIPE_SOUND, 0, 4096, 0, 1);
            raw_open(&raw, "pipe:one", true);
            make_side(&a, false, &(sf_peer_desc){ .wait = SF_MS(by->steps ? 150 : 300) });
            add_feed(&a, 0, "source", 10, &(sf_link_desc){ .name = "x", .capacity = 4 });
            begin_side(&a);
            while (!over(&a)) {              /* it comes again and again */
                pump();
                PUMP_UNTIL(heard(HELLO) || raw.lost || over(&a));
                if (heard(HELLO) && cases[i].kind != 10) {
                    CHECK(!memcmp(heard(HELLO)->body, "open sesame", 12));
                    conn = 99;
                    epoch = 1;
                    bytes = body_of(body, "peer", NULL, cases[i].kind == 8, 0);
                    if (cases[i].kind == 3) { bytes = 100; }
                    if (cases[i].kind == 4) { body[96] = 2; }
                    if (cases[i].kind == 5) { body[128] = 'z'; }
                    if (cases[i].kind == 6 || cases[i].kind == 7) {
                        strcpy((char *)body, cases[i].kind == 6 ? "go away\n" : "try again");
                        bytes = 10;
                    }
                    if (cases[i].kind == 9) { memset(body + 128, 'x', 48); }
                    header_of(h, cases[i].kind == 2 ? DATA : cases[i].kind == 6 || cases[i].kind == 7 ? REFUSE : WELCOME,
                              0, 0, bytes);
                    if (cases[i].kind == 0) { h[4] = 0; }
                    if (cases[i].kind == 1) { h[3] = 'T'; }
                    if (cases[i].kind == 2) { value_of(h, 0, 3); }
                    raw_send(&raw, h, cases[i].kind == 2 ? 80 : 64, body, cases[i].kind == 2 ? 0 : bytes);
                    PUMP_UNTIL(raw.lost || over(&a));
                }
                if (raw.lost) {
                    raw_leave(&raw);
                    raw.lost = false;
                    raw.count = 0;
                }
            }
            result_is(&a, SF_ERROR_PEER_LOST, cases[i].words);
            if (!cases[i].refuses) { result_is(&a, SF_ERROR_PEER_LOST, "it did not come within"); }
            raw_close(&raw);
            end_both();
        }
    }
}

/* -- what is refused while a flow is built -- */

static void peers_that_are_none(void **state)
{
    static const char *const words[] = {
        "there is no desc", "needs a .name of 1 to 47 bytes", "needs a .name", "needs an .address", "needs an .address",
        ".token of 8 to 32 bytes", ".token of 8 to 32 bytes", ".token of 8 to 32 bytes", "no such .on_lost",
        ".deadline is a millisecond at least", ".deadline is a millisecond at least", "no such group of .workers",
        "there is one of that name already", "the same .workers", "the same .transport", "a simulated clock",
        "have no links", "give a .transport", "more than once",
    };
    static const sf_transport other = { .name = "other" };
    (void)state;
    by = &ways[0];
    for (int i = 0; i < 18; i++) {
        sf_peer_desc d = { .name = "peer", .address = "pipe:one", .token = "open sesame", .transport = &pipe_table };
        sf_flow_desc fd = { .device = device, .backend = test_backend, .logger = { keep_log, &a } };
        void *memory = NULL;
        sf_result want = SF_ERROR_INVALID_VALUE;
#if defined(__has_include)
    #if __has_include(<ucp/api/ucp.h>)               /* then the library of the suites has UCX */
        if (i == 17) { continue; }
    #endif
#endif
        clear();
        if (i == 15) { fd.clock.simulated = true; }
        if (i == 16) {
            fd.limits.ops = fd.limits.edges = fd.limits.messages = 8;
            fd.memory.bytes = sf_flow_memory(&fd);
            fd.memory.ptr = memory = malloc(fd.memory.bytes);
        }
        a.flow = sf_flow_create(&fd);
        CHECK(a.flow != NULL);
        if (i >= 12 && i <= 14) { CHECK(sf_flow_add_peer(a.flow, &d).id); }
        if (i >= 13 && i <= 14) { d.name = "second"; }
        switch (i) {
        case 1: d.name = NULL; break;
        case 2: d.name = "123456789.123456789.123456789.123456789.12345678"; break;
        case 3: d.address = NULL; break;
        case 4: d.address = ""; break;
        case 5: d.token = NULL; break;
        case 6: d.token = "1234567"; break;
        case 7: d.token = "123456789.123456789.123456789.123"; break;
        case 8: d.on_lost = (sf_on_lost)3; break;
        case 9: d.deadline = -1; break;
        case 10: d.deadline = 999999; break;
        case 11: d.workers = SF_DESC_WORKERS; break;
        case 13: d.workers = 1; break;
        case 14: d.transport = &other; break;
        case 15: case 16: want = SF_ERROR_NOT_SUPPORTED; break;
        case 17: d.transport = NULL; break;
        default: break;
        }
        CHECK_EQUAL(sf_flow_add_peer(a.flow, i ? &d : NULL).id, 0);
        if (!strstr(sf_flow_failure(a.flow)->text, words[i])) {
            fail_msg("%d: \"%s\", not \"%s\"", i, sf_flow_failure(a.flow)->text, words[i]);
        }
        CHECK_IS(sf_flow_failure(a.flow)->result, want);
        CHECK_IS(sf_flow_run(a.flow), want);
        (void)sf_flow_destroy(a.flow);
        a.flow = NULL;
        free(memory);
    }
}
static void links_that_are_none(void **state)
{
    static const char *const words[] = {
        "the peer is not one of this flow's", "the operator is not one of this flow's", "none", "47 bytes", "47 bytes",
        "a link of that name already", "ERROR is no .overflow", "DEVICE or PINNED", "32 links at most",
    };
    (void)state;
    by = &ways[0];
    for (int i = 0; i < (int)COUNT(words); i++) {
        for (int sends = 0; sends < 2; sends++) {
            sf_link_desc d = { .name = "x" };
            const char *port = sends ? "out" : "in";
            sf_peer peer;
            sf_op op;
            sf_result r;
            clear();
            make_side(&a, false, NULL);
            op = sf_flow_add(a.flow, &(sf_op_desc){ .name = "op", .compute = nothing, .in = { { .name = "in" } },
                .out = { { .name = "out" } } });
            peer = a.peer;
            if (i == 0) { peer.id = 0x77777; }
            if (i == 1) { op.id = 0x77777; }
            if (i == 2) { port = "none"; }
            if (i == 3) { d.name = ""; }
            if (i == 4) { d.name = "123456789.123456789.123456789.123456789.12345678"; }
            if (i == 5) { CHECK_OK(sf_flow_link(a.flow, op, "out", peer, &d)); }
            if (i == 6) { d.overflow = SF_OVERFLOW_ERROR; }
            if (i == 7) { d.memory = SF_MEMORY_MANAGED; }
            for (int k = 0; i == 8 && k < 32; k++) {
                char name[8];
                snprintf(name, sizeof name, "%d", k);
                CHECK_OK(sf_flow_link(a.flow, op, "out", peer, &(sf_link_desc){ .name = name }));
            }
            r = sends ? sf_flow_link(a.flow, op, port, peer, &d) : sf_flow_link_from(a.flow, peer, op, port, &d);
            CHECK(r < 0);
            if (!strstr(sf_flow_failure(a.flow)->text, words[i])) {
                fail_msg("%d: \"%s\", not \"%s\"", i, sf_flow_failure(a.flow)->text, words[i]);
            }
            (void)sf_flow_destroy(a.flow);
            a.flow = NULL;
        }
    }
    {
        sf_peer_info info;
        clear();
        make_side(&a, false, NULL);
        CHECK_IS(sf_flow_get_peer(a.flow, (sf_peer){ 0 }, &info), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_flow_get_peer(a.flow, a.peer, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_flow_get_peer(NULL, a.peer, &info), SF_ERROR_INVALID_HANDLE);
        CHECK_OK(sf_flow_get_peer(a.flow, a.peer, &info));
        CHECK(info.state == SF_PEER_DOWN && !info.epoch && !info.why[0]);
        (void)sf_flow_destroy(a.flow);
        a.flow = NULL;
    }
}

/* -- faults -- */

/* Each call of the transport fails once, each message is lost, doubled or damaged once, and so on; with the fewer
   seeds of a sanitizer every other one. The two runs end, with a failure in words or well; and nothing is left. */
static void faults_of(pipe_fault fault, bool all)
{
    const uint32_t step = test_seeds() < 1000 ? 2 : 1;
    for (uint32_t at = 1, fired = 1, slow = 0; fired; at += all ? step : 7) {
        sf_link_desc link = { .name = "x", .capacity = 2, .bytes = 512 };
        sf_peer_desc p = { .deadline = SF_MS(fault == PIPE_HANG ? 150 : 20000),
                           .wait = SF_MS(slow ? 20000 : by->steps || at == 1 ? 200 : 700), .on_lost = (sf_on_lost)(at % 3) };
        bool ended;
        clear();
        pipes_begin(fault, at, 200, 40, at);
        make_side(&a, false, &p);
        make_side(&b, true, &p);
        add_feed(&a, 0, "source", 12, &link);
        add_drain(&b, 0, "reader", &link);
        link.name = "y";
        link.bytes = 0;
        add_feed(&b, 1, "source", 12, &link);
        add_drain(&a, 1, "reader", &link);
        drains[0].bare = drains[1].bare = fault == PIPE_BENT;
        begin_side(&b);
        begin_side(&a);
        ended = both_are_over(fault == PIPE_BENT ? SF_MS(2000) : GUARD);     /* a bent BYE is none */
        if (!ended && fault != PIPE_BENT) { hangs(pipe_fault_names[fault]); }
        if (!ended) { stop_both(); }
        CHECK(over(&a) && over(&b));
        fired = pipes.fired;
        if (!fired && !slow) {               /* again, with time for a slow machine: all must arrive */
            end_both();
            slow = fired = 1;
            at -= all ? step : 7;
            continue;
        }
        for (int i = 0; i < 2; i++) {
            const side *s = i ? &b : &a;
            const char *text = sf_flow_failure(s->flow)->text;
            if (s->result == SF_OK) { continue; }
            if (fault == PIPE_OPEN || fault == PIPE_LISTEN) {
                if (s->result == SF_ERROR_PEER_LOST) { continue; }
                result_is(s, SF_ERROR_NOT_SUPPORTED, "the pipe was told not");
                continue;
            }
            if (s->result != SF_ERROR_PEER_LOST || strlen(text) < 40) {
                fail_msg("%s at %u, %s: %d: %s", pipe_fault_names[fault], at, by->name, (int)s->result, text);
            }
        }
        if (fault != PIPE_BENT) {
            numbers_rise(0);
            numbers_rise(1);
        }
        if (!fired) {
            both_end_well();
            numbers_are(0, 0, 12);
            numbers_are(1, 0, 12);
        }
        if (p.on_lost == SF_ON_LOST_STOP_FLOW && fault != PIPE_BENT) {       /* a good end: all has arrived */
            if (a.result == SF_OK) { CHECK_EQUAL(info_of(&b).received, 12); }
            if (b.result == SF_OK) { CHECK_EQUAL(info_of(&a).received, 12); }
        }
        end_both();
    }
}
static void each_fault_is_borne(void **state)
{
    (void)state;
    for (pipe_fault fault = PIPE_OPEN; fault < PIPE_FAULTS; fault++) {
        for (by = ways; by < ways + COUNT(ways); by++) {
            if (by->jobs || by->workers == 1) { continue; }
            faults_of(fault, by->steps && fault != PIPE_HANG);
        }
    }
}
static void without_memory(void **state)     /* each request of a start is refused once */
{
    bool failed = true;
    (void)state;
    by = &ways[0];
    for (long n = 1; failed; n++) {
        sf_link_desc link = { .name = "x", .bytes = 512 };
        clear();
        pipes_begin(PIPE_SOUND, 0, 200, 0, 1);
        make_side(&b, true, NULL);
        add_drain(&b, 0, "reader", &link);
        link.name = "y";
        add_feed(&b, 1, "source", 12, &link);
        b.heap.fail_at = b.heap.total + n;
        begin_side(&b);
        failed = b.result < 0;
        if (failed) {
            CHECK_IS(b.result, SF_ERROR_OUT_OF_MEMORY);
            CHECK(sf_flow_failure(b.flow)->text[0]);
            CHECK(!pipes_are_empty());
            b.heap.fail_at = 0;              /* the next start has all it needs */
            begin_side(&b);
        }
        CHECK_OK(sf_flow_stop(b.flow));
        UNTIL(over(&b));
        result_is(&b, SF_OK, NULL);
        end_both();
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(values_arrive), TEST(tensors_arrive), TEST(what_does_not_fit_fails), TEST(values_and_tensors_on_one_link),
        TEST(several_peers_at_one_address), TEST(peers_of_another_group), TEST(copies_send_in_order),
        TEST(a_loop_that_sleeps),
        TEST(names_of_any_language), TEST(idle_links_sleep),
        TEST(block_holds_the_producer), TEST(drop_newest_keeps_the_first), TEST(drop_oldest_keeps_the_last),
        TEST(latest_is_the_newest), TEST(a_window_below_the_batch_is_refused),
        TEST(a_fast_source_never_waits), TEST(the_end_of_the_reader_ends_the_source),
        TEST(a_reader_ends_in_front_of_messages), TEST(one_of_two_links_ends_early), TEST(finish_loses_nothing),
        TEST(a_stop_is_told), TEST(a_failure_is_told), TEST(runs_follow_each_other), TEST(runs_in_two_loops), TEST(lost_anywhere),
        TEST(a_new_peer_is_heard), TEST(a_new_reader_is_heard), TEST(a_hang_is_a_loss), TEST(the_wait_begins_behind_initialize), TEST(nobody_comes),
        TEST(sides_that_do_not_fit), TEST(a_hand_made_peer), TEST(bad_words_are_named), TEST(strangers),
        TEST(too_many_strangers), TEST(bad_answers), TEST(peers_that_are_none), TEST(links_that_are_none),
        TEST(each_fault_is_borne), TEST(without_memory),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
