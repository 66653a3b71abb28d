/* resident_supervisor.c: a loop on the GPU, and a parent that starts it again when the GPU lets it down. What may go
   wrong, and what has to be new then:

   an operator raises      sf_resident_raise(): its iteration is published with the code as its status, then the loop
                           ends. What was queued stays: sf_resident_launch() goes on with it. (Frame 5 here.)
   it was stopped          by sf_resident_tear_down() or timeout_ms: sf_resident_launch(), as above.
   a stall that ends       an operator took longer than stall_timeout: SF_ERROR_STALLED names it. The loop is of no
                           more use, but all else is: sf_resident_destroy() it, create another, in this process.
   a stall that does not   nobody can take a kernel off a GPU. sf_resident_destroy() says SF_TIMEOUT and leaves behind
                           what the kernel may still use: a new process.
   a fault                 a trap, an address that is none: CUDA gives up the process's context, with its memory, and
                           every later call fails: a new process. (Frame 12 here. A host device would do after
                           sf_device_reset().)

   So what may fault lives in a child, and what has to outlive it in the parent, which never touches the GPU. The
   child reports each frame when its result is there; one in flight, so the frame behind the last report is the one
   to give up. (With more in flight, start again with the first unreported, and give it up if it is the first twice.)
   A child that is silent for too long is killed.

   cc -O2 -pthread resident_supervisor.c -lm      and with the CUDA body: see resident_supervisor.cu
   ./a.out [--backend host | cuda] [--frames 20] [--raise 5] [--fault 12]        0: none */
#define STREAMFLOW_IMPLEMENTATION
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIXELS = 4096, SILENCE_MS = 60000 };
enum { EXIT_FAULT = 1, EXIT_NO_START = 2 };
typedef struct { uint64_t number; uint8_t pixels[PIXELS]; } frame;
typedef struct { uint64_t number, sum; int32_t status; } report;         /* from the child to its parent */
typedef struct { const char *program, *backend; uint64_t child, frames, raise, fault; } options;

static uint8_t pixel(uint64_t n, int i) { return (uint8_t)((n * 31 + (uint64_t)i) * 2654435761u >> 24); }

/* -- the loop: one operator, which has two bad days -- */

typedef struct { uint64_t *sum; const frame *in; sf_resident_control *control; uint64_t raise, fault; } measure_args;
static int measure_host(const sf_slice *s, const void *p)
{
    const measure_args *a = p;
    uint64_t sum = 0;
    (void)s;
    if (a->in->number == a->fault) { return -SF_ERROR_LAUNCH_FAILED; }  /* CUDA's code: as a trap on a GPU */
    if (a->in->number == a->raise) { sf_resident_raise(a->control, SF_ERROR_USER); }
    for (int i = 0; i < PIXELS; i++) { sum += a->in->pixels[i]; }
    *a->sum = sum;
    return 0;
}
int measure_cuda(void *stream, const void *args);                       /* in resident_supervisor.cu */
static const sf_kernel measure = { .name = "measure", .host = measure_host, .cuda = SF_CUDA_BODY(measure_cuda) };

typedef struct { sf_resident *loop; const options *with; } child_state;
static sf_result measure_compute(sf_context *ctx)
{
    const child_state *c = ctx->user;
    sf_tensor *in = sf_receive(ctx, 0), *sum = sf_tensor_create(ctx, 0, NULL);
    measure_args args = { sum->data, in->data, sf_resident_get_control(c->loop), c->with->raise, c->with->fault };
    sf_launch(sf_compute_stream(ctx), &measure, &args, sizeof args);
    return sf_emit(ctx, 0, sum);
}

/* -- the child -- */

static sf_result process(sf_resident *loop, sf_op op, uint64_t n)
{
    sf_resident_slot s;
    sf_result r = sf_resident_acquire(loop, op, SF_MS(10000), &s);
    if (r != SF_OK) { return r; }
    frame *in = s.data[0];
    in->number = n;
    for (int i = 0; i < PIXELS; i++) { in->pixels[i] = pixel(n, i); }
    r = sf_resident_submit(loop, &s);
    if (r == SF_OK) { r = sf_resident_result(loop, op, s.sequence, SF_MS(10000), &s); }
    if (r != SF_OK) { return r; }

    report done = { n, *(const uint64_t *)s.data[0], s.status };
    if (write(STDOUT_FILENO, &done, sizeof done) != sizeof done) { return SF_ERROR_USER; }      /* no parent */
    r = sf_resident_release(loop, &s);
    if (done.status < 0) {                                              /* raised: it has ended, cleanly */
        sf_result how = sf_resident_wait(loop, SF_MS(10000));
        r = how == done.status ? sf_resident_launch(loop) : how;
    }
    return r;
}
static int child(const options *with)
{
    child_state state = { NULL, with };
    sf_resident *loop = state.loop = sf_resident_create(&(sf_resident_desc){
        .backend = !strcmp(with->backend, "cuda") ? SF_BACKEND_CUDA : SF_BACKEND_HOST,
        .loop = SF_RESIDENT_LOOP_EXACT });                              /* others end with a pass over old frames */
    sf_op op = sf_resident_add(loop, &(sf_op_desc){
        .name = "measure", .compute = measure_compute, .user = &state,
        .in = {{ .name = "frame", .bytes = sizeof(frame), .external = true }},
        .out = {{ .name = "sum", .bytes = sizeof(uint64_t), .external = true }},
    });
    sf_result r = sf_resident_launch(loop);
    int status = r < 0 ? EXIT_NO_START : 0;
    for (uint64_t n = with->child; n <= with->frames && r == SF_OK; n++) { r = process(loop, op, n); }
    if (r != SF_OK) { fprintf(stderr, "child: %s: %s\n", sf_result_string(r), sf_resident_failure(loop)->text); }
    sf_resident_destroy(loop);                                          /* repeats what went wrong, if anything did */
    return status ? status : r == SF_OK ? 0 : EXIT_FAULT;
}

/* -- the parent -- */

typedef struct { uint64_t next, right, raised, lost; } progress;

static void take(progress *at, const report *done)
{
    uint64_t sum = 0;
    for (int i = 0; i < PIXELS; i++) { sum += pixel(done->number, i); }
    if (done->number != at->next) { return; }
    at->next++;
    if (done->status < 0) {
        at->raised++;
        printf("frame %d: raised; the loop was launched again\n", (int)done->number);
    } else {
        at->right += done->sum == sum;
    }
}
/* Starts a child and reads its reports to their end. Returns how it ended: its exit status. */
static int watch(const options *with, progress *at)
{
    char first[24], frames[24], raise[24], fault[24];
    int ends[2], status = 0;
    snprintf(first, sizeof first, "%llu", (unsigned long long)at->next);
    snprintf(frames, sizeof frames, "%llu", (unsigned long long)with->frames);
    snprintf(raise, sizeof raise, "%llu", (unsigned long long)with->raise);
    snprintf(fault, sizeof fault, "%llu", (unsigned long long)with->fault);
    fflush(stdout);
    if (pipe(ends) < 0) { return EXIT_NO_START; }
    pid_t id = fork();
    if (id == 0) {                                                      /* fork alone would not do: CUDA needs exec */
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]), close(ends[1]);
        execlp(with->program, with->program, "--child", first, "--backend", with->backend, "--frames", frames,
               "--raise", raise, "--fault", fault, (char *)NULL);
        _exit(EXIT_NO_START);
    }
    close(ends[1]);
    report done;
    struct pollfd readable = { .fd = ends[0], .events = POLLIN };
    int heard = id < 0 ? 0 : poll(&readable, 1, SILENCE_MS);
    while (heard == 1 && read(ends[0], &done, sizeof done) == sizeof done) {
        take(at, &done);
        heard = poll(&readable, 1, SILENCE_MS);
    }
    close(ends[0]);
    if (id < 0) { return EXIT_NO_START; }
    for (int ms = 0; waitpid(id, &status, WNOHANG) == 0; ms++) {        /* it has closed its end, or is silent */
        if (heard != 1 || ms == SILENCE_MS) { kill(id, SIGKILL); }
        poll(NULL, 0, 1);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAULT;
}
static int parent(const options *with)
{
    progress at = { .next = 1 };
    for (int number = 1; at.next <= with->frames; number++) {
        uint64_t first = at.next;
        int status = watch(with, &at);
        if (status == EXIT_NO_START) { return fputs("the child cannot start\n", stderr), 1; }
        bool early = status != 0 || at.next <= with->frames;
        printf("child %d: %d frames from %d on", number, (int)(at.next - first), (int)first);
        if (early) { printf(", then a fault in frame %d", (int)at.next++), at.lost++; }
        puts("");
    }
    printf("%d frames: %d are right, %d raised, %d lost\n", (int)with->frames, (int)at.right, (int)at.raised,
           (int)at.lost);
    return at.right + at.raised + at.lost != with->frames || at.raised > 1 || at.lost > 1;
}

int main(int argc, char **argv)
{
    options with = { argv[0], "host", 0, 20, 5, 12 };
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t number = strtoull(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--backend")) { with.backend = argv[i + 1]; }
        if (!strcmp(argv[i], "--frames")) { with.frames = number; }
        if (!strcmp(argv[i], "--raise")) { with.raise = number; }
        if (!strcmp(argv[i], "--fault")) { with.fault = number; }
        if (!strcmp(argv[i], "--child")) { with.child = number; }
    }
    return with.child ? child(&with) : parent(&with);
}
