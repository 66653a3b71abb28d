/*  traffic.h - random commands on many streams whose result is known. A command is only enqueued where waits put it
    after those whose data it reads or overwrites; clocks per stream say where one is missing. So a model that applies
    them in the order of enqueueing has what must come out. Comes after test.h. */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "test.h"

enum { TRAFFIC_STREAMS = 64, TRAFFIC_BUFFERS = 64, TRAFFIC_EVENTS = 64, TRAFFIC_WORDS = 32, TRAFFIC_SCRIPT = 60 };

typedef enum traffic_kind {
    TRAFFIC_MIX, TRAFFIC_MIX_FROM, TRAFFIC_SET, TRAFFIC_COPY, TRAFFIC_COPY_2D, TRAFFIC_HOST, TRAFFIC_KINDS
} traffic_kind;
typedef struct traffic_op {
    traffic_kind kind;
    uint32_t dst, src, at, n, mul, add;      /* buffers; words; the values are what they mean to the kind */
} traffic_op;
typedef struct traffic_job { uint32_t *dst; uint32_t n, mul, add; } traffic_job;     /* lives until the GPU is done */
typedef struct traffic_clock { uint32_t at[TRAFFIC_STREAMS]; } traffic_clock;

typedef struct traffic {
    sf_device *device;
    rng r;
    uint32_t streams, buffers, events, spin;
    sf_stream *s[TRAFFIC_STREAMS];
    sf_event *e[TRAFFIC_EVENTS];
    traffic_clock view[TRAFFIC_STREAMS];     /* what later commands of a stream come after */
    traffic_clock told[TRAFFIC_EVENTS];      /* the same, of an event; valid in its epoch */
    uint32_t event_epoch[TRAFFIC_EVENTS], epoch;
    bool joined[TRAFFIC_STREAMS];            /* part of the capture, or all of them */
    uint32_t writer[TRAFFIC_BUFFERS], written[TRAFFIC_BUFFERS], read[TRAFFIC_BUFFERS][TRAFFIC_STREAMS];
    uint32_t *pinned, *gpu;                  /* buffers with an even and an odd number */
    uint32_t model[TRAFFIC_BUFFERS][TRAFFIC_WORDS];
    traffic_job *jobs;
    uint32_t job_count, job_room;
    uint32_t *values, value[TRAFFIC_STREAMS];/* words of their own to wait for, if not NULL */
    uint64_t commands;
} traffic;

static inline uint32_t *traffic_at(const traffic *t, uint32_t buffer)
{
    return (buffer % 2 ? t->gpu : t->pinned) + buffer / 2 * TRAFFIC_WORDS;
}

/* Everything enqueued is done, or belongs to a capture that ended: nobody has to wait for it any more. */
static inline void traffic_forget(traffic *t)
{
    memset(t->view, 0, sizeof t->view);
    memset(t->written, 0, sizeof t->written);
    memset(t->read, 0, sizeof t->read);
    t->epoch++;
}

/* -- order -- */

static inline void traffic_record(traffic *t, uint32_t e, uint32_t s)
{
    CHECK_OK(sf_event_record(t->e[e], t->s[s], 0));
    t->told[e] = t->view[s];
    t->event_epoch[e] = t->epoch;
    t->commands++;
}
static inline void traffic_know(traffic *t, uint32_t s, const traffic_clock *clock)
{
    for (uint32_t i = 0; i < t->streams; i++) {
        if (t->view[s].at[i] < clock->at[i]) { t->view[s].at[i] = clock->at[i]; }
    }
}
static inline void traffic_wait(traffic *t, uint32_t s, uint32_t e)
{
    CHECK_OK(sf_stream_wait_event(t->s[s], t->e[e], 0));
    traffic_know(t, s, &t->told[e]);
    t->joined[s] = true;
    t->commands++;
}
static inline void traffic_order(traffic *t, uint32_t s, uint32_t after)     /* s goes on after all of `after` */
{
    uint32_t e = rng_below(&t->r, t->events);
    if (t->values && rng_below(&t->r, 4) == 0) {
        CHECK_OK(sf_stream_write_value(t->s[after], &t->values[after], 4, ++t->value[after], 0));
        CHECK_OK(sf_stream_wait_value(t->s[s], &t->values[after], 4, t->value[after], SF_WAIT_VALUE_GEQ));
        traffic_know(t, s, &t->view[after]);
        t->commands += 2;
        return;
    }
    if (rng_below(&t->r, 4) == 0) {
        CHECK_OK(rng_below(&t->r, 2) ? sf_stream_wait_stream(t->s[s], t->s[after]) : sf_stream_join(t->s[s], t->s[after]));
        traffic_know(t, s, &t->view[after]);
        t->joined[s] = true;
        t->commands += 2;
        return;
    }
    traffic_record(t, e, after);
    traffic_wait(t, s, e);
}
static inline void traffic_need(traffic *t, uint32_t s, uint32_t buffer, bool write)
{
    uint32_t w = t->writer[buffer];
    if (t->view[s].at[w] < t->written[buffer]) { traffic_order(t, s, w); }
    for (uint32_t i = 0; write && i < t->streams; i++) {
        if (t->view[s].at[i] < t->read[buffer][i]) { traffic_order(t, s, i); }
    }
}
/* One command of `s` that writes dst and, unless they are the same, reads src. */
static inline void traffic_note(traffic *t, uint32_t s, uint32_t dst, uint32_t src)
{
    uint32_t now = ++t->view[s].at[s];
    t->writer[dst] = s;
    t->written[dst] = now;
    memset(t->read[dst], 0, sizeof t->read[dst]);
    if (src != dst) { t->read[src][s] = now; }
    t->commands++;
}

/* -- commands -- */

static inline traffic_op traffic_pick(traffic *t)
{
    rng *r = &t->r;
    traffic_op op = { .kind = (traffic_kind)rng_below(r, TRAFFIC_KINDS), .dst = rng_below(r, t->buffers) };
    op.src = op.dst;
    op.at = rng_below(r, TRAFFIC_WORDS / 2);
    op.n = 1 + rng_below(r, TRAFFIC_WORDS / 2);
    op.mul = rng_next(r) | 1;
    op.add = rng_next(r);
    if (op.kind == TRAFFIC_HOST && (op.dst % 2 || t->job_count == t->job_room)) { op.kind = TRAFFIC_MIX; }
    if (op.kind == TRAFFIC_MIX_FROM || op.kind == TRAFFIC_COPY || op.kind == TRAFFIC_COPY_2D) {
        op.src = (op.dst + 1 + 2 * rng_below(r, t->buffers / 2)) % t->buffers; /* the host's and the GPU's */
    }
    if (op.kind == TRAFFIC_COPY_2D) { op.at %= 8, op.n = 1 + op.n % (8 - op.at); }
    return op;
}
static inline void traffic_apply(uint32_t (*model)[TRAFFIC_WORDS], const traffic_op *op)
{
    uint32_t *dst = model[op->dst] + op->at;
    const uint32_t *src = model[op->src] + op->at;
    switch (op->kind) {
    case TRAFFIC_MIX:
    case TRAFFIC_HOST: test_mix_model(dst, NULL, op->n, op->mul, op->add); break;
    case TRAFFIC_MIX_FROM: test_mix_model(dst, src, op->n, op->mul, op->add); break;
    case TRAFFIC_SET: memset(dst, (uint8_t)op->add, op->n * 4); break;
    case TRAFFIC_COPY: memcpy(dst, src, op->n * 4); break;
    default:
        for (uint32_t y = 0; y < TRAFFIC_WORDS / 8; y++) { memcpy(dst + 8 * y, src + 8 * y, op->n * 4); }
    }
}
static inline void traffic_host_func(void *user)
{
    const traffic_job *j = (const traffic_job *)user;
    test_mix_model(j->dst, NULL, j->n, j->mul, j->add);
}
static inline sf_result traffic_call(traffic *t, sf_stream *s, const traffic_op *op)
{
    uint32_t *dst = traffic_at(t, op->dst) + op->at, *src = traffic_at(t, op->src) + op->at;
    uint32_t spin = t->spin ? rng_below(&t->r, t->spin) : 0;
    traffic_job *j;
    switch (op->kind) {
    case TRAFFIC_MIX: return test_mix(s, dst, NULL, op->n, op->mul, op->add, spin);
    case TRAFFIC_MIX_FROM: return test_mix(s, dst, src, op->n, op->mul, op->add, spin);
    case TRAFFIC_SET: return sf_memset_async(s, dst, (uint8_t)op->add, op->n * 4);
    case TRAFFIC_COPY: return sf_memcpy_async(s, dst, src, op->n * 4);
    case TRAFFIC_COPY_2D: return sf_memcpy_2d_async(s, dst, 32, src, 32, op->n * 4, TRAFFIC_WORDS / 8);
    default:
        j = &t->jobs[t->job_count++];
        *j = (traffic_job){ dst, op->n, op->mul, op->add };
        return sf_launch_host_func(s, traffic_host_func, j);
    }
}
static inline void traffic_put(traffic *t, uint32_t s, const traffic_op *op)
{
    if (op->src != op->dst) { traffic_need(t, s, op->src, false); }
    traffic_need(t, s, op->dst, true);
    CHECK_OK(traffic_call(t, t->s[s], op));
    traffic_note(t, s, op->dst, op->src);
}

/* -- the same under capture -- */

typedef struct traffic_script {              /* what a launch of the graph does */
    uint32_t count;
    traffic_op op[TRAFFIC_SCRIPT];
    uint32_t stream[TRAFFIC_SCRIPT], number[TRAFFIC_SCRIPT]; /* the stream's own count */
    traffic_clock after[TRAFFIC_SCRIPT];     /* what it comes after, itself included */
    sf_graph_node *node[TRAFFIC_SCRIPT];
} traffic_script;

static inline uint32_t traffic_joined(traffic *t)            /* a stream of the capture */
{
    uint32_t s;
    do { s = rng_below(&t->r, t->streams); } while (!t->joined[s]);
    return s;
}
static inline void traffic_script_add(traffic *t, traffic_script *script, uint32_t s)
{
    traffic_op op = traffic_pick(t);
    sf_capture_info info;
    sf_dependency last = { NULL, SF_DEPENDENCY_FULL };
    uint32_t i = script->count++;
    traffic_put(t, s, &op);
    CHECK_OK(sf_stream_get_capture_info(t->s[s], &info, &last, 1));
    CHECK_EQUAL(info.status, SF_CAPTURE_ACTIVE);
    CHECK_EQUAL(info.dependencies, 1);       /* what comes next on this stream is after this one alone */
    script->op[i] = op;
    script->stream[i] = s;
    script->number[i] = t->view[s].at[s];
    script->after[i] = t->view[s];
    script->node[i] = last.node;
}
/* Of any shape: streams join by a wait for one that is there, and are all joined into the first at the end. Nothing
   may be in flight on them. */
static inline sf_graph *traffic_capture(traffic *t, sf_capture_mode mode, uint32_t count, traffic_script *script)
{
    sf_graph *graph = NULL;
    uint32_t left = 0;
    traffic_forget(t);
    memset(t->joined, 0, sizeof t->joined);
    t->joined[0] = true;
    script->count = 0;
    CHECK_OK(sf_stream_begin_capture(t->s[0], mode));
    while (script->count < count) {
        uint32_t s = rng_below(&t->r, t->streams), e = rng_below(&t->r, t->events);
        if (!t->joined[s]) { traffic_order(t, s, traffic_joined(t)); }
        switch (rng_below(&t->r, 8)) {
        case 0: traffic_record(t, e, s); break;              /* waited for later, or never */
        case 1:
            if (t->event_epoch[e] == t->epoch) { traffic_wait(t, s, e); }
            break;
        default: traffic_script_add(t, script, s);
        }
    }
    for (uint32_t i = 1; i < t->streams; i++) { left += t->joined[i]; }
    while (left) {                           /* in any order, into any that is left */
        uint32_t s = 1 + rng_below(&t->r, t->streams - 1), into;
        if (!t->joined[s]) { continue; }
        do { into = traffic_joined(t); } while (into == s);
        traffic_order(t, into, s);
        t->joined[s] = false;
        left--;
    }
    CHECK_OK(sf_stream_end_capture(t->s[0], &graph));
    traffic_forget(t);
    memset(t->joined, 1, sizeof t->joined);
    return graph;
}
/* The graph says "after" exactly where the waits did: no edge is missing, none too many. */
static inline void traffic_check_graph(const sf_graph *graph, const traffic_script *script)
{
    uint64_t after[TRAFFIC_SCRIPT] = { 0 };  /* a bit for each that it comes after */
    int count = 0;
    CHECK_OK(sf_graph_get_nodes(graph, NULL, 0, &count));
    CHECK_EQUAL(count, script->count);
    for (uint32_t i = 0; i < script->count; i++) {           /* edges point back in the order of enqueueing */
        sf_dependency d[TRAFFIC_SCRIPT];
        int n = 0;
        CHECK_OK(sf_graph_node_get_dependencies(script->node[i], d, TRAFFIC_SCRIPT, &n));
        CHECK(n <= TRAFFIC_SCRIPT);
        for (int k = 0; k < n; k++) {
            uint32_t j = 0;
            while (j < i && script->node[j] != d[k].node) { j++; }
            CHECK(j < i);
            after[i] |= after[j] | (uint64_t)1 << j;
        }
        for (uint32_t j = 0; j < i; j++) {
            bool is = after[i] >> j & 1, should = script->after[i].at[script->stream[j]] >= script->number[j];
            if (is != should) {
                fail_msg("node %u on stream %u %s after node %u on stream %u", i, script->stream[i],
                         is ? "must not come" : "does not come", j, script->stream[j]);
            }
        }
    }
}
static inline void traffic_launched(traffic *t, uint32_t (*model)[TRAFFIC_WORDS], const traffic_script *script)
{
    for (uint32_t i = 0; i < script->count; i++) { traffic_apply(model, &script->op[i]); }
    t->commands++;
}

/* -- all of it -- */

static inline void traffic_make(traffic *t, sf_device *device, uint64_t seed)        /* counts are set already */
{
    t->device = device;
    t->r = rng_seed(seed);
    t->epoch = 1;
    t->pinned = (uint32_t *)test_memory(device, TRAFFIC_BUFFERS / 2 * TRAFFIC_WORDS * 4);
    CHECK_OK(sf_mem_alloc(device, TRAFFIC_BUFFERS / 2 * TRAFFIC_WORDS * 4, SF_MEMORY_DEVICE, (void **)&t->gpu));
    t->jobs = (traffic_job *)calloc(t->job_room, sizeof *t->jobs);
    memset(t->joined, 1, sizeof t->joined);
    for (uint32_t i = 0; i < t->streams; i++) { t->s[i] = test_stream(device); }
    for (uint32_t i = 0; i < t->events; i++) { t->e[i] = test_event(device); }
    rng_fill(&t->r, t->model, sizeof t->model);
    for (uint32_t i = 0; i < t->buffers; i++) {
        CHECK_OK(sf_memcpy_async(t->s[0], traffic_at(t, i), t->model[i], sizeof t->model[i]));
    }
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
}
/* Waits for everything, then compares. */
static inline void traffic_check(traffic *t)
{
    static uint32_t got[TRAFFIC_BUFFERS][TRAFFIC_WORDS];
    CHECK_OK(sf_device_synchronize(t->device, GUARD));
    for (uint32_t i = 0; i < t->buffers; i++) {
        CHECK_OK(sf_memcpy_async(t->s[0], got[i], traffic_at(t, i), sizeof got[i]));
    }
    CHECK_OK(sf_stream_synchronize(t->s[0], GUARD));
    for (uint32_t i = 0; i < t->buffers; i++) {
        for (uint32_t k = 0; k < TRAFFIC_WORDS; k++) {
            if (got[i][k] != t->model[i][k]) {
                fail_msg("word %u of buffer %u is %u, not %u, after %llu commands", k, i, got[i][k], t->model[i][k],
                         (unsigned long long)t->commands);
            }
        }
    }
    traffic_forget(t);
}
static inline void traffic_end(traffic *t)
{
    for (uint32_t i = 0; i < t->streams; i++) { CHECK_OK(sf_stream_destroy(t->s[i])); }
    for (uint32_t i = 0; i < t->events; i++) { CHECK_OK(sf_event_destroy(t->e[i])); }
    CHECK_OK(sf_mem_free(t->device, t->pinned));
    CHECK_OK(sf_mem_free(t->device, t->gpu));
    free(t->jobs);
}

#endif /* TRAFFIC_H */
