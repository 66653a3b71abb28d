// bench_kernels.cu - CUDA bodies of the benchmarks: as little as a kernel can be, launched with <<<>>>.
#define SF_WITH_CUDA_BODIES
#include "bench.h"

static __global__ void empty() {}
static __global__ void take(bench_args a, uint64_t *out)
{
    if (out) { *out = a.word[0]; }
}

extern "C" int bench_empty_cuda(void *stream, const void *args)
{
    (void)args;
    empty<<<1, 1, 0, (cudaStream_t)stream>>>();
    return cudaGetLastError();
}
extern "C" int bench_args_cuda(void *stream, const void *args)
{
    take<<<1, 1, 0, (cudaStream_t)stream>>>(*(const bench_args *)args, nullptr);
    return cudaGetLastError();
}
