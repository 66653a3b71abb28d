#!/usr/bin/env bash
# cuMemFreeHost() of memory that no work uses waits for kernels on any stream, and while it waits, another thread
# cannot begin a capture on a stream that is idle.
# One expects: the free of idle memory returns, or at least holds up its own thread alone.
# Seen with driver 580 (CUDA 13.0), nvcc 13.0, H200: see `expected`. `waits`: the call returned only when the kernel
# that ran on another stream had ended. Needs nvcc and a GPU, else exits 77.
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
#include <thread>
static __global__ void runs_until(volatile int *flag) { while (!*flag) { __nanosleep(1000); } }
static std::atomic<int> ended;
template <class Call> static void told(const char *what, Call call)
{
    int code = call();
    printf("%s: code %d, %s\n", what, code, ended ? "waits" : "returns");
    fflush(stdout);
}
static void sleep_ms(int n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); }
int main()
{
    volatile int *flag;
    void *idle;
    cudaStream_t other, s;
    cudaGraph_t graph;
    CUcontext context;
    cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocDefault);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cuCtxGetCurrent(&context);
    cuMemAllocHost(&idle, 4096);
    *flag = 1;
    runs_until<<<1, 1, 0, other>>>(flag);
    cudaStreamSynchronize(other);
    *flag = 0;
    runs_until<<<1, 1, 0, other>>>(flag);
    told("a capture beside the kernel", [&] {
        int code = cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
        cudaStreamEndCapture(s, &graph);
        return code;
    });
    std::thread frees([&] {
        cuCtxSetCurrent(context);
        told("cuMemFreeHost() of idle memory", [&] { return cuMemFreeHost(idle); });
    });
    sleep_ms(300);
    std::thread end([&] { sleep_ms(1000), ended = 1, *flag = 1; });
    int code = cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), late = ended;
    cudaStreamEndCapture(s, &graph);
    frees.join(), end.join();
    printf("a capture beside the kernel and the free: code %d, %s\n", code, late ? "waits" : "returns");
}
CU
nvcc -O1 -arch=native -o frees main.cu -lcuda
cat >expected <<'TEXT'
a capture beside the kernel: code 0, returns
cuMemFreeHost() of idle memory: code 0, waits
a capture beside the kernel and the free: code 0, waits
TEXT
timeout 60 ./frees >seen
cat seen
diff expected seen
