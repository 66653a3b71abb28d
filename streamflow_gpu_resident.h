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
    bool no_host_writes;                     /* no operator writes, by kernel or copy, into memory of the host or of
                                                another device; the loop then need not wait in each iteration until
                                                such writes have crossed the bus, 1.6 us. If it is not so, a result
                                                may be seen before they are. Of no use, with a warning, where results
                                                are larger than 56 bytes, a port has .data, or any_source */
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
    int64_t submitted, started, finished, published;         /* the GPU's clock, shifted to sf_now(NULL), never one
                                                before the one before it. Against the host's clock: off by up to 2 us
                                                when it is built, and what the clocks have drifted since; against
                                                each other by a step of the GPU's clock, 32 ns to 1 us */
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

/* What would make an iteration faster, told when the loop is built. None of it changes a result. */
typedef enum sf_resident_advice_kind {
    SF_RESIDENT_ADVICE_PROGRAMMATIC,         /* `count` kernels that could start early: let them wait by themselves
                                                and set sf_kernel.programmatic */
    SF_RESIDENT_ADVICE_FUSE,                 /* `count` operators into one kernel, if one block is enough for them:
                                                sf_resident_desc.fused */
    SF_RESIDENT_ADVICE_UNROLL,               /* .loop AUTO or UNROLLED, with .slots `count` */
    SF_RESIDENT_ADVICE_SLOTS,                /* .slots `count`: fewer, which can be unrolled, or more, among which a
                                                turn of the loop is shared */
    SF_RESIDENT_ADVICE_NOT_MEASURED,         /* measure_operators off, of `count` operators */
    SF_RESIDENT_ADVICE_NO_HOST_WRITES,       /* no_host_writes, if it is true */
    SF_RESIDENT_ADVICE_SMALL                 /* requests, results, or both are larger than the 56 bytes that travel
                                                with their number: make each at most 56. `count`: bytes of those that
                                                are larger, added up */
} sf_resident_advice_kind;
typedef struct sf_resident_advice {
    sf_resident_advice_kind kind;
    uint32_t count;
    int64_t saves;                           /* ns: so much less is `predicted` of a loop that follows it alone */
} sf_resident_advice;
enum { SF_RESIDENT_ADVICES = 8 };

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
    int64_t predicted;                       /* from submit to result, seen from the host, ns on an H100, without the
                                                kernels' own time */
    uint32_t advice_count;                   /* when it is built; what saves most comes first */
    sf_resident_advice advice[SF_RESIDENT_ADVICES];
    size_t device_bytes, host_bytes;
} sf_resident_info;

/* One that is over before it begins, by what sf_resident_slot says of the clocks, counts as 0. */
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
    SF_RESIDENT_REPORT_PLAN,                 /* in words: nodes, buffers, predicted cost, what would be faster */
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
    uint32_t by_device;                      /* so many triggers that came the short way last were marks; at most 8 */
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
    const volatile unsigned char *byte = (const volatile unsigned char *)at;
    if (left >= 4 && !((uintptr_t)at & 3)) { return *(const volatile uint32_t *)at; }
    SFI_RESIDENT_ROLLED
    for (uint32_t n = 0; n < 4 && n < left; n++) { word |= (uint32_t)byte[n] << 8 * n; }
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
    uint64_t word = (&r->sequence)[i / 2];
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
    SFI_RESIDENT_ROLLED
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
    uint64_t used;                           /* requests that the loop has read, as it was looked up last */
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
    sf_graph_node *before, *last;            /* its last node in the first pass, and what is before all of its, a
                                                mark or another's; NULL: several, or it is in a branch */
    bool first, joins;                       /* nothing comes before it in an iteration; several do */
    uint32_t plain, late;                    /* its kernels that could start early, and do not; less one that is
                                                first: in an exact loop nobody sees what that one does */
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
    uint32_t advice_count;
    sf_resident_advice advice[SF_RESIDENT_ADVICES];
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
        if (out->bytes && out->bytes != in->bytes) {
            sfi_resident_warn(r, where, "its own memory is used: the output's size is ignored", SFI_LAST);
        }
        out->data = in->data;
        if (in->bytes) { out->bytes = in->bytes; }
    } else if (out->data && !in->data && !e->delay) {
        if (in->bytes && in->bytes != out->bytes) {
            sfi_resident_warn(r, where, "the output's memory is used: the input's size is ignored", SFI_LAST);
        }
        if (in->bytes && !out->bytes) { out->bytes = in->bytes; }
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
static const char *sfi_resident_needs_fence(const sf_resident *r, bool results_in_line, const char **where)
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
    return r->sink_count && !results_in_line ? "its results are larger than 56 bytes" : NULL;
}
static void sfi_resident_choose_fence(sf_resident *r)
{
    const char *where, *why = sfi_resident_needs_fence(r, sfi_resident_results_in_line(r), &where);
    if (!r->desc.no_host_writes) { return; }
    r->unfenced = !why;
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
    SFI_RESIDENT_STEP("loop deliver");
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
    { "sf_resident_begin_kernel", sfi_resident_begin_body, NULL, 1, true, 100 },
    { "sf_resident_wait_kernel", sfi_resident_wait_body, NULL, 1, true, 100 },
    { "sf_resident_publish_kernel", sfi_resident_publish_body, NULL, 1, true, 100 },
    { "sf_resident_turn_kernel", sfi_resident_turn_body, NULL, 1, true, 100 },
    { "sf_resident_check_kernel", sfi_resident_check_body, NULL, 1, true, 100 },
    { "sf_resident_copy_kernel", sfi_resident_copy_body, NULL, 8, true, 1000 },
    { "sf_resident_mark_kernel", sfi_resident_mark_body, NULL, 1, true, 100 },
    { "sf_resident_choose_kernel", sfi_resident_choose_body, NULL, 1, true, 100 },
    { "sf_resident_end_kernel", sfi_resident_end_body, NULL, 1, true, 100 },
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
static bool sfi_resident_early(const sf_resident *r)         /* a host device's edges only say so */
{
    return (r->on_host || r->capability >= 90) && !r->desc.no_programmatic_launch;
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
static sf_result sfi_resident_one_tail(sf_resident *r, sf_stream *s, sf_graph_node **node)   /* NULL: none, several */
{
    sfi_resident_tails now;
    sf_result result;
    memset(&now, 0, sizeof now);
    result = sfi_resident_read_tails(r, s, &now);
    *node = result >= 0 && now.count == 1 ? now.items[0].node : NULL;
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
    if (!c->pass && op->branch == SFI_RESIDENT_NONE) {
        result = sfi_resident_one_tail(r, s, &op->before);
        op->joins = before->count > 1;
    }
    if (result < 0) { return sfi_resident_device_failed(r, result, op->name, "sf_resident_build"); }
    count = c->any ? 0 : sfi_resident_count_nodes(c->body);
    result = sfi_resident_call_hook(r, op, op->is.compute, s, c->pass, "its compute");
    if (result >= 0) { result = sfi_resident_captured(c, op, s); }
    if (result < 0) { return result; }
    c->any = c->any || sfi_resident_count_nodes(c->body) > count;        /* a mirror of the driver's: not each time */
    if (!c->pass) { sfi_resident_check_emitted(r, op); }
    if (!c->pass && op->branch == SFI_RESIDENT_NONE) { result = sfi_resident_one_tail(r, s, &op->last); }
    if (result >= 0 && r->desc.measure_operators) { result = sfi_resident_mark_op(c, op, s, SFI_RESIDENT_MARK_END); }
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
        if (item < (int32_t)r->op_count) { r->ops[item]->first = !before.count; }
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

/* -- what it costs, and what would be faster -- */

/* ns, measured on an H100: a request and its result in words with numbers, of which the fence; what travels beside
   them; a turn of the loop; a node behind another, and how much earlier it starts programmatic; a conditional. */
enum {
    SFI_RESIDENT_NS_WORDS = 4900, SFI_RESIDENT_NS_FENCE = 1600, SFI_RESIDENT_NS_BESIDE = 1200,
    SFI_RESIDENT_NS_TURN = 4000, SFI_RESIDENT_NS_NODE = 900, SFI_RESIDENT_NS_EARLY = 200,
    SFI_RESIDENT_NS_CONDITIONAL = 4300, SFI_RESIDENT_NS_SUBMIT_KIB = 100, SFI_RESIDENT_NS_RESULT_KIB = 40
};

/* From its last node back to what was before it, as long as one comes after one. Kernels that come after a kernel by
   a full edge could start early. */
static void sfi_resident_walk(sfi_resident_op *op, uint32_t *steps)
{
    sf_graph_node *node = op->last;
    sf_node_type type, earlier;
    sf_dependency after;
    bool plain, outer;
    int count;
    op->plain = op->late = 0;
    for (; node && node != op->before && *steps; node = after.node, --*steps) {
        count = 0;
        if (sf_graph_node_get_dependencies(node, &after, 1, &count) < 0 || count != 1) { return; }
        if (sf_graph_node_get_type(node, &type) < 0 || sf_graph_node_get_type(after.node, &earlier) < 0) { return; }
        plain = type == SF_NODE_KERNEL && earlier == SF_NODE_KERNEL && after.type == SF_EDGE_FULL;
        outer = after.node == op->before;
        op->plain += plain && !(outer && op->joins);
        op->late += plain && !(outer && (op->joins || op->first));
    }
}
/* All that a prediction depends on. Advice says what it would be with one of it changed. */
typedef struct sfi_resident_cost {
    bool requests_in_line, results_in_line, unfenced, fused, measured, fast;
    int64_t passes, behind, late;            /* nodes that come after another one; kernels that start late of these */
} sfi_resident_cost;

static int64_t sfi_resident_bus_time(const sf_resident *r, const sfi_resident_cost *c)
{
    int64_t ns = SFI_RESIDENT_NS_WORDS - (c->unfenced ? (int64_t)SFI_RESIDENT_NS_FENCE : 0);
    if (r->source_count && !c->requests_in_line) {
        ns += SFI_RESIDENT_NS_BESIDE + (int64_t)(r->in_bytes / 1024) * SFI_RESIDENT_NS_SUBMIT_KIB;
    }
    if (r->sink_count && !c->results_in_line) {
        ns += (int64_t)(r->out_bytes / 1024) * SFI_RESIDENT_NS_RESULT_KIB;
    }
    return ns;
}
static int64_t sfi_resident_marked(const sf_resident *r)     /* operators whose marks are in the loop's body itself */
{
    int64_t n = 0;
    uint32_t i;
    for (i = 0; i < r->op_count; i++) {
        n += r->ops[i]->branch == SFI_RESIDENT_NONE && (!r->handler || r->ops[i]->handler);
    }
    return n;
}
static int64_t sfi_resident_time_of(const sf_resident *r, const sfi_resident_cost *c)
{
    int64_t ns = sfi_resident_bus_time(r, c), turn = SFI_RESIDENT_NS_TURN / c->passes, marks, early;
    if (c->fused) { return ns; }
    marks = r->desc.no_stages ? 0 : sfi_resident_marked(r);  /* these, and what they stand between, are not early */
    if (c->measured) { marks = c->behind; }
    early = sfi_resident_early(r) && c->behind > marks + c->late ? c->behind - marks - c->late : 0;
    ns += turn + c->behind * SFI_RESIDENT_NS_NODE - early * SFI_RESIDENT_NS_EARLY;
    ns += (int64_t)r->branch_count * SFI_RESIDENT_NS_CONDITIONAL;
    return r->handler ? ns + SFI_RESIDENT_NS_CONDITIONAL + turn : ns;
}
/* What saves most comes first; what saves nothing is none. */
static void sfi_resident_advise(sf_resident *r, sf_resident_advice_kind kind, uint64_t count,
                                const sfi_resident_cost *then)
{
    uint32_t i = r->advice_count;
    int64_t saves = r->predicted - sfi_resident_time_of(r, then);
    if (saves <= 0 || !count || i == SF_RESIDENT_ADVICES) { return; }
    for (; i > 0 && r->advice[i - 1].saves < saves; i--) { r->advice[i] = r->advice[i - 1]; }
    r->advice[i].kind = kind;
    r->advice[i].count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    r->advice[i].saves = saves;
    r->advice_count++;
}
static bool sfi_resident_could_fuse(const sf_resident *r)
{
    uint32_t i;
    if (r->handler || r->branch_count) { return false; }
    for (i = 0; i < r->edge_count; i++) {
        if (r->edges[i]->delay) { return false; }
    }
    for (i = 0; i < r->op_count; i++) {
        if (r->ops[i]->count[0] > SF_DESC_PORTS || r->ops[i]->count[1] > SF_DESC_PORTS) { return false; }
    }
    return true;
}
static void sfi_resident_advise_shape(sf_resident *r, sfi_resident_cost c)
{
    const char *op, *port;
    size_t bytes = sfi_resident_buffer_bytes(r);
    bool asked = r->desc.loop == SF_RESIDENT_LOOP_EXACT || r->desc.loop == SF_RESIDENT_LOOP_FAST;
    uint32_t slots = 8;
    if (sfi_resident_not_unrolled(r, &op, &port)) { return; }
    while (slots > 1 && bytes > SFI_RESIDENT_UNROLL / slots) { slots /= 2; }     /* with which AUTO unrolls */
    if (asked && r->desc.slots > 1 && bytes <= SFI_RESIDENT_UNROLL / r->desc.slots) { slots = r->desc.slots; }
    if (slots == 1) { return; }
    c.behind -= c.fast;                      /* one node of the loop's own less: to publish and to wait are one */
    c.passes = (int64_t)slots;
    sfi_resident_advise(r, asked ? SF_RESIDENT_ADVICE_UNROLL : SF_RESIDENT_ADVICE_SLOTS, slots, &c);
}
static void sfi_resident_advise_bus(sf_resident *r, sfi_resident_cost c)
{
    const char *where;
    bool in = r->source_count == 1 && !c.requests_in_line && r->in_bytes <= 1024;
    bool out = r->sink_count && !c.results_in_line && r->out_bytes <= 1024;
    sfi_resident_cost quiet = c;
    if (r->handler || r->desc.overflow == SF_OVERFLOW_LATEST) { in = false; }
    quiet.unfenced = !sfi_resident_needs_fence(r, c.results_in_line, &where);
    if (!r->desc.no_host_writes) { sfi_resident_advise(r, SF_RESIDENT_ADVICE_NO_HOST_WRITES, 1, &quiet); }
    c.requests_in_line = c.requests_in_line || in;
    c.results_in_line = c.results_in_line || out;
    c.unfenced = r->desc.no_host_writes && !sfi_resident_needs_fence(r, c.results_in_line, &where);
    sfi_resident_advise(r, SF_RESIDENT_ADVICE_SMALL, (in ? r->in_bytes : 0) + (out ? r->out_bytes : 0), &c);
}
static void sfi_resident_advise_work(sf_resident *r, sfi_resident_cost c, uint64_t plain)
{
    sfi_resident_cost then = c;
    then.late = 0;
    sfi_resident_advise(r, SF_RESIDENT_ADVICE_PROGRAMMATIC, c.measured ? 0 : plain, &then);
    then = c;
    then.fused = true;
    sfi_resident_advise(r, SF_RESIDENT_ADVICE_FUSE, sfi_resident_could_fuse(r) ? r->op_count : 0, &then);
    sfi_resident_advise_shape(r, c);
    then = c;
    then.measured = false;
    if (c.measured) { then.behind -= sfi_resident_marked(r) * (r->desc.no_stages ? 2 : 1); }
    sfi_resident_advise(r, SF_RESIDENT_ADVICE_NOT_MEASURED, r->op_count, &then);
}
static void sfi_resident_predict(sf_resident *r)
{
    uint32_t steps = r->nodes ? 65536 / r->nodes : 0, i;     /* each one looks at all nodes */
    uint64_t plain = 0;
    sfi_resident_cost c;
    c.requests_in_line = r->line_words != 0;
    c.results_in_line = sfi_resident_results_in_line(r);
    c.unfenced = r->unfenced;
    c.fused = r->loop == SF_RESIDENT_LOOP_FUSED;
    c.measured = r->desc.measure_operators;
    c.fast = r->loop == SF_RESIDENT_LOOP_FAST || (r->loop == SF_RESIDENT_LOOP_UNROLLED && r->passes == 1);
    c.passes = (int64_t)r->passes;
    c.behind = (int64_t)(r->nodes / r->passes) - 1;
    c.late = 0;
    for (i = 0; i < r->op_count && !c.fused; i++) {
        sfi_resident_walk(r->ops[i], &steps);
        plain += r->ops[i]->plain;
        c.late += r->ops[i]->late;
    }
    r->predicted = sfi_resident_time_of(r, &c);
    sfi_resident_advise_bus(r, c);
    if (!c.fused) { sfi_resident_advise_work(r, c, plain); }
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
static uint64_t sfi_resident_completed(const sf_resident *r);
static uint64_t sfi_resident_last_record(const sf_resident *r, sfi_resident_record *to);
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
    sfi_resident_record rec;
    uint64_t completed = sfi_resident_last_record(r, &rec), done = sfi_resident_done(r);
    uint64_t stage = sfi_resident_load(&board->stage), submitted;
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
    sfi_resident_record rec;
    char text[128];
    sfi_resident_text t;
    uint32_t by;
    bool inside;
    if (code == SF_ERROR_MISMATCH && r->desc.fused && !sfi_resident_load(&r->mail->board.began) &&
        !sfi_resident_load(sfi_resident_raised_at(r->mail))) {
        sfi_resident_store32(&r->raised_by, 0);
        return sfi_resident_fail_untold(r, told, code, "", "sf_resident_launch",
                                        "SF_RESIDENT_FUSED() has not as many functions as operators were added: one "
                                        "for each, in order", SFI_LAST);
    }
    if (sfi_resident_last_record(r, &rec) <= r->old_results) { memset(&rec, 0, sizeof rec); }
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
/* The last request that is behind the loop: that of the newest result, or one that the end has dropped. */
static uint64_t sfi_resident_done(const sf_resident *r)
{
    uint64_t done = sfi_resident_load(&r->mail->board.end_done);
    sfi_resident_record newest;
    (void)sfi_resident_last_record(r, &newest);
    return newest.sequence > done ? newest.sequence : done;
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
/* Whether the slot of this request is free. What was read of the loop only grows: what it was when it was looked up
   last is enough, mostly, and nearer. */
static bool sfi_resident_is_free(const sf_resident *r, sfi_resident_op *op, uint64_t request, uint64_t slots)
{
    uint64_t used = sfi_resident_load(&op->source.used);
    if (request - used <= slots) { return true; }
    used = sfi_resident_used(r, op);
    sfi_resident_store(&op->source.used, used);
    return request - used <= slots;
}
static bool sfi_resident_has_slot(const sf_resident *r, sfi_resident_op *op, uint64_t request)
{
    if (sfi_resident_is_old(r, op)) { return false; }        /* and still writes there */
    return r->desc.overflow == SF_OVERFLOW_DROP_NEWEST ||
           sfi_resident_is_free(r, op, request, r->desc.slots + SFI_MUTANT(input_room));
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
    if (!sfi_resident_is_free(resident, op, request, resident->desc.slots)) {        /* DROP_NEWEST */
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
/* How many results there are. The loop's count is a hint: the words of the last records may be behind it, as nothing
   orders them, or ahead. */
static uint64_t sfi_resident_completed(const sf_resident *r)
{
    uint64_t n = sfi_resident_load(&r->mail->board.completed);
    int age;
    while (n && (age = sfi_resident_age(r, n)) != 0) {
        n = age < 0 ? n - 1 : sfi_resident_load(&r->mail->board.completed);  /* > 0: the count was old */
    }
    while (!sfi_resident_age(r, n + 1)) { n++; }
    return n;
}
/* False: not all of it is there, or not any more. */
static bool sfi_resident_read_record(const sf_resident *r, uint64_t n, sfi_resident_record *to)
{
    const uint64_t *from = sfi_resident_entry_of(r, n);
    bool whole = !SFI_MUTANT(half_a_line) && !sfi_resident_age(r, n);
    uint32_t i;
    for (i = 0; i < SFI_RESIDENT_RECORD / 2; i++) {
        uint64_t low = sfi_resident_load(&from[2 * i]), high = sfi_resident_load(&from[2 * i + 1]);
        whole = whole && sfi_resident_is_of(low, n) && sfi_resident_is_of(high, n);
        (&to->sequence)[i] = sfi_resident_join(low, high);
    }
    return whole || SFI_MUTANT(half_a_line);
}
/* The newest one, and how many there are; zeros if there is none. A loop without results passes it by: once more. */
static uint64_t sfi_resident_last_record(const sf_resident *r, sfi_resident_record *to)
{
    uint64_t n;
    do {
        n = sfi_resident_completed(r);
        memset(to, 0, sizeof *to);
    } while (n && !sfi_resident_read_record(r, n, to));
    return n;
}
/* Content that came in the n-th record, which is whole, to where it is lent. */
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
static int64_t sfi_resident_later(int64_t a, int64_t b) { return a > b ? a : b; }
/* A GPU's clock goes in steps, is shifted by what was measured, and is read a little before a request is seen: a time
   of the device's is never told to be before the step that led to it. */
static void sfi_resident_tell_times(const sfi_resident_record *rec, int64_t shift, sf_resident_slot *slot)
{
    slot->submitted = (int64_t)rec->submitted + shift;
    slot->started = sfi_resident_later(slot->submitted, (int64_t)rec->started + shift);
    slot->finished = sfi_resident_later(slot->started, (int64_t)rec->finished + shift);
    slot->published = sfi_resident_later(slot->finished, (int64_t)rec->published + shift);
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
    sfi_resident_tell_times(rec, shift, slot);
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
        if (completed <= lent || !sfi_resident_read_record(r, lent + 1, &rec)) { return SF_NOT_READY; }
        return sfi_resident_lend_result(r, op, lent, lent + 1, &rec, slot) ? SF_OK : SF_NOT_READY;
    }
    for (n = completed; n > 0 && completed - n < r->record_count - 1; n--) {
        if (!sfi_resident_read_record(r, n, &rec)) { return SF_NOT_READY; }  /* passed by meanwhile, or late */
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
    if (completed && !sfi_resident_read_record(r, completed, &rec)) { return SF_NOT_READY; }
    return end_done >= request || (completed && rec.sequence >= request) ? SF_IGNORED : SF_NOT_READY;
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
        if (out && sfi_resident_read_record(resident, n, &rec) && rec.sequence == request) { break; }
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
        completed = sfi_resident_last_record(r, &rec);
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
    info->dropped = done - completed + dropped;
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
    info->advice_count = resident->advice_count;
    memcpy(info->advice, resident->advice, sizeof info->advice);
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
static void sfi_resident_write_advice(const sf_resident *r, const sfi_resident_writer *w, const sf_resident_advice *a)
{
    static const char *const words[][3] = {          /* one, several */
        { "let ", " kernel wait by itself (sf_kernel.programmatic), of ",
          " kernels wait by themselves (sf_kernel.programmatic), of " },
        { "fuse ", " operator into one kernel with the loop, if one block is enough for it (sf_resident_desc.fused)",
          " operators into one kernel, if one block is enough for them (sf_resident_desc.fused)" },
        { "unroll it (sf_resident_desc.loop AUTO or UNROLLED), with ", " slot", " slots (sf_resident_desc.slots)" },
        { "give it ", " slot", " slots (sf_resident_desc.slots)" },
        { "do not measure ", " operator (sf_resident_desc.measure_operators)",
          " operators (sf_resident_desc.measure_operators)" },
        { "say that no kernel writes into host memory, if that is so (sf_resident_desc.no_host_writes)", NULL, NULL },
        { "make requests and results each at most 56 bytes, of which some are larger (",
          " byte together)", " bytes together)" },
    };
    const char *more = "", *unit = words[a->kind][a->count == 1 ? 1 : 2];
    uint32_t i;
    sfi_resident_write(w, "faster by about ");
    sfi_resident_write_us(w, a->saves, 0);
    sfi_resident_write(w, " us: ");
    sfi_resident_write(w, words[a->kind][0]);
    if (unit) {
        sfi_resident_write_number(w, a->count, 0);
        sfi_resident_write(w, unit);
    }
    for (i = 0; i < r->op_count && a->kind == SF_RESIDENT_ADVICE_PROGRAMMATIC; i++) {
        if (!r->ops[i]->plain) { continue; }
        sfi_resident_write(w, more);
        sfi_resident_write(w, r->ops[i]->name);
        more = ", ";
    }
    sfi_resident_write(w, "\n");
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
    if (r->predicted) {
        sfi_resident_write(w, "\npredicted from submit to result, on an H100, without the kernels' own time: ");
        sfi_resident_write_us(w, r->predicted, 0);
        sfi_resident_write(w, " us\n");
    } else {
        sfi_resident_write(w, "\nnot built: sf_resident_build() tells what it costs\n");
    }
    for (i = 0; i < r->advice_count; i++) { sfi_resident_write_advice(r, w, &r->advice[i]); }
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
    ".shared .align 8 .u64 sfi_resident_block_wait_taken;\n",
    ".shared .align 8 .b8 sfi_resident_warp_publish_record[64]; .func sfi_resident_begin(\n",
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
    ".param .b64 sfi_resident_move_param_4 ) { .reg .pred %p<27>; .reg .b16 %rs<2>; .reg .b32 %r<194>;\n",
    ".reg .b64 %rd<82>; ld.param.u64 %rd14, [sfi_resident_move_param_0];\n",
    "ld.param.u64 %rd15, [sfi_resident_move_param_1]; ld.param.u64 %rd16, [sfi_resident_move_param_2];\n",
    "ld.param.u64 %rd80, [sfi_resident_move_param_3]; ld.param.u64 %rd18, [sfi_resident_move_param_4];\n",
    "or.b64 %rd19, %rd15, %rd14; and.b64 %rd20, %rd19, 15; setp.eq.s64 %p1, %rd20, 0; shr.u64 %rd21, %rd16, 4;\n",
    "selp.b64 %rd1, %rd21, 0, %p1; setp.le.u64 %p2, %rd1, %rd80; @%p2 bra $L__BB11_35; $L__BB11_2:\n",
    ".pragma \"nounroll\"; setp.ge.u64 %p3, %rd80, %rd1; @%p3 bra $L__BB11_4; shl.b64 %rd23, %rd80, 4;\n",
    "add.s64 %rd22, %rd15, %rd23; ld.global.cv.v4.u32 {%r165,%r164,%r163,%r162}, [%rd22]; $L__BB11_4:\n",
    "add.s64 %rd3, %rd80, %rd18; setp.ge.u64 %p4, %rd3, %rd1; @%p4 bra $L__BB11_6;\n",
    "add.s64 %rd76, %rd80, %rd18; shl.b64 %rd25, %rd76, 4; add.s64 %rd24, %rd15, %rd25;\n",
    "ld.global.cv.v4.u32 {%r169,%r168,%r167,%r166}, [%rd24]; $L__BB11_6: add.s64 %rd68, %rd80, %rd18;\n",
    "add.s64 %rd4, %rd68, %rd18; setp.ge.u64 %p5, %rd4, %rd1; @%p5 bra $L__BB11_8;\n",
    "add.s64 %rd75, %rd80, %rd18; add.s64 %rd74, %rd68, %rd18; shl.b64 %rd27, %rd74, 4;\n",
    "add.s64 %rd26, %rd15, %rd27; ld.global.cv.v4.u32 {%r173,%r172,%r171,%r170}, [%rd26]; $L__BB11_8:\n",
    "add.s64 %rd70, %rd68, %rd18; add.s64 %rd69, %rd80, %rd18; add.s64 %rd5, %rd70, %rd18;\n",
    "setp.ge.u64 %p6, %rd5, %rd1; @%p6 bra $L__BB11_10; shl.b64 %rd29, %rd5, 4; add.s64 %rd28, %rd15, %rd29;\n",
    "ld.global.cv.v4.u32 {%r177,%r176,%r175,%r174}, [%rd28]; $L__BB11_10: add.s64 %rd73, %rd80, %rd18;\n",
    "add.s64 %rd72, %rd68, %rd18; add.s64 %rd71, %rd70, %rd18; add.s64 %rd6, %rd71, %rd18;\n",
    "setp.ge.u64 %p7, %rd6, %rd1; @%p7 bra $L__BB11_12; shl.b64 %rd31, %rd6, 4; add.s64 %rd30, %rd15, %rd31;\n",
    "ld.global.cv.v4.u32 {%r181,%r180,%r179,%r178}, [%rd30]; $L__BB11_12: add.s64 %rd7, %rd6, %rd18;\n",
    "setp.ge.u64 %p8, %rd7, %rd1; @%p8 bra $L__BB11_14; shl.b64 %rd33, %rd7, 4; add.s64 %rd32, %rd15, %rd33;\n",
    "ld.global.cv.v4.u32 {%r185,%r184,%r183,%r182}, [%rd32]; $L__BB11_14: add.s64 %rd8, %rd7, %rd18;\n",
    "setp.ge.u64 %p9, %rd8, %rd1; @%p9 bra $L__BB11_16; shl.b64 %rd35, %rd8, 4; add.s64 %rd34, %rd15, %rd35;\n",
    "ld.global.cv.v4.u32 {%r189,%r188,%r187,%r186}, [%rd34]; $L__BB11_16: add.s64 %rd9, %rd8, %rd18;\n",
    "setp.ge.u64 %p10, %rd9, %rd1; @%p10 bra $L__BB11_18; shl.b64 %rd37, %rd9, 4; add.s64 %rd36, %rd15, %rd37;\n",
    "ld.global.cv.v4.u32 {%r193,%r192,%r191,%r190}, [%rd36]; $L__BB11_18: setp.ge.u64 %p22, %rd80, %rd1;\n",
    "@%p22 bra $L__BB11_20; shl.b64 %rd38, %rd80, 4; add.s64 %rd39, %rd14, %rd38;\n",
    "st.v4.u32 [%rd39], {%r165, %r164, %r163, %r162}; $L__BB11_20: add.s64 %rd57, %rd80, %rd18;\n",
    "setp.ge.u64 %p23, %rd57, %rd1; @%p23 bra $L__BB11_22; add.s64 %rd79, %rd80, %rd18;\n",
    "shl.b64 %rd40, %rd79, 4; add.s64 %rd41, %rd14, %rd40; st.v4.u32 [%rd41], {%r169, %r168, %r167, %r166};\n",
    "$L__BB11_22: add.s64 %rd59, %rd80, %rd18; add.s64 %rd58, %rd59, %rd18; setp.ge.u64 %p24, %rd58, %rd1;\n",
    "@%p24 bra $L__BB11_24; add.s64 %rd78, %rd80, %rd18; add.s64 %rd77, %rd68, %rd18; shl.b64 %rd42, %rd77, 4;\n",
    "add.s64 %rd43, %rd14, %rd42; st.v4.u32 [%rd43], {%r173, %r172, %r171, %r170}; $L__BB11_24:\n",
    "add.s64 %rd62, %rd80, %rd18; add.s64 %rd61, %rd62, %rd18; add.s64 %rd60, %rd61, %rd18;\n",
    "setp.ge.u64 %p25, %rd60, %rd1; @%p25 bra $L__BB11_26; shl.b64 %rd44, %rd5, 4;\n",
    "add.s64 %rd45, %rd14, %rd44; st.v4.u32 [%rd45], {%r177, %r176, %r175, %r174}; $L__BB11_26:\n",
    "add.s64 %rd66, %rd80, %rd18; add.s64 %rd65, %rd66, %rd18; add.s64 %rd64, %rd65, %rd18;\n",
    "add.s64 %rd63, %rd64, %rd18; setp.ge.u64 %p26, %rd63, %rd1; @%p26 bra $L__BB11_28;\n",
    "shl.b64 %rd46, %rd6, 4; add.s64 %rd47, %rd14, %rd46; st.v4.u32 [%rd47], {%r181, %r180, %r179, %r178};\n",
    "$L__BB11_28: @%p8 bra $L__BB11_30; shl.b64 %rd48, %rd7, 4; add.s64 %rd49, %rd14, %rd48;\n",
    "st.v4.u32 [%rd49], {%r185, %r184, %r183, %r182}; $L__BB11_30: @%p9 bra $L__BB11_32;\n",
    "shl.b64 %rd50, %rd8, 4; add.s64 %rd51, %rd14, %rd50; st.v4.u32 [%rd51], {%r189, %r188, %r187, %r186};\n",
    "$L__BB11_32: @%p10 bra $L__BB11_34; shl.b64 %rd52, %rd9, 4; add.s64 %rd53, %rd14, %rd52;\n",
    "st.v4.u32 [%rd53], {%r193, %r192, %r191, %r190}; $L__BB11_34: add.s64 %rd80, %rd9, %rd18;\n",
    "setp.lt.u64 %p19, %rd80, %rd1; @%p19 bra $L__BB11_2; $L__BB11_35:\n",
    "ld.param.u64 %rd67, [sfi_resident_move_param_3]; shl.b64 %rd54, %rd1, 4; add.s64 %rd81, %rd54, %rd67;\n",
    "setp.ge.u64 %p20, %rd81, %rd16; @%p20 bra $L__BB11_37; $L__BB11_36: .pragma \"nounroll\";\n",
    "add.s64 %rd55, %rd15, %rd81; ld.volatile.u8 %rs1, [%rd55]; add.s64 %rd56, %rd14, %rd81;\n",
    "st.u8 [%rd56], %rs1; add.s64 %rd81, %rd81, %rd18; setp.lt.u64 %p21, %rd81, %rd16; @%p21 bra $L__BB11_36;\n",
    "$L__BB11_37: ret; } .func sfi_resident_copy_all( .param .b64 sfi_resident_copy_all_param_0,\n",
    ".param .b32 sfi_resident_copy_all_param_1, .param .b32 sfi_resident_copy_all_param_2,\n",
    ".param .b64 sfi_resident_copy_all_param_3, .param .b64 sfi_resident_copy_all_param_4 ) {\n",
    ".reg .pred %p<11>; .reg .b32 %r<28>; .reg .b64 %rd<51>;\n",
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
    ".reg .pred %p<238>; .reg .b16 %rs<21>; .reg .b32 %r<334>; .reg .b64 %rd<398>;\n",
    "ld.param.v2.u32 {%r127, %r128}, [sf_resident_wait_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r129, %r130}, [sf_resident_wait_kernel_param_0+48];\n",
    "ld.param.u64 %rd152, [sf_resident_wait_kernel_param_0+8];\n",
    "ld.param.u64 %rd151, [sf_resident_wait_kernel_param_0]; cvta.to.global.u64 %rd2, %rd151;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd2, 48; ld.global.u64 %rd4, [%rd2+48]; ld.global.u64 %rd5, [%rd2+64];\n",
    "ld.global.u64 %rd6, [%rd2+56]; ld.global.u32 %r3, [%rd2+16]; ld.global.u32 %r4, [%rd2+132];\n",
    "ld.global.u32 %r5, [%rd2+136]; ld.global.v2.u32 {%r137, %r138}, [%rd2+104];\n",
    "ld.global.u32 %rd7, [%rd2+112]; ld.global.u32 %r8, [%rd2+148]; ld.global.u64 %rd8, [%rd2+176];\n",
    "ld.global.u64 %rd9, [%rd2+184]; ld.global.u64 %rd10, [%rd2+192]; ld.global.u64 %rd11, [%rd2+200];\n",
    "ld.global.u64 %rd12, [%rd2+208]; setp.eq.s32 %p17, %r129, 0; mov.u32 %r292, 0; mov.u64 %rd359, 0;\n",
    "mov.u64 %rd360, %rd359; mov.u64 %rd361, %rd359; mov.u64 %rd362, %rd359; @%p17 bra $L__BB14_2;\n",
    "mul.wide.u32 %rd160, %r128, 48; add.s64 %rd161, %rd5, %rd160; ld.v2.u32 {%r292, %r142}, [%rd161+40];\n",
    "ld.u64 %rd362, [%rd161+24]; ld.u64 %rd361, [%rd161+16]; ld.u64 %rd360, [%rd161+8];\n",
    "ld.u64 %rd359, [%rd161]; $L__BB14_2:\n",
    "griddepcontrol.wait;\n",
    "setp.eq.s32 %p18, %r5, 0; @%p18 bra $L__BB14_6; add.s32 %r143, %r138, -1; cvt.u64.u32 %rd162, %r143;\n",
    "ld.global.u64 %rd163, [%rd3+184]; and.b64 %rd21, %rd163, %rd162; cvt.u64.u32 %rd22, %r127; bar.sync 0;\n",
    "setp.eq.s64 %p19, %rd21, %rd22; mov.u32 %r144, %tid.x; setp.ne.s32 %p20, %r144, 0;\n",
    "or.pred %p21, %p20, %p19; @%p21 bra $L__BB14_5; mov.u32 %r145, 0; st.global.u32 [%rd3+240], %r145;\n",
    "$L__BB14_5: @%p19 bra $L__BB14_6; bra.uni $L__BB14_193; $L__BB14_6: mov.u32 %r18, %tid.x;\n",
    "setp.lt.u32 %p23, %r18, 32; setp.ne.s32 %p24, %r8, 0; and.pred %p25, %p23, %p24; mov.u32 %r19, %ntid.x;\n",
    "setp.gt.u32 %p26, %r19, 31; and.pred %p27, %p26, %p25; @%p27 bra $L__BB14_105; bra.uni $L__BB14_7;\n",
    "$L__BB14_105: ld.global.u64 %rd85, [%rd3+304]; ld.global.u32 %r73, [%rd3+248];\n",
    "ld.global.u64 %rd86, [%rd3+184]; bar.warp.sync -1; ld.global.u64 %rd87, [%rd3+176];\n",
    "add.s32 %r209, %r18, -16; mul.wide.u32 %rd251, %r209, 8; add.s64 %rd252, %rd2, %rd251;\n",
    "add.s64 %rd88, %rd252, 1120; setp.eq.s32 %p129, %r18, 31; @%p129 bra $L__BB14_113; bra.uni $L__BB14_106;\n",
    "$L__BB14_113: add.s64 %rd380, %rd152, 128; bra.uni $L__BB14_114; $L__BB14_7: setp.ne.s32 %p28, %r18, 0;\n",
    "@%p28 bra $L__BB14_161; setp.ne.s32 %p29, %r3, 0; setp.eq.s32 %p30, %r8, 0; and.pred %p31, %p29, %p30;\n",
    "@%p31 bra $L__BB14_18; bra.uni $L__BB14_9; $L__BB14_18: ld.global.u32 %r24, [%rd3+248]; mov.u64 %rd62, 0;\n",
    "ld.global.u64 %rd31, [%rd3+184]; ld.global.u64 %rd32, [%rd3+176]; ld.global.u64 %rd33, [%rd3+304];\n",
    "ld.global.u32 %r25, [%rd3+1344]; ld.global.v2.u32 {%r152, %r153}, [%rd3+1336]; or.b32 %r26, %r152, %r153;\n",
    "ld.global.u64 %rd34, [%rd3+1360]; mov.u64 %rd173, %globaltimer; ld.global.u64 %rd175, [%rd3+1368];\n",
    "sub.s64 %rd36, %rd173, %rd175; setp.gt.s64 %p40, %rd36, 49999; ld.global.u32 %r27, [%rd3+1352];\n",
    "@%p40 bra $L__BB14_20; ld.global.u64 %rd62, [%rd3+560]; $L__BB14_20: add.s64 %rd176, %rd151, 8;\n",
    "ld.relaxed.sys.u32 %r44, [%rd176]; ld.global.u64 %rd63, [%rd3+1368]; setp.eq.s32 %p41, %r137, 0;\n",
    "@%p41 bra $L__BB14_33; cvt.u64.u32 %rd41, %r138; mov.u32 %r295, 0; $L__BB14_22:\n",
    "mul.wide.u32 %rd177, %r295, 8; add.s64 %rd178, %rd2, %rd177; ld.global.u64 %rd179, [%rd178+1120];\n",
    "sub.s64 %rd180, %rd32, %rd179; setp.lt.u64 %p42, %rd180, %rd41; add.s32 %r295, %r295, 1;\n",
    "@%p42 bra $L__BB14_32; bra.uni $L__BB14_23; $L__BB14_32: setp.lt.u32 %p51, %r295, %r137;\n",
    "@%p51 bra $L__BB14_22; $L__BB14_33: sub.s64 %rd350, %rd173, %rd175; setp.eq.s32 %p52, %r27, 0;\n",
    "setp.lt.s64 %p53, %rd350, 50000; or.pred %p54, %p52, %p53; setp.eq.s32 %p55, %r27, 8;\n",
    "or.pred %p56, %p54, %p55; @%p56 bra $L__BB14_44;\n",
    "ld.param.u64 %rd352, [sf_resident_wait_kernel_param_0+8]; add.s64 %rd191, %rd352, 128;\n",
    "ld.relaxed.sys.u64 %rd190, [%rd191]; and.b64 %rd192, %rd190, -4611686018427387904;\n",
    "setp.eq.s64 %p57, %rd192, 0; mov.u64 %rd63, %rd173; @%p57 bra $L__BB14_44; mov.u64 %rd193, %globaltimer;\n",
    "add.s64 %rd48, %rd151, 12; mov.u32 %r298, 125; mov.u64 %rd366, %rd193; bra.uni $L__BB14_36; $L__BB14_43:\n",
    "mov.u64 %rd366, %globaltimer; $L__BB14_36: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; .param .b64 param1; st.param.b64 [param1+0], %rd366;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r316, [retval0+0]; } setp.ne.s32 %p58, %r316, 2; @%p58 bra $L__BB14_38; mov.u32 %r165, 1;\n",
    "st.relaxed.sys.u32 [%rd48], %r165; $L__BB14_38: setp.eq.s32 %p59, %r316, 0; @%p59 bra $L__BB14_41;\n",
    "bra.uni $L__BB14_39; $L__BB14_41: sub.s64 %rd195, %rd366, %rd193; ld.global.u64 %rd196, [%rd3+152];\n",
    "setp.gt.s64 %p61, %rd196, %rd195; selp.b64 %rd197, 184, 192, %p61; add.s64 %rd198, %rd2, %rd197;\n",
    "ld.global.u64 %rd199, [%rd3+128]; setp.gt.s64 %p62, %rd199, %rd195; ld.global.u64 %rd50, [%rd198];\n",
    "setp.lt.s64 %p63, %rd50, 1; or.pred %p64, %p63, %p62; @%p64 bra $L__BB14_43; shl.b32 %r168, %r298, 1;\n",
    "cvt.u64.u32 %rd200, %r168; setp.gt.s64 %p65, %rd50, %rd200; cvt.u32.u64 %r169, %rd50;\n",
    "selp.b32 %r298, %r168, %r169, %p65; nanosleep.u32 %r298; bra.uni $L__BB14_43; $L__BB14_106:\n",
    "setp.gt.u32 %p130, %r8, %r18; @%p130 bra $L__BB14_109; bra.uni $L__BB14_107; $L__BB14_109:\n",
    "and.b64 %rd260, %rd85, -4294967296; setp.eq.s64 %p135, %rd260, 0; @%p135 bra $L__BB14_111;\n",
    "rem.u64 %rd379, %rd85, %rd7; bra.uni $L__BB14_112; $L__BB14_107: setp.lt.u32 %p131, %r18, 16;\n",
    "setp.ge.u32 %p132, %r209, %r137; mov.u64 %rd380, 0; or.pred %p133, %p131, %p132; @%p133 bra $L__BB14_114;\n",
    "ld.global.u64 %rd254, [%rd88]; sub.s64 %rd255, %rd87, %rd254; cvt.u64.u32 %rd256, %r138;\n",
    "setp.lt.u64 %p134, %rd255, %rd256; mul.wide.u32 %rd257, %r209, 128; add.s64 %rd258, %rd152, %rd257;\n",
    "add.s64 %rd259, %rd258, 4224; selp.b64 %rd380, 0, %rd259, %p134; bra.uni $L__BB14_114; $L__BB14_9:\n",
    "mov.u64 %rd164, %globaltimer; add.s64 %rd27, %rd151, 12; mov.u32 %r293, 125; mov.u64 %rd363, %rd164;\n",
    "bra.uni $L__BB14_10; $L__BB14_17: mov.u64 %rd363, %globaltimer; $L__BB14_10: { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b64 param1; st.param.b64 [param1+0], %rd363;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r316, [retval0+0]; } setp.ne.s32 %p32, %r316, 2; @%p32 bra $L__BB14_12; mov.u32 %r147, 1;\n",
    "st.relaxed.sys.u32 [%rd27], %r147; $L__BB14_12: setp.eq.s32 %p33, %r316, 0; @%p33 bra $L__BB14_15;\n",
    "bra.uni $L__BB14_13; $L__BB14_15: sub.s64 %rd166, %rd363, %rd164; ld.global.u64 %rd167, [%rd3+152];\n",
    "setp.gt.s64 %p35, %rd167, %rd166; selp.b64 %rd168, 184, 192, %p35; add.s64 %rd169, %rd2, %rd168;\n",
    "ld.global.u64 %rd170, [%rd3+128]; setp.gt.s64 %p36, %rd170, %rd166; ld.global.u64 %rd29, [%rd169];\n",
    "setp.lt.s64 %p37, %rd29, 1; or.pred %p38, %p37, %p36; @%p38 bra $L__BB14_17; shl.b32 %r150, %r293, 1;\n",
    "cvt.u64.u32 %rd171, %r150; setp.gt.s64 %p39, %rd29, %rd171; cvt.u32.u64 %r151, %rd29;\n",
    "selp.b32 %r293, %r150, %r151, %p39; nanosleep.u32 %r293; bra.uni $L__BB14_17; $L__BB14_13:\n",
    "setp.ne.s32 %p34, %r316, 1; @%p34 bra $L__BB14_99; mov.u32 %r316, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b64 param1; st.param.b64 [param1+0], %rd363;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_99; $L__BB14_111:\n",
    "cvt.u32.u64 %r210, %rd7; cvt.u32.u64 %r211, %rd85; rem.u32 %r212, %r211, %r210;\n",
    "cvt.u64.u32 %rd379, %r212; $L__BB14_112: shl.b64 %rd261, %rd379, 7; add.s64 %rd262, %rd4, %rd261;\n",
    "mul.wide.u32 %rd263, %r18, 8; add.s64 %rd380, %rd262, %rd263; $L__BB14_114: add.s64 %rd96, %rd151, 8;\n",
    "setp.gt.u32 %p136, %r18, 15; setp.ne.s64 %p137, %rd380, 0; and.pred %p138, %p136, %p137;\n",
    "setp.ne.s32 %p139, %r18, 31; and.pred %p5, %p139, %p138; ld.global.u64 %rd97, [%rd3+1360];\n",
    "mov.u64 %rd264, %globaltimer; ld.global.u32 %r213, [%rd3+1340]; setp.ne.s32 %p140, %r213, 0;\n",
    "mov.u16 %rs20, 1; @%p140 bra $L__BB14_118; ld.global.u32 %r214, [%rd3+1336]; setp.ne.s32 %p141, %r214, 0;\n",
    "@%p141 bra $L__BB14_118; ld.relaxed.sys.u32 %r215, [%rd96]; setp.ne.s32 %p142, %r215, 0;\n",
    "@%p142 bra $L__BB14_118; setp.gt.u32 %p143, %r137, 15; selp.u16 %rs20, 1, 0, %p143; $L__BB14_118:\n",
    "add.s64 %rd266, %rd85, 1; cvt.u32.u64 %r75, %rd266; cvt.u64.u32 %rd99, %r138; mov.u32 %r319, 0;\n",
    "mov.u32 %r321, 125; mov.u64 %rd381, %rd264; bra.uni $L__BB14_119; $L__BB14_134:\n",
    "selp.u16 %rs20, 1, 0, %p237; $L__BB14_119: and.b16 %rs15, %rs20, 255; setp.ne.s16 %p234, %rs15, 0;\n",
    "setp.lt.s64 %p144, %rd12, 1; or.pred %p145, %p234, %p144; @%p145 bra $L__BB14_121;\n",
    "sub.s64 %rd267, %rd381, %rd97; setp.ge.s64 %p234, %rd267, %rd12; $L__BB14_121: mov.u32 %r218, -1;\n",
    "vote.sync.any.pred %p146, %p234, %r218; @%p146 bra $L__BB14_152; setp.eq.s64 %p147, %rd380, 0;\n",
    "mov.u64 %rd382, 0; @%p147 bra $L__BB14_124; ld.relaxed.sys.u64 %rd382, [%rd380]; $L__BB14_124:\n",
    "and.b64 %rd271, %rd382, -4611686018427387904; setp.ne.s64 %p149, %rd271, 0; and.pred %p237, %p129, %p149;\n",
    "mov.pred %p236, 0; @%p237 bra $L__BB14_128; mov.pred %p235, 0; not.pred %p152, %p5;\n",
    "@%p152 bra $L__BB14_127; sub.s64 %rd272, %rd87, %rd382; setp.ge.u64 %p235, %rd272, %rd99; $L__BB14_127:\n",
    "not.pred %p236, %p235; $L__BB14_128: mov.u32 %r220, -1; vote.sync.all.pred %p153, %p236, %r220;\n",
    "not.pred %p154, %p153; @%p154 bra $L__BB14_130; setp.le.u32 %p155, %r8, %r18; cvt.u32.u64 %r222, %rd382;\n",
    "setp.eq.s32 %p156, %r222, %r75; or.pred %p157, %p155, %p156; vote.sync.all.pred %p158, %p157, %r220;\n",
    "@%p158 bra $L__BB14_135; $L__BB14_130: mov.u64 %rd381, %globaltimer; sub.s64 %rd104, %rd381, %rd264;\n",
    "add.s32 %r225, %r319, 1; and.b32 %r226, %r225, 15; setp.ne.s32 %p159, %r226, 0;\n",
    "setp.lt.s64 %p160, %rd104, %rd8; selp.b32 %r319, %r225, %r319, %p160; and.pred %p161, %p159, %p160;\n",
    "@%p161 bra $L__BB14_134; setp.gt.s64 %p163, %rd11, %rd104; selp.b64 %rd105, %rd9, %rd10, %p163;\n",
    "setp.lt.s64 %p164, %rd105, 1; or.pred %p165, %p160, %p164; @%p165 bra $L__BB14_133;\n",
    "shl.b32 %r228, %r321, 1; cvt.u64.u32 %rd274, %r228; setp.gt.s64 %p166, %rd105, %rd274;\n",
    "cvt.u32.u64 %r229, %rd105; selp.b32 %r321, %r228, %r229, %p166; nanosleep.u32 %r321; $L__BB14_133:\n",
    "ld.acquire.sys.u32 %r230, [%rd96]; setp.ne.s32 %p167, %r230, 0; or.pred %p237, %p237, %p167;\n",
    "mov.u64 %rd381, %globaltimer; bra.uni $L__BB14_134; $L__BB14_152: setp.ne.s32 %p189, %r18, 0;\n",
    "mov.u32 %r255, 1; mov.u32 %r326, %r255; @%p189 bra $L__BB14_159; mov.u64 %rd295, %globaltimer;\n",
    "add.s64 %rd119, %rd151, 12; mov.u32 %r325, 125; mov.u64 %rd387, %rd295; bra.uni $L__BB14_154;\n",
    "$L__BB14_196: mov.u64 %rd387, %globaltimer; $L__BB14_154: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; .param .b64 param1; st.param.b64 [param1+0], %rd387;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r326, [retval0+0]; } setp.ne.s32 %p190, %r326, 2; @%p190 bra $L__BB14_156;\n",
    "mov.u32 %r257, 1; st.relaxed.sys.u32 [%rd119], %r257; $L__BB14_156: setp.eq.s32 %p191, %r326, 0;\n",
    "@%p191 bra $L__BB14_194; bra.uni $L__BB14_157; $L__BB14_194: sub.s64 %rd339, %rd387, %rd295;\n",
    "ld.global.u64 %rd340, [%rd3+152]; setp.gt.s64 %p220, %rd340, %rd339; selp.b64 %rd341, 184, 192, %p220;\n",
    "add.s64 %rd342, %rd2, %rd341; ld.global.u64 %rd343, [%rd3+128]; setp.gt.s64 %p221, %rd343, %rd339;\n",
    "ld.global.u64 %rd149, [%rd342]; setp.lt.s64 %p222, %rd149, 1; or.pred %p223, %p222, %p221;\n",
    "@%p223 bra $L__BB14_196; shl.b32 %r279, %r325, 1; cvt.u64.u32 %rd344, %r279;\n",
    "setp.gt.s64 %p224, %rd149, %rd344; cvt.u32.u64 %r280, %rd149; selp.b32 %r325, %r279, %r280, %p224;\n",
    "nanosleep.u32 %r325; bra.uni $L__BB14_196; $L__BB14_135: not.pred %p168, %p5; @%p168 bra $L__BB14_137;\n",
    "add.s32 %r291, %r18, -16; mul.wide.u32 %rd357, %r291, 8; add.s64 %rd356, %rd2, %rd357;\n",
    "add.s64 %rd355, %rd356, 1120; st.global.u64 [%rd355], %rd382; $L__BB14_137: mov.u32 %r322, 0;\n",
    "mov.b64 {%r231,%r232}, %rd382; mov.u32 %r240, 31; mov.u32 %r241, -1;\n",
    "shfl.sync.idx.b32 %r234|%p170, %r232, %r322, %r240, %r241;\n",
    "shfl.sync.idx.b32 %r233|%p171, %r231, %r322, %r240, %r241; mov.b64 %rd278, {%r233,%r234};\n",
    "mov.b64 {%r235,%r236}, %rd382; mov.u32 %r326, 1;\n",
    "shfl.sync.idx.b32 %r238|%p172, %r236, %r326, %r240, %r241;\n",
    "shfl.sync.idx.b32 %r237|%p173, %r235, %r326, %r240, %r241; mov.b64 %rd280, {%r237,%r238};\n",
    "shr.u64 %rd282, %rd278, 32; and.b64 %rd283, %rd280, -4294967296; or.b64 %rd108, %rd283, %rd282;\n",
    "mov.u64 %rd281, %globaltimer; add.s32 %r243, %r8, -2; add.s32 %r83, %r18, -2;\n",
    "setp.ge.u32 %p174, %r83, %r243; or.pred %p175, %p174, %p17; @%p175 bra $L__BB14_149;\n",
    "shr.u64 %rd284, %rd382, 32; cvt.u32.u64 %r84, %rd284; $L__BB14_139: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p176, %r322, 0; mov.u64 %rd384, %rd360; mov.u64 %rd385, %rd361; mov.u32 %r323, %r292;\n",
    "@%p176 bra $L__BB14_141; add.s32 %r245, %r322, %r128; mul.wide.u32 %rd285, %r245, 48;\n",
    "add.s64 %rd286, %rd5, %rd285; ld.u64 %rd384, [%rd286+8]; ld.u64 %rd385, [%rd286+16];\n",
    "ld.u32 %r323, [%rd286+40]; $L__BB14_141: add.s64 %rd287, %rd385, 3; shr.u64 %rd288, %rd287, 2;\n",
    "cvt.u32.u64 %r246, %rd288; sub.s32 %r88, %r83, %r323; setp.ge.u32 %p177, %r88, %r246;\n",
    "@%p177 bra $L__BB14_148; mul.wide.u32 %rd289, %r88, 4; add.s64 %rd114, %rd384, %rd289;\n",
    "sub.s64 %rd115, %rd385, %rd289; setp.lt.u64 %p178, %rd115, 4; @%p178 bra $L__BB14_144;\n",
    "and.b64 %rd290, %rd114, 3; setp.eq.s64 %p179, %rd290, 0; @%p179 bra $L__BB14_147; $L__BB14_144:\n",
    "setp.eq.s64 %p180, %rd115, 0; @%p180 bra $L__BB14_148; mov.u32 %r324, 0; mov.u64 %rd386, 0; $L__BB14_146:\n",
    ".pragma \"nounroll\"; shl.b32 %r248, %r324, 3; shr.u32 %r249, %r84, %r248; add.s64 %rd292, %rd114, %rd386;\n",
    "st.u8 [%rd292], %r249; add.s32 %r324, %r324, 1; setp.lt.u32 %p181, %r324, 4; cvt.u64.u32 %rd386, %r324;\n",
    "setp.gt.u64 %p182, %rd115, %rd386; and.pred %p183, %p181, %p182; @%p183 bra $L__BB14_146;\n",
    "bra.uni $L__BB14_148; $L__BB14_147: st.u32 [%rd114], %r84; $L__BB14_148: add.s32 %r322, %r322, 1;\n",
    "setp.lt.u32 %p184, %r322, %r129; @%p184 bra $L__BB14_139; $L__BB14_149: setp.ne.s32 %p185, %r18, 0;\n",
    "@%p185 bra $L__BB14_159; add.s64 %rd358, %rd85, 1; st.global.u64 [%rd3+304], %rd358;\n",
    "st.global.u64 [%rd3+560], %rd358; mov.u32 %r252, 0; st.global.u32 [%rd3+1352], %r252;\n",
    "st.global.u64 [%rd3+1368], %rd281; add.s64 %rd294, %rd86, 1; st.global.u64 [%rd3+192], %rd294;\n",
    "st.global.u64 [%rd3+216], %rd281; st.global.u64 [%rd3+208], %rd281; mov.u32 %r326, 1;\n",
    "st.global.v2.u32 [%rd3+240], {%r326, %r326}; add.s32 %r253, %r73, 1; st.global.u32 [%rd3+248], %r253;\n",
    "setp.ge.s64 %p186, %rd108, %rd281; setp.eq.s64 %p187, %rd108, 0; or.pred %p188, %p186, %p187;\n",
    "@%p188 bra $L__BB14_159; st.global.u64 [%rd3+208], %rd108; bra.uni $L__BB14_159; $L__BB14_157:\n",
    "setp.ne.s32 %p192, %r326, 1; @%p192 bra $L__BB14_159; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; .param .b64 param1; st.param.b64 [param1+0], %rd387; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; .param .b32 param1; st.param.b32 [param1+0], %r128; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r129; call.uni sfi_resident_unload, ( param0, param1, param2 ); }\n",
    "mov.u32 %r326, %r255; $L__BB14_159: mov.u32 %r259, 31; mov.u32 %r260, 0; mov.u32 %r261, -1;\n",
    "shfl.sync.idx.b32 %r95|%p16, %r326, %r260, %r259, %r261; setp.ne.s32 %p193, %r18, 0;\n",
    "@%p193 bra $L__BB14_161; st.shared.u32 [sfi_resident_block_wait_turn], %r95; bra.uni $L__BB14_161;\n",
    "$L__BB14_44: or.b32 %r170, %r26, %r44; setp.ne.s32 %p66, %r170, 0; @%p66 bra $L__BB14_83;\n",
    "bra.uni $L__BB14_45; $L__BB14_83: mov.u64 %rd229, %globaltimer; add.s64 %rd76, %rd151, 12;\n",
    "mov.u32 %r313, 125; mov.u64 %rd377, %rd229; bra.uni $L__BB14_84; $L__BB14_91:\n",
    "mov.u64 %rd377, %globaltimer; $L__BB14_84: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; .param .b64 param1; st.param.b64 [param1+0], %rd377;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r316, [retval0+0]; } setp.ne.s32 %p110, %r316, 2; @%p110 bra $L__BB14_86; mov.u32 %r195, 1;\n",
    "st.relaxed.sys.u32 [%rd76], %r195; $L__BB14_86: setp.eq.s32 %p111, %r316, 0; @%p111 bra $L__BB14_89;\n",
    "bra.uni $L__BB14_87; $L__BB14_89: sub.s64 %rd231, %rd377, %rd229; ld.global.u64 %rd232, [%rd3+152];\n",
    "setp.gt.s64 %p113, %rd232, %rd231; selp.b64 %rd233, 184, 192, %p113; add.s64 %rd234, %rd2, %rd233;\n",
    "ld.global.u64 %rd235, [%rd3+128]; setp.gt.s64 %p114, %rd235, %rd231; ld.global.u64 %rd78, [%rd234];\n",
    "setp.lt.s64 %p115, %rd78, 1; or.pred %p116, %p115, %p114; @%p116 bra $L__BB14_91;\n",
    "shl.b32 %r198, %r313, 1; cvt.u64.u32 %rd236, %r198; setp.gt.s64 %p117, %rd78, %rd236;\n",
    "cvt.u32.u64 %r199, %rd78; selp.b32 %r313, %r198, %r199, %p117; nanosleep.u32 %r313; bra.uni $L__BB14_91;\n",
    "$L__BB14_87: setp.ne.s32 %p112, %r316, 1; @%p112 bra $L__BB14_99; mov.u32 %r316, 1; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd377; call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_99;\n",
    "$L__BB14_23: mov.u64 %rd181, %globaltimer; add.s64 %rd43, %rd151, 12; mov.u32 %r296, 125;\n",
    "mov.u64 %rd365, %rd181; bra.uni $L__BB14_24; $L__BB14_31: mov.u64 %rd365, %globaltimer; $L__BB14_24: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd365; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r316, [retval0+0]; } setp.ne.s32 %p43, %r316, 2; @%p43 bra $L__BB14_26;\n",
    "mov.u32 %r159, 1; st.relaxed.sys.u32 [%rd43], %r159; $L__BB14_26: setp.eq.s32 %p44, %r316, 0;\n",
    "@%p44 bra $L__BB14_29; bra.uni $L__BB14_27; $L__BB14_29: sub.s64 %rd183, %rd365, %rd181;\n",
    "ld.global.u64 %rd184, [%rd3+152]; setp.gt.s64 %p46, %rd184, %rd183; selp.b64 %rd185, 184, 192, %p46;\n",
    "add.s64 %rd186, %rd2, %rd185; ld.global.u64 %rd187, [%rd3+128]; setp.gt.s64 %p47, %rd187, %rd183;\n",
    "ld.global.u64 %rd45, [%rd186]; setp.lt.s64 %p48, %rd45, 1; or.pred %p49, %p48, %p47;\n",
    "@%p49 bra $L__BB14_31; shl.b32 %r162, %r296, 1; cvt.u64.u32 %rd188, %r162;\n",
    "setp.gt.s64 %p50, %rd45, %rd188; cvt.u32.u64 %r163, %rd45; selp.b32 %r296, %r162, %r163, %p50;\n",
    "nanosleep.u32 %r296; bra.uni $L__BB14_31; $L__BB14_27: setp.ne.s32 %p45, %r316, 1; @%p45 bra $L__BB14_99;\n",
    "mov.u32 %r316, 1; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd365; call.uni sfi_resident_take, ( param0, param1 ); }\n",
    "bra.uni $L__BB14_99; $L__BB14_39: setp.ne.s32 %p60, %r316, 1; @%p60 bra $L__BB14_99; mov.u32 %r316, 1; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd366; call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_99;\n",
    "$L__BB14_45: ld.param.u64 %rd351, [sf_resident_wait_kernel_param_0+8]; setp.ne.s32 %p67, %r27, 0;\n",
    "mov.u32 %r41, 0; add.s64 %rd53, %rd351, 128; selp.u16 %rs2, 1, 0, %p55; selp.b32 %r42, 64, 1, %p67;\n",
    "selp.u32 %r305, 1, 0, %p67; mov.u32 %r45, 125; mov.u64 %rd372, 0; mov.u64 %rd369, %rd173; $L__BB14_46:\n",
    "sub.s64 %rd203, %rd369, %rd34; setp.ge.s64 %p69, %rd203, %rd12; setp.gt.s64 %p70, %rd12, 0;\n",
    "and.pred %p71, %p70, %p69; @%p71 bra $L__BB14_83; setp.eq.s32 %p73, %r4, 0; mov.pred %p233, -1;\n",
    "@%p73 bra $L__BB14_51; ld.relaxed.gpu.u64 %rd372, [%rd151]; and.b16 %rs9, %rs2, 255;\n",
    "setp.eq.s16 %p74, %rs9, 0; @%p74 bra $L__BB14_50; sub.s64 %rd206, %rd369, %rd63;\n",
    "setp.gt.s64 %p233, %rd206, 199999; bra.uni $L__BB14_51; $L__BB14_50: add.s32 %r46, %r305, 1;\n",
    "rem.u32 %r173, %r305, %r42; setp.eq.s32 %p233, %r173, 0; mov.u32 %r305, %r46; $L__BB14_51:\n",
    "setp.gt.u64 %p75, %rd62, %rd33; not.pred %p76, %p233; or.pred %p77, %p75, %p76; @%p77 bra $L__BB14_55;\n",
    "setp.eq.s32 %p230, %r4, 0; @%p230 bra $L__BB14_54; ld.relaxed.sys.u64 %rd62, [%rd53];\n",
    "mov.u64 %rd63, %rd369; bra.uni $L__BB14_55; $L__BB14_54: ld.acquire.sys.u64 %rd62, [%rd53];\n",
    "mov.u64 %rd63, %rd369; $L__BB14_55: and.b64 %rd64, %rd62, -4611686018427387904;\n",
    "setp.ne.s64 %p79, %rd64, 0; and.b16 %rs10, %rs2, 255; setp.ne.s16 %p80, %rs10, 0;\n",
    "and.pred %p81, %p80, %p79; @%p81 bra $L__BB14_93; setp.eq.s32 %p229, %r4, 0; @%p229 bra $L__BB14_64;\n",
    "shr.u64 %rd211, %rd372, 32; cvt.u32.u64 %r48, %rd211; setp.eq.s32 %p83, %r25, %r48;\n",
    "cvt.u32.u64 %r174, %rd372; setp.ne.s32 %p84, %r174, 2; and.pred %p85, %p84, %p83; @%p85 bra $L__BB14_64;\n",
    "bra.uni $L__BB14_58; $L__BB14_64: and.b64 %rd353, %rd62, -4611686018427387904;\n",
    "setp.eq.s64 %p88, %rd353, 0; @%p88 bra $L__BB14_74; bra.uni $L__BB14_65; $L__BB14_74:\n",
    "setp.gt.u64 %p97, %rd62, %rd33; @%p97 bra $L__BB14_92; mov.u64 %rd369, %globaltimer;\n",
    "sub.s64 %rd71, %rd369, %rd173; add.s32 %r186, %r41, 1; and.b32 %r187, %r186, 15;\n",
    "setp.ne.s32 %p98, %r187, 0; setp.lt.s64 %p99, %rd71, %rd8; selp.b32 %r41, %r186, %r41, %p99;\n",
    "and.pred %p100, %p98, %p99; @%p100 bra $L__BB14_82; sub.s64 %rd349, %rd369, %rd173;\n",
    "setp.lt.s64 %p228, %rd349, %rd8; setp.gt.s64 %p102, %rd11, %rd349; selp.b64 %rd72, %rd9, %rd10, %p102;\n",
    "setp.lt.s64 %p103, %rd72, 1; or.pred %p104, %p228, %p103; @%p104 bra $L__BB14_78; shl.b32 %r189, %r45, 1;\n",
    "cvt.u64.u32 %rd225, %r189; setp.gt.s64 %p105, %rd72, %rd225; cvt.u32.u64 %r190, %rd72;\n",
    "selp.b32 %r45, %r189, %r190, %p105; nanosleep.u32 %r45; $L__BB14_78: and.b16 %rs16, %rs2, 255;\n",
    "setp.ne.s16 %p231, %rs16, 0; sub.s64 %rd346, %rd369, %rd173; setp.lt.s64 %p225, %rd346, %rd8;\n",
    "and.pred %p4, %p231, %p225; @%p4 bra $L__BB14_80; bra.uni $L__BB14_79; $L__BB14_80:\n",
    "ld.relaxed.sys.u32 %r44, [%rd176]; bra.uni $L__BB14_81; $L__BB14_79: ld.acquire.sys.u32 %r44, [%rd176];\n",
    "$L__BB14_81: mov.u64 %rd369, %globaltimer; selp.u16 %rs2, 1, 0, %p4; setp.gt.u32 %p108, %r45, 2000;\n",
    "selp.b32 %r42, 1, %r42, %p108; $L__BB14_82: or.b32 %r193, %r26, %r44; setp.eq.s32 %p109, %r193, 0;\n",
    "@%p109 bra $L__BB14_46; bra.uni $L__BB14_83; $L__BB14_93: mov.u64 %rd241, %globaltimer;\n",
    "add.s64 %rd81, %rd151, 12; mov.u32 %r315, 125; mov.u64 %rd378, %rd241; bra.uni $L__BB14_94; $L__BB14_104:\n",
    "mov.u64 %rd378, %globaltimer; $L__BB14_94: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; .param .b64 param1; st.param.b64 [param1+0], %rd378;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r316, [retval0+0]; } setp.ne.s32 %p118, %r316, 2; @%p118 bra $L__BB14_96; mov.u32 %r204, 1;\n",
    "st.relaxed.sys.u32 [%rd81], %r204; $L__BB14_96: setp.eq.s32 %p119, %r316, 0; @%p119 bra $L__BB14_102;\n",
    "bra.uni $L__BB14_97; $L__BB14_102: sub.s64 %rd244, %rd378, %rd241; ld.global.u64 %rd245, [%rd3+152];\n",
    "setp.gt.s64 %p124, %rd245, %rd244; selp.b64 %rd246, 184, 192, %p124; add.s64 %rd247, %rd2, %rd246;\n",
    "ld.global.u64 %rd248, [%rd3+128]; setp.gt.s64 %p125, %rd248, %rd244; ld.global.u64 %rd83, [%rd247];\n",
    "setp.lt.s64 %p126, %rd83, 1; or.pred %p127, %p126, %p125; @%p127 bra $L__BB14_104;\n",
    "shl.b32 %r207, %r315, 1; cvt.u64.u32 %rd249, %r207; setp.gt.s64 %p128, %rd83, %rd249;\n",
    "cvt.u32.u64 %r208, %rd83; selp.b32 %r315, %r207, %r208, %p128; nanosleep.u32 %r315; bra.uni $L__BB14_104;\n",
    "$L__BB14_97: setp.ne.s32 %p120, %r316, 1; @%p120 bra $L__BB14_99; mov.u32 %r316, 1; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd378; call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_99;\n",
    "$L__BB14_65: mov.u64 %rd215, %globaltimer; add.s64 %rd66, %rd151, 12; mov.u32 %r306, 125;\n",
    "mov.u64 %rd375, %rd215; bra.uni $L__BB14_66; $L__BB14_73: mov.u64 %rd375, %globaltimer; $L__BB14_66: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd375; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r316, [retval0+0]; } setp.ne.s32 %p89, %r316, 2; @%p89 bra $L__BB14_68;\n",
    "mov.u32 %r181, 1; st.relaxed.sys.u32 [%rd66], %r181; $L__BB14_68: setp.eq.s32 %p90, %r316, 0;\n",
    "@%p90 bra $L__BB14_71; bra.uni $L__BB14_69; $L__BB14_71: sub.s64 %rd217, %rd375, %rd215;\n",
    "ld.global.u64 %rd218, [%rd3+152]; setp.gt.s64 %p92, %rd218, %rd217; selp.b64 %rd219, 184, 192, %p92;\n",
    "add.s64 %rd220, %rd2, %rd219; ld.global.u64 %rd221, [%rd3+128]; setp.gt.s64 %p93, %rd221, %rd217;\n",
    "ld.global.u64 %rd68, [%rd220]; setp.lt.s64 %p94, %rd68, 1; or.pred %p95, %p94, %p93;\n",
    "@%p95 bra $L__BB14_73; shl.b32 %r184, %r306, 1; cvt.u64.u32 %rd222, %r184;\n",
    "setp.gt.s64 %p96, %rd68, %rd222; cvt.u32.u64 %r185, %rd68; selp.b32 %r306, %r184, %r185, %p96;\n",
    "nanosleep.u32 %r306; bra.uni $L__BB14_73; $L__BB14_69: setp.ne.s32 %p91, %r316, 1; @%p91 bra $L__BB14_99;\n",
    "mov.u32 %r316, 1; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd375; call.uni sfi_resident_take, ( param0, param1 ); }\n",
    "bra.uni $L__BB14_99; $L__BB14_92: add.s64 %rd239, %rd33, 1; st.global.u64 [%rd3+304], %rd239;\n",
    "st.global.u64 [%rd3+560], %rd62; mov.u32 %r201, 0; st.global.u32 [%rd3+1352], %r201;\n",
    "mov.u64 %rd238, %globaltimer; st.global.u64 [%rd3+1368], %rd63; add.s64 %rd240, %rd31, 1;\n",
    "st.global.u64 [%rd3+192], %rd240; st.global.u64 [%rd3+216], %rd238; st.global.u64 [%rd3+208], %rd238;\n",
    "mov.u32 %r316, 1; st.global.v2.u32 [%rd3+240], {%r316, %r316}; add.s32 %r202, %r24, 1;\n",
    "st.global.u32 [%rd3+248], %r202; bra.uni $L__BB14_99; $L__BB14_58: shr.u64 %rd354, %rd372, 32;\n",
    "cvt.u32.u64 %r290, %rd354; setp.eq.s32 %p232, %r25, %r290; @%p232 bra $L__BB14_60; bra.uni $L__BB14_59;\n",
    "$L__BB14_60: mov.u32 %r176, 1; st.relaxed.sys.u32 [%rd151], %r176; bra.uni $L__BB14_61; $L__BB14_59:\n",
    "add.s32 %r175, %r25, 1; st.global.u32 [%rd3+1344], %r175; $L__BB14_61: ld.global.u32 %r49, [%rd3+1352];\n",
    "setp.gt.u32 %p87, %r49, 7; @%p87 bra $L__BB14_63; add.s32 %r177, %r49, 1;\n",
    "st.global.u32 [%rd3+1352], %r177; $L__BB14_63: mov.u64 %rd213, %globaltimer;\n",
    "st.global.u64 [%rd3+1368], %rd63; add.s64 %rd214, %rd31, 1; st.global.u64 [%rd3+192], %rd214;\n",
    "st.global.u64 [%rd3+216], %rd213; st.global.u64 [%rd3+208], %rd213; mov.u32 %r316, 1;\n",
    "st.global.v2.u32 [%rd3+240], {%r316, %r316}; add.s32 %r179, %r24, 1; st.global.u32 [%rd3+248], %r179;\n",
    "$L__BB14_99: setp.eq.s32 %p226, %r8, 0; st.shared.u32 [sfi_resident_block_wait_turn], %r316;\n",
    "setp.ne.s32 %p121, %r316, 1; or.pred %p123, %p226, %p121; @%p123 bra $L__BB14_101; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd151; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r128; .param .b32 param2; st.param.b32 [param2+0], %r129; call.uni\n",
    "sfi_resident_unload, ( param0, param1, param2 ); } $L__BB14_101: ld.global.u64 %rd243, [%rd3+304];\n",
    "st.shared.u64 [sfi_resident_block_wait_taken], %rd243; $L__BB14_161: bar.sync 0; or.b32 %r262, %r8, %r4;\n",
    "setp.ne.s32 %p194, %r262, 0; mov.u64 %rd388, 0; @%p194 bra $L__BB14_165;\n",
    "ld.shared.u64 %rd298, [sfi_resident_block_wait_taken]; add.s64 %rd121, %rd298, -1;\n",
    "and.b64 %rd299, %rd121, -4294967296; setp.eq.s64 %p195, %rd299, 0; @%p195 bra $L__BB14_164;\n",
    "rem.u64 %rd388, %rd121, %rd7; bra.uni $L__BB14_165; $L__BB14_164: cvt.u32.u64 %r263, %rd7;\n",
    "cvt.u32.u64 %r264, %rd121; rem.u32 %r265, %r264, %r263; cvt.u64.u32 %rd388, %r265; $L__BB14_165:\n",
    "mov.u32 %r281, %tid.x; ld.shared.u32 %r96, [sfi_resident_block_wait_turn]; setp.ne.s32 %p196, %r281, 0;\n",
    "@%p196 bra $L__BB14_168; ld.param.u64 %rd347, [sf_resident_wait_kernel_param_0+16];\n",
    "st.global.u32 [%rd3+1328], %r127; setp.ne.s32 %p197, %r96, 2; setp.eq.s64 %p198, %rd347, 0;\n",
    "or.pred %p199, %p198, %p197; @%p199 bra $L__BB14_168;\n",
    "ld.param.u64 %rd348, [sf_resident_wait_kernel_param_0+16]; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd348; .param .b32 param1; st.param.b32 [param1+0], 0;\n",
    "call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB14_168: setp.ne.s32 %p227, %r8, 0;\n",
    "setp.ne.s32 %p200, %r96, 1; or.pred %p202, %p227, %p200; @%p202 bra $L__BB14_193;\n",
    "setp.eq.s32 %p203, %r3, 0; @%p203 bra $L__BB14_187; setp.ne.s32 %p204, %r4, 0; @%p204 bra $L__BB14_191;\n",
    "mov.u32 %r283, %ntid.x; mov.u32 %r282, %tid.x; mov.u32 %r266, 32; rem.u32 %r267, %r266, %r283;\n",
    "setp.ne.s32 %p205, %r282, %r267; mov.u64 %rd389, 0; @%p205 bra $L__BB14_173; shl.b64 %rd301, %rd388, 3;\n",
    "add.s64 %rd302, %rd6, %rd301; ld.volatile.u64 %rd389, [%rd302]; $L__BB14_173: @%p17 bra $L__BB14_184;\n",
    "mov.u32 %r285, %ntid.x; mov.u32 %r284, %tid.x; cvt.u64.u32 %rd131, %r284; cvt.u64.u32 %rd132, %r285;\n",
    "and.b32 %r332, %r129, 3; add.s32 %r269, %r129, -1; setp.lt.u32 %p207, %r269, 3; mov.u32 %r329, 0;\n",
    "@%p207 bra $L__BB14_179; sub.s32 %r328, %r129, %r332; mov.u32 %r329, 0; $L__BB14_176:\n",
    "setp.eq.s32 %p208, %r329, 0; mov.u64 %rd390, %rd359; mov.u64 %rd391, %rd360; mov.u64 %rd392, %rd361;\n",
    "mov.u64 %rd393, %rd362; @%p208 bra $L__BB14_178; add.s32 %r271, %r329, %r128;\n",
    "mul.wide.u32 %rd303, %r271, 48; add.s64 %rd304, %rd5, %rd303; ld.u64 %rd390, [%rd304];\n",
    "ld.u64 %rd391, [%rd304+8]; ld.u64 %rd392, [%rd304+16]; ld.u64 %rd393, [%rd304+24]; $L__BB14_178:\n",
    "mul.lo.s64 %rd305, %rd393, %rd388; add.s64 %rd306, %rd390, %rd305; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd391; .param .b64 param1; st.param.b64 [param1+0], %rd306;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd392; .param .b64 param3; st.param.b64 [param3+0], %rd131;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd132; call.uni sfi_resident_move, ( param0, param1,\n",
    "param2, param3, param4 ); } add.s32 %r272, %r329, %r128; add.s32 %r273, %r272, 1;\n",
    "mul.wide.u32 %rd307, %r273, 48; add.s64 %rd308, %rd5, %rd307; ld.u64 %rd309, [%rd308+8];\n",
    "ld.u64 %rd310, [%rd308+16]; ld.u64 %rd311, [%rd308+24]; mul.lo.s64 %rd312, %rd311, %rd388;\n",
    "ld.u64 %rd313, [%rd308]; add.s64 %rd314, %rd313, %rd312; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd309; .param .b64 param1; st.param.b64 [param1+0], %rd314; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd310; .param .b64 param3; st.param.b64 [param3+0], %rd131; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd132; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r274, %r272, 2; mul.wide.u32 %rd315, %r274, 48; add.s64 %rd316, %rd5, %rd315;\n",
    "ld.u64 %rd317, [%rd316+8]; ld.u64 %rd318, [%rd316+16]; ld.u64 %rd319, [%rd316+24];\n",
    "mul.lo.s64 %rd320, %rd319, %rd388; ld.u64 %rd321, [%rd316]; add.s64 %rd322, %rd321, %rd320; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd317; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd322; .param .b64 param2; st.param.b64 [param2+0], %rd318; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd131; .param .b64 param4; st.param.b64 [param4+0], %rd132; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r275, %r272, 3;\n",
    "mul.wide.u32 %rd323, %r275, 48; add.s64 %rd324, %rd5, %rd323; ld.u64 %rd325, [%rd324+8];\n",
    "ld.u64 %rd326, [%rd324+16]; ld.u64 %rd327, [%rd324+24]; mul.lo.s64 %rd328, %rd327, %rd388;\n",
    "ld.u64 %rd329, [%rd324]; add.s64 %rd330, %rd329, %rd328; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd325; .param .b64 param1; st.param.b64 [param1+0], %rd330; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd326; .param .b64 param3; st.param.b64 [param3+0], %rd131; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd132; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r329, %r329, 4; add.s32 %r328, %r328, -4; setp.ne.s32 %p209, %r328, 0;\n",
    "@%p209 bra $L__BB14_176; $L__BB14_179: setp.eq.s32 %p210, %r332, 0; @%p210 bra $L__BB14_184;\n",
    "add.s32 %r330, %r128, %r329; $L__BB14_181: .pragma \"nounroll\"; setp.eq.s32 %p211, %r329, 0;\n",
    "mov.u64 %rd394, %rd359; mov.u64 %rd395, %rd360; mov.u64 %rd396, %rd361; mov.u64 %rd397, %rd362;\n",
    "@%p211 bra $L__BB14_183; mul.wide.u32 %rd331, %r330, 48; add.s64 %rd332, %rd5, %rd331;\n",
    "ld.u64 %rd394, [%rd332]; ld.u64 %rd395, [%rd332+8]; ld.u64 %rd396, [%rd332+16];\n",
    "ld.u64 %rd397, [%rd332+24]; $L__BB14_183: mul.lo.s64 %rd333, %rd397, %rd388;\n",
    "add.s64 %rd334, %rd394, %rd333; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd395; .param .b64 param1; st.param.b64 [param1+0], %rd334; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd396; .param .b64 param3; st.param.b64 [param3+0], %rd131; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd132; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r329, %r329, 1; add.s32 %r330, %r330, 1; add.s32 %r332, %r332, -1;\n",
    "setp.ne.s32 %p212, %r332, 0; @%p212 bra $L__BB14_181; $L__BB14_184: setp.eq.s64 %p213, %rd389, 0;\n",
    "@%p213 bra $L__BB14_191; mov.u64 %rd335, %globaltimer; setp.ge.s64 %p214, %rd389, %rd335;\n",
    "@%p214 bra $L__BB14_191; st.global.u64 [%rd3+208], %rd389; bra.uni $L__BB14_191; $L__BB14_187:\n",
    "mov.u32 %r287, %ntid.x; mov.u32 %r286, %tid.x; mov.u32 %r276, 32; rem.u32 %r277, %r276, %r287;\n",
    "setp.ne.s32 %p215, %r286, %r277; @%p215 bra $L__BB14_189; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; call.uni sfi_resident_when, ( param0 ); } $L__BB14_189:\n",
    "@%p17 bra $L__BB14_191; mov.u32 %r289, %ntid.x; mov.u32 %r288, %tid.x; cvt.u64.u32 %rd336, %r288;\n",
    "cvt.u64.u32 %rd337, %r289; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd151; .param .b32 param1; st.param.b32 [param1+0], %r128; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r129; .param .b64 param3; st.param.b64 [param3+0], %rd336; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd337; call.uni sfi_resident_copy_all, ( param0, param1, param2, param3, param4\n",
    "); } $L__BB14_191: or.pred %p219, %p196, %p17; @%p219 bra $L__BB14_193; mov.u64 %rd338, %globaltimer;\n",
    "st.global.u64 [%rd3+216], %rd338; $L__BB14_193: ret; } .visible .entry sf_resident_publish_kernel(\n",
    ".param .align 8 .b8 sf_resident_publish_kernel_param_0[80] ) { .reg .pred %p<91>; .reg .b32 %r<221>;\n",
    ".reg .b64 %rd<260>; ld.param.v2.u32 {%r88, %r89}, [sf_resident_publish_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r90, %r91}, [sf_resident_publish_kernel_param_0+48];\n",
    "ld.param.u64 %rd88, [sf_resident_publish_kernel_param_0+8];\n",
    "ld.param.u64 %rd87, [sf_resident_publish_kernel_param_0]; cvta.to.global.u64 %rd251, %rd87;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd251, 40; ld.global.u64 %rd4, [%rd251+40]; ld.global.u64 %rd5, [%rd251+72];\n",
    "ld.global.u64 %rd6, [%rd251+64]; ld.global.u32 %r1, [%rd251+116]; ld.global.u32 %r98, [%rd251+124];\n",
    "setp.eq.s32 %p2, %r98, 0; mov.u32 %r199, 0; @%p2 bra $L__BB15_2; ld.global.u32 %r199, [%rd3+60];\n",
    "$L__BB15_2: ld.global.u32 %r6, [%rd3+68]; ld.global.v2.u32 {%r103, %r104}, [%rd3+112];\n",
    "ld.global.u64 %rd7, [%rd3+176]; setp.eq.s32 %p3, %r90, 0; mov.u64 %rd236, 0; mov.u64 %rd237, %rd236;\n",
    "mov.u64 %rd238, %rd236; mov.u64 %rd239, %rd236; @%p3 bra $L__BB15_4; mul.wide.u32 %rd96, %r89, 48;\n",
    "add.s64 %rd97, %rd6, %rd96; ld.u64 %rd239, [%rd97+24]; ld.u64 %rd238, [%rd97+16];\n",
    "ld.u64 %rd237, [%rd97+8]; ld.u64 %rd236, [%rd97]; $L__BB15_4:\n",
    "griddepcontrol.wait;\n",
    "add.s64 %rd98, %rd87, 8; ld.relaxed.sys.u32 %r109, [%rd98]; ld.global.v2.u32 {%r110, %r111}, [%rd3+248];\n",
    "ld.global.u64 %rd17, [%rd3+240]; ld.global.u64 %rd18, [%rd3+224]; ld.global.u64 %rd19, [%rd3+216];\n",
    "ld.global.u64 %rd20, [%rd3+200]; ld.global.u64 %rd21, [%rd3+184]; setp.eq.s32 %p4, %r110, 0;\n",
    "@%p4 bra $L__BB15_83; ld.global.u32 %r20, [%rd3+1336]; ld.global.u32 %r21, [%rd3+256];\n",
    "ld.global.u64 %rd24, [%rd3+208]; mov.u64 %rd99, %globaltimer; setp.eq.s32 %p5, %r103, 16;\n",
    "setp.ne.s32 %p6, %r90, 0; and.pred %p1, %p5, %p6; @%p1 bra $L__BB15_6; bra.uni $L__BB15_16; $L__BB15_6:\n",
    "add.s32 %r113, %r6, -1; cvt.u64.u32 %rd100, %r113; and.b64 %rd28, %rd21, %rd100; mov.u32 %r114, %tid.x;\n",
    "cvt.u64.u32 %rd29, %r114; mov.u32 %r115, %ntid.x; cvt.u64.u32 %rd30, %r115; and.b32 %r205, %r90, 3;\n",
    "add.s32 %r116, %r90, -1; setp.lt.u32 %p7, %r116, 3; mov.u32 %r202, 0; @%p7 bra $L__BB15_11;\n",
    "sub.s32 %r201, %r90, %r205; mov.u32 %r202, 0; $L__BB15_8: setp.eq.s32 %p8, %r202, 0;\n",
    "mov.u64 %rd240, %rd236; mov.u64 %rd241, %rd237; mov.u64 %rd242, %rd238; mov.u64 %rd243, %rd239;\n",
    "@%p8 bra $L__BB15_10; add.s32 %r118, %r202, %r89; mul.wide.u32 %rd101, %r118, 48;\n",
    "add.s64 %rd102, %rd6, %rd101; ld.u64 %rd240, [%rd102]; ld.u64 %rd241, [%rd102+8];\n",
    "ld.u64 %rd242, [%rd102+16]; ld.u64 %rd243, [%rd102+24]; $L__BB15_10: mul.lo.s64 %rd103, %rd243, %rd28;\n",
    "add.s64 %rd104, %rd240, %rd103; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd104; .param .b64 param1; st.param.b64 [param1+0], %rd241; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd242; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r119, %r202, %r89; add.s32 %r120, %r119, 1; mul.wide.u32 %rd105, %r120, 48;\n",
    "add.s64 %rd106, %rd6, %rd105; ld.u64 %rd107, [%rd106+8]; ld.u64 %rd108, [%rd106+16];\n",
    "ld.u64 %rd109, [%rd106+24]; mul.lo.s64 %rd110, %rd109, %rd28; ld.u64 %rd111, [%rd106];\n",
    "add.s64 %rd112, %rd111, %rd110; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd112; .param .b64 param1; st.param.b64 [param1+0], %rd107; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd108; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r121, %r119, 2; mul.wide.u32 %rd113, %r121, 48; add.s64 %rd114, %rd6, %rd113;\n",
    "ld.u64 %rd115, [%rd114+8]; ld.u64 %rd116, [%rd114+16]; ld.u64 %rd117, [%rd114+24];\n",
    "mul.lo.s64 %rd118, %rd117, %rd28; ld.u64 %rd119, [%rd114]; add.s64 %rd120, %rd119, %rd118; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd120; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd115; .param .b64 param2; st.param.b64 [param2+0], %rd116; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd29; .param .b64 param4; st.param.b64 [param4+0], %rd30; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r122, %r119, 3;\n",
    "mul.wide.u32 %rd121, %r122, 48; add.s64 %rd122, %rd6, %rd121; ld.u64 %rd123, [%rd122+8];\n",
    "ld.u64 %rd124, [%rd122+16]; ld.u64 %rd125, [%rd122+24]; mul.lo.s64 %rd126, %rd125, %rd28;\n",
    "ld.u64 %rd127, [%rd122]; add.s64 %rd128, %rd127, %rd126; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd128; .param .b64 param1; st.param.b64 [param1+0], %rd123; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd124; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r202, %r202, 4; add.s32 %r201, %r201, -4; setp.ne.s32 %p9, %r201, 0; @%p9 bra $L__BB15_8;\n",
    "$L__BB15_11: setp.eq.s32 %p10, %r205, 0; @%p10 bra $L__BB15_16; add.s32 %r203, %r89, %r202; $L__BB15_13:\n",
    ".pragma \"nounroll\"; setp.eq.s32 %p11, %r202, 0; mov.u64 %rd244, %rd236; mov.u64 %rd245, %rd237;\n",
    "mov.u64 %rd246, %rd238; mov.u64 %rd247, %rd239; @%p11 bra $L__BB15_15; mul.wide.u32 %rd129, %r203, 48;\n",
    "add.s64 %rd130, %rd6, %rd129; ld.u64 %rd244, [%rd130]; ld.u64 %rd245, [%rd130+8];\n",
    "ld.u64 %rd246, [%rd130+16]; ld.u64 %rd247, [%rd130+24]; $L__BB15_15: mul.lo.s64 %rd131, %rd247, %rd28;\n",
    "add.s64 %rd132, %rd244, %rd131; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd132; .param .b64 param1; st.param.b64 [param1+0], %rd245; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd246; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r202, %r202, 1; add.s32 %r203, %r203, 1; add.s32 %r205, %r205, -1; setp.ne.s32 %p12, %r205, 0;\n",
    "@%p12 bra $L__BB15_13; $L__BB15_16: mov.u32 %r36, %tid.x; add.s32 %r37, %r36, -16;\n",
    "setp.lt.u32 %p13, %r36, 16; setp.le.u32 %p14, %r103, %r36; mov.u32 %r211, 0; or.pred %p15, %p13, %p14;\n",
    "@%p15 bra $L__BB15_34; add.s64 %rd133, %rd238, 3; shr.u64 %rd134, %rd133, 2; cvt.u32.u64 %r124, %rd134;\n",
    "setp.lt.u32 %p16, %r37, %r124; @%p16 bra $L__BB15_28; bra.uni $L__BB15_18; $L__BB15_28:\n",
    "mul.wide.u32 %rd146, %r37, 4; add.s64 %rd54, %rd237, %rd146; sub.s64 %rd55, %rd238, %rd146;\n",
    "setp.lt.u64 %p26, %rd55, 4; @%p26 bra $L__BB15_30; and.b64 %rd147, %rd54, 3; setp.eq.s64 %p27, %rd147, 0;\n",
    "@%p27 bra $L__BB15_33; $L__BB15_30: setp.eq.s64 %p28, %rd55, 0; @%p28 bra $L__BB15_34; mov.u32 %r209, 0;\n",
    "mov.u64 %rd249, 0; mov.u32 %r211, %r209; $L__BB15_32: .pragma \"nounroll\"; add.s64 %rd149, %rd54, %rd249;\n",
    "ld.volatile.u8 %r139, [%rd149]; shl.b32 %r140, %r209, 3; shl.b32 %r141, %r139, %r140;\n",
    "or.b32 %r211, %r141, %r211; add.s32 %r209, %r209, 1; setp.lt.u32 %p29, %r209, 4;\n",
    "cvt.u64.u32 %rd249, %r209; setp.gt.u64 %p30, %rd55, %rd249; and.pred %p31, %p29, %p30;\n",
    "@%p31 bra $L__BB15_32; bra.uni $L__BB15_34; $L__BB15_18: @%p3 bra $L__BB15_34; cvt.u64.u32 %rd47, %r89;\n",
    "mov.u32 %r206, 0; $L__BB15_20: .pragma \"nounroll\"; cvt.u64.u32 %rd135, %r206;\n",
    "add.s64 %rd136, %rd135, %rd47; mul.lo.s64 %rd137, %rd136, 48; add.s64 %rd138, %rd6, %rd137;\n",
    "add.s64 %rd48, %rd138, 40; ld.u32 %r127, [%rd138+40]; sub.s32 %r39, %r37, %r127;\n",
    "ld.u64 %rd49, [%rd138+16]; add.s64 %rd139, %rd49, 3; shr.u64 %rd140, %rd139, 2;\n",
    "cvt.u32.u64 %r128, %rd140; setp.lt.u32 %p18, %r39, %r128; add.s32 %r206, %r206, 1; @%p18 bra $L__BB15_22;\n",
    "setp.lt.u32 %p19, %r206, %r90; mov.u32 %r211, 0; @%p19 bra $L__BB15_20; bra.uni $L__BB15_34; $L__BB15_22:\n",
    "mul.wide.u32 %rd141, %r39, 4; ld.u64 %rd142, [%rd48+-32]; add.s64 %rd50, %rd142, %rd141;\n",
    "sub.s64 %rd51, %rd49, %rd141; setp.lt.u64 %p20, %rd51, 4; @%p20 bra $L__BB15_24;\n",
    "and.b64 %rd143, %rd50, 3; setp.eq.s64 %p21, %rd143, 0; @%p21 bra $L__BB15_27; $L__BB15_24:\n",
    "setp.eq.s64 %p22, %rd51, 0; mov.u32 %r211, 0; @%p22 bra $L__BB15_34; mov.u32 %r207, 0; mov.u64 %rd248, 0;\n",
    "mov.u32 %r211, %r207; $L__BB15_26: .pragma \"nounroll\"; add.s64 %rd145, %rd50, %rd248;\n",
    "ld.volatile.u8 %r133, [%rd145]; shl.b32 %r134, %r207, 3; shl.b32 %r135, %r133, %r134;\n",
    "or.b32 %r211, %r135, %r211; add.s32 %r207, %r207, 1; setp.lt.u32 %p23, %r207, 4;\n",
    "cvt.u64.u32 %rd248, %r207; setp.gt.u64 %p24, %rd51, %rd248; and.pred %p25, %p23, %p24;\n",
    "@%p25 bra $L__BB15_26; bra.uni $L__BB15_34; $L__BB15_33: ld.volatile.u32 %r211, [%rd54];\n",
    "bra.uni $L__BB15_34; $L__BB15_27: ld.volatile.u32 %r211, [%rd50]; $L__BB15_34: not.pred %p32, %p1;\n",
    "@%p32 bra $L__BB15_36; bar.sync 0; $L__BB15_36: setp.gt.u32 %p33, %r36, 31; @%p33 bra $L__BB15_83;\n",
    "mov.u32 %r52, %ntid.x; mov.u32 %r150, 32; min.u32 %r53, %r52, 32; sub.s32 %r151, %r150, %r53;\n",
    "mov.u32 %r152, -1; shr.u32 %r54, %r152, %r151; mov.u64 %rd150, %globaltimer;\n",
    "mov.b64 {%r142,%r143}, %rd150; mov.u32 %r153, 31; mov.u32 %r154, 0;\n",
    "shfl.sync.idx.b32 %r145|%p34, %r143, %r154, %r153, %r54;\n",
    "shfl.sync.idx.b32 %r144|%p35, %r142, %r154, %r153, %r54; mov.b64 %rd152, {%r144,%r145};\n",
    "mov.b64 {%r146,%r147}, %rd99; shfl.sync.idx.b32 %r149|%p36, %r147, %r154, %r153, %r54;\n",
    "shfl.sync.idx.b32 %r148|%p37, %r146, %r154, %r153, %r54; mov.b64 %rd259, {%r148,%r149};\n",
    "setp.ne.s32 %p38, %r36, 0; @%p38 bra $L__BB15_39; cvt.u64.u32 %rd155, %r109; cvt.u64.u32 %rd156, %r111;\n",
    "cvt.u64.u32 %rd157, %r21; bfi.b64 %rd158, %rd157, %rd156, 32, 32; sub.s64 %rd159, %rd152, %rd19;\n",
    "setp.gt.s64 %p39, %rd159, %rd7; setp.gt.s64 %p40, %rd7, 0; and.pred %p41, %p40, %p39;\n",
    "selp.u64 %rd160, 1, 0, %p41; add.s64 %rd161, %rd24, %rd160;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record], %rd20;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+8], %rd155;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+16], %rd158;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+24], %rd19;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+32], %rd18;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+40], %rd259;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+48], %rd152;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+56], %rd161; $L__BB15_39: bar.warp.sync %r54;\n",
    "setp.eq.s32 %p43, %r199, 0; or.pred %p44, %p38, %p43; @%p44 bra $L__BB15_42; add.s64 %rd250, %rd88, 8704;\n",
    "mov.u32 %r212, 0; $L__BB15_41: .pragma \"nounroll\"; ld.global.u64 %rd163, [%rd251+352];\n",
    "st.relaxed.sys.u64 [%rd250], %rd163; add.s64 %rd251, %rd251, 8; add.s64 %rd250, %rd250, 8;\n",
    "add.s32 %r212, %r212, 1; setp.lt.u32 %p45, %r212, %r199; @%p45 bra $L__BB15_41; $L__BB15_42:\n",
    "setp.ne.s32 %p46, %r104, 0; setp.gt.u32 %p47, %r36, 4; or.pred %p48, %p47, %p46; @%p48 bra $L__BB15_49;\n",
    "setp.eq.s32 %p49, %r36, 2; mov.u64 %rd253, %rd18; mov.u64 %rd254, %rd259; @%p49 bra $L__BB15_47;\n",
    "setp.eq.s32 %p50, %r36, 3; mov.u64 %rd253, %rd259; @%p50 bra $L__BB15_46; setp.eq.s32 %p51, %r36, 4;\n",
    "selp.b64 %rd253, %rd17, %rd19, %p51; setp.eq.s32 %p52, %r36, 1; mov.u64 %rd254, %rd18;\n",
    "@%p52 bra $L__BB15_47; $L__BB15_46: mov.u64 %rd254, %rd152; $L__BB15_47: setp.eq.s64 %p53, %rd253, 0;\n",
    "@%p53 bra $L__BB15_49; sub.s64 %rd164, %rd254, %rd253; max.s64 %rd165, %rd164, 0;\n",
    "setp.gt.u64 %p54, %rd165, 31; clz.b64 %r156, %rd165; mov.u32 %r157, 59; sub.s32 %r158, %r157, %r156;\n",
    "selp.b32 %r159, %r158, 0, %p54; setp.lt.u64 %p55, %rd165, 16; cvt.u32.u64 %r160, %rd165;\n",
    "shl.b32 %r161, %r159, 4; shr.u64 %rd166, %rd165, %r159; cvt.u32.u64 %r162, %rd166;\n",
    "add.s32 %r163, %r161, %r162; selp.b32 %r164, %r160, %r163, %p55; min.u32 %r165, %r164, 767;\n",
    "mul.wide.u32 %rd167, %r165, 8; mul.wide.u32 %rd168, %r36, 6176; add.s64 %rd169, %rd5, %rd168;\n",
    "add.s64 %rd170, %rd169, %rd167; add.s64 %rd171, %rd170, 32; atom.add.u64 %rd172, [%rd171], 1;\n",
    "add.s64 %rd173, %rd169, 8; atom.add.u64 %rd174, [%rd173], %rd165; add.s64 %rd175, %rd169, 16;\n",
    "not.b64 %rd176, %rd165; atom.max.u64 %rd177, [%rd175], %rd176; add.s64 %rd178, %rd169, 24;\n",
    "atom.max.u64 %rd179, [%rd178], %rd165; atom.add.u64 %rd180, [%rd169], 1; $L__BB15_49:\n",
    "@%p46 bra $L__BB15_51; fence.acq_rel.sys; $L__BB15_51: @%p14 bra $L__BB15_74; add.s64 %rd181, %rd238, 3;\n",
    "shr.u64 %rd182, %rd181, 2; cvt.u32.u64 %r57, %rd182; cvt.u64.u32 %rd183, %r1;\n",
    "and.b64 %rd70, %rd21, %rd183; add.s64 %rd184, %rd21, 1; and.b64 %rd71, %rd184, 4294967295;\n",
    "cvt.u64.u32 %rd72, %r89; shl.b64 %rd205, %rd70, 8; add.s64 %rd206, %rd4, %rd205; mov.u32 %r213, %r36;\n",
    "$L__BB15_53: .pragma \"nounroll\"; setp.gt.u32 %p58, %r213, 15; mov.u32 %r220, %r211;\n",
    "@%p58 bra $L__BB15_55; shl.b32 %r166, %r213, 2; and.b32 %r167, %r166, -8;\n",
    "mov.u32 %r168, sfi_resident_warp_publish_record; add.s32 %r169, %r168, %r167; and.b32 %r170, %r213, 1;\n",
    "setp.eq.b32 %p59, %r170, 1; ld.shared.u64 %rd185, [%r169]; shr.u64 %rd186, %rd185, 32;\n",
    "selp.b64 %rd187, %rd186, %rd185, %p59; cvt.u32.u64 %r220, %rd187; $L__BB15_55:\n",
    "setp.lt.u32 %p60, %r213, 16; setp.gt.u32 %p61, %r52, 31; or.pred %p62, %p61, %p60; @%p62 bra $L__BB15_73;\n",
    "add.s32 %r61, %r213, -16; setp.lt.u32 %p63, %r61, %r57; @%p63 bra $L__BB15_67; bra.uni $L__BB15_57;\n",
    "$L__BB15_67: mul.wide.u32 %rd199, %r61, 4; add.s64 %rd79, %rd237, %rd199; sub.s64 %rd80, %rd238, %rd199;\n",
    "setp.lt.u64 %p73, %rd80, 4; @%p73 bra $L__BB15_69; and.b64 %rd200, %rd79, 3; setp.eq.s64 %p74, %rd200, 0;\n",
    "@%p74 bra $L__BB15_72; $L__BB15_69: setp.eq.s64 %p75, %rd80, 0; mov.u32 %r220, 0; @%p75 bra $L__BB15_73;\n",
    "mov.u32 %r218, 0; mov.u64 %rd256, 0; mov.u32 %r220, %r218; $L__BB15_71: .pragma \"nounroll\";\n",
    "add.s64 %rd202, %rd79, %rd256; ld.volatile.u8 %r185, [%rd202]; shl.b32 %r186, %r218, 3;\n",
    "shl.b32 %r187, %r185, %r186; or.b32 %r220, %r187, %r220; add.s32 %r218, %r218, 1;\n",
    "setp.lt.u32 %p76, %r218, 4; cvt.u64.u32 %rd256, %r218; setp.gt.u64 %p77, %rd80, %rd256;\n",
    "and.pred %p78, %p76, %p77; @%p78 bra $L__BB15_71; bra.uni $L__BB15_73; $L__BB15_57: mov.u32 %r220, 0;\n",
    "@%p3 bra $L__BB15_73; mov.u32 %r215, 0; $L__BB15_59: .pragma \"nounroll\"; cvt.u64.u32 %rd188, %r215;\n",
    "add.s64 %rd189, %rd188, %rd72; mul.lo.s64 %rd190, %rd189, 48; add.s64 %rd191, %rd6, %rd190;\n",
    "add.s64 %rd73, %rd191, 40; ld.u32 %r173, [%rd191+40]; sub.s32 %r63, %r61, %r173;\n",
    "ld.u64 %rd74, [%rd191+16]; add.s64 %rd192, %rd74, 3; shr.u64 %rd193, %rd192, 2;\n",
    "cvt.u32.u64 %r174, %rd193; setp.lt.u32 %p65, %r63, %r174; add.s32 %r215, %r215, 1; @%p65 bra $L__BB15_61;\n",
    "setp.lt.u32 %p66, %r215, %r90; mov.u32 %r220, 0; @%p66 bra $L__BB15_59; bra.uni $L__BB15_73; $L__BB15_61:\n",
    "mul.wide.u32 %rd194, %r63, 4; ld.u64 %rd195, [%rd73+-32]; add.s64 %rd75, %rd195, %rd194;\n",
    "sub.s64 %rd76, %rd74, %rd194; setp.lt.u64 %p67, %rd76, 4; @%p67 bra $L__BB15_63;\n",
    "and.b64 %rd196, %rd75, 3; setp.eq.s64 %p68, %rd196, 0; @%p68 bra $L__BB15_66; $L__BB15_63:\n",
    "setp.eq.s64 %p69, %rd76, 0; mov.u32 %r220, 0; @%p69 bra $L__BB15_73; mov.u32 %r216, 0; mov.u64 %rd255, 0;\n",
    "mov.u32 %r220, %r216; $L__BB15_65: .pragma \"nounroll\"; add.s64 %rd198, %rd75, %rd255;\n",
    "ld.volatile.u8 %r179, [%rd198]; shl.b32 %r180, %r216, 3; shl.b32 %r181, %r179, %r180;\n",
    "or.b32 %r220, %r181, %r220; add.s32 %r216, %r216, 1; setp.lt.u32 %p70, %r216, 4;\n",
    "cvt.u64.u32 %rd255, %r216; setp.gt.u64 %p71, %rd76, %rd255; and.pred %p72, %p70, %p71;\n",
    "@%p72 bra $L__BB15_65; bra.uni $L__BB15_73; $L__BB15_72: ld.volatile.u32 %r220, [%rd79];\n",
    "bra.uni $L__BB15_73; $L__BB15_66: ld.volatile.u32 %r220, [%rd75]; $L__BB15_73:\n",
    "mul.wide.u32 %rd207, %r213, 8; add.s64 %rd203, %rd206, %rd207; cvt.u64.u32 %rd208, %r220;\n",
    "shl.b64 %rd209, %rd208, 32; or.b64 %rd204, %rd209, %rd71; st.relaxed.sys.u64 [%rd203], %rd204;\n",
    "add.s32 %r213, %r213, %r53; setp.lt.u32 %p79, %r213, %r103; @%p79 bra $L__BB15_53; $L__BB15_74:\n",
    "@%p38 bra $L__BB15_76; ld.param.u64 %rd235, [sf_resident_publish_kernel_param_0];\n",
    "cvta.to.global.u64 %rd234, %rd235; add.s64 %rd233, %rd234, 40; add.s64 %rd210, %rd88, 8320;\n",
    "add.s64 %rd211, %rd21, 1; st.relaxed.sys.u64 [%rd210], %rd211; add.s64 %rd212, %rd88, 8328;\n",
    "st.relaxed.sys.u64 [%rd212], %rd20; st.global.u64 [%rd233+184], %rd211;\n",
    "st.global.u64 [%rd233+192], %rd20; mov.u32 %r188, 0;\n",
    "ld.shared.u64 %rd214, [sfi_resident_warp_publish_record+56]; st.global.u64 [%rd233+208], %rd214;\n",
    "ld.shared.u64 %rd215, [sfi_resident_warp_publish_record+48]; st.global.u64 [%rd233+240], %rd215;\n",
    "st.global.u32 [%rd233+248], %r188; st.global.u32 [%rd233+260], %r20; $L__BB15_76:\n",
    "setp.eq.s32 %p82, %r104, 0; or.pred %p83, %p47, %p82; @%p83 bra $L__BB15_83; setp.eq.s32 %p84, %r36, 2;\n",
    "mov.u64 %rd258, %rd18; @%p84 bra $L__BB15_81; setp.eq.s32 %p85, %r36, 3; mov.u64 %rd258, %rd259;\n",
    "@%p85 bra $L__BB15_80; setp.eq.s32 %p86, %r36, 4; selp.b64 %rd258, %rd17, %rd19, %p86;\n",
    "setp.eq.s32 %p87, %r36, 1; mov.u64 %rd259, %rd18; @%p87 bra $L__BB15_81; $L__BB15_80:\n",
    "mov.u64 %rd259, %rd152; $L__BB15_81: setp.eq.s64 %p88, %rd258, 0; @%p88 bra $L__BB15_83;\n",
    "sub.s64 %rd216, %rd259, %rd258; max.s64 %rd217, %rd216, 0; setp.gt.u64 %p89, %rd217, 31;\n",
    "clz.b64 %r189, %rd217; mov.u32 %r190, 59; sub.s32 %r191, %r190, %r189; selp.b32 %r192, %r191, 0, %p89;\n",
    "setp.lt.u64 %p90, %rd217, 16; cvt.u32.u64 %r193, %rd217; shl.b32 %r194, %r192, 4;\n",
    "shr.u64 %rd218, %rd217, %r192; cvt.u32.u64 %r195, %rd218; add.s32 %r196, %r194, %r195;\n",
    "selp.b32 %r197, %r193, %r196, %p90; min.u32 %r198, %r197, 767; mul.wide.u32 %rd219, %r198, 8;\n",
    "mul.wide.u32 %rd220, %r36, 6176; add.s64 %rd221, %rd5, %rd220; add.s64 %rd222, %rd221, %rd219;\n",
    "add.s64 %rd223, %rd222, 32; atom.add.u64 %rd224, [%rd223], 1; add.s64 %rd225, %rd221, 8;\n",
    "atom.add.u64 %rd226, [%rd225], %rd217; add.s64 %rd227, %rd221, 16; not.b64 %rd228, %rd217;\n",
    "atom.max.u64 %rd229, [%rd227], %rd228; add.s64 %rd230, %rd221, 24; atom.max.u64 %rd231, [%rd230], %rd217;\n",
    "atom.add.u64 %rd232, [%rd221], 1; $L__BB15_83: ret; } .visible .entry sf_resident_turn_kernel(\n",
    ".param .align 8 .b8 sf_resident_turn_kernel_param_0[80] ) { .reg .pred %p<406>; .reg .b16 %rs<34>;\n",
    ".reg .b32 %r<641>; .reg .b64 %rd<787>; .shared .align 1 .u8 sf_resident_turn_kernel_goes_on;\n",
    ".shared .align 8 .u64 sf_resident_turn_kernel_submitted;\n",
    "ld.param.v2.u32 {%r229, %r230}, [sf_resident_turn_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r231, %r232}, [sf_resident_turn_kernel_param_0+48];\n",
    "ld.param.v2.u32 {%r233, %r234}, [sf_resident_turn_kernel_param_0+56];\n",
    "ld.param.u64 %rd277, [sf_resident_turn_kernel_param_0]; cvta.to.global.u64 %rd2, %rd277;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd2, 40; ld.global.u64 %rd4, [%rd2+40]; ld.global.u64 %rd5, [%rd2+48];\n",
    "ld.global.u64 %rd6, [%rd2+72]; ld.global.u64 %rd7, [%rd2+64]; ld.global.u64 %rd8, [%rd2+56];\n",
    "ld.global.u32 %r1, [%rd2+116]; ld.global.u32 %r239, [%rd2+124]; setp.eq.s32 %p18, %r239, 0;\n",
    "mov.u32 %r20, 0; mov.u32 %r565, %r20; @%p18 bra $L__BB16_2; ld.global.u32 %r565, [%rd3+60]; $L__BB16_2:\n",
    "ld.global.u32 %r6, [%rd3+-24]; ld.global.u32 %r7, [%rd3+92]; ld.global.u32 %r8, [%rd3+96];\n",
    "ld.global.v2.u32 {%r244, %r245}, [%rd3+64]; ld.global.u32 %rd9, [%rd3+72];\n",
    "ld.global.u32 %r11, [%rd3+108]; ld.global.v2.u32 {%r246, %r247}, [%rd3+112];\n",
    "ld.global.u64 %rd10, [%rd3+136]; ld.global.u64 %rd11, [%rd3+144]; ld.global.u64 %rd12, [%rd3+152];\n",
    "ld.global.u64 %rd13, [%rd3+160]; ld.global.u64 %rd14, [%rd3+168]; ld.global.u64 %rd15, [%rd3+176];\n",
    "setp.eq.s32 %p19, %r233, 0; mov.u64 %rd713, 0; mov.u64 %rd20, %rd713; mov.u64 %rd21, %rd713;\n",
    "mov.u64 %rd22, %rd713; mov.u64 %rd23, %rd713; @%p19 bra $L__BB16_4; mul.wide.u32 %rd286, %r232, 48;\n",
    "add.s64 %rd287, %rd7, %rd286; ld.v2.u32 {%r20, %r251}, [%rd287+40]; ld.u64 %rd23, [%rd287+24];\n",
    "ld.u64 %rd22, [%rd287+16]; ld.u64 %rd21, [%rd287+8]; ld.u64 %rd20, [%rd287]; $L__BB16_4:\n",
    "setp.eq.s32 %p20, %r231, 0; mov.u64 %rd714, %rd713; mov.u64 %rd715, %rd713; mov.u64 %rd716, %rd713;\n",
    "@%p20 bra $L__BB16_6; mul.wide.u32 %rd292, %r230, 48; add.s64 %rd293, %rd7, %rd292;\n",
    "ld.u64 %rd716, [%rd293+24]; ld.u64 %rd715, [%rd293+16]; ld.u64 %rd714, [%rd293+8];\n",
    "ld.u64 %rd713, [%rd293]; $L__BB16_6:\n",
    "griddepcontrol.wait;\n",
    "add.s64 %rd294, %rd277, 8; ld.relaxed.sys.u32 %r260, [%rd294]; ld.global.u32 %r33, [%rd3+1336];\n",
    "ld.global.u64 %rd35, [%rd3+312]; ld.global.u64 %rd36, [%rd3+568]; ld.global.u32 %r34, [%rd3+256];\n",
    "ld.global.v2.u32 {%r262, %r263}, [%rd3+248]; ld.global.u64 %rd37, [%rd3+240];\n",
    "ld.global.u64 %rd727, [%rd3+232]; ld.global.u64 %rd39, [%rd3+224]; ld.global.u64 %rd40, [%rd3+216];\n",
    "ld.global.u64 %rd41, [%rd3+208]; ld.global.u64 %rd42, [%rd3+200]; ld.global.u64 %rd43, [%rd3+184];\n",
    "mov.u32 %r37, %tid.x; add.s32 %r38, %r37, -16; setp.lt.u32 %p21, %r37, 16; setp.le.u32 %p22, %r246, %r37;\n",
    "mov.u32 %r572, 0; or.pred %p23, %p21, %p22; @%p23 bra $L__BB16_24; add.s64 %rd295, %rd715, 3;\n",
    "shr.u64 %rd296, %rd295, 2; cvt.u32.u64 %r264, %rd296; setp.lt.u32 %p24, %r38, %r264;\n",
    "@%p24 bra $L__BB16_18; bra.uni $L__BB16_8; $L__BB16_18: mul.wide.u32 %rd308, %r38, 4;\n",
    "add.s64 %rd51, %rd714, %rd308; sub.s64 %rd52, %rd715, %rd308; setp.lt.u64 %p34, %rd52, 4;\n",
    "@%p34 bra $L__BB16_20; and.b64 %rd309, %rd51, 3; setp.eq.s64 %p35, %rd309, 0; @%p35 bra $L__BB16_23;\n",
    "$L__BB16_20: mov.u32 %r572, 0; setp.eq.s64 %p36, %rd52, 0; @%p36 bra $L__BB16_24; mov.u32 %r570, 0;\n",
    "mov.u64 %rd718, 0; mov.u32 %r572, %r570; $L__BB16_22: .pragma \"nounroll\"; add.s64 %rd311, %rd51, %rd718;\n",
    "ld.volatile.u8 %r279, [%rd311]; shl.b32 %r280, %r570, 3; shl.b32 %r281, %r279, %r280;\n",
    "or.b32 %r572, %r281, %r572; add.s32 %r570, %r570, 1; setp.lt.u32 %p37, %r570, 4;\n",
    "cvt.u64.u32 %rd718, %r570; setp.gt.u64 %p38, %rd52, %rd718; and.pred %p39, %p37, %p38;\n",
    "@%p39 bra $L__BB16_22; bra.uni $L__BB16_24; $L__BB16_8: mov.u32 %r572, 0; @%p20 bra $L__BB16_24;\n",
    "cvt.u64.u32 %rd44, %r230; mov.u32 %r567, 0; $L__BB16_10: .pragma \"nounroll\"; cvt.u64.u32 %rd297, %r567;\n",
    "add.s64 %rd298, %rd297, %rd44; mul.lo.s64 %rd299, %rd298, 48; add.s64 %rd300, %rd7, %rd299;\n",
    "add.s64 %rd45, %rd300, 40; ld.u32 %r267, [%rd300+40]; sub.s32 %r40, %r38, %r267;\n",
    "ld.u64 %rd46, [%rd300+16]; add.s64 %rd301, %rd46, 3; shr.u64 %rd302, %rd301, 2;\n",
    "cvt.u32.u64 %r268, %rd302; setp.lt.u32 %p26, %r40, %r268; @%p26 bra $L__BB16_12; add.s32 %r567, %r567, 1;\n",
    "setp.lt.u32 %p27, %r567, %r231; mov.u32 %r572, 0; @%p27 bra $L__BB16_10; bra.uni $L__BB16_24;\n",
    "$L__BB16_12: mul.wide.u32 %rd303, %r40, 4; ld.u64 %rd304, [%rd45+-32]; add.s64 %rd47, %rd304, %rd303;\n",
    "sub.s64 %rd48, %rd46, %rd303; setp.lt.u64 %p28, %rd48, 4; @%p28 bra $L__BB16_14;\n",
    "and.b64 %rd305, %rd47, 3; setp.eq.s64 %p29, %rd305, 0; @%p29 bra $L__BB16_17; $L__BB16_14:\n",
    "setp.eq.s64 %p30, %rd48, 0; mov.u32 %r572, 0; @%p30 bra $L__BB16_24; mov.u32 %r568, 0; mov.u64 %rd717, 0;\n",
    "mov.u32 %r572, %r568; $L__BB16_16: .pragma \"nounroll\"; add.s64 %rd307, %rd47, %rd717;\n",
    "ld.volatile.u8 %r273, [%rd307]; shl.b32 %r274, %r568, 3; shl.b32 %r275, %r273, %r274;\n",
    "or.b32 %r572, %r275, %r572; add.s32 %r568, %r568, 1; setp.lt.u32 %p31, %r568, 4;\n",
    "cvt.u64.u32 %rd717, %r568; setp.gt.u64 %p32, %rd48, %rd717; and.pred %p33, %p31, %p32;\n",
    "@%p33 bra $L__BB16_16; bra.uni $L__BB16_24; $L__BB16_23: ld.volatile.u32 %r572, [%rd51];\n",
    "bra.uni $L__BB16_24; $L__BB16_17: ld.volatile.u32 %r572, [%rd47]; $L__BB16_24: setp.ne.s32 %p40, %r37, 0;\n",
    "@%p40 bra $L__BB16_26; mov.u16 %rs11, 0; st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs11;\n",
    "mov.u64 %rd312, 0; st.shared.u64 [sf_resident_turn_kernel_submitted], %rd312; $L__BB16_26:\n",
    "setp.eq.s32 %p42, %r262, 0; mov.pred %p400, -1; @%p42 bra $L__BB16_38; mov.u64 %rd727, %globaltimer;\n",
    "setp.ne.s32 %p44, %r246, 16; mov.pred %p400, 0; or.pred %p46, %p44, %p20; @%p46 bra $L__BB16_38;\n",
    "add.s32 %r283, %r245, -1; cvt.u64.u32 %rd314, %r283; and.b64 %rd58, %rd43, %rd314;\n",
    "cvt.u64.u32 %rd59, %r37; mov.u32 %r284, %ntid.x; cvt.u64.u32 %rd60, %r284; add.s32 %r285, %r231, -1;\n",
    "setp.lt.u32 %p47, %r285, 3; mov.u32 %r575, 0; @%p47 bra $L__BB16_33; and.b32 %r557, %r231, 3;\n",
    "sub.s32 %r574, %r231, %r557; mov.u32 %r575, 0; $L__BB16_30: setp.eq.s32 %p48, %r575, 0;\n",
    "mov.u64 %rd719, %rd713; mov.u64 %rd720, %rd714; mov.u64 %rd721, %rd715; mov.u64 %rd722, %rd716;\n",
    "@%p48 bra $L__BB16_32; add.s32 %r287, %r575, %r230; mul.wide.u32 %rd315, %r287, 48;\n",
    "add.s64 %rd316, %rd7, %rd315; ld.u64 %rd719, [%rd316]; ld.u64 %rd720, [%rd316+8];\n",
    "ld.u64 %rd721, [%rd316+16]; ld.u64 %rd722, [%rd316+24]; $L__BB16_32: mul.lo.s64 %rd317, %rd722, %rd58;\n",
    "add.s64 %rd318, %rd719, %rd317; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd318; .param .b64 param1; st.param.b64 [param1+0], %rd720; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd721; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r288, %r575, %r230; add.s32 %r289, %r288, 1; mul.wide.u32 %rd319, %r289, 48;\n",
    "add.s64 %rd320, %rd7, %rd319; ld.u64 %rd321, [%rd320+8]; ld.u64 %rd322, [%rd320+16];\n",
    "ld.u64 %rd323, [%rd320+24]; mul.lo.s64 %rd324, %rd323, %rd58; ld.u64 %rd325, [%rd320];\n",
    "add.s64 %rd326, %rd325, %rd324; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd326; .param .b64 param1; st.param.b64 [param1+0], %rd321; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd322; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r290, %r288, 2; mul.wide.u32 %rd327, %r290, 48; add.s64 %rd328, %rd7, %rd327;\n",
    "ld.u64 %rd329, [%rd328+8]; ld.u64 %rd330, [%rd328+16]; ld.u64 %rd331, [%rd328+24];\n",
    "mul.lo.s64 %rd332, %rd331, %rd58; ld.u64 %rd333, [%rd328]; add.s64 %rd334, %rd333, %rd332; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd334; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd329; .param .b64 param2; st.param.b64 [param2+0], %rd330; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd59; .param .b64 param4; st.param.b64 [param4+0], %rd60; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r291, %r288, 3;\n",
    "mul.wide.u32 %rd335, %r291, 48; add.s64 %rd336, %rd7, %rd335; ld.u64 %rd337, [%rd336+8];\n",
    "ld.u64 %rd338, [%rd336+16]; ld.u64 %rd339, [%rd336+24]; mul.lo.s64 %rd340, %rd339, %rd58;\n",
    "ld.u64 %rd341, [%rd336]; add.s64 %rd342, %rd341, %rd340; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd342; .param .b64 param1; st.param.b64 [param1+0], %rd337; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd338; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r575, %r575, 4; add.s32 %r574, %r574, -4; setp.ne.s32 %p49, %r574, 0; @%p49 bra $L__BB16_30;\n",
    "$L__BB16_33: and.b32 %r546, %r231, 3; setp.eq.s32 %p51, %r546, 0; @%p51 bra $L__BB16_38;\n",
    "and.b32 %r578, %r231, 3; add.s32 %r576, %r230, %r575; $L__BB16_35: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p52, %r575, 0; mov.u64 %rd723, %rd713; mov.u64 %rd724, %rd714; mov.u64 %rd725, %rd715;\n",
    "mov.u64 %rd726, %rd716; @%p52 bra $L__BB16_37; mul.wide.u32 %rd343, %r576, 48;\n",
    "add.s64 %rd344, %rd7, %rd343; ld.u64 %rd723, [%rd344]; ld.u64 %rd724, [%rd344+8];\n",
    "ld.u64 %rd725, [%rd344+16]; ld.u64 %rd726, [%rd344+24]; $L__BB16_37: mul.lo.s64 %rd345, %rd726, %rd58;\n",
    "add.s64 %rd346, %rd723, %rd345; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd346; .param .b64 param1; st.param.b64 [param1+0], %rd724; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd725; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r575, %r575, 1; add.s32 %r576, %r576, 1; add.s32 %r578, %r578, -1; setp.ne.s32 %p54, %r578, 0;\n",
    "@%p54 bra $L__BB16_35; $L__BB16_38: bar.sync 0; @%p400 bra $L__BB16_153; setp.lt.u32 %p55, %r37, 32;\n",
    "@%p55 bra $L__BB16_106; bra.uni $L__BB16_40; $L__BB16_106: mov.u32 %r357, 0; mov.u32 %r101, %ntid.x;\n",
    "mov.u32 %r358, 32; min.u32 %r102, %r101, 32; sub.s32 %r359, %r358, %r102; mov.u32 %r360, -1;\n",
    "shr.u32 %r103, %r360, %r359; mov.u64 %rd429, %globaltimer; mov.b64 {%r349,%r350}, %rd429;\n",
    "mov.u32 %r361, 31; shfl.sync.idx.b32 %r352|%p127, %r350, %r357, %r361, %r103;\n",
    "shfl.sync.idx.b32 %r351|%p128, %r349, %r357, %r361, %r103; mov.b64 %rd431, {%r351,%r352};\n",
    "mov.b64 {%r353,%r354}, %rd727; shfl.sync.idx.b32 %r356|%p129, %r354, %r357, %r361, %r103;\n",
    "shfl.sync.idx.b32 %r355|%p130, %r353, %r357, %r361, %r103; mov.b64 %rd751, {%r355,%r356};\n",
    "@%p40 bra $L__BB16_108; cvt.u64.u32 %rd434, %r260; cvt.u64.u32 %rd435, %r263; cvt.u64.u32 %rd436, %r34;\n",
    "bfi.b64 %rd437, %rd436, %rd435, 32, 32; sub.s64 %rd438, %rd431, %rd40; setp.gt.s64 %p131, %rd438, %rd15;\n",
    "setp.gt.s64 %p132, %rd15, 0; and.pred %p133, %p132, %p131; selp.u64 %rd439, 1, 0, %p133;\n",
    "add.s64 %rd440, %rd41, %rd439; st.shared.u64 [sfi_resident_warp_publish_record], %rd42;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+8], %rd434;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+16], %rd437;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+24], %rd40;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+32], %rd39;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+40], %rd751;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+48], %rd431;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+56], %rd440; $L__BB16_108: mov.u32 %r564, %ntid.x;\n",
    "min.u32 %r563, %r564, 32; mov.u32 %r562, 32; sub.s32 %r561, %r562, %r563; mov.u32 %r560, -1;\n",
    "shr.u32 %r559, %r560, %r561; bar.warp.sync %r559; setp.eq.s32 %p135, %r565, 0;\n",
    "or.pred %p136, %p40, %p135; @%p136 bra $L__BB16_111;\n",
    "ld.param.u64 %rd708, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd742, %rd708, 8704; mov.u32 %r591, 0;\n",
    "mov.u64 %rd743, %rd2; $L__BB16_110: .pragma \"nounroll\"; ld.global.u64 %rd442, [%rd743+352];\n",
    "st.relaxed.sys.u64 [%rd742], %rd442; add.s64 %rd743, %rd743, 8; add.s64 %rd742, %rd742, 8;\n",
    "add.s32 %r591, %r591, 1; setp.lt.u32 %p137, %r591, %r565; @%p137 bra $L__BB16_110; $L__BB16_111:\n",
    "setp.ne.s32 %p138, %r247, 0; setp.gt.u32 %p139, %r37, 4; or.pred %p140, %p139, %p138;\n",
    "@%p140 bra $L__BB16_118; setp.eq.s32 %p141, %r37, 2; mov.u64 %rd745, %rd39; mov.u64 %rd746, %rd751;\n",
    "@%p141 bra $L__BB16_116; setp.eq.s32 %p142, %r37, 3; mov.u64 %rd745, %rd751; @%p142 bra $L__BB16_115;\n",
    "setp.eq.s32 %p143, %r37, 4; selp.b64 %rd745, %rd37, %rd40, %p143; setp.eq.s32 %p144, %r37, 1;\n",
    "mov.u64 %rd746, %rd39; @%p144 bra $L__BB16_116; $L__BB16_115: mov.u64 %rd746, %rd431; $L__BB16_116:\n",
    "setp.eq.s64 %p145, %rd745, 0; @%p145 bra $L__BB16_118; sub.s64 %rd443, %rd746, %rd745;\n",
    "max.s64 %rd444, %rd443, 0; setp.gt.u64 %p146, %rd444, 31; clz.b64 %r363, %rd444; mov.u32 %r364, 59;\n",
    "sub.s32 %r365, %r364, %r363; selp.b32 %r366, %r365, 0, %p146; setp.lt.u64 %p147, %rd444, 16;\n",
    "cvt.u32.u64 %r367, %rd444; shl.b32 %r368, %r366, 4; shr.u64 %rd445, %rd444, %r366;\n",
    "cvt.u32.u64 %r369, %rd445; add.s32 %r370, %r368, %r369; selp.b32 %r371, %r367, %r370, %p147;\n",
    "min.u32 %r372, %r371, 767; mul.wide.u32 %rd446, %r372, 8; mul.wide.u32 %rd447, %r37, 6176;\n",
    "add.s64 %rd448, %rd6, %rd447; add.s64 %rd449, %rd448, %rd446; add.s64 %rd450, %rd449, 32;\n",
    "atom.add.u64 %rd451, [%rd450], 1; add.s64 %rd452, %rd448, 8; atom.add.u64 %rd453, [%rd452], %rd444;\n",
    "add.s64 %rd454, %rd448, 16; not.b64 %rd455, %rd444; atom.max.u64 %rd456, [%rd454], %rd455;\n",
    "add.s64 %rd457, %rd448, 24; atom.max.u64 %rd458, [%rd457], %rd444; atom.add.u64 %rd459, [%rd448], 1;\n",
    "$L__BB16_118: setp.ne.s32 %p398, %r247, 0; @%p398 bra $L__BB16_120; fence.acq_rel.sys; $L__BB16_120:\n",
    "setp.le.u32 %p396, %r246, %r37; @%p396 bra $L__BB16_143; add.s64 %rd460, %rd715, 3;\n",
    "shr.u64 %rd461, %rd460, 2; cvt.u32.u64 %r106, %rd461; cvt.u64.u32 %rd462, %r1;\n",
    "and.b64 %rd135, %rd43, %rd462; add.s64 %rd463, %rd43, 1; and.b64 %rd136, %rd463, 4294967295;\n",
    "cvt.u64.u32 %rd137, %r230; shl.b64 %rd484, %rd135, 8; add.s64 %rd485, %rd4, %rd484; mov.u32 %r592, %r37;\n",
    "$L__BB16_122: .pragma \"nounroll\"; setp.gt.u32 %p150, %r592, 15; mov.u32 %r599, %r572;\n",
    "@%p150 bra $L__BB16_124; shl.b32 %r373, %r592, 2; and.b32 %r374, %r373, -8;\n",
    "mov.u32 %r375, sfi_resident_warp_publish_record; add.s32 %r376, %r375, %r374; and.b32 %r377, %r592, 1;\n",
    "setp.eq.b32 %p151, %r377, 1; ld.shared.u64 %rd464, [%r376]; shr.u64 %rd465, %rd464, 32;\n",
    "selp.b64 %rd466, %rd465, %rd464, %p151; cvt.u32.u64 %r599, %rd466; $L__BB16_124:\n",
    "setp.lt.u32 %p152, %r592, 16; setp.gt.u32 %p153, %r101, 31; or.pred %p154, %p153, %p152;\n",
    "@%p154 bra $L__BB16_142; add.s32 %r110, %r592, -16; setp.lt.u32 %p155, %r110, %r106;\n",
    "@%p155 bra $L__BB16_136; bra.uni $L__BB16_126; $L__BB16_136: mul.wide.u32 %rd478, %r110, 4;\n",
    "add.s64 %rd144, %rd714, %rd478; sub.s64 %rd145, %rd715, %rd478; setp.lt.u64 %p165, %rd145, 4;\n",
    "@%p165 bra $L__BB16_138; and.b64 %rd479, %rd144, 3; setp.eq.s64 %p166, %rd479, 0;\n",
    "@%p166 bra $L__BB16_141; $L__BB16_138: setp.eq.s64 %p167, %rd145, 0; mov.u32 %r599, 0;\n",
    "@%p167 bra $L__BB16_142; mov.u32 %r597, 0; mov.u64 %rd748, 0; mov.u32 %r599, %r597; $L__BB16_140:\n",
    ".pragma \"nounroll\"; add.s64 %rd481, %rd144, %rd748; ld.volatile.u8 %r392, [%rd481];\n",
    "shl.b32 %r393, %r597, 3; shl.b32 %r394, %r392, %r393; or.b32 %r599, %r394, %r599;\n",
    "add.s32 %r597, %r597, 1; setp.lt.u32 %p168, %r597, 4; cvt.u64.u32 %rd748, %r597;\n",
    "setp.gt.u64 %p169, %rd145, %rd748; and.pred %p170, %p168, %p169; @%p170 bra $L__BB16_140;\n",
    "bra.uni $L__BB16_142; $L__BB16_126: mov.u32 %r599, 0; @%p20 bra $L__BB16_142; mov.u32 %r594, 0;\n",
    "$L__BB16_128: .pragma \"nounroll\"; add.s32 %r558, %r592, -16; cvt.u64.u32 %rd467, %r594;\n",
    "add.s64 %rd468, %rd467, %rd137; mul.lo.s64 %rd469, %rd468, 48; add.s64 %rd470, %rd7, %rd469;\n",
    "add.s64 %rd138, %rd470, 40; ld.u32 %r380, [%rd470+40]; sub.s32 %r112, %r558, %r380;\n",
    "ld.u64 %rd139, [%rd470+16]; add.s64 %rd471, %rd139, 3; shr.u64 %rd472, %rd471, 2;\n",
    "cvt.u32.u64 %r381, %rd472; setp.lt.u32 %p157, %r112, %r381; add.s32 %r594, %r594, 1;\n",
    "@%p157 bra $L__BB16_130; setp.lt.u32 %p158, %r594, %r231; mov.u32 %r599, 0; @%p158 bra $L__BB16_128;\n",
    "bra.uni $L__BB16_142; $L__BB16_130: mul.wide.u32 %rd473, %r112, 4; ld.u64 %rd474, [%rd138+-32];\n",
    "add.s64 %rd140, %rd474, %rd473; sub.s64 %rd141, %rd139, %rd473; setp.lt.u64 %p159, %rd141, 4;\n",
    "@%p159 bra $L__BB16_132; and.b64 %rd475, %rd140, 3; setp.eq.s64 %p160, %rd475, 0;\n",
    "@%p160 bra $L__BB16_135; $L__BB16_132: setp.eq.s64 %p161, %rd141, 0; mov.u32 %r599, 0;\n",
    "@%p161 bra $L__BB16_142; mov.u32 %r595, 0; mov.u64 %rd747, 0; mov.u32 %r599, %r595; $L__BB16_134:\n",
    ".pragma \"nounroll\"; add.s64 %rd477, %rd140, %rd747; ld.volatile.u8 %r386, [%rd477];\n",
    "shl.b32 %r387, %r595, 3; shl.b32 %r388, %r386, %r387; or.b32 %r599, %r388, %r599;\n",
    "add.s32 %r595, %r595, 1; setp.lt.u32 %p162, %r595, 4; cvt.u64.u32 %rd747, %r595;\n",
    "setp.gt.u64 %p163, %rd141, %rd747; and.pred %p164, %p162, %p163; @%p164 bra $L__BB16_134;\n",
    "bra.uni $L__BB16_142; $L__BB16_141: ld.volatile.u32 %r599, [%rd144]; bra.uni $L__BB16_142; $L__BB16_135:\n",
    "ld.volatile.u32 %r599, [%rd140]; $L__BB16_142: mul.wide.u32 %rd486, %r592, 8;\n",
    "add.s64 %rd482, %rd485, %rd486; cvt.u64.u32 %rd487, %r599; shl.b64 %rd488, %rd487, 32;\n",
    "or.b64 %rd483, %rd488, %rd136; st.relaxed.sys.u64 [%rd482], %rd483; add.s32 %r592, %r592, %r102;\n",
    "setp.lt.u32 %p171, %r592, %r246; @%p171 bra $L__BB16_122; $L__BB16_143: @%p40 bra $L__BB16_145;\n",
    "ld.param.u64 %rd707, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd489, %rd707, 8320;\n",
    "add.s64 %rd490, %rd43, 1; st.relaxed.sys.u64 [%rd489], %rd490; add.s64 %rd491, %rd707, 8328;\n",
    "st.relaxed.sys.u64 [%rd491], %rd42; st.global.u64 [%rd3+184], %rd490; st.global.u64 [%rd3+192], %rd42;\n",
    "mov.u32 %r395, 0; ld.shared.u64 %rd493, [sfi_resident_warp_publish_record+56];\n",
    "st.global.u64 [%rd3+208], %rd493; ld.shared.u64 %rd494, [sfi_resident_warp_publish_record+48];\n",
    "st.global.u64 [%rd3+240], %rd494; st.global.u32 [%rd3+248], %r395; st.global.u32 [%rd3+260], %r33;\n",
    "$L__BB16_145: setp.gt.u32 %p399, %r37, 4; setp.eq.s32 %p174, %r247, 0; or.pred %p175, %p399, %p174;\n",
    "@%p175 bra $L__BB16_152; setp.eq.s32 %p176, %r37, 2; mov.u64 %rd750, %rd39; @%p176 bra $L__BB16_150;\n",
    "setp.eq.s32 %p177, %r37, 3; mov.u64 %rd750, %rd751; @%p177 bra $L__BB16_149; setp.eq.s32 %p178, %r37, 4;\n",
    "selp.b64 %rd750, %rd37, %rd40, %p178; setp.eq.s32 %p179, %r37, 1; mov.u64 %rd751, %rd39;\n",
    "@%p179 bra $L__BB16_150; $L__BB16_149: mov.u64 %rd751, %rd431; $L__BB16_150:\n",
    "setp.eq.s64 %p180, %rd750, 0; @%p180 bra $L__BB16_152; sub.s64 %rd495, %rd751, %rd750;\n",
    "max.s64 %rd496, %rd495, 0; setp.gt.u64 %p181, %rd496, 31; clz.b64 %r396, %rd496; mov.u32 %r397, 59;\n",
    "sub.s32 %r398, %r397, %r396; selp.b32 %r399, %r398, 0, %p181; setp.lt.u64 %p182, %rd496, 16;\n",
    "cvt.u32.u64 %r400, %rd496; shl.b32 %r401, %r399, 4; shr.u64 %rd497, %rd496, %r399;\n",
    "cvt.u32.u64 %r402, %rd497; add.s32 %r403, %r401, %r402; selp.b32 %r404, %r400, %r403, %p182;\n",
    "min.u32 %r405, %r404, 767; mul.wide.u32 %rd498, %r405, 8; mul.wide.u32 %rd499, %r37, 6176;\n",
    "add.s64 %rd500, %rd6, %rd499; add.s64 %rd501, %rd500, %rd498; add.s64 %rd502, %rd501, 32;\n",
    "atom.add.u64 %rd503, [%rd502], 1; add.s64 %rd504, %rd500, 8; atom.add.u64 %rd505, [%rd504], %rd496;\n",
    "add.s64 %rd506, %rd500, 16; not.b64 %rd507, %rd496; atom.max.u64 %rd508, [%rd506], %rd507;\n",
    "add.s64 %rd509, %rd500, 24; atom.max.u64 %rd510, [%rd509], %rd496; atom.add.u64 %rd511, [%rd500], 1;\n",
    "bra.uni $L__BB16_152; $L__BB16_40: setp.ne.s32 %p56, %r11, 0; setp.lt.u32 %p57, %r37, 64;\n",
    "and.pred %p58, %p57, %p56; @%p58 bra $L__BB16_73; bra.uni $L__BB16_41; $L__BB16_73:\n",
    "add.s32 %r87, %r37, -32; and.b64 %rd395, %rd35, -4294967296; setp.eq.s64 %p88, %rd395, 0;\n",
    "@%p88 bra $L__BB16_75; rem.u64 %rd737, %rd35, %rd9; bra.uni $L__BB16_76; $L__BB16_41:\n",
    "setp.eq.s32 %p59, %r6, 0; or.pred %p61, %p59, %p56; setp.le.u64 %p62, %rd36, %rd35;\n",
    "or.pred %p63, %p61, %p62; @%p63 bra $L__BB16_152; add.s32 %r69, %r37, -32; mov.u32 %r292, %ntid.x;\n",
    "add.s32 %r70, %r292, -32; setp.ne.s32 %p64, %r69, 0; @%p64 bra $L__BB16_56; mov.u64 %rd347, %globaltimer;\n",
    "setp.ne.s32 %p65, %r260, 0; mov.u16 %rs29, 0; @%p65 bra $L__BB16_55; ld.global.u32 %r293, [%rd3+1348];\n",
    "setp.ne.s32 %p66, %r293, 0; @%p66 bra $L__BB16_55; ld.global.u32 %r294, [%rd3+1344];\n",
    "setp.ne.s32 %p67, %r294, 0; @%p67 bra $L__BB16_55; bra.uni $L__BB16_46; $L__BB16_55:\n",
    "st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs29; $L__BB16_56: bar.warp.sync -1; bar.sync 1, %r70;\n",
    "ld.shared.u8 %rs19, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p76, %rs19, 0;\n",
    "setp.ne.s32 %p77, %r7, 0; or.pred %p78, %p77, %p76; @%p78 bra $L__BB16_152;\n",
    "and.b64 %rd359, %rd35, -4294967296; setp.eq.s64 %p79, %rd359, 0; @%p79 bra $L__BB16_59;\n",
    "rem.u64 %rd728, %rd35, %rd9; bra.uni $L__BB16_60; $L__BB16_75: cvt.u32.u64 %r309, %rd9;\n",
    "cvt.u32.u64 %r310, %rd35; rem.u32 %r311, %r310, %r309; cvt.u64.u32 %rd737, %r311; $L__BB16_76:\n",
    "setp.ge.u32 %p89, %r87, %r11; mov.u64 %rd738, 0; @%p89 bra $L__BB16_78; shl.b64 %rd399, %rd737, 7;\n",
    "add.s64 %rd400, %rd5, %rd399; mul.wide.u32 %rd401, %r87, 8; add.s64 %rd398, %rd400, %rd401;\n",
    "ld.relaxed.sys.u64 %rd738, [%rd398]; $L__BB16_78: mov.u64 %rd402, %globaltimer;\n",
    "setp.ne.s32 %p90, %r260, 0; mov.u32 %r312, 0; mov.u32 %r587, %r312; @%p90 bra $L__BB16_90;\n",
    "ld.global.u32 %r314, [%rd3+1348]; setp.ne.s32 %p91, %r314, 0; @%p91 bra $L__BB16_90;\n",
    "ld.global.u32 %r316, [%rd3+1344]; setp.ne.s32 %p92, %r316, 0; mov.u32 %r587, %r312;\n",
    "@%p92 bra $L__BB16_90; bra.uni $L__BB16_81; $L__BB16_90: cvt.u32.u64 %r323, %rd35;\n",
    "add.s32 %r324, %r323, 1; cvt.u32.u64 %r325, %rd738; setp.eq.s32 %p101, %r324, %r325;\n",
    "or.pred %p103, %p101, %p89; mov.u32 %r326, -1; vote.sync.all.pred %p104, %p103, %r326;\n",
    "not.pred %p105, %p104; @%p105 bra $L__BB16_152; setp.ne.s32 %p106, %r587, 0;\n",
    "vote.sync.all.pred %p107, %p106, %r326; not.pred %p108, %p107; @%p108 bra $L__BB16_152; mov.u32 %r588, 0;\n",
    "mov.b64 {%r330,%r331}, %rd738; mov.u32 %r339, 31; mov.u32 %r340, -1;\n",
    "shfl.sync.idx.b32 %r333|%p110, %r331, %r588, %r339, %r340;\n",
    "shfl.sync.idx.b32 %r332|%p111, %r330, %r588, %r339, %r340; mov.b64 %rd415, {%r332,%r333};\n",
    "mov.b64 {%r334,%r335}, %rd738; mov.u32 %r341, 1;\n",
    "shfl.sync.idx.b32 %r337|%p112, %r335, %r341, %r339, %r340;\n",
    "shfl.sync.idx.b32 %r336|%p113, %r334, %r341, %r339, %r340; mov.b64 %rd417, {%r336,%r337};\n",
    "shr.u64 %rd418, %rd415, 32; and.b64 %rd419, %rd417, -4294967296; or.b64 %rd115, %rd419, %rd418;\n",
    "add.s32 %r342, %r11, -2; add.s32 %r92, %r37, -34; setp.ge.u32 %p114, %r92, %r342;\n",
    "or.pred %p115, %p114, %p19; @%p115 bra $L__BB16_104; shr.u64 %rd420, %rd738, 32;\n",
    "cvt.u32.u64 %r93, %rd420; $L__BB16_94: .pragma \"nounroll\"; setp.eq.s32 %p116, %r588, 0;\n",
    "mov.u64 %rd739, %rd21; mov.u64 %rd740, %rd22; mov.u32 %r589, %r20; @%p116 bra $L__BB16_96;\n",
    "add.s32 %r344, %r588, %r232; mul.wide.u32 %rd421, %r344, 48; add.s64 %rd422, %rd7, %rd421;\n",
    "ld.u64 %rd739, [%rd422+8]; ld.u64 %rd740, [%rd422+16]; ld.u32 %r589, [%rd422+40]; $L__BB16_96:\n",
    "add.s64 %rd423, %rd740, 3; shr.u64 %rd424, %rd423, 2; cvt.u32.u64 %r345, %rd424;\n",
    "sub.s32 %r97, %r92, %r589; setp.ge.u32 %p117, %r97, %r345; @%p117 bra $L__BB16_103;\n",
    "mul.wide.u32 %rd425, %r97, 4; add.s64 %rd120, %rd739, %rd425; sub.s64 %rd121, %rd740, %rd425;\n",
    "setp.lt.u64 %p118, %rd121, 4; @%p118 bra $L__BB16_99; and.b64 %rd426, %rd120, 3;\n",
    "setp.eq.s64 %p119, %rd426, 0; @%p119 bra $L__BB16_102; $L__BB16_99: setp.eq.s64 %p120, %rd121, 0;\n",
    "@%p120 bra $L__BB16_103; mov.u32 %r590, 0; mov.u64 %rd741, 0; $L__BB16_101: .pragma \"nounroll\";\n",
    "shl.b32 %r347, %r590, 3; shr.u32 %r348, %r93, %r347; add.s64 %rd428, %rd120, %rd741;\n",
    "st.u8 [%rd428], %r348; add.s32 %r590, %r590, 1; setp.lt.u32 %p121, %r590, 4; cvt.u64.u32 %rd741, %r590;\n",
    "setp.gt.u64 %p122, %rd121, %rd741; and.pred %p123, %p121, %p122; @%p123 bra $L__BB16_101;\n",
    "bra.uni $L__BB16_103; $L__BB16_102: st.u32 [%rd120], %r93; $L__BB16_103: add.s32 %r588, %r588, 1;\n",
    "setp.lt.u32 %p124, %r588, %r233; @%p124 bra $L__BB16_94; $L__BB16_104: setp.ne.s32 %p125, %r87, 0;\n",
    "@%p125 bra $L__BB16_152; mov.u16 %rs20, 1; st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs20;\n",
    "st.shared.u64 [sf_resident_turn_kernel_submitted], %rd115; bra.uni $L__BB16_152; $L__BB16_59:\n",
    "cvt.u32.u64 %r298, %rd9; cvt.u32.u64 %r299, %rd35; rem.u32 %r300, %r299, %r298;\n",
    "cvt.u64.u32 %rd728, %r300; $L__BB16_60: @%p64 bra $L__BB16_62; shl.b64 %rd360, %rd728, 3;\n",
    "add.s64 %rd361, %rd8, %rd360; ld.volatile.u64 %rd362, [%rd361];\n",
    "st.shared.u64 [sf_resident_turn_kernel_submitted], %rd362; $L__BB16_62: @%p19 bra $L__BB16_152;\n",
    "cvt.u64.u32 %rd89, %r69; cvt.u64.u32 %rd90, %r70; and.b32 %r585, %r233, 3; add.s32 %r302, %r233, -1;\n",
    "setp.lt.u32 %p82, %r302, 3; mov.u32 %r582, 0; @%p82 bra $L__BB16_68; sub.s32 %r581, %r233, %r585;\n",
    "mov.u32 %r582, 0; $L__BB16_65: setp.eq.s32 %p83, %r582, 0; mov.u64 %rd729, %rd20; mov.u64 %rd730, %rd21;\n",
    "mov.u64 %rd731, %rd22; mov.u64 %rd732, %rd23; @%p83 bra $L__BB16_67; add.s32 %r304, %r582, %r232;\n",
    "mul.wide.u32 %rd363, %r304, 48; add.s64 %rd364, %rd7, %rd363; ld.u64 %rd729, [%rd364];\n",
    "ld.u64 %rd730, [%rd364+8]; ld.u64 %rd731, [%rd364+16]; ld.u64 %rd732, [%rd364+24]; $L__BB16_67:\n",
    "mul.lo.s64 %rd365, %rd732, %rd728; add.s64 %rd366, %rd729, %rd365; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd730; .param .b64 param1; st.param.b64 [param1+0], %rd366;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd731; .param .b64 param3; st.param.b64 [param3+0], %rd89;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r305, %r582, %r232; add.s32 %r306, %r305, 1; mul.wide.u32 %rd367, %r306, 48;\n",
    "add.s64 %rd368, %rd7, %rd367; ld.u64 %rd369, [%rd368+8]; ld.u64 %rd370, [%rd368+16];\n",
    "ld.u64 %rd371, [%rd368+24]; mul.lo.s64 %rd372, %rd371, %rd728; ld.u64 %rd373, [%rd368];\n",
    "add.s64 %rd374, %rd373, %rd372; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd369; .param .b64 param1; st.param.b64 [param1+0], %rd374; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd370; .param .b64 param3; st.param.b64 [param3+0], %rd89; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r307, %r305, 2; mul.wide.u32 %rd375, %r307, 48; add.s64 %rd376, %rd7, %rd375;\n",
    "ld.u64 %rd377, [%rd376+8]; ld.u64 %rd378, [%rd376+16]; ld.u64 %rd379, [%rd376+24];\n",
    "mul.lo.s64 %rd380, %rd379, %rd728; ld.u64 %rd381, [%rd376]; add.s64 %rd382, %rd381, %rd380; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd377; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd382; .param .b64 param2; st.param.b64 [param2+0], %rd378; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd89; .param .b64 param4; st.param.b64 [param4+0], %rd90; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r308, %r305, 3;\n",
    "mul.wide.u32 %rd383, %r308, 48; add.s64 %rd384, %rd7, %rd383; ld.u64 %rd385, [%rd384+8];\n",
    "ld.u64 %rd386, [%rd384+16]; ld.u64 %rd387, [%rd384+24]; mul.lo.s64 %rd388, %rd387, %rd728;\n",
    "ld.u64 %rd389, [%rd384]; add.s64 %rd390, %rd389, %rd388; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd385; .param .b64 param1; st.param.b64 [param1+0], %rd390; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd386; .param .b64 param3; st.param.b64 [param3+0], %rd89; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r582, %r582, 4; add.s32 %r581, %r581, -4; setp.ne.s32 %p84, %r581, 0; @%p84 bra $L__BB16_65;\n",
    "$L__BB16_68: setp.eq.s32 %p85, %r585, 0; @%p85 bra $L__BB16_152; add.s32 %r583, %r232, %r582;\n",
    "$L__BB16_70: .pragma \"nounroll\"; setp.eq.s32 %p86, %r582, 0; mov.u64 %rd733, %rd20;\n",
    "mov.u64 %rd734, %rd21; mov.u64 %rd735, %rd22; mov.u64 %rd736, %rd23; @%p86 bra $L__BB16_72;\n",
    "mul.wide.u32 %rd391, %r583, 48; add.s64 %rd392, %rd7, %rd391; ld.u64 %rd733, [%rd392];\n",
    "ld.u64 %rd734, [%rd392+8]; ld.u64 %rd735, [%rd392+16]; ld.u64 %rd736, [%rd392+24]; $L__BB16_72:\n",
    "mul.lo.s64 %rd393, %rd736, %rd728; add.s64 %rd394, %rd733, %rd393; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd734; .param .b64 param1; st.param.b64 [param1+0], %rd394;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd735; .param .b64 param3; st.param.b64 [param3+0], %rd89;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r582, %r582, 1; add.s32 %r583, %r583, 1; add.s32 %r585, %r585, -1;\n",
    "setp.eq.s32 %p87, %r585, 0; @%p87 bra $L__BB16_152; bra.uni $L__BB16_70; $L__BB16_152: bar.sync 0;\n",
    "$L__BB16_153: ld.shared.u8 %rs21, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p183, %rs21, 0;\n",
    "@%p183 bra $L__BB16_157; @%p40 bra $L__BB16_348; setp.eq.s32 %p185, %r11, 0; mov.u32 %r406, 0;\n",
    "add.s64 %rd513, %rd35, 1; selp.b64 %rd514, %rd36, %rd513, %p185;\n",
    "ld.shared.u64 %rd152, [sf_resident_turn_kernel_submitted]; mov.u64 %rd512, %globaltimer;\n",
    "st.global.u64 [%rd3+312], %rd513; st.global.u64 [%rd3+568], %rd514; st.global.u32 [%rd3+1360], %r406;\n",
    "st.global.u32 [%rd3+1336], %r229; ld.global.u64 %rd515, [%rd3+192]; add.s64 %rd516, %rd515, 1;\n",
    "st.global.u64 [%rd3+200], %rd516; st.global.u64 [%rd3+224], %rd512; st.global.u64 [%rd3+216], %rd512;\n",
    "mov.u32 %r407, 1; st.global.v2.u32 [%rd3+248], {%r407, %r407}; ld.global.u32 %r408, [%rd3+256];\n",
    "add.s32 %r409, %r408, 1; st.global.u32 [%rd3+256], %r409; setp.eq.s64 %p186, %rd152, 0;\n",
    "setp.le.s64 %p187, %rd512, %rd152; or.pred %p188, %p186, %p187; @%p188 bra $L__BB16_348;\n",
    "st.global.u64 [%rd3+216], %rd152; bra.uni $L__BB16_348; $L__BB16_157: setp.eq.s32 %p189, %r8, 0;\n",
    "@%p189 bra $L__BB16_161; add.s32 %r410, %r245, -1; cvt.u64.u32 %rd517, %r410;\n",
    "ld.global.u64 %rd518, [%rd3+192]; and.b64 %rd153, %rd518, %rd517; cvt.u64.u32 %rd154, %r229; bar.sync 0;\n",
    "setp.eq.s64 %p191, %rd153, %rd154; or.pred %p192, %p40, %p191; @%p192 bra $L__BB16_160; mov.u32 %r411, 0;\n",
    "st.global.u32 [%rd3+248], %r411; $L__BB16_160: setp.ne.s64 %p193, %rd153, %rd154;\n",
    "@%p193 bra $L__BB16_348; $L__BB16_161: setp.ne.s32 %p194, %r11, 0; setp.lt.u32 %p195, %r37, 32;\n",
    "and.pred %p196, %p195, %p194; mov.u32 %r126, %ntid.x; setp.gt.u32 %p197, %r126, 31;\n",
    "and.pred %p198, %p197, %p196; @%p198 bra $L__BB16_260; bra.uni $L__BB16_162; $L__BB16_260:\n",
    "mov.u32 %r549, %tid.x; add.s32 %r548, %r549, -16; ld.global.u64 %rd213, [%rd3+312];\n",
    "ld.global.u32 %r180, [%rd3+256]; ld.global.u64 %rd214, [%rd3+192]; bar.warp.sync -1;\n",
    "ld.global.u64 %rd215, [%rd3+184]; mul.wide.u32 %rd606, %r548, 8; add.s64 %rd607, %rd2, %rd606;\n",
    "add.s64 %rd216, %rd607, 1120; setp.eq.s32 %p300, %r549, 31; @%p300 bra $L__BB16_268;\n",
    "bra.uni $L__BB16_261; $L__BB16_268: ld.param.u64 %rd706, [sf_resident_turn_kernel_param_0+8];\n",
    "add.s64 %rd769, %rd706, 128; bra.uni $L__BB16_269; $L__BB16_162: @%p40 bra $L__BB16_316;\n",
    "setp.ne.s32 %p200, %r6, 0; setp.eq.s32 %p201, %r11, 0; and.pred %p202, %p200, %p201;\n",
    "@%p202 bra $L__BB16_173; bra.uni $L__BB16_164; $L__BB16_173: ld.global.u32 %r131, [%rd3+256];\n",
    "mov.u64 %rd190, 0; ld.global.u64 %rd160, [%rd3+192]; ld.global.u64 %rd161, [%rd3+184];\n",
    "ld.global.u64 %rd162, [%rd3+312]; ld.global.u32 %r132, [%rd3+1352];\n",
    "ld.global.v2.u32 {%r418, %r419}, [%rd3+1344]; or.b32 %r133, %r418, %r419;\n",
    "ld.global.u64 %rd163, [%rd3+1368]; mov.u64 %rd528, %globaltimer; ld.global.u64 %rd530, [%rd3+1376];\n",
    "sub.s64 %rd165, %rd528, %rd530; setp.gt.s64 %p211, %rd165, 49999; ld.global.u32 %r134, [%rd3+1360];\n",
    "@%p211 bra $L__BB16_175; ld.global.u64 %rd190, [%rd3+568]; $L__BB16_175:\n",
    "ld.relaxed.sys.u32 %r151, [%rd294]; ld.global.u64 %rd191, [%rd3+1376]; setp.eq.s32 %p212, %r244, 0;\n",
    "@%p212 bra $L__BB16_188; cvt.u64.u32 %rd169, %r245; mov.u32 %r602, 0; $L__BB16_177:\n",
    "mul.wide.u32 %rd532, %r602, 8; add.s64 %rd533, %rd2, %rd532; ld.global.u64 %rd534, [%rd533+1120];\n",
    "sub.s64 %rd535, %rd161, %rd534; setp.lt.u64 %p213, %rd535, %rd169; add.s32 %r602, %r602, 1;\n",
    "@%p213 bra $L__BB16_187; bra.uni $L__BB16_178; $L__BB16_187: setp.lt.u32 %p222, %r602, %r244;\n",
    "@%p222 bra $L__BB16_177; $L__BB16_188: setp.eq.s32 %p223, %r134, 0; setp.lt.s64 %p224, %rd165, 50000;\n",
    "or.pred %p225, %p223, %p224; setp.eq.s32 %p226, %r134, 8; or.pred %p227, %p225, %p226;\n",
    "@%p227 bra $L__BB16_199; ld.param.u64 %rd704, [sf_resident_turn_kernel_param_0+8];\n",
    "add.s64 %rd546, %rd704, 128; ld.relaxed.sys.u64 %rd545, [%rd546];\n",
    "and.b64 %rd547, %rd545, -4611686018427387904; setp.eq.s64 %p228, %rd547, 0; mov.u64 %rd191, %rd528;\n",
    "@%p228 bra $L__BB16_199; mov.u64 %rd548, %globaltimer; add.s64 %rd176, %rd277, 12; mov.u32 %r605, 125;\n",
    "mov.u64 %rd755, %rd548; bra.uni $L__BB16_191; $L__BB16_198: mov.u64 %rd755, %globaltimer; $L__BB16_191: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd277; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd755; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r623, [retval0+0]; } setp.ne.s32 %p229, %r623, 2; @%p229 bra $L__BB16_193;\n",
    "mov.u32 %r431, 1; st.relaxed.sys.u32 [%rd176], %r431; $L__BB16_193: setp.eq.s32 %p230, %r623, 0;\n",
    "@%p230 bra $L__BB16_196; bra.uni $L__BB16_194; $L__BB16_196: sub.s64 %rd550, %rd755, %rd548;\n",
    "ld.global.u64 %rd551, [%rd3+160]; setp.gt.s64 %p232, %rd551, %rd550; selp.b64 %rd552, 184, 192, %p232;\n",
    "add.s64 %rd553, %rd2, %rd552; ld.global.u64 %rd554, [%rd3+136]; setp.gt.s64 %p233, %rd554, %rd550;\n",
    "ld.global.u64 %rd178, [%rd553]; setp.lt.s64 %p234, %rd178, 1; or.pred %p235, %p234, %p233;\n",
    "@%p235 bra $L__BB16_198; shl.b32 %r434, %r605, 1; cvt.u64.u32 %rd555, %r434;\n",
    "setp.gt.s64 %p236, %rd178, %rd555; cvt.u32.u64 %r435, %rd178; selp.b32 %r605, %r434, %r435, %p236;\n",
    "nanosleep.u32 %r605; bra.uni $L__BB16_198; $L__BB16_261: setp.gt.u32 %p301, %r11, %r37;\n",
    "@%p301 bra $L__BB16_264; bra.uni $L__BB16_262; $L__BB16_264: and.b64 %rd615, %rd213, -4294967296;\n",
    "setp.eq.s64 %p306, %rd615, 0; @%p306 bra $L__BB16_266; rem.u64 %rd768, %rd213, %rd9;\n",
    "bra.uni $L__BB16_267; $L__BB16_262: mov.u32 %r551, %tid.x; setp.lt.u32 %p397, %r551, 16;\n",
    "add.s32 %r550, %r551, -16; setp.ge.u32 %p303, %r550, %r244; mov.u64 %rd769, 0;\n",
    "or.pred %p304, %p397, %p303; @%p304 bra $L__BB16_269;\n",
    "ld.param.u64 %rd705, [sf_resident_turn_kernel_param_0+8]; mov.u32 %r553, %tid.x;\n",
    "add.s32 %r552, %r553, -16; ld.global.u64 %rd609, [%rd216]; sub.s64 %rd610, %rd215, %rd609;\n",
    "cvt.u64.u32 %rd611, %r245; setp.lt.u64 %p305, %rd610, %rd611; mul.wide.u32 %rd612, %r552, 128;\n",
    "add.s64 %rd613, %rd705, %rd612; add.s64 %rd614, %rd613, 4224; selp.b64 %rd769, 0, %rd614, %p305;\n",
    "bra.uni $L__BB16_269; $L__BB16_164: mov.u64 %rd519, %globaltimer; add.s64 %rd156, %rd277, 12;\n",
    "mov.u32 %r600, 125; mov.u64 %rd752, %rd519; bra.uni $L__BB16_165; $L__BB16_172:\n",
    "mov.u64 %rd752, %globaltimer; $L__BB16_165: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd752;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r623, [retval0+0]; } setp.ne.s32 %p203, %r623, 2; @%p203 bra $L__BB16_167;\n",
    "mov.u32 %r413, 1; st.relaxed.sys.u32 [%rd156], %r413; $L__BB16_167: setp.eq.s32 %p204, %r623, 0;\n",
    "@%p204 bra $L__BB16_170; bra.uni $L__BB16_168; $L__BB16_170: sub.s64 %rd521, %rd752, %rd519;\n",
    "ld.global.u64 %rd522, [%rd3+160]; setp.gt.s64 %p206, %rd522, %rd521; selp.b64 %rd523, 184, 192, %p206;\n",
    "add.s64 %rd524, %rd2, %rd523; ld.global.u64 %rd525, [%rd3+136]; setp.gt.s64 %p207, %rd525, %rd521;\n",
    "ld.global.u64 %rd158, [%rd524]; setp.lt.s64 %p208, %rd158, 1; or.pred %p209, %p208, %p207;\n",
    "@%p209 bra $L__BB16_172; shl.b32 %r416, %r600, 1; cvt.u64.u32 %rd526, %r416;\n",
    "setp.gt.s64 %p210, %rd158, %rd526; cvt.u32.u64 %r417, %rd158; selp.b32 %r600, %r416, %r417, %p210;\n",
    "nanosleep.u32 %r600; bra.uni $L__BB16_172; $L__BB16_168: setp.ne.s32 %p205, %r623, 1;\n",
    "@%p205 bra $L__BB16_254; mov.u32 %r623, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd752; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_266: cvt.u32.u64 %r475, %rd9;\n",
    "cvt.u32.u64 %r476, %rd213; rem.u32 %r477, %r476, %r475; cvt.u64.u32 %rd768, %r477; $L__BB16_267:\n",
    "shl.b64 %rd616, %rd768, 7; add.s64 %rd617, %rd5, %rd616; mul.wide.u32 %rd618, %r37, 8;\n",
    "add.s64 %rd769, %rd617, %rd618; $L__BB16_269: setp.ne.s64 %p307, %rd769, 0; setp.gt.u32 %p308, %r37, 15;\n",
    "and.pred %p309, %p308, %p307; setp.ne.s32 %p310, %r37, 31; and.pred %p6, %p310, %p309;\n",
    "ld.global.u64 %rd225, [%rd3+1368]; mov.u64 %rd619, %globaltimer; ld.global.u32 %r478, [%rd3+1348];\n",
    "setp.ne.s32 %p311, %r478, 0; mov.u16 %rs33, 1; @%p311 bra $L__BB16_273; ld.global.u32 %r479, [%rd3+1344];\n",
    "setp.ne.s32 %p312, %r479, 0; @%p312 bra $L__BB16_273; ld.relaxed.sys.u32 %r480, [%rd294];\n",
    "setp.ne.s32 %p313, %r480, 0; @%p313 bra $L__BB16_273; setp.gt.u32 %p314, %r244, 15;\n",
    "selp.u16 %rs33, 1, 0, %p314; $L__BB16_273: add.s64 %rd621, %rd213, 1; cvt.u32.u64 %r181, %rd621;\n",
    "cvt.u64.u32 %rd227, %r245; mov.u32 %r626, 0; mov.u32 %r628, 125; mov.u64 %rd770, %rd619;\n",
    "bra.uni $L__BB16_274; $L__BB16_289: selp.u16 %rs33, 1, 0, %p405; $L__BB16_274: and.b16 %rs28, %rs33, 255;\n",
    "setp.ne.s16 %p402, %rs28, 0; setp.lt.s64 %p315, %rd14, 1; or.pred %p316, %p402, %p315;\n",
    "@%p316 bra $L__BB16_276; sub.s64 %rd622, %rd770, %rd225; setp.ge.s64 %p402, %rd622, %rd14; $L__BB16_276:\n",
    "mov.u32 %r483, -1; vote.sync.any.pred %p317, %p402, %r483; @%p317 bra $L__BB16_307;\n",
    "setp.eq.s64 %p318, %rd769, 0; mov.u64 %rd771, 0; @%p318 bra $L__BB16_279;\n",
    "ld.relaxed.sys.u64 %rd771, [%rd769]; $L__BB16_279: and.b64 %rd626, %rd771, -4611686018427387904;\n",
    "setp.ne.s64 %p320, %rd626, 0; and.pred %p405, %p300, %p320; mov.pred %p404, 0; @%p405 bra $L__BB16_283;\n",
    "mov.pred %p403, 0; not.pred %p323, %p6; @%p323 bra $L__BB16_282; sub.s64 %rd627, %rd215, %rd771;\n",
    "setp.ge.u64 %p403, %rd627, %rd227; $L__BB16_282: not.pred %p404, %p403; $L__BB16_283: mov.u32 %r485, -1;\n",
    "vote.sync.all.pred %p324, %p404, %r485; not.pred %p325, %p324; @%p325 bra $L__BB16_285;\n",
    "setp.le.u32 %p326, %r11, %r37; cvt.u32.u64 %r487, %rd771; setp.eq.s32 %p327, %r487, %r181;\n",
    "or.pred %p328, %p326, %p327; vote.sync.all.pred %p329, %p328, %r485; @%p329 bra $L__BB16_290;\n",
    "$L__BB16_285: mov.u64 %rd770, %globaltimer; sub.s64 %rd232, %rd770, %rd619; add.s32 %r490, %r626, 1;\n",
    "and.b32 %r491, %r490, 15; setp.ne.s32 %p330, %r491, 0; setp.lt.s64 %p331, %rd232, %rd10;\n",
    "selp.b32 %r626, %r490, %r626, %p331; and.pred %p332, %p330, %p331; @%p332 bra $L__BB16_289;\n",
    "setp.gt.s64 %p334, %rd13, %rd232; selp.b64 %rd233, %rd11, %rd12, %p334; setp.lt.s64 %p335, %rd233, 1;\n",
    "or.pred %p336, %p331, %p335; @%p336 bra $L__BB16_288; shl.b32 %r493, %r628, 1; cvt.u64.u32 %rd629, %r493;\n",
    "setp.gt.s64 %p337, %rd233, %rd629; cvt.u32.u64 %r494, %rd233; selp.b32 %r628, %r493, %r494, %p337;\n",
    "nanosleep.u32 %r628; $L__BB16_288: ld.acquire.sys.u32 %r495, [%rd294]; setp.ne.s32 %p338, %r495, 0;\n",
    "or.pred %p405, %p405, %p338; mov.u64 %rd770, %globaltimer; bra.uni $L__BB16_289; $L__BB16_307:\n",
    "mov.u32 %r520, 1; mov.u32 %r633, %r520; @%p40 bra $L__BB16_314; mov.u64 %rd650, %globaltimer;\n",
    "add.s64 %rd247, %rd277, 12; mov.u32 %r632, 125; mov.u64 %rd776, %rd650; bra.uni $L__BB16_309;\n",
    "$L__BB16_351: mov.u64 %rd776, %globaltimer; $L__BB16_309: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd776;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r633, [retval0+0]; } setp.ne.s32 %p361, %r633, 2; @%p361 bra $L__BB16_311;\n",
    "mov.u32 %r522, 1; st.relaxed.sys.u32 [%rd247], %r522; $L__BB16_311: setp.eq.s32 %p362, %r633, 0;\n",
    "@%p362 bra $L__BB16_349; bra.uni $L__BB16_312; $L__BB16_349: sub.s64 %rd694, %rd776, %rd650;\n",
    "ld.global.u64 %rd695, [%rd3+160]; setp.gt.s64 %p391, %rd695, %rd694; selp.b64 %rd696, 184, 192, %p391;\n",
    "add.s64 %rd697, %rd2, %rd696; ld.global.u64 %rd698, [%rd3+136]; setp.gt.s64 %p392, %rd698, %rd694;\n",
    "ld.global.u64 %rd275, [%rd697]; setp.lt.s64 %p393, %rd275, 1; or.pred %p394, %p393, %p392;\n",
    "@%p394 bra $L__BB16_351; shl.b32 %r544, %r632, 1; cvt.u64.u32 %rd699, %r544;\n",
    "setp.gt.s64 %p395, %rd275, %rd699; cvt.u32.u64 %r545, %rd275; selp.b32 %r632, %r544, %r545, %p395;\n",
    "nanosleep.u32 %r632; bra.uni $L__BB16_351; $L__BB16_290: not.pred %p339, %p6; @%p339 bra $L__BB16_292;\n",
    "st.global.u64 [%rd216], %rd771; $L__BB16_292: mov.u32 %r629, 0; mov.b64 {%r496,%r497}, %rd771;\n",
    "mov.u32 %r505, 31; mov.u32 %r506, -1; shfl.sync.idx.b32 %r499|%p341, %r497, %r629, %r505, %r506;\n",
    "shfl.sync.idx.b32 %r498|%p342, %r496, %r629, %r505, %r506; mov.b64 %rd633, {%r498,%r499};\n",
    "mov.b64 {%r500,%r501}, %rd771; mov.u32 %r633, 1;\n",
    "shfl.sync.idx.b32 %r503|%p343, %r501, %r633, %r505, %r506;\n",
    "shfl.sync.idx.b32 %r502|%p344, %r500, %r633, %r505, %r506; mov.b64 %rd635, {%r502,%r503};\n",
    "shr.u64 %rd637, %rd633, 32; and.b64 %rd638, %rd635, -4294967296; or.b64 %rd236, %rd638, %rd637;\n",
    "mov.u64 %rd636, %globaltimer; add.s32 %r508, %r11, -2; add.s32 %r188, %r37, -2;\n",
    "setp.ge.u32 %p345, %r188, %r508; or.pred %p346, %p345, %p19; @%p346 bra $L__BB16_304;\n",
    "shr.u64 %rd639, %rd771, 32; cvt.u32.u64 %r189, %rd639; $L__BB16_294: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p347, %r629, 0; mov.u64 %rd773, %rd21; mov.u64 %rd774, %rd22; mov.u32 %r630, %r20;\n",
    "@%p347 bra $L__BB16_296; add.s32 %r510, %r629, %r232; mul.wide.u32 %rd640, %r510, 48;\n",
    "add.s64 %rd641, %rd7, %rd640; ld.u64 %rd773, [%rd641+8]; ld.u64 %rd774, [%rd641+16];\n",
    "ld.u32 %r630, [%rd641+40]; $L__BB16_296: add.s64 %rd642, %rd774, 3; shr.u64 %rd643, %rd642, 2;\n",
    "cvt.u32.u64 %r511, %rd643; sub.s32 %r193, %r188, %r630; setp.ge.u32 %p348, %r193, %r511;\n",
    "@%p348 bra $L__BB16_303; mul.wide.u32 %rd644, %r193, 4; add.s64 %rd242, %rd773, %rd644;\n",
    "sub.s64 %rd243, %rd774, %rd644; setp.lt.u64 %p349, %rd243, 4; @%p349 bra $L__BB16_299;\n",
    "and.b64 %rd645, %rd242, 3; setp.eq.s64 %p350, %rd645, 0; @%p350 bra $L__BB16_302; $L__BB16_299:\n",
    "setp.eq.s64 %p351, %rd243, 0; @%p351 bra $L__BB16_303; mov.u32 %r631, 0; mov.u64 %rd775, 0; $L__BB16_301:\n",
    ".pragma \"nounroll\"; shl.b32 %r513, %r631, 3; shr.u32 %r514, %r189, %r513; add.s64 %rd647, %rd242, %rd775;\n",
    "st.u8 [%rd647], %r514; add.s32 %r631, %r631, 1; setp.lt.u32 %p352, %r631, 4; cvt.u64.u32 %rd775, %r631;\n",
    "setp.gt.u64 %p353, %rd243, %rd775; and.pred %p354, %p352, %p353; @%p354 bra $L__BB16_301;\n",
    "bra.uni $L__BB16_303; $L__BB16_302: st.u32 [%rd242], %r189; $L__BB16_303: add.s32 %r629, %r629, 1;\n",
    "setp.lt.u32 %p355, %r629, %r233; @%p355 bra $L__BB16_294; $L__BB16_304: @%p40 bra $L__BB16_314;\n",
    "st.global.u64 [%rd3+312], %rd621; st.global.u64 [%rd3+568], %rd621; mov.u32 %r517, 0;\n",
    "st.global.u32 [%rd3+1360], %r517; st.global.u64 [%rd3+1376], %rd636; add.s64 %rd649, %rd214, 1;\n",
    "st.global.u64 [%rd3+200], %rd649; st.global.u64 [%rd3+224], %rd636; st.global.u64 [%rd3+216], %rd636;\n",
    "mov.u32 %r633, 1; st.global.v2.u32 [%rd3+248], {%r633, %r633}; add.s32 %r518, %r180, 1;\n",
    "st.global.u32 [%rd3+256], %r518; setp.ge.s64 %p357, %rd236, %rd636; setp.eq.s64 %p358, %rd236, 0;\n",
    "or.pred %p359, %p357, %p358; @%p359 bra $L__BB16_314; st.global.u64 [%rd3+216], %rd236;\n",
    "bra.uni $L__BB16_314; $L__BB16_312: setp.ne.s32 %p363, %r633, 1; @%p363 bra $L__BB16_314; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd277; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd776; call.uni sfi_resident_take, ( param0, param1 ); } {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd277; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r232; .param .b32 param2; st.param.b32 [param2+0], %r233; call.uni\n",
    "sfi_resident_unload, ( param0, param1, param2 ); } mov.u32 %r633, %r520; $L__BB16_314: mov.u32 %r524, 31;\n",
    "mov.u32 %r525, 0; mov.u32 %r526, -1; shfl.sync.idx.b32 %r200|%p17, %r633, %r525, %r524, %r526;\n",
    "@%p40 bra $L__BB16_316; st.shared.u32 [sfi_resident_block_wait_turn], %r200; bra.uni $L__BB16_316;\n",
    "$L__BB16_199: or.b32 %r436, %r133, %r151; setp.ne.s32 %p237, %r436, 0; @%p237 bra $L__BB16_238;\n",
    "bra.uni $L__BB16_200; $L__BB16_238: mov.u64 %rd584, %globaltimer; add.s64 %rd204, %rd277, 12;\n",
    "mov.u32 %r620, 125; mov.u64 %rd766, %rd584; bra.uni $L__BB16_239; $L__BB16_246:\n",
    "mov.u64 %rd766, %globaltimer; $L__BB16_239: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd766;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r623, [retval0+0]; } setp.ne.s32 %p281, %r623, 2; @%p281 bra $L__BB16_241;\n",
    "mov.u32 %r461, 1; st.relaxed.sys.u32 [%rd204], %r461; $L__BB16_241: setp.eq.s32 %p282, %r623, 0;\n",
    "@%p282 bra $L__BB16_244; bra.uni $L__BB16_242; $L__BB16_244: sub.s64 %rd586, %rd766, %rd584;\n",
    "ld.global.u64 %rd587, [%rd3+160]; setp.gt.s64 %p284, %rd587, %rd586; selp.b64 %rd588, 184, 192, %p284;\n",
    "add.s64 %rd589, %rd2, %rd588; ld.global.u64 %rd590, [%rd3+136]; setp.gt.s64 %p285, %rd590, %rd586;\n",
    "ld.global.u64 %rd206, [%rd589]; setp.lt.s64 %p286, %rd206, 1; or.pred %p287, %p286, %p285;\n",
    "@%p287 bra $L__BB16_246; shl.b32 %r464, %r620, 1; cvt.u64.u32 %rd591, %r464;\n",
    "setp.gt.s64 %p288, %rd206, %rd591; cvt.u32.u64 %r465, %rd206; selp.b32 %r620, %r464, %r465, %p288;\n",
    "nanosleep.u32 %r620; bra.uni $L__BB16_246; $L__BB16_242: setp.ne.s32 %p283, %r623, 1;\n",
    "@%p283 bra $L__BB16_254; mov.u32 %r623, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd766; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_178:\n",
    "mov.u64 %rd536, %globaltimer; add.s64 %rd171, %rd277, 12; mov.u32 %r603, 125; mov.u64 %rd754, %rd536;\n",
    "bra.uni $L__BB16_179; $L__BB16_186: mov.u64 %rd754, %globaltimer; $L__BB16_179: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd277; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd754; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r623, [retval0+0]; } setp.ne.s32 %p214, %r623, 2; @%p214 bra $L__BB16_181;\n",
    "mov.u32 %r425, 1; st.relaxed.sys.u32 [%rd171], %r425; $L__BB16_181: setp.eq.s32 %p215, %r623, 0;\n",
    "@%p215 bra $L__BB16_184; bra.uni $L__BB16_182; $L__BB16_184: sub.s64 %rd538, %rd754, %rd536;\n",
    "ld.global.u64 %rd539, [%rd3+160]; setp.gt.s64 %p217, %rd539, %rd538; selp.b64 %rd540, 184, 192, %p217;\n",
    "add.s64 %rd541, %rd2, %rd540; ld.global.u64 %rd542, [%rd3+136]; setp.gt.s64 %p218, %rd542, %rd538;\n",
    "ld.global.u64 %rd173, [%rd541]; setp.lt.s64 %p219, %rd173, 1; or.pred %p220, %p219, %p218;\n",
    "@%p220 bra $L__BB16_186; shl.b32 %r428, %r603, 1; cvt.u64.u32 %rd543, %r428;\n",
    "setp.gt.s64 %p221, %rd173, %rd543; cvt.u32.u64 %r429, %rd173; selp.b32 %r603, %r428, %r429, %p221;\n",
    "nanosleep.u32 %r603; bra.uni $L__BB16_186; $L__BB16_182: setp.ne.s32 %p216, %r623, 1;\n",
    "@%p216 bra $L__BB16_254; mov.u32 %r623, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd754; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_81: setp.eq.s32 %p93, %r244, 0;\n",
    "@%p93 bra $L__BB16_85; cvt.u64.u32 %rd113, %r245; add.s64 %rd114, %rd43, 1; mov.u32 %r587, 0;\n",
    "mov.u32 %r586, %r587; $L__BB16_83: mul.wide.u32 %rd403, %r586, 8; add.s64 %rd404, %rd2, %rd403;\n",
    "ld.global.u64 %rd405, [%rd404+1120]; sub.s64 %rd406, %rd114, %rd405; setp.ge.u64 %p94, %rd406, %rd113;\n",
    "add.s32 %r586, %r586, 1; @%p94 bra $L__BB16_90; setp.lt.u32 %p95, %r586, %r244; @%p95 bra $L__BB16_83;\n",
    "$L__BB16_85: setp.eq.s32 %p96, %r8, 0; @%p96 bra $L__BB16_87; add.s32 %r320, %r245, -1;\n",
    "cvt.u64.u32 %rd407, %r320; and.b64 %rd408, %rd42, %rd407; cvt.u64.u32 %rd409, %r229;\n",
    "setp.ne.s64 %p97, %rd408, %rd409; mov.u32 %r587, %r312; @%p97 bra $L__BB16_90; $L__BB16_87:\n",
    "ld.global.u64 %rd410, [%rd3+1376]; sub.s64 %rd411, %rd402, %rd410; setp.gt.s64 %p98, %rd411, 49999;\n",
    "mov.u32 %r587, %r312; @%p98 bra $L__BB16_90; setp.lt.s64 %p99, %rd14, 1; mov.u32 %r587, 1;\n",
    "@%p99 bra $L__BB16_90; ld.global.u64 %rd412, [%rd3+1368]; sub.s64 %rd413, %rd402, %rd412;\n",
    "setp.lt.s64 %p100, %rd413, %rd14; selp.u32 %r587, 1, 0, %p100; bra.uni $L__BB16_90; $L__BB16_194:\n",
    "setp.ne.s32 %p231, %r623, 1; @%p231 bra $L__BB16_254; mov.u32 %r623, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd755;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_200:\n",
    "ld.param.u64 %rd703, [sf_resident_turn_kernel_param_0+8]; setp.ne.s32 %p238, %r134, 0; mov.u32 %r148, 0;\n",
    "add.s64 %rd181, %rd703, 128; selp.u16 %rs4, 1, 0, %p226; selp.b32 %r149, 64, 1, %p238;\n",
    "selp.u32 %r612, 1, 0, %p238; mov.u32 %r152, 125; mov.u64 %rd761, 0; mov.u64 %rd758, %rd528; $L__BB16_201:\n",
    "sub.s64 %rd558, %rd758, %rd163; setp.ge.s64 %p240, %rd558, %rd14; setp.gt.s64 %p241, %rd14, 0;\n",
    "and.pred %p242, %p241, %p240; @%p242 bra $L__BB16_238; setp.eq.s32 %p244, %r7, 0; mov.pred %p401, -1;\n",
    "@%p244 bra $L__BB16_206; ld.relaxed.gpu.u64 %rd761, [%rd277]; and.b16 %rs22, %rs4, 255;\n",
    "setp.eq.s16 %p245, %rs22, 0; @%p245 bra $L__BB16_205; sub.s64 %rd561, %rd758, %rd191;\n",
    "setp.gt.s64 %p401, %rd561, 199999; bra.uni $L__BB16_206; $L__BB16_205: add.s32 %r153, %r612, 1;\n",
    "rem.u32 %r439, %r612, %r149; setp.eq.s32 %p401, %r439, 0; mov.u32 %r612, %r153; $L__BB16_206:\n",
    "setp.gt.u64 %p246, %rd190, %rd162; not.pred %p247, %p401; or.pred %p248, %p246, %p247;\n",
    "@%p248 bra $L__BB16_210; @%p244 bra $L__BB16_209; ld.relaxed.sys.u64 %rd190, [%rd181];\n",
    "mov.u64 %rd191, %rd758; bra.uni $L__BB16_210; $L__BB16_209: ld.acquire.sys.u64 %rd190, [%rd181];\n",
    "mov.u64 %rd191, %rd758; $L__BB16_210: and.b64 %rd192, %rd190, -4611686018427387904;\n",
    "setp.ne.s64 %p250, %rd192, 0; and.b16 %rs23, %rs4, 255; setp.ne.s16 %p251, %rs23, 0;\n",
    "and.pred %p252, %p251, %p250; @%p252 bra $L__BB16_248; @%p244 bra $L__BB16_219;\n",
    "shr.u64 %rd566, %rd761, 32; cvt.u32.u64 %r155, %rd566; setp.eq.s32 %p254, %r132, %r155;\n",
    "cvt.u32.u64 %r440, %rd761; setp.ne.s32 %p255, %r440, 2; and.pred %p256, %p255, %p254;\n",
    "@%p256 bra $L__BB16_219; bra.uni $L__BB16_213; $L__BB16_219: setp.eq.s64 %p259, %rd192, 0;\n",
    "@%p259 bra $L__BB16_229; bra.uni $L__BB16_220; $L__BB16_229: setp.gt.u64 %p268, %rd190, %rd162;\n",
    "@%p268 bra $L__BB16_247; mov.u64 %rd758, %globaltimer; sub.s64 %rd199, %rd758, %rd528;\n",
    "add.s32 %r452, %r148, 1; and.b32 %r453, %r452, 15; setp.ne.s32 %p269, %r453, 0;\n",
    "setp.lt.s64 %p270, %rd199, %rd10; selp.b32 %r148, %r452, %r148, %p270; and.pred %p271, %p269, %p270;\n",
    "@%p271 bra $L__BB16_237; setp.gt.s64 %p273, %rd13, %rd199; selp.b64 %rd200, %rd11, %rd12, %p273;\n",
    "setp.lt.s64 %p274, %rd200, 1; or.pred %p275, %p270, %p274; @%p275 bra $L__BB16_233;\n",
    "shl.b32 %r455, %r152, 1; cvt.u64.u32 %rd580, %r455; setp.gt.s64 %p276, %rd200, %rd580;\n",
    "cvt.u32.u64 %r456, %rd200; selp.b32 %r152, %r455, %r456, %p276; nanosleep.u32 %r152; $L__BB16_233:\n",
    "and.pred %p5, %p251, %p270; @%p5 bra $L__BB16_235; bra.uni $L__BB16_234; $L__BB16_235:\n",
    "ld.relaxed.sys.u32 %r151, [%rd294]; bra.uni $L__BB16_236; $L__BB16_234:\n",
    "ld.acquire.sys.u32 %r151, [%rd294]; $L__BB16_236: mov.u64 %rd758, %globaltimer; selp.u16 %rs4, 1, 0, %p5;\n",
    "setp.gt.u32 %p279, %r152, 2000; selp.b32 %r149, 1, %r149, %p279; $L__BB16_237:\n",
    "or.b32 %r459, %r133, %r151; setp.eq.s32 %p280, %r459, 0; @%p280 bra $L__BB16_201; bra.uni $L__BB16_238;\n",
    "$L__BB16_46: setp.eq.s32 %p68, %r244, 0; @%p68 bra $L__BB16_50; cvt.u64.u32 %rd84, %r245;\n",
    "add.s64 %rd85, %rd43, 1; mov.u32 %r579, 0; $L__BB16_48: mul.wide.u32 %rd348, %r579, 8;\n",
    "add.s64 %rd349, %rd2, %rd348; ld.global.u64 %rd350, [%rd349+1120]; sub.s64 %rd351, %rd85, %rd350;\n",
    "setp.ge.u64 %p69, %rd351, %rd84; add.s32 %r579, %r579, 1; @%p69 bra $L__BB16_55;\n",
    "setp.lt.u32 %p70, %r579, %r244; @%p70 bra $L__BB16_48; $L__BB16_50: setp.eq.s32 %p71, %r8, 0;\n",
    "@%p71 bra $L__BB16_52; add.s32 %r296, %r245, -1; cvt.u64.u32 %rd352, %r296;\n",
    "and.b64 %rd353, %rd42, %rd352; cvt.u64.u32 %rd354, %r229; setp.ne.s64 %p72, %rd353, %rd354;\n",
    "@%p72 bra $L__BB16_55; $L__BB16_52: ld.global.u64 %rd355, [%rd3+1376]; sub.s64 %rd356, %rd347, %rd355;\n",
    "setp.gt.s64 %p73, %rd356, 49999; @%p73 bra $L__BB16_55; setp.lt.s64 %p74, %rd14, 1; mov.u16 %rs29, 1;\n",
    "@%p74 bra $L__BB16_55; ld.global.u64 %rd357, [%rd3+1368]; sub.s64 %rd358, %rd347, %rd357;\n",
    "setp.lt.s64 %p75, %rd358, %rd14; selp.u16 %rs29, 1, 0, %p75; bra.uni $L__BB16_55; $L__BB16_248:\n",
    "mov.u64 %rd596, %globaltimer; add.s64 %rd209, %rd277, 12; mov.u32 %r622, 125; mov.u64 %rd767, %rd596;\n",
    "bra.uni $L__BB16_249; $L__BB16_259: mov.u64 %rd767, %globaltimer; $L__BB16_249: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd277; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd767; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r623, [retval0+0]; } setp.ne.s32 %p289, %r623, 2; @%p289 bra $L__BB16_251;\n",
    "mov.u32 %r470, 1; st.relaxed.sys.u32 [%rd209], %r470; $L__BB16_251: setp.eq.s32 %p290, %r623, 0;\n",
    "@%p290 bra $L__BB16_257; bra.uni $L__BB16_252; $L__BB16_257: sub.s64 %rd599, %rd767, %rd596;\n",
    "ld.global.u64 %rd600, [%rd3+160]; setp.gt.s64 %p295, %rd600, %rd599; selp.b64 %rd601, 184, 192, %p295;\n",
    "add.s64 %rd602, %rd2, %rd601; ld.global.u64 %rd603, [%rd3+136]; setp.gt.s64 %p296, %rd603, %rd599;\n",
    "ld.global.u64 %rd211, [%rd602]; setp.lt.s64 %p297, %rd211, 1; or.pred %p298, %p297, %p296;\n",
    "@%p298 bra $L__BB16_259; shl.b32 %r473, %r622, 1; cvt.u64.u32 %rd604, %r473;\n",
    "setp.gt.s64 %p299, %rd211, %rd604; cvt.u32.u64 %r474, %rd211; selp.b32 %r622, %r473, %r474, %p299;\n",
    "nanosleep.u32 %r622; bra.uni $L__BB16_259; $L__BB16_252: setp.ne.s32 %p291, %r623, 1;\n",
    "@%p291 bra $L__BB16_254; mov.u32 %r623, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd767; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_220:\n",
    "mov.u64 %rd570, %globaltimer; add.s64 %rd194, %rd277, 12; mov.u32 %r613, 125; mov.u64 %rd764, %rd570;\n",
    "bra.uni $L__BB16_221; $L__BB16_228: mov.u64 %rd764, %globaltimer; $L__BB16_221: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd277; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd764; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r623, [retval0+0]; } setp.ne.s32 %p260, %r623, 2; @%p260 bra $L__BB16_223;\n",
    "mov.u32 %r447, 1; st.relaxed.sys.u32 [%rd194], %r447; $L__BB16_223: setp.eq.s32 %p261, %r623, 0;\n",
    "@%p261 bra $L__BB16_226; bra.uni $L__BB16_224; $L__BB16_226: sub.s64 %rd572, %rd764, %rd570;\n",
    "ld.global.u64 %rd573, [%rd3+160]; setp.gt.s64 %p263, %rd573, %rd572; selp.b64 %rd574, 184, 192, %p263;\n",
    "add.s64 %rd575, %rd2, %rd574; ld.global.u64 %rd576, [%rd3+136]; setp.gt.s64 %p264, %rd576, %rd572;\n",
    "ld.global.u64 %rd196, [%rd575]; setp.lt.s64 %p265, %rd196, 1; or.pred %p266, %p265, %p264;\n",
    "@%p266 bra $L__BB16_228; shl.b32 %r450, %r613, 1; cvt.u64.u32 %rd577, %r450;\n",
    "setp.gt.s64 %p267, %rd196, %rd577; cvt.u32.u64 %r451, %rd196; selp.b32 %r613, %r450, %r451, %p267;\n",
    "nanosleep.u32 %r613; bra.uni $L__BB16_228; $L__BB16_224: setp.ne.s32 %p262, %r623, 1;\n",
    "@%p262 bra $L__BB16_254; mov.u32 %r623, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b64 param1; st.param.b64 [param1+0], %rd764; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_254; $L__BB16_247: add.s64 %rd594, %rd162, 1;\n",
    "st.global.u64 [%rd3+312], %rd594; st.global.u64 [%rd3+568], %rd190; mov.u32 %r467, 0;\n",
    "st.global.u32 [%rd3+1360], %r467; mov.u64 %rd593, %globaltimer; st.global.u64 [%rd3+1376], %rd191;\n",
    "add.s64 %rd595, %rd160, 1; st.global.u64 [%rd3+200], %rd595; st.global.u64 [%rd3+224], %rd593;\n",
    "st.global.u64 [%rd3+216], %rd593; mov.u32 %r623, 1; st.global.v2.u32 [%rd3+248], {%r623, %r623};\n",
    "add.s32 %r468, %r131, 1; st.global.u32 [%rd3+256], %r468; bra.uni $L__BB16_254; $L__BB16_213:\n",
    "@%p254 bra $L__BB16_215; bra.uni $L__BB16_214; $L__BB16_215: mov.u32 %r442, 1;\n",
    "st.relaxed.sys.u32 [%rd277], %r442; bra.uni $L__BB16_216; $L__BB16_214: add.s32 %r441, %r132, 1;\n",
    "st.global.u32 [%rd3+1352], %r441; $L__BB16_216: ld.global.u32 %r156, [%rd3+1360];\n",
    "setp.gt.u32 %p258, %r156, 7; @%p258 bra $L__BB16_218; add.s32 %r443, %r156, 1;\n",
    "st.global.u32 [%rd3+1360], %r443; $L__BB16_218: mov.u64 %rd568, %globaltimer;\n",
    "st.global.u64 [%rd3+1376], %rd191; add.s64 %rd569, %rd160, 1; st.global.u64 [%rd3+200], %rd569;\n",
    "st.global.u64 [%rd3+224], %rd568; st.global.u64 [%rd3+216], %rd568; mov.u32 %r623, 1;\n",
    "st.global.v2.u32 [%rd3+248], {%r623, %r623}; add.s32 %r445, %r131, 1; st.global.u32 [%rd3+256], %r445;\n",
    "$L__BB16_254: st.shared.u32 [sfi_resident_block_wait_turn], %r623; setp.ne.s32 %p292, %r623, 1;\n",
    "or.pred %p294, %p201, %p292; @%p294 bra $L__BB16_256; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b32 param1; st.param.b32 [param1+0], %r232; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r233; call.uni sfi_resident_unload, ( param0, param1, param2 ); } $L__BB16_256:\n",
    "ld.global.u64 %rd598, [%rd3+312]; st.shared.u64 [sfi_resident_block_wait_taken], %rd598; $L__BB16_316:\n",
    "bar.sync 0; or.b32 %r527, %r11, %r7; setp.ne.s32 %p365, %r527, 0; mov.u64 %rd777, 0;\n",
    "@%p365 bra $L__BB16_320; ld.shared.u64 %rd653, [sfi_resident_block_wait_taken];\n",
    "add.s64 %rd249, %rd653, -1; and.b64 %rd654, %rd249, -4294967296; setp.eq.s64 %p366, %rd654, 0;\n",
    "@%p366 bra $L__BB16_319; rem.u64 %rd777, %rd249, %rd9; bra.uni $L__BB16_320; $L__BB16_319:\n",
    "cvt.u32.u64 %r528, %rd9; cvt.u32.u64 %r529, %rd249; rem.u32 %r530, %r529, %r528;\n",
    "cvt.u64.u32 %rd777, %r530; $L__BB16_320: ld.shared.u32 %r201, [sfi_resident_block_wait_turn];\n",
    "@%p40 bra $L__BB16_323; ld.param.u64 %rd701, [sf_resident_turn_kernel_param_0+16];\n",
    "st.global.u32 [%rd3+1336], %r229; setp.ne.s32 %p368, %r201, 2; setp.eq.s64 %p369, %rd701, 0;\n",
    "or.pred %p370, %p369, %p368; @%p370 bra $L__BB16_323;\n",
    "ld.param.u64 %rd702, [sf_resident_turn_kernel_param_0+16]; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd702; .param .b32 param1; st.param.b32 [param1+0], 0;\n",
    "call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB16_323: setp.ne.s32 %p371, %r201, 1;\n",
    "or.pred %p373, %p194, %p371; @%p373 bra $L__BB16_348; setp.eq.s32 %p374, %r6, 0; @%p374 bra $L__BB16_342;\n",
    "setp.ne.s32 %p375, %r7, 0; @%p375 bra $L__BB16_346; mov.u32 %r531, 32; rem.u32 %r532, %r531, %r126;\n",
    "setp.ne.s32 %p376, %r37, %r532; mov.u64 %rd778, 0; @%p376 bra $L__BB16_328; shl.b64 %rd656, %rd777, 3;\n",
    "add.s64 %rd657, %rd8, %rd656; ld.volatile.u64 %rd778, [%rd657]; $L__BB16_328: @%p19 bra $L__BB16_339;\n",
    "cvt.u64.u32 %rd257, %r37; cvt.u64.u32 %rd258, %r126; and.b32 %r639, %r233, 3; add.s32 %r534, %r233, -1;\n",
    "setp.lt.u32 %p378, %r534, 3; mov.u32 %r636, 0; @%p378 bra $L__BB16_334; sub.s32 %r635, %r233, %r639;\n",
    "mov.u32 %r636, 0; $L__BB16_331: setp.eq.s32 %p379, %r636, 0; mov.u64 %rd779, %rd20;\n",
    "mov.u64 %rd780, %rd21; mov.u64 %rd781, %rd22; mov.u64 %rd782, %rd23; @%p379 bra $L__BB16_333;\n",
    "add.s32 %r536, %r636, %r232; mul.wide.u32 %rd658, %r536, 48; add.s64 %rd659, %rd7, %rd658;\n",
    "ld.u64 %rd779, [%rd659]; ld.u64 %rd780, [%rd659+8]; ld.u64 %rd781, [%rd659+16];\n",
    "ld.u64 %rd782, [%rd659+24]; $L__BB16_333: mul.lo.s64 %rd660, %rd782, %rd777;\n",
    "add.s64 %rd661, %rd779, %rd660; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd780; .param .b64 param1; st.param.b64 [param1+0], %rd661; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd781; .param .b64 param3; st.param.b64 [param3+0], %rd257; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd258; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r537, %r636, %r232; add.s32 %r538, %r537, 1; mul.wide.u32 %rd662, %r538, 48;\n",
    "add.s64 %rd663, %rd7, %rd662; ld.u64 %rd664, [%rd663+8]; ld.u64 %rd665, [%rd663+16];\n",
    "ld.u64 %rd666, [%rd663+24]; mul.lo.s64 %rd667, %rd666, %rd777; ld.u64 %rd668, [%rd663];\n",
    "add.s64 %rd669, %rd668, %rd667; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd664; .param .b64 param1; st.param.b64 [param1+0], %rd669; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd665; .param .b64 param3; st.param.b64 [param3+0], %rd257; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd258; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r539, %r537, 2; mul.wide.u32 %rd670, %r539, 48; add.s64 %rd671, %rd7, %rd670;\n",
    "ld.u64 %rd672, [%rd671+8]; ld.u64 %rd673, [%rd671+16]; ld.u64 %rd674, [%rd671+24];\n",
    "mul.lo.s64 %rd675, %rd674, %rd777; ld.u64 %rd676, [%rd671]; add.s64 %rd677, %rd676, %rd675; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd672; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd677; .param .b64 param2; st.param.b64 [param2+0], %rd673; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd257; .param .b64 param4; st.param.b64 [param4+0], %rd258; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r540, %r537, 3;\n",
    "mul.wide.u32 %rd678, %r540, 48; add.s64 %rd679, %rd7, %rd678; ld.u64 %rd680, [%rd679+8];\n",
    "ld.u64 %rd681, [%rd679+16]; ld.u64 %rd682, [%rd679+24]; mul.lo.s64 %rd683, %rd682, %rd777;\n",
    "ld.u64 %rd684, [%rd679]; add.s64 %rd685, %rd684, %rd683; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd680; .param .b64 param1; st.param.b64 [param1+0], %rd685; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd681; .param .b64 param3; st.param.b64 [param3+0], %rd257; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd258; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r636, %r636, 4; add.s32 %r635, %r635, -4; setp.ne.s32 %p380, %r635, 0;\n",
    "@%p380 bra $L__BB16_331; $L__BB16_334: setp.eq.s32 %p381, %r639, 0; @%p381 bra $L__BB16_339;\n",
    "add.s32 %r637, %r232, %r636; $L__BB16_336: .pragma \"nounroll\"; setp.eq.s32 %p382, %r636, 0;\n",
    "mov.u64 %rd783, %rd20; mov.u64 %rd784, %rd21; mov.u64 %rd785, %rd22; mov.u64 %rd786, %rd23;\n",
    "@%p382 bra $L__BB16_338; mul.wide.u32 %rd686, %r637, 48; add.s64 %rd687, %rd7, %rd686;\n",
    "ld.u64 %rd783, [%rd687]; ld.u64 %rd784, [%rd687+8]; ld.u64 %rd785, [%rd687+16];\n",
    "ld.u64 %rd786, [%rd687+24]; $L__BB16_338: mul.lo.s64 %rd688, %rd786, %rd777;\n",
    "add.s64 %rd689, %rd783, %rd688; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd784; .param .b64 param1; st.param.b64 [param1+0], %rd689; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd785; .param .b64 param3; st.param.b64 [param3+0], %rd257; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd258; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r636, %r636, 1; add.s32 %r637, %r637, 1; add.s32 %r639, %r639, -1;\n",
    "setp.ne.s32 %p383, %r639, 0; @%p383 bra $L__BB16_336; $L__BB16_339: setp.eq.s64 %p384, %rd778, 0;\n",
    "@%p384 bra $L__BB16_346; mov.u64 %rd690, %globaltimer; setp.ge.s64 %p385, %rd778, %rd690;\n",
    "@%p385 bra $L__BB16_346; st.global.u64 [%rd3+216], %rd778; bra.uni $L__BB16_346; $L__BB16_342:\n",
    "mov.u32 %r541, 32; rem.u32 %r542, %r541, %r126; setp.ne.s32 %p386, %r37, %r542; @%p386 bra $L__BB16_344;\n",
    "{ .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd277; call.uni\n",
    "sfi_resident_when, ( param0 ); } $L__BB16_344: @%p19 bra $L__BB16_346; cvt.u64.u32 %rd691, %r37;\n",
    "cvt.u64.u32 %rd692, %r126; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd277; .param .b32 param1; st.param.b32 [param1+0], %r232; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r233; .param .b64 param3; st.param.b64 [param3+0], %rd691; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd692; call.uni sfi_resident_copy_all, ( param0, param1, param2, param3, param4\n",
    "); } $L__BB16_346: or.pred %p390, %p40, %p19; @%p390 bra $L__BB16_348; mov.u64 %rd693, %globaltimer;\n",
    "st.global.u64 [%rd3+224], %rd693; $L__BB16_348: ret; } .visible .entry sf_resident_check_kernel(\n",
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
