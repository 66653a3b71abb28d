/* resident.cu: the CUDA body of resident.c's kernel. A plain launcher; nothing of streamflow is needed here.

   nvcc -O2 -arch=sm_90 -c resident.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES resident.c resident.o \
       -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ && ./a.out --backend cuda */
enum { N = 4096 };                                              /* both as in resident.c */
typedef struct { float *y; const float *x; float a, b; } axpb_args;

static __global__ void axpb_kernel(axpb_args k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) { k.y[i] = k.a * k.x[i] + k.b; }
}

extern "C" int axpb_cuda(void *stream, const void *args)
{
    axpb_kernel<<<(N + 255) / 256, 256, 0, (cudaStream_t)stream>>>(*(const axpb_args *)args);
    return cudaGetLastError();
}
