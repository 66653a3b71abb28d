/*  flow_model.c - random flows on a simulated clock, up to an hour of its time each, against a model of a few pages:

        flow_model [--seeds N] [--first 1] [--seed ONE] [--loud [--loud]]

    What a flow does is decided by its seed: topology, rates, counts, policies, capacities, batches, routes, failures,
    retries, turns, delays, signals, conditions. The model runs the documented rules with arrays and loops. Everything
    that can be counted, and a checksum of all that each operator received, must be the same, in three ways to run a
    flow. Priorities differ, so the rules leave no choice; flows of which any order makes the same run on several
    workers, too.

    The rules, where the declarations are short. An operator's turn is one run, whatever it returns; its tries each an
    error. An operator that ends empties its queues (dropped) and refuses the rest. A message overwritten in a LATEST
    queue is dropped if nobody read it; what is left in one at the end is not. How operators and flows end is written
    as two rules below: the sets that they speak of are computed anew each time, from the graph, and never kept. Where
    the first rule ends an operator with .flush, it computes on: see m_begin_flush().

    A flow without choice (no_choice) has what the manual promises to be the same on every way to run: edges that
    block, required inputs, no time. Such flows have loops, filters, counts and ends of any operator. They run on
    several workers and on a task system, too. There an operator that has nobody to work for any more may be ahead of,
    or behind, the model's, and so may be what it sends. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include "../streamflow.h"

static void failed(void);
#define fail_msg(...) (printf("not ok 1 - "), printf(__VA_ARGS__), failed())
#include "test.h"
#include "jobs.h"

enum { OPS = 16, PORTS = 3, CONDITIONS = 3, EDGES = 64, RING = 16, MOST_STEPS = 20000 };
#define TICK   SF_MS(100)                    /* all times are multiples of it ... */
#define AN_HOUR (SF_MS(3600000) + 7)         /* ... but for the end, so that it meets none of them */
#define NEVER   INT64_MAX

/* -- what a flow is: filled in by the generator, read by both sides -- */

enum { TAKE_ONE, TAKE_BATCH, TAKE_ALL };
typedef struct in_spec { uint16_t capacity, batch; bool optional, many; uint8_t take; } in_spec;
typedef struct op_spec {
    uint32_t index, inputs, outputs, conditions;
    in_spec in[PORTS];
    sf_condition when[CONDITIONS];
    uint64_t count;
    int64_t period;
    int32_t priority;
    sf_on_error on_error;
    uint32_t retries;
    uint32_t fails, varies, done_at;         /* one try in so many; emits 0, 1, 2; a run that returns SF_DONE, or 0 */
    uint64_t finish_at;                      /* a run that calls sf_flow_finish(), or 0 */
    bool routes, directs;
    bool waits;                              /* leaves everything until all of its inputs have something */
    bool flush;
    uint32_t holds;                          /* flush: computes that emit though they got nothing; 0: it waits on */
} op_spec;
typedef struct edge_spec { uint32_t from, to, output, input; sf_edge_desc desc; } edge_spec;

static op_spec ops[OPS];
static edge_spec edges[EDGES];
static uint32_t op_count, edge_count, director;
static int64_t max_duration;
static bool gxf_or, no_choice;               /* no_choice: any order gives the same */
static uint64_t seed;
static int loud;

static void failed(void)
{
    printf("  seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    _Exit(1);
}

static void tell(const char *who, int64_t now, uint32_t op, uint64_t run, uint32_t try)
{
    if (loud > 1) { printf("%s %lld: %u, run %u, try %u\n", who, (long long)now, op, (unsigned)run, try); }
}

/* What an operator does in its run, and in the try of it, is a matter of these numbers alone. */
static uint32_t chance(uint32_t op, uint64_t run, uint32_t what)
{
    rng r = rng_seed(seed * 1000003u + op * 7919u + run * 104729u + what * 31u);
    (void)rng_next(&r);
    return rng_next(&r);
}
static bool fails(const op_spec *o, uint64_t run, uint32_t try)
{
    return o->fails && chance(o->index, run, 100 + try) % o->fails == 0;
}
static uint32_t emits(const op_spec *o, uint64_t run, uint32_t output)
{
    return o->varies ? chance(o->index, run, 200 + output) % (no_choice ? 2 : 3) : 1;
}
/* An operator that flushes emits if it got something, but for LATEST values, or as long as it holds something. */
static bool is_silent(const op_spec *o, bool ending, uint32_t got, uint32_t kept)
{
    return ending && !got && kept >= o->holds;
}
static int64_t value_of(const op_spec *o, uint64_t run, uint32_t output, uint32_t n)
{
    return (int64_t)(((uint64_t)o->index + 1) << 48 | run << 8 | output << 4 | n);
}
static uint32_t route_of(const op_spec *o, uint64_t run)     /* an edge of the operator's, to whose end it routes */
{
    uint32_t n = 0, pick;
    for (uint32_t e = 0; e < edge_count; e++) { n += edges[e].from == o->index; }
    pick = chance(o->index, run, 300) % n;
    for (uint32_t e = 0;; e++) {
        if (edges[e].from == o->index && pick-- == 0) { return e; }
    }
}
typedef struct order { uint32_t what, op, condition; sf_readiness state; } order;    /* 0: none; 1: signal; 2: stop */
static order order_of(const op_spec *o, uint64_t run, uint32_t n)
{
    order x = { 0, chance(o->index, run, 400 + n) % op_count, 0, SF_WAIT };
    uint32_t dice = chance(o->index, run, 500 + n) % 1000;
    const op_spec *to = &ops[x.op];
    if (to == o) { return x; }
    if (dice == 0) { x.what = 2; }
    for (uint32_t c = 0; c < to->conditions && !x.what; c++) {
        if (to->when[c].kind != SF_CONDITION_SIGNAL) { continue; }
        x.what = 1, x.condition = c;
        x.state = dice == 1 ? SF_NEVER : dice < 200 ? SF_WAIT : SF_READY;
    }
    return x;
}
static uint32_t limit_of(const edge_spec *e)
{
    const in_spec *in = &ops[e->to].in[e->input];
    uint32_t n = e->desc.capacity ? e->desc.capacity : in->capacity ? in->capacity : in->batch ? in->batch : 1;
    return n < e->desc.delay ? e->desc.delay : n;
}
static bool counts_as_got(const op_spec *o, uint32_t input)  /* no LATEST edge leads there */
{
    for (uint32_t e = 0; e < edge_count; e++) {
        const edge_spec *x = &edges[e];
        bool into = !x->desc.control && x->to == o->index && x->input == input;
        if (into && x->desc.overflow == SF_OVERFLOW_LATEST) { return false; }
    }
    return true;
}
static uint32_t batch_of(const op_spec *o, uint32_t input) { return o->in[input].batch ? o->in[input].batch : 1; }

/* -- the model -- */

typedef struct m_edge {
    struct { int64_t value, at; } ring[RING];
    uint32_t count, room, taken;             /* taken: by the compute that runs */
    bool closed, over, read;                 /* closed: refuses; over: nothing more comes */
    uint64_t messages, dropped, refused, last;               /* last: which run of its producer sent the last one */
    uint32_t high;
} m_edge;
typedef struct m_op {
    uint64_t runs, errors, sum;
    uint32_t turns, tries;
    bool ended, failed, controlled, unneeded, gone, stale;   /* gone: is no reader any more */
    bool flushing, last;                     /* last: nothing more comes */
    uint64_t endings;                        /* its tries while it was flushing */
    uint32_t kept;
    int64_t next[CONDITIONS], next_period, last_run;
    sf_readiness signal[CONDITIONS];
} m_op;

static m_edge m_edges[EDGES];
static m_op m_ops[OPS];
static int64_t m_now;
static uint64_t m_dropped, m_steps;
static bool m_stopped, m_finishing, m_vague;  /* vague: a failed compute had emitted where nobody listens */
static sf_result m_result;

static bool m_is_data(uint32_t e) { return !edges[e].desc.control; }
static bool m_into(uint32_t e, const op_spec *o, uint32_t input)
{
    return m_is_data(e) && edges[e].to == o->index && edges[e].input == input;
}
static bool m_out_of(uint32_t e, const op_spec *o, uint32_t output)
{
    return m_is_data(e) && edges[e].from == o->index && edges[e].output == output;
}
static bool m_connected(const op_spec *o, uint32_t output)
{
    for (uint32_t e = 0; e < edge_count; e++) {
        if (m_out_of(e, o, output)) { return true; }
    }
    return false;
}
static bool m_replaced(const op_spec *o, uint32_t port, bool output);
static void m_pop(m_edge *m, uint32_t n)     /* room: the producer may have waited for it */
{
    const edge_spec *e = &edges[m - m_edges];
    bool asked = e->desc.overflow == SF_OVERFLOW_ERROR && m_replaced(&ops[e->from], e->output, true);
    if (n && !m->closed && (asked || e->desc.overflow == SF_OVERFLOW_BLOCK)) { m_ops[e->from].stale = false; }
    for (uint32_t i = n; i < m->count; i++) { m->ring[i - n] = m->ring[i]; }
    m->count -= n;
}
static void m_push(uint32_t e, int64_t value)
{
    m_edge *m = &m_edges[e];
    sf_overflow overflow = edges[e].desc.overflow;
    if (m->closed || (m->count == m->room && overflow != SF_OVERFLOW_DROP_OLDEST && overflow != SF_OVERFLOW_LATEST)) {
        m->refused++, m_dropped++;
        return;
    }
    if (overflow == SF_OVERFLOW_LATEST && m->count) {
        if (!m->read) { m->dropped++, m_dropped++; }
        m_pop(m, 1);
    } else if (m->count == m->room) {
        m->dropped++, m_dropped++;
        m_pop(m, 1);
    }
    m->ring[m->count].value = value, m->ring[m->count].at = m_now;
    m->count++, m->messages++;
    m->last = m_ops[edges[e].from].runs;
    m->read = false;
    m_ops[edges[e].to].stale = false;
    if (m->count > m->high) { m->high = m->count; }
}

/* -- conditions -- */

static uint32_t m_ports(const sf_condition *c) { return c->ports ? c->ports : UINT32_MAX; }
static bool m_replaced(const op_spec *o, uint32_t port, bool output)         /* the built-in condition of the port */
{
    for (uint32_t c = 0; c < o->conditions; c++) {
        sf_condition_kind k = o->when[c].kind;
        bool in = k == SF_CONDITION_MESSAGES || k == SF_CONDITION_EXPIRING, out = k == SF_CONDITION_ROOM;
        if ((output ? out : in) && (m_ports(&o->when[c]) >> port & 1)) { return true; }
    }
    return false;
}
static bool m_room(const op_spec *o, uint32_t output, uint32_t count, bool asked)    /* by a condition */
{
    for (uint32_t e = 0; e < edge_count; e++) {
        sf_overflow overflow = edges[e].desc.overflow;
        if (overflow != SF_OVERFLOW_BLOCK && !(asked && overflow == SF_OVERFLOW_ERROR)) { continue; }
        if (m_out_of(e, o, output) && !m_edges[e].closed && m_edges[e].room - m_edges[e].count < count) {
            return false;
        }
    }
    return true;
}
static bool m_batch(const op_spec *o, uint32_t input)
{
    for (uint32_t e = 0; e < edge_count; e++) {
        uint32_t need = edges[e].desc.overflow == SF_OVERFLOW_LATEST ? 1 : batch_of(o, input);
        if (m_into(e, o, input) && m_edges[e].count < need) { return false; }
    }
    return true;
}
static bool m_edge_lacks(uint32_t e)         /* a batch; and nothing more comes */
{
    uint32_t need = edges[e].desc.overflow == SF_OVERFLOW_LATEST ? 1 : batch_of(&ops[edges[e].to], edges[e].input);
    return m_edges[e].over && m_edges[e].count < need;
}
static bool m_drops_out(uint32_t e)          /* of the turns of a `many` input */
{
    return m_edge_lacks(e) || (m_edges[e].over && edges[e].desc.overflow == SF_OVERFLOW_LATEST && m_edges[e].read);
}
static bool m_required(const op_spec *o, uint32_t input)     /* by the built-in condition */
{
    return !o->in[input].optional && !m_replaced(o, input, false);
}
static bool m_built_in(const op_spec *o)
{
    bool flushing = m_ops[o->index].flushing;
    for (uint32_t e = 0; e < edge_count && !flushing; e++) { /* ended, empty edges of a `many` input drop out */
        uint32_t p = edges[e].input, need;
        if (!m_is_data(e) || edges[e].to != o->index || !m_required(o, p)) { continue; }
        need = edges[e].desc.overflow == SF_OVERFLOW_LATEST ? 1 : batch_of(o, p);
        if (m_edges[e].count < need && !(o->in[p].many && m_drops_out(e))) { return false; }
    }
    for (uint32_t p = 0; p < o->outputs; p++) {
        if (!m_replaced(o, p, true) && !m_room(o, p, 1, false)) { return false; }
    }
    return flushing || !m_ops[o->index].controlled || m_ops[o->index].turns;
}
/* NEVER: what a condition about messages asks for can no longer come. One with a time takes what is left. */
static sf_readiness m_to_come(const op_spec *o, const sf_condition *is)
{
    uint32_t there = 0, can = 0;
    bool open = false, timed = is->kind == SF_CONDITION_EXPIRING || is->ns, batches = true;
    for (uint32_t p = 0; p < o->inputs; p++) {
        bool all = true, any = false;
        if (!(m_ports(is) >> p & 1)) { continue; }
        for (uint32_t e = 0; e < edge_count; e++) {
            if (!m_into(e, o, p)) { continue; }
            any = true;
            all = all && m_edge_lacks(e);
            batches = batches && !(m_edge_lacks(e) && !o->in[p].many);
            open = open || !m_edges[e].over;
            there += m_edges[e].count;
            can += m_edges[e].over ? m_edges[e].count : m_edges[e].room;
        }
        batches = batches && !(any && all);
    }
    if (timed) { return open || (there && !o->flush) ? SF_WAIT : SF_NEVER; }     /* else it flushes it */
    return (is->count ? can >= is->count : batches) ? SF_WAIT : SF_NEVER;
}
static sf_readiness m_at(int64_t when, int64_t *wake)
{
    if (m_now >= when) { return SF_READY; }
    if (when < *wake) { *wake = when; }
    return SF_WAIT;
}
static sf_readiness m_condition(const op_spec *o, uint32_t c, int64_t *wake)
{
    const sf_condition *is = &o->when[c];
    const m_op *m = &m_ops[o->index];
    uint32_t messages = 0;
    int64_t oldest = NEVER;
    bool batches = true, room = true;
    for (uint32_t p = 0; p < PORTS; p++) {
        if (!(m_ports(is) >> p & 1)) { continue; }
        batches = batches && (p >= o->inputs || m_batch(o, p));
        room = room && (p >= o->outputs || m_room(o, p, is->count ? is->count : 1, true));
        for (uint32_t e = 0; e < edge_count; e++) {
            if (!m_into(e, o, p)) { continue; }
            messages += m_edges[e].count;
            if (m_edges[e].count && m_edges[e].ring[0].at < oldest) { oldest = m_edges[e].ring[0].at; }
        }
    }
    switch (is->kind) {
    case SF_CONDITION_COUNT: return m->runs < is->count ? SF_READY : SF_NEVER;
    case SF_CONDITION_PERIOD: return m_at(m->next[c], wake);
    case SF_CONDITION_TIME: return m_at(is->ns, wake);
    case SF_CONDITION_SIGNAL: return m->signal[c];
    case SF_CONDITION_MESSAGES:
        if (is->count ? messages >= is->count : batches) { return SF_READY; }
        if (m_to_come(o, is) == SF_NEVER) { return SF_NEVER; }
        return is->ns ? m_at(m->last_run + is->ns, wake) : SF_WAIT;
    case SF_CONDITION_EXPIRING:
        if (messages >= is->count) { return SF_READY; }
        if (m_to_come(o, is) == SF_NEVER) { return SF_NEVER; }
        return oldest == NEVER ? SF_WAIT : m_at(oldest + is->ns, wake);
    default: return room ? SF_READY : SF_WAIT;
    }
}
/* All its own conditions; those with one number together: one is enough. */
static sf_readiness m_own(const op_spec *o, int64_t *wake)
{
    bool unneeded = m_ops[o->index].unneeded;                /* then it waits for messages and room alone */
    bool flushing = m_ops[o->index].flushing;                /* then for room alone */
    sf_readiness all = o->period && !flushing ? m_at(m_ops[o->index].next_period, wake) : SF_READY;
    if (all == SF_WAIT && unneeded) { return SF_NEVER; }
    for (uint32_t c = 0; c < o->conditions; c++) {
        uint32_t never = 0, members = 0, ready = 0;
        bool inside = false;
        for (uint32_t k = 0; k < o->conditions; k++) {
            sf_readiness r;
            if (k != c && (!o->when[c].any || o->when[k].any != o->when[c].any)) { continue; }
            if (flushing && o->when[k].kind != SF_CONDITION_ROOM) { continue; }
            r = m_condition(o, k, wake);
            members++, never += r == SF_NEVER, ready += r == SF_READY;
            inside = inside || o->when[k].kind == SF_CONDITION_MESSAGES || o->when[k].kind == SF_CONDITION_EXPIRING ||
                     o->when[k].kind == SF_CONDITION_ROOM;
        }
        if (flushing && !members) { continue; }
        if (never == members || (never && gxf_or)) { return SF_NEVER; }
        if (!ready && unneeded && !inside) { return SF_NEVER; }
        if (!ready) { all = SF_WAIT; }
    }
    return all;
}
static bool m_is_old(uint32_t e) { return edges[e].desc.overflow == SF_OVERFLOW_LATEST && m_edges[e].read; }
static bool m_may_flush(const op_spec *o)
{
    bool any = m_ops[o->index].last || !m_ops[o->index].flushing;
    for (uint32_t e = 0; e < edge_count; e++) {
        any = any || (m_is_data(e) && edges[e].to == o->index && m_edges[e].count && !m_is_old(e));
    }
    return any;
}
static bool m_ready(const op_spec *o)
{
    const m_op *m = &m_ops[o->index];
    int64_t wake = NEVER;
    return !m->ended && !m->stale && m_may_flush(o) && m_built_in(o) && (m->tries || m_own(o, &wake) == SF_READY);
}

/* -- ending: what the rules speak of -- */

static bool m_about_messages(const sf_condition *c)
{
    return c->kind == SF_CONDITION_MESSAGES || c->kind == SF_CONDITION_EXPIRING;
}
static bool m_needs_condition(const op_spec *o, uint32_t c)  /* it cannot run without what that one waits for */
{
    if (!m_about_messages(&o->when[c])) { return false; }
    for (uint32_t k = 0; k < o->conditions && o->when[c].any && !gxf_or; k++) {
        if (o->when[k].any == o->when[c].any && !m_about_messages(&o->when[k])) { return false; }
    }
    return true;
}
/* A need is a set of edges: it can be met as long as one of them can bring something. Returns the n-th need of the
   operator, a bit per edge, and whether it is of LATEST values; 0: there is no such one. */
static uint64_t m_need(const op_spec *o, uint32_t n, bool *latest)
{
    uint64_t set = 0;
    *latest = false;
    for (uint32_t p = 0; p < o->inputs; p++) {
        set = 0;
        for (uint32_t e = 0; e < edge_count; e++) {
            if (m_into(e, o, p)) {
                set |= (uint64_t)1 << e;
                *latest = !o->in[p].many && edges[e].desc.overflow == SF_OVERFLOW_LATEST;
            }
        }
        if (set && m_required(o, p) && !n--) { return set; }
        *latest = false;
    }
    for (uint32_t c = 0; c < o->conditions; c++) {
        set = 0;
        for (uint32_t e = 0; e < edge_count; e++) {
            if (m_is_data(e) && edges[e].to == o->index && (m_ports(&o->when[c]) >> edges[e].input & 1)) {
                set |= (uint64_t)1 << e;
            }
        }
        if (set && m_needs_condition(o, c) && !n--) { return set; }
    }
    set = 0;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!m_is_data(e) && edges[e].to == o->index) { set |= (uint64_t)1 << e; }
    }
    return n ? 0 : set;
}
static bool m_is_source(const op_spec *o)
{
    bool latest;
    return !m_need(o, 0, &latest);
}
static bool m_has_other_needs(const op_spec *o)              /* than LATEST values */
{
    bool latest;
    for (uint32_t n = 0; m_need(o, n, &latest); n++) {
        if (!latest) { return true; }
    }
    return false;
}
static bool m_reaches(uint32_t from, uint32_t to)            /* along one edge or more */
{
    bool seen[OPS] = { false }, more = true;
    seen[from] = true;
    while (more) {
        more = false;
        for (uint32_t e = 0; e < edge_count; e++) {
            if (!seen[edges[e].from]) { continue; }
            if (edges[e].to == to) { return true; }
            more = more || !seen[edges[e].to];
            seen[edges[e].to] = true;
        }
    }
    return false;
}
static bool m_in_one_loop(uint32_t a, uint32_t b) { return m_reaches(a, b) && m_reaches(b, a); }
static bool m_loop_has_reader(uint32_t a)    /* outside of it */
{
    for (uint32_t e = 0; e < edge_count; e++) {
        if (m_in_one_loop(a, edges[e].from) && !m_in_one_loop(a, edges[e].to)) { return true; }
    }
    return false;
}
static bool m_one_unit(uint32_t a, uint32_t b)               /* count as one reader */
{
    return a == b || (m_in_one_loop(a, b) && m_loop_has_reader(a));
}
/* Those that need something which only sources, or those that need them, bring: the smallest such set. */
static void m_find_fed(bool *fed)
{
    bool more = true;
    for (uint32_t i = 0; i < op_count; i++) { fed[i] = m_is_source(&ops[i]); }
    while (more) {
        more = false;
        for (uint32_t i = 0; i < op_count; i++) {
            bool latest, of_latest = true, is = false;
            uint64_t set;
            if (fed[i]) { continue; }
            for (uint32_t n = 0; (set = m_need(&ops[i], n, &latest)) != 0; n++) {
                bool all = true;
                for (uint32_t e = 0; e < edge_count; e++) { all = all && (!(set >> e & 1) || fed[edges[e].from]); }
                if (latest) { of_latest = of_latest && all; } else { is = is || all; }
            }
            if (!m_has_other_needs(&ops[i])) { is = of_latest; }
            fed[i] = is;
            more = more || is;
        }
    }
}
static bool m_lacks(const op_spec *o)        /* rule 1; conditions say NEVER themselves */
{
    bool latest, read_all = true;
    uint64_t set;
    for (uint32_t n = 0; (set = m_need(o, n, &latest)) != 0; n++) {
        bool lacks = true, control = false;
        uint32_t e;
        for (e = 0; e < edge_count; e++) {
            bool is_latest = edges[e].desc.overflow == SF_OVERFLOW_LATEST;
            if (!(set >> e & 1)) { continue; }
            control = !m_is_data(e);
            lacks = lacks && (control                      ? m_edges[e].over
                              : o->in[edges[e].input].many ? m_drops_out(e)
                                                           : m_edge_lacks(e));
            read_all = read_all && m_edges[e].over && (!m_edges[e].count || (is_latest && m_edges[e].read));
            read_all = read_all && !control;
        }
        for (e = 0; !(set >> e & 1); e++) {}
        if (!control && !m_required(o, edges[e].input)) { continue; }
        if (lacks && !(control && m_ops[o->index].turns)) { return true; }
    }
    return !m_is_source(o) && read_all;      /* a LATEST value that it has had does not keep it going */
}
/* An edge that brings nothing more, and without which the operator ends; or its producer runs out so. */
static bool m_runs_out(uint32_t i)
{
    bool out[OPS] = { false }, more = true;
    while (more && !out[i]) {
        more = false;
        for (uint32_t e = 0; e < edge_count; e++) {
            const op_spec *to = &ops[edges[e].to];
            if (out[edges[e].from] && ops[edges[e].from].flush && !m_edges[e].over) { continue; }    /* it flushes */
            if (!m_is_data(e) || out[to->index] || !m_required(to, edges[e].input) || to->in[edges[e].input].many ||
                edges[e].desc.overflow == SF_OVERFLOW_LATEST || !(m_edges[e].over || out[edges[e].from])) {
                continue;
            }
            out[to->index] = more = true;
        }
    }
    return out[i];
}

/* -- ending: the rules -- */

static bool m_must_end(const op_spec *o)
{
    int64_t wake = NEVER;
    const m_op *m = &m_ops[o->index];
    if (m->ended) { return false; }
    if (m->flushing) { return m->unneeded; }
    if (m_is_source(o) && (m->unneeded || m_finishing)) { return true; }
    return m_lacks(o) || (!m->tries && m_own(o, &wake) == SF_NEVER);
}
static bool m_says_never_for_lack(const op_spec *o)          /* the first of its groups that says NEVER */
{
    int64_t wake = NEVER;
    for (uint32_t c = 0; c < o->conditions; c++) {
        uint32_t never = 0, members = 0;
        bool lacks = false;
        for (uint32_t k = 0; k < o->conditions; k++) {
            bool never_is;
            if (k != c && (!o->when[c].any || o->when[k].any != o->when[c].any)) { continue; }
            never_is = m_condition(o, k, &wake) == SF_NEVER;
            members++, never += never_is;
            lacks = lacks || (never_is && m_about_messages(&o->when[k]));
        }
        if (never == members || (never && gxf_or)) { return lacks; }
    }
    return false;
}
/* It has to end: it flushes instead, if it is for lack of messages, or as a source that is to finish. */
static bool m_begins_to_flush(const op_spec *o)
{
    const m_op *m = &m_ops[o->index];
    if (!o->flush || m->flushing || m->unneeded) { return false; }
    for (uint32_t c = 0; c < o->conditions; c++) {
        const sf_condition *is = &o->when[c];
        if (is->kind == SF_CONDITION_COUNT && !is->any && m->runs >= is->count) { return false; }
    }
    return m_is_source(o) ? m_finishing || m_says_never_for_lack(o) : m_lacks(o) || m_says_never_for_lack(o);
}
static void m_cut(uint32_t e);
static void m_begin_flush(const op_spec *o)
{
    m_ops[o->index].flushing = true;
    m_ops[o->index].stale = false;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (m_is_data(e) && edges[e].to == o->index && m_in_one_loop(edges[e].from, o->index)) { m_cut(e); }
    }
}
/* While it flushes: nothing more comes on what it needs, LATEST values aside; if the flow finishes, on any input. */
static void m_note_last(const op_spec *o)
{
    m_op *m = &m_ops[o->index];
    uint64_t waits = 0, set;
    bool latest;
    if (!m->flushing || m->ended || m->last) { return; }
    for (uint32_t n = 0; (set = m_need(o, n, &latest)) != 0; n++) { waits |= set; }
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!m_is_data(e) || edges[e].to != o->index || m_edges[e].over) { continue; }
        if (m_finishing || (waits >> e & 1 && edges[e].desc.overflow != SF_OVERFLOW_LATEST)) { return; }
    }
    m->last = true;
    m->stale = false;
    for (uint32_t e = 0; e < edge_count; e++) {              /* the others bring nothing new */
        if (m_is_data(e) && edges[e].to == o->index) { m_cut(e); }
    }
}
static void m_end_one(const op_spec *o)
{
    m_ops[o->index].ended = true;
    for (uint32_t e = 0; e < edge_count; e++) {
        m_edge *m = &m_edges[e];
        if (edges[e].from == o->index) { m->over = true; }
        if (edges[e].to != o->index) { continue; }
        if (edges[e].desc.overflow != SF_OVERFLOW_LATEST) { m->dropped += m->count, m_dropped += m->count; }
        m_pop(m, m->count);
        m->closed = true;
    }
}
static bool m_is_read(uint32_t i)            /* its unit, by one that has not ended and is a reader; or by nobody ever */
{
    bool ever = false;
    for (uint32_t e = 0; e < edge_count; e++) {
        const m_op *to = &m_ops[edges[e].to];
        if (!m_one_unit(i, edges[e].from) || m_one_unit(i, edges[e].to)) { continue; }
        if (!to->ended && !to->gone) { return true; }
        ever = true;
    }
    return !ever;
}
static void m_cut(uint32_t e)
{
    if (m_edges[e].over || m_edges[e].closed) { return; }
    m_edges[e].closed = m_edges[e].over = true;
}
static bool m_upstream(void)                 /* rule 2: true, if it found any */
{
    bool fresh[OPS] = { false }, more = true, any = false;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < op_count; i++) {
            m_op *m = &m_ops[i];
            if (m->ended || m->unneeded || m_is_read(i)) { continue; }
            m->unneeded = fresh[i] = more = any = true;
            m->gone = !m_runs_out(i);
        }
    }
    for (uint32_t e = 0; e < edge_count; e++) {
        uint32_t from = edges[e].from, to = edges[e].to;
        if (!fresh[to]) { continue; }
        if (m_ops[to].gone && (m_one_unit(from, to) || !m_ops[from].unneeded)) { m_cut(e); }
    }
    return any;
}
static void m_follow(void)                   /* what has ended makes others end */
{
    do {
        for (uint32_t i = 0; i < op_count; i++) {
            m_note_last(&ops[i]);
            if (!m_must_end(&ops[i])) { continue; }
            if (m_begins_to_flush(&ops[i])) { m_begin_flush(&ops[i]); } else { m_end_one(&ops[i]); }
            i = UINT32_MAX;                  /* from the beginning */
        }
    } while (m_upstream());
}
static void m_end(const op_spec *o)
{
    if (m_ops[o->index].ended) { return; }
    m_end_one(o);
    m_follow();
}
static void m_finish(void)
{
    bool fed[OPS];
    if (m_finishing) { return; }
    m_find_fed(fed);
    m_finishing = true;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!fed[edges[e].from] && !fed[edges[e].to] && m_in_one_loop(edges[e].from, edges[e].to)) { m_cut(e); }
    }
    m_follow();
}

/* -- one turn -- */

static bool m_counted(const op_spec *o, uint32_t input)      /* by a condition's .count */
{
    for (uint32_t c = 0; c < o->conditions; c++) {
        sf_condition_kind k = o->when[c].kind;
        bool messages = k == SF_CONDITION_MESSAGES || k == SF_CONDITION_EXPIRING;
        if (messages && o->when[c].count && (m_ports(&o->when[c]) >> input & 1)) { return true; }
    }
    return false;
}
static void m_take(const op_spec *o, uint32_t input)
{
    m_edge *in[EDGES];
    uint32_t n = 0, left, laps = batch_of(o, input), lap;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (m_into(e, o, input)) { in[n++] = &m_edges[e]; }
    }
    for (uint32_t i = 0; i < n && (!o->in[input].many || m_counted(o, input)); i++) {        /* all there is */
        if (in[i]->count > laps) { laps = in[i]->count; }
    }
    left = o->in[input].take == TAKE_ONE ? 1 : o->in[input].take == TAKE_BATCH ? n * batch_of(o, input) : UINT32_MAX;
    for (lap = 0; lap < laps; lap++) {       /* one message of each edge, as connected; then once more */
        for (uint32_t i = 0; i < n; i++) {
            if (!left || in[i]->count <= in[i]->taken || in[i]->taken > lap) { continue; }
            m_ops[o->index].sum = m_ops[o->index].sum * 31 + (uint64_t)in[i]->ring[in[i]->taken++].value;
            left--;
        }
    }
}
static bool m_fits(const op_spec *o, bool silent)            /* false: there is no room for all */
{
    for (uint32_t p = 0; p < o->outputs && !silent; p++) {
        for (uint32_t n = 0; n < emits(o, m_ops[o->index].runs, p); n++) {
            for (uint32_t e = 0; e < edge_count; e++) {
                const m_edge *q = &m_edges[e];
                sf_overflow overflow = edges[e].desc.overflow;
                if (!m_out_of(e, o, p) || q->closed) { continue; }
                if (overflow != SF_OVERFLOW_BLOCK && overflow != SF_OVERFLOW_ERROR) { continue; }
                if (q->room - q->count + (edges[e].to == o->index ? q->taken : 0) <= n) {
                    m_edges[e].refused++, m_dropped++;
                    return false;
                }
            }
        }
    }
    return true;
}
static void m_received(const op_spec *o)
{
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!m_is_data(e) || edges[e].to != o->index || !m_edges[e].taken) { continue; }
        if (edges[e].desc.overflow == SF_OVERFLOW_LATEST) {
            m_edges[e].read = true;
        } else {
            m_pop(&m_edges[e], m_edges[e].taken);
        }
    }
}
static void m_hand_on(const op_spec *o, const bool *routed)  /* turns */
{
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!m_is_data(e) && edges[e].from == o->index && routed[e] && !m_edges[e].closed) { m_ops[edges[e].to].turns++; }
    }
}
static void m_leave(const op_spec *o, const bool *routed, bool silent)
{
    for (uint32_t p = 0; p < o->outputs && !silent; p++) {
        for (uint32_t n = 0; n < emits(o, m_ops[o->index].runs, p); n++) {
            for (uint32_t e = 0; e < edge_count; e++) {
                if (m_out_of(e, o, p) && routed[e]) { m_push(e, value_of(o, m_ops[o->index].runs, p, n)); }
            }
            m_dropped += !m_connected(o, p);
        }
    }
    m_hand_on(o, routed);
}
static void m_executed(const op_spec *o)                     /* periods move on */
{
    m_op *m = &m_ops[o->index];
    m->last_run = m_now;
    if (o->period) { m->next_period += o->period; }
    for (uint32_t c = 0; c < o->conditions; c++) {
        const sf_condition *is = &o->when[c];
        if (is->kind != SF_CONDITION_PERIOD || m_now < m->next[c]) { continue; }
        switch (is->catch_up) {
        case SF_CATCH_UP_MIN_BETWEEN: m->next[c] = m_now + is->ns; break;
        case SF_CATCH_UP_SKIP_MISSED: while (m->next[c] <= m_now) { m->next[c] += is->ns; } break;
        default: m->next[c] += is->ns;
        }
    }
}
static bool m_has_something(const op_spec *o)
{
    for (uint32_t e = 0; e < edge_count; e++) {
        if (m_is_data(e) && edges[e].to == o->index && m_edges[e].count) { return true; }
    }
    return false;
}
static bool m_leaves_all(const op_spec *o)   /* and emits nothing */
{
    for (uint32_t p = 0; o->waits && !(m_ops[o->index].flushing && o->holds) && p < o->inputs; p++) {
        bool any = false;
        for (uint32_t e = 0; e < edge_count; e++) { any = any || (m_into(e, o, p) && m_edges[e].count); }
        if (!any) { return true; }
    }
    return false;
}
static bool m_has_period(const op_spec *o)
{
    bool any = o->period != 0;
    for (uint32_t c = 0; c < o->conditions; c++) { any = any || o->when[c].kind == SF_CONDITION_PERIOD; }
    return any;
}
static void m_run(const op_spec *o)
{
    m_op *m = &m_ops[o->index];
    bool routed[EDGES], retry, stops = false, finish = o->finish_at && m->runs + 1 == o->finish_at, vain = false;
    order x[2] = { { 0, 0, 0, SF_WAIT }, { 0, 0, 0, SF_WAIT } };
    bool flushing = m->flushing, last = m->last, silent, moved = false;
    uint32_t got = 0, sent = 0;
    sf_result r = SF_OK;
    m->endings += flushing;
    tell("model", m_now, o->index, m->runs, m->tries);
    for (uint32_t c = 0; c < o->conditions && !m->tries; c++) {
        bool once = o->when[c].kind == SF_CONDITION_SIGNAL && !o->when[c].latch;
        if (once && m->signal[c] == SF_READY) { m->signal[c] = SF_WAIT; }
    }
    for (uint32_t e = 0; e < edge_count; e++) {
        m_edges[e].taken = 0;
        routed[e] = !o->routes || edges[e].to == edges[route_of(o, m->runs)].to;
    }
    if (m_leaves_all(o)) {
        vain = m_has_something(o) && !m->controlled && !m_is_source(o);      /* it may not do the same again at once */
        vain = vain && !flushing;
    } else {
        for (uint32_t p = 0; p < o->inputs; p++) { m_take(o, p); }
    }
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!m_is_data(e) || edges[e].to != o->index || !m_edges[e].taken) { continue; }
        if (counts_as_got(o, edges[e].input)) { got += m_edges[e].taken; }
        moved = moved || !m_is_old(e);
    }
    silent = is_silent(o, flushing, got, m->kept);
    for (uint32_t p = 0; p < o->outputs && !silent; p++) { sent += emits(o, m->runs, p); }
    for (uint32_t n = 0; o->directs && n < 2; n++) {
        x[n] = order_of(o, m->runs, n);
        if (x[n].what == 1) { m_ops[x[n].op].signal[x[n].condition] = x[n].state; }
    }
    if (vain || m_leaves_all(o)) {
        r = SF_OK;
        sent = 0;
    } else if (!m_fits(o, silent)) {
        r = SF_ERROR_QUEUE_FULL;
    } else if (fails(o, m->runs, m->tries)) {
        r = (sf_result)(SF_ERROR_USER - (int)o->index);
    } else if (o->done_at && m->runs + 1 == o->done_at) {
        r = SF_DONE;
    }
    if (r < 0) {
        m->errors++;
        for (uint32_t p = 0; p < o->outputs; p++) { m_vague = m_vague || !m_connected(o, p); }
        retry = o->on_error == SF_ON_ERROR_RETRY && m->tries < o->retries;
        m->tries = retry ? m->tries + 1 : 0;
        if (retry) {
            if (finish) { m_finish(); }
            return;
        }
        m_received(o);
        stops = o->on_error == SF_ON_ERROR_STOP_OPERATOR;
        m->failed = stops || o->on_error != SF_ON_ERROR_IGNORE;
        if (m->failed && !stops) { m_stopped = true, m_result = r; }
    } else {
        m->tries = 0;
        bool leaves = m_leaves_all(o);       /* before its messages go */
        m_received(o);
        if (!leaves) { m_leave(o, routed, silent); } else { m_hand_on(o, routed); }
        moved = moved || sent;
        m->kept += flushing && !leaves && !got && !silent;
    }
    if (m->turns) { m->turns--; }
    m->runs++;
    m_executed(o);
    if (m_stopped) { return; }               /* its queues go with the flow's, which is no drop */
    if (stops || r == SF_DONE || (o->count && m->runs >= o->count && !flushing) || (last && !moved)) { m_end(o); }
    m_follow();
    if (flushing && !m->last && !moved && m_ready(o)) { m->stale = true; }
    if (vain && m_ready(o)) {
        m->stale = !m->unneeded && !m_has_period(o);         /* which came: that is news */
        if (m->unneeded) { m_end(o); }
    }
    for (int n = 0; n < 2; n++) {
        if (x[n].what == 2) { m_end(&ops[x[n].op]); }
    }
    if (finish) { m_finish(); }
}

static void m_begin(void)
{
    memset(m_edges, 0, sizeof m_edges);
    memset(m_ops, 0, sizeof m_ops);
    m_now = 0, m_dropped = 0, m_stopped = m_finishing = m_vague = false, m_result = SF_OK;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!m_is_data(e)) {
            m_ops[edges[e].to].controlled = true;
            m_ops[edges[e].to].turns += edges[e].desc.delay;
            continue;
        }
        m_edges[e].room = limit_of(&edges[e]) + (edges[e].from == edges[e].to);  /* its own goes before the next */
        for (uint32_t i = 0; i < edges[e].desc.delay; i++) { m_push(e, 0); }
    }
    for (uint32_t i = 0; i < op_count; i++) {
        for (uint32_t c = 0; c < CONDITIONS; c++) { m_ops[i].signal[c] = (sf_readiness)ops[i].when[c].initial; }
    }
}
/* Nothing can run, nothing can come. What is left is a deadlock, but for loops without a source, and what is behind
   them, that ran out of messages. */
static bool m_is_stuck(void)
{
    bool fed[OPS], any = false;
    m_find_fed(fed);
    for (uint32_t i = 0; i < op_count; i++) {
        bool room = true;
        for (uint32_t e = 0; e < edge_count; e++) {
            room = room && !(m_is_data(e) && edges[e].from == i && edges[e].desc.overflow == SF_OVERFLOW_BLOCK &&
                             !m_edges[e].closed && m_edges[e].count == m_edges[e].room);
        }
        any = any || (!m_ops[i].ended && (fed[i] || m_ops[i].stale || !room));
    }
    return any;
}
static bool m_finish_to_flush(void)          /* true: such a loop ends so that an operator flushes */
{
    bool any = false;
    for (uint32_t i = 0; i < op_count; i++) { any = any || (ops[i].flush && !m_ops[i].ended); }
    if (!any || m_finishing) { return false; }
    m_finish();
    return true;
}
static bool m_end_unneeded(void)             /* nothing else can run: they do not wait */
{
    bool any = false;
    for (uint32_t i = 0; i < op_count; i++) {
        if (!m_ops[i].unneeded || m_ops[i].ended) { continue; }
        m_end_one(&ops[i]);
        any = true;
    }
    m_follow();
    return any;
}
static bool m_signal_may_come(void)          /* to what says WAIT: it keeps the flow to the end of its time */
{
    for (uint32_t i = 0; i < op_count; i++) {
        for (uint32_t c = 0; c < ops[i].conditions && !m_ops[i].ended; c++) {
            if (ops[i].when[c].kind == SF_CONDITION_SIGNAL && m_ops[i].signal[c] == SF_WAIT) { return true; }
        }
    }
    return false;
}
static void model(void)
{
    m_begin();
    m_follow();
    for (m_steps = 0; !m_stopped && (m_steps <= MOST_STEPS || !no_choice); m_steps++) {
        const op_spec *next = NULL;
        int64_t wake = NEVER;
        m_follow();
        for (uint32_t i = 0; i < op_count; i++) {
            if (m_ready(&ops[i]) && (!next || ops[i].priority < next->priority)) { next = &ops[i]; }
        }
        if (next) {
            m_run(next);
            continue;
        }
        if (m_end_unneeded()) { continue; }
        wake = NEVER;                        /* nothing can run: on to the next time at which that may change */
        for (uint32_t i = 0; i < op_count; i++) {
            if (!m_ops[i].ended) { (void)m_own(&ops[i], &wake); }
        }
        if (wake == NEVER) {
            if (m_signal_may_come()) { return; }
            if (!m_is_stuck() && m_finish_to_flush()) { continue; }
            if (m_is_stuck()) { m_result = SF_ERROR_DEADLOCK; }
            return;
        }
        if (max_duration && wake > max_duration) { return; }
        m_now = wake;
    }
}

/* -- the flow itself -- */

static sf_op handles[OPS];
static struct { uint64_t sum, run, endings; uint32_t try, kept; } actors[OPS];

static sf_result compute(sf_context *ctx)
{
    const op_spec *o = (const op_spec *)ctx->user;
    uint32_t i = o->index, got = 0;
    sf_result r = SF_OK;
    bool ending = sf_is_ending(ctx), silent, failing;
    actors[i].endings += ending;
    actors[i].try = ctx->run == actors[i].run ? actors[i].try + 1 : 0;       /* begins at UINT32_MAX */
    actors[i].run = ctx->run;
    tell("flow", sf_flow_now(ctx->flow), i, ctx->run, actors[i].try);
    if (o->finish_at && ctx->run + 1 == o->finish_at) { (void)sf_flow_finish(ctx->flow); }
    for (uint32_t p = 0; o->waits && !(ending && o->holds) && p < o->inputs; p++) {
        if (!sf_available(ctx, (int)p)) { return SF_OK; }
    }
    for (uint32_t p = 0; p < o->inputs; p++) {
        uint32_t n = 0, left = o->in[p].take == TAKE_ONE ? 1 : UINT32_MAX;
        for (uint32_t e = 0; e < edge_count; e++) { n += m_into(e, o, p); }
        if (o->in[p].take == TAKE_BATCH) { left = n * batch_of(o, p); }
        while (left-- && sf_available(ctx, (int)p)) {
            actors[i].sum = actors[i].sum * 31 + sf_receive_value(ctx, (int)p).u64;
            got += counts_as_got(o, p);
        }
    }
    silent = is_silent(o, ending, got, actors[i].kept);
    for (uint32_t n = 0; o->directs && n < 2; n++) {
        order x = order_of(o, ctx->run, n);
        if (x.what == 1) { (void)sf_flow_signal(ctx->flow, handles[x.op], (int)x.condition, x.state); }
        if (x.what == 2) { (void)sf_op_stop(ctx->flow, handles[x.op]); }
    }
    if (o->routes) { r = sf_route(ctx, handles[edges[route_of(o, ctx->run)].to]); }
    for (uint32_t p = 0; p < o->outputs && !silent; p++) {
        for (uint32_t n = 0; n < emits(o, ctx->run, p) && r >= 0; n++) {
            sf_value v;
            memset(&v, 0, sizeof v);
            v.i64 = value_of(o, ctx->run, p, n);
            r = sf_emit_value(ctx, (int)p, v);
        }
    }
    if (r < 0) { return r; }
    failing = fails(o, ctx->run, actors[i].try);
    actors[i].kept += ending && !got && !silent && !failing;
    if (failing) { return (sf_result)(SF_ERROR_USER - (int)i); }
    return o->done_at && ctx->run + 1 == o->done_at ? SF_DONE : SF_OK;
}

static const char *const port_names[PORTS] = { "a", "b", "c" };
static sf_flow *build(int32_t workers, bool jobs)
{
    static sf_flow_desc d;
    sf_flow *f;
    memset(&d, 0, sizeof d);
    d.backend = SF_BACKEND_HOST;
    d.clock.simulated = true;
    d.max_duration = max_duration;
    d.gxf_or = gxf_or;
    d.workers[0].count = workers;
    if (jobs) { d.jobs.enqueue = job_enqueue, d.jobs.finish = job_finish; }
    if (loud) { d.logger.func = sf_log_stderr; }
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    for (uint32_t i = 0; i < op_count; i++) {
        const op_spec *o = &ops[i];
        sf_op_desc x;
        memset(&x, 0, sizeof x);
        x.compute = compute;
        x.user = &ops[i];
        for (uint32_t p = 0; p < o->inputs; p++) {
            x.in[p].name = port_names[p];
            x.in[p].capacity = o->in[p].capacity, x.in[p].batch = o->in[p].batch;
            x.in[p].optional = o->in[p].optional, x.in[p].many = o->in[p].many;
        }
        for (uint32_t p = 0; p < o->outputs; p++) { x.out[p].name = port_names[p]; }
        memcpy(x.when, o->when, sizeof o->when);
        x.count = o->count, x.period = o->period, x.priority = o->priority;
        x.on_error = o->on_error, x.retries = o->retries, x.flush = o->flush;
        handles[i] = sf_flow_add(f, &x);
    }
    for (uint32_t e = 0; e < edge_count; e++) {
        bool data = m_is_data(e);
        const char *output = data ? port_names[edges[e].output] : NULL;
        const char *input = data ? port_names[edges[e].input] : NULL;
        CHECK_OK(sf_flow_connect(f, handles[edges[e].from], output, handles[edges[e].to], input, &edges[e].desc));
    }
    return f;
}
static void same(const char *what, uint32_t i, uint64_t got, uint64_t want)
{
    if (got == want) { return; }
    fail_msg("%s of %s %u: %llu, not %llu\n", what, strstr(what, "edge") ? "edge" : "operator", i,
             (unsigned long long)got, (unsigned long long)want);
}
/* Operators whose runs are promised: sinks, operators of loops that nobody else reads, and those all of whose messages
   one of these has taken, with one of their last run; as long as they have somebody to work for. */
static void find_promised(bool *promised)
{
    bool more = true;
    for (uint32_t i = 0; i < op_count; i++) {
        promised[i] = !m_ops[i].unneeded;
        for (uint32_t e = 0; e < edge_count; e++) {
            if (edges[e].from == i && edges[e].to != i && !m_in_one_loop(i, edges[e].to)) { promised[i] = false; }
        }
        promised[i] = promised[i] && !(m_in_one_loop(i, i) && m_loop_has_reader(i));
    }
    while (more) {
        more = false;
        for (uint32_t e = 0; e < edge_count; e++) {
            uint32_t from = edges[e].from, to = edges[e].to;
            if (promised[from] || !promised[to] || m_ops[from].unneeded || !m_is_data(e)) { continue; }
            if (from == to || m_edges[e].dropped || m_edges[e].refused) { continue; }
            if (m_edges[e].last + 1 != m_ops[from].runs) { continue; }
            promised[from] = more = true;
        }
    }
}
static void compare(sf_flow *f, sf_result result, bool in_order)
{
    bool promised[OPS];
    sf_flow_info info;
    find_promised(promised);
    if (result != m_result) {
        fail_msg("the run is %d, not %d: %s\n", (int)result, (int)m_result, sf_flow_failure(f)->text);
    }
    for (uint32_t i = 0; i < op_count; i++) {
        sf_op_info op;
        CHECK_OK(sf_op_get_info(f, handles[i], &op));
        if (!in_order && !promised[i]) { continue; }
        same("runs", i, op.runs, m_ops[i].runs);
        same("errors", i, op.errors, m_ops[i].errors);
        same("last computes", i, actors[i].endings, m_ops[i].endings);
        same("checksum", i, actors[i].sum, m_ops[i].sum);
        same("state", i, op.state, m_ops[i].failed ? SF_OP_FAILED : SF_OP_STOPPED);
    }
    for (uint32_t e = 0; e < edge_count; e++) {
        sf_edge_info edge;
        int nth = 0;
        if (!m_is_data(e)) { continue; }
        for (uint32_t k = 0; k < e; k++) { nth += m_into(k, &ops[edges[e].to], edges[e].input); }
        CHECK_OK(sf_op_get_edge_info(f, handles[edges[e].to], (int)edges[e].input, nth, &edge));
        if (loud) {
            printf("# edge %u of the flow: messages %u, dropped %u, refused %u, high %u\n", e,
                   (unsigned)edge.messages, (unsigned)edge.dropped, (unsigned)edge.refused, edge.queued_high);
        }
        same("edge queued", e, edge.queued, 0);
        if (!in_order) {                     /* how far it ran ahead of a reader that ended is not promised */
            if (promised[edges[e].from]) {
                same("edge sent", e, edge.messages + edge.refused, m_edges[e].messages + m_edges[e].refused);
            }
            continue;
        }
        same("edge messages", e, edge.messages, m_edges[e].messages);
        same("edge dropped", e, edge.dropped, m_edges[e].dropped);
        same("edge refused", e, edge.refused, m_edges[e].refused);
        same("edge queued_high", e, edge.queued_high, m_edges[e].high);
        CHECK(edge.queued_high <= edge.capacity + (edges[e].from == edges[e].to));
        same("edge capacity", e, edge.capacity, limit_of(&edges[e]));
    }
    CHECK_OK(sf_flow_get_info(f, &info));
    if (!m_vague && in_order) { same("dropped", 0, info.dropped, m_dropped); }
}
static sf_result run_it(sf_flow *f, uint32_t way)
{
    sf_result r;
    memset(actors, 0, sizeof actors);
    for (uint32_t i = 0; i < OPS; i++) { actors[i].try = UINT32_MAX; }
    if (way == 0) { return sf_flow_run(f); }
    if (way == 1) {
        while ((r = sf_flow_step(f, NULL)) == SF_OK || r == SF_IDLE) {}
        return r == SF_DONE ? SF_OK : r;
    }
    r = sf_flow_start(f);
    if (r < 0) { return r; }
    r = sf_flow_wait(f, GUARD);
    if (r == SF_TIMEOUT) { fail_msg("no end\n"); }
    return r;
}

/* -- the generator -- */

static rng r;
static uint32_t dice(uint32_t n) { return rng_below(&r, n); }
static bool one_in(uint32_t n) { return dice(n) == 0; }
static int64_t some_time(void) { return TICK * (1 + (int64_t)dice(one_in(4) ? 600 : 30)); }

static bool about_messages(const sf_condition *c)
{
    return c->kind == SF_CONDITION_MESSAGES || c->kind == SF_CONDITION_EXPIRING;
}
static void any_condition(op_spec *o, sf_condition *c, bool signals)
{
    static const sf_condition_kind kinds[] = { SF_CONDITION_COUNT, SF_CONDITION_PERIOD, SF_CONDITION_TIME,
                                               SF_CONDITION_MESSAGES, SF_CONDITION_EXPIRING, SF_CONDITION_ROOM,
                                               SF_CONDITION_SIGNAL };
    c->kind = kinds[dice(signals ? 7 : 6)];
    if (about_messages(c) && !o->inputs) { c->kind = SF_CONDITION_COUNT; }
    if (c->kind == SF_CONDITION_ROOM && !o->outputs) { c->kind = SF_CONDITION_TIME; }
    c->ns = some_time();
    c->count = 1;
    switch (c->kind) {
    case SF_CONDITION_COUNT: c->count = 1 + dice(500); break;
    case SF_CONDITION_PERIOD: c->catch_up = (uint8_t)dice(3); break;
    case SF_CONDITION_MESSAGES:
        c->count = dice(3);
        if (one_in(2)) { c->ns = 0; }
        c->ports = one_in(2) ? 0 : 1u << dice(o->inputs);
        break;
    case SF_CONDITION_EXPIRING:
        c->count = 1 + dice(3);
        c->ports = one_in(2) ? 0 : 1u << dice(o->inputs);
        break;
    case SF_CONDITION_ROOM: c->ports = one_in(2) ? 0 : 1u << dice(o->outputs); break;
    case SF_CONDITION_SIGNAL:
        c->latch = one_in(2);
        c->initial = one_in(2) ? SF_READY : SF_WAIT;
        break;
    default: break;
    }
    c->any = one_in(4) ? 1 : 0;
}
static void any_op(uint32_t i, bool signals)
{
    op_spec *o = &ops[i];
    memset(o, 0, sizeof *o);
    o->index = i;
    o->inputs = !i ? 0 : one_in(3) ? dice(PORTS + 1) : 1;
    o->outputs = one_in(2) ? dice(PORTS + 1) : 1;
    for (uint32_t p = 0; p < o->inputs; p++) {
        in_spec *in = &o->in[p];
        in->batch = (uint16_t)(one_in(6) ? 1 + dice(3) : 0);
        in->capacity = (uint16_t)(one_in(2) ? in->batch + dice(5) : 0);
        in->many = one_in(6);
        in->take = (uint8_t)(no_choice ? TAKE_BATCH : dice(3));
        in->optional = !no_choice && one_in(p ? 2 : 8);
    }
    if (one_in(3)) { o->fails = 2 + dice(40); }
    o->on_error = (sf_on_error)(one_in(12) && !no_choice ? dice(4) : 2 + dice(2));
    o->retries = 1 + dice(3);
    o->varies = one_in(4);
    if (no_choice) {
        o->on_error = SF_ON_ERROR_IGNORE;
        if (!one_in(3)) { o->fails = 0; }
        if (!o->inputs || one_in(6)) { o->count = 1 + dice(one_in(4) ? 3000 : 60); }
        if (one_in(16)) { o->done_at = 1 + dice(60); }
        return;
    }
    o->waits = o->inputs > 1 && one_in(6);
    if (one_in(60)) { o->finish_at = 1 + dice(100); }
    if (one_in(24)) { o->done_at = 1 + dice(1000); }
    if (one_in(o->inputs ? 12 : 4)) { o->count = 1 + dice(2000); }
    if (one_in(o->inputs ? 8 : 1)) { o->period = some_time(); }
    if (signals && o->inputs <= 1 && one_in(3)) {
        o->when[0].kind = SF_CONDITION_SIGNAL;
        o->when[0].latch = one_in(2);
        o->when[o->conditions++].initial = SF_READY;
    }
    while (o->conditions < CONDITIONS && one_in(4)) { any_condition(o, &o->when[o->conditions++], signals); }
}
static bool connected(uint32_t from, uint32_t to, uint32_t output, uint32_t input, bool control)
{
    for (uint32_t e = 0; e < edge_count; e++) {
        const edge_spec *x = &edges[e];
        if (x->from == from && x->to == to && x->desc.control == control &&
            (control || (x->output == output && x->input == input))) {
            return true;
        }
    }
    return false;
}
static bool any_edge(uint32_t to, uint32_t input)
{
    edge_spec *e = &edges[edge_count];
    in_spec *in = &ops[to].in[input];
    uint32_t from = dice(to), tries;
    bool back = one_in(no_choice ? 6 : 16);
    if (back) { from = to + dice(op_count - to); }
    for (tries = 0; !ops[from].outputs && tries < 20; tries++) { from = back ? to + dice(op_count - to) : dice(to); }
    if (!ops[from].outputs || edge_count == EDGES) { return false; }
    memset(e, 0, sizeof *e);
    e->from = from, e->to = to, e->input = input, e->output = dice(ops[from].outputs);
    if (connected(from, to, e->output, input, false)) { return false; }
    e->desc.overflow = (sf_overflow)(no_choice || one_in(3) ? SF_OVERFLOW_BLOCK : dice(5));
    if (e->desc.overflow == SF_OVERFLOW_LATEST && in->batch > 1) { e->desc.overflow = SF_OVERFLOW_DROP_OLDEST; }
    if (one_in(3)) { e->desc.capacity = (uint16_t)((in->batch ? in->batch : 1) + dice(4)); }
    if (back) { e->desc.delay = (uint16_t)(1 + dice(3)); }
    if (from == to) { in->take = TAKE_ALL; }
    edge_count++;
    return true;
}
static void any_turns(void)                  /* control edges */
{
    for (uint32_t i = 1; i < op_count; i++) {
        edge_spec *e = &edges[edge_count];
        uint32_t from = one_in(8) ? dice(op_count) : dice(i);
        if (!one_in(no_choice ? 8 : 4) || edge_count == EDGES) { continue; }
        if (from == i || ops[i].directs || ops[from].directs) { continue; }
        memset(e, 0, sizeof *e);
        e->from = from, e->to = i;
        e->desc.control = true;
        if (no_choice && !ops[i].inputs) { continue; }
        e->desc.delay = (uint16_t)(from > i || one_in(4) ? 1 + dice(3) : 0);
        edge_count++;
    }
}
/* Whether something keeps the operator from running for ever at one time: time, or what its runs use up. */
static bool uses_up(const op_spec *o, uint32_t ports)        /* messages of these inputs */
{
    bool any = false;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (!m_is_data(e) || edges[e].to != o->index || !(ports >> edges[e].input & 1)) { continue; }
        if (edges[e].desc.overflow == SF_OVERFLOW_LATEST) { return false; }
        any = true;
    }
    return any;
}
static bool limits(const op_spec *o, const sf_condition *c)
{
    switch (c->kind) {
    case SF_CONDITION_COUNT:
    case SF_CONDITION_PERIOD: return true;
    case SF_CONDITION_SIGNAL: return !c->latch;
    case SF_CONDITION_MESSAGES:
    case SF_CONDITION_EXPIRING: return uses_up(o, m_ports(c));
    default: return false;
    }
}
static bool is_limited(const op_spec *o)
{
    bool back = false;
    if (o->count || o->period || o->directs) { return true; }
    for (uint32_t e = 0; e < edge_count; e++) {
        back = back || (edges[e].to == o->index && edges[e].from >= o->index);       /* what ends a cycle */
    }
    if (back) { return false; }
    for (uint32_t e = 0; e < edge_count; e++) {
        if (edges[e].desc.control && edges[e].to == o->index) { return true; }
    }
    for (uint32_t c = 0; c < o->conditions; c++) {
        if (!o->when[c].any && limits(o, &o->when[c])) { return true; }
    }
    for (uint32_t p = 0; p < o->inputs; p++) {
        if (!o->in[p].optional && !m_replaced(o, p, false) && uses_up(o, 1u << p)) { return true; }
    }
    return false;
}
/* Who waits for a signal, and for messages that cannot come any more, ends when the library finds out: nobody sees it
   if all that leads there is one edge from a source. */
static bool may_wait_for_signals(const op_spec *o)
{
    uint32_t in = 0;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (edges[e].to != o->index) { continue; }
        if (!m_is_data(e) || ops[edges[e].from].inputs || o->in[edges[e].input].optional || in++) { return false; }
    }
    return o->inputs <= 1;
}
/* Conditions that a check would refuse, or that the rules leave open. */
static void tidy(op_spec *o)
{
    bool timed, signals = may_wait_for_signals(o);
    for (uint32_t c = 0; c < o->conditions && o->waits; c++) {               /* no time is news for it */
        o->when[c].any = 0;
        if (o->when[c].kind == SF_CONDITION_MESSAGES) { o->when[c].ns = 0; }
        if (o->when[c].kind == SF_CONDITION_EXPIRING) { o->when[c].kind = SF_CONDITION_TIME; }
    }
    for (uint32_t c = 0; c < o->conditions; c++) {
        sf_condition *is = &o->when[c];
        uint32_t most = 0;
        for (uint32_t e = 0; e < edge_count; e++) {
            if (edges[e].to != o->index) { continue; }
            if (m_is_data(e) && (m_ports(is) >> edges[e].input & 1)) {
                most += edges[e].desc.overflow == SF_OVERFLOW_LATEST ? 1 : limit_of(&edges[e]);
            }
            if (edges[e].from == o->index && is->kind == SF_CONDITION_ROOM) { is->kind = SF_CONDITION_NONE; }
        }
        if (!is->kind || (about_messages(is) && is->count > most) ||
            (is->kind == SF_CONDITION_SIGNAL && !signals)) {
            is->kind = SF_CONDITION_TIME, is->ports = 0;
        }
    }
    if (o->routes) {
        for (uint32_t e = 0; e < edge_count; e++) {          /* room is asked for on all edges, routed or not */
            sf_edge_desc *d = &edges[e].desc;
            if (edges[e].from == o->index && d->overflow == SF_OVERFLOW_ERROR) { d->overflow = SF_OVERFLOW_BLOCK; }
        }
        o->varies = 0;
    }
    if (o->directs) { return; }
    timed = o->period != 0;
    for (uint32_t c = 0; c < o->conditions; c++) {
        sf_condition_kind k = o->when[c].kind;
        timed = timed || k == SF_CONDITION_PERIOD || (k == SF_CONDITION_MESSAGES && o->when[c].ns);
    }
    if (no_choice) { return; }               /* loops end by what is in them: see generate() */
    if (!o->count && (!is_limited(o) || (timed && !max_duration))) { o->count = 1 + dice(1000); }
}
static bool has_one_edge(const op_spec *o)   /* so that what is left for its last computes is no matter of time */
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (edges[e].to == o->index) { n += edges[e].desc.control || o->in[edges[e].input].many ? 2 : 1; }
    }
    return n <= 1;
}
static void generate(void)
{
    bool signals;
    int32_t priorities[OPS];
    r = rng_seed(seed);
    memset(edges, 0, sizeof edges);
    op_count = 2 + dice(OPS - 2), edge_count = 0;
    no_choice = one_in(4);
    gxf_or = one_in(4);
    signals = !no_choice && one_in(2);
    max_duration = signals || (!no_choice && one_in(3)) ? AN_HOUR : 0;
    for (uint32_t i = 0; i < op_count; i++) { any_op(i, signals); }
    if (signals) {                           /* whose periods keep the flow going to the end */
        op_spec *o = &ops[director = op_count - 1];
        memset(o, 0, sizeof *o);
        o->index = director;
        o->directs = true;
        o->period = some_time();
    }
    for (uint32_t i = 0; i < op_count; i++) {
        for (uint32_t p = 0; p < ops[i].inputs; p++) {
            uint32_t n = ops[i].in[p].many ? 1 + dice(3) : 1, made = 0;
            for (uint32_t k = 0; k < n; k++) { made += any_edge(i, p); }
            if (!made) { ops[i].in[p].optional = true; }
        }
    }
    any_turns();
    for (uint32_t i = 0; i < op_count; i++) {
        ops[i].flush = !ops[i].directs && one_in(3) && (!no_choice || has_one_edge(&ops[i]));
        ops[i].holds = one_in(2) ? dice(5) : 0;
    }
    for (uint32_t i = 0; i < op_count; i++) {
        bool any = false;
        for (uint32_t e = 0; e < edge_count; e++) { any = any || edges[e].from == i; }
        ops[i].routes = any && !ops[i].waits && one_in(10);
        priorities[i] = (int32_t)i;
    }
    for (uint32_t i = 0; i < op_count; i++) { tidy(&ops[i]); }
    for (uint32_t i = op_count; i-- > 1;) {
        uint32_t k = dice(i + 1);
        int32_t p = priorities[i];
        priorities[i] = priorities[k], priorities[k] = p;
    }
    for (uint32_t i = 0; i < op_count; i++) { ops[i].priority = priorities[i] - 5; }
    model();
    for (uint32_t i = 0; i < op_count && m_steps > MOST_STEPS; i++) {        /* a loop goes on for ever */
        ops[i].count = 1 + dice(100);
    }
    if (m_steps > MOST_STEPS) { model(); }
}

static void describe(void)
{
    static const char *const kinds[] = { "", "COUNT", "PERIOD", "TIME", "SIGNAL", "MESSAGES", "EXPIRING", "ROOM" };
    static const char *const overflows[] = { "BLOCK", "DROP_OLDEST", "DROP_NEWEST", "LATEST", "ERROR" };
    printf("# max_duration %lld, gxf_or %d, no_choice %d\n", (long long)max_duration, gxf_or, no_choice);
    for (uint32_t i = 0; i < op_count; i++) {
        const op_spec *o = &ops[i];
        printf("# op %u: priority %d, count %u, period %lld, on_error %d, retries %u, fails %u, varies %u, "
               "done_at %u, flush %d, holds %u%s%s\n",
               i, o->priority, (unsigned)o->count, (long long)(o->period / TICK), o->on_error, o->retries, o->fails,
               o->varies, o->done_at, o->flush, o->holds, o->routes ? ", routes" : "", o->directs ? ", directs" : "");
        for (uint32_t p = 0; p < o->inputs; p++) {
            printf("#   in %u: capacity %u, batch %u, take %u%s%s\n", p, o->in[p].capacity, o->in[p].batch,
                   o->in[p].take, o->in[p].optional ? ", optional" : "", o->in[p].many ? ", many" : "");
        }
        for (uint32_t c = 0; c < o->conditions; c++) {
            printf("#   when %s: ports %x, count %u, ns %lld, any %u, catch_up %u, latch %d, initial %u\n",
                   kinds[o->when[c].kind], o->when[c].ports, o->when[c].count, (long long)(o->when[c].ns / TICK),
                   o->when[c].any, o->when[c].catch_up, o->when[c].latch, o->when[c].initial);
        }
        printf("#   model: runs %u, errors %u, ended %d\n", (unsigned)m_ops[i].runs, (unsigned)m_ops[i].errors,
               m_ops[i].ended);
    }
    for (uint32_t e = 0; e < edge_count; e++) {
        printf("# edge %u: %u.%u -> %u.%u %s, capacity %u, delay %u; messages %u, dropped %u, refused %u, "
               "high %u\n", e, edges[e].from, edges[e].output, edges[e].to, edges[e].input,
               edges[e].desc.control ? "turns" : overflows[edges[e].desc.overflow], edges[e].desc.capacity,
               edges[e].desc.delay, (unsigned)m_edges[e].messages, (unsigned)m_edges[e].dropped,
               (unsigned)m_edges[e].refused, m_edges[e].high);
    }
    fflush(stdout);
}
static void one_flow(void)
{
    sf_result result;
    sf_flow *f;
    generate();
    if (loud) { describe(); }
    f = build(0, false);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    for (uint32_t way = 0; way < 3; way++) { /* one after the other: nothing is left of the run before */
        result = run_it(f, (way + (uint32_t)seed) % 3);
        compare(f, result, true);
    }
    CHECK_IS(sf_flow_destroy(f), m_result);
    if (!no_choice) { return; }
    for (uint32_t way = 0; way < 2; way++) {
        bool jobs = way && m_steps < 2000;
        f = build(jobs ? 0 : 2 + (int32_t)dice(7), jobs);
        result = run_it(f, dice(2) * 2);
        if (result != SF_ERROR_NOT_SUPPORTED) { compare(f, result, false); }
        (void)sf_flow_destroy(f);
    }
}
int main(int argc, char **argv)
{
    uint64_t first = 1, seeds = test_seeds() / 4;
    for (int i = 1; i < argc; i++) {
        loud += !strcmp(argv[i], "--loud");
        if (i + 1 == argc) { break; }
        if (!strcmp(argv[i], "--seeds")) { seeds = strtoull(argv[i + 1], NULL, 10); }
        if (!strcmp(argv[i], "--first")) { first = strtoull(argv[i + 1], NULL, 10); }
        if (!strcmp(argv[i], "--seed")) { first = strtoull(argv[i + 1], NULL, 10), seeds = 1; }
    }
    printf("1..1\n");
    for (seed = first; seed < first + seeds; seed++) { one_flow(); }
    printf("ok 1 - %llu flows\n", (unsigned long long)seeds);
    return 0;
}
