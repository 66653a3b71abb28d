/* bridge.cu: the CUDA body of bridge.c's kernel. A plain launcher; nothing of streamflow is needed here.

   nvcc -O2 -arch=sm_90 -c bridge.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES bridge.c bridge.o \
       -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ && ./a.out --backend cuda */
#include <stdint.h>
enum { FRAME = 640 * 480, SCORES = 16, BAND = FRAME / SCORES };  /* both as in bridge.c */
typedef struct { float *scores; const uint8_t *frame; } detect_args;

static __global__ void detect_kernel(detect_args a)              /* a block for each score */
{
    __shared__ int sum;
    int mine = 0;
    if (threadIdx.x == 0) { sum = 0; }
    __syncthreads();
    for (int k = threadIdx.x; k < BAND; k += blockDim.x) { mine += a.frame[blockIdx.x * BAND + k]; }
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) { a.scores[blockIdx.x] = (float)sum / (BAND * 255.0f); }
}

extern "C" int detect_cuda(void *stream, const void *args)
{
    detect_kernel<<<SCORES, 256, 0, (cudaStream_t)stream>>>(*(const detect_args *)args);
    return cudaGetLastError();
}
