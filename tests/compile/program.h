/* program.h: a small flow in the common subset of C99, C++11 and CUDA C++. 0 + 1 + ... + 9 = 45 has to arrive.
   Included after streamflow.h, and before anything else: it needs no other header. */
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

static int program(void)                /* 0 if it works */
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
    a = sf_add(flow, &source);
    b = sf_add(flow, &sink);
    sf_connect(flow, a, "x", b, "x", NULL);
    result = sf_run(flow);
    if (sf_flow_destroy(flow) < 0 || result < 0) { return 2; }
    return sum == 45 ? 0 : 3;
}
