/* lazy_mlp.cu: the CUDA body of lazy_mlp.c's kernel. A plain launcher; nothing of streamflow is needed here.

   nvcc -O2 -arch=sm_90 -c lazy_mlp.cu && cc -O2 -pthread -DSF_WITH_CUDA_BODIES lazy_mlp.c lazy_mlp.o \
       -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lstdc++ -lm && ./a.out --backend cuda */
#include <stdint.h>
enum { SAMPLES = 32, ROWS = 8 };                                    /* a block: 8 rows of a batch's 32 samples */
typedef struct { float *y; const float *w, *b, *x; int32_t rows, columns, cut; } layer_args;    /* as in lazy_mlp.c */

static __global__ void layer_kernel(layer_args a)
{
    int r = blockIdx.x * ROWS + threadIdx.y, s = threadIdx.x;       /* a warp is a row: one weight for all of it */
    if (r >= a.rows) { return; }
    float sum = a.b[r];
    for (int c = 0; c < a.columns; c++) { sum += a.w[r * a.columns + c] * a.x[c * SAMPLES + s]; }
    a.y[r * SAMPLES + s] = a.cut && sum < 0 ? 0 : sum;
}

extern "C" int layer_cuda(void *stream, const void *args)
{
    const layer_args *a = (const layer_args *)args;
    layer_kernel<<<(a->rows + ROWS - 1) / ROWS, dim3(SAMPLES, ROWS), 0, (cudaStream_t)stream>>>(*a);
    return cudaGetLastError();
}
