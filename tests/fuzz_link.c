/*  fuzz_link.c - what another process may say to a flow: a string of bytes becomes messages, headers and payloads, over
    the transport of link_pipe.h. To a flow that listens, and to one that connects; before a right HELLO or WELCOME, and
    behind one. Whatever comes, nothing may crash, hang or leak, and what reaches an operator is a sound message. Three
    ways to run it:

        fuzz_link [FOLDER or FILE]... [--seed N] [--loud]
            replays files, then SF_TEST_SEEDS / 5 random strings, or that one: TAP
        fuzz_link --write FOLDER
            writes a few strings to begin with
        clang -fsanitize=fuzzer,address,undefined -DSF_WITH_LINKS -I. tests/fuzz_link.c tests/library.c -pthread -lm -ldl
            libFuzzer's main() beats ours; begin with tests/fuzz_links, and -len_control=0

    A string: a byte of flags, then steps, each of them a byte that says what, and what it takes. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include "../streamflow.h"
#include "fuzz.h"
#include "link_pipe.h"

enum { BYTES = 96, HEADER = 64, BODY = 4096, STEPS = 400 };
enum { LISTENS = 1, PROVEN = 2, EAGER = 4, LAZY = 8, LATEST = 16, WAITS = 32 };        /* flags */

static uint64_t take_number(bytes *b, int n)
{
    uint64_t v = 0;
    for (int i = 0; i < n; i++) { v |= (uint64_t)take(b) << 8 * i; }
    return v;
}
static struct world {
    bytes in;
    sf_device *device;
    sf_flow *flow;
    sf_peer peer;
    raw_peer raw;
    test_heap heap;
    uint8_t flags, body[BODY];
    uint64_t conn, number, received;         /* number: of DATA, in order */
    uint32_t epoch, seen;
    bool over;
    sf_tensor *held;
} w;

/* -- the flow -- */

static void no_log(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                   const char *file, void *user)
{
    (void)line, (void)file, (void)user, (void)tag, (void)item;
    CHECK(level < 4 && (!message || strlen(message) < 65536));
    for (const char *at = message; at && *at; at++) { CHECK((uint8_t)*at >= ' ' && (uint8_t)*at <= '~'); }
    if (loud) { printf("  log %u: %s\n", level, message ? message : ""); }
}
static sf_result send_some(sf_context *ctx)  /* values and tensors in turn */
{
    if (ctx->run % 2) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
    sf_tensor *t = sf_tensor_create(ctx, 0, &(sf_tensor_desc){ .shape = { BYTES } });
    memset(t->data, (int)ctx->run, BYTES);
    return sf_emit(ctx, 0, t);
}
/* A received tensor has the bytes that its shape needs, all of them readable; and is kept for a while. */
static void look_at(sf_tensor *t)
{
    uint64_t n = ((uint32_t)t->dtype >> 8 & 0xff) * (uint64_t)((uint32_t)t->dtype >> 16) / 8;
    volatile uint8_t sum = 0;
    for (int32_t i = 0; i < t->ndim; i++) {
        CHECK(t->shape[i] > 0);
        n *= (uint64_t)t->shape[i];
    }
    CHECK(t->ndim > 0 && t->ndim <= SF_MAX_DIMS && n <= BYTES && n == t->bytes);
    for (size_t i = 0; i < t->bytes; i++) { sum = (uint8_t)(sum + ((const uint8_t *)t->data)[i]); }
    if (w.held) { sf_tensor_release(w.held); }
    w.held = sf_tensor_retain(t);
}
static void see(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)ctx, (void)port, (void)user, (void)tensor;
    w.received += hook == SF_HOOK_RECEIVE;
}
static sf_result take_tensors(sf_context *ctx)
{
    uint32_t key;
    sf_value value;
    sf_tensor *t = sf_receive(ctx, 0);       /* a value instead fails the run: as it should */
    for (uint32_t i = 0; sf_list_metadata(ctx, i, &key, &value); i++) { CHECK(i < 16); }
    CHECK(sf_get_timestamp(ctx, 0) >= -1);
    if (t && t->bytes) { look_at(t); }
    return SF_OK;
}
static sf_result take_values(sf_context *ctx) { return (void)sf_receive_value(ctx, 0), SF_OK; }
static void begin(void)
{
    sf_flow_desc d = { .name = "fuzz", .device = w.device, .backend = SF_BACKEND_HOST, .metadata_entries = 3,
                       .logger.func = no_log, .hook.func = see,
                       .heap = { test_heap_alloc, test_heap_free, &w.heap } };
    sf_link_desc x = { .name = "x", .bytes = BYTES, .capacity = 3, .memory = SF_MEMORY_PINNED,
                       .overflow = w.flags & LATEST ? SF_OVERFLOW_DROP_OLDEST : SF_OVERFLOW_BLOCK }, y = x, z = x;
    sf_op from, tensors, values;
    y.name = "y";
    z.name = "z";
    z.bytes = 0;
    w.flow = sf_flow_create(&d);
    CHECK(w.flow != NULL);
    w.peer = sf_flow_add_peer(w.flow, &(sf_peer_desc){ .name = "peer", .address = "pipe:one", .token = "12345678",
        .listen = w.flags & LISTENS, .transport = &pipe_table, .on_lost = w.flags & WAITS ? SF_ON_LOST_WAIT
                                                                                           : SF_ON_LOST_END });
    from = sf_flow_add(w.flow, &(sf_op_desc){ .name = "from", .compute = send_some, .count = 20,
        .out = { { .name = "out", .bytes = BYTES, .memory = SF_MEMORY_PINNED } } });
    tensors = sf_flow_add(w.flow, &(sf_op_desc){ .name = "tensors", .compute = take_tensors,
        .on_error = SF_ON_ERROR_IGNORE, .in = { { .name = "in" } } });
    values = sf_flow_add(w.flow, &(sf_op_desc){ .name = "values", .compute = take_values,
        .on_error = SF_ON_ERROR_IGNORE, .in = { { .name = "in" } } });
    CHECK_OK(sf_flow_link(w.flow, from, "out", w.peer, &x));
    CHECK_OK(sf_flow_link_from(w.flow, w.peer, tensors, "in", &y));
    CHECK_OK(sf_flow_link_from(w.flow, w.peer, values, "in", &z));
    w.over = false;
}
static void step(int n)
{
    for (int i = 0; i < n; i++) {
        sf_result r = w.over ? SF_DONE : sf_flow_step(w.flow, NULL);
        w.over = w.over || r == SF_DONE || r < 0;
        (void)pipe_progress(w.raw.transport);
        if (w.raw.lost) { raw_leave(&w.raw); }
    }
}

/* -- the other process -- */

static const raw_message *last(int word)     /* NULL: no such one was heard */
{
    for (uint32_t i = w.raw.count; i && i + COUNT(w.raw.got) > w.raw.count; i--) {
        const raw_message *m = &w.raw.got[(i - 1) % COUNT(w.raw.got)];
        if (m->header_bytes >= HEADER && m->header[5] == word) { return m; }
    }
    return NULL;
}
static void header_of(uint8_t *h, int word, uint64_t bytes)
{
    memset(h, 0, 512);
    put(h, 0x314c4653, 4);
    h[4] = 1;
    h[5] = (uint8_t)word;
    h[6] = HEADER;
    put(h + 8, w.conn, 8);
    put(h + 20, w.epoch, 4);
    put(h + 40, bytes, 8);
    put(h + 48, UINT64_MAX, 8);
}
static void come(void)                       /* to the flow, or let it come */
{
    if (w.flags & LISTENS) {
        raw_leave(&w.raw);
        w.raw.count = 0;
        w.raw.lost = false;
        (void)pipe_connect(w.raw.transport, "pipe:one", &w.raw, &w.raw.connection);
    } else if (w.raw.lost || !w.raw.connection) {
        raw_leave(&w.raw);
        w.raw.lost = false;
        w.raw.count = 0;
    }
    step(20);
}
/* HELLO or WELCOME as it should be; `bend`: a byte of its body is another one. */
static void prove(int bend, uint8_t with)
{
    static const struct { char name; bool sends; uint16_t bytes; } links[] = { { 'x', false, BYTES },
                                                                               { 'y', true, BYTES }, { 'z', true, 0 } };
    uint8_t h[512], *body = w.body;
    memset(body, 0, 128 + 3 * 80);
    memcpy(body, "12345678", 8);
    put(body + 32, 5, 8);
    put(body + 40, 3, 4);
    put(body + 44, 1000, 4);
    memcpy(body + 48, "peer", 4);
    body[96] = 3;
    for (int i = 0; i < 3; i++) {
        uint8_t *at = body + 128 + 80 * i;
        at[0] = (uint8_t)links[i].name;
        at[48] = links[i].sends;
        at[49] = w.flags & LATEST ? SF_OVERFLOW_DROP_OLDEST : SF_OVERFLOW_BLOCK;
        at[50] = 3;
        put(at + 56, links[i].bytes, 8);
    }
    if (bend >= 0) { body[bend % 368] ^= with; }
    w.number = 0;
    if (w.flags & LISTENS) {
        w.conn = w.epoch = 0;
        header_of(h, HELLO, 368);
        raw_send(&w.raw, h, HEADER, body, 368);
        step(20);
        if (last(WELCOME)) {
            w.conn = get(last(WELCOME)->header + 8, 8);
            w.epoch = (uint32_t)get(last(WELCOME)->header + 20, 4);
        }
    } else {
        w.conn = 99;
        w.epoch = 1;
        header_of(h, WELCOME, 368);
        raw_send(&w.raw, h, HEADER, body, 368);
        step(20);
    }
}
/* A right message of a word, but for what the string changes. */
static void say(uint8_t word)
{
    uint8_t h[512];
    size_t n = HEADER, bytes = 0;
    uint8_t how = take(&w.in);
    header_of(h, word, 0);
    h[16] = take(&w.in) % 4;                 /* the link */
    put(h + 24, word == DATA ? w.number++ : take(&w.in) % 32, 8);
    if (word == CREDIT) { h[32] = take(&w.in) % 32; }
    if (word == DATA && h[16] == 2) {
        h[62] = 1;
        memset(h + n, how, 16);
        n += 16;
    } else if (word == DATA) {
        uint8_t dims = (uint8_t)(1 + how % 8);
        put(h + 58, how & 64 ? SF_F32 : SF_U8, 3);
        h[61] = dims;
        bytes = how & 64 ? 4 : 1;
        for (uint8_t i = 0; i < dims; i++) {
            uint64_t of = 1 + take(&w.in) % 4;
            put(h + n, of, 8);
            n += 8;
            bytes *= of;
        }
        put(h + 40, bytes, 8);
    }
    if (word == DATA && how & 8) {           /* metadata */
        uint8_t entries = how >> 4 & 3;
        put(h + 56, entries * 20u, 2);
        memset(h + n, how, entries * 20u);
        n += entries * 20u;
        put(h + 48, how, 8);
    }
    put(h + 6, n, 2);
    if (how & 128) {                         /* a change */
        uint8_t at = take(&w.in);
        h[at % n] ^= take(&w.in);
        if (at == 255) { bytes = take_number(&w.in, 2) % BODY; }
    }
    memset(w.body, how, bytes < BODY ? bytes : BODY);
    if (loud) { printf("  word %u, link %u, %zu and %zu bytes\n", word, h[16], n, bytes); }
    raw_send(&w.raw, h, n, bytes ? w.body : NULL, bytes < BODY ? bytes : BODY);
}
static void any_message(void)                /* as it is in the string */
{
    uint8_t h[PIPE_HEADER] = { 0 };
    size_t n = 1 + take_number(&w.in, 2) % 512, bytes = take_number(&w.in, 2) % BODY, i;
    for (i = 0; i < n && w.in.at < w.in.end; i++) { h[i] = take(&w.in); }
    for (i = 0; i < bytes && w.in.at < w.in.end && i < 64; i++) { w.body[i] = take(&w.in); }
    if (loud) { printf("  any message, %zu and %zu bytes\n", n, bytes); }
    raw_send(&w.raw, h, n, bytes ? w.body : NULL, bytes);
}
static void play(void)
{
    uint8_t with;
    while (w.in.at < w.in.end && w.raw.used < 240) {
        uint8_t what = take(&w.in);
        switch (what % 16) {
        case 0: step(1 + what / 16); break;
        case 1: any_message(); break;
        case 2:
            come();
            if (what & 16) { prove(-1, 0); }
            break;
        case 3:
            with = take(&w.in);
            come();
            prove((int)take_number(&w.in, 2), with);
            break;
        case 4: prove(-1, 0); break;
        case 5: raw_leave(&w.raw); break;
        case 6: step(1 + take(&w.in)); break;
        case 7: say((uint8_t)(take(&w.in) % 16)); break;
        case 8: case 9: case 10: say(DATA); break;
        case 11: case 12: say(CREDIT); break;
        case 13: say(END); break;
        case 14: say(CLOSE); break;
        default: say(what & 16 ? BYE : PING);
        }
    }
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const char *left;
    sf_peer_info info;
    if (!w.device) {
        test_backend = SF_BACKEND_HOST;
        w.device = test_open_workers(0);
    }
    w.in = (bytes){ data, data + n };
    w.flags = take(&w.in);
    w.conn = w.epoch = w.seen = 0;
    w.number = w.received = 0;
    pipes_begin(PIPE_SOUND, 0, w.flags & EAGER ? 4096 : 32, w.flags & LAZY ? 50 : 0, n);
    begin();
    memset(&w.raw, 0, sizeof w.raw);
    if (w.flags & LISTENS) {
        raw_open(&w.raw, "pipe:two", true);
    } else {
        raw_open(&w.raw, "pipe:one", true);
    }
    step(3);
    come();
    if (w.flags & PROVEN) { prove(-1, 0); }
    play();
    step(60);
    CHECK_OK(sf_flow_get_peer(w.flow, w.peer, &info));
    CHECK(strlen(info.why) < sizeof info.why && info.received < 1000 && info.sent <= 20);
    if (loud) { printf("  state %d, epoch %u, received %d, why \"%s\"\n", (int)info.state, info.epoch,
                       (int)info.received, info.why); }
    if (!w.over) { CHECK_OK(sf_flow_stop(w.flow)); }
    for (int i = 0; i < STEPS && !w.over; i++) { step(1); }
    CHECK(w.over);
    raw_close(&w.raw);
    if (w.held) { sf_tensor_release(w.held); }
    w.held = NULL;
    (void)sf_flow_destroy(w.flow);
    CHECK_EQUAL(w.heap.live, 0);
    left = pipes_are_empty();
    if (left) { fail_msg("%s", left); }
    return 0;
}

/* -- files and seeds -- */

static size_t string_of(uint64_t seed, uint8_t *data)
{
    rng r = rng_seed(seed);
    size_t n = random_string(&r, data, 256);
    if (rng_below(&r, 4)) { data[0] |= PROVEN; }
    return n;
}
__attribute__((weak)) int main(int argc, char **argv)
{
    if (argc != 3 || strcmp(argv[1], "--write")) { return fuzz_main(argc, argv, string_of); }
    for (uint64_t seed = 0; seed < 24; seed++) {
        uint8_t data[STRING];
        char name[4096];
        size_t n = string_of(seed, data);
        FILE *file;
        snprintf(name, sizeof name, "%s/%02u", argv[2], (unsigned)seed);
        file = fopen(name, "wb");
        if (!file || fwrite(data, 1, n, file) != n) { return 1; }
        fclose(file);
    }
    return 0;
}
