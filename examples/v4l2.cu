/* v4l2.cu: the CUDA bodies of v4l2.c: the kernel of camera_isp.cu, and the call that lets kernels read memory of others.

   nvcc -O2 -arch=sm_90 -c v4l2.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES v4l2.c v4l2.o \
       -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ -lm && ./a.out --backend cuda */
#include "camera_isp.cu"

extern "C" int v4l2_lock(void *memory, size_t bytes)
{
    int same = 0, code = cudaDeviceGetAttribute(&same, cudaDevAttrCanUseHostPointerForRegisteredMem, 0);
    if (!code && !same) { return cudaErrorNotSupported; }        /* kernels would need another address */
    if (!code) { code = cudaHostRegister(memory, bytes, cudaHostRegisterDefault); }
    if (code) { (void)cudaGetLastError(); }      /* else the next launcher would return it */
    return code;
}
extern "C" void v4l2_unlock(void *memory)
{
    if (cudaHostUnregister(memory)) { (void)cudaGetLastError(); }
}
