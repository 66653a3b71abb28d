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
static __global__ void tally(tally_args a) { atomicAdd_system(a.word, a.n); }
static __global__ void trap() { __trap(); }
static __managed__ uint32_t words_elsewhere[1024];
extern "C" uint32_t *managed_elsewhere(void) { return words_elsewhere; }

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
extern "C" int tally_cuda(void *stream, const void *args)
{
    tally<<<1, 1, 0, (cudaStream_t)stream>>>(*(const tally_args *)args);
    return cudaGetLastError();
}
extern "C" int trap_cuda(void *stream, const void *args)
{
    (void)args;
    trap<<<1, 1, 0, (cudaStream_t)stream>>>();
    return cudaGetLastError();
}

/* -- graphs -- */

static __global__ void steer(steer_args a)
{
    if (a.skip) { return; }
    uint32_t v = (a.src ? *a.src % a.mod : *a.word) + a.add;
    *a.word = v;
    cudaGraphSetConditional(a.handle, v);
}
static __global__ void until(until_args a)
{
    if (!a.skip) { cudaGraphSetConditional(a.handle, *(volatile const uint32_t *)a.flag < a.value); }
}
static __global__ void vote(vote_args a)                     // slices 0 to 7, eight times
{
    uint32_t slice = (blockIdx.x * blockDim.x + threadIdx.x) % 8;
    if (!a.skip) { cudaGraphSetConditional(a.handle, a.value + a.step * slice); }
}

extern "C" int steer_cuda(void *stream, const void *args)
{
    steer<<<1, 1, 0, (cudaStream_t)stream>>>(*(const steer_args *)args);
    return cudaGetLastError();
}
extern "C" int until_cuda(void *stream, const void *args)
{
    until<<<1, 1, 0, (cudaStream_t)stream>>>(*(const until_args *)args);
    return cudaGetLastError();
}
extern "C" int vote_cuda(void *stream, const void *args)
{
    vote<<<2, 32, 0, (cudaStream_t)stream>>>(*(const vote_args *)args);
    return cudaGetLastError();
}
extern "C" int twice_cuda(void *stream, const void *args)
{
    int r = mix_cuda(stream, args);
    return r ? r : mix_cuda(stream, args);
}
