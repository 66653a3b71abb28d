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

/* What would make an iteration faster, told when the loop is built. None of it changes a result. */
typedef enum sf_resident_advice_kind {
    SF_RESIDENT_ADVICE_PROGRAMMATIC,         /* `count` kernels that could start early: let them wait by themselves
                                                and set sf_kernel.programmatic */
    SF_RESIDENT_ADVICE_FUSE,                 /* `count` operators into one kernel, if one block is enough for them:
                                                sf_resident_desc.fused */
    SF_RESIDENT_ADVICE_UNROLL,               /* .loop AUTO or UNROLLED */
    SF_RESIDENT_ADVICE_SLOTS,                /* .slots `count`: fewer, which can be unrolled, or more, among which a
                                                turn of the loop is shared */
    SF_RESIDENT_ADVICE_NOT_MEASURED,         /* measure_operators off, of `count` operators */
    SF_RESIDENT_ADVICE_NO_HOST_WRITES,       /* no_host_writes, if it is true */
    SF_RESIDENT_ADVICE_SMALL                 /* requests or results of `count` bytes in all, which now are more than
                                                the 56 that travel with their number */
} sf_resident_advice_kind;
typedef struct sf_resident_advice {
    sf_resident_advice_kind kind;
    uint32_t count;
    int64_t saves;                           /* of an iteration, about, in ns, each alone */
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
    sf_graph_node *before, *last;            /* its last node in the first pass, and what is before all of its; NULL:
                                                several, or it is in a branch */
    uint32_t plain;                          /* its kernels that could start early, and do not */
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
    if (result >= 0 && !c->pass && op->branch == SFI_RESIDENT_NONE) {
        op->before = before->count == 1 ? before->items[0].node : NULL;
        op->last = after->count == 1 ? after->items[0].node : NULL;
    }
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
    int count;
    op->plain = 0;
    for (; node && node != op->before && *steps; node = after.node, --*steps) {
        count = 0;
        if (sf_graph_node_get_dependencies(node, &after, 1, &count) < 0 || count != 1) { return; }
        if (sf_graph_node_get_type(node, &type) < 0 || sf_graph_node_get_type(after.node, &earlier) < 0) { return; }
        op->plain += type == SF_NODE_KERNEL && earlier == SF_NODE_KERNEL && after.type == SF_EDGE_FULL;
    }
}
static uint32_t sfi_resident_plain_kernels(sf_resident *r)
{
    uint32_t steps = r->nodes ? 65536 / r->nodes : 0, plain = 0, i;  /* each one looks at all nodes */
    if (r->desc.measure_operators) { return 0; }             /* our stamps stand between them */
    for (i = 0; i < r->op_count; i++) {
        sfi_resident_walk(r->ops[i], &steps);
        plain += r->ops[i]->plain;
    }
    return plain;
}
static int64_t sfi_resident_bus_time(const sf_resident *r)
{
    int64_t ns = SFI_RESIDENT_NS_WORDS - (r->unfenced ? (int64_t)SFI_RESIDENT_NS_FENCE : 0);
    if (r->source_count && !r->line_words) {
        ns += SFI_RESIDENT_NS_BESIDE + (int64_t)(r->in_bytes / 1024) * SFI_RESIDENT_NS_SUBMIT_KIB;
    }
    if (r->sink_count && !sfi_resident_results_in_line(r)) {
        ns += (int64_t)(r->out_bytes / 1024) * SFI_RESIDENT_NS_RESULT_KIB;
    }
    return ns;
}
/* What saves most comes first; what saves nothing is none. */
static void sfi_resident_advise(sf_resident *r, sf_resident_advice_kind kind, uint64_t count, int64_t saves)
{
    uint32_t i = r->advice_count;
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
static void sfi_resident_advise_shape(sf_resident *r, int64_t turn)
{
    const char *op, *port;
    size_t bytes = sfi_resident_buffer_bytes(r);
    uint32_t slots = 8;
    if (sfi_resident_not_unrolled(r, &op, &port)) { return; }
    while (slots > 1 && bytes > SFI_RESIDENT_UNROLL / slots) { slots /= 2; }     /* with which AUTO unrolls */
    if (r->passes == 1 && r->desc.slots > 1 && r->desc.slots <= slots) {
        sfi_resident_advise(r, SF_RESIDENT_ADVICE_UNROLL, 1, turn - SFI_RESIDENT_NS_TURN / (int64_t)r->desc.slots);
    } else if (slots > 1) {
        sfi_resident_advise(r, SF_RESIDENT_ADVICE_SLOTS, slots, turn - SFI_RESIDENT_NS_TURN / (int64_t)slots);
    }
}
static void sfi_resident_advise_bus(sf_resident *r)
{
    const char *where;
    bool in = r->source_count == 1 && !r->line_words && r->in_bytes <= 1024;
    bool out = r->sink_count && !sfi_resident_results_in_line(r) && r->out_bytes <= 1024;
    if (!r->desc.no_host_writes && !sfi_resident_needs_fence(r, &where)) {
        sfi_resident_advise(r, SF_RESIDENT_ADVICE_NO_HOST_WRITES, 1, SFI_RESIDENT_NS_FENCE);
    }
    if (r->handler || r->desc.overflow == SF_OVERFLOW_LATEST) { in = false; }
    sfi_resident_advise(r, SF_RESIDENT_ADVICE_SMALL, (in ? r->in_bytes : 0) + (out ? r->out_bytes : 0),
                        in ? (int64_t)SFI_RESIDENT_NS_BESIDE : SFI_RESIDENT_NS_BESIDE / 4);
}
static void sfi_resident_predict(sf_resident *r)
{
    const int64_t bus = sfi_resident_bus_time(r), turn = SFI_RESIDENT_NS_TURN / (int64_t)r->passes;
    int64_t behind, marks, plain, early;     /* marks, and what they stand between, are not early */
    r->predicted = bus;
    sfi_resident_advise_bus(r);
    if (r->loop == SF_RESIDENT_LOOP_FUSED) { return; }
    behind = (int64_t)(r->nodes / r->passes) - 1;            /* nodes that come after another one */
    marks = r->desc.measure_operators ? behind : r->desc.no_stages ? 0 : (int64_t)r->op_count;
    plain = sfi_resident_plain_kernels(r);
    early = sfi_resident_early(r) && behind > marks + plain ? behind - marks - plain : 0;
    r->predicted += turn + behind * SFI_RESIDENT_NS_NODE - early * SFI_RESIDENT_NS_EARLY;
    r->predicted += (int64_t)r->branch_count * SFI_RESIDENT_NS_CONDITIONAL;
    if (r->handler) { r->predicted += SFI_RESIDENT_NS_CONDITIONAL + turn; }
    if (sfi_resident_early(r)) {
        sfi_resident_advise(r, SF_RESIDENT_ADVICE_PROGRAMMATIC, (uint64_t)plain, plain * SFI_RESIDENT_NS_EARLY);
    }
    if (sfi_resident_could_fuse(r)) {
        sfi_resident_advise(r, SF_RESIDENT_ADVICE_FUSE, r->op_count, r->predicted - bus);
    }
    sfi_resident_advise_shape(r, turn);
    if (r->desc.measure_operators) {
        sfi_resident_advise(r, SF_RESIDENT_ADVICE_NOT_MEASURED, r->op_count,
                            2 * (int64_t)r->op_count * SFI_RESIDENT_NS_NODE);
    }
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
    static const char *const words[][2] = {
        { "let ", " kernels wait by themselves (sf_kernel.programmatic), of " },
        { "fuse ", " operators into one kernel, if one block is enough for them (sf_resident_desc.fused)" },
        { "unroll it (sf_resident_desc.loop AUTO or UNROLLED)", NULL },
        { "give it ", " slots (sf_resident_desc.slots)" },
        { "do not measure ", " operators (sf_resident_desc.measure_operators)" },
        { "say that no kernel writes into host memory, if that is so (sf_resident_desc.no_host_writes)", NULL },
        { "", " bytes travel beside the words of requests and results: 56 each way travel in them" },
    };
    const char *more = "";
    uint32_t i;
    sfi_resident_write(w, "faster by about ");
    sfi_resident_write_us(w, a->saves, 0);
    sfi_resident_write(w, " us: ");
    sfi_resident_write(w, words[a->kind][0]);
    if (words[a->kind][1]) { sfi_resident_write_number(w, a->count, 0); }
    if (words[a->kind][1]) { sfi_resident_write(w, words[a->kind][1]); }
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
    sfi_resident_write(w, "\npredicted from submit to result, on an H100, without the kernels' own time: ");
    sfi_resident_write_us(w, r->predicted, 0);
    sfi_resident_write(w, " us\n");
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
    ".reg .pred %p<209>; .reg .b16 %rs<11>; .reg .b32 %r<320>; .reg .b64 %rd<382>;\n",
    "ld.param.v2.u32 {%r122, %r123}, [sf_resident_wait_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r124, %r125}, [sf_resident_wait_kernel_param_0+48];\n",
    "ld.param.u64 %rd148, [sf_resident_wait_kernel_param_0+8];\n",
    "ld.param.u64 %rd147, [sf_resident_wait_kernel_param_0]; cvta.to.global.u64 %rd2, %rd147;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd2, 48; ld.global.u64 %rd4, [%rd2+48]; ld.global.u64 %rd5, [%rd2+64];\n",
    "ld.global.u64 %rd6, [%rd2+56]; ld.global.u32 %r3, [%rd2+16]; ld.global.u32 %r4, [%rd2+132];\n",
    "ld.global.u32 %r5, [%rd2+136]; ld.global.v2.u32 {%r132, %r133}, [%rd2+104];\n",
    "ld.global.u32 %rd7, [%rd2+112]; ld.global.u32 %r8, [%rd2+148]; ld.global.u64 %rd8, [%rd2+176];\n",
    "ld.global.u64 %rd9, [%rd2+184]; ld.global.u64 %rd10, [%rd2+192]; ld.global.u64 %rd11, [%rd2+200];\n",
    "ld.global.u64 %rd12, [%rd2+208]; setp.eq.s32 %p13, %r124, 0; mov.u32 %r279, 0; mov.u64 %rd342, 0;\n",
    "mov.u64 %rd343, %rd342; mov.u64 %rd344, %rd342; mov.u64 %rd345, %rd342; @%p13 bra $L__BB14_2;\n",
    "mul.wide.u32 %rd156, %r123, 48; add.s64 %rd157, %rd5, %rd156; ld.v2.u32 {%r279, %r137}, [%rd157+40];\n",
    "ld.u64 %rd345, [%rd157+24]; ld.u64 %rd344, [%rd157+16]; ld.u64 %rd343, [%rd157+8];\n",
    "ld.u64 %rd342, [%rd157]; $L__BB14_2:\n",
    "griddepcontrol.wait;\n",
    "setp.eq.s32 %p14, %r5, 0; @%p14 bra $L__BB14_6; add.s32 %r138, %r133, -1; cvt.u64.u32 %rd158, %r138;\n",
    "ld.global.u64 %rd159, [%rd3+184]; and.b64 %rd21, %rd159, %rd158; cvt.u64.u32 %rd22, %r122; bar.sync 0;\n",
    "setp.eq.s64 %p15, %rd21, %rd22; mov.u32 %r139, %tid.x; setp.ne.s32 %p16, %r139, 0;\n",
    "or.pred %p17, %p16, %p15; @%p17 bra $L__BB14_5; mov.u32 %r140, 0; st.global.u32 [%rd3+240], %r140;\n",
    "$L__BB14_5: @%p15 bra $L__BB14_6; bra.uni $L__BB14_178; $L__BB14_6: mov.u32 %r18, %tid.x;\n",
    "setp.lt.u32 %p19, %r18, 32; setp.ne.s32 %p20, %r8, 0; and.pred %p21, %p19, %p20; mov.u32 %r19, %ntid.x;\n",
    "setp.gt.u32 %p22, %r19, 31; and.pred %p23, %p22, %p21; @%p23 bra $L__BB14_90; bra.uni $L__BB14_7;\n",
    "$L__BB14_90: ld.global.u64 %rd81, [%rd3+304]; ld.global.u32 %r68, [%rd3+248];\n",
    "ld.global.u64 %rd82, [%rd3+184]; bar.warp.sync -1; ld.global.u64 %rd83, [%rd3+176];\n",
    "add.s32 %r196, %r18, -16; mul.wide.u32 %rd237, %r196, 8; add.s64 %rd238, %rd2, %rd237;\n",
    "add.s64 %rd84, %rd238, 1120; setp.eq.s32 %p106, %r18, 31; @%p106 bra $L__BB14_98; bra.uni $L__BB14_91;\n",
    "$L__BB14_98: add.s64 %rd364, %rd148, 128; bra.uni $L__BB14_99; $L__BB14_7: setp.ne.s32 %p24, %r18, 0;\n",
    "@%p24 bra $L__BB14_146; setp.ne.s32 %p25, %r3, 0; setp.eq.s32 %p26, %r8, 0; and.pred %p27, %p25, %p26;\n",
    "@%p27 bra $L__BB14_18; bra.uni $L__BB14_9; $L__BB14_18: ld.global.u32 %r24, [%rd3+248];\n",
    "mov.u64 %rd359, 0; ld.global.u64 %rd31, [%rd3+184]; ld.global.u64 %rd32, [%rd3+176];\n",
    "ld.global.u64 %rd33, [%rd3+304]; ld.global.u32 %r25, [%rd3+1344];\n",
    "ld.global.v2.u32 {%r147, %r148}, [%rd3+1336]; or.b32 %r26, %r147, %r148;\n",
    "ld.global.u64 %rd34, [%rd3+1360]; mov.u64 %rd169, %globaltimer; ld.global.u32 %r27, [%rd3+1352];\n",
    "ld.global.u64 %rd171, [%rd3+1368]; sub.s64 %rd36, %rd169, %rd171; setp.gt.s64 %p36, %rd36, 49999;\n",
    "@%p36 bra $L__BB14_20; ld.global.u64 %rd359, [%rd3+560]; $L__BB14_20: add.s64 %rd172, %rd147, 8;\n",
    "ld.relaxed.sys.u32 %r44, [%rd172]; ld.global.u64 %rd358, [%rd3+1368]; setp.eq.s32 %p37, %r132, 0;\n",
    "@%p37 bra $L__BB14_33; cvt.u64.u32 %rd41, %r133; mov.u32 %r282, 0; $L__BB14_22:\n",
    "mul.wide.u32 %rd173, %r282, 8; add.s64 %rd174, %rd2, %rd173; ld.global.u64 %rd175, [%rd174+1120];\n",
    "sub.s64 %rd176, %rd32, %rd175; setp.lt.u64 %p38, %rd176, %rd41; add.s32 %r282, %r282, 1;\n",
    "@%p38 bra $L__BB14_32; bra.uni $L__BB14_23; $L__BB14_32: setp.lt.u32 %p47, %r282, %r132;\n",
    "@%p47 bra $L__BB14_22; $L__BB14_33: sub.s64 %rd334, %rd169, %rd171; setp.lt.s64 %p48, %rd334, 50000;\n",
    "setp.eq.s32 %p49, %r27, 0; or.pred %p50, %p49, %p48; @%p50 bra $L__BB14_44;\n",
    "ld.param.u64 %rd336, [sf_resident_wait_kernel_param_0+8]; add.s64 %rd187, %rd336, 128;\n",
    "ld.relaxed.sys.u64 %rd186, [%rd187]; and.b64 %rd188, %rd186, -4611686018427387904;\n",
    "setp.eq.s64 %p51, %rd188, 0; mov.u64 %rd358, %rd169; @%p51 bra $L__BB14_44; mov.u64 %rd189, %globaltimer;\n",
    "add.s64 %rd48, %rd147, 12; mov.u32 %r285, 125; mov.u64 %rd349, %rd189; bra.uni $L__BB14_36; $L__BB14_43:\n",
    "mov.u64 %rd349, %globaltimer; $L__BB14_36: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd349;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r303, [retval0+0]; } setp.ne.s32 %p52, %r303, 2; @%p52 bra $L__BB14_38; mov.u32 %r160, 1;\n",
    "st.relaxed.sys.u32 [%rd48], %r160; $L__BB14_38: setp.eq.s32 %p53, %r303, 0; @%p53 bra $L__BB14_41;\n",
    "bra.uni $L__BB14_39; $L__BB14_41: sub.s64 %rd191, %rd349, %rd189; ld.global.u64 %rd192, [%rd3+152];\n",
    "setp.gt.s64 %p55, %rd192, %rd191; selp.b64 %rd193, 184, 192, %p55; add.s64 %rd194, %rd2, %rd193;\n",
    "ld.global.u64 %rd195, [%rd3+128]; setp.gt.s64 %p56, %rd195, %rd191; ld.global.u64 %rd50, [%rd194];\n",
    "setp.lt.s64 %p57, %rd50, 1; or.pred %p58, %p57, %p56; @%p58 bra $L__BB14_43; shl.b32 %r163, %r285, 1;\n",
    "cvt.u64.u32 %rd196, %r163; setp.gt.s64 %p59, %rd50, %rd196; cvt.u32.u64 %r164, %rd50;\n",
    "selp.b32 %r285, %r163, %r164, %p59; nanosleep.u32 %r285; bra.uni $L__BB14_43; $L__BB14_91:\n",
    "setp.gt.u32 %p107, %r8, %r18; @%p107 bra $L__BB14_94; bra.uni $L__BB14_92; $L__BB14_94:\n",
    "and.b64 %rd246, %rd81, -4294967296; setp.eq.s64 %p112, %rd246, 0; @%p112 bra $L__BB14_96;\n",
    "rem.u64 %rd363, %rd81, %rd7; bra.uni $L__BB14_97; $L__BB14_92: setp.lt.u32 %p108, %r18, 16;\n",
    "setp.ge.u32 %p109, %r196, %r132; mov.u64 %rd364, 0; or.pred %p110, %p108, %p109; @%p110 bra $L__BB14_99;\n",
    "ld.global.u64 %rd240, [%rd84]; sub.s64 %rd241, %rd83, %rd240; cvt.u64.u32 %rd242, %r133;\n",
    "setp.lt.u64 %p111, %rd241, %rd242; mul.wide.u32 %rd243, %r196, 128; add.s64 %rd244, %rd148, %rd243;\n",
    "add.s64 %rd245, %rd244, 4224; selp.b64 %rd364, 0, %rd245, %p111; bra.uni $L__BB14_99; $L__BB14_9:\n",
    "mov.u64 %rd160, %globaltimer; add.s64 %rd27, %rd147, 12; mov.u32 %r280, 125; mov.u64 %rd346, %rd160;\n",
    "bra.uni $L__BB14_10; $L__BB14_17: mov.u64 %rd346, %globaltimer; $L__BB14_10: { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd346;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r303, [retval0+0]; } setp.ne.s32 %p28, %r303, 2; @%p28 bra $L__BB14_12; mov.u32 %r142, 1;\n",
    "st.relaxed.sys.u32 [%rd27], %r142; $L__BB14_12: setp.eq.s32 %p29, %r303, 0; @%p29 bra $L__BB14_15;\n",
    "bra.uni $L__BB14_13; $L__BB14_15: sub.s64 %rd162, %rd346, %rd160; ld.global.u64 %rd163, [%rd3+152];\n",
    "setp.gt.s64 %p31, %rd163, %rd162; selp.b64 %rd164, 184, 192, %p31; add.s64 %rd165, %rd2, %rd164;\n",
    "ld.global.u64 %rd166, [%rd3+128]; setp.gt.s64 %p32, %rd166, %rd162; ld.global.u64 %rd29, [%rd165];\n",
    "setp.lt.s64 %p33, %rd29, 1; or.pred %p34, %p33, %p32; @%p34 bra $L__BB14_17; shl.b32 %r145, %r280, 1;\n",
    "cvt.u64.u32 %rd167, %r145; setp.gt.s64 %p35, %rd29, %rd167; cvt.u32.u64 %r146, %rd29;\n",
    "selp.b32 %r280, %r145, %r146, %p35; nanosleep.u32 %r280; bra.uni $L__BB14_17; $L__BB14_13:\n",
    "setp.ne.s32 %p30, %r303, 1; @%p30 bra $L__BB14_87; mov.u32 %r303, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd346;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_96:\n",
    "cvt.u32.u64 %r197, %rd7; cvt.u32.u64 %r198, %rd81; rem.u32 %r199, %r198, %r197;\n",
    "cvt.u64.u32 %rd363, %r199; $L__BB14_97: shl.b64 %rd247, %rd363, 7; add.s64 %rd248, %rd4, %rd247;\n",
    "mul.wide.u32 %rd249, %r18, 8; add.s64 %rd364, %rd248, %rd249; $L__BB14_99: add.s64 %rd92, %rd147, 8;\n",
    "setp.gt.u32 %p113, %r18, 15; setp.ne.s64 %p114, %rd364, 0; and.pred %p115, %p113, %p114;\n",
    "setp.ne.s32 %p116, %r18, 31; and.pred %p1, %p116, %p115; ld.global.u64 %rd93, [%rd3+1360];\n",
    "mov.u64 %rd250, %globaltimer; ld.global.u32 %r200, [%rd3+1340]; setp.ne.s32 %p117, %r200, 0;\n",
    "mov.u16 %rs10, 1; @%p117 bra $L__BB14_103; ld.global.u32 %r201, [%rd3+1336]; setp.ne.s32 %p118, %r201, 0;\n",
    "@%p118 bra $L__BB14_103; ld.relaxed.sys.u32 %r202, [%rd92]; setp.ne.s32 %p119, %r202, 0;\n",
    "@%p119 bra $L__BB14_103; setp.gt.u32 %p120, %r132, 15; selp.u16 %rs10, 1, 0, %p120; $L__BB14_103:\n",
    "add.s64 %rd252, %rd81, 1; cvt.u32.u64 %r70, %rd252; cvt.u64.u32 %rd95, %r133; mov.u32 %r305, 0;\n",
    "mov.u32 %r307, 125; mov.u64 %rd365, %rd250; bra.uni $L__BB14_104; $L__BB14_119:\n",
    "selp.u16 %rs10, 1, 0, %p208; $L__BB14_104: and.b16 %rs8, %rs10, 255; setp.ne.s16 %p205, %rs8, 0;\n",
    "setp.lt.s64 %p121, %rd12, 1; or.pred %p122, %p205, %p121; @%p122 bra $L__BB14_106;\n",
    "sub.s64 %rd253, %rd365, %rd93; setp.ge.s64 %p205, %rd253, %rd12; $L__BB14_106: mov.u32 %r205, -1;\n",
    "vote.sync.any.pred %p123, %p205, %r205; @%p123 bra $L__BB14_137; setp.eq.s64 %p124, %rd364, 0;\n",
    "mov.u64 %rd366, 0; @%p124 bra $L__BB14_109; ld.relaxed.sys.u64 %rd366, [%rd364]; $L__BB14_109:\n",
    "and.b64 %rd257, %rd366, -4611686018427387904; setp.ne.s64 %p126, %rd257, 0; and.pred %p208, %p106, %p126;\n",
    "mov.pred %p207, 0; @%p208 bra $L__BB14_113; mov.pred %p206, 0; not.pred %p129, %p1;\n",
    "@%p129 bra $L__BB14_112; sub.s64 %rd258, %rd83, %rd366; setp.ge.u64 %p206, %rd258, %rd95; $L__BB14_112:\n",
    "not.pred %p207, %p206; $L__BB14_113: mov.u32 %r207, -1; vote.sync.all.pred %p130, %p207, %r207;\n",
    "not.pred %p131, %p130; @%p131 bra $L__BB14_115; setp.le.u32 %p132, %r8, %r18; cvt.u32.u64 %r209, %rd366;\n",
    "setp.eq.s32 %p133, %r209, %r70; or.pred %p134, %p132, %p133; vote.sync.all.pred %p135, %p134, %r207;\n",
    "@%p135 bra $L__BB14_120; $L__BB14_115: mov.u64 %rd365, %globaltimer; sub.s64 %rd100, %rd365, %rd250;\n",
    "add.s32 %r212, %r305, 1; and.b32 %r213, %r212, 15; setp.ne.s32 %p136, %r213, 0;\n",
    "setp.lt.s64 %p137, %rd100, %rd8; selp.b32 %r305, %r212, %r305, %p137; and.pred %p138, %p136, %p137;\n",
    "@%p138 bra $L__BB14_119; setp.gt.s64 %p140, %rd11, %rd100; selp.b64 %rd101, %rd9, %rd10, %p140;\n",
    "setp.lt.s64 %p141, %rd101, 1; or.pred %p142, %p137, %p141; @%p142 bra $L__BB14_118;\n",
    "shl.b32 %r215, %r307, 1; cvt.u64.u32 %rd260, %r215; setp.gt.s64 %p143, %rd101, %rd260;\n",
    "cvt.u32.u64 %r216, %rd101; selp.b32 %r307, %r215, %r216, %p143; nanosleep.u32 %r307; $L__BB14_118:\n",
    "ld.acquire.sys.u32 %r217, [%rd92]; setp.ne.s32 %p144, %r217, 0; or.pred %p208, %p208, %p144;\n",
    "mov.u64 %rd365, %globaltimer; bra.uni $L__BB14_119; $L__BB14_137: setp.ne.s32 %p166, %r18, 0;\n",
    "mov.u32 %r242, 1; mov.u32 %r312, %r242; @%p166 bra $L__BB14_144; mov.u64 %rd281, %globaltimer;\n",
    "add.s64 %rd115, %rd147, 12; mov.u32 %r311, 125; mov.u64 %rd371, %rd281; bra.uni $L__BB14_139;\n",
    "$L__BB14_181: mov.u64 %rd371, %globaltimer; $L__BB14_139: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd371;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r312, [retval0+0]; } setp.ne.s32 %p167, %r312, 2; @%p167 bra $L__BB14_141;\n",
    "mov.u32 %r244, 1; st.relaxed.sys.u32 [%rd115], %r244; $L__BB14_141: setp.eq.s32 %p168, %r312, 0;\n",
    "@%p168 bra $L__BB14_179; bra.uni $L__BB14_142; $L__BB14_179: sub.s64 %rd325, %rd371, %rd281;\n",
    "ld.global.u64 %rd326, [%rd3+152]; setp.gt.s64 %p197, %rd326, %rd325; selp.b64 %rd327, 184, 192, %p197;\n",
    "add.s64 %rd328, %rd2, %rd327; ld.global.u64 %rd329, [%rd3+128]; setp.gt.s64 %p198, %rd329, %rd325;\n",
    "ld.global.u64 %rd145, [%rd328]; setp.lt.s64 %p199, %rd145, 1; or.pred %p200, %p199, %p198;\n",
    "@%p200 bra $L__BB14_181; shl.b32 %r266, %r311, 1; cvt.u64.u32 %rd330, %r266;\n",
    "setp.gt.s64 %p201, %rd145, %rd330; cvt.u32.u64 %r267, %rd145; selp.b32 %r311, %r266, %r267, %p201;\n",
    "nanosleep.u32 %r311; bra.uni $L__BB14_181; $L__BB14_120: not.pred %p145, %p1; @%p145 bra $L__BB14_122;\n",
    "add.s32 %r278, %r18, -16; mul.wide.u32 %rd341, %r278, 8; add.s64 %rd340, %rd2, %rd341;\n",
    "add.s64 %rd339, %rd340, 1120; st.global.u64 [%rd339], %rd366; $L__BB14_122: mov.u32 %r308, 0;\n",
    "mov.b64 {%r218,%r219}, %rd366; mov.u32 %r227, 31; mov.u32 %r228, -1;\n",
    "shfl.sync.idx.b32 %r221|%p147, %r219, %r308, %r227, %r228;\n",
    "shfl.sync.idx.b32 %r220|%p148, %r218, %r308, %r227, %r228; mov.b64 %rd264, {%r220,%r221};\n",
    "mov.b64 {%r222,%r223}, %rd366; mov.u32 %r312, 1;\n",
    "shfl.sync.idx.b32 %r225|%p149, %r223, %r312, %r227, %r228;\n",
    "shfl.sync.idx.b32 %r224|%p150, %r222, %r312, %r227, %r228; mov.b64 %rd266, {%r224,%r225};\n",
    "shr.u64 %rd268, %rd264, 32; and.b64 %rd269, %rd266, -4294967296; or.b64 %rd104, %rd269, %rd268;\n",
    "mov.u64 %rd267, %globaltimer; add.s32 %r230, %r8, -2; add.s32 %r78, %r18, -2;\n",
    "setp.ge.u32 %p151, %r78, %r230; or.pred %p152, %p151, %p13; @%p152 bra $L__BB14_134;\n",
    "shr.u64 %rd270, %rd366, 32; cvt.u32.u64 %r79, %rd270; $L__BB14_124: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p153, %r308, 0; mov.u64 %rd368, %rd343; mov.u64 %rd369, %rd344; mov.u32 %r309, %r279;\n",
    "@%p153 bra $L__BB14_126; add.s32 %r232, %r308, %r123; mul.wide.u32 %rd271, %r232, 48;\n",
    "add.s64 %rd272, %rd5, %rd271; ld.u64 %rd368, [%rd272+8]; ld.u64 %rd369, [%rd272+16];\n",
    "ld.u32 %r309, [%rd272+40]; $L__BB14_126: add.s64 %rd273, %rd369, 3; shr.u64 %rd274, %rd273, 2;\n",
    "cvt.u32.u64 %r233, %rd274; sub.s32 %r83, %r78, %r309; setp.ge.u32 %p154, %r83, %r233;\n",
    "@%p154 bra $L__BB14_133; mul.wide.u32 %rd275, %r83, 4; add.s64 %rd110, %rd368, %rd275;\n",
    "sub.s64 %rd111, %rd369, %rd275; setp.lt.u64 %p155, %rd111, 4; @%p155 bra $L__BB14_129;\n",
    "and.b64 %rd276, %rd110, 3; setp.eq.s64 %p156, %rd276, 0; @%p156 bra $L__BB14_132; $L__BB14_129:\n",
    "setp.eq.s64 %p157, %rd111, 0; @%p157 bra $L__BB14_133; mov.u32 %r310, 0; mov.u64 %rd370, 0; $L__BB14_131:\n",
    ".pragma \"nounroll\"; shl.b32 %r235, %r310, 3; shr.u32 %r236, %r79, %r235; add.s64 %rd278, %rd110, %rd370;\n",
    "st.u8 [%rd278], %r236; add.s32 %r310, %r310, 1; setp.lt.u32 %p158, %r310, 4; cvt.u64.u32 %rd370, %r310;\n",
    "setp.gt.u64 %p159, %rd111, %rd370; and.pred %p160, %p158, %p159; @%p160 bra $L__BB14_131;\n",
    "bra.uni $L__BB14_133; $L__BB14_132: st.u32 [%rd110], %r79; $L__BB14_133: add.s32 %r308, %r308, 1;\n",
    "setp.lt.u32 %p161, %r308, %r124; @%p161 bra $L__BB14_124; $L__BB14_134: setp.ne.s32 %p162, %r18, 0;\n",
    "@%p162 bra $L__BB14_144; add.s64 %rd338, %rd81, 1; st.global.u64 [%rd3+304], %rd338;\n",
    "st.global.u64 [%rd3+560], %rd338; mov.u32 %r239, 0; st.global.u32 [%rd3+1352], %r239;\n",
    "st.global.u64 [%rd3+1368], %rd267; add.s64 %rd280, %rd82, 1; st.global.u64 [%rd3+192], %rd280;\n",
    "st.global.u64 [%rd3+216], %rd267; st.global.u64 [%rd3+208], %rd267; mov.u32 %r312, 1;\n",
    "st.global.v2.u32 [%rd3+240], {%r312, %r312}; add.s32 %r240, %r68, 1; st.global.u32 [%rd3+248], %r240;\n",
    "setp.ge.s64 %p163, %rd104, %rd267; setp.eq.s64 %p164, %rd104, 0; or.pred %p165, %p163, %p164;\n",
    "@%p165 bra $L__BB14_144; st.global.u64 [%rd3+208], %rd104; bra.uni $L__BB14_144; $L__BB14_142:\n",
    "setp.ne.s32 %p169, %r312, 1; @%p169 bra $L__BB14_144; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd371; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b32 param1; st.param.b32 [param1+0], %r123; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r124; call.uni sfi_resident_unload, ( param0, param1, param2 ); }\n",
    "mov.u32 %r312, %r242; $L__BB14_144: mov.u32 %r246, 31; mov.u32 %r247, 0; mov.u32 %r248, -1;\n",
    "shfl.sync.idx.b32 %r90|%p12, %r312, %r247, %r246, %r248; setp.ne.s32 %p170, %r18, 0;\n",
    "@%p170 bra $L__BB14_146; st.shared.u32 [sfi_resident_block_wait_turn], %r90; bra.uni $L__BB14_146;\n",
    "$L__BB14_44: or.b32 %r165, %r26, %r44; setp.ne.s32 %p60, %r165, 0; @%p60 bra $L__BB14_77;\n",
    "bra.uni $L__BB14_45; $L__BB14_77: mov.u64 %rd224, %globaltimer; add.s64 %rd77, %rd147, 12;\n",
    "mov.u32 %r301, 125; mov.u64 %rd362, %rd224; bra.uni $L__BB14_78; $L__BB14_85:\n",
    "mov.u64 %rd362, %globaltimer; $L__BB14_78: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd362;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r303, [retval0+0]; } setp.ne.s32 %p95, %r303, 2; @%p95 bra $L__BB14_80; mov.u32 %r188, 1;\n",
    "st.relaxed.sys.u32 [%rd77], %r188; $L__BB14_80: setp.eq.s32 %p96, %r303, 0; @%p96 bra $L__BB14_83;\n",
    "bra.uni $L__BB14_81; $L__BB14_83: sub.s64 %rd226, %rd362, %rd224; ld.global.u64 %rd227, [%rd3+152];\n",
    "setp.gt.s64 %p98, %rd227, %rd226; selp.b64 %rd228, 184, 192, %p98; add.s64 %rd229, %rd2, %rd228;\n",
    "ld.global.u64 %rd230, [%rd3+128]; setp.gt.s64 %p99, %rd230, %rd226; ld.global.u64 %rd79, [%rd229];\n",
    "setp.lt.s64 %p100, %rd79, 1; or.pred %p101, %p100, %p99; @%p101 bra $L__BB14_85; shl.b32 %r191, %r301, 1;\n",
    "cvt.u64.u32 %rd231, %r191; setp.gt.s64 %p102, %rd79, %rd231; cvt.u32.u64 %r192, %rd79;\n",
    "selp.b32 %r301, %r191, %r192, %p102; nanosleep.u32 %r301; bra.uni $L__BB14_85; $L__BB14_81:\n",
    "setp.ne.s32 %p97, %r303, 1; @%p97 bra $L__BB14_87; mov.u32 %r303, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd362;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_23:\n",
    "mov.u64 %rd177, %globaltimer; add.s64 %rd43, %rd147, 12; mov.u32 %r283, 125; mov.u64 %rd348, %rd177;\n",
    "bra.uni $L__BB14_24; $L__BB14_31: mov.u64 %rd348, %globaltimer; $L__BB14_24: { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd348;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r303, [retval0+0]; } setp.ne.s32 %p39, %r303, 2; @%p39 bra $L__BB14_26; mov.u32 %r154, 1;\n",
    "st.relaxed.sys.u32 [%rd43], %r154; $L__BB14_26: setp.eq.s32 %p40, %r303, 0; @%p40 bra $L__BB14_29;\n",
    "bra.uni $L__BB14_27; $L__BB14_29: sub.s64 %rd179, %rd348, %rd177; ld.global.u64 %rd180, [%rd3+152];\n",
    "setp.gt.s64 %p42, %rd180, %rd179; selp.b64 %rd181, 184, 192, %p42; add.s64 %rd182, %rd2, %rd181;\n",
    "ld.global.u64 %rd183, [%rd3+128]; setp.gt.s64 %p43, %rd183, %rd179; ld.global.u64 %rd45, [%rd182];\n",
    "setp.lt.s64 %p44, %rd45, 1; or.pred %p45, %p44, %p43; @%p45 bra $L__BB14_31; shl.b32 %r157, %r283, 1;\n",
    "cvt.u64.u32 %rd184, %r157; setp.gt.s64 %p46, %rd45, %rd184; cvt.u32.u64 %r158, %rd45;\n",
    "selp.b32 %r283, %r157, %r158, %p46; nanosleep.u32 %r283; bra.uni $L__BB14_31; $L__BB14_27:\n",
    "setp.ne.s32 %p41, %r303, 1; @%p41 bra $L__BB14_87; mov.u32 %r303, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd348;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_39:\n",
    "setp.ne.s32 %p54, %r303, 1; @%p54 bra $L__BB14_87; mov.u32 %r303, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd349;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_45:\n",
    "ld.param.u64 %rd335, [sf_resident_wait_kernel_param_0+8]; setp.ne.s32 %p61, %r27, 0; mov.u32 %r41, 0;\n",
    "add.s64 %rd53, %rd335, 128; selp.b32 %r42, 64, 1, %p61; selp.u32 %r294, 1, 0, %p61; mov.u32 %r45, 125;\n",
    "mov.u64 %rd59, 0; mov.u64 %rd352, %rd169; $L__BB14_46: sub.s64 %rd199, %rd352, %rd34;\n",
    "setp.ge.s64 %p62, %rd199, %rd12; setp.gt.s64 %p63, %rd12, 0; and.pred %p64, %p63, %p62;\n",
    "@%p64 bra $L__BB14_77; setp.eq.s32 %p65, %r4, 0; @%p65 bra $L__BB14_49;\n",
    "ld.relaxed.gpu.u64 %rd59, [%rd147]; $L__BB14_49: setp.gt.u64 %p66, %rd359, %rd33; @%p66 bra $L__BB14_54;\n",
    "bra.uni $L__BB14_50; $L__BB14_54: @%p65 bra $L__BB14_61; bra.uni $L__BB14_55; $L__BB14_50:\n",
    "@%p65 bra $L__BB14_52; add.s32 %r46, %r294, 1; rem.u32 %r168, %r294, %r42; setp.ne.s32 %p68, %r168, 0;\n",
    "mov.u32 %r294, %r46; @%p68 bra $L__BB14_55; $L__BB14_52: @%p65 bra $L__BB14_60;\n",
    "ld.relaxed.sys.u64 %rd359, [%rd53]; mov.u64 %rd358, %rd352; $L__BB14_55: shr.u64 %rd206, %rd59, 32;\n",
    "cvt.u32.u64 %r49, %rd206; setp.eq.s32 %p71, %r25, %r49; cvt.u32.u64 %r169, %rd59;\n",
    "setp.ne.s32 %p72, %r169, 2; and.pred %p73, %p72, %p71; @%p73 bra $L__BB14_61; bra.uni $L__BB14_56;\n",
    "$L__BB14_61: and.b64 %rd210, %rd359, -4611686018427387904; setp.eq.s64 %p75, %rd210, 0;\n",
    "@%p75 bra $L__BB14_71; bra.uni $L__BB14_62; $L__BB14_71: setp.gt.u64 %p84, %rd359, %rd33;\n",
    "@%p84 bra $L__BB14_86; mov.u64 %rd352, %globaltimer; sub.s64 %rd72, %rd352, %rd169;\n",
    "add.s32 %r180, %r41, 1; and.b32 %r181, %r180, 15; setp.ne.s32 %p85, %r181, 0;\n",
    "setp.lt.s64 %p86, %rd72, %rd8; selp.b32 %r41, %r180, %r41, %p86; and.pred %p87, %p85, %p86;\n",
    "@%p87 bra $L__BB14_76; setp.gt.s64 %p89, %rd11, %rd72; selp.b64 %rd73, %rd9, %rd10, %p89;\n",
    "setp.lt.s64 %p90, %rd73, 1; or.pred %p91, %p86, %p90; @%p91 bra $L__BB14_75; shl.b32 %r183, %r45, 1;\n",
    "cvt.u64.u32 %rd221, %r183; setp.gt.s64 %p92, %rd73, %rd221; cvt.u32.u64 %r184, %rd73;\n",
    "selp.b32 %r45, %r183, %r184, %p92; nanosleep.u32 %r45; $L__BB14_75: setp.gt.u32 %p93, %r45, 2000;\n",
    "selp.b32 %r42, 1, %r42, %p93; ld.acquire.sys.u32 %r44, [%rd172]; mov.u64 %rd352, %globaltimer;\n",
    "$L__BB14_76: or.b32 %r186, %r26, %r44; setp.eq.s32 %p94, %r186, 0; @%p94 bra $L__BB14_46;\n",
    "bra.uni $L__BB14_77; $L__BB14_60: ld.acquire.sys.u64 %rd359, [%rd53]; mov.u64 %rd358, %rd352;\n",
    "bra.uni $L__BB14_61; $L__BB14_62: mov.u64 %rd211, %globaltimer; add.s64 %rd67, %rd147, 12;\n",
    "mov.u32 %r295, 125; mov.u64 %rd360, %rd211; bra.uni $L__BB14_63; $L__BB14_70:\n",
    "mov.u64 %rd360, %globaltimer; $L__BB14_63: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd360;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r303, [retval0+0]; } setp.ne.s32 %p76, %r303, 2; @%p76 bra $L__BB14_65; mov.u32 %r175, 1;\n",
    "st.relaxed.sys.u32 [%rd67], %r175; $L__BB14_65: setp.eq.s32 %p77, %r303, 0; @%p77 bra $L__BB14_68;\n",
    "bra.uni $L__BB14_66; $L__BB14_68: sub.s64 %rd213, %rd360, %rd211; ld.global.u64 %rd214, [%rd3+152];\n",
    "setp.gt.s64 %p79, %rd214, %rd213; selp.b64 %rd215, 184, 192, %p79; add.s64 %rd216, %rd2, %rd215;\n",
    "ld.global.u64 %rd217, [%rd3+128]; setp.gt.s64 %p80, %rd217, %rd213; ld.global.u64 %rd69, [%rd216];\n",
    "setp.lt.s64 %p81, %rd69, 1; or.pred %p82, %p81, %p80; @%p82 bra $L__BB14_70; shl.b32 %r178, %r295, 1;\n",
    "cvt.u64.u32 %rd218, %r178; setp.gt.s64 %p83, %rd69, %rd218; cvt.u32.u64 %r179, %rd69;\n",
    "selp.b32 %r295, %r178, %r179, %p83; nanosleep.u32 %r295; bra.uni $L__BB14_70; $L__BB14_66:\n",
    "setp.ne.s32 %p78, %r303, 1; @%p78 bra $L__BB14_87; mov.u32 %r303, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd147; .param .b64 param1; st.param.b64 [param1+0], %rd360;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_87; $L__BB14_86:\n",
    "add.s64 %rd234, %rd33, 1; st.global.u64 [%rd3+304], %rd234; st.global.u64 [%rd3+560], %rd359;\n",
    "mov.u32 %r194, 0; st.global.u32 [%rd3+1352], %r194; mov.u64 %rd233, %globaltimer;\n",
    "st.global.u64 [%rd3+1368], %rd358; add.s64 %rd235, %rd31, 1; st.global.u64 [%rd3+192], %rd235;\n",
    "st.global.u64 [%rd3+216], %rd233; st.global.u64 [%rd3+208], %rd233; mov.u32 %r303, 1;\n",
    "st.global.v2.u32 [%rd3+240], {%r303, %r303}; add.s32 %r195, %r24, 1; st.global.u32 [%rd3+248], %r195;\n",
    "bra.uni $L__BB14_87; $L__BB14_56: shr.u64 %rd337, %rd59, 32; cvt.u32.u64 %r277, %rd337;\n",
    "setp.eq.s32 %p204, %r25, %r277; @%p204 bra $L__BB14_58; bra.uni $L__BB14_57; $L__BB14_58:\n",
    "mov.u32 %r171, 1; st.relaxed.sys.u32 [%rd147], %r171; bra.uni $L__BB14_59; $L__BB14_57:\n",
    "add.s32 %r170, %r25, 1; st.global.u32 [%rd3+1344], %r170; $L__BB14_59: mov.u32 %r303, 1;\n",
    "st.global.u32 [%rd3+1352], %r303; mov.u64 %rd208, %globaltimer; st.global.u64 [%rd3+1368], %rd358;\n",
    "add.s64 %rd209, %rd31, 1; st.global.u64 [%rd3+192], %rd209; st.global.u64 [%rd3+216], %rd208;\n",
    "st.global.u64 [%rd3+208], %rd208; st.global.v2.u32 [%rd3+240], {%r303, %r303}; add.s32 %r173, %r24, 1;\n",
    "st.global.u32 [%rd3+248], %r173; $L__BB14_87: setp.eq.s32 %p202, %r8, 0;\n",
    "st.shared.u32 [sfi_resident_block_wait_turn], %r303; setp.ne.s32 %p103, %r303, 1;\n",
    "or.pred %p105, %p202, %p103; @%p105 bra $L__BB14_89; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b32 param1; st.param.b32 [param1+0], %r123; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r124; call.uni sfi_resident_unload, ( param0, param1, param2 ); } $L__BB14_89:\n",
    "ld.global.u64 %rd236, [%rd3+304]; st.shared.u64 [sfi_resident_block_wait_taken], %rd236; $L__BB14_146:\n",
    "bar.sync 0; or.b32 %r249, %r8, %r4; setp.ne.s32 %p171, %r249, 0; mov.u64 %rd372, 0;\n",
    "@%p171 bra $L__BB14_150; ld.shared.u64 %rd284, [sfi_resident_block_wait_taken];\n",
    "add.s64 %rd117, %rd284, -1; and.b64 %rd285, %rd117, -4294967296; setp.eq.s64 %p172, %rd285, 0;\n",
    "@%p172 bra $L__BB14_149; rem.u64 %rd372, %rd117, %rd7; bra.uni $L__BB14_150; $L__BB14_149:\n",
    "cvt.u32.u64 %r250, %rd7; cvt.u32.u64 %r251, %rd117; rem.u32 %r252, %r251, %r250;\n",
    "cvt.u64.u32 %rd372, %r252; $L__BB14_150: mov.u32 %r268, %tid.x;\n",
    "ld.shared.u32 %r91, [sfi_resident_block_wait_turn]; setp.ne.s32 %p173, %r268, 0; @%p173 bra $L__BB14_153;\n",
    "ld.param.u64 %rd332, [sf_resident_wait_kernel_param_0+16]; st.global.u32 [%rd3+1328], %r122;\n",
    "setp.ne.s32 %p174, %r91, 2; setp.eq.s64 %p175, %rd332, 0; or.pred %p176, %p175, %p174;\n",
    "@%p176 bra $L__BB14_153; ld.param.u64 %rd333, [sf_resident_wait_kernel_param_0+16]; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd333; .param .b32 param1;\n",
    "st.param.b32 [param1+0], 0; call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB14_153:\n",
    "setp.ne.s32 %p203, %r8, 0; setp.ne.s32 %p177, %r91, 1; or.pred %p179, %p203, %p177;\n",
    "@%p179 bra $L__BB14_178; setp.eq.s32 %p180, %r3, 0; @%p180 bra $L__BB14_172; setp.ne.s32 %p181, %r4, 0;\n",
    "@%p181 bra $L__BB14_176; mov.u32 %r270, %ntid.x; mov.u32 %r269, %tid.x; mov.u32 %r253, 32;\n",
    "rem.u32 %r254, %r253, %r270; setp.ne.s32 %p182, %r269, %r254; mov.u64 %rd373, 0; @%p182 bra $L__BB14_158;\n",
    "shl.b64 %rd287, %rd372, 3; add.s64 %rd288, %rd6, %rd287; ld.volatile.u64 %rd373, [%rd288]; $L__BB14_158:\n",
    "@%p13 bra $L__BB14_169; mov.u32 %r272, %ntid.x; mov.u32 %r271, %tid.x; cvt.u64.u32 %rd127, %r271;\n",
    "cvt.u64.u32 %rd128, %r272; and.b32 %r318, %r124, 3; add.s32 %r256, %r124, -1;\n",
    "setp.lt.u32 %p184, %r256, 3; mov.u32 %r315, 0; @%p184 bra $L__BB14_164; sub.s32 %r314, %r124, %r318;\n",
    "mov.u32 %r315, 0; $L__BB14_161: setp.eq.s32 %p185, %r315, 0; mov.u64 %rd374, %rd342;\n",
    "mov.u64 %rd375, %rd343; mov.u64 %rd376, %rd344; mov.u64 %rd377, %rd345; @%p185 bra $L__BB14_163;\n",
    "add.s32 %r258, %r315, %r123; mul.wide.u32 %rd289, %r258, 48; add.s64 %rd290, %rd5, %rd289;\n",
    "ld.u64 %rd374, [%rd290]; ld.u64 %rd375, [%rd290+8]; ld.u64 %rd376, [%rd290+16];\n",
    "ld.u64 %rd377, [%rd290+24]; $L__BB14_163: mul.lo.s64 %rd291, %rd377, %rd372;\n",
    "add.s64 %rd292, %rd374, %rd291; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd375; .param .b64 param1; st.param.b64 [param1+0], %rd292; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd376; .param .b64 param3; st.param.b64 [param3+0], %rd127; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd128; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r259, %r315, %r123; add.s32 %r260, %r259, 1; mul.wide.u32 %rd293, %r260, 48;\n",
    "add.s64 %rd294, %rd5, %rd293; ld.u64 %rd295, [%rd294+8]; ld.u64 %rd296, [%rd294+16];\n",
    "ld.u64 %rd297, [%rd294+24]; mul.lo.s64 %rd298, %rd297, %rd372; ld.u64 %rd299, [%rd294];\n",
    "add.s64 %rd300, %rd299, %rd298; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd295; .param .b64 param1; st.param.b64 [param1+0], %rd300; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd296; .param .b64 param3; st.param.b64 [param3+0], %rd127; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd128; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r261, %r259, 2; mul.wide.u32 %rd301, %r261, 48; add.s64 %rd302, %rd5, %rd301;\n",
    "ld.u64 %rd303, [%rd302+8]; ld.u64 %rd304, [%rd302+16]; ld.u64 %rd305, [%rd302+24];\n",
    "mul.lo.s64 %rd306, %rd305, %rd372; ld.u64 %rd307, [%rd302]; add.s64 %rd308, %rd307, %rd306; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd303; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd308; .param .b64 param2; st.param.b64 [param2+0], %rd304; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd127; .param .b64 param4; st.param.b64 [param4+0], %rd128; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r262, %r259, 3;\n",
    "mul.wide.u32 %rd309, %r262, 48; add.s64 %rd310, %rd5, %rd309; ld.u64 %rd311, [%rd310+8];\n",
    "ld.u64 %rd312, [%rd310+16]; ld.u64 %rd313, [%rd310+24]; mul.lo.s64 %rd314, %rd313, %rd372;\n",
    "ld.u64 %rd315, [%rd310]; add.s64 %rd316, %rd315, %rd314; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd311; .param .b64 param1; st.param.b64 [param1+0], %rd316; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd312; .param .b64 param3; st.param.b64 [param3+0], %rd127; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd128; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r315, %r315, 4; add.s32 %r314, %r314, -4; setp.ne.s32 %p186, %r314, 0;\n",
    "@%p186 bra $L__BB14_161; $L__BB14_164: setp.eq.s32 %p187, %r318, 0; @%p187 bra $L__BB14_169;\n",
    "add.s32 %r316, %r123, %r315; $L__BB14_166: .pragma \"nounroll\"; setp.eq.s32 %p188, %r315, 0;\n",
    "mov.u64 %rd378, %rd342; mov.u64 %rd379, %rd343; mov.u64 %rd380, %rd344; mov.u64 %rd381, %rd345;\n",
    "@%p188 bra $L__BB14_168; mul.wide.u32 %rd317, %r316, 48; add.s64 %rd318, %rd5, %rd317;\n",
    "ld.u64 %rd378, [%rd318]; ld.u64 %rd379, [%rd318+8]; ld.u64 %rd380, [%rd318+16];\n",
    "ld.u64 %rd381, [%rd318+24]; $L__BB14_168: mul.lo.s64 %rd319, %rd381, %rd372;\n",
    "add.s64 %rd320, %rd378, %rd319; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd379; .param .b64 param1; st.param.b64 [param1+0], %rd320; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd380; .param .b64 param3; st.param.b64 [param3+0], %rd127; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd128; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r315, %r315, 1; add.s32 %r316, %r316, 1; add.s32 %r318, %r318, -1;\n",
    "setp.ne.s32 %p189, %r318, 0; @%p189 bra $L__BB14_166; $L__BB14_169: setp.eq.s64 %p190, %rd373, 0;\n",
    "@%p190 bra $L__BB14_176; mov.u64 %rd321, %globaltimer; setp.ge.s64 %p191, %rd373, %rd321;\n",
    "@%p191 bra $L__BB14_176; st.global.u64 [%rd3+208], %rd373; bra.uni $L__BB14_176; $L__BB14_172:\n",
    "mov.u32 %r274, %ntid.x; mov.u32 %r273, %tid.x; mov.u32 %r263, 32; rem.u32 %r264, %r263, %r274;\n",
    "setp.ne.s32 %p192, %r273, %r264; @%p192 bra $L__BB14_174; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; call.uni sfi_resident_when, ( param0 ); } $L__BB14_174:\n",
    "@%p13 bra $L__BB14_176; mov.u32 %r276, %ntid.x; mov.u32 %r275, %tid.x; cvt.u64.u32 %rd322, %r275;\n",
    "cvt.u64.u32 %rd323, %r276; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd147; .param .b32 param1; st.param.b32 [param1+0], %r123; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r124; .param .b64 param3; st.param.b64 [param3+0], %rd322; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd323; call.uni sfi_resident_copy_all, ( param0, param1, param2, param3, param4\n",
    "); } $L__BB14_176: or.pred %p196, %p173, %p13; @%p196 bra $L__BB14_178; mov.u64 %rd324, %globaltimer;\n",
    "st.global.u64 [%rd3+216], %rd324; $L__BB14_178: ret; } .visible .entry sf_resident_publish_kernel(\n",
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
    ".param .align 8 .b8 sf_resident_turn_kernel_param_0[80] ) { .reg .pred %p<382>; .reg .b16 %rs<25>;\n",
    ".reg .b32 %r<627>; .reg .b64 %rd<774>; .shared .align 1 .u8 sf_resident_turn_kernel_goes_on;\n",
    ".shared .align 8 .u64 sf_resident_turn_kernel_submitted;\n",
    "ld.param.v2.u32 {%r224, %r225}, [sf_resident_turn_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r226, %r227}, [sf_resident_turn_kernel_param_0+48];\n",
    "ld.param.v2.u32 {%r228, %r229}, [sf_resident_turn_kernel_param_0+56];\n",
    "ld.param.u64 %rd273, [sf_resident_turn_kernel_param_0]; cvta.to.global.u64 %rd2, %rd273;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd2, 40; ld.global.u64 %rd4, [%rd2+40]; ld.global.u64 %rd5, [%rd2+48];\n",
    "ld.global.u64 %rd6, [%rd2+72]; ld.global.u64 %rd7, [%rd2+64]; ld.global.u64 %rd8, [%rd2+56];\n",
    "ld.global.u32 %r1, [%rd2+116]; ld.global.u32 %r234, [%rd2+124]; setp.eq.s32 %p14, %r234, 0;\n",
    "mov.u32 %r20, 0; mov.u32 %r552, %r20; @%p14 bra $L__BB16_2; ld.global.u32 %r552, [%rd3+60]; $L__BB16_2:\n",
    "ld.global.u32 %r6, [%rd3+-24]; ld.global.u32 %r7, [%rd3+92]; ld.global.u32 %r8, [%rd3+96];\n",
    "ld.global.v2.u32 {%r239, %r240}, [%rd3+64]; ld.global.u32 %rd9, [%rd3+72];\n",
    "ld.global.u32 %r11, [%rd3+108]; ld.global.v2.u32 {%r241, %r242}, [%rd3+112];\n",
    "ld.global.u64 %rd10, [%rd3+136]; ld.global.u64 %rd11, [%rd3+144]; ld.global.u64 %rd12, [%rd3+152];\n",
    "ld.global.u64 %rd13, [%rd3+160]; ld.global.u64 %rd14, [%rd3+168]; ld.global.u64 %rd15, [%rd3+176];\n",
    "setp.eq.s32 %p15, %r228, 0; mov.u64 %rd699, 0; mov.u64 %rd20, %rd699; mov.u64 %rd21, %rd699;\n",
    "mov.u64 %rd22, %rd699; mov.u64 %rd23, %rd699; @%p15 bra $L__BB16_4; mul.wide.u32 %rd282, %r227, 48;\n",
    "add.s64 %rd283, %rd7, %rd282; ld.v2.u32 {%r20, %r246}, [%rd283+40]; ld.u64 %rd23, [%rd283+24];\n",
    "ld.u64 %rd22, [%rd283+16]; ld.u64 %rd21, [%rd283+8]; ld.u64 %rd20, [%rd283]; $L__BB16_4:\n",
    "setp.eq.s32 %p16, %r226, 0; mov.u64 %rd700, %rd699; mov.u64 %rd701, %rd699; mov.u64 %rd702, %rd699;\n",
    "@%p16 bra $L__BB16_6; mul.wide.u32 %rd288, %r225, 48; add.s64 %rd289, %rd7, %rd288;\n",
    "ld.u64 %rd702, [%rd289+24]; ld.u64 %rd701, [%rd289+16]; ld.u64 %rd700, [%rd289+8];\n",
    "ld.u64 %rd699, [%rd289]; $L__BB16_6:\n",
    "griddepcontrol.wait;\n",
    "add.s64 %rd290, %rd273, 8; ld.relaxed.sys.u32 %r255, [%rd290]; ld.global.u32 %r33, [%rd3+1336];\n",
    "ld.global.u64 %rd35, [%rd3+312]; ld.global.u64 %rd36, [%rd3+568]; ld.global.u32 %r34, [%rd3+256];\n",
    "ld.global.v2.u32 {%r257, %r258}, [%rd3+248]; ld.global.u64 %rd37, [%rd3+240];\n",
    "ld.global.u64 %rd713, [%rd3+232]; ld.global.u64 %rd39, [%rd3+224]; ld.global.u64 %rd40, [%rd3+216];\n",
    "ld.global.u64 %rd41, [%rd3+208]; ld.global.u64 %rd42, [%rd3+200]; ld.global.u64 %rd43, [%rd3+184];\n",
    "mov.u32 %r37, %tid.x; add.s32 %r38, %r37, -16; setp.lt.u32 %p17, %r37, 16; setp.le.u32 %p18, %r241, %r37;\n",
    "mov.u32 %r559, 0; or.pred %p19, %p17, %p18; @%p19 bra $L__BB16_24; add.s64 %rd291, %rd701, 3;\n",
    "shr.u64 %rd292, %rd291, 2; cvt.u32.u64 %r259, %rd292; setp.lt.u32 %p20, %r38, %r259;\n",
    "@%p20 bra $L__BB16_18; bra.uni $L__BB16_8; $L__BB16_18: mul.wide.u32 %rd304, %r38, 4;\n",
    "add.s64 %rd51, %rd700, %rd304; sub.s64 %rd52, %rd701, %rd304; setp.lt.u64 %p30, %rd52, 4;\n",
    "@%p30 bra $L__BB16_20; and.b64 %rd305, %rd51, 3; setp.eq.s64 %p31, %rd305, 0; @%p31 bra $L__BB16_23;\n",
    "$L__BB16_20: mov.u32 %r559, 0; setp.eq.s64 %p32, %rd52, 0; @%p32 bra $L__BB16_24; mov.u32 %r557, 0;\n",
    "mov.u64 %rd704, 0; mov.u32 %r559, %r557; $L__BB16_22: .pragma \"nounroll\"; add.s64 %rd307, %rd51, %rd704;\n",
    "ld.volatile.u8 %r274, [%rd307]; shl.b32 %r275, %r557, 3; shl.b32 %r276, %r274, %r275;\n",
    "or.b32 %r559, %r276, %r559; add.s32 %r557, %r557, 1; setp.lt.u32 %p33, %r557, 4;\n",
    "cvt.u64.u32 %rd704, %r557; setp.gt.u64 %p34, %rd52, %rd704; and.pred %p35, %p33, %p34;\n",
    "@%p35 bra $L__BB16_22; bra.uni $L__BB16_24; $L__BB16_8: mov.u32 %r559, 0; @%p16 bra $L__BB16_24;\n",
    "cvt.u64.u32 %rd44, %r225; mov.u32 %r554, 0; $L__BB16_10: .pragma \"nounroll\"; cvt.u64.u32 %rd293, %r554;\n",
    "add.s64 %rd294, %rd293, %rd44; mul.lo.s64 %rd295, %rd294, 48; add.s64 %rd296, %rd7, %rd295;\n",
    "add.s64 %rd45, %rd296, 40; ld.u32 %r262, [%rd296+40]; sub.s32 %r40, %r38, %r262;\n",
    "ld.u64 %rd46, [%rd296+16]; add.s64 %rd297, %rd46, 3; shr.u64 %rd298, %rd297, 2;\n",
    "cvt.u32.u64 %r263, %rd298; setp.lt.u32 %p22, %r40, %r263; @%p22 bra $L__BB16_12; add.s32 %r554, %r554, 1;\n",
    "setp.lt.u32 %p23, %r554, %r226; mov.u32 %r559, 0; @%p23 bra $L__BB16_10; bra.uni $L__BB16_24;\n",
    "$L__BB16_12: mul.wide.u32 %rd299, %r40, 4; ld.u64 %rd300, [%rd45+-32]; add.s64 %rd47, %rd300, %rd299;\n",
    "sub.s64 %rd48, %rd46, %rd299; setp.lt.u64 %p24, %rd48, 4; @%p24 bra $L__BB16_14;\n",
    "and.b64 %rd301, %rd47, 3; setp.eq.s64 %p25, %rd301, 0; @%p25 bra $L__BB16_17; $L__BB16_14:\n",
    "setp.eq.s64 %p26, %rd48, 0; mov.u32 %r559, 0; @%p26 bra $L__BB16_24; mov.u32 %r555, 0; mov.u64 %rd703, 0;\n",
    "mov.u32 %r559, %r555; $L__BB16_16: .pragma \"nounroll\"; add.s64 %rd303, %rd47, %rd703;\n",
    "ld.volatile.u8 %r268, [%rd303]; shl.b32 %r269, %r555, 3; shl.b32 %r270, %r268, %r269;\n",
    "or.b32 %r559, %r270, %r559; add.s32 %r555, %r555, 1; setp.lt.u32 %p27, %r555, 4;\n",
    "cvt.u64.u32 %rd703, %r555; setp.gt.u64 %p28, %rd48, %rd703; and.pred %p29, %p27, %p28;\n",
    "@%p29 bra $L__BB16_16; bra.uni $L__BB16_24; $L__BB16_23: ld.volatile.u32 %r559, [%rd51];\n",
    "bra.uni $L__BB16_24; $L__BB16_17: ld.volatile.u32 %r559, [%rd47]; $L__BB16_24: setp.ne.s32 %p36, %r37, 0;\n",
    "@%p36 bra $L__BB16_26; mov.u16 %rs7, 0; st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs7;\n",
    "mov.u64 %rd308, 0; st.shared.u64 [sf_resident_turn_kernel_submitted], %rd308; $L__BB16_26:\n",
    "setp.eq.s32 %p38, %r257, 0; mov.pred %p377, -1; @%p38 bra $L__BB16_38; mov.u64 %rd713, %globaltimer;\n",
    "setp.ne.s32 %p40, %r241, 16; mov.pred %p377, 0; or.pred %p42, %p40, %p16; @%p42 bra $L__BB16_38;\n",
    "add.s32 %r278, %r240, -1; cvt.u64.u32 %rd310, %r278; and.b64 %rd58, %rd43, %rd310;\n",
    "cvt.u64.u32 %rd59, %r37; mov.u32 %r279, %ntid.x; cvt.u64.u32 %rd60, %r279; add.s32 %r280, %r226, -1;\n",
    "setp.lt.u32 %p43, %r280, 3; mov.u32 %r562, 0; @%p43 bra $L__BB16_33; and.b32 %r544, %r226, 3;\n",
    "sub.s32 %r561, %r226, %r544; mov.u32 %r562, 0; $L__BB16_30: setp.eq.s32 %p44, %r562, 0;\n",
    "mov.u64 %rd705, %rd699; mov.u64 %rd706, %rd700; mov.u64 %rd707, %rd701; mov.u64 %rd708, %rd702;\n",
    "@%p44 bra $L__BB16_32; add.s32 %r282, %r562, %r225; mul.wide.u32 %rd311, %r282, 48;\n",
    "add.s64 %rd312, %rd7, %rd311; ld.u64 %rd705, [%rd312]; ld.u64 %rd706, [%rd312+8];\n",
    "ld.u64 %rd707, [%rd312+16]; ld.u64 %rd708, [%rd312+24]; $L__BB16_32: mul.lo.s64 %rd313, %rd708, %rd58;\n",
    "add.s64 %rd314, %rd705, %rd313; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd314; .param .b64 param1; st.param.b64 [param1+0], %rd706; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd707; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r283, %r562, %r225; add.s32 %r284, %r283, 1; mul.wide.u32 %rd315, %r284, 48;\n",
    "add.s64 %rd316, %rd7, %rd315; ld.u64 %rd317, [%rd316+8]; ld.u64 %rd318, [%rd316+16];\n",
    "ld.u64 %rd319, [%rd316+24]; mul.lo.s64 %rd320, %rd319, %rd58; ld.u64 %rd321, [%rd316];\n",
    "add.s64 %rd322, %rd321, %rd320; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd322; .param .b64 param1; st.param.b64 [param1+0], %rd317; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd318; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r285, %r283, 2; mul.wide.u32 %rd323, %r285, 48; add.s64 %rd324, %rd7, %rd323;\n",
    "ld.u64 %rd325, [%rd324+8]; ld.u64 %rd326, [%rd324+16]; ld.u64 %rd327, [%rd324+24];\n",
    "mul.lo.s64 %rd328, %rd327, %rd58; ld.u64 %rd329, [%rd324]; add.s64 %rd330, %rd329, %rd328; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd330; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd325; .param .b64 param2; st.param.b64 [param2+0], %rd326; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd59; .param .b64 param4; st.param.b64 [param4+0], %rd60; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r286, %r283, 3;\n",
    "mul.wide.u32 %rd331, %r286, 48; add.s64 %rd332, %rd7, %rd331; ld.u64 %rd333, [%rd332+8];\n",
    "ld.u64 %rd334, [%rd332+16]; ld.u64 %rd335, [%rd332+24]; mul.lo.s64 %rd336, %rd335, %rd58;\n",
    "ld.u64 %rd337, [%rd332]; add.s64 %rd338, %rd337, %rd336; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd338; .param .b64 param1; st.param.b64 [param1+0], %rd333; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd334; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r562, %r562, 4; add.s32 %r561, %r561, -4; setp.ne.s32 %p45, %r561, 0; @%p45 bra $L__BB16_30;\n",
    "$L__BB16_33: and.b32 %r533, %r226, 3; setp.eq.s32 %p47, %r533, 0; @%p47 bra $L__BB16_38;\n",
    "and.b32 %r565, %r226, 3; add.s32 %r563, %r225, %r562; $L__BB16_35: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p48, %r562, 0; mov.u64 %rd709, %rd699; mov.u64 %rd710, %rd700; mov.u64 %rd711, %rd701;\n",
    "mov.u64 %rd712, %rd702; @%p48 bra $L__BB16_37; mul.wide.u32 %rd339, %r563, 48;\n",
    "add.s64 %rd340, %rd7, %rd339; ld.u64 %rd709, [%rd340]; ld.u64 %rd710, [%rd340+8];\n",
    "ld.u64 %rd711, [%rd340+16]; ld.u64 %rd712, [%rd340+24]; $L__BB16_37: mul.lo.s64 %rd341, %rd712, %rd58;\n",
    "add.s64 %rd342, %rd709, %rd341; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd342; .param .b64 param1; st.param.b64 [param1+0], %rd710; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd711; .param .b64 param3; st.param.b64 [param3+0], %rd59; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd60; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r562, %r562, 1; add.s32 %r563, %r563, 1; add.s32 %r565, %r565, -1; setp.ne.s32 %p50, %r565, 0;\n",
    "@%p50 bra $L__BB16_35; $L__BB16_38: bar.sync 0; @%p377 bra $L__BB16_153; setp.lt.u32 %p51, %r37, 32;\n",
    "@%p51 bra $L__BB16_106; bra.uni $L__BB16_40; $L__BB16_106: mov.u32 %r352, 0; mov.u32 %r101, %ntid.x;\n",
    "mov.u32 %r353, 32; min.u32 %r102, %r101, 32; sub.s32 %r354, %r353, %r102; mov.u32 %r355, -1;\n",
    "shr.u32 %r103, %r355, %r354; mov.u64 %rd425, %globaltimer; mov.b64 {%r344,%r345}, %rd425;\n",
    "mov.u32 %r356, 31; shfl.sync.idx.b32 %r347|%p123, %r345, %r352, %r356, %r103;\n",
    "shfl.sync.idx.b32 %r346|%p124, %r344, %r352, %r356, %r103; mov.b64 %rd427, {%r346,%r347};\n",
    "mov.b64 {%r348,%r349}, %rd713; shfl.sync.idx.b32 %r351|%p125, %r349, %r352, %r356, %r103;\n",
    "shfl.sync.idx.b32 %r350|%p126, %r348, %r352, %r356, %r103; mov.b64 %rd737, {%r350,%r351};\n",
    "@%p36 bra $L__BB16_108; cvt.u64.u32 %rd430, %r255; cvt.u64.u32 %rd431, %r258; cvt.u64.u32 %rd432, %r34;\n",
    "bfi.b64 %rd433, %rd432, %rd431, 32, 32; sub.s64 %rd434, %rd427, %rd40; setp.gt.s64 %p127, %rd434, %rd15;\n",
    "setp.gt.s64 %p128, %rd15, 0; and.pred %p129, %p128, %p127; selp.u64 %rd435, 1, 0, %p129;\n",
    "add.s64 %rd436, %rd41, %rd435; st.shared.u64 [sfi_resident_warp_publish_record], %rd42;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+8], %rd430;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+16], %rd433;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+24], %rd40;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+32], %rd39;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+40], %rd737;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+48], %rd427;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+56], %rd436; $L__BB16_108: mov.u32 %r551, %ntid.x;\n",
    "min.u32 %r550, %r551, 32; mov.u32 %r549, 32; sub.s32 %r548, %r549, %r550; mov.u32 %r547, -1;\n",
    "shr.u32 %r546, %r547, %r548; bar.warp.sync %r546; setp.eq.s32 %p131, %r552, 0;\n",
    "or.pred %p132, %p36, %p131; @%p132 bra $L__BB16_111;\n",
    "ld.param.u64 %rd694, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd728, %rd694, 8704; mov.u32 %r578, 0;\n",
    "mov.u64 %rd729, %rd2; $L__BB16_110: .pragma \"nounroll\"; ld.global.u64 %rd438, [%rd729+352];\n",
    "st.relaxed.sys.u64 [%rd728], %rd438; add.s64 %rd729, %rd729, 8; add.s64 %rd728, %rd728, 8;\n",
    "add.s32 %r578, %r578, 1; setp.lt.u32 %p133, %r578, %r552; @%p133 bra $L__BB16_110; $L__BB16_111:\n",
    "setp.ne.s32 %p134, %r242, 0; setp.gt.u32 %p135, %r37, 4; or.pred %p136, %p135, %p134;\n",
    "@%p136 bra $L__BB16_118; setp.eq.s32 %p137, %r37, 2; mov.u64 %rd731, %rd39; mov.u64 %rd732, %rd737;\n",
    "@%p137 bra $L__BB16_116; setp.eq.s32 %p138, %r37, 3; mov.u64 %rd731, %rd737; @%p138 bra $L__BB16_115;\n",
    "setp.eq.s32 %p139, %r37, 4; selp.b64 %rd731, %rd37, %rd40, %p139; setp.eq.s32 %p140, %r37, 1;\n",
    "mov.u64 %rd732, %rd39; @%p140 bra $L__BB16_116; $L__BB16_115: mov.u64 %rd732, %rd427; $L__BB16_116:\n",
    "setp.eq.s64 %p141, %rd731, 0; @%p141 bra $L__BB16_118; sub.s64 %rd439, %rd732, %rd731;\n",
    "max.s64 %rd440, %rd439, 0; setp.gt.u64 %p142, %rd440, 31; clz.b64 %r358, %rd440; mov.u32 %r359, 59;\n",
    "sub.s32 %r360, %r359, %r358; selp.b32 %r361, %r360, 0, %p142; setp.lt.u64 %p143, %rd440, 16;\n",
    "cvt.u32.u64 %r362, %rd440; shl.b32 %r363, %r361, 4; shr.u64 %rd441, %rd440, %r361;\n",
    "cvt.u32.u64 %r364, %rd441; add.s32 %r365, %r363, %r364; selp.b32 %r366, %r362, %r365, %p143;\n",
    "min.u32 %r367, %r366, 767; mul.wide.u32 %rd442, %r367, 8; mul.wide.u32 %rd443, %r37, 6176;\n",
    "add.s64 %rd444, %rd6, %rd443; add.s64 %rd445, %rd444, %rd442; add.s64 %rd446, %rd445, 32;\n",
    "atom.add.u64 %rd447, [%rd446], 1; add.s64 %rd448, %rd444, 8; atom.add.u64 %rd449, [%rd448], %rd440;\n",
    "add.s64 %rd450, %rd444, 16; not.b64 %rd451, %rd440; atom.max.u64 %rd452, [%rd450], %rd451;\n",
    "add.s64 %rd453, %rd444, 24; atom.max.u64 %rd454, [%rd453], %rd440; atom.add.u64 %rd455, [%rd444], 1;\n",
    "$L__BB16_118: setp.ne.s32 %p375, %r242, 0; @%p375 bra $L__BB16_120; fence.acq_rel.sys; $L__BB16_120:\n",
    "setp.le.u32 %p373, %r241, %r37; @%p373 bra $L__BB16_143; add.s64 %rd456, %rd701, 3;\n",
    "shr.u64 %rd457, %rd456, 2; cvt.u32.u64 %r106, %rd457; cvt.u64.u32 %rd458, %r1;\n",
    "and.b64 %rd135, %rd43, %rd458; add.s64 %rd459, %rd43, 1; and.b64 %rd136, %rd459, 4294967295;\n",
    "cvt.u64.u32 %rd137, %r225; shl.b64 %rd480, %rd135, 8; add.s64 %rd481, %rd4, %rd480; mov.u32 %r579, %r37;\n",
    "$L__BB16_122: .pragma \"nounroll\"; setp.gt.u32 %p146, %r579, 15; mov.u32 %r586, %r559;\n",
    "@%p146 bra $L__BB16_124; shl.b32 %r368, %r579, 2; and.b32 %r369, %r368, -8;\n",
    "mov.u32 %r370, sfi_resident_warp_publish_record; add.s32 %r371, %r370, %r369; and.b32 %r372, %r579, 1;\n",
    "setp.eq.b32 %p147, %r372, 1; ld.shared.u64 %rd460, [%r371]; shr.u64 %rd461, %rd460, 32;\n",
    "selp.b64 %rd462, %rd461, %rd460, %p147; cvt.u32.u64 %r586, %rd462; $L__BB16_124:\n",
    "setp.lt.u32 %p148, %r579, 16; setp.gt.u32 %p149, %r101, 31; or.pred %p150, %p149, %p148;\n",
    "@%p150 bra $L__BB16_142; add.s32 %r110, %r579, -16; setp.lt.u32 %p151, %r110, %r106;\n",
    "@%p151 bra $L__BB16_136; bra.uni $L__BB16_126; $L__BB16_136: mul.wide.u32 %rd474, %r110, 4;\n",
    "add.s64 %rd144, %rd700, %rd474; sub.s64 %rd145, %rd701, %rd474; setp.lt.u64 %p161, %rd145, 4;\n",
    "@%p161 bra $L__BB16_138; and.b64 %rd475, %rd144, 3; setp.eq.s64 %p162, %rd475, 0;\n",
    "@%p162 bra $L__BB16_141; $L__BB16_138: setp.eq.s64 %p163, %rd145, 0; mov.u32 %r586, 0;\n",
    "@%p163 bra $L__BB16_142; mov.u32 %r584, 0; mov.u64 %rd734, 0; mov.u32 %r586, %r584; $L__BB16_140:\n",
    ".pragma \"nounroll\"; add.s64 %rd477, %rd144, %rd734; ld.volatile.u8 %r387, [%rd477];\n",
    "shl.b32 %r388, %r584, 3; shl.b32 %r389, %r387, %r388; or.b32 %r586, %r389, %r586;\n",
    "add.s32 %r584, %r584, 1; setp.lt.u32 %p164, %r584, 4; cvt.u64.u32 %rd734, %r584;\n",
    "setp.gt.u64 %p165, %rd145, %rd734; and.pred %p166, %p164, %p165; @%p166 bra $L__BB16_140;\n",
    "bra.uni $L__BB16_142; $L__BB16_126: mov.u32 %r586, 0; @%p16 bra $L__BB16_142; mov.u32 %r581, 0;\n",
    "$L__BB16_128: .pragma \"nounroll\"; add.s32 %r545, %r579, -16; cvt.u64.u32 %rd463, %r581;\n",
    "add.s64 %rd464, %rd463, %rd137; mul.lo.s64 %rd465, %rd464, 48; add.s64 %rd466, %rd7, %rd465;\n",
    "add.s64 %rd138, %rd466, 40; ld.u32 %r375, [%rd466+40]; sub.s32 %r112, %r545, %r375;\n",
    "ld.u64 %rd139, [%rd466+16]; add.s64 %rd467, %rd139, 3; shr.u64 %rd468, %rd467, 2;\n",
    "cvt.u32.u64 %r376, %rd468; setp.lt.u32 %p153, %r112, %r376; add.s32 %r581, %r581, 1;\n",
    "@%p153 bra $L__BB16_130; setp.lt.u32 %p154, %r581, %r226; mov.u32 %r586, 0; @%p154 bra $L__BB16_128;\n",
    "bra.uni $L__BB16_142; $L__BB16_130: mul.wide.u32 %rd469, %r112, 4; ld.u64 %rd470, [%rd138+-32];\n",
    "add.s64 %rd140, %rd470, %rd469; sub.s64 %rd141, %rd139, %rd469; setp.lt.u64 %p155, %rd141, 4;\n",
    "@%p155 bra $L__BB16_132; and.b64 %rd471, %rd140, 3; setp.eq.s64 %p156, %rd471, 0;\n",
    "@%p156 bra $L__BB16_135; $L__BB16_132: setp.eq.s64 %p157, %rd141, 0; mov.u32 %r586, 0;\n",
    "@%p157 bra $L__BB16_142; mov.u32 %r582, 0; mov.u64 %rd733, 0; mov.u32 %r586, %r582; $L__BB16_134:\n",
    ".pragma \"nounroll\"; add.s64 %rd473, %rd140, %rd733; ld.volatile.u8 %r381, [%rd473];\n",
    "shl.b32 %r382, %r582, 3; shl.b32 %r383, %r381, %r382; or.b32 %r586, %r383, %r586;\n",
    "add.s32 %r582, %r582, 1; setp.lt.u32 %p158, %r582, 4; cvt.u64.u32 %rd733, %r582;\n",
    "setp.gt.u64 %p159, %rd141, %rd733; and.pred %p160, %p158, %p159; @%p160 bra $L__BB16_134;\n",
    "bra.uni $L__BB16_142; $L__BB16_141: ld.volatile.u32 %r586, [%rd144]; bra.uni $L__BB16_142; $L__BB16_135:\n",
    "ld.volatile.u32 %r586, [%rd140]; $L__BB16_142: mul.wide.u32 %rd482, %r579, 8;\n",
    "add.s64 %rd478, %rd481, %rd482; cvt.u64.u32 %rd483, %r586; shl.b64 %rd484, %rd483, 32;\n",
    "or.b64 %rd479, %rd484, %rd136; st.relaxed.sys.u64 [%rd478], %rd479; add.s32 %r579, %r579, %r102;\n",
    "setp.lt.u32 %p167, %r579, %r241; @%p167 bra $L__BB16_122; $L__BB16_143: @%p36 bra $L__BB16_145;\n",
    "ld.param.u64 %rd693, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd485, %rd693, 8320;\n",
    "add.s64 %rd486, %rd43, 1; st.relaxed.sys.u64 [%rd485], %rd486; add.s64 %rd487, %rd693, 8328;\n",
    "st.relaxed.sys.u64 [%rd487], %rd42; st.global.u64 [%rd3+184], %rd486; st.global.u64 [%rd3+192], %rd42;\n",
    "mov.u32 %r390, 0; ld.shared.u64 %rd489, [sfi_resident_warp_publish_record+56];\n",
    "st.global.u64 [%rd3+208], %rd489; ld.shared.u64 %rd490, [sfi_resident_warp_publish_record+48];\n",
    "st.global.u64 [%rd3+240], %rd490; st.global.u32 [%rd3+248], %r390; st.global.u32 [%rd3+260], %r33;\n",
    "$L__BB16_145: setp.gt.u32 %p376, %r37, 4; setp.eq.s32 %p170, %r242, 0; or.pred %p171, %p376, %p170;\n",
    "@%p171 bra $L__BB16_152; setp.eq.s32 %p172, %r37, 2; mov.u64 %rd736, %rd39; @%p172 bra $L__BB16_150;\n",
    "setp.eq.s32 %p173, %r37, 3; mov.u64 %rd736, %rd737; @%p173 bra $L__BB16_149; setp.eq.s32 %p174, %r37, 4;\n",
    "selp.b64 %rd736, %rd37, %rd40, %p174; setp.eq.s32 %p175, %r37, 1; mov.u64 %rd737, %rd39;\n",
    "@%p175 bra $L__BB16_150; $L__BB16_149: mov.u64 %rd737, %rd427; $L__BB16_150:\n",
    "setp.eq.s64 %p176, %rd736, 0; @%p176 bra $L__BB16_152; sub.s64 %rd491, %rd737, %rd736;\n",
    "max.s64 %rd492, %rd491, 0; setp.gt.u64 %p177, %rd492, 31; clz.b64 %r391, %rd492; mov.u32 %r392, 59;\n",
    "sub.s32 %r393, %r392, %r391; selp.b32 %r394, %r393, 0, %p177; setp.lt.u64 %p178, %rd492, 16;\n",
    "cvt.u32.u64 %r395, %rd492; shl.b32 %r396, %r394, 4; shr.u64 %rd493, %rd492, %r394;\n",
    "cvt.u32.u64 %r397, %rd493; add.s32 %r398, %r396, %r397; selp.b32 %r399, %r395, %r398, %p178;\n",
    "min.u32 %r400, %r399, 767; mul.wide.u32 %rd494, %r400, 8; mul.wide.u32 %rd495, %r37, 6176;\n",
    "add.s64 %rd496, %rd6, %rd495; add.s64 %rd497, %rd496, %rd494; add.s64 %rd498, %rd497, 32;\n",
    "atom.add.u64 %rd499, [%rd498], 1; add.s64 %rd500, %rd496, 8; atom.add.u64 %rd501, [%rd500], %rd492;\n",
    "add.s64 %rd502, %rd496, 16; not.b64 %rd503, %rd492; atom.max.u64 %rd504, [%rd502], %rd503;\n",
    "add.s64 %rd505, %rd496, 24; atom.max.u64 %rd506, [%rd505], %rd492; atom.add.u64 %rd507, [%rd496], 1;\n",
    "bra.uni $L__BB16_152; $L__BB16_40: setp.ne.s32 %p52, %r11, 0; setp.lt.u32 %p53, %r37, 64;\n",
    "and.pred %p54, %p53, %p52; @%p54 bra $L__BB16_73; bra.uni $L__BB16_41; $L__BB16_73:\n",
    "add.s32 %r87, %r37, -32; and.b64 %rd391, %rd35, -4294967296; setp.eq.s64 %p84, %rd391, 0;\n",
    "@%p84 bra $L__BB16_75; rem.u64 %rd723, %rd35, %rd9; bra.uni $L__BB16_76; $L__BB16_41:\n",
    "setp.eq.s32 %p55, %r6, 0; or.pred %p57, %p55, %p52; setp.le.u64 %p58, %rd36, %rd35;\n",
    "or.pred %p59, %p57, %p58; @%p59 bra $L__BB16_152; add.s32 %r69, %r37, -32; mov.u32 %r287, %ntid.x;\n",
    "add.s32 %r70, %r287, -32; setp.ne.s32 %p60, %r69, 0; @%p60 bra $L__BB16_56; mov.u64 %rd343, %globaltimer;\n",
    "setp.ne.s32 %p61, %r255, 0; mov.u16 %rs22, 0; @%p61 bra $L__BB16_55; ld.global.u32 %r288, [%rd3+1348];\n",
    "setp.ne.s32 %p62, %r288, 0; @%p62 bra $L__BB16_55; ld.global.u32 %r289, [%rd3+1344];\n",
    "setp.ne.s32 %p63, %r289, 0; @%p63 bra $L__BB16_55; bra.uni $L__BB16_46; $L__BB16_55:\n",
    "st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs22; $L__BB16_56: bar.warp.sync -1; bar.sync 1, %r70;\n",
    "ld.shared.u8 %rs15, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p72, %rs15, 0;\n",
    "setp.ne.s32 %p73, %r7, 0; or.pred %p74, %p73, %p72; @%p74 bra $L__BB16_152;\n",
    "and.b64 %rd355, %rd35, -4294967296; setp.eq.s64 %p75, %rd355, 0; @%p75 bra $L__BB16_59;\n",
    "rem.u64 %rd714, %rd35, %rd9; bra.uni $L__BB16_60; $L__BB16_75: cvt.u32.u64 %r304, %rd9;\n",
    "cvt.u32.u64 %r305, %rd35; rem.u32 %r306, %r305, %r304; cvt.u64.u32 %rd723, %r306; $L__BB16_76:\n",
    "setp.ge.u32 %p85, %r87, %r11; mov.u64 %rd724, 0; @%p85 bra $L__BB16_78; shl.b64 %rd395, %rd723, 7;\n",
    "add.s64 %rd396, %rd5, %rd395; mul.wide.u32 %rd397, %r87, 8; add.s64 %rd394, %rd396, %rd397;\n",
    "ld.relaxed.sys.u64 %rd724, [%rd394]; $L__BB16_78: mov.u64 %rd398, %globaltimer;\n",
    "setp.ne.s32 %p86, %r255, 0; mov.u32 %r307, 0; mov.u32 %r574, %r307; @%p86 bra $L__BB16_90;\n",
    "ld.global.u32 %r309, [%rd3+1348]; setp.ne.s32 %p87, %r309, 0; @%p87 bra $L__BB16_90;\n",
    "ld.global.u32 %r311, [%rd3+1344]; setp.ne.s32 %p88, %r311, 0; mov.u32 %r574, %r307;\n",
    "@%p88 bra $L__BB16_90; bra.uni $L__BB16_81; $L__BB16_90: cvt.u32.u64 %r318, %rd35;\n",
    "add.s32 %r319, %r318, 1; cvt.u32.u64 %r320, %rd724; setp.eq.s32 %p97, %r319, %r320;\n",
    "or.pred %p99, %p97, %p85; mov.u32 %r321, -1; vote.sync.all.pred %p100, %p99, %r321;\n",
    "not.pred %p101, %p100; @%p101 bra $L__BB16_152; setp.ne.s32 %p102, %r574, 0;\n",
    "vote.sync.all.pred %p103, %p102, %r321; not.pred %p104, %p103; @%p104 bra $L__BB16_152; mov.u32 %r575, 0;\n",
    "mov.b64 {%r325,%r326}, %rd724; mov.u32 %r334, 31; mov.u32 %r335, -1;\n",
    "shfl.sync.idx.b32 %r328|%p106, %r326, %r575, %r334, %r335;\n",
    "shfl.sync.idx.b32 %r327|%p107, %r325, %r575, %r334, %r335; mov.b64 %rd411, {%r327,%r328};\n",
    "mov.b64 {%r329,%r330}, %rd724; mov.u32 %r336, 1;\n",
    "shfl.sync.idx.b32 %r332|%p108, %r330, %r336, %r334, %r335;\n",
    "shfl.sync.idx.b32 %r331|%p109, %r329, %r336, %r334, %r335; mov.b64 %rd413, {%r331,%r332};\n",
    "shr.u64 %rd414, %rd411, 32; and.b64 %rd415, %rd413, -4294967296; or.b64 %rd115, %rd415, %rd414;\n",
    "add.s32 %r337, %r11, -2; add.s32 %r92, %r37, -34; setp.ge.u32 %p110, %r92, %r337;\n",
    "or.pred %p111, %p110, %p15; @%p111 bra $L__BB16_104; shr.u64 %rd416, %rd724, 32;\n",
    "cvt.u32.u64 %r93, %rd416; $L__BB16_94: .pragma \"nounroll\"; setp.eq.s32 %p112, %r575, 0;\n",
    "mov.u64 %rd725, %rd21; mov.u64 %rd726, %rd22; mov.u32 %r576, %r20; @%p112 bra $L__BB16_96;\n",
    "add.s32 %r339, %r575, %r227; mul.wide.u32 %rd417, %r339, 48; add.s64 %rd418, %rd7, %rd417;\n",
    "ld.u64 %rd725, [%rd418+8]; ld.u64 %rd726, [%rd418+16]; ld.u32 %r576, [%rd418+40]; $L__BB16_96:\n",
    "add.s64 %rd419, %rd726, 3; shr.u64 %rd420, %rd419, 2; cvt.u32.u64 %r340, %rd420;\n",
    "sub.s32 %r97, %r92, %r576; setp.ge.u32 %p113, %r97, %r340; @%p113 bra $L__BB16_103;\n",
    "mul.wide.u32 %rd421, %r97, 4; add.s64 %rd120, %rd725, %rd421; sub.s64 %rd121, %rd726, %rd421;\n",
    "setp.lt.u64 %p114, %rd121, 4; @%p114 bra $L__BB16_99; and.b64 %rd422, %rd120, 3;\n",
    "setp.eq.s64 %p115, %rd422, 0; @%p115 bra $L__BB16_102; $L__BB16_99: setp.eq.s64 %p116, %rd121, 0;\n",
    "@%p116 bra $L__BB16_103; mov.u32 %r577, 0; mov.u64 %rd727, 0; $L__BB16_101: .pragma \"nounroll\";\n",
    "shl.b32 %r342, %r577, 3; shr.u32 %r343, %r93, %r342; add.s64 %rd424, %rd120, %rd727;\n",
    "st.u8 [%rd424], %r343; add.s32 %r577, %r577, 1; setp.lt.u32 %p117, %r577, 4; cvt.u64.u32 %rd727, %r577;\n",
    "setp.gt.u64 %p118, %rd121, %rd727; and.pred %p119, %p117, %p118; @%p119 bra $L__BB16_101;\n",
    "bra.uni $L__BB16_103; $L__BB16_102: st.u32 [%rd120], %r93; $L__BB16_103: add.s32 %r575, %r575, 1;\n",
    "setp.lt.u32 %p120, %r575, %r228; @%p120 bra $L__BB16_94; $L__BB16_104: setp.ne.s32 %p121, %r87, 0;\n",
    "@%p121 bra $L__BB16_152; mov.u16 %rs16, 1; st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs16;\n",
    "st.shared.u64 [sf_resident_turn_kernel_submitted], %rd115; bra.uni $L__BB16_152; $L__BB16_59:\n",
    "cvt.u32.u64 %r293, %rd9; cvt.u32.u64 %r294, %rd35; rem.u32 %r295, %r294, %r293;\n",
    "cvt.u64.u32 %rd714, %r295; $L__BB16_60: @%p60 bra $L__BB16_62; shl.b64 %rd356, %rd714, 3;\n",
    "add.s64 %rd357, %rd8, %rd356; ld.volatile.u64 %rd358, [%rd357];\n",
    "st.shared.u64 [sf_resident_turn_kernel_submitted], %rd358; $L__BB16_62: @%p15 bra $L__BB16_152;\n",
    "cvt.u64.u32 %rd89, %r69; cvt.u64.u32 %rd90, %r70; and.b32 %r572, %r228, 3; add.s32 %r297, %r228, -1;\n",
    "setp.lt.u32 %p78, %r297, 3; mov.u32 %r569, 0; @%p78 bra $L__BB16_68; sub.s32 %r568, %r228, %r572;\n",
    "mov.u32 %r569, 0; $L__BB16_65: setp.eq.s32 %p79, %r569, 0; mov.u64 %rd715, %rd20; mov.u64 %rd716, %rd21;\n",
    "mov.u64 %rd717, %rd22; mov.u64 %rd718, %rd23; @%p79 bra $L__BB16_67; add.s32 %r299, %r569, %r227;\n",
    "mul.wide.u32 %rd359, %r299, 48; add.s64 %rd360, %rd7, %rd359; ld.u64 %rd715, [%rd360];\n",
    "ld.u64 %rd716, [%rd360+8]; ld.u64 %rd717, [%rd360+16]; ld.u64 %rd718, [%rd360+24]; $L__BB16_67:\n",
    "mul.lo.s64 %rd361, %rd718, %rd714; add.s64 %rd362, %rd715, %rd361; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd716; .param .b64 param1; st.param.b64 [param1+0], %rd362;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd717; .param .b64 param3; st.param.b64 [param3+0], %rd89;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r300, %r569, %r227; add.s32 %r301, %r300, 1; mul.wide.u32 %rd363, %r301, 48;\n",
    "add.s64 %rd364, %rd7, %rd363; ld.u64 %rd365, [%rd364+8]; ld.u64 %rd366, [%rd364+16];\n",
    "ld.u64 %rd367, [%rd364+24]; mul.lo.s64 %rd368, %rd367, %rd714; ld.u64 %rd369, [%rd364];\n",
    "add.s64 %rd370, %rd369, %rd368; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd365; .param .b64 param1; st.param.b64 [param1+0], %rd370; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd366; .param .b64 param3; st.param.b64 [param3+0], %rd89; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r302, %r300, 2; mul.wide.u32 %rd371, %r302, 48; add.s64 %rd372, %rd7, %rd371;\n",
    "ld.u64 %rd373, [%rd372+8]; ld.u64 %rd374, [%rd372+16]; ld.u64 %rd375, [%rd372+24];\n",
    "mul.lo.s64 %rd376, %rd375, %rd714; ld.u64 %rd377, [%rd372]; add.s64 %rd378, %rd377, %rd376; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd373; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd378; .param .b64 param2; st.param.b64 [param2+0], %rd374; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd89; .param .b64 param4; st.param.b64 [param4+0], %rd90; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r303, %r300, 3;\n",
    "mul.wide.u32 %rd379, %r303, 48; add.s64 %rd380, %rd7, %rd379; ld.u64 %rd381, [%rd380+8];\n",
    "ld.u64 %rd382, [%rd380+16]; ld.u64 %rd383, [%rd380+24]; mul.lo.s64 %rd384, %rd383, %rd714;\n",
    "ld.u64 %rd385, [%rd380]; add.s64 %rd386, %rd385, %rd384; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd381; .param .b64 param1; st.param.b64 [param1+0], %rd386; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd382; .param .b64 param3; st.param.b64 [param3+0], %rd89; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r569, %r569, 4; add.s32 %r568, %r568, -4; setp.ne.s32 %p80, %r568, 0; @%p80 bra $L__BB16_65;\n",
    "$L__BB16_68: setp.eq.s32 %p81, %r572, 0; @%p81 bra $L__BB16_152; add.s32 %r570, %r227, %r569;\n",
    "$L__BB16_70: .pragma \"nounroll\"; setp.eq.s32 %p82, %r569, 0; mov.u64 %rd719, %rd20;\n",
    "mov.u64 %rd720, %rd21; mov.u64 %rd721, %rd22; mov.u64 %rd722, %rd23; @%p82 bra $L__BB16_72;\n",
    "mul.wide.u32 %rd387, %r570, 48; add.s64 %rd388, %rd7, %rd387; ld.u64 %rd719, [%rd388];\n",
    "ld.u64 %rd720, [%rd388+8]; ld.u64 %rd721, [%rd388+16]; ld.u64 %rd722, [%rd388+24]; $L__BB16_72:\n",
    "mul.lo.s64 %rd389, %rd722, %rd714; add.s64 %rd390, %rd719, %rd389; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd720; .param .b64 param1; st.param.b64 [param1+0], %rd390;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd721; .param .b64 param3; st.param.b64 [param3+0], %rd89;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd90; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r569, %r569, 1; add.s32 %r570, %r570, 1; add.s32 %r572, %r572, -1;\n",
    "setp.eq.s32 %p83, %r572, 0; @%p83 bra $L__BB16_152; bra.uni $L__BB16_70; $L__BB16_152: bar.sync 0;\n",
    "$L__BB16_153: ld.shared.u8 %rs17, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p179, %rs17, 0;\n",
    "@%p179 bra $L__BB16_157; @%p36 bra $L__BB16_333; setp.eq.s32 %p181, %r11, 0; mov.u32 %r401, 0;\n",
    "add.s64 %rd509, %rd35, 1; selp.b64 %rd510, %rd36, %rd509, %p181;\n",
    "ld.shared.u64 %rd152, [sf_resident_turn_kernel_submitted]; mov.u64 %rd508, %globaltimer;\n",
    "st.global.u64 [%rd3+312], %rd509; st.global.u64 [%rd3+568], %rd510; st.global.u32 [%rd3+1360], %r401;\n",
    "st.global.u32 [%rd3+1336], %r224; ld.global.u64 %rd511, [%rd3+192]; add.s64 %rd512, %rd511, 1;\n",
    "st.global.u64 [%rd3+200], %rd512; st.global.u64 [%rd3+224], %rd508; st.global.u64 [%rd3+216], %rd508;\n",
    "mov.u32 %r402, 1; st.global.v2.u32 [%rd3+248], {%r402, %r402}; ld.global.u32 %r403, [%rd3+256];\n",
    "add.s32 %r404, %r403, 1; st.global.u32 [%rd3+256], %r404; setp.eq.s64 %p182, %rd152, 0;\n",
    "setp.le.s64 %p183, %rd508, %rd152; or.pred %p184, %p182, %p183; @%p184 bra $L__BB16_333;\n",
    "st.global.u64 [%rd3+216], %rd152; bra.uni $L__BB16_333; $L__BB16_157: setp.eq.s32 %p185, %r8, 0;\n",
    "@%p185 bra $L__BB16_161; add.s32 %r405, %r240, -1; cvt.u64.u32 %rd513, %r405;\n",
    "ld.global.u64 %rd514, [%rd3+192]; and.b64 %rd153, %rd514, %rd513; cvt.u64.u32 %rd154, %r224; bar.sync 0;\n",
    "setp.eq.s64 %p187, %rd153, %rd154; or.pred %p188, %p36, %p187; @%p188 bra $L__BB16_160; mov.u32 %r406, 0;\n",
    "st.global.u32 [%rd3+248], %r406; $L__BB16_160: setp.ne.s64 %p189, %rd153, %rd154;\n",
    "@%p189 bra $L__BB16_333; $L__BB16_161: setp.ne.s32 %p190, %r11, 0; setp.lt.u32 %p191, %r37, 32;\n",
    "and.pred %p192, %p191, %p190; mov.u32 %r126, %ntid.x; setp.gt.u32 %p193, %r126, 31;\n",
    "and.pred %p194, %p193, %p192; @%p194 bra $L__BB16_245; bra.uni $L__BB16_162; $L__BB16_245:\n",
    "mov.u32 %r536, %tid.x; add.s32 %r535, %r536, -16; ld.global.u64 %rd209, [%rd3+312];\n",
    "ld.global.u32 %r175, [%rd3+256]; ld.global.u64 %rd210, [%rd3+192]; bar.warp.sync -1;\n",
    "ld.global.u64 %rd211, [%rd3+184]; mul.wide.u32 %rd592, %r535, 8; add.s64 %rd593, %rd2, %rd592;\n",
    "add.s64 %rd212, %rd593, 1120; setp.eq.s32 %p277, %r536, 31; @%p277 bra $L__BB16_253;\n",
    "bra.uni $L__BB16_246; $L__BB16_253: ld.param.u64 %rd692, [sf_resident_turn_kernel_param_0+8];\n",
    "add.s64 %rd756, %rd692, 128; bra.uni $L__BB16_254; $L__BB16_162: @%p36 bra $L__BB16_301;\n",
    "setp.ne.s32 %p196, %r6, 0; setp.eq.s32 %p197, %r11, 0; and.pred %p198, %p196, %p197;\n",
    "@%p198 bra $L__BB16_173; bra.uni $L__BB16_164; $L__BB16_173: ld.global.u32 %r131, [%rd3+256];\n",
    "mov.u64 %rd751, 0; ld.global.u64 %rd160, [%rd3+192]; ld.global.u64 %rd161, [%rd3+184];\n",
    "ld.global.u64 %rd162, [%rd3+312]; ld.global.u32 %r132, [%rd3+1352];\n",
    "ld.global.v2.u32 {%r413, %r414}, [%rd3+1344]; or.b32 %r133, %r413, %r414;\n",
    "ld.global.u64 %rd163, [%rd3+1368]; mov.u64 %rd524, %globaltimer; ld.global.u32 %r134, [%rd3+1360];\n",
    "ld.global.u64 %rd526, [%rd3+1376]; sub.s64 %rd165, %rd524, %rd526; setp.gt.s64 %p207, %rd165, 49999;\n",
    "@%p207 bra $L__BB16_175; ld.global.u64 %rd751, [%rd3+568]; $L__BB16_175:\n",
    "ld.relaxed.sys.u32 %r151, [%rd290]; ld.global.u64 %rd750, [%rd3+1376]; setp.eq.s32 %p208, %r239, 0;\n",
    "@%p208 bra $L__BB16_188; cvt.u64.u32 %rd169, %r240; mov.u32 %r589, 0; $L__BB16_177:\n",
    "mul.wide.u32 %rd528, %r589, 8; add.s64 %rd529, %rd2, %rd528; ld.global.u64 %rd530, [%rd529+1120];\n",
    "sub.s64 %rd531, %rd161, %rd530; setp.lt.u64 %p209, %rd531, %rd169; add.s32 %r589, %r589, 1;\n",
    "@%p209 bra $L__BB16_187; bra.uni $L__BB16_178; $L__BB16_187: setp.lt.u32 %p218, %r589, %r239;\n",
    "@%p218 bra $L__BB16_177; $L__BB16_188: setp.lt.s64 %p219, %rd165, 50000; setp.eq.s32 %p220, %r134, 0;\n",
    "or.pred %p221, %p220, %p219; @%p221 bra $L__BB16_199;\n",
    "ld.param.u64 %rd690, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd542, %rd690, 128;\n",
    "ld.relaxed.sys.u64 %rd541, [%rd542]; and.b64 %rd543, %rd541, -4611686018427387904;\n",
    "setp.eq.s64 %p222, %rd543, 0; mov.u64 %rd750, %rd524; @%p222 bra $L__BB16_199;\n",
    "mov.u64 %rd544, %globaltimer; add.s64 %rd176, %rd273, 12; mov.u32 %r592, 125; mov.u64 %rd741, %rd544;\n",
    "bra.uni $L__BB16_191; $L__BB16_198: mov.u64 %rd741, %globaltimer; $L__BB16_191: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd273; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd741; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r610, [retval0+0]; } setp.ne.s32 %p223, %r610, 2; @%p223 bra $L__BB16_193;\n",
    "mov.u32 %r426, 1; st.relaxed.sys.u32 [%rd176], %r426; $L__BB16_193: setp.eq.s32 %p224, %r610, 0;\n",
    "@%p224 bra $L__BB16_196; bra.uni $L__BB16_194; $L__BB16_196: sub.s64 %rd546, %rd741, %rd544;\n",
    "ld.global.u64 %rd547, [%rd3+160]; setp.gt.s64 %p226, %rd547, %rd546; selp.b64 %rd548, 184, 192, %p226;\n",
    "add.s64 %rd549, %rd2, %rd548; ld.global.u64 %rd550, [%rd3+136]; setp.gt.s64 %p227, %rd550, %rd546;\n",
    "ld.global.u64 %rd178, [%rd549]; setp.lt.s64 %p228, %rd178, 1; or.pred %p229, %p228, %p227;\n",
    "@%p229 bra $L__BB16_198; shl.b32 %r429, %r592, 1; cvt.u64.u32 %rd551, %r429;\n",
    "setp.gt.s64 %p230, %rd178, %rd551; cvt.u32.u64 %r430, %rd178; selp.b32 %r592, %r429, %r430, %p230;\n",
    "nanosleep.u32 %r592; bra.uni $L__BB16_198; $L__BB16_246: setp.gt.u32 %p278, %r11, %r37;\n",
    "@%p278 bra $L__BB16_249; bra.uni $L__BB16_247; $L__BB16_249: and.b64 %rd601, %rd209, -4294967296;\n",
    "setp.eq.s64 %p283, %rd601, 0; @%p283 bra $L__BB16_251; rem.u64 %rd755, %rd209, %rd9;\n",
    "bra.uni $L__BB16_252; $L__BB16_247: mov.u32 %r538, %tid.x; setp.lt.u32 %p374, %r538, 16;\n",
    "add.s32 %r537, %r538, -16; setp.ge.u32 %p280, %r537, %r239; mov.u64 %rd756, 0;\n",
    "or.pred %p281, %p374, %p280; @%p281 bra $L__BB16_254;\n",
    "ld.param.u64 %rd691, [sf_resident_turn_kernel_param_0+8]; mov.u32 %r540, %tid.x;\n",
    "add.s32 %r539, %r540, -16; ld.global.u64 %rd595, [%rd212]; sub.s64 %rd596, %rd211, %rd595;\n",
    "cvt.u64.u32 %rd597, %r240; setp.lt.u64 %p282, %rd596, %rd597; mul.wide.u32 %rd598, %r539, 128;\n",
    "add.s64 %rd599, %rd691, %rd598; add.s64 %rd600, %rd599, 4224; selp.b64 %rd756, 0, %rd600, %p282;\n",
    "bra.uni $L__BB16_254; $L__BB16_164: mov.u64 %rd515, %globaltimer; add.s64 %rd156, %rd273, 12;\n",
    "mov.u32 %r587, 125; mov.u64 %rd738, %rd515; bra.uni $L__BB16_165; $L__BB16_172:\n",
    "mov.u64 %rd738, %globaltimer; $L__BB16_165: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd738;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r610, [retval0+0]; } setp.ne.s32 %p199, %r610, 2; @%p199 bra $L__BB16_167;\n",
    "mov.u32 %r408, 1; st.relaxed.sys.u32 [%rd156], %r408; $L__BB16_167: setp.eq.s32 %p200, %r610, 0;\n",
    "@%p200 bra $L__BB16_170; bra.uni $L__BB16_168; $L__BB16_170: sub.s64 %rd517, %rd738, %rd515;\n",
    "ld.global.u64 %rd518, [%rd3+160]; setp.gt.s64 %p202, %rd518, %rd517; selp.b64 %rd519, 184, 192, %p202;\n",
    "add.s64 %rd520, %rd2, %rd519; ld.global.u64 %rd521, [%rd3+136]; setp.gt.s64 %p203, %rd521, %rd517;\n",
    "ld.global.u64 %rd158, [%rd520]; setp.lt.s64 %p204, %rd158, 1; or.pred %p205, %p204, %p203;\n",
    "@%p205 bra $L__BB16_172; shl.b32 %r411, %r587, 1; cvt.u64.u32 %rd522, %r411;\n",
    "setp.gt.s64 %p206, %rd158, %rd522; cvt.u32.u64 %r412, %rd158; selp.b32 %r587, %r411, %r412, %p206;\n",
    "nanosleep.u32 %r587; bra.uni $L__BB16_172; $L__BB16_168: setp.ne.s32 %p201, %r610, 1;\n",
    "@%p201 bra $L__BB16_242; mov.u32 %r610, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd738; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_242; $L__BB16_251: cvt.u32.u64 %r462, %rd9;\n",
    "cvt.u32.u64 %r463, %rd209; rem.u32 %r464, %r463, %r462; cvt.u64.u32 %rd755, %r464; $L__BB16_252:\n",
    "shl.b64 %rd602, %rd755, 7; add.s64 %rd603, %rd5, %rd602; mul.wide.u32 %rd604, %r37, 8;\n",
    "add.s64 %rd756, %rd603, %rd604; $L__BB16_254: setp.ne.s64 %p284, %rd756, 0; setp.gt.u32 %p285, %r37, 15;\n",
    "and.pred %p286, %p285, %p284; setp.ne.s32 %p287, %r37, 31; and.pred %p2, %p287, %p286;\n",
    "ld.global.u64 %rd221, [%rd3+1368]; mov.u64 %rd605, %globaltimer; ld.global.u32 %r465, [%rd3+1348];\n",
    "setp.ne.s32 %p288, %r465, 0; mov.u16 %rs24, 1; @%p288 bra $L__BB16_258; ld.global.u32 %r466, [%rd3+1344];\n",
    "setp.ne.s32 %p289, %r466, 0; @%p289 bra $L__BB16_258; ld.relaxed.sys.u32 %r467, [%rd290];\n",
    "setp.ne.s32 %p290, %r467, 0; @%p290 bra $L__BB16_258; setp.gt.u32 %p291, %r239, 15;\n",
    "selp.u16 %rs24, 1, 0, %p291; $L__BB16_258: add.s64 %rd607, %rd209, 1; cvt.u32.u64 %r176, %rd607;\n",
    "cvt.u64.u32 %rd223, %r240; mov.u32 %r612, 0; mov.u32 %r614, 125; mov.u64 %rd757, %rd605;\n",
    "bra.uni $L__BB16_259; $L__BB16_274: selp.u16 %rs24, 1, 0, %p381; $L__BB16_259: and.b16 %rs21, %rs24, 255;\n",
    "setp.ne.s16 %p378, %rs21, 0; setp.lt.s64 %p292, %rd14, 1; or.pred %p293, %p378, %p292;\n",
    "@%p293 bra $L__BB16_261; sub.s64 %rd608, %rd757, %rd221; setp.ge.s64 %p378, %rd608, %rd14; $L__BB16_261:\n",
    "mov.u32 %r470, -1; vote.sync.any.pred %p294, %p378, %r470; @%p294 bra $L__BB16_292;\n",
    "setp.eq.s64 %p295, %rd756, 0; mov.u64 %rd758, 0; @%p295 bra $L__BB16_264;\n",
    "ld.relaxed.sys.u64 %rd758, [%rd756]; $L__BB16_264: and.b64 %rd612, %rd758, -4611686018427387904;\n",
    "setp.ne.s64 %p297, %rd612, 0; and.pred %p381, %p277, %p297; mov.pred %p380, 0; @%p381 bra $L__BB16_268;\n",
    "mov.pred %p379, 0; not.pred %p300, %p2; @%p300 bra $L__BB16_267; sub.s64 %rd613, %rd211, %rd758;\n",
    "setp.ge.u64 %p379, %rd613, %rd223; $L__BB16_267: not.pred %p380, %p379; $L__BB16_268: mov.u32 %r472, -1;\n",
    "vote.sync.all.pred %p301, %p380, %r472; not.pred %p302, %p301; @%p302 bra $L__BB16_270;\n",
    "setp.le.u32 %p303, %r11, %r37; cvt.u32.u64 %r474, %rd758; setp.eq.s32 %p304, %r474, %r176;\n",
    "or.pred %p305, %p303, %p304; vote.sync.all.pred %p306, %p305, %r472; @%p306 bra $L__BB16_275;\n",
    "$L__BB16_270: mov.u64 %rd757, %globaltimer; sub.s64 %rd228, %rd757, %rd605; add.s32 %r477, %r612, 1;\n",
    "and.b32 %r478, %r477, 15; setp.ne.s32 %p307, %r478, 0; setp.lt.s64 %p308, %rd228, %rd10;\n",
    "selp.b32 %r612, %r477, %r612, %p308; and.pred %p309, %p307, %p308; @%p309 bra $L__BB16_274;\n",
    "setp.gt.s64 %p311, %rd13, %rd228; selp.b64 %rd229, %rd11, %rd12, %p311; setp.lt.s64 %p312, %rd229, 1;\n",
    "or.pred %p313, %p308, %p312; @%p313 bra $L__BB16_273; shl.b32 %r480, %r614, 1; cvt.u64.u32 %rd615, %r480;\n",
    "setp.gt.s64 %p314, %rd229, %rd615; cvt.u32.u64 %r481, %rd229; selp.b32 %r614, %r480, %r481, %p314;\n",
    "nanosleep.u32 %r614; $L__BB16_273: ld.acquire.sys.u32 %r482, [%rd290]; setp.ne.s32 %p315, %r482, 0;\n",
    "or.pred %p381, %p381, %p315; mov.u64 %rd757, %globaltimer; bra.uni $L__BB16_274; $L__BB16_292:\n",
    "mov.u32 %r507, 1; mov.u32 %r619, %r507; @%p36 bra $L__BB16_299; mov.u64 %rd636, %globaltimer;\n",
    "add.s64 %rd243, %rd273, 12; mov.u32 %r618, 125; mov.u64 %rd763, %rd636; bra.uni $L__BB16_294;\n",
    "$L__BB16_336: mov.u64 %rd763, %globaltimer; $L__BB16_294: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd763;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r619, [retval0+0]; } setp.ne.s32 %p338, %r619, 2; @%p338 bra $L__BB16_296;\n",
    "mov.u32 %r509, 1; st.relaxed.sys.u32 [%rd243], %r509; $L__BB16_296: setp.eq.s32 %p339, %r619, 0;\n",
    "@%p339 bra $L__BB16_334; bra.uni $L__BB16_297; $L__BB16_334: sub.s64 %rd680, %rd763, %rd636;\n",
    "ld.global.u64 %rd681, [%rd3+160]; setp.gt.s64 %p368, %rd681, %rd680; selp.b64 %rd682, 184, 192, %p368;\n",
    "add.s64 %rd683, %rd2, %rd682; ld.global.u64 %rd684, [%rd3+136]; setp.gt.s64 %p369, %rd684, %rd680;\n",
    "ld.global.u64 %rd271, [%rd683]; setp.lt.s64 %p370, %rd271, 1; or.pred %p371, %p370, %p369;\n",
    "@%p371 bra $L__BB16_336; shl.b32 %r531, %r618, 1; cvt.u64.u32 %rd685, %r531;\n",
    "setp.gt.s64 %p372, %rd271, %rd685; cvt.u32.u64 %r532, %rd271; selp.b32 %r618, %r531, %r532, %p372;\n",
    "nanosleep.u32 %r618; bra.uni $L__BB16_336; $L__BB16_275: not.pred %p316, %p2; @%p316 bra $L__BB16_277;\n",
    "st.global.u64 [%rd212], %rd758; $L__BB16_277: mov.u32 %r615, 0; mov.b64 {%r483,%r484}, %rd758;\n",
    "mov.u32 %r492, 31; mov.u32 %r493, -1; shfl.sync.idx.b32 %r486|%p318, %r484, %r615, %r492, %r493;\n",
    "shfl.sync.idx.b32 %r485|%p319, %r483, %r615, %r492, %r493; mov.b64 %rd619, {%r485,%r486};\n",
    "mov.b64 {%r487,%r488}, %rd758; mov.u32 %r619, 1;\n",
    "shfl.sync.idx.b32 %r490|%p320, %r488, %r619, %r492, %r493;\n",
    "shfl.sync.idx.b32 %r489|%p321, %r487, %r619, %r492, %r493; mov.b64 %rd621, {%r489,%r490};\n",
    "shr.u64 %rd623, %rd619, 32; and.b64 %rd624, %rd621, -4294967296; or.b64 %rd232, %rd624, %rd623;\n",
    "mov.u64 %rd622, %globaltimer; add.s32 %r495, %r11, -2; add.s32 %r183, %r37, -2;\n",
    "setp.ge.u32 %p322, %r183, %r495; or.pred %p323, %p322, %p15; @%p323 bra $L__BB16_289;\n",
    "shr.u64 %rd625, %rd758, 32; cvt.u32.u64 %r184, %rd625; $L__BB16_279: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p324, %r615, 0; mov.u64 %rd760, %rd21; mov.u64 %rd761, %rd22; mov.u32 %r616, %r20;\n",
    "@%p324 bra $L__BB16_281; add.s32 %r497, %r615, %r227; mul.wide.u32 %rd626, %r497, 48;\n",
    "add.s64 %rd627, %rd7, %rd626; ld.u64 %rd760, [%rd627+8]; ld.u64 %rd761, [%rd627+16];\n",
    "ld.u32 %r616, [%rd627+40]; $L__BB16_281: add.s64 %rd628, %rd761, 3; shr.u64 %rd629, %rd628, 2;\n",
    "cvt.u32.u64 %r498, %rd629; sub.s32 %r188, %r183, %r616; setp.ge.u32 %p325, %r188, %r498;\n",
    "@%p325 bra $L__BB16_288; mul.wide.u32 %rd630, %r188, 4; add.s64 %rd238, %rd760, %rd630;\n",
    "sub.s64 %rd239, %rd761, %rd630; setp.lt.u64 %p326, %rd239, 4; @%p326 bra $L__BB16_284;\n",
    "and.b64 %rd631, %rd238, 3; setp.eq.s64 %p327, %rd631, 0; @%p327 bra $L__BB16_287; $L__BB16_284:\n",
    "setp.eq.s64 %p328, %rd239, 0; @%p328 bra $L__BB16_288; mov.u32 %r617, 0; mov.u64 %rd762, 0; $L__BB16_286:\n",
    ".pragma \"nounroll\"; shl.b32 %r500, %r617, 3; shr.u32 %r501, %r184, %r500; add.s64 %rd633, %rd238, %rd762;\n",
    "st.u8 [%rd633], %r501; add.s32 %r617, %r617, 1; setp.lt.u32 %p329, %r617, 4; cvt.u64.u32 %rd762, %r617;\n",
    "setp.gt.u64 %p330, %rd239, %rd762; and.pred %p331, %p329, %p330; @%p331 bra $L__BB16_286;\n",
    "bra.uni $L__BB16_288; $L__BB16_287: st.u32 [%rd238], %r184; $L__BB16_288: add.s32 %r615, %r615, 1;\n",
    "setp.lt.u32 %p332, %r615, %r228; @%p332 bra $L__BB16_279; $L__BB16_289: @%p36 bra $L__BB16_299;\n",
    "st.global.u64 [%rd3+312], %rd607; st.global.u64 [%rd3+568], %rd607; mov.u32 %r504, 0;\n",
    "st.global.u32 [%rd3+1360], %r504; st.global.u64 [%rd3+1376], %rd622; add.s64 %rd635, %rd210, 1;\n",
    "st.global.u64 [%rd3+200], %rd635; st.global.u64 [%rd3+224], %rd622; st.global.u64 [%rd3+216], %rd622;\n",
    "mov.u32 %r619, 1; st.global.v2.u32 [%rd3+248], {%r619, %r619}; add.s32 %r505, %r175, 1;\n",
    "st.global.u32 [%rd3+256], %r505; setp.ge.s64 %p334, %rd232, %rd622; setp.eq.s64 %p335, %rd232, 0;\n",
    "or.pred %p336, %p334, %p335; @%p336 bra $L__BB16_299; st.global.u64 [%rd3+216], %rd232;\n",
    "bra.uni $L__BB16_299; $L__BB16_297: setp.ne.s32 %p340, %r619, 1; @%p340 bra $L__BB16_299; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd273; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd763; call.uni sfi_resident_take, ( param0, param1 ); } {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd273; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r227; .param .b32 param2; st.param.b32 [param2+0], %r228; call.uni\n",
    "sfi_resident_unload, ( param0, param1, param2 ); } mov.u32 %r619, %r507; $L__BB16_299: mov.u32 %r511, 31;\n",
    "mov.u32 %r512, 0; mov.u32 %r513, -1; shfl.sync.idx.b32 %r195|%p13, %r619, %r512, %r511, %r513;\n",
    "@%p36 bra $L__BB16_301; st.shared.u32 [sfi_resident_block_wait_turn], %r195; bra.uni $L__BB16_301;\n",
    "$L__BB16_199: or.b32 %r431, %r133, %r151; setp.ne.s32 %p231, %r431, 0; @%p231 bra $L__BB16_232;\n",
    "bra.uni $L__BB16_200; $L__BB16_232: mov.u64 %rd579, %globaltimer; add.s64 %rd205, %rd273, 12;\n",
    "mov.u32 %r608, 125; mov.u64 %rd754, %rd579; bra.uni $L__BB16_233; $L__BB16_240:\n",
    "mov.u64 %rd754, %globaltimer; $L__BB16_233: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd754;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r610, [retval0+0]; } setp.ne.s32 %p266, %r610, 2; @%p266 bra $L__BB16_235;\n",
    "mov.u32 %r454, 1; st.relaxed.sys.u32 [%rd205], %r454; $L__BB16_235: setp.eq.s32 %p267, %r610, 0;\n",
    "@%p267 bra $L__BB16_238; bra.uni $L__BB16_236; $L__BB16_238: sub.s64 %rd581, %rd754, %rd579;\n",
    "ld.global.u64 %rd582, [%rd3+160]; setp.gt.s64 %p269, %rd582, %rd581; selp.b64 %rd583, 184, 192, %p269;\n",
    "add.s64 %rd584, %rd2, %rd583; ld.global.u64 %rd585, [%rd3+136]; setp.gt.s64 %p270, %rd585, %rd581;\n",
    "ld.global.u64 %rd207, [%rd584]; setp.lt.s64 %p271, %rd207, 1; or.pred %p272, %p271, %p270;\n",
    "@%p272 bra $L__BB16_240; shl.b32 %r457, %r608, 1; cvt.u64.u32 %rd586, %r457;\n",
    "setp.gt.s64 %p273, %rd207, %rd586; cvt.u32.u64 %r458, %rd207; selp.b32 %r608, %r457, %r458, %p273;\n",
    "nanosleep.u32 %r608; bra.uni $L__BB16_240; $L__BB16_236: setp.ne.s32 %p268, %r610, 1;\n",
    "@%p268 bra $L__BB16_242; mov.u32 %r610, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd754; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_242; $L__BB16_178:\n",
    "mov.u64 %rd532, %globaltimer; add.s64 %rd171, %rd273, 12; mov.u32 %r590, 125; mov.u64 %rd740, %rd532;\n",
    "bra.uni $L__BB16_179; $L__BB16_186: mov.u64 %rd740, %globaltimer; $L__BB16_179: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd273; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd740; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r610, [retval0+0]; } setp.ne.s32 %p210, %r610, 2; @%p210 bra $L__BB16_181;\n",
    "mov.u32 %r420, 1; st.relaxed.sys.u32 [%rd171], %r420; $L__BB16_181: setp.eq.s32 %p211, %r610, 0;\n",
    "@%p211 bra $L__BB16_184; bra.uni $L__BB16_182; $L__BB16_184: sub.s64 %rd534, %rd740, %rd532;\n",
    "ld.global.u64 %rd535, [%rd3+160]; setp.gt.s64 %p213, %rd535, %rd534; selp.b64 %rd536, 184, 192, %p213;\n",
    "add.s64 %rd537, %rd2, %rd536; ld.global.u64 %rd538, [%rd3+136]; setp.gt.s64 %p214, %rd538, %rd534;\n",
    "ld.global.u64 %rd173, [%rd537]; setp.lt.s64 %p215, %rd173, 1; or.pred %p216, %p215, %p214;\n",
    "@%p216 bra $L__BB16_186; shl.b32 %r423, %r590, 1; cvt.u64.u32 %rd539, %r423;\n",
    "setp.gt.s64 %p217, %rd173, %rd539; cvt.u32.u64 %r424, %rd173; selp.b32 %r590, %r423, %r424, %p217;\n",
    "nanosleep.u32 %r590; bra.uni $L__BB16_186; $L__BB16_182: setp.ne.s32 %p212, %r610, 1;\n",
    "@%p212 bra $L__BB16_242; mov.u32 %r610, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd740; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_242; $L__BB16_81: setp.eq.s32 %p89, %r239, 0;\n",
    "@%p89 bra $L__BB16_85; cvt.u64.u32 %rd113, %r240; add.s64 %rd114, %rd43, 1; mov.u32 %r574, 0;\n",
    "mov.u32 %r573, %r574; $L__BB16_83: mul.wide.u32 %rd399, %r573, 8; add.s64 %rd400, %rd2, %rd399;\n",
    "ld.global.u64 %rd401, [%rd400+1120]; sub.s64 %rd402, %rd114, %rd401; setp.ge.u64 %p90, %rd402, %rd113;\n",
    "add.s32 %r573, %r573, 1; @%p90 bra $L__BB16_90; setp.lt.u32 %p91, %r573, %r239; @%p91 bra $L__BB16_83;\n",
    "$L__BB16_85: setp.eq.s32 %p92, %r8, 0; @%p92 bra $L__BB16_87; add.s32 %r315, %r240, -1;\n",
    "cvt.u64.u32 %rd403, %r315; and.b64 %rd404, %rd42, %rd403; cvt.u64.u32 %rd405, %r224;\n",
    "setp.ne.s64 %p93, %rd404, %rd405; mov.u32 %r574, %r307; @%p93 bra $L__BB16_90; $L__BB16_87:\n",
    "ld.global.u64 %rd406, [%rd3+1376]; sub.s64 %rd407, %rd398, %rd406; setp.gt.s64 %p94, %rd407, 49999;\n",
    "mov.u32 %r574, %r307; @%p94 bra $L__BB16_90; setp.lt.s64 %p95, %rd14, 1; mov.u32 %r574, 1;\n",
    "@%p95 bra $L__BB16_90; ld.global.u64 %rd408, [%rd3+1368]; sub.s64 %rd409, %rd398, %rd408;\n",
    "setp.lt.s64 %p96, %rd409, %rd14; selp.u32 %r574, 1, 0, %p96; bra.uni $L__BB16_90; $L__BB16_194:\n",
    "setp.ne.s32 %p225, %r610, 1; @%p225 bra $L__BB16_242; mov.u32 %r610, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd741;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_242; $L__BB16_200:\n",
    "ld.param.u64 %rd689, [sf_resident_turn_kernel_param_0+8]; setp.ne.s32 %p232, %r134, 0; mov.u32 %r148, 0;\n",
    "add.s64 %rd181, %rd689, 128; selp.b32 %r149, 64, 1, %p232; selp.u32 %r601, 1, 0, %p232;\n",
    "mov.u32 %r152, 125; mov.u64 %rd187, 0; mov.u64 %rd744, %rd524; $L__BB16_201:\n",
    "sub.s64 %rd554, %rd744, %rd163; setp.ge.s64 %p233, %rd554, %rd14; setp.gt.s64 %p234, %rd14, 0;\n",
    "and.pred %p235, %p234, %p233; @%p235 bra $L__BB16_232; setp.eq.s32 %p236, %r7, 0;\n",
    "@%p236 bra $L__BB16_204; ld.relaxed.gpu.u64 %rd187, [%rd273]; $L__BB16_204:\n",
    "setp.gt.u64 %p237, %rd751, %rd162; @%p237 bra $L__BB16_209; bra.uni $L__BB16_205; $L__BB16_209:\n",
    "@%p236 bra $L__BB16_216; bra.uni $L__BB16_210; $L__BB16_205: @%p236 bra $L__BB16_207;\n",
    "add.s32 %r153, %r601, 1; rem.u32 %r434, %r601, %r149; setp.ne.s32 %p239, %r434, 0; mov.u32 %r601, %r153;\n",
    "@%p239 bra $L__BB16_210; $L__BB16_207: @%p236 bra $L__BB16_215; ld.relaxed.sys.u64 %rd751, [%rd181];\n",
    "mov.u64 %rd750, %rd744; $L__BB16_210: shr.u64 %rd561, %rd187, 32; cvt.u32.u64 %r156, %rd561;\n",
    "setp.eq.s32 %p242, %r132, %r156; cvt.u32.u64 %r435, %rd187; setp.ne.s32 %p243, %r435, 2;\n",
    "and.pred %p244, %p243, %p242; @%p244 bra $L__BB16_216; bra.uni $L__BB16_211; $L__BB16_216:\n",
    "and.b64 %rd565, %rd751, -4611686018427387904; setp.eq.s64 %p246, %rd565, 0; @%p246 bra $L__BB16_226;\n",
    "bra.uni $L__BB16_217; $L__BB16_226: setp.gt.u64 %p255, %rd751, %rd162; @%p255 bra $L__BB16_241;\n",
    "mov.u64 %rd744, %globaltimer; sub.s64 %rd200, %rd744, %rd524; add.s32 %r446, %r148, 1;\n",
    "and.b32 %r447, %r446, 15; setp.ne.s32 %p256, %r447, 0; setp.lt.s64 %p257, %rd200, %rd10;\n",
    "selp.b32 %r148, %r446, %r148, %p257; and.pred %p258, %p256, %p257; @%p258 bra $L__BB16_231;\n",
    "setp.gt.s64 %p260, %rd13, %rd200; selp.b64 %rd201, %rd11, %rd12, %p260; setp.lt.s64 %p261, %rd201, 1;\n",
    "or.pred %p262, %p257, %p261; @%p262 bra $L__BB16_230; shl.b32 %r449, %r152, 1; cvt.u64.u32 %rd576, %r449;\n",
    "setp.gt.s64 %p263, %rd201, %rd576; cvt.u32.u64 %r450, %rd201; selp.b32 %r152, %r449, %r450, %p263;\n",
    "nanosleep.u32 %r152; $L__BB16_230: setp.gt.u32 %p264, %r152, 2000; selp.b32 %r149, 1, %r149, %p264;\n",
    "ld.acquire.sys.u32 %r151, [%rd290]; mov.u64 %rd744, %globaltimer; $L__BB16_231:\n",
    "or.b32 %r452, %r133, %r151; setp.eq.s32 %p265, %r452, 0; @%p265 bra $L__BB16_201; bra.uni $L__BB16_232;\n",
    "$L__BB16_215: ld.acquire.sys.u64 %rd751, [%rd181]; mov.u64 %rd750, %rd744; bra.uni $L__BB16_216;\n",
    "$L__BB16_46: setp.eq.s32 %p64, %r239, 0; @%p64 bra $L__BB16_50; cvt.u64.u32 %rd84, %r240;\n",
    "add.s64 %rd85, %rd43, 1; mov.u32 %r566, 0; $L__BB16_48: mul.wide.u32 %rd344, %r566, 8;\n",
    "add.s64 %rd345, %rd2, %rd344; ld.global.u64 %rd346, [%rd345+1120]; sub.s64 %rd347, %rd85, %rd346;\n",
    "setp.ge.u64 %p65, %rd347, %rd84; add.s32 %r566, %r566, 1; @%p65 bra $L__BB16_55;\n",
    "setp.lt.u32 %p66, %r566, %r239; @%p66 bra $L__BB16_48; $L__BB16_50: setp.eq.s32 %p67, %r8, 0;\n",
    "@%p67 bra $L__BB16_52; add.s32 %r291, %r240, -1; cvt.u64.u32 %rd348, %r291;\n",
    "and.b64 %rd349, %rd42, %rd348; cvt.u64.u32 %rd350, %r224; setp.ne.s64 %p68, %rd349, %rd350;\n",
    "@%p68 bra $L__BB16_55; $L__BB16_52: ld.global.u64 %rd351, [%rd3+1376]; sub.s64 %rd352, %rd343, %rd351;\n",
    "setp.gt.s64 %p69, %rd352, 49999; @%p69 bra $L__BB16_55; setp.lt.s64 %p70, %rd14, 1; mov.u16 %rs22, 1;\n",
    "@%p70 bra $L__BB16_55; ld.global.u64 %rd353, [%rd3+1368]; sub.s64 %rd354, %rd343, %rd353;\n",
    "setp.lt.s64 %p71, %rd354, %rd14; selp.u16 %rs22, 1, 0, %p71; bra.uni $L__BB16_55; $L__BB16_217:\n",
    "mov.u64 %rd566, %globaltimer; add.s64 %rd195, %rd273, 12; mov.u32 %r602, 125; mov.u64 %rd752, %rd566;\n",
    "bra.uni $L__BB16_218; $L__BB16_225: mov.u64 %rd752, %globaltimer; $L__BB16_218: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd273; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd752; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r610, [retval0+0]; } setp.ne.s32 %p247, %r610, 2; @%p247 bra $L__BB16_220;\n",
    "mov.u32 %r441, 1; st.relaxed.sys.u32 [%rd195], %r441; $L__BB16_220: setp.eq.s32 %p248, %r610, 0;\n",
    "@%p248 bra $L__BB16_223; bra.uni $L__BB16_221; $L__BB16_223: sub.s64 %rd568, %rd752, %rd566;\n",
    "ld.global.u64 %rd569, [%rd3+160]; setp.gt.s64 %p250, %rd569, %rd568; selp.b64 %rd570, 184, 192, %p250;\n",
    "add.s64 %rd571, %rd2, %rd570; ld.global.u64 %rd572, [%rd3+136]; setp.gt.s64 %p251, %rd572, %rd568;\n",
    "ld.global.u64 %rd197, [%rd571]; setp.lt.s64 %p252, %rd197, 1; or.pred %p253, %p252, %p251;\n",
    "@%p253 bra $L__BB16_225; shl.b32 %r444, %r602, 1; cvt.u64.u32 %rd573, %r444;\n",
    "setp.gt.s64 %p254, %rd197, %rd573; cvt.u32.u64 %r445, %rd197; selp.b32 %r602, %r444, %r445, %p254;\n",
    "nanosleep.u32 %r602; bra.uni $L__BB16_225; $L__BB16_221: setp.ne.s32 %p249, %r610, 1;\n",
    "@%p249 bra $L__BB16_242; mov.u32 %r610, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd752; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB16_242; $L__BB16_241: add.s64 %rd589, %rd162, 1;\n",
    "st.global.u64 [%rd3+312], %rd589; st.global.u64 [%rd3+568], %rd751; mov.u32 %r460, 0;\n",
    "st.global.u32 [%rd3+1360], %r460; mov.u64 %rd588, %globaltimer; st.global.u64 [%rd3+1376], %rd750;\n",
    "add.s64 %rd590, %rd160, 1; st.global.u64 [%rd3+200], %rd590; st.global.u64 [%rd3+224], %rd588;\n",
    "st.global.u64 [%rd3+216], %rd588; mov.u32 %r610, 1; st.global.v2.u32 [%rd3+248], {%r610, %r610};\n",
    "add.s32 %r461, %r131, 1; st.global.u32 [%rd3+256], %r461; bra.uni $L__BB16_242; $L__BB16_211:\n",
    "@%p242 bra $L__BB16_213; bra.uni $L__BB16_212; $L__BB16_213: mov.u32 %r437, 1;\n",
    "st.relaxed.sys.u32 [%rd273], %r437; bra.uni $L__BB16_214; $L__BB16_212: add.s32 %r436, %r132, 1;\n",
    "st.global.u32 [%rd3+1352], %r436; $L__BB16_214: mov.u32 %r610, 1; st.global.u32 [%rd3+1360], %r610;\n",
    "mov.u64 %rd563, %globaltimer; st.global.u64 [%rd3+1376], %rd750; add.s64 %rd564, %rd160, 1;\n",
    "st.global.u64 [%rd3+200], %rd564; st.global.u64 [%rd3+224], %rd563; st.global.u64 [%rd3+216], %rd563;\n",
    "st.global.v2.u32 [%rd3+248], {%r610, %r610}; add.s32 %r439, %r131, 1; st.global.u32 [%rd3+256], %r439;\n",
    "$L__BB16_242: st.shared.u32 [sfi_resident_block_wait_turn], %r610; setp.ne.s32 %p274, %r610, 1;\n",
    "or.pred %p276, %p197, %p274; @%p276 bra $L__BB16_244; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b32 param1; st.param.b32 [param1+0], %r227; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r228; call.uni sfi_resident_unload, ( param0, param1, param2 ); } $L__BB16_244:\n",
    "ld.global.u64 %rd591, [%rd3+312]; st.shared.u64 [sfi_resident_block_wait_taken], %rd591; $L__BB16_301:\n",
    "bar.sync 0; or.b32 %r514, %r11, %r7; setp.ne.s32 %p342, %r514, 0; mov.u64 %rd764, 0;\n",
    "@%p342 bra $L__BB16_305; ld.shared.u64 %rd639, [sfi_resident_block_wait_taken];\n",
    "add.s64 %rd245, %rd639, -1; and.b64 %rd640, %rd245, -4294967296; setp.eq.s64 %p343, %rd640, 0;\n",
    "@%p343 bra $L__BB16_304; rem.u64 %rd764, %rd245, %rd9; bra.uni $L__BB16_305; $L__BB16_304:\n",
    "cvt.u32.u64 %r515, %rd9; cvt.u32.u64 %r516, %rd245; rem.u32 %r517, %r516, %r515;\n",
    "cvt.u64.u32 %rd764, %r517; $L__BB16_305: ld.shared.u32 %r196, [sfi_resident_block_wait_turn];\n",
    "@%p36 bra $L__BB16_308; ld.param.u64 %rd687, [sf_resident_turn_kernel_param_0+16];\n",
    "st.global.u32 [%rd3+1336], %r224; setp.ne.s32 %p345, %r196, 2; setp.eq.s64 %p346, %rd687, 0;\n",
    "or.pred %p347, %p346, %p345; @%p347 bra $L__BB16_308;\n",
    "ld.param.u64 %rd688, [sf_resident_turn_kernel_param_0+16]; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd688; .param .b32 param1; st.param.b32 [param1+0], 0;\n",
    "call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB16_308: setp.ne.s32 %p348, %r196, 1;\n",
    "or.pred %p350, %p190, %p348; @%p350 bra $L__BB16_333; setp.eq.s32 %p351, %r6, 0; @%p351 bra $L__BB16_327;\n",
    "setp.ne.s32 %p352, %r7, 0; @%p352 bra $L__BB16_331; mov.u32 %r518, 32; rem.u32 %r519, %r518, %r126;\n",
    "setp.ne.s32 %p353, %r37, %r519; mov.u64 %rd765, 0; @%p353 bra $L__BB16_313; shl.b64 %rd642, %rd764, 3;\n",
    "add.s64 %rd643, %rd8, %rd642; ld.volatile.u64 %rd765, [%rd643]; $L__BB16_313: @%p15 bra $L__BB16_324;\n",
    "cvt.u64.u32 %rd253, %r37; cvt.u64.u32 %rd254, %r126; and.b32 %r625, %r228, 3; add.s32 %r521, %r228, -1;\n",
    "setp.lt.u32 %p355, %r521, 3; mov.u32 %r622, 0; @%p355 bra $L__BB16_319; sub.s32 %r621, %r228, %r625;\n",
    "mov.u32 %r622, 0; $L__BB16_316: setp.eq.s32 %p356, %r622, 0; mov.u64 %rd766, %rd20;\n",
    "mov.u64 %rd767, %rd21; mov.u64 %rd768, %rd22; mov.u64 %rd769, %rd23; @%p356 bra $L__BB16_318;\n",
    "add.s32 %r523, %r622, %r227; mul.wide.u32 %rd644, %r523, 48; add.s64 %rd645, %rd7, %rd644;\n",
    "ld.u64 %rd766, [%rd645]; ld.u64 %rd767, [%rd645+8]; ld.u64 %rd768, [%rd645+16];\n",
    "ld.u64 %rd769, [%rd645+24]; $L__BB16_318: mul.lo.s64 %rd646, %rd769, %rd764;\n",
    "add.s64 %rd647, %rd766, %rd646; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd767; .param .b64 param1; st.param.b64 [param1+0], %rd647; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd768; .param .b64 param3; st.param.b64 [param3+0], %rd253; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd254; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r524, %r622, %r227; add.s32 %r525, %r524, 1; mul.wide.u32 %rd648, %r525, 48;\n",
    "add.s64 %rd649, %rd7, %rd648; ld.u64 %rd650, [%rd649+8]; ld.u64 %rd651, [%rd649+16];\n",
    "ld.u64 %rd652, [%rd649+24]; mul.lo.s64 %rd653, %rd652, %rd764; ld.u64 %rd654, [%rd649];\n",
    "add.s64 %rd655, %rd654, %rd653; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd650; .param .b64 param1; st.param.b64 [param1+0], %rd655; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd651; .param .b64 param3; st.param.b64 [param3+0], %rd253; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd254; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r526, %r524, 2; mul.wide.u32 %rd656, %r526, 48; add.s64 %rd657, %rd7, %rd656;\n",
    "ld.u64 %rd658, [%rd657+8]; ld.u64 %rd659, [%rd657+16]; ld.u64 %rd660, [%rd657+24];\n",
    "mul.lo.s64 %rd661, %rd660, %rd764; ld.u64 %rd662, [%rd657]; add.s64 %rd663, %rd662, %rd661; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd658; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd663; .param .b64 param2; st.param.b64 [param2+0], %rd659; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd253; .param .b64 param4; st.param.b64 [param4+0], %rd254; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r527, %r524, 3;\n",
    "mul.wide.u32 %rd664, %r527, 48; add.s64 %rd665, %rd7, %rd664; ld.u64 %rd666, [%rd665+8];\n",
    "ld.u64 %rd667, [%rd665+16]; ld.u64 %rd668, [%rd665+24]; mul.lo.s64 %rd669, %rd668, %rd764;\n",
    "ld.u64 %rd670, [%rd665]; add.s64 %rd671, %rd670, %rd669; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd666; .param .b64 param1; st.param.b64 [param1+0], %rd671; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd667; .param .b64 param3; st.param.b64 [param3+0], %rd253; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd254; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r622, %r622, 4; add.s32 %r621, %r621, -4; setp.ne.s32 %p357, %r621, 0;\n",
    "@%p357 bra $L__BB16_316; $L__BB16_319: setp.eq.s32 %p358, %r625, 0; @%p358 bra $L__BB16_324;\n",
    "add.s32 %r623, %r227, %r622; $L__BB16_321: .pragma \"nounroll\"; setp.eq.s32 %p359, %r622, 0;\n",
    "mov.u64 %rd770, %rd20; mov.u64 %rd771, %rd21; mov.u64 %rd772, %rd22; mov.u64 %rd773, %rd23;\n",
    "@%p359 bra $L__BB16_323; mul.wide.u32 %rd672, %r623, 48; add.s64 %rd673, %rd7, %rd672;\n",
    "ld.u64 %rd770, [%rd673]; ld.u64 %rd771, [%rd673+8]; ld.u64 %rd772, [%rd673+16];\n",
    "ld.u64 %rd773, [%rd673+24]; $L__BB16_323: mul.lo.s64 %rd674, %rd773, %rd764;\n",
    "add.s64 %rd675, %rd770, %rd674; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd771; .param .b64 param1; st.param.b64 [param1+0], %rd675; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd772; .param .b64 param3; st.param.b64 [param3+0], %rd253; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd254; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r622, %r622, 1; add.s32 %r623, %r623, 1; add.s32 %r625, %r625, -1;\n",
    "setp.ne.s32 %p360, %r625, 0; @%p360 bra $L__BB16_321; $L__BB16_324: setp.eq.s64 %p361, %rd765, 0;\n",
    "@%p361 bra $L__BB16_331; mov.u64 %rd676, %globaltimer; setp.ge.s64 %p362, %rd765, %rd676;\n",
    "@%p362 bra $L__BB16_331; st.global.u64 [%rd3+216], %rd765; bra.uni $L__BB16_331; $L__BB16_327:\n",
    "mov.u32 %r528, 32; rem.u32 %r529, %r528, %r126; setp.ne.s32 %p363, %r37, %r529; @%p363 bra $L__BB16_329;\n",
    "{ .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd273; call.uni\n",
    "sfi_resident_when, ( param0 ); } $L__BB16_329: @%p15 bra $L__BB16_331; cvt.u64.u32 %rd677, %r37;\n",
    "cvt.u64.u32 %rd678, %r126; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd273; .param .b32 param1; st.param.b32 [param1+0], %r227; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r228; .param .b64 param3; st.param.b64 [param3+0], %rd677; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd678; call.uni sfi_resident_copy_all, ( param0, param1, param2, param3, param4\n",
    "); } $L__BB16_331: or.pred %p367, %p36, %p15; @%p367 bra $L__BB16_333; mov.u64 %rd679, %globaltimer;\n",
    "st.global.u64 [%rd3+224], %rd679; $L__BB16_333: ret; } .visible .entry sf_resident_check_kernel(\n",
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
