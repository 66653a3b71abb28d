/*  resident_isp.c - the pipeline of camera_isp.c as a loop on the GPU, beside the two other ways to run it

        frame -> unpack -> balance -> demosaic -> { denoise, sharpness } -> combine -> colour -> picture

    flow       as in camera_isp.c: the CPU schedules operators, each of which launches its kernels
    graph      the same kernels captured by hand: one sf_graph_launch() per frame
    resident   the same operators, captured once into a graph that loops on the GPU: no launch per frame at all

    The operators are the same functions in the flow and in the loop; the pictures are the same in all three, and as
    camera_isp.c makes them. Frames come from the CPU, in page-locked memory (of the loop: in one of its slots), or
    from a producer on the GPU: a kernel that copies them from the GPU's memory and then, for the loop, marks data
    ready. Latency is from a frame that is there (or a producer that is launched) to a picture that the CPU can read,
    one frame at a time.

    cc -O2 -pthread resident_isp.c -lm             and with the CUDA bodies: see resident_isp.cu
    ./a.out [--backend host | cuda | auto] [--producer cpu | gpu] [--frames 8] [--scale 1 ... 8]
            [--loop auto | exact | fast | unrolled] [--check]

    --producer   default: first cpu, then gpu       --scale   the 512x384 frame, so many times across and down
    --check      all pictures against those of the flow; no times, nothing that differs between machines */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"

#include "camera_isp.h"

enum { WIDTH = 512, HEIGHT = 384, ROW = WIDTH * 5 / 4, MAX_SCALE = 8 };
enum { DEPTH = 2 };                              /* frames in the producer's ring; in resident_isp.cu, too */
static const int64_t deadline = SF_MS(60000);    /* of every wait: large frames take their time on a CPU */

static struct {
    sf_device *device;
    isp_args args;                               /* the same for all launches, but for the pointers */
    size_t pixels, raw, rgb;                     /* of one frame; bytes of it; bytes of a picture */
    uint32_t film_frames;
    uint8_t *film;                               /* the file's frames, page-locked */
    uint8_t *store, *ring;                       /* the GPU's: the same frames; where the producer puts them */
    uint32_t *which, *blocks;                    /* which one it copies, page-locked; how many blocks have */
    sf_stream *stream;
    sf_resident_loop loop;
    uint64_t frames;
    bool from_gpu, check;
    uint8_t *picture, *reference[16];            /* for --check */
} isp;

/* kernels -------------------------------------------------------------------------------------- */

/* as in camera_isp.c; the CUDA bodies are those of camera_isp.cu */
ISP_KERNELS(ISP_KERNEL)

/* The producer: copies frame *which. With a control it then marks data ready: one more iteration of that loop. */
typedef struct { uint8_t *dst; const uint8_t *store; const uint32_t *which; size_t bytes;
                 sf_resident_control *control; uint32_t *blocks; } produce_args;
static int produce_host(const sf_slice *slice, const void *args)
{
    const produce_args *a = args;
    (void)slice;
    memcpy(a->dst, a->store + *a->which * a->bytes, a->bytes);
    if (a->control) { sf_resident_mark_data_ready(a->control); }
    return 0;
}
/* unpack, from where the producer has put this iteration's frame */
typedef struct { isp_args isp; const uint8_t *ring; size_t bytes; const sf_resident_control *control; } next_args;
static int unpack_next_host(const sf_slice *slice, const void *args)
{
    const next_args *a = args;
    isp_args here = a->isp;
    here.src = a->ring + sf_resident_iteration(a->control) % DEPTH * a->bytes;
    return unpack_host(slice, &here);
}
int produce_cuda(void *stream, const void *args), unpack_next_cuda(void *stream, const void *args);
static const sf_kernel produce = { .name = "produce", .host = produce_host, .cuda = SF_CUDA_BODY(produce_cuda) };
static const sf_kernel unpack_next = {
    .name = "unpack_next", .host = unpack_next_host, .cuda = SF_CUDA_BODY(unpack_next_cuda), .slices = 8,
};

static sf_result launch_producer(sf_stream *stream, void *dst, sf_resident_control *control)
{
    produce_args args = { dst, isp.store, isp.which, isp.raw, control, isp.blocks };
    return sf_launch(stream, &produce, &args, sizeof args);
}

/* operators ------------------------------------------------------------------------------------ */

enum { UNPACK, BALANCE, DEMOSAIC, DENOISE, SHARPNESS, COMBINE, COLOUR, STAGES, NONE = -1 };

typedef struct stage {
    const char *name;
    const sf_kernel *kernels[4];
    size_t bytes;                                /* of the output, per pixel */
    int src, aux;                                /* whose outputs come in */
} stage;
static const stage stages[STAGES] = {
    [UNPACK] = { "unpack", { &unpack_kernel }, 2, NONE, NONE },
    [BALANCE] = { "balance", { &balance_kernel }, 2, UNPACK, NONE },
    [DEMOSAIC] = { "demosaic", { &differences_kernel, &green_kernel, &chroma_kernel }, 6, BALANCE, NONE },
    [DENOISE] = { "denoise", { &denoise_kernel }, 8, DEMOSAIC, NONE },
    [SHARPNESS] = { "sharpness", { &sharpness_kernel }, 2, DEMOSAIC, NONE },
    [COMBINE] = { "combine", { &combine_kernel }, 6, DENOISE, SHARPNESS },
    [COLOUR] = { "colour", { &colour_kernel }, 3, COMBINE, NONE },
};

static void launch_stage(sf_stream *stream, const stage *s, void *dst, const void *src, const void *aux)
{
    isp_args args = isp.args;
    args.dst = dst, args.src = src, args.aux = aux;
    for (int i = 0; s->kernels[i]; i++) { sf_launch(stream, s->kernels[i], &args, sizeof args); }
}

/* In the flow once per frame, in the loop once for all frames. The picture has to get to the CPU: in the flow that is
   the operator's business, in the loop the port is external, and the loop does it. */
static sf_result stage_compute(sf_context *ctx)
{
    const stage *s = ctx->user;
    sf_tensor *src = sf_receive(ctx, 0), *aux = s->aux == NONE ? NULL : sf_receive(ctx, 1);
    sf_tensor *dst = sf_tensor_create(ctx, 0, NULL);
    sf_tensor *work = ctx->flow && s == &stages[COLOUR] ? sf_tensor_create(ctx, 1, NULL) : dst;
    sf_stream *stream = sf_compute_stream(ctx);
    launch_stage(stream, s, work->data, src->data, aux ? aux->data : NULL);
    if (work != dst) { sf_memcpy_async(stream, dst->data, work->data, work->bytes); }
    return sf_emit(ctx, 0, dst);
}
static sf_op_desc describe(int i)                /* for both */
{
    const stage *s = &stages[i];
    sf_op_desc desc = {
        .name = s->name, .compute = stage_compute, .user = (void *)s,
        .in = {{ .name = "src", .bytes = i == UNPACK ? isp.raw : stages[s->src].bytes * isp.pixels }},
        .out = {{ .name = "dst", .bytes = s->bytes * isp.pixels }},
    };
    if (s->aux != NONE) { desc.in[1] = (sf_port){ .name = "aux", .bytes = stages[s->aux].bytes * isp.pixels }; }
    return desc;
}

/* the flow ------------------------------------------------------------------------------------- */

static struct { sf_flow *flow; sf_op first; uint8_t *picture; int64_t seen; } flow;

static sf_result camera_compute(sf_context *ctx)                 /* with the producer: asked for a frame */
{
    sf_receive_value(ctx, 0);
    sf_tensor *frame = sf_tensor_create(ctx, 0, NULL);
    launch_producer(sf_compute_stream(ctx), frame->data, NULL);
    return sf_emit(ctx, 0, frame);
}
static sf_result sink_compute(sf_context *ctx)
{
    const sf_tensor *picture = sf_receive(ctx, 0);
    flow.seen = sf_flow_now(NULL);
    if (flow.picture) { memcpy(flow.picture, picture->data, isp.rgb); }
    return SF_OK;
}
static sf_result flow_begin(void)
{
    sf_op op[STAGES];
    flow.flow = sf_flow_create(&(sf_flow_desc){ .device = isp.device, .logger.func = sf_log_stderr });
    for (int i = 0; i < STAGES; i++) {
        sf_op_desc desc = describe(i);
        desc.in[0].external = i == UNPACK && !isp.from_gpu;
        if (i == COLOUR) {                       /* written on the GPU, then copied: PCIe likes that better */
            desc.out[1] = desc.out[0], desc.out[1].name = "work";
            desc.out[0].memory = SF_MEMORY_PINNED;
        }
        op[i] = sf_flow_add(flow.flow, &desc);
        if (stages[i].src != NONE) { sf_flow_connect(flow.flow, op[stages[i].src], "dst", op[i], "src", NULL); }
        if (stages[i].aux != NONE) { sf_flow_connect(flow.flow, op[stages[i].aux], "dst", op[i], "aux", NULL); }
    }
    sf_op sink = sf_flow_add(flow.flow, &(sf_op_desc){
        .name = "sink", .compute = sink_compute, .in = {{ .name = "src" }}, .when = {{ .kind = SF_CONDITION_STREAM }},
    });
    sf_flow_connect(flow.flow, op[COLOUR], "dst", sink, "src", NULL);
    flow.first = op[UNPACK];
    if (isp.from_gpu) {
        flow.first = sf_flow_add(flow.flow, &(sf_op_desc){
            .name = "camera", .compute = camera_compute, .in = {{ .name = "ask", .external = true }},
            .out = {{ .name = "dst", .bytes = isp.raw }},
        });
        sf_flow_connect(flow.flow, flow.first, "dst", op[UNPACK], "src", NULL);
    }
    return sf_flow_check(flow.flow, false, NULL, NULL);
}
static int64_t flow_frame(uint32_t which, uint8_t *picture)
{
    sf_tensor *frame = isp.from_gpu ? NULL : sf_tensor_wrap(flow.flow, &(sf_tensor_desc){
        .data = isp.film + which * isp.raw, .shape = { (int64_t)isp.raw }, .memory = SF_MEMORY_PINNED,
    });
    flow.picture = picture, flow.seen = 0;
    int64_t begin = sf_flow_now(NULL);
    sf_result r = frame ? sf_flow_push(flow.flow, flow.first, 0, frame)
                        : sf_flow_push_value(flow.flow, flow.first, 0, (sf_value){ .u64 = which });
    while (r >= 0 && r != SF_DONE && !flow.seen && sf_flow_now(NULL) - begin < deadline) {
        r = sf_flow_step(flow.flow, NULL);
    }
    return flow.seen ? flow.seen - begin : r < 0 ? r : SF_ERROR_STALLED;
}
static sf_result flow_end(void) { return sf_flow_destroy(flow.flow); }

/* one graph ------------------------------------------------------------------------------------ */

static struct {
    sf_graph_exec *exec;
    sf_stream *side;
    sf_event *forked, *joined;
    void *frame, *out[STAGES], *picture;
} graph;

static sf_result graph_capture(sf_graph **captured)
{
    sf_result r = sf_stream_begin_capture(isp.stream, SF_CAPTURE_THREAD_LOCAL);
    if (r < 0) { return r; }
    if (isp.from_gpu) { launch_producer(isp.stream, graph.frame, NULL); }
    for (int i = 0; i < STAGES; i++) {
        const stage *s = &stages[i];
        if (i == SHARPNESS) { sf_stream_wait_event(graph.side, graph.forked, 0); }
        if (i == COMBINE) { sf_stream_wait_event(isp.stream, graph.joined, 0); }
        launch_stage(i == SHARPNESS ? graph.side : isp.stream, s, graph.out[i],
                     i == UNPACK ? graph.frame : graph.out[s->src], s->aux == NONE ? NULL : graph.out[s->aux]);
        if (i == DEMOSAIC) { sf_event_record(graph.forked, isp.stream, 0); }
        if (i == SHARPNESS) { sf_event_record(graph.joined, graph.side, 0); }
    }
    sf_memcpy_async(isp.stream, graph.picture, graph.out[COLOUR], isp.rgb);
    return sf_stream_end_capture(isp.stream, captured);              /* says so if a call failed */
}
static sf_result graph_begin(void)
{
    sf_graph *captured = NULL;
    sf_stream_desc side = { .flags = SF_STREAM_NON_BLOCKING, .name = "side" };
    sf_result r = sf_stream_create(isp.device, &side, &graph.side);
    if (r >= 0) { r = sf_event_create(isp.device, SF_EVENT_DISABLE_TIMING, &graph.forked); }
    if (r >= 0) { r = sf_event_create(isp.device, SF_EVENT_DISABLE_TIMING, &graph.joined); }
    for (int i = 0; i < STAGES && r >= 0; i++) {
        r = sf_mem_alloc(isp.device, stages[i].bytes * isp.pixels, SF_MEMORY_DEVICE, &graph.out[i]);
    }
    sf_memory memory = isp.from_gpu ? SF_MEMORY_DEVICE : SF_MEMORY_PINNED;
    if (r >= 0) { r = sf_mem_alloc(isp.device, isp.raw, memory, &graph.frame); }
    if (r >= 0) { r = sf_mem_alloc(isp.device, isp.rgb, SF_MEMORY_PINNED, &graph.picture); }
    if (r >= 0) { r = graph_capture(&captured); }
    if (r >= 0) { r = sf_graph_instantiate(captured, 0, &graph.exec); }
    if (captured) { sf_graph_destroy(captured); }
    return r;
}
static int64_t graph_frame(uint32_t which, uint8_t *picture)
{
    if (!isp.from_gpu) { memcpy(graph.frame, isp.film + which * isp.raw, isp.raw); }
    int64_t begin = sf_flow_now(NULL);
    sf_result r = sf_graph_launch(graph.exec, isp.stream);
    if (r >= 0) { r = sf_stream_synchronize(isp.stream, deadline); }
    int64_t end = sf_flow_now(NULL);
    if (picture) { memcpy(picture, graph.picture, isp.rgb); }
    return r == SF_OK ? end - begin : r < 0 ? r : SF_ERROR_STALLED;
}
static sf_result graph_end(void)
{
    sf_result r = graph.exec ? sf_graph_exec_destroy(graph.exec) : SF_OK;
    for (int i = 0; i < STAGES; i++) {
        if (graph.out[i]) { sf_mem_free(isp.device, graph.out[i]); }
    }
    if (graph.frame) { sf_mem_free(isp.device, graph.frame); }
    if (graph.picture) { sf_mem_free(isp.device, graph.picture); }
    if (graph.side) { sf_stream_destroy(graph.side); }
    if (graph.forked) { sf_event_destroy(graph.forked); }
    if (graph.joined) { sf_event_destroy(graph.joined); }
    memset(&graph, 0, sizeof graph);
    return r;
}

/* the loop ------------------------------------------------------------------------------------- */

static struct { sf_resident *loop; sf_op first, last; uint64_t produced; } resident;

static sf_result next_compute(sf_context *ctx)                   /* unpack, with the producer */
{
    sf_tensor *dst = sf_tensor_create(ctx, 0, NULL);
    next_args args = { isp.args, isp.ring, isp.raw, sf_resident_get_control(resident.loop) };
    args.isp.dst = dst->data;
    sf_launch(sf_compute_stream(ctx), &unpack_next, &args, sizeof args);
    return sf_emit(ctx, 0, dst);
}
static sf_result resident_begin(void)
{
    sf_op op[STAGES];
    sf_resident *loop = resident.loop = sf_resident_create(&(sf_resident_desc){
        .device = isp.device, .loop = isp.loop, .stall_timeout = deadline, .logger.func = sf_log_stderr });
    for (int i = 0; i < STAGES; i++) {
        sf_op_desc desc = describe(i);
        desc.in[0].external = i == UNPACK;       /* from a slot, to a slot */
        desc.out[0].external = i == COLOUR;
        if (i == UNPACK && isp.from_gpu) { desc.compute = next_compute, desc.in[0].name = NULL; }
        op[i] = sf_resident_add(loop, &desc);
        if (stages[i].src != NONE) { sf_resident_connect(loop, op[stages[i].src], "dst", op[i], "src", NULL); }
        if (stages[i].aux != NONE) { sf_resident_connect(loop, op[stages[i].aux], "dst", op[i], "aux", NULL); }
    }
    resident.first = op[UNPACK], resident.last = op[COLOUR], resident.produced = 0;
    return sf_resident_launch(loop);
}
static int64_t resident_frame(uint32_t which, uint8_t *picture)
{
    sf_resident *loop = resident.loop;
    sf_resident_slot s = { .sequence = ++resident.produced };    /* with the producer: marks count from 1, too */
    sf_result r = SF_OK;
    if (!isp.from_gpu) {
        r = sf_resident_acquire(loop, resident.first, deadline, &s);
        if (r == SF_OK) { memcpy(s.data[0], isp.film + which * isp.raw, isp.raw); }
    }
    int64_t begin = sf_flow_now(NULL);
    if (r == SF_OK && isp.from_gpu) {
        r = launch_producer(isp.stream, isp.ring + s.sequence % DEPTH * isp.raw, sf_resident_get_control(loop));
    } else if (r == SF_OK) {
        r = sf_resident_submit(loop, &s);
    }
    if (r == SF_OK) { r = sf_resident_result(loop, resident.last, s.sequence, deadline, &s); }
    int64_t end = sf_flow_now(NULL);
    if (r != SF_OK) { return r < 0 ? r : SF_ERROR_STALLED; }
    if (picture) { memcpy(picture, s.data[0], isp.rgb); }
    r = sf_resident_release(loop, &s);
    return r < 0 ? r : end - begin;
}
static sf_result resident_end(void)
{
    sf_resident_info info;
    if (sf_resident_get_info(resident.loop, &info) >= 0) { isp.loop = info.loop; }   /* which one auto was */
    (void)sf_stream_synchronize(isp.stream, SF_MS(10000));           /* the producer reads the loop's control */
    return sf_resident_destroy(resident.loop);
}

/* side by side --------------------------------------------------------------------------------- */

typedef struct way {
    const char *name;
    sf_result (*begin)(void);
    int64_t (*frame)(uint32_t which, uint8_t *picture);  /* its latency, or an error; picture may be NULL */
    sf_result (*end)(void);
} way;
static const way ways[] = {
    { "flow", flow_begin, flow_frame, flow_end },
    { "graph", graph_begin, graph_frame, graph_end },
    { "resident", resident_begin, resident_frame, resident_end },
};
static const char *const loops[] = { "auto", "exact", "fast", "unrolled" };

static int difference(uint32_t which)            /* from the reference; the flow, which comes first, makes it */
{
    int worst = 0;
    if (!isp.reference[which]) {
        isp.reference[which] = isp.picture, isp.picture = malloc(isp.rgb);
        return isp.picture ? 0 : 255;
    }
    for (size_t i = 0; i < isp.rgb; i++) {
        worst = isp_max(worst, isp_abs(isp.picture[i] - isp.reference[which][i]));
    }
    return worst;
}
static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}
static double percentile(const int64_t *sorted, uint64_t percent)
{
    return (double)sorted[(isp.frames - 1) * percent / 100] / 1e3;
}
static bool measure(const way *w, int64_t *took)
{
    uint64_t warm = isp.frames / 10 + isp.film_frames;
    int worst = 0;
    int64_t ns = w->begin();
    for (uint64_t n = 0; n < warm + isp.frames && ns >= 0; n++) {
        uint32_t which = *isp.which = (uint32_t)(n % isp.film_frames);
        ns = w->frame(which, isp.check ? isp.picture : NULL);
        if (ns >= 0 && isp.check) { worst = isp_max(worst, difference(which)); }
        if (n >= warm) { took[n - warm] = ns; }
    }
    sf_result r = w->end();
    if (ns < 0 || r < 0) {
        fprintf(stderr, "resident_isp: %s: %s\n", w->name, sf_result_string(ns < 0 ? (sf_result)ns : r));
        return false;
    }
    qsort(took, isp.frames, sizeof *took, by_size);
    bool loop = w->begin == resident_begin;
    if (isp.check) {
        printf("%-8s %d pictures, %s\n", w->name, (int)(warm + isp.frames),
               worst <= 1 ? "within 1 of 255" : "DIFFERENT");
    } else {
        printf("%-8s %-9s %10.1f %10.1f %10.1f %10.1f\n", w->name, loop ? loops[isp.loop] : "", percentile(took, 50),
               percentile(took, 90), percentile(took, 99), percentile(took, 100));
    }
    return worst <= 1;
}
static bool measure_all(int64_t *took)
{
    sf_device_info on = { .name = "" };
    bool good = true;
    sf_resident_loop asked = isp.loop;
    sf_device_get_info(isp.device, &on);
    const char *from = isp.from_gpu ? "frames from a producer on the GPU" : "frames from the CPU";
    if (isp.check) {
        printf("%s\n", from);
    } else {
        printf("%d frames of %dx%d on %s (%s), %s\n                       p50/us     p90/us     p99/us     max/us\n",
               (int)isp.frames, isp.args.width, isp.args.height, on.backend == SF_BACKEND_CUDA ? "cuda" : "host",
               on.name, from);
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) { good = measure(&ways[i], took) && good; }
    isp.loop = asked;
    return good;
}

/* set up --------------------------------------------------------------------------------------- */

static void make_args(int scale)                 /* gains and curve as in camera_isp.c */
{
    static const double gains[] = { 1.9, 1, 1.6 };
    (void)bilinear_kernel;                       /* the demosaic that is not used here */
    isp.args.width = WIDTH * scale, isp.args.height = HEIGHT * scale;
    isp_set_format(&isp.args, ISP_RAW10, 10);
    isp.pixels = (size_t)isp.args.width * (size_t)isp.args.height;
    isp.raw = isp.pixels * 5 / 4, isp.rgb = isp.pixels * 3;
    for (int c = ISP_RED; c <= ISP_BLUE; c++) { isp.args.gain[c] = isp_gain(&isp.args, gains[c]); }
    isp_make_srgb(isp.args.srgb);
}
static FILE *open_beside(const char *program, const char *folder)
{
    char path[1024];
    int length = (int)strlen(program);
    while (length > 0 && program[length - 1] != '/' && program[length - 1] != '\\') { length--; }
    snprintf(path, sizeof path, "%.*s%s/frames_512x384_rggb_raw10.bin", length, program, folder);
    return fopen(path, "rb");
}
static FILE *open_frames(const char *program)    /* beside this source, or not far from the program */
{
    static const char *const folders[] = { "data", "examples/data", "../examples/data", "../../examples/data" };
    FILE *file = open_beside(__FILE__, "data");
    for (size_t i = 0; !file && i < sizeof folders / sizeof *folders; i++) {
        file = open_beside(program, folders[i]);
        if (!file) { file = open_beside("", folders[i]); }
    }
    return file;
}
static bool read_film(FILE *file, int scale)     /* tiled: all sizes are even, so the phase of the mosaic stays */
{
    size_t band = (size_t)HEIGHT * ROW * (size_t)scale;
    for (uint32_t n = 0; n < isp.film_frames; n++) {
        uint8_t *frame = isp.film + n * isp.raw, *row = frame;
        for (int y = 0; y < HEIGHT; y++, row += ROW * scale) {
            if (fread(row, 1, ROW, file) < ROW) { return false; }
            for (int i = 1; i < scale; i++) { memcpy(row + i * ROW, row, ROW); }
        }
        for (int i = 1; i < scale; i++) { memcpy(frame + (size_t)i * band, frame, band); }
    }
    return true;
}
static sf_result alloc(size_t bytes, sf_memory memory, void *pointer)
{
    void *p = NULL;
    sf_result r = sf_mem_alloc(isp.device, bytes, memory, &p);
    memcpy(pointer, &p, sizeof p);
    return r;
}
static sf_result set_up(FILE *file, int scale)
{
    fseek(file, 0, SEEK_END);
    isp.film_frames = (uint32_t)(ftell(file) / (HEIGHT * ROW));
    rewind(file);
    if (isp.film_frames < 1 || isp.film_frames > 16) { return SF_ERROR_USER; }
    size_t all = isp.film_frames * isp.raw;
    sf_result r = alloc(all, SF_MEMORY_PINNED, &isp.film);
    if (r >= 0) { r = alloc(all, SF_MEMORY_DEVICE, &isp.store); }
    if (r >= 0) { r = alloc(DEPTH * isp.raw, SF_MEMORY_DEVICE, &isp.ring); }
    if (r >= 0) { r = alloc(sizeof(uint32_t), SF_MEMORY_PINNED, &isp.which); }
    if (r >= 0) { r = alloc(sizeof(uint32_t), SF_MEMORY_DEVICE, &isp.blocks); }
    sf_stream_desc desc = { .flags = SF_STREAM_NON_BLOCKING, .name = "producer" };
    if (r >= 0) { r = sf_stream_create(isp.device, &desc, &isp.stream); }
    if (r < 0 || !read_film(file, scale)) { return r < 0 ? r : SF_ERROR_USER; }
    *isp.which = 0;
    r = sf_memcpy_async(isp.stream, isp.store, isp.film, all);
    if (r >= 0) { r = sf_memset_async(isp.stream, isp.blocks, 0, sizeof(uint32_t)); }
    if (r >= 0) { r = launch_producer(isp.stream, isp.ring, NULL); }     /* loads it: later a loop has the GPU */
    return r < 0 ? r : sf_stream_synchronize(isp.stream, deadline);
}
static int complain(const char *text) { return fprintf(stderr, "resident_isp: %s\n", text), 1; }

static bool work(FILE *file, int scale, const char *producer)
{
    int64_t *took = malloc(isp.frames * sizeof *took);
    isp.picture = malloc(isp.rgb);
    bool good = took && isp.picture && set_up(file, scale) == SF_OK;
    if (!good) { complain("cannot set up: is the memory too small, or the file of frames cut off?"); }
    for (int gpu = 0; gpu < 2 && good; gpu++) {
        isp.from_gpu = gpu;
        if (!*producer || gpu == !strcmp(producer, "gpu")) { good = measure_all(took); }
    }
    for (uint32_t n = 0; n < isp.film_frames; n++) { free(isp.reference[n]); }
    free(isp.picture), free(took);
    return good;
}

int main(int argc, char **argv)
{
    const char *backend = "auto", *producer = "";
    int scale = 1;
    bool known = true;
    isp.frames = 8;
    for (int i = 1; i < argc && known; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(name, "--check")) { isp.check = true; continue; }
        i++;
        if (!strcmp(name, "--backend")) { backend = value; }
        else if (!strcmp(name, "--producer")) { producer = value; }
        else if (!strcmp(name, "--frames")) { isp.frames = strtoull(value, NULL, 10); }
        else if (!strcmp(name, "--scale")) { scale = atoi(value); }
        else if (!strcmp(name, "--loop")) {
            int which = 3;
            while (which >= 0 && strcmp(value, loops[which]) != 0) { which--; }
            isp.loop = (sf_resident_loop)which;
        } else { known = false; }
    }
    known = known && isp.frames > 0 && isp.frames < 100000000 && scale >= 1 && scale <= MAX_SCALE;
    known = known && (int)isp.loop >= 0 && (!*producer || !strcmp(producer, "cpu") || !strcmp(producer, "gpu"));
    sf_device_desc desc = { .logger.func = sf_log_stderr };
    if (!strcmp(backend, "cuda")) {
        desc.backend = SF_BACKEND_CUDA;
    } else if (!strcmp(backend, "host") || (!strcmp(backend, "auto") && !produce.cuda)) {
        desc.backend = SF_BACKEND_HOST;          /* no body for a GPU is built in: it is no use */
    } else {
        known = known && !strcmp(backend, "auto");
    }
    if (!known) { return complain("usage: see the first comment of resident_isp.c"), 2; }

    FILE *file = open_frames(argv[0]);
    if (!file) { return complain("cannot open frames_512x384_rggb_raw10.bin"); }
    make_args(scale);
    desc.host.memory_bytes = 256 * isp.pixels + ((size_t)64 << 20);
    bool good = sf_device_open(&desc, &isp.device) >= 0;
    if (good) {
        good = work(file, scale, producer);
        good = sf_device_close(isp.device, deadline) == SF_OK && good;
    }
    fclose(file);
    return !good;
}
