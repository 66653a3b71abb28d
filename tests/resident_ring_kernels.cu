// resident_ring_kernels.cu - CUDA bodies of the kernels in resident_ring.h.
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include "../streamflow_kernels.cu"
#define SF_WITH_CUDA_BODIES
#include "test.h"
#include "resident_ring.h"

static __device__ uint32_t load(const uint32_t *word) { return *(const volatile uint32_t *)word; }
static __device__ void store(uint32_t *word, uint32_t value) { *(volatile uint32_t *)word = value; }

static __global__ void ring_body(ring_args a)
{
    __shared__ uint32_t now;
    if (threadIdx.x == 0) {
        now = (uint32_t)sf_resident_iteration_dev(a.control);
        store(&a.note->entered, now);
        __threadfence_system();
        while (now > load(&a.orders->gate)) { __nanosleep(1000); }
        __threadfence_system();
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; a.a && i < a.n; i += blockDim.x) { a.out[i] = a.a[i] ^ a.key * (i + 1); }
    for (uint32_t i = threadIdx.x; a.b && i < a.n; i += blockDim.x) { a.out[a.n + i] = a.b[i] ^ a.key * (i + 1); }
    __syncthreads();
    if (threadIdx.x == 0) {                                  // pinned memory, one writer
        uint32_t left = load(&a.note->left);
        if (now > left + 1) { store(&a.note->gaps, load(&a.note->gaps) + 1); }
        if (now <= left) { store(&a.note->repeats, load(&a.note->repeats) + 1); }
        store(&a.note->left, now);
        store(&a.note->runs, load(&a.note->runs) + 1);
        if (now && now == load(&a.orders->raise_at)) { sf_resident_raise_dev(a.control, (sf_result)a.orders->code); }
        if (now && now == load(&a.orders->fault_at)) { __trap(); }
    }
}
template <int Number> static __global__ void fresh_body(fresh_args a)        // each one to be loaded anew
{
    for (uint32_t i = 0; i < a.turns; i++) { store(a.count, load(a.count) + a.add); }
}
static __global__ void ring_mark_body(ring_mark_args a)
{
    for (uint32_t i = 0; i < a.times; i++) { sf_resident_mark_data_ready_dev(a.control); }
}

extern "C" int ring_cuda(void *stream, const void *args)
{
    ring_body<<<1, 32, 0, (cudaStream_t)stream>>>(*(const ring_args *)args);
    return cudaGetLastError();
}
extern "C" int ring_mark_cuda(void *stream, const void *args)
{
    ring_mark_body<<<1, 1, 0, (cudaStream_t)stream>>>(*(const ring_mark_args *)args);
    return cudaGetLastError();
}
template <int Number> static int fresh_launch(void *stream, const void *args)
{
    fresh_body<Number><<<1, 1, 0, (cudaStream_t)stream>>>(*(const fresh_args *)args);
    return cudaGetLastError();
}
extern "C" int fresh0_cuda(void *stream, const void *args) { return fresh_launch<0>(stream, args); }
extern "C" int fresh1_cuda(void *stream, const void *args) { return fresh_launch<1>(stream, args); }
extern "C" int fresh2_cuda(void *stream, const void *args) { return fresh_launch<2>(stream, args); }
extern "C" int fresh3_cuda(void *stream, const void *args) { return fresh_launch<3>(stream, args); }
extern "C" int cold1_cuda(void *stream, const void *args) { return fresh_launch<5>(stream, args); }
extern "C" int cold2_cuda(void *stream, const void *args) { return fresh_launch<6>(stream, args); }
extern "C" int cold3_cuda(void *stream, const void *args) { return fresh_launch<7>(stream, args); }

SF_RESIDENT_FUSED(ring_fused, ring_fused_op)
