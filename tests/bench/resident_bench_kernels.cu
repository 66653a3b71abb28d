// resident_bench_kernels.cu - CUDA bodies of resident_bench.c, and the same chain by hand: what CUDA itself allows.
#define SF_WITH_CUDA_BODIES
#include "../../streamflow.h"
#include "../../streamflow_gpu_resident.h"
#include "../../streamflow_kernels.cu"
#include "resident_bench.h"

#include <string.h>

// -- bodies --

template <bool programmatic> static __global__ void step(step_args a)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (programmatic) {
        cudaTriggerProgrammaticLaunchCompletion();           // the next one may be launched, and waits as this does
        cudaGridDependencySynchronize();
    }
    if (a.stamp && i == 0) { *(volatile uint64_t *)a.stamp = stamp_now(); }
    if (i < a.n) { a.out[i] = lcg(a.in[i]); }
}
static dim3 step_grid(uint32_t n) { return dim3((n + 255) / 256); }
static dim3 step_block(uint32_t n) { return dim3(n < 256 ? n : 256); }

extern "C" int step_cuda(void *stream, const void *args)
{
    const step_args *a = (const step_args *)args;
    step<false><<<step_grid(a->n), step_block(a->n), 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}
extern "C" int step_programmatic_cuda(void *stream, const void *args)
{
    const step_args *a = (const step_args *)args;
    step<true><<<step_grid(a->n), step_block(a->n), 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}

// The stamp is kept until data is marked: a store to the host's memory on the way would be waited for.
static __global__ void produce(produce_args a)
{
    uint64_t now = stamp_now();
    sf_resident_mark_data_ready_dev(a.control);
    *(volatile uint64_t *)a.stamp = now;
}
extern "C" int produce_cuda(void *stream, const void *args)
{
    const produce_args *a = (const produce_args *)args;
    if (!a->control) {                                       // loads it: while a loop stays, CUDA could not
        cudaFuncAttributes attributes;
        return cudaFuncGetAttributes(&attributes, produce);
    }
    produce<<<1, 1, 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}

static __global__ void load(load_args a)                     // two blocks fill a multiprocessor
{
    if (threadIdx.x == 0 && !*(volatile const uint32_t *)a.stop) {
        for (uint64_t begun = stamp_now(); stamp_now() - begun < a.ns;) {}
    }
    __syncthreads();
}
extern "C" int load_cuda(void *stream, const void *args)
{
    const load_args *a = (const load_args *)args;
    load<<<a->blocks, 1024, 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}

static __global__ void fill(load_args a)                     // eight blocks fill a multiprocessor; all threads compute
{
    float x = (float)threadIdx.x;
    if (*(volatile const uint32_t *)a.stop) { return; }
    for (uint64_t begun = stamp_now(); stamp_now() - begun < a.ns;) {
        for (int i = 0; i < 64; i++) { x = x * 1.0001f + 0.5f; }
    }
    asm volatile("" : : "f"(x));
}
extern "C" int fill_cuda(void *stream, const void *args)
{
    const load_args *a = (const load_args *)args;
    fill<<<a->blocks, 256, 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}

SF_RESIDENT_FUSED(chain_fused, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step,
                  fused_step)
#undef SF_RESIDENT_FUSED_THREADS
#define SF_RESIDENT_FUSED_THREADS 1024                       // for what fills more than 256 threads
SF_RESIDENT_FUSED(wide_fused, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step, fused_step,
                  fused_step)
#undef SF_RESIDENT_FUSED_THREADS
#define SF_RESIDENT_FUSED_THREADS 256
SF_RESIDENT_FUSED(number_fused, fused_number, fused_number, fused_number, fused_number, fused_number, fused_number,
                  fused_number, fused_number)

// -- by hand --

static const uint64_t RAW_DEADLINE = 20000000000u;
enum : uint32_t { RAW_STOP = 0xffffffffu };
enum { RAW_BYTES = 65536 };
enum { RAW_TAKEN, RAW_KNOWN, RAW_PASSES, RAW_MARKS, RAW_COUNTS };    // of an unrolled loop: requests; passes; marks

struct raw_words {                                           // in the host's memory, each with one writer
    alignas(128) uint32_t ready;                             // requests so far; HOLOSCAN: 1 or 0, and two write
    alignas(128) uint32_t done;
    alignas(128) uint32_t stop;
};
static struct {
    raw_desc desc;
    raw_words *words;
    uint64_t *x, *in, *out;                                  // the device's; the host's
    uint32_t *count;                                         // the device's: graphs run, or a loop's counts, and ...
    uint64_t *begun;                                         // ... when a loop began
    cudaStream_t stream, beside;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    uint32_t fired;
} raw;

#define RAW_OK(call)                                                                                         \
    do {                                                                                                     \
        cudaError_t code_ = (call);                                                                          \
        if (code_ != cudaSuccess) { return code_; }                                                          \
    } while (0)

static __device__ uint32_t load_acquire(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
static __device__ void store_release(uint32_t *p, uint32_t v)
{
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

static __global__ void persistent(raw_words *w, uint64_t *x, int operators)
{
    uint64_t begun = stamp_now();
    uint32_t ready, turn = 0;
    for (uint32_t sequence = 1;; sequence++) {
        while ((ready = load_acquire(&w->ready)) < sequence) {
            if (++turn % 1024 == 0 && stamp_now() - begun > RAW_DEADLINE) { return; }
        }
        if (ready == RAW_STOP) { return; }
        uint64_t v = *x;
        for (int i = 0; i < operators; i++) { v = lcg(v); }
        *x = v;
        store_release(&w->done, sequence);
    }
}
static __global__ void persistent_block(raw_words *w, uint64_t *x, int operators)
{
    __shared__ uint32_t ready;
    uint64_t begun = stamp_now();
    uint32_t turn = 0;
    for (uint32_t sequence = 1;; sequence++) {
        if (threadIdx.x == 0) {
            while ((ready = load_acquire(&w->ready)) < sequence) {
                if (++turn % 1024 == 0 && stamp_now() - begun > RAW_DEADLINE) { ready = RAW_STOP; }
            }
            x[1] = x[0];
        }
        __syncthreads();
        if (ready == RAW_STOP) { return; }
        for (int i = 1; i <= operators; i++) {
            if (threadIdx.x == 0) { *(volatile uint64_t *)&x[i + 1] = lcg(*(volatile uint64_t *)&x[i]); }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            x[0] = x[operators + 1];
            store_release(&w->done, sequence);
        }
        __syncthreads();
    }
}
static __global__ void publish(raw_words *w, uint32_t *count) { store_release(&w->done, ++*count); }
static __global__ void controller(raw_words *w, uint32_t sleep_us, uint64_t *begun, cudaGraphConditionalHandle loop,
                                  cudaGraphConditionalHandle work)
{
    uint32_t ready = load_acquire(&w->ready), stop = load_acquire(&w->stop);
    if (!*begun) { *begun = stamp_now(); }
    for (uint32_t i = 0; !ready && i < sleep_us; i++) { __nanosleep(1000); }
    cudaGraphSetConditional(work, ready && !stop);
    if (stop || stamp_now() - *begun > RAW_DEADLINE) { cudaGraphSetConditional(loop, 0); }
}
static __global__ void end_marker(raw_words *w)
{
    store_release(&w->ready, 0);
    store_release(&w->done, 1);
}
// The end of the pass before, if it was asked for, and the wait for a request: asks the host for what it does not
// know. `loose`: it tells the host how far it is without a fence, which is all that a loop can leave out.
static __global__ void turn(raw_words *w, uint32_t *count, uint64_t *begun, bool loose,
                            cudaGraphConditionalHandle loop)
{
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    uint32_t taken = count[RAW_TAKEN], known = count[RAW_KNOWN], polls = 0;
    if (!*begun) { *begun = stamp_now(); }
    if (taken && loose) { *(volatile uint32_t *)&w->done = taken; }
    if (taken && !loose) { store_release(&w->done, taken); }
    while (known <= taken) {
        known = load_acquire(&w->ready);
        if (++polls % 1024 == 0 && stamp_now() - *begun > RAW_DEADLINE) { known = RAW_STOP; }
    }
    count[RAW_KNOWN] = known;
    count[RAW_PASSES]++;
    if (known == RAW_STOP) { cudaGraphSetConditional(loop, 0); } else { count[RAW_TAKEN] = taken + 1; }
}

// The same, for marks in device memory.
static __global__ void mark(uint32_t *count, uint64_t *stamp)
{
    uint64_t now = stamp_now();
    __threadfence();
    atomicAdd(&count[RAW_MARKS], 1);
    *(volatile uint64_t *)stamp = now;
}
static __device__ void tell_done(raw_words *w, const uint32_t *count)
{
    if (count[RAW_TAKEN]) { store_release(&w->done, count[RAW_TAKEN]); }
}
static __global__ void marks_done(raw_words *w, const uint32_t *count)
{
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    tell_done(w, count);
}
static __global__ void await_mark(raw_words *w, uint32_t *count, uint64_t *begun, uint32_t ask, bool tells,
                                  cudaGraphConditionalHandle loop)
{
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    uint32_t taken = count[RAW_TAKEN], marks = taken, stop = 0;
    if (!*begun) { *begun = stamp_now(); }
    if (tells) { tell_done(w, count); }
    for (uint32_t polls = 1; marks == taken && !stop; polls++) {
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(marks) : "l"(&count[RAW_MARKS]) : "memory");
        if (polls % (ask ? ask : 16384) == 0) { stop = load_acquire(&w->stop); }
        if (polls % 16384 == 0) { stop |= stamp_now() - *begun > RAW_DEADLINE; }
    }
    count[RAW_PASSES]++;
    if (stop) { cudaGraphSetConditional(loop, 0); } else { count[RAW_TAKEN] = taken + 1; }
}

// The chain, n times over, as <<<>>> does it or with programmatic edges; `first`: there is nothing before it.
static void raw_edges(cudaLaunchConfig_t *config, cudaLaunchAttribute *serial, bool programmatic, bool first)
{
    serial->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    serial->val.programmaticStreamSerializationAllowed = 1;
    config->stream = raw.stream;
    config->attrs = serial;
    config->numAttrs = programmatic && !first;
}
static cudaError_t raw_enqueue(bool programmatic, int chains, uint32_t n, bool first)
{
    step_args args = { raw.x, raw.x, NULL, n };
    cudaLaunchAttribute serial = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = step_grid(n);
    config.blockDim = step_block(n);
    for (int i = 0; i < CHAIN * chains; i++) {
        args.stamp = raw.desc.stamps && i == 0 ? raw.desc.stamps + 16 : NULL;
        raw_edges(&config, &serial, programmatic, first && i == 0);
        RAW_OK(cudaLaunchKernelEx(&config, programmatic ? step<true> : step<false>, args));
    }
    return cudaSuccess;
}
static cudaError_t raw_capture(void)
{
    bool copies = raw.desc.bytes > 0;
    uint32_t n = copies ? (uint32_t)(raw.desc.bytes / sizeof *raw.x) : 1;
    RAW_OK(cudaStreamBeginCapture(raw.stream, cudaStreamCaptureModeThreadLocal));
    if (copies) { RAW_OK(cudaMemcpyAsync(raw.x, raw.in, raw.desc.bytes, cudaMemcpyHostToDevice, raw.stream)); }
    RAW_OK(raw_enqueue(raw.desc.programmatic, 1, n, true));
    if (copies) { RAW_OK(cudaMemcpyAsync(raw.out, raw.x, raw.desc.bytes, cudaMemcpyDeviceToHost, raw.stream)); }
    if (raw.desc.kind == RAW_GRAPH_SPIN) { publish<<<1, 1, 0, raw.stream>>>(raw.words, raw.count); }
    return cudaStreamEndCapture(raw.stream, &raw.graph);
}
static cudaError_t raw_conditional(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                   cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                   cudaGraph_t *body)
{
    cudaGraphNodeParams params = {};
    cudaGraphNode_t node;
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = 1;
    RAW_OK(cudaGraphAddNode(&node, graph, after, NULL, count, &params));
    *body = params.conditional.phGraph_out[0];
    return cudaSuccess;
}
static cudaError_t raw_holoscan(void)
{
    cudaGraph_t turn, work;
    cudaGraphConditionalHandle turn_handle, work_handle;
    cudaGraphNode_t first;
    size_t count = 1;
    RAW_OK(cudaGraphCreate(&raw.graph, 0));
    RAW_OK(cudaGraphConditionalHandleCreate(&turn_handle, raw.graph, 1, cudaGraphCondAssignDefault));
    RAW_OK(cudaGraphConditionalHandleCreate(&work_handle, raw.graph, 0, cudaGraphCondAssignDefault));
    RAW_OK(raw_conditional(raw.graph, NULL, 0, turn_handle, cudaGraphCondTypeWhile, &turn));
    RAW_OK(cudaStreamBeginCaptureToGraph(raw.stream, turn, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    controller<<<1, 1, 0, raw.stream>>>(raw.words, raw.desc.sleep_us, raw.begun, turn_handle, work_handle);
    RAW_OK(cudaStreamEndCapture(raw.stream, &turn));
    RAW_OK(cudaGraphGetNodes(turn, &first, &count));
    RAW_OK(raw_conditional(turn, &first, 1, work_handle, cudaGraphCondTypeIf, &work));
    RAW_OK(cudaStreamBeginCaptureToGraph(raw.stream, work, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    RAW_OK(raw_enqueue(false, 1, 1, true));
    end_marker<<<1, 1, 0, raw.stream>>>(raw.words);
    return cudaStreamEndCapture(raw.stream, &work);
}

static cudaError_t raw_unrolled(void)
{
    cudaGraph_t body;
    cudaGraphConditionalHandle loop;
    cudaLaunchAttribute serial = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 1;
    RAW_OK(cudaGraphCreate(&raw.graph, 0));
    RAW_OK(cudaGraphConditionalHandleCreate(&loop, raw.graph, 1, cudaGraphCondAssignDefault));
    RAW_OK(raw_conditional(raw.graph, NULL, 0, loop, cudaGraphCondTypeWhile, &body));
    RAW_OK(cudaStreamBeginCaptureToGraph(raw.stream, body, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    for (int pass = 0; pass < SLOTS; pass++) {
        raw_edges(&config, &serial, raw.desc.programmatic, pass == 0);
        if (raw.desc.kind == RAW_UNROLLED) {
            RAW_OK(cudaLaunchKernelEx(&config, turn, raw.words, raw.count, raw.begun, raw.desc.loose, loop));
        } else {
            if (raw.desc.split) { RAW_OK(cudaLaunchKernelEx(&config, marks_done, raw.words, raw.count)); }
            raw_edges(&config, &serial, raw.desc.programmatic, pass == 0 && !raw.desc.split);
            RAW_OK(cudaLaunchKernelEx(&config, await_mark, raw.words, raw.count, raw.begun, raw.desc.ask,
                                      !raw.desc.split, loop));
        }
        RAW_OK(raw_enqueue(raw.desc.programmatic, 1, 1, false));
    }
    return cudaStreamEndCapture(raw.stream, &body);
}

static cudaError_t raw_reset(void)                           // allocates but once: a free would wait for all loops
{
    if (!raw.words) {
        int least, greatest;
        RAW_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        RAW_OK(cudaStreamCreateWithPriority(&raw.stream, cudaStreamNonBlocking, greatest));
        RAW_OK(cudaStreamCreateWithPriority(&raw.beside, cudaStreamNonBlocking, greatest));
        RAW_OK(cudaHostAlloc((void **)&raw.words, sizeof *raw.words, cudaHostAllocMapped));
        RAW_OK(cudaHostAlloc((void **)&raw.in, RAW_BYTES, cudaHostAllocMapped));
        RAW_OK(cudaHostAlloc((void **)&raw.out, RAW_BYTES, cudaHostAllocMapped));
        RAW_OK(cudaMalloc((void **)&raw.x, RAW_BYTES));
        RAW_OK(cudaMalloc((void **)&raw.count, RAW_COUNTS * sizeof *raw.count));
        RAW_OK(cudaMalloc((void **)&raw.begun, sizeof *raw.begun));
        memset(raw.in, 0, RAW_BYTES);
    }
    memset((void *)raw.words, 0, sizeof *raw.words);
    raw.fired = 0;
    RAW_OK(cudaMemsetAsync(raw.x, 0, RAW_BYTES, raw.stream));
    RAW_OK(cudaMemsetAsync(raw.count, 0, RAW_COUNTS * sizeof *raw.count, raw.stream));
    RAW_OK(cudaMemsetAsync(raw.begun, 0, sizeof *raw.begun, raw.stream));
    return cudaStreamSynchronize(raw.stream);
}
static bool raw_loops(void) { return raw.desc.kind == RAW_HOLOSCAN || raw.desc.kind >= RAW_UNROLLED; }
extern "C" int raw_open(const raw_desc *desc)
{
    cudaFuncAttributes attributes;
    RAW_OK(cudaFuncGetAttributes(&attributes, mark));        // loads it: while a loop stays, CUDA could not
    RAW_OK(raw_reset());
    raw.desc = *desc;
    switch (desc->kind) {
    case RAW_PERSISTENT:
        if (desc->memory) {
            persistent_block<<<1, 256, 0, raw.stream>>>(raw.words, raw.x, CHAIN);
        } else {
            persistent<<<1, 1, 0, raw.stream>>>(raw.words, raw.x, CHAIN);
        }
        return cudaGetLastError();
    case RAW_LAUNCHES_SYNC: return cudaSuccess;
    case RAW_HOLOSCAN: RAW_OK(raw_holoscan()); break;
    case RAW_UNROLLED:
    case RAW_MARKED: RAW_OK(raw_unrolled()); break;
    default: RAW_OK(raw_capture()); break;
    }
    RAW_OK(cudaGraphInstantiate(&raw.exec, raw.graph, 0));
    RAW_OK(cudaGraphUpload(raw.exec, raw.stream));
    RAW_OK(cudaStreamSynchronize(raw.stream));
    return raw_loops() ? cudaGraphLaunch(raw.exec, raw.stream) : cudaSuccess;
}
extern "C" int raw_fire(uint64_t first)
{
    raw.fired++;
    switch (raw.desc.kind) {
    case RAW_PERSISTENT:
    case RAW_UNROLLED: __atomic_store_n(&raw.words->ready, raw.fired, __ATOMIC_RELEASE); return cudaSuccess;
    case RAW_MARKED:
        mark<<<1, 1, 0, raw.beside>>>(raw.count, raw.desc.stamps);
        RAW_OK(cudaGetLastError());
        return cudaStreamSynchronize(raw.beside);
    case RAW_HOLOSCAN:
        __atomic_store_n(&raw.words->done, 0u, __ATOMIC_RELEASE);
        __atomic_store_n(&raw.words->ready, 1u, __ATOMIC_RELEASE);
        return cudaSuccess;
    case RAW_LAUNCHES_SYNC: RAW_OK(raw_enqueue(false, 1, 1, true)); return cudaStreamSynchronize(raw.stream);
    case RAW_GRAPH_SYNC:
        RAW_OK(cudaGraphLaunch(raw.exec, raw.stream));
        return cudaStreamSynchronize(raw.stream);
    default:
        *(volatile uint64_t *)raw.in = first;
        return cudaGraphLaunch(raw.exec, raw.stream);
    }
}
extern "C" bool raw_ready(void)
{
    uint32_t done = __atomic_load_n(&raw.words->done, __ATOMIC_ACQUIRE);
    switch (raw.desc.kind) {
    case RAW_PERSISTENT:
    case RAW_UNROLLED:
    case RAW_MARKED:
    case RAW_GRAPH_SPIN: return done == raw.fired;
    case RAW_HOLOSCAN: return done == 1;
    default: return true;
    }
}
static bool raw_right(void)                                  // each request went through the chain, once
{
    uint64_t x = 0, expected = raw.desc.bytes ? *raw.in : 0;
    uint32_t chains = raw.desc.bytes ? 1 : raw.fired, count[RAW_COUNTS];
    if (raw.desc.kind >= RAW_UNROLLED) {                     // with the passes too many
        if (cudaMemcpy(count, raw.count, sizeof count, cudaMemcpyDeviceToHost) != cudaSuccess) { return false; }
        if (count[RAW_TAKEN] != raw.fired || count[RAW_PASSES] % SLOTS) { return false; }
        chains = count[RAW_PASSES];
    }
    for (uint32_t i = 0; i < CHAIN * chains; i++) { expected = lcg(expected); }
    if (cudaMemcpy(&x, raw.x, sizeof x, cudaMemcpyDeviceToHost) != cudaSuccess) { return false; }
    return x == expected && (!raw.desc.bytes || *raw.out == expected);
}
extern "C" int raw_close(void)
{
    if (raw.desc.kind == RAW_PERSISTENT || raw.desc.kind == RAW_UNROLLED) {
        __atomic_store_n(&raw.words->ready, RAW_STOP, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&raw.words->stop, 1u, __ATOMIC_RELEASE);
    RAW_OK(cudaStreamSynchronize(raw.stream));
    if (raw.exec) { RAW_OK(cudaGraphExecDestroy(raw.exec)); }
    if (raw.graph) { RAW_OK(cudaGraphDestroy(raw.graph)); }
    raw.exec = NULL;
    raw.graph = NULL;
    return raw_right() ? cudaSuccess : cudaErrorUnknown;
}

extern "C" int raw_throughput(bool programmatic, int chains, int launches, double *ns)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    uint64_t start;
    raw.desc.stamps = NULL;
    RAW_OK(raw_reset());
    RAW_OK(cudaStreamBeginCapture(raw.stream, cudaStreamCaptureModeThreadLocal));
    RAW_OK(raw_enqueue(programmatic, chains, 1, true));
    RAW_OK(cudaStreamEndCapture(raw.stream, &graph));
    RAW_OK(cudaGraphInstantiate(&exec, graph, 0));
    RAW_OK(cudaGraphUpload(exec, raw.stream));
    RAW_OK(cudaStreamSynchronize(raw.stream));
    start = stamp_now();
    for (int i = 0; i < launches; i++) { RAW_OK(cudaGraphLaunch(exec, raw.stream)); }
    RAW_OK(cudaStreamSynchronize(raw.stream));
    *ns = (double)(stamp_now() - start) / chains / launches;
    RAW_OK(cudaGraphExecDestroy(exec));
    return cudaGraphDestroy(graph);
}
