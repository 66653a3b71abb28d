/*  streamflow_gpu_resident.h - the GPU-resident executor of streamflow

    Operators are captured once into a CUDA graph that loops on the GPU; from then on no CPU is in the loop. On a
    host device the same graph runs through the stream layer, slowly and exactly. README.md, "Looping on the GPU",
    has examples, shapes of the loop, policies, stops, failures, what else may use the GPU meanwhile, and limits.

    The same as in a flow: sf_op_desc, sf_port, sf_edge_desc, sf_context and the compute functions. An operator that
    only receives, launches and emits runs here unchanged. Its compute is called under capture, once (in an unrolled
    loop once per slot: ctx->run says which); sf_receive() lends the edge's buffer, sf_tensor_create() the output's
    own, and each launch on sf_compute_stream() becomes a node. What would need the CPU for every message is refused
    by name: inline values, conditions, periods, retries, host functions, synchronizing. Ignored: on_error, priority,
    workers, region, streams, a port's .memory and .capacity. There are no timestamps and no metadata. An output that
    is not emitted keeps its bytes; a warning says so.

    Different: an edge is one buffer (unrolled: one per slot), zeros at first, of a size known when it is built. The
    two ends agree so: equal sizes share a buffer; one pointer (sf_port.data: device or pinned memory, which the build
    looks at; on a host device the host's own, too, if nothing but kernels touches it) serves both; with a warning, of
    two the source's, of one size that one; else SF_ERROR_MISMATCH. sf_edge_desc.delay n, 1 to 8, is the value of n
    iterations ago, zeros after a launch: a cycle needs one; it copies, into a buffer of its own, so the sizes are the
    same. The host fills `external` inputs (their operator is a source) and reads external outputs
    (a sink), slot by slot. An input neither connected nor external is refused, unless it is `optional`.

    submitted = completed + dropped + queued, at every moment. A call that may wait has a deadline; none can hang.
    Nobody watches in the background: a stall or a fault is seen by calls that wait, or ask for the state.
    Threads: any; one writer per source and one reader per sink at a time; one thread builds, and launches first, and
    meanwhile only asks for state, info and failure. All other rules: as in streamflow.h.

    DO THIS in exactly one C, C++ or CUDA file, and link nothing more: the loop's own kernels are in here as PTX::

        #define STREAMFLOW_IMPLEMENTATION
        #define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
        #include "streamflow.h"
        #include "streamflow_gpu_resident.h"

    CONTENTS
    Declarations:
        >>types >>build >>control >>host                         desc; operators, branches; launch, stop; slots
        >>device >>bridge >>observe                              what kernels call; in a flow; counters, latencies
    Implementation:
        >>words                                                  what the loop and the host say to each other, on both
        >>objects >>failures >>adding >>hooks                    what there is; words; building; what a compute calls
        >>rules >>layout                                         checked; memory, rings and the shape of the loop
        >>loop >>capturing                                       the loop's kernels on a host device; the graph
        >>running >>rings >>bridges >>looking >>ptx              launch to end; slots; flows; looking; GPU kernels

    License: as streamflow.h's. */
#ifndef STREAMFLOW_GPU_RESIDENT_H
#define STREAMFLOW_GPU_RESIDENT_H

#ifndef STREAMFLOW_H
    #error "include streamflow.h before streamflow_gpu_resident.h"
#endif
#ifdef SF_STATIC
    #ifndef STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
        #error "in a file with SF_STATIC define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION before the first #include"
    #endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* >>types --------------------------------------------------------------------------------------------- */

typedef struct sf_resident sf_resident;

/* A pass too many, at the stop: the operators run on what lies in the buffers, zeros or old requests, and it is not
   published. Operators that cannot bear that (trap on zeros, keep state of their own) want EXACT. */
typedef enum sf_resident_loop {
    SF_RESIDENT_LOOP_AUTO,                   /* UNROLLED, with its passes, where it can be and takes 4 MiB at most,
                                                else FAST; with a data-ready handler EXACT, with .fused FUSED */
    SF_RESIDENT_LOOP_EXACT,                  /* WHILE { work, publish + wait }: never a pass too many */
    SF_RESIDENT_LOOP_FAST,                   /* WHILE { wait, work, publish }: one pass too many */
    SF_RESIDENT_LOOP_UNROLLED,               /* FAST, the work once per slot: a turn of the loop costs 1 / slots; up
                                                to `slots` passes too many */
    SF_RESIDENT_LOOP_FUSED                   /* one persistent kernel: sf_resident_desc.fused; none too many */
} sf_resident_loop;

typedef enum sf_resident_idle {              /* how the wait kernel waits */
    SF_RESIDENT_IDLE_LATENCY,                /* spins 1 ms, then naps <= 1 us, after 10 ms of silence 50 us */
    SF_RESIDENT_IDLE_BALANCED,               /* spins 5 us, then naps <= 20 us */
    SF_RESIDENT_IDLE_POWER                   /* naps 100 us from the start */
} sf_resident_idle;

typedef enum sf_resident_state {
    SF_RESIDENT_NEW,
    SF_RESIDENT_BUILT,
    SF_RESIDENT_RUNNING,
    SF_RESIDENT_STOPPING,
    SF_RESIDENT_STOPPED,
    SF_RESIDENT_FAULTED
} sf_resident_state;

/* Overflow: the loop alone can drop a request that is queued, where it begins an iteration: with LATEST it takes the
   newest one. So DROP_OLDEST, which is to make room at once, is refused. A camera takes LATEST, which waits only if
   all slots were filled within an iteration, or DROP_NEWEST, which never waits: submit drops what has no room, of
   several sources each for itself, so that their requests move apart. */
typedef struct sf_resident_desc {
    const char *name;
    sf_device *device;                       /* default: opens one itself, and closes it ... */
    sf_backend backend;                      /* ... of this kind */
    sf_logger logger;
    sf_heap heap;
    uint32_t slots;                          /* of each ring, in and out: a power of two, default 4 */
    sf_overflow overflow;                    /* no free slot; BLOCK: acquire waits, ERROR: it returns SF_BUSY. Not
                                                DROP_OLDEST */
    bool any_source;                         /* one source with data starts an iteration; default: it takes all */
    sf_resident_loop loop;
    bool no_programmatic_launch;             /* default: programmatic edges into kernels declared so */
    sf_resident_idle idle;
    int64_t spin;                            /* so long before the first nap; default the preset's */
    int64_t data_not_ready_sleep_interval_us;        /* the longest nap; default the preset's */
    int64_t timeout_ms;                      /* stops by itself; default never. An earlier stop cuts it short */
    int64_t stall_timeout;                   /* no heartbeat in an iteration: SF_ERROR_STALLED; default 1 s, INT64_MAX
                                                never. To wait for data, or for a release, is no stall */
    int64_t deadline;                        /* published later than so long after its submit: missed; default none */
    bool default_priority;                   /* default: the highest, which bounds the tail next to other work */
    bool measure_operators;                  /* stamps each operator, too: two small kernels more on its way. Not in
                                                a fused loop, with a warning */
    bool no_stages;                          /* the heartbeat enters no single operator (one small kernel less for
                                                each, beside the way): a stall or fault is then "work" */
    bool sync_with_host;                     /* ignored, here for familiarity: what is ready is visible, always */
    bool no_host_writes;                     /* no kernel of an operator writes into host memory; the loop then need
                                                not wait, in each iteration, until such writes have crossed the bus,
                                                1.6 us. Of no use, with a warning, where results are larger than 56
                                                bytes, a port has .data, or any_source */
    const sf_kernel *fused;                  /* from SF_RESIDENT_FUSED(): the operators then have no compute, and
                                                there is no branch, no data-ready handler and no delayed edge */
} sf_resident_desc;

/* >>build --------------------------------------------------------------------------------------------- */

SF_API sf_resident *sf_resident_create(const sf_resident_desc *desc);

/* Stops without drain and waits while it goes on, or for stall_timeout and a second where it gives no sign of that
   (unrolled: for each slot, as it does the passes of all of them first). Nobody may be in a call on it any more: a
   sf_resident_tear_down() before ends those of readers and writers. Returns why it was not built, or the first fault,
   stall or raise of its life; refused calls do not count. SF_TIMEOUT: stalled for good, and leaked. */
SF_API sf_result sf_resident_destroy(sf_resident *resident);
SF_API sf_op sf_resident_add(sf_resident *resident, const sf_op_desc *desc);
SF_API int sf_resident_add_input(sf_resident *resident, sf_op op, const sf_port *port);      /* as sf_add_input() */
SF_API int sf_resident_add_output(sf_resident *resident, sf_op op, const sf_port *port);
SF_API sf_result sf_resident_connect(sf_resident *resident, sf_op from, const char *output, sf_op to,
                                     const char *input, const sf_edge_desc *desc);

/* Checks, captures, instantiates; launch does so, too. Calls all initialize hooks (which may size ports), all start
   hooks, then the computes; destroy calls the stop hooks, in reverse. */
SF_API sf_result sf_resident_build(sf_resident *resident);

/* `op` and all before it decide on the GPU, first in each iteration, whether there is data: a kernel of theirs
   calls sf_resident_mark_data_ready_dev(). Unmarked, or marked with garbage, is not ready. A second call replaces,
   and warns. External inputs are for operators behind it: then an iteration takes a mark and their requests. A mark
   is for one iteration, and is kept until the requests, and room for the results, are there. A stop may discard one,
   uncounted: let an operator behind the handler take the frame off its queue. */
SF_API sf_result sf_resident_register_data_ready_handler(sf_resident *resident, sf_op op);

/* Branches are taken on the GPU, per iteration; operators are put into them one by one. A sink that was skipped
   publishes all the same, what it has: let the predicate be a result, too. EVERY counts on over launches. */
typedef struct sf_resident_branch { uint32_t id; } sf_resident_branch;

typedef enum sf_resident_branch_kind {
    SF_RESIDENT_IF, SF_RESIDENT_SWITCH, SF_RESIDENT_EVERY
} sf_resident_branch_kind;

typedef struct sf_resident_branch_desc {
    sf_resident_branch_kind kind;
    sf_op predicate;                         /* IF, SWITCH: a uint32_t, the first in its output `port`, decides */
    const char *port;
    uint32_t cases;                          /* SWITCH */
    uint32_t every, phase;                   /* EVERY: when iteration % every == phase % every */
    bool clear_skipped;                      /* outputs of who is skipped by this choice are zeroed, each time, which
                                                takes CUDA 12.8; default: they stay as they were */
} sf_resident_branch_desc;

SF_API sf_resident_branch sf_resident_add_branch(sf_resident *resident, const sf_resident_branch_desc *desc);
SF_API sf_result sf_resident_put(sf_resident *resident, sf_op op, sf_resident_branch branch, uint32_t which);
                                             /* IF: 0 then, 1 else. SWITCH: the case. EVERY: 0 */

/* >>control ------------------------------------------------------------------------------------------- */

/* Returns at once. Again after a stop or a raise, not after a stall or a fault, and not built anew: sequences and
   counters go on, what a raise left in the queue is done, results that were not read are gone. SF_BUSY: 4 loops run
   on this device, or 8 fused ones; with CUDA_DEVICE_MAX_CONNECTIONS=16 and on a host device twice as many; or, for a
   second, a thread was stopped while it counted a frame of the run before: call again. */
SF_API sf_result sf_resident_launch(sf_resident *resident);
SF_API bool sf_resident_is_launched(const sf_resident *resident);    /* from the real start to the real end */
SF_API sf_resident_state sf_resident_get_state(const sf_resident *resident);

/* drain: what was submitted is done first; read on meanwhile, as a full ring of results holds it up. A data-ready
   handler is not asked again: what waits behind it stays queued. No drain: the iteration at work is published (on a
   GPU those of 50 us, if they are shorter), the queue dropped. SF_OK: it has ended, now or before (not by a fault).
   SF_TIMEOUT: still stopping; call again, with drain or without. SF_IGNORED: never launched. */
SF_API sf_result sf_resident_tear_down(sf_resident *resident, bool drain, int64_t timeout);

/* Until it has ended. SF_OK: stopped, or timeout_ms was over; else the code that was raised, or of the fault.
   SF_IGNORED: never launched. */
SF_API sf_result sf_resident_wait(sf_resident *resident, int64_t timeout);

/* >>host ---------------------------------------------------------------------------------------------- */

/* One operator's share of one iteration. data[port] of each external port is host memory, lent from acquire to
   submit, or from result to release, and is never overwritten meanwhile; a launch ends all loans. Sequences count
   from 1. */
typedef struct sf_resident_slot {
    sf_op op;
    uint64_t sequence;                       /* of a request: its submit at this source; of a result: its iteration.
                                                They are the same, unless any_source; after a drop by
                                                DROP_NEWEST sf_resident_iteration() counts what ran */
    sf_result status;                        /* of this iteration: SF_OK, or what was raised in it (it ran on) */
    int64_t submitted, started, finished, published;         /* the GPU's clock, shifted to sf_now(NULL) */
    void *data[SF_MAX_PORTS];                /* by index of the port: acquire: inputs, result: outputs */
} sf_resident_slot;

/* A source: acquire, submit; a sink: result, release. A stop ends them with SF_ERROR_ILLEGAL_STATE, a reader when it
   has all results: that is how both learn of it, and no failure; before the launch it is one.
   SF_BUSY: no slot is free, and the timeout 0 or the overflow ERROR; SF_TIMEOUT: none became free. Until it is
   submitted the same slot is lent again. None is free, whatever the overflow, while a feeder's copy for the launch
   before is under way. */
SF_API sf_result sf_resident_acquire(sf_resident *resident, sf_op source, int64_t timeout, sf_resident_slot *slot);
SF_API sf_result sf_resident_submit(sf_resident *resident, sf_resident_slot *slot);  /* rings the doorbell */

/* sequence 0: the next that was not dropped, after the last one returned, released or not; SF_IGNORED: that one was
   dropped; SF_ERROR_ILLEGAL_STATE: released, or dropped long ago; SF_TIMEOUT: not there yet, with timeout 0, too.
   Several may be held at once; they are released in order, which zeros the slot. One that is not released holds up
   the loop `slots` results later. */
SF_API sf_result sf_resident_result(sf_resident *resident, sf_op sink, uint64_t sequence, int64_t timeout,
                                    sf_resident_slot *slot);
SF_API sf_result sf_resident_release(sf_resident *resident, sf_resident_slot *slot);

/* Where there is no slot to fill or to read: ports in device memory. One more iteration; its sequence, or NULL, is
   right if nobody but the host triggers. */
SF_API sf_result sf_resident_data_ready(sf_resident *resident, uint64_t *sequence);
SF_API sf_result sf_resident_result_ready(const sf_resident *resident, uint64_t sequence);   /* or SF_NOT_READY; from
                                                1 on */

/* >>device -------------------------------------------------------------------------------------------- */

/* The port's memory as the graph sees it; slot 0 unless unrolled: then iteration k works in slot (k - 1) % slots.
   NULL, with a failure: unknown port, not built. */
SF_API void *sf_resident_device_memory(const sf_resident *resident, sf_op op, const char *port, uint32_t slot);

/* What kernels talk to: give its address, stable for life, among their arguments; marks and raises count from the
   build on. These are for host bodies, and on a host device for any thread; in streamflow_kernels.cu each has a
   device side, by the same name with _dev. */
typedef struct sf_resident_control sf_resident_control;

SF_API sf_resident_control *sf_resident_get_control(const sf_resident *resident);    /* before it is built, too */
SF_API void sf_resident_mark_data_ready(sf_resident_control *control);
SF_API void sf_resident_mark_data_not_ready(sf_resident_control *control);
SF_API uint64_t sf_resident_iteration(const sf_resident_control *control);           /* its sequence; in a data-ready
                                                handler still that of the one before */
SF_API void sf_resident_raise(sf_resident_control *control, sf_result code);         /* stops cleanly, as a failure;
                                                while no loop runs, the next one at its first look. What one that
                                                ends anyway still hears is lost */

/* Fused: the loop is one persistent kernel of one block, the operators are functions that it calls one after the
   other, with a barrier in between. They are given in the order of sf_resident_add(), which has to be one in which
   nobody comes before what it reads; ports go by index, their memory by the rules above. Each thread of the block
   calls: `thread` of `threads`; on a host device there is one. `user` is sf_op_desc.user, as it is: the GPU has to
   be able to read there. SF_RESIDENT_FUSED(name, first, second, ...) at file scope defines  const sf_kernel name:
   in a .cu file that includes streamflow_kernels.cu for both backends, elsewhere for host devices alone. */
typedef struct sf_resident_fused_call {
    const void *in[SF_DESC_PORTS];
    void *out[SF_DESC_PORTS];
    void *user;
    sf_resident_control *control;            /* for the calls above; what is raised here ends this very iteration */
    int32_t thread, threads;
} sf_resident_fused_call;

typedef void (*sf_resident_fused_func)(const sf_resident_fused_call *call);

/* One try of the loop; what the host body of SF_RESIDENT_FUSED() calls. */
SF_API int sf_resident_run_fused(const void *args, const sf_resident_fused_func *ops, int count);

#ifdef __cplusplus
    #define SFI_RESIDENT_EXTERN extern "C"
#else
    #define SFI_RESIDENT_EXTERN extern
#endif
#ifndef __CUDACC__
    #define SF_RESIDENT_FUSED(fused_name, ...)                                                          \
        static int fused_name##_host(const sf_slice *slice, const void *args)                           \
        {                                                                                               \
            static const sf_resident_fused_func ops[] = { __VA_ARGS__ };                                \
            (void)slice;                                                                                \
            return sf_resident_run_fused(args, ops, (int)(sizeof ops / sizeof *ops));                   \
        }                                                                                               \
        SFI_RESIDENT_EXTERN const sf_kernel fused_name;                                                 \
        const sf_kernel fused_name = { #fused_name, fused_name##_host, NULL, 1, false, 1000 };
#endif

/* >>bridge -------------------------------------------------------------------------------------------- */

/* Operators for sf_add(): the feeder has inputs named as the external inputs of `source`, the reader outputs named
   as the external outputs of `sink`. A full ring holds up the flow (overflow ERROR fails it), a full queue of the
   flow holds up the loop. A shorter message fills the front of its slot, the rest is unspecified. Unless any_source,
   the first source's timestamp goes with the message, and metadata of all feeders: 16 entries of each, what is beyond
   is lost, and a warning says so; where several have one of a key, the first source's.
   Launch the loop yourself, before the flow, or the first time while it waits, which a warning says. The reader ends
   after the feeder's last result, or with the loop: if that is stopped meanwhile, the reader delivers all results,
   and both end without a failure; a loop that fails fails the flow. A reader that has ended, as nobody behind it
   needs it, holds up nothing while the flow runs: its results are discarded. When all external outputs had a reader
   in the flow, and none is left, the feeders end, too. What a run has left in the loop the next one discards, and it
   holds up a drain: stop without.
   The feeders and readers of a loop are in one flow, each once; when it has ended, another one may have them. Destroy
   the flow first. */
SF_API sf_op_desc sf_resident_feeder(sf_resident *resident, sf_op source);
SF_API sf_op_desc sf_resident_reader(sf_resident *resident, sf_op sink);

/* >>observe ------------------------------------------------------------------------------------------- */

typedef struct sf_resident_info {
    sf_resident_state state;
    uint64_t submitted, completed, dropped, queued;  /* submitted: iterations whose requests are all there, and
                                                requests that the host has dropped; dropped: these, and iterations
                                                that the loop has passed over. What the device itself asked for counts
                                                when it is done; beside it sf_resident_data_ready() may, too. A frame
                                                that a feeder has taken when the run ends is dropped */
    uint64_t missed;                         /* published later than the deadline */
    uint64_t heartbeat;                      /* stages entered so far */
    char stage[64];                          /* where it is now: an operator; "wait", for data or for a result to be
                                                released; with no_stages "work". After a raise: whose, if known */
    sf_resident_loop loop;                   /* the shape that runs */
    uint32_t nodes;                          /* in the loop's body and all bodies within */
    int64_t predicted;                       /* cost of an iteration on an H200, without the kernels' own time */
    size_t device_bytes, host_bytes;
} sf_resident_info;

typedef enum sf_resident_span {
    SF_RESIDENT_SPAN_TOTAL,                  /* submitted to published */
    SF_RESIDENT_SPAN_QUEUE,                  /* submitted to started */
    SF_RESIDENT_SPAN_WORK,                   /* started to finished */
    SF_RESIDENT_SPAN_PUBLISH,                /* finished to published */
    SF_RESIDENT_SPAN_PERIOD                  /* published to published: its spread is the jitter */
} sf_resident_span;

typedef enum sf_resident_report_kind {
    SF_RESIDENT_REPORT_TABLE,
    SF_RESIDENT_REPORT_CSV,
    SF_RESIDENT_REPORT_PLAN,                 /* in words: nodes, buffers, predicted cost */
    SF_RESIDENT_REPORT_DOT
} sf_resident_report_kind;

/* Live, at no cost to the loop: histograms kept on the device. */
SF_API sf_result sf_resident_get_info(const sf_resident *resident, sf_resident_info *info);
SF_API sf_result sf_resident_get_latency(const sf_resident *resident, sf_resident_span span, sf_latency *latency);
SF_API sf_result sf_resident_get_op_latency(const sf_resident *resident, sf_op op, sf_latency *latency);
SF_API sf_result sf_resident_report(const sf_resident *resident, sf_resident_report_kind kind, sf_text_func text,
                                    void *user);

/* Why it was not built, or the first fault, stall or raise; while there is none, the latest refused call, but for
   the SF_ERROR_ILLEGAL_STATE by which those who submit and read learn of a stop. A launch clears it. Lent until the
   next failure or launch. */
SF_API const sf_failure *sf_resident_failure(const sf_resident *resident);

#ifdef __cplusplus
} /* extern "C" */

/* The same by reference: see the end of streamflow.h's declarations. */
static inline sf_resident *sf_resident_create(const sf_resident_desc &desc) { return sf_resident_create(&desc); }
static inline sf_op sf_resident_add(sf_resident *resident, const sf_op_desc &desc)
{
    return sf_resident_add(resident, &desc);
}
static inline int sf_resident_add_input(sf_resident *resident, sf_op op, const sf_port &port)
{
    return sf_resident_add_input(resident, op, &port);
}
static inline int sf_resident_add_output(sf_resident *resident, sf_op op, const sf_port &port)
{
    return sf_resident_add_output(resident, op, &port);
}
static inline sf_result sf_resident_connect(sf_resident *resident, sf_op from, const char *output, sf_op to,
                                            const char *input, const sf_edge_desc &desc)
{
    return sf_resident_connect(resident, from, output, to, input, &desc);
}
static inline sf_resident_branch sf_resident_add_branch(sf_resident *resident, const sf_resident_branch_desc &desc)
{
    return sf_resident_add_branch(resident, &desc);
}
#endif
#endif /* STREAMFLOW_GPU_RESIDENT_H */

/* What the loop and the host say to each other, in C that runs on both: streamflow_kernels.cu compiles this part for
   the GPU, the implementation below for host devices. */
#if defined(STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION) || defined(__CUDACC__)
#ifndef SFI_RESIDENT_PROTOCOL
#define SFI_RESIDENT_PROTOCOL

#include <string.h>

/* >>words --------------------------------------------------------------------------------------------- */

#ifdef __CUDACC__
    #define SFI_RESIDENT_FN static inline __host__ __device__
    #define SFI_RESIDENT_PART static __noinline__ __host__ __device__ __attribute__((unused))    /* short PTX */
#elif defined(__GNUC__)
    #define SFI_RESIDENT_FN static inline __attribute__((unused))
#else
    #define SFI_RESIDENT_FN static inline
#endif
#ifdef __CUDA_ARCH__
    #define SFI_RESIDENT_ROLLED _Pragma("unroll 1")
#else
    #define SFI_RESIDENT_ROLLED
#endif
#ifndef SFI_RESIDENT_PART
    #define SFI_RESIDENT_PART SFI_RESIDENT_FN
#endif
#if !defined(SFI_RESIDENT_STEP) || defined(__CUDA_ARCH__)    /* tests stall here, between any two stores */
    #undef SFI_RESIDENT_STEP
    #define SFI_RESIDENT_STEP(id) ((void)0)
#endif
#if !defined(SFI_MUTANT) || defined(__CUDA_ARCH__)           /* tests: leave something out, by name */
    #undef SFI_MUTANT
    #define SFI_MUTANT(name) 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SFI_RESIDENT_ENDS = 32,                  /* sources, and sinks, of one loop */
    SFI_RESIDENT_SLOTS = 1024,
    SFI_RESIDENT_BUCKETS = 768,              /* of a histogram: 16 per doubling */
    SFI_RESIDENT_SPANS = 5,
    SFI_RESIDENT_NOT_READY = 1,              /* the data-ready word, as Holoscan's handlers write it */
    SFI_RESIDENT_READY = 2
};

/* Words are written by one side only, one line each: nothing is read, changed and written across PCIe. A source's
   `submit` counts its requests and carries the stop in the same word: who sees the stop sees all that came before. */
#define SFI_RESIDENT_DRAIN ((uint64_t)1 << 63)
#define SFI_RESIDENT_ABORT ((uint64_t)1 << 62)
#define SFI_RESIDENT_COUNT (SFI_RESIDENT_ABORT - 1)

typedef struct sfi_resident_line { uint64_t value, rest[15]; } sfi_resident_line;

typedef struct sfi_resident_settings {       /* read when the loop starts */
    uint64_t launch;
    int64_t spin, nap, calm_nap, calm_after, timeout, deadline;
} sfi_resident_settings;

enum { SFI_RESIDENT_HEARS = 50000 };         /* ns after which the host is asked, whatever is known of it */
typedef struct sfi_resident_record {         /* of a published iteration */
    uint64_t sequence, status, fresh, submitted, started, finished, published, missed;
} sfi_resident_record;

/* What crosses the bus in one go: each word has 32 bits of the content, and below them 32 of the number of what it
   is part of, the n-th request or result. One load reads both, so that every word speaks for itself: words are
   written and seen in any order, without a fence between them, and who has found all of one number has all of its
   content. A word is overwritten a ring later, by a number that is not 2^32 away.
   Small requests travel so whole, with when they were submitted; so do records of results, with small results. */
enum {
    SFI_RESIDENT_TIME = 2,                   /* words of a request in front of its content */
    SFI_RESIDENT_RECORD = 16,                /* of a result */
    SFI_RESIDENT_INLINE = 14                 /* of content at most */
};
typedef struct sfi_resident_request { uint64_t words[SFI_RESIDENT_TIME + SFI_RESIDENT_INLINE]; } sfi_resident_request;
typedef struct sfi_resident_entry { uint64_t words[32]; } sfi_resident_entry;        /* ring longer than the slots' */

typedef struct sfi_resident_board {          /* the loop's words, in host memory */
    uint64_t completed, done, line0[14];     /* results; requests behind it. Hints: the records are what counts */
    uint64_t stage, began, line1[14];        /* heartbeat << 16 | stage; the request that was taken last */
    uint64_t started, ended, error, end_done, line2[12];     /* launches; what ended the last one; `done` by abort */
    uint64_t taken[SFI_RESIDENT_ENDS];       /* any_source: each source's own */
} sfi_resident_board;

typedef struct sfi_resident_mail {           /* pinned: what both sides see */
    sfi_resident_settings settings;
    uint64_t line[9];
    sfi_resident_line submit[SFI_RESIDENT_ENDS], consumed[SFI_RESIDENT_ENDS];
    sfi_resident_board board;
} sfi_resident_mail;

typedef struct sfi_resident_copy {           /* between a ring in host memory and a port's in the device's */
    char *ring, *memory;
    uint64_t bytes, stride;
    uint32_t end;                            /* source or sink */
    uint32_t out;
    uint32_t word, pad;                      /* where its content begins in a line's */
} sfi_resident_copy;

typedef struct sfi_resident_histogram {
    uint64_t count, sum, low, max;           /* low: the complement of the least, so that zero begins both */
    uint64_t buckets[SFI_RESIDENT_BUCKETS];
} sfi_resident_histogram;

typedef struct sfi_resident_progress {       /* of the iteration that runs: one line, read at once */
    uint64_t completed, done, sequence, missed;
    int64_t submitted, started, finished, published;
    uint32_t live, fresh, beat, content;
    uint64_t line[6];
} sfi_resident_progress;

struct sf_resident_control {                 /* in the device's memory: the loop's own, but for the first words */
    uint32_t ready, marks;                   /* the data-ready word; how often it was marked from outside */
    uint32_t raised, ending;                 /* ending: only passes too many are to come */
    uint32_t quick;                          /* one source or trigger, no handler: its kernel looks faster */
    sf_resident_control *self;               /* a fused loop works on a copy of this, nearer to it */
    sfi_resident_mail *mail;
    sfi_resident_entry *records;
    const sfi_resident_request *requests;    /* one per slot in; line_words: 0 where they do not travel so */
    uint64_t *times;                         /* when each slot was submitted, on this device's clock */
    const sfi_resident_copy *copies;
    sfi_resident_histogram *histograms;      /* spans, then operators */
    int64_t *began_op;                       /* when an operator began */
    sf_resident_fused_call *fused;
    uint32_t words, sources, sinks, slots, in_slots, record_mask;
    uint32_t latest, any, handler, triggered, aligned;
    uint32_t copies_in, copies_out;          /* of one captured slot: first those in, then those out */
    uint32_t line_words, record_words;       /* of a request, if it is in a line; of a record, with what is in it */
    uint32_t unfenced;                       /* operators write nothing that a record would have to wait for */
    uint32_t ops;                            /* fused ones */

    sfi_resident_settings now;
    sfi_resident_progress at;
    uint64_t taken[SFI_RESIDENT_ENDS], seen[SFI_RESIDENT_ENDS], limit[SFI_RESIDENT_ENDS], room[SFI_RESIDENT_ENDS];
    uint32_t pass, rested, late, stopped, marks_taken, marks_limit;
    uint32_t by_device;                      /* the last trigger that came the short way was a mark */
    int64_t start, heard;                    /* of this launch; when the host's word was read last */
};

typedef struct sfi_resident_known {          /* what stays while a loop runs: read before there is anything to do */
    sfi_resident_entry *records;
    const sfi_resident_request *requests;
    sfi_resident_histogram *histograms;
    const sfi_resident_copy *copies;
    const uint64_t *times;
    uint32_t record_mask, any, quick, triggered, aligned, slots, in_slots, sinks, line_words, record_words;
    uint32_t unfenced;
    sfi_resident_settings set;
} sfi_resident_known;

typedef struct sfi_resident_args {           /* of all kernels of the loop */
    sf_resident_control *control;
    sfi_resident_mail *mail;
    uint64_t loop, branch;                   /* handles of conditionals */
    const uint32_t *predicate;
    uint32_t pass, first, count;             /* captured slot; copies to do */
    uint32_t next, next_count;               /* of the pass that a turn waits for: copies in */
    uint32_t stage, kind;
    uint32_t every, phase, last;             /* a choice; `last`: beyond the cases, whatever the predicate says */
} sfi_resident_args;

typedef enum sfi_resident_stage {
    SFI_RESIDENT_STAGE_WAIT, SFI_RESIDENT_STAGE_WORK, SFI_RESIDENT_STAGE_OP
} sfi_resident_stage;
typedef enum sfi_resident_mark_kind {           /* sfi_resident_args.kind */
    SFI_RESIDENT_MARK_ENTER, SFI_RESIDENT_MARK_BEGIN, SFI_RESIDENT_MARK_END
} sfi_resident_mark_kind;
typedef enum sfi_resident_turn { SFI_RESIDENT_WAIT, SFI_RESIDENT_TAKE, SFI_RESIDENT_STOP } sfi_resident_turn;

SFI_RESIDENT_FN uint64_t sfi_resident_load(const uint64_t *p)
{
#if defined(__CUDA_ARCH__)
    unsigned long long v;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
#elif defined(SF_NO_THREADS)
    return *(const volatile uint64_t *)p;
#else
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}
SFI_RESIDENT_FN uint32_t sfi_resident_load32(const uint32_t *p)
{
#if defined(__CUDA_ARCH__)
    unsigned v;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
#elif defined(SF_NO_THREADS)
    return *(const volatile uint32_t *)p;
#else
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
#endif
}
/* What came before it is ordered otherwise. */
SFI_RESIDENT_FN uint32_t sfi_resident_peek32(const uint32_t *p)
{
#if defined(__CUDA_ARCH__)
    unsigned v;
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
#else
    return sfi_resident_load32(p);
#endif
}
/* A plain word for the other side: no order of its own on a GPU, where one fence stands before the last stores. */
SFI_RESIDENT_FN void sfi_resident_store(uint64_t *p, uint64_t v)
{
#if defined(__CUDA_ARCH__)
    asm volatile("st.relaxed.sys.u64 [%0], %1;" : : "l"(p), "l"((unsigned long long)v) : "memory");
#elif defined(SF_NO_THREADS)
    *(volatile uint64_t *)p = v;
#else
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
#endif
}
SFI_RESIDENT_FN void sfi_resident_store32(uint32_t *p, uint32_t v)
{
#if defined(__CUDA_ARCH__)
    asm volatile("st.relaxed.sys.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
#elif defined(SF_NO_THREADS)
    *(volatile uint32_t *)p = v;
#else
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
#endif
}
SFI_RESIDENT_FN void sfi_resident_fence(void)
{
#if defined(__CUDA_ARCH__)
    asm volatile("fence.acq_rel.sys;" : : : "memory");
#endif
}
SFI_RESIDENT_FN void sfi_resident_fence_device(void)         /* for who is on the same one */
{
#if defined(__CUDA_ARCH__)
    asm volatile("fence.acq_rel.gpu;" : : : "memory");
#endif
}
SFI_RESIDENT_FN uint32_t sfi_resident_add(uint32_t *p, uint32_t v)
{
#if defined(__CUDA_ARCH__)
    return atomicAdd(p, v);
#elif defined(SF_NO_THREADS)
    return (*p += v) - v;
#else
    return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL);
#endif
}
SFI_RESIDENT_FN uint32_t sfi_resident_clear(uint32_t *p)     /* what it was */
{
#if defined(__CUDA_ARCH__)
    return atomicExch(p, 0);
#elif defined(SF_NO_THREADS)
    uint32_t was = *p;
    return *p = 0, was;
#else
    return __atomic_exchange_n(p, 0, __ATOMIC_ACQ_REL);
#endif
}
SFI_RESIDENT_FN int64_t sfi_resident_clock(void)
{
#if defined(__CUDA_ARCH__)
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return (int64_t)t;
#else
    return sf_now(NULL);
#endif
}

/* The words that kernels of the user's write stay where they are. */
SFI_RESIDENT_FN sf_resident_control *sfi_resident_self(sf_resident_control *c)
{
#if defined(__CUDA_ARCH__)
    return __isShared(c) ? c->self : c;
#else
    return c;
#endif
}
SFI_RESIDENT_FN sfi_resident_known sfi_resident_know(const sf_resident_control *c)
{
    sfi_resident_known k;
    k.records = c->records;
    k.requests = c->requests;
    k.histograms = c->histograms;
    k.copies = c->copies;
    k.times = c->times;
    k.record_mask = c->record_mask;
    k.any = c->any ? c->sources : 0;
    k.quick = c->quick;
    k.triggered = c->triggered;
    k.aligned = c->aligned;
    k.slots = c->slots;
    k.in_slots = c->in_slots;
    k.sinks = c->sinks;
    k.line_words = c->line_words;
    k.record_words = c->record_words;
    k.unfenced = c->unfenced;
    k.set = c->now;
    return k;
}

SFI_RESIDENT_FN void sfi_resident_enter(sf_resident_control *c, uint32_t stage)      /* the heartbeat */
{
    sfi_resident_store(&c->mail->board.stage, (uint64_t)c->at.beat << 16 | stage);
}

SFI_RESIDENT_FN void sfi_resident_mark(sf_resident_control *c, bool ready)
{
    sf_resident_control *self = sfi_resident_self(c);
    if (ready) {                             /* counted first: who waits for marks hears of it at once */
        sfi_resident_fence_device();
        (void)sfi_resident_add(&self->marks, 1);
    }
    if (!ready || !self->triggered) {        /* triggered: nobody asks at a certain time, every mark is a request */
        sfi_resident_store32(&self->ready, ready ? SFI_RESIDENT_READY : SFI_RESIDENT_NOT_READY);
    }
}
/* The first one stays. A fused operator tells its loop beside that, which then need not look for it further away. */
SFI_RESIDENT_FN void sfi_resident_raise(sf_resident_control *c, int32_t code)
{
    sf_resident_control *self = sfi_resident_self(c);
    uint32_t value = (uint32_t)(code < 0 ? code : SF_ERROR_USER);
    if (sfi_resident_load32(&self->ending)) { return; }      /* a pass of the operators that counts for nothing */
#if defined(__CUDA_ARCH__)
    uint32_t first = atomicCAS(&self->raised, 0, value);
    if (c != self) { sfi_resident_store32(&c->raised, first ? first : value); }
#elif defined(SF_NO_THREADS)
    if (!self->raised) { self->raised = value; }
#else
    uint32_t none = 0;
    (void)__atomic_compare_exchange_n(&self->raised, &none, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}

/* -- the loop: when it starts, whether there is data, what is taken, what is published, when it ends -- */

SFI_RESIDENT_PART void sfi_resident_begin(sf_resident_control *c)
{
    c->now = c->mail->settings;
    c->late = c->stopped = c->at.live = c->rested = 0;       /* a raise from before this is heard at the first look */
    c->at.beat++;
    c->start = sfi_resident_clock();
    c->at.published = 0;
    c->heard = 0;
    if (c->handler) { sfi_resident_store32(&c->ready, SFI_RESIDENT_NOT_READY); }     /* what a stop has discarded */
    sfi_resident_store(&c->mail->board.error, 0);
    sfi_resident_store(&c->mail->board.started, c->now.launch);
    sfi_resident_enter(c, SFI_RESIDENT_STAGE_WAIT);
}

/* Requests that wait in a source's word. Past its time the loop takes only what was there when the time was up.
   A stop is one when every word carries it: then all counts are final. */
SFI_RESIDENT_PART uint64_t sfi_resident_pending(sf_resident_control *c, uint32_t s, uint64_t *stop, bool late)
{
    uint64_t word = sfi_resident_load(&c->mail->submit[s].value), count = word & SFI_RESIDENT_COUNT;
    *stop &= SFI_MUTANT(stop_word) ? sfi_resident_load(&c->mail->line[0]) : word;
    if (late && !c->late) { c->limit[s] = count; }
    if (c->late && count > c->limit[s]) { count = c->limit[s]; }
    c->seen[s] = count;
    return count - c->taken[s];
}

SFI_RESIDENT_PART bool sfi_resident_has_room(sf_resident_control *c)   /* for one more result, in every ring */
{
    uint32_t t;
    SFI_RESIDENT_ROLLED
    for (t = 0; t < c->sinks; t++) {
        if (c->at.completed - c->room[t] < c->slots) { continue; }
        c->room[t] = sfi_resident_load(&c->mail->consumed[t].value);
        if (c->at.completed - c->room[t] >= c->slots && !SFI_MUTANT(consumed)) { return false; }
    }
    return true;
}

/* -- words with a number -- */

SFI_RESIDENT_FN uint64_t sfi_resident_numbered(uint32_t content, uint64_t number)
{
    return (uint64_t)content << 32 | (uint32_t)number;
}
SFI_RESIDENT_FN bool sfi_resident_is_of(uint64_t word, uint64_t number) { return (uint32_t)word == (uint32_t)number; }
SFI_RESIDENT_FN uint32_t sfi_resident_content(uint64_t word) { return (uint32_t)(word >> 32); }
SFI_RESIDENT_FN uint64_t sfi_resident_join(uint64_t low, uint64_t high)
{
    return low >> 32 | (high >> 32) << 32;
}
/* How many words content takes, and the i-th of them: the last one may be short. */
SFI_RESIDENT_FN uint32_t sfi_resident_words_of(uint64_t bytes) { return (uint32_t)((bytes + 3) / 4); }
SFI_RESIDENT_FN uint32_t sfi_resident_get_word(const char *from, uint64_t bytes, uint32_t i)
{
    const char *at = from + 4 * (uint64_t)i;
    uint64_t left = bytes - 4 * (uint64_t)i;
    uint32_t word = 0;
#if defined(__CUDA_ARCH__)
    if (left >= 4 && !((uintptr_t)at & 3)) { return *(const volatile uint32_t *)at; }
    SFI_RESIDENT_ROLLED
    for (uint32_t n = 0; n < 4 && n < left; n++) { word |= (uint32_t)((const volatile unsigned char *)at)[n] << 8 * n; }
#else
    memcpy(&word, at, left < 4 ? (size_t)left : 4);
#endif
    return word;
}
SFI_RESIDENT_FN void sfi_resident_put_word(char *to, uint64_t bytes, uint32_t i, uint32_t word)
{
    char *at = to + 4 * (uint64_t)i;
    uint64_t left = bytes - 4 * (uint64_t)i;
#if defined(__CUDA_ARCH__)
    if (left >= 4 && !((uintptr_t)at & 3)) {
        *(uint32_t *)at = word;
        return;
    }
    SFI_RESIDENT_ROLLED
    for (uint32_t n = 0; n < 4 && n < left; n++) { at[n] = (char)(word >> 8 * n); }
#else
    memcpy(at, &word, left < 4 ? (size_t)left : 4);
#endif
}
/* A request is counted, and then its words are written, so that none is there of one that a stop has refused. */
SFI_RESIDENT_PART bool sfi_resident_has_arrived(const sf_resident_control *c)
{
    const uint64_t *words = c->requests[c->taken[0] % c->in_slots].words;
    uint32_t i;
    SFI_RESIDENT_ROLLED
    for (i = 0; i < (SFI_MUTANT(half_a_line) ? 1 : c->line_words); i++) {
        if (!sfi_resident_is_of(sfi_resident_load(&words[i]), c->taken[0] + 1)) { return false; }
    }
    return true;
}
/* Of the request that was taken: when it was submitted, and its content to where it belongs. By one thread. */
SFI_RESIDENT_PART void sfi_resident_unload(sf_resident_control *c, uint32_t first, uint32_t count)
{
    const uint64_t *words = c->requests[(c->taken[0] - 1) % c->in_slots].words;
    int64_t at = (int64_t)sfi_resident_join(sfi_resident_load(&words[0]), sfi_resident_load(&words[1]));
    uint32_t i, n;
    if (at && at < sfi_resident_clock()) { c->at.submitted = at; }
    SFI_RESIDENT_ROLLED
    for (i = first; i < first + count; i++) {
        const sfi_resident_copy *copy = &c->copies[i];
        SFI_RESIDENT_ROLLED
        for (n = 0; n < sfi_resident_words_of(copy->bytes); n++) {
            uint64_t word = sfi_resident_load(&words[SFI_RESIDENT_TIME + copy->word + n]);
            sfi_resident_put_word(copy->memory, copy->bytes, n, sfi_resident_content(word));
        }
    }
}

/* Marks and a written word count as requests of a loop that is triggered, and decide in one with a handler. */
SFI_RESIDENT_PART uint64_t sfi_resident_device_pending(sf_resident_control *c)
{
    const sf_resident_control *self = sfi_resident_self(c);
    uint32_t ready = !c->stopped && sfi_resident_load32(&self->ready) == SFI_RESIDENT_READY;
    uint32_t marks = c->stopped ? c->marks_limit : sfi_resident_load32(&self->marks);
    return c->handler ? ready : (uint64_t)(marks - c->marks_taken) + ready;
}

SFI_RESIDENT_PART sfi_resident_turn sfi_resident_glance(sf_resident_control *c, int64_t now)
{
    uint64_t least = SFI_RESIDENT_COUNT, most = 0, stop = ~SFI_RESIDENT_COUNT, n;
    bool late = c->now.timeout > 0 && now - c->start >= c->now.timeout;
    uint32_t s;
    if (sfi_resident_load32(&sfi_resident_self(c)->raised) && !SFI_MUTANT(raised_stop)) { return SFI_RESIDENT_STOP; }
    SFI_RESIDENT_ROLLED
    for (s = 0; s < c->words; s++) {
        n = sfi_resident_pending(c, s, &stop, late);
        if (s >= c->sources) { continue; }
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (stop & SFI_RESIDENT_ABORT) { return SFI_RESIDENT_STOP; }
    if ((late || stop) && !c->stopped) {     /* what the device itself asks for after this is not taken any more */
        c->stopped = 1;
        c->marks_limit = sfi_resident_load32(&sfi_resident_self(c)->marks);
    }
    c->late |= late;
    if (c->triggered) {
        least = most += sfi_resident_device_pending(c);
    } else if (c->handler && (!c->sources || !sfi_resident_device_pending(c))) {
        least = most = sfi_resident_device_pending(c);
    }
    if (c->any ? most : least) {
        if (!sfi_resident_has_arrived(c)) { return SFI_RESIDENT_WAIT; }
        if (sfi_resident_has_room(c)) { return SFI_RESIDENT_TAKE; }
        return c->late ? SFI_RESIDENT_STOP : SFI_RESIDENT_WAIT;
    }
    return c->stopped ? SFI_RESIDENT_STOP : SFI_RESIDENT_WAIT;
}

SFI_RESIDENT_FN sfi_resident_turn sfi_resident_look(sf_resident_control *c, int64_t now)
{
    sfi_resident_turn turn = sfi_resident_glance(c, now);
    if (turn == SFI_RESIDENT_STOP) { sfi_resident_store32(&sfi_resident_self(c)->ending, 1); }
    return turn;
}

/* How many of a source's requests are passed over for a newer one. */
SFI_RESIDENT_FN uint64_t sfi_resident_skip(const sf_resident_control *c, uint64_t pending)
{
    return pending > 1 && c->latest ? pending - 1 : 0;
}

/* The next request of each source: of all together, or of those that have one. Returns how many were dropped. */
SFI_RESIDENT_PART uint64_t sfi_resident_take_all(sf_resident_control *c)
{
    uint64_t skip = 0, n, least = SFI_RESIDENT_COUNT;
    uint32_t s;
    SFI_RESIDENT_ROLLED
    for (s = 0; s < c->sources; s++) {
        n = c->seen[s] - c->taken[s];
        least = n < least ? n : least;
        n = sfi_resident_skip(c, n);
        skip = n > skip ? n : skip;
    }
    if (!c->any && skip >= least && least) { skip = least - 1; }
    SFI_RESIDENT_ROLLED
    for (s = 0; s < c->sources; s++) {
        n = c->seen[s] - c->taken[s];
        if (!n) { continue; }
        c->at.fresh |= (uint32_t)1 << s;
        c->taken[s] += 1 + (c->any ? sfi_resident_skip(c, n) : skip);
    }
    return skip;
}
SFI_RESIDENT_PART void sfi_resident_take(sf_resident_control *c, int64_t now)
{
    uint64_t skip = 0;
    c->at.fresh = 0;
    if (c->triggered && c->seen[0] == c->taken[0]) {         /* by a mark, or by the word itself */
        sf_resident_control *self = sfi_resident_self(c);
        if ((c->stopped ? c->marks_limit : sfi_resident_load32(&self->marks)) != c->marks_taken) {
            c->marks_taken++;
        } else {
            sfi_resident_store32(&self->ready, SFI_RESIDENT_NOT_READY);
        }
    } else {
        skip = sfi_resident_take_all(c);
    }
    c->at.sequence = c->at.done + 1 + skip;
    c->at.submitted = c->at.started = now;
    c->at.live = 1;
    c->at.beat++;
    SFI_RESIDENT_STEP("loop take");
    sfi_resident_store(&c->mail->board.began, c->at.sequence);
    sfi_resident_enter(c, SFI_RESIDENT_STAGE_WORK);
}

/* One fence, behind which all that the operators did is visible, and content that is too large for the record; then
   the record's words, in any order, and as a hint how many records there are. A fence takes as long as a question
   across the bus, whatever is under way. */
SFI_RESIDENT_FN sfi_resident_record sfi_resident_record_of(const sfi_resident_known *k,
                                                           const sfi_resident_progress *p, uint32_t raised,
                                                           int64_t now)
{
    int64_t deadline = k->set.deadline;
    sfi_resident_record r;
    r.sequence = p->sequence;
    r.status = raised;
    r.fresh = (uint64_t)p->beat << 32 | p->fresh;
    r.submitted = (uint64_t)p->submitted;
    r.started = (uint64_t)p->started;
    r.finished = (uint64_t)p->finished;
    r.published = (uint64_t)now;
    r.missed = p->missed + (deadline > 0 && now - p->submitted > deadline);
    return r;
}
/* The i-th word of a record's first sixteen. */
SFI_RESIDENT_FN uint32_t sfi_resident_half_of(const sfi_resident_record *r, uint32_t i)
{
    const uint64_t *all = &r->sequence;
    uint64_t word = all[0];
    uint32_t n;
#if defined(__CUDA_ARCH__)
    _Pragma("unroll")
#endif
    for (n = 1; n < SFI_RESIDENT_RECORD / 2; n++) { word = i / 2 == n ? all[n] : word; }
    return (uint32_t)(i & 1 ? word >> 32 : word);
}
SFI_RESIDENT_FN void sfi_resident_write_word(const sfi_resident_known *k, uint64_t completed, uint32_t i,
                                             uint32_t content)
{
    uint64_t *to = k->records[completed & k->record_mask].words;
    sfi_resident_store(&to[i], sfi_resident_numbered(content, completed + 1));
}
/* Content of the i-th word of this iteration's results, for those that are in the record. */
SFI_RESIDENT_FN uint32_t sfi_resident_result_word(const sfi_resident_copy *copies, uint32_t count, uint32_t i)
{
    uint32_t n;
    for (n = 0; n < count; n++) {
        if (i - copies[n].word < sfi_resident_words_of(copies[n].bytes)) {
            return sfi_resident_get_word(copies[n].memory, copies[n].bytes, i - copies[n].word);
        }
    }
    return 0;
}
/* Before the fence: which requests each source has had. */
SFI_RESIDENT_FN void sfi_resident_tell_taken(const sf_resident_control *c, sfi_resident_mail *mail,
                                             const sfi_resident_known *k)
{
    uint32_t s;
    SFI_RESIDENT_ROLLED
    for (s = 0; s < k->any; s++) { sfi_resident_store(&mail->board.taken[s], c->taken[s]); }
}
SFI_RESIDENT_FN void sfi_resident_publish(sf_resident_control *c, sfi_resident_mail *mail,
                                          const sfi_resident_progress *p, const sfi_resident_record *r, uint32_t pass)
{
    sfi_resident_store(&mail->board.completed, p->completed + 1);
    SFI_RESIDENT_STEP("loop completed");
    sfi_resident_store(&mail->board.done, p->sequence);
    c->at.completed = p->completed + 1;
    c->at.done = p->sequence;
    c->at.missed = r->missed;
    c->at.published = (int64_t)r->published;
    c->at.live = 0;
    c->at.content = pass;
    SFI_RESIDENT_STEP("loop published");
}

SFI_RESIDENT_PART void sfi_resident_end(sf_resident_control *c)
{
    sfi_resident_board *board = &c->mail->board;
    uint64_t least = SFI_RESIDENT_COUNT, most = 0, stop = ~SFI_RESIDENT_COUNT, n;
    uint32_t s;
    c->late = 0;                             /* all that waits counts, what came after its time, too */
    SFI_RESIDENT_ROLLED
    for (s = 0; s < c->words; s++) {
        n = sfi_resident_pending(c, s, &stop, false);
        if (s >= c->sources) { continue; }
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    n = c->any ? most : least;
    if (stop & SFI_RESIDENT_ABORT && c->sources && n) {      /* what waits is dropped, and counted */
        SFI_RESIDENT_ROLLED
        for (s = 0; s < c->sources; s++) {
            c->taken[s] = c->any ? c->seen[s] : c->taken[s] + n;
            sfi_resident_store(&board->taken[s], c->taken[s]);
        }
        c->at.done += SFI_MUTANT(abort_drops) ? 0 : n;
        sfi_resident_fence();
        sfi_resident_store(&board->end_done, c->at.done);
        sfi_resident_store(&board->done, c->at.done);
    }
    c->at.live = 0;
    sfi_resident_store(&board->error, sfi_resident_clear(&sfi_resident_self(c)->raised));
    sfi_resident_store32(&sfi_resident_self(c)->ending, 0);
    sfi_resident_enter(c, SFI_RESIDENT_STAGE_WAIT);
    sfi_resident_fence();
    SFI_RESIDENT_STEP("loop end");
    sfi_resident_store(&board->ended, c->now.launch);
}

/* -- histograms -- */

SFI_RESIDENT_FN uint32_t sfi_resident_bucket(int64_t ns)
{
    uint64_t x = ns > 0 ? (uint64_t)ns : 0;
    uint32_t exponent = 0, bucket;
#if defined(__CUDA_ARCH__)
    if (x >= 32) { exponent = 59 - (uint32_t)__clzll((long long)x); }
#else
    while (x >> exponent >= 32) { exponent++; }
#endif
    bucket = x < 16 ? (uint32_t)x : exponent * 16 + (uint32_t)(x >> exponent);
    return bucket < SFI_RESIDENT_BUCKETS ? bucket : SFI_RESIDENT_BUCKETS - 1;
}
SFI_RESIDENT_FN void sfi_resident_tally(sfi_resident_histogram *h, int64_t ns)
{
    uint64_t x = ns > 0 ? (uint64_t)ns : 0, *bucket = &h->buckets[sfi_resident_bucket(ns)];
#if defined(__CUDA_ARCH__)
    atomicAdd((unsigned long long *)bucket, 1ull);           /* nobody waits for the answers */
    atomicAdd((unsigned long long *)&h->sum, (unsigned long long)x);
    atomicMax((unsigned long long *)&h->low, ~(unsigned long long)x);
    atomicMax((unsigned long long *)&h->max, (unsigned long long)x);
    atomicAdd((unsigned long long *)&h->count, 1ull);
#else
    sfi_resident_store(bucket, *bucket + 1);
    sfi_resident_store(&h->sum, h->sum + x);
    if (~x > h->low) { sfi_resident_store(&h->low, ~x); }
    if (x > h->max) { sfi_resident_store(&h->max, x); }
    sfi_resident_store(&h->count, h->count + 1);
#endif
}
/* Of an iteration that was published at `now`. */
SFI_RESIDENT_FN void sfi_resident_account(const sfi_resident_progress *p, sfi_resident_histogram *histograms,
                                          uint32_t span, int64_t now)
{
    int64_t from = span == SF_RESIDENT_SPAN_WORK ? p->started : span == SF_RESIDENT_SPAN_PUBLISH ? p->finished
                   : span == SF_RESIDENT_SPAN_PERIOD ? p->published : p->submitted;
    int64_t to = span == SF_RESIDENT_SPAN_QUEUE ? p->started : span == SF_RESIDENT_SPAN_WORK ? p->finished : now;
    if (from) { sfi_resident_tally(&histograms[span], to - from); }
}

/* What a branch's predicate, or the count of iterations, says. */
SFI_RESIDENT_FN uint32_t sfi_resident_choice_of(const sfi_resident_args *a)
{
    if (!a->predicate) { return a->control->at.sequence % a->every == a->phase; }
    return *a->predicate < a->last ? *a->predicate : a->last;
}

/* The slot of a ring that this iteration reads, or fills. */
SFI_RESIDENT_FN char *sfi_resident_slot_of(const sf_resident_control *c, const sfi_resident_copy *copy)
{
    uint64_t slot = copy->out ? c->at.completed % c->slots : (c->taken[copy->end] - 1) % c->in_slots;
    return copy->ring + slot * copy->stride;
}
/* What an iteration copies from where: out, into its slot of the ring; in, from there, or, where an idle source's
   last content lies in another captured slot, from that. NULL: nothing. */
SFI_RESIDENT_FN const char *sfi_resident_from(const sf_resident_control *c, const sfi_resident_copy *copy)
{
    uint32_t each = c->copies_in + c->copies_out, index = (uint32_t)(copy - c->copies);
    if (!c->at.live) { return NULL; }
    if (copy->out) { return copy->memory; }
    if (c->at.fresh >> copy->end & 1) { return sfi_resident_slot_of(c, copy); }
    return index / each == c->at.content ? NULL : c->copies[c->at.content * each + index % each].memory;
}
/* When the request was submitted, as its slot says; seen at once if it does not know. */
SFI_RESIDENT_PART void sfi_resident_when(sf_resident_control *c)
{
    uint32_t s;
    uint64_t at;
    SFI_RESIDENT_ROLLED
    for (s = 0; s < c->sources && !(c->at.fresh >> s & 1); s++) {}
    if (c->triggered || s == c->sources) { return; }
    at = sfi_resident_load(&c->times[s * (c->slots + 1) + (c->taken[s] - 1) % c->in_slots]);
    if (at && (int64_t)at < sfi_resident_clock()) { c->at.submitted = (int64_t)at; }
}

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* SFI_RESIDENT_PROTOCOL */
#endif

#if defined(STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION) && !defined(STREAMFLOW_GPU_RESIDENT_IMPLEMENTED)
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTED

#include <stdarg.h>
#include <string.h>
#ifndef SF_NO_STDLIB
    #include <stdlib.h>
#endif
#ifndef SFI_GUARD                            /* streamflow.h's, which may be compiled in another file: see there */
    #if defined(__cplusplus) && defined(__cpp_exceptions) && !defined(SF_NO_STDLIB)
        #include <exception>
        #define SFI_GUARD(call, then)                                      \
            try {                                                          \
                call;                                                      \
            } catch (const std::exception &sfi_exception) {                \
                const char *sfi_what = sfi_exception.what();               \
                then;                                                      \
            }
    #else
        #define SFI_GUARD(call, then) call
    #endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* >>objects ------------------------------------------------------------------------------------------- */

enum {
    SFI_RESIDENT_TAG = 0x52455331,
    SFI_RESIDENT_NONE = -1,
    SFI_RESIDENT_DELAY = 8,                  /* at most */
    SFI_RESIDENT_TEXT = 512,
    SFI_RESIDENT_CLOSED = 1 << 30,           /* of sf_resident.holders: a launch sets the words that are counted in */
    SFI_RESIDENT_OPS = 0xffff - 2,           /* a stage has 16 bits, and two are none of an operator's */
    SFI_RESIDENT_SMALL = 16384,              /* bytes of slots that the waiting block copies by itself */
    SFI_RESIDENT_UNROLL = 4 << 20            /* bytes of buffers up to which AUTO unrolls */
};

typedef enum sfi_resident_phase {
    SFI_RESIDENT_ADDING, SFI_RESIDENT_INITIALIZE, SFI_RESIDENT_START, SFI_RESIDENT_COMPUTE, SFI_RESIDENT_STOP_HOOK
} sfi_resident_phase;

/* How long a build waits for a device that others keep busy. */
#ifndef SFI_RESIDENT_PATIENCE
    #define SFI_RESIDENT_PATIENCE SF_MS(10000)
#endif

typedef struct sfi_resident_tensor {
    sf_tensor is;
    int64_t shape[SF_MAX_DIMS], strides[SF_MAX_DIMS];
} sfi_resident_tensor;

typedef struct sfi_resident_port {
    sf_port is;
    char *name;
    int32_t edge;                            /* of an input; NONE */
    bool connected, received, emitted;
    size_t bytes;                            /* as agreed */
    void *data;                              /* as agreed: memory of an operator's own */
    void **memory;                           /* per captured slot */
    sfi_resident_tensor view;                /* what receive and create lend */
    int32_t end;                             /* external: its index in the ring's slot */
    char *ring, *device_ring;
    size_t stride;
    uint32_t word;                           /* of a line, where its content begins */
} sfi_resident_port;

/* One operator's ring of slots, in or out. `next`: the host's own count: requests it has submitted, results it has
   released; `lent` of an output: the last one it was given. */
typedef struct sfi_resident_ring {
    bool is;
    uint32_t index;                          /* of the source or sink; a line of words each */
    uint64_t next, lent, dropped;
    uint64_t acquired;                       /* the request whose slot is out; 0: none */
    uint32_t *out;                           /* per slot: lent and not released */
    uint64_t *names;                         /* DROP_NEWEST: the sequence that the host knows a request by */
} sfi_resident_ring;

typedef struct sfi_resident_tails { sf_dependency *items; int32_t count, room; } sfi_resident_tails;

typedef struct sfi_resident_op {
    sf_op_desc is;
    char *name;
    uint32_t index;
    sfi_resident_port *ports[2][SF_MAX_PORTS];               /* in, out */
    int32_t count[2];
    int32_t branch, which;
    bool handler, started;
    sfi_resident_ring source, sink;
    struct sfi_resident_bridge *feeder, *reader;
} sfi_resident_op;

typedef struct sfi_resident_edge {
    sfi_resident_op *from, *to;
    sfi_resident_port *output, *input;
    uint32_t delay;
    char *late;                              /* delay buffers, the oldest last */
} sfi_resident_edge;

typedef struct sfi_resident_choice {         /* a branch */
    sf_resident_branch_desc is;
    sfi_resident_op *predicate;
    sfi_resident_port *port;
    int32_t parent, which;                   /* the branch in which it lies; NONE: the top */
    uint32_t members;
} sfi_resident_choice;

typedef struct sfi_resident_block { struct sfi_resident_block *next; void *align; } sfi_resident_block;

typedef enum sfi_resident_function {
    SFI_RESIDENT_BEGIN_KERNEL, SFI_RESIDENT_WAIT_KERNEL, SFI_RESIDENT_PUBLISH_KERNEL, SFI_RESIDENT_TURN_KERNEL,
    SFI_RESIDENT_CHECK_KERNEL, SFI_RESIDENT_COPY_KERNEL, SFI_RESIDENT_MARK_KERNEL, SFI_RESIDENT_CHOOSE_KERNEL,
    SFI_RESIDENT_END_KERNEL, SFI_RESIDENT_CLOCK_KERNEL, SFI_RESIDENT_KERNELS
} sfi_resident_function;

struct sf_resident {
    uint32_t tag, generation;
    sf_resident_desc desc;
    char *name;
    sf_heap heap;
    sfi_resident_block *blocks;              /* all memory of this object, freed with it */
    sf_device *device;
    bool own_device, on_host;
    int32_t capability, ordinal;

    sfi_resident_op **ops;
    uint32_t op_count, op_room;
    sfi_resident_edge **edges;
    uint32_t edge_count, edge_room;
    sfi_resident_choice **branches;
    uint32_t branch_count, branch_room;
    sfi_resident_op *handler;
    sfi_resident_op *sources[SFI_RESIDENT_ENDS], *sinks[SFI_RESIDENT_ENDS];
    uint32_t source_count, sink_count;
    bool triggered;
    sfi_resident_ring trigger;

    sfi_resident_phase phase;
    bool inside;                             /* a compute or a hook of its operators */
    sf_result build_error;
    sf_resident_loop loop;
    uint32_t passes;                         /* captured slots */
    uint32_t nodes, nested;                  /* in the loop's body; in the bodies within */
    int64_t predicted;
    sf_stream *run, *capture[SFI_RESIDENT_ENDS];             /* one for each level of nesting */
    sf_graph *graph;
    sf_graph_exec *exec;
    sf_module *module;
    sf_function *functions[SFI_RESIDENT_KERNELS];
    uint64_t loop_handle;

    char *pinned, *pinned_device;            /* mail, records, times, rings */
    size_t pinned_bytes;
    sfi_resident_mail *mail;
    sfi_resident_entry *records;
    sfi_resident_request *requests;
    uint32_t record_count;
    uint32_t line_words, record_words;       /* 0: requests do not travel in lines; a record with its content */
    uint64_t *times;
    char *device_memory;                     /* control, histograms, copies, buffers */
    size_t device_bytes;
    sf_resident_control *control, *image;    /* in the device's memory, and what it begins with */
    sfi_resident_copy *copies, *copies_image;
    sfi_resident_histogram *histograms;
    uint32_t copy_count, in_count, out_count;                /* per captured slot: in, then out */
    size_t in_bytes, out_bytes;
    uint32_t in_words, out_words;            /* as if all of it travelled in lines */
    bool unfenced;

    uint32_t state;                          /* sf_resident_state; atomic, as are the next ones */
    uint32_t settling, failing, wiring, told, broken;
    uint32_t stays;                          /* the device is kept open for the loop */
    uint32_t outcome;                        /* sf_result of the last run */
    uint32_t raised_by;                      /* with an outcome that was raised: the operator's number + 1, or 0 */
    uint64_t launches, old_results;          /* how many there were when it was launched */
    uint32_t epoch, holders;                 /* counts launches, for late bells; who counts in this one right now */
    uint32_t lost;                           /* frames that feeders had taken when the run ended */
    sf_result first_error;
    uint64_t watched, watched_since;         /* the heartbeat as it was last seen, and since when */
    uint64_t shift;                          /* add it to the device's clock for the host's */
    uint64_t high, beat;                     /* `submitted` and heartbeat, as they were told */
    uint64_t queried;                        /* when the stream was last asked whether it has ended */

    sf_failure failure;
    bool only_refused;
    char text[SFI_RESIDENT_TEXT], where[64];
};

typedef struct sfi_resident_call {           /* a hook that runs */
    sf_context ctx;
    sf_resident *r;
    sfi_resident_op *op;
    sf_stream *stream;
    uint32_t pass;
    sf_result error;
    sfi_resident_tensor nothing;             /* stand-in after an error */
} sfi_resident_call;

static void *sfi_resident_malloc(size_t bytes, void *user)
{
    (void)user;
#ifndef SF_NO_STDLIB
    return malloc(bytes);
#else
    return (void)bytes, (void *)NULL;        /* give sf_resident_desc.heap */
#endif
}
static void sfi_resident_mfree(void *ptr, void *user)
{
    (void)user;
#ifndef SF_NO_STDLIB
    free(ptr);
#else
    (void)ptr;
#endif
}
static void *sfi_resident_new(sf_resident *r, size_t bytes)  /* zeroed; lives as long as the object */
{
    sfi_resident_block *b = (sfi_resident_block *)r->heap.alloc(sizeof *b + bytes, r->heap.user);
    if (!b) { return NULL; }
    memset(b, 0, sizeof *b + bytes);
    b->next = r->blocks;
    r->blocks = b;
    return b + 1;
}
static char *sfi_resident_copy_text(sf_resident *r, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = (char *)sfi_resident_new(r, bytes);
    if (copy) { memcpy(copy, text, bytes); }
    return copy;
}
static bool sfi_resident_push(sf_resident *r, void ***items, uint32_t *count, uint32_t *room, void *item)
{
    if (*count == *room) {
        uint32_t more = *room ? 2 * *room : 16;
        void **grown = (void **)sfi_resident_new(r, more * sizeof *grown);
        if (!grown) { return false; }
        if (*count) { memcpy((void *)grown, (const void *)*items, *count * sizeof *grown); }
        *items = grown;
        *room = more;
    }
    (*items)[(*count)++] = item;
    return true;
}
static bool sfi_resident_add_tail(sf_resident *r, sfi_resident_tails *t, sf_graph_node *node)
{
    int32_t i;
    for (i = 0; i < t->count; i++) {
        if (t->items[i].node == node) { return true; }
    }
    if (t->count == t->room) {
        int32_t more = t->room ? 2 * t->room : 8;
        sf_dependency *grown = (sf_dependency *)sfi_resident_new(r, (size_t)more * sizeof *grown);
        if (!grown) { return false; }
        if (t->count) { memcpy(grown, t->items, (size_t)t->count * sizeof *grown); }
        t->items = grown;
        t->room = more;
    }
    t->items[t->count].node = node;
    t->items[t->count++].type = SF_EDGE_FULL;
    return true;
}

/* Words that several threads of the host share. */
static uint32_t sfi_resident_state_of(const sf_resident *r) { return sfi_resident_load32(&r->state); }
static sf_result sfi_resident_outcome(const sf_resident *r)
{
    return (sf_result)(int32_t)sfi_resident_load32(&r->outcome);
}
static void sfi_resident_end_with(sf_resident *r, sf_result outcome)
{
    sfi_resident_store32(&r->outcome, (uint32_t)(int32_t)outcome);
}
static int64_t sfi_resident_shift_of(const sf_resident *r) { return (int64_t)sfi_resident_load(&r->shift); }
static bool sfi_resident_is_built(const sf_resident *r) { return sfi_resident_state_of(r) != SF_RESIDENT_NEW; }
static bool sfi_resident_swap32(uint32_t *p, uint32_t from, uint32_t to)
{
#ifdef SF_NO_THREADS
    if (*p != from) { return false; }
    *p = to;
    return true;
#else
    return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}
static bool sfi_resident_swap(uint64_t *p, uint64_t from, uint64_t to)
{
#ifdef SF_NO_THREADS
    if (*p != from) { return false; }
    *p = to;
    return true;
#else
    return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}
/* The stop bits are in the word of the count, so that one load sees both. */
static uint64_t *sfi_resident_stop_word(sf_resident *r, uint32_t s)
{
    return SFI_MUTANT(stop_word) ? &r->mail->line[0] : &r->mail->submit[s].value;
}
static void sfi_resident_set_bits(uint64_t *p, uint64_t bits, bool on)
{
    uint64_t old;
    do {
        old = sfi_resident_load(p);
    } while (!sfi_resident_swap(p, old, on ? old | bits : old & ~bits));
}

/* >>failures ------------------------------------------------------------------------------------------ */

typedef struct sfi_resident_text { char *at; size_t room; } sfi_resident_text;

static void sfi_resident_say(sfi_resident_text *t, const char *words)
{
    for (; words && *words && t->room > 1; words++, t->room--) { *t->at++ = *words; }
    *t->at = 0;
}
static const char *sfi_resident_decimal(char buffer[24], uint64_t n)
{
    char *p = buffer + 23;
    *p = 0;
    do {
        *--p = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    return p;
}
static void sfi_resident_say_number(sfi_resident_text *t, int64_t n)
{
    char digits[24];
    if (n < 0) { sfi_resident_say(t, "-"); }
    sfi_resident_say(t, sfi_resident_decimal(digits, n < 0 ? 0 - (uint64_t)n : (uint64_t)n));
}
static void sfi_resident_say_name(sfi_resident_text *t, const char *name)    /* what is behind it has to have room */
{
    enum { MOST = 96 };
    size_t i;
    for (i = 0; name[i] && i < MOST && t->room > 1; i++, t->room--) { *t->at++ = name[i]; }
    sfi_resident_say(t, name[i] ? "...: " : ": ");
}
static void sfi_resident_say_where(sfi_resident_text *t, const sf_resident *r, const char *where)
{
    sfi_resident_say_name(t, r->name);
    if (where && *where && where != r->name) { sfi_resident_say_name(t, where); }
}
static void sfi_resident_tell(const sf_resident *r, uint32_t level, sf_result result, const char *text)
{
    if (r->desc.logger.func) {
        uint32_t item = result < 0 ? 0u - (uint32_t)result : (uint32_t)result;
        r->desc.logger.func("streamflow", level, item, text, 0, NULL, r->desc.logger.user);
    }
}
static void sfi_resident_lock(uint32_t *word)                /* rarely held, and briefly: a few stores, or a launch */
{
    while (!sfi_resident_swap32(word, 0, 1)) {}
}

/* Keeps the first failure of its life until the next launch, and till there is one the latest call that was refused;
   counts all. The words up to NULL are one text: why, and the remedy. */
static void sfi_resident_keep(sf_resident *r, char text[SFI_RESIDENT_TEXT], sf_result result, const char *where,
                              const char *call, bool refused, va_list list)
{
    sfi_resident_text t;
    const char *words;
    t.at = text;
    t.room = SFI_RESIDENT_TEXT;
    sfi_resident_say_where(&t, r, where);
    sfi_resident_say(&t, call);
    sfi_resident_say(&t, ": ");
    while ((words = va_arg(list, const char *)) != NULL) { sfi_resident_say(&t, words); }
    sfi_resident_lock(&r->failing);
    if (!r->failure.count || r->only_refused) {
        memcpy(r->text, text, sizeof r->text);
        t.at = r->where;
        t.room = sizeof r->where;
        *r->where = 0;
        sfi_resident_say(&t, where);
        r->failure.result = result;
        r->failure.where = r->where;
        r->failure.call = call;
        r->failure.text = r->text;
        r->only_refused = refused;
    }
    r->failure.count++;
    if (result < 0 && r->first_error >= 0 && !refused) { r->first_error = result; }
    sfi_resident_store32(&r->failing, 0);
}
static sf_result sfi_resident_fail_untold(sf_resident *r, char text[SFI_RESIDENT_TEXT], sf_result result,
                                          const char *where, const char *call, ...)
{
    va_list list;
    va_start(list, call);
    sfi_resident_keep(r, text, result, where, call, false, list);
    va_end(list);
    return result;
}
static sf_result sfi_resident_fail(sf_resident *r, sf_result result, const char *where, const char *call, ...)
{
    char text[SFI_RESIDENT_TEXT];
    va_list list;
    va_start(list, call);
    sfi_resident_keep(r, text, result, where, call, false, list);
    va_end(list);
    sfi_resident_tell(r, 1, result, text);
    return result;
}
static sf_result sfi_resident_refuse(sf_resident *r, sf_result result, const char *where, const char *call, ...)
{
    char text[SFI_RESIDENT_TEXT];
    va_list list;
    va_start(list, call);
    sfi_resident_keep(r, text, result, where, call, true, list);
    va_end(list);
    sfi_resident_tell(r, 1, result, text);
    return result;
}
static void sfi_resident_warn(const sf_resident *r, const char *where, ...)
{
    char text[SFI_RESIDENT_TEXT];
    sfi_resident_text t;
    const char *words;
    va_list list;
    t.at = text;
    t.room = sizeof text;
    sfi_resident_say_where(&t, r, where);
    va_start(list, where);
    while ((words = va_arg(list, const char *)) != NULL) { sfi_resident_say(&t, words); }
    va_end(list);
    sfi_resident_tell(r, 2, SF_OK, text);
}
#define SFI_LAST ((const char *)NULL)
static sf_result sfi_resident_refuse_value(const sf_resident *r, const char *where, const char *call, const char *why)
{
    return sfi_resident_refuse((sf_resident *)(uintptr_t)r, SF_ERROR_INVALID_VALUE, where, call, why, SFI_LAST);
}
#define SFI_RESIDENT_NO_SLOT "the slot is NULL"

static sf_result sfi_resident_device_failed(sf_resident *r, sf_result result, const char *where, const char *call)
{
    const sf_failure *f = sf_device_failure(r->device);
    return sfi_resident_fail(r, result, where, call, f->result == result ? f->text : sf_result_string(result),
                             SFI_LAST);
}

static sf_result sfi_resident_check(const sf_resident *r)
{
    return r && r->tag == SFI_RESIDENT_TAG ? SF_OK : SF_ERROR_INVALID_HANDLE;
}
static sfi_resident_op *sfi_resident_find(const sf_resident *r, sf_op op)
{
    uint32_t slot = op.id & 0xfffff;
    return slot && slot <= r->op_count && op.id >> 20 == r->generation ? r->ops[slot - 1] : NULL;
}
static sfi_resident_port *sfi_resident_find_port(const sfi_resident_op *op, int side, const char *name)
{
    int32_t i;
    if (!name) { return op->count[side] == 1 ? op->ports[side][0] : NULL; }
    for (i = 0; i < op->count[side]; i++) {
        if (!strcmp(op->ports[side][i]->name, name)) { return op->ports[side][i]; }
    }
    return NULL;
}

/* >>adding -------------------------------------------------------------------------------------------- */

static sf_result sfi_resident_stick(sf_resident *r, sf_result result)        /* build tells it again */
{
    if (result < 0 && r->build_error >= 0) {
        r->build_error = result;
        sfi_resident_store32(&r->broken, 1);
    }
    return result;
}
static sf_result sfi_resident_no_memory(sf_resident *r, const char *call)
{
    return sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_OUT_OF_MEMORY, r->name, call, "the heap gave nothing",
                                                   SFI_LAST));
}
static sf_result sfi_resident_may_add(sf_resident *r, const char *call)
{
    sf_result result = sfi_resident_check(r);
    if (result < 0) { return result; }
    if (r->phase == SFI_RESIDENT_ADDING) { return SF_OK; }
    return sfi_resident_refuse(r, SF_ERROR_ILLEGAL_STATE, r->name, call, "it is built already: make another one",
                             SFI_LAST);
}

static void sfi_resident_free_all(sf_resident *r)
{
    sf_heap heap = r->heap;
    sfi_resident_block *b, *next;
    r->tag = 0;
    for (b = r->blocks; b; b = next) {
        next = b->next;
        heap.free(b, heap.user);
    }
    heap.free(r, heap.user);
}
static void sfi_resident_check_desc(sf_resident *r)
{
    const sf_resident_desc *d = &r->desc;
    const char *wrong = NULL;
    if (d->slots > SFI_RESIDENT_SLOTS || (d->slots & (d->slots - 1))) { wrong = ".slots: a power of two up to 1024"; }
    if ((uint32_t)d->overflow > SF_OVERFLOW_ERROR) { wrong = ".overflow: unknown"; }
    if (d->overflow == SF_OVERFLOW_DROP_OLDEST) {
        wrong = ".overflow: DROP_OLDEST would hold the producer up, as the loop alone can drop what is queued: take "
                "LATEST, which begins with the newest, or DROP_NEWEST, which never waits";
    }
    if ((uint32_t)d->loop > SF_RESIDENT_LOOP_FUSED) { wrong = ".loop: unknown"; }
    if ((uint32_t)d->idle > SF_RESIDENT_IDLE_POWER) { wrong = ".idle: unknown"; }
    if ((d->loop == SF_RESIDENT_LOOP_FUSED) && !d->fused) { wrong = ".loop: for a fused one give .fused, too"; }
    if (d->fused && d->loop != SF_RESIDENT_LOOP_FUSED && d->loop) { wrong = ".loop: .fused is another shape"; }
    if (d->spin < 0) { wrong = ".spin: not negative, zero is the default"; }
    if (d->data_not_ready_sleep_interval_us < 0) {
        wrong = ".data_not_ready_sleep_interval_us: not negative, zero is the default";
    }
    if (d->timeout_ms < 0) { wrong = ".timeout_ms: not negative, zero is never"; }
    if (d->stall_timeout < 0) { wrong = ".stall_timeout: not negative, zero is 1 s, INT64_MAX is never"; }
    if (d->deadline < 0) { wrong = ".deadline: not negative, zero is none"; }
    if (!d->heap.alloc != !d->heap.free) { wrong = ".heap: both functions, or none"; }
    if (!d->device && (uint32_t)d->backend > SF_BACKEND_CUDA) { wrong = ".backend: unknown"; }
    if (wrong) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, r->name, "sf_resident_create", wrong,
                                                      SFI_LAST));
        r->desc.slots = 1;
        r->desc.heap = r->heap;
        if ((uint32_t)d->backend > SF_BACKEND_CUDA) { r->desc.backend = SF_BACKEND_HOST; }
        r->desc.loop = SF_RESIDENT_LOOP_AUTO;
        r->desc.idle = SF_RESIDENT_IDLE_LATENCY;
        r->desc.overflow = SF_OVERFLOW_BLOCK;
    }
    if (!r->desc.slots) { r->desc.slots = 4; }
    if (!r->desc.stall_timeout) { r->desc.stall_timeout = SF_MS(1000); }
}
static void sfi_resident_open(sf_resident *r)
{
    sf_device_desc d;
    sf_device_info info;
    void *control = NULL;
    sf_result result = SF_OK;
    if (!r->device) {
        memset(&d, 0, sizeof d);
        d.backend = r->desc.backend;
        d.logger = r->desc.logger;
        d.heap = r->desc.heap;
        result = sf_device_open(&d, &r->device);
        r->own_device = result >= 0;
    }
    if (result >= 0) { result = sf_device_get_info(r->device, &info); }
    if (result < 0) {
        if (!r->own_device) { r->device = NULL; }
        (void)sfi_resident_stick(r, sfi_resident_fail(r, result, r->name, "sf_resident_create",
                                                      "the device cannot be used: ", sf_result_string(result),
                                                      SFI_LAST));
        return;
    }
    r->on_host = info.backend == SF_BACKEND_HOST;
    r->capability = info.compute_capability;
    r->ordinal = info.ordinal;
    result = sf_mem_alloc(r->device, sizeof *r->control, SF_MEMORY_DEVICE, &control);
    r->control = (sf_resident_control *)control;
    if (result < 0) {
        (void)sfi_resident_stick(r, sfi_resident_device_failed(r, result, r->name, "sf_resident_create"));
    }
    if (r->on_host && r->control) { memset(r->control, 0, sizeof *r->control); }
    if (!r->on_host && info.driver_version < 12030) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, r->name, "sf_resident_create",
                                                      "loops on the GPU need conditional nodes: a driver for CUDA "
                                                      "12.3 or newer", SFI_LAST));
    }
}
/* The only state outside of objects. Flows count from 1 up, so the ids of either are none of the other's for long. */
static uint32_t sfi_resident_generation(void)                /* 4095 to 1, over and over */
{
    static uint32_t made;
    return 0xfff - __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % 0xfff;
}
SF_API sf_resident *sf_resident_create(const sf_resident_desc *desc)
{
    sf_heap heap;
    sf_resident *r;
    memset(&heap, 0, sizeof heap);
    if (desc) { heap = desc->heap; }
    if (!heap.alloc || !heap.free) {
        heap.alloc = sfi_resident_malloc;
        heap.free = sfi_resident_mfree;
    }
    r = (sf_resident *)heap.alloc(sizeof *r, heap.user);
    if (!r) { return NULL; }
    memset(r, 0, sizeof *r);
    r->tag = SFI_RESIDENT_TAG;
    r->generation = sfi_resident_generation();
    r->heap = heap;
    if (desc) { r->desc = *desc; }
    r->device = r->desc.device;
    r->failure.where = r->failure.call = r->failure.text = "";
    r->name = sfi_resident_copy_text(r, r->desc.name ? r->desc.name : "resident");
    if (!r->name) {
        sfi_resident_free_all(r);
        return NULL;
    }
    sfi_resident_check_desc(r);
    sfi_resident_open(r);
    return r;
}

static sfi_resident_port *sfi_resident_new_port(sf_resident *r, sfi_resident_op *op, int side, const sf_port *is,
                                                const char *call)
{
    sfi_resident_port *p;
    if (op->count[side] == SF_MAX_PORTS) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, op->name, call,
                                                      "more than SF_MAX_PORTS ports on one side", SFI_LAST));
        return NULL;
    }
    p = (sfi_resident_port *)sfi_resident_new(r, sizeof *p);
    if (p) { p->name = sfi_resident_copy_text(r, is->name); }
    if (!p || !p->name) {
        (void)sfi_resident_no_memory(r, call);
        return NULL;
    }
    if (sfi_resident_find_port(op, side, is->name)) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, op->name, call, "two ports '",
                                                      is->name, "' on one side: rename one", SFI_LAST));
    }
    p->is = *is;
    p->is.name = p->name;
    p->edge = SFI_RESIDENT_NONE;
    p->bytes = is->bytes;
    p->data = is->data;
    op->ports[side][op->count[side]++] = p;
    return p;
}
static void sfi_resident_name_op(sf_resident *r, sfi_resident_op *op)
{
    char buffer[32], digits[24];
    sfi_resident_text t;
    uint32_t i;
    t.at = buffer;
    t.room = sizeof buffer;
    sfi_resident_say(&t, "op");
    sfi_resident_say(&t, sfi_resident_decimal(digits, op->index));
    op->name = sfi_resident_copy_text(r, op->is.name ? op->is.name : buffer);
    op->is.name = op->name;
    for (i = 0; op->name && i < r->op_count; i++) {
        if (strcmp(r->ops[i]->name, op->name) != 0) { continue; }
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, op->name, "sf_resident_add",
                                                      "two operators have this name: rename one", SFI_LAST));
    }
}
SF_API sf_op sf_resident_add(sf_resident *resident, const sf_op_desc *desc)
{
    sf_op none, id;
    sfi_resident_op *op;
    int side, i;
    none.id = 0;
    if (sfi_resident_may_add(resident, "sf_resident_add") < 0) { return none; }
    if (!desc) {
        (void)sfi_resident_stick(resident, sfi_resident_fail(resident, SF_ERROR_INVALID_VALUE, resident->name,
                                                             "sf_resident_add", "the desc is NULL", SFI_LAST));
        return none;
    }
    op = (sfi_resident_op *)sfi_resident_new(resident, sizeof *op);
    if (op) {
        op->is = *desc;
        op->index = resident->op_count;
        op->branch = SFI_RESIDENT_NONE;
        sfi_resident_name_op(resident, op);
    }
    if (!op || !op->name || !sfi_resident_push(resident, (void ***)(void *)&resident->ops, &resident->op_count,
                                               &resident->op_room, op)) {
        (void)sfi_resident_no_memory(resident, "sf_resident_add");
        return none;
    }
    for (side = 0; side < 2; side++) {
        const sf_port *ports = side ? desc->out : desc->in;
        for (i = 0; i < SF_DESC_PORTS && ports[i].name; i++) {
            (void)sfi_resident_new_port(resident, op, side, &ports[i], "sf_resident_add");
        }
        for (i++; i < SF_DESC_PORTS && !ports[i].name; i++) {}
        if (i < SF_DESC_PORTS) {
            (void)sfi_resident_stick(resident, sfi_resident_fail(resident, SF_ERROR_INVALID_VALUE, op->name,
                                                                 "sf_resident_add", "a port comes after one without "
                                                                 "a name, which ends the list", SFI_LAST));
        }
    }
    id.id = (op->index + 1) | resident->generation << 20;
    return id;
}
static int sfi_resident_add_port(sf_resident *r, sf_op id, const sf_port *port, int side, const char *call)
{
    sfi_resident_op *op;
    if (sfi_resident_may_add(r, call) < 0) { return -1; }
    op = sfi_resident_find(r, id);
    if (!op || !port || !port->name) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, op ? SF_ERROR_INVALID_VALUE : SF_ERROR_UNKNOWN_OPERATOR,
                                                      op ? op->name : r->name, call,
                                                      op ? "a port has a name" : "no such operator",
                                                      SFI_LAST));
        return -1;
    }
    return sfi_resident_new_port(r, op, side, port, call) ? op->count[side] - 1 : -1;
}
SF_API int sf_resident_add_input(sf_resident *resident, sf_op op, const sf_port *port)
{
    return sfi_resident_add_port(resident, op, port, 0, "sf_resident_add_input");
}
SF_API int sf_resident_add_output(sf_resident *resident, sf_op op, const sf_port *port)
{
    return sfi_resident_add_port(resident, op, port, 1, "sf_resident_add_output");
}

static sf_result sfi_resident_no_port(sf_resident *r, const sfi_resident_op *op, int side, const char *name)
{
    char names[160];
    sfi_resident_text t;
    int32_t i;
    t.at = names;
    t.room = sizeof names;
    names[0] = 0;
    for (i = 0; i < op->count[side]; i++) {
        sfi_resident_say(&t, i ? ", '" : ": there is '");
        sfi_resident_say(&t, op->ports[side][i]->name);
        sfi_resident_say(&t, "'");
    }
    return sfi_resident_fail(r, SF_ERROR_UNKNOWN_PORT, op->name, "sf_resident_connect",
                             name ? "no " : "has none or several: name the ", side ? "output" : "input",
                             name ? " '" : "", name ? name : "", name ? "'" : "",
                             op->count[side] ? names : ": there is none", SFI_LAST);
}
static sf_result sfi_resident_connect(sf_resident *r, sf_op from, const char *output, sf_op to, const char *input,
                                      const sf_edge_desc *desc)
{
    static const char call[] = "sf_resident_connect";
    sfi_resident_op *a = sfi_resident_find(r, from), *b = sfi_resident_find(r, to);
    sfi_resident_port *out, *in;
    sfi_resident_edge *e;
    if (!a || !b) {
        return sfi_resident_fail(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, a ? "the second" : "the first",
                                 " operator is not one of this graph's", SFI_LAST);
    }
    out = sfi_resident_find_port(a, 1, output);
    if (!out) { return sfi_resident_no_port(r, a, 1, output); }
    in = sfi_resident_find_port(b, 0, input);
    if (!in) { return sfi_resident_no_port(r, b, 0, input); }
    if (desc && (desc->control || desc->delay > SFI_RESIDENT_DELAY || desc->overflow)) {
        return sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, b->name, call, "input '", in->name, "': ",
                                 desc->control ? "there are no turns to hand over in a loop: use a branch"
                                 : desc->overflow ? "an edge is one buffer, nothing can overflow"
                                                  : "a delay of more than 8 iterations", SFI_LAST);
    }
    if (in->edge != SFI_RESIDENT_NONE) {
        return sfi_resident_fail(r, SF_ERROR_CONNECTED_TWICE, b->name, call, "input '", in->name,
                                 "' has an edge already: give it another input", SFI_LAST);
    }
    e = (sfi_resident_edge *)sfi_resident_new(r, sizeof *e);
    if (!e) { return sfi_resident_no_memory(r, call); }
    e->from = a;
    e->to = b;
    e->output = out;
    e->input = in;
    e->delay = desc ? desc->delay : 0;
    if (!sfi_resident_push(r, (void ***)(void *)&r->edges, &r->edge_count, &r->edge_room, e)) {
        return sfi_resident_no_memory(r, call);
    }
    in->edge = (int32_t)r->edge_count - 1;
    in->connected = out->connected = true;
    return SF_OK;
}
SF_API sf_result sf_resident_connect(sf_resident *resident, sf_op from, const char *output, sf_op to,
                                     const char *input, const sf_edge_desc *desc)
{
    sf_result result = sfi_resident_may_add(resident, "sf_resident_connect");
    if (result < 0) { return result; }
    return sfi_resident_stick(resident, sfi_resident_connect(resident, from, output, to, input, desc));
}

SF_API sf_result sf_resident_register_data_ready_handler(sf_resident *resident, sf_op op)
{
    static const char call[] = "sf_resident_register_data_ready_handler";
    sf_result result = sfi_resident_may_add(resident, call);
    sfi_resident_op *handler;
    if (result < 0) { return result; }
    handler = sfi_resident_find(resident, op);
    if (!handler) {
        return sfi_resident_stick(resident, sfi_resident_fail(resident, SF_ERROR_UNKNOWN_OPERATOR, resident->name,
                                                              call, "no such operator", SFI_LAST));
    }
    if (resident->handler) {
        sfi_resident_warn(resident, handler->name, "replaces the data-ready handler ", resident->handler->name,
                          SFI_LAST);
    }
    resident->handler = handler;
    return SF_OK;
}

static sf_result sfi_resident_check_branch(sf_resident *r, const sf_resident_branch_desc *d, sfi_resident_choice *b)
{
    static const char call[] = "sf_resident_add_branch";
    const char *wrong = NULL;
    if (!d || (uint32_t)d->kind > SF_RESIDENT_EVERY) { wrong = "no desc, or an unknown kind"; }
    if (!wrong && d->kind == SF_RESIDENT_EVERY && !d->every) { wrong = ".every: at least 1"; }
    if (!wrong && d->kind == SF_RESIDENT_SWITCH && (!d->cases || d->cases > 1024)) { wrong = ".cases: 1 to 1024"; }
    if (wrong) { return sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, r->name, call, wrong, SFI_LAST); }
    b->is = *d;
    b->parent = SFI_RESIDENT_NONE;
    if (d->kind == SF_RESIDENT_EVERY) { return SF_OK; }
    b->predicate = sfi_resident_find(r, d->predicate);
    if (!b->predicate) {
        return sfi_resident_fail(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call,
                                 ".predicate: not an operator of this graph", SFI_LAST);
    }
    b->port = sfi_resident_find_port(b->predicate, 1, d->port);
    if (!b->port) {
        return sfi_resident_fail(r, SF_ERROR_UNKNOWN_PORT, b->predicate->name, call, ".port: no output '",
                                 d->port ? d->port : "", "'", SFI_LAST);
    }
    b->port->connected = true;
    return SF_OK;
}
SF_API sf_resident_branch sf_resident_add_branch(sf_resident *resident, const sf_resident_branch_desc *desc)
{
    sf_resident_branch none, id;
    sfi_resident_choice *b;
    none.id = 0;
    if (sfi_resident_may_add(resident, "sf_resident_add_branch") < 0) { return none; }
    b = (sfi_resident_choice *)sfi_resident_new(resident, sizeof *b);
    if (!b) { return (void)sfi_resident_no_memory(resident, "sf_resident_add_branch"), none; }
    if (sfi_resident_stick(resident, sfi_resident_check_branch(resident, desc, b)) < 0) { return none; }
    if (!sfi_resident_push(resident, (void ***)(void *)&resident->branches, &resident->branch_count,
                           &resident->branch_room, b)) {
        return (void)sfi_resident_no_memory(resident, "sf_resident_add_branch"), none;
    }
    id.id = resident->branch_count;
    return id;
}
static sf_result sfi_resident_put(sf_resident *r, sf_op id, sf_resident_branch branch, uint32_t which)
{
    static const char call[] = "sf_resident_put";
    sfi_resident_op *op = sfi_resident_find(r, id);
    sfi_resident_choice *b = branch.id && branch.id <= r->branch_count ? r->branches[branch.id - 1] : NULL;
    uint32_t cases;
    if (!op) {
        return sfi_resident_fail(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, "no such operator", SFI_LAST);
    }
    if (!b) {
        return sfi_resident_fail(r, SF_ERROR_INVALID_HANDLE, op->name, call, "no such branch", SFI_LAST);
    }
    cases = b->is.kind == SF_RESIDENT_IF ? 2 : b->is.kind == SF_RESIDENT_SWITCH ? b->is.cases : 1;
    if (which >= cases) {
        return sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, op->name, call, "the branch has no such case",
                                 SFI_LAST);
    }
    if (op->branch != SFI_RESIDENT_NONE) {
        return sfi_resident_fail(r, SF_ERROR_CONNECTED_TWICE, op->name, call, "it is in a branch already; a branch "
                                 "nests in the one that its predicate is in", SFI_LAST);
    }
    op->branch = (int32_t)branch.id - 1;
    op->which = (int32_t)which;
    b->members++;
    return SF_OK;
}
SF_API sf_result sf_resident_put(sf_resident *resident, sf_op op, sf_resident_branch branch, uint32_t which)
{
    sf_result result = sfi_resident_may_add(resident, "sf_resident_put");
    return result < 0 ? result : sfi_resident_stick(resident, sfi_resident_put(resident, op, branch, which));
}

/* >>hooks ------------------------------------------------------------------------------------------- */

static sf_result sfi_resident_hook_fail(sf_context *ctx, sf_result code, const char *call, const char *why)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sf_result result = code < 0 ? code : SF_ERROR_USER;
    if (t->error >= 0) {
        t->error = sfi_resident_fail(t->r, result, t->op->name, call, why ? why : sf_result_string(result),
                                     SFI_LAST);
    }
    return result;
}
static sf_result sfi_resident_port_fail(sf_context *ctx, int side, const char *port, sf_result code, const char *call,
                                        const char *why)
{
    char text[SFI_RESIDENT_TEXT / 2];
    sfi_resident_text t;
    t.at = text;
    t.room = sizeof text;
    sfi_resident_say(&t, side < 0 ? "port '" : side ? "output '" : "input '");
    sfi_resident_say(&t, port);
    sfi_resident_say(&t, "': ");
    sfi_resident_say(&t, why);
    return sfi_resident_hook_fail(ctx, code, call, text);
}
/* NULL: there is an error, now or from before. */
static sfi_resident_port *sfi_resident_hook_port(sf_context *ctx, int port, int side, const char *call)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    char text[48];
    sfi_resident_text words;
    if (t->error < 0) { return NULL; }
    if (t->r->phase != SFI_RESIDENT_COMPUTE) {
        (void)sfi_resident_hook_fail(ctx, SF_ERROR_ILLEGAL_STATE, call, "only a compute has messages");
        return NULL;
    }
    if (port < 0 || port >= t->op->count[side]) {
        words.at = text;
        words.room = sizeof text;
        sfi_resident_say(&words, side ? "there is no output " : "there is no input ");
        sfi_resident_say_number(&words, port);
        (void)sfi_resident_hook_fail(ctx, SF_ERROR_UNKNOWN_PORT, call, text);
        return NULL;
    }
    return t->op->ports[side][port];
}
static sf_tensor *sfi_resident_nothing(sf_context *ctx)
{
    return &((sfi_resident_call *)(void *)ctx)->nothing.is;
}

static void sfi_resident_shape_bytes(sfi_resident_tensor *v, size_t bytes)   /* a row of them */
{
    v->is.dtype = SF_U8;
    v->is.ndim = 1;
    v->is.shape = v->shape;
    v->is.strides = v->strides;
    v->shape[0] = (int64_t)bytes;
    v->strides[0] = 1;
}
/* Packed, or as the desc has it. Returns the bytes from the first to behind the last element; 0: impossible. */
static size_t sfi_resident_shape(sfi_resident_tensor *v, const sf_tensor_desc *d)
{
    const uint32_t dtype = d->dtype ? (uint32_t)d->dtype : (uint32_t)SF_U8;
    const uint64_t item = ((dtype >> 8 & 0xff) * (dtype >> 16) + 7) / 8, most = SIZE_MAX / 2;
    uint64_t stride = 1, span = 1, steps;
    int32_t i, n = d->ndim;
    while (!d->ndim && n < SF_MAX_DIMS && d->shape[n]) { n++; }
    if (n < 0 || n > SF_MAX_DIMS || !item) { return 0; }
    sfi_resident_shape_bytes(v, 0);
    v->is.dtype = dtype;
    v->is.ndim = n;
    for (i = n - 1; i >= 0; i--) {
        if (d->shape[i] <= 0 || d->strides[i] < 0) { return 0; }
        v->shape[i] = d->shape[i];
        v->strides[i] = d->strides[i] ? d->strides[i] : (int64_t)stride;
        steps = (uint64_t)d->shape[i] - 1;
        if (steps && (uint64_t)v->strides[i] > (most / item - span) / steps) { return 0; }
        span += steps * (uint64_t)v->strides[i];
        if (stride > most / item / (uint64_t)d->shape[i]) { return 0; }
        stride *= (uint64_t)d->shape[i];
    }
    return (size_t)(span * item);
}
static void sfi_resident_lend(const sf_resident *r, sfi_resident_port *p, void *memory)
{
    p->view.is.data = memory;
    p->view.is.device_type = r->on_host ? 1 : 2;
    p->view.is.device_id = r->ordinal;
    p->view.is.byte_offset = 0;
    p->view.is.owner = NULL;
}

static sf_tensor *sfi_resident_receive(sf_context *ctx, int port)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *p = sfi_resident_hook_port(ctx, port, 0, "sf_receive"), *from;
    if (!p) { return sfi_resident_nothing(ctx); }
    if (p->received || (p->edge == SFI_RESIDENT_NONE && !p->is.external)) { return NULL; }
    p->received = true;
    from = p->edge != SFI_RESIDENT_NONE ? t->r->edges[p->edge]->output : NULL;
    if (from && from->emitted) {             /* its dtype and shape travel along */
        p->view = from->view;
        p->view.is.shape = p->view.shape;
        p->view.is.strides = p->view.strides;
    } else {
        sfi_resident_shape_bytes(&p->view, p->bytes);
    }
    p->view.is.bytes = from && from->emitted ? from->view.is.bytes : p->bytes;
    sfi_resident_lend(t->r, p, p->memory[t->pass]);
    return &p->view.is;
}
static sf_stream *sfi_resident_stream(sf_context *ctx, int port)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    (void)port;
    if (t->r->phase != SFI_RESIDENT_COMPUTE) {
        (void)sfi_resident_hook_fail(ctx, SF_ERROR_ILLEGAL_STATE, "sf_compute_stream", "only a compute has a stream");
    }
    return t->error < 0 ? NULL : t->stream;
}
static sf_tensor *sfi_resident_create_tensor(sf_context *ctx, int port, const sf_tensor_desc *desc)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *p = sfi_resident_hook_port(ctx, port, 1, "sf_tensor_create");
    if (!p) { return sfi_resident_nothing(ctx); }
    if (!p->memory || !p->memory[t->pass]) {
        (void)sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_MISMATCH, "sf_tensor_create",
                                     "it has neither bytes nor memory: give sf_port.bytes");
        return sfi_resident_nothing(ctx);
    }
    if (!desc) { sfi_resident_shape_bytes(&p->view, p->bytes); }
    p->view.is.bytes = desc ? sfi_resident_shape(&p->view, desc) : p->bytes;
    if (desc && !p->view.is.bytes) {
        (void)sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_INVALID_VALUE, "sf_tensor_create",
                                     "the size is 0, negative or too large");
        return sfi_resident_nothing(ctx);
    }
    if (p->bytes && p->view.is.bytes > p->bytes) {
        (void)sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_MISMATCH, "sf_tensor_create",
                                     "the tensor is larger than the port's bytes");
        return sfi_resident_nothing(ctx);
    }
    sfi_resident_lend(t->r, p, p->memory[t->pass]);
    return &p->view.is;
}
/* What was received goes on as a copy: whoever is next may have memory of his own. */
static sf_result sfi_resident_emit(sf_context *ctx, int port, sf_tensor *tensor)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *p = sfi_resident_hook_port(ctx, port, 1, "sf_emit");
    sf_result result;
    if (!p) { return t->error; }
    if (!tensor || !tensor->data) {
        return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_INVALID_VALUE, "sf_emit", "there is no tensor");
    }
    if (p->emitted) {
        return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_NOT_SUPPORTED, "sf_emit",
                                      "it holds one message in each iteration");
    }
    if (tensor != &p->view.is) {
        if (!p->memory || !p->memory[t->pass] || (p->bytes && tensor->bytes > p->bytes) ||
            tensor->ndim > SF_MAX_DIMS) {
            return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_MISMATCH, "sf_emit",
                                          "its memory is smaller than what it is to take over: give bytes");
        }
        memcpy(p->view.shape, tensor->shape, (size_t)tensor->ndim * sizeof *tensor->shape);
        memcpy(p->view.strides, tensor->strides, (size_t)tensor->ndim * sizeof *tensor->strides);
        p->view.is.ndim = tensor->ndim;
        p->view.is.dtype = tensor->dtype;
        p->view.is.bytes = tensor->bytes;
        sfi_resident_lend(t->r, p, p->memory[t->pass]);
        result = tensor->data == p->view.is.data
                     ? SF_OK
                     : sf_memcpy_async(t->stream, p->view.is.data, tensor->data, tensor->bytes);
        if (result < 0) { return sfi_resident_hook_fail(ctx, result, "sf_emit", NULL); }
    }
    p->emitted = true;
    return SF_OK;
}
static sf_result sfi_resident_set_port_bytes(sf_context *ctx, const char *port, size_t bytes)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *in = sfi_resident_find_port(t->op, 0, port), *out = sfi_resident_find_port(t->op, 1, port);
    if (t->r->phase != SFI_RESIDENT_INITIALIZE) {
        return sfi_resident_hook_fail(ctx, SF_ERROR_ILLEGAL_STATE, "sf_set_port_bytes",
                                      "only in the initialize hook: memory is laid out then");
    }
    if (!in && !out) {
        return sfi_resident_port_fail(ctx, -1, port ? port : "", SF_ERROR_UNKNOWN_PORT, "sf_set_port_bytes",
                                      "the operator has none of that name");
    }
    if (out) { out->bytes = bytes; } else { in->bytes = bytes; }
    return SF_OK;
}
static const sf_executor sfi_resident_executor = {
    sfi_resident_receive, sfi_resident_stream, sfi_resident_create_tensor, sfi_resident_emit,
    sfi_resident_set_port_bytes, sfi_resident_hook_fail
};

static sf_result sfi_resident_call_hook(sf_resident *r, sfi_resident_op *op, sf_compute_func hook, sf_stream *stream,
                                        uint32_t pass, const char *call)
{
    sfi_resident_call t;
    sf_result result;
    memset(&t, 0, sizeof t);
    t.ctx.user = op->is.user;
    t.ctx.name = op->name;
    t.ctx.executor = &sfi_resident_executor;
    t.ctx.op.id = (op->index + 1) | r->generation << 20;
    t.ctx.run = pass;
    t.r = r;
    t.op = op;
    t.stream = stream;
    t.pass = pass;
    t.nothing.is.ndim = 1;
    t.nothing.is.dtype = SF_U8;
    t.nothing.is.device_type = 1;
    t.nothing.is.shape = t.nothing.shape;
    t.nothing.is.strides = t.nothing.strides;
    r->inside = true;
    result = SF_OK;
    SFI_GUARD(result = hook(&t.ctx),
              t.error = sfi_resident_fail(r, SF_ERROR_USER, op->name, call, "a C++ exception left it: ", sfi_what,
                                          SFI_LAST));
    r->inside = false;
    if (t.error < 0) { return t.error; }
    if (result == SF_DONE && r->phase == SFI_RESIDENT_COMPUTE) {
        return sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, op->name, call,
                                 "SF_DONE: it is called once, and its work is repeated; stop by sf_resident_raise()",
                                 SFI_LAST);
    }
    if (result < 0) {
        const sf_failure *f = sf_device_failure(r->device);
        char text[32];
        sfi_resident_text words;
        words.at = text;
        words.room = sizeof text;
        sfi_resident_say(&words, "it returned ");
        sfi_resident_say_number(&words, result);
        sfi_resident_say(&words, ", ");
        return sfi_resident_fail(r, result, op->name, call, text, sf_result_string(result),
                                 f->result == result ? ". " : "", f->result == result ? f->text : "", SFI_LAST);
    }
    return SF_OK;
}

/* >>rules --------------------------------------------------------------------------------------------- */

static const char *sfi_resident_needs_a_cpu(const sf_op_desc *d)
{
    int i;
    if (d->count) { return ".count: a loop does not count runs: stop it, or raise"; }
    if (d->period) { return ".period: use SF_RESIDENT_EVERY, or feed it at that rate"; }
    if (d->on_error == SF_ON_ERROR_RETRY || d->retries) { return ".retries: nobody can call it again"; }
    if (d->adopt_stream) { return ".adopt_stream: its work is captured"; }
    for (i = 0; i < SF_DESC_CONDITIONS; i++) {
        if (d->when[i].kind) { return ".when: a CPU checks conditions: use a branch or a data-ready handler"; }
    }
    return NULL;
}
static const char *sfi_resident_port_trouble(const sfi_resident_port *p)
{
    if (p->is.many) { return ": .many: one upstream per input; use several inputs"; }
    if (p->is.batch > 1) { return ": .batch: an edge holds one message"; }
    if (p->is.pool) { return ": .pool: an edge is one buffer: give .bytes or .data"; }
    if (p->is.external && !p->bytes) { return ": .external: say how many .bytes a slot has"; }
    if (strchr(p->name, '.')) { return ": a '.' in a port's name"; }
    return NULL;
}
/* So that a ring of it, or its delays, can be counted. */
static void sfi_resident_check_size(sf_resident *r, const sfi_resident_op *op, const sfi_resident_port *p, int side)
{
    uint32_t slots = p->is.external ? r->desc.slots : 0;
    char bytes[24], many[24];
    if (p->bytes <= SIZE_MAX / 2 / (slots + SFI_RESIDENT_DELAY + 1) - 256) { return; }
    (void)sfi_resident_stick(r, sfi_resident_fail(
        r, SF_ERROR_INVALID_VALUE, op->name, "sf_resident_build", side ? "output '" : "input '", p->name, "' of ",
        sfi_resident_decimal(bytes, p->bytes), " bytes", slots ? ", in " : "",
        slots ? sfi_resident_decimal(many, slots) : "", slots ? " slots" : "",
        ": no memory has so many addresses: give fewer .bytes", SFI_LAST));
}
/* A kernel that touches memory it cannot reach faults, and says neither which nor whose. */
static void sfi_resident_check_memory(sf_resident *r, const sfi_resident_op *op, const sfi_resident_port *p, int side)
{
    sf_memory kind = SF_MEMORY_DEVICE;
    sf_result result = p->is.data ? sf_mem_get_kind(r->device, p->is.data, &kind) : SF_OK;
    if (result < 0) {
        (void)sfi_resident_stick(r, sfi_resident_device_failed(r, result, op->name, "sf_resident_build"));
    } else if (kind == SF_MEMORY_MANAGED || (kind == SF_MEMORY_HOST && !r->on_host)) {
        (void)sfi_resident_stick(r, sfi_resident_fail(
            r, SF_ERROR_INVALID_VALUE, op->name, "sf_resident_build", side ? "output '" : "input '", p->name,
            "': .data is ", kind == SF_MEMORY_MANAGED ? "managed memory, which may move while the loop runs"
                                                      : "the host's pageable memory, which is not for loops on a GPU",
            ": sf_mem_alloc() it as SF_MEMORY_DEVICE or SF_MEMORY_PINNED, or give .bytes only", SFI_LAST));
    }
}
static void sfi_resident_check_port(sf_resident *r, sfi_resident_op *op, sfi_resident_port *p, int side)
{
    const char *wrong = sfi_resident_port_trouble(p);
    sfi_resident_check_size(r, op, p, side);
    sfi_resident_check_memory(r, op, p, side);
    if (wrong) {
        (void)sfi_resident_stick(r, sfi_resident_fail(
            r, p->is.external && !p->bytes ? SF_ERROR_INVALID_VALUE : SF_ERROR_NOT_SUPPORTED, op->name,
            "sf_resident_build", side ? "output '" : "input '", p->name, "'", wrong, SFI_LAST));
    }
    if (!side && p->is.external && p->edge != SFI_RESIDENT_NONE) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_CONNECTED_TWICE, op->name, "sf_resident_build",
                                                      "input '", p->name, "' is external and has an edge, too: "
                                                      "choose one", SFI_LAST));
    }
    if (!side && !p->is.external && p->edge == SFI_RESIDENT_NONE && !p->is.optional) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_NOT_CONNECTED, op->name, "sf_resident_build",
                                                      "input '", p->name, "' is neither connected nor external: "
                                                      "connect it, or make it .external or "
                                                      ".optional", SFI_LAST));
    }
    if (!side && p->is.external && op->handler) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, op->name, "sf_resident_build",
                                                      "input '", p->name, "': a data-ready handler runs when there "
                                                      "is no request: it reads device memory only", SFI_LAST));
    }
}
static void sfi_resident_check_op(sf_resident *r, sfi_resident_op *op)
{
    const char *wrong = sfi_resident_needs_a_cpu(&op->is);
    int side, i;
    if (!op->is.compute && !r->desc.fused) { wrong = ".compute: there is none"; }
    if (wrong) {
        (void)sfi_resident_stick(r, sfi_resident_fail(
            r, op->is.compute || r->desc.fused ? SF_ERROR_NOT_SUPPORTED : SF_ERROR_INVALID_VALUE, op->name,
            "sf_resident_build", wrong, SFI_LAST));
    }
    for (side = 0; side < 2; side++) {
        for (i = 0; i < op->count[side]; i++) { sfi_resident_check_port(r, op, op->ports[side][i], side); }
    }
}

/* Whoever comes before the handler belongs to it. */
static void sfi_resident_mark_handler(sf_resident *r)
{
    bool more = r->handler != NULL;
    uint32_t i;
    if (r->handler) { r->handler->handler = true; }
    while (more) {
        more = false;
        for (i = 0; i < r->edge_count; i++) {
            const sfi_resident_edge *e = r->edges[i];
            if (!e->delay && e->to->handler && !e->from->handler) { e->from->handler = more = true; }
        }
    }
}

static void sfi_resident_mismatch(sf_resident *r, const sfi_resident_edge *e, const char *why)
{
    (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_MISMATCH, e->to->name, "sf_resident_build", "input '",
                                                  e->input->name, "', from '", e->from->name, ".", e->output->name,
                                                  "': ", why, SFI_LAST));
}
static void sfi_resident_differ(sf_resident *r, const sfi_resident_edge *e)
{
    char why[128], digits[24];
    sfi_resident_text t;
    t.at = why;
    t.room = sizeof why;
    sfi_resident_say(&t, "the sizes differ, ");
    sfi_resident_say(&t, sfi_resident_decimal(digits, e->input->bytes));
    sfi_resident_say(&t, " bytes here and ");
    sfi_resident_say(&t, sfi_resident_decimal(digits, e->output->bytes));
    sfi_resident_say(&t, " there: make them equal");
    sfi_resident_mismatch(r, e, why);
}
/* The two ends of an edge agree on memory, or do not. A delayed one copies: only the sizes have to agree. */
static void sfi_resident_agree(sf_resident *r, sfi_resident_edge *e)
{
    sfi_resident_port *out = e->output, *in = e->input;
    char where[128];
    sfi_resident_text t;
    t.at = where;
    t.room = sizeof where;
    sfi_resident_say(&t, e->to->name);
    sfi_resident_say(&t, ": input '");
    sfi_resident_say(&t, in->name);
    sfi_resident_say(&t, "'");
    if (in->data && out->data && in->data != out->data && !e->delay) {
        sfi_resident_warn(r, where, "both ends have memory of their own: the source's is used", SFI_LAST);
        in->data = out->data;
    } else if (in->data && !out->data && !e->delay) {
        if (out->bytes) {
            sfi_resident_warn(r, where, "its own memory is used: the output's size is ignored", SFI_LAST);
        }
        out->data = in->data;
        if (in->bytes) { out->bytes = in->bytes; }
    } else if (out->data && !in->data && !e->delay) {
        if (in->bytes && !out->bytes) { out->bytes = in->bytes; }
        if (in->bytes) {
            sfi_resident_warn(r, where, "the output's memory is used: the input's size is ignored", SFI_LAST);
        }
        in->data = out->data;
        in->bytes = out->bytes;
    } else if ((!out->data || e->delay) && in->bytes && out->bytes && in->bytes != out->bytes) {
        sfi_resident_differ(r, e);
    } else if (!in->bytes && !out->bytes && !out->data) {
        sfi_resident_mismatch(r, e, "neither end has a size or memory: give .bytes to one");
    } else if (!out->data && !in->bytes != !out->bytes) {
        sfi_resident_warn(r, where, in->bytes ? "the output has neither a size nor memory: the input's size is used"
                                              : "it has neither a size nor memory: the output's size is used",
                          SFI_LAST);
    }
    if (!out->bytes) { out->bytes = in->bytes; }
    if (!in->bytes) { in->bytes = out->bytes; }
    if (e->delay && !out->bytes) { sfi_resident_mismatch(r, e, "a delayed edge copies: give .bytes to one end"); }
}
/* Inputs' own memory goes to the output first, so that all behind one output share it. */
static void sfi_resident_agree_all(sf_resident *r)
{
    uint32_t i, k;
    for (i = 0; i < r->edge_count; i++) {
        for (k = 0; k < i; k++) {
            const sfi_resident_edge *a = r->edges[i], *b = r->edges[k];
            if (a->output == b->output && !a->output->data && a->input->data && b->input->data && !a->delay &&
                !b->delay && a->input->data != b->input->data) {
                sfi_resident_mismatch(r, a, "two inputs of one output have different memory of their own: give it to "
                                            "the output, or to one");
                return;
            }
        }
    }
    for (i = 0; i < r->edge_count; i++) {
        if (r->edges[i]->input->data) { sfi_resident_agree(r, r->edges[i]); }
    }
    for (i = 0; i < r->edge_count; i++) {
        const sfi_resident_port *in = r->edges[i]->input, *out = r->edges[i]->output;
        if (!in->data && (in->bytes || out->bytes || out->data)) { sfi_resident_agree(r, r->edges[i]); }
    }
    for (i = 0; i < r->edge_count; i++) {    /* what another input has given the output is its size by now */
        const sfi_resident_port *in = r->edges[i]->input, *out = r->edges[i]->output;
        if (!in->data && !in->bytes && !out->data) { sfi_resident_agree(r, r->edges[i]); }
    }
}

static void sfi_resident_check_predicates(sf_resident *r)
{
    char digits[24];
    uint32_t i;
    for (i = 0; i < r->branch_count; i++) {
        const sfi_resident_choice *b = r->branches[i];
        if (b->port && (uintptr_t)b->port->data % sizeof(uint32_t)) {
            (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, b->predicate->name,
                                                          "sf_resident_build", "output '", b->port->name,
                                                          "' decides a branch, and its .data is not aligned: a "
                                                          "uint32_t is read there, at a multiple of 4", SFI_LAST));
        }
        if (!b->port || b->port->bytes >= sizeof(uint32_t) || (b->port->data && !b->port->bytes)) { continue; }
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_MISMATCH, b->predicate->name, "sf_resident_build",
                                                      "output '", b->port->name, "' decides a branch and has ",
                                                      sfi_resident_decimal(digits, b->port->bytes),
                                                      " bytes: a uint32_t is read there", SFI_LAST));
    }
}

/* -- who comes after whom: operators and branches are items of a scope: the top, or a body of a branch -- */

typedef struct sfi_resident_scope { int32_t branch, which; } sfi_resident_scope;     /* branch NONE: the top */

static sfi_resident_scope sfi_resident_scope_of(const sf_resident *r, int32_t item)
{
    sfi_resident_scope s;
    if (item < (int32_t)r->op_count) {
        s.branch = r->ops[item]->branch;
        s.which = r->ops[item]->which;
    } else {
        s.branch = r->branches[item - (int32_t)r->op_count]->parent;
        s.which = r->branches[item - (int32_t)r->op_count]->which;
    }
    return s;
}
static bool sfi_resident_same(sfi_resident_scope a, sfi_resident_scope b)
{
    return a.branch == b.branch && (a.branch == SFI_RESIDENT_NONE || a.which == b.which);
}
static int32_t sfi_resident_depth(const sf_resident *r, int32_t branch)
{
    int32_t depth = 0;
    for (; branch != SFI_RESIDENT_NONE; depth++) { branch = r->branches[branch]->parent; }
    return depth;
}
/* The items in the innermost scope that holds both: what `a` and `b` lie in there. */
static void sfi_resident_lift(const sf_resident *r, int32_t *a, int32_t *b)
{
    for (;;) {
        sfi_resident_scope in_a = sfi_resident_scope_of(r, *a), in_b = sfi_resident_scope_of(r, *b);
        int32_t deep_a = sfi_resident_depth(r, in_a.branch), deep_b = sfi_resident_depth(r, in_b.branch);
        if (sfi_resident_same(in_a, in_b)) { return; }
        if (deep_a >= deep_b && in_a.branch != SFI_RESIDENT_NONE) { *a = (int32_t)r->op_count + in_a.branch; }
        if (deep_b >= deep_a && in_b.branch != SFI_RESIDENT_NONE) { *b = (int32_t)r->op_count + in_b.branch; }
        if (*a == *b) { return; }
    }
}
static const char *sfi_resident_item_name(const sf_resident *r, int32_t item)
{
    const sfi_resident_choice *b;
    if (item < (int32_t)r->op_count) { return r->ops[item]->name; }
    b = r->branches[item - (int32_t)r->op_count];
    return b->predicate ? b->predicate->name : "a branch";
}

static void sfi_resident_say_item(sfi_resident_text *t, const sf_resident *r, int32_t item)
{
    const sfi_resident_choice *b = item < (int32_t)r->op_count ? NULL : r->branches[item - (int32_t)r->op_count];
    if (b) { sfi_resident_say(t, "the branch of "); }
    if (b && !b->predicate) {
        sfi_resident_say(t, "each of ");
        sfi_resident_say_number(t, (int64_t)b->is.every);
        sfi_resident_say(t, " iterations");
    } else {
        sfi_resident_say(t, sfi_resident_item_name(r, item));
    }
}

/* What comes before what, in one scope; items of other scopes have none. */
typedef struct sfi_resident_before { int32_t from, to; } sfi_resident_before;
typedef struct sfi_resident_order {
    int32_t *items, count;                   /* of all scopes, in an order that can be captured */
    sfi_resident_before *pairs;
    int32_t pair_count;
    int32_t across;                          /* an operator that depends on another case of its branch; NONE */
} sfi_resident_order;

static void sfi_resident_pair(const sf_resident *r, sfi_resident_order *o, int32_t from, int32_t to)
{
    int32_t a = from, b = to;
    sfi_resident_lift(r, &a, &b);
    if (a == b && from != to) { o->across = to; }
    o->pairs[o->pair_count].from = a;
    o->pairs[o->pair_count++].to = b;
}
static void sfi_resident_pairs(const sf_resident *r, sfi_resident_order *o)
{
    uint32_t i;
    for (i = 0; i < r->edge_count; i++) {
        const sfi_resident_edge *e = r->edges[i];
        if (!e->delay && (e->from->handler == e->to->handler) && !SFI_MUTANT(edge_order)) {
            sfi_resident_pair(r, o, (int32_t)e->from->index, (int32_t)e->to->index);
        }
    }
    for (i = 0; i < r->branch_count; i++) {
        if (r->branches[i]->predicate && !r->branches[i]->predicate->handler && !SFI_MUTANT(predicate_order)) {
            sfi_resident_pair(r, o, (int32_t)r->branches[i]->predicate->index, (int32_t)(r->op_count + i));
        }
    }
}
/* Who waits, waits for somebody who waits: going back from there ends in a cycle. */
static sf_result sfi_resident_cycle(sf_resident *r, const sfi_resident_order *o, const int32_t *waits)
{
    int32_t all = (int32_t)(r->op_count + r->branch_count), at = 0, k, steps, first;
    char names[SFI_RESIDENT_TEXT / 2];
    sfi_resident_text t;
    t.at = names;
    t.room = sizeof names;
    while (at < all - 1 && waits[at] <= 0) { at++; }
    for (steps = 0, first = SFI_RESIDENT_NONE; steps <= 2 * all && at != first; steps++) {
        for (k = 0; k < o->pair_count && (o->pairs[k].to != at || waits[o->pairs[k].from] <= 0); k++) {}
        if (steps >= all) {                  /* inside by now */
            if (first == SFI_RESIDENT_NONE) { first = at; }
            sfi_resident_say_item(&t, r, at);
            sfi_resident_say(&t, " <- ");
        }
        if (k < o->pair_count) { at = o->pairs[k].from; }
    }
    sfi_resident_say_item(&t, r, at);
    return sfi_resident_fail(r, SF_ERROR_DEADLOCK, sfi_resident_item_name(r, at), "sf_resident_build", "a cycle: ",
                             names, ": give one of its edges .delay, or take what lies between two operators of a "
                             "branch into the branch", SFI_LAST);
}
static sf_result sfi_resident_sort(sf_resident *r, sfi_resident_order *o)
{
    int32_t all = (int32_t)(r->op_count + r->branch_count), i, k;
    int32_t *waits = (int32_t *)sfi_resident_new(r, (size_t)all * 2 * sizeof *waits + 1);
    o->items = waits ? waits + all : NULL;
    o->pairs = (sfi_resident_before *)sfi_resident_new(r, (r->edge_count + r->branch_count + 1) * sizeof *o->pairs);
    if (!waits || !o->pairs) { return SF_ERROR_OUT_OF_MEMORY; }
    o->across = SFI_RESIDENT_NONE;
    sfi_resident_pairs(r, o);
    if (o->across != SFI_RESIDENT_NONE) {
        return sfi_resident_fail(r, SF_ERROR_DEADLOCK, r->ops[o->across]->name, "sf_resident_build", "it reads from "
                                 "another case of its branch, which never runs in the same iteration: give the edge "
                                 ".delay", SFI_LAST);
    }
    for (i = 0; i < o->pair_count; i++) { waits[o->pairs[i].to]++; }
    for (i = 0; i < all; i++) {
        if (!waits[i]) { o->items[o->count++] = i; }
    }
    for (i = 0; i < o->count; i++) {
        for (k = 0; k < o->pair_count; k++) {
            if (o->pairs[k].from != o->items[i] || --waits[o->pairs[k].to]) { continue; }
            o->items[o->count++] = o->pairs[k].to;
        }
    }
    return o->count < all ? sfi_resident_cycle(r, o, waits) : SF_OK;
}

/* A branch lies where its predicate lies. */
static sf_result sfi_resident_nest(sf_resident *r)
{
    uint32_t i;
    int32_t up, steps;
    for (i = 0; i < r->branch_count; i++) {
        sfi_resident_choice *b = r->branches[i];
        if (!b->members) { sfi_resident_warn(r, r->name, "a branch has no operators", SFI_LAST); }
        if (!b->predicate) { continue; }
        b->parent = b->predicate->branch;
        b->which = b->predicate->which;
    }
    for (i = 0; i < r->branch_count; i++) {
        for (up = (int32_t)i, steps = 0; up != SFI_RESIDENT_NONE; up = r->branches[up]->parent) {
            if (++steps > (int32_t)SFI_RESIDENT_ENDS / 2) {
                return sfi_resident_fail(r, SF_ERROR_DEADLOCK, sfi_resident_item_name(r, (int32_t)(r->op_count + i)),
                                         "sf_resident_build", "branches nest in each other, or too deep",
                                         SFI_LAST);
            }
        }
    }
    for (i = 0; i < r->op_count; i++) {
        if (!r->ops[i]->handler || r->ops[i]->branch == SFI_RESIDENT_NONE) { continue; }
        return sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, r->ops[i]->name, "sf_resident_build",
                                 "the data-ready handler is not part of a branch", SFI_LAST);
    }
    return SF_OK;
}

/* Fused operators run as they were added. */
static sf_result sfi_resident_check_fused(sf_resident *r)
{
    const char *wrong = NULL;
    uint32_t i;
    int k;
    if (r->branch_count) { wrong = "branches: let the function itself decide"; }
    if (r->handler) { wrong = "a data-ready handler: let another kernel mark data ready"; }
    if (wrong) {
        return sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, r->name, "sf_resident_build", "a fused loop has no ",
                                 wrong, SFI_LAST);
    }
    if (r->desc.measure_operators) {
        sfi_resident_warn(r, r->name, "measure_operators: a fused loop is one kernel, its operators are not measured",
                          SFI_LAST);
    }
    for (i = 0; i < r->op_count; i++) {
        const sfi_resident_op *op = r->ops[i];
        if (op->is.compute) {
            return sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, op->name, "sf_resident_build",
                                     ".compute: in a fused loop the functions of SF_RESIDENT_FUSED() do the work",
                                     SFI_LAST);
        }
        for (k = 0; k < op->count[1]; k++) {
            if (op->ports[1][k]->bytes || op->ports[1][k]->data) { continue; }
            return sfi_resident_fail(r, SF_ERROR_MISMATCH, op->name, "sf_resident_build", "output '",
                                     op->ports[1][k]->name, "' has neither bytes nor memory: give sf_port.bytes",
                                     SFI_LAST);
        }
        if (op->count[0] > SF_DESC_PORTS || op->count[1] > SF_DESC_PORTS) {
            return sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, op->name, "sf_resident_build",
                                     "a fused operator has SF_DESC_PORTS ports at most", SFI_LAST);
        }
    }
    for (i = 0; i < r->edge_count; i++) {
        const sfi_resident_edge *e = r->edges[i];
        if (e->delay ? false : e->from->index >= e->to->index) {
            return sfi_resident_fail(r, SF_ERROR_DEADLOCK, e->to->name, "sf_resident_build",
                                     "fused operators run in the order in which they were added: add it after ",
                                     e->from->name, SFI_LAST);
        }
        if (e->delay) {
            return sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, e->to->name, "sf_resident_build",
                                     "a fused loop has no delayed edges: keep the value in memory of your own",
                                     SFI_LAST);
        }
    }
    return SF_OK;
}

static void sfi_resident_find_ends(sf_resident *r)
{
    uint32_t i;
    int side, k;
    for (i = 0; i < r->op_count; i++) {
        sfi_resident_op *op = r->ops[i];
        for (side = 0; side < 2; side++) {
            sfi_resident_ring *ring = side ? &op->sink : &op->source;
            uint32_t *count = side ? &r->sink_count : &r->source_count;
            for (k = 0; k < op->count[side]; k++) {
                if (!op->ports[side][k]->is.external || ring->is) { continue; }
                if (*count == SFI_RESIDENT_ENDS) {
                    (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, op->name,
                                                                  "sf_resident_build", "more than 32 operators with "
                                                                  "external ports on one side", SFI_LAST));
                    return;
                }
                ring->is = true;
                ring->index = *count;
                (side ? r->sinks : r->sources)[(*count)++] = op;
            }
        }
    }
    r->triggered = !r->source_count && !r->handler;
}

static sf_result sfi_resident_make_rings(sf_resident *r);
static sf_result sfi_resident_set_clock(sf_resident *r);

/* >>layout -------------------------------------------------------------------------------------------- */

/* Why not, and which port of which operator, if it is one. */
static const char *sfi_resident_not_unrolled(const sf_resident *r, const char **op, const char **port)
{
    uint32_t i;
    int side, k;
    *op = r->name;
    *port = "";
    if (r->handler) { return "a data-ready handler decides about each iteration"; }
    if (r->branch_count) { return "it has branches"; }
    for (i = 0; i < r->edge_count; i++) {
        if (r->edges[i]->delay) { return "it has delayed edges"; }
    }
    for (side = 1; side >= 0; side--) {
        for (i = 0; i < r->op_count; i++) {
            for (k = 0; k < r->ops[i]->count[side]; k++) {
                if (!r->ops[i]->ports[side][k]->is.data) { continue; }
                *op = r->ops[i]->name;
                *port = r->ops[i]->ports[side][k]->name;
                return "each slot needs memory of its own, and there is one .data at port ";
            }
        }
    }
    return NULL;
}
static size_t sfi_resident_round(size_t bytes) { return (bytes + 255) & ~(size_t)255; }
static size_t sfi_resident_sum(size_t a, size_t b) { return b > SIZE_MAX - a ? SIZE_MAX : a + b; }

static size_t sfi_resident_buffer_bytes(const sf_resident *r)        /* of one captured slot */
{
    size_t bytes = 0;
    uint32_t i;
    int side, k;
    for (i = 0; i < r->op_count; i++) {
        for (side = 0; side < 2; side++) {
            for (k = 0; k < r->ops[i]->count[side]; k++) {
                const sfi_resident_port *p = r->ops[i]->ports[side][k];
                if (p->data || (!side && !p->is.external)) { continue; }
                bytes = sfi_resident_sum(bytes, sfi_resident_round(p->bytes));
            }
        }
    }
    return bytes;
}
static sf_result sfi_resident_choose_loop(sf_resident *r)
{
    const char *op, *port, *why = sfi_resident_not_unrolled(r, &op, &port);
    sf_resident_loop asked = r->desc.loop;
    r->loop = asked;
    if (r->desc.fused) {
        r->loop = SF_RESIDENT_LOOP_FUSED;
    } else if (asked == SF_RESIDENT_LOOP_UNROLLED && why) {
        return sfi_resident_fail(r, SF_ERROR_NOT_SUPPORTED, op, "sf_resident_build", "cannot be unrolled: ", why,
                                 port, SFI_LAST);
    } else if (r->handler) {
        r->loop = SF_RESIDENT_LOOP_EXACT;    /* it asks before each iteration */
    } else if (asked == SF_RESIDENT_LOOP_AUTO) {
        r->loop = !why && r->desc.slots > 1 && sfi_resident_buffer_bytes(r) <= SFI_RESIDENT_UNROLL / r->desc.slots
                      ? SF_RESIDENT_LOOP_UNROLLED : SF_RESIDENT_LOOP_FAST;
    }
    r->passes = r->loop == SF_RESIDENT_LOOP_UNROLLED ? r->desc.slots : 1;
    return SF_OK;
}

/* Hands out parts of a block; without one it only counts, up to SIZE_MAX; more than half of that is too much. */
typedef struct sfi_resident_arena { char *base; size_t at; } sfi_resident_arena;
static char *sfi_resident_part(sfi_resident_arena *a, size_t bytes)
{
    char *p = a->base ? a->base + a->at : NULL;
    a->at = sfi_resident_sum(a->at, sfi_resident_round(bytes));
    return p;
}
static sf_result sfi_resident_alloc(sf_resident *r, const sfi_resident_arena *a, sf_memory memory, void **p)
{
    sf_result result;
    if (a->at > SIZE_MAX / 2) {
        return sfi_resident_fail(r, SF_ERROR_OUT_OF_MEMORY, r->name, "sf_resident_build", memory == SF_MEMORY_PINNED
                                 ? "no memory has as many addresses as its rings take: " : "no memory has as many "
                                 "addresses as its buffers take: ", "give ports fewer .bytes, or it fewer .slots",
                                 SFI_LAST);
    }
    result = sf_mem_alloc(r->device, a->at, memory, p);
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}

static void sfi_resident_lay_rings(sf_resident *r, sfi_resident_arena *a)
{
    uint32_t slots = r->desc.slots, i;
    int side, k, end;
    r->mail = (sfi_resident_mail *)(void *)sfi_resident_part(a, sizeof *r->mail);
    r->records = (sfi_resident_entry *)(void *)sfi_resident_part(a, r->record_count * sizeof *r->records);
    r->requests = (sfi_resident_request *)(void *)sfi_resident_part(
        a, r->line_words ? (slots + 1) * sizeof *r->requests : 0);
    r->times = (uint64_t *)(void *)sfi_resident_part(a, SFI_RESIDENT_ENDS * (slots + 1) * sizeof *r->times);
    for (i = 0; i < r->op_count; i++) {
        for (side = 0; side < 2; side++) {
            for (k = 0, end = 0; k < r->ops[i]->count[side]; k++) {
                sfi_resident_port *p = r->ops[i]->ports[side][k];
                if (!p->is.external) { continue; }
                p->end = end++;
                p->stride = sfi_resident_round(p->bytes);
                p->ring = sfi_resident_part(a, p->stride * (slots + (side ? 0 : 1)));
            }
        }
    }
}
static sf_result sfi_resident_make_pinned(sf_resident *r)
{
    sfi_resident_arena a;
    void *p = NULL, *device = NULL;
    sf_result result;
    uint32_t i;
    int side, k;
    a.base = NULL;
    a.at = 0;
    r->record_count = 2 * r->desc.slots < 8 ? 8 : 2 * r->desc.slots;
    sfi_resident_lay_rings(r, &a);
    r->pinned_bytes = a.at;
    result = sfi_resident_alloc(r, &a, SF_MEMORY_PINNED, &p);
    if (result < 0) { return result; }
    r->pinned = (char *)p;
    memset(p, 0, a.at);
    result = sf_mem_get_device_pointer(r->device, p, &device);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    r->pinned_device = (char *)device;
    a.base = r->pinned;
    a.at = 0;
    sfi_resident_lay_rings(r, &a);
    for (i = 0; i < r->op_count; i++) {
        for (side = 0; side < 2; side++) {
            for (k = 0; k < r->ops[i]->count[side]; k++) {
                sfi_resident_port *q = r->ops[i]->ports[side][k];
                if (q->ring) { q->device_ring = r->pinned_device + (q->ring - r->pinned); }
            }
        }
    }
    return SF_OK;
}

/* All of the device's memory: the loop's own, and the buffers of the edges, each captured slot its own. */
static void sfi_resident_lay_buffers(sf_resident *r, sfi_resident_arena *a)
{
    uint32_t i, pass;
    int side, k;
    for (i = 0; i < r->op_count; i++) {
        for (side = 0; side < 2; side++) {
            for (k = 0; k < r->ops[i]->count[side]; k++) {
                sfi_resident_port *p = r->ops[i]->ports[side][k];
                for (pass = 0; pass < r->passes; pass++) {
                    bool own = !p->data && p->bytes && (side || p->is.external);
                    p->memory[pass] = own ? (void *)sfi_resident_part(a, p->bytes) : p->data;
                }
            }
        }
    }
    for (i = 0; i < r->edge_count; i++) {
        sfi_resident_edge *e = r->edges[i];
        if (e->delay) { e->late = sfi_resident_part(a, e->delay * sfi_resident_round(e->output->bytes)); }
        for (pass = 0; pass < r->passes; pass++) {
            e->input->memory[pass] = !e->delay ? e->output->memory[pass]
                                     : e->late ? e->late + (e->delay - 1) * sfi_resident_round(e->output->bytes)
                                               : NULL;
        }
    }
}
static size_t sfi_resident_histograms(const sf_resident *r)
{
    return SFI_RESIDENT_SPANS + (r->desc.measure_operators && !r->desc.fused ? r->op_count : 0);
}
static void sfi_resident_lay_device(sf_resident *r, sfi_resident_arena *a)
{
    r->histograms = (sfi_resident_histogram *)(void *)sfi_resident_part(
        a, sfi_resident_histograms(r) * sizeof *r->histograms);
    r->image->began_op = (int64_t *)(void *)sfi_resident_part(a, (r->op_count + 1) * sizeof(int64_t));
    r->image->fused = (sf_resident_fused_call *)(void *)sfi_resident_part(
        a, r->desc.fused ? r->op_count * sizeof(sf_resident_fused_call) : 0);
    r->copies = (sfi_resident_copy *)(void *)sfi_resident_part(a, (r->copy_count + 1) * sizeof *r->copies);
    sfi_resident_lay_buffers(r, a);
}
static bool sfi_resident_small(size_t bytes) { return bytes <= SFI_RESIDENT_SMALL; }
/* What is small enough travels in lines: requests of one source, where each is taken, and results of any loop. */
static void sfi_resident_choose_lines(sf_resident *r)
{
    bool one = r->source_count == 1 && !r->handler && r->desc.overflow != SF_OVERFLOW_LATEST;
    r->line_words = one && r->in_words <= SFI_RESIDENT_INLINE ? SFI_RESIDENT_TIME + r->in_words : 0;
    r->record_words = SFI_RESIDENT_RECORD + (r->out_words <= SFI_RESIDENT_INLINE ? r->out_words : 0);
}
static bool sfi_resident_results_in_line(const sf_resident *r) { return r->record_words > SFI_RESIDENT_RECORD; }
/* What else than kernels' own writes a record's fence is for, and where; NULL: nothing. */
static const char *sfi_resident_needs_fence(const sf_resident *r, const char **where)
{
    uint32_t i;
    int side, k;
    *where = r->name;
    if (r->desc.any_source && r->source_count > 1) { return "any_source tells what it has taken of each"; }
    for (i = 0; i < r->op_count; i++) {
        for (side = 0; side < 2; side++) {
            for (k = 0; k < r->ops[i]->count[side]; k++) {
                if (!r->ops[i]->ports[side][k]->data) { continue; }
                *where = r->ops[i]->name;
                return "this operator has a port with .data";
            }
        }
    }
    return r->sink_count && !sfi_resident_results_in_line(r) ? "its results are larger than 56 bytes" : NULL;
}
static void sfi_resident_choose_fence(sf_resident *r)
{
    const char *where, *why = r->desc.no_host_writes ? sfi_resident_needs_fence(r, &where) : NULL;
    r->unfenced = r->desc.no_host_writes && !why;
    if (why) { sfi_resident_warn(r, where, "no_host_writes is of no use: ", why, SFI_LAST); }
}
static sf_result sfi_resident_make_ports(sf_resident *r)
{
    uint32_t i, words;
    int side, k;
    for (i = 0; i < r->op_count; i++) {
        for (side = 0; side < 2; side++) {
            for (k = 0; k < r->ops[i]->count[side]; k++) {
                sfi_resident_port *p = r->ops[i]->ports[side][k];
                p->memory = (void **)sfi_resident_new(r, r->passes * sizeof *p->memory);
                if (!p->memory) { return SF_ERROR_OUT_OF_MEMORY; }
                if (!p->is.external) { continue; }
                r->copy_count += r->passes;
                *(side ? &r->out_count : &r->in_count) += 1;
                *(side ? &r->out_bytes : &r->in_bytes) += p->bytes;
                p->word = side ? r->out_words : r->in_words;
                words = sfi_resident_small(p->bytes) ? sfi_resident_words_of(p->bytes) : SFI_RESIDENT_INLINE + 1;
                *(side ? &r->out_words : &r->in_words) += words;
            }
        }
    }
    sfi_resident_choose_lines(r);
    sfi_resident_choose_fence(r);
    r->copies_image = (sfi_resident_copy *)sfi_resident_new(r, (r->copy_count + 1) * sizeof *r->copies_image);
    return r->copies_image ? SF_OK : SF_ERROR_OUT_OF_MEMORY;
}
static void sfi_resident_list_copies(sf_resident *r)
{
    sfi_resident_copy *c = r->copies_image;
    uint32_t pass, i;
    int side, k;
    for (pass = 0; pass < r->passes; pass++) {
        for (side = 0; side < 2; side++) {
            for (i = 0; i < r->op_count; i++) {
                const sfi_resident_op *op = r->ops[i];
                for (k = 0; k < op->count[side]; k++) {
                    const sfi_resident_port *p = op->ports[side][k];
                    if (!p->is.external) { continue; }
                    c->ring = p->device_ring;
                    c->memory = (char *)p->memory[pass];
                    c->bytes = p->bytes;
                    c->stride = p->stride;
                    c->end = side ? op->sink.index : op->source.index;
                    c->out = (uint32_t)side;
                    c->word = p->word;
                    c++;
                }
            }
        }
    }
}
static void sfi_resident_fill_image(sf_resident *r)
{
    sf_resident_control *c = r->image;
    c->ready = SFI_RESIDENT_NOT_READY;
    c->self = r->control;
    c->mail = (sfi_resident_mail *)(void *)r->pinned_device;
    c->records = (sfi_resident_entry *)(void *)(r->pinned_device + ((char *)(void *)r->records - r->pinned));
    c->requests = (sfi_resident_request *)(void *)(r->pinned_device + ((char *)(void *)r->requests - r->pinned));
    c->times = (uint64_t *)(void *)(r->pinned_device + ((char *)(void *)r->times - r->pinned));
    c->copies = r->copies;
    c->histograms = r->histograms;
    c->sources = r->triggered ? 1 : r->source_count;
    c->words = c->sources ? c->sources : 1;
    c->sinks = r->sink_count;
    c->slots = r->desc.slots;
    c->in_slots = r->desc.slots + (r->desc.overflow == SF_OVERFLOW_DROP_NEWEST ? 1 : 0);
    c->record_mask = r->record_count - 1;
    c->latest = r->desc.overflow == SF_OVERFLOW_LATEST;
    c->any = r->desc.any_source && r->source_count > 1;
    c->handler = r->handler != NULL;
    c->triggered = r->triggered;
    c->aligned = r->triggered && r->passes > 1 && !c->latest;
    c->ops = r->op_count;
    c->quick = c->words == 1 && c->sources == 1 && !c->handler && !c->latest;
    c->copies_in = r->in_count;
    c->copies_out = r->out_count;
    c->line_words = r->line_words;
    c->record_words = r->record_words;
    c->unfenced = r->unfenced;
}
static void sfi_resident_fill_fused(const sf_resident *r, sf_resident_fused_call *calls)
{
    uint32_t i;
    int k;
    for (i = 0; r->desc.fused && i < r->op_count; i++) {
        const sfi_resident_op *op = r->ops[i];
        for (k = 0; k < op->count[0]; k++) { calls[i].in[k] = op->ports[0][k]->memory[0]; }
        for (k = 0; k < op->count[1]; k++) { calls[i].out[k] = op->ports[1][k]->memory[0]; }
        calls[i].user = op->is.user;
        calls[i].control = r->control;
    }
}
/* What the build has enqueued is done, unless other work keeps the device from it for long. */
static sf_result sfi_resident_finish(sf_resident *r, sf_result result)
{
    if (result >= 0) { result = sf_stream_synchronize(r->run, SFI_RESIDENT_PATIENCE); }
    if (result == SF_TIMEOUT) { result = SF_ERROR_STALLED; }
    return result == SF_OK ? SF_OK : sfi_resident_device_failed(r, result, r->name, "sf_resident_build");
}
static sf_result sfi_resident_make_device(sf_resident *r)
{
    sfi_resident_arena a;
    sf_resident_fused_call *calls;
    void *p = NULL;
    sf_result result;
    a.base = NULL;
    a.at = 0;
    r->image = (sf_resident_control *)sfi_resident_new(r, sizeof *r->image);
    calls = (sf_resident_fused_call *)sfi_resident_new(r, (r->op_count + 1) * sizeof *calls);
    if (!r->image || !calls) { return SF_ERROR_OUT_OF_MEMORY; }
    sfi_resident_lay_device(r, &a);
    result = sfi_resident_alloc(r, &a, SF_MEMORY_DEVICE, &p);
    if (result < 0) { return result; }
    r->device_memory = a.base = (char *)p;
    r->device_bytes = a.at;
    a.at = 0;
    sfi_resident_lay_device(r, &a);
    sfi_resident_list_copies(r);
    sfi_resident_fill_image(r);
    sfi_resident_fill_fused(r, calls);
    result = sf_memset_async(r->run, p, 0, r->device_bytes);
    if (result >= 0) { result = sf_memcpy_async(r->run, r->control, r->image, sizeof *r->image); }
    if (result >= 0 && r->copy_count) {
        result = sf_memcpy_async(r->run, r->copies, r->copies_image, r->copy_count * sizeof *r->copies);
    }
    if (result >= 0 && r->desc.fused) {
        result = sf_memcpy_async(r->run, r->image->fused, calls, r->op_count * sizeof *calls);
    }
    return sfi_resident_finish(r, result);
}

/* >>loop ------------------------------------------------------------------------------------------------ */

static void sfi_resident_move(const sf_resident_control *c, const sfi_resident_copy *copy, size_t from, size_t to)
{
    const char *source = sfi_resident_from(c, copy);
    if (!source || from >= to) { return; }
    memcpy((copy->out ? sfi_resident_slot_of(c, copy) : copy->memory) + from, source + from, to - from);
}
static void sfi_resident_move_all(const sf_resident_control *c, uint32_t first, uint32_t count)
{
    uint32_t i;
    for (i = first; i < first + count; i++) { sfi_resident_move(c, &c->copies[i], 0, c->copies[i].bytes); }
}
static void sfi_resident_fetch(sf_resident_control *c, uint32_t first, uint32_t count)
{
    if (c->line_words) {
        sfi_resident_unload(c, first, count);
    } else {
        sfi_resident_when(c);
        sfi_resident_move_all(c, first, count);
    }
    c->at.started = sfi_resident_clock();
}
static void sfi_resident_write_record(const sf_resident_control *c, const sfi_resident_known *k,
                                      const sfi_resident_record *record, uint32_t first, uint32_t count)
{
    uint32_t i, word;
    for (i = 0; i < c->record_words; i++) {
        if (i == SFI_RESIDENT_RECORD) { SFI_RESIDENT_STEP("loop half a record"); }
        word = i < SFI_RESIDENT_RECORD ? sfi_resident_half_of(record, i)
                                       : sfi_resident_result_word(&c->copies[first], count, i - SFI_RESIDENT_RECORD);
        sfi_resident_write_word(k, c->at.completed, i, word);
    }
}
static void sfi_resident_deliver(sf_resident_control *c, uint32_t first, uint32_t count)
{
    const sfi_resident_known known = sfi_resident_know(c);
    sfi_resident_progress p;
    sfi_resident_record record;
    uint32_t i;
    if (!c->at.live) { return; }
    c->at.finished = sfi_resident_clock();
    p = c->at;
    record = sfi_resident_record_of(&known, &p, sfi_resident_load32(&c->raised), sfi_resident_clock());
    if (SFI_MUTANT(done_order)) { sfi_resident_write_record(c, &known, &record, first, count); }
    if (c->record_words == SFI_RESIDENT_RECORD) { sfi_resident_move_all(c, first, count); }
    SFI_RESIDENT_STEP("loop payload");
    sfi_resident_tell_taken(c, c->mail, &known);
    SFI_RESIDENT_STEP("loop record");
    sfi_resident_fence();
    sfi_resident_write_record(c, &known, &record, first, count);
    sfi_resident_publish(c, c->mail, &p, &record, c->pass);
    for (i = 0; i < SFI_RESIDENT_SPANS; i++) {
        sfi_resident_account(&p, c->histograms, i, (int64_t)record.published);
    }
}

static int sfi_resident_begin_body(const sf_slice *slice, const void *args)
{
    (void)slice;
    sfi_resident_begin(((const sfi_resident_args *)args)->control);
    return 0;
}
static int sfi_resident_wait_here(const sfi_resident_args *a, uint32_t first, uint32_t count)
{
    sf_resident_control *c = a->control;
    int64_t now = sfi_resident_clock();
    sfi_resident_turn turn;
    if (c->aligned && c->at.done % c->slots != a->pass) {       /* not this pass's turn: after a relaunch */
        c->at.live = 0;
        return 0;
    }
    turn = sfi_resident_look(c, now);
    if (turn == SFI_RESIDENT_WAIT) { return SF_NOT_READY; }  /* asked again later: nobody blocks */
    if (turn == SFI_RESIDENT_TAKE) {
        sfi_resident_take(c, now);
        c->pass = a->pass;
        sfi_resident_fetch(c, first, count);
    }
    if (a->loop && turn == SFI_RESIDENT_STOP) { sf_conditional_set(a->loop, 0); }
    return 0;
}
static int sfi_resident_wait_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_args *a = (const sfi_resident_args *)args;
    (void)slice;
    return sfi_resident_wait_here(a, a->first, a->count);
}
static int sfi_resident_publish_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_args *a = (const sfi_resident_args *)args;
    (void)slice;
    sfi_resident_deliver(a->control, a->first, a->count);
    return 0;
}
static int sfi_resident_turn_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_args *a = (const sfi_resident_args *)args;
    (void)slice;
    sfi_resident_deliver(a->control, a->first, a->count);    /* once: nothing is live when it is asked again */
    return sfi_resident_wait_here(a, a->next, a->next_count);
}
static int sfi_resident_check_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_args *a = (const sfi_resident_args *)args;
    sf_resident_control *c = a->control;
    int64_t now = sfi_resident_clock();
    sfi_resident_turn turn = sfi_resident_look(c, now);
    (void)slice;
    if (turn == SFI_RESIDENT_WAIT && (sfi_resident_device_pending(c) || !c->rested)) {
        c->rested = 1;                       /* others run first; what the handler has found waits for the rest */
        return SF_NOT_READY;
    }
    c->rested = 0;
    c->at.beat++;
    sfi_resident_store32(&c->ready, SFI_RESIDENT_NOT_READY);
    c->at.live = 0;
    if (turn == SFI_RESIDENT_TAKE) {
        sfi_resident_take(c, now);
        sfi_resident_fetch(c, a->first, a->count);
    }
    sf_conditional_set(a->branch, turn == SFI_RESIDENT_TAKE);
    if (turn == SFI_RESIDENT_STOP) { sf_conditional_set(a->loop, 0); }
    return 0;
}
static int sfi_resident_copy_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_args *a = (const sfi_resident_args *)args;
    uint32_t i;
    for (i = a->first; i < a->first + a->count; i++) {
        ptrdiff_t bytes = (ptrdiff_t)a->control->copies[i].bytes;
        sfi_resident_move(a->control, &a->control->copies[i], (size_t)sf_slice_begin(slice, bytes),
                          (size_t)sf_slice_end(slice, bytes));
    }
    return 0;
}
static int sfi_resident_mark_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_args *a = (const sfi_resident_args *)args;
    sf_resident_control *c = a->control;
    uint32_t op = a->stage - SFI_RESIDENT_STAGE_OP;
    (void)slice;
    if (a->kind != SFI_RESIDENT_MARK_END && (c->at.live || a->every)) { sfi_resident_enter(c, a->stage); }
    if (a->kind == SFI_RESIDENT_MARK_BEGIN) { c->began_op[op] = sfi_resident_clock(); }
    if (a->kind == SFI_RESIDENT_MARK_END && c->at.live) {
        sfi_resident_tally(&c->histograms[SFI_RESIDENT_SPANS + op], sfi_resident_clock() - c->began_op[op]);
    }
    return 0;
}
static int sfi_resident_choose_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_args *a = (const sfi_resident_args *)args;
    (void)slice;
    sf_conditional_set(a->branch, sfi_resident_choice_of(a));
    return 0;
}
static int sfi_resident_end_body(const sf_slice *slice, const void *args)
{
    sf_resident_control *c = ((const sfi_resident_args *)args)->control;
    (void)slice;
    sfi_resident_end(c);
    return 0;
}

/* Names of the kernels in the PTX, and their twins here. */
static const sf_kernel sfi_resident_kernels[SFI_RESIDENT_KERNELS] = {
    { "sf_resident_begin_kernel", sfi_resident_begin_body, NULL, 1, false, 100 },
    { "sf_resident_wait_kernel", sfi_resident_wait_body, NULL, 1, false, 100 },
    { "sf_resident_publish_kernel", sfi_resident_publish_body, NULL, 1, false, 100 },
    { "sf_resident_turn_kernel", sfi_resident_turn_body, NULL, 1, false, 100 },
    { "sf_resident_check_kernel", sfi_resident_check_body, NULL, 1, false, 100 },
    { "sf_resident_copy_kernel", sfi_resident_copy_body, NULL, 8, false, 1000 },
    { "sf_resident_mark_kernel", sfi_resident_mark_body, NULL, 1, false, 100 },
    { "sf_resident_choose_kernel", sfi_resident_choose_body, NULL, 1, false, 100 },
    { "sf_resident_end_kernel", sfi_resident_end_body, NULL, 1, false, 100 },
    { "sf_resident_clock_kernel", NULL, NULL, 1, false, 100 },
};

/* One try: begins, or runs one iteration, or ends. */
SF_API int sf_resident_run_fused(const void *args, const sf_resident_fused_func *ops, int count)
{
    sf_resident_control *c = ((const sfi_resident_args *)args)->control;
    int64_t now = sfi_resident_clock();
    sfi_resident_turn turn;
    sf_resident_fused_call call;
    int i;
    if (sfi_resident_load(&c->mail->board.started) != c->mail->settings.launch) { sfi_resident_begin(c); }
    if ((uint32_t)count != c->ops) { sfi_resident_raise(c, SF_ERROR_MISMATCH); }     /* not the operators added */
    turn = sfi_resident_look(c, now);
    if (turn == SFI_RESIDENT_STOP) {
        sfi_resident_end(c);
        return 0;
    }
    if (turn == SFI_RESIDENT_WAIT) { return SF_NOT_READY; }
    sfi_resident_take(c, now);
    sfi_resident_fetch(c, 0, c->copies_in);
    for (i = 0; i < count; i++) {
        call = c->fused[i];
        call.thread = 0;
        call.threads = 1;
        sfi_resident_enter(c, SFI_RESIDENT_STAGE_OP + (uint32_t)i);
        ops[i](&call);
    }
    sfi_resident_deliver(c, c->copies_in, c->copies_out);
    return SF_NOT_READY;
}

SF_API sf_resident_control *sf_resident_get_control(const sf_resident *resident)
{
    return sfi_resident_check(resident) < 0 ? NULL : resident->control;
}
SF_API void sf_resident_mark_data_ready(sf_resident_control *control)
{
    if (control) { sfi_resident_mark(control, true); }
}
SF_API void sf_resident_mark_data_not_ready(sf_resident_control *control)
{
    if (control) { sfi_resident_mark(control, false); }
}
SF_API uint64_t sf_resident_iteration(const sf_resident_control *control)
{
    /* the loop's own count is no word that others may read: it tells this one with each request it takes */
    return control && control->mail ? sfi_resident_load(&control->mail->board.began) : 0;
}
/* What a host body knows and the loop forgets: who was at work, stage << 1 | in an iteration. In a word of a line
   that nobody else uses. */
static uint64_t *sfi_resident_raised_at(sfi_resident_mail *mail) { return &mail->board.line2[0]; }
SF_API void sf_resident_raise(sf_resident_control *control, sf_result code)
{
    if (!control) { return; }
    if (control->mail && !sfi_resident_load32(&control->raised)) {
        const sfi_resident_board *board = &control->mail->board;
        uint64_t stage = sfi_resident_load(&board->stage) & 0xffff;
        bool live = sfi_resident_load(&board->began) > sfi_resident_load(&board->done);
        sfi_resident_store(sfi_resident_raised_at(control->mail), stage << 1 | live);
    }
    sfi_resident_raise(control, (int32_t)code);
}

/* >>capturing ----------------------------------------------------------------------------------------- */

static const char *sfi_resident_ptx_line(size_t index);      /* NULL: after the last */

/* The PTX is sm_75's but for two instructions, each a string of its own. */
static sf_result sfi_resident_load_kernels(sf_resident *r)
{
    bool early = r->capability >= 90;
    char *text, *at;
    size_t i, bytes = 1;
    sf_result result;
    int k;
    for (i = 0; sfi_resident_ptx_line(i); i++) { bytes += strlen(sfi_resident_ptx_line(i)); }
    text = at = (char *)r->heap.alloc(bytes, r->heap.user);
    if (!text) { return SF_ERROR_OUT_OF_MEMORY; }
    for (i = 0; sfi_resident_ptx_line(i); i++) {
        const char *line = sfi_resident_ptx_line(i);
        if (!early && !strncmp(line, "griddepcontrol", 14)) { continue; }
        if (early && !strncmp(line, ".target", 7)) { line = ".target sm_90\n"; }
        memcpy(at, line, strlen(line));
        at += strlen(line);
    }
    *at = 0;
    result = sf_module_load_shared(r->device, text, (size_t)(at - text) + 1, &r->module);
    r->heap.free(text, r->heap.user);
    for (k = 0; k < SFI_RESIDENT_KERNELS && result >= 0; k++) {
        result = sf_module_get_function(r->module, sfi_resident_kernels[k].name, &r->functions[k]);
        if (result >= 0) { result = sf_function_preload(r->functions[k]); }
    }
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}

typedef struct sfi_resident_capture {
    sf_resident *r;
    const sfi_resident_order *order;
    sfi_resident_tails *tails;               /* of each item, what the next one has to come after */
    uint32_t pass;
    bool handler;                            /* only the handler's operators, or only the others */
    sf_graph *body;
    bool any;                                /* of the operators has launched something */
} sfi_resident_capture;
static int sfi_resident_count_nodes(const sf_graph *graph)
{
    int count = 0;
    (void)sf_graph_get_nodes(graph, NULL, 0, &count);
    return count;
}

static sf_result sfi_resident_read_tails(sf_resident *r, sf_stream *s, sfi_resident_tails *to)
{
    sf_capture_info info;
    sf_dependency *deps;
    int32_t i;
    sf_result result;
    memset(&info, 0, sizeof info);
    result = sf_stream_get_capture_info(s, &info, NULL, 0);
    if (result >= 0 && info.status != SF_CAPTURE_ACTIVE) { result = SF_ERROR_CAPTURE_INVALIDATED; }
    if (result < 0) { return result; }
    deps = (sf_dependency *)sfi_resident_new(r, (size_t)(info.dependencies + 1) * sizeof *deps);
    if (!deps) { return SF_ERROR_OUT_OF_MEMORY; }
    result = sf_stream_get_capture_info(s, &info, deps, info.dependencies);
    to->count = 0;
    for (i = 0; i < info.dependencies && result >= 0; i++) {
        if (!sfi_resident_add_tail(r, to, deps[i].node)) { result = SF_ERROR_OUT_OF_MEMORY; }
    }
    return result;
}
static sf_result sfi_resident_go_after(sf_stream *s, const sfi_resident_tails *t)
{
    return sf_stream_update_capture_dependencies(s, t->items, t->count, SF_CAPTURE_SET_DEPENDENCIES);
}
static bool sfi_resident_early(const sf_resident *r)
{
    return !r->on_host && r->capability >= 90 && !r->desc.no_programmatic_launch;
}
static void sfi_resident_grid(sfi_resident_function which, const sfi_resident_args *a, const sf_resident *r,
                              sf_grid *grid)
{
    size_t bytes = 0;
    uint32_t i;
    memset(grid, 0, sizeof *grid);
    grid->block[0] = 1;
    if (which == SFI_RESIDENT_WAIT_KERNEL || which == SFI_RESIDENT_TURN_KERNEL ||
        which == SFI_RESIDENT_CHECK_KERNEL || which == SFI_RESIDENT_PUBLISH_KERNEL) {
        bool out = which == SFI_RESIDENT_TURN_KERNEL || which == SFI_RESIDENT_PUBLISH_KERNEL;
        bool copies = (out && a->count && !sfi_resident_results_in_line(r)) ||
                      ((which == SFI_RESIDENT_TURN_KERNEL ? a->next_count : !out && a->count) && !r->line_words);
        grid->block[0] = copies ? 256 : which == SFI_RESIDENT_TURN_KERNEL ? 64 : 32;
    }
    if (which != SFI_RESIDENT_COPY_KERNEL) { return; }
    for (i = 0; i < a->count; i++) { bytes += (size_t)r->copies_image[a->first + i].bytes; }
    grid->block[0] = 512;
    grid->grid[0] = bytes / 32768 < 1 ? 1 : bytes / 32768 > 64 ? 64 : (uint32_t)(bytes / 32768);
}
static sf_result sfi_resident_enqueue(sf_resident *r, sf_stream *s, sfi_resident_function which,
                                      sfi_resident_args *args)
{
    sf_grid grid;
    void *params[1];
    args->control = r->control;
    args->mail = (sfi_resident_mail *)(void *)r->pinned_device;
    if (r->on_host) { return sf_launch(s, &sfi_resident_kernels[which], args, sizeof *args); }
    params[0] = args;
    sfi_resident_grid(which, args, r, &grid);
    grid.programmatic =                      /* these wait by themselves for what comes before them */
        sfi_resident_early(r) && (which <= SFI_RESIDENT_TURN_KERNEL || which == SFI_RESIDENT_COPY_KERNEL);
    return sf_launch_kernel(s, r->functions[which], &grid, params);
}
static sf_result sfi_resident_add_kernel(sf_resident *r, sf_graph *graph, const sf_dependency *after, int count,
                                         sfi_resident_function which, sfi_resident_args *args, sf_graph_node **node)
{
    sf_node_desc d;
    void *params[1];
    memset(&d, 0, sizeof d);
    args->control = r->control;
    args->mail = (sfi_resident_mail *)(void *)r->pinned_device;
    params[0] = args;
    d.type = SF_NODE_KERNEL;
    d.name = sfi_resident_kernels[which].name;
    if (r->on_host) {
        d.kernel.func = &sfi_resident_kernels[which];
        d.kernel.args = args;
        d.kernel.bytes = sizeof *args;
    } else {
        d.function.func = r->functions[which];
        d.function.params = params;
        sfi_resident_grid(which, args, r, &d.function.grid);
    }
    return sf_graph_add_node(graph, after, count, &d, node);
}

/* -- operators -- */

/* Ours are not among them, so the operator captured last has brought them. */
static sf_result sfi_resident_check_nodes(sf_resident *r, sf_graph *graph)
{
    sf_graph_node **nodes;
    sf_node_type type;
    bool bad = false;
    int count = 0, i;
    if (sf_graph_get_nodes(graph, NULL, 0, &count) == SF_ERROR_OUT_OF_MEMORY) { return SF_ERROR_OUT_OF_MEMORY; }
    if (!count) { return SF_OK; }
    nodes = (sf_graph_node **)r->heap.alloc((size_t)count * sizeof *nodes, r->heap.user);
    if (!nodes) { return SF_ERROR_OUT_OF_MEMORY; }
    if (sf_graph_get_nodes(graph, nodes, count, &count) < 0) { count = 0; }
    for (i = 0; i < count && !bad; i++) {
        if (sf_graph_node_get_type(nodes[i], &type) < 0) { continue; }
        bad = type == SF_NODE_HOST || type == SF_NODE_EVENT_RECORD || type == SF_NODE_EVENT_WAIT ||
              type == SF_NODE_MEM_ALLOC || type == SF_NODE_MEM_FREE || type == SF_NODE_BATCH_MEM_OP;
    }
    r->heap.free((void *)nodes, r->heap.user);
    return bad ? SF_ERROR_NOT_SUPPORTED : SF_OK;
}
static sf_result sfi_resident_mark_op(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *s,
                                      sfi_resident_mark_kind kind)
{
    sfi_resident_args a;
    memset(&a, 0, sizeof a);
    a.stage = SFI_RESIDENT_STAGE_OP + op->index;
    a.kind = (uint32_t)kind;
    a.every = op->handler;
    return sfi_resident_enqueue(c->r, s, SFI_RESIDENT_MARK_KERNEL, &a);
}
/* The heartbeat enters the operator: on its way, or, where that would cost time, beside it. */
static sf_result sfi_resident_enter_op(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *s,
                                       const sfi_resident_tails *before)
{
    sf_resident *r = c->r;
    sf_result result;
    if (r->desc.measure_operators) { return sfi_resident_mark_op(c, op, s, SFI_RESIDENT_MARK_BEGIN); }
    if (r->desc.no_stages) { return SF_OK; }
    result = sfi_resident_mark_op(c, op, s, SFI_RESIDENT_MARK_ENTER);
    if (result >= 0 && !r->on_host && !op->handler) { result = sfi_resident_go_after(s, before); }
    return result;
}
static void sfi_resident_check_emitted(const sf_resident *r, const sfi_resident_op *op)
{
    int k;
    for (k = 0; k < op->count[1]; k++) {
        const sfi_resident_port *p = op->ports[1][k];
        if (p->emitted || (!p->connected && !p->is.external)) { continue; }
        sfi_resident_warn(r, op->name, "output '", p->name, "' was not emitted: what is behind it reads the memory "
                          "all the same", SFI_LAST);
    }
}
static sf_result sfi_resident_captured(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *s)
{
    sf_capture_status status = SF_CAPTURE_NONE;
    sf_result failed = sf_stream_get_failure(s), result = sf_stream_is_capturing(s, &status);
    bool unfit = failed == SF_ERROR_CAPTURE_UNSUPPORTED;
    if (failed < 0 && !unfit && failed != SF_ERROR_CAPTURE_INVALIDATED) {    /* that comes of an earlier one */
        return sfi_resident_device_failed(c->r, failed, op->name, "a call on its stream");
    }
    if (result < 0 || status != SF_CAPTURE_ACTIVE || unfit) {
        return sfi_resident_fail(c->r, result < 0 ? result : unfit ? failed : SF_ERROR_CAPTURE_INVALIDATED, op->name,
                                 "its compute",
                                 "it did what cannot be captured (waiting, allocating, looking at the stream, as "
                                 "sf_stream_synchronize() does): receive, launch and emit only", SFI_LAST);
    }
    result = sfi_resident_check_nodes(c->r, c->body);
    if (result == SF_ERROR_NOT_SUPPORTED) {
        return sfi_resident_fail(c->r, SF_ERROR_NOT_SUPPORTED, op->name, "its compute",
                                 "host functions, event nodes, allocations and value operations cannot be in a loop "
                                 "on the GPU: launch kernels, copy and set memory", SFI_LAST);
    }
    return result;
}
static sf_result sfi_resident_capture_op(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *s,
                                         const sfi_resident_tails *before, sfi_resident_tails *after)
{
    sf_resident *r = c->r;
    sf_result result = sfi_resident_go_after(s, before);
    int side, k, count;
    for (side = 0; side < 2; side++) {
        for (k = 0; k < op->count[side]; k++) { op->ports[side][k]->received = op->ports[side][k]->emitted = false; }
    }
    (void)sf_stream_get_failure(s);
    if (result >= 0) { result = sfi_resident_enter_op(c, op, s, before); }
    if (result < 0) { return sfi_resident_device_failed(r, result, op->name, "sf_resident_build"); }
    count = c->any ? 0 : sfi_resident_count_nodes(c->body);
    result = sfi_resident_call_hook(r, op, op->is.compute, s, c->pass, "its compute");
    if (result >= 0) { result = sfi_resident_captured(c, op, s); }
    if (result < 0) { return result; }
    c->any = c->any || sfi_resident_count_nodes(c->body) > count;        /* a mirror of the driver's: not each time */
    if (!c->pass) { sfi_resident_check_emitted(r, op); }
    if (r->desc.measure_operators) { result = sfi_resident_mark_op(c, op, s, SFI_RESIDENT_MARK_END); }
    if (result >= 0) { result = sfi_resident_read_tails(r, s, after); }
    return result < 0 ? sfi_resident_device_failed(r, result, op->name, "its compute") : SF_OK;
}

/* -- branches -- */

static sf_stream *sfi_resident_capture_stream(sf_resident *r, int32_t depth)
{
    sf_stream_desc d;
    if (!r->capture[depth]) {
        memset(&d, 0, sizeof d);
        d.flags = SF_STREAM_NON_BLOCKING;
        if (sfi_resident_early(r)) { d.flags |= (uint32_t)SF_STREAM_PROGRAMMATIC; }
        d.priority = r->desc.default_priority ? 0 : INT32_MIN;
        d.name = "resident capture";
        if (sf_stream_create(r->device, &d, &r->capture[depth]) < 0) { return NULL; }
    }
    return r->capture[depth];
}
static sf_result sfi_resident_capture_scope(sfi_resident_capture *c, sfi_resident_scope scope, int32_t depth,
                                            const sfi_resident_tails *entry, sfi_resident_tails *exit);

static bool sfi_resident_is_skipped(const sf_resident *r, const sfi_resident_op *op, sfi_resident_scope taken)
{
    int32_t branch = op->branch, which = op->which;
    while (branch != SFI_RESIDENT_NONE && branch != taken.branch) {
        which = r->branches[branch]->which;
        branch = r->branches[branch]->parent;
    }
    return branch != SFI_RESIDENT_NONE && which != taken.which;
}
/* One node for outputs that lie side by side, as those of operators that were added one after the other do. */
static sf_result sfi_resident_clear_skipped(sfi_resident_capture *c, sfi_resident_scope taken, sf_stream *s)
{
    sf_resident *r = c->r;
    sf_result result = SF_OK;
    char *from = NULL, *to = NULL, *next = NULL;     /* next: where such a one would begin */
    uint32_t i;
    int k;
    for (i = 0; i < r->op_count; i++) {
        if (!sfi_resident_is_skipped(r, r->ops[i], taken)) { continue; }
        for (k = 0; k < r->ops[i]->count[1] && result >= 0; k++) {
            const sfi_resident_port *p = r->ops[i]->ports[1][k];
            char *memory = (char *)p->memory[c->pass];
            if (!memory || !p->bytes) { continue; }
            if (memory != next || p->data) {
                if (from) { result = sf_memset_async(s, from, 0, (size_t)(to - from)); }
                from = memory;
            }
            to = memory + p->bytes;
            next = p->data ? NULL : memory + sfi_resident_round(p->bytes);
        }
    }
    return result >= 0 && from ? sf_memset_async(s, from, 0, (size_t)(to - from)) : result;
}
static sf_result sfi_resident_find_culprit(sf_resident *r, sf_result result, const char *call);
static sf_result sfi_resident_capture_body(sfi_resident_capture *c, sf_graph *body, sfi_resident_scope scope,
                                           int32_t depth)
{
    sfi_resident_tails entry, exit;
    sf_stream *s = sfi_resident_capture_stream(c->r, depth);
    sf_graph *outer = c->body, *ended = NULL;
    sf_result result, end;
    memset(&entry, 0, sizeof entry);
    memset(&exit, 0, sizeof exit);
    if (!s) { return sfi_resident_device_failed(c->r, SF_ERROR_OUT_OF_MEMORY, c->r->name, "sf_resident_build"); }
    result = sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL);
    if (result < 0) { return sfi_resident_device_failed(c->r, result, c->r->name, "sf_resident_build"); }
    c->body = body;
    if (c->r->branches[scope.branch]->is.clear_skipped) { result = sfi_resident_clear_skipped(c, scope, s); }
    if (result >= 0) { result = sfi_resident_read_tails(c->r, s, &entry); }
    if (result >= 0) { result = sfi_resident_capture_scope(c, scope, depth, &entry, &exit); }
    c->body = outer;
    end = sf_stream_end_capture(s, &ended);
    return result < 0 ? result : end;        /* told when the outermost capture has ended, too */
}
static sf_result sfi_resident_add_conditional(sfi_resident_capture *c, sf_conditional handle,
                                              sf_conditional_type type, int32_t bodies, sf_stream *s,
                                              sf_graph **body, const char *name)
{
    sf_capture_info info;
    sfi_resident_tails after;
    sf_node_desc d;
    sf_graph_node *node = NULL;
    sf_dependency on;
    sf_result result;
    memset(&after, 0, sizeof after);
    memset(&info, 0, sizeof info);
    memset(&d, 0, sizeof d);
    result = sfi_resident_read_tails(c->r, s, &after);
    if (result >= 0) { result = sf_stream_get_capture_info(s, &info, NULL, 0); }
    d.type = SF_NODE_CONDITIONAL;
    d.name = name;
    d.conditional.handle = handle;
    d.conditional.type = type;
    d.conditional.bodies = bodies;
    d.conditional.body = body;
    if (result >= 0) { result = sf_graph_add_node(info.graph, after.items, after.count, &d, &node); }
    on.node = node;
    on.type = SF_EDGE_FULL;
    if (result >= 0) { result = sf_stream_update_capture_dependencies(s, &on, 1, SF_CAPTURE_SET_DEPENDENCIES); }
    return result;
}
static bool sfi_resident_has_else(const sf_resident *r, int32_t branch)
{
    uint32_t i;
    for (i = 0; i < r->op_count; i++) {
        if (r->ops[i]->branch == branch && r->ops[i]->which == 1) { return true; }
    }
    for (i = 0; i < r->branch_count; i++) {
        if (r->branches[i]->parent == branch && r->branches[i]->which == 1) { return true; }
    }
    return false;
}
/* To clear the outputs of all, there is one body more, without operators. */
static int32_t sfi_resident_bodies(const sf_resident *r, int32_t branch)
{
    const sf_resident_branch_desc *d = &r->branches[branch]->is;
    if (d->kind == SF_RESIDENT_SWITCH) { return (int32_t)d->cases + d->clear_skipped; }
    return d->clear_skipped || (d->kind == SF_RESIDENT_IF && sfi_resident_has_else(r, branch)) ? 2 : 1;
}
static void sfi_resident_count_nested(sf_resident *r, const sf_graph *body)
{
    r->nested += (uint32_t)sfi_resident_count_nodes(body);
}
static sf_result sfi_resident_capture_branch(sfi_resident_capture *c, int32_t branch, sf_stream *s, int32_t depth,
                                             const sfi_resident_tails *before, sfi_resident_tails *after)
{
    sf_resident *r = c->r;
    const sfi_resident_choice *b = r->branches[branch];
    int32_t bodies = sfi_resident_bodies(r, branch), i;
    sf_graph **body = (sf_graph **)sfi_resident_new(r, (size_t)bodies * sizeof *body);
    sfi_resident_scope scope;
    sfi_resident_args a;
    sf_result result = body ? sfi_resident_go_after(s, before) : SF_ERROR_OUT_OF_MEMORY;
    memset(&a, 0, sizeof a);
    if (b->predicate) { a.predicate = (const uint32_t *)b->port->memory[c->pass]; }
    a.every = b->is.every;
    a.phase = b->is.every ? b->is.phase % b->is.every : 0;
    a.last = b->is.kind == SF_RESIDENT_SWITCH ? b->is.cases : UINT32_MAX;
    if (result >= 0) { result = sf_graph_conditional_create(r->graph, 0, true, &a.branch); }
    if (result >= 0) { result = sfi_resident_enqueue(r, s, SFI_RESIDENT_CHOOSE_KERNEL, &a); }
    if (result >= 0) {
        result = sfi_resident_add_conditional(c, a.branch, b->is.kind == SF_RESIDENT_SWITCH ? SF_CONDITIONAL_SWITCH
                                                                                            : SF_CONDITIONAL_IF,
                                              bodies, s, body, "branch");
    }
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    for (i = 0; i < bodies && result >= 0; i++) {
        scope.branch = branch;
        scope.which = i;
        result = sfi_resident_capture_body(c, body[i], scope, depth + 1);
        if (result >= 0) { sfi_resident_count_nested(r, body[i]); }
    }
    return result < 0 ? result : sfi_resident_read_tails(r, s, after);
}

/* All items of a scope, each after what it depends on; `exit` gets what comes after all of them. */
static sf_result sfi_resident_capture_scope(sfi_resident_capture *c, sfi_resident_scope scope, int32_t depth,
                                            const sfi_resident_tails *entry, sfi_resident_tails *exit)
{
    sf_resident *r = c->r;
    sf_stream *s = sfi_resident_capture_stream(r, depth);
    sfi_resident_tails before;
    sf_result result = SF_OK;
    int32_t i, k, n, item, followed;
    bool any = false;
    for (i = 0; i < c->order->count && result >= 0; i++) {
        item = c->order->items[i];
        if (!sfi_resident_same(sfi_resident_scope_of(r, item), scope)) { continue; }
        if ((item < (int32_t)r->op_count && r->ops[item]->handler) != c->handler) { continue; }
        memset(&before, 0, sizeof before);
        for (k = 0; k < c->order->pair_count; k++) {
            if (c->order->pairs[k].to != item) { continue; }
            for (n = 0; n < c->tails[c->order->pairs[k].from].count; n++) {
                if (!sfi_resident_add_tail(r, &before, c->tails[c->order->pairs[k].from].items[n].node)) {
                    return SF_ERROR_OUT_OF_MEMORY;
                }
            }
        }
        result = item < (int32_t)r->op_count
                     ? sfi_resident_capture_op(c, r->ops[item], s, before.count ? &before : entry, &c->tails[item])
                     : sfi_resident_capture_branch(c, item - (int32_t)r->op_count, s, depth,
                                                   before.count ? &before : entry, &c->tails[item]);
        any = true;
        followed = 0;
        for (k = 0; k < c->order->pair_count; k++) { followed += c->order->pairs[k].from == item; }
        for (n = 0; n < c->tails[item].count && !followed && result >= 0; n++) {
            if (!sfi_resident_add_tail(r, exit, c->tails[item].items[n].node)) { return SF_ERROR_OUT_OF_MEMORY; }
        }
    }
    for (n = 0; n < entry->count && !any; n++) {
        if (!sfi_resident_add_tail(r, exit, entry->items[n].node)) { return SF_ERROR_OUT_OF_MEMORY; }
    }
    return result;
}

/* -- one iteration -- */

/* What goes into delayed edges is copied when nobody reads the old value any more. */
static sf_result sfi_resident_shift(sfi_resident_capture *c, sf_stream *s, sfi_resident_tails *after)
{
    sf_resident *r = c->r;
    sfi_resident_tails all, one;
    sf_result result = SF_OK;
    uint32_t i, d;
    int32_t n;
    memset(&all, 0, sizeof all);
    for (i = 0; i < r->edge_count && result >= 0; i++) {
        const sfi_resident_edge *e = r->edges[i];
        size_t bytes = e->output->bytes, step = sfi_resident_round(bytes);
        if (!e->delay) { continue; }
        result = sfi_resident_go_after(s, after);
        for (d = e->delay - 1; d > 0 && result >= 0; d--) {
            result = sf_memcpy_async(s, e->late + d * step, e->late + (d - 1) * step, bytes);
        }
        if (result >= 0) { result = sf_memcpy_async(s, e->late, e->output->memory[c->pass], bytes); }
        memset(&one, 0, sizeof one);
        if (result >= 0) { result = sfi_resident_read_tails(r, s, &one); }
        for (n = 0; n < one.count; n++) {
            if (!sfi_resident_add_tail(r, &all, one.items[n].node)) { return SF_ERROR_OUT_OF_MEMORY; }
        }
    }
    if (all.count) { *after = all; }
    return result;
}
static sf_result sfi_resident_capture_copy(sf_resident *r, sf_stream *s, uint32_t first, uint32_t count, size_t bytes)
{
    sfi_resident_args a;
    memset(&a, 0, sizeof a);
    a.first = first;
    a.count = count;
    if (!count || sfi_resident_small(bytes)) { return SF_OK; }
    return sfi_resident_enqueue(r, s, SFI_RESIDENT_COPY_KERNEL, &a);
}
/* Copies in, operators, copies out; what comes next is set to come after them. */
static sf_result sfi_resident_capture_work(sfi_resident_capture *c, sf_stream *s, int32_t depth)
{
    sf_resident *r = c->r;
    uint32_t first = c->pass * (r->in_count + r->out_count);
    sfi_resident_tails entry, exit;
    sfi_resident_scope top;
    sf_result result = sfi_resident_capture_copy(r, s, first, r->in_count, r->in_bytes);
    memset(&entry, 0, sizeof entry);
    memset(&exit, 0, sizeof exit);
    top.branch = SFI_RESIDENT_NONE;
    top.which = 0;
    if (result >= 0) { result = sfi_resident_read_tails(r, s, &entry); }
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    c->handler = false;
    result = sfi_resident_capture_scope(c, top, depth, &entry, &exit);
    if (result < 0) { return result; }
    result = sfi_resident_shift(c, s, &exit);
    if (result >= 0) { result = sfi_resident_go_after(s, &exit); }
    if (result >= 0) { result = sfi_resident_capture_copy(r, s, first + r->in_count, r->out_count, r->out_bytes); }
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}
static void sfi_resident_args_of(const sf_resident *r, uint32_t pass, bool out, sfi_resident_args *a)
{
    memset(a, 0, sizeof *a);
    a->pass = pass;
    a->loop = r->loop_handle;
    a->first = pass * (r->in_count + r->out_count) + (out ? r->in_count : 0);
    a->count = out ? (sfi_resident_small(r->out_bytes) ? r->out_count : 0)
                   : (sfi_resident_small(r->in_bytes) ? r->in_count : 0);
}
/* A turn: publishes what `pass` did, and waits for what `next` will do. */
static sf_result sfi_resident_capture_turn(const sfi_resident_capture *c, sf_stream *s, uint32_t pass, uint32_t next)
{
    sfi_resident_args a, in;
    sfi_resident_args_of(c->r, pass, true, &a);
    sfi_resident_args_of(c->r, next, false, &in);
    a.pass = next;
    a.next = in.first;
    a.next_count = in.count;
    return sfi_resident_enqueue(c->r, s, SFI_RESIDENT_TURN_KERNEL, &a);
}
static sf_result sfi_resident_capture_fast(sfi_resident_capture *c, sf_stream *s)
{
    sf_resident *r = c->r;
    sfi_resident_args a;
    sf_result result;
    sfi_resident_args_of(r, 0, false, &a);
    result = sfi_resident_enqueue(r, s, SFI_RESIDENT_WAIT_KERNEL, &a);
    for (c->pass = 0; c->pass < r->passes && result >= 0; c->pass++) {
        if (c->pass > 0) { result = sfi_resident_capture_turn(c, s, c->pass - 1, c->pass); }
        if (result >= 0) { result = sfi_resident_capture_work(c, s, 0); }
    }
    sfi_resident_args_of(r, r->passes - 1, true, &a);
    return result < 0 ? result : sfi_resident_enqueue(r, s, SFI_RESIDENT_PUBLISH_KERNEL, &a);
}
static sf_result sfi_resident_capture_exact(sfi_resident_capture *c, sf_stream *s)
{
    sf_result result = sfi_resident_capture_work(c, s, 0);
    return result < 0 ? result : sfi_resident_capture_turn(c, s, 0, 0);
}
static sf_result sfi_resident_capture_asked(sfi_resident_capture *c, sf_stream *s)   /* with a data-ready handler */
{
    sf_resident *r = c->r;
    sfi_resident_tails none, exit, after;
    sfi_resident_scope top;
    sfi_resident_args a;
    sf_graph *body = NULL, *outer = c->body, *ended = NULL;
    sf_stream *inner = sfi_resident_capture_stream(r, 1);
    sf_result result, end;
    memset(&none, 0, sizeof none);
    memset(&exit, 0, sizeof exit);
    memset(&after, 0, sizeof after);
    top.branch = SFI_RESIDENT_NONE;
    top.which = 0;
    c->handler = true;
    result = sfi_resident_capture_scope(c, top, 0, &none, &exit);
    if (result < 0) { return result; }
    sfi_resident_args_of(r, 0, false, &a);
    result = sfi_resident_go_after(s, &exit);
    if (result >= 0) { result = sf_graph_conditional_create(r->graph, 0, true, &a.branch); }
    if (result >= 0) { result = sfi_resident_enqueue(r, s, SFI_RESIDENT_CHECK_KERNEL, &a); }
    if (result >= 0) { result = sfi_resident_add_conditional(c, a.branch, SF_CONDITIONAL_IF, 1, s, &body, "ready"); }
    if (result >= 0 && inner) {
        result = sf_stream_begin_capture_to_graph(inner, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL);
    }
    if (result >= 0 && !inner) { result = SF_ERROR_OUT_OF_MEMORY; }
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    c->body = body;
    result = sfi_resident_capture_work(c, inner, 1);
    sfi_resident_args_of(r, 0, true, &a);
    if (result >= 0) { result = sfi_resident_enqueue(r, inner, SFI_RESIDENT_PUBLISH_KERNEL, &a); }
    c->body = outer;
    end = sf_stream_end_capture(inner, &ended);
    if (end >= 0) { sfi_resident_count_nested(r, body); }
    return result < 0 ? result : end;
}

/* -- the whole graph -- */

static sf_result sfi_resident_capture_while(sf_resident *r, const sfi_resident_order *o, sf_graph *body)
{
    sfi_resident_capture c;
    sf_stream *s = sfi_resident_capture_stream(r, 0);
    sf_graph *ended = NULL;
    sf_result result, end;
    memset(&c, 0, sizeof c);
    c.r = r;
    c.order = o;
    c.body = body;
    c.tails = (sfi_resident_tails *)sfi_resident_new(r, (r->op_count + r->branch_count + 1) * sizeof *c.tails);
    if (!c.tails || !s) { return SF_ERROR_OUT_OF_MEMORY; }
    result = sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    if (r->handler) {
        result = sfi_resident_capture_asked(&c, s);
    } else {
        result = r->loop == SF_RESIDENT_LOOP_EXACT ? sfi_resident_capture_exact(&c, s)
                                                   : sfi_resident_capture_fast(&c, s);
    }
    end = sf_stream_end_capture(s, &ended);
    if (result >= 0) { result = end; }
    if (result >= 0 && !c.any) {
        sfi_resident_warn(r, r->name, "the loop does nothing: no compute has launched, copied or set anything",
                          SFI_LAST);
    }
    return result < 0 && r->first_error >= 0 ? sfi_resident_find_culprit(r, result, "sf_resident_build") : result;
}
/* begin, zeros for the delayed edges, (wait,) WHILE, end */
static sf_result sfi_resident_make_graph(sf_resident *r, const sfi_resident_order *o)
{
    bool exact = r->loop == SF_RESIDENT_LOOP_EXACT && !r->handler;
    sfi_resident_args a;
    sf_dependency after;
    sf_graph_node *node = NULL;
    sf_graph *body = NULL;
    sf_node_desc d;
    sf_result result = sf_graph_create(r->device, &r->graph);
    uint32_t i;
    if (result >= 0) { result = sf_graph_conditional_create(r->graph, 1, true, &r->loop_handle); }
    memset(&a, 0, sizeof a);
    if (result >= 0) {
        result = sfi_resident_add_kernel(r, r->graph, NULL, 0, SFI_RESIDENT_BEGIN_KERNEL, &a, &node);
    }
    after.type = SF_EDGE_FULL;
    for (i = 0; i < r->edge_count && result >= 0; i++) {
        const sfi_resident_edge *e = r->edges[i];
        if (!e->delay) { continue; }
        memset(&d, 0, sizeof d);
        d.type = SF_NODE_MEMSET;
        d.mem.dst = e->late;
        d.mem.bytes = e->delay * sfi_resident_round(e->output->bytes);
        after.node = node;
        result = sf_graph_add_node(r->graph, &after, 1, &d, &node);
    }
    if (result >= 0 && exact) {
        after.node = node;
        sfi_resident_args_of(r, 0, false, &a);
        result = sfi_resident_add_kernel(r, r->graph, &after, 1, SFI_RESIDENT_WAIT_KERNEL, &a, &node);
    }
    memset(&d, 0, sizeof d);
    d.type = SF_NODE_CONDITIONAL;
    d.name = "loop";
    d.conditional.handle = r->loop_handle;
    d.conditional.type = SF_CONDITIONAL_WHILE;
    d.conditional.bodies = 1;
    d.conditional.body = &body;
    after.node = node;
    if (result >= 0) { result = sf_graph_add_node(r->graph, &after, 1, &d, &node); }
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    result = sfi_resident_capture_while(r, o, body);
    if (result < 0) { return result; }
    memset(&a, 0, sizeof a);
    after.node = node;
    result = sfi_resident_add_kernel(r, r->graph, &after, 1, SFI_RESIDENT_END_KERNEL, &a, &node);
    if (result >= 0) {
        r->nodes = (uint32_t)sfi_resident_count_nodes(body);
        result = sf_graph_preload(r->graph);
    }
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    result = sf_graph_instantiate(r->graph, 0, &r->exec);
    return result < 0 ? sfi_resident_find_culprit(r, result, "sf_graph_instantiate") : SF_OK;
}

/* Measured on an H200: a turn of the loop 4 us, a node 0.65, a conditional 4.3, the words across the bus 2.5. */
static void sfi_resident_predict(sf_resident *r)
{
    int64_t turn = 4000 / (int64_t)r->passes;
    if (r->loop == SF_RESIDENT_LOOP_FUSED) {
        r->predicted = 2500;
        return;
    }
    r->predicted = 2500 + turn + (int64_t)(r->nodes / r->passes) * 650 + (int64_t)r->branch_count * 4300 +
                   (r->handler ? 4300 + turn : 0);
}

/* Something in the graph cannot be in a loop, and only the whole said so: each operator alone tells whose it is. */
static sf_result sfi_resident_try_op(sf_resident *r, sfi_resident_op *op)
{
    sfi_resident_capture c;
    sfi_resident_tails none, exit;
    sfi_resident_args a;
    sf_node_desc d;
    sf_dependency after;
    sf_graph *graph = NULL, *body = NULL, *ended = NULL;
    sf_graph_exec *exec = NULL;
    sf_stream_desc desc;
    sf_stream *s = NULL;
    sf_result result = sf_graph_create(r->device, &graph), end;
    memset(&desc, 0, sizeof desc);
    desc.flags = SF_STREAM_NON_BLOCKING;
    if (result >= 0) { result = sf_stream_create(r->device, &desc, &s); }
    memset(&c, 0, sizeof c);
    memset(&none, 0, sizeof none);
    memset(&exit, 0, sizeof exit);
    memset(&a, 0, sizeof a);
    memset(&d, 0, sizeof d);
    a.every = 1;
    after.node = NULL;
    after.type = SF_EDGE_FULL;
    if (result >= 0) { result = sf_graph_conditional_create(graph, 0, true, &a.branch); }
    if (result >= 0) {
        result = sfi_resident_add_kernel(r, graph, NULL, 0, SFI_RESIDENT_CHOOSE_KERNEL, &a, &after.node);
    }
    d.type = SF_NODE_CONDITIONAL;
    d.conditional.handle = a.branch;
    d.conditional.type = SF_CONDITIONAL_IF;
    d.conditional.bodies = 1;
    d.conditional.body = &body;
    if (result >= 0) { result = sf_graph_add_node(graph, &after, 1, &d, NULL); }
    if (result >= 0) { result = sf_stream_begin_capture_to_graph(s, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL); }
    if (result >= 0) {
        c.r = r;
        c.body = body;
        result = sfi_resident_capture_op(&c, op, s, &none, &exit);
        end = sf_stream_end_capture(s, &ended);
        if (result >= 0) { result = end; }
        if (result >= 0) { result = sf_graph_instantiate(graph, 0, &exec); }
    }
    if (result < 0) { (void)sfi_resident_device_failed(r, result, op->name, "its compute"); }
    if (exec) { (void)sf_graph_exec_destroy(exec); }
    if (s) { (void)sf_stream_synchronize(s, SF_MS(1000)); }
    if (s) { (void)sf_stream_destroy(s); }
    if (graph) { (void)sf_graph_destroy(graph); }
    return result;
}
static sf_result sfi_resident_find_culprit(sf_resident *r, sf_result result, const char *call)
{
    sf_result tried;
    uint32_t i;
    for (i = 0; i < r->op_count && result != SF_ERROR_OUT_OF_MEMORY; i++) {
        tried = sfi_resident_try_op(r, r->ops[i]);
        if (tried < 0) { return tried; }
    }
    return sfi_resident_device_failed(r, result, r->name, call);
}

static sf_result sfi_resident_run_hooks(sf_resident *r, sfi_resident_phase phase)
{
    sf_result result = SF_OK, first = SF_OK;
    uint32_t i;
    r->phase = phase;
    for (i = 0; i < r->op_count; i++) {
        sfi_resident_op *op = r->ops[i];
        sf_compute_func hook = phase == SFI_RESIDENT_INITIALIZE ? op->is.initialize : op->is.start;
        if (hook) {
            result = sfi_resident_call_hook(r, op, hook, NULL, 0, phase == SFI_RESIDENT_INITIALIZE ? "initialize"
                                                                                                     : "start");
        }
        if (result < 0 && first >= 0) { first = result; }
        if (result < 0 && phase == SFI_RESIDENT_START) { break; }
        if (phase == SFI_RESIDENT_START) { op->started = true; }
    }
    return first;
}
static sf_result sfi_resident_open_streams(sf_resident *r)
{
    sf_stream_desc d;
    sf_result result;
    memset(&d, 0, sizeof d);
    d.flags = SF_STREAM_NON_BLOCKING;
    d.priority = r->desc.default_priority ? 0 : INT32_MIN;   /* clamped: the most urgent there is */
    d.name = r->name;
    result = sf_device_stay(r->device);      /* the room that this makes is made now: later loops of others may run */
    if (result == SF_OK) { (void)sf_device_leave(r->device); }
    if (result >= 0) { result = sf_stream_create(r->device, &d, &r->run); }
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}
static sf_result sfi_resident_check_all(sf_resident *r)
{
    uint32_t i;
    if (!r->op_count) {
        (void)sfi_resident_stick(r, sfi_resident_fail(r, SF_ERROR_INVALID_VALUE, r->name, "sf_resident_build",
                                                      "there is no operator: sf_resident_add() one", SFI_LAST));
    }
    if (r->op_count > SFI_RESIDENT_OPS && (!r->desc.no_stages || r->desc.measure_operators || r->desc.fused)) {
        (void)sfi_resident_stick(r, sfi_resident_fail(
            r, SF_ERROR_NOT_SUPPORTED, r->name, "sf_resident_build", "the heartbeat tells 65533 operators apart, and "
            "there are more: set sf_resident_desc.no_stages and do not measure them, or do more in each", SFI_LAST));
    }
    sfi_resident_mark_handler(r);
    for (i = 0; i < r->op_count; i++) { sfi_resident_check_op(r, r->ops[i]); }
    if (r->build_error >= 0) { sfi_resident_agree_all(r); }
    if (r->build_error >= 0) { sfi_resident_check_predicates(r); }
    sfi_resident_find_ends(r);
    if (r->build_error >= 0) { (void)sfi_resident_stick(r, sfi_resident_nest(r)); }
    if (r->build_error >= 0 && r->desc.fused) { (void)sfi_resident_stick(r, sfi_resident_check_fused(r)); }
    return r->build_error;
}
static sf_result sfi_resident_lay_out(sf_resident *r)
{
    sf_result result = sfi_resident_choose_loop(r);
    if (result >= 0) { result = sfi_resident_make_ports(r); }
    if (result >= 0) { result = sfi_resident_open_streams(r); }
    if (result >= 0) { result = sfi_resident_make_pinned(r); }
    if (result >= 0) { result = sfi_resident_make_device(r); }
    if (result >= 0) { result = sfi_resident_make_rings(r); }
    return result;
}
/* Now, as a first launch beside another loop would wait for its end: all the kernels of a graph can be loaded. */
static sf_result sfi_resident_load_fused(sf_resident *r)
{
    sfi_resident_args a;
    sf_graph *graph = NULL;
    sf_result result = sf_stream_begin_capture(r->run, SF_CAPTURE_RELAXED), launched;
    memset(&a, 0, sizeof a);
    if (result >= 0) {
        launched = sf_launch(r->run, r->desc.fused, &a, sizeof a);
        result = sf_stream_end_capture(r->run, &graph);
        if (launched < 0) { result = launched; }
    }
    if (result >= 0) { result = sf_graph_preload(graph); }
    if (graph) { (void)sf_graph_destroy(graph); }
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}
static sf_result sfi_resident_build(sf_resident *r)
{
    sfi_resident_order order;
    sf_result result = r->build_error;
    memset(&order, 0, sizeof order);
    if (r->device && result >= 0) { result = sfi_resident_run_hooks(r, SFI_RESIDENT_INITIALIZE); }
    r->phase = SFI_RESIDENT_STOP_HOOK;
    (void)sfi_resident_stick(r, result);
    if (!r->device) { return r->build_error; }
    result = sfi_resident_check_all(r);
    if (result >= 0) { result = sfi_resident_sort(r, &order); }
    if (result >= 0) { result = sfi_resident_lay_out(r); }
    if (result >= 0) { result = sfi_resident_run_hooks(r, SFI_RESIDENT_START); }
    r->phase = SFI_RESIDENT_COMPUTE;
    if (result >= 0 && !r->on_host) { result = sfi_resident_load_kernels(r); }
    if (result >= 0 && !r->on_host) { result = sfi_resident_set_clock(r); }
    if (result >= 0) { result = r->desc.fused ? sfi_resident_load_fused(r) : sfi_resident_make_graph(r, &order); }
    r->phase = SFI_RESIDENT_STOP_HOOK;
    if (result >= 0) { sfi_resident_predict(r); }
    if (result == SF_ERROR_OUT_OF_MEMORY && r->first_error >= 0) {
        (void)sfi_resident_no_memory(r, "sf_resident_build");
    }
    return sfi_resident_stick(r, result);
}
static sf_result sfi_resident_reentrant(sf_resident *r, const char *call)
{
    return sfi_resident_refuse(r, SF_ERROR_REENTRANT, r->name, call,
                               "a compute or hook of its own is at work: call when that has returned", SFI_LAST);
}
SF_API sf_result sf_resident_build(sf_resident *resident)
{
    sf_result result = sfi_resident_check(resident);
    if (result < 0) { return result; }
    if (resident->inside) { return sfi_resident_reentrant(resident, "sf_resident_build"); }
    if (sfi_resident_is_built(resident)) { return SF_OK; }
    if (resident->phase != SFI_RESIDENT_ADDING) { return resident->build_error; }
    result = sfi_resident_build(resident);
    if (result >= 0) { sfi_resident_store32(&resident->state, SF_RESIDENT_BUILT); }
    return result;
}

/* >>running ------------------------------------------------------------------------------------------- */

static uint32_t sfi_resident_queues(const sf_resident *r) { return r->desc.fused ? 1 : 2; }  /* of the hardware's */
static void sfi_resident_leave(sf_resident *r)
{
    uint32_t n;
    sfi_resident_store32(&r->stays, 0);
    for (n = sfi_resident_queues(r); n > 0; n--) { (void)sf_device_leave(r->device); }
}
/* The library's own looks and waits are nobody's captures' business. */
static sf_result sfi_resident_query(sf_resident *r, int64_t timeout)         /* < 0: does not wait */
{
    sf_capture_mode mode = SF_CAPTURE_RELAXED;
    sf_result result = sf_thread_exchange_stream_capture_mode(&mode);
    if (result < 0) { return result; }
    result = timeout < 0 ? sf_stream_query(r->run) : sf_stream_synchronize(r->run, timeout);
    (void)sf_thread_exchange_stream_capture_mode(&mode);
    return result == SF_TIMEOUT ? SF_NOT_READY : result;
}
static void sfi_resident_read_record(const sf_resident *r, uint64_t n, sfi_resident_record *to);
static uint64_t sfi_resident_completed(const sf_resident *r);
static uint64_t sfi_resident_done(const sf_resident *r);
static uint64_t sfi_resident_sequence_of(const sf_resident *r, uint64_t request);
static uint64_t sfi_resident_used(const sf_resident *r, const sfi_resident_op *op);
static bool sfi_resident_has_space(const sf_resident *r, uint64_t completed)         /* in each ring of results */
{
    uint32_t t;
    for (t = 0; t < r->sink_count; t++) {
        if (completed - sfi_resident_load(&r->mail->consumed[t].value) >= r->desc.slots) { return false; }
    }
    return true;
}
static bool sfi_resident_is_handler(const sf_resident *r, uint64_t stage)
{
    uint32_t op = (uint32_t)(stage & 0xffff) - SFI_RESIDENT_STAGE_OP;
    return op < r->op_count && r->ops[op]->handler;
}
/* A mark waits for the requests of the sources behind the handler, or for room. */
static bool sfi_resident_waits_for_host(const sf_resident *r)
{
    uint32_t s, lacking = 0;
    for (s = 0; s < r->source_count; s++) {
        uint64_t count = sfi_resident_load(&r->mail->submit[s].value) & SFI_RESIDENT_COUNT;
        lacking += count <= sfi_resident_used(r, r->sources[s]);
    }
    return !sfi_resident_has_space(r, sfi_resident_completed(r)) ||
           (lacking && (!r->image->any || lacking == r->source_count));
}
/* An iteration was taken and is not published: the loop says so, or a marker in it, or a request waits with room for
   its result. Or the handler is asked. */
static bool sfi_resident_is_inside(const sf_resident *r)
{
    const sfi_resident_board *board = &r->mail->board;
    uint64_t completed = sfi_resident_completed(r), done = sfi_resident_done(r);
    uint64_t stage = sfi_resident_load(&board->stage), submitted;
    sfi_resident_record rec;
    memset(&rec, 0, sizeof rec);
    if (completed) { sfi_resident_read_record(r, completed, &rec); }
    if (sfi_resident_load(&board->began) > done) { return true; }
    if (sfi_resident_is_handler(r, stage)) { return !sfi_resident_waits_for_host(r); }
    if ((uint32_t)(stage & 0xffff) >= SFI_RESIDENT_STAGE_OP &&
        (uint32_t)(stage >> 16) > (uint32_t)(rec.fresh >> 32)) {
        return true;
    }
    if (!r->image->quick) { return false; }
    if (!sfi_resident_has_space(r, completed)) { return false; }
    submitted = sfi_resident_load(&r->mail->submit[0].value) & SFI_RESIDENT_COUNT;
    return submitted > done;
}
static const char *sfi_resident_stage_name(const sf_resident *r, uint64_t stage)
{
    uint32_t id = (uint32_t)(stage & 0xffff);
    bool inside = sfi_resident_is_inside(r);
    if (id >= SFI_RESIDENT_STAGE_OP && !inside && !sfi_resident_is_handler(r, stage)) { return "wait"; }
    if (id >= SFI_RESIDENT_STAGE_OP && id - SFI_RESIDENT_STAGE_OP < r->op_count) {
        return r->ops[id - SFI_RESIDENT_STAGE_OP]->name;
    }
    if (inside && r->op_count == 1) { return r->ops[0]->name; }
    return inside ? "work" : "wait";
}
/* The operator that raised, as far as anybody knows: a host body has noted the heartbeat; "" if none is known. */
static uint32_t sfi_resident_raiser(const sf_resident *r, bool in_iteration)
{
    uint64_t note = sfi_resident_load(sfi_resident_raised_at(r->mail));
    uint32_t op = (uint32_t)(note >> 1) - SFI_RESIDENT_STAGE_OP;
    if (in_iteration && r->op_count == 1) { return 1; }
    return note && op < r->op_count && (note & 1 || r->ops[op]->handler) ? op + 1 : 0;
}
static sf_result sfi_resident_was_raised(sf_resident *r, sf_result code, char told[SFI_RESIDENT_TEXT])
{
    uint64_t completed = sfi_resident_completed(r);
    sfi_resident_record rec;
    char text[128];
    sfi_resident_text t;
    uint32_t by;
    bool inside;
    memset(&rec, 0, sizeof rec);
    if (code == SF_ERROR_MISMATCH && r->desc.fused && !sfi_resident_load(&r->mail->board.began) &&
        !sfi_resident_load(sfi_resident_raised_at(r->mail))) {
        sfi_resident_store32(&r->raised_by, 0);
        return sfi_resident_fail_untold(r, told, code, "", "sf_resident_launch",
                                        "SF_RESIDENT_FUSED() has not as many functions as operators were added: one "
                                        "for each, in order", SFI_LAST);
    }
    if (completed > r->old_results) { sfi_resident_read_record(r, completed, &rec); }
    inside = (sf_result)(int32_t)(uint32_t)rec.status == code;
    t.at = text;
    t.room = sizeof text;
    sfi_resident_say(&t, "the loop was ended with code ");
    sfi_resident_say_number(&t, code);
    sfi_resident_say(&t, ", ");
    sfi_resident_say(&t, sf_result_string(code));
    if (inside) {
        sfi_resident_say(&t, ", in iteration ");
        sfi_resident_say_number(&t, (int64_t)sfi_resident_sequence_of(r, rec.sequence));
    }
    by = sfi_resident_raiser(r, inside);
    sfi_resident_store32(&r->raised_by, by);
    return sfi_resident_fail_untold(r, told, code, by ? r->ops[by - 1]->name : "", "sf_resident_raise", text,
                                    ": sf_resident_launch() goes on", SFI_LAST);
}
static bool sfi_resident_says_ended(const sf_resident *r)    /* the loop itself, of its last launch */
{
    return sfi_resident_load(&r->mail->board.ended) == sfi_resident_load(&r->launches);
}
/* A logger is told when it is over: it may wait for that, or stop it once more. */
static void sfi_resident_ended(sf_resident *r, sf_result result, const char *call)   /* settling is held */
{
    const sfi_resident_board *board = &r->mail->board;
    char told[SFI_RESIDENT_TEXT];
    sf_result outcome;
    const char *where = sfi_resident_stage_name(r, sfi_resident_load(&board->stage));
    if (result >= 0 && !sfi_resident_says_ended(r)) {
        result = SF_ERROR_LAUNCH_FAILED;     /* its stream is at its end, but it has not come to its own */
        outcome = sfi_resident_fail_untold(r, told, result, where, call, "the device had a fault, and was reset "
                                           "before anybody looked: destroy it, and make another", SFI_LAST);
    } else if (result < 0) {                 /* the device's sentence names the kernel */
        const sf_failure *f = sf_device_failure(r->device);
        outcome = sfi_resident_fail_untold(
            r, told, result, where, call, "the loop failed on the device, ",
            f->result == result ? f->text : sf_result_string(result),
            !r->on_host      ? ": destroy it; CUDA gives the device back to a new process only"
            : r->own_device  ? ": destroy it, and make another"
                             : ": destroy it, sf_device_reset(), and make another", SFI_LAST);
    } else {
        outcome = (sf_result)(int32_t)(uint32_t)sfi_resident_load(&board->error);
        if (outcome < 0) { outcome = sfi_resident_was_raised(r, outcome, told); }
    }
    if (outcome < 0) { sfi_resident_end_with(r, outcome); }
    sfi_resident_store32(&r->state, result < 0 ? SF_RESIDENT_FAULTED : SF_RESIDENT_STOPPED);
    sfi_resident_leave(r);
    if (outcome < 0) { sfi_resident_tell(r, 1, outcome, told); }
}
/* One at a time launches the loop, stops it, or says how it ended; a logger that is told so is called meanwhile. */
static bool sfi_resident_begin_settling(sf_resident *r, int64_t timeout)
{
    int64_t began = timeout ? sf_now(NULL) : 0;
    bool held;
    do { held = sfi_resident_swap32(&r->settling, 0, 1); } while (!held && timeout && sf_now(NULL) - began < timeout);
    return held;
}
static void sfi_resident_end_settling(sf_resident *r) { sfi_resident_store32(&r->settling, 0); }
static bool sfi_resident_is_on(const sf_resident *r)
{
    uint32_t state = sfi_resident_state_of(r);
    return state == SF_RESIDENT_RUNNING || state == SF_RESIDENT_STOPPING;
}
/* Whether the loop has ended, and how. Asks the driver when the loop says so, and every millisecond. */
static void sfi_resident_settle(sf_resident *r, int64_t now, const char *call)
{
    sf_result result;
    if (!r->on_host && !sfi_resident_says_ended(r) &&
        (uint64_t)now - sfi_resident_load(&r->queried) < 1000000) {
        return;
    }
    if (!sfi_resident_begin_settling(r, 0)) { return; }
    if (sfi_resident_is_on(r)) {
        sfi_resident_store(&r->queried, (uint64_t)now);
        result = sfi_resident_query(r, -1);
        if (result != SF_NOT_READY && result != SF_ERROR_NOT_PERMITTED) { sfi_resident_ended(r, result, call); }
    }
    sfi_resident_end_settling(r);
}
static uint64_t sfi_resident_signs_of_life(const sf_resident *r)     /* change; the stage has 48 bits */
{
    const sfi_resident_board *board = &r->mail->board;
    return sfi_resident_load(&board->stage) ^ sfi_resident_load(&board->completed) << 48;
}
/* An iteration that was taken, and enters no further stage: whoever looks long enough sees it. */
static void sfi_resident_watch(sf_resident *r, int64_t now, const char *call)
{
    uint64_t stage = sfi_resident_signs_of_life(r), since;
    bool inside = sfi_resident_is_inside(r);
    if (!inside || sfi_resident_load(&r->watched) != stage) {
        sfi_resident_store(&r->watched_since, (uint64_t)now);
        sfi_resident_store(&r->watched, inside ? stage : UINT64_MAX);        /* what it waited in is no beginning */
        return;
    }
    stage = sfi_resident_load(&r->mail->board.stage);
    since = sfi_resident_load(&r->watched_since);
    if (now < (int64_t)since || now - (int64_t)since <= r->desc.stall_timeout) { return; }
    if (!sfi_resident_begin_settling(r, 0)) { return; }
    if (sfi_resident_is_on(r)) {
        int64_t us = r->desc.stall_timeout / 1000;
        char told[SFI_RESIDENT_TEXT], digits[24];
        uint32_t s;
        sfi_resident_end_with(r, sfi_resident_fail_untold(
            r, told, SF_ERROR_STALLED, sfi_resident_stage_name(r, stage), call, "no progress for ",
            sfi_resident_decimal(digits, (uint64_t)(us < 1000 ? us : us / 1000)), us < 1000 ? " us" : " ms",
            " (sf_resident_desc.stall_timeout): destroy it, and make another", SFI_LAST));
        for (s = 0; s < SFI_RESIDENT_ENDS; s++) {            /* if it ever goes on it ends */
            sfi_resident_set_bits(sfi_resident_stop_word(r, s), SFI_RESIDENT_DRAIN | SFI_RESIDENT_ABORT, true);
        }
        sfi_resident_store32(&r->state, SF_RESIDENT_FAULTED);
        sfi_resident_tell(r, 1, SF_ERROR_STALLED, told);
    }
    sfi_resident_end_settling(r);
}
static void sfi_resident_attend(sf_resident *r, const char *call)
{
    int64_t now;
    if (!sfi_resident_is_on(r)) { return; }
    now = sf_now(NULL);
    sfi_resident_settle(r, now, call);
    if (sfi_resident_is_on(r) && !SFI_MUTANT(stall_timeout)) { sfi_resident_watch(r, now, call); }
}
/* One step of every waiting call: spins on a GPU, for a while; else gives way. SF_OK: look again. */
static sf_result sfi_resident_pause(sf_resident *r, int64_t began, int64_t timeout, const char *call)
{
    int64_t now, left;
    sf_result result;
    sfi_resident_attend(r, call);
    now = sf_now(NULL);
    left = timeout < 0 ? SF_MS(1) : timeout - (now - began);
    if (left <= 0) { return SF_TIMEOUT; }
    if (!sfi_resident_is_on(r) || (!r->on_host && now - began < SF_US(200))) { return SF_OK; }
    result = sfi_resident_query(r, left < SF_US(50) ? left : SF_US(50));
    return result == SF_ERROR_NOT_PERMITTED ? result : SF_OK;
}
/* A stop is how a writer and a reader are to end: their codes say so, no failure does. */
static sf_result sfi_resident_not_on(sf_resident *r, const char *where, const char *call)
{
    uint32_t state = sfi_resident_state_of(r);
    const char *why = state == SF_RESIDENT_STOPPING ? "it is being stopped" : "it has ended: launch it again";
    char text[SFI_RESIDENT_TEXT];
    sfi_resident_text t;
    if (state == SF_RESIDENT_FAULTED) { return sfi_resident_outcome(r); }
    if (state <= SF_RESIDENT_BUILT) { why = "it is not launched yet: sf_resident_launch()"; }
    if (state <= SF_RESIDENT_BUILT || sfi_resident_outcome(r) < 0) {
        return sfi_resident_refuse(r, SF_ERROR_ILLEGAL_STATE, where, call, why, SFI_LAST);
    }
    t.at = text;
    t.room = sizeof text;
    sfi_resident_say_where(&t, r, where);
    sfi_resident_say(&t, call);
    sfi_resident_say(&t, ": ");
    sfi_resident_say(&t, why);
    sfi_resident_tell(r, 3, SF_ERROR_ILLEGAL_STATE, text);
    return SF_ERROR_ILLEGAL_STATE;
}

/* -- launch -- */

static sf_result sfi_resident_make_rings(sf_resident *r)
{
    uint32_t i;
    for (i = 0; i < r->source_count && r->desc.overflow == SF_OVERFLOW_DROP_NEWEST; i++) {
        sfi_resident_ring *ring = &r->sources[i]->source;
        ring->names = (uint64_t *)sfi_resident_new(r, (size_t)4 * r->desc.slots * sizeof *ring->names);
        if (!ring->names) { return SF_ERROR_OUT_OF_MEMORY; }
    }
    for (i = 0; i < r->sink_count; i++) {
        r->sinks[i]->sink.out = (uint32_t *)sfi_resident_new(r, r->desc.slots * sizeof(uint32_t));
        if (!r->sinks[i]->sink.out) { return SF_ERROR_OUT_OF_MEMORY; }
    }
    return SF_OK;
}
/* How far the device's clock is from ours: the best of some rings and answers. The first one may take long. */
static sf_result sfi_resident_set_clock(sf_resident *r)
{
    sfi_resident_mail *mail = r->mail;
    sfi_resident_args a;
    int64_t best = INT64_MAX, before, now;
    uint64_t i;
    sf_result result;
    memset(&a, 0, sizeof a);
    result = sfi_resident_enqueue(r, r->run, SFI_RESIDENT_CLOCK_KERNEL, &a);
    for (i = 1; i <= 8 && result >= 0; i++) {
        int64_t patience = i > 1 ? SF_MS(100) : SFI_RESIDENT_PATIENCE;
        before = now = sf_now(NULL);
        sfi_resident_store(&mail->submit[0].value, i);
        while (sfi_resident_load(&mail->board.done) < i && now - before < patience) { now = sf_now(NULL); }
        if (sfi_resident_load(&mail->board.done) < i) { break; }
        if (now - before < best) {
            best = now - before;
            sfi_resident_store(&r->shift, (uint64_t)(before + best / 2) - sfi_resident_load(&mail->board.began));
        }
    }
    if (SFI_MUTANT(clock_end)) { return result; }
    result = sfi_resident_finish(r, result); /* a kernel that came later would count in the loop's words */
    mail->submit[0].value = mail->board.began = mail->board.done = 0;
    return result;
}
static int64_t sfi_resident_times(int64_t n, int64_t unit) { return n < INT64_MAX / unit ? n * unit : INT64_MAX; }
static void sfi_resident_set_up(sf_resident *r)              /* what the loop reads when it starts */
{
    sfi_resident_settings *s = &r->mail->settings;
    const sf_resident_desc *d = &r->desc;
    static const int64_t spin[] = { SF_MS(1), SF_US(5), 0 }, nap[] = { SF_US(1), SF_US(20), SF_US(100) };
    static const int64_t calm[] = { SF_US(50), SF_US(20), SF_US(100) };      /* a GPU takes a third more */
    s->launch = r->launches;
    s->spin = d->spin ? d->spin : spin[d->idle];
    s->nap = nap[d->idle];
    s->calm_nap = calm[d->idle];
    s->calm_after = SF_MS(10);
    if (d->data_not_ready_sleep_interval_us) {
        s->calm_nap = sfi_resident_times(d->data_not_ready_sleep_interval_us, 1000);
        if (d->idle != SF_RESIDENT_IDLE_LATENCY || s->nap > s->calm_nap) { s->nap = s->calm_nap; }
    }
    s->timeout = sfi_resident_times(d->timeout_ms, 1000000);
    s->deadline = d->deadline;
}
static void sfi_resident_reset(sf_resident *r)
{
    uint64_t completed = sfi_resident_completed(r), count;
    uint32_t s, slot;
    r->old_results = completed;
    for (s = 0; s < SFI_RESIDENT_ENDS; s++) {
        SFI_RESIDENT_STEP("launch");
        sfi_resident_set_bits(sfi_resident_stop_word(r, s), SFI_RESIDENT_DRAIN | SFI_RESIDENT_ABORT, false);
    }
    for (s = 0; s < r->source_count; s++) {
        sfi_resident_ring *ring = &r->sources[s]->source;
        count = sfi_resident_load(&r->mail->submit[s].value) & SFI_RESIDENT_COUNT;
        sfi_resident_store(&ring->next, count);
        sfi_resident_store(&ring->acquired, 0);
    }
    for (s = 0; s < r->sink_count; s++) {    /* what was not read is gone; who reads now is told so, or undone */
        sfi_resident_ring *ring = &r->sinks[s]->sink;
        sfi_resident_store(&ring->lent, completed);
        sfi_resident_store(&ring->next, completed);
        sfi_resident_store(&r->mail->consumed[s].value, completed);
        SFI_RESIDENT_STEP("launch ring");
        for (slot = 0; slot < r->desc.slots; slot++) { sfi_resident_store32(&ring->out[slot], 0); }
    }
}
static sf_result sfi_resident_stay(sf_resident *r)
{
    sf_result result = SF_OK;
    uint32_t n;
    for (n = 0; n < sfi_resident_queues(r) && result == SF_OK; n++) { result = sf_device_stay(r->device); }
    if (result == SF_OK) {
        sfi_resident_store32(&r->stays, 1);
    } else {
        while (--n > 0) { (void)sf_device_leave(r->device); }
    }
    return result;
}
/* No late bell is for this launch: the last that are being rung right now are so in a moment. From then on nobody
   counts, until the words are set: all loans are over. */
static bool sfi_resident_begin_epoch(sf_resident *r)
{
    int64_t began = sf_now(NULL);
    (void)sfi_resident_add(&r->epoch, 1);
    while (!sfi_resident_swap32(&r->holders, 0, SFI_RESIDENT_CLOSED)) {
        if (sf_now(NULL) - began > SF_MS(1000)) { return false; }
    }
    return true;
}
static void sfi_resident_end_epoch(sf_resident *r)
{
    (void)sfi_resident_add(&r->holders, 0 - (uint32_t)SFI_RESIDENT_CLOSED);
}
static sf_result sfi_resident_start(sf_resident *r)          /* settling is held */
{
    sfi_resident_args a;
    sf_result result = sfi_resident_stay(r);
    if (result != SF_OK) {
        return sfi_resident_refuse(r, result, r->name, "sf_resident_launch", sf_device_failure(r->device)->text,
                                   SFI_LAST);
    }
    if (!sfi_resident_begin_epoch(r)) {
        sfi_resident_leave(r);
        return sfi_resident_refuse(r, SF_BUSY, r->name, "sf_resident_launch",
                                   "another thread submits or releases a slot of the run before: call again",
                                   SFI_LAST);
    }
    sfi_resident_end_with(r, SF_OK);
    sfi_resident_lock(&r->failing);
    memset(&r->failure, 0, sizeof r->failure);
    r->failure.where = r->failure.call = r->failure.text = "";
    sfi_resident_store32(&r->failing, 0);
    sfi_resident_reset(r);
    sfi_resident_end_epoch(r);
    sfi_resident_store(&r->launches, r->launches + 1);
    sfi_resident_set_up(r);
    SFI_RESIDENT_STEP("launch");
    memset(&a, 0, sizeof a);
    a.control = r->control;
    a.mail = (sfi_resident_mail *)(void *)r->pinned_device;
    sfi_resident_store(sfi_resident_raised_at(r->mail), 0);
    sfi_resident_store(&r->watched, UINT64_MAX);
    sfi_resident_store(&r->queried, (uint64_t)sf_now(NULL));
    sfi_resident_store32(&r->state, SF_RESIDENT_RUNNING);
    result = r->desc.fused ? sf_launch(r->run, r->desc.fused, &a, sizeof a) : sf_graph_launch(r->exec, r->run);
    if (result >= 0) { return SF_OK; }
    sfi_resident_store(&r->launches, r->launches - 1);
    sfi_resident_store32(&r->state, SF_RESIDENT_BUILT);
    sfi_resident_leave(r);
    return sfi_resident_device_failed(r, result, r->name, "sf_resident_launch");
}
SF_API sf_result sf_resident_launch(sf_resident *resident)
{
    sf_result result = sf_resident_build(resident);
    uint32_t state;
    if (result < 0) { return result; }
    sfi_resident_attend(resident, "sf_resident_launch");
    if (!sfi_resident_begin_settling(resident, SF_MS(1000))) {
        return sfi_resident_refuse(resident, SF_ERROR_ILLEGAL_STATE, resident->name, "sf_resident_launch",
                                   "a logger is being told of its end, or another thread launches it: call when that "
                                   "has returned", SFI_LAST);
    }
    state = sfi_resident_state_of(resident);
    result = state == SF_RESIDENT_BUILT || state == SF_RESIDENT_STOPPED ? sfi_resident_start(resident)
                                                                        : SF_ERROR_ILLEGAL_STATE;
    sfi_resident_end_settling(resident);
    if (result == SF_ERROR_ILLEGAL_STATE) {
        return sfi_resident_refuse(resident, result, resident->name, "sf_resident_launch",
                                 state == SF_RESIDENT_FAULTED    ? "it has failed: destroy it, and make a new one"
                                 : state == SF_RESIDENT_STOPPING ? "it is still being stopped: sf_resident_wait()"
                                                                 : "it is running", SFI_LAST);
    }
    return result;
}

SF_API bool sf_resident_is_launched(const sf_resident *resident)
{
    if (sfi_resident_check(resident) < 0 || !sfi_resident_is_built(resident)) { return false; }
    sfi_resident_attend((sf_resident *)(uintptr_t)resident, "sf_resident_is_launched");
    if (sfi_resident_state_of(resident) == SF_RESIDENT_FAULTED && sfi_resident_load32(&resident->stays)) {
        /* stalled: is it still there? */
        return sfi_resident_query((sf_resident *)(uintptr_t)resident, -1) == SF_NOT_READY;
    }
    return sfi_resident_is_on(resident);
}
static uint32_t sfi_resident_state_now(sf_resident *r)
{
    sfi_resident_attend(r, "sf_resident_get_state");
    return sfi_resident_state_of(r);
}
SF_API sf_resident_state sf_resident_get_state(const sf_resident *resident)
{
    if (sfi_resident_check(resident) < 0) { return SF_RESIDENT_NEW; }
    return (sf_resident_state)sfi_resident_state_now((sf_resident *)(uintptr_t)resident);
}
static sf_result sfi_resident_wait_end(sf_resident *r, int64_t timeout, const char *call)
{
    int64_t began = sf_now(NULL);
    sf_result result = SF_OK;
    while (result == SF_OK && sfi_resident_is_on(r)) { result = sfi_resident_pause(r, began, timeout, call); }
    if (result == SF_TIMEOUT && !sfi_resident_is_on(r)) { result = SF_OK; }
    return result;
}
static void sfi_resident_ask_to_stop(sf_resident *r, bool drain)
{
    uint64_t bits = SFI_RESIDENT_DRAIN | (drain ? 0 : SFI_RESIDENT_ABORT);
    bool held = sfi_resident_begin_settling(r, SF_MS(1));    /* no launch in between, which would get half of it */
    uint32_t s;
    (void)sfi_resident_swap32(&r->state, SF_RESIDENT_RUNNING, SF_RESIDENT_STOPPING);
    for (s = 0; s < SFI_RESIDENT_ENDS && sfi_resident_state_of(r) == SF_RESIDENT_STOPPING; s++) {
        SFI_RESIDENT_STEP("stop");
        sfi_resident_set_bits(sfi_resident_stop_word(r, s), bits, true);
    }
    if (held) { sfi_resident_end_settling(r); }              /* else another thread says how it ended */
}
SF_API sf_result sf_resident_tear_down(sf_resident *resident, bool drain, int64_t timeout)
{
    sf_result result = sfi_resident_check(resident);
    if (result < 0) { return result; }
    if (sfi_resident_state_of(resident) <= SF_RESIDENT_BUILT) { return SF_IGNORED; }
    sfi_resident_attend(resident, "sf_resident_tear_down");
    if (sfi_resident_is_on(resident)) {
        sfi_resident_ask_to_stop(resident, drain);
        result = sfi_resident_wait_end(resident, timeout, "sf_resident_tear_down");
    }
    if (result != SF_OK) { return result; }
    return sfi_resident_state_of(resident) == SF_RESIDENT_FAULTED ? sfi_resident_outcome(resident) : SF_OK;
}
SF_API sf_result sf_resident_wait(sf_resident *resident, int64_t timeout)
{
    sf_result result = sfi_resident_check(resident);
    if (result < 0) { return result; }
    if (sfi_resident_state_of(resident) <= SF_RESIDENT_BUILT) { return SF_IGNORED; }
    result = sfi_resident_wait_end(resident, timeout, "sf_resident_wait");
    return result != SF_OK ? result : sfi_resident_outcome(resident);
}

static void sfi_resident_release_all(sf_resident *r)
{
    uint32_t i;
    int k;
    for (k = 0; k < SFI_RESIDENT_ENDS; k++) {                /* who ended the capture has launched in earnest */
        if (r->capture[k]) { (void)sf_stream_synchronize(r->capture[k], SF_MS(1000)); }
    }
    if (r->exec) { (void)sf_graph_exec_destroy(r->exec); }
    if (r->graph) { (void)sf_graph_destroy(r->graph); }
    r->phase = SFI_RESIDENT_STOP_HOOK;
    for (i = r->op_count; i-- > 0;) {        /* when nothing of theirs runs any more */
        sfi_resident_op *op = r->ops[i];
        if (op->started && op->is.stop) { (void)sfi_resident_call_hook(r, op, op->is.stop, NULL, 0, "stop"); }
    }
    if (r->module) { (void)sf_module_unload(r->module); }
    for (k = 0; k < SFI_RESIDENT_ENDS; k++) {
        if (r->capture[k]) { (void)sf_stream_destroy(r->capture[k]); }
    }
    if (r->run) { (void)sf_stream_destroy(r->run); }
    if (r->pinned) { (void)sf_mem_free(r->device, r->pinned); }
    if (r->device_memory) { (void)sf_mem_free(r->device, r->device_memory); }
    if (r->control) { (void)sf_mem_free(r->device, r->control); }
}
SF_API sf_result sf_resident_destroy(sf_resident *resident)
{
    sf_result result = sfi_resident_check(resident), first;
    int64_t patience, began, left;
    if (result < 0) { return result; }
    if (resident->inside) { return sfi_resident_reentrant(resident, "sf_resident_destroy"); }
    patience = resident->desc.stall_timeout;
    patience = patience < INT64_MAX - SF_MS(1000) ? patience + SF_MS(1000) : INT64_MAX;
    if (sfi_resident_state_of(resident) > SF_RESIDENT_BUILT) {
        sf_result stopped;
        uint64_t signs;
        uint32_t passes = resident->passes;                  /* that are left, maybe, and give no sign */
        do {
            signs = sfi_resident_signs_of_life(resident);
            began = sf_now(NULL);
            stopped = sf_resident_tear_down(resident, false, patience);
        } while (stopped == SF_TIMEOUT && sfi_resident_is_on(resident) &&
                 (sfi_resident_signs_of_life(resident) != signs || passes-- > 1));
        if (sfi_resident_load32(&resident->stays)) {         /* stalled: does it end all the same? */
            left = patience - (sf_now(NULL) - began);
            result = sfi_resident_query(resident, left > 0 ? left : 0);
            if (result != SF_NOT_READY) { sfi_resident_leave(resident); }
        }
    }
    resident->tag = 0;
    if (result == SF_NOT_READY) { return SF_TIMEOUT; }       /* what still runs uses all of this: it is leaked */
    sfi_resident_release_all(resident);
    first = resident->first_error;
    if (resident->own_device) {
        result = sf_device_close(resident->device, SF_MS(1000));
        if (first >= 0 && result != SF_OK) { first = result; }
    }
    sfi_resident_free_all(resident);
    return first;
}

/* >>rings --------------------------------------------------------------------------------------------- */

static sfi_resident_op *sfi_resident_end_of(sf_resident *r, sf_op id, int side, const char *call, sf_result *result)
{
    sfi_resident_op *op;
    *result = sfi_resident_check(r);
    if (*result < 0) { return NULL; }
    op = sfi_resident_find(r, id);
    if (!op) {
        *result = sfi_resident_refuse(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, id.id ? "no such operator"
                                      : "there is no operator 0: a slot that is not lent, or was released, has it",
                                      SFI_LAST);
        return NULL;
    }
    if (sfi_resident_is_built(r) && !(side ? op->sink.is : op->source.is)) {
        *result = sfi_resident_refuse(r, SF_ERROR_INVALID_VALUE, op->name, call, side
                                    ? "it has no external output: set sf_port.external"
                                    : "it has no external input: set sf_port.external", SFI_LAST);
        return NULL;
    }
    return op;
}
static void sfi_resident_fill(const sf_resident *r, const sfi_resident_op *op, int side, uint64_t slot,
                              sf_resident_slot *to)
{
    int k;
    memset(to, 0, sizeof *to);
    to->op.id = (op->index + 1) | r->generation << 20;
    for (k = 0; k < op->count[side]; k++) {
        const sfi_resident_port *p = op->ports[side][k];
        if (p->is.external) { to->data[k] = p->ring + slot * p->stride; }
    }
}
/* The last request that is behind the loop. */
static uint64_t sfi_resident_newest(const sf_resident *r, uint64_t completed)        /* that of the newest result */
{
    sfi_resident_record rec;
    if (!completed) { return 0; }
    sfi_resident_read_record(r, completed, &rec);
    return rec.sequence;
}
static uint64_t sfi_resident_done(const sf_resident *r)
{
    uint64_t done = sfi_resident_load(&r->mail->board.end_done);
    uint64_t newest = sfi_resident_newest(r, sfi_resident_completed(r));
    return newest > done ? newest : done;
}
static uint64_t sfi_resident_used(const sf_resident *r, const sfi_resident_op *op)   /* a source's requests, read */
{
    return r->image->any ? sfi_resident_load(&r->mail->board.taken[op->source.index]) : sfi_resident_done(r);
}
static uint64_t sfi_resident_in_slot(const sf_resident *r, uint64_t request)
{
    return (request - 1) % r->image->in_slots;
}
/* Who counts in a ring holds it, for some stores: the next launch waits with its words until that is let go. False,
   and nothing is held, while a launch sets them. What a feeder counts while a copy is under way is for one launch,
   `epoch`: false, too, if that is over. */
static void sfi_resident_let_go(sf_resident *r) { (void)sfi_resident_add(&r->holders, (uint32_t)-1); }
static bool sfi_resident_hold_any(sf_resident *r)
{
    if (!(sfi_resident_add(&r->holders, 1) & SFI_RESIDENT_CLOSED) || SFI_MUTANT(launch_lock)) { return true; }
    sfi_resident_let_go(r);
    return false;
}
static bool sfi_resident_hold(sf_resident *r, uint32_t epoch)
{
    (void)sfi_resident_add(&r->holders, 1);
    if (sfi_resident_add(&r->epoch, 0) == epoch) { return true; }
    sfi_resident_let_go(r);
    return false;
}
static bool sfi_resident_is_old(const sf_resident *r, const sfi_resident_op *op);
static bool sfi_resident_has_slot(const sf_resident *r, const sfi_resident_op *op, uint64_t request)
{
    if (sfi_resident_is_old(r, op)) { return false; }        /* and still writes there */
    return request - sfi_resident_used(r, op) <= r->desc.slots + SFI_MUTANT(input_room) ||
           r->desc.overflow == SF_OVERFLOW_DROP_NEWEST;
}

SF_API sf_result sf_resident_acquire(sf_resident *resident, sf_op source, int64_t timeout, sf_resident_slot *slot)
{
    static const char call[] = "sf_resident_acquire";
    sf_result result;
    sfi_resident_op *op = sfi_resident_end_of(resident, source, 0, call, &result);
    sfi_resident_ring *ring;
    uint64_t request;
    int64_t began = timeout > 0 ? sf_now(NULL) : 0;
    if (!op) { return result; }
    if (!slot) { return sfi_resident_refuse_value(resident, op->name, call, SFI_RESIDENT_NO_SLOT); }
    ring = &op->source;
    for (;;) {
        if (sfi_resident_state_of(resident) != SF_RESIDENT_RUNNING) {
            return sfi_resident_not_on(resident, op->name, call);
        }
        request = sfi_resident_load(&ring->next) + 1;
        if (sfi_resident_has_slot(resident, op, request)) { break; }
        if (timeout == 0 || resident->desc.overflow == SF_OVERFLOW_ERROR) {
            sfi_resident_attend(resident, call);
            if (sfi_resident_has_slot(resident, op, request)) { break; }
            if (sfi_resident_is_on(resident)) { return SF_BUSY; }
            continue;
        }
        result = sfi_resident_pause(resident, began, timeout, call);
        if (result != SF_OK) { return result; }
    }
    sfi_resident_fill(resident, op, 0, sfi_resident_in_slot(resident, request), slot);
    slot->sequence = request + ring->dropped;
    sfi_resident_store(&ring->acquired, slot->sequence);
    if (SFI_MUTANT(submit_order) && !resident->line_words) { resident->mail->submit[ring->index].value++; }
    return SF_OK;
}

/* A small request: it is counted, and here it comes. What is lent stays the host's own. */
static void sfi_resident_send(sf_resident *r, const sfi_resident_op *op, uint64_t request)
{
    uint64_t slot = sfi_resident_in_slot(r, request), *words = r->requests[slot].words;
    uint64_t when = sfi_resident_load(&r->times[op->source.index * (r->desc.slots + 1) + slot]);
    uint32_t n;
    int k;
    sfi_resident_store(&words[0], sfi_resident_numbered((uint32_t)when, request));
    sfi_resident_store(&words[1], sfi_resident_numbered((uint32_t)(when >> 32), request));
    SFI_RESIDENT_STEP("submit half a line");
    for (k = 0; k < op->count[0]; k++) {
        const sfi_resident_port *p = op->ports[0][k];
        const char *from = p->ring + slot * p->stride;
        for (n = 0; p->is.external && n < sfi_resident_words_of(p->bytes); n++) {
            sfi_resident_store(&words[SFI_RESIDENT_TIME + p->word + n],
                               sfi_resident_numbered(sfi_resident_get_word(from, p->bytes, n), request));
        }
    }
}
/* Makes the request visible: its words first, then the count, unless a stop is there. */
static bool sfi_resident_ring_bell(sf_resident *r, uint32_t source)
{
    uint64_t *word = &r->mail->submit[source].value, old;
    do {
        old = sfi_resident_load(word);
        if (old & ~SFI_RESIDENT_COUNT && !SFI_MUTANT(submit_after_stop)) { return false; }
        SFI_RESIDENT_STEP("submit count");
    } while (!sfi_resident_swap(word, old, old + 1));
    SFI_RESIDENT_STEP("submitted");
    if (r->line_words) { sfi_resident_send(r, r->sources[source], old + 1); }
    return true;
}
static void sfi_resident_prepare(sf_resident *r, sfi_resident_op *op, uint64_t request, uint64_t sequence)
{
    uint64_t *when = &r->times[op->source.index * (r->desc.slots + 1) + sfi_resident_in_slot(r, request)];
    SFI_RESIDENT_STEP("submit time");
    sfi_resident_store(when, (uint64_t)(sf_now(NULL) - sfi_resident_shift_of(r)));
    if (op->source.names) { sfi_resident_store(&op->source.names[request % (4 * r->desc.slots)], sequence); }
}
static sf_result sfi_resident_submit(sf_resident *resident, sfi_resident_op *op, const sf_resident_slot *slot,
                                     const char *call)
{
    sfi_resident_ring *ring = &op->source;
    uint64_t request;
    if (sfi_resident_state_of(resident) != SF_RESIDENT_RUNNING) {
        sfi_resident_store(&ring->acquired, 0);
        return sfi_resident_not_on(resident, op->name, call);
    }
    if (!slot->sequence || slot->sequence != sfi_resident_load(&ring->acquired)) {
        return sfi_resident_refuse(resident, SF_ERROR_ILLEGAL_STATE, op->name, call,
                                 "this slot is not lent: sf_resident_acquire() one for each submit", SFI_LAST);
    }
    request = sfi_resident_load(&ring->next) + 1;
    sfi_resident_store(&ring->acquired, 0);
    if (request - sfi_resident_used(resident, op) > resident->desc.slots) {  /* DROP_NEWEST, and still no room */
        sfi_resident_store(&ring->dropped, ring->dropped + 1);
        return SF_OK;
    }
    sfi_resident_prepare(resident, op, request, slot->sequence);
    if ((!SFI_MUTANT(submit_order) || resident->line_words) && !sfi_resident_ring_bell(resident, ring->index)) {
        return sfi_resident_not_on(resident, op->name, call);
    }
    sfi_resident_store(&ring->next, request);
    return SF_OK;
}
/* A slot comes back: `then` counts it, and no launch comes in between. */
static sf_result sfi_resident_take_back(sf_resident *r, sf_resident_slot *slot, int side, const char *call,
    sf_result (*then)(sf_resident *r, sfi_resident_op *op, const sf_resident_slot *slot, const char *call))
{
    sf_result result;
    sfi_resident_op *op;
    if (!r) { return SF_ERROR_INVALID_HANDLE; }              /* looked at here, for gcc to see it */
    if (!slot) {
        result = sfi_resident_check(r);
        return result < 0 ? result : sfi_resident_refuse_value(r, r->name, call, SFI_RESIDENT_NO_SLOT);
    }
    op = sfi_resident_end_of(r, slot->op, side, call, &result);
    if (!op) { return result; }
    if (!sfi_resident_hold_any(r)) {
        return sfi_resident_refuse(r, SF_ERROR_ILLEGAL_STATE, op->name, call,
                                   "this slot is not lent any more: another thread launches the loop", SFI_LAST);
    }
    result = then(r, op, slot, call);
    sfi_resident_let_go(r);
    return result;
}
SF_API sf_result sf_resident_submit(sf_resident *resident, sf_resident_slot *slot)
{
    return sfi_resident_take_back(resident, slot, 0, "sf_resident_submit", sfi_resident_submit);
}

/* -- results: the n-th result of a ring is in record n and in slot n - 1 -- */

static const uint64_t *sfi_resident_entry_of(const sf_resident *r, uint64_t n)
{
    return r->records[(n - 1) & (r->record_count - 1)].words;
}
/* 0: the n-th record is there, whole. Else whether there is one in its place that came later, 1, or earlier, -1. */
static int sfi_resident_age(const sf_resident *r, uint64_t n)
{
    const uint64_t *words = sfi_resident_entry_of(r, n);
    uint32_t i;
    for (i = 0; i < (SFI_MUTANT(half_a_line) ? 1 : r->record_words); i++) {
        uint64_t word = sfi_resident_load(&words[i]);
        if (!sfi_resident_is_of(word, n)) { return (int32_t)((uint32_t)word - (uint32_t)n) > 0 ? 1 : -1; }
    }
    return 0;
}
/* How many results there are: the loop's count may come before or behind the words of its last record, or of two. */
static uint64_t sfi_resident_completed(const sf_resident *r)
{
    uint64_t hint, n;
    int age;
    do {
        n = hint = sfi_resident_load(&r->mail->board.completed);
        while (!sfi_resident_age(r, n + 1)) { n++; }
        if (n > hint || !n) { return n; }
        age = sfi_resident_age(r, n);
    } while (age > 0);                       /* the count is old */
    return age ? n - 1 : n;
}
static void sfi_resident_read_record(const sf_resident *r, uint64_t n, sfi_resident_record *to)
{
    const uint64_t *from = sfi_resident_entry_of(r, n);
    uint32_t i;
    for (i = 0; i < SFI_RESIDENT_RECORD / 2; i++) {
        (&to->sequence)[i] = sfi_resident_join(sfi_resident_load(&from[2 * i]), sfi_resident_load(&from[2 * i + 1]));
    }
}
/* Content that came in the n-th record, to where it is lent. */
static void sfi_resident_unload_result(const sf_resident *r, const sfi_resident_op *op, uint64_t n)
{
    const uint64_t *from = sfi_resident_entry_of(r, n) + SFI_RESIDENT_RECORD;
    uint64_t slot = (n - 1) % r->desc.slots;
    uint32_t i;
    int k;
    for (k = 0; k < op->count[1]; k++) {
        const sfi_resident_port *p = op->ports[1][k];
        for (i = 0; p->is.external && i < sfi_resident_words_of(p->bytes); i++) {
            uint64_t word = sfi_resident_load(&from[p->word + i]);
            sfi_resident_put_word(p->ring + slot * p->stride, p->bytes, i, sfi_resident_content(word));
        }
    }
}
/* The request that a sequence of the host's stands for; 0: it was dropped by the host itself; UINT64_MAX: not told
   yet. What was dropped is read first: then each sequence up to the sum is among the names, or was dropped. */
static uint64_t sfi_resident_request_of(const sf_resident *r, uint64_t sequence)
{
    const sfi_resident_ring *ring = r->source_count ? &r->sources[0]->source : NULL;
    uint64_t names = 4 * (uint64_t)r->desc.slots, dropped, last, n;
    if (!ring || !ring->names || r->image->any) { return sequence; }
    dropped = sfi_resident_load(&ring->dropped);
    last = sfi_resident_load(&ring->next);
    if (sfi_resident_load(&ring->names[(last + 1) % names]) == sequence &&   /* submitted, not counted yet */
        sfi_resident_load(&ring->names[last % names]) < sequence) {
        return last + 1;
    }
    SFI_RESIDENT_STEP("ask");
    if (sequence > last + dropped) { return UINT64_MAX; }
    for (n = last; n > 0 && last - n < names - 1; n--) {
        if (sfi_resident_load(&ring->names[n % names]) == sequence) { return n; }
    }
    return 0;
}
/* Older than all names: whether it was dropped nobody knows any more. */
static bool sfi_resident_is_forgotten(const sf_resident *r, uint64_t sequence)
{
    const sfi_resident_ring *ring = &r->sources[0]->source;
    uint64_t names = 4 * (uint64_t)r->desc.slots, last = sfi_resident_load(&ring->next);
    return last > names - 2 && sequence < sfi_resident_load(&ring->names[(last - (names - 2)) % names]);
}
static uint64_t sfi_resident_sequence_of(const sf_resident *r, uint64_t request)
{
    const sfi_resident_ring *ring = r->source_count ? &r->sources[0]->source : NULL;
    return ring && ring->names && !r->image->any ? sfi_resident_load(&ring->names[request % (4 * r->desc.slots)])
                                                 : request;
}
/* `lent`: how many were when it was decided; a launch meanwhile has made them others. */
static bool sfi_resident_lend_result(sf_resident *r, sfi_resident_op *op, uint64_t lent, uint64_t n,
                                     const sfi_resident_record *rec, sf_resident_slot *slot)
{
    uint32_t *out = &op->sink.out[(n - 1) % r->desc.slots];
    int64_t shift = sfi_resident_shift_of(r), late = (int64_t)rec->published + shift - sf_now(NULL);
    if (sfi_resident_results_in_line(r) && !sfi_resident_load32(out)) { sfi_resident_unload_result(r, op, n); }
    sfi_resident_store32(out, 1);
    SFI_RESIDENT_STEP("lend");
    if (!sfi_resident_swap(&op->sink.lent, lent, n > lent ? n : lent) ||
        n <= sfi_resident_load(&op->sink.next)) {            /* launched again, and as many as before are lent */
        sfi_resident_store32(out, 0);
        return false;
    }
    if (late > 0 && !r->on_host) {           /* clocks drift: nothing is published in the future */
        shift -= late;
        sfi_resident_store(&r->shift, (uint64_t)shift);
    }
    sfi_resident_fill(r, op, 1, (n - 1) % r->desc.slots, slot);
    slot->sequence = sfi_resident_sequence_of(r, rec->sequence);
    slot->status = (sf_result)(int32_t)(uint32_t)rec->status;
    slot->submitted = (int64_t)rec->submitted + shift;
    slot->started = (int64_t)rec->started + shift;
    slot->finished = (int64_t)rec->finished + shift;
    slot->published = (int64_t)rec->published + shift;
    return true;
}
static sf_result sfi_resident_long_ago(sf_resident *r, const sfi_resident_op *op)
{
    return sfi_resident_refuse(r, SF_ERROR_ILLEGAL_STATE, op->name, "sf_resident_result",
                               "this result is gone: it was released, or dropped, long ago", SFI_LAST);
}
/* SF_OK: lent. SF_NOT_READY: may still come. */
static sf_result sfi_resident_take_result(sf_resident *r, sfi_resident_op *op, uint64_t sequence,
                                          sf_resident_slot *slot)
{
    const sfi_resident_ring *ring = &op->sink;
    uint64_t request = sequence ? sfi_resident_request_of(r, sequence) : 0, n;
    uint64_t end_done = sfi_resident_load(&r->mail->board.end_done);         /* first: it comes after all results */
    uint64_t lent = sfi_resident_load(&ring->lent);
    uint64_t completed = sfi_resident_completed(r);
    sfi_resident_record rec;
    if (sequence && !request && !sfi_resident_is_forgotten(r, sequence)) { return SF_IGNORED; }
    if (sequence && !request) { return sfi_resident_long_ago(r, op); }
    if (!sequence) {
        if (completed <= lent) { return SF_NOT_READY; }
        sfi_resident_read_record(r, lent + 1, &rec);
        return sfi_resident_lend_result(r, op, lent, lent + 1, &rec, slot) ? SF_OK : SF_NOT_READY;
    }
    for (n = completed; n > 0 && completed - n < r->record_count - 1; n--) {
        sfi_resident_read_record(r, n, &rec);
        if (rec.sequence < request) { break; }
        if (rec.sequence != request) { continue; }
        if (n <= sfi_resident_load(&ring->next)) {
            return sfi_resident_refuse(r, SF_ERROR_ILLEGAL_STATE, op->name, "sf_resident_result",
                                     "this result is gone: released, or not read before a launch", SFI_LAST);
        }
        return sfi_resident_lend_result(r, op, lent, n, &rec, slot) ? SF_OK : SF_NOT_READY;
    }
    if (n > 0 && completed - n >= r->record_count - 1) {     /* older than all that is known */
        return sfi_resident_long_ago(r, op);
    }
    return end_done >= request || sfi_resident_newest(r, completed) >= request ? SF_IGNORED : SF_NOT_READY;
}
SF_API sf_result sf_resident_result(sf_resident *resident, sf_op sink, uint64_t sequence, int64_t timeout,
                                    sf_resident_slot *slot)
{
    static const char call[] = "sf_resident_result";
    sf_result result;
    sfi_resident_op *op = sfi_resident_end_of(resident, sink, 1, call, &result);
    int64_t began = timeout > 0 ? sf_now(NULL) : 0;
    bool on = true;
    if (!op) { return result; }
    if (!slot) { return sfi_resident_refuse_value(resident, op->name, call, SFI_RESIDENT_NO_SLOT); }
    if (sfi_resident_state_of(resident) <= SF_RESIDENT_BUILT) {
        return sfi_resident_not_on(resident, op->name, call);
    }
    for (;;) {
        result = sfi_resident_take_result(resident, op, sequence, slot);
        if (result != SF_NOT_READY) { return result; }
        if (!on) { return sfi_resident_not_on(resident, op->name, call); }
        on = sfi_resident_is_on(resident);   /* what was published before the end is seen once more */
        if (!on) { continue; }
        if (timeout == 0) {
            sfi_resident_attend(resident, call);
            result = sfi_resident_take_result(resident, op, sequence, slot);
            if (result != SF_NOT_READY) { return result; }
            if (sfi_resident_is_on(resident)) { return SF_TIMEOUT; }
            continue;
        }
        result = sfi_resident_pause(resident, began, timeout, call);
        if (result != SF_OK) { return result; }
    }
}
static sf_result sfi_resident_release(sf_resident *resident, sfi_resident_op *op, const sf_resident_slot *slot,
                                      const char *call)
{
    sfi_resident_record rec;
    uint64_t n, request, earlier, lent;
    request = sfi_resident_is_built(resident) ? sfi_resident_request_of(resident, slot->sequence) : 0;
    lent = sfi_resident_load(&op->sink.lent);
    for (n = sfi_resident_load(&op->sink.next) + 1, earlier = 0; request && n <= lent; n++) {
        bool out = sfi_resident_load32(&op->sink.out[(n - 1) % resident->desc.slots]) != 0;
        if (out) { sfi_resident_read_record(resident, n, &rec); }
        if (out && rec.sequence == request) { break; }
        if (out) { earlier++; }
    }
    if (!request || n > lent || earlier) {
        return sfi_resident_refuse(resident, SF_ERROR_ILLEGAL_STATE, op->name, call,
                                 request && n <= lent
                                     ? "releases come in the order of the results"
                                     : "this result is not lent: it was released already, or never asked for",
                                 SFI_LAST);
    }
    sfi_resident_store32(&op->sink.out[(n - 1) % resident->desc.slots], 0);
    SFI_RESIDENT_STEP("release");
    sfi_resident_store(&op->sink.next, n);
    sfi_resident_store(&resident->mail->consumed[op->sink.index].value, n);
    SFI_RESIDENT_STEP("released");
    return SF_OK;
}
SF_API sf_result sf_resident_release(sf_resident *resident, sf_resident_slot *slot)
{
    sf_result result = sfi_resident_take_back(resident, slot, 1, "sf_resident_release", sfi_resident_release);
    if (result == SF_OK && slot) { memset(slot, 0, sizeof *slot); }  /* gcc does not see that it is one */
    return result;
}

SF_API sf_result sf_resident_data_ready(sf_resident *resident, uint64_t *sequence)
{
    static const char call[] = "sf_resident_data_ready";
    sf_result result = sfi_resident_check(resident);
    uint64_t *word, old;
    if (result < 0) { return result; }
    if (sfi_resident_state_of(resident) != SF_RESIDENT_RUNNING) {
        return sfi_resident_not_on(resident, resident->name, call);
    }
    if (!resident->triggered) {
        return sfi_resident_refuse(resident, SF_ERROR_ILLEGAL_STATE, resident->name, call, resident->handler
                                 ? "its data-ready handler decides" : "it is fed through slots: acquire and submit",
                                 SFI_LAST);
    }
    word = &resident->mail->submit[0].value;
    do {
        old = sfi_resident_load(word);
        if (old & ~SFI_RESIDENT_COUNT) { return sfi_resident_not_on(resident, resident->name, call); }
        SFI_RESIDENT_STEP("submit count");
    } while (!sfi_resident_swap(word, old, old + 1));
    if (sequence) { *sequence = old + 1; }
    return SF_OK;
}
static bool sfi_resident_is_done(const sf_resident *r, uint64_t sequence)
{
    uint64_t request = sfi_resident_request_of(r, sequence);                 /* 0: the host dropped it */
    return sfi_resident_done(r) >= request;
}
SF_API sf_result sf_resident_result_ready(const sf_resident *resident, uint64_t sequence)
{
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    sf_result result = sfi_resident_check(resident);
    if (result < 0) { return result; }
    if (!sfi_resident_is_built(r)) { return sfi_resident_not_on(r, r->name, "sf_resident_result_ready"); }
    if (!sequence) {
        return sfi_resident_refuse_value(r, r->name, "sf_resident_result_ready", "sequences begin at 1");
    }
    if (sfi_resident_is_done(r, sequence)) { return SF_OK; }
    sfi_resident_attend(r, "sf_resident_result_ready");
    if (sfi_resident_is_done(r, sequence)) { return SF_OK; }
    return sfi_resident_is_on(r) ? SF_NOT_READY : sfi_resident_not_on(r, r->name, "sf_resident_result_ready");
}

SF_API void *sf_resident_device_memory(const sf_resident *resident, sf_op op, const char *port, uint32_t slot)
{
    static const char call[] = "sf_resident_device_memory";
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    sfi_resident_op *o;
    sfi_resident_port *in, *out;
    const char *wrong = NULL;
    if (sfi_resident_check(resident) < 0) { return NULL; }
    o = sfi_resident_find(resident, op);
    if (!o) {
        (void)sfi_resident_refuse(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, "no such operator", SFI_LAST);
        return NULL;
    }
    in = port ? sfi_resident_find_port(o, 0, port) : NULL;
    out = port ? sfi_resident_find_port(o, 1, port) : NULL;
    if (!in && !out) { wrong = "no such port: "; }
    if (in && out) { wrong = "an input and an output have this name: rename one: "; }
    if (!wrong && !resident->device_memory) { wrong = "it is not built yet: "; }
    if (!wrong && slot >= resident->passes) { wrong = "there are not that many slots: "; }
    if (wrong) {
        (void)sfi_resident_refuse(r, in || out ? SF_ERROR_ILLEGAL_STATE : SF_ERROR_UNKNOWN_PORT, o->name, call, wrong,
                                port ? port : "NULL", SFI_LAST);
        return NULL;
    }
    return (in ? in : out)->memory[slot];
}

/* >>bridges -------------------------------------------------------------------------------------------- */

enum { SFI_RESIDENT_ENTRIES = 16 };          /* of metadata that travel along */

/* What travels past the loop: by request, as long as any ring can hold it. Words, for one may be read while its
   place is filled anew. */
typedef struct sfi_resident_parcel {
    uint64_t request, time, count, keys[SFI_RESIDENT_ENTRIES], values[SFI_RESIDENT_ENTRIES][2];
} sfi_resident_parcel;
enum { SFI_RESIDENT_PARCEL = sizeof(sfi_resident_parcel) / 8 };

typedef struct sfi_resident_late_bell {
    sf_resident *r;
    sfi_resident_op *op;
    uint32_t epoch;                          /* the launch it is for: it is not rung for another one */
} sfi_resident_late_bell;

typedef struct sfi_resident_bridge {
    sf_resident *r;
    sfi_resident_op *op;
    sf_flow *flow;                           /* while it runs, and which operator it is there */
    sf_op id;
    char name[48];
    sfi_resident_parcel *parcels;            /* the feeder's */
    sfi_resident_late_bell *bells;           /* per slot: rung by the GPU's stream */
    uint32_t ringing, epoch;                 /* bells that are to be rung, all for one launch */
    uint64_t over;                           /* the last launch that ended before this run of the flow; 0: none */
    uint64_t before;                         /* requests of before this run: it does not want their results */
    bool full;                               /* that not all metadata travel was told */
    uint32_t discarding;                     /* the reader has ended: one at a time takes what it would have read */
    sf_result raised;                        /* in an iteration that the reader has seen: the loop is ending */
} sfi_resident_bridge;

/* A result may be of the newest request of a full ring, and a ring of such results wait to be read. */
static uint32_t sfi_resident_parcel_count(const sf_resident *r)
{
    uint32_t slots = r->desc.slots, far = slots < 64 ? slots : 64;
    return (r->desc.overflow == SF_OVERFLOW_LATEST ? far : 4) * (slots + 4);
}

/* Its feeder's copies are of an earlier launch: until they are done nobody is lent the slots they write to. */
static bool sfi_resident_is_old(const sf_resident *r, const sfi_resident_op *op)
{
    const sfi_resident_bridge *b = op->feeder;
    return b && sfi_resident_load32(&b->ringing) && sfi_resident_load32(&b->epoch) != sfi_resident_load32(&r->epoch);
}
static bool sfi_resident_is_full(sf_resident *r, sfi_resident_op *op)
{
    return sfi_resident_load(&op->source.next) + 1 - sfi_resident_used(r, op) > r->desc.slots;
}
/* It has ended as it should, and not before this run of the flow began. */
static bool sfi_resident_ended_well(const sfi_resident_bridge *b, uint32_t state)
{
    if (state == SF_RESIDENT_RUNNING || state == SF_RESIDENT_STOPPING) {     /* launched again since then */
        return sfi_resident_load(&b->r->launches) > b->over + 1;
    }
    return state == SF_RESIDENT_STOPPED && sfi_resident_outcome(b->r) >= 0 &&
           sfi_resident_load(&b->r->mail->board.ended) != b->over;
}
static void sfi_resident_waits_for_launch(sfi_resident_bridge *b, uint32_t state)    /* told once in each run */
{
    if (state > SF_RESIDENT_BUILT || !sfi_resident_swap32(&b->r->told, 0, 1)) { return; }
    sfi_resident_warn(b->r, b->name, "the flow waits until this loop is launched: sf_resident_launch()", SFI_LAST);
}
static sfi_resident_bridge *sfi_resident_feeder(const sf_resident *r, uint32_t source)   /* NULL: no flow's */
{
    sfi_resident_bridge *b = r->sources[source]->feeder;
    return b && b->flow ? b : NULL;
}
static bool sfi_resident_has_ended(const sfi_resident_bridge *b)     /* it will never feed again */
{
    sf_op_info info;
    return sf_op_get_info(b->flow, b->id, &info) >= 0 && info.state >= SF_OP_STOPPED;
}
/* The feeder of another source has ended, and all that it fed is done: no iteration comes that makes room here. */
static bool sfi_resident_is_alone(const sfi_resident_bridge *b)
{
    const sf_resident *r = b->r;
    uint32_t s;
    for (s = 0; s < r->source_count && !r->image->any; s++) {
        const sfi_resident_bridge *f = sfi_resident_feeder(r, s);
        if (!f || f == b || f->flow != b->flow || !sfi_resident_has_ended(f)) { continue; }
        if (sfi_resident_load(&f->op->source.next) <= sfi_resident_used(r, f->op)) { return true; }
    }
    return false;
}
/* In place of a reader that has ended: nobody else takes these results, and they hold up the loop. */
static void sfi_resident_discard(sf_resident *r, sfi_resident_bridge *reader)
{
    static const char call[] = "sf_resident_release";
    sf_resident_slot slot;
    uint32_t n;
    bool held = sfi_resident_hold_any(r);    /* else it is being launched, and there is nothing to discard */
    if (held && sfi_resident_swap32(&reader->discarding, 0, 1)) {            /* else another one does */
        for (n = 0; n < r->desc.slots && sfi_resident_take_result(r, reader->op, 0, &slot) == SF_OK; n++) {
            SFI_RESIDENT_STEP("discard for the gone");
            if (sfi_resident_release(r, reader->op, &slot, call) != SF_OK) { break; }
        }
        sfi_resident_store32(&reader->discarding, 0);
    }
    if (held) { sfi_resident_let_go(r); }
}
/* Whether somebody waits for results; those of readers that have ended are discarded. `self` has not. */
static bool sfi_resident_is_read(sf_resident *r, const sfi_resident_bridge *self)
{
    bool any;
    uint32_t s;
    if (!sfi_resident_is_built(r)) { return true; }          /* another thread may be at that */
    any = !r->sink_count;
    for (s = 0; s < r->sink_count; s++) {
        sfi_resident_bridge *b = r->sinks[s]->reader;
        bool gone = b && b != self && b->flow && sfi_resident_has_ended(b);
        any = any || !gone;                  /* without a flow: another thread's */
        if (gone && sfi_resident_completed(r) > sfi_resident_load(&b->op->sink.lent)) {
            sfi_resident_discard(r, b);
        }
    }
    return any;
}
/* Neither side can be woken by a GPU: they look every 20 us while there is something to wait for. */
static sf_readiness sfi_resident_can_feed(void *user, int64_t now, int64_t *wake)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)user;
    uint32_t state;
    if (sfi_resident_check(b->r) < 0) { return SF_NEVER; }
    state = sfi_resident_state_now(b->r);
    if (sfi_resident_ended_well(b, state)) { return SF_NEVER; }
    if (state > SF_RESIDENT_STOPPING || sfi_resident_load32(&b->r->broken)) { return SF_READY; }      /* says why */
    if (!sfi_resident_is_read(b->r, NULL)) { return SF_NEVER; }
    sfi_resident_waits_for_launch(b, state);
    if (sfi_resident_is_old(b->r, b->op) ||
        (sfi_resident_is_built(b->r) && sfi_resident_load(&b->op->source.next) < b->before &&
         sfi_resident_load32(&b->ringing))) {
        *wake = now + SF_US(20);             /* a copy of the launch or the run before */
        return SF_WAIT;
    }
    if (state == SF_RESIDENT_RUNNING && (!sfi_resident_is_full(b->r, b->op) ||
                                         b->r->desc.overflow == SF_OVERFLOW_DROP_NEWEST ||
                                         b->r->desc.overflow == SF_OVERFLOW_ERROR)) {
        return SF_READY;
    }
    if (state == SF_RESIDENT_RUNNING && sfi_resident_is_alone(b)) { return SF_NEVER; }
    *wake = now + (state == SF_RESIDENT_RUNNING ? SF_US(20) : SF_MS(1));
    return SF_WAIT;
}
/* Whether a result is to come. If not, whoever looks for one after this has them all. */
static bool sfi_resident_is_busy(sf_resident *r)
{
    uint64_t began;
    uint32_t s, fed = 0, waiting = 0, all = 0;
    for (s = 0; s < r->source_count; s++) {
        const sfi_resident_op *op = r->sources[s];
        bool waits = sfi_resident_load(&op->source.next) > sfi_resident_used(r, op);
        bool by_flow = sfi_resident_feeder(r, s) != NULL;
        if (waits && r->image->any) { return true; }
        all += waits;
        fed += by_flow;
        waiting += waits && by_flow;
    }
    if (fed ? waiting == fed : all != 0) { return true; }    /* what lacks another feeder's gives no result */
    began = sfi_resident_load(&r->mail->board.began);        /* any_source: taken is told before done */
    return r->image->any && began > sfi_resident_done(r);
}
/* There are some in this flow, and none of them will ever feed again. */
static bool sfi_resident_feeders_ended(const sf_resident *r)
{
    uint32_t s, ended = 0, all = 0;
    for (s = 0; s < r->source_count; s++) {
        const sfi_resident_bridge *b = sfi_resident_feeder(r, s);
        all += b != NULL;
        ended += b && sfi_resident_has_ended(b);
    }
    return all && ended == all;
}
static void sfi_resident_ring_for(const sf_resident *r, int side)    /* feeders or readers: they look again */
{
    uint32_t count = side ? r->sink_count : r->source_count, i;
    for (i = 0; i < count; i++) {
        const sfi_resident_bridge *b = side ? r->sinks[i]->reader : r->sources[i]->feeder;
        if (b && b->flow) { (void)sf_signal(b->flow, b->id, 0, SF_READY); }
    }
}
static sf_readiness sfi_resident_can_read(void *user, int64_t now, int64_t *wake)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)user;
    sf_resident *r = b->r;
    uint32_t state;
    bool ended, busy;
    if (sfi_resident_check(r) < 0) { return SF_NEVER; }
    state = sfi_resident_state_now(r);
    if (state == SF_RESIDENT_FAULTED || sfi_resident_load32(&r->broken)) { return SF_READY; }    /* says why */
    if (state < SF_RESIDENT_RUNNING) {
        sfi_resident_waits_for_launch(b, state);
        *wake = now + SF_MS(1);
        return SF_WAIT;
    }
    if (state != SF_RESIDENT_STOPPED && sfi_resident_ended_well(b, state)) {
        sfi_resident_ring_for(r, 0);
        return b->raised < 0 ? SF_READY : SF_NEVER;
    }
    ended = sfi_resident_feeders_ended(r);
    busy = sfi_resident_is_busy(r);          /* first: then all that was published is seen */
    if (sfi_resident_completed(r) > sfi_resident_load(&b->op->sink.lent)) { return SF_READY; }
    if (state == SF_RESIDENT_STOPPED) {
        sfi_resident_ring_for(r, 0);         /* who may wait for a message that never comes */
        return sfi_resident_outcome(r) < 0 || b->raised < 0 ? SF_READY : SF_NEVER;
    }
    if (!busy && ended && b->raised >= 0) { return SF_NEVER; }
    (void)sfi_resident_is_read(r, b);        /* no feeder may be left that looks */
    busy |= b->raised < 0;                   /* how it ends is known when it has */
    *wake = now + (busy ? SF_US(20) : SF_MS(1));             /* a feeder calls when it has fed */
    return SF_WAIT;
}

static void sfi_resident_pack(sf_context *ctx, sfi_resident_bridge *b)
{
    uint64_t request = sfi_resident_load(&b->op->source.next) + 1;
    sfi_resident_parcel *p = &b->parcels[request % sfi_resident_parcel_count(b->r)];
    sf_value value;
    uint64_t words[2];
    uint32_t key, i;
    sfi_resident_store(&p->request, 0);
    sfi_resident_store(&p->time, (uint64_t)sf_get_timestamp(ctx, 0));
    for (i = 0; i < SFI_RESIDENT_ENTRIES && sf_list_metadata(ctx, i, &key, &value); i++) {
        sfi_resident_store(&p->keys[i], key);
        memcpy(words, &value, sizeof words);
        sfi_resident_store(&p->values[i][0], words[0]);
        sfi_resident_store(&p->values[i][1], words[1]);
    }
    sfi_resident_store(&p->count, i);
    sfi_resident_store(&p->request, request);
    if (i == SFI_RESIDENT_ENTRIES && !b->full && sf_list_metadata(ctx, i, &key, &value)) {
        b->full = true;
        sfi_resident_warn(b->r, b->name, "a message has more than 16 entries of metadata: the first 16 go past the "
                          "loop, the others are lost", SFI_LAST);
    }
}
static void sfi_resident_late_ring(void *user)               /* a host function: nothing but stores */
{
    sfi_resident_late_bell *bell = (sfi_resident_late_bell *)user;
    bool rung = false;
    SFI_RESIDENT_STEP("late bell");
    if (sfi_resident_hold(bell->r, bell->epoch)) {
        rung = sfi_resident_ring_bell(bell->r, bell->op->source.index);
        sfi_resident_let_go(bell->r);
    }
    if (!rung) { (void)sfi_resident_add(&bell->r->lost, 1); }
    (void)sfi_resident_add(&bell->op->feeder->ringing, (uint32_t)-1);
}
/* What lies in device memory is copied by its stream, which then rings the bell: no thread waits. `epoch`: of before
   the slot was lent; launched again since then, the frame is lost, and what comes next waits for its copy. */
static sf_result sfi_resident_feed_late(sf_context *ctx, sfi_resident_bridge *b, sf_resident_slot *slot,
                                        uint32_t epoch, sf_tensor *const *in, const int *port, int count)
{
    sf_resident *r = b->r;
    uint64_t request = sfi_resident_load(&b->op->source.next) + 1;
    sfi_resident_late_bell *bell = &b->bells[sfi_resident_in_slot(r, request)];
    sf_stream *s = sf_compute_stream(ctx);
    sf_result result = SF_OK;
    int i;
    sfi_resident_store32(&b->epoch, epoch);
    (void)sfi_resident_add(&b->ringing, 1);
    for (i = 0; i < count && result >= 0; i++) {
        result = sf_memcpy_async(s, slot->data[port[i]], in[i]->data, in[i]->bytes);
    }
    if (result >= 0 && sfi_resident_hold(r, epoch)) {
        sfi_resident_prepare(r, b->op, request, slot->sequence);
        sfi_resident_store(&b->op->source.next, request);
        sfi_resident_store(&b->op->source.acquired, 0);
        sfi_resident_let_go(r);
    }
    bell->r = r;
    bell->op = b->op;
    bell->epoch = epoch;
    if (result >= 0) { result = sf_launch_host_func(s, sfi_resident_late_ring, bell); }
    if (result >= 0) { return result; }
    (void)sf_stream_synchronize(s, SF_MS(1000));             /* copies before the one that failed write there */
    if (sfi_resident_load(&b->op->source.next) == request && sfi_resident_hold(r, epoch)) {
        sfi_resident_store(&b->op->source.next, request - 1);
        sfi_resident_let_go(r);
    }
    (void)sfi_resident_add(&b->ringing, (uint32_t)-1);
    return result;
}
/* How the loop has failed, in its own words: those of before a launch that another thread makes are gone. */
static sf_result sfi_resident_pass_on(sf_context *ctx, sf_resident *r, sf_result result)
{
    char text[SFI_RESIDENT_TEXT] = "the loop was ended with this code, and launched again";
    SFI_RESIDENT_STEP("pass on");
    sfi_resident_lock(&r->failing);
    if (r->failure.count) { memcpy(text, r->text, sizeof text); }
    sfi_resident_store32(&r->failing, 0);
    return sf_fail(ctx, result, text);
}
/* The loop took nothing. That it was stopped is the feeder's end, too, but how it ends is known when it has. */
static sf_result sfi_resident_not_fed(sf_context *ctx, const sfi_resident_bridge *b, sf_result result)
{
    sf_resident *r = b->r;
    uint32_t state = sfi_resident_state_now(r);
    sf_result outcome;
    if (result >= 0) { return sf_fail(ctx, SF_ERROR_QUEUE_FULL, "the loop's ring is full"); }
    if (sfi_resident_ended_well(b, state)) { return SF_DONE; }
    outcome = sfi_resident_outcome(r);
    if (result == SF_ERROR_ILLEGAL_STATE &&
        (state == SF_RESIDENT_STOPPING || (state == SF_RESIDENT_RUNNING && outcome >= 0))) {
        return SF_OK;                        /* launched again meanwhile: what comes next is for that one */
    }
    if (result == SF_ERROR_ILLEGAL_STATE && outcome < 0) { result = outcome; }
    if (outcome < 0 || sfi_resident_load32(&r->broken)) { return sfi_resident_pass_on(ctx, r, result); }
    return sf_fail(ctx, result, state == SF_RESIDENT_STOPPED
                                    ? "the loop had ended before: launch it, then run the flow"
                                    : "the loop took nothing");
}
static sf_result sfi_resident_feed(sf_context *ctx)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)ctx->user;
    sf_resident *r = b->r;
    sf_resident_slot slot;
    sf_tensor *in[SF_MAX_PORTS];
    int port[SF_MAX_PORTS], count = 0, k;
    bool late = sfi_resident_load32(&b->ringing) != 0, full;
    uint32_t epoch = sfi_resident_load32(&r->epoch);
    sf_op source;
    sf_result result;
    source.id = (b->op->index + 1) | r->generation << 20;
    result = sf_resident_acquire(r, source, 0, &slot);
    while (result == SF_OK && !r->image->any && sfi_resident_load(&b->op->source.next) < b->before) {
        result = sf_resident_submit(r, &slot);               /* goes with what another source has left; discarded */
        if (result == SF_OK) { result = sf_resident_acquire(r, source, 0, &slot); }
        if (result == SF_BUSY) { return SF_OK; }             /* asks again when there is room */
    }
    if (result == SF_BUSY && !sfi_resident_is_full(r, b->op)) { return SF_OK; }      /* launched again meanwhile */
    if (result != SF_OK) { return sfi_resident_not_fed(ctx, b, result); }
    for (k = 0; k < b->op->count[0]; k++) {
        if (!b->op->ports[0][k]->is.external) { continue; }
        port[count] = k;
        in[count] = sf_receive(ctx, count);
        if (!in[count] || in[count]->bytes > b->op->ports[0][k]->bytes) {
            return sf_fail(ctx, SF_ERROR_MISMATCH, "the message is larger than the slot of the loop's input");
        }
        late |= in[count]->device_type == 2;
        count++;
    }
    sfi_resident_pack(ctx, b);
    full = r->desc.overflow == SF_OVERFLOW_DROP_NEWEST && sfi_resident_is_full(r, b->op);
    if (late && full) {                      /* dropped, without a look at what may lie in the GPU's memory */
        sfi_resident_store(&b->op->source.acquired, 0);
        sfi_resident_store(&b->op->source.dropped, b->op->source.dropped + 1);
    } else if (late) {
        result = sfi_resident_feed_late(ctx, b, &slot, epoch, in, port, count);
    } else {
        for (k = 0; k < count; k++) { memcpy(slot.data[port[k]], in[k]->data, in[k]->bytes); }
        result = sf_resident_submit(r, &slot);
    }
    if (result < 0) {
        (void)sfi_resident_add(&r->lost, 1);
        return sfi_resident_not_fed(ctx, b, result);
    }
    sfi_resident_ring_for(r, 1);
    return SF_OK;
}
/* What came with the request of a result, if nothing newer lies in its place. */
static bool sfi_resident_unpack(const sfi_resident_bridge *feeder, uint64_t request, sfi_resident_parcel *to)
{
    const sfi_resident_parcel *p = &feeder->parcels[request % sfi_resident_parcel_count(feeder->r)];
    uint32_t i;
    for (i = 0; i < SFI_RESIDENT_PARCEL; i++) { (&to->request)[i] = sfi_resident_load(&(&p->request)[i]); }
    return to->request == request && sfi_resident_load(&p->request) == request;
}
/* Of all feeders, the first one's last: its timestamp counts, and its entry where several have one of a key. */
static void sfi_resident_label(sf_context *ctx, const sf_resident *r, uint64_t request)
{
    sfi_resident_parcel p;
    sf_value value;
    uint32_t s, i;
    for (s = r->image->any ? 0 : r->source_count; s-- > 0;) {       /* any: which request it was nobody knows */
        const sfi_resident_bridge *feeder = sfi_resident_feeder(r, s);
        if (!feeder || !sfi_resident_unpack(feeder, request, &p)) { continue; }
        if ((int64_t)p.time >= 0 && !s) { sf_set_timestamp(ctx, (int64_t)p.time); }
        for (i = 0; i < p.count; i++) {
            memcpy(&value, p.values[i], sizeof value);
            (void)sf_set_metadata(ctx, (uint32_t)p.keys[i], value);
        }
    }
}
static sf_result sfi_resident_not_read(sf_context *ctx, const sfi_resident_bridge *b, sf_result result)
{                                            /* SF_OK: asks again */
    sf_resident *r = b->r;
    uint32_t state = sfi_resident_state_now(r);
    sf_result outcome = sfi_resident_outcome(r);
    if (b->raised < 0 && sfi_resident_ended_well(b, state)) {
        return sf_fail(ctx, b->raised, "the loop was ended with this code, and launched again");
    }
    if (state == SF_RESIDENT_STOPPED && outcome >= 0) { return SF_DONE; }
    if (result == SF_ERROR_ILLEGAL_STATE && state == SF_RESIDENT_RUNNING && outcome >= 0) { return SF_OK; }
    return sfi_resident_pass_on(ctx, r, outcome < 0 ? outcome : result);
}
static sf_result sfi_resident_read(sf_context *ctx)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)ctx->user;
    sf_resident *r = b->r;
    sf_resident_slot slot;
    sf_op sink;
    sf_tensor *made[SF_MAX_PORTS];
    int k, port = 0;
    uint64_t request;
    sf_result result;
    sink.id = (b->op->index + 1) | r->generation << 20;
    if (b->raised < 0 && sfi_resident_ended_well(b, sfi_resident_state_now(r))) {
        return sfi_resident_not_read(ctx, b, b->raised);
    }
    result = sf_resident_result(r, sink, 0, 0, &slot);
    if (result == SF_TIMEOUT) { return SF_OK; }
    if (result < 0) { return sfi_resident_not_read(ctx, b, result); }
    if (slot.status < 0) { b->raised = slot.status; }
    request = sfi_resident_request_of(r, slot.sequence);
    for (k = 0; k < (int)r->source_count && !r->image->any; k++) {   /* of a run that was stopped */
        const sfi_resident_bridge *f = sfi_resident_feeder(r, (uint32_t)k);
        if (!f || request > f->before) { continue; }
        SFI_RESIDENT_STEP("discard");
        result = sf_resident_release(r, &slot);
        return result == SF_ERROR_ILLEGAL_STATE ? SF_OK : result;    /* gone meanwhile: launched again */
    }
    for (k = 0; k < b->op->count[1]; k++) {
        const sfi_resident_port *out = b->op->ports[1][k];
        sf_tensor *t;
        if (!out->is.external) { continue; }
        t = made[port] = sf_tensor_create(ctx, port, NULL);
        if (t && t->data && t->bytes < out->bytes) {
            (void)sf_resident_release(r, &slot);
            return sf_fail(ctx, SF_ERROR_MISMATCH, "sf_resident_build() has made an output larger than it was when "
                                                   "the flow began: build first");
        }
        if (t && t->data) { memcpy(t->data, slot.data[k], out->bytes); }
        port++;
    }
    sfi_resident_label(ctx, r, request);
    result = sf_resident_release(r, &slot);
    if (result == SF_ERROR_ILLEGAL_STATE) { return SF_OK; }  /* gone while it was copied: launched again */
    for (k = 0; k < port && result >= 0; k++) { result = sf_emit(ctx, k, made[k]); }
    return result < 0 ? result : SF_OK;
}
/* The reader's initialize hook: sizes that hooks of the loop may have set since it was described. */
static sf_result sfi_resident_size_reader(sf_context *ctx)
{
    const sfi_resident_bridge *b = (const sfi_resident_bridge *)ctx->user;
    sf_result result = SF_OK;
    int k;
    for (k = 0; k < b->op->count[1] && result >= 0; k++) {
        const sfi_resident_port *out = b->op->ports[1][k];
        if (!out->is.external) { continue; }
        if (!out->bytes) {
            return sf_fail(ctx, SF_ERROR_ILLEGAL_STATE, "what it reads has no size before sf_resident_build(): call "
                                                        "that before the flow begins");
        }
        result = sf_set_port_bytes(ctx, out->name, out->bytes);
    }
    return result;
}
/* What a run has left of one source alone would pair with another's of the next: all begin behind the farthest. */
static void sfi_resident_begin_together(sfi_resident_bridge *b)
{
    sf_resident *r = b->r;
    uint64_t most = 0, next;
    uint32_t s;
    b->before = sfi_resident_load(&b->op->source.next);
    if (!sfi_resident_is_built(r) || r->image->any) { return; }
    for (s = 0; s < r->source_count; s++) {
        const sfi_resident_bridge *f = sfi_resident_feeder(r, s);
        next = f && f->flow == b->flow ? sfi_resident_load(&f->op->source.next) : 0;
        most = next > most ? next : most;
    }
    for (s = 0; s < r->source_count; s++) {
        sfi_resident_bridge *f = sfi_resident_feeder(r, s);
        if (f && f->flow == b->flow) { f->before = most; }
    }
}
/* One of the same loop, maybe itself: whether the others have ended they ask the flow. */
static const sfi_resident_bridge *sfi_resident_elsewhere(const sfi_resident_bridge *b, const sf_flow *flow)
{
    const sf_resident *r = b->r;
    uint32_t i;
    for (i = 0; i < r->op_count; i++) {
        const sfi_resident_bridge *in = r->ops[i]->feeder, *out = r->ops[i]->reader;
        if (in && in->flow && in->flow != flow) { return in; }
        if (out && out->flow && out->flow != flow) { return out; }
    }
    return NULL;
}
/* One writer per source, one reader per sink, both sides in one flow. */
static sf_result sfi_resident_join_flow(sf_context *ctx, sfi_resident_bridge *b)
{
    const sfi_resident_bridge *other;
    bool twice;
    char why[192];
    sfi_resident_text t;
    sfi_resident_lock(&b->r->wiring);
    other = sfi_resident_elsewhere(b, ctx->flow);
    twice = b->flow == ctx->flow && b->id.id != ctx->op.id;
    if (!other && !twice) {
        b->flow = ctx->flow;
        b->id = ctx->op;
    }
    sfi_resident_store32(&b->r->wiring, 0);
    if (!other && !twice) { return SF_OK; }
    t.at = why;
    t.room = sizeof why;
    sfi_resident_say(&t, "the loop's '");
    sfi_resident_say(&t, other ? other->name : b->name);
    sfi_resident_say(&t, other ? "' is in another flow that runs: the feeders and readers of a loop go into one"
                               : "' is in this flow already, as another operator: add it once");
    return sf_fail(ctx, other ? SF_ERROR_ILLEGAL_STATE : SF_ERROR_CONNECTED_TWICE, why);
}
static sf_result sfi_resident_bridge_start(sf_context *ctx)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)ctx->user;
    sf_result result = sfi_resident_join_flow(ctx, b);
    bool stopped;
    if (result < 0) { return result; }
    b->raised = SF_OK;
    sfi_resident_begin_together(b);
    sfi_resident_store32(&b->r->told, 0);
    do {                                     /* both of the same moment: another thread may launch it */
        b->over = sfi_resident_load(&b->r->launches);
        stopped = sfi_resident_state_now(b->r) == SF_RESIDENT_STOPPED;
    } while (sfi_resident_load(&b->r->launches) != b->over);
    b->over -= b->over && !stopped;
    return SF_OK;
}
static sf_result sfi_resident_bridge_stop(sf_context *ctx)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)ctx->user;
    sfi_resident_lock(&b->r->wiring);
    b->flow = NULL;
    sfi_resident_store32(&b->r->wiring, 0);
    return SF_OK;
}

static sf_result sfi_resident_no_bridge(sf_context *ctx)
{
    return sf_fail(ctx, SF_ERROR_INVALID_VALUE, (const char *)ctx->user);
}
/* What is wrong is said at once, and by the flow that gets it all the same. */
static void sfi_resident_refuse_bridge(sf_resident *r, const sfi_resident_op *op, int side, sf_op_desc *d)
{
    static const char *const why[2][2] = {
        { "sf_resident_feeder(): not an operator of this loop",
          "sf_resident_reader(): not an operator of this loop" },
        { "sf_resident_feeder(): the operator has no external input, or more than 8",
          "sf_resident_reader(): the operator has no external output, or more than 8" }
    };
    const char *text = why[op != NULL][side];
    d->user = (void *)(uintptr_t)text;
    if (op) { d->name = op->name; }
    if (sfi_resident_check(r) < 0) { return; }
    (void)sfi_resident_refuse(r, op ? SF_ERROR_INVALID_VALUE : SF_ERROR_UNKNOWN_OPERATOR, op ? op->name : "",
                              side ? "sf_resident_reader" : "sf_resident_feeder", strchr(text, ':') + 2, SFI_LAST);
}
static sfi_resident_bridge *sfi_resident_make_bridge(sf_resident *r, sfi_resident_op *op, int side)
{
    sfi_resident_bridge **place = side ? &op->reader : &op->feeder, *b;
    sfi_resident_text t;
    if (*place) { return *place; }
    b = (sfi_resident_bridge *)sfi_resident_new(r, sizeof *b);
    if (!b) { return NULL; }
    b->r = r;
    b->op = op;
    t.at = b->name;
    t.room = sizeof b->name;
    sfi_resident_say(&t, op->name);
    sfi_resident_say(&t, side ? " reader" : " feeder");
    if (!side) {
        b->parcels = (sfi_resident_parcel *)sfi_resident_new(r, sfi_resident_parcel_count(r) * sizeof *b->parcels);
        b->bells = (sfi_resident_late_bell *)sfi_resident_new(r, (r->desc.slots + 1) * sizeof *b->bells);
        if (!b->parcels || !b->bells) { return NULL; }
    }
    return *place = b;
}
static sf_op_desc sfi_resident_bridge_desc(sf_resident *r, sf_op id, int side)
{
    static char no_memory[] = "the heap gave nothing";
    sfi_resident_op *op = sfi_resident_check(r) < 0 ? NULL : sfi_resident_find(r, id);
    sfi_resident_bridge *b;
    sf_op_desc d;
    int k, count = 0;
    memset(&d, 0, sizeof d);
    d.compute = sfi_resident_no_bridge;
    for (k = 0; op && k < op->count[side]; k++) {
        const sfi_resident_port *p = op->ports[side][k];
        sf_port *to = &(side ? d.out : d.in)[count < SF_DESC_PORTS ? count : 0];
        if (!p->is.external || ++count > SF_DESC_PORTS) { continue; }
        to->name = p->name;
        to->bytes = side ? p->bytes : 0;     /* a message may be shorter than its slot */
        to->memory = (uint8_t)SF_MEMORY_PINNED;
    }
    if (!count || count > SF_DESC_PORTS) {
        sfi_resident_refuse_bridge(r, op, side, &d);
        return d;
    }
    b = sfi_resident_make_bridge(r, op, side);
    if (!b) {
        (void)sfi_resident_refuse(r, SF_ERROR_OUT_OF_MEMORY, op->name, side ? "sf_resident_reader"
                                  : "sf_resident_feeder", no_memory, SFI_LAST);
        d.user = no_memory;
        return d;
    }
    d.user = b;
    d.name = b->name;
    d.compute = side ? sfi_resident_read : sfi_resident_feed;
    d.when[0].kind = SF_CONDITION_USER;
    d.when[0].custom.check = side ? sfi_resident_can_read : sfi_resident_can_feed;
    d.when[0].custom.user = b;
    d.start = sfi_resident_bridge_start;
    d.stop = sfi_resident_bridge_stop;
    if (!side) { d.when[1].kind = SF_CONDITION_STREAM; }
    if (side) { d.initialize = sfi_resident_size_reader; }
    return d;
}
SF_API sf_op_desc sf_resident_feeder(sf_resident *resident, sf_op source)
{
    return sfi_resident_bridge_desc(resident, source, 0);
}
SF_API sf_op_desc sf_resident_reader(sf_resident *resident, sf_op sink)
{
    return sfi_resident_bridge_desc(resident, sink, 1);
}

/* >>looking ------------------------------------------------------------------------------------------- */

/* One moment: what was published is read until it did not change meanwhile. */
static void sfi_resident_count(sf_resident *r, sf_resident_info *info)
{
    const sfi_resident_board *board = &r->mail->board;
    uint64_t completed, done, submitted, dropped = sfi_resident_load32(&r->lost), high, n;
    sfi_resident_record rec;
    uint32_t s;
    do {
        completed = sfi_resident_completed(r);
        memset(&rec, 0, sizeof rec);
        if (completed) { sfi_resident_read_record(r, completed, &rec); }
        done = sfi_resident_load(&board->end_done);
        done = rec.sequence > done ? rec.sequence : done;
        submitted = 0;
        for (s = 0, n = 0; s < r->image->sources; s++) {
            uint64_t count = sfi_resident_load(&r->mail->submit[s].value) & SFI_RESIDENT_COUNT;
            if (r->image->any) { count += done - sfi_resident_load(&board->taken[s]); }
            n = !s || (r->image->any ? count > n : count < n) ? count : n;
        }
        submitted = n > done ? n : done;     /* the device's own requests count when they are taken */
        high = sfi_resident_load(&r->high);  /* any_source: what was taken may be read later than what is done */
        if (submitted < high) { submitted = high; }
    } while (sfi_resident_completed(r) != completed);
    while (submitted > high && !sfi_resident_swap(&r->high, high, submitted)) { high = sfi_resident_load(&r->high); }
    for (s = 0; s < r->source_count; s++) { dropped += sfi_resident_load(&r->sources[s]->source.dropped); }
    info->completed = completed;
    info->dropped = SFI_MUTANT(drops_counted) ? dropped : done - completed + dropped;
    info->submitted = submitted + dropped;
    info->queued = submitted - done;
    info->missed = rec.missed;
}
SF_API sf_result sf_resident_get_info(const sf_resident *resident, sf_resident_info *info)
{
    sf_result result = sfi_resident_check(resident);
    sfi_resident_text t;
    uint64_t stage, seen, beats;
    uint32_t raised, ahead;                  /* raised: by whom, its number + 1, or 0 */
    if (result < 0) { return result; }
    if (!info) {
        return sfi_resident_refuse_value(resident, resident->name, "sf_resident_get_info", "info is NULL");
    }
    memset(info, 0, sizeof *info);
    info->state = sf_resident_get_state(resident);
    info->loop = resident->desc.loop;
    if (!sfi_resident_is_built(resident)) { return SF_OK; }
    info->loop = resident->loop;
    info->nodes = resident->nodes + resident->nested;
    info->predicted = resident->predicted;
    info->device_bytes = resident->device_bytes;
    info->host_bytes = resident->pinned_bytes;
    raised = info->state == SF_RESIDENT_STOPPED && sfi_resident_outcome(resident) < 0
                 ? sfi_resident_load32(&resident->raised_by) : 0;
    stage = sfi_resident_load(&resident->mail->board.stage);
    seen = sfi_resident_load(&resident->beat);               /* operators side by side enter in any order */
    beats = seen / (resident->op_count + SFI_RESIDENT_STAGE_OP);     /* the loop counts in 32 bits */
    ahead = (uint32_t)(stage >> 16) - (uint32_t)beats;
    if (ahead < 0xffff0000u) { beats += ahead; }             /* else another call has looked later */
    info->heartbeat = beats * (resident->op_count + SFI_RESIDENT_STAGE_OP) + (stage & 0xffff);
    while (info->heartbeat > seen &&
           !sfi_resident_swap((uint64_t *)(uintptr_t)&resident->beat, seen, info->heartbeat)) {
        seen = sfi_resident_load(&resident->beat);
    }
    if (info->heartbeat < seen) { info->heartbeat = seen; }
    t.at = info->stage;
    t.room = sizeof info->stage;
    sfi_resident_say(&t, raised ? resident->ops[raised - 1]->name : sfi_resident_stage_name(resident, stage));
    sfi_resident_count((sf_resident *)(uintptr_t)resident, info);
    return SF_OK;
}

/* A copy of a histogram, while the loop goes on. */
static sf_result sfi_resident_peek(sf_resident *r, const sfi_resident_histogram *from, sfi_resident_histogram *to)
{
    uint64_t words[4 + SFI_RESIDENT_BUCKETS];
    const uint64_t *p = &from->count;
    sf_stream_desc d;
    sf_stream *s = NULL;
    sf_capture_mode mode = SF_CAPTURE_RELAXED;
    sf_result result;
    size_t i;
    if (r->on_host) {
        for (i = 0; i < sizeof words / sizeof *words; i++) { words[i] = sfi_resident_load(p + i); }
        memcpy((void *)to, words, sizeof *to);
        return SF_OK;
    }
    result = sf_thread_exchange_stream_capture_mode(&mode);
    if (result < 0) { return result; }
    memset(&d, 0, sizeof d);
    d.flags = SF_STREAM_NON_BLOCKING;
    result = sf_stream_create(r->device, &d, &s);
    if (result >= 0) { result = sf_memcpy_async(s, to, from, sizeof *to); }
    if (result >= 0) { result = sf_stream_synchronize(s, SF_MS(1000)); }
    if (s) { (void)sf_stream_destroy(s); }
    (void)sf_thread_exchange_stream_capture_mode(&mode);
    return result;
}
static int64_t sfi_resident_percentile(const sfi_resident_histogram *h, uint64_t per_mille)
{
    uint64_t total = 0, want, seen = 0, value;
    uint32_t i, exponent;
    for (i = 0; i < SFI_RESIDENT_BUCKETS; i++) { total += h->buckets[i]; }
    want = (total * per_mille + 999) / 1000;
    for (i = 0; i < SFI_RESIDENT_BUCKETS && total; i++) {
        seen += h->buckets[i];
        if (seen < want) { continue; }
        exponent = i < 32 ? 0 : i / 16 - 1;
        value = i < 32 ? i : ((uint64_t)(i % 16 + 16) << exponent) + ((uint64_t)1 << exponent) / 2;
        value = value < ~h->low ? ~h->low : value > h->max ? h->max : value;
        return (int64_t)value;
    }
    return 0;
}
static sf_result sfi_resident_get_latency(sf_resident *r, size_t index, sf_latency *latency)
{
    sfi_resident_histogram *h;
    sf_result result;
    memset(latency, 0, sizeof *latency);
    if (!sfi_resident_is_built(r)) { return SF_OK; }
    h = (sfi_resident_histogram *)r->heap.alloc(sizeof *h, r->heap.user);
    if (!h) { return SF_ERROR_OUT_OF_MEMORY; }
    result = sfi_resident_peek(r, &r->histograms[index], h);
    if (result >= 0 && h->count) {
        latency->count = h->count;
        latency->min = (int64_t)~h->low;
        latency->max = (int64_t)h->max;
        latency->mean = (int64_t)(h->sum / h->count);        /* of a moment later than the count */
        latency->mean = latency->mean < latency->min ? latency->min : latency->mean;
        latency->mean = latency->mean > latency->max ? latency->max : latency->mean;
        latency->p50 = sfi_resident_percentile(h, 500);
        latency->p90 = sfi_resident_percentile(h, 900);
        latency->p99 = sfi_resident_percentile(h, 990);
        latency->p999 = sfi_resident_percentile(h, 999);
    }
    r->heap.free(h, r->heap.user);
    return result;
}
SF_API sf_result sf_resident_get_latency(const sf_resident *resident, sf_resident_span span, sf_latency *latency)
{
    sf_result result = sfi_resident_check(resident);
    if (result < 0) { return result; }
    if (!latency || (uint32_t)span > SF_RESIDENT_SPAN_PERIOD) {
        return sfi_resident_refuse_value(resident, resident->name, "sf_resident_get_latency",
                                         "latency is NULL, or there is no such span");
    }
    return sfi_resident_get_latency((sf_resident *)(uintptr_t)resident, (size_t)span, latency);
}
SF_API sf_result sf_resident_get_op_latency(const sf_resident *resident, sf_op op, sf_latency *latency)
{
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    sf_result result = sfi_resident_check(resident);
    const sfi_resident_op *o;
    if (result < 0) { return result; }
    o = sfi_resident_find(resident, op);
    if (!o) {
        return sfi_resident_refuse(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, "sf_resident_get_op_latency",
                                 "no such operator", SFI_LAST);
    }
    if (!latency) {
        return sfi_resident_refuse_value(r, o->name, "sf_resident_get_op_latency", "latency is NULL");
    }
    if (!r->desc.measure_operators || r->desc.fused) {
        return sfi_resident_refuse(r, SF_ERROR_ILLEGAL_STATE, o->name, "sf_resident_get_op_latency",
                                 r->desc.fused
                                     ? "operators of a fused loop run in one kernel: each alone is not measured"
                                     : "operators are not measured: set sf_resident_desc.measure_operators",
                                 SFI_LAST);
    }
    return sfi_resident_get_latency(r, SFI_RESIDENT_SPANS + o->index, latency);
}

/* -- reports -- */

typedef struct sfi_resident_writer { sf_text_func func; void *user; } sfi_resident_writer;
static void sfi_resident_write(const sfi_resident_writer *w, const char *text)
{
    w->func(w->user, text, strlen(text));
}
static void sfi_resident_write_number(const sfi_resident_writer *w, uint64_t n, int width)
{
    char digits[24];
    const char *text = sfi_resident_decimal(digits, n);
    int pad = width - (int)strlen(text);
    while (pad-- > 0) { sfi_resident_write(w, " "); }
    sfi_resident_write(w, text);
}
static void sfi_resident_write_us(const sfi_resident_writer *w, int64_t ns, int width)       /* 12.345 */
{
    char text[32], digits[24];
    const char *whole = sfi_resident_decimal(digits, (uint64_t)(ns < 0 ? 0 : ns) / 1000);
    size_t n = strlen(whole);
    uint64_t rest = (uint64_t)(ns < 0 ? 0 : ns) % 1000;
    int pad;
    memcpy(text, whole, n);
    text[n] = '.';
    text[n + 1] = (char)('0' + rest / 100);
    text[n + 2] = (char)('0' + rest / 10 % 10);
    text[n + 3] = (char)('0' + rest % 10);
    text[n + 4] = 0;
    for (pad = width - (int)n - 4; pad > 0; pad--) { sfi_resident_write(w, " "); }
    sfi_resident_write(w, text);
}
static void sfi_resident_write_name(const sfi_resident_writer *w, const char *name, bool csv)        /* in quotes */
{
    sfi_resident_write(w, "\"");
    for (; *name; name++) {
        if (*name == '"' || (*name == '\\' && !csv)) { sfi_resident_write(w, csv ? "\"" : "\\"); }
        w->func(w->user, name, 1);
    }
    sfi_resident_write(w, "\"");
}
static void sfi_resident_write_row(const sfi_resident_writer *w, const char *name, const sf_latency *l, bool csv)
{
    const int64_t values[] = { l->min, l->mean, l->p50, l->p90, l->p99, l->p999, l->max, l->max - l->min };
    size_t i, pad = strlen(name);
    bool quoted = csv && strpbrk(name, ",\"\n\r");
    if (quoted) { sfi_resident_write_name(w, name, true); } else { sfi_resident_write(w, name); }
    for (; !csv && pad < 20; pad++) { sfi_resident_write(w, " "); }
    if (csv) { sfi_resident_write(w, ","); }
    sfi_resident_write_number(w, l->count, csv ? 0 : 10);
    for (i = 0; i < sizeof values / sizeof *values; i++) {
        if (csv) { sfi_resident_write(w, ","); }
        sfi_resident_write_us(w, values[i], csv ? 0 : 12);
    }
    sfi_resident_write(w, "\n");
}
static sf_result sfi_resident_write_table(sf_resident *r, const sfi_resident_writer *w, bool csv)
{
    static const char *const spans[] = { "total", "queue", "work", "publish", "period" };
    sf_resident_info info;
    sf_latency l;
    size_t i;
    sf_result result = sf_resident_get_info(r, &info);
    sfi_resident_write(w, csv ? "span,count,min_us,mean_us,p50_us,p90_us,p99_us,p999_us,max_us,jitter_us\n"
                              : "us                       count         min        mean         p50         p90"
                                "         p99       p99.9         max      jitter\n");
    for (i = 0; i < sfi_resident_histograms(r) && result >= 0; i++) {
        result = sfi_resident_get_latency(r, i, &l);
        sfi_resident_write_row(w, i < SFI_RESIDENT_SPANS ? spans[i] : r->ops[i - SFI_RESIDENT_SPANS]->name, &l, csv);
    }
    if (csv) { return result; }
    sfi_resident_write(w, "submitted ");
    sfi_resident_write_number(w, info.submitted, 0);
    sfi_resident_write(w, ", completed ");
    sfi_resident_write_number(w, info.completed, 0);
    sfi_resident_write(w, ", dropped ");
    sfi_resident_write_number(w, info.dropped, 0);
    sfi_resident_write(w, ", queued ");
    sfi_resident_write_number(w, info.queued, 0);
    sfi_resident_write(w, ", past the deadline ");
    sfi_resident_write_number(w, info.missed, 0);
    sfi_resident_write(w, "\n");
    return result;
}
static void sfi_resident_write_ports(const sf_resident *r, const sfi_resident_writer *w, const sfi_resident_op *op,
                                     int side)
{
    int k;
    for (k = 0; k < op->count[side]; k++) {
        const sfi_resident_port *p = op->ports[side][k];
        const sfi_resident_edge *e = p->edge != SFI_RESIDENT_NONE ? r->edges[p->edge] : NULL;
        sfi_resident_write(w, side ? "    out " : "    in  ");
        sfi_resident_write(w, p->name);
        sfi_resident_write(w, ": ");
        sfi_resident_write_number(w, p->bytes, 0);
        sfi_resident_write(w, p->data ? " bytes, memory of its own" : " bytes");
        if (p->is.external) { sfi_resident_write(w, side ? ", to the host" : ", from the host"); }
        if (e) {
            sfi_resident_write(w, ", from ");
            sfi_resident_write(w, e->from->name);
            sfi_resident_write(w, ".");
            sfi_resident_write(w, e->output->name);
        }
        if (e && e->delay) {
            sfi_resident_write(w, ", iterations before: ");
            sfi_resident_write_number(w, e->delay, 0);
        }
        sfi_resident_write(w, "\n");
    }
}
static void sfi_resident_write_plan(const sf_resident *r, const sfi_resident_writer *w)
{
    static const char *const loops[] = { "auto", "exact", "fast", "unrolled", "fused" };
    uint32_t i;
    sfi_resident_write(w, r->name);
    sfi_resident_write(w, ": loop ");
    sfi_resident_write(w, loops[sfi_resident_is_built(r) ? r->loop : r->desc.loop]);
    sfi_resident_write(w, ", slots ");
    sfi_resident_write_number(w, r->desc.slots, 0);
    sfi_resident_write(w, ", nodes in the body ");
    sfi_resident_write_number(w, r->nodes + r->nested, 0);
    if (r->passes > 1) {
        sfi_resident_write(w, " (in ");
        sfi_resident_write_number(w, r->passes, 0);
        sfi_resident_write(w, " copies)");
    }
    sfi_resident_write(w, ", device bytes ");
    sfi_resident_write_number(w, r->device_bytes, 0);
    sfi_resident_write(w, ", pinned bytes ");
    sfi_resident_write_number(w, r->pinned_bytes, 0);
    sfi_resident_write(w, "\npredicted for an iteration, without the kernels' own time: ");
    sfi_resident_write_us(w, r->predicted, 0);
    sfi_resident_write(w, " us\n");
    for (i = 0; i < r->op_count; i++) {
        const sfi_resident_op *op = r->ops[i];
        sfi_resident_write(w, "  ");
        sfi_resident_write(w, op->name);
        if (op->handler) { sfi_resident_write(w, " (data-ready handler)"); }
        if (op->branch != SFI_RESIDENT_NONE) {
            static const char *const kinds[] = { " (in an if, case ", " (in a switch, case ", " (every " };
            const sf_resident_branch_desc *b = &r->branches[op->branch]->is;
            bool every = b->kind == SF_RESIDENT_EVERY;
            sfi_resident_write(w, kinds[b->kind]);
            sfi_resident_write_number(w, every ? (uint64_t)b->every : (uint64_t)op->which, 0);
            if (every) { sfi_resident_write(w, ", phase "); }
            if (every) { sfi_resident_write_number(w, (uint64_t)(b->phase % b->every), 0); }
            sfi_resident_write(w, ")");
        }
        sfi_resident_write(w, "\n");
        sfi_resident_write_ports(r, w, op, 0);
        sfi_resident_write_ports(r, w, op, 1);
    }
}
static void sfi_resident_write_dot(const sf_resident *r, const sfi_resident_writer *w)
{
    uint32_t i;
    sfi_resident_write(w, "digraph ");
    sfi_resident_write_name(w, r->name, false);
    sfi_resident_write(w, " {\n");
    for (i = 0; i < r->op_count; i++) {
        sfi_resident_write(w, "  ");
        sfi_resident_write_name(w, r->ops[i]->name, false);
        sfi_resident_write(w, ";\n");
    }
    for (i = 0; i < r->edge_count; i++) {
        sfi_resident_write(w, "  ");
        sfi_resident_write_name(w, r->edges[i]->from->name, false);
        sfi_resident_write(w, " -> ");
        sfi_resident_write_name(w, r->edges[i]->to->name, false);
        sfi_resident_write(w, r->edges[i]->delay ? " [style=dashed];\n" : ";\n");
    }
    sfi_resident_write(w, "}\n");
}
SF_API sf_result sf_resident_report(const sf_resident *resident, sf_resident_report_kind kind, sf_text_func text,
                                    void *user)
{
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    sf_result result = sfi_resident_check(resident);
    sfi_resident_writer w;
    if (result < 0) { return result; }
    if (!text || (uint32_t)kind > SF_RESIDENT_REPORT_DOT) {
        return sfi_resident_refuse_value(r, r->name, "sf_resident_report",
                                         "text is NULL, or there is no such report");
    }
    w.func = text;
    w.user = user;
    switch (kind) {
    case SF_RESIDENT_REPORT_TABLE:
    case SF_RESIDENT_REPORT_CSV: return sfi_resident_write_table(r, &w, kind == SF_RESIDENT_REPORT_CSV);
    case SF_RESIDENT_REPORT_PLAN: sfi_resident_write_plan(r, &w); return SF_OK;
    default:
        if (sfi_resident_is_built(r) && r->graph) { return sf_graph_dot(r->graph, text, user); }
        sfi_resident_write_dot(r, &w);
        return SF_OK;
    }
}
SF_API const sf_failure *sf_resident_failure(const sf_resident *resident)
{
    static const sf_failure none = { SF_ERROR_INVALID_HANDLE, 1, "", "sf_resident_failure",
                                     "sf_resident_failure: the resident is NULL or destroyed" };
    return sfi_resident_check(resident) < 0 ? &none : &resident->failure;
}

/* >>ptx ----------------------------------------------------------------------------------------------- */

/* streamflow_kernels.cu, written by tests/gen_ptx.py --write. */
static const char *const sfi_resident_ptx[] = { /* nvcc 13.0 */
    ".version 7.8\n",
    ".target sm_75\n",
    ".address_size 64\n",
    ".extern .func cudaGraphSetConditional ( .param .b64 cudaGraphSetConditional_param_0,\n",
    ".param .b32 cudaGraphSetConditional_param_1 ) ; .shared .align 4 .u32 sfi_resident_block_wait_turn;\n",
    ".shared .align 8 .u64 sfi_resident_block_wait_taken; .func sfi_resident_begin(\n",
    ".param .b64 sfi_resident_begin_param_0 ) { .reg .pred %p<2>; .reg .b32 %r<7>; .reg .b64 %rd<24>;\n",
    "ld.param.u64 %rd2, [sfi_resident_begin_param_0]; cvta.to.global.u64 %rd4, %rd2; add.s64 %rd1, %rd4, 32;\n",
    "ld.global.u64 %rd5, [%rd4+32]; mov.u64 %rd6, 0; ld.u64 %rd7, [%rd5]; ld.u64 %rd8, [%rd5+8];\n",
    "ld.u64 %rd9, [%rd5+16]; ld.u64 %rd10, [%rd5+24]; ld.u64 %rd11, [%rd5+32]; ld.u64 %rd12, [%rd5+40];\n",
    "ld.u64 %rd13, [%rd5+48]; st.global.u64 [%rd4+168], %rd7; st.global.u64 [%rd4+176], %rd8;\n",
    "st.global.u64 [%rd4+184], %rd9; st.global.u64 [%rd4+192], %rd10; st.global.u64 [%rd4+200], %rd11;\n",
    "st.global.u64 [%rd4+208], %rd12; st.global.u64 [%rd4+216], %rd13; mov.u32 %r1, 0;\n",
    "st.global.u32 [%rd4+1380], %r1; st.global.u32 [%rd4+288], %r1; st.global.u64 [%rd4+1384], %rd6;\n",
    "ld.global.u32 %r2, [%rd4+296]; add.s32 %r3, %r2, 1; st.global.u32 [%rd4+296], %r3;\n",
    "mov.u64 %rd3, %globaltimer; st.global.u64 [%rd4+1408], %rd3; st.global.u64 [%rd4+280], %rd6;\n",
    "st.global.u64 [%rd4+1416], %rd6; ld.global.u32 %r4, [%rd4+128]; setp.eq.s32 %p1, %r4, 0;\n",
    "@%p1 bra $L__BB0_2; mov.u32 %r5, 1; st.relaxed.sys.u32 [%rd2], %r5; $L__BB0_2:\n",
    "ld.global.u64 %rd21, [%rd1]; add.s64 %rd15, %rd21, 8592; st.relaxed.sys.u64 [%rd15], %rd6;\n",
    "ld.global.u64 %rd22, [%rd1]; add.s64 %rd17, %rd22, 8576; ld.global.u64 %rd18, [%rd1+136];\n",
    "st.relaxed.sys.u64 [%rd17], %rd18; ld.global.u64 %rd23, [%rd1]; add.s64 %rd19, %rd23, 8448;\n",
    "ld.global.u32 %r6, [%rd1+264]; mul.wide.u32 %rd20, %r6, 65536; st.relaxed.sys.u64 [%rd19], %rd20; ret; }\n",
    ".func (.param .b64 func_retval0) sfi_resident_pending( .param .b64 sfi_resident_pending_param_0,\n",
    ".param .b32 sfi_resident_pending_param_1, .param .b64 sfi_resident_pending_param_2,\n",
    ".param .b32 sfi_resident_pending_param_3 ) { .reg .pred %p<4>; .reg .b16 %rs<2>; .reg .b32 %r<4>;\n",
    ".reg .b64 %rd<23>; ld.param.s8 %rs1, [sfi_resident_pending_param_3];\n",
    "ld.param.u64 %rd8, [sfi_resident_pending_param_0]; ld.param.u32 %r1, [sfi_resident_pending_param_1];\n",
    "ld.param.u64 %rd9, [sfi_resident_pending_param_2]; cvta.to.global.u64 %rd10, %rd8;\n",
    "add.s64 %rd1, %rd10, 32; ld.global.u64 %rd11, [%rd10+32]; mul.wide.u32 %rd12, %r1, 128;\n",
    "add.s64 %rd13, %rd11, %rd12; add.s64 %rd7, %rd13, 128; ld.acquire.sys.u64 %rd6, [%rd7];\n",
    "and.b64 %rd22, %rd6, 4611686018427387903; cvta.to.local.u64 %rd14, %rd9; ld.local.u64 %rd15, [%rd14];\n",
    "and.b64 %rd16, %rd15, %rd6; st.local.u64 [%rd14], %rd16; mul.wide.u32 %rd17, %r1, 8;\n",
    "add.s64 %rd18, %rd10, %rd17; add.s64 %rd3, %rd18, 864; setp.eq.s16 %p1, %rs1, 0; @%p1 bra $L__BB1_3;\n",
    "ld.global.u32 %r2, [%rd1+1352]; setp.ne.s32 %p2, %r2, 0; @%p2 bra $L__BB1_3; st.global.u64 [%rd3], %rd22;\n",
    "$L__BB1_3: ld.global.u32 %r3, [%rd1+1352]; setp.eq.s32 %p3, %r3, 0; @%p3 bra $L__BB1_5;\n",
    "ld.global.u64 %rd19, [%rd3]; min.u64 %rd22, %rd22, %rd19; $L__BB1_5: st.global.u64 [%rd3+-256], %rd22;\n",
    "ld.global.u64 %rd20, [%rd3+-512]; sub.s64 %rd21, %rd22, %rd20; st.param.b64 [func_retval0+0], %rd21; ret;\n",
    "} .func (.param .b32 func_retval0) sfi_resident_has_room( .param .b64 sfi_resident_has_room_param_0 ) {\n",
    ".reg .pred %p<5>; .reg .b16 %rs<6>; .reg .b32 %r<19>; .reg .b64 %rd<24>;\n",
    "ld.param.u64 %rd9, [sfi_resident_has_room_param_0]; cvta.to.global.u64 %rd1, %rd9;\n",
    "add.s64 %rd2, %rd1, 104; ld.global.u32 %r17, [%rd1+104]; setp.eq.s32 %p1, %r17, 0; mov.u16 %rs2, 1;\n",
    "mov.u16 %rs5, %rs2; @%p1 bra $L__BB2_6; ld.global.u64 %rd23, [%rd2+120]; ld.global.u32 %r18, [%rd2+4];\n",
    "mov.u32 %r16, 0; $L__BB2_2: .pragma \"nounroll\"; cvt.u64.u32 %rd5, %r16; mul.wide.u32 %rd10, %r16, 8;\n",
    "add.s64 %rd11, %rd1, %rd10; add.s64 %rd6, %rd11, 1120; ld.global.u64 %rd12, [%rd11+1120];\n",
    "sub.s64 %rd13, %rd23, %rd12; cvt.u64.u32 %rd14, %r18; setp.lt.u64 %p2, %rd13, %rd14; @%p2 bra $L__BB2_5;\n",
    "ld.global.u64 %rd17, [%rd2+-72]; shl.b64 %rd18, %rd5, 7; add.s64 %rd19, %rd17, %rd18;\n",
    "add.s64 %rd16, %rd19, 4224; ld.acquire.sys.u64 %rd15, [%rd16]; st.global.u64 [%rd6], %rd15;\n",
    "ld.global.u64 %rd23, [%rd2+120]; sub.s64 %rd20, %rd23, %rd15; ld.global.u32 %r18, [%rd2+4];\n",
    "cvt.u64.u32 %rd21, %r18; setp.ge.u64 %p3, %rd20, %rd21; mov.u16 %rs5, 0; @%p3 bra $L__BB2_6;\n",
    "ld.global.u32 %r17, [%rd2]; $L__BB2_5: cvt.u32.u64 %r12, %rd5; add.s32 %r16, %r12, 1;\n",
    "setp.lt.u32 %p4, %r16, %r17; mov.u16 %rs5, %rs2; @%p4 bra $L__BB2_2; $L__BB2_6: cvt.u32.u16 %r13, %rs5;\n",
    "st.param.b32 [func_retval0+0], %r13; ret; } .func (.param .b32 func_retval0) sfi_resident_has_arrived(\n",
    ".param .b64 sfi_resident_has_arrived_param_0 ) { .reg .pred %p<5>; .reg .b16 %rs<6>; .reg .b32 %r<14>;\n",
    ".reg .b64 %rd<18>; ld.param.u64 %rd9, [sfi_resident_has_arrived_param_0]; cvta.to.global.u64 %rd10, %rd9;\n",
    "add.s64 %rd1, %rd10, 48; ld.global.u64 %rd2, [%rd10+48]; ld.global.u32 %rd3, [%rd10+112];\n",
    "ld.global.u64 %rd4, [%rd10+352]; and.b64 %rd11, %rd4, -4294967296; setp.eq.s64 %p1, %rd11, 0;\n",
    "@%p1 bra $L__BB3_2; rem.u64 %rd17, %rd4, %rd3; bra.uni $L__BB3_3; $L__BB3_2: cvt.u32.u64 %r3, %rd3;\n",
    "cvt.u32.u64 %r4, %rd4; rem.u32 %r5, %r4, %r3; cvt.u64.u32 %rd17, %r5; $L__BB3_3:\n",
    "ld.global.u32 %r6, [%rd1+100]; setp.eq.s32 %p2, %r6, 0; mov.u16 %rs2, 1; mov.u16 %rs5, %rs2;\n",
    "@%p2 bra $L__BB3_7; add.s64 %rd8, %rd1, 96; mov.u32 %r13, 0; shl.b64 %rd14, %rd17, 7;\n",
    "add.s64 %rd15, %rd2, %rd14; $L__BB3_5: .pragma \"nounroll\"; mul.wide.u32 %rd16, %r13, 8;\n",
    "add.s64 %rd13, %rd15, %rd16; ld.acquire.sys.u64 %rd12, [%rd13]; cvt.u32.u64 %r8, %rd12;\n",
    "ld.global.u32 %r9, [%rd1+304]; add.s32 %r10, %r9, 1; setp.ne.s32 %p3, %r10, %r8; add.s32 %r13, %r13, 1;\n",
    "mov.u16 %rs5, 0; @%p3 bra $L__BB3_7; ld.global.u32 %r11, [%rd8+4]; setp.lt.u32 %p4, %r13, %r11;\n",
    "mov.u16 %rs5, %rs2; @%p4 bra $L__BB3_5; $L__BB3_7: cvt.u32.u16 %r12, %rs5;\n",
    "st.param.b32 [func_retval0+0], %r12; ret; } .func sfi_resident_unload(\n",
    ".param .b64 sfi_resident_unload_param_0, .param .b32 sfi_resident_unload_param_1,\n",
    ".param .b32 sfi_resident_unload_param_2 ) { .reg .pred %p<14>; .reg .b32 %r<30>; .reg .b64 %rd<52>;\n",
    "ld.param.u64 %rd17, [sfi_resident_unload_param_0]; ld.param.u32 %r26, [sfi_resident_unload_param_1];\n",
    "ld.param.u32 %r12, [sfi_resident_unload_param_2]; cvta.to.global.u64 %rd18, %rd17;\n",
    "add.s64 %rd1, %rd18, 48; ld.global.u64 %rd2, [%rd18+48]; ld.global.u64 %rd19, [%rd18+352];\n",
    "add.s64 %rd3, %rd19, -1; ld.global.u32 %rd4, [%rd18+112]; and.b64 %rd20, %rd3, -4294967296;\n",
    "setp.eq.s64 %p1, %rd20, 0; @%p1 bra $L__BB4_2; rem.u64 %rd50, %rd3, %rd4; bra.uni $L__BB4_3; $L__BB4_2:\n",
    "cvt.u32.u64 %r13, %rd4; cvt.u32.u64 %r14, %rd3; rem.u32 %r15, %r14, %r13; cvt.u64.u32 %rd50, %r15;\n",
    "$L__BB4_3: shl.b64 %rd25, %rd50, 7; add.s64 %rd22, %rd2, %rd25; ld.acquire.sys.u64 %rd21, [%rd22];\n",
    "add.s64 %rd24, %rd22, 8; ld.acquire.sys.u64 %rd23, [%rd24]; shr.u64 %rd26, %rd21, 32;\n",
    "and.b64 %rd27, %rd23, -4294967296; or.b64 %rd8, %rd27, %rd26; setp.eq.s64 %p2, %rd8, 0;\n",
    "@%p2 bra $L__BB4_6; mov.u64 %rd28, %globaltimer; setp.ge.s64 %p3, %rd8, %rd28; @%p3 bra $L__BB4_6;\n",
    "st.global.u64 [%rd1+208], %rd8; $L__BB4_6: add.s32 %r1, %r12, %r26; setp.le.u32 %p4, %r1, %r26;\n",
    "@%p4 bra $L__BB4_17; $L__BB4_7: .pragma \"nounroll\"; cvt.u64.u32 %rd9, %r26;\n",
    "ld.global.u64 %rd10, [%rd1+16]; mul.wide.u32 %rd29, %r26, 48; add.s64 %rd30, %rd10, %rd29;\n",
    "add.s64 %rd11, %rd30, 16; ld.u64 %rd31, [%rd30+16]; add.s64 %rd32, %rd31, 3; shr.u64 %rd33, %rd32, 2;\n",
    "cvt.u32.u64 %r16, %rd33; setp.eq.s32 %p5, %r16, 0; @%p5 bra $L__BB4_16; mul.lo.s64 %rd34, %rd9, 48;\n",
    "add.s64 %rd35, %rd10, %rd34; add.s64 %rd12, %rd35, 40; mov.u32 %r27, 0; $L__BB4_9: .pragma \"nounroll\";\n",
    "ld.u32 %r18, [%rd12]; add.s32 %r19, %r27, %r18; add.s32 %r20, %r19, 2; mul.wide.u32 %rd40, %r20, 8;\n",
    "add.s64 %rd37, %rd22, %rd40; ld.acquire.sys.u64 %rd36, [%rd37]; shr.u64 %rd41, %rd36, 32;\n",
    "cvt.u32.u64 %r4, %rd41; mul.wide.u32 %rd42, %r27, 4; ld.u64 %rd43, [%rd12+-32];\n",
    "add.s64 %rd51, %rd43, %rd42; ld.u64 %rd44, [%rd11]; sub.s64 %rd14, %rd44, %rd42;\n",
    "setp.lt.u64 %p6, %rd14, 4; @%p6 bra $L__BB4_11; and.b64 %rd45, %rd51, 3; setp.eq.s64 %p7, %rd45, 0;\n",
    "@%p7 bra $L__BB4_14; $L__BB4_11: setp.eq.s64 %p8, %rd14, 0; @%p8 bra $L__BB4_15; mov.u32 %r29, 0;\n",
    "mov.u32 %r28, 1; $L__BB4_13: .pragma \"nounroll\"; shr.u32 %r23, %r4, %r29; st.u8 [%rd51], %r23;\n",
    "cvt.u64.u32 %rd46, %r28; setp.gt.u64 %p9, %rd14, %rd46; setp.lt.u32 %p10, %r28, 4;\n",
    "and.pred %p11, %p10, %p9; add.s64 %rd51, %rd51, 1; add.s32 %r29, %r29, 8; add.s32 %r28, %r28, 1;\n",
    "@%p11 bra $L__BB4_13; bra.uni $L__BB4_15; $L__BB4_14: st.u32 [%rd51], %r4; $L__BB4_15:\n",
    "add.s32 %r27, %r27, 1; ld.u64 %rd47, [%rd11]; add.s64 %rd48, %rd47, 3; shr.u64 %rd49, %rd48, 2;\n",
    "cvt.u32.u64 %r24, %rd49; setp.lt.u32 %p12, %r27, %r24; @%p12 bra $L__BB4_9; $L__BB4_16:\n",
    "cvt.u32.u64 %r25, %rd9; add.s32 %r26, %r25, 1; setp.lt.u32 %p13, %r26, %r1; @%p13 bra $L__BB4_7;\n",
    "$L__BB4_17: ret; } .func (.param .b64 func_retval0) sfi_resident_device_pending(\n",
    ".param .b64 sfi_resident_device_pending_param_0 ) { .reg .pred %p<5>; .reg .b32 %r<14>;\n",
    ".reg .b64 %rd<14>; ld.param.u64 %rd6, [sfi_resident_device_pending_param_0];\n",
    "cvta.to.global.u64 %rd8, %rd6; add.s64 %rd1, %rd8, 1388; ld.global.u32 %r12, [%rd8+1388];\n",
    "mov.u64 %rd13, 0; setp.ne.s32 %p1, %r12, 0; @%p1 bra $L__BB5_2; ld.acquire.sys.u32 %r7, [%rd6];\n",
    "setp.eq.s32 %p2, %r7, 2; selp.u64 %rd13, 1, 0, %p2; ld.global.u32 %r12, [%rd1]; $L__BB5_2:\n",
    "setp.eq.s32 %p3, %r12, 0; @%p3 bra $L__BB5_4; ld.global.u32 %r13, [%rd1+8]; bra.uni $L__BB5_5; $L__BB5_4:\n",
    "add.s64 %rd10, %rd6, 4; ld.acquire.sys.u32 %r13, [%rd10]; $L__BB5_5: ld.global.u32 %r9, [%rd1+-1260];\n",
    "setp.ne.s32 %p4, %r9, 0; @%p4 bra $L__BB5_7; ld.global.u32 %r10, [%rd1+4]; sub.s32 %r11, %r13, %r10;\n",
    "cvt.u64.u32 %rd11, %r11; add.s64 %rd13, %rd13, %rd11; $L__BB5_7: st.param.b64 [func_retval0+0], %rd13;\n",
    "ret; } .func (.param .b32 func_retval0) sfi_resident_glance( .param .b64 sfi_resident_glance_param_0,\n",
    ".param .b64 sfi_resident_glance_param_1 ) { .local .align 8 .b8 __local_depot6[8]; .reg .b64 %SP;\n",
    ".reg .b64 %SPL; .reg .pred %p<29>; .reg .b16 %rs<4>; .reg .b32 %r<34>; .reg .b64 %rd<43>;\n",
    "mov.u64 %SPL, __local_depot6; cvta.local.u64 %SP, %SPL;\n",
    "ld.param.u64 %rd16, [sfi_resident_glance_param_0]; ld.param.u64 %rd17, [sfi_resident_glance_param_1];\n",
    "cvta.to.global.u64 %rd18, %rd16; add.u64 %rd19, %SP, 0; add.u64 %rd1, %SPL, 0;\n",
    "mov.u64 %rd20, -4611686018427387904; st.local.u64 [%rd1], %rd20; add.s64 %rd2, %rd18, 208;\n",
    "ld.global.u64 %rd3, [%rd18+208]; setp.lt.s64 %p4, %rd3, 1; mov.pred %p28, 0; @%p4 bra $L__BB6_2;\n",
    "ld.global.u64 %rd21, [%rd2+1200]; sub.s64 %rd22, %rd17, %rd21; setp.ge.s64 %p28, %rd22, %rd3; $L__BB6_2:\n",
    "add.s64 %rd23, %rd16, 8; ld.acquire.sys.u32 %r6, [%rd23]; setp.ne.s32 %p5, %r6, 0; mov.u32 %r33, 2;\n",
    "@%p5 bra $L__BB6_22; ld.global.u32 %r8, [%rd2+-112]; mov.u64 %rd42, 0; setp.eq.s32 %p6, %r8, 0;\n",
    "mov.u64 %rd41, 4611686018427387903; mov.u64 %rd38, -4611686018427387904; @%p6 bra $L__BB6_7;\n",
    "selp.u16 %rs1, 1, 0, %p28; mov.u64 %rd41, 4611686018427387903; mov.u64 %rd42, 0; mov.u32 %r32, 0;\n",
    "cvt.u32.u16 %r10, %rs1; $L__BB6_5: .pragma \"nounroll\"; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd16; .param .b32 param1; st.param.b32 [param1+0], %r32; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd19; .param .b32 param3; st.param.b32 [param3+0], %r10; .param .b64 retval0;\n",
    "call.uni (retval0), sfi_resident_pending, ( param0, param1, param2, param3 );\n",
    "ld.param.b64 %rd30, [retval0+0]; } ld.global.v2.u32 {%r11, %r12}, [%rd2+-112];\n",
    "setp.lt.u32 %p7, %r32, %r12; setp.lt.u64 %p8, %rd30, %rd41; setp.gt.u64 %p9, %rd30, %rd42;\n",
    "and.pred %p10, %p8, %p7; selp.b64 %rd41, %rd30, %rd41, %p10; and.pred %p11, %p9, %p7;\n",
    "selp.b64 %rd42, %rd30, %rd42, %p11; add.s32 %r32, %r32, 1; setp.lt.u32 %p12, %r32, %r11;\n",
    "@%p12 bra $L__BB6_5; ld.local.u64 %rd38, [%rd1]; $L__BB6_7: and.b64 %rd31, %rd38, 4611686018427387904;\n",
    "setp.ne.s64 %p13, %rd31, 0; @%p13 bra $L__BB6_22; setp.eq.s64 %p14, %rd38, 0; not.pred %p15, %p28;\n",
    "and.pred %p16, %p15, %p14; @%p16 bra $L__BB6_11; ld.global.u32 %r16, [%rd2+1180];\n",
    "setp.ne.s32 %p17, %r16, 0; @%p17 bra $L__BB6_11; mov.u32 %r18, 1; st.global.u32 [%rd2+1180], %r18;\n",
    "add.s64 %rd32, %rd16, 4; ld.acquire.sys.u32 %r17, [%rd32]; st.global.u32 [%rd2+1188], %r17; $L__BB6_11:\n",
    "selp.u32 %r19, 1, 0, %p28; ld.global.u32 %r20, [%rd2+1176]; or.b32 %r21, %r20, %r19;\n",
    "st.global.u32 [%rd2+1176], %r21; ld.global.u32 %r22, [%rd2+-76]; setp.eq.s32 %p18, %r22, 0;\n",
    "@%p18 bra $L__BB6_13; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd16;\n",
    ".param .b64 retval0; call.uni (retval0), sfi_resident_device_pending, ( param0 );\n",
    "ld.param.b64 %rd33, [retval0+0]; } add.s64 %rd41, %rd33, %rd42; mov.u64 %rd42, %rd41; $L__BB6_17:\n",
    "ld.global.u32 %r25, [%rd2+-84]; setp.eq.s32 %p22, %r25, 0; selp.b64 %rd35, %rd41, %rd42, %p22;\n",
    "setp.eq.s64 %p23, %rd35, 0; @%p23 bra $L__BB6_21; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd16; .param .b32 retval0; call.uni (retval0), sfi_resident_has_arrived, (\n",
    "param0 ); ld.param.b32 %r27, [retval0+0]; } cvt.u16.u32 %rs2, %r27; mov.u32 %r33, 0;\n",
    "setp.eq.s16 %p24, %rs2, 0; @%p24 bra $L__BB6_22; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd16; .param .b32 retval0; call.uni (retval0), sfi_resident_has_room, ( param0\n",
    "); ld.param.b32 %r29, [retval0+0]; } cvt.u16.u32 %rs3, %r29; mov.u32 %r33, 1; setp.ne.s16 %p25, %rs3, 0;\n",
    "@%p25 bra $L__BB6_22; ld.global.u32 %r30, [%rd2+1176]; setp.eq.s32 %p26, %r30, 0;\n",
    "selp.b32 %r33, 0, 2, %p26; bra.uni $L__BB6_22; $L__BB6_13: ld.global.u32 %r23, [%rd2+-80];\n",
    "setp.eq.s32 %p19, %r23, 0; @%p19 bra $L__BB6_17; ld.global.u32 %r24, [%rd2+-108];\n",
    "setp.eq.s32 %p20, %r24, 0; @%p20 bra $L__BB6_16; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd16; .param .b64 retval0; call.uni (retval0), sfi_resident_device_pending, (\n",
    "param0 ); ld.param.b64 %rd34, [retval0+0]; } setp.ne.s64 %p21, %rd34, 0; @%p21 bra $L__BB6_17;\n",
    "$L__BB6_16: { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd16;\n",
    ".param .b64 retval0; call.uni (retval0), sfi_resident_device_pending, ( param0 );\n",
    "ld.param.b64 %rd41, [retval0+0]; } mov.u64 %rd42, %rd41; bra.uni $L__BB6_17; $L__BB6_21:\n",
    "ld.global.u32 %r31, [%rd2+1180]; setp.eq.s32 %p27, %r31, 0; selp.b32 %r33, 0, 2, %p27; $L__BB6_22:\n",
    "st.param.b32 [func_retval0+0], %r33; ret; } .func (.param .b64 func_retval0) sfi_resident_take_all(\n",
    ".param .b64 sfi_resident_take_all_param_0 ) { .reg .pred %p<16>; .reg .b32 %r<17>; .reg .b64 %rd<46>;\n",
    "ld.param.u64 %rd23, [sfi_resident_take_all_param_0]; cvta.to.global.u64 %rd44, %rd23;\n",
    "add.s64 %rd2, %rd44, 100; ld.global.u32 %r1, [%rd44+100]; mov.u64 %rd42, 0; setp.eq.s32 %p1, %r1, 0;\n",
    "mov.u64 %rd43, 4611686018427387903; @%p1 bra $L__BB7_5; mov.u64 %rd25, 0;\n",
    "mov.u64 %rd43, 4611686018427387903; mov.u32 %r15, 0; mov.u64 %rd38, %rd44; mov.u64 %rd42, %rd25;\n",
    "$L__BB7_2: .pragma \"nounroll\"; ld.global.u64 %rd27, [%rd38+352]; ld.global.u64 %rd28, [%rd38+608];\n",
    "sub.s64 %rd6, %rd28, %rd27; min.u64 %rd43, %rd6, %rd43; setp.lt.u64 %p2, %rd6, 2; mov.u64 %rd41, %rd25;\n",
    "@%p2 bra $L__BB7_4; ld.global.u32 %r8, [%rd2+20]; setp.eq.s32 %p3, %r8, 0; add.s64 %rd29, %rd6, -1;\n",
    "selp.b64 %rd41, 0, %rd29, %p3; $L__BB7_4: max.u64 %rd42, %rd41, %rd42; add.s64 %rd38, %rd38, 8;\n",
    "add.s32 %r15, %r15, 1; setp.lt.u32 %p4, %r15, %r1; @%p4 bra $L__BB7_2; $L__BB7_5:\n",
    "ld.global.u32 %r4, [%rd2+24]; setp.eq.s32 %p5, %r4, 0; setp.ge.u64 %p6, %rd42, %rd43;\n",
    "and.pred %p7, %p6, %p5; setp.ne.s64 %p8, %rd43, 0; and.pred %p9, %p8, %p7; add.s64 %rd30, %rd43, -1;\n",
    "selp.b64 %rd14, %rd30, %rd42, %p9; @%p1 bra $L__BB7_13; mov.u32 %r16, 0; $L__BB7_7: .pragma \"nounroll\";\n",
    "ld.global.u64 %rd31, [%rd44+352]; ld.global.u64 %rd32, [%rd44+608]; sub.s64 %rd17, %rd32, %rd31;\n",
    "setp.eq.s64 %p11, %rd17, 0; @%p11 bra $L__BB7_12; ld.global.u32 %r10, [%rd2+192]; mov.u32 %r11, 1;\n",
    "shl.b32 %r12, %r11, %r16; or.b32 %r13, %r10, %r12; st.global.u32 [%rd2+192], %r13; mov.u64 %rd45, %rd14;\n",
    "@%p5 bra $L__BB7_11; setp.lt.u64 %p13, %rd17, 2; mov.u64 %rd45, 0; @%p13 bra $L__BB7_11;\n",
    "ld.global.u32 %r14, [%rd2+20]; setp.eq.s32 %p14, %r14, 0; add.s64 %rd34, %rd17, -1;\n",
    "selp.b64 %rd45, 0, %rd34, %p14; $L__BB7_11: ld.global.u64 %rd35, [%rd44+352];\n",
    "add.s64 %rd36, %rd45, %rd35; add.s64 %rd37, %rd36, 1; st.global.u64 [%rd44+352], %rd37; $L__BB7_12:\n",
    "add.s32 %r16, %r16, 1; add.s64 %rd44, %rd44, 8; setp.lt.u32 %p15, %r16, %r1; @%p15 bra $L__BB7_7;\n",
    "$L__BB7_13: st.param.b64 [func_retval0+0], %rd14; ret; } .func sfi_resident_take(\n",
    ".param .b64 sfi_resident_take_param_0, .param .b64 sfi_resident_take_param_1 ) { .reg .pred %p<5>;\n",
    ".reg .b32 %r<16>; .reg .b64 %rd<23>; ld.param.u64 %rd4, [sfi_resident_take_param_0];\n",
    "ld.param.u64 %rd5, [sfi_resident_take_param_1]; cvta.to.global.u64 %rd6, %rd4; add.s64 %rd1, %rd6, 292;\n",
    "mov.u32 %r5, 0; st.global.u32 [%rd6+292], %r5; ld.global.u32 %r6, [%rd6+132]; setp.eq.s32 %p1, %r6, 0;\n",
    "@%p1 bra $L__BB8_8; ld.global.u64 %rd7, [%rd1+60]; ld.global.u64 %rd8, [%rd1+316];\n",
    "setp.ne.s64 %p2, %rd8, %rd7; @%p2 bra $L__BB8_8; ld.global.u32 %r7, [%rd1+1096]; setp.eq.s32 %p3, %r7, 0;\n",
    "@%p3 bra $L__BB8_4; ld.global.u32 %r15, [%rd1+1104]; bra.uni $L__BB8_5; $L__BB8_8: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd4; .param .b64 retval0;\n",
    "call.uni (retval0), sfi_resident_take_all, ( param0 ); ld.param.b64 %rd13, [retval0+0]; }\n",
    "add.s64 %rd22, %rd13, 1; $L__BB8_9: ld.global.u64 %rd18, [%rd1+-60]; add.s64 %rd15, %rd22, %rd18;\n",
    "st.global.u64 [%rd1+-52], %rd15; st.global.u64 [%rd1+-28], %rd5; st.global.u64 [%rd1+-36], %rd5;\n",
    "mov.u32 %r11, 1; st.global.u32 [%rd1+-4], %r11; ld.global.u32 %r12, [%rd1+4]; add.s32 %r13, %r12, 1;\n",
    "st.global.u32 [%rd1+4], %r13; ld.global.u64 %rd19, [%rd1+-260]; add.s64 %rd14, %rd19, 8456;\n",
    "st.relaxed.sys.u64 [%rd14], %rd15; ld.global.u64 %rd20, [%rd1+-260]; add.s64 %rd16, %rd20, 8448;\n",
    "ld.global.u32 %r14, [%rd1+4]; mul.wide.u32 %rd21, %r14, 65536; or.b64 %rd17, %rd21, 1;\n",
    "st.relaxed.sys.u64 [%rd16], %rd17; ret; $L__BB8_4: add.s64 %rd9, %rd4, 4;\n",
    "ld.acquire.sys.u32 %r15, [%rd9]; $L__BB8_5: ld.global.u32 %r4, [%rd1+1100]; setp.eq.s32 %p4, %r15, %r4;\n",
    "@%p4 bra $L__BB8_7; bra.uni $L__BB8_6; $L__BB8_7: mov.u32 %r10, 1; st.relaxed.sys.u32 [%rd4], %r10;\n",
    "mov.u64 %rd22, 1; bra.uni $L__BB8_9; $L__BB8_6: add.s32 %r9, %r4, 1; st.global.u32 [%rd1+1100], %r9;\n",
    "mov.u64 %rd22, 1; bra.uni $L__BB8_9; } .func sfi_resident_end( .param .b64 sfi_resident_end_param_0 ) {\n",
    ".local .align 8 .b8 __local_depot9[8]; .reg .b64 %SP; .reg .b64 %SPL; .reg .pred %p<23>;\n",
    ".reg .b16 %rs<3>; .reg .b32 %r<23>; .reg .b64 %rd<57>; mov.u64 %SPL, __local_depot9;\n",
    "cvta.local.u64 %SP, %SPL; ld.param.u64 %rd23, [sfi_resident_end_param_0];\n",
    "cvta.to.global.u64 %rd55, %rd23; add.u64 %rd26, %SP, 0; add.u64 %rd2, %SPL, 0; add.s64 %rd3, %rd55, 32;\n",
    "ld.global.u64 %rd4, [%rd55+32]; mov.u64 %rd53, 0; mov.u64 %rd27, -4611686018427387904;\n",
    "st.local.u64 [%rd2], %rd27; mov.u32 %r21, 0; st.global.u32 [%rd55+1384], %r21;\n",
    "ld.global.u32 %r6, [%rd55+96]; setp.eq.s32 %p6, %r6, 0; mov.u64 %rd52, 4611686018427387903;\n",
    "mov.pred %p22, 0; mov.pred %p21, %p22; @%p6 bra $L__BB9_4; mov.u64 %rd52, 4611686018427387903;\n",
    "mov.u64 %rd53, 0; $L__BB9_2: .pragma \"nounroll\"; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd23; .param .b32 param1; st.param.b32 [param1+0], %r21; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd26; .param .b32 param3; st.param.b32 [param3+0], 0; .param .b64 retval0;\n",
    "call.uni (retval0), sfi_resident_pending, ( param0, param1, param2, param3 );\n",
    "ld.param.b64 %rd31, [retval0+0]; } ld.global.v2.u32 {%r8, %r9}, [%rd3+64]; setp.lt.u32 %p7, %r21, %r9;\n",
    "setp.lt.u64 %p8, %rd31, %rd52; setp.gt.u64 %p9, %rd31, %rd53; and.pred %p10, %p8, %p7;\n",
    "selp.b64 %rd52, %rd31, %rd52, %p10; and.pred %p11, %p9, %p7; selp.b64 %rd53, %rd31, %rd53, %p11;\n",
    "add.s32 %r21, %r21, 1; setp.lt.u32 %p12, %r21, %r8; @%p12 bra $L__BB9_2; ld.local.u8 %rs1, [%rd2+7];\n",
    "and.b16 %rs2, %rs1, 64; setp.eq.s16 %p21, %rs2, 0; $L__BB9_4: ld.global.u32 %r12, [%rd3+92];\n",
    "setp.eq.s32 %p14, %r12, 0; selp.b64 %rd11, %rd52, %rd53, %p14; @%p21 bra $L__BB9_6;\n",
    "ld.global.u32 %r13, [%rd3+68]; setp.ne.s32 %p22, %r13, 0; $L__BB9_6: setp.eq.s64 %p15, %rd11, 0;\n",
    "not.pred %p16, %p22; or.pred %p17, %p15, %p16; @%p17 bra $L__BB9_14; ld.global.u32 %r14, [%rd3+68];\n",
    "setp.eq.s32 %p18, %r14, 0; @%p18 bra $L__BB9_13; add.s64 %rd54, %rd4, 8704; add.s64 %rd13, %rd3, 88;\n",
    "mov.u32 %r22, 0; $L__BB9_9: .pragma \"nounroll\"; ld.global.u32 %r16, [%rd13+4]; setp.eq.s32 %p19, %r16, 0;\n",
    "@%p19 bra $L__BB9_11; ld.global.u64 %rd56, [%rd55+608]; bra.uni $L__BB9_12; $L__BB9_11:\n",
    "ld.global.u64 %rd32, [%rd55+352]; add.s64 %rd56, %rd32, %rd11; $L__BB9_12:\n",
    "st.global.u64 [%rd55+352], %rd56; st.relaxed.sys.u64 [%rd54], %rd56; add.s64 %rd55, %rd55, 8;\n",
    "add.s64 %rd54, %rd54, 8; ld.global.u32 %r17, [%rd3+68]; add.s32 %r22, %r22, 1;\n",
    "setp.lt.u32 %p20, %r22, %r17; @%p20 bra $L__BB9_9; $L__BB9_13: ld.global.u64 %rd39, [%rd3+200];\n",
    "add.s64 %rd40, %rd39, %rd11; st.global.u64 [%rd3+200], %rd40; fence.acq_rel.sys;\n",
    "ld.global.u64 %rd36, [%rd3+200]; add.s64 %rd35, %rd4, 8600; st.relaxed.sys.u64 [%rd35], %rd36;\n",
    "ld.global.u64 %rd38, [%rd3+200]; add.s64 %rd37, %rd4, 8328; st.relaxed.sys.u64 [%rd37], %rd38;\n",
    "$L__BB9_14: mov.u32 %r18, 0; st.global.u32 [%rd3+256], %r18; add.s64 %rd48, %rd23, 8;\n",
    "atom.exch.b32 %r19, [%rd48], 0; cvt.u64.u32 %rd42, %r19; add.s64 %rd41, %rd4, 8592;\n",
    "st.relaxed.sys.u64 [%rd41], %rd42; add.s64 %rd43, %rd23, 12; st.relaxed.sys.u32 [%rd43], %r18;\n",
    "ld.global.u64 %rd49, [%rd3]; add.s64 %rd44, %rd49, 8448; ld.global.u32 %r20, [%rd3+264];\n",
    "mul.wide.u32 %rd45, %r20, 65536; st.relaxed.sys.u64 [%rd44], %rd45; fence.acq_rel.sys;\n",
    "ld.global.u64 %rd47, [%rd3+136]; add.s64 %rd46, %rd4, 8584; st.relaxed.sys.u64 [%rd46], %rd47; ret; }\n",
    ".func sfi_resident_when( .param .b64 sfi_resident_when_param_0 ) { .reg .pred %p<10>; .reg .b32 %r<20>;\n",
    ".reg .b64 %rd<22>; ld.param.u64 %rd10, [sfi_resident_when_param_0]; cvta.to.global.u64 %rd1, %rd10;\n",
    "add.s64 %rd2, %rd1, 100; ld.global.u32 %r1, [%rd1+100]; setp.eq.s32 %p1, %r1, 0; mov.u32 %r19, 0;\n",
    "@%p1 bra $L__BB10_4; ld.global.u32 %r2, [%rd2+192]; mov.u32 %r19, 0; $L__BB10_2: .pragma \"nounroll\";\n",
    "mov.u32 %r9, 1; shl.b32 %r10, %r9, %r19; and.b32 %r11, %r2, %r10; setp.ne.s32 %p2, %r11, 0;\n",
    "@%p2 bra $L__BB10_4; add.s32 %r19, %r19, 1; setp.lt.u32 %p3, %r19, %r1; @%p3 bra $L__BB10_2; $L__BB10_4:\n",
    "ld.global.u32 %r12, [%rd2+32]; setp.ne.s32 %p4, %r12, 0; setp.eq.s32 %p5, %r19, %r1;\n",
    "or.pred %p6, %p4, %p5; @%p6 bra $L__BB10_11; ld.global.u64 %rd3, [%rd2+-44];\n",
    "ld.global.u32 %r13, [%rd2+8]; add.s32 %r14, %r13, 1; mul.lo.s32 %r6, %r14, %r19;\n",
    "mul.wide.u32 %rd11, %r19, 8; add.s64 %rd12, %rd1, %rd11; ld.global.u64 %rd13, [%rd12+352];\n",
    "add.s64 %rd4, %rd13, -1; ld.global.u32 %rd5, [%rd2+12]; and.b64 %rd14, %rd4, -4294967296;\n",
    "setp.eq.s64 %p7, %rd14, 0; @%p7 bra $L__BB10_7; rem.u64 %rd21, %rd4, %rd5; bra.uni $L__BB10_8;\n",
    "$L__BB10_7: cvt.u32.u64 %r15, %rd5; cvt.u32.u64 %r16, %rd4; rem.u32 %r17, %r16, %r15;\n",
    "cvt.u64.u32 %rd21, %r17; $L__BB10_8: cvt.u64.u32 %rd17, %r6; add.s64 %rd18, %rd21, %rd17;\n",
    "shl.b64 %rd19, %rd18, 3; add.s64 %rd16, %rd3, %rd19; ld.acquire.sys.u64 %rd15, [%rd16];\n",
    "setp.eq.s64 %p8, %rd15, 0; @%p8 bra $L__BB10_11; mov.u64 %rd20, %globaltimer;\n",
    "setp.ge.s64 %p9, %rd15, %rd20; @%p9 bra $L__BB10_11; st.global.u64 [%rd2+156], %rd15; $L__BB10_11: ret; }\n",
    ".func sfi_resident_move( .param .b64 sfi_resident_move_param_0, .param .b64 sfi_resident_move_param_1,\n",
    ".param .b64 sfi_resident_move_param_2, .param .b64 sfi_resident_move_param_3,\n",
    ".param .b64 sfi_resident_move_param_4 ) { .reg .pred %p<8>; .reg .b16 %rs<2>; .reg .b32 %r<37>;\n",
    ".reg .b64 %rd<63>; ld.param.u64 %rd18, [sfi_resident_move_param_0];\n",
    "ld.param.u64 %rd19, [sfi_resident_move_param_1]; ld.param.u64 %rd20, [sfi_resident_move_param_2];\n",
    "ld.param.u64 %rd21, [sfi_resident_move_param_3]; ld.param.u64 %rd22, [sfi_resident_move_param_4];\n",
    "or.b64 %rd23, %rd19, %rd18; and.b64 %rd24, %rd23, 15; setp.eq.s64 %p1, %rd24, 0; shr.u64 %rd25, %rd20, 4;\n",
    "selp.b64 %rd1, %rd25, 0, %p1; mul.lo.s64 %rd2, %rd22, 7; add.s64 %rd26, %rd2, %rd21;\n",
    "setp.ge.u64 %p2, %rd26, %rd1; mov.u64 %rd60, %rd21; @%p2 bra $L__BB11_3; shl.b64 %rd27, %rd21, 4;\n",
    "add.s64 %rd58, %rd19, %rd27; shl.b64 %rd4, %rd22, 4; add.s64 %rd59, %rd18, %rd27; mov.u64 %rd60, %rd21;\n",
    "$L__BB11_2: .pragma \"nounroll\"; add.s64 %rd29, %rd58, %rd4; add.s64 %rd36, %rd60, %rd22;\n",
    "add.s64 %rd37, %rd36, %rd22; add.s64 %rd30, %rd29, %rd4; add.s64 %rd38, %rd37, %rd22;\n",
    "add.s64 %rd31, %rd30, %rd4; add.s64 %rd39, %rd38, %rd22; add.s64 %rd32, %rd31, %rd4;\n",
    "add.s64 %rd40, %rd39, %rd22; add.s64 %rd33, %rd32, %rd4; add.s64 %rd41, %rd40, %rd22;\n",
    "add.s64 %rd34, %rd33, %rd4; add.s64 %rd42, %rd41, %rd22; add.s64 %rd35, %rd34, %rd4;\n",
    "add.s64 %rd9, %rd35, %rd4; ld.global.cv.v4.u32 {%r1,%r2,%r3,%r4}, [%rd58];\n",
    "ld.global.cv.v4.u32 {%r5,%r6,%r7,%r8}, [%rd29]; add.s64 %rd43, %rd59, %rd4;\n",
    "ld.global.cv.v4.u32 {%r9,%r10,%r11,%r12}, [%rd30]; ld.global.cv.v4.u32 {%r13,%r14,%r15,%r16}, [%rd31];\n",
    "ld.global.cv.v4.u32 {%r17,%r18,%r19,%r20}, [%rd32]; ld.global.cv.v4.u32 {%r21,%r22,%r23,%r24}, [%rd33];\n",
    "ld.global.cv.v4.u32 {%r25,%r26,%r27,%r28}, [%rd34]; ld.global.cv.v4.u32 {%r29,%r30,%r31,%r32}, [%rd35];\n",
    "st.v4.u32 [%rd59], {%r1, %r2, %r3, %r4}; st.v4.u32 [%rd43], {%r5, %r6, %r7, %r8};\n",
    "add.s64 %rd44, %rd43, %rd4; st.v4.u32 [%rd44], {%r9, %r10, %r11, %r12}; add.s64 %rd45, %rd44, %rd4;\n",
    "st.v4.u32 [%rd45], {%r13, %r14, %r15, %r16}; add.s64 %rd46, %rd45, %rd4;\n",
    "st.v4.u32 [%rd46], {%r17, %r18, %r19, %r20}; add.s64 %rd47, %rd46, %rd4;\n",
    "st.v4.u32 [%rd47], {%r21, %r22, %r23, %r24}; add.s64 %rd48, %rd47, %rd4;\n",
    "st.v4.u32 [%rd48], {%r25, %r26, %r27, %r28}; add.s64 %rd49, %rd48, %rd4; add.s64 %rd59, %rd49, %rd4;\n",
    "st.v4.u32 [%rd49], {%r29, %r30, %r31, %r32}; add.s64 %rd60, %rd42, %rd22; add.s64 %rd50, %rd60, %rd2;\n",
    "setp.lt.u64 %p3, %rd50, %rd1; mov.u64 %rd58, %rd9; @%p3 bra $L__BB11_2; $L__BB11_3:\n",
    "setp.ge.u64 %p4, %rd60, %rd1; @%p4 bra $L__BB11_5; $L__BB11_4: .pragma \"nounroll\";\n",
    "shl.b64 %rd52, %rd60, 4; add.s64 %rd51, %rd19, %rd52; add.s64 %rd53, %rd18, %rd52;\n",
    "ld.global.cv.v4.u32 {%r33,%r34,%r35,%r36}, [%rd51]; st.v4.u32 [%rd53], {%r33, %r34, %r35, %r36};\n",
    "add.s64 %rd60, %rd60, %rd22; setp.lt.u64 %p5, %rd60, %rd1; @%p5 bra $L__BB11_4; $L__BB11_5:\n",
    "shl.b64 %rd54, %rd1, 4; add.s64 %rd62, %rd54, %rd21; setp.ge.u64 %p6, %rd62, %rd20; @%p6 bra $L__BB11_7;\n",
    "$L__BB11_6: .pragma \"nounroll\"; add.s64 %rd55, %rd19, %rd62; ld.volatile.u8 %rs1, [%rd55];\n",
    "add.s64 %rd56, %rd18, %rd62; st.u8 [%rd56], %rs1; add.s64 %rd62, %rd62, %rd22;\n",
    "setp.lt.u64 %p7, %rd62, %rd20; @%p7 bra $L__BB11_6; $L__BB11_7: ret; } .func sfi_resident_copy_all(\n",
    ".param .b64 sfi_resident_copy_all_param_0, .param .b32 sfi_resident_copy_all_param_1,\n",
    ".param .b32 sfi_resident_copy_all_param_2, .param .b64 sfi_resident_copy_all_param_3,\n",
    ".param .b64 sfi_resident_copy_all_param_4 ) { .reg .pred %p<11>; .reg .b32 %r<28>; .reg .b64 %rd<51>;\n",
    "ld.param.u64 %rd27, [sfi_resident_copy_all_param_0]; ld.param.u32 %r27, [sfi_resident_copy_all_param_1];\n",
    "ld.param.u32 %r8, [sfi_resident_copy_all_param_2]; ld.param.u64 %rd25, [sfi_resident_copy_all_param_3];\n",
    "ld.param.u64 %rd26, [sfi_resident_copy_all_param_4]; cvta.to.global.u64 %rd1, %rd27;\n",
    "add.s32 %r1, %r8, %r27; setp.le.u32 %p1, %r1, %r27; @%p1 bra $L__BB12_21; mul.wide.u32 %rd28, %r27, 48;\n",
    "add.s64 %rd46, %rd28, 24; $L__BB12_2: .pragma \"nounroll\"; ld.global.u32 %r9, [%rd1+144];\n",
    "mov.u64 %rd48, 0; ld.global.u32 %r10, [%rd1+140]; add.s32 %r3, %r9, %r10; ld.global.u32 %r11, [%rd1+288];\n",
    "setp.eq.s32 %p2, %r11, 0; ld.global.u64 %rd5, [%rd1+64]; add.s64 %rd30, %rd5, %rd46;\n",
    "add.s64 %rd6, %rd30, -24; @%p2 bra $L__BB12_12; ld.u32 %r12, [%rd6+36]; setp.eq.s32 %p3, %r12, 0;\n",
    "@%p3 bra $L__BB12_5; ld.u64 %rd48, [%rd6+8]; bra.uni $L__BB12_12; $L__BB12_5: ld.u32 %r4, [%rd6+32];\n",
    "mov.u32 %r13, 1; shl.b32 %r14, %r13, %r4; ld.global.u32 %r15, [%rd1+292]; and.b32 %r16, %r14, %r15;\n",
    "setp.eq.s32 %p4, %r16, 0; @%p4 bra $L__BB12_10; mul.wide.u32 %rd31, %r4, 8; add.s64 %rd32, %rd1, %rd31;\n",
    "ld.global.u64 %rd33, [%rd32+352]; add.s64 %rd8, %rd33, -1; ld.global.u32 %rd9, [%rd1+112];\n",
    "and.b64 %rd34, %rd8, -4294967296; setp.eq.s64 %p5, %rd34, 0; @%p5 bra $L__BB12_8;\n",
    "rem.u64 %rd47, %rd8, %rd9; bra.uni $L__BB12_9; $L__BB12_10: div.u32 %r20, %r27, %r3;\n",
    "ld.global.u32 %r5, [%rd1+300]; setp.eq.s32 %p6, %r20, %r5; @%p6 bra $L__BB12_12; rem.u32 %r21, %r27, %r3;\n",
    "mad.lo.s32 %r22, %r5, %r3, %r21; mul.wide.u32 %rd39, %r22, 48; add.s64 %rd40, %rd5, %rd39;\n",
    "ld.u64 %rd48, [%rd40+8]; bra.uni $L__BB12_12; $L__BB12_8: cvt.u32.u64 %r17, %rd9; cvt.u32.u64 %r18, %rd8;\n",
    "rem.u32 %r19, %r18, %r17; cvt.u64.u32 %rd47, %r19; $L__BB12_9: ld.u64 %rd35, [%rd6+24];\n",
    "mul.lo.s64 %rd36, %rd35, %rd47; ld.u64 %rd37, [%rd6]; add.s64 %rd48, %rd37, %rd36; $L__BB12_12:\n",
    "setp.eq.s64 %p7, %rd48, 0; @%p7 bra $L__BB12_20; ld.u32 %r23, [%rd6+36]; setp.eq.s32 %p8, %r23, 0;\n",
    "@%p8 bra $L__BB12_18; ld.global.u32 %rd16, [%rd1+108]; ld.global.u64 %rd17, [%rd1+224];\n",
    "and.b64 %rd41, %rd17, -4294967296; setp.eq.s64 %p9, %rd41, 0; @%p9 bra $L__BB12_16;\n",
    "rem.u64 %rd49, %rd17, %rd16; bra.uni $L__BB12_17; $L__BB12_18: ld.u64 %rd50, [%rd6+8];\n",
    "bra.uni $L__BB12_19; $L__BB12_16: cvt.u32.u64 %r24, %rd16; cvt.u32.u64 %r25, %rd17;\n",
    "rem.u32 %r26, %r25, %r24; cvt.u64.u32 %rd49, %r26; $L__BB12_17: ld.u64 %rd42, [%rd6+24];\n",
    "mul.lo.s64 %rd43, %rd42, %rd49; ld.u64 %rd44, [%rd6]; add.s64 %rd50, %rd44, %rd43; $L__BB12_19:\n",
    "ld.u64 %rd45, [%rd6+16]; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd50;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd48; .param .b64 param2; st.param.b64 [param2+0], %rd45;\n",
    ".param .b64 param3; st.param.b64 [param3+0], %rd25; .param .b64 param4; st.param.b64 [param4+0], %rd26;\n",
    "call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); } $L__BB12_20:\n",
    "add.s32 %r27, %r27, 1; add.s64 %rd46, %rd46, 48; setp.lt.u32 %p10, %r27, %r1; @%p10 bra $L__BB12_2;\n",
    "$L__BB12_21: ret; } .visible .entry sf_resident_begin_kernel(\n",
    ".param .align 8 .b8 sf_resident_begin_kernel_param_0[80] ) { .reg .b64 %rd<2>;\n",
    "ld.param.u64 %rd1, [sf_resident_begin_kernel_param_0]; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd1; call.uni sfi_resident_begin, ( param0 ); } ret; }\n",
    ".visible .entry sf_resident_wait_kernel( .param .align 8 .b8 sf_resident_wait_kernel_param_0[80] ) {\n",
    ".reg .pred %p<192>; .reg .b16 %rs<13>; .reg .b32 %r<323>; .reg .b64 %rd<371>;\n",
    "ld.param.v2.u32 {%r123, %r124}, [sf_resident_wait_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r125, %r126}, [sf_resident_wait_kernel_param_0+48];\n",
    "ld.param.u64 %rd146, [sf_resident_wait_kernel_param_0+8];\n",
    "ld.param.u64 %rd145, [sf_resident_wait_kernel_param_0]; cvta.to.global.u64 %rd2, %rd145;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd2, 48; ld.global.u64 %rd4, [%rd2+48]; ld.global.u64 %rd5, [%rd2+64];\n",
    "ld.global.u64 %rd6, [%rd2+56]; ld.global.u32 %r3, [%rd2+16]; ld.global.u32 %r4, [%rd2+132];\n",
    "ld.global.u32 %r5, [%rd2+136]; ld.global.v2.u32 {%r133, %r134}, [%rd2+104];\n",
    "ld.global.u32 %rd7, [%rd2+112]; ld.global.u32 %r8, [%rd2+148]; ld.global.u64 %rd8, [%rd2+176];\n",
    "ld.global.u64 %rd9, [%rd2+184]; ld.global.u64 %rd10, [%rd2+192]; ld.global.u64 %rd11, [%rd2+200];\n",
    "ld.global.u64 %rd12, [%rd2+208]; setp.eq.s32 %p10, %r125, 0; mov.u32 %r281, 0; mov.u64 %rd331, 0;\n",
    "mov.u64 %rd332, %rd331; mov.u64 %rd333, %rd331; mov.u64 %rd334, %rd331; @%p10 bra $L__BB14_2;\n",
    "mul.wide.u32 %rd154, %r124, 48; add.s64 %rd155, %rd5, %rd154; ld.v2.u32 {%r281, %r138}, [%rd155+40];\n",
    "ld.u64 %rd334, [%rd155+24]; ld.u64 %rd333, [%rd155+16]; ld.u64 %rd332, [%rd155+8];\n",
    "ld.u64 %rd331, [%rd155]; $L__BB14_2:\n",
    "griddepcontrol.wait;\n",
    "setp.eq.s32 %p11, %r5, 0; @%p11 bra $L__BB14_6; add.s32 %r139, %r134, -1; cvt.u64.u32 %rd156, %r139;\n",
    "ld.global.u64 %rd157, [%rd3+184]; and.b64 %rd21, %rd157, %rd156; cvt.u64.u32 %rd22, %r123; bar.sync 0;\n",
    "setp.eq.s64 %p12, %rd21, %rd22; mov.u32 %r140, %tid.x; setp.ne.s32 %p13, %r140, 0;\n",
    "or.pred %p14, %p13, %p12; @%p14 bra $L__BB14_5; mov.u32 %r141, 0; st.global.u32 [%rd3+240], %r141;\n",
    "$L__BB14_5: @%p12 bra $L__BB14_6; bra.uni $L__BB14_171; $L__BB14_6: mov.u32 %r18, %tid.x;\n",
    "setp.lt.u32 %p16, %r18, 32; setp.ne.s32 %p17, %r8, 0; and.pred %p18, %p16, %p17; mov.u32 %r19, %ntid.x;\n",
    "setp.gt.u32 %p19, %r19, 31; and.pred %p20, %p19, %p18; @%p20 bra $L__BB14_90; bra.uni $L__BB14_7;\n",
    "$L__BB14_90: ld.global.u64 %rd81, [%rd3+304]; ld.global.u32 %r68, [%rd3+248];\n",
    "ld.global.u64 %rd82, [%rd3+184]; bar.warp.sync -1; setp.lt.u32 %p103, %r18, %r8; @%p103 bra $L__BB14_92;\n",
    "bra.uni $L__BB14_91; $L__BB14_92: and.b64 %rd235, %rd81, -4294967296; setp.eq.s64 %p104, %rd235, 0;\n",
    "@%p104 bra $L__BB14_94; rem.u64 %rd352, %rd81, %rd7; bra.uni $L__BB14_95; $L__BB14_7:\n",
    "setp.ne.s32 %p21, %r18, 0; @%p21 bra $L__BB14_139; setp.ne.s32 %p22, %r3, 0; setp.eq.s32 %p23, %r8, 0;\n",
    "and.pred %p24, %p22, %p23; @%p24 bra $L__BB14_18; bra.uni $L__BB14_9; $L__BB14_18:\n",
    "ld.global.u32 %r24, [%rd3+248]; mov.u64 %rd348, 0; ld.global.u64 %rd31, [%rd3+184];\n",
    "ld.global.u64 %rd32, [%rd3+176]; ld.global.u64 %rd33, [%rd3+304]; ld.global.u32 %r25, [%rd3+1344];\n",
    "ld.global.v2.u32 {%r148, %r149}, [%rd3+1336]; or.b32 %r26, %r148, %r149;\n",
    "ld.global.u64 %rd34, [%rd3+1360]; mov.u64 %rd167, %globaltimer; ld.global.u32 %r27, [%rd3+1352];\n",
    "ld.global.u64 %rd169, [%rd3+1368]; sub.s64 %rd36, %rd167, %rd169; setp.gt.s64 %p33, %rd36, 49999;\n",
    "@%p33 bra $L__BB14_20; ld.global.u64 %rd348, [%rd3+560]; $L__BB14_20: add.s64 %rd170, %rd145, 8;\n",
    "ld.relaxed.sys.u32 %r44, [%rd170]; ld.global.u64 %rd347, [%rd3+1368]; setp.eq.s32 %p34, %r133, 0;\n",
    "@%p34 bra $L__BB14_33; cvt.u64.u32 %rd41, %r134; mov.u32 %r284, 0; $L__BB14_22:\n",
    "mul.wide.u32 %rd171, %r284, 8; add.s64 %rd172, %rd2, %rd171; ld.global.u64 %rd173, [%rd172+1120];\n",
    "sub.s64 %rd174, %rd32, %rd173; setp.lt.u64 %p35, %rd174, %rd41; add.s32 %r284, %r284, 1;\n",
    "@%p35 bra $L__BB14_32; bra.uni $L__BB14_23; $L__BB14_32: setp.lt.u32 %p44, %r284, %r133;\n",
    "@%p44 bra $L__BB14_22; $L__BB14_33: sub.s64 %rd326, %rd167, %rd169; setp.lt.s64 %p45, %rd326, 50000;\n",
    "setp.eq.s32 %p46, %r27, 0; or.pred %p47, %p46, %p45; @%p47 bra $L__BB14_44;\n",
    "ld.param.u64 %rd328, [sf_resident_wait_kernel_param_0+8]; add.s64 %rd185, %rd328, 128;\n",
    "ld.relaxed.sys.u64 %rd184, [%rd185]; and.b64 %rd186, %rd184, -4611686018427387904;\n",
    "setp.eq.s64 %p48, %rd186, 0; mov.u64 %rd347, %rd167; @%p48 bra $L__BB14_44; mov.u64 %rd187, %globaltimer;\n",
    "add.s64 %rd48, %rd145, 12; mov.u32 %r287, 125; mov.u64 %rd338, %rd187; bra.uni $L__BB14_36; $L__BB14_43:\n",
    "mov.u64 %rd338, %globaltimer; $L__BB14_36: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd338;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r305, [retval0+0]; } setp.ne.s32 %p49, %r305, 2; @%p49 bra $L__BB14_38; mov.u32 %r161, 1;\n",
    "st.relaxed.sys.u32 [%rd48], %r161; $L__BB14_38: setp.eq.s32 %p50, %r305, 0; @%p50 bra $L__BB14_41;\n",
    "bra.uni $L__BB14_39; $L__BB14_41: sub.s64 %rd189, %rd338, %rd187; ld.global.u64 %rd190, [%rd3+152];\n",
    "setp.gt.s64 %p52, %rd190, %rd189; selp.b64 %rd191, 184, 192, %p52; add.s64 %rd192, %rd2, %rd191;\n",
    "ld.global.u64 %rd193, [%rd3+128]; setp.gt.s64 %p53, %rd193, %rd189; ld.global.u64 %rd50, [%rd192];\n",
    "setp.lt.s64 %p54, %rd50, 1; or.pred %p55, %p54, %p53; @%p55 bra $L__BB14_43; shl.b32 %r164, %r287, 1;\n",
    "cvt.u64.u32 %rd194, %r164; setp.gt.s64 %p56, %rd50, %rd194; cvt.u32.u64 %r165, %rd50;\n",
    "selp.b32 %r287, %r164, %r165, %p56; nanosleep.u32 %r287; bra.uni $L__BB14_43; $L__BB14_91:\n",
    "add.s64 %rd353, %rd146, 128; bra.uni $L__BB14_96; $L__BB14_94: cvt.u32.u64 %r197, %rd7;\n",
    "cvt.u32.u64 %r198, %rd81; rem.u32 %r199, %r198, %r197; cvt.u64.u32 %rd352, %r199; $L__BB14_95:\n",
    "shl.b64 %rd236, %rd352, 7; add.s64 %rd237, %rd4, %rd236; mul.wide.u32 %rd238, %r18, 8;\n",
    "add.s64 %rd353, %rd237, %rd238; $L__BB14_96: add.s64 %rd89, %rd145, 8; ld.global.u64 %rd90, [%rd3+1360];\n",
    "mov.u64 %rd239, %globaltimer; ld.global.u32 %r200, [%rd3+1340]; setp.ne.s32 %p105, %r200, 0;\n",
    "mov.u16 %rs4, 1; mov.u16 %rs11, %rs4; @%p105 bra $L__BB14_103; ld.global.u32 %r201, [%rd3+1336];\n",
    "setp.ne.s32 %p106, %r201, 0; @%p106 bra $L__BB14_103; ld.relaxed.sys.u32 %r202, [%rd89];\n",
    "setp.ne.s32 %p107, %r202, 0; mov.u16 %rs11, %rs4; @%p107 bra $L__BB14_103; bra.uni $L__BB14_99;\n",
    "$L__BB14_103: setp.eq.s32 %p111, %r18, 31; or.pred %p1, %p111, %p103; add.s64 %rd245, %rd81, 1;\n",
    "cvt.u32.u64 %r71, %rd245; setp.ge.u32 %p2, %r18, %r8; mov.u32 %r308, 0; mov.u32 %r310, 125;\n",
    "not.pred %p116, %p1; mov.u64 %rd354, %rd239; bra.uni $L__BB14_104; $L__BB14_114:\n",
    "selp.u16 %rs11, 1, 0, %p191; $L__BB14_104: and.b16 %rs10, %rs11, 255; setp.ne.s16 %p190, %rs10, 0;\n",
    "setp.lt.s64 %p113, %rd12, 1; or.pred %p114, %p190, %p113; @%p114 bra $L__BB14_106;\n",
    "sub.s64 %rd246, %rd354, %rd90; setp.ge.s64 %p190, %rd246, %rd12; $L__BB14_106: mov.u32 %r206, -1;\n",
    "vote.sync.any.pred %p115, %p190, %r206; @%p115 bra $L__BB14_130; mov.u64 %rd355, 0;\n",
    "@%p116 bra $L__BB14_109; ld.relaxed.sys.u64 %rd355, [%rd353]; $L__BB14_109: cvt.u32.u64 %r208, %rd355;\n",
    "setp.eq.s32 %p117, %r208, %r71; or.pred %p118, %p117, %p2; mov.u32 %r209, -1;\n",
    "vote.sync.all.pred %p119, %p118, %r209; @%p119 bra $L__BB14_115;\n",
    "and.b64 %rd251, %rd355, -4611686018427387904; setp.ne.s64 %p121, %rd251, 0; and.pred %p191, %p2, %p121;\n",
    "mov.u64 %rd354, %globaltimer; sub.s64 %rd98, %rd354, %rd239; add.s32 %r211, %r308, 1;\n",
    "and.b32 %r212, %r211, 15; setp.ne.s32 %p122, %r212, 0; setp.lt.s64 %p123, %rd98, %rd8;\n",
    "selp.b32 %r308, %r211, %r308, %p123; and.pred %p124, %p122, %p123; @%p124 bra $L__BB14_114;\n",
    "setp.gt.s64 %p126, %rd11, %rd98; selp.b64 %rd99, %rd9, %rd10, %p126; setp.lt.s64 %p127, %rd99, 1;\n",
    "or.pred %p128, %p123, %p127; @%p128 bra $L__BB14_113; shl.b32 %r214, %r310, 1; cvt.u64.u32 %rd252, %r214;\n",
    "setp.gt.s64 %p129, %rd99, %rd252; cvt.u32.u64 %r215, %rd99; selp.b32 %r310, %r214, %r215, %p129;\n",
    "nanosleep.u32 %r310; $L__BB14_113: ld.acquire.sys.u32 %r216, [%rd89]; setp.ne.s32 %p130, %r216, 0;\n",
    "or.pred %p191, %p191, %p130; mov.u64 %rd354, %globaltimer; bra.uni $L__BB14_114; $L__BB14_130:\n",
    "mov.u32 %r280, %tid.x; setp.ne.s32 %p151, %r280, 0; mov.u32 %r241, 1; mov.u32 %r315, %r241;\n",
    "@%p151 bra $L__BB14_137; mov.u64 %rd273, %globaltimer; add.s64 %rd113, %rd145, 12; mov.u32 %r314, 125;\n",
    "mov.u64 %rd360, %rd273; bra.uni $L__BB14_132; $L__BB14_174: mov.u64 %rd360, %globaltimer; $L__BB14_132: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd360; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r315, [retval0+0]; } setp.ne.s32 %p152, %r315, 2; @%p152 bra $L__BB14_134;\n",
    "mov.u32 %r243, 1; st.relaxed.sys.u32 [%rd113], %r243; $L__BB14_134: setp.eq.s32 %p153, %r315, 0;\n",
    "@%p153 bra $L__BB14_172; bra.uni $L__BB14_135; $L__BB14_172: sub.s64 %rd317, %rd360, %rd273;\n",
    "ld.global.u64 %rd318, [%rd3+152]; setp.gt.s64 %p182, %rd318, %rd317; selp.b64 %rd319, 184, 192, %p182;\n",
    "add.s64 %rd320, %rd2, %rd319; ld.global.u64 %rd321, [%rd3+128]; setp.gt.s64 %p183, %rd321, %rd317;\n",
    "ld.global.u64 %rd143, [%rd320]; setp.lt.s64 %p184, %rd143, 1; or.pred %p185, %p184, %p183;\n",
    "@%p185 bra $L__BB14_174; shl.b32 %r265, %r314, 1; cvt.u64.u32 %rd322, %r265;\n",
    "setp.gt.s64 %p186, %rd143, %rd322; cvt.u32.u64 %r266, %rd143; selp.b32 %r314, %r265, %r266, %p186;\n",
    "nanosleep.u32 %r314; bra.uni $L__BB14_174; $L__BB14_115: mov.u32 %r277, %tid.x; mov.u32 %r311, 0;\n",
    "mov.b64 {%r217,%r218}, %rd355; mov.u32 %r226, 31;\n",
    "shfl.sync.idx.b32 %r220|%p132, %r218, %r311, %r226, %r209;\n",
    "shfl.sync.idx.b32 %r219|%p133, %r217, %r311, %r226, %r209; mov.b64 %rd256, {%r219,%r220};\n",
    "mov.b64 {%r221,%r222}, %rd355; mov.u32 %r315, 1;\n",
    "shfl.sync.idx.b32 %r224|%p134, %r222, %r315, %r226, %r209;\n",
    "shfl.sync.idx.b32 %r223|%p135, %r221, %r315, %r226, %r209; mov.b64 %rd258, {%r223,%r224};\n",
    "shr.u64 %rd260, %rd256, 32; and.b64 %rd261, %rd258, -4294967296; or.b64 %rd102, %rd261, %rd260;\n",
    "mov.u64 %rd259, %globaltimer; add.s32 %r229, %r8, -2; add.s32 %r79, %r277, -2;\n",
    "setp.ge.u32 %p136, %r79, %r229; or.pred %p137, %p136, %p10; @%p137 bra $L__BB14_127;\n",
    "shr.u64 %rd262, %rd355, 32; cvt.u32.u64 %r80, %rd262; $L__BB14_117: setp.eq.s32 %p138, %r311, 0;\n",
    "mov.u64 %rd357, %rd332; mov.u64 %rd358, %rd333; mov.u32 %r312, %r281; @%p138 bra $L__BB14_119;\n",
    "add.s32 %r231, %r311, %r124; mul.wide.u32 %rd263, %r231, 48; add.s64 %rd264, %rd5, %rd263;\n",
    "ld.u64 %rd357, [%rd264+8]; ld.u64 %rd358, [%rd264+16]; ld.u32 %r312, [%rd264+40]; $L__BB14_119:\n",
    "add.s64 %rd265, %rd358, 3; shr.u64 %rd266, %rd265, 2; cvt.u32.u64 %r232, %rd266;\n",
    "sub.s32 %r84, %r79, %r312; setp.ge.u32 %p139, %r84, %r232; @%p139 bra $L__BB14_126;\n",
    "mul.wide.u32 %rd267, %r84, 4; add.s64 %rd108, %rd357, %rd267; sub.s64 %rd109, %rd358, %rd267;\n",
    "setp.lt.u64 %p140, %rd109, 4; @%p140 bra $L__BB14_122; and.b64 %rd268, %rd108, 3;\n",
    "setp.eq.s64 %p141, %rd268, 0; @%p141 bra $L__BB14_125; $L__BB14_122: setp.eq.s64 %p142, %rd109, 0;\n",
    "@%p142 bra $L__BB14_126; mov.u32 %r313, 0; mov.u64 %rd359, 0; $L__BB14_124: .pragma \"nounroll\";\n",
    "shl.b32 %r234, %r313, 3; shr.u32 %r235, %r80, %r234; add.s64 %rd270, %rd108, %rd359;\n",
    "st.u8 [%rd270], %r235; add.s32 %r313, %r313, 1; setp.lt.u32 %p143, %r313, 4; cvt.u64.u32 %rd359, %r313;\n",
    "setp.gt.u64 %p144, %rd109, %rd359; and.pred %p145, %p143, %p144; @%p145 bra $L__BB14_124;\n",
    "bra.uni $L__BB14_126; $L__BB14_125: st.u32 [%rd108], %r80; $L__BB14_126: add.s32 %r311, %r311, 1;\n",
    "setp.lt.u32 %p146, %r311, %r125; @%p146 bra $L__BB14_117; $L__BB14_127: mov.u32 %r278, %tid.x;\n",
    "setp.ne.s32 %p147, %r278, 0; @%p147 bra $L__BB14_137; add.s64 %rd330, %rd81, 1;\n",
    "st.global.u64 [%rd3+304], %rd330; st.global.u64 [%rd3+560], %rd330; mov.u32 %r238, 0;\n",
    "st.global.u32 [%rd3+1352], %r238; st.global.u64 [%rd3+1368], %rd259; add.s64 %rd272, %rd82, 1;\n",
    "st.global.u64 [%rd3+192], %rd272; st.global.u64 [%rd3+216], %rd259; st.global.u64 [%rd3+208], %rd259;\n",
    "mov.u32 %r315, 1; st.global.v2.u32 [%rd3+240], {%r315, %r315}; add.s32 %r239, %r68, 1;\n",
    "st.global.u32 [%rd3+248], %r239; setp.ge.s64 %p148, %rd102, %rd259; setp.eq.s64 %p149, %rd102, 0;\n",
    "or.pred %p150, %p148, %p149; @%p150 bra $L__BB14_137; st.global.u64 [%rd3+208], %rd102;\n",
    "bra.uni $L__BB14_137; $L__BB14_135: setp.ne.s32 %p154, %r315, 1; @%p154 bra $L__BB14_137; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd360; call.uni sfi_resident_take, ( param0, param1 ); } {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r124; .param .b32 param2; st.param.b32 [param2+0], %r125; call.uni\n",
    "sfi_resident_unload, ( param0, param1, param2 ); } mov.u32 %r315, %r241; $L__BB14_137:\n",
    "mov.u32 %r279, %tid.x; mov.u32 %r245, 31; mov.u32 %r246, 0; mov.u32 %r247, -1;\n",
    "shfl.sync.idx.b32 %r91|%p9, %r315, %r246, %r245, %r247; setp.ne.s32 %p155, %r279, 0;\n",
    "@%p155 bra $L__BB14_139; st.shared.u32 [sfi_resident_block_wait_turn], %r91; bra.uni $L__BB14_139;\n",
    "$L__BB14_9: mov.u64 %rd158, %globaltimer; add.s64 %rd27, %rd145, 12; mov.u32 %r282, 125;\n",
    "mov.u64 %rd335, %rd158; bra.uni $L__BB14_10; $L__BB14_17: mov.u64 %rd335, %globaltimer; $L__BB14_10: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd335; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r305, [retval0+0]; } setp.ne.s32 %p25, %r305, 2; @%p25 bra $L__BB14_12;\n",
    "mov.u32 %r143, 1; st.relaxed.sys.u32 [%rd27], %r143; $L__BB14_12: setp.eq.s32 %p26, %r305, 0;\n",
    "@%p26 bra $L__BB14_15; bra.uni $L__BB14_13; $L__BB14_15: sub.s64 %rd160, %rd335, %rd158;\n",
    "ld.global.u64 %rd161, [%rd3+152]; setp.gt.s64 %p28, %rd161, %rd160; selp.b64 %rd162, 184, 192, %p28;\n",
    "add.s64 %rd163, %rd2, %rd162; ld.global.u64 %rd164, [%rd3+128]; setp.gt.s64 %p29, %rd164, %rd160;\n",
    "ld.global.u64 %rd29, [%rd163]; setp.lt.s64 %p30, %rd29, 1; or.pred %p31, %p30, %p29;\n",
    "@%p31 bra $L__BB14_17; shl.b32 %r146, %r282, 1; cvt.u64.u32 %rd165, %r146;\n",
    "setp.gt.s64 %p32, %rd29, %rd165; cvt.u32.u64 %r147, %rd29; selp.b32 %r282, %r146, %r147, %p32;\n",
    "nanosleep.u32 %r282; bra.uni $L__BB14_17; $L__BB14_13: setp.ne.s32 %p27, %r305, 1; @%p27 bra $L__BB14_87;\n",
    "mov.u32 %r305, 1; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd145;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd335; call.uni sfi_resident_take, ( param0, param1 ); }\n",
    "bra.uni $L__BB14_87; $L__BB14_44: or.b32 %r166, %r26, %r44; setp.ne.s32 %p57, %r166, 0;\n",
    "@%p57 bra $L__BB14_77; bra.uni $L__BB14_45; $L__BB14_77: mov.u64 %rd222, %globaltimer;\n",
    "add.s64 %rd77, %rd145, 12; mov.u32 %r303, 125; mov.u64 %rd351, %rd222; bra.uni $L__BB14_78; $L__BB14_85:\n",
    "mov.u64 %rd351, %globaltimer; $L__BB14_78: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd351;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r305, [retval0+0]; } setp.ne.s32 %p92, %r305, 2; @%p92 bra $L__BB14_80; mov.u32 %r189, 1;\n",
    "st.relaxed.sys.u32 [%rd77], %r189; $L__BB14_80: setp.eq.s32 %p93, %r305, 0; @%p93 bra $L__BB14_83;\n",
    "bra.uni $L__BB14_81; $L__BB14_83: sub.s64 %rd224, %rd351, %rd222; ld.global.u64 %rd225, [%rd3+152];\n",
    "setp.gt.s64 %p95, %rd225, %rd224; selp.b64 %rd226, 184, 192, %p95; add.s64 %rd227, %rd2, %rd226;\n",
    "ld.global.u64 %rd228, [%rd3+128]; setp.gt.s64 %p96, %rd228, %rd224; ld.global.u64 %rd79, [%rd227];\n",
    "setp.lt.s64 %p97, %rd79, 1; or.pred %p98, %p97, %p96; @%p98 bra $L__BB14_85; shl.b32 %r192, %r303, 1;\n",
    "cvt.u64.u32 %rd229, %r192; setp.gt.s64 %p99, %rd79, %rd229; cvt.u32.u64 %r193, %rd79;\n",
    "selp.b32 %r303, %r192, %r193, %p99; nanosleep.u32 %r303; bra.uni $L__BB14_85; $L__BB14_81:\n",
    "setp.ne.s32 %p94, %r305, 1; @%p94 bra $L__BB14_87; mov.u32 %r305, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd351;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_23:\n",
    "mov.u64 %rd175, %globaltimer; add.s64 %rd43, %rd145, 12; mov.u32 %r285, 125; mov.u64 %rd337, %rd175;\n",
    "bra.uni $L__BB14_24; $L__BB14_31: mov.u64 %rd337, %globaltimer; $L__BB14_24: { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd337;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r305, [retval0+0]; } setp.ne.s32 %p36, %r305, 2; @%p36 bra $L__BB14_26; mov.u32 %r155, 1;\n",
    "st.relaxed.sys.u32 [%rd43], %r155; $L__BB14_26: setp.eq.s32 %p37, %r305, 0; @%p37 bra $L__BB14_29;\n",
    "bra.uni $L__BB14_27; $L__BB14_29: sub.s64 %rd177, %rd337, %rd175; ld.global.u64 %rd178, [%rd3+152];\n",
    "setp.gt.s64 %p39, %rd178, %rd177; selp.b64 %rd179, 184, 192, %p39; add.s64 %rd180, %rd2, %rd179;\n",
    "ld.global.u64 %rd181, [%rd3+128]; setp.gt.s64 %p40, %rd181, %rd177; ld.global.u64 %rd45, [%rd180];\n",
    "setp.lt.s64 %p41, %rd45, 1; or.pred %p42, %p41, %p40; @%p42 bra $L__BB14_31; shl.b32 %r158, %r285, 1;\n",
    "cvt.u64.u32 %rd182, %r158; setp.gt.s64 %p43, %rd45, %rd182; cvt.u32.u64 %r159, %rd45;\n",
    "selp.b32 %r285, %r158, %r159, %p43; nanosleep.u32 %r285; bra.uni $L__BB14_31; $L__BB14_27:\n",
    "setp.ne.s32 %p38, %r305, 1; @%p38 bra $L__BB14_87; mov.u32 %r305, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd337;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_99:\n",
    "setp.eq.s32 %p108, %r133, 0; mov.u16 %rs7, 0; mov.u16 %rs11, %rs7; @%p108 bra $L__BB14_103;\n",
    "ld.global.u64 %rd92, [%rd3+176]; cvt.u64.u32 %rd93, %r134; mov.u32 %r306, 0; $L__BB14_101:\n",
    "mul.wide.u32 %rd241, %r306, 8; add.s64 %rd242, %rd2, %rd241; ld.global.u64 %rd243, [%rd242+1120];\n",
    "sub.s64 %rd244, %rd92, %rd243; setp.ge.u64 %p109, %rd244, %rd93; add.s32 %r306, %r306, 1;\n",
    "mov.u16 %rs11, %rs4; @%p109 bra $L__BB14_103; setp.lt.u32 %p110, %r306, %r133; mov.u16 %rs11, %rs7;\n",
    "@%p110 bra $L__BB14_101; bra.uni $L__BB14_103; $L__BB14_39: setp.ne.s32 %p51, %r305, 1;\n",
    "@%p51 bra $L__BB14_87; mov.u32 %r305, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd338; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_45:\n",
    "ld.param.u64 %rd327, [sf_resident_wait_kernel_param_0+8]; setp.ne.s32 %p58, %r27, 0; mov.u32 %r41, 0;\n",
    "add.s64 %rd53, %rd327, 128; selp.b32 %r42, 64, 1, %p58; selp.u32 %r296, 1, 0, %p58; mov.u32 %r45, 125;\n",
    "mov.u64 %rd59, 0; mov.u64 %rd341, %rd167; $L__BB14_46: sub.s64 %rd197, %rd341, %rd34;\n",
    "setp.ge.s64 %p59, %rd197, %rd12; setp.gt.s64 %p60, %rd12, 0; and.pred %p61, %p60, %p59;\n",
    "@%p61 bra $L__BB14_77; setp.eq.s32 %p62, %r4, 0; @%p62 bra $L__BB14_49;\n",
    "ld.relaxed.gpu.u64 %rd59, [%rd145]; $L__BB14_49: setp.gt.u64 %p63, %rd348, %rd33; @%p63 bra $L__BB14_54;\n",
    "bra.uni $L__BB14_50; $L__BB14_54: @%p62 bra $L__BB14_61; bra.uni $L__BB14_55; $L__BB14_50:\n",
    "@%p62 bra $L__BB14_52; add.s32 %r46, %r296, 1; rem.u32 %r169, %r296, %r42; setp.ne.s32 %p65, %r169, 0;\n",
    "mov.u32 %r296, %r46; @%p65 bra $L__BB14_55; $L__BB14_52: @%p62 bra $L__BB14_60;\n",
    "ld.relaxed.sys.u64 %rd348, [%rd53]; mov.u64 %rd347, %rd341; $L__BB14_55: shr.u64 %rd204, %rd59, 32;\n",
    "cvt.u32.u64 %r49, %rd204; setp.eq.s32 %p68, %r25, %r49; cvt.u32.u64 %r170, %rd59;\n",
    "setp.ne.s32 %p69, %r170, 2; and.pred %p70, %p69, %p68; @%p70 bra $L__BB14_61; bra.uni $L__BB14_56;\n",
    "$L__BB14_61: and.b64 %rd208, %rd348, -4611686018427387904; setp.eq.s64 %p72, %rd208, 0;\n",
    "@%p72 bra $L__BB14_71; bra.uni $L__BB14_62; $L__BB14_71: setp.gt.u64 %p81, %rd348, %rd33;\n",
    "@%p81 bra $L__BB14_86; mov.u64 %rd341, %globaltimer; sub.s64 %rd72, %rd341, %rd167;\n",
    "add.s32 %r181, %r41, 1; and.b32 %r182, %r181, 15; setp.ne.s32 %p82, %r182, 0;\n",
    "setp.lt.s64 %p83, %rd72, %rd8; selp.b32 %r41, %r181, %r41, %p83; and.pred %p84, %p82, %p83;\n",
    "@%p84 bra $L__BB14_76; setp.gt.s64 %p86, %rd11, %rd72; selp.b64 %rd73, %rd9, %rd10, %p86;\n",
    "setp.lt.s64 %p87, %rd73, 1; or.pred %p88, %p83, %p87; @%p88 bra $L__BB14_75; shl.b32 %r184, %r45, 1;\n",
    "cvt.u64.u32 %rd219, %r184; setp.gt.s64 %p89, %rd73, %rd219; cvt.u32.u64 %r185, %rd73;\n",
    "selp.b32 %r45, %r184, %r185, %p89; nanosleep.u32 %r45; $L__BB14_75: setp.gt.u32 %p90, %r45, 2000;\n",
    "selp.b32 %r42, 1, %r42, %p90; ld.acquire.sys.u32 %r44, [%rd170]; mov.u64 %rd341, %globaltimer;\n",
    "$L__BB14_76: or.b32 %r187, %r26, %r44; setp.eq.s32 %p91, %r187, 0; @%p91 bra $L__BB14_46;\n",
    "bra.uni $L__BB14_77; $L__BB14_60: ld.acquire.sys.u64 %rd348, [%rd53]; mov.u64 %rd347, %rd341;\n",
    "bra.uni $L__BB14_61; $L__BB14_62: mov.u64 %rd209, %globaltimer; add.s64 %rd67, %rd145, 12;\n",
    "mov.u32 %r297, 125; mov.u64 %rd349, %rd209; bra.uni $L__BB14_63; $L__BB14_70:\n",
    "mov.u64 %rd349, %globaltimer; $L__BB14_63: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd349;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r305, [retval0+0]; } setp.ne.s32 %p73, %r305, 2; @%p73 bra $L__BB14_65; mov.u32 %r176, 1;\n",
    "st.relaxed.sys.u32 [%rd67], %r176; $L__BB14_65: setp.eq.s32 %p74, %r305, 0; @%p74 bra $L__BB14_68;\n",
    "bra.uni $L__BB14_66; $L__BB14_68: sub.s64 %rd211, %rd349, %rd209; ld.global.u64 %rd212, [%rd3+152];\n",
    "setp.gt.s64 %p76, %rd212, %rd211; selp.b64 %rd213, 184, 192, %p76; add.s64 %rd214, %rd2, %rd213;\n",
    "ld.global.u64 %rd215, [%rd3+128]; setp.gt.s64 %p77, %rd215, %rd211; ld.global.u64 %rd69, [%rd214];\n",
    "setp.lt.s64 %p78, %rd69, 1; or.pred %p79, %p78, %p77; @%p79 bra $L__BB14_70; shl.b32 %r179, %r297, 1;\n",
    "cvt.u64.u32 %rd216, %r179; setp.gt.s64 %p80, %rd69, %rd216; cvt.u32.u64 %r180, %rd69;\n",
    "selp.b32 %r297, %r179, %r180, %p80; nanosleep.u32 %r297; bra.uni $L__BB14_70; $L__BB14_66:\n",
    "setp.ne.s32 %p75, %r305, 1; @%p75 bra $L__BB14_87; mov.u32 %r305, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd349;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_86:\n",
    "add.s64 %rd232, %rd33, 1; st.global.u64 [%rd3+304], %rd232; st.global.u64 [%rd3+560], %rd348;\n",
    "mov.u32 %r195, 0; st.global.u32 [%rd3+1352], %r195; mov.u64 %rd231, %globaltimer;\n",
    "st.global.u64 [%rd3+1368], %rd347; add.s64 %rd233, %rd31, 1; st.global.u64 [%rd3+192], %rd233;\n",
    "st.global.u64 [%rd3+216], %rd231; st.global.u64 [%rd3+208], %rd231; mov.u32 %r305, 1;\n",
    "st.global.v2.u32 [%rd3+240], {%r305, %r305}; add.s32 %r196, %r24, 1; st.global.u32 [%rd3+248], %r196;\n",
    "bra.uni $L__BB14_87; $L__BB14_56: shr.u64 %rd329, %rd59, 32; cvt.u32.u64 %r276, %rd329;\n",
    "setp.eq.s32 %p189, %r25, %r276; @%p189 bra $L__BB14_58; bra.uni $L__BB14_57; $L__BB14_58:\n",
    "mov.u32 %r172, 1; st.relaxed.sys.u32 [%rd145], %r172; bra.uni $L__BB14_59; $L__BB14_57:\n",
    "add.s32 %r171, %r25, 1; st.global.u32 [%rd3+1344], %r171; $L__BB14_59: mov.u32 %r305, 1;\n",
    "st.global.u32 [%rd3+1352], %r305; mov.u64 %rd206, %globaltimer; st.global.u64 [%rd3+1368], %rd347;\n",
    "add.s64 %rd207, %rd31, 1; st.global.u64 [%rd3+192], %rd207; st.global.u64 [%rd3+216], %rd206;\n",
    "st.global.u64 [%rd3+208], %rd206; st.global.v2.u32 [%rd3+240], {%r305, %r305}; add.s32 %r174, %r24, 1;\n",
    "st.global.u32 [%rd3+248], %r174; $L__BB14_87: setp.eq.s32 %p187, %r8, 0;\n",
    "st.shared.u32 [sfi_resident_block_wait_turn], %r305; setp.ne.s32 %p100, %r305, 1;\n",
    "or.pred %p102, %p187, %p100; @%p102 bra $L__BB14_89; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; .param .b32 param1; st.param.b32 [param1+0], %r124; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r125; call.uni sfi_resident_unload, ( param0, param1, param2 ); } $L__BB14_89:\n",
    "ld.global.u64 %rd234, [%rd3+304]; st.shared.u64 [sfi_resident_block_wait_taken], %rd234; $L__BB14_139:\n",
    "bar.sync 0; or.b32 %r248, %r8, %r4; setp.ne.s32 %p156, %r248, 0; mov.u64 %rd361, 0;\n",
    "@%p156 bra $L__BB14_143; ld.shared.u64 %rd276, [sfi_resident_block_wait_taken];\n",
    "add.s64 %rd115, %rd276, -1; and.b64 %rd277, %rd115, -4294967296; setp.eq.s64 %p157, %rd277, 0;\n",
    "@%p157 bra $L__BB14_142; rem.u64 %rd361, %rd115, %rd7; bra.uni $L__BB14_143; $L__BB14_142:\n",
    "cvt.u32.u64 %r249, %rd7; cvt.u32.u64 %r250, %rd115; rem.u32 %r251, %r250, %r249;\n",
    "cvt.u64.u32 %rd361, %r251; $L__BB14_143: mov.u32 %r267, %tid.x;\n",
    "ld.shared.u32 %r92, [sfi_resident_block_wait_turn]; setp.ne.s32 %p158, %r267, 0; @%p158 bra $L__BB14_146;\n",
    "ld.param.u64 %rd324, [sf_resident_wait_kernel_param_0+16]; st.global.u32 [%rd3+1328], %r123;\n",
    "setp.ne.s32 %p159, %r92, 2; setp.eq.s64 %p160, %rd324, 0; or.pred %p161, %p160, %p159;\n",
    "@%p161 bra $L__BB14_146; ld.param.u64 %rd325, [sf_resident_wait_kernel_param_0+16]; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd325; .param .b32 param1;\n",
    "st.param.b32 [param1+0], 0; call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB14_146:\n",
    "setp.ne.s32 %p188, %r8, 0; setp.ne.s32 %p162, %r92, 1; or.pred %p164, %p188, %p162;\n",
    "@%p164 bra $L__BB14_171; setp.eq.s32 %p165, %r3, 0; @%p165 bra $L__BB14_165; setp.ne.s32 %p166, %r4, 0;\n",
    "@%p166 bra $L__BB14_169; mov.u32 %r269, %ntid.x; mov.u32 %r268, %tid.x; mov.u32 %r252, 32;\n",
    "rem.u32 %r253, %r252, %r269; setp.ne.s32 %p167, %r268, %r253; mov.u64 %rd362, 0; @%p167 bra $L__BB14_151;\n",
    "shl.b64 %rd279, %rd361, 3; add.s64 %rd280, %rd6, %rd279; ld.volatile.u64 %rd362, [%rd280]; $L__BB14_151:\n",
    "@%p10 bra $L__BB14_162; mov.u32 %r271, %ntid.x; mov.u32 %r270, %tid.x; cvt.u64.u32 %rd125, %r270;\n",
    "cvt.u64.u32 %rd126, %r271; and.b32 %r321, %r125, 3; add.s32 %r255, %r125, -1;\n",
    "setp.lt.u32 %p169, %r255, 3; mov.u32 %r318, 0; @%p169 bra $L__BB14_157; sub.s32 %r317, %r125, %r321;\n",
    "mov.u32 %r318, 0; $L__BB14_154: setp.eq.s32 %p170, %r318, 0; mov.u64 %rd363, %rd331;\n",
    "mov.u64 %rd364, %rd332; mov.u64 %rd365, %rd333; mov.u64 %rd366, %rd334; @%p170 bra $L__BB14_156;\n",
    "add.s32 %r257, %r318, %r124; mul.wide.u32 %rd281, %r257, 48; add.s64 %rd282, %rd5, %rd281;\n",
    "ld.u64 %rd363, [%rd282]; ld.u64 %rd364, [%rd282+8]; ld.u64 %rd365, [%rd282+16];\n",
    "ld.u64 %rd366, [%rd282+24]; $L__BB14_156: mul.lo.s64 %rd283, %rd366, %rd361;\n",
    "add.s64 %rd284, %rd363, %rd283; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd364; .param .b64 param1; st.param.b64 [param1+0], %rd284; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd365; .param .b64 param3; st.param.b64 [param3+0], %rd125; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd126; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r258, %r318, %r124; add.s32 %r259, %r258, 1; mul.wide.u32 %rd285, %r259, 48;\n",
    "add.s64 %rd286, %rd5, %rd285; ld.u64 %rd287, [%rd286+8]; ld.u64 %rd288, [%rd286+16];\n",
    "ld.u64 %rd289, [%rd286+24]; mul.lo.s64 %rd290, %rd289, %rd361; ld.u64 %rd291, [%rd286];\n",
    "add.s64 %rd292, %rd291, %rd290; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd287; .param .b64 param1; st.param.b64 [param1+0], %rd292; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd288; .param .b64 param3; st.param.b64 [param3+0], %rd125; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd126; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r260, %r258, 2; mul.wide.u32 %rd293, %r260, 48; add.s64 %rd294, %rd5, %rd293;\n",
    "ld.u64 %rd295, [%rd294+8]; ld.u64 %rd296, [%rd294+16]; ld.u64 %rd297, [%rd294+24];\n",
    "mul.lo.s64 %rd298, %rd297, %rd361; ld.u64 %rd299, [%rd294]; add.s64 %rd300, %rd299, %rd298; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd295; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd300; .param .b64 param2; st.param.b64 [param2+0], %rd296; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd125; .param .b64 param4; st.param.b64 [param4+0], %rd126; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r261, %r258, 3;\n",
    "mul.wide.u32 %rd301, %r261, 48; add.s64 %rd302, %rd5, %rd301; ld.u64 %rd303, [%rd302+8];\n",
    "ld.u64 %rd304, [%rd302+16]; ld.u64 %rd305, [%rd302+24]; mul.lo.s64 %rd306, %rd305, %rd361;\n",
    "ld.u64 %rd307, [%rd302]; add.s64 %rd308, %rd307, %rd306; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd303; .param .b64 param1; st.param.b64 [param1+0], %rd308; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd304; .param .b64 param3; st.param.b64 [param3+0], %rd125; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd126; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r318, %r318, 4; add.s32 %r317, %r317, -4; setp.ne.s32 %p171, %r317, 0;\n",
    "@%p171 bra $L__BB14_154; $L__BB14_157: setp.eq.s32 %p172, %r321, 0; @%p172 bra $L__BB14_162;\n",
    "add.s32 %r319, %r124, %r318; $L__BB14_159: .pragma \"nounroll\"; setp.eq.s32 %p173, %r318, 0;\n",
    "mov.u64 %rd367, %rd331; mov.u64 %rd368, %rd332; mov.u64 %rd369, %rd333; mov.u64 %rd370, %rd334;\n",
    "@%p173 bra $L__BB14_161; mul.wide.u32 %rd309, %r319, 48; add.s64 %rd310, %rd5, %rd309;\n",
    "ld.u64 %rd367, [%rd310]; ld.u64 %rd368, [%rd310+8]; ld.u64 %rd369, [%rd310+16];\n",
    "ld.u64 %rd370, [%rd310+24]; $L__BB14_161: mul.lo.s64 %rd311, %rd370, %rd361;\n",
    "add.s64 %rd312, %rd367, %rd311; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd368; .param .b64 param1; st.param.b64 [param1+0], %rd312; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd369; .param .b64 param3; st.param.b64 [param3+0], %rd125; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd126; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r318, %r318, 1; add.s32 %r319, %r319, 1; add.s32 %r321, %r321, -1;\n",
    "setp.ne.s32 %p174, %r321, 0; @%p174 bra $L__BB14_159; $L__BB14_162: setp.eq.s64 %p175, %rd362, 0;\n",
    "@%p175 bra $L__BB14_169; mov.u64 %rd313, %globaltimer; setp.ge.s64 %p176, %rd362, %rd313;\n",
    "@%p176 bra $L__BB14_169; st.global.u64 [%rd3+208], %rd362; bra.uni $L__BB14_169; $L__BB14_165:\n",
    "mov.u32 %r273, %ntid.x; mov.u32 %r272, %tid.x; mov.u32 %r262, 32; rem.u32 %r263, %r262, %r273;\n",
    "setp.ne.s32 %p177, %r272, %r263; @%p177 bra $L__BB14_167; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; call.uni sfi_resident_when, ( param0 ); } $L__BB14_167:\n",
    "@%p10 bra $L__BB14_169; mov.u32 %r275, %ntid.x; mov.u32 %r274, %tid.x; cvt.u64.u32 %rd314, %r274;\n",
    "cvt.u64.u32 %rd315, %r275; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; .param .b32 param1; st.param.b32 [param1+0], %r124; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r125; .param .b64 param3; st.param.b64 [param3+0], %rd314; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd315; call.uni sfi_resident_copy_all, ( param0, param1, param2, param3, param4\n",
    "); } $L__BB14_169: or.pred %p181, %p158, %p10; @%p181 bra $L__BB14_171; mov.u64 %rd316, %globaltimer;\n",
    "st.global.u64 [%rd3+216], %rd316; $L__BB14_171: ret; } .visible .entry sf_resident_publish_kernel(\n",
    ".param .align 8 .b8 sf_resident_publish_kernel_param_0[80] ) { .local .align 8 .b8 __local_depot15[64];\n",
    ".reg .b64 %SP; .reg .b64 %SPL; .reg .pred %p<105>; .reg .b32 %r<240>; .reg .b64 %rd<288>;\n",
    "mov.u64 %SPL, __local_depot15; ld.param.v2.u32 {%r87, %r88}, [sf_resident_publish_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r89, %r90}, [sf_resident_publish_kernel_param_0+48];\n",
    "ld.param.u64 %rd103, [sf_resident_publish_kernel_param_0]; cvta.to.global.u64 %rd3, %rd103;\n",
    "griddepcontrol.launch_dependents;\n",
    "ld.global.u64 %rd4, [%rd3+40]; ld.global.u64 %rd5, [%rd3+72]; ld.global.u64 %rd6, [%rd3+64];\n",
    "ld.global.u32 %r1, [%rd3+116]; ld.global.u32 %r97, [%rd3+124]; setp.eq.s32 %p2, %r97, 0;\n",
    "mov.u32 %r218, 0; @%p2 bra $L__BB15_2; ld.global.u32 %r218, [%rd3+100]; $L__BB15_2:\n",
    "ld.global.u32 %r6, [%rd3+108]; ld.global.v2.u32 {%r102, %r103}, [%rd3+152];\n",
    "ld.global.u64 %rd7, [%rd3+216]; setp.eq.s32 %p3, %r89, 0; mov.u64 %rd257, 0; mov.u64 %rd258, %rd257;\n",
    "mov.u64 %rd259, %rd257; mov.u64 %rd260, %rd257; @%p3 bra $L__BB15_4; mul.wide.u32 %rd113, %r88, 48;\n",
    "add.s64 %rd114, %rd6, %rd113; ld.u64 %rd260, [%rd114+24]; ld.u64 %rd259, [%rd114+16];\n",
    "ld.u64 %rd258, [%rd114+8]; ld.u64 %rd257, [%rd114]; $L__BB15_4:\n",
    "griddepcontrol.wait;\n",
    "add.s64 %rd115, %rd103, 8; ld.relaxed.sys.u32 %r108, [%rd115]; add.s64 %rd16, %rd3, 40;\n",
    "ld.global.v2.u32 {%r109, %r110}, [%rd3+288]; ld.global.u64 %rd17, [%rd3+280];\n",
    "ld.global.u64 %rd18, [%rd3+264]; ld.global.u64 %rd19, [%rd3+256]; ld.global.u64 %rd20, [%rd3+240];\n",
    "ld.global.u64 %rd21, [%rd3+224]; setp.eq.s32 %p4, %r109, 0; @%p4 bra $L__BB15_95;\n",
    "ld.global.u32 %r20, [%rd16+1336]; ld.global.u32 %r21, [%rd16+256]; ld.global.u64 %rd24, [%rd16+208];\n",
    "mov.u64 %rd116, %globaltimer; setp.eq.s32 %p5, %r102, 16; setp.ne.s32 %p6, %r89, 0;\n",
    "and.pred %p1, %p5, %p6; @%p1 bra $L__BB15_6; bra.uni $L__BB15_16; $L__BB15_6: add.s32 %r112, %r6, -1;\n",
    "cvt.u64.u32 %rd117, %r112; and.b64 %rd28, %rd21, %rd117; mov.u32 %r113, %tid.x; cvt.u64.u32 %rd29, %r113;\n",
    "mov.u32 %r114, %ntid.x; cvt.u64.u32 %rd30, %r114; add.s32 %r115, %r89, -1; setp.lt.u32 %p7, %r115, 3;\n",
    "mov.u32 %r221, 0; @%p7 bra $L__BB15_11; and.b32 %r199, %r89, 3; sub.s32 %r220, %r89, %r199;\n",
    "mov.u32 %r221, 0; $L__BB15_8: setp.eq.s32 %p8, %r221, 0; mov.u64 %rd261, %rd257; mov.u64 %rd262, %rd258;\n",
    "mov.u64 %rd263, %rd259; mov.u64 %rd264, %rd260; @%p8 bra $L__BB15_10; add.s32 %r117, %r221, %r88;\n",
    "mul.wide.u32 %rd118, %r117, 48; add.s64 %rd119, %rd6, %rd118; ld.u64 %rd261, [%rd119];\n",
    "ld.u64 %rd262, [%rd119+8]; ld.u64 %rd263, [%rd119+16]; ld.u64 %rd264, [%rd119+24]; $L__BB15_10:\n",
    "mul.lo.s64 %rd120, %rd264, %rd28; add.s64 %rd121, %rd261, %rd120; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd121; .param .b64 param1; st.param.b64 [param1+0], %rd262;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd263; .param .b64 param3; st.param.b64 [param3+0], %rd29;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r118, %r221, %r88; add.s32 %r119, %r118, 1; mul.wide.u32 %rd122, %r119, 48;\n",
    "add.s64 %rd123, %rd6, %rd122; ld.u64 %rd124, [%rd123+8]; ld.u64 %rd125, [%rd123+16];\n",
    "ld.u64 %rd126, [%rd123+24]; mul.lo.s64 %rd127, %rd126, %rd28; ld.u64 %rd128, [%rd123];\n",
    "add.s64 %rd129, %rd128, %rd127; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd129; .param .b64 param1; st.param.b64 [param1+0], %rd124; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd125; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r120, %r118, 2; mul.wide.u32 %rd130, %r120, 48; add.s64 %rd131, %rd6, %rd130;\n",
    "ld.u64 %rd132, [%rd131+8]; ld.u64 %rd133, [%rd131+16]; ld.u64 %rd134, [%rd131+24];\n",
    "mul.lo.s64 %rd135, %rd134, %rd28; ld.u64 %rd136, [%rd131]; add.s64 %rd137, %rd136, %rd135; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd137; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd132; .param .b64 param2; st.param.b64 [param2+0], %rd133; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd29; .param .b64 param4; st.param.b64 [param4+0], %rd30; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r121, %r118, 3;\n",
    "mul.wide.u32 %rd138, %r121, 48; add.s64 %rd139, %rd6, %rd138; ld.u64 %rd140, [%rd139+8];\n",
    "ld.u64 %rd141, [%rd139+16]; ld.u64 %rd142, [%rd139+24]; mul.lo.s64 %rd143, %rd142, %rd28;\n",
    "ld.u64 %rd144, [%rd139]; add.s64 %rd145, %rd144, %rd143; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd145; .param .b64 param1; st.param.b64 [param1+0], %rd140; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd141; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r221, %r221, 4; add.s32 %r220, %r220, -4; setp.ne.s32 %p9, %r220, 0; @%p9 bra $L__BB15_8;\n",
    "$L__BB15_11: and.b32 %r196, %r89, 3; setp.eq.s32 %p10, %r196, 0; @%p10 bra $L__BB15_16;\n",
    "and.b32 %r224, %r89, 3; add.s32 %r222, %r88, %r221; $L__BB15_13: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p11, %r221, 0; mov.u64 %rd265, %rd257; mov.u64 %rd266, %rd258; mov.u64 %rd267, %rd259;\n",
    "mov.u64 %rd268, %rd260; @%p11 bra $L__BB15_15; mul.wide.u32 %rd146, %r222, 48;\n",
    "add.s64 %rd147, %rd6, %rd146; ld.u64 %rd265, [%rd147]; ld.u64 %rd266, [%rd147+8];\n",
    "ld.u64 %rd267, [%rd147+16]; ld.u64 %rd268, [%rd147+24]; $L__BB15_15: mul.lo.s64 %rd148, %rd268, %rd28;\n",
    "add.s64 %rd149, %rd265, %rd148; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd149; .param .b64 param1; st.param.b64 [param1+0], %rd266; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd267; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r221, %r221, 1; add.s32 %r222, %r222, 1; add.s32 %r224, %r224, -1; setp.ne.s32 %p12, %r224, 0;\n",
    "@%p12 bra $L__BB15_13; $L__BB15_16: mov.u32 %r36, %tid.x; add.s32 %r37, %r36, -16;\n",
    "setp.lt.u32 %p13, %r36, 16; setp.le.u32 %p14, %r102, %r36; mov.u32 %r230, 0; or.pred %p15, %p13, %p14;\n",
    "@%p15 bra $L__BB15_34; add.s64 %rd150, %rd259, 3; shr.u64 %rd151, %rd150, 2; cvt.u32.u64 %r123, %rd151;\n",
    "setp.lt.u32 %p16, %r37, %r123; @%p16 bra $L__BB15_28; bra.uni $L__BB15_18; $L__BB15_28:\n",
    "mul.wide.u32 %rd163, %r37, 4; add.s64 %rd54, %rd258, %rd163; sub.s64 %rd55, %rd259, %rd163;\n",
    "setp.lt.u64 %p26, %rd55, 4; @%p26 bra $L__BB15_30; and.b64 %rd164, %rd54, 3; setp.eq.s64 %p27, %rd164, 0;\n",
    "@%p27 bra $L__BB15_33; $L__BB15_30: mov.u32 %r230, 0; setp.eq.s64 %p28, %rd55, 0; @%p28 bra $L__BB15_34;\n",
    "mov.u32 %r228, 0; mov.u64 %rd270, 0; mov.u32 %r230, %r228; $L__BB15_32: .pragma \"nounroll\";\n",
    "add.s64 %rd166, %rd54, %rd270; ld.volatile.u8 %r138, [%rd166]; shl.b32 %r139, %r228, 3;\n",
    "shl.b32 %r140, %r138, %r139; or.b32 %r230, %r140, %r230; add.s32 %r228, %r228, 1;\n",
    "setp.lt.u32 %p29, %r228, 4; cvt.u64.u32 %rd270, %r228; setp.gt.u64 %p30, %rd55, %rd270;\n",
    "and.pred %p31, %p29, %p30; @%p31 bra $L__BB15_32; bra.uni $L__BB15_34; $L__BB15_18: @%p3 bra $L__BB15_34;\n",
    "cvt.u64.u32 %rd47, %r88; mov.u32 %r225, 0; $L__BB15_20: cvt.u64.u32 %rd152, %r225;\n",
    "add.s64 %rd153, %rd152, %rd47; mul.lo.s64 %rd154, %rd153, 48; add.s64 %rd155, %rd6, %rd154;\n",
    "add.s64 %rd48, %rd155, 40; ld.u32 %r126, [%rd155+40]; sub.s32 %r39, %r37, %r126;\n",
    "ld.u64 %rd49, [%rd155+16]; add.s64 %rd156, %rd49, 3; shr.u64 %rd157, %rd156, 2;\n",
    "cvt.u32.u64 %r127, %rd157; setp.lt.u32 %p18, %r39, %r127; @%p18 bra $L__BB15_22; add.s32 %r225, %r225, 1;\n",
    "setp.lt.u32 %p19, %r225, %r89; mov.u32 %r230, 0; @%p19 bra $L__BB15_20; bra.uni $L__BB15_34; $L__BB15_22:\n",
    "mul.wide.u32 %rd158, %r39, 4; ld.u64 %rd159, [%rd48+-32]; add.s64 %rd50, %rd159, %rd158;\n",
    "sub.s64 %rd51, %rd49, %rd158; setp.lt.u64 %p20, %rd51, 4; @%p20 bra $L__BB15_24;\n",
    "and.b64 %rd160, %rd50, 3; setp.eq.s64 %p21, %rd160, 0; @%p21 bra $L__BB15_27; $L__BB15_24:\n",
    "setp.eq.s64 %p22, %rd51, 0; mov.u32 %r230, 0; @%p22 bra $L__BB15_34; mov.u32 %r226, 0; mov.u64 %rd269, 0;\n",
    "mov.u32 %r230, %r226; $L__BB15_26: .pragma \"nounroll\"; add.s64 %rd162, %rd50, %rd269;\n",
    "ld.volatile.u8 %r132, [%rd162]; shl.b32 %r133, %r226, 3; shl.b32 %r134, %r132, %r133;\n",
    "or.b32 %r230, %r134, %r230; add.s32 %r226, %r226, 1; setp.lt.u32 %p23, %r226, 4;\n",
    "cvt.u64.u32 %rd269, %r226; setp.gt.u64 %p24, %rd51, %rd269; and.pred %p25, %p23, %p24;\n",
    "@%p25 bra $L__BB15_26; bra.uni $L__BB15_34; $L__BB15_33: ld.volatile.u32 %r230, [%rd54];\n",
    "bra.uni $L__BB15_34; $L__BB15_27: ld.volatile.u32 %r230, [%rd50]; $L__BB15_34:\n",
    "setp.ne.s32 %p101, %r89, 0; setp.eq.s32 %p100, %r102, 16; and.pred %p99, %p100, %p101;\n",
    "not.pred %p32, %p99; @%p32 bra $L__BB15_36; bar.sync 0; $L__BB15_36: mov.u32 %r209, %tid.x;\n",
    "setp.gt.u32 %p33, %r209, 31; @%p33 bra $L__BB15_95; mov.u32 %r210, %tid.x; add.u64 %rd255, %SPL, 0;\n",
    "mov.u32 %r149, %ntid.x; mov.u32 %r150, 32; min.u32 %r52, %r149, 32; sub.s32 %r151, %r150, %r52;\n",
    "mov.u32 %r152, -1; shr.u32 %r153, %r152, %r151; mov.u64 %rd167, %globaltimer;\n",
    "mov.b64 {%r141,%r142}, %rd167; mov.u32 %r154, 31; mov.u32 %r231, 0;\n",
    "shfl.sync.idx.b32 %r144|%p34, %r142, %r231, %r154, %r153;\n",
    "shfl.sync.idx.b32 %r143|%p35, %r141, %r231, %r154, %r153; mov.b64 %rd169, {%r143,%r144};\n",
    "mov.b64 {%r145,%r146}, %rd116; shfl.sync.idx.b32 %r148|%p36, %r146, %r231, %r154, %r153;\n",
    "shfl.sync.idx.b32 %r147|%p37, %r145, %r231, %r154, %r153; mov.b64 %rd287, {%r147,%r148};\n",
    "cvt.u64.u32 %rd172, %r110; cvt.u64.u32 %rd173, %r21; bfi.b64 %rd174, %rd173, %rd172, 32, 32;\n",
    "sub.s64 %rd175, %rd169, %rd19; setp.gt.s64 %p38, %rd175, %rd7; setp.gt.s64 %p39, %rd7, 0;\n",
    "and.pred %p40, %p39, %p38; selp.u64 %rd176, 1, 0, %p40; add.s64 %rd61, %rd24, %rd176;\n",
    "st.local.u64 [%rd255], %rd20; cvt.u64.u32 %rd177, %r108; st.local.u64 [%rd255+8], %rd177;\n",
    "st.local.u64 [%rd255+16], %rd174; st.local.u64 [%rd255+24], %rd19; st.local.u64 [%rd255+32], %rd18;\n",
    "st.local.u64 [%rd255+40], %rd287; st.local.u64 [%rd255+48], %rd169; st.local.u64 [%rd255+56], %rd61;\n",
    "setp.ne.s32 %p41, %r210, 0; setp.eq.s32 %p42, %r218, 0; or.pred %p43, %p41, %p42; @%p43 bra $L__BB15_40;\n",
    "ld.param.u64 %rd252, [sf_resident_publish_kernel_param_0+8];\n",
    "ld.param.u64 %rd251, [sf_resident_publish_kernel_param_0]; cvta.to.global.u64 %rd272, %rd251;\n",
    "add.s64 %rd271, %rd252, 8704; $L__BB15_39: .pragma \"nounroll\"; ld.global.u64 %rd179, [%rd272+352];\n",
    "st.relaxed.sys.u64 [%rd271], %rd179; add.s64 %rd272, %rd272, 8; add.s64 %rd271, %rd271, 8;\n",
    "add.s32 %r231, %r231, 1; setp.lt.u32 %p44, %r231, %r218; @%p44 bra $L__BB15_39; $L__BB15_40:\n",
    "mov.u32 %r211, %tid.x; setp.ne.s32 %p45, %r103, 0; setp.gt.u32 %p46, %r211, 4; or.pred %p47, %p46, %p45;\n",
    "@%p47 bra $L__BB15_47; mov.u32 %r214, %tid.x; setp.eq.s32 %p48, %r214, 2; mov.u64 %rd274, %rd18;\n",
    "mov.u64 %rd275, %rd287; @%p48 bra $L__BB15_45; mov.u32 %r215, %tid.x; setp.eq.s32 %p49, %r215, 3;\n",
    "mov.u64 %rd274, %rd287; @%p49 bra $L__BB15_44; mov.u32 %r216, %tid.x; setp.eq.s32 %p50, %r216, 4;\n",
    "selp.b64 %rd274, %rd17, %rd19, %p50; setp.eq.s32 %p51, %r216, 1; mov.u64 %rd275, %rd18;\n",
    "@%p51 bra $L__BB15_45; $L__BB15_44: mov.u64 %rd275, %rd169; $L__BB15_45: setp.eq.s64 %p52, %rd274, 0;\n",
    "@%p52 bra $L__BB15_47; mov.u32 %r217, %tid.x; sub.s64 %rd180, %rd275, %rd274; max.s64 %rd181, %rd180, 0;\n",
    "setp.gt.u64 %p53, %rd181, 31; clz.b64 %r157, %rd181; mov.u32 %r158, 59; sub.s32 %r159, %r158, %r157;\n",
    "selp.b32 %r160, %r159, 0, %p53; setp.lt.u64 %p54, %rd181, 16; cvt.u32.u64 %r161, %rd181;\n",
    "shl.b32 %r162, %r160, 4; shr.u64 %rd182, %rd181, %r160; cvt.u32.u64 %r163, %rd182;\n",
    "add.s32 %r164, %r162, %r163; selp.b32 %r165, %r161, %r164, %p54; min.u32 %r166, %r165, 767;\n",
    "mul.wide.u32 %rd183, %r166, 8; mul.wide.u32 %rd184, %r217, 6176; add.s64 %rd185, %rd5, %rd184;\n",
    "add.s64 %rd186, %rd185, %rd183; add.s64 %rd187, %rd186, 32; atom.add.u64 %rd188, [%rd187], 1;\n",
    "add.s64 %rd189, %rd185, 8; atom.add.u64 %rd190, [%rd189], %rd181; add.s64 %rd191, %rd185, 16;\n",
    "not.b64 %rd192, %rd181; atom.max.u64 %rd193, [%rd191], %rd192; add.s64 %rd194, %rd185, 24;\n",
    "atom.max.u64 %rd195, [%rd194], %rd181; atom.add.u64 %rd196, [%rd185], 1; $L__BB15_47:\n",
    "@%p45 bra $L__BB15_49; fence.acq_rel.sys; $L__BB15_49: mov.u32 %r212, %tid.x;\n",
    "setp.le.u32 %p102, %r102, %r212; @%p102 bra $L__BB15_86; mov.u32 %r232, %tid.x; cvt.u64.u32 %rd197, %r1;\n",
    "and.b64 %rd71, %rd21, %rd197; add.s64 %rd198, %rd21, 1; and.b64 %rd72, %rd198, 4294967295;\n",
    "add.s64 %rd199, %rd259, 3; shr.u64 %rd200, %rd199, 2; cvt.u32.u64 %r55, %rd200; cvt.u64.u32 %rd73, %r88;\n",
    "shl.b64 %rd221, %rd71, 8; add.s64 %rd222, %rd4, %rd221; $L__BB15_51: setp.gt.u32 %p57, %r232, 15;\n",
    "mov.u32 %r239, %r230; @%p57 bra $L__BB15_67; add.u64 %rd253, %SPL, 0; shr.u32 %r57, %r232, 1;\n",
    "mul.wide.u32 %rd201, %r57, 8; add.s64 %rd74, %rd253, %rd201; setp.ne.s32 %p58, %r57, 1;\n",
    "mov.u64 %rd277, %rd20; @%p58 bra $L__BB15_54; ld.local.u64 %rd277, [%rd74]; $L__BB15_54:\n",
    "setp.ne.s32 %p59, %r57, 2; @%p59 bra $L__BB15_56; ld.local.u64 %rd277, [%rd74]; $L__BB15_56:\n",
    "setp.ne.s32 %p60, %r57, 3; @%p60 bra $L__BB15_58; ld.local.u64 %rd277, [%rd74]; $L__BB15_58:\n",
    "setp.ne.s32 %p61, %r57, 4; @%p61 bra $L__BB15_60; ld.local.u64 %rd277, [%rd74]; $L__BB15_60:\n",
    "setp.ne.s32 %p62, %r57, 5; @%p62 bra $L__BB15_62; ld.local.u64 %rd277, [%rd74]; $L__BB15_62:\n",
    "setp.ne.s32 %p63, %r57, 6; @%p63 bra $L__BB15_64; ld.local.u64 %rd277, [%rd74]; $L__BB15_64:\n",
    "setp.ne.s32 %p64, %r57, 7; @%p64 bra $L__BB15_66; ld.local.u64 %rd277, [%rd74]; $L__BB15_66:\n",
    "and.b32 %r167, %r232, 1; setp.eq.b32 %p65, %r167, 1; shr.u64 %rd202, %rd277, 32;\n",
    "selp.b64 %rd203, %rd202, %rd277, %p65; cvt.u32.u64 %r239, %rd203; $L__BB15_67:\n",
    "setp.lt.u32 %p66, %r232, 32; setp.gt.u32 %p67, %r52, 31; and.pred %p68, %p67, %p66;\n",
    "setp.lt.u32 %p69, %r232, 16; or.pred %p70, %p69, %p68; @%p70 bra $L__BB15_85; add.s32 %r60, %r232, -16;\n",
    "setp.lt.u32 %p71, %r60, %r55; @%p71 bra $L__BB15_79; bra.uni $L__BB15_69; $L__BB15_79:\n",
    "add.s32 %r207, %r232, -16; mul.wide.u32 %rd215, %r207, 4; add.s64 %rd95, %rd258, %rd215;\n",
    "sub.s64 %rd96, %rd259, %rd215; setp.lt.u64 %p81, %rd96, 4; @%p81 bra $L__BB15_81;\n",
    "and.b64 %rd216, %rd95, 3; setp.eq.s64 %p82, %rd216, 0; @%p82 bra $L__BB15_84; $L__BB15_81:\n",
    "setp.eq.s64 %p83, %rd96, 0; mov.u32 %r239, 0; @%p83 bra $L__BB15_85; mov.u32 %r237, 0; mov.u64 %rd284, 0;\n",
    "mov.u32 %r239, %r237; $L__BB15_83: .pragma \"nounroll\"; add.s64 %rd218, %rd95, %rd284;\n",
    "ld.volatile.u8 %r182, [%rd218]; shl.b32 %r183, %r237, 3; shl.b32 %r184, %r182, %r183;\n",
    "or.b32 %r239, %r184, %r239; add.s32 %r237, %r237, 1; setp.lt.u32 %p84, %r237, 4;\n",
    "cvt.u64.u32 %rd284, %r237; setp.gt.u64 %p85, %rd96, %rd284; and.pred %p86, %p84, %p85;\n",
    "@%p86 bra $L__BB15_83; bra.uni $L__BB15_85; $L__BB15_69: mov.u32 %r239, 0; @%p3 bra $L__BB15_85;\n",
    "mov.u32 %r234, 0; $L__BB15_71: add.s32 %r208, %r232, -16; cvt.u64.u32 %rd204, %r234;\n",
    "add.s64 %rd205, %rd204, %rd73; mul.lo.s64 %rd206, %rd205, 48; add.s64 %rd207, %rd6, %rd206;\n",
    "add.s64 %rd89, %rd207, 40; ld.u32 %r170, [%rd207+40]; sub.s32 %r62, %r208, %r170;\n",
    "ld.u64 %rd90, [%rd207+16]; add.s64 %rd208, %rd90, 3; shr.u64 %rd209, %rd208, 2;\n",
    "cvt.u32.u64 %r171, %rd209; setp.lt.u32 %p73, %r62, %r171; add.s32 %r234, %r234, 1; @%p73 bra $L__BB15_73;\n",
    "setp.lt.u32 %p74, %r234, %r89; mov.u32 %r239, 0; @%p74 bra $L__BB15_71; bra.uni $L__BB15_85; $L__BB15_73:\n",
    "mul.wide.u32 %rd210, %r62, 4; ld.u64 %rd211, [%rd89+-32]; add.s64 %rd91, %rd211, %rd210;\n",
    "sub.s64 %rd92, %rd90, %rd210; setp.lt.u64 %p75, %rd92, 4; @%p75 bra $L__BB15_75;\n",
    "and.b64 %rd212, %rd91, 3; setp.eq.s64 %p76, %rd212, 0; @%p76 bra $L__BB15_78; $L__BB15_75:\n",
    "setp.eq.s64 %p77, %rd92, 0; mov.u32 %r239, 0; @%p77 bra $L__BB15_85; mov.u32 %r235, 0; mov.u64 %rd283, 0;\n",
    "mov.u32 %r239, %r235; $L__BB15_77: .pragma \"nounroll\"; add.s64 %rd214, %rd91, %rd283;\n",
    "ld.volatile.u8 %r176, [%rd214]; shl.b32 %r177, %r235, 3; shl.b32 %r178, %r176, %r177;\n",
    "or.b32 %r239, %r178, %r239; add.s32 %r235, %r235, 1; setp.lt.u32 %p78, %r235, 4;\n",
    "cvt.u64.u32 %rd283, %r235; setp.gt.u64 %p79, %rd92, %rd283; and.pred %p80, %p78, %p79;\n",
    "@%p80 bra $L__BB15_77; bra.uni $L__BB15_85; $L__BB15_84: ld.volatile.u32 %r239, [%rd95];\n",
    "bra.uni $L__BB15_85; $L__BB15_78: ld.volatile.u32 %r239, [%rd91]; $L__BB15_85:\n",
    "mul.wide.u32 %rd223, %r232, 8; add.s64 %rd219, %rd222, %rd223; cvt.u64.u32 %rd224, %r239;\n",
    "shl.b64 %rd225, %rd224, 32; or.b64 %rd220, %rd225, %rd72; st.relaxed.sys.u64 [%rd219], %rd220;\n",
    "add.s32 %r232, %r232, %r52; setp.lt.u32 %p87, %r232, %r102; @%p87 bra $L__BB15_51; $L__BB15_86:\n",
    "mov.u32 %r201, %tid.x; setp.ne.s32 %p103, %r201, 0; @%p103 bra $L__BB15_88;\n",
    "ld.param.u64 %rd249, [sf_resident_publish_kernel_param_0+8];\n",
    "ld.param.u64 %rd248, [sf_resident_publish_kernel_param_0]; cvta.to.global.u64 %rd247, %rd248;\n",
    "add.s64 %rd226, %rd249, 8320; add.s64 %rd227, %rd21, 1; st.relaxed.sys.u64 [%rd226], %rd227;\n",
    "add.s64 %rd228, %rd249, 8328; st.relaxed.sys.u64 [%rd228], %rd20; st.global.u64 [%rd247+224], %rd227;\n",
    "st.global.u64 [%rd247+232], %rd20; st.global.u64 [%rd247+248], %rd61; st.global.u64 [%rd247+280], %rd169;\n",
    "mov.u32 %r185, 0; st.global.u32 [%rd247+288], %r185; st.global.u32 [%rd247+300], %r20; $L__BB15_88:\n",
    "mov.u32 %r202, %tid.x; setp.gt.u32 %p104, %r202, 4; setp.eq.s32 %p90, %r103, 0;\n",
    "or.pred %p91, %p104, %p90; @%p91 bra $L__BB15_95; mov.u32 %r203, %tid.x; setp.eq.s32 %p92, %r203, 2;\n",
    "mov.u64 %rd286, %rd18; @%p92 bra $L__BB15_93; mov.u32 %r204, %tid.x; setp.eq.s32 %p93, %r204, 3;\n",
    "mov.u64 %rd286, %rd287; @%p93 bra $L__BB15_92; mov.u32 %r205, %tid.x; setp.eq.s32 %p94, %r205, 4;\n",
    "selp.b64 %rd286, %rd17, %rd19, %p94; setp.eq.s32 %p95, %r205, 1; mov.u64 %rd287, %rd18;\n",
    "@%p95 bra $L__BB15_93; $L__BB15_92: mov.u64 %rd287, %rd169; $L__BB15_93: setp.eq.s64 %p96, %rd286, 0;\n",
    "@%p96 bra $L__BB15_95; mov.u32 %r206, %tid.x; sub.s64 %rd230, %rd287, %rd286; max.s64 %rd231, %rd230, 0;\n",
    "setp.gt.u64 %p97, %rd231, 31; clz.b64 %r186, %rd231; mov.u32 %r187, 59; sub.s32 %r188, %r187, %r186;\n",
    "selp.b32 %r189, %r188, 0, %p97; setp.lt.u64 %p98, %rd231, 16; cvt.u32.u64 %r190, %rd231;\n",
    "shl.b32 %r191, %r189, 4; shr.u64 %rd232, %rd231, %r189; cvt.u32.u64 %r192, %rd232;\n",
    "add.s32 %r193, %r191, %r192; selp.b32 %r194, %r190, %r193, %p98; min.u32 %r195, %r194, 767;\n",
    "mul.wide.u32 %rd233, %r195, 8; mul.wide.u32 %rd234, %r206, 6176; add.s64 %rd235, %rd5, %rd234;\n",
    "add.s64 %rd236, %rd235, %rd233; add.s64 %rd237, %rd236, 32; atom.add.u64 %rd238, [%rd237], 1;\n",
    "add.s64 %rd239, %rd235, 8; atom.add.u64 %rd240, [%rd239], %rd231; add.s64 %rd241, %rd235, 16;\n",
    "not.b64 %rd242, %rd231; atom.max.u64 %rd243, [%rd241], %rd242; add.s64 %rd244, %rd235, 24;\n",
    "atom.max.u64 %rd245, [%rd244], %rd231; atom.add.u64 %rd246, [%rd235], 1; $L__BB15_95: ret; }\n",
    ".visible .entry sf_resident_turn_kernel( .param .align 8 .b8 sf_resident_turn_kernel_param_0[80] ) {\n",
    ".local .align 8 .b8 __local_depot16[64]; .reg .b64 %SP; .reg .b64 %SPL; .reg .pred %p<372>;\n",
    ".reg .b16 %rs<27>; .reg .b32 %r<620>; .reg .b64 %rd<787>;\n",
    ".shared .align 1 .u8 sf_resident_turn_kernel_goes_on;\n",
    ".shared .align 8 .u64 sf_resident_turn_kernel_submitted; mov.u64 %SPL, __local_depot16;\n",
    "ld.param.v2.u32 {%r225, %r226}, [sf_resident_turn_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r227, %r228}, [sf_resident_turn_kernel_param_0+48];\n",
    "ld.param.v2.u32 {%r229, %r230}, [sf_resident_turn_kernel_param_0+56];\n",
    "ld.param.u64 %rd288, [sf_resident_turn_kernel_param_0]; add.u64 %rd1, %SPL, 0;\n",
    "cvta.to.global.u64 %rd3, %rd288;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd4, %rd3, 40; ld.global.u64 %rd5, [%rd3+40]; ld.global.u64 %rd6, [%rd3+48];\n",
    "ld.global.u64 %rd7, [%rd3+72]; ld.global.u64 %rd8, [%rd3+64]; ld.global.u64 %rd9, [%rd3+56];\n",
    "ld.global.u32 %r1, [%rd3+116]; ld.global.u32 %r235, [%rd3+124]; setp.eq.s32 %p11, %r235, 0;\n",
    "mov.u32 %r20, 0; mov.u32 %r544, %r20; @%p11 bra $L__BB16_2; ld.global.u32 %r544, [%rd4+60]; $L__BB16_2:\n",
    "ld.global.u32 %r6, [%rd4+-24]; ld.global.u32 %r7, [%rd4+92]; ld.global.u32 %r8, [%rd4+96];\n",
    "ld.global.v2.u32 {%r240, %r241}, [%rd4+64]; ld.global.u32 %rd10, [%rd4+72];\n",
    "ld.global.u32 %r11, [%rd4+108]; ld.global.v2.u32 {%r242, %r243}, [%rd4+112];\n",
    "ld.global.u64 %rd11, [%rd4+136]; ld.global.u64 %rd12, [%rd4+144]; ld.global.u64 %rd13, [%rd4+152];\n",
    "ld.global.u64 %rd14, [%rd4+160]; ld.global.u64 %rd15, [%rd4+168]; ld.global.u64 %rd16, [%rd4+176];\n",
    "setp.eq.s32 %p12, %r229, 0; mov.u64 %rd705, 0; mov.u64 %rd21, %rd705; mov.u64 %rd22, %rd705;\n",
    "mov.u64 %rd23, %rd705; mov.u64 %rd24, %rd705; @%p12 bra $L__BB16_4; mul.wide.u32 %rd298, %r228, 48;\n",
    "add.s64 %rd299, %rd8, %rd298; ld.v2.u32 {%r20, %r247}, [%rd299+40]; ld.u64 %rd24, [%rd299+24];\n",
    "ld.u64 %rd23, [%rd299+16]; ld.u64 %rd22, [%rd299+8]; ld.u64 %rd21, [%rd299]; $L__BB16_4:\n",
    "setp.eq.s32 %p13, %r227, 0; mov.u64 %rd706, %rd705; mov.u64 %rd707, %rd705; mov.u64 %rd708, %rd705;\n",
    "@%p13 bra $L__BB16_6; mul.wide.u32 %rd304, %r226, 48; add.s64 %rd305, %rd8, %rd304;\n",
    "ld.u64 %rd708, [%rd305+24]; ld.u64 %rd707, [%rd305+16]; ld.u64 %rd706, [%rd305+8];\n",
    "ld.u64 %rd705, [%rd305]; $L__BB16_6:\n",
    "griddepcontrol.wait;\n",
    "add.s64 %rd306, %rd288, 8; ld.relaxed.sys.u32 %r256, [%rd306]; ld.global.u32 %r33, [%rd4+1336];\n",
    "ld.global.u64 %rd36, [%rd4+312]; ld.global.u64 %rd37, [%rd4+568]; ld.global.u32 %r34, [%rd4+256];\n",
    "ld.global.v2.u32 {%r258, %r259}, [%rd4+248]; ld.global.u64 %rd38, [%rd4+240];\n",
    "ld.global.u64 %rd719, [%rd4+232]; ld.global.u64 %rd40, [%rd4+224]; ld.global.u64 %rd41, [%rd4+216];\n",
    "ld.global.u64 %rd42, [%rd4+208]; ld.global.u64 %rd43, [%rd4+200]; ld.global.u64 %rd44, [%rd4+184];\n",
    "mov.u32 %r37, %tid.x; add.s32 %r38, %r37, -16; setp.lt.u32 %p14, %r37, 16; setp.le.u32 %p15, %r242, %r37;\n",
    "mov.u32 %r551, 0; or.pred %p16, %p14, %p15; @%p16 bra $L__BB16_24; add.s64 %rd307, %rd707, 3;\n",
    "shr.u64 %rd308, %rd307, 2; cvt.u32.u64 %r260, %rd308; setp.lt.u32 %p17, %r38, %r260;\n",
    "@%p17 bra $L__BB16_18; bra.uni $L__BB16_8; $L__BB16_18: mul.wide.u32 %rd320, %r38, 4;\n",
    "add.s64 %rd52, %rd706, %rd320; sub.s64 %rd53, %rd707, %rd320; setp.lt.u64 %p27, %rd53, 4;\n",
    "@%p27 bra $L__BB16_20; and.b64 %rd321, %rd52, 3; setp.eq.s64 %p28, %rd321, 0; @%p28 bra $L__BB16_23;\n",
    "$L__BB16_20: mov.u32 %r551, 0; setp.eq.s64 %p29, %rd53, 0; @%p29 bra $L__BB16_24; mov.u32 %r549, 0;\n",
    "mov.u64 %rd710, 0; mov.u32 %r551, %r549; $L__BB16_22: .pragma \"nounroll\"; add.s64 %rd323, %rd52, %rd710;\n",
    "ld.volatile.u8 %r275, [%rd323]; shl.b32 %r276, %r549, 3; shl.b32 %r277, %r275, %r276;\n",
    "or.b32 %r551, %r277, %r551; add.s32 %r549, %r549, 1; setp.lt.u32 %p30, %r549, 4;\n",
    "cvt.u64.u32 %rd710, %r549; setp.gt.u64 %p31, %rd53, %rd710; and.pred %p32, %p30, %p31;\n",
    "@%p32 bra $L__BB16_22; bra.uni $L__BB16_24; $L__BB16_8: mov.u32 %r551, 0; @%p13 bra $L__BB16_24;\n",
    "cvt.u64.u32 %rd45, %r226; mov.u32 %r546, 0; $L__BB16_10: cvt.u64.u32 %rd309, %r546;\n",
    "add.s64 %rd310, %rd309, %rd45; mul.lo.s64 %rd311, %rd310, 48; add.s64 %rd312, %rd8, %rd311;\n",
    "add.s64 %rd46, %rd312, 40; ld.u32 %r263, [%rd312+40]; sub.s32 %r40, %r38, %r263;\n",
    "ld.u64 %rd47, [%rd312+16]; add.s64 %rd313, %rd47, 3; shr.u64 %rd314, %rd313, 2;\n",
    "cvt.u32.u64 %r264, %rd314; setp.lt.u32 %p19, %r40, %r264; @%p19 bra $L__BB16_12; add.s32 %r546, %r546, 1;\n",
    "setp.lt.u32 %p20, %r546, %r227; mov.u32 %r551, 0; @%p20 bra $L__BB16_10; bra.uni $L__BB16_24;\n",
    "$L__BB16_12: mul.wide.u32 %rd315, %r40, 4; ld.u64 %rd316, [%rd46+-32]; add.s64 %rd48, %rd316, %rd315;\n",
    "sub.s64 %rd49, %rd47, %rd315; setp.lt.u64 %p21, %rd49, 4; @%p21 bra $L__BB16_14;\n",
    "and.b64 %rd317, %rd48, 3; setp.eq.s64 %p22, %rd317, 0; @%p22 bra $L__BB16_17; $L__BB16_14:\n",
    "setp.eq.s64 %p23, %rd49, 0; mov.u32 %r551, 0; @%p23 bra $L__BB16_24; mov.u32 %r547, 0; mov.u64 %rd709, 0;\n",
    "mov.u32 %r551, %r547; $L__BB16_16: .pragma \"nounroll\"; add.s64 %rd319, %rd48, %rd709;\n",
    "ld.volatile.u8 %r269, [%rd319]; shl.b32 %r270, %r547, 3; shl.b32 %r271, %r269, %r270;\n",
    "or.b32 %r551, %r271, %r551; add.s32 %r547, %r547, 1; setp.lt.u32 %p24, %r547, 4;\n",
    "cvt.u64.u32 %rd709, %r547; setp.gt.u64 %p25, %rd49, %rd709; and.pred %p26, %p24, %p25;\n",
    "@%p26 bra $L__BB16_16; bra.uni $L__BB16_24; $L__BB16_23: ld.volatile.u32 %r551, [%rd52];\n",
    "bra.uni $L__BB16_24; $L__BB16_17: ld.volatile.u32 %r551, [%rd48]; $L__BB16_24: setp.ne.s32 %p33, %r37, 0;\n",
    "@%p33 bra $L__BB16_26; mov.u16 %rs6, 0; st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs6;\n",
    "mov.u64 %rd324, 0; st.shared.u64 [sf_resident_turn_kernel_submitted], %rd324; $L__BB16_26:\n",
    "setp.eq.s32 %p35, %r258, 0; mov.pred %p369, -1; @%p35 bra $L__BB16_38; mov.u64 %rd719, %globaltimer;\n",
    "setp.ne.s32 %p37, %r242, 16; mov.pred %p369, 0; or.pred %p39, %p37, %p13; @%p39 bra $L__BB16_38;\n",
    "add.s32 %r279, %r241, -1; cvt.u64.u32 %rd326, %r279; and.b64 %rd59, %rd44, %rd326;\n",
    "cvt.u64.u32 %rd60, %r37; mov.u32 %r280, %ntid.x; cvt.u64.u32 %rd61, %r280; add.s32 %r281, %r227, -1;\n",
    "setp.lt.u32 %p40, %r281, 3; mov.u32 %r554, 0; @%p40 bra $L__BB16_33; and.b32 %r536, %r227, 3;\n",
    "sub.s32 %r553, %r227, %r536; mov.u32 %r554, 0; $L__BB16_30: setp.eq.s32 %p41, %r554, 0;\n",
    "mov.u64 %rd711, %rd705; mov.u64 %rd712, %rd706; mov.u64 %rd713, %rd707; mov.u64 %rd714, %rd708;\n",
    "@%p41 bra $L__BB16_32; add.s32 %r283, %r554, %r226; mul.wide.u32 %rd327, %r283, 48;\n",
    "add.s64 %rd328, %rd8, %rd327; ld.u64 %rd711, [%rd328]; ld.u64 %rd712, [%rd328+8];\n",
    "ld.u64 %rd713, [%rd328+16]; ld.u64 %rd714, [%rd328+24]; $L__BB16_32: mul.lo.s64 %rd329, %rd714, %rd59;\n",
    "add.s64 %rd330, %rd711, %rd329; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd330; .param .b64 param1; st.param.b64 [param1+0], %rd712; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd713; .param .b64 param3; st.param.b64 [param3+0], %rd60; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd61; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r284, %r554, %r226; add.s32 %r285, %r284, 1; mul.wide.u32 %rd331, %r285, 48;\n",
    "add.s64 %rd332, %rd8, %rd331; ld.u64 %rd333, [%rd332+8]; ld.u64 %rd334, [%rd332+16];\n",
    "ld.u64 %rd335, [%rd332+24]; mul.lo.s64 %rd336, %rd335, %rd59; ld.u64 %rd337, [%rd332];\n",
    "add.s64 %rd338, %rd337, %rd336; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd338; .param .b64 param1; st.param.b64 [param1+0], %rd333; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd334; .param .b64 param3; st.param.b64 [param3+0], %rd60; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd61; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r286, %r284, 2; mul.wide.u32 %rd339, %r286, 48; add.s64 %rd340, %rd8, %rd339;\n",
    "ld.u64 %rd341, [%rd340+8]; ld.u64 %rd342, [%rd340+16]; ld.u64 %rd343, [%rd340+24];\n",
    "mul.lo.s64 %rd344, %rd343, %rd59; ld.u64 %rd345, [%rd340]; add.s64 %rd346, %rd345, %rd344; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd346; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd341; .param .b64 param2; st.param.b64 [param2+0], %rd342; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd60; .param .b64 param4; st.param.b64 [param4+0], %rd61; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r287, %r284, 3;\n",
    "mul.wide.u32 %rd347, %r287, 48; add.s64 %rd348, %rd8, %rd347; ld.u64 %rd349, [%rd348+8];\n",
    "ld.u64 %rd350, [%rd348+16]; ld.u64 %rd351, [%rd348+24]; mul.lo.s64 %rd352, %rd351, %rd59;\n",
    "ld.u64 %rd353, [%rd348]; add.s64 %rd354, %rd353, %rd352; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd354; .param .b64 param1; st.param.b64 [param1+0], %rd349; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd350; .param .b64 param3; st.param.b64 [param3+0], %rd60; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd61; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r554, %r554, 4; add.s32 %r553, %r553, -4; setp.ne.s32 %p42, %r553, 0; @%p42 bra $L__BB16_30;\n",
    "$L__BB16_33: and.b32 %r532, %r227, 3; setp.eq.s32 %p44, %r532, 0; @%p44 bra $L__BB16_38;\n",
    "and.b32 %r557, %r227, 3; add.s32 %r555, %r226, %r554; $L__BB16_35: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p45, %r554, 0; mov.u64 %rd715, %rd705; mov.u64 %rd716, %rd706; mov.u64 %rd717, %rd707;\n",
    "mov.u64 %rd718, %rd708; @%p45 bra $L__BB16_37; mul.wide.u32 %rd355, %r555, 48;\n",
    "add.s64 %rd356, %rd8, %rd355; ld.u64 %rd715, [%rd356]; ld.u64 %rd716, [%rd356+8];\n",
    "ld.u64 %rd717, [%rd356+16]; ld.u64 %rd718, [%rd356+24]; $L__BB16_37: mul.lo.s64 %rd357, %rd718, %rd59;\n",
    "add.s64 %rd358, %rd715, %rd357; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd358; .param .b64 param1; st.param.b64 [param1+0], %rd716; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd717; .param .b64 param3; st.param.b64 [param3+0], %rd60; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd61; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r554, %r554, 1; add.s32 %r555, %r555, 1; add.s32 %r557, %r557, -1; setp.ne.s32 %p47, %r557, 0;\n",
    "@%p47 bra $L__BB16_35; $L__BB16_38: bar.sync 0; @%p369 bra $L__BB16_165; setp.lt.u32 %p48, %r37, 32;\n",
    "@%p48 bra $L__BB16_106; bra.uni $L__BB16_40; $L__BB16_106: mov.u32 %r570, 0; mov.u32 %r354, %ntid.x;\n",
    "mov.u32 %r355, 32; min.u32 %r101, %r354, 32; sub.s32 %r356, %r355, %r101; mov.u32 %r357, -1;\n",
    "shr.u32 %r358, %r357, %r356; mov.u64 %rd441, %globaltimer; mov.b64 {%r345,%r346}, %rd441;\n",
    "mov.u32 %r359, 31; shfl.sync.idx.b32 %r348|%p120, %r346, %r570, %r359, %r358;\n",
    "shfl.sync.idx.b32 %r347|%p121, %r345, %r570, %r359, %r358; mov.b64 %rd443, {%r347,%r348};\n",
    "mov.b64 {%r349,%r350}, %rd719; shfl.sync.idx.b32 %r352|%p122, %r350, %r570, %r359, %r358;\n",
    "shfl.sync.idx.b32 %r351|%p123, %r349, %r570, %r359, %r358; mov.b64 %rd750, {%r351,%r352};\n",
    "cvt.u64.u32 %rd446, %r259; cvt.u64.u32 %rd447, %r34; bfi.b64 %rd448, %rd447, %rd446, 32, 32;\n",
    "sub.s64 %rd449, %rd443, %rd41; setp.gt.s64 %p124, %rd449, %rd16; setp.gt.s64 %p125, %rd16, 0;\n",
    "and.pred %p126, %p125, %p124; selp.u64 %rd450, 1, 0, %p126; add.s64 %rd128, %rd42, %rd450;\n",
    "st.local.u64 [%rd1], %rd43; cvt.u64.u32 %rd451, %r256; st.local.u64 [%rd1+8], %rd451;\n",
    "st.local.u64 [%rd1+16], %rd448; st.local.u64 [%rd1+24], %rd41; st.local.u64 [%rd1+32], %rd40;\n",
    "st.local.u64 [%rd1+40], %rd750; st.local.u64 [%rd1+48], %rd443; st.local.u64 [%rd1+56], %rd128;\n",
    "setp.eq.s32 %p127, %r544, 0; or.pred %p128, %p33, %p127; @%p128 bra $L__BB16_109;\n",
    "ld.param.u64 %rd695, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd734, %rd695, 8704;\n",
    "mov.u64 %rd735, %rd3; $L__BB16_108: .pragma \"nounroll\"; ld.global.u64 %rd453, [%rd735+352];\n",
    "st.relaxed.sys.u64 [%rd734], %rd453; add.s64 %rd735, %rd735, 8; add.s64 %rd734, %rd734, 8;\n",
    "add.s32 %r570, %r570, 1; setp.lt.u32 %p129, %r570, %r544; @%p129 bra $L__BB16_108; $L__BB16_109:\n",
    "setp.ne.s32 %p130, %r243, 0; setp.gt.u32 %p131, %r37, 4; or.pred %p132, %p131, %p130;\n",
    "@%p132 bra $L__BB16_116; setp.eq.s32 %p133, %r37, 2; mov.u64 %rd737, %rd40; mov.u64 %rd738, %rd750;\n",
    "@%p133 bra $L__BB16_114; setp.eq.s32 %p134, %r37, 3; mov.u64 %rd737, %rd750; @%p134 bra $L__BB16_113;\n",
    "setp.eq.s32 %p135, %r37, 4; selp.b64 %rd737, %rd38, %rd41, %p135; setp.eq.s32 %p136, %r37, 1;\n",
    "mov.u64 %rd738, %rd40; @%p136 bra $L__BB16_114; $L__BB16_113: mov.u64 %rd738, %rd443; $L__BB16_114:\n",
    "setp.eq.s64 %p137, %rd737, 0; @%p137 bra $L__BB16_116; sub.s64 %rd454, %rd738, %rd737;\n",
    "max.s64 %rd455, %rd454, 0; setp.gt.u64 %p138, %rd455, 31; clz.b64 %r361, %rd455; mov.u32 %r362, 59;\n",
    "sub.s32 %r363, %r362, %r361; selp.b32 %r364, %r363, 0, %p138; setp.lt.u64 %p139, %rd455, 16;\n",
    "cvt.u32.u64 %r365, %rd455; shl.b32 %r366, %r364, 4; shr.u64 %rd456, %rd455, %r364;\n",
    "cvt.u32.u64 %r367, %rd456; add.s32 %r368, %r366, %r367; selp.b32 %r369, %r365, %r368, %p139;\n",
    "min.u32 %r370, %r369, 767; mul.wide.u32 %rd457, %r370, 8; mul.wide.u32 %rd458, %r37, 6176;\n",
    "add.s64 %rd459, %rd7, %rd458; add.s64 %rd460, %rd459, %rd457; add.s64 %rd461, %rd460, 32;\n",
    "atom.add.u64 %rd462, [%rd461], 1; add.s64 %rd463, %rd459, 8; atom.add.u64 %rd464, [%rd463], %rd455;\n",
    "add.s64 %rd465, %rd459, 16; not.b64 %rd466, %rd455; atom.max.u64 %rd467, [%rd465], %rd466;\n",
    "add.s64 %rd468, %rd459, 24; atom.max.u64 %rd469, [%rd468], %rd455; atom.add.u64 %rd470, [%rd459], 1;\n",
    "$L__BB16_116: setp.ne.s32 %p367, %r243, 0; @%p367 bra $L__BB16_118; fence.acq_rel.sys; $L__BB16_118:\n",
    "setp.le.u32 %p366, %r242, %r37; @%p366 bra $L__BB16_155; cvt.u64.u32 %rd471, %r1;\n",
    "and.b64 %rd138, %rd44, %rd471; add.s64 %rd472, %rd44, 1; and.b64 %rd139, %rd472, 4294967295;\n",
    "add.s64 %rd473, %rd707, 3; shr.u64 %rd474, %rd473, 2; cvt.u32.u64 %r104, %rd474;\n",
    "cvt.u64.u32 %rd140, %r226; shl.b64 %rd495, %rd138, 8; add.s64 %rd496, %rd5, %rd495; mov.u32 %r571, %r37;\n",
    "$L__BB16_120: setp.gt.u32 %p142, %r571, 15; mov.u32 %r578, %r551; @%p142 bra $L__BB16_136;\n",
    "shr.u32 %r106, %r571, 1; mul.wide.u32 %rd475, %r106, 8; add.s64 %rd141, %rd1, %rd475;\n",
    "setp.ne.s32 %p143, %r106, 1; mov.u64 %rd740, %rd43; @%p143 bra $L__BB16_123;\n",
    "ld.local.u64 %rd740, [%rd141]; $L__BB16_123: shr.u32 %r538, %r571, 1; setp.ne.s32 %p144, %r538, 2;\n",
    "@%p144 bra $L__BB16_125; ld.local.u64 %rd740, [%rd141]; $L__BB16_125: shr.u32 %r539, %r571, 1;\n",
    "setp.ne.s32 %p145, %r539, 3; @%p145 bra $L__BB16_127; ld.local.u64 %rd740, [%rd141]; $L__BB16_127:\n",
    "shr.u32 %r540, %r571, 1; setp.ne.s32 %p146, %r540, 4; @%p146 bra $L__BB16_129;\n",
    "ld.local.u64 %rd740, [%rd141]; $L__BB16_129: shr.u32 %r541, %r571, 1; setp.ne.s32 %p147, %r541, 5;\n",
    "@%p147 bra $L__BB16_131; ld.local.u64 %rd740, [%rd141]; $L__BB16_131: shr.u32 %r542, %r571, 1;\n",
    "setp.ne.s32 %p148, %r542, 6; @%p148 bra $L__BB16_133; ld.local.u64 %rd740, [%rd141]; $L__BB16_133:\n",
    "shr.u32 %r543, %r571, 1; setp.ne.s32 %p149, %r543, 7; @%p149 bra $L__BB16_135;\n",
    "ld.local.u64 %rd740, [%rd141]; $L__BB16_135: and.b32 %r371, %r571, 1; setp.eq.b32 %p150, %r371, 1;\n",
    "shr.u64 %rd476, %rd740, 32; selp.b64 %rd477, %rd476, %rd740, %p150; cvt.u32.u64 %r578, %rd477;\n",
    "$L__BB16_136: setp.lt.u32 %p151, %r571, 32; setp.gt.u32 %p152, %r101, 31; and.pred %p153, %p152, %p151;\n",
    "setp.lt.u32 %p154, %r571, 16; or.pred %p155, %p154, %p153; @%p155 bra $L__BB16_154;\n",
    "add.s32 %r109, %r571, -16; setp.lt.u32 %p156, %r109, %r104; @%p156 bra $L__BB16_148;\n",
    "bra.uni $L__BB16_138; $L__BB16_148: mul.wide.u32 %rd489, %r109, 4; add.s64 %rd162, %rd706, %rd489;\n",
    "sub.s64 %rd163, %rd707, %rd489; setp.lt.u64 %p166, %rd163, 4; @%p166 bra $L__BB16_150;\n",
    "and.b64 %rd490, %rd162, 3; setp.eq.s64 %p167, %rd490, 0; @%p167 bra $L__BB16_153; $L__BB16_150:\n",
    "setp.eq.s64 %p168, %rd163, 0; mov.u32 %r578, 0; @%p168 bra $L__BB16_154; mov.u32 %r576, 0;\n",
    "mov.u64 %rd747, 0; mov.u32 %r578, %r576; $L__BB16_152: .pragma \"nounroll\";\n",
    "add.s64 %rd492, %rd162, %rd747; ld.volatile.u8 %r386, [%rd492]; shl.b32 %r387, %r576, 3;\n",
    "shl.b32 %r388, %r386, %r387; or.b32 %r578, %r388, %r578; add.s32 %r576, %r576, 1;\n",
    "setp.lt.u32 %p169, %r576, 4; cvt.u64.u32 %rd747, %r576; setp.gt.u64 %p170, %rd163, %rd747;\n",
    "and.pred %p171, %p169, %p170; @%p171 bra $L__BB16_152; bra.uni $L__BB16_154; $L__BB16_138:\n",
    "mov.u32 %r578, 0; @%p13 bra $L__BB16_154; mov.u32 %r573, 0; $L__BB16_140: add.s32 %r537, %r571, -16;\n",
    "cvt.u64.u32 %rd478, %r573; add.s64 %rd479, %rd478, %rd140; mul.lo.s64 %rd480, %rd479, 48;\n",
    "add.s64 %rd481, %rd8, %rd480; add.s64 %rd156, %rd481, 40; ld.u32 %r374, [%rd481+40];\n",
    "sub.s32 %r111, %r537, %r374; ld.u64 %rd157, [%rd481+16]; add.s64 %rd482, %rd157, 3;\n",
    "shr.u64 %rd483, %rd482, 2; cvt.u32.u64 %r375, %rd483; setp.lt.u32 %p158, %r111, %r375;\n",
    "add.s32 %r573, %r573, 1; @%p158 bra $L__BB16_142; setp.lt.u32 %p159, %r573, %r227; mov.u32 %r578, 0;\n",
    "@%p159 bra $L__BB16_140; bra.uni $L__BB16_154; $L__BB16_142: mul.wide.u32 %rd484, %r111, 4;\n",
    "ld.u64 %rd485, [%rd156+-32]; add.s64 %rd158, %rd485, %rd484; sub.s64 %rd159, %rd157, %rd484;\n",
    "setp.lt.u64 %p160, %rd159, 4; @%p160 bra $L__BB16_144; and.b64 %rd486, %rd158, 3;\n",
    "setp.eq.s64 %p161, %rd486, 0; @%p161 bra $L__BB16_147; $L__BB16_144: setp.eq.s64 %p162, %rd159, 0;\n",
    "mov.u32 %r578, 0; @%p162 bra $L__BB16_154; mov.u32 %r574, 0; mov.u64 %rd746, 0; mov.u32 %r578, %r574;\n",
    "$L__BB16_146: .pragma \"nounroll\"; add.s64 %rd488, %rd158, %rd746; ld.volatile.u8 %r380, [%rd488];\n",
    "shl.b32 %r381, %r574, 3; shl.b32 %r382, %r380, %r381; or.b32 %r578, %r382, %r578;\n",
    "add.s32 %r574, %r574, 1; setp.lt.u32 %p163, %r574, 4; cvt.u64.u32 %rd746, %r574;\n",
    "setp.gt.u64 %p164, %rd159, %rd746; and.pred %p165, %p163, %p164; @%p165 bra $L__BB16_146;\n",
    "bra.uni $L__BB16_154; $L__BB16_153: ld.volatile.u32 %r578, [%rd162]; bra.uni $L__BB16_154; $L__BB16_147:\n",
    "ld.volatile.u32 %r578, [%rd158]; $L__BB16_154: mul.wide.u32 %rd497, %r571, 8;\n",
    "add.s64 %rd493, %rd496, %rd497; cvt.u64.u32 %rd498, %r578; shl.b64 %rd499, %rd498, 32;\n",
    "or.b64 %rd494, %rd499, %rd139; st.relaxed.sys.u64 [%rd493], %rd494; add.s32 %r571, %r571, %r101;\n",
    "setp.lt.u32 %p172, %r571, %r242; @%p172 bra $L__BB16_120; $L__BB16_155: @%p33 bra $L__BB16_157;\n",
    "ld.param.u64 %rd694, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd500, %rd694, 8320;\n",
    "add.s64 %rd501, %rd44, 1; st.relaxed.sys.u64 [%rd500], %rd501; add.s64 %rd502, %rd694, 8328;\n",
    "st.relaxed.sys.u64 [%rd502], %rd43; st.global.u64 [%rd4+184], %rd501; st.global.u64 [%rd4+192], %rd43;\n",
    "st.global.u64 [%rd4+208], %rd128; st.global.u64 [%rd4+240], %rd443; mov.u32 %r389, 0;\n",
    "st.global.u32 [%rd4+248], %r389; st.global.u32 [%rd4+260], %r33; $L__BB16_157:\n",
    "setp.gt.u32 %p368, %r37, 4; setp.eq.s32 %p175, %r243, 0; or.pred %p176, %p368, %p175;\n",
    "@%p176 bra $L__BB16_164; setp.eq.s32 %p177, %r37, 2; mov.u64 %rd749, %rd40; @%p177 bra $L__BB16_162;\n",
    "setp.eq.s32 %p178, %r37, 3; mov.u64 %rd749, %rd750; @%p178 bra $L__BB16_161; setp.eq.s32 %p179, %r37, 4;\n",
    "selp.b64 %rd749, %rd38, %rd41, %p179; setp.eq.s32 %p180, %r37, 1; mov.u64 %rd750, %rd40;\n",
    "@%p180 bra $L__BB16_162; $L__BB16_161: mov.u64 %rd750, %rd443; $L__BB16_162:\n",
    "setp.eq.s64 %p181, %rd749, 0; @%p181 bra $L__BB16_164; sub.s64 %rd504, %rd750, %rd749;\n",
    "max.s64 %rd505, %rd504, 0; setp.gt.u64 %p182, %rd505, 31; clz.b64 %r390, %rd505; mov.u32 %r391, 59;\n",
    "sub.s32 %r392, %r391, %r390; selp.b32 %r393, %r392, 0, %p182; setp.lt.u64 %p183, %rd505, 16;\n",
    "cvt.u32.u64 %r394, %rd505; shl.b32 %r395, %r393, 4; shr.u64 %rd506, %rd505, %r393;\n",
    "cvt.u32.u64 %r396, %rd506; add.s32 %r397, %r395, %r396; selp.b32 %r398, %r394, %r397, %p183;\n",
    "min.u32 %r399, %r398, 767; mul.wide.u32 %rd507, %r399, 8; mul.wide.u32 %rd508, %r37, 6176;\n",
    "add.s64 %rd509, %rd7, %rd508; add.s64 %rd510, %rd509, %rd507; add.s64 %rd511, %rd510, 32;\n",
    "atom.add.u64 %rd512, [%rd511], 1; add.s64 %rd513, %rd509, 8; atom.add.u64 %rd514, [%rd513], %rd505;\n",
    "add.s64 %rd515, %rd509, 16; not.b64 %rd516, %rd505; atom.max.u64 %rd517, [%rd515], %rd516;\n",
    "add.s64 %rd518, %rd509, 24; atom.max.u64 %rd519, [%rd518], %rd505; atom.add.u64 %rd520, [%rd509], 1;\n",
    "bra.uni $L__BB16_164; $L__BB16_40: setp.ne.s32 %p49, %r11, 0; setp.lt.u32 %p50, %r37, 64;\n",
    "and.pred %p51, %p50, %p49; @%p51 bra $L__BB16_73; bra.uni $L__BB16_41; $L__BB16_73:\n",
    "add.s32 %r87, %r37, -32; and.b64 %rd407, %rd36, -4294967296; setp.eq.s64 %p81, %rd407, 0;\n",
    "@%p81 bra $L__BB16_75; rem.u64 %rd729, %rd36, %rd10; bra.uni $L__BB16_76; $L__BB16_41:\n",
    "setp.eq.s32 %p52, %r6, 0; or.pred %p54, %p52, %p49; setp.le.u64 %p55, %rd37, %rd36;\n",
    "or.pred %p56, %p54, %p55; @%p56 bra $L__BB16_164; add.s32 %r69, %r37, -32; mov.u32 %r288, %ntid.x;\n",
    "add.s32 %r70, %r288, -32; setp.ne.s32 %p57, %r69, 0; @%p57 bra $L__BB16_56; mov.u64 %rd359, %globaltimer;\n",
    "setp.ne.s32 %p58, %r256, 0; mov.u16 %rs24, 0; @%p58 bra $L__BB16_55; ld.global.u32 %r289, [%rd4+1348];\n",
    "setp.ne.s32 %p59, %r289, 0; @%p59 bra $L__BB16_55; ld.global.u32 %r290, [%rd4+1344];\n",
    "setp.ne.s32 %p60, %r290, 0; @%p60 bra $L__BB16_55; bra.uni $L__BB16_46; $L__BB16_55:\n",
    "st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs24; $L__BB16_56: bar.warp.sync -1; bar.sync 1, %r70;\n",
    "ld.shared.u8 %rs14, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p69, %rs14, 0;\n",
    "setp.ne.s32 %p70, %r7, 0; or.pred %p71, %p70, %p69; @%p71 bra $L__BB16_164;\n",
    "and.b64 %rd371, %rd36, -4294967296; setp.eq.s64 %p72, %rd371, 0; @%p72 bra $L__BB16_59;\n",
    "rem.u64 %rd720, %rd36, %rd10; bra.uni $L__BB16_60; $L__BB16_75: cvt.u32.u64 %r305, %rd10;\n",
    "cvt.u32.u64 %r306, %rd36; rem.u32 %r307, %r306, %r305; cvt.u64.u32 %rd729, %r307; $L__BB16_76:\n",
    "setp.ge.u32 %p82, %r87, %r11; mov.u64 %rd730, 0; @%p82 bra $L__BB16_78; shl.b64 %rd411, %rd729, 7;\n",
    "add.s64 %rd412, %rd6, %rd411; mul.wide.u32 %rd413, %r87, 8; add.s64 %rd410, %rd412, %rd413;\n",
    "ld.relaxed.sys.u64 %rd730, [%rd410]; $L__BB16_78: mov.u64 %rd414, %globaltimer;\n",
    "setp.ne.s32 %p83, %r256, 0; mov.u32 %r308, 0; mov.u32 %r566, %r308; @%p83 bra $L__BB16_90;\n",
    "ld.global.u32 %r310, [%rd4+1348]; setp.ne.s32 %p84, %r310, 0; @%p84 bra $L__BB16_90;\n",
    "ld.global.u32 %r312, [%rd4+1344]; setp.ne.s32 %p85, %r312, 0; mov.u32 %r566, %r308;\n",
    "@%p85 bra $L__BB16_90; bra.uni $L__BB16_81; $L__BB16_90: cvt.u32.u64 %r319, %rd36;\n",
    "add.s32 %r320, %r319, 1; cvt.u32.u64 %r321, %rd730; setp.eq.s32 %p94, %r320, %r321;\n",
    "or.pred %p96, %p94, %p82; mov.u32 %r322, -1; vote.sync.all.pred %p97, %p96, %r322; not.pred %p98, %p97;\n",
    "@%p98 bra $L__BB16_164; setp.ne.s32 %p99, %r566, 0; vote.sync.all.pred %p100, %p99, %r322;\n",
    "not.pred %p101, %p100; @%p101 bra $L__BB16_164; mov.u32 %r567, 0; mov.b64 {%r326,%r327}, %rd730;\n",
    "mov.u32 %r335, 31; mov.u32 %r336, -1; shfl.sync.idx.b32 %r329|%p103, %r327, %r567, %r335, %r336;\n",
    "shfl.sync.idx.b32 %r328|%p104, %r326, %r567, %r335, %r336; mov.b64 %rd427, {%r328,%r329};\n",
    "mov.b64 {%r330,%r331}, %rd730; mov.u32 %r337, 1;\n",
    "shfl.sync.idx.b32 %r333|%p105, %r331, %r337, %r335, %r336;\n",
    "shfl.sync.idx.b32 %r332|%p106, %r330, %r337, %r335, %r336; mov.b64 %rd429, {%r332,%r333};\n",
    "shr.u64 %rd430, %rd427, 32; and.b64 %rd431, %rd429, -4294967296; or.b64 %rd117, %rd431, %rd430;\n",
    "add.s32 %r338, %r11, -2; add.s32 %r92, %r37, -34; setp.ge.u32 %p107, %r92, %r338;\n",
    "or.pred %p108, %p107, %p12; @%p108 bra $L__BB16_104; shr.u64 %rd432, %rd730, 32;\n",
    "cvt.u32.u64 %r93, %rd432; $L__BB16_94: setp.eq.s32 %p109, %r567, 0; mov.u64 %rd731, %rd22;\n",
    "mov.u64 %rd732, %rd23; mov.u32 %r568, %r20; @%p109 bra $L__BB16_96; add.s32 %r340, %r567, %r228;\n",
    "mul.wide.u32 %rd433, %r340, 48; add.s64 %rd434, %rd8, %rd433; ld.u64 %rd731, [%rd434+8];\n",
    "ld.u64 %rd732, [%rd434+16]; ld.u32 %r568, [%rd434+40]; $L__BB16_96: add.s64 %rd435, %rd732, 3;\n",
    "shr.u64 %rd436, %rd435, 2; cvt.u32.u64 %r341, %rd436; sub.s32 %r97, %r92, %r568;\n",
    "setp.ge.u32 %p110, %r97, %r341; @%p110 bra $L__BB16_103; mul.wide.u32 %rd437, %r97, 4;\n",
    "add.s64 %rd122, %rd731, %rd437; sub.s64 %rd123, %rd732, %rd437; setp.lt.u64 %p111, %rd123, 4;\n",
    "@%p111 bra $L__BB16_99; and.b64 %rd438, %rd122, 3; setp.eq.s64 %p112, %rd438, 0; @%p112 bra $L__BB16_102;\n",
    "$L__BB16_99: setp.eq.s64 %p113, %rd123, 0; @%p113 bra $L__BB16_103; mov.u32 %r569, 0; mov.u64 %rd733, 0;\n",
    "$L__BB16_101: .pragma \"nounroll\"; shl.b32 %r343, %r569, 3; shr.u32 %r344, %r93, %r343;\n",
    "add.s64 %rd440, %rd122, %rd733; st.u8 [%rd440], %r344; add.s32 %r569, %r569, 1;\n",
    "setp.lt.u32 %p114, %r569, 4; cvt.u64.u32 %rd733, %r569; setp.gt.u64 %p115, %rd123, %rd733;\n",
    "and.pred %p116, %p114, %p115; @%p116 bra $L__BB16_101; bra.uni $L__BB16_103; $L__BB16_102:\n",
    "st.u32 [%rd122], %r93; $L__BB16_103: add.s32 %r567, %r567, 1; setp.lt.u32 %p117, %r567, %r229;\n",
    "@%p117 bra $L__BB16_94; $L__BB16_104: setp.ne.s32 %p118, %r87, 0; @%p118 bra $L__BB16_164;\n",
    "mov.u16 %rs15, 1; st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs15;\n",
    "st.shared.u64 [sf_resident_turn_kernel_submitted], %rd117; bra.uni $L__BB16_164; $L__BB16_59:\n",
    "cvt.u32.u64 %r294, %rd10; cvt.u32.u64 %r295, %rd36; rem.u32 %r296, %r295, %r294;\n",
    "cvt.u64.u32 %rd720, %r296; $L__BB16_60: @%p57 bra $L__BB16_62; shl.b64 %rd372, %rd720, 3;\n",
    "add.s64 %rd373, %rd9, %rd372; ld.volatile.u64 %rd374, [%rd373];\n",
    "st.shared.u64 [sf_resident_turn_kernel_submitted], %rd374; $L__BB16_62: @%p12 bra $L__BB16_164;\n",
    "cvt.u64.u32 %rd91, %r69; cvt.u64.u32 %rd92, %r70; and.b32 %r564, %r229, 3; add.s32 %r298, %r229, -1;\n",
    "setp.lt.u32 %p75, %r298, 3; mov.u32 %r561, 0; @%p75 bra $L__BB16_68; sub.s32 %r560, %r229, %r564;\n",
    "mov.u32 %r561, 0; $L__BB16_65: setp.eq.s32 %p76, %r561, 0; mov.u64 %rd721, %rd21; mov.u64 %rd722, %rd22;\n",
    "mov.u64 %rd723, %rd23; mov.u64 %rd724, %rd24; @%p76 bra $L__BB16_67; add.s32 %r300, %r561, %r228;\n",
    "mul.wide.u32 %rd375, %r300, 48; add.s64 %rd376, %rd8, %rd375; ld.u64 %rd721, [%rd376];\n",
    "ld.u64 %rd722, [%rd376+8]; ld.u64 %rd723, [%rd376+16]; ld.u64 %rd724, [%rd376+24]; $L__BB16_67:\n",
    "mul.lo.s64 %rd377, %rd724, %rd720; add.s64 %rd378, %rd721, %rd377; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd722; .param .b64 param1; st.param.b64 [param1+0], %rd378;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd723; .param .b64 param3; st.param.b64 [param3+0], %rd91;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd92; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r301, %r561, %r228; add.s32 %r302, %r301, 1; mul.wide.u32 %rd379, %r302, 48;\n",
    "add.s64 %rd380, %rd8, %rd379; ld.u64 %rd381, [%rd380+8]; ld.u64 %rd382, [%rd380+16];\n",
    "ld.u64 %rd383, [%rd380+24]; mul.lo.s64 %rd384, %rd383, %rd720; ld.u64 %rd385, [%rd380];\n",
    "add.s64 %rd386, %rd385, %rd384; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd381; .param .b64 param1; st.param.b64 [param1+0], %rd386; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd382; .param .b64 param3; st.param.b64 [param3+0], %rd91; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd92; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r303, %r301, 2; mul.wide.u32 %rd387, %r303, 48; add.s64 %rd388, %rd8, %rd387;\n",
    "ld.u64 %rd389, [%rd388+8]; ld.u64 %rd390, [%rd388+16]; ld.u64 %rd391, [%rd388+24];\n",
    "mul.lo.s64 %rd392, %rd391, %rd720; ld.u64 %rd393, [%rd388]; add.s64 %rd394, %rd393, %rd392; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd389; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd394; .param .b64 param2; st.param.b64 [param2+0], %rd390; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd91; .param .b64 param4; st.param.b64 [param4+0], %rd92; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r304, %r301, 3;\n",
    "mul.wide.u32 %rd395, %r304, 48; add.s64 %rd396, %rd8, %rd395; ld.u64 %rd397, [%rd396+8];\n",
    "ld.u64 %rd398, [%rd396+16]; ld.u64 %rd399, [%rd396+24]; mul.lo.s64 %rd400, %rd399, %rd720;\n",
    "ld.u64 %rd401, [%rd396]; add.s64 %rd402, %rd401, %rd400; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd397; .param .b64 param1; st.param.b64 [param1+0], %rd402; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd398; .param .b64 param3; st.param.b64 [param3+0], %rd91; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd92; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r561, %r561, 4; add.s32 %r560, %r560, -4; setp.ne.s32 %p77, %r560, 0; @%p77 bra $L__BB16_65;\n",
    "$L__BB16_68: setp.eq.s32 %p78, %r564, 0; @%p78 bra $L__BB16_164; add.s32 %r562, %r228, %r561;\n",
    "$L__BB16_70: .pragma \"nounroll\"; setp.eq.s32 %p79, %r561, 0; mov.u64 %rd725, %rd21;\n",
    "mov.u64 %rd726, %rd22; mov.u64 %rd727, %rd23; mov.u64 %rd728, %rd24; @%p79 bra $L__BB16_72;\n",
    "mul.wide.u32 %rd403, %r562, 48; add.s64 %rd404, %rd8, %rd403; ld.u64 %rd725, [%rd404];\n",
    "ld.u64 %rd726, [%rd404+8]; ld.u64 %rd727, [%rd404+16]; ld.u64 %rd728, [%rd404+24]; $L__BB16_72:\n",
    "mul.lo.s64 %rd405, %rd728, %rd720; add.s64 %rd406, %rd725, %rd405; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd726; .param .b64 param1; st.param.b64 [param1+0], %rd406;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd727; .param .b64 param3; st.param.b64 [param3+0], %rd91;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd92; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r561, %r561, 1; add.s32 %r562, %r562, 1; add.s32 %r564, %r564, -1;\n",
    "setp.eq.s32 %p80, %r564, 0; @%p80 bra $L__BB16_164; bra.uni $L__BB16_70; $L__BB16_164: bar.sync 0;\n",
    "$L__BB16_165: ld.shared.u8 %rs16, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p184, %rs16, 0;\n",
    "@%p184 bra $L__BB16_169; @%p33 bra $L__BB16_338; setp.eq.s32 %p186, %r11, 0; mov.u32 %r400, 0;\n",
    "add.s64 %rd522, %rd36, 1; selp.b64 %rd523, %rd37, %rd522, %p186;\n",
    "ld.shared.u64 %rd170, [sf_resident_turn_kernel_submitted]; mov.u64 %rd521, %globaltimer;\n",
    "st.global.u64 [%rd4+312], %rd522; st.global.u64 [%rd4+568], %rd523; st.global.u32 [%rd4+1360], %r400;\n",
    "st.global.u32 [%rd4+1336], %r225; ld.global.u64 %rd524, [%rd4+192]; add.s64 %rd525, %rd524, 1;\n",
    "st.global.u64 [%rd4+200], %rd525; st.global.u64 [%rd4+224], %rd521; st.global.u64 [%rd4+216], %rd521;\n",
    "mov.u32 %r401, 1; st.global.v2.u32 [%rd4+248], {%r401, %r401}; ld.global.u32 %r402, [%rd4+256];\n",
    "add.s32 %r403, %r402, 1; st.global.u32 [%rd4+256], %r403; setp.eq.s64 %p187, %rd170, 0;\n",
    "setp.le.s64 %p188, %rd521, %rd170; or.pred %p189, %p187, %p188; @%p189 bra $L__BB16_338;\n",
    "st.global.u64 [%rd4+216], %rd170; bra.uni $L__BB16_338; $L__BB16_169: setp.eq.s32 %p190, %r8, 0;\n",
    "@%p190 bra $L__BB16_173; add.s32 %r404, %r241, -1; cvt.u64.u32 %rd526, %r404;\n",
    "ld.global.u64 %rd527, [%rd4+192]; and.b64 %rd171, %rd527, %rd526; cvt.u64.u32 %rd172, %r225; bar.sync 0;\n",
    "setp.eq.s64 %p192, %rd171, %rd172; or.pred %p193, %p33, %p192; @%p193 bra $L__BB16_172; mov.u32 %r405, 0;\n",
    "st.global.u32 [%rd4+248], %r405; $L__BB16_172: setp.ne.s64 %p194, %rd171, %rd172;\n",
    "@%p194 bra $L__BB16_338; $L__BB16_173: setp.ne.s32 %p195, %r11, 0; setp.lt.u32 %p196, %r37, 32;\n",
    "and.pred %p197, %p196, %p195; mov.u32 %r125, %ntid.x; setp.gt.u32 %p198, %r125, 31;\n",
    "and.pred %p199, %p198, %p197; @%p199 bra $L__BB16_257; bra.uni $L__BB16_174; $L__BB16_257:\n",
    "ld.global.u64 %rd227, [%rd4+312]; ld.global.u32 %r174, [%rd4+256]; ld.global.u64 %rd228, [%rd4+192];\n",
    "bar.warp.sync -1; setp.lt.u32 %p282, %r37, %r11; @%p282 bra $L__BB16_259; bra.uni $L__BB16_258;\n",
    "$L__BB16_259: and.b64 %rd605, %rd227, -4294967296; setp.eq.s64 %p283, %rd605, 0; @%p283 bra $L__BB16_261;\n",
    "rem.u64 %rd768, %rd227, %rd10; bra.uni $L__BB16_262; $L__BB16_174: @%p33 bra $L__BB16_306;\n",
    "setp.ne.s32 %p201, %r6, 0; setp.eq.s32 %p202, %r11, 0; and.pred %p203, %p201, %p202;\n",
    "@%p203 bra $L__BB16_185; bra.uni $L__BB16_176; $L__BB16_185: ld.global.u32 %r130, [%rd4+256];\n",
    "mov.u64 %rd764, 0; ld.global.u64 %rd178, [%rd4+192]; ld.global.u64 %rd179, [%rd4+184];\n",
    "ld.global.u64 %rd180, [%rd4+312]; ld.global.u32 %r131, [%rd4+1352];\n",
    "ld.global.v2.u32 {%r412, %r413}, [%rd4+1344]; or.b32 %r132, %r412, %r413;\n",
    "ld.global.u64 %rd181, [%rd4+1368]; mov.u64 %rd537, %globaltimer; ld.global.u32 %r133, [%rd4+1360];\n",
    "ld.global.u64 %rd539, [%rd4+1376]; sub.s64 %rd183, %rd537, %rd539; setp.gt.s64 %p212, %rd183, 49999;\n",
    "@%p212 bra $L__BB16_187; ld.global.u64 %rd764, [%rd4+568]; $L__BB16_187:\n",
    "ld.relaxed.sys.u32 %r150, [%rd306]; ld.global.u64 %rd763, [%rd4+1376]; setp.eq.s32 %p213, %r240, 0;\n",
    "@%p213 bra $L__BB16_200; cvt.u64.u32 %rd187, %r241; mov.u32 %r581, 0; $L__BB16_189:\n",
    "mul.wide.u32 %rd541, %r581, 8; add.s64 %rd542, %rd3, %rd541; ld.global.u64 %rd543, [%rd542+1120];\n",
    "sub.s64 %rd544, %rd179, %rd543; setp.lt.u64 %p214, %rd544, %rd187; add.s32 %r581, %r581, 1;\n",
    "@%p214 bra $L__BB16_199; bra.uni $L__BB16_190; $L__BB16_199: setp.lt.u32 %p223, %r581, %r240;\n",
    "@%p223 bra $L__BB16_189; $L__BB16_200: setp.lt.s64 %p224, %rd183, 50000; setp.eq.s32 %p225, %r133, 0;\n",
    "or.pred %p226, %p225, %p224; @%p226 bra $L__BB16_211;\n",
    "ld.param.u64 %rd699, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd555, %rd699, 128;\n",
    "ld.relaxed.sys.u64 %rd554, [%rd555]; and.b64 %rd556, %rd554, -4611686018427387904;\n",
    "setp.eq.s64 %p227, %rd556, 0; mov.u64 %rd763, %rd537; @%p227 bra $L__BB16_211;\n",
    "mov.u64 %rd557, %globaltimer; add.s64 %rd194, %rd288, 12; mov.u32 %r584, 125; mov.u64 %rd754, %rd557;\n",
    "bra.uni $L__BB16_203; $L__BB16_210: mov.u64 %rd754, %globaltimer; $L__BB16_203: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd754; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r602, [retval0+0]; } setp.ne.s32 %p228, %r602, 2; @%p228 bra $L__BB16_205;\n",
    "mov.u32 %r425, 1; st.relaxed.sys.u32 [%rd194], %r425; $L__BB16_205: setp.eq.s32 %p229, %r602, 0;\n",
    "@%p229 bra $L__BB16_208; bra.uni $L__BB16_206; $L__BB16_208: sub.s64 %rd559, %rd754, %rd557;\n",
    "ld.global.u64 %rd560, [%rd4+160]; setp.gt.s64 %p231, %rd560, %rd559; selp.b64 %rd561, 184, 192, %p231;\n",
    "add.s64 %rd562, %rd3, %rd561; ld.global.u64 %rd563, [%rd4+136]; setp.gt.s64 %p232, %rd563, %rd559;\n",
    "ld.global.u64 %rd196, [%rd562]; setp.lt.s64 %p233, %rd196, 1; or.pred %p234, %p233, %p232;\n",
    "@%p234 bra $L__BB16_210; shl.b32 %r428, %r584, 1; cvt.u64.u32 %rd564, %r428;\n",
    "setp.gt.s64 %p235, %rd196, %rd564; cvt.u32.u64 %r429, %rd196; selp.b32 %r584, %r428, %r429, %p235;\n",
    "nanosleep.u32 %r584; bra.uni $L__BB16_210; $L__BB16_258:\n",
    "ld.param.u64 %rd700, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd769, %rd700, 128;\n",
    "bra.uni $L__BB16_263; $L__BB16_261: cvt.u32.u64 %r461, %rd10; cvt.u32.u64 %r462, %rd227;\n",
    "rem.u32 %r463, %r462, %r461; cvt.u64.u32 %rd768, %r463; $L__BB16_262: shl.b64 %rd606, %rd768, 7;\n",
    "add.s64 %rd607, %rd6, %rd606; mul.wide.u32 %rd608, %r37, 8; add.s64 %rd769, %rd607, %rd608; $L__BB16_263:\n",
    "ld.global.u64 %rd235, [%rd4+1368]; mov.u64 %rd609, %globaltimer; ld.global.u32 %r464, [%rd4+1348];\n",
    "setp.ne.s32 %p284, %r464, 0; mov.u16 %rs17, 1; mov.u16 %rs25, %rs17; @%p284 bra $L__BB16_270;\n",
    "ld.global.u32 %r465, [%rd4+1344]; setp.ne.s32 %p285, %r465, 0; @%p285 bra $L__BB16_270;\n",
    "ld.relaxed.sys.u32 %r466, [%rd306]; setp.ne.s32 %p286, %r466, 0; mov.u16 %rs25, %rs17;\n",
    "@%p286 bra $L__BB16_270; bra.uni $L__BB16_266; $L__BB16_270: setp.eq.s32 %p290, %r37, 31;\n",
    "or.pred %p2, %p290, %p282; add.s64 %rd615, %rd227, 1; cvt.u32.u64 %r177, %rd615;\n",
    "setp.ge.u32 %p3, %r37, %r11; mov.u32 %r605, 0; mov.u32 %r607, 125; not.pred %p295, %p2;\n",
    "mov.u64 %rd770, %rd609; bra.uni $L__BB16_271; $L__BB16_281: selp.u16 %rs25, 1, 0, %p371; $L__BB16_271:\n",
    "and.b16 %rs23, %rs25, 255; setp.ne.s16 %p370, %rs23, 0; setp.lt.s64 %p292, %rd15, 1;\n",
    "or.pred %p293, %p370, %p292; @%p293 bra $L__BB16_273; sub.s64 %rd616, %rd770, %rd235;\n",
    "setp.ge.s64 %p370, %rd616, %rd15; $L__BB16_273: mov.u32 %r470, -1;\n",
    "vote.sync.any.pred %p294, %p370, %r470; @%p294 bra $L__BB16_297; mov.u64 %rd771, 0;\n",
    "@%p295 bra $L__BB16_276; ld.relaxed.sys.u64 %rd771, [%rd769]; $L__BB16_276: cvt.u32.u64 %r472, %rd771;\n",
    "setp.eq.s32 %p296, %r472, %r177; or.pred %p297, %p296, %p3; mov.u32 %r473, -1;\n",
    "vote.sync.all.pred %p298, %p297, %r473; @%p298 bra $L__BB16_282;\n",
    "and.b64 %rd621, %rd771, -4611686018427387904; setp.ne.s64 %p300, %rd621, 0; and.pred %p371, %p3, %p300;\n",
    "mov.u64 %rd770, %globaltimer; sub.s64 %rd243, %rd770, %rd609; add.s32 %r475, %r605, 1;\n",
    "and.b32 %r476, %r475, 15; setp.ne.s32 %p301, %r476, 0; setp.lt.s64 %p302, %rd243, %rd11;\n",
    "selp.b32 %r605, %r475, %r605, %p302; and.pred %p303, %p301, %p302; @%p303 bra $L__BB16_281;\n",
    "setp.gt.s64 %p305, %rd14, %rd243; selp.b64 %rd244, %rd12, %rd13, %p305; setp.lt.s64 %p306, %rd244, 1;\n",
    "or.pred %p307, %p302, %p306; @%p307 bra $L__BB16_280; shl.b32 %r478, %r607, 1; cvt.u64.u32 %rd622, %r478;\n",
    "setp.gt.s64 %p308, %rd244, %rd622; cvt.u32.u64 %r479, %rd244; selp.b32 %r607, %r478, %r479, %p308;\n",
    "nanosleep.u32 %r607; $L__BB16_280: ld.acquire.sys.u32 %r480, [%rd306]; setp.ne.s32 %p309, %r480, 0;\n",
    "or.pred %p371, %p371, %p309; mov.u64 %rd770, %globaltimer; bra.uni $L__BB16_281; $L__BB16_297:\n",
    "mov.u32 %r505, 1; mov.u32 %r612, %r505; @%p33 bra $L__BB16_304; mov.u64 %rd643, %globaltimer;\n",
    "add.s64 %rd258, %rd288, 12; mov.u32 %r611, 125; mov.u64 %rd776, %rd643; bra.uni $L__BB16_299;\n",
    "$L__BB16_341: mov.u64 %rd776, %globaltimer; $L__BB16_299: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b64 param1; st.param.b64 [param1+0], %rd776;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r612, [retval0+0]; } setp.ne.s32 %p331, %r612, 2; @%p331 bra $L__BB16_301;\n",
    "mov.u32 %r507, 1; st.relaxed.sys.u32 [%rd258], %r507; $L__BB16_301: setp.eq.s32 %p332, %r612, 0;\n",
    "@%p332 bra $L__BB16_339; bra.uni $L__BB16_302; $L__BB16_339: sub.s64 %rd687, %rd776, %rd643;\n",
    "ld.global.u64 %rd688, [%rd4+160]; setp.gt.s64 %p361, %rd688, %rd687; selp.b64 %rd689, 184, 192, %p361;\n",
    "add.s64 %rd690, %rd3, %rd689; ld.global.u64 %rd691, [%rd4+136]; setp.gt.s64 %p362, %rd691, %rd687;\n",
    "ld.global.u64 %rd286, [%rd690]; setp.lt.s64 %p363, %rd286, 1; or.pred %p364, %p363, %p362;\n",
    "@%p364 bra $L__BB16_341; shl.b32 %r529, %r611, 1; cvt.u64.u32 %rd692, %r529;\n",
    "setp.gt.s64 %p365, %rd286, %rd692; cvt.u32.u64 %r530, %rd286; selp.b32 %r611, %r529, %r530, %p365;\n",
    "nanosleep.u32 %r611; bra.uni $L__BB16_341; $L__BB16_282: mov.u32 %r608, 0; mov.b64 {%r481,%r482}, %rd771;\n",
    "mov.u32 %r490, 31; shfl.sync.idx.b32 %r484|%p311, %r482, %r608, %r490, %r473;\n",
    "shfl.sync.idx.b32 %r483|%p312, %r481, %r608, %r490, %r473; mov.b64 %rd626, {%r483,%r484};\n",
    "mov.b64 {%r485,%r486}, %rd771; mov.u32 %r612, 1;\n",
    "shfl.sync.idx.b32 %r488|%p313, %r486, %r612, %r490, %r473;\n",
    "shfl.sync.idx.b32 %r487|%p314, %r485, %r612, %r490, %r473; mov.b64 %rd628, {%r487,%r488};\n",
    "shr.u64 %rd630, %rd626, 32; and.b64 %rd631, %rd628, -4294967296; or.b64 %rd247, %rd631, %rd630;\n",
    "mov.u64 %rd629, %globaltimer; add.s32 %r493, %r11, -2; add.s32 %r184, %r37, -2;\n",
    "setp.ge.u32 %p315, %r184, %r493; or.pred %p316, %p315, %p12; @%p316 bra $L__BB16_294;\n",
    "shr.u64 %rd632, %rd771, 32; cvt.u32.u64 %r185, %rd632; $L__BB16_284: setp.eq.s32 %p317, %r608, 0;\n",
    "mov.u64 %rd773, %rd22; mov.u64 %rd774, %rd23; mov.u32 %r609, %r20; @%p317 bra $L__BB16_286;\n",
    "add.s32 %r495, %r608, %r228; mul.wide.u32 %rd633, %r495, 48; add.s64 %rd634, %rd8, %rd633;\n",
    "ld.u64 %rd773, [%rd634+8]; ld.u64 %rd774, [%rd634+16]; ld.u32 %r609, [%rd634+40]; $L__BB16_286:\n",
    "add.s64 %rd635, %rd774, 3; shr.u64 %rd636, %rd635, 2; cvt.u32.u64 %r496, %rd636;\n",
    "sub.s32 %r189, %r184, %r609; setp.ge.u32 %p318, %r189, %r496; @%p318 bra $L__BB16_293;\n",
    "mul.wide.u32 %rd637, %r189, 4; add.s64 %rd253, %rd773, %rd637; sub.s64 %rd254, %rd774, %rd637;\n",
    "setp.lt.u64 %p319, %rd254, 4; @%p319 bra $L__BB16_289; and.b64 %rd638, %rd253, 3;\n",
    "setp.eq.s64 %p320, %rd638, 0; @%p320 bra $L__BB16_292; $L__BB16_289: setp.eq.s64 %p321, %rd254, 0;\n",
    "@%p321 bra $L__BB16_293; mov.u32 %r610, 0; mov.u64 %rd775, 0; $L__BB16_291: .pragma \"nounroll\";\n",
    "shl.b32 %r498, %r610, 3; shr.u32 %r499, %r185, %r498; add.s64 %rd640, %rd253, %rd775;\n",
    "st.u8 [%rd640], %r499; add.s32 %r610, %r610, 1; setp.lt.u32 %p322, %r610, 4; cvt.u64.u32 %rd775, %r610;\n",
    "setp.gt.u64 %p323, %rd254, %rd775; and.pred %p324, %p322, %p323; @%p324 bra $L__BB16_291;\n",
    "bra.uni $L__BB16_293; $L__BB16_292: st.u32 [%rd253], %r185; $L__BB16_293: add.s32 %r608, %r608, 1;\n",
    "setp.lt.u32 %p325, %r608, %r229; @%p325 bra $L__BB16_284; $L__BB16_294: @%p33 bra $L__BB16_304;\n",
    "st.global.u64 [%rd4+312], %rd615; st.global.u64 [%rd4+568], %rd615; mov.u32 %r502, 0;\n",
    "st.global.u32 [%rd4+1360], %r502; st.global.u64 [%rd4+1376], %rd629; add.s64 %rd642, %rd228, 1;\n",
    "st.global.u64 [%rd4+200], %rd642; st.global.u64 [%rd4+224], %rd629; st.global.u64 [%rd4+216], %rd629;\n",
    "mov.u32 %r612, 1; st.global.v2.u32 [%rd4+248], {%r612, %r612}; add.s32 %r503, %r174, 1;\n",
    "st.global.u32 [%rd4+256], %r503; setp.ge.s64 %p327, %rd247, %rd629; setp.eq.s64 %p328, %rd247, 0;\n",
    "or.pred %p329, %p327, %p328; @%p329 bra $L__BB16_304; st.global.u64 [%rd4+216], %rd247;\n",
    "bra.uni $L__BB16_304; $L__BB16_302: setp.ne.s32 %p333, %r612, 1; @%p333 bra $L__BB16_304; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd776; call.uni sfi_resident_take, ( param0, param1 ); } {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r228; .param .b32 param2; st.param.b32 [param2+0], %r229; call.uni\n",
    "sfi_resident_unload, ( param0, param1, param2 ); } mov.u32 %r612, %r505; $L__BB16_304: mov.u32 %r509, 31;\n",
    "mov.u32 %r510, 0; mov.u32 %r511, -1; shfl.sync.idx.b32 %r196|%p10, %r612, %r510, %r509, %r511;\n",
    "@%p33 bra $L__BB16_306; st.shared.u32 [sfi_resident_block_wait_turn], %r196; bra.uni $L__BB16_306;\n",
    "$L__BB16_176: mov.u64 %rd528, %globaltimer; add.s64 %rd174, %rd288, 12; mov.u32 %r579, 125;\n",
    "mov.u64 %rd751, %rd528; bra.uni $L__BB16_177; $L__BB16_184: mov.u64 %rd751, %globaltimer; $L__BB16_177: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd751; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r602, [retval0+0]; } setp.ne.s32 %p204, %r602, 2; @%p204 bra $L__BB16_179;\n",
    "mov.u32 %r407, 1; st.relaxed.sys.u32 [%rd174], %r407; $L__BB16_179: setp.eq.s32 %p205, %r602, 0;\n",
    "@%p205 bra $L__BB16_182; bra.uni $L__BB16_180; $L__BB16_182: sub.s64 %rd530, %rd751, %rd528;\n",
    "ld.global.u64 %rd531, [%rd4+160]; setp.gt.s64 %p207, %rd531, %rd530; selp.b64 %rd532, 184, 192, %p207;\n",
    "add.s64 %rd533, %rd3, %rd532; ld.global.u64 %rd534, [%rd4+136]; setp.gt.s64 %p208, %rd534, %rd530;\n",
    "ld.global.u64 %rd176, [%rd533]; setp.lt.s64 %p209, %rd176, 1; or.pred %p210, %p209, %p208;\n",
    "@%p210 bra $L__BB16_184; shl.b32 %r410, %r579, 1; cvt.u64.u32 %rd535, %r410;\n",
    "setp.gt.s64 %p211, %rd176, %rd535; cvt.u32.u64 %r411, %rd176; selp.b32 %r579, %r410, %r411, %p211;\n",
    "nanosleep.u32 %r579; bra.uni $L__BB16_184; $L__BB16_180: setp.ne.s32 %p206, %r602, 1;\n",
    "@%p206 bra $L__BB16_254; mov.u32 %r602, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b64 param1; st.param.b64 [param1+0], %rd751; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_211: or.b32 %r430, %r132, %r150;\n",
    "setp.ne.s32 %p236, %r430, 0; @%p236 bra $L__BB16_244; bra.uni $L__BB16_212; $L__BB16_244:\n",
    "mov.u64 %rd592, %globaltimer; add.s64 %rd223, %rd288, 12; mov.u32 %r600, 125; mov.u64 %rd767, %rd592;\n",
    "bra.uni $L__BB16_245; $L__BB16_252: mov.u64 %rd767, %globaltimer; $L__BB16_245: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd767; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r602, [retval0+0]; } setp.ne.s32 %p271, %r602, 2; @%p271 bra $L__BB16_247;\n",
    "mov.u32 %r453, 1; st.relaxed.sys.u32 [%rd223], %r453; $L__BB16_247: setp.eq.s32 %p272, %r602, 0;\n",
    "@%p272 bra $L__BB16_250; bra.uni $L__BB16_248; $L__BB16_250: sub.s64 %rd594, %rd767, %rd592;\n",
    "ld.global.u64 %rd595, [%rd4+160]; setp.gt.s64 %p274, %rd595, %rd594; selp.b64 %rd596, 184, 192, %p274;\n",
    "add.s64 %rd597, %rd3, %rd596; ld.global.u64 %rd598, [%rd4+136]; setp.gt.s64 %p275, %rd598, %rd594;\n",
    "ld.global.u64 %rd225, [%rd597]; setp.lt.s64 %p276, %rd225, 1; or.pred %p277, %p276, %p275;\n",
    "@%p277 bra $L__BB16_252; shl.b32 %r456, %r600, 1; cvt.u64.u32 %rd599, %r456;\n",
    "setp.gt.s64 %p278, %rd225, %rd599; cvt.u32.u64 %r457, %rd225; selp.b32 %r600, %r456, %r457, %p278;\n",
    "nanosleep.u32 %r600; bra.uni $L__BB16_252; $L__BB16_248: setp.ne.s32 %p273, %r602, 1;\n",
    "@%p273 bra $L__BB16_254; mov.u32 %r602, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b64 param1; st.param.b64 [param1+0], %rd767; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_190:\n",
    "mov.u64 %rd545, %globaltimer; add.s64 %rd189, %rd288, 12; mov.u32 %r582, 125; mov.u64 %rd753, %rd545;\n",
    "bra.uni $L__BB16_191; $L__BB16_198: mov.u64 %rd753, %globaltimer; $L__BB16_191: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd753; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r602, [retval0+0]; } setp.ne.s32 %p215, %r602, 2; @%p215 bra $L__BB16_193;\n",
    "mov.u32 %r419, 1; st.relaxed.sys.u32 [%rd189], %r419; $L__BB16_193: setp.eq.s32 %p216, %r602, 0;\n",
    "@%p216 bra $L__BB16_196; bra.uni $L__BB16_194; $L__BB16_196: sub.s64 %rd547, %rd753, %rd545;\n",
    "ld.global.u64 %rd548, [%rd4+160]; setp.gt.s64 %p218, %rd548, %rd547; selp.b64 %rd549, 184, 192, %p218;\n",
    "add.s64 %rd550, %rd3, %rd549; ld.global.u64 %rd551, [%rd4+136]; setp.gt.s64 %p219, %rd551, %rd547;\n",
    "ld.global.u64 %rd191, [%rd550]; setp.lt.s64 %p220, %rd191, 1; or.pred %p221, %p220, %p219;\n",
    "@%p221 bra $L__BB16_198; shl.b32 %r422, %r582, 1; cvt.u64.u32 %rd552, %r422;\n",
    "setp.gt.s64 %p222, %rd191, %rd552; cvt.u32.u64 %r423, %rd191; selp.b32 %r582, %r422, %r423, %p222;\n",
    "nanosleep.u32 %r582; bra.uni $L__BB16_198; $L__BB16_194: setp.ne.s32 %p217, %r602, 1;\n",
    "@%p217 bra $L__BB16_254; mov.u32 %r602, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b64 param1; st.param.b64 [param1+0], %rd753; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_266: setp.eq.s32 %p287, %r240, 0;\n",
    "mov.u16 %rs20, 0; mov.u16 %rs25, %rs20; @%p287 bra $L__BB16_270; ld.global.u64 %rd237, [%rd4+184];\n",
    "cvt.u64.u32 %rd238, %r241; mov.u32 %r603, 0; $L__BB16_268: mul.wide.u32 %rd611, %r603, 8;\n",
    "add.s64 %rd612, %rd3, %rd611; ld.global.u64 %rd613, [%rd612+1120]; sub.s64 %rd614, %rd237, %rd613;\n",
    "setp.ge.u64 %p288, %rd614, %rd238; add.s32 %r603, %r603, 1; mov.u16 %rs25, %rs17;\n",
    "@%p288 bra $L__BB16_270; setp.lt.u32 %p289, %r603, %r240; mov.u16 %rs25, %rs20; @%p289 bra $L__BB16_268;\n",
    "bra.uni $L__BB16_270; $L__BB16_81: setp.eq.s32 %p86, %r240, 0; @%p86 bra $L__BB16_85;\n",
    "cvt.u64.u32 %rd115, %r241; add.s64 %rd116, %rd44, 1; mov.u32 %r566, 0; mov.u32 %r565, %r566; $L__BB16_83:\n",
    "mul.wide.u32 %rd415, %r565, 8; add.s64 %rd416, %rd3, %rd415; ld.global.u64 %rd417, [%rd416+1120];\n",
    "sub.s64 %rd418, %rd116, %rd417; setp.ge.u64 %p87, %rd418, %rd115; add.s32 %r565, %r565, 1;\n",
    "@%p87 bra $L__BB16_90; setp.lt.u32 %p88, %r565, %r240; @%p88 bra $L__BB16_83; $L__BB16_85:\n",
    "setp.eq.s32 %p89, %r8, 0; @%p89 bra $L__BB16_87; add.s32 %r316, %r241, -1; cvt.u64.u32 %rd419, %r316;\n",
    "and.b64 %rd420, %rd43, %rd419; cvt.u64.u32 %rd421, %r225; setp.ne.s64 %p90, %rd420, %rd421;\n",
    "mov.u32 %r566, %r308; @%p90 bra $L__BB16_90; $L__BB16_87: ld.global.u64 %rd422, [%rd4+1376];\n",
    "sub.s64 %rd423, %rd414, %rd422; setp.gt.s64 %p91, %rd423, 49999; mov.u32 %r566, %r308;\n",
    "@%p91 bra $L__BB16_90; setp.lt.s64 %p92, %rd15, 1; mov.u32 %r566, 1; @%p92 bra $L__BB16_90;\n",
    "ld.global.u64 %rd424, [%rd4+1368]; sub.s64 %rd425, %rd414, %rd424; setp.lt.s64 %p93, %rd425, %rd15;\n",
    "selp.u32 %r566, 1, 0, %p93; bra.uni $L__BB16_90; $L__BB16_206: setp.ne.s32 %p230, %r602, 1;\n",
    "@%p230 bra $L__BB16_254; mov.u32 %r602, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b64 param1; st.param.b64 [param1+0], %rd754; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_212:\n",
    "ld.param.u64 %rd698, [sf_resident_turn_kernel_param_0+8]; setp.ne.s32 %p237, %r133, 0; mov.u32 %r147, 0;\n",
    "add.s64 %rd199, %rd698, 128; selp.b32 %r148, 64, 1, %p237; selp.u32 %r593, 1, 0, %p237;\n",
    "mov.u32 %r151, 125; mov.u64 %rd205, 0; mov.u64 %rd757, %rd537; $L__BB16_213:\n",
    "sub.s64 %rd567, %rd757, %rd181; setp.ge.s64 %p238, %rd567, %rd15; setp.gt.s64 %p239, %rd15, 0;\n",
    "and.pred %p240, %p239, %p238; @%p240 bra $L__BB16_244; setp.eq.s32 %p241, %r7, 0;\n",
    "@%p241 bra $L__BB16_216; ld.relaxed.gpu.u64 %rd205, [%rd288]; $L__BB16_216:\n",
    "setp.gt.u64 %p242, %rd764, %rd180; @%p242 bra $L__BB16_221; bra.uni $L__BB16_217; $L__BB16_221:\n",
    "@%p241 bra $L__BB16_228; bra.uni $L__BB16_222; $L__BB16_217: @%p241 bra $L__BB16_219;\n",
    "add.s32 %r152, %r593, 1; rem.u32 %r433, %r593, %r148; setp.ne.s32 %p244, %r433, 0; mov.u32 %r593, %r152;\n",
    "@%p244 bra $L__BB16_222; $L__BB16_219: @%p241 bra $L__BB16_227; ld.relaxed.sys.u64 %rd764, [%rd199];\n",
    "mov.u64 %rd763, %rd757; $L__BB16_222: shr.u64 %rd574, %rd205, 32; cvt.u32.u64 %r155, %rd574;\n",
    "setp.eq.s32 %p247, %r131, %r155; cvt.u32.u64 %r434, %rd205; setp.ne.s32 %p248, %r434, 2;\n",
    "and.pred %p249, %p248, %p247; @%p249 bra $L__BB16_228; bra.uni $L__BB16_223; $L__BB16_228:\n",
    "and.b64 %rd578, %rd764, -4611686018427387904; setp.eq.s64 %p251, %rd578, 0; @%p251 bra $L__BB16_238;\n",
    "bra.uni $L__BB16_229; $L__BB16_238: setp.gt.u64 %p260, %rd764, %rd180; @%p260 bra $L__BB16_253;\n",
    "mov.u64 %rd757, %globaltimer; sub.s64 %rd218, %rd757, %rd537; add.s32 %r445, %r147, 1;\n",
    "and.b32 %r446, %r445, 15; setp.ne.s32 %p261, %r446, 0; setp.lt.s64 %p262, %rd218, %rd11;\n",
    "selp.b32 %r147, %r445, %r147, %p262; and.pred %p263, %p261, %p262; @%p263 bra $L__BB16_243;\n",
    "setp.gt.s64 %p265, %rd14, %rd218; selp.b64 %rd219, %rd12, %rd13, %p265; setp.lt.s64 %p266, %rd219, 1;\n",
    "or.pred %p267, %p262, %p266; @%p267 bra $L__BB16_242; shl.b32 %r448, %r151, 1; cvt.u64.u32 %rd589, %r448;\n",
    "setp.gt.s64 %p268, %rd219, %rd589; cvt.u32.u64 %r449, %rd219; selp.b32 %r151, %r448, %r449, %p268;\n",
    "nanosleep.u32 %r151; $L__BB16_242: setp.gt.u32 %p269, %r151, 2000; selp.b32 %r148, 1, %r148, %p269;\n",
    "ld.acquire.sys.u32 %r150, [%rd306]; mov.u64 %rd757, %globaltimer; $L__BB16_243:\n",
    "or.b32 %r451, %r132, %r150; setp.eq.s32 %p270, %r451, 0; @%p270 bra $L__BB16_213; bra.uni $L__BB16_244;\n",
    "$L__BB16_227: ld.acquire.sys.u64 %rd764, [%rd199]; mov.u64 %rd763, %rd757; bra.uni $L__BB16_228;\n",
    "$L__BB16_46: setp.eq.s32 %p61, %r240, 0; @%p61 bra $L__BB16_50; cvt.u64.u32 %rd85, %r241;\n",
    "add.s64 %rd86, %rd44, 1; mov.u32 %r558, 0; $L__BB16_48: mul.wide.u32 %rd360, %r558, 8;\n",
    "add.s64 %rd361, %rd3, %rd360; ld.global.u64 %rd362, [%rd361+1120]; sub.s64 %rd363, %rd86, %rd362;\n",
    "setp.ge.u64 %p62, %rd363, %rd85; add.s32 %r558, %r558, 1; @%p62 bra $L__BB16_55;\n",
    "setp.lt.u32 %p63, %r558, %r240; @%p63 bra $L__BB16_48; $L__BB16_50: setp.eq.s32 %p64, %r8, 0;\n",
    "@%p64 bra $L__BB16_52; add.s32 %r292, %r241, -1; cvt.u64.u32 %rd364, %r292;\n",
    "and.b64 %rd365, %rd43, %rd364; cvt.u64.u32 %rd366, %r225; setp.ne.s64 %p65, %rd365, %rd366;\n",
    "@%p65 bra $L__BB16_55; $L__BB16_52: ld.global.u64 %rd367, [%rd4+1376]; sub.s64 %rd368, %rd359, %rd367;\n",
    "setp.gt.s64 %p66, %rd368, 49999; @%p66 bra $L__BB16_55; setp.lt.s64 %p67, %rd15, 1; mov.u16 %rs24, 1;\n",
    "@%p67 bra $L__BB16_55; ld.global.u64 %rd369, [%rd4+1368]; sub.s64 %rd370, %rd359, %rd369;\n",
    "setp.lt.s64 %p68, %rd370, %rd15; selp.u16 %rs24, 1, 0, %p68; bra.uni $L__BB16_55; $L__BB16_229:\n",
    "mov.u64 %rd579, %globaltimer; add.s64 %rd213, %rd288, 12; mov.u32 %r594, 125; mov.u64 %rd765, %rd579;\n",
    "bra.uni $L__BB16_230; $L__BB16_237: mov.u64 %rd765, %globaltimer; $L__BB16_230: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd765; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r602, [retval0+0]; } setp.ne.s32 %p252, %r602, 2; @%p252 bra $L__BB16_232;\n",
    "mov.u32 %r440, 1; st.relaxed.sys.u32 [%rd213], %r440; $L__BB16_232: setp.eq.s32 %p253, %r602, 0;\n",
    "@%p253 bra $L__BB16_235; bra.uni $L__BB16_233; $L__BB16_235: sub.s64 %rd581, %rd765, %rd579;\n",
    "ld.global.u64 %rd582, [%rd4+160]; setp.gt.s64 %p255, %rd582, %rd581; selp.b64 %rd583, 184, 192, %p255;\n",
    "add.s64 %rd584, %rd3, %rd583; ld.global.u64 %rd585, [%rd4+136]; setp.gt.s64 %p256, %rd585, %rd581;\n",
    "ld.global.u64 %rd215, [%rd584]; setp.lt.s64 %p257, %rd215, 1; or.pred %p258, %p257, %p256;\n",
    "@%p258 bra $L__BB16_237; shl.b32 %r443, %r594, 1; cvt.u64.u32 %rd586, %r443;\n",
    "setp.gt.s64 %p259, %rd215, %rd586; cvt.u32.u64 %r444, %rd215; selp.b32 %r594, %r443, %r444, %p259;\n",
    "nanosleep.u32 %r594; bra.uni $L__BB16_237; $L__BB16_233: setp.ne.s32 %p254, %r602, 1;\n",
    "@%p254 bra $L__BB16_254; mov.u32 %r602, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b64 param1; st.param.b64 [param1+0], %rd765; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_253: add.s64 %rd602, %rd180, 1;\n",
    "st.global.u64 [%rd4+312], %rd602; st.global.u64 [%rd4+568], %rd764; mov.u32 %r459, 0;\n",
    "st.global.u32 [%rd4+1360], %r459; mov.u64 %rd601, %globaltimer; st.global.u64 [%rd4+1376], %rd763;\n",
    "add.s64 %rd603, %rd178, 1; st.global.u64 [%rd4+200], %rd603; st.global.u64 [%rd4+224], %rd601;\n",
    "st.global.u64 [%rd4+216], %rd601; mov.u32 %r602, 1; st.global.v2.u32 [%rd4+248], {%r602, %r602};\n",
    "add.s32 %r460, %r130, 1; st.global.u32 [%rd4+256], %r460; bra.uni $L__BB16_254; $L__BB16_223:\n",
    "@%p247 bra $L__BB16_225; bra.uni $L__BB16_224; $L__BB16_225: mov.u32 %r436, 1;\n",
    "st.relaxed.sys.u32 [%rd288], %r436; bra.uni $L__BB16_226; $L__BB16_224: add.s32 %r435, %r131, 1;\n",
    "st.global.u32 [%rd4+1352], %r435; $L__BB16_226: mov.u32 %r602, 1; st.global.u32 [%rd4+1360], %r602;\n",
    "mov.u64 %rd576, %globaltimer; st.global.u64 [%rd4+1376], %rd763; add.s64 %rd577, %rd178, 1;\n",
    "st.global.u64 [%rd4+200], %rd577; st.global.u64 [%rd4+224], %rd576; st.global.u64 [%rd4+216], %rd576;\n",
    "st.global.v2.u32 [%rd4+248], {%r602, %r602}; add.s32 %r438, %r130, 1; st.global.u32 [%rd4+256], %r438;\n",
    "$L__BB16_254: st.shared.u32 [sfi_resident_block_wait_turn], %r602; setp.ne.s32 %p279, %r602, 1;\n",
    "or.pred %p281, %p202, %p279; @%p281 bra $L__BB16_256; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b32 param1; st.param.b32 [param1+0], %r228; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r229; call.uni sfi_resident_unload, ( param0, param1, param2 ); } $L__BB16_256:\n",
    "ld.global.u64 %rd604, [%rd4+312]; st.shared.u64 [sfi_resident_block_wait_taken], %rd604; $L__BB16_306:\n",
    "bar.sync 0; or.b32 %r512, %r11, %r7; setp.ne.s32 %p335, %r512, 0; mov.u64 %rd777, 0;\n",
    "@%p335 bra $L__BB16_310; ld.shared.u64 %rd646, [sfi_resident_block_wait_taken];\n",
    "add.s64 %rd260, %rd646, -1; and.b64 %rd647, %rd260, -4294967296; setp.eq.s64 %p336, %rd647, 0;\n",
    "@%p336 bra $L__BB16_309; rem.u64 %rd777, %rd260, %rd10; bra.uni $L__BB16_310; $L__BB16_309:\n",
    "cvt.u32.u64 %r513, %rd10; cvt.u32.u64 %r514, %rd260; rem.u32 %r515, %r514, %r513;\n",
    "cvt.u64.u32 %rd777, %r515; $L__BB16_310: ld.shared.u32 %r197, [sfi_resident_block_wait_turn];\n",
    "@%p33 bra $L__BB16_313; ld.param.u64 %rd696, [sf_resident_turn_kernel_param_0+16];\n",
    "st.global.u32 [%rd4+1336], %r225; setp.ne.s32 %p338, %r197, 2; setp.eq.s64 %p339, %rd696, 0;\n",
    "or.pred %p340, %p339, %p338; @%p340 bra $L__BB16_313;\n",
    "ld.param.u64 %rd697, [sf_resident_turn_kernel_param_0+16]; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd697; .param .b32 param1; st.param.b32 [param1+0], 0;\n",
    "call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB16_313: setp.ne.s32 %p341, %r197, 1;\n",
    "or.pred %p343, %p195, %p341; @%p343 bra $L__BB16_338; setp.eq.s32 %p344, %r6, 0; @%p344 bra $L__BB16_332;\n",
    "setp.ne.s32 %p345, %r7, 0; @%p345 bra $L__BB16_336; mov.u32 %r516, 32; rem.u32 %r517, %r516, %r125;\n",
    "setp.ne.s32 %p346, %r37, %r517; mov.u64 %rd778, 0; @%p346 bra $L__BB16_318; shl.b64 %rd649, %rd777, 3;\n",
    "add.s64 %rd650, %rd9, %rd649; ld.volatile.u64 %rd778, [%rd650]; $L__BB16_318: @%p12 bra $L__BB16_329;\n",
    "cvt.u64.u32 %rd268, %r37; cvt.u64.u32 %rd269, %r125; and.b32 %r618, %r229, 3; add.s32 %r519, %r229, -1;\n",
    "setp.lt.u32 %p348, %r519, 3; mov.u32 %r615, 0; @%p348 bra $L__BB16_324; sub.s32 %r614, %r229, %r618;\n",
    "mov.u32 %r615, 0; $L__BB16_321: setp.eq.s32 %p349, %r615, 0; mov.u64 %rd779, %rd21;\n",
    "mov.u64 %rd780, %rd22; mov.u64 %rd781, %rd23; mov.u64 %rd782, %rd24; @%p349 bra $L__BB16_323;\n",
    "add.s32 %r521, %r615, %r228; mul.wide.u32 %rd651, %r521, 48; add.s64 %rd652, %rd8, %rd651;\n",
    "ld.u64 %rd779, [%rd652]; ld.u64 %rd780, [%rd652+8]; ld.u64 %rd781, [%rd652+16];\n",
    "ld.u64 %rd782, [%rd652+24]; $L__BB16_323: mul.lo.s64 %rd653, %rd782, %rd777;\n",
    "add.s64 %rd654, %rd779, %rd653; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd780; .param .b64 param1; st.param.b64 [param1+0], %rd654; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd781; .param .b64 param3; st.param.b64 [param3+0], %rd268; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd269; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r522, %r615, %r228; add.s32 %r523, %r522, 1; mul.wide.u32 %rd655, %r523, 48;\n",
    "add.s64 %rd656, %rd8, %rd655; ld.u64 %rd657, [%rd656+8]; ld.u64 %rd658, [%rd656+16];\n",
    "ld.u64 %rd659, [%rd656+24]; mul.lo.s64 %rd660, %rd659, %rd777; ld.u64 %rd661, [%rd656];\n",
    "add.s64 %rd662, %rd661, %rd660; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd657; .param .b64 param1; st.param.b64 [param1+0], %rd662; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd658; .param .b64 param3; st.param.b64 [param3+0], %rd268; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd269; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r524, %r522, 2; mul.wide.u32 %rd663, %r524, 48; add.s64 %rd664, %rd8, %rd663;\n",
    "ld.u64 %rd665, [%rd664+8]; ld.u64 %rd666, [%rd664+16]; ld.u64 %rd667, [%rd664+24];\n",
    "mul.lo.s64 %rd668, %rd667, %rd777; ld.u64 %rd669, [%rd664]; add.s64 %rd670, %rd669, %rd668; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd665; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd670; .param .b64 param2; st.param.b64 [param2+0], %rd666; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd268; .param .b64 param4; st.param.b64 [param4+0], %rd269; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r525, %r522, 3;\n",
    "mul.wide.u32 %rd671, %r525, 48; add.s64 %rd672, %rd8, %rd671; ld.u64 %rd673, [%rd672+8];\n",
    "ld.u64 %rd674, [%rd672+16]; ld.u64 %rd675, [%rd672+24]; mul.lo.s64 %rd676, %rd675, %rd777;\n",
    "ld.u64 %rd677, [%rd672]; add.s64 %rd678, %rd677, %rd676; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd673; .param .b64 param1; st.param.b64 [param1+0], %rd678; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd674; .param .b64 param3; st.param.b64 [param3+0], %rd268; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd269; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r615, %r615, 4; add.s32 %r614, %r614, -4; setp.ne.s32 %p350, %r614, 0;\n",
    "@%p350 bra $L__BB16_321; $L__BB16_324: setp.eq.s32 %p351, %r618, 0; @%p351 bra $L__BB16_329;\n",
    "add.s32 %r616, %r228, %r615; $L__BB16_326: .pragma \"nounroll\"; setp.eq.s32 %p352, %r615, 0;\n",
    "mov.u64 %rd783, %rd21; mov.u64 %rd784, %rd22; mov.u64 %rd785, %rd23; mov.u64 %rd786, %rd24;\n",
    "@%p352 bra $L__BB16_328; mul.wide.u32 %rd679, %r616, 48; add.s64 %rd680, %rd8, %rd679;\n",
    "ld.u64 %rd783, [%rd680]; ld.u64 %rd784, [%rd680+8]; ld.u64 %rd785, [%rd680+16];\n",
    "ld.u64 %rd786, [%rd680+24]; $L__BB16_328: mul.lo.s64 %rd681, %rd786, %rd777;\n",
    "add.s64 %rd682, %rd783, %rd681; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd784; .param .b64 param1; st.param.b64 [param1+0], %rd682; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd785; .param .b64 param3; st.param.b64 [param3+0], %rd268; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd269; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r615, %r615, 1; add.s32 %r616, %r616, 1; add.s32 %r618, %r618, -1;\n",
    "setp.ne.s32 %p353, %r618, 0; @%p353 bra $L__BB16_326; $L__BB16_329: setp.eq.s64 %p354, %rd778, 0;\n",
    "@%p354 bra $L__BB16_336; mov.u64 %rd683, %globaltimer; setp.ge.s64 %p355, %rd778, %rd683;\n",
    "@%p355 bra $L__BB16_336; st.global.u64 [%rd4+216], %rd778; bra.uni $L__BB16_336; $L__BB16_332:\n",
    "mov.u32 %r526, 32; rem.u32 %r527, %r526, %r125; setp.ne.s32 %p356, %r37, %r527; @%p356 bra $L__BB16_334;\n",
    "{ .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd288; call.uni\n",
    "sfi_resident_when, ( param0 ); } $L__BB16_334: @%p12 bra $L__BB16_336; cvt.u64.u32 %rd684, %r37;\n",
    "cvt.u64.u32 %rd685, %r125; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd288; .param .b32 param1; st.param.b32 [param1+0], %r228; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r229; .param .b64 param3; st.param.b64 [param3+0], %rd684; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd685; call.uni sfi_resident_copy_all, ( param0, param1, param2, param3, param4\n",
    "); } $L__BB16_336: or.pred %p360, %p33, %p12; @%p360 bra $L__BB16_338; mov.u64 %rd686, %globaltimer;\n",
    "st.global.u64 [%rd4+224], %rd686; $L__BB16_338: ret; } .visible .entry sf_resident_check_kernel(\n",
    ".param .align 8 .b8 sf_resident_check_kernel_param_0[80] ) { .reg .pred %p<37>; .reg .b32 %r<74>;\n",
    ".reg .b64 %rd<86>; .shared .align 4 .u32 sf_resident_check_kernel_turn;\n",
    "ld.param.v2.u32 {%r36, %r37}, [sf_resident_check_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r38, %r39}, [sf_resident_check_kernel_param_0+48];\n",
    "ld.param.u64 %rd32, [sf_resident_check_kernel_param_0+24];\n",
    "ld.param.u64 %rd31, [sf_resident_check_kernel_param_0+16];\n",
    "ld.param.u64 %rd29, [sf_resident_check_kernel_param_0]; cvta.to.global.u64 %rd34, %rd29;\n",
    "add.s64 %rd2, %rd34, 64; ld.global.u64 %rd3, [%rd34+64]; ld.global.u64 %rd4, [%rd34+56];\n",
    "ld.global.u32 %r1, [%rd34+16]; ld.global.u32 %r2, [%rd34+132]; ld.global.u32 %r3, [%rd34+148];\n",
    "mov.u32 %r4, %tid.x; setp.ne.s32 %p3, %r4, 0; @%p3 bra $L__BB17_15; mov.u64 %rd9, %globaltimer;\n",
    "add.s64 %rd6, %rd29, 12; bra.uni $L__BB17_2; $L__BB17_6: mov.u32 %r47, 500; nanosleep.u32 %r47;\n",
    "mov.u64 %rd9, %globaltimer; $L__BB17_2: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd29; .param .b64 param1; st.param.b64 [param1+0], %rd9; .param .b32 retval0;\n",
    "call.uni (retval0), sfi_resident_glance, ( param0, param1 ); ld.param.b32 %r5, [retval0+0]; }\n",
    "setp.ne.s32 %p4, %r5, 2; @%p4 bra $L__BB17_4; mov.u32 %r46, 1; st.relaxed.sys.u32 [%rd6], %r46;\n",
    "$L__BB17_4: st.shared.u32 [sf_resident_check_kernel_turn], %r5; setp.ne.s32 %p5, %r5, 0;\n",
    "@%p5 bra $L__BB17_7; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd29;\n",
    ".param .b64 retval0; call.uni (retval0), sfi_resident_device_pending, ( param0 );\n",
    "ld.param.b64 %rd37, [retval0+0]; } setp.eq.s64 %p6, %rd37, 0; @%p6 bra $L__BB17_7; bra.uni $L__BB17_6;\n",
    "$L__BB17_7: mov.u32 %r48, 1; st.relaxed.sys.u32 [%rd29], %r48;\n",
    "ld.shared.u32 %r6, [sf_resident_check_kernel_turn]; setp.eq.s32 %p7, %r6, 1; @%p7 bra $L__BB17_12;\n",
    "bra.uni $L__BB17_8; $L__BB17_12: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd29; .param .b64 param1; st.param.b64 [param1+0], %rd9; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB17_13; $L__BB17_8:\n",
    "ld.global.u64 %rd40, [%rd2+1344]; ld.global.u64 %rd41, [%rd2+216]; max.s64 %rd42, %rd41, %rd40;\n",
    "sub.s64 %rd11, %rd9, %rd42; ld.global.u64 %rd43, [%rd2+136]; setp.lt.s64 %p9, %rd11, %rd43;\n",
    "selp.b64 %rd44, 184, 192, %p9; add.s64 %rd46, %rd34, %rd44; ld.global.u64 %rd12, [%rd46];\n",
    "mov.u32 %r49, 0; st.global.u32 [%rd2+224], %r49; ld.global.u32 %r50, [%rd2+232]; add.s32 %r51, %r50, 1;\n",
    "st.global.u32 [%rd2+232], %r51; setp.ne.s32 %p10, %r6, 0; mov.pred %p36, 0; @%p10 bra $L__BB17_10;\n",
    "ld.global.u64 %rd47, [%rd2+112]; setp.ge.s64 %p36, %rd11, %rd47; $L__BB17_10: setp.lt.s64 %p11, %rd12, 1;\n",
    "not.pred %p12, %p36; or.pred %p13, %p11, %p12; @%p13 bra $L__BB17_13; cvt.u32.u64 %r52, %rd12;\n",
    "nanosleep.u32 %r52; $L__BB17_13: ld.shared.u32 %r53, [sf_resident_check_kernel_turn];\n",
    "setp.eq.s32 %p14, %r53, 1; selp.u32 %r54, 1, 0, %p14; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd32; .param .b32 param1; st.param.b32 [param1+0], %r54; call.uni\n",
    "cudaGraphSetConditional, ( param0, param1 ); } ld.shared.u32 %r55, [sf_resident_check_kernel_turn];\n",
    "setp.ne.s32 %p15, %r55, 2; @%p15 bra $L__BB17_15; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd31; .param .b32 param1; st.param.b32 [param1+0], 0; call.uni\n",
    "cudaGraphSetConditional, ( param0, param1 ); } $L__BB17_15: bar.sync 0;\n",
    "ld.shared.u32 %r56, [sf_resident_check_kernel_turn]; setp.ne.s32 %p16, %r56, 1; setp.ne.s32 %p17, %r3, 0;\n",
    "or.pred %p18, %p17, %p16; @%p18 bra $L__BB17_40; setp.eq.s32 %p19, %r1, 0; @%p19 bra $L__BB17_34;\n",
    "setp.ne.s32 %p20, %r2, 0; @%p20 bra $L__BB17_38; mov.u32 %r9, %ntid.x; mov.u32 %r57, 32;\n",
    "rem.u32 %r58, %r57, %r9; setp.ne.s32 %p21, %r4, %r58; mov.u64 %rd79, 0; @%p21 bra $L__BB17_20;\n",
    "ld.volatile.u64 %rd79, [%rd4]; $L__BB17_20: setp.eq.s32 %p22, %r38, 0; @%p22 bra $L__BB17_31;\n",
    "cvt.u64.u32 %rd15, %r4; cvt.u64.u32 %rd16, %r9; and.b32 %r73, %r38, 3; add.s32 %r60, %r38, -1;\n",
    "setp.lt.u32 %p23, %r60, 3; mov.u32 %r70, 0; @%p23 bra $L__BB17_26; add.s32 %r68, %r37, 3;\n",
    "sub.s32 %r12, %r73, %r38; mov.u32 %r70, 0; $L__BB17_23: setp.eq.s32 %p24, %r70, 0; mov.u64 %rd80, 0;\n",
    "mov.u64 %rd81, %rd80; mov.u64 %rd82, %rd80; @%p24 bra $L__BB17_25; add.s32 %r62, %r37, %r70;\n",
    "mul.wide.u32 %rd52, %r62, 48; add.s64 %rd53, %rd3, %rd52; ld.u64 %rd80, [%rd53]; ld.u64 %rd81, [%rd53+8];\n",
    "ld.u64 %rd82, [%rd53+16]; $L__BB17_25: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd81; .param .b64 param1; st.param.b64 [param1+0], %rd80; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd82; .param .b64 param3; st.param.b64 [param3+0], %rd15; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd16; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r63, %r68, -2; mul.wide.u32 %rd54, %r63, 48; add.s64 %rd55, %rd3, %rd54; ld.u64 %rd56, [%rd55];\n",
    "ld.u64 %rd57, [%rd55+8]; ld.u64 %rd58, [%rd55+16]; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd57; .param .b64 param1; st.param.b64 [param1+0], %rd56; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd58; .param .b64 param3; st.param.b64 [param3+0], %rd15; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd16; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r64, %r68, -1; mul.wide.u32 %rd59, %r64, 48; add.s64 %rd60, %rd3, %rd59; ld.u64 %rd61, [%rd60];\n",
    "ld.u64 %rd62, [%rd60+8]; ld.u64 %rd63, [%rd60+16]; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd62; .param .b64 param1; st.param.b64 [param1+0], %rd61; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd63; .param .b64 param3; st.param.b64 [param3+0], %rd15; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd16; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "mul.wide.u32 %rd64, %r68, 48; add.s64 %rd65, %rd3, %rd64; ld.u64 %rd66, [%rd65]; ld.u64 %rd67, [%rd65+8];\n",
    "ld.u64 %rd68, [%rd65+16]; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd67;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd66; .param .b64 param2; st.param.b64 [param2+0], %rd68;\n",
    ".param .b64 param3; st.param.b64 [param3+0], %rd15; .param .b64 param4; st.param.b64 [param4+0], %rd16;\n",
    "call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r68, %r68, 4;\n",
    "add.s32 %r70, %r70, 4; add.s32 %r65, %r12, %r70; setp.ne.s32 %p25, %r65, 0; @%p25 bra $L__BB17_23;\n",
    "$L__BB17_26: setp.eq.s32 %p26, %r73, 0; @%p26 bra $L__BB17_31; add.s32 %r71, %r37, %r70; $L__BB17_28:\n",
    ".pragma \"nounroll\"; setp.eq.s32 %p27, %r70, 0; mov.u64 %rd83, 0; mov.u64 %rd84, %rd83;\n",
    "mov.u64 %rd85, %rd83; @%p27 bra $L__BB17_30; mul.wide.u32 %rd72, %r71, 48; add.s64 %rd73, %rd3, %rd72;\n",
    "ld.u64 %rd83, [%rd73]; ld.u64 %rd84, [%rd73+8]; ld.u64 %rd85, [%rd73+16]; $L__BB17_30: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd84; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd83; .param .b64 param2; st.param.b64 [param2+0], %rd85; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd15; .param .b64 param4; st.param.b64 [param4+0], %rd16; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r70, %r70, 1;\n",
    "add.s32 %r71, %r71, 1; add.s32 %r73, %r73, -1; setp.ne.s32 %p28, %r73, 0; @%p28 bra $L__BB17_28;\n",
    "$L__BB17_31: setp.eq.s64 %p29, %rd79, 0; @%p29 bra $L__BB17_38; mov.u64 %rd74, %globaltimer;\n",
    "setp.ge.s64 %p30, %rd79, %rd74; @%p30 bra $L__BB17_38; st.global.u64 [%rd2+192], %rd79;\n",
    "bra.uni $L__BB17_38; $L__BB17_34: mov.u32 %r25, %ntid.x; mov.u32 %r66, 32; rem.u32 %r67, %r66, %r25;\n",
    "setp.ne.s32 %p31, %r4, %r67; @%p31 bra $L__BB17_36; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd29; call.uni sfi_resident_when, ( param0 ); } $L__BB17_36:\n",
    "setp.eq.s32 %p32, %r38, 0; @%p32 bra $L__BB17_38; cvt.u64.u32 %rd75, %r4; cvt.u64.u32 %rd76, %r25; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd29; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r37; .param .b32 param2; st.param.b32 [param2+0], %r38; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd75; .param .b64 param4; st.param.b64 [param4+0], %rd76; call.uni\n",
    "sfi_resident_copy_all, ( param0, param1, param2, param3, param4 ); } $L__BB17_38:\n",
    "setp.eq.s32 %p34, %r38, 0; or.pred %p35, %p3, %p34; @%p35 bra $L__BB17_40; mov.u64 %rd77, %globaltimer;\n",
    "st.global.u64 [%rd2+200], %rd77; $L__BB17_40: ret; } .visible .entry sf_resident_copy_kernel(\n",
    ".param .align 8 .b8 sf_resident_copy_kernel_param_0[80] ) { .reg .b32 %r<11>; .reg .b64 %rd<6>;\n",
    "ld.param.v2.u32 {%r1, %r2}, [sf_resident_copy_kernel_param_0+48];\n",
    "ld.param.v2.u32 {%r3, %r4}, [sf_resident_copy_kernel_param_0+40];\n",
    "ld.param.u64 %rd1, [sf_resident_copy_kernel_param_0];\n",
    "griddepcontrol.launch_dependents;\n",
    "griddepcontrol.wait;\n",
    "mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ntid.x; mul.wide.u32 %rd2, %r7, %r8; mov.u32 %r9, %tid.x;\n",
    "cvt.u64.u32 %rd3, %r9; add.s64 %rd4, %rd2, %rd3; mov.u32 %r10, %nctaid.x; mul.wide.u32 %rd5, %r10, %r8; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd1; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r4; .param .b32 param2; st.param.b32 [param2+0], %r1; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd4; .param .b64 param4; st.param.b64 [param4+0], %rd5; call.uni\n",
    "sfi_resident_copy_all, ( param0, param1, param2, param3, param4 ); } ret; }\n",
    ".visible .entry sf_resident_mark_kernel( .param .align 8 .b8 sf_resident_mark_kernel_param_0[80] ) {\n",
    ".reg .pred %p<7>; .reg .b32 %r<39>; .reg .b64 %rd<40>;\n",
    "ld.param.v2.u32 {%r18, %r19}, [sf_resident_mark_kernel_param_0+56];\n",
    "ld.param.v2.u32 {%r20, %r21}, [sf_resident_mark_kernel_param_0+64];\n",
    "ld.param.u64 %rd2, [sf_resident_mark_kernel_param_0]; cvta.to.global.u64 %rd7, %rd2;\n",
    "add.s32 %r2, %r19, -2; setp.eq.s32 %p1, %r20, 2; add.s64 %rd1, %rd7, 32; @%p1 bra $L__BB19_5;\n",
    "bra.uni $L__BB19_1; $L__BB19_5: ld.global.u32 %r27, [%rd1+256]; setp.eq.s32 %p4, %r27, 0;\n",
    "@%p4 bra $L__BB19_7; ld.global.u64 %rd18, [%rd1+40]; add.s32 %r28, %r19, 3; mov.u64 %rd17, %globaltimer;\n",
    "ld.global.u64 %rd19, [%rd1+48]; mul.wide.u32 %rd20, %r2, 8; add.s64 %rd21, %rd19, %rd20;\n",
    "ld.u64 %rd22, [%rd21]; sub.s64 %rd23, %rd17, %rd22; max.s64 %rd24, %rd23, 0; setp.gt.u64 %p5, %rd24, 31;\n",
    "clz.b64 %r29, %rd24; mov.u32 %r30, 59; sub.s32 %r31, %r30, %r29; selp.b32 %r32, %r31, 0, %p5;\n",
    "setp.lt.u64 %p6, %rd24, 16; cvt.u32.u64 %r33, %rd24; shl.b32 %r34, %r32, 4; shr.u64 %rd25, %rd24, %r32;\n",
    "cvt.u32.u64 %r35, %rd25; add.s32 %r36, %r34, %r35; selp.b32 %r37, %r33, %r36, %p6;\n",
    "min.u32 %r38, %r37, 767; mul.wide.u32 %rd26, %r38, 8; mul.wide.u32 %rd27, %r28, 6176;\n",
    "add.s64 %rd28, %rd18, %rd27; add.s64 %rd29, %rd28, %rd26; add.s64 %rd30, %rd29, 32;\n",
    "atom.add.u64 %rd31, [%rd30], 1; add.s64 %rd32, %rd28, 8; atom.add.u64 %rd33, [%rd32], %rd24;\n",
    "add.s64 %rd34, %rd28, 16; not.b64 %rd35, %rd24; atom.max.u64 %rd36, [%rd34], %rd35;\n",
    "add.s64 %rd37, %rd28, 24; atom.max.u64 %rd38, [%rd37], %rd24; atom.add.u64 %rd39, [%rd28], 1;\n",
    "bra.uni $L__BB19_7; $L__BB19_1: ld.global.u32 %r24, [%rd1+256]; or.b32 %r25, %r24, %r21;\n",
    "setp.eq.s32 %p2, %r25, 0; @%p2 bra $L__BB19_3; ld.global.u64 %rd10, [%rd1]; add.s64 %rd8, %rd10, 8448;\n",
    "ld.global.u32 %r26, [%rd1+264]; mul.wide.u32 %rd11, %r26, 65536; cvt.u64.u32 %rd12, %r19;\n",
    "or.b64 %rd9, %rd11, %rd12; st.relaxed.sys.u64 [%rd8], %rd9; $L__BB19_3: setp.ne.s32 %p3, %r20, 1;\n",
    "@%p3 bra $L__BB19_7; mov.u64 %rd13, %globaltimer; mul.wide.u32 %rd14, %r2, 8;\n",
    "ld.global.u64 %rd15, [%rd1+48]; add.s64 %rd16, %rd15, %rd14; st.u64 [%rd16], %rd13; $L__BB19_7: ret; }\n",
    ".visible .entry sf_resident_choose_kernel( .param .align 8 .b8 sf_resident_choose_kernel_param_0[80] ) {\n",
    ".reg .pred %p<4>; .reg .b32 %r<29>; .reg .b64 %rd<17>;\n",
    "ld.param.v2.u32 {%r20, %r21}, [sf_resident_choose_kernel_param_0+64];\n",
    "ld.param.v2.u32 {%r22, %r23}, [sf_resident_choose_kernel_param_0+72];\n",
    "ld.param.u64 %rd11, [sf_resident_choose_kernel_param_0+32];\n",
    "ld.param.u64 %rd10, [sf_resident_choose_kernel_param_0+24];\n",
    "ld.param.u64 %rd7, [sf_resident_choose_kernel_param_0]; setp.eq.s64 %p1, %rd11, 0; @%p1 bra $L__BB20_2;\n",
    "cvta.to.global.u64 %rd12, %rd11; ld.global.u32 %r24, [%rd12]; min.u32 %r28, %r24, %r23;\n",
    "bra.uni $L__BB20_6; $L__BB20_2: cvta.to.global.u64 %rd13, %rd7; cvt.u64.u32 %rd2, %r21;\n",
    "ld.global.u64 %rd3, [%rd13+240]; and.b64 %rd14, %rd3, -4294967296; setp.eq.s64 %p2, %rd14, 0;\n",
    "@%p2 bra $L__BB20_4; rem.u64 %rd16, %rd3, %rd2; bra.uni $L__BB20_5; $L__BB20_4: cvt.u32.u64 %r25, %rd2;\n",
    "cvt.u32.u64 %r26, %rd3; rem.u32 %r27, %r26, %r25; cvt.u64.u32 %rd16, %r27; $L__BB20_5:\n",
    "cvt.u64.u32 %rd15, %r22; setp.eq.s64 %p3, %rd16, %rd15; selp.u32 %r28, 1, 0, %p3; $L__BB20_6: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd10; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r28; call.uni cudaGraphSetConditional, ( param0, param1 ); } ret; }\n",
    ".visible .entry sf_resident_clock_kernel( .param .align 8 .b8 sf_resident_clock_kernel_param_0[80] ) {\n",
    ".reg .pred %p<17>; .reg .b64 %rd<81>; ld.param.u64 %rd6, [sf_resident_clock_kernel_param_0];\n",
    "cvta.to.global.u64 %rd7, %rd6; ld.global.u64 %rd8, [%rd7+32]; mov.u64 %rd5, %globaltimer;\n",
    "add.s64 %rd2, %rd8, 128; add.s64 %rd3, %rd8, 8456; add.s64 %rd4, %rd8, 8328; $L__BB21_1:\n",
    "ld.acquire.sys.u64 %rd9, [%rd2]; setp.eq.s64 %p1, %rd9, 0; @%p1 bra $L__BB21_24; bra.uni $L__BB21_2;\n",
    "$L__BB21_24: mov.u64 %rd79, %globaltimer; sub.s64 %rd80, %rd79, %rd5; setp.lt.s64 %p16, %rd80, 50000001;\n",
    "@%p16 bra $L__BB21_1; bra.uni $L__BB21_25; $L__BB21_2: mov.u64 %rd11, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd11; fence.acq_rel.sys; mov.u64 %rd15, 1; st.relaxed.sys.u64 [%rd4], %rd15;\n",
    "$L__BB21_3: ld.acquire.sys.u64 %rd16, [%rd2]; setp.lt.u64 %p2, %rd16, 2; @%p2 bra $L__BB21_23;\n",
    "bra.uni $L__BB21_4; $L__BB21_23: mov.u64 %rd77, %globaltimer; sub.s64 %rd78, %rd77, %rd5;\n",
    "setp.gt.s64 %p15, %rd78, 50000000; @%p15 bra $L__BB21_25; bra.uni $L__BB21_3; $L__BB21_4:\n",
    "mov.u64 %rd18, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd18; fence.acq_rel.sys; mov.u64 %rd22, 2;\n",
    "st.relaxed.sys.u64 [%rd4], %rd22; $L__BB21_5: ld.acquire.sys.u64 %rd23, [%rd2];\n",
    "setp.lt.u64 %p3, %rd23, 3; @%p3 bra $L__BB21_22; bra.uni $L__BB21_6; $L__BB21_22:\n",
    "mov.u64 %rd75, %globaltimer; sub.s64 %rd76, %rd75, %rd5; setp.gt.s64 %p14, %rd76, 50000000;\n",
    "@%p14 bra $L__BB21_25; bra.uni $L__BB21_5; $L__BB21_6: mov.u64 %rd25, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd25; fence.acq_rel.sys; mov.u64 %rd29, 3; st.relaxed.sys.u64 [%rd4], %rd29;\n",
    "$L__BB21_7: ld.acquire.sys.u64 %rd30, [%rd2]; setp.lt.u64 %p4, %rd30, 4; @%p4 bra $L__BB21_21;\n",
    "bra.uni $L__BB21_8; $L__BB21_21: mov.u64 %rd73, %globaltimer; sub.s64 %rd74, %rd73, %rd5;\n",
    "setp.gt.s64 %p13, %rd74, 50000000; @%p13 bra $L__BB21_25; bra.uni $L__BB21_7; $L__BB21_8:\n",
    "mov.u64 %rd32, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd32; fence.acq_rel.sys; mov.u64 %rd36, 4;\n",
    "st.relaxed.sys.u64 [%rd4], %rd36; $L__BB21_9: ld.acquire.sys.u64 %rd37, [%rd2];\n",
    "setp.lt.u64 %p5, %rd37, 5; @%p5 bra $L__BB21_20; bra.uni $L__BB21_10; $L__BB21_20:\n",
    "mov.u64 %rd71, %globaltimer; sub.s64 %rd72, %rd71, %rd5; setp.gt.s64 %p12, %rd72, 50000000;\n",
    "@%p12 bra $L__BB21_25; bra.uni $L__BB21_9; $L__BB21_10: mov.u64 %rd39, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd39; fence.acq_rel.sys; mov.u64 %rd43, 5; st.relaxed.sys.u64 [%rd4], %rd43;\n",
    "$L__BB21_11: ld.acquire.sys.u64 %rd44, [%rd2]; setp.lt.u64 %p6, %rd44, 6; @%p6 bra $L__BB21_19;\n",
    "bra.uni $L__BB21_12; $L__BB21_19: mov.u64 %rd69, %globaltimer; sub.s64 %rd70, %rd69, %rd5;\n",
    "setp.gt.s64 %p11, %rd70, 50000000; @%p11 bra $L__BB21_25; bra.uni $L__BB21_11; $L__BB21_12:\n",
    "mov.u64 %rd46, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd46; fence.acq_rel.sys; mov.u64 %rd50, 6;\n",
    "st.relaxed.sys.u64 [%rd4], %rd50; $L__BB21_13: ld.acquire.sys.u64 %rd51, [%rd2];\n",
    "setp.lt.u64 %p7, %rd51, 7; @%p7 bra $L__BB21_18; bra.uni $L__BB21_14; $L__BB21_18:\n",
    "mov.u64 %rd67, %globaltimer; sub.s64 %rd68, %rd67, %rd5; setp.gt.s64 %p10, %rd68, 50000000;\n",
    "@%p10 bra $L__BB21_25; bra.uni $L__BB21_13; $L__BB21_14: mov.u64 %rd53, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd53; fence.acq_rel.sys; mov.u64 %rd57, 7; st.relaxed.sys.u64 [%rd4], %rd57;\n",
    "$L__BB21_15: ld.acquire.sys.u64 %rd58, [%rd2]; setp.lt.u64 %p8, %rd58, 8; @%p8 bra $L__BB21_17;\n",
    "bra.uni $L__BB21_16; $L__BB21_17: mov.u64 %rd65, %globaltimer; sub.s64 %rd66, %rd65, %rd5;\n",
    "setp.gt.s64 %p9, %rd66, 50000000; @%p9 bra $L__BB21_25; bra.uni $L__BB21_15; $L__BB21_16:\n",
    "mov.u64 %rd60, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd60; fence.acq_rel.sys; mov.u64 %rd64, 8;\n",
    "st.relaxed.sys.u64 [%rd4], %rd64; $L__BB21_25: ret; } .visible .entry sf_resident_end_kernel(\n",
    ".param .align 8 .b8 sf_resident_end_kernel_param_0[80] ) { .reg .b64 %rd<2>;\n",
    "ld.param.u64 %rd1, [sf_resident_end_kernel_param_0]; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd1; call.uni sfi_resident_end, ( param0 ); } ret; }\n"
};
static const char *sfi_resident_ptx_line(size_t index)
{
    return index < sizeof sfi_resident_ptx / sizeof *sfi_resident_ptx ? sfi_resident_ptx[index] : NULL;
}

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION */
