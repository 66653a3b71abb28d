/* resident_sensor.c: a sensor that writes into the GPU's memory by itself, and a loop on the GPU that sees when it
   has. No CPU is between the two. Here a kernel on another stream plays the sensor, or the copy engine does; a real
   one is a network card or a frame grabber. It puts frame n into a ring, at n % DEPTH, and then says so, in one of
   two ways:

   counter   it counts up a word next to the ring, as most hardware does. The loop has a data-ready handler, an
             operator that compares this count with how far the loop has come; it runs again and again, on the GPU.
   mark      the kernel that makes the frame calls sf_resident_mark_data_ready_dev(). Each mark is one iteration, so
             the iteration's number is the frame's. (After a copy, a launch of the same kernel does only that.)

   The CPU only reads the results, and checks every frame; and it plays the trigger: a frame is exposed when the one
   that lies in its place has been read. A sensor that waits for nobody may overtake the loop. Then the handler would
   take the newest frame instead of the next, and look at the count again when the frame has been worked on.

   cc -O2 -pthread resident_sensor.c -lm          and with the CUDA bodies of its kernels: see resident_sensor.cu
   ./a.out [--backend host | cuda] [--sensor kernel | copy] [--way counter | mark]    default: both, in both ways */
#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <stdio.h>
#include <string.h>

enum { FRAME = 64 * 1024, DEPTH = 4, FRAMES = 100 };

typedef struct { uint64_t arrived, taken; } counters;           /* the sensor's, the loop's: each writes its own */
typedef struct { uint64_t number; uint8_t pixels[FRAME]; } picture;
static uint8_t pixel(uint64_t n, uint64_t i) { return (uint8_t)((n * 31 + i) * 2654435761u >> 24); }

/* -- kernels -- */

typedef struct { uint8_t *ring; counters *count; sf_resident_control *mark; uint64_t number; } sensor_args;
static int sensor_host(const sf_slice *s, const void *p)
{
    const sensor_args *a = p;
    (void)s;
    for (uint64_t i = 0; a->ring && i < FRAME; i++) { a->ring[a->number % DEPTH * FRAME + i] = pixel(a->number, i); }
    if (a->mark) {
        sf_resident_mark_data_ready(a->mark);
    } else {
        __atomic_store_n(&a->count->arrived, a->number, __ATOMIC_RELEASE);     /* the frame's bytes come first */
    }
    return 0;
}
typedef struct { uint64_t *number; const counters *count; sf_resident_control *control; } number_args;
static int compare_host(const sf_slice *s, const void *p)
{
    const number_args *a = p;
    (void)s;
    if (__atomic_load_n(&a->count->arrived, __ATOMIC_ACQUIRE) > a->count->taken) {
        *a->number = a->count->taken + 1;
        sf_resident_mark_data_ready(a->control);                /* not marked is not ready */
    }
    return 0;
}
static int iteration_host(const sf_slice *s, const void *p)
{
    const number_args *a = p;
    (void)s;
    *a->number = sf_resident_iteration(a->control);
    return 0;
}
typedef struct { picture *out; const uint64_t *number; const uint8_t *ring; counters *count; } invert_args;
static int invert_host(const sf_slice *s, const void *p)
{
    const invert_args *a = p;
    const uint8_t *frame = a->ring + *a->number % DEPTH * FRAME;
    for (ptrdiff_t i = sf_slice_begin(s, FRAME); i < sf_slice_end(s, FRAME); i++) {
        a->out->pixels[i] = (uint8_t)(255 - frame[i]);
    }
    if (s->index == 0) { a->out->number = a->count->taken = *a->number; }
    return 0;
}
int sensor_cuda(void *stream, const void *args), compare_cuda(void *stream, const void *args);
int iteration_cuda(void *stream, const void *args), invert_cuda(void *stream, const void *args);
static const sf_kernel sensor = { .name = "sensor", .host = sensor_host, .cuda = SF_CUDA_BODY(sensor_cuda) };
static const sf_kernel compare = { .name = "compare", .host = compare_host, .cuda = SF_CUDA_BODY(compare_cuda) };
static const sf_kernel iteration = {
    .name = "iteration", .host = iteration_host, .cuda = SF_CUDA_BODY(iteration_cuda) };
static const sf_kernel invert = {
    .name = "invert", .host = invert_host, .cuda = SF_CUDA_BODY(invert_cuda), .slices = 4 };

/* -- the loop: which frame is next -> work on it -- */

typedef struct camera {
    sf_device *device;
    sf_stream *stream;                                          /* the sensor's: the loop has its own */
    uint8_t *ring, *film;                                       /* film: what the copy engine copies, page-locked */
    counters *count;
    sf_resident_control *control;
    bool copies, marks;
} camera;

static sf_result next_frame(sf_context *ctx)
{
    camera *cam = ctx->user;
    sf_tensor *number = sf_tensor_create(ctx, 0, NULL);
    number_args args = { number->data, cam->count, cam->control };
    sf_launch(sf_compute_stream(ctx), cam->marks ? &iteration : &compare, &args, sizeof args);
    return sf_emit(ctx, 0, number);
}
static sf_result work(sf_context *ctx)
{
    camera *cam = ctx->user;
    sf_tensor *number = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    invert_args args = { out->data, number->data, cam->ring, cam->count };
    sf_launch(sf_compute_stream(ctx), &invert, &args, sizeof args);
    return sf_emit(ctx, 0, out);
}

/* -- the sensor -- */

static sf_result expose(camera *cam, uint64_t n)
{
    sensor_args args = { cam->ring, cam->count, cam->marks ? cam->control : NULL, n };
    if (cam->copies) {
        uint8_t *film = cam->film + n % DEPTH * FRAME;
        for (uint64_t i = 0; i < FRAME; i++) { film[i] = pixel(n, i); }
        sf_result r = sf_memcpy_async(cam->stream, cam->ring + n % DEPTH * FRAME, film, FRAME);
        if (r < 0) { return r; }
        if (!cam->marks) { return sf_stream_write_value(cam->stream, &cam->count->arrived, 8, n, 0); }
        args.ring = NULL;                                       /* the frame is there: only the mark is missing */
    }
    return sf_launch(cam->stream, &sensor, &args, sizeof args);
}
static sf_result set_up(camera *cam)
{
    void *ring, *film, *count;
    sf_result r = sf_stream_create(cam->device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &cam->stream);
    if (r >= 0) { r = sf_mem_alloc(cam->device, DEPTH * FRAME, SF_MEMORY_DEVICE, &ring); }
    if (r >= 0) { r = sf_mem_alloc(cam->device, DEPTH * FRAME, SF_MEMORY_PINNED, &film); }
    if (r >= 0) { r = sf_mem_alloc(cam->device, sizeof(counters), SF_MEMORY_DEVICE, &count); }
    if (r < 0) { return r; }
    cam->ring = ring, cam->film = film, cam->count = count;
    return SF_OK;
}
/* Nothing has arrived. And CUDA loads a kernel when it is first launched, which may have to wait until the GPU is
   idle: with a loop on it that is never. So the sensor's runs once before; the loop's own are the library's care. */
static sf_result reset(camera *cam)
{
    sensor_args dark = { cam->ring, cam->count, NULL, 0 };
    sf_result r = sf_memset_async(cam->stream, cam->count, 0, sizeof(counters));
    if (r >= 0) { r = sf_launch(cam->stream, &sensor, &dark, sizeof dark); }
    return r < 0 ? r : sf_stream_synchronize(cam->stream, SF_MS(10000));
}

/* -- all frames, in one way -- */

static bool frame_is_right(sf_resident *loop, sf_op sink, uint64_t n)
{
    sf_resident_slot s;
    if (sf_resident_result(loop, sink, n, SF_MS(10000), &s) != SF_OK) { return false; }
    const picture *out = s.data[0];
    uint64_t good = 0;
    while (good < FRAME && out->pixels[good] == 255 - pixel(n, good)) { good++; }
    bool right = out->number == n && good == FRAME;
    return sf_resident_release(loop, &s) >= 0 && right;
}
static bool run(camera *cam, bool copies, bool marks)
{
    uint64_t right = 0;
    sf_resident *loop = sf_resident_create(&(sf_resident_desc){
        .device = cam->device, .slots = DEPTH, .logger.func = sf_log_stderr });
    cam->copies = copies, cam->marks = marks, cam->control = sf_resident_get_control(loop);
    sf_op first = sf_resident_add(loop, &(sf_op_desc){
        .name = marks ? "iteration" : "compare", .compute = next_frame, .user = cam,
        .out = {{ .name = "number", .bytes = sizeof(uint64_t) }},
    });
    sf_op last = sf_resident_add(loop, &(sf_op_desc){
        .name = "work", .compute = work, .user = cam, .in = {{ .name = "number" , .bytes = sizeof(uint64_t) }},
        .out = {{ .name = "picture", .bytes = sizeof(picture), .external = true }},
    });
    sf_resident_connect(loop, first, "number", last, "number", NULL);
    if (!marks) { sf_resident_register_data_ready_handler(loop, first); }

    bool good = reset(cam) == SF_OK && sf_resident_launch(loop) >= 0;
    for (uint64_t n = 1; n <= FRAMES + DEPTH && good; n++) {
        if (n > DEPTH) { right += frame_is_right(loop, last, n - DEPTH); }     /* its place in the ring is free ... */
        good = right + DEPTH >= n && (n > FRAMES || expose(cam, n) >= 0);       /* ... for this one */
    }
    good = sf_stream_synchronize(cam->stream, SF_MS(10000)) == SF_OK && good;      /* the sensor reads the control */
    good = sf_resident_destroy(loop) >= 0 && good && right == FRAMES;
    printf("%s, %s: %d of %d frames are right\n", copies ? "copy engine" : "kernel", marks ? "mark" : "counter",
           (int)right, FRAMES);
    return good;
}

int main(int argc, char **argv)
{
    const char *backend = "host", *by = "", *way = "";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--backend")) { backend = argv[i + 1]; }
        if (!strcmp(argv[i], "--sensor")) { by = argv[i + 1]; }
        if (!strcmp(argv[i], "--way")) { way = argv[i + 1]; }
    }
    camera cam = { .copies = false };
    bool good = sf_device_open(&(sf_device_desc){
        .backend = !strcmp(backend, "cuda") ? SF_BACKEND_CUDA : SF_BACKEND_HOST,
        .logger.func = sf_log_stderr }, &cam.device) >= 0;
    if (!good) { return 1; }
    good = set_up(&cam) >= 0;
    for (int i = 0; i < 4 && good; i++) {
        bool copies = i & 1, marks = i >> 1;
        if ((*by && copies != !strcmp(by, "copy")) || (*way && marks != !strcmp(way, "mark"))) { continue; }
        good = run(&cam, copies, marks);
    }
    return sf_device_close(cam.device, SF_MS(10000)) != SF_OK || !good; /* memory and stream go with it */
}
