/* fusion.c: two cameras that jitter, lose frames and die, and an IMU, joined by their timestamps. A recorder gets
   everything, also what is under way at Ctrl-C; a display gets the newest pair, if it is new enough.

   cc -O2 -pthread fusion.c -lm                   and with the CUDA body of its kernel: see fusion.cu
   ./a.out [--backend host | cuda] [--check]      --check: ten seconds of simulated time, the same on each machine */
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
enum { FRAME = 64 * 48, BATCH = 8 };

typedef struct { uint8_t *out; const uint8_t *left, *right; } depth_args;
static int depth_host(const sf_slice *slice, const void *p)
{
    const depth_args *a = p;
    for (ptrdiff_t i = sf_slice_begin(slice, FRAME); i < sf_slice_end(slice, FRAME); i++) {
        a->out[i] = (uint8_t)(a->left[i] - (a->right ? a->right[i] : 0));
    }
    return 0;
}
int depth_cuda(void *stream, const void *args);                  /* in fusion.cu */
static const sf_kernel depth = { .name = "depth", .host = depth_host, .cuda = SF_CUDA_BODY(depth_cuda), .slices = 4 };

static sf_flow *flow;
static void stamp(sf_context *ctx, int64_t since)                /* ns since the first message */
{
    static int64_t begin;
    if (!begin) { begin = sf_flow_now(ctx->flow); }
    sf_set_timestamp(ctx, begin + since);
}
typedef struct { uint64_t loses, hangs, dies; uint32_t random; } camera_state;
static sf_result camera(sf_context *ctx)                         /* 30 Hz, stamps that jitter by 4 ms */
{
    camera_state *c = ctx->user;
    if (c->dies && ctx->run == c->dies) { return SF_DONE; }
    c->random = c->random * 1664525 + 1013904223;
    if (ctx->run % c->loses == 1 || (c->hangs && ctx->run / 15 == c->hangs)) { return SF_OK; }
    sf_tensor *frame = sf_tensor_create(ctx, 0, NULL);
    sf_memset_async(sf_compute_stream(ctx), frame->data, (uint8_t)ctx->run, frame->bytes);
    stamp(ctx, (int64_t)ctx->run * SF_HZ(30) + SF_MS(4) * (c->random >> 24) / 256);
    return sf_emit(ctx, 0, frame);
}
static sf_result imu(sf_context *ctx)                            /* 1 kHz */
{
    stamp(ctx, (int64_t)ctx->run * SF_MS(1));
    return sf_emit_value(ctx, 0, (sf_value){ .f32 = { 0, 0, 9.81f } });
}
static sf_result stereo(sf_context *ctx)                         /* for each pair; when `right` is dead, for `left` */
{
    sf_tensor *left = sf_receive(ctx, 0), *right = sf_receive(ctx, 1), *out = sf_tensor_like(ctx, 0, left);
    depth_args args = { out->data, left->data, right ? right->data : NULL };
    sf_launch(sf_compute_stream(ctx), &depth, &args, sizeof args);
    return sf_emit(ctx, 0, out);
}
static sf_result track(sf_context *ctx)                          /* for each pair, with the samples since the last */
{
    sf_tensor *pair = sf_receive(ctx, 0);                        /* NULL: at the end, for the rest of the samples */
    for (; sf_available(ctx, 1); ++*(int *)ctx->user) { (void)sf_receive_value(ctx, 1); }
    return pair ? sf_emit(ctx, 0, pair) : SF_OK;
}
typedef struct { int files, pairs, wrong; } recording;
static sf_result record(sf_context *ctx)                         /* files of eight pairs; the last one has the rest */
{
    recording *to = ctx->user;
    int n = 0;
    for (sf_tensor *t; n < BATCH && (t = sf_receive(ctx, 0)); n++) {
        const uint8_t *b = t->data;
        to->wrong += memcmp(b, b + 1, FRAME - 1) != 0;           /* one colour: the kernel had finished */
    }
    to->files += n > 0, to->pairs += n;
    return SF_OK;
}
typedef struct { int shown, frozen; } screen;
static sf_result display(sf_context *ctx)                        /* 10 Hz: the newest pair, unless it is too old */
{
    screen *on = ctx->user;
    if (sf_receive(ctx, 0)) { return on->shown++, (void)sf_compute_stream(ctx), SF_OK; }     /* to draw there */
    on->frozen += sf_why_absent(ctx, 0) == SF_TOO_OLD;
    return sf_why_absent(ctx, 0) == SF_INPUT_ENDED ? SF_DONE : SF_OK;
}

static void on_ctrl_c(int number)            /* sources end; what is under way, and what operators hold, comes out */
{
    (void)number;
    sf_flow_finish(flow);
}
static uint64_t account(sf_op op, int input, const char *name)   /* messages without a fate: none */
{
    sf_edge_info e;
    sf_op_get_edge_info(flow, op, input, 0, &e);
    printf("%-5s %4d messages: %4d in sets, %2d without partner, %2d passed over, %d left at the end\n", name,
           (int)e.messages, (int)e.fates[SF_FATE_DELIVERED], (int)e.fates[SF_FATE_UNMATCHED],
           (int)e.fates[SF_FATE_PASSED_OVER], (int)e.fates[SF_FATE_ENDED]);
    for (int i = 0; i < SF_FATES; i++) { e.messages -= e.fates[i]; }
    return e.messages;
}

int main(int argc, char **argv)
{
    bool check = false;
    sf_backend backend = SF_BACKEND_AUTO;
    for (int i = 1; i < argc; i++) {
        check = check || !strcmp(argv[i], "--check");
        backend = !strcmp(argv[i], "cuda") ? SF_BACKEND_CUDA : !strcmp(argv[i], "host") ? SF_BACKEND_HOST : backend;
    }
    camera_state cameras[] = { { .loses = 11, .hangs = 13, .random = 1 }, { .loses = 7, .dies = 150, .random = 2 } };
    int samples = 0;
    recording disk = { 0 };
    screen on = { 0 };
    sf_port picture = { .name = "picture", .bytes = FRAME };
    flow = sf_flow_create(&(sf_flow_desc){
        .name = "fusion", .backend = backend, .logger.func = sf_log_stderr, .clock.simulated = check });
    sf_op left = sf_flow_add(flow, &(sf_op_desc){ .name = "left", .compute = camera, .user = &cameras[0],
        .out = { picture }, .period = SF_HZ(30), .count = check ? 300 : 0 });
    sf_op right = sf_flow_add(flow, &(sf_op_desc){ .name = "right", .compute = camera, .user = &cameras[1],
        .out = { picture }, .period = SF_HZ(30) });
    sf_op gyro = sf_flow_add(flow, &(sf_op_desc){ .name = "imu", .compute = imu, .out = {{ .name = "sample" }},
        .period = SF_MS(1), .count = check ? 10000 : 0 });
    sf_op pairs = sf_flow_add(flow, &(sf_op_desc){ .name = "stereo", .compute = stereo,
        .in = {{ .name = "left", .capacity = 4 }, { .name = "right", .capacity = 4, .optional = true }},
        .out = {{ .name = "depth", .bytes = FRAME, .memory = SF_MEMORY_PINNED }},
        .when = {{ .kind = SF_CONDITION_ALIGNED, .pick = SF_PICK_NEAREST, .ns = SF_MS(10),
                   .max_wait = SF_MS(80) }} });       /* `right` ends. If it fell silent: less than 33 ms */
    sf_op tracks = sf_flow_add(flow, &(sf_op_desc){ .name = "track", .compute = track, .user = &samples,
        .in = {{ .name = "depth", .capacity = 4 }, { .name = "imu", .capacity = 1000 }}, .out = {{ .name = "depth" }},
        .flush = true, .when = {{ .kind = SF_CONDITION_WINDOW, .tiles = true, .before = SF_HZ(30) }} });
    sf_op disks = sf_flow_add(flow, &(sf_op_desc){ .name = "record", .compute = record, .user = &disk, .flush = true,
        .in = {{ .name = "depth", .batch = BATCH }}, .when = {{ .kind = SF_CONDITION_STREAM }} });
    sf_op shows = sf_flow_add(flow, &(sf_op_desc){ .name = "display", .compute = display, .user = &on,
        .period = SF_MS(100), .in = {{ .name = "depth", .optional = true, .max_age = SF_MS(150) }} });
    sf_flow_connect(flow, left, NULL, pairs, "left", NULL);
    sf_flow_connect(flow, right, NULL, pairs, "right", NULL);
    sf_flow_connect(flow, pairs, NULL, tracks, "depth", NULL);
    sf_flow_connect(flow, gyro, NULL, tracks, "imu", NULL);
    sf_flow_connect(flow, tracks, NULL, disks, NULL, NULL);
    sf_flow_connect(flow, tracks, NULL, shows, NULL, &(sf_edge_desc){ .overflow = SF_OVERFLOW_LATEST });
    signal(SIGINT, on_ctrl_c);
    sf_result r = sf_flow_run(flow);
    signal(SIGINT, SIG_DFL);
    uint64_t lost = account(pairs, 0, "left") + account(pairs, 1, "right") + account(tracks, 1, "imu");
    printf("recorded %d pairs in %d files, %d samples; display: %d new, %d frozen; lost %d\n", disk.pairs, disk.files,
           samples, on.shown, on.frozen, (int)lost);
    if (r < 0) { puts(sf_flow_failure(flow)->text); }
    sf_flow_destroy(flow);
    return r < 0 || lost || disk.wrong;
}
