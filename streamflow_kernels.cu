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
    return control->at.sequence;
}
SFI_RESIDENT_DEV void sf_resident_raise_dev(sf_resident_control *control, int32_t code)
{
    sfi_resident_raise(control, code);
}

/* >>loop: what both the control kernels and fused loops are made of; all threads of one block call them */

/* Naps grow: after `spin`, and to what the settings allow. A millisecond at most, however long it is asked for. */
static __device__ __forceinline__ void sfi_resident_nap(const sfi_resident_settings *set, int64_t idle, unsigned *nap)
{
    int64_t most = idle < set->calm_after ? set->nap : set->calm_nap;
    if (idle < set->spin || most <= 0) { return; }
    *nap = 2 * *nap < most ? 2 * *nap : (unsigned)most;
    __nanosleep(*nap);
}

static __device__ __forceinline__ sfi_resident_turn sfi_resident_wait_long(sf_resident_control *c)
{
    int64_t first = sfi_resident_clock(), now = first;
    sfi_resident_turn turn;
    unsigned nap = 125;
    while ((turn = sfi_resident_look(c, now)) == SFI_RESIDENT_WAIT) {
        sfi_resident_nap(&c->now, now - first, &nap);
        now = sfi_resident_clock();
    }
    if (turn == SFI_RESIDENT_TAKE) { sfi_resident_take(c, now); }
    return turn;
}

/* The same for one source or trigger without handler, where time counts: all words of the device's own memory are
   read once, side by side; then only the host's is asked, across the bus, and while that is on its way the marks. What is
   out of the ordinary (a stop, a raise, time is up, no room) goes the long way. */
static __device__ __forceinline__ void sfi_resident_take_short(sf_resident_control *c,
                                                               const sfi_resident_progress &at, int64_t now)
{
    c->at.sequence = at.done + 1;
    c->at.submitted = c->at.started = now;
    c->at.live = c->at.fresh = 1;
    c->at.beat = at.beat + 1;
}
/* A trigger comes from the device, which is quick to ask, or from the host, across the bus; answers come in the order
   of the questions. So where the last one came from the device, the host is asked every eighth time only, until
   naps are long. */
static __device__ __forceinline__ bool sfi_resident_poll_marks(const sf_resident_control *c, uint32_t marks_taken,
                                                               uint64_t *marked)
{
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(*marked) : "l"(&c->ready));           /* | marks << 32 */
    return (uint32_t)(*marked >> 32) != marks_taken || (uint32_t)*marked == SFI_RESIDENT_READY;
}
static __device__ __forceinline__ sfi_resident_turn sfi_resident_wait_short(sf_resident_control *c,
                                                                            sfi_resident_mail *mail)
{
    const sfi_resident_progress at = c->at;
    const sfi_resident_settings set = c->now;
    const uint64_t taken = c->taken[0], *word = &mail->submit[0].value;
    const uint32_t triggered = c->triggered, marks_taken = c->marks_taken, slots = c->slots;
    const uint32_t odd = c->stopped | c->late;
    const int64_t start = c->start, first = sfi_resident_clock();
    uint64_t count = taken, marked;
    uint32_t sinks = c->sinks, raised = c->raised, polls = c->by_device, host_every = c->by_device ? 8 : 1;
    int64_t now = first;
    unsigned nap = 125;
    for (uint32_t t = 0; t < sinks; t++) {
        if (at.completed - c->room[t] >= slots) { return sfi_resident_wait_long(c); }
    }
    for (;;) {
        if (odd || raised || (set.timeout > 0 && now - start >= set.timeout)) { return sfi_resident_wait_long(c); }
        if (triggered) {
            if (polls++ % host_every == 0) { asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(count) : "l"(word)); }
            if (sfi_resident_poll_marks(c, marks_taken, &marked)) {
                if ((uint32_t)(marked >> 32) != marks_taken) {
                    c->marks_taken = marks_taken + 1;
                } else {
                    sfi_resident_store32(&c->ready, SFI_RESIDENT_NOT_READY);
                }
                c->by_device = 1;
                sfi_resident_take_short(c, at, sfi_resident_clock());
                return SFI_RESIDENT_TAKE;
            }
        } else {
            asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(count) : "l"(word) : "memory");
        }
        if (count & ~SFI_RESIDENT_COUNT) { return sfi_resident_wait_long(c); }
        if (count > taken) {
            c->taken[0] = taken + 1;
            c->seen[0] = count;
            c->by_device = 0;
            sfi_resident_take_short(c, at, sfi_resident_clock());
            return SFI_RESIDENT_TAKE;
        }
        now = sfi_resident_clock();
        if (now - first >= set.spin) {
            sfi_resident_nap(&set, now - first, &nap);
            if (nap > 2000) { host_every = 1; }      /* beside a long nap the bus costs nothing */
            raised = sfi_resident_load32(&c->raised);
            now = sfi_resident_clock();
        }
    }
}

/* Until there is data, or an end. */
static __device__ __forceinline__ sfi_resident_turn sfi_resident_block_wait(sf_resident_control *c,
                                                                            sfi_resident_mail *mail)
{
    __shared__ sfi_resident_turn turn;
    if (threadIdx.x == 0) { turn = c->quick ? sfi_resident_wait_short(c, mail) : sfi_resident_wait_long(c); }
    __syncthreads();
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
        sfi_resident_move(copy->out ? sfi_resident_slot_of(c, copy) : copy->memory, from, copy->bytes, thread,
                          threads);
    }
}

/* What one block can fetch by itself, and when the request was submitted. Of one source it is known beforehand where
   the next request will lie: read while the first thread waits. */
typedef struct sfi_resident_plan {
    const sfi_resident_copy *copies;
    const uint64_t *when;
    uint64_t slot;
} sfi_resident_plan;

static __device__ __forceinline__ void sfi_resident_prepare_fetch(const sf_resident_control *c, uint32_t first,
                                                                  sfi_resident_plan *plan)
{
    plan->copies = c->copies + first;
    plan->slot = c->taken[0] % c->in_slots;
    plan->when = &c->times[plan->slot];
    if (threadIdx.x < 32) { (void)*(const volatile uint64_t *)&plan->copies->bytes; }
}
static __device__ __forceinline__ void sfi_resident_block_fetch(sf_resident_control *c, const sfi_resident_plan *plan,
                                                                uint32_t first, uint32_t count)
{
    if (!c->quick) {
        if (threadIdx.x == 32 % blockDim.x) { sfi_resident_when(c); }
        if (count) { sfi_resident_copy_all(c, first, count, threadIdx.x, blockDim.x); }
    } else if (!c->triggered) {
        uint64_t at = 0;
        if (threadIdx.x == 32 % blockDim.x) { at = *(const volatile uint64_t *)plan->when; }
        for (uint32_t i = 0; i < count; i++) {
            const sfi_resident_copy copy = plan->copies[i];
            sfi_resident_move(copy.memory, copy.ring + plan->slot * copy.stride, copy.bytes, threadIdx.x, blockDim.x);
        }
        if (at && (int64_t)at < sfi_resident_clock()) { c->at.submitted = (int64_t)at; }
    }
    if (threadIdx.x == 0 && count) { c->at.started = sfi_resident_clock(); }
}
/* One line of the loop's own is read at once, by all; the first thread publishes, its warp keeps the books. */
static __device__ __forceinline__ void sfi_resident_block_publish(sf_resident_control *c, sfi_resident_mail *mail,
                                                                  uint32_t first, uint32_t count)
{
    sfi_resident_progress at = c->at;
    sfi_resident_histogram *histograms = c->histograms;
    int64_t now = 0;
    if (!at.live) { return; }
    at.finished = sfi_resident_clock();
    if (count) {
        sfi_resident_copy_all(c, first, count, threadIdx.x, blockDim.x);
        __syncthreads();
    }
    if (threadIdx.x >= 32) { return; }
    if (threadIdx.x == 0) { now = sfi_resident_publish(c, mail, &at); }
    now = __shfl_sync(0xffffffff, now, 0);
    at.finished = __shfl_sync(0xffffffff, at.finished, 0);
    if (threadIdx.x < SFI_RESIDENT_SPANS) { sfi_resident_account(&at, histograms, threadIdx.x, now); }
}

/* >>fused: SF_RESIDENT_FUSED(name, op1, op2, ...); the operators are __host__ __device__ functions */

#ifndef SF_RESIDENT_FUSED_THREADS
    #define SF_RESIDENT_FUSED_THREADS 256
#endif

SFI_RESIDENT_DEV void sfi_resident_barrier()
{
#if SF_RESIDENT_FUSED_THREADS <= 32
    __syncwarp();
#else
    __syncthreads();
#endif
}
template <sf_resident_fused_func... Ops> struct sfi_resident_ops;
template <> struct sfi_resident_ops<> {
    static __device__ __forceinline__ void run(const sf_resident_fused_call *) {}
};
template <sf_resident_fused_func First, sf_resident_fused_func... Rest> struct sfi_resident_ops<First, Rest...> {
    static __device__ __forceinline__ void run(const sf_resident_fused_call *calls)
    {
        sf_resident_fused_call call = *calls;
        call.thread = (int32_t)threadIdx.x;
        call.threads = (int32_t)blockDim.x;
        First(&call);
        sfi_resident_barrier();
        sfi_resident_ops<Rest...>::run(calls + 1);
    }
};
template <sf_resident_fused_func... Ops>
static __global__ void sfi_resident_fused(sf_resident_control *c, sfi_resident_mail *mail)
{
    __shared__ sf_resident_fused_call calls[sizeof...(Ops)];
    const bool right = sizeof...(Ops) == c->ops, triggered = c->triggered;
    const uint32_t copies_in = c->copies_in, copies_out = c->copies_out;
    if (threadIdx.x == 0) {
        sfi_resident_begin(c);
        if (!right) { sfi_resident_raise(c, SF_ERROR_MISMATCH); }    /* not the operators that were added */
    }
    for (unsigned i = threadIdx.x; i < sizeof...(Ops) && right; i += blockDim.x) { calls[i] = c->fused[i]; }
    __syncthreads();
    for (;;) {
        sfi_resident_plan plan;
        sfi_resident_prepare_fetch(c, 0, &plan);
        if (sfi_resident_block_wait(c, mail) != SFI_RESIDENT_TAKE) { break; }
        if (triggered) { __threadfence(); }  /* nothing that was seen before is believed */
        sfi_resident_block_fetch(c, &plan, 0, copies_in);
        sfi_resident_barrier();
        sfi_resident_ops<Ops...>::run(calls);
        sfi_resident_block_publish(c, mail, copies_in, copies_out);
        sfi_resident_barrier();
    }
    if (threadIdx.x == 0) { sfi_resident_end(c); }
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
            ((const sfi_resident_args *)args)->control,                                                 \
            ((const sfi_resident_args *)args)->mail);                                                   \
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
    if (c->aligned && c->at.done % c->slots != a.pass) {        /* not this pass's turn: after a relaunch */
        if (threadIdx.x == 0) { c->at.live = 0; }
        return;
    }
    sfi_resident_plan plan;
    sfi_resident_prepare_fetch(c, a.first, &plan);
    sfi_resident_turn turn = sfi_resident_block_wait(c, a.mail);
    if (threadIdx.x == 0) {
        c->pass = a.pass;
        if (a.loop) { cudaGraphSetConditional(a.loop, turn == SFI_RESIDENT_TAKE); }
    }
    if (turn == SFI_RESIDENT_TAKE) { sfi_resident_block_fetch(c, &plan, a.first, a.count); }
}
extern "C" __global__ void sf_resident_wait_kernel(sfi_resident_args a)
{
    sfi_resident_let_go();                   /* who is declared to wait by itself does so on the device */
    sfi_resident_after();
    sfi_resident_wait_here(a);
}
extern "C" __global__ void sf_resident_publish_kernel(sfi_resident_args a)
{
    sfi_resident_let_go();
    sfi_resident_after();
    sfi_resident_block_publish(a.control, a.mail, a.first, a.count);
}
/* For exact loops: the next turn is decided at the end of this one. `every` copies go in, from the first on. */
extern "C" __global__ void sf_resident_turn_kernel(sfi_resident_args a)
{
    sfi_resident_after();
    sfi_resident_block_publish(a.control, a.mail, a.first, a.count);
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
            int64_t idle = now - (c->at.published > c->start ? c->at.published : c->start);
            int64_t nap = idle < c->now.calm_after ? c->now.nap : c->now.calm_nap;
            c->at.live = 0;
            c->at.beat++;
            if (turn == SFI_RESIDENT_WAIT && idle >= c->now.spin && nap > 0) { __nanosleep((unsigned)nap); }
        }
        cudaGraphSetConditional(a.branch, turn == SFI_RESIDENT_TAKE);
        if (turn == SFI_RESIDENT_STOP) { cudaGraphSetConditional(a.loop, 0); }
    }
    __syncthreads();
    if (turn == SFI_RESIDENT_TAKE) { sfi_resident_block_fetch(c, NULL, a.first, a.count); }
}

extern "C" __global__ void sf_resident_copy_kernel(sfi_resident_args a)
{
    sfi_resident_let_go();
    sfi_resident_after();
    sfi_resident_copy_all(a.control, a.first, a.count, blockIdx.x * (uint64_t)blockDim.x + threadIdx.x,
                          gridDim.x * (uint64_t)blockDim.x);
}

extern "C" __global__ void sf_resident_mark_kernel(sfi_resident_args a)
{
    sf_resident_control *c = a.control;
    uint32_t op = a.stage - SFI_RESIDENT_STAGE_OP;
    if (a.kind != SFI_RESIDENT_MARK_END && (c->at.live || a.every)) { sfi_resident_enter(c, a.stage); }
    if (a.kind == SFI_RESIDENT_MARK_BEGIN) { c->began_op[op] = sfi_resident_clock(); }
    if (a.kind == SFI_RESIDENT_MARK_END && c->at.live) {
        sfi_resident_tally(&c->histograms[SFI_RESIDENT_SPANS + op], sfi_resident_clock() - c->began_op[op]);
    }
}

extern "C" __global__ void sf_resident_choose_kernel(sfi_resident_args a)
{
    cudaGraphSetConditional(a.branch, a.predicate ? *a.predicate
                                                  : (uint32_t)(a.control->at.sequence % a.every == a.phase));
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
    sfi_resident_end(a.control);
}

#endif /* __INCLUDE_LEVEL__ == 0 */
#endif /* STREAMFLOW_KERNELS_CU */
