/*  test_dlpack.c - tensors and DLPack's: the same bytes, and ownership that goes both ways. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <pthread.h>
#include <dlpack/dlpack.h>
#include "../streamflow.h"
#include <cmocka.h>
#include "flow_test.h"

static sf_device *device;
static uint32_t *logs, *gate;
static int setup(void **state)
{
    (void)state;
    notes_clear();
    device = open_device();
    logs = (uint32_t *)test_memory(device, (64 * PROBE + 1) * sizeof *logs);
    gate = logs + 64 * PROBE;
    return 0;
}
static int teardown(void **state)
{
    (void)state;
    return sf_mem_free(device, logs) < 0 || sf_device_close(device, GUARD) < 0;
}

/* -- layout -- */

#define SAME(ours, theirs)                                                                                   \
    do {                                                                                                     \
        CHECK_EQUAL(offsetof(sf_tensor, ours), offsetof(DLTensor, theirs));                                  \
        CHECK_EQUAL(sizeof((sf_tensor *)0)->ours, sizeof((DLTensor *)0)->theirs);                            \
    } while (0)
static void a_tensor_begins_as_a_dltensor(void **state)
{
    sf_tensor t = { 0 };
    const DLTensor *d = (const DLTensor *)(const void *)&t;
    (void)state;
    SAME(data, data);
    SAME(ndim, ndim);
    SAME(dtype, dtype);
    SAME(shape, shape);
    SAME(strides, strides);
    SAME(byte_offset, byte_offset);
    CHECK_EQUAL(offsetof(sf_tensor, device_type), offsetof(DLTensor, device));
    CHECK_EQUAL(sizeof t.device_type + sizeof t.device_id, sizeof d->device);
    CHECK_EQUAL(offsetof(sf_tensor, bytes), sizeof(DLTensor));
    t.device_type = 2;
    t.device_id = 5;
    CHECK_EQUAL(d->device.device_type, kDLCUDA);
    CHECK_EQUAL(d->device.device_id, 5);
}
static void types_are_dlpack_s(void **state)
{
    static const struct { sf_dtype ours; uint8_t code, bits;
    } types[] = {
        { SF_I8, kDLInt, 8 },       { SF_I16, kDLInt, 16 },       { SF_I32, kDLInt, 32 },
        { SF_I64, kDLInt, 64 },     { SF_U8, kDLUInt, 8 },        { SF_U16, kDLUInt, 16 },
        { SF_U32, kDLUInt, 32 },    { SF_U64, kDLUInt, 64 },      { SF_F16, kDLFloat, 16 },
        { SF_F32, kDLFloat, 32 },   { SF_F64, kDLFloat, 64 },     { SF_BF16, kDLBfloat, 16 },
        { SF_C64, kDLComplex, 64 }, { SF_C128, kDLComplex, 128 }, { SF_BOOL, 6, 8 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        sf_tensor t = { .dtype = types[i].ours };
        const DLTensor *d = (const DLTensor *)(const void *)&t;
        CHECK_EQUAL(d->dtype.code, types[i].code);
        CHECK_EQUAL(d->dtype.bits, types[i].bits);
        CHECK_EQUAL(d->dtype.lanes, 1);
    }
    CHECK_EQUAL(kDLCPU, 1);
    CHECK_EQUAL(kDLCUDAHost, 3);
}

/* -- taking over -- */

static uint32_t deleted;
static void count_deleter(struct DLManagedTensor *self) { (void)self, test_add(&deleted, 1); }
static float numbers[64];
static int64_t shape[3] = { 2, 3, 4 }, strides[3] = { 1, 2, 8 };
static DLManagedTensor managed(void)
{
    DLManagedTensor m = { .dl_tensor = { .data = numbers,
                                         .device = { kDLCPU, 0 },
                                         .ndim = 3,
                                         .dtype = { kDLFloat, 32, 1 },
                                         .shape = shape },
                          .deleter = count_deleter };
    return m;
}
static void imported(void **state)
{
    sf_flow *f = flow_on(device);
    DLManagedTensor m = managed();
    sf_tensor *t;
    (void)state;
    deleted = 0;
    t = sf_tensor_from_dlpack(f, &m);
    CHECK(t && t->data == numbers && t->owner);
    CHECK(t->ndim == 3 && t->shape[0] == 2 && t->shape[1] == 3 && t->shape[2] == 4);
    CHECK(t->strides[0] == 12 && t->strides[1] == 4 && t->strides[2] == 1);          /* never NULL */
    CHECK_EQUAL(t->bytes, 96);
    CHECK_EQUAL(t->dtype, SF_F32);
    CHECK_EQUAL(t->device_type, kDLCPU);
    CHECK_EQUAL(t->byte_offset, 0);
    CHECK_EQUAL(deleted, 0);
    sf_tensor_retain(t);
    sf_tensor_release(t);
    CHECK_EQUAL(deleted, 0);
    sf_tensor_release(t);
    CHECK_EQUAL(deleted, 1);                                 /* exactly once */
    destroy(f);
    CHECK_EQUAL(deleted, 1);
}
static void imported_with_strides_and_offset(void **state)
{
    sf_flow *f = flow_on(device);
    DLManagedTensor m = managed();
    sf_tensor *t;
    (void)state;
    deleted = 0;
    m.dl_tensor.strides = strides; /* first dimension fastest, the last one with gaps */
    m.dl_tensor.byte_offset = 8;
    t = sf_tensor_from_dlpack(f, &m);
    CHECK(t && t->data == numbers + 2); /* byte_offset is always 0 here: the pointer has moved */
    CHECK_EQUAL(t->byte_offset, 0);
    for (int i = 0; i < 3; i++) { CHECK_EQUAL(t->strides[i], strides[i]); }
    CHECK_EQUAL(t->bytes, (1 * 1 + 2 * 2 + 3 * 8 + 1) * 4);
    sf_tensor_release(t);
    CHECK_EQUAL(deleted, 1);
    m.deleter = NULL;                                        /* DLPack allows it */
    t = sf_tensor_from_dlpack(f, &m);
    CHECK(t != NULL);
    sf_tensor_release(t);
    m = managed();                                           /* a scalar */
    m.dl_tensor.ndim = 0;
    t = sf_tensor_from_dlpack(f, &m);
    CHECK(t && t->ndim == 0 && t->bytes == 4);
    sf_tensor_release(t);
    CHECK_EQUAL(deleted, 2);
    destroy(f);
}
static void a_stride_of_zero_is_a_broadcast(void **state)
{
    sf_flow *f = flow_on(device);
    DLManagedTensor m = managed();
    int64_t zero[3] = { 0, 4, 1 };
    sf_tensor *t;
    (void)state;
    m.dl_tensor.strides = zero;
    t = sf_tensor_from_dlpack(f, &m);
    CHECK(t && t->strides[0] == 0 && t->strides[1] == 4 && t->strides[2] == 1);
    CHECK_EQUAL(t->bytes, 12 * 4);
    sf_tensor_release(t);
    zero[1] = zero[2] = 0;                                   /* one number, seen 24 times */
    t = sf_tensor_from_dlpack(f, &m);
    CHECK(t && t->strides[0] == 0 && t->strides[1] == 0 && t->strides[2] == 0);
    CHECK_EQUAL(t->bytes, 4);
    sf_tensor_release(t);
    destroy(f);
}
static void what_cannot_be_imported(void **state)            /* stays the caller's: not deleted */
{
    sf_flow *f = flow_on(device);
    DLManagedTensor m;
    int64_t wrong[3] = { 2, -3, 4 };
    (void)state;
    deleted = 0;
    CHECK(sf_tensor_from_dlpack(f, NULL) == NULL);
    m = managed();
    CHECK(sf_tensor_from_dlpack(NULL, &m) == NULL);
    m.dl_tensor.ndim = SF_MAX_DIMS + 1;
    CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    m.dl_tensor.ndim = -1;
    CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    m = managed();
    m.dl_tensor.data = NULL;
    CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    m = managed();
    m.dl_tensor.shape = wrong;
    CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    m.dl_tensor.shape = NULL;
    CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    for (uint8_t bits = 1; bits < 16; bits++) {              /* several elements in a byte, or one across bytes */
        m = managed();
        m.dl_tensor.dtype = (DLDataType){ kDLUInt, bits, 1 };
        if (bits != 8) { CHECK(sf_tensor_from_dlpack(f, &m) == NULL); }
    }
    for (int k = 0; k < 3; k++) {                            /* nothing in it, with strides or without */
        int64_t none[3] = { 2, 3, 4 };
        none[k] = 0;
        m = managed();
        m.dl_tensor.shape = none;
        CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
        m.dl_tensor.strides = strides;
        CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    }
    for (int k = 0; k < 5; k++) {                            /* its last element is farther than a size can be */
        static const int64_t far[][3] = { { INT64_MAX, 1, 1 }, { 1, INT64_MAX / 2, 1 }, { 1, 1, INT64_MAX / 3 },
                                          { (int64_t)1 << 62, 0, 0 }, { INT64_MAX / 8, INT64_MAX / 8, INT64_MAX / 8 } };
        int64_t steps[3] = { far[k][0], far[k][1], far[k][2] };
        m = managed();
        m.dl_tensor.strides = steps;
        CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    }
    for (int k = 0; k < 4; k++) {                            /* it begins, or ends, beyond all memory */
        const uint64_t data = (uint64_t)(uintptr_t)managed().dl_tensor.data;
        const uint64_t offsets[] = { UINT64_MAX, UINT64_MAX - data, UINT64_MAX - data + 1, UINT64_MAX - data - 8 };
        m = managed();
        m.dl_tensor.byte_offset = offsets[k];
        CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    }
    CHECK(sf_flow_failure(f)->text[0]);
    destroy(f);
    f = flow_on(device);
    m = managed();
    m.dl_tensor.byte_offset = UINT64_MAX;
    CHECK(sf_tensor_from_dlpack(f, &m) == NULL);
    CHECK_IS(sf_flow_failure(f)->result, SF_ERROR_INVALID_VALUE);
    CHECK(strstr(sf_flow_failure(f)->text, "byte_offset"));
    destroy(f);
    CHECK_EQUAL(deleted, 0);
}

/* -- handing out -- */

static void exported(void **state)
{
    sf_flow *f = flow_on(device);
    DLManagedTensor *m;
    sf_tensor *t;
    static uint32_t released;
    extern void dlpack_release(void *data, void *user);
    (void)state;
    released = 0;
    t = sf_tensor_wrap(f, &(sf_tensor_desc){ .dtype = SF_F32,
                                             .shape = { 4, 5 },
                                             .strides = { 8, 1 },
                                             .data = numbers,
                                             .memory = SF_MEMORY_HOST,
                                             .release = dlpack_release,
                                             .user = &released });
    m = sf_tensor_to_dlpack(t, NULL);
    CHECK(m && m->dl_tensor.data == numbers && m->dl_tensor.ndim == 2 && m->deleter);
    CHECK(m->dl_tensor.shape[0] == 4 && m->dl_tensor.shape[1] == 5);
    CHECK(m->dl_tensor.strides && m->dl_tensor.strides[0] == 8 && m->dl_tensor.strides[1] == 1);
    CHECK(m->dl_tensor.dtype.code == kDLFloat && m->dl_tensor.dtype.bits == 32 &&
          m->dl_tensor.dtype.lanes == 1);
    CHECK_EQUAL(m->dl_tensor.byte_offset, 0);
    CHECK_EQUAL(m->dl_tensor.device.device_type, kDLCPU);
    sf_tensor_release(t);
    CHECK_EQUAL(released, 0);                                /* kept while it is out */
    m->deleter(m);
    CHECK_EQUAL(released, 1);
    CHECK(sf_tensor_to_dlpack(NULL, NULL) == NULL);
    CHECK(sf_tensor_to_dlpack(&(sf_tensor){ .data = numbers }, NULL) == NULL);       /* nobody counts it */
    destroy(f);
}
void dlpack_release(void *data, void *user);
void dlpack_release(void *data, void *user) { (void)data, test_add((uint32_t *)user, 1); }

static void there_and_back(void **state)
{
    sf_flow *f = flow_on(device);
    DLManagedTensor m = managed(), *out;
    sf_tensor *t, *again;
    (void)state;
    deleted = 0;
    t = sf_tensor_from_dlpack(f, &m);
    out = sf_tensor_to_dlpack(t, NULL);
    sf_tensor_release(t);
    again = sf_tensor_from_dlpack(f, out);
    CHECK(again && again->data == numbers && again->bytes == 96);
    CHECK_EQUAL(deleted, 0);
    sf_tensor_release(again);
    CHECK_EQUAL(deleted, 1);
    destroy(f);
}

/* -- in a flow -- */

static DLManagedTensor *kept;
static sf_stream *consumer;
static sf_tensor *kept_tensor;
static sf_result source(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, 3000);
    return sf_emit(ctx, 0, t);
}
static sf_result export_sink(sf_context *ctx)                /* frame 1 goes out, and stays out */
{
    sf_tensor *t = sf_receive(ctx, 0);
    if (ctx->run == 1) {
        kept = sf_tensor_to_dlpack(t, consumer);             /* which waits for the writer */
        kept_tensor = t;
        probe(consumer, kept->dl_tensor.data, logs, 3000);
    }
    return SF_OK;
}
static void exported_from_a_flow(void **state) /* its memory is not painted over while somebody has it */
{
    for (uint32_t o = 0; o < order_count(); o++) {
        sf_device *d = open_order(o, 9);
        uint32_t *log = (uint32_t *)test_memory(d, 2 * PROBE * 4), *mine = logs;
        sf_flow *f = flow_on(d);
        sf_mem_pool *pool;
        (void)state;
        logs = log;
        CHECK_OK(sf_mem_pool_create(d, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 2 }, &pool));
        consumer = test_stream(d);
        connect(f,
                sf_flow_add(f, &(sf_op_desc){ .compute = source,
                                         .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                         .count = 30 }),
                sf_flow_add(f, &(sf_op_desc){ .compute = export_sink, .in = { { .name = "in" } } }));
        run_is(f, SF_OK);
        destroy(f);
        CHECK(kept != NULL);
        CHECK_EQUAL(kept->dl_tensor.device.device_type, on_cuda() ? kDLCUDA : kDLCPU);
        CHECK_OK(probe(consumer, kept->dl_tensor.data, log + PROBE, 0));
        CHECK_OK(sf_stream_synchronize(consumer, GUARD));
        CHECK_PROBE(log, 101);
        CHECK_PROBE(log + PROBE, 101);                       /* 28 frames later */
        kept->deleter(kept);
        kept = NULL;
        logs = mine;
        CHECK_OK(sf_stream_destroy(consumer));
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_OK(sf_mem_free(d, log));
        test_close(d);
    }
}
static sf_result export_each(sf_context *ctx) /* out and back within the compute; the reader is slow */
{
    sf_tensor *t = sf_receive(ctx, 0);
    DLManagedTensor *m = sf_tensor_to_dlpack(t, consumer);
    probe(consumer, m->dl_tensor.data, logs + PROBE * ctx->run, 4000);
    m->deleter(m);
    return SF_OK;
}
static void reuse_waits_for_the_consumer(void **state)
{
    for (uint32_t o = 0; o < order_count(); o++) {
        sf_device *d = open_order(o, 9);
        uint32_t *log = (uint32_t *)test_memory(d, 30 * PROBE * 4), *mine = logs;
        sf_flow *f = flow_on(d);
        sf_mem_pool *pool;
        (void)state;
        logs = log;
        CHECK_OK(sf_mem_pool_create(d, &(sf_mem_pool_desc){ .block_bytes = BYTES, .blocks = 1 }, &pool));
        consumer = test_stream(d);
        connect(f,
                sf_flow_add(f, &(sf_op_desc){ .compute = source,
                                         .out = { { .name = "out", .bytes = BYTES, .pool = pool } },
                                         .count = 30 }),
                sf_flow_add(f, &(sf_op_desc){ .compute = export_each, .in = { { .name = "in" } } }));
        run_is(f, SF_OK);
        CHECK_OK(sf_stream_synchronize(consumer, GUARD));
        for (uint32_t i = 0; i < 30; i++) { CHECK_PROBE(log + PROBE * i, 100 + i); }
        destroy(f);
        logs = mine;
        CHECK_OK(sf_stream_destroy(consumer));
        CHECK_OK(sf_mem_pool_destroy(pool));
        CHECK_OK(sf_mem_free(d, log));
        test_close(d);
    }
}
static sf_result export_what_is_written(sf_context *ctx)     /* before it is emitted, behind this compute's work */
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    DLManagedTensor *m;
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100 + (uint32_t)ctx->run, 100000);
    m = sf_tensor_to_dlpack(t, consumer);
    probe(consumer, m->dl_tensor.data, logs + PROBE * ctx->run, 4000);
    m->deleter(m);
    return SF_OK;
}
static sf_result export_in_a_region(sf_context *ctx)         /* where that work is not launched yet */
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    paint(sf_compute_stream(ctx), t->data, NULL, NULL, 100, 0);
    note_down(0, sf_tensor_to_dlpack(t, consumer) == NULL);
    return SF_OK;
}
static void the_consumer_waits_for_the_compute(void **state)
{
    (void)state;
    for (uint32_t o = 0; o < order_count(); o++) {
        sf_device *d = open_order(o, 9);
        uint32_t *log = (uint32_t *)test_memory(d, 30 * PROBE * 4), *mine = logs;
        logs = log;
        consumer = test_stream(d);
        notes_clear();
        for (int region = 0; region < 2; region++) {
            sf_flow *f = flow_on(d);
            sf_flow_add(f, &(sf_op_desc){ .name = "exporter", .region = region, .count = region ? 1 : 30,
                                     .compute = region ? export_in_a_region : export_what_is_written,
                                     .out = { { .name = "out", .bytes = BYTES } } });
            run_is(f, region ? SF_ERROR_NOT_SUPPORTED : SF_OK);
            CHECK(!region || strstr(sf_flow_failure(f)->text, "sf_tensor_to_dlpack"));
            CHECK_OK(sf_stream_synchronize(consumer, GUARD));
            for (uint32_t i = 0; i < 30; i++) { CHECK_PROBE(log + PROBE * i, 100 + i); }
            destroy_is(f, region ? SF_ERROR_NOT_SUPPORTED : SF_OK);
        }
        CHECK_NOTES(0, 1);
        logs = mine;
        CHECK_OK(sf_stream_destroy(consumer));
        CHECK_OK(sf_mem_free(d, log));
        test_close(d);
    }
}
static sf_result gated_probe(sf_context *ctx)
{
    sf_tensor *t = sf_receive(ctx, 0);
    test_gate(sf_compute_stream(ctx), gate, 1);
    probe(sf_compute_stream(ctx), t->data, logs, 0);
    note_down(0, 1);
    return SF_OK;
}
static void deleted_when_the_gpu_is_done(void **state)       /* what came in by DLPack, pushed into a flow */
{
    sf_flow *f = flow_on(device);
    sf_op a = sf_flow_add(
        f, &(sf_op_desc){ .compute = gated_probe, .in = { { .name = "in", .external = true } }, .count = 1 });
    uint32_t *memory = (uint32_t *)test_memory(device, BYTES);
    int64_t words[1] = { WORDS };
    DLManagedTensor m = { .dl_tensor = { .data = memory,
                                         .device = { on_cuda() ? kDLCUDAHost : kDLCPU, 0 },
                                         .ndim = 1,
                                         .dtype = { kDLUInt, 32, 1 },
                                         .shape = words },
                          .deleter = count_deleter };
    (void)state;
    deleted = 0;
    for (int i = 0; i < WORDS; i++) { memory[i] = 77; }
    CHECK_OK(sf_flow_start(f));
    CHECK_OK(sf_flow_push(f, a, 0, sf_tensor_from_dlpack(f, &m)));
    until(&note_count, 1);
    usleep(2000);
    CHECK_EQUAL(test_load(&deleted), 0);                     /* the kernel that reads it has not run */
    test_store(gate, 1);
    CHECK_OK(sf_flow_wait(f, GUARD));
    CHECK_EQUAL(deleted, 1);
    CHECK_PROBE(logs, 77);
    destroy(f);
    CHECK_OK(sf_mem_free(device, memory));
}
/* A tensor of host memory that a kernel on a stream reads, behind the gate; `released` counts. */
static uint32_t released;
static void count_release(void *data, void *user) { (void)data, (void)user, test_add(&released, 1); }
static sf_tensor *wrapped_words(sf_flow *f, uint32_t *words)
{
    sf_tensor *t = sf_tensor_wrap(f, &(sf_tensor_desc){
        .data = words, .dtype = SF_U32, .shape = { 16 }, .memory = SF_MEMORY_PINNED, .release = count_release,
    });
    CHECK(t);
    for (int i = 0; i < 16; i++) { words[i] = (uint32_t)i; }
    test_store(&released, 0);
    return t;
}
static void read_behind_the_gate(sf_stream *s, uint32_t *words)      /* words[16] on get 5 more than words[0] on */
{
    CHECK_OK(test_mix(s, words + 32, words, 16, 1, 0, 0));   /* loads it */
    CHECK_OK(sf_stream_synchronize(s, GUARD));
    test_store(gate, 0);
    CHECK_OK(test_gate(s, gate, 1));
    CHECK_OK(test_mix(s, words + 16, words, 16, 1, 5, 0));
}
/* Its consumer's stream is destroyed (how 0) or captures (1) when it is given back, with work pending. */
static void given_back_behind_its_consumer(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        sf_flow *f = flow_on(device);
        sf_stream *s = test_stream(device);
        uint32_t *words = (uint32_t *)test_memory(device, 256);
        DLManagedTensor *m;
        sf_tensor *t = wrapped_words(f, words);
        sf_graph *g = NULL;
        m = (DLManagedTensor *)sf_tensor_to_dlpack(t, s);
        CHECK(m);
        sf_tensor_release(t);
        read_behind_the_gate(s, words);
        if (how == 0) {
            CHECK_OK(sf_stream_destroy(s));
        } else {
            CHECK_OK(sf_stream_begin_capture(s, SF_CAPTURE_THREAD_LOCAL));
            CHECK_OK(test_mix(s, words + 48, words, 16, 1, 5, 0));
        }
        m->deleter(m);
        CHECK_EQUAL(test_load(&released), 0);
        if (how == 1) {
            CHECK_OK(sf_stream_end_capture(s, &g));
            CHECK_OK(sf_graph_destroy(g));
        }
        test_store(gate, 1);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        destroy(f);
        CHECK_EQUAL(test_load(&released), 1);
        CHECK_EQUAL(words[16 + 7], 12);
        if (how == 1) { CHECK_OK(sf_stream_destroy(s)); }
        CHECK_OK(sf_mem_free(device, words));
    }
}
/* The consumer's stream is destroyed, and others are made, maybe in its place, that have nothing to do. On CUDA they
   are faces of one that is there: a driver may make no stream before a kernel ends. */
static sf_stream *new_face(sf_stream *idle)
{
    sf_stream *s;
    if (!on_cuda()) { return test_stream(device); }
    CHECK_OK(sf_stream_wrap(device, sf_stream_native(idle), &s));
    return s;
}
static void given_back_among_new_streams(void **state)
{
    enum { OTHERS = 200 };
    sf_flow *f = flow_on(device);
    sf_stream *s = test_stream(device), *idle = test_stream(device), *others[OTHERS];
    uint32_t *words = (uint32_t *)test_memory(device, 256);
    sf_tensor *t = wrapped_words(f, words);
    DLManagedTensor *m = (DLManagedTensor *)sf_tensor_to_dlpack(t, s);
    (void)state;
    CHECK(m);
    sf_tensor_release(t);
    read_behind_the_gate(s, words);
    CHECK_OK(sf_stream_destroy(s));
    for (int i = 0; i < OTHERS; i++) { others[i] = new_face(idle); }
    m->deleter(m);
    CHECK_EQUAL(test_load(&released), 0);
    test_store(gate, 1);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    for (int i = 0; i < OTHERS; i++) { CHECK_OK(sf_stream_destroy(others[i])); }
    destroy(f);
    CHECK_EQUAL(test_load(&released), 1);
    CHECK_EQUAL(words[16 + 7], 12);
    CHECK_OK(sf_mem_free(device, words));
}
/* The last reference goes while a kernel reads it: before (how 0, 1) or after (2) its flow is destroyed. */
static void released_after_the_flow(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) {
        sf_flow *f = flow_on(device);
        sf_stream *s = test_stream(device);
        uint32_t *words = (uint32_t *)test_memory(device, 256);
        sf_tensor *t = wrapped_words(f, words);
        DLManagedTensor *m = NULL;
        read_behind_the_gate(s, words);
        if (how == 0) { m = (DLManagedTensor *)sf_tensor_to_dlpack(t, s); }
        if (how > 0) { CHECK_OK(sf_tensor_set_deallocation_stream(t, s)); }
        if (how < 2) { sf_tensor_release(t); }
        if (m) { m->deleter(m); }
        CHECK_EQUAL(test_load(&released), 0);
        destroy(f);
        CHECK_EQUAL(test_load(&released), 0);
        if (how == 2) { sf_tensor_release(t); }
        test_store(gate, 1);
        CHECK_OK(sf_device_synchronize(device, GUARD));
        CHECK_EQUAL(test_load(&released), 1);
        CHECK_EQUAL(words[16 + 7], 12);
        CHECK_OK(sf_stream_destroy(s));
        CHECK_OK(sf_mem_free(device, words));
    }
}
static pthread_barrier_t both;
static void *release_each(void *arg)
{
    sf_tensor **t = (sf_tensor **)arg;
    for (uint32_t i = 0; i < 2 * test_seeds(); i++) {
        pthread_barrier_wait(&both);
        test_spin(i % 97 * 50);
        sf_tensor_release(*t);
        pthread_barrier_wait(&both);
    }
    return NULL;
}
static void released_beside_its_flow_s_end(void **state)
{
    uint32_t *words = (uint32_t *)test_memory(device, 256);
    sf_tensor *t = NULL;
    pthread_t thread;
    (void)state;
    CHECK_EQUAL(pthread_barrier_init(&both, NULL, 2), 0);
    CHECK_EQUAL(pthread_create(&thread, NULL, release_each, &t), 0);
    for (uint32_t i = 0; i < 2 * test_seeds(); i++) {
        sf_flow *f = flow_on(device);
        t = wrapped_words(f, words);
        pthread_barrier_wait(&both);
        test_spin(i % 89 * 50);
        destroy(f);
        pthread_barrier_wait(&both);
        CHECK_EQUAL(test_load(&released), 1);
    }
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&both);
    CHECK_OK(sf_mem_free(device, words));
}
/* Flows that start have room made for more records, on streams whose points another thread looks at. */
typedef struct lender { sf_device *device; uint32_t *words, rounds; uint32_t stop; } lender;
static void *lend_and_take_back(void *arg)
{
    lender *l = (lender *)arg;
    sf_flow *f = flow_on(l->device);
    while (!test_load(&l->stop)) {
        sf_tensor *t = sf_tensor_wrap(f, &(sf_tensor_desc){
            .data = l->words, .dtype = SF_U32, .shape = { 16 }, .memory = SF_MEMORY_PINNED,
        });
        DLManagedTensor *m = (DLManagedTensor *)sf_tensor_to_dlpack(t, sf_stream_legacy(l->device));
        sf_tensor_release(t);
        CHECK_OK(test_mix(sf_stream_legacy(l->device), l->words + 16, l->words, 1, 1, 5, 0));
        m->deleter(m);
        test_add(&l->rounds, 1);
    }
    destroy(f);
    return NULL;
}
static sf_result emit_painted(sf_context *ctx)
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    sf_result r = t ? test_mix(sf_compute_stream(ctx), (uint32_t *)t->data, NULL, 1, 0, (uint32_t)ctx->run, 0)
                    : SF_ERROR_OUT_OF_MEMORY;
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
static sf_result take_painted(sf_context *ctx) { return sf_receive(ctx, 0) ? SF_OK : SF_ERROR_INVALID_VALUE; }
static void run_with_room(sf_device *d, uint16_t capacity)
{
    sf_flow *f = flow_on(d);
    connect(f, sf_flow_add(f, &(sf_op_desc){ .compute = emit_painted, .count = 2,
                                        .out = { { .name = "out", .bytes = 64 } } }),
            sf_flow_add(f, &(sf_op_desc){ .compute = take_painted,
                                          .in = { { .name = "in", .capacity = capacity } } }));
    run_is(f, SF_OK);
    destroy(f);
}
/* A record that somebody waits for stays one when room is made for more. (On CUDA the kernel ends before: a flow that
   starts allocates, and that may wait for it.) */
static void given_back_before_a_flow_starts(void **state)
{
    sf_flow *f = flow_on(device);
    sf_stream *legacy = sf_stream_legacy(device);
    uint32_t *words = (uint32_t *)test_memory(device, 256);
    sf_tensor *t = wrapped_words(f, words);
    DLManagedTensor *m = (DLManagedTensor *)sf_tensor_to_dlpack(t, legacy);
    (void)state;
    CHECK(m);
    sf_tensor_release(t);
    read_behind_the_gate(legacy, words);
    m->deleter(m);
    if (on_cuda()) { test_store(gate, 1); }
    run_with_room(device, 512);
    t = sf_tensor_wrap(f, &(sf_tensor_desc){ .data = words + 48, .shape = { 4 }, .memory = SF_MEMORY_HOST });
    CHECK(t);                                /* which looks for those that the GPU is done with */
    CHECK(on_cuda() || !test_load(&released));
    test_store(gate, 1);
    CHECK_OK(sf_device_synchronize(device, GUARD));
    sf_tensor_release(t);
    destroy(f);
    CHECK_EQUAL(test_load(&released), 1);
    CHECK_EQUAL(words[16 + 7], 12);
    CHECK_OK(sf_mem_free(device, words));
}
static void lent_beside_flows_that_start(void **state)
{
    uint32_t seeds = on_cuda() ? 3 : test_seeds() / 50 + 1;  /* a device each, which takes its time to open there */
    (void)state;
    FOR_SEEDS(seed, seeds) {
        sf_device *d = test_open();
        lender l = { .device = d, .words = (uint32_t *)test_memory(d, 256) };
        pthread_t thread;
        CHECK_EQUAL(pthread_create(&thread, NULL, lend_and_take_back, &l), 0);
        while (!test_load(&l.rounds)) { test_spin(100); }
        for (uint16_t capacity = 1; capacity <= 512; capacity *= 2) { run_with_room(d, capacity); }
        test_store(&l.stop, 1);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        CHECK_OK(sf_device_synchronize(d, GUARD));
        CHECK_OK(sf_mem_free(d, l.words));
        test_close(d);
    }
}
static void handles_that_are_none(void **state)
{
    sf_flow *f = flow_on(device);
    sf_stream *s = test_stream(device);
    static uint8_t data[8];
    sf_tensor *t =
        sf_tensor_wrap(f, &(sf_tensor_desc){ .data = data, .shape = { 8 }, .memory = SF_MEMORY_HOST });
    (void)state;
    CHECK_OK(sf_stream_destroy(s));
    CHECK(sf_tensor_to_dlpack(t, s) == NULL);                /* a stream that was destroyed */
    sf_tensor_release(t);
    destroy(f);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_tensor_begins_as_a_dltensor),
        TEST(types_are_dlpack_s),
        TEST(imported),
        TEST(imported_with_strides_and_offset),
        TEST(a_stride_of_zero_is_a_broadcast),
        TEST(what_cannot_be_imported),
        TEST(exported),
        TEST(there_and_back),
        TEST(exported_from_a_flow),
        TEST(reuse_waits_for_the_consumer),
        TEST(the_consumer_waits_for_the_compute),
        TEST(deleted_when_the_gpu_is_done),
        TEST(given_back_behind_its_consumer),
        TEST(given_back_among_new_streams),
        TEST(released_after_the_flow),
        TEST(released_beside_its_flow_s_end),
        TEST(given_back_before_a_flow_starts),
        TEST(lent_beside_flows_that_start),
        TEST(handles_that_are_none),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests_name("dlpack", tests, NULL, NULL);
}
