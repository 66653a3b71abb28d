/*  camera_isp.cu - the CUDA bodies of camera_isp.c's kernels: plain launchers without streamflow */
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
