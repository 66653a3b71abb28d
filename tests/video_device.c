/*  video_device.c - a V4L2 driver that is played, to be preloaded into examples/v4l2 on /dev/zero: it answers ioctl(),
    poll() and mmap(). Frame n is grey n * 37 % 251 everywhere, padding is 255. A buffer that comes back is overwritten
    at once, which shows a reader that is not done. At the end it says on stderr what it saw.

    DEVICE: words. GREY, YUYV, pBAA: formats that it has. pad=N: bytes behind each line. buffers=N: what it gives at
    most. wall: stamps of another clock. old: no device_caps, and formats are refused. planes: multi-planar. At frame N:
    gap@N drops it, error@N flags it, short@N lacks its last line, eio@N and unplugged@N end it, silent@N sends no
    more. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8, WIDTH = 64, HEIGHT = 48, BASE = 1 << 20 };
enum { HELD, QUEUED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct v4l2_pix_format format = { .width = WIDTH, .height = HEIGHT, .pixelformat = V4L2_PIX_FMT_RGB24 };
static struct { uint8_t *data; int state; uint64_t since; } buffers[MOST];
static uint32_t count, sequence;
static uint64_t queues;
static bool on;
static struct { int dequeued, queued, wrong, mapped, unmapped; } seen;

static bool word(const char *name, uint32_t *number)         /* "name" or "nameN" is there */
{
    const char *at = getenv("DEVICE");
    size_t length = strlen(name);
    while (at && (at = strstr(at, name))) {
        if (number) { *number = (uint32_t)strtoul(at + length, NULL, 10); }
        return true;
    }
    return false;
}
static bool event(const char *name, uint32_t frame)          /* name@frame is there */
{
    char text[32];
    const char *at = getenv("DEVICE");
    int length = snprintf(text, sizeof text, "%s@%u", name, frame);
    while (at && (at = strstr(at, text))) {
        at += length;
        if (*at < '0' || *at > '9') { return true; }
    }
    return false;
}
static bool has(uint32_t fourcc)
{
    char text[5] = { 0 };
    memcpy(text, &fourcc, 4);
    return word(text, NULL);
}
static void lay_out(void)                                    /* the bytes of a line and of a frame */
{
    uint32_t pad = 0, f = format.pixelformat;
    word("pad=", &pad);
    format.width = WIDTH, format.height = HEIGHT;
    format.bytesperline = pad + (f == V4L2_PIX_FMT_YUYV ? 2 : 1) * WIDTH;
    if (f == V4L2_PIX_FMT_SBGGR10P) { format.bytesperline += WIDTH / 4; }
    format.sizeimage = format.bytesperline * HEIGHT;
}
static void fill(uint8_t *data)
{
    const uint8_t grey = (uint8_t)(sequence * 37 % 251);
    memset(data, 255, format.sizeimage);
    for (uint32_t y = 0; y < HEIGHT; y++) {
        uint8_t *line = data + y * format.bytesperline;
        for (uint32_t x = 0; x < WIDTH; x++) {
            switch (format.pixelformat) {
            case V4L2_PIX_FMT_YUYV: line[2 * x] = grey, line[2 * x + 1] = (uint8_t)x; break;
            case V4L2_PIX_FMT_SBGGR10P: line[x / 4 * 5 + x % 4] = grey, line[x / 4 * 5 + 4] = 0; break;
            default: line[x] = grey; break;
            }
        }
    }
}
static int next_queued(void)                                 /* the one that was queued first; -1: none */
{
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (buffers[i].state == QUEUED && (best < 0 || buffers[i].since < buffers[best].since)) { best = (int)i; }
    }
    return best;
}
static int dequeue(struct v4l2_buffer *b)
{
    if (event("unplugged", sequence)) { return ENODEV; }
    if (event("eio", sequence)) { return EIO; }
    int i = next_queued();
    if (!on || i < 0 || event("silent", sequence)) { return EAGAIN; }
    while (event("gap", sequence)) { sequence++; }
    fill(buffers[i].data);
    buffers[i].state = HELD;
    seen.dequeued++;
    struct timespec now;
    clock_gettime(word("wall", NULL) ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    b->index = (uint32_t)i;
    b->sequence = sequence;
    b->bytesused = format.sizeimage - (event("short", sequence) ? format.bytesperline : 0);
    b->flags = (word("wall", NULL) ? V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN : V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
             | (event("error", sequence) ? (uint32_t)V4L2_BUF_FLAG_ERROR : 0);
    b->timestamp.tv_sec = now.tv_sec, b->timestamp.tv_usec = now.tv_nsec / 1000;
    sequence++;
    return 0;
}
static int queue(const struct v4l2_buffer *b)
{
    if (b->index >= count || buffers[b->index].state == QUEUED) { return seen.wrong++, EINVAL; }
    memset(buffers[b->index].data, 0xee, format.sizeimage);  /* the hardware may begin at once */
    buffers[b->index].state = QUEUED;
    buffers[b->index].since = ++queues;
    return seen.queued++, 0;
}
static int answer(unsigned long request, void *p)
{
    struct v4l2_format *f = p;
    struct v4l2_buffer *b = p;
    struct v4l2_capability *c = p;
    struct v4l2_requestbuffers *r = p;
    switch (request) {
    case VIDIOC_QUERYCAP:
        memset(c, 0, sizeof *c);
        strcpy((char *)c->driver, "played");
        c->device_caps = word("planes", NULL) ? V4L2_CAP_VIDEO_CAPTURE_MPLANE : V4L2_CAP_VIDEO_CAPTURE;
        c->device_caps |= V4L2_CAP_STREAMING;
        c->capabilities = c->device_caps;
        if (!word("old", NULL)) { c->capabilities |= V4L2_CAP_DEVICE_CAPS | V4L2_CAP_VIDEO_CAPTURE; }
        if (word("old", NULL)) { c->device_caps = 0; }
        return 0;
    case VIDIOC_S_FMT:                                       /* what it does not have becomes another one, or EINVAL */
        if (word("old", NULL) && !has(f->fmt.pix.pixelformat)) { return EINVAL; }
        if (f->fmt.pix.bytesperline) { return seen.wrong++, EINVAL; }
        if (has(f->fmt.pix.pixelformat)) { format.pixelformat = f->fmt.pix.pixelformat; }
        /* fall through */
    case VIDIOC_G_FMT:
        lay_out();
        f->fmt.pix = format;
        return 0;
    case VIDIOC_REQBUFS:
        count = r->count < MOST ? r->count : MOST;
        if (word("buffers=", &count)) { r->count = count; }
        return 0;
    case VIDIOC_QUERYBUF:
        b->length = (format.sizeimage + 4095) / 4096 * 4096;
        b->m.offset = BASE + b->index * BASE;
        return b->index < count ? 0 : EINVAL;
    case VIDIOC_QBUF: return queue(b);
    case VIDIOC_DQBUF: return dequeue(b);
    case VIDIOC_STREAMON: return on ? EBUSY : (on = true, 0);
    case VIDIOC_STREAMOFF: return on = false, 0;
    default: return seen.wrong++, ENOTTY;
    }
}
int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *p = va_arg(args, void *);
    va_end(args);
    if ((request >> 8 & 255) != 'V') { return (int)syscall(SYS_ioctl, fd, request, p); }
    pthread_mutex_lock(&lock);
    int error = answer(request, p);
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    if (n != 1 || !count) { return (int)syscall(SYS_poll, fds, n, timeout); }
    pthread_mutex_lock(&lock);
    bool ends = event("eio", sequence) || event("unplugged", sequence);
    bool there = next_queued() >= 0 && !event("silent", sequence);
    pthread_mutex_unlock(&lock);
    fds->revents = ends ? POLLERR : there ? POLLIN : 0;
    usleep(ends || there ? 200 : (useconds_t)timeout * 1000);
    return ends || there;
}
void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (fd < 0 || !count || offset < BASE) {
        return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
    }
    void *p = (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    seen.mapped++;
    return buffers[offset / BASE - 1].data = p;
}
int munmap(void *p, size_t bytes)
{
    for (uint32_t i = 0; i < count; i++) { seen.unmapped += p == buffers[i].data; }
    return (int)syscall(SYS_munmap, p, bytes);
}
static void __attribute__((destructor)) say(void)
{
    const bool all = seen.queued == seen.dequeued + (int)count;
    fprintf(stderr, "device: %d wrong calls, %d of %d buffers unmapped, %s, %s\n", seen.wrong, seen.unmapped,
            seen.mapped, on ? "streaming" : "off", all ? "all came back" : "buffers are missing");
}
