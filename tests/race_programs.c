/*  race_programs.c - programs with one mistake each, and the same programs without it, for races.py.

    race_programs --list                        a line for each: name, two functions, the object, as a report names them
    race_programs NAME wrong|right ORDER SEED   runs one: ORDER is a number of sf_order

    Built with -fsanitize=thread as one file, as users do it. A wrong one must give a report with both functions in its
    two stacks, in every order; a right one none. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"

#define CHECK(condition) ((condition) ? (void)0 : failed(__LINE__, #condition))
#define OK(call)         CHECK((call) >= 0)
static void failed(int line, const char *what)
{
    fprintf(stderr, "race_programs.c:%d: %s\n", line, what);
    exit(3);
}

enum { BYTES = 64, WORDS = BYTES / 4, HALF = BYTES / 2 };
static sf_device *device;
static sf_stream *a, *b, *c;                                 /* not blocking */
static sf_event *e, *other;
static uint32_t *data, *result;                              /* of sf_mem_alloc() */
static uint32_t board[WORDS], copied[WORDS];                 /* of the program */

/* -- what runs on streams -- */

/* Words: ThreadSanitizer keeps four accesses for eight bytes, so a loop over bytes leaves half of them. */
typedef struct work { void *dst; const void *src; size_t bytes; uint32_t value; } work;
static int paint_host(const sf_slice *slice, const void *args)
{
    const work *w = (const work *)args;
    uint32_t *dst = (uint32_t *)w->dst;
    (void)slice;
    for (size_t i = 0; i < w->bytes / 4; i++) { dst[i] = w->value; }
    return 0;
}
static int sample_host(const sf_slice *slice, const void *args)
{
    const work *w = (const work *)args;
    const uint32_t *src = (const uint32_t *)w->src;
    uint32_t *dst = (uint32_t *)w->dst;
    (void)slice;
    for (size_t i = 0; i < w->bytes / 4; i++) { dst[i] = src[i]; }
    return 0;
}
static int strip_host(const sf_slice *slice, const void *args)       /* each slice its part; value: so many words more */
{
    const work *w = (const work *)args;
    const ptrdiff_t n = (ptrdiff_t)w->bytes / 4, end = sf_slice_end(slice, n) + (ptrdiff_t)w->value;
    for (ptrdiff_t i = sf_slice_begin(slice, n); i < end && i < n; i++) { ((uint32_t *)w->dst)[i] = 1; }
    return 0;
}
static int turn_host(const sf_slice *slice, const void *args)        /* a WHILE's body */
{
    const sf_graph_conditional *handle = (const sf_graph_conditional *)args;
    (void)slice;
    board[0]++;
    sf_graph_conditional_set(*handle, board[0] < 3);
    return 0;
}
static const sf_kernel paint = { .name = "paint", .host = paint_host };
static const sf_kernel sample = { .name = "sample", .host = sample_host };
static const sf_kernel strip = { .name = "strip", .host = strip_host, .slices = 4 };
static const sf_kernel turn = { .name = "turn", .host = turn_host };
static void look_func(void *user) { copied[0] = ((uint32_t *)user)[5]; }
static void look_callback(sf_stream *stream, sf_result status, void *user)
{
    (void)stream, (void)status;
    copied[0] = ((uint32_t *)user)[5];
}
/* The call's place is a frame of the report: so these are macros. */
#define PAINT(stream, to, n, v)    OK(sf_launch(stream, &paint, &(work){ .dst = (to), .bytes = (n), .value = (v) }, \
                                                sizeof(work)))
#define SAMPLE(stream, to, from, n) OK(sf_launch(stream, &sample, &(work){ .dst = (to), .src = (from), .bytes = (n) }, \
                                                 sizeof(work)))
#define RECORD(event, stream)      OK(sf_event_record(event, stream, 0))
#define WAIT(stream, event)        OK(sf_stream_wait_event(stream, event, 0))
#define SYNC(stream)               OK(sf_stream_synchronize(stream, SF_FOREVER))
static __attribute__((noinline)) uint32_t read_by_cpu(const uint32_t *at) { return at[5]; }
static __attribute__((noinline)) void write_by_cpu(uint32_t *at) { at[5] = 7; }

/* -- streams and events -- */

static void a_missing_wait(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    SAMPLE(b, result, data, BYTES);
}
static void an_event_recorded_too_early(bool wrong)
{
    if (wrong) { RECORD(e, a); }
    PAINT(a, data, BYTES, 1);
    if (!wrong) { RECORD(e, a); }
    WAIT(b, e);
    SAMPLE(b, result, data, BYTES);
}
static void the_wrong_event(bool wrong)
{
    PAINT(c, board, BYTES, 2);
    RECORD(other, c);
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    WAIT(b, wrong ? other : e);
    SAMPLE(b, result, data, BYTES);
}
static void a_wait_in_the_wrong_stream(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    WAIT(wrong ? c : b, e);
    SAMPLE(b, result, data, BYTES);
}
static void a_wait_behind_the_kernel(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    SAMPLE(b, result, data, BYTES);
    WAIT(b, e);
}
static void only_one_way(bool wrong)         /* what the reader has read is painted over */
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    WAIT(b, e);
    SAMPLE(b, result, data, BYTES);
    RECORD(other, b);
    if (!wrong) { WAIT(a, other); }
    PAINT(a, data, BYTES, 2);
}
static void an_event_recorded_again(bool wrong)      /* waits for what is recorded when it is called */
{
    RECORD(e, a);
    if (wrong) { WAIT(b, e); }
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    SAMPLE(b, result, data, BYTES);
}
static void a_chain_with_a_gap(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(c, e); }
    PAINT(c, board, BYTES, 1);
    RECORD(other, c);
    WAIT(b, other);
    SAMPLE(b, result, data, BYTES);
}
static void the_last_byte(bool wrong)        /* neighbours are no race */
{
    OK(sf_memset_async(a, data, 1, 17));
    OK(sf_memset_async(b, (uint8_t *)data + (wrong ? 16 : 17), 2, 11));
}
static void default_stream(bool wrong)       /* the default stream waits for blocking streams, and they for it */
{
    sf_stream *blocking;
    OK(sf_stream_create(device, &(sf_stream_desc){ .name = "blocking" }, &blocking));
    PAINT(wrong ? a : blocking, data, BYTES, 1);
    SAMPLE(sf_stream_legacy(device), result, data, BYTES);
    PAINT(wrong ? a : blocking, data, BYTES, 2);
}
static void values(bool wrong)
{
    static uint32_t word;
    PAINT(a, data, BYTES, 1);
    OK(sf_stream_write_value(a, &word, 4, 1, 0));
    if (!wrong) { OK(sf_stream_wait_value(b, &word, 4, 1, SF_WAIT_VALUE_GEQ)); }
    SAMPLE(b, result, data, BYTES);
}
static void a_fork_that_is_not_joined(bool wrong)
{
    sf_stream *child;
    OK(sf_stream_fork(a, &child));
    PAINT(child, data, BYTES, 1);
    if (!wrong) { OK(sf_stream_join(a, child)); }
    SAMPLE(a, result, data, BYTES);
    if (wrong) { OK(sf_stream_join(a, child)); }
}
static void work_of_a_destroyed_stream(bool wrong)
{
    sf_stream *gone;
    OK(sf_stream_create(device, &(sf_stream_desc){ .name = "gone", .flags = SF_STREAM_NON_BLOCKING }, &gone));
    PAINT(gone, data, BYTES, 1);
    RECORD(e, gone);
    OK(sf_stream_destroy(gone));
    if (!wrong) { WAIT(b, e); }
    SAMPLE(b, result, data, BYTES);
}

/* -- the host -- */

static void a_read_without_synchronize(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    if (!wrong) { SYNC(a); }
    copied[0] = read_by_cpu(data);
}
static void another_stream_synchronized(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    PAINT(b, board, BYTES, 1);
    SYNC(wrong ? b : a);
    copied[0] = read_by_cpu(data);
}
static void an_event_before_the_last_kernel(bool wrong)
{
    PAINT(a, board, BYTES, 1);
    if (wrong) { RECORD(e, a); }
    PAINT(a, data, BYTES, 1);
    if (!wrong) { RECORD(e, a); }
    OK(sf_event_synchronize(e, SF_FOREVER));
    copied[0] = read_by_cpu(data);
}
static void a_query_of_another_stream(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    PAINT(b, board, BYTES, 1);
    while (sf_stream_query(wrong ? b : a) == SF_NOT_READY) {}
    copied[0] = read_by_cpu(data);
}
static void a_source_changed_too_early(bool wrong)
{
    OK(sf_memcpy_async(a, data, board, BYTES));
    if (!wrong) { SYNC(a); }
    write_by_cpu(board);
}
static void an_argument_changed_too_early(bool wrong)        /* what the arguments point to is not copied */
{
    SAMPLE(a, data, board, BYTES);
    if (!wrong) { SYNC(a); }
    write_by_cpu(board);
}
static void a_local_variable(bool wrong)
{
    uint32_t local[WORDS] = { 0 };
    OK(sf_memcpy_async(a, local, data, BYTES));
    if (!wrong) { SYNC(a); }
    copied[0] = read_by_cpu(local);
    SYNC(a);
}
static void a_result_taken_too_early(bool wrong)     /* of a lazy operation */
{
    const work w = { .dst = data, .bytes = BYTES };
    sf_future *f;
    if (wrong) {
        OK(sf_lazy_async_on(sf_lazy_kernel(device, &paint, &w, sizeof w), b));
        SYNC(a);
    } else {
        OK(sf_lazy_schedule(sf_lazy_kernel(device, &paint, &w, sizeof w), NULL, &f));
        OK(sf_future_wait(f, SF_FOREVER));
        sf_future_drop(f);
    }
    copied[0] = read_by_cpu(data);
}
static void *launch_main(void *user) { return PAINT(a, user, BYTES, 1), NULL; }
static void another_thread_launches(bool wrong)      /* and the memory is not ready yet */
{
    pthread_t thread;
    if (!wrong) { write_by_cpu(data); }
    CHECK(pthread_create(&thread, NULL, launch_main, data) == 0);
    if (wrong) { write_by_cpu(data); }
    CHECK(pthread_join(thread, NULL) == 0);
}

/* -- copies, sets, host functions, slices -- */

static void a_copy_beside_a_kernel(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    OK(sf_memcpy_async(b, copied, data, BYTES));
}
static void a_set_beside_a_kernel(bool wrong)
{
    SAMPLE(a, result, data, BYTES);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    OK(sf_memset_async(b, data, 3, BYTES));
}
static void a_row_too_long(bool wrong)       /* rows of 8 in a pitch of 16; the other stream has the other halves */
{
    OK(sf_memcpy_2d_async(a, data, 16, board, 16, wrong ? 9 : 8, 4));
    for (int row = 0; row < 4; row++) { PAINT(b, data + 4 * row + 2, 8, 2); }
}
static void a_host_function_beside_a_kernel(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    OK(sf_launch_host_func(b, look_func, data));
}
static void a_callback_beside_a_kernel(bool wrong)
{
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    OK(sf_stream_add_callback(b, look_callback, data, 0));
}
static void slices_that_overlap(bool wrong)
{
    OK(sf_launch(a, &strip, &(work){ .dst = data, .bytes = BYTES, .value = wrong }, sizeof(work)));
}

/* -- memory -- */

static void memory_freed_too_early(bool wrong)
{
    uint32_t *p;
    OK(sf_mem_alloc(device, BYTES, SF_MEMORY_PINNED, (void **)&p));
    PAINT(a, p, BYTES, 1);
    if (!wrong) { SYNC(a); }
    OK(sf_mem_free(device, p));
}
static void freed_in_another_stream(bool wrong)
{
    uint32_t *p;
    OK(sf_mem_alloc_async(a, NULL, BYTES, (void **)&p));
    PAINT(a, p, BYTES, 1);
    RECORD(e, a);
    WAIT(b, e);
    SAMPLE(b, result, p, BYTES);
    RECORD(other, b);
    if (!wrong) { WAIT(a, other); }
    OK(sf_mem_free_async(a, p));
}
static void used_before_it_is_allocated(bool wrong)  /* memory of a stream, used in one that is not behind it */
{
    uint32_t *first, *p;
    OK(sf_mem_alloc_async(a, NULL, BYTES, (void **)&first));
    PAINT(a, first, BYTES, 1);
    OK(sf_mem_free_async(a, first));
    OK(sf_mem_alloc_async(a, NULL, BYTES, (void **)&p));     /* the same memory */
    CHECK(p == first);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    PAINT(b, p, BYTES, 2);
    RECORD(other, b);
    WAIT(a, other);
    OK(sf_mem_free_async(a, p));
}

/* -- graphs -- */

static void run_graph(sf_graph *g, sf_stream *stream)
{
    sf_graph_exec *exec;
    OK(sf_graph_instantiate(g, 0, &exec));
    OK(sf_graph_launch(exec, stream));
    OK(sf_graph_exec_destroy(exec));
    OK(sf_graph_destroy(g));
}
#define NODE(g, n, of, k, w)                                                                                \
    OK(sf_graph_add_node(g, of, (of) != NULL, &(sf_node_desc){ .type = SF_NODE_KERNEL,                      \
       .kernel = { .func = (k), .args = (w), .bytes = sizeof *(w) } }, &(n)))
static void branches_of_a_graph(bool wrong)  /* that write one tensor */
{
    sf_graph *g;
    sf_graph_node *root, *left, *right;
    work none = { .dst = board, .bytes = 4 }, one = { .dst = data, .bytes = HALF, .value = 1 };
    work two = { .dst = data + (wrong ? 0 : WORDS / 2), .src = board, .bytes = HALF };
    OK(sf_graph_create(device, &g));
    NODE(g, root, (sf_dependency *)NULL, &paint, &none);
    NODE(g, left, (&(sf_dependency){ root, SF_DEPENDENCY_FULL }), &paint, &one);
    NODE(g, right, (&(sf_dependency){ root, SF_DEPENDENCY_FULL }), &sample, &two);
    run_graph(g, a);
}
static void a_capture_without_a_wait(bool wrong)
{
    sf_graph *g;
    OK(sf_stream_begin_capture(a, SF_CAPTURE_RELAXED));
    RECORD(e, a);
    WAIT(b, e);
    PAINT(a, data, BYTES, 1);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    SAMPLE(b, result, data, BYTES);
    RECORD(other, b);
    WAIT(a, other);
    OK(sf_stream_end_capture(a, &g));
    run_graph(g, a);
}
static void a_graph_beside_a_stream(bool wrong)
{
    sf_graph *g;
    sf_graph_node *node;
    work one = { .dst = data, .bytes = BYTES, .value = 1 };
    OK(sf_graph_create(device, &g));
    NODE(g, node, (sf_dependency *)NULL, &paint, &one);
    run_graph(g, a);
    RECORD(e, a);
    if (!wrong) { WAIT(b, e); }
    SAMPLE(b, result, data, BYTES);
}
static void two_graphs_at_once(bool wrong)   /* launches of one executable graph are in order, of two are not */
{
    sf_graph *g;
    sf_graph_node *node;
    sf_graph_exec *exec[2];
    work one = { .dst = data, .src = board, .bytes = BYTES, .value = 1 };
    OK(sf_graph_create(device, &g));
    NODE(g, node, (sf_dependency *)NULL, &paint, &one);
    OK(sf_graph_instantiate(g, 0, &exec[0]));
    OK(sf_graph_instantiate(g, 0, &exec[1]));
    OK(sf_graph_launch(exec[0], a));
    OK(sf_graph_launch(exec[wrong], b));
    OK(sf_graph_destroy(g));
}
static void a_child_beside_a_node(bool wrong)
{
    sf_graph *g, *child;
    sf_graph_node *one, *two;
    work w = { .dst = data, .bytes = BYTES, .value = 1 }, r = { .dst = result, .src = data, .bytes = BYTES };
    OK(sf_graph_create(device, &child));
    NODE(child, one, (sf_dependency *)NULL, &paint, &w);
    OK(sf_graph_create(device, &g));
    OK(sf_graph_add_node(g, NULL, 0, &(sf_node_desc){ .type = SF_NODE_CHILD, .child = child }, &one));
    OK(sf_graph_destroy(child));
    NODE(g, two, (wrong ? NULL : &(sf_dependency){ one, SF_DEPENDENCY_FULL }), &sample, &r);
    run_graph(g, a);
}
static void a_loop_beside_a_node(bool wrong) /* the body of a WHILE */
{
    sf_graph *g, *body;
    sf_graph_node *loop, *node;
    sf_graph_conditional handle;
    work r = { .dst = result, .src = board, .bytes = 8 };
    OK(sf_graph_create(device, &g));
    OK(sf_graph_conditional_create(g, 1, true, &handle));
    OK(sf_graph_add_node(g, NULL, 0, &(sf_node_desc){ .type = SF_NODE_CONDITIONAL,
       .conditional = { .handle = handle, .type = SF_GRAPH_WHILE, .bodies = 1, .body = &body } }, &loop));
    NODE(body, node, (sf_dependency *)NULL, &turn, &handle);
    NODE(g, node, (wrong ? NULL : &(sf_dependency){ loop, SF_DEPENDENCY_FULL }), &sample, &r);
    run_graph(g, a);
}
static void an_event_of_a_graph(bool wrong)  /* recorded by a node */
{
    sf_graph *g;
    sf_graph_node *one, *record;
    work w = { .dst = data, .bytes = BYTES, .value = 1 };
    OK(sf_graph_create(device, &g));
    NODE(g, one, (sf_dependency *)NULL, &paint, &w);
    OK(sf_graph_add_node(g, &(sf_dependency){ one, SF_DEPENDENCY_FULL }, !wrong,
                         &(sf_node_desc){ .type = SF_NODE_EVENT_RECORD, .event = e }, &record));
    run_graph(g, a);
    WAIT(b, e);
    SAMPLE(b, result, data, BYTES);
}

/* -- lazy operations -- */

static void parts_side_by_side(bool wrong)
{
    work one = { .dst = data, .bytes = BYTES, .value = 1 }, two = { .dst = result, .src = data, .bytes = BYTES };
    sf_lazy *parts[2] = { sf_lazy_kernel(device, &paint, &one, sizeof one),
                          sf_lazy_kernel(device, &sample, &two, sizeof two) };
    OK(sf_lazy_sync(wrong ? sf_lazy_par(parts, 2) : sf_lazy_zip(parts, 2), NULL, SF_FOREVER, NULL));
}

/* -- flows -- */

static bool mistake;
static sf_tensor *kept;
static sf_result make_tensor(sf_context *ctx)        /* the GPU writes it */
{
    sf_tensor *t = sf_tensor_create(ctx, 0, NULL);
    PAINT(sf_compute_stream(ctx), t->data, BYTES, (uint32_t)ctx->run);
    return sf_emit(ctx, 0, t);
}
static sf_result read_tensor(sf_context *ctx)        /* the CPU reads it */
{
    const sf_tensor *t = sf_receive(ctx, 0);
    copied[5] = read_by_cpu((const uint32_t *)t->data);
    return SF_OK;
}
static sf_result paint_left(sf_context *ctx)         /* two operators that get the same tensor: one half each */
{
    const sf_tensor *t = sf_receive(ctx, 0);
    PAINT(sf_compute_stream(ctx), t->data, HALF, 1);
    return SF_OK;
}
static sf_result sample_right(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    SAMPLE(sf_compute_stream(ctx), (uint8_t *)t->data + (mistake ? HALF - 4 : HALF), board, HALF);
    return SF_OK;
}
static sf_result write_left(sf_context *ctx)         /* the same by the CPU */
{
    const sf_tensor *t = sf_receive(ctx, 0);
    for (int i = 0; i < WORDS / 2; i++) { ((uint32_t *)t->data)[i] = 1; }
    return SF_OK;
}
static sf_result write_right(sf_context *ctx)
{
    const sf_tensor *t = sf_receive(ctx, 0);
    for (int i = WORDS / 2 - mistake; i < WORDS; i++) { ((uint32_t *)t->data)[i] = 2; }
    return SF_OK;
}
static sf_result keep_tensor(sf_context *ctx)        /* and give it back too early: a kernel still reads it */
{
    sf_tensor *t = sf_receive(ctx, 0);
    if (!ctx->run) { kept = sf_tensor_retain(t); }
    if (ctx->run == 1) {
        RECORD(other, sf_compute_stream(ctx));
        WAIT(c, other);
        if (!mistake) { OK(sf_tensor_set_deallocation_stream(kept, c)); }
        SAMPLE(c, result, kept->data, BYTES);
        sf_tensor_release(kept);
    }
    return SF_OK;
}
static sf_result a_stream_of_its_own(sf_context *ctx)        /* that nothing orders */
{
    const sf_tensor *t = sf_receive(ctx, 0);
    SAMPLE(mistake ? c : sf_compute_stream(ctx), result, t->data, BYTES);
    return SF_OK;
}
static sf_result count_up(sf_context *ctx)           /* two operators with one variable */
{
    (void)sf_receive_value(ctx, 0);
    board[mistake ? 0 : 1]++;
    return SF_OK;
}
static sf_result count_down(sf_context *ctx)
{
    (void)sf_receive_value(ctx, 0);
    board[0]--;
    return SF_OK;
}
static sf_result emit_number(sf_context *ctx) { return sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run }); }
static sf_result write_then_emit(sf_context *ctx)
{
    sf_result r;
    if (!mistake) { board[ctx->run] = 1; }
    r = sf_emit_value(ctx, 0, (sf_value){ .u64 = ctx->run });
    if (mistake && ctx->run) { board[ctx->run - 1] = 2; }    /* what it has passed on before */
    return r;
}
static sf_result read_what_was_written(sf_context *ctx)
{
    copied[0] = board[sf_receive_value(ctx, 0).u64];
    return SF_OK;
}
static sf_flow *flow_with(int workers)
{
    sf_flow_desc desc = { .device = device };
    desc.workers[0].count = workers;
    return sf_flow_create(&desc);
}
static sf_memory memory = SF_MEMORY_PINNED;
static sf_op source_of(sf_flow *f, sf_compute_func compute, size_t bytes)
{
    return sf_flow_add(f, &(sf_op_desc){ .name = "source", .compute = compute, .count = 12,
                                         .out = {{ .name = "out", .bytes = bytes, .memory = memory }} });
}
static sf_op sink_of(sf_flow *f, sf_op from, const char *name, sf_compute_func compute, bool waits)
{
    sf_op_desc desc = { .name = name, .compute = compute, .in = {{ .name = "in" }} };
    sf_op op;
    if (waits) { desc.when[0].kind = SF_CONDITION_STREAM; }
    op = sf_flow_add(f, &desc);
    OK(sf_flow_connect(f, from, NULL, op, NULL, &(sf_edge_desc){ .capacity = 4 }));
    return op;
}
static void run_flow(sf_flow *f)
{
    OK(sf_flow_run(f));
    OK(sf_flow_destroy(f));
}
static void a_read_without_a_stream_condition(bool wrong)
{
    sf_flow *f = flow_with(0);
    sink_of(f, source_of(f, make_tensor, BYTES), "reader", read_tensor, !wrong);
    run_flow(f);
}
static void branches_of_a_flow(bool wrong)
{
    sf_flow *f = flow_with(0);
    sf_op from = source_of(f, make_tensor, BYTES);
    (void)wrong;
    sink_of(f, from, "left", paint_left, false);
    sink_of(f, from, "right", sample_right, false);
    run_flow(f);
}
static void branches_by_the_cpu(bool wrong)
{
    sf_flow *f = flow_with(2);
    sf_op from = source_of(f, make_tensor, BYTES);
    (void)wrong;
    sink_of(f, from, "left", write_left, true);
    sink_of(f, from, "right", write_right, true);
    run_flow(f);
}
static void a_tensor_given_back_too_early(bool wrong)
{
    sf_flow *f = flow_with(0);
    (void)wrong;
    memory = SF_MEMORY_DEVICE;
    sink_of(f, source_of(f, make_tensor, BYTES), "keeper", keep_tensor, false);
    OK(sf_flow_run(f));
    SYNC(c);
    OK(sf_flow_destroy(f));
}
static void a_stream_that_nothing_orders(bool wrong)
{
    sf_flow *f = flow_with(0);
    (void)wrong;
    sink_of(f, source_of(f, make_tensor, BYTES), "side", a_stream_of_its_own, false);
    OK(sf_flow_run(f));
    SYNC(c);
    OK(sf_flow_destroy(f));
}
static void operators_with_one_variable(bool wrong)
{
    sf_flow *f = flow_with(2);
    sf_op from = source_of(f, emit_number, 0);
    (void)wrong;
    sink_of(f, from, "up", count_up, false);
    sink_of(f, from, "down", count_down, false);
    run_flow(f);
}
static void written_behind_the_message(bool wrong)
{
    sf_flow *f = flow_with(2);
    (void)wrong;
    sink_of(f, source_of(f, write_then_emit, 0), "reader", read_what_was_written, false);
    run_flow(f);
}
static void read_before_the_flow_ends(bool wrong)
{
    sf_flow *f = flow_with(1);
    sink_of(f, source_of(f, make_tensor, BYTES), "reader", read_tensor, true);
    OK(sf_flow_start(f));
    if (!wrong) { OK(sf_flow_wait(f, SF_FOREVER)); }
    board[0] = read_by_cpu(copied);
    OK(sf_flow_wait(f, SF_FOREVER));
    OK(sf_flow_destroy(f));
}
static void changed_behind_a_push(bool wrong)
{
    sf_flow *f = flow_with(1);
    sf_op op = sf_flow_add(f, &(sf_op_desc){ .name = "reader", .compute = read_what_was_written,
                                             .in = {{ .name = "in", .external = true }} });
    OK(sf_flow_start(f));
    if (!wrong) { write_by_cpu(board); }
    OK(sf_flow_push_value(f, op, 0, (sf_value){ .u64 = 5 }));
    if (wrong) { write_by_cpu(board); }
    OK(sf_flow_finish(f));
    OK(sf_flow_wait(f, SF_FOREVER));
    OK(sf_flow_destroy(f));
}

/* The functions that a report names, and the object. */
#define HEAP   "heap block"
#define BOARD  "global 'board'"
#define COPIED "global 'copied'"
#define ANY    ""                            /* it may be gone when it is reported */
#define STACK  "stack of main thread"
#define PROGRAM(name, one, two, object) { #name, #one, #two, object, name }
static const struct { const char *name, *one, *two, *object; void (*run)(bool wrong); } programs[] = {
    PROGRAM(a_missing_wait, paint_host, sample_host, HEAP),
    PROGRAM(an_event_recorded_too_early, paint_host, sample_host, HEAP),
    PROGRAM(the_wrong_event, paint_host, sample_host, HEAP),
    PROGRAM(a_wait_in_the_wrong_stream, paint_host, sample_host, HEAP),
    PROGRAM(a_wait_behind_the_kernel, paint_host, sample_host, HEAP),
    PROGRAM(only_one_way, paint_host, sample_host, HEAP),
    PROGRAM(an_event_recorded_again, paint_host, sample_host, HEAP),
    PROGRAM(a_chain_with_a_gap, paint_host, sample_host, HEAP),
    PROGRAM(the_last_byte, memset, memset, HEAP),
    PROGRAM(default_stream, paint_host, sample_host, HEAP),
    PROGRAM(values, paint_host, sample_host, HEAP),
    PROGRAM(a_fork_that_is_not_joined, paint_host, sample_host, HEAP),
    PROGRAM(work_of_a_destroyed_stream, paint_host, sample_host, HEAP),
    PROGRAM(a_read_without_synchronize, paint_host, read_by_cpu, HEAP),
    PROGRAM(another_stream_synchronized, paint_host, read_by_cpu, HEAP),
    PROGRAM(an_event_before_the_last_kernel, paint_host, read_by_cpu, HEAP),
    PROGRAM(a_query_of_another_stream, paint_host, read_by_cpu, HEAP),
    PROGRAM(a_source_changed_too_early, memcpy, write_by_cpu, BOARD),
    PROGRAM(an_argument_changed_too_early, sample_host, write_by_cpu, BOARD),
    PROGRAM(a_local_variable, memcpy, read_by_cpu, STACK),
    PROGRAM(a_result_taken_too_early, paint_host, read_by_cpu, HEAP),
    PROGRAM(another_thread_launches, paint_host, write_by_cpu, HEAP),
    PROGRAM(a_copy_beside_a_kernel, paint_host, memcpy, HEAP),
    PROGRAM(a_set_beside_a_kernel, sample_host, memset, HEAP),
    PROGRAM(a_row_too_long, memcpy, paint_host, HEAP),
    PROGRAM(a_host_function_beside_a_kernel, paint_host, look_func, HEAP),
    PROGRAM(a_callback_beside_a_kernel, paint_host, look_callback, HEAP),
    PROGRAM(slices_that_overlap, strip_host, strip_host, HEAP),
    PROGRAM(memory_freed_too_early, paint_host, sf_mem_free, ANY),
    PROGRAM(freed_in_another_stream, sample_host, freed_in_another_stream, HEAP),
    PROGRAM(used_before_it_is_allocated, paint_host, used_before_it_is_allocated, HEAP),
    PROGRAM(branches_of_a_graph, paint_host, sample_host, HEAP),
    PROGRAM(a_capture_without_a_wait, paint_host, sample_host, HEAP),
    PROGRAM(a_graph_beside_a_stream, paint_host, sample_host, HEAP),
    PROGRAM(two_graphs_at_once, paint_host, paint_host, HEAP),
    PROGRAM(a_child_beside_a_node, paint_host, sample_host, HEAP),
    PROGRAM(a_loop_beside_a_node, turn_host, sample_host, BOARD),
    PROGRAM(an_event_of_a_graph, paint_host, sample_host, HEAP),
    PROGRAM(parts_side_by_side, paint_host, sample_host, HEAP),
    PROGRAM(a_read_without_a_stream_condition, paint_host, read_tensor, HEAP),
    PROGRAM(branches_of_a_flow, paint_host, sample_host, HEAP),
    PROGRAM(branches_by_the_cpu, write_left, write_right, HEAP),
    PROGRAM(a_tensor_given_back_too_early, paint_host, sample_host, ANY),
    PROGRAM(a_stream_that_nothing_orders, paint_host, sample_host, ANY),
    PROGRAM(operators_with_one_variable, count_up, count_down, BOARD),
    PROGRAM(written_behind_the_message, write_then_emit, read_what_was_written, BOARD),
    PROGRAM(read_before_the_flow_ends, read_tensor, read_by_cpu, COPIED),
    PROGRAM(changed_behind_a_push, read_what_was_written, write_by_cpu, BOARD),
};

static void begin(sf_order order, uint64_t seed)
{
    const sf_device_desc desc = { .backend = SF_BACKEND_HOST, .host = { .order = order, .seed = seed, .workers = 2 } };
    OK(sf_device_open(&desc, &device));
    OK(sf_stream_create(device, &(sf_stream_desc){ .name = "a", .flags = SF_STREAM_NON_BLOCKING }, &a));
    OK(sf_stream_create(device, &(sf_stream_desc){ .name = "b", .flags = SF_STREAM_NON_BLOCKING }, &b));
    OK(sf_stream_create(device, &(sf_stream_desc){ .name = "c", .flags = SF_STREAM_NON_BLOCKING }, &c));
    OK(sf_event_create(device, SF_EVENT_DISABLE_TIMING, &e));
    OK(sf_event_create(device, SF_EVENT_DEFAULT, &other));
    OK(sf_mem_alloc(device, BYTES, SF_MEMORY_PINNED, (void **)&data));
    OK(sf_mem_alloc(device, BYTES, SF_MEMORY_PINNED, (void **)&result));
}
int main(int argc, char **argv)
{
    const size_t count = sizeof programs / sizeof *programs;
    size_t i;
    for (i = 0; argc == 2 && !strcmp(argv[1], "--list") && i < count; i++) {
        printf("%s\t%s\t%s\t%s\n", programs[i].name, programs[i].one, programs[i].two, programs[i].object);
    }
    if (argc != 5) { return argc == 2 ? 0 : 2; }
    for (i = 0; i < count && strcmp(argv[1], programs[i].name) != 0; i++) {}
    if (i == count) { return 2; }
    mistake = !strcmp(argv[2], "wrong");
    begin((sf_order)atoi(argv[3]), strtoull(argv[4], NULL, 10));
    programs[i].run(mistake);
    OK(sf_device_synchronize(device, SF_FOREVER));
    OK(sf_device_close(device, SF_FOREVER));
    return 0;
}
