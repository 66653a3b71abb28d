/*  camera_isp.c - the main example: a camera's raw frames become pictures, on the CPU or on a GPU.

        camera -> unpack -> balance -> demosaic -> { denoise, sharpness } -> combine -> colour -> sink

    With --dark or --histogram there is one more, camera -> statistics -> { balance, log }: what it counts stays on the
    GPU, where balance takes the black level from it, and is written by log.

    An operator receives images, launches kernels on its own stream, emits, and returns at once. Nobody waits
    for the GPU: the sink is run when a picture is complete, and meanwhile the next frames are on their way.

    cc -O2 -pthread -ffp-contract=off examples/camera_isp.c -lm -o camera_isp
    nvcc -O2 -DSF_WITH_CUDA_BODIES --fmad=false -Xcompiler=-ffp-contract=off,-pthread examples/camera_isp.c
         examples/camera_isp.cu -o camera_isp
    ./camera_isp --out .                         --help says what else there is */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
    #include <unistd.h>
    #define IS_TERMINAL(fd) isatty(fd)
#else
    #define IS_TERMINAL(fd) 0
#endif

#if defined(__has_include)
    #if __has_include(<stb/stb_image_write.h>)
        #if defined(__GNUC__)
            #pragma GCC diagnostic push
            #pragma GCC diagnostic ignored "-Wmissing-field-initializers"
            #pragma GCC diagnostic ignored "-Wunused-function"
        #endif
        #define STB_IMAGE_WRITE_IMPLEMENTATION
        #define STB_IMAGE_WRITE_STATIC
        #include <stb/stb_image_write.h>
        #if defined(__GNUC__)
            #pragma GCC diagnostic pop
        #endif
    #endif
#endif

#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"

#include "camera_isp.h"

enum { WIDTH = 512, HEIGHT = 384, PIXELS = WIDTH * HEIGHT, RGB = PIXELS * 3 };
enum { GAINS = 1 };                              /* a frame's metadata: isp_args.gain, for balance */

static int complain(const char *format, ...)     /* one sentence; returns the exit status */
{
    va_list args;
    va_start(args, format);
    fputs("camera_isp: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return 1;
}

/* options -------------------------------------------------------------------------------------- */

enum {
    OPT_BACKEND, OPT_ORDER, OPT_SEED, OPT_WORKERS, OPT_FRAMES, OPT_FPS, OPT_WB, OPT_DEMOSAIC, OPT_OUT,
    OPT_TRACE, OPT_DOT, OPT_INPUT, OPT_TRUTH, OPT_RAW, OPT_STRIDE, OPT_DARK, OPT_BLACK, OPT_HISTOGRAM, OPTIONS
};

static const struct { const char *name, *takes, *help; } known[OPTIONS] = {
    [OPT_BACKEND] = { "--backend", "auto|host|cuda", "where the kernels run (auto: on a GPU, if one works)" },
    [OPT_ORDER] = { "--order", "threads|first-in|lazy|reverse|random|pct", "what the host runs next" },
    [OPT_SEED] = { "--seed", "0...", "for --order random and pct: the same seed, the same run (0)" },
    [OPT_WORKERS] = { "--workers", "0...", "threads that run the operators (one)" },
    [OPT_FRAMES] = { "--frames", "1...", "frames to take; the file is repeated (4)" },
    [OPT_FPS] = { "--fps", "1...", "frames per second (as fast as possible)" },
    [OPT_WB] = { "--wb", "sensor|grey", "white balance: the sensor's gains, or such that the mean is grey" },
    [OPT_DEMOSAIC] = { "--demosaic", "gradient|bilinear", "look for edges, or be blind to them" },
    [OPT_OUT] = { "--out", "DIR", "write the pictures there" },
    [OPT_TRACE] = { "--trace", "FILE", "write what ran when there, for ui.perfetto.dev" },
    [OPT_DOT] = { "--dot", "FILE", "write the operators and edges there, for Graphviz" },
    [OPT_INPUT] = { "--input", "FILE", "other frames of 512x384 RGGB, packed as MIPI does" },
    [OPT_TRUTH] = { "--truth", "FILE", "what frame 1 should look like: binary PPM, 512x384" },
    [OPT_RAW] = { "--raw", "10|12", "bits of a sample (10)" },
    [OPT_STRIDE] = { "--stride", "1...", "bytes from one line to the next (the lines have no padding)" },
    [OPT_DARK] = { "--dark", "0...", "dark lines above the picture: black is the mean of them (0)" },
    [OPT_BLACK] = { "--black", "0...", "the black level, where no dark lines tell (64, of 12 bits 256)" },
    [OPT_HISTOGRAM] = { "--histogram", "FILE", "write sum and histogram of each raw frame there, 257 numbers a line" },
};

typedef struct option { const char *text; uint64_t number; } option;     /* number: or which of the choices */

static int print_help(void)
{
    puts("camera_isp: RAW10 frames to pictures, in a flow of operators\n");
    for (int i = 0; i < OPTIONS; i++) {
        printf("  %s %s\n        %s\n", known[i].name, known[i].takes, known[i].help);
    }
    return 0;
}

static bool parse_choice(const char *choices, const char *text, uint64_t *number)
{
    for (uint64_t i = 0;; i++) {
        size_t length = strcspn(choices, "|");
        if (strlen(text) == length && !memcmp(text, choices, length)) { return *number = i, true; }
        if (!choices[length]) { return false; }
        choices += length + 1;
    }
}

static bool parse_number(const char *least, const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *number >= strtoull(least, NULL, 10);
}

static bool parse_value(const char *takes, const char *text, option *to)
{
    to->text = text;
    if (strchr(takes, '|')) { return parse_choice(takes, text, &to->number); }
    if (strstr(takes, "...")) { return parse_number(takes, text, &to->number); }
    return *text != 0;
}

static bool parse_options(int argc, char **argv, option *options)
{
    for (int i = 1; i < argc; i += 2) {
        int which = 0;
        while (which < OPTIONS && strcmp(argv[i], known[which].name) != 0) { which++; }
        if (which == OPTIONS) {
            return complain("there is no option \"%s\"; see --help", argv[i]), false;
        }
        if (i + 1 == argc) {
            return complain("%s needs a value: %s", argv[i], known[which].takes), false;
        }
        if (!parse_value(known[which].takes, argv[i + 1], &options[which])) {
            return complain("%s takes %s, not \"%s\"", argv[i], known[which].takes, argv[i + 1]), false;
        }
    }
    return true;
}

/* files ---------------------------------------------------------------------------------------- */

static FILE *open_beside(const char *program, const char *folder, const char *name)
{
    char path[1024];
    int length = (int)strlen(program);
    while (length > 0 && program[length - 1] != '/' && program[length - 1] != '\\') { length--; }
    int written = snprintf(path, sizeof path, "%.*s%s%s", length, program, folder, name);
    return written < (int)sizeof path ? fopen(path, "rb") : NULL;
}

/* The example's own data is found from everywhere: beside this source, or not far from the program. */
static FILE *open_data(const char *chosen, const char *program, const char *name)
{
    static const char *const folders[] = {
        "data/", "examples/data/", "../examples/data/", "../../examples/data/",
    };
    if (chosen) { return fopen(chosen, "rb"); }
    FILE *file = open_beside(__FILE__, "data/", name);
    for (size_t i = 0; !file && i < sizeof folders / sizeof *folders; i++) {
        file = open_beside(program, folders[i], name);
        if (!file) { file = open_beside("", folders[i], name); }
    }
    return file;
}

static void cannot_open(const char *chosen, const char *name, const char *option)
{
    const char *why = strerror(errno);
    if (chosen) { (void)complain("cannot open \"%s\": %s", chosen, why); return; }
    (void)complain("cannot open \"examples/data/%s\": %s; run it in the project's root, or say %s FILE", name, why, option);
}

static isp_args shared_args = { .width = WIDTH, .height = HEIGHT };  /* the same for all launches */

static long raw_bytes(void) { return (long)shared_args.stride * (HEIGHT + shared_args.dark); }

static FILE *open_frames(const char *chosen, const char *program)
{
    const char *name = chosen ? chosen : "frames_512x384_rggb_raw10.bin";
    FILE *file = open_data(chosen, program, name);
    if (!file) { return cannot_open(chosen, name, "--input"), NULL; }
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    if (bytes > 0 && bytes % raw_bytes() == 0) { return file; }
    complain("\"%s\" is truncated: %ld bytes are not a whole number of frames of %ld bytes", name, bytes,
             raw_bytes());
    return fclose(file), NULL;
}

static bool read_truth(const char *chosen, const char *program, uint8_t *rgb)
{
    const char *name = chosen ? chosen : "astronaut_512x384_truth.ppm";
    FILE *file = open_data(chosen, program, name);
    if (!file) { return cannot_open(chosen, name, "--truth"), false; }
    int width = 0, height = 0, most = 0;
    bool good = fscanf(file, "P6 %d %d %d", &width, &height, &most) == 3 && width == WIDTH && height == HEIGHT
             && most == 255 && fgetc(file) != EOF && fread(rgb, 1, RGB, file) == RGB;
    fclose(file);
    return good || (complain("\"%s\" is truncated, or no binary PPM of %dx%d", name, WIDTH, HEIGHT), false);
}

#ifdef STB_IMAGE_WRITE_IMPLEMENTATION
static const char picture_type[] = "png";
static bool write_rgb(const char *path, const uint8_t *rgb)
{
    return stbi_write_png(path, WIDTH, HEIGHT, 3, rgb, WIDTH * 3) != 0;
}
#else
static const char picture_type[] = "ppm";
static bool write_rgb(const char *path, const uint8_t *rgb)
{
    FILE *file = fopen(path, "wb");
    if (!file) { return false; }
    bool good = fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT) > 0 && fwrite(rgb, 1, RGB, file) == RGB;
    return fclose(file) == 0 && good;
}
#endif

static bool picture_path(char *path, int bytes, const char *folder, uint64_t number)
{
    unsigned long long n = number;
    if (snprintf(path, (size_t)bytes, "%s/frame%04llu.%s", folder, n, picture_type) < bytes) { return true; }
    errno = ENAMETOOLONG;
    return false;
}

static bool check_folder(const char *folder)     /* before the work, not after it */
{
    char path[1024];
    FILE *file = picture_path(path, sizeof path, folder, 1) ? fopen(path, "wb") : NULL;
    if (!file) { return complain("cannot write pictures to \"%s\": %s", folder, strerror(errno)), false; }
    return fclose(file) == 0;
}

/* kernels -------------------------------------------------------------------------------------- */

ISP_KERNELS(ISP_KERNEL)
ISP_STATISTICS_KERNEL

/* operators ------------------------------------------------------------------------------------ */

typedef struct camera { FILE *file; bool measure; } camera;

static const void *picture_of(const void *raw)                   /* behind the dark lines */
{
    return (const uint8_t *)raw + (ptrdiff_t)shared_args.dark * shared_args.stride;
}

static sf_value measure_gains(const void *raw)                   /* those that make the whole scene grey */
{
    isp_args a = shared_args;
    int64_t sum[3] = { 0, 0, 0 };
    a.src = picture_of(raw);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) { sum[isp_site(x, y)] += isp_raw(&a, x, y) - a.black; }
    }
    double green = fmax((double)sum[ISP_GREEN] / 2, 1);          /* it has twice the sites */
    return (sf_value){ .i32 = { isp_gain(&a, green / fmax((double)sum[ISP_RED], 1)), isp_gain(&a, 1),
                                isp_gain(&a, green / fmax((double)sum[ISP_BLUE], 1)) } };
}

static sf_result camera_compute(sf_context *ctx)
{
    camera *cam = ctx->user;
    sf_tensor *frame = sf_tensor_create(ctx, 0, NULL);           /* pinned: for CPU and kernels */
    if (fread(frame->data, 1, frame->bytes, cam->file) < frame->bytes) {
        rewind(cam->file);
        if (fread(frame->data, 1, frame->bytes, cam->file) < frame->bytes) {
            return sf_fail(ctx, SF_ERROR_USER, "the file of frames cannot be read");
        }
    }
    const isp_args *a = &shared_args;
    sf_value sensor = { .i32 = { isp_gain(a, 1.9), isp_gain(a, 1), isp_gain(a, 1.6) } };
    sf_set_metadata(ctx, GAINS, cam->measure ? measure_gains(frame->data) : sensor);
    sf_set_timestamp(ctx, sf_flow_now(ctx->flow));
    return sf_emit(ctx, 0, frame);                               /* no stream used: none to wait for */
}

/* All between camera and sink: one or two images in, kernels in turn on one stream, one image out. */
typedef struct stage {
    const char *name;
    const sf_kernel *kernels[4];
    size_t bytes;                                /* of the output, per pixel */
    bool two, to_host;                           /* inputs; the output is for the CPU */
    bool raw;                                    /* the input is the camera's frame */
} stage;

static sf_result stage_compute(sf_context *ctx)
{
    const stage *s = ctx->user;
    isp_args args = shared_args;
    args.src = sf_receive(ctx, 0)->data;
    if (s->raw) { args.src = picture_of(args.src); }
    if (s->two) { args.aux = sf_receive(ctx, 1)->data; }
    sf_value gains;
    if (sf_get_metadata(ctx, GAINS, &gains)) { memcpy(args.gain, gains.i32, sizeof args.gain); }
    sf_tensor *dst = sf_tensor_create(ctx, 0, NULL);             /* there is room, or this would not run */
    sf_tensor *work = s->to_host ? sf_tensor_create(ctx, 1, NULL) : dst;     /* not emitted: taken back */
    args.dst = work->data;
    sf_stream *stream = sf_compute_stream(ctx);                  /* ordered after what was received */
    for (int i = 0; s->kernels[i]; i++) { sf_launch(stream, s->kernels[i], &args, sizeof args); }
    if (work != dst) { sf_memcpy_async(stream, dst->data, work->data, work->bytes); }
    return sf_emit(ctx, 0, dst);                                 /* carries the stream */
}

/* Output 0 is for kernels, 1 for the CPU: balance would read that through PCIe, pixel by pixel. */
static sf_result statistics_compute(sf_context *ctx)
{
    isp_args args = shared_args;
    args.src = picture_of(sf_receive(ctx, 0)->data);
    sf_tensor *work = sf_tensor_create(ctx, 0, NULL), *shown = sf_tensor_create(ctx, 1, NULL);
    sf_stream *stream = sf_compute_stream(ctx);
    args.dst = work->data;
    sf_launch(stream, &statistics_kernel, &args, sizeof args);
    sf_memcpy_async(stream, shown->data, work->data, work->bytes);
    sf_emit(ctx, 0, work);
    return sf_emit(ctx, 1, shown);
}

static sf_result log_compute(sf_context *ctx)
{
    const isp_statistics *s = sf_receive(ctx, 0)->data;
    FILE *file = ctx->user;
    bool good = fprintf(file, "%llu", (unsigned long long)s->sum) > 0;
    for (int i = 0; i < 256; i++) { good = fprintf(file, " %u", (unsigned)s->bins[i]) > 0 && good; }
    good = fputc('\n', file) != EOF && good;
    return good ? SF_OK : sf_fail(ctx, SF_ERROR_USER, "cannot write the histogram: is the disk full?");
}

typedef struct sink { const char *folder; const uint8_t *truth; double psnr; } sink;

static double psnr(const uint8_t *a, const uint8_t *b)
{
    double sum = 0;
    for (int i = 0; i < RGB; i++) { sum += (a[i] - b[i]) * (a[i] - b[i]); }
    return 10 * log10(255.0 * 255.0 * RGB / sum);
}

static sf_result sink_compute(sf_context *ctx)   /* the picture is complete: see `when` below */
{
    sink *to = ctx->user;
    const sf_tensor *picture = sf_receive(ctx, 0);
    if (ctx->run == 0 && to->truth) { to->psnr = psnr(picture->data, to->truth); }
    if (!to->folder) { return SF_OK; }
    char path[1024];
    bool good = picture_path(path, sizeof path, to->folder, ctx->run + 1) && write_rgb(path, picture->data);
    return good ? SF_OK : sf_fail(ctx, SF_ERROR_USER, "cannot write a picture: is the disk full?");
}

/* the flow ------------------------------------------------------------------------------------- */

enum { CAMERA, UNPACK, BALANCE, DEMOSAIC, DENOISE, SHARPNESS, COMBINE, COLOUR, SINK, STATISTICS, LOG, OPERATORS };

static const stage stages[OPERATORS] = {
    [UNPACK] = { "unpack", { &unpack_kernel }, 2, false, false, true },
    [BALANCE] = { "balance", { &balance_kernel }, 2, false, false, false },
    [DEMOSAIC] = { "demosaic", { &differences_kernel, &green_kernel, &chroma_kernel }, 6, false, false, false },
    [DENOISE] = { "denoise", { &denoise_kernel }, 8, false, false, false },
    [SHARPNESS] = { "sharpness", { &sharpness_kernel }, 2, false, false, false },
    [COMBINE] = { "combine", { &combine_kernel }, 6, true, false, false },
    [COLOUR] = { "colour", { &colour_kernel }, 3, false, true, false },
};
static const stage bilinear_demosaic = { "demosaic", { &bilinear_kernel }, 6, false, false, false };
static const stage measured_balance = { "balance", { &balance_kernel }, 2, true, false, false };

static sf_op add_stage(sf_flow *flow, const stage *s)            /* a library of operators: such functions */
{
    sf_op_desc desc = {
        .name = s->name, .compute = stage_compute, .user = (void *)s,
        .in = {{ .name = "src", .capacity = 2 }},
        .out = {{ .name = "dst", .bytes = s->bytes * PIXELS }},
    };
    if (s->two) { desc.in[1] = (sf_port){ .name = "aux", .capacity = 2 }; }
    if (s->to_host) {                            /* written on the GPU, then copied: PCIe likes that better */
        desc.out[0].memory = SF_MEMORY_PINNED;
        desc.out[1] = (sf_port){ .name = "work", .bytes = s->bytes * PIXELS };
    }
    return sf_flow_add(flow, &desc);
}

static void add_statistics(sf_flow *flow, sf_op *op, FILE *histogram)
{
    op[STATISTICS] = sf_flow_add(flow, &(sf_op_desc){
        .name = "statistics", .compute = statistics_compute, .in = {{ .name = "src", .capacity = 2 }},
        .out = {{ .name = "dst", .bytes = sizeof(isp_statistics) },
                { .name = "shown", .bytes = sizeof(isp_statistics), .memory = SF_MEMORY_PINNED }},
    });
    sf_flow_connect(flow, op[CAMERA], "dst", op[STATISTICS], "src", NULL);
    if (shared_args.dark) { sf_flow_connect(flow, op[STATISTICS], "dst", op[BALANCE], "aux", NULL); }
    if (!histogram) { return; }
    op[LOG] = sf_flow_add(flow, &(sf_op_desc){
        .name = "log", .compute = log_compute, .user = histogram, .in = {{ .name = "src" }},
        .when = {{ .kind = SF_CONDITION_STREAM }},
    });
    sf_flow_connect(flow, op[STATISTICS], "shown", op[LOG], "src", NULL);
}

static void build(sf_flow *flow, sf_op *op, camera *cam, sink *to, FILE *histogram, const option *options)
{
    op[CAMERA] = sf_flow_add(flow, &(sf_op_desc){
        .name = "camera", .compute = camera_compute, .user = cam, .count = options[OPT_FRAMES].number,
        .period = options[OPT_FPS].number ? SF_HZ((int64_t)options[OPT_FPS].number) : 0,
        .out = {{ .name = "dst", .bytes = (size_t)raw_bytes(), .memory = SF_MEMORY_PINNED }},
    });
    for (int i = UNPACK; i <= COLOUR; i++) {
        const stage *s = &stages[i];
        if (i == DEMOSAIC && options[OPT_DEMOSAIC].number == 1) { s = &bilinear_demosaic; }
        if (i == BALANCE && shared_args.dark) { s = &measured_balance; }
        op[i] = add_stage(flow, s);
    }
    op[SINK] = sf_flow_add(flow, &(sf_op_desc){
        .name = "sink", .compute = sink_compute, .user = to,
        .in = {{ .name = "src", .bytes = RGB, .capacity = 2 }},
        .when = {{ .kind = SF_CONDITION_STREAM }},
    });

    static const struct { int from, to; const char *input; } edges[] = {
        { CAMERA, UNPACK, "src" },    { UNPACK, BALANCE, "src" },     { BALANCE, DEMOSAIC, "src" },
        { DEMOSAIC, DENOISE, "src" }, { DEMOSAIC, SHARPNESS, "src" }, { DENOISE, COMBINE, "src" },
        { SHARPNESS, COMBINE, "aux" }, { COMBINE, COLOUR, "src" },    { COLOUR, SINK, "src" },
    };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        sf_flow_connect(flow, op[edges[i].from], "dst", op[edges[i].to], edges[i].input, NULL);
    }
    if (shared_args.dark || histogram) { add_statistics(flow, op, histogram); }
}

static sf_device *open_device(const option *options)
{
    sf_device_desc desc = {
        .backend = (sf_backend)options[OPT_BACKEND].number,
        .host = { .order = (sf_order)options[OPT_ORDER].number, .seed = options[OPT_SEED].number },
    };
#ifndef SF_WITH_CUDA_BODIES                      /* nothing that a GPU could run */
    if (desc.backend == SF_BACKEND_CUDA) {
        return complain("this program was built without camera_isp.cu: only --backend host will do"), NULL;
    }
    desc.backend = SF_BACKEND_HOST;
#endif
    if (desc.host.order != SF_ORDER_THREADS) {
        if (desc.backend == SF_BACKEND_CUDA) {
            return complain("--order is the host's: a GPU chooses for itself"), NULL;
        }
        desc.backend = SF_BACKEND_HOST;
    }
    sf_device *device;
    sf_result r = sf_device_open(&desc, &device);
    if (r >= 0) { return device; }
    return complain("cannot use --backend %s: %s", options[OPT_BACKEND].text, sf_result_string(r)), NULL;
}

/* statistics ----------------------------------------------------------------------------------- */

/* A percentile is the begin of a bucket, up to 6 % less than the time: two digits are known of it. */
static double two_digits(int64_t ns)
{
    int64_t unit = 1;
    while (ns / unit >= 100) { unit *= 10; }
    return (double)((ns + unit / 2) / unit * unit);
}

/* "61.2 frames/s, latency p50 8.1 ms, p99 9.9 ms", from the camera to the sink */
static void print_pace(FILE *file, const sf_flow *flow, uint64_t frames, double seconds)
{
    sf_latency latency = { 0 };
    sf_flow_get_path(flow, 0, &latency, NULL, 0);
    fprintf(file, "%.1f frames/s, latency p50 %g ms, p99 %g ms", (double)frames / seconds,
            two_digits(latency.p50) / 1e6, two_digits(latency.p99) / 1e6);
}

static void show_progress(const sf_flow *flow, sf_op last, uint64_t frames, double seconds)
{
    static const char bar[] = "==============================";
    sf_op_info info;
    if (sf_op_get_info(flow, last, &info) < 0) { return; }
    unsigned long long runs = info.runs, all = frames;
    int done = (int)(30 * runs / all);
    fprintf(stderr, "\r[%.*s%*s] %llu of %llu, ", done, bar, 30 - done, "", runs, all);
    print_pace(stderr, flow, runs, seconds);
    fputs("\033[K", stderr);
}

static void print_summary(const sf_flow *flow, const sf_op *op, sf_device *device, double seconds)
{
    sf_device_info on = { .name = "" };
    sf_op_info info[OPERATORS] = { { .runs = 0 } };
    sf_device_get_info(device, &on);
    puts("operator       runs   cpu p50/us   device p50/us");
    for (int i = 0; i < OPERATORS; i++) {
        static const char *const others[OPERATORS] = {
            [CAMERA] = "camera", [SINK] = "sink", [STATISTICS] = "statistics", [LOG] = "log",
        };
        if (!op[i].id) { continue; }             /* an optional one */
        const char *name = others[i] ? others[i] : stages[i].name;
        sf_op_get_info(flow, op[i], &info[i]);
        printf("%-10s %8llu %12g %15g\n", name, (unsigned long long)info[i].runs,
               two_digits(info[i].cpu.p50) / 1e3, two_digits(info[i].device.p50) / 1e3);
    }
    printf("%llu frames in %.3f s on %s (%s): ", (unsigned long long)info[SINK].runs, seconds,
           on.backend == SF_BACKEND_CUDA ? "cuda" : "host", on.name);
    print_pace(stdout, flow, info[SINK].runs, seconds);
    sf_counters calls = { .launches = 0 };
    double n = (double)(info[SINK].runs ? info[SINK].runs : 1);
    sf_device_get_counters(device, &calls);
    printf("\ncalls per frame: %.1f launches, %.1f copies, %.1f event records, %.1f waits, %.1f host functions\n",
           (double)calls.launches / n, (double)calls.copies / n, (double)calls.event_records / n,
           (double)calls.event_waits / n, (double)calls.host_functions / n);
}

/* Ctrl-C: the camera ends, and what is under way is worked off. A second one drops that. */
static sf_flow *running;
static void on_ctrl_c(int number)
{
    static volatile sig_atomic_t again;
    int before = errno;
    (void)number;
    if (again) { sf_flow_stop(running); } else { sf_flow_finish(running); }
    again = 1;
    errno = before;
}
static sf_result run(sf_flow *flow, sf_op last, uint64_t frames, double *seconds)
{
    bool show = IS_TERMINAL(2);
    running = flow;
    signal(SIGINT, on_ctrl_c);
    int64_t begin = sf_flow_now(flow);
    sf_result r = sf_flow_start(flow);
    while (r >= 0 && (r = sf_flow_wait(flow, SF_MS(100))) == SF_TIMEOUT) {
        if (show) { show_progress(flow, last, frames, (double)(sf_flow_now(flow) - begin) / 1e9); }
    }
    signal(SIGINT, SIG_DFL);
    *seconds = (double)(sf_flow_now(flow) - begin) / 1e9;
    if (show) { fputs("\r\033[K", stderr); }
    return r;
}

typedef sf_result (*writer)(const sf_flow *flow, sf_text_func text, void *user);
static bool write_file(const sf_flow *flow, const char *path, writer write)
{
    if (!path) { return true; }
    FILE *file = fopen(path, "wb");
    if (!file) { return complain("%s: %s", path, strerror(errno)), false; }
    sf_result r = write(flow, sf_text_file, file);
    bool written = !ferror(file);
    return (fclose(file) == 0 && written && r >= 0) || (complain("%s: not written", path), false);
}

static int process(sf_device *device, camera *cam, sink *to, FILE *histogram, const option *options)
{
    sf_flow *flow = sf_flow_create(&(sf_flow_desc){
        .name = "camera_isp", .device = device,
        .metadata_entries = 1, .track = { .latency = true, .device_time = true },
        .workers = {{ .count = (int32_t)options[OPT_WORKERS].number }},
        .trace_events = options[OPT_TRACE].text ? 100000 : 0,
    });
    sf_op op[OPERATORS] = { { 0 } };
    double seconds;
    build(flow, op, cam, to, histogram, options);
    sf_result r = run(flow, op[SINK], options[OPT_FRAMES].number, &seconds);
    if (r < 0) {
        complain("%s", sf_flow_failure(flow)->text);
    } else {
        print_summary(flow, op, device, seconds);
        if (to->truth) { printf("PSNR %.1f dB\n", to->psnr); }
        if (!to->folder) { puts("(no pictures were written: --out DIR does that)"); }
    }
    bool written = write_file(flow, options[OPT_TRACE].text, sf_flow_trace);
    written &= write_file(flow, options[OPT_DOT].text, sf_flow_dot);
    return (sf_flow_destroy(flow) < 0) | !written;
}

static bool set_format(const option *options)
{
    isp_args *a = &shared_args;
    bool raw12 = options[OPT_RAW].number == 1;
    uint64_t stride = options[OPT_STRIDE].number, dark = options[OPT_DARK].number, black = options[OPT_BLACK].number;
    isp_set_format(a, raw12 ? ISP_RAW12 : ISP_RAW10, raw12 ? 12 : 10);
    if (dark > HEIGHT) { return complain("--dark takes at most %d lines", HEIGHT), false; }
    if (options[OPT_STRIDE].text && (stride < (uint64_t)a->stride || stride > 1 << 20)) {
        return complain("--stride takes %d to %d: a line has %d bytes", a->stride, 1 << 20, a->stride), false;
    }
    if (black >= 1u << a->bits) { return complain("--black takes at most %d", (1 << a->bits) - 1), false; }
    a->dark = (int32_t)dark;
    if (options[OPT_STRIDE].text) { a->stride = (int32_t)stride; }
    if (options[OPT_BLACK].text) { a->black = (int32_t)black; }
    return true;
}

int main(int argc, char **argv)
{
    static uint8_t truth[RGB];
    option options[OPTIONS] = { [OPT_BACKEND].text = "auto", [OPT_FRAMES].number = 4 };
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help")) { return print_help(); }
    }
    if (!parse_options(argc, argv, options) || !set_format(options)) { return 2; }

    camera cam = { open_frames(options[OPT_INPUT].text, argv[0]), options[OPT_WB].number == 1 };
    if (!cam.file) { return 1; }
    sink to = { .folder = options[OPT_OUT].text };
    if (!options[OPT_INPUT].text || options[OPT_TRUTH].text) {     /* other frames, another truth or none */
        if (!read_truth(options[OPT_TRUTH].text, argv[0], truth)) { return 1; }
        to.truth = truth;
    }
    if (to.folder && !check_folder(to.folder)) { return 1; }
    const char *path = options[OPT_HISTOGRAM].text;
    FILE *histogram = path ? fopen(path, "w") : NULL;
    if (path && !histogram) { return complain("cannot write \"%s\": %s", path, strerror(errno)); }
    isp_make_srgb(shared_args.srgb);

    sf_device *device = open_device(options);
    int status = device ? process(device, &cam, &to, histogram, options) : 1;
    if (histogram && fclose(histogram) != 0) { status = complain("cannot write \"%s\": %s", path, strerror(errno)); }
    if (device && sf_device_close(device, SF_FOREVER) < 0) { status = 1; }
    fclose(cam.file);
    return status;
}
