/* streams_only.c: the stream layer alone. Square roots of 65536 numbers by Newton's method: a captured graph prepares
   them on two streams side by side, then a WHILE node repeats one step until no root changes any more. How many turns
   that takes is decided where the numbers are; the CPU launches once and waits once. The calls are the driver's, and
   without a GPU they do the same on the CPU.

   cc -O2 -pthread streams_only.c -lm             and with the CUDA bodies of its kernels: see streams_only.cu */
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"
#include <stdio.h>
#include <string.h>

enum { N = 1 << 16 };
#define TRY(call)                                                                                                   \
    do {                                                                                                            \
        sf_result r_ = (call);                                                                                      \
        if (r_ < 0) { return fprintf(stderr, "%s: %s\n", #call, sf_result_string(r_)), 1; }                         \
    } while (0)

typedef struct { uint32_t changed, turns; } progress;
typedef struct { uint32_t *square; const uint32_t *shift; } numbers_args;
typedef struct { const uint32_t *square; uint32_t *root; progress *seen; } newton_args;
typedef struct { sf_graph_conditional loop; progress *seen; } again_args;

static uint32_t number(uint32_t i, uint32_t shift) { return i * 2654435761u >> shift | 1; }
static int numbers_host(const sf_slice *s, const void *p)
{
    const numbers_args *a = p;
    for (ptrdiff_t i = sf_slice_begin(s, N); i < sf_slice_end(s, N); i++) {
        a->square[i] = number((uint32_t)i, *a->shift);
    }
    return 0;
}
static int newton_host(const sf_slice *s, const void *p)
{
    const newton_args *a = p;
    bool changed = false;
    for (ptrdiff_t i = sf_slice_begin(s, N); i < sf_slice_end(s, N); i++) {
        uint64_t x = a->root[i], next = (x + a->square[i] / x) / 2;     /* from above: it falls until it is there */
        if (next < x) { a->root[i] = (uint32_t)next, changed = true; }
    }
    if (changed) { __atomic_store_n(&a->seen->changed, 1, __ATOMIC_RELAXED); }          /* other slices may, too */
    return 0;
}
static int again_host(const sf_slice *s, const void *p)             /* on CUDA: cudaGraphSetConditional() */
{
    const again_args *a = p;
    (void)s;
    sf_graph_conditional_set(a->loop, a->seen->changed);
    a->seen->changed = 0;
    a->seen->turns++;
    return 0;
}
int numbers_cuda(void *stream, const void *args), newton_cuda(void *stream, const void *args);
int again_cuda(void *stream, const void *args);                     /* all three in streams_only.cu */
static const sf_kernel numbers = {
    .name = "numbers", .host = numbers_host, .cuda = SF_CUDA_BODY(numbers_cuda), .slices = 4 };
static const sf_kernel newton = {
    .name = "newton", .host = newton_host, .cuda = SF_CUDA_BODY(newton_cuda), .slices = 4 };
static const sf_kernel again = { .name = "again", .host = again_host, .cuda = SF_CUDA_BODY(again_cuda) };

int main(int argc, char **argv)                                     /* --backend host | cuda, --dot */
{
    bool cuda = false, dot = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--backend") && i + 1 < argc) { cuda = !strcmp(argv[++i], "cuda"); }
        dot |= !strcmp(argv[i], "--dot");
    }
    sf_device *device;
    TRY(sf_device_open(&(sf_device_desc){ .backend = cuda ? SF_BACKEND_CUDA : SF_BACKEND_HOST,
                                          .logger.func = sf_log_stderr }, &device));
    sf_stream *main_stream, *side_stream;
    sf_event *forked, *joined;
    TRY(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING, .priority = -1 }, &main_stream));
    TRY(sf_stream_create(device, &(sf_stream_desc){ .flags = SF_STREAM_NON_BLOCKING }, &side_stream));
    TRY(sf_event_create(device, SF_EVENT_DISABLE_TIMING, &forked));
    TRY(sf_event_create(device, SF_EVENT_DISABLE_TIMING, &joined));
    void *square, *root, *seen, *shift, *roots, *end;
    TRY(sf_mem_alloc(device, N * 4, SF_MEMORY_DEVICE, &square));
    TRY(sf_mem_alloc(device, N * 4, SF_MEMORY_DEVICE, &root));
    TRY(sf_mem_alloc(device, sizeof(progress), SF_MEMORY_DEVICE, &seen));
    TRY(sf_mem_alloc(device, 4, SF_MEMORY_PINNED, &shift));         /* these three are the CPU's, too */
    TRY(sf_mem_alloc(device, N * 4, SF_MEMORY_PINNED, &roots));
    TRY(sf_mem_alloc(device, sizeof(progress), SF_MEMORY_PINNED, &end));

    /* Capture: what is enqueued becomes nodes, what is recorded and waited for becomes edges. Nothing runs yet. */
    sf_graph *prepare;
    numbers_args of = { square, shift };
    TRY(sf_stream_begin_capture(main_stream, SF_CAPTURE_THREAD_LOCAL));
    TRY(sf_event_record(forked, main_stream, 0));
    TRY(sf_stream_wait_event(side_stream, forked, 0));
    TRY(sf_launch(main_stream, &numbers, &of, sizeof of));
    TRY(sf_memset_async(side_stream, root, 0xff, N * 4));           /* a guess that is surely too large */
    TRY(sf_memset_async(side_stream, seen, 0, sizeof(progress)));
    TRY(sf_event_record(joined, side_stream, 0));
    TRY(sf_stream_wait_event(main_stream, joined, 0));
    TRY(sf_stream_end_capture(main_stream, &prepare));

    /* Around it, node by node: prepare, then WHILE { newton, again }. The loop's body is captured in its turn. */
    sf_graph *graph, *body;
    sf_graph_node *first;
    sf_graph_conditional loop;
    TRY(sf_graph_create(device, &graph));
    TRY(sf_graph_conditional_create(graph, 1, true, &loop));
    TRY(sf_graph_add_node(graph, NULL, 0, &(sf_node_desc){
        .type = SF_NODE_CHILD, .name = "prepare", .child = prepare,
    }, &first));
    TRY(sf_graph_add_node(graph, &(sf_dependency){ .node = first }, 1, &(sf_node_desc){
        .type = SF_NODE_CONDITIONAL, .name = "while a root changes",
        .conditional = { .handle = loop, .type = SF_GRAPH_WHILE, .bodies = 1, .body = &body },
    }, NULL));
    newton_args step = { square, root, seen };
    again_args decide = { loop, seen };
    TRY(sf_stream_begin_capture_to_graph(side_stream, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL));
    TRY(sf_launch(side_stream, &newton, &step, sizeof step));
    TRY(sf_launch(side_stream, &again, &decide, sizeof decide));
    TRY(sf_stream_end_capture(side_stream, &body));
    if (dot) { TRY(sf_graph_dot(graph, sf_text_file, stdout)); }

    sf_graph_exec *exec;
    if (sf_graph_instantiate(graph, 0, &exec) < 0) {                /* what is wrong with it, with the node's name */
        return fprintf(stderr, "%s\n", sf_device_failure(device)->text), 1;
    }
    TRY(sf_graph_destroy(prepare));                                 /* the executable has all it needs */
    TRY(sf_graph_destroy(graph));
    for (uint32_t bits = 32; bits >= 8; bits -= 8) {                /* arguments are fixed, what they point at not */
        uint32_t right = 0, low = *(uint32_t *)shift = 32 - bits;
        TRY(sf_graph_launch(exec, main_stream));
        TRY(sf_memcpy_async(main_stream, roots, root, N * 4));
        TRY(sf_memcpy_async(main_stream, end, seen, sizeof(progress)));
        sf_result done = sf_stream_synchronize(main_stream, SF_MS(10000));
        if (done != SF_OK) { return fprintf(stderr, "%s\n", sf_result_string(done)), 1; }
        for (uint32_t i = 0; i < N; i++) {
            uint64_t r = ((uint32_t *)roots)[i], n = number(i, low);
            right += r * r <= n && n < (r + 1) * (r + 1);
        }
        printf("%u bits: %u turns, %u of %u roots are right\n", bits, ((progress *)end)->turns, right, N);
    }
    TRY(sf_graph_exec_destroy(exec));
    TRY(sf_device_close(device, SF_FOREVER));                       /* streams, events and memory go with it */
    return 0;
}
