/* resident_sensor.cu: the CUDA bodies of resident_sensor.c's kernels. streamflow_kernels.cu has the calls by which
   they talk to the loop.

   nvcc -O2 -arch=sm_90 -c resident_sensor.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES resident_sensor.c \
       resident_sensor.o -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ && ./a.out --backend cuda */
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include "../streamflow_kernels.cu"
#include <cuda/atomic>
enum { FRAME = 64 * 1024, DEPTH = 4 };                          /* all of this as in resident_sensor.c */
typedef struct { uint64_t arrived, taken; } counters;
typedef struct { uint64_t number; uint8_t pixels[FRAME]; } picture;
typedef struct { uint8_t *ring; counters *count; sf_resident_control *mark; uint64_t number; } sensor_args;
typedef struct { uint64_t *number; counters *count; sf_resident_control *control; } number_args;
typedef struct { picture *out; const uint64_t *number; const uint8_t *ring; counters *count; } invert_args;
typedef cuda::atomic_ref<uint64_t, cuda::thread_scope_system> atomic_word;      /* a real sensor is not on the GPU */

static __device__ uint8_t pixel(uint64_t n, uint64_t i) { return (uint8_t)((n * 31 + i) * 2654435761u >> 24); }

static __global__ void sensor_kernel(sensor_args a)             /* one block: behind its barrier the frame is there */
{
    uint8_t *frame = a.ring + a.number % DEPTH * FRAME;
    for (uint32_t i = threadIdx.x; a.ring && i < FRAME; i += blockDim.x) { frame[i] = pixel(a.number, i); }
    __syncthreads();
    if (threadIdx.x != 0) { return; }
    if (a.mark) {
        sf_resident_mark_data_ready_dev(a.mark);
    } else {
        atomic_word(a.count->arrived).store(a.number, cuda::memory_order_release);
    }
}
static __global__ void compare_kernel(number_args a)
{
    if (atomic_word(a.count->arrived).load(cuda::memory_order_acquire) > a.count->taken) {
        *a.number = a.count->taken + 1;
        sf_resident_mark_data_ready_dev(a.control);             /* not marked is not ready */
    }
}
static __global__ void iteration_kernel(number_args a)
{
    *a.number = sf_resident_iteration_dev(a.control);
}
static __global__ void invert_kernel(invert_args a)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < FRAME) { a.out->pixels[i] = (uint8_t)(255 - a.ring[*a.number % DEPTH * FRAME + i]); }
    if (i == 0) { a.out->number = a.count->taken = *a.number; }
}

extern "C" int sensor_cuda(void *stream, const void *args)
{
    sensor_kernel<<<1, 512, 0, (cudaStream_t)stream>>>(*(const sensor_args *)args);
    return cudaGetLastError();
}
extern "C" int compare_cuda(void *stream, const void *args)
{
    compare_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(*(const number_args *)args);
    return cudaGetLastError();
}
extern "C" int iteration_cuda(void *stream, const void *args)
{
    iteration_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(*(const number_args *)args);
    return cudaGetLastError();
}
extern "C" int invert_cuda(void *stream, const void *args)
{
    invert_kernel<<<FRAME / 256, 256, 0, (cudaStream_t)stream>>>(*(const invert_args *)args);
    return cudaGetLastError();
}
