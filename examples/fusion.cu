/* fusion.cu: the CUDA body of fusion.c's kernel. A plain launcher; nothing of streamflow is needed here.

   nvcc -O2 -arch=sm_90 -c fusion.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES fusion.c fusion.o \
       -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ && ./a.out --backend cuda */
#include <stdint.h>
enum { FRAME = 64 * 48 };                                        /* both as in fusion.c */
typedef struct { uint8_t *out; const uint8_t *left, *right; } depth_args;

static __global__ void depth_kernel(depth_args a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < FRAME) { a.out[i] = (uint8_t)(a.left[i] - (a.right ? a.right[i] : 0)); }
}

extern "C" int depth_cuda(void *stream, const void *args)
{
    depth_kernel<<<(FRAME + 255) / 256, 256, 0, (cudaStream_t)stream>>>(*(const depth_args *)args);
    return cudaGetLastError();
}
