// flow_kernels.cu - CUDA bodies of the kernels in flow_test.h.
#define SF_WITH_CUDA_BODIES
#include "flow_test.h"

static __global__ void paint(paint_args p)
{
    for (uint32_t i = 0; i < p.n; i++) {
        if (i == p.n / 2) {
            for (uint32_t k = 0; k < p.spin; k += 100) { __nanosleep(100); }
        }
        p.out[i] = (p.a ? p.a[i] : 0) + (p.b ? p.b[i] : 0) + p.add;
    }
}
static __global__ void probe(probe_args p)
{
    uint32_t value = p.in[0], torn = 0;
    for (uint32_t i = 0; i < p.n; i++) {
        if (i == p.n / 2) {
            for (uint32_t k = 0; k < p.spin; k += 100) { __nanosleep(100); }
        }
        torn += ((const volatile uint32_t *)p.in)[i] != value;
    }
    p.log[0] = value;
    p.log[1] += torn;
    __threadfence_system();
    atomicAdd(&p.log[2], 1);
}
extern "C" int paint_cuda(void *stream, const void *args)
{
    paint<<<1, 1, 0, (cudaStream_t)stream>>>(*(const paint_args *)args);
    return cudaGetLastError();
}
extern "C" int probe_cuda(void *stream, const void *args)
{
    probe<<<1, 1, 0, (cudaStream_t)stream>>>(*(const probe_args *)args);
    return cudaGetLastError();
}
