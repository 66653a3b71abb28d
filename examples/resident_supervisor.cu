/* resident_supervisor.cu: the CUDA body of resident_supervisor.c's kernel.

   nvcc -O2 -arch=sm_90 -c resident_supervisor.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES resident_supervisor.c \
       resident_supervisor.o -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ && ./a.out --backend cuda */
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include "../streamflow_kernels.cu"
enum { PIXELS = 4096 };                                         /* all of this as in resident_supervisor.c */
typedef struct { uint64_t number; uint8_t pixels[PIXELS]; } frame;
typedef struct { uint64_t *sum; const frame *in; sf_resident_control *control; uint64_t raise, fault; } measure_args;

static __global__ void measure_kernel(measure_args a)           /* one block */
{
    __shared__ unsigned sum;
    unsigned mine = 0;
    if (a.in->number == a.fault) { __trap(); }
    if (threadIdx.x == 0) {
        sum = 0;
        if (a.in->number == a.raise) { sf_resident_raise_dev(a.control, SF_ERROR_USER); }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < PIXELS; i += blockDim.x) { mine += a.in->pixels[i]; }
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) { *a.sum = sum; }
}

extern "C" int measure_cuda(void *stream, const void *args)
{
    measure_kernel<<<1, 256, 0, (cudaStream_t)stream>>>(*(const measure_args *)args);
    return cudaGetLastError();
}
