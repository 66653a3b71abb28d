/*  camera_isp.cu - the CUDA bodies of camera_isp.c's kernels: plain launchers without streamflow. Those of
    all pixels come from one macro */
#include "camera_isp.h"

#define X(kernel)                                                                                   \
    static __global__ void kernel##_kernel(isp_args a)                                              \
    {                                                                                               \
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;   \
        if (x < a.width && y < a.height) { isp_##kernel(&a, x, y); }                                \
    }                                                                                               \
    extern "C" int kernel##_cuda(void *stream, const void *args)                                    \
    {                                                                                               \
        const isp_args *a = (const isp_args *)args;                                                 \
        dim3 block(32, 8), grid((a->width + 31) / 32, (a->height + 7) / 8);                         \
        kernel##_kernel<<<grid, block, 0, (cudaStream_t)stream>>>(*a);                              \
        return cudaGetLastError();                                                                  \
    }
ISP_KERNELS(X)
#undef X

/* Blocks count in shared memory, a line at a time, and add up at the end. */
static __global__ void statistics_kernel(isp_args a)
{
    __shared__ unsigned bins[256];
    __shared__ unsigned long long sum, dark;
    isp_statistics *to = (isp_statistics *)a.dst;
    bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) { sum = 0, dark = 0; }
    __syncthreads();
    unsigned long long own = 0, own_dark = 0;
    for (int y = (int)blockIdx.x - a.dark; y < a.height; y += gridDim.x) {
        for (int x = threadIdx.x; x < a.width; x += blockDim.x) {
            unsigned sample = isp_raw(&a, x, y);
            if (y < 0) { own_dark += sample; continue; }
            own += sample;
            atomicAdd(&bins[isp_bin(&a, sample)], 1u);
        }
    }
    atomicAdd(&sum, own);
    atomicAdd(&dark, own_dark);
    __syncthreads();
    if (bins[threadIdx.x]) { atomicAdd(&to->bins[threadIdx.x], bins[threadIdx.x]); }
    if (threadIdx.x == 0) {
        atomicAdd((unsigned long long *)&to->sum, sum);
        atomicAdd((unsigned long long *)&to->dark, dark);
    }
}
extern "C" int statistics_cuda(void *stream, const void *args)
{
    const isp_args *a = (const isp_args *)args;
    int lines = a->dark + a->height, code = cudaMemsetAsync(a->dst, 0, sizeof(isp_statistics), (cudaStream_t)stream);
    if (code) { return code; }
    statistics_kernel<<<lines < 128 ? lines : 128, 256, 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}
