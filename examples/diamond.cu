/* diamond.cu: the CUDA body of diamond.c's kernel. A plain launcher; nothing of streamflow is needed here.

   nvcc -O2 --fmad=false -arch=sm_90 -c diamond.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES diamond.c diamond.o \
       -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ && ./a.out --backend cuda */
#include <stdint.h>
enum { N = 1 << 20 };                                           /* both as in diamond.c */
typedef struct { uint8_t *z; const uint8_t *x, *y; } add_args;

static __global__ void add_kernel(add_args a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) { a.z[i] = a.x[i] + (a.y ? a.y[i] : 1); }
}

extern "C" int add_cuda(void *stream, const void *args)
{
    add_kernel<<<(N + 255) / 256, 256, 0, (cudaStream_t)stream>>>(*(const add_args *)args);
    return cudaGetLastError();
}
