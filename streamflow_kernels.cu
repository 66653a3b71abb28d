/*  streamflow_kernels.cu - what the GPU-resident executor runs on the GPU

    Include it from a .cu file of yours for the calls that kernels make (below) and for SF_RESIDENT_FUSED().

    Compiled by itself it gives the control kernels of the loop; streamflow_gpu_resident.h carries them as PTX, so no
    program needs to build this file. After a change here, or in that header's section >>protocol, run
    tests/gen_ptx.py --write. */
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

/* Data is ready, or not. The data-ready handler says so, once per turn of the loop. In a loop that has neither a handler
   nor slots to be fed through, any kernel on the device may: each mark is one more iteration. Call it from one thread.
   The iteration sees what the same thread wrote before, or other threads before a barrier. */
SFI_RESIDENT_DEV void sf_resident_mark_data_ready_dev(sf_resident_control *control)
{
    sfi_resident_mark(control, true);
}
SFI_RESIDENT_DEV void sf_resident_mark_data_not_ready_dev(sf_resident_control *control)
{
    sfi_resident_mark(control, false);
}

/* The sequence of the present iteration; in a data-ready handler still that of the one before. Any thread. */
SFI_RESIDENT_DEV uint64_t sf_resident_iteration_dev(const sf_resident_control *control)
{
    return control->at.sequence;
}

/* Stops the loop cleanly, as a failure with this code, negative: see sf_resident_raise(). */
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

static __device__ __forceinline__ sfi_resident_decision sfi_resident_wait_long(sf_resident_control *c)
{
    int64_t first = sfi_resident_clock(), now = first;
    sfi_resident_decision turn;
    unsigned nap = 125;
    while ((turn = sfi_resident_poll(c, now)) == SFI_RESIDENT_WAIT) {
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
                                                               const sfi_resident_progress &at, int64_t now,
                                                               int64_t host_polled)
{
    c->host_polled = host_polled;
    c->at.sequence = at.done + 1;
    c->at.submitted = c->at.started = now;
    c->at.live = c->at.fresh = 1;
    c->at.beat = at.beat + 1;
}
/* A trigger comes from the device, which is quick to ask, or from the host, across the bus; answers come in the order
   of the questions, one from the host as late as six from the device. So where the last one came from the device, the
   host is asked every 64th time only, until naps are long. A kernel that has asked the host at all ends later, by a
   microsecond where the next one starts early: where many marks came in a row the device is asked alone, and the host
   each ALONE ns. `acquire`: operators come in the same kernel, and nothing else orders what a mark stands for. */
enum { SFI_RESIDENT_ALONE = 200000, SFI_RESIDENT_MANY = 8 };
static __device__ __forceinline__ uint64_t sfi_resident_peek_marks(const sf_resident_control *self, bool acquire)
{
    uint64_t marked;                         /* the word itself | marks << 32 */
    if (acquire) {
        asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(marked) : "l"(&self->ready) : "memory");
    } else {
        asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(marked) : "l"(&self->ready));
    }
    return marked;
}
static __device__ __forceinline__ bool sfi_resident_is_marked(uint64_t marked, uint32_t marks_taken)
{
    return (uint32_t)(marked >> 32) != marks_taken || (uint32_t)marked == SFI_RESIDENT_READY;
}
static __device__ __forceinline__ void sfi_resident_take_mark(sf_resident_control *c, sf_resident_control *self,
                                                              uint64_t marked, uint32_t marks_taken)
{
    if ((uint32_t)(marked >> 32) != marks_taken) {
        c->marks_taken = marks_taken + 1;
    } else {
        sfi_resident_store32(&self->ready, SFI_RESIDENT_NOT_READY);
    }
    if (c->by_device < SFI_RESIDENT_MANY) { c->by_device++; }
}
static __device__ __forceinline__ void sfi_resident_take_request(sf_resident_control *c, uint64_t taken, uint64_t count)
{
    c->taken[0] = taken + 1;
    c->seen[0] = count;
    c->by_device = 0;
}
static __device__ __forceinline__ bool sfi_resident_knows_room(const sf_resident_control *c, const sfi_resident_known &k,
                                                               uint64_t completed)
{
    for (uint32_t t = 0; t < k.sinks; t++) {
        if (completed - c->room[t] >= k.slots) { return false; }
    }
    return true;
}
/* The host's word, unordered: the caller orders what it stands for. */
static __device__ __forceinline__ uint64_t sfi_resident_peek_submit(const sfi_resident_mail *mail)
{
    uint64_t count;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(count) : "l"(&mail->submit[0].value));
    return count;
}
/* The host may want a stop: where requests are known already, or one mark follows the other, it is asked again only
   when it was not for a while. */
static __device__ __forceinline__ bool sfi_resident_host_is_due(const sf_resident_control *c, int64_t now)
{
    return now - c->host_polled >= SFI_RESIDENT_HOST_POLL;
}
/* `stays`: operators come in the same kernel, not in later ones. */
static __device__ __forceinline__ sfi_resident_decision
sfi_resident_wait_short(sf_resident_control *c, const sfi_resident_mail *mail, const sfi_resident_known &k, bool stays)
{
    sf_resident_control *self = sfi_resident_self(c);
    const sfi_resident_progress at = c->at;
    const uint64_t taken = c->taken[0];
    const uint32_t marks_taken = c->marks_taken, odd = c->stopped | c->late;
    const int64_t start = c->start, first = sfi_resident_clock();
    const bool of_device = c->by_device, hears = sfi_resident_host_is_due(c, first);
    bool alone = c->by_device == SFI_RESIDENT_MANY && !stays;
    uint64_t marked = 0, count = hears ? 0 : c->seen[0];
    uint32_t raised = sfi_resident_peek32(&self->raised), polls = of_device, host_every = of_device ? 64 : 1;
    uint32_t looks = 0;
    int64_t now = first, host_polled = c->host_polled;
    unsigned nap = 125;
    if (!sfi_resident_knows_room(c, k, at.completed)) { return sfi_resident_wait_long(c); }
    if (of_device && hears && !alone) {
        if (sfi_resident_peek_submit(mail) & ~SFI_RESIDENT_COUNT) { return sfi_resident_wait_long(c); }
        host_polled = first;
    }
    for (;;) {
        if (odd || raised || (k.set.timeout > 0 && now - start >= k.set.timeout)) { return sfi_resident_wait_long(c); }
        if (k.triggered) { marked = sfi_resident_peek_marks(self, stays && of_device); }
        bool asks = !k.triggered || (alone ? now - host_polled >= SFI_RESIDENT_ALONE : polls++ % host_every == 0);
        if (count <= taken && asks) {
            host_polled = now;
            count = k.triggered && !stays ? sfi_resident_peek_submit(mail)
                                          : sfi_resident_load(&mail->submit[0].value);
        }
        if (alone && count & ~SFI_RESIDENT_COUNT) { return sfi_resident_wait_long(c); }
        if (k.triggered && sfi_resident_is_marked(marked, marks_taken)) {
            if (stays && !of_device) { marked = sfi_resident_peek_marks(self, true); }
            sfi_resident_take_mark(c, self, marked, marks_taken);
            sfi_resident_take_short(c, at, sfi_resident_clock(), host_polled);
            return SFI_RESIDENT_TAKE;
        }
        if (count & ~SFI_RESIDENT_COUNT) { return sfi_resident_wait_long(c); }
        if (count > taken) {
            sfi_resident_take_request(c, taken, count);
            sfi_resident_take_short(c, at, sfi_resident_clock(), host_polled);
            return SFI_RESIDENT_TAKE;
        }
        now = sfi_resident_clock();
        if (now - first >= k.set.spin || ++looks % 16 == 0) {
            sfi_resident_nap(&k.set, now - first, &nap);
            if (nap > 2000) { host_every = 1; }      /* beside a long nap the bus costs nothing */
            alone = alone && now - first < k.set.spin;
            raised = alone ? sfi_resident_peek32(&self->raised) : sfi_resident_load32(&self->raised);
            now = sfi_resident_clock();
        }
    }
}

/* The same where requests travel in lines, by the first warp: each lane asks for its word, some for the room in rings
   of results where that is not known, the last one for the host's stop; all that is needed comes with one answer. A
   later kernel is ordered behind what the host wrote before; operators in the same one are by an acquire. */
enum {
    SFI_RESIDENT_LANE_ROOM = SFI_RESIDENT_TIME + SFI_RESIDENT_INLINE,
    SFI_RESIDENT_LANE_STOP = 31
};
static __device__ __forceinline__ uint64_t sfi_resident_peek(const uint64_t *p)
{
    uint64_t word;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(word) : "l"(p) : "memory");
    return word;
}
/* The lane's word to where it belongs. `first`: of the copies, read before it was needed. */
static __device__ __forceinline__ void sfi_resident_unload_lane(const sfi_resident_known &k,
                                                                const sfi_resident_copy &one, uint32_t first,
                                                                uint32_t count, uint32_t lane, uint64_t word)
{
    const uint32_t n = lane - SFI_RESIDENT_TIME;
    if (n >= k.line_words - SFI_RESIDENT_TIME) { return; }
    SFI_RESIDENT_ROLLED
    for (uint32_t i = 0; i < count; i++) {
        const sfi_resident_copy copy = i ? k.copies[first + i] : one;
        if (n - copy.word < sfi_resident_words_of(copy.bytes)) {
            sfi_resident_put_word(copy.memory, copy.bytes, n - copy.word, sfi_resident_content(word));
        }
    }
}
static __device__ __forceinline__ int64_t sfi_resident_when_of(uint64_t word)        /* it was submitted */
{
    const uint64_t low = __shfl_sync(~0u, word, 0), high = __shfl_sync(~0u, word, 1);
    return (int64_t)sfi_resident_join(low, high);
}
static __device__ __forceinline__ bool sfi_resident_is_whole(const sfi_resident_known &k, uint64_t number,
                                                             uint32_t lane, uint64_t word)
{
    return __all_sync(~0u, lane >= k.line_words || sfi_resident_is_of(word, number));
}
/* What this lane asks the host for; NULL: nothing. */
static __device__ __forceinline__ const uint64_t *
sfi_resident_word_for(const sf_resident_control *c, const sfi_resident_mail *mail, const sfi_resident_known &k,
                      uint64_t number, uint32_t lane)
{
    if (lane == SFI_RESIDENT_LANE_STOP) { return &mail->submit[0].value; }
    if (lane < k.line_words) { return &k.requests[(number - 1) % k.in_slots].words[lane]; }
    if (lane < SFI_RESIDENT_LANE_ROOM || lane - SFI_RESIDENT_LANE_ROOM >= k.sinks) { return NULL; }
    const uint32_t sink = lane - SFI_RESIDENT_LANE_ROOM;
    return c->at.completed - c->room[sink] >= k.slots ? &mail->consumed[sink].value : NULL;
}
/* Until the line is whole and each ring has room: true; or something out of the ordinary is up. */
static __device__ __forceinline__ bool sfi_resident_await_line(sf_resident_control *c, const sfi_resident_mail *mail,
                                                               const sfi_resident_known &k, bool stays,
                                                               uint64_t number, uint64_t *word)
{
    const uint32_t lane = threadIdx.x, *raised = &sfi_resident_self(c)->raised;
    const uint64_t completed = c->at.completed, *from = sfi_resident_word_for(c, mail, k, number, lane);
    const bool room = from && lane >= SFI_RESIDENT_LANE_ROOM && lane != SFI_RESIDENT_LANE_STOP;
    const int64_t start = c->start, first = sfi_resident_clock();
    bool leave = c->stopped || c->late || sfi_resident_peek32(raised) ||
                 k.sinks > SFI_RESIDENT_LANE_STOP - SFI_RESIDENT_LANE_ROOM;
    int64_t now = first;
    uint32_t looks = 0;
    unsigned nap = 125;
    while (!__any_sync(~0u, leave || (k.set.timeout > 0 && now - start >= k.set.timeout))) {
        *word = !from ? 0 : stays ? sfi_resident_load(from) : sfi_resident_peek(from);
        leave = lane == SFI_RESIDENT_LANE_STOP && *word & ~SFI_RESIDENT_COUNT;
        if (__all_sync(~0u, !leave && !(room && completed - *word >= k.slots)) &&
            sfi_resident_is_whole(k, number, lane, *word)) {
            if (room) { c->room[lane - SFI_RESIDENT_LANE_ROOM] = *word; }
            return true;
        }
        now = sfi_resident_clock();
        if (now - first >= k.set.spin || ++looks % 16 == 0) {
            sfi_resident_nap(&k.set, now - first, &nap);
            leave |= sfi_resident_load32(raised) != 0;
            now = sfi_resident_clock();
        }
    }
    return false;
}
static __device__ __forceinline__ sfi_resident_decision
sfi_resident_wait_line(sf_resident_control *c, const sfi_resident_mail *mail, const sfi_resident_known &k,
                       const sfi_resident_copy &one, uint32_t first, uint32_t count, bool stays)
{
    const uint64_t number = c->taken[0] + 1;
    const sfi_resident_progress at = c->at;
    uint64_t word = 0;
    uint32_t turn = SFI_RESIDENT_TAKE;
    __syncwarp();
    if (sfi_resident_await_line(c, mail, k, stays, number, &word)) {
        const int64_t when = sfi_resident_when_of(word), now = sfi_resident_clock();
        sfi_resident_unload_lane(k, one, first, count, threadIdx.x, word);
        if (threadIdx.x == 0) {
            sfi_resident_take_request(c, number - 1, number);
            sfi_resident_take_short(c, at, now, now);
            if (when && when < now) { c->at.submitted = when; }
        }
    } else if (threadIdx.x == 0) {
        turn = sfi_resident_wait_long(c);
        if (turn == SFI_RESIDENT_TAKE) { sfi_resident_unload(c, first, count); }
    }
    return (sfi_resident_decision)__shfl_sync(~0u, turn, 0);
}

/* Until there is data, or an end. `slot`: of the request that was taken the short way; in a line it has come with
   the answer. */
static __device__ __forceinline__ sfi_resident_decision
sfi_resident_block_wait(sf_resident_control *c, const sfi_resident_mail *mail, const sfi_resident_known &k,
                        const sfi_resident_copy &one, uint32_t first, uint32_t count, bool stays, uint64_t *slot)
{
    __shared__ sfi_resident_decision turn;
    __shared__ uint64_t taken;
    if (k.line_words && threadIdx.x < 32 && blockDim.x >= 32) {
        sfi_resident_decision found = sfi_resident_wait_line(c, mail, k, one, first, count, stays);
        if (threadIdx.x == 0) { turn = found; }
    } else if (threadIdx.x == 0) {
        turn = k.quick && !k.line_words ? sfi_resident_wait_short(c, mail, k, stays) : sfi_resident_wait_long(c);
        if (k.line_words && turn == SFI_RESIDENT_TAKE) { sfi_resident_unload(c, first, count); }
        taken = c->taken[0];
    }
    __syncthreads();
    if (!k.triggered && !k.line_words) { *slot = (taken - 1) % k.in_slots; }
    return turn;
}

static __device__ __noinline__ void sfi_resident_move(char *to, const char *from, uint64_t bytes, uint64_t thread,
                                                         uint64_t threads)
{
    enum { AT_ONCE = 8 };                    /* under way, for each thread: the bus is far, and wide */
    uint64_t i, wide = (((uintptr_t)to | (uintptr_t)from) & 15) ? 0 : bytes / 16;
    SFI_RESIDENT_ROLLED
    for (i = thread; i < wide; i += AT_ONCE * threads) {
        uint4 some[AT_ONCE];
        _Pragma("unroll") for (int n = 0; n < AT_ONCE; n++) {
            if (i + n * threads < wide) { some[n] = __ldcv((const uint4 *)from + i + n * threads); }
        }
        _Pragma("unroll") for (int n = 0; n < AT_ONCE; n++) {
            if (i + n * threads < wide) { ((uint4 *)to)[i + n * threads] = some[n]; }
        }
    }
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

/* What one block can fetch by itself, and when the request was submitted. `one`: the first of the copies, read before
   it was needed. */
static __device__ __forceinline__ sfi_resident_copy sfi_resident_first_copy(const sfi_resident_known &k,
                                                                            uint32_t first, uint32_t count)
{
    sfi_resident_copy none = {};
    return count ? k.copies[first] : none;
}
static __device__ __forceinline__ void
sfi_resident_bring_in(const sfi_resident_known &k, const sfi_resident_copy &one, uint64_t slot, uint32_t first,
                      uint32_t count, uint32_t thread, uint32_t threads)
{
    for (uint32_t i = 0; i < count; i++) {
        const sfi_resident_copy copy = i ? k.copies[first + i] : one;
        sfi_resident_move(copy.memory, copy.ring + slot * copy.stride, copy.bytes, thread, threads);
    }
}
static __device__ __forceinline__ void
sfi_resident_block_fetch(sf_resident_control *c, const sfi_resident_known &k, const sfi_resident_copy &one,
                         uint64_t slot, uint32_t first, uint32_t count)
{
    if (k.line_words) { return; }            /* it came with the answer */
    if (!k.quick) {
        if (threadIdx.x == 32 % blockDim.x) { sfi_resident_when(c); }
        if (count) { sfi_resident_copy_all(c, first, count, threadIdx.x, blockDim.x); }
    } else if (!k.triggered) {
        uint64_t at = 0;
        if (threadIdx.x == 32 % blockDim.x) { at = *(const volatile uint64_t *)&k.times[slot]; }
        sfi_resident_bring_in(k, one, slot, first, count, threadIdx.x, blockDim.x);
        if (at && (int64_t)at < sfi_resident_clock()) { c->at.submitted = (int64_t)at; }
    }
    if (threadIdx.x == 0 && count) { c->at.started = sfi_resident_clock(); }
}
/* Results first, if they do not go with the record. Returns whether there are some: whether this pass ran. */
static __device__ __forceinline__ bool
sfi_resident_block_deliver(const sfi_resident_known &k, const sfi_resident_copy &one, uint32_t first, uint32_t count,
                           sfi_resident_progress *at)
{
    if (!at->live) { return false; }
    at->finished = sfi_resident_clock();
    for (uint32_t i = 0; i < count && k.record_words == SFI_RESIDENT_RECORD; i++) {
        const sfi_resident_copy copy = i ? k.copies[first + i] : one;
        sfi_resident_move(copy.ring + (at->completed & (k.slots - 1)) * copy.stride, copy.memory, copy.bytes,
                          threadIdx.x, blockDim.x);
    }
    return true;
}
/* Content of the i-th word of the record. */
static __device__ __forceinline__ uint32_t
sfi_resident_word_of(const sfi_resident_known &k, const sfi_resident_copy &one, uint32_t first, uint32_t count,
                     uint32_t i)
{
    const uint32_t n = i - SFI_RESIDENT_RECORD;
    if (i < SFI_RESIDENT_RECORD || i >= k.record_words) { return 0; }
    if (n < sfi_resident_words_of(one.bytes)) { return sfi_resident_get_word(one.memory, one.bytes, n); }
    return sfi_resident_result_word(&k.copies[first], count, n);
}
/* By the first warp: five lanes keep the books, each writes a word of the record. `word`: of the results, what this
   lane has of it. The fence is before the words: it waits for what operators did, and not for these. */
static __device__ __forceinline__ void
sfi_resident_warp_publish(sf_resident_control *c, sfi_resident_mail *mail, const sfi_resident_known &k,
                          const sfi_resident_copy &one, uint32_t first, uint32_t count, uint32_t word,
                          sfi_resident_progress at, uint32_t raised, uint32_t pass, bool stays)
{
    const uint32_t lanes = blockDim.x < 32 ? blockDim.x : 32, all = ~0u >> (32 - lanes);
    const int64_t now = __shfl_sync(all, sfi_resident_clock(), 0);
    at.finished = __shfl_sync(all, at.finished, 0);
    __shared__ sfi_resident_record record;
    if (threadIdx.x == 0) { record = sfi_resident_record_of(&k, &at, raised, now); }
    __syncwarp(all);
    if (k.any && threadIdx.x == 0) { sfi_resident_publish_taken(c, mail, &k); }
    if (!k.unfenced && threadIdx.x < SFI_RESIDENT_SPANS) { sfi_resident_account(&at, k.histograms, threadIdx.x, now); }
    if (!k.unfenced) { sfi_resident_fence(); } else if (stays) { sfi_resident_fence_device(); }
    SFI_RESIDENT_ROLLED
    for (uint32_t i = threadIdx.x; i < k.record_words; i += lanes) {
        uint32_t content = i < SFI_RESIDENT_RECORD ? sfi_resident_half_of(&record, i) : word;
        if (lanes < 32 && i >= SFI_RESIDENT_RECORD) { content = sfi_resident_word_of(k, one, first, count, i); }
        sfi_resident_write_word(&k, at.completed, i, content);
    }
    if (threadIdx.x == 0) { sfi_resident_publish(c, mail, &at, &record, pass); }
    if (k.unfenced && threadIdx.x < SFI_RESIDENT_SPANS) { sfi_resident_account(&at, k.histograms, threadIdx.x, now); }
}
/* What is read of the loop's own is read at once, by all. */
static __device__ __forceinline__ void
sfi_resident_block_publish(sf_resident_control *c, sfi_resident_mail *mail, const sfi_resident_known &k,
                           const sfi_resident_copy &one, uint32_t first, uint32_t count, bool stays)
{
    const uint32_t raised = sfi_resident_peek32(&c->raised), pass = c->pass;
    sfi_resident_progress at = c->at;
    if (!sfi_resident_block_deliver(k, one, first, count, &at)) { return; }
    const uint32_t word = sfi_resident_word_of(k, one, first, count, threadIdx.x);
    if (count && k.record_words == SFI_RESIDENT_RECORD) { __syncthreads(); }
    if (threadIdx.x < 32) { sfi_resident_warp_publish(c, mail, k, one, first, count, word, at, raised, pass, stays); }
}

/* >>fused: SF_RESIDENT_FUSED(name, op1, op2, ...); the operators are __host__ __device__ functions */

#ifndef SF_RESIDENT_FUSED_THREADS            /* of the block; as it is defined where SF_RESIDENT_FUSED() stands */
    #define SF_RESIDENT_FUSED_THREADS 256
#endif

template <int Threads> static __device__ __forceinline__ void sfi_resident_barrier()
{
    if (Threads <= 32) { __syncwarp(); } else { __syncthreads(); }
}
/* What an operator is called with is read before the barrier that it waits for. */
template <int Threads, sf_resident_fused_func... Ops> struct sfi_resident_ops;
template <int Threads, sf_resident_fused_func Last> struct sfi_resident_ops<Threads, Last> {
    static __device__ __forceinline__ void run(const sf_resident_fused_call *, sf_resident_fused_call call)
    {
        call.thread = (int32_t)threadIdx.x;
        call.threads = (int32_t)blockDim.x;
        Last(&call);
        sfi_resident_barrier<Threads>();
    }
};
template <int Threads, sf_resident_fused_func First, sf_resident_fused_func... Rest>
struct sfi_resident_ops<Threads, First, Rest...> {
    static __device__ __forceinline__ void run(const sf_resident_fused_call *calls, sf_resident_fused_call call)
    {
        const sf_resident_fused_call next = calls[1];
        sfi_resident_ops<Threads, First>::run(calls, call);
        sfi_resident_ops<Threads, Rest...>::run(calls + 1, next);
    }
};
SFI_RESIDENT_DEV void sfi_resident_words(const void *from, void *to, size_t bytes)
{
    for (size_t i = threadIdx.x; i < bytes / 4; i += blockDim.x) { ((uint32_t *)to)[i] = ((const uint32_t *)from)[i]; }
}
template <int Threads, sf_resident_fused_func... Ops>
static __global__ void __launch_bounds__(Threads) sfi_resident_fused(sf_resident_control *self, sfi_resident_mail *mail)
{
    __shared__ sf_resident_fused_call calls[sizeof...(Ops)];
    __shared__ sf_resident_control own;
    __shared__ sfi_resident_known kept;
    __shared__ sfi_resident_copy ends[2];
    sf_resident_control *c = &own;
    const bool right = sizeof...(Ops) == self->ops;
    const uint32_t copies_in = self->copies_in, copies_out = self->copies_out;
    uint64_t slot = 0;
    if (threadIdx.x == 0) {
        sfi_resident_begin(self);
        if (!right) { sfi_resident_raise(self, SF_ERROR_MISMATCH); }         /* not the operators that were added */
    }
    __syncthreads();
    sfi_resident_words(self, c, sizeof own);
    if (right) { sfi_resident_words(self->fused, calls, sizeof calls); }
    __syncthreads();
    for (size_t i = threadIdx.x; i < sizeof...(Ops); i += blockDim.x) { calls[i].control = c; }     /* they raise here */
    __syncthreads();
    const sfi_resident_known mine = sfi_resident_know(c);
    const sfi_resident_copy first_in = sfi_resident_first_copy(mine, 0, copies_in);
    const sfi_resident_copy first_out = sfi_resident_first_copy(mine, copies_in, copies_out);
    if (threadIdx.x == 0 && Threads > 256) { kept = mine, ends[0] = first_in, ends[1] = first_out; }
    __syncthreads();
    const sfi_resident_known &k = Threads > 256 ? kept : mine;               /* many threads have few registers */
    const sfi_resident_copy &one = Threads > 256 ? ends[0] : first_in, &out = Threads > 256 ? ends[1] : first_out;
    for (;;) {
        const sf_resident_fused_call call = calls[0];
        if (sfi_resident_block_wait(c, mail, k, one, 0, copies_in, true, &slot) != SFI_RESIDENT_TAKE) { break; }
        if (threadIdx.x == 0) { self->at.sequence = c->at.sequence; }        /* for sf_resident_iteration_dev() */
        sfi_resident_block_fetch(c, k, one, slot, 0, copies_in);
        if (copies_in && !k.line_words) { sfi_resident_barrier<Threads>(); }
        sfi_resident_ops<Threads, Ops...>::run(calls, call);
        sfi_resident_block_publish(c, mail, k, out, copies_in, copies_out, true);
        sfi_resident_barrier<Threads>();
    }
    if (threadIdx.x == 0) { sfi_resident_end(c); }
    __syncthreads();
    sfi_resident_words(&c->now, &self->now, sizeof own - offsetof(sf_resident_control, now));
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
        const sfi_resident_args *a = (const sfi_resident_args *)args;                                   \
        sfi_resident_fused<SF_RESIDENT_FUSED_THREADS, __VA_ARGS__>                                      \
            <<<1, SF_RESIDENT_FUSED_THREADS, 0, (cudaStream_t)stream>>>(a->control, a->mail);           \
        return (int)cudaGetLastError();                                                                 \
    }                                                                                                   \
    extern "C" const sf_kernel fused_name;                                                              \
    const sf_kernel fused_name = { #fused_name, fused_name##_host, fused_name##_cuda, 1, false, 1000 };

/* >>kernels: of the loop */

#if __INCLUDE_LEVEL__ == 0

/* Ours wait by themselves before they touch memory, and let what comes after them start early. (sm_90: the
   header leaves these instructions out on an older device.) */
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

static __device__ __forceinline__ void
sfi_resident_wait_here(const sfi_resident_args &a, const sfi_resident_known &k, const sfi_resident_copy &one,
                       uint32_t first, uint32_t copies)
{
    sf_resident_control *c = a.control;
    uint64_t slot = 0;
    if (k.aligned) {
        bool turn = (c->at.done & (k.slots - 1)) == a.pass;  /* after a relaunch another pass may be the next */
        __syncthreads();
        if (!turn && threadIdx.x == 0) { c->at.live = 0; }
        if (!turn) { return; }
    }
    sfi_resident_decision turn = sfi_resident_block_wait(c, a.mail, k, one, first, copies, false, &slot);
    if (threadIdx.x == 0) {
        c->pass = a.pass;
        if (a.loop && turn == SFI_RESIDENT_STOP) { cudaGraphSetConditional(a.loop, 0); }
    }
    if (turn == SFI_RESIDENT_TAKE) { sfi_resident_block_fetch(c, k, one, slot, first, copies); }
}
extern "C" __global__ void sf_resident_wait_kernel(sfi_resident_args a)
{
    sfi_resident_let_go();                   /* the next kernel, if programmatic, waits by itself */
    const sfi_resident_known k = sfi_resident_know(a.control);
    const sfi_resident_copy one = sfi_resident_first_copy(k, a.first, a.count);
    sfi_resident_after();
    sfi_resident_wait_here(a, k, one, a.first, a.count);
}
extern "C" __global__ void sf_resident_publish_kernel(sfi_resident_args a)
{
    sfi_resident_let_go();
    const sfi_resident_known k = sfi_resident_know(a.control);
    const sfi_resident_copy out = sfi_resident_first_copy(k, a.first, a.count);
    sfi_resident_after();
    sfi_resident_block_publish(a.control, a.mail, k, out, a.first, a.count, false);
}
/* Whether the next pass may begin at once with a request that is known. */
static __device__ __forceinline__ bool
sfi_resident_may_go_on(const sfi_resident_args &a, const sfi_resident_known &k, const sfi_resident_progress &at,
                       uint32_t raised)
{
    const sf_resident_control *c = a.control;
    int64_t now = sfi_resident_clock();
    return !raised && !c->stopped && !c->late && sfi_resident_knows_room(c, k, at.completed + 1) &&
           (!k.aligned || (at.sequence & (k.slots - 1)) == a.pass) && !sfi_resident_host_is_due(c, now) &&
           (k.set.timeout <= 0 || now - c->start < k.set.timeout);
}
/* By all warps but the first: its content, in the next pass's memory, and when it was submitted. */
static __device__ __forceinline__ void
sfi_resident_fetch_ahead(const sfi_resident_args &a, const sfi_resident_known &k, const sfi_resident_copy &one,
                         const sfi_resident_progress &at, uint32_t raised, uint64_t taken, bool *goes_on,
                         int64_t *submitted)
{
    const uint32_t thread = threadIdx.x - 32, threads = blockDim.x - 32;
    if (thread == 0) { *goes_on = sfi_resident_may_go_on(a, k, at, raised); }
    __syncwarp();
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");       /* without the first warp, which publishes */
    if (k.triggered || !*goes_on) { return; }
    const uint64_t slot = taken % k.in_slots;
    if (thread == 0) { *submitted = (int64_t)*(const volatile uint64_t *)&k.times[slot]; }
    sfi_resident_bring_in(k, one, slot, a.next, a.next_count, thread, threads);
}
/* The same for the line of the next request, if it is there, by the second warp. */
static __device__ __forceinline__ void
sfi_resident_line_ahead(const sfi_resident_args &a, const sfi_resident_known &k, const sfi_resident_copy &one,
                        const sfi_resident_progress &at, uint32_t raised, uint64_t taken, bool *goes_on,
                        int64_t *submitted)
{
    const uint32_t lane = threadIdx.x - 32;
    const uint64_t *words = k.requests[taken % k.in_slots].words;
    const uint64_t word = lane < k.line_words ? sfi_resident_peek(&words[lane]) : 0;
    const bool may = sfi_resident_may_go_on(a, k, at, raised);
    if (!sfi_resident_is_whole(k, taken + 1, lane, word) || !__all_sync(~0u, may)) { return; }
    const int64_t when = sfi_resident_when_of(word);
    sfi_resident_unload_lane(k, one, a.next, a.next_count, lane, word);
    if (lane == 0) { *goes_on = true, *submitted = when; }
}
static __device__ __forceinline__ void sfi_resident_take_ahead(const sfi_resident_args &a, uint64_t taken,
                                                               uint64_t seen, int64_t submitted)
{
    sf_resident_control *c = a.control;
    int64_t now = sfi_resident_clock();
    sfi_resident_take_request(c, taken, seen);
    c->pass = a.pass;
    sfi_resident_take_short(c, c->at, now, c->host_polled);
    if (submitted && submitted < now) { c->at.submitted = submitted; }
}

/* Both in one: between two passes of an unrolled loop, and at the end of an exact one, where the next turn is decided
   at the end of this one. One warp publishes; beside it the others fetch the next request, if one is known, or comes
   in a line. */
extern "C" __global__ void sf_resident_turn_kernel(sfi_resident_args a)
{
    __shared__ bool goes_on;
    __shared__ int64_t submitted;
    sfi_resident_let_go();
    sf_resident_control *c = a.control;
    const sfi_resident_known k = sfi_resident_know(c);
    const sfi_resident_copy one = sfi_resident_first_copy(k, a.next, a.next_count);
    const sfi_resident_copy out = sfi_resident_first_copy(k, a.first, a.count);
    sfi_resident_after();
    const uint32_t raised = sfi_resident_peek32(&c->raised), pass = c->pass;
    const uint64_t taken = c->taken[0], seen = c->seen[0];
    sfi_resident_progress at = c->at;
    const uint32_t word = sfi_resident_word_of(k, out, a.first, a.count, threadIdx.x);
    if (threadIdx.x == 0) { goes_on = false, submitted = 0; }
    const bool ran = sfi_resident_block_deliver(k, out, a.first, a.count, &at);
    __syncthreads();                         /* read by all before the first one publishes */
    if (ran) {
        if (threadIdx.x < 32) {
            sfi_resident_warp_publish(c, a.mail, k, out, a.first, a.count, word, at, raised, pass, false);
        } else if (k.line_words && threadIdx.x < 64) {
            sfi_resident_line_ahead(a, k, one, at, raised, taken, &goes_on, &submitted);
        } else if (k.quick && !k.line_words && seen > taken) {
            sfi_resident_fetch_ahead(a, k, one, at, raised, taken, &goes_on, &submitted);
        }
        __syncthreads();
    }
    if (!goes_on) {
        sfi_resident_wait_here(a, k, one, a.next, a.next_count);
    } else if (threadIdx.x == 0) {
        sfi_resident_take_ahead(a, taken, k.line_words ? taken + 1 : seen, submitted);
    }
}

/* After the handler: one look. Naps, where there is nothing, as the settings say. */
extern "C" __global__ void sf_resident_check_kernel(sfi_resident_args a)
{
    sf_resident_control *c = a.control;
    const sfi_resident_known k = sfi_resident_know(c);
    __shared__ sfi_resident_decision turn;
    if (threadIdx.x == 0) {
        int64_t now = sfi_resident_clock();
        while ((turn = sfi_resident_poll(c, now)) == SFI_RESIDENT_WAIT && sfi_resident_device_pending(c)) {
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
    if (turn == SFI_RESIDENT_TAKE) { sfi_resident_block_fetch(c, k, sfi_resident_copy(), 0, a.first, a.count); }
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
    cudaGraphSetConditional(a.branch, sfi_resident_choice_of(&a));
}

/* The two clocks: the host rings, the device says what time it has. */
extern "C" __global__ void sf_resident_clock_kernel(sfi_resident_args a)
{
    sfi_resident_mail *mail = a.control->mail;
    int64_t start = sfi_resident_clock();
    SFI_RESIDENT_ROLLED
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
