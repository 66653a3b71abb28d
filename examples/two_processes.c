/* two_processes.c: a camera in one process, an image signal processor in another, a link between them. Either may be
   killed and started again while the other goes on; the pictures stay right.

   cc -O2 -pthread -ffp-contract=off -DSF_WITH_UCX two_processes.c -lm     (libucx-dev; at run time libucx0)
   ./a.out [--backend host|cuda] [--seconds N] [--calm]       starts both; kills each once, unless --calm
   It reads data/ beside the program, or in the folder where it is started, or in examples/ there. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include "camera_isp.h"

enum { WIDTH = 512, HEIGHT = 384, PIXELS = WIDTH * HEIGHT, RAW = PIXELS * 5 / 4, RGB = PIXELS * 3, SHOTS = 4 };
enum { NUMBER = 1 };                                             /* a frame's metadata: its number */
extern char **environ;
static sf_flow *flow;

/* -- the camera: frames of a file, 60 a second, whether anybody takes them or not -- */

static uint8_t shots[SHOTS][RAW];
static sf_result expose(sf_context *ctx)
{
    sf_tensor *frame = sf_tensor_create(ctx, 0, NULL);
    memcpy(frame->data, shots[ctx->run % SHOTS], RAW);
    sf_set_metadata(ctx, NUMBER, (sf_value){ .u64 = ctx->run });
    sf_set_timestamp(ctx, sf_flow_now(ctx->flow));
    return sf_emit(ctx, 0, frame);
}

/* -- the ISP: unpack, balance, demosaic, colour -- */

#define BODY(kernel)                                                                                          \
    static int kernel##_host(const sf_slice *slice, const void *p)                                            \
    {                                                                                                         \
        const isp_args *a = p;                                                                                \
        for (ptrdiff_t y = sf_slice_begin(slice, a->height); y < sf_slice_end(slice, a->height); y++) {       \
            for (int x = 0; x < a->width; x++) { isp_##kernel(a, x, (int)y); }                                \
        }                                                                                                     \
        return 0;                                                                                             \
    }                                                                                                         \
    int kernel##_cuda(void *stream, const void *args);           /* in camera_isp.cu */                       \
    static const sf_kernel kernel = {                                                                         \
        .name = #kernel, .host = kernel##_host, .cuda = SF_CUDA_BODY(kernel##_cuda), .slices = 8,             \
    };
BODY(unpack) BODY(balance) BODY(differences) BODY(green) BODY(chroma) BODY(colour)

static isp_args shared = { .width = WIDTH, .height = HEIGHT };
static void set_curves(void)
{
    const double gains[3] = { 1.9, 1, 1.6 };
    isp_set_format(&shared, ISP_RAW10, 10);
    for (int c = 0; c < 3; c++) { shared.gain[c] = isp_gain(&shared, gains[c]); }
    isp_make_srgb(shared.srgb);
}
typedef struct { const char *name; const sf_kernel *kernels[4]; size_t bytes; sf_memory memory; } stage;
static const stage stages[] = {
    { "unpack", { &unpack }, PIXELS * 2, SF_MEMORY_DEVICE },
    { "balance", { &balance }, PIXELS * 2, SF_MEMORY_DEVICE },
    { "demosaic", { &differences, &green, &chroma }, PIXELS * 6, SF_MEMORY_DEVICE },
    { "colour", { &colour }, RGB, SF_MEMORY_PINNED },
};
static sf_result process(sf_context *ctx)
{
    const stage *s = ctx->user;
    sf_tensor *in = sf_receive(ctx, 0), *out = sf_tensor_create(ctx, 0, NULL);
    isp_args args = shared;
    args.src = in->data;
    args.dst = out->data;
    for (int i = 0; s->kernels[i]; i++) { sf_launch(sf_compute_stream(ctx), s->kernels[i], &args, sizeof args); }
    return sf_emit(ctx, 0, out);
}
/* A picture is right if it is each time the same, byte for byte, and the first one close to the truth. */
static uint8_t truth[RGB], first[SHOTS][RGB];
static uint64_t pictures, wrong, known[SHOTS];
static sf_result show(sf_context *ctx)
{
    const uint8_t *picture = sf_receive(ctx, 0)->data;
    sf_value number = { .u64 = 0 };
    double sum = 0;
    bool told = sf_get_metadata(ctx, NUMBER, &number);
    const uint64_t shot = number.u64 % SHOTS;
    if (!known[shot]++) { memcpy(first[shot], picture, RGB); }
    for (int i = 0; i < RGB; i++) { sum += (picture[i] - truth[i]) * (picture[i] - truth[i]); }
    pictures++;
    wrong += !told || memcmp(first[shot], picture, RGB) || (!shot && 10 * log10(255.0 * 255 * RGB / sum) < 33);
    return SF_OK;
}

/* -- the two flows -- */

static sf_peer add_peer(bool listen)                             /* the same on both sides, but who listens */
{
    return sf_flow_add_peer(flow, &(sf_peer_desc){
        .name = "frames", .address = getenv("TWO_ADDRESS"), .token = getenv("TWO_TOKEN"), .listen = listen,
        .on_lost = SF_ON_LOST_WAIT,
    });
}
static const sf_link_desc link_desc = { .overflow = SF_OVERFLOW_DROP_OLDEST, .capacity = 2, .bytes = RAW };
static void build_camera(void)
{
    sf_op camera = sf_flow_add(flow, &(sf_op_desc){
        .name = "camera", .compute = expose, .period = SF_HZ(60),
        .out = {{ .name = "raw", .bytes = RAW, .memory = SF_MEMORY_PINNED }},
    });
    sf_flow_link(flow, camera, "raw", add_peer(false), &link_desc);
}
static void build_isp(void)
{
    sf_op before = { 0 };
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        sf_op op = sf_flow_add(flow, &(sf_op_desc){
            .name = stages[i].name, .compute = process, .user = (void *)&stages[i], .in = {{ .name = "raw" }},
            .out = {{ .name = "out", .bytes = stages[i].bytes, .memory = stages[i].memory }},
        });
        if (i) {
            sf_flow_connect(flow, before, "out", op, "raw", NULL);
        } else {
            sf_flow_link_from(flow, add_peer(true), op, "raw", &link_desc);
        }
        before = op;
    }
    sf_op screen = sf_flow_add(flow, &(sf_op_desc){
        .name = "screen", .compute = show, .in = {{ .name = "in" }}, .when = {{ .kind = SF_CONDITION_STREAM }},
    });
    sf_flow_connect(flow, before, "out", screen, "in", NULL);
}
static void finish(int number)                                   /* SIGTERM: end behind what is under way */
{
    (void)number;
    sf_flow_finish(flow);
}
/* The last bytes of a file of examples/data: beside the program, or where it is started. */
static bool read_file(const char *folder, const char *name, void *to, size_t bytes)
{
    const char *const folders[] = { folder, "", "examples/" };
    FILE *file = NULL;
    for (int i = 0; i < 3 && !file; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%sdata/%s", folders[i], name);
        file = fopen(path, "rb");
    }
    bool good = file && !fseek(file, -(long)bytes, SEEK_END) && fread(to, 1, bytes, file) == bytes;
    if (file) { fclose(file); }
    if (!good) { fprintf(stderr, "two_processes: data/%s cannot be read\n", name); }
    return good;
}
static int run(bool camera, const char *folder, sf_backend backend)
{
    flow = sf_flow_create(&(sf_flow_desc){
        .name = camera ? "camera" : "isp", .backend = backend, .metadata_entries = 1, .logger.func = sf_log_stderr,
    });
    bool good = camera ? read_file(folder, "frames_512x384_rggb_raw10.bin", shots, sizeof shots)
                       : read_file(folder, "astronaut_512x384_truth.ppm", truth, RGB);
    if (!good) { return 1; }
    set_curves();
    if (camera) { build_camera(); } else { build_isp(); }
    signal(SIGTERM, finish);
    sf_result r = sf_flow_run(flow);
    if (r < 0) { fprintf(stderr, "%s\n", sf_flow_failure(flow)->text); }
    sf_flow_destroy(flow);
    if (!camera && r >= 0) {
        fprintf(stderr, "isp: %llu pictures\n", (unsigned long long)pictures);
        puts(wrong ? "pictures are wrong" : pictures ? "no picture is wrong" : "no picture came");
    }
    return r == SF_ERROR_NOT_SUPPORTED ? 77 : r < 0 || wrong || (!camera && !pictures);
}

/* -- the process that starts both -- */

static pid_t start(char **argv, const char *role)
{
    pid_t child = -1;
    char *args[8] = { argv[0], (char *)(uintptr_t)role };
    for (int i = 1; argv[i] && i < 6; i++) { args[i + 1] = argv[i]; }
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ)) { perror("two_processes"); }
    return child;
}
static void wait_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}
static pid_t restart(char **argv, const char *role, pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    printf("%s: killed and started again\n", role);
    fflush(stdout);
    return start(argv, role);
}
static int start_both(char **argv, double seconds, bool calm)
{
    char token[33], address[32];
    unsigned char random[16] = { 0 };
    int camera_status = 0, isp_status = 0;
    FILE *source = fopen("/dev/urandom", "rb");
    if (!source || fread(random, sizeof random, 1, source) != 1) { return perror("two_processes"), 1; }
    fclose(source);
    for (int i = 0; i < 16; i++) { snprintf(token + 2 * i, 3, "%02x", random[i]); }
    const int port = 20000 + (random[0] << 8 | random[1]) % 12000;       /* from 32768 Linux gives them to connections */
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    setenv("TWO_TOKEN", token, 1);                               /* not an argument: those are for everybody to read */
    setenv("TWO_ADDRESS", address, 1);
    pid_t isp = start(argv, "isp"), camera = start(argv, "camera");
    for (int i = 0; i < 2 && !calm; i++) {
        wait_ms((long)(seconds * 333));
        if (i) { camera = restart(argv, "camera", camera); } else { isp = restart(argv, "isp", isp); }
    }
    wait_ms((long)(seconds * (calm ? 1000 : 334)));
    kill(camera, SIGTERM);
    waitpid(camera, &camera_status, 0);
    waitpid(isp, &isp_status, 0);
    if (WIFEXITED(camera_status) && WEXITSTATUS(camera_status) == 77) { return 77; }
    return camera_status || isp_status;
}
int main(int argc, char **argv)
{
    const char *name = argv[0], *slash = strrchr(name, '/'), *role = "";
    sf_backend backend = SF_BACKEND_HOST;
    double seconds = 6;
    bool calm = false;
    char folder[512];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name) + 1 : 0, name);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "camera") || !strcmp(argv[i], "isp")) { role = argv[i]; }
        if (!strcmp(argv[i], "--calm")) { calm = true; }
        if (!strcmp(argv[i], "--backend") && argv[i + 1]) {
            backend = strcmp(argv[i + 1], "cuda") ? SF_BACKEND_HOST : SF_BACKEND_CUDA;
        }
        if (!strcmp(argv[i], "--seconds") && argv[i + 1]) { seconds = atof(argv[i + 1]); }
    }
    return *role ? run(*role == 'c', folder, backend) : start_both(argv, seconds, calm);
}
