#!/usr/bin/env bash
# cuCtxSynchronize() and cuCtxRecordEvent() of the primary context leave out a graph that runs on a stream of a green
# context, though not a kernel that was launched there.
# One expects: what waits for a context waits for kernels and graphs on its streams alike. The driver's manual says that
# the primary context's wait includes its green contexts.
# Seen with driver 580 (CUDA 13.0), nvcc 13.0, H200: see `expected`. `waits`: the call returned, or the event was
# reached, only when the kernel had ended. Needs nvcc and a GPU, else exits 77.
set -eu
command -v nvcc >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "needs nvcc and a GPU"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.cu <<'CU'
#include <cuda.h>
#include <cuda_runtime.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
static __global__ void runs_until(volatile int *flag) { while (!*flag) { __nanosleep(1000); } }
static std::atomic<int> ended;
static volatile int *flag;
static CUcontext primary;
static CUstream stream;
#define OK(call) do { int c_ = (int)(call); if (c_) { printf("%s: code %d\n", #call, c_); exit(1); } } while (0)
template <class Call> static void told(const char *what, cudaGraphExec_t graph, Call call)
{
    *flag = 0, ended = 0;
    if (graph) { OK(cudaGraphLaunch(graph, stream)); } else { runs_until<<<1, 1, 0, stream>>>(flag); }
    std::thread end([&] { std::this_thread::sleep_for(std::chrono::milliseconds(500)), ended = 1, *flag = 1; });
    int code = call(), late = ended;
    printf("%s, a %s: code %d, %s\n", what, graph ? "graph" : "kernel", code, late ? "waits" : "returns");
    end.join();
    OK(cuStreamSynchronize(stream));
}
int main()
{
    CUdevResource all, part[1], rest;
    CUdevResourceDesc desc;
    CUgreenCtx green;
    CUcontext of_green;
    CUevent event;
    CUstream plain;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    unsigned count = 1;
    OK(cudaFree(0));
    OK(cuCtxGetCurrent(&primary));
    OK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocDefault));
    OK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    OK(cuDevSmResourceSplitByCount(part, &count, &all, &rest, 0, 8));
    OK(cuDevResourceGenerateDesc(&desc, part, 1));
    OK(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    OK(cuCtxFromGreenCtx(&of_green, green));
    OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    OK(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    *flag = 1;
    OK(cuStreamBeginCapture(plain, CU_STREAM_CAPTURE_MODE_RELAXED));
    runs_until<<<1, 1, 0, plain>>>(flag);
    OK(cudaStreamEndCapture(plain, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));       /* loads all that is used */
    runs_until<<<1, 1, 0, stream>>>(flag);
    OK(cuStreamSynchronize(stream));
    for (cudaGraphExec_t x : { (cudaGraphExec_t) nullptr, exec }) {
        told("cuCtxSynchronize()", x, [] { return cuCtxSynchronize(); });
        told("cuCtxRecordEvent()", x, [&] {
            int code = cuCtxRecordEvent(primary, event);
            return code ? code : cuEventSynchronize(event);
        });
        told("cuGreenCtxRecordEvent()", x, [&] {
            int code = cuGreenCtxRecordEvent(green, event);
            return code ? code : cuEventSynchronize(event);
        });
        told("cuCtxSynchronize() in the green context", x, [&] {
            CUcontext was;
            int code = cuCtxSetCurrent(of_green);
            code = code ? code : cuCtxSynchronize();
            cuCtxGetCurrent(&was), cuCtxSetCurrent(primary);
            return code;
        });
        told("cuStreamSynchronize()", x, [] { return cuStreamSynchronize(stream); });
    }
}
CU
nvcc -O1 -arch=native -o waits main.cu -lcuda
cat >expected <<'TEXT'
cuCtxSynchronize(), a kernel: code 0, waits
cuCtxRecordEvent(), a kernel: code 0, waits
cuGreenCtxRecordEvent(), a kernel: code 0, waits
cuCtxSynchronize() in the green context, a kernel: code 0, waits
cuStreamSynchronize(), a kernel: code 0, waits
cuCtxSynchronize(), a graph: code 0, returns
cuCtxRecordEvent(), a graph: code 0, returns
cuGreenCtxRecordEvent(), a graph: code 0, waits
cuCtxSynchronize() in the green context, a graph: code 0, waits
cuStreamSynchronize(), a graph: code 0, waits
TEXT
timeout 60 ./waits >seen
cat seen
diff expected seen
