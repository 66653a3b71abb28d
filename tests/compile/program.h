/* program.h: a small flow, a graph and a lazy operation in the common subset of C99, C++11 and CUDA C++. 0 + 1 + ... +
   9 = 45 has to arrive. Included after streamflow.h, and before anything else: it needs no other header. */
#define PROGRAM_RUNS 10

static sf_result program_source(sf_context *ctx)
{
    sf_value v;
    v.u64 = ctx->run;
    return sf_emit_value(ctx, 0, v);
}

static sf_result program_sink(sf_context *ctx)
{
    uint64_t *sum = (uint64_t *)ctx->user;
    *sum += sf_receive_value(ctx, 0).u64;
    return SF_OK;
}

#ifdef SF_NO_STDLIB                     /* no heap and no clock either: the program brings both */
static int64_t program_now(void *user)
{
    int64_t *ticks = (int64_t *)user;
    return *ticks += 1000;
}
#endif

static int program_flow(void)           /* 0 if it works */
{
    static sf_flow_desc desc;           /* static: all zero, without an initializer that some compiler warns about */
    static sf_op_desc source, sink;
    uint64_t sum = 0;
    sf_flow *flow;
    sf_op a, b;
    sf_result result;
#ifdef SF_NO_STDLIB
    static union { sf_value aligned; uint8_t bytes[65536]; } memory;
    static int64_t ticks;
    desc.memory.ptr = &memory;
    desc.memory.bytes = sizeof memory;
    desc.limits.ops = 2;
    desc.limits.edges = 1;
    desc.limits.messages = 4;
    desc.clock.now = program_now;
    desc.clock.user = &ticks;
#endif
    desc.backend = SF_BACKEND_HOST;
    source.name = "source";
    source.compute = program_source;
    source.count = PROGRAM_RUNS;
    source.out[0].name = "x";
    sink.name = "sink";
    sink.compute = program_sink;
    sink.user = &sum;
    sink.in[0].name = "x";
    flow = sf_flow_create(&desc);
    a = sf_flow_add(flow, &source);
    b = sf_flow_add(flow, &sink);
    sf_flow_connect(flow, a, "x", b, "x", NULL);
    result = sf_flow_run(flow);
    if (sf_flow_destroy(flow) < 0 || result < 0) { return 2; }
    return sum == 45 ? 0 : 3;
}

#ifndef SF_NO_DEVICE
static int program_add(const sf_slice *slice, const void *args)
{
    uint64_t *sum = *(uint64_t *const *)args;
    sf_graph_conditional *handle = *((sf_graph_conditional *const *)args + 1);
    *sum += 1;
    sf_graph_conditional_set(*handle, *sum < 10);
    return slice->index;
}

static sf_result program_loop(sf_device *device, sf_stream *stream, const sf_kernel *add, const void *args, size_t bytes,
                              sf_graph_conditional *handle)        /* while (sum < 10) sum++ */
{
    static sf_node_desc loop;
    sf_graph *graph = NULL, *body = NULL, *same = NULL;
    sf_graph_exec *exec = NULL;
    sf_result r = sf_graph_create(device, &graph);
    if (r == SF_OK) { r = sf_graph_conditional_create(graph, 1, true, handle); }
    loop.type = SF_NODE_CONDITIONAL;
    loop.conditional.handle = *handle;
    loop.conditional.type = SF_GRAPH_WHILE;
    loop.conditional.bodies = 1;
    loop.conditional.body = &body;
    if (r == SF_OK) { r = sf_graph_add_node(graph, NULL, 0, &loop, NULL); }
    if (r == SF_OK) { r = sf_stream_begin_capture_to_graph(stream, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL); }
    if (r == SF_OK) { r = sf_launch(stream, add, args, bytes); }
    if (r == SF_OK) { r = sf_stream_end_capture(stream, &same); }
    if (r == SF_OK) { r = sf_graph_instantiate(graph, 0, &exec); }
    if (r == SF_OK) { r = sf_graph_launch(exec, stream); }
    if (r == SF_OK) { r = sf_stream_synchronize(stream, SF_FOREVER); }
    sf_graph_exec_destroy(exec);
    sf_graph_destroy(graph);
    return r;
}

#ifndef SF_NO_LAZY
static sf_result program_double(sf_lazy_context *x, const sf_value *in, int count, sf_value *out)
{
    uint64_t *drops = (uint64_t *)x->state;
    out->u64 = count == 1 ? 2 * in[0].u64 + *drops : 0;
    return SF_OK;
}

static void program_drop(void *state, sf_value value, sf_stream *stream)
{
    *(uint64_t *)state += value.u64 != 0 && stream ? 1 : 0;
}

static int program_lazy(sf_device *device, uint64_t *drops)  /* 0 if it works; drops: 1 when the device is closed */
{
    static sf_lazy_desc twice;
    sf_value value;
    sf_result r;
    twice.run = program_double;
    twice.state = drops;
    twice.drop_value = program_drop;
    value.u64 = 21;
    r = sf_lazy_sync(sf_lazy_then(sf_lazy_value(device, value), &twice), NULL, SF_FOREVER, &value);
    if (r < 0 || value.u64 != 42) { return 6; }
    r = sf_lazy_sync(sf_lazy_then(sf_lazy_value(device, value), &twice), NULL, SF_FOREVER, NULL);
    return r < 0 ? 7 : 0;
}
#else
static int program_lazy(sf_device *device, uint64_t *drops) { return *drops = 1, device ? 0 : 6; }
#endif

static int program_graph(void)          /* 0 if it works */
{
    static sf_device_desc desc;
    static sf_kernel add;
    static sf_graph_conditional handle;
    uint64_t sum = 0, drops = 0;
    int wrong;
    const void *args[2];
    sf_device *device = NULL;
    sf_stream *stream = NULL;
#ifdef SF_NO_STDLIB
    static union { sf_value aligned; uint8_t bytes[1 << 20]; } memory;
    desc.memory.ptr = &memory;
    desc.memory.bytes = sizeof memory;
#endif
    desc.backend = SF_BACKEND_HOST;
    desc.host.order = SF_ORDER_FIRST_IN;
    add.name = "add";
    add.host = program_add;
    args[0] = &sum;
    args[1] = &handle;
    if (sf_device_open(&desc, &device) < 0 || sf_stream_create(device, NULL, &stream) < 0) { return 4; }
    if (program_loop(device, stream, &add, args, sizeof args, &handle) < 0 || sum != 10) { return 5; }
    wrong = program_lazy(device, &drops);
    if (sf_stream_destroy(stream) < 0 || sf_device_close(device, SF_FOREVER) < 0) { return 8; }
    return wrong ? wrong : drops == 1 ? 0 : 9;
}

#else
static int program_graph(void) { return 0; }
#endif

static int program(void)                /* 0 if it works */
{
    int flow = program_flow();
    return flow ? flow : program_graph();
}
