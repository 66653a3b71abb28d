/*  test_order.c - random programs over several streams, under every order of execution, against a sequential
    model. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "test.h"

/* -- programs --
   Work on cells of four words. The generator keeps a vector clock per stream: how much of every stream's work
   is known to be over before what comes next on it. Where two accesses to a cell have no such order, it puts
   a record and a wait between them, and none elsewhere; so the sequential result is the only one that a
   correct device can have, and each wait that it made is one that a test can leave out. */

enum { STREAMS = 5, EVENTS = 4, CELLS = 7, WORDS = 4, COMMANDS = 160, LOG_WORDS = 1024 };
typedef enum kind {
    WORK, SET, COPY, HOST, RECORD, WAIT, GATE, LIFT, QUERY, POLL, SYNC, RENEW, NEW_EVENT
} kind;
typedef struct command {
    kind kind;
    uint32_t stream, event, dst, src, mul, add, before[STREAMS];
    bool slow;
} command;
typedef struct program {
    command c[COMMANDS];
    uint32_t count, streams, gates, waits, needed[COMMANDS]; /* needed: indices of the waits that matter */
    bool legacy, blocking[STREAMS];                              /* legacy: stream 0 is the default stream */
    uint32_t model[CELLS][WORDS];
} program;
typedef struct maker {
    program *p;
    rng r;
    uint32_t clock[STREAMS][STREAMS], host[STREAMS], event[EVENTS][STREAMS], next_event;
    uint32_t writer[CELLS], written[CELLS], read[CELLS][STREAMS];
} maker;

static command *add(maker *m, kind kind, uint32_t stream)
{
    command *c = &m->p->c[m->p->count++];
    *c = (command){ .kind = kind, .stream = stream };
    return c;
}
static void join(uint32_t *clock, const uint32_t *other)
{
    for (uint32_t i = 0; i < STREAMS; i++) { clock[i] = clock[i] < other[i] ? other[i] : clock[i]; }
}
static void connect_streams(maker *m, uint32_t from, uint32_t to)
{
    uint32_t e = m->next_event++ % EVENTS;
    add(m, RECORD, from)->event = e;
    memcpy(m->event[e], m->clock[from], sizeof m->event[e]);
    m->p->needed[m->p->waits++] = m->p->count;
    add(m, WAIT, to)->event = e;
    join(m->clock[to], m->event[e]);
}
static void ordered(maker *m, uint32_t s, uint32_t other, uint32_t at)
{
    if (at > m->clock[s][other]) { connect_streams(m, other, s); }
}
static void implied(maker *m, uint32_t s) /* by the host's waits, and by the default stream */
{
    join(m->clock[s], m->host);
    for (uint32_t t = 1; m->p->legacy && s == 0 && t < m->p->streams; t++) {
        if (m->p->blocking[t]) { join(m->clock[0], m->clock[t]); }
    }
    if (m->p->legacy && s && m->p->blocking[s]) { join(m->clock[s], m->clock[0]); }
}
static void work(maker *m, kind kind, uint32_t s, uint32_t dst, uint32_t src)
{
    uint32_t mul = rng_next(&m->r) | 1, plus = rng_next(&m->r);
    command *c;
    implied(m, s);
    ordered(m, s, m->writer[dst], m->written[dst]);
    for (uint32_t t = 0; t < STREAMS; t++) { ordered(m, s, t, m->read[dst][t]); }
    if (kind != SET) { ordered(m, s, m->writer[src], m->written[src]); }
    c = add(m, kind, s);
    c->dst = dst, c->src = src, c->mul = mul, c->add = plus, c->slow = rng_below(&m->r, 8) == 0;
    memcpy(c->before, m->clock[s], sizeof c->before);
    m->clock[s][s]++;
    m->writer[dst] = s;
    m->written[dst] = m->clock[s][s];
    if (kind != SET) { m->read[src][s] = m->clock[s][s]; }
    switch (kind) {
    case SET: memset(m->p->model[dst], (uint8_t)plus, sizeof m->p->model[dst]); break;
    case COPY: memcpy(m->p->model[dst], m->p->model[src], sizeof m->p->model[dst]); break;
    default: test_mix_model(m->p->model[dst], m->p->model[src], WORDS, mul, plus);
    }
}
/* plain: independent streams, work and events only. */
static void make(program *p, uint64_t seed, uint32_t commands, uint32_t streams, uint32_t cells, bool plain)
{
    maker m = { .p = p, .r = rng_seed(seed) };
    memset(p, 0, sizeof *p);
    p->streams = streams;
    p->legacy = !plain && rng_below(&m.r, 3) == 0;
    for (uint32_t i = 0; i < streams; i++) { p->blocking[i] = !plain && rng_below(&m.r, 2); }
    while (commands-- && p->count + 3 * STREAMS < COMMANDS) {
        uint32_t s = rng_below(&m.r, streams), t = (s + 1 + rng_below(&m.r, streams - 1)) % streams;
        uint32_t dst = rng_below(&m.r, cells), src = (dst + 1 + rng_below(&m.r, cells - 1)) % cells;
        uint32_t what = plain ? 0 : rng_below(&m.r, 40);
        bool apart = !(p->legacy && (s == 0 || p->blocking[s])) && !(p->legacy && (t == 0 || p->blocking[t]));
        switch (what) {
        case 1: case 2: case 3: work(&m, SET, s, dst, src); break;
        case 4: case 5: case 6: work(&m, COPY, s, dst, src); break;
        case 7: case 8: case 9: work(&m, HOST, s, dst, src); break;
        case 10: case 11: add(&m, QUERY, s); break;
        case 12: add(&m, POLL, s); break;
        case 13:                             /* the host waits: whatever comes later is ordered after it */
            add(&m, SYNC, s);
            join(m.host, m.clock[s]);
            for (uint32_t i = 1; p->legacy && s == 0 && i < streams; i++) {
                if (p->blocking[i]) { join(m.host, m.clock[i]); }
            }
            break;
        case 14: /* a new stream in its place, ordered after what the old one still does */
            if (p->legacy && s == 0) { break; }
            add(&m, RECORD, s)->event = m.next_event % EVENTS;
            add(&m, RENEW, s);
            add(&m, WAIT, s)->event = m.next_event++ % EVENTS;
            break;
        case 15:                             /* waits that were made do not need it any more */
            add(&m, NEW_EVENT, 0)->event = m.next_event++ % EVENTS;
            break;
        case 16: case 17:                    /* a kernel of s waits for one of t that comes later */
            if (!apart) { break; }
            add(&m, GATE, s)->add = ++p->gates;
            add(&m, LIFT, t)->add = p->gates;
            break;
        default: work(&m, WORK, s, dst, src);
        }
    }
}

/* Plain programs: whether all accesses are in order still if one wait is left out. It may be, by way of
   others. */
static bool ordered_without(const program *p, uint32_t omit)
{
    static maker m;
    memset(&m, 0, sizeof m);
    for (uint32_t i = 0; i < p->count; i++) {
        const command *c = &p->c[i];
        uint32_t s = c->stream;
        if (c->kind == RECORD) {
            memcpy(m.event[c->event], m.clock[s], sizeof m.event[c->event]);
        } else if (c->kind == WAIT && i != omit) {
            join(m.clock[s], m.event[c->event]);
        } else if (c->kind == WORK) {
            if (m.clock[s][m.writer[c->dst]] < m.written[c->dst]) { return false; }
            if (m.clock[s][m.writer[c->src]] < m.written[c->src]) { return false; }
            for (uint32_t t = 0; t < STREAMS; t++) {
                if (m.clock[s][t] < m.read[c->dst][t]) { return false; }
            }
            m.clock[s][s]++;
            m.writer[c->dst] = s;
            m.written[c->dst] = m.read[c->src][s] = m.clock[s][s];
        }
    }
    return true;
}
static void make_plain(program *p, uint64_t seed, uint32_t commands)
{
    uint32_t kept = 0;
    make(p, seed, commands, 3, 5, true);
    CHECK(ordered_without(p, COMMANDS));
    for (uint32_t i = 0; i < p->waits; i++) {
        if (!ordered_without(p, p->needed[i])) { p->needed[kept++] = p->needed[i]; }
    }
    p->waits = kept;
}

/* -- running them -- */

typedef struct traced_args { mix_args mix; uint32_t *log; } traced_args;
static int traced_host(const sf_slice *slice, const void *args)
{
    const traced_args *a = (const traced_args *)args;
    a->log[1 + test_add(a->log, 1)] = a->mix.id * 4 + (uint32_t)slice->index;
    return mix_host(slice, &a->mix);
}
static const sf_kernel traced = { .name = "traced", .host = traced_host };
static const sf_kernel traced_in_three = {
    .name = "traced in three", .host = traced_host, .slices = 3, .host_ns = 50
};

typedef struct host_work { uint32_t *dst, *src, mul, add; } host_work;
static void host_work_func(void *user)
{
    const host_work *w = (const host_work *)user;
    test_mix_model(w->dst, w->src, WORDS, w->mul, w->add);
}
typedef struct machine {
    sf_device *device;
    sf_stream *stream[STREAMS];
    sf_event *event[EVENTS];
    uint32_t *cells, *flags, *log;
    host_work host[COMMANDS];
} machine;

static void make_stream(machine *m, const program *p, uint32_t i)
{
    sf_stream_desc desc = { .flags = p->blocking[i] ? SF_STREAM_DEFAULT : SF_STREAM_NON_BLOCKING,
                            .priority = -(int32_t)i };
    if (p->legacy && i == 0) {
        m->stream[0] = sf_stream_legacy(m->device);
    } else {
        CHECK_OK(sf_stream_create(m->device, &desc, &m->stream[i]));
    }
}
static void plug_in(machine *m, const program *p, sf_device *device)
{
    m->device = device;
    m->cells = (uint32_t *)test_memory(device, (CELLS * WORDS + COMMANDS + LOG_WORDS) * 4);
    m->flags = m->cells + CELLS * WORDS;
    m->log = m->flags + COMMANDS;
    for (uint32_t i = 0; i < p->streams; i++) { make_stream(m, p, i); }
    for (uint32_t i = 0; i < EVENTS; i++) { CHECK_OK(sf_event_create(device, i & 1 ? 2 : 0, &m->event[i])); }
}
static void enqueue(machine *m, const program *p, uint32_t at)
{
    const command *c = &p->c[at];
    sf_stream *s = m->stream[c->stream];
    uint32_t *dst = m->cells + c->dst * WORDS, *src = m->cells + c->src * WORDS;
    traced_args a = { .log = m->log };
    sf_result r;
    a.mix = (mix_args){
        .dst = dst, .src = src, .n = WORDS, .mul = c->mul, .add = c->add, .spin = c->slow ? 3000 : 0, .id = at
    };
    switch (c->kind) {
    case WORK:
        CHECK_OK(on_cuda() ? sf_launch(s, &mix_kernel, &a.mix, sizeof a.mix)
                           : sf_launch(s, c->slow ? &traced_in_three : &traced, &a, sizeof a));
        break;
    case SET: CHECK_OK(sf_memset_async(s, dst, (uint8_t)c->add, WORDS * 4)); break;
    case COPY: CHECK_OK(sf_memcpy_async(s, dst, src, WORDS * 4)); break;
    case HOST:
        m->host[at] = (host_work){ dst, src, c->mul, c->add };
        CHECK_OK(sf_launch_host_func(s, host_work_func, &m->host[at]));
        break;
    case RECORD: CHECK_OK(sf_event_record(m->event[c->event], s, 0)); break;
    case WAIT: CHECK_OK(sf_stream_wait_event(s, m->event[c->event], 0)); break;
    case GATE: CHECK_OK(test_gate(s, m->flags + c->add, 1)); break;
    case LIFT: CHECK_OK(test_lift(s, m->flags + c->add, 1)); break;
    case QUERY: r = sf_stream_query(s); CHECK(r == SF_OK || r == SF_NOT_READY); break;
    case POLL: r = sf_device_poll(m->device, 0); CHECK(r == SF_OK || r == SF_IDLE); break;
    case SYNC: CHECK_OK(sf_stream_synchronize(s, GUARD)); break;
    case RENEW: CHECK_OK(sf_stream_destroy(s)); make_stream(m, p, c->stream); break;
    case NEW_EVENT:
        CHECK_OK(sf_event_destroy(m->event[c->event]));
        CHECK_OK(sf_event_create(m->device, c->event & 1 ? 2 : 0, &m->event[c->event]));
        break;
    }
}
static sf_device_desc described(sf_order order, uint64_t seed, const char *replay)
{
    static const uint32_t depths[] = { 2, 5, 16, 64 };
    return (sf_device_desc){ .host = { .workers = 1 + (int32_t)(seed % 4),
                                       .order = order,
                                       .seed = seed,
                                       .replay = replay,
                                       .stream_depth = depths[seed / 4 % 4] } };
}
/* Runs p without the command `omit`, closes the device, returns whether the result is the model's. */
static bool run(const program *p, const sf_device_desc *desc, uint32_t omit, uint32_t *log, char *line,
                size_t line_bytes)
{
    machine m = { 0 };
    bool good;
    plug_in(&m, p, test_open_desc(desc));
    for (uint32_t i = 0; i < p->count; i++) {
        if (i != omit) { enqueue(&m, p, i); }
    }
    for (uint32_t i = p->streams; i-- > 0;) { CHECK_OK(sf_stream_synchronize(m.stream[i], GUARD)); }
    CHECK_OK(sf_device_synchronize(m.device, GUARD));
    good = memcmp(m.cells, p->model, sizeof p->model) == 0;
    if (log) { memcpy(log, m.log, LOG_WORDS * 4); }
    if (line) { CHECK_OK(sf_device_get_replay(m.device, line, line_bytes)); }
    test_close(m.device);
    return good;
}
enum { NONE = COMMANDS };

static void right_under_every_order(void **state)
{
    static const char *const garbage[] = { "sf1:", "sf1:!\"#$%&'()*+,-./0123456789~~~~~zzzzz!!!!!", NULL };
    static program p;
    uint32_t seeds = test_seeds();
    (void)state;
    if (on_cuda()) { return; }
    FOR_SEEDS(seed, seeds) {
        sf_order order = (sf_order)(SF_ORDER_FIRST_IN + seed % 6);
        sf_device_desc desc = described(order, seed, order == SF_ORDER_REPLAY ? garbage[seed / 6 % 3] : NULL);
        make(&p, seed, 20 + seed % 40, 2 + seed % (STREAMS - 1), 2 + seed % (CELLS - 1), false);
        if (!run(&p, &desc, NONE, NULL, NULL, 0)) { fail_msg("order %d, seed %u", order, seed); }
    }
}
static void right_on_threads_and_gpus(void **state)
{
    static program p;
    uint32_t seeds = test_seeds_of(20 + test_seeds() / 10, 20 + test_seeds() / 200);
    (void)state;
    FOR_SEEDS(seed, seeds) {
        sf_device_desc desc = described(SF_ORDER_THREADS, seed, NULL);
        make(&p, 1000000 + seed, 20 + seed % 40, 2 + seed % (STREAMS - 1), 2 + seed % (CELLS - 1), false);
        if (!run(&p, &desc, NONE, NULL, NULL, 0)) { fail_msg("seed %u", seed); }
    }
}

/* -- what is missing shows -- */

static bool caught(sf_order order, uint64_t seed) /* a consumer that does not wait for its producer */
{
    sf_device *device = test_open_order(order, seed);
    sf_stream *producer = test_stream(device), *consumer = test_stream(device);
    uint32_t data[2] = { 0 };
    CHECK_OK(test_mix(producer, &data[0], NULL, 1, 1, 7, 0));
    CHECK_OK(test_mix(consumer, &data[1], &data[0], 1, 1, 0, 0));
    CHECK_OK(sf_stream_synchronize(consumer, GUARD));
    CHECK_OK(sf_stream_synchronize(producer, GUARD));
    test_close(device);
    return data[1] != 7;
}
static void a_missing_wait_is_caught(void **state)
{
    uint32_t random = 0, pct = 0;
    (void)state;
    if (on_cuda()) { return; }
    CHECK(!caught(SF_ORDER_FIRST_IN, 0));    /* as a synchronous device would: shows nothing */
    CHECK(caught(SF_ORDER_LAZY, 0));
    CHECK(caught(SF_ORDER_REVERSE, 0));
    for (uint64_t seed = 0; seed < 100; seed++) {
        random += caught(SF_ORDER_RANDOM, seed);
        pct += caught(SF_ORDER_PCT, seed);
    }
    CHECK(random > 20 && random < 80);
    CHECK(pct > 20 && pct < 80);
}
static void any_missing_wait_is_caught(void **state)
{
    static program p;
    uint32_t programs = 0, found = 0, by_order[SF_ORDER_REPLAY] = { 0 };
    (void)state;
    if (on_cuda()) { return; }
    for (uint32_t seed = 0; seed < 150; seed++) {
        bool seen = false;
        make_plain(&p, 2000000 + seed, 14);
        if (!p.waits) { continue; }
        programs++;
        for (uint32_t k = 0; k < 40; k++) {
            sf_order order = (sf_order)(SF_ORDER_LAZY + k % 4);
            sf_device_desc desc = { .host = { .order = order, .seed = k, .stream_depth = 64 } };
            bool wrong = !run(&p, &desc, p.needed[seed % p.waits], NULL, NULL, 0);
            seen |= wrong;
            by_order[order] += wrong;
        }
        found += seen;
    }
    CHECK(programs > 100);
    CHECK(found * 100 >= programs * 95);     /* nearly all, in 40 tries: the rest takes a rare interleaving */
    for (int order = SF_ORDER_LAZY; order <= SF_ORDER_PCT; order++) { CHECK(by_order[order] > 20); }
}

/* -- the same again -- */

static void a_seed_is_an_interleaving(void **state)
{
    static program p;
    static uint32_t a[LOG_WORDS], b[LOG_WORDS], different;
    uint32_t seeds = 50 + test_seeds() / 20;
    (void)state;
    if (on_cuda()) { return; }
    FOR_SEEDS(seed, seeds) {
        sf_order order = (sf_order)(SF_ORDER_FIRST_IN + seed % 5);
        sf_device_desc desc = described(order, seed, NULL);
        make(&p, 3000000 + seed, 40, 4, CELLS, false);
        CHECK(run(&p, &desc, NONE, a, NULL, 0));
        CHECK(run(&p, &desc, NONE, b, NULL, 0));
        CHECK_BYTES(b, a, sizeof a);
        if (order == SF_ORDER_RANDOM || order == SF_ORDER_PCT) {
            desc.host.seed += 16;            /* the same depth */
            CHECK(run(&p, &desc, NONE, b, NULL, 0));
            different += memcmp(a, b, sizeof a) != 0;
        }
    }
    CHECK(different > seeds / 5);            /* another seed is another one, of two fifths that can show it */
}
static void a_replay_is_the_same_interleaving(void **state)
{
    static program p;
    static uint32_t a[LOG_WORDS], b[LOG_WORDS], first_in[LOG_WORDS];
    static char line[4096], again[4096];
    uint32_t seeds = 50 + test_seeds() / 20, different = 0;
    (void)state;
    if (on_cuda()) { return; }
    FOR_SEEDS(seed, seeds) {
        sf_order order = (sf_order)(SF_ORDER_FIRST_IN + seed % 5);
        sf_device_desc desc = described(order, seed, NULL);
        make(&p, 4000000 + seed, 40, 4, CELLS, false);
        CHECK(run(&p, &desc, NONE, a, line, sizeof line));
        for (const char *c = line; *c; c++) { CHECK(*c > ' ' && *c <= '~'); } /* it goes into a bug report */
        desc.host.order = SF_ORDER_REPLAY;
        desc.host.replay = line;
        CHECK(run(&p, &desc, NONE, b, again, sizeof again));
        CHECK_BYTES(b, a, sizeof a);
        if (strcmp(line, again) != 0) { fail_msg("%s\nbecame\n%s", line, again); }
        desc.host.order = SF_ORDER_FIRST_IN;
        CHECK(run(&p, &desc, NONE, first_in, NULL, 0));
        different += memcmp(a, first_in, sizeof a) != 0;
    }
    CHECK(different > seeds / 2);            /* or else a replay that does nothing would pass */
}
static void replay_lines(void **state)
{
    sf_device *device;
    sf_stream *s[120];
    char line[512], small[5], copy[512], again[512];
    uint32_t *log;
    static uint32_t expected[130];
    (void)state;
    device = test_open();
    CHECK_IS(sf_device_get_replay(device, line, sizeof line), SF_ERROR_NOT_SUPPORTED);       /* threads */
    test_close(device);
    if (on_cuda()) { return; }
    for (int round = 0; round < 2; round++) {                /* more streams at once than there are letters */
        device =
            test_open_desc(&(sf_device_desc){ .host = { .order = round ? SF_ORDER_REPLAY : SF_ORDER_RANDOM,
                                                        .seed = 4,
                                                        .replay = copy,
                                                        .stream_depth = 4 } });
        log = (uint32_t *)test_memory(device, sizeof expected);
        if (round) { memset(copy, '!', sizeof copy - 1); }   /* the line is the caller's again */
        for (uint32_t i = 0; i < COUNT(s); i++) {
            mix_args a = { .dst = log, .log = log, .id = i };
            s[i] = test_stream(device);
            CHECK_OK(sf_launch(s[i], &mix_kernel, &a, sizeof a));
        }
        CHECK_OK(sf_device_synchronize(device, GUARD));
        if (round) {
            CHECK_BYTES(log, expected, sizeof expected);
            CHECK_OK(sf_device_get_replay(device, again, sizeof again));
            CHECK(!strcmp(again, line));
        } else {
            memcpy(expected, log, sizeof expected);
            CHECK_IS(sf_device_get_replay(device, small, sizeof small), SF_ERROR_NO_ROOM);
            CHECK_OK(sf_device_get_replay(device, line, sizeof line));
            memcpy(copy, line, sizeof copy);
        }
        test_close(device);
    }
}

/* -- all of them -- */

/* How many orders of the work there are, by dynamic programming over how far each stream has come. */
static uint64_t count_orders(const program *p)
{
    static uint64_t ways[16][16][16];
    const command *of[3][16];
    uint32_t n[3] = { 0 };
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->c[i].kind == WORK) { of[p->c[i].stream][n[p->c[i].stream]++] = &p->c[i]; }
    }
    for (uint32_t a = 0; a <= n[0]; a++) {
        for (uint32_t b = 0; b <= n[1]; b++) {
            for (uint32_t c = 0; c <= n[2]; c++) {
                uint32_t at[3] = { a, b, c };
                uint64_t sum = a + b + c == 0;
                for (uint32_t s = 0; s < 3; s++) { /* the last one to run was the last of stream s */
                    uint32_t before[3] = { a, b, c };
                    bool possible = at[s] > 0;
                    if (!possible) { continue; }
                    before[s]--;
                    for (uint32_t t = 0; t < 3; t++) { possible &= of[s][before[s]]->before[t] <= before[t]; }
                    if (possible) { sum += ways[before[0]][before[1]][before[2]]; }
                }
                ways[a][b][c] = sum;
            }
        }
    }
    return ways[n[0]][n[1]][n[2]];
}
static uint64_t hash_log(const uint32_t *log)
{
    uint64_t h = 1469598103934665603u;
    for (uint32_t i = 1; i <= log[0]; i++) { h = (h ^ log[i]) * 1099511628211u; }
    return h;
}
static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}
/* Every choice of every step, by counting up replay lines: one letter per step that had a choice, '!' for the
   first candidate. A letter beyond the last candidate wraps, which the line that comes back shows. */
static uint64_t explore(const program *p, uint32_t omit, uint64_t *hashes, uint64_t room, uint64_t *wrong)
{
    static uint32_t log[LOG_WORDS];
    char line[128] = "sf1:", got[128], *choices = line + 4;
    uint64_t runs = 0;
    memset(choices, '!', 64);
    *wrong = 0;
    for (;;) {
        sf_device_desc desc = { .host = { .order = SF_ORDER_REPLAY, .replay = line, .stream_depth = 16 } };
        *wrong += !run(p, &desc, omit, log, got, sizeof got);
        size_t used = strlen(got) - 4;
        size_t differs = 0;
        while (differs < used && got[4 + differs] == choices[differs]) { differs++; }
        if (differs == used) {
            if (runs < room) { hashes[runs] = hash_log(log); }
            runs++;
            if (runs > room) { return runs; }
            differs = used;                  /* the next line: the last letter up by one */
        }
        if (differs == 0 && used) { return runs; }           /* the first letter has wrapped: all done */
        if (!used) { return runs; }
        choices[differs - 1]++;
        memset(choices + differs, '!', 64 - differs);
    }
}
static uint64_t distinct(uint64_t *hashes, uint64_t n)
{
    uint64_t count = n > 0;
    qsort(hashes, n, sizeof *hashes, compare_hashes);
    for (uint64_t i = 1; i < n; i++) { count += hashes[i] != hashes[i - 1]; }
    return count;
}
enum { MOST_ORDERS = 40000 };
static uint64_t hashes[MOST_ORDERS];

static void all_orders_of_independent_work(void **state)
{
    static program p;
    uint32_t each = test_seeds() < 10000 ? 2 : 4;            /* 12! / 4!^3 = 34650; sanitizers: 6! / 2!^3 */
    uint64_t wrong, n;
    (void)state;
    if (on_cuda()) { return; }
    memset(&p, 0, sizeof p);
    p.streams = 3;
    for (uint32_t i = 0; i < 3 * each; i++) {
        uint32_t s = i / each;
        p.c[p.count++] = (command){ .kind = WORK, .stream = s, .dst = s, .src = 6, .mul = 3, .add = i, };
        p.c[p.count - 1].before[s] = i % each;
        test_mix_model(p.model[s], p.model[6], WORDS, 3, i);
    }
    n = count_orders(&p);
    CHECK_EQUAL(n, each == 4 ? 34650 : 90);
    CHECK_EQUAL(explore(&p, NONE, hashes, MOST_ORDERS, &wrong), n);
    CHECK_EQUAL(distinct(hashes, n), n);
    CHECK_EQUAL(wrong, 0);
}
static void all_orders_of_programs(void **state)
{
    static program p;
    uint32_t explored = 0, caught_all = 0, caught_some = 0;
    uint32_t programs = 20 + test_seeds() / 100;
    (void)state;
    if (on_cuda()) { return; }
    FOR_SEEDS(seed, programs) {
        uint64_t n, wrong;
        make_plain(&p, 5000000 + seed, 10);
        for (uint32_t i = 0; i < p.count; i++) { p.c[i].slow = false; }
        n = count_orders(&p);
        if (n > 600 || !p.waits) { continue; }
        explored++;
        CHECK_EQUAL(explore(&p, NONE, hashes, MOST_ORDERS, &wrong),
                    n); /* exactly those that the waits allow, ... */
        CHECK_EQUAL(distinct(hashes, n), n);
        CHECK_EQUAL(wrong, 0);
        CHECK(explore(&p, p.needed[seed % p.waits], hashes, MOST_ORDERS, &wrong) >
              n); /* ... more without one */
        caught_all++;
        caught_some += wrong > 0;
    }
    CHECK(explored > 10);
    CHECK_EQUAL(caught_some, caught_all); /* and every missing wait has an order that gives another result */
}

/* -- what the orders mean -- */

static void orders_mean_what_they_say(void **state)
{
    static const uint32_t first_in[] = { 0, 1, 2, 3, 4, 5 }, reverse[] = { 4, 5, 2, 3, 0, 1 };
    (void)state;
    if (on_cuda()) { return; }
    for (int k = 0; k < 3; k++) {
        sf_order order = k == 0 ? SF_ORDER_FIRST_IN : k == 1 ? SF_ORDER_REVERSE : SF_ORDER_LAZY;
        sf_device *device = test_open_order(order, 0);
        uint32_t *log = (uint32_t *)test_memory(device, 256);
        sf_stream *s[3];
        sf_event *e = test_event(device);
        for (uint32_t i = 0; i < 3; i++) {
            s[i] = test_stream(device);
            for (uint32_t j = 0; j < 2; j++) {
                mix_args a = { .dst = log + 60, .log = log, .id = 2 * i + j };
                CHECK_OK(sf_launch(s[i], &mix_kernel, &a, sizeof a));
                if (i == 0 && j == 0) { CHECK_OK(sf_event_record(e, s[0], 0)); }
            }
        }
        CHECK_EQUAL(log[0], 0);              /* nothing runs unless somebody waits or polls */
        if (order == SF_ORDER_LAZY) {        /* what is waited for, and what that needs: no more */
            mix_args a = { .dst = log + 60, .log = log, .id = 6 };
            CHECK_OK(sf_stream_wait_event(s[1], e, 0));
            CHECK_OK(sf_launch(s[1], &mix_kernel, &a, sizeof a));
            CHECK_OK(sf_stream_synchronize(s[1], GUARD));
            CHECK_EQUAL(log[0], 4);
            CHECK_EQUAL(log[4], 6);
            CHECK_IS(sf_stream_synchronize(s[2], SF_FOREVER), SF_OK);
            CHECK_EQUAL(log[0], 6);
            CHECK(log[5] == 4 && log[6] == 5);
        } else {
            CHECK_OK(sf_device_synchronize(device, GUARD));
            CHECK_BYTES(log + 1, order == SF_ORDER_FIRST_IN ? first_in : reverse, sizeof first_in);
        }
        test_close(device);
    }
}
static void polls_run_something(void **state)
{
    (void)state;
    if (on_cuda()) { return; }
    for (int order = SF_ORDER_FIRST_IN; order <= SF_ORDER_REPLAY; order++) {
        sf_device *device = test_open_order((sf_order)order, 3);
        uint32_t *data = (uint32_t *)test_memory(device, 64), polls = 0;
        sf_stream *a = test_stream(device), *b = test_stream(device);
        sf_event *e = test_event(device);
        CHECK_IS(sf_device_poll(device, 0), SF_IDLE);
        for (uint32_t i = 0; i < 10; i++) { CHECK_OK(test_mix(i & 1 ? a : b, data, NULL, 1, 1, 1, 0)); }
        while (sf_device_poll(device, SF_FOREVER) == SF_OK) { polls++; }
        CHECK(polls >= 1 && polls <= 10);    /* at least one each */
        CHECK_EQUAL(data[0], 10);
        CHECK_IS(sf_device_poll(device, SF_FOREVER), SF_IDLE);
        CHECK_OK(test_mix(a, data, NULL, 1, 1, 1, 0));
        CHECK_OK(sf_event_record(e, a, 0));
        for (polls = 0; sf_event_query(e) == SF_NOT_READY; polls++) {
            CHECK(polls < 10);
        } /* queries are polls, too */
        CHECK_OK(test_mix(a, data, NULL, 1, 1, 1, 0));
        for (polls = 0; sf_stream_query(a) == SF_NOT_READY; polls++) { CHECK(polls < 10); }
        CHECK_EQUAL(data[0], 12);
        CHECK_OK(test_mix(a, data, NULL, 1, 1, 1, 0));
        CHECK_OK(test_mix(a, data, NULL, 1, 1, 1, 0));
        CHECK_IS(sf_stream_synchronize(a, 0), SF_TIMEOUT);   /* ... and so are waits without time */
        CHECK_OK(sf_stream_synchronize(a, 0));
        CHECK_EQUAL(data[0], 14);
        test_close(device);
    }
}
static void time_adds_up_over_streams(void **state)
{
    static const sf_kernel k2 = { .name = "2 us", .host = mix_host, .host_ns = 2000 };
    static const sf_kernel k5 = { .name = "5 us", .host = mix_host, .host_ns = 5000 };
    (void)state;
    if (on_cuda()) { return; }
    for (uint64_t seed = 0; seed < 50; seed++) {
        for (int order = SF_ORDER_FIRST_IN; order <= SF_ORDER_REPLAY; order++) {
            sf_device *device = test_open_order((sf_order)order, seed);
            sf_stream *a = test_stream(device), *b = test_stream(device);
            sf_event *start = test_event(device), *middle = test_event(device), *end = test_event(device);
            mix_args none = { 0 };
            float ms = 0;
            CHECK_OK(sf_event_record(start, a, 0));
            for (int i = 0; i < 3; i++) { CHECK_OK(sf_launch(a, &k2, &none, sizeof none)); }
            CHECK_OK(sf_event_record(middle, a, 0));
            for (int i = 0; i < 2; i++) { CHECK_OK(sf_launch(b, &k5, &none, sizeof none)); }
            CHECK_OK(sf_stream_wait_event(b, middle, 0));
            CHECK_OK(sf_event_record(end, b, 0));
            CHECK_OK(sf_event_synchronize(end, GUARD));
            CHECK_OK(sf_event_elapsed_ms(start, end, &ms));
            CHECK(ms == 0.016f);             /* one thread: the sum of it, in whichever order */
            CHECK_OK(sf_event_elapsed_ms(start, middle, &ms));
            CHECK(ms == 0.006f || ms == 0.011f || ms == 0.016f);
            test_close(device);
        }
    }
}

/* -- many commands, many streams -- */

static void a_soak(void **state)
{
    enum { SOAK_STREAMS = 64, WIDE = 4 };
    uint32_t commands = on_cuda() ? 20000 : test_seeds() * 20, done = 0;
    sf_device *device = test_open_desc(&(sf_device_desc){ .host = { .workers = 4, .stream_depth = 256 } });
    uint32_t *cells = (uint32_t *)test_memory(device, SOAK_STREAMS * 64), model[SOAK_STREAMS][16] = { { 0 } };
    sf_stream *s[SOAK_STREAMS];
    sf_event *e[SOAK_STREAMS];
    rng r = rng_seed(99);
    (void)state;
    for (uint32_t i = 0; i < SOAK_STREAMS; i++) { s[i] = test_stream(device), e[i] = test_event(device); }
    while (done < commands) {
        uint32_t i = rng_below(&r, SOAK_STREAMS),
                 k = (i + 1 + rng_below(&r, SOAK_STREAMS - 1)) % SOAK_STREAMS, plus = rng_next(&r);
        if (rng_below(&r, 4)) {
            CHECK_OK(test_mix(s[i], cells + 16 * i, NULL, WIDE, 3, plus, rng_below(&r, 30)));
            test_mix_model(model[i], NULL, WIDE, 3, plus);
            done++;
            continue;
        }
        CHECK_OK(sf_event_record(e[i], s[i], 0)); /* k reads what i wrote; i writes only after that */
        CHECK_OK(sf_stream_wait_event(s[k], e[i], 0));
        CHECK_OK(test_mix(s[k], cells + 16 * k, cells + 16 * i, WIDE, 5, plus, 0));
        CHECK_OK(sf_event_record(e[k], s[k], 0));
        CHECK_OK(sf_stream_wait_event(s[i], e[k], 0));
        test_mix_model(model[k], model[i], WIDE, 5, plus);
        done += 5;
    }
    CHECK_OK(sf_device_synchronize(device, GUARD));
    CHECK_BYTES(cells, model, sizeof model);
    test_close(device);
}

/* Who waits within a command for what comes behind it is told so. */
static struct { sf_stream *stream; sf_result within; } self;
static int wait_for_itself(const sf_slice *slice, const void *args)
{
    (void)slice, (void)args;
    self.within = sf_stream_synchronize(self.stream, SF_MS(1));
    return 0;
}
static const sf_kernel waiting_kernel = { .name = "waiting", .host = wait_for_itself };
static void waits_within_a_kernel(void **state)
{
    (void)state;
    for (uint32_t order = SF_ORDER_THREADS; order <= SF_ORDER_PCT; order++) {
        sf_device *device;
        sf_device_desc desc = { .backend = SF_BACKEND_HOST, .host.order = (sf_order)order };
        CHECK_OK(sf_device_open(&desc, &device));
        self.stream = test_stream(device);
        CHECK_OK(sf_launch(self.stream, &waiting_kernel, NULL, 0));
        CHECK_OK(sf_stream_synchronize(self.stream, GUARD));
        CHECK_IS(self.within, order == SF_ORDER_THREADS ? (sf_result)SF_TIMEOUT : SF_ERROR_DEADLOCK);
        CHECK_OK(sf_device_close(device, GUARD));
    }
}
/* The same where an event leads there: of a node, of another device, and by way of another device. */
static void waits_for_what_is_behind_a_kernel(void **state)
{
    enum { BY_NODE, OTHER_DEVICE, AND_BACK, WAYS };
    (void)state;
    for (uint32_t order = SF_ORDER_FIRST_IN; order <= SF_ORDER_PCT; order++) {
        for (int way = 0; way < WAYS; way++) {
            const sf_device_desc desc = { .backend = SF_BACKEND_HOST, .host = { .order = (sf_order)order } };
            sf_device *a, *b = NULL;
            sf_stream *runs, *between;
            sf_event *e;
            sf_graph *graph = NULL;
            sf_graph_exec *exec = NULL;
            CHECK_OK(sf_device_open(&desc, &a));
            CHECK_OK(sf_device_open(&desc, &b));
            self.stream = test_stream(a), between = test_stream(b);
            runs = test_stream(way == OTHER_DEVICE ? b : a);
            e = test_event(way == OTHER_DEVICE ? b : a);
            if (way == BY_NODE) { CHECK_OK(sf_stream_begin_capture(runs, SF_CAPTURE_RELAXED)); }
            CHECK_OK(sf_launch(runs, &waiting_kernel, NULL, 0));
            CHECK_OK(sf_event_record(e, runs, way == BY_NODE ? SF_EVENT_RECORD_EXTERNAL : 0));
            if (way == BY_NODE) {
                CHECK_OK(sf_stream_end_capture(runs, &graph));
                CHECK_OK(sf_graph_instantiate(graph, 0, &exec));
                CHECK_OK(sf_graph_launch(exec, runs));
            }
            if (way == AND_BACK) {
                CHECK_OK(sf_stream_wait_event(between, e, 0));
                e = test_event(b);
                CHECK_OK(sf_event_record(e, between, 0));
            }
            CHECK_OK(sf_stream_wait_event(self.stream, e, 0));
            self.within = SF_OK;
            CHECK_OK(sf_stream_synchronize(runs, GUARD));
            CHECK_IS(self.within, SF_ERROR_DEADLOCK);
            CHECK_OK(sf_stream_synchronize(self.stream, GUARD));
            CHECK_OK(sf_device_close(a, GUARD));
            CHECK_OK(sf_device_close(b, GUARD));
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_mean_what_they_say),
        cmocka_unit_test(right_under_every_order),
        cmocka_unit_test(right_on_threads_and_gpus),
        cmocka_unit_test(a_missing_wait_is_caught),
        cmocka_unit_test(any_missing_wait_is_caught),
        cmocka_unit_test(a_seed_is_an_interleaving),
        cmocka_unit_test(a_replay_is_the_same_interleaving),
        cmocka_unit_test(replay_lines),
        cmocka_unit_test(all_orders_of_independent_work),
        cmocka_unit_test(all_orders_of_programs),
        cmocka_unit_test(polls_run_something),
        cmocka_unit_test(time_adds_up_over_streams),
        cmocka_unit_test(waits_within_a_kernel),
        cmocka_unit_test(waits_for_what_is_behind_a_kernel),
        cmocka_unit_test(a_soak),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
