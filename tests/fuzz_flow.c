/*  fuzz_flow.c - the operator runtime used at random and with ill will: a string of bytes becomes public calls on a
    few flows, operators, streams, pools and tensors, right ones and wrong ones, and what the computes do is in the
    bytes, too. Whatever the calls return, nothing may crash, hang or leak. Three ways to run it:

        fuzz_flow [FOLDER or FILE]... [--seed N] [--loud]
            replays files, then SF_TEST_SEEDS / 5 random strings, or that one: TAP
        fuzz_flow -
            one string from stdin; built with afl-clang-fast many, one after the other
        clang -fsanitize=fuzzer,address,undefined -I. tests/fuzz_flow.c -pthread -lm -ldl
            libFuzzer's main() beats ours; begin with tests/fuzz_corpus, and -len_control=0

    Not generated, as the header forbids it: a flow, device or tensor after its end, a context outside of its hook,
    two threads that step one flow or push to one port at a time, streams and pools destroyed under a running flow. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include "../streamflow.h"
#include "fuzz.h"

enum { FLOWS = 3, OPS = 12, PORTS = 4, STREAMS = 4, POOLS = 3, KEPT = 6, CODE = 24, COMPUTES = 300, ROOM = 8 << 20 };

typedef struct actor {                       /* an operator: what its hooks do, two bytes at a time, in a circle */
    struct slot *of;
    uint8_t code[CODE], bytes, at, check_at;
    uint8_t inputs, outputs, behind[4], edges;               /* operators behind its outputs, the last four */
    uint32_t tensors_in, tensors_out, pushed, signals;       /* a bit per port; per condition */
    uint8_t own[PORTS][64];                  /* outputs with a buffer of their own */
} actor;
typedef struct slot {                        /* for a flow */
    sf_flow *flow;
    void *block;                             /* sf_flow_desc.memory */
    bool alone, threads;                     /* on a device of its own; may have workers */
    uint32_t background, ops, id[OPS], computes, inside, started;        /* inside: hooks that run */
    actor actors[OPS];
} slot;
typedef struct kept { sf_tensor *tensor; slot *of; bool retained; } kept;    /* a reference; `of`: its flow */

static struct world {
    bytes in;
    sf_device *device;
    slot flows[FLOWS];
    sf_stream *streams[STREAMS];
    sf_event *event;
    sf_mem_pool *pools[POOLS];
    sf_stream_pool *stream_pools[2];
    kept kept[KEPT];
    uint32_t nested, wraps, releases, tries;
    int64_t clock;
    long blocks, countdown;                  /* of the heap: live; requests until one is refused */
} w;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t outside_memory[4096];
static const char *const names[] = { "a", "b", "c", "d", NULL, "", "quo\"te\\\n\x01", "nobody" };

/* -- what the library is lent: a heap that refuses now and then, a clock, ways to write -- */

static void *heap_alloc(size_t n, void *user)
{
    void *p = n > ROOM || __atomic_sub_fetch(&w.countdown, 1, __ATOMIC_RELAXED) == 0 ? NULL : malloc(n);
    (void)user;
    if (p) { __atomic_add_fetch(&w.blocks, 1, __ATOMIC_RELAXED); }
    return p;
}
static void heap_free(void *p, void *user)
{
    (void)user;
    __atomic_sub_fetch(&w.blocks, p != NULL, __ATOMIC_RELAXED);
    free(p);
}
static const sf_heap heap = { heap_alloc, heap_free, NULL };

static int64_t slow_clock(void *user) { return (void)user, __atomic_add_fetch(&w.clock, 777, __ATOMIC_RELAXED); }
static void no_log(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                   const char *file, void *user)
{
    (void)line, (void)file, (void)user;
    CHECK(level < 4 && (!message || strlen(message) < 65536) && (!tag || tag[0]) && (item || !item));
}
typedef struct page { char text[65536]; size_t used; } page;
static void keep_text(void *user, const char *text, size_t n)
{
    page *p = (page *)user;
    for (size_t i = 0; i < n; i++) {
        if (p->used < sizeof p->text) { p->text[p->used++] = text[i]; }
    }
}
static void check_json(const page *p)        /* brackets and strings end; no raw control characters within */
{
    int depth = 0;
    bool string = false;
    for (size_t i = 0; i < p->used && p->used < sizeof p->text; i++) {
        char c = p->text[i];
        if (string) {
            CHECK((unsigned char)c >= 32);
            if (c == '\\') { i++; } else { string = c != '"'; }
        } else {
            string = c == '"';
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
            CHECK(depth >= 0);
        }
    }
    CHECK(p->used == sizeof p->text || (!string && depth == 0));
}

/* -- GPU work that reads and writes its buffers to the last byte, and takes several tries -- */

typedef struct work_args {
    uint8_t *dst;
    const uint8_t *src;
    size_t dst_bytes, src_bytes;
    uint32_t tries, code;
} work_args;
static int work_host(const sf_slice *slice, const void *args)
{
    const work_args *a = (const work_args *)args;
    ptrdiff_t read = (ptrdiff_t)a->src_bytes, written = (ptrdiff_t)a->dst_bytes, i;
    uint8_t sum = 0;
    if (a->tries && (test_add(&w.tries, 1) * 2654435761u >> 28) < a->tries) { return SF_NOT_READY; }
    for (i = sf_slice_begin(slice, read); i < sf_slice_end(slice, read); i++) { sum = (uint8_t)(sum + a->src[i]); }
    for (i = sf_slice_begin(slice, written); i < sf_slice_end(slice, written); i++) { a->dst[i] = sum; }
    return (int)a->code;
}
static const sf_kernel work_kernel = { .name = "work", .host = work_host, .slices = 2 };
static const sf_kernel no_kernel = { .name = "none" };

static sf_result work(sf_stream *s, sf_tensor *dst, sf_tensor *src, uint8_t how)
{
    work_args a;
    memset(&a, 0, sizeof a);
    if (dst) { a.dst = (uint8_t *)dst->data, a.dst_bytes = dst->data ? dst->bytes : 0; }
    if (src) { a.src = (const uint8_t *)src->data, a.src_bytes = src->data ? src->bytes : 0; }
    a.tries = how & 7;
    return sf_launch(s, &work_kernel, &a, sizeof a);
}
static void host_func(void *user)
{
    (void)user;
    CHECK(sf_flow_create(NULL) == NULL);     /* nothing is permitted in here */
}

/* -- which one -- */

static slot *any_flow(uint8_t b) { return &w.flows[b % FLOWS]; }
static sf_op any_op(const slot *h, uint8_t b)                /* mostly one of the flow's */
{
    uint32_t n = test_load(&h->ops);
    sf_op op = { 0 };
    if (b >= 0xf8) {
        op.id = b & 1 ? 0 : b * 0x01010101u;
    } else if (b >= 0xf4) {
        op.id = test_load(&w.flows[b & 1].id[0]);
    } else if (n) {
        op.id = test_load(&h->id[b % n]);
    }
    return op;
}
static int any_of(uint32_t mask, uint8_t b)                  /* mostly a bit of the mask */
{
    return b >= 0xf0 ? (int)b - 0xf8 : mask ? __builtin_ctz(mask) : b & 3;
}
static int any_port(uint8_t b, uint8_t count) { return b >= 0xf0 ? (int)b - 0xf8 : count ? b % count : 0; }
static sf_stream *any_stream(uint8_t b)
{
    return b >= 0xf0 ? NULL : b >= 0xe0 ? sf_stream_legacy(w.device) : w.streams[b % STREAMS];
}
static int64_t any_timeout(uint8_t b) { return b & 1 ? SF_US(b) : 0; }
static sf_value any_value(uint8_t b)
{
    sf_value v;
    memset(&v, b, sizeof v);
    return v;
}
static bool nobody_runs(void)                /* but, maybe, the caller itself */
{
    for (int i = 0; i < FLOWS; i++) {
        if (test_load(&w.flows[i].background) || (w.flows[i].flow && w.flows[i].threads)) { return false; }
    }
    return true;
}

/* -- tensors that outlive their compute -- */

static void release_func(void *data, void *user) { (void)data, (void)user, test_add(&w.releases, 1); }
static sf_tensor *wrap(slot *h, uint8_t b)
{
    sf_tensor_desc d;
    sf_tensor *t;
    memset(&d, 0, sizeof d);
    d.data = b & 0x80 ? NULL : outside_memory + (b & 63);
    d.shape[0] = b == 0x7f ? -1 : 1 + b;
    d.memory = b == 0x7e ? (sf_memory)9 : SF_MEMORY_HOST;
    d.dtype = b & 1 ? SF_F32 : (sf_dtype)0;
    if (b & 2) { d.release = release_func; }
    t = sf_tensor_wrap(h->flow, &d);
    if (t && (b & 2)) { test_add(&w.wraps, 1); }
    return t;
}
static void keep(slot *h, sf_tensor *t, bool retained)       /* takes the reference */
{
    if (!t || !t->owner) { return; }
    pthread_mutex_lock(&lock);
    for (int i = 0; t && i < KEPT; i++) {
        if (!w.kept[i].tensor) { w.kept[i] = (kept){ t, h, retained }, t = NULL; }
    }
    pthread_mutex_unlock(&lock);
    sf_tensor_release(t);
}
static sf_tensor *unkeep(uint8_t b, const slot *for_flow, bool *retained)    /* NULL: none may go to that flow */
{
    kept *k = &w.kept[b % KEPT];
    sf_tensor *t;
    pthread_mutex_lock(&lock);
    t = !for_flow || k->of == for_flow || (!for_flow->alone && (!k->of || !k->of->alone)) ? k->tensor : NULL;
    if (t) { k->tensor = NULL; }
    if (t && retained) { *retained = k->retained; }
    pthread_mutex_unlock(&lock);
    return t;
}

/* -- calls that any thread may make, while the flow runs or not -- */

static void ask(slot *h, uint8_t what, uint8_t b)
{
    sf_flow_info flow;
    sf_op_info op;
    sf_edge_info edge;
    sf_latency latency;
    char name[64];
    size_t room;
    page *p;
    switch (what % 6) {
    case 0:
        if (sf_flow_get_info(h->flow, b == 255 ? NULL : &flow) == SF_OK) { CHECK(sf_result_string(flow.result)); }
        break;
    case 1:
        if (sf_op_get_info(h->flow, any_op(h, b), b == 255 ? NULL : &op) == SF_OK) {
            CHECK(op.state <= SF_OP_FAILED && strlen(op.waits_for) < sizeof op.waits_for);
        }
        break;
    case 2:
        if (sf_op_get_edge_info(h->flow, any_op(h, b), b >> 6, b & 1, b == 255 ? NULL : &edge) == SF_OK) {
            CHECK(edge.dropped <= edge.messages && edge.queued <= edge.capacity + 1u);
        }
        break;
    case 3:
        room = b & 8 ? 0 : b & 63;
        if (sf_flow_get_path(h->flow, b & 3, b & 4 ? NULL : &latency, room ? name : NULL, room) == SF_OK && room) {
            CHECK(strlen(name) < room);
        }
        break;
    case 4: CHECK(sf_flow_failure(h->flow) && sf_flow_now(h->flow) >= 0); break;
    default:
        p = (page *)calloc(1, sizeof *p);
        (void)sf_flow_dot(h->flow, b == 255 ? NULL : keep_text, p);
        free(p);
    }
}
static void poke(slot *h, uint8_t what, uint8_t b)
{
    sf_tensor view, *t;
    sf_op op = any_op(h, b);
    uint32_t n = test_load(&h->ops);
    const actor *a = n ? &h->actors[b % n] : NULL;
    switch (what % 12) {
    case 0:
    case 1:
    case 2:
        pthread_mutex_lock(&lock);           /* one at a time per port */
        (void)sf_flow_push_value(h->flow, op, any_of(a ? a->pushed : 0, b), any_value(b));
        pthread_mutex_unlock(&lock);
        break;
    case 3:
        t = b == 255 ? NULL : unkeep(b, h, NULL);
        memset(&view, 0, sizeof view);       /* nobody's: refused */
        pthread_mutex_lock(&lock);
        if (sf_flow_push(h->flow, op, any_of(a ? a->pushed : 0, b), t || b == 255 ? t : &view) != SF_OK) {
            pthread_mutex_unlock(&lock);
            sf_tensor_release(t);
        } else {
            pthread_mutex_unlock(&lock);
        }
        break;
    case 4:
    case 5:
        pthread_mutex_lock(&lock);
        (void)sf_flow_signal(h->flow, op, any_of(a ? a->signals : 0, b), (sf_readiness)(b == 77 ? 9 : what >> 4 & 3));
        pthread_mutex_unlock(&lock);
        break;
    case 6: (void)sf_op_stop(h->flow, op); break;
    case 7: (void)sf_flow_pause(h->flow, b & 1); break;
    case 8:
        if (b & 1) { (void)sf_flow_stop(h->flow); }
        break;
    default: ask(h, what >> 4, b);
    }
}

/* -- a compute, and the other hooks -- */

typedef struct turn { sf_context *ctx; actor *a; sf_tensor *last, *made; sf_stream *stream; } turn;

static sf_result step_flow(slot *h, int times)
{
    sf_result r = SF_OK;
    int64_t wake;
    while (times-- && r >= 0 && r != SF_DONE) { r = sf_flow_step(h->flow, times & 1 ? &wake : NULL); }
    return r;
}
static void take_messages(turn *t, int port, uint8_t most)
{
    while (most-- && sf_available(t->ctx, port)) {
        if (port >= 0 && port < 32 && (t->a->tensors_in >> port & 1)) {
            t->last = sf_receive(t->ctx, port);
        } else {
            (void)sf_receive_value(t->ctx, port);
        }
    }
}
static sf_result emit(turn *t, int port, uint8_t b)
{
    sf_tensor_desc d;
    if (port < 0 || port >= 32 || !(t->a->tensors_out >> port & 1)) {
        return sf_emit_value(t->ctx, port, any_value(b));
    }
    memset(&d, 0, sizeof d);
    d.shape[0] = 1 + (b >> 4);
    t->made = sf_tensor_create(t->ctx, port, b & 1 ? &d : NULL);
    t->stream = sf_compute_stream(t->ctx);
    (void)work(t->stream, t->made, t->last, b >> 1 & 3);
    return sf_emit(t->ctx, port, t->made);
}
static void streams_by_hand(turn *t, uint8_t what, uint8_t b)
{
    sf_stream *some[4] = { NULL, NULL, NULL, NULL }, *s = any_stream(b);
    void *p = NULL;
    switch (what % 10) {
    case 0: t->stream = sf_compute_stream(t->ctx); break;
    case 1: t->stream = sf_receive_stream(t->ctx, any_port(b, t->a->inputs), b >> 4 & 3); break;
    case 2: t->stream = sf_receive_stream(t->ctx, any_port(b, t->a->inputs), 0); break;
    case 3:
        (void)sf_receive_streams(t->ctx, any_port(b, t->a->inputs), b == 255 ? NULL : some, b & 3);
        (void)sf_synchronize_streams(t->ctx, b == 254 ? NULL : some, b == 253 ? -1 : b & 3, t->stream);
        break;
    case 4: t->stream = sf_allocate_stream(t->ctx, names[b & 7]); break;
    case 5:
        if (sf_set_stream(t->ctx, any_port(b >> 3, t->a->outputs), b & 4 ? s : t->stream) == SF_OK && (b & 4)) {
            t->stream = s;
        }
        break;
    case 6:
        CHECK(!sf_device_from_stream(t->ctx, NULL));
        (void)sf_device_from_stream(t->ctx, s);
        break;
    case 7:
        (void)sf_event_record(w.event, b & 1 ? t->stream : s, 0);
        (void)sf_stream_wait_event(b & 2 ? t->stream : s, w.event, 0);
        break;
    case 8:
        if (sf_mem_alloc_async(t->stream, b & 1 ? w.pools[b % POOLS] : NULL, b, &p) == SF_OK) {
            (void)sf_mem_free_async(t->stream, p);
        }
        (void)sf_launch_host_func(t->stream, host_func, NULL);
        break;
    default:
        (void)sf_stream_query(t->stream);
        (void)sf_stream_synchronize(t->stream, any_timeout(b));
    }
}
static void emit_kept(turn *t, int out, uint8_t b)           /* which takes what was wrapped, not what was retained */
{
    bool retained = false;
    sf_tensor *kept = b & 1 ? NULL : unkeep(b, t->a->of, &retained);
    (void)sf_emit(t->ctx, out, kept);
    if (retained) { sf_tensor_release(kept); }
}
static void tensors_by_hand(turn *t, uint8_t what, uint8_t b)
{
    int out = any_port(b, t->a->outputs);
    slot *h = t->a->of;
    sf_tensor_desc d;
    struct DLManagedTensor *dl;
    switch (what % 9) {
    case 0: (void)sf_emit(t->ctx, out, t->last); break;      /* passed on */
    case 1: (void)sf_emit(t->ctx, out, wrap(h, b)); break;
    case 2: keep(h, sf_tensor_retain(b & 1 ? t->last : t->made), true); break;
    case 3: t->made = sf_tensor_like(t->ctx, out, b == 255 ? NULL : t->last); break;
    case 4:
        memset(&d, 0, sizeof d);
        d.shape[0] = b & 1 ? INT64_MAX / 2 : b, d.shape[1] = b & 2 ? -1 : b & 4 ? INT64_MAX / 4 : 0;
        d.ndim = b & 8 ? (int32_t)b - 100 : 0;
        d.dtype = b & 16 ? (sf_dtype)(b * 0x01000193u) : SF_I64;
        t->made = sf_tensor_create(t->ctx, out, &d);
        break;
    case 5: (void)sf_tensor_set_deallocation_stream(b & 1 ? t->last : t->made, any_stream(b >> 1)); break;
    case 6:
        dl = sf_tensor_to_dlpack(b & 1 ? t->last : t->made, b & 2 ? t->stream : any_stream(b));
        if (dl) { sf_tensor_release(sf_tensor_from_dlpack(h->flow, dl)); }       /* whose end is the export's, too */
        break;
    case 7: emit_kept(t, out, b); break;
    default: (void)work(t->stream, t->made, t->last, b);
    }
}
static void called_from_inside(turn *t, uint8_t what, uint8_t b)             /* what must be refused in a compute */
{
    slot *h = t->a->of;
    sf_op_desc d;
    switch (what % 8) {
    case 0: CHECK(sf_flow_run(h->flow) < 0); break;
    case 1: CHECK(sf_flow_start(h->flow) < 0); break;
    case 2: CHECK(sf_flow_wait(h->flow, any_timeout(b)) < 0); break;
    case 3: CHECK(sf_flow_destroy(h->flow) < 0); break;
    case 4:
        memset(&d, 0, sizeof d);
        CHECK(sf_flow_add(h->flow, &d).id == 0 && sf_op_add_input(h->flow, t->ctx->op, NULL) < 0);
        sf_flow_scope(h->flow, names[b & 7]);
        break;
    case 5: CHECK(sf_flow_connect(h->flow, any_op(h, b), NULL, t->ctx->op, NULL, NULL) < 0); break;
    case 6: CHECK(sf_flow_check(h->flow, false, NULL, NULL) < 0); break;
    default: CHECK(sf_flow_step(h->flow, NULL) < 0);
    }
}
static sf_result in_hook(turn *t, uint8_t what, uint8_t b)
{
    sf_value v;
    slot *own = t->a->of, *other = any_flow(b);
    const sf_kernel *kernel = b & 8 ? &no_kernel : b & 16 ? NULL : &work_kernel;
    work_args fault;
    if (!t->stream && (what & 0x80)) { t->stream = sf_compute_stream(t->ctx); }
    switch (what & 15) {
    case 0: take_messages(t, any_port(b, t->a->inputs), b >> 4); break;
    case 1: return emit(t, any_port(b, t->a->outputs), what);
    case 2:
    case 3: streams_by_hand(t, what >> 4, b); break;
    case 4:
    case 5: tensors_by_hand(t, what >> 4, b); break;
    case 6: poke(t->a->of, what >> 4, b); break;
    case 7:
        (void)sf_set_metadata(t->ctx, b & 7, any_value(b));
        (void)sf_get_metadata(t->ctx, b >> 4, b & 8 ? NULL : &v);
        (void)sf_list_metadata(t->ctx, b >> 4, NULL, b & 8 ? &v : NULL);
        break;
    case 8:
        if (b & 1) { sf_set_timestamp(t->ctx, (int64_t)b << 32); }
        (void)sf_get_timestamp(t->ctx, any_port(b, t->a->inputs));
        break;
    case 9: return sf_route(t->ctx, any_op(t->a->of, b < 0xf0 && t->a->edges ? t->a->behind[b % t->a->edges] : b));
    case 10: return b < 40 ? sf_fail(t->ctx, (sf_result)-(int)b, names[b & 7]) : b < 50 ? SF_ERROR_USER : SF_OK;
    case 11: return b & 15 ? SF_OK : SF_DONE;
    case 12: called_from_inside(t, what >> 4, b); break;
    case 13:                                 /* another flow's turn in between */
        if (other != own && !other->threads && !own->threads && !test_load(&own->background) && w.nested < 3) {
            w.nested++;                      /* so this is the main thread */
            if (test_load(&other->inside) && !test_load(&other->background)) {       /* and it is inside of it */
                CHECK(sf_flow_step(other->flow, NULL) < 0 && sf_flow_destroy(other->flow) < 0);
            } else {
                (void)step_flow(other, 1 + (b >> 6));
            }
            w.nested--;
        }
        break;
    case 14:
        (void)sf_set_port_bytes(t->ctx, names[b & 7], (size_t)(b & 0x80 ? SIZE_MAX / 2 : b));
        (void)sf_receive(t->ctx, any_port(b, t->a->inputs));
        break;
    default:
        memset(&fault, 0, sizeof fault);
        fault.code = b >= 254 ? 719 : 0;
        (void)sf_launch(b == 252 ? any_stream(what) : t->stream, kernel, &fault,
                        b == 253 ? SF_MAX_ARGS + 1 : sizeof fault);
    }
    return SF_OK;
}
static sf_result perform(sf_context *ctx, bool natural)
{
    turn t = { ctx, (actor *)ctx->user, NULL, NULL, NULL };
    actor *a = t.a;
    sf_result r = SF_OK;
    int p;
    if (test_add(&a->of->computes, 1) >= COMPUTES) { (void)sf_flow_stop(ctx->flow); }
    test_add(&a->of->inside, 1);
    for (p = 0; natural && p < a->inputs; p++) { take_messages(&t, p, 2); }
    for (int n = 0; n < 6 && a->bytes && r == SF_OK; n++) {
        uint8_t what = a->code[a->at++ % a->bytes], b = a->code[a->at++ % a->bytes];
        if (!what) { break; }
        r = in_hook(&t, what, b);
    }
    for (p = 0; natural && p < a->outputs && r >= 0; p++) { (void)emit(&t, p, 0); }
    test_add(&a->of->inside, UINT32_MAX);
    return r;
}
static sf_result begin(sf_context *ctx) { return test_store(&((actor *)ctx->user)->of->started, 1), SF_OK; }
static sf_result act(sf_context *ctx) { return perform(ctx, true); }
static sf_result prepare(sf_context *ctx) { return perform(ctx, false); }

static sf_readiness user_check(void *user, int64_t now, int64_t *wake)
{
    actor *a = (actor *)user;
    uint8_t b = a->bytes ? a->code[a->check_at++ % a->bytes] : 0;
    if (b & 1) { *wake = now + (b & 6 ? b : 0); }
    return b & 1 ? SF_WAIT : b == 0xf0 ? SF_NEVER : SF_READY;
}
static void user_executed(void *user, int64_t now) { (void)now, ((actor *)user)->check_at++; }
static void flow_hook(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user)
{
    (void)user;
    CHECK(hook <= SF_HOOK_STOP && ctx && ctx->flow && port < 32 && (!tensor || tensor->shape));
    (void)sf_available(ctx, port);
}
static void *task_thread(void *arg)
{
    void (*task)(void *) = ((void (**)(void *))arg)[0];
    void *what = ((void **)arg)[1];
    free(arg);
    task(what);
    return NULL;
}
static void *jobs_enqueue(void (*task)(void *arg), void *arg, void *user)    /* every other one has its own thread */
{
    void **both = (void **)malloc(2 * sizeof *both);
    pthread_t *thread = (pthread_t *)malloc(sizeof *thread);
    memcpy(&both[0], &task, sizeof task);
    both[1] = arg;
    (void)user;
    if ((test_add(&w.tries, 1) & 1) && !pthread_create(thread, NULL, task_thread, both)) { return thread; }
    free(thread);
    return task_thread(both);
}
static void jobs_finish(void *task, void *user)
{
    (void)user;
    pthread_join(*(pthread_t *)task, NULL);
    free(task);
}

/* -- building -- */

static void unusual_desc(slot *h, sf_flow_desc *d, uint8_t b)
{
    static const char *const cpus[] = { "0", "0-1,9", "x", "" };
    size_t n;
    switch (b & 7) {
    case 0: d->clock.now = slow_clock; break;
    case 1:
        d->device = NULL;
        h->alone = true;
        d->limits.ops = b >> 3 & 15, d->limits.edges = 16, d->limits.messages = 64;
        d->limits.payload_bytes = b & 0x80 ? 8192 : 0;
        n = sf_flow_memory(d);
        n = n > ROOM ? 64 : take(&w.in) & 1 ? n / 2 : n;
        h->block = malloc(n ? n : 1);
        d->memory.ptr = h->block, d->memory.bytes = n;
        break;
    case 2:
        d->workers[0].count = b >> 3 & 3, d->workers[1].count = b >> 5;
        d->workers[1].spin = b & 8 ? -1 : 1000;
        d->workers[1].cpus = b & 16 ? cpus[b >> 6] : NULL;
        d->workers[0].realtime = b == 0xfa ? SF_REALTIME_FIFO : SF_REALTIME_NONE;
        h->threads = true;
        break;
    case 3:
        d->jobs.enqueue = jobs_enqueue, d->jobs.finish = jobs_finish;
        h->threads = true;
        break;
    case 4: d->streams = w.stream_pools[b >> 3 & 1]; break;
    case 5: d->limits.ops = d->limits.edges = d->limits.messages = UINT32_MAX - (b >> 3); break;
    case 6: d->max_duration = 1 + (int64_t)(b >> 3) * 10000; break;
    default: d->deadlock_timeout = b & 8 ? -1 : b * 1000;
    }
}
static void create_flow(slot *h)
{
    uint8_t b = take(&w.in);
    sf_flow_desc d;
    if (h->flow) { return; }
    memset(h, 0, sizeof *h);
    memset(&d, 0, sizeof d);
    d.name = names[b & 3 ? b & 3 : 6];
    d.device = w.device;
    d.backend = SF_BACKEND_HOST;
    d.heap = heap;
    d.logger.func = no_log;
    if ((b & 7) == 7) { d.device = NULL, h->alone = true; }
    if ((b & 7) == 6) { d.workers[0].count = d.workers[1].count = 2, h->threads = true; }
    if ((b & 7) == 5) { d.jobs.enqueue = jobs_enqueue, d.jobs.finish = jobs_finish, h->threads = true; }
    d.clock.simulated = b & 8;
    d.metadata_entries = b & 16 ? 2 : 0;
    d.track.latency = b & 32;
    d.gxf_or = b & 64;
    if (b & 128) {
        b = take(&w.in);
        d.track.device_time = b & 1;
        d.trace_events = b & 2 ? 16 : 0;
        d.metadata = (sf_metadata_policy)(b >> 2 & 3);
        if (b & 16) { d.hook.func = flow_hook; }
        if (b & 32) { d.track.skip_first = d.track.discard_last = 2, d.track.threshold = 10; }
        if (b & 64) { d.metadata_entries = 0x10000000u << (b & 3); }
        if (b & 128) { unusual_desc(h, &d, take(&w.in)); }
    }
    h->flow = sf_flow_create(b == 0xee ? NULL : &d);
    if (b == 0xee) { h->alone = true; }
    if (!h->flow) { free(h->block), h->block = NULL; }
}
static void any_condition(sf_condition *c, actor *a)
{
    uint8_t b = take(&w.in), n = take(&w.in);
    c->kind = (sf_condition_kind)(1 + (b & 15) % 11);
    if (b == 0xff) { c->kind = (sf_condition_kind)77; }
    c->any = b >> 4 & 1;
    c->latch = b >> 5 & 1;
    c->initial = b >> 6 == 3 ? SF_NEVER : b >> 6 == 2 ? SF_WAIT : SF_READY;
    c->catch_up = b >> 6;
    c->count = n & 7;
    c->ports = n & 8 ? n >> 5 : 0;
    c->ns = n & 16 ? 0 : 1 + (int64_t)n * 100;
    c->custom.check = user_check;
    c->custom.on_execute = n & 1 ? user_executed : NULL;
    c->custom.user = a;
}
static void any_in(sf_port *p)
{
    static const struct { uint16_t capacity, batch; } sizes[] = { { 0, 0 }, { 2, 0 }, { 4, 0 }, { 0, 2 }, { 5, 3 },
                                                                  { 0, 0 }, { 1, 2 }, { 65535, 200 } };
    uint8_t b = take(&w.in);
    p->optional = b & 1;
    p->many = b & 2;
    p->external = (b & 12) == 12;
    p->bytes = b & 16 ? 16 : 0;
    p->capacity = sizes[b >> 5].capacity, p->batch = sizes[b >> 5].batch;
}
static void any_out(sf_port *p, actor *a, int index)
{
    static const size_t sizes[] = { 0, 16, 0, 64, 16, 4096, 1, (size_t)1 << 40 };
    uint8_t b = take(&w.in);
    p->bytes = sizes[b & 7];
    p->memory = b >> 3 & 3;
    if (b & 32) { p->pool = w.pools[b >> 6 & 1 ? 2 : 0]; }
    if (b >= 0xf0) { p->memory = b; }
    if ((b & 0xe0) == 0x80 && p->bytes <= sizeof a->own[0]) { p->data = a->own[index]; }
    if (p->bytes || p->pool) { a->tensors_out |= 1u << index; }
}
static void edge(slot *h, uint8_t from, uint8_t to, uint8_t ports)
{
    uint8_t b = take(&w.in);
    sf_edge_desc d;
    actor *a, *z;
    memset(&d, 0, sizeof d);
    d.overflow = (sf_overflow)((b & 7) > 5 ? 0 : b & 7);     /* 5: there is none */
    d.capacity = b & 8 ? 1 + (b >> 6) : 0;
    d.delay = b & 16 ? 1 + (b >> 6) : 0;
    d.control = b & 32;
    if (sf_flow_connect(h->flow, any_op(h, from), d.control ? NULL : names[ports & 7], any_op(h, to),
                   d.control ? NULL : names[ports >> 4 & 7], b ? &d : NULL) == SF_OK && from < 0xf4 && to < 0xf4 &&
        !d.control) {
        a = &h->actors[from % h->ops], z = &h->actors[to % h->ops];
        if (a->edges < 4) { a->behind[a->edges++] = (uint8_t)(to % h->ops); }
        if (a->tensors_out >> (ports & 3) & 1) { z->tensors_in |= 1u << (ports >> 4 & 3); }
    }
}
static void add_op(slot *h)
{
    uint8_t b = take(&w.in), c = take(&w.in), options;
    uint32_t n = h->ops;
    actor *a = &h->actors[n];
    sf_op_desc d;
    if (n == OPS || test_load(&h->background)) { return; }
    memset(a, 0, sizeof *a);
    memset(&d, 0, sizeof d);
    a->of = h;
    d.compute = c == 255 ? NULL : act;
    d.start = begin;
    d.user = a;
    d.count = c & 31;
    d.on_error = (sf_on_error)(c >> 5 & 3);
    d.retries = c & 3;
    a->inputs = b & 3, a->outputs = b >> 2 & 3;
    for (int p = 0; p < a->inputs; p++) {
        d.in[p].name = names[p], any_in(&d.in[p]);
        a->pushed |= (uint32_t)d.in[p].external << p;
    }
    for (int p = 0; p < a->outputs; p++) { d.out[p].name = names[p], any_out(&d.out[p], a, p); }
    if (b & 16) { any_condition(&d.when[0], a); }
    if (b & 32) { any_condition(&d.when[1], a); }
    for (int i = 0; i < 2; i++) {
        bool outside = d.when[i].kind == SF_CONDITION_SIGNAL || d.when[i].kind == SF_CONDITION_USER;
        a->signals |= (uint32_t)outside << i;
    }
    if (b & 64) {
        options = take(&w.in);
        d.name = names[options & 7];
        d.priority = (options >> 3 & 3) - 1;
        d.adopt_stream = options & 32;
        if (options & 64) { d.streams = w.stream_pools[options & 1]; }
        if (options & 128) {
            options = take(&w.in);
            if (options & 1) { d.start = prepare; }
            d.stop = options & 2 ? prepare : NULL;
            d.initialize = options & 4 ? prepare : NULL;
            d.period = options & 8 ? 1 + options : 0;
            d.region = options & 16 ? 1 + (options & 1) : 0;
            d.workers = options & 32 ? options >> 6 : 0;
            if (options == 0xff) { d.workers = 100; }
        }
    }
    a->bytes = b & 128 ? take(&w.in) % (CODE + 1) : 0;
    for (uint8_t i = 0; i < a->bytes; i++) { a->code[i] = take(&w.in); }
    test_store(&h->id[n], sf_flow_add(h->flow, &d).id);
    if (h->flow) { test_store(&h->ops, n + 1); }
    for (int p = 0; p < a->inputs && h->flow && n; p++) {    /* from an earlier one, mostly with the output there */
        uint8_t from = take(&w.in), ports = (uint8_t)(p << 4);
        if (!d.in[p].external && from < 0xf8) {
            const actor *before = &h->actors[from % n];
            if (before->outputs) { ports = (uint8_t)(ports | (from >> 4) % before->outputs); }
            edge(h, (uint8_t)(from % n), (uint8_t)n, ports);
        }
    }
}

/* -- running -- */

typedef struct visit { slot *h; uint32_t over; uint8_t count, pokes[16]; } visit;
static void *from_outside(void *arg)         /* pokes, and then stops what does not end by itself */
{
    visit *v = (visit *)arg;
    for (uint32_t i = 0; !test_load(&v->over); i++) {
        if (i < v->count && test_load(&v->h->started)) { poke(v->h, v->pokes[2 * i], v->pokes[2 * i + 1]); }
        if (i > v->count + 10u) { (void)sf_flow_stop(v->h->flow); }
        usleep(100);
    }
    return NULL;
}
static void run(slot *h)
{
    visit v;
    pthread_t thread;
    memset(&v, 0, sizeof v);
    v.h = h;
    v.count = take(&w.in) & 7;
    for (int i = 0; i < 2 * v.count; i++) { v.pokes[i] = take(&w.in); }
    test_store(&h->computes, 0), test_store(&h->started, 0);
    CHECK(pthread_create(&thread, NULL, from_outside, &v) == 0);
    CHECK(sf_result_string(sf_flow_run(h->flow)));
    test_store(&v.over, 1);
    pthread_join(thread, NULL);
}
static void release_kept(const slot *h)      /* NULL: everything */
{
    for (int i = 0; i < KEPT; i++) {
        bool is_its;
        pthread_mutex_lock(&lock);
        is_its = !h || w.kept[i].of == h;
        pthread_mutex_unlock(&lock);
        if (is_its) { sf_tensor_release(unkeep((uint8_t)i, NULL, NULL)); }
    }
}
static void destroy_flow(slot *h)
{
    if (h->alone) {                          /* its tensors go with its device: none may be left */
        (void)sf_flow_stop(h->flow);
        CHECK(!test_load(&h->background) || sf_flow_wait(h->flow, GUARD) != SF_TIMEOUT);
        release_kept(h);
    }
    CHECK((sf_flow_destroy(h->flow) == SF_ERROR_INVALID_HANDLE) >= !h->flow);
    pthread_mutex_lock(&lock);               /* another flow may be at work */
    for (int i = 0; i < KEPT; i++) {
        if (w.kept[i].of == h) { w.kept[i].of = NULL; }
    }
    pthread_mutex_unlock(&lock);
    free(h->block);
    memset(h, 0, sizeof *h);
}

/* -- the rest of the world -- */

static void change_stream(uint8_t b)
{
    sf_stream **s = &w.streams[b % STREAMS];
    sf_stream_desc d = { .flags = b >> 4 & 1, .priority = b >> 5, .name = names[b & 7] };
    if (!nobody_runs()) { return; }
    if (*s && !(b & 128)) {
        (void)sf_stream_destroy(*s);         /* and the dead handle goes on being used */
    } else {
        (void)sf_stream_destroy(*s);
        *s = NULL;
        (void)sf_stream_create(w.device, &d, s);
    }
}
static void change_pool(uint8_t b)
{
    sf_mem_pool **p = &w.pools[b % POOLS];
    sf_stream_pool **s = &w.stream_pools[b & 1];
    sf_mem_pool_desc d = { .kind = (sf_mem_pool_kind)(b >> 2 & 3), .memory = (sf_memory)(b >> 4 & 3),
                           .block_bytes = 64, .blocks = 1 + (b >> 6), .fail_when_empty = b & 1 };
    sf_stream_pool_desc sd = { .blocking = b & 4, .max = b >> 3 & 3 };
    sf_mem_pool_info info;
    if (!nobody_runs()) { return; }
    if (b >= 0xe0) {
        if (sf_stream_pool_destroy(*s) >= 0 || !*s) { (void)sf_stream_pool_create(w.device, &sd, s); }
    } else if (*p && b & 128) {
        (void)sf_mem_pool_trim(*p, b & 64);
        (void)sf_mem_pool_get_info(*p, &info);
    } else if (sf_mem_pool_destroy(*p) >= 0 || !*p) {
        *p = b & 64 ? *p : NULL;             /* or a dead handle */
        if (!*p) { (void)sf_mem_pool_create(w.device, &d, p); }
    }
}
static void change_device(uint8_t b)
{
    sf_device_info info;
    bool used = false;
    for (int i = 0; i < FLOWS; i++) { used = used || (w.flows[i].flow && !w.flows[i].alone); }
    switch (b & 3) {
    case 0: (void)sf_device_poll(w.device, any_timeout(b)); break;
    case 1: (void)sf_device_synchronize(w.device, any_timeout(b)); break;
    case 2: (void)sf_device_reset(w.device); break;
    default:
        (void)sf_device_get_info(w.device, &info);
        if (used) { CHECK(sf_device_close(w.device, 0) < 0); }
    }
}
static void nothing_valid(uint8_t b)         /* NULL wherever it may stand */
{
    sf_op op = { b };
    slot *h = any_flow(b);
    sf_flow *f = b & 0x80 ? h->flow : NULL;
    CHECK(!sf_receive(NULL, b) && !sf_compute_stream(NULL) && sf_emit(NULL, b, NULL) < 0);
    CHECK(sf_fail(NULL, SF_OK, NULL) < 0 && sf_flow_now(NULL) > 0 && sf_result_string((sf_result)(b * 77)));
    CHECK(sf_set_port_bytes(NULL, NULL, 1) < 0 && !sf_allocate_stream(NULL, NULL) && sf_get_timestamp(NULL, 0) == -1);
    CHECK(!sf_tensor_wrap(f, NULL) && !sf_tensor_from_dlpack(f, NULL) && !sf_tensor_to_dlpack(NULL, NULL));
    sf_tensor_release(sf_tensor_retain(NULL));
    CHECK(sf_flow_get_info(f, NULL) < 0 && sf_op_get_info(f, op, NULL) < 0 && sf_flow_push(f, op, 0, NULL) < 0);
    CHECK(sf_flow_dot(f, NULL, NULL) < 0 && sf_flow_trace(f, NULL, NULL) < 0 && sf_flow_signal(f, op, -1,
            SF_READY) < 0);
    CHECK(sf_flow_failure(f) && sf_flow_failure(f)->text);
    CHECK(sf_flow_run(NULL) < 0 && sf_flow_start(NULL) < 0 && sf_flow_wait(NULL, 0) < 0 && sf_flow_destroy(NULL) < 0);
    if (b == 0xff && !test_load(&h->background)) {       /* spoils the flow: rarely */
        CHECK(!sf_flow_add(f, NULL).id && sf_flow_connect(f, op, NULL, op, NULL, NULL) < 0 && sf_op_add_input(f, op,
                NULL) < 0);
    }
}
static void write_reports(slot *h, uint8_t b)
{
    page *p = (page *)calloc(1, sizeof *p);
    (void)sf_flow_check(h->flow, b & 1, b & 2 ? NULL : keep_text, p);
    if (b & 1) { check_json(p); }
    p->used = 0;
    if (!test_load(&h->background)) {
        (void)sf_flow_trace(h->flow, keep_text, p);
        check_json(p);
    }
    free(p);
}

/* -- one input -- */

static void action(uint8_t what)
{
    slot *h = any_flow(what >> 5);
    uint8_t b;
    sf_port port;
    if (loud) { printf("# flow %d: action %d\n", (int)(h - w.flows), what & 31), fflush(stdout); }
    switch (what & 31) {
    case 0: create_flow(h); break;
    case 1:
    case 2:
    case 3:
    case 4: add_op(h); break;
    case 5:
        b = take(&w.in);
        what = take(&w.in);
        edge(h, b, what, take(&w.in));
        break;
    case 6:
        b = take(&w.in);
        memset(&port, 0, sizeof port);
        port.name = names[b & 7];
        if (test_load(&h->background)) { break; }
        (void)(b & 8 ? sf_op_add_output(h->flow, any_op(h, b), &port) : sf_op_add_input(h->flow, any_op(h, b),
                &port));
        break;
    case 7: write_reports(h, take(&w.in)); break;
    case 8:
    case 9:
    case 10: run(h); break;
    case 11:
    case 12:
        test_store(&h->computes, 0);
        (void)step_flow(h, take(&w.in) & 63);
        break;
    case 13:
    case 14:
        test_store(&h->computes, 0);
        b = (uint8_t)test_load(&h->background);
        test_store(&h->background, 1);       /* its computes look at it */
        if (sf_flow_start(h->flow) != SF_OK) { test_store(&h->background, b); }
        break;
    case 15:
        if (sf_flow_wait(h->flow, any_timeout(take(&w.in))) != SF_TIMEOUT) { test_store(&h->background, 0); }
        break;
    case 16: (void)sf_flow_stop(h->flow); break;
    case 17:
    case 18:
    case 19:
        b = take(&w.in);
        poke(h, b, take(&w.in));
        break;
    case 20: keep(h, wrap(h, take(&w.in)), false); break;
    case 21: sf_tensor_release(unkeep(take(&w.in), NULL, NULL)); break;
    case 22: destroy_flow(h); break;
    case 23: change_stream(take(&w.in)); break;
    case 24: change_pool(take(&w.in)); break;
    case 25: change_device(take(&w.in)); break;
    case 26: nothing_valid(take(&w.in)); break;
    case 27: __atomic_store_n(&w.countdown, 1 + take(&w.in), __ATOMIC_RELAXED); break;
    case 28:
        b = take(&w.in);
        (void)work(any_stream(b), NULL, NULL, b);
        break;
    case 29:
        if (!test_load(&h->background)) { sf_flow_scope(h->flow, names[take(&w.in) & 7]); }
        break;
    default: ask(h, take(&w.in), take(&w.in));
    }
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sf_device_desc d;
    uint8_t b;
    memset(&w, 0, sizeof w);
    w.in.at = data, w.in.end = data + size;
    b = take(&w.in);
    memset(&d, 0, sizeof d);
    d.backend = SF_BACKEND_HOST;
    d.host.order = (sf_order)(b & 1 ? 0 : (b >> 1 & 7) % SF_ORDER_REPLAY);
    d.host.workers = 1 + (b >> 4 & 1);
    d.host.seed = b;
    d.host.memory_bytes = ROOM;
    d.host.stream_depth = b & 32 ? 4 : 0;
    d.heap = heap;
    d.logger.func = no_log;
    CHECK_OK(sf_device_open(&d, &w.device));
    CHECK_OK(sf_event_create(w.device, 0, &w.event));
    change_stream(128), change_stream(129), change_pool(0), change_pool(2 + 4), change_pool(0xe1);
    for (int i = 0; i < 300 && w.in.at < w.in.end; i++) { action(take(&w.in)); }
    __atomic_store_n(&w.countdown, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < FLOWS; i++) {
        slot *h = &w.flows[b & 64 ? i : FLOWS - 1 - i];
        if (test_load(&h->background) && b & 128) {
            (void)sf_flow_stop(h->flow);
            CHECK(sf_flow_wait(h->flow, GUARD) != SF_TIMEOUT);
        }
        destroy_flow(h);
    }
    release_kept(NULL);
    CHECK(sf_device_close(w.device, GUARD) != SF_TIMEOUT);
    CHECK_EQUAL(w.releases, w.wraps);
    CHECK_EQUAL(w.blocks, 0);
    return 0;
}

/* -- without a fuzzer -- */

static size_t string_of(uint64_t seed, uint8_t *data)
{
    rng r = rng_seed(seed);
    return random_string(&r, data, STRING);
}
__attribute__((weak)) int main(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "-")) { return fuzz_main(argc, argv, string_of); }
#ifdef __AFL_LOOP
    while (__AFL_LOOP(1000)) { clearerr(stdin), replay("-"); }
#else
    replay("-");
#endif
    return 0;
}
