/*  twin.c - random programs of calls of the stream layer, and what each call answers: the same on both backends.

    twin --backend host|cuda [--print] < REQUESTS > ANSWERS          tests/twin.py makes requests and compares answers

    A request is a line "SEED STEPS", or "SEED STEPS N..." for these steps of the program alone; its answer is a line:
    the seed, a word for each step, a bar, what the end of the program returned, and what the program left. --print
    also prints the calls as C, each with its result.

    A program knows a random part of the calls below. A step draws from the seed and its own number alone, so any
    subset of a program's steps is a program, too. Programs of seeds from TWO_DEVICES on have two devices. The word of a
    step has the results of its calls; "-": what it is about does not exist. Results that depend on time (SF_NOT_READY,
    SF_TIMEOUT) count as SF_OK.

    What kernels leave is the same in each order that CUDA permits: they add to shared words (tally), they write to a
    word of their step always the same value, and what depends on order is used where order is sure: a word per stream
    outside captures, a handoff between two streams, the turns of a loop. Left out: rows of "Where the backends differ"
    in examples/streams.md, by name in tests/README.md. */
#include <stdio.h>

#include "../streamflow.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <signal.h>
#define fail_msg(...) (fprintf(stderr, "twin: " __VA_ARGS__), fprintf(stderr, "\n"), exit(2))
#include "test.h"

enum { STREAMS = 4, LEGACY = STREAMS, OWN, FORKS, LEGACY_2 = FORKS + 2, OWN_2, ALL_STREAMS };      /* _2: of device 2 */
enum { EVENTS = 4, GRAPHS = 4, BODIES = 3, EXECS = 3, NODES = 8, BLOCKS = 3, POOLS = 2, STEPS = 128, LOG = 1 << 16 };
enum { POLICIES = 2, FUTURES = 3 };
enum { TWO_DEVICES = 2000000 };              /* programs of seeds from here on have two devices, on CUDA two GPUs */
enum { TALLIES = 16, CHAIN = TALLIES, FIVE = CHAIN + 16, WIDE = FIVE + 2, PAIR = WIDE + 4, LEFT = 64, TURNS = LEFT + STEPS, WORDS = TURNS + STEPS };

typedef struct twin twin;
typedef struct graph_slot { sf_graph *at; uint32_t root; } graph_slot;       /* root: one per graph that is not a body */
typedef struct node_slot { sf_graph_node *at; sf_graph *of; uint32_t root; } node_slot;
struct twin {
    uint64_t seed;
    int step, steps;
    bool print, split, fresh;                /* fresh: the step has said nothing so far */
    sf_device *device, *device_2;            /* the latter NULL: the program has one */
    sf_stream *s[ALL_STREAMS];               /* without OWN and OWN_2, which each thread has */
    sf_event *e[EVENTS];
    bool e_on_2[EVENTS], e_captured[EVENTS]; /* of the second device; may stand for nodes */
    graph_slot g[GRAPHS + BODIES];
    sf_graph_exec *x[EXECS];
    node_slot n[NODES];
    void *m[BLOCKS];                         /* of sf_mem_alloc_async() or a node */
    int from[BLOCKS];                        /* the stream of the former; -1 */
    bool freed[BLOCKS];                      /* by a node that was added by hand */
    void *block;                             /* of sf_mem_alloc() */
    sf_device *block_of;
    sf_mem_pool *p[POOLS];
    sf_policy *policy[POLICIES];
    sf_future *f[FUTURES];
    bool two, bodies;                        /* threads; a program of two either captures into bodies, or uses OWN */
    uint32_t crowd;                          /* 0, or how many streams nearly all calls are about */
    uint32_t *words, *managed, *pinned;      /* the device's; managed memory, which no kernel uses; pinned: constant */
    uint32_t calls, roots;                   /* of host functions and callbacks */
    bool root_on_2[STEPS + GRAPHS];          /* of the second device */
    bool spent[ALL_STREAMS];                 /* a chain of it went on when it was destroyed */
    int node, body, thread;                  /* the slots to fill next; 0 or 1: the thread that makes the step */
    size_t used;
    char log[LOG], why[1024];                /* why: the device's failure that was printed last */
};

/* -- the log -- */

static void say(twin *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->log + t->used, LOG - t->used, format, args);
    va_end(args);
    if (t->used >= LOG) { abort(); }
}
/* Notes a result, and prints the call. */
__attribute__((format(printf, 3, 4))) static sf_result did(twin *t, sf_result r, const char *format, ...)
{
    if (t->print) {
        va_list args;
        va_start(args, format);
        printf(t->thread ? "    /* thread 2 */ " : "    ");
        vprintf(format, args);
        printf(";    /* step %d: %d */\n", t->step, (int)r);
        va_end(args);
        if (t->device && strcmp(t->why, sf_device_failure(t->device)->text)) {
            snprintf(t->why, sizeof t->why, "%s", sf_device_failure(t->device)->text);
            printf("    /*   %s */\n", t->why);
        }
    }
    say(t, "%s%d", t->fresh ? " " : ",", r > SF_OK ? 0 : (int)r);
    t->fresh = false;
    return r;
}
static void also(twin *t, long long value) { say(t, ":%lld", value); }       /* what the call answered beside its code */

/* -- what a step is about -- */

static bool one_in(rng *r, uint32_t n) { return rng_below(r, n) == 0; }
static bool nothing(rng *r, const void *p) { return !p && !one_in(r, 16); }  /* at times a call gets NULL */
#define NEED(p) do { if (nothing(r, p)) { return; } } while (0)

typedef struct a_stream { sf_stream *at; int i; char name[16]; } a_stream;
static a_stream stream_at(twin *t, int i)
{
    a_stream a = { t->s[i], i, "" };
    switch (i) {
    case LEGACY: snprintf(a.name, sizeof a.name, "legacy"); break;
    case LEGACY_2: snprintf(a.name, sizeof a.name, "legacy_2"); break;
    case OWN:
        a.at = sf_stream_per_thread(t->device);
        snprintf(a.name, sizeof a.name, "own");
        break;
    case OWN_2:
        a.at = t->device_2 ? sf_stream_per_thread(t->device_2) : NULL;
        snprintf(a.name, sizeof a.name, "own_2");
        break;
    default: snprintf(a.name, sizeof a.name, i < STREAMS ? "s[%d]" : "fork[%d]", i < STREAMS ? i : i - FORKS);
    }
    return a;
}
static a_stream any_stream(twin *t, rng *r)
{
    uint32_t i = rng_below(r, 20);           /* mostly those that were made */
    a_stream a;
    if (t->device_2 && one_in(r, 8)) { return stream_at(t, one_in(r, 2) ? LEGACY_2 : OWN_2); }
    if (t->crowd && rng_below(r, 8)) { i = (uint32_t)(t->seed / 16 + rng_below(r, t->crowd) * 5) % 20; }
    if (t->two && t->bodies && (i == 16 || i == 17)) { i = 0; }
    a = stream_at(t, i < 14 ? (int)i % STREAMS : i < 16 ? LEGACY : i < 18 ? OWN : FORKS + (int)i % 2);
    if (one_in(r, 80) && t->e[i % EVENTS]) { /* a handle of another kind */
        a.at = (sf_stream *)(void *)t->e[i % EVENTS];
        snprintf(a.name, sizeof a.name, "e[%u]", i % EVENTS);
    }
    return a;
}
typedef struct a_device { sf_device *at; const char *name; } a_device;
static a_device any_device(const twin *t, rng *r)            /* mostly the first one, which has the words */
{
    return t->device_2 && one_in(r, 3) ? (a_device){ t->device_2, "d_2" } : (a_device){ t->device, "d" };
}
static bool captures(sf_stream *s)           /* or cannot say: so it does for what must be sure */
{
    sf_capture_status status = SF_CAPTURE_ACTIVE;
    return sf_stream_is_capturing(s, &status) != SF_OK || status != SF_CAPTURE_NONE;
}
static bool is_on_2(const twin *t, sf_stream *s)
{
    sf_device *device = NULL;
    return t->device_2 && (s == t->s[LEGACY_2] || (sf_stream_get_device(s, &device) == SF_OK && device == t->device_2));
}
/* Rows "a stream joins another device's capture" and "memory of another device" of "Where the backends differ". */
static bool crosses(const twin *t, sf_stream *a, sf_stream *b)
{
    return is_on_2(t, a) != is_on_2(t, b) && (captures(a) || captures(b));
}
static bool crosses_event(const twin *t, sf_stream *s, uint32_t i)
{
    return is_on_2(t, s) != t->e_on_2[i] && (captures(s) || t->e_captured[i]);
}
typedef struct a_graph { sf_graph *at; uint32_t root; int i; char name[16]; } a_graph;
static a_graph graph_at(twin *t, int i)
{
    a_graph a = { t->g[i].at, t->g[i].root, i, "" };
    snprintf(a.name, sizeof a.name, i < GRAPHS ? "g[%d]" : "body[%d]", i < GRAPHS ? i : i - GRAPHS);
    return a;
}
static a_graph any_graph(twin *t, rng *r)
{
    uint32_t i = rng_below(r, 4 * GRAPHS + BODIES);
    a_graph g = graph_at(t, i < 4 * GRAPHS ? (int)i % GRAPHS : GRAPHS + (int)i - 4 * GRAPHS);
    if (one_in(r, 80) && t->s[i % STREAMS]) {     /* a handle of another kind */
        g.at = (sf_graph *)(void *)t->s[i % STREAMS];
        snprintf(g.name, sizeof g.name, "s[%u]", i % STREAMS);
    }
    return g;
}
static void keep_node(twin *t, sf_graph_node *node, const a_graph *g)
{
    if (node) { t->n[t->node++ % NODES] = (node_slot){ node, g->at, g->root }; }
}
static void keep_body(twin *t, sf_graph *body, uint32_t root)
{
    if (body) { t->g[GRAPHS + t->body++ % BODIES] = (graph_slot){ body, root }; }
}
static void forget_graph(twin *t, uint32_t root)             /* it is gone, with its nodes and bodies */
{
    for (int i = 0; i < GRAPHS + BODIES; i++) {
        if (t->g[i].root == root) { t->g[i] = (graph_slot){ NULL, 0 }; }
    }
    for (int i = 0; i < NODES; i++) {
        if (t->n[i].root == root) { t->n[i] = (node_slot){ NULL, NULL, 0 }; }
    }
}
/* Up to two nodes, nearly always of this graph; their slots in `name`. */
typedef struct a_list { sf_dependency after[3]; int count; char name[64]; } a_list;
static a_list any_nodes(twin *t, rng *r, const sf_graph *of)
{
    a_list l = { .count = 0, .name = "" };
    for (uint32_t k = rng_below(r, 3); k > 0; k--) {
        uint32_t i = rng_below(r, NODES);
        sf_dependency_type type = one_in(r, 24) ? SF_DEPENDENCY_PROGRAMMATIC : SF_DEPENDENCY_FULL;
        bool wrong = one_in(r, 24);
        if (!t->n[i].at || (t->n[i].of != of && !wrong)) { continue; }
        l.after[l.count++] = (sf_dependency){ t->n[i].at, type };
        snprintf(l.name + strlen(l.name), sizeof l.name - strlen(l.name), "%s%sn[%u]", l.name[0] ? ", " : "",
                 type ? "programmatic " : "", i);
    }
    return l;
}
static uint32_t *tally_word(twin *t, rng *r) { return t->words + rng_below(r, TALLIES); }
static uint32_t *own_word(twin *t) { return t->words + LEFT + t->step; }
static int word_index(const twin *t, const uint32_t *word) { return (int)(word - t->words); }

static void count(void *user) { test_add((uint32_t *)user, 1); }
static void count_callback(sf_stream *stream, sf_result status, void *user)
{
    (void)stream, (void)status;
    test_add((uint32_t *)user, 1);
}

/* -- streams -- */

static void stream_create(twin *t, rng *r)
{
    int i = (int)rng_below(r, STREAMS);
    static const int32_t priorities[] = { 0, 0, -1, -5, 3 };
    sf_stream_desc d = { .flags = one_in(r, 24) ? 2 : rng_below(r, 2), .priority = priorities[rng_below(r, 5)] };
    int part = (int)rng_below(r, 4) - 1;
    a_device device = any_device(t, r);
    if (t->s[i]) { return; }
    if (t->split && part >= 0) { (void)sf_device_get_partition(t->device, part, &d.partition); }
    did(t, sf_stream_create(device.at, &d, &t->s[i]), "sf_stream_create(%s, { .flags = %u, .priority = %d, .partition ="
        " %d }, &s[%d])", device.name, d.flags, d.priority, d.partition ? part : -1, i);
}
static void stream_destroy(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    sf_result result;
    bool again = one_in(r, 8);
    NEED(s.at);
    result = did(t, sf_stream_destroy(s.at), "sf_stream_destroy(%s)", s.name);
    if (result == SF_OK && s.i < STREAMS) {
        t->s[s.i] = NULL;
        t->spent[s.i] = true;
        if (again) { did(t, sf_stream_query(s.at), "sf_stream_query(%s)", s.name); }
    }
}
static void stream_query(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    NEED(s.at);
    did(t, sf_stream_query(s.at), "sf_stream_query(%s)", s.name);
}
static void stream_synchronize(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    int64_t timeout = one_in(r, 4) ? 0 : SF_MS(5000);
    NEED(s.at);
    did(t, sf_stream_synchronize(s.at, timeout), "sf_stream_synchronize(%s, %d)", s.name, timeout != 0);
}
static void stream_wait_event(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t i = rng_below(r, EVENTS), flags = one_in(r, 6) ? 1 : one_in(r, 40) ? 2 : 0;
    NEED(s.at);
    NEED(t->e[i]);
    if (crosses_event(t, s.at, i)) { return; }
    did(t, sf_stream_wait_event(s.at, t->e[i], flags), "sf_stream_wait_event(%s, e[%u], %u)", s.name, i, flags);
}
static void launch_host_func(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    NEED(s.at);
    did(t, sf_launch_host_func(s.at, one_in(r, 32) ? NULL : count, &t->calls), "sf_launch_host_func(%s, count)",
        s.name);
}
static void add_callback(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t flags = one_in(r, 24);
    NEED(s.at);
    did(t, sf_stream_add_callback(s.at, count_callback, &t->calls, flags), "sf_stream_add_callback(%s, count, %u)",
        s.name, flags);
}
static void attach_mem(twin *t, rng *r)
{
    static const uint32_t all[] = { 1, 2, 4, 4, 1, 2, 0, 3, 8 };
    a_stream s = any_stream(t, r);
    uint32_t flags = all[rng_below(r, COUNT(all))], what = rng_below(r, 12);
    void *ptr = what == 0 ? (void *)t->words : what == 1 ? (void *)(t->managed + 1) : (void *)t->managed;
    size_t bytes = what == 2 ? 64 : what < 7 ? 0 : 4096;
    NEED(s.at);
    if (is_on_2(t, s.at)) { return; }
    did(t, sf_stream_attach_mem_async(s.at, ptr, bytes, flags), "sf_stream_attach_mem_async(%s, %s, %zu, %u)", s.name,
        what == 0 ? "words" : what == 1 ? "managed + 1" : "managed", bytes, flags);
}
static void stream_look(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    int32_t priority = 99;
    uint32_t flags = 99, what = rng_below(r, 7);
    uint64_t id;
    sf_device *device = NULL;
    sf_partition *partition = NULL;
    sf_stream_resource resource = { 0 };
    NEED(s.at);
    switch (what) {
    case 0:
        did(t, sf_stream_get_priority(s.at, &priority), "sf_stream_get_priority(%s)", s.name);
        also(t, priority);
        break;
    case 1:
        did(t, sf_stream_get_flags(s.at, &flags), "sf_stream_get_flags(%s)", s.name);
        also(t, flags);
        break;
    case 2: did(t, sf_stream_get_id(s.at, &id), "sf_stream_get_id(%s)", s.name); break;
    case 3:
        did(t, sf_stream_get_device(s.at, &device), "sf_stream_get_device(%s)", s.name);
        also(t, device == t->device ? 1 : device && device == t->device_2 ? 2 : 0);
        break;
    case 4: did(t, sf_stream_take_failure(s.at), "sf_stream_take_failure(%s)", s.name); break;
    case 5:
        did(t, sf_stream_get_partition(s.at, &partition), "sf_stream_get_partition(%s)", s.name);
        also(t, partition != NULL);
        break;
    default:
        did(t, sf_stream_get_dev_resource(s.at, &resource), "sf_stream_get_dev_resource(%s)", s.name);
        also(t, resource.multiprocessors > 0);
    }
}
static const sf_stream_attribute attributes[] = {
    SF_STREAM_ACCESS_POLICY_WINDOW, SF_STREAM_SYNCHRONIZATION_POLICY, SF_STREAM_PRIORITY, SF_STREAM_MEM_SYNC_DOMAIN_MAP,
    SF_STREAM_MEM_SYNC_DOMAIN, (sf_stream_attribute)2
};
static void set_attribute(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t i = rng_below(r, 5 + one_in(r, 12)), n = rng_below(r, 3);
    sf_stream_value v;
    memset(&v, 0, sizeof v);
    switch (i) {
    case 0:
        v.window.base = t->words;
        v.window.bytes = n ? 64 * n : 0;
        v.window.hit_ratio = one_in(r, 12) ? 2.0f : 0.5f;
        v.window.hit = SF_ACCESS_PERSISTING;
        v.window.miss = one_in(r, 12) ? SF_ACCESS_PERSISTING : SF_ACCESS_STREAMING;
        break;
    case 1: v.wait = (sf_wait_policy)rng_below(r, 4 + one_in(r, 12)); break;
    case 2: v.priority = -(int32_t)n; break;
    case 3: v.map[1] = (uint8_t)(one_in(r, 12) ? 200 : 1); break;
    default: v.domain = (int32_t)rng_below(r, 2 + one_in(r, 12));
    }
    NEED(s.at);
    did(t, sf_stream_set_attribute(s.at, attributes[i], &v), "sf_stream_set_attribute(%s, %d, ...)", s.name,
        (int)attributes[i]);
}
static void get_attribute(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t i = rng_below(r, 5 + one_in(r, 12));
    sf_stream_value v;
    memset(&v, 0, sizeof v);
    NEED(s.at);
    did(t, sf_stream_get_attribute(s.at, attributes[i], &v), "sf_stream_get_attribute(%s, %d)", s.name,
        (int)attributes[i]);
    also(t, i == 0 ? (long long)v.window.bytes : i == 1 ? (int)v.wait : i == 2 ? v.priority : i == 3 ? v.map[1] : v.domain);
}
static void copy_attributes(twin *t, rng *r)
{
    a_stream a = any_stream(t, r), b = any_stream(t, r);
    NEED(a.at);
    NEED(b.at);
    did(t, sf_stream_copy_attributes(a.at, b.at), "sf_stream_copy_attributes(%s, %s)", a.name, b.name);
}
static void write_value(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t flags = one_in(r, 24), what = rng_below(r, 12);
    int bytes = what == 0 ? 3 : what < 3 ? 8 : 4;            /* the words of 8 bytes: one for all, with one value */
    void *to = bytes == 8 ? t->words + WIDE : what == 3 ? t->managed : what == 4 ? NULL : own_word(t);
    uint64_t value = bytes == 8 ? 7 : (uint64_t)t->step + 1;
    if (what == 5) { to = (char *)own_word(t) + 2; }
    NEED(s.at);
    if (what == 3 && is_on_2(t, s.at)) { return; }
    did(t, sf_stream_write_value(s.at, to, bytes, value, flags), "sf_stream_write_value(%s, %s + %d, %d, %d, %u)",
        s.name, what == 3 ? "managed" : "words", what == 3 ? 0 : word_index(t, to), bytes, (int)value, flags);
}
static void wait_value(twin *t, rng *r)      /* for what is there already */
{
    a_stream s = any_stream(t, r);
    static const struct { uint64_t value; uint32_t flags; } all[] = {
        { 5, SF_WAIT_VALUE_EQ }, { 0, SF_WAIT_VALUE_GEQ }, { 4, SF_WAIT_VALUE_AND }, { 8, SF_WAIT_VALUE_NOR },
        { 5, 4 }
    };
    uint32_t i = rng_below(r, 4 + one_in(r, 8));
    NEED(s.at);
    did(t, sf_stream_wait_value(s.at, t->words + FIVE, 4, all[i].value, all[i].flags),
        "sf_stream_wait_value(%s, words + %d, 4, %d, %u)", s.name, FIVE, (int)all[i].value, all[i].flags);
}
static void stream_batch(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    sf_stream_op ops[4];
    int n = (int)rng_below(r, 5);
    for (int i = 0; i < n; i++) {
        switch (rng_below(r, 5)) {
        case 0: ops[i] = (sf_stream_op){ SF_STREAM_OP_WAIT32, SF_WAIT_VALUE_GEQ, t->words + FIVE, 5 }; break;
        case 1: ops[i] = (sf_stream_op){ SF_STREAM_OP_BARRIER, rng_below(r, 2 + one_in(r, 8)), NULL, 0 }; break;
        case 2: ops[i] = (sf_stream_op){ (sf_stream_op_type)(one_in(r, 12) ? 9 : 5), 0, own_word(t), 1 }; break;
        default: ops[i] = (sf_stream_op){ SF_STREAM_OP_WRITE32, 0, own_word(t), (uint64_t)t->step + 1 };
        }
        if (ops[i].type == SF_STREAM_OP_WRITE64) { ops[i].ptr = t->words + WIDE, ops[i].value = 7; }
    }
    NEED(s.at);
    did(t, sf_stream_batch(s.at, ops, n, 0), "sf_stream_batch(%s, ops, %d, 0)", s.name, n);
}
static void stream_fork(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    int i = (int)rng_below(r, 2);
    if (t->s[FORKS + i]) { return; }
    NEED(s.at);
    did(t, sf_stream_fork(s.at, &t->s[FORKS + i]), "sf_stream_fork(%s, &fork[%d])", s.name, i);
}
static void wait_stream(twin *t, rng *r)
{
    a_stream s = any_stream(t, r), other = any_stream(t, r);
    NEED(s.at);
    NEED(other.at);
    if (crosses(t, s.at, other.at)) { return; }
    did(t, sf_stream_wait_stream(s.at, other.at), "sf_stream_wait_stream(%s, %s)", s.name, other.name);
}
static void stream_pool(twin *t, rng *r)
{
    sf_stream_pool_desc d = { .blocking = one_in(r, 2), .reserved = (int32_t)rng_below(r, 3), .max = one_in(r, 12) ? -1 : 2 };
    a_device device = any_device(t, r);
    sf_stream_pool *pool = NULL;
    if (did(t, sf_stream_pool_create(device.at, &d, &pool),
            "sf_stream_pool_create(%s, { %d, .reserved = %d, .max = %d }, &pool)", device.name, d.blocking, (int)d.reserved, (int)d.max) == SF_OK) {
        did(t, sf_stream_pool_destroy(pool), "sf_stream_pool_destroy(pool)");
    }
}
static void stream_join(twin *t, rng *r)
{
    a_stream s = any_stream(t, r), child = stream_at(t, FORKS + (int)rng_below(r, 2));
    bool again = one_in(r, 16);
    sf_result result;
    if (one_in(r, 8)) { child = any_stream(t, r); }
    NEED(s.at);
    NEED(child.at);
    if (crosses(t, s.at, child.at)) { return; }
    result = did(t, sf_stream_join(s.at, child.at), "sf_stream_join(%s, %s)", s.name, child.name);
    if (child.i >= FORKS && s.i != child.i && result != SF_ERROR_ILLEGAL_STATE && result != SF_ERROR_INVALID_HANDLE) {
        t->s[child.i] = NULL;
        if (again) { did(t, sf_stream_query(child.at), "sf_stream_query(%s)", child.name); }
    }
}

/* -- events -- */

static void event_create(twin *t, rng *r)
{
    uint32_t i = rng_below(r, EVENTS), flags = rng_below(r, 4 + one_in(r, 12));
    a_device device = any_device(t, r);
    if (t->e[i]) { return; }
    t->e_on_2[i] = device.at == t->device_2;
    t->e_captured[i] = false;
    did(t, sf_event_create(device.at, flags, &t->e[i]), "sf_event_create(%s, %u, &e[%u])", device.name, flags, i);
}
static void event_destroy(twin *t, rng *r)
{
    uint32_t i = rng_below(r, EVENTS);
    sf_event *e = t->e[i];
    bool again = one_in(r, 8);
    NEED(e);
    if (did(t, sf_event_destroy(e), "sf_event_destroy(e[%u])", i) == SF_OK) {
        t->e[i] = NULL;
        if (again) { did(t, sf_event_query(e), "sf_event_query(e[%u])", i); }
    }
}
static void event_record(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t i = rng_below(r, EVENTS), flags = one_in(r, 6) ? 1 : one_in(r, 40) ? 2 : 0;
    NEED(s.at);
    NEED(t->e[i]);
    const bool captured = t->device_2 && captures(s.at);
    if (did(t, sf_event_record(t->e[i], s.at, flags), "sf_event_record(e[%u], %s, %u)", i, s.name, flags) == SF_OK) {
        t->e_captured[i] = captured;
    }
}
static void event_query(twin *t, rng *r)
{
    uint32_t i = rng_below(r, EVENTS);
    NEED(t->e[i]);
    did(t, sf_event_query(t->e[i]), "sf_event_query(e[%u])", i);
}
static void event_synchronize(twin *t, rng *r)
{
    uint32_t i = rng_below(r, EVENTS);
    int64_t timeout = one_in(r, 4) ? 0 : SF_MS(5000);
    NEED(t->e[i]);
    did(t, sf_event_synchronize(t->e[i], timeout), "sf_event_synchronize(e[%u], %d)", i, timeout != 0);
}
static void event_elapsed(twin *t, rng *r)
{
    uint32_t i = rng_below(r, EVENTS), k = rng_below(r, EVENTS);
    float ms;
    NEED(t->e[i]);
    NEED(t->e[k]);
    did(t, sf_event_elapsed_ms(t->e[i], t->e[k], &ms), "sf_event_elapsed_ms(e[%u], e[%u], &ms)", i, k);
}

/* -- memory -- */

static void mem_alloc(twin *t, rng *r)
{
    static const sf_memory kinds[] = { SF_MEMORY_DEVICE, SF_MEMORY_PINNED, SF_MEMORY_HOST, SF_MEMORY_MANAGED };
    uint32_t k = rng_below(r, 4);
    bool none = one_in(r, 12);
    a_device device = any_device(t, r);
    if (t->block) { return; }
    t->block_of = device.at;
    did(t, sf_mem_alloc(device.at, none ? 0 : 4096, kinds[k], &t->block), "sf_mem_alloc(%s, %d, %d, &block)",
        device.name, none ? 0 : 4096, (int)kinds[k]);
}
static void mem_free(twin *t, rng *r)
{
    uint32_t wrong = rng_below(r, 16);
    void *p = wrong == 0 ? (void *)(t->words + 1) : t->block;
    a_device device = any_device(t, r);
    NEED(p);
    if (did(t, sf_mem_free(device.at, p), "sf_mem_free(%s, %s)", device.name, wrong == 0 ? "words + 1" : "block") == SF_OK) {
        t->block = NULL;
    }
}
static void mem_get_kind(twin *t, rng *r)
{
    void *all[] = { t->words, t->managed, t->block, t };
    uint32_t i = rng_below(r, 4);
    sf_memory kind = (sf_memory)99;
    a_device device = any_device(t, r);
    NEED(all[i]);
    if (all[i] && device.at != (all[i] == t->block ? t->block_of : t->device)) { return; }
    did(t, sf_mem_get_kind(device.at, all[i], &kind), "sf_mem_get_kind(%s, p%u, &kind)", device.name, i);
    also(t, (int)kind);
}
static void mem_device_pointer(twin *t, rng *r)
{
    void *all[] = { t->words, t->managed, t->block, t->pinned, t->pinned + 1 }, *ptr = NULL;
    uint32_t i = rng_below(r, 5);
    a_device device = any_device(t, r);
    NEED(all[i]);
    if (all[i] && device.at != (all[i] == t->block ? t->block_of : t->device)) { return; }
    did(t, sf_mem_get_device_pointer(device.at, all[i], &ptr), "sf_mem_get_device_pointer(%s, p%u, &ptr)", device.name, i);
    also(t, ptr == all[i]);
}
/* A slot whose memory is gone, with its graph, is as an empty one: its address may be given out again. */
static bool has_memory(twin *t, uint32_t i)
{
    sf_memory kind = SF_MEMORY_HOST;
    if (!t->m[i] || sf_mem_get_kind(t->device, t->m[i], &kind) != SF_OK) { return false; }
    if (t->device_2 && kind == SF_MEMORY_HOST) { (void)sf_mem_get_kind(t->device_2, t->m[i], &kind); }
    return kind != SF_MEMORY_HOST;
}
static void got_memory(twin *t, const void *p, int slot, int from)   /* slot -1: of none */
{
    for (int i = 0; i < BLOCKS; i++) {
        if (i != slot && t->m[i] == p) { t->m[i] = NULL; }
    }
    if (slot >= 0) { t->from[slot] = from, t->freed[slot] = false; }
}
static void mem_alloc_async(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t i = rng_below(r, BLOCKS), p = rng_below(r, 2 * POOLS);
    size_t bytes = one_in(r, 16) ? 0 : 4096;
    NEED(s.at);
    if (has_memory(t, i)) { return; }
    t->m[i] = NULL;
    did(t, sf_mem_alloc_async(s.at, p < POOLS ? t->p[p] : NULL, bytes, &t->m[i]),
        "sf_mem_alloc_async(%s, %s, %zu, &m[%u])", s.name, p < POOLS && t->p[p] ? p ? "p[1]" : "p[0]" : "NULL", bytes,
        i);
    also(t, t->m[i] != NULL);
    got_memory(t, t->m[i], (int)i, s.i);
}
static void mem_free_async(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t i = rng_below(r, BLOCKS);
    NEED(s.at);
    if (!has_memory(t, i)) {
        if (nothing(r, NULL)) { return; }
        did(t, sf_mem_free_async(s.at, NULL), "sf_mem_free_async(%s, NULL)", s.name);
        return;
    }
    if (t->freed[i] && captures(s.at)) { return; }
    if (t->from[i] >= 0 && t->from[i] != s.i) {              /* behind the allocation */
        a_stream from = stream_at(t, t->from[i]);
        if (from.at && !captures(from.at) && !captures(s.at)) {
            did(t, sf_stream_wait_stream(s.at, from.at), "sf_stream_wait_stream(%s, %s)", s.name, from.name);
        }
    }
    if (did(t, sf_mem_free_async(s.at, t->m[i]), "sf_mem_free_async(%s, m[%u])", s.name, i) == SF_OK) {
        t->m[i] = NULL;
    }
}
static void mem_round(twin *t, rng *r)       /* allocated, used and freed on one stream */
{
    a_stream s = any_stream(t, r);
    void *p = NULL;
    NEED(s.at);
    if (is_on_2(t, s.at) && captures(s.at)) { return; }
    if (did(t, sf_mem_alloc_async(s.at, NULL, 4096, &p), "sf_mem_alloc_async(%s, NULL, 4096, &p)", s.name) < 0) {
        return;
    }
    got_memory(t, p, -1, -1);
    did(t, sf_memset_async(s.at, p, (uint8_t)t->step, 4096), "sf_memset_async(%s, p, %d, 4096)", s.name, t->step);
    did(t, sf_memcpy_async(s.at, own_word(t), p, 4), "sf_memcpy_async(%s, words + %d, p, 4)", s.name,
        word_index(t, own_word(t)));
    did(t, sf_mem_free_async(s.at, p), "sf_mem_free_async(%s, p)", s.name);
}
static void mem_prefetch(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t what = rng_below(r, 8);
    void *p = what == 0 ? (void *)t->words : (void *)t->managed;
    size_t bytes = what == 1 ? 0 : 64;
    bool host = rng_below(r, 2);
    NEED(s.at);
    if (is_on_2(t, s.at)) { return; }
    did(t, sf_mem_prefetch_async(s.at, p, bytes, host), "sf_mem_prefetch_async(%s, %s, %zu, %d)", s.name,
        what == 0 ? "words" : "managed", bytes, host);
}
static void memory_set(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    size_t bytes = one_in(r, 12) ? 0 : 4;
    NEED(s.at);
    if (is_on_2(t, s.at) && captures(s.at)) { return; }      /* into a body, perhaps */
    did(t, sf_memset_async(s.at, own_word(t), (uint8_t)(t->step + 1), bytes), "sf_memset_async(%s, words + %d, %d, %zu)",
        s.name, word_index(t, own_word(t)), t->step + 1, bytes);
}
static void memory_copy(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t how = rng_below(r, 5);
    uint32_t *to = own_word(t), *five = t->words + FIVE;
    int at = word_index(t, to);
    size_t bytes = one_in(r, 12) ? 0 : 4;
    NEED(s.at);
    if (is_on_2(t, s.at) && captures(s.at)) { return; }
    if (how == 4) {                          /* from pinned memory; of NULL */
        bool none = one_in(r, 4);
        did(t, sf_memcpy_async(s.at, to, none ? NULL : t->pinned, bytes),
            "sf_memcpy_async(%s, words + %d, %s, %zu)", s.name, at, none ? "NULL" : "pinned", bytes);
    } else if (how < 2) {
        did(t, sf_memcpy_async(s.at, to, five, bytes), "sf_memcpy_async(%s, words + %d, words + %d, %zu)", s.name, at,
            FIVE, bytes);
    } else if (how == 2) {
        size_t pitch = one_in(r, 8) ? 2 : 64, rows = rng_below(r, 3);
        did(t, sf_memcpy_2d_async(s.at, t->words + PAIR, pitch, five, 64, 4, rows),
            "sf_memcpy_2d_async(%s, words + %d, %zu, words + %d, 64, 4, %zu)", s.name, PAIR, pitch, FIVE, rows);
    } else {
        a_device of = any_device(t, r);      /* d_2: not the owner of the words */
        did(t, sf_memcpy_peer_async(s.at, to, t->device, five, of.at, bytes),
            "sf_memcpy_peer_async(%s, words + %d, d, words + %d, %s, %zu)", s.name, at, FIVE, of.name, bytes);
    }
}
static void pool_create(twin *t, rng *r)
{
    int i = (int)rng_below(r, POOLS);
    sf_mem_pool_desc d = { .kind = SF_MEM_POOL_ASYNC };
    if (one_in(r, 3)) { d = (sf_mem_pool_desc){ .block_bytes = 4096, .blocks = 1 + rng_below(r, 2) }; }
    if (one_in(r, 24)) { d.memory = SF_MEMORY_PINNED; }
    a_device device = any_device(t, r);
    if (t->p[i]) { return; }
    did(t, sf_mem_pool_create(device.at, &d, &t->p[i]), "sf_mem_pool_create(%s, { .kind = %d, .memory = %d }, &p[%d])",
        device.name, (int)d.kind, (int)d.memory, i);
}
static void pool_destroy(twin *t, rng *r)
{
    int i = (int)rng_below(r, POOLS);
    NEED(t->p[i]);
    if (did(t, sf_mem_pool_destroy(t->p[i]), "sf_mem_pool_destroy(p[%d])", i) == SF_OK) { t->p[i] = NULL; }
}
static void pool_look(twin *t, rng *r)
{
    int i = (int)rng_below(r, POOLS);
    sf_mem_pool_info info;
    bool trim = rng_below(r, 2);
    NEED(t->p[i]);
    if (trim) {
        did(t, sf_mem_pool_trim(t->p[i], 0), "sf_mem_pool_trim(p[%d], 0)", i);
    } else {
        did(t, sf_mem_pool_get_info(t->p[i], &info), "sf_mem_pool_get_info(p[%d], &info)", i);
    }
}

/* -- kernels -- */

static void launch(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    tally_args a = { tally_word(t, r), 1 + (uint32_t)t->step };
    size_t bytes = one_in(r, 32) ? SF_MAX_ARGS + 1 : sizeof a;
    NEED(s.at);
    did(t, sf_launch(s.at, &tally_kernel, &a, bytes), "sf_launch(%s, &tally, { words + %d, %u }, %zu)", s.name,
        word_index(t, a.word), a.n, bytes);
}
static uint32_t *chain_word(twin *t, int i)  /* the second thread has default streams of its own */
{
    return t->words + CHAIN + (t->thread && i == OWN ? ALL_STREAMS : t->thread && i == OWN_2 ? ALL_STREAMS + 1 : i);
}
static void chain(twin *t, rng *r)           /* depends on the order of the stream's own work */
{
    a_stream s = any_stream(t, r);
    uint32_t add = 1 + rng_below(r, 9);
    NEED(s.at);
    if (captures(s.at) || t->spent[s.i]) { return; }
    did(t, test_mix(s.at, chain_word(t, s.i), NULL, 1, 3, add, 0), "mix(%s, words + %d, NULL, 3, %u)", s.name,
        word_index(t, chain_word(t, s.i)), add);
}
static void handoff(twin *t, rng *r)         /* b's next work reads what a's work so far has written */
{
    a_stream a = any_stream(t, r), b = any_stream(t, r);
    uint32_t i = rng_below(r, EVENTS), back = i;
    NEED(a.at);
    NEED(b.at);
    if (t->device_2) {                       /* an event is recorded on its device */
        while (i > 0 && t->e_on_2[i] != is_on_2(t, a.at)) { i--; }
        while (back > 0 && t->e_on_2[back] != is_on_2(t, b.at)) { back--; }
        if (!t->e[back] || t->e_on_2[back] != is_on_2(t, b.at)) { return; }
    }
    NEED(t->e[i]);
    if (a.i == b.i || captures(a.at) || captures(b.at) || t->spent[a.i] || t->spent[b.i]) { return; }
    if (did(t, sf_event_record(t->e[i], a.at, 0), "sf_event_record(e[%u], %s, 0)", i, a.name) != SF_OK ||
        did(t, sf_stream_wait_event(b.at, t->e[i], 0), "sf_stream_wait_event(%s, e[%u], 0)", b.name, i) != SF_OK) {
        return;
    }
    did(t, test_mix(b.at, chain_word(t, b.i), chain_word(t, a.i), 1, 3, 1, 0), "mix(%s, words + %d, words + %d, 3, 1)",
        b.name, word_index(t, chain_word(t, b.i)), word_index(t, chain_word(t, a.i)));
    t->e_captured[i] = t->e_captured[back] = false;
    did(t, sf_event_record(t->e[back], b.at, 0), "sf_event_record(e[%u], %s, 0)", back, b.name);
    did(t, sf_stream_wait_event(a.at, t->e[back], 0), "sf_stream_wait_event(%s, e[%u], 0)", a.name, back);
}
static void kernel_preload(twin *t, rng *r)
{
    tally_args a = { t->words, 0 };
    a_device device = any_device(t, r);
    did(t, sf_kernel_preload(device.at, &tally_kernel, &a, sizeof a), "sf_kernel_preload(%s, &tally)", device.name);
}

/* -- captures -- */

static const char *const mode_names[] = { "GLOBAL", "THREAD_LOCAL", "RELAXED" };
static void begin_capture(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    uint32_t mode = t->device_2 ? SF_CAPTURE_RELAXED : rng_below(r, 3);
    NEED(s.at);
    did(t, sf_stream_begin_capture(s.at, (sf_capture_mode)mode), "sf_stream_begin_capture(%s, SF_CAPTURE_%s)", s.name,
        mode_names[mode]);
}
static void begin_capture_to_graph(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    a_graph g = any_graph(t, r);
    a_list l = any_nodes(t, r, g.at);
    uint32_t mode = t->device_2 ? SF_CAPTURE_RELAXED : rng_below(r, 3);
    NEED(s.at);
    NEED(g.at);
    if (t->two && !t->bodies && g.i >= GRAPHS) { return; }
    did(t, sf_stream_begin_capture_to_graph(s.at, g.at, l.after, l.count, (sf_capture_mode)mode),
        "sf_stream_begin_capture_to_graph(%s, %s, { %s }, %d, SF_CAPTURE_%s)", s.name, g.name, l.name, l.count,
        mode_names[mode]);
}
static void note_graph(twin *t, const sf_graph *g)
{
    sf_graph_node *nodes[256];
    int n = -1;
    sf_result r = sf_graph_get_nodes(g, nodes, 256, &n);
    say(t, ":%d:%d", (int)r, n);
    for (int i = 0; r == SF_OK && i < n && i < 256; i++) {
        sf_node_type type = (sf_node_type)99;
        int after = -1;
        if (sf_graph_node_get_type(nodes[i], &type) != SF_OK ||
            sf_graph_node_get_dependencies(nodes[i], NULL, 0, &after) != SF_OK) {
            say(t, "!");
        }
        say(t, "%c%d", 'a' + (int)type, after);
    }
}
static void end_capture_of(twin *t, a_stream s, bool keep)
{
    sf_graph *graph = NULL, **to = keep ? &graph : NULL;
    bool ours = false;
    int i = 0;
    sf_result result = did(t, sf_stream_end_capture(s.at, to), "sf_stream_end_capture(%s, %s)", s.name,
                           keep ? "&g" : "NULL");
    if (result != SF_OK || !graph) { return; }
    for (int k = 0; k < GRAPHS + BODIES; k++) { ours = ours || t->g[k].at == graph; }
    note_graph(t, graph);
    if (ours) { return; }
    while (i < GRAPHS && t->g[i].at) { i++; }
    if (i < GRAPHS) {
        t->g[i] = (graph_slot){ graph, ++t->roots };
        t->root_on_2[t->roots] = is_on_2(t, s.at);
        if (t->print) { printf("    g[%d] = g;\n", i); }
    } else {
        did(t, sf_graph_destroy(graph), "sf_graph_destroy(g)");
    }
}
static void end_capture(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    bool keep = !one_in(r, 12);
    NEED(s.at);
    end_capture_of(t, s, keep);
}
static void is_capturing(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    sf_capture_status status = (sf_capture_status)9;
    NEED(s.at);
    if (did(t, sf_stream_is_capturing(s.at, &status), "sf_stream_is_capturing(%s)", s.name) == SF_OK) {
        also(t, (int)status);
    }
}
static void capture_info(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    sf_capture_info info = { .status = SF_CAPTURE_NONE };
    NEED(s.at);
    if (did(t, sf_stream_get_capture_info(s.at, &info, NULL, 0), "sf_stream_get_capture_info(%s)", s.name) == SF_OK) {
        also(t, (int)info.status);
        if (info.status == SF_CAPTURE_ACTIVE) {
            also(t, info.dependencies);
            note_graph(t, info.graph);
        }
    }
}
static void update_dependencies(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    sf_capture_info info = { .status = SF_CAPTURE_NONE };
    uint32_t flags = rng_below(r, 2 + one_in(r, 12));
    sf_graph_node *nodes[2];
    sf_dependency after[2];
    int n = 0;
    NEED(s.at);
    uint32_t k = rng_below(r, NODES);
    if (one_in(r, 4) && t->n[k].at) {
        after[n++] = (sf_dependency){ t->n[k].at, SF_DEPENDENCY_FULL };
    } else if (sf_stream_get_capture_info(s.at, &info, NULL, 0) == SF_OK && info.status == SF_CAPTURE_ACTIVE &&
               sf_graph_get_nodes(info.graph, nodes, 2, &n) == SF_OK) {
        n = n > 2 ? 2 : n;
        if (n > 0 && one_in(r, 2)) { n--; }
        for (int i = 0; i < n; i++) { after[i] = (sf_dependency){ nodes[i], SF_DEPENDENCY_FULL }; }
    }
    did(t, sf_stream_update_capture_dependencies(s.at, after, n, flags),
        "sf_stream_update_capture_dependencies(%s, the first nodes, %d, %u)", s.name, n, flags);
}
static void exchange_mode(twin *t, rng *r)
{
    sf_capture_mode mode = (sf_capture_mode)rng_below(r, 3 + one_in(r, 16)), given = mode;
    did(t, sf_thread_exchange_stream_capture_mode(&mode), "mode = %d, sf_thread_exchange_stream_capture_mode(&mode)",
        (int)given);
    also(t, (int)mode);
}

/* -- graphs -- */

static void graph_create(twin *t, rng *r)
{
    int i = (int)rng_below(r, GRAPHS);
    a_device device = any_device(t, r);
    if (t->g[i].at) { return; }
    if (did(t, sf_graph_create(device.at, &t->g[i].at), "sf_graph_create(%s, &g[%d])", device.name, i) == SF_OK) {
        t->g[i].root = ++t->roots;
        t->root_on_2[t->roots] = device.at == t->device_2;
    }
}
static void graph_destroy(twin *t, rng *r)
{
    a_graph g = any_graph(t, r);
    int count;
    bool again = one_in(r, 8);
    NEED(g.at);
    if (did(t, sf_graph_destroy(g.at), "sf_graph_destroy(%s)", g.name) == SF_OK) {
        forget_graph(t, g.root);
        if (again) { did(t, sf_graph_get_nodes(g.at, NULL, 0, &count), "sf_graph_get_nodes(%s)", g.name); }
    }
}
static void graph_clone(twin *t, rng *r)
{
    a_graph g = any_graph(t, r);
    int i = (int)rng_below(r, GRAPHS);
    NEED(g.at);
    if (t->g[i].at) { return; }
    if (did(t, sf_graph_clone(g.at, &t->g[i].at), "sf_graph_clone(%s, &g[%d])", g.name, i) == SF_OK) {
        t->g[i].root = ++t->roots;
        t->root_on_2[t->roots] = t->root_on_2[g.root];
        note_graph(t, t->g[i].at);
    }
}
/* Describes a node of a random type; the last three need more, see below. */
static sf_node_desc any_node(twin *t, rng *r, tally_args *a, char *name, size_t bytes)
{
    static const sf_node_type types[] = {
        SF_NODE_EMPTY, SF_NODE_KERNEL, SF_NODE_KERNEL, SF_NODE_MEMCPY, SF_NODE_MEMSET, SF_NODE_HOST, SF_NODE_CHILD,
        SF_NODE_EVENT_RECORD, SF_NODE_EVENT_WAIT, SF_NODE_MEM_ALLOC, SF_NODE_MEM_FREE, SF_NODE_BATCH_MEM_OP
    };
    sf_node_desc d = { .type = types[rng_below(r, COUNT(types) - !one_in(r, 12))] };
    uint32_t i = rng_below(r, 64);
    *a = (tally_args){ tally_word(t, r), 1 + (uint32_t)t->step };
    snprintf(name, bytes, "%d", (int)d.type);
    switch (d.type) {
    case SF_NODE_KERNEL:
        d.kernel.func = &tally_kernel, d.kernel.args = a, d.kernel.bytes = sizeof *a;
        snprintf(name, bytes, "KERNEL, tally, words + %d, %u", word_index(t, a->word), a->n);
        break;
    case SF_NODE_MEMCPY:
        d.mem.dst = own_word(t), d.mem.src = t->words + FIVE, d.mem.bytes = i % 12 ? 4 : 0;
        snprintf(name, bytes, "MEMCPY, words + %d, words + %d, %zu", word_index(t, own_word(t)), FIVE, d.mem.bytes);
        break;
    case SF_NODE_MEMSET:
        d.mem.dst = own_word(t), d.mem.value = (uint8_t)(t->step + 1), d.mem.bytes = i % 12 ? 4 : 0;
        snprintf(name, bytes, "MEMSET, words + %d, %d, %zu", word_index(t, own_word(t)), t->step + 1, d.mem.bytes);
        break;
    case SF_NODE_HOST:
        d.host.func = count, d.host.user = &t->calls;
        snprintf(name, bytes, "HOST, count");
        break;
    case SF_NODE_CHILD:
        d.child = t->g[i % GRAPHS].at;
        snprintf(name, bytes, "CHILD, g[%u]", i % GRAPHS);
        break;
    case SF_NODE_EVENT_RECORD:
    case SF_NODE_EVENT_WAIT:
        d.event = t->e[i % EVENTS];
        snprintf(name, bytes, "EVENT_%s, e[%u]", d.type == SF_NODE_EVENT_WAIT ? "WAIT" : "RECORD", i % EVENTS);
        break;
    case SF_NODE_MEM_ALLOC:
        if (!has_memory(t, i % BLOCKS)) { t->m[i % BLOCKS] = NULL; }
        d.alloc.pool = i % 4 < POOLS ? t->p[i % 4] : NULL, d.alloc.bytes = 4096, d.alloc.ptr = &t->m[i % BLOCKS];
        snprintf(name, bytes, "MEM_ALLOC, pool %d, 4096, &m[%u]", d.alloc.pool ? (int)i % 4 : -1, i % BLOCKS);
        break;
    case SF_NODE_MEM_FREE:
        d.free = has_memory(t, i % BLOCKS) ? t->m[i % BLOCKS] : NULL;
        snprintf(name, bytes, "MEM_FREE, m[%u]", i % BLOCKS);
        break;
    default:;
    }
    switch (rng_below(r, 160)) {             /* with a part missing or wrong */
    case 0: d.kernel.func = NULL; break;
    case 1: d.kernel.bytes = SF_MAX_ARGS + 1; break;
    case 2: d.mem.dst = NULL; break;
    case 3: d.mem.src = NULL; break;
    case 4: d.host.func = NULL; break;
    case 5: d.alloc.bytes = 0; break;
    case 6: d.free = t->words; break;
    case 7: d.type = (sf_node_type)77; break;
    default: return d;
    }
    snprintf(name + strlen(name), bytes - strlen(name), ", wrong");
    return d;
}
/* False: its child, event or memory is not there, or would be lost. */
static bool has_all(rng *r, const sf_node_desc *d)
{
    bool rarely = one_in(r, 24);
    switch (d->type) {
    case SF_NODE_CHILD: return d->child || rarely;
    case SF_NODE_EVENT_RECORD:
    case SF_NODE_EVENT_WAIT: return d->event || rarely;
    case SF_NODE_MEM_ALLOC: return d->alloc.ptr && !*d->alloc.ptr;
    case SF_NODE_MEM_FREE: return d->free || rarely;
    default: return true;
    }
}
static void add_node(twin *t, rng *r)
{
    a_graph g = any_graph(t, r);
    a_list l = any_nodes(t, r, g.at);
    tally_args a;
    char name[64];
    sf_node_desc d = any_node(t, r, &a, name, sizeof name);
    sf_graph_node *node = NULL;
    NEED(g.at);
    if (!has_all(r, &d)) { return; }
    if (t->root_on_2[g.root] && g.i >= GRAPHS && (d.type == SF_NODE_MEMCPY || d.type == SF_NODE_MEMSET)) { return; }
    did(t, sf_graph_add_node(g.at, l.after, l.count, &d, &node), "sf_graph_add_node(%s, { %s }, %d, { %s }, &n[%d])",
        g.name, l.name, l.count, name, t->node % NODES);
    keep_node(t, node, &g);
    for (int i = 0; i < BLOCKS && node; i++) {
        if (d.type == SF_NODE_MEM_ALLOC && d.alloc.ptr == &t->m[i]) { got_memory(t, t->m[i], i, -1); }
        if (d.type == SF_NODE_MEM_FREE && d.free == t->m[i]) { t->freed[i] = true; }
    }
}
static sf_graph_node *kernel_node(twin *t, const char *name, sf_graph *g, sf_graph_node *after, const sf_kernel *k,
                                  const void *args, size_t bytes)
{
    sf_node_desc d = { .type = SF_NODE_KERNEL, .kernel = { k, args, bytes } };
    sf_dependency dep = { after, SF_DEPENDENCY_FULL };
    sf_graph_node *node = NULL;
    did(t, sf_graph_add_node(g, &dep, after != NULL, &d, &node), "sf_graph_add_node(%s, %s, { KERNEL, %s }, &n)", name,
        after ? "n" : "none", k->name);
    return node;
}
/* A conditional. A WHILE gets all its nodes here, the one that sets the condition last: it turns until a word of the
   device has counted far enough. The body of another kind is for later steps. */
static void add_conditional(twin *t, rng *r)
{
    a_graph g = any_graph(t, r);
    a_list l = any_nodes(t, r, g.at);
    uint32_t initial = rng_below(r, 3), type = rng_below(r, 3), turns = 1 + rng_below(r, 4), extra = rng_below(r, 3);
    bool reset = !one_in(r, 6), unused = one_in(r, 16), sets = one_in(r, 2);
    sf_graph_conditional handle = 0;
    sf_graph *body[3] = { NULL, NULL, NULL };
    sf_graph_node *node = NULL, *last;
    sf_node_desc d = { .type = SF_NODE_CONDITIONAL };
    NEED(g.at);
    if (type == SF_GRAPH_WHILE) { initial = 1, reset = true, sets = false; }
    if (did(t, sf_graph_conditional_create(g.at, initial, reset, &handle),
            "sf_graph_conditional_create(%s, %u, %d, &h)", g.name, initial, reset) < 0 || unused) {
        return;
    }
    if (sets) {                              /* a kernel before the node decides */
        until_args u = { handle, t->words + FIVE, initial ? 9 : 3, 0 };
        last = kernel_node(t, g.name, g.at, NULL, &until_kernel, &u, sizeof u);
        if (!last) { return; }
        l.after[l.count++] = (sf_dependency){ last, SF_DEPENDENCY_FULL };
    }
    d.conditional.handle = handle;
    d.conditional.type = (sf_graph_conditional_type)type;
    d.conditional.bodies = type == SF_GRAPH_WHILE ? 1 : type == SF_GRAPH_IF ? 1 + (int32_t)extra % 2 : 1 + (int32_t)extra;
    d.conditional.body = body;
    did(t, sf_graph_add_node(g.at, l.after, l.count, &d, &node),
        "sf_graph_add_node(%s, { %s }, %d, { CONDITIONAL, h, %u, %d bodies }, &n[%d])", g.name, l.name, l.count, type,
        d.conditional.bodies, t->node % NODES);
    keep_node(t, node, &g);
    if (!node) { return; }
    if (type == SF_GRAPH_WHILE) {
        uint32_t *word = t->words + TURNS + t->step;
        tally_args a = { tally_word(t, r), 1 };
        mix_args m = { .dst = word, .n = 1, .mul = 1, .add = 1 };
        until_args u = { handle, word, turns, 0 };
        last = NULL;
        for (uint32_t i = 0; i < extra; i++) { last = kernel_node(t, "body", body[0], last, &tally_kernel, &a, sizeof a); }
        last = kernel_node(t, "body", body[0], last, &mix_kernel, &m, sizeof m);
        (void)kernel_node(t, "body", body[0], last, &until_kernel, &u, sizeof u);
        return;
    }
    keep_body(t, body[0], g.root);
    if (d.conditional.bodies > 1) { keep_body(t, body[1], g.root); }
    if (t->print) { printf("    its bodies are the next of body[]\n"); }
}
/* What a capture has so far gets a node by hand, which the stream's next node may depend on. */
static void add_to_capture(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    sf_capture_info info = { .status = SF_CAPTURE_NONE };
    tally_args a = { tally_word(t, r), 1 + (uint32_t)t->step };
    sf_node_desc d = { .type = one_in(r, 3) ? SF_NODE_EMPTY : SF_NODE_KERNEL, .kernel = { &tally_kernel, &a, sizeof a } };
    uint32_t initial = rng_below(r, 2), how = rng_below(r, 3), flags = rng_below(r, 2);
    sf_graph_conditional handle = 0;
    sf_graph *body[2] = { NULL, NULL };
    sf_dependency after[4];
    sf_graph_node *node = NULL;
    int n = 0;
    NEED(s.at);
    if (did(t, sf_stream_get_capture_info(s.at, &info, after, 3), "sf_stream_get_capture_info(%s, &info, after, 3)", s.name) != SF_OK ||
        info.status != SF_CAPTURE_ACTIVE || !info.graph) {
        return;
    }
    if (how == 0) {
        if (did(t, sf_graph_conditional_create(info.graph, initial, true, &handle),
                "sf_graph_conditional_create(info.graph, %u, 1, &h)", initial) != SF_OK) {
            return;
        }
        d.type = SF_NODE_CONDITIONAL;
        d.conditional.handle = handle, d.conditional.type = SF_GRAPH_IF, d.conditional.bodies = 1, d.conditional.body = body;
    }
    n = one_in(r, 4) ? 0 : info.dependencies < 3 ? info.dependencies : 3;
    did(t, sf_graph_add_node(info.graph, after, n, &d, &node), "sf_graph_add_node(info.graph, after, %d, { %d }, &n)", n, (int)d.type);
    if (node && body[0]) { kernel_node(t, "body", body[0], NULL, &tally_kernel, &a, sizeof a); }
    if (node && !one_in(r, 4)) {
        after[0] = (sf_dependency){ node, SF_DEPENDENCY_FULL };
        did(t, sf_stream_update_capture_dependencies(s.at, after, 1, flags),
            "sf_stream_update_capture_dependencies(%s, { n }, 1, %u)", s.name, flags);
    }
}
static void add_dependencies(twin *t, rng *r)
{
    a_graph g = any_graph(t, r);
    a_list l = any_nodes(t, r, g.at);
    uint32_t i = rng_below(r, NODES);
    NEED(g.at);
    NEED(t->n[i].at);
    if (t->n[i].of != g.at && !one_in(r, 12)) { return; }
    did(t, sf_graph_add_dependencies(g.at, t->n[i].at, l.after, l.count),
        "sf_graph_add_dependencies(%s, n[%u], { %s }, %d)", g.name, i, l.name, l.count);
}
static void graph_look(twin *t, rng *r)
{
    a_graph g = any_graph(t, r);
    sf_graph_node *nodes[16];
    int n = 0;
    uint32_t i = rng_below(r, 16), what = rng_below(r, 4);
    NEED(g.at);
    if (what == 0) {
        did(t, sf_graph_preload(g.at), "sf_graph_preload(%s)", g.name);
        return;
    }
    if (did(t, sf_graph_get_nodes(g.at, nodes, 16, &n), "sf_graph_get_nodes(%s, n, 16, &count)", g.name) != SF_OK) {
        return;
    }
    note_graph(t, g.at);
    if ((int)i < n && i < 16) { keep_node(t, nodes[i], &g); }
}
static void node_look(twin *t, rng *r)
{
    uint32_t i = rng_below(r, NODES);
    sf_node_type type = (sf_node_type)99;
    int n = -1;
    NEED(t->n[i].at);
    did(t, sf_graph_node_get_type(t->n[i].at, &type), "sf_graph_node_get_type(n[%u])", i);
    also(t, (int)type);
    did(t, sf_graph_node_get_dependencies(t->n[i].at, NULL, 0, &n), "sf_graph_node_get_dependencies(n[%u])", i);
    also(t, n);
}
static void instantiate(twin *t, rng *r)
{
    static const uint32_t all[] = { 0, 0, 0, 0, 0, 1, 8, 9, 2, 4, 16 };
    a_graph g = any_graph(t, r);
    int i = (int)rng_below(r, EXECS);
    uint32_t flags = all[rng_below(r, COUNT(all))];
    NEED(g.at);
    if (t->x[i]) { return; }
    did(t, sf_graph_instantiate(g.at, flags, &t->x[i]), "sf_graph_instantiate(%s, %u, &x[%d])", g.name, flags, i);
}
static void exec_on_stream(twin *t, rng *r, sf_result (*call)(sf_graph_exec *, sf_stream *), const char *name)
{
    a_stream s = any_stream(t, r);
    int i = (int)rng_below(r, EXECS);
    NEED(s.at);
    NEED(t->x[i]);
    did(t, call(t->x[i], s.at), "%s(x[%d], %s)", name, i, s.name);
}
static void graph_upload(twin *t, rng *r) { exec_on_stream(t, r, sf_graph_upload, "sf_graph_upload"); }
static void graph_launch(twin *t, rng *r) { exec_on_stream(t, r, sf_graph_launch, "sf_graph_launch"); }
static void exec_update(twin *t, rng *r)
{
    a_graph g = any_graph(t, r);
    int i = (int)rng_below(r, EXECS);
    NEED(g.at);
    NEED(t->x[i]);
    did(t, sf_graph_exec_update(t->x[i], g.at), "sf_graph_exec_update(x[%d], %s)", i, g.name);
}
static void exec_set_node(twin *t, rng *r)
{
    int i = (int)rng_below(r, EXECS);
    uint32_t k = rng_below(r, NODES);
    tally_args a;
    char name[64];
    sf_node_desc d = any_node(t, r, &a, name, sizeof name);
    sf_node_type type;
    bool other = one_in(r, 8);
    NEED(t->x[i]);
    NEED(t->n[k].at);
    if (!has_all(r, &d)) { return; }
    if (!other && (sf_graph_node_get_type(t->n[k].at, &type) != SF_OK || type != d.type)) { return; }
    did(t, sf_graph_exec_set_node(t->x[i], t->n[k].at, &d), "sf_graph_exec_set_node(x[%d], n[%u], { %s })", i, k, name);
}
static void exec_destroy(twin *t, rng *r)
{
    int i = (int)rng_below(r, EXECS);
    NEED(t->x[i]);
    if (did(t, sf_graph_exec_destroy(t->x[i]), "sf_graph_exec_destroy(x[%d])", i) == SF_OK) { t->x[i] = NULL; }
}

/* -- lazy operations; the device -- */

static sf_lazy *lazy_tally(twin *t, rng *r)
{
    tally_args a = { tally_word(t, r), 1 + (uint32_t)t->step };
    return sf_lazy_kernel(any_device(t, r).at, &tally_kernel, &a, sizeof a);
}
static void lazy_run(twin *t, rng *r)
{
    static const char *const names[] = { "one", "zip", "par", "repeat", "graph" };
    a_stream s = any_stream(t, r);
    uint32_t how = rng_below(r, 4 + one_in(r, 3));
    bool waits = one_in(r, 3);
    sf_lazy *parts[2] = { lazy_tally(t, r), lazy_tally(t, r) }, *all;
    if (nothing(r, s.at) || how == 0) {
        sf_lazy_drop(parts[1]);
        all = parts[0];
    } else {
        all = how == 2 ? sf_lazy_par(parts, 2) : sf_lazy_zip(parts, 2);
        if (how == 3) { all = sf_lazy_repeat(all, 3); }
        if (how == 4) { all = sf_lazy_graph(all); }
    }
    if (!s.at) {
        sf_lazy_drop(all);
    } else if (waits) {
        did(t, sf_lazy_sync_on(all, s.at, SF_MS(5000), NULL), "sf_lazy_sync_on(%s of two tallies, %s)", names[how], s.name);
    } else {
        did(t, sf_lazy_async_on(all, s.at), "sf_lazy_async_on(%s of two tallies, %s)", names[how], s.name);
    }
}
static sf_result launch_later(sf_lazy_context *x, const sf_value *in, int n, sf_value *out)
{
    (void)in, (void)n, (void)out;
    return sf_launch(x->stream, &tally_kernel, x->state, sizeof(tally_args));
}
static sf_lazy *any_lazy(twin *t, rng *r, int depth)
{
    uint32_t how = rng_below(r, depth > 0 ? 10 : 4);
    sf_lazy *parts[2];
    sf_lazy_desc d = { .name = "later", .run = launch_later, .drop_state = free };
    if (how < 4) {
        tally_args *a = (tally_args *)malloc(sizeof *a);
        if (how == 0) {
            free(a);
            return sf_lazy_memcpy(any_device(t, r).at, own_word(t), t->words + FIVE, 4);
        }
        if (how == 1) {
            free(a);
            return lazy_tally(t, r);
        }
        *a = (tally_args){ tally_word(t, r), 1 + (uint32_t)t->step };
        d.state = a;
        return how == 2 ? sf_lazy_do(any_device(t, r).at, &d) : sf_lazy_then(lazy_tally(t, r), &d);
    }
    parts[0] = any_lazy(t, r, depth - 1);
    if (how == 4) { return sf_lazy_repeat(parts[0], 1 + (int)rng_below(r, 3)); }
    if (how == 5) { return sf_lazy_graph(parts[0]); }
    if (how == 6) { return sf_lazy_share(parts[0]); }
    parts[1] = any_lazy(t, r, depth - 1);
    return how == 7 ? sf_lazy_par(parts, 2) : sf_lazy_zip(parts, 2);
}
static void lazy_tree(twin *t, rng *r)
{
    a_stream s = any_stream(t, r);
    sf_lazy *all = any_lazy(t, r, 2);
    bool waits = one_in(r, 3);
    int times = one_in(r, 3) ? 2 : 1;
    if (nothing(r, s.at)) { times = 0; }
    for (int i = 0; i < times; i++) {
        (void)sf_lazy_retain(all);
        if (waits) {
            did(t, sf_lazy_sync_on(all, s.at, SF_MS(5000), NULL), "sf_lazy_sync_on(a tree, %s)", s.name);
        } else {
            did(t, sf_lazy_async_on(all, s.at), "sf_lazy_async_on(a tree, %s)", s.name);
        }
    }
    sf_lazy_drop(all);
}
static void policy_create(twin *t, rng *r)
{
    int i = (int)rng_below(r, POLICIES);
    uint32_t k = rng_below(r, 4), n = rng_below(r, STREAMS);
    static const sf_policy_kind kinds[] = { SF_POLICY_ROUND_ROBIN, SF_POLICY_SINGLE_STREAM, SF_POLICY_PER_THREAD, SF_POLICY_GIVEN };
    sf_policy_desc d = { .kind = kinds[k], .streams = one_in(r, 12) ? -1 : k ? 0 : 2 };
    if (d.kind == SF_POLICY_GIVEN) { d.given = t->s[n]; }
    a_device device = any_device(t, r);
    if (t->policy[i]) { return; }
    did(t, sf_policy_create(device.at, &d, &t->policy[i]), "sf_policy_create(%s, { .kind = %d, .streams = %d, .given = s[%u] },"
        " &policy[%d])", device.name, (int)d.kind, (int)d.streams, n, i);
}
static void policy_destroy(twin *t, rng *r)
{
    int i = (int)rng_below(r, POLICIES);
    NEED(t->policy[i]);
    if (did(t, sf_policy_destroy(t->policy[i]), "sf_policy_destroy(policy[%d])", i) == SF_OK) { t->policy[i] = NULL; }
}
static void schedule(twin *t, rng *r)
{
    int i = (int)rng_below(r, FUTURES);
    uint32_t p = rng_below(r, 2 * POLICIES);
    sf_lazy *all = any_lazy(t, r, 2);
    if (t->f[i]) {
        sf_lazy_drop(all);
        return;
    }
    did(t, sf_lazy_schedule(all, p < POLICIES ? t->policy[p] : NULL, &t->f[i]), "sf_lazy_schedule(a tree, %s, &f[%d])",
        p < POLICIES && t->policy[p] ? p ? "policy[1]" : "policy[0]" : "NULL", i);
}
static void future_look(twin *t, rng *r)
{
    int i = (int)rng_below(r, FUTURES);
    uint32_t how = rng_below(r, 5);
    sf_value values[2];
    if (!t->f[i]) { return; }
    switch (how) {
    case 0: did(t, sf_future_poll(t->f[i]), "sf_future_poll(f[%d])", i); break;
    case 1:
        if (did(t, sf_future_wait(t->f[i], SF_MS(5000)), "sf_future_wait(f[%d])", i) == SF_OK) {
            did(t, sf_future_take(t->f[i], values, 2), "sf_future_take(f[%d], values, 2)", i);
        }
        break;
    case 2:
        sf_future_drop(t->f[i]);
        t->f[i] = NULL;
        break;
    default: did(t, sf_future_wait(t->f[i], SF_MS(5000)), "sf_future_wait(f[%d])", i);
    }
}
static void device_look(twin *t, rng *r)
{
    sf_counters c;
    sf_device_info info;
    a_device device = any_device(t, r);
    switch (rng_below(r, 4)) {
    case 0:
        did(t, sf_device_get_counters(device.at, &c), "sf_device_get_counters(%s, &c)", device.name);
        also(t, (long long)(c.live_streams * 100 + c.live_events));
        break;
    case 1: did(t, sf_device_get_info(device.at, &info), "sf_device_get_info(%s, &info)", device.name); break;
    default: did(t, sf_device_synchronize(device.at, SF_MS(5000)), "sf_device_synchronize(%s)", device.name);
    }
}

/* -- a program -- */

static const struct { void (*run)(twin *t, rng *r); uint32_t weight; } calls[] = {
    { stream_create, 4 }, { stream_destroy, 2 }, { stream_query, 2 }, { stream_synchronize, 2 },
    { stream_wait_event, 8 }, { launch_host_func, 3 }, { add_callback, 2 }, { attach_mem, 2 }, { stream_look, 2 },
    { set_attribute, 2 }, { get_attribute, 2 }, { copy_attributes, 2 }, { write_value, 2 }, { wait_value, 2 },
    { stream_batch, 2 }, { stream_fork, 4 }, { stream_join, 4 }, { event_create, 3 }, { event_destroy, 2 },
    { event_record, 8 }, { event_query, 2 }, { event_synchronize, 2 }, { event_elapsed, 2 }, { mem_alloc, 2 },
    { mem_free, 2 }, { mem_get_kind, 1 }, { mem_alloc_async, 4 }, { mem_free_async, 4 }, { mem_round, 3 },
    { mem_prefetch, 2 }, { memory_set, 3 }, { memory_copy, 3 }, { pool_create, 2 }, { pool_destroy, 1 },
    { pool_look, 1 }, { launch, 8 }, { chain, 4 }, { handoff, 3 }, { kernel_preload, 1 }, { begin_capture, 8 },
    { begin_capture_to_graph, 5 }, { end_capture, 10 }, { is_capturing, 2 }, { capture_info, 3 },
    { update_dependencies, 3 }, { exchange_mode, 2 }, { graph_create, 6 }, { graph_destroy, 2 }, { graph_clone, 3 },
    { add_node, 16 }, { add_conditional, 4 }, { add_dependencies, 4 }, { graph_look, 3 }, { node_look, 2 },
    { instantiate, 8 }, { graph_upload, 2 }, { graph_launch, 8 }, { exec_update, 3 }, { exec_set_node, 4 },
    { exec_destroy, 2 }, { lazy_run, 3 }, { device_look, 3 },
    { wait_stream, 5 }, { stream_pool, 1 }, { mem_device_pointer, 1 }, { add_to_capture, 3 }, { lazy_tree, 3 },
    { policy_create, 2 }, { policy_destroy, 1 }, { schedule, 4 }, { future_look, 5 }
};

typedef struct second_thread { pthread_t thread; sem_t go, done; twin *t; void (*run)(twin *t, rng *r); rng *r; } second_thread;
static void *second_main(void *arg)
{
    second_thread *w = (second_thread *)arg;
    for (;;) {
        sem_wait(&w->go);
        if (!w->run) { return NULL; }
        w->run(w->t, w->r);
        sem_post(&w->done);
    }
}
static void on_thread(second_thread *w, int thread, void (*run)(twin *t, rng *r), twin *t, rng *r)
{
    t->thread = thread;
    if (thread == 0) {
        run(t, r);
        return;
    }
    w->run = run, w->r = r;
    sem_post(&w->go);
    if (run) { sem_wait(&w->done); }
}
/* What a thread began, it ends; its mode is GLOBAL again. */
static void end_of_thread(twin *t, rng *r)
{
    sf_capture_mode mode = SF_CAPTURE_GLOBAL;
    (void)r;
    for (int i = ALL_STREAMS - 1; i >= 0; i--) {
        a_stream s = stream_at(t, i);
        sf_capture_status status = SF_CAPTURE_NONE;
        if (!s.at || sf_stream_is_capturing(s.at, &status) != SF_OK || status == SF_CAPTURE_NONE) { continue; }
        end_capture_of(t, s, false);
    }
    (void)sf_thread_exchange_stream_capture_mode(&mode);
}
static void destroy_all(twin *t)
{
    for (int i = 0; i < FUTURES; i++) {
        if (t->f[i]) { did(t, sf_future_wait(t->f[i], SF_MS(5000)), "sf_future_wait(f[%d])", i); }
        sf_future_drop(t->f[i]);
    }
    for (int i = 0; i < POLICIES; i++) {
        if (t->policy[i]) { did(t, sf_policy_destroy(t->policy[i]), "sf_policy_destroy(policy[%d])", i); }
    }
    for (int i = 0; i < 2; i++) {
        if (t->s[FORKS + i]) { did(t, sf_stream_join(t->s[LEGACY], t->s[FORKS + i]), "sf_stream_join(legacy, fork[%d])", i); }
    }
    for (int i = 0; i < EXECS; i++) {
        if (t->x[i]) { did(t, sf_graph_exec_destroy(t->x[i]), "sf_graph_exec_destroy(x[%d])", i); }
    }
    for (int i = 0; i < GRAPHS; i++) {
        if (t->g[i].at) { did(t, sf_graph_destroy(t->g[i].at), "sf_graph_destroy(g[%d])", i); }
    }
    for (int i = 0; i < EVENTS; i++) {
        if (t->e[i]) { did(t, sf_event_destroy(t->e[i]), "sf_event_destroy(e[%d])", i); }
    }
    for (int i = 0; i < STREAMS; i++) {
        if (t->s[i]) { did(t, sf_stream_destroy(t->s[i]), "sf_stream_destroy(s[%d])", i); }
    }
    for (int i = 0; i < POOLS; i++) {
        if (t->p[i]) { did(t, sf_mem_pool_destroy(t->p[i]), "sf_mem_pool_destroy(p[%d])", i); }
    }
}
static sf_device *open_device(uint64_t seed, int32_t ordinal)
{
    static const sf_order orders[] = {
        SF_ORDER_FIRST_IN, SF_ORDER_LAZY, SF_ORDER_REVERSE, SF_ORDER_RANDOM, SF_ORDER_PCT, SF_ORDER_FIRST_IN,
        SF_ORDER_RANDOM, SF_ORDER_THREADS
    };
    sf_device_desc d = { .backend = test_backend, .ordinal = on_cuda() ? ordinal : 0 };
    sf_device *device = NULL;
    sf_result r;
    d.host.workers = 8;
    d.host.order = seed % 64 == 7 ? SF_ORDER_THREADS : orders[seed % 7];
    d.host.seed = seed + (uint64_t)ordinal;
    r = sf_device_open(&d, &device);
    if (r != SF_OK) {
        fprintf(stderr, "twin: sf_device_open: GPU %d: %d, %s\n", (int)ordinal, (int)r, sf_result_string(r));
        exit(2);
    }
    return device;
}
static sf_result synchronize_all(twin *t)
{
    sf_result r = did(t, sf_device_synchronize(t->device, SF_MS(10000)), "sf_device_synchronize(d)"), r_2 = SF_OK;
    if (t->device_2) { r_2 = did(t, sf_device_synchronize(t->device_2, SF_MS(10000)), "sf_device_synchronize(d_2)"); }
    return r == SF_OK ? r_2 : r;
}
static void note_counters(twin *t, sf_device *device)
{
    sf_counters c;
    CHECK_OK(sf_device_get_counters(device, &c));
    say(t, " %llu %llu %llu %llu %llu %llu", (unsigned long long)c.launches, (unsigned long long)c.graph_launches,
        (unsigned long long)c.copies, (unsigned long long)c.event_records, (unsigned long long)c.event_waits,
        (unsigned long long)c.host_functions);
}
/* Runs the steps whose byte in `wanted` is set. False: the device is at a fault, no other program can run. */
static bool run_program(twin *t, const uint8_t *wanted)
{
    rng swarm = rng_seed(t->seed * 1000003);
    uint32_t weights[COUNT(calls)], total = 0, five = 5, left[WORDS];
    bool two = one_in(&swarm, 4), fine;
    second_thread w;
    sf_result closed;
    uint32_t lacks = 2 + rng_below(&swarm, 5);               /* the program lacks one call in so many */
    t->split = one_in(&swarm, 8);
    t->two = two;
    t->bodies = rng_below(&swarm, 2);
    bool even = one_in(&swarm, 4), loud = one_in(&swarm, 3);
    if (one_in(&swarm, 3)) { t->crowd = 1 + rng_below(&swarm, 3); }
    for (size_t i = 0; i < COUNT(calls); i++) {
        weights[i] = one_in(&swarm, lacks) ? 0 : even ? 4 : calls[i].weight;
        if (loud && one_in(&swarm, 8)) { weights[i] *= 8; }
        total += weights[i];
    }
    t->device = open_device(t->seed, 0);
    if (t->seed >= TWO_DEVICES) {            /* each uses the other's memory */
        t->device_2 = open_device(t->seed, 1);
        CHECK_OK(sf_device_enable_peer(t->device, t->device_2));
        CHECK_OK(sf_device_enable_peer(t->device_2, t->device));
        t->s[LEGACY_2] = sf_stream_legacy(t->device_2);
    }
    CHECK_OK(sf_mem_alloc(t->device, WORDS * 4, SF_MEMORY_DEVICE, (void **)&t->words));
    CHECK_OK(sf_mem_alloc(t->device, 4096, SF_MEMORY_MANAGED, (void **)&t->managed));
    CHECK_OK(sf_mem_alloc(t->device, 64, SF_MEMORY_PINNED, (void **)&t->pinned));
    t->pinned[0] = 9;
    t->s[LEGACY] = sf_stream_legacy(t->device);
    CHECK_OK(sf_memset_async(t->s[LEGACY], t->words, 0, WORDS * 4));
    CHECK_OK(sf_memcpy_async(t->s[LEGACY], t->words + FIVE, &five, 4));
    CHECK_OK(sf_stream_synchronize(t->s[LEGACY], GUARD));
    if (t->split) { t->split = test_split(t->device); }
    for (uint32_t i = 0; i < STREAMS; i++) {
        sf_device *of = t->device_2 && i & 2 ? t->device_2 : t->device;
        CHECK_OK(sf_stream_create(of, &(sf_stream_desc){ .flags = i & 1 }, &t->s[i]));
    }
    for (int i = 0; i < EVENTS; i++) {
        t->e_on_2[i] = t->device_2 && i & 1;
        CHECK_OK(sf_event_create(t->e_on_2[i] ? t->device_2 : t->device, i < 2 ? 0 : 2, &t->e[i]));
    }
    for (int i = LEGACY; i < ALL_STREAMS; i++) {     /* a GPU's default streams outlive the device, and so do their attributes */
        a_stream s = stream_at(t, i);
        if (s.at) { CHECK_OK(sf_stream_copy_attributes(s.at, t->s[i < FORKS ? 0 : 2])); }
    }
    for (int i = 0; i < GRAPHS / 2; i++) {
        CHECK_OK(sf_graph_create(t->device_2 && i ? t->device_2 : t->device, &t->g[i].at));
        t->g[i].root = ++t->roots;
        t->root_on_2[t->roots] = t->device_2 && i;
    }
    if (two) {
        w.t = t;
        sem_init(&w.go, 0, 0);
        sem_init(&w.done, 0, 0);
        pthread_create(&w.thread, NULL, second_main, &w);
    }
    say(t, "%llu", (unsigned long long)t->seed);
    for (t->step = 0; t->step < t->steps && total > 0; t->step++) {
        rng r = rng_seed(t->seed * 1000003 + 1 + (uint64_t)t->step);
        int thread = two && one_in(&r, 3);
        uint32_t at = rng_below(&r, total), i = 0;
        if (!wanted[t->step]) { continue; }
        while (at >= weights[i]) { at -= weights[i++]; }
        t->fresh = true;
        on_thread(&w, thread, calls[i].run, t, &r);
        if (t->fresh) { say(t, " -"); }
    }
    t->step = STEPS - 1;
    t->fresh = true;
    say(t, " |");
    for (int i = 0; i < 2; i++) {            /* a capture of several streams ends where it began: twice */
        if (two) { on_thread(&w, 1, end_of_thread, t, NULL); }
        on_thread(&w, 0, end_of_thread, t, NULL);
    }
    fine = synchronize_all(t) == SF_OK;
    memset(left, 0, sizeof left);
    did(t, sf_memcpy_async(t->s[LEGACY], left, t->words, WORDS * 4), "sf_memcpy_async(legacy, left, words)");
    did(t, sf_stream_synchronize(t->s[LEGACY], SF_MS(10000)), "sf_stream_synchronize(legacy)");
    destroy_all(t);
    fine = synchronize_all(t) == SF_OK && fine;
    if (two) {
        on_thread(&w, 1, NULL, t, NULL);
        pthread_join(w.thread, NULL);
    }
    if (t->block) { did(t, sf_mem_free(t->block_of, t->block), "sf_mem_free(its device, block)"); }
    say(t, " | %u", t->calls);
    note_counters(t, t->device);
    if (t->device_2) { note_counters(t, t->device_2); }
    {
        uint64_t hash = 14695981039346656037u;
        for (int i = 0; i < WORDS; i++) {
            hash = (hash ^ left[i]) * 1099511628211u;
            if (t->print && left[i]) { printf("    words[%d] is %u\n", i, left[i]); }
        }
        say(t, " %08x", (uint32_t)(hash ^ hash >> 32));
    }
    (void)sf_mem_free(t->device, t->words);
    (void)sf_mem_free(t->device, t->managed);
    (void)sf_mem_free(t->device, t->pinned);
    if (t->device_2) { did(t, sf_device_close(t->device_2, SF_MS(10000)), "sf_device_close(d_2)"); }
    closed = sf_device_close(t->device, SF_MS(10000));
    t->device = NULL;
    did(t, closed, "sf_device_close(d)");
    return fine;
}

int main(int argc, char **argv)
{
    static char line[4096];
    static twin t;
    sf_device *kept[2] = { NULL, NULL };     /* the context of a GPU lives as long as one device is open */
    bool print = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--print")) {
            print = true;
        } else if (!strcmp(argv[i], "--backend") && i + 1 < argc && test_choose_backend(argv[i + 1])) {
            i++;
        } else {
            fprintf(stderr, "usage: twin --backend host|cuda [--print] < REQUESTS\n");
            return 2;
        }
    }
    test_backend = test_backend == SF_BACKEND_AUTO ? SF_BACKEND_HOST : test_backend;
    if (on_cuda()) { test_need_backend(); }
    while (fgets(line, sizeof line, stdin)) {
        uint8_t wanted[STEPS];
        char *at = line;
        memset(&t, 0, sizeof t);
        t.seed = strtoull(at, &at, 10);
        t.steps = (int)strtol(at, &at, 10);
        t.print = print;
        for (int i = 0; i < 1 + (t.seed >= TWO_DEVICES); i++) {
            if (!kept[i]) { kept[i] = open_device(0, i); }
        }
        if (t.steps < 1 || t.steps > STEPS - 1) { return 2; }
        while (*at == ' ') { at++; }
        memset(wanted, *at < '0', sizeof wanted);
        while (*at >= '0') { wanted[strtol(at, &at, 10) % STEPS] = 1; while (*at == ' ') { at++; } }
        alarm(20);
        bool fine = run_program(&t, wanted);
        puts(t.log);
        fflush(stdout);
        if (!fine) { return 3; }             /* after a fault a GPU does nothing more for this process */
    }
    alarm(0);
    for (int i = 0; i < 2; i++) {
        if (kept[i] && sf_device_close(kept[i], SF_MS(10000)) != SF_OK) { return 1; }
    }
    return 0;
}
