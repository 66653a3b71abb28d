/* bridge.c: both executors in one program: camera (CPU, 200 Hz, in a flow) -> detector (looping on the GPU)
   -> display (CPU, in the flow). A full ring holds up the camera, a slow display holds up the loop; nothing is lost.

   cc -O2 -pthread bridge.c -lm                   and with the CUDA body of its kernel: see bridge.cu
   ./a.out [--backend host | cuda] [--check]      --check: no times, nothing that differs between machines */
#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
enum { FRAME = 640 * 480, SCORES = 16, BAND = FRAME / SCORES, FRAMES = 100 };

typedef struct { float *scores; const uint8_t *frame; } detect_args;
static int detect_host(const sf_slice *slice, const void *p)     /* how bright each sixteenth of the frame is */
{
    const detect_args *a = p;
    for (ptrdiff_t i = sf_slice_begin(slice, SCORES); i < sf_slice_end(slice, SCORES); i++) {
        int32_t sum = 0;
        for (int k = 0; k < BAND; k++) { sum += a->frame[i * BAND + k]; }
        a->scores[i] = (float)sum / (BAND * 255.0f);
    }
    return 0;
}
int detect_cuda(void *stream, const void *args);                 /* in bridge.cu */
static const sf_kernel detect = {
    .name = "detect", .host = detect_host, .cuda = SF_CUDA_BODY(detect_cuda), .slices = 4 };

static sf_result detector(sf_context *ctx)                       /* in the resident graph */
{
    sf_tensor *frame = sf_receive(ctx, 0), *scores = sf_tensor_create(ctx, 0, NULL);
    sf_launch(sf_compute_stream(ctx), &detect, &(detect_args){ scores->data, frame->data }, sizeof(detect_args));
    return sf_emit(ctx, 0, scores);
}
static sf_result camera(sf_context *ctx)                         /* in the flow */
{
    sf_tensor *frame = sf_tensor_create(ctx, 0, NULL);
    memset(frame->data, (int)ctx->run & 255, frame->bytes);
    sf_set_timestamp(ctx, sf_flow_now(ctx->flow));
    return sf_emit(ctx, 0, frame);
}
typedef struct { int seen, right; int64_t worst; } screen;
static sf_result display(sf_context *ctx)                        /* in the flow */
{
    screen *on = ctx->user;
    const float *scores = sf_receive(ctx, 0)->data;
    int64_t late = sf_flow_now(ctx->flow) - sf_get_timestamp(ctx, 0);         /* came along through both executors */
    int good = 0;
    while (good < SCORES && scores[good] == (float)(ctx->run & 255) / 255.0f) { good++; }
    on->seen++, on->right += good == SCORES;                     /* in order: message `run` is frame `run` */
    if (late > on->worst) { on->worst = late; }
    return SF_OK;
}

static sf_flow *flow;
static void on_ctrl_c(int number)            /* the camera ends, what is under way is shown; a second one drops that */
{
    static volatile sig_atomic_t again;
    int before = errno;
    (void)number;
    if (again) { sf_flow_stop(flow); } else { sf_flow_finish(flow); }
    again = 1;
    errno = before;
}

int main(int argc, char **argv)
{
    bool cuda = false, check = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--backend") && i + 1 < argc) { cuda = !strcmp(argv[++i], "cuda"); }
        check |= !strcmp(argv[i], "--check");
    }
    sf_device *device;                                           /* shared by both executors */
    sf_device_desc desc = { .backend = cuda ? SF_BACKEND_CUDA : SF_BACKEND_HOST, .logger.func = sf_log_stderr };
    if (sf_device_open(&desc, &device) < 0) { return 1; }

    sf_resident *loop = sf_resident_create(&(sf_resident_desc){ .device = device, .logger = desc.logger });
    sf_op detector_op = sf_resident_add(loop, &(sf_op_desc){
        .name = "detector", .compute = detector,
        .in = {{ .name = "frame", .bytes = FRAME, .external = true }},
        .out = {{ .name = "scores", .bytes = SCORES * sizeof(float), .external = true }},
    });

    screen on = { 0, 0, 0 };
    flow = sf_flow_create(&(sf_flow_desc){ .device = device, .logger = desc.logger });
    sf_op_desc feeder_desc = sf_resident_feeder(loop, detector_op);
    sf_op_desc reader_desc = sf_resident_reader(loop, detector_op);
    sf_op camera_op = sf_flow_add(flow, &(sf_op_desc){
        .name = "camera", .compute = camera, .period = SF_HZ(200), .count = FRAMES,
        .out = {{ .name = "frame", .bytes = FRAME, .memory = SF_MEMORY_PINNED }},
    });
    sf_op feeder = sf_flow_add(flow, &feeder_desc), reader = sf_flow_add(flow, &reader_desc);
    sf_op display_op = sf_flow_add(flow, &(sf_op_desc){
        .name = "display", .compute = display, .user = &on, .in = {{ .name = "scores" }},
    });
    sf_flow_connect(flow, camera_op, "frame", feeder, "frame", NULL);
    sf_flow_connect(flow, reader, "scores", display_op, "scores", NULL);

    bool failed = sf_resident_launch(loop) < 0;
    signal(SIGINT, on_ctrl_c);
    failed = failed || sf_flow_run(flow) < 0;
    signal(SIGINT, SIG_DFL);
    sf_op_info sent;
    sf_op_get_info(flow, camera_op, &sent);                      /* FRAMES, unless somebody pressed Ctrl-C */
    failed |= sf_resident_tear_down(loop, true, SF_MS(10000)) != SF_OK;
    if (!check) {
        printf("from camera to display: at most %.1f us\n", (double)on.worst / 1e3);
        sf_resident_report(loop, SF_RESIDENT_REPORT_TABLE, sf_text_file, stdout);
    }
    printf("%d frames, %d were seen, %d are right\n", (int)sent.runs, on.seen, on.right);
    failed |= on.right != (int)sent.runs;

    failed |= sf_flow_destroy(flow) < 0;                         /* its operators are the loop's: it goes first */
    failed |= sf_resident_destroy(loop) < 0;
    return sf_device_close(device, SF_MS(10000)) != SF_OK || failed;
}
