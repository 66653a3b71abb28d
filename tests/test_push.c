/*  test_push.c - external inputs: what a push without room does, what became of each message, and tickets that tell it.

    The rule, which `stepped` models and `sent` checks for threads. A message that a push accepts waits in front of the
    operator until a compute that has received it returns, or it is dropped. Of an input with DROP_OLDEST the newest
    `capacity` that no compute has received stay (LATEST: one, which computes read again), and those that the compute
    under way has begun with. Each accepted message has one fate. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "hooks.h"

enum { NO_FATE = -1, POLICIES = SF_OVERFLOW_ERROR + 1 };
static const char *const policy_names[] = { "BLOCK", "DROP_OLDEST", "DROP_NEWEST", "LATEST", "ERROR" };
static bool gives_way(sf_overflow o) { return o == SF_OVERFLOW_DROP_OLDEST || o == SF_OVERFLOW_LATEST; }
static sf_result without_room(sf_overflow o)
{
    return o == SF_OVERFLOW_BLOCK ? SF_BUSY : o == SF_OVERFLOW_ERROR ? SF_ERROR_QUEUE_FULL : SF_IGNORED;
}
static int told(sf_flow *f, sf_ticket *t)                    /* its fate; NO_FATE: it is pending */
{
    sf_fate fate = SF_FATES;
    sf_result r = sf_ticket_wait(f, t, 0, &fate);
    if (r == SF_TIMEOUT) { return NO_FATE; }
    CHECK_OK(r);
    CHECK(fate < SF_FATES);
    return (int)fate;
}
static void adds_up(const sf_edge_info *e)
{
    uint64_t sum = e->queued;
    for (int k = 0; k < SF_FATES; k++) { sum += e->fates[k]; }
    CHECK_EQUAL(sum, e->messages);
}

/* -- one operator, stepped on this thread: each message where the model has it -- */

enum { MOST = 400 };
static struct {
    rng r;
    sf_flow *flow;
    sf_op op;
    sf_overflow overflow;
    uint32_t capacity, batch, sent, refused, computes;
    uint32_t queue[MOST], queued;                            /* not received, the oldest first; LATEST: one at most */
    uint32_t lent;                                           /* of these, the first ones: the compute may receive them */
    uint32_t got;                                            /* and has received so many of them */
    bool read, computing, in_push;                           /* read: LATEST: the value in the queue */
    bool failed;
    int fate[MOST];                                          /* by number; NO_FATE: it waits */
    sf_ticket tickets[MOST];
    int64_t times[MOST];
} m;

static void m_trim(void)                                     /* no more than the capacity, besides what is lent */
{
    uint32_t most = m.overflow == SF_OVERFLOW_LATEST ? 1 : m.capacity;
    if (!gives_way(m.overflow)) { return; }
    while (m.queued - m.lent > most) {
        m.fate[m.queue[m.lent]] = SF_FATE_OVERFLOW;
        memmove(&m.queue[m.lent], &m.queue[m.lent + 1], (--m.queued - m.lent) * sizeof m.queue[0]);
    }
}
static void m_replace_read(void)                             /* LATEST: a newer value is there, so this one goes */
{
    if (m.overflow != SF_OVERFLOW_LATEST || m.computing || m.queued < 2) { return; }
    if (!m.read) { m.fate[m.queue[0]] = SF_FATE_OVERFLOW; }
    memmove(m.queue, m.queue + 1, --m.queued * sizeof m.queue[0]);
    m.read = false;
}
static void push_one(void)
{
    uint32_t n = m.sent % MOST;
    bool full = !gives_way(m.overflow) && m.queued >= m.capacity;
    sf_message message = { .value = number(n), .time = rng_below(&m.r, 2) ? (int64_t)n * 10 : -1,
                           .ticket = &m.tickets[n] };
    if (m.sent == MOST) { return; }
    CHECK_IS(sf_flow_push_message(m.flow, m.op, 0, &message), full ? without_room(m.overflow) : SF_OK);
    if (full) {
        m.refused += m.overflow != SF_OVERFLOW_BLOCK;
        CHECK_IS(sf_ticket_wait(m.flow, &m.tickets[n], 0, NULL), SF_ERROR_ILLEGAL_STATE);
        return;
    }
    m.times[n] = message.time;
    m.fate[n] = NO_FATE;
    m.queue[m.queued++] = n;
    m.sent++;
    m_replace_read();
    m_trim();
}
static sf_result take_modelled(sf_context *ctx)
{
    uint32_t i;
    int fails = rng_below(&m.r, 5) == 0 ? SF_ERROR_USER : SF_OK;
    m.computing = true;
    m.lent = m.queued;
    m.computes++;
    CHECK_EQUAL(sf_available(ctx, 0), m.queued);
    for (m.got = 0, i = m.sent == MOST ? m.queued : rng_below(&m.r, m.queued + 1); m.got < i; m.got++) {
        uint32_t want = m.queue[m.got];
        CHECK_EQUAL(sf_receive_value(ctx, 0).i64, want);
        CHECK_EQUAL(sf_get_timestamp(ctx, 0), m.times[want]);
    }
    for (i = rng_below(&m.r, 3) ? 0 : rng_below(&m.r, 2 * m.capacity + 3); i; i--) { push_one(); }
    m.failed = fails != SF_OK;
    return fails ? sf_fail(ctx, SF_ERROR_USER, "as asked for") : SF_OK;
}
/* Behind a step: what a compute has received is gone, with its fate. */
static void m_commit(void)
{
    if (!m.computing) { return; }
    m.computing = false;
    for (uint32_t i = 0; i < m.got; i++) {
        if (m.overflow == SF_OVERFLOW_LATEST && m.read) { break; }
        m.fate[m.queue[i]] = m.failed ? SF_FATE_FAILED : SF_FATE_DELIVERED;
    }
    m.lent = 0;
    if (m.overflow == SF_OVERFLOW_LATEST) {
        m.read = m.read || m.got;
        m_replace_read();
    } else {
        memmove(m.queue, m.queue + m.got, (m.queued -= m.got) * sizeof m.queue[0]);
    }
    m_trim();
}
/* Tickets: a dropped message's may be told a little later. At the end all are. */
static void compare(bool end)
{
    sf_edge_info e = edge_of(m.flow, m.op, 0, 0);
    uint64_t fates[SF_FATES] = { 0 };
    adds_up(&e);
    CHECK_EQUAL(e.refused, m.refused);
    for (uint32_t n = 0; n < m.sent; n++) {
        int fate = told(m.flow, &m.tickets[n]);
        if (fate != m.fate[n] && (end || fate != NO_FATE || m.fate[n] != SF_FATE_OVERFLOW)) {
            fail_msg("%s, capacity %u: message %u of %u is told %d, not %d", policy_names[m.overflow], m.capacity, n,
                     m.sent, fate, m.fate[n]);
        }
        if (fate != NO_FATE) { fates[fate]++; }
    }
    if (!end) { return; }
    CHECK_EQUAL(e.messages, m.sent);
    CHECK_EQUAL(e.queued, 0);
    if (m.overflow == SF_OVERFLOW_LATEST) {                  /* in edges a value that was read counts as delivered */
        fates[SF_FATE_DELIVERED] += fates[SF_FATE_FAILED], fates[SF_FATE_FAILED] = 0;
    }
    for (int k = 0; k < SF_FATES; k++) { CHECK_EQUAL(e.fates[k], fates[k]); }
}
static void stepped_once(uint64_t seed)
{
    sf_op_desc d = { .name = "a", .compute = take_modelled, .on_error = SF_ON_ERROR_IGNORE };
    sf_flow_desc fd = { .device = device, .backend = test_backend };
    sf_result result = SF_OK;
    bool finish;
    memset(&m, 0, sizeof m);
    m.r = rng_seed(seed);
    m.overflow = (sf_overflow)rng_below(&m.r, POLICIES);
    m.capacity = 1 + rng_below(&m.r, rng_below(&m.r, 2) ? 3 : 9);
    m.batch = m.overflow == SF_OVERFLOW_LATEST || rng_below(&m.r, 2) ? 1 : 1 + rng_below(&m.r, m.capacity);
    d.in[0] = (sf_port){ .name = "in", .external = true, .capacity = (uint16_t)m.capacity, .batch = (uint16_t)m.batch,
                         .overflow = m.overflow, .tickets = true };
    if (rng_below(&m.r, 3) == 0) { fd.trace_events = 16; }
    if (rng_below(&m.r, 3) == 0) { d.on_error = SF_ON_ERROR_IGNORE, fd.metadata_entries = 2; }
    m.flow = sf_flow_create(&fd);
    m.op = sf_flow_add(m.flow, &d);
    finish = rng_below(&m.r, 2);
    CHECK_OK(sf_flow_check(m.flow, false, NULL, NULL));      /* pushes are taken from here on */
    for (int k = 0; k < 40; k++) {
        for (uint32_t i = rng_below(&m.r, 2 * m.capacity + 3); i; i--) { push_one(); }
        for (uint32_t i = rng_below(&m.r, 8); i; i--) {
            uint32_t before = m.computes;
            bool ready = m.queued >= m.batch;
            sf_result r = sf_flow_step(m.flow, NULL);
            m_commit();
            if (r == SF_IDLE) { break; }
            CHECK_OK(r);
            CHECK(m.computes == before || ready);
            compare(false);
        }
    }
    CHECK(m.computes > 0 || m.sent < m.batch);
    if (finish) { CHECK_OK(sf_flow_finish(m.flow)); } else { CHECK_OK(sf_flow_stop(m.flow)); }
    m.r = rng_seed(seed + 1);
    for (int k = 0; k < 2000; k++) {
        uint32_t was = m.sent;
        sf_result r;
        m.sent = MOST;                       /* no more pushes: what a compute would push now is SF_DONE */
        r = sf_flow_step(m.flow, NULL);
        m.sent = was;
        m_commit();
        result = r == SF_DONE ? SF_OK : r;
        if (r == SF_DONE || r == SF_ERROR_DEADLOCK) { break; }       /* it left messages, and nothing new came */
        if (r != SF_IDLE) { CHECK_OK(r); }
    }
    for (uint32_t i = 0; i < m.queued; i++) {
        if (m.fate[m.queue[i]] == NO_FATE) { m.fate[m.queue[i]] = SF_FATE_ENDED; }
    }
    compare(true);
    destroy_is(m.flow, result);
}
static void stepped(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2 * test_seeds(); seed++) { stepped_once(seed); }
}

/* -- several threads push, each to one port, with and without workers -- */

enum { PORTS = 3, SENT = 600 };
typedef struct port_log {                    /* written by the pushing thread, and by the operator's computes */
    pthread_t thread;
    int port;
    uint64_t seed;
    bool tensors;
    uint32_t accepted, refused, busy, cancelled;
    sf_ticket tickets[SENT];
    uint8_t state[SENT];                     /* 1: accepted; 2: cancelled then */
    uint8_t got[SENT];                       /* 1: received by a compute that succeeded; 2: by one that failed */
    int64_t last, disorder;
} port_log;
static struct {
    sf_flow *flow;
    sf_op op;
    sf_overflow overflow[PORTS];
    uint32_t capacity[PORTS], over, released, made;
    port_log port[PORTS];
    rng r;                                   /* the operator's */
    uint32_t data[1];
} sent;

static void released_one(void *data, void *user) { (void)data, test_add((uint32_t *)user, 1); }
static sf_result push_any(port_log *p, rng *r, uint32_t n)
{
    sf_message message = { .value = number(n), .time = (int64_t)n, .ticket = &p->tickets[n] };
    sf_result result;
    if (p->tensors) {
        message.tensor = sf_tensor_wrap(sent.flow, &(sf_tensor_desc){ .data = sent.data, .shape = { 4 },
            .memory = SF_MEMORY_HOST, .release = released_one, .user = &sent.released });
        test_add(&sent.made, 1);
        CHECK(message.tensor != NULL);
    }
    result = sf_flow_push_message(sent.flow, sent.op, p->port, &message);
    if (result != SF_OK && message.tensor) { sf_tensor_release(message.tensor); }
    if (result != SF_OK || rng_below(r, 8)) { return result; }
    if (sf_ticket_cancel(sent.flow, &p->tickets[n]) == SF_OK) {      /* from now on nothing may write there */
        memset(&p->tickets[n], 0xa5, sizeof p->tickets[n]);
        p->state[n] = 2;
        p->cancelled++;
    }
    return result;
}
static void *push_all(void *arg)
{
    port_log *p = (port_log *)arg;
    rng r = rng_seed(p->seed);
    for (uint32_t n = 0; n < SENT && !test_load(&sent.over);) {
        sf_result result = push_any(p, &r, n);
        if (result == SF_OK) {
            p->state[n] = p->state[n] ? p->state[n] : 1;
            p->accepted++;
            n++;
            if (p->state[n - 1] == 1 && rng_below(&r, 16) == 0) {
                sf_result wait = sf_ticket_wait(sent.flow, &p->tickets[n - 1], rng_below(&r, 2) ? SF_US(300) : 0, NULL);
                if (wait != SF_TIMEOUT) { CHECK_OK(wait); }
            }
        } else if (result == SF_BUSY) {
            p->busy++;
            usleep(10);
        } else if (result == SF_IGNORED || result == SF_ERROR_QUEUE_FULL) {
            p->refused++;
            n++;
        } else {
            CHECK_IS(result, SF_DONE);
            break;
        }
        if (rng_below(&r, 32) == 0) { usleep(rng_below(&r, 100)); }
    }
    return NULL;
}
static sf_result take_sent(sf_context *ctx)
{
    uint32_t count = 0, all[64], ports[64];
    bool fails = rng_below(&sent.r, 9) == 0;
    for (int p = 0; p < PORTS; p++) {
        uint32_t most = 1 + rng_below(&sent.r, 12);      /* else it might wait for news for ever */
        bool latest = sent.overflow[p] == SF_OVERFLOW_LATEST;
        while (most-- && sf_available(ctx, p) && count < 64) {
            int64_t n;
            if (sent.port[p].tensors) { CHECK(sf_receive(ctx, p) != NULL); } else { (void)sf_receive_value(ctx, p); }
            n = sf_get_timestamp(ctx, p);                    /* the number, of both kinds */
            if (latest && n == sent.port[p].last) { continue; }
            sent.port[p].disorder += n <= sent.port[p].last;
            sent.port[p].last = n;
            ports[count] = (uint32_t)p, all[count++] = (uint32_t)n;
        }
    }
    for (uint32_t i = 0; i < count; i++) { sent.port[ports[i]].got[all[i]] = fails ? 2 : 1; }
    if (rng_below(&sent.r, 16) == 0) { usleep(100); }
    return fails ? sf_fail(ctx, SF_ERROR_USER, "as asked for") : SF_OK;
}
static void check_port(port_log *p)
{
    sf_edge_info e = edge_of(sent.flow, sent.op, p->port, 0);
    sf_overflow policy = sent.overflow[p->port];
    uint64_t fates[SF_FATES] = { 0 };
    uint32_t newer = 0, latest = policy == SF_OVERFLOW_LATEST, most = latest ? 1 : sent.capacity[p->port];
    bool ended = true;
    CHECK_EQUAL(p->disorder, 0);
    CHECK_EQUAL(e.messages, p->accepted);
    CHECK_EQUAL(e.refused, p->refused);
    adds_up(&e);
    for (uint32_t n = SENT; n-- > 0;) {                      /* the newest first */
        int fate, want = p->got[n] == 1 ? SF_FATE_DELIVERED : SF_FATE_FAILED;
        if (p->state[n] == 2) {
            static const uint32_t poison[4] = { 0xa5a5a5a5, 0xa5a5a5a5, 0xa5a5a5a5, 0xa5a5a5a5 };
            CHECK(!memcmp(p->tickets[n].state, poison, sizeof poison));
            newer++;
        }
        if (p->state[n] != 1) { continue; }
        fate = told(sent.flow, &p->tickets[n]);
        if (fate == NO_FATE) { fail_msg("%s: message %u of port %d has no fate", policy_names[policy], n, p->port); }
        fates[fate]++;
        if (p->got[n]) {
            if (fate != want) { fail_msg("%s: message %u is told %d, not %d", policy_names[policy], n, fate, want); }
            ended = false;
        } else {
            CHECK(fate == SF_FATE_OVERFLOW || fate == SF_FATE_ENDED);
        }
        if (fate == SF_FATE_ENDED) { CHECK(ended); }         /* behind all that was received */
        if (fate == SF_FATE_OVERFLOW) { CHECK(gives_way(policy) && newer >= most); }
        newer++;
    }
    if (!p->cancelled && !latest) {
        for (int k = 0; k < SF_FATES; k++) { CHECK_EQUAL(e.fates[k], fates[k]); }
    }
    for (int k = 0; k < SF_FATES && !latest; k++) { CHECK(e.fates[k] >= fates[k]); }
}
static void threads_push(uint64_t seed, int32_t workers, bool tensors)
{
    static const char *const names[PORTS] = { "x", "y", "z" };
    rng r = rng_seed(seed * 8 + (uint64_t)workers);
    sf_op_desc d = { .name = "a", .compute = take_sent, .on_error = SF_ON_ERROR_IGNORE, .workers = workers > 2,
                     .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } };
    sf_flow_desc fd = { .device = device, .backend = test_backend, .workers = { { .count = workers } } };
    uint32_t end = rng_below(&r, 4);
    sf_op busy;
    memset(&sent, 0, sizeof sent);
    sent.r = rng_seed(seed);
    if (workers > 2) { fd.workers[0].count = 2, fd.workers[1].count = workers - 2; }
    if (rng_below(&r, 4) == 0) { fd.trace_events = 64; }
    sent.flow = sf_flow_create(&fd);
    for (int p = 0; p < PORTS; p++) {
        sent.overflow[p] = (sf_overflow)rng_below(&r, POLICIES);
        sent.capacity[p] = 1 + rng_below(&r, 6);
        d.in[p] = (sf_port){ .name = names[p], .external = true, .capacity = (uint16_t)sent.capacity[p],
                             .overflow = sent.overflow[p], .tickets = true };
        sent.port[p].port = p;
        sent.port[p].seed = seed * PORTS + (uint64_t)p;
        sent.port[p].last = -1;
        sent.port[p].tensors = tensors && rng_below(&r, 2);
    }
    sent.op = sf_flow_add(sent.flow, &d);
    busy = sf_flow_add(sent.flow, &(sf_op_desc){ .name = "busy", .compute = nothing, .period = SF_US(50) });
    (void)busy;
    if (rng_below(&r, 2)) { CHECK_OK(sf_flow_start(sent.flow)); } else { CHECK_OK(sf_flow_check(sent.flow, false, NULL, NULL)); }
    for (int p = 0; p < PORTS; p++) {
        CHECK_EQUAL(pthread_create(&sent.port[p].thread, NULL, push_all, &sent.port[p]), 0);
    }
    (void)sf_flow_start(sent.flow);          /* pushes from before the start count, too */
    if (end) { usleep(rng_below(&r, 5000)); }
    if (end == 1) { CHECK_OK(sf_flow_finish(sent.flow)); }
    if (end == 2) { CHECK_OK(sf_flow_stop(sent.flow)); }
    if (end == 3) { CHECK(sf_op_stop(sent.flow, sent.op) >= 0); }
    if (end) { test_store(&sent.over, rng_below(&r, 2)); }
    for (int p = 0; p < PORTS; p++) { CHECK_EQUAL(pthread_join(sent.port[p].thread, NULL), 0); }
    CHECK_OK(sf_flow_stop(sent.flow));
    CHECK_OK(sf_flow_wait(sent.flow, GUARD));
    for (int p = 0; p < PORTS; p++) { check_port(&sent.port[p]); }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    destroy(sent.flow);
    (void)sf_device_poll(device, 0);
    CHECK_EQUAL(sent.released, sent.made);
}
static void pushed_by_threads_with(int32_t workers)
{
    for (uint64_t seed = 0; seed < 8 + test_seeds() / 8; seed++) { threads_push(seed, workers, seed % 3 == 0); }
}
static void pushed_by_threads(void **state) { (void)state, pushed_by_threads_with(0); }
static void pushed_to_one_worker(void **state) { (void)state, pushed_by_threads_with(1); }
static void pushed_to_two_workers(void **state) { (void)state, pushed_by_threads_with(2); }
static void pushed_to_four_workers(void **state) { (void)state, pushed_by_threads_with(4); }

/* -- a signal handler or interrupt: a push between any two accesses of the worker, on its own thread -- */

static struct {
    sf_flow *flow;
    sf_op op;
    rng r;
    pthread_t worker;
    bool inside;
    int64_t next, got;
    uint32_t lost, on;
} between;
static void push_between(const char *place)
{
    (void)place;
    if (!test_load(&between.on) || !pthread_equal(between.worker, pthread_self())) { return; }       /* a device's */
    if (between.inside || rng_below(&between.r, 3)) { return; }
    between.inside = true;
    for (uint32_t k = rng_below(&between.r, 9); k; k--) {
        CHECK_OK(sf_flow_push_value(between.flow, between.op, 0, number(++between.next)));
    }
    between.inside = false;
}
static sf_result take_between(sf_context *ctx)
{
    while (sf_available(ctx, 0)) {
        int64_t n = sf_receive_value(ctx, 0).i64;
        CHECK(n > between.got);
        between.lost += (uint32_t)(n - between.got - 1);
        between.got = n;
    }
    return SF_OK;
}
static void pushed_between_any_two_accesses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20 + test_seeds() / 4; seed++) {
        sf_edge_info e;
        memset(&between, 0, sizeof between);
        between.r = rng_seed(seed);
        between.worker = pthread_self();
        between.flow = flow_on(device);
        between.op = sf_flow_add(between.flow, &(sf_op_desc){ .compute = take_between, .in = { { .name = "in",
            .external = true, .capacity = (uint16_t)(1 + seed % 5), .overflow = SF_OVERFLOW_DROP_OLDEST } } });
        CHECK_OK(sf_flow_check(between.flow, false, NULL, NULL));
        test_store(&between.on, 1);
        library.step = push_between;
        for (int k = 0; k < 60; k++) { CHECK(sf_flow_step(between.flow, NULL) >= 0); }
        library.step = NULL;
        while (sf_flow_step(between.flow, NULL) == SF_OK) {}
        CHECK_EQUAL(between.got, between.next);              /* the newest one came */
        CHECK(between.next > 60);
        e = edge_of(between.flow, between.op, 0, 0);
        adds_up(&e);
        CHECK_EQUAL(e.messages, between.next);
        CHECK_EQUAL(e.dropped, between.lost);
        CHECK_EQUAL(e.fates[SF_FATE_DELIVERED], between.next - between.lost);
        destroy(between.flow);
    }
}

/* The operator ends while a push is under way: before the message is in the queue, or behind that. */
static struct { sf_flow *flow; sf_op op; } beside;
static _Thread_local const char *beside_place;               /* of the pushing thread */
static void end_beside(const char *place)
{
    sf_op_info info = { 0 };
    if (!beside_place || strcmp(place, beside_place) != 0) { return; }
    beside_place = NULL;
    CHECK_OK(sf_op_stop(beside.flow, beside.op));
    for (int i = 0; i < 10000 && info.state != SF_OP_STOPPED; i++) {
        usleep(500);
        CHECK_OK(sf_op_get_info(beside.flow, beside.op, &info));
    }
    CHECK_EQUAL(info.state, SF_OP_STOPPED);
}
static void pushed_beside_the_end(void **state)
{
    static uint32_t word[1];
    (void)state;
    for (int i = 0; i < 2 * POLICIES; i++) {
        sf_overflow policy = (sf_overflow)(i / 2);
        bool in_time = i % 2;
        uint32_t before = gives_way(policy) ? 5 : 1, released = 0;
        sf_ticket ticket, first;
        sf_message message = { .time = -1, .ticket = &first };
        sf_edge_info e;
        beside.flow = flow_on(device);
        beside.op = sf_flow_add(beside.flow, &(sf_op_desc){ .compute = take_tensor,
            .in = { { .name = "in", .external = true, .capacity = 2, .overflow = policy, .tickets = true } },
            .when = { { .kind = SF_CONDITION_TIME, .ns = INT64_MAX } } });
        CHECK_OK(sf_flow_check(beside.flow, false, NULL, NULL));
        CHECK_OK(sf_flow_push_message(beside.flow, beside.op, 0, &message));
        for (uint32_t k = 1; k < before; k++) { CHECK_OK(sf_flow_push_value(beside.flow, beside.op, 0, number(k))); }
        library.step = end_beside;
        CHECK_OK(sf_flow_start(beside.flow));
        message.tensor = sf_tensor_wrap(beside.flow, &(sf_tensor_desc){ .data = word, .shape = { 4 },
            .memory = SF_MEMORY_HOST, .release = released_one, .user = &released });
        message.ticket = &ticket;
        beside_place = in_time ? "pushed" : "push";
        CHECK_IS(sf_flow_push_message(beside.flow, beside.op, 0, &message), in_time ? SF_OK : SF_DONE);
        CHECK(!beside_place);
        if (in_time) {
            CHECK_EQUAL(told(beside.flow, &ticket), SF_FATE_ENDED);
        } else {
            CHECK_IS(sf_ticket_wait(beside.flow, &ticket, 0, NULL), SF_ERROR_ILLEGAL_STATE);
        }
        CHECK_EQUAL(told(beside.flow, &first), gives_way(policy) ? SF_FATE_OVERFLOW : SF_FATE_ENDED);
        CHECK_OK(sf_flow_stop(beside.flow));
        CHECK_OK(sf_flow_wait(beside.flow, GUARD));
        library.step = NULL;
        e = edge_of(beside.flow, beside.op, 0, 0);
        adds_up(&e);
        CHECK_EQUAL(e.messages, before + in_time);
        CHECK_OK(sf_flow_check(beside.flow, false, NULL, NULL));     /* all that was left is released */
        CHECK_EQUAL(test_load(&released), in_time);
        if (!in_time) { sf_tensor_release(message.tensor); }
        CHECK_EQUAL(test_load(&released), 1);
        destroy(beside.flow);
    }
}

/* -- by example -- */

static uint32_t gate, at_gate;
static sf_result keep_at_gate(sf_context *ctx)               /* the first compute waits there, with what it has */
{
    sf_result r = keep_values(ctx);
    if (!test_add(&at_gate, 1)) { until(&gate, 1); }
    return r;
}
/* A driver pushes frame after frame, the operator is slow: it works on the newest ones, and what went is counted. */
static void the_newest_wins(void **state)
{
    (void)state;
    for (int i = 0; i < POLICIES * 3; i++) {
        sf_overflow policy = (sf_overflow)(i % POLICIES);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend,
                                                     .workers = { { .count = i / POLICIES } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "slow", .compute = keep_at_gate, .user = &ids[0],
            .in = { { .name = "frames", .external = true, .capacity = 3, .overflow = policy } } });
        sf_edge_info e;
        int64_t accepted = 1, last = 0;
        notes_clear();
        test_store(&gate, 0), test_store(&at_gate, 0);
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_push_value(f, a, 0, number(1)));
        until(&at_gate, 1);
        for (int64_t n = 2; n <= 100; n++) {
            sf_result r = sf_flow_push_value(f, a, 0, number(n));
            bool full = !gives_way(policy) && n > 3;         /* the one that it works on has its place */
            CHECK_IS(r, full ? without_room(policy) : SF_OK);
            accepted += r == SF_OK;
        }
        test_store(&gate, 1);
        CHECK_OK(sf_flow_finish(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        if (policy == SF_OVERFLOW_DROP_OLDEST) {
            CHECK_NOTES(0, 1, 98, 99, 100);
            last = 4;
        } else if (policy == SF_OVERFLOW_LATEST) {
            CHECK_NOTES(0, 1, 100);
            last = 2;
        } else {
            CHECK_NOTES(0, 1, 2, 3);
            last = 3;
        }
        e = edge_of(f, a, 0, 0);
        adds_up(&e);
        CHECK_EQUAL(e.messages, accepted);
        CHECK_EQUAL(e.dropped, accepted - last);
        CHECK_EQUAL(e.fates[SF_FATE_DELIVERED], last);
        CHECK_EQUAL(e.fates[SF_FATE_OVERFLOW], accepted - last);
        CHECK_EQUAL(e.refused, policy == SF_OVERFLOW_DROP_NEWEST || policy == SF_OVERFLOW_ERROR ? 97 : 0);
        destroy(f);
    }
}

/* What is pushed while an operator before it computes, it finds as its compute begins. The worker polls its inputs, as
   it was idle before: no push wakes it. */
static struct { sf_flow *flow; sf_op op; } behind;
static sf_result wait_at_gate(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    test_store(&at_gate, 1);
    return until(&gate, 1), SF_OK;
}
static sf_result push_six(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    for (int64_t n = 10; n < 16; n++) { CHECK_OK(sf_flow_push_value(behind.flow, behind.op, 0, number(n))); }
    return SF_OK;
}
static void what_came_while_others_compute(void **state)
{
    const sf_port kick = { .name = "in", .external = true };
    sf_op a, b;
    (void)state;
    test_store(&gate, 0), test_store(&at_gate, 0);
    behind.flow = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend,
                                                  .workers = { { .count = 1, .spin = SF_MS(2000) } } });
    a = sf_flow_add(behind.flow, &(sf_op_desc){ .compute = wait_at_gate, .in = { kick } });
    b = sf_flow_add(behind.flow, &(sf_op_desc){ .compute = push_six, .in = { kick } });
    behind.op = sf_flow_add(behind.flow, &(sf_op_desc){ .compute = keep_values, .user = &ids[0], .in = { { .name = "in",
        .external = true, .capacity = 2, .overflow = SF_OVERFLOW_DROP_OLDEST } } });
    CHECK_OK(sf_flow_start(behind.flow));
    usleep(5000);
    CHECK_OK(sf_flow_push_value(behind.flow, a, 0, number(0)));
    until(&at_gate, 1);
    CHECK_OK(sf_flow_push_value(behind.flow, behind.op, 0, number(1)));
    CHECK_OK(sf_flow_push_value(behind.flow, b, 0, number(0)));
    test_store(&gate, 1);
    for (int i = 0; i < 10000 && runs_of(behind.flow, behind.op) < 1; i++) { usleep(1000); }
    CHECK_OK(sf_flow_finish(behind.flow));
    CHECK_OK(sf_flow_wait(behind.flow, GUARD));
    CHECK_NOTES(0, 14, 15);
    destroy(behind.flow);
}

/* A server pushes requests, and waits for one of them: done, failed, or dropped. */
static sf_result twice(sf_context *ctx)
{
    int64_t *request = (int64_t *)sf_receive_value(ctx, 0).ptr;
    if (*request == 13) { return sf_fail(ctx, SF_ERROR_USER, "unlucky"); }
    *request *= 2;
    return SF_OK;
}
static void wait_for_one(void **state)
{
    (void)state;
    for (int workers = 0; workers < 3; workers++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend,
                                                     .workers = { { .count = workers } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "work", .compute = twice, .on_error = SF_ON_ERROR_IGNORE,
            .in = { { .name = "requests", .external = true, .capacity = 4, .tickets = true } } });
        CHECK_OK(sf_flow_start(f));
        for (int64_t i = 10; i < 16; i++) {
            int64_t request = i;
            sf_ticket ticket;
            sf_fate fate = SF_FATES;
            CHECK_OK(sf_flow_push_message(f, a, 0, &(sf_message){ .value = { .ptr = &request }, .time = -1,
                                                                  .ticket = &ticket }));
            CHECK_OK(sf_ticket_wait(f, &ticket, GUARD, &fate));
            CHECK_EQUAL(fate, i == 13 ? SF_FATE_FAILED : SF_FATE_DELIVERED);
            CHECK_EQUAL(request, i == 13 ? i : 2 * i);
            CHECK_OK(sf_ticket_wait(NULL, &ticket, 0, &fate));       /* the answer stays, without the flow, too */
        }
        CHECK_OK(sf_flow_stop(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
    }
}
static sf_ticket *asked;
static sf_result wait_inside(sf_context *ctx)
{
    sf_fate fate;
    (void)sf_receive_value(ctx, 0);
    note_down(0, sf_ticket_wait(ctx->flow, asked, 0, &fate));
    note_down(0, sf_ticket_wait(ctx->flow, asked, GUARD, &fate));
    return SF_DONE;
}
static void what_a_wait_says(void **state)
{
    sf_ticket ticket = { { 0 } }, other = { { 0 } };
    sf_message message = { .value = number(1), .time = -1, .ticket = &ticket };
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = wait_inside, .in = {
        { .name = "in", .external = true, .capacity = 2, .tickets = true },
        { .name = "none", .external = true, .optional = true } } });
    sf_fate fate = SF_FATES;
    (void)state;
    asked = &ticket;
    CHECK_IS(sf_flow_push_message(f, a, 0, &message), SF_ERROR_ILLEGAL_STATE);       /* before the check */
    CHECK_IS(sf_ticket_wait(f, &ticket, 0, &fate), SF_ERROR_ILLEGAL_STATE);
    CHECK_IS(sf_ticket_wait(f, NULL, 0, &fate), SF_ERROR_ILLEGAL_STATE);
    CHECK_IS(sf_ticket_cancel(f, &ticket), SF_IGNORED);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_IS(sf_flow_push_message(f, a, 1, &message), SF_ERROR_NOT_SUPPORTED);
    CHECK_IS(sf_flow_push_message(f, a, 0, NULL), SF_ERROR_INVALID_VALUE);
    message.time = -2;
    CHECK_IS(sf_flow_push_message(f, a, 0, &message), SF_ERROR_INVALID_VALUE);
    message.time = -1;
    message.stream = sf_stream_legacy(device);
    CHECK_IS(sf_flow_push_message(f, a, 0, &message), SF_ERROR_INVALID_VALUE);
    message.stream = NULL;
    CHECK_OK(sf_flow_push_message(f, a, 0, &message));
    CHECK_IS(sf_flow_push_message(f, a, 0, &message), SF_ERROR_ILLEGAL_STATE);       /* its ticket is in use */
    CHECK_IS(sf_ticket_wait(f, &ticket, 0, &fate), SF_TIMEOUT);
    CHECK_IS(sf_ticket_wait(f, &ticket, SF_US(200), &fate), SF_TIMEOUT);
    message.ticket = &other;
    CHECK_OK(sf_flow_push_message(f, a, 0, &message));
    CHECK_IS(sf_flow_push_message(f, a, 0, &message), SF_ERROR_ILLEGAL_STATE);
    CHECK_OK(sf_ticket_cancel(f, &other));
    CHECK_IS(sf_flow_push_message(f, a, 0, &message), SF_BUSY);      /* the message is there all the same */
    CHECK_IS(sf_ticket_wait(f, &other, 0, &fate), SF_ERROR_ILLEGAL_STATE);
    (void)sf_flow_run(f);
    CHECK_NOTES(0, SF_TIMEOUT, SF_ERROR_REENTRANT);
    CHECK_OK(sf_ticket_wait(f, &ticket, 0, &fate));
    CHECK_EQUAL(fate, SF_FATE_DELIVERED);
    CHECK_EQUAL(edge_of(f, a, 0, 0).fates[SF_FATE_ENDED], 1);
    (void)sf_flow_destroy(f);
}
static void *wait_on_a_thread(void *arg)
{
    sf_fate fate = SF_FATES;
    CHECK_OK(sf_ticket_wait(between.flow, (sf_ticket *)arg, GUARD, &fate));
    return (void *)(uintptr_t)fate;
}
/* Of a full input whose operator is in a compute: who waits for a dropped one is told, long before that returns. */
static void a_dropped_one_is_told_at_once(void **state)
{
    sf_ticket tickets[3];
    sf_fate fate = SF_FATES;
    pthread_t thread;
    void *got = NULL;
    int64_t begin;
    sf_op a;
    (void)state;
    test_store(&gate, 0), test_store(&at_gate, 0);
    between.flow = flow_on(device);
    a = sf_flow_add(between.flow, &(sf_op_desc){ .compute = keep_at_gate, .user = &ids[0], .in = { { .name = "in",
        .external = true, .overflow = SF_OVERFLOW_LATEST, .tickets = true } }, .when = { { .kind = SF_CONDITION_PERIOD,
        .ns = SF_MS(1) } } });
    CHECK_OK(sf_flow_start(between.flow));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(sf_flow_push_message(between.flow, a, 0, &(sf_message){ .value = number(i), .time = -1,
                                                                         .ticket = &tickets[i] }));
        if (i == 0) { until(&at_gate, 1); }
        if (i == 1) {
            CHECK_EQUAL(pthread_create(&thread, NULL, wait_on_a_thread, &tickets[1]), 0);
            usleep(20000);                   /* so that it sleeps, mostly */
        }
    }
    begin = sf_flow_now(NULL);
    CHECK_EQUAL(pthread_join(thread, &got), 0);
    CHECK_EQUAL((uintptr_t)got, SF_FATE_OVERFLOW);
    CHECK(sf_flow_now(NULL) - begin < GUARD / 2);            /* not when its time is up */
    CHECK_IS(sf_ticket_wait(between.flow, &tickets[0], 0, &fate), SF_TIMEOUT);
    CHECK_IS(sf_ticket_wait(between.flow, &tickets[2], 0, &fate), SF_TIMEOUT);
    test_store(&gate, 1);
    for (int i = 0; i < 3; i += 2) {
        CHECK_OK(sf_ticket_wait(between.flow, &tickets[i], GUARD, &fate));
        CHECK_EQUAL(fate, SF_FATE_DELIVERED);
    }
    CHECK_OK(sf_flow_stop(between.flow));
    CHECK_OK(sf_flow_wait(between.flow, GUARD));
    destroy(between.flow);
}
/* Pushed, and never run: at the next change of the flow, the next check, the stop before a run, or the destroy. */
static void never_run(void **state)
{
    (void)state;
    for (int i = 0; i < POLICIES * 4; i++) {
        sf_flow *f = flow_on(device);
        sf_op_desc d = { .compute = take_value, .in = { { .name = "in", .external = true, .capacity = 3, .tickets = true,
                                                          .overflow = (sf_overflow)(i % POLICIES) } } };
        sf_op a = sf_flow_add(f, &d);
        sf_ticket tickets[3];
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        for (int k = 0; k < 3; k++) {
            CHECK_OK(sf_flow_push_message(f, a, 0, &(sf_message){ .time = -1, .ticket = &tickets[k] }));
        }
        if (i / POLICIES == 0) { (void)sf_flow_add(f, &d); }
        if (i / POLICIES == 1) { (void)sf_flow_stop(f), run_is(f, SF_OK); }
        if (i / POLICIES == 2) { CHECK_OK(sf_flow_check(f, false, NULL, NULL)); }
        if (i / POLICIES == 2 && told(f, &tickets[2]) == NO_FATE) { CHECK_OK(sf_ticket_cancel(f, &tickets[2])); }
        destroy(f);
        for (int k = 0; k < 3 - (i / POLICIES == 2); k++) {
            bool dropped = i % POLICIES == SF_OVERFLOW_LATEST && k < 2;
            CHECK_EQUAL(told(NULL, &tickets[k]), dropped ? SF_FATE_OVERFLOW : SF_FATE_ENDED);
        }
    }
}

/* -- tensors: who releases them, and host functions -- */

static struct { sf_flow *flow; sf_op op; uint32_t released; sf_tensor *tensors[8]; sf_result results[8]; int count; } film;
static void push_film(void *arg)
{
    for (int i = *(int *)arg; i < film.count; i++) {
        film.results[i] = film.tensors[i] ? sf_flow_push(film.flow, film.op, 0, film.tensors[i])
                                          : sf_flow_push_value(film.flow, film.op, 0, number(i));
    }
}
static sf_result keep_film(sf_context *ctx)
{
    while (sf_available(ctx, 0)) {
        const sf_tensor *t = sf_receive(ctx, 0);
        note_down(0, *(const int32_t *)t->data);
    }
    return SF_OK;
}
static void what_gives_way_is_released(void **state)
{
    sf_stream *s = test_stream(device);
    (void)state;
    for (int host = 0; host < 2; host++) {                   /* the last pushes come from a host function */
        static int32_t numbers[8];
        int first = host ? 2 : 0;
        memset(&film, 0, sizeof film);
        notes_clear();
        film.flow = flow_on(device);
        film.op = sf_flow_add(film.flow, &(sf_op_desc){ .compute = keep_film, .in = { { .name = "in", .external = true,
            .capacity = 2, .overflow = SF_OVERFLOW_DROP_OLDEST } } });
        CHECK_OK(sf_flow_check(film.flow, false, NULL, NULL));
        for (film.count = 0; film.count < 5; film.count++) {
            numbers[film.count] = film.count;
            film.tensors[film.count] = sf_tensor_wrap(film.flow, &(sf_tensor_desc){ .data = &numbers[film.count],
                .shape = { 4 }, .memory = SF_MEMORY_HOST, .release = released_one, .user = &film.released });
        }
        for (int i = 0; i < first; i++) { CHECK_OK(sf_flow_push(film.flow, film.op, 0, film.tensors[i])); }
        if (host) {
            CHECK_OK(sf_launch_host_func(s, push_film, &first));
            CHECK_OK(sf_stream_synchronize(s, GUARD));
        } else {
            push_film(&first);
        }
        for (int i = first; i < 5; i++) {
            CHECK_IS(film.results[i], host ? SF_BUSY : SF_OK);
            if (host) { sf_tensor_release(film.tensors[i]); }
        }
        CHECK_EQUAL(film.released, 3);
        CHECK_OK(sf_flow_finish(film.flow));
        run_is(film.flow, SF_OK);
        if (host) { CHECK_NOTES(0, 0, 1); } else { CHECK_NOTES(0, 3, 4); }
        CHECK_EQUAL(film.released, 5);
        CHECK_EQUAL(edge_of(film.flow, film.op, 0, 0).dropped, host ? 0 : 3);
        destroy(film.flow);
    }
    CHECK_OK(sf_stream_destroy(s));
}
static void a_host_function_pushes_the_newest(void **state)  /* values, which need no release */
{
    sf_stream *s = test_stream(device);
    int first = 0;
    (void)state;
    memset(&film, 0, sizeof film);
    film.flow = flow_on(device);
    film.count = 8;
    film.op = sf_flow_add(film.flow, &(sf_op_desc){ .compute = keep_values, .user = &ids[0], .in = { { .name = "in",
        .external = true, .capacity = 2, .overflow = SF_OVERFLOW_DROP_OLDEST } } });
    CHECK_OK(sf_flow_check(film.flow, false, NULL, NULL));
    CHECK_OK(sf_launch_host_func(s, push_film, &first));
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    for (int i = 0; i < 8; i++) { CHECK_OK(film.results[i]); }
    CHECK_OK(sf_flow_finish(film.flow));
    run_is(film.flow, SF_OK);
    CHECK_NOTES(0, 6, 7);
    CHECK_EQUAL(edge_of(film.flow, film.op, 0, 0).dropped, 6);
    destroy(film.flow);
    CHECK_OK(sf_stream_destroy(s));
}
static sf_result keep_time(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    note_down(0, *(const uint32_t *)t->data);
    note_down(1, sf_get_timestamp(ctx, 0));
    return SF_OK;
}
static void a_tensor_with_all_of_it(void **state)            /* behind a stream's work, with a time and a ticket */
{
    sf_stream *s = test_stream(device);
    uint32_t *data = (uint32_t *)test_memory(device, BYTES);
    sf_ticket ticket;
    sf_message message = { .stream = s, .time = 77, .ticket = &ticket };
    sf_fate fate = SF_FATES;
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = keep_time, .count = 1,
        .in = { { .name = "in", .external = true, .tickets = true, .overflow = SF_OVERFLOW_LATEST } },
        .when = { { .kind = SF_CONDITION_STREAM } } });
    (void)state;
    CHECK_OK(sf_flow_start(f));
    CHECK_OK(paint(s, data, NULL, NULL, 5, 20000));
    message.tensor = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { BYTES }, .memory = SF_MEMORY_PINNED });
    CHECK_OK(sf_flow_push_message(f, a, 0, &message));
    CHECK_OK(sf_ticket_wait(f, &ticket, GUARD, &fate));
    CHECK_EQUAL(fate, SF_FATE_DELIVERED);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(0, 5);
    CHECK_NOTES(1, 77);
    destroy(f);
    CHECK_OK(sf_stream_destroy(s));
    CHECK_OK(sf_mem_free(device, data));
}

/* -- what is refused, what the plan says, and memory handed in -- */

static void only_external_inputs_have_them(void **state)
{
    static const struct { sf_port in, out; const char *says; } cases[] = {
        { { .name = "in", .optional = true, .overflow = SF_OVERFLOW_LATEST }, { 0 }, "sf_edge_desc.overflow" },
        { { .name = "in", .external = true }, { .name = "out", .overflow = SF_OVERFLOW_ERROR }, "sf_edge_desc.overflow" },
        { { .name = "in", .optional = true, .tickets = true }, { 0 }, "external inputs" },
        { { .name = "in", .external = true, .overflow = (sf_overflow)9 }, { 0 }, "no such overflow" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        (void)sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = nothing, .in = { cases[i].in },
                                            .out = { cases[i].out } });
        CHECK_IS(sf_flow_check(f, false, NULL, NULL), SF_ERROR_INVALID_VALUE);
        if (!strstr(sf_flow_failure(f)->text, cases[i].says) || !strstr(sf_flow_failure(f)->text, "\"a\"")) {
            fail_msg("%s", sf_flow_failure(f)->text);
        }
        (void)sf_flow_destroy(f);
    }
}
static void the_plan_shows_the_policy(void **state)
{
    sf_flow *f = flow_on(device);
    (void)state;
    (void)sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { { .name = "in", .external = true, .capacity = 7,
        .overflow = SF_OVERFLOW_DROP_OLDEST } } });
    report_clear();
    CHECK_OK(sf_flow_check(f, false, report_add, NULL));
    CHECK_EQUAL(count_of("7 messages, drop oldest"), 1);
    report_clear();
    CHECK_OK(sf_flow_check(f, true, report_add, NULL));
    CHECK_EQUAL(count_of("\"capacity\":7,\"overflow\":\"drop oldest\""), 1);
    destroy(f);
}
static void what_a_flow_needs_is_enough(void **state)        /* by limits, for each capacity, policy, with tickets */
{
    (void)state;
    for (int i = 0; i < 40 * POLICIES * 2; i++) {
        uint32_t capacity = 1 + (uint32_t)i / (2 * POLICIES), tickets = (uint32_t)i / POLICIES % 2;
        sf_overflow policy = (sf_overflow)(i % POLICIES);
        sf_flow_desc d = { .limits = { .ops = 1, .messages = capacity * (1 + gives_way(policy) + tickets) } };
        size_t bytes = sf_flow_memory(&d);
        void *memory = malloc(bytes);
        sf_ticket ticket;
        sf_flow *f;
        sf_op a;
        d.memory = (sf_range){ memory, bytes };
        f = sf_flow_create(&d);
        CHECK(f != NULL);
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = take_value, .in = { { .name = "in", .external = true,
            .capacity = (uint16_t)capacity, .overflow = policy, .tickets = tickets } } });
        if (sf_flow_check(f, false, NULL, NULL) < 0) { fail_msg("%u, %d: %s", capacity, i, sf_flow_failure(f)->text); }
        for (uint32_t n = 0; n < 3 * capacity; n++) {
            sf_message message = { .value = number(n), .time = -1, .ticket = tickets && !n ? &ticket : NULL };
            (void)sf_flow_push_message(f, a, 0, &message);
        }
        CHECK_OK(sf_flow_finish(f));
        run_is(f, SF_OK);
        CHECK(!tickets || told(f, &ticket) == (gives_way(policy) ? SF_FATE_OVERFLOW : SF_FATE_DELIVERED));
        destroy(f);
        free(memory);
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_newest_wins), TEST(what_came_while_others_compute), TEST(wait_for_one), TEST(what_a_wait_says), TEST(a_dropped_one_is_told_at_once),
        TEST(never_run), TEST(stepped), TEST(pushed_by_threads), TEST(pushed_to_one_worker),
        TEST(pushed_to_two_workers), TEST(pushed_to_four_workers), TEST(pushed_between_any_two_accesses),
        TEST(pushed_beside_the_end),
        TEST(what_gives_way_is_released), TEST(a_host_function_pushes_the_newest), TEST(a_tensor_with_all_of_it),
        TEST(only_external_inputs_have_them), TEST(the_plan_shows_the_policy), TEST(what_a_flow_needs_is_enough),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("push", tests, NULL, NULL);
}
