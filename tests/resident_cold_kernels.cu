// resident_cold_kernels.cu - a kernel alone in its file: nothing else loads the file's module.
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include "../streamflow_kernels.cu"
#define SF_WITH_CUDA_BODIES
#include "test.h"
#include "resident_ring.h"

static __global__ void cold_body(fresh_args a)
{
    for (uint32_t i = 0; i < a.turns; i++) { *(volatile uint32_t *)a.count += a.add; }
}
extern "C" int cold0_cuda(void *stream, const void *args)
{
    cold_body<<<1, 1, 0, (cudaStream_t)stream>>>(*(const fresh_args *)args);
    return cudaGetLastError();
}
