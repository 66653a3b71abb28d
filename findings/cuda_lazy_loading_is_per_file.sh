#!/usr/bin/env bash
# What waits for a running kernel under CUDA's lazy loading is not the first launch of each kernel but the first use
# of each .cu file: a launch, and also cudaFuncGetAttributes() and a capture, which launch nothing.
# One expects: a kernel is loaded at its first launch; a capture only writes a node; the second kernel of a file is as
# cold as the first one.
# Seen with driver 580 (CUDA 13.0), nvcc 13.0, H200: see `expected`. `waits`: the call returned only when the kernel
# that ran on another stream had ended. With CUDA_MODULE_LOADING=EAGER nothing waits. Needs nvcc and a GPU, else exits
# 77.
set -eu
command -v nvcc >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "needs nvcc and a GPU"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for file in capture ask launch; do
    cat >$file.cu <<CU
#include <cuda_runtime.h>
static __global__ void first() {}
static __global__ void second() {}
extern "C" int ${file}_first(cudaStream_t s) { first<<<1, 1, 0, s>>>(); return cudaGetLastError(); }
extern "C" int ${file}_second(cudaStream_t s) { second<<<1, 1, 0, s>>>(); return cudaGetLastError(); }
extern "C" int ${file}_attributes() { cudaFuncAttributes a; return cudaFuncGetAttributes(&a, first); }
CU
done
cat >main.cu <<'CU'
#include <cuda_runtime.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
extern "C" {
int capture_first(cudaStream_t);
int capture_second(cudaStream_t);
int ask_attributes();
int launch_first(cudaStream_t);
int launch_second(cudaStream_t);
}
static __global__ void runs_until(volatile int *flag) { while (!*flag) { __nanosleep(1000); } }
static volatile int *flag;
static std::atomic<int> returned;
template <class Call> static void beside_a_kernel(const char *what, cudaStream_t other, Call call)
{
    returned = 0, *flag = 0;
    runs_until<<<1, 1, 0, other>>>(flag);
    std::thread end([] {                     // ends the kernel when the call has returned, or after two seconds
        for (int i = 0; i < 200 && !returned; i++) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
        if (!returned) { returned = -1; }
        *flag = 1;
    });
    int code = call(), late = returned.exchange(1) == -1;
    end.join();
    cudaStreamSynchronize(other);
    printf("%s: code %d, %s\n", what, code, late ? "waits" : "returns");
}
int main()
{
    cudaStream_t other, s;
    cudaGraph_t graph;
    cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocDefault);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    *flag = 1;
    runs_until<<<1, 1, 0, other>>>(flag);
    cudaStreamSynchronize(other);
    auto captured = [&](int (*launch)(cudaStream_t)) {
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
        int code = launch(s), ended = cudaStreamEndCapture(s, &graph);
        return code ? code : ended;
    };
    beside_a_kernel("capture of a file's first kernel", other, [&] { return captured(capture_first); });
    beside_a_kernel("capture of its second one", other, [&] { return captured(capture_second); });
    beside_a_kernel("cudaFuncGetAttributes() in a file", other, [&] { return ask_attributes(); });
    beside_a_kernel("launch of a file's first kernel", other, [&] { return launch_first(s); });
    beside_a_kernel("launch of its second one", other, [&] { return launch_second(s); });
}
CU
nvcc -O1 -arch=native -o loading main.cu capture.cu ask.cu launch.cu
cat >expected <<'TEXT'
LAZY
capture of a file's first kernel: code 0, waits
capture of its second one: code 0, returns
cudaFuncGetAttributes() in a file: code 0, waits
launch of a file's first kernel: code 0, waits
launch of its second one: code 0, returns
EAGER
capture of a file's first kernel: code 0, returns
capture of its second one: code 0, returns
cudaFuncGetAttributes() in a file: code 0, returns
launch of a file's first kernel: code 0, returns
launch of its second one: code 0, returns
TEXT
for mode in LAZY EAGER; do
    echo $mode
    CUDA_MODULE_LOADING=$mode timeout 60 ./loading
done >seen
cat seen
diff expected seen
