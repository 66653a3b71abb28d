/*  test_lazy.c - operations, described first and run later: order, ownership, futures, policies, faults, forks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"

/* -- a device, words for its kernels, and steps that count what becomes of them -- */

typedef struct rig {
    sf_device *device;
    uint32_t *flag, *data;                   /* 64 and 960 words */
    sf_stream *s[3];
    bool threaded;                           /* has a thread of its own that runs on_ready functions */
} rig;
static test_heap heap;

static int device_kinds(void) { return on_cuda() ? 1 : 6; }  /* 0: threads, or a GPU; then the orders of one thread */
static rig begin(int kind)
{
    rig t = { .threaded = kind == 0 };
    heap = (test_heap){ 0 };
    t.device = test_open_desc(&(sf_device_desc){
        .host = { .workers = 3, .order = (sf_order)kind, .seed = 7, .stream_depth = 64 }, /* many streams are made */
        .heap = { test_heap_alloc, test_heap_free, &heap } });
    t.flag = (uint32_t *)test_memory(t.device, 4096);
    t.data = t.flag + 64;
    for (size_t i = 0; i < COUNT(t.s); i++) { t.s[i] = test_stream(t.device); }
    return t;
}
static void end(rig *t)
{
    test_close(t->device);
    CHECK_EQUAL(heap.live, 0);
}
static sf_counters counters_of(sf_device *device)
{
    sf_counters c;
    memset(&c, 0, sizeof c);
    CHECK_OK(sf_device_get_counters(device, &c));
    return c;
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static void nap(void) { nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL); }

/* Until the word is n: drops and on_ready functions come on a thread of the library's, or while it is polled. */
static bool comes(sf_device *device, const uint32_t *word, uint32_t n)
{
    int64_t limit = now() + GUARD;
    while (test_load(word) < n) {
        if (sf_device_poll(device, 0) != SF_OK) { nap(); }
        if (now() > limit) { return false; }
    }
    return test_load(word) == n;
}
/* A good chance to do what must not be done yet. A closed gate keeps a deterministic device busy for ever. */
static void give_it_time(sf_device *device)
{
    for (int i = 0; i < 60; i++) {
        if (sf_device_poll(device, 0) != SF_OK) { nap(); }
    }
}

/* An operation's state. The work: a gate, if there is one, a mix of one word, and a word set to say that it is done:
   the only one that others may look at before they have waited. */
typedef struct step {
    uint32_t *gate, *dst, *log, *done;
    const uint32_t *src;
    uint32_t mul, add, id;
    sf_value out;
    sf_result result;
    sf_lazy *next;
    const uint32_t *busy;                    /* a value that is dropped while this is zero is dropped too early */
    uint32_t runs, states, values;           /* calls: run, drop_state, drop_value */
    uint32_t made;                           /* runs that had an output */
    uint32_t early, dead;                    /* drops before the work was done, or after the state; bad streams */
    sf_device *device;                       /* as of the last run */
    sf_stream *stream;
    pthread_t thread;
    int count;
    sf_value in[8], dropped;
} step;
static sf_result step_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    step *s = (step *)x->state;
    sf_result r = SF_OK;
    test_add(&s->runs, 1);
    s->device = x->device, s->stream = x->stream, s->thread = pthread_self(), s->count = count;
    for (int i = 0; i < count && i < (int)COUNT(s->in); i++) { s->in[i] = in[i]; }
    if (s->gate) { r = test_gate(x->stream, s->gate, 1); }
    if (r >= 0 && s->dst) {
        mix_args a = {
            .dst = s->dst, .src = s->src, .log = s->log, .n = 1, .mul = s->mul, .add = s->add, .id = s->id
        };
        r = sf_launch(x->stream, &mix_kernel, &a, sizeof a);
    }
    if (r >= 0 && s->done) { r = test_lift(x->stream, s->done, 1); }
    *out = s->out;
    x->next = s->next;
    r = r < 0 ? r : s->result;
    if (r >= 0 && !s->next) { test_add(&s->made, 1); }
    return r;
}
static void step_state(void *state) { test_add(&((step *)state)->states, 1); }
static void step_value(void *state, sf_value value, sf_stream *stream)
{
    step *s = (step *)state;
    uint32_t flags;
    if ((s->busy && !test_load(s->busy)) || test_load(&s->states)) { test_add(&s->early, 1); }
    if (sf_stream_get_flags(stream, &flags) < 0) { test_add(&s->dead, 1); }
    s->dropped = value;
    test_add(&s->values, 1);
}
static sf_lazy_desc step_desc(step *s)
{
    return (sf_lazy_desc){
        .name = "step", .run = step_run, .state = s, .drop_state = step_state, .drop_value = step_value
    };
}
static sf_lazy *do_step(sf_device *device, step *s)
{
    sf_lazy_desc d = step_desc(s);
    return sf_lazy_do(device, &d);
}
static sf_lazy *then_step(sf_lazy *first, step *s)
{
    sf_lazy_desc d = step_desc(s);
    return sf_lazy_then(first, &d);
}
/* After the end: how often it ran, how many of its values were dropped; its state once, and nothing too early. */
#define CHECK_STEP(s, ran, dropped)                                                                          \
    do {                                                                                                     \
        CHECK_EQUAL((s).runs, ran);                                                                          \
        CHECK_EQUAL((s).values, dropped);                                                                    \
        CHECK_EQUAL((s).states, 1);                                                                          \
        CHECK_EQUAL((s).early, 0);                                                                           \
        CHECK_EQUAL((s).dead, 0);                                                                            \
    } while (0)

static sf_policy *policy_of(sf_device *device, sf_policy_kind kind, int32_t streams)
{
    sf_policy *p = NULL;
    CHECK_OK(sf_policy_create(device, &(sf_policy_desc){ .kind = kind, .streams = streams }, &p));
    return p;
}
static sf_policy *given(sf_device *device, sf_stream *s)
{
    sf_policy *p = NULL;
    CHECK_OK(sf_policy_create(device, &(sf_policy_desc){ .kind = SF_POLICY_GIVEN, .given = s }, &p));
    return p;
}
static sf_future *scheduled(sf_lazy *lazy, sf_policy *policy)
{
    sf_future *f = NULL;
    CHECK(lazy);
    CHECK_OK(sf_lazy_schedule(lazy, policy, &f));
    CHECK(f);
    return f;
}
/* Submitted by a poll, which returns at once: there are gates that only the caller can open. */
static sf_future *submitted(sf_lazy *lazy, sf_policy *policy)
{
    sf_future *f = scheduled(lazy, policy);
    sf_result r = sf_future_poll(f);
    if (r != SF_OK) { CHECK_IS(r, SF_NOT_READY); }
    return f;
}
typedef sf_lazy *(*combine)(sf_lazy *const *parts, int count);       /* sf_lazy_zip, sf_lazy_par */
static sf_lazy *both(combine op, sf_lazy *a, sf_lazy *b)
{
    sf_lazy *parts[2] = { a, b };
    return op(parts, 2);
}
static sf_lazy *three(combine op, sf_lazy *a, sf_lazy *b, sf_lazy *c)
{
    sf_lazy *parts[3] = { a, b, c };
    return op(parts, 3);
}
static sf_value word(uint32_t n)
{
    sf_value v = { .u32 = { n, ~n, n * 3, n ^ 0x5a5a5a5a } };
    return v;
}
static bool same_value(sf_value a, sf_value b) { return !memcmp(&a, &b, sizeof a); }
static bool is_zero(sf_value v) { return same_value(v, (sf_value){ .u32 = { 0 } }); }

typedef struct ready { uint32_t calls, result; sf_future *future; pthread_t thread; } ready;
static void ready_func(sf_future *future, sf_result result, void *user)
{
    ready *r = (ready *)user;
    r->result = (uint32_t)result, r->future = future, r->thread = pthread_self();
    test_add(&r->calls, 1);
}

/* -- descriptions -- */

static void a_description_touches_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *data = t.data;
        step a = { .dst = data, .mul = 1, .add = 5 }, b = { .dst = data + 1, .src = data, .mul = 1, .add = 1 },
             c = { .dst = data + 3, .src = data + 2, .mul = 1 };
        mix_args args = { .dst = data + 2, .src = data + 1, .n = 1, .mul = 1, .add = 100 };
        sf_policy *policy = policy_of(t.device, SF_POLICY_ROUND_ROBIN, 2);
        sf_counters before = counters_of(t.device), after;
        sf_lazy_desc d = step_desc(&a);
        sf_lazy *parts[4], *all;
        sf_future *f;
        char name[] = "short-lived";
        d.name = name;
        parts[0] = sf_lazy_do(t.device, &d);
        memset(name, 'x', sizeof name - 1);
        d = step_desc(&b);
        parts[0] = sf_lazy_then(parts[0], &d);
        memset(&d, 0xee, sizeof d);
        parts[1] = sf_lazy_kernel(t.device, &mix_kernel, &args, sizeof args);
        memset(&args, 0xee, sizeof args);
        parts[2] = sf_lazy_share(sf_lazy_value(t.device, word(1)));
        parts[3] = sf_lazy_graph(sf_lazy_repeat(sf_lazy_memcpy(t.device, data + 8, data + 9, 4), 2));
        all = sf_lazy_pick(sf_lazy_zip(parts, 4), 0);
        memset(parts, 0xee, sizeof parts);
        parts[0] = all, parts[1] = sf_lazy_value(t.device, word(2));
        all = then_step(sf_lazy_par(parts, 2), &c);
        CHECK(all);
        CHECK(sf_lazy_retain(all) == all);
        sf_lazy_drop(all);
        f = scheduled(all, policy);
        CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_IDLE);
        after = counters_of(t.device);
        CHECK_EQUAL(after.launches, before.launches);
        CHECK_EQUAL(after.graph_launches, before.graph_launches);
        CHECK_EQUAL(after.copies, before.copies);
        CHECK_EQUAL(after.host_functions, before.host_functions);
        CHECK_EQUAL(after.event_records, before.event_records);
        CHECK_EQUAL(after.event_waits, before.event_waits);
        CHECK_EQUAL(a.runs + b.runs + c.runs, 0);
        CHECK_OK(sf_future_wait(f, GUARD));
        CHECK_EQUAL(data[0], 5);
        CHECK_EQUAL(data[1], 6);
        CHECK_EQUAL(data[2], 106);
        CHECK_EQUAL(data[3], 106);
        CHECK_EQUAL(c.count, 2);
        CHECK(a.device == t.device && c.device == t.device);
        CHECK(pthread_equal(a.thread, pthread_self()));      /* the submitting thread */
        sf_future_drop(f);
        CHECK_OK(sf_policy_destroy(policy));
        end(&t);
        CHECK_STEP(a, 1, 1);
        CHECK_STEP(b, 1, 1);
        CHECK_STEP(c, 1, 1);
    }
}
/* What each kind puts out, as the operation behind it sees it. */
static void outputs_of_every_kind(void **state)
{
    enum { CASES = 20, STEPS = 27 };
    static const int counts[CASES] = { 1, 1, 1, 0, 1, 3, 3, 1, 1, 2, 1, 0, 2, 2, 5, 1, 0, 2, 0, 4 };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step probe[CASES], made[STEPS];
        mix_args args = { .dst = t.data + 100, .n = 1, .mul = 3, .add = 1 };
        sf_lazy *l[CASES], *shared;
        rng r = rng_seed(3);
        memset(probe, 0, sizeof probe);
        memset(made, 0, sizeof made);
        for (size_t i = 0; i < STEPS; i++) {                 /* all 16 bytes arrive */
            rng_fill(&r, &made[i].out, sizeof made[i].out);
            made[i].dst = t.data + 200 + i, made[i].mul = 1, made[i].add = 1;
        }
#define MADE(i)      do_step(t.device, &made[i])
#define VALUE(n)     sf_lazy_value(t.device, word(n))
#define KERNEL()     sf_lazy_kernel(t.device, &mix_kernel, &args, sizeof args)
        l[0] = VALUE(5);
        l[1] = MADE(0);
        l[2] = then_step(MADE(1), &made[2]);
        l[3] = KERNEL();
        l[4] = sf_lazy_memcpy(t.device, t.data + 10, t.data + 12, 8);
        l[5] = three(sf_lazy_zip, MADE(3), VALUE(77), MADE(4));
        l[6] = three(sf_lazy_par, MADE(5), VALUE(77), MADE(6));
        l[7] = sf_lazy_pick(three(sf_lazy_zip, MADE(7), VALUE(77), MADE(8)), 1);
        l[8] = sf_lazy_pick(three(sf_lazy_par, MADE(9), VALUE(77), MADE(10)), 2);
        l[9] = sf_lazy_share(both(sf_lazy_zip, MADE(11), MADE(12)));
        l[10] = sf_lazy_repeat(MADE(13), 3);
        l[11] = sf_lazy_repeat(MADE(14), 0);                 /* never run */
        l[12] = sf_lazy_graph(both(sf_lazy_zip, MADE(15), MADE(16)));
        l[13] = sf_lazy_repeat(sf_lazy_graph(both(sf_lazy_par, MADE(17), MADE(18))), 4);
        l[14] = three(sf_lazy_zip, MADE(19), VALUE(77), MADE(20));
        l[14] = three(sf_lazy_zip, l[14], KERNEL(), both(sf_lazy_par, MADE(21), MADE(22)));
        l[15] = sf_lazy_graph(VALUE(6));                     /* nothing to capture */
        l[16] = sf_lazy_graph(KERNEL());
        l[17] = sf_lazy_repeat(sf_lazy_share(both(sf_lazy_zip, MADE(23), MADE(24))), 3);
        l[18] = sf_lazy_share(sf_lazy_repeat(KERNEL(), 2));
        shared = sf_lazy_share(both(sf_lazy_zip, MADE(25), MADE(26)));
        l[19] = both(sf_lazy_zip, sf_lazy_retain(shared), shared);
#undef MADE
#undef VALUE
#undef KERNEL
        for (int i = 0; i < CASES; i++) {
            sf_value out = word(99);
            sf_result result;
            CHECK(l[i]);
            result = sf_lazy_sync(then_step(l[i], &probe[i]), NULL, GUARD, &out);
            if (result != SF_OK) { fail_msg("case %d: %s", i, sf_result_string(result)); }
            if (probe[i].count != counts[i]) { fail_msg("case %d: %d outputs", i, probe[i].count); }
            CHECK_EQUAL(probe[i].runs, 1);
            CHECK(is_zero(out));                             /* the probe's own */
        }
        CHECK(same_value(probe[0].in[0], word(5)));
        CHECK(same_value(probe[1].in[0], made[0].out));
        CHECK(same_value(made[2].in[0], made[1].out));
        CHECK(same_value(probe[2].in[0], made[2].out));
        CHECK(probe[4].in[0].ptr == t.data + 10);
        for (int i = 5; i < 7; i++) {
            CHECK(same_value(probe[i].in[0], made[2 * i - 7].out));
            CHECK(same_value(probe[i].in[1], word(77)));
            CHECK(same_value(probe[i].in[2], made[2 * i - 6].out));
        }
        CHECK(same_value(probe[7].in[0], word(77)));
        CHECK(same_value(probe[8].in[0], made[10].out));
        CHECK(same_value(probe[9].in[0], made[11].out) && same_value(probe[9].in[1], made[12].out));
        CHECK(same_value(probe[10].in[0], made[13].out));
        CHECK_EQUAL(made[13].runs, 3);
        CHECK_EQUAL(made[14].runs, 0);
        CHECK(same_value(probe[12].in[0], made[15].out) && same_value(probe[12].in[1], made[16].out));
        CHECK(same_value(probe[13].in[0], made[17].out) && same_value(probe[13].in[1], made[18].out));
        CHECK(same_value(probe[14].in[2], made[20].out) && same_value(probe[14].in[4], made[22].out));
        CHECK(same_value(probe[15].in[0], word(6)));
        CHECK(same_value(probe[17].in[0], made[23].out) && same_value(probe[17].in[1], made[24].out));
        CHECK(same_value(probe[19].in[0], made[25].out) && same_value(probe[19].in[1], made[26].out));
        CHECK(same_value(probe[19].in[2], made[25].out) && same_value(probe[19].in[3], made[26].out));
        end(&t);
        for (uint32_t i = 0; i < STEPS; i++) {               /* each output once, however it was passed on */
            if (made[i].values != made[i].runs || made[i].states != 1) {
                fail_msg("step %u: %u runs, %u values, %u states", i, made[i].runs, made[i].values, made[i].states);
            }
            CHECK_EQUAL(made[i].early + made[i].dead, 0);
            if (made[i].values) { CHECK(same_value(made[i].dropped, made[i].out)); }
        }
    }
}
/* NULL, and the device has the reason: whoever schedules it could only say that it is NULL. */
#define REFUSED(expression, word)                                                                                    \
    do {                                                                                                             \
        uint64_t count_ = sf_device_failure(t.device)->count;                                                        \
        CHECK(!(expression));                                                                                        \
        CHECK_EQUAL(sf_device_failure(t.device)->count, count_ + 1);                                                 \
        CHECK(strstr(sf_device_failure(t.device)->text, word) != NULL);                                              \
    } while (0)
static void constructors_refuse(void **state)
{
    enum { CASES = 18 };
    (void)state;
    for (int kind = 0; kind < (on_cuda() ? 1 : 2); kind++) {
        rig t = begin(kind);
        sf_device *other = test_open_order((sf_order)kind, 1), *not_one = (sf_device *)(void *)t.s[0];
        step kept[CASES], foreign = { .runs = 0 }, lost = { .runs = 0 };
        sf_lazy_desc nothing = { .name = "no run", .state = &lost, .drop_state = step_state }, good = step_desc(&lost);
        static blob_args args;
        uint32_t n = 0;
        sf_lazy *parts[3];
        memset(kept, 0, sizeof kept);
        CHECK(!sf_lazy_value(NULL, word(1)));
        CHECK(!sf_lazy_value(not_one, word(1)));
        CHECK(!sf_lazy_do(NULL, &good));
        CHECK(!sf_lazy_do(not_one, &good));
        REFUSED(sf_lazy_do(t.device, NULL), "sf_lazy_do: there is no function");
        REFUSED(sf_lazy_do(t.device, &nothing), "no run");
        CHECK(!sf_lazy_kernel(NULL, &mix_kernel, &args, 8));
        REFUSED(sf_lazy_kernel(t.device, NULL, &args, 8), "sf_lazy_kernel");
        REFUSED(sf_lazy_kernel(t.device, &mix_kernel, NULL, 8), "sf_lazy_kernel");
        REFUSED(sf_lazy_kernel(t.device, &mix_kernel, &args, SF_MAX_ARGS + 1), "4096");
        REFUSED(sf_lazy_kernel(t.device, &mix_kernel, &args, SIZE_MAX), "4096");
        CHECK(!sf_lazy_memcpy(NULL, t.data, t.data + 1, 4));
        REFUSED(sf_lazy_memcpy(t.device, NULL, t.data, 4), "sf_lazy_memcpy");
        REFUSED(sf_lazy_memcpy(t.device, t.data, NULL, 4), "sf_lazy_memcpy");
        CHECK(!sf_lazy_then(NULL, &good));
        CHECK(!sf_lazy_zip(NULL, 2));
        CHECK(!sf_lazy_par(NULL, 2));
        CHECK(!sf_lazy_zip(NULL, 0));
        CHECK(!sf_lazy_par(NULL, 0));
        CHECK(!sf_lazy_share(NULL));
        CHECK(!sf_lazy_pick(NULL, 0));
        CHECK(!sf_lazy_repeat(NULL, 1));
        CHECK(!sf_lazy_graph(NULL));
        CHECK(!sf_lazy_retain(NULL));
        sf_lazy_drop(NULL);
#define KEPT do_step(t.device, &kept[n++])
        REFUSED(sf_lazy_then(KEPT, NULL), "sf_lazy_then");
        REFUSED(sf_lazy_then(KEPT, &nothing), "no run");
        REFUSED(sf_lazy_pick(KEPT, -1), "sf_lazy_pick");
        REFUSED(sf_lazy_pick(KEPT, INT32_MIN), "sf_lazy_pick");
        REFUSED(sf_lazy_repeat(KEPT, -1), "sf_lazy_repeat");
        for (int at = 0; at < 3; at++) {                     /* a NULL among the parts: the others are dropped */
            for (int i = 0; i < 3; i++) { parts[i] = i == at ? NULL : KEPT; }
            CHECK(!(at & 1 ? sf_lazy_par(parts, 3) : sf_lazy_zip(parts, 3)));
        }
        parts[0] = KEPT, parts[1] = do_step(other, &foreign);
        REFUSED(sf_lazy_zip(parts, 2), "two devices");                       /* two devices in one */
        for (uint32_t i = 0; i < n; i++) { CHECK_EQUAL(kept[i].states, 1); }
        CHECK_EQUAL(foreign.states, 1);
        CHECK(!sf_lazy_graph(sf_lazy_repeat(sf_lazy_share(sf_lazy_pick(sf_lazy_then(NULL, &good), 0)), 2)));
        CHECK_OK(sf_device_close(other, GUARD));
        end(&t);
        for (uint32_t i = 0; i < n; i++) { CHECK_STEP(kept[i], 0, 0); }
        CHECK_EQUAL(lost.runs + lost.values, 0);
        CHECK_EQUAL(lost.states, 6);         /* what came to nothing leaves nothing */
    }
#undef KEPT
}
static void refused_when_it_runs(void **state)
{
    static const sf_kernel none = { .name = "bodiless" };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step a = { .out = word(1) }, after = { .runs = 0 }, b = { .out = word(1) }, after_b = { .runs = 0 };
        sf_lazy *l = sf_lazy_kernel(t.device, &none, NULL, 0);
        sf_value v = word(3);
        if (l) { CHECK_IS(sf_lazy_sync(l, NULL, GUARD, NULL), SF_ERROR_NOT_SUPPORTED); }
        l = then_step(sf_lazy_pick(do_step(t.device, &a), 1), &after);       /* there is one output, number 0 */
        CHECK_IS(sf_lazy_sync(l, NULL, GUARD, NULL), SF_ERROR_INVALID_VALUE);
        l = then_step(sf_lazy_pick(sf_lazy_repeat(do_step(t.device, &b), 0), 0), &after_b);
        CHECK_IS(sf_lazy_sync(l, NULL, GUARD, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_OK(sf_lazy_sync(sf_lazy_memcpy(t.device, t.data, t.data + 1, 0), NULL, GUARD, &v));
        CHECK(v.ptr == t.data);
        CHECK_OK(sf_lazy_sync(sf_lazy_value(t.device, word(4)), NULL, GUARD, &v));
        CHECK(same_value(v, word(4)));
        CHECK_OK(sf_lazy_sync(sf_lazy_repeat(sf_lazy_value(t.device, word(4)), 0), NULL, GUARD, &v));
        CHECK(is_zero(v));                                   /* zero where there is no output */
        end(&t);
        CHECK_STEP(a, 1, 1);
        CHECK_STEP(after, 0, 0);
        CHECK_STEP(b, 0, 0);
        CHECK_STEP(after_b, 0, 0);
    }
}
static void never_run(void **state) /* a dropped description of every kind is its states, given back */
{
    (void)state;
    for (int kind = 0; kind < (on_cuda() ? 1 : 2); kind++) {
        rig t = begin(kind);
        step s[12];
        uint32_t n = 0;
        sf_counters before = counters_of(t.device), after;
        sf_lazy *parts[2], *shared, *l;
        sf_future *f;
        memset(s, 0, sizeof s);
        for (uint32_t i = 0; i < COUNT(s); i++) { s[i].out = word(i); }
        sf_lazy_drop(do_step(t.device, &s[n++]));
        sf_lazy_drop(then_step(sf_lazy_graph(do_step(t.device, &s[n])), &s[n + 1])), n += 2;
        parts[0] = sf_lazy_repeat(do_step(t.device, &s[n++]), 3), parts[1] = do_step(t.device, &s[n++]);
        sf_lazy_drop(sf_lazy_pick(sf_lazy_par(parts, 2), 0));
        shared = sf_lazy_share(do_step(t.device, &s[n++]));
        parts[0] = sf_lazy_retain(shared), parts[1] = shared;
        sf_lazy_drop(sf_lazy_zip(parts, 2));
        l = do_step(t.device, &s[n++]);
        CHECK(sf_lazy_retain(l) == l);
        sf_lazy_drop(l);
        CHECK_EQUAL(s[n - 1].states, 0);                     /* one reference is left */
        sf_lazy_drop(l);
        for (uint32_t i = 0; i < n; i++) { CHECK_EQUAL(s[i].states, 1); }
        f = scheduled(then_step(do_step(t.device, &s[n]), &s[n + 1]), NULL), n += 2;
        CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_IDLE);
        sf_future_drop(f);                                   /* an idle future: nothing is submitted */
        CHECK_EQUAL(s[n - 1].states, 1);
        CHECK_EQUAL(s[n - 2].states, 1);
        (void)scheduled(do_step(t.device, &s[n++]), NULL);   /* idle, and still there when the device is closed; */
        CHECK(do_step(t.device, &s[n++]));                   /* never scheduled, and still there */
        after = counters_of(t.device);
        CHECK_EQUAL(after.launches, before.launches);
        end(&t);
        for (uint32_t i = 0; i < n; i++) { CHECK_STEP(s[i], 0, 0); }
    }
}

/* -- order -- */

static void zip_is_in_turn(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        enum { PARTS = 12 };
        uint32_t *log = t.data + 100;
        step s[PARTS];
        sf_lazy *parts[PARTS];
        sf_future *f;
        memset(s, 0, sizeof s);
        for (uint32_t i = 0; i < PARTS; i++) {
            s[i] = (step){ .dst = t.data, .mul = 3, .add = i, .log = log, .id = i, .out = word(i) };
            if (i == 4) { s[i].gate = t.flag; }
            parts[i] = do_step(t.device, &s[i]);
        }
        f = submitted(sf_lazy_zip(parts, PARTS), NULL);
        for (uint32_t i = 0; i < PARTS; i++) {
            CHECK_EQUAL(s[i].runs, 1);                       /* all enqueued already */
            CHECK(s[i].stream == s[0].stream);
        }
        CHECK(comes(t.device, log, 4));
        give_it_time(t.device);
        CHECK_EQUAL(test_load(log), 4);                      /* a gate in front of the fifth holds up the rest */
        CHECK_IS(sf_future_poll(f), SF_NOT_READY);
        test_store(t.flag, 1);
        CHECK_OK(sf_future_wait(f, GUARD));
        CHECK_EQUAL(log[0], PARTS);
        for (uint32_t i = 0; i < PARTS; i++) { CHECK_EQUAL(log[1 + i], i); }
        sf_future_drop(f);
        end(&t);
        for (uint32_t i = 0; i < PARTS; i++) { CHECK_STEP(s[i], 1, 1); }
    }
}
typedef struct meet { uint32_t *mine, *next; step step; } meet;
static sf_result meet_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    meet *m = (meet *)x->state;
    sf_result r = test_lift(x->stream, m->mine, 1);          /* "I am here"; then for the next one to say so */
    sf_lazy_context y = *x;
    y.state = &m->step;
    if (r >= 0) { r = test_gate(x->stream, m->next, 1); }
    return r < 0 ? r : step_run(&y, in, count, out);
}
static void par_is_side_by_side(void **state) /* one after the other, in whichever order, none would get on */
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (uint32_t parts = 2; parts <= 4; parts++) {
            rig t = begin(kind);
            meet m[4];
            step sum = { .dst = t.data + 9, .src = t.data + 1, .mul = 1 };
            sf_lazy *l[4];
            sf_stream *own = NULL;
            memset(m, 0, sizeof m);
            for (uint32_t i = 0; i < parts; i++) {
                sf_lazy_desc d = { .name = "meet", .run = meet_run, .state = &m[i] };
                m[i] = (meet){ .mine = t.flag + i, .next = t.flag + (i + 1) % parts,
                               .step = { .dst = t.data + i, .mul = 1, .add = i + 1 } };
                l[i] = sf_lazy_do(t.device, &d);
            }
            CHECK_OK(sf_lazy_sync_on(then_step(sf_lazy_par(l, (int)parts), &sum), t.s[0], GUARD, NULL));
            CHECK_EQUAL(t.data[9], 2);
            for (uint32_t i = 0; i < parts; i++) {
                CHECK_EQUAL(m[i].step.runs, 1);
                CHECK_EQUAL(t.data[i], i + 1);
                if (m[i].step.stream == t.s[0]) { own = m[i].step.stream; }
                for (uint32_t k = 0; k < i; k++) { CHECK(m[k].step.stream != m[i].step.stream); }
            }
            CHECK(own && m[0].step.stream == own);           /* the first part is on the stream itself */
            CHECK(sum.stream == t.s[0]);
            end(&t);
        }
    }
}
/* What follows waits for every part, whichever is slow, and each part for what went before. */
static void par_is_joined(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (uint32_t slow = 0; slow < 3; slow++) {
            rig t = begin(kind);
            uint32_t *d = t.data;
            step before = { .dst = d, .mul = 1, .add = 7, .out = word(9), .gate = t.flag + 1 }, part[3],
                 after[4] = { { 0 }, { 0 }, { 0 }, { 0 } };
            sf_lazy *first = sf_lazy_share(do_step(t.device, &before)), *parts[3], *l;
            sf_future *f;
            for (uint32_t i = 0; i < 3; i++) {
                part[i] = (step){ .dst = d + 1 + i, .src = d, .mul = 1, .add = i, .out = word(i),
                                  .gate = i == slow ? t.flag : NULL, .busy = d + 15, .done = d + 20 + i };
                parts[i] = then_step(i == 2 ? first : sf_lazy_retain(first), &part[i]);
            }
            parts[0] = sf_lazy_par(parts, 3);
            l = parts[0];
            for (uint32_t i = 0; i < 3; i++) {
                after[i] = (step){ .dst = d + 10, .src = d + 1 + i, .mul = 3, .add = i };
                l = then_step(l, &after[i]);
            }
            after[3] = (step){ .dst = d + 15, .mul = 1, .add = 1 };
            f = submitted(then_step(l, &after[3]), NULL);
            CHECK_EQUAL(after[3].runs, 1);
            give_it_time(t.device);
            for (uint32_t i = 0; i < 3; i++) { CHECK_EQUAL(test_load(d + 20 + i), 0); }
            test_store(t.flag + 1, 1);
            for (uint32_t i = 0; i < 3; i++) {               /* the others get on without the slow one */
                if (i != slow) { CHECK(comes(t.device, d + 20 + i, 1)); }
                if (i != slow) { CHECK_EQUAL(d[1 + i], 7 + i); }
            }
            give_it_time(t.device);
            CHECK_EQUAL(test_load(d + 10), 0);
            CHECK_IS(sf_future_poll(f), SF_NOT_READY);
            test_store(t.flag, 1);
            CHECK_OK(sf_future_wait(f, GUARD));
            CHECK_EQUAL(d[10], (7 * 3 + 8 + 1) * 3 + 9 + 2);
            CHECK_EQUAL(after[0].count, 3);
            for (int i = 0; i < 3; i++) { CHECK(same_value(after[0].in[i], word((uint32_t)i))); }
            sf_future_drop(f);
            end(&t);
            for (uint32_t i = 0; i < 3; i++) { CHECK_STEP(part[i], 1, 1); }
        }
    }
}
static void repeat_is_in_turn(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step a = { .dst = t.data, .mul = 3, .add = 1, .out = word(1) },
             b = { .dst = t.data + 1, .src = t.data, .mul = 5, .out = word(2) }, probe = { .runs = 0 };
        uint32_t model[2] = { 0 };
        sf_lazy *parts[2] = { do_step(t.device, &a), do_step(t.device, &b) };
        sf_future *f = scheduled(then_step(sf_lazy_repeat(sf_lazy_zip(parts, 2), 50), &probe), NULL);
        sf_value v[3] = { word(1), word(1), word(1) };
        CHECK_OK(sf_future_wait(f, GUARD));
        for (int i = 0; i < 50; i++) {
            model[0] = model[0] * 3 + 1;
            model[1] = model[1] * 5 + model[0];
        }
        CHECK_BYTES(t.data, model, sizeof model);
        CHECK_EQUAL(probe.count, 2);                         /* the last turn's, not all of them */
        CHECK_OK(sf_future_take(f, v, 3));
        CHECK(is_zero(v[0]) && is_zero(v[1]) && is_zero(v[2]));
        sf_future_drop(f);
        end(&t);
        CHECK_STEP(a, 50, 50);
        CHECK_STEP(b, 50, 50);
        CHECK_STEP(probe, 1, 0);                             /* its output was taken */
    }
}
/* An operation that is used twice runs twice, unless it is shared. */
static void twice_unless_shared(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step plain = { .dst = t.data, .mul = 1, .add = 1, .out = word(1) }, shared = plain;
        sf_lazy *l = do_step(t.device, &plain), *parts[3];
        shared.dst = t.data + 1;
        parts[0] = sf_lazy_retain(l), parts[1] = sf_lazy_retain(l), parts[2] = l;
        CHECK_OK(sf_lazy_sync(sf_lazy_zip(parts, 3), NULL, GUARD, NULL));
        CHECK_EQUAL(t.data[0], 3);
        l = sf_lazy_share(do_step(t.device, &shared));
        parts[0] = sf_lazy_retain(l), parts[1] = sf_lazy_retain(l), parts[2] = sf_lazy_share(sf_lazy_retain(l));
        CHECK_OK(sf_lazy_sync(sf_lazy_par(parts, 3), NULL, GUARD, NULL));
        CHECK_OK(sf_lazy_sync(sf_lazy_retain(l), NULL, GUARD, NULL));
        CHECK_OK(sf_lazy_sync(sf_lazy_repeat(l, 5), NULL, GUARD, NULL));
        CHECK_EQUAL(t.data[1], 1);
        end(&t);
        CHECK_STEP(plain, 3, 3);
        CHECK_STEP(shared, 1, 1);
    }
}
/* Users on other streams wait for the producer on the GPU; its value lives as long as one of them or a reference. */
static void share_across_streams(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data;
        step once = { .gate = t.flag, .dst = d, .mul = 1, .add = 7, .out = word(3), .busy = d + 14 }, user[3],
             last = { .dst = d + 14, .mul = 1, .add = 1 };
        sf_lazy *shared = sf_lazy_share(do_step(t.device, &once));
        sf_policy *p[3];
        sf_future *f[4];
        for (uint32_t i = 0; i < 3; i++) {
            p[i] = given(t.device, t.s[i]);
            user[i] = (step){ .dst = d + 1 + i, .src = d, .mul = 1, .add = i };
            f[i] = submitted(then_step(sf_lazy_retain(shared), &user[i]), p[i]);
        }
        CHECK(once.stream == t.s[0]);                        /* who comes first runs it on its own stream */
        give_it_time(t.device);
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_EQUAL(test_load(d + 1 + i), 0);
            CHECK_IS(sf_future_poll(f[i]), SF_NOT_READY);
            CHECK(same_value(user[i].in[0], word(3)));
        }
        test_store(t.flag, 1);
        for (uint32_t i = 3; i-- > 0;) { CHECK_OK(sf_future_wait(f[i], GUARD)); }
        for (uint32_t i = 0; i < 3; i++) {
            CHECK_EQUAL(d[1 + i], 7 + i);
            sf_future_drop(f[i]);
        }
        give_it_time(t.device);
        CHECK_EQUAL(test_load(&once.values), 0);             /* there is a reference left */
        f[3] = submitted(then_step(then_step(sf_lazy_retain(shared), &(step){ .gate = t.flag + 1 }), &last), p[2]);
        sf_lazy_drop(shared);
        give_it_time(t.device);
        CHECK_EQUAL(test_load(&once.values), 0);             /* and now a submission that uses it */
        test_store(t.flag + 1, 1);
        CHECK_OK(sf_future_wait(f[3], GUARD));
        sf_future_drop(f[3]);
        CHECK(comes(t.device, &once.values, 1));
        end(&t);
        CHECK_STEP(once, 1, 1);
        for (uint32_t i = 0; i < 3; i++) { CHECK_STEP(user[i], 1, 1); }
    }
}
static void a_shared_output_can_be_taken(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int takers = 0; takers < 4; takers++) {         /* a bit for each of two futures */
            rig t = begin(kind);
            step once = { .dst = t.data, .mul = 1, .add = 1, .out = word(3) };
            sf_lazy *shared = sf_lazy_share(do_step(t.device, &once));
            sf_policy *p = policy_of(t.device, SF_POLICY_ROUND_ROBIN, 2);
            sf_future *f[2];
            for (int i = 0; i < 2; i++) { f[i] = submitted(sf_lazy_retain(shared), p); }
            sf_lazy_drop(shared);
            for (int i = 0; i < 2; i++) {
                sf_value v = word(0);
                CHECK_OK(sf_future_wait(f[i], GUARD));
                if (takers >> i & 1) {
                    CHECK_OK(sf_future_take(f[i], &v, 1));
                    CHECK(same_value(v, word(3)));
                }
                sf_future_drop(f[i]);
            }
            end(&t);
            CHECK_STEP(once, 1, takers == 0);
        }
    }
}
static void a_failed_share_fails_all(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step first = { .out = word(1) }, once = { .result = (sf_result)-1234, .out = word(3) }, user[3];
        sf_lazy *shared = sf_lazy_share(then_step(do_step(t.device, &first), &once));
        memset(user, 0, sizeof user);
        for (int i = 0; i < 3; i++) {
            sf_lazy *l = then_step(sf_lazy_retain(shared), &user[i]);
            CHECK_IS(sf_lazy_sync_on(l, t.s[i % 2], GUARD, NULL), (sf_result)-1234);
        }
        sf_lazy_drop(shared);
        end(&t);
        CHECK_STEP(first, 1, 1);
        CHECK_STEP(once, 1, 0);                              /* what a failing function put out is nobody's */
        for (int i = 0; i < 3; i++) { CHECK_STEP(user[i], 0, 0); }
    }
}

/* -- going on with another operation -- */

static void next_takes_over(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data;
        step a = { .dst = d, .mul = 1, .add = 2, .out = word(1) }, inner[2], probe = { .dst = d, .mul = 3, .add = 4 };
        step failing = { .result = (sf_result)-1200 }, dropped = { .out = word(8) };
        sf_lazy *parts[2];
        for (uint32_t i = 0; i < 2; i++) {
            inner[i] = (step){ .dst = d, .mul = 3, .add = 10 + i, .out = word(50 + i) };
            parts[i] = do_step(t.device, &inner[i]);
        }
        a.next = sf_lazy_zip(parts, 2);
        CHECK_OK(sf_lazy_sync(then_step(do_step(t.device, &a), &probe), NULL, GUARD, NULL));
        CHECK_EQUAL(d[0], ((2 * 3 + 10) * 3 + 11) * 3 + 4);
        CHECK_EQUAL(probe.count, 2);
        CHECK(same_value(probe.in[0], word(50)) && same_value(probe.in[1], word(51)));
        CHECK(inner[0].stream == a.stream);
        failing.next = do_step(t.device, &dropped);          /* an error with another operation set: not run */
        CHECK_IS(sf_lazy_sync(do_step(t.device, &failing), NULL, GUARD, NULL), (sf_result)-1200);
        CHECK(comes(t.device, &dropped.states, 1));
        end(&t);
        CHECK_STEP(a, 1, 0);                                 /* its own output was replaced: there is none */
        CHECK_STEP(inner[0], 1, 1);
        CHECK_STEP(inner[1], 1, 1);
        CHECK_STEP(failing, 1, 0);
        CHECK_STEP(dropped, 0, 0);
    }
}
enum { DEEP = 10000 };
typedef struct link { uint32_t *word, left, states; sf_result result; } link_state;
static void link_gone(void *state) { test_add(&((link_state *)state)->states, 1); }
static sf_result link_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    link_state *l = (link_state *)x->state;
    sf_lazy_desc d = { .name = "link", .run = link_run, .state = l, .drop_state = link_gone };
    (void)in, (void)count;
    out->u64 = l->left;
    if (l->left-- == 0) { return l->result; }
    x->next = sf_lazy_do(x->device, &d);
    return x->next ? test_mix(x->stream, l->word, NULL, 1, 3, l->left, 0) : SF_ERROR_OUT_OF_MEMORY;
}
static sf_result count_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    link_state *l = (link_state *)x->state;
    out->u64 = count == 1 ? in[0].u64 + 1 : 0;
    return l->left-- % 8 ? SF_OK : test_mix(x->stream, l->word, NULL, 1, 3, (uint32_t)out->u64, 0);
}
typedef struct deep { rig *rig; int which, levels; sf_result result; sf_value out; link_state link; } deep;
static void *deep_thread(void *arg)
{
    deep *p = (deep *)arg;
    sf_device *device = p->rig->device;
    link_state *l = &p->link;
    sf_lazy_desc d = { .name = "deep", .run = link_run, .state = l, .drop_state = link_gone };
    sf_lazy *all = NULL, *parts[2];
    *l = (link_state){ .word = p->rig->data + p->which, .left = DEEP };
    if (p->which == 3) { l->result = (sf_result)-1300; }
    if (p->which == 1) {
        d.run = count_run;
        all = sf_lazy_do(device, &d);
        for (int i = 0; i < DEEP - 1; i++) { all = sf_lazy_then(all, &d); }
    } else if (p->which == 2) {              /* every other kind, inside each other */
        sf_lazy_desc one = { .name = "one", .run = count_run, .state = l };
        all = sf_lazy_do(device, &one);
        for (int i = 0; i < p->levels; i++) {
            parts[0] = all, parts[1] = sf_lazy_value(device, word(1));
            all = i % 4 == 0 ? sf_lazy_zip(parts, 1) : i % 4 == 1 ? sf_lazy_pick(sf_lazy_zip(parts, 2), 0)
                  : i % 4 == 2 ? sf_lazy_repeat(all, 1) : sf_lazy_then(all, &one);
            if (i % 4 == 0 || i % 4 > 1) { sf_lazy_drop(parts[1]); }
        }
    } else {
        all = sf_lazy_do(device, &d);
    }
    p->result = all ? sf_lazy_sync(all, NULL, GUARD, &p->out) : SF_ERROR_OUT_OF_MEMORY;
    return NULL;
}
/* 10,000 links, on a thread whose stack has no room for a call per link. Other kinds may have a limit to how deep
   they are inside each other: as an error, not as a crash. */
static void as_deep_as_you_like(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) {
        for (int kind = 0; kind < (on_cuda() ? 1 : 3); kind++) {
            rig t = begin(kind);
            deep p = { .rig = &t, .which = which < 4 ? which : 2, .levels = which < 4 ? 400 : DEEP };
            uint32_t model = 0;
            pthread_attr_t small;
            pthread_t thread;
            CHECK_EQUAL(pthread_attr_init(&small), 0);
            CHECK_EQUAL(pthread_attr_setstacksize(&small, which < 4 ? 1 << 20 : 8 << 20), 0);
            CHECK_EQUAL(pthread_create(&thread, &small, deep_thread, &p), 0);
            CHECK_EQUAL(pthread_join(thread, NULL), 0);
            CHECK_EQUAL(pthread_attr_destroy(&small), 0);
            if (which < 4 || p.result != SF_ERROR_INVALID_VALUE) {
                CHECK_IS(p.result, which == 3 ? (sf_result)-1300 : SF_OK);
            }
            if (which == 0) {
                for (uint32_t i = DEEP; i-- > 0;) { model = model * 3 + i; }
                CHECK_EQUAL(p.out.u64, 0);
            } else if (which == 1) {
                for (uint32_t i = 0; i < DEEP; i++) { model = i % 8 ? model : model * 3 + i; }
                CHECK_EQUAL(p.out.u64, DEEP - 1);
            } else if (p.which == 2 && p.result == SF_OK) {
                CHECK_EQUAL(p.out.u64, p.levels / 4);
            }
            if (which < 2) { CHECK_EQUAL(t.data[which], model); }
            end(&t);
            if (p.which != 2) { CHECK_EQUAL(p.link.states, which == 1 ? DEEP : DEEP + 1); }
        }
    }
}

/* -- graphs -- */

static void captured_once_and_replayed(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data, model[2] = { 0 };
        step a = { .dst = d, .mul = 3, .add = 1, .out = word(1) },
             b = { .dst = d + 1, .src = d, .mul = 5, .out = word(2) };
        sf_lazy *parts[2] = { do_step(t.device, &a), do_step(t.device, &b) }, *graph;
        sf_policy *policy = policy_of(t.device, SF_POLICY_ROUND_ROBIN, 3);
        sf_counters before;
        sf_future *f[6];
        graph = sf_lazy_graph(sf_lazy_zip(parts, 2));
        before = counters_of(t.device);
        CHECK_OK(sf_lazy_sync(sf_lazy_repeat(sf_lazy_retain(graph), 5), policy, GUARD, NULL));
        CHECK_EQUAL(counters_of(t.device).graph_launches, before.graph_launches + 5);
        CHECK_EQUAL(a.runs, 1);
        /* from several streams, all in flight: launches of one graph are one after the other */
        for (size_t i = 0; i < COUNT(f); i++) { f[i] = submitted(sf_lazy_retain(graph), policy); }
        sf_lazy_drop(graph);
        for (size_t i = 0; i < COUNT(f); i++) {
            sf_value v[2];
            CHECK_OK(sf_future_wait(f[i], GUARD));
            if (i == 2) {
                CHECK_OK(sf_future_take(f[i], v, 2));
                CHECK(same_value(v[0], word(1)) && same_value(v[1], word(2)));       /* the same as ever */
            }
            sf_future_drop(f[i]);
        }
        CHECK_EQUAL(counters_of(t.device).graph_launches, before.graph_launches + 11);
        for (int i = 0; i < 11; i++) {
            model[0] = model[0] * 3 + 1;
            model[1] = model[1] * 5 + model[0];
        }
        CHECK_BYTES(d, model, sizeof model);
        CHECK_OK(sf_policy_destroy(policy));
        end(&t);
        CHECK_STEP(a, 1, 0);                                 /* taken once is taken */
        CHECK_STEP(b, 1, 0);
    }
}
static void graphs_inside_others(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data, model[8] = { 0 };
        step in_graph[3], then[4];
        sf_lazy *parts[2], *l;
        sf_counters before;
        for (uint32_t i = 0; i < 3; i++) {
            in_graph[i] = (step){ .dst = d + i, .mul = 3, .add = i + 1, .out = word(i), .busy = d + 8 };
        }
        for (uint32_t i = 0; i < 3; i++) { then[i] = (step){ .dst = d + 3, .src = d + i, .mul = 1 + 2 * i }; }
        then[3] = (step){ .dst = d + 8, .mul = 1, .add = 1 };
        parts[0] = sf_lazy_graph(do_step(t.device, &in_graph[0]));
        parts[1] = sf_lazy_repeat(sf_lazy_graph(do_step(t.device, &in_graph[1])), 2);
        l = sf_lazy_par(parts, 2);                           /* side by side */
        parts[0] = l, parts[1] = sf_lazy_graph(do_step(t.device, &in_graph[2]));
        l = sf_lazy_zip(parts, 2);                           /* in turn */
        for (int i = 0; i < 4; i++) { l = then_step(l, &then[i]); }
        before = counters_of(t.device);
        CHECK_OK(sf_lazy_sync(l, NULL, GUARD, NULL));
        CHECK_EQUAL(counters_of(t.device).graph_launches, before.graph_launches + 4);
        model[0] = 1, model[1] = 2 * 3 + 2, model[2] = 3;
        model[3] = ((1) * 3 + 8) * 5 + 3;
        model[4] = 0;
        CHECK_BYTES(d, model, sizeof model);
        CHECK_EQUAL(then[0].count, 3);
        for (uint32_t i = 0; i < 3; i++) { CHECK(same_value(then[0].in[i], word(i))); }
        end(&t);
        for (uint32_t i = 0; i < 3; i++) { CHECK_STEP(in_graph[i], 1, 1); }
    }
}
/* Forks, host functions, chains and copies, all captured; each replay does all of it. */
typedef struct host_state { uint32_t calls; } host_state;
static void host_func(void *user) { test_add(&((host_state *)user)->calls, 1); }
static sf_result host_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count, (void)out;
    return sf_launch_host_func(x->stream, host_func, x->state);
}
static void a_graph_of_everything(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        enum { TURNS = 7 };
        uint32_t *d = t.data, model[6] = { 0 };
        host_state host = { 0 };
        sf_lazy_desc call = { .name = "call", .run = host_run, .state = &host };
        step part[3], chain = { .dst = d + 3, .src = d, .mul = 1, .add = 4, .out = word(1) },
             link = { .dst = d + 3, .src = d + 1, .mul = 5, .out = word(2) },
             sum = { .dst = d + 4, .src = d + 3, .mul = 3, .out = word(3) };
        mix_args args = { .dst = d + 2, .n = 1, .mul = 7, .add = 1 };
        void *device_memory = NULL;
        sf_lazy *parts[5], *l;
        CHECK_OK(sf_mem_alloc(t.device, 64, SF_MEMORY_DEVICE, &device_memory));
        for (uint32_t i = 0; i < 3; i++) { part[i] = (step){ .dst = d + i, .mul = 3, .add = i + 1, .out = word(i) }; }
        for (uint32_t i = 0; i < 2; i++) { parts[i] = do_step(t.device, &part[i]); }
        parts[2] = sf_lazy_repeat(sf_lazy_kernel(t.device, &mix_kernel, &args, sizeof args), 2);
        parts[3] = sf_lazy_do(t.device, &call);
        l = sf_lazy_par(parts, 4);
        chain.next = do_step(t.device, &link);
        l = then_step(then_step(l, &chain), &sum);
        parts[0] = l, parts[1] = sf_lazy_memcpy(t.device, device_memory, d + 4, 4);
        parts[2] = sf_lazy_memcpy(t.device, d + 5, device_memory, 4), parts[3] = sf_lazy_value(t.device, word(5));
        l = sf_lazy_graph(sf_lazy_zip(parts, 4));
        CHECK_OK(sf_lazy_sync(sf_lazy_repeat(l, TURNS), NULL, GUARD, NULL));
        for (int i = 0; i < TURNS; i++) {
            model[0] = model[0] * 3 + 1, model[1] = model[1] * 3 + 2;
            model[2] = (model[2] * 7 + 1) * 7 + 1;
            model[3] = (model[3] + model[0] + 4) * 5 + model[1];
            model[5] = model[4] = model[4] * 3 + model[3];
        }
        CHECK_BYTES(d, model, sizeof model);
        CHECK_EQUAL(host.calls, TURNS);
        CHECK(comes(t.device, &sum.values, 1));
        CHECK_OK(sf_mem_free(t.device, device_memory));
        end(&t);
        CHECK_STEP(part[0], 1, 1);
        CHECK_STEP(chain, 1, 0);
        CHECK_STEP(link, 1, 1);
        CHECK_STEP(sum, 1, 1);
    }
}
/* Stream-ordered memory that a step makes, and that its value's drop gives back. */
typedef struct mem_step { uint32_t add, runs, values, states, failed, *copy; const uint32_t *busy; } mem_step;
static sf_result mem_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    mem_step *m = (mem_step *)x->state;
    sf_result r = sf_mem_alloc_async(x->stream, NULL, 256, &out->ptr);
    test_add(&m->runs, 1);
    if (r >= 0) { r = test_mix(x->stream, (uint32_t *)out->ptr, NULL, 64, 0, m->add, 0); }
    for (int i = 0; i < count && r >= 0; i++) {
        r = test_mix(x->stream, (uint32_t *)out->ptr, (const uint32_t *)in[i].ptr, 64, 3, 1, 0);
    }
    if (r >= 0 && m->copy) { r = test_mix(x->stream, m->copy, (const uint32_t *)out->ptr, 1, 3, 0, 0); }
    return r;
}
static void mem_value(void *state, sf_value value, sf_stream *stream)
{
    mem_step *m = (mem_step *)state;
    if (m->busy && !test_load(m->busy)) { test_add(&m->failed, 1); }
    if (sf_mem_free_async(stream, value.ptr) < 0) { test_add(&m->failed, 1); }
    test_add(&m->values, 1);
}
static void mem_state(void *state) { test_add(&((mem_step *)state)->states, 1); }
static sf_lazy_desc mem_desc(mem_step *m)
{
    return (sf_lazy_desc){
        .name = "memory", .run = mem_run, .state = m, .drop_state = mem_state, .drop_value = mem_value
    };
}
/* A share that a graph uses runs outside of it, once; each launch comes after that, on whichever stream. A graph in a
   graph is part of it. */
static void shares_and_graphs_inside_a_graph(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data;
        step once = { .gate = t.flag, .dst = d, .mul = 3, .add = 7, .out = word(1), .busy = d + 1 },
             user = { .dst = d + 1, .src = d, .mul = 3, .out = word(2) },
             deep = { .dst = d + 2, .src = d, .mul = 5, .add = 1, .out = word(3) };
        sf_lazy *shared = sf_lazy_share(do_step(t.device, &once)), *graph;
        sf_future *f[3];
        graph = both(sf_lazy_zip, then_step(sf_lazy_retain(shared), &user),
                     sf_lazy_repeat(sf_lazy_graph(then_step(shared, &deep)), 2));
        graph = sf_lazy_graph(graph);
        for (int i = 0; i < 3; i++) {
            sf_policy *p = given(t.device, t.s[i]);
            f[i] = submitted(sf_lazy_retain(graph), p);
            CHECK_OK(sf_policy_destroy(p));
        }
        sf_lazy_drop(graph);
        give_it_time(t.device);
        for (int i = 0; i < 3; i++) { CHECK_IS(sf_future_poll(f[i]), SF_NOT_READY); }
        test_store(t.flag, 1);
        for (int i = 3; i-- > 0;) {
            CHECK_OK(sf_future_wait(f[i], GUARD));
            sf_future_drop(f[i]);
        }
        CHECK_EQUAL(d[0], 7);
        CHECK_EQUAL(d[1], (7 * 3 + 7) * 3 + 7);
        for (uint32_t i = 0, model = 0; i < 6; i++) {
            model = model * 5 + 8;
            if (i == 5) { CHECK_EQUAL(d[2], model); }
        }
        end(&t);
        CHECK_STEP(once, 1, 1);
        CHECK_STEP(user, 1, 1);
        CHECK_EQUAL(deep.values, deep.runs);
        CHECK(deep.runs == 1 || deep.runs == 2); /* once for each turn, or once for all */
        CHECK_EQUAL(deep.states, 1);
    }
}
static void memory_inside_a_graph(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t model = 0;
        mem_step a = { .add = 5 }, b = { .add = 7, .copy = t.data };
        sf_lazy_desc da = mem_desc(&a), db = mem_desc(&b);
        sf_lazy *graph = sf_lazy_graph(sf_lazy_then(sf_lazy_do(t.device, &da), &db));
        step user = { .dst = t.data + 1, .src = t.data, .mul = 1 };
        sf_counters before = counters_of(t.device);
        CHECK_OK(sf_lazy_sync(then_step(sf_lazy_repeat(sf_lazy_retain(graph), 4), &user), NULL, GUARD, NULL));
        CHECK_OK(sf_lazy_sync_on(sf_lazy_retain(graph), t.s[1], GUARD, NULL));
        for (int i = 0; i < 5; i++) {
            model = model * 3 + 7 * 3 + 5 + 1;
            if (i == 3) { CHECK_EQUAL(t.data[1], model); }
        }
        CHECK_EQUAL(t.data[0], model);
        give_it_time(t.device);
        CHECK_EQUAL(a.values + b.values, 0);                 /* it may be run again */
        sf_lazy_drop(graph);
        CHECK(comes(t.device, &a.values, 1) && comes(t.device, &b.values, 1));
        CHECK(comes(t.device, &a.states, 1) && comes(t.device, &b.states, 1));
        CHECK_OK(sf_device_synchronize(t.device, GUARD));
        CHECK_EQUAL(counters_of(t.device).live_bytes, before.live_bytes);
        end(&t);
        CHECK_EQUAL(a.runs + b.runs + a.values + b.values + a.states + b.states, 6);
        CHECK_EQUAL(a.failed + b.failed, 0);
    }
}
static sf_result ask_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count, (void)out;
    *(uint32_t *)x->state += 1;
    return sf_stream_query(x->stream);       /* not while it is captured: that spoils the capture */
}
static void a_graph_that_fails(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step a = { .dst = t.data, .mul = 1, .add = 1, .out = word(1) }, bad = { .result = (sf_result)-1400 },
             after = { .runs = 0 }, a2 = a, good = { .dst = t.data + 1, .mul = 1, .add = 3 };
        uint32_t asked = 0;
        sf_lazy_desc ask = { .name = "ask", .run = ask_run, .state = &asked };
        sf_lazy *l = sf_lazy_graph(then_step(do_step(t.device, &a), &bad));
        sf_capture_status status = SF_CAPTURE_ACTIVE;
        CHECK_IS(sf_lazy_sync_on(then_step(l, &after), t.s[0], GUARD, NULL), (sf_result)-1400);
        CHECK_OK(sf_stream_is_capturing(t.s[0], &status));
        CHECK_EQUAL(status, SF_CAPTURE_NONE);
        CHECK(sf_lazy_sync_on(sf_lazy_graph(sf_lazy_then(do_step(t.device, &a2), &ask)), t.s[0], GUARD, NULL) < 0);
        CHECK_EQUAL(asked, 1);
        CHECK_OK(sf_stream_is_capturing(t.s[0], &status));
        CHECK_EQUAL(status, SF_CAPTURE_NONE);
        CHECK_OK(sf_lazy_sync_on(sf_lazy_graph(do_step(t.device, &good)), t.s[0], GUARD, NULL));
        CHECK_EQUAL(t.data[0], 0);                           /* captured, but never launched */
        CHECK_EQUAL(t.data[1], 3);
        end(&t);
        CHECK_STEP(a, 1, 1);
        CHECK_STEP(bad, 1, 0);
        CHECK_STEP(after, 0, 0);
        CHECK_STEP(a2, 1, 1);
        CHECK_STEP(good, 1, 1);
    }
}
static void a_graph_dropped_in_flight(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step gate = { .gate = t.flag }, a = { .dst = t.data, .mul = 3, .add = 1, .out = word(1), .busy = t.data };
        sf_lazy *parts[2] = { do_step(t.device, &gate), do_step(t.device, &a) };
        CHECK_OK(sf_lazy_async_on(sf_lazy_repeat(sf_lazy_graph(sf_lazy_zip(parts, 2)), 3), t.s[0]));
        give_it_time(t.device);
        CHECK_EQUAL(a.values + a.states, 0);
        test_store(t.flag, 1);
        CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
        CHECK_EQUAL(t.data[0], 13);
        CHECK(comes(t.device, &a.states, 1));
        end(&t);
        CHECK_STEP(a, 1, 1);
        CHECK_STEP(gate, 1, 1);
    }
}

/* -- who owns what -- */

/* A future dropped while its stream is held: all of its memory stays, its work is done, and then all of it goes. */
static void dropped_in_flight(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int way = 0; way < 4; way++) {
            rig t = begin(kind);
            uint32_t *d = t.data;
            mem_step m[3] = { { .add = 5 }, { .add = 7, .copy = d }, { .add = 9 } };
            step hold = { .gate = t.flag, .out = word(1), .busy = d + 8 },
                 last = { .dst = d + 8, .mul = 1, .add = 1, .out = word(2), .busy = d + 8 };
            host_state host = { 0 };
            sf_lazy_desc desc[3], call = { .name = "call", .run = host_run, .state = &host };
            sf_policy *p = given(t.device, t.s[0]);
            sf_lazy *parts[2], *l;
            sf_future *f = NULL;
            sf_counters before = counters_of(t.device);
            for (int i = 0; i < 3; i++) { m[i].busy = &host.calls, desc[i] = mem_desc(&m[i]); }
            parts[0] = sf_lazy_do(t.device, &desc[0]), parts[1] = sf_lazy_do(t.device, &desc[2]);
            parts[0] = sf_lazy_zip(parts, 2), parts[1] = do_step(t.device, &hold);
            l = sf_lazy_pick(sf_lazy_zip(parts, 2), 0);
            l = then_step(sf_lazy_then(l, &desc[1]), &last);
            parts[0] = l, parts[1] = sf_lazy_do(t.device, &call);
            l = sf_lazy_zip(parts, 2);
            switch (way) {
            case 0: f = submitted(l, p); break;
            case 1:
                f = scheduled(l, p);
                CHECK_IS(sf_future_wait(f, 0), SF_TIMEOUT);
                break;
            case 2: CHECK_OK(sf_lazy_async_on(l, t.s[0])); break;
            default: CHECK_IS(sf_lazy_sync_on(l, t.s[0], SF_MS(1), NULL), SF_TIMEOUT);
            }
            CHECK_EQUAL(m[1].runs, 1);
            if (f) { sf_future_drop(f); }
            CHECK_OK(sf_policy_destroy(p));
            if (way & 1) { CHECK_OK(sf_stream_destroy(t.s[0])); }            /* frees go to another stream */
            give_it_time(t.device);
            CHECK_EQUAL(m[0].values + m[1].values + m[2].values + hold.values + last.values, 0);
            CHECK_EQUAL(m[0].states + m[1].states + m[2].states + hold.states + last.states, 0);
            test_store(t.flag, 1);
            for (int i = 0; i < 3; i++) { CHECK(comes(t.device, &m[i].values, 1)); }
            CHECK(comes(t.device, &last.values, 1) && comes(t.device, &hold.states, 1));
            CHECK_EQUAL(host.calls, 1);
            CHECK_EQUAL(d[0], 7 * 3 + 5 + 1);
            CHECK_OK(sf_device_synchronize(t.device, GUARD));
            CHECK_EQUAL(counters_of(t.device).live_bytes, before.live_bytes);
            end(&t);
            for (int i = 0; i < 3; i++) {
                CHECK_EQUAL(m[i].failed, 0);
                CHECK_EQUAL(m[i].values, 1);
                CHECK_EQUAL(m[i].states, 1);
            }
            CHECK_STEP(hold, 1, 1);
            CHECK_STEP(last, 1, 1);
        }
    }
}
static void take_is_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        static const int maxima[] = { 0, 1, 2, 3, 5, -1, 4 };
        for (size_t m = 0; m < COUNT(maxima); m++) {
            rig t = begin(kind);
            int max = maxima[m], taken = max < 0 ? 0 : max < 3 ? max : 3;
            bool null = m == 0;              /* nowhere to put nothing */
            step s[3];
            sf_lazy *parts[3];
            sf_value v[6];
            sf_future *f;
            for (uint32_t i = 0; i < 3; i++) {
                s[i] = (step){ .dst = t.data, .mul = 3, .add = i, .out = word(i + 1) };
                parts[i] = do_step(t.device, &s[i]);
            }
            f = scheduled(sf_lazy_zip(parts, 3), NULL);
            for (int i = 0; i < 6; i++) { v[i] = word(99); }
            CHECK_IS(sf_future_take(f, v, 6), SF_NOT_READY); /* and submits nothing */
            CHECK_EQUAL(s[0].runs, 0);
            CHECK_OK(sf_future_wait(f, GUARD));
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_READY);
            give_it_time(t.device);
            for (int i = 0; i < 3; i++) { CHECK_EQUAL(test_load(&s[i].values), 0); } /* they can still be taken */
            CHECK_IS(sf_future_take(f, NULL, 3), SF_ERROR_INVALID_VALUE);
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_READY);
            if (max < 0) {
                CHECK_IS(sf_future_take(f, v, max), SF_ERROR_INVALID_VALUE);
                CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_READY);
            } else {
                CHECK_OK(sf_future_take(f, null ? NULL : v, max));
                for (int i = 0; i < max; i++) {
                    CHECK(i < 3 ? same_value(v[i], word((uint32_t)i + 1)) : is_zero(v[i]));
                }
                CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_TAKEN);
                for (int i = 0; i < 2; i++) {
                    CHECK_IS(sf_future_take(f, v, 6), SF_ERROR_ILLEGAL_STATE);
                    CHECK_IS(sf_future_poll(f), SF_ERROR_ILLEGAL_STATE);
                    CHECK_IS(sf_future_wait(f, 0), SF_ERROR_ILLEGAL_STATE);
                }
            }
            for (int i = max < 0 ? 0 : max; i < 6; i++) { CHECK(same_value(v[i], word(99))); }
            sf_future_drop(f);
            for (int i = taken; i < 3; i++) { CHECK(comes(t.device, &s[i].values, 1)); }
            end(&t);
            for (int i = 0; i < 3; i++) { CHECK_STEP(s[i], 1, i >= taken); }
        }
    }
}
/* sf_lazy_sync and sf_lazy_sync_on: *out is the caller's from then on; without it, it is dropped like the others. */
static void sync_hands_over_the_first(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int way = 0; way < 4; way++) {
            rig t = begin(kind);
            step s[2];
            sf_lazy *parts[2], *l;
            sf_value v = word(99), *out = way & 1 ? &v : NULL;
            for (uint32_t i = 0; i < 2; i++) {
                s[i] = (step){ .dst = t.data, .mul = 3, .add = i + 1, .out = word(i + 1) };
                parts[i] = do_step(t.device, &s[i]);
            }
            l = sf_lazy_zip(parts, 2);
            CHECK_OK(way & 2 ? sf_lazy_sync_on(l, t.s[0], GUARD, out) : sf_lazy_sync(l, NULL, SF_FOREVER, out));
            CHECK_EQUAL(t.data[0], 5);
            CHECK(same_value(v, out ? word(1) : word(99)));
            if (way & 2) { CHECK(s[0].stream == t.s[0]); }
            CHECK(comes(t.device, &s[1].values, 1));
            end(&t);
            CHECK_STEP(s[0], 1, !out);
            CHECK_STEP(s[1], 1, 1);
        }
    }
}
static void sync_in_time(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data;
        step s[4];
        sf_value v;
        for (uint32_t i = 0; i < 4; i++) {
            s[i] = (step){ .gate = t.flag, .dst = d + i, .mul = 1, .add = i + 1, .done = d + 8 + i, .out = word(i),
                           .busy = d + 8 + i };
        }
        CHECK_IS(sf_lazy_sync(do_step(t.device, &s[0]), NULL, 0, NULL), SF_TIMEOUT);
        CHECK_IS(sf_lazy_sync(do_step(t.device, &s[1]), NULL, SF_MS(2), NULL), SF_TIMEOUT);
        CHECK_IS(sf_lazy_sync_on(do_step(t.device, &s[2]), t.s[0], 0, NULL), SF_TIMEOUT);
        CHECK_IS(sf_lazy_sync_on(do_step(t.device, &s[3]), t.s[0], SF_MS(2), &v), SF_TIMEOUT);
        for (int i = 0; i < 4; i++) { CHECK_EQUAL(s[i].runs, 1); }
        give_it_time(t.device);
        for (int i = 0; i < 4; i++) { CHECK_EQUAL(test_load(d + 8 + i) + test_load(&s[i].values), 0); }
        test_store(t.flag, 1);                               /* the work goes on */
        for (uint32_t i = 0; i < 4; i++) {
            CHECK(comes(t.device, d + 8 + i, 1));
            CHECK(comes(t.device, &s[i].values, 1));
            CHECK_EQUAL(d[i], i + 1);
        }
        end(&t);
        for (int i = 0; i < 4; i++) { CHECK_STEP(s[i], 1, 1); }
    }
}
static void references_are_taken_whatever_happens(void **state)
{
    (void)state;
    for (int kind = 0; kind < (on_cuda() ? 1 : 2); kind++) {
        rig t = begin(kind);
        sf_device *other = test_open_order((sf_order)kind, 3);
        sf_policy *gone = policy_of(t.device, SF_POLICY_SINGLE_STREAM, 0),
                  *foreign = policy_of(other, SF_POLICY_SINGLE_STREAM, 0), *good = policy_of(t.device, 0, 1);
        sf_stream *abroad = test_stream(other);
        sf_policy *not_one = (sf_policy *)(void *)t.s[0];
        step s[16];
        sf_future *f = NULL;
        sf_value v;
        uint32_t n = 0;
        memset(s, 0, sizeof s);
        for (size_t i = 0; i < COUNT(s); i++) { s[i].out = word(1); }
        CHECK_OK(sf_policy_destroy(gone));
        CHECK_OK(sf_stream_destroy(t.s[2]));
#define OP do_step(t.device, &s[n++])
        CHECK_IS(sf_lazy_schedule(NULL, good, &f), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_sync(NULL, good, GUARD, &v), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_sync_on(NULL, t.s[0], GUARD, &v), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_async_on(NULL, t.s[0]), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_schedule(OP, good, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_lazy_schedule(OP, gone, &f), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_schedule(OP, foreign, &f), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_schedule(OP, not_one, &f), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_sync(OP, gone, GUARD, &v), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_sync(OP, foreign, GUARD, &v), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_sync_on(OP, NULL, GUARD, &v), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_sync_on(OP, t.s[2], GUARD, &v), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_sync_on(OP, abroad, GUARD, &v), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_async_on(OP, NULL), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_async_on(OP, t.s[2]), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_lazy_async_on(OP, abroad), SF_ERROR_INVALID_HANDLE);
#undef OP
        CHECK(!f);
        for (uint32_t i = 0; i < n; i++) { CHECK_EQUAL(s[i].states, 1); }
        CHECK_OK(sf_device_close(other, GUARD));
        end(&t);
        for (uint32_t i = 0; i < n; i++) { CHECK_STEP(s[i], 0, 0); }
    }
}
static void stale_futures(void **state)
{
    (void)state;
    for (int kind = 0; kind < (on_cuda() ? 1 : 2); kind++) {
        rig t = begin(kind);
        step s = { .runs = 0 };
        sf_future *f, *wrong[4];
        sf_value v = word(7);
        ready r = { 0 };
        f = scheduled(do_step(t.device, &s), NULL);
        CHECK_OK(sf_future_wait(f, GUARD));
        sf_future_drop(f);
        CHECK(comes(t.device, &s.states, 1));
        wrong[0] = NULL, wrong[1] = f;
        wrong[2] = (sf_future *)(void *)t.s[0], wrong[3] = (sf_future *)(void *)t.device;
        for (size_t i = 0; i < COUNT(wrong); i++) {
            CHECK_EQUAL(sf_future_get_state(wrong[i]), SF_FUTURE_TAKEN);
            CHECK_IS(sf_future_poll(wrong[i]), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_future_wait(wrong[i], 0), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_future_take(wrong[i], &v, 1), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_future_on_ready(wrong[i], ready_func, &r), SF_ERROR_INVALID_HANDLE);
            sf_future_drop(wrong[i]);
        }
        CHECK(same_value(v, word(7)));
        CHECK_EQUAL(r.calls, 0);
        end(&t);
        CHECK_STEP(s, 1, 1);
    }
}
static void stale_operations(void **state)
{
    (void)state;
    for (int kind = 0; kind < (on_cuda() ? 1 : 2); kind++) {
        rig t = begin(kind);
        step s = { .runs = 0 };
        sf_future *f = NULL;
        sf_lazy *wrong[2] = { (sf_lazy *)(void *)t.s[0], do_step(t.device, &s) };
        sf_lazy_drop(wrong[1]);
        for (size_t i = 0; i < COUNT(wrong); i++) {
            CHECK(!sf_lazy_retain(wrong[i]));
            sf_lazy_drop(wrong[i]);
            CHECK(!sf_lazy_share(wrong[i]));
            CHECK(!sf_lazy_pick(wrong[i], 0));
            CHECK(!sf_lazy_graph(wrong[i]));
            CHECK(!sf_lazy_repeat(wrong[i], 1));
            CHECK(!sf_lazy_zip(&wrong[i], 1));
            CHECK(!sf_lazy_par(&wrong[i], 1));
            CHECK_IS(sf_lazy_schedule(wrong[i], NULL, &f), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_lazy_sync(wrong[i], NULL, GUARD, NULL), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_lazy_sync_on(wrong[i], t.s[0], GUARD, NULL), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_lazy_async_on(wrong[i], t.s[0]), SF_ERROR_INVALID_HANDLE);
            CHECK(!f);
        }
        end(&t);
        CHECK_STEP(s, 0, 0);
    }
}

/* -- errors of run functions -- */

/* Nothing after it runs; what is in flight is waited for, and what was made before is dropped after that. */
static void an_error_short_circuits(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int way = 0; way < 3; way++) { /* in turn; side by side, what is in flight on the stream or on a fork */
            rig t = begin(kind);
            uint32_t *d = t.data;
            step a = { .gate = t.flag, .dst = d, .mul = 1, .add = 3, .out = word(1), .busy = d },
                 bad = { .dst = d + 1, .mul = 1, .add = 4, .out = word(2), .result = (sf_result)-1500 },
                 never[3] = { { 0 }, { 0 }, { 0 } };
            ready r = { 0 };
            sf_lazy *l = both(way ? sf_lazy_par : sf_lazy_zip, then_step(do_step(t.device, &bad), &never[0]),
                              do_step(t.device, &never[1]));
            sf_future *f;
            sf_value v = word(6);
            if (way == 2) { /* the gate is on a fork, the stream itself has nothing to do */
                l = three(sf_lazy_par, sf_lazy_value(t.device, v), do_step(t.device, &a), l);
            } else {
                l = both(way ? sf_lazy_par : sf_lazy_zip, do_step(t.device, &a), l);
            }
            f = scheduled(then_step(l, &never[2]), NULL);
            CHECK_IS(sf_future_poll(f), SF_NOT_READY);       /* not before the GPU is done with the rest */
            CHECK_OK(sf_future_on_ready(f, ready_func, &r));
            CHECK_IS(sf_future_wait(f, 0), SF_TIMEOUT);
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_RUNNING);
            give_it_time(t.device);
            CHECK_EQUAL(test_load(&a.values) + test_load(&r.calls), 0);
            test_store(t.flag, 1);
            CHECK_IS(sf_future_wait(f, GUARD), (sf_result)-1500);
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_FAILED);
            CHECK_EQUAL(d[0], 3);
            CHECK_EQUAL(d[1], 4);                            /* it had enqueued that before it failed */
            CHECK_IS(sf_future_poll(f), (sf_result)-1500);
            CHECK_IS(sf_future_wait(f, 0), (sf_result)-1500);
            CHECK(comes(t.device, &r.calls, 1));
            CHECK_IS((sf_result)r.result, (sf_result)-1500);
            CHECK_IS(sf_future_take(f, &v, 1), (sf_result)-1500);
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_TAKEN);
            CHECK_IS(sf_future_take(f, &v, 1), SF_ERROR_ILLEGAL_STATE);
            CHECK_IS(sf_future_poll(f), SF_ERROR_ILLEGAL_STATE);
            sf_future_drop(f);
            end(&t);
            CHECK_STEP(a, 1, 1);
            CHECK_STEP(bad, 1, 0);
            for (int i = 0; i < 3; i++) { CHECK_STEP(never[i], 0, 0); }
            CHECK_EQUAL(r.calls, 1);
        }
    }
}
static sf_result fails_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)x, (void)in, (void)count, (void)out;
    return SF_ERROR_USER;
}
/* A function that returns what a call in it said hides neither the call nor the remedy. */
static const sf_kernel hollow = { .name = "hollow" };
static sf_result hollow_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count, (void)out;
    return sf_launch(x->stream, &hollow, NULL, 0);
}
static void a_function_s_reason_is_told(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        const sf_failure *f = sf_device_failure(t.device);
        sf_lazy_desc d = { .name = "broken", .run = hollow_run }, e = { .name = "other", .run = fails_run };
        CHECK_IS(sf_lazy_sync(sf_lazy_do(t.device, &d), NULL, GUARD, NULL), SF_ERROR_NOT_SUPPORTED);
        CHECK(strstr(f->text, "broken") && strstr(f->text, "sf_launch") && strstr(f->text, "hollow"));
        CHECK_IS(sf_lazy_sync(sf_lazy_do(t.device, &e), NULL, GUARD, NULL), SF_ERROR_USER);
        CHECK(strstr(f->text, "other") && !strstr(f->text, "hollow"));       /* one that is over is no reason */
        end(&t);
    }
}
static void errors_come_back_from_every_call(void **state)
{
    static const sf_result results[] = { SF_ERROR_USER, (sf_result)-2, SF_ERROR_USER_LAST, SF_ERROR_REENTRANT,
                                         SF_NOT_READY,  SF_IGNORED,    SF_TIMEOUT,         (sf_result)77 };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (size_t i = 0; i < COUNT(results); i++) {
            rig t = begin(kind);
            sf_result want = results[i] < 0 ? results[i] : SF_OK;            /* a status is a success */
            step s[5];
            sf_policy *p = given(t.device, t.s[0]);
            sf_future *f;
            for (size_t k = 0; k < COUNT(s); k++) { s[k] = (step){ .out = word(1), .result = results[i] }; }
            CHECK_IS(sf_lazy_sync(do_step(t.device, &s[0]), NULL, GUARD, NULL), want);
            CHECK_IS(sf_lazy_sync_on(do_step(t.device, &s[1]), t.s[1], GUARD, NULL), want);
            CHECK_IS(sf_lazy_async_on(do_step(t.device, &s[2]), t.s[1]), want);
            f = scheduled(do_step(t.device, &s[3]), p);
            CHECK_IS(sf_future_wait(f, GUARD), want);
            CHECK_EQUAL(sf_future_get_state(f), want < 0 ? SF_FUTURE_FAILED : SF_FUTURE_READY);
            sf_future_drop(f);
            f = scheduled(sf_lazy_graph(do_step(t.device, &s[4])), p);
            CHECK_IS(sf_future_wait(f, GUARD), want);
            sf_future_drop(f);
            CHECK_OK(sf_lazy_sync(sf_lazy_value(t.device, word(1)), p, GUARD, NULL));     /* none the worse for it */
            end(&t);
            for (size_t k = 0; k < COUNT(s); k++) { CHECK_STEP(s[k], 1, want == SF_OK); }
        }
    }
}
/* A run function may describe and schedule, but not submit: that would be an operation inside another. */
typedef struct nested {
    sf_future *idle, *running, *scheduled;
    sf_stream *stream;
    step step[4];
    uint32_t submits;
    sf_result results[8];
} nested;
static sf_result nested_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    nested *n = (nested *)x->state;
    ready never;
    (void)in, (void)count, (void)out;
    n->results[0] = sf_lazy_sync(do_step(x->device, &n->step[0]), NULL, GUARD, NULL);
    n->results[1] = sf_lazy_sync_on(do_step(x->device, &n->step[1]), n->stream, GUARD, NULL);
    n->results[2] = sf_lazy_async_on(do_step(x->device, &n->step[2]), x->stream);
    n->results[3] = sf_future_poll(n->idle);
    n->results[4] = sf_future_wait(n->idle, GUARD);
    n->results[5] = sf_future_on_ready(n->idle, ready_func, &never);
    n->results[6] = sf_lazy_schedule(do_step(x->device, &n->step[3]), NULL, &n->scheduled);
    n->results[7] = sf_future_poll(n->running);
    return SF_OK;
}
static void nothing_is_submitted_inside(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        nested n = { .stream = t.s[1] };
        step idle = { .dst = t.data, .mul = 1, .add = 1 }, held = { .gate = t.flag };
        sf_lazy_desc d = { .name = "nested", .run = nested_run, .state = &n };
        sf_policy *p = given(t.device, t.s[0]);
        n.idle = scheduled(do_step(t.device, &idle), NULL);
        n.running = submitted(do_step(t.device, &held), p);
        CHECK_OK(sf_lazy_sync_on(sf_lazy_do(t.device, &d), t.s[2], GUARD, NULL));
        for (int i = 0; i < 6; i++) {
            if (n.results[i] != SF_ERROR_REENTRANT) { fail_msg("%d: %s", i, sf_result_string(n.results[i])); }
        }
        CHECK_OK(n.results[6]);
        CHECK_IS(n.results[7], SF_NOT_READY);
        CHECK_EQUAL(sf_future_get_state(n.idle), SF_FUTURE_IDLE);
        for (int i = 0; i < 3; i++) { CHECK_EQUAL(n.step[i].states, 1); }
        test_store(t.flag, 1);
        CHECK_OK(sf_future_wait(n.idle, GUARD));             /* and afterwards it can be */
        CHECK_OK(sf_future_wait(n.scheduled, GUARD));
        CHECK_OK(sf_future_wait(n.running, GUARD));
        CHECK_EQUAL(t.data[0], 1);
        sf_future_drop(n.idle), sf_future_drop(n.scheduled), sf_future_drop(n.running);
        end(&t);
        for (int i = 0; i < 3; i++) { CHECK_STEP(n.step[i], 0, 0); }
        CHECK_STEP(n.step[3], 1, 1);
        CHECK_STEP(idle, 1, 1);
    }
}
typedef struct inside {
    rig *rig;
    sf_future *future, *idle;
    sf_stream *fork;
    sf_result results[10];
    uint32_t calls;
} inside;
static void inside_func(void *user)
{
    inside *i = (inside *)user;
    sf_policy *policy = NULL;
    sf_stream *child = NULL;
    sf_value v;
    ready never;
    int fd;
    i->results[0] = sf_future_poll(i->future);
    i->results[1] = sf_future_wait(i->future, 0);
    i->results[2] = sf_future_take(i->future, &v, 1);
    i->results[3] = sf_future_on_ready(i->future, ready_func, &never);
    i->results[4] = sf_policy_create(i->rig->device, NULL, &policy);
    i->results[5] = sf_stream_fork(i->rig->s[0], &child);
    i->results[6] = sf_stream_join(i->rig->s[0], i->fork);
    i->results[7] = sf_device_ready_fd(i->rig->device, &fd);
    i->results[8] = sf_device_poll(i->rig->device, 0);
    i->results[9] = sf_future_poll(i->idle);
    test_add(&i->calls, 1);
}
static void nothing_is_permitted_in_host_functions(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step a = { .out = word(1) }, b = { .out = word(2) };
        inside i = { .rig = &t };
        sf_value v;
        i.future = scheduled(do_step(t.device, &a), NULL), i.idle = scheduled(do_step(t.device, &b), NULL);
        CHECK_OK(sf_stream_fork(t.s[1], &i.fork));
        CHECK_OK(sf_future_wait(i.future, GUARD));
        CHECK_OK(sf_launch_host_func(t.s[0], inside_func, &i));
        CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
        CHECK_EQUAL(i.calls, 1);
        for (size_t k = 0; k < COUNT(i.results); k++) {
            if (i.results[k] != SF_ERROR_NOT_PERMITTED) { fail_msg("%zu: %s", k, sf_result_string(i.results[k])); }
        }
        CHECK_OK(sf_stream_join(t.s[1], i.fork));
        CHECK_OK(sf_future_take(i.future, &v, 1));
        CHECK_EQUAL(sf_future_get_state(i.idle), SF_FUTURE_IDLE);
        sf_future_drop(i.future), sf_future_drop(i.idle);
        end(&t);
        CHECK_STEP(a, 1, 0);
        CHECK_STEP(b, 0, 0);
    }
}

/* -- futures -- */

typedef enum call {
    GET_STATE, POLL, WAIT_NOT, WAIT_SHORT, WAIT_LONG, TAKE, TAKE_NOTHING, TAKE_WRONG, ON_READY, ON_READY_WRONG, DROP,
    CALLS
} call;
typedef struct answer { sf_result result; sf_future_state after; } answer;
#define S_IDLE    SF_FUTURE_IDLE
#define S_RUNNING SF_FUTURE_RUNNING
#define S_READY   SF_FUTURE_READY
#define S_FAILED  SF_FUTURE_FAILED
#define S_TAKEN   SF_FUTURE_TAKEN
#define E_USER    SF_ERROR_USER
#define E_STATE   SF_ERROR_ILLEGAL_STATE
#define E_VALUE   SF_ERROR_INVALID_VALUE
#define E_HANDLE  SF_ERROR_INVALID_HANDLE
/* By state and call: what it returns, and the state then. A gate is closed while it is idle or running. */
static const answer table[S_TAKEN + 1][DROP] = {
    [S_IDLE] = { { SF_OK, S_IDLE }, { SF_NOT_READY, S_RUNNING }, { SF_TIMEOUT, S_RUNNING }, { SF_TIMEOUT, S_RUNNING },
                 { SF_OK, S_READY }, { SF_NOT_READY, S_IDLE }, { SF_NOT_READY, S_IDLE }, { E_VALUE, S_IDLE },
                 { SF_OK, S_RUNNING }, { E_VALUE, S_IDLE } },
    [S_RUNNING] = { { SF_OK, S_RUNNING }, { SF_NOT_READY, S_RUNNING }, { SF_TIMEOUT, S_RUNNING },
                    { SF_TIMEOUT, S_RUNNING }, { SF_OK, S_READY }, { SF_NOT_READY, S_RUNNING },
                    { SF_NOT_READY, S_RUNNING }, { E_VALUE, S_RUNNING }, { SF_OK, S_RUNNING },
                    { E_VALUE, S_RUNNING } },
    [S_READY] = { { SF_OK, S_READY }, { SF_OK, S_READY }, { SF_OK, S_READY }, { SF_OK, S_READY }, { SF_OK, S_READY },
                  { SF_OK, S_TAKEN }, { SF_OK, S_TAKEN }, { E_VALUE, S_READY }, { SF_OK, S_READY },
                  { E_VALUE, S_READY } },
    [S_FAILED] = { { SF_OK, S_FAILED }, { E_USER, S_FAILED }, { E_USER, S_FAILED }, { E_USER, S_FAILED },
                   { E_USER, S_FAILED }, { E_USER, S_TAKEN }, { E_USER, S_TAKEN }, { E_VALUE, S_FAILED },
                   { SF_OK, S_FAILED }, { E_VALUE, S_FAILED } },
    [S_TAKEN] = { { SF_OK, S_TAKEN }, { E_STATE, S_TAKEN }, { E_STATE, S_TAKEN }, { E_STATE, S_TAKEN },
                  { E_STATE, S_TAKEN }, { E_STATE, S_TAKEN }, { E_STATE, S_TAKEN }, { E_VALUE, S_TAKEN },
                  { SF_OK, S_TAKEN }, { E_VALUE, S_TAKEN } },
};
static sf_result make_call(call c, sf_future *f, ready *r, uint32_t *gate)
{
    sf_value v[3];
    switch (c) {
    case POLL: return sf_future_poll(f);
    case WAIT_NOT: return sf_future_wait(f, 0);
    case WAIT_SHORT: return sf_future_wait(f, SF_MS(1));
    case WAIT_LONG: test_store(gate, 1); return sf_future_wait(f, GUARD);
    case TAKE: return sf_future_take(f, v, 3);
    case TAKE_NOTHING: return sf_future_take(f, NULL, 0);
    case TAKE_WRONG: return sf_future_take(f, v, -1);
    case ON_READY: return sf_future_on_ready(f, ready_func, r);
    case ON_READY_WRONG: return sf_future_on_ready(f, NULL, r);
    case DROP: sf_future_drop(f); return SF_OK;
    default: return SF_OK;
    }
}
/* Each call in each state. Whether an error is found in the arguments or in the state first is left open. */
static void every_call_in_every_state(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int from = S_IDLE; from <= S_TAKEN + 1; from++) { /* one more: taken, and it was a failure */
            for (int c = 0; c < CALLS; c++) {
                rig t = begin(kind);
                bool fails = from == S_FAILED || from == S_TAKEN + 1;
                int row = from > S_TAKEN ? S_TAKEN : from;
                step s = { .gate = t.flag, .dst = t.data, .mul = 1, .add = 1, .out = word(1), .busy = t.data };
                ready r = { 0 };
                sf_future *f;
                uint32_t submits = 1, taken, expected_calls;
                sf_future_state after = S_IDLE;
                sf_result got;
                answer want = c == DROP ? (answer){ SF_OK, S_TAKEN } : table[row][c];
                s.result = fails ? E_USER : SF_OK;
                f = scheduled(do_step(t.device, &s), NULL);
                CHECK_EQUAL(sf_future_get_state(f), S_IDLE);
                if (from >= S_RUNNING) {
                    CHECK_IS(sf_future_poll(f), SF_NOT_READY);
                    CHECK_EQUAL(sf_future_get_state(f), S_RUNNING);
                }
                if (from >= S_READY) {
                    test_store(t.flag, 1);
                    CHECK_IS(sf_future_wait(f, GUARD), fails ? E_USER : SF_OK);
                    CHECK_EQUAL(sf_future_get_state(f), fails ? S_FAILED : S_READY);
                }
                if (from >= S_TAKEN) { CHECK_IS(sf_future_take(f, NULL, 0), fails ? E_USER : SF_OK); }
                CHECK_EQUAL(sf_future_get_state(f), row);
                got = make_call((call)c, f, &r, t.flag);
                if (c != DROP) { after = sf_future_get_state(f); }
                /* taken, it can be told "not any more", or "ready": as it says, so it does */
                if (row == S_TAKEN && c == ON_READY && got == E_STATE) { want.result = E_STATE; }
                if ((c == TAKE_WRONG || c == ON_READY_WRONG) && row != S_FAILED && got != want.result) {
                    CHECK(got == (row == S_TAKEN ? E_STATE : SF_NOT_READY));
                    want.result = got;
                }
                if (got != want.result) {
                    fail_msg("device %d, state %d, call %d: %s, not %s", kind, from, c, sf_result_string(got),
                             sf_result_string(want.result));
                }
                if (c != DROP && after != want.after) {
                    fail_msg("device %d, state %d, call %d: leads to %d, not %d", kind, from, c, after, want.after);
                }
                if (from == S_IDLE) {        /* of an idle future's calls, these submit; the others leave no trace */
                    submits = c == POLL || c == WAIT_NOT || c == WAIT_SHORT || c == WAIT_LONG || c == ON_READY;
                    CHECK_EQUAL(s.runs, submits);
                }
                taken = !fails && submits && (c == TAKE && row == S_READY);
                expected_calls = c == ON_READY && got == SF_OK;
                test_store(t.flag, 1);
                if (expected_calls) { CHECK(comes(t.device, &r.calls, 1)); }
                if (c != DROP) { sf_future_drop(f); }
                end(&t);
                CHECK_EQUAL(r.calls, expected_calls);
                CHECK_STEP(s, submits, submits && !fails && !taken);
            }
        }
    }
}
/* A poll, and a wait that is over, return while a gate is closed; and a function for when it is ready is not called
   by who waits, but by the library's thread, or by who polls the device. */
static void who_calls_on_ready(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step s = { .gate = t.flag, .dst = t.data, .mul = 1, .add = 1, .out = word(1) };
        ready r[3];
        sf_future *f = scheduled(do_step(t.device, &s), NULL);
        memset(r, 0, sizeof r);
        CHECK_OK(sf_future_on_ready(f, ready_func, &r[0]));
        CHECK_OK(sf_future_on_ready(f, ready_func, &r[1]));
        for (int i = 0; i < 100; i++) { CHECK_IS(sf_future_poll(f), SF_NOT_READY); }
        CHECK_IS(sf_future_wait(f, SF_MS(3)), SF_TIMEOUT);
        CHECK_EQUAL(test_load(&r[0].calls), 0);
        test_store(t.flag, 1);
        CHECK_OK(sf_future_wait(f, GUARD));
        CHECK_OK(sf_lazy_sync(sf_lazy_value(t.device, word(2)), NULL, GUARD, NULL));
        if (!t.threaded) { CHECK_EQUAL(test_load(&r[0].calls), 0); }
        CHECK_OK(sf_future_on_ready(f, ready_func, &r[2]));  /* it is ready: called all the same, and not at once */
        if (!t.threaded) { CHECK_EQUAL(test_load(&r[2].calls), 0); }
        for (int i = 0; i < 3; i++) {
            CHECK(comes(t.device, &r[i].calls, 1));
            CHECK(r[i].future == f);
            CHECK_OK((sf_result)r[i].result);
            CHECK_EQUAL(!pthread_equal(r[i].thread, pthread_self()), t.threaded);
        }
        sf_future_drop(f);
        give_it_time(t.device);
        end(&t);
        for (int i = 0; i < 3; i++) { CHECK_EQUAL(r[i].calls, 1); }
        CHECK_STEP(s, 1, 1);
    }
}
/* R registers a function, W opens the gate and waits for the device, D drops the future: in each order. */
static void on_ready_exactly_once(void **state)
{
    static const char *const orders[] = { "RWD",  "RDW", "WRD",  "RRWD", "RWRD", "WRRD",
                                          "RWDC", "RDC", "WRDC", "RC",   "WRC" };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (size_t o = 0; o < COUNT(orders) * 2; o++) {
            rig t = begin(kind);
            bool fails = o % 2;
            step s = { .gate = t.flag, .dst = t.data, .mul = 1, .add = 1, .out = word(1),
                       .result = fails ? E_USER : SF_OK, .busy = t.data };
            ready r[3];
            uint32_t registered = 0;
            bool open = true;
            sf_future *f = submitted(do_step(t.device, &s), NULL);
            memset(r, 0, sizeof r);
            for (const char *c = orders[o / 2]; *c; c++) {
                switch (*c) {
                case 'R': CHECK_OK(sf_future_on_ready(f, ready_func, &r[registered++])); break;
                case 'W':
                    test_store(t.flag, 1);
                    CHECK_OK(sf_device_synchronize(t.device, GUARD));
                    break;
                case 'D': sf_future_drop(f); break;
                default:                     /* C: close the device now; it is called before that is over */
                    test_store(t.flag, 1);
                    end(&t);
                    open = false;
                }
            }
            for (uint32_t i = 0; open && i < registered; i++) { CHECK(comes(t.device, &r[i].calls, 1)); }
            if (open) { end(&t); }
            for (uint32_t i = 0; i < 3; i++) {
                if (r[i].calls != (i < registered)) { fail_msg("%s: %u calls", orders[o / 2], r[i].calls); }
                if (r[i].calls) { CHECK_IS((sf_result)r[i].result, fails ? E_USER : SF_OK); }
            }
            CHECK_STEP(s, 1, !fails);
        }
    }
}
/* An on_ready function is no host function: it may take, drop, describe, submit, register again. */
typedef struct relay { rig *rig; sf_policy *policy; uint32_t left, calls, failures; step step; } relay;
static void relay_next(sf_future *future, sf_result result, void *user)
{
    relay *r = (relay *)user;
    sf_future *f = NULL;
    sf_value v = word(0);
    if (result != SF_OK || sf_future_poll(future) != SF_OK) { test_add(&r->failures, 1); }
    if (sf_future_take(future, &v, 1) != SF_OK || !same_value(v, word(r->left + 1))) { test_add(&r->failures, 1); }
    sf_future_drop(future);
    if (r->left) {
        r->step.out = word(r->left), r->step.add = r->left;
        r->left--;
        if (sf_lazy_schedule(do_step(r->rig->device, &r->step), r->policy, &f) != SF_OK ||
            sf_future_on_ready(f, relay_next, r) != SF_OK) {
            test_add(&r->failures, 1);
        }
    }
    test_add(&r->calls, 1);
}
static void on_ready_goes_on(void **state)
{
    enum { TURNS = 50 };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        relay r = { .rig = &t, .left = TURNS, .step = { .dst = t.data, .mul = 3, .out = word(TURNS + 1) } };
        uint32_t model = 0;
        sf_future *f;
        r.policy = policy_of(t.device, SF_POLICY_ROUND_ROBIN, 3);
        f = scheduled(do_step(t.device, &r.step), r.policy);
        CHECK_OK(sf_future_on_ready(f, relay_next, &r));
        CHECK(comes(t.device, &r.calls, TURNS + 1));
        CHECK_OK(sf_policy_destroy(r.policy));
        for (uint32_t i = TURNS; i > 0; i--) { model = model * 3 + i; }
        CHECK_EQUAL(t.data[0], model);
        CHECK_EQUAL(r.failures, 0);
        end(&t);
        CHECK_EQUAL(r.step.runs, TURNS + 1);
        CHECK_EQUAL(r.step.states, TURNS + 1);
        CHECK_EQUAL(r.step.values, 0);                       /* all taken */
    }
}
/* One that asks to be called again, for the future that it is called for. */
typedef struct again { uint32_t calls, left, failures; } again;
static void once_more(sf_future *future, sf_result result, void *user)
{
    again *a = (again *)user;
    if (a->left && a->left-- && sf_future_on_ready(future, once_more, a) != SF_OK) { a->failures++; }
    a->failures += result != SF_OK;
    test_add(&a->calls, 1);
}
/* The stream of a submission goes while the library's thread asks it whether the work is done. */
static void a_stream_ends_while_it_is_watched(void **state)
{
    (void)state;
    sf_device *device = test_open();
    uint32_t *word = (uint32_t *)test_memory(device, sizeof *word);
    const int rounds = 200;
    for (int k = 0; k < rounds; k++) {
        sf_stream *streams[4];
        for (int i = 0; i < 4; i++) {
            tally_args a = { word, 1 };
            CHECK_OK(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &streams[i]));
            CHECK_OK(sf_lazy_async_on(sf_lazy_kernel(device, &tally_kernel, &a, sizeof a), streams[i]));
        }
        if (k % 2) { test_spin(20000); }
        for (int i = 0; i < 4; i++) { CHECK_OK(sf_stream_destroy(streams[i])); }
    }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_EQUAL(*(volatile uint32_t *)word, 4 * rounds);
    CHECK_OK(sf_mem_free(device, word));
    test_close(device);
}
static void on_ready_asks_again(void **state)
{
    enum { TURNS = 20 };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step s = { .gate = t.flag, .dst = t.data, .mul = 1, .add = 1, .out = word(1), .busy = t.data };
        again a = { .left = TURNS };
        sf_future *f = submitted(do_step(t.device, &s), NULL);
        CHECK_OK(sf_future_on_ready(f, once_more, &a));
        test_store(t.flag, 1);
        CHECK(comes(t.device, &a.calls, TURNS + 1));
        sf_future_drop(f);
        end(&t);
        CHECK_EQUAL(a.calls, TURNS + 1);
        CHECK_EQUAL(a.failures, 0);
        CHECK_STEP(s, 1, 1);
    }
}

/* -- policies -- */

/* Submits n steps, then waits for all; which streams they got. */
static void streams_of(rig *t, sf_policy *policy, uint32_t n, sf_stream **streams)
{
    step s[64];
    sf_future *f[64];
    for (uint32_t i = 0; i < n; i++) {
        s[i] = (step){ .dst = t->data + 800 + i, .mul = 1, .add = 1, .out = word(1) };
        f[i] = submitted(do_step(t->device, &s[i]), policy);
        streams[i] = s[i].stream;
    }
    for (uint32_t i = 0; i < n; i++) {
        CHECK_OK(sf_future_wait(f[i], GUARD));
        sf_future_drop(f[i]);
        CHECK(comes(t->device, &s[i].values, 1));
        CHECK(comes(t->device, &s[i].states, 1));
    }
}
static uint32_t distinct(sf_stream **streams, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < i && streams[k] != streams[i]) { k++; }
        count += k == i;
    }
    return count;
}
static void round_robin(void **state)
{
    static const int32_t sizes[] = { 1, 2, 3, 8, 0, -1 };    /* 0: the default; -1: the device's own policy */
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (size_t k = 0; k < COUNT(sizes); k++) {
            rig t = begin(kind);
            uint32_t n = sizes[k] > 0 ? (uint32_t)sizes[k] : 4, flags = 99;
            int32_t priority = 99;
            sf_device_info info;
            sf_stream *s[24];
            sf_policy *p = NULL;
            CHECK_OK(sf_device_get_info(t.device, &info));
            if (sizes[k] >= 0) {
                sf_policy_desc d = { .kind = SF_POLICY_ROUND_ROBIN, .streams = sizes[k], .priority = -1000 };
                CHECK_OK(sf_policy_create(t.device, &d, &p));
            }
            streams_of(&t, p, 3 * n, s);
            CHECK_EQUAL(distinct(s, 3 * n), n);
            for (uint32_t i = n; i < 3 * n; i++) { CHECK(s[i] == s[i - n]); }
            CHECK_OK(sf_stream_get_flags(s[0], &flags));
            CHECK_EQUAL(flags, SF_STREAM_NON_BLOCKING);
            CHECK_OK(sf_stream_get_priority(s[0], &priority));
            CHECK_EQUAL(priority, p ? info.priority_greatest : 0);
            if (p) { CHECK_OK(sf_policy_destroy(p)); }
            end(&t);
        }
    }
}
typedef struct per_thread {
    rig *rig;
    sf_policy *policy;
    step step[2];
    sf_result results[2], result;
    sf_future *scheduled;                    /* on another thread; or NULL */
    pthread_t thread;
} per_thread;
static void *per_thread_main(void *arg)
{
    per_thread *p = (per_thread *)arg;
    for (int i = 0; i < 2; i++) {
        p->results[i] = sf_lazy_sync(do_step(p->rig->device, &p->step[i]), p->policy, GUARD, NULL);
    }
    if (p->scheduled) { p->result = sf_future_wait(p->scheduled, GUARD); }   /* submits it */
    return NULL;
}
static void one_stream_or_one_per_thread(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_policy *single = policy_of(t.device, SF_POLICY_SINGLE_STREAM, 0), *one = given(t.device, t.s[1]),
                  *own = policy_of(t.device, SF_POLICY_PER_THREAD, 0),
                  *legacy = given(t.device, sf_stream_legacy(t.device));
        sf_stream *s[10];
        per_thread p[2];
        streams_of(&t, single, 10, s);
        CHECK_EQUAL(distinct(s, 10), 1);
        CHECK(s[0] != t.s[1] && s[0] != sf_stream_legacy(t.device));
        streams_of(&t, one, 10, s);
        CHECK(distinct(s, 10) == 1 && s[0] == t.s[1]);
        streams_of(&t, legacy, 10, s);
        CHECK(distinct(s, 10) == 1 && s[0] == sf_stream_legacy(t.device));
        streams_of(&t, own, 10, s);
        CHECK_EQUAL(distinct(s, 10), 1);
        for (int i = 0; i < 2; i++) {
            step mine = { 0 };
            p[i] = (per_thread){ .rig = &t, .policy = own };
            CHECK_OK(sf_lazy_schedule(do_step(t.device, &mine), own, &p[i].scheduled));
            CHECK_EQUAL(pthread_create(&p[i].thread, NULL, per_thread_main, &p[i]), 0);
            CHECK_EQUAL(pthread_join(p[i].thread, NULL), 0); /* deterministic devices: one thread at a time */
            CHECK_OK(p[i].results[0]);
            CHECK_OK(p[i].results[1]);
            CHECK(p[i].step[0].stream == p[i].step[1].stream);
            CHECK(p[i].step[0].stream != s[0]);
            CHECK_OK(p[i].result);
            CHECK(mine.stream == p[i].step[0].stream);       /* of the thread that submitted it */
            sf_future_drop(p[i].scheduled);
        }
        CHECK_OK(sf_policy_destroy(single));
        CHECK_OK(sf_policy_destroy(one));
        CHECK_OK(sf_stream_query(t.s[1]));                   /* given, not taken */
        CHECK_OK(sf_policy_destroy(own));
        CHECK_OK(sf_policy_destroy(legacy));
        end(&t);
    }
}
static void least_loaded_takes_the_idle_one(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_policy *p = policy_of(t.device, SF_POLICY_LEAST_LOADED, 3);
        step held[4];
        sf_future *f[4];
        sf_stream *s[6];
        for (uint32_t i = 0; i < 4; i++) {
            held[i] = (step){ .gate = t.flag + i, .dst = t.data + i, .mul = 1, .add = i };
        }
        for (uint32_t i = 0; i < 2; i++) { f[i] = submitted(do_step(t.device, &held[i]), p); }
        CHECK(held[0].stream != held[1].stream);
        for (int i = 0; i < 6; i++) {                        /* two are busy: all goes to the third */
            streams_of(&t, p, 1, s);
            CHECK(s[0] != held[0].stream && s[0] != held[1].stream);
        }
        f[2] = submitted(do_step(t.device, &held[2]), p);
        CHECK(held[2].stream == s[0]);
        test_store(t.flag + 1, 1);                           /* now the second is idle */
        CHECK_OK(sf_future_wait(f[1], GUARD));
        sf_future_drop(f[1]);
        for (int i = 0; i < 3; i++) {
            streams_of(&t, p, 1, s);
            CHECK(s[0] == held[1].stream);
        }
        f[3] = submitted(do_step(t.device, &held[3]), p);
        CHECK(held[3].stream == held[1].stream);
        f[1] = submitted(do_step(t.device, &(step){ .gate = t.flag + 4 }), p);
        for (uint32_t i = 0; i < 5; i++) { test_store(t.flag + i, 1); }
        for (uint32_t i = 0; i < 4; i++) { CHECK_OK(sf_future_wait(f[i], GUARD)); }
        for (uint32_t i = 0; i < 4; i++) { sf_future_drop(f[i]); }
        CHECK_OK(sf_policy_destroy(p));
        end(&t);
    }
}
typedef struct custom {
    sf_stream *streams[3], *synced;
    sf_device *device;
    uint32_t count, inits, schedules, syncs, finis;
    sf_result init_result, schedule_result, sync_result;
    int64_t timeout;
} custom;
static sf_result custom_init(void *self, sf_device *device)
{
    custom *c = (custom *)self;
    c->inits++;
    c->device = device;
    return c->init_result;
}
static sf_result custom_schedule(void *self, sf_stream **stream)
{
    custom *c = (custom *)self;
    *stream = c->streams[test_add(&c->schedules, 1) % c->count];
    return c->schedule_result;
}
static sf_result custom_sync(void *self, sf_stream *stream, int64_t timeout)
{
    custom *c = (custom *)self;
    sf_result r = sf_stream_synchronize(stream, timeout);
    c->syncs++;
    c->synced = stream;
    c->timeout = timeout;
    return r < 0 || c->sync_result == SF_OK ? r : c->sync_result;
}
static void custom_fini(void *self) { test_add(&((custom *)self)->finis, 1); }
static void custom_policies(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_device *other = test_open_order((sf_order)kind, 1);
        custom c = { .streams = { t.s[0], t.s[1], t.s[2] }, .count = 3 }, bare = c, refuses = c;
        sf_policy_desc d = { .kind = SF_POLICY_CUSTOM,
                             .custom = { &c, custom_init, custom_schedule, custom_sync, custom_fini } };
        sf_policy_desc just = { .kind = SF_POLICY_CUSTOM, .custom = { .self = &bare, .schedule = custom_schedule } };
        sf_policy *p = NULL, *q = NULL, *no = NULL;
        sf_stream *s[6], *abroad = test_stream(other);
        step a[6];
        sf_future *f;
        sf_value v;
        memset(a, 0, sizeof a);
        for (size_t i = 0; i < COUNT(a); i++) { a[i].out = word(1), a[i].dst = t.data + i, a[i].add = 1; }
        CHECK_OK(sf_policy_create(t.device, &d, &p));
        CHECK_EQUAL(c.inits, 1);
        CHECK(c.device == t.device);
        streams_of(&t, p, 6, s);
        for (int i = 0; i < 6; i++) { CHECK(s[i] == t.s[i % 3]); }
        CHECK_EQUAL(c.schedules, 6);
        CHECK_EQUAL(c.syncs, 0);
        CHECK_OK(sf_lazy_sync(do_step(t.device, &a[0]), p, SF_MS(12345), &v));    /* waits as the policy says */
        CHECK_EQUAL(c.syncs, 1);
        CHECK(c.synced == t.s[0] && c.timeout == SF_MS(12345));
        CHECK_EQUAL(t.data[0], 1);
        c.schedule_result = (sf_result)-1600;
        f = NULL;                            /* said at once, or by the future: this is left open */
        if (sf_lazy_schedule(do_step(t.device, &a[1]), p, &f) != (sf_result)-1600) {
            CHECK_IS(sf_future_wait(f, GUARD), (sf_result)-1600);
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_FAILED);
        }
        sf_future_drop(f);
        CHECK_IS(sf_lazy_sync(do_step(t.device, &a[2]), p, GUARD, NULL), (sf_result)-1600);
        c.schedule_result = SF_OK;
        for (int i = 0; i < 2; i++) {        /* no stream, and not this device's */
            c.streams[0] = c.streams[1] = c.streams[2] = i ? abroad : NULL;
            CHECK_IS(sf_lazy_sync(do_step(t.device, &a[3 + i]), p, GUARD, NULL), SF_ERROR_INVALID_HANDLE);
        }
        c.streams[0] = c.streams[1] = c.streams[2] = t.s[0];
        CHECK_OK(sf_policy_create(t.device, &just, &q));
        CHECK_OK(sf_lazy_sync(do_step(t.device, &a[5]), q, GUARD, NULL));
        CHECK(a[5].stream == t.s[0]);
        CHECK_OK(sf_policy_destroy(q));
        CHECK_EQUAL(c.finis, 0);
        CHECK_OK(sf_policy_destroy(p));
        CHECK(comes(t.device, &c.finis, 1));
        refuses.init_result = (sf_result)-1700;
        d.custom.self = &refuses;
        CHECK_IS(sf_policy_create(t.device, &d, &no), (sf_result)-1700);
        CHECK(!no);
        CHECK_OK(sf_device_close(other, GUARD));
        end(&t);
        CHECK_EQUAL(c.finis, 1);
        CHECK_STEP(a[0], 1, 0);
        for (int i = 1; i < 5; i++) { CHECK_STEP(a[i], 0, 0); }
        CHECK_STEP(a[5], 1, 1);
    }
}
/* What NULL means is the device's to say, and another device's stays. A policy that was set works on after its
   destruction; NULL brings the device's own back. */
static void a_device_has_a_policy(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_device *other = test_open_order((sf_order)kind, 1);
        sf_policy *single = policy_of(t.device, SF_POLICY_SINGLE_STREAM, 0), *by = given(t.device, t.s[1]), *abroad;
        sf_stream *s[8], *theirs = test_stream(other);
        sf_value v;
        abroad = given(other, theirs);
        CHECK_OK(sf_device_set_policy(t.device, by));
        streams_of(&t, NULL, 4, s);
        for (int i = 0; i < 4; i++) { CHECK(s[i] == t.s[1]); }
        CHECK_OK(sf_lazy_sync(sf_lazy_value(other, word(4)), NULL, GUARD, &v));   /* as ever */
        CHECK_OK(sf_device_set_policy(t.device, single));
        CHECK_OK(sf_policy_destroy(single));
        CHECK_OK(sf_policy_destroy(by));
        streams_of(&t, NULL, 4, s);
        for (int i = 0; i < 4; i++) { CHECK(s[i] == s[0] && s[i] != t.s[1]); }
        CHECK_IS(sf_device_set_policy(t.device, single), SF_ERROR_INVALID_HANDLE);   /* it stays what it was */
        CHECK_IS(sf_device_set_policy(t.device, abroad), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_device_set_policy(NULL, NULL), SF_ERROR_INVALID_HANDLE);
        streams_of(&t, NULL, 2, s + 4);
        CHECK(s[4] == s[0] && s[5] == s[0]);
        CHECK_OK(sf_device_set_policy(t.device, NULL));
        streams_of(&t, NULL, 5, s);
        for (int i = 0; i < 4; i++) {
            CHECK(s[i] != t.s[1]);
            for (int k = 0; k < i; k++) { CHECK(s[i] != s[k]); }
        }
        CHECK(s[4] == s[0]);                 /* four streams, in turn */
        CHECK_OK(sf_device_close(other, GUARD));
        end(&t);
    }
}
/* Each thread has its own; the device that it names is asked for nothing else. A close forgets it. */
static struct { sf_device *mine, *theirs; sf_result r; bool none, same; } at_home;
static void *default_elsewhere(void *arg)
{
    sf_value v = word(0);
    at_home.none = !sf_device_get_default() && !sf_lazy_value(NULL, word(1));
    at_home.r = sf_device_set_default(at_home.theirs);
    if (at_home.r == SF_OK) { at_home.r = sf_lazy_sync(sf_lazy_value(NULL, word(5)), NULL, GUARD, &v); }
    at_home.same = sf_device_get_default() == at_home.theirs && same_value(v, word(5));
    return arg;
}
static void threads_have_a_default_device(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_device *other = test_open_order((sf_order)kind, 1);
        pthread_t thread;
        step a = { .dst = t.data, .mul = 1, .add = 3, .out = word(7) };
        sf_policy_desc desc = { .kind = SF_POLICY_GIVEN, .given = t.s[1] };
        sf_policy *p = NULL;
        sf_value v = word(0);
        uint32_t source = 9;
        mix_args m = { .dst = t.data + 1, .n = 1, .mul = 1, .add = 4 };
        CHECK(!sf_device_get_default() && !sf_lazy_value(NULL, word(1)));
        CHECK_IS(sf_policy_create(NULL, &desc, &p), SF_ERROR_INVALID_HANDLE);
        CHECK(strstr(sf_device_failure(t.device)->text, "sf_device_set_default()"));
        CHECK_IS(sf_lazy_sync(sf_lazy_value(NULL, word(1)), NULL, GUARD, NULL), SF_ERROR_INVALID_HANDLE);
        CHECK(strstr(sf_device_failure(t.device)->text, "sf_lazy_sync: ") &&
              strstr(sf_device_failure(t.device)->text, "sf_device_set_default()"));
        CHECK_OK(sf_device_set_default(t.device));
        CHECK(sf_device_get_default() == t.device);
        CHECK_OK(sf_policy_create(NULL, &desc, &p));
        CHECK_OK(sf_lazy_sync(do_step(NULL, &a), p, GUARD, &v));
        CHECK(same_value(v, word(7)));
        CHECK_OK(sf_lazy_sync(sf_lazy_kernel(NULL, &mix_kernel, &m, sizeof m), p, GUARD, NULL));
        CHECK_OK(sf_lazy_sync(sf_lazy_memcpy(NULL, t.data + 2, &source, 4), p, GUARD, NULL));
        CHECK_OK(sf_stream_synchronize(t.s[1], GUARD));
        CHECK(t.data[0] == 3 && t.data[1] == 4 && t.data[2] == 9);
        at_home.mine = t.device, at_home.theirs = other;
        CHECK_EQUAL(pthread_create(&thread, NULL, default_elsewhere, NULL), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        CHECK(at_home.none && at_home.same);
        CHECK_OK(at_home.r);
        CHECK(sf_device_get_default() == t.device);
        CHECK_OK(sf_device_set_default(other));
        CHECK_OK(sf_device_close(other, GUARD));
        CHECK(!sf_device_get_default());
        CHECK_OK(sf_device_set_default(t.device));
        CHECK_OK(sf_device_set_default(NULL));
        CHECK(!sf_device_get_default() && !sf_lazy_value(NULL, word(1)));
        CHECK_OK(sf_policy_destroy(p));
        end(&t);
    }
}
/* Changed by one thread while others schedule: each goes by one of the two. */
static struct { sf_device *device; uint32_t done, wrong; } moving;
static void *schedule_on(void *arg)
{
    for (int i = 0; i < 400; i++) {
        sf_value v = word(0);
        sf_result r = sf_lazy_sync(sf_lazy_value(moving.device, word((uint64_t)i)), NULL, GUARD, &v);
        if (r != SF_OK || !same_value(v, word((uint64_t)i))) { test_add(&moving.wrong, 1); }
    }
    test_add(&moving.done, 1);
    return arg;
}
static void a_policy_changes_meanwhile(void **state)
{
    pthread_t threads[2];
    (void)state;
    moving.device = test_open();
    moving.done = moving.wrong = 0;
    for (int i = 0; i < 2; i++) { CHECK_EQUAL(pthread_create(&threads[i], NULL, schedule_on, NULL), 0); }
    for (int i = 0; test_load(&moving.done) < 2; i++) {
        sf_policy *p = policy_of(moving.device, i % 2 ? SF_POLICY_LEAST_LOADED : SF_POLICY_SINGLE_STREAM, 2);
        CHECK_OK(sf_device_set_policy(moving.device, i % 5 ? p : NULL));
        CHECK_OK(sf_policy_destroy(p));
    }
    for (int i = 0; i < 2; i++) { CHECK_EQUAL(pthread_join(threads[i], NULL), 0); }
    CHECK_EQUAL(moving.wrong, 0);
    test_close(moving.device);
}
/* The way to wait goes to the policy's streams, where everybody finds it; what is no way is refused. */
static void policies_wait_by_policy(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        rig t = begin(0);
        sf_policy_desc d = { .kind = k % 2 ? SF_POLICY_SINGLE_STREAM : SF_POLICY_ROUND_ROBIN, .wait = (sf_wait_policy)k };
        sf_policy *p = NULL;
        sf_stream *s[3];
        CHECK_OK(sf_policy_create(t.device, &d, &p));
        streams_of(&t, p, 3, s);
        for (int i = 0; i < 3; i++) {
            sf_stream_value v = { .wait = (sf_wait_policy)9 };
            step a = { .dst = t.data + i, .mul = 1, .add = 3, .out = word(7) };
            sf_value out = word(0);
            CHECK_OK(sf_stream_get_attribute(s[i], SF_STREAM_SYNCHRONIZATION_POLICY, &v));
            CHECK_EQUAL(v.wait, k);
            CHECK_OK(sf_lazy_sync(do_step(t.device, &a), p, i % 2 ? GUARD : SF_FOREVER, &out));
            CHECK(same_value(out, word(7)));
            CHECK_EQUAL(t.data[i], 3);
            CHECK(comes(t.device, &a.states, 1));
        }
        d.wait = (sf_wait_policy)(k % 2 ? 4 : -1);
        CHECK_IS(sf_policy_create(t.device, &d, &p), SF_ERROR_INVALID_VALUE);
        CHECK(strstr(sf_device_failure(t.device)->text, ".wait is none of sf_wait_policy"));
        end(&t);
    }
}
static void policies_refuse(void **state)
{
    (void)state;
    for (int kind = 0; kind < (on_cuda() ? 1 : 2); kind++) {
        rig t = begin(kind);
        sf_device *other = test_open_order((sf_order)kind, 1);
        sf_stream *abroad = test_stream(other), *s[8];
        sf_policy *p = NULL;
        sf_counters before;
        const struct { sf_policy_desc desc; sf_result result; } wrong[] = {
            { { .streams = -1 }, SF_ERROR_INVALID_VALUE },
            { { .streams = 1025 }, SF_ERROR_INVALID_VALUE },
            { { .streams = INT32_MAX }, SF_ERROR_INVALID_VALUE },
            { { .kind = SF_POLICY_LEAST_LOADED, .streams = -1 }, SF_ERROR_INVALID_VALUE },
            { { .kind = SF_POLICY_LEAST_LOADED, .streams = 1025 }, SF_ERROR_INVALID_VALUE },
            { { .kind = (sf_policy_kind)(SF_POLICY_CUSTOM + 1) }, SF_ERROR_INVALID_VALUE },
            { { .kind = (sf_policy_kind)-1 }, SF_ERROR_INVALID_VALUE },
            { { .kind = SF_POLICY_GIVEN }, SF_ERROR_INVALID_HANDLE },
            { { .kind = SF_POLICY_GIVEN, .given = abroad }, SF_ERROR_INVALID_HANDLE },
            { { .kind = SF_POLICY_GIVEN, .given = (sf_stream *)(void *)t.device }, SF_ERROR_INVALID_HANDLE },
            { { .kind = SF_POLICY_GIVEN, .given = t.s[0], .wait = SF_WAIT_SPIN }, SF_ERROR_INVALID_VALUE },
            { { .kind = SF_POLICY_PER_THREAD, .wait = SF_WAIT_BLOCK }, SF_ERROR_INVALID_VALUE },
            { { .kind = SF_POLICY_CUSTOM }, SF_ERROR_INVALID_VALUE },
            { { .kind = SF_POLICY_CUSTOM, .custom = { .init = custom_init } }, SF_ERROR_INVALID_VALUE },
        };
        before = counters_of(t.device);
        CHECK_IS(sf_policy_create(NULL, NULL, &p), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_policy_create(t.device, NULL, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_policy_destroy(NULL), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_policy_destroy((sf_policy *)(void *)t.s[0]), SF_ERROR_INVALID_HANDLE);
        for (size_t i = 0; i < COUNT(wrong); i++) {
            sf_result r = sf_policy_create(t.device, &wrong[i].desc, &p);
            if (r != wrong[i].result) { fail_msg("case %zu: %s", i, sf_result_string(r)); }
            CHECK(!p);
        }
        CHECK_EQUAL(counters_of(t.device).live_streams, before.live_streams);
        CHECK_OK(sf_policy_create(t.device, NULL, &p));      /* all defaults: round-robin over four */
        streams_of(&t, p, 8, s);
        CHECK_EQUAL(distinct(s, 8), 4);
        CHECK_OK(sf_policy_destroy(p));
        CHECK_IS(sf_policy_destroy(p), SF_ERROR_INVALID_HANDLE);
        p = given(t.device, t.s[0]);
        CHECK_OK(sf_stream_destroy(t.s[0]));                 /* the stream that was given is gone */
        CHECK_IS(sf_lazy_sync(sf_lazy_value(t.device, word(1)), p, GUARD, NULL), SF_ERROR_INVALID_HANDLE);
        CHECK_OK(sf_policy_create(t.device, &(sf_policy_desc){ .streams = 1024 }, &p));
        CHECK_OK(sf_policy_destroy(p));
        CHECK_OK(sf_device_close(other, GUARD));
        end(&t);
    }
}
static sf_result destroys_its_stream(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count;
    out->i64 = sf_stream_destroy(x->stream);
    return SF_OK;
}
static void streams_of_policies_stay(void **state)           /* with whoever sees them */
{
    (void)state;
    for (int k = 0; k < 2 * device_kinds(); k++) {
        rig t = begin(k / 2);
        sf_policy *p = k & 1 ? policy_of(t.device, SF_POLICY_LEAST_LOADED, 3) : NULL;
        for (int i = 0; i < 9; i++) {
            sf_value v = word(0);
            CHECK_OK(sf_lazy_sync(sf_lazy_do(t.device, &(sf_lazy_desc){ .run = destroys_its_stream }), p, GUARD, &v));
            CHECK_EQUAL(v.i64, SF_ERROR_INVALID_HANDLE);
            CHECK_OK(sf_lazy_sync(sf_lazy_value(t.device, word(7)), p, GUARD, &v));
            CHECK(same_value(v, word(7)));
        }
        if (p) { CHECK_OK(sf_policy_destroy(p)); }
        end(&t);
    }
}
static void a_policy_destroyed_in_flight(void **state)
{
    static const sf_policy_kind kinds[] = { SF_POLICY_ROUND_ROBIN, SF_POLICY_SINGLE_STREAM, SF_POLICY_LEAST_LOADED };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (size_t k = 0; k < COUNT(kinds); k++) {
            rig t = begin(kind);
            uint32_t *d = t.data;
            uint64_t streams = counters_of(t.device).live_streams;
            int64_t limit = now() + GUARD;
            step held = { .gate = t.flag, .dst = d, .mul = 1, .add = 5, .out = word(1), .busy = d },
                 last = { .dst = d + 1, .src = d, .mul = 1, .out = word(2), .busy = d + 1 }, idle = { .add = 3 };
            sf_policy *p = policy_of(t.device, kinds[k], 2);
            sf_future *f = submitted(then_step(do_step(t.device, &held), &last), p), *late;
            idle.dst = d + 2;
            late = scheduled(do_step(t.device, &idle), p);   /* scheduled, not yet submitted: pending, too */
            CHECK_OK(sf_policy_destroy(p));
            CHECK_IS(sf_policy_destroy(p), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_lazy_sync(sf_lazy_value(t.device, word(1)), p, GUARD, NULL), SF_ERROR_INVALID_HANDLE);
            CHECK_IS(sf_future_poll(f), SF_NOT_READY);
            test_store(t.flag, 1);
            CHECK_OK(sf_future_wait(f, GUARD));
            CHECK_EQUAL(d[1], 5);
            CHECK_OK(sf_future_wait(late, GUARD));
            CHECK_EQUAL(d[2], 3);
            sf_future_drop(f), sf_future_drop(late);
            CHECK(comes(t.device, &last.states, 1) && comes(t.device, &idle.states, 1));
            while (counters_of(t.device).live_streams != streams && now() < limit) {
                if (sf_device_poll(t.device, 0) != SF_OK) { nap(); }
            }
            CHECK_EQUAL(counters_of(t.device).live_streams, streams);
            end(&t);
            CHECK_STEP(held, 1, 1);
            CHECK_STEP(last, 1, 1);
        }
    }
}

/* -- threads -- */

enum { THREADS = 8, ROUNDS = 60 };
typedef struct shared_work { rig *rig; sf_policy *policy; sf_lazy *shared[3]; pthread_barrier_t start; } shared_work;
typedef struct user_thread {
    shared_work *work;
    pthread_t thread;
    uint32_t index, failures, model;
    step step[ROUNDS][2];
    ready ready[ROUNDS];
    sf_future *left;                         /* for another thread to drop */
} user_thread;
static void fail_if(user_thread *u, bool wrong) { u->failures += wrong; }
static void *user_main(void *arg)
{
    user_thread *u = (user_thread *)arg;
    sf_device *device = u->work->rig->device;
    uint32_t *own = u->work->rig->data + 100 + u->index * 64;
    pthread_barrier_wait(&u->work->start);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        step *s = u->step[i];
        sf_lazy *parts[3];
        sf_future *f = NULL;
        sf_value v = word(0);
        bool forget = i % 4 == 3;            /* dropped in flight, with a function for when it is done */
        s[0] = (step){ .dst = forget ? own + 1 + i / 4 : own, .mul = 3, .add = i + u->index, .out = word(i) };
        s[1] = (step){ .out = word(i + 1000) };
        parts[0] = do_step(device, &s[0]), parts[1] = do_step(device, &s[1]);
        parts[2] = sf_lazy_value(device, word(i));
        parts[0] = i % 3 ? sf_lazy_zip(parts, 3) : sf_lazy_par(parts, 3);
        if (!forget) { u->model = u->model * 3 + i + u->index; }
        switch (i % 4) {
        case 0:
            fail_if(u, sf_lazy_sync(parts[0], u->work->policy, GUARD, &v) != SF_OK || !same_value(v, word(i)));
            break;
        case 1:
            fail_if(u, sf_lazy_schedule(parts[0], u->work->policy, &f) != SF_OK || sf_future_wait(f, GUARD) != SF_OK);
            fail_if(u, sf_future_take(f, &v, 1) != SF_OK || !same_value(v, word(i)));
            sf_future_drop(f);
            break;
        case 2: {
            sf_result r = sf_lazy_schedule(parts[0], i % 8 == 2 ? NULL : u->work->policy, &f);
            while (r >= 0 && (r = sf_future_poll(f)) == SF_NOT_READY) { sched_yield(); }
            fail_if(u, r != SF_OK);
            sf_future_drop(f);
            break;
        }
        default:
            fail_if(u, sf_lazy_schedule(parts[0], u->work->policy, &f) != SF_OK);
            fail_if(u, sf_future_on_ready(f, ready_func, &u->ready[i]) != SF_OK);
            if (u->left) { sf_future_drop(u->left); }
            u->left = f;
        }
    }
    return NULL;
}
static void eight_threads_one_policy(void **state)
{
    static const sf_policy_kind kinds[] = { SF_POLICY_ROUND_ROBIN, SF_POLICY_LEAST_LOADED, SF_POLICY_PER_THREAD,
                                            SF_POLICY_SINGLE_STREAM };
    static user_thread users[THREADS];
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++) {
        rig t = begin(0);
        shared_work work = { .rig = &t, .policy = policy_of(t.device, kinds[k], 3) };
        CHECK_EQUAL(pthread_barrier_init(&work.start, NULL, THREADS), 0);
        memset(users, 0, sizeof users);
        for (uint32_t i = 0; i < THREADS; i++) {
            users[i].work = &work, users[i].index = i;
            CHECK_EQUAL(pthread_create(&users[i].thread, NULL, user_main, &users[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS; i++) { CHECK_EQUAL(pthread_join(users[i].thread, NULL), 0); }
        for (uint32_t i = 0; i < THREADS; i++) {
            CHECK_EQUAL(users[i].failures, 0);
            for (uint32_t r = 3; r < ROUNDS; r += 4) { CHECK(comes(t.device, &users[i].ready[r].calls, 1)); }
            CHECK_EQUAL(t.data[100 + i * 64], users[i].model);
            for (uint32_t r = 0; r < ROUNDS / 4; r++) { CHECK_EQUAL(t.data[101 + i * 64 + r], r * 4 + 3 + i); }
            sf_future_drop(users[i].left);
        }
        CHECK_OK(sf_policy_destroy(work.policy));
        end(&t);
        pthread_barrier_destroy(&work.start);
        for (uint32_t i = 0; i < THREADS; i++) {
            for (uint32_t r = 0; r < ROUNDS; r++) {
                CHECK_STEP(users[i].step[r][0], 1, r % 4 > 1);               /* taken in the others */
                CHECK_STEP(users[i].step[r][1], 1, 1);
                CHECK_EQUAL(users[i].ready[r].calls, r % 4 == 3);
            }
        }
    }
}
/* Two threads that need two shared operations, each in another order, and a graph, at the same time. */
static sf_result slow_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    test_spin(20000);
    return step_run(x, in, count, out);
}
typedef struct share_user {
    shared_work *work;
    uint32_t index, *dst;
    step user;
    sf_result results[3];
    sf_value taken;
    pthread_t thread;
} share_user;
static void *share_user_main(void *arg)
{
    share_user *u = (share_user *)arg;
    sf_lazy *parts[2];
    for (uint32_t i = 0; i < 2; i++) { parts[i] = sf_lazy_retain(u->work->shared[(i + u->index) % 2]); }
    u->user = (step){ .dst = u->dst, .src = u->work->rig->data, .mul = 1, .add = u->index };
    pthread_barrier_wait(&u->work->start);
    u->results[0] = sf_lazy_sync(then_step(sf_lazy_zip(parts, 2), &u->user), u->work->policy, GUARD, NULL);
    u->results[1] = sf_lazy_sync(sf_lazy_retain(u->work->shared[0]), u->work->policy, GUARD, &u->taken);
    u->results[2] = sf_lazy_sync(sf_lazy_retain(u->work->shared[2]), u->work->policy, GUARD, NULL);
    return NULL;
}
static void shared_by_threads(void **state)
{
    enum { USERS = 2, TURNS = 100 };
    rig t = begin(0);
    shared_work work = { .rig = &t, .policy = policy_of(t.device, SF_POLICY_ROUND_ROBIN, 3) };
    static step once[TURNS][2], replayed[TURNS];
    (void)state;
    memset(once, 0, sizeof once);
    memset(replayed, 0, sizeof replayed);
    CHECK_EQUAL(pthread_barrier_init(&work.start, NULL, USERS), 0);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        share_user users[USERS];
        for (uint32_t i = 0; i < 2; i++) {
            sf_lazy_desc d = { .name = "slow", .run = slow_run, .state = &once[turn][i], .drop_state = step_state,
                               .drop_value = step_value };
            once[turn][i] = (step){ .dst = t.data + i, .mul = 0, .add = turn * 2 + i + 1, .out = word(i) };
            work.shared[i] = sf_lazy_share(sf_lazy_do(t.device, &d));
        }
        replayed[turn] = (step){ .dst = t.data + 4, .mul = 3, .add = 1, .out = word(4) };
        t.data[4] = 0;
        work.shared[2] = sf_lazy_graph(do_step(t.device, &replayed[turn]));
        for (uint32_t i = 0; i < USERS; i++) {
            users[i] = (share_user){ .work = &work, .index = i, .dst = t.data + 8 + i };
            t.data[8 + i] = 0;
            CHECK_EQUAL(pthread_create(&users[i].thread, NULL, share_user_main, &users[i]), 0);
        }
        for (uint32_t i = 0; i < USERS; i++) { CHECK_EQUAL(pthread_join(users[i].thread, NULL), 0); }
        for (uint32_t i = 0; i < USERS; i++) {
            for (int k = 0; k < 3; k++) { CHECK_OK(users[i].results[k]); }
            CHECK(same_value(users[i].taken, word(0)));
            CHECK_EQUAL(t.data[8 + i], turn * 2 + 1 + i);
            CHECK_EQUAL(users[i].user.count, 2);
            for (uint32_t k = 0; k < 2; k++) { CHECK(same_value(users[i].user.in[k], word((k + i) % 2))); }
            CHECK(comes(t.device, &users[i].user.states, 1));                /* it is on this stack */
            CHECK_STEP(users[i].user, 1, 1);
        }
        CHECK_EQUAL(t.data[4], 4);           /* captured once, launched twice */
        for (uint32_t i = 0; i < 3; i++) { sf_lazy_drop(work.shared[i]); }
    }
    CHECK_OK(sf_policy_destroy(work.policy));
    end(&t);
    pthread_barrier_destroy(&work.start);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < 2; i++) { CHECK_STEP(once[turn][i], 1, i); } /* the first was taken, by both */
        CHECK_STEP(replayed[turn], 1, 1);
    }
}
/* All submit it, all wait for it, all take it: it runs once, all are told, and one of them has it. */
typedef struct waiter {
    shared_work *work;
    sf_future *future;
    uint32_t index;
    sf_result results[3];
    pthread_t thread;
} waiter;
static void *waiter_main(void *arg)
{
    waiter *w = (waiter *)arg;
    sf_value v;
    pthread_barrier_wait(&w->work->start);
    w->results[0] = w->index % 2 ? sf_future_poll(w->future) : sf_future_wait(w->future, 0);
    pthread_barrier_wait(&w->work->start);   /* and somebody opens the gate */
    w->results[1] = sf_future_wait(w->future, w->index == 1 ? SF_FOREVER : GUARD);
    pthread_barrier_wait(&w->work->start);
    w->results[2] = sf_future_take(w->future, &v, 1);
    return NULL;
}
static void many_threads_one_future(void **state)
{
    enum { WAITERS = 4, TURNS = 40 };
    rig t = begin(0);
    shared_work work = { .rig = &t, .policy = policy_of(t.device, SF_POLICY_ROUND_ROBIN, 2) };
    static step s[TURNS];
    (void)state;
    memset(s, 0, sizeof s);
    CHECK_EQUAL(pthread_barrier_init(&work.start, NULL, WAITERS + 1), 0);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        waiter w[WAITERS];
        ready r = { 0 };
        uint32_t took = 0;
        sf_future *f;
        test_store(t.flag, 0);
        s[turn] = (step){ .gate = t.flag, .dst = t.data, .mul = 1, .add = 1, .out = word(1) };
        f = scheduled(do_step(t.device, &s[turn]), work.policy);
        for (uint32_t i = 0; i < WAITERS; i++) {
            w[i] = (waiter){ .work = &work, .future = f, .index = i };
            CHECK_EQUAL(pthread_create(&w[i].thread, NULL, waiter_main, &w[i]), 0);
        }
        pthread_barrier_wait(&work.start);
        if (turn % 2) { CHECK_OK(sf_future_on_ready(f, ready_func, &r)); }
        pthread_barrier_wait(&work.start);
        test_store(t.flag, 1);
        pthread_barrier_wait(&work.start);
        for (uint32_t i = 0; i < WAITERS; i++) { CHECK_EQUAL(pthread_join(w[i].thread, NULL), 0); }
        for (uint32_t i = 0; i < WAITERS; i++) {
            CHECK_IS(w[i].results[0], i % 2 ? SF_NOT_READY : SF_TIMEOUT);
            CHECK_OK(w[i].results[1]);
            took += w[i].results[2] == SF_OK;
            if (w[i].results[2] != SF_OK) { CHECK_IS(w[i].results[2], SF_ERROR_ILLEGAL_STATE); }
        }
        CHECK_EQUAL(took, 1);
        CHECK_EQUAL(t.data[0], turn + 1);
        if (turn % 2) { CHECK(comes(t.device, &r.calls, 1)); }
        sf_future_drop(f);
    }
    CHECK_OK(sf_policy_destroy(work.policy));
    end(&t);
    pthread_barrier_destroy(&work.start);
    for (uint32_t turn = 0; turn < TURNS; turn++) { CHECK_STEP(s[turn], 1, 0); }
}

/* A full stream: neither a poll nor a deadline waits for room, and an operation that needs more than there is does not
   begin. (A thread opens the gate at last, so that a library that does wait fails rather than hangs.) */
typedef struct guardian { uint32_t *gate, done; } guardian;
static void *guard_gate(void *arg)
{
    guardian *g = (guardian *)arg;
    int64_t limit = now() + GUARD / 2;
    while (!test_load(&g->done) && now() < limit) { nap(); }
    test_store(g->gate, 1);
    return NULL;
}
static sf_lazy *add_one(sf_device *device, uint32_t *word)
{
    mix_args a = { .dst = word, .n = 1, .mul = 1, .add = 1 };
    return sf_lazy_kernel(device, &mix_kernel, &a, sizeof a);
}
static sf_lazy *all_shapes(sf_device *device, uint32_t *word)                /* 11 commands, of any kind */
{
    sf_value none = { 0 };
    sf_lazy *parts[] = {
        sf_lazy_repeat(add_one(device, word), 7),
        both(sf_lazy_par, add_one(device, word), sf_lazy_repeat(add_one(device, word + 1), 40)),
        sf_lazy_graph(sf_lazy_repeat(add_one(device, word), 100)),
        sf_lazy_share(add_one(device, word)), sf_lazy_value(device, none)
    };
    return sf_lazy_zip(parts, COUNT(parts));
}
static void a_full_stream_and_a_deadline(void **state)
{
    enum { DEPTH = 64, NEEDS = 11 };
    (void)state;
    if (on_cuda()) { return; }               /* how much a stream holds is the driver's */
    for (int kind = 0; kind < device_kinds(); kind++) {      /* just enough room */
        rig t = begin(kind);
        guardian g = { .gate = t.flag };
        sf_policy *p = given(t.device, t.s[0]);
        sf_future *f = scheduled(all_shapes(t.device, t.data), p);
        pthread_t thread;
        CHECK_OK(test_gate(t.s[0], t.flag, 1));
        for (int i = 1; i < DEPTH - NEEDS; i++) { CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 1, 1, 0)); }
        CHECK_EQUAL(pthread_create(&thread, NULL, guard_gate, &g), 0);
        CHECK_IS(sf_future_poll(f), SF_NOT_READY);
        CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_RUNNING);
        CHECK_EQUAL(test_load(t.data), 0);
        test_store(&g.done, 1);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        CHECK_OK(sf_future_wait(f, GUARD));
        CHECK_EQUAL(t.data[0], DEPTH - NEEDS - 1 + 109);
        sf_future_drop(f);
        CHECK_OK(sf_policy_destroy(p));
        end(&t);
    }
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data;
        guardian g = { .gate = t.flag };
        step never = { .dst = d, .mul = 1, .add = 1000 };
        sf_policy *p = given(t.device, t.s[0]);
        sf_future *f, *wide;
        pthread_t thread;
        CHECK_OK(test_gate(t.s[0], t.flag, 1));
        for (int i = 1; i < DEPTH - NEEDS + 1; i++) { CHECK_OK(test_mix(t.s[0], d, NULL, 1, 1, 1, 0)); }
        CHECK_EQUAL(pthread_create(&thread, NULL, guard_gate, &g), 0);
        wide = scheduled(all_shapes(t.device, d), p);        /* one too many */
        CHECK_IS(sf_future_poll(wide), SF_NOT_READY);
        CHECK_EQUAL(sf_future_get_state(wide), SF_FUTURE_IDLE);
        for (int i = 0; i < NEEDS - 1; i++) {                /* but there is room for so many */
            f = scheduled(add_one(t.device, d), p);
            CHECK_IS(i % 2 ? sf_future_poll(f) : sf_future_wait(f, 0), i % 2 ? SF_NOT_READY : SF_TIMEOUT);
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_RUNNING);
            sf_future_drop(f);
        }
        f = scheduled(add_one(t.device, d), p);
        CHECK_IS(sf_future_poll(f), SF_NOT_READY);
        CHECK_IS(sf_future_wait(f, 0), SF_TIMEOUT);
        CHECK_IS(sf_future_wait(f, SF_MS(2)), SF_TIMEOUT);
        CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_IDLE);
        CHECK_IS(sf_lazy_sync_on(do_step(t.device, &never), t.s[0], SF_MS(2), NULL), SF_TIMEOUT);
        CHECK_STEP(never, 0, 0);
        CHECK_EQUAL(test_load(d), 0);
        test_store(&g.done, 1);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        CHECK_OK(sf_future_wait(f, GUARD));                  /* now there is */
        CHECK_OK(sf_future_wait(wide, GUARD));
        CHECK_EQUAL(d[0], DEPTH - 1 + 1 + 109);
        CHECK_EQUAL(d[1], 40);
        sf_future_drop(f);
        sf_future_drop(wide);
        CHECK_OK(sf_policy_destroy(p));
        end(&t);
    }
}

/* Who waits while another thread still submits looks at nothing that this writes. (What ThreadSanitizer sees.) */
typedef struct slow_submit { sf_future *future; uint32_t begun; sf_result result; } slow_submit;
static sf_result slow_submit_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    slow_submit *w = (slow_submit *)x->state;
    (void)in, (void)count;
    test_store(&w->begun, 1);
    for (int i = 0; i < 50; i++) { nap(); }
    *out = word(1);
    return SF_OK;
}
static void *slow_submit_main(void *arg)
{
    slow_submit *w = (slow_submit *)arg;
    w->result = sf_future_wait(w->future, GUARD);
    return NULL;
}
static void a_wait_beside_the_submission(void **state)
{
    rig t = begin(0);
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        slow_submit w = { 0 };
        sf_lazy_desc d = { .run = slow_submit_run, .state = &w };
        pthread_t thread;
        w.future = scheduled(sf_lazy_do(t.device, &d), NULL);
        CHECK_EQUAL(pthread_create(&thread, NULL, slow_submit_main, &w), 0);
        while (!test_load(&w.begun)) { nap(); }
        CHECK_OK(sf_future_wait(w.future, GUARD));
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        CHECK_OK(w.result);
        sf_future_drop(w.future);
    }
    end(&t);
}

/* -- faults -- */

#define NEED(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) { return __LINE__; }                                                               \
    } while (0)
/* Returns 0, or the line where it is not as it should be: on a GPU it runs in a process of its own. */
typedef struct fault_steps { step held, also_held, ready, dropped, bad, idle, again; ready on[4]; } fault_steps;
static sf_result fault_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    sf_result r = step_run(x, in, count, out);
    return r < 0 ? r : sf_launch(x->stream, &trap_kernel, NULL, 0);
}
static int faults(sf_device *device, uint32_t *flag, fault_steps *s, sf_result *fault, bool reset)
{
    sf_policy *p = NULL;
    sf_future *held = NULL, *also = NULL, *was_ready = NULL, *dropped = NULL, *bad = NULL, *idle = NULL;
    sf_lazy_desc d = step_desc(&s->bad);
    sf_value v = word(0);
    sf_lazy *l, *again = do_step(device, &s->again);
    d.run = fault_run;
    s->held.gate = s->also_held.gate = s->dropped.gate = flag;
    s->held.out = s->also_held.out = s->dropped.out = s->ready.out = s->bad.out = word(1);
    NEED(sf_policy_create(device, &(sf_policy_desc){ .streams = 8 }, &p) == SF_OK);  /* one each */
    NEED(sf_lazy_schedule(do_step(device, &s->ready), p, &was_ready) == SF_OK);
    NEED(sf_future_wait(was_ready, GUARD) == SF_OK);
    l = both(sf_lazy_par, do_step(device, &s->held), sf_lazy_value(device, word(3)));
    NEED(sf_lazy_schedule(l, p, &held) == SF_OK);
    NEED(sf_future_poll(held) == SF_NOT_READY);
    NEED(sf_lazy_schedule(do_step(device, &s->also_held), p, &also) == SF_OK);
    NEED(sf_future_on_ready(also, ready_func, &s->on[0]) == SF_OK);
    NEED(sf_future_on_ready(also, ready_func, &s->on[1]) == SF_OK);
    NEED(sf_lazy_schedule(do_step(device, &s->dropped), p, &dropped) == SF_OK);
    NEED(sf_future_on_ready(dropped, ready_func, &s->on[2]) == SF_OK);
    sf_future_drop(dropped);
    NEED(sf_lazy_schedule(do_step(device, &s->idle), p, &idle) == SF_OK);
    NEED(sf_lazy_schedule(sf_lazy_do(device, &d), p, &bad) == SF_OK);
    *fault = sf_future_wait(bad, GUARD);     /* behind nothing: the gates stay closed for ever */
    NEED(*fault < 0);
    NEED(sf_future_get_state(bad) == SF_FUTURE_FAILED);
    NEED(sf_future_wait(held, GUARD) == *fault);
    NEED(sf_future_wait(also, GUARD) == *fault);
    NEED(sf_future_poll(held) == *fault && sf_future_poll(also) == *fault && sf_future_poll(bad) == *fault);
    NEED(sf_future_get_state(held) == SF_FUTURE_FAILED);
    NEED(sf_future_take(held, &v, 1) == *fault && sf_future_get_state(held) == SF_FUTURE_TAKEN);
    for (int i = 0; i < 3; i++) { NEED(comes(device, &s->on[i].calls, 1) && (sf_result)s->on[i].result == *fault); }
    NEED(sf_future_poll(idle) == *fault);    /* nothing more is submitted */
    NEED(sf_future_wait(idle, GUARD) < 0);
    NEED(sf_lazy_sync(again, p, GUARD, NULL) == *fault);
    NEED(s->idle.runs == 0 || s->idle.runs == 1);
    if (reset) {
        NEED(sf_device_reset(device) == SF_OK);
        test_store(flag, 1);
        NEED(sf_lazy_sync(sf_lazy_value(device, word(9)), p, GUARD, &v) == SF_OK && same_value(v, word(9)));
        NEED(sf_lazy_sync(sf_lazy_value(device, word(8)), NULL, GUARD, &v) == SF_OK && same_value(v, word(8)));
        sf_future_drop(held), sf_future_drop(also), sf_future_drop(bad), sf_future_drop(idle);
        sf_future_drop(was_ready);
        NEED(sf_policy_destroy(p) == SF_OK);
    }
    return 0;                                /* else all is left to the close */
}
static int faults_after(const fault_steps *s) /* the device is closed */
{
    const step *const all[] = { &s->held, &s->also_held, &s->ready, &s->dropped, &s->bad };
    for (size_t i = 0; i < COUNT(all); i++) {
        NEED(all[i]->runs == 1);
        NEED(all[i]->values == 1);
        NEED(all[i]->states == 1);
        NEED(all[i]->early == 0);
    }
    NEED(s->idle.states == 1 && s->again.states == 1);
    for (int i = 0; i < 3; i++) { NEED(s->on[i].calls == 1); }
    return 0;
}
static void a_fault_resolves_every_future(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* see a_fault_on_the_gpu */
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int reset = 0; reset < 2; reset++) {
            rig t = begin(kind);
            fault_steps s;
            sf_result fault = SF_OK;
            int line;
            memset(&s, 0, sizeof s);
            line = faults(t.device, t.flag, &s, &fault, reset);
            if (line) { fail_msg("device %d: line %d", kind, line); }
            CHECK_IS(fault, SF_ERROR_LAUNCH_FAILED);
            CHECK_IS(sf_device_close(t.device, GUARD), reset ? SF_OK : SF_ERROR_LAUNCH_FAILED);
            CHECK_EQUAL(heap.live, 0);
            line = faults_after(&s);
            if (line) { fail_msg("device %d: line %d", kind, line); }
        }
    }
}
/* A fault inside shares, graphs, parallel parts: wherever it is, it comes back. */
static void a_fault_in_every_place(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int place = 0; place < 6; place++) {
            rig t = begin(kind);
            step a = { .dst = t.data, .mul = 1, .add = 1, .out = word(1) }, b = a, c = a;
            sf_lazy *bad = sf_lazy_kernel(t.device, &trap_kernel, NULL, 0), *l;
            sf_future *f;
            b.dst = t.data + 1;              /* beside a, it may be */
            l = three(place & 1 ? sf_lazy_par : sf_lazy_zip, do_step(t.device, &a), bad, do_step(t.device, &b));
            switch (place) {
            case 2: l = sf_lazy_graph(l); break;
            case 3: l = sf_lazy_share(l); break;
            case 4: l = sf_lazy_repeat(l, 20); break;
            case 5: l = sf_lazy_repeat(sf_lazy_graph(l), 3); break;
            default: break;
            }
            f = scheduled(then_step(l, &c), NULL);
            CHECK_IS(sf_future_wait(f, GUARD), SF_ERROR_LAUNCH_FAILED);
            CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_FAILED);
            if (place & 1) { sf_future_drop(f); }
            CHECK_IS(sf_device_close(t.device, GUARD), SF_ERROR_LAUNCH_FAILED);
            CHECK_EQUAL(heap.live, 0);
            CHECK_EQUAL(a.values, a.made);
            CHECK_EQUAL(b.values, b.made);
            CHECK_EQUAL(c.values, c.made);
            CHECK_EQUAL(a.states + b.states + c.states, 3);
        }
    }
}
static void a_description_after_a_fault(void **state) /* touches no device: the fault is told by who submits */
{
    (void)state;
    if (on_cuda()) { return; }
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step s = { .out = word(1) };
        sf_lazy *l;
        sf_future *f = NULL;
        CHECK_IS(sf_lazy_sync(sf_lazy_kernel(t.device, &trap_kernel, NULL, 0), NULL, GUARD, NULL),
                 SF_ERROR_LAUNCH_FAILED);
        l = do_step(t.device, &s);
        CHECK(l);
        CHECK(sf_lazy_retain(l) == l);
        CHECK_IS(sf_lazy_sync_on(sf_lazy_retain(l), t.s[0], GUARD, NULL), SF_ERROR_LAUNCH_FAILED);
        CHECK_IS(sf_lazy_schedule(l, NULL, &f), SF_ERROR_LAUNCH_FAILED);
        CHECK(!f);
        CHECK_OK(sf_device_reset(t.device));
        CHECK_OK(sf_lazy_sync(l, NULL, GUARD, NULL));
        end(&t);
        CHECK_STEP(s, 1, 1);
    }
}
/* The context is lost until the process ends, so that is another process: this program, with --fault. */
static int fault_main(void)
{
    static fault_steps s;
    sf_device *device;
    void *flag = NULL;
    sf_result fault = SF_OK;
    int line;
    alarm(120);                              /* hangs: SIGALRM */
    if (sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_CUDA }, &device)) { return 10; }
    if (sf_mem_alloc(device, 64, SF_MEMORY_PINNED, &flag)) { return 11; }
    memset(flag, 0, 64);
    line = faults(device, (uint32_t *)flag, &s, &fault, false);
    if (!line && sf_device_close(device, GUARD) != fault) { line = __LINE__; }
    if (!line) { line = faults_after(&s); }
    if (line) { printf("# line %d\n", line); }
    return line ? 1 : 0;
}
static void a_fault_on_the_gpu(void **state)
{
    (void)state;
    if (!on_cuda()) { return; }
    /* loaded at once: a kernel's first launch would wait for those that run */
    CHECK_EQUAL(system("CUDA_MODULE_LOADING=EAGER exec \"$SF_TEST_SELF\" --fault"), 0);
}

/* A reset takes the fault from the device, not from the futures that it has resolved. */
static void a_fault_outlives_a_reset(void **state)
{
    (void)state;
    if (on_cuda()) { return; }               /* no reset there */
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step before = { .out = word(1) }, behind = { .dst = t.data, .mul = 1, .add = 1, .out = word(2) },
             watched = behind, forgotten = behind, after = behind;
        sf_policy *p = given(t.device, t.s[0]);
        ready seen = { 0 };
        sf_future *f[3];
        sf_value v;
        f[0] = submitted(do_step(t.device, &before), p);
        CHECK_OK(sf_future_wait(f[0], GUARD));
        CHECK_OK(test_gate(t.s[0], t.flag, 1));
        CHECK_OK(sf_launch(t.s[0], &trap_kernel, NULL, 0));
        f[1] = scheduled(do_step(t.device, &behind), p);
        f[2] = scheduled(do_step(t.device, &watched), p);
        CHECK_OK(sf_lazy_async_on(do_step(t.device, &forgotten), t.s[0]));
        CHECK_IS(sf_future_poll(f[1]), SF_NOT_READY);
        CHECK_OK(sf_future_on_ready(f[2], ready_func, &seen));
        test_store(t.flag, 1);
        CHECK_IS(sf_device_synchronize(t.device, GUARD), SF_ERROR_LAUNCH_FAILED);
        CHECK_OK(sf_device_reset(t.device));
        CHECK_EQUAL(t.data[0], 0);           /* it was skipped */
        CHECK_IS(sf_future_wait(f[1], GUARD), SF_ERROR_LAUNCH_FAILED);
        CHECK_IS(sf_future_take(f[1], &v, 1), SF_ERROR_LAUNCH_FAILED);
        CHECK(comes(t.device, &seen.calls, 1));
        CHECK_IS((sf_result)seen.result, SF_ERROR_LAUNCH_FAILED);
        CHECK_OK(sf_future_take(f[0], &v, 1));               /* was ready before */
        CHECK_OK(sf_lazy_sync_on(do_step(t.device, &after), t.s[0], GUARD, &v));
        CHECK_EQUAL(t.data[0], 1);
        end(&t);
        CHECK_EQUAL(behind.values, 1);
        CHECK_EQUAL(watched.values, 1);
        CHECK_EQUAL(forgotten.values, 1);
        CHECK_STEP(after, 1, 0);
    }
}

/* -- closing the device -- */

static void closed_with_all_in_flight(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data;
        step running = { .gate = t.flag, .dst = d, .mul = 1, .add = 1, .out = word(1), .busy = t.flag },
             dropped = running, forgotten = running, waited = running, shared = running, kept = running,
             was_ready = { .out = word(2) }, taken = { .out = word(3) }, failed = { .result = E_USER },
             idle = { .out = word(4) }, described = { .out = word(5) };
        mem_step memory = { .add = 1, .busy = t.flag };
        sf_lazy_desc md = mem_desc(&memory);
        ready r = { 0 };
        sf_lazy *share, *graph;
        sf_policy *p = policy_of(t.device, SF_POLICY_ROUND_ROBIN, 2);
        sf_future *f;
        sf_value v;
        dropped.dst = d + 1, forgotten.dst = d + 2, waited.dst = d + 3, shared.dst = d + 4, kept.dst = d + 5;
        (void)scheduled(do_step(t.device, &idle), p);
        f = scheduled(do_step(t.device, &was_ready), p);
        CHECK_OK(sf_future_wait(f, GUARD));
        f = scheduled(do_step(t.device, &taken), p);
        CHECK_OK(sf_future_wait(f, GUARD));
        CHECK_OK(sf_future_take(f, &v, 1));
        f = scheduled(do_step(t.device, &failed), p);
        CHECK_IS(sf_future_wait(f, GUARD), E_USER);
        (void)submitted(both(sf_lazy_zip, do_step(t.device, &running), sf_lazy_do(t.device, &md)), p);
        f = submitted(do_step(t.device, &dropped), p);
        sf_future_drop(f);
        CHECK_OK(sf_lazy_async_on(do_step(t.device, &forgotten), t.s[0]));
        f = scheduled(do_step(t.device, &waited), NULL);
        CHECK_OK(sf_future_on_ready(f, ready_func, &r));
        CHECK(do_step(t.device, &described));
        share = sf_lazy_share(do_step(t.device, &shared));
        (void)submitted(sf_lazy_retain(share), NULL);        /* its reference is never given back */
        graph = sf_lazy_graph(do_step(t.device, &kept));
        CHECK_OK(sf_lazy_async_on(sf_lazy_retain(graph), t.s[1]));
        CHECK_IS(sf_device_close(t.device, 0), SF_TIMEOUT);
        CHECK_IS(sf_device_close(t.device, SF_MS(2)), SF_TIMEOUT);
        CHECK_EQUAL(sf_future_get_state(f), SF_FUTURE_RUNNING);              /* still open */
        CHECK_IS(sf_future_poll(f), SF_NOT_READY);
        CHECK_EQUAL(running.values + dropped.values + forgotten.values + waited.values, 0);
        CHECK_EQUAL(shared.values + kept.values + memory.values, 0);
        test_store(t.flag, 1);
        end(&t);
        CHECK_STEP(running, 1, 1);
        CHECK_STEP(dropped, 1, 1);
        CHECK_STEP(forgotten, 1, 1);
        CHECK_STEP(waited, 1, 1);
        CHECK_STEP(was_ready, 1, 1);
        CHECK_STEP(taken, 1, 0);
        CHECK_STEP(failed, 1, 0);
        CHECK_STEP(idle, 0, 0);
        CHECK_STEP(described, 0, 0);
        CHECK_STEP(shared, 1, 1);
        CHECK_STEP(kept, 1, 1);
        CHECK_EQUAL(memory.values + memory.states, 2);
        CHECK_EQUAL(memory.failed, 0);
        CHECK_EQUAL(r.calls, 1);
        CHECK_OK((sf_result)r.result);
    }
}

/* What the library still calls is called while the device is open, in every sense; the close waits for it. */
typedef struct closer { rig *rig; uint32_t entered, calls; sf_result results[4]; } closer;
static void linger(closer *c, sf_stream *stream)
{
    uint32_t flags;
    sf_counters counters;
    test_store(&c->entered, 1);
    for (int i = 0; i < 5000 && c->results[0] == SF_OK; i++) {               /* the close comes meanwhile */
        c->results[0] = sf_stream_get_flags(stream, &flags);
        if (i % 50 == 0) { nap(); }
    }
    c->results[1] = sf_device_get_counters(c->rig->device, &counters);
    c->results[2] = sf_stream_query(c->rig->s[1]);
    test_add(&c->calls, 1);
}
static void linger_ready(sf_future *future, sf_result result, void *user)
{
    closer *c = (closer *)user;
    c->results[3] = result;
    linger(c, c->rig->s[0]);
    (void)future;
}
static sf_result linger_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count;
    *out = word(1);
    return test_mix(x->stream, ((closer *)x->state)->rig->data, NULL, 1, 1, 1, 0);
}
static void linger_value(void *state, sf_value value, sf_stream *stream)
{
    (void)value;
    linger((closer *)state, stream);
}
static void a_close_waits_for_callbacks(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int way = 0; way < 2; way++) {
            rig t = begin(kind);
            closer c = { .rig = &t };
            sf_lazy_desc d = { .name = "linger", .run = linger_run, .state = &c };
            sf_future *f;
            int64_t limit = now() + GUARD;
            if (way) { d.drop_value = linger_value; }
            f = scheduled(sf_lazy_do(t.device, &d), NULL);
            if (way) {
                (void)sf_future_poll(f);
                sf_future_drop(f);
            } else {
                CHECK_OK(sf_future_on_ready(f, linger_ready, &c));
            }
            while (t.threaded && !test_load(&c.entered) && now() < limit) { nap(); }
            end(&t);
            CHECK_EQUAL(c.calls, 1);
            for (size_t i = 0; i < COUNT(c.results); i++) { CHECK_OK(c.results[i]); }
        }
    }
}

/* What these enqueue, and promise, while the device closes, still comes to its end. */
static void closed_while_on_ready_goes_on(void **state)
{
    enum { TURNS = 20 };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        relay r = { .rig = &t, .left = TURNS, .step = { .dst = t.data, .mul = 3, .out = word(TURNS + 1) } };
        sf_future *f = scheduled(do_step(t.device, &r.step), NULL);
        CHECK_OK(sf_future_on_ready(f, relay_next, &r));
        end(&t);
        CHECK_EQUAL(r.calls, TURNS + 1);
        CHECK_EQUAL(r.failures, 0);
        CHECK_EQUAL(r.step.runs, TURNS + 1);
        CHECK_EQUAL(r.step.states, TURNS + 1);
    }
}
static void closed_while_some_asks_again(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        again a = { .left = 5 };
        step s = { .out = word(1) };
        CHECK_OK(sf_future_on_ready(scheduled(do_step(t.device, &s), NULL), once_more, &a));
        end(&t);
        CHECK_EQUAL(a.calls, 6);
        CHECK_EQUAL(a.failures, 0);
        CHECK_STEP(s, 1, 1);
    }
}
typedef struct endless { rig *rig; sf_policy *policy; step step; uint32_t calls, stop, failures; } endless;
static void endless_next(sf_future *future, sf_result result, void *user)
{
    endless *e = (endless *)user;
    sf_future *f = NULL;
    if (result != SF_OK) { test_add(&e->failures, 1); }
    sf_future_drop(future);
    if (!test_load(&e->stop) && (sf_lazy_schedule(do_step(e->rig->device, &e->step), e->policy, &f) != SF_OK ||
                                 sf_future_on_ready(f, endless_next, e) != SF_OK)) {
        test_add(&e->failures, 1);
    }
    test_add(&e->calls, 1);
}
static void a_close_that_comes_too_early(void **state)       /* and one more, when it has an end */
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        endless e = { .rig = &t, .policy = policy_of(t.device, SF_POLICY_SINGLE_STREAM, 0) };
        e.step = (step){ .dst = t.data, .mul = 1, .add = 1 };
        CHECK_OK(sf_future_on_ready(scheduled(do_step(t.device, &e.step), e.policy), endless_next, &e));
        for (uint32_t i = 0; i < 3; i++) {
            int64_t limit = now() + GUARD;
            uint32_t calls;
            CHECK_IS(sf_device_close(t.device, SF_MS(i)), SF_TIMEOUT);
            calls = test_load(&e.calls);                     /* the close itself has made some */
            while (test_load(&e.calls) < calls + 2 && now() < limit) { (void)sf_device_poll(t.device, 0); }
            CHECK(test_load(&e.calls) >= calls + 2);         /* it goes on */
        }
        test_store(&e.stop, 1);
        end(&t);
        CHECK_EQUAL(e.failures, 0);
        CHECK_EQUAL(e.step.runs, e.calls);
        CHECK_EQUAL(e.step.states, e.calls);
        CHECK_EQUAL(e.step.values, e.calls);
    }
}
/* Who drops a value may have work to do with it, behind which it is freed. */
static uint32_t wiped;
static int wipe_host(const sf_slice *slice, const void *args)
{
    uint32_t *p;
    (void)slice;
    memcpy(&p, args, sizeof p);
    test_spin(100000);
    memset(p, 0, 64);
    test_add(&wiped, 1);
    return 0;
}
static sf_result secret_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)in, (void)count;
    return sf_mem_alloc_async(x->stream, NULL, 64, &out->ptr);
}
static void secret_value(void *state, sf_value value, sf_stream *stream)
{
    static const sf_kernel wipe = { .name = "wipe", .host = wipe_host };
    (void)state;
    if (sf_launch(stream, &wipe, &value.ptr, sizeof value.ptr) != SF_OK) { wiped += 100; }
    if (sf_mem_free_async(stream, value.ptr) != SF_OK) { wiped += 100; }
}
static void closed_with_values_to_wipe(void **state)
{
    sf_lazy_desc d = { .name = "secret", .run = secret_run, .drop_value = secret_value };
    (void)state;
    if (on_cuda()) { return; }               /* the kernel has no body there */
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_lazy *share = sf_lazy_share(sf_lazy_do(t.device, &d));
        wiped = 0;
        CHECK_OK(sf_future_wait(scheduled(sf_lazy_do(t.device, &d), NULL), GUARD));
        CHECK_OK(sf_lazy_sync(sf_lazy_retain(share), NULL, GUARD, NULL));
        end(&t);
        CHECK_EQUAL(wiped, 2);
    }
}

/* -- an event loop of your own -- */

static bool readable(int fd, int timeout_ms)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    return poll(&p, 1, timeout_ms) == 1 && (p.revents & POLLIN);
}
static bool polled_until_idle(sf_device *device)
{
    sf_result r = SF_OK;
    for (int i = 0; i < 100000 && r == SF_OK; i++) { r = sf_device_poll(device, 0); }
    return r == SF_IDLE;
}
static void a_descriptor_to_wait_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        step s[20];
        ready r[20];
        sf_future *f[20];
        uint32_t finished = 0;
        bool done[20] = { false };
        int fd = -1, again = -1;
        memset(s, 0, sizeof s);
        memset(r, 0, sizeof r);
        CHECK_IS(sf_device_ready_fd(NULL, &fd), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_device_ready_fd(t.device, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_OK(sf_device_ready_fd(t.device, &fd));
        CHECK_OK(sf_device_ready_fd(t.device, &again));
        CHECK(fd >= 0 && fd == again);
        CHECK(polled_until_idle(t.device));
        CHECK(!readable(fd, 0));                             /* nothing to do */
        if (t.threaded) {                                    /* a gate keeps a deterministic device busy */
            s[0] = (step){ .gate = t.flag, .dst = t.data, .mul = 1, .add = 1 };
            f[0] = submitted(do_step(t.device, &s[0]), NULL);
            CHECK(!readable(fd, 20));
            test_store(t.flag, 1);
            CHECK(readable(fd, 30000));
            CHECK(polled_until_idle(t.device));
            CHECK(!readable(fd, 0));
            CHECK_OK(sf_future_poll(f[0]));
            sf_future_drop(f[0]);
            CHECK(comes(t.device, &s[0].states, 1));
            CHECK(polled_until_idle(t.device));
        } else {
            CHECK_OK(test_mix(t.s[0], t.data, NULL, 1, 1, 1, 0));            /* any command is something to do */
            CHECK(readable(fd, 30000));
            CHECK(polled_until_idle(t.device));
            CHECK(!readable(fd, 0));
            CHECK_EQUAL(t.data[0], 1);
        }
        for (uint32_t i = 0; i < COUNT(s); i++) {
            s[i] = (step){ .dst = t.data + 1 + i, .mul = 1, .add = i + 1, .out = word(i) };
            f[i] = scheduled(do_step(t.device, &s[i]), NULL);
            if (i % 2) { CHECK_OK(sf_future_on_ready(f[i], ready_func, &r[i])); } else { (void)sf_future_poll(f[i]); }
        }
        while (finished < COUNT(f)) {        /* as a main loop does: no busy wait, and no time limit */
            for (uint32_t i = 0; i < COUNT(f); i++) {
                if (!done[i] && sf_future_poll(f[i]) == SF_OK) { done[i] = true, finished++; }
            }
            if (finished < COUNT(f)) {
                CHECK(readable(fd, 30000));
                CHECK(polled_until_idle(t.device));
            }
        }
        for (uint32_t i = 0; i < COUNT(f); i++) {
            CHECK_EQUAL(t.data[1 + i], i + 1);
            if (i % 2) { CHECK(comes(t.device, &r[i].calls, 1)); }
            sf_future_drop(f[i]);
        }
        end(&t);
        CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);   /* closed with the device */
        for (uint32_t i = 0; i < COUNT(f); i++) {
            CHECK_STEP(s[i], 1, 1);
            CHECK_EQUAL(r[i].calls, i % 2);
        }
    }
}

/* Values that are dropped after a fault are freed all the same, where the memory outlives it: on a host device. */
static sf_result takes_memory(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    sf_result r = sf_mem_alloc_async(x->stream, NULL, 4096, &out->ptr);
    (void)in, (void)count;
    return r < 0 ? r : sf_launch(x->stream, &trap_kernel, NULL, 0);
}
static void gives_memory(void *state, sf_value value, sf_stream *stream)
{
    (void)state;
    (void)sf_mem_free_async(stream, value.ptr);
}
static void dropped_after_a_fault(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds() && !on_cuda(); kind++) {
        rig t = begin(kind);
        sf_lazy_desc d = { .run = takes_memory, .drop_value = gives_memory };
        uint64_t live = counters_of(t.device).live_bytes;
        sf_future *f = scheduled(sf_lazy_do(t.device, &d), NULL);
        CHECK(sf_future_wait(f, GUARD) < 0);
        sf_future_drop(f);
        CHECK(sf_mem_free_async(t.s[0], &live) < 0);         /* nobody's: the fault is told */
        CHECK_OK(sf_device_reset(t.device));
        CHECK_OK(sf_device_synchronize(t.device, GUARD));
        CHECK_EQUAL(counters_of(t.device).live_bytes, live);
        end(&t);
    }
}
/* A graph that comes to nothing: the failure is that of the call that spoiled it, and of the operation that made it. */
static sf_result waits_in_a_capture(sf_lazy_context *ctx, const sf_value *in, int n, sf_value *out)
{
    (void)in, (void)n, (void)out;
    return sf_stream_synchronize(ctx->stream, 0);
}
static sf_result refuses_to_run(sf_lazy_context *ctx, const sf_value *in, int n, sf_value *out)
{
    (void)ctx, (void)in, (void)n, (void)out;
    return SF_ERROR_USER;
}
static void what_spoiled_a_graph(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_lazy_desc d = { .run = waits_in_a_capture };
        uint64_t count = sf_device_failure(t.device)->count;
        sf_result r = sf_lazy_sync_on(sf_lazy_graph(sf_lazy_do(t.device, &d)), t.s[0], GUARD, NULL);
        CHECK_IS(r, SF_ERROR_CAPTURE_UNSUPPORTED);
        CHECK_IS(sf_device_failure(t.device)->result, r);
        CHECK(strstr(sf_device_failure(t.device)->text, "sf_stream_synchronize"));
        CHECK_EQUAL(sf_device_failure(t.device)->count, count + 2);
        CHECK_EQUAL(counters_of(t.device).live_graphs, 0);
        d.run = refuses_to_run;              /* the capture itself is well */
        CHECK_IS(sf_lazy_sync_on(sf_lazy_graph(sf_lazy_do(t.device, &d)), t.s[0], GUARD, NULL), SF_ERROR_USER);
        CHECK_EQUAL(counters_of(t.device).live_graphs, 0);
        end(&t);
    }
}

/* The descriptor, and a poll that waits, tell also of what was submitted before anybody asked. */
static void *opens_later(void *arg)
{
    for (int i = 0; i < 30; i++) { nap(); }
    test_store((uint32_t *)arg, 1);
    return NULL;
}
static void told_of_what_was_before(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        rig t = begin(0);
        step s[2];
        sf_future *f[2];
        pthread_t thread;
        int fd = -1;
        memset(s, 0, sizeof s);
        for (int i = 0; i < 2; i++) {
            s[i] = (step){ .gate = t.flag, .dst = t.data + i, .mul = 1, .add = 1 };
            f[i] = submitted(do_step(t.device, &s[i]), NULL);
        }
        if (way) { CHECK_OK(sf_device_ready_fd(t.device, &fd)); }
        CHECK(polled_until_idle(t.device));
        CHECK(pthread_create(&thread, NULL, opens_later, t.flag) == 0);
        for (int i = 0; i < 2; i++) {
            while (sf_future_poll(f[i]) == SF_NOT_READY) {
                if (way) { CHECK(readable(fd, 30000)); }
                CHECK(sf_device_poll(t.device, way ? 0 : GUARD) != SF_IDLE || way);
            }
            CHECK_OK(sf_future_poll(f[i]));
            sf_future_drop(f[i]);
        }
        pthread_join(thread, NULL);
        end(&t);
        for (int i = 0; i < 2; i++) { CHECK_STEP(s[i], 1, 1); }
    }
}

/* A poll with a deadline waits for it where a thread of the library's, or the user's, may still have something to tell:
   also before anything is watched. */
typedef struct late_watch { sf_future *future; ready r; sf_result result; } late_watch;
static void *watch_later(void *arg)
{
    late_watch *w = (late_watch *)arg;
    for (int i = 0; i < 30; i++) { nap(); }
    w->result = sf_future_on_ready(w->future, ready_func, &w->r);
    return NULL;
}
static void a_poll_takes_its_time(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        late_watch w = { 0 };
        pthread_t thread;
        for (int used = 0; used < 2; used++) {
            int64_t begun = now();
            CHECK_IS(sf_device_poll(t.device, SF_MS(20)), SF_IDLE);
            CHECK(!t.threaded || now() - begun >= SF_MS(20));
            CHECK_IS(sf_device_poll(t.device, 0), SF_IDLE);
            w.future = scheduled(sf_lazy_value(t.device, word(1)), NULL);
            CHECK_OK(sf_future_wait(w.future, GUARD));
            sf_future_drop(w.future);
            while (sf_device_poll(t.device, 0) == SF_OK) {}
        }
        if (t.threaded) {
            w.future = scheduled(sf_lazy_value(t.device, word(1)), NULL);
            CHECK_EQUAL(pthread_create(&thread, NULL, watch_later, &w), 0);
            CHECK_OK(sf_device_poll(t.device, GUARD));
            CHECK_EQUAL(pthread_join(thread, NULL), 0);
            CHECK_OK(w.result);
            CHECK(comes(t.device, &w.r.calls, 1));
            sf_future_drop(w.future);
        }
        end(&t);
    }
}

/* Who sleeps in a poll, or on the descriptor, until an on_ready function has said so, is woken after that. */
static void slow_ready(sf_future *future, sf_result result, void *user)
{
    for (int i = 0; i < 30; i++) { nap(); }
    ready_func(future, result, user);
}
static void woken_after_on_ready(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        for (int way = 0; way < 2; way++) {
            rig t = begin(kind);
            step s = { .dst = t.data, .mul = 1, .add = 1 };
            ready r = { 0 };
            sf_future *f = scheduled(do_step(t.device, &s), NULL);
            int fd = -1;
            if (way) { CHECK_OK(sf_device_ready_fd(t.device, &fd)); }
            CHECK_OK(sf_future_on_ready(f, slow_ready, &r));
            while (!test_load(&r.calls)) {
                if (way) {
                    CHECK(readable(fd, 30000));
                    CHECK(polled_until_idle(t.device));
                } else {
                    CHECK_OK(sf_device_poll(t.device, GUARD));
                }
            }
            sf_future_drop(f);
            end(&t);
            CHECK_EQUAL(r.calls, 1);
            CHECK_STEP(s, 1, 1);
        }
    }
}

/* -- forks by hand -- */

static void fork_and_join_by_hand(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        uint32_t *d = t.data, flags = 99;
        sf_stream *child = NULL, *second = NULL;
        uint64_t creates;
        CHECK_OK(test_gate(t.s[0], t.flag, 1));
        CHECK_OK(test_mix(t.s[0], d, NULL, 1, 1, 7, 0));
        CHECK_OK(sf_stream_fork(t.s[0], &child));
        CHECK_OK(sf_stream_fork(child, &second));            /* a child's child */
        CHECK(child && second && child != second && child != t.s[0] && second != t.s[0]);
        CHECK_OK(sf_stream_get_flags(child, &flags));
        CHECK_EQUAL(flags, SF_STREAM_NON_BLOCKING);
        CHECK_OK(test_gate(t.s[0], t.flag + 1, 1));          /* after the fork: no child waits for that */
        CHECK_OK(test_mix(child, d + 1, d, 1, 1, 1, 0));
        CHECK_OK(test_lift(child, d + 11, 1));
        CHECK_OK(test_mix(second, d + 2, d, 1, 1, 2, 0));
        CHECK_OK(test_lift(second, d + 12, 1));
        give_it_time(t.device);
        CHECK_EQUAL(test_load(d + 11) + test_load(d + 12), 0);               /* but for what the parent held then */
        CHECK_IS(sf_stream_query(child), SF_NOT_READY);
        test_store(t.flag, 1);
        CHECK(comes(t.device, d + 11, 1) && comes(t.device, d + 12, 1));
        CHECK_EQUAL(d[1], 8);
        CHECK_EQUAL(d[2], 9);
        CHECK_IS(sf_stream_query(t.s[0]), SF_NOT_READY);
        CHECK_OK(test_gate(child, t.flag + 2, 1));
        CHECK_OK(test_mix(child, d + 1, NULL, 1, 3, 0, 0));
        CHECK_OK(sf_stream_join(child, second));             /* into the parent, */
        CHECK_OK(sf_stream_join(t.s[1], child));             /* or into any other stream */
        CHECK_OK(test_mix(t.s[1], d + 3, d + 1, 1, 1, 0, 0));
        CHECK_OK(test_mix(t.s[1], d + 3, d + 2, 1, 5, 0, 0));
        give_it_time(t.device);
        CHECK_EQUAL(test_load(d + 3), 0);
        CHECK_IS(sf_stream_query(child), SF_ERROR_INVALID_HANDLE);           /* given back */
        CHECK_IS(sf_stream_join(t.s[1], child), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(test_mix(child, d, NULL, 1, 1, 1, 0), SF_ERROR_INVALID_HANDLE);
        test_store(t.flag + 2, 1);
        CHECK_OK(sf_stream_synchronize(t.s[1], GUARD));
        CHECK_EQUAL(d[3], 24 * 5 + 9);
        CHECK_IS(sf_stream_query(t.s[0]), SF_NOT_READY);
        test_store(t.flag + 1, 1);
        CHECK_OK(sf_device_synchronize(t.device, GUARD));
        creates = counters_of(t.device).stream_creates;
        for (uint32_t i = 0; i < 30; i++) {                  /* from a pool: no more are made */
            CHECK_OK(sf_stream_fork(t.s[i % 3], &child));
            CHECK_OK(test_mix(child, d + 4, NULL, 1, 3, i, 0));
            CHECK_OK(sf_stream_join(t.s[(i + 1) % 3], child));
        }
        CHECK_OK(sf_device_synchronize(t.device, GUARD));
        CHECK(counters_of(t.device).stream_creates <= creates + 1);
        {
            uint32_t model = 0;
            for (uint32_t i = 0; i < 30; i++) { model = model * 3 + i; }
            CHECK_EQUAL(d[4], model);
        }
        CHECK_OK(sf_stream_fork(t.s[0], &child));            /* wrong ones */
        CHECK_IS(sf_stream_fork(NULL, &second), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_fork(t.s[0], NULL), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_stream_join(NULL, child), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_join(t.s[0], NULL), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_stream_join(child, child), SF_ERROR_INVALID_VALUE);
        CHECK_OK(sf_stream_join(t.s[0], t.s[0]));            /* no fork: nothing to do */
        CHECK_OK(test_gate(t.s[1], t.flag + 3, 1));          /* no fork: it is waited for, and lives on */
        CHECK_OK(test_mix(t.s[1], d + 7, NULL, 1, 1, 3, 0));
        CHECK_OK(sf_stream_join(child, t.s[1]));
        CHECK_OK(test_mix(t.s[1], d + 8, NULL, 1, 1, 5, 0));
        CHECK_OK(test_mix(child, d + 7, NULL, 1, 7, 0, 0));
        give_it_time(t.device);
        CHECK_EQUAL(test_load(d + 7), 0);
        test_store(t.flag + 3, 1);
        CHECK_IS(sf_stream_destroy(child), SF_ERROR_INVALID_HANDLE);
        CHECK_OK(test_mix(child, d + 5, NULL, 1, 1, 1, 0));  /* none the worse for it */
        CHECK_OK(sf_stream_join(t.s[0], child));
        CHECK_OK(sf_stream_fork(sf_stream_legacy(t.device), &child));
        CHECK_OK(test_mix(child, d + 6, NULL, 1, 1, 1, 0));
        CHECK_OK(sf_stream_fork(t.s[2], &second));           /* and two are left for the close */
        CHECK_OK(test_gate(second, t.flag, 1));
        CHECK_OK(sf_stream_synchronize(t.s[0], GUARD));
        CHECK_EQUAL(d[5], 1);
        CHECK_EQUAL(d[7], 21);
        CHECK_OK(sf_stream_synchronize(t.s[1], GUARD));
        CHECK_EQUAL(d[8], 5);
        end(&t);
    }
}
static int quick_host(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 0; }
static void elapsed_by_hand(void **state)
{
    static const sf_kernel k7 = { .name = "7 us", .host = quick_host, .host_ns = 7000 };
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        sf_event *from = test_event(t.device), *to = test_event(t.device);
        sf_stream *child = NULL;
        float ms = -1;
        CHECK_OK(sf_event_record(from, t.s[0], 0));
        CHECK_OK(sf_stream_fork(t.s[0], &child));
        if (t.threaded) {
            CHECK_OK(test_gate(child, t.flag, 1));
        } else {
            CHECK_OK(sf_launch(child, &k7, NULL, 0));
            CHECK_OK(sf_launch(t.s[0], &k7, NULL, 0));
        }
        CHECK_OK(sf_stream_join(t.s[0], child));
        CHECK_OK(sf_event_record(to, t.s[0], 0));
        CHECK_IS(sf_event_elapsed_ms(from, to, &ms), SF_NOT_READY);
        test_store(t.flag, 1);
        CHECK_OK(sf_event_synchronize(to, GUARD));
        CHECK_OK(sf_event_elapsed_ms(from, to, &ms));
        if (t.threaded) { CHECK(ms > 0); } else { CHECK(ms > 0.0139f && ms < 0.0141f); } /* one thread does both */
        end(&t);
    }
}

/* -- random operations --
   A tree of all kinds, nested; every step works on a cell of its own and on an account that counts how often the GPU
   really did it. The model is plain recursion: what a step puts out depends on what came in, and on nothing else. */

enum { NODES = 160, WORDS = 4, FIXED = 4, OUTPUTS = 16, TREES = 4, BUMP = 512, SERIALS = 4096, NEVER = 1 << 30 };
typedef enum kind {
    VALUE, DO, KERNEL, COPY, AGAIN, THEN, ZIP, PAR, SHARE, PICK, REPEAT, GRAPH, NEXT, REPORT
} kind;
typedef struct cell { uint32_t w[WORDS]; int node; } cell;
typedef struct trial trial;
typedef struct node {
    trial *t;
    kind kind;
    int index, child[3], children, outs, times;              /* times: of REPEAT; which output: of PICK */
    bool pooled, graphed, captured, built;
    uint32_t add, states;
    sf_lazy *next;
} node;
/* Memory for kernels: an account and a cell of its own per node, fixed ones, results per tree, spare ones. */
typedef struct memory {
    uint32_t account[NODES][WORDS], own[NODES][WORDS], fixed[FIXED][WORDS], result[TREES][OUTPUTS][WORDS];
    uint32_t spare[BUMP][WORDS];             /* not read back: those of values that were dropped are poisoned */
} memory;
enum { READ_BACK = offsetof(memory, spare) };
struct trial {
    rng r;
    sf_device *device;
    sf_stream *side;                         /* the test's own, for what was taken */
    memory *gpu, *cpu;                       /* cpu: pinned, to read it */
    node node[NODES];
    int nodes, trees, root[TREES], open_shares[NODES], shares;
    bool raw[TREES], poison;
    sf_lazy *shared[NODES];
    memory model;
    cell memo[NODES][OUTPUTS];
    bool memoized[NODES];
    uint32_t model_calls, model_made;
    uint32_t calls, made, spared, fail_at, values, wrong, taken;
    uint8_t dropped[SERIALS], is_taken[SERIALS];
    ready done[TREES];
    bool told[TREES];                        /* done is registered */
    bool careful;                            /* something will fail: every tree is waited for */
};

static sf_result mix4(sf_stream *s, uint32_t *dst, const uint32_t *src, uint32_t mul, uint32_t add)
{
    return test_mix(s, dst, src, WORDS, mul, add, 0);
}

/* -- growing -- */

static int new_node(trial *t, kind k)
{
    node *n = &t->node[t->nodes];
    *n = (node){ .t = t, .kind = k, .index = t->nodes, .add = rng_next(&t->r) };
    return t->nodes++;
}
static int grow(trial *t, int depth, bool in_graph);
static int pick_of(trial *t, int child)
{
    int at = new_node(t, PICK);
    t->node[at].child[t->node[at].children++] = child;
    t->node[at].times = (int)rng_below(&t->r, (uint32_t)t->node[child].outs);
    t->node[at].outs = 1;
    return at;
}
static void add_child(trial *t, int at, int depth, bool in_graph)
{
    node *n = &t->node[at];
    int child = grow(t, depth, in_graph);
    if ((n->kind == ZIP || n->kind == PAR) && t->node[child].outs > OUTPUTS / 3) { child = pick_of(t, child); }
    n->child[n->children++] = child;
}
static int grow(trial *t, int depth, bool in_graph)
{
    static const kind leaves[] = { VALUE, DO, DO, DO, KERNEL, COPY, AGAIN },
                      inner[] = { THEN, THEN, THEN, ZIP, ZIP, PAR, PAR, SHARE, PICK, REPEAT, GRAPH, NEXT };
    bool leaf = depth == 0 || t->nodes > NODES - 40 || rng_below(&t->r, 6) == 0;
    kind k = leaf ? leaves[rng_below(&t->r, COUNT(leaves))] : inner[rng_below(&t->r, COUNT(inner))];
    int at;
    node *n;
    if (k == AGAIN && !t->shares) { k = DO; }
    at = new_node(t, k);
    n = &t->node[at];
    n->graphed = in_graph;
    n->outs = 1;
    n->pooled = !in_graph && rng_below(&t->r, 2);
    switch (k) {
    case KERNEL: n->outs = 0; break;
    case AGAIN:
        n->child[0] = t->open_shares[rng_below(&t->r, (uint32_t)t->shares)];         /* built by another: no child */
        n->outs = t->node[n->child[0]].outs;
        break;
    case ZIP:
    case PAR:
        n->outs = 0;
        for (uint32_t parts = 1 + rng_below(&t->r, 3); parts; parts--) { add_child(t, at, depth - 1, in_graph); }
        for (int i = 0; i < n->children; i++) { n->outs += t->node[n->child[i]].outs; }
        break;
    case PICK:
        add_child(t, at, depth - 1, in_graph);
        n->times = t->node[n->child[0]].outs ? (int)rng_below(&t->r, (uint32_t)t->node[n->child[0]].outs) : -1;
        if (n->times < 0) { n->kind = THEN; } /* nothing to pick from */
        break;
    case REPEAT:
        n->times = (int)rng_below(&t->r, 4);
        add_child(t, at, depth - 1, in_graph);
        n->outs = n->times ? t->node[n->child[0]].outs : 0;
        break;
    case NEXT:
        if (rng_below(&t->r, 2)) { add_child(t, at, depth - 1, in_graph); } /* behind another: its outputs are lost */
        add_child(t, at, depth - 1, in_graph);
        n->outs = t->node[n->child[n->children - 1]].outs;
        break;
    case THEN: add_child(t, at, depth - 1, in_graph); break;
    case SHARE:
    case GRAPH:
        add_child(t, at, depth - 1, k == GRAPH);             /* a share inside a graph stays outside of it */
        n->outs = t->node[n->child[0]].outs;
        if (k == SHARE) { t->open_shares[t->shares++] = at; }
        break;
    default: break;
    }
    return at;
}

/* -- the model -- */

static void model_mix(uint32_t *dst, const uint32_t *src, uint32_t mul, uint32_t add)
{
    test_mix_model(dst, src, WORDS, mul, add);
}
static int model(trial *t, int at, bool counted, cell *out)
{
    node *n = &t->node[at];
    uint32_t *account = t->model.account[at];
    cell in[OUTPUTS];
    int count = 0;
    if (n->kind == AGAIN) { return model(t, n->child[0], counted, out); }
    if (n->kind == SHARE && t->memoized[at]) {
        memcpy(out, t->memo[at], (size_t)n->outs * sizeof *out);
        return n->outs;
    }
    if (n->kind == REPEAT) {
        for (int i = 0; i < n->times; i++) { count = model(t, n->child[0], counted, out); }
        return count;
    }
    if (n->kind == GRAPH && !n->graphed) { /* inside another one it is part of that */
        counted = counted && !n->captured;
        n->captured = true;
    }
    for (int i = 0; i < n->children; i++) {
        if (n->kind == NEXT && i == n->children - 1) { break; }
        count += model(t, n->child[i], counted, in + count);
    }
    switch (n->kind) {
    case VALUE: memcpy(out->w, t->model.fixed[n->add % FIXED], sizeof out->w); break;
    case COPY:
        memcpy(t->model.own[at], t->model.fixed[n->add % FIXED], sizeof out->w);
        memcpy(out->w, t->model.own[at], sizeof out->w);
        break;
    case KERNEL: model_mix(account, NULL, 3, n->add); break;
    case DO:
    case THEN:
    case REPORT:
        t->model_calls += counted, t->model_made += counted;
        memset(out->w, 0, sizeof out->w);
        model_mix(out->w, NULL, 0, n->add);
        for (int i = 0; i < count; i++) { model_mix(out->w, in[i].w, 5, (uint32_t)i + 1); }
        model_mix(account, out->w, 3, 1);
        for (int i = 0; n->kind == REPORT && i < count; i++) {
            memcpy(t->model.result[n->times][i], in[i].w, sizeof in[i].w);
        }
        break;
    case NEXT:
        t->model_calls += counted;
        model_mix(account, NULL, 3, n->add);
        return model(t, n->child[n->children - 1], counted, out);
    case PICK: *out = in[n->times]; break;
    case SHARE:
        memcpy(t->memo[at], in, (size_t)count * sizeof *in);
        t->memoized[at] = true;              /* fall through */
    default: memcpy(out, in, (size_t)count * sizeof *in); return n->outs;
    }
    if (n->kind != PICK) { out->node = at; }
    return n->outs;
}

/* -- what it is on a device -- */

/* Where an output is, which one it is, and whose; values travel as they are. */
static sf_result node_output(trial *t, node *n, sf_stream *s, sf_value *out)
{
    uint32_t spare = n->pooled ? 0 : test_add(&t->spared, 1);
    out->ptr = NULL;
    out->u32[2] = test_add(&t->made, 1) + 1;
    out->u32[3] = (uint32_t)n->index;
    if (out->u32[2] >= SERIALS || spare >= BUMP) { return SF_ERROR_NO_ROOM; }
    if (!n->pooled) { out->ptr = t->gpu->spare[spare]; }
    return n->pooled ? sf_mem_alloc_async(s, NULL, sizeof t->gpu->spare[0], &out->ptr) : SF_OK;
}
static sf_result node_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    node *n = (node *)x->state;
    trial *t = n->t;
    uint32_t *account = t->gpu->account[n->index];
    bool fails = test_add(&t->calls, 1) == t->fail_at;
    sf_value v;
    sf_result r;
    if (n->kind == NEXT) {
        if (!fails || n->add % 2) { x->next = sf_lazy_retain(n->next); }     /* set, and then an error: not run */
        r = mix4(x->stream, account, NULL, 3, n->add);
        return fails ? (sf_result)(-1100 - (int)t->fail_at) : r;
    }
    if (fails) {                             /* an output of a run that fails is nobody's */
        *out = (sf_value){ .u32 = { 1, 2, 3, NODES } };
        return (sf_result)(-1100 - (int)t->fail_at);
    }
    r = node_output(t, n, x->stream, &v);
    if (r >= 0) { r = mix4(x->stream, (uint32_t *)v.ptr, NULL, 0, n->add); }
    for (int i = 0; i < count && r >= 0; i++) {
        r = mix4(x->stream, (uint32_t *)v.ptr, (const uint32_t *)in[i].ptr, 5, (uint32_t)i + 1);
    }
    if (r >= 0) { r = mix4(x->stream, account, (const uint32_t *)v.ptr, 3, 1); }
    for (int i = 0; i < count && r >= 0 && n->kind == REPORT; i++) {
        r = sf_memcpy_async(x->stream, t->gpu->result[n->times][i], in[i].ptr, sizeof t->gpu->result[0][0]);
    }
    if (r < 0) {                             /* so it cleans up after itself */
        test_add(&t->made, (uint32_t)-1);
        if (n->pooled && v.ptr) { (void)sf_mem_free_async(x->stream, v.ptr); }
    }
    *out = v;
    return r;
}
static void node_value(void *state, sf_value value, sf_stream *stream)
{
    node *n = (node *)state;
    trial *t = n->t;
    uint32_t serial = value.u32[2];
    if (value.u32[3] != (uint32_t)n->index || test_load(&n->states) || serial >= SERIALS ||
        __atomic_fetch_add(&t->dropped[serial], 1, __ATOMIC_ACQ_REL)) {
        test_add(&t->wrong, 1);
        return;
    }
    if (n->pooled) {
        sf_result r = sf_mem_free_async(stream, value.ptr);
        if (r < 0 && !(t->careful && r == SF_ERROR_OUT_OF_MEMORY)) { test_add(&t->wrong, 1); }
    } else if (t->poison) {
        memset(value.ptr, 0xdd, sizeof t->gpu->spare[0]);    /* who uses it still, is found out */
    }
    test_add(&t->values, 1);
}
static void node_state(void *state)
{
    node *n = (node *)state;
    sf_lazy *next = n->next;
    n->next = NULL;
    test_add(&n->states, 1);
    sf_lazy_drop(next);
}
static sf_lazy *build(trial *t, int at)
{
    node *n = &t->node[at];
    sf_lazy_desc d = {
        .name = "node", .run = node_run, .state = n, .drop_state = node_state, .drop_value = node_value
    };
    sf_value v = { .ptr = t->gpu->fixed[n->add % FIXED] };
    mix_args args = { .dst = t->gpu->account[at], .n = WORDS, .mul = 3, .add = n->add };
    sf_lazy *part[3] = { NULL, NULL, NULL }, *l = NULL;
    for (int i = 0; i < n->children; i++) { part[i] = build(t, n->child[i]); }
    switch (n->kind) {
    case VALUE: return sf_lazy_value(t->device, v);
    case KERNEL: return sf_lazy_kernel(t->device, &mix_kernel, &args, sizeof args);
    case COPY: return sf_lazy_memcpy(t->device, t->gpu->own[at], v.ptr, sizeof t->gpu->own[0]);
    case AGAIN: return sf_lazy_retain(t->shared[n->child[0]]);
    case DO: l = sf_lazy_do(t->device, &d); break;
    case THEN:
    case REPORT: l = sf_lazy_then(part[0], &d); break;
    case ZIP: return sf_lazy_zip(part, n->children);
    case PAR: return sf_lazy_par(part, n->children);
    case SHARE:
        l = sf_lazy_share(part[0]);
        t->shared[at] = sf_lazy_retain(l);
        return l;
    case PICK: return sf_lazy_pick(part[0], n->times);
    case REPEAT: return sf_lazy_repeat(part[0], n->times);
    case GRAPH: return sf_lazy_graph(part[0]);
    default:                                 /* NEXT; without memory for what comes next there is none of it */
        n->next = part[n->children - 1];
        if (n->next) {
            l = n->children > 1 ? sf_lazy_then(part[0], &d) : sf_lazy_do(t->device, &d);
        } else if (n->children > 1) {
            sf_lazy_drop(part[0]);
        }
        if (!l && n->next && !test_load(&n->states)) {
            sf_lazy_drop(n->next);
            n->next = NULL;
        }
    }
    n->built = l != NULL;
    return l;
}

/* -- a trial -- */

static void grow_trees(trial *t, uint32_t seed, int trees)
{
    cell out[OUTPUTS];
    memset(t, 0, sizeof *t);
    t->r = rng_seed(seed);
    t->fail_at = NEVER;
    rng_fill(&t->r, t->model.fixed, sizeof t->model.fixed);
    for (t->trees = 0; t->trees < trees; t->trees++) {
        int at = grow(t, 1 + (int)(seed % 5), false);
        t->raw[t->trees] = rng_below(&t->r, 3) == 0;
        if (!t->raw[t->trees]) {
            int report = new_node(t, REPORT);
            t->node[report].child[t->node[report].children++] = at;
            t->node[report].outs = 1;
            t->node[report].times = t->trees;
            at = report;
        }
        t->root[t->trees] = at;
        if (t->nodes > NODES - 60) { t->trees++; break; }
    }
    for (int i = 0; i < t->trees; i++) { /* after all have grown: a share runs for whoever comes first */
        int n = model(t, t->root[i], true, out);
        for (int k = 0; t->raw[i] && k < n; k++) { memcpy(t->model.result[i][k], out[k].w, sizeof out[k].w); }
    }
}
static sf_result set_up(trial *t, sf_device *device)
{
    void *p = NULL;
    sf_result r;
    t->device = device;
    t->poison = !on_cuda();
    r = sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &t->side);
    if (r >= 0) { r = sf_mem_alloc(device, sizeof *t->gpu, SF_MEMORY_DEVICE, &p); }
    t->gpu = (memory *)p;
    if (r >= 0) { r = sf_mem_alloc(device, sizeof *t->cpu, SF_MEMORY_PINNED, &p); }
    t->cpu = r >= 0 ? (memory *)p : NULL;
    if (r >= 0) {
        memset(t->cpu, 0, sizeof *t->cpu);
        memcpy(t->cpu->fixed, t->model.fixed, sizeof t->model.fixed);
        r = sf_memcpy_async(t->side, t->gpu, t->cpu, sizeof *t->gpu);
    }
    return r < 0 ? r : sf_stream_synchronize(t->side, GUARD);
}
static sf_result policy_for(trial *t, uint32_t seed, sf_policy **policy)
{
    sf_policy_desc d = { .streams = 1 + (int32_t)(seed % 3), .given = t->side };
    static const sf_policy_kind kinds[] = { SF_POLICY_ROUND_ROBIN, SF_POLICY_ROUND_ROBIN, SF_POLICY_LEAST_LOADED,
                                            SF_POLICY_SINGLE_STREAM, SF_POLICY_GIVEN, SF_POLICY_PER_THREAD };
    *policy = NULL;                          /* the device's own */
    if (seed % 7 == 6) { return SF_OK; }
    d.kind = kinds[seed % 7];
    return sf_policy_create(t->device, &d, policy);
}
/* Takes what tree i put out, and reads it where it is. */
static sf_result take(trial *t, int i, sf_future *f, sf_value *kept, uint32_t *count)
{
    sf_value v[OUTPUTS];
    cell out[OUTPUTS];
    int outs = t->node[t->root[i]].outs;
    sf_result r = sf_future_take(f, v, OUTPUTS), copied = SF_OK;
    if (r < 0) { return r; }
    memset(t->memoized, 0, sizeof t->memoized);
    (void)model(t, t->root[i], false, out);  /* again, for whose they are; it has been compared by then */
    for (int k = 0; k < outs; k++) {
        kind of = t->node[out[k].node].kind;
        copied = sf_memcpy_async(t->side, t->gpu->result[i][k], v[k].ptr, sizeof t->gpu->result[i][k]);
        if (copied < 0) { r = copied; }
        if (of != DO && of != THEN && of != REPORT) { continue; }
        if (v[k].u32[3] != (uint32_t)out[k].node || v[k].u32[2] >= SERIALS) {
            test_add(&t->wrong, 1);
        } else if (!t->is_taken[v[k].u32[2]]) {
            t->is_taken[v[k].u32[2]] = 1;
            t->taken++;
            if (t->node[out[k].node].pooled) { kept[(*count)++] = v[k]; }
        }
    }
    return r;
}
/* Builds, schedules, submits, waits; the first error that anything said. Everything that was made is given back. */
static sf_result play(trial *t, uint32_t seed)
{
    sf_policy *policy = NULL;
    sf_future *f[TREES] = { NULL };
    sf_value kept[TREES * OUTPUTS];
    sf_lazy *tree[TREES];
    uint32_t many = 0;
    memory expected = t->model;              /* take() runs the model once more */
    sf_result first = policy_for(t, seed, &policy), r;
    for (int i = 0; i < t->trees; i++) { tree[i] = build(t, t->root[i]); }
    for (int i = 0; i < t->trees; i++) {
        uint32_t way = rng_below(&t->r, 4);
        if (!tree[i]) { first = first < 0 ? first : SF_ERROR_OUT_OF_MEMORY; continue; }
        r = sf_lazy_schedule(tree[i], policy, &f[i]);
        if (r >= 0 && way == 1) {
            r = sf_future_on_ready(f[i], ready_func, &t->done[i]);
            t->told[i] = r >= 0;
        }
        if (r >= 0 && way < 3) { r = sf_future_poll(f[i]); }
        if (r >= 0 && way == 2 && !t->raw[i] && !t->careful) { /* nobody waits for it: but done it will be, */
            while (sf_future_get_state(f[i]) == SF_FUTURE_IDLE && r >= 0) { r = sf_future_poll(f[i]); }
            sf_future_drop(f[i]);            /* once there was room for it */
            f[i] = NULL;
        }
        first = first < 0 ? first : r < 0 ? r : SF_OK;
    }
    for (int i = t->trees; i-- > 0;) {
        if (!f[i]) { continue; }
        r = sf_future_wait(f[i], GUARD);
        if (r == SF_OK && t->raw[i]) { r = take(t, i, f[i], kept, &many); }
        sf_future_drop(f[i]);
        if (r == SF_TIMEOUT) { r = SF_ERROR_STALLED; }
        first = first < 0 ? first : r < 0 ? r : SF_OK;
    }
    for (int i = 0; i < t->nodes; i++) { sf_lazy_drop(t->shared[i]); }
    if (policy) { (void)sf_policy_destroy(policy); }
    r = sf_device_synchronize(t->device, GUARD);
    if (r == SF_OK) { r = sf_memcpy_async(t->side, t->cpu, t->gpu, READ_BACK); }
    for (uint32_t i = 0; i < many; i++) {
        sf_result freed = sf_mem_free_async(t->side, kept[i].ptr);
        r = r < 0 ? r : freed;
    }
    if (r == SF_OK) { r = sf_stream_synchronize(t->side, GUARD); }
    t->model = expected;
    return first < 0 ? first : r < 0 ? r : r == SF_OK ? SF_OK : SF_ERROR_STALLED;
}
static void clean_up(trial *t)
{
    if (t->cpu) { (void)sf_mem_free(t->device, t->cpu); }
    if (t->gpu) { (void)sf_mem_free(t->device, t->gpu); }
    if (t->side) { (void)sf_stream_destroy(t->side); }
}
/* After a success: results, accounts, calls. */
static const char *compare(const trial *t)
{
    if (t->calls != t->model_calls) { return "calls"; }
    if (t->made != t->model_made) { return "outputs"; }
    if (memcmp(t->cpu->account, t->model.account, sizeof t->model.account) != 0) { return "what was done"; }
    if (memcmp(t->cpu->own, t->model.own, sizeof t->model.own) != 0) { return "copies"; }
    if (memcmp(t->cpu->result, t->model.result, sizeof t->model.result) != 0) { return "results"; }
    return NULL;
}
/* When all is over: everything was given back once. */
static const char *leftovers(const trial *t, bool short_of_memory)
{
    uint32_t dropped = 0;
    if (t->wrong) { return "a value dropped twice, too late, or by another"; }
    for (uint32_t i = 0; i < SERIALS; i++) {
        dropped += t->dropped[i];
        if (t->dropped[i] && t->is_taken[i]) { return "a value taken and dropped"; }
    }
    if (dropped != t->made - t->taken) { return "values not dropped"; }
    for (int i = 0; i < t->trees; i++) {
        if (t->done[i].calls != t->told[i]) { return "on_ready"; }
    }
    for (int i = 0; i < t->nodes; i++) {
        const node *n = &t->node[i];
        bool has = n->kind == DO || n->kind == THEN || n->kind == NEXT || n->kind == REPORT;
        if (n->states > has || (has && !n->states && (n->built || !short_of_memory))) { return "states"; }
    }
    return NULL;
}
static sf_device *device_for(uint32_t seed, sf_order order)
{
    static const uint32_t depths[] = { 2, 7, 64, 200 };
    heap = (test_heap){ 0 };
    return test_open_desc(&(sf_device_desc){
        .host = { .workers = 1 + (int32_t)(seed % 4), .order = order, .seed = seed,
                  .stream_depth = depths[seed / 5 % 4] },
        .heap = { test_heap_alloc, test_heap_free, &heap } });
}
static void wait_for_the_rest(trial *t, uint32_t seed)
{
    for (int i = 0; i < t->nodes; i++) {
        bool gone = !t->node[i].built || comes(t->device, &t->node[i].states, 1);
        if (!gone) { fail_msg("seed %u: node %d, states", seed, i); }
    }
    for (int i = 0; i < t->trees; i++) {
        bool told = !t->told[i] || comes(t->device, &t->done[i].calls, 1);
        if (!told) { fail_msg("seed %u: tree %d, on_ready", seed, i); }
    }
}
static void random_trial(trial *t, sf_device *shared, uint32_t seed, sf_order order)
{
    sf_device *device = shared ? shared : device_for(seed, order);
    const char *wrong;
    sf_result r;
    grow_trees(t, seed, 1 + (int)(seed / 3 % TREES));
    CHECK_OK(set_up(t, device));
    r = play(t, seed);
    if (r != SF_OK) { fail_msg("seed %u, order %d: %s", seed, order, sf_result_string(r)); }
    wrong = compare(t);
    if (wrong) { fail_msg("seed %u, order %d: %s", seed, order, wrong); }
    if (!comes(device, &t->values, t->made - t->taken)) { fail_msg("seed %u, order %d: drops", seed, order); }
    wait_for_the_rest(t, seed);
    clean_up(t);
    if (!shared) {
        test_close(device);
        if (heap.live) { fail_msg("seed %u, order %d: %ld blocks leak", seed, order, heap.live); }
    }
    wrong = leftovers(t, false);
    if (wrong) { fail_msg("seed %u, order %d: %s", seed, order, wrong); }
}
static void random_trees_under_every_order(void **state)
{
    static const sf_order orders[] = { SF_ORDER_RANDOM, SF_ORDER_PCT, SF_ORDER_LAZY, SF_ORDER_RANDOM, SF_ORDER_PCT,
                                       SF_ORDER_REVERSE, SF_ORDER_FIRST_IN };
    static trial t;
    uint32_t seeds = test_seeds();
    (void)state;
    if (on_cuda()) { return; }
    FOR_SEEDS(seed, seeds) { random_trial(&t, NULL, seed, orders[seed % COUNT(orders)]); }
}
static void random_trees_on_threads_and_gpus(void **state)
{
    static trial t;
    uint32_t seeds = test_seeds_of(20 + test_seeds() / 20, 20 + test_seeds() / 100);
    sf_device *shared = on_cuda() ? test_open() : NULL;      /* opening a GPU takes its time */
    (void)state;
    FOR_SEEDS(seed, seeds) { random_trial(&t, shared, 5000000 + seed, SF_ORDER_THREADS); }
    if (shared) { test_close(shared); }
}
/* Each call of a run function fails once: no other comes after it, and what was made before is given back. */
static void random_trees_that_fail(void **state)
{
    static trial t;
    uint32_t seeds = test_seeds_of(10 + test_seeds() / 40, 10 + test_seeds() / 1000), failures = 0;
    sf_device *shared = on_cuda() ? test_open() : NULL;
    (void)state;
    FOR_SEEDS(seed, seeds) {
        for (uint32_t at = 0, calls = 1; at < calls; at++) {
            sf_order order = shared ? SF_ORDER_THREADS : (sf_order)(seed % SF_ORDER_REPLAY);
            sf_device *device = shared ? shared : device_for(seed, order);
            step after = { .out = word(1) };
            const char *wrong;
            sf_result r;
            grow_trees(&t, 6000000 + seed, 1);
            calls = t.model_calls;
            t.fail_at = at;
            t.careful = true;
            CHECK_OK(set_up(&t, device));
            r = play(&t, seed);
            if (calls && r != (sf_result)(-1100 - (int)at)) {
                fail_msg("seed %u, call %u fails: %s", seed, at, sf_result_string(r));
            }
            if (calls && t.calls != at + 1) { fail_msg("seed %u: %u calls after call %u failed", seed, t.calls, at); }
            /* The device is none the worse for it. */
            CHECK_OK(sf_lazy_sync(do_step(device, &after), NULL, GUARD, NULL));
            if (!comes(device, &t.values, t.made - t.taken)) { fail_msg("seed %u, call %u: drops", seed, at); }
            wait_for_the_rest(&t, seed);
            CHECK(comes(device, &after.states, 1));
            clean_up(&t);
            if (!shared) {
                test_close(device);
                CHECK_EQUAL(heap.live, 0);
            }
            wrong = leftovers(&t, false);
            if (wrong) { fail_msg("seed %u, call %u fails: %s", seed, at, wrong); }
            failures += calls > 0;
        }
    }
    CHECK(failures > seeds);
    if (shared) { test_close(shared); }
}

/* -- what an operation goes on with -- */

typedef struct onward { sf_lazy *to; sf_device *other; uint32_t dropped; } onward;
static void onward_gone(void *state) { test_add(&((onward *)state)->dropped, 1); }
static sf_result nothing_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    (void)x, (void)in, (void)count, (void)out;
    return SF_OK;
}
static sf_result onward_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    onward *o = (onward *)x->state;
    sf_lazy_desc d = { .run = nothing_run, .state = o, .drop_state = onward_gone };
    (void)in, (void)count, (void)out;
    x->next = o->other ? sf_lazy_do(o->other, &d) : sf_lazy_retain(o->to);
    return SF_OK;
}
static void on_with_itself(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * device_kinds(); kind++) {
        rig t = begin(kind / 2);
        onward o = { 0 };
        sf_lazy *one = sf_lazy_do(t.device, &(sf_lazy_desc){ .run = onward_run, .state = &o });
        o.to = kind % 2 ? sf_lazy_share(one) : sf_lazy_graph(one);
        /* Within a graph it is one more part of it. */
        CHECK_IS(sf_lazy_sync(sf_lazy_retain(o.to), NULL, GUARD, NULL),
                 kind % 2 ? SF_ERROR_REENTRANT : SF_ERROR_INVALID_VALUE);
        sf_lazy_drop(o.to);
        end(&t);
    }
}
/* Several, each on a thread of its own, that go on with the next one in a ring: nobody waits for ever. */
typedef struct ring_part { sf_lazy *own; struct ring_part *next; pthread_barrier_t *all; sf_result result; } ring_part;
static sf_result ring_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    ring_part *p = (ring_part *)x->state;
    (void)in, (void)count, (void)out;
    if (p->all) { pthread_barrier_wait(p->all); }            /* once: what comes to nothing runs again */
    p->all = NULL;
    x->next = sf_lazy_retain(p->next->own);
    return SF_OK;
}
static void *ring_sync(void *arg)
{
    ring_part *p = (ring_part *)arg;
    p->result = sf_lazy_sync(sf_lazy_retain(p->own), NULL, GUARD, NULL);
    return NULL;
}
static void on_with_each_other(void **state)
{
    enum { MOST = 4 };
    (void)state;
    for (int k = 0; k < 60; k++) {
        const int n = 2 + k % 3, kind = k / 3 % device_kinds();
        const bool graphs = k & 1;           /* every other one is a graph */
        rig t = begin(kind);
        pthread_barrier_t all;
        pthread_t thread[MOST];
        ring_part part[MOST];
        CHECK(!pthread_barrier_init(&all, NULL, (unsigned)n));
        for (int i = 0; i < n; i++) {
            sf_lazy *one = sf_lazy_do(t.device, &(sf_lazy_desc){ .run = ring_run, .state = &part[i] });
            part[i] = (ring_part){ .next = &part[(i + 1) % n], .all = &all };
            part[i].own = graphs && i % 2 ? sf_lazy_graph(one) : sf_lazy_share(one);
        }
        for (int i = 0; i < n; i++) { CHECK(!pthread_create(&thread[i], NULL, ring_sync, &part[i])); }
        for (int i = 0; i < n; i++) { CHECK(!pthread_join(thread[i], NULL)); }
        for (int i = 0; i < n; i++) { CHECK_IS(part[i].result, SF_ERROR_REENTRANT); }
        for (int i = 0; i < n; i++) { sf_lazy_drop(part[i].own); }
        pthread_barrier_destroy(&all);
        end(&t);
    }
}
/* A function that the device calls cannot close it: each says so, and the device goes on. */
typedef enum close_caller { BY_RUN, BY_VALUE, BY_STATE, BY_READY, BY_INIT, BY_SCHEDULE, BY_SYNC, BY_FINI, BY_LOGGER,
               BY_KERNEL, CLOSERS } close_caller;
static struct { sf_device *device; close_caller by; sf_stream *stream; uint32_t refused, other; } closing;
static sf_result close_by(close_caller who)
{
    if (who == closing.by) {
        sf_result r = sf_device_close(closing.device, GUARD);
        test_add(r == SF_ERROR_ILLEGAL_STATE ? &closing.refused : &closing.other, 1);
    }
    return SF_OK;
}
static int closer_kernel(const sf_slice *slice, const void *args)
{
    return (void)slice, (void)args, (int)close_by(BY_KERNEL);
}
static sf_result closer_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    static const sf_kernel kernel = { .name = "closer", .host = closer_kernel };
    (void)in, (void)count;
    out->u64 = 1;
    if (!on_cuda() && sf_launch(x->stream, &kernel, NULL, 0) < 0) { return SF_ERROR_UNKNOWN; }
    return close_by(BY_RUN);
}
static void closer_value(void *s, sf_value v, sf_stream *on) { (void)s, (void)v, (void)on, (void)close_by(BY_VALUE); }
static void closer_state(void *s) { (void)s, (void)close_by(BY_STATE); }
static void closer_ready(sf_future *f, sf_result r, void *u) { (void)f, (void)r, (void)close_by(BY_READY), test_add(u, 1); }
static sf_result closer_init(void *self, sf_device *d) { return (void)self, (void)d, close_by(BY_INIT); }
static void closer_fini(void *self) { (void)self, (void)close_by(BY_FINI); }
static sf_result closer_schedule(void *self, sf_stream **s) { return (void)self, *s = closing.stream, close_by(BY_SCHEDULE); }
static sf_result closer_sync(void *self, sf_stream *s, int64_t timeout)
{
    (void)self, (void)close_by(BY_SYNC);
    return sf_stream_synchronize(s, timeout);
}
static void closer_log(const char *tag, uint32_t level, uint32_t item, const char *text, uint32_t line, const char *file, void *user)
{
    (void)tag, (void)level, (void)item, (void)text, (void)line, (void)file, (void)user;
    (void)close_by(BY_LOGGER);               /* which fails, and is not logged */
}
static void closed_by_what_it_calls(void **state)
{
    const sf_lazy_desc d = { .run = closer_run, .drop_value = closer_value, .drop_state = closer_state };
    (void)state;
    for (int k = 0; k < (on_cuda() ? BY_KERNEL : CLOSERS); k++) {            /* kernels run on the GPU there */
        sf_policy *policy;
        sf_future *f;
        sf_value out;
        sf_lazy *l;
        uint32_t told = 0;
        memset(&closing, 0, sizeof closing);
        closing.by = (close_caller)k;
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = test_backend, .logger.func = closer_log }, &closing.device));
        CHECK_OK(sf_stream_create(closing.device, NULL, &closing.stream));
        CHECK_OK(sf_policy_create(closing.device, &(sf_policy_desc){ .kind = SF_POLICY_CUSTOM,
            .custom = { .init = closer_init, .schedule = closer_schedule, .sync = closer_sync, .fini = closer_fini } }, &policy));
        l = sf_lazy_then(sf_lazy_do(closing.device, &d), &d);
        CHECK_OK(sf_lazy_sync(sf_lazy_retain(l), policy, GUARD, &out));
        CHECK_OK(sf_lazy_schedule(l, policy, &f));
        CHECK_OK(sf_future_on_ready(f, closer_ready, &told));
        CHECK(comes(closing.device, &told, 1));
        CHECK_OK(sf_future_wait(f, GUARD));
        sf_future_drop(f);
        CHECK_OK(sf_policy_destroy(policy));
        CHECK_IS(sf_stream_create(closing.device, NULL, NULL), SF_ERROR_INVALID_VALUE);      /* is logged */
        CHECK_OK(sf_device_close(closing.device, GUARD));
        CHECK(test_load(&closing.refused) > 0);
        CHECK_EQUAL(test_load(&closing.other), 0);
    }
}
static void on_with_another_device_s(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        onward o = { .other = test_open() };
        CHECK_IS(sf_lazy_sync(sf_lazy_do(t.device, &(sf_lazy_desc){ .run = onward_run, .state = &o }), NULL, GUARD,
                              NULL),
                 SF_ERROR_INVALID_HANDLE);
        CHECK(comes(o.other, &o.dropped, 1));
        test_close(o.other);
        end(&t);
    }
}
/* A graph that comes to nothing takes its memory along: what lies there has been dropped by then. */
typedef struct lost { void *made; uint32_t drops; sf_result freed; } lost;
static sf_result lost_run(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    sf_result r = sf_mem_alloc_async(x->stream, NULL, 4096, &out->ptr);
    (void)in, (void)count;
    ((lost *)x->state)->made = out->ptr;
    return r;
}
static void lost_drop(void *state, sf_value v, sf_stream *s)
{
    lost *l = (lost *)state;
    l->freed = sf_mem_free_async(s, v.ptr);
    test_add(&l->drops, 1);
}
static void a_graph_that_comes_to_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < device_kinds(); kind++) {
        rig t = begin(kind);
        lost l = { .freed = SF_ERROR_USER };
        void *p[16];
        sf_lazy *g = sf_lazy_graph(sf_lazy_then(
            sf_lazy_do(t.device, &(sf_lazy_desc){ .run = lost_run, .state = &l, .drop_value = lost_drop }),
            &(sf_lazy_desc){ .run = fails_run }));
        CHECK_IS(sf_lazy_sync(sf_lazy_retain(g), NULL, GUARD, NULL), SF_ERROR_USER);
        CHECK_EQUAL(l.drops, 1);             /* now, as later the address may be another's */
        CHECK_OK(l.freed);
        CHECK_IS(sf_device_failure(t.device)->result, SF_ERROR_USER);        /* which the free has not hidden */
        for (int i = 0; i < 16; i++) { CHECK_OK(sf_mem_alloc_async(t.s[0], NULL, 4096, &p[i])); }
        sf_lazy_drop(g);
        CHECK_OK(sf_device_synchronize(t.device, GUARD));
        CHECK_EQUAL(l.drops, 1);
        for (int i = 0; i < 16; i++) { CHECK_OK(sf_mem_free_async(t.s[0], p[i])); }
        end(&t);
    }
}

/* -- memory is out -- */

typedef struct poor_heap { long live, total, from, to; } poor_heap;    /* requests from .. to are refused */
static void *poor_alloc(size_t bytes, void *user)
{
    poor_heap *h = (poor_heap *)user;
    long n = __atomic_add_fetch(&h->total, 1, __ATOMIC_RELAXED);
    if (n >= h->from && n <= __atomic_load_n(&h->to, __ATOMIC_RELAXED)) { return NULL; }
    __atomic_add_fetch(&h->live, 1, __ATOMIC_RELAXED);
    return malloc(bytes);
}
static void poor_free(void *ptr, void *user)
{
    __atomic_sub_fetch(&((poor_heap *)user)->live, 1, __ATOMIC_RELAXED);
    free(ptr);
}
/* The n-th request of a whole program is refused, or all from the n-th on, for every n. */
static void without_memory(void **state)
{
    static trial t;
    uint32_t programs = test_seeds() >= 10000 ? 8 : 3, refused = 0;
    (void)state;
    if (on_cuda()) { return; }               /* its memory is the driver's */
    for (uint32_t p = 0; p < programs * 3; p++) {
        sf_order order = p % 3 == 2 ? SF_ORDER_THREADS : SF_ORDER_RANDOM;
        bool through = false;
        for (long n = 1; !through; n++) {
            poor_heap h = { .from = n, .to = p % 3 == 1 ? INT32_MAX : n };
            sf_device_desc desc = { .backend = SF_BACKEND_HOST, .heap = { poor_alloc, poor_free, &h },
                                    .host = { .order = order, .workers = 2, .seed = p, .stream_depth = 16 } };
            sf_device *device = NULL;
            const char *wrong;
            sf_result r = sf_device_open(&desc, &device);
            if (r >= 0) {
                grow_trees(&t, 7000000 + p / 3 * 31 + 4, 2);
                t.careful = true;
                r = set_up(&t, device);
                if (r >= 0) { r = play(&t, p / 3); }
            }
            through = n > __atomic_load_n(&h.total, __ATOMIC_RELAXED);
            CHECK_IS(r, through ? SF_OK : r < 0 ? SF_ERROR_OUT_OF_MEMORY : SF_OK);
            refused += r < 0;
            __atomic_store_n(&h.to, 0, __ATOMIC_RELAXED);    /* there is memory again */
            if (device) {
                if (r == SF_OK) {            /* what says that it worked has worked */
                    wrong = compare(&t);
                    if (wrong) { fail_msg("program %u, request %ld: %s", p, n, wrong); }
                }
                CHECK_OK(sf_device_close(device, GUARD));    /* with all that is left */
                wrong = leftovers(&t, true);
                if (wrong) { fail_msg("program %u, request %ld: %s", p, n, wrong); }
            }
            if (h.live) { fail_msg("program %u, request %ld: %ld blocks leak", p, n, h.live); }
        }
    }
    CHECK(refused > programs * 30);
}

/* -- what a submission has enqueued is done before anything that it touches goes -- */

static struct { int runs, drops, early; } slow;
static int write_late(const sf_slice *slice, const void *args)
{
    (void)slice;
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
    __atomic_store_n(*(int *const *)args, 1, __ATOMIC_RELEASE);
    return 0;
}
static const sf_kernel slow_kernel = { .name = "slow", .host = write_late };
static sf_result make_slowly(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    sf_result r;
    (void)in, (void)count;
    out->ptr = calloc(1, sizeof(int));
    r = sf_launch(x->stream, &slow_kernel, &out->ptr, sizeof(void *));
    if (r < 0) { free(out->ptr); } else { slow.runs++; }
    return r;
}
static void drop_when_done(void *state, sf_value v, sf_stream *s)
{
    (void)state, (void)s;
    slow.early += !__atomic_load_n((int *)v.ptr, __ATOMIC_ACQUIRE);
    slow.drops++;
    free(v.ptr);
}
static const sf_lazy_desc slow_desc = { .run = make_slowly, .drop_value = drop_when_done };
static void no_memory_for_the_end(void **state)
{
    (void)state;
    slow.runs = slow.drops = slow.early = 0;
    for (long fail_at = 1; fail_at < 80; fail_at++) {
        sf_device *device;
        heap = (test_heap){ .fail_at = fail_at };
        if (sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .host.workers = 1,
                                              .heap = { test_heap_alloc, test_heap_free, &heap } }, &device) >= 0) {
            (void)sf_lazy_sync(sf_lazy_do(device, &slow_desc), NULL, GUARD, NULL);
            CHECK_OK(sf_device_close(device, GUARD));
        }
        CHECK_EQUAL(heap.live, 0);
        CHECK_EQUAL(slow.drops, slow.runs);
    }
    CHECK(slow.runs > 10);
    CHECK_EQUAL(slow.early, 0);
}
static sf_result leave_a_capture(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    sf_result r = sf_stream_begin_capture(x->stream, SF_CAPTURE_RELAXED);
    (void)count, (void)out;
    if (in[0].u64 == 1) { (void)sf_stream_synchronize(x->stream, 0); }       /* which makes it invalid */
    return r;
}
static void a_capture_left_open(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool given = i & 1;
        sf_device *device;
        sf_stream *stream;
        sf_lazy *lazy;
        slow.runs = slow.drops = slow.early = 0;
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST }, &device));
        CHECK_OK(sf_stream_create(device, NULL, &stream));
        lazy = sf_lazy_then(sf_lazy_zip((sf_lazy *[]){ sf_lazy_value(device, (sf_value){ .u64 = i / 2 }),
                                                       sf_lazy_do(device, &slow_desc) }, 2),
                            &(sf_lazy_desc){ .run = leave_a_capture });
        CHECK_IS(given ? sf_lazy_sync_on(lazy, stream, GUARD, NULL) : sf_lazy_sync(lazy, NULL, GUARD, NULL),
                 SF_ERROR_CAPTURE_UNSUPPORTED);
        CHECK(strstr(sf_device_failure(device)->text, "left a capture open"));
        CHECK_EQUAL(slow.runs, 1);
        CHECK_EQUAL(slow.early, 0);
        for (int k = 0; k < 8; k++) {                        /* streams are as good as before */
            lazy = sf_lazy_do(device, &slow_desc);
            CHECK_OK(given ? sf_lazy_sync_on(lazy, stream, GUARD, NULL) : sf_lazy_sync(lazy, NULL, GUARD, NULL));
        }
        CHECK_OK(sf_device_close(device, GUARD));
        CHECK_EQUAL(slow.early, 0);
        CHECK_EQUAL(slow.drops, slow.runs);
    }
}
static struct { sf_policy *policy; sf_stream *stream; int ends; } brief;
static sf_result choose_and_destroy(void *self, sf_stream **stream)
{
    (void)self;
    *stream = brief.stream;
    return sf_policy_destroy(brief.policy);
}
static void count_an_end(void *self) { (void)self, brief.ends++; }
static void destroyed_by_its_schedule(void **state)
{
    sf_policy *p[32];
    rig t = begin(0);
    (void)state;
    brief.ends = 0;
    brief.stream = t.s[0];
    CHECK_OK(sf_policy_create(t.device, &(sf_policy_desc){ .kind = SF_POLICY_CUSTOM, .custom = {
        .schedule = choose_and_destroy, .fini = count_an_end } }, &brief.policy));
    CHECK_OK(sf_lazy_sync(sf_lazy_value(t.device, (sf_value){ .u64 = 1 }), brief.policy, GUARD, NULL));
    CHECK_EQUAL(brief.ends, 1);
    for (int i = 0; i < 32; i++) {
        CHECK_OK(sf_policy_create(t.device, &(sf_policy_desc){ .kind = SF_POLICY_SINGLE_STREAM }, &p[i]));
        for (int k = 0; k < i; k++) { CHECK(p[k] != p[i]); }
    }
    for (int i = 0; i < 32; i++) { CHECK_OK(sf_policy_destroy(p[i])); }
    end(&t);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_touches_nothing),
        cmocka_unit_test(outputs_of_every_kind),
        cmocka_unit_test(constructors_refuse),
        cmocka_unit_test(refused_when_it_runs),
        cmocka_unit_test(never_run),
        cmocka_unit_test(zip_is_in_turn),
        cmocka_unit_test(par_is_side_by_side),
        cmocka_unit_test(par_is_joined),
        cmocka_unit_test(repeat_is_in_turn),
        cmocka_unit_test(twice_unless_shared),
        cmocka_unit_test(share_across_streams),
        cmocka_unit_test(a_shared_output_can_be_taken),
        cmocka_unit_test(a_failed_share_fails_all),
        cmocka_unit_test(next_takes_over),
        cmocka_unit_test(captured_once_and_replayed),
        cmocka_unit_test(graphs_inside_others),
        cmocka_unit_test(a_graph_of_everything),
        cmocka_unit_test(shares_and_graphs_inside_a_graph),
        cmocka_unit_test(memory_inside_a_graph),
        cmocka_unit_test(a_graph_that_fails),
        cmocka_unit_test(a_graph_dropped_in_flight),
        cmocka_unit_test(dropped_in_flight),
        cmocka_unit_test(take_is_once),
        cmocka_unit_test(sync_hands_over_the_first),
        cmocka_unit_test(sync_in_time),
        cmocka_unit_test(references_are_taken_whatever_happens),
        cmocka_unit_test(an_error_short_circuits),
        cmocka_unit_test(a_function_s_reason_is_told),
        cmocka_unit_test(errors_come_back_from_every_call),
        cmocka_unit_test(nothing_is_submitted_inside),
        cmocka_unit_test(nothing_is_permitted_in_host_functions),
        cmocka_unit_test(every_call_in_every_state),
        cmocka_unit_test(who_calls_on_ready),
        cmocka_unit_test(on_ready_exactly_once),
        cmocka_unit_test(on_ready_goes_on),
        cmocka_unit_test(on_ready_asks_again),
        cmocka_unit_test(a_stream_ends_while_it_is_watched),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(one_stream_or_one_per_thread),
        cmocka_unit_test(least_loaded_takes_the_idle_one),
        cmocka_unit_test(custom_policies),
        cmocka_unit_test(a_device_has_a_policy),
        cmocka_unit_test(threads_have_a_default_device),
        cmocka_unit_test(a_policy_changes_meanwhile),
        cmocka_unit_test(policies_wait_by_policy),
        cmocka_unit_test(policies_refuse),
        cmocka_unit_test(a_policy_destroyed_in_flight),
        cmocka_unit_test(streams_of_policies_stay),
        cmocka_unit_test(eight_threads_one_policy),
        cmocka_unit_test(shared_by_threads),
        cmocka_unit_test(many_threads_one_future),
        cmocka_unit_test(a_full_stream_and_a_deadline),
        cmocka_unit_test(a_wait_beside_the_submission),
        cmocka_unit_test(a_fault_resolves_every_future),
        cmocka_unit_test(a_fault_in_every_place),
        cmocka_unit_test(a_description_after_a_fault),
        cmocka_unit_test(a_fault_on_the_gpu),
        cmocka_unit_test(a_fault_outlives_a_reset),
        cmocka_unit_test(closed_with_all_in_flight),
        cmocka_unit_test(a_close_waits_for_callbacks),
        cmocka_unit_test(closed_while_on_ready_goes_on),
        cmocka_unit_test(closed_while_some_asks_again),
        cmocka_unit_test(a_close_that_comes_too_early),
        cmocka_unit_test(closed_with_values_to_wipe),
        cmocka_unit_test(a_descriptor_to_wait_on),
        cmocka_unit_test(a_poll_takes_its_time),
        cmocka_unit_test(woken_after_on_ready),
        cmocka_unit_test(told_of_what_was_before),
        cmocka_unit_test(what_spoiled_a_graph),
        cmocka_unit_test(dropped_after_a_fault),
        cmocka_unit_test(fork_and_join_by_hand),
        cmocka_unit_test(elapsed_by_hand),
        cmocka_unit_test(random_trees_under_every_order),
        cmocka_unit_test(random_trees_on_threads_and_gpus),
        cmocka_unit_test(random_trees_that_fail),
        cmocka_unit_test(on_with_itself),
        cmocka_unit_test(on_with_each_other),
        cmocka_unit_test(closed_by_what_it_calls),
        cmocka_unit_test(on_with_another_device_s),
        cmocka_unit_test(a_graph_that_comes_to_nothing),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(stale_futures),
        cmocka_unit_test(stale_operations),
        cmocka_unit_test(as_deep_as_you_like),
        cmocka_unit_test(no_memory_for_the_end),
        cmocka_unit_test(a_capture_left_open),
        cmocka_unit_test(destroyed_by_its_schedule),
    };
    sf_device *context = NULL;
    int failed;
    if (argc > 1 && !strcmp(argv[1], "--fault")) { return fault_main(); }
    setenv("SF_TEST_SELF", argv[0], 1);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);          /* one per stream: else a gate can hold up another one */
    test_arguments(argc, argv);
    if (on_cuda()) { (void)sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_CUDA }, &context); } /* for all */
    failed = cmocka_run_group_tests_name("lazy", tests, NULL, NULL);
    if (context) { (void)sf_device_close(context, GUARD); }
    return failed;
}
