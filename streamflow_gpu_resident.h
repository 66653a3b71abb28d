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
enum { SFI_RESIDENT_RECORD = 8 };            /* words of one */
typedef struct sfi_resident_record {         /* of a published iteration; a ring, longer than that of the slots */
    uint64_t sequence, status, fresh, submitted, started, finished, published, missed;
} sfi_resident_record;

typedef struct sfi_resident_board {          /* the loop's words, in host memory */
    uint64_t completed, done, line0[14];     /* results; requests behind it, those dropped included */
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
    sfi_resident_record *records;
    uint64_t *times;                         /* when each slot was submitted, on this device's clock */
    const sfi_resident_copy *copies;
    sfi_resident_histogram *histograms;      /* spans, then operators */
    int64_t *began_op;                       /* when an operator began */
    sf_resident_fused_call *fused;
    uint32_t words, sources, sinks, slots, in_slots, record_mask;
    uint32_t latest, any, handler, triggered, aligned;
    uint32_t copies_in, copies_out;          /* of one captured slot: first those in, then those out */
    uint32_t ops;                            /* fused ones */

    sfi_resident_settings now;
    sfi_resident_progress at;
    uint64_t taken[SFI_RESIDENT_ENDS], seen[SFI_RESIDENT_ENDS], limit[SFI_RESIDENT_ENDS], room[SFI_RESIDENT_ENDS];
    uint32_t pass, rested, late, stopped, marks_taken, marks_limit;
    uint32_t by_device;                      /* the last trigger that came the short way was a mark */
    int64_t start, heard;                    /* of this launch; when the host's word was read last */
};

typedef struct sfi_resident_known {          /* what stays while a loop runs: read before there is anything to do */
    sfi_resident_record *records;
    sfi_resident_histogram *histograms;
    const sfi_resident_copy *copies;
    const uint64_t *times;
    uint32_t record_mask, any, quick, triggered, aligned, slots, in_slots, sinks;
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

/* The words of a record first, then one fence, then the two that make it visible. */
SFI_RESIDENT_FN sfi_resident_record sfi_resident_record_of(const sfi_resident_known *k,
                                                           const sfi_resident_progress *p, uint32_t raised)
{
    int64_t now = sfi_resident_clock(), deadline = k->set.deadline;
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
/* The n-th word of the iteration's record, and so of all eight: by one thread, or each by one of its own, beside each
   other, so that they cross the bus together. */
SFI_RESIDENT_FN void sfi_resident_write_record(const sfi_resident_known *k, uint64_t completed,
                                               const sfi_resident_record *r, uint32_t n)
{
    uint64_t *to = &k->records[completed & k->record_mask].sequence;
    sfi_resident_store(&to[n], (&r->sequence)[n]);
}
SFI_RESIDENT_FN void sfi_resident_publish(sf_resident_control *c, sfi_resident_mail *mail,
                                          const sfi_resident_known *k, const sfi_resident_progress *p,
                                          const sfi_resident_record *r, uint32_t pass)
{
    sfi_resident_board *board = &mail->board;
    uint32_t s;
    SFI_RESIDENT_ROLLED
    for (s = 0; s < k->any; s++) { sfi_resident_store(&board->taken[s], c->taken[s]); }
    SFI_RESIDENT_STEP("loop record");
    sfi_resident_fence();                    /* the one that makes all of this iteration visible */
    sfi_resident_store(&board->completed, p->completed + 1);
    SFI_RESIDENT_STEP("loop completed");
    sfi_resident_store(&board->done, p->sequence);
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
        sfi_resident_fence();
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
    sfi_resident_record *records;
    uint32_t record_count;
    uint64_t *times;
    char *device_memory;                     /* control, histograms, copies, buffers */
    size_t device_bytes;
    sf_resident_control *control, *image;    /* in the device's memory, and what it begins with */
    sfi_resident_copy *copies, *copies_image;
    sfi_resident_histogram *histograms;
    uint32_t copy_count, in_count, out_count;                /* per captured slot: in, then out */
    size_t in_bytes, out_bytes;

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
    r->records = (sfi_resident_record *)(void *)sfi_resident_part(a, r->record_count * sizeof *r->records);
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
static sf_result sfi_resident_make_ports(sf_resident *r)
{
    uint32_t i;
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
            }
        }
    }
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
    c->records = (sfi_resident_record *)(void *)(r->pinned_device + ((char *)(void *)r->records - r->pinned));
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
    sfi_resident_when(c);
    sfi_resident_move_all(c, first, count);
    c->at.started = sfi_resident_clock();
}
static void sfi_resident_deliver(sf_resident_control *c, uint32_t first, uint32_t count)
{
    const sfi_resident_known known = sfi_resident_know(c);
    sfi_resident_progress p;
    sfi_resident_record record;
    uint32_t i;
    if (!c->at.live) { return; }
    c->at.finished = sfi_resident_clock();
    if (SFI_MUTANT(done_order)) { sfi_resident_store(&c->mail->board.completed, c->at.completed + 1); }
    sfi_resident_move_all(c, first, count);
    SFI_RESIDENT_STEP("loop payload");
    p = c->at;
    record = sfi_resident_record_of(&known, &p, sfi_resident_load32(&c->raised));
    for (i = 0; i < SFI_RESIDENT_RECORD; i++) { sfi_resident_write_record(&known, p.completed, &record, i); }
    sfi_resident_publish(c, c->mail, &known, &p, &record, c->pass);
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
        uint32_t small = a->count || a->next_count;
        grid->block[0] = small ? 256 : which == SFI_RESIDENT_TURN_KERNEL ? 64 : 32;
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
static bool sfi_resident_small(size_t bytes) { return bytes <= SFI_RESIDENT_SMALL; }

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
    return !sfi_resident_has_space(r, sfi_resident_load(&r->mail->board.completed)) ||
           (lacking && (!r->image->any || lacking == r->source_count));
}
/* An iteration was taken and is not published: the loop says so, or a marker in it, or a request waits with room for
   its result. Or the handler is asked. */
static bool sfi_resident_is_inside(const sf_resident *r)
{
    const sfi_resident_board *board = &r->mail->board;
    uint64_t completed = sfi_resident_load(&board->completed), done = sfi_resident_load(&board->done);
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
    uint64_t completed = sfi_resident_load(&r->mail->board.completed);
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
    uint64_t completed = sfi_resident_load(&r->mail->board.completed), count;
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
/* The request of the newest result. */
static uint64_t sfi_resident_newest(const sf_resident *r, uint64_t completed)
{
    return completed ? sfi_resident_load(&r->records[(completed - 1) & (r->record_count - 1)].sequence) : 0;
}
/* The last request that is behind the loop. `done` follows `completed`: who has a result may not see it done yet. */
static uint64_t sfi_resident_done(const sf_resident *r)
{
    const sfi_resident_board *board = &r->mail->board;
    uint64_t done = sfi_resident_load(&board->done);
    uint64_t newest = sfi_resident_newest(r, sfi_resident_load(&board->completed));
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
    if (SFI_MUTANT(submit_order)) { resident->mail->submit[ring->index].value++; }
    return SF_OK;
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
    if (!SFI_MUTANT(submit_order) && !sfi_resident_ring_bell(resident, ring->index)) {
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

static void sfi_resident_read_record(const sf_resident *r, uint64_t n, sfi_resident_record *to)
{
    const uint64_t *from = &r->records[(n - 1) & (r->record_count - 1)].sequence;
    uint32_t i;
    for (i = 0; i < SFI_RESIDENT_RECORD; i++) { (&to->sequence)[i] = sfi_resident_load(&from[i]); }
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
    uint64_t completed = sfi_resident_load(&r->mail->board.completed);
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
        if (gone && sfi_resident_load(&r->mail->board.completed) > sfi_resident_load(&b->op->sink.lent)) {
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
    return r->image->any && began > sfi_resident_load(&r->mail->board.done);
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
    if (sfi_resident_load(&r->mail->board.completed) > sfi_resident_load(&b->op->sink.lent)) { return SF_READY; }
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
        completed = sfi_resident_load(&board->completed);
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
    } while (sfi_resident_load(&board->completed) != completed);
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
    ".shared .align 8 .u64 sfi_resident_block_wait_taken;\n",
    ".shared .align 8 .b8 sfi_resident_warp_publish_record[64]; .func sfi_resident_begin(\n",
    ".param .b64 sfi_resident_begin_param_0 ) { .reg .pred %p<2>; .reg .b32 %r<7>; .reg .b64 %rd<24>;\n",
    "ld.param.u64 %rd2, [sfi_resident_begin_param_0]; cvta.to.global.u64 %rd4, %rd2; add.s64 %rd1, %rd4, 32;\n",
    "ld.global.u64 %rd5, [%rd4+32]; mov.u64 %rd6, 0; ld.u64 %rd7, [%rd5]; ld.u64 %rd8, [%rd5+8];\n",
    "ld.u64 %rd9, [%rd5+16]; ld.u64 %rd10, [%rd5+24]; ld.u64 %rd11, [%rd5+32]; ld.u64 %rd12, [%rd5+40];\n",
    "ld.u64 %rd13, [%rd5+48]; st.global.u64 [%rd4+144], %rd7; st.global.u64 [%rd4+152], %rd8;\n",
    "st.global.u64 [%rd4+160], %rd9; st.global.u64 [%rd4+168], %rd10; st.global.u64 [%rd4+176], %rd11;\n",
    "st.global.u64 [%rd4+184], %rd12; st.global.u64 [%rd4+192], %rd13; mov.u32 %r1, 0;\n",
    "st.global.u32 [%rd4+1356], %r1; st.global.u32 [%rd4+264], %r1; st.global.u64 [%rd4+1360], %rd6;\n",
    "ld.global.u32 %r2, [%rd4+272]; add.s32 %r3, %r2, 1; st.global.u32 [%rd4+272], %r3;\n",
    "mov.u64 %rd3, %globaltimer; st.global.u64 [%rd4+1384], %rd3; st.global.u64 [%rd4+256], %rd6;\n",
    "st.global.u64 [%rd4+1392], %rd6; ld.global.u32 %r4, [%rd4+120]; setp.eq.s32 %p1, %r4, 0;\n",
    "@%p1 bra $L__BB0_2; mov.u32 %r5, 1; st.relaxed.sys.u32 [%rd2], %r5; $L__BB0_2:\n",
    "ld.global.u64 %rd21, [%rd1]; add.s64 %rd15, %rd21, 8592; st.relaxed.sys.u64 [%rd15], %rd6;\n",
    "ld.global.u64 %rd22, [%rd1]; add.s64 %rd17, %rd22, 8576; ld.global.u64 %rd18, [%rd1+112];\n",
    "st.relaxed.sys.u64 [%rd17], %rd18; ld.global.u64 %rd23, [%rd1]; add.s64 %rd19, %rd23, 8448;\n",
    "ld.global.u32 %r6, [%rd1+240]; mul.wide.u32 %rd20, %r6, 65536; st.relaxed.sys.u64 [%rd19], %rd20; ret; }\n",
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
    "add.s64 %rd18, %rd10, %rd17; add.s64 %rd3, %rd18, 840; setp.eq.s16 %p1, %rs1, 0; @%p1 bra $L__BB1_3;\n",
    "ld.global.u32 %r2, [%rd1+1328]; setp.ne.s32 %p2, %r2, 0; @%p2 bra $L__BB1_3; st.global.u64 [%rd3], %rd22;\n",
    "$L__BB1_3: ld.global.u32 %r3, [%rd1+1328]; setp.eq.s32 %p3, %r3, 0; @%p3 bra $L__BB1_5;\n",
    "ld.global.u64 %rd19, [%rd3]; min.u64 %rd22, %rd22, %rd19; $L__BB1_5: st.global.u64 [%rd3+-256], %rd22;\n",
    "ld.global.u64 %rd20, [%rd3+-512]; sub.s64 %rd21, %rd22, %rd20; st.param.b64 [func_retval0+0], %rd21; ret;\n",
    "} .func (.param .b32 func_retval0) sfi_resident_has_room( .param .b64 sfi_resident_has_room_param_0 ) {\n",
    ".reg .pred %p<5>; .reg .b16 %rs<6>; .reg .b32 %r<19>; .reg .b64 %rd<24>;\n",
    "ld.param.u64 %rd9, [sfi_resident_has_room_param_0]; cvta.to.global.u64 %rd1, %rd9;\n",
    "add.s64 %rd2, %rd1, 96; ld.global.u32 %r17, [%rd1+96]; setp.eq.s32 %p1, %r17, 0; mov.u16 %rs2, 1;\n",
    "mov.u16 %rs5, %rs2; @%p1 bra $L__BB2_6; ld.global.u64 %rd23, [%rd2+104]; ld.global.u32 %r18, [%rd2+4];\n",
    "mov.u32 %r16, 0; $L__BB2_2: .pragma \"nounroll\"; cvt.u64.u32 %rd5, %r16; mul.wide.u32 %rd10, %r16, 8;\n",
    "add.s64 %rd11, %rd1, %rd10; add.s64 %rd6, %rd11, 1096; ld.global.u64 %rd12, [%rd11+1096];\n",
    "sub.s64 %rd13, %rd23, %rd12; cvt.u64.u32 %rd14, %r18; setp.lt.u64 %p2, %rd13, %rd14; @%p2 bra $L__BB2_5;\n",
    "ld.global.u64 %rd17, [%rd2+-64]; shl.b64 %rd18, %rd5, 7; add.s64 %rd19, %rd17, %rd18;\n",
    "add.s64 %rd16, %rd19, 4224; ld.acquire.sys.u64 %rd15, [%rd16]; st.global.u64 [%rd6], %rd15;\n",
    "ld.global.u64 %rd23, [%rd2+104]; sub.s64 %rd20, %rd23, %rd15; ld.global.u32 %r18, [%rd2+4];\n",
    "cvt.u64.u32 %rd21, %r18; setp.ge.u64 %p3, %rd20, %rd21; mov.u16 %rs5, 0; @%p3 bra $L__BB2_6;\n",
    "ld.global.u32 %r17, [%rd2]; $L__BB2_5: cvt.u32.u64 %r12, %rd5; add.s32 %r16, %r12, 1;\n",
    "setp.lt.u32 %p4, %r16, %r17; mov.u16 %rs5, %rs2; @%p4 bra $L__BB2_2; $L__BB2_6: cvt.u32.u16 %r13, %rs5;\n",
    "st.param.b32 [func_retval0+0], %r13; ret; } .func (.param .b64 func_retval0) sfi_resident_device_pending(\n",
    ".param .b64 sfi_resident_device_pending_param_0 ) { .reg .pred %p<5>; .reg .b32 %r<14>;\n",
    ".reg .b64 %rd<14>; ld.param.u64 %rd6, [sfi_resident_device_pending_param_0];\n",
    "cvta.to.global.u64 %rd8, %rd6; add.s64 %rd1, %rd8, 1364; ld.global.u32 %r12, [%rd8+1364];\n",
    "mov.u64 %rd13, 0; setp.ne.s32 %p1, %r12, 0; @%p1 bra $L__BB3_2; ld.acquire.sys.u32 %r7, [%rd6];\n",
    "setp.eq.s32 %p2, %r7, 2; selp.u64 %rd13, 1, 0, %p2; ld.global.u32 %r12, [%rd1]; $L__BB3_2:\n",
    "setp.eq.s32 %p3, %r12, 0; @%p3 bra $L__BB3_4; ld.global.u32 %r13, [%rd1+8]; bra.uni $L__BB3_5; $L__BB3_4:\n",
    "add.s64 %rd10, %rd6, 4; ld.acquire.sys.u32 %r13, [%rd10]; $L__BB3_5: ld.global.u32 %r9, [%rd1+-1244];\n",
    "setp.ne.s32 %p4, %r9, 0; @%p4 bra $L__BB3_7; ld.global.u32 %r10, [%rd1+4]; sub.s32 %r11, %r13, %r10;\n",
    "cvt.u64.u32 %rd11, %r11; add.s64 %rd13, %rd13, %rd11; $L__BB3_7: st.param.b64 [func_retval0+0], %rd13;\n",
    "ret; } .func (.param .b32 func_retval0) sfi_resident_glance( .param .b64 sfi_resident_glance_param_0,\n",
    ".param .b64 sfi_resident_glance_param_1 ) { .local .align 8 .b8 __local_depot4[8]; .reg .b64 %SP;\n",
    ".reg .b64 %SPL; .reg .pred %p<28>; .reg .b16 %rs<3>; .reg .b32 %r<32>; .reg .b64 %rd<43>;\n",
    "mov.u64 %SPL, __local_depot4; cvta.local.u64 %SP, %SPL;\n",
    "ld.param.u64 %rd16, [sfi_resident_glance_param_0]; ld.param.u64 %rd17, [sfi_resident_glance_param_1];\n",
    "cvta.to.global.u64 %rd18, %rd16; add.u64 %rd19, %SP, 0; add.u64 %rd1, %SPL, 0;\n",
    "mov.u64 %rd20, -4611686018427387904; st.local.u64 [%rd1], %rd20; add.s64 %rd2, %rd18, 184;\n",
    "ld.global.u64 %rd3, [%rd18+184]; setp.lt.s64 %p4, %rd3, 1; mov.pred %p27, 0; @%p4 bra $L__BB4_2;\n",
    "ld.global.u64 %rd21, [%rd2+1200]; sub.s64 %rd22, %rd17, %rd21; setp.ge.s64 %p27, %rd22, %rd3; $L__BB4_2:\n",
    "add.s64 %rd23, %rd16, 8; ld.acquire.sys.u32 %r6, [%rd23]; setp.ne.s32 %p5, %r6, 0; mov.u32 %r31, 2;\n",
    "@%p5 bra $L__BB4_21; ld.global.u32 %r8, [%rd2+-96]; mov.u64 %rd42, 0; setp.eq.s32 %p6, %r8, 0;\n",
    "mov.u64 %rd41, 4611686018427387903; mov.u64 %rd38, -4611686018427387904; @%p6 bra $L__BB4_7;\n",
    "selp.u16 %rs1, 1, 0, %p27; mov.u64 %rd41, 4611686018427387903; mov.u64 %rd42, 0; mov.u32 %r30, 0;\n",
    "cvt.u32.u16 %r10, %rs1; $L__BB4_5: .pragma \"nounroll\"; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd16; .param .b32 param1; st.param.b32 [param1+0], %r30; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd19; .param .b32 param3; st.param.b32 [param3+0], %r10; .param .b64 retval0;\n",
    "call.uni (retval0), sfi_resident_pending, ( param0, param1, param2, param3 );\n",
    "ld.param.b64 %rd30, [retval0+0]; } ld.global.v2.u32 {%r11, %r12}, [%rd2+-96];\n",
    "setp.lt.u32 %p7, %r30, %r12; setp.lt.u64 %p8, %rd30, %rd41; setp.gt.u64 %p9, %rd30, %rd42;\n",
    "and.pred %p10, %p8, %p7; selp.b64 %rd41, %rd30, %rd41, %p10; and.pred %p11, %p9, %p7;\n",
    "selp.b64 %rd42, %rd30, %rd42, %p11; add.s32 %r30, %r30, 1; setp.lt.u32 %p12, %r30, %r11;\n",
    "@%p12 bra $L__BB4_5; ld.local.u64 %rd38, [%rd1]; $L__BB4_7: and.b64 %rd31, %rd38, 4611686018427387904;\n",
    "setp.ne.s64 %p13, %rd31, 0; @%p13 bra $L__BB4_21; setp.eq.s64 %p14, %rd38, 0; not.pred %p15, %p27;\n",
    "and.pred %p16, %p15, %p14; @%p16 bra $L__BB4_11; ld.global.u32 %r16, [%rd2+1180];\n",
    "setp.ne.s32 %p17, %r16, 0; @%p17 bra $L__BB4_11; mov.u32 %r18, 1; st.global.u32 [%rd2+1180], %r18;\n",
    "add.s64 %rd32, %rd16, 4; ld.acquire.sys.u32 %r17, [%rd32]; st.global.u32 [%rd2+1188], %r17; $L__BB4_11:\n",
    "selp.u32 %r19, 1, 0, %p27; ld.global.u32 %r20, [%rd2+1176]; or.b32 %r21, %r20, %r19;\n",
    "st.global.u32 [%rd2+1176], %r21; ld.global.u32 %r22, [%rd2+-60]; setp.eq.s32 %p18, %r22, 0;\n",
    "@%p18 bra $L__BB4_13; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd16;\n",
    ".param .b64 retval0; call.uni (retval0), sfi_resident_device_pending, ( param0 );\n",
    "ld.param.b64 %rd33, [retval0+0]; } add.s64 %rd41, %rd33, %rd42; mov.u64 %rd42, %rd41; $L__BB4_17:\n",
    "ld.global.u32 %r25, [%rd2+-68]; setp.eq.s32 %p22, %r25, 0; selp.b64 %rd35, %rd41, %rd42, %p22;\n",
    "setp.eq.s64 %p23, %rd35, 0; @%p23 bra $L__BB4_20; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd16; .param .b32 retval0; call.uni (retval0), sfi_resident_has_room, ( param0\n",
    "); ld.param.b32 %r27, [retval0+0]; } cvt.u16.u32 %rs2, %r27; mov.u32 %r31, 1; setp.ne.s16 %p24, %rs2, 0;\n",
    "@%p24 bra $L__BB4_21; ld.global.u32 %r28, [%rd2+1176]; setp.eq.s32 %p25, %r28, 0;\n",
    "selp.b32 %r31, 0, 2, %p25; bra.uni $L__BB4_21; $L__BB4_13: ld.global.u32 %r23, [%rd2+-64];\n",
    "setp.eq.s32 %p19, %r23, 0; @%p19 bra $L__BB4_17; ld.global.u32 %r24, [%rd2+-92];\n",
    "setp.eq.s32 %p20, %r24, 0; @%p20 bra $L__BB4_16; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd16; .param .b64 retval0; call.uni (retval0), sfi_resident_device_pending, (\n",
    "param0 ); ld.param.b64 %rd34, [retval0+0]; } setp.ne.s64 %p21, %rd34, 0; @%p21 bra $L__BB4_17;\n",
    "$L__BB4_16: { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd16;\n",
    ".param .b64 retval0; call.uni (retval0), sfi_resident_device_pending, ( param0 );\n",
    "ld.param.b64 %rd41, [retval0+0]; } mov.u64 %rd42, %rd41; bra.uni $L__BB4_17; $L__BB4_20:\n",
    "ld.global.u32 %r29, [%rd2+1180]; setp.eq.s32 %p26, %r29, 0; selp.b32 %r31, 0, 2, %p26; $L__BB4_21:\n",
    "st.param.b32 [func_retval0+0], %r31; ret; } .func (.param .b64 func_retval0) sfi_resident_take_all(\n",
    ".param .b64 sfi_resident_take_all_param_0 ) { .reg .pred %p<16>; .reg .b32 %r<17>; .reg .b64 %rd<46>;\n",
    "ld.param.u64 %rd23, [sfi_resident_take_all_param_0]; cvta.to.global.u64 %rd44, %rd23;\n",
    "add.s64 %rd2, %rd44, 92; ld.global.u32 %r1, [%rd44+92]; mov.u64 %rd42, 0; setp.eq.s32 %p1, %r1, 0;\n",
    "mov.u64 %rd43, 4611686018427387903; @%p1 bra $L__BB5_5; mov.u64 %rd25, 0;\n",
    "mov.u64 %rd43, 4611686018427387903; mov.u32 %r15, 0; mov.u64 %rd38, %rd44; mov.u64 %rd42, %rd25;\n",
    "$L__BB5_2: .pragma \"nounroll\"; ld.global.u64 %rd27, [%rd38+328]; ld.global.u64 %rd28, [%rd38+584];\n",
    "sub.s64 %rd6, %rd28, %rd27; min.u64 %rd43, %rd6, %rd43; setp.lt.u64 %p2, %rd6, 2; mov.u64 %rd41, %rd25;\n",
    "@%p2 bra $L__BB5_4; ld.global.u32 %r8, [%rd2+20]; setp.eq.s32 %p3, %r8, 0; add.s64 %rd29, %rd6, -1;\n",
    "selp.b64 %rd41, 0, %rd29, %p3; $L__BB5_4: max.u64 %rd42, %rd41, %rd42; add.s64 %rd38, %rd38, 8;\n",
    "add.s32 %r15, %r15, 1; setp.lt.u32 %p4, %r15, %r1; @%p4 bra $L__BB5_2; $L__BB5_5:\n",
    "ld.global.u32 %r4, [%rd2+24]; setp.eq.s32 %p5, %r4, 0; setp.ge.u64 %p6, %rd42, %rd43;\n",
    "and.pred %p7, %p6, %p5; setp.ne.s64 %p8, %rd43, 0; and.pred %p9, %p8, %p7; add.s64 %rd30, %rd43, -1;\n",
    "selp.b64 %rd14, %rd30, %rd42, %p9; @%p1 bra $L__BB5_13; mov.u32 %r16, 0; $L__BB5_7: .pragma \"nounroll\";\n",
    "ld.global.u64 %rd31, [%rd44+328]; ld.global.u64 %rd32, [%rd44+584]; sub.s64 %rd17, %rd32, %rd31;\n",
    "setp.eq.s64 %p11, %rd17, 0; @%p11 bra $L__BB5_12; ld.global.u32 %r10, [%rd2+176]; mov.u32 %r11, 1;\n",
    "shl.b32 %r12, %r11, %r16; or.b32 %r13, %r10, %r12; st.global.u32 [%rd2+176], %r13; mov.u64 %rd45, %rd14;\n",
    "@%p5 bra $L__BB5_11; setp.lt.u64 %p13, %rd17, 2; mov.u64 %rd45, 0; @%p13 bra $L__BB5_11;\n",
    "ld.global.u32 %r14, [%rd2+20]; setp.eq.s32 %p14, %r14, 0; add.s64 %rd34, %rd17, -1;\n",
    "selp.b64 %rd45, 0, %rd34, %p14; $L__BB5_11: ld.global.u64 %rd35, [%rd44+328];\n",
    "add.s64 %rd36, %rd45, %rd35; add.s64 %rd37, %rd36, 1; st.global.u64 [%rd44+328], %rd37; $L__BB5_12:\n",
    "add.s32 %r16, %r16, 1; add.s64 %rd44, %rd44, 8; setp.lt.u32 %p15, %r16, %r1; @%p15 bra $L__BB5_7;\n",
    "$L__BB5_13: st.param.b64 [func_retval0+0], %rd14; ret; } .func sfi_resident_take(\n",
    ".param .b64 sfi_resident_take_param_0, .param .b64 sfi_resident_take_param_1 ) { .reg .pred %p<5>;\n",
    ".reg .b32 %r<16>; .reg .b64 %rd<23>; ld.param.u64 %rd4, [sfi_resident_take_param_0];\n",
    "ld.param.u64 %rd5, [sfi_resident_take_param_1]; cvta.to.global.u64 %rd6, %rd4; add.s64 %rd1, %rd6, 268;\n",
    "mov.u32 %r5, 0; st.global.u32 [%rd6+268], %r5; ld.global.u32 %r6, [%rd6+124]; setp.eq.s32 %p1, %r6, 0;\n",
    "@%p1 bra $L__BB6_8; ld.global.u64 %rd7, [%rd1+60]; ld.global.u64 %rd8, [%rd1+316];\n",
    "setp.ne.s64 %p2, %rd8, %rd7; @%p2 bra $L__BB6_8; ld.global.u32 %r7, [%rd1+1096]; setp.eq.s32 %p3, %r7, 0;\n",
    "@%p3 bra $L__BB6_4; ld.global.u32 %r15, [%rd1+1104]; bra.uni $L__BB6_5; $L__BB6_8: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd4; .param .b64 retval0;\n",
    "call.uni (retval0), sfi_resident_take_all, ( param0 ); ld.param.b64 %rd13, [retval0+0]; }\n",
    "add.s64 %rd22, %rd13, 1; $L__BB6_9: ld.global.u64 %rd18, [%rd1+-60]; add.s64 %rd15, %rd22, %rd18;\n",
    "st.global.u64 [%rd1+-52], %rd15; st.global.u64 [%rd1+-28], %rd5; st.global.u64 [%rd1+-36], %rd5;\n",
    "mov.u32 %r11, 1; st.global.u32 [%rd1+-4], %r11; ld.global.u32 %r12, [%rd1+4]; add.s32 %r13, %r12, 1;\n",
    "st.global.u32 [%rd1+4], %r13; ld.global.u64 %rd19, [%rd1+-236]; add.s64 %rd14, %rd19, 8456;\n",
    "st.relaxed.sys.u64 [%rd14], %rd15; ld.global.u64 %rd20, [%rd1+-236]; add.s64 %rd16, %rd20, 8448;\n",
    "ld.global.u32 %r14, [%rd1+4]; mul.wide.u32 %rd21, %r14, 65536; or.b64 %rd17, %rd21, 1;\n",
    "st.relaxed.sys.u64 [%rd16], %rd17; ret; $L__BB6_4: add.s64 %rd9, %rd4, 4;\n",
    "ld.acquire.sys.u32 %r15, [%rd9]; $L__BB6_5: ld.global.u32 %r4, [%rd1+1100]; setp.eq.s32 %p4, %r15, %r4;\n",
    "@%p4 bra $L__BB6_7; bra.uni $L__BB6_6; $L__BB6_7: mov.u32 %r10, 1; st.relaxed.sys.u32 [%rd4], %r10;\n",
    "mov.u64 %rd22, 1; bra.uni $L__BB6_9; $L__BB6_6: add.s32 %r9, %r4, 1; st.global.u32 [%rd1+1100], %r9;\n",
    "mov.u64 %rd22, 1; bra.uni $L__BB6_9; } .func sfi_resident_end( .param .b64 sfi_resident_end_param_0 ) {\n",
    ".local .align 8 .b8 __local_depot7[8]; .reg .b64 %SP; .reg .b64 %SPL; .reg .pred %p<23>;\n",
    ".reg .b16 %rs<3>; .reg .b32 %r<23>; .reg .b64 %rd<57>; mov.u64 %SPL, __local_depot7;\n",
    "cvta.local.u64 %SP, %SPL; ld.param.u64 %rd23, [sfi_resident_end_param_0];\n",
    "cvta.to.global.u64 %rd55, %rd23; add.u64 %rd26, %SP, 0; add.u64 %rd2, %SPL, 0; add.s64 %rd3, %rd55, 32;\n",
    "ld.global.u64 %rd4, [%rd55+32]; mov.u64 %rd53, 0; mov.u64 %rd27, -4611686018427387904;\n",
    "st.local.u64 [%rd2], %rd27; mov.u32 %r21, 0; st.global.u32 [%rd55+1360], %r21;\n",
    "ld.global.u32 %r6, [%rd55+88]; setp.eq.s32 %p6, %r6, 0; mov.u64 %rd52, 4611686018427387903;\n",
    "mov.pred %p22, 0; mov.pred %p21, %p22; @%p6 bra $L__BB7_4; mov.u64 %rd52, 4611686018427387903;\n",
    "mov.u64 %rd53, 0; $L__BB7_2: .pragma \"nounroll\"; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd23; .param .b32 param1; st.param.b32 [param1+0], %r21; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd26; .param .b32 param3; st.param.b32 [param3+0], 0; .param .b64 retval0;\n",
    "call.uni (retval0), sfi_resident_pending, ( param0, param1, param2, param3 );\n",
    "ld.param.b64 %rd31, [retval0+0]; } ld.global.v2.u32 {%r8, %r9}, [%rd3+56]; setp.lt.u32 %p7, %r21, %r9;\n",
    "setp.lt.u64 %p8, %rd31, %rd52; setp.gt.u64 %p9, %rd31, %rd53; and.pred %p10, %p8, %p7;\n",
    "selp.b64 %rd52, %rd31, %rd52, %p10; and.pred %p11, %p9, %p7; selp.b64 %rd53, %rd31, %rd53, %p11;\n",
    "add.s32 %r21, %r21, 1; setp.lt.u32 %p12, %r21, %r8; @%p12 bra $L__BB7_2; ld.local.u8 %rs1, [%rd2+7];\n",
    "and.b16 %rs2, %rs1, 64; setp.eq.s16 %p21, %rs2, 0; $L__BB7_4: ld.global.u32 %r12, [%rd3+84];\n",
    "setp.eq.s32 %p14, %r12, 0; selp.b64 %rd11, %rd52, %rd53, %p14; @%p21 bra $L__BB7_6;\n",
    "ld.global.u32 %r13, [%rd3+60]; setp.ne.s32 %p22, %r13, 0; $L__BB7_6: setp.eq.s64 %p15, %rd11, 0;\n",
    "not.pred %p16, %p22; or.pred %p17, %p15, %p16; @%p17 bra $L__BB7_14; ld.global.u32 %r14, [%rd3+60];\n",
    "setp.eq.s32 %p18, %r14, 0; @%p18 bra $L__BB7_13; add.s64 %rd54, %rd4, 8704; add.s64 %rd13, %rd3, 80;\n",
    "mov.u32 %r22, 0; $L__BB7_9: .pragma \"nounroll\"; ld.global.u32 %r16, [%rd13+4]; setp.eq.s32 %p19, %r16, 0;\n",
    "@%p19 bra $L__BB7_11; ld.global.u64 %rd56, [%rd55+584]; bra.uni $L__BB7_12; $L__BB7_11:\n",
    "ld.global.u64 %rd32, [%rd55+328]; add.s64 %rd56, %rd32, %rd11; $L__BB7_12:\n",
    "st.global.u64 [%rd55+328], %rd56; st.relaxed.sys.u64 [%rd54], %rd56; add.s64 %rd55, %rd55, 8;\n",
    "add.s64 %rd54, %rd54, 8; ld.global.u32 %r17, [%rd3+60]; add.s32 %r22, %r22, 1;\n",
    "setp.lt.u32 %p20, %r22, %r17; @%p20 bra $L__BB7_9; $L__BB7_13: ld.global.u64 %rd39, [%rd3+176];\n",
    "add.s64 %rd40, %rd39, %rd11; st.global.u64 [%rd3+176], %rd40; fence.acq_rel.sys;\n",
    "ld.global.u64 %rd36, [%rd3+176]; add.s64 %rd35, %rd4, 8600; st.relaxed.sys.u64 [%rd35], %rd36;\n",
    "fence.acq_rel.sys; ld.global.u64 %rd38, [%rd3+176]; add.s64 %rd37, %rd4, 8328;\n",
    "st.relaxed.sys.u64 [%rd37], %rd38; $L__BB7_14: mov.u32 %r18, 0; st.global.u32 [%rd3+232], %r18;\n",
    "add.s64 %rd48, %rd23, 8; atom.exch.b32 %r19, [%rd48], 0; cvt.u64.u32 %rd42, %r19;\n",
    "add.s64 %rd41, %rd4, 8592; st.relaxed.sys.u64 [%rd41], %rd42; add.s64 %rd43, %rd23, 12;\n",
    "st.relaxed.sys.u32 [%rd43], %r18; ld.global.u64 %rd49, [%rd3]; add.s64 %rd44, %rd49, 8448;\n",
    "ld.global.u32 %r20, [%rd3+240]; mul.wide.u32 %rd45, %r20, 65536; st.relaxed.sys.u64 [%rd44], %rd45;\n",
    "fence.acq_rel.sys; ld.global.u64 %rd47, [%rd3+112]; add.s64 %rd46, %rd4, 8584;\n",
    "st.relaxed.sys.u64 [%rd46], %rd47; ret; } .func sfi_resident_when( .param .b64 sfi_resident_when_param_0\n",
    ") { .reg .pred %p<10>; .reg .b32 %r<20>; .reg .b64 %rd<22>;\n",
    "ld.param.u64 %rd10, [sfi_resident_when_param_0]; cvta.to.global.u64 %rd1, %rd10; add.s64 %rd2, %rd1, 92;\n",
    "ld.global.u32 %r1, [%rd1+92]; setp.eq.s32 %p1, %r1, 0; mov.u32 %r19, 0; @%p1 bra $L__BB8_4;\n",
    "ld.global.u32 %r2, [%rd2+176]; mov.u32 %r19, 0; $L__BB8_2: .pragma \"nounroll\"; mov.u32 %r9, 1;\n",
    "shl.b32 %r10, %r9, %r19; and.b32 %r11, %r2, %r10; setp.ne.s32 %p2, %r11, 0; @%p2 bra $L__BB8_4;\n",
    "add.s32 %r19, %r19, 1; setp.lt.u32 %p3, %r19, %r1; @%p3 bra $L__BB8_2; $L__BB8_4:\n",
    "ld.global.u32 %r12, [%rd2+32]; setp.ne.s32 %p4, %r12, 0; setp.eq.s32 %p5, %r19, %r1;\n",
    "or.pred %p6, %p4, %p5; @%p6 bra $L__BB8_11; ld.global.u64 %rd3, [%rd2+-44]; ld.global.u32 %r13, [%rd2+8];\n",
    "add.s32 %r14, %r13, 1; mul.lo.s32 %r6, %r14, %r19; mul.wide.u32 %rd11, %r19, 8;\n",
    "add.s64 %rd12, %rd1, %rd11; ld.global.u64 %rd13, [%rd12+328]; add.s64 %rd4, %rd13, -1;\n",
    "ld.global.u32 %rd5, [%rd2+12]; and.b64 %rd14, %rd4, -4294967296; setp.eq.s64 %p7, %rd14, 0;\n",
    "@%p7 bra $L__BB8_7; rem.u64 %rd21, %rd4, %rd5; bra.uni $L__BB8_8; $L__BB8_7: cvt.u32.u64 %r15, %rd5;\n",
    "cvt.u32.u64 %r16, %rd4; rem.u32 %r17, %r16, %r15; cvt.u64.u32 %rd21, %r17; $L__BB8_8:\n",
    "cvt.u64.u32 %rd17, %r6; add.s64 %rd18, %rd21, %rd17; shl.b64 %rd19, %rd18, 3; add.s64 %rd16, %rd3, %rd19;\n",
    "ld.acquire.sys.u64 %rd15, [%rd16]; setp.eq.s64 %p8, %rd15, 0; @%p8 bra $L__BB8_11;\n",
    "mov.u64 %rd20, %globaltimer; setp.ge.s64 %p9, %rd15, %rd20; @%p9 bra $L__BB8_11;\n",
    "st.global.u64 [%rd2+140], %rd15; $L__BB8_11: ret; } .func sfi_resident_move(\n",
    ".param .b64 sfi_resident_move_param_0, .param .b64 sfi_resident_move_param_1,\n",
    ".param .b64 sfi_resident_move_param_2, .param .b64 sfi_resident_move_param_3,\n",
    ".param .b64 sfi_resident_move_param_4 ) { .reg .pred %p<6>; .reg .b16 %rs<2>; .reg .b32 %r<5>;\n",
    ".reg .b64 %rd<23>; ld.param.u64 %rd7, [sfi_resident_move_param_0];\n",
    "ld.param.u64 %rd8, [sfi_resident_move_param_1]; ld.param.u64 %rd9, [sfi_resident_move_param_2];\n",
    "ld.param.u64 %rd10, [sfi_resident_move_param_3]; ld.param.u64 %rd11, [sfi_resident_move_param_4];\n",
    "or.b64 %rd12, %rd8, %rd7; and.b64 %rd13, %rd12, 15; setp.eq.s64 %p1, %rd13, 0; shr.u64 %rd14, %rd9, 4;\n",
    "selp.b64 %rd1, %rd14, 0, %p1; setp.le.u64 %p2, %rd1, %rd10; @%p2 bra $L__BB9_3; mov.u64 %rd21, %rd10;\n",
    "$L__BB9_2: shl.b64 %rd16, %rd21, 4; add.s64 %rd15, %rd8, %rd16; add.s64 %rd17, %rd7, %rd16;\n",
    "ld.global.cv.v4.u32 {%r1,%r2,%r3,%r4}, [%rd15]; st.v4.u32 [%rd17], {%r1, %r2, %r3, %r4};\n",
    "add.s64 %rd21, %rd21, %rd11; setp.lt.u64 %p3, %rd21, %rd1; @%p3 bra $L__BB9_2; $L__BB9_3:\n",
    "shl.b64 %rd18, %rd1, 4; add.s64 %rd22, %rd18, %rd10; setp.ge.u64 %p4, %rd22, %rd9; @%p4 bra $L__BB9_5;\n",
    "$L__BB9_4: .pragma \"nounroll\"; add.s64 %rd19, %rd8, %rd22; ld.volatile.u8 %rs1, [%rd19];\n",
    "add.s64 %rd20, %rd7, %rd22; st.u8 [%rd20], %rs1; add.s64 %rd22, %rd22, %rd11;\n",
    "setp.lt.u64 %p5, %rd22, %rd9; @%p5 bra $L__BB9_4; $L__BB9_5: ret; } .func sfi_resident_copy_all(\n",
    ".param .b64 sfi_resident_copy_all_param_0, .param .b32 sfi_resident_copy_all_param_1,\n",
    ".param .b32 sfi_resident_copy_all_param_2, .param .b64 sfi_resident_copy_all_param_3,\n",
    ".param .b64 sfi_resident_copy_all_param_4 ) { .reg .pred %p<11>; .reg .b32 %r<28>; .reg .b64 %rd<51>;\n",
    "ld.param.u64 %rd27, [sfi_resident_copy_all_param_0]; ld.param.u32 %r27, [sfi_resident_copy_all_param_1];\n",
    "ld.param.u32 %r8, [sfi_resident_copy_all_param_2]; ld.param.u64 %rd25, [sfi_resident_copy_all_param_3];\n",
    "ld.param.u64 %rd26, [sfi_resident_copy_all_param_4]; cvta.to.global.u64 %rd1, %rd27;\n",
    "add.s32 %r1, %r8, %r27; setp.le.u32 %p1, %r1, %r27; @%p1 bra $L__BB10_21; mul.wide.u32 %rd28, %r27, 40;\n",
    "add.s64 %rd46, %rd28, 24; $L__BB10_2: .pragma \"nounroll\"; ld.global.u32 %r9, [%rd1+136];\n",
    "mov.u64 %rd48, 0; ld.global.u32 %r10, [%rd1+132]; add.s32 %r3, %r9, %r10; ld.global.u32 %r11, [%rd1+264];\n",
    "setp.eq.s32 %p2, %r11, 0; ld.global.u64 %rd5, [%rd1+56]; add.s64 %rd30, %rd5, %rd46;\n",
    "add.s64 %rd6, %rd30, -24; @%p2 bra $L__BB10_12; ld.u32 %r12, [%rd6+36]; setp.eq.s32 %p3, %r12, 0;\n",
    "@%p3 bra $L__BB10_5; ld.u64 %rd48, [%rd6+8]; bra.uni $L__BB10_12; $L__BB10_5: ld.u32 %r4, [%rd6+32];\n",
    "mov.u32 %r13, 1; shl.b32 %r14, %r13, %r4; ld.global.u32 %r15, [%rd1+268]; and.b32 %r16, %r14, %r15;\n",
    "setp.eq.s32 %p4, %r16, 0; @%p4 bra $L__BB10_10; mul.wide.u32 %rd31, %r4, 8; add.s64 %rd32, %rd1, %rd31;\n",
    "ld.global.u64 %rd33, [%rd32+328]; add.s64 %rd8, %rd33, -1; ld.global.u32 %rd9, [%rd1+104];\n",
    "and.b64 %rd34, %rd8, -4294967296; setp.eq.s64 %p5, %rd34, 0; @%p5 bra $L__BB10_8;\n",
    "rem.u64 %rd47, %rd8, %rd9; bra.uni $L__BB10_9; $L__BB10_10: div.u32 %r20, %r27, %r3;\n",
    "ld.global.u32 %r5, [%rd1+276]; setp.eq.s32 %p6, %r20, %r5; @%p6 bra $L__BB10_12; rem.u32 %r21, %r27, %r3;\n",
    "mad.lo.s32 %r22, %r5, %r3, %r21; mul.wide.u32 %rd39, %r22, 40; add.s64 %rd40, %rd5, %rd39;\n",
    "ld.u64 %rd48, [%rd40+8]; bra.uni $L__BB10_12; $L__BB10_8: cvt.u32.u64 %r17, %rd9; cvt.u32.u64 %r18, %rd8;\n",
    "rem.u32 %r19, %r18, %r17; cvt.u64.u32 %rd47, %r19; $L__BB10_9: ld.u64 %rd35, [%rd6+24];\n",
    "mul.lo.s64 %rd36, %rd35, %rd47; ld.u64 %rd37, [%rd6]; add.s64 %rd48, %rd37, %rd36; $L__BB10_12:\n",
    "setp.eq.s64 %p7, %rd48, 0; @%p7 bra $L__BB10_20; ld.u32 %r23, [%rd6+36]; setp.eq.s32 %p8, %r23, 0;\n",
    "@%p8 bra $L__BB10_18; ld.global.u32 %rd16, [%rd1+100]; ld.global.u64 %rd17, [%rd1+200];\n",
    "and.b64 %rd41, %rd17, -4294967296; setp.eq.s64 %p9, %rd41, 0; @%p9 bra $L__BB10_16;\n",
    "rem.u64 %rd49, %rd17, %rd16; bra.uni $L__BB10_17; $L__BB10_18: ld.u64 %rd50, [%rd6+8];\n",
    "bra.uni $L__BB10_19; $L__BB10_16: cvt.u32.u64 %r24, %rd16; cvt.u32.u64 %r25, %rd17;\n",
    "rem.u32 %r26, %r25, %r24; cvt.u64.u32 %rd49, %r26; $L__BB10_17: ld.u64 %rd42, [%rd6+24];\n",
    "mul.lo.s64 %rd43, %rd42, %rd49; ld.u64 %rd44, [%rd6]; add.s64 %rd50, %rd44, %rd43; $L__BB10_19:\n",
    "ld.u64 %rd45, [%rd6+16]; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd50;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd48; .param .b64 param2; st.param.b64 [param2+0], %rd45;\n",
    ".param .b64 param3; st.param.b64 [param3+0], %rd25; .param .b64 param4; st.param.b64 [param4+0], %rd26;\n",
    "call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); } $L__BB10_20:\n",
    "add.s32 %r27, %r27, 1; add.s64 %rd46, %rd46, 40; setp.lt.u32 %p10, %r27, %r1; @%p10 bra $L__BB10_2;\n",
    "$L__BB10_21: ret; } .visible .entry sf_resident_begin_kernel(\n",
    ".param .align 8 .b8 sf_resident_begin_kernel_param_0[80] ) { .reg .b64 %rd<2>;\n",
    "ld.param.u64 %rd1, [sf_resident_begin_kernel_param_0]; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd1; call.uni sfi_resident_begin, ( param0 ); } ret; }\n",
    ".visible .entry sf_resident_wait_kernel( .param .align 8 .b8 sf_resident_wait_kernel_param_0[80] ) {\n",
    ".reg .pred %p<111>; .reg .b32 %r<215>; .reg .b64 %rd<276>;\n",
    "ld.param.v2.u32 {%r91, %r92}, [sf_resident_wait_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r93, %r94}, [sf_resident_wait_kernel_param_0+48];\n",
    "ld.param.u64 %rd107, [sf_resident_wait_kernel_param_0]; cvta.to.global.u64 %rd2, %rd107;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd2, 56; ld.global.u64 %rd4, [%rd2+56]; ld.global.u64 %rd5, [%rd2+48];\n",
    "ld.global.u32 %r3, [%rd2+16]; ld.global.u32 %r4, [%rd2+124]; ld.global.u32 %r5, [%rd2+128];\n",
    "ld.global.v2.u32 {%r101, %r102}, [%rd2+96]; ld.global.u32 %rd6, [%rd2+104];\n",
    "ld.global.u64 %rd7, [%rd2+152]; ld.global.u64 %rd8, [%rd2+160]; ld.global.u64 %rd9, [%rd2+168];\n",
    "ld.global.u64 %rd10, [%rd2+176]; ld.global.u64 %rd11, [%rd2+184]; setp.eq.s32 %p1, %r93, 0;\n",
    "mov.u64 %rd245, 0; mov.u64 %rd246, %rd245; mov.u64 %rd247, %rd245; mov.u64 %rd248, %rd245;\n",
    "@%p1 bra $L__BB12_2; mul.wide.u32 %rd116, %r92, 40; add.s64 %rd117, %rd4, %rd116;\n",
    "ld.u64 %rd248, [%rd117+24]; ld.u64 %rd247, [%rd117+16]; ld.u64 %rd246, [%rd117+8];\n",
    "ld.u64 %rd245, [%rd117]; $L__BB12_2:\n",
    "griddepcontrol.wait;\n",
    "setp.eq.s32 %p2, %r5, 0; @%p2 bra $L__BB12_6; add.s32 %r105, %r102, -1; cvt.u64.u32 %rd118, %r105;\n",
    "ld.global.u64 %rd119, [%rd3+152]; and.b64 %rd20, %rd119, %rd118; cvt.u64.u32 %rd21, %r91; bar.sync 0;\n",
    "setp.eq.s64 %p3, %rd20, %rd21; mov.u32 %r106, %tid.x; setp.ne.s32 %p4, %r106, 0; or.pred %p5, %p4, %p3;\n",
    "@%p5 bra $L__BB12_5; mov.u32 %r107, 0; st.global.u32 [%rd3+208], %r107; $L__BB12_5: @%p3 bra $L__BB12_6;\n",
    "bra.uni $L__BB12_116; $L__BB12_6: mov.u32 %r13, %tid.x; setp.ne.s32 %p7, %r13, 0; @%p7 bra $L__BB12_84;\n",
    "setp.eq.s32 %p8, %r3, 0; @%p8 bra $L__BB12_77; ld.global.u32 %r14, [%rd3+216]; mov.u64 %rd261, 0;\n",
    "ld.global.u64 %rd22, [%rd3+152]; ld.global.u64 %rd23, [%rd3+144]; ld.global.u64 %rd24, [%rd3+272];\n",
    "ld.global.u32 %r15, [%rd3+1312]; ld.global.v2.u32 {%r108, %r109}, [%rd3+1304]; or.b32 %r16, %r108, %r109;\n",
    "ld.global.u64 %rd25, [%rd3+1328]; mov.u64 %rd120, %globaltimer; ld.global.u32 %r17, [%rd3+1320];\n",
    "ld.global.u64 %rd122, [%rd3+1336]; sub.s64 %rd27, %rd120, %rd122; setp.gt.s64 %p9, %rd27, 49999;\n",
    "@%p9 bra $L__BB12_10; ld.global.u64 %rd261, [%rd3+528]; $L__BB12_10: add.s64 %rd123, %rd107, 8;\n",
    "ld.relaxed.sys.u32 %r34, [%rd123]; ld.global.u64 %rd260, [%rd3+1336]; setp.eq.s32 %p10, %r101, 0;\n",
    "@%p10 bra $L__BB12_23; cvt.u64.u32 %rd32, %r102; mov.u32 %r185, 0; $L__BB12_12:\n",
    "mul.wide.u32 %rd124, %r185, 8; add.s64 %rd125, %rd2, %rd124; ld.global.u64 %rd126, [%rd125+1096];\n",
    "sub.s64 %rd127, %rd23, %rd126; setp.lt.u64 %p11, %rd127, %rd32; add.s32 %r185, %r185, 1;\n",
    "@%p11 bra $L__BB12_22; bra.uni $L__BB12_13; $L__BB12_22: setp.lt.u32 %p20, %r185, %r101;\n",
    "@%p20 bra $L__BB12_12; $L__BB12_23: sub.s64 %rd241, %rd120, %rd122; setp.lt.s64 %p21, %rd241, 50000;\n",
    "setp.eq.s32 %p22, %r17, 0; or.pred %p23, %p22, %p21; @%p23 bra $L__BB12_34;\n",
    "ld.param.u64 %rd243, [sf_resident_wait_kernel_param_0+8]; add.s64 %rd138, %rd243, 128;\n",
    "ld.relaxed.sys.u64 %rd137, [%rd138]; and.b64 %rd139, %rd137, -4611686018427387904;\n",
    "setp.eq.s64 %p24, %rd139, 0; mov.u64 %rd260, %rd120; @%p24 bra $L__BB12_34; mov.u64 %rd140, %globaltimer;\n",
    "add.s64 %rd40, %rd107, 12; mov.u32 %r188, 125; mov.u64 %rd251, %rd140; bra.uni $L__BB12_26; $L__BB12_33:\n",
    "mov.u64 %rd251, %globaltimer; $L__BB12_26: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd251;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r207, [retval0+0]; } setp.ne.s32 %p25, %r207, 2; @%p25 bra $L__BB12_28; mov.u32 %r121, 1;\n",
    "st.relaxed.sys.u32 [%rd40], %r121; $L__BB12_28: setp.eq.s32 %p26, %r207, 0; @%p26 bra $L__BB12_31;\n",
    "bra.uni $L__BB12_29; $L__BB12_31: sub.s64 %rd142, %rd251, %rd140; ld.global.u64 %rd143, [%rd3+120];\n",
    "setp.gt.s64 %p28, %rd143, %rd142; selp.b64 %rd144, 160, 168, %p28; add.s64 %rd145, %rd2, %rd144;\n",
    "ld.global.u64 %rd146, [%rd3+96]; setp.gt.s64 %p29, %rd146, %rd142; ld.global.u64 %rd42, [%rd145];\n",
    "setp.lt.s64 %p30, %rd42, 1; or.pred %p31, %p30, %p29; @%p31 bra $L__BB12_33; shl.b32 %r124, %r188, 1;\n",
    "cvt.u64.u32 %rd147, %r124; setp.gt.s64 %p32, %rd42, %rd147; cvt.u32.u64 %r125, %rd42;\n",
    "selp.b32 %r188, %r124, %r125, %p32; nanosleep.u32 %r188; bra.uni $L__BB12_33; $L__BB12_77:\n",
    "mov.u64 %rd187, %globaltimer; add.s64 %rd74, %rd107, 12; mov.u32 %r206, 125; mov.u64 %rd265, %rd187;\n",
    "bra.uni $L__BB12_78; $L__BB12_119: mov.u64 %rd265, %globaltimer; $L__BB12_78: { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd265;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r207, [retval0+0]; } setp.ne.s32 %p76, %r207, 2; @%p76 bra $L__BB12_80; mov.u32 %r158, 1;\n",
    "st.relaxed.sys.u32 [%rd74], %r158; $L__BB12_80: setp.eq.s32 %p77, %r207, 0; @%p77 bra $L__BB12_117;\n",
    "bra.uni $L__BB12_81; $L__BB12_117: sub.s64 %rd232, %rd265, %rd187; ld.global.u64 %rd233, [%rd3+120];\n",
    "setp.gt.s64 %p103, %rd233, %rd232; selp.b64 %rd234, 160, 168, %p103; add.s64 %rd235, %rd2, %rd234;\n",
    "ld.global.u64 %rd236, [%rd3+96]; setp.gt.s64 %p104, %rd236, %rd232; ld.global.u64 %rd105, [%rd235];\n",
    "setp.lt.s64 %p105, %rd105, 1; or.pred %p106, %p105, %p104; @%p106 bra $L__BB12_119;\n",
    "shl.b32 %r176, %r206, 1; cvt.u64.u32 %rd237, %r176; setp.gt.s64 %p107, %rd105, %rd237;\n",
    "cvt.u32.u64 %r177, %rd105; selp.b32 %r206, %r176, %r177, %p107; nanosleep.u32 %r206;\n",
    "bra.uni $L__BB12_119; $L__BB12_81: setp.ne.s32 %p78, %r207, 1; @%p78 bra $L__BB12_83; mov.u32 %r207, 1; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd265; call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB12_83;\n",
    "$L__BB12_34: or.b32 %r126, %r16, %r34; setp.ne.s32 %p33, %r126, 0; @%p33 bra $L__BB12_67;\n",
    "bra.uni $L__BB12_35; $L__BB12_67: mov.u64 %rd175, %globaltimer; add.s64 %rd69, %rd107, 12;\n",
    "mov.u32 %r204, 125; mov.u64 %rd264, %rd175; bra.uni $L__BB12_68; $L__BB12_75:\n",
    "mov.u64 %rd264, %globaltimer; $L__BB12_68: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd264;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r207, [retval0+0]; } setp.ne.s32 %p68, %r207, 2; @%p68 bra $L__BB12_70; mov.u32 %r149, 1;\n",
    "st.relaxed.sys.u32 [%rd69], %r149; $L__BB12_70: setp.eq.s32 %p69, %r207, 0; @%p69 bra $L__BB12_73;\n",
    "bra.uni $L__BB12_71; $L__BB12_73: sub.s64 %rd177, %rd264, %rd175; ld.global.u64 %rd178, [%rd3+120];\n",
    "setp.gt.s64 %p71, %rd178, %rd177; selp.b64 %rd179, 160, 168, %p71; add.s64 %rd180, %rd2, %rd179;\n",
    "ld.global.u64 %rd181, [%rd3+96]; setp.gt.s64 %p72, %rd181, %rd177; ld.global.u64 %rd71, [%rd180];\n",
    "setp.lt.s64 %p73, %rd71, 1; or.pred %p74, %p73, %p72; @%p74 bra $L__BB12_75; shl.b32 %r152, %r204, 1;\n",
    "cvt.u64.u32 %rd182, %r152; setp.gt.s64 %p75, %rd71, %rd182; cvt.u32.u64 %r153, %rd71;\n",
    "selp.b32 %r204, %r152, %r153, %p75; nanosleep.u32 %r204; bra.uni $L__BB12_75; $L__BB12_71:\n",
    "setp.ne.s32 %p70, %r207, 1; @%p70 bra $L__BB12_83; mov.u32 %r207, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd264;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB12_83; $L__BB12_13:\n",
    "mov.u64 %rd128, %globaltimer; add.s64 %rd34, %rd107, 12; mov.u32 %r186, 125; mov.u64 %rd250, %rd128;\n",
    "bra.uni $L__BB12_14; $L__BB12_21: mov.u64 %rd250, %globaltimer; $L__BB12_14: { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd250;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r207, [retval0+0]; } setp.ne.s32 %p12, %r207, 2; @%p12 bra $L__BB12_16; mov.u32 %r115, 1;\n",
    "st.relaxed.sys.u32 [%rd34], %r115; $L__BB12_16: setp.eq.s32 %p13, %r207, 0; @%p13 bra $L__BB12_19;\n",
    "bra.uni $L__BB12_17; $L__BB12_19: sub.s64 %rd130, %rd250, %rd128; ld.global.u64 %rd131, [%rd3+120];\n",
    "setp.gt.s64 %p15, %rd131, %rd130; selp.b64 %rd132, 160, 168, %p15; add.s64 %rd133, %rd2, %rd132;\n",
    "ld.global.u64 %rd134, [%rd3+96]; setp.gt.s64 %p16, %rd134, %rd130; ld.global.u64 %rd36, [%rd133];\n",
    "setp.lt.s64 %p17, %rd36, 1; or.pred %p18, %p17, %p16; @%p18 bra $L__BB12_21; shl.b32 %r118, %r186, 1;\n",
    "cvt.u64.u32 %rd135, %r118; setp.gt.s64 %p19, %rd36, %rd135; cvt.u32.u64 %r119, %rd36;\n",
    "selp.b32 %r186, %r118, %r119, %p19; nanosleep.u32 %r186; bra.uni $L__BB12_21; $L__BB12_17:\n",
    "setp.ne.s32 %p14, %r207, 1; @%p14 bra $L__BB12_83; mov.u32 %r207, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd250;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB12_83; $L__BB12_29:\n",
    "setp.ne.s32 %p27, %r207, 1; @%p27 bra $L__BB12_83; mov.u32 %r207, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd251;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB12_83; $L__BB12_35:\n",
    "ld.param.u64 %rd242, [sf_resident_wait_kernel_param_0+8]; setp.ne.s32 %p34, %r17, 0; mov.u32 %r31, 0;\n",
    "add.s64 %rd45, %rd242, 128; selp.b32 %r32, 8, 1, %p34; selp.u32 %r197, 1, 0, %p34; mov.u32 %r35, 125;\n",
    "mov.u64 %rd51, 0; mov.u64 %rd254, %rd120; $L__BB12_36: sub.s64 %rd150, %rd254, %rd25;\n",
    "setp.ge.s64 %p35, %rd150, %rd11; setp.gt.s64 %p36, %rd11, 0; and.pred %p37, %p36, %p35;\n",
    "@%p37 bra $L__BB12_67; setp.eq.s32 %p38, %r4, 0; @%p38 bra $L__BB12_39;\n",
    "ld.relaxed.gpu.u64 %rd51, [%rd107]; $L__BB12_39: setp.gt.u64 %p39, %rd261, %rd24; @%p39 bra $L__BB12_44;\n",
    "bra.uni $L__BB12_40; $L__BB12_44: @%p38 bra $L__BB12_51; bra.uni $L__BB12_45; $L__BB12_40:\n",
    "@%p38 bra $L__BB12_42; add.s32 %r36, %r197, 1; rem.u32 %r129, %r197, %r32; setp.ne.s32 %p41, %r129, 0;\n",
    "mov.u32 %r197, %r36; @%p41 bra $L__BB12_45; $L__BB12_42: @%p38 bra $L__BB12_50;\n",
    "ld.relaxed.sys.u64 %rd261, [%rd45]; mov.u64 %rd260, %rd254; $L__BB12_45: shr.u64 %rd157, %rd51, 32;\n",
    "cvt.u32.u64 %r39, %rd157; setp.eq.s32 %p44, %r15, %r39; cvt.u32.u64 %r130, %rd51;\n",
    "setp.ne.s32 %p45, %r130, 2; and.pred %p46, %p45, %p44; @%p46 bra $L__BB12_51; bra.uni $L__BB12_46;\n",
    "$L__BB12_51: and.b64 %rd161, %rd261, -4611686018427387904; setp.eq.s64 %p48, %rd161, 0;\n",
    "@%p48 bra $L__BB12_61; bra.uni $L__BB12_52; $L__BB12_61: setp.gt.u64 %p57, %rd261, %rd24;\n",
    "@%p57 bra $L__BB12_76; mov.u64 %rd254, %globaltimer; sub.s64 %rd64, %rd254, %rd120;\n",
    "add.s32 %r141, %r31, 1; and.b32 %r142, %r141, 15; setp.ne.s32 %p58, %r142, 0;\n",
    "setp.lt.s64 %p59, %rd64, %rd7; selp.b32 %r31, %r141, %r31, %p59; and.pred %p60, %p58, %p59;\n",
    "@%p60 bra $L__BB12_66; setp.gt.s64 %p62, %rd10, %rd64; selp.b64 %rd65, %rd8, %rd9, %p62;\n",
    "setp.lt.s64 %p63, %rd65, 1; or.pred %p64, %p59, %p63; @%p64 bra $L__BB12_65; shl.b32 %r144, %r35, 1;\n",
    "cvt.u64.u32 %rd172, %r144; setp.gt.s64 %p65, %rd65, %rd172; cvt.u32.u64 %r145, %rd65;\n",
    "selp.b32 %r35, %r144, %r145, %p65; nanosleep.u32 %r35; $L__BB12_65: setp.gt.u32 %p66, %r35, 2000;\n",
    "selp.b32 %r32, 1, %r32, %p66; ld.acquire.sys.u32 %r34, [%rd123]; mov.u64 %rd254, %globaltimer;\n",
    "$L__BB12_66: or.b32 %r147, %r16, %r34; setp.eq.s32 %p67, %r147, 0; @%p67 bra $L__BB12_36;\n",
    "bra.uni $L__BB12_67; $L__BB12_50: ld.acquire.sys.u64 %rd261, [%rd45]; mov.u64 %rd260, %rd254;\n",
    "bra.uni $L__BB12_51; $L__BB12_52: mov.u64 %rd162, %globaltimer; add.s64 %rd59, %rd107, 12;\n",
    "mov.u32 %r198, 125; mov.u64 %rd262, %rd162; bra.uni $L__BB12_53; $L__BB12_60:\n",
    "mov.u64 %rd262, %globaltimer; $L__BB12_53: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd262;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r207, [retval0+0]; } setp.ne.s32 %p49, %r207, 2; @%p49 bra $L__BB12_55; mov.u32 %r136, 1;\n",
    "st.relaxed.sys.u32 [%rd59], %r136; $L__BB12_55: setp.eq.s32 %p50, %r207, 0; @%p50 bra $L__BB12_58;\n",
    "bra.uni $L__BB12_56; $L__BB12_58: sub.s64 %rd164, %rd262, %rd162; ld.global.u64 %rd165, [%rd3+120];\n",
    "setp.gt.s64 %p52, %rd165, %rd164; selp.b64 %rd166, 160, 168, %p52; add.s64 %rd167, %rd2, %rd166;\n",
    "ld.global.u64 %rd168, [%rd3+96]; setp.gt.s64 %p53, %rd168, %rd164; ld.global.u64 %rd61, [%rd167];\n",
    "setp.lt.s64 %p54, %rd61, 1; or.pred %p55, %p54, %p53; @%p55 bra $L__BB12_60; shl.b32 %r139, %r198, 1;\n",
    "cvt.u64.u32 %rd169, %r139; setp.gt.s64 %p56, %rd61, %rd169; cvt.u32.u64 %r140, %rd61;\n",
    "selp.b32 %r198, %r139, %r140, %p56; nanosleep.u32 %r198; bra.uni $L__BB12_60; $L__BB12_56:\n",
    "setp.ne.s32 %p51, %r207, 1; @%p51 bra $L__BB12_83; mov.u32 %r207, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b64 param1; st.param.b64 [param1+0], %rd262;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB12_83; $L__BB12_76:\n",
    "add.s64 %rd185, %rd24, 1; st.global.u64 [%rd3+272], %rd185; st.global.u64 [%rd3+528], %rd261;\n",
    "mov.u32 %r155, 0; st.global.u32 [%rd3+1320], %r155; mov.u64 %rd184, %globaltimer;\n",
    "st.global.u64 [%rd3+1336], %rd260; add.s64 %rd186, %rd22, 1; st.global.u64 [%rd3+160], %rd186;\n",
    "st.global.u64 [%rd3+184], %rd184; st.global.u64 [%rd3+176], %rd184; mov.u32 %r207, 1;\n",
    "st.global.v2.u32 [%rd3+208], {%r207, %r207}; add.s32 %r156, %r14, 1; st.global.u32 [%rd3+216], %r156;\n",
    "bra.uni $L__BB12_83; $L__BB12_46: shr.u64 %rd244, %rd51, 32; cvt.u32.u64 %r184, %rd244;\n",
    "setp.eq.s32 %p110, %r15, %r184; @%p110 bra $L__BB12_48; bra.uni $L__BB12_47; $L__BB12_48:\n",
    "mov.u32 %r132, 1; st.relaxed.sys.u32 [%rd107], %r132; bra.uni $L__BB12_49; $L__BB12_47:\n",
    "add.s32 %r131, %r15, 1; st.global.u32 [%rd3+1312], %r131; $L__BB12_49: mov.u32 %r207, 1;\n",
    "st.global.u32 [%rd3+1320], %r207; mov.u64 %rd159, %globaltimer; st.global.u64 [%rd3+1336], %rd260;\n",
    "add.s64 %rd160, %rd22, 1; st.global.u64 [%rd3+160], %rd160; st.global.u64 [%rd3+184], %rd159;\n",
    "st.global.u64 [%rd3+176], %rd159; st.global.v2.u32 [%rd3+208], {%r207, %r207}; add.s32 %r134, %r14, 1;\n",
    "st.global.u32 [%rd3+216], %r134; $L__BB12_83: st.shared.u32 [sfi_resident_block_wait_turn], %r207;\n",
    "ld.global.u64 %rd189, [%rd3+272]; st.shared.u64 [sfi_resident_block_wait_taken], %rd189; $L__BB12_84:\n",
    "bar.sync 0; setp.ne.s32 %p79, %r4, 0; mov.u64 %rd266, 0; @%p79 bra $L__BB12_88;\n",
    "ld.shared.u64 %rd191, [sfi_resident_block_wait_taken]; add.s64 %rd76, %rd191, -1;\n",
    "and.b64 %rd192, %rd76, -4294967296; setp.eq.s64 %p80, %rd192, 0; @%p80 bra $L__BB12_87;\n",
    "rem.u64 %rd266, %rd76, %rd6; bra.uni $L__BB12_88; $L__BB12_87: cvt.u32.u64 %r160, %rd6;\n",
    "cvt.u32.u64 %r161, %rd76; rem.u32 %r162, %r161, %r160; cvt.u64.u32 %rd266, %r162; $L__BB12_88:\n",
    "mov.u32 %r178, %tid.x; setp.ne.s32 %p108, %r178, 0; ld.shared.u32 %r60, [sfi_resident_block_wait_turn];\n",
    "@%p108 bra $L__BB12_91; ld.param.u64 %rd239, [sf_resident_wait_kernel_param_0+16];\n",
    "st.global.u32 [%rd3+1296], %r91; setp.ne.s32 %p82, %r60, 2; setp.eq.s64 %p83, %rd239, 0;\n",
    "or.pred %p84, %p83, %p82; @%p84 bra $L__BB12_91;\n",
    "ld.param.u64 %rd240, [sf_resident_wait_kernel_param_0+16]; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd240; .param .b32 param1; st.param.b32 [param1+0], 0;\n",
    "call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB12_91: setp.ne.s32 %p85, %r60, 1;\n",
    "@%p85 bra $L__BB12_116; setp.eq.s32 %p86, %r3, 0; @%p86 bra $L__BB12_110; @%p79 bra $L__BB12_114;\n",
    "mov.u32 %r180, %tid.x; mov.u32 %r61, %ntid.x; mov.u32 %r163, 32; rem.u32 %r164, %r163, %r61;\n",
    "setp.ne.s32 %p88, %r180, %r164; mov.u64 %rd267, 0; @%p88 bra $L__BB12_96; shl.b64 %rd194, %rd266, 3;\n",
    "add.s64 %rd195, %rd5, %rd194; ld.volatile.u64 %rd267, [%rd195]; $L__BB12_96: @%p1 bra $L__BB12_107;\n",
    "mov.u32 %r181, %tid.x; cvt.u64.u32 %rd87, %r181; cvt.u64.u32 %rd88, %r61; and.b32 %r213, %r93, 3;\n",
    "add.s32 %r166, %r93, -1; setp.lt.u32 %p90, %r166, 3; mov.u32 %r210, 0; @%p90 bra $L__BB12_102;\n",
    "sub.s32 %r209, %r93, %r213; mov.u32 %r210, 0; $L__BB12_99: setp.eq.s32 %p91, %r210, 0;\n",
    "mov.u64 %rd268, %rd245; mov.u64 %rd269, %rd246; mov.u64 %rd270, %rd247; mov.u64 %rd271, %rd248;\n",
    "@%p91 bra $L__BB12_101; add.s32 %r168, %r210, %r92; mul.wide.u32 %rd196, %r168, 40;\n",
    "add.s64 %rd197, %rd4, %rd196; ld.u64 %rd268, [%rd197]; ld.u64 %rd269, [%rd197+8];\n",
    "ld.u64 %rd270, [%rd197+16]; ld.u64 %rd271, [%rd197+24]; $L__BB12_101: mul.lo.s64 %rd198, %rd271, %rd266;\n",
    "add.s64 %rd199, %rd268, %rd198; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd269; .param .b64 param1; st.param.b64 [param1+0], %rd199; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd270; .param .b64 param3; st.param.b64 [param3+0], %rd87; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd88; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r169, %r210, %r92; add.s32 %r170, %r169, 1; mul.wide.u32 %rd200, %r170, 40;\n",
    "add.s64 %rd201, %rd4, %rd200; ld.u64 %rd202, [%rd201+8]; ld.u64 %rd203, [%rd201+16];\n",
    "ld.u64 %rd204, [%rd201+24]; mul.lo.s64 %rd205, %rd204, %rd266; ld.u64 %rd206, [%rd201];\n",
    "add.s64 %rd207, %rd206, %rd205; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd202; .param .b64 param1; st.param.b64 [param1+0], %rd207; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd203; .param .b64 param3; st.param.b64 [param3+0], %rd87; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd88; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r171, %r169, 2; mul.wide.u32 %rd208, %r171, 40; add.s64 %rd209, %rd4, %rd208;\n",
    "ld.u64 %rd210, [%rd209+8]; ld.u64 %rd211, [%rd209+16]; ld.u64 %rd212, [%rd209+24];\n",
    "mul.lo.s64 %rd213, %rd212, %rd266; ld.u64 %rd214, [%rd209]; add.s64 %rd215, %rd214, %rd213; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd210; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd215; .param .b64 param2; st.param.b64 [param2+0], %rd211; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd87; .param .b64 param4; st.param.b64 [param4+0], %rd88; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r172, %r169, 3;\n",
    "mul.wide.u32 %rd216, %r172, 40; add.s64 %rd217, %rd4, %rd216; ld.u64 %rd218, [%rd217+8];\n",
    "ld.u64 %rd219, [%rd217+16]; ld.u64 %rd220, [%rd217+24]; mul.lo.s64 %rd221, %rd220, %rd266;\n",
    "ld.u64 %rd222, [%rd217]; add.s64 %rd223, %rd222, %rd221; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd218; .param .b64 param1; st.param.b64 [param1+0], %rd223; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd219; .param .b64 param3; st.param.b64 [param3+0], %rd87; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd88; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r210, %r210, 4; add.s32 %r209, %r209, -4; setp.ne.s32 %p92, %r209, 0; @%p92 bra $L__BB12_99;\n",
    "$L__BB12_102: setp.eq.s32 %p93, %r213, 0; @%p93 bra $L__BB12_107; add.s32 %r211, %r92, %r210;\n",
    "$L__BB12_104: .pragma \"nounroll\"; setp.eq.s32 %p94, %r210, 0; mov.u64 %rd272, %rd245;\n",
    "mov.u64 %rd273, %rd246; mov.u64 %rd274, %rd247; mov.u64 %rd275, %rd248; @%p94 bra $L__BB12_106;\n",
    "mul.wide.u32 %rd224, %r211, 40; add.s64 %rd225, %rd4, %rd224; ld.u64 %rd272, [%rd225];\n",
    "ld.u64 %rd273, [%rd225+8]; ld.u64 %rd274, [%rd225+16]; ld.u64 %rd275, [%rd225+24]; $L__BB12_106:\n",
    "mul.lo.s64 %rd226, %rd275, %rd266; add.s64 %rd227, %rd272, %rd226; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd273; .param .b64 param1; st.param.b64 [param1+0], %rd227;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd274; .param .b64 param3; st.param.b64 [param3+0], %rd87;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd88; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r210, %r210, 1; add.s32 %r211, %r211, 1; add.s32 %r213, %r213, -1;\n",
    "setp.ne.s32 %p95, %r213, 0; @%p95 bra $L__BB12_104; $L__BB12_107: setp.eq.s64 %p96, %rd267, 0;\n",
    "@%p96 bra $L__BB12_114; mov.u64 %rd228, %globaltimer; setp.ge.s64 %p97, %rd267, %rd228;\n",
    "@%p97 bra $L__BB12_114; st.global.u64 [%rd3+176], %rd267; bra.uni $L__BB12_114; $L__BB12_110:\n",
    "mov.u32 %r182, %tid.x; mov.u32 %r76, %ntid.x; mov.u32 %r173, 32; rem.u32 %r174, %r173, %r76;\n",
    "setp.ne.s32 %p98, %r182, %r174; @%p98 bra $L__BB12_112; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd107; call.uni sfi_resident_when, ( param0 ); } $L__BB12_112:\n",
    "@%p1 bra $L__BB12_114; mov.u32 %r183, %tid.x; cvt.u64.u32 %rd229, %r183; cvt.u64.u32 %rd230, %r76; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd107; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r92; .param .b32 param2; st.param.b32 [param2+0], %r93; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd229; .param .b64 param4; st.param.b64 [param4+0], %rd230; call.uni\n",
    "sfi_resident_copy_all, ( param0, param1, param2, param3, param4 ); } $L__BB12_114: mov.u32 %r179, %tid.x;\n",
    "setp.ne.s32 %p109, %r179, 0; or.pred %p102, %p109, %p1; @%p102 bra $L__BB12_116;\n",
    "mov.u64 %rd231, %globaltimer; st.global.u64 [%rd3+184], %rd231; $L__BB12_116: ret; }\n",
    ".visible .entry sf_resident_publish_kernel( .param .align 8 .b8 sf_resident_publish_kernel_param_0[80] )\n",
    "{ .reg .pred %p<35>; .reg .b32 %r<96>; .reg .b64 %rd<164>;\n",
    "ld.param.v2.u32 {%r44, %r45}, [sf_resident_publish_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r46, %r47}, [sf_resident_publish_kernel_param_0+48];\n",
    "ld.param.u64 %rd61, [sf_resident_publish_kernel_param_0+8];\n",
    "ld.param.u64 %rd60, [sf_resident_publish_kernel_param_0]; cvta.to.global.u64 %rd160, %rd60;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd160, 40; ld.global.u64 %rd4, [%rd160+40]; ld.global.u64 %rd5, [%rd160+64];\n",
    "ld.global.u64 %rd6, [%rd160+56]; ld.global.u32 %r1, [%rd160+108]; ld.global.u32 %r54, [%rd160+116];\n",
    "setp.eq.s32 %p2, %r54, 0; mov.u32 %r88, 0; @%p2 bra $L__BB13_2; ld.global.u32 %r88, [%rd3+52];\n",
    "$L__BB13_2: ld.global.u32 %r6, [%rd3+60]; ld.global.u64 %rd7, [%rd3+152]; setp.eq.s32 %p3, %r46, 0;\n",
    "mov.u64 %rd146, 0; mov.u64 %rd147, %rd146; mov.u64 %rd148, %rd146; mov.u64 %rd149, %rd146;\n",
    "@%p3 bra $L__BB13_4; mul.wide.u32 %rd69, %r45, 40; add.s64 %rd70, %rd6, %rd69; ld.u64 %rd149, [%rd70+24];\n",
    "ld.u64 %rd148, [%rd70+16]; ld.u64 %rd147, [%rd70+8]; ld.u64 %rd146, [%rd70]; $L__BB13_4:\n",
    "griddepcontrol.wait;\n",
    "add.s64 %rd71, %rd60, 8; ld.relaxed.sys.u32 %r59, [%rd71]; ld.global.u32 %r12, [%rd3+1312];\n",
    "ld.global.u32 %r13, [%rd3+232]; ld.global.v2.u32 {%r60, %r61}, [%rd3+224];\n",
    "ld.global.u64 %rd16, [%rd3+216]; ld.global.u64 %rd158, [%rd3+208]; ld.global.u64 %rd18, [%rd3+200];\n",
    "ld.global.u64 %rd19, [%rd3+192]; ld.global.u64 %rd20, [%rd3+184]; ld.global.u64 %rd21, [%rd3+176];\n",
    "ld.global.u64 %rd22, [%rd3+160]; setp.eq.s32 %p5, %r60, 0; mov.pred %p34, 0; @%p5 bra $L__BB13_17;\n",
    "mov.u64 %rd158, %globaltimer; mov.pred %p34, -1; @%p3 bra $L__BB13_17; add.s32 %r63, %r6, -1;\n",
    "cvt.u64.u32 %rd73, %r63; and.b64 %rd28, %rd22, %rd73; mov.u32 %r64, %tid.x; cvt.u64.u32 %rd29, %r64;\n",
    "mov.u32 %r65, %ntid.x; cvt.u64.u32 %rd30, %r65; and.b32 %r94, %r46, 3; add.s32 %r66, %r46, -1;\n",
    "setp.lt.u32 %p8, %r66, 3; mov.u32 %r91, 0; @%p8 bra $L__BB13_11; sub.s32 %r90, %r46, %r94;\n",
    "mov.u32 %r91, 0; $L__BB13_8: setp.eq.s32 %p9, %r91, 0; mov.u64 %rd150, %rd146; mov.u64 %rd151, %rd147;\n",
    "mov.u64 %rd152, %rd148; mov.u64 %rd153, %rd149; @%p9 bra $L__BB13_10; add.s32 %r68, %r91, %r45;\n",
    "mul.wide.u32 %rd74, %r68, 40; add.s64 %rd75, %rd6, %rd74; ld.u64 %rd150, [%rd75];\n",
    "ld.u64 %rd151, [%rd75+8]; ld.u64 %rd152, [%rd75+16]; ld.u64 %rd153, [%rd75+24]; $L__BB13_10:\n",
    "mul.lo.s64 %rd76, %rd153, %rd28; add.s64 %rd77, %rd150, %rd76; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd77; .param .b64 param1; st.param.b64 [param1+0], %rd151;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd152; .param .b64 param3; st.param.b64 [param3+0], %rd29;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r69, %r91, %r45; add.s32 %r70, %r69, 1; mul.wide.u32 %rd78, %r70, 40;\n",
    "add.s64 %rd79, %rd6, %rd78; ld.u64 %rd80, [%rd79+8]; ld.u64 %rd81, [%rd79+16]; ld.u64 %rd82, [%rd79+24];\n",
    "mul.lo.s64 %rd83, %rd82, %rd28; ld.u64 %rd84, [%rd79]; add.s64 %rd85, %rd84, %rd83; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd85; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd80; .param .b64 param2; st.param.b64 [param2+0], %rd81; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd29; .param .b64 param4; st.param.b64 [param4+0], %rd30; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r71, %r69, 2;\n",
    "mul.wide.u32 %rd86, %r71, 40; add.s64 %rd87, %rd6, %rd86; ld.u64 %rd88, [%rd87+8];\n",
    "ld.u64 %rd89, [%rd87+16]; ld.u64 %rd90, [%rd87+24]; mul.lo.s64 %rd91, %rd90, %rd28;\n",
    "ld.u64 %rd92, [%rd87]; add.s64 %rd93, %rd92, %rd91; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd93; .param .b64 param1; st.param.b64 [param1+0], %rd88; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd89; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r72, %r69, 3; mul.wide.u32 %rd94, %r72, 40; add.s64 %rd95, %rd6, %rd94; ld.u64 %rd96, [%rd95+8];\n",
    "ld.u64 %rd97, [%rd95+16]; ld.u64 %rd98, [%rd95+24]; mul.lo.s64 %rd99, %rd98, %rd28;\n",
    "ld.u64 %rd100, [%rd95]; add.s64 %rd101, %rd100, %rd99; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd101; .param .b64 param1; st.param.b64 [param1+0], %rd96; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd97; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r91, %r91, 4; add.s32 %r90, %r90, -4; setp.ne.s32 %p10, %r90, 0; @%p10 bra $L__BB13_8;\n",
    "$L__BB13_11: setp.eq.s32 %p11, %r94, 0; @%p11 bra $L__BB13_16; add.s32 %r92, %r45, %r91; $L__BB13_13:\n",
    ".pragma \"nounroll\"; setp.eq.s32 %p12, %r91, 0; mov.u64 %rd154, %rd146; mov.u64 %rd155, %rd147;\n",
    "mov.u64 %rd156, %rd148; mov.u64 %rd157, %rd149; @%p12 bra $L__BB13_15; mul.wide.u32 %rd102, %r92, 40;\n",
    "add.s64 %rd103, %rd6, %rd102; ld.u64 %rd154, [%rd103]; ld.u64 %rd155, [%rd103+8];\n",
    "ld.u64 %rd156, [%rd103+16]; ld.u64 %rd157, [%rd103+24]; $L__BB13_15: mul.lo.s64 %rd104, %rd157, %rd28;\n",
    "add.s64 %rd105, %rd154, %rd104; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd105; .param .b64 param1; st.param.b64 [param1+0], %rd155; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd156; .param .b64 param3; st.param.b64 [param3+0], %rd29; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd30; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r91, %r91, 1; add.s32 %r92, %r92, 1; add.s32 %r94, %r94, -1; setp.ne.s32 %p13, %r94, 0;\n",
    "@%p13 bra $L__BB13_13; $L__BB13_16: bar.sync 0; $L__BB13_17: mov.u32 %r30, %tid.x;\n",
    "setp.gt.u32 %p15, %r30, 31; not.pred %p16, %p34; or.pred %p17, %p15, %p16; @%p17 bra $L__BB13_34;\n",
    "setp.ne.s32 %p18, %r30, 0; @%p18 bra $L__BB13_20; mov.u64 %rd106, %globaltimer; cvt.u64.u32 %rd107, %r61;\n",
    "cvt.u64.u32 %rd108, %r13; bfi.b64 %rd109, %rd108, %rd107, 32, 32; sub.s64 %rd110, %rd106, %rd19;\n",
    "setp.gt.s64 %p19, %rd110, %rd7; setp.gt.s64 %p20, %rd7, 0; and.pred %p21, %p20, %p19;\n",
    "selp.u64 %rd111, 1, 0, %p21; add.s64 %rd112, %rd20, %rd111;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record], %rd21; cvt.u64.u32 %rd113, %r59;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+8], %rd113;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+16], %rd109;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+24], %rd19;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+32], %rd18;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+40], %rd158;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+48], %rd106;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+56], %rd112; $L__BB13_20: bar.warp.sync -1;\n",
    "setp.gt.u32 %p22, %r30, 7; @%p22 bra $L__BB13_22; cvt.u64.u32 %rd116, %r1; and.b64 %rd117, %rd22, %rd116;\n",
    "shl.b64 %rd118, %rd117, 6; add.s64 %rd119, %rd4, %rd118; mul.wide.u32 %rd120, %r30, 8;\n",
    "add.s64 %rd114, %rd119, %rd120; shl.b32 %r73, %r30, 3; mov.u32 %r74, sfi_resident_warp_publish_record;\n",
    "add.s32 %r75, %r74, %r73; ld.shared.u64 %rd115, [%r75]; st.relaxed.sys.u64 [%rd114], %rd115; $L__BB13_22:\n",
    "bar.warp.sync -1; @%p18 bra $L__BB13_27; setp.eq.s32 %p24, %r88, 0; @%p24 bra $L__BB13_26;\n",
    "add.s64 %rd159, %rd61, 8704; mov.u32 %r95, 0; $L__BB13_25: .pragma \"nounroll\";\n",
    "ld.global.u64 %rd122, [%rd160+328]; st.relaxed.sys.u64 [%rd159], %rd122; add.s64 %rd160, %rd160, 8;\n",
    "add.s64 %rd159, %rd159, 8; add.s32 %r95, %r95, 1; setp.lt.u32 %p25, %r95, %r88; @%p25 bra $L__BB13_25;\n",
    "$L__BB13_26: fence.acq_rel.sys; add.s64 %rd124, %rd22, 1; add.s64 %rd123, %rd61, 8320;\n",
    "st.relaxed.sys.u64 [%rd123], %rd124; add.s64 %rd125, %rd61, 8328; st.relaxed.sys.u64 [%rd125], %rd21;\n",
    "st.global.u64 [%rd3+160], %rd124; st.global.u64 [%rd3+168], %rd21; mov.u32 %r77, 0;\n",
    "ld.shared.u64 %rd127, [sfi_resident_warp_publish_record+56]; st.global.u64 [%rd3+184], %rd127;\n",
    "ld.shared.u64 %rd128, [sfi_resident_warp_publish_record+48]; st.global.u64 [%rd3+216], %rd128;\n",
    "st.global.u32 [%rd3+224], %r77; st.global.u32 [%rd3+236], %r12; $L__BB13_27:\n",
    "ld.shared.u64 %rd163, [sfi_resident_warp_publish_record+40]; setp.gt.u32 %p26, %r30, 4;\n",
    "@%p26 bra $L__BB13_34; ld.shared.u64 %rd55, [sfi_resident_warp_publish_record+48];\n",
    "setp.eq.s32 %p27, %r30, 2; mov.u64 %rd162, %rd18; @%p27 bra $L__BB13_32; setp.eq.s32 %p28, %r30, 3;\n",
    "mov.u64 %rd162, %rd163; @%p28 bra $L__BB13_31; setp.eq.s32 %p29, %r30, 4;\n",
    "selp.b64 %rd162, %rd16, %rd19, %p29; setp.eq.s32 %p30, %r30, 1; mov.u64 %rd163, %rd18;\n",
    "@%p30 bra $L__BB13_32; $L__BB13_31: mov.u64 %rd163, %rd55; $L__BB13_32: setp.eq.s64 %p31, %rd162, 0;\n",
    "@%p31 bra $L__BB13_34; sub.s64 %rd129, %rd163, %rd162; max.s64 %rd130, %rd129, 0;\n",
    "setp.gt.u64 %p32, %rd130, 31; clz.b64 %r78, %rd130; mov.u32 %r79, 59; sub.s32 %r80, %r79, %r78;\n",
    "selp.b32 %r81, %r80, 0, %p32; setp.lt.u64 %p33, %rd130, 16; cvt.u32.u64 %r82, %rd130;\n",
    "shl.b32 %r83, %r81, 4; shr.u64 %rd131, %rd130, %r81; cvt.u32.u64 %r84, %rd131; add.s32 %r85, %r83, %r84;\n",
    "selp.b32 %r86, %r82, %r85, %p33; min.u32 %r87, %r86, 767; mul.wide.u32 %rd132, %r87, 8;\n",
    "mul.wide.u32 %rd133, %r30, 6176; add.s64 %rd134, %rd5, %rd133; add.s64 %rd135, %rd134, %rd132;\n",
    "add.s64 %rd136, %rd135, 32; atom.add.u64 %rd137, [%rd136], 1; add.s64 %rd138, %rd134, 8;\n",
    "atom.add.u64 %rd139, [%rd138], %rd130; add.s64 %rd140, %rd134, 16; not.b64 %rd141, %rd130;\n",
    "atom.max.u64 %rd142, [%rd140], %rd141; add.s64 %rd143, %rd134, 24; atom.max.u64 %rd144, [%rd143], %rd130;\n",
    "atom.add.u64 %rd145, [%rd134], 1; $L__BB13_34: ret; } .visible .entry sf_resident_turn_kernel(\n",
    ".param .align 8 .b8 sf_resident_turn_kernel_param_0[80] ) { .reg .pred %p<169>; .reg .b16 %rs<14>;\n",
    ".reg .b32 %r<328>; .reg .b64 %rd<516>; .shared .align 1 .u8 sf_resident_turn_kernel_goes_on;\n",
    ".shared .align 8 .u64 sf_resident_turn_kernel_submitted;\n",
    "ld.param.v2.u32 {%r138, %r139}, [sf_resident_turn_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r140, %r141}, [sf_resident_turn_kernel_param_0+48];\n",
    "ld.param.v2.u32 {%r142, %r143}, [sf_resident_turn_kernel_param_0+56];\n",
    "ld.param.u64 %rd187, [sf_resident_turn_kernel_param_0]; cvta.to.global.u64 %rd2, %rd187;\n",
    "griddepcontrol.launch_dependents;\n",
    "add.s64 %rd3, %rd2, 40; ld.global.u64 %rd4, [%rd2+40]; ld.global.u64 %rd5, [%rd2+64];\n",
    "ld.global.u64 %rd6, [%rd2+56]; ld.global.u64 %rd7, [%rd2+48]; ld.global.u32 %r1, [%rd2+108];\n",
    "ld.global.u32 %r148, [%rd2+116]; setp.eq.s32 %p1, %r148, 0; mov.u32 %r283, 0; @%p1 bra $L__BB14_2;\n",
    "ld.global.u32 %r283, [%rd3+52]; $L__BB14_2: ld.global.u32 %r6, [%rd3+-24]; ld.global.u32 %r7, [%rd3+84];\n",
    "ld.global.u32 %r8, [%rd3+88]; ld.global.v2.u32 {%r151, %r152}, [%rd3+56]; ld.global.u32 %rd8, [%rd3+64];\n",
    "ld.global.u64 %rd9, [%rd3+112]; ld.global.u64 %rd10, [%rd3+120]; ld.global.u64 %rd11, [%rd3+128];\n",
    "ld.global.u64 %rd12, [%rd3+136]; ld.global.u64 %rd13, [%rd3+144]; ld.global.u64 %rd14, [%rd3+152];\n",
    "setp.eq.s32 %p2, %r142, 0; mov.u64 %rd463, 0; mov.u64 %rd19, %rd463; mov.u64 %rd20, %rd463;\n",
    "mov.u64 %rd21, %rd463; mov.u64 %rd22, %rd463; @%p2 bra $L__BB14_4; mul.wide.u32 %rd196, %r141, 40;\n",
    "add.s64 %rd197, %rd6, %rd196; ld.u64 %rd22, [%rd197+24]; ld.u64 %rd21, [%rd197+16];\n",
    "ld.u64 %rd20, [%rd197+8]; ld.u64 %rd19, [%rd197]; $L__BB14_4: setp.eq.s32 %p3, %r140, 0;\n",
    "mov.u64 %rd464, %rd463; mov.u64 %rd465, %rd463; mov.u64 %rd466, %rd463; @%p3 bra $L__BB14_6;\n",
    "mul.wide.u32 %rd202, %r139, 40; add.s64 %rd203, %rd6, %rd202; ld.u64 %rd466, [%rd203+24];\n",
    "ld.u64 %rd465, [%rd203+16]; ld.u64 %rd464, [%rd203+8]; ld.u64 %rd463, [%rd203]; $L__BB14_6:\n",
    "griddepcontrol.wait;\n",
    "add.s64 %rd204, %rd187, 8; ld.relaxed.sys.u32 %r159, [%rd204]; ld.global.u32 %r22, [%rd3+1312];\n",
    "ld.global.u64 %rd32, [%rd3+288]; ld.global.u64 %rd33, [%rd3+544]; ld.global.u32 %r23, [%rd3+232];\n",
    "ld.global.v2.u32 {%r160, %r161}, [%rd3+224]; ld.global.u64 %rd34, [%rd3+216];\n",
    "ld.global.u64 %rd35, [%rd3+200]; ld.global.u64 %rd36, [%rd3+192]; ld.global.u64 %rd37, [%rd3+184];\n",
    "ld.global.u64 %rd38, [%rd3+176]; ld.global.u64 %rd39, [%rd3+160]; mov.u32 %r26, %tid.x;\n",
    "setp.ne.s32 %p4, %r26, 0; @%p4 bra $L__BB14_8; mov.u16 %rs3, 0;\n",
    "st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs3; mov.u64 %rd205, 0;\n",
    "st.shared.u64 [sf_resident_turn_kernel_submitted], %rd205; $L__BB14_8: bar.sync 0;\n",
    "setp.eq.s32 %p5, %r160, 0; @%p5 bra $L__BB14_71; setp.eq.s32 %p168, %r140, 0;\n",
    "mov.u64 %rd206, %globaltimer; @%p168 bra $L__BB14_21; add.s32 %r163, %r152, -1;\n",
    "cvt.u64.u32 %rd207, %r163; and.b64 %rd50, %rd39, %rd207; cvt.u64.u32 %rd51, %r26; mov.u32 %r164, %ntid.x;\n",
    "cvt.u64.u32 %rd52, %r164; add.s32 %r165, %r140, -1; setp.lt.u32 %p7, %r165, 3; mov.u32 %r286, 0;\n",
    "@%p7 bra $L__BB14_15; and.b32 %r282, %r140, 3; sub.s32 %r285, %r140, %r282; mov.u32 %r286, 0;\n",
    "$L__BB14_12: setp.eq.s32 %p8, %r286, 0; mov.u64 %rd467, %rd463; mov.u64 %rd468, %rd464;\n",
    "mov.u64 %rd469, %rd465; mov.u64 %rd470, %rd466; @%p8 bra $L__BB14_14; add.s32 %r167, %r286, %r139;\n",
    "mul.wide.u32 %rd208, %r167, 40; add.s64 %rd209, %rd6, %rd208; ld.u64 %rd467, [%rd209];\n",
    "ld.u64 %rd468, [%rd209+8]; ld.u64 %rd469, [%rd209+16]; ld.u64 %rd470, [%rd209+24]; $L__BB14_14:\n",
    "mul.lo.s64 %rd210, %rd470, %rd50; add.s64 %rd211, %rd467, %rd210; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd211; .param .b64 param1; st.param.b64 [param1+0], %rd468;\n",
    ".param .b64 param2; st.param.b64 [param2+0], %rd469; .param .b64 param3; st.param.b64 [param3+0], %rd51;\n",
    ".param .b64 param4; st.param.b64 [param4+0], %rd52; call.uni sfi_resident_move, ( param0, param1, param2,\n",
    "param3, param4 ); } add.s32 %r168, %r286, %r139; add.s32 %r169, %r168, 1; mul.wide.u32 %rd212, %r169, 40;\n",
    "add.s64 %rd213, %rd6, %rd212; ld.u64 %rd214, [%rd213+8]; ld.u64 %rd215, [%rd213+16];\n",
    "ld.u64 %rd216, [%rd213+24]; mul.lo.s64 %rd217, %rd216, %rd50; ld.u64 %rd218, [%rd213];\n",
    "add.s64 %rd219, %rd218, %rd217; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd219; .param .b64 param1; st.param.b64 [param1+0], %rd214; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd215; .param .b64 param3; st.param.b64 [param3+0], %rd51; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd52; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r170, %r168, 2; mul.wide.u32 %rd220, %r170, 40; add.s64 %rd221, %rd6, %rd220;\n",
    "ld.u64 %rd222, [%rd221+8]; ld.u64 %rd223, [%rd221+16]; ld.u64 %rd224, [%rd221+24];\n",
    "mul.lo.s64 %rd225, %rd224, %rd50; ld.u64 %rd226, [%rd221]; add.s64 %rd227, %rd226, %rd225; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd227; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd222; .param .b64 param2; st.param.b64 [param2+0], %rd223; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd51; .param .b64 param4; st.param.b64 [param4+0], %rd52; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r171, %r168, 3;\n",
    "mul.wide.u32 %rd228, %r171, 40; add.s64 %rd229, %rd6, %rd228; ld.u64 %rd230, [%rd229+8];\n",
    "ld.u64 %rd231, [%rd229+16]; ld.u64 %rd232, [%rd229+24]; mul.lo.s64 %rd233, %rd232, %rd50;\n",
    "ld.u64 %rd234, [%rd229]; add.s64 %rd235, %rd234, %rd233; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd235; .param .b64 param1; st.param.b64 [param1+0], %rd230; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd231; .param .b64 param3; st.param.b64 [param3+0], %rd51; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd52; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r286, %r286, 4; add.s32 %r285, %r285, -4; setp.ne.s32 %p9, %r285, 0; @%p9 bra $L__BB14_12;\n",
    "$L__BB14_15: and.b32 %r280, %r140, 3; setp.eq.s32 %p10, %r280, 0; @%p10 bra $L__BB14_20;\n",
    "and.b32 %r289, %r140, 3; add.s32 %r287, %r139, %r286; $L__BB14_17: .pragma \"nounroll\";\n",
    "setp.eq.s32 %p11, %r286, 0; mov.u64 %rd471, %rd463; mov.u64 %rd472, %rd464; mov.u64 %rd473, %rd465;\n",
    "mov.u64 %rd474, %rd466; @%p11 bra $L__BB14_19; mul.wide.u32 %rd236, %r287, 40;\n",
    "add.s64 %rd237, %rd6, %rd236; ld.u64 %rd471, [%rd237]; ld.u64 %rd472, [%rd237+8];\n",
    "ld.u64 %rd473, [%rd237+16]; ld.u64 %rd474, [%rd237+24]; $L__BB14_19: mul.lo.s64 %rd238, %rd474, %rd50;\n",
    "add.s64 %rd239, %rd471, %rd238; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd239; .param .b64 param1; st.param.b64 [param1+0], %rd472; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd473; .param .b64 param3; st.param.b64 [param3+0], %rd51; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd52; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r286, %r286, 1; add.s32 %r287, %r287, 1; add.s32 %r289, %r289, -1; setp.ne.s32 %p12, %r289, 0;\n",
    "@%p12 bra $L__BB14_17; $L__BB14_20: bar.sync 0; $L__BB14_21: setp.lt.u32 %p13, %r26, 32;\n",
    "@%p13 bra $L__BB14_54; bra.uni $L__BB14_22; $L__BB14_54: @%p4 bra $L__BB14_56;\n",
    "mov.u64 %rd288, %globaltimer; cvt.u64.u32 %rd289, %r161; cvt.u64.u32 %rd290, %r23;\n",
    "bfi.b64 %rd291, %rd290, %rd289, 32, 32; sub.s64 %rd292, %rd288, %rd36; setp.gt.s64 %p42, %rd292, %rd14;\n",
    "setp.gt.s64 %p43, %rd14, 0; and.pred %p44, %p43, %p42; selp.u64 %rd293, 1, 0, %p44;\n",
    "add.s64 %rd294, %rd37, %rd293; st.shared.u64 [sfi_resident_warp_publish_record], %rd38;\n",
    "cvt.u64.u32 %rd295, %r159; st.shared.u64 [sfi_resident_warp_publish_record+8], %rd295;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+16], %rd291;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+24], %rd36;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+32], %rd35;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+40], %rd206;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+48], %rd288;\n",
    "st.shared.u64 [sfi_resident_warp_publish_record+56], %rd294; $L__BB14_56: bar.warp.sync -1;\n",
    "setp.gt.u32 %p45, %r26, 7; @%p45 bra $L__BB14_58; cvt.u64.u32 %rd298, %r1; and.b64 %rd299, %rd39, %rd298;\n",
    "shl.b64 %rd300, %rd299, 6; add.s64 %rd301, %rd4, %rd300; mul.wide.u32 %rd302, %r26, 8;\n",
    "add.s64 %rd296, %rd301, %rd302; shl.b32 %r189, %r26, 3; mov.u32 %r190, sfi_resident_warp_publish_record;\n",
    "add.s32 %r191, %r190, %r189; ld.shared.u64 %rd297, [%r191]; st.relaxed.sys.u64 [%rd296], %rd297;\n",
    "$L__BB14_58: bar.warp.sync -1; @%p4 bra $L__BB14_63; setp.eq.s32 %p47, %r283, 0; @%p47 bra $L__BB14_62;\n",
    "ld.param.u64 %rd457, [sf_resident_turn_kernel_param_0+8]; add.s64 %rd484, %rd457, 8704; mov.u32 %r297, 0;\n",
    "mov.u64 %rd485, %rd2; $L__BB14_61: .pragma \"nounroll\"; ld.global.u64 %rd304, [%rd485+328];\n",
    "st.relaxed.sys.u64 [%rd484], %rd304; add.s64 %rd485, %rd485, 8; add.s64 %rd484, %rd484, 8;\n",
    "add.s32 %r297, %r297, 1; setp.lt.u32 %p48, %r297, %r283; @%p48 bra $L__BB14_61; $L__BB14_62:\n",
    "ld.param.u64 %rd458, [sf_resident_turn_kernel_param_0+8]; fence.acq_rel.sys; add.s64 %rd306, %rd39, 1;\n",
    "add.s64 %rd305, %rd458, 8320; st.relaxed.sys.u64 [%rd305], %rd306; add.s64 %rd307, %rd458, 8328;\n",
    "st.relaxed.sys.u64 [%rd307], %rd38; st.global.u64 [%rd3+160], %rd306; st.global.u64 [%rd3+168], %rd38;\n",
    "mov.u32 %r193, 0; ld.shared.u64 %rd309, [sfi_resident_warp_publish_record+56];\n",
    "st.global.u64 [%rd3+184], %rd309; ld.shared.u64 %rd310, [sfi_resident_warp_publish_record+48];\n",
    "st.global.u64 [%rd3+216], %rd310; st.global.u32 [%rd3+224], %r193; st.global.u32 [%rd3+236], %r22;\n",
    "$L__BB14_63: ld.shared.u64 %rd488, [sfi_resident_warp_publish_record+40]; setp.gt.u32 %p49, %r26, 4;\n",
    "@%p49 bra $L__BB14_70; ld.shared.u64 %rd99, [sfi_resident_warp_publish_record+48];\n",
    "setp.eq.s32 %p50, %r26, 2; mov.u64 %rd487, %rd35; @%p50 bra $L__BB14_68; setp.eq.s32 %p51, %r26, 3;\n",
    "mov.u64 %rd487, %rd488; @%p51 bra $L__BB14_67; setp.eq.s32 %p52, %r26, 4;\n",
    "selp.b64 %rd487, %rd34, %rd36, %p52; setp.eq.s32 %p53, %r26, 1; mov.u64 %rd488, %rd35;\n",
    "@%p53 bra $L__BB14_68; $L__BB14_67: mov.u64 %rd488, %rd99; $L__BB14_68: setp.eq.s64 %p54, %rd487, 0;\n",
    "@%p54 bra $L__BB14_70; sub.s64 %rd311, %rd488, %rd487; max.s64 %rd312, %rd311, 0;\n",
    "setp.gt.u64 %p55, %rd312, 31; clz.b64 %r194, %rd312; mov.u32 %r195, 59; sub.s32 %r196, %r195, %r194;\n",
    "selp.b32 %r197, %r196, 0, %p55; setp.lt.u64 %p56, %rd312, 16; cvt.u32.u64 %r198, %rd312;\n",
    "shl.b32 %r199, %r197, 4; shr.u64 %rd313, %rd312, %r197; cvt.u32.u64 %r200, %rd313;\n",
    "add.s32 %r201, %r199, %r200; selp.b32 %r202, %r198, %r201, %p56; min.u32 %r203, %r202, 767;\n",
    "mul.wide.u32 %rd314, %r203, 8; mul.wide.u32 %rd315, %r26, 6176; add.s64 %rd316, %rd5, %rd315;\n",
    "add.s64 %rd317, %rd316, %rd314; add.s64 %rd318, %rd317, 32; atom.add.u64 %rd319, [%rd318], 1;\n",
    "add.s64 %rd320, %rd316, 8; atom.add.u64 %rd321, [%rd320], %rd312; add.s64 %rd322, %rd316, 16;\n",
    "not.b64 %rd323, %rd312; atom.max.u64 %rd324, [%rd322], %rd323; add.s64 %rd325, %rd316, 24;\n",
    "atom.max.u64 %rd326, [%rd325], %rd312; atom.add.u64 %rd327, [%rd316], 1; bra.uni $L__BB14_70;\n",
    "$L__BB14_22: setp.eq.s32 %p14, %r6, 0; setp.le.u64 %p15, %rd33, %rd32; or.pred %p16, %p14, %p15;\n",
    "@%p16 bra $L__BB14_70; add.s32 %r42, %r26, -32; mov.u32 %r172, %ntid.x; add.s32 %r43, %r172, -32;\n",
    "setp.ne.s32 %p17, %r42, 0; @%p17 bra $L__BB14_37; mov.u64 %rd240, %globaltimer;\n",
    "setp.ne.s32 %p18, %r159, 0; mov.u16 %rs13, 0; @%p18 bra $L__BB14_36; ld.global.u32 %r173, [%rd3+1324];\n",
    "setp.ne.s32 %p19, %r173, 0; @%p19 bra $L__BB14_36; ld.global.u32 %r174, [%rd3+1320];\n",
    "setp.ne.s32 %p20, %r174, 0; @%p20 bra $L__BB14_36; bra.uni $L__BB14_27; $L__BB14_36:\n",
    "st.shared.u8 [sf_resident_turn_kernel_goes_on], %rs13; $L__BB14_37: bar.warp.sync -1; bar.sync 1, %r43;\n",
    "ld.shared.u8 %rs11, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p29, %rs11, 0;\n",
    "setp.ne.s32 %p30, %r7, 0; or.pred %p31, %p30, %p29; @%p31 bra $L__BB14_70;\n",
    "and.b64 %rd252, %rd32, -4294967296; setp.eq.s64 %p32, %rd252, 0; @%p32 bra $L__BB14_40;\n",
    "rem.u64 %rd475, %rd32, %rd8; bra.uni $L__BB14_41; $L__BB14_40: cvt.u32.u64 %r178, %rd8;\n",
    "cvt.u32.u64 %r179, %rd32; rem.u32 %r180, %r179, %r178; cvt.u64.u32 %rd475, %r180; $L__BB14_41:\n",
    "@%p17 bra $L__BB14_43; shl.b64 %rd253, %rd475, 3; add.s64 %rd254, %rd7, %rd253;\n",
    "ld.volatile.u64 %rd255, [%rd254]; st.shared.u64 [sf_resident_turn_kernel_submitted], %rd255; $L__BB14_43:\n",
    "@%p2 bra $L__BB14_70; cvt.u64.u32 %rd75, %r42; cvt.u64.u32 %rd76, %r43; and.b32 %r296, %r142, 3;\n",
    "add.s32 %r182, %r142, -1; setp.lt.u32 %p35, %r182, 3; mov.u32 %r293, 0; @%p35 bra $L__BB14_49;\n",
    "sub.s32 %r292, %r142, %r296; mov.u32 %r293, 0; $L__BB14_46: setp.eq.s32 %p36, %r293, 0;\n",
    "mov.u64 %rd476, %rd19; mov.u64 %rd477, %rd20; mov.u64 %rd478, %rd21; mov.u64 %rd479, %rd22;\n",
    "@%p36 bra $L__BB14_48; add.s32 %r184, %r293, %r141; mul.wide.u32 %rd256, %r184, 40;\n",
    "add.s64 %rd257, %rd6, %rd256; ld.u64 %rd476, [%rd257]; ld.u64 %rd477, [%rd257+8];\n",
    "ld.u64 %rd478, [%rd257+16]; ld.u64 %rd479, [%rd257+24]; $L__BB14_48: mul.lo.s64 %rd258, %rd479, %rd475;\n",
    "add.s64 %rd259, %rd476, %rd258; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd477; .param .b64 param1; st.param.b64 [param1+0], %rd259; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd478; .param .b64 param3; st.param.b64 [param3+0], %rd75; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd76; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r185, %r293, %r141; add.s32 %r186, %r185, 1; mul.wide.u32 %rd260, %r186, 40;\n",
    "add.s64 %rd261, %rd6, %rd260; ld.u64 %rd262, [%rd261+8]; ld.u64 %rd263, [%rd261+16];\n",
    "ld.u64 %rd264, [%rd261+24]; mul.lo.s64 %rd265, %rd264, %rd475; ld.u64 %rd266, [%rd261];\n",
    "add.s64 %rd267, %rd266, %rd265; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd262; .param .b64 param1; st.param.b64 [param1+0], %rd267; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd263; .param .b64 param3; st.param.b64 [param3+0], %rd75; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd76; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r187, %r185, 2; mul.wide.u32 %rd268, %r187, 40; add.s64 %rd269, %rd6, %rd268;\n",
    "ld.u64 %rd270, [%rd269+8]; ld.u64 %rd271, [%rd269+16]; ld.u64 %rd272, [%rd269+24];\n",
    "mul.lo.s64 %rd273, %rd272, %rd475; ld.u64 %rd274, [%rd269]; add.s64 %rd275, %rd274, %rd273; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd270; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd275; .param .b64 param2; st.param.b64 [param2+0], %rd271; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd75; .param .b64 param4; st.param.b64 [param4+0], %rd76; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r188, %r185, 3;\n",
    "mul.wide.u32 %rd276, %r188, 40; add.s64 %rd277, %rd6, %rd276; ld.u64 %rd278, [%rd277+8];\n",
    "ld.u64 %rd279, [%rd277+16]; ld.u64 %rd280, [%rd277+24]; mul.lo.s64 %rd281, %rd280, %rd475;\n",
    "ld.u64 %rd282, [%rd277]; add.s64 %rd283, %rd282, %rd281; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd278; .param .b64 param1; st.param.b64 [param1+0], %rd283; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd279; .param .b64 param3; st.param.b64 [param3+0], %rd75; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd76; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r293, %r293, 4; add.s32 %r292, %r292, -4; setp.ne.s32 %p37, %r292, 0; @%p37 bra $L__BB14_46;\n",
    "$L__BB14_49: setp.eq.s32 %p38, %r296, 0; @%p38 bra $L__BB14_70; add.s32 %r294, %r141, %r293; $L__BB14_51:\n",
    ".pragma \"nounroll\"; setp.eq.s32 %p39, %r293, 0; mov.u64 %rd480, %rd19; mov.u64 %rd481, %rd20;\n",
    "mov.u64 %rd482, %rd21; mov.u64 %rd483, %rd22; @%p39 bra $L__BB14_53; mul.wide.u32 %rd284, %r294, 40;\n",
    "add.s64 %rd285, %rd6, %rd284; ld.u64 %rd480, [%rd285]; ld.u64 %rd481, [%rd285+8];\n",
    "ld.u64 %rd482, [%rd285+16]; ld.u64 %rd483, [%rd285+24]; $L__BB14_53: mul.lo.s64 %rd286, %rd483, %rd475;\n",
    "add.s64 %rd287, %rd480, %rd286; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd481; .param .b64 param1; st.param.b64 [param1+0], %rd287; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd482; .param .b64 param3; st.param.b64 [param3+0], %rd75; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd76; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); }\n",
    "add.s32 %r293, %r293, 1; add.s32 %r294, %r294, 1; add.s32 %r296, %r296, -1; setp.eq.s32 %p40, %r296, 0;\n",
    "@%p40 bra $L__BB14_70; bra.uni $L__BB14_51; $L__BB14_70: bar.sync 0; $L__BB14_71:\n",
    "ld.shared.u8 %rs12, [sf_resident_turn_kernel_goes_on]; setp.eq.s16 %p57, %rs12, 0; @%p57 bra $L__BB14_75;\n",
    "@%p4 bra $L__BB14_189; ld.shared.u64 %rd104, [sf_resident_turn_kernel_submitted]; mov.u32 %r204, 0;\n",
    "mov.u64 %rd328, %globaltimer; add.s64 %rd329, %rd32, 1; st.global.u64 [%rd3+288], %rd329;\n",
    "st.global.u64 [%rd3+544], %rd33; st.global.u32 [%rd3+1336], %r204; st.global.u32 [%rd3+1312], %r138;\n",
    "ld.global.u64 %rd330, [%rd3+168]; add.s64 %rd331, %rd330, 1; st.global.u64 [%rd3+176], %rd331;\n",
    "st.global.u64 [%rd3+200], %rd328; st.global.u64 [%rd3+192], %rd328; mov.u32 %r205, 1;\n",
    "st.global.v2.u32 [%rd3+224], {%r205, %r205}; ld.global.u32 %r206, [%rd3+232]; add.s32 %r207, %r206, 1;\n",
    "st.global.u32 [%rd3+232], %r207; setp.eq.s64 %p59, %rd104, 0; setp.le.s64 %p60, %rd328, %rd104;\n",
    "or.pred %p61, %p59, %p60; @%p61 bra $L__BB14_189; st.global.u64 [%rd3+192], %rd104; bra.uni $L__BB14_189;\n",
    "$L__BB14_75: setp.eq.s32 %p62, %r8, 0; @%p62 bra $L__BB14_79; add.s32 %r208, %r152, -1;\n",
    "cvt.u64.u32 %rd332, %r208; ld.global.u64 %rd333, [%rd3+168]; and.b64 %rd105, %rd333, %rd332;\n",
    "cvt.u64.u32 %rd106, %r138; bar.sync 0; setp.eq.s64 %p64, %rd105, %rd106; or.pred %p65, %p4, %p64;\n",
    "@%p65 bra $L__BB14_78; mov.u32 %r209, 0; st.global.u32 [%rd3+224], %r209; $L__BB14_78:\n",
    "setp.ne.s64 %p66, %rd105, %rd106; @%p66 bra $L__BB14_189; $L__BB14_79: @%p4 bra $L__BB14_157;\n",
    "setp.eq.s32 %p68, %r6, 0; @%p68 bra $L__BB14_150; ld.global.u32 %r62, [%rd3+232]; mov.u64 %rd501, 0;\n",
    "ld.global.u64 %rd107, [%rd3+168]; ld.global.u64 %rd108, [%rd3+160]; ld.global.u64 %rd109, [%rd3+288];\n",
    "ld.global.u32 %r63, [%rd3+1328]; ld.global.v2.u32 {%r210, %r211}, [%rd3+1320]; or.b32 %r64, %r210, %r211;\n",
    "ld.global.u64 %rd110, [%rd3+1344]; mov.u64 %rd334, %globaltimer; ld.global.u32 %r65, [%rd3+1336];\n",
    "ld.global.u64 %rd336, [%rd3+1352]; sub.s64 %rd112, %rd334, %rd336; setp.gt.s64 %p69, %rd112, 49999;\n",
    "@%p69 bra $L__BB14_83; ld.global.u64 %rd501, [%rd3+544]; $L__BB14_83: ld.relaxed.sys.u32 %r82, [%rd204];\n",
    "ld.global.u64 %rd500, [%rd3+1352]; setp.eq.s32 %p70, %r151, 0; @%p70 bra $L__BB14_96;\n",
    "cvt.u64.u32 %rd116, %r152; mov.u32 %r298, 0; $L__BB14_85: mul.wide.u32 %rd338, %r298, 8;\n",
    "add.s64 %rd339, %rd2, %rd338; ld.global.u64 %rd340, [%rd339+1096]; sub.s64 %rd341, %rd108, %rd340;\n",
    "setp.lt.u64 %p71, %rd341, %rd116; add.s32 %r298, %r298, 1; @%p71 bra $L__BB14_95; bra.uni $L__BB14_86;\n",
    "$L__BB14_95: setp.lt.u32 %p80, %r298, %r151; @%p80 bra $L__BB14_85; $L__BB14_96:\n",
    "setp.lt.s64 %p81, %rd112, 50000; setp.eq.s32 %p82, %r65, 0; or.pred %p83, %p82, %p81;\n",
    "@%p83 bra $L__BB14_107; ld.param.u64 %rd456, [sf_resident_turn_kernel_param_0+8];\n",
    "add.s64 %rd352, %rd456, 128; ld.relaxed.sys.u64 %rd351, [%rd352];\n",
    "and.b64 %rd353, %rd351, -4611686018427387904; setp.eq.s64 %p84, %rd353, 0; mov.u64 %rd500, %rd334;\n",
    "@%p84 bra $L__BB14_107; mov.u64 %rd354, %globaltimer; add.s64 %rd123, %rd187, 12; mov.u32 %r301, 125;\n",
    "mov.u64 %rd491, %rd354; bra.uni $L__BB14_99; $L__BB14_106: mov.u64 %rd491, %globaltimer; $L__BB14_99: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd187; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd491; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r320, [retval0+0]; } setp.ne.s32 %p85, %r320, 2; @%p85 bra $L__BB14_101;\n",
    "mov.u32 %r223, 1; st.relaxed.sys.u32 [%rd123], %r223; $L__BB14_101: setp.eq.s32 %p86, %r320, 0;\n",
    "@%p86 bra $L__BB14_104; bra.uni $L__BB14_102; $L__BB14_104: sub.s64 %rd356, %rd491, %rd354;\n",
    "ld.global.u64 %rd357, [%rd3+136]; setp.gt.s64 %p88, %rd357, %rd356; selp.b64 %rd358, 160, 168, %p88;\n",
    "add.s64 %rd359, %rd2, %rd358; ld.global.u64 %rd360, [%rd3+112]; setp.gt.s64 %p89, %rd360, %rd356;\n",
    "ld.global.u64 %rd125, [%rd359]; setp.lt.s64 %p90, %rd125, 1; or.pred %p91, %p90, %p89;\n",
    "@%p91 bra $L__BB14_106; shl.b32 %r226, %r301, 1; cvt.u64.u32 %rd361, %r226;\n",
    "setp.gt.s64 %p92, %rd125, %rd361; cvt.u32.u64 %r227, %rd125; selp.b32 %r301, %r226, %r227, %p92;\n",
    "nanosleep.u32 %r301; bra.uni $L__BB14_106; $L__BB14_150: mov.u64 %rd401, %globaltimer;\n",
    "add.s64 %rd157, %rd187, 12; mov.u32 %r319, 125; mov.u64 %rd505, %rd401; bra.uni $L__BB14_151;\n",
    "$L__BB14_192: mov.u64 %rd505, %globaltimer; $L__BB14_151: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd505;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r320, [retval0+0]; } setp.ne.s32 %p136, %r320, 2; @%p136 bra $L__BB14_153;\n",
    "mov.u32 %r260, 1; st.relaxed.sys.u32 [%rd157], %r260; $L__BB14_153: setp.eq.s32 %p137, %r320, 0;\n",
    "@%p137 bra $L__BB14_190; bra.uni $L__BB14_154; $L__BB14_190: sub.s64 %rd446, %rd505, %rd401;\n",
    "ld.global.u64 %rd447, [%rd3+136]; setp.gt.s64 %p163, %rd447, %rd446; selp.b64 %rd448, 160, 168, %p163;\n",
    "add.s64 %rd449, %rd2, %rd448; ld.global.u64 %rd450, [%rd3+112]; setp.gt.s64 %p164, %rd450, %rd446;\n",
    "ld.global.u64 %rd185, [%rd449]; setp.lt.s64 %p165, %rd185, 1; or.pred %p166, %p165, %p164;\n",
    "@%p166 bra $L__BB14_192; shl.b32 %r278, %r319, 1; cvt.u64.u32 %rd451, %r278;\n",
    "setp.gt.s64 %p167, %rd185, %rd451; cvt.u32.u64 %r279, %rd185; selp.b32 %r319, %r278, %r279, %p167;\n",
    "nanosleep.u32 %r319; bra.uni $L__BB14_192; $L__BB14_154: setp.ne.s32 %p138, %r320, 1;\n",
    "@%p138 bra $L__BB14_156; mov.u32 %r320, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd505; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_156; $L__BB14_107: or.b32 %r228, %r64, %r82;\n",
    "setp.ne.s32 %p93, %r228, 0; @%p93 bra $L__BB14_140; bra.uni $L__BB14_108; $L__BB14_140:\n",
    "mov.u64 %rd389, %globaltimer; add.s64 %rd152, %rd187, 12; mov.u32 %r317, 125; mov.u64 %rd504, %rd389;\n",
    "bra.uni $L__BB14_141; $L__BB14_148: mov.u64 %rd504, %globaltimer; $L__BB14_141: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd187; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd504; .param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0,\n",
    "param1 ); ld.param.b32 %r320, [retval0+0]; } setp.ne.s32 %p128, %r320, 2; @%p128 bra $L__BB14_143;\n",
    "mov.u32 %r251, 1; st.relaxed.sys.u32 [%rd152], %r251; $L__BB14_143: setp.eq.s32 %p129, %r320, 0;\n",
    "@%p129 bra $L__BB14_146; bra.uni $L__BB14_144; $L__BB14_146: sub.s64 %rd391, %rd504, %rd389;\n",
    "ld.global.u64 %rd392, [%rd3+136]; setp.gt.s64 %p131, %rd392, %rd391; selp.b64 %rd393, 160, 168, %p131;\n",
    "add.s64 %rd394, %rd2, %rd393; ld.global.u64 %rd395, [%rd3+112]; setp.gt.s64 %p132, %rd395, %rd391;\n",
    "ld.global.u64 %rd154, [%rd394]; setp.lt.s64 %p133, %rd154, 1; or.pred %p134, %p133, %p132;\n",
    "@%p134 bra $L__BB14_148; shl.b32 %r254, %r317, 1; cvt.u64.u32 %rd396, %r254;\n",
    "setp.gt.s64 %p135, %rd154, %rd396; cvt.u32.u64 %r255, %rd154; selp.b32 %r317, %r254, %r255, %p135;\n",
    "nanosleep.u32 %r317; bra.uni $L__BB14_148; $L__BB14_144: setp.ne.s32 %p130, %r320, 1;\n",
    "@%p130 bra $L__BB14_156; mov.u32 %r320, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd504; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_156; $L__BB14_86: mov.u64 %rd342, %globaltimer;\n",
    "add.s64 %rd118, %rd187, 12; mov.u32 %r299, 125; mov.u64 %rd490, %rd342; bra.uni $L__BB14_87; $L__BB14_94:\n",
    "mov.u64 %rd490, %globaltimer; $L__BB14_87: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd490;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r320, [retval0+0]; } setp.ne.s32 %p72, %r320, 2; @%p72 bra $L__BB14_89; mov.u32 %r217, 1;\n",
    "st.relaxed.sys.u32 [%rd118], %r217; $L__BB14_89: setp.eq.s32 %p73, %r320, 0; @%p73 bra $L__BB14_92;\n",
    "bra.uni $L__BB14_90; $L__BB14_92: sub.s64 %rd344, %rd490, %rd342; ld.global.u64 %rd345, [%rd3+136];\n",
    "setp.gt.s64 %p75, %rd345, %rd344; selp.b64 %rd346, 160, 168, %p75; add.s64 %rd347, %rd2, %rd346;\n",
    "ld.global.u64 %rd348, [%rd3+112]; setp.gt.s64 %p76, %rd348, %rd344; ld.global.u64 %rd120, [%rd347];\n",
    "setp.lt.s64 %p77, %rd120, 1; or.pred %p78, %p77, %p76; @%p78 bra $L__BB14_94; shl.b32 %r220, %r299, 1;\n",
    "cvt.u64.u32 %rd349, %r220; setp.gt.s64 %p79, %rd120, %rd349; cvt.u32.u64 %r221, %rd120;\n",
    "selp.b32 %r299, %r220, %r221, %p79; nanosleep.u32 %r299; bra.uni $L__BB14_94; $L__BB14_90:\n",
    "setp.ne.s32 %p74, %r320, 1; @%p74 bra $L__BB14_156; mov.u32 %r320, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd490;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_156; $L__BB14_102:\n",
    "setp.ne.s32 %p87, %r320, 1; @%p87 bra $L__BB14_156; mov.u32 %r320, 1; { .reg .b32 temp_param_reg;\n",
    ".param .b64 param0; st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd491;\n",
    "call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_156; $L__BB14_108:\n",
    "ld.param.u64 %rd455, [sf_resident_turn_kernel_param_0+8]; setp.ne.s32 %p94, %r65, 0; mov.u32 %r79, 0;\n",
    "add.s64 %rd128, %rd455, 128; selp.b32 %r80, 8, 1, %p94; selp.u32 %r310, 1, 0, %p94; mov.u32 %r83, 125;\n",
    "mov.u64 %rd134, 0; mov.u64 %rd494, %rd334; $L__BB14_109: sub.s64 %rd364, %rd494, %rd110;\n",
    "setp.ge.s64 %p95, %rd364, %rd13; setp.gt.s64 %p96, %rd13, 0; and.pred %p97, %p96, %p95;\n",
    "@%p97 bra $L__BB14_140; setp.eq.s32 %p98, %r7, 0; @%p98 bra $L__BB14_112;\n",
    "ld.relaxed.gpu.u64 %rd134, [%rd187]; $L__BB14_112: setp.gt.u64 %p99, %rd501, %rd109;\n",
    "@%p99 bra $L__BB14_117; bra.uni $L__BB14_113; $L__BB14_117: @%p98 bra $L__BB14_124; bra.uni $L__BB14_118;\n",
    "$L__BB14_113: @%p98 bra $L__BB14_115; add.s32 %r84, %r310, 1; rem.u32 %r231, %r310, %r80;\n",
    "setp.ne.s32 %p101, %r231, 0; mov.u32 %r310, %r84; @%p101 bra $L__BB14_118; $L__BB14_115:\n",
    "@%p98 bra $L__BB14_123; ld.relaxed.sys.u64 %rd501, [%rd128]; mov.u64 %rd500, %rd494; $L__BB14_118:\n",
    "shr.u64 %rd371, %rd134, 32; cvt.u32.u64 %r87, %rd371; setp.eq.s32 %p104, %r63, %r87;\n",
    "cvt.u32.u64 %r232, %rd134; setp.ne.s32 %p105, %r232, 2; and.pred %p106, %p105, %p104;\n",
    "@%p106 bra $L__BB14_124; bra.uni $L__BB14_119; $L__BB14_124:\n",
    "and.b64 %rd375, %rd501, -4611686018427387904; setp.eq.s64 %p108, %rd375, 0; @%p108 bra $L__BB14_134;\n",
    "bra.uni $L__BB14_125; $L__BB14_134: setp.gt.u64 %p117, %rd501, %rd109; @%p117 bra $L__BB14_149;\n",
    "mov.u64 %rd494, %globaltimer; sub.s64 %rd147, %rd494, %rd334; add.s32 %r243, %r79, 1;\n",
    "and.b32 %r244, %r243, 15; setp.ne.s32 %p118, %r244, 0; setp.lt.s64 %p119, %rd147, %rd9;\n",
    "selp.b32 %r79, %r243, %r79, %p119; and.pred %p120, %p118, %p119; @%p120 bra $L__BB14_139;\n",
    "setp.gt.s64 %p122, %rd12, %rd147; selp.b64 %rd148, %rd10, %rd11, %p122; setp.lt.s64 %p123, %rd148, 1;\n",
    "or.pred %p124, %p119, %p123; @%p124 bra $L__BB14_138; shl.b32 %r246, %r83, 1; cvt.u64.u32 %rd386, %r246;\n",
    "setp.gt.s64 %p125, %rd148, %rd386; cvt.u32.u64 %r247, %rd148; selp.b32 %r83, %r246, %r247, %p125;\n",
    "nanosleep.u32 %r83; $L__BB14_138: setp.gt.u32 %p126, %r83, 2000; selp.b32 %r80, 1, %r80, %p126;\n",
    "ld.acquire.sys.u32 %r82, [%rd204]; mov.u64 %rd494, %globaltimer; $L__BB14_139: or.b32 %r249, %r64, %r82;\n",
    "setp.eq.s32 %p127, %r249, 0; @%p127 bra $L__BB14_109; bra.uni $L__BB14_140; $L__BB14_123:\n",
    "ld.acquire.sys.u64 %rd501, [%rd128]; mov.u64 %rd500, %rd494; bra.uni $L__BB14_124; $L__BB14_27:\n",
    "setp.eq.s32 %p21, %r151, 0; @%p21 bra $L__BB14_31; cvt.u64.u32 %rd70, %r152; add.s64 %rd71, %rd39, 1;\n",
    "mov.u32 %r290, 0; $L__BB14_29: mul.wide.u32 %rd241, %r290, 8; add.s64 %rd242, %rd2, %rd241;\n",
    "ld.global.u64 %rd243, [%rd242+1096]; sub.s64 %rd244, %rd71, %rd243; setp.ge.u64 %p22, %rd244, %rd70;\n",
    "add.s32 %r290, %r290, 1; @%p22 bra $L__BB14_36; setp.lt.u32 %p23, %r290, %r151; @%p23 bra $L__BB14_29;\n",
    "$L__BB14_31: setp.eq.s32 %p24, %r8, 0; @%p24 bra $L__BB14_33; add.s32 %r176, %r152, -1;\n",
    "cvt.u64.u32 %rd245, %r176; and.b64 %rd246, %rd38, %rd245; cvt.u64.u32 %rd247, %r138;\n",
    "setp.ne.s64 %p25, %rd246, %rd247; @%p25 bra $L__BB14_36; $L__BB14_33: ld.global.u64 %rd248, [%rd3+1352];\n",
    "sub.s64 %rd249, %rd240, %rd248; setp.gt.s64 %p26, %rd249, 49999; @%p26 bra $L__BB14_36;\n",
    "setp.lt.s64 %p27, %rd13, 1; mov.u16 %rs13, 1; @%p27 bra $L__BB14_36; ld.global.u64 %rd250, [%rd3+1344];\n",
    "sub.s64 %rd251, %rd240, %rd250; setp.lt.s64 %p28, %rd251, %rd13; selp.u16 %rs13, 1, 0, %p28;\n",
    "bra.uni $L__BB14_36; $L__BB14_125: mov.u64 %rd376, %globaltimer; add.s64 %rd142, %rd187, 12;\n",
    "mov.u32 %r311, 125; mov.u64 %rd502, %rd376; bra.uni $L__BB14_126; $L__BB14_133:\n",
    "mov.u64 %rd502, %globaltimer; $L__BB14_126: { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd502;\n",
    ".param .b32 retval0; call.uni (retval0), sfi_resident_glance, ( param0, param1 );\n",
    "ld.param.b32 %r320, [retval0+0]; } setp.ne.s32 %p109, %r320, 2; @%p109 bra $L__BB14_128;\n",
    "mov.u32 %r238, 1; st.relaxed.sys.u32 [%rd142], %r238; $L__BB14_128: setp.eq.s32 %p110, %r320, 0;\n",
    "@%p110 bra $L__BB14_131; bra.uni $L__BB14_129; $L__BB14_131: sub.s64 %rd378, %rd502, %rd376;\n",
    "ld.global.u64 %rd379, [%rd3+136]; setp.gt.s64 %p112, %rd379, %rd378; selp.b64 %rd380, 160, 168, %p112;\n",
    "add.s64 %rd381, %rd2, %rd380; ld.global.u64 %rd382, [%rd3+112]; setp.gt.s64 %p113, %rd382, %rd378;\n",
    "ld.global.u64 %rd144, [%rd381]; setp.lt.s64 %p114, %rd144, 1; or.pred %p115, %p114, %p113;\n",
    "@%p115 bra $L__BB14_133; shl.b32 %r241, %r311, 1; cvt.u64.u32 %rd383, %r241;\n",
    "setp.gt.s64 %p116, %rd144, %rd383; cvt.u32.u64 %r242, %rd144; selp.b32 %r311, %r241, %r242, %p116;\n",
    "nanosleep.u32 %r311; bra.uni $L__BB14_133; $L__BB14_129: setp.ne.s32 %p111, %r320, 1;\n",
    "@%p111 bra $L__BB14_156; mov.u32 %r320, 1; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd187; .param .b64 param1; st.param.b64 [param1+0], %rd502; call.uni\n",
    "sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB14_156; $L__BB14_149: add.s64 %rd399, %rd109, 1;\n",
    "st.global.u64 [%rd3+288], %rd399; st.global.u64 [%rd3+544], %rd501; mov.u32 %r257, 0;\n",
    "st.global.u32 [%rd3+1336], %r257; mov.u64 %rd398, %globaltimer; st.global.u64 [%rd3+1352], %rd500;\n",
    "add.s64 %rd400, %rd107, 1; st.global.u64 [%rd3+176], %rd400; st.global.u64 [%rd3+200], %rd398;\n",
    "st.global.u64 [%rd3+192], %rd398; mov.u32 %r320, 1; st.global.v2.u32 [%rd3+224], {%r320, %r320};\n",
    "add.s32 %r258, %r62, 1; st.global.u32 [%rd3+232], %r258; bra.uni $L__BB14_156; $L__BB14_119:\n",
    "@%p104 bra $L__BB14_121; bra.uni $L__BB14_120; $L__BB14_121: mov.u32 %r234, 1;\n",
    "st.relaxed.sys.u32 [%rd187], %r234; bra.uni $L__BB14_122; $L__BB14_120: add.s32 %r233, %r63, 1;\n",
    "st.global.u32 [%rd3+1328], %r233; $L__BB14_122: mov.u32 %r320, 1; st.global.u32 [%rd3+1336], %r320;\n",
    "mov.u64 %rd373, %globaltimer; st.global.u64 [%rd3+1352], %rd500; add.s64 %rd374, %rd107, 1;\n",
    "st.global.u64 [%rd3+176], %rd374; st.global.u64 [%rd3+200], %rd373; st.global.u64 [%rd3+192], %rd373;\n",
    "st.global.v2.u32 [%rd3+224], {%r320, %r320}; add.s32 %r236, %r62, 1; st.global.u32 [%rd3+232], %r236;\n",
    "$L__BB14_156: st.shared.u32 [sfi_resident_block_wait_turn], %r320; ld.global.u64 %rd403, [%rd3+288];\n",
    "st.shared.u64 [sfi_resident_block_wait_taken], %rd403; $L__BB14_157: bar.sync 0;\n",
    "setp.ne.s32 %p139, %r7, 0; mov.u64 %rd506, 0; @%p139 bra $L__BB14_161;\n",
    "ld.shared.u64 %rd405, [sfi_resident_block_wait_taken]; add.s64 %rd159, %rd405, -1;\n",
    "and.b64 %rd406, %rd159, -4294967296; setp.eq.s64 %p140, %rd406, 0; @%p140 bra $L__BB14_160;\n",
    "rem.u64 %rd506, %rd159, %rd8; bra.uni $L__BB14_161; $L__BB14_160: cvt.u32.u64 %r262, %rd8;\n",
    "cvt.u32.u64 %r263, %rd159; rem.u32 %r264, %r263, %r262; cvt.u64.u32 %rd506, %r264; $L__BB14_161:\n",
    "ld.shared.u32 %r108, [sfi_resident_block_wait_turn]; @%p4 bra $L__BB14_164;\n",
    "ld.param.u64 %rd453, [sf_resident_turn_kernel_param_0+16]; st.global.u32 [%rd3+1312], %r138;\n",
    "setp.ne.s32 %p142, %r108, 2; setp.eq.s64 %p143, %rd453, 0; or.pred %p144, %p143, %p142;\n",
    "@%p144 bra $L__BB14_164; ld.param.u64 %rd454, [sf_resident_turn_kernel_param_0+16]; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd454; .param .b32 param1;\n",
    "st.param.b32 [param1+0], 0; call.uni cudaGraphSetConditional, ( param0, param1 ); } $L__BB14_164:\n",
    "setp.ne.s32 %p145, %r108, 1; @%p145 bra $L__BB14_189; setp.eq.s32 %p146, %r6, 0; @%p146 bra $L__BB14_183;\n",
    "@%p139 bra $L__BB14_187; mov.u32 %r109, %ntid.x; mov.u32 %r265, 32; rem.u32 %r266, %r265, %r109;\n",
    "setp.ne.s32 %p148, %r26, %r266; mov.u64 %rd507, 0; @%p148 bra $L__BB14_169; shl.b64 %rd408, %rd506, 3;\n",
    "add.s64 %rd409, %rd7, %rd408; ld.volatile.u64 %rd507, [%rd409]; $L__BB14_169: @%p2 bra $L__BB14_180;\n",
    "cvt.u64.u32 %rd167, %r26; cvt.u64.u32 %rd168, %r109; and.b32 %r326, %r142, 3; add.s32 %r268, %r142, -1;\n",
    "setp.lt.u32 %p150, %r268, 3; mov.u32 %r323, 0; @%p150 bra $L__BB14_175; sub.s32 %r322, %r142, %r326;\n",
    "mov.u32 %r323, 0; $L__BB14_172: setp.eq.s32 %p151, %r323, 0; mov.u64 %rd508, %rd19;\n",
    "mov.u64 %rd509, %rd20; mov.u64 %rd510, %rd21; mov.u64 %rd511, %rd22; @%p151 bra $L__BB14_174;\n",
    "add.s32 %r270, %r323, %r141; mul.wide.u32 %rd410, %r270, 40; add.s64 %rd411, %rd6, %rd410;\n",
    "ld.u64 %rd508, [%rd411]; ld.u64 %rd509, [%rd411+8]; ld.u64 %rd510, [%rd411+16];\n",
    "ld.u64 %rd511, [%rd411+24]; $L__BB14_174: mul.lo.s64 %rd412, %rd511, %rd506;\n",
    "add.s64 %rd413, %rd508, %rd412; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd509; .param .b64 param1; st.param.b64 [param1+0], %rd413; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd510; .param .b64 param3; st.param.b64 [param3+0], %rd167; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd168; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r271, %r323, %r141; add.s32 %r272, %r271, 1; mul.wide.u32 %rd414, %r272, 40;\n",
    "add.s64 %rd415, %rd6, %rd414; ld.u64 %rd416, [%rd415+8]; ld.u64 %rd417, [%rd415+16];\n",
    "ld.u64 %rd418, [%rd415+24]; mul.lo.s64 %rd419, %rd418, %rd506; ld.u64 %rd420, [%rd415];\n",
    "add.s64 %rd421, %rd420, %rd419; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd416; .param .b64 param1; st.param.b64 [param1+0], %rd421; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd417; .param .b64 param3; st.param.b64 [param3+0], %rd167; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd168; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r273, %r271, 2; mul.wide.u32 %rd422, %r273, 40; add.s64 %rd423, %rd6, %rd422;\n",
    "ld.u64 %rd424, [%rd423+8]; ld.u64 %rd425, [%rd423+16]; ld.u64 %rd426, [%rd423+24];\n",
    "mul.lo.s64 %rd427, %rd426, %rd506; ld.u64 %rd428, [%rd423]; add.s64 %rd429, %rd428, %rd427; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd424; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd429; .param .b64 param2; st.param.b64 [param2+0], %rd425; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd167; .param .b64 param4; st.param.b64 [param4+0], %rd168; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r274, %r271, 3;\n",
    "mul.wide.u32 %rd430, %r274, 40; add.s64 %rd431, %rd6, %rd430; ld.u64 %rd432, [%rd431+8];\n",
    "ld.u64 %rd433, [%rd431+16]; ld.u64 %rd434, [%rd431+24]; mul.lo.s64 %rd435, %rd434, %rd506;\n",
    "ld.u64 %rd436, [%rd431]; add.s64 %rd437, %rd436, %rd435; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd432; .param .b64 param1; st.param.b64 [param1+0], %rd437; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd433; .param .b64 param3; st.param.b64 [param3+0], %rd167; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd168; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r323, %r323, 4; add.s32 %r322, %r322, -4; setp.ne.s32 %p152, %r322, 0;\n",
    "@%p152 bra $L__BB14_172; $L__BB14_175: setp.eq.s32 %p153, %r326, 0; @%p153 bra $L__BB14_180;\n",
    "add.s32 %r324, %r141, %r323; $L__BB14_177: .pragma \"nounroll\"; setp.eq.s32 %p154, %r323, 0;\n",
    "mov.u64 %rd512, %rd19; mov.u64 %rd513, %rd20; mov.u64 %rd514, %rd21; mov.u64 %rd515, %rd22;\n",
    "@%p154 bra $L__BB14_179; mul.wide.u32 %rd438, %r324, 40; add.s64 %rd439, %rd6, %rd438;\n",
    "ld.u64 %rd512, [%rd439]; ld.u64 %rd513, [%rd439+8]; ld.u64 %rd514, [%rd439+16];\n",
    "ld.u64 %rd515, [%rd439+24]; $L__BB14_179: mul.lo.s64 %rd440, %rd515, %rd506;\n",
    "add.s64 %rd441, %rd512, %rd440; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd513; .param .b64 param1; st.param.b64 [param1+0], %rd441; .param .b64 param2;\n",
    "st.param.b64 [param2+0], %rd514; .param .b64 param3; st.param.b64 [param3+0], %rd167; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd168; call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 );\n",
    "} add.s32 %r323, %r323, 1; add.s32 %r324, %r324, 1; add.s32 %r326, %r326, -1;\n",
    "setp.ne.s32 %p155, %r326, 0; @%p155 bra $L__BB14_177; $L__BB14_180: setp.eq.s64 %p156, %rd507, 0;\n",
    "@%p156 bra $L__BB14_187; mov.u64 %rd442, %globaltimer; setp.ge.s64 %p157, %rd507, %rd442;\n",
    "@%p157 bra $L__BB14_187; st.global.u64 [%rd3+192], %rd507; bra.uni $L__BB14_187; $L__BB14_183:\n",
    "mov.u32 %r124, %ntid.x; mov.u32 %r275, 32; rem.u32 %r276, %r275, %r124; setp.ne.s32 %p158, %r26, %r276;\n",
    "@%p158 bra $L__BB14_185; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd187;\n",
    "call.uni sfi_resident_when, ( param0 ); } $L__BB14_185: @%p2 bra $L__BB14_187; cvt.u64.u32 %rd443, %r26;\n",
    "cvt.u64.u32 %rd444, %r124; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd187; .param .b32 param1; st.param.b32 [param1+0], %r141; .param .b32 param2;\n",
    "st.param.b32 [param2+0], %r142; .param .b64 param3; st.param.b64 [param3+0], %rd443; .param .b64 param4;\n",
    "st.param.b64 [param4+0], %rd444; call.uni sfi_resident_copy_all, ( param0, param1, param2, param3, param4\n",
    "); } $L__BB14_187: or.pred %p162, %p4, %p2; @%p162 bra $L__BB14_189; mov.u64 %rd445, %globaltimer;\n",
    "st.global.u64 [%rd3+200], %rd445; $L__BB14_189: ret; } .visible .entry sf_resident_check_kernel(\n",
    ".param .align 8 .b8 sf_resident_check_kernel_param_0[80] ) { .reg .pred %p<35>; .reg .b32 %r<73>;\n",
    ".reg .b64 %rd<85>; .shared .align 4 .u32 sf_resident_check_kernel_turn;\n",
    "ld.param.v2.u32 {%r35, %r36}, [sf_resident_check_kernel_param_0+40];\n",
    "ld.param.v2.u32 {%r37, %r38}, [sf_resident_check_kernel_param_0+48];\n",
    "ld.param.u64 %rd33, [sf_resident_check_kernel_param_0+24];\n",
    "ld.param.u64 %rd32, [sf_resident_check_kernel_param_0+16];\n",
    "ld.param.u64 %rd30, [sf_resident_check_kernel_param_0]; cvta.to.global.u64 %rd2, %rd30;\n",
    "add.s64 %rd3, %rd2, 56; ld.global.u64 %rd4, [%rd2+56]; ld.global.u64 %rd5, [%rd2+48];\n",
    "ld.global.u32 %r1, [%rd2+16]; ld.global.u32 %r2, [%rd2+124]; mov.u32 %r3, %tid.x;\n",
    "setp.ne.s32 %p3, %r3, 0; @%p3 bra $L__BB15_15; mov.u64 %rd10, %globaltimer; add.s64 %rd7, %rd30, 12;\n",
    "bra.uni $L__BB15_2; $L__BB15_6: mov.u32 %r46, 500; nanosleep.u32 %r46; mov.u64 %rd10, %globaltimer;\n",
    "$L__BB15_2: { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd30;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd10; .param .b32 retval0; call.uni (retval0),\n",
    "sfi_resident_glance, ( param0, param1 ); ld.param.b32 %r4, [retval0+0]; } setp.ne.s32 %p4, %r4, 2;\n",
    "@%p4 bra $L__BB15_4; mov.u32 %r45, 1; st.relaxed.sys.u32 [%rd7], %r45; $L__BB15_4:\n",
    "st.shared.u32 [sf_resident_check_kernel_turn], %r4; setp.ne.s32 %p5, %r4, 0; @%p5 bra $L__BB15_7; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd30; .param .b64 retval0;\n",
    "call.uni (retval0), sfi_resident_device_pending, ( param0 ); ld.param.b64 %rd37, [retval0+0]; }\n",
    "setp.eq.s64 %p6, %rd37, 0; @%p6 bra $L__BB15_7; bra.uni $L__BB15_6; $L__BB15_7: mov.u32 %r47, 1;\n",
    "st.relaxed.sys.u32 [%rd30], %r47; ld.shared.u32 %r5, [sf_resident_check_kernel_turn];\n",
    "setp.eq.s32 %p7, %r5, 1; @%p7 bra $L__BB15_12; bra.uni $L__BB15_8; $L__BB15_12: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd30; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd10; call.uni sfi_resident_take, ( param0, param1 ); } bra.uni $L__BB15_13;\n",
    "$L__BB15_8: ld.global.u64 %rd40, [%rd3+1328]; ld.global.u64 %rd41, [%rd3+200];\n",
    "max.s64 %rd42, %rd41, %rd40; sub.s64 %rd12, %rd10, %rd42; ld.global.u64 %rd43, [%rd3+120];\n",
    "setp.lt.s64 %p9, %rd12, %rd43; selp.b64 %rd44, 160, 168, %p9; add.s64 %rd45, %rd2, %rd44;\n",
    "ld.global.u64 %rd13, [%rd45]; mov.u32 %r48, 0; st.global.u32 [%rd3+208], %r48;\n",
    "ld.global.u32 %r49, [%rd3+216]; add.s32 %r50, %r49, 1; st.global.u32 [%rd3+216], %r50;\n",
    "setp.ne.s32 %p10, %r5, 0; mov.pred %p34, 0; @%p10 bra $L__BB15_10; ld.global.u64 %rd46, [%rd3+96];\n",
    "setp.ge.s64 %p34, %rd12, %rd46; $L__BB15_10: setp.lt.s64 %p11, %rd13, 1; not.pred %p12, %p34;\n",
    "or.pred %p13, %p11, %p12; @%p13 bra $L__BB15_13; cvt.u32.u64 %r51, %rd13; nanosleep.u32 %r51;\n",
    "$L__BB15_13: ld.shared.u32 %r52, [sf_resident_check_kernel_turn]; setp.eq.s32 %p14, %r52, 1;\n",
    "selp.u32 %r53, 1, 0, %p14; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd33; .param .b32 param1; st.param.b32 [param1+0], %r53; call.uni\n",
    "cudaGraphSetConditional, ( param0, param1 ); } ld.shared.u32 %r54, [sf_resident_check_kernel_turn];\n",
    "setp.ne.s32 %p15, %r54, 2; @%p15 bra $L__BB15_15; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd32; .param .b32 param1; st.param.b32 [param1+0], 0; call.uni\n",
    "cudaGraphSetConditional, ( param0, param1 ); } $L__BB15_15: bar.sync 0;\n",
    "ld.shared.u32 %r55, [sf_resident_check_kernel_turn]; setp.ne.s32 %p16, %r55, 1; @%p16 bra $L__BB15_40;\n",
    "setp.eq.s32 %p17, %r1, 0; @%p17 bra $L__BB15_34; setp.ne.s32 %p18, %r2, 0; @%p18 bra $L__BB15_38;\n",
    "mov.u32 %r8, %ntid.x; mov.u32 %r56, 32; rem.u32 %r57, %r56, %r8; setp.ne.s32 %p19, %r3, %r57;\n",
    "mov.u64 %rd78, 0; @%p19 bra $L__BB15_20; ld.volatile.u64 %rd78, [%rd5]; $L__BB15_20:\n",
    "setp.eq.s32 %p20, %r37, 0; @%p20 bra $L__BB15_31; cvt.u64.u32 %rd16, %r3; cvt.u64.u32 %rd17, %r8;\n",
    "and.b32 %r72, %r37, 3; add.s32 %r59, %r37, -1; setp.lt.u32 %p21, %r59, 3; mov.u32 %r69, 0;\n",
    "@%p21 bra $L__BB15_26; add.s32 %r67, %r36, 3; sub.s32 %r11, %r72, %r37; mov.u32 %r69, 0; $L__BB15_23:\n",
    "setp.eq.s32 %p22, %r69, 0; mov.u64 %rd79, 0; mov.u64 %rd80, %rd79; mov.u64 %rd81, %rd79;\n",
    "@%p22 bra $L__BB15_25; add.s32 %r61, %r36, %r69; mul.wide.u32 %rd51, %r61, 40;\n",
    "add.s64 %rd52, %rd4, %rd51; ld.u64 %rd79, [%rd52]; ld.u64 %rd80, [%rd52+8]; ld.u64 %rd81, [%rd52+16];\n",
    "$L__BB15_25: { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd80;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd79; .param .b64 param2; st.param.b64 [param2+0], %rd81;\n",
    ".param .b64 param3; st.param.b64 [param3+0], %rd16; .param .b64 param4; st.param.b64 [param4+0], %rd17;\n",
    "call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r62, %r67, -2;\n",
    "mul.wide.u32 %rd53, %r62, 40; add.s64 %rd54, %rd4, %rd53; ld.u64 %rd55, [%rd54]; ld.u64 %rd56, [%rd54+8];\n",
    "ld.u64 %rd57, [%rd54+16]; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd56;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd55; .param .b64 param2; st.param.b64 [param2+0], %rd57;\n",
    ".param .b64 param3; st.param.b64 [param3+0], %rd16; .param .b64 param4; st.param.b64 [param4+0], %rd17;\n",
    "call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r63, %r67, -1;\n",
    "mul.wide.u32 %rd58, %r63, 40; add.s64 %rd59, %rd4, %rd58; ld.u64 %rd60, [%rd59]; ld.u64 %rd61, [%rd59+8];\n",
    "ld.u64 %rd62, [%rd59+16]; { .reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd61;\n",
    ".param .b64 param1; st.param.b64 [param1+0], %rd60; .param .b64 param2; st.param.b64 [param2+0], %rd62;\n",
    ".param .b64 param3; st.param.b64 [param3+0], %rd16; .param .b64 param4; st.param.b64 [param4+0], %rd17;\n",
    "call.uni sfi_resident_move, ( param0, param1, param2, param3, param4 ); } mul.wide.u32 %rd63, %r67, 40;\n",
    "add.s64 %rd64, %rd4, %rd63; ld.u64 %rd65, [%rd64]; ld.u64 %rd66, [%rd64+8]; ld.u64 %rd67, [%rd64+16]; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd66; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd65; .param .b64 param2; st.param.b64 [param2+0], %rd67; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd16; .param .b64 param4; st.param.b64 [param4+0], %rd17; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r67, %r67, 4;\n",
    "add.s32 %r69, %r69, 4; add.s32 %r64, %r11, %r69; setp.ne.s32 %p23, %r64, 0; @%p23 bra $L__BB15_23;\n",
    "$L__BB15_26: setp.eq.s32 %p24, %r72, 0; @%p24 bra $L__BB15_31; add.s32 %r70, %r36, %r69; $L__BB15_28:\n",
    ".pragma \"nounroll\"; setp.eq.s32 %p25, %r69, 0; mov.u64 %rd82, 0; mov.u64 %rd83, %rd82;\n",
    "mov.u64 %rd84, %rd82; @%p25 bra $L__BB15_30; mul.wide.u32 %rd71, %r70, 40; add.s64 %rd72, %rd4, %rd71;\n",
    "ld.u64 %rd82, [%rd72]; ld.u64 %rd83, [%rd72+8]; ld.u64 %rd84, [%rd72+16]; $L__BB15_30: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd83; .param .b64 param1;\n",
    "st.param.b64 [param1+0], %rd82; .param .b64 param2; st.param.b64 [param2+0], %rd84; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd16; .param .b64 param4; st.param.b64 [param4+0], %rd17; call.uni\n",
    "sfi_resident_move, ( param0, param1, param2, param3, param4 ); } add.s32 %r69, %r69, 1;\n",
    "add.s32 %r70, %r70, 1; add.s32 %r72, %r72, -1; setp.ne.s32 %p26, %r72, 0; @%p26 bra $L__BB15_28;\n",
    "$L__BB15_31: setp.eq.s64 %p27, %rd78, 0; @%p27 bra $L__BB15_38; mov.u64 %rd73, %globaltimer;\n",
    "setp.ge.s64 %p28, %rd78, %rd73; @%p28 bra $L__BB15_38; st.global.u64 [%rd3+176], %rd78;\n",
    "bra.uni $L__BB15_38; $L__BB15_34: mov.u32 %r24, %ntid.x; mov.u32 %r65, 32; rem.u32 %r66, %r65, %r24;\n",
    "setp.ne.s32 %p29, %r3, %r66; @%p29 bra $L__BB15_36; { .reg .b32 temp_param_reg; .param .b64 param0;\n",
    "st.param.b64 [param0+0], %rd30; call.uni sfi_resident_when, ( param0 ); } $L__BB15_36:\n",
    "setp.eq.s32 %p30, %r37, 0; @%p30 bra $L__BB15_38; cvt.u64.u32 %rd74, %r3; cvt.u64.u32 %rd75, %r24; {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd30; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r36; .param .b32 param2; st.param.b32 [param2+0], %r37; .param .b64 param3;\n",
    "st.param.b64 [param3+0], %rd74; .param .b64 param4; st.param.b64 [param4+0], %rd75; call.uni\n",
    "sfi_resident_copy_all, ( param0, param1, param2, param3, param4 ); } $L__BB15_38:\n",
    "setp.eq.s32 %p32, %r37, 0; or.pred %p33, %p3, %p32; @%p33 bra $L__BB15_40; mov.u64 %rd76, %globaltimer;\n",
    "st.global.u64 [%rd3+184], %rd76; $L__BB15_40: ret; } .visible .entry sf_resident_copy_kernel(\n",
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
    "add.s32 %r2, %r19, -2; setp.eq.s32 %p1, %r20, 2; add.s64 %rd1, %rd7, 32; @%p1 bra $L__BB17_5;\n",
    "bra.uni $L__BB17_1; $L__BB17_5: ld.global.u32 %r27, [%rd1+232]; setp.eq.s32 %p4, %r27, 0;\n",
    "@%p4 bra $L__BB17_7; ld.global.u64 %rd18, [%rd1+32]; add.s32 %r28, %r19, 3; mov.u64 %rd17, %globaltimer;\n",
    "ld.global.u64 %rd19, [%rd1+40]; mul.wide.u32 %rd20, %r2, 8; add.s64 %rd21, %rd19, %rd20;\n",
    "ld.u64 %rd22, [%rd21]; sub.s64 %rd23, %rd17, %rd22; max.s64 %rd24, %rd23, 0; setp.gt.u64 %p5, %rd24, 31;\n",
    "clz.b64 %r29, %rd24; mov.u32 %r30, 59; sub.s32 %r31, %r30, %r29; selp.b32 %r32, %r31, 0, %p5;\n",
    "setp.lt.u64 %p6, %rd24, 16; cvt.u32.u64 %r33, %rd24; shl.b32 %r34, %r32, 4; shr.u64 %rd25, %rd24, %r32;\n",
    "cvt.u32.u64 %r35, %rd25; add.s32 %r36, %r34, %r35; selp.b32 %r37, %r33, %r36, %p6;\n",
    "min.u32 %r38, %r37, 767; mul.wide.u32 %rd26, %r38, 8; mul.wide.u32 %rd27, %r28, 6176;\n",
    "add.s64 %rd28, %rd18, %rd27; add.s64 %rd29, %rd28, %rd26; add.s64 %rd30, %rd29, 32;\n",
    "atom.add.u64 %rd31, [%rd30], 1; add.s64 %rd32, %rd28, 8; atom.add.u64 %rd33, [%rd32], %rd24;\n",
    "add.s64 %rd34, %rd28, 16; not.b64 %rd35, %rd24; atom.max.u64 %rd36, [%rd34], %rd35;\n",
    "add.s64 %rd37, %rd28, 24; atom.max.u64 %rd38, [%rd37], %rd24; atom.add.u64 %rd39, [%rd28], 1;\n",
    "bra.uni $L__BB17_7; $L__BB17_1: ld.global.u32 %r24, [%rd1+232]; or.b32 %r25, %r24, %r21;\n",
    "setp.eq.s32 %p2, %r25, 0; @%p2 bra $L__BB17_3; ld.global.u64 %rd10, [%rd1]; add.s64 %rd8, %rd10, 8448;\n",
    "ld.global.u32 %r26, [%rd1+240]; mul.wide.u32 %rd11, %r26, 65536; cvt.u64.u32 %rd12, %r19;\n",
    "or.b64 %rd9, %rd11, %rd12; st.relaxed.sys.u64 [%rd8], %rd9; $L__BB17_3: setp.ne.s32 %p3, %r20, 1;\n",
    "@%p3 bra $L__BB17_7; mov.u64 %rd13, %globaltimer; mul.wide.u32 %rd14, %r2, 8;\n",
    "ld.global.u64 %rd15, [%rd1+40]; add.s64 %rd16, %rd15, %rd14; st.u64 [%rd16], %rd13; $L__BB17_7: ret; }\n",
    ".visible .entry sf_resident_choose_kernel( .param .align 8 .b8 sf_resident_choose_kernel_param_0[80] ) {\n",
    ".reg .pred %p<4>; .reg .b32 %r<29>; .reg .b64 %rd<17>;\n",
    "ld.param.v2.u32 {%r20, %r21}, [sf_resident_choose_kernel_param_0+64];\n",
    "ld.param.v2.u32 {%r22, %r23}, [sf_resident_choose_kernel_param_0+72];\n",
    "ld.param.u64 %rd11, [sf_resident_choose_kernel_param_0+32];\n",
    "ld.param.u64 %rd10, [sf_resident_choose_kernel_param_0+24];\n",
    "ld.param.u64 %rd7, [sf_resident_choose_kernel_param_0]; setp.eq.s64 %p1, %rd11, 0; @%p1 bra $L__BB18_2;\n",
    "cvta.to.global.u64 %rd12, %rd11; ld.global.u32 %r24, [%rd12]; min.u32 %r28, %r24, %r23;\n",
    "bra.uni $L__BB18_6; $L__BB18_2: cvta.to.global.u64 %rd13, %rd7; cvt.u64.u32 %rd2, %r21;\n",
    "ld.global.u64 %rd3, [%rd13+216]; and.b64 %rd14, %rd3, -4294967296; setp.eq.s64 %p2, %rd14, 0;\n",
    "@%p2 bra $L__BB18_4; rem.u64 %rd16, %rd3, %rd2; bra.uni $L__BB18_5; $L__BB18_4: cvt.u32.u64 %r25, %rd2;\n",
    "cvt.u32.u64 %r26, %rd3; rem.u32 %r27, %r26, %r25; cvt.u64.u32 %rd16, %r27; $L__BB18_5:\n",
    "cvt.u64.u32 %rd15, %r22; setp.eq.s64 %p3, %rd16, %rd15; selp.u32 %r28, 1, 0, %p3; $L__BB18_6: {\n",
    ".reg .b32 temp_param_reg; .param .b64 param0; st.param.b64 [param0+0], %rd10; .param .b32 param1;\n",
    "st.param.b32 [param1+0], %r28; call.uni cudaGraphSetConditional, ( param0, param1 ); } ret; }\n",
    ".visible .entry sf_resident_clock_kernel( .param .align 8 .b8 sf_resident_clock_kernel_param_0[80] ) {\n",
    ".reg .pred %p<17>; .reg .b64 %rd<81>; ld.param.u64 %rd6, [sf_resident_clock_kernel_param_0];\n",
    "cvta.to.global.u64 %rd7, %rd6; ld.global.u64 %rd8, [%rd7+32]; mov.u64 %rd5, %globaltimer;\n",
    "add.s64 %rd2, %rd8, 128; add.s64 %rd3, %rd8, 8456; add.s64 %rd4, %rd8, 8328; $L__BB19_1:\n",
    "ld.acquire.sys.u64 %rd9, [%rd2]; setp.eq.s64 %p1, %rd9, 0; @%p1 bra $L__BB19_24; bra.uni $L__BB19_2;\n",
    "$L__BB19_24: mov.u64 %rd79, %globaltimer; sub.s64 %rd80, %rd79, %rd5; setp.lt.s64 %p16, %rd80, 50000001;\n",
    "@%p16 bra $L__BB19_1; bra.uni $L__BB19_25; $L__BB19_2: mov.u64 %rd11, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd11; fence.acq_rel.sys; mov.u64 %rd15, 1; st.relaxed.sys.u64 [%rd4], %rd15;\n",
    "$L__BB19_3: ld.acquire.sys.u64 %rd16, [%rd2]; setp.lt.u64 %p2, %rd16, 2; @%p2 bra $L__BB19_23;\n",
    "bra.uni $L__BB19_4; $L__BB19_23: mov.u64 %rd77, %globaltimer; sub.s64 %rd78, %rd77, %rd5;\n",
    "setp.gt.s64 %p15, %rd78, 50000000; @%p15 bra $L__BB19_25; bra.uni $L__BB19_3; $L__BB19_4:\n",
    "mov.u64 %rd18, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd18; fence.acq_rel.sys; mov.u64 %rd22, 2;\n",
    "st.relaxed.sys.u64 [%rd4], %rd22; $L__BB19_5: ld.acquire.sys.u64 %rd23, [%rd2];\n",
    "setp.lt.u64 %p3, %rd23, 3; @%p3 bra $L__BB19_22; bra.uni $L__BB19_6; $L__BB19_22:\n",
    "mov.u64 %rd75, %globaltimer; sub.s64 %rd76, %rd75, %rd5; setp.gt.s64 %p14, %rd76, 50000000;\n",
    "@%p14 bra $L__BB19_25; bra.uni $L__BB19_5; $L__BB19_6: mov.u64 %rd25, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd25; fence.acq_rel.sys; mov.u64 %rd29, 3; st.relaxed.sys.u64 [%rd4], %rd29;\n",
    "$L__BB19_7: ld.acquire.sys.u64 %rd30, [%rd2]; setp.lt.u64 %p4, %rd30, 4; @%p4 bra $L__BB19_21;\n",
    "bra.uni $L__BB19_8; $L__BB19_21: mov.u64 %rd73, %globaltimer; sub.s64 %rd74, %rd73, %rd5;\n",
    "setp.gt.s64 %p13, %rd74, 50000000; @%p13 bra $L__BB19_25; bra.uni $L__BB19_7; $L__BB19_8:\n",
    "mov.u64 %rd32, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd32; fence.acq_rel.sys; mov.u64 %rd36, 4;\n",
    "st.relaxed.sys.u64 [%rd4], %rd36; $L__BB19_9: ld.acquire.sys.u64 %rd37, [%rd2];\n",
    "setp.lt.u64 %p5, %rd37, 5; @%p5 bra $L__BB19_20; bra.uni $L__BB19_10; $L__BB19_20:\n",
    "mov.u64 %rd71, %globaltimer; sub.s64 %rd72, %rd71, %rd5; setp.gt.s64 %p12, %rd72, 50000000;\n",
    "@%p12 bra $L__BB19_25; bra.uni $L__BB19_9; $L__BB19_10: mov.u64 %rd39, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd39; fence.acq_rel.sys; mov.u64 %rd43, 5; st.relaxed.sys.u64 [%rd4], %rd43;\n",
    "$L__BB19_11: ld.acquire.sys.u64 %rd44, [%rd2]; setp.lt.u64 %p6, %rd44, 6; @%p6 bra $L__BB19_19;\n",
    "bra.uni $L__BB19_12; $L__BB19_19: mov.u64 %rd69, %globaltimer; sub.s64 %rd70, %rd69, %rd5;\n",
    "setp.gt.s64 %p11, %rd70, 50000000; @%p11 bra $L__BB19_25; bra.uni $L__BB19_11; $L__BB19_12:\n",
    "mov.u64 %rd46, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd46; fence.acq_rel.sys; mov.u64 %rd50, 6;\n",
    "st.relaxed.sys.u64 [%rd4], %rd50; $L__BB19_13: ld.acquire.sys.u64 %rd51, [%rd2];\n",
    "setp.lt.u64 %p7, %rd51, 7; @%p7 bra $L__BB19_18; bra.uni $L__BB19_14; $L__BB19_18:\n",
    "mov.u64 %rd67, %globaltimer; sub.s64 %rd68, %rd67, %rd5; setp.gt.s64 %p10, %rd68, 50000000;\n",
    "@%p10 bra $L__BB19_25; bra.uni $L__BB19_13; $L__BB19_14: mov.u64 %rd53, %globaltimer;\n",
    "st.relaxed.sys.u64 [%rd3], %rd53; fence.acq_rel.sys; mov.u64 %rd57, 7; st.relaxed.sys.u64 [%rd4], %rd57;\n",
    "$L__BB19_15: ld.acquire.sys.u64 %rd58, [%rd2]; setp.lt.u64 %p8, %rd58, 8; @%p8 bra $L__BB19_17;\n",
    "bra.uni $L__BB19_16; $L__BB19_17: mov.u64 %rd65, %globaltimer; sub.s64 %rd66, %rd65, %rd5;\n",
    "setp.gt.s64 %p9, %rd66, 50000000; @%p9 bra $L__BB19_25; bra.uni $L__BB19_15; $L__BB19_16:\n",
    "mov.u64 %rd60, %globaltimer; st.relaxed.sys.u64 [%rd3], %rd60; fence.acq_rel.sys; mov.u64 %rd64, 8;\n",
    "st.relaxed.sys.u64 [%rd4], %rd64; $L__BB19_25: ret; } .visible .entry sf_resident_end_kernel(\n",
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
