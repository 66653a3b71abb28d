/*  device_bench.c - what a hop from one device to another costs: an event and a wait for it, and the data by peer
    access or by a copy; beside the same hop between two streams of one device. See bench.h for options and output.
    Needs two GPUs, or `--backend host`; with one GPU it runs what needs no second one, says so, and exits with 0.

    hop   kernels in turn on two streams, each after an event of the one before, reading its block and writing one of
          its own. They are enqueued behind a gate: it is timed from its opening to the end of the last, per hop.
    flow  two operators, one kernel each, and an edge between them: from start to end, per message. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../../streamflow.h"
#include "bench.h"

enum { HOPS = 100, MESSAGES = 400, LARGEST = 16 << 20 };
typedef enum way { ONE_DEVICE, NO_DATA, PEER_READ, COPY, WAYS } way;
static const char *const way_names[] = { "one device", "two devices without data", "peer access", "copy" };
static const size_t sizes[] = { 256, 65536, 1 << 20, LARGEST };

static struct {
    int count;                               /* devices */
    bool peer;                               /* each reaches the other's memory */
    sf_device *device[2];
    void *context[2], *function[2];
    uint32_t *gate, generation;
} b;

/* -- a kernel that reads one block and writes another; loaded on each device, so that no nvcc is needed -- */

static const char pass_ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry pass(.param .u64 to, .param .u64 from, .param .u64 bytes)\n{\n"
    "    .reg .pred %p;\n    .reg .b32 %r<10>;\n    .reg .b64 %d<8>;\n"
    "    ld.param.u64 %d0, [to];\n    ld.param.u64 %d1, [from];\n    ld.param.u64 %d2, [bytes];\n"
    "    mov.u32 %r0, %ctaid.x;\n    mov.u32 %r1, %ntid.x;\n    mov.u32 %r2, %tid.x;\n"
    "    mad.lo.u32 %r3, %r0, %r1, %r2;\n    mul.wide.u32 %d3, %r3, 16;\n"
    "    mov.u32 %r4, %nctaid.x;\n    mul.lo.u32 %r5, %r4, %r1;\n    mul.wide.u32 %d4, %r5, 16;\n"
    "again:\n    setp.ge.u64 %p, %d3, %d2;\n    @%p bra out;\n"
    "    add.u64 %d5, %d1, %d3;\n    add.u64 %d6, %d0, %d3;\n"
    "    ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%d5];\n    st.global.v4.u32 [%d6], {%r6, %r7, %r8, %r9};\n"
    "    add.u64 %d3, %d3, %d4;\n    bra again;\nout:\n    ret;\n}\n";

typedef struct pass_args { void *to; const void *from; uint64_t bytes; uint32_t device; } pass_args;
static int pass_cuda(void *stream, const void *args)
{
    pass_args a = *(const pass_args *)args;
    void *params[] = { &a.to, &a.from, &a.bytes };
    uint64_t blocks = a.bytes / 4096 + 1;
    return cu.launch_kernel(b.function[a.device], blocks < 256 ? (unsigned)blocks : 256, 1, 1, 256, 1, 1, 0, stream,
                            params, NULL);
}
static int pass_host(const sf_slice *slice, const void *args)
{
    const pass_args *a = args;
    (void)slice;
    memcpy(a->to, a->from, (size_t)a->bytes);
    return 0;
}
static const sf_kernel pass = { .name = "pass", .host = pass_host, .cuda = pass_cuda };

static void open_all(void)
{
    sf_device_desc second = { .backend = bench.cuda ? SF_BACKEND_CUDA : SF_BACKEND_HOST, .ordinal = 1 };
    second.host.workers = 1;
    b.device[0] = bench_open(1);
    b.count = sf_device_open(&second, &b.device[1]) == SF_OK ? 2 : 1;
    b.gate = bench_memory(b.device[0], sizeof *b.gate, SF_MEMORY_PINNED);
    b.peer = b.count == 2;
    for (int d = 0; d < b.count; d++) {
        void *module;
        bool yes = false;
        if (b.count == 2) { BENCH_OK(sf_device_can_access_peer(b.device[d], b.device[!d], &yes)); }
        b.peer = b.peer && yes;
        b.context[d] = sf_device_native(b.device[d]);
        if (!bench.cuda) { continue; }
        BENCH_OK(cu.ctx_set(b.context[d]) | cu.module_load(&module, pass_ptx) |
                 cu.module_get_function(&b.function[d], module, "pass"));
    }
    for (int d = 0; d < b.count && b.peer; d++) { BENCH_OK(sf_device_enable_peer(b.device[d], b.device[!d])); }
    if (b.count < 2) { fprintf(stderr, "there is one GPU: hops to another need two\n"); }
    if (b.count == 2 && !b.peer) { fprintf(stderr, "no peer access: copies alone\n"); }
}
static bool possible(way how) { return how == ONE_DEVICE || (b.count == 2 && (how != PEER_READ || b.peer)); }
static bench_style style(double per, bool both) { return (bench_style){ .unit = "us", .per = per, .both = both }; }

/* -- hops -- */

typedef struct hop_case {
    way how;
    size_t bytes;
    int on[2];                               /* devices of the two streams */
    sf_stream *stream[2];
    sf_event *event[2];
    void *native[2], *native_event[2];
    uint8_t *block[2], *copy[2];             /* what it writes; what it gets as a copy */
} hop_case;
static const void *hop_source(const hop_case *h, int at)     /* what the kernel reads */
{
    return h->how == COPY || h->how == NO_DATA ? h->copy[at] : h->block[!at];
}
static int hop_once(const hop_case *h, int at, bool first)
{
    sf_device *to = b.device[h->on[at]], *from = b.device[h->on[!at]];
    pass_args a = { h->block[at], hop_source(h, at), h->bytes, (uint32_t)h->on[at] };
    sf_result r = first ? SF_OK : sf_stream_wait_event(h->stream[at], h->event[!at], 0);
    if (r >= 0 && h->how == COPY) {
        r = sf_memcpy_peer_async(h->stream[at], h->copy[at], to, h->block[!at], from, h->bytes);
    }
    if (r >= 0) { r = sf_launch(h->stream[at], &pass, &a, sizeof a); }
    return r < 0 ? r : sf_event_record(h->event[at], h->stream[at], 0);
}
static int hop_once_bare(const hop_case *h, int at, bool first)
{
    pass_args a = { h->block[at], hop_source(h, at), h->bytes, (uint32_t)h->on[at] };
    int r = cu.ctx_set(b.context[h->on[at]]);
    if (!r && !first) { r = cu.stream_wait_event(h->native[at], h->native_event[!at], 0); }
    if (!r && h->how == COPY) {
        r = cu.memcpy_peer((cu_ptr)(uintptr_t)h->copy[at], b.context[h->on[at]], (cu_ptr)(uintptr_t)h->block[!at],
                           b.context[h->on[!at]], h->bytes, h->native[at]);
    }
    if (!r) { r = pass_cuda(h->native[at], &a); }
    return r ? r : cu.event_record(h->native_event[at], h->native[at]);
}
static double hop_run(int side, void *self)
{
    hop_case *h = self;
    int64_t start;
    BENCH_OK(sf_stream_wait_value(h->stream[0], b.gate, 4, ++b.generation, SF_WAIT_VALUE_GEQ));
    for (int i = 0; i < HOPS; i++) {
        BENCH_OK(side == BENCH_SF ? hop_once(h, i & 1, !i) : hop_once_bare(h, i & 1, !i));
    }
    start = bench_now();
    bench_store(b.gate, b.generation);
    BENCH_OK(bench_sync(h->stream[(HOPS - 1) & 1]));
    return (double)(bench_now() - start) / HOPS;
}
static void hops(void)
{
    for (int how = 0; how < WAYS && bench_wanted("hop"); how++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            hop_case h = { .how = (way)how, .bytes = sizes[i], .on = { 0, how != ONE_DEVICE } };
            char param[64];
            if (!possible(h.how) || (bench.quick && sizes[i] == LARGEST)) { continue; }
            for (int k = 0; k < 2; k++) {
                sf_device *device = b.device[h.on[k]];
                h.stream[k] = bench_stream(device);
                h.event[k] = bench_event(device);
                h.native[k] = sf_stream_native(h.stream[k]);
                h.native_event[k] = sf_event_native(h.event[k]);
                h.block[k] = bench_memory(device, h.bytes, SF_MEMORY_DEVICE);
                h.copy[k] = bench_memory(device, h.bytes, SF_MEMORY_DEVICE);
                BENCH_OK(sf_memset_async(h.stream[k], h.block[k], 1, h.bytes) | bench_sync(h.stream[k]));
            }
            snprintf(param, sizeof param, "%s bytes=%zu", way_names[how], h.bytes);
            (void)bench_compare("hop", param, 51, style(1e3, bench.cuda), hop_run, &h);
            for (int k = 0; k < 2; k++) {
                BENCH_OK(sf_mem_free(b.device[h.on[k]], h.block[k]) | sf_mem_free(b.device[h.on[k]], h.copy[k]));
                BENCH_OK(sf_stream_destroy(h.stream[k]) | sf_event_destroy(h.event[k]));
            }
        }
    }
}

/* -- a flow -- */

typedef struct flow_case { way how; size_t bytes; sf_stream_pool *near, *streams; uint8_t *block[2]; } flow_case;
static sf_result send(sf_context *ctx)
{
    const flow_case *c = ctx->user;
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    pass_args a = { t->data, c->block[0], c->bytes, 0 };
    sf_result r = sf_launch(sf_compute_stream(ctx), &pass, &a, sizeof a);
    return r < 0 ? r : sf_emit(ctx, 0, t);
}
static sf_result receive(sf_context *ctx)
{
    const flow_case *c = ctx->user;
    const sf_tensor *t = sf_receive(ctx, 0);
    pass_args a = { c->block[1], t->data, c->bytes, c->how != ONE_DEVICE };
    return sf_launch(sf_compute_stream(ctx), &pass, &a, sizeof a);
}
static double flow_run(int side, void *self)
{
    flow_case *c = self;
    sf_flow *f = sf_flow_create(&(sf_flow_desc){ .device = b.device[0] });
    sf_op from = sf_flow_add(f, &(sf_op_desc){ .name = "send", .compute = send, .user = c, .count = MESSAGES,
                                          .streams = c->near, .out = {{ .name = "out", .bytes = c->bytes }} });
    sf_op to = sf_flow_add(f, &(sf_op_desc){ .name = "receive", .compute = receive, .user = c, .streams = c->streams,
                                        .in = {{ .name = "in", .capacity = 4 }} });
    int64_t start;
    (void)side;
    BENCH_OK(sf_flow_connect(f, from, NULL, to, NULL, &(sf_edge_desc){ .copy = c->how == COPY }));
    start = bench_now();
    BENCH_OK(sf_flow_run(f));
    start = bench_now() - start;
    BENCH_OK(sf_flow_destroy(f));
    return (double)start / MESSAGES;
}
static void flows(void)
{
    for (int how = 0; how < WAYS && bench_wanted("flow"); how++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            flow_case c = { .how = (way)how, .bytes = sizes[i] };
            sf_device *device = b.device[how != ONE_DEVICE];
            char param[64];
            if (how == NO_DATA || !possible(c.how) || (bench.quick && sizes[i] == LARGEST)) { continue; }
            BENCH_OK(sf_stream_pool_create(b.device[0], NULL, &c.near));
            BENCH_OK(sf_stream_pool_create(device, NULL, &c.streams));
            c.block[0] = bench_memory(b.device[0], c.bytes, SF_MEMORY_DEVICE);
            c.block[1] = bench_memory(device, c.bytes, SF_MEMORY_DEVICE);
            snprintf(param, sizeof param, "%s bytes=%zu", way_names[how], c.bytes);
            (void)bench_compare("flow", param, 21, style(1e3, false), flow_run, &c);
            BENCH_OK(sf_mem_free(b.device[0], c.block[0]) | sf_mem_free(device, c.block[1]));
            BENCH_OK(sf_stream_pool_destroy(c.near) | sf_stream_pool_destroy(c.streams));
        }
    }
}

int main(int argc, char **argv)
{
    bench_arguments(argc, argv);
    open_all();
    hops();
    flows();
    if (b.count == 2) { BENCH_OK(sf_device_close(b.device[1], SF_FOREVER)); }
    BENCH_OK(sf_device_close(b.device[0], SF_FOREVER));
    return 0;
}
