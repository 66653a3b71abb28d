/*  test_workers.c - flows on several threads: groups of workers, and task systems of the user's. What a flow does is
    not to depend on how many threads do it: any graph is run by one thread first, then by several, and compared. What
    the computes of one operator keep is plain memory, so ThreadSanitizer proves that the library orders them. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* And threads stumble now and then where the library shares something, so that others overtake them there. */
static __thread uint32_t dawdles;                            /* and longer, so that whole runs pass by */
static const char *nap_at;                                   /* or each time at this place */
static void (*at_step)(const char *place);                   /* or somebody does something right then */
static void stumble(const char *place)
{
    static __thread uint32_t n;
    n = (n ? n : (uint32_t)(uintptr_t)&n) * 1664525u + 1013904223u;
    if (n >> 26 == 0) { sched_yield(); }
    if (n >> 22 == 0) { usleep(1); }
    if (dawdles && n >> 28 == 0) { usleep(300); }
    if (nap_at && !strcmp(place, nap_at)) { usleep(50); }
    if (at_step) { at_step(place); }
}
#include "../streamflow.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"
#include "hooks.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }

static const int32_t crews[] = { 1, 2, 3, 4, 8 };            /* threads */

/* So many; with the fewer seeds of a sanitizer a third of that. */
static uint32_t many(uint32_t count) { return test_seeds() < 1000 ? count / 3 : count; }

static sf_flow *flow_of(int32_t threads)                     /* all in group 0 */
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = threads } } });
    CHECK(f != NULL);
    return f;
}
static sf_flow *flow_with(int32_t first, int32_t second)     /* threads in group 0, and in group 1 */
{
    sf_flow *f = sf_flow_create(
        &(sf_flow_desc){ .device = device, .workers = { { .count = first }, { .count = second } } });
    CHECK(f != NULL);
    return f;
}
static void ends(sf_flow *f, sf_result want) { guarded_run_is(f, want, NULL); }

/* Operators with one port on each side, or on one. */
static sf_op add_source(sf_flow *f, sf_compute_func compute, uint64_t count, int32_t group)
{
    return sf_flow_add(f, &(sf_op_desc){ .compute = compute, .out = { OUT("out") }, .count = count,
                                         .workers = group });
}
static sf_op add_pass(sf_flow *f, sf_compute_func compute, int32_t group)
{
    return sf_flow_add(
        f, &(sf_op_desc){ .compute = compute, .in = { IN("in") }, .out = { OUT("out") }, .workers = group });
}
static sf_op add_sink(sf_flow *f, sf_compute_func compute, void *user, uint16_t capacity, int32_t group)
{
    return sf_flow_add(f, &(sf_op_desc){ .compute = compute, .user = user, .workers = group,
                                    .in = { { .name = "in", .capacity = capacity } } });
}
static sf_mem_pool *pool_of(size_t blocks, sf_memory memory)
{
    sf_mem_pool_desc d = { .memory = memory, .block_bytes = BYTES, .blocks = blocks };
    sf_mem_pool *pool = NULL;
    CHECK_OK(sf_mem_pool_create(device, &d, &pool));
    return pool;
}

/* For computes: waits until *word >= value, and fails rather than hang. */
enum { TOO_LATE = SF_ERROR_USER - 99 };
static sf_result comes(const uint32_t *word, uint32_t value)
{
    for (int i = 0; i < 60000 && test_load(word) < value; i++) { usleep(200); }
    return test_load(word) >= value ? SF_OK : (sf_result)TOO_LATE;
}

static void answered(const uint32_t *word, uint32_t value)   /* for the main thread: soon, so it does not sleep */
{
    for (int64_t end = sf_flow_now(NULL) + GUARD; test_load(word) < value && sf_flow_now(NULL) < end;) {
        sched_yield();
    }
    CHECK_EQUAL(test_load(word), value);
}

/* A call that may block, on a thread of its own: a hang is a failure here. */
typedef struct call {
    sf_result (*func)(sf_flow *flow);
    sf_flow *flow;
    sf_result result;
    uint32_t done;
    pthread_t thread;
} call;
static void *make_call(void *arg)
{
    call *c = (call *)arg;
    c->result = c->func(c->flow);
    test_store(&c->done, 1);
    return NULL;
}
static call *call_begin(sf_result (*func)(sf_flow *flow), sf_flow *f)
{
    call *c = (call *)calloc(1, sizeof *c);
    c->func = func;
    c->flow = f;
    CHECK_EQUAL(pthread_create(&c->thread, NULL, make_call, c), 0);
    return c;
}
static sf_result call_end(call *c)
{
    sf_result r;
    until(&c->done, 1);
    pthread_join(c->thread, NULL);
    r = c->result;
    free(c);
    return r;
}
static sf_result within(sf_result (*func)(sf_flow *flow), sf_flow *f) { return call_end(call_begin(func, f)); }

/* Which group a thread belongs to, as the first compute on it in this run says. */
static __thread struct { uint32_t run; int crew; } my;
static uint32_t crew_run, crew_size[SF_DESC_WORKERS], strangers;
static void crew_begin(void)
{
    test_add(&crew_run, 1);
    memset(crew_size, 0, sizeof crew_size);
    strangers = 0;
}
static void crew_note(int crew)
{
    if (my.run != test_load(&crew_run)) {
        my.run = test_load(&crew_run);
        my.crew = crew;
        test_add(&crew_size[crew], 1);
    } else if (my.crew != crew) {
        test_add(&strangers, 1);
    }
}
static void crew_is(int crew, uint32_t at_most)
{
    if (test_load(&crew_size[crew]) > at_most) {
        fail_msg("operators of group %d ran on %u threads, not %u", crew, crew_size[crew], at_most);
    }
    CHECK_EQUAL(test_load(&strangers), 0);
}

/* -- who runs where -- */

static uint32_t arrived, crowd, inside, inside_most;
static pthread_t thread_of[SF_MAX_PORTS];
static sf_result meet(sf_context *ctx) /* returns when all of the crowd are here, in each round */
{
    thread_of[id_of(ctx)] = pthread_self();
    test_add(&arrived, 1);
    return comes(&arrived, crowd * ((uint32_t)ctx->run + 1));
}
static void as_many_at_once_as_workers(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(crews); k++) {
        const int32_t n = crews[k / 2], group = k & 1 ? 3 : 0;
        sf_flow_desc d = { .device = device };
        sf_flow *f;
        d.workers[group].count = n;
        f = sf_flow_create(&d);
        arrived = 0;
        crowd = (uint32_t)n;
        for (int i = 0; i < n; i++) {
            sf_flow_add(f, &(sf_op_desc){ .compute = meet, .user = &ids[i], .count = 3, .workers = group });
        }
        ends(f, SF_OK);
        for (int i = 0; i < n; i++) {
            CHECK(!pthread_equal(thread_of[i], pthread_self()));
            for (int j = 0; j < i; j++) { CHECK(!pthread_equal(thread_of[i], thread_of[j])); }
        }
        destroy(f);
    }
}
static sf_result be_counted(sf_context *ctx)
{
    uint32_t now = test_add(&inside, 1) + 1, most = test_load(&inside_most);
    (void)ctx;
    crew_note(0);
    while (now > most && !__atomic_compare_exchange_n(&inside_most, &most, now, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {}
    test_spin(200);
    test_add(&inside, (uint32_t)-1);
    return SF_OK;
}
static void no_more_at_once_than_workers(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        sf_op op[12];
        inside = inside_most = 0;
        crew_begin();
        for (int i = 0; i < 12; i++) { op[i] = sf_flow_add(f, &(sf_op_desc){ .compute = be_counted, .count = 100 }); }
        ends(f, SF_OK);
        for (int i = 0; i < 12; i++) { CHECK_EQUAL(runs_of(f, op[i]), 100); }
        CHECK(inside_most <= (uint32_t)crews[k]);
        crew_is(0, (uint32_t)crews[k]);
        destroy(f);
    }
}

/* All workers but one are in a long compute, the first one or a later one: the last does the rest. */
static uint32_t opened, long_run;
static sf_result wait_until_opened(sf_context *ctx) { return ctx->run == long_run ? comes(&opened, 1) : SF_OK; }
static sf_result open_at_the_last(sf_context *ctx)
{
    if (sf_receive_value(ctx, 0).i64 == 50) { test_add(&opened, 1); }
    return SF_OK;
}
static void one_free_worker_does_the_rest(void **state)
{
    enum { LENGTH = 15 };
    (void)state;
    for (size_t k = 1; k < COUNT(crews); k++) {
        for (int variant = 0; variant < 4; variant++) {
            sf_flow *f = flow_of(crews[k]);
            sf_op before = { 0 };
            opened = 0;
            long_run = variant & 2 ? 3 : 0;
            for (int i = 0; i < LENGTH; i++) {
                sf_op_desc d = { .compute = i == 0 ? count_up : i + 1 < LENGTH ? pass_value : open_at_the_last,
                                 .count = i ? 0 : 50, .priority = variant & 1 };
                sf_op op;
                if (i) { d.in[0] = (sf_port)IN("in"); }
                if (i + 1 < LENGTH) { d.out[0] = (sf_port)OUT("out"); }
                op = sf_flow_add(f, &d);
                if (i) { connect(f, before, op); }
                before = op;
                if (i + 1 < crews[k]) {
                    sf_flow_add(f, &(sf_op_desc){ .name = "long", .compute = wait_until_opened,
                                                  .count = long_run + 1 });
                }
            }
            ends(f, SF_OK);
            CHECK_EQUAL(runs_of(f, before), 50);
            destroy(f);
        }
    }
}

/* An operator that was quick for a long time has become slow: other workers run its operators while it computes. */
enum { MATES = 14, QUICK = 3000, SLOW = 600 };
static struct { sf_flow *flow; sf_op mate[MATES]; } heavy;
static sf_result become_slow(sf_context *ctx)
{
    for (int64_t begin = sf_flow_now(NULL); ctx->run >= QUICK && sf_flow_now(NULL) - begin < SF_US(20);) {}
    if (ctx->run + 1 < QUICK + SLOW) { return SF_OK; }
    for (int i = 0; i < MATES; i++) {
        sf_result r = sf_flow_push_value(heavy.flow, heavy.mate[i], 0, number(50));
        if (r != SF_OK) { return r; }
    }
    return comes(&opened, MATES) == SF_OK ? SF_OK : sf_fail(ctx, SF_ERROR_USER, "no other worker came");
}
static sf_result slow_source(sf_context *ctx)
{
    sf_result r = become_slow(ctx);
    return r == SF_OK ? count_up(ctx) : r;
}
static sf_result slow_sink(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), become_slow(ctx); }
static void who_becomes_slow_is_helped(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        sf_op a, b;
        opened = 0;
        heavy.flow = sf_flow_create(&(sf_flow_desc){   /* others help a worker in a long compute, and no other */
            .device = device, .workers = { { .count = variant & 2 ? 4 : 2, .spin = INT64_MAX } } });
        a = sf_flow_add(heavy.flow, &(sf_op_desc){ .compute = variant & 1 ? count_up : slow_source,
                                                   .count = QUICK + SLOW,
                                              .out = { OUT("out") } });
        b = sf_flow_add(heavy.flow, &(sf_op_desc){ .compute = variant & 1 ? slow_sink : take_value,
                                                   .in = { IN("in") } });
        connect(heavy.flow, a, b);
        for (int i = 0; i < MATES; i++) {
            heavy.mate[i] = sf_flow_add(heavy.flow, &(sf_op_desc){ .compute = open_at_the_last, .count = 1,
                                                              .in = { { .name = "in", .external = true } } });
        }
        ends(heavy.flow, SF_OK);
        CHECK_EQUAL(runs_of(heavy.flow, b), QUICK + SLOW);
        destroy(heavy.flow);
    }
}

/* What is dealt to copies in turns leaves them in its order, also if one is slow: a `many` input takes one of each. */
enum { DEALT = 101 };
static sf_op dealt_to[4];
static uint32_t copies;
static sf_result deal(sf_context *ctx) { return sf_route(ctx, dealt_to[ctx->run % copies]), pass_value(ctx); }
static sf_result pass_unevenly(sf_context *ctx) { return usleep(id_of(ctx) ? 1 : 400), pass_value(ctx); }
static void dealt_to_copies_in_order(void **state)
{
    long long all[DEALT];
    (void)state;
    for (int i = 0; i < DEALT; i++) { all[i] = i + 1; }
    for (copies = 2; copies <= 4; copies++) {
        sf_flow *f = flow_of((int32_t)copies);
        sf_op from = add_source(f, count_up, DEALT, 0), dealer = add_pass(f, deal, 0);
        sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = keep_values, .user = &ids[9],
                                                 .in = { { .name = "in", .many = true } } });
        notes_clear();
        connect(f, from, dealer);
        for (uint32_t i = 0; i < copies; i++) {
            dealt_to[i] = sf_flow_add(f, &(sf_op_desc){ .compute = pass_unevenly, .user = &ids[i],
                                                        .in = { IN("in") }, .out = { OUT("out") } });
            CHECK_OK(sf_flow_connect(f, dealer, NULL, dealt_to[i], NULL, &(sf_edge_desc){ .capacity = 2 }));
            connect(f, dealt_to[i], to);
        }
        ends(f, SF_OK);
        check_notes(9, all, DEALT);
        destroy(f);
    }
}

static sf_result crew_source(sf_context *ctx) { return crew_note(id_of(ctx)), count_up(ctx); }
static sf_result crew_pass(sf_context *ctx) { return crew_note(id_of(ctx)), pass_value(ctx); }
static struct { int64_t last; uint64_t sum; } taken[8];      /* plain: only the operator's computes touch it */
static uint32_t disorder;
static sf_result crew_sink(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    crew_note(id_of(ctx));
    if (v != taken[id_of(ctx)].last + 1) { test_add(&disorder, 1); }
    taken[id_of(ctx)].last = v;
    return SF_OK;
}
static void groups_keep_to_their_threads(void **state)       /* a chain through all of them */
{
    static const int groups[] = { 0, 1, 7, 0, 7, 1 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .workers = { { .count = 2 }, { .count = 1 }, [7] = { .count = 3, .spin = -1 } } });
        sf_op before = { 0 };
        crew_begin();
        disorder = 0;
        memset(taken, 0, sizeof taken);
        for (size_t k = 0; k < COUNT(groups); k++) {
            sf_op_desc d = { .compute = k == 0 ? crew_source : k + 1 < COUNT(groups) ? crew_pass : crew_sink,
                             .user = &ids[groups[k]], .workers = groups[k], .count = k ? 0 : 500 };
            sf_op op;
            if (k) { d.in[0] = (sf_port){ .name = "in", .capacity = (uint16_t)(1 + k) }; }
            if (k + 1 < COUNT(groups)) { d.out[0] = (sf_port)OUT("out"); }
            op = sf_flow_add(f, &d);
            if (k) { connect(f, before, op); }
            before = op;
        }
        if (i == 0) { ends(f, SF_OK); } else { CHECK_OK(within(sf_flow_run, f)); }
        crew_is(0, 2), crew_is(1, 1), crew_is(7, 3);
        CHECK_EQUAL(disorder, 0);
        CHECK_EQUAL(taken[1].last, 500);
        destroy(f);
    }
}
static sf_result note_self(sf_context *ctx) { return thread_of[id_of(ctx)] = pthread_self(), keep_one(ctx); }
static sf_result note_self_source(sf_context *ctx) { return thread_of[id_of(ctx)] = pthread_self(), count_up(ctx); }
/* Without threads of its own group 0 is the caller of sf_flow_run(), or one background thread after sf_flow_start(). */
static void the_caller_is_group_0(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { [1] = { .count = 2 } } });
    sf_op a, b, c;
    call *run;
    pthread_t caller;
    (void)state;
    a = sf_flow_add(f, &(sf_op_desc){ .compute = note_self_source, .user = &ids[0], .out = { OUT("out") },
                                      .count = 12 });
    b = add_sink(f, note_self, &ids[1], 0, 1);
    c = add_sink(f, note_self, &ids[2], 0, 0);
    connect(f, a, b);
    connect(f, a, c);
    run = call_begin(sf_flow_run, f);
    caller = run->thread;
    CHECK_OK(call_end(run));
    CHECK(pthread_equal(thread_of[0], caller));
    CHECK(pthread_equal(thread_of[2], caller));
    CHECK(!pthread_equal(thread_of[1], caller));
    ends(f, SF_OK);
    CHECK(pthread_equal(thread_of[0], thread_of[2]));
    CHECK(!pthread_equal(thread_of[0], pthread_self()));
    CHECK(!pthread_equal(thread_of[0], thread_of[1]));
    CHECK_NOTES(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    destroy(f);
}
static void a_group_without_threads(void **state)            /* would never run its operators: refused, by name */
{
    static const int32_t wrong[] = { 3, 8, -1, 1000000 };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sf_flow *f = flow_of(2);
        sf_flow_add(f, &(sf_op_desc){ .name = "lost", .compute = nothing, .count = 1, .workers = wrong[i] });
        CHECK(sf_flow_check(f, false, NULL, NULL) < 0);
        CHECK(sf_flow_start(f) < 0);
        CHECK(strstr(sf_flow_failure(f)->text, "lost") != NULL);
        CHECK(sf_flow_destroy(f) < 0);
    }
}

/* -- the urgent first -- */

static uint32_t held, gate;
static sf_result hold(sf_context *ctx)                       /* the worker, until the gate is open */
{
    (void)ctx;
    test_store(&held, 1);
    return comes(&gate, 1);
}
static sf_result note_id(sf_context *ctx) { return note_down(0, id_of(ctx)), SF_OK; }
static sf_result note_id_taken(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), note_id(ctx); }
static const int32_t priorities[] = { 5, -3, 0, 7, -4 };
static void the_urgent_first(void **state)                   /* of those that are ready at the start */
{
    (void)state;
    for (int group = 0; group < 3; group += 2) {
        sf_flow *f = sf_flow_create(
            &(sf_flow_desc){ .device = device, .workers = { { .count = 1 }, [2] = { .count = 1 } } });
        notes_clear();
        for (int i = 0; i < 5; i++) {
            sf_flow_add(f, &(sf_op_desc){ .compute = note_id, .user = &ids[i], .count = 2, .priority = priorities[i],
                                     .workers = group });
        }
        ends(f, SF_OK);
        CHECK_NOTES(0, 4, 4, 1, 1, 2, 2, 0, 0, 3, 3);
        destroy(f);
    }
}
static void the_urgent_first_of_those_behind(void **state)   /* one compute makes all of them ready */
{
    sf_flow *f = flow_with(1, 1);
    sf_op a = add_source(f, count_up, 1, 1);
    (void)state;
    for (int i = 0; i < 5; i++) {
        connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = note_id_taken, .user = &ids[i], .in = { IN("in") },
                                               .priority = priorities[i], .workers = 1 }));
    }
    ends(f, SF_OK);
    CHECK_NOTES(0, 4, 1, 2, 0, 3);
    destroy(f);
}
static void the_urgent_first_from_elsewhere(void **state)    /* from outside, and from another group's thread */
{
    sf_flow *f = flow_with(1, 1);
    sf_op op[5], other;
    (void)state;
    held = gate = 0;
    sf_flow_add(f, &(sf_op_desc){ .compute = hold, .count = 1, .priority = -100 });
    other = add_source(f, count_up, 1, 1);
    for (int i = 0; i < 5; i++) {
        op[i] = sf_flow_add(f, &(sf_op_desc){ .compute = note_id_taken, .user = &ids[i], .count = 1,
                                         .in = { { .name = "in", .external = i < 3 } }, .priority = priorities[i] });
        if (i >= 3) { connect(f, other, op[i]); }
    }
    CHECK_OK(sf_flow_start(f));
    until(&held, 1);
    for (int i = 0; i < 3; i++) { CHECK_OK(sf_flow_push_value(f, op[i], 0, number(1))); }
    for (int i = 0; i < 10000 && runs_of(f, other) < 1; i++) { usleep(1000); }
    CHECK_EQUAL(runs_of(f, other), 1);
    test_store(&gate, 1);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(0, 4, 1, 2, 0, 3);
    destroy(f);
}

/* -- threads as asked for -- */

enum { MASK = 1024 / 64 };
typedef struct mask { unsigned long word[MASK]; } mask;
static mask mask_of_this_thread(void)
{
    mask m;
    memset(&m, 0, sizeof m);
    (void)syscall(SYS_sched_getaffinity, 0, sizeof m, m.word);
    return m;
}
static bool has(const mask *m, uint32_t cpu) { return m->word[cpu / 64] >> cpu % 64 & 1; }
static mask only(uint32_t cpu)
{
    mask m;
    memset(&m, 0, sizeof m);
    m.word[cpu / 64] |= 1ul << cpu % 64;
    return m;
}
static struct seen { char name[16]; mask cpus; int policy, priority; } seen[8];
static void look_at_thread(struct seen *s)
{
    struct sched_param p = { 0 };
    prctl(PR_GET_NAME, s->name);
    s->cpus = mask_of_this_thread();
    s->policy = (int)syscall(SYS_sched_getscheduler, 0);
    if (syscall(SYS_sched_getparam, 0, &p) == 0) { s->priority = p.sched_priority; }
}
static sf_result meet_and_look(sf_context *ctx)
{
    look_at_thread(&seen[id_of(ctx)]);
    return meet(ctx);
}
/* On all threads of group 0, or of group 2. */
static sf_flow *lookers(const sf_workers *w, int32_t group, sf_logger logger)
{
    sf_flow_desc d = { .device = device, .logger = logger };
    sf_flow *f;
    d.workers[group] = *w;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    memset(seen, 0, sizeof seen);
    arrived = 0;
    crowd = (uint32_t)(w->count ? w->count : 1);
    for (uint32_t i = 0; i < crowd; i++) {
        sf_flow_add(f, &(sf_op_desc){ .compute = meet_and_look, .user = &ids[i], .count = 2, .workers = group });
    }
    return f;
}
static void look(const sf_workers *w, int32_t group)
{
    sf_flow *f = lookers(w, group, (sf_logger){ NULL, NULL });
    ends(f, SF_OK);
    destroy(f);
}
static void names_of_threads(void **state)
{
    static const char *const names[] = { "radar", "a name too long for a thread" };
    struct seen mine;
    (void)state;
    look_at_thread(&mine);
    for (int32_t count = 1; count <= 3; count++) {
        for (int k = 0; k < 4; k++) {                        /* in group 0, and in group 2 */
            char text[64];
            snprintf(text, sizeof text, "%s", names[k & 1]);
            {
                sf_workers w = { .count = count, .name = text };
                sf_flow *f = lookers(&w, k / 2 * 2, (sf_logger){ NULL, NULL });
                memset(text, 'x', sizeof text - 1);          /* copied, as all of a desc is */
                ends(f, SF_OK);
                destroy(f);
            }
            for (uint32_t i = 0; i < crowd; i++) {
                if (strncmp(seen[i].name, names[k & 1], k & 1 ? 10 : 5)) {
                    fail_msg("thread %u of %d is \"%s\", not \"%s\"", i, count, seen[i].name, names[k & 1]);
                }
            }
        }
    }
    look(&(sf_workers){ .count = 2 }, 0);
    for (int i = 0; i < 2; i++) { CHECK(seen[i].name[0] != 0); }
    look_at_thread(&seen[0]);
    CHECK(!strcmp(seen[0].name, mine.name)); /* this thread keeps its own */
}
static void pinned_threads(void **state)
{
    mask all = mask_of_this_thread(), now;
    char text[4096] = "", one[32], ranges[4096] = "";
    uint32_t first = MASK * 64, last = 0;
    (void)state;
    for (uint32_t c = 0, begin = 0; c < MASK * 64; c++) {    /* "0,1,2" and "0-2" are the same */
        size_t t = strlen(text), n = strlen(ranges);
        if (!has(&all, c)) { continue; }
        if (c < first) { first = c; }
        last = c;
        if (!c || !has(&all, c - 1)) { begin = c; }
        snprintf(text + t, sizeof text - t, "%s%u", t ? "," : "", c);
        if (c + 1 == MASK * 64 || !has(&all, c + 1)) {
            snprintf(ranges + n, sizeof ranges - n, "%s%u-%u", n ? "," : "", begin, c);
        }
    }
    for (int32_t count = 1; count <= 2; count++) {
        for (int32_t group = 0; group < 3; group += 2) {
            for (int k = 0; k < 2; k++) {
                mask want = only(k ? last : first);
                snprintf(one, sizeof one, "%u", k ? last : first);
                look(&(sf_workers){ .count = count, .cpus = one }, group);
                for (uint32_t i = 0; i < crowd; i++) { CHECK_BYTES(&seen[i].cpus, &want, sizeof want); }
                look(&(sf_workers){ .count = count, .cpus = k ? text : ranges }, group);
                for (uint32_t i = 0; i < crowd; i++) { CHECK_BYTES(&seen[i].cpus, &all, sizeof all); }
            }
        }
    }
    now = mask_of_this_thread();
    CHECK_BYTES(&now, &all, sizeof all);                     /* this one is where it was */
}
static void the_thread_in_the_background(void **state)       /* group 0 without a count: it is the library's, too */
{
    mask all = mask_of_this_thread(), want;
    char one[32];
    uint32_t last = MASK * 64 - 1;
    (void)state;
    while (!has(&all, last)) { last--; }
    want = only(last);
    snprintf(one, sizeof one, "%u", last);
    look(&(sf_workers){ .name = "radar", .cpus = one }, 0);
    if (strncmp(seen[0].name, "radar", 5)) { fail_msg("the thread is \"%s\", not \"radar\"", seen[0].name); }
    CHECK_BYTES(&seen[0].cpus, &want, sizeof want);
}
/* What a group does not get is logged with its name: a core that no process has; what the calling thread keeps. */
static void groups_are_named(void **state)
{
    static const struct { sf_workers group; const char *warning; } cases[] = {
        { { .count = 1, .name = "radar", .cpus = "1023" }, "workers[0] (\"radar\"): cores \"1023\" are not to be had" },
        { { .name = "radar", .cpus = "0" }, "workers[0] (\"radar\") has no threads" },
        { { .count = 1, .name = "radar", .priority = 5 }, "workers[0] (\"radar\") has a priority or times" },
        { { .count = 1, .name = "radar", .realtime = SF_REALTIME_FIFO, .priority = 1000 },
          "workers[0] (\"radar\"): real-time scheduling is not permitted" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        test_log log = { 0 };
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger = { test_log_func, &log },
                                                     .workers = { cases[i].group } });
        sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .count = 1, .out = { { .name = "out" } } });
        run_is(f, SF_OK);
        if (log.count != 1 || log.level != 2 || !strstr(log.text, cases[i].warning)) {
            fail_msg("%u messages, not \"%s\": %s", (unsigned)log.count, cases[i].warning, log.text);
        }
        destroy(f);
    }
}
static void wrong_cpus(void **state)
{
    static const char *const wrong[] = { "x", "1-", "-1", "2-1", "0,,1", "0;1", "0x1", "0-1-2", "0,a", "4294967296" };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        for (int32_t group = 0; group < 3; group += 2) {
            sf_workers w = { .count = 2, .cpus = wrong[i] };
            sf_flow *f = lookers(&w, group, (sf_logger){ NULL, NULL });
            if (sf_flow_start(f) >= 0) {
                (void)sf_flow_wait(f, GUARD);
                fail_msg("cpus \"%s\" was taken", wrong[i]);
            }
            CHECK(strstr(sf_flow_failure(f)->text, "cpus") != NULL);
            CHECK(strstr(sf_flow_failure(f)->text, wrong[i]) != NULL);
            CHECK(sf_flow_destroy(f) < 0);
            CHECK_EQUAL(arrived, 0);
        }
    }
}

/* Told by several threads at once. */
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;
static struct { uint32_t count[4]; char text[512]; } told;
static void tell_log(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                     const char *file, void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    pthread_mutex_lock(&told_lock);
    told.count[level & 3]++;
    if (message && level == 2) { snprintf(told.text, sizeof told.text, "%s", message); }
    pthread_mutex_unlock(&told_lock);
}
static uint32_t told_warnings(void)
{
    uint32_t n;
    pthread_mutex_lock(&told_lock);
    n = told.count[2];
    pthread_mutex_unlock(&told_lock);
    return n;
}
static void cpus_that_are_not_there(void **state)            /* well written: refused or not, but not in silence */
{
    mask all = mask_of_this_thread();
    sf_workers w = { .count = 1, .cpus = "1000" };
    sf_flow *f;
    (void)state;
    if (has(&all, 1000)) { return; }
    memset(&told, 0, sizeof told);
    f = lookers(&w, 0, (sf_logger){ tell_log, NULL });
    if (sf_flow_start(f) >= 0) {
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK(told_warnings() > 0);
    } else {
        CHECK(strstr(sf_flow_failure(f)->text, "cpus") != NULL);
    }
    (void)sf_flow_destroy(f);
}

/* Capabilities are a thread's own, and those that it starts get the same. */
typedef struct caps { struct { uint32_t version; int pid; } head; struct { uint32_t effective, permitted, inherited;
} data[2]; } caps;
enum { CAP_NICE = 23 };
static sf_result without_privilege(sf_flow *f)
{
    caps c;
    memset(&c, 0, sizeof c);
    c.head.version = 0x20080522;
    if (syscall(SYS_capget, &c.head, c.data) < 0) { return SF_ERROR_NOT_SUPPORTED; }
    c.data[0].effective &= ~(1u << CAP_NICE);
    if (syscall(SYS_capset, &c.head, c.data) < 0) { return SF_ERROR_NOT_SUPPORTED; }
    return sf_flow_run(f);
}
static sf_result try_fifo(sf_flow *unused)
{
    struct sched_param p = { .sched_priority = 1 };
    (void)unused;
    return syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &p) == 0 ? SF_OK : SF_ERROR_NOT_PERMITTED;
}
static void realtime_that_is_not_permitted(void **state)     /* a warning; the flow does its work all the same */
{
    static const sf_workers kinds[] = {
        { .count = 2, .realtime = SF_REALTIME_FIFO, .priority = 3 },
        { .count = 2, .realtime = SF_REALTIME_RR, .priority = 3 },
        { .count = 1, .realtime = SF_REALTIME_DEADLINE, .runtime = 200000, .deadline = 900000, .period = 900000 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        sf_flow *f;
        sf_result r;
        memset(&told, 0, sizeof told);
        f = lookers(&kinds[i], 1 + (int32_t)i, (sf_logger){ tell_log, NULL });
        r = within(without_privilege, f);
        if (r != SF_ERROR_NOT_SUPPORTED) {
            CHECK_OK(r);
            CHECK(told_warnings() > 0);
            CHECK_EQUAL(told.count[0] + told.count[1], 0);
            for (uint32_t k = 0; k < crowd; k++) { CHECK_EQUAL(seen[k].policy, SCHED_OTHER); }
            CHECK_EQUAL(sf_flow_failure(f)->count, 0);
        }
        destroy(f);
    }
}
static void realtime_that_is_permitted(void **state)
{
    static const sf_realtime kinds[] = { SF_REALTIME_FIFO, SF_REALTIME_RR };
    (void)state;
    if (within(try_fifo, NULL) < 0) { return; }
    for (size_t i = 0; i < COUNT(kinds); i++) {
        sf_workers w = { .count = 2, .realtime = kinds[i], .priority = 3, .spin = -1 };
        sf_flow *f = lookers(&w, 1, (sf_logger){ tell_log, NULL });
        memset(&told, 0, sizeof told);
        ends(f, SF_OK);
        CHECK_EQUAL(told_warnings(), 0);
        for (uint32_t k = 0; k < crowd; k++) {
            CHECK_EQUAL(seen[k].policy, kinds[i] == SF_REALTIME_FIFO ? SCHED_FIFO : SCHED_RR);
            CHECK_EQUAL(seen[k].priority, 3);
        }
        destroy(f);
    }
}

/* -- a task system of the user's -- */

typedef enum jobs_kind {
    JOBS_NONE,
    JOBS_THREADS,                            /* a pool: a finish() waits for it */
    JOBS_AT_ONCE,                            /* runs in enqueue(), returns NULL */
    JOBS_LATE,                               /* runs in finish(), and not before */
    JOBS_MIXED,                              /* now one, now another */
    JOBS_BEGUN,                              /* a pool; enqueue() returns when the compute says that it has begun */
    JOBS_SLOW                                /* a pool that takes its time to begin */
} jobs_kind;
typedef enum job_state { JOB_FREE, JOB_QUEUED, JOB_LATE, JOB_RUNS, JOB_DONE } job_state;
typedef struct job { void (*task)(void *arg); void *arg; uint64_t number; job_state state; bool waited; } job;
typedef struct job_system {
    pthread_mutex_t lock;
    pthread_cond_t news;
    job jobs[256];
    pthread_t threads[8];
    int count;
    jobs_kind kind;
    bool ending;
    uint64_t enqueued, finished, at_once, wrong;
    rng r;
} job_system;
static job_system tasks = { .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER };
static __thread bool on_pool;
static uint32_t begun;                                       /* computes, under JOBS_BEGUN */

static void job_run(job_system *s, job *j)                   /* with the lock, which it opens */
{
    j->state = JOB_RUNS;
    pthread_mutex_unlock(&s->lock);
    if (s->kind == JOBS_SLOW) { usleep(200); }
    j->task(j->arg);
    pthread_mutex_lock(&s->lock);
    j->state = JOB_DONE;
    pthread_cond_broadcast(&s->news);
}
static job *job_oldest(job_system *s)
{
    job *found = NULL;
    for (size_t i = 0; i < COUNT(s->jobs); i++) {
        job *j = &s->jobs[i];
        if (j->state == JOB_QUEUED && (!found || j->number < found->number)) { found = j; }
    }
    return found;
}
static void *job_thread(void *arg)
{
    job_system *s = (job_system *)arg;
    on_pool = true;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        job *j = job_oldest(s);
        if (j) { job_run(s, j); } else { pthread_cond_wait(&s->news, &s->lock); }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}
static void *enqueue(void (*task)(void *arg), void *arg, void *user)
{
    job_system *s = (job_system *)user;
    job *j = NULL;
    uint32_t how, before = test_load(&begun);
    pthread_mutex_lock(&s->lock);
    how = s->kind == JOBS_MIXED ? rng_below(&s->r, 3) : s->kind == JOBS_AT_ONCE ? 0 : s->kind == JOBS_LATE ? 1 : 2;
    for (size_t i = 0; i < COUNT(s->jobs) && how && !j; i++) {
        if (s->jobs[i].state == JOB_FREE) { j = &s->jobs[i]; }
    }
    if (!j) {
        s->at_once++;
        pthread_mutex_unlock(&s->lock);
        task(arg);
        return NULL;
    }
    *j = (job){ .task = task, .arg = arg, .number = s->enqueued++, .state = how == 1 ? JOB_LATE : JOB_QUEUED };
    pthread_cond_broadcast(&s->news);
    pthread_mutex_unlock(&s->lock);
    if (s->kind == JOBS_BEGUN) { (void)comes(&begun, before + 1); }
    return j;
}
static void finish(void *task, void *user)
{
    job_system *s = (job_system *)user;
    job *j = (job *)task;
    struct timespec end;
    pthread_mutex_lock(&s->lock);
    if (!j || j->state == JOB_FREE || j->waited) {           /* each handle once */
        s->wrong++;
        pthread_mutex_unlock(&s->lock);
        return;
    }
    j->waited = true;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 30;
    while (j->state != JOB_DONE) {
        if (j->state == JOB_LATE || (on_pool && j->state == JOB_QUEUED)) {   /* no thread of the pool may block it */
            job_run(s, j);
        } else if (pthread_cond_timedwait(&s->news, &s->lock, &end) != 0) {
            s->wrong++;
            break;
        }
    }
    j->state = JOB_FREE;
    s->finished++;
    pthread_mutex_unlock(&s->lock);
}
static void jobs_begin(jobs_kind kind, int threads)
{
    tasks.kind = kind;
    tasks.ending = false;
    tasks.count = kind == JOBS_THREADS || kind >= JOBS_MIXED ? threads : 0;
    tasks.enqueued = tasks.finished = tasks.at_once = tasks.wrong = 0;
    tasks.r = rng_seed(7);
    memset(tasks.jobs, 0, sizeof tasks.jobs);
    for (int i = 0; i < tasks.count; i++) {
        CHECK_EQUAL(pthread_create(&tasks.threads[i], NULL, job_thread, &tasks), 0);
    }
}
static void jobs_end(void)                                   /* nothing is left: no flow runs any more */
{
    uint64_t left, wrong;
    pthread_mutex_lock(&tasks.lock);
    tasks.ending = true;
    pthread_cond_broadcast(&tasks.news);
    left = tasks.enqueued - tasks.finished;
    wrong = tasks.wrong;
    pthread_mutex_unlock(&tasks.lock);
    for (int i = 0; i < tasks.count; i++) { pthread_join(tasks.threads[i], NULL); }
    CHECK_EQUAL(left, 0);
    CHECK_EQUAL(wrong, 0);
}
static void set_jobs(sf_flow_desc *d)                        /* in place of workers */
{
    memset(d->workers, 0, sizeof d->workers);
    d->jobs.enqueue = enqueue;
    d->jobs.finish = finish;
    d->jobs.user = &tasks;
}

/* -- any graph: values, tensors, control edges, feedback, batches, `many` inputs, metadata, failures -- */

enum { NODES = 14, PORTS = 4, SENT = 2, EDGES = 80, TAKEN = 64, LOGS = 200, KEYS = 3, CREWS = 3 };
typedef struct link { int from, out, to, in, index; sf_edge_desc desc; } link_desc;
typedef struct node {
    /* as drawn */
    uint64_t salt, count;
    int ins, outs, crew, turns, downs, down[NODES];
    struct { bool tensor, many; uint16_t batch, capacity; int links; } in[PORTS];
    bool sends_tensor[SENT], looks, forwards, tells, routes, fails;
    uint32_t every, burst;
    int32_t priority;
    sf_on_error on_error;
    /* as run */
    struct graph *graph;
    uint64_t state, hooks[SF_HOOK_STOP + 1];
    uint32_t logged, failed, *log;
    volatile uint32_t inside;
    bool may_compute;
    pthread_t thread;
    rng noise;
} node;
typedef struct graph {
    uint64_t seed;
    int count, link_count;
    bool pinned, jobs;
    uint32_t entries;
    node nodes[NODES];
    link_desc links[EDGES];
    sf_op op[NODES];
    uint32_t twice, missing, torn, early, elsewhere;         /* what must not be: touched only then */
} graph;

static uint64_t fold(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* One more link into port `in` of node `to`, of the port's kind; `delay` makes it a feedback, from anywhere. */
static bool draw_link(graph *g, rng *r, int to, int in, uint16_t delay)
{
    node *t = &g->nodes[to];
    for (int tries = 0; tries < 8 && g->link_count < EDGES; tries++) {
        int from = (int)rng_below(r, (uint32_t)(delay ? g->count : to)), out, same = 0;
        node *f = &g->nodes[from];
        link_desc *l = &g->links[g->link_count];
        uint32_t need;
        if (!f->outs) { continue; }
        out = (int)rng_below(r, (uint32_t)f->outs);
        if (t->in[in].links && t->in[in].tensor != f->sends_tensor[out]) { continue; }
        for (int i = 0; i < g->link_count; i++) {
            const link_desc *o = &g->links[i];
            same += o->from == from && o->out == out && o->to == to && o->in == in;
        }
        if (same) { continue; }
        t->in[in].tensor = f->sends_tensor[out];
        *l = (link_desc){ .from = from, .out = out, .to = to, .in = in, .index = t->in[in].links++ };
        l->desc.delay = delay;
        need = t->in[in].batch;
        if (f->burst > need) { need = f->burst; }
        if (delay) { need += delay; }
        if (need > t->in[in].batch || rng_below(r, 2)) {
            l->desc.capacity = (uint16_t)(need + rng_below(r, 9 - need));
        }
        g->link_count++;
        return true;
    }
    return false;
}
static void draw_input(graph *g, rng *r, int to, bool mixed)
{
    node *t = &g->nodes[to];
    int in = t->ins, links = 1;
    t->in[in].many = rng_below(r, 4) == 0;
    t->in[in].batch = (uint16_t)(mixed && rng_below(r, 3) == 0 ? 1 + rng_below(r, 3) : 1);
    if (rng_below(r, 2)) { t->in[in].capacity = (uint16_t)(t->in[in].batch + rng_below(r, 6)); }
    if (t->in[in].many) { links += (int)rng_below(r, 3); }
    for (int i = 0; i < links; i++) { (void)draw_link(g, r, to, in, 0); }
    t->ins += t->in[in].links > 0;
}
static void draw_node(graph *g, rng *r, int i, bool tensors, bool mixed, uint32_t frames)
{
    node *n = &g->nodes[i];
    int ins = i && rng_below(r, 6) ? 1 + (int)rng_below(r, 3) : 0;
    bool values = true;
    n->salt = fold(g->seed, (uint64_t)i);
    n->crew = (int)rng_below(r, CREWS);
    n->priority = (int32_t)rng_below(r, 3) - 1;
    n->every = mixed && rng_below(r, 4) == 0 ? 2 + rng_below(r, 2) : 1;
    for (int p = 0; p < ins; p++) { draw_input(g, r, i, mixed); }
    n->outs = i == 0 || (i + 1 < g->count && rng_below(r, 6)) ? 1 + (int)rng_below(r, SENT) : 0;
    for (int o = 0; o < n->outs; o++) {
        n->sends_tensor[o] = tensors && rng_below(r, 2);
        values = values && !n->sends_tensor[o];
    }
    n->burst = mixed && values && n->outs && rng_below(r, 4) == 0 ? 2 + rng_below(r, 2) : 1;
    n->tells = rng_below(r, 3) == 0;
    n->forwards = rng_below(r, 5) == 0;
    n->routes = mixed && rng_below(r, 5) == 0;
    n->fails = rng_below(r, 6) == 0;
    n->on_error = mixed && rng_below(r, 2) ? SF_ON_ERROR_IGNORE : SF_ON_ERROR_RETRY;
    n->looks = tensors && g->pinned && rng_below(r, 4) == 0;
    if (!n->ins) {                           /* a source, or one that is given its turns */
        n->turns = i && rng_below(r, 3) == 0 ? 1 + (int)rng_below(r, (uint32_t)i) : 0;
        n->count = n->turns ? 0 : mixed ? 1 + rng_below(r, 40) : frames;
    } else if (rng_below(r, 8) == 0) {
        n->turns = 1 + (int)rng_below(r, (uint32_t)i);
    }
}
/* With mixed rates most graphs have joins of unequal sides. */
static void draw(graph *g, uint64_t seed, bool tensors)
{
    rng r = rng_seed(seed);
    const bool mixed = rng_below(&r, 3) == 0;
    const uint32_t frames = 4 + rng_below(&r, 37);
    memset(g, 0, sizeof *g);
    g->seed = seed;
    g->count = 3 + (int)rng_below(&r, NODES - 2);
    g->entries = rng_below(&r, 3) == 0 ? KEYS : 0;
    g->pinned = rng_below(&r, 2);
    for (int i = 0; i < g->count; i++) { draw_node(g, &r, i, tensors, mixed, frames); }
    for (uint32_t k = rng_below(&r, 3); k > 0; k--) {
        int to = (int)rng_below(&r, (uint32_t)g->count), in = g->nodes[to].ins;
        if (!in || in == PORTS) { continue; }
        g->nodes[to].in[in].batch = 1;
        g->nodes[to].ins += draw_link(g, &r, to, in, (uint16_t)(1 + rng_below(&r, 3)));
    }
    for (int i = 0; i < g->link_count; i++) {
        node *n = &g->nodes[g->links[i].from];
        int known = 0;
        for (int k = 0; k < n->downs; k++) { known += n->down[k] == g->links[i].to; }
        if (!known) { n->down[n->downs++] = g->links[i].to; }
    }
}

static void node_pause(node *n)
{
    uint32_t what = rng_below(&n->noise, 16);
    if (what == 0) { sched_yield(); }
    if (what == 1 && rng_below(&n->noise, 8) == 0) { usleep(rng_below(&n->noise, 100)); }
    if (what >= 2 && what < 8) { test_spin(rng_below(&n->noise, 2000)); }
}
static uint64_t node_receive(sf_context *ctx, node *n, sf_tensor **tensor, int *tensors)
{
    uint64_t h = n->salt + ctx->run;
    for (int p = 0; p < n->ins; p++) {
        int take = n->in[p].batch * n->in[p].links;
        if (n->in[p].many && sf_available(ctx, p) < take) { take = sf_available(ctx, p); }   /* ended edges bring none */
        if (sf_available(ctx, p) < take) { test_add(&n->graph->missing, 1); }
        for (int k = 0; k < take; k++) {
            if (!n->in[p].tensor) {
                h = fold(h, sf_receive_value(ctx, p).u64);
            } else {
                tensor[*tensors] = sf_receive(ctx, p);
                if (!tensor[*tensors]) { test_add(&n->graph->missing, 1); } else { ++*tensors; }
            }
            h = fold(h, (uint64_t)sf_get_timestamp(ctx, p));
        }
    }
    for (uint32_t key = 0; key < n->graph->entries; key++) {
        sf_value v;
        if (sf_get_metadata(ctx, key, &v)) { h = fold(h, v.u64 + key); }
    }
    for (int i = 0; i < *tensors && n->looks; i++) {         /* its condition says that the GPU is done */
        const uint32_t *w = (const uint32_t *)tensor[i]->data;
        if (w[0] != w[WORDS - 1] || w[0] != w[WORDS / 2]) { test_add(&n->graph->torn, 1); }
        h = fold(h, w[0]);
    }
    return h;
}
static sf_result node_send_tensor(sf_context *ctx, node *n, int out, uint64_t h, sf_tensor **tensor, int tensors)
{
    sf_tensor *t = sf_tensor_create(ctx, out, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    const uint32_t spin = on_cuda() ? 1000 : rng_below(&n->noise, 1500);
    paint(s, t->data, tensors > 0 ? tensor[0]->data : NULL, tensors > 1 ? tensor[1]->data : NULL, (uint32_t)h, spin);
    for (int i = 2; i < tensors; i++) {
        test_mix(s, (uint32_t *)t->data, (const uint32_t *)tensor[i]->data, WORDS, 3, (uint32_t)i, spin / 4);
    }
    return sf_emit(ctx, out, t);
}
static sf_result node_send(sf_context *ctx, node *n, uint64_t h, sf_tensor **tensor, int tensors)
{
    bool kept = false;
    if (n->routes && n->downs) { sf_route(ctx, n->graph->op[n->down[ctx->run % (uint64_t)n->downs]]); }
    if (n->tells) { sf_set_timestamp(ctx, (int64_t)(h & 0xffff)); }
    if (n->tells && n->graph->entries) {
        sf_set_metadata(ctx, (uint32_t)(n->salt % KEYS), (sf_value){ .u64 = h });
    }
    for (int o = 0; o < n->outs && ctx->run % n->every == n->every - 1; o++) {
        if (n->sends_tensor[o] && n->forwards && tensors) {
            sf_emit(ctx, o, tensor[0]);
        } else if (n->sends_tensor[o]) {
            kept = true;
            node_send_tensor(ctx, n, o, h + (uint64_t)o, tensor, tensors);
        } else {
            for (uint32_t b = 0; b < n->burst; b++) {
                sf_emit_value(ctx, o, (sf_value){ .u64 = fold(h, 8 * b + (uint64_t)o) });
            }
        }
    }
    for (int i = 0; i < tensors && !kept; i++) {             /* what they held shows here */
        if (n->logged < LOGS) { probe(sf_compute_stream(ctx), tensor[i]->data, n->log + PROBE * n->logged++, 200); }
    }
    return SF_OK;
}
static sf_result node_compute(sf_context *ctx)
{
    node *n = (node *)ctx->user;
    sf_tensor *tensor[TAKEN];
    int tensors = 0;
    uint64_t h;
    if (n->inside++) { test_add(&n->graph->twice, 1); }
    if (!n->may_compute) { test_add(&n->graph->early, 1); }
    if (!pthread_equal(n->thread, pthread_self())) { test_add(&n->graph->elsewhere, 1); }
    if (!n->graph->jobs) {
        crew_note(n->crew);
    } else if (tasks.kind == JOBS_THREADS && !on_pool) {
        test_add(&n->graph->elsewhere, 1);
    }
    h = node_receive(ctx, n, tensor, &tensors);
    node_pause(n);
    if (n->fails && ctx->run % 5 == 3 && (n->on_error == SF_ON_ERROR_IGNORE || !n->failed)) {
        n->failed = 1;
        (void)node_send(ctx, n, ~h, tensor, n->outs && !n->routes ? tensors : 0);    /* it has emitted nothing */
        n->inside--;
        return SF_ERROR_USER - 7;
    }
    n->failed = 0;
    n->state = fold(n->state, h);
    (void)node_send(ctx, n, h, tensor, tensors);
    if (n->inside-- != 1) { test_add(&n->graph->twice, 1); }
    return SF_OK;
}
static sf_result node_start(sf_context *ctx) { return ((node *)ctx->user)->may_compute = true, SF_OK; }
static sf_result node_stop(sf_context *ctx)  { return ((node *)ctx->user)->may_compute = false, SF_OK; }
static void node_hook(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    node *n = (node *)ctx->user;
    (void)port, (void)tensor, (void)user;
    n->hooks[hook]++;
    if (hook == SF_HOOK_BEGIN) { n->thread = pthread_self(); }
    if (hook > SF_HOOK_BEGIN && hook < SF_HOOK_STOP && !pthread_equal(n->thread, pthread_self())) {
        test_add(&n->graph->elsewhere, 1);
    }
}

static sf_flow *build(graph *g, const sf_flow_desc *desc, const int *group_of)
{
    static const char *const in_names[] = { "a", "b", "c", "d" }, *const out_names[] = { "x", "y" };
    sf_flow_desc d = *desc;
    sf_flow *f;
    d.device = device;
    d.metadata_entries = g->entries;
    d.hook.func = node_hook;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    for (int i = 0; i < g->count; i++) {
        node *n = &g->nodes[i];
        sf_op_desc o = { .compute = node_compute, .start = node_start, .stop = node_stop, .user = n,
                         .count = n->count, .workers = group_of ? group_of[n->crew] : 0, .priority = n->priority,
                         .on_error = n->fails ? n->on_error : SF_ON_ERROR_STOP_FLOW, .retries = 1 };
        char name[16];
        int conditions = 0;
        bool tensors = false;
        snprintf(name, sizeof name, "n%d", i);
        o.name = name;
        n->graph = g;
        for (int p = 0; p < n->ins; p++) {
            o.in[p] = (sf_port){ .name = in_names[p], .many = n->in[p].many, .batch = n->in[p].batch,
                                 .capacity = n->in[p].capacity };
            tensors = tensors || n->in[p].tensor;
        }
        for (int p = 0; p < n->outs; p++) {
            o.out[p] = (sf_port){ .name = out_names[p] };
            if (!n->sends_tensor[p]) { continue; }
            o.out[p].bytes = BYTES;
            o.out[p].memory = g->pinned ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE;
        }
        n->looks = n->looks && tensors;
        if (n->looks) { o.when[conditions++].kind = SF_CONDITION_STREAM; }
        if (n->burst > 1) { o.when[conditions++] = (sf_condition){ .kind = SF_CONDITION_ROOM, .count = n->burst }; }
        g->op[i] = sf_flow_add(f, &o);
    }
    for (int i = 0; i < g->link_count; i++) {
        const link_desc *l = &g->links[i];
        CHECK_OK(sf_flow_connect(f, g->op[l->from], out_names[l->out], g->op[l->to], in_names[l->in], &l->desc));
    }
    for (int i = 0; i < g->count; i++) {
        int from = g->nodes[i].turns - 1;
        if (from < 0) { continue; }
        CHECK_OK(sf_flow_connect(f, g->op[from], NULL, g->op[i], NULL, &(sf_edge_desc){ .control = true }));
    }
    return f;
}

static void count_text(void *user, const char *text, size_t bytes) { (void)text, *(size_t *)user += bytes; }

/* What came of it, to be compared. */
typedef struct outcome {
    sf_result result, life;
    char where[64];
    uint64_t dropped;
    struct node_outcome { uint64_t runs, errors, state, hooks[SF_HOOK_STOP + 1]; uint32_t logged; } node[NODES];
    struct link_outcome { uint64_t messages, dropped, refused; uint32_t capacity; } link[EDGES];
    uint32_t log[NODES * LOGS * PROBE];
} outcome;
static uint32_t *logs;

static void runs_begin(graph *g, uint32_t *log, uint64_t noise)
{
    for (int i = 0; i < g->count; i++) {
        node *n = &g->nodes[i];
        n->state = n->logged = n->failed = n->inside = 0;
        n->may_compute = false;
        memset(n->hooks, 0, sizeof n->hooks);
        n->log = log + (size_t)i * LOGS * PROBE;
        n->noise = rng_seed(noise + (uint64_t)i);
    }
    memset(log, 0, NODES * LOGS * PROBE * sizeof *log);
    g->twice = g->missing = g->torn = g->early = g->elsewhere = 0;
    crew_begin();
}
static void collect(const graph *g, sf_flow *f, sf_result result, const uint32_t *log, outcome *o)
{
    sf_flow_info info;
    size_t bytes = 0;
    memset(o, 0, sizeof *o);
    o->result = result;
    CHECK_OK(sf_flow_get_info(f, &info));
    o->dropped = info.dropped;
    for (uint32_t p = 0; p < info.paths; p++) {              /* nobody writes there any more */
        sf_latency l;
        CHECK_OK(sf_flow_get_path(f, p, &l, NULL, 0));
        CHECK(!l.count || (l.min >= 0 && l.min <= l.max));
    }
    CHECK_OK(sf_flow_dot(f, count_text, &bytes));
    CHECK(sf_flow_trace(f, count_text, &bytes) >= 0);
    snprintf(o->where, sizeof o->where, "%s", sf_flow_failure(f)->where);
    for (int i = 0; i < g->count; i++) {
        const node *n = &g->nodes[i];
        sf_op_info op;
        CHECK_OK(sf_op_get_info(f, g->op[i], &op));
        o->node[i].runs = op.runs;
        o->node[i].errors = op.errors;
        o->node[i].state = n->state;
        o->node[i].logged = n->logged;
        memcpy(o->node[i].hooks, n->hooks, sizeof n->hooks);
        if (op.cpu.count && op.cpu.count > op.runs + op.errors) { fail_msg("a compute was measured twice"); }
    }
    for (int i = 0; i < g->link_count; i++) {
        const link_desc *l = &g->links[i];
        sf_edge_info e = edge_of(f, g->op[l->to], l->in, l->index);
        o->link[i].messages = e.messages;
        o->link[i].dropped = e.dropped;
        o->link[i].refused = e.refused;
        o->link[i].capacity = e.capacity;
        if (e.queued_high > e.capacity) { fail_msg("edge %d held %u, not %u", i, e.queued_high, e.capacity); }
        if (result == SF_OK && !l->desc.delay && e.queued) { fail_msg("edge %d still holds %u", i, e.queued); }
    }
    memcpy(o->log, log, sizeof o->log);
    if (g->twice || g->missing || g->torn || g->early || g->elsewhere) {
        fail_msg("seed %llu: %u computes at once, %u messages missing, %u torn, %u outside start and stop, %u on a "
                 "thread that is not theirs", (unsigned long long)g->seed, g->twice, g->missing, g->torn, g->early,
                 g->elsewhere);
    }
}
typedef unsigned long long ull;
/* A join that ended before one of its sides has messages left, and an operator that ended before its giver has turns
   left: how far those before it ran ahead is not promised, only what the sinks got. */
static bool ended_early(const graph *g, const outcome *o)
{
    bool early = false;
    for (int i = 0; i < g->link_count; i++) { early = early || o->link[i].dropped || o->link[i].refused; }
    for (int i = 0; i < g->count; i++) {
        const int giver = g->nodes[i].turns - 1;
        early = early || (giver >= 0 && o->node[giver].runs > o->node[i].runs);
    }
    return early;
}
/* A source that its readers' end has ended: it may have computed on without emitting. */
static bool was_ended(const graph *g, const outcome *o, int at)
{
    const node *n = &g->nodes[at];
    return !n->ins && !n->turns && n->every > 1 && o->node[at].runs < (uint64_t)n->count;
}
static bool is_sink(const graph *g, int node)
{
    bool gives = g->nodes[node].downs > 0;
    for (int i = 0; i < g->count; i++) { gives = gives || g->nodes[i].turns == node + 1; }
    return !gives;
}
static void same(const graph *g, const outcome *want, const outcome *got, const char *who)
{
    char name[96];
    bool fails = false, early = ended_early(g, want) || ended_early(g, got);
    snprintf(name, sizeof name, "seed %llu, %s", (ull)g->seed, who);
    for (int i = 0; i < g->count; i++) { fails = fails || want->node[i].errors || got->node[i].errors; }
    if (got->result != want->result || got->life != want->life) {
        fail_msg("%s: ends with %d and %d, not %d and %d", name, (int)got->result, (int)got->life, (int)want->result,
                 (int)want->life);
    }
    if (!fails && strcmp(got->where, want->where)) { /* of several failures any may be the first */
        fail_msg("%s: \"%s\" is to blame, not \"%s\"", name, got->where, want->where);
    }
    for (int i = 0; i < g->count; i++) {
        const struct node_outcome *a = &got->node[i], *b = &want->node[i];
        if (early && !is_sink(g, i)) { continue; }
        if (was_ended(g, want, i) || was_ended(g, got, i)) { continue; }
        if (a->runs != b->runs || a->errors != b->errors || a->state != b->state || a->logged != b->logged) {
            fail_msg("%s, node %d: %llu runs, %llu errors, state %llx, %u tensors; not %llu, %llu, %llx, %u", name, i,
                     (ull)a->runs, (ull)a->errors, (ull)a->state, a->logged, (ull)b->runs, (ull)b->errors,
                     (ull)b->state, b->logged);
        }
        for (int h = 0; h <= SF_HOOK_STOP; h++) {
            if (a->hooks[h] != b->hooks[h]) {
                fail_msg("%s, node %d: hook %d called %llu times, not %llu", name, i, h, (ull)a->hooks[h],
                         (ull)b->hooks[h]);
            }
        }
        for (uint32_t k = 0; k < b->logged; k++) {
            const uint32_t *log = got->log + ((size_t)i * LOGS + k) * PROBE;
            uint32_t is = want->log[((size_t)i * LOGS + k) * PROBE];
            if (log[0] != is || log[1] || log[2] != 1) {
                fail_msg("%s, node %d, tensor %u: %u with %u words torn, seen %u times; not %u", name, i, k, log[0],
                         log[1], log[2], is);
            }
        }
    }
    for (int i = 0; i < g->link_count && !early; i++) {
        const struct link_outcome *a = &got->link[i], *b = &want->link[i];
        if (a->messages != b->messages || a->dropped != b->dropped || a->refused != b->refused) {
            fail_msg("%s, edge %d: %llu messages, %llu dropped, %llu refused; not %llu, %llu, %llu", name, i,
                     (ull)a->messages, (ull)a->dropped, (ull)a->refused, (ull)b->messages, (ull)b->dropped,
                     (ull)b->refused);
        }
    }
    if (!early) { CHECK_EQUAL(got->dropped, want->dropped); }
}

static sf_result start_and_wait(sf_flow *f, uint64_t seed)
{
    sf_result r = sf_flow_start(f);
    if (r >= 0) { r = sf_flow_wait(f, GUARD); }
    if (r == SF_TIMEOUT) {
        sf_flow_stop(f);
        fail_msg("seed %llu: it hangs, %s when stopped", (unsigned long long)seed,
                 sf_flow_wait(f, GUARD) == SF_TIMEOUT ? "even" : "but not");
    }
    return r;
}
static void run_graph(graph *g, const sf_flow_desc *d, const int *group_of, bool here, uint64_t noise, outcome *o)
{
    sf_flow *f = build(g, d, group_of);
    sf_result r;
    runs_begin(g, logs, noise);
    r = here ? within(sf_flow_run, f) : start_and_wait(f, g->seed);
    collect(g, f, r, logs, o);
    o->life = sf_flow_destroy(f);
    for (int c = 0; group_of && !g->jobs && c < CREWS; c++) {
        const int32_t n = d->workers[group_of[c]].count;
        crew_is(c, n ? (uint32_t)n : 1);
    }
}
/* Crews of a random size, each node's in one of them; now and then all in group 0. */
static void draw_crews(rng *r, sf_flow_desc *d, int *group_of, char *who, size_t bytes)
{
    static const int64_t spins[] = { 0, -1, 5000, SF_MS(1) };
    static const int groups[CREWS] = { 0, 1, 5 };
    size_t n = 0;
    memset(d, 0, sizeof *d);
    for (int c = 0; c < CREWS; c++) {
        sf_workers *w = &d->workers[groups[c]];
        group_of[c] = groups[c];
        w->count = crews[rng_below(r, COUNT(crews))];
        w->spin = spins[rng_below(r, COUNT(spins))];
        if (c == 0 && rng_below(r, 4) == 0) { w->count = 0; }
        n += (size_t)snprintf(who + n, bytes - n, "%s%d", c ? "+" : "workers ", (int)w->count);
        if (c == 0 && rng_below(r, 2)) { /* one group */
            if (!w->count) { w->count = 2; }
            group_of[1] = group_of[2] = 0;
            break;
        }
    }
    d->track.latency = rng_below(r, 4) == 0;
    d->trace_events = rng_below(r, 4) == 0 ? 32 : 0;
}
static graph graph_one;
static outcome wanted, seen_outcome;
static void graphs_with_workers(uint64_t first, uint32_t seeds, bool tensors)
{
    uint32_t fine = 0;
    logs = (uint32_t *)test_memory(device, NODES * LOGS * PROBE * sizeof *logs);
    FOR_SEEDS(i, seeds) {
        rng r = rng_seed(~(first + i));
        sf_flow_desc d;
        int group_of[CREWS];
        char who[64];
        draw(&graph_one, first + i, tensors);
        run_graph(&graph_one, &(sf_flow_desc){ .name = "alone" }, NULL, true, 0, &wanted);
        draw_crews(&r, &d, group_of, who, sizeof who);
        d.name = "alone";
        if (group_of[1] == 0) { /* one group: its threads are anybody's */
            for (int k = 0; k < graph_one.count; k++) { graph_one.nodes[k].crew = 0; }
        }
        run_graph(&graph_one, &d, group_of, rng_below(&r, 3) == 0, first + i, &seen_outcome);
        same(&graph_one, &wanted, &seen_outcome, who);
        fine += wanted.result == SF_OK;
    }
    CHECK(fine >= seeds / 2);                                /* or the graphs say nothing */
    CHECK_OK(sf_mem_free(device, logs));
}
static void any_graph_of_values(void **state)
{
    (void)state;
    graphs_with_workers(0, test_seeds_of(20 + test_seeds() / 16, 40), false);
}
static void any_graph_of_tensors(void **state)               /* on the device's threads, or on the GPU */
{
    (void)state;
    graphs_with_workers(1000000, test_seeds_of(20 + test_seeds() / 40, 60), true);
}
static void any_graph_in_any_order(void **state)             /* of a device that runs all on one thread, when asked */
{
    const uint32_t each = 4 + test_seeds() / 160;
    (void)state;
    for (uint32_t o = 1; o < order_count(); o++) {
        test_close(device);
        device = open_order(o, 17 * o);
        graphs_with_workers(2000000 + 1000 * o, each, true);
    }
}
static const jobs_kind all_kinds[] = { JOBS_THREADS, JOBS_AT_ONCE, JOBS_LATE, JOBS_MIXED };
static void any_graph_on_a_task_system(void **state)
{
    const uint32_t seeds = test_seeds_of(24 + test_seeds() / 20, 40);
    (void)state;
    logs = (uint32_t *)test_memory(device, NODES * LOGS * PROBE * sizeof *logs);
    FOR_SEEDS(i, seeds) {
        sf_flow_desc d = { .name = "alone", .track.latency = i % 5 == 0, .trace_events = i % 7 ? 0 : 32 };
        char who[64];
        draw(&graph_one, 3000000 + i, i & 1);
        run_graph(&graph_one, &d, NULL, true, 0, &wanted);
        set_jobs(&d);
        snprintf(who, sizeof who, "jobs of kind %d", (int)all_kinds[i % COUNT(all_kinds)]);
        jobs_begin(all_kinds[i % COUNT(all_kinds)], crews[i / 4 % COUNT(crews)]);
        graph_one.jobs = true;
        run_graph(&graph_one, &d, NULL, i % 3 == 0, i, &seen_outcome);
        jobs_end();
        CHECK(tasks.enqueued + tasks.at_once > 0);
        same(&graph_one, &wanted, &seen_outcome, who);
    }
    CHECK_OK(sf_mem_free(device, logs));
}
/* A task that takes long keeps nobody waiting but those behind it: here it ends when others have gone on. Where it
   takes a millisecond to begin it may, so once in five times must do. */
static struct { uint32_t ticks, over, well; } beside;
static sf_result count_ticks(sf_context *ctx)
{
    (void)ctx;
    return test_add(&beside.ticks, 1) >= 40 || test_load(&beside.over) ? SF_DONE : SF_OK;
}
static sf_result wait_for_ticks(sf_context *ctx)
{
    (void)ctx;
    for (int i = 0; i < 1000 && test_load(&beside.ticks) < 20; i++) { usleep(1000); }
    test_store(&beside.well, test_load(&beside.ticks) >= 20);
    test_store(&beside.over, 1);
    return SF_OK;
}
static void a_long_task_beside_short_ones(void **state)
{
    (void)state;
    beside.well = 0;
    for (int round = 0; round < 5 && !beside.well; round++) {
        sf_flow_desc d = { .device = device };
        sf_flow *f;
        beside.ticks = beside.over = 0;
        set_jobs(&d);
        jobs_begin(JOBS_SLOW, 2);
        f = sf_flow_create(&d);
        sf_flow_add(f, &(sf_op_desc){ .compute = wait_for_ticks, .count = 1 });
        sf_flow_add(f, &(sf_op_desc){ .compute = count_ticks });
        CHECK_OK(sf_flow_run(f));
        CHECK_OK(sf_flow_destroy(f));
        jobs_end();
    }
    CHECK(beside.well);
}
/* A system that runs tasks in finish() alone, and a loop that sleeps for as long as it is told. */
static void in_steps_and_late(void **state)
{
    sf_flow_desc d = { .device = device };
    sf_flow *f;
    sf_op a;
    sf_op_info info;
    sf_result r;
    int64_t wake = 0;
    (void)state;
    beside.ticks = beside.over = 0;
    set_jobs(&d);
    jobs_begin(JOBS_LATE, 0);
    f = sf_flow_create(&d);
    a = sf_flow_add(f, &(sf_op_desc){ .compute = count_ticks, .count = 20 });
    while ((r = sf_flow_step(f, &wake)) != SF_DONE) {
        CHECK(r == SF_OK || (r == SF_IDLE && wake >= 0));
        while (r == SF_IDLE && sf_flow_now(f) < wake) { usleep(50); }
    }
    CHECK_OK(sf_op_get_info(f, a, &info));
    CHECK_EQUAL(info.runs, 20);
    CHECK_OK(sf_flow_destroy(f));
    jobs_end();
}
/* A queue that drops its oldest holds nobody up, however long its consumer computes: its memory is enough, too. */
static sf_result emit_until_over(sf_context *ctx)
{
    if (test_load(&beside.over)) { return SF_DONE; }
    (void)test_add(&beside.ticks, 1);
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static sf_result receive_and_wait(sf_context *ctx)
{
    CHECK(sf_receive(ctx, 0) != NULL);
    return ctx->run ? SF_OK : wait_for_ticks(ctx);
}
static void dropped_while_the_consumer_computes(void **state)
{
    (void)state;
    for (uint16_t capacity = 1; capacity <= 8; capacity = (uint16_t)(2 * capacity)) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = 2 } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_until_over,
                                                .out = { { .name = "out", .bytes = 64 } } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = receive_and_wait,
                                           .in = { { .name = "in", .capacity = capacity } } });
        beside.ticks = beside.over = beside.well = 0;
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_OLDEST }));
        CHECK_OK(sf_flow_run(f));
        CHECK(beside.well);
        CHECK_OK(sf_flow_destroy(f));
    }
}
static void several_flows_at_once(void **state)              /* on one task system, or each with workers of its own */
{
    enum { FLOWS = 3 };
    static graph g[FLOWS];
    static outcome want[FLOWS];
    (void)state;
    logs = (uint32_t *)test_memory(device, FLOWS * NODES * LOGS * PROBE * sizeof *logs);
    for (uint32_t i = 0; i < 15 + test_seeds() / 100; i++) {
        sf_flow_desc d = { .name = "alone" };
        sf_flow *f[FLOWS];
        jobs_begin(i % 5 ? all_kinds[i % 5 - 1] : JOBS_NONE, 1 + (int)(i / 5 % 3));
        for (int k = 0; k < FLOWS; k++) {
            draw(&g[k], 4000000 + FLOWS * (uint64_t)i + (uint64_t)k, i & 1);
            run_graph(&g[k], &(sf_flow_desc){ .name = "alone" }, NULL, true, 0, &want[k]);
        }
        if (i % 5) { set_jobs(&d); } else { d.workers[0].count = 2; }
        for (int k = 0; k < FLOWS; k++) {
            g[k].jobs = true;                                /* their threads are not to be told apart */
            f[k] = build(&g[k], &d, NULL);
            runs_begin(&g[k], logs + k * NODES * LOGS * PROBE, i);
        }
        for (int k = 0; k < FLOWS; k++) {
            sf_result r = sf_flow_start(f[k]);
            if (r < 0 && r != want[k].result) { fail_msg("%s", sf_flow_failure(f[k])->text); }
        }
        for (int k = 0; k < FLOWS; k++) {
            collect(&g[k], f[k], sf_flow_wait(f[k], GUARD), logs + k * NODES * LOGS * PROBE, &seen_outcome);
            seen_outcome.life = sf_flow_destroy(f[k]);
            same(&g[k], &want[k], &seen_outcome, "one of three");
        }
        jobs_end();
    }
    CHECK_OK(sf_mem_free(device, logs));
}

/* -- queues that drop: accepted is delivered or counted, in order, and the last one arrives -- */

typedef struct taker { int64_t last, count, wait_for, stop_after; } taker;
static uint32_t emitted;
static sf_result emit_counted(sf_context *ctx)               /* 1, 2, ... */
{
    count_up(ctx);
    test_add(&emitted, 1);
    return SF_OK;
}
static sf_result take_in_order(sf_context *ctx)
{
    taker *t = (taker *)ctx->user;
    int64_t v = sf_receive_value(ctx, 0).i64;
    if (v <= t->last) { test_add(&disorder, 1); }
    t->last = v;
    t->count++;
    if (t->wait_for && comes(&emitted, (uint32_t)t->wait_for) < 0) { return (sf_result)TOO_LATE; }
    test_spin((uint32_t)(v % 7) * 300);
    return t->stop_after && t->count == t->stop_after ? SF_DONE : SF_OK;
}
static void queues_that_drop(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_BLOCK };
    enum { SENDS = 1500, SINKS = 3 };
    (void)state;
    for (size_t k = 0; k < COUNT(policies) * COUNT(crews); k++) {
        const sf_overflow policy = policies[k / COUNT(crews)];
        sf_flow *f = flow_with(1, crews[k % COUNT(crews)]);
        sf_op a = add_source(f, emit_counted, SENDS, 0), b[SINKS];
        taker t[SINKS] = { { 0 } };
        sf_flow_info info;
        uint64_t lost = 0;
        emitted = disorder = 0;
        for (int i = 0; i < SINKS; i++) {
            /* one of them sleeps through most of it */
            t[i].wait_for = i == 1 && policy != SF_OVERFLOW_BLOCK ? SENDS / 2 : 0;
            b[i] = add_sink(f, take_in_order, &t[i], 0, 1);
            CHECK_OK(sf_flow_connect(f, a, NULL, b[i], NULL,
                                &(sf_edge_desc){ .overflow = policy, .capacity = (uint16_t)(1 + 3 * i) }));
        }
        ends(f, SF_OK);
        CHECK_EQUAL(disorder, 0);
        for (int i = 0; i < SINKS; i++) {
            sf_edge_info e = edge_of(f, b[i], 0, 0);
            CHECK_EQUAL(e.messages + e.refused, SENDS);
            CHECK_EQUAL(e.messages, (uint64_t)t[i].count + e.dropped);
            CHECK_EQUAL(runs_of(f, b[i]), t[i].count);
            CHECK(e.queued_high <= e.capacity);
            CHECK_EQUAL(policy == SF_OVERFLOW_DROP_OLDEST ? e.refused : e.dropped, 0);
            if (policy != SF_OVERFLOW_DROP_NEWEST) { CHECK_EQUAL(t[i].last, SENDS); }
            if (policy == SF_OVERFLOW_BLOCK) { CHECK_EQUAL(t[i].count, SENDS); }
            lost += e.dropped + e.refused;
        }
        CHECK_OK(sf_flow_get_info(f, &info));
        CHECK_EQUAL(info.dropped, lost);
        if (policy != SF_OVERFLOW_BLOCK) { CHECK(lost >= SENDS / 2 - 20); }
        destroy(f);
    }
}

/* A compute that emits one message more than its queue holds: the first one goes, while another worker receives. */
static sf_result emit_a_burst(sf_context *ctx)               /* 1, 2, ... */
{
    uint64_t burst = *(const uint64_t *)ctx->user;
    for (uint64_t i = 1; i <= burst; i++) {
        sf_result r = sf_emit_value(ctx, 0, number((int64_t)(ctx->run * burst + i)));
        if (r != SF_OK) { return r; }
        test_spin((uint32_t)(ctx->run % 13) * 20);
    }
    return SF_OK;
}
typedef struct quick_taker { int64_t last, count; bool again; } quick_taker;         /* again: values may repeat */
static sf_result take_quickly(sf_context *ctx)
{
    quick_taker *t = (quick_taker *)ctx->user;
    int64_t v = sf_receive_value(ctx, 0).i64;
    if (v < t->last || (v == t->last && !t->again)) { test_add(&disorder, 1); }
    t->count += v != t->last;
    t->last = v;
    return SF_OK;
}
static void bursts_that_do_not_fit(void **state)
{
    static const struct { sf_overflow policy; uint16_t capacity; } edges[] = {
        { SF_OVERFLOW_DROP_OLDEST, 1 }, { SF_OVERFLOW_DROP_OLDEST, 2 }, { SF_OVERFLOW_LATEST, 1 },
    };
    enum { BURSTS = 20000 };
    (void)state;
    for (size_t k = 0; k < COUNT(edges); k++) {
        sf_flow *f = flow_of(2);
        uint64_t burst = edges[k].capacity + 1u;
        quick_taker t = { .again = edges[k].policy == SF_OVERFLOW_LATEST };
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_a_burst, .out = { OUT("out") }, .count = BURSTS,
                                                .user = &burst });
        sf_op b = add_sink(f, take_quickly, &t, 0, 0);
        sf_edge_info e;
        disorder = 0;
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = edges[k].policy,
                                                                       .capacity = edges[k].capacity }));
        ends(f, SF_OK);
        e = edge_of(f, b, 0, 0);
        CHECK_EQUAL(disorder, 0);
        CHECK_EQUAL(t.last, (int64_t)burst * BURSTS);
        CHECK_EQUAL(e.messages + e.refused, burst * BURSTS);
        CHECK_EQUAL(e.messages, (uint64_t)t.count + e.dropped);
        destroy(f);
    }
}

/* While a compute that began with an empty input asks for streams, its producer drops messages there. */
static sf_result emit_until_asked(sf_context *ctx)
{
    return test_load(&beside.over) ? SF_DONE : emit_counted(ctx);
}
static sf_result ask_for_streams(sf_context *ctx)
{
    taker *t = (taker *)ctx->user;
    uint32_t until = test_load(&emitted) + 5;
    int64_t v = sf_receive_value(ctx, 0).i64;
    sf_stream *s[2];
    if (v && v <= t->last) { test_add(&disorder, 1); }
    t->last = v ? v : t->last;
    t->count += v != 0;
    while (!v && test_load(&emitted) < until) {
        if (!sf_compute_stream(ctx) || sf_receive_streams(ctx, 0, s, 2)) { test_add(&disorder, 1); }
        if (sf_receive_value(ctx, 0).i64) { test_add(&disorder, 1); }        /* what comes now is for the next one */
    }
    if (ctx->run == 99) { test_store(&beside.over, 1); }
    return SF_OK;
}
static void streams_of_an_empty_queue_that_drops(void **state)
{
    (void)state;
    for (int32_t group = 0; group < 2; group++) {
        sf_flow *f = group ? flow_with(1, 1) : flow_of(2);
        taker t = { 0 };
        sf_op a = add_source(f, emit_until_asked, 0, group), b;
        sf_edge_info e;
        b = sf_flow_add(f, &(sf_op_desc){ .compute = ask_for_streams, .user = &t, .count = 100,
                                          .in = { { .name = "in", .optional = true } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_OLDEST }));
        emitted = disorder = beside.over = 0;
        ends(f, SF_OK);
        e = edge_of(f, b, 0, 0);
        CHECK_EQUAL(disorder, 0);
        CHECK_EQUAL(runs_of(f, b), 100);
        CHECK(e.dropped);
        CHECK(e.messages >= (uint64_t)t.count + e.dropped);
        destroy(f);
    }
}

static sf_op writer_op;
static sf_result tick_to_the_end(sf_context *ctx) /* the last tick comes after the writer's last value */
{
    if (ctx->run == 199) {
        for (int i = 0; i < 60000; i++) {
            sf_op_info info;
            if (sf_op_get_info(ctx->flow, writer_op, &info) == SF_OK && info.state == SF_OP_STOPPED) { break; }
            usleep(200);
        }
    }
    return count_up(ctx);
}
static sf_result read_latest(sf_context *ctx)
{
    taker *t = (taker *)ctx->user;
    int64_t v = sf_receive_value(ctx, 0).i64;
    (void)sf_receive_value(ctx, 1);
    if (v < t->last) { test_add(&disorder, 1); }
    t->count += v != t->last;
    t->last = v;
    return SF_OK;
}
static void the_latest_value(void **state)                   /* overwritten by one thread, read again by another */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .workers = { { .count = crews[k] }, { .count = 1 }, { .count = 1 } } });
        taker t = { 0 };
        sf_op clock, b;
        sf_edge_info e;
        disorder = 0;
        writer_op = add_source(f, count_up, 1000, 1);
        clock = add_source(f, tick_to_the_end, 200, 2);
        b = sf_flow_add(f, &(sf_op_desc){ .compute = read_latest, .user = &t, .in = { IN("value"), IN("tick") } });
        CHECK_OK(sf_flow_connect(f, writer_op, NULL, b, "value", &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST }));
        CHECK_OK(sf_flow_connect(f, clock, NULL, b, "tick", NULL));
        ends(f, SF_OK);
        CHECK_EQUAL(disorder, 0);
        CHECK_EQUAL(runs_of(f, b), 200);
        CHECK_EQUAL(t.last, 1000);
        e = edge_of(f, b, 0, 0);
        CHECK_EQUAL(e.messages, 1000);
        CHECK_EQUAL(e.messages - e.dropped, t.count);        /* each was seen, or overwritten unseen */
        destroy(f);
    }
}

/* A compute that is tried again sees what it saw, whatever has come meanwhile over any edge. */
static struct { int64_t last, seen, tries; bool tensors; } again;
static sf_result send_latest(sf_context *ctx)
{
    sf_tensor *t;
    if (!again.tensors) { return count_up(ctx); }
    t = sf_tensor_create(ctx, 0, NULL);
    *(uint64_t *)t->data = ctx->run + 1;
    return sf_emit(ctx, 0, t);
}
static sf_result try_again(sf_context *ctx)
{
    const sf_tensor *t = NULL;
    int64_t v = 0;
    if (again.tensors && (t = sf_receive(ctx, 0)) != NULL) { v = (int64_t)*(uint64_t *)t->data; }
    if (!again.tensors && sf_available(ctx, 0)) { v = sf_receive_value(ctx, 0).i64; }
    if (again.tries && v != again.seen) { test_add(&disorder, 1); }
    if (v && v < again.last) { test_add(&disorder, 1); }
    again.seen = v;
    again.tries = again.tries == 2 || ctx->run % 3 ? 0 : again.tries + 1;
    if (again.tries) { return SF_ERROR_USER; }
    again.last = v ? v : again.last;
    return (void)sf_receive_value(ctx, 1), SF_OK;
}
static void tried_again_as_more_comes(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_LATEST, SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST,
                                            SF_OVERFLOW_BLOCK };
    (void)state;
    for (uint32_t k = 0; k < 8 * 5; k++) {
        sf_flow *f = flow_of((int[]){ 0, 2, 3, 4, 7 }[k / 8]);
        sf_op_desc d = { .compute = send_latest, .count = many(3000), .out = { OUT("out") } };
        sf_op a, clock, b;
        memset(&again, 0, sizeof again);
        disorder = 0;
        again.tensors = k & 1;
        if (again.tensors) { d.out[0].bytes = 16; }
        if (again.tensors) { d.out[0].memory = SF_MEMORY_HOST; }
        a = sf_flow_add(f, &d);
        clock = add_source(f, count_up, many(500), 0);
        b = sf_flow_add(f, &(sf_op_desc){ .compute = try_again, .on_error = SF_ON_ERROR_RETRY, .retries = 3,
                                     .in = { { .name = "in", .optional = true }, IN("tick") } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, "in", &(sf_edge_desc){ .overflow = policies[k / 2 % 4] }));
        CHECK_OK(sf_flow_connect(f, clock, NULL, b, "tick", NULL));
        CHECK_OK(sf_flow_run(f));
        CHECK_EQUAL(disorder, 0);
        CHECK_EQUAL(runs_of(f, b), many(500));
        (void)sf_flow_destroy(f);
    }
}

/* A compute emits more than its queue holds, while another thread makes room: what was taken arrives, in order. */
static sf_result emit_three(sf_context *ctx)
{
    for (int64_t i = 1; i <= 3; i++) {
        (void)sf_emit_value(ctx, 0, number((int64_t)ctx->run * 3 + i));
        test_spin(60);
    }
    return SF_OK;
}
static sf_result take_with_a_stream(sf_context *ctx)         /* by the long way */
{
    (void)sf_compute_stream(ctx);
    return take_in_order(ctx);
}
static void room_that_comes_meanwhile(void **state)
{
    (void)state;
    for (size_t k = 0; k < 8; k++) {
        sf_flow_desc d = { .device = device };
        taker t = { 0 };
        sf_flow *f;
        sf_op a, b;
        sf_edge_info e;
        if (k & 1) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 2], 2);
        } else {
            d.workers[0].count = d.workers[1].count = 1;
        }
        f = sf_flow_create(&d);
        disorder = 0;
        a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_three, .out = { OUT("out") }, .count = 400,
                                     .on_error = SF_ON_ERROR_IGNORE });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = take_with_a_stream, .user = &t, .workers = k & 1 ? 0 : 1,
                                     .in = { { .name = "in", .capacity = 3 } }, .on_error = SF_ON_ERROR_RETRY });
        connect(f, a, b);
        CHECK_OK(sf_flow_start(f));
        (void)sf_flow_wait(f, GUARD);
        CHECK_EQUAL(disorder, 0);
        e = edge_of(f, b, 0, 0);
        CHECK_EQUAL(e.messages, t.count);
        CHECK(e.messages >= 3);
        (void)sf_flow_destroy(f);
        if (k & 1) { jobs_end(); }
    }
}

/* An operator ends while others are about to send to it: what its queue took is taken out and counted. */
static void queues_of_who_ends(void **state)
{
    enum { SENDS = 300 };
    (void)state;
    for (uint32_t k = 0; k < 60; k++) {
        sf_flow *f = flow_with(crews[k % COUNT(crews)], 1 + (int32_t)(k & 1));
        sf_op a = add_source(f, count_up, SENDS, 0), b[3];
        taker t[3] = { { .stop_after = 1 + k }, { .stop_after = 50 }, { 0 } };
        disorder = 0;
        for (int i = 0; i < 3; i++) {
            b[i] = add_sink(f, take_in_order, &t[i], (uint16_t)(1 + k % 5), i & 1);
            connect(f, a, b[i]);
        }
        ends(f, SF_OK);
        CHECK_EQUAL(disorder, 0);
        for (int i = 0; i < 3; i++) {
            sf_edge_info e = edge_of(f, b[i], 0, 0);
            CHECK_EQUAL(t[i].count, t[i].stop_after ? t[i].stop_after : SENDS);
            CHECK_EQUAL(t[i].last, t[i].count);              /* nothing was lost before it ended */
            CHECK_EQUAL(e.messages, (uint64_t)t[i].count + e.dropped);
            CHECK_EQUAL(e.messages + e.refused, SENDS);
        }
        destroy(f);
    }
}
static void who_works_for_nobody_ends(void **state)          /* no end of its own, but that of who follows */
{
    (void)state;
    for (uint32_t k = 0; k < 40; k++) {
        sf_flow *f = flow_of(crews[k % COUNT(crews)]);
        sf_op a = add_source(f, count_up, 0, 0);
        sf_op b = add_pass(f, pass_value, 0);
        taker t = { .stop_after = 20 + k };
        sf_op c = add_sink(f, take_in_order, &t, 4, 0);
        sf_op_info info;
        disorder = 0;
        connect(f, a, b);
        connect(f, b, c);
        ends(f, SF_OK);
        CHECK_EQUAL(t.count, t.stop_after);
        CHECK_EQUAL(t.last, t.stop_after);
        CHECK_OK(sf_op_get_info(f, a, &info));
        CHECK_EQUAL(info.state, SF_OP_STOPPED);
        destroy(f);
    }
}
static sf_result create_and_paint(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 1 + (uint32_t)ctx->run, 300);
    return sf_emit(ctx, 0, t);
}
static uint32_t *log_of(uint32_t who, uint32_t run) { return logs + PROBE * (256 * who + run); }
static sf_result probe_and_note(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    return probe(sf_compute_stream(ctx), t->data, log_of((uint32_t)id_of(ctx), (uint32_t)ctx->run), 200);
}
/* However it ends, no block of a pool stays away. */
static void tensors_go_back(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_BLOCK, SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST };
    (void)state;
    logs = (uint32_t *)test_memory(device, 3 * 256 * PROBE * sizeof *logs);
    for (uint32_t k = 0; k < 45; k++) {
        const bool stops = k % 3 == 2;
        sf_flow *f = flow_with(crews[k % COUNT(crews)], 2);
        sf_mem_pool *blocks;
        sf_mem_pool_info info;
        sf_op a, b;
        memset(logs, 0, 3 * 256 * PROBE * sizeof *logs);
        blocks = pool_of(3 + k % 3, SF_MEMORY_DEVICE);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = create_and_paint, .count = stops ? 0 : 200,
                                     .out = { { .name = "out", .bytes = BYTES, .pool = blocks } } });
        for (int i = 0; i < 3; i++) {
            b = sf_flow_add(f, &(sf_op_desc){ .compute = stops ? take_tensor : probe_and_note, .user = &ids[i],
                                         .in = { IN("in") }, .workers = i & 1, .count = !stops && i == 1 ? 9 : 0 });
            CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL,
                                &(sf_edge_desc){ .overflow = policies[k / 3 % 3], .capacity = (uint16_t)(1 + i) }));
        }
        CHECK_OK(sf_flow_start(f));
        if (stops) {
            for (int i = 0; i < 20000 && runs_of(f, a) < 20 + k; i++) { usleep(500); }
            CHECK_OK(sf_flow_stop(f));
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_OK(sf_mem_pool_get_info(blocks, &info));
        CHECK_EQUAL(info.used, 0);
        for (uint32_t i = 0; i < 3 && !stops; i++) {
            uint32_t before = 0;
            for (uint32_t m = 0; m < 256; m++) {
                const uint32_t *log = log_of(i, m);
                if (!log[2]) { break; }
                CHECK(log[0] > before && log[0] <= 200 && !log[1]);
                before = log[0];
                if (k / 3 % 3 == 0) { CHECK_EQUAL(before, m + 1); }
            }
            CHECK(before > 0);
        }
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(blocks));
    }
    CHECK_OK(sf_mem_free(device, logs));
}

/* Few blocks for many operators: who waits for one gets it, and nobody paints over what another reads. */
static void one_pool_for_many(void **state)
{
    enum { CHAINS = 3, SENDS = 60 };
    (void)state;
    logs = (uint32_t *)test_memory(device, CHAINS * 256 * PROBE * sizeof *logs);
    for (uint32_t k = 0; k < 6 * COUNT(crews); k++) {
        sf_flow *f = flow_with(crews[k / 6], 1);
        sf_mem_pool *blocks;
        memset(logs, 0, CHAINS * 256 * PROBE * sizeof *logs);
        blocks = pool_of(1 + k / 2 % 3, k & 1 ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE);
        for (int i = 0; i < CHAINS; i++) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = create_and_paint, .count = SENDS, .workers = i & 1,
                                               .out = { { .name = "out", .bytes = BYTES, .pool = blocks } } });
            connect(f, a, add_sink(f, probe_and_note, &ids[i], 0, 0));
        }
        ends(f, SF_OK);
        for (uint32_t i = 0; i < CHAINS * SENDS; i++) {
            CHECK_PROBE(log_of(i / SENDS, i % SENDS), 1 + i % SENDS);
        }
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(blocks));
    }
    CHECK_OK(sf_mem_free(device, logs));
}
static sf_result create_and_emit(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static sf_result create_two(sf_context *ctx)
{
    sf_tensor *x = sf_tensor_create(ctx, 0, NULL), *y = sf_tensor_create(ctx, 1, NULL);
    sf_emit(ctx, 0, x);
    return sf_emit(ctx, 1, y);
}
static void two_outputs_of_one_pool(void **state)            /* nobody keeps one block while he waits for another */
{
    (void)state;
    for (uint32_t k = 0; k < 4 * COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k / 4]);
        sf_mem_pool *blocks;
        sf_port out = { .name = "x", .bytes = BYTES }, other = { .name = "y", .bytes = BYTES };
        blocks = pool_of(2 + k % 2, SF_MEMORY_DEVICE);
        out.pool = other.pool = blocks;
        for (int i = 0; i < 3; i++) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = create_two, .out = { out, other }, .count = 300 });
            sf_op b = add_sink(f, take_tensor, NULL, 0, 0);
            sf_op c = add_sink(f, take_tensor, NULL, 0, 0);
            CHECK_OK(sf_flow_connect(f, a, "x", b, NULL, NULL));
            CHECK_OK(sf_flow_connect(f, a, "y", c, NULL, NULL));
        }
        ends(f, SF_OK);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(blocks));
    }
}
static sf_result create_all(sf_context *ctx)                 /* four at once */
{
    for (int p = 0; p < 4; p++) { (void)sf_tensor_create(ctx, p, NULL); }
    return SF_OK;
}
static void no_block_is_lost(void **state)                   /* however many threads take and return them */
{
    sf_port all[4] = { { .name = "a" }, { .name = "b" }, { .name = "c" }, { .name = "d" } };
    (void)state;
    for (uint32_t k = 0; k < 12; k++) {
        sf_mem_pool *blocks = pool_of(4, k & 1 ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE);
        sf_flow *f = flow_with(3 + (int32_t)(k % 3), 4);
        sf_op_desc d = { .compute = create_all, .count = 1 };
        for (int i = 0; i < 6; i++) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = create_and_emit, .count = many(500), .workers = i & 1,
                                               .out = { { .name = "out", .bytes = BYTES, .pool = blocks } } });
            connect(f, a, add_sink(f, take_tensor, NULL, 1, i / 2 & 1));
        }
        ends(f, SF_OK);
        destroy(f);
        f = flow_of(0);
        for (int i = 0; i < 4; i++) {
            d.out[i] = all[i];
            d.out[i].bytes = BYTES;
            d.out[i].pool = blocks;
        }
        sf_flow_add(f, &d);
        ends(f, SF_OK);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(blocks));
    }
}
static void a_queue_that_refuses(void **state)               /* SF_OVERFLOW_ERROR: one more than it holds */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "eager", .compute = count_up, .out = { OUT("out") } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") },
                                           .when = { { .kind = SF_CONDITION_SIGNAL } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_ERROR,
                .capacity = 5 }));
        ends(f, SF_ERROR_QUEUE_FULL);
        CHECK_EQUAL(edge_of(f, b, 0, 0).messages, 5);
        CHECK_EQUAL(edge_of(f, b, 0, 0).refused, 1);
        CHECK(!strcmp(sf_flow_failure(f)->where, "eager"));
        destroy_is(f, SF_ERROR_QUEUE_FULL);
    }
}
/* Buffers of the user's: wrapped by computes and outside, seen by three operators, given back once each. */
static uint32_t given_back[2], wrapped_data[4];
static void give_back(void *data, void *user) { (void)data, test_add((uint32_t *)user, 1); }
static sf_tensor *wrap_one(sf_flow *f, int who)
{
    return sf_tensor_wrap(f, &(sf_tensor_desc){ .data = wrapped_data, .shape = { 16 }, .memory = SF_MEMORY_HOST,
                                                .release = give_back, .user = &given_back[who] });
}
static sf_result emit_wrapped(sf_context *ctx) { return sf_emit(ctx, 0, wrap_one(ctx->flow, 0)); }
static sf_result forward_tensor(sf_context *ctx) { return sf_emit(ctx, 0, sf_receive(ctx, 0)); }
static void wrapped_tensors_are_given_back_once(void **state)
{
    enum { SENDS = 300 };
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_with(crews[k], 2);
        sf_op a = add_source(f, emit_wrapped, SENDS, 0);
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = forward_tensor, .out = { OUT("out") }, .count = SENDS,
                                           .in = { { .name = "in", .external = true, .capacity = 3 } },
                                           .workers = 1 });
        given_back[0] = given_back[1] = 0;
        for (int i = 0; i < 6; i++) {
            connect(f, i & 1 ? a : b,
                    add_sink(f, take_tensor, NULL, 0, i / 2 & 1));
        }
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < SENDS; i++) {
            sf_tensor *t = wrap_one(f, 1);
            sf_result r = SF_BUSY;
            for (int64_t end = sf_flow_now(NULL) + GUARD; r == SF_BUSY && sf_flow_now(NULL) < end;) {
                r = sf_flow_push(f, b, 0, t);
            }
            CHECK_OK(r);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(given_back[0], SENDS);
        CHECK_EQUAL(given_back[1], SENDS);
        destroy(f);
    }
}

/* -- nothing is woken in vain, and nobody is forgotten -- */

static sf_result hop(sf_context *ctx) { return sf_emit_value(ctx, 0, number(sf_receive_value(ctx, 0).i64 + 1)); }
static void one_message_goes_round(void **state) /* each hop wakes another group's thread, which has gone to sleep */
{
    static const int64_t spins[] = { -1, 0, 2000 };
    (void)state;
    for (size_t k = 0; k < COUNT(spins); k++) {
        sf_flow_desc d = { .device = device };
        sf_flow *f;
        sf_op op[3];
        for (int i = 0; i < 3; i++) { d.workers[i] = (sf_workers){ .count = 1 + (i == 2), .spin = spins[k] }; }
        f = sf_flow_create(&d);
        for (int i = 0; i < 3; i++) {
            op[i] = sf_flow_add(f, &(sf_op_desc){ .compute = hop, .in = { IN("in") }, .out = { OUT("out") },
                                                  .workers = i,
                                             .count = i ? 0 : 1500 });
        }
        connect(f, op[0], op[1]);
        connect(f, op[1], op[2]);
        CHECK_OK(sf_flow_connect(f, op[2], NULL, op[0], NULL, &(sf_edge_desc){ .delay = 1 }));
        ends(f, SF_OK);
        CHECK_EQUAL(runs_of(f, op[0]), 1500);
        CHECK_EQUAL(runs_of(f, op[2]), 1500);                /* what is under way when the first one ends, too */
        destroy(f);
    }
}
/* The bias of a worker's lock is revoked by a burst of commits that other workers need locks for, and is there again
   long behind the burst. No message is lost or doubled. */
enum { OWN_FAST = 300000, OWN_BURST = 2000 };
typedef struct own_count { int64_t last, got; bool wrong; } own_count;
static sf_result own_source(sf_context *ctx)
{
    int64_t i = (int64_t)ctx->run;
    sf_result r = sf_emit_value(ctx, 0, number(i));
    return r >= 0 && i / OWN_BURST % 50 == 0 ? sf_emit_value(ctx, 1, number(i)) : r;
}
static sf_result own_sink(sf_context *ctx)
{
    own_count *c = (own_count *)ctx->user;
    int64_t v = sf_receive_value(ctx, 0).i64;
    c->wrong = c->wrong || v <= c->last;
    c->last = v;
    c->got++;
    return SF_OK;
}
static void the_lock_is_biased_again(void **state)
{
    own_count near = { .last = -1 }, far = { .last = -1 };
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = {{ .count = 1 }, { .count = 1 }} });
    sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = own_source, .out = { OUT("near"), OUT("far") },
                                               .count = OWN_FAST });
    sf_op hops = sf_flow_add(f, &(sf_op_desc){ .compute = hop, .in = { IN("in") }, .out = { OUT("out") } });
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = own_sink, .user = &near, .in = { IN("in") } });
    sf_op other = sf_flow_add(f, &(sf_op_desc){ .compute = own_sink, .user = &far, .in = { IN("in") }, .workers = 1 });
    sf_edge_desc drops = { .overflow = SF_OVERFLOW_DROP_OLDEST };
    (void)state;
    CHECK_OK(sf_flow_connect(f, from, "near", hops, NULL, NULL));
    connect(f, hops, to);
    CHECK_OK(sf_flow_connect(f, from, "far", other, NULL, &drops));
    ends(f, SF_OK);
    CHECK(!near.wrong && !far.wrong && near.got == OWN_FAST && near.last == OWN_FAST);
    CHECK_EQUAL(far.got + (int64_t)edge_of(f, other, 0, 0).dropped, OWN_FAST / OWN_BURST / 50 * OWN_BURST);
    destroy(f);
}
/* A compute that takes long for once, and was never seen to: the other worker runs the operators beside it meanwhile. */
static struct { uint32_t beside; bool waited, alone; } once_long;
static sf_result long_for_once(sf_context *ctx)
{
    if (ctx->run == 1000) {
        uint32_t before = test_load(&once_long.beside);
        for (int i = 0; i < 10000 && test_load(&once_long.beside) == before; i++) { usleep(1000); }
        once_long.waited = true;
        once_long.alone = test_load(&once_long.beside) == before;
        (void)sf_flow_stop(ctx->flow);
    }
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run));
}
static sf_result beside_it(sf_context *ctx)
{
    test_add(&once_long.beside, 1);
    while (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    return SF_OK;
}
static void lent_for_once(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = {{ .count = 2 }} });
    sf_op from = sf_flow_add(f, &(sf_op_desc){ .compute = long_for_once, .out = { OUT("out") } });
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .compute = beside_it,           /* it can always run */
                                             .in = { { .name = "in", .optional = true } }, .out = { OUT("out") } });
    sf_op hops = sf_flow_add(f, &(sf_op_desc){ .compute = hop, .in = { IN("in") }, .out = { OUT("out") } });
    sf_op end = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") } });
    (void)state;
    memset(&once_long, 0, sizeof once_long);
    connect(f, from, to);                    /* these two are at home with the same worker */
    connect(f, to, hops);
    connect(f, hops, end);
    ends(f, SF_OK);
    CHECK(once_long.waited && !once_long.alone);
    destroy(f);
}
/* Loops of any length, of which one ends: those behind it work off what it has sent, if nobody else feeds them, and
   then they end, too. Each message counts the operators that it came by. */
typedef struct member { uint64_t got, sum, ends; bool first; } member;
static sf_result go_round(sf_context *ctx)
{
    member *m = (member *)ctx->user;
    int64_t v = (int64_t)m->got;                             /* the first one numbers what it sends */
    if (sf_available(ctx, 0)) {
        int64_t came = sf_receive_value(ctx, 0).i64;
        v = m->first ? v : came + 1000000;
    }
    if (sf_available(ctx, 1)) { (void)sf_receive_value(ctx, 1); }
    m->got++;
    m->sum += (uint64_t)v * m->got;
    if (sf_emit_value(ctx, 0, number(v)) < 0) { return SF_ERROR_USER; }
    return m->got == m->ends ? SF_DONE : SF_OK;
}
static sf_result go_round_quickly(sf_context *ctx)
{
    member *m = (member *)ctx->user;
    int64_t v = sf_receive_value(ctx, 0).i64 + 1000000;
    m->got++;
    m->sum += (uint64_t)v * m->got;
    if (sf_emit_value(ctx, 0, number(v)) < 0) { return SF_ERROR_USER; }
    return m->got == m->ends ? SF_DONE : SF_OK;
}
static sf_result take_part(sf_context *ctx)                  /* of what a member sends */
{
    member *m = (member *)ctx->user;
    m->got++;
    m->sum += (uint64_t)sf_receive_value(ctx, 0).i64 * m->got;
    return SF_OK;
}
static void loop_that_ends(rng *r, int32_t threads)
{
    enum { MEMBERS = 6 };
    sf_flow_desc d = { .device = device, .workers = { { .count = threads }, { .count = 1 } } };
    sf_flow *f = sf_flow_create(&d);
    member member_of[MEMBERS], part[MEMBERS];
    sf_op op[MEMBERS], sink_of[MEMBERS], extra = { 0 };
    int count = 2 + (int)rng_below(r, MEMBERS - 1), shift = (int)rng_below(r, (uint32_t)count);
    int fed = rng_below(r, 3) ? 0 : 1 + (int)rng_below(r, (uint32_t)count - 1);          /* by a source without end */
    int ender = rng_below(r, 2) ? 0 : (int)rng_below(r, (uint32_t)count);    /* those behind it run as often */
    uint32_t times = 1 + rng_below(r, 60), delay = rng_below(r, 4);
    bool has_sink[MEMBERS], done = rng_below(r, 2), hint = rng_below(r, 2);              /* hint: it is not needed */
    CHECK(f != NULL);
    memset(member_of, 0, sizeof member_of);
    memset(part, 0, sizeof part);
    for (int k = 0; k < count; k++) {                        /* added in any order */
        int i = (k + shift) % count;
        sf_op_desc x = { .compute = go_round, .user = &member_of[i], .out = { OUT("out") },
                         .workers = (int32_t)rng_below(r, 2) };
        x.in[0] = (sf_port){ .name = "in", .capacity = (uint16_t)rng_below(r, 4), .optional = !i && !delay };
        if (fed && i == fed) {
            x.in[1] = (sf_port){ .name = "beside", .optional = hint };
        } else if (i && rng_below(r, 4)) {
            x.compute = go_round_quickly;
        }
        member_of[i].first = !i;
        if (i == ender && done) { member_of[i].ends = times; }
        if (i == ender && !done) { x.count = times; }
        op[i] = sf_flow_add(f, &x);
        has_sink[i] = rng_below(r, 3) == 0 && !(fed && i >= fed) && i >= ender;          /* it needs it as before */
        if (has_sink[i]) { sink_of[i] = add_sink(f, take_part, &part[i], (uint16_t)rng_below(r, 3), 0); }
    }
    for (int i = 0; i + 1 < count; i++) { CHECK_OK(sf_flow_connect(f, op[i], NULL, op[i + 1], "in", NULL)); }
    CHECK_OK(sf_flow_connect(f, op[count - 1], NULL, op[0], "in",
                        &(sf_edge_desc){ .delay = (uint16_t)delay,
                                         .overflow = delay ? SF_OVERFLOW_BLOCK : SF_OVERFLOW_DROP_OLDEST }));
    for (int i = 0; i < count; i++) {
        if (has_sink[i]) { CHECK_OK(sf_flow_connect(f, op[i], NULL, sink_of[i], NULL, NULL)); }
    }
    if (fed) {
        extra = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") } });
        CHECK_OK(sf_flow_connect(f, extra, NULL, op[fed], "beside",
                            &(sf_edge_desc){ .overflow = hint ? SF_OVERFLOW_DROP_OLDEST : SF_OVERFLOW_BLOCK }));
    }
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < count; i++) { member_of[i].got = member_of[i].sum = part[i].got = part[i].sum = 0; }
        ends(f, SF_OK);
        for (int i = 0; i < count; i++) {
            uint64_t want = 0;
            for (uint64_t n = 0; n < times; n++) { want += (n + (uint64_t)i * 1000000) * (n + 1); }
            if (i < ender || (fed && i != ender)) {          /* who is fed by others, too, ends as ever */
                CHECK(i < ender || member_of[i].got <= times);       /* or ran ahead of who had ended */
                continue;
            }
            CHECK_EQUAL(member_of[i].got, times);
            CHECK_EQUAL(member_of[i].sum, want);
            CHECK_EQUAL(has_sink[i] ? part[i].got : times, times);
            CHECK_EQUAL(has_sink[i] ? part[i].sum : want, want);
        }
    }
    destroy(f);
}
static void loops_that_end(void **state)
{
    (void)state;
    FOR_SEEDS(seed, test_seeds() / 10 + 10) {
        rng r = rng_seed(seed);
        loop_that_ends(&r, crews[seed % COUNT(crews)]);
    }
}
static uint32_t answer;
static sf_result tell_answer(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    test_store(&answer, (uint32_t)v);
    return v == 1000 ? SF_DONE : SF_OK;
}
static void one_push_at_a_time(void **state)                 /* from outside, through two groups, and back */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device,
            .workers = { { .count = crews[k], .spin = k & 1 ? -1 : 0 }, { .count = 1, .spin = -1 } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { { .name = "in", .external = true } },
                                           .out = { OUT("out") } });
        sf_op b = add_sink(f, tell_answer, NULL, 0, 1);
        connect(f, a, b);
        test_store(&answer, 0);
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 1; i <= 1000; i++) {
            sf_result r = SF_BUSY;
            for (int t = 0; t < 100000 && r == SF_BUSY; t++) { r = sf_flow_push_value(f, a, 0, number(i)); }
            CHECK_OK(r);
            answered(&answer, i);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
    }
}
static sf_result on_signal(sf_context *ctx)
{
    test_store(&answer, (uint32_t)ctx->run + 1);
    return ctx->run == 999 ? SF_DONE : SF_OK;
}
static void one_signal_at_a_time(void **state)               /* each is good for one compute */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = on_signal, .when = { { .kind = SF_CONDITION_SIGNAL } } });
        test_store(&answer, 0);
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 1; i <= 1000; i++) {
            CHECK_OK(sf_flow_signal(f, a, 0, SF_READY));
            answered(&answer, i);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(runs_of(f, a), 1000);
        destroy(f);
    }
}
static struct { uint32_t allowed; int64_t asked, executed; } tap;    /* plain, but for the first */
static sf_readiness ask_tap(void *user, int64_t now, int64_t *wake)
{
    (void)user;
    *wake = now + SF_MS(3600000);            /* this is what keeps the flow alive */
    tap.asked++;
    return (int64_t)test_load(&tap.allowed) > tap.executed ? SF_READY : SF_WAIT;
}
static void tap_executed(void *user, int64_t now) { (void)user, (void)now, tap.executed++; }
static void one_question_at_a_time(void **state)             /* of a condition of the user's, never two at once */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        sf_op a = add_source(f, count_up, 0, 0), b;
        sf_op_desc d = { .compute = tell_answer, .in = { { .name = "in", .capacity = 3 } } };
        d.when[0].kind = SF_CONDITION_USER;
        d.when[0].custom.check = ask_tap;
        d.when[0].custom.on_execute = tap_executed;
        b = sf_flow_add(f, &d);
        connect(f, a, b);
        memset(&tap, 0, sizeof tap);
        test_store(&answer, 0);
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 1; i <= 1000; i++) {
            sf_result r;
            test_store(&tap.allowed, i);
            r = sf_flow_signal(f, b, 0, SF_READY);           /* ignored: a message made it ask for the last time before */
            CHECK(r == SF_OK || (r == SF_IGNORED && i == 1000));
            answered(&answer, i);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK(tap.executed >= 999 && tap.asked >= 999);
        destroy(f);
    }
}
enum { PUSHERS = 4, PUSHES = 2000 };
static struct pusher { sf_flow *flow; sf_op op; int port; sf_result failed; } pushers[PUSHERS];
static void *push_many(void *arg)
{
    struct pusher *p = (struct pusher *)arg;
    int64_t end = sf_flow_now(NULL) + GUARD;
    for (int64_t i = 1; i <= PUSHES;) {
        sf_result r = sf_flow_push_value(p->flow, p->op, p->port, number(i));
        if (r == SF_OK) {
            i++;
        } else if (r == SF_BUSY && sf_flow_now(NULL) < end) {
            usleep(10);
        } else {
            p->failed = r;
            break;
        }
    }
    return NULL;
}
static sf_result pass_on(sf_context *ctx)                    /* from input 0 to output 0, in order */
{
    taker *t = (taker *)ctx->user;
    int64_t v = sf_receive_value(ctx, 0).i64;
    if (v != t->last + 1) { test_add(&disorder, 1); }
    t->last = v;
    sf_emit_value(ctx, 0, number(v));
    return v == PUSHES ? SF_DONE : SF_OK;
}
static void pushed_by_threads(void **state)                  /* none lost, each thread's in order */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        pthread_t threads[PUSHERS];
        taker t[2 * PUSHERS] = { { 0 } };
        disorder = 0;
        memset(pushers, 0, sizeof pushers);
        for (int p = 0; p < PUSHERS; p++) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = pass_on, .user = &t[p], .out = { OUT("out") },
                                               .in = { { .name = "in", .external = true, .capacity = 8 } } });
            sf_op b = add_sink(f, take_in_order, &t[PUSHERS + p], 0, 0);
            connect(f, a, b);
            pushers[p] = (struct pusher){ .flow = f, .op = a };
        }
        CHECK_OK(sf_flow_start(f));
        for (int p = 0; p < PUSHERS; p++) {
            CHECK_EQUAL(pthread_create(&threads[p], NULL, push_many, &pushers[p]), 0);
        }
        for (int p = 0; p < PUSHERS; p++) { pthread_join(threads[p], NULL); }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(disorder, 0);
        for (int p = 0; p < PUSHERS; p++) {
            CHECK_OK(pushers[p].failed);
            CHECK_EQUAL(t[p].last, PUSHES);
            CHECK_EQUAL(t[PUSHERS + p].last, PUSHES);
            CHECK_EQUAL(t[PUSHERS + p].count, PUSHES);
        }
        destroy(f);
    }
}
/* A worker that is alone and has nothing to do looks for messages from outside itself, and nobody rings for them. What
   comes right when it falls asleep is not lost. */
static sf_flow *flow_that_spins(int64_t spin)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .workers = { { .count = 1, .spin = spin } } });
    CHECK(f != NULL);
    return f;
}
static sf_result count_arrivals(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    test_add((uint32_t *)ctx->user, 1);
    return SF_OK;
}
static struct late { sf_flow *flow; sf_op op; uint32_t pushed, seen; } late;
static sf_result late_one(sf_context *ctx)
{
    if (sf_receive_value(ctx, 0).u64 != test_load(&late.seen)) { test_add(&disorder, 1); }
    test_add(&late.seen, 1);
    return SF_OK;
}
static void push_late(const char *place)                     /* on the worker's own thread */
{
    if (strcmp(place, "polls no more") || late.pushed == 100 || late.pushed != test_load(&late.seen)) { return; }
    CHECK_OK(sf_flow_push_value(late.flow, late.op, 0, (sf_value){ .u64 = late.pushed }));
    late.pushed++;
}
static void pushed_as_it_falls_asleep(void **state)
{
    (void)state;
    disorder = 0;
    late = (struct late){ .flow = flow_that_spins(SF_US(1)) };
    late.op = sf_flow_add(late.flow, &(sf_op_desc){ .compute = late_one,
                                                    .in = { { .name = "in", .external = true } } });
    at_step = push_late;
    CHECK_OK(sf_flow_start(late.flow));
    answered(&late.seen, 100);
    usleep(5000);                            /* it sleeps */
    CHECK_OK(sf_flow_push_value(late.flow, late.op, 0, (sf_value){ .u64 = 100 }));
    answered(&late.seen, 101);
    CHECK_OK(sf_flow_stop(late.flow));
    CHECK_OK(sf_flow_wait(late.flow, GUARD));
    at_step = NULL;
    CHECK_EQUAL(disorder, 0);
    destroy(late.flow);
}
/* While it looks itself, what is urgent comes as soon as if it were rung for: in the middle of a chain. */
enum { STATIONS = 100 };
static struct express { sf_flow *flow; sf_op aside; uint64_t at, pushed_at; uint32_t slow, came; } express;
static sf_result station(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    express.at++;
    if (v.u64 == (uint64_t)(uintptr_t)ctx->user) {
        express.pushed_at = express.at;
        if (sf_flow_push_value(express.flow, express.aside, 0, v) != SF_OK) { test_add(&disorder, 1); }
    }
    return sf_emit_value(ctx, 0, v);
}
static sf_result come_aside(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    express.slow += express.at > express.pushed_at + 1;
    test_add(&express.came, 1);
    return SF_OK;
}
static void pushed_in_the_middle(void **state)
{
    sf_flow *f = flow_that_spins(SF_MS(10000));
    uint32_t arrived = 0;
    sf_op first, last, next;
    (void)state;
    disorder = 0;
    express = (struct express){ .flow = f };
    first = last = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { { .name = "in", .external = true } },
                                            .out = { OUT("out") } });
    for (uintptr_t i = 0; i < STATIONS; i++, last = next) {
        next = sf_flow_add(f, &(sf_op_desc){ .compute = station, .user = (void *)i, .in = { { .name = "in" } },
                                        .out = { OUT("out") } });
        connect(f, last, next);
    }
    connect(f, last, add_sink(f, count_arrivals, &arrived, 0, 0));
    express.aside = sf_flow_add(f, &(sf_op_desc){ .compute = come_aside, .priority = -1,
                                             .in = { { .name = "in", .external = true } } });
    CHECK_OK(sf_flow_start(f));
    for (uint32_t i = 0; i < STATIONS; i++) {
        usleep(i < 3 ? 1000 : 0);            /* it has begun to look */
        CHECK_OK(sf_flow_push_value(f, first, 0, number(i)));
        answered(&arrived, i + 1);
    }
    CHECK_OK(sf_flow_stop(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_EQUAL(express.came, STATIONS);
    CHECK_EQUAL(express.slow, 0);
    CHECK_EQUAL(disorder, 0);
    destroy(f);
}
/* Who is fed from outside takes the short way, too: whatever its computes do with a message, what they hand on arrives
   once and in order, and there is room again. */
static int64_t feeds;                        /* messages per flow */
typedef struct fed { int64_t last; uint32_t failed; } fed;
static uint32_t treatment(int64_t v) { return v == feeds ? 0 : (uint32_t)v * 2654435761u >> 28; }
static sf_result treat(sf_context *ctx)
{
    fed *h = (fed *)ctx->user;
    const uint32_t how = treatment(h->last + 1);
    int64_t v;
    if (how == 2 && sf_available(ctx, 0) < 1) { test_add(&disorder, 1); }
    if (how == 3 && !sf_compute_stream(ctx)) { test_add(&disorder, 1); }
    v = sf_receive_value(ctx, 0).i64;
    if (v != h->last + 1) { test_add(&disorder, 1); }
    h->last = v;
    if (how == 4) { return SF_OK; }          /* is kept */
    sf_emit_value(ctx, 0, number(v));
    h->failed += how == 5;
    return how == 5 ? SF_ERROR_INVALID_VALUE : v == feeds ? SF_DONE : SF_OK;
}
static void fed_and_quick(void **state)
{
    int64_t through = 0;
    (void)state;
    feeds = test_seeds() < 1000 ? 300 : 1000;                /* sanitizers: the same flows, fewer messages */
    for (int64_t v = 1; v <= feeds; v++) { through += treatment(v) != 4 && treatment(v) != 5; }
    for (uint32_t seed = 0; seed < 45; seed++) {
        const uint32_t capacity = 1 + seed % 3, arms = 1 + seed / 3 % 2, hops = seed / 6 % 3;
        sf_flow *f = flow_of(crews[seed % COUNT(crews)]);
        rng r = { seed + 1 };
        fed head = { 0 };
        taker end[2] = { { 0 } };
        sf_edge_info info;
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = treat, .user = &head, .on_error = SF_ON_ERROR_IGNORE,
                                           .in = { { .name = "in", .external = true, .capacity = capacity,
                                                     .many = seed % 4 == 3 } },
                                           .out = { OUT("out") } });
        disorder = 0;
        for (uint32_t arm = 0; arm < arms; arm++) {
            sf_op last = a;
            for (uint32_t i = 0; i < hops; i++) {
                sf_op next = add_pass(f, pass_value, 0);
                connect(f, last, next);
                last = next;
            }
            connect(f, last, add_sink(f, take_in_order, &end[arm], 0, 0));
        }
        CHECK_OK(sf_flow_start(f));
        for (int64_t v = 1, until = sf_flow_now(NULL) + GUARD; v <= feeds && sf_flow_now(NULL) < until;) {
            sf_result pushed = sf_flow_push_value(f, a, 0, number(v));
            if (pushed != SF_BUSY) { CHECK_OK(pushed); }
            v += pushed == SF_OK;
            if (rng_below(&r, 100) == 0) { usleep(rng_below(&r, 60)); }      /* its worker falls asleep */
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        info = edge_of(f, a, 0, 0);
        CHECK_EQUAL(disorder, 0);
        CHECK_EQUAL(head.last, feeds);
        CHECK(head.failed > 0);
        CHECK_EQUAL(info.messages, feeds);
        CHECK_EQUAL(info.queued, 0);
        CHECK(info.queued_high <= capacity);
        for (uint32_t arm = 0; arm < arms; arm++) {
            CHECK_EQUAL(end[arm].count, through);
            CHECK_EQUAL(end[arm].last, feeds);
        }
        destroy(f);
    }
}
static void a_system_without_a_futex(void **state)           /* costs a core; what has a time has it all the same */
{
    (void)state;
    for (int32_t threads = 1; threads < 3; threads++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .workers = { { .count = threads } }, .max_duration = SF_MS(20) });
        uint32_t arrived = 0;
        (void)sf_flow_add(f, &(sf_op_desc){ .compute = count_arrivals, .user = &arrived,
                                       .in = { { .name = "in", .external = true } } });
        test_store(&library.no_futex, 1);
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        test_store(&library.no_futex, 0);
        destroy(f);
    }
}
/* In the next run it is rung for, until it looks again. */
static uint32_t never_idle;
static sf_result run_on_and_on(sf_context *ctx) { return (void)ctx, test_load(&never_idle) ? SF_OK : SF_DONE; }
static void pushed_into_the_next_run(void **state)
{
    sf_flow *f = flow_that_spins(SF_MS(10000));
    uint32_t arrived = 0;
    sf_op in = sf_flow_add(f, &(sf_op_desc){ .compute = count_arrivals, .user = &arrived,
                                        .in = { { .name = "in", .external = true } } });
    (void)state;
    (void)sf_flow_add(f, &(sf_op_desc){ .compute = run_on_and_on });
    for (uint32_t turn = 0; turn < 2; turn++) {
        test_store(&never_idle, turn);
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 1; i <= 3; i++) {
            usleep(1000);
            CHECK_OK(sf_flow_push_value(f, in, 0, number(i)));
            answered(&arrived, 3 * turn + i);
        }
        CHECK_OK(sf_flow_stop(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
    }
    destroy(f);
}
static sf_result take_any(sf_context *ctx)                   /* of four ports */
{
    int64_t all = 0;
    for (int p = 0; p < PUSHERS; p++) {
        while (sf_available(ctx, p)) {
            if (sf_receive_value(ctx, p).i64 != ++taken[p].last) { test_add(&disorder, 1); }
        }
        all += taken[p].last;
    }
    return all == (int64_t)PUSHERS * PUSHES ? SF_DONE : SF_OK;
}
static void pushed_to_one_operator(void **state)
{
    static const char *const names[PUSHERS] = { "a", "b", "c", "d" };
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        pthread_t threads[PUSHERS];
        sf_op_desc d = { .compute = take_any, .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } };
        sf_op a;
        disorder = 0;
        memset(taken, 0, sizeof taken);
        for (int p = 0; p < PUSHERS; p++) {
            d.in[p] = (sf_port){ .name = names[p], .external = true, .capacity = (uint16_t)(1 + 3 * p) };
        }
        a = sf_flow_add(f, &d);
        sf_flow_add(f, &(sf_op_desc){ .compute = be_counted, .count = 500 });
        CHECK_OK(sf_flow_start(f));
        for (int p = 0; p < PUSHERS; p++) {
            pushers[p] = (struct pusher){ .flow = f, .op = a, .port = p };
            CHECK_EQUAL(pthread_create(&threads[p], NULL, push_many, &pushers[p]), 0);
        }
        for (int p = 0; p < PUSHERS; p++) { pthread_join(threads[p], NULL); }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(disorder, 0);
        for (int p = 0; p < PUSHERS; p++) {
            CHECK_OK(pushers[p].failed);
            CHECK_EQUAL(taken[p].last, PUSHES);
            CHECK_EQUAL(edge_of(f, a, p, 0).messages, PUSHES);
        }
        destroy(f);
    }
}
/* Who would look for work much longer than a run takes ends it all the same, and hears what comes meanwhile. */
static sf_result number_them(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
static sf_result in_turn(sf_context *ctx)
{
    uint64_t v = sf_receive_value(ctx, 0).u64;
    if (v != *(uint32_t *)ctx->user) { test_add(&disorder, 1); }
    test_add((uint32_t *)ctx->user, 1);
    return v == 29 && ctx->run == 29 ? SF_DONE : SF_OK;
}
static void a_long_spin(void **state)
{
    static const int64_t spins[] = { SF_MS(2), SF_MS(700), INT64_MAX };
    (void)state;
    for (int k = 0; k < 18; k++) {
        int64_t period = k % 3 == 1 ? SF_MS(2) : 0;
        bool pushed = k % 3 == 2;
        uint32_t seen = 0;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .workers = { { .count = k < 9 ? 2 : 4, .spin = spins[k / 3 % 3] } } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = in_turn, .user = &seen,
                                           .in = { { .name = "in", .external = pushed } } });
        disorder = 0;
        if (!pushed) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = number_them, .count = 29, .period = period,
                                               .out = { { .name = "out" } } });
            CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, NULL));
        }
        for (int turn = 0; turn < 2; turn++) {
            seen = 0;
            CHECK_OK(sf_flow_start(f));
            for (uint64_t v = 0; pushed && v < 30; v++) {
                while (sf_flow_push_value(f, b, 0, (sf_value){ .u64 = v }) == SF_BUSY) { sched_yield(); }
                if (v % 10 == 9) { usleep(3000); }           /* it has been found out that this is not the end */
            }
            CHECK_OK(sf_flow_wait(f, GUARD));
            CHECK_EQUAL(seen, pushed ? 30 : 29);
            CHECK_EQUAL(disorder, 0);
        }
        destroy(f);
    }
}
/* So does one that ends without a compute: somebody is retired, or told that there will be no more, or stopped, or the
   time is up after which it is a deadlock. */
static sf_readiness always_waits(void *user, int64_t now, int64_t *wake)
{
    return (void)user, (void)now, (void)wake, SF_WAIT;
}
static void a_long_spin_without_a_last_compute(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        uint32_t seen = 0;
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .deadlock_timeout = k % 4 == 3 ? SF_MS(20) : 0,
                                                     .workers = { { .count = 2, .spin = INT64_MAX } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = number_them, .count = 1, .out = { OUT("out") } }), b;
        sf_op_desc d = { .compute = in_turn, .user = &seen, .in = { IN("in") } };
        disorder = 0;
        if (k % 4 == 0) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_READY }; }
        if (k % 4 == 1) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_SIGNAL, .initial = SF_WAIT }; }
        if (k % 4 == 2) { d.in[1] = (sf_port){ .name = "outside", .external = true }; }
        if (k % 4 == 3) { d.when[0] = (sf_condition){ .kind = SF_CONDITION_USER, .custom.check = always_waits }; }
        b = sf_flow_add(f, &d);
        CHECK_OK(sf_flow_connect(f, a, "out", b, "in", NULL));
        CHECK_OK(sf_flow_start(f));
        usleep(2000 * (unsigned)(k / 4));
        if (k % 4 == 1) { CHECK_OK(sf_flow_signal(f, b, 0, SF_NEVER)); }
        if (k % 4 == 2) { CHECK_OK(sf_op_stop(f, b)); }
        CHECK_IS(sf_flow_wait(f, GUARD), k % 4 == 3 ? SF_ERROR_DEADLOCK : SF_OK);
        (void)sf_flow_destroy(f);
    }
}
/* Two flows hand a number to and fro, each from a compute of its own. */
static struct court { sf_flow *flow; sf_op op; } court[2];
static sf_result return_it(sf_context *ctx)
{
    const int me = id_of(ctx);
    int64_t v = sf_receive_value(ctx, 0).i64;
    sf_result r = SF_BUSY;
    if (taken[me].last && v != taken[me].last + 2) { test_add(&disorder, 1); }
    taken[me].last = v;
    for (int i = 0; i < 100000 && r == SF_BUSY && v < 1000; i++) {
        r = sf_flow_push_value(court[!me].flow, court[!me].op, 0, number(v + 1));
    }
    return v >= 999 ? SF_DONE : r;
}
static void two_flows_play(const sf_flow_desc *d)
{
    disorder = 0;
    memset(taken, 0, sizeof taken);
    for (int i = 0; i < 2; i++) {
        court[i].flow = sf_flow_create(d);
        court[i].op = sf_flow_add(court[i].flow,
                             &(sf_op_desc){ .compute = return_it, .user = &ids[i],
                                            .in = { { .name = "in", .external = true, .capacity = 2 } } });
        CHECK_OK(sf_flow_check(court[i].flow, false, NULL, NULL));
    }
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_flow_start(court[i].flow)); }
    CHECK_OK(sf_flow_push_value(court[0].flow, court[0].op, 0, number(1)));
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_flow_wait(court[i].flow, GUARD)); }
    CHECK_EQUAL(disorder, 0);
    CHECK_EQUAL(taken[0].last, 999);
    CHECK_EQUAL(taken[1].last, 1000);
    for (int i = 0; i < 2; i++) { destroy(court[i].flow); }
}
static void flows_that_push_to_each_other(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        two_flows_play(&(sf_flow_desc){ .device = device, .workers = { { .count = crews[k] } } });
    }
    for (size_t k = 0; k < COUNT(all_kinds); k++) { /* one thread of the pool is enough for two flows */
        sf_flow_desc d = { .device = device };
        set_jobs(&d);
        jobs_begin(all_kinds[k], 1);
        two_flows_play(&d);
        jobs_end();
    }
}

/* Threads push, signal and stop while runs begin and end: what was taken is received, or else released by the end of
   that run, and in its counters in any case. */
enum { SENDERS = 3 };
static struct sender {
    sf_flow *flow;
    sf_op op;
    int port;
    uint32_t accepted, wrapped;
    bool tensors;
} senders[SENDERS + 1];
static uint32_t senders_leave;
static void *send_on(void *arg)
{
    struct sender *s = (struct sender *)arg;
    dawdles = 1;
    for (int64_t i = 1; !test_load(&senders_leave); i++) {
        sf_tensor *t = s->tensors ? wrap_one(s->flow, 0) : NULL;
        sf_result r = t ? sf_flow_push(s->flow, s->op, s->port, t)
                        : sf_flow_push_value(s->flow, s->op, s->port, number(i));
        s->wrapped += t != NULL;
        s->accepted += r == SF_OK;
        if (r != SF_OK && r != SF_BUSY && r != SF_DONE && r != SF_ERROR_ILLEGAL_STATE) { test_add(&disorder, 1); }
        if (r == SF_OK) { continue; }
        if (t) { sf_tensor_release(t); }
        sched_yield();
    }
    return NULL;
}
static void *meddle(void *arg)
{
    const struct sender *s = (const struct sender *)arg;
    dawdles = 1;
    for (int64_t i = 1; !test_load(&senders_leave); i++) {
        sf_result r = i % 7 == 0 ? sf_op_stop(s->flow, s->op) : i % 11 == 0 ? sf_flow_pause(s->flow, false)
                                                              : sf_flow_signal(s->flow, s->op, 0, SF_READY);
        if (r != SF_OK && r != SF_IGNORED) { test_add(&disorder, 1); }
        sched_yield();
    }
    return NULL;
}
static sf_result take_two(sf_context *ctx)
{
    int64_t *last = (int64_t *)ctx->user;
    while (sf_available(ctx, 0)) {
        int64_t v = sf_receive_value(ctx, 0).i64;
        if (v <= *last) { test_add(&disorder, 1); }
        *last = v;
    }
    while (sf_available(ctx, 1)) {
        if (!sf_receive(ctx, 1)) { test_add(&disorder, 1); }
    }
    return SF_OK;
}
static void pushed_while_runs_end(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        sf_flow *f = flow_of(crews[k]);
        pthread_t threads[SENDERS + 1];
        uint32_t messages[SENDERS] = { 0 }, wrapped = 0;
        int64_t last = 0;
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = take_two, .user = &last,
                                           .in = { { .name = "value", .external = true, .capacity = 3 },
                                                   { .name = "tensor", .external = true, .capacity = 2 } },
                                           .when = { { .kind = SF_CONDITION_MESSAGES, .count = 1 } } });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor,
                                           .in = { { .name = "in", .external = true, .capacity = 5 } },
                                           .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY } } });
        senders[0] = (struct sender){ .flow = f, .op = a };
        senders[1] = (struct sender){ .flow = f, .op = a, .port = 1, .tensors = true };
        senders[2] = (struct sender){ .flow = f, .op = b, .tensors = true };
        senders[SENDERS] = (struct sender){ .flow = f, .op = b };
        disorder = senders_leave = given_back[0] = 0;
        for (int i = 0; i <= SENDERS; i++) {
            CHECK_EQUAL(pthread_create(&threads[i], NULL, i < SENDERS ? send_on : meddle, &senders[i]), 0);
        }
        for (uint32_t run = 0; run < 300; run++) {
            if (run & 1) {                   /* also taken from here on */
                CHECK_OK(sf_flow_check(f, false, NULL, NULL));
                usleep(run % 50);
            }
            CHECK_OK(sf_flow_start(f));
            usleep(run * 7 % 200);
            CHECK_OK(sf_flow_stop(f));
            CHECK_OK(sf_flow_wait(f, GUARD));
            for (int i = 0; i < SENDERS; i++) {
                sf_edge_info e = edge_of(f, senders[i].op, senders[i].port, 0);
                messages[i] += (uint32_t)e.messages;
                CHECK_EQUAL(e.queued, 0);
            }
        }
        test_store(&senders_leave, 1);
        for (int i = 0; i <= SENDERS; i++) { pthread_join(threads[i], NULL); }
        CHECK_EQUAL(disorder, 0);
        for (int i = 0; i < SENDERS; i++) {
            CHECK(senders[i].accepted > 0);
            CHECK_EQUAL(messages[i], senders[i].accepted);
            wrapped += senders[i].wrapped;
        }
        CHECK_EQUAL(given_back[0], wrapped);
        destroy(f);
    }
}
static void pushed_before_it_is_built_on(void **state)       /* laid out anew: nobody will see the message */
{
    sf_flow *f = flow_of(1);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .count = 1,
                                       .in = { { .name = "in", .external = true, .capacity = 3 } } });
    (void)state;
    given_back[0] = 0;
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    for (int i = 0; i < 2; i++) { CHECK_OK(sf_flow_push(f, a, 0, wrap_one(f, 0))); }
    add_source(f, be_counted, 5, 0);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_EQUAL(given_back[0], 2);
    CHECK_OK(sf_flow_push(f, a, 0, wrap_one(f, 0)));
    ends(f, SF_OK);
    CHECK_EQUAL(given_back[0], 3);
    CHECK_EQUAL(runs_of(f, a), 1);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));           /* for a run of its own: nothing is counted yet */
    CHECK_EQUAL(runs_of(f, a), 0);
    CHECK_EQUAL(edge_of(f, a, 0, 0).messages, 0);
    destroy(f);
}

/* -- ends -- */

/* "asks" needs an answer to its 50th question, and gets none. */
static sf_result ask(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    (void)sf_receive_value(ctx, 1);
    return sf_emit_value(ctx, 0, number(v));
}
static sf_result answer_some(sf_context *ctx)
{
    sf_value v = sf_receive_value(ctx, 0);
    return ctx->run < 49 ? sf_emit_value(ctx, 0, v) : SF_OK;
}
static sf_op add_questions(sf_flow *f, int32_t workers)
{
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "odd", .compute = count_up, .out = { OUT("out") },
                                            .count = 101 });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "asks", .compute = ask, .in = { IN("in"), IN("answer") },
                                       .out = { OUT("out") }, .workers = workers });
    sf_op c = sf_flow_add(f, &(sf_op_desc){ .name = "answers", .compute = answer_some, .in = { IN("in") },
                                            .out = { OUT("out") } });
    CHECK_OK(sf_flow_connect(f, a, NULL, b, "in", NULL));
    connect(f, b, c);
    CHECK_OK(sf_flow_connect(f, c, NULL, b, "answer", &(sf_edge_desc){ .delay = 1 }));
    return b;
}
static void a_deadlock_names_who_waits(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 4 * COUNT(crews); k++) {
        sf_flow_desc d = { .device = device, .workers = { { .count = crews[k / 4] }, { .count = 1 } } };
        sf_flow *f;
        sf_op b;
        if (k & 1) { d.deadlock_timeout = SF_MS(2); }
        if (k & 2) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 4 % COUNT(all_kinds)], 2);
        }
        f = sf_flow_create(&d);
        b = add_questions(f, k & 2 ? 0 : 1);
        for (int again = 0; again < 2; again++) {
            CHECK_IS(start_and_wait(f, 0), SF_ERROR_DEADLOCK);
            CHECK_EQUAL(runs_of(f, b), 50);
            CHECK(!strcmp(sf_flow_failure(f)->where, "odd"));
            CHECK(strstr(sf_flow_failure(f)->text, "asks waits for messages on \"answer\" from answers") != NULL);
            CHECK_EQUAL(sf_flow_failure(f)->count, 1);
        }
        destroy_is(f, SF_ERROR_DEADLOCK);
        if (k & 2) { jobs_end(); }
    }
}
static void it_may_wait_for_ever(void **state)               /* and is stopped */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(
            &(sf_flow_desc){ .device = device, .workers = { { .count = crews[k] } }, .deadlock_timeout = -1 });
        sf_op b = add_questions(f, 0);
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < 10000 && runs_of(f, b) < 50; i++) { usleep(1000); }
        CHECK_IS(sf_flow_wait(f, SF_MS(3)), SF_TIMEOUT);
        CHECK_OK(sf_flow_stop(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(runs_of(f, b), 50);
        destroy(f);
    }
}
static void a_signal_cannot_help_any_more(void **state)      /* its messages will never come: the run ends */
{
    (void)state;
    for (uint32_t k = 0; k < 30; k++) {
        sf_flow *f = flow_of(crews[k % COUNT(crews)]);
        sf_op a = add_source(f, count_up, 20, 0);
        sf_condition ready = { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true };
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { IN("in") }, .when = { ready } });
        connect(f, a, b);
        ends(f, SF_OK);
        CHECK_EQUAL(runs_of(f, b), 20);
        destroy(f);
    }
}

/* -- errors -- */

static uint32_t gates[4];
static sf_result fail_late(sf_context *ctx)                  /* when its gate is open, with an error of its own */
{
    int id = id_of(ctx);
    test_add(&arrived, 1);
    if (comes(&gates[id], 1) < 0) { return (sf_result)TOO_LATE; }
    return (sf_result)(SF_ERROR_USER - 10 - id);
}
static void the_first_error_is_kept(void **state)
{
    (void)state;
    for (int first = 0; first < 3; first++) {
        sf_flow *f = sf_flow_create(
            &(sf_flow_desc){ .device = device, .workers = { { .count = 2 }, { .count = 1 }, { .count = 1 } } });
        sf_flow_info info;
        sf_op source;
        arrived = 0;
        memset(gates, 0, sizeof gates);
        for (int i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "bad%d", i);
            sf_flow_add(f, &(sf_op_desc){ .name = name, .compute = fail_late, .user = &ids[i], .workers = i });
        }
        source = add_source(f, count_up, 0, 0);
        connect(f, source, add_sink(f, take_value, NULL, 0, 0));
        CHECK_OK(sf_flow_start(f));
        until(&arrived, 3);
        test_store(&gates[first], 1);
        info.result = SF_OK;
        for (int i = 0; i < 20000 && info.result == SF_OK; i++) {
            usleep(500);
            CHECK_OK(sf_flow_get_info(f, &info));
        }
        CHECK_EQUAL(info.result, SF_ERROR_USER - 10 - first);
        CHECK_IS(sf_flow_wait(f, 0), SF_TIMEOUT);                 /* the others still compute */
        for (int i = 0; i < 3; i++) { test_store(&gates[i], 1); }
        CHECK_IS(sf_flow_wait(f, GUARD), (sf_result)(SF_ERROR_USER - 10 - first));
        CHECK_EQUAL(sf_flow_failure(f)->result, SF_ERROR_USER - 10 - first);
        CHECK_EQUAL(sf_flow_failure(f)->count, 3);
        CHECK(sf_flow_failure(f)->where[3] == '0' + first);
        destroy_is(f, (sf_result)(SF_ERROR_USER - 10 - first));
    }
}
static sf_result fail_with_words(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    if (ctx->run == 30) { return sf_fail(ctx, SF_ERROR_USER - 3, "no lens"); }
    return SF_OK;
}
static void an_error_ends_all(void **state)                  /* sources without an end, on all threads */
{
    (void)state;
    for (uint32_t k = 0; k < 40; k++) {
        sf_flow_desc d = { .device = device, .workers = { { .count = crews[k % COUNT(crews)] }, { .count = 2 } } };
        const bool jobs = k & 1;
        sf_flow *f;
        if (jobs) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 2 % COUNT(all_kinds)], 3);
        }
        f = sf_flow_create(&d);
        for (int i = 0; i < 4; i++) {
            sf_op a = add_source(f, count_up, 0, jobs ? 0 : i & 1);
            connect(f, a, sf_flow_add(f, &(sf_op_desc){ .name = i == 2 ? "camera" : NULL, .in = { IN("in") },
                                                   .compute = i == 2 ? fail_with_words : take_value }));
        }
        CHECK_IS(start_and_wait(f, 0), SF_ERROR_USER - 3);
        CHECK(!strcmp(sf_flow_failure(f)->where, "camera"));
        CHECK(strstr(sf_flow_failure(f)->text, "no lens") != NULL);
        destroy_is(f, SF_ERROR_USER - 3);
        if (jobs) { jobs_end(); }
    }
}
static sf_result fail_at_ten(sf_context *ctx) { return take_value(ctx), ctx->run == 10 ? SF_ERROR_USER : SF_OK; }
static void an_operator_that_fails_stops_alone(void **state) /* SF_ON_ERROR_STOP_OPERATOR */
{
    (void)state;
    for (uint32_t k = 0; k < 30; k++) {
        sf_flow *f = flow_of(crews[k % COUNT(crews)]);
        sf_op a = add_source(f, count_up, 400, 0), b, c;
        taker t = { 0 };
        sf_op_info info;
        disorder = 0;
        b = sf_flow_add(f, &(sf_op_desc){ .name = "weak", .compute = fail_at_ten,
                                          .on_error = SF_ON_ERROR_STOP_OPERATOR,
                                     .in = { { .name = "in", .capacity = 3 } } });
        c = add_sink(f, take_in_order, &t, 0, 0);
        connect(f, a, b);
        connect(f, a, c);
        ends(f, SF_OK);
        CHECK_EQUAL(t.count, 400);
        CHECK_EQUAL(disorder, 0);
        CHECK_OK(sf_op_get_info(f, b, &info));
        CHECK_EQUAL(info.state, SF_OP_FAILED);
        CHECK_EQUAL(info.errors, 1);
        CHECK_EQUAL(edge_of(f, b, 0, 0).messages, 11 + edge_of(f, b, 0, 0).dropped);
        CHECK(!strcmp(sf_flow_failure(f)->where, "weak"));
        (void)sf_flow_destroy(f);
    }
}

/* -- from any thread -- */

/* Sf_flow_wait() has returned; computes that came later. */
static uint32_t over, too_late;
static sf_result source_before_the_end(sf_context *ctx)
{
    if (test_load(&over)) { test_add(&too_late, 1); }
    return count_up(ctx);
}
static sf_result sink_before_the_end(sf_context *ctx)
{
    if (test_load(&over)) { test_add(&too_late, 1); }
    return take_value(ctx);
}
/* Sources without an end, each with a chain behind it, in all groups. */
static sf_op endless(sf_flow *f, int chains, int groups)
{
    sf_op first = { 0 };
    test_store(&over, 0);
    test_store(&too_late, 0);
    for (int i = 0; i < chains; i++) {
        sf_op a = add_source(f, source_before_the_end, 0, i % groups);
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = pass_value, .in = { { .name = "in", .capacity = 3 } },
                                           .out = { OUT("out") }, .workers = (i + 1) % groups });
        sf_op c = add_sink(f, sink_before_the_end, NULL, 0, i % groups);
        connect(f, a, b);
        connect(f, b, c);
        if (i == 0) { first = a; }
    }
    return first;
}
static void runs_reach(sf_flow *f, sf_op op, uint64_t runs)
{
    for (int i = 0; i < 60000 && runs_of(f, op) < runs; i++) { usleep(500); }
    CHECK(runs_of(f, op) >= runs);
}
static void is_over(sf_flow *f, sf_result want)
{
    CHECK_IS(sf_flow_wait(f, GUARD), want);
    test_store(&over, 1);
    usleep(200);
    CHECK_EQUAL(test_load(&too_late), 0);
}
static void started_and_stopped(void **state)                /* at once, or after a while, again and again */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_with(crews[k], 1);
        sf_op a = endless(f, 3, 2);
        for (uint32_t i = 0; i < 60; i++) {
            test_store(&over, 0);
            CHECK_OK(sf_flow_start(f));
            if (i % 3 == 1) { test_spin(i * 500); }
            if (i % 3 == 2) { runs_reach(f, a, i); }
            CHECK_OK(sf_flow_stop(f));
            is_over(f, SF_OK);
        }
        destroy(f);
    }
}
static void stopped_by_many(void **state)                    /* at the same time */
{
    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        sf_flow *f = flow_of(crews[i % COUNT(crews)]);
        sf_op a = endless(f, 2, 1);
        call *c[3];
        CHECK_OK(sf_flow_start(f));
        if (i & 1) { runs_reach(f, a, 5); }
        for (int k = 0; k < 3; k++) { c[k] = call_begin(sf_flow_stop, f); }
        for (int k = 0; k < 3; k++) {
            sf_result r = call_end(c[k]);
            CHECK(r == SF_OK || r == SF_IGNORED);
        }
        is_over(f, SF_OK);
        destroy(f);
    }
}
static sf_result stop_it(sf_context *ctx) { return ctx->run == 20 ? sf_flow_stop(ctx->flow) : take_value(ctx); }
static void stopped_from_inside(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        sf_flow *f = flow_of(crews[i % COUNT(crews)]);
        sf_op a = endless(f, 2, 1);
        connect(f, a, add_sink(f, stop_it, NULL, 0, 0));
        CHECK_OK(sf_flow_start(f));
        is_over(f, SF_OK);
        destroy(f);
    }
}
static void destroyed_while_it_runs(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        sf_flow *f = flow_with(crews[i % COUNT(crews)], i & 1 ? 2 : 1);
        sf_op a = endless(f, 3, 2);
        CHECK_OK(sf_flow_start(f));
        if (i % 3 == 1) { test_spin(i * 300); }
        if (i % 3 == 2) { runs_reach(f, a, i); }
        CHECK_OK(within(sf_flow_destroy, f));
        CHECK_EQUAL(test_load(&too_late), 0);
    }
}
static void a_stop_waits_for_who_computes(void **state)
{
    (void)state;
    for (size_t k = 1; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        sf_op a = endless(f, 1, 1);
        held = gate = 0;
        sf_flow_add(f, &(sf_op_desc){ .compute = hold, .priority = -1 });
        CHECK_OK(sf_flow_start(f));
        until(&held, 1);
        runs_reach(f, a, 10);
        CHECK_OK(sf_flow_stop(f));
        CHECK_IS(sf_flow_wait(f, SF_MS(1)), SF_TIMEOUT);
        test_store(&gate, 1);
        is_over(f, SF_OK);
        destroy(f);
    }
}
static void paused(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_with(crews[k], 2);
        sf_op a = endless(f, 3, 2);
        CHECK_OK(sf_flow_pause(f, true));
        CHECK_OK(sf_flow_start(f));
        usleep(2000);
        CHECK_EQUAL(runs_of(f, a), 0);
        for (int again = 0; again < 5; again++) {
            uint64_t runs = runs_of(f, a);
            CHECK_OK(sf_flow_pause(f, false));
            runs_reach(f, a, runs + 30);
            CHECK_OK(sf_flow_pause(f, true));
            do {                                             /* what was on its way ends: until two looks agree */
                runs = runs_of(f, a);
                usleep(3000);
            } while (runs_of(f, a) != runs);
        }
        if (k & 1) { CHECK_OK(sf_flow_pause(f, false)); }
        CHECK_OK(sf_flow_stop(f));                                /* a paused flow can be stopped, too */
        is_over(f, SF_OK);
        CHECK_OK(sf_flow_pause(f, false));
        destroy(f);
    }
}
/* Paused and resumed at any time, a flow does all that it has to do. */
static void *pause_and_resume(void *arg)
{
    sf_flow *f = (sf_flow *)arg;
    for (uint32_t i = 0; !test_load(&gate); i++) {
        CHECK_OK(sf_flow_pause(f, true));
        if (i % 16 == 0) { sched_yield(); }
        CHECK_OK(sf_flow_pause(f, false));
        for (volatile uint32_t n = i % 64; n; n--) {}
    }
    return NULL;
}
static void paused_all_the_time(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 5 * many(40); k++) {
        sf_flow_desc d = { .device = device, .workers = { { .count = (int[]){ 0, 0, 1, 2, 4 }[k % 5] } } };
        sf_flow *f;
        sf_op a, b;
        pthread_t other;
        if (k % 5 == 1) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 5 % COUNT(all_kinds)], 2);
        }
        f = sf_flow_create(&d);
        a = add_source(f, count_up, 300, 0);
        b = add_sink(f, take_value, NULL, 0, 0);
        connect(f, a, b);
        gate = 0;
        CHECK(!pthread_create(&other, NULL, pause_and_resume, f));
        ends(f, SF_OK);
        test_store(&gate, 1);
        CHECK(!pthread_join(other, NULL));
        CHECK_EQUAL(runs_of(f, a), 300);
        CHECK_EQUAL(runs_of(f, b), 300);
        destroy(f);
        if (k % 5 == 1) { jobs_end(); }
    }
}
static void one_operator_is_stopped(void **state)            /* and who works for it alone; the others go on */
{
    (void)state;
    for (uint32_t k = 0; k < 40; k++) {
        sf_flow *f = flow_with(crews[k % COUNT(crews)], 1);
        sf_op a = add_source(f, count_up, 0, 0);
        sf_op b = add_pass(f, pass_value, 1);
        sf_op c = add_sink(f, take_value, NULL, (uint16_t)(1 + k % 4), 0);
        sf_op other = add_source(f, count_up, 0, 0), end;
        sf_op_info info;
        uint64_t runs;
        connect(f, a, b);
        connect(f, b, c);
        end = add_sink(f, take_value, NULL, 0, 1);
        connect(f, other, end);
        CHECK_OK(sf_flow_start(f));
        runs_reach(f, c, k);
        CHECK_OK(sf_op_stop(f, k & 1 ? c : b));
        info.state = SF_OP_NEW;
        for (int i = 0; i < 20000 && info.state != SF_OP_STOPPED; i++) {
            CHECK_OK(sf_op_get_info(f, a, &info));
            usleep(200);
        }
        CHECK_EQUAL(info.state, SF_OP_STOPPED);
        runs = runs_of(f, end);
        runs_reach(f, end, runs + 20);
        CHECK_OK(sf_op_stop(f, other));                      /* then nobody has anything to do */
        CHECK_OK(sf_flow_wait(f, GUARD));
        for (int i = 0; i < 3; i++) {
            sf_op to = (sf_op[]){ b, c, end }[i], from = (sf_op[]){ a, b, other }[i];
            sf_edge_info e = edge_of(f, to, 0, 0);
            CHECK_EQUAL(e.messages, runs_of(f, to) + e.dropped);
            CHECK_EQUAL(e.messages + e.refused, runs_of(f, from));
        }
        destroy(f);
    }
}
/* Before its message comes, from outside or from another, who stops it in a start hook: it does not compute. */
static sf_op stop_first;
static sf_result stops_another(sf_context *ctx) { return sf_op_stop(ctx->flow, stop_first); }
static void stopped_before_it_computes(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 60 + test_seeds() / 2; k++) {
        sf_flow *f = flow_with(crews[k / 2 % COUNT(crews)], 1);
        bool outside = k & 1;
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "to", .compute = take_value,
                                           .in = {{ .name = "in", .external = outside }} }), a = b;
        if (!outside) {
            a = sf_flow_add(f, &(sf_op_desc){ .name = "from", .compute = count_up, .count = 3, .start = stops_another,
                                         .out = {{ .name = "out" }} });
            connect(f, a, b);
            stop_first = b;
        }
        CHECK_OK(sf_flow_start(f));
        if (outside) {
            sf_value v = number(1);
            if (k % 3) { usleep(20 + k % 3 * 90); }
            CHECK_OK(sf_op_stop(f, b));
            (void)sf_flow_push_value(f, b, 0, v);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(runs_of(f, b), 0);
        destroy(f);
    }
}
/* Between operators of two workers: it holds what it may, says so, and what goes through it stays in order. */
static struct { uint32_t open, disorder; uint64_t last; } between;
static sf_result hold_the_first(sf_context *ctx)
{
    uint64_t v = sf_receive_value(ctx, 0).u64;
    if (ctx->run && v != between.last + 1) { test_add(&between.disorder, 1); }
    between.last = v;
    return ctx->run ? SF_OK : comes(&between.open, 1);
}
static void a_queue_between_two_workers(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 6; k++) {
        sf_flow *f = flow_with(1, 1);
        sf_op a = add_source(f, count_up, 2000, 0);
        sf_op b = add_pass(f, pass_value, 0);
        sf_op c = add_sink(f, hold_the_first, NULL, (uint16_t)k, 1);
        sf_edge_info e;
        memset(&between, 0, sizeof between);
        connect(f, a, b);
        connect(f, b, c);
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < 20000 && edge_of(f, c, 0, 0).queued < k; i++) { usleep(200); }
        usleep(200);
        e = edge_of(f, c, 0, 0);                             /* the one that is being looked at is in it */
        CHECK_EQUAL(e.queued, k);
        CHECK_EQUAL(e.queued_high, k);
        CHECK_EQUAL(e.messages, k);
        CHECK_EQUAL(runs_of(f, b), k);
        test_store(&between.open, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        e = edge_of(f, c, 0, 0);
        CHECK_EQUAL(e.messages, 2000);
        CHECK_EQUAL(e.queued + e.dropped + e.refused, 0);
        CHECK_EQUAL(e.queued_high, k);
        CHECK_EQUAL(runs_of(f, c), 2000);
        CHECK_EQUAL(test_load(&between.disorder), 0);
        destroy(f);
    }
}
/* Chains and what is beside them, in which computes do now and then what goes no short way: ask first, take all there
   is, nothing, or late; emit nothing, or fail and be ignored. Each operator sees what the one before it has sent. */
typedef struct odd_one { rng random; uint32_t habits, disorder; bool last; uint64_t seen, sent, before; } odd_one;
enum { ASKS = 1, LOOKS_AT_TIME = 2, SWALLOWS = 4, TAKES_ALL = 8, FAILS = 16, ODD_HABITS = 32 };
static odd_one odd_ones[10];
static sf_result odd_source(sf_context *ctx)
{
    odd_one *o = (odd_one *)ctx->user;
    return sf_emit_value(ctx, 0, number((int64_t)++o->sent));
}
static sf_value odd_take(sf_context *ctx, odd_one *o)
{
    sf_value v = sf_receive_value(ctx, 0);
    o->disorder += v.u64 <= o->before;
    o->before = v.u64;
    o->seen++;
    return v;
}
static sf_result odd_step(sf_context *ctx)
{
    odd_one *o = (odd_one *)ctx->user;
    uint32_t now = rng_below(&o->random, 64);
    bool emits = !o->last && !(o->habits & SWALLOWS && now >= 40);
    sf_value v;
    if (o->habits & ASKS && now < 8 && sf_available(ctx, 0) < 1) { o->disorder++; }
    if (o->habits & LOOKS_AT_TIME && now < 20) { (void)sf_get_timestamp(ctx, 0); }
    v = odd_take(ctx, o);
    while (o->habits & TAKES_ALL && now == 30 && sf_available(ctx, 0)) { v = odd_take(ctx, o); }
    if (o->habits & FAILS && now == 31) { return SF_ERROR_USER; }
    if (emits) { o->sent++; }
    return emits ? sf_emit_value(ctx, 0, v) : SF_OK;
}
static void chains_that_leave_the_short_way(void **state)
{
    (void)state;
    FOR_SEEDS(seed, 40 + test_seeds() / 100) {
        rng r = rng_seed(seed);
        sf_flow *f = flow_of(1 + (int32_t)rng_below(&r, 4));
        uint64_t count = 100 + rng_below(&r, 400);
        uint32_t n = 3 + rng_below(&r, COUNT(odd_ones) - 2);
        sf_op before = { 0 }, op;
        memset(odd_ones, 0, sizeof odd_ones);
        for (uint32_t i = 0; i < n; i++, before = op) {
            odd_one *o = &odd_ones[i];
            sf_op_desc d = { .compute = i ? odd_step : odd_source, .user = o, .count = i ? 0 : count };
            o->habits = rng_below(&r, ODD_HABITS);
            o->last = i == n - 1;
            if (o->habits & FAILS) { d.on_error = SF_ON_ERROR_IGNORE; }
            if (i) { d.in[0] = (sf_port){ .name = "in", .capacity = (uint16_t)(1 + rng_below(&r, 3) * (seed % 4)) }; }
            if (!o->last) { d.out[0] = (sf_port){ .name = "out" }; }
            op = sf_flow_add(f, &d);
            if (i) { connect(f, before, op); }
        }
        for (int run = 0; run < 2; run++) {
            for (uint32_t i = 0; i < n; i++) {
                odd_one *o = &odd_ones[i];
                o->random = rng_seed(seed * 100 + i);
                o->seen = o->sent = o->before = 0;
            }
            ends(f, SF_OK);
            for (uint32_t i = 0; i < n; i++) {
                CHECK_EQUAL(odd_ones[i].seen, i ? odd_ones[i - 1].sent : 0);
                CHECK_EQUAL(odd_ones[i].disorder, 0);
            }
            CHECK_EQUAL(odd_ones[0].sent, count);
        }
        destroy(f);
    }
}
/* While it computes, another worker hears of the stop: it is not forgotten, though nothing else wakes it. */
static struct { uint32_t hold, inside, open, ticks, over; } stop_of;
static sf_result take_and_hold(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    if (!test_load(&stop_of.hold)) { return SF_OK; }
    test_store(&stop_of.inside, 1);
    return comes(&stop_of.open, 1);
}
static sf_result tick(sf_context *ctx)
{
    (void)ctx;
    test_add(&stop_of.ticks, 1);
    return test_load(&stop_of.over) ? SF_DONE : SF_OK;
}
static void stopped_while_it_computes(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        bool along = round % 2;              /* its message comes from hand to hand, or from outside */
        sf_flow *f = flow_of(2);
        sf_op_desc from = { .name = "from", .compute = pass_value, .in = {{ .name = "in", .external = true }},
                            .out = {{ .name = "out" }} };
        sf_op_desc to = { .name = "to", .compute = take_and_hold, .in = {{ .name = "in", .external = !along }} };
        sf_op b = sf_flow_add(f, &to), a = along ? sf_flow_add(f, &from) : b;
        sf_op_info info = { .state = SF_OP_NEW };
        memset(&stop_of, 0, sizeof stop_of);
        if (along) { connect(f, a, b); }
        (void)sf_flow_add(f, &(sf_op_desc){ .name = "tick", .compute = tick, .period = SF_US(200) });
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 0; i < 10; i++) {
            if (i == 9) { test_store(&stop_of.hold, 1); }
            CHECK_OK(sf_flow_push_value(f, a, 0, (sf_value){ .u64 = i }));
            if (i < 9) { runs_reach(f, b, i + 1); }
        }
        until(&stop_of.inside, 1);
        CHECK_OK(sf_op_stop(f, b));
        until(&stop_of.ticks, test_load(&stop_of.ticks) + 10);
        test_store(&stop_of.open, 1);
        for (int i = 0; i < 20000 && info.state != SF_OP_STOPPED; i++) {
            CHECK_OK(sf_op_get_info(f, b, &info));
            usleep(200);
        }
        CHECK_EQUAL(info.state, SF_OP_STOPPED);
        test_store(&stop_of.over, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
    }
}
/* Several chains side by side, each one worker's from end to end or cut in pieces, the sources as odd as the rest: emit
   nothing, give times before or behind it, fail and be ignored, end by themselves, or are stopped by a sink. */
typedef struct odd_chain {
    odd_one ops[6];
    sf_op source;
    struct odd_chain *stops;
    uint64_t at, count;                      /* it stops that one with so many messages at its end */
    uint32_t stopped;                        /* by one end or more, maybe at the same time */
    bool joined;                             /* somebody makes one message of several */
} odd_chain;
static odd_chain odd_chains[5];
static sf_result odd_begin(sf_context *ctx)
{
    odd_one *o = (odd_one *)ctx->user;
    uint32_t now = rng_below(&o->random, 64);
    sf_result r;
    if (o->habits & SWALLOWS && now >= 40) { return SF_OK; }
    if (o->habits & LOOKS_AT_TIME) { sf_set_timestamp(ctx, (int64_t)o->sent + 1); }
    r = sf_emit_value(ctx, 0, number((int64_t)o->sent + 1));
    if (r < 0) { return r; }
    if (o->habits & ASKS && now < 8) { (void)sf_get_timestamp(ctx, 0); }
    if (o->habits & FAILS && now == 31) { return SF_ERROR_USER; }
    o->sent++;
    return o->habits & TAKES_ALL && o->sent == 100 ? SF_DONE : SF_OK;
}
static sf_result odd_end(sf_context *ctx)
{
    odd_chain *c = (odd_chain *)ctx->user;
    odd_one *o = &c->ops[5];
    int64_t time;
    time = c->ops[0].habits & LOOKS_AT_TIME ? (int64_t)odd_take(ctx, o).u64 : ((void)odd_take(ctx, o), -1);
    if (!c->joined && rng_below(&o->random, 16) == 0) { o->disorder += sf_get_timestamp(ctx, 0) != time; }
    if (o->seen != c->at) { return SF_OK; }
    test_store(&c->stops->stopped, 1);
    return sf_op_stop(ctx->flow, c->stops->source);
}
static uint32_t add_odd_chain(sf_flow *f, rng *r, odd_chain *c, int32_t group)       /* operators before the last */
{
    uint32_t n = 1 + rng_below(r, 5);
    bool cut = rng_below(r, 2);
    sf_op before = { 0 }, op;
    c->count = 100 + rng_below(r, 2000);
    for (uint32_t i = 0; i <= n; i++, before = op) {
        int32_t at = cut ? group ^ (i > n / 2) : group;
        odd_one *o = &c->ops[i < n ? i : 5];
        sf_op_desc d = { .compute = !i ? odd_begin : i < n ? odd_step : odd_end, .workers = at,
                         .user = i < n ? (void *)o : (void *)c, .count = i ? 0 : c->count };
        o->habits = rng_below(r, 3) ? 0 : rng_below(r, ODD_HABITS);
        c->joined = c->joined || (i && o->habits & TAKES_ALL);
        if (o->habits & FAILS) { d.on_error = SF_ON_ERROR_IGNORE; }
        if (i) { d.in[0] = (sf_port){ .name = "in", .capacity = (uint16_t)(1 + rng_below(r, cut ? 40 : 3)) }; }
        if (i < n) { d.out[0] = (sf_port){ .name = "out" }; }
        op = sf_flow_add(f, &d);
        if (i) { connect(f, before, op); } else { c->source = op; }
    }
    return n;
}
static void chains_that_go_on(void **state)
{
    (void)state;
    FOR_SEEDS(seed, 60 + test_seeds() / 25) {
        rng r = rng_seed(seed);
        sf_flow *f = flow_with(1 + (int32_t)rng_below(&r, 2), 1);
        uint32_t chains = 1 + rng_below(&r, COUNT(odd_chains)), n[COUNT(odd_chains)];
        memset(odd_chains, 0, sizeof odd_chains);
        for (uint32_t i = 0; i < chains; i++) {
            odd_chain *c = &odd_chains[i];
            c->stops = &odd_chains[rng_below(&r, chains)];
            if (!rng_below(&r, 3)) { c->at = 50 + rng_below(&r, 200); }
            n[i] = add_odd_chain(f, &r, c, (int32_t)rng_below(&r, 2));
        }
        for (int run = 0; run < 2; run++) {
            for (uint32_t i = 0; i < chains * 6; i++) {
                odd_one *o = &odd_chains[i / 6].ops[i % 6];
                o->random = rng_seed(seed * 100 + i);
                o->seen = o->sent = o->before = 0;
                odd_chains[i / 6].stopped = 0;
            }
            ends(f, SF_OK);
            for (uint32_t i = 0; i < chains; i++) {
                const odd_chain *c = &odd_chains[i];
                uint64_t runs = runs_of(f, c->source);
                for (uint32_t k = 1; k <= n[i]; k++) {
                    CHECK_EQUAL(c->ops[k < n[i] ? k : 5].seen, c->ops[k - 1].sent);
                    CHECK_EQUAL(c->ops[k < n[i] ? k : 5].disorder, 0);
                }
                CHECK(runs <= c->count && (c->stopped || c->ops[0].habits & TAKES_ALL || runs == c->count));
                if (c->ops[0].habits & TAKES_ALL) { CHECK(c->ops[0].sent <= 100); }
                if (!(c->ops[0].habits & (SWALLOWS | FAILS))) { CHECK_EQUAL(c->ops[0].sent, runs); }
            }
        }
        destroy(f);
    }
}
/* Two chains at one worker take turns, whether their computes take time or not. */
static struct { int64_t ns; uint64_t runs[2], row, most; int last; } turns_of;
static sf_result row_of(sf_context *ctx)
{
    int me = ctx->user != NULL;
    turns_of.row = me == turns_of.last ? turns_of.row + 1 : 1;
    turns_of.last = me;
    if (turns_of.row > turns_of.most && turns_of.runs[!me] < 20000) { turns_of.most = turns_of.row; }
    turns_of.runs[me]++;
    return sf_emit_value(ctx, 0, number(1));
}
static sf_result pass_slowly(sf_context *ctx)
{
    int64_t end = turns_of.ns ? sf_flow_now(NULL) + turns_of.ns : 0;
    sf_value v = sf_receive_value(ctx, 0);
    while (end && sf_flow_now(NULL) < end) {}
    return sf_emit_value(ctx, 0, v);
}
static sf_result drop_value(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
static void chains_take_turns(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        sf_flow *f = flow_with(1, 1);
        memset(&turns_of, 0, sizeof turns_of);
        turns_of.ns = slow ? test_heavy_ns() / 2 : 0;
        for (int i = 0; i < 2; i++) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = row_of, .out = { OUT("out") }, .user = i ? &turns_of
                                                    : NULL,
                                               .count = 20000 });
            for (int k = 0; k < 2 * slow; k++) {
                sf_op b = add_pass(f, pass_slowly, 0);
                connect(f, a, b);
                a = b;
            }
            connect(f, a, add_sink(f, drop_value, NULL, 1, 0));
        }
        ends(f, SF_OK);
        CHECK(turns_of.most <= 2);
        destroy(f);
    }
}
/* Who stops the flow, or is stopped, in the middle of a chain that goes on and on: no message is begun behind that. */
static struct { uint64_t at; } stop_at;
static sf_result stop_flow(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    return ctx->run == stop_at.at ? sf_flow_stop(ctx->flow) : SF_OK;
}
static sf_result emit_one(sf_context *ctx) { return sf_emit_value(ctx, 0, number(1)); }
static void a_chain_stops_at_once(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        sf_flow *f = flow_with(1, 1);
        sf_op a = add_source(f, emit_one, 0, 0), b = add_pass(f, pass_slowly, 0);
        sf_op c = add_sink(f, stop_flow, NULL, 1, 0);
        memset(&turns_of, 0, sizeof turns_of);
        stop_at.at = 5000 + 37 * round;
        connect(f, a, b);
        connect(f, b, c);
        ends(f, SF_OK);
        CHECK_EQUAL(runs_of(f, c), stop_at.at + 1);
        CHECK_EQUAL(runs_of(f, a), stop_at.at + 1);
        destroy(f);
    }
}
static sf_result hold_a_while(sf_context *ctx)
{
    sf_result r = SF_OK;
    if (ctx->run == stop_at.at) {
        test_store(&stop_of.inside, 1);
        r = comes(&stop_of.open, 1);
    }
    return r < 0 ? r : sf_emit_value(ctx, 0, number(1));
}
static void a_chain_stops_when_another_hears(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 8; round++) {
        sf_flow *f = flow_of(2);
        sf_op a = add_source(f, hold_a_while, 0, 0), b = add_pass(f, pass_slowly, 0);
        sf_op c = add_sink(f, drop_value, NULL, 1, 0);
        memset(&turns_of, 0, sizeof turns_of);
        memset(&stop_of, 0, sizeof stop_of);
        stop_at.at = 5000 + 37 * round;
        connect(f, a, b);
        connect(f, b, c);
        for (int i = 0; i < 2; i++) {        /* so that the chain is at one worker, and some at the other */
            (void)sf_flow_add(f, &(sf_op_desc){ .name = "tick", .compute = tick, .period = SF_US(200) });
        }
        CHECK_OK(sf_flow_start(f));
        until(&stop_of.inside, 1);
        CHECK_OK(sf_op_stop(f, a));
        until(&stop_of.ticks, test_load(&stop_of.ticks) + 10);
        test_store(&stop_of.over, 1);
        test_store(&stop_of.open, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK(runs_of(f, a) <= stop_at.at + 2);
        CHECK_EQUAL(runs_of(f, c), runs_of(f, a));
        destroy(f);
    }
}
static sf_result call_what_waits(sf_context *ctx)            /* none of these may wait for itself */
{
    note_down(1, sf_flow_wait(ctx->flow, GUARD));
    note_down(1, sf_flow_run(ctx->flow));
    note_down(1, sf_flow_start(ctx->flow));
    note_down(1, sf_flow_step(ctx->flow, NULL));
    note_down(1, sf_flow_destroy(ctx->flow));
    return SF_OK;
}
static void calls_from_a_compute(void **state)
{
    (void)state;
    for (int group = 0; group < 2; group++) {
        for (size_t k = 0; k < COUNT(crews); k++) {
            sf_flow *f = flow_with(crews[k], crews[k]);
            long long got[8];
            notes_clear();
            sf_flow_add(f, &(sf_op_desc){ .compute = call_what_waits, .count = 1, .workers = group });
            ends(f, SF_OK);
            CHECK_EQUAL(notes_of(1, got, 8), 5);
            for (int i = 0; i < 5; i++) {
                CHECK(got[i] == SF_ERROR_REENTRANT || (i > 0 && i < 4 && got[i] == SF_ERROR_ILLEGAL_STATE));
            }
            destroy(f);
        }
    }
}
static sf_result look_around(sf_flow *f)                     /* until it is over */
{
    for (int i = 0; i < 100000 && !test_load(&over); i++) {
        sf_flow_info flow;
        sf_op_info op;
        sf_edge_info edge;
        size_t bytes = 0;
        if (sf_flow_get_info(f, &flow) < 0) { return SF_ERROR_UNKNOWN; }
        for (uint32_t n = 0; n < 6; n++) {
            sf_op id = (sf_op){ taken[n].sum & UINT32_MAX };
            if (sf_op_get_info(f, id, &op) < 0) { return SF_ERROR_UNKNOWN; }
            if (n && (sf_op_get_edge_info(f, id, 0, 0, &edge) < 0 || edge.queued > edge.capacity)) {
                return SF_ERROR_QUEUE_FULL;
            }
        }
        if (sf_flow_dot(f, count_text, &bytes) < 0 || !bytes) { return SF_ERROR_UNKNOWN; }
        if (sf_flow_failure(f)->count || sf_flow_now(f) <= 0) { return SF_ERROR_UNKNOWN; }
        sched_yield();
    }
    return SF_OK;
}
/* Runs it all, or says why not; sf_flow_run() still does. */
static void a_loop_of_your_own(void **state)
{
    sf_flow *f = flow_of(3);
    taker t = { 0 };
    sf_result r = SF_OK;
    (void)state;
    connect(f, add_source(f, count_up, 50, 0),
            add_sink(f, take_in_order, &t, 0, 0));
    for (int64_t end = sf_flow_now(NULL) + GUARD; (r == SF_OK || r == SF_IDLE) && sf_flow_now(NULL) < end;) {
        r = sf_flow_step(f, NULL);
    }
    if (r == SF_DONE) {
        CHECK_EQUAL(t.count, 50);
    } else {
        CHECK_IS(r, SF_ERROR_NOT_SUPPORTED);
        CHECK(strstr(sf_flow_failure(f)->text, "workers") != NULL);
    }
    memset(&t, 0, sizeof t);
    ends(f, SF_OK);
    CHECK_EQUAL(t.count, 50);
    CHECK_EQUAL(sf_flow_failure(f)->count, 0);
    destroy_is(f, r == SF_DONE ? SF_OK : r);                 /* a start that failed */
}
static void *wait_for_the_end(void *f) { return (void *)(intptr_t)sf_flow_wait((sf_flow *)f, GUARD); }
static void waited_for_by_several(void **state)              /* who look at its paths meanwhile */
{
    (void)state;
    for (int again = 0; again < 20; again++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .track.latency = true,
                                                     .workers = { { .count = 2 } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { { .name = "out" } }, .count = 50 }), b;
        pthread_t threads[3];
        char name[32];
        for (int i = 0; i < 8; i++) {
            b = sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = { { .name = "in" } } });
            connect(f, a, b);
        }
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < 3; i++) { CHECK(pthread_create(&threads[i], NULL, wait_for_the_end, f) == 0); }
        for (uint32_t i = 0; i < 200; i++) { (void)sf_flow_get_path(f, i % 8, NULL, name, sizeof name); }
        CHECK_OK(sf_flow_wait(f, GUARD));
        for (int i = 0; i < 3; i++) {
            void *result = f;
            pthread_join(threads[i], &result);
            CHECK_EQUAL((intptr_t)result, SF_OK);
        }
        CHECK_IS(sf_op_get_edge_info(f, b, 0, INT32_MIN, &(sf_edge_info){ 0 }), SF_ERROR_INVALID_VALUE);
        destroy(f);
    }
}
static void looked_at_meanwhile(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .trace_events = 16,
                                                     .workers = { { .count = crews[k] }, { .count = 2 } },
                                                     .track = { .latency = true } });
        sf_op before = { 0 };
        call *c[2];
        for (int i = 0; i < 6; i++) {
            sf_op_desc d = { .compute = i == 0 ? count_up : i < 5 ? pass_value : take_value, .workers = i & 1 };
            if (i) { d.in[0] = (sf_port){ .name = "in", .capacity = (uint16_t)i }; }
            if (i < 5) { d.out[0] = (sf_port)OUT("out"); }
            d.count = i ? 0 : many(3000);
            taken[i].sum = sf_flow_add(f, &d).id;
            if (i) { connect(f, before, (sf_op){ (uint32_t)taken[i].sum }); }
            before = (sf_op){ (uint32_t)taken[i].sum };
        }
        test_store(&over, 0);
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < 2; i++) { c[i] = call_begin(look_around, f); }
        CHECK_OK(sf_flow_wait(f, GUARD));
        test_store(&over, 1);
        for (int i = 0; i < 2; i++) { CHECK_OK(call_end(c[i])); }
        for (int i = 0; i < 6; i++) { CHECK_EQUAL(runs_of(f, (sf_op){ (uint32_t)taken[i].sum }), many(3000)); }
        destroy(f);
    }
}

/* -- hooks, and runs again -- */

enum { HOOKED = 9 };
static bool started[HOOKED];                                 /* plain: starts are before, stops after all computes */
static int64_t computes[HOOKED], computes_at_stop;
static uint32_t stops[HOOKED], stop_count;
static sf_result slow_start(sf_context *ctx)
{
    if (id_of(ctx) % 3 == 1) { usleep(500); }
    return started[id_of(ctx)] = true, SF_OK;
}
static sf_result after_the_starts(sf_context *ctx)
{
    for (int i = 0; i < HOOKED; i++) {
        if (!started[i]) { test_add(&disorder, 1); }
    }
    computes[id_of(ctx)]++;
    if (id_of(ctx) % 3) { (void)sf_receive_value(ctx, 0); }
    return id_of(ctx) % 3 < 2 ? sf_emit_value(ctx, 0, number(1)) : SF_OK;
}
static sf_result ordered_stop(sf_context *ctx)
{
    stops[stop_count++] = (uint32_t)id_of(ctx);
    for (int i = 0; i < HOOKED && stop_count == 1; i++) { computes_at_stop += computes[i]; }
    return started[id_of(ctx)] = false, SF_OK;
}
static void all_starts_before_and_all_stops_behind(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 4 * COUNT(crews); k++) {
        sf_flow_desc d = { .device = device, .workers = { { .count = crews[k / 4] }, { .count = 2 } } };
        sf_flow *f;
        sf_op before = { 0 };
        if (k & 1) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 4 % COUNT(all_kinds)], 2);
        }
        f = sf_flow_create(&d);
        disorder = 0;
        for (int i = 0; i < HOOKED; i++) {                   /* three chains of three */
            sf_op_desc o = { .compute = after_the_starts, .start = slow_start, .stop = ordered_stop, .user = &ids[i],
                             .workers = k & 1 ? 0 : i & 1, .count = i % 3 == 0 && !(k & 2) ? 20 : 0 };
            sf_op op;
            if (i % 3) { o.in[0] = (sf_port)IN("in"); }
            if (i % 3 < 2) { o.out[0] = (sf_port)OUT("out"); }
            op = sf_flow_add(f, &o);
            if (i % 3) { connect(f, before, op); }
            before = op;
        }
        for (int again = 0; again < 3; again++) {
            memset(started, 0, sizeof started);
            memset(computes, 0, sizeof computes);
            stop_count = 0;
            computes_at_stop = 0;
            CHECK_OK(sf_flow_start(f));
            if (k & 2) {
                runs_reach(f, before, 5);
                CHECK_OK(sf_flow_stop(f));
            }
            CHECK_OK(sf_flow_wait(f, GUARD));
            CHECK_EQUAL(disorder, 0);
            CHECK_EQUAL(stop_count, HOOKED);
            for (uint32_t i = 0; i < HOOKED; i++) {
                CHECK_EQUAL(stops[i], HOOKED - 1 - i);
                CHECK(!started[i]);
                computes_at_stop -= computes[i];
                if (!(k & 2)) { CHECK_EQUAL(computes[i], 20); }
            }
            CHECK_EQUAL(computes_at_stop, 0);
        }
        destroy(f);
        if (k & 1) { jobs_end(); }
    }
}
static sf_result fail_to_start(sf_context *ctx) { return (void)ctx, SF_ERROR_USER - 1; }
static sf_result note_start(sf_context *ctx) { return note_down(0, 10 + id_of(ctx)), SF_OK; }
static sf_result note_stop(sf_context *ctx)  { return note_down(0, 20 + id_of(ctx)), SF_OK; }
static void a_start_that_fails(void **state)                 /* no compute; those that started are stopped */
{
    sf_flow *f = flow_of(4);
    (void)state;
    for (int i = 0; i < 4; i++) {
        sf_flow_add(f, &(sf_op_desc){ .compute = note_id, .start = i == 2 ? fail_to_start : note_start,
                                      .stop = note_stop,
                                 .user = &ids[i], .count = 3 });
    }
    for (int again = 0; again < 2; again++) {
        notes_clear();
        CHECK_IS(sf_flow_start(f), SF_ERROR_USER - 1);
        CHECK_NOTES(0, 10, 11, 21, 20);
    }
    destroy_is(f, SF_ERROR_USER - 1);
}
static void a_hundred_runs(void **state)                     /* of the same flow, which grows in between */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_with(crews[k], 1);
        taker t[6];
        sf_op a = add_source(f, count_up, 40, 0);
        int sinks = 0;
        for (uint32_t i = 0; i < many(100); i++) {
            if (i % many(20) == 0) {
                connect(f, a, add_sink(f, take_in_order, &t[sinks], (uint16_t)(1 + sinks), sinks & 1));
                sinks++;
            }
            memset(t, 0, sizeof t);
            disorder = 0;
            if (i & 1) { CHECK_OK(start_and_wait(f, i)); } else { CHECK_OK(within(sf_flow_run, f)); }
            CHECK_EQUAL(disorder, 0);
            for (int s = 0; s < sinks; s++) { CHECK_EQUAL(t[s].count, 40); }
        }
        destroy(f);
    }
}

/* -- memory -- */

static test_heap heaps[2];
static sf_heap counting(int i) { return (sf_heap){ test_heap_alloc, test_heap_free, &heaps[i] }; }
static long takings(void)
{
    return __atomic_load_n(&heaps[0].total, __ATOMIC_RELAXED) + __atomic_load_n(&heaps[1].total, __ATOMIC_RELAXED) +
           __atomic_load_n(&library.mallocs, __ATOMIC_RELAXED);
}
static sf_result hold_first(sf_context *ctx)
{
    if (ctx->run == 0 && hold(ctx) < 0) { return (sf_result)TOO_LATE; }
    return create_and_paint(ctx);
}
static void nothing_is_allocated_after_the_start(void **state)       /* messages, tensors, metadata, failures */
{
    (void)state;
    for (uint32_t k = 0; k < 2 * COUNT(crews); k++) {
        sf_flow_desc d = { .heap = counting(0), .metadata_entries = 4, .track.latency = true, .trace_events = 16,
                           .workers = { { .count = crews[k / 2] }, { .count = 2, .name = "others" } } };
        sf_device *own;
        sf_flow *f;
        sf_op a, b, c, bad;
        long after_start, at_end;
        memset(heaps, 0, sizeof heaps);
        own = test_open_desc(&(sf_device_desc){ .host.workers = 2, .heap = counting(1) });
        d.device = own;
        if (k & 1) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 2 % COUNT(all_kinds)], 2);
        }
        f = sf_flow_create(&d);
        held = gate = 0;
        a = sf_flow_add(f, &(sf_op_desc){ .compute = hold_first, .count = 200,
                                     .out = { { .name = "out", .bytes = BYTES } } });
        bad = sf_flow_add(f, &(sf_op_desc){ .compute = fail_at_ten, .in = { IN("in") },
                                            .on_error = SF_ON_ERROR_IGNORE });
        b = add_source(f, count_up, 200, k & 1 ? 0 : 1);
        c = sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { { .name = "in", .capacity = 3 } },
                                     .when = { { .kind = SF_CONDITION_STREAM } }, .workers = k & 1 ? 0 : 1 });
        connect(f, b, bad);
        connect(f, a, c);
        connect(f, a, add_sink(f, take_tensor, NULL, 0, 0));
        for (int again = 0; again < 2; again++) {
            test_store(&held, 0);
            test_store(&gate, 0);
            /* A task that runs at once would hold up sf_flow_start(). */
            if (k & 1) { test_store(&gate, 1); }
            CHECK_OK(sf_flow_start(f));
            until(&held, 1);
            after_start = takings();
            test_store(&gate, 1);
            CHECK_OK(sf_flow_wait(f, GUARD));
            at_end = takings();
            if (!on_cuda() && at_end != after_start) {
                fail_msg("case %u: %ld allocations after the start", k, at_end - after_start);
            }
            CHECK_EQUAL(runs_of(f, c), 200);
        }
        (void)sf_flow_destroy(f);
        CHECK_EQUAL(heaps[0].live, 0);
        test_close(own);
        CHECK_EQUAL(heaps[1].live, 0);
        if (k & 1) { jobs_end(); }
    }
}
static void out_of_memory(void **state)                      /* whichever request it is: an error, nothing lost */
{
    bool more = true;
    (void)state;
    for (long fail_at = 1; more && fail_at < 1000; fail_at++) {
        sf_flow *f;
        memset(heaps, 0, sizeof heaps);
        heaps[0].fail_at = fail_at;
        f = sf_flow_create(&(sf_flow_desc){
            .device = device, .heap = counting(0),
            .workers = { { .count = 3, .name = "radar" }, { .count = 2, .name = "camera", .cpus = "0" } } });
        if (f) {
            sf_op a = add_source(f, count_up, 10, 0);
            sf_op b = add_sink(f, take_value, NULL, 0, 1);
            sf_result r;
            sf_flow_connect(f, a, NULL, b, NULL, NULL);
            r = sf_flow_start(f);
            if (r >= 0) { r = sf_flow_wait(f, GUARD); }
            more = r < 0;
            if (more) { CHECK_IS(r, SF_ERROR_OUT_OF_MEMORY); }
            (void)sf_flow_destroy(f);
        }
        CHECK_EQUAL(heaps[0].live, 0);
    }
    CHECK(!more);
}
static void in_memory_handed_in(void **state)                /* no heap, then or later: any graph */
{
    const uint32_t seeds = on_cuda() ? 10 : 20 + test_seeds() / 100;
    (void)state;
    logs = (uint32_t *)test_memory(device, NODES * LOGS * PROBE * sizeof *logs);
    FOR_SEEDS(i, seeds) {
        rng r = rng_seed(i);
        sf_flow_desc d;
        int group_of[CREWS];
        char who[64];
        long before;
        draw(&graph_one, 5000000 + i, i & 1);
        run_graph(&graph_one, &(sf_flow_desc){ .name = "alone" }, NULL, true, 0, &wanted);
        draw_crews(&r, &d, group_of, who, sizeof who);
        d.name = "alone";
        if (group_of[1] == 0) {
            for (int k = 0; k < graph_one.count; k++) { graph_one.nodes[k].crew = 0; }
        }
        d.metadata_entries = graph_one.entries;
        d.limits.ops = (uint32_t)graph_one.count;
        d.limits.edges = (uint32_t)(graph_one.link_count + graph_one.count); /* and the turns */
        for (int k = 0; k < graph_one.link_count; k++) {
            d.limits.messages += wanted.link[k].capacity + graph_one.links[k].desc.delay;
            d.limits.payload_bytes += BYTES * (size_t)(wanted.link[k].capacity + 2);
        }
        d.limits.payload_bytes += 2 * BYTES * NODES * SENT;
        if (!(i & 1)) { d.limits.payload_bytes = 0; }
        d.device = device;
        d.memory.bytes = sf_flow_memory(&d);
        CHECK(d.memory.bytes > 0);
        d.memory.ptr = aligned_alloc(16, (d.memory.bytes + 15) & ~(size_t)15);
        d.heap = counting(0);
        memset(heaps, 0, sizeof heaps);
        before = __atomic_load_n(&library.mallocs, __ATOMIC_RELAXED);
        run_graph(&graph_one, &d, group_of, i % 3 == 0, i, &seen_outcome);
        same(&graph_one, &wanted, &seen_outcome, who);
        CHECK_EQUAL(heaps[0].total, 0);
        if (!(i & 1)) { CHECK_EQUAL(__atomic_load_n(&library.mallocs, __ATOMIC_RELAXED), before); }
        free(d.memory.ptr);
    }
    CHECK_OK(sf_mem_free(device, logs));
}

/* -- times -- */

static struct { int64_t first, period; uint32_t count, wrong; } beats[4];    /* each touched by its operator alone */
static sf_result beat(sf_context *ctx)                       /* says when it ran; slow: a hasty clock shows */
{
    int i = id_of(ctx);
    int64_t now = sf_flow_now(ctx->flow);
    beats[i].wrong += now != (int64_t)ctx->run * beats[i].period;
    beats[i].count++;
    if (ctx->run % 8 == 0) { usleep(200); }
    return sf_emit_value(ctx, 0, number(now));
}
static sf_result same_time(sf_context *ctx)
{
    int64_t then = sf_receive_value(ctx, 0).i64;
    if (sf_flow_now(ctx->flow) != then) { test_add(&disorder, 1); }
    if (ctx->run % 8 == 3) { usleep(200); }
    /* It may not go on while somebody computes. */
    if (sf_flow_now(ctx->flow) != then) { test_add(&disorder, 1); }
    return id_of(ctx) ? sf_emit_value(ctx, 0, number(then)) : SF_OK;
}
static void periods_of_a_simulated_clock(void **state)
{
    static const int64_t periods[] = { 3, 5, 7, 3 };
    (void)state;
    for (uint32_t k = 0; k < 2 * COUNT(crews); k++) {
        sf_flow_desc d = { .device = device, .clock.simulated = true,
                           .workers = { { .count = crews[k / 2] }, { .count = 1, .spin = -1 }, { .count = 2 } } };
        sf_flow *f;
        if (k & 1) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 2 % COUNT(all_kinds)], 2);
        }
        f = sf_flow_create(&d);
        disorder = 0;
        memset(beats, 0, sizeof beats);
        for (int i = 0; i < 4; i++) {
            sf_op a, b, c;
            beats[i].period = periods[i];
            a = sf_flow_add(f, &(sf_op_desc){ .compute = beat, .user = &ids[i], .out = { OUT("out") }, .count = 40,
                                         .period = periods[i], .workers = k & 1 ? 0 : i % 3 });
            b = sf_flow_add(f, &(sf_op_desc){ .compute = same_time, .user = &ids[1], .in = { IN("in") },
                                         .out = { OUT("out") }, .workers = k & 1 ? 0 : (i + 1) % 3 });
            c = add_sink(f, same_time, &ids[0], 0, k & 1 ? 0 : (i + 2) % 3);
            connect(f, a, b);
            connect(f, b, c);
        }
        for (uint32_t again = 1; again < 3; again++) {
            ends(f, SF_OK);
            CHECK_EQUAL(disorder, 0);
            for (int i = 0; i < 4; i++) {
                CHECK_EQUAL(beats[i].wrong, 0);
                CHECK_EQUAL(beats[i].count, 40 * again);
            }
        }
        destroy(f);
        if (k & 1) { jobs_end(); }
    }
}
static sf_result take_all(sf_context *ctx)                   /* time * 100 + how many there were on all ports */
{
    int n = 0;
    for (int p = 0; p < 3; p++) {
        while (sf_available(ctx, p)) { (void)sf_receive_value(ctx, p), n++; }
    }
    return note_down(5, sf_flow_now(ctx->flow) * 100 + n), SF_OK;
}
static void messages_of_several_ports(void **state)          /* 3 on x and y together; z as ever */
{
    static const struct { int64_t period; uint64_t count; const char *port; } sources[] = {
        { 10, 6, "x" }, { 25, 3, "y" }, { 1, 3, "z" }
    };
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .clock.simulated = true, .workers = { { .count = crews[k] }, { .count = 1 } } });
        sf_op c = sf_flow_add(
            f, &(sf_op_desc){ .compute = take_all, .workers = 1,
                              .in = { { .name = "x", .capacity = 4 }, { .name = "y", .capacity = 4 }, IN("z") },
                              .when = { { .kind = SF_CONDITION_MESSAGES, .ports = 3, .count = 3 } } });
        notes_clear();
        for (size_t i = 0; i < COUNT(sources); i++) {
            sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .out = { OUT("out") },
                                               .period = sources[i].period, .count = sources[i].count });
            CHECK_OK(sf_flow_connect(f, a, NULL, c, sources[i].port, NULL));
        }
        ends(f, SF_OK);
        CHECK_NOTES(5, 10 * 100 + 4, 30 * 100 + 4, 50 * 100 + 4);
        destroy(f);
    }
}
static void a_longest_duration(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(
            &(sf_flow_desc){ .device = device, .clock.simulated = true, .max_duration = SF_MS(10),
                             .workers = { { .count = crews[k] }, { .count = 1 } } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .period = SF_MS(3) });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .period = SF_MS(4), .workers = 1 });
        ends(f, SF_OK);
        CHECK_EQUAL(runs_of(f, a), 4);                       /* at 0, 3, 6, 9 ms */
        CHECK_EQUAL(runs_of(f, b), 3);
        destroy(f);
    }
}
/* The time is up for a flow that always has something to do, too, and waits for none of what it could still do. */
static void a_longest_duration_of_jobs(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * COUNT(all_kinds); k++) {
        sf_flow_desc d = { .device = device, .max_duration = SF_MS(20) };
        sf_flow *f;
        sf_op a;
        set_jobs(&d);
        jobs_begin(all_kinds[k / 2], 2);
        f = sf_flow_create(&d);
        if (k & 1) {                         /* nothing to do, but it waits for a time beyond the end */
            sf_flow_add(f, &(sf_op_desc){ .compute = nothing,
                                          .when = { { .kind = SF_CONDITION_TIME, .ns = INT64_MAX - 1 } } });
        } else {
            a = add_source(f, count_up, 0, 0);
            connect(f, a, add_sink(f, take_value, NULL, 0, 0));
        }
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
        jobs_end();
    }
}
static sf_result note_time(sf_context *ctx) { return note_down(id_of(ctx), sf_flow_now(ctx->flow)), SF_OK; }
static void times_of_a_real_clock(void **state) /* not too early; how late is not this test's business */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = flow_with(crews[k], 1);
        int64_t before;
        notes_clear();
        for (int i = 0; i < 2; i++) {
            sf_flow_add(f, &(sf_op_desc){ .compute = note_time, .user = &ids[i], .period = SF_MS(1 + i), .count = 4,
                                     .workers = i });
        }
        before = sf_flow_now(NULL);
        ends(f, SF_OK);
        for (int i = 0; i < 2; i++) {
            long long at[4];
            CHECK_EQUAL(notes_of(i, at, 4), 4);
            for (int n = 0; n < 4; n++) { CHECK(at[n] - before >= SF_MS(1 + i) * n); }
        }
        destroy(f);
    }
}

/* -- the GPU -- */

static uint32_t *gpu_gate;
static sf_result paint_behind_the_gate(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    test_gate(s, gpu_gate, (uint32_t)ctx->run + 1);
    paint(s, t->data, NULL, NULL, 70 + (uint32_t)ctx->run, 100);
    return sf_emit(ctx, 0, t);
}
static sf_result paint_slowly(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 1 + (uint32_t)ctx->run, 20000 * (uint32_t)(ctx->run & 3));
    return sf_emit(ctx, 0, t);
}
static sf_result read_by_cpu(sf_context *ctx)
{
    const uint32_t *w = (const uint32_t *)sf_receive(ctx, 0)->data;
    note_down(1, w[0] == w[WORDS - 1] ? (long long)w[0] : -1);
    return SF_OK;
}
/* Who waits for the GPU waits alone: for a message's work, or for a block that the GPU has. */
static void the_gpu_holds_up_who_needs_it(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 3 * COUNT(crews); k++) {
        sf_flow_desc d = { .device = device, .workers = { { .count = crews[k / 3] }, { .count = k % 3 == 1 } } };
        sf_mem_pool *blocks;
        sf_flow *f;
        sf_op a, b, other, end;
        if (k % 3 == 2) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 3 % COUNT(all_kinds)], 2);
        }
        blocks = pool_of(1, SF_MEMORY_PINNED);
        gpu_gate = (uint32_t *)test_memory(device, 64);
        notes_clear();
        f = sf_flow_create(&d);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = paint_behind_the_gate, .count = 3,
                                     .out = { { .name = "out", .bytes = BYTES, .pool = blocks } } });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = read_by_cpu, .in = { { .name = "in", .capacity = 2 } },
                                     .when = { { .kind = SF_CONDITION_STREAM } }, .workers = k % 3 == 1 });
        other = add_source(f, count_up, 500, 0);
        end = add_sink(f, take_value, NULL, 0, 0);
        connect(f, a, b);
        connect(f, other, end);
        CHECK_OK(sf_flow_start(f));
        runs_reach(f, end, 500);
        for (uint32_t n = 0; n < 3; n++) {
            CHECK_EQUAL(runs_of(f, b), n);
            runs_reach(f, a, n + 1);
            CHECK_EQUAL(runs_of(f, a), n + 1);               /* there is but one block */
            test_store(gpu_gate, n + 1);
            runs_reach(f, b, n + 1);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_NOTES(1, 70, 71, 72);
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(blocks));
        CHECK_OK(sf_mem_free(device, gpu_gate));
        if (k % 3 == 2) { jobs_end(); }
    }
}
static void waiting_for_the_gpu_is_no_deadlock(void **state) /* all sleep, but for a kernel */
{
    (void)state;
    for (uint32_t k = 0; k < 8 * COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device,
            .workers = { { .count = crews[k / 8], .spin = -1 }, { .count = 3, .spin = k & 1 ? -1 : 0 } } });
        sf_op a, b;
        notes_clear();
        for (int i = 0; i < 2; i++) {
            a = sf_flow_add(f, &(sf_op_desc){ .compute = paint_slowly, .count = 25, .workers = i,
                                         .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
            b = sf_flow_add(f, &(sf_op_desc){ .compute = read_by_cpu, .workers = k / 4 & 1,
                                         .in = { { .name = "in", .capacity = 1 + k / 2 % 3 } },
                                         .when = { { .kind = SF_CONDITION_STREAM } } });
            connect(f, a, b);
        }
        ends(f, SF_OK);
        CHECK_EQUAL(note_count, 50);
        for (uint32_t i = 0; i < 50; i++) { CHECK(notes[i].what > 0 && notes[i].what <= 25); }
        destroy(f);
    }
}
static int hold_host(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    test_store(&held, 1);
    (void)comes(&gate, 1);
    return 0;
}
static const sf_kernel hold_kernel = { .name = "hold", .host = hold_host };
static sf_stream *side[2];
static sf_result wait_for_side(sf_flow *which) { return sf_stream_synchronize(side[which != NULL], GUARD); }
/* Two workers on a device that runs all in order: one runs a command, the other waits for what is behind it. */
static void a_device_in_order_used_by_two(void **state)
{
    (void)state;
    for (uint32_t o = 1; o < order_count(); o++) {
        sf_device *in_order = open_order(o, o);
        uint32_t *word = (uint32_t *)test_memory(in_order, 64);
        sf_event *e = test_event(in_order);
        call *c[2];
        held = gate = 0;
        for (int i = 0; i < 2; i++) { side[i] = test_stream(in_order); }
        CHECK_OK(sf_launch(side[0], &hold_kernel, NULL, 0));
        c[0] = call_begin(wait_for_side, NULL);
        until(&held, 1);
        CHECK_OK(sf_event_record(e, side[0], 0));
        CHECK_OK(sf_stream_wait_event(side[1], e, 0));
        CHECK_OK(test_mix(side[1], word, NULL, 1, 1, 5, 0));
        c[1] = call_begin(wait_for_side, (sf_flow *)(void *)word);
        usleep(2000);                                        /* for it to find nothing; without, this proves less */
        test_store(&gate, 1);
        for (int i = 0; i < 2; i++) { CHECK_OK(call_end(c[i])); }
        CHECK_EQUAL(*word, 5);
        test_close(in_order);
    }
}
static sf_op retried_op;
static uint32_t retrying;
static sf_result paint_two(sf_context *ctx)                  /* the second one behind the gate */
{
    if (ctx->run && comes(&retrying, 1) < 0) { return (sf_result)TOO_LATE; }     /* else both wait for the GPU */
    if (ctx->run) { test_gate(sf_compute_stream(ctx), gpu_gate, 1); }
    return create_and_paint(ctx);
}
static sf_result fail_when_there_is_more(sf_context *ctx)    /* once, when the next message has come */
{
    sf_edge_info e = { 0 };
    if (ctx->run) { return read_by_cpu(ctx); }
    test_store(&retrying, 1);
    for (int i = 0; i < 60000 && e.messages < 2; i++) {
        (void)sf_op_get_edge_info(ctx->flow, retried_op, 0, 0, &e);
        usleep(100);
    }
    if (test_add(&arrived, 1) == 0) { return SF_ERROR_USER; }
    return read_by_cpu(ctx);
}
/* The GPU is not done with the second message: the first one's compute is tried again all the same. */
static void tried_again_with_what_it_had(void **state)
{
    (void)state;
    for (size_t k = 1; k < COUNT(crews); k++) {
        sf_flow *f = flow_of(crews[k]);
        sf_op a;
        gpu_gate = (uint32_t *)test_memory(device, 64);
        notes_clear();
        arrived = retrying = 0;
        a = sf_flow_add(f, &(sf_op_desc){ .compute = paint_two, .count = 2,
                                     .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
        retried_op = sf_flow_add(f, &(sf_op_desc){ .compute = fail_when_there_is_more,
                                              .in = { { .name = "in", .capacity = 2 } },
                                              .when = { { .kind = SF_CONDITION_STREAM } },
                                              .on_error = SF_ON_ERROR_RETRY, .retries = 1 });
        connect(f, a, retried_op);
        CHECK_OK(sf_flow_start(f));
        for (int i = 0; i < 5000 && runs_of(f, retried_op) < 1; i++) { usleep(1000); }
        CHECK_EQUAL(runs_of(f, retried_op), 1);
        test_store(gpu_gate, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_NOTES(1, 1, 2);
        CHECK_EQUAL(arrived, 2);
        (void)sf_flow_destroy(f);
        CHECK_OK(sf_mem_free(device, gpu_gate));
    }
}
static sf_tensor *kept;
static uint32_t kept_count;
static sf_result keep_it(sf_context *ctx)
{
    kept = sf_tensor_retain(sf_receive(ctx, 0));
    test_add(&kept_count, 1);
    return SF_OK;
}
static void memory_comes_back_from_outside(void **state)     /* a release on another thread wakes who waits for it */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){
            .device = device, .workers = { { .count = crews[k], .spin = -1 } }, .deadlock_timeout = -1 });
        sf_mem_pool *blocks;
        sf_op a, b;
        blocks = pool_of(1, SF_MEMORY_DEVICE);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = create_and_paint, .count = 200,
                                     .out = { { .name = "out", .bytes = BYTES, .pool = blocks } } });
        b = add_sink(f, keep_it, NULL, 0, 0);
        connect(f, a, b);
        kept_count = 0;
        CHECK_OK(sf_flow_start(f));
        for (uint32_t i = 1; i <= 200; i++) {
            sf_tensor *t;
            answered(&kept_count, i);
            t = kept;
            sf_tensor_release(t);
        }
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
        CHECK_OK(sf_mem_pool_destroy(blocks));
    }
}
static void release_kept(const char *place)
{
    sf_tensor *t;
    if (strcmp(place, "pool ends") || !kept) { return; }     /* device threads call, too, at places of their own */
    t = kept;
    kept = NULL;
    sf_tensor_release(t);
}
static void the_last_tensor_of_a_pool_that_ends(void **state) /* comes back right then: either frees it, not both */
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        sf_flow *f = flow_of(0);
        sf_mem_pool *blocks = given ? pool_of(2, SF_MEMORY_DEVICE) : NULL, *more[100];
        sf_counters before, after;
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = create_and_paint, .count = 1,
                                           .out = { { .name = "out", .bytes = BYTES, .pool = blocks } } });
        connect(f, a, add_sink(f, keep_it, NULL, 0, 0));
        CHECK_OK(sf_device_get_counters(device, &before));
        at_step = given ? NULL : release_kept;
        ends(f, SF_OK);                      /* which is the end of a pool of the flow's own */
        at_step = release_kept;
        if (given) { CHECK_OK(sf_mem_pool_destroy(blocks)); }
        at_step = NULL;
        CHECK(!kept);
        destroy(f);
        CHECK_OK(sf_device_get_counters(device, &after));
        CHECK_EQUAL(after.live_bytes, before.live_bytes - (given ? 2 * BYTES : 0));
        for (uint32_t i = 0; i < COUNT(more); i++) {         /* its place is free once */
            more[i] = pool_of(1, SF_MEMORY_DEVICE);
            for (uint32_t k = 0; k < i; k++) { CHECK(more[k] != more[i]); }
        }
        for (uint32_t i = 0; i < COUNT(more); i++) { CHECK_OK(sf_mem_pool_destroy(more[i])); }
    }
}
static sf_result wrap_more(sf_context *ctx)  /* at a time than ever: headers from the flow's heap */
{
    static char byte;
    sf_tensor *t[64];
    uint32_t n = 0;
    usleep(50);                              /* others ask meanwhile */
    for (; n < COUNT(t) && n < 2 + ctx->run; n++) {
        t[n] = sf_tensor_wrap(ctx->flow,
                              &(sf_tensor_desc){ .data = &byte, .memory = SF_MEMORY_HOST, .shape = { 1 } });
    }
    while (n--) { sf_tensor_release(t[n]); }
    return SF_OK;
}
typedef struct asked { sf_flow *flow; sf_op first; } asked;
static void *ask_to_its_end(void *arg)
{
    const asked *a = (const asked *)arg;
    sf_flow *f = a->flow;
    sf_flow_info info = { .running = true };
    for (uint32_t i = 0; info.running; i++) {
        sf_op_info of;
        for (uint32_t k = 0; sf_op_get_info(f, (sf_op){ a->first.id + k }, &of) == SF_OK; k++) {}
        if (sf_flow_get_info(f, &info) < 0) { break; }
        if (i == 20) { (void)sf_flow_stop(f); }
    }
    return NULL;
}
static void asked_to_its_end(void **state)   /* what waits for memory, and how much there is; for ThreadSanitizer */
{
    static uint64_t block[1 << 15];
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        sf_flow_desc d = { .deadlock_timeout = -1 };
        sf_flow *f;
        asked all;
        pthread_t thread;
        if (fixed) {
            d.limits.ops = 2, d.limits.edges = 1, d.limits.messages = 32;
            d.memory.ptr = block, d.memory.bytes = sizeof block;
        } else {
            d.device = device;
        }
        f = sf_flow_create(&d);
        if (fixed) {
            all.first = sf_flow_add(f, &(sf_op_desc){ .compute = wrap_more });
        } else {
            all.first = sf_flow_add(f, &(sf_op_desc){ .compute = create_and_paint,
                                                 .out = { { .name = "out", .bytes = BYTES } } });
            connect(f, all.first, add_sink(f, keep_it, NULL, 0, 0));
        }
        all.flow = f;
        CHECK_OK(sf_flow_start(f));
        CHECK(pthread_create(&thread, NULL, ask_to_its_end, &all) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK_OK(sf_flow_wait(f, GUARD));
        kept = NULL;                         /* goes with the flow */
        destroy(f);
    }
}
static sf_result trap_at_five(sf_context *ctx)
{
    sf_stream *s = sf_compute_stream(ctx);
    if (ctx->run == 5) { sf_launch(s, &trap_kernel, NULL, 0); }
    return create_and_paint(ctx);
}
static void a_fault_of_the_gpu_ends_the_flow(void **state)   /* and nobody hangs */
{
    (void)state;
    if (on_cuda()) { return; }                               /* the whole process would be lost */
    for (uint32_t k = 0; k < 2 * COUNT(crews); k++) {
        sf_flow_desc d = { .workers = { { .count = crews[k / 2] }, { .count = 1 } } };
        sf_flow *f;
        sf_result r;
        d.device = test_open();
        if (k & 1) {
            set_jobs(&d);
            jobs_begin(all_kinds[k / 2 % COUNT(all_kinds)], 2);
        }
        f = sf_flow_create(&d);
        connect(f,
                sf_flow_add(f, &(sf_op_desc){ .compute = trap_at_five,
                                              .out = { { .name = "out", .bytes = BYTES } } }),
                sf_flow_add(f, &(sf_op_desc){ .compute = take_tensor, .in = { IN("in") }, .workers = k & 1 ? 0 : 1,
                                         .when = { { .kind = SF_CONDITION_STREAM } } }));
        r = start_and_wait(f, 0);
        CHECK(r < 0);
        CHECK_IS(sf_flow_destroy(f), r);
        (void)sf_device_close(d.device, GUARD);
        if (k & 1) { jobs_end(); }
    }
}

/* -- tasks that are under way when it ends -- */

static void stopped_with_tasks_under_way(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 12 * COUNT(all_kinds); k++) {
        sf_flow_desc d = { .device = device };
        sf_flow *f;
        sf_op a;
        set_jobs(&d);
        jobs_begin(all_kinds[k % COUNT(all_kinds)], 1 + (int)(k / COUNT(all_kinds) % 4));
        f = sf_flow_create(&d);
        a = endless(f, 4, 1);
        CHECK_OK(sf_flow_start(f));
        if (k % 3) { runs_reach(f, a, k); }
        if (k % 3 == 2) {
            CHECK_OK(within(sf_flow_destroy, f));
            CHECK_EQUAL(test_load(&too_late), 0);
        } else {
            CHECK_OK(sf_flow_stop(f));
            is_over(f, SF_OK);
            destroy(f);
        }
        jobs_end();
    }
}
static sf_result begun_hold(sf_context *ctx)   { return test_add(&begun, 1), hold(ctx); }
static sf_result begun_meet(sf_context *ctx)   { return test_add(&begun, 1), meet(ctx); }
static sf_result begun_source(sf_context *ctx) { return test_add(&begun, 1), source_before_the_end(ctx); }
static sf_result begun_sink(sf_context *ctx)   { return test_add(&begun, 1), sink_before_the_end(ctx); }
static void a_long_task_holds_up_nobody(void **state)        /* but for the end */
{
    sf_flow_desc d = { .device = device };
    sf_flow *f;
    sf_op a;
    (void)state;
    set_jobs(&d);
    jobs_begin(JOBS_BEGUN, 3);
    f = sf_flow_create(&d);
    held = gate = over = too_late = 0;
    sf_flow_add(f, &(sf_op_desc){ .compute = begun_hold, .priority = -1 });
    a = add_source(f, begun_source, 0, 0);
    connect(f, a, add_sink(f, begun_sink, NULL, 2, 0));
    CHECK_OK(sf_flow_start(f));
    until(&held, 1);
    runs_reach(f, a, 50);
    CHECK_OK(sf_flow_stop(f));
    CHECK_IS(sf_flow_wait(f, SF_MS(1)), SF_TIMEOUT);
    test_store(&gate, 1);
    is_over(f, SF_OK);
    destroy(f);
    jobs_end();
}
static void as_many_tasks_at_once_as_threads(void **state)   /* of the pool: they meet inside their computes */
{
    (void)state;
    for (size_t k = 0; k < COUNT(crews); k++) {
        sf_flow_desc d = { .device = device };
        sf_flow *f;
        set_jobs(&d);
        jobs_begin(JOBS_BEGUN, crews[k]);
        f = sf_flow_create(&d);
        arrived = 0;
        crowd = (uint32_t)crews[k];
        for (int i = 0; i < crews[k]; i++) {
            sf_flow_add(f, &(sf_op_desc){ .compute = begun_meet, .user = &ids[i], .count = 3 });
        }
        ends(f, SF_OK);
        destroy(f);
        jobs_end();
    }
}
static void a_long_chain_that_runs_at_once(void **state)     /* inside enqueue(): no deeper for a longer run */
{
    sf_flow_desc d = { .device = device };
    sf_flow *f;
    sf_op a, b;
    (void)state;
    set_jobs(&d);
    jobs_begin(JOBS_AT_ONCE, 0);
    f = sf_flow_create(&d);
    a = sf_flow_add(f, &(sf_op_desc){ .compute = hop, .in = { IN("in") }, .out = { OUT("out") }, .count = 20000 });
    b = add_pass(f, hop, 0);
    connect(f, a, b);
    CHECK_OK(sf_flow_connect(f, b, NULL, a, NULL, &(sf_edge_desc){ .delay = 1 }));
    ends(f, SF_OK);
    CHECK_EQUAL(runs_of(f, a), 20000);
    destroy(f);
    jobs_end();
}

/* An operator whose condition has said NEVER, however late, does not run again. */
static struct { uint32_t runs, limit, never, after; } said;
static sf_readiness never_after(void *user, int64_t now, int64_t *wake)
{
    (void)user, (void)now, (void)wake;
    if (__atomic_load_n(&said.runs, __ATOMIC_SEQ_CST) < said.limit) { return SF_READY; }
    usleep(200);                             /* who helps its worker waits for the lock meanwhile */
    __atomic_store_n(&said.never, 1, __ATOMIC_SEQ_CST);
    return SF_NEVER;
}
static sf_result run_until_never(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    usleep(30);                              /* so it is helped */
    said.after += __atomic_load_n(&said.never, __ATOMIC_SEQ_CST);
    (void)__atomic_fetch_add(&said.runs, 1, __ATOMIC_SEQ_CST);
    return SF_OK;
}
static void never_is_never(void **state)
{
    (void)state;
    nap_at = "find";
    for (uint32_t k = 0; k < 200; k++) {
        sf_flow *f = flow_of(2 + (int32_t)(k % 2));
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = run_until_never,
                                                .in = { { .name = "in", .capacity = 1 + k % 3 } },
                                           .when = { { .kind = SF_CONDITION_USER, .custom.check = never_after } } });
        memset(&said, 0, sizeof said);
        said.limit = 1 + k % 7;
        connect(f, add_source(f, count_up, 40, 0), b);
        CHECK_OK(sf_flow_run(f));
        CHECK_EQUAL(said.after, 0);
        CHECK_EQUAL(runs_of(f, b), said.limit);
        destroy(f);
    }
    nap_at = NULL;
}
/* What comes while a compute runs that leaves all is news to it: with jobs, and with threads that share the operators,
   over an edge that is a link and one that is none. The source waits for the first compute of the sink. */
typedef struct meeting { uint32_t inside, sent, got; bool tasks; } meeting;
static sf_result send_meanwhile(sf_context *ctx)
{
    meeting *m = ctx->user;
    if (ctx->run == 1) { while (!test_load(&m->inside)) { sched_yield(); } }
    return sf_emit_value(ctx, 0, number(1));
}
static sf_result leave_the_first_time(sf_context *ctx)
{
    meeting *m = ctx->user;
    if (!ctx->run) {
        (void)test_add(&m->inside, 1);
        /* Until the source's commits are over, and both operators were looked at. A task system whose threads begin late
           is helped out: the worker waits for this compute, and commits nothing meanwhile. Then this proves nothing. */
        for (int i = 0; test_load(&m->sent) < 2 && (!m->tasks || i < 1000); i++) { usleep(1000); }
        return SF_OK;
    }
    for (; sf_available(ctx, 0); m->got++) { (void)sf_receive_value(ctx, 0); }
    return SF_OK;
}
static sf_result say_sent(sf_context *ctx)
{
    meeting *m = ctx->user;
    (void)sf_receive_value(ctx, 0);
    (void)test_add(&m->sent, 1);
    return SF_OK;
}
static void news_during_a_compute(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        meeting m = { .tasks = k / 2 };
        sf_flow_desc d = { .device = device, .workers = { { .count = 3 } } };
        sf_flow *f;
        sf_op a, b, c;
        if (m.tasks) {
            set_jobs(&d);
            jobs_begin(JOBS_THREADS, 3);
        }
        f = sf_flow_create(&d);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = send_meanwhile, .user = &m, .out = { OUT("out") }, .count = 2 });
        b = sf_flow_add(f, &(sf_op_desc){ .compute = leave_the_first_time, .user = &m,
                                          .in = { { .name = "in", .capacity = 4 } } });
        c = sf_flow_add(f, &(sf_op_desc){ .compute = say_sent, .user = &m, .in = { { .name = "in", .capacity = 4 } } });
        CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){
            .overflow = k % 2 ? SF_OVERFLOW_DROP_NEWEST : SF_OVERFLOW_BLOCK }));
        connect(f, a, c);
        ends(f, SF_OK);
        CHECK_EQUAL(m.got, 2);
        destroy(f);
        if (m.tasks) { jobs_end(); }
    }
}
/* A compute may emit to an edge that drops the newest as much as it holds, and one more, also if room comes
   meanwhile. */
static sf_result emit_beyond_the_limit(sf_context *ctx)
{
    meeting *m = ctx->user;
    uint32_t emitted = 0;
    for (int i = 0; !ctx->run && i < 4; i++) { CHECK_OK(sf_emit_value(ctx, 0, number(i))); }
    if (!ctx->run) { return SF_OK; }
    while (emitted < 3 && sf_emit_value(ctx, 0, number(1)) == SF_OK) { emitted++; }      /* refused: the queue is full */
    __atomic_store_n(&m->sent, 1, __ATOMIC_RELEASE);
    while (!test_load(&m->inside)) { sched_yield(); }
    usleep(20000);                           /* for its commit; without, this proves less */
    while (emitted < 7 && sf_emit_value(ctx, 0, number(1)) == SF_OK) { emitted++; }
    test_store(&m->got, emitted);
    return SF_DONE;
}
static sf_result take_all_when_sent(sf_context *ctx)
{
    meeting *m = ctx->user;
    while (!test_load(&m->sent)) { sched_yield(); }
    while (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); }
    (void)test_add(&m->inside, 1);
    return SF_OK;
}
static void emits_are_counted_on_the_newest(void **state)
{
    meeting m = { 0 };
    sf_flow_desc d = { .device = device, .workers = { { .count = 1 }, { .count = 1 } } };
    sf_flow *f = sf_flow_create(&d);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = emit_beyond_the_limit, .user = &m, .out = { OUT("out") },
                                            .on_error = SF_ON_ERROR_IGNORE });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = take_all_when_sent, .user = &m, .workers = 1,
                                            .in = { { .name = "in", .capacity = 4, .batch = 4 } } });
    (void)state;
    CHECK_OK(sf_flow_connect(f, a, NULL, b, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_DROP_NEWEST }));
    CHECK_OK(sf_flow_start(f));
    for (int i = 0; i < 60000 && !test_load(&m.got); i++) { usleep(1000); }
    CHECK_EQUAL(test_load(&m.got), 5);
    CHECK_OK(sf_flow_stop(f));
    CHECK(sf_flow_wait(f, GUARD) != SF_TIMEOUT);
    destroy(f);
}
/* While one thread runs it, no other may step it. */
static sf_result wait_for_the_word(sf_context *ctx)
{
    uint32_t *word = ctx->user;
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != 2) { sched_yield(); }
    return SF_OK;
}
static void *run_the_flow(void *f) { return (void *)(intptr_t)sf_flow_run(f); }
static void stepped_beside_a_run(void **state)
{
    uint32_t word = 0;
    pthread_t thread;
    void *r;
    sf_flow *f = flow_of(0);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .compute = wait_for_the_word, .user = &word, .count = 1 });
    (void)state;
    CHECK(!pthread_create(&thread, NULL, run_the_flow, f));
    while (!__atomic_load_n(&word, __ATOMIC_ACQUIRE)) { sched_yield(); }
    CHECK_IS(sf_flow_step(f, NULL), SF_ERROR_ILLEGAL_STATE);
    CHECK(strstr(sf_flow_failure(f)->text, "sf_flow_run") != NULL);
    __atomic_store_n(&word, 2, __ATOMIC_RELEASE);
    CHECK(!pthread_join(thread, &r));
    CHECK_IS((sf_result)(intptr_t)r, SF_OK);
    CHECK_EQUAL(runs_of(f, a), 1);
    destroy(f);
}
/* A logger makes all calls that it may make, from wherever it is called: behind a compute that fails, at an end with
   messages left, in a commit and in a condition that meet a fault. */
static struct { sf_flow *flow; sf_op op; uint32_t calls, inside; bool stops; } back;
static void call_back(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                      const char *file, void *user)
{
    sf_flow_info flow;
    sf_op_info op;
    sf_edge_info edge;
    sf_latency latency;
    sf_flow *f;
    (void)tag, (void)level, (void)item, (void)message, (void)line, (void)file, (void)user;
    (void)test_add(&back.calls, 1);
    (void)__atomic_add_fetch(&back.inside, 1, __ATOMIC_SEQ_CST);
    f = __atomic_load_n(&back.flow, __ATOMIC_SEQ_CST);
    if (f) {
        (void)sf_flow_get_info(f, &flow);
        (void)sf_flow_get_path(f, 0, &latency, NULL, 0);
        (void)sf_op_get_info(f, back.op, &op);
        (void)sf_op_get_edge_info(f, back.op, 0, 0, &edge);
        (void)sf_flow_now(f);
        (void)sf_flow_signal(f, back.op, 0, SF_READY);
        (void)sf_flow_push_value(f, back.op, 2, (sf_value){ .u64 = 1 });
        (void)sf_flow_pause(f, true);
        (void)sf_flow_pause(f, false);
        (void)sf_op_stop(f, back.op);
        (void)sf_flow_finish(f);
        if (back.stops) { (void)sf_flow_stop(f); }
    }
    (void)__atomic_sub_fetch(&back.inside, 1, __ATOMIC_SEQ_CST);
}
/* No call of the logger uses the flow any more: the device's logger may still run when the flow's run has ended. */
static void call_back_no_more(void)
{
    __atomic_store_n(&back.flow, NULL, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&back.inside, __ATOMIC_SEQ_CST)) { sched_yield(); }
}
static sf_result join_two(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0), (void)sf_receive_value(ctx, 1), (void)sf_receive_value(ctx, 1);
    return *(const bool *)ctx->user ? sf_fail(ctx, SF_ERROR_USER, "an odd pair") : SF_OK;
}
static void called_back_from_the_logger(void **state)
{
    static bool fails[2] = { false, true };
    (void)state;
    for (int k = 0; k < 12; k++) {
        sf_flow_desc d = { .device = device, .logger.func = call_back, .workers = { { .count = k % 3 } },
                           .track.latency = true };
        sf_flow *f = sf_flow_create(&d);
        back.flow = f;
        back.calls = 0;
        back.stops = k / 6;
        back.op = sf_flow_add(f, &(sf_op_desc){
            .compute = join_two, .user = &fails[k / 3 % 2], .on_error = SF_ON_ERROR_IGNORE,
            .in = { IN("left"), { .name = "right", .batch = 2 },
                    { .name = "more", .external = true, .optional = true } },
            .when = { { .kind = SF_CONDITION_SIGNAL, .initial = SF_READY, .latch = true } } });
        CHECK_OK(sf_flow_connect(f, add_source(f, count_up, 20, 0), NULL, back.op, "left", NULL));
        CHECK_OK(sf_flow_connect(f, add_source(f, count_up, 5, 0), NULL, back.op, "right", NULL));
        ends(f, SF_OK);
        CHECK(back.calls > 0);
        destroy(f);
    }
    back.flow = NULL;
}
static const sf_kernel *faulty_kernel(void);
static sf_result launch_a_fault(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = sf_launch(s, faulty_kernel(), NULL, 0);
    if (*(const bool *)ctx->user) { (void)sf_stream_synchronize(s, SF_FOREVER); }
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
static void called_back_at_a_fault(void **state)
{
    static bool early[2] = { false, true };  /* it is found by the commit; by the reader's condition */
    (void)state;
    for (int k = 0; k < 12; k++) {
        sf_logger logger = { call_back, NULL };
        sf_device *lost;
        sf_flow *f;
        sf_op a;
        sf_flow_desc d = { .workers = { { .count = k % 3 } } };
        back.flow = NULL;
        CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST, .logger = logger }, &lost));
        d.device = lost;
        d.logger = logger;
        f = sf_flow_create(&d);
        a = sf_flow_add(f, &(sf_op_desc){ .compute = launch_a_fault, .user = &early[k / 3 % 2], .count = 3,
                                         .out = { { .name = "out", .bytes = BYTES } } });
        back.op = sf_flow_add(f, &(sf_op_desc){ .compute = nothing, .in = { IN("in") },
                                                .when = { { .kind = SF_CONDITION_STREAM } } });
        connect(f, a, back.op);
        back.calls = 0;
        back.stops = k / 6;
        back.flow = f;
        CHECK_OK(sf_flow_start(f));
        CHECK(sf_flow_wait(f, GUARD) != SF_TIMEOUT);
        CHECK(test_load(&back.calls) > 0);
        call_back_no_more();
        CHECK(sf_flow_destroy(f) < 0);
        CHECK_IS(sf_device_close(lost, SF_FOREVER), SF_ERROR_LAUNCH_FAILED);
    }
}

/* Two threads run or check a flow that is wrong, or whose device has a fault: one is refused now and then. What is kept
   is why the other one failed. */
static int faulty_body(const sf_slice *slice, const void *args) { return (void)slice, (void)args, 719; }
static const sf_kernel *faulty_kernel(void)
{
    static const sf_kernel faulty = { .name = "faulty", .host = faulty_body };
    return &faulty;
}
static sf_result check_it(sf_flow *f) { return sf_flow_check(f, false, NULL, NULL); }
static void *fail_often(void *arg)
{
    call *c = (call *)arg;
    for (int i = 0; i < 300; i++) {
        sf_result r = c->func(c->flow);
        c->result = r != SF_ERROR_ILLEGAL_STATE ? r : c->result;
    }
    return NULL;
}
static void fails_as(sf_flow *f, sf_result (*other)(sf_flow *flow), sf_result want, const char *why)
{
    call a = { .func = sf_flow_run, .flow = f, .result = SF_OK }, b = { .func = other, .flow = f, .result = SF_OK };
    CHECK(!pthread_create(&a.thread, NULL, fail_often, &a) && !pthread_create(&b.thread, NULL, fail_often, &b));
    CHECK(!pthread_join(a.thread, NULL) && !pthread_join(b.thread, NULL));
    CHECK(a.result == want || b.result == want);
    CHECK_IS(sf_flow_failure(f)->result, want);
    if (!strstr(sf_flow_failure(f)->text, why)) { fail_msg("%s", sf_flow_failure(f)->text); }
    CHECK_IS(sf_flow_run(f), want);          /* all of its runs may have been refused */
}
static void log_slowly(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                       const char *file, void *user)
{
    (void)tag, (void)level, (void)item, (void)message, (void)line, (void)file, (void)user;
    sched_yield();
}
static void refused_while_another_fails(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .logger.func = log_slowly });
    sf_device *lost;
    sf_stream *s;
    (void)state;
    for (int i = 0; i < 8; i++) {
        sf_flow_add(f, &(sf_op_desc){ .name = "deaf", .compute = count_up, .in = { IN("ear") } });
    }
    fails_as(f, check_it, SF_ERROR_NOT_CONNECTED, "deaf");
    CHECK(sf_flow_destroy(f) < 0);
    CHECK_OK(sf_device_open(&(sf_device_desc){ .backend = SF_BACKEND_HOST }, &lost));
    f = sf_flow_create(&(sf_flow_desc){ .device = lost });
    sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .count = 1 });
    CHECK_OK(sf_stream_create(lost, NULL, &s));
    CHECK_OK(sf_launch(s, faulty_kernel(), NULL, 0));
    CHECK_IS(sf_stream_synchronize(s, SF_FOREVER), SF_ERROR_LAUNCH_FAILED);
    fails_as(f, sf_flow_run, SF_ERROR_LAUNCH_FAILED, "sf_flow_start: ");
    CHECK(sf_flow_destroy(f) < 0);
    CHECK_IS(sf_device_close(lost, SF_FOREVER), SF_ERROR_LAUNCH_FAILED);
}
/* An initialize hook says what an input takes, as another thread pushes to it already. */
static sf_result say_bytes(sf_context *ctx) { return sf_set_port_bytes(ctx, "in", BYTES); }
static sf_result take_a_value(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
typedef struct early { sf_flow *flow; sf_op op; uint32_t begun, refused; } early;
static void *push_until_refused(void *arg)
{
    early *p = (early *)arg;
    sf_result r = SF_OK;
    for (int64_t end = sf_flow_now(NULL) + GUARD; r != SF_ERROR_MISMATCH && sf_flow_now(NULL) < end;) {
        r = sf_flow_push_value(p->flow, p->op, 0, (sf_value){ .u64 = 1 });
        test_store(&p->begun, 1);
    }
    p->refused = r == SF_ERROR_MISMATCH;
    return NULL;
}
static void sized_while_pushed_to(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        pthread_t thread;
        sf_flow *f = flow_of(0);
        early p = { .flow = f };
        p.op = sf_flow_add(f, &(sf_op_desc){ .compute = take_a_value, .initialize = say_bytes,
                                             .in = { { .name = "in", .external = true } } });
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        CHECK(!pthread_create(&thread, NULL, push_until_refused, &p));
        answered(&p.begun, 1);
        CHECK_OK(sf_flow_start(f));
        CHECK(!pthread_join(thread, NULL));
        CHECK_EQUAL(p.refused, 1);
        CHECK_OK(sf_flow_finish(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        destroy(f);
    }
}

/* Destroying a flow ends though what is under way does not: SF_TIMEOUT, a line says who it is, and later it succeeds. */
static uint32_t never[2];                    /* the gate; whether it was reached */
static uint32_t *never_gate;                 /* in the device's memory */
static void stay(void)
{
    test_store(&never[1], 1);
    while (!test_load(&never[0])) { usleep(100); }
}
static sf_result stay_in_compute(sf_context *ctx) { return (void)ctx, stay(), SF_OK; }
static sf_result stay_in_hook(sf_context *ctx) { return (void)ctx, stay(), SF_OK; }
static sf_result launch_at_gate(sf_context *ctx)
{
    sf_result r = test_gate(sf_compute_stream(ctx), never_gate, 1);
    test_store(&never[1], 1);
    return r;
}
static struct { uint32_t lines, level; char text[512]; } tardy;
static void log_late(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                     const char *file, void *user)
{
    (void)tag, (void)item, (void)line, (void)file, (void)user;
    if (!message || !strstr(message, "the end of the run waits for")) { return; }
    snprintf(tardy.text, sizeof tardy.text, "%s", message);
    tardy.level = level;
    (void)test_add(&tardy.lines, 1);
}
static void a_destroy_leaves_behind_what_does_not_end(void **state)
{
    static const char *const names[] = { "a compute or hook of operator \"deaf\"",
                                         "a compute or hook of operator \"deaf\"",
                                         "kernel \"gate\" of operator \"deaf\" on stream \"deaf\"" };
    (void)state;
    for (uint32_t k = 0; k < 3 * 3; k++) {
        const uint32_t what = k % 3;
        const int32_t threads = (int32_t)(k / 3);
        sf_device *d = open_device();
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .workers = {{ .count = threads }},
                                                     .logger.func = log_late, .destroy_timeout = SF_MS(20) });
        never_gate = (uint32_t *)test_memory(d, 64);
        memset(&tardy, 0, sizeof tardy);
        test_store(&never[0], 0), test_store(&never[1], 0);
        (void)sf_flow_add(f, &(sf_op_desc){ .name = "deaf", .count = 1, .stop = what == 1 ? stay_in_hook : NULL,
                                            .compute = what == 0 ? stay_in_compute : what == 1 ? nothing : launch_at_gate });
        CHECK_OK(sf_flow_start(f));
        until(&never[1], 1);
        do { CHECK_IS(sf_flow_destroy(f), SF_TIMEOUT); } while (what == 2 && !test_load(&tardy.lines));
        CHECK_EQUAL(test_load(&tardy.lines), 1);
        CHECK_EQUAL(tardy.level, 2);
        if (!strstr(tardy.text, what == 2 && on_cuda() ? "operator \"deaf\"" : names[what])) { fail_msg("%s", tardy.text); }
        CHECK_IS(sf_flow_wait(f, SF_MS(1)), SF_TIMEOUT);     /* the flow is still there, and so is its device */
        CHECK_IS(sf_device_close(d, 0), SF_ERROR_ILLEGAL_STATE);
        test_store(&never[0], 1);
        test_store(never_gate, 1);
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(test_load(&tardy.lines), 1);
        destroy(f);
        test_close(d);
    }
}
/* A run that is stepped: the call that destroys it waits for the GPU, as long as the flow says. */
static void a_destroy_of_a_stepped_flow_has_a_deadline(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < order_count(); i++) {
        sf_device *d = open_order(i, i);
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .logger.func = log_late, .destroy_timeout = SF_MS(5) });
        never_gate = (uint32_t *)test_memory(d, 64);
        memset(&tardy, 0, sizeof tardy);
        test_store(&never[1], 0);
        (void)sf_flow_add(f, &(sf_op_desc){ .name = "deaf", .compute = launch_at_gate, .count = 2 });
        CHECK_OK(sf_flow_step(f, NULL));
        CHECK_IS(sf_flow_destroy(f), SF_TIMEOUT);
        CHECK_IS(sf_flow_destroy(f), SF_TIMEOUT);
        CHECK_EQUAL(test_load(&tardy.lines), 1);
        CHECK(strstr(tardy.text, "operator \"deaf\""));
        test_store(never_gate, 1);
        while (sf_flow_destroy(f) == SF_TIMEOUT) {}
        test_close(d);
    }
}

/* A thread of the library blocks signals, but not those of its own faults: workers, background threads, and the host
   device's threads for kernels and for host functions. The thread that starts them keeps its mask. */
enum { MASKS_OF = 7 };
static long long mask_now(void)              /* bit 0: a signal from outside may come; bit 1: one of a fault may not */
{
    static const int outside[] = { SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGPROF };
    sigset_t set;
    long long mask = 0;
    if (pthread_sigmask(SIG_BLOCK, NULL, &set)) { return -1; }
    for (uint32_t i = 0; i < COUNT(outside); i++) { mask |= !sigismember(&set, outside[i]); }
    return mask | sigismember(&set, SIGSEGV) << 1 | sigismember(&set, SIGFPE) << 1;
}
static int mask_of_kernel(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    return note_down(MASKS_OF, mask_now()), 0;
}
static void mask_of_host_func(void *user) { (void)user, note_down(MASKS_OF, mask_now()); }
static sf_result mask_of_compute(sf_context *ctx)
{
    static const sf_kernel kernel = { .name = "mask", .host = mask_of_kernel };
    sf_stream *s = sf_compute_stream(ctx);
    sf_result r = on_cuda() ? SF_OK : sf_launch(s, &kernel, NULL, 0);
    note_down(MASKS_OF, mask_now());
    return r < 0 || on_cuda() ? r : sf_launch_host_func(s, mask_of_host_func, NULL);
}
static void handlers_run_on_threads_of_the_user(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT(crews); i++) {
        long long got[256];
        uint32_t n;
        sf_device *d = open_device();
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .workers = { { .count = i ? crews[i] : 0 } } });
        long long before = mask_now();
        notes_clear();
        for (int k = 0; k < 4; k++) { (void)sf_flow_add(f, &(sf_op_desc){ .compute = mask_of_compute, .count = 4 }); }
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_EQUAL(before, 1);
        CHECK_EQUAL(mask_now(), before);
        n = notes_of(MASKS_OF, got, COUNT(got));
        CHECK_EQUAL(n, on_cuda() ? 16 : 48);
        for (uint32_t k = 0; k < n; k++) { CHECK_EQUAL(got[k], 0); }
        destroy(f);
        test_close(d);
    }
}

/* Workers of a host device that go idle look at its streams, under SF_DEBUG; a close waits until they have. */
static pthread_t closer;
static uint32_t looking, looked, freed_meanwhile;
static void look_long(const char *place)
{
    bool closes = pthread_equal(pthread_self(), closer) != 0;
    if (!closes && !strcmp(place, "validate stream")) {
        test_store(&looking, 1);
        looked++;                            /* with the device's lock */
        for (int i = 0; i < 8; i++) { sched_yield(); }
        test_store(&looking, 0);
    }
    if (closes && !strcmp(place, "device closes")) { sched_yield(); }
    if (closes && !strcmp(place, "device closed")) { freed_meanwhile += test_load(&looking); }
}
static void closed_beside_workers_that_go_idle(void **state)
{
    (void)state;
    if (on_cuda()) { skip(); }
    closer = pthread_self();
    looked = freed_meanwhile = 0;
    for (int round = 0; round < 100; round++) {
        sf_device *d;
        char bytes[8];
        at_step = look_long;                 /* the device has no threads yet, and below none any more */
        d = test_open_workers(4);
        for (int i = 0; i < 8; i++) { CHECK_OK(sf_memset_async(test_stream(d), &bytes[i], (uint8_t)i, 1)); }
        test_close(d);
        at_step = NULL;
        for (int i = 0; i < 8; i++) { CHECK_EQUAL(bytes[i], i); }
    }
    CHECK_EQUAL(freed_meanwhile, 0);
}

int main(int argc, char **argv)
{
    library.step = stumble;
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(as_many_at_once_as_workers), TEST(no_more_at_once_than_workers),
        TEST(handlers_run_on_threads_of_the_user), TEST(a_destroy_leaves_behind_what_does_not_end),
        TEST(a_destroy_of_a_stepped_flow_has_a_deadline),
        TEST(one_free_worker_does_the_rest), TEST(who_becomes_slow_is_helped),
        TEST(dealt_to_copies_in_order),
        TEST(groups_keep_to_their_threads), TEST(the_caller_is_group_0),
        TEST(a_group_without_threads), TEST(the_urgent_first), TEST(the_urgent_first_of_those_behind),
        TEST(the_urgent_first_from_elsewhere),
        TEST(names_of_threads), TEST(pinned_threads),
        TEST(the_thread_in_the_background), TEST(groups_are_named), TEST(wrong_cpus), TEST(cpus_that_are_not_there),
        TEST(realtime_that_is_not_permitted), TEST(realtime_that_is_permitted), TEST(any_graph_of_values),
        TEST(any_graph_of_tensors), TEST(any_graph_in_any_order), TEST(any_graph_on_a_task_system),
        TEST(a_long_task_beside_short_ones), TEST(in_steps_and_late),
        TEST(dropped_while_the_consumer_computes),
        TEST(several_flows_at_once), TEST(queues_that_drop), TEST(bursts_that_do_not_fit),
        TEST(streams_of_an_empty_queue_that_drops), TEST(the_latest_value),
        TEST(tried_again_as_more_comes), TEST(room_that_comes_meanwhile),
        TEST(queues_of_who_ends),
        TEST(who_works_for_nobody_ends), TEST(tensors_go_back), TEST(one_pool_for_many),
        TEST(two_outputs_of_one_pool), TEST(no_block_is_lost), TEST(a_queue_that_refuses),
        TEST(wrapped_tensors_are_given_back_once), TEST(one_message_goes_round), TEST(the_lock_is_biased_again), TEST(lent_for_once),
        TEST(loops_that_end),
        TEST(one_push_at_a_time),
        TEST(one_signal_at_a_time), TEST(one_question_at_a_time), TEST(pushed_by_threads),
        TEST(pushed_as_it_falls_asleep), TEST(pushed_in_the_middle), TEST(fed_and_quick),
        TEST(pushed_into_the_next_run),
        TEST(a_system_without_a_futex),
        TEST(pushed_to_one_operator), TEST(a_long_spin), TEST(a_long_spin_without_a_last_compute), TEST(flows_that_push_to_each_other), TEST(pushed_while_runs_end),
        TEST(pushed_before_it_is_built_on), TEST(a_deadlock_names_who_waits),
        TEST(it_may_wait_for_ever), TEST(a_signal_cannot_help_any_more), TEST(the_first_error_is_kept),
        TEST(an_error_ends_all), TEST(an_operator_that_fails_stops_alone), TEST(started_and_stopped),
        TEST(stopped_by_many), TEST(stopped_from_inside), TEST(destroyed_while_it_runs),
        TEST(a_stop_waits_for_who_computes), TEST(paused),
        TEST(paused_all_the_time), TEST(one_operator_is_stopped), TEST(stopped_before_it_computes),
        TEST(a_queue_between_two_workers),
        TEST(chains_that_leave_the_short_way),
        TEST(stopped_while_it_computes), TEST(chains_that_go_on), TEST(chains_take_turns),
        TEST(a_chain_stops_at_once), TEST(a_chain_stops_when_another_hears),
        TEST(calls_from_a_compute), TEST(a_loop_of_your_own), TEST(waited_for_by_several),
        TEST(looked_at_meanwhile),
        TEST(all_starts_before_and_all_stops_behind), TEST(a_start_that_fails), TEST(a_hundred_runs),
        TEST(nothing_is_allocated_after_the_start), TEST(out_of_memory), TEST(in_memory_handed_in),
        TEST(periods_of_a_simulated_clock), TEST(messages_of_several_ports), TEST(a_longest_duration),
        TEST(a_longest_duration_of_jobs),
        TEST(times_of_a_real_clock), TEST(the_gpu_holds_up_who_needs_it),
        TEST(waiting_for_the_gpu_is_no_deadlock), TEST(a_device_in_order_used_by_two),
        TEST(tried_again_with_what_it_had), TEST(memory_comes_back_from_outside),
        TEST(the_last_tensor_of_a_pool_that_ends), TEST(asked_to_its_end),
        TEST(a_fault_of_the_gpu_ends_the_flow), TEST(stopped_with_tasks_under_way),
        TEST(a_long_task_holds_up_nobody), TEST(as_many_tasks_at_once_as_threads),
        TEST(a_long_chain_that_runs_at_once), TEST(never_is_never), TEST(stepped_beside_a_run),
        TEST(news_during_a_compute), TEST(emits_are_counted_on_the_newest),
        TEST(sized_while_pushed_to), TEST(called_back_from_the_logger),
        TEST(called_back_at_a_fault), TEST(refused_while_another_fails),
        TEST(closed_beside_workers_that_go_idle),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
