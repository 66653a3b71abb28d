/*  exceptions.cc - what becomes of a C++ exception that leaves a function of the user's. With the implementation built
    as C++ the flow fails, and says what the exception does; -DC_IMPLEMENTATION: linked with one that was built as C,
    where it leaves sf_flow_run() and the flow refuses what would do harm. */
#ifndef C_IMPLEMENTATION
    #define STREAMFLOW_IMPLEMENTATION
    #define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#endif
#include "streamflow.h"
#include "streamflow_gpu_resident.h"
#include <cstdio>
#include <cstring>
#include <stdexcept>

enum place { COMPUTE, NO_STD_EXCEPTION, START, STOP, INITIALIZE, CHECK, ON_EXECUTE, HOOK, HOST_FUNC, CALLBACK, KERNEL,
             PLACES };
static const char *const calls[PLACES] = { "compute", "compute", "start", "stop", "initialize", "custom.check",
                                           "custom.on_execute", "hook.func", "a host function on stream",
                                           "a callback on stream", "kernel \"hot\" of operator \"camera\"" };
static int place;
static void throw_at(int here)
{
    if (place != here) { return; }
    if (here == NO_STD_EXCEPTION) { throw 7; }
    throw std::runtime_error("lens cap");
}
static void host_func(void *) { throw_at(HOST_FUNC); }
static void callback(sf_stream *, sf_result, void *) { throw_at(CALLBACK); }
static int host_body(const sf_slice *, const void *) { return throw_at(KERNEL), 0; }
static sf_result compute(sf_context *ctx)
{
    static sf_kernel hot;                    /* has to last */
    int argument = 0;
    throw_at(COMPUTE);
    throw_at(NO_STD_EXCEPTION);
    if (place < HOST_FUNC) { return SF_OK; }
    hot.name = "hot";
    hot.host = host_body;
    if (place == HOST_FUNC) { (void)sf_launch_host_func(sf_compute_stream(ctx), host_func, nullptr); }
    if (place == CALLBACK) { (void)sf_stream_add_callback(sf_compute_stream(ctx), callback, nullptr, 0); }
    return place == KERNEL ? sf_launch(sf_compute_stream(ctx), &hot, &argument, sizeof argument) : SF_OK;
}
static sf_result start(sf_context *) { return throw_at(START), SF_OK; }
static sf_result stop(sf_context *) { return throw_at(STOP), SF_OK; }
static sf_result initialize(sf_context *) { return throw_at(INITIALIZE), SF_OK; }
static sf_readiness check(void *, int64_t, int64_t *) { return throw_at(CHECK), SF_READY; }
static void on_execute(void *, int64_t) { throw_at(ON_EXECUTE); }
static void hook(sf_hook which, const sf_context *, int, const sf_tensor *, void *)
{
    if (which == SF_HOOK_BEGIN) { throw_at(HOOK); }
}
static sf_flow *flow_with(int workers)
{
    sf_flow_desc desc = sf_flow_desc();
    sf_op_desc op = sf_op_desc();
    desc.backend = SF_BACKEND_HOST;
    desc.workers[0].count = workers;
    if (place == HOOK) { desc.hook.func = hook; }
    sf_flow *flow = sf_flow_create(desc);
    op.name = "camera", op.count = place == KERNEL ? 1 : 3;  /* a second one meets the fault that the first one left */
    op.compute = compute, op.start = start, op.stop = stop, op.initialize = initialize;
    op.out[0].name = "frame", op.out[0].bytes = 64;
    if (place >= CHECK && place <= HOOK) { op.on_error = SF_ON_ERROR_IGNORE; }         /* is about the compute */
    if (place == CHECK || place == ON_EXECUTE) {
        op.when[0].kind = SF_CONDITION_USER;
        op.when[0].custom.check = check, op.when[0].custom.on_execute = on_execute;
    }
    (void)sf_flow_add(flow, op);
    return flow;
}
static sf_result run(sf_flow *flow, bool steps)
{
    sf_result r = SF_OK;
    if (!steps) { return sf_flow_run(flow); }
    while ((r = sf_flow_step(flow, nullptr)) >= 0 && r != SF_DONE) {}
    return r;
}
static int wrong(const char *what, int workers, const char *text)
{
    return std::printf("%s, %d workers: %s: %s\n", calls[place], workers, what, text), 1;
}

#ifndef C_IMPLEMENTATION
static int fails(int workers, bool steps)
{
    sf_flow *flow = flow_with(workers);
    const sf_result want = place < HOST_FUNC ? SF_ERROR_USER : SF_ERROR_LAUNCH_FAILED;
    const sf_result r = run(flow, steps);
    int bad = 0;
    const sf_failure *failure = sf_flow_failure(flow);
    const char *says = place == NO_STD_EXCEPTION ? "not a std::exception" : "lens cap";
    if (r != want) { bad += wrong("the result", workers, failure->text); }
    if (!std::strstr(failure->text, says)) { bad += wrong("what() is missing", workers, failure->text); }
    if (!std::strstr(failure->text, calls[place])) { bad += wrong("the call is missing", workers, failure->text); }
    if (std::strstr(failure->text, "ignored")) { bad += wrong("it ended the flow", workers, failure->text); }
    if (!std::strstr(failure->text, "camera")) { bad += wrong("who?", workers, failure->text); }
    if (sf_flow_destroy(flow) != want) { bad += wrong("sf_flow_destroy()", workers, ""); }
    return bad;
}
static int fails_in_a_loop()
{
    sf_resident_desc desc = sf_resident_desc();
    sf_op_desc op = sf_op_desc();
    int bad = 0;
    desc.backend = SF_BACKEND_HOST;
    sf_resident *loop = sf_resident_create(&desc);
    op.name = "camera", op.compute = compute;
    op.out[0].name = "frame", op.out[0].bytes = 64, op.out[0].external = true;
    (void)sf_resident_add(loop, &op);
    if (sf_resident_build(loop) != SF_ERROR_USER) { bad += wrong("sf_resident_build()", 0, ""); }
    const char *text = sf_resident_failure(loop)->text;
    if (!std::strstr(text, "camera") || !std::strstr(text, "lens cap")) { bad += wrong("the loop's", 0, text); }
    (void)sf_resident_destroy(loop);
    return bad;
}
int main()
{
    int bad = 0;
    place = COMPUTE;
    bad += fails_in_a_loop();
    for (place = 0; place < PLACES; place++) {
        for (int workers = 0; workers < 3; workers++) { bad += fails(workers, false); }
        bad += fails(0, true);
    }
    return bad != 0;
}
#else
static int refused(bool steps)
{
    sf_flow *flow = flow_with(0);
    int bad = 1;
    try { (void)run(flow, steps); } catch (const std::runtime_error &) { bad = 0; }
    if (bad) { (void)wrong("it did not come out", 0, ""); }
    char stack[4096];                        /* where the frames were */
    std::memset(stack, 0x5a, sizeof stack);
    __asm__ __volatile__("" : : "r"(stack) : "memory");
    if (sf_flow_destroy(flow) != SF_ERROR_REENTRANT) { bad += wrong("sf_flow_destroy()", 0, ""); }
    if (sf_flow_run(flow) != SF_ERROR_REENTRANT) { bad += wrong("sf_flow_run()", 0, ""); }
    if (sf_flow_step(flow, nullptr) != SF_ERROR_REENTRANT) { bad += wrong("sf_flow_step()", 0, ""); }
    if (!std::strstr(sf_flow_failure(flow)->text, "as C++")) { bad += wrong("text", 0, sf_flow_failure(flow)->text); }
    const int was = place;                   /* others are not harmed */
    place = PLACES;
    flow = flow_with(0);
    if (sf_flow_run(flow) != SF_OK || sf_flow_destroy(flow) != SF_OK) { bad += wrong("another flow", 0, ""); }
    place = was;
    return bad;
}
int main()
{
    int bad = 0;
    for (place = 0; place < HOST_FUNC; place++) {
        if (place != NO_STD_EXCEPTION) { bad += refused(false) + refused(true); }
    }
    return bad != 0;
}
#endif
