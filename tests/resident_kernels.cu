// resident_kernels.cu - CUDA bodies of the kernels in resident_test.h.
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include "../streamflow_kernels.cu"
#define SF_WITH_CUDA_BODIES
#include "resident_test.h"

static __device__ void blend_body(const blend_args &a)
{
    for (uint32_t i = threadIdx.x; i < a.n; i += blockDim.x) {
        if (i >= a.n / 2) {
            for (uint32_t k = 0; k < a.spin; k += 100) { __nanosleep(100); }
        }
        a.out[i] = blend_word(&a, i);
    }
    if (a.ran && threadIdx.x == 0) {                         // pinned memory: one writer at a time, no atomics there
        *(volatile uint32_t *)a.ran = *(volatile uint32_t *)a.ran + 1;
    }
}
static __global__ void blend(blend_args a) { blend_body(a); }
static __global__ void early(blend_args a)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();               // who comes next waits for all of this, too
    cudaGridDependencySynchronize();
#endif
    blend_body(a);
}
static __global__ void stamp(stamp_args a) { a.out[0] = (uint32_t)sf_resident_iteration_dev(a.control); }
static __global__ void mark(mark_args a)
{
    uint32_t turn = *(volatile uint32_t *)a.turn, word = MARK_NOT_READY;
    if (turn < *(volatile const uint32_t *)a.limit) {
        __threadfence_system();
        word = ((volatile const uint32_t *)a.script)[a.wrap ? turn % a.wrap : turn];
        *(volatile uint32_t *)a.turn = turn + 1;
        for (uint32_t i = 0; i < a.n; i++) { a.out[i] = turn; }
    }
    if (word == MARK_NOT_READY) { sf_resident_mark_data_not_ready_dev(a.control); }
    if (word == MARK_READY || word == MARK_TWICE) { sf_resident_mark_data_ready_dev(a.control); }
    if (word == MARK_TWICE) { sf_resident_mark_data_ready_dev(a.control); }
    if (word >= MARK_RAW) { *(volatile uint32_t *)a.control = word - MARK_RAW; }
}
static __global__ void raise_if(raise_args a)
{
    if (a.in[0] == a.value) { sf_resident_raise_dev(a.control, (sf_result)a.code); }
}
static __device__ uint64_t nanoseconds()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
static __global__ void meet(meet_args a)
{
    uint32_t turn = a.in[0];
    uint64_t since = nanoseconds();
    *(volatile uint32_t *)a.mine = turn;
    __threadfence_system();
    while (*(volatile uint32_t *)a.other != turn && !*(volatile uint32_t *)a.missed) {
        if (nanoseconds() - since > MEET_NS) { *(volatile uint32_t *)a.missed = 1; }
        __nanosleep(1000);
    }
    for (uint32_t i = 0; i < a.n; i++) { a.out[i] = a.in[i] + 1; }
}

#undef SF_RESIDENT_FUSED_THREADS
#define SF_RESIDENT_FUSED_THREADS 1024                       // in resident_ring_kernels.cu it is 256, the default
SF_RESIDENT_FUSED(fused_three, fused_first, fused_second, fused_third)

extern "C" int blend_cuda(void *stream, const void *args)
{
    blend<<<1, 128, 0, (cudaStream_t)stream>>>(*(const blend_args *)args);
    return cudaGetLastError();
}
extern "C" int early_cuda(void *stream, const void *args)
{
    early<<<1, 128, 0, (cudaStream_t)stream>>>(*(const blend_args *)args);
    return cudaGetLastError();
}
extern "C" int stamp_cuda(void *stream, const void *args)
{
    stamp<<<1, 1, 0, (cudaStream_t)stream>>>(*(const stamp_args *)args);
    return cudaGetLastError();
}
extern "C" int mark_cuda(void *stream, const void *args)
{
    mark<<<1, 1, 0, (cudaStream_t)stream>>>(*(const mark_args *)args);
    return cudaGetLastError();
}
extern "C" int raise_cuda(void *stream, const void *args)
{
    raise_if<<<1, 1, 0, (cudaStream_t)stream>>>(*(const raise_args *)args);
    return cudaGetLastError();
}
extern "C" int meet_cuda(void *stream, const void *args)
{
    meet<<<1, 1, 0, (cudaStream_t)stream>>>(*(const meet_args *)args);
    return cudaGetLastError();
}
