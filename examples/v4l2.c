/* v4l2.c: frames of a camera, without a copy. A kernel reads the buffers that the camera's driver fills; the driver
   gets a buffer back when the GPU is done with it, and not before.

       camera -> statistics -> report

   cc -O2 -pthread v4l2.c -lm                     and with the CUDA bodies: see v4l2.cu
   ./a.out [/dev/video0 | FILE] [--backend host | cuda] [--frames N] [--format FOURCC] [--size WxH] [--stride BYTES]
           [--dark LINES]

   A FILE of raw frames stands in for a device. It has no format, so the options say it; without them: pRAA, 512x384,
   packed. FOURCC: pRCC, pBCC, pGCC, pgCC (12 bits, packed), pRAA, pBAA, pGAA, pgAA (10), Y12P, Y10P, "Y12 ", "Y10 "
   (with the blank), GREY, YUYV. --size is without the --dark lines, which come first in a frame.
   It prints mean and black level of each frame, in units of the samples.
   Ctrl-C ends the camera, and what is under way is worked off; a second one drops that. */
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include "camera_isp.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFERS = 6, MOST_BUFFERS = 32, FILE_FPS = 30 };
enum { PATIENCE_MS = 100, COUNTS = 1 };          /* of one look at the camera; a frame's metadata */
static const int64_t deadline = SF_MS(2000);     /* for the next frame */

static const struct { char code[5]; uint8_t format, bits; } formats[] = {        /* the best first */
    { "pRCC", ISP_RAW12, 12 }, { "pBCC", ISP_RAW12, 12 }, { "pGCC", ISP_RAW12, 12 }, { "pgCC", ISP_RAW12, 12 },
    { "pRAA", ISP_RAW10, 10 }, { "pBAA", ISP_RAW10, 10 }, { "pGAA", ISP_RAW10, 10 }, { "pgAA", ISP_RAW10, 10 },
    { "Y12P", ISP_RAW12, 12 }, { "Y10P", ISP_RAW10, 10 }, { "Y12 ", ISP_RAW16, 12 }, { "Y10 ", ISP_RAW16, 10 },
    { "GREY", ISP_RAW8, 8 },   { "YUYV", ISP_YUYV, 8 },
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* A frame as it leaves the source: the number of its buffer, and what the driver says of it. */
typedef struct shot { uint32_t buffer, sequence; int64_t time; void *data; size_t bytes; bool damaged; } shot;

typedef struct camera camera;
typedef struct source {                          /* a device, or what stands in for one. Results: 0 or an errno */
    bool (*open)(camera *c, const struct stat *is);      /* chooses the format, maps the buffers */
    int (*start)(camera *c);
    int (*dequeue)(camera *c, shot *to);         /* EAGAIN: none at present. ENODATA: no more */
    int (*queue)(camera *c, uint32_t buffer);    /* by any thread, at any time between start and close */
    void (*close)(camera *c);
} source;

typedef struct slot { camera *of; uint32_t number; void *data; size_t bytes; } slot;     /* a buffer; its mapping */
struct camera {
    const source *source;
    const char *path;
    int fd;
    isp_args args;                               /* how a frame lies in a buffer */
    const char *format;                          /* the one asked for, or NULL */
    slot slots[MOST_BUFFERS];
    uint32_t buffers;
    sf_memory memory;                            /* of the buffers: PINNED if kernels reach them */
    _Atomic uint32_t out;                        /* buffers that the driver does not have */
    _Atomic int failed;                          /* errno of a buffer that could not be given back */
    uint64_t frames, sent;                       /* to send, 0: no limit */
    uint32_t next, lost, damaged;                /* the sequence to come; frames that did not */
    int64_t heard;                               /* when it last gave one, or had no buffer to fill */
    _Atomic uint32_t free;                       /* of a file: the buffers that are not out, a bit each */
};

static bool complain(const char *format, ...)    /* one sentence; returns false */
{
    va_list args;
    va_start(args, format);
    fputs("v4l2: ", stderr), vfprintf(stderr, format, args), fputc('\n', stderr);
    va_end(args);
    return false;
}
static size_t frame_bytes(const isp_args *a) { return (size_t)a->stride * (size_t)(a->dark + a->height); }
static void set_code(camera *c, int i) { isp_set_format(&c->args, formats[i].format, formats[i].bits); }
static void say_format(const camera *c, int i)
{
    printf("%.4s, %dx%d, %d bytes a line\n", formats[i].code, c->args.width, c->args.height, c->args.stride);
}

/* a device ------------------------------------------------------------------------------------- */

static int control(const camera *c, unsigned long request, void *argument)
{
    int r;
    do { r = ioctl(c->fd, request, argument); } while (r < 0 && errno == EINTR);
    return r < 0 ? errno : 0;
}
/* A driver refuses no format: it answers with one that it has. So each is asked for until the answer is the same. */
static bool device_negotiate(camera *c)
{
    struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
    struct v4l2_pix_format *p = &f.fmt.pix;
    int error = control(c, VIDIOC_G_FMT, &f), i = 0;
    const uint32_t width = c->args.width ? (uint32_t)c->args.width : p->width;
    const uint32_t height = c->args.height ? (uint32_t)(c->args.height + c->args.dark) : p->height;
    for (bool found = false; !found; i += !found) {
        if (i == FORMATS || error) {
            return complain("%s: %s", c->path, error ? strerror(error) : "it has no format that this program reads");
        }
        if (c->format && strcmp(c->format, formats[i].code) != 0) { continue; }
        memset(&f, 0, sizeof f);                 /* a bytesperline that is left in there is a wish, too */
        f.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
        memcpy(&p->pixelformat, formats[i].code, 4);
        p->width = width, p->height = height;
        error = control(c, VIDIOC_S_FMT, &f);    /* EBUSY: another program streams */
        if (error == EINVAL) { error = 0, p->pixelformat = 0; }  /* an old driver: it does refuse */
        found = !error && !memcmp(&p->pixelformat, formats[i].code, 4);
    }
    c->args.width = (int32_t)p->width, c->args.height = (int32_t)p->height - c->args.dark;
    set_code(c, i);
    if (p->bytesperline) { c->args.stride = (int32_t)p->bytesperline; }
    say_format(c, i);
    return c->args.height > 0 || complain("%s: a frame has fewer lines than --dark", c->path);
}
static bool device_open(camera *c, const struct stat *is)
{
    struct v4l2_capability has;
    struct v4l2_requestbuffers ask = {
        .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP,
    };
    if (!S_ISCHR(is->st_mode) || control(c, VIDIOC_QUERYCAP, &has)) {
        return complain("%s: neither a file nor a camera", c->path);
    }
    const uint32_t can = has.capabilities & V4L2_CAP_DEVICE_CAPS ? has.device_caps : has.capabilities;
    if (~can & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)) {
        return complain("%s: its driver gives no frames in one plane and by mmap", c->path);
    }
    if (!device_negotiate(c)) { return false; }
    int error = control(c, VIDIOC_REQBUFS, &ask);        /* it may give fewer, or more */
    for (uint32_t i = 0; !error && i < ask.count && i < MOST_BUFFERS; i++) {
        struct v4l2_buffer b = { .index = i, .type = ask.type, .memory = ask.memory };
        error = control(c, VIDIOC_QUERYBUF, &b);
        if (error) { break; }
        void *p = mmap(NULL, b.length, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, (off_t)b.m.offset);
        if (p == MAP_FAILED) { error = errno; break; }
        c->slots[i] = (slot){ c, i, p, b.length };
        c->buffers++;
        if (b.length < frame_bytes(&c->args)) { return complain("%s: a buffer is smaller than a frame", c->path); }
    }
    return !error || complain("%s: no buffers: %s", c->path, strerror(error));
}
static int device_queue(camera *c, uint32_t buffer)
{
    struct v4l2_buffer b = { .index = buffer, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP };
    return control(c, VIDIOC_QBUF, &b);
}
static int device_start(camera *c)
{
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE, error = 0;
    for (uint32_t i = 0; i < c->buffers && !error; i++) { error = device_queue(c, i); }
    return error ? error : control(c, VIDIOC_STREAMON, &type);
}
/* A damaged frame is no error of the call, and its buffer has to go back. Not each driver flags a frame that lacks its
   last lines: `bytesused` tells. The time is on CLOCK_MONOTONIC, as the flow's clock is, if the driver says so. */
static int device_dequeue(camera *c, shot *to)
{
    struct pollfd p = { .fd = c->fd, .events = POLLIN };
    struct v4l2_buffer b = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP };
    if (poll(&p, 1, PATIENCE_MS) <= 0) { return EAGAIN; }
    int error = control(c, VIDIOC_DQBUF, &b);    /* POLLERR, too: the call says why */
    if (error == EAGAIN && p.revents & POLLERR) { poll(NULL, 0, 10); }
    if (error) { return error; }
    const size_t least = frame_bytes(&c->args) - (size_t)c->args.stride
                       + (size_t)isp_line_bytes(c->args.format, c->args.width);
    const bool ours = (b.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    *to = (shot){
        .buffer = b.index, .sequence = b.sequence, .data = c->slots[b.index].data, .bytes = c->slots[b.index].bytes,
        .time = ours ? b.timestamp.tv_sec * INT64_C(1000000000) + b.timestamp.tv_usec * 1000 : sf_flow_now(NULL),
        .damaged = b.flags & V4L2_BUF_FLAG_ERROR || b.bytesused < least,
    };
    return 0;
}
static void device_close(camera *c)
{
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    (void)control(c, VIDIOC_STREAMOFF, &type);
}

/* a file: frames in one mapping, that of slot 0; a few may be out at a time ------------------------ */

static bool file_open(camera *c, const struct stat *is)
{
    int i = 0;
    while (i < FORMATS && strcmp(c->format ? c->format : "pRAA", formats[i].code) != 0) { i++; }
    int32_t stride = c->args.stride;
    if (!c->args.width) { c->args.width = 512, c->args.height = 384; }
    if (i < FORMATS) { set_code(c, i); }
    if (i == FORMATS) { return complain("there is no --format %s: see the first comment of v4l2.c", c->format); }
    if (stride && stride < c->args.stride) { return complain("--stride: a line has %d bytes", c->args.stride); }
    c->args.stride = stride ? stride : c->args.stride;
    const size_t bytes = (size_t)is->st_size;
    if (!bytes || bytes % frame_bytes(&c->args)) {
        return complain("%s: no whole number of frames of %zu bytes", c->path, frame_bytes(&c->args));
    }
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, c->fd, 0);
    if (p == MAP_FAILED) { return complain("%s: %s", c->path, strerror(errno)); }
    for (uint32_t i = 0; i < BUFFERS; i++) { c->slots[i] = (slot){ c, i, i ? NULL : p, i ? 0 : bytes }; }
    c->buffers = BUFFERS;
    say_format(c, i);
    return true;
}
static int file_queue(camera *c, uint32_t buffer) { return atomic_fetch_or(&c->free, 1u << buffer), 0; }
static int file_start(camera *c) { return atomic_store(&c->free, (1u << BUFFERS) - 1), 0; }
static int file_dequeue(camera *c, shot *to)
{
    uint32_t n = c->next, free = atomic_load(&c->free), i = 0;
    const size_t bytes = frame_bytes(&c->args);
    uint8_t *data = (uint8_t *)c->slots[0].data + n * bytes;
    if (n == c->slots[0].bytes / bytes) { return ENODATA; }
    if (!free) { return poll(NULL, 0, 1), EAGAIN; }
    while (!(free >> i & 1)) { i++; }
    atomic_fetch_and(&c->free, ~(1u << i));
    *to = (shot){ .buffer = i, .sequence = n, .time = n * SF_HZ(FILE_FPS), .data = data, .bytes = bytes };
    return 0;
}
static void file_close(camera *c) { (void)c; }

static const source device = { device_open, device_start, device_dequeue, device_queue, device_close };
static const source file = { file_open, file_start, file_dequeue, file_queue, file_close };

/* operators ------------------------------------------------------------------------------------ */

static sf_result fail(sf_context *ctx, const char *what, int error)
{
    char text[160];
    const char *why = error == ENODEV ? "the camera was unplugged"
                    : error == EIO ? "an error that the driver does not recover from (EIO)" : strerror(error);
    snprintf(text, sizeof text, "%s: %s", what, why);
    return sf_fail(ctx, SF_ERROR_USER, text);
}
static sf_result camera_start(sf_context *ctx)
{
    camera *c = ctx->user;
    int error = c->source->start(c);
    c->heard = sf_flow_now(ctx->flow);
    return error ? fail(ctx, "starting the camera", error) : SF_OK;
}
/* Called when the last reader and the GPU are done with the frame, by the thread that finds that out. */
static void give_back(void *data, void *user)
{
    slot *s = user;
    (void)data;
    int error = s->of->source->queue(s->of, s->number);
    if (error) { atomic_store(&s->of->failed, error); }
    atomic_fetch_sub(&s->of->out, 1);
}
static sf_result no_frame(sf_context *ctx, camera *c)            /* it is tried again at once */
{
    int64_t now = sf_flow_now(ctx->flow);
    if (atomic_load(&c->out) == c->buffers) { c->heard = now; }  /* it has none to fill: that is our delay */
    if (now - c->heard < deadline) { return SF_OK; }
    return sf_fail(ctx, SF_ERROR_USER, "the camera has sent nothing for 2 s");
}
static sf_result camera_compute(sf_context *ctx)
{
    camera *c = ctx->user;
    shot s;
    if (c->frames && c->sent == c->frames) { return SF_DONE; }
    int error = atomic_load(&c->failed);
    if (error) { return fail(ctx, "giving a buffer back", error); }
    error = c->source->dequeue(c, &s);
    if (error == EAGAIN) { return no_frame(ctx, c); }
    if (error == ENODATA) { return SF_DONE; }
    if (error) { return fail(ctx, "waiting for a frame", error); }
    atomic_fetch_add(&c->out, 1);
    c->heard = sf_flow_now(ctx->flow);
    if (c->sent + c->damaged && (int32_t)(s.sequence - c->next) > 0) { c->lost += s.sequence - c->next; }
    c->next = s.sequence + 1;
    sf_tensor *t = s.damaged ? NULL : sf_tensor_wrap(ctx->flow, &(sf_tensor_desc){
        .data = s.data, .shape = { (int64_t)s.bytes }, .memory = c->memory,
        .release = give_back, .user = &c->slots[s.buffer] });
    if (!t) {
        c->damaged += s.damaged;
        give_back(s.data, &c->slots[s.buffer]);
        return s.damaged ? SF_OK : SF_ERROR_USER;
    }
    c->sent++;
    sf_set_timestamp(ctx, s.time);
    sf_set_metadata(ctx, COUNTS, (sf_value){ .u32 = { s.sequence, c->lost, c->damaged } });
    return sf_emit(ctx, 0, t);
}

ISP_STATISTICS_KERNEL

/* Kernels read a buffer where it lies. If they cannot, a copy of it goes to the GPU first. */
static sf_result statistics_compute(sf_context *ctx)
{
    const camera *c = ctx->user;
    isp_args args = c->args;
    sf_tensor *frame = sf_receive(ctx, 0);
    sf_tensor *shown = sf_tensor_create(ctx, 0, NULL), *work = sf_tensor_create(ctx, 1, NULL);
    sf_stream *stream = sf_compute_stream(ctx);
    const uint8_t *raw = frame->data;
    if (c->memory == SF_MEMORY_HOST) {
        sf_tensor *copy = sf_tensor_create(ctx, 2, NULL);
        sf_memcpy_async(stream, copy->data, raw, copy->bytes);
        raw = copy->data;
    }
    args.src = raw + (size_t)args.dark * (size_t)args.stride;
    args.dst = work->data;
    sf_launch(stream, &statistics_kernel, &args, sizeof args);
    sf_memcpy_async(stream, shown->data, work->data, work->bytes);
    return sf_emit(ctx, 0, shown);
}
typedef struct report { const camera *of; int64_t first, least, most; uint32_t frames, lost, damaged; } report;
static int percentile(const isp_statistics *s, uint64_t pixels, uint64_t percent)
{
    int bin = 0;
    for (uint64_t sum = s->bins[0]; sum * 100 < pixels * percent; sum += s->bins[bin]) { bin++; }
    return bin;
}
static sf_result report_compute(sf_context *ctx)                 /* the CPU reads: see `when` below */
{
    report *r = ctx->user;
    isp_args a = r->of->args;
    const isp_statistics *s = a.aux = sf_receive(ctx, 0)->data;
    sf_value counts = { .u64 = 0 };
    const int64_t time = sf_get_timestamp(ctx, 0), age = sf_flow_now(ctx->flow) - time;
    const uint64_t pixels = (uint64_t)a.width * (uint64_t)a.height, tenths = (10 * s->sum + pixels / 2) / pixels;
    sf_get_metadata(ctx, COUNTS, &counts);
    if (counts.u32[1] != r->lost) { printf("%u lost\n", counts.u32[1] - r->lost); }
    if (counts.u32[2] != r->damaged) { printf("%u damaged\n", counts.u32[2] - r->damaged); }
    r->lost = counts.u32[1], r->damaged = counts.u32[2];
    if (!r->frames++) { r->first = time, r->least = r->most = age; }
    r->least = age < r->least ? age : r->least, r->most = age > r->most ? age : r->most;
    printf("frame %u at %.3f s: mean %d.%d, black %d, bins of 1, 50, 99 %%: %d %d %d\n", counts.u32[0],
           (double)(time - r->first) / 1e9, (int)(tenths / 10), (int)(tenths % 10), isp_black(&a),
           percentile(s, pixels, 1), percentile(s, pixels, 50), percentile(s, pixels, 99));
    return SF_OK;
}

/* the flow ------------------------------------------------------------------------------------- */

static sf_flow *flow;
static void on_ctrl_c(int number)
{
    static volatile sig_atomic_t again;
    int before = errno;
    (void)number;
    if (again) { sf_flow_stop(flow); } else { sf_flow_finish(flow); }
    again = 1, errno = before;
}
#ifdef SF_WITH_CUDA_BODIES                       /* in v4l2.cu: page-locks memory that exists. 0 or an error */
int v4l2_lock(void *memory, size_t bytes);
void v4l2_unlock(void *memory);
#else
static int v4l2_lock(void *memory, size_t bytes) { return (void)memory, (void)bytes, 1; }
static void v4l2_unlock(void *memory) { (void)memory; }
#endif
/* So that kernels reach the buffers. Not with each driver: the GPU maps no memory of a device. */
static void lock_buffers(camera *c, bool lock)
{
    for (uint32_t i = 0; i < c->buffers && c->slots[i].data; i++) {
        if (!lock) { v4l2_unlock(c->slots[i].data); continue; }
        if (v4l2_lock(c->slots[i].data, c->slots[i].bytes)) { c->memory = SF_MEMORY_HOST; return; }
    }
}
static bool run(camera *c, sf_device *on)
{
    report r = { .of = c };
    sf_device_info info;
    const bool cuda = sf_device_get_info(on, &info) >= 0 && info.backend == SF_BACKEND_CUDA;
    c->memory = SF_MEMORY_PINNED;
    if (cuda) { lock_buffers(c, true); }
    flow = sf_flow_create(&(sf_flow_desc){
        .name = "v4l2", .device = on, .logger.func = sf_log_stderr, .metadata_entries = 1,
        .workers = { [1] = { .count = 1, .name = "camera" } },   /* it waits: on a thread of its own */
    });
    sf_op a = sf_flow_add(flow, &(sf_op_desc){ .name = "camera", .compute = camera_compute, .start = camera_start,
        .user = c, .workers = 1, .out = {{ .name = "frame" }} });
    sf_op b = sf_flow_add(flow, &(sf_op_desc){ .name = "statistics", .compute = statistics_compute, .user = c,
        .in = {{ .name = "frame", .capacity = 2 }},
        .out = {{ .name = "shown", .bytes = sizeof(isp_statistics), .memory = SF_MEMORY_PINNED },
                { .name = "work", .bytes = sizeof(isp_statistics) },
                { .name = c->memory == SF_MEMORY_HOST ? "copy" : NULL, .bytes = frame_bytes(&c->args) }} });
    sf_op d = sf_flow_add(flow, &(sf_op_desc){ .name = "report", .compute = report_compute, .user = &r,
        .in = {{ .name = "shown" }}, .when = {{ .kind = SF_CONDITION_STREAM }} });
    sf_flow_connect(flow, a, NULL, b, NULL, NULL);
    sf_flow_connect(flow, b, "shown", d, NULL, NULL);
    signal(SIGINT, on_ctrl_c);
    sf_result result = sf_flow_run(flow);
    signal(SIGINT, SIG_DFL);
    printf("%u frames, %u lost, %u damaged\n", r.frames, c->lost, c->damaged);
    if (r.frames && c->source == &device) {      /* of some drivers below 0: they compute the time of a frame */
        printf("reported %.1f to %.1f ms after the driver's timestamp\n", (double)r.least / 1e6, (double)r.most / 1e6);
    }
    sf_flow_destroy(flow);
    const uint32_t out = atomic_load(&c->out);   /* none, or somebody would read what is unmapped now */
    if (out) { (void)complain("%u buffers have not come back", out); }
    if (cuda && !out) { lock_buffers(c, false); }
    return result >= 0 && !out;
}

static bool parse(int argc, char **argv, camera *c, sf_backend *backend)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (*name != '-') { c->path = name; continue; }
        i++;
        int w = 0, h = 0;
        if (!strcmp(name, "--backend") && (!strcmp(value, "host") || !strcmp(value, "cuda"))) {
            *backend = *value == 'h' ? SF_BACKEND_HOST : SF_BACKEND_CUDA;
        } else if (!strcmp(name, "--frames") && *value >= '1' && *value <= '9') { c->frames = strtoull(value, NULL, 10); }
        else if (!strcmp(name, "--format") && strlen(value) == 4) { c->format = value; }
        else if (!strcmp(name, "--stride")) { c->args.stride = atoi(value); }
        else if (!strcmp(name, "--dark")) { c->args.dark = atoi(value); }
        else if (!strcmp(name, "--size") && sscanf(value, "%dx%d", &w, &h) == 2 && w > 0 && h > 0) {
            c->args.width = w, c->args.height = h;
        } else { return complain("usage: see the first comment of v4l2.c"); }
    }
    const int32_t most = 65535, d = c->args.dark, s = c->args.stride;
    return (d >= 0 && d <= most && s >= 0 && s <= 8 * most && c->args.width <= most && c->args.height <= most)
        || complain("--size, --stride, --dark: out of range");
}
int main(int argc, char **argv)
{
    static camera c = { .path = "/dev/video0" };
    sf_backend backend = statistics_kernel.cuda ? SF_BACKEND_AUTO : SF_BACKEND_HOST;
    struct stat is;
    sf_device *on;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!parse(argc, argv, &c, &backend)) { return 2; }
    c.fd = open(c.path, O_RDWR | O_NONBLOCK);    /* without O_NONBLOCK a frame that does not come holds a thread */
    if (c.fd < 0 && errno == EACCES) { c.fd = open(c.path, O_RDONLY); }
    if (c.fd < 0 || fstat(c.fd, &is) < 0) { return complain("%s: %s", c.path, strerror(errno)), 1; }
    c.source = S_ISREG(is.st_mode) ? &file : &device;
    bool good = c.source->open(&c, &is);
    if (good) {
        good = sf_device_open(&(sf_device_desc){ .backend = backend, .logger.func = sf_log_stderr }, &on) >= 0;
        if (good) {
            good = run(&c, on);
            good = sf_device_close(on, deadline) == SF_OK && good;
        }
    }
    c.source->close(&c);
    for (uint32_t i = 0; i < c.buffers && c.slots[i].data && !atomic_load(&c.out); i++) {
        munmap(c.slots[i].data, c.slots[i].bytes);
    }
    return close(c.fd) < 0 || !good;
}
