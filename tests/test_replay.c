/*  test_replay.c - recordings: what is written, how it is played back, what is refused; one operator alone.

    The rule: sinks of a replay get what they got in the recorded run, message by message, with timestamps and
    metadata. With a simulated clock two replays are equal to the nanosecond, in each order of a host device. */
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

/* -- a recording in memory -- */

static struct { uint8_t bytes[1 << 19]; size_t size; uint32_t calls; pthread_mutex_t lock; } tape = { .lock = PTHREAD_MUTEX_INITIALIZER };
static void to_tape(void *user, const void *head, size_t head_bytes, const void *data, size_t data_bytes)
{
    (void)user;
    pthread_mutex_lock(&tape.lock);
    if (tape.size + head_bytes + data_bytes <= sizeof tape.bytes) {
        memcpy(tape.bytes + tape.size, head, head_bytes);
        if (data_bytes) { memcpy(tape.bytes + tape.size + head_bytes, data, data_bytes); }
        tape.size += head_bytes + data_bytes;
    }
    tape.calls++;
    pthread_mutex_unlock(&tape.lock);
}
static uint8_t *copy_of_tape(void)                           /* no byte behind it: ASan sees a read of one */
{
    uint8_t *copy = malloc(tape.size ? tape.size : 1);
    memcpy(copy, tape.bytes, tape.size);
    return copy;
}
/* As the header documents it: for recordings that lie with a right checksum. */
static uint64_t sum_of(uint64_t sum, const uint8_t *at, size_t bytes)
{
    for (size_t n; bytes; at += n, bytes -= n) {
        uint64_t v = 0;
        n = bytes < 8 ? bytes : 8;
        for (size_t i = 0; i < n; i++) { v |= (uint64_t)at[i] << 8 * i; }
        sum = (sum ^ v) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}
static uint64_t little(const uint8_t *at, size_t bytes)
{
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; i++) { v |= (uint64_t)at[i] << 8 * i; }
    return v;
}
static void seal(uint8_t *at)
{
    size_t head = (size_t)little(at + 6, 2), data = (size_t)little(at + 40, 8);
    uint64_t sum = sum_of(sum_of(sum_of(head, at, 8), at + 16, head - 16), at + head, data);
    for (int i = 0; i < 8; i++) { at[8 + i] = (uint8_t)(sum >> 8 * i); }
}

/* -- what sinks got, as lines: one list per sink -- */

enum { SINKS = 4, LINES = 1 << 14 };
typedef struct sink { char text[LINES]; size_t bytes; bool timed; uint32_t got; } sink;
static sink sinks[SINKS];
static uint64_t sum_of_tensor(const sf_tensor *t)
{
    uint64_t sum = (uint64_t)t->dtype ^ (uint64_t)t->ndim << 32;
    for (int i = 0; i < t->ndim; i++) { sum = sum * 31 + (uint64_t)t->shape[i]; }
    return sum_of(sum, (const uint8_t *)t->data, t->bytes);
}
static void write_line(sink *to, sf_context *ctx, int port, const char *what, uint64_t content)
{
    uint32_t key;
    sf_value v;
    to->got++;
    to->bytes += (size_t)snprintf(to->text + to->bytes, LINES - to->bytes, "%d %s %llx t%lld", port, what,
                                  (unsigned long long)content, (long long)sf_get_timestamp(ctx, port));
    for (uint32_t i = 0; sf_list_metadata(ctx, i, &key, &v); i++) {
        to->bytes += (size_t)snprintf(to->text + to->bytes, LINES - to->bytes, " %u=%llu", key, (unsigned long long)v.u64);
    }
    if (to->timed) {
        to->bytes += (size_t)snprintf(to->text + to->bytes, LINES - to->bytes, " @%lld", (long long)sf_flow_now(ctx->flow));
    }
    to->bytes += (size_t)snprintf(to->text + to->bytes, LINES - to->bytes, "\n");
    if (to->bytes > LINES - 300) { to->bytes = LINES - 300; }
}
static sf_result sink_values(sf_context *ctx)
{
    write_line((sink *)ctx->user, ctx, 0, "v", sf_receive_value(ctx, 0).u64);      /* one: metadata is merged */
    return SF_OK;
}
static sf_result sink_tensor(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    write_line((sink *)ctx->user, ctx, 0, "T", sum_of_tensor(t));
    return SF_OK;
}
static void clear_sinks(bool timed)
{
    memset(sinks, 0, sizeof sinks);
    for (int i = 0; i < SINKS; i++) { sinks[i].timed = timed; }
}
static void same_as(const sink *before)
{
    for (int i = 0; i < SINKS; i++) {
        if (strcmp(sinks[i].text, before[i].text)) {
            fail_msg("sink %d:\n%.2000s\nis not\n%.2000s", i, sinks[i].text, before[i].text);
        }
    }
}

/* -- the plant: a source with values and tensors, an operator with external inputs -- */

typedef struct plant {
    sf_op source, reader;
    rng r;
    uint32_t count;                                          /* computes of the source */
    sf_overflow overflow;
    sf_result ends;                                          /* of the last compute of the source */
    uint32_t fails_at;                                       /* the value at which the reader fails; 0: none */
    uint32_t workers;
    bool simulated, metadata, random;
} plant;
static plant p;
static sf_result emit_both(sf_context *ctx)                  /* sometimes two values, sometimes no tensor */
{
    sf_value v = number((int64_t)rng_next(&p.r));
    uint32_t which = rng_below(&p.r, 4);
    if (rng_below(&p.r, 3)) { sf_set_timestamp(ctx, (int64_t)ctx->run * 1000); }
    CHECK_OK(sf_emit_value(ctx, 0, v));
    if (which) {
        sf_tensor *t = sf_tensor_create(ctx, 1, &(sf_tensor_desc){ .dtype = which == 1 ? SF_F32 : SF_U8,
                                                                   .shape = { 4, which, 3 } });
        rng_fill(&p.r, t->data, t->bytes);
        CHECK_OK(sf_emit(ctx, 1, t));
    }
    if (which == 2) { CHECK_OK(sf_emit_value(ctx, 0, number((int64_t)ctx->run))); }
    for (uint32_t k = 0; p.metadata && k < rng_below(&p.r, 17); k++) { CHECK_OK(sf_set_metadata(ctx, 7 * k, number(k + which))); }
    return ctx->run + 1 == p.count ? p.ends : SF_OK;
}
static sf_result read_pushed(sf_context *ctx)
{
    while (sf_available(ctx, 0)) {
        uint64_t v = sf_receive_value(ctx, 0).u64;
        if (p.fails_at && v == p.fails_at) { return SF_ERROR_USER; }
        write_line(&sinks[2], ctx, 0, "v", v);
    }
    while (sf_available(ctx, 1)) { write_line(&sinks[3], ctx, 1, "T", sum_of_tensor(sf_receive(ctx, 1))); }
    return SF_OK;
}
static sf_flow *build_plant(sf_device *d)
{
    sf_flow_desc fd = { .device = d, .backend = test_backend, .clock.simulated = p.simulated, .metadata_entries = p.metadata ? 16 : 0,
                        .workers = {{ .count = (int32_t)p.workers }} };
    sf_flow *f = sf_flow_create(&fd);
    sf_op a, b;
    CHECK(f != NULL);
    p.r = rng_seed(4711);
    p.source = sf_flow_add(f, &(sf_op_desc){ .name = "gen", .compute = emit_both, .period = p.simulated ? SF_MS(3) : SF_US(200),
                           .when = {{ .kind = SF_CONDITION_ROOM, .ports = 1, .count = 2 }},
                           .out = {{ .name = "n" }, { .name = "img", .bytes = 64, .memory = SF_MEMORY_PINNED }} });
    p.reader = sf_flow_add(f, &(sf_op_desc){ .name = "in", .compute = read_pushed, .in = {
                           { .name = "cmd", .external = true, .capacity = 4, .overflow = p.overflow, .optional = true },
                           { .name = "pic", .external = true, .capacity = 4, .optional = true }},
                           .when = {{ .kind = SF_CONDITION_MESSAGES, .count = 1 }} });
    a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = sink_values, .user = &sinks[0], .in = {{ .name = "n", .capacity = 4 }} });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = sink_tensor, .user = &sinks[1], .in = {{ .name = "img", .capacity = 2 }} });
    CHECK_OK(sf_flow_connect(f, p.source, "n", a, "n", NULL));
    CHECK_OK(sf_flow_connect(f, p.source, "img", b, "img", NULL));
    return f;
}
static uint8_t pictures[64][96];
static uint32_t released;
static void give_back(void *data, void *user) { (void)data, (void)user, test_add(&released, 1); }
static void push_all(sf_flow *f, uint32_t count, bool waits)         /* values with timestamps, and pictures */
{
    rng r = rng_seed(12);
    for (uint32_t i = 0; i < count; i++) {
        sf_message m = { .value = number(i), .time = i % 3 ? (int64_t)i * 10 : -1 };
        sf_result pushed;
        do { pushed = sf_flow_push_message(f, p.reader, 0, &m); } while (pushed == SF_BUSY && !usleep(50));
        if (i % 4 == 0 && i / 4 < COUNT(pictures)) {
            sf_tensor *t;
            rng_fill(&r, pictures[i / 4], sizeof pictures[0]);
            t = sf_tensor_wrap(f, &(sf_tensor_desc){ .dtype = SF_U16, .shape = { 4, 4 + i % 9 }, .data = pictures[i / 4],
                               .memory = SF_MEMORY_HOST, .release = give_back });
            CHECK(t != NULL);
            while (sf_flow_push(f, p.reader, 1, t) == SF_BUSY) { usleep(50); }
        }
        if (waits && i % 5 == 0) { usleep(300); }
    }
}
static void record_plant(uint32_t pushes, sf_result want)
{
    sf_flow *f = build_plant(device);
    tape.size = 0;
    CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
    CHECK_OK(sf_flow_start(f));
    push_all(f, pushes, true);
    for (int i = 0; i < 5000 && runs_of(f, p.source) < p.count; i++) { usleep(1000); }
    if (want >= 0) { CHECK_OK(sf_flow_finish(f)); }
    CHECK_IS(sf_flow_wait(f, GUARD), want);
    destroy(f);
}
static void play_plant(sf_device *d, const uint8_t *bytes, size_t size, bool cut, sf_result want)
{
    sf_flow *f = build_plant(d);
    CHECK_OK(sf_flow_replay(f, bytes, size, cut));
    guarded_run_is(f, want, NULL);
    destroy_is(f, want);
}

/* Values, tensors of several shapes, timestamps and metadata, by pushes of a thread beside a source; replayed without
   time passing, twice, and in real time; on one thread and on three. */
static void a_run_comes_again(void **state)
{
    static sink before[SINKS], timed[SINKS];
    (void)state;
    for (uint32_t workers = 0; workers < 4; workers += 3) {
        for (int metadata = 0; metadata < 2; metadata++) {
            uint8_t *copy;
            size_t size;
            p = (plant){ .count = 40, .ends = SF_DONE, .workers = workers, .metadata = metadata };
            clear_sinks(false);
            record_plant(60, SF_OK);
            CHECK(sinks[0].got >= 40 && sinks[1].got > 10);
            CHECK(sinks[2].got == 60 && sinks[3].got == 15);
            memcpy(before, sinks, sizeof sinks);
            copy = copy_of_tape();
            size = tape.size;
            for (int real = 0; real < 2; real++) {
                p.simulated = !real;
                p.workers = workers ? 3 : 0;
                clear_sinks(false);
                play_plant(device, copy, size, false, SF_OK);
                same_as(before);
            }
            p.workers = 0;
            p.simulated = true;
            for (int i = 0; i < 2; i++) {
                clear_sinks(true);
                play_plant(device, copy, size, false, SF_OK);
                if (i) { same_as(timed); }
                memcpy(timed, sinks, sizeof sinks);
            }
            free(copy);
        }
    }
}
/* One flow, two runs: each plays all of it. */
static void each_run_plays_it(void **state)
{
    static sink before[SINKS];
    sf_flow *f;
    (void)state;
    p = (plant){ .count = 12, .ends = SF_DONE };
    clear_sinks(false);
    record_plant(20, SF_OK);
    memcpy(before, sinks, sizeof sinks);
    p.simulated = true;
    f = build_plant(device);
    CHECK_OK(sf_flow_replay(f, tape.bytes, tape.size, false));
    for (int i = 0; i < 2; i++) {
        clear_sinks(false);
        run_is(f, SF_OK);
        same_as(before);
    }
    destroy(f);
}
/* What a push could not place is not recorded; what was received is, once. LATEST: each value that was read. */
static void each_policy(void **state)
{
    static sink before[SINKS];
    (void)state;
    for (int overflow = 0; overflow <= SF_OVERFLOW_ERROR; overflow++) {
        if (overflow == SF_OVERFLOW_LATEST) { continue; }
        p = (plant){ .count = 10, .ends = SF_DONE, .overflow = (sf_overflow)overflow };
        clear_sinks(false);
        record_plant(200, SF_OK);
        CHECK(sinks[2].got > 4);
        memcpy(before, sinks, sizeof sinks);
        p.simulated = true;
        clear_sinks(false);
        play_plant(device, tape.bytes, tape.size, false, SF_OK);
        same_as(before);
    }
}
static uint64_t latest_seen[64];
static _Atomic uint32_t latest_count;
static sf_result read_latest(sf_context *ctx)                /* ends at a value, so that a slow machine shows as many */
{
    sf_value v = sf_receive_value(ctx, 0);
    if (!latest_count || latest_seen[latest_count - 1] != v.u64) { latest_seen[latest_count++ % 64] = v.u64; }
    return v.u64 >= 16 ? SF_DONE : SF_OK;
}
static sf_flow *build_latest(bool simulated, sf_op *op)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend, .clock.simulated = simulated });
    *op = sf_flow_add(f, &(sf_op_desc){ .name = "show", .compute = read_latest, .period = SF_US(500),
                      .in = {{ .name = "x", .external = true, .overflow = SF_OVERFLOW_LATEST }} });
    return f;
}
static void the_newest_value(void **state)
{
    uint64_t before[64];
    uint32_t count;
    sf_record r;
    sf_op op;
    sf_flow *f = build_latest(false, &op);
    (void)state;
    tape.size = 0;
    latest_count = 0;
    CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
    CHECK_OK(sf_flow_start(f));
    CHECK_OK(sf_flow_push_value(f, op, 0, number(1)));
    for (int i = 0; !latest_count && i < 20000; i++) { usleep(1000); }
    for (uint32_t i = 2; sf_flow_push_value(f, op, 0, number(i)) == SF_OK; i++) { usleep(1200); }    /* read twice each */
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
    memcpy(before, latest_seen, sizeof before);
    count = latest_count;
    CHECK(count > 1 && count <= 40);
    for (size_t at = 0, n = 0;; n++) {                       /* the recording has these, once each */
        CHECK_OK(sf_recording_next(tape.bytes, tape.size, &at, &r));
        if (r.end) { CHECK_EQUAL(n, count); break; }
        CHECK(r.input && !strcmp(r.op, "show") && !strcmp(r.port, "x") && r.value.u64 == before[n]);
    }
    for (int i = 0; i < 2; i++) {                            /* an interval may show two of them: then the newer one */
        f = build_latest(true, &op);
        latest_count = 0;
        CHECK_OK(sf_flow_replay(f, tape.bytes, tape.size, false));
        run_is(f, SF_OK);
        destroy(f);
        if (i) { CHECK_EQUAL(latest_count, count); CHECK_BYTES(latest_seen, before, sizeof before); }
        memcpy(before, latest_seen, sizeof before);
        count = latest_count;
        CHECK(count > 1);
    }
}

/* -- times and ends -- */

static int64_t batch_times[16];
static uint32_t batches, batch_sizes[16];
static sf_result take_batch(sf_context *ctx)
{
    batch_times[batches % 16] = sf_flow_now(ctx->flow);
    while (sf_available(ctx, 0)) { (void)sf_receive_value(ctx, 0); batch_sizes[batches % 16]++; }
    batches++;
    return SF_OK;
}
static sf_result count_to(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number((int64_t)ctx->run)) < 0 ? SF_ERROR_USER : ctx->run == 6 ? SF_DONE : SF_OK;
}
static sf_flow *build_batches(void)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend, .clock.simulated = true });
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "src", .compute = count_to, .period = SF_MS(10), .out = {{ .name = "n" }} });
    sf_op b = sf_flow_add(f, &(sf_op_desc){ .name = "dst", .compute = take_batch, .in = {{ .name = "n", .capacity = 4 }},
                          .when = {{ .kind = SF_CONDITION_EXPIRING, .count = 4, .ns = SF_MS(25) }} });
    connect(f, a, b);
    return f;
}
/* A timeout in the recorded run is one in the replay: times are as recorded, to the nanosecond. */
static void the_same_times(void **state)
{
    int64_t times[16];
    uint32_t sizes[16], n;
    sf_flow *f = build_batches();
    (void)state;
    memset(batch_sizes, 0, sizeof batch_sizes);
    batches = 0;
    tape.size = 0;
    CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
    run_is(f, SF_OK);
    destroy(f);
    memcpy(times, batch_times, sizeof times);
    memcpy(sizes, batch_sizes, sizeof sizes);
    n = batches;
    CHECK(n > 1);
    f = build_batches();
    memset(batch_sizes, 0, sizeof batch_sizes);
    batches = 0;
    CHECK_OK(sf_flow_replay(f, tape.bytes, tape.size, false));
    run_is(f, SF_OK);
    destroy(f);
    CHECK_EQUAL(batches, n);
    CHECK_BYTES(batch_times, times, sizeof times);
    CHECK_BYTES(batch_sizes, sizes, sizeof sizes);
}
static void a_failure_comes_again(void **state)
{
    static sink before[SINKS];
    (void)state;
    p = (plant){ .count = 1000000, .ends = SF_DONE, .fails_at = 9 };
    clear_sinks(false);
    sf_flow *f = build_plant(device);
    tape.size = 0;
    CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
    CHECK_OK(sf_flow_start(f));
    for (uint32_t i = 0; i < 1000; i++) {
        sf_result r;
        do { r = sf_flow_push_value(f, p.reader, 0, number(i)); } while (r == SF_BUSY && !usleep(100));
        if (r == SF_DONE) { break; }
    }
    CHECK_IS(sf_flow_wait(f, GUARD), SF_ERROR_USER);
    destroy_is(f, SF_ERROR_USER);
    memcpy(before, sinks, sizeof sinks);
    p.simulated = true;
    for (int i = 0; i < 3; i++) {
        clear_sinks(false);
        play_plant(device, tape.bytes, tape.size, false, SF_ERROR_USER);
        CHECK(sinks[2].bytes > 0 && !strncmp(sinks[2].text, before[2].text, sinks[2].bytes));
    }
}
static int64_t by_hand;
static int64_t hand_clock(void *user) { return (void)user, by_hand; }
static sf_result fail_once(sf_context *ctx)
{
    static bool failed;
    CHECK_EQUAL(sf_receive_value(ctx, 0).i64, 5);
    failed = !failed;
    return failed ? SF_ERROR_USER : SF_OK;
}
/* A message's time is when it came, not when it was received; a retry, which receives it again, adds none. */
static void when_it_came(void **state)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend, .clock.now = hand_clock });
    sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "late", .compute = fail_once, .on_error = SF_ON_ERROR_RETRY, .retries = 1,
                           .in = {{ .name = "x", .external = true }}, .when = {{ .kind = SF_CONDITION_TIME, .ns = 1000 }} });
    sf_record r;
    size_t at = 0;
    (void)state;
    tape.size = 0;
    by_hand = 100;
    CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
    by_hand = 200;
    CHECK_OK(sf_flow_push_value(f, op, 0, number(5)));
    CHECK_IS(sf_flow_step(f, NULL), SF_IDLE);
    by_hand = 1000;
    CHECK_OK(sf_flow_finish(f));
    while (sf_flow_step(f, NULL) == SF_OK) {}
    sf_flow_destroy(f);
    CHECK_OK(sf_recording_next(tape.bytes, tape.size, &at, &r));
    CHECK(!r.end && r.value.i64 == 5 && r.time == -1);
    CHECK_EQUAL(r.at, 200);
    CHECK_OK(sf_recording_next(tape.bytes, tape.size, &at, &r));
    CHECK(r.end && r.at == 1000);
}
static sf_result fail_each_third(sf_context *ctx)
{
    CHECK_OK(sf_emit_value(ctx, 0, number((int64_t)ctx->run)));
    return ctx->run % 3 == 1 ? SF_ERROR_USER : SF_OK;
}
/* What a failed compute emitted never left: it is not recorded. */
static void what_failed_is_left_out(void **state)
{
    static const int64_t want[] = { 0, 2, 3, 5, 6, 8, 9 };
    sf_flow *f = flow_on(device);
    sf_record r;
    size_t at = 0;
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = fail_each_third, .count = 10, .out = {{ .name = "n" }},
                          .on_error = SF_ON_ERROR_IGNORE });
    (void)state;
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = take_value, .in = {{ .name = "n" }} }));
    tape.size = 0;
    CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
    run_is(f, SF_OK);
    sf_flow_destroy(f);
    for (uint32_t i = 0; i < COUNT(want); i++) {
        CHECK_OK(sf_recording_next(tape.bytes, tape.size, &at, &r));
        CHECK(!r.end && !r.input && r.value.i64 == want[i]);
    }
    CHECK_OK(sf_recording_next(tape.bytes, tape.size, &at, &r));
    CHECK(r.end);
    CHECK_IS(sf_recording_next(tape.bytes, tape.size, &at, &r), SF_DONE);
    CHECK_IS(sf_recording_next(tape.bytes, tape.size, &at, &r), SF_DONE);
}
static sf_result twice_the_value(sf_context *ctx)
{
    test_add(&released, 1);
    return sf_emit_value(ctx, 0, number(2 * sf_receive_value(ctx, 0).i64));
}
static uint32_t hooked;
static void count_hook(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)hook, (void)ctx, (void)port, (void)tensor;
    test_add((uint32_t *)user, 1);
}
/* A chosen operator in the middle: what is in front of it runs, but it does not. The flow's own hook is called. */
static void in_the_middle(void **state)
{
    (void)state;
    for (int replay = 0; replay < 2; replay++) {
        sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = device, .backend = test_backend, .hook = { count_hook, &hooked } });
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .count = 8, .out = {{ .name = "n" }} });
        sf_op m = sf_flow_add(f, &(sf_op_desc){ .name = "m", .compute = twice_the_value, .in = {{ .name = "n" }}, .out = {{ .name = "n" }} });
        sf_op z = sf_flow_add(f, &(sf_op_desc){ .name = "z", .compute = keep_one, .user = &ids[3], .in = {{ .name = "n" }} });
        connect(f, a, m);
        connect(f, m, z);
        notes_clear();
        released = hooked = 0;
        if (replay) {
            CHECK_OK(sf_flow_replay(f, tape.bytes, tape.size, false));
        } else {
            tape.size = 0;
            CHECK_OK(sf_flow_record(f, &m, 1, to_tape, NULL));
        }
        run_is(f, SF_OK);
        destroy(f);
        CHECK_NOTES(3, 2, 4, 6, 8, 10, 12, 14, 16);
        CHECK_EQUAL(released, replay ? 0u : 8u);
        CHECK(hooked > 20);
    }
}

/* -- seeds -- */

static uint32_t *probed;
static uint32_t probes, probed_values[64];
static sf_result launch_paint(sf_context *ctx)
{
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    sf_result r = paint(sf_compute_stream(ctx), out->data, in->data, NULL, 1, 0);
    return r < 0 ? r : sf_emit(ctx, 0, out);
}
static sf_result probe_painted(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    probed_values[probes++ % 64] = *(const uint32_t *)t->data;
    return SF_OK;
}
static sf_flow *build_kernels(sf_device *d, bool simulated, sf_op *op)
{
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = d, .backend = test_backend, .clock.simulated = simulated });
    sf_op a, b;
    CHECK(f != NULL);
    a = *op = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = launch_paint, .in = {{ .name = "x", .external = true, .bytes = BYTES, .capacity = 2 }},
                          .out = {{ .name = "y", .bytes = BYTES }} });
    b = sf_flow_add(f, &(sf_op_desc){ .name = "b", .compute = launch_paint, .in = {{ .name = "x" }},
                    .out = {{ .name = "y", .bytes = BYTES, .memory = SF_MEMORY_PINNED }} });
    connect(f, a, b);
    connect(f, b, sf_flow_add(f, &(sf_op_desc){ .name = "c", .compute = probe_painted, .in = {{ .name = "y" }}, .when = {{ .kind = SF_CONDITION_STREAM }} }));
    return f;
}
/* Pushed tensors go through kernels. In each order of the device, and for each seed, the sink gets the same. */
static void each_seed_gives_the_same(void **state)
{
    enum { N = 20 };
    sf_op op;
    sf_flow *f = build_kernels(device, false, &op);
    uint32_t seeds = on_cuda() ? 1 : 25;
    (void)state;
    tape.size = 0;
    probes = 0;
    CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
    CHECK_OK(sf_flow_start(f));
    probed = (uint32_t *)test_memory(device, N * BYTES);
    for (uint32_t i = 0; i < N; i++) {
        sf_tensor *t;
        for (int k = 0; k < WORDS; k++) { probed[i * WORDS + (uint32_t)k] = 100 * i; }
        t = sf_tensor_wrap(f, &(sf_tensor_desc){ .shape = { BYTES }, .data = probed + i * WORDS, .memory = SF_MEMORY_PINNED });
        while (sf_flow_push(f, op, 0, t) == SF_BUSY) { usleep(100); }
    }
    CHECK_OK(sf_flow_finish(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    destroy(f);
    CHECK_OK(sf_mem_free(device, probed));
    CHECK_EQUAL(probes, N);
    for (uint32_t k = 0; k < order_count(); k++) {
        for (uint64_t seed = 0; seed < seeds; seed++) {
            sf_device *d = open_order(k, seed);
            memset(probed_values, 0, sizeof probed_values);
            probes = 0;
            f = build_kernels(d, true, &op);
            CHECK_OK(sf_flow_replay(f, tape.bytes, tape.size, false));
            guarded_run_is(f, SF_OK, NULL);
            destroy(f);
            CHECK_OK(sf_device_close(d, GUARD));
            CHECK_EQUAL(probes, N);
            for (uint32_t i = 0; i < N; i++) { CHECK_EQUAL(probed_values[i], 100 * i + 2); }
        }
    }
}

/* -- what is refused -- */

static sf_result emit_device(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL)); }
static sf_result emit_on_stream(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_result r = paint(sf_compute_stream(ctx), t->data, NULL, NULL, 1, 0);
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
static sf_result emit_many(sf_context *ctx)
{
    for (int i = 0; i < 65; i++) { (void)sf_emit_value(ctx, 0, number(i)); }
    return SF_DONE;
}
static void says_why(const sf_flow *f, const char *what)
{
    if (!strstr(sf_flow_failure(f)->text, what)) { fail_msg("\"%s\" does not say \"%s\"", sf_flow_failure(f)->text, what); }
}
static void what_cannot_be_recorded(void **state)
{
    static const struct { sf_compute_func compute; sf_memory memory; size_t bytes; const char *says; } cases[] = {
        { emit_device, SF_MEMORY_DEVICE, BYTES, "SF_MEMORY_DEVICE" },
        { emit_on_stream, SF_MEMORY_PINNED, BYTES, "the GPU may still write" },
        { emit_many, SF_MEMORY_PINNED, 0, "64 messages" },
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_on(device);
        sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = cases[i].compute, .count = 1,
                              .out = {{ .name = "t", .bytes = cases[i].bytes, .memory = cases[i].memory }} });
        sf_op b = sf_flow_add(f, &(sf_op_desc){ .compute = cases[i].bytes ? take_tensor : keep_values, .user = &ids[0], .in = {{ .name = "t", .capacity = 100 }} });
        connect(f, a, b);
        tape.size = 0;
        CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
        run_is(f, SF_ERROR_NOT_SUPPORTED);
        says_why(f, cases[i].says);
        destroy_is(f, SF_ERROR_NOT_SUPPORTED);
    }
    for (int i = 0; i < 3; i++) {
        sf_flow *f = flow_on(device);
        sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = nothing, .copies = i == 0 ? 2 : 0, .region = i == 1,
                               .in = {{ .name = "x", .external = true }} });
        if (i < 2) {
            CHECK_IS(sf_flow_record(f, NULL, 0, to_tape, NULL), SF_ERROR_NOT_SUPPORTED);
        } else {
            sf_op other = { op.id + 1 };
            CHECK_IS(sf_flow_record(f, &other, 1, to_tape, NULL), SF_ERROR_UNKNOWN_OPERATOR);
            CHECK_OK(sf_flow_record(f, NULL, 0, to_tape, NULL));
            CHECK_IS(sf_flow_record(f, NULL, 0, to_tape, NULL), SF_ERROR_ILLEGAL_STATE);
            CHECK_IS(sf_flow_replay(f, tape.bytes, 0, false), SF_ERROR_ILLEGAL_STATE);
        }
        CHECK_IS(sf_flow_record(NULL, NULL, 0, to_tape, NULL), SF_ERROR_INVALID_HANDLE);
        CHECK_IS(sf_flow_record(f, NULL, 0, NULL, NULL), SF_ERROR_INVALID_VALUE);
        CHECK_IS(sf_flow_record(f, NULL, 1, to_tape, NULL), SF_ERROR_INVALID_VALUE);
        sf_flow_destroy(f);
    }
}
static void what_cannot_be_played(void **state)
{
    sf_flow *f;
    size_t at = 0;
    sf_record r;
    (void)state;
    p = (plant){ .count = 5, .ends = SF_DONE };
    clear_sinks(false);
    record_plant(8, SF_OK);
    f = flow_on(device);                                     /* no operator of the name */
    CHECK_IS(sf_flow_replay(f, tape.bytes, tape.size, false), SF_ERROR_MISMATCH);
    says_why(f, "has no operator");
    sf_flow_destroy(f);
    f = flow_on(device);                                     /* no such port */
    sf_flow_add(f, &(sf_op_desc){ .name = "gen", .compute = nothing, .out = {{ .name = "n" }} });
    CHECK_IS(sf_flow_replay(f, tape.bytes, tape.size, false), SF_ERROR_MISMATCH);
    says_why(f, "\"gen\".img");
    sf_flow_destroy(f);
    f = flow_on(device);                                     /* the input is not external */
    sf_flow_add(f, &(sf_op_desc){ .name = "gen", .compute = nothing, .out = {{ .name = "n" }, { .name = "img", .bytes = 64 }} });
    sf_flow_add(f, &(sf_op_desc){ .name = "in", .compute = nothing, .in = {{ .name = "cmd", .optional = true }} });
    CHECK_IS(sf_flow_replay(f, tape.bytes, tape.size, false), SF_ERROR_MISMATCH);
    says_why(f, "no external input");
    sf_flow_destroy(f);
    f = build_plant(device);
    CHECK_IS(sf_flow_replay(f, NULL, 0, false), SF_ERROR_INVALID_VALUE);
    CHECK_OK(sf_flow_replay(f, tape.bytes, tape.size, false));
    CHECK_IS(sf_flow_push_value(f, p.reader, 0, number(1)), SF_ERROR_UNKNOWN_PORT);
    CHECK_IS(sf_flow_replay(f, tape.bytes, tape.size, false), SF_ERROR_ILLEGAL_STATE);
    sf_flow_destroy(f);
    CHECK_IS(sf_flow_replay(NULL, tape.bytes, tape.size, false), SF_ERROR_INVALID_HANDLE);
    CHECK_IS(sf_recording_next(NULL, 0, &at, &r), SF_ERROR_INVALID_VALUE);
    at = tape.size + 1;
    CHECK_IS(sf_recording_next(tape.bytes, tape.size, &at, &r), SF_ERROR_INVALID_VALUE);
}
static sf_result read_all(const uint8_t *bytes, size_t size)
{
    sf_record r;
    sf_result result;
    size_t at = 0;
    while ((result = sf_recording_next(bytes, size, &at, &r)) == SF_OK) {}
    return result;
}
static sf_result try_to_play(const uint8_t *bytes, size_t size, bool cut, bool run)
{
    sf_flow *f = build_plant(device);
    sf_result r = sf_flow_replay(f, bytes, size, cut);
    if (r == SF_ERROR_INVALID_VALUE) { says_why(f, "the recording is damaged at byte "); }
    if (r >= 0 && run) { guarded_run_is(f, SF_OK, NULL); }
    sf_flow_destroy(f);
    return r;
}
/* Each byte flipped, each truncation: refused, with the offset. Cut, it is played up to its last whole record. */
static void damaged_ones_are_refused(void **state)
{
    uint8_t *copy;
    size_t size, whole = 0;
    rng r = rng_seed(3);
    (void)state;
    p = (plant){ .count = 4, .ends = SF_DONE, .metadata = true };
    clear_sinks(false);
    record_plant(6, SF_OK);
    p.simulated = true;
    copy = copy_of_tape();
    size = tape.size;
    CHECK_IS(read_all(copy, size), SF_DONE);
    for (size_t i = 0; i < size; i++) {
        uint8_t was = copy[i];
        copy[i] ^= (uint8_t)(1u << rng_below(&r, 8));
        CHECK(read_all(copy, size) == SF_ERROR_INVALID_VALUE || i < 4000);
        CHECK_IS(try_to_play(copy, size, false, false), SF_ERROR_INVALID_VALUE);
        copy[i] = was;
    }
    for (size_t i = 0; i < size; i++) {
        uint8_t *part = malloc(i ? i : 1);
        sf_result cut;
        memcpy(part, copy, i);
        CHECK_IS(read_all(part, i), SF_ERROR_INVALID_VALUE);
        CHECK_IS(try_to_play(part, i, false, false), SF_ERROR_INVALID_VALUE);
        cut = try_to_play(part, i, true, i % 7 == 0);
        CHECK(cut == SF_OK || cut == SF_ERROR_INVALID_VALUE || cut == SF_ERROR_MISMATCH);
        whole += cut == SF_OK;
        free(part);
    }
    CHECK(whole > size / 3);
    free(copy);
}
/* Lies with a right checksum: refused, or played, but nothing is read that is not there. */
static void lies_do_no_harm(void **state)
{
    uint8_t *copy;
    size_t size, at;
    rng r = rng_seed(5);
    uint32_t refused = 0, rounds = 3000;
    (void)state;
    p = (plant){ .count = 4, .ends = SF_DONE, .metadata = true };
    clear_sinks(false);
    record_plant(6, SF_OK);
    p.simulated = true;
    size = tape.size;
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t n = 0, which;
        copy = copy_of_tape();
        for (at = 0; at < size; at += (size_t)(little(copy + at + 6, 2) + little(copy + at + 40, 8))) { n++; }
        which = rng_below(&r, n);
        for (at = 0; which--;) { at += (size_t)(little(copy + at + 6, 2) + little(copy + at + 40, 8)); }
        n = (uint32_t)(little(copy + at + 6, 2) + little(copy + at + 40, 8));
        for (uint32_t k = 0; k < 1 + i % 2; k++) {
            uint32_t byte = rng_below(&r, 3) ? rng_below(&r, 64) : rng_below(&r, n);
            if (byte >= 6 && byte < 8) { continue; }
            if (byte >= 40 && byte < 48) { continue; }
            copy[at + byte] = (uint8_t)(rng_below(&r, 2) ? rng_next(&r) : rng_below(&r, 9));
        }
        seal(copy + at);
        (void)read_all(copy, size);
        sf_flow *f = build_plant(device);
        sf_result result = sf_flow_replay(f, copy, size, false);
        if (result >= 0) { (void)sf_flow_run(f); }
        refused += result < 0;
        sf_flow_destroy(f);
        free(copy);
    }
    CHECK(refused > rounds / 4 && refused < rounds);
}

/* -- cost -- */

static sf_result count_mallocs(sf_context *ctx)
{
    static long before;
    if (ctx->run == 10) { before = __atomic_load_n(&library.mallocs, __ATOMIC_RELAXED); }
    if (ctx->run == 990) { CHECK_EQUAL(__atomic_load_n(&library.mallocs, __ATOMIC_RELAXED), before); }
    return sf_receive(ctx, 0) ? SF_OK : SF_ERROR_USER;
}
static void to_nowhere(void *user, const void *head, size_t head_bytes, const void *data, size_t data_bytes)
{
    (void)head, (void)data;
    *(size_t *)user += head_bytes + data_bytes;
}
static sf_result emit_pinned(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    memset(t->data, (int)ctx->run, t->bytes);
    return sf_emit(ctx, 0, t);
}
static void nothing_is_allocated(void **state)
{
    size_t bytes = 0;
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = emit_pinned, .count = 1000,
                          .out = {{ .name = "t", .bytes = BYTES, .memory = SF_MEMORY_PINNED }} });
    (void)state;
    connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = count_mallocs, .in = {{ .name = "t" }} }));
    CHECK_OK(sf_flow_record(f, NULL, 0, to_nowhere, &bytes));
    run_is(f, SF_OK);
    destroy(f);
    CHECK(bytes > 1000 * BYTES);
}
/* Recorder and player live in a flow's own memory; what is missing is said. */
static void in_memory_handed_in(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        sf_flow_desc d = { .device = device, .backend = test_backend, .limits = { .ops = 4, .edges = 4, .messages = 16 } };
        size_t bytes = sf_flow_memory(&d) + (i < 2 ? 1 << 14 : 0);
        void *memory = malloc(bytes);
        sf_flow *f;
        sf_op a;
        d.memory = (sf_range){ memory, bytes };
        f = sf_flow_create(&d);
        CHECK(f != NULL);
        a = sf_flow_add(f, &(sf_op_desc){ .name = "a", .compute = count_up, .count = 4, .out = {{ .name = "n" }} });
        connect(f, a, sf_flow_add(f, &(sf_op_desc){ .compute = keep_one, .user = &ids[2], .in = {{ .name = "n" }} }));
        notes_clear();
        if (i >= 2) {                        /* enough for some, or too little in words */
            sf_result r = i == 2 ? sf_flow_record(f, NULL, 0, to_nowhere, &bytes) : sf_flow_replay(f, tape.bytes, tape.size, false);
            if (r < 0) { CHECK_IS(r, SF_ERROR_NO_ROOM); says_why(f, "make it"); }
        } else {
            if (!i) { tape.size = 0; }
            CHECK_OK(i ? sf_flow_replay(f, tape.bytes, tape.size, false) : sf_flow_record(f, NULL, 0, to_tape, NULL));
            run_is(f, SF_OK);
            CHECK_NOTES(2, 1, 2, 3, 4);
        }
        sf_flow_destroy(f);
        free(memory);
    }
}
/* A file has what memory has. */
static void into_a_file(void **state)
{
    static uint8_t bytes[1 << 16];
    FILE *file = tmpfile();
    sf_flow *f;
    size_t size;
    (void)state;
    CHECK(file != NULL);
    p = (plant){ .count = 5, .ends = SF_DONE, .simulated = true, .workers = 0 };
    for (int i = 0; i < 2; i++) {
        clear_sinks(false);
        f = build_plant(device);
        tape.size = 0;
        CHECK_OK(sf_flow_record(f, NULL, 0, i ? to_tape : sf_record_file, i ? NULL : file));
        CHECK_OK(sf_flow_finish(f));
        run_is(f, SF_OK);
        destroy(f);
    }
    rewind(file);
    size = fread(bytes, 1, sizeof bytes, file);
    CHECK_EQUAL(size, tape.size);
    CHECK_BYTES(bytes, tape.bytes, size);
    fclose(file);
}

/* -- one operator alone -- */

static struct { int64_t value[32], at[32], time[32]; uint32_t meta[32], count; uint8_t data[8][BYTES]; } given;
static void note_given(void *user, const sf_record *r)
{
    uint32_t i = given.count++ % 32;
    (void)user;
    given.value[i] = r->data ? *(const int32_t *)r->data : r->value.i64;
    given.at[i] = r->at;
    given.time[i] = r->time;
    given.meta[i] = r->entries ? r->keys[0] : 0;
    if (r->data && i < 8) { memcpy(given.data[i], r->data, r->bytes < BYTES ? r->bytes : BYTES); }
}
static sf_result add_two(sf_context *ctx)
{
    return sf_emit_value(ctx, 0, number(sf_receive_value(ctx, 0).i64 + sf_receive_value(ctx, 1).i64));
}
static void alone_with_values(void **state)
{
    sf_record feed[] = {
        { .port = "a", .value = number(1), .time = 5, .entries = 1, .keys = { 9 } },
        { .port = "a", .value = number(2), .time = -1, .at = SF_MS(10) },
        { .port = "b", .value = number(30), .time = -1 },
        { .port = "b", .value = number(40), .time = -1, .at = SF_MS(20) },
        { .port = "b", .value = number(50), .time = -1, .at = SF_MS(30) },   /* without a partner */
    };
    sf_op_desc d = { .name = "sum", .compute = add_two, .in = {{ .name = "a", .external = true }, { .name = "b" }},
                     .out = {{ .name = "c" }} };
    (void)state;
    memset(&given, 0, sizeof given);
    CHECK_OK(sf_op_try(&d, &(sf_try_desc){ .device = device, .feed = feed, .count = COUNT(feed), .got = note_given }));
    CHECK_EQUAL(given.count, 2);
    CHECK(given.value[0] == 31 && given.value[1] == 42);
    CHECK(given.at[0] == 0 && given.at[1] == SF_MS(20));
    CHECK(given.time[0] == 5 && given.time[1] == -1 && given.meta[0] == 9 && !given.meta[1]);
}
static void alone_with_a_kernel(void **state)
{
    uint32_t words[2][WORDS];
    sf_op_desc d = { .name = "paint", .compute = launch_paint, .in = {{ .name = "x" }}, .out = {{ .name = "y", .bytes = BYTES }} };
    (void)state;
    for (int i = 0; i < WORDS; i++) { words[0][i] = 7; words[1][i] = (uint32_t)i; }
    for (int own = 0; own <= !on_cuda(); own++) {
        for (int memory = SF_MEMORY_DEVICE; memory <= SF_MEMORY_PINNED; memory++) {
            sf_record feed[] = {
                { .port = "x", .data = words[0], .bytes = BYTES, .time = -1, .memory = (sf_memory)memory },
                { .port = "x", .data = words[1], .bytes = BYTES, .time = -1, .memory = (sf_memory)memory, .dtype = SF_U32, .ndim = 2, .shape = { 8, 8 } },
            };
            memset(&given, 0, sizeof given);
            CHECK_OK(sf_op_try(&d, &(sf_try_desc){ .device = own ? NULL : device, .feed = feed, .count = 2, .got = note_given }));
            CHECK_EQUAL(given.count, 2);
            for (int i = 0; i < WORDS; i++) {
                CHECK_EQUAL(((uint32_t *)(void *)given.data[0])[i], 8);
                CHECK_EQUAL(((uint32_t *)(void *)given.data[1])[i], (uint32_t)i + 1);
            }
        }
    }
}
static void name_given(void *user, const sf_record *out)
{
    CHECK(out->op && !strcmp(out->op, (const char *)user));
    given.count++;
}
static sf_result name_itself(sf_context *ctx)
{
    snprintf((char *)ctx->user, 32, "%s", ctx->name);
    return sf_emit_value(ctx, 0, sf_receive_value(ctx, 0));
}
static void alone_without_a_name(void **state)
{
    char name[32] = "";
    sf_record feed[] = {{ .port = "x", .value = number(1), .time = -1 }};
    sf_op_desc d = { .compute = name_itself, .user = name, .in = {{ .name = "x" }}, .out = {{ .name = "y" }} };
    (void)state;
    memset(&given, 0, sizeof given);
    CHECK_OK(sf_op_try(&d, &(sf_try_desc){ .device = device, .feed = feed, .count = 1, .got = name_given, .user = name }));
    CHECK_EQUAL(given.count, 1);
}
static sf_result fail_on_three(sf_context *ctx)
{
    int64_t v = sf_receive_value(ctx, 0).i64;
    return v == 3 ? sf_fail(ctx, SF_ERROR_USER, "it is three") : sf_emit_value(ctx, 0, number(v));
}
static sf_result sum_on_the_cpu(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    int64_t sum = 0;
    for (size_t i = 0; i < t->bytes && ctx->user; i++) { sum += ((const uint8_t *)t->data)[i]; }
    return sf_emit_value(ctx, 0, number(sum));
}
static char logged[512];
static void keep_log(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line, const char *file, void *user)
{
    (void)tag, (void)level, (void)item, (void)line, (void)file, (void)user;
    snprintf(logged, sizeof logged, "%s", message);
}
static void alone_and_wrong(void **state)
{
    sf_record feed[] = {{ .port = "x", .value = number(1), .time = -1 }, { .port = "x", .value = number(3), .time = -1 }};
    sf_op_desc d = { .name = "op", .compute = fail_on_three, .in = {{ .name = "x" }}, .out = {{ .name = "y" }} };
    sf_op_desc ticks = { .name = "ticks", .compute = count_up, .period = SF_MS(1), .out = {{ .name = "y" }} };
    sf_try_desc t = { .device = device, .feed = feed, .count = 2, .got = note_given, .logger.func = keep_log };
    (void)state;
    memset(&given, 0, sizeof given);
    CHECK_IS(sf_op_try(&d, &t), SF_ERROR_USER);
    CHECK_EQUAL(given.count, 1);
    CHECK(strstr(logged, "it is three") != NULL);
    feed[1].port = "z";
    CHECK_IS(sf_op_try(&d, &t), SF_ERROR_UNKNOWN_PORT);
    CHECK(strstr(logged, "input \"z\"") != NULL);
    t.count = 0;
    CHECK_IS(sf_op_try(&d, &t), SF_ERROR_NOT_CONNECTED);
    CHECK_IS(sf_op_try(NULL, &t), SF_ERROR_INVALID_VALUE);
    CHECK_IS(sf_op_try(&d, NULL), SF_ERROR_INVALID_VALUE);
    for (int i = 0; i < 2; i++) {                            /* the CPU reads what is by default the GPU's memory */
        static const uint8_t bytes[4] = { 1, 2, 3, 4 };
        sf_record one = { .port = "x", .data = bytes, .bytes = 4, .time = -1, .memory = i ? SF_MEMORY_PINNED : SF_MEMORY_DEVICE };
        sf_op_desc sum = { .name = "sum", .compute = sum_on_the_cpu, .in = {{ .name = "x" }}, .out = {{ .name = "y" }},
                           .when = {{ .kind = i ? SF_CONDITION_STREAM : SF_CONDITION_NONE }}, .user = i ? &given : NULL };
        sf_try_desc once = { .device = device, .feed = &one, .count = 1, .got = note_given, .logger.func = keep_log };
        CHECK_IS(sf_op_try(&sum, &once), i ? SF_OK : SF_ERROR_INVALID_VALUE);
        CHECK(i || strstr(logged, "which the CPU cannot read"));
    }
    t.duration = SF_MS(9) + 1;                               /* a source without an end */
    given.count = 0;
    CHECK_OK(sf_op_try(&ticks, &t));
    CHECK_EQUAL(given.count, 10);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_run_comes_again), TEST(each_run_plays_it), TEST(each_policy), TEST(the_newest_value), TEST(the_same_times),
        TEST(a_failure_comes_again), TEST(when_it_came), TEST(what_failed_is_left_out), TEST(in_the_middle), TEST(each_seed_gives_the_same),
        TEST(what_cannot_be_recorded), TEST(what_cannot_be_played), TEST(damaged_ones_are_refused), TEST(lies_do_no_harm),
        TEST(nothing_is_allocated), TEST(in_memory_handed_in), TEST(into_a_file), TEST(alone_with_values), TEST(alone_with_a_kernel), TEST(alone_without_a_name),
        TEST(alone_and_wrong),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
