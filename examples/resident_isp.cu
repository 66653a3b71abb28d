/*  resident_isp.cu - the CUDA bodies of resident_isp.c: those of camera_isp.c, and two more

    nvcc -O2 -DSF_WITH_CUDA_BODIES --fmad=false -Xcompiler=-ffp-contract=off,-pthread examples/resident_isp.c
         examples/resident_isp.cu -o resident_isp */
#include "camera_isp.cu"
#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"
#include "../streamflow_kernels.cu"
enum { DEPTH = 2 };                              /* all of this as in resident_isp.c */
typedef struct { uint8_t *dst; const uint8_t *store; const uint32_t *which; size_t bytes;
                 sf_resident_control *control; uint32_t *blocks; } produce_args;
typedef struct { isp_args isp; const uint8_t *ring; size_t bytes; const sf_resident_control *control; } next_args;

/* The block that is the last to have copied its part marks data ready: then all of the frame is there. */
static __global__ void produce_kernel(produce_args a)
{
    const uint4 *src = (const uint4 *)(a.store + *a.which * a.bytes);
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < a.bytes / sizeof(uint4); i += (size_t)gridDim.x * blockDim.x) { ((uint4 *)a.dst)[i] = src[i]; }
    __syncthreads();
    if (!a.control || threadIdx.x != 0) { return; }
    __threadfence();                             /* what this block wrote, before it counts */
    if (atomicAdd(a.blocks, 1) == gridDim.x - 1) {
        *a.blocks = 0;                           /* for the next frame */
        __threadfence();                         /* what the others counted, before the mark */
        sf_resident_mark_data_ready_dev(a.control);
    }
}
static __global__ void unpack_next_kernel(next_args a)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a.isp.src = a.ring + sf_resident_iteration_dev(a.control) % DEPTH * a.bytes;
    if (x < a.isp.width && y < a.isp.height) { isp_unpack(&a.isp, x, y); }
}

extern "C" int produce_cuda(void *stream, const void *args)
{
    const produce_args *a = (const produce_args *)args;
    unsigned blocks = (unsigned)((a->bytes / sizeof(uint4) + 255) / 256);
    produce_kernel<<<blocks < 256 ? blocks : 256, 256, 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}
extern "C" int unpack_next_cuda(void *stream, const void *args)
{
    const next_args *a = (const next_args *)args;
    dim3 block(32, 8), grid((a->isp.width + 31) / 32, (a->isp.height + 7) / 8);
    unpack_next_kernel<<<grid, block, 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}
