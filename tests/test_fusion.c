/*  test_fusion.c - joins of streams by time: ALIGNED and WINDOW conditions against time_model.h, a model of their
    rule. Each port has a source that emits given stamps; on a simulated clock at given times, so that the order of
    arrival is exact. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <unistd.h>
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "jobs.h"
#include "hooks.h"
#include "time_model.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }
enum { NOT_STAMPED = -1, TIMES = 1000 };     /* TIMES: ns from one event of a script to the next */

static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
static sf_flow *f;
static sf_op join, feeds[TM_PORTS], sink;
static test_log logged;

/* -- scripts: what comes on which port, and when -- */

typedef struct script {
    tm_rule rule;
    tm_streams in;
    int64_t at[TM_PORTS][TM_LENGTH], ends[TM_PORTS];         /* on the flow's clock; ends -1: never */
} script;

/* "A5 B7 A. @9000 B.": stamps 5 and 7 come, A ends, and at 9000 B. Without @ an event comes TIMES after the one
   before. "A-": without a stamp. A port that does not end in the text never does. */
static script script_of(const char *text, const tm_rule *rule)
{
    script s;
    int64_t now = 0;
    memset(&s, 0, sizeof s);
    s.rule = *rule;
    for (int p = 0; p < TM_PORTS; p++) { s.ends[p] = -1; }
    for (char *end; *text; text = end) {
        if (*text == ' ') { end = (char *)text + 1; continue; }
        if (*text == '@') {
            now = strtoll(text + 1, &end, 10) - TIMES;
            continue;
        }
        int p = *text - 'A';
        now += TIMES;
        if (p < 0 || p >= rule->ports) { tm_die("a script names a port that is not there"); }
        if (text[1] == '.') {
            s.ends[p] = now;
            end = (char *)text + 2;
            continue;
        }
        s.at[p][s.in.count[p]] = now;
        if (text[1] == '-' && (text[2] < '0' || text[2] > '9')) {
            s.in.stamp[p][s.in.count[p]++] = NOT_STAMPED;
            end = (char *)text + 2;
        } else {
            s.in.stamp[p][s.in.count[p]++] = strtoll(text + 1, &end, 10);
        }
    }
    return s;
}
static script at_once(script s)              /* as fast as the flow takes it, each port by itself */
{
    memset(s.at, 0, sizeof s.at);
    for (int p = 0; p < TM_PORTS; p++) { s.ends[p] = s.ends[p] < 0 ? -1 : 0; }
    return s;
}
static void tell(const script *s, char *text, size_t bytes)  /* for the message of a failure */
{
    size_t n = (size_t)snprintf(text, bytes, "%s within %lld, max_wait %lld", s->rule.nearest ? "NEAREST" : "OLDEST",
                                (long long)s->rule.within, (long long)s->rule.max_wait);
    for (int p = 0; p < s->rule.ports && n < bytes; p++) {
        n += (size_t)snprintf(
            text + n, bytes - n, "\n  %s (offset %lld, reorder %lld, period %lld, room %d%s):", names[p],
            (long long)s->rule.offset[p], (long long)s->rule.reorder[p], (long long)s->rule.period[p],
            s->rule.room[p], s->rule.optional >> p & 1 ? ", optional" : "");
        for (int i = 0; i < s->in.count[p] && n < bytes; i++) {
            n += (size_t)snprintf(text + n, bytes - n, " %lld@%lld", (long long)s->in.stamp[p][i],
                                  (long long)s->at[p][i]);
        }
        if (n < bytes) { n += (size_t)snprintf(text + n, bytes - n, " ends %lld", (long long)s->ends[p]); }
    }
}


/* -- the flow of a script: a source for each port, the join, a sink -- */

static const script *played;
static uint32_t seed;                        /* of the random test that runs */
static bool tensors, cpu_reads;              /* messages are tensors, painted by a kernel; cpu_reads: behind it */
static bool tagged, tracked, copied;         /* messages carry metadata; latencies and a trace; edges copy */
static sf_stream_pool *far;                  /* of the sources, if edges copy */
static int64_t sink_period;                  /* the sink takes a result so often; 0: at once */
static uint32_t slow;                        /* how long a kernel takes */
static uint32_t *probes;                     /* [set][port][PROBE], [drop][PROBE] */
typedef struct feed { int port, sent; } feed;
static feed feed_of[TM_PORTS];

static sf_readiness feed_check(void *user, int64_t now, int64_t *wake)
{
    const feed *d = (const feed *)user;
    bool more = d->sent < played->in.count[d->port];
    int64_t at = more ? played->at[d->port][d->sent] : played->ends[d->port];
    if (at < 0) { return SF_WAIT; }
    if (now < at) { *wake = at; }
    return now < at ? SF_WAIT : more ? SF_READY : SF_NEVER;
}
static int name_of(int port, int index) { return port * 100 + index + 1; }   /* a message by its content */
static sf_result feed_one(sf_context *ctx)
{
    feed *d = (feed *)ctx->user;
    int i = d->sent;
    sf_tensor *t;
    sf_result r;
    if (played->in.stamp[d->port][i] != NOT_STAMPED) { sf_set_timestamp(ctx, played->in.stamp[d->port][i]); }
    d->sent++;
    if (tagged && (r = sf_set_metadata(ctx, (uint32_t)d->port, number(name_of(d->port, i) * 7))) < 0) { return r; }
    if (!tensors) { return sf_emit_value(ctx, 0, number(name_of(d->port, i))); }
    t = sf_tensor_create(ctx, 0, NULL);
    r = paint(sf_compute_stream(ctx), t->data, NULL, NULL, (uint32_t)name_of(d->port, i), slow);
    return r < 0 ? r : sf_emit(ctx, 0, t);
}

/* What the join got. Its computes write, the main thread reads after the run, or between steps. */
typedef struct taken {
    int sets, set[TM_SETS][TM_PORTS];        /* indices, or TM_ABSENT */
    sf_absence absence[TM_SETS][TM_PORTS];
    int64_t at[TM_SETS];                     /* the flow's time */
    int results;
    int64_t result[TM_SETS];                 /* timestamps at the sink */
    int drops, fate[TM_PORTS][TM_LENGTH];    /* by sf_receive_dropped(): fate + 1 */
    struct { int port; sf_fate fate; int64_t time; } dropped[TM_SETS];       /* tensors: read later */
} taken;
static taken got;

static sf_result wrong(sf_context *ctx, const char *what, int port, long long n)
{
    char text[128];
    snprintf(text, sizeof text, "%s: port %d, %lld", what, port, n);
    return sf_fail(ctx, SF_ERROR_USER, text);
}
/* The index of the message that is next on a port; below 0: an error. */
static int take_untagged(sf_context *ctx, int p, int probe_at)
{
    int64_t stamp = sf_peek_timestamp(ctx, p, 0), value;
    int i;
    if (tensors) {
        sf_tensor *t = sf_receive(ctx, p);
        if (!t) { return (int)wrong(ctx, "no tensor", p, 0); }
        for (i = 0; i < played->in.count[p] && played->in.stamp[p][i] != sf_get_timestamp(ctx, p); i++) {}
        if (cpu_reads) {
            const uint32_t *w = (const uint32_t *)t->data;
            for (i = 1; i < WORDS; i++) { if (w[i] != w[0]) { return (int)wrong(ctx, "torn", p, i); } }
            i = (int)w[0] - name_of(p, 0);
            return i >= 0 && i < played->in.count[p] && played->in.stamp[p][i] == stamp
                       ? i
                       : (int)wrong(ctx, "not it", p, i);
        }
        if (probe(sf_compute_stream(ctx), t->data, probes + (size_t)probe_at * PROBE, slow) < 0) { return -1; }
        value = name_of(p, i);               /* the kernel says which one it is: see check_probes() */
    } else {
        value = sf_receive_value(ctx, p).i64;
    }
    i = (int)(value - name_of(p, 0));
    if (i < 0 || i >= played->in.count[p]) { return (int)wrong(ctx, "another port's message", p, value); }
    if (stamp != sf_get_timestamp(ctx, p)) { return (int)wrong(ctx, "it peeked another time", p, stamp); }
    if (stamp != played->in.stamp[p][i] && played->in.stamp[p][i] != NOT_STAMPED) {
        return (int)wrong(ctx, "another stamp", p, stamp);
    }
    return i;
}
static int take_one(sf_context *ctx, int p, int probe_at)
{
    int i = take_untagged(ctx, p, probe_at);
    sf_value v;
    if (i < 0 || !tagged || (tensors && !cpu_reads)) { return i; }
    if (!sf_get_metadata(ctx, (uint32_t)p, &v)) { return (int)wrong(ctx, "no metadata", p, i); }
    return v.i64 == name_of(p, i) * 7 ? i : (int)wrong(ctx, "another message's metadata", p, v.i64);
}
static bool alone;                           /* nothing else runs beside a compute */
static sf_result take_set(sf_context *ctx)
{
    int k = got.sets, n = played->rule.ports;
    if (k == TM_SETS) { return wrong(ctx, "too many sets", 0, k); }
    for (int p = 0; p < n; p++) {            /* also while other workers emit: each message has one fate, or waits */
        sf_edge_info e;
        if (sf_op_get_edge_info(ctx->flow, ctx->op, p, 0, &e) < 0) { return SF_ERROR_USER; }
        uint64_t sum = e.queued;
        for (int i = 0; i < SF_FATES; i++) { sum += e.fates[i]; }
        /* one that another worker emits between these reads is counted once more */
        if (alone ? sum != e.messages : sum < e.messages || sum > e.messages + 64) {
            return wrong(ctx, "fates do not add up", p, (long long)(sum - e.messages));
        }
    }
    got.at[k] = sf_flow_now(ctx->flow);
    for (int p = 0; p < n; p++) {
        int there = sf_available(ctx, p);
        got.absence[k][p] = sf_why_absent(ctx, p);
        got.set[k][p] = TM_ABSENT;
        if ((got.absence[k][p] == SF_PRESENT) != (there == 1) || there > 1) {
            return wrong(ctx, "not one message", p, there * 10 + (int)got.absence[k][p]);
        }
        if (sf_peek_timestamp(ctx, p, 1) != -1) { return wrong(ctx, "a second one", p, there); }
        if (!there) {
            if (sf_peek_timestamp(ctx, p, 0) != -1) { return wrong(ctx, "a stamp of none", p, 0); }
            continue;
        }
        got.set[k][p] = take_one(ctx, p, k * TM_PORTS + p);
        if (got.set[k][p] < 0) { return SF_ERROR_USER; }
        if (sf_available(ctx, p)) { return wrong(ctx, "still there", p, sf_available(ctx, p)); }
    }
    got.sets++;
    return sf_emit_value(ctx, 0, number(k));
}
static sf_result take_result(sf_context *ctx)
{
    if (sf_receive_value(ctx, 0).i64 != got.results) { return wrong(ctx, "another result", 0, got.results); }
    got.result[got.results++] = sf_get_timestamp(ctx, 0);
    return SF_OK;
}

/* workers 0: step by step. groups: the sources of every other port have a thread of their own. jobs: one a task. */
typedef struct way { int32_t workers; bool simulated, groups, jobs; sf_device *device; } way;
static const way stepped = { 0, true, false, false, NULL };

static sf_op_desc join_of(const script *s)
{
    sf_op_desc d = { .name = "join", .compute = take_set, .out = { OUT("out") } };
    d.when[0].kind = SF_CONDITION_ALIGNED;
    d.when[0].ns = s->rule.within;
    d.when[0].pick = s->rule.nearest ? SF_PICK_NEAREST : SF_PICK_OLDEST;
    d.when[0].max_wait = s->rule.max_wait;
    for (int p = 0; p < s->rule.ports; p++) {
        d.in[p].name = names[p];
        d.in[p].capacity = (uint16_t)(s->rule.room[p] ? s->rule.room[p] : TM_LENGTH);
        d.in[p].offset = s->rule.offset[p];
        d.in[p].reorder = s->rule.reorder[p];
        d.in[p].period = s->rule.period[p];
        d.in[p].optional = s->rule.optional >> p & 1;
    }
    return d;
}
static sf_op add_feed(int p, const way *by)
{
    return sf_flow_add(f, &(sf_op_desc){
        .name = names[p], .compute = feed_one, .user = &feed_of[p], .workers = by->groups ? p % 2 : 0, .streams = far,
        .out = { { .name = "out", .bytes = tensors ? BYTES : 0, .memory = SF_MEMORY_PINNED } },
        .when = { { .kind = SF_CONDITION_USER, .custom = { feed_check, NULL, &feed_of[p] } } } });
}
static void build(const script *s, const sf_op_desc *d, const way *by)
{
    sf_flow_desc desc = { .device = by->device ? by->device : device, .clock.simulated = by->simulated,
                          .logger = { test_log_func, &logged }, .metadata_entries = 6,
                          .track.latency = tracked, .trace_events = tracked ? 500 : 0 };
    sf_edge_desc edge = { .overflow = s->rule.drop ? SF_OVERFLOW_DROP_OLDEST : SF_OVERFLOW_BLOCK, .copy = copied };
    played = s;
    memset(&got, 0, sizeof got);
    desc.workers[0].count = by->workers;
    desc.workers[1].count = by->groups;
    alone = by->workers < 2 && !by->groups && !by->jobs;
    if (by->jobs) {
        desc.jobs.enqueue = job_enqueue;
        desc.jobs.finish = job_finish;
    }
    f = sf_flow_create(&desc);
    CHECK(f != NULL);
    for (int p = 0; p < s->rule.ports; p++) {
        feed_of[p] = (feed){ p, 0 };
        feeds[p] = add_feed(p, by);
    }
    join = sf_flow_add(f, d);
    sink = sf_flow_add(
        f, &(sf_op_desc){ .name = "sink", .compute = take_result, .in = { IN("in") }, .period = sink_period });
    for (int p = 0; p < s->rule.ports; p++) { CHECK_OK(sf_flow_connect(f, feeds[p], NULL, join, names[p], &edge)); }
    connect(f, join, sink);
}
static void sums_hold(void)                  /* each message has one fate, or waits */
{
    for (int p = 0; p < played->rule.ports; p++) {
        sf_edge_info e = edge_of(f, join, p, 0);
        uint64_t sum = e.queued;
        for (int i = 0; i < SF_FATES; i++) { sum += e.fates[i]; }
        if (sum != e.messages || e.messages > (uint64_t)feed_of[p].sent) {
            fail_msg("port %s: %llu messages of %d, but %llu with a fate or waiting", names[p],
                     (unsigned long long)e.messages, feed_of[p].sent, (unsigned long long)sum);
        }
        uint64_t kept = e.queued + e.fates[SF_FATE_DELIVERED] + e.fates[SF_FATE_FAILED], lost = sum - kept;
        if (e.dropped > lost || e.dropped + e.fates[SF_FATE_ENDED] < lost) {
            fail_msg("port %s: %llu dropped, but %llu lost", names[p], (unsigned long long)e.dropped,
                     (unsigned long long)lost);
        }
    }
}
static void fail_script(const char *what)
{
    char text[2048], failure[512];
    tell(played, text, sizeof text);
    snprintf(failure, sizeof failure, "%s", sf_flow_failure(f)->text);
    sf_flow_stop(f);
    fail_msg("seed %u: %s\n  %s\n  %s", seed, what, text, failure);
}
static sf_result go(const way *by)
{
    sf_result r;
    if (by->workers == 0 && !by->jobs) {
        int64_t wake;
        uint32_t steps = 0;
        do {
            r = sf_flow_step(f, &wake);
            sums_hold();
            if (r == SF_IDLE && wake >= 0) { usleep(20); }   /* until the GPU is done */
        } while ((r == SF_OK || (r == SF_IDLE && wake >= 0)) && ++steps < 100000);
        return r == SF_DONE ? SF_OK : r == SF_OK ? SF_TIMEOUT : r;
    }
    r = sf_flow_start(f);
    if (r >= 0) { r = sf_flow_wait(f, GUARD); }
    if (r == SF_TIMEOUT) {
        sf_flow_stop(f);
        sf_flow_wait(f, GUARD / 4);
    }
    return r;
}
static void went(const way *by, sf_result want)
{
    sf_result r = go(by);
    char text[128];
    snprintf(text, sizeof text, "the run is %d (%s), not %d, with %d workers%s%s", (int)r, sf_result_string(r),
             (int)want, by->workers, by->groups ? ", groups" : "", by->jobs ? ", jobs" : "");
    if (r != want) { fail_script(text); }
    sums_hold();
}
static void finish(void)
{
    sf_flow_destroy(f);
    f = NULL;
}

/* -- comparisons -- */

static const sf_fate fate_of[TM_FATES] = {
    SF_FATES,          SF_FATE_DELIVERED,   SF_FATE_OVERFLOW, SF_FATE_ENDED,
    SF_FATE_UNMATCHED, SF_FATE_PASSED_OVER, SF_FATE_BACKWARD, SF_FATE_TIMED_OUT
};
static const char *const fate_names[SF_FATES] = {
    [SF_FATE_DELIVERED] = "delivered", [SF_FATE_FAILED] = "failed", [SF_FATE_OVERFLOW] = "overflow",
    [SF_FATE_ENDED] = "ended", [SF_FATE_TOO_OLD] = "too old", [SF_FATE_UNMATCHED] = "unmatched",
    [SF_FATE_PASSED_OVER] = "passed over", [SF_FATE_BACKWARD] = "backward", [SF_FATE_TIMED_OUT] = "timed out"
};
static void same_sets(const tm_answer *want)
{
    char text[256];
    for (int k = 0; k < want->sets && k < got.sets; k++) {
        for (int p = 0; p < played->rule.ports; p++) {
            if (got.set[k][p] != want->set[k][p]) {
                snprintf(text, sizeof text, "set %d has message %d of %s, not %d", k, got.set[k][p], names[p],
                         want->set[k][p]);
                fail_script(text);
            }
        }
    }
    snprintf(text, sizeof text, "%d sets and %d results, not %d", got.sets, got.results, want->sets);
    if (got.sets != want->sets || got.results != want->sets) { fail_script(text); }
    for (int k = 0; k < want->sets; k++) {
        snprintf(text, sizeof text, "result %d is of %lld, not of %lld", k, (long long)got.result[k],
                 (long long)want->time[k]);
        if (got.result[k] != want->time[k]) { fail_script(text); }
    }
}
/* What order and time decide is left out: a join that is over gets no more, so what is left may be less. */
static void same_as_whole(void)
{
    static tm_answer want;
    tm_whole(&played->rule, &played->in, &want);
    same_sets(&want);
    for (int p = 0; p < played->rule.ports; p++) {
        static const tm_fate exact[] = { TM_DELIVERED, TM_UNMATCHED, TM_PASSED_OVER, TM_OVERFLOW, TM_TIMED_OUT };
        sf_edge_info e = edge_of(f, join, p, 0);
        for (size_t i = 0; i < COUNT(exact); i++) {
            int n = tm_number(&want, p, exact[i]);
            char text[128];
            snprintf(text, sizeof text, "port %s: %s %d, not %d", names[p], fate_names[fate_of[exact[i]]],
                     (int)e.fates[fate_of[exact[i]]], n);
            if (e.fates[fate_of[exact[i]]] != (uint64_t)n) { fail_script(text); }
        }
        if (e.fates[SF_FATE_BACKWARD] > (uint64_t)tm_number(&want, p, TM_BACKWARD)) {
            fail_script("too many went back");
        }
        if (e.queued) { fail_script("a message has no fate after the run"); }
    }
}
/* The machine plays the script: at each time what comes then. Until all is said, or the join is over. */
static void machine_plays(tm_machine *m, const script *s)
{
    int at[TM_PORTS] = { 0 };
    bool ended[TM_PORTS] = { false };
    tm_begin(m, &s->rule);
    while (!m->over) {
        int next = -1;
        int64_t when = INT64_MAX;
        for (int p = 0; p < s->rule.ports; p++) {
            int64_t t = at[p] < s->in.count[p] ? s->at[p][at[p]] : s->ends[p];
            if (!ended[p] && t >= 0 && t < when) { when = t, next = p; }
        }
        if (next < 0) { break; }
        tm_time(m, when);
        if (m->over) { break; }
        if (at[next] < s->in.count[next]) {
            if (!tm_push(m, next, s->in.stamp[next][at[next]])) { tm_die("a script has to leave room"); }
            at[next]++;
        } else {
            tm_end(m, next);
            ended[next] = true;
        }
    }
    for (int p = 0; p < s->rule.ports && m->over; p++) {
        for (int i = 0; i < m->held[p]; i++) { m->out.fate[p][m->hold[p][i].index] = TM_ENDED; }
    }
}
static void same_as_machine(void)            /* after a run step by step on a simulated clock */
{
    static tm_machine m;
    char text[128];
    machine_plays(&m, played);
    same_sets(&m.out);
    for (int k = 0; k < m.out.sets; k++) {
        snprintf(text, sizeof text, "set %d at %lld, not at %lld", k, (long long)got.at[k], (long long)m.set_at[k]);
        if (got.at[k] != m.set_at[k]) { fail_script(text); }
    }
    for (int p = 0; p < played->rule.ports; p++) {
        sf_edge_info e = edge_of(f, join, p, 0);
        for (int i = TM_DELIVERED; i < TM_FATES; i++) {
            int n = tm_number(&m.out, p, (tm_fate)i);
            snprintf(text, sizeof text, "port %s: %s %d, not %d", names[p], fate_names[fate_of[i]],
                     (int)e.fates[fate_of[i]], n);
            if (e.fates[fate_of[i]] != (uint64_t)n) { fail_script(text); }
        }
    }
}

/* "(5,7)@3000 (8,-)@4000": the stamps, '-' with its reason for what is missing, and the time if it is asked for. */
static void text_of_sets(char *text, size_t bytes, bool times)
{
    static const char *const reasons[] = { "present", "-none yet", "-too old", "-too late", "-ended" };
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; k < got.sets; k++) {
        for (int p = 0; p < played->rule.ports; p++) {
            n += (size_t)snprintf(text + n, bytes - n, p ? "," : k ? " (" : "(");
            if (got.set[k][p] < 0) {
                n += (size_t)snprintf(text + n, bytes - n, "%s", reasons[got.absence[k][p]]);
            } else {
                n += (size_t)snprintf(text + n, bytes - n, "%lld", (long long)played->in.stamp[p][got.set[k][p]]);
            }
        }
        n += (size_t)snprintf(text + n, bytes - n, times ? ")@%lld" : ")", (long long)got.at[k]);
    }
}
static void text_of_fates(char *text, size_t bytes)          /* but delivered: "a ended 1, unmatched 1; b ended 2" */
{
    static const sf_fate order[] = { SF_FATE_FAILED,    SF_FATE_OVERFLOW,    SF_FATE_ENDED,    SF_FATE_TOO_OLD,
                                     SF_FATE_UNMATCHED, SF_FATE_PASSED_OVER, SF_FATE_BACKWARD, SF_FATE_TIMED_OUT };
    size_t n = 0;
    text[0] = 0;
    for (int p = 0; p < played->rule.ports; p++) {
        sf_edge_info e = edge_of(f, join, p, 0);
        bool first = true;
        for (size_t k = 0; k < COUNT(order); k++) {
            sf_fate i = order[k];
            if (!e.fates[i]) { continue; }
            n += first ? (size_t)snprintf(text + n, bytes - n, n ? "; %s" : "%s", names[p]) : 0;
            n += (size_t)snprintf(text + n, bytes - n, "%s %s %d", first ? "" : ",", fate_names[i], (int)e.fates[i]);
            first = false;
        }
    }
}
static void outcome_is(const char *sets, const char *fates)
{
    char text[1024];
    text_of_sets(text, sizeof text, strchr(sets, '@') != NULL);
    if (strcmp(text, sets) != 0) { fail_msg("sets %s\n  not %s; %s", text, sets, sf_flow_failure(f)->text); }
    text_of_fates(text, sizeof text);
    if (strcmp(text, fates) != 0) { fail_msg("fates: %s\n  not: %s", text, fates); }
}
/* One script, step by step. */
static void story(const char *events, const tm_rule *rule, const char *sets, const char *fates)
{
    script s = script_of(events, rule);
    sf_op_desc d = join_of(&s);
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    outcome_is(sets, fates);
    finish();
}

/* -- vectors -- */

typedef struct vector { tm_rule rule; const char *events, *sets, *fates; } vector;
static const vector vectors[] = {
    { { .ports = 2 }, "A5 A5 B5 B5 A. B.", "(5,5) (5,5)", "" },
    { { .ports = 2, .within = 10 }, "A0 B10 A30 B41 A60 A. B.", "(0,10)", "a ended 1, unmatched 1; b unmatched 1" },
    { { .ports = 2, .within = 5 },
      "A0 B0 A33 A66 B66 A99 A132 B132 B. A.",
      "(0,0) (66,66) (132,132)",
      "a unmatched 2" },
    { { .ports = 2, .within = 5 }, "A0 A33 A66 A99 B66 B99 B. A.", "(66,66) (99,99)", "a unmatched 2" },
    { { .ports = 2, .nearest = true, .within = 10 }, "A0 A9 B9 A. B.", "(9,9)", "a passed over 1" },
    { { .ports = 2, .nearest = true, .within = 100 },
      "A0 B5 A100 B105 B205 A300 B305 A400 B405 A. B.",
      "(0,5) (100,105) (300,305) (400,405)",
      "b passed over 1" },
    { { .ports = 2, .nearest = true, .within = 5 }, "A0 B5 A10 B15 A20 A. B.", "(0,5) (10,15)", "a ended 1" },
    { { .ports = 2 }, "A0 A33 A0 B0 B33 A33 B33 A. B.", "(0,0) (33,33) (33,33)", "a backward 1" },
    { { .ports = 2, .reorder = { 20 } },
      "A10 A30 A20 B10 B20 B30 A50 A25 A. B.",
      "(10,10) (20,20) (30,30)",
      "a ended 1, backward 1" },
    { { .ports = 2, .within = 5 },
      "A0 B0 A33 A66 B. A99 A.",
      "(0,0)",
      "a ended 2" }, /* A99 is not emitted any more */
    { { .ports = 2, .within = 2, .offset = { 0, -1000 } }, "A0 B1001 A33 B1034 A. B.", "(0,1001) (33,1034)", "" },
    { { .ports = 2, .room = { 3, 3 }, .drop = true },
      "A0 A1 A2 A3 A4 B0 B3 B4 A. B.",
      "(3,3) (4,4)",
      "a overflow 2, unmatched 1; b unmatched 1" },
    { { .ports = 3, .nearest = true, .within = 10 },
      "A0 B1 C9 B9 A10 A. B. C.",
      "(10,9,9)",
      "a passed over 1; b passed over 1" },
    { { .ports = 2, .nearest = true, .within = 10, .period = { 33, 33 } }, "A0 B5 @9000 A. B.", "(0,5)", "" },
};
static void vectors_of_sets(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const vector *v = &vectors[i];
        script s = script_of(v->events, &v->rule);
        sf_op_desc d = join_of(&s);
        build(&s, &d, &stepped);
        went(&stepped, SF_OK);
        same_as_machine();
        outcome_is(v->sets, v->fates);
        if (v->rule.period[0]) { CHECK_EQUAL(got.at[0], 2 * TIMES); }        /* known at once, not at the end */
        finish();
    }
}
/* NEAREST without a period has to wait: for the end, here. */
static void nearest_waits(void **state)
{
    (void)state;
    story("A0 B5 @9000 A. B.", &(tm_rule){ .ports = 2, .nearest = true, .within = 10 }, "(0,5)@9000", "");
    story("A0 B5 A6 @9000 A. B.", &(tm_rule){ .ports = 2, .nearest = true, .within = 10 }, "(6,5)@3000",
          "a passed over 1");
    story("A0 B5 A10 @9000 A. B.", &(tm_rule){ .ports = 2, .nearest = true, .within = 10 }, "(0,5)@3000",
          "a ended 1");
}

/* -- all interleavings, random runs -- */

#define EACH_SEED(count) FOR_SEEDS(number_, count) if (seed = number_, 1)

/* Streams as a sensor has them: gaps, repeats, bursts. Times come one event after the other, in random order. */
typedef struct wish { int most_ports, most, equals; bool reorder, offset, period, back; } wish;
static script random_script(rng *r, const wish *w)
{
    static const int ports[] = { 2, 2, 3, 3, 4, 5, 6 };
    static const int64_t gaps[] = { 1, 3, 10 };
    script s;
    int64_t gap = gaps[rng_below(r, 3)];
    memset(&s, 0, sizeof s);
    do { s.rule.ports = ports[rng_below(r, COUNT(ports))]; } while (s.rule.ports > w->most_ports);
    int n = s.rule.ports, most = w->most - (n > 3 ? (n - 3) : 0);
    most = most < 1 ? 1 : most;
    s.rule.nearest = rng_below(r, 2);
    int64_t limits[] = { 0, 1, gap / 2, gap, 2 * gap, 5 * gap };
    s.rule.within = limits[rng_below(r, COUNT(limits))];
    bool reorder = w->reorder && rng_below(r, 3) == 0, offset = w->offset && rng_below(r, 3) == 0;
    for (int p = 0; p < n; p++) {
        int64_t t = 2000 + rng_below(r, 5), steps[] = { 0, 1, gap, gap, gap + 1, 3 * gap }, least = INT64_MAX;
        s.in.count[p] = (int)rng_below(r, (uint32_t)most + 1);
        if (offset) {
            int64_t offsets[] = { 0, -5, -1000, gap };
            s.rule.offset[p] = offsets[rng_below(r, COUNT(offsets))];
        }
        if (reorder) { s.rule.reorder[p] = steps[1 + rng_below(r, 5)] * rng_below(r, 2); }
        for (int i = 0; i < s.in.count[p]; i++) {
            int64_t step = steps[rng_below(r, COUNT(steps))], back = 0;
            t += step;
            if (i && step < least) { least = step; }
            if (w->back && rng_below(r, reorder ? 3 : 8) == 0) { back = gap * (1 + rng_below(r, 2)), least = 0; }
            s.in.stamp[p][i] = t - back - s.rule.offset[p];
        }
        if (w->period && least < INT64_MAX && !s.rule.reorder[p] && rng_below(r, 2)) { s.rule.period[p] = least; }
    }
    return s;
}
static void mix_times(script *s, rng *r)     /* a random interleaving, an event each TIMES */
{
    int at[TM_PORTS] = { 0 }, left = s->rule.ports;
    bool ended[TM_PORTS] = { false };
    for (int64_t now = TIMES; left; now += TIMES) {
        int p;
        do { p = (int)rng_below(r, (uint32_t)s->rule.ports); } while (ended[p]);
        if (at[p] < s->in.count[p]) {
            s->at[p][at[p]++] = now;
        } else {
            s->ends[p] = now;
            ended[p] = true;
            left--;
        }
    }
}
static void least_room(script *s)            /* OLDEST: 1. NEAREST: as often as a stamp comes, and 1. And the held */
{
    for (int p = 0; p < s->rule.ports; p++) {
        static tm_machine m;
        int equals = 1, run = 1, held = 0;
        tm_rule alone = { .ports = 1, .reorder = { s->rule.reorder[p] } };
        tm_fate fate[TM_LENGTH];
        tm_row row = tm_handed_out(&s->rule, &s->in, p, fate);
        for (int i = 1; i < row.count; i++) {
            run = row.item[i].time == row.item[i - 1].time ? run + 1 : 1;
            equals = run > equals ? run : equals;
        }
        tm_begin(&m, &alone);
        for (int i = 0; i < s->in.count[p]; i++) {
            (void)tm_push(&m, 0, s->in.stamp[p][i]);
            held = m.held[0] > held ? m.held[0] : held;
        }
        s->rule.room[p] = held + (s->rule.nearest ? equals + 1 : 1);
        if (s->rule.room[p] > TM_LENGTH) { s->rule.room[p] = TM_LENGTH; }
    }
}
/* Each interleaving of a script's events and ends; `at`: how many of each port were placed. Returns how many. */
static uint32_t each_interleaving(script *s, int *at, int64_t now)
{
    uint32_t n = 0;
    bool last = true;
    for (int p = 0; p < s->rule.ports; p++) {
        if (at[p] > s->in.count[p]) { continue; }
        last = false;
        if (at[p] < s->in.count[p]) {
            s->at[p][at[p]] = now;
        } else {
            s->ends[p] = now;
        }
        at[p]++;
        n += each_interleaving(s, at, now + TIMES);
        at[p]--;
    }
    if (!last) { return n; }
    sf_op_desc d = join_of(s);
    build(s, &d, &stepped);
    went(&stepped, SF_OK);
    same_as_whole();
    same_as_machine();
    finish();
    return 1;
}
static void every_interleaving(void **state)
{
    static const wish two = { .most_ports = 2,
                              .most = 4,
                              .back = true,
                              .reorder = true,
                              .period = true,
                              .offset = true },
                      three = { .most_ports = 3, .most = 2, .back = true, .period = true };
    uint32_t runs = 0;
    (void)state;
    EACH_SEED(test_seeds() / 250 + 1) {
        rng r = rng_seed(seed);
        int at[TM_PORTS] = { 0 };
        script s;
        do {                                 /* none with fewer than the most: they are part of these */
            s = random_script(&r, seed % 4 ? &two : &three);
        } while (s.rule.ports != (seed % 4 ? 2 : 3) || s.in.count[0] + s.in.count[1] < (seed % 4 ? 6 : 3));
        runs += each_interleaving(&s, at, TIMES);
    }
    CHECK(runs > 0);
}
static void random_run(rng *r, const wish *w, const way *by)
{
    script s = random_script(r, w);
    if (rng_below(r, 2)) { least_room(&s); }
    mix_times(&s, r);
    if (!by->simulated) { s = at_once(s); }
    sf_op_desc d = join_of(&s);
    tagged = rng_below(r, 2);
    tracked = rng_below(r, 4) == 0;
    build(&s, &d, by);
    went(by, SF_OK);
    same_as_whole();
    tagged = tracked = false;
    if (by->workers == 0 && by->simulated && !s.rule.room[0]) { same_as_machine(); }
    finish();
}
static void random_sets(void **state)        /* the same sets on every way to run, in virtual and in real time */
{
    static const wish all = {
        .most_ports = 6, .most = 7, .reorder = true, .offset = true, .period = true, .back = true
    };
    (void)state;
    EACH_SEED(test_seeds() / 4) {
        rng r = rng_seed(seed);
        way by = { seed % 3 ? 0 : (int32_t)rng_below(&r, 9), seed % 2 == 0, false, false, NULL };
        by.groups = by.workers > 0 && rng_below(&r, 3) == 0;
        random_run(&r, &all, &by);
    }
}

/* -- tensors: the kernels say which messages met -- */

static void read_probes(void)
{
    for (int k = 0; k < got.sets; k++) {
        for (int p = 0; p < played->rule.ports; p++) {
            const uint32_t *log = probes + (size_t)(k * TM_PORTS + p) * PROBE;
            if (got.set[k][p] < 0 || cpu_reads) { continue; }
            if (log[1] || log[2] != 1) { fail_msg("set %d, port %d: %u words torn, %u times", k, p, log[1], log[2]); }
            got.set[k][p] = (int)log[0] - name_of(p, 0);
        }
    }
    for (int k = 0; k < got.drops; k++) {
        const uint32_t *log = probes + (size_t)(TM_SETS * TM_PORTS + k) * PROBE;
        int p = got.dropped[k].port, i = (int)log[0] - name_of(p, 0);
        if (log[1] || log[2] != 1) { fail_msg("drop %d: %u words torn, %u times", k, log[1], log[2]); }
        if (i < 0 || i >= played->in.count[p] || got.fate[p][i] || got.dropped[k].time != played->in.stamp[p][i]) {
            fail_msg("drop %d of port %d is message %d of %lld", k, p, i, (long long)got.dropped[k].time);
        }
        got.fate[p][i] = (int)got.dropped[k].fate + 1;
    }
}
static void random_tensors(void **state)     /* each source writes on a stream of its own, later than it emits */
{
    static const wish all = {
        .most_ports = 4, .most = 6, .reorder = true, .offset = true, .period = true, .back = true
    };
    (void)state;
    EACH_SEED(test_seeds() / (on_cuda() ? 50 : 20)) {
        rng r = rng_seed(seed);
        sf_device *d = open_order(seed % order_count(), seed);
        way by = { (int32_t)(rng_below(&r, 2) * rng_below(&r, 5)), rng_below(&r, 2) > 0, false, false, d };
        script s = random_script(&r, &all);
        if (rng_below(&r, 2)) { least_room(&s); }
        mix_times(&s, &r);
        if (!by.simulated) { s = at_once(s); }
        sf_op_desc j = join_of(&s);
        tensors = true;
        cpu_reads = rng_below(&r, 3) == 0;   /* a set waits until the GPU is done with all of it */
        if (cpu_reads) { j.when[1].kind = SF_CONDITION_STREAM; }
        slow = 1 + rng_below(&r, 400);
        probes = (uint32_t *)test_memory(d, sizeof(uint32_t) * TM_SETS * (TM_PORTS + 1) * PROBE);
        build(&s, &j, &by);
        went(&by, SF_OK);
        CHECK_OK(sf_device_synchronize(d, GUARD));
        read_probes();
        tensors = cpu_reads = false;
        same_as_whole();
        finish();
        CHECK_OK(sf_mem_free(d, probes));
        test_close(d);
    }
}

static void copied_between_devices(void **state)     /* sources on another device, edges that copy */
{
    static const wish all = {
        .most_ports = 3, .most = 6, .reorder = true, .offset = true, .period = true, .back = true
    };
    (void)state;
    if (on_cuda()) { skip(); }               /* it needs two GPUs: test_devices has what copies do there */
    EACH_SEED(test_seeds() / 40) {
        rng r = rng_seed(seed);
        sf_device *here = open_order(seed % order_count(), seed), *there = open_order(seed % order_count(), seed + 1);
        way by = { (int32_t)(rng_below(&r, 2) * rng_below(&r, 4)), rng_below(&r, 2) > 0, false, false, here };
        script s = random_script(&r, &all);
        if (rng_below(&r, 2)) { least_room(&s); }
        mix_times(&s, &r);
        if (!by.simulated) { s = at_once(s); }
        sf_op_desc j = join_of(&s);
        CHECK_OK(sf_stream_pool_create(there, NULL, &far));
        tensors = copied = true;
        slow = 1 + rng_below(&r, 200);
        probes = (uint32_t *)test_memory(here, sizeof(uint32_t) * TM_SETS * (TM_PORTS + 1) * PROBE);
        build(&s, &j, &by);
        went(&by, SF_OK);
        CHECK_OK(sf_device_synchronize(here, GUARD));
        read_probes();
        tensors = copied = false;
        same_as_whole();
        finish();
        CHECK_OK(sf_mem_free(here, probes));
        CHECK_OK(sf_stream_pool_destroy(far));
        far = NULL;
        test_close(there);
        test_close(here);
    }
}

/* -- policies of queues, and the clock -- */

static void drop_oldest(void **state)        /* one thread and virtual time: what is dropped is exact, too */
{
    static const wish all = { .most_ports = 4, .most = 8, .offset = true, .period = true };
    (void)state;
    EACH_SEED(test_seeds() / 5) {
        rng r = rng_seed(seed);
        script s = random_script(&r, &all);
        sf_op_desc d;
        s.rule.drop = true;
        for (int p = 0; p < s.rule.ports; p++) { s.rule.room[p] = (s.rule.nearest ? 2 : 1) + (int)rng_below(&r, 3); }
        mix_times(&s, &r);
        d = join_of(&s);
        build(&s, &d, &stepped);
        went(&stepped, SF_OK);
        same_as_machine();
        finish();
    }
}
static void max_wait(void **state)
{
    static const tm_rule two = { .ports = 2, .within = 5, .max_wait = 2500 },
                         optional = { .ports = 2, .within = 5, .max_wait = 2500, .optional = 2 };
    (void)state;
    /* A0 comes at 1000, and is released at 3500, not at 3499. A1 is the head from then on. */
    story("A0 A1 @7000 B1 @9000 A. B.", &two, "", "a timed out 2; b ended 1");
    story("A0 A1 @5999 B1 @9000 A. B.", &two, "(1,1)@5999", "a timed out 1");
    story("A0 A1 @6001 B1 @8000 A. B.", &two, "", "a timed out 2; b ended 1");
    story("A0 @3499 B1 @9000 A. B.", &two, "(0,1)@3499", "");
    story("A0 @3501 B1 @4000 A9 @9000 A. B.", &two, "", "a timed out 2; b unmatched 1");
    /* the optional one is missing: none has come yet, or those that came were too late */
    story("A0 A1 @9000 A. B.", &optional, "(0,-none yet)@3500 (1,-none yet)@6000", "");
    story("A0 B0 A9 @9000 A. B.", &optional, "(0,0)@2000 (9,-too late)@5500", "");
    story("A0 B0 A9 B. @9000 A.", &optional, "(0,0)@2000 (9,-ended)@4000", "");
    /* the required one is missing */
    story("B0 B1 @9000 A. B.", &optional, "", "b timed out 2");
}
static void random_waits(void **state)
{
    static const wish all = {
        .most_ports = 4, .most = 7, .reorder = true, .offset = true, .period = true, .back = true
    };
    (void)state;
    EACH_SEED(test_seeds() / 5) {
        rng r = rng_seed(seed);
        script s = random_script(&r, &all);
        sf_op_desc d;
        s.rule.max_wait = (1 + (int64_t)rng_below(&r, 4)) * TIMES + 7;
        s.rule.optional = rng_below(&r, (1u << s.rule.ports) - 1) & rng_next(&r);
        mix_times(&s, &r);
        d = join_of(&s);
        build(&s, &d, &stepped);
        went(&stepped, SF_OK);
        same_as_machine();
        finish();
    }
}
static void optional_ports(void **state)     /* without max_wait: only an end makes sets without them */
{
    static const tm_rule last = { .ports = 3, .within = 5, .optional = 4 };
    static const wish all = { .most_ports = 5, .most = 6, .offset = true, .back = true };
    (void)state;
    story("A0 B1 A9 B9 @9000 C. A. B.", &last, "(0,1,-ended)@9000 (9,9,-ended)@9000", "");
    story("A0 B1 C2 A9 B9 C. A. B.", &last, "(0,1,2) (9,9,-ended)", "");
    story("C0 C. A0 B1 A9 B9 A. B.", &last, "(0,1,0) (9,9,-ended)", "");
    story("A0 B0 C9 A9 B9 A. B. C.", &last, "(9,9,9)", "a unmatched 1; b unmatched 1");
    story("A0 B0 A. C. B.", &last, "(0,0,-ended)", "");
    EACH_SEED(test_seeds() / 20) {
        rng r = rng_seed(seed);
        way by = { (int32_t)rng_below(&r, 4), true, false, false, NULL };
        script s = random_script(&r, &all);
        sf_op_desc d;
        s.rule.optional = rng_below(&r, (1u << s.rule.ports) - 1);
        mix_times(&s, &r);
        d = join_of(&s);
        build(&s, &d, &by);
        went(&by, SF_OK);
        same_as_whole();
        finish();
    }
}
static void ends_of_each_port(void **state)  /* of a required port: releases all that waits, and ends the join */
{
    static const tm_rule two = { .ports = 2, .within = 5 }, three = { .ports = 3, .within = 5 };
    (void)state;
    story("A. B0 B1", &two, "", "");
    story("B0 B1 A.", &two, "", "b ended 2");
    story("A0 A1 B.", &two, "", "a ended 2");
    story("A0 B0 A1 B. A9", &two, "(0,0)", "a ended 1");
    story("A0 B0 A1 C0 B1 A. C.", &three, "(0,0,0)", "a ended 1; b ended 1");
    story("A0 B0 A1 C0 B. A2 C1", &three, "(0,0,0)", "a ended 1");
    story("A0 B0 C. A1", &three, "", "a ended 1; b ended 1");
    story("A. B. C.", &three, "", "");
}
static void late_joiner(void **state)        /* nothing is skipped: the others wait within their room */
{
    tm_rule two = { .ports = 2, .within = 5, .room = { 4, 4 } };
    script s = script_of("A0 A33 A66 A99 A132 A165 @20000 B99 B132 B165 A. B.", &two);
    sf_op_desc d = join_of(&s);
    (void)state;
    build(&s, &d, &stepped);
    while (sf_flow_now(f) < 19000) { CHECK_OK(sf_flow_step(f, NULL)); }
    CHECK_EQUAL(edge_of(f, join, 0, 0).queued, 4);           /* the source of A waits for room */
    CHECK_EQUAL(feed_of[0].sent, 4);
    went(&stepped, SF_OK);
    outcome_is("(99,99)@20000 (132,132)@21000 (165,165)@22000", "a unmatched 3");
    finish();
}
static sf_result note_what_is_there(sf_context *ctx)         /* time * 10 + 9: a message, else why there is none */
{
    bool there = sf_available(ctx, 0) > 0;
    if (there && sf_receive_value(ctx, 0).i64 < 0) { return SF_ERROR_USER; }
    return note_down(6, sf_flow_now(ctx->flow) * 10 + (there ? 9 : (int)sf_why_absent(ctx, 0))), SF_OK;
}
static void ages_without_a_join(void **state)
{
    static const tm_rule one = { .ports = 1 };
    enum { NONE = SF_NONE_YET, OLD = SF_TOO_OLD };
    (void)state;
    for (int k = 0; k < 4; k++) {            /* at 151 a message of 100, or of 101, is 51 or 50 old */
        script s = script_of(k % 2 ? "@10 A101 @9000 A." : "@10 A100 @9000 A.", &one);
        sf_op_desc d = { .name = "join",
                         .compute = note_what_is_there,
                         .in = { { .name = "a", .capacity = 4, .max_age = 50 } },
                         .out = { OUT("out") },
                         .when = { { .kind = SF_CONDITION_TIME, .ns = k < 2 ? 151 : 158 } } };
        if (k >= 2) { d.in[0].offset = 7; }
        notes_clear();
        build(&s, &d, &stepped);
        went(&stepped, SF_OK);
        CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_TOO_OLD], !(k % 2));
        CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_DELIVERED], k % 2);
        if (k % 2) { check_notes(6, &(long long){ (k < 2 ? 151 : 158) * 10 + 9 }, 1); }
        finish();
    }
    for (int optional = 0; optional < 2; optional++) {       /* LATEST: the value is missing when it is too old */
        script s = script_of("@1500 A1500 @6500 A6500 @30000 A.", &one);
        sf_op_desc d = { .name = "join",
                         .compute = note_what_is_there,
                         .out = { OUT("out") },
                         .in = { { .name = "a", .max_age = optional ? 2500 : 2000, .optional = optional } },
                         .count = optional ? 9 : 5,
                         .when = {
                             { .kind = SF_CONDITION_PERIOD, .ns = 1000, .catch_up = SF_CATCH_UP_MIN_BETWEEN } } };
        notes_clear();
        build(&s, &d, &stepped);
        sf_flow_destroy(f);
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
        feeds[0] = add_feed(0, &stepped);
        join = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, feeds[0], NULL, join, "a", &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
        went(&stepped, SF_OK);
        if (optional) {
            CHECK_NOTES(6, 0 + NONE, 10000 + NONE, 20009, 30009, 40009, 50000 + OLD, 60000 + OLD, 70009, 80009);
        } else {
            CHECK_NOTES(6, 15009, 25009, 35009, 65009, 75009);
        }
        finish();
    }
}
static void too_old(void **state)            /* taken at the age max_age, not a nanosecond later */
{
    static const struct { int64_t at, offset; bool taken;
    } cases[] = {
        { 4000, 0, true },   { 4001, 0, false },  { 4010, 10, true },
        { 4011, 10, false }, { 3990, -10, true }, { 3991, -10, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases) * 2; i++) {
        char text[128];
        bool by_edge = i % 2;
        tm_rule two = { .ports = 2, .within = 10, .offset = { cases[i / 2].offset } };
        snprintf(text, sizeof text, "A1000 @%lld B1000 @9000 A. B.", (long long)cases[i / 2].at);
        script s = script_of(text, &two);
        sf_op_desc d = join_of(&s);
        if (!by_edge) { d.in[0].max_age = 3000; }
        build(&s, &d, &stepped);
        if (by_edge) {                       /* connected anew, as the edge says it */
            finish();
            f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
            for (int p = 0; p < 2; p++) { feeds[p] = add_feed(p, &stepped); }
            join = sf_flow_add(f, &d);
            sink = sf_flow_add(f, &(sf_op_desc){ .compute = take_result, .in = { IN("in") } });
            CHECK_OK(sf_flow_connect(f, feeds[0], NULL, join, "a", &(sf_edge_desc){ .max_age = 3000 }));
            CHECK_OK(sf_flow_connect(f, feeds[1], NULL, join, "b", NULL));
            connect(f, join, sink);
        }
        went(&stepped, SF_OK);
        outcome_is(cases[i / 2].taken ? "(1000,1000)" : "", cases[i / 2].taken ? "" : "a too old 1; b ended 1");
        finish();
    }
}
static sf_result take_set_and_drops(sf_context *ctx);
/* A join whose sink takes its first result at `open`, and so makes room for a second one then. */
static void build_before(const script *s, const sf_op_desc *d, int64_t open)
{
    sf_edge_desc edge = { .overflow = s->rule.drop ? SF_OVERFLOW_DROP_OLDEST : SF_OVERFLOW_BLOCK };
    build(s, d, &stepped);
    sf_flow_destroy(f);
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
    for (int p = 0; p < 2; p++) { feeds[p] = add_feed(p, &stepped); }
    join = sf_flow_add(f, d);
    sink = sf_flow_add(f, &(sf_op_desc){ .compute = take_result, .in = { IN("in") },
                                         .when = { { .kind = SF_CONDITION_TIME, .ns = open } } });
    for (int p = 0; p < 2; p++) { CHECK_OK(sf_flow_connect(f, feeds[p], NULL, join, names[p], &edge)); }
    connect(f, join, sink);
}
static void too_old_by_then(void **state)    /* the age counts when the join can take the set */
{
    static const tm_rule two = { .ports = 2 };
    script s = script_of("A1 B1 A2000 B2000 A12000 B12000 A. B.", &two);
    (void)state;
    for (int k = 0; k < 2; k++) {
        sf_op_desc d = join_of(&s);
        d.in[0].max_age = k ? 7999 : 8000;
        build_before(&s, &d, 10000);
        went(&stepped, SF_OK);
        outcome_is(k ? "(1,1)@2000 (12000,12000)@10000" : "(1,1)@2000 (2000,2000)@10000 (12000,12000)@10000",
                   k ? "a too old 1; b unmatched 1" : "");
        finish();
    }
}
static void dropped_while_it_waits(void **state)     /* a set that waits for room, and that a newer message breaks */
{
    static const tm_rule two = { .ports = 2, .drop = true, .room = { 1, 2 } };
    script s = script_of("A1 B1 A2 B2 A3 B3 A. B.", &two);
    sf_op_desc d = join_of(&s);
    (void)state;
    build_before(&s, &d, 10000);
    went(&stepped, SF_OK);
    outcome_is("(1,1)@2000 (3,3)@10000", "a overflow 1; b unmatched 1");
    finish();
}
/* Whatever happens to messages, by queues that drop, ages, waits and a slow sink: what the join gets are sets. */
static void sets_under_pressure(void **state)
{
    static const wish all = {
        .most_ports = 4, .most = 9, .reorder = true, .offset = true, .period = true, .back = true
    };
    (void)state;
    EACH_SEED(test_seeds() / 5) {
        rng r = rng_seed(seed);
        way by = { seed % 3 ? 0 : (int32_t)rng_below(&r, 5), rng_below(&r, 4) > 0, false, false, NULL };
        script s = random_script(&r, &all);
        int last[TM_PORTS], delivered[TM_PORTS] = { 0 };
        if (rng_below(&r, 2)) { s.rule.max_wait = (1 + (int64_t)rng_below(&r, 4)) * TIMES + 7; }
        if (rng_below(&r, 2)) { s.rule.optional = rng_below(&r, (1u << s.rule.ports) - 1); }
        s.rule.drop = rng_below(&r, 3) > 0;
        if (s.rule.drop) {
            for (int p = 0; p < s.rule.ports; p++) { s.rule.room[p] = 1 + (int)rng_below(&r, 4); }
        } else if (rng_below(&r, 2)) {
            least_room(&s);
        }
        mix_times(&s, &r);
        if (!by.simulated) { s = at_once(s); }
        sf_op_desc d = join_of(&s);
        bool drops = rng_below(&r, 3) == 0;
        if (drops) {
            d.compute = take_set_and_drops;
            d.when[0].drops = true;
        }
        for (int p = 0; p < s.rule.ports; p++) {
            last[p] = -1;
            if (rng_below(&r, 4) == 0) { d.in[p].max_age = 1 + rng_below(&r, 20 * TIMES); }
        }
        sink_period = by.simulated ? (int64_t)rng_below(&r, 4) * 4300 : 0;
        tagged = rng_below(&r, 2);
        build(&s, &d, &by);
        went(&by, SF_OK);
        for (int k = 0; k < got.sets; k++) {
            int64_t low = INT64_MAX, high = INT64_MIN;
            for (int p = 0; p < s.rule.ports; p++) {
                int i = got.set[k][p];
                if (i < 0 && !(s.rule.optional >> p & 1)) { fail_script("a set lacks a required one"); }
                if (i < 0) { continue; }
                int64_t t = s.in.stamp[p][i] + s.rule.offset[p];
                if (last[p] >= 0 && t < s.in.stamp[p][last[p]] + s.rule.offset[p]) { fail_script("sets go back"); }
                if (last[p] == i || got.fate[p][i]) { fail_script("a message is there twice"); }
                last[p] = i;
                delivered[p]++;
                low = t < low ? t : low;
                high = t > high ? t : high;
            }
            if (low > high || high - low > s.rule.within) { fail_script("that is no set"); }
        }
        for (int p = 0; p < s.rule.ports; p++) {
            sf_edge_info e = edge_of(f, join, p, 0);
            if (e.queued || e.fates[SF_FATE_DELIVERED] != (uint64_t)delivered[p]) {
                fail_script("delivered is not what came");
            }
        }
        tagged = false;
        finish();
    }
    sink_period = 0;
}
static void released_while_it_waits(void **state)    /* for another condition: what has no partner goes at once */
{
    static const tm_rule two = { .ports = 2, .within = 5, .room = { 1, 1 } };
    script s = script_of("A0 A10 B11 A20 B21 A. B.", &two);
    sf_op_desc d = join_of(&s);
    (void)state;
    d.when[1].kind = SF_CONDITION_TIME;
    d.when[1].ns = 50000;
    build(&s, &d, &stepped);
    while (sf_flow_now(f) < 40000) { CHECK_OK(sf_flow_step(f, NULL)); }
    CHECK_EQUAL(got.sets, 0);
    CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_UNMATCHED], 1);
    CHECK_EQUAL(edge_of(f, join, 0, 0).queued, 1);
    CHECK_EQUAL(edge_of(f, join, 1, 0).queued, 1);
    went(&stepped, SF_OK);
    outcome_is("(10,11)@50000 (20,21)@50000", "a unmatched 1");
    finish();

    s = script_of("A0 B0 A10 B11 A20 B21 A. B.", &two);      /* .count: two sets, then it ends */
    d = join_of(&s);
    d.count = 2;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    CHECK_EQUAL(got.sets, 2);
    finish();
}

/* -- what a compute sees -- */

static sf_result take_drops(sf_context *ctx)
{
    for (int p = 0; p < played->rule.ports; p++) {
        sf_dropped x;
        while (sf_receive_dropped(ctx, p, &x)) {
            int i = (int)(x.value.i64 - name_of(p, 0));
            if (tensors) {
                uint32_t *log = probes + (size_t)(TM_SETS * TM_PORTS + got.drops) * PROBE;
                if (!x.tensor || got.drops == TM_SETS) { return wrong(ctx, "no tensor", p, got.drops); }
                got.dropped[got.drops].port = p;
                got.dropped[got.drops].fate = x.fate;
                got.dropped[got.drops++].time = x.time;
                if (probe(sf_compute_stream(ctx), x.tensor->data, log, slow) < 0) { return SF_ERROR_USER; }
                continue;
            }
            if (x.tensor || i < 0 || i >= played->in.count[p]) {
                return wrong(ctx, "not this port's", p, x.value.i64);
            }
            if (x.time != played->in.stamp[p][i]) { return wrong(ctx, "another stamp", p, x.time); }
            if (got.fate[p][i]) { return wrong(ctx, "dropped twice", p, i); }
            got.fate[p][i] = (int)x.fate + 1;
            got.drops++;
        }
    }
    return SF_OK;
}
static sf_result take_set_and_drops(sf_context *ctx)
{
    sf_result r = take_drops(ctx);
    bool any = false;
    for (int p = 0; p < played->rule.ports; p++) { any |= sf_available(ctx, p) > 0; }
    return r < 0 || !any ? r : take_set(ctx);
}
static void drops(void **state)              /* each released message is handed out once, with its fate */
{
    static const wish all = {
        .most_ports = 4, .most = 7, .reorder = true, .offset = true, .period = true, .back = true
    };
    (void)state;
    uint32_t seen = 0;
    EACH_SEED(test_seeds() / 10) {
        rng r = rng_seed(seed);
        script s = random_script(&r, &all);
        static tm_machine m;
        sf_op_desc d;
        way by = stepped;
        if (seed % 5 == 0) {                 /* tensors, which other streams write */
            by.device = open_order(seed / 5 % order_count(), seed);
            probes = (uint32_t *)test_memory(by.device, sizeof(uint32_t) * TM_SETS * (TM_PORTS + 1) * PROBE);
            slow = 1 + rng_below(&r, 400);
            tensors = true;
        }
        if (rng_below(&r, 2)) { s.rule.max_wait = (1 + (int64_t)rng_below(&r, 4)) * TIMES + 7; }
        mix_times(&s, &r);
        d = join_of(&s);
        d.compute = take_set_and_drops;
        d.when[0].drops = true;
        build(&s, &d, &by);
        went(&by, SF_OK);
        if (tensors) {
            CHECK_OK(sf_device_synchronize(by.device, GUARD));
            read_probes();
            tensors = false;
        }
        same_as_machine();
        machine_plays(&m, &s);
        for (int p = 0; p < s.rule.ports; p++) {
            for (int i = 0; i < s.in.count[p]; i++) {        /* the join ends when it was given all, but what ended */
                tm_fate is = m.out.fate[p][i];
                int fate = (int)fate_of[is];
                if (is > TM_ENDED ? got.fate[p][i] - 1 != fate : got.fate[p][i]) {
                    char text[128];
                    snprintf(text, sizeof text, "port %s, message %d: told %d, but its fate is %d", names[p], i,
                             got.fate[p][i] - 1, fate);
                    fail_script(text);
                }
            }
        }
        seen += (uint32_t)got.drops;
        finish();
        if (by.device) {
            CHECK_OK(sf_mem_free(by.device, probes));
            test_close(by.device);
        }
    }
    CHECK(seen > 0);
}
static void dropped_tensors(void **state)    /* their blocks are used again when the join's kernels have read them */
{
    static const tm_rule two = { .ports = 2, .room = { 1, 1 } };
    (void)state;
    for (uint32_t order = 0; order < order_count() * 3; order++) {
        sf_device *d = open_order(order % order_count(), order);
        way by = { 0, true, false, false, d };
        script s = script_of("B100 A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A100 A. B.", &two);
        sf_op_desc j = join_of(&s);
        j.compute = take_set_and_drops;
        j.when[0].drops = true;
        tensors = true;
        slow = 2000;
        probes = (uint32_t *)test_memory(d, sizeof(uint32_t) * TM_SETS * (TM_PORTS + 1) * PROBE);
        build(&s, &j, &by);
        went(&by, SF_OK);
        CHECK_OK(sf_device_synchronize(d, GUARD));
        read_probes();
        tensors = false;
        outcome_is("(100,100)", "a unmatched 10");
        CHECK_EQUAL(got.drops, 10);
        finish();
        CHECK_OK(sf_mem_free(d, probes));
        test_close(d);
    }
}
static void more_drops_than_room(void **state)       /* a compute gets as many as the queues hold, the newest ones */
{
    static const tm_rule two = { .ports = 2, .room = { 2, 2 } };
    script s = script_of("B100 A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A100 A. B.", &two);
    sf_op_desc d = join_of(&s);
    int first = 0;
    (void)state;
    d.compute = take_set_and_drops;
    d.when[0].drops = true;
    d.when[1].kind = SF_CONDITION_TIME;
    d.when[1].ns = 50000;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    outcome_is("(100,100)", "a unmatched 10");
    while (first < 10 && !got.fate[0][first]) { first++; }
    if (first < 1 || first > 6 || got.drops != 10 - first) { fail_msg("%d drops, from %d on", got.drops, first); }
    for (int i = first; i < 10; i++) { CHECK_EQUAL(got.fate[0][i], SF_FATE_UNMATCHED + 1); }
    finish();
}
static sf_result pass_stamped(sf_context *ctx) { return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0)); }
static sf_result take_any(sf_context *ctx)
{
    for (int p = 0; p < 2; p++) { (void)sf_receive_value(ctx, p); }
    note_down(5, sf_get_timestamp(ctx, 0));
    return sf_emit_value(ctx, 0, number(got.sets++));
}
static void paths_of_messages(void **state)  /* a message that is sorted keeps the path that it has come by */
{
    static const tm_rule three = { .ports = 3 };     /* of the feeds; the join has two: A and B come by one */
    script s = script_of("A50 B30 A40 B100 C30 C50 C100 B. A. C.", &three);
    sf_op_desc d = { .name = "join", .compute = take_any, .out = { OUT("out") },
                     .in = { { .name = "x", .capacity = 8, .reorder = 25 }, { .name = "y", .capacity = 8 } },
                     .when = { { .kind = SF_CONDITION_ALIGNED } } };
    static const struct { const char *name; uint64_t count; } paths[] = {
        { "a,both,join,sink", 1 }, { "b,both,join,sink", 2 }, { "c,join,sink", 3 }
    };
    sf_flow_info info;
    (void)state;
    notes_clear();
    sf_op_desc unused = join_of(&s);
    build(&s, &unused, &stepped);
    sf_flow_destroy(f);
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true, .track.latency = true });
    for (int p = 0; p < 3; p++) { feeds[p] = add_feed(p, &stepped); }
    sf_op both = sf_flow_add(f, &(sf_op_desc){
        .name = "both", .compute = pass_stamped, .in = { { .name = "in", .many = true } }, .out = { OUT("out") },
        .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } });
    join = sf_flow_add(f, &d);
    sink = sf_flow_add(f, &(sf_op_desc){ .name = "sink", .compute = take_result, .in = { IN("in") } });
    connect(f, feeds[0], both);
    connect(f, feeds[1], both);
    CHECK_OK(sf_flow_connect(f, both, NULL, join, "x", NULL));
    CHECK_OK(sf_flow_connect(f, feeds[2], NULL, join, "y", NULL));
    connect(f, join, sink);
    run_is(f, SF_OK);
    CHECK_NOTES(5, 30, 50, 100);
    CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_UNMATCHED], 1);
    CHECK_OK(sf_flow_get_info(f, &info));
    for (size_t k = 0; k < COUNT(paths); k++) {
        uint64_t count = 0;
        for (uint32_t i = 0; i < info.paths; i++) {
            sf_latency latency;
            char name[64];
            CHECK_OK(sf_flow_get_path(f, i, &latency, name, sizeof name));
            if (!strcmp(name, paths[k].name)) { count = latency.count; }
        }
        if (count != paths[k].count) { fail_msg("%s: %d, not %d", paths[k].name, (int)count, (int)paths[k].count); }
    }
    finish();
}
static int64_t stamp_set;
static sf_result take_and_say(sf_context *ctx)               /* metadata of all of the set; a stamp of its own */
{
    sf_value v;
    sf_result r = take_set(ctx);
    if (r < 0) { return r; }
    for (uint32_t key = 0; key < 2; key++) {
        if (!sf_get_metadata(ctx, key, &v)) { return wrong(ctx, "no metadata", (int)key, 0); }
        note_down(7, v.i64);
    }
    if (stamp_set) { sf_set_timestamp(ctx, stamp_set); }
    return SF_OK;
}
static sf_result feed_with_metadata(sf_context *ctx)
{
    const feed *d = (const feed *)ctx->user;
    sf_result r = sf_set_metadata(ctx, (uint32_t)d->port, number(played->in.stamp[d->port][d->sent] * 2));
    return r < 0 ? r : feed_one(ctx);
}
static void metadata_and_stamps(void **state)
{
    static const tm_rule two = { .ports = 2, .within = 5, .offset = { 3, 0 } },
                         nearest = { .ports = 2, .within = 10, .nearest = true };
    (void)state;
    for (int k = 0; k < 3; k++) {
        script s = script_of(k < 2 ? "A10 B11 A20 B24 A. B." : "A10 B13 A18 A. B.", k < 2 ? &two : &nearest);
        sf_op_desc d = join_of(&s);
        d.compute = take_and_say;
        stamp_set = k == 1 ? 777 : 0;
        notes_clear();
        build(&s, &d, &stepped);
        sf_flow_destroy(f);                  /* again, with other sources */
        f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true, .metadata_entries = 4 });
        for (int p = 0; p < 2; p++) {
            feeds[p] = sf_flow_add(f, &(sf_op_desc){
                .compute = feed_with_metadata, .user = &feed_of[p], .out = { OUT("out") },
                .when = { { .kind = SF_CONDITION_USER, .custom = { feed_check, NULL, &feed_of[p] } } } });
        }
        join = sf_flow_add(f, &d);
        sink = sf_flow_add(f, &(sf_op_desc){ .compute = take_result, .in = { IN("in") } });
        CHECK_OK(sf_flow_connect(f, feeds[0], NULL, join, "a", NULL));
        CHECK_OK(sf_flow_connect(f, feeds[1], NULL, join, "b", NULL));
        connect(f, join, sink);
        went(&stepped, SF_OK);
        if (k == 0) {                        /* the newest: with its offset 13 of A, and 24 of B */
            CHECK_EQUAL(got.result[0], 13);
            CHECK_EQUAL(got.result[1], 24);
        } else if (k == 1) {
            CHECK_EQUAL(got.result[0], 777);
            CHECK_EQUAL(got.result[1], 777);
        } else {                             /* the pivot is B13, and A10 is as near as any */
            CHECK_EQUAL(got.sets, 1);
            CHECK_EQUAL(got.result[0], 13);
        }
        if (k < 2) { CHECK_NOTES(7, 20, 22, 40, 48); }
        finish();
    }
}
static sf_result look_and_leave(sf_context *ctx)             /* receives nothing: the set is delivered all the same */
{
    got.at[got.sets] = sf_flow_now(ctx->flow);
    for (int p = 0; p < played->rule.ports; p++) {
        got.set[got.sets][p] = (int)sf_peek_timestamp(ctx, p, 0);
        if (sf_available(ctx, p) != 1) { return wrong(ctx, "not one message", p, sf_available(ctx, p)); }
    }
    return got.sets++, SF_OK;
}
static void not_received(void **state)
{
    static const tm_rule two = { .ports = 2, .within = 5 };
    script s = script_of("A0 B1 A9 B8 A20 A. B.", &two);
    sf_op_desc d = join_of(&s);
    (void)state;
    d.compute = look_and_leave;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    CHECK_EQUAL(got.sets, 2);
    CHECK(got.set[0][0] == 0 && got.set[0][1] == 1 && got.set[1][0] == 9 && got.set[1][1] == 8);
    CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_DELIVERED], 2);
    CHECK_EQUAL(edge_of(f, join, 1, 0).fates[SF_FATE_DELIVERED], 2);
    CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_ENDED], 1);
    finish();
}
static sf_result look_ahead(sf_context *ctx)         /* a batch of three of an input without a join */
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3 - i; k++) {
            if (sf_peek_timestamp(ctx, 0, k) != 10 * (int64_t)(ctx->run * 3) + 10 * (i + k)) {
                return wrong(ctx, "another stamp", i, k);
            }
        }
        if (sf_peek_timestamp(ctx, 0, 3 - i) != -1 && ctx->run) { return wrong(ctx, "there are three", i, 0); }
        (void)sf_receive_value(ctx, 0);
    }
    return SF_OK;
}
static void peeked(void **state)
{
    static const tm_rule one = { .ports = 1, .room = { 3 } };
    script s = script_of("A0 A10 A20 A30 A40 A50 A.", &one);
    sf_op_desc d = {
        .name = "join", .compute = look_ahead, .in = { { .name = "a", .batch = 3 } }, .out = { OUT("out") }
    };
    (void)state;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    CHECK_EQUAL(runs_of(f, join), 2);
    finish();
}
static uint64_t fails_left;
static sf_result take_or_fail(sf_context *ctx)
{
    sf_result r = take_set(ctx);
    if (r < 0 || !fails_left) { return r; }
    fails_left--;
    got.sets--;
    note_down(3, got.set[got.sets][0] * 100 + got.set[got.sets][1]);
    return SF_ERROR_USER - 3;
}
static void sets_that_fail(void **state)
{
    static const tm_rule two = { .ports = 2, .within = 5 };
    script s = script_of("A0 B1 A9 B8 A20 B21 A. B.", &two);
    sf_op_desc d = join_of(&s);
    (void)state;
    d.compute = take_or_fail;

    d.on_error = SF_ON_ERROR_RETRY;          /* the same set again */
    d.retries = 3;
    fails_left = 2;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    outcome_is("(0,1) (9,8) (20,21)", "");
    CHECK_NOTES(3, 0, 0);
    finish();

    d.on_error = SF_ON_ERROR_IGNORE;         /* the next one */
    fails_left = 1;
    build(&s, &d, &stepped);
    (void)go(&stepped);
    sums_hold();
    outcome_is("(9,8) (20,21)", "a failed 1; b failed 1");
    finish();

    d.on_error = SF_ON_ERROR_RETRY;
    d.retries = 1;
    fails_left = 9;
    build(&s, &d, &stepped);
    went(&stepped, SF_ERROR_USER - 3);
    for (int p = 0; p < 2; p++) { CHECK_EQUAL(edge_of(f, join, p, 0).fates[SF_FATE_FAILED], 1); }
    finish();

    d.on_error = SF_ON_ERROR_STOP_OPERATOR;
    fails_left = 1;
    build(&s, &d, &stepped);
    (void)go(&stepped);
    sums_hold();
    CHECK_EQUAL(got.sets, 0);
    for (int p = 0; p < 2; p++) { CHECK_EQUAL(edge_of(f, join, p, 0).fates[SF_FATE_FAILED], 1); }
    finish();
    fails_left = 0;
}
static void stamped_on_emit(void **state)    /* a message without a stamp has the time at which it became visible */
{
    static const tm_rule two = { .ports = 2, .within = 10 };
    script s = script_of("A- @2000 B2005 @3000 A- B3011 @5000 B5000 A5001 A. B.", &two);
    sf_op_desc d = join_of(&s);
    (void)state;
    d.in[0].stamped_on_emit = true;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    CHECK_EQUAL(got.sets, 1);                /* 1000 and 3000 have no partner; 5001 is a stamp of its own */
    CHECK_EQUAL(got.result[0], 5001);
    CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_UNMATCHED], 2);
    CHECK_EQUAL(edge_of(f, join, 1, 0).fates[SF_FATE_UNMATCHED], 2);
    finish();

    s = script_of("A- @1004 B1004 @2000 A. B.", &two);
    d = join_of(&s);
    d.in[0].stamped_on_emit = true;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    CHECK_EQUAL(got.sets, 1);
    CHECK_EQUAL(got.result[0], 1004);
    finish();
}
static void says(const char *part)
{
    const char *text = sf_flow_failure(f)->text;
    if (!strstr(text, part)) { fail_msg("the failure does not say %s:\n  %s", part, text); }
}
static void without_a_stamp(void **state)
{
    static const tm_rule two = { .ports = 2, .within = 10 };
    (void)state;
    for (int k = 0; k < 2; k++) {
        script s = script_of(k ? "A0 B- A. B." : "A- B0 A. B.", &two);
        sf_op_desc d = join_of(&s);
        build(&s, &d, &stepped);
        CHECK(go(&stepped) < 0);
        says(k ? "\"b\"" : "\"a\"");
        says("join");
        says("timestamp");
        sums_hold();
        finish();
    }
}
static void times_that_overflow(void **state)
{
    static const struct { int64_t offset; const char *events; bool fails; } cases[] = {
        { 1, "B9223372036854775807 A. B.", true },   { 0, "B9223372036854775807 A. B.", false },
        { INT64_MAX, "B1 A. B.", true },             { INT64_MAX, "B0 A. B.", false },
        { INT64_MIN, "B0 A. B.", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        tm_rule two = { .ports = 2, .within = 10, .offset = { 0, cases[i].offset } };
        script s = script_of(cases[i].events, &two);
        sf_op_desc d = join_of(&s);
        sf_result r;
        build(&s, &d, &stepped);
        r = go(&stepped);
        if (cases[i].fails != (r < 0)) { fail_msg("case %zu: %d, %s", i, (int)r, sf_flow_failure(f)->text); }
        if (r < 0) { says("\"b\""), says("offset"); }
        sums_hold();
        finish();
    }
    /* Where no sum overflows, no difference does: the ends of time are far apart, not near. */
    story("A0 B9223372036854775807 A9223372036854775807 A. B.", &(tm_rule){ .ports = 2, .within = INT64_MAX - 1 },
          "(9223372036854775807,9223372036854775807)", "a unmatched 1");
    story("A0 B9223372036854775807 A. B.", &(tm_rule){ .ports = 2, .within = INT64_MAX }, "(0,9223372036854775807)",
          "");
    story("A0 B9223372036854775807 A9223372036854775807 A. B.",
          &(tm_rule){ .ports = 2, .within = INT64_MAX, .offset = { INT64_MIN } }, "", "a unmatched 2; b ended 1");
}

/* -- windows: port a is the anchor -- */

static struct {
    int count, anchor[TM_WINDOWS], size[TM_WINDOWS][TM_SAMPLES], sample[TM_WINDOWS][TM_SAMPLES][TM_LENGTH];
    int64_t at[TM_WINDOWS];
} windows;
static sf_result take_window(sf_context *ctx)
{
    int k = windows.count, probe_at = 0;
    if (k == TM_WINDOWS) { return wrong(ctx, "too many windows", 0, k); }
    if (sf_available(ctx, 0) != 1) { return wrong(ctx, "not one anchor", 0, sf_available(ctx, 0)); }
    windows.at[k] = sf_flow_now(ctx->flow);
    windows.anchor[k] = take_one(ctx, 0, 0);
    if (windows.anchor[k] < 0) { return SF_ERROR_USER; }
    for (int p = 1; p < played->rule.ports; p++) {
        int n = sf_available(ctx, p), i = 0;
        int64_t stamps[TM_LENGTH];
        if (n > TM_LENGTH) { return wrong(ctx, "too many samples", p, n); }
        for (; i < n; i++) { stamps[i] = sf_peek_timestamp(ctx, p, i); }
        if (sf_peek_timestamp(ctx, p, n) != -1) { return wrong(ctx, "it peeks beyond the window", p, n); }
        for (i = 0; sf_available(ctx, p); i++) {
            int sample = take_one(ctx, p, probe_at);
            if (sample < 0) { return SF_ERROR_USER; }
            if (i == n || stamps[i] != sf_get_timestamp(ctx, p)) { return wrong(ctx, "not what it peeked", p, i); }
            windows.sample[k][p - 1][i] = sample;
        }
        windows.size[k][p - 1] = i;
        if (i != n) { return wrong(ctx, "not all of them", p, i); }
    }
    windows.count++;
    return sf_emit_value(ctx, 0, number(k));
}
static sf_op_desc window_of(const script *s, const tm_window_rule *rule)
{
    sf_op_desc d = join_of(s);
    d.compute = take_window;
    d.when[0].kind = SF_CONDITION_WINDOW;
    d.when[0].pick = SF_PICK_OLDEST;
    d.when[0].ns = 0;
    d.when[0].before = rule->before;
    d.when[0].after = rule->after;
    d.when[0].tiles = rule->tiles;
    memset(&windows, 0, sizeof windows);
    return d;
}
static void text_of_windows(char *text, size_t bytes, bool times)
{
    size_t n = 0;
    text[0] = 0;
    for (int k = 0; k < windows.count; k++) {
        n += (size_t)snprintf(text + n, bytes - n, times ? "%s%lld@%lld:" : "%s%lld:", k ? "; " : "",
                              (long long)played->in.stamp[0][windows.anchor[k]], (long long)windows.at[k]);
        for (int p = 1; p < played->rule.ports; p++) {
            n += (size_t)snprintf(text + n, bytes - n, p > 1 ? " |" : "");
            for (int i = 0; i < windows.size[k][p - 1]; i++) {
                n += (size_t)snprintf(text + n, bytes - n, " %lld",
                                      (long long)played->in.stamp[p][windows.sample[k][p - 1][i]]);
            }
        }
    }
}
static void window_story(const char *events, const tm_window_rule *rule, const tm_rule *ports, const char *want,
                         const char *fates)
{
    char text[1024];
    script s = script_of(events, ports);
    sf_op_desc d = window_of(&s, rule);
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    text_of_windows(text, sizeof text, strchr(want, '@') != NULL);
    if (strcmp(text, want) != 0) { fail_msg("windows %s\n  not %s", text, want); }
    text_of_fates(text, sizeof text);
    if (strcmp(text, fates) != 0) { fail_msg("fates: %s\n  not: %s", text, fates); }
    finish();
}
static void vectors_of_windows(void **state)
{
    static const tm_rule two = { .ports = 2 }, three = { .ports = 3 }, waits = { .ports = 2, .max_wait = 2500 };
    static const tm_window_rule back = { .before = 10 }, tiles = { .before = 10, .tiles = true },
                                around = { .before = 5, .after = 5 };
    (void)state;
    window_story("B0 B5 A10 B10 B10 B12 A20 B21 A. B.", &back, &two, "10@6000: 0 5 10 10; 20@8000: 10 10 12",
                 "b ended 1");
    window_story("B0 B5 A10 B10 B10 B12 A20 B21 A. B.", &tiles, &two, "10@6000: 0 5 10 10; 20@8000: 12", "b ended 1");
    window_story("A10 A11 B5 B15 B16 B17 A. B.", &around, &two, "10@5000: 5 15; 11@6000: 15 16", "b ended 1");
    window_story("A10 A30 B. A50 A.", &back, &two, "10@3000:; 30@3000:; 50@4000:", "");    /* no samples come */
    window_story("A10 A10 B10 B11 A. B.", &back, &two, "10@4000: 10; 10@4000: 10", "b ended 1");
    window_story("A10 A10 B10 B11 A. B.", &tiles, &two, "10@4000: 10; 10@4000:", "b ended 1");
    window_story("B0 B1 A50 B45 B60 A. B.", &back, &two, "50@5000: 45", "b ended 1, unmatched 2");
    window_story("B7 B5 A10 A9 B11 A. B.", &back, &two, "10@5000: 7", "a backward 1; b ended 1, backward 1");
    window_story("A10 B10 C5 C11 @9000 B12 A. B. C.", &back, &three, "10@9000: 10 | 5", "b ended 1; c ended 1");
    window_story("A10 B10 A20 @9000 B21 A. B.", &back, &waits, "10@3500: 10; 20@6000: 10", "b ended 1");
    window_story("A10 @4000 B10 A20 B21 A. B.", &tiles, &waits, "10@3500:; 20@6000:", "b ended 1, unmatched 1");
    window_story("B0 B1 A. B2", &back, &two, "", "b ended 2");
    /* what a window had is delivered, also if a newer one takes its place later */
    window_story("B5 B7 A8 B9 B12 B13 A20 B31 A. B.", &back, &(tm_rule){ .ports = 2, .drop = true, .room = { 2, 3 } },
                 "8: 5 7; 20: 12 13", "b ended 1, unmatched 1");
    window_story("A110 B5 B16 A120 B27 A. B.", &back, &(tm_rule){ .ports = 2, .offset = { -100, 0 } },
                 "110@3000: 5; 120@5000: 16", "b ended 1");
}
static void random_windows(void **state)
{
    (void)state;
    EACH_SEED(test_seeds() / 5) {
        static tm_windows want;
        static const wish all = { .most_ports = 4, .most = 8, .offset = true, .back = true };
        rng r = rng_seed(seed);
        way by = { seed % 4 ? 0 : 1 + (int32_t)rng_below(&r, 4), seed % 2 == 0, false, false, NULL };
        script s = random_script(&r, &all);
        tm_window_rule rule;
        char text[256];
        int64_t steps[] = { 0, 1, 3, 10, 20, 50 }, before = 0;
        memset(&rule, 0, sizeof rule);
        rule.samples = s.rule.ports - 1;
        rule.before = steps[rng_below(&r, 6)];
        rule.after = rng_below(&r, 2) ? steps[rng_below(&r, 6)] : 0;
        rule.tiles = rng_below(&r, 3) == 0;
        if (rule.tiles) { rule.after = 0; }
        memcpy(rule.offset, s.rule.offset, sizeof rule.offset);
        memset(s.rule.period, 0, sizeof s.rule.period);
        mix_times(&s, &r);
        if (!by.simulated) { s = at_once(s); }
        sf_op_desc d = window_of(&s, &rule);
        tagged = rng_below(&r, 2);
        tensors = cpu_reads = rng_below(&r, 5) == 0;         /* a sample is read in several windows */
        if (tensors) { d.when[1].kind = SF_CONDITION_STREAM; }
        slow = 50;
        if (by.simulated && !tensors && rng_below(&r, 3) == 0) {
            s.rule.max_wait = d.when[0].max_wait = (1 + (int64_t)rng_below(&r, 4)) * TIMES + 7;
        }
        build(&s, &d, &by);
        went(&by, SF_OK);
        bool exact = by.simulated && !tensors;               /* the GPU takes no virtual time, but a while */
        tagged = tensors = cpu_reads = false;
        tm_all_windows(&rule, &s.in, &want);
        snprintf(text, sizeof text, "%d windows and %d results, not %d; before %lld, after %lld, tiles %d",
                 windows.count, got.results, want.count, (long long)rule.before, (long long)rule.after, rule.tiles);
        if (windows.count != want.count || got.results != want.count) { fail_script(text); }
        bool had[TM_PORTS][TM_LENGTH] = { { false } };
        for (int k = 0; k < want.count; k++) {
            int64_t a = s.in.stamp[0][want.anchor[k]], head = s.at[0][want.anchor[k]], ready;
            head = ready = head > before ? head : before;
            for (int p = 1; p < s.rule.ports; p++) {         /* when the first comes that is newer than the window */
                int64_t at = s.ends[p];
                for (int i = s.in.count[p]; i-- > 0;) {
                    if (s.in.stamp[p][i] + rule.offset[p] > a + rule.offset[0] + rule.after) { at = s.at[p][i]; }
                }
                ready = at > ready ? at : ready;
            }
            if (s.rule.max_wait && ready > head + s.rule.max_wait) { ready = head + s.rule.max_wait; }
            snprintf(text, sizeof text, "window %d at %lld, not at %lld; before %lld, after %lld, tiles %d", k,
                     (long long)windows.at[k], (long long)ready, (long long)rule.before, (long long)rule.after,
                     rule.tiles);
            if (windows.anchor[k] != want.anchor[k] || (exact && windows.at[k] != ready)) { fail_script(text); }
            for (int p = 1; p < s.rule.ports; p++) {
                int n = 0;
                for (int i = 0; i < want.size[k][p - 1]; i++) {
                    int sample = want.sample[k][p - 1][i];
                    if (s.rule.max_wait && s.at[p][sample] > ready) { continue; }    /* it comes too late */
                    had[p][sample] = true;
                    if (n == windows.size[k][p - 1] || windows.sample[k][p - 1][n] != sample) { fail_script(text); }
                    n++;
                }
                if (n != windows.size[k][p - 1]) { fail_script(text); }
            }
            CHECK_EQUAL(got.result[k], a + rule.offset[0]);
            before = ready;
        }
        for (int p = 0; p < s.rule.ports; p++) {
            int n[TM_FATES] = { 0 };
            sf_edge_info e = edge_of(f, join, p, 0);
            for (int i = 0; i < s.in.count[p]; i++) {
                n[want.fate[p][i] == TM_DELIVERED && p && !had[p][i] ? TM_ENDED : want.fate[p][i]]++;
            }
            CHECK_EQUAL(e.fates[SF_FATE_DELIVERED], n[TM_DELIVERED]);
            if (!s.rule.max_wait) { CHECK_EQUAL(e.fates[SF_FATE_UNMATCHED], n[TM_UNMATCHED]); }
            CHECK(e.fates[SF_FATE_BACKWARD] <= (uint64_t)n[TM_BACKWARD] &&
                  e.fates[SF_FATE_ENDED] <= (uint64_t)n[TM_ENDED]);
            CHECK_EQUAL(e.queued, 0);
        }
        finish();
    }
}

static sf_result window_or_fail(sf_context *ctx)
{
    sf_result r = take_window(ctx);
    if (r < 0 || !fails_left) { return r; }
    fails_left--;
    windows.count--;
    return SF_ERROR_USER - 3;
}
static void windows_that_fail(void **state)  /* a sample is delivered if a compute that had it returned no error */
{
    static const tm_rule two = { .ports = 2 };
    static const tm_window_rule back = { .before = 10 };
    (void)state;
    for (int k = 0; k < 2; k++) {
        script s = script_of("B0 B5 A10 B10 B12 A20 B21 A. B.", &two);
        sf_op_desc d = window_of(&s, &back);
        char text[256];
        d.compute = window_or_fail;
        d.on_error = k ? SF_ON_ERROR_RETRY : SF_ON_ERROR_IGNORE;
        d.retries = 1;
        fails_left = 1;
        build(&s, &d, &stepped);
        (void)go(&stepped);
        sums_hold();
        text_of_windows(text, sizeof text, false);
        if (strcmp(text, k ? "10: 0 5 10; 20: 10 12" : "20: 10 12") != 0) { fail_msg("windows: %s", text); }
        text_of_fates(text, sizeof text);
        if (strcmp(text, k ? "b ended 1" : "a failed 1; b failed 2, ended 1") != 0) { fail_msg("fates: %s", text); }
        fails_left = 0;
        finish();
    }
}
static void windows_too_large(void **state)  /* the queue must hold the samples of a window, and one more */
{
    static const tm_window_rule back = { .before = 10 };
    (void)state;
    for (int room = 3; room < 5; room++) {
        script s = script_of("A10 B5 B7 B10 B21 A. B.", &(tm_rule){ .ports = 2, .room = { 2, room } });
        sf_op_desc d = window_of(&s, &back);
        sf_result r;
        build(&s, &d, &stepped);
        r = go(&stepped);
        if (room == 3) {
            CHECK_IS(r, SF_ERROR_DEADLOCK);
            says("\"b\"");
            says("capacity");
        } else {
            CHECK_EQUAL(windows.count, 1);
            CHECK_EQUAL(windows.size[0][0], 3);
        }
        finish();
    }
}
static void windows_of_the_newest(void **state)      /* DROP_OLDEST: the window has what is left */
{
    static const tm_window_rule back = { .before = 10 };
    script s = script_of("A10 B5 B7 B10 B21 A. B.", &(tm_rule){ .ports = 2, .drop = true, .room = { 2, 3 } });
    sf_op_desc d = window_of(&s, &back);
    char text[256];
    (void)state;
    build(&s, &d, &stepped);
    went(&stepped, SF_OK);
    text_of_windows(text, sizeof text, false);
    if (strcmp(text, "10: 7 10") != 0) { fail_msg("windows: %s", text); }
    text_of_fates(text, sizeof text);
    if (strcmp(text, "b overflow 1, ended 1") != 0) { fail_msg("fates: %s", text); }
    finish();
}

/* -- what a user is told -- */

static sf_result every_fourth(sf_context *ctx)
{
    int64_t t = sf_get_timestamp(ctx, 0);
    sf_value v = sf_receive_value(ctx, 0);
    t = sf_get_timestamp(ctx, 0);
    return t % 4 ? SF_OK : sf_emit_value(ctx, 0, v);
}
static sf_result stamp_up(sf_context *ctx)
{
    sf_set_timestamp(ctx, (int64_t)ctx->run + 1);
    return count_up(ctx);
}
static sf_result take_both_values(sf_context *ctx)
{
    int64_t a = sf_receive_value(ctx, 0).i64, b = sf_receive_value(ctx, 1).i64;
    note_down(5, a);
    return a == b ? SF_OK : SF_ERROR_USER;
}
static void a_diamond_that_stops(void **state)       /* the faster side fills its queue, the slower has nothing */
{
    (void)state;
    for (int room = 2; room <= 4; room++) {
        for (int32_t workers = 0; workers < 4; workers += 3) {
            sf_flow_desc desc = { .device = device };
            notes_clear();
            desc.workers[0].count = workers;
            f = sf_flow_create(&desc);
            sf_op from = sf_flow_add(
                f, &(sf_op_desc){ .name = "clock", .compute = stamp_up, .out = { OUT("out") }, .count = 12 });
            sf_op thin = sf_flow_add(
                f,
                &(sf_op_desc){ .name = "thin", .compute = every_fourth, .in = { IN("in") }, .out = { OUT("out") } });
            join = sf_flow_add(f, &(sf_op_desc){
                .name = "join", .compute = take_both_values,
                .in = { { .name = "fast", .capacity = (uint16_t)room }, { .name = "slow", .capacity = 1 } },
                .when = { { .kind = SF_CONDITION_ALIGNED } } });
            connect(f, from, thin);
            CHECK_OK(sf_flow_connect(f, from, NULL, join, "fast", NULL));
            CHECK_OK(sf_flow_connect(f, thin, NULL, join, "slow", NULL));
            sf_result r = sf_flow_start(f);
            if (r >= 0) { r = sf_flow_wait(f, GUARD); }
            if (room < 4) {
                CHECK_IS(r, SF_ERROR_DEADLOCK);
                says("\"fast\"");
                says("\"slow\"");
                says("full");
            } else {
                if (r != SF_OK) { fail_msg("%s", sf_flow_failure(f)->text); }
                CHECK_NOTES(5, 4, 8, 12);
            }
            finish();
        }
    }
}
static void what_it_waits_for(void **state)
{
    static const tm_rule three = { .ports = 3, .within = 5, .offset = { 0, 0, 100 } };
    script s = script_of("A40 B38 @9000 C.", &three);
    sf_op_desc d = join_of(&s);
    sf_op_info info;
    (void)state;
    build(&s, &d, &stepped);
    while (sf_flow_now(f) < 8000) { CHECK_OK(sf_flow_step(f, NULL)); }
    CHECK_OK(sf_op_get_info(f, join, &info));
    if (!strstr(info.waits_for, "\"c\"")) { fail_msg("it waits for: %s", info.waits_for); }
    finish();
}
static void check_of(sf_op_desc *d, const char *part, bool refused)
{
    sf_flow_desc desc = { .device = device, .logger = { test_log_func, &logged } };
    sf_result r;
    memset(&logged, 0, sizeof logged);
    report_clear();
    f = sf_flow_create(&desc);
    join = sf_flow_add(f, d);
    for (int p = 0; p < 3 && d->in[p].name; p++) {
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = stamp_up, .out = { OUT("out") }, .count = 3 });
        CHECK_OK(sf_flow_connect(f, a, NULL, join, d->in[p].name, NULL));
    }
    r = sf_flow_check(f, false, report_add, NULL);
    if (refused != (r < 0)) { fail_msg("the check is %d; it says: %s", (int)r, report.text); }
    if (part && !strstr(report.text, part) && !strstr(logged.text, part) && !strstr(sf_flow_failure(f)->text, part)) {
        fail_msg("nothing says \"%s\":\n%s\n%s\n%s", part, report.text, logged.text, sf_flow_failure(f)->text);
    }
    if (!part && logged.count) { fail_msg("it says: %s", logged.text); }
    finish();
}
static sf_op_desc plain_join(void)
{
    sf_op_desc d = { .name = "join", .compute = take_both_values,
                     .in = { { .name = "left", .capacity = 4 }, { .name = "right", .capacity = 4 } },
                     .when = { { .kind = SF_CONDITION_ALIGNED, .ns = 10 } } };
    return d;
}
static void checks(void **state)
{
    (void)state;
    sf_op_desc d = plain_join();
    check_of(&d, NULL, false);
    d.when[0].pick = SF_PICK_NEAREST;
    check_of(&d, NULL, false);
    d.in[1].capacity = 1;                    /* NEAREST cannot decide with one message of a port */
    check_of(&d, "right", false);
    d.when[0].pick = SF_PICK_OLDEST;
    check_of(&d, NULL, false);
    d = plain_join();
    d.in[0].period = 21;                     /* within < half of the period: a set is unique */
    check_of(&d, NULL, false);
    d.in[0].period = 20;
    check_of(&d, "left", false);
    check_of(&d, "period", false);

    d = plain_join();
    d.when[0].ns = -1;
    check_of(&d, "join", true);
    d = plain_join();
    d.when[0].max_wait = -1;
    check_of(&d, "join", true);
    d = plain_join();
    d.in[0].reorder = -1;
    check_of(&d, "left", true);
    d = plain_join();
    d.in[0].period = -1;
    check_of(&d, "left", true);
    d = plain_join();
    d.when[0].ports = 1u << 7;               /* no such port */
    check_of(&d, "join", true);
    d = plain_join();
    d.when[0].kind = SF_CONDITION_WINDOW;
    d.when[0].anchor = 2;                    /* no such port */
    check_of(&d, "join", true);
    d.when[0].anchor = 0;
    d.when[0].before = -1;
    check_of(&d, "join", true);
    d.when[0].before = 0;
    d.when[0].after = -1;
    check_of(&d, "join", true);
    d.when[0].after = 0;
    check_of(&d, NULL, false);
    d.when[0].ports = 1;                     /* the anchor among its samples */
    check_of(&d, "join", true);
    d = plain_join();
    d.when[1].kind = SF_CONDITION_ALIGNED;   /* twice */
    check_of(&d, "join", true);
    d = plain_join();
    d.in[0].many = true;
    check_of(&d, "left", true);
    d = plain_join();
    d.in[0].batch = 2;
    check_of(&d, "left", true);
}
static void more_checks(void **state)
{
    sf_op_desc d = plain_join();
    (void)state;
    d.region = 1;
    check_of(&d, "join", true);
    d = plain_join();
    d.when[0].any = 1;
    check_of(&d, "join", true);
    d = plain_join();
    d.when[1].kind = SF_CONDITION_MESSAGES;
    check_of(&d, "left", true);
    d = plain_join();
    d.when[0].kind = SF_CONDITION_WINDOW;
    d.when[0].tiles = true;
    d.when[0].after = 5;                     /* tiles end at the anchor */
    check_of(&d, "join", true);
    for (int k = 0; k < 2; k++) {
        d = plain_join();
        f = sf_flow_create(&(sf_flow_desc){ .device = device });
        join = sf_flow_add(f, &d);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = stamp_up, .out = { OUT("out") }, .count = 3 });
        CHECK_OK(
            sf_flow_connect(f, a, NULL, join, "left",
                            &(sf_edge_desc){ .overflow = k ? SF_OVERFLOW_LATEST : SF_OVERFLOW_BLOCK, .delay = !k }));
        CHECK_OK(sf_flow_connect(f, a, NULL, join, "right", NULL));
        CHECK(sf_flow_check(f, false, NULL, NULL) < 0);
        says("left");
        finish();
    }
}
static void described(void **state)          /* the plan as text and JSON, and the trace */
{
    static const tm_rule rule = { .ports = 2, .nearest = true, .within = 4321, .max_wait = 87654 };
    script s = script_of("A20 A21 B21 B9000 A. B.", &rule);
    sf_op_desc d = join_of(&s);
    (void)state;
    tracked = true;
    build(&s, &d, &stepped);
    for (int json = 0; json < 2; json++) {
        report_clear();
        CHECK_OK(sf_flow_check(f, json, report_add, NULL));
        if (!count_of("ALIGNED") || !(count_of("NEAREST") + count_of("nearest")) || !count_of("4321") ||
            !count_of("87654")) {
            fail_msg("%s", report.text);
        }
    }
    went(&stepped, SF_OK);
    outcome_is("(21,21)", "a passed over 1; b ended 1");
    report_clear();
    CHECK_OK(sf_flow_trace(f, report_add, NULL));
    if (!count_of("passed over") && !count_of("PASSED_OVER") && !count_of("passed_over")) {
        fail_msg("%s", report.text);
    }
    tracked = false;
    finish();
}

/* -- joins in larger flows -- */

static void two_joins_in_a_row(void **state)         /* results are joined again; each source feeds both */
{
    (void)state;
    for (int32_t workers = 0; workers < 5; workers += 2) {
        sf_flow_desc desc = { .device = device };
        notes_clear();
        desc.workers[0].count = workers;
        f = sf_flow_create(&desc);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = stamp_up, .out = { OUT("out") }, .count = 100 });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = stamp_up, .out = { OUT("out") }, .count = 100 });
        sf_op_desc d = { .name = "first", .compute = pass_value, .in = { IN("x"), IN("y") }, .out = { OUT("out") },
                         .when = { { .kind = SF_CONDITION_ALIGNED } } };
        sf_op first = sf_flow_add(f, &d), second;
        d.name = "second";
        d.compute = take_both_values;
        d.out[0].name = NULL;
        d.in[1].capacity = 8;
        second = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, a, NULL, first, "x", NULL));
        CHECK_OK(sf_flow_connect(f, b, NULL, first, "y", NULL));
        CHECK_OK(sf_flow_connect(f, first, NULL, second, "x", NULL));
        CHECK_OK(sf_flow_connect(f, b, NULL, second, "y", NULL));
        guarded_run_is(f, SF_OK, NULL);
        check_counts(5, 1, 100);
        finish();
    }
}
static void runs_again(void **state)         /* nothing is left of the run before */
{
    static const tm_rule rule = { .ports = 2, .nearest = true, .within = 10, .reorder = { 5 } };
    script s = script_of("A20 A21 B20 B30 A50 A49 A. B40 B.", &rule);
    sf_op_desc d = join_of(&s);
    (void)state;
    build(&s, &d, &stepped);
    for (int again = 0; again < 3; again++) {
        memset(&got, 0, sizeof got);
        feed_of[0].sent = feed_of[1].sent = 0;
        went(&stepped, SF_OK);
        if (again) { same_as_whole(); } else { same_as_machine(); }
        CHECK(got.sets > 0);
        if (sf_flow_now(f) > 0 && again < 2) { s = at_once(s); }
    }
    finish();
}
static void stopped_in_between(void **state)
{
    static const tm_rule rule = { .ports = 2, .within = 5, .reorder = { 0, 10 } };
    (void)state;
    for (int how = 0; how < 3; how++) {
        script s = script_of("A0 A1 B0 A33 B5 @9000 A66 B66 A. B.", &rule);
        sf_op_desc d = join_of(&s);
        uint64_t ended = 0;
        build(&s, &d, &stepped);
        while (sf_flow_now(f) < 6000) { CHECK_OK(sf_flow_step(f, NULL)); }
        sums_hold();
        CHECK_EQUAL(edge_of(f, join, 1, 0).queued, 2);       /* both are held */
        if (how == 0) {
            CHECK_OK(sf_flow_stop(f));
        } else if (how == 1) {
            CHECK_OK(sf_flow_finish(f));
        } else {
            CHECK_OK(sf_op_stop(f, join));
        }
        went(&stepped, SF_OK);
        for (int p = 0; p < 2; p++) {
            CHECK_EQUAL(edge_of(f, join, p, 0).queued, 0);
            ended += edge_of(f, join, p, 0).fates[SF_FATE_ENDED];
        }
        if (how == 1) {                      /* sources have ended: what was held is handed out, and joined */
            outcome_is("(0,0) (1,5)", "a ended 1");
        } else {
            CHECK_EQUAL(got.sets, 0);
            CHECK_EQUAL(ended, 5);
        }
        finish();
    }
}
static void in_memory_of_ours(void **state)  /* sf_flow_memory() counts what a join needs */
{
    static _Alignas(16) char block[1 << 20];
    sf_flow_desc desc = { .device = device,
                          .clock.simulated = true,
                          .limits = { .ops = 4, .edges = 3, .messages = 2 * TM_LENGTH + 1 } };
    static const tm_rule rule = { .ports = 2, .nearest = true, .within = 10, .reorder = { 5 } };
    script s = script_of("A20 A21 B20 B30 A50 A49 A. B40 B.", &rule);
    sf_op_desc d = join_of(&s);
    size_t bytes = sf_flow_memory(&desc);
    (void)state;
    CHECK(bytes > 0 && bytes < sizeof block);
    desc.memory.ptr = block;
    desc.memory.bytes = bytes;
    build(&s, &d, &stepped);
    sf_flow_destroy(f);
    f = sf_flow_create(&desc);
    CHECK(f != NULL);
    for (int p = 0; p < 2; p++) { feeds[p] = add_feed(p, &stepped); }
    join = sf_flow_add(f, &d);
    sink = sf_flow_add(f, &(sf_op_desc){ .compute = take_result, .in = { IN("in") } });
    CHECK_OK(sf_flow_connect(f, feeds[0], NULL, join, "a", NULL));
    CHECK_OK(sf_flow_connect(f, feeds[1], NULL, join, "b", NULL));
    connect(f, join, sink);
    went(&stepped, SF_OK);
    same_as_whole();
    finish();
}
static void pushed_from_outside(void **state)        /* what has no stamp has that of its push */
{
    sf_op_desc d = plain_join();
    (void)state;
    notes_clear();
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.simulated = true });
    for (int p = 0; p < 2; p++) { d.in[p].external = d.in[p].stamped_on_emit = true; }
    join = sf_flow_add(f, &d);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_OK(sf_flow_push_value(f, join, 0, number(7)));
    CHECK_OK(sf_flow_push_value(f, join, 1, number(7)));
    while (sf_flow_step(f, NULL) == SF_OK) {}
    CHECK_NOTES(5, 7);
    CHECK_OK(sf_flow_finish(f));
    while (sf_flow_step(f, NULL) == SF_OK) {}
    CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_DELIVERED], 1);
    finish();
}

static int64_t my_time;
static int64_t my_clock(void *user) { return (void)user, my_time; }
static void room_for_pushes(void **state)    /* what is released makes room for the next push */
{
    sf_op_desc d = plain_join();
    (void)state;
    notes_clear();
    my_time = 0;
    f = sf_flow_create(&(sf_flow_desc){ .device = device, .clock.now = my_clock });
    for (int p = 0; p < 2; p++) {
        d.in[p].external = d.in[p].stamped_on_emit = true;
        d.in[p].capacity = 2;
    }
    join = sf_flow_add(f, &d);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    for (int round = 0; round < 5; round++) {
        my_time = round * 1000;
        for (int k = 0; k < 2; k++) {
            CHECK_OK(sf_flow_push_value(f, join, 0, number(round * 10)));
            while (sf_flow_step(f, NULL) == SF_OK) {}
        }
        CHECK_IS(sf_flow_push_value(f, join, 0, number(7)), SF_BUSY);
        my_time += 11;                       /* out of reach */
        CHECK_OK(sf_flow_push_value(f, join, 1, number(round * 10 + 1)));
        while (sf_flow_step(f, NULL) == SF_OK) {}
        CHECK_EQUAL(edge_of(f, join, 0, 0).fates[SF_FATE_UNMATCHED], 2 * (round + 1));
        my_time += 1;                        /* a partner for that one */
        CHECK_OK(sf_flow_push_value(f, join, 0, number(round * 10 + 1)));
        while (sf_flow_step(f, NULL) == SF_OK) {}
    }
    CHECK_NOTES(5, 1, 11, 21, 31, 41);
    finish();
}

/* -- many threads -- */

static void stumble(const char *place)
{
    static __thread uint32_t n;
    (void)place;
    n = (n ? n : (uint32_t)(uintptr_t)&n) * 1664525u + 1013904223u;
    if (n >> 26 == 0) { sched_yield(); }
    if (n >> 23 == 0) { usleep(1); }
}
static void stress(void **state)             /* 2 to 8 workers in real time, with pauses where the library shares */
{
    static const wish all = {
        .most_ports = 6, .most = 8, .reorder = true, .offset = true, .period = true, .back = true
    };
    (void)state;
    library.step = stumble;
    EACH_SEED(test_seeds() / 20) {
        rng r = rng_seed(seed + 77);
        way by = { 2 + (int32_t)rng_below(&r, 7), false, rng_below(&r, 3) == 0, false, NULL };
        if (rng_below(&r, 8) == 0) { by.workers = 0, by.groups = false, by.jobs = true; }
        random_run(&r, &all, &by);
    }
    library.step = NULL;
}
static int clean_up(void **state)
{
    library.step = NULL;
    tensors = cpu_reads = tagged = tracked = copied = false;
    far = NULL;
    sink_period = 0;
    if (f) { sf_flow_destroy(f); }           /* of a case that failed */
    f = NULL;
    return teardown(state);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, clean_up)
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        CASE(vectors_of_sets), CASE(nearest_waits), CASE(every_interleaving), CASE(random_sets),
        CASE(random_tensors), CASE(copied_between_devices), CASE(drop_oldest), CASE(max_wait),
        CASE(random_waits), CASE(optional_ports), CASE(ends_of_each_port), CASE(late_joiner), CASE(too_old),
        CASE(ages_without_a_join), CASE(too_old_by_then), CASE(dropped_while_it_waits),
        CASE(sets_under_pressure), CASE(released_while_it_waits), CASE(drops), CASE(dropped_tensors),
        CASE(more_drops_than_room), CASE(paths_of_messages), CASE(metadata_and_stamps), CASE(not_received),
        CASE(peeked), CASE(sets_that_fail), CASE(stamped_on_emit), CASE(without_a_stamp),
        CASE(times_that_overflow), CASE(vectors_of_windows), CASE(random_windows), CASE(windows_that_fail),
        CASE(windows_too_large), CASE(windows_of_the_newest), CASE(a_diamond_that_stops),
        CASE(what_it_waits_for), CASE(checks), CASE(more_checks), CASE(described), CASE(two_joins_in_a_row),
        CASE(runs_again), CASE(stopped_in_between), CASE(in_memory_of_ours), CASE(pushed_from_outside),
        CASE(room_for_pushes),
        cmocka_unit_test_setup_teardown(stress, setup, clean_up),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("fusion", tests, NULL, NULL);
}
