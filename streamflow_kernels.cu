/*  streamflow_kernels.cu - what the GPU-resident executor runs on the GPU

    Include it from a .cu file of yours for the calls that kernels make (below) and for SF_RESIDENT_FUSED().

    Compiled by itself it gives the control kernels of the loop; streamflow_gpu_resident.h carries them as PTX, so no
    program needs to build this file. After a change here, or in that header's section >>words, run
    tests/gen_ptx.py. */
#ifndef STREAMFLOW_H
    #include "streamflow.h"
#endif
#ifndef STREAMFLOW_GPU_RESIDENT_H
    #include "streamflow_gpu_resident.h"
#endif
#ifndef STREAMFLOW_KERNELS_CU
#define STREAMFLOW_KERNELS_CU

#define SFI_RESIDENT_DEV static inline __device__ __attribute__((unused))

/* >>calls: for kernels of yours, with the address that sf_resident_get_control() gave */

/* Data is ready, or not: by the data-ready handler, once per turn of the loop. In a loop that has neither a handler
   nor slots to be fed through, by any kernel on the device: each mark is one more iteration. By one thread; what was
   written before by the same thread, or behind a barrier, is seen by the iteration. */
SFI_RESIDENT_DEV void sf_resident_mark_data_ready_dev(sf_resident_control *control)
{
    sfi_resident_mark(control, true);
}
SFI_RESIDENT_DEV void sf_resident_mark_data_not_ready_dev(sf_resident_control *control)
{
    sfi_resident_mark(control, false);
}
SFI_RESIDENT_DEV uint64_t sf_resident_iteration_dev(const sf_resident_control *control)
{
    return control->sequence;
}
SFI_RESIDENT_DEV void sf_resident_raise_dev(sf_resident_control *control, int32_t code)
{
    sfi_resident_raise(control, code);
}

/* >>loop: what both the control kernels and fused loops are made of; all threads of one block call them */

/* Until there is data (true) or an end. Thread 0 waits, the others keep the books of the iteration before. */
static __device__ __noinline__ sfi_resident_turn sfi_resident_block_wait(sf_resident_control *c)
{
    __shared__ sfi_resident_turn turn;
    if (threadIdx.x == 0) {
        int64_t first = sfi_resident_clock(), now = first;
        unsigned nap = 125;
        while ((turn = sfi_resident_look(c, now)) == SFI_RESIDENT_WAIT) {
            int64_t idle = now - first, most = idle < c->now.calm_after ? c->now.nap : c->now.calm_nap;
            if (idle >= c->now.spin && most > 0) {
                nap = 2 * nap < most ? 2 * nap : (unsigned)most;
                __nanosleep(nap);            /* a millisecond at most, however long it is asked for */
            }
            now = sfi_resident_clock();
        }
        if (turn == SFI_RESIDENT_TAKE) { sfi_resident_take(c, now); }
    }
    if (blockDim.x > 32 && threadIdx.x >= 32 && threadIdx.x < 32 + SFI_RESIDENT_SPANS && c->account) {
        sfi_resident_account(c, threadIdx.x - 32);
    }
    __syncthreads();
    if (threadIdx.x == 0 && c->account) {
        c->before = c->published;
        c->account = 0;
    }
    return turn;
}

static __device__ __noinline__ void sfi_resident_move(char *to, const char *from, uint64_t bytes, uint64_t thread,
                                                         uint64_t threads)
{
    uint64_t i, wide = (((uintptr_t)to | (uintptr_t)from) & 15) ? 0 : bytes / 16;
    for (i = thread; i < wide; i += threads) { ((uint4 *)to)[i] = __ldcv((const uint4 *)from + i); }
    SFI_RESIDENT_ROLLED
    for (i = wide * 16 + thread; i < bytes; i += threads) { to[i] = ((const volatile char *)from)[i]; }
}
static __device__ __noinline__ void sfi_resident_copy_all(const sf_resident_control *c, uint32_t first,
                                                             uint32_t count, uint64_t thread, uint64_t threads)
{
    SFI_RESIDENT_ROLLED
    for (uint32_t i = first; i < first + count; i++) {
        const sfi_resident_copy *copy = &c->copies[i];
        const char *from = sfi_resident_from(c, copy);
        if (!from) { continue; }
        sfi_resident_move(copy->out ? sfi_resident_slot_of(c, copy) : copy->memory, from, copy->bytes, thread, threads);
    }
}

/* What one block can fetch by itself, and when the request was submitted. */
static __device__ __noinline__ void sfi_resident_block_fetch(sf_resident_control *c, uint32_t first, uint32_t count)
{
    if (threadIdx.x == 32 % blockDim.x) { sfi_resident_when(c); }
    sfi_resident_copy_all(c, first, count, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0) { c->started = sfi_resident_clock(); }
}
static __device__ __noinline__ void sfi_resident_block_publish(sf_resident_control *c, uint32_t first,
                                                                  uint32_t count)
{
    if (!c->live) { return; }
    if (threadIdx.x == 0) {
        c->finished = sfi_resident_clock();
        sfi_resident_enter(c, SFI_RESIDENT_STAGE_PUBLISH);
    }
    if (count) {
        sfi_resident_copy_all(c, first, count, threadIdx.x, blockDim.x);
        __syncthreads();
    }
    if (threadIdx.x == 0) { sfi_resident_publish(c); }
}
static __device__ __forceinline__ void sfi_resident_block_end(sf_resident_control *c)
{
    if (threadIdx.x < SFI_RESIDENT_SPANS && c->account) { sfi_resident_account(c, threadIdx.x); }
    __syncthreads();
    if (threadIdx.x == 0) {
        c->account = 0;
        sfi_resident_end(c);
    }
}

/* >>fused: SF_RESIDENT_FUSED(name, op1, op2, ...); the operators are __host__ __device__ functions */

#ifndef SF_RESIDENT_FUSED_THREADS
    #define SF_RESIDENT_FUSED_THREADS 256
#endif

template <sf_resident_fused_func... Ops> struct sfi_resident_ops;
template <> struct sfi_resident_ops<> {
    static __device__ __forceinline__ void run(sf_resident_control *, int) {}
};
template <sf_resident_fused_func First, sf_resident_fused_func... Rest> struct sfi_resident_ops<First, Rest...> {
    static __device__ __forceinline__ void run(sf_resident_control *c, int index)
    {
        sf_resident_fused_call call = c->fused[index];
        call.thread = (int32_t)threadIdx.x;
        call.threads = (int32_t)blockDim.x;
        First(&call);
        __syncthreads();
        sfi_resident_ops<Rest...>::run(c, index + 1);
    }
};
template <sf_resident_fused_func... Ops> static __global__ void sfi_resident_fused(sf_resident_control *c)
{
    if (threadIdx.x == 0) {
        sfi_resident_begin(c);
        if (sizeof...(Ops) != c->ops) { sfi_resident_raise(c, SF_ERROR_MISMATCH); }  /* not the operators added */
    }
    __syncthreads();
    while (sfi_resident_block_wait(c) == SFI_RESIDENT_TAKE) {
        sfi_resident_block_fetch(c, 0, c->copies_in);
        __syncthreads();
        sfi_resident_ops<Ops...>::run(c, 0);
        sfi_resident_block_publish(c, c->copies_in, c->copies_out);
        __syncthreads();
    }
    sfi_resident_block_end(c);
}

#undef SF_RESIDENT_FUSED
#define SF_RESIDENT_FUSED(fused_name, ...)                                                              \
    static int fused_name##_host(const sf_slice *, const void *args)                                    \
    {                                                                                                   \
        static const sf_resident_fused_func ops[] = { __VA_ARGS__ };                                    \
        return sf_resident_run_fused(args, ops, (int)(sizeof ops / sizeof *ops));                       \
    }                                                                                                   \
    static int fused_name##_cuda(void *stream, const void *args)                                        \
    {                                                                                                   \
        sfi_resident_fused<__VA_ARGS__><<<1, SF_RESIDENT_FUSED_THREADS, 0, (cudaStream_t)stream>>>(     \
            ((const sfi_resident_args *)args)->control);                                                \
        return (int)cudaGetLastError();                                                                 \
    }                                                                                                   \
    extern "C" const sf_kernel fused_name;                                                              \
    const sf_kernel fused_name = { #fused_name, fused_name##_host, fused_name##_cuda, 1, false, 1000 };

/* >>kernels: of the loop */

#if __INCLUDE_LEVEL__ == 0

/* Ours wait by themselves before they touch memory, and let what comes after them start early. (sm_90: whoever loads
   the PTX on an older device leaves these lines out.) */
static __device__ __forceinline__ void sfi_resident_after()
{
    asm volatile("griddepcontrol.wait;" : : : "memory");
}
static __device__ __forceinline__ void sfi_resident_let_go()
{
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

extern "C" __global__ void sf_resident_begin_kernel(sfi_resident_args a)
{
    sfi_resident_begin(a.control);
}

static __device__ __forceinline__ void sfi_resident_wait_here(const sfi_resident_args &a)
{
    sf_resident_control *c = a.control;
    if (c->aligned && c->done % c->slots != a.pass) {        /* not this pass's turn: after a relaunch */
        if (threadIdx.x == 0) { c->live = 0; }
        return;
    }
    sfi_resident_turn turn = sfi_resident_block_wait(c);
    sfi_resident_let_go();                   /* not before: blocks that wait would keep the device from others */
    if (threadIdx.x == 0) {
        c->pass = a.pass;
        if (a.loop) { cudaGraphSetConditional(a.loop, turn == SFI_RESIDENT_TAKE); }
    }
    if (turn == SFI_RESIDENT_TAKE) { sfi_resident_block_fetch(c, a.first, a.count); }
}
extern "C" __global__ void sf_resident_wait_kernel(sfi_resident_args a)
{
    sfi_resident_after();
    sfi_resident_wait_here(a);
}
extern "C" __global__ void sf_resident_publish_kernel(sfi_resident_args a)
{
    sfi_resident_let_go();
    sfi_resident_after();
    sfi_resident_block_publish(a.control, a.first, a.count);
}
/* For exact loops: the next turn is decided at the end of this one. `every` copies go in, from the first on. */
extern "C" __global__ void sf_resident_turn_kernel(sfi_resident_args a)
{
    sfi_resident_after();
    sfi_resident_block_publish(a.control, a.first, a.count);
    __syncthreads();
    a.first = 0;
    a.count = a.every;
    sfi_resident_wait_here(a);
}

/* After the handler: one look. Naps, where there is nothing, as the settings say. */
extern "C" __global__ void sf_resident_check_kernel(sfi_resident_args a)
{
    sf_resident_control *c = a.control;
    __shared__ sfi_resident_turn turn;
    if (threadIdx.x == 0) {
        int64_t now = sfi_resident_clock();
        while ((turn = sfi_resident_look(c, now)) == SFI_RESIDENT_WAIT && sfi_resident_device_pending(c)) {
            __nanosleep(500);                /* what the handler has found waits for room, or for the host's part */
            now = sfi_resident_clock();
        }
        sfi_resident_store32(&c->ready, SFI_RESIDENT_NOT_READY);
        if (turn == SFI_RESIDENT_TAKE) {
            sfi_resident_take(c, now);
        } else {
            int64_t idle = now - (c->published > c->start ? c->published : c->start);
            int64_t nap = idle < c->now.calm_after ? c->now.nap : c->now.calm_nap;
            c->live = 0;
            if (turn == SFI_RESIDENT_WAIT && idle >= c->now.spin && nap > 0) { __nanosleep((unsigned)nap); }
        }
        cudaGraphSetConditional(a.branch, turn == SFI_RESIDENT_TAKE);
        if (turn == SFI_RESIDENT_STOP) { cudaGraphSetConditional(a.loop, 0); }
    }
    if (threadIdx.x >= 32 && threadIdx.x < 32 + SFI_RESIDENT_SPANS && c->account) {
        sfi_resident_account(c, threadIdx.x - 32);
    }
    __syncthreads();
    if (threadIdx.x == 0 && c->account) {
        c->before = c->published;
        c->account = 0;
    }
    if (turn == SFI_RESIDENT_TAKE) { sfi_resident_block_fetch(c, a.first, a.count); }
}

extern "C" __global__ void sf_resident_copy_kernel(sfi_resident_args a)
{
    sfi_resident_after();
    sfi_resident_copy_all(a.control, a.first, a.count, blockIdx.x * (uint64_t)blockDim.x + threadIdx.x,
                          gridDim.x * (uint64_t)blockDim.x);
}

extern "C" __global__ void sf_resident_mark_kernel(sfi_resident_args a)
{
    sf_resident_control *c = a.control;
    uint32_t op = a.stage - SFI_RESIDENT_STAGE_OP;
    if (a.kind != SFI_RESIDENT_MARK_END && (c->live || a.every)) { sfi_resident_enter(c, a.stage); }
    if (a.kind == SFI_RESIDENT_MARK_BEGIN) { c->began_op[op] = sfi_resident_clock(); }
    if (a.kind == SFI_RESIDENT_MARK_END && c->live) {
        sfi_resident_tally(&c->histograms[SFI_RESIDENT_SPANS + op], sfi_resident_clock() - c->began_op[op]);
    }
}

extern "C" __global__ void sf_resident_choose_kernel(sfi_resident_args a)
{
    cudaGraphSetConditional(a.branch, a.predicate ? *a.predicate
                                                  : (uint32_t)(a.control->sequence % a.every == a.phase));
}

/* The two clocks: the host rings, the device says what time it has. */
extern "C" __global__ void sf_resident_clock_kernel(sfi_resident_args a)
{
    sfi_resident_mail *mail = a.control->mail;
    int64_t start = sfi_resident_clock();
    for (uint64_t i = 1; i <= 8; i++) {
        while (sfi_resident_load(&mail->submit[0].value) < i) {
            if (sfi_resident_clock() - start > 50000000) { return; }
        }
        sfi_resident_store(&mail->board.began, (uint64_t)sfi_resident_clock());
        sfi_resident_fence();
        sfi_resident_store(&mail->board.done, i);
    }
}

extern "C" __global__ void sf_resident_end_kernel(sfi_resident_args a)
{
    sfi_resident_block_end(a.control);
}

#endif /* __INCLUDE_LEVEL__ == 0 */
#endif /* STREAMFLOW_KERNELS_CU */
