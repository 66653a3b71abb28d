/*  test_bundles.c - messages of several tensors: random programs against a model of what each reader must see, in every
    order, on threads, in regions and across devices; then each rule by itself. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <cmocka.h>
#define FLOW_TEST_DEVICE
#include "flow_test.h"

#define IN(n)  { .name = n }
#define OUT(n) { .name = n }

/* -- random programs: each operator takes one message of each input per frame, and sends one -- */

enum { NODES = 9, FRAMES = 6, FIELDS = 3, INS = 3 };
typedef enum kind { SOURCE, PASS, TOUCH, PICK, JOIN, MAKE, KEEP, CPU, SINK, KINDS } kind;
static const char *const kind_names[] = { "source", "pass", "touch", "pick", "join", "make", "keep", "cpu", "sink" };
typedef struct input { int node, field, pick; } input;       /* field -1: all that the node sends. pick: of a bundle */
typedef struct node {
    int id, ins, fields;                     /* fields 0: it sends single tensors */
    kind kind;
    input in[INS];
    uint32_t add, spin;
    bool stream;                             /* JOIN: it takes a stream */
    sf_tensor *kept;
} node;
static node nodes[NODES];
static uint32_t *logs, refused;
static uint32_t *log_of(int id, uint64_t frame, int i)
{
    return logs + (((uint64_t)id * FRAMES + frame) * INS * FIELDS + (uint64_t)i) * PROBE;
}
static int fields_of(input in) { return in.field < 0 ? nodes[in.node].fields : 0; }
/* The rule: what tensor `field` of the node's message holds. */
static uint32_t value_of(int id, int field, uint32_t frame)
{
    const node *n = &nodes[id];
    const input *in = &n->in[0];
    const int field_in = in->field >= 0 ? in->field : field;
    switch (n->kind) {
    case PASS: case TOUCH: return value_of(in->node, field_in, frame);
    case PICK: return value_of(in->node, in->field >= 0 ? in->field : in->pick, frame);
    case JOIN: in = &n->in[field]; return value_of(in->node, in->field >= 0 ? in->field : in->pick, frame);
    case MAKE: return value_of(in->node, in->field >= 0 ? in->field : in->pick, frame) + (uint32_t)field * n->add;
    case KEEP: return frame ? value_of(in->node, in->field >= 0 ? in->field : in->pick, frame - 1) : n->add;
    default: return 100000 * (uint32_t)(id + 1) + 1000 * (uint32_t)field + frame;
    }
}
/* Received on an input: a single tensor, or what is to be picked of the bundle. */
static sf_tensor *picked(sf_context *ctx, const node *n, int i, sf_tensor *got)
{
    (void)ctx;
    return fields_of(n->in[i]) ? sf_tensor_field(got, n->in[i].pick) : got;
}
static void look(sf_stream *s, const node *n, sf_context *ctx, int i, sf_tensor *got)
{
    const int count = fields_of(n->in[i]);
    for (int k = 0; k < (count ? count : 1); k++) {
        const sf_tensor *t = count ? sf_tensor_field(got, k) : got;
        uint32_t *log = log_of(n->id, ctx->run, i * FIELDS + k);
        if (s) {
            probe(s, t->data, log, n->spin);
        } else {
            probe_args p = { (const uint32_t *)t->data, log, WORDS, 0 };
            probe_host(NULL, &p);
        }
    }
}
static sf_result run_node(sf_context *ctx)
{
    node *n = (node *)ctx->user;
    sf_tensor *got[INS] = { NULL }, *parts[FIELDS], *out;
    for (int i = 0; i < n->ins; i++) { got[i] = sf_receive(ctx, i); }
    switch (n->kind) {
    case SOURCE:
        sf_set_timestamp(ctx, (int64_t)ctx->run);
        if (!n->fields) {
            out = sf_tensor_create(ctx, 0, NULL);
            paint(sf_compute_stream(ctx), out->data, NULL, NULL, value_of(n->id, 0, (uint32_t)ctx->run), n->spin);
            return sf_emit(ctx, 0, out);
        }
        out = sf_tensor_create(ctx, 0, NULL);
        for (int k = 0; k < n->fields; k++) {
            paint(sf_compute_stream(ctx), sf_tensor_field(out, k)->data, NULL, NULL,
                  value_of(n->id, k, (uint32_t)ctx->run), n->spin);
        }
        return sf_emit(ctx, 0, out);
    case PASS: return sf_emit(ctx, 0, got[0]);
    case TOUCH: look(sf_compute_stream(ctx), n, ctx, 0, got[0]); return sf_emit(ctx, 0, got[0]);
    case PICK: return sf_emit(ctx, 0, picked(ctx, n, 0, got[0]));
    case JOIN:
        for (int i = 0; i < n->ins; i++) { parts[i] = picked(ctx, n, i, got[i]); }
        if (n->stream) { (void)sf_compute_stream(ctx); }
        return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, parts));
    case MAKE:
        parts[0] = picked(ctx, n, 0, got[0]);
        parts[1] = sf_tensor_create(ctx, 2, NULL);
        paint(sf_compute_stream(ctx), parts[1]->data, parts[0]->data, NULL, n->add, n->spin);
        return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, parts));
    case KEEP:
        out = n->kept;
        n->kept = sf_tensor_retain(picked(ctx, n, 0, got[0]));
        if (ctx->run == 0) {
            out = sf_tensor_create(ctx, 0, NULL);
            paint(sf_compute_stream(ctx), out->data, NULL, NULL, n->add, n->spin);
            return sf_emit(ctx, 0, out);
        }
        if (ctx->run + 1 == FRAMES) {
            sf_tensor_release(n->kept);
            n->kept = NULL;
        }
        sf_emit(ctx, 0, out);
        sf_tensor_release(out);
        return SF_OK;
    case CPU: look(NULL, n, ctx, 0, got[0]); return SF_OK;
    default:
        for (int i = 0; i < n->ins; i++) { look(sf_compute_stream(ctx), n, ctx, i, got[i]); }
        return SF_OK;
    }
}
static void ports_of(const node *n, sf_op_desc *d, rng *r, bool pinned, bool copies)
{
    static const char *const ins[] = { "a", "b", "c" }, *const outs[] = { "out", "f0", "f1", "f2" };
    const sf_memory memory = pinned ? SF_MEMORY_PINNED : rng_below(r, 2) ? SF_MEMORY_MANAGED : SF_MEMORY_DEVICE;
    for (int i = 0; i < n->ins; i++) {
        /* behind KEEP more of them may keep a tensor each: the queue in front of it gives the pool blocks for that */
        d->in[i] = (sf_port){ .name = ins[i], .capacity = (uint16_t)(1 + rng_below(r, 3) + (n->kind == KEEP ? NODES : 0)) };
        if (copies || rng_below(r, 2)) { d->in[i].fields = (uint8_t)fields_of(n->in[i]); }
        if (copies) { d->in[i].bytes = BYTES; }
        if (!fields_of(n->in[i]) && rng_below(r, 2)) { d->in[i].dtype = SF_U32, d->in[i].ndim = 1; }
    }
    if (n->kind == SINK || n->kind == CPU) { return; }
    d->out[0] = (sf_port){ .name = outs[0], .fields = (uint8_t)(n->kind == PASS || n->kind == TOUCH ? 0 : n->fields) };
    if (!n->fields && (n->kind == SOURCE || n->kind == KEEP)) {
        d->out[0].bytes = BYTES;
        d->out[0].memory = memory;
        d->out[0].dtype = SF_U32;
    }
    for (int k = 0; k < d->out[0].fields; k++) {
        d->out[1 + k] = (sf_port){ .name = outs[1 + k], .dtype = SF_U32 };
        if (n->kind == JOIN || (n->kind == MAKE && !k)) { continue; }
        d->out[1 + k].bytes = BYTES;
        d->out[1 + k].memory = memory;
    }
}
typedef struct way { uint32_t order, spin; bool region, devices; int32_t workers; } way;
static sf_device *beside;                    /* the second one of programs on two; a GPU's is opened once, for all */
static void random_program(uint64_t seed, way w)
{
    rng r = rng_seed(seed), places = rng_seed(seed + 1);
    const int count = 3 + (int)rng_below(&r, NODES - 2);
    const bool pinned = rng_below(&r, 2);
    sf_device *devices[2] = { NULL, NULL };
    sf_stream_pool *pools[2] = { NULL, NULL };
    sf_flow_desc fd = { .backend = test_backend };
    sf_flow *f;
    sf_op ops[NODES];
    sf_result result;
    memset(nodes, 0, sizeof nodes);
    if (!on_cuda()) { device = open_order(w.order, seed); }
    devices[0] = device;
    if (w.devices && !on_cuda()) { beside = open_order(w.order, seed + 7); }
    devices[1] = w.devices ? beside : device;
    for (int i = 0; i < 2 && w.devices; i++) {
        CHECK_OK(sf_stream_pool_create(devices[i], &(sf_stream_pool_desc){ .max = 64 }, &pools[i]));
    }
    logs = (uint32_t *)test_memory(device, (size_t)NODES * FRAMES * INS * FIELDS * PROBE * sizeof *logs);
    fd.device = device;
    fd.workers[0].count = w.workers;
    f = sf_flow_create(&fd);
    for (int i = 0; i < count; i++) {
        node *n = &nodes[i];
        const int at = w.devices ? (int)rng_below(&places, 2) : 0;
        sf_op_desc d = { .compute = run_node, .user = n, .count = i ? 0 : FRAMES };
        *n = (node){ .id = i, .add = 1 + rng_below(&r, 100), .spin = w.spin ? rng_below(&r, w.spin) : 0 };
        n->kind = i ? (kind)rng_below(&r, KINDS) : SOURCE;
        if (i + 1 == count) { n->kind = SINK; }
        if (n->kind == CPU && (!pinned || w.devices)) { n->kind = SINK; }
        if (n->kind == SOURCE) { d.count = FRAMES; }
        n->ins = n->kind == SOURCE ? 0 : n->kind == JOIN || n->kind == SINK ? 1 + (int)rng_below(&r, INS) : 1;
        n->stream = rng_below(&r, 2);
        for (int k = 0; k < n->ins; k++) {
            input *in = &n->in[k];
            do {
                in->node = (int)rng_below(&r, (uint32_t)i);
            } while (nodes[in->node].kind == SINK || nodes[in->node].kind == CPU);
            in->field = -1;
            if (nodes[in->node].fields && nodes[in->node].kind != PASS && nodes[in->node].kind != TOUCH && rng_below(&r, 2)) {
                in->field = (int)rng_below(&r, (uint32_t)nodes[in->node].fields);
            }
            in->pick = fields_of(*in) ? (int)rng_below(&r, (uint32_t)fields_of(*in)) : 0;
        }
        n->fields = n->kind == SOURCE ? (int)rng_below(&r, FIELDS + 1)
                    : n->kind == JOIN ? n->ins
                    : n->kind == MAKE ? 2
                    : n->kind == PASS || n->kind == TOUCH ? fields_of(n->in[0]) : 0;
        if (n->kind == CPU) { d.when[0].kind = SF_CONDITION_STREAM; }
        ports_of(n, &d, &r, pinned, w.devices);
        if (w.devices) { d.streams = pools[at]; }
        if (w.region && n->kind != SOURCE && n->kind != SINK && n->kind != CPU && n->kind != KEEP) { d.region = 1; }
        d.name = kind_names[n->kind];
        ops[i] = sf_flow_add(f, &d);
        for (int k = 0; k < n->ins; k++) {
            static const char *const outs[] = { "out", "f0", "f1", "f2" };
            const sf_edge_desc e = { .copy = w.devices };
            CHECK_OK(sf_flow_connect(f, ops[n->in[k].node], outs[n->in[k].field + 1], ops[i], d.in[k].name, &e));
        }
    }
    result = sf_flow_run(f);
    if (result == SF_ERROR_NOT_SUPPORTED && w.region) { refused++; goto end; } /* no region can be made of these */
    if (result != SF_OK) { fail_msg("seed %llu, order %u: %s", (unsigned long long)seed, w.order, sf_flow_failure(f)->text); }
    for (int i = 0; i < count; i++) {
        const node *n = &nodes[i];
        if (n->kind != TOUCH && n->kind != CPU && n->kind != SINK) { continue; }
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            for (int k = 0; k < n->ins * FIELDS; k++) {
                const input *in = &n->in[k / FIELDS];
                const int fields = fields_of(*in), field = k % FIELDS;
                const uint32_t *log = log_of(i, frame, k);
                uint32_t want;
                if (field >= (fields ? fields : 1)) { continue; }
                want = value_of(in->node, in->field >= 0 ? in->field : field, frame);
                if (log[0] != want || log[1] || !log[2]) {
                    fail_msg("seed %llu, order %u, operator %d (%s), frame %u, input %d, tensor %d: %u with %u words torn, "
                             "not %u", (unsigned long long)seed, w.order, i, kind_names[n->kind], frame, k / FIELDS, field,
                             log[0], log[1], want);
                }
            }
        }
    }
end:
    destroy_is(f, result);
    CHECK_OK(sf_mem_free(device, logs));
    for (int i = 0; i < 2 && w.devices; i++) { CHECK_OK(sf_stream_pool_destroy(pools[i])); }
    if (w.devices && !on_cuda()) { test_close(beside); }
    if (!on_cuda()) { test_close(device); }
}
static void any_program(way w, uint32_t seeds, uint64_t from)
{
    if (on_cuda()) { device = open_device(); }
    if (on_cuda() && w.devices) { beside = open_device(); }
    FOR_SEEDS(i, seeds) {
        way one = w;
        if (!w.order && !w.workers) { one.order = on_cuda() ? 0 : 1 + i % 5; }
        random_program(from + i, one);
    }
    if (on_cuda() && w.devices) { test_close(beside); }
    if (on_cuda()) { test_close(device); }
}
static void any_program_in_any_order(void **state) { (void)state; any_program((way){ 0 }, test_seeds_of(test_seeds() / 2, 200), 0); }
static void any_program_on_threads(void **state)
{
    (void)state;
    any_program((way){ .workers = 3, .spin = 300 }, test_seeds_of(test_seeds() / 20 + 1, 100), 1000000);
}
static void any_program_in_regions(void **state)
{
    (void)state;
    refused = 0;
    any_program((way){ .region = true }, test_seeds_of(test_seeds() / 4 + 1, 100), 2000000);
    printf("# %u had no region\n", refused);
}
static void any_program_on_devices(void **state)
{
    (void)state;
    any_program((way){ .devices = true }, test_seeds_of(test_seeds() / 4 + 1, 100), 3000000);
}

/* -- each rule by itself, on a device of its own -- */

#define STEREO(...)                                                                                          \
    .out = { { .name = "pair", .fields = 2 },                                                                \
             { .name = "left", .bytes = BYTES, .memory = SF_MEMORY_PINNED, .dtype = SF_U32, __VA_ARGS__ },   \
             { .name = "right", .bytes = BYTES, .memory = SF_MEMORY_PINNED, .dtype = SF_U32, __VA_ARGS__ } }
static uint32_t first_word(const sf_tensor *t) { return *(const uint32_t *)t->data; }
/* Emits pairs: 10 * run + 1 and 10 * run + 2 in all words, by the CPU. */
static sf_result send_pair(sf_context *ctx)
{
    sf_tensor *pair = sf_tensor_create(ctx, 0, NULL);
    for (int i = 0; i < 2; i++) {
        uint32_t *words = (uint32_t *)sf_tensor_field(pair, i)->data;
        for (int k = 0; words && k < WORDS; k++) { words[k] = (uint32_t)(10 * ctx->run) + 1 + (uint32_t)i; }
    }
    sf_set_timestamp(ctx, 1000 + (int64_t)ctx->run);
    sf_set_metadata(ctx, 7, number((int64_t)ctx->run));
    return sf_emit(ctx, 0, pair);
}
static sf_op pairs(sf_flow *f, uint64_t count)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = send_pair, .count = count, STEREO(.ndim = 1) });
}
static sf_result note_pair(sf_context *ctx)                  /* words and time */
{
    const sf_tensor *pair = sf_receive(ctx, 0);
    note_down(id_of(ctx), first_word(sf_tensor_find(pair, "left")));
    note_down(id_of(ctx), first_word(sf_tensor_find(pair, "right")));
    note_down(id_of(ctx), sf_get_timestamp(ctx, 0));
    return SF_OK;
}
static sf_result note_one(sf_context *ctx)
{
    sf_value v;
    note_down(id_of(ctx), first_word(sf_receive(ctx, 0)));
    note_down(id_of(ctx), sf_get_timestamp(ctx, 0));
    note_down(id_of(ctx), sf_get_metadata(ctx, 7, &v) ? v.i64 : -1);
    return SF_OK;
}
static sf_op reader(sf_flow *f, sf_compute_func compute, int id, sf_port in)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = compute, .user = &ids[id], .in = { in } });
}
static sf_flow *flow_with(sf_flow_desc d)
{
    sf_flow *f;
    d.device = device;
    d.metadata_entries = 2;
    f = sf_flow_create(&d);
    CHECK(f != NULL);
    return f;
}
static void link_up(sf_flow *f, sf_op from, const char *out, sf_op to, const sf_edge_desc *e)
{
    CHECK_OK(sf_flow_connect(f, from, out, to, NULL, e));
}
static void what_a_field_carries(void **state)               /* the tensors, and what goes with the message */
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op camera = pairs(f, 2);
    (void)state;
    link_up(f, camera, "pair", reader(f, note_pair, 1, (sf_port){ .name = "in", .fields = 2 }), NULL);
    link_up(f, camera, "left", reader(f, note_one, 2, (sf_port){ .name = "in", .bytes = BYTES, .dtype = SF_U32, .ndim = 1 }), NULL);
    link_up(f, camera, "right", reader(f, note_one, 3, (sf_port)IN("in")), NULL);
    run_is(f, SF_OK);
    CHECK_NOTES(1, 1, 2, 1000, 11, 12, 1001);
    CHECK_NOTES(2, 1, 1000, 0, 11, 1001, 1);
    CHECK_NOTES(3, 2, 1000, 0, 12, 1001, 1);
    destroy(f);
}
static void only_fields_are_read(void **state)               /* and not all of them: nothing counts as dropped */
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op camera = pairs(f, 3);
    sf_flow_info info;
    (void)state;
    link_up(f, camera, "right", reader(f, note_one, 3, (sf_port)IN("in")), NULL);
    run_is(f, SF_OK);
    CHECK_NOTES(3, 2, 1000, 0, 12, 1001, 1, 22, 1002, 2);
    CHECK_OK(sf_flow_get_info(f, &info));
    CHECK_EQUAL(info.dropped, 0);
    destroy(f);
}
/* A reader that keeps what it got holds that tensor's memory alone. */
static sf_tensor *kept[8];
static uint32_t kept_count;
static sf_result keep(sf_context *ctx)
{
    kept[kept_count++] = sf_tensor_retain(sf_receive(ctx, 0));
    return SF_OK;
}
static sf_result keep_left(sf_context *ctx)
{
    kept[kept_count++] = sf_tensor_retain(sf_tensor_field(sf_receive(ctx, 0), 0));
    return SF_OK;
}
static size_t used(sf_mem_pool *pool)
{
    sf_mem_pool_info info;
    CHECK_OK(sf_mem_pool_get_info(pool, &info));
    return info.used;
}
static void a_reader_holds_what_it_takes(void **state)
{
    static const struct { const char *from; sf_compute_func compute; int left, right; } cases[] = {
        { "left", keep, 2, 0 }, { "right", keep, 0, 2 }, { "pair", keep, 2, 2 }, { "pair", keep_left, 2, 0 }
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_mem_pool *pools[2];
        sf_flow *f = flow_with((sf_flow_desc){ 0 });
        sf_op camera;
        for (int k = 0; k < 2; k++) {
            CHECK_OK(sf_mem_pool_create(device, &(sf_mem_pool_desc){ .memory = SF_MEMORY_PINNED, .block_bytes = BYTES,
                                                                     .blocks = 4 }, &pools[k]));
        }
        camera = sf_flow_add(f, &(sf_op_desc){ .compute = send_pair, .count = 2,
            .out = { { .name = "pair", .fields = 2 }, { .name = "left", .pool = pools[0], .bytes = BYTES },
                     { .name = "right", .pool = pools[1], .bytes = BYTES } } });
        kept_count = 0;
        link_up(f, camera, cases[i].from, reader(f, cases[i].compute, 0, (sf_port)IN("in")), NULL);
        run_is(f, SF_OK);
        CHECK_EQUAL(kept_count, 2);
        CHECK_EQUAL(used(pools[0]), cases[i].left * BYTES);
        CHECK_EQUAL(used(pools[1]), cases[i].right * BYTES);
        for (uint32_t k = 0; k < kept_count; k++) {
            const sf_tensor *t = kept[k]->dtype == SF_BUNDLE ? sf_tensor_field(kept[k], 0) : kept[k];
            CHECK_EQUAL(first_word(t), 10 * k + (i == 1 ? 2 : 1));
            sf_tensor_release(kept[k]);
        }
        CHECK_EQUAL(used(pools[0]) + used(pools[1]), 0);
        destroy(f);
        for (int k = 0; k < 2; k++) { CHECK_OK(sf_mem_pool_destroy(pools[k])); }
    }
}
static void policies_drop_whole_messages(void **state)
{
    static const sf_overflow policies[] = { SF_OVERFLOW_BLOCK, SF_OVERFLOW_DROP_OLDEST, SF_OVERFLOW_DROP_NEWEST, SF_OVERFLOW_LATEST };
    (void)state;
    for (size_t i = 0; i < COUNT(policies) * 2; i++) {
        sf_flow *f = flow_with((sf_flow_desc){ .workers[0].count = i < COUNT(policies) ? 0 : 2 });
        const sf_edge_desc e = { .overflow = policies[i % COUNT(policies)] };
        sf_op camera = pairs(f, 50), a = reader(f, note_pair, 1, (sf_port)IN("in")), b = reader(f, note_one, 2, (sf_port)IN("in"));
        long long seen[510];
        uint32_t n;
        notes_clear();
        link_up(f, camera, "pair", a, &e);
        link_up(f, camera, "left", b, &e);
        run_is(f, SF_OK);
        n = notes_of(1, seen, COUNT(seen));
        if (n > COUNT(seen)) { n = COUNT(seen); }            /* LATEST: read again and again, until no note has room */
        const bool full = test_load(&note_count) > COUNT(notes);
        if (full) { n -= n % 3; }
        CHECK(n % 3 == 0 && (n >= 3 || full));
        for (uint32_t k = 0; k < n; k += 3) {                /* the two of one message, at its time */
            CHECK_EQUAL(seen[k + 1], seen[k] + 1);
            CHECK_EQUAL(seen[k + 2], 1000 + seen[k] / 10);
        }
        if (!(i % COUNT(policies))) { CHECK_EQUAL(n, 150); }
        n = notes_of(2, seen, COUNT(seen));
        if (n > COUNT(seen)) { n = COUNT(seen); }
        for (uint32_t k = 0; k + 2 < n; k += 3) { CHECK_EQUAL(seen[k + 1], 1000 + seen[k] / 10); }
        destroy(f);
    }
}
static void delayed_bundles_are_zeros(void **state)
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op camera = pairs(f, 2), r = reader(f, note_pair, 1, (sf_port){ .name = "in", .fields = 2 });
    (void)state;
    link_up(f, camera, "pair", r, &(sf_edge_desc){ .delay = 2 });
    run_is(f, SF_OK);
    CHECK_NOTES(1, 0, 0, -1, 0, 0, -1, 1, 2, 1000, 11, 12, 1001);
    destroy(f);
}

/* -- pushed from outside -- */

static uint32_t released;
static void count_release(void *data, void *user) { (void)data, test_add(&released, 1), test_add((uint32_t *)user, 1); }
static void wrapped_and_pushed(void **state)
{
    static uint32_t words[2][WORDS], ends[2];
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op r = reader(f, note_pair, 1, (sf_port){ .name = "in", .external = true, .fields = 2, .capacity = 4 });
    sf_tensor *bundle, *one;
    sf_field fields[2] = { { "left", NULL }, { "right", NULL } };
    (void)state;
    released = ends[0] = ends[1] = 0;
    for (uint32_t k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
            words[i][0] = 100 + (uint32_t)i;
            fields[i].tensor = sf_tensor_wrap(f, &(sf_tensor_desc){
                .dtype = SF_U32, .shape = { WORDS }, .data = words[i], .memory = SF_MEMORY_HOST, .release = count_release,
                .user = &ends[i] });
        }
        bundle = sf_tensor_wrap_bundle(f, fields, 2);
        CHECK(bundle && bundle->dtype == SF_BUNDLE && bundle->shape[0] == 2 && bundle->ndim == 1);
        CHECK(sf_tensor_field(bundle, 1) == fields[1].tensor && sf_tensor_find(bundle, "left") == fields[0].tensor);
        CHECK(!sf_tensor_field(bundle, 2) && !sf_tensor_field(bundle, -1) && !sf_tensor_find(bundle, "middle"));
        CHECK(!sf_tensor_to_dlpack(bundle, NULL));
        if (k == 2) {                        /* never pushed: released with all that it has */
            sf_tensor_release(bundle);
            CHECK_EQUAL(released, 2);
            continue;
        }
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        CHECK_OK(sf_flow_push(f, r, 0, bundle));
    }
    CHECK_EQUAL(ends[0], 1);
    one = sf_tensor_wrap(f, &(sf_tensor_desc){ .shape = { 4 }, .data = words[0], .memory = SF_MEMORY_HOST });
    CHECK_IS(sf_flow_push(f, r, 0, one), SF_ERROR_MISMATCH);
    CHECK_IS(sf_flow_push_value(f, r, 0, number(1)), SF_ERROR_MISMATCH);
    fields[0].tensor = one;
    bundle = sf_tensor_wrap_bundle(f, fields, 1);
    CHECK_IS(sf_flow_push(f, r, 0, bundle), SF_ERROR_MISMATCH);              /* one tensor, not two */
    CHECK(!sf_tensor_wrap_bundle(f, &(sf_field){ "x", bundle }, 1));         /* no bundles in bundles */
    CHECK(strstr(sf_flow_failure(f)->text, "the tensor for \"x\" is a bundle itself"));
    CHECK(!sf_tensor_wrap_bundle(f, fields, 0) && !sf_tensor_wrap_bundle(f, NULL, 1) && !sf_tensor_wrap_bundle(NULL, fields, 1));
    CHECK(!sf_tensor_wrap(f, &(sf_tensor_desc){ .dtype = SF_BUNDLE, .shape = { 1 }, .data = fields, .memory = SF_MEMORY_HOST }));
    sf_tensor_release(bundle);
    CHECK_OK(sf_flow_start(f));
    CHECK_OK(sf_flow_finish(f));
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_NOTES(1, 100, 101, -1, 100, 101, -1);
    CHECK_EQUAL(released, 6);
    destroy(f);
}
/* The two tensors are written on two streams: a reader on the GPU sees both whole, by one order. */
static uint32_t *gpu_log;
static sf_result probe_pair(sf_context *ctx)
{
    const sf_tensor *pair = sf_receive(ctx, 0);
    sf_stream *s = sf_compute_stream(ctx);
    probe(s, sf_tensor_field(pair, 0)->data, gpu_log, 0);
    return probe(s, sf_tensor_field(pair, 1)->data, gpu_log + PROBE, 0);
}
static void pushed_behind_two_streams(void **state)
{
    (void)state;
    for (uint32_t order = 0; order < order_count(); order++) {
        sf_device *d = open_order(order, order), *before = device;
        sf_stream *s[2] = { test_stream(d), test_stream(d) };
        uint32_t *words[2] = { test_memory(d, BYTES), test_memory(d, BYTES) };
        sf_field fields[3] = { { "left", NULL }, { "right", NULL }, { "new", NULL } };
        uint32_t ends[3] = { 0, 0, 0 };
        sf_graph *graph;
        sf_flow *f, *first;
        sf_op r;
        device = d;
        gpu_log = test_memory(d, 2 * PROBE * sizeof *gpu_log);
        f = flow_on(d);
        first = flow_on(d);
        r = reader(f, probe_pair, 1, (sf_port){ .name = "in", .external = true });
        CHECK_OK(sf_flow_check(f, false, NULL, NULL));
        for (int i = 0; i < 2; i++) {
            sf_op o = reader(first, take_tensor, 2, (sf_port){ .name = "in", .external = true });
            fields[i].tensor = sf_tensor_wrap(f, &(sf_tensor_desc){ .dtype = SF_U32, .shape = { WORDS }, .data = words[i],
                                                                    .memory = SF_MEMORY_PINNED, .release = count_release,
                                                                    .user = &ends[i] });
            CHECK_OK(sf_flow_check(first, false, NULL, NULL));
            CHECK_OK(paint(s[i], words[i], NULL, NULL, 50 + (uint32_t)i, 3000));
            sf_tensor_retain(fields[i].tensor);
            CHECK_OK(sf_flow_push_on(first, o, 0, fields[i].tensor, s[i]));  /* so that it carries an order */
        }
        fields[2].tensor = sf_tensor_wrap(f, &(sf_tensor_desc){ .shape = { 4 }, .data = words[0], .memory = SF_MEMORY_PINNED,
                                                                .release = count_release, .user = &ends[2] });
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_stream_begin_capture(s[i], SF_CAPTURE_RELAXED)); }
        CHECK(!sf_tensor_wrap_bundle(f, fields, 3));         /* nothing is handed over */
        for (int i = 0; i < 2; i++) { CHECK_OK(sf_stream_end_capture(s[i], &graph)); CHECK_OK(sf_graph_destroy(graph)); }
        sf_tensor_release(fields[2].tensor);
        CHECK_EQUAL(ends[2], 1);
        CHECK_OK(sf_flow_push(f, r, 0, sf_tensor_wrap_bundle(f, fields, 2)));
        for (int i = 0; i < 2; i++) { sf_tensor_release(fields[i].tensor); }
        CHECK_OK(sf_flow_start(f));
        CHECK_OK(sf_flow_finish(f));
        CHECK_OK(sf_flow_wait(f, GUARD));
        CHECK_PROBE(gpu_log, 50);
        CHECK_PROBE(gpu_log + PROBE, 51);
        CHECK_OK(sf_flow_destroy(first));
        destroy(f);
        CHECK(ends[0] == 1 && ends[1] == 1);
        CHECK_OK(sf_mem_free(d, gpu_log));
        for (int i = 0; i < 2; i++) {
            CHECK_OK(sf_mem_free(d, words[i]));
            CHECK_OK(sf_stream_destroy(s[i]));
        }
        device = before;
        test_close(d);
    }
}

/* -- what is refused, and in which words -- */

static void check_says(sf_flow *f, sf_result want, const char *text)
{
    CHECK_IS(sf_flow_check(f, false, NULL, NULL), want);
    if (!strstr(sf_flow_failure(f)->text, text)) { fail_msg("'%s' is not in: %s", text, sf_flow_failure(f)->text); }
    const sf_result r = sf_flow_destroy(f);
    CHECK(r == SF_OK || r == want);          /* what is found when it is added stays the flow's failure */
}
static void refused_when_checked(void **state)
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op camera;
    (void)state;
    camera = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = nothing, .out = { { .name = "pair", .fields = 2 }, OUT("left") } });
    link_up(f, camera, "left", reader(f, note_one, 1, (sf_port)IN("in")), NULL);
    check_says(f, SF_ERROR_INVALID_VALUE, "has 2 fields, and only 1 outputs are behind it");

    f = flow_with((sf_flow_desc){ 0 });
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = nothing, .out = { { .name = "pair", .fields = 1, .bytes = 8 }, OUT("left") } });
    check_says(f, SF_ERROR_INVALID_VALUE, "leave out .bytes");

    f = flow_with((sf_flow_desc){ 0 });
    link_up(f, pairs(f, 1), "pair", reader(f, note_one, 1, (sf_port){ .name = "in", .bytes = BYTES }), NULL);
    check_says(f, SF_ERROR_MISMATCH, "\"camera\".pair sends bundles of 2, \"reader\".in expects tensors");

    f = flow_with((sf_flow_desc){ 0 });
    link_up(f, pairs(f, 1), "pair", reader(f, note_one, 1, (sf_port){ .name = "in", .fields = 3 }), NULL);
    check_says(f, SF_ERROR_MISMATCH, "expects bundles of 3");

    f = flow_with((sf_flow_desc){ 0 });
    link_up(f, pairs(f, 1), "left", reader(f, note_one, 1, (sf_port){ .name = "in", .dtype = SF_F32 }), NULL);
    check_says(f, SF_ERROR_MISMATCH, "sends tensors of U32 with 1 dimension, \"reader\".in expects tensors of F32");

    f = flow_with((sf_flow_desc){ 0 });
    link_up(f, pairs(f, 1), "left", reader(f, note_one, 1, (sf_port){ .name = "in", .ndim = 3 }), NULL);
    check_says(f, SF_ERROR_MISMATCH, "expects tensors with 3 dimensions");

    f = flow_with((sf_flow_desc){ 0 });
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = nothing, .out = { { .name = "out", .bytes = 6, .dtype = SF_F32 } } });
    check_says(f, SF_ERROR_INVALID_VALUE, "no multiple of an element");

    f = flow_with((sf_flow_desc){ 0 });
    (void)sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = nothing, .out = { { .name = "out", .bytes = 16, .dtype = SF_BUNDLE } } });
    check_says(f, SF_ERROR_INVALID_VALUE, "bundles have .fields, not .dtype");
}
typedef sf_result (*wrong_call)(sf_context *ctx);
static sf_result emits_on_a_field(sf_context *ctx) { return sf_emit(ctx, 1, sf_tensor_create(ctx, 1, NULL)); }
static sf_result emits_no_bundle(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_create(ctx, 3, NULL)); }
static sf_result emits_a_value(sf_context *ctx) { return sf_emit_value(ctx, 0, number(1)); }
static sf_result emits_a_bundle_elsewhere(sf_context *ctx) { return sf_emit(ctx, 3, sf_tensor_create(ctx, 0, NULL)); }
static sf_result emits_another_type(sf_context *ctx)
{
    return sf_emit(ctx, 3, sf_tensor_create(ctx, 3, &(sf_tensor_desc){ .dtype = SF_F32, .shape = { 4 } }));
}
static sf_result emits_more_dimensions(sf_context *ctx)
{
    return sf_emit(ctx, 3, sf_tensor_create(ctx, 3, &(sf_tensor_desc){ .shape = { 4, 4 } }));
}
static sf_result bundles_a_wrong_field(sf_context *ctx)
{
    sf_tensor *parts[2] = { sf_tensor_create(ctx, 1, &(sf_tensor_desc){ .dtype = SF_F32, .shape = { 4 } }), sf_tensor_create(ctx, 2, NULL) };
    return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, parts));
}
static sf_result bundles_none(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, (sf_tensor *[2]){ NULL, NULL })); }
static sf_result bundles_a_bundle(sf_context *ctx)
{
    sf_tensor *parts[2] = { sf_tensor_create(ctx, 0, NULL), NULL };
    parts[1] = parts[0];
    return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, parts));
}
static sf_result bundles_without_fields(sf_context *ctx)
{
    sf_tensor *parts[2] = { sf_tensor_create(ctx, 1, NULL), sf_tensor_create(ctx, 2, NULL) };
    return sf_emit(ctx, 3, sf_tensor_bundle(ctx, 3, parts));
}
static sf_result asks_for_a_third(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_field(sf_tensor_create(ctx, 0, NULL), 2)); }
static sf_result likes_a_bundle(sf_context *ctx) { return sf_emit(ctx, 3, sf_tensor_like(ctx, 3, sf_tensor_create(ctx, 0, NULL))); }
static sf_result likes_a_single(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_like(ctx, 0, sf_tensor_create(ctx, 3, NULL))); }
static sf_result asks_a_single(sf_context *ctx)
{
    return sf_tensor_field(sf_tensor_create(ctx, 3, NULL), 0)->data ? SF_OK : SF_DONE;
}
static sf_result sets_a_field_s_stream(sf_context *ctx)
{
    sf_stream *s = sf_allocate_stream(ctx, "plane");
    sf_set_stream(ctx, 2, s);
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static sf_result makes_a_bundle_by_hand(sf_context *ctx)
{
    return sf_emit(ctx, 3, sf_tensor_create(ctx, 3, &(sf_tensor_desc){ .dtype = SF_BUNDLE, .shape = { 1 } }));
}
static void refused_in_a_compute(void **state)
{
    static const struct { wrong_call call; sf_result code; const char *text; } cases[] = {
        { emits_on_a_field, SF_ERROR_INVALID_VALUE, "output \"left\" is a field of \"pair\"" },
        { emits_no_bundle, SF_ERROR_MISMATCH, "output \"pair\" sends bundles of 2, not tensors of U32 with 1 dimension: make one with sf_tensor_bundle()" },
        { emits_a_value, SF_ERROR_MISMATCH, "output \"pair\" sends bundles of 2, not values" },
        { emits_a_bundle_elsewhere, SF_ERROR_MISMATCH, "output \"single\" sends tensors of U32 with 1 dimension, not bundles of 2" },
        { emits_another_type, SF_ERROR_MISMATCH, "not tensors of F32" },
        { emits_more_dimensions, SF_ERROR_MISMATCH, "with 2 dimensions" },
        { bundles_a_wrong_field, SF_ERROR_MISMATCH, "output \"left\" sends tensors of U32, not tensors of F32" },
        { bundles_none, SF_ERROR_INVALID_VALUE, "the tensor for \"left\" is none" },
        { bundles_a_bundle, SF_ERROR_INVALID_VALUE, "is a bundle itself" },
        { bundles_without_fields, SF_ERROR_INVALID_VALUE, "output \"single\" sends no bundles" },
        { asks_for_a_third, SF_ERROR_INVALID_VALUE, "there is no tensor 2 in a bundle of 2" },
        { makes_a_bundle_by_hand, SF_ERROR_INVALID_VALUE, "the size is 0" },
        { likes_a_bundle, SF_ERROR_MISMATCH, "output \"single\" has 0 fields, and what it is to be like has 2" },
        { likes_a_single, SF_ERROR_MISMATCH, "output \"pair\" has 2 fields, and what it is to be like has 0" },
        { asks_a_single, SF_ERROR_INVALID_VALUE, "the tensor is no bundle" },
        { sets_a_field_s_stream, SF_ERROR_INVALID_VALUE, "output \"right\" is a field of \"pair\"" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        sf_flow *f = flow_with((sf_flow_desc){ 0 });
        sf_op camera = sf_flow_add(f, &(sf_op_desc){ .name = "camera", .compute = cases[i].call, .count = 1,
            .out = { { .name = "pair", .fields = 2 }, { .name = "left", .bytes = BYTES, .dtype = SF_U32 },
                     { .name = "right", .bytes = BYTES, .dtype = SF_U32 },
                     { .name = "single", .bytes = BYTES, .dtype = SF_U32, .ndim = 1 } } });
        for (int k = 0; k < 4; k++) {
            static const char *const names[] = { "pair", "left", "right", "single" };
            link_up(f, camera, names[k], reader(f, nothing, 0, (sf_port)IN("in")), NULL);
        }
        run_is(f, cases[i].code);
        if (!strstr(sf_flow_failure(f)->text, cases[i].text)) {
            fail_msg("'%s' is not in: %s", cases[i].text, sf_flow_failure(f)->text);
        }
        destroy_is(f, cases[i].code);
    }
}
static sf_result value_or_tensor(sf_context *ctx)            /* an output that says nothing, to inputs that do */
{
    if (id_of(ctx)) { return sf_emit_value(ctx, 0, number(1)); }
    return sf_emit(ctx, 0, sf_tensor_create(ctx, 0, NULL));
}
static void an_input_says_what_it_takes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        sf_flow *f = flow_with((sf_flow_desc){ 0 });
        sf_op from = sf_flow_add(f, &(sf_op_desc){ .name = "from", .compute = value_or_tensor, .user = &ids[i], .count = 1,
                                                   .out = { { .name = "out", .bytes = i ? 0 : BYTES } } });
        link_up(f, from, "out", reader(f, nothing, 0, (sf_port){ .name = "in", .dtype = SF_F32 }), NULL);
        run_is(f, SF_ERROR_MISMATCH);
        CHECK(strstr(sf_flow_failure(f)->text, i ? "input \"reader\".in takes tensors of F32, not values"
                                                 : "input \"reader\".in takes tensors of F32, not tensors of U8"));
        destroy_is(f, SF_ERROR_MISMATCH);
    }
}
static sf_result made_as_the_port_says(sf_context *ctx)
{
    const sf_tensor *pair, *row;
    const sf_tensor_desc descs[2] = { { .shape = { 8, 8 } }, { .dtype = SF_U8, .shape = { 5 } } };
    if (!ctx->run) {
        row = sf_tensor_create(ctx, 1, NULL);
        return note_down(1, row->dtype == SF_U32 && row->ndim == 1 && row->shape[0] == WORDS && row->bytes == BYTES), SF_OK;
    }
    pair = sf_tensor_create(ctx, 0, descs);
    note_down(1, sf_tensor_field(pair, 0)->dtype == SF_U32 && sf_tensor_field(pair, 0)->ndim == 2);
    note_down(1, sf_tensor_field(pair, 1)->dtype == SF_U8 && sf_tensor_field(pair, 1)->bytes == 5);
    pair = sf_tensor_like(ctx, 0, pair);
    note_down(1, sf_tensor_field(pair, 0)->shape[1] == 8 && sf_tensor_field(pair, 1)->shape[0] == 5);
    return SF_DONE;
}
static void shapes_of_each_tensor(void **state)
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    (void)state;
    (void)sf_flow_add(f, &(sf_op_desc){ .compute = made_as_the_port_says,
        .out = { { .name = "pair", .fields = 2 }, { .name = "left", .bytes = BYTES, .dtype = SF_U32 }, { .name = "right", .bytes = BYTES } } });
    run_is(f, SF_OK);
    CHECK_NOTES(1, 1, 1, 1, 1);
    destroy(f);
}

/* -- with the rest of the library -- */

static void results_of_copies(void **state)                  /* sf_op_desc.copies: bundles and fields in order */
{
    sf_flow *f = flow_with((sf_flow_desc){ .workers[0].count = 3 });
    sf_op numbers = sf_flow_add(f, &(sf_op_desc){ .compute = count_up, .count = 20, .out = { OUT("out") } });
    sf_op camera = sf_flow_add(f, &(sf_op_desc){ .compute = send_pair, .copies = 3, .in = { IN("in") }, STEREO(.ndim = 1) });
    long long seen[64];
    sf_flow_info info;
    (void)state;
    link_up(f, numbers, "out", camera, NULL);
    link_up(f, camera, "pair", reader(f, note_pair, 1, (sf_port)IN("in")), NULL);
    link_up(f, camera, "right", reader(f, note_one, 2, (sf_port)IN("in")), NULL);
    run_is(f, SF_OK);
    CHECK_EQUAL(notes_of(1, seen, COUNT(seen)), 60);
    for (int i = 0; i < 20; i++) { CHECK_EQUAL(seen[3 * i + 1], 10 * i + 2); }
    CHECK_EQUAL(notes_of(2, seen, COUNT(seen)), 60);
    for (int i = 0; i < 20; i++) { CHECK_EQUAL(seen[3 * i], 10 * i + 2); }
    CHECK_OK(sf_flow_get_info(f, &info));
    CHECK_EQUAL(info.dropped, 0);
    destroy(f);
}
static sf_result pass_on(sf_context *ctx) { return sf_emit(ctx, 0, sf_receive(ctx, 0)); }
static sf_result pass_left(sf_context *ctx) { return sf_emit(ctx, 0, sf_tensor_field(sf_receive(ctx, 0), 0)); }
static sf_result swap(sf_context *ctx)
{
    const sf_tensor *pair = sf_receive(ctx, 0);
    return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, (sf_tensor *[2]){ sf_tensor_field(pair, 1), sf_tensor_field(pair, 0) }));
}
static sf_result send_gpu_pair(sf_context *ctx)              /* in the device's memory, by the GPU */
{
    sf_tensor *pair = sf_tensor_create(ctx, 0, NULL);
    for (int i = 0; i < 2; i++) { paint(sf_compute_stream(ctx), sf_tensor_field(pair, i)->data, NULL, NULL, (uint32_t)i, 0); }
    return sf_emit(ctx, 0, pair);
}
static void an_input_with_bytes_takes_single_ones(void **state)       /* also behind an operator that passes all on */
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    sf_op pass = sf_flow_add(f, &(sf_op_desc){ .name = "pass", .compute = pass_on, .in = { IN("in") }, .out = { OUT("out") } });
    sf_op r = reader(f, take_tensor, 1, (sf_port){ .name = "in", .bytes = 2 * sizeof(sf_field) });
    sf_op outside = reader(f, nothing, 1, (sf_port){ .name = "in", .bytes = 2 * sizeof(sf_field), .external = true });
    uint32_t words[2] = { 1, 2 };
    sf_tensor *one = sf_tensor_wrap(f, &(sf_tensor_desc){ .shape = { 8 }, .data = words, .memory = SF_MEMORY_HOST });
    sf_tensor *bundle = sf_tensor_wrap_bundle(f, (sf_field[2]){ { "a", one }, { "b", one } }, 2);
    (void)state;
    link_up(f, pairs(f, 1), "pair", pass, NULL);
    link_up(f, pass, "out", r, NULL);
    CHECK_OK(sf_flow_check(f, false, NULL, NULL));
    CHECK_IS(sf_flow_push(f, outside, 0, bundle), SF_ERROR_MISMATCH);
    sf_tensor_release(bundle);
    run_is(f, SF_ERROR_MISMATCH);
    CHECK(strstr(sf_flow_failure(f)->text, "takes single tensors, not bundles"));
    destroy_is(f, SF_ERROR_MISMATCH);
}
static void passing_on_is_no_read(void **state)              /* no warning that the CPU reads the GPU's memory */
{
    static const sf_compute_func passes[] = { pass_on, pass_left, swap };
    (void)state;
    for (size_t i = 0; i < COUNT(passes); i++) {
        test_log log = { 0 };
        sf_flow *f = flow_with((sf_flow_desc){ .logger = { test_log_func, &log } });
        sf_op_desc d = { .name = "pass", .compute = passes[i], .in = { IN("in") },
                         .out = { { .name = "out", .fields = i == 2 ? 2 : 0 }, { .name = i == 2 ? "a" : NULL }, { .name = i == 2 ? "b" : NULL } } };
        sf_op camera = sf_flow_add(f, &(sf_op_desc){ .compute = send_gpu_pair, .count = 3,
            .out = { { .name = "pair", .fields = 2 }, { .name = "left", .bytes = BYTES }, { .name = "right", .bytes = BYTES } } });
        sf_op pass = sf_flow_add(f, &d);
        gpu_log = test_memory(device, 2 * PROBE * sizeof *gpu_log);
        link_up(f, camera, "pair", pass, NULL);
        if (i != 1) { link_up(f, pass, "out", reader(f, probe_pair, 1, (sf_port)IN("in")), NULL); }
        run_is(f, SF_OK);
        if (log.count) { fail_msg("%zu: %s", i, log.text); }
        if (i != 1) { CHECK_PROBE(gpu_log, i == 2); }
        destroy(f);
        CHECK_OK(sf_mem_free(device, gpu_log));
    }
}
static void a_read_too_early_is_told(void **state)
{
    test_log log = { 0 };
    sf_flow *f = flow_with((sf_flow_desc){ .logger = { test_log_func, &log } });
    sf_op camera = sf_flow_add(f, &(sf_op_desc){ .compute = send_gpu_pair, .count = 1,
        .out = { { .name = "pair", .fields = 2 }, { .name = "left", .bytes = BYTES }, { .name = "right", .bytes = BYTES } } });
    (void)state;
    link_up(f, camera, "pair", reader(f, take_tensor, 1, (sf_port)IN("in")), NULL);
    run_is(f, SF_OK);
    CHECK(log.count == 1 && strstr(log.text, "received SF_MEMORY_DEVICE"));
    destroy(f);
}
static void got_field(void *user, const sf_record *r)
{
    (void)user;
    note_down(!strcmp(r->port, "left") ? 1 : !strcmp(r->port, "right") ? 2 : 3, r->data ? *(const uint32_t *)r->data : 0);
}
static void an_operator_alone(void **state)                  /* sf_op_try() shows the tensors of each field */
{
    (void)state;
    CHECK_OK(sf_op_try(&(sf_op_desc){ .name = "camera", .compute = send_pair, .count = 2, STEREO(.ndim = 1) },
                       &(sf_try_desc){ .device = device, .got = got_field }));
    CHECK_NOTES(1, 1, 11);
    CHECK_NOTES(2, 2, 12);
    CHECK_EQUAL(notes_of(3, NULL, 0), 0);
}
static void in_static_memory(void **state)
{
    sf_flow_desc d = { .metadata_entries = 2, .limits = { .ops = 3, .edges = 2, .messages = 12, .streams = 3, .payload_bytes = 16384 } };
    const size_t bytes = sf_flow_memory(&d);
    void *memory = aligned_alloc(16, bytes + 16);
    sf_flow *f;
    (void)state;
    if (on_cuda()) { free(memory); return; } /* a flow in a block of the user's is on the host */
    d.memory = (sf_range){ memory, bytes };
    f = sf_flow_create(&d);
    link_up(f, pairs(f, 5), "pair", reader(f, note_pair, 1, (sf_port){ .name = "in", .fields = 2 }), NULL);
    run_is(f, SF_OK);
    CHECK_EQUAL(notes_of(1, NULL, 0), 15);
    destroy(f);
    free(memory);
}
static void the_plan_shows_it(void **state)
{
    sf_flow *f = flow_with((sf_flow_desc){ 0 });
    (void)state;
    link_up(f, pairs(f, 1), "pair", reader(f, note_pair, 1, (sf_port)IN("in")), NULL);
    report_clear();
    CHECK_OK(sf_flow_check(f, true, report_add, NULL));
    CHECK(strstr(report.text, "{\"name\":\"pair\",\"fields\":2,"));
    destroy(f);
}

/* -- in a loop on the GPU -- */

static sf_result loop_make(sf_context *ctx)                  /* left: x + 1, right: x + 2 */
{
    const sf_tensor *x = sf_receive(ctx, 0);
    sf_tensor *pair = sf_tensor_create(ctx, 0, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        paint(sf_compute_stream(ctx), sf_tensor_field(pair, (int)i)->data, x->data, NULL, 1 + i, 0);
    }
    return sf_emit(ctx, 0, pair);
}
static sf_result loop_add(sf_context *ctx)                   /* left as it is; right: left + right */
{
    const sf_tensor *pair = sf_receive(ctx, 0);
    sf_tensor *left = sf_tensor_find(pair, "left"), *sum = sf_tensor_create(ctx, 2, NULL);
    paint(sf_compute_stream(ctx), sum->data, left->data, sf_tensor_field(pair, 1)->data, 0, 0);
    return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, (sf_tensor *[2]){ left, sum }));
}
static sf_result loop_sum(sf_context *ctx)                   /* left + right of this turn, and the delayed left */
{
    const sf_tensor *pair = sf_receive(ctx, 0), *late = sf_receive(ctx, 1);
    sf_tensor *out = sf_tensor_create(ctx, 0, NULL);
    sf_stream *s = sf_compute_stream(ctx);
    paint(s, out->data, sf_tensor_field(pair, 0)->data, sf_tensor_field(pair, 1)->data, 0, 0);
    paint(s, out->data, out->data, sf_tensor_field(late, 0)->data, 0, 0);
    return sf_emit(ctx, 0, out);
}
static void in_loops_of_every_shape(void **state)
{
    static const sf_resident_loop loops[] = { SF_RESIDENT_LOOP_EXACT, SF_RESIDENT_LOOP_FAST };
    (void)state;
    for (size_t i = 0; i < COUNT(loops); i++) {
        sf_resident *r = sf_resident_create(&(sf_resident_desc){ .device = device, .loop = loops[i], .logger.func = sf_log_stderr });
        sf_op make = sf_resident_add(r, &(sf_op_desc){ .name = "make", .compute = loop_make,
            .in = { { .name = "x", .bytes = BYTES, .external = true } }, STEREO(.ndim = 0) });
        sf_op add = sf_resident_add(r, &(sf_op_desc){ .name = "add", .compute = loop_add, .in = { { .name = "in", .fields = 2 } }, STEREO(.ndim = 0) });
        sf_op sum = sf_resident_add(r, &(sf_op_desc){ .name = "sum", .compute = loop_sum, .in = { IN("in"), IN("late") },
            .out = { { .name = "y", .bytes = BYTES, .external = true } } });
        uint32_t before = 0;
        CHECK_OK(sf_resident_connect(r, make, "pair", add, "in", NULL));
        CHECK_OK(sf_resident_connect(r, add, "pair", sum, "in", NULL));
        CHECK_OK(sf_resident_connect(r, make, "pair", sum, "late", &(sf_edge_desc){ .delay = 1 }));
        CHECK_OK(sf_resident_launch(r));
        for (uint32_t frame = 0; frame < 20; frame++) {
            sf_resident_slot s;
            const uint32_t x = frame * frame + 5;
            uint64_t sequence;
            CHECK_OK(sf_resident_acquire(r, make, GUARD, &s));
            for (int k = 0; k < WORDS; k++) { ((uint32_t *)s.data[0])[k] = x; }
            sequence = s.sequence;
            CHECK_OK(sf_resident_submit(r, &s));
            CHECK_OK(sf_resident_result(r, sum, sequence, GUARD, &s));
            for (int k = 0; k < WORDS; k++) { CHECK_EQUAL(((const uint32_t *)s.data[0])[k], (x + 1) + (2 * x + 3) + before); }
            CHECK_OK(sf_resident_release(r, &s));
            before = x + 1;
        }
        CHECK_OK(sf_resident_destroy(r));
    }
}
static sf_result loop_wrong(sf_context *ctx)
{
    sf_tensor *x = sf_receive(ctx, 0), *pair;
    if (id_of(ctx) == 4) {                   /* each emit copies: the second would send what the first has overwritten */
        pair = sf_tensor_create(ctx, 0, NULL);
        return sf_emit(ctx, 0, sf_tensor_bundle(ctx, 0, (sf_tensor *[2]){ sf_tensor_field(pair, 1), sf_tensor_field(pair, 0) }));
    }
    return id_of(ctx) ? sf_emit(ctx, 0, x) : sf_emit(ctx, 3, sf_tensor_create(ctx, 0, NULL));
}
static void a_loop_refuses_in_words(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        sf_resident *r = sf_resident_create(&(sf_resident_desc){ .device = device });
        sf_op make = sf_resident_add(r, &(sf_op_desc){ .name = "make", .compute = i < 2 || i == 4 ? loop_wrong : loop_make, .user = &ids[i],
            .in = { { .name = "x", .bytes = BYTES, .external = true } },
            .out = { { .name = "pair", .fields = 2, .bytes = i == 2 ? 4 : 0 }, { .name = "left", .bytes = BYTES },
                     { .name = "right", .bytes = BYTES }, { .name = "one", .bytes = BYTES, .external = true } } });
        sf_op sum = sf_resident_add(r, &(sf_op_desc){ .name = "sum", .compute = loop_sum, .in = { { .name = "in", .fields = i == 3 ? 3 : 2 }, IN("late") } });
        static const char *const texts[] = { "set .fields, also where one is passed on", "it sends bundles of as many tensors as .fields says",
                                             "has .fields: leave out .bytes", ".fields: the output that it reads sends another number of tensors",
                                             "a tensor lies in the memory of another field" };
        const sf_result codes[] = { SF_ERROR_MISMATCH, SF_ERROR_MISMATCH, SF_ERROR_INVALID_VALUE, SF_ERROR_MISMATCH, SF_ERROR_INVALID_VALUE };
        CHECK_OK(sf_resident_connect(r, make, "pair", sum, "in", NULL));
        CHECK_OK(sf_resident_connect(r, make, "pair", sum, "late", NULL));
        CHECK_IS(sf_resident_build(r), codes[i]);
        if (!strstr(sf_resident_failure(r)->text, texts[i])) { fail_msg("%d: %s", i, sf_resident_failure(r)->text); }
        CHECK_IS(sf_resident_destroy(r), codes[i]);
    }
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test(name)
#define RULE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(any_program_in_any_order), TEST(any_program_on_threads), TEST(any_program_in_regions),
        TEST(any_program_on_devices),
        RULE(what_a_field_carries), RULE(only_fields_are_read), RULE(a_reader_holds_what_it_takes),
        RULE(policies_drop_whole_messages), RULE(delayed_bundles_are_zeros), RULE(wrapped_and_pushed),
        RULE(pushed_behind_two_streams), RULE(refused_when_checked), RULE(refused_in_a_compute),
        RULE(an_input_says_what_it_takes), RULE(shapes_of_each_tensor), RULE(results_of_copies),
        RULE(an_input_with_bytes_takes_single_ones), RULE(passing_on_is_no_read), RULE(a_read_too_early_is_told), RULE(an_operator_alone), RULE(in_static_memory),
        RULE(the_plan_shows_it), RULE(in_loops_of_every_shape), RULE(a_loop_refuses_in_words),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("bundles", tests, NULL, NULL);
}
