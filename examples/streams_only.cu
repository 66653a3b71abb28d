/* streams_only.cu: the CUDA bodies of streams_only.c's kernels: plain launchers, nothing of streamflow is needed.

   nvcc -O2 -arch=sm_90 -c streams_only.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES streams_only.c streams_only.o \
       -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ && ./a.out --backend cuda */
#include <stdint.h>
enum { N = 1 << 16 };                                               /* all of this as in streams_only.c */
typedef struct { uint32_t changed, turns; } progress;
typedef struct { uint32_t *square; const uint32_t *shift; } numbers_args;
typedef struct { const uint32_t *square; uint32_t *root; progress *seen; } newton_args;
typedef struct { uint64_t loop; progress *seen; } again_args;

static __global__ void numbers_kernel(numbers_args a)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) { a.square[i] = i * 2654435761u >> *a.shift | 1; }
}
static __global__ void newton_kernel(newton_args a)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) { return; }
    uint64_t x = a.root[i], next = (x + a.square[i] / x) / 2;
    if (next < x) { a.root[i] = (uint32_t)next, a.seen->changed = 1; }      /* whoever writes, writes the same */
}
static __global__ void again_kernel(again_args a)
{
    cudaGraphSetConditional(a.loop, a.seen->changed);
    a.seen->changed = 0;
    a.seen->turns++;
}

extern "C" int numbers_cuda(void *stream, const void *args)
{
    numbers_kernel<<<(N + 255) / 256, 256, 0, (cudaStream_t)stream>>>(*(const numbers_args *)args);
    return cudaGetLastError();
}
extern "C" int newton_cuda(void *stream, const void *args)
{
    newton_kernel<<<(N + 255) / 256, 256, 0, (cudaStream_t)stream>>>(*(const newton_args *)args);
    return cudaGetLastError();
}
extern "C" int again_cuda(void *stream, const void *args)
{
    again_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(*(const again_args *)args);
    return cudaGetLastError();
}
