/*  links.c - the transport over UCX by itself, without a flow: see links.sh.
        links listen ADDRESS               answers until its peer is gone
        links lat ADDRESS COUNT BYTES      us one way, p50: a message with a 64-byte header there and back
        links bw ADDRESS COUNT BYTES DEPTH MB/s: each message acknowledged by one without payload, DEPTH under way
    All messages share one buffer a side and direction, as those of ucx_perftest do; with LINKS_GPU=N in the environment
    in memory of GPU N. */
#define STREAMFLOW_IMPLEMENTATION
#define SF_WITH_UCX
#include "../../../streamflow.h"
#include <string.h>

enum { HEADER = 64, DEPTH = 32, HEADERS = 2 * DEPTH };
static struct end {
    void *transport, *connection;
    bool lost, echoes;
    uint8_t header[HEADERS][HEADER], *out, *in, word;
    bool busy[HEADERS];
    uint64_t arrived, acknowledged;
    size_t bytes;
    sf_memory memory;
} end = { .memory = SF_MEMORY_HOST };

static void die(const char *why) { fprintf(stderr, "links: %s\n", why), exit(1); }
static void *on_connected(void *user, void *connection)
{
    (void)user;
    if (end.connection) { return NULL; }
    return end.connection = connection, &end;
}
static void say(const void *data, size_t bytes, uint8_t what)
{
    int i = 0;
    while (i < HEADERS && end.busy[i]) { i++; }
    if (i == HEADERS) { die("no header is free"); }
    end.header[i][0] = what;
    sf_result r = sfi_ucx.send(end.connection, end.header[i], HEADER, data, bytes, data ? end.memory : SF_MEMORY_HOST,
                               &end.busy[i]);
    if (r < 0 && !end.lost) { die("a send failed"); }
    end.busy[i] = r == SF_NOT_READY;
}
static void complete(void)                   /* a message is in a buffer */
{
    end.arrived++;
}
static void on_arrived(void *peer, const void *header, size_t header_bytes, size_t bytes, void *message)
{
    (void)peer, (void)header_bytes;
    if (*(const uint8_t *)header == 'a') { end.acknowledged++; return; }
    end.bytes = bytes;
    end.word = *(const uint8_t *)header;
    sf_result r = sfi_ucx.receive(end.connection, message, end.in, bytes, end.memory, &end.in);
    if (r == SF_OK) { complete(); }
}
static void on_ended(void *peer, void *request, sf_result result)
{
    (void)peer;
    if (request != (void *)&end.in) { *(bool *)request = false; } else if (result == SF_OK) { complete(); }
}
static void on_lost(void *peer, const char *why)
{
    (void)peer;
    end.lost = true;
    if (!end.echoes) { die(why); }
}
static void on_failed(void *user, const char *why) { (void)user, fprintf(stderr, "links: %s\n", why); }
static void turn(void) { (void)sfi_ucx.progress(end.transport); }
static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}
static void listens(void)                    /* "l": answers as it is; "b": acknowledges */
{
    uint64_t done = 0;
    end.echoes = true;
    puts("ready");
    fflush(stdout);
    while (!end.lost) {
        turn();
        for (; done < end.arrived; done++) {
            if (end.word == 'l') { say(end.in, end.bytes, 'l'); } else { say(NULL, 0, 'a'); }
        }
    }
}
static void latency(int count, size_t bytes)
{
    int64_t *ns = (int64_t *)calloc((size_t)count, sizeof *ns);
    for (int i = -count / 10; i < count; i++) {
        const int64_t begin = sfi_clock();
        const uint64_t next = end.arrived + 1;
        say(end.out, bytes, 'l');
        while (end.arrived < next) { turn(); }
        if (i >= 0) { ns[i] = sfi_clock() - begin; }
    }
    qsort(ns, (size_t)count, sizeof *ns, by_size);
    printf("%.3f\n", (double)ns[count / 2] / 2000);
    free(ns);
}
static void bandwidth(int count, size_t bytes, uint64_t depth)
{
    int64_t begin = 0;
    for (int i = -count / 10; i < count; i++) {
        if (i == 0) { begin = sfi_clock(); }
        while ((uint64_t)(i + count / 10) - end.acknowledged >= depth) { turn(); }
        say(end.out, bytes, 'b');
    }
    while (end.acknowledged < (uint64_t)(count + count / 10)) { turn(); }
    printf("%.0f\n", (double)bytes * count / 1048576 / ((double)(sfi_clock() - begin) * 1e-9));
}
/* Memory that CUDA IPC takes, of the GPU whose primary context is the thread's from here on. */
static void make_gpu_buffers(int gpu, size_t bytes)
{
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    if (!cuda) { die("libcuda.so.1 is not to be found"); }
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(cuda, "cuInit"), device = 0;
    int (*get)(int *, int) = (int (*)(int *, int))dlsym(cuda, "cuDeviceGet");
    int (*retain)(void **, int) = (int (*)(void **, int))dlsym(cuda, "cuDevicePrimaryCtxRetain");
    int (*enter)(void *) = (int (*)(void *))dlsym(cuda, "cuCtxSetCurrent");
    int (*alloc)(void *, size_t) = (int (*)(void *, size_t))dlsym(cuda, "cuMemAlloc_v2");
    int (*set)(void *, unsigned char, size_t) = (int (*)(void *, unsigned char, size_t))dlsym(cuda, "cuMemsetD8_v2");
    int (*wait)(void) = (int (*)(void))dlsym(cuda, "cuCtxSynchronize");
    if (init(0) || get(&device, gpu) || retain(&context, device) || enter(context) || alloc(&end.out, bytes) ||
        alloc(&end.in, bytes) || set(end.out, 1, bytes) || set(end.in, 2, bytes) || wait()) {
        die("the GPU gives no memory");
    }
    end.memory = SF_MEMORY_DEVICE;
}
int main(int argc, char **argv)
{
    if (argc < 3) { die("see links.sh"); }
    const bool server = strcmp(argv[1], "listen") == 0;
    const int count = argc > 3 ? atoi(argv[3]) : 0;
    const size_t bytes = argc > 4 ? (size_t)atol(argv[4]) : 0;
    const int depth = argc > 5 ? atoi(argv[5]) : 1;
    const char *gpu = getenv("LINKS_GPU");
    const size_t most = (size_t)1 << (gpu ? 26 : 20);
    const sf_transport_desc d = { { NULL, on_connected, on_arrived, on_ended, on_lost, on_failed }, argv[2], gpu };
    bool device;
    if (bytes > most || depth < 1 || depth > DEPTH) { die("too many bytes, or too deep"); }
    if (gpu) {
        make_gpu_buffers(atoi(gpu), most);
    } else {
        end.out = (uint8_t *)memset(malloc(most), 1, most);
        end.in = (uint8_t *)memset(malloc(most), 2, most);
    }
    if (sfi_ucx.open(&d, &end.transport, &device) < 0) { return 77; }
    if (gpu && !device) { die("this UCX takes no memory of a GPU"); }
    if (server) {
        if (sfi_ucx.listen(end.transport, argv[2]) < 0) { return 1; }
        listens();
    } else {
        if (sfi_ucx.connect(end.transport, argv[2], &end, &end.connection) < 0) { return 1; }
        if (argv[1][0] == 'l') { latency(count, bytes); } else { bandwidth(count, bytes, (uint64_t)depth); }
    }
    if (end.connection) { sfi_ucx.disconnect(end.connection, server ? 0 : 1000000000); }
    sfi_ucx.close(end.transport);
    return 0;
}
