// kernels.cu - CUDA bodies of the kernels that the suites use; their host twins are in test.h.
#define SF_WITH_CUDA_BODIES
#include "test.h"

static __global__ void mix(mix_args a)
{
    for (uint32_t i = 0; i < a.spin; i += 100) { __nanosleep(100); }
    for (uint32_t i = threadIdx.x; i < a.n; i += blockDim.x) {
        a.dst[i] = a.dst[i] * a.mul + (a.src ? a.src[i] : 0) + a.add;
    }
    if (a.log && threadIdx.x == 0) { a.log[1 + atomicAdd(a.log, 1)] = a.id; }
}
static __global__ void gate(flag_args a)
{
    while (*(volatile uint32_t *)a.flag < a.value) { __nanosleep(1000); }
    __threadfence_system();
}
static __global__ void lift(flag_args a)
{
    __threadfence_system();
    *(volatile uint32_t *)a.flag = a.value;
}
static __global__ void blob(blob_args a)
{
    for (uint32_t i = threadIdx.x; i < a.words; i += blockDim.x) { a.out[i] = a.data[i]; }
}
static __global__ void trap() { __trap(); }

extern "C" int mix_cuda(void *stream, const void *args)
{
    mix<<<1, 128, 0, (cudaStream_t)stream>>>(*(const mix_args *)args);
    return cudaGetLastError();
}
extern "C" int gate_cuda(void *stream, const void *args)
{
    gate<<<1, 1, 0, (cudaStream_t)stream>>>(*(const flag_args *)args);
    return cudaGetLastError();
}
extern "C" int lift_cuda(void *stream, const void *args)
{
    lift<<<1, 1, 0, (cudaStream_t)stream>>>(*(const flag_args *)args);
    return cudaGetLastError();
}
extern "C" int blob_cuda(void *stream, const void *args)
{
    blob<<<1, 128, 0, (cudaStream_t)stream>>>(*(const blob_args *)args);
    return cudaGetLastError();
}
extern "C" int trap_cuda(void *stream, const void *args)
{
    (void)args;
    trap<<<1, 1, 0, (cudaStream_t)stream>>>();
    return cudaGetLastError();
}
