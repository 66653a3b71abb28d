/*  streamflow_gpu_resident.h - the GPU-resident executor of streamflow

    Operators are captured once into a CUDA graph that loops on the GPU. From then on no CPU takes part in the loop.
    On a host device the same graph runs through the stream layer: slowly, with the same results.
    examples/gpu_loops.md has programs, the loop's shapes, policies, stops, failures, GPU work beside it, and limits.

    THE SAME AS IN A FLOW: sf_op_desc, sf_port, sf_edge_desc, sf_context and the compute functions. An operator that
    only receives, launches and emits runs here unchanged. Its compute is called once, under capture (in an unrolled
    loop once per slot: ctx->run is the slot). sf_receive() lends the edge's buffer, sf_tensor_create() the output's
    own buffer, and each launch on sf_compute_stream() becomes a node. An output that is not emitted retains its
    bytes, and a warning says so. There are no timestamps and no metadata. A bundle (sf_tensor_bundle()) is an edge
    for each field: an output that passes one on has .fields, too, and each tensor a size (.bytes at one of the ends).

    REFUSED, with operator and port: what needs the CPU for each message: inline values, conditions, periods, retries,
    host functions, synchronizing. Ignored: on_error, priority, workers, region, streams of no partition, a port's
    .memory, .capacity.

    AN EDGE is one buffer (unrolled: one per slot) of a fixed size, with zeros at first. Its two ends must agree:
    equal sizes share a buffer. If one end gives a pointer (sf_port.data: device or pinned memory, which the build
    checks; on a host device also host memory that only kernels touch), both use it. If both give one, the source's is
    used, with a warning; if only one gives a size, that size counts, with a warning. All else is SF_ERROR_MISMATCH.
    sf_edge_desc.delay n, 1 to 8, delivers the value of n iterations ago, zeros after a launch. A cycle needs a delay.
    A delayed edge copies into a buffer of its own, so its ends have the same size.

    INPUTS AND OUTPUTS. The host fills `external` inputs (their operator is a source) and reads external outputs (of a
    sink), slot by slot. An input must be connected, external or `optional`. At every moment
    submitted = completed + dropped + queued.

    WAITING AND THREADS. A call that can wait has a deadline; none can hang. No thread watches in the background:
    calls that wait, or ask for the state, notice a stall or a fault. Any thread may call; each source has one writer
    at a time and each sink one reader. One thread builds and launches first; meanwhile other threads only ask for
    state, info and failure. All other rules are those of streamflow.h.

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
        >>protocol                                               what the loop and the host say to each other, on both
        >>objects >>failures >>adding >>hooks                    what there is; words; building; what a compute calls
        >>rules >>layout                                         checked; memory, rings and the shape of the loop
        >>loop >>capturing                                       the loop's kernels on a host device; the graph
        >>running >>rings >>bridges >>reports >>ptx              launch to end; slots; flows; reports; GPU kernels

    License: as streamflow.h's. */
#pragma push_macro("slots")                  /* Qt has a macro of this name; it is back behind this file */
#undef slots

#ifndef STREAMFLOW_GPU_RESIDENT_H
#define STREAMFLOW_GPU_RESIDENT_H

#ifndef STREAMFLOW_H
    #error "include streamflow.h before streamflow_gpu_resident.h"
#endif
#if defined(SF_STATIC) && !defined(STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION)
    #error "in a file with SF_STATIC define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION before the first #include"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* >>types --------------------------------------------------------------------------------------------- */

typedef struct sf_resident sf_resident;      /* operators in a CUDA graph that loops on the GPU */

/* The shape of the loop. "Passes too many": at a stop the operators run once more on what lies in the buffers, zeros
   or old requests; the results are not published. Operators that trap on zeros or have own state need EXACT. */
typedef enum sf_resident_loop {
    SF_RESIDENT_LOOP_AUTO,                   /* UNROLLED, with passes too many, where possible and at most 4 MiB, else
                                                FAST; with a data-ready handler EXACT, with .fused FUSED */
    SF_RESIDENT_LOOP_EXACT,                  /* WHILE { work, publish + wait }: never a pass too many */
    SF_RESIDENT_LOOP_FAST,                   /* WHILE { wait, work, publish }: one pass too many */
    SF_RESIDENT_LOOP_UNROLLED,               /* FAST, with the work once per slot: a turn of the loop costs 1 / slots;
                                                up to `slots` passes too many */
    SF_RESIDENT_LOOP_FUSED                   /* one persistent kernel: sf_resident_desc.fused; no pass too many */
} sf_resident_loop;

typedef enum sf_resident_idle {              /* how the wait kernel waits */
    SF_RESIDENT_IDLE_LATENCY,                /* spins 1 ms, then naps <= 1 us, after 10 ms of silence 50 us */
    SF_RESIDENT_IDLE_BALANCED,               /* spins 5 us, then naps <= 20 us */
    SF_RESIDENT_IDLE_POWER                   /* naps 100 us from the start */
} sf_resident_idle;

typedef enum sf_resident_state {             /* of a loop */
    SF_RESIDENT_NEW,                         /* operators can be added */
    SF_RESIDENT_BUILT,                       /* captured and instantiated; not launched */
    SF_RESIDENT_RUNNING,                     /* launched */
    SF_RESIDENT_STOPPING,                    /* a stop or a raise is under way: it still runs */
    SF_RESIDENT_STOPPED,                     /* ended by a stop, timeout_ms or a raise: can be launched again */
    SF_RESIDENT_FAULTED                      /* ended by a fault or a stall: destroy it */
} sf_resident_state;

/* For sf_resident_create(). Overflow: the loop alone can drop a request that is queued, where it begins an iteration:
   with LATEST it takes the newest one. So DROP_OLDEST, which has to make room at once, is refused. For a camera take
   LATEST, which waits only if all slots were filled within an iteration, or DROP_NEWEST, which never waits: submit
   drops a request without room. Each of several sources drops for itself, so that their requests move apart. */
typedef struct sf_resident_desc {
    const char *name;                        /* for failures and reports */
    sf_device *device;                       /* default: the partition's, else the loop opens one, and closes it */
    sf_backend backend;                      /* of the device that the loop opens; default AUTO */
    sf_partition *partition;                 /* multiprocessors of its own; default none. See below */
    sf_logger logger;                        /* default none */
    sf_heap heap;                            /* for the loop's own memory; default malloc() */
    uint32_t slots;                          /* of each ring, in and out: a power of two, default 4. In a file with
                                                Qt's keywords, set it behind #undef slots, or with QT_NO_KEYWORDS */
    sf_overflow overflow;                    /* no free slot; BLOCK: acquire waits, ERROR: SF_BUSY. Not DROP_OLDEST */
    bool any_source;                         /* one source's data starts an iteration; default: one request of each */
    sf_resident_loop loop;                   /* default AUTO */
    bool no_programmatic_launch;             /* default: programmatic edges into kernels declared programmatic */
    sf_resident_idle idle;                   /* default LATENCY */
    int64_t spin;                            /* ns of polling before the first nap; default the preset's */
    int64_t data_not_ready_sleep_interval_us;        /* the longest nap, in us; default the preset's */
    int64_t timeout_ms;                      /* ms after which it stops by itself, if not before; default never */
    int64_t stall_timeout;                   /* ns without heartbeat in an iteration, then SF_ERROR_STALLED; default 1
                                                s, INT64_MAX never. To wait for data, or for a release, is no stall */
    int64_t deadline;                        /* ns from submit to published; a later result is missed; default none */
    bool default_priority;                   /* default: the highest, which bounds the tail next to other work */
    bool measure_operators;                  /* latencies of each operator: two small kernels more on its way. Not in
                                                a fused loop, with a warning */
    bool no_stages;                          /* no heartbeat per operator (one small kernel less for each, beside the
                                                way): a stall or fault is then in "work" */
    bool sync_with_host;                     /* ignored, here for familiarity: what is ready is visible, always */
    bool no_host_writes;                     /* a promise: no operator writes, by kernel or copy, into memory of the
                                                host or of another device. The loop then need not wait in each
                                                iteration until such writes have crossed the bus, 1.6 us on an H100.
                                                If the promise is broken, a result may be seen before they are. Of no
                                                use, with a warning, for results over 56 bytes, .data, any_source */
    const sf_kernel *fused;                  /* from SF_RESIDENT_FUSED(): the operators then have no compute, and
                                                there is no branch, no data-ready handler and no delayed edge */
} sf_resident_desc;

/* sf_resident_desc.partition: all kernels of the loop, its own and its operators', run there and nowhere else. Its
   device is the loop's, also without .device. No partition, or of another device: SF_ERROR_INVALID_HANDLE.
   - A fused loop is one kernel of one block: it fits into each partition.
   - The kernels of other loops are in bodies of conditionals. There CUDA refuses kernels of a partition before 13.4,
     and a host device does as well: the build returns SF_ERROR_NOT_SUPPORTED.
   - Work on a stream of no partition may use the loop's multiprocessors, too: name a partition for it.
   An operator's .partition, or that of its .streams, is obeyed or refused; default the loop's. One that is not the
   loop's: SF_ERROR_NOT_SUPPORTED in a fused loop, and elsewhere before CUDA 13.4; from then on the operator's kernels
   run there, and the loop has no programmatic edges. No partition, or of another device: SF_ERROR_INVALID_HANDLE.
   .streams that are not of .partition: SF_ERROR_MISMATCH. */

/* >>build --------------------------------------------------------------------------------------------- */

SF_API sf_resident *sf_resident_create(const sf_resident_desc *desc) SFI_OF_VERSION(sf_resident_create);
                                             /* an empty loop; yours to destroy. NULL: out of memory;
                                                sf_resident_build() returns other errors */

/* Stops without drain and waits while the loop goes on, or for stall_timeout and a second where it gives no sign of
   that (unrolled: for each slot, as it does the passes of all of them first). No other thread may be in a call on it:
   a sf_resident_tear_down() before ends calls of readers and writers. Returns why it was not built, or the first
   fault, stall or raise of its life; refused calls do not count. SF_TIMEOUT: stalled for good, and leaked. */
SF_API sf_result sf_resident_destroy(sf_resident *resident);
SF_API sf_op sf_resident_add(sf_resident *resident, const sf_op_desc *desc) SFI_OF_VERSION(sf_resident_add);
                                             /* as sf_flow_add() */
SF_API int sf_resident_add_input(sf_resident *resident, sf_op op, const sf_port *port);  /* as sf_op_add_input() */
SF_API int sf_resident_add_output(sf_resident *resident, sf_op op, const sf_port *port); /* as sf_op_add_output() */
SF_API sf_result sf_resident_connect(sf_resident *resident, sf_op from, const char *output, sf_op to,
                                     const char *input, const sf_edge_desc *desc);
                                             /* as sf_flow_connect(), but an edge is one buffer of fixed size; desc
                                                takes .delay alone */

/* Checks, captures, instantiates; launch does so, too. Calls all initialize hooks (which may size ports), all start
   hooks, then the computes; destroy calls the stop hooks, in reverse. */
SF_API sf_result sf_resident_build(sf_resident *resident);

/* `op` and all before it decide on the GPU, first in each iteration, whether there is data: a kernel of theirs
   calls sf_resident_mark_data_ready_dev(). Unmarked, or marked with garbage, is not ready. A second call replaces the
   handler, and warns. External inputs are for operators behind it: then an iteration takes a mark and their requests.
   A mark is for one iteration, and lasts until the requests, and room for the results, are there. A stop may discard
   one, uncounted: let an operator behind the handler take the frame off its queue. */
SF_API sf_result sf_resident_register_data_ready_handler(sf_resident *resident, sf_op op);

/* A branch: taken or not on the GPU, per iteration; operators are put into it one by one. A sink that was skipped
   publishes what it has nevertheless: let the predicate be a result, too. */
typedef struct sf_resident_branch { uint32_t id; } sf_resident_branch;

/* What decides about a branch. IF: a predicate, 0 or not. SWITCH: a predicate: the number of a case. EVERY: the
   number of the iteration, which counts on over launches. */
typedef enum sf_resident_branch_kind {
    SF_RESIDENT_IF, SF_RESIDENT_SWITCH, SF_RESIDENT_EVERY
} sf_resident_branch_kind;

typedef struct sf_resident_branch_desc {     /* for sf_resident_add_branch() */
    sf_resident_branch_kind kind;            /* default IF */
    sf_op predicate;                         /* IF, SWITCH: a uint32_t, the first in its output `port`, decides */
    const char *port;                        /* IF, SWITCH: an output of `predicate` */
    uint32_t cases;                          /* SWITCH: how many; another number runs none */
    uint32_t every, phase;                   /* EVERY: when iteration % every == phase % every */
    bool clear_skipped;                      /* zeroes the outputs of operators that this choice skips, each time;
                                                takes CUDA 12.8; default: they stay as they were */
} sf_resident_branch_desc;

SF_API sf_resident_branch sf_resident_add_branch(sf_resident *resident, const sf_resident_branch_desc *desc);
                                             /* one more branch; the zero id on an error */
SF_API sf_result sf_resident_put(sf_resident *resident, sf_op op, sf_resident_branch branch, uint32_t which);
                                             /* puts it into a branch. which: IF: 0 then, 1 else. SWITCH: the case.
                                                EVERY: 0 */

/* >>control ------------------------------------------------------------------------------------------- */

/* Starts the loop, and builds it before if need be; returns at once.
   Again after a stop or a raise, not after a stall or a fault, and without a new build: sequences and counters go on,
   what a raise left in the queue is done, results that were not read are gone.
   SF_BUSY: 4 loops run on this device, or 8 fused ones; with CUDA_DEVICE_MAX_CONNECTIONS=16 and on a host device
   twice as many. Or a thread was stopped, for a second, while it counted a frame of the run before: call again. */
SF_API sf_result sf_resident_launch(sf_resident *resident);
SF_API bool sf_resident_is_launched(const sf_resident *resident);    /* from the real start to the real end */
SF_API sf_resident_state sf_resident_get_state(const sf_resident *resident);
                                             /* at the call; notices a stall or a fault */

/* Stops the loop and waits for its end.
   drain: what was submitted is done first. Read results meanwhile: the loop waits while the ring of results is full.
   A data-ready handler is not asked again: what waits behind it stays queued.
   No drain: the present iteration is published (on a GPU all iterations of 50 us, if they are shorter), the queue
   dropped.
   SF_OK: it has ended, now or before (not by a fault). SF_TIMEOUT: still stopping; call again, with drain or without.
   SF_IGNORED: never launched. */
SF_API sf_result sf_resident_tear_down(sf_resident *resident, bool drain, int64_t timeout);

/* Waits until the loop has ended. SF_OK: stopped, or timeout_ms was over; else the code of the raise or of the fault.
   SF_IGNORED: never launched. */
SF_API sf_result sf_resident_wait(sf_resident *resident, int64_t timeout);

/* >>host ---------------------------------------------------------------------------------------------- */

/* One operator's share of one iteration. data[port] of each external port is host memory, lent and not overwritten
   from acquire to submit, or from result to release; a launch ends all loans. Sequences count from 1. */
typedef struct sf_resident_slot {
    sf_op op;                                /* the source or sink */
    uint64_t sequence;                       /* of a request: its submit at this source; of a result: its iteration.
                                                They are the same, unless any_source; after a drop by DROP_NEWEST
                                                sf_resident_iteration() counts what ran */
    sf_result status;                        /* of this iteration: SF_OK, or what was raised in it (it ran on) */
    int64_t submitted, started, finished, published;         /* times of a result in ns: the GPU's clock, shifted to
                                                sf_flow_now(NULL); none is before the one in front of it. Against the
                                                host's clock: off by up to 2 us when it is built, and what the clocks
                                                have drifted since; against each other by a step of the GPU's clock,
                                                32 ns to 1 us */
    void *data[SF_MAX_PORTS];                /* by index of the port: acquire: inputs, result: outputs */
} sf_resident_slot;

/* A source's next request: acquire lends a slot, fill its data, then submit. A stop ends both with
   SF_ERROR_ILLEGAL_STATE, which is then no failure; before the launch it is one. SF_BUSY: no slot is free, and the
   timeout is 0 or the overflow ERROR. SF_TIMEOUT: none became free. Until it is submitted the same slot is lent
   again. None is free, whatever the overflow, while a feeder's copy for the launch before is under way. */
SF_API sf_result sf_resident_acquire(sf_resident *resident, sf_op source, int64_t timeout, sf_resident_slot *slot);
SF_API sf_result sf_resident_submit(sf_resident *resident, sf_resident_slot *slot);
                                             /* sends it to the loop; the slot's data is no longer yours */

/* A sink's results: result lends a slot, read its data, then release. sequence 0: the next that was not dropped,
   after the last one returned, released or not. A stop ends a reader with SF_ERROR_ILLEGAL_STATE when it has all
   results; that is no failure. SF_IGNORED: that sequence was dropped. SF_ERROR_ILLEGAL_STATE: released, or dropped
   long ago. SF_TIMEOUT: not there yet, with timeout 0, too. Several may be lent at once. */
SF_API sf_result sf_resident_result(sf_resident *resident, sf_op sink, uint64_t sequence, int64_t timeout,
                                    sf_resident_slot *slot);
SF_API sf_result sf_resident_release(sf_resident *resident, sf_resident_slot *slot);
                                             /* in the order of results; zeros the slot. One that is not released
                                                holds up the loop `slots` results later */

/* Where there is no slot to fill or to read: ports in device memory. Asks for one more iteration. *sequence receives
   its number, which is right if only the host triggers; may be NULL. */
SF_API sf_result sf_resident_data_ready(sf_resident *resident, uint64_t *sequence);
SF_API sf_result sf_resident_result_ready(const sf_resident *resident, uint64_t sequence);
                                             /* SF_OK: this iteration (from 1) is published. SF_NOT_READY: not yet */

/* >>device -------------------------------------------------------------------------------------------- */

/* The port's memory as the graph sees it; slot 0 unless unrolled: then iteration k works in slot (k - 1) % slots.
   NULL, with a failure: unknown port, not built. */
SF_API void *sf_resident_device_memory(const sf_resident *resident, sf_op op, const char *port, uint32_t slot);

/* What kernels talk to: hand its address, valid for the loop's life, to them as an argument; marks and raises count
   from the build on. The calls below are for host bodies, and on a host device for any thread; in
   streamflow_kernels.cu each has a device side, by the same name with _dev. */
typedef struct sf_resident_control sf_resident_control;

SF_API sf_resident_control *sf_resident_get_control(const sf_resident *resident);
                                             /* lent; before it is built, too */

/* The data-ready handler's answer: data is ready, or not. */
SF_API void sf_resident_mark_data_ready(sf_resident_control *control);
SF_API void sf_resident_mark_data_not_ready(sf_resident_control *control);
SF_API uint64_t sf_resident_iteration(const sf_resident_control *control);
                                             /* the present one's sequence; in a data-ready handler the last one's */
SF_API void sf_resident_raise(sf_resident_control *control, sf_result code);
                                             /* stops the loop cleanly, as a failure with this code; if none runs, the
                                                next one when it first polls. A raise while it ends anyway is lost */

/* Fused: the loop is one persistent kernel of one block, the operators are functions that it calls one after the
   other, with a barrier in between. They are given in the order of sf_resident_add(), in which each one comes after
   the operators that it reads from. Each thread of the block calls all of them, with this argument. */
typedef struct sf_resident_fused_call {
    const void *in[SF_DESC_PORTS];           /* memory of the inputs, by index of the port, in the rules above */
    void *out[SF_DESC_PORTS];                /* memory of the outputs */
    void *user;                              /* sf_op_desc.user as it is: the GPU must be able to read there */
    sf_resident_control *control;            /* for the calls above; what is raised here ends this very iteration */
    int32_t thread, threads;                 /* this thread's index in the block, of so many; a host device: 0 of 1 */
} sf_resident_fused_call;

typedef void (*sf_resident_fused_func)(const sf_resident_fused_call *call);          /* an operator of a fused loop */

/* One try of the loop; what the host body of SF_RESIDENT_FUSED() calls. */
SF_API int sf_resident_run_fused(const void *args, const sf_resident_fused_func *ops, int count);

#ifdef __cplusplus
    #define SFI_RESIDENT_EXTERN extern "C"
#else
    #define SFI_RESIDENT_EXTERN extern
#endif
/* SF_RESIDENT_FUSED(name, first, second, ...) at file scope defines const sf_kernel name, for sf_resident_desc.fused:
   in a .cu file that includes streamflow_kernels.cu for both backends, elsewhere for host devices alone. */
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

/* Operators for sf_flow_add(). The feeder's inputs are named as the external inputs of `source`, the reader's outputs
   as the external outputs of `sink`.
   - A full ring makes the flow wait (with overflow ERROR it fails the flow); a full queue of the flow makes the loop
     wait.
   - A shorter message fills the front of its slot; the rest is unspecified.
   - Unless any_source, a result carries the first source's timestamp, and metadata of all feeders: at most 16 entries
     of each, a warning says what is lost. Of a key that several bring, the first source's value is taken.
   - Launch the loop yourself before the flow. The first launch may also come later: the flow waits, and a warning
     says so.
   - The reader ends after the feeder's last result, or with the loop. If the loop is stopped meanwhile, the reader
     delivers all results, and both end without a failure. A loop that fails fails the flow.
   - A reader that has ended because no operator behind it needs it does not block the loop while the flow runs: its
     results are discarded. When all external outputs had a reader in the flow and none is left, the feeders end, too.
   - Results that a run leaves in the loop are discarded by the next run. They block a drain: stop without.
   - The feeders and readers of a loop are in one flow, each once; when that has ended, another flow may have them.
     Destroy the flow first. */
SF_API sf_op_desc sf_resident_feeder(sf_resident *resident, sf_op source);
SF_API sf_op_desc sf_resident_reader(sf_resident *resident, sf_op sink);

/* >>observe ------------------------------------------------------------------------------------------- */

/* What would make an iteration faster, found when the loop is built. None of it changes a result. */
typedef enum sf_resident_advice_kind {
    SF_RESIDENT_ADVICE_PROGRAMMATIC,         /* `count` kernels that could start early: let them wait by themselves
                                                and set sf_kernel.programmatic */
    SF_RESIDENT_ADVICE_FUSE,                 /* .fused: `count` operators in one kernel, if one block is enough */
    SF_RESIDENT_ADVICE_UNROLL,               /* .loop AUTO or UNROLLED, with .slots `count` */
    SF_RESIDENT_ADVICE_SLOTS,                /* .slots `count`: fewer, to unroll it, or more, which share a turn */
    SF_RESIDENT_ADVICE_NOT_MEASURED,         /* measure_operators off, of `count` operators */
    SF_RESIDENT_ADVICE_NO_HOST_WRITES,       /* no_host_writes, if the promise holds */
    SF_RESIDENT_ADVICE_SMALL                 /* requests, results, or both are larger than the 56 bytes that travel
                                                with their number: make each at most 56. `count`: bytes of those that
                                                are larger, added up */
} sf_resident_advice_kind;
typedef struct sf_resident_advice {          /* one piece of advice */
    sf_resident_advice_kind kind;            /* what to change */
    uint32_t count;                          /* see its kind */
    int64_t saves;                           /* ns: so much less is `predicted` of a loop that follows it alone */
} sf_resident_advice;
enum { SF_RESIDENT_ADVICES = 8 };            /* in sf_resident_info, at most */

typedef struct sf_resident_info {            /* see sf_resident_get_info() */
    sf_resident_state state;                 /* at the call */
    uint64_t submitted, completed, dropped, queued;  /* submitted: iterations whose requests are all there, and
                                                requests that the host has dropped; dropped: these, and iterations
                                                that the loop has passed over. What the device itself asked for counts
                                                when it is done; beside it sf_resident_data_ready() may, too. A frame
                                                that a feeder has taken when the run ends is dropped */
    uint64_t missed;                         /* published later than the deadline */
    uint64_t heartbeat;                      /* stages entered so far */
    char stage[64];                          /* where the loop is: an operator; "wait", for data or a release; with
                                                no_stages "work". After a raise: the operator that raised, if known */
    sf_resident_loop loop;                   /* the shape that runs */
    int32_t partition;                       /* index of the one in its desc; -1: none */
    uint32_t nodes;                          /* in the loop's body and all bodies within */
    int64_t predicted;                       /* ns from submit to result, seen from the host, on an H100, without the
                                                kernels' own time */
    uint32_t advice_count;                   /* when it is built; what saves most comes first */
    sf_resident_advice advice[SF_RESIDENT_ADVICES];  /* advice_count of them */
    size_t device_bytes, host_bytes;         /* memory of the loop: on the device, and pinned memory of the host */
} sf_resident_info;

/* Parts of an iteration whose time is measured. One that ends before it begins (see sf_resident_slot) counts as 0. */
typedef enum sf_resident_span {
    SF_RESIDENT_SPAN_TOTAL,                  /* submitted to published */
    SF_RESIDENT_SPAN_QUEUE,                  /* submitted to started */
    SF_RESIDENT_SPAN_WORK,                   /* started to finished */
    SF_RESIDENT_SPAN_PUBLISH,                /* finished to published */
    SF_RESIDENT_SPAN_PERIOD                  /* published to published: its spread is the jitter */
} sf_resident_span;

typedef enum sf_resident_report_kind {       /* what sf_resident_report() writes */
    SF_RESIDENT_REPORT_TABLE,                /* counters and latencies, for people */
    SF_RESIDENT_REPORT_CSV,                  /* the same, one line per span and operator */
    SF_RESIDENT_REPORT_PLAN,                 /* in words: nodes, buffers, predicted cost, what would be faster */
    SF_RESIDENT_REPORT_DOT                   /* operators and edges, for Graphviz; of a loop that is built, the
                                                captured graph, too */
} sf_resident_report_kind;

/* Counters; latencies of a span; latencies of an operator, with measure_operators; a report. All are live, at no cost
   to the loop: the device counts in histograms. Any thread. SF_TIMEOUT: the GPU did not answer within 1 s. */
SF_API sf_result sf_resident_get_info(const sf_resident *resident, sf_resident_info *info);
SF_API sf_result sf_resident_get_latency(const sf_resident *resident, sf_resident_span span, sf_latency *latency);
SF_API sf_result sf_resident_get_op_latency(const sf_resident *resident, sf_op op, sf_latency *latency);
SF_API sf_result sf_resident_report(const sf_resident *resident, sf_resident_report_kind kind, sf_text_func text,
                                    void *user);

/* Why it was not built, or the first fault, stall or raise; while there is none, the latest refused call, but for the
   SF_ERROR_ILLEGAL_STATE of submit and result at a stop. A launch clears it. Lent until that, or a failure. */
SF_API const sf_failure *sf_resident_failure(const sf_resident *resident);

#ifdef __cplusplus
} /* extern "C" */

/* The same by reference: see the end of streamflow.h's declarations. */
SFI_REFERENCE sf_resident *sf_resident_create(const sf_resident_desc &desc) { return sf_resident_create(&desc); }
SFI_REFERENCE sf_op sf_resident_add(sf_resident *r, const sf_op_desc &desc) { return sf_resident_add(r, &desc); }
SFI_REFERENCE int sf_resident_add_input(sf_resident *r, sf_op op, const sf_port &port)
{
    return sf_resident_add_input(r, op, &port);
}
SFI_REFERENCE int sf_resident_add_output(sf_resident *r, sf_op op, const sf_port &port)
{
    return sf_resident_add_output(r, op, &port);
}
SFI_REFERENCE sf_result sf_resident_connect(sf_resident *r, sf_op from, const char *output, sf_op to,
                                            const char *input, const sf_edge_desc &desc)
{
    return sf_resident_connect(r, from, output, to, input, &desc);
}
SFI_REFERENCE sf_resident_branch sf_resident_add_branch(sf_resident *r, const sf_resident_branch_desc &desc)
{
    return sf_resident_add_branch(r, &desc);
}
#endif
#endif /* STREAMFLOW_GPU_RESIDENT_H */

#if (defined(STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION) || defined(__CUDACC__)) && !defined(SFI_RESIDENT_PROTOCOL)
#define SFI_RESIDENT_PROTOCOL

#include <string.h>

/* >>protocol ------------------------------------------------------------------------------------------ */

/* How a loop and its host talk: streamflow_kernels.cu compiles this for the GPU, the implementation for the host.
     control   the loop's state, in device memory. The loop alone writes it, but for its first words: there kernels
               and host bodies mark data and raise, atomically
     mail      pinned memory that both sides see: the host writes settings, submit and consumed, the loop the board
     request   input of one iteration. submit[source] counts them. Request n lies in slot (n - 1) % in_slots
     record    what the loop writes for each iteration that it publishes: numbers, times, and small results
     pass      one captured copy of the operators; an unrolled loop has one for each slot
   Functions with a control run in the loop, on one thread at a time unless they say otherwise; on a host device that
   is a worker in a host body. They take no lock, do not allocate or block, and call no function of the user. */

#ifdef __CUDACC__
    #define SFI_RESIDENT_FN static inline __host__ __device__
    #define SFI_RESIDENT_PART static __noinline__ __host__ __device__ __attribute__((unused))    /* short PTX */
#else
    #define SFI_RESIDENT_FN static inline __attribute__((unused))
    #define SFI_RESIDENT_PART SFI_RESIDENT_FN
#endif
#ifdef __CUDA_ARCH__
    #define SFI_RESIDENT_ROLLED _Pragma("unroll 1")
#else
    #define SFI_RESIDENT_ROLLED
#endif
#if !defined(SFI_RESIDENT_STEP) || defined(__CUDA_ARCH__)    /* tests stall here, between any two stores */
    #undef SFI_RESIDENT_STEP
    #define SFI_RESIDENT_STEP(id) ((void)0)
#endif
#if !defined(SFI_MUTANT) || defined(__CUDA_ARCH__)           /* tests: leave something out, by name */
    #undef SFI_MUTANT
    #define SFI_MUTANT(name) 0
#endif

enum {
    SFI_RESIDENT_ENDS = 32,                  /* sources, and sinks, of one loop */
    SFI_RESIDENT_SLOTS = 1024,
    SFI_RESIDENT_BUCKETS = 768,              /* of a histogram: 16 per doubling */
    SFI_RESIDENT_SPANS = 5,
    SFI_RESIDENT_NOT_READY = 1,              /* the data-ready word, as Holoscan's handlers write it */
    SFI_RESIDENT_READY = 2
};

/* Each word has one writer and a cache line of its own: no read-modify-write crosses PCIe. A source's `submit` counts
   its requests and has the stop bits in the same word: a load that sees a stop sees all requests before it. */
#define SFI_RESIDENT_DRAIN ((uint64_t)1 << 63)
#define SFI_RESIDENT_ABORT ((uint64_t)1 << 62)
#define SFI_RESIDENT_COUNT (SFI_RESIDENT_ABORT - 1)

typedef struct sfi_resident_line { uint64_t value, rest[15]; } sfi_resident_line;

typedef struct sfi_resident_settings {       /* the host writes them; the loop reads them when it starts */
    uint64_t launch;                         /* the number of the launch, from 1 */
    int64_t spin, nap, calm_nap, calm_after, timeout, deadline;      /* ns; calm_nap: the nap after calm_after */
} sfi_resident_settings;

enum { SFI_RESIDENT_HOST_POLL = 50000 };     /* ns after which the host's word is read, even if requests are known */
typedef struct sfi_resident_record {         /* of a published iteration; fresh: as below | heartbeat << 32 */
    uint64_t sequence, status, fresh, submitted, started, finished, published, missed;
} sfi_resident_record;

/* What crosses the bus in one go: each word has 32 bits of the content, and below them 32 of the number of what it
   is part of, the n-th request or result. One load reads both, so words may be written and seen in any order, without
   a fence between them: when all words have the number, all of the content is there. A word is overwritten a ring
   later, by a number that is not 2^32 away.
   Small requests travel like this, with their time of submission; so do records of results, with small results. */
enum {
    SFI_RESIDENT_TIME = 2,                   /* words of a request in front of its content */
    SFI_RESIDENT_RECORD = 16,                /* of a result */
    SFI_RESIDENT_INLINE = 14                 /* of content at most */
};
typedef struct sfi_resident_request { uint64_t words[SFI_RESIDENT_TIME + SFI_RESIDENT_INLINE]; } sfi_resident_request;
typedef struct sfi_resident_entry { uint64_t words[32]; } sfi_resident_entry;        /* ring longer than the slots' */

typedef struct sfi_resident_board {          /* the loop's words, in host memory */
    uint64_t completed, done, line0[14];     /* results; the last request done. Hints: the records count */
    uint64_t stage, began, line1[14];        /* heartbeat << 16 | stage; the request that was taken last */
    uint64_t started, ended, error, end_done;        /* numbers of launches; a raise; `done` after an abort */
    uint64_t raised_at, line2[11];           /* where a host body raised: stage << 1 | whether an iteration ran */
    uint64_t taken[SFI_RESIDENT_ENDS];       /* any_source: how many requests of each source were taken */
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

typedef struct sfi_resident_progress {       /* of the iteration that runs: one cache line, read at once */
    uint64_t completed, done, sequence, missed;
    int64_t submitted, started, finished, published;
    uint32_t live;                           /* an iteration is under way; 0: a pass that is not published */
    uint32_t fresh;                          /* bits of the sources that have a new request in it */
    uint32_t beat, content;                  /* iterations begun; the pass that has idle sources' content */
    uint64_t line[6];
} sfi_resident_progress;

struct sf_resident_control {                 /* in the device's memory: the loop's own, but for the first words */
    uint32_t ready, marks;                   /* the data-ready word; how often it was marked from outside */
    uint32_t raised, ending;                 /* ending: only passes too many are to come */
    uint32_t quick;                          /* one source or trigger, no handler: the fast path of waiting */
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
    uint32_t latest, any, handler;           /* what the desc says */
    uint32_t triggered, aligned;             /* no source and no handler; iteration k runs in pass (k - 1) % slots */
    uint32_t copies_in, copies_out;          /* of one captured slot: first those in, then those out */
    uint32_t line_words, record_words;       /* of a request, if it is in a line; of a record, with what is in it */
    uint32_t unfenced;                       /* operators write nothing that a record would have to wait for */
    uint32_t ops;                            /* fused ones */

    sfi_resident_settings now;
    sfi_resident_progress at;
    /* of a source: requests taken, counted when last read, counted when time was up; of a sink: results released */
    uint64_t taken[SFI_RESIDENT_ENDS], seen[SFI_RESIDENT_ENDS], limit[SFI_RESIDENT_ENDS], room[SFI_RESIDENT_ENDS];
    uint32_t pass, rested, late, stopped, marks_taken, marks_limit;  /* marks_limit: marks at the first stop */
    uint32_t by_device;                      /* so many triggers on the fast path were marks, in a row; at most 8 */
    int64_t start, host_polled;              /* of this launch; when the host's word was read last */
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
    uint32_t next, next_count;               /* the turn kernel: copies in of the pass that it waits for */
    uint32_t stage, kind;
    uint32_t every, phase, last;             /* a choice; `last`: beyond the cases, whatever the predicate says */
} sfi_resident_args;

typedef enum sfi_resident_stage {
    SFI_RESIDENT_STAGE_WAIT, SFI_RESIDENT_STAGE_WORK, SFI_RESIDENT_STAGE_OP
} sfi_resident_stage;
typedef enum sfi_resident_mark_kind {        /* sfi_resident_args.kind */
    SFI_RESIDENT_MARK_ENTER, SFI_RESIDENT_MARK_BEGIN, SFI_RESIDENT_MARK_END
} sfi_resident_mark_kind;
typedef enum sfi_resident_decision { SFI_RESIDENT_WAIT, SFI_RESIDENT_TAKE, SFI_RESIDENT_STOP } sfi_resident_decision;

/* The host's accesses to words that others read or write meanwhile; with SF_NO_THREADS only a GPU does. */
#ifdef SF_NO_THREADS
    #define SFI_RESIDENT_LOAD(p) (*(const volatile __typeof__(*(p)) *)(p))
    #define SFI_RESIDENT_STORE(p, v) ((void)(*(volatile __typeof__(*(p)) *)(p) = (v)))
    #define SFI_RESIDENT_ADD(p, v) ((*(p) += (v)) - (v))
    #define SFI_RESIDENT_SWAP(p, from, to) (*(p) == (from) ? (*(p) = (to), true) : ((from) = *(p), false))
#else
    #define SFI_RESIDENT_LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
    #define SFI_RESIDENT_STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
    #define SFI_RESIDENT_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
    #define SFI_RESIDENT_SWAP(p, from, to) \
        __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
#endif
/* load, store: of a word for the other side. On a GPU a store has no order of its own: one fence stands before the
   last stores. peek32: a load without order: something else orders what the word stands for. fence_device: for
   threads of the same device. clear returns what the word was. self: the control whose first words count, as a fused
   loop works on a copy, and kernels of the user write the original. */
#if defined(__CUDA_ARCH__)
SFI_RESIDENT_FN uint64_t sfi_resident_load(const uint64_t *p)
{
    unsigned long long v;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
SFI_RESIDENT_FN uint32_t sfi_resident_load32(const uint32_t *p)
{
    unsigned v;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
SFI_RESIDENT_FN uint32_t sfi_resident_peek32(const uint32_t *p)
{
    unsigned v;
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(v) : "l"(p));
    return v;
}
SFI_RESIDENT_FN void sfi_resident_store(uint64_t *p, uint64_t v)
{
    asm volatile("st.relaxed.sys.u64 [%0], %1;" : : "l"(p), "l"((unsigned long long)v) : "memory");
}
SFI_RESIDENT_FN void sfi_resident_store32(uint32_t *p, uint32_t v)
{
    asm volatile("st.relaxed.sys.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}
SFI_RESIDENT_FN void sfi_resident_fence(void) { asm volatile("fence.acq_rel.sys;" : : : "memory"); }
SFI_RESIDENT_FN void sfi_resident_fence_device(void) { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
SFI_RESIDENT_FN uint32_t sfi_resident_add(uint32_t *p, uint32_t v) { return atomicAdd(p, v); }
SFI_RESIDENT_FN uint32_t sfi_resident_clear(uint32_t *p) { return atomicExch(p, 0); }
SFI_RESIDENT_FN int64_t sfi_resident_clock(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return (int64_t)t;
}
SFI_RESIDENT_FN sf_resident_control *sfi_resident_self(sf_resident_control *c) { return __isShared(c) ? c->self : c; }
#else
SFI_RESIDENT_FN uint64_t sfi_resident_load(const uint64_t *p) { return SFI_RESIDENT_LOAD(p); }
SFI_RESIDENT_FN uint32_t sfi_resident_load32(const uint32_t *p) { return SFI_RESIDENT_LOAD(p); }
SFI_RESIDENT_FN uint32_t sfi_resident_peek32(const uint32_t *p) { return SFI_RESIDENT_LOAD(p); }
SFI_RESIDENT_FN void sfi_resident_store(uint64_t *p, uint64_t v) { SFI_RESIDENT_STORE(p, v); }
SFI_RESIDENT_FN void sfi_resident_store32(uint32_t *p, uint32_t v) { SFI_RESIDENT_STORE(p, v); }
SFI_RESIDENT_FN void sfi_resident_fence(void) {}
SFI_RESIDENT_FN void sfi_resident_fence_device(void) {}
SFI_RESIDENT_FN uint32_t sfi_resident_add(uint32_t *p, uint32_t v) { return SFI_RESIDENT_ADD(p, v); }
SFI_RESIDENT_FN uint32_t sfi_resident_clear(uint32_t *p)
{
    uint32_t was = sfi_resident_load32(p);
    while (!SFI_RESIDENT_SWAP(p, was, 0)) {}
    return was;
}
SFI_RESIDENT_FN int64_t sfi_resident_clock(void) { return sf_flow_now(NULL); }
SFI_RESIDENT_FN sf_resident_control *sfi_resident_self(sf_resident_control *c) { return c; }
#endif
SFI_RESIDENT_FN sfi_resident_known sfi_resident_know(const sf_resident_control *c)
{
    const sfi_resident_known k = {           /* in the order of its fields */
        c->records, c->requests, c->histograms, c->copies, c->times,
        c->record_mask, c->any ? c->sources : 0, c->quick, c->triggered, c->aligned, c->slots, c->in_slots, c->sinks,
        c->line_words, c->record_words,
        c->unfenced,
        c->now
    };
    return k;
}

SFI_RESIDENT_FN void sfi_resident_enter(sf_resident_control *c, uint32_t stage)      /* the heartbeat */
{
    sfi_resident_store(&c->mail->board.stage, (uint64_t)c->at.beat << 16 | stage);
}

/* Data is ready, or not: any thread of the device. */
SFI_RESIDENT_FN void sfi_resident_mark(sf_resident_control *c, bool ready)
{
    sf_resident_control *self = sfi_resident_self(c);
    if (ready) {                             /* counted first: a kernel that waits for marks polls this */
        sfi_resident_fence_device();
        (void)sfi_resident_add(&self->marks, 1);
    }
    if (!ready || !self->triggered) {        /* triggered: every mark is a request, whenever it comes */
        sfi_resident_store32(&self->ready, ready ? SFI_RESIDENT_READY : SFI_RESIDENT_NOT_READY);
    }
}
/* Ends the loop; the first code counts. Any thread of the device. A fused operator also sets its loop's copy. */
SFI_RESIDENT_FN void sfi_resident_raise(sf_resident_control *c, int32_t code)
{
    sf_resident_control *self = sfi_resident_self(c);
    uint32_t value = (uint32_t)(code < 0 ? code : SF_ERROR_USER);
    if (sfi_resident_load32(&self->ending)) { return; }      /* a pass of the operators that counts for nothing */
#if defined(__CUDA_ARCH__)
    uint32_t first = atomicCAS(&self->raised, 0, value);
    if (c != self) { sfi_resident_store32(&c->raised, first ? first : value); }
#else
    uint32_t none = 0;
    (void)SFI_RESIDENT_SWAP(&self->raised, none, value);
#endif
}

/* -- the loop: when it starts, whether there is data, what is taken, what is published, when it ends -- */

/* The first step of a launch: reads the settings, and says on the board that the launch has started. */
SFI_RESIDENT_PART void sfi_resident_begin(sf_resident_control *c)
{
    c->now = c->mail->settings;
    c->late = c->stopped = c->at.live = c->rested = 0;       /* a raise from before this ends it at the first poll */
    c->at.beat++;
    c->start = sfi_resident_clock();
    c->at.published = 0;
    c->host_polled = 0;
    if (c->handler) { sfi_resident_store32(&c->ready, SFI_RESIDENT_NOT_READY); }     /* what a stop has discarded */
    sfi_resident_store(&c->mail->board.error, 0);
    sfi_resident_store(&c->mail->board.started, c->now.launch);
    sfi_resident_enter(c, SFI_RESIDENT_STAGE_WAIT);
}

/* Requests of source s that are counted and not taken. Past the loop's time (`late`) only those count that were there
   when it was up. *stop keeps the bits that the words of all sources have: only then all counts are final. */
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
    SFI_RESIDENT_ROLLED
    for (uint32_t t = 0; t < c->sinks; t++) {
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
/* Whether the next request's words are all there. The host counts it first: no word is of one that a stop refused. */
SFI_RESIDENT_PART bool sfi_resident_has_arrived(const sf_resident_control *c)
{
    const uint64_t *words = c->requests[c->taken[0] % c->in_slots].words;
    SFI_RESIDENT_ROLLED
    for (uint32_t i = 0; i < (SFI_MUTANT(half_a_line) ? 1 : c->line_words); i++) {
        if (!sfi_resident_is_of(sfi_resident_load(&words[i]), c->taken[0] + 1)) { return false; }
    }
    return true;
}
/* Copies the request that was taken last from its words into the ports' memory, and sets when it was submitted. */
SFI_RESIDENT_PART void sfi_resident_unload(sf_resident_control *c, uint32_t first, uint32_t count)
{
    const uint64_t *words = c->requests[(c->taken[0] - 1) % c->in_slots].words;
    int64_t at = (int64_t)sfi_resident_join(sfi_resident_load(&words[0]), sfi_resident_load(&words[1]));
    if (at && at < sfi_resident_clock()) { c->at.submitted = at; }
    SFI_RESIDENT_ROLLED
    for (uint32_t i = first; i < first + count; i++) {
        const sfi_resident_copy *copy = &c->copies[i];
        SFI_RESIDENT_ROLLED
        for (uint32_t n = 0; n < sfi_resident_words_of(copy->bytes); n++) {
            uint64_t word = sfi_resident_load(&words[SFI_RESIDENT_TIME + copy->word + n]);
            sfi_resident_put_word(copy->memory, copy->bytes, n, sfi_resident_content(word));
        }
    }
}

/* Requests of the device itself: marks that are not taken, and the data-ready word. With a data-ready handler:
   whether it has found data. Marks that come after a stop do not count. */
SFI_RESIDENT_PART uint64_t sfi_resident_device_pending(sf_resident_control *c)
{
    const sf_resident_control *self = sfi_resident_self(c);
    uint32_t ready = !c->stopped && sfi_resident_load32(&self->ready) == SFI_RESIDENT_READY;
    uint32_t marks = c->stopped ? c->marks_limit : sfi_resident_load32(&self->marks);
    return c->handler ? ready : (uint64_t)(marks - c->marks_taken) + ready;
}

/* How many iterations the sources' requests are enough for. *stop keeps the bits that all words have. */
SFI_RESIDENT_FN uint64_t sfi_resident_waiting(sf_resident_control *c, uint64_t *stop, bool late)
{
    uint64_t least = SFI_RESIDENT_COUNT, most = 0, n;
    SFI_RESIDENT_ROLLED
    for (uint32_t s = 0; s < c->words; s++) {
        n = sfi_resident_pending(c, s, stop, late);
        if (s >= c->sources) { continue; }
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    return c->any ? most : least;
}
/* Whether to take an iteration, to wait, or to stop. The first stop, and the end of the loop's time, set what still
   counts: `stopped` with marks_limit, and `late` with limit. */
SFI_RESIDENT_PART sfi_resident_decision sfi_resident_decide(sf_resident_control *c, int64_t now)
{
    uint64_t stop = ~SFI_RESIDENT_COUNT, n;
    bool late = c->now.timeout > 0 && now - c->start >= c->now.timeout;
    if (sfi_resident_load32(&sfi_resident_self(c)->raised) && !SFI_MUTANT(raised_stop)) { return SFI_RESIDENT_STOP; }
    n = sfi_resident_waiting(c, &stop, late);
    if (stop & SFI_RESIDENT_ABORT) { return SFI_RESIDENT_STOP; }
    if ((late || stop) && !c->stopped) {     /* what the device itself asks for after this is not taken any more */
        c->stopped = 1;
        c->marks_limit = sfi_resident_load32(&sfi_resident_self(c)->marks);
    }
    c->late |= late;
    if (c->triggered) {
        n += sfi_resident_device_pending(c);
    } else if (c->handler && (!c->sources || !sfi_resident_device_pending(c))) {
        n = sfi_resident_device_pending(c);
    }
    if (n) {
        if (!sfi_resident_has_arrived(c)) { return SFI_RESIDENT_WAIT; }
        if (sfi_resident_has_room(c)) { return SFI_RESIDENT_TAKE; }
        return c->late ? SFI_RESIDENT_STOP : SFI_RESIDENT_WAIT;
    }
    return c->stopped ? SFI_RESIDENT_STOP : SFI_RESIDENT_WAIT;
}

/* As decide. From a stop on, raises of passes that are left count for nothing (`ending`). */
SFI_RESIDENT_FN sfi_resident_decision sfi_resident_poll(sf_resident_control *c, int64_t now)
{
    sfi_resident_decision turn = sfi_resident_decide(c, now);
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
    SFI_RESIDENT_ROLLED
    for (uint32_t s = 0; s < c->sources; s++) {
        n = c->seen[s] - c->taken[s];
        least = n < least ? n : least;
        n = sfi_resident_skip(c, n);
        skip = n > skip ? n : skip;
    }
    if (!c->any && skip >= least && least) { skip = least - 1; }
    SFI_RESIDENT_ROLLED
    for (uint32_t s = 0; s < c->sources; s++) {
        n = c->seen[s] - c->taken[s];
        if (!n) { continue; }
        c->at.fresh |= (uint32_t)1 << s;
        c->taken[s] += 1 + (c->any ? sfi_resident_skip(c, n) : skip);
    }
    return skip;
}
/* Begins an iteration at `now`: takes a mark or the requests, and shows it to the host (`began`, heartbeat). */
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

/* How an iteration is published: results that are too large for the record; one fence, which makes them and all that
   operators wrote visible; the record's words, in any order; as a hint, the counts on the board. A fence takes as
   long as a read across the bus, whatever is under way. */
SFI_RESIDENT_FN sfi_resident_record sfi_resident_record_of(const sfi_resident_known *k,
                                                           const sfi_resident_progress *p, uint32_t raised,
                                                           int64_t now)
{
    int64_t deadline = k->set.deadline;
    const sfi_resident_record r = {
        p->sequence, raised, (uint64_t)p->beat << 32 | p->fresh, (uint64_t)p->submitted, (uint64_t)p->started,
        (uint64_t)p->finished, (uint64_t)now, p->missed + (deadline > 0 && now - p->submitted > deadline)
    };
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
/* Content of the i-th word of results that travel in the record. */
SFI_RESIDENT_FN uint32_t sfi_resident_result_word(const sfi_resident_copy *copies, uint32_t count, uint32_t i)
{
    SFI_RESIDENT_ROLLED
    for (uint32_t n = 0; n < count; n++) {
        if (i - copies[n].word < sfi_resident_words_of(copies[n].bytes)) {
            return sfi_resident_get_word(copies[n].memory, copies[n].bytes, i - copies[n].word);
        }
    }
    return 0;
}
/* any_source: shows the host how many requests of each source were taken; before the fence. */
SFI_RESIDENT_FN void sfi_resident_publish_taken(const sf_resident_control *c, sfi_resident_mail *mail,
                                                const sfi_resident_known *k)
{
    SFI_RESIDENT_ROLLED
    for (uint32_t s = 0; s < k->any; s++) { sfi_resident_store(&mail->board.taken[s], c->taken[s]); }
}
/* After the record of an iteration: counts it, on the board and in the loop's progress. `pass`: the one that ran. */
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

/* The last step of a launch: drops and counts what a stop without drain has left, and says how it ended. */
SFI_RESIDENT_PART void sfi_resident_end(sf_resident_control *c)
{
    sfi_resident_board *board = &c->mail->board;
    uint64_t stop = ~SFI_RESIDENT_COUNT, n;
    c->late = 0;                             /* all that waits counts, what came after its time, too */
    n = sfi_resident_waiting(c, &stop, false);
    if (stop & SFI_RESIDENT_ABORT && c->sources && n) {      /* what waits is dropped, and counted */
        SFI_RESIDENT_ROLLED
        for (uint32_t s = 0; s < c->sources; s++) {
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

/* 16 buckets for each doubling; below 32 ns one for each ns. */
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
/* Counts a time. Threads of a GPU may count side by side; the host reads meanwhile. */
SFI_RESIDENT_FN void sfi_resident_tally(sfi_resident_histogram *h, int64_t ns)
{
    uint64_t x = ns > 0 ? (uint64_t)ns : 0, *bucket = &h->buckets[sfi_resident_bucket(ns)];
#if defined(__CUDA_ARCH__)
    atomicAdd((unsigned long long *)bucket, 1ull);           /* no result is used: no wait */
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
/* Counts one span of an iteration that was published at `now`; on a GPU each span by another thread. */
SFI_RESIDENT_FN void sfi_resident_account(const sfi_resident_progress *p, sfi_resident_histogram *histograms,
                                          uint32_t span, int64_t now)
{
    int64_t from = span == SF_RESIDENT_SPAN_WORK ? p->started : span == SF_RESIDENT_SPAN_PUBLISH ? p->finished
                   : span == SF_RESIDENT_SPAN_PERIOD ? p->published : p->submitted;
    int64_t to = span == SF_RESIDENT_SPAN_QUEUE ? p->started : span == SF_RESIDENT_SPAN_WORK ? p->finished : now;
    if (from) { sfi_resident_tally(&histograms[span], to - from); }
}

/* The body of a branch that runs: by its predicate, or by the count of iterations. */
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
/* Where a copy of this iteration reads. Results: the port's memory. Requests: the ring's slot, or, if the source has
   no new one and its last content lies in another pass's memory, there. NULL: there is nothing to copy. */
SFI_RESIDENT_FN const char *sfi_resident_from(const sf_resident_control *c, const sfi_resident_copy *copy)
{
    uint32_t each = c->copies_in + c->copies_out, index = (uint32_t)(copy - c->copies);
    if (!c->at.live) { return NULL; }
    if (copy->out) { return copy->memory; }
    if (c->at.fresh >> copy->end & 1) { return sfi_resident_slot_of(c, copy); }
    return index / each == c->at.content ? NULL : c->copies[c->at.content * each + index % each].memory;
}
/* Sets when the request was submitted, by the time of its slot; else it stays the time at which it was taken. */
SFI_RESIDENT_PART void sfi_resident_when(sf_resident_control *c)
{
    uint32_t s;
    SFI_RESIDENT_ROLLED
    for (s = 0; s < c->sources && !(c->at.fresh >> s & 1); s++) {}
    if (c->triggered || s == c->sources) { return; }
    uint64_t at = sfi_resident_load(&c->times[s * (c->slots + 1) + (c->taken[s] - 1) % c->in_slots]);
    if (at && (int64_t)at < sfi_resident_clock()) { c->at.submitted = (int64_t)at; }
}

#endif /* SFI_RESIDENT_PROTOCOL */

#if defined(STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION) && !defined(STREAMFLOW_GPU_RESIDENT_IMPLEMENTED)
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTED

#include <stdarg.h>
#include <string.h>
#ifndef SF_NO_STDLIB
    #include <stdlib.h>
    #ifdef __cplusplus
        #include <exception>
    #endif
#endif

/* >>objects ------------------------------------------------------------------------------------------- */

/* What there is on the host. A loop owns all of it; memory from its heap is freed with it. One thread adds, builds
   and launches first. From the build on operators, ports, edges, branches and memory stay, and any thread reads them;
   what changes is atomic or has a lock, as the fields say. Locks spin: settling -> failing; wiring is a leaf.
   `holders` counts threads that change counters of rings: a launch waits for them and lets none begin meanwhile. */

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
    struct sfi_resident_op *op;
    int side;                                /* 0: an input, 1: an output */
    struct sfi_resident_edge *edge;          /* of an input: the one into it; NULL: none */
    bool connected, received, emitted;       /* an output that is read; by the compute in this pass */
    bool hidden;                             /* an input for a tensor of a bundle */
    size_t bytes;                            /* as both ends of the edge agree */
    void *data;                              /* the same: memory that a desc gave; NULL: the loop allocates it */
    void **memory;                           /* where it lies, by pass */
    sfi_resident_tensor view;                /* what receive and create lend */
    char *ring;                              /* external: its slots in pinned memory */
    size_t stride;                           /* bytes from slot to slot */
    uint32_t word;                           /* where its content begins among numbered words */
    int32_t field_count;                     /* of an output; of the output that an input reads; 0: no bundle */
    struct sfi_resident_port **parts;        /* an input's hidden ones, each with an edge from a field */
    sf_field *fields;                        /* what `view` has then */
} sfi_resident_port;

/* The host's side of one ring of slots. The source's writer, or the sink's reader, changes it while the launch is
   held off; a launch sets it. `next` counts requests submitted, or results released; `lent`: the last result lent. */
typedef struct sfi_resident_ring {
    bool is;                                 /* the operator has external ports on this side */
    uint32_t index;                          /* of the source or sink */
    uint64_t next, lent, dropped;
    uint64_t acquired;                       /* the sequence whose slot acquire has lent; 0: none */
    uint64_t used;                           /* requests that the loop has taken, when it was last read */
    uint32_t *out;                           /* per slot: lent and not released */
    uint64_t *names;                         /* DROP_NEWEST: the sequence that the host knows a request by */
} sfi_resident_ring;

typedef struct sfi_resident_tails {          /* nodes that the next one comes after */
    sf_dependency *items;
    int32_t count;
} sfi_resident_tails;

typedef struct sfi_resident_op {
    sf_op_desc is;
    char *name;
    uint32_t index;
    sfi_resident_port *ports[2][SF_MAX_PORTS];               /* in, out */
    int32_t count[2];
    int32_t branch, which;
    bool handler, started;
    sf_partition *partition;                 /* another one than the loop's; or NULL */
    int32_t place;                           /* its index */
    sf_stream *stream;                       /* there: captures the operator */
    sf_graph_node *before, *last;            /* its last node in the first pass, and what is before all of its, a
                                                mark or another's; NULL: several, or it is in a branch */
    bool first, joins;                       /* nothing comes before it in an iteration; several do */
    uint32_t plain, late;                    /* its kernels that could start early, and do not; less one that is
                                                first: in an exact loop that one saves nothing */
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
    bool any, has_else;                      /* an operator is in it; one is in an IF's other case */
} sfi_resident_choice;

enum { SFI_RESIDENT_ENTRIES = 16 };          /* of metadata that travel along */

/* What travels past the loop: by request, as long as any ring can hold it. Words, for one may be read while its
   place is filled anew. */
typedef struct sfi_resident_parcel {
    uint64_t request, time, count, keys[SFI_RESIDENT_ENTRIES], values[SFI_RESIDENT_ENTRIES][2];
} sfi_resident_parcel;

typedef struct sfi_resident_bridge {
    sf_resident *r;
    sfi_resident_op *op;
    sf_flow *flow;                           /* while it runs, and which operator it is there */
    sf_op id;
    char name[48];
    sfi_resident_parcel *parcels;            /* the feeder's */
    uint32_t copying, epoch;                 /* copies under way that submit, all for this launch */
    uint64_t over;                           /* the last launch that ended before this run of the flow; 0: none */
    uint64_t before;                         /* requests of before this run: it does not want their results */
    bool full;                               /* a warning has said that metadata is lost */
    uint32_t discarding;                     /* the reader has ended: one at a time takes what it would have read */
    sf_result raised;                        /* in an iteration that the reader has seen: the loop is ending */
} sfi_resident_bridge;

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
    int32_t capability, ordinal, driver;
    int32_t place, sms;                      /* of its partition: the index, or -1, and multiprocessors */
    bool apart;                              /* an operator is in another partition than the loop */

    sfi_resident_op **ops;
    uint32_t op_count;
    sfi_resident_port **ports;               /* of all operators, as they were added */
    uint32_t port_count;
    sfi_resident_edge **edges;
    uint32_t edge_count;
    bool delayed;                            /* one of them is */
    sfi_resident_choice **branches;
    uint32_t branch_count;
    sfi_resident_op *handler;
    sfi_resident_op *sources[SFI_RESIDENT_ENDS], *sinks[SFI_RESIDENT_ENDS];
    uint32_t source_count, sink_count;

    sfi_resident_phase phase;                /* of the build */
    bool inside;                             /* a compute or a hook of its operators runs */
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

    char *pinned;                            /* mail, records, times, rings: both sides have the same addresses */
    size_t pinned_bytes;
    sfi_resident_mail *mail;
    sfi_resident_request *requests;
    char *device_memory;                     /* control, histograms, copies, buffers */
    size_t device_bytes;
    sf_resident_control *control, image;     /* in the device's memory, and what it begins with */
    sfi_resident_copy *copies_image;
    uint32_t copy_count;                     /* of all captured slots */
    size_t in_bytes, out_bytes;
    uint32_t in_words, out_words;            /* if all of it travelled in words */

    uint32_t state;                          /* sf_resident_state; atomic, as are the next ones */
    uint32_t settling;                       /* lock: its owner launches, stops, or records how a run ended */
    uint32_t failing;                        /* lock of the failure and its texts; taken last, also within settling */
    uint32_t wiring;                         /* lock to set and clear a bridge's flow and id, and to compare them with
                                                another flow's; no other lock within. Operators of that flow read
                                                both between its start and its stop without it */
    uint32_t warned, broken;                 /* a warning, that the flow waits, is logged; adding has failed */
    uint32_t stays;                          /* the device is kept open for the loop */
    uint32_t outcome;                        /* sf_result of the last run */
    uint32_t raised_by;                      /* with an outcome that was raised: the operator's number + 1, or 0 */
    uint64_t launches, old_results;          /* old_results: published before the launch */
    uint32_t epoch, holders;                 /* counts launches; threads that change this one's counters right now */
    uint32_t lost;                           /* frames that feeders had taken when the run ended */
    sf_result first_error;                   /* of its life; sf_resident_destroy() returns it */
    uint64_t watched, watched_since;         /* the signs of life that were seen last, and since when */
    uint64_t shift;                          /* add it to the device's clock for the host's */
    uint64_t high, beat;                     /* the largest `submitted` and heartbeat returned so far */
    uint64_t queried;                        /* when the stream was last asked whether it has ended */

    sf_failure failure;                      /* with its texts under `failing` */
    bool only_refused;                       /* the failure is a refused call: a real one replaces it */
    char text[SFI_RESIDENT_TEXT], where[64];
};

typedef struct sfi_resident_call {           /* a hook that runs */
    sf_context ctx;
    sf_resident *r;
    sfi_resident_op *op;
    sf_stream *stream;
    sf_result error;
    sfi_resident_tensor nothing;             /* stand-in after an error */
} sfi_resident_call;

#ifndef SF_NO_STDLIB
static void *sfi_resident_malloc(size_t bytes, void *user) { return (void)user, malloc(bytes); }
static void sfi_resident_mfree(void *ptr, void *user) { (void)user, free(ptr); }
#endif
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
/* Returns where a list with room for one more item lies: `items`, or a copy if it is full, with 4, 8, 16, ... of
   them. NULL: no memory. */
static void *sfi_resident_grown(sf_resident *r, const void *items, size_t size, uint32_t count)
{
    if (count && (count < 4 || count & (count - 1))) { return (void *)(uintptr_t)items; }
    void *grown = sfi_resident_new(r, (count ? 2 * (size_t)count : 4) * size);
    if (grown && count) { memcpy(grown, items, count * size); }
    return grown;
}
/* Appends to one of the lists of a loop. False: no memory. */
static bool sfi_resident_push(sf_resident *r, void ***items, uint32_t *count, void *item)
{
    void **grown = (void **)sfi_resident_grown(r, (const void *)*items, sizeof *grown, *count);
    if (!grown) { return false; }
    *items = grown;
    grown[(*count)++] = item;
    return true;
}
/* Adds a node, unless it is there. False: no memory. */
static bool sfi_resident_add_tail(sf_resident *r, sfi_resident_tails *t, sf_graph_node *node)
{
    for (int32_t i = 0; i < t->count; i++) {
        if (t->items[i].node == node) { return true; }
    }
    sf_dependency *grown = (sf_dependency *)sfi_resident_grown(r, t->items, sizeof *grown, (uint32_t)t->count);
    if (!grown) { return false; }
    t->items = grown;
    t->items[t->count].node = node;
    t->items[t->count++].type = SF_DEPENDENCY_FULL;
    return true;
}
static bool sfi_resident_add_tails(sf_resident *r, sfi_resident_tails *t, const sfi_resident_tails *more)
{
    for (int32_t i = 0; i < more->count; i++) {
        if (!sfi_resident_add_tail(r, t, more->items[i].node)) { return false; }
    }
    return true;
}

/* -- words that several threads of the host share: atomic, no lock -- */

static uint32_t sfi_resident_state_of(const sf_resident *r) { return sfi_resident_load32(&r->state); }
static sf_result sfi_resident_outcome(const sf_resident *r)
{
    return (sf_result)(int32_t)sfi_resident_load32(&r->outcome);
}
static bool sfi_resident_is_built(const sf_resident *r) { return sfi_resident_state_of(r) != SF_RESIDENT_NEW; }
static bool sfi_resident_swap32(uint32_t *p, uint32_t from, uint32_t to) { return SFI_RESIDENT_SWAP(p, from, to); }
static bool sfi_resident_swap(uint64_t *p, uint64_t from, uint64_t to) { return SFI_RESIDENT_SWAP(p, from, to); }
/* The stop bits are in the word of the count, so that one load sees both. */
static uint64_t *sfi_resident_stop_word(sf_resident *r, uint32_t s)
{
    return SFI_MUTANT(stop_word) ? &r->mail->line[0] : &r->mail->submit[s].value;
}
static void sfi_resident_set_bits(uint64_t *p, uint64_t bits, bool on)
{
    uint64_t old = sfi_resident_load(p);
    while (!SFI_RESIDENT_SWAP(p, old, on ? old | bits : old & ~bits)) {}
}

/* >>failures ------------------------------------------------------------------------------------------ */

/* Sentences, failures, log lines. "Default" and the words for what a function may do: see the page >>architecture of
   streamflow.h. Default: any thread; local, but for failures and reports. A failure is stored under `failing`, for a
   few stores. The logger is called without that lock, but with `settling` where an end or a launch is reported. */

/* Where text goes: to `func`, or, if that is NULL, to a buffer. What has no room there is left out. */
typedef struct sfi_resident_text {
    sf_text_func func;
    void *user;
    char *at;
    size_t room;
} sfi_resident_text;

static sfi_resident_text sfi_resident_text_in(char *buffer, size_t room)
{
    const sfi_resident_text t = { NULL, NULL, buffer, room };
    *buffer = 0;
    return t;
}
static void sfi_resident_put(sfi_resident_text *t, const char *text, size_t bytes)
{
    if (t->func) {
        t->func(t->user, text, bytes);
        return;
    }
    bytes = bytes < t->room ? bytes : t->room - 1;
    memcpy(t->at, text, bytes);
    t->at += bytes;
    t->room -= bytes;
    *t->at = 0;
}
static void sfi_resident_put_number(sfi_resident_text *t, uint64_t n, int digits)    /* at least so many */
{
    char buffer[24], *at = buffer + sizeof buffer;
    for (; n || digits > 0; n /= 10, digits--) { *--at = (char)('0' + n % 10); }
    sfi_resident_put(t, at, (size_t)(buffer + sizeof buffer - at));
}
static void sfi_resident_put_quoted(sfi_resident_text *t, const char *text, bool csv)
{
    sfi_resident_put(t, "\"", 1);
    for (; *text; text++) {
        if (*text == '"' || (*text == '\\' && !csv)) { sfi_resident_put(t, csv ? "\"" : "\\", 1); }
        sfi_resident_put(t, text, 1);
    }
    sfi_resident_put(t, "\"", 1);
}
/* %s: a string, or NULL; %n: at most 96 characters of it, so that there is room for what comes behind it; %q: in
   quotes, for DOT; %d: an int; %u: a uint32_t; %z: a size_t; %l: a uint64_t; %t: an int64_t of ns, in us, 12.345. */
static void sfi_resident_print_list(sfi_resident_text *t, const char *format, va_list list)
{
    for (size_t n; *format; format += n) {
        const char *text;
        int64_t number;
        bool cut;
        n = strcspn(format, "%");
        if (n) {
            sfi_resident_put(t, format, n);
            continue;
        }
        switch (format[1]) {
        case 's':
        case 'n':
            text = va_arg(list, const char *);
            n = text ? strlen(text) : 0;
            cut = format[1] == 'n' && n > 96;
            if (n) { sfi_resident_put(t, text, cut ? 96 : n); }
            if (cut) { sfi_resident_put(t, "...", 3); }
            break;
        case 'd':
            number = va_arg(list, int);
            if (number < 0) { sfi_resident_put(t, "-", 1); }
            sfi_resident_put_number(t, (uint64_t)(number < 0 ? -number : number), 1);
            break;
        case 't':
            number = va_arg(list, int64_t);
            number = number < 0 ? 0 : number;
            sfi_resident_put_number(t, (uint64_t)number / 1000, 1);
            sfi_resident_put(t, ".", 1);
            sfi_resident_put_number(t, (uint64_t)number % 1000, 3);
            break;
        case 'q': sfi_resident_put_quoted(t, va_arg(list, const char *), false); break;
        case 'u': sfi_resident_put_number(t, va_arg(list, uint32_t), 1); break;
        case 'z': sfi_resident_put_number(t, va_arg(list, size_t), 1); break;
        default: sfi_resident_put_number(t, va_arg(list, uint64_t), 1);
        }
        n = 2;
    }
}
static void sfi_resident_print(sfi_resident_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    sfi_resident_print_list(t, format, list);
    va_end(list);
}
static void sfi_resident_print_in(char *buffer, size_t room, const char *format, ...)
{
    sfi_resident_text t = sfi_resident_text_in(buffer, room);
    va_list list;
    va_start(list, format);
    sfi_resident_print_list(&t, format, list);
    va_end(list);
}
static void sfi_resident_log(const sf_resident *r, uint32_t level, sf_result result, const char *text)
{
    if (r->desc.logger.func) {
        uint32_t item = result < 0 ? 0u - (uint32_t)result : (uint32_t)result;
        r->desc.logger.func("streamflow", level, item, text, 0, NULL, r->desc.logger.user);
    }
}
static void sfi_resident_lock(uint32_t *word)                /* spins: it is held for a few stores, or a launch */
{
    while (!sfi_resident_swap32(word, 0, 1)) {}
}

/* Stores the first failure since the launch, until then the latest refused call; counts all. Takes `failing`. */
static void sfi_resident_record_failure(sf_resident *r, const char text[SFI_RESIDENT_TEXT], sf_result result,
                                        const char *where, const char *call, bool refused)
{
    sfi_resident_lock(&r->failing);
    if (!r->failure.count || r->only_refused) {
        memcpy(r->text, text, sizeof r->text);
        sfi_resident_print_in(r->where, sizeof r->where, "%s", where);
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
typedef enum sfi_resident_severity {
    SFI_RESIDENT_FAILS,                      /* a failure of the loop */
    SFI_RESIDENT_REFUSES,                    /* a call was wrong, the loop is as it was */
    SFI_RESIDENT_REJECTS,                    /* a failure that sf_resident_build() returns */
    SFI_RESIDENT_WARNS, SFI_RESIDENT_NOTES   /* no failure: it is only logged */
} sfi_resident_severity;

/* If `result` is an error, sf_resident_build() will return it, unless there was one before. Returns `result`. */
static sf_result sfi_resident_fail_build(sf_resident *r, sf_result result)
{
    if (result < 0 && r->build_error >= 0) {
        r->build_error = result;
        sfi_resident_store32(&r->broken, 1);
    }
    return result;
}
/* Makes a sentence, records it if it is a failure, and logs it; with `later` it only stores it there, for a caller
   that logs it when its state is set. The format and its arguments: reason and remedy. Returns `result`. */
static sf_result sfi_resident_say(sf_resident *r, sfi_resident_severity severity, char *later, sf_result result,
                                  const char *where, const char *call, const char *format, ...)
{
    char own[SFI_RESIDENT_TEXT], *text = later ? later : own;
    const uint32_t level = severity == SFI_RESIDENT_WARNS ? 2 : severity == SFI_RESIDENT_NOTES ? 3 : 1;
    sfi_resident_text t = sfi_resident_text_in(text, SFI_RESIDENT_TEXT);
    va_list list;
    sfi_resident_print(&t, "%n: ", r->name);
    if (where && *where && where != r->name) { sfi_resident_print(&t, "%n: ", where); }
    if (call) { sfi_resident_print(&t, "%s: ", call); }
    va_start(list, format);
    sfi_resident_print_list(&t, format, list);
    va_end(list);
    if (level == 1) { sfi_resident_record_failure(r, text, result, where, call, severity == SFI_RESIDENT_REFUSES); }
    if (!later) { sfi_resident_log(r, level, result, text); }
    return severity == SFI_RESIDENT_REJECTS ? sfi_resident_fail_build(r, result) : result;
}
/* Their arguments: the result, where (an operator's name, or the loop's), the call (REJECT: the build), a format. */
#define SFI_FAIL(r, ...) sfi_resident_say(r, SFI_RESIDENT_FAILS, NULL, __VA_ARGS__)
#define SFI_FAIL_LATER(r, later, ...) sfi_resident_say(r, SFI_RESIDENT_FAILS, later, __VA_ARGS__)
#define SFI_REFUSE(r, ...) sfi_resident_say(r, SFI_RESIDENT_REFUSES, NULL, __VA_ARGS__)
#define SFI_REJECT_CALL(r, ...) sfi_resident_say(r, SFI_RESIDENT_REJECTS, NULL, __VA_ARGS__)
#define SFI_REJECT(r, result, where, ...) SFI_REJECT_CALL(r, result, where, "sf_resident_build", __VA_ARGS__)
#define SFI_WARN(r, where, ...) \
    (void)sfi_resident_say(r, SFI_RESIDENT_WARNS, NULL, SF_OK, where, NULL, __VA_ARGS__)

/* Fails with the sentence of the device, if its latest failure has this code. */
static sf_result sfi_resident_device_failed(sf_resident *r, sf_result result, const char *where, const char *call)
{
    const sf_failure *f = sf_device_failure(r->device);
    return SFI_FAIL(r, result, where, call, "%s", f->result == result ? f->text : sf_result_string(result));
}

static bool sfi_resident_is(const sf_resident *r) { return r && r->tag == SFI_RESIDENT_TAG; }
static sfi_resident_op *sfi_resident_find(const sf_resident *r, sf_op op)
{
    uint32_t slot = op.id & 0xfffff;
    return slot && slot <= r->op_count && op.id >> 20 == r->generation ? r->ops[slot - 1] : NULL;
}
static sfi_resident_port *sfi_resident_find_port(const sfi_resident_op *op, int side, const char *name)
{
    if (!name) { return op->count[side] == 1 ? op->ports[side][0] : NULL; }
    for (int32_t i = 0; i < op->count[side]; i++) {
        if (!strcmp(op->ports[side][i]->name, name)) { return op->ports[side][i]; }
    }
    return NULL;
}

static sf_op sfi_resident_id(const sf_resident *r, const sfi_resident_op *op)
{
    const sf_op id = { (op->index + 1) | r->generation << 20 };
    return id;
}

/* Makes a stream of the loop's own; urgent: of the highest priority that the device has. */
static sf_result sfi_resident_make_stream(const sf_resident *r, const char *name, uint32_t flags, bool urgent,
                                          sf_partition *partition, sf_stream **s)
{
    sf_stream_desc d;
    memset(&d, 0, sizeof d);
    d.flags = SF_STREAM_NON_BLOCKING | flags;
    d.priority = urgent && !r->desc.default_priority ? INT32_MIN : 0;        /* clamped */
    d.name = name;
    d.partition = partition;
    return sf_stream_create(r->device, &d, s);
}

/* >>adding -------------------------------------------------------------------------------------------- */

/* Up to sf_resident_build(). Default: by the one thread that adds, with no lock; may allocate from the loop's heap,
   and fail (`failing`, the logger). sf_resident_create() may open a device. What they reject, the build returns, too.
   Their results: NULL, -1 or id 0 after an error. */

static sf_result sfi_resident_no_memory(sf_resident *r, const char *call)
{
    return SFI_REJECT_CALL(r, SF_ERROR_OUT_OF_MEMORY, r->name, call, "the heap gave nothing");
}
static sf_result sfi_resident_may_add(sf_resident *r, const char *call)
{
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (r->phase == SFI_RESIDENT_ADDING) { return SF_OK; }
    return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, r->name, call, "it is built already: make another one");
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
/* Rejects a wrong desc and makes it a valid one, so that the calls after it work; fills in defaults. */
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
        (void)SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, r->name, "sf_resident_create", "%s", wrong);
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
/* Finds the partition of the desc, whose device is the loop's, or rejects it. */
static void sfi_resident_find_partition(sf_resident *r)
{
    sf_partition_info info;
    sf_result result = sf_partition_get_info(r->desc.partition, &info);
    if (result >= 0 && !r->device) { r->device = info.device; }
    if (result >= 0 && info.device == r->device) {
        r->place = info.index;
        r->sms = info.sms;
        return;
    }
    r->desc.partition = NULL;
    (void)SFI_REJECT_CALL(r, SF_ERROR_INVALID_HANDLE, r->name, "sf_resident_create", result < 0
                          ? ".partition is none: ask sf_device_get_partition()"
                          : ".partition is of another device than .device: set one of the two");
}
/* Opens the device, if none was given, and allocates the control, whose address kernels may get before the build. */
static void sfi_resident_open(sf_resident *r)
{
    sf_device_desc d;
    sf_device_info info;
    void *control = NULL;
    sf_result result = SF_OK;
    r->place = -1;
    if (r->desc.partition) { sfi_resident_find_partition(r); }
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
        (void)SFI_REJECT_CALL(r, result, r->name, "sf_resident_create", "the device cannot be used: %s",
                              sf_result_string(result));
        return;
    }
    r->on_host = info.backend == SF_BACKEND_HOST;
    r->capability = info.compute_capability;
    r->driver = info.driver_version;
    r->ordinal = info.ordinal;
    result = sf_mem_alloc(r->device, sizeof *r->control, SF_MEMORY_DEVICE, &control);
    r->control = (sf_resident_control *)control;
    if (result < 0) {
        (void)sfi_resident_fail_build(r, sfi_resident_device_failed(r, result, r->name, "sf_resident_create"));
    }
    if (r->on_host && r->control) { memset(r->control, 0, sizeof *r->control); }
    if (!r->on_host && info.driver_version < 12030) {
        (void)SFI_REJECT_CALL(r, SF_ERROR_NOT_SUPPORTED, r->name, "sf_resident_create",
                              "loops on the GPU need conditional nodes: a driver for CUDA 12.3 or newer");
    }
}
SF_API sf_resident *sf_resident_create(const sf_resident_desc *desc)
{
    static uint32_t made;                    /* the only state outside of objects. Flows count from 1 up, loops from
                                                4095 down, so the ids of either are none of the other's for long */
    sf_heap heap;
    memset(&heap, 0, sizeof heap);
    if (desc) { heap = desc->heap; }
    if (!heap.alloc || !heap.free) {
#ifdef SF_NO_STDLIB
        return NULL;                         /* give sf_resident_desc.heap */
#else
        heap.alloc = sfi_resident_malloc;
        heap.free = sfi_resident_mfree;
#endif
    }
    sf_resident *r = (sf_resident *)heap.alloc(sizeof *r, heap.user);
    if (!r) { return NULL; }
    memset(r, 0, sizeof *r);
    r->tag = SFI_RESIDENT_TAG;
    r->generation = 0xfff - __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % 0xfff;
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

/* A port that the operator does not list yet. NULL: no memory. */
static sfi_resident_port *sfi_resident_make_port(sf_resident *r, sfi_resident_op *op, int side, const sf_port *is,
                                                 const char *call)
{
    sfi_resident_port *p = (sfi_resident_port *)sfi_resident_new(r, sizeof *p);
    if (p) { p->name = sfi_resident_copy_text(r, is->name); }
    if (!p || !p->name || !sfi_resident_push(r, (void ***)(void *)&r->ports, &r->port_count, p)) {
        (void)sfi_resident_no_memory(r, call);
        return NULL;
    }
    p->is = *is;
    p->is.name = p->name;
    p->op = op;
    p->side = side;
    p->bytes = is->bytes;
    p->data = is->data;
    p->field_count = side ? is->fields : 0;
    if (p->field_count) { p->fields = (sf_field *)sfi_resident_new(r, (size_t)p->field_count * sizeof *p->fields); }
    if (!p->field_count || p->fields) { return p; }
    (void)sfi_resident_no_memory(r, call);
    return NULL;
}
/* A second port of one name is rejected, but added: its index stays right. */
static sfi_resident_port *sfi_resident_new_port(sf_resident *r, sfi_resident_op *op, int side, const sf_port *is,
                                                const char *call)
{
    if (op->count[side] == SF_MAX_PORTS) {
        (void)SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, op->name, call, "more than SF_MAX_PORTS ports on one side");
        return NULL;
    }
    if (sfi_resident_find_port(op, side, is->name)) {
        (void)SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, op->name, call,
                              "two ports '%s' on one side: rename one", is->name);
    }
    sfi_resident_port *p = sfi_resident_make_port(r, op, side, is, call);
    if (p) { op->ports[side][op->count[side]++] = p; }
    return p;
}
/* Names an operator: as its desc says, or op0, op1, ... Its name stays NULL without memory. */
static void sfi_resident_name_op(sf_resident *r, sfi_resident_op *op)
{
    char buffer[32];
    sfi_resident_print_in(buffer, sizeof buffer, "op%u", op->index);
    op->name = sfi_resident_copy_text(r, op->is.name ? op->is.name : buffer);
    op->is.name = op->name;
    for (uint32_t i = 0; op->name && i < r->op_count; i++) {
        if (strcmp(r->ops[i]->name, op->name) != 0) { continue; }
        (void)SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, op->name, "sf_resident_add",
                              "two operators have this name: rename one");
    }
}
SF_API sf_op sf_resident_add(sf_resident *r, const sf_op_desc *desc)
{
    sf_op none;
    int i;
    none.id = 0;
    if (sfi_resident_may_add(r, "sf_resident_add") < 0) { return none; }
    if (!desc) {
        (void)SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, r->name, "sf_resident_add", "the desc is NULL");
        return none;
    }
    sfi_resident_op *op = (sfi_resident_op *)sfi_resident_new(r, sizeof *op);
    if (op) {
        op->is = *desc;
        op->index = r->op_count;
        op->branch = SFI_RESIDENT_NONE;
        sfi_resident_name_op(r, op);
    }
    if (!op || !op->name || !sfi_resident_push(r, (void ***)(void *)&r->ops, &r->op_count, op)) {
        (void)sfi_resident_no_memory(r, "sf_resident_add");
        return none;
    }
    for (int side = 0; side < 2; side++) {
        const sf_port *ports = side ? desc->out : desc->in;
        for (i = 0; i < SF_DESC_PORTS && ports[i].name; i++) {
            (void)sfi_resident_new_port(r, op, side, &ports[i], "sf_resident_add");
        }
        for (i++; i < SF_DESC_PORTS && !ports[i].name; i++) {}
        if (i < SF_DESC_PORTS) {
            (void)SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, op->name, "sf_resident_add",
                                  "a port comes after one without a name, which ends the list");
        }
    }
    return sfi_resident_id(r, op);
}
static int sfi_resident_add_port(sf_resident *r, sf_op id, const sf_port *port, int side, const char *call)
{
    if (sfi_resident_may_add(r, call) < 0) { return -1; }
    sfi_resident_op *op = sfi_resident_find(r, id);
    if (!op || !port || !port->name) {
        (void)SFI_REJECT_CALL(r, op ? SF_ERROR_INVALID_VALUE : SF_ERROR_UNKNOWN_OPERATOR, op ? op->name : r->name,
                              call, op ? "a port has a name" : "no such operator");
        return -1;
    }
    return sfi_resident_new_port(r, op, side, port, call) ? op->count[side] - 1 : -1;
}
SF_API int sf_resident_add_input(sf_resident *r, sf_op op, const sf_port *port)
{
    return sfi_resident_add_port(r, op, port, 0, "sf_resident_add_input");
}
SF_API int sf_resident_add_output(sf_resident *r, sf_op op, const sf_port *port)
{
    return sfi_resident_add_port(r, op, port, 1, "sf_resident_add_output");
}

static sf_result sfi_resident_no_port(sf_resident *r, const sfi_resident_op *op, int side, const char *name)
{
    char names[160];
    sfi_resident_text t = sfi_resident_text_in(names, sizeof names);
    for (int32_t i = 0; i < op->count[side]; i++) {
        sfi_resident_print(&t, i ? ", '%s'" : ": there is '%s'", op->ports[side][i]->name);
    }
    if (!op->count[side]) { sfi_resident_print(&t, ": there is none"); }
    return SFI_REJECT_CALL(r, SF_ERROR_UNKNOWN_PORT, op->name, "sf_resident_connect", "%s %s%s%s%s%s", name ? "no"
                           : "has none or several: name the", side ? "output" : "input", name ? " '" : "", name,
                           name ? "'" : "", names);
}
static sf_result sfi_resident_new_edge(sf_resident *r, sfi_resident_port *out, sfi_resident_port *in, uint32_t delay)
{
    sfi_resident_edge *e = (sfi_resident_edge *)sfi_resident_new(r, sizeof *e);
    if (!e) { return sfi_resident_no_memory(r, "sf_resident_connect"); }
    e->from = out->op;
    e->to = in->op;
    e->output = out;
    e->input = in;
    e->delay = delay;
    if (!sfi_resident_push(r, (void ***)(void *)&r->edges, &r->edge_count, e)) {
        return sfi_resident_no_memory(r, "sf_resident_connect");
    }
    in->edge = e;
    out->connected = true;
    r->delayed |= delay != 0;
    return SF_OK;
}
/* The edge of a bundle is one from each field to a hidden input, "input/field". */
static sf_result sfi_resident_connect_bundle(sf_resident *r, sfi_resident_port *out, sfi_resident_port *in,
                                             uint32_t delay)
{
    static const char call[] = "sf_resident_connect";
    const size_t count = (size_t)out->field_count;
    sf_result result = SF_OK;
    int32_t first = 0;
    while (out->op->ports[1][first++] != out) {}
    if (first + out->field_count > out->op->count[1]) {
        return SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, out->op->name, call, "output '%s': fewer outputs behind "
                               "it than .fields says, %d", out->name, (int)out->field_count);
    }
    in->parts = (sfi_resident_port **)sfi_resident_new(r, count * sizeof *in->parts);
    in->fields = (sf_field *)sfi_resident_new(r, count * sizeof *in->fields);
    if (!in->parts || !in->fields) { return sfi_resident_no_memory(r, call); }
    in->field_count = out->field_count;
    for (int32_t i = 0; i < out->field_count && result >= 0; i++) {
        sfi_resident_port *field = out->op->ports[1][first + i];
        char name[160];
        sf_port is;
        memset(&is, 0, sizeof is);
        sfi_resident_print_in(name, sizeof name, "%s/%s", in->name, field->name);
        is.name = name;
        is.bytes = field->bytes ? 0 : in->bytes;             /* where a tensor is passed on */
        in->parts[i] = sfi_resident_make_port(r, in->op, 0, &is, call);
        if (!in->parts[i]) { return SF_ERROR_OUT_OF_MEMORY; }
        in->parts[i]->hidden = true;
        result = sfi_resident_new_edge(r, field, in->parts[i], delay);
    }
    return result;
}
SF_API sf_result sf_resident_connect(sf_resident *r, sf_op from, const char *output, sf_op to, const char *input,
                                     const sf_edge_desc *desc)
{
    static const char call[] = "sf_resident_connect";
    sf_result result = sfi_resident_may_add(r, call);
    if (result < 0) { return result; }
    sfi_resident_op *a = sfi_resident_find(r, from);
    sfi_resident_op *b = sfi_resident_find(r, to);
    if (!a || !b) {
        return SFI_REJECT_CALL(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call,
                               "the %s operator is not one of this graph's", a ? "second" : "first");
    }
    sfi_resident_port *out = sfi_resident_find_port(a, 1, output);
    if (!out) { return sfi_resident_no_port(r, a, 1, output); }
    sfi_resident_port *in = sfi_resident_find_port(b, 0, input);
    if (!in) { return sfi_resident_no_port(r, b, 0, input); }
    if (desc && (desc->control || desc->delay > SFI_RESIDENT_DELAY || desc->overflow || desc->max_age)) {
        return SFI_REJECT_CALL(r, SF_ERROR_NOT_SUPPORTED, b->name, call, "input '%s': %s", in->name, desc->control
                               ? "there are no turns to hand over in a loop: use a branch" : desc->max_age
                               ? "messages of a loop have no timestamps: leave .max_age out" : desc->overflow
                               ? "an edge is one buffer, nothing can overflow" : "a delay of more than 8 iterations");
    }
    if (in->edge || in->parts) {
        return SFI_REJECT_CALL(r, SF_ERROR_CONNECTED_TWICE, b->name, call,
                               "input '%s' has an edge already: give it another input", in->name);
    }
    if (out->field_count) { return sfi_resident_connect_bundle(r, out, in, desc ? desc->delay : 0); }
    return sfi_resident_new_edge(r, out, in, desc ? desc->delay : 0);
}

SF_API sf_result sf_resident_register_data_ready_handler(sf_resident *r, sf_op op)
{
    static const char call[] = "sf_resident_register_data_ready_handler";
    sf_result result = sfi_resident_may_add(r, call);
    if (result < 0) { return result; }
    sfi_resident_op *handler = sfi_resident_find(r, op);
    if (!handler) { return SFI_REJECT_CALL(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, "no such operator"); }
    if (r->handler) { SFI_WARN(r, handler->name, "replaces the data-ready handler %s", r->handler->name); }
    r->handler = handler;
    return SF_OK;
}

static sf_result sfi_resident_check_branch(sf_resident *r, const sf_resident_branch_desc *d, sfi_resident_choice *b)
{
    static const char call[] = "sf_resident_add_branch";
    const char *wrong = NULL;
    if (!d || (uint32_t)d->kind > SF_RESIDENT_EVERY) { wrong = "no desc, or an unknown kind"; }
    if (!wrong && d->kind == SF_RESIDENT_EVERY && !d->every) { wrong = ".every: at least 1"; }
    if (!wrong && d->kind == SF_RESIDENT_SWITCH && (!d->cases || d->cases > 1024)) { wrong = ".cases: 1 to 1024"; }
    if (wrong) { return SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, r->name, call, "%s", wrong); }
    b->is = *d;
    b->parent = SFI_RESIDENT_NONE;
    if (d->kind == SF_RESIDENT_EVERY) { return SF_OK; }
    b->predicate = sfi_resident_find(r, d->predicate);
    if (!b->predicate) {
        return SFI_REJECT_CALL(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call,
                               ".predicate: not an operator of this graph");
    }
    b->port = sfi_resident_find_port(b->predicate, 1, d->port);
    if (!b->port) {
        return SFI_REJECT_CALL(r, SF_ERROR_UNKNOWN_PORT, b->predicate->name, call, ".port: no output '%s'", d->port);
    }
    b->port->connected = true;
    return SF_OK;
}
SF_API sf_resident_branch sf_resident_add_branch(sf_resident *r, const sf_resident_branch_desc *desc)
{
    sf_resident_branch id;
    id.id = 0;                               /* none, up to the last step */
    if (sfi_resident_may_add(r, "sf_resident_add_branch") < 0) { return id; }
    sfi_resident_choice *b = (sfi_resident_choice *)sfi_resident_new(r, sizeof *b);
    if (b && sfi_resident_check_branch(r, desc, b) < 0) { return id; }
    if (!b || !sfi_resident_push(r, (void ***)(void *)&r->branches, &r->branch_count, b)) {
        return (void)sfi_resident_no_memory(r, "sf_resident_add_branch"), id;
    }
    id.id = r->branch_count;
    return id;
}
SF_API sf_result sf_resident_put(sf_resident *r, sf_op id, sf_resident_branch branch, uint32_t which)
{
    static const char call[] = "sf_resident_put";
    sf_result result = sfi_resident_may_add(r, call);
    if (result < 0) { return result; }
    sfi_resident_op *op = sfi_resident_find(r, id);
    sfi_resident_choice *b = branch.id && branch.id <= r->branch_count ? r->branches[branch.id - 1] : NULL;
    if (!op) { return SFI_REJECT_CALL(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, "no such operator"); }
    if (!b) { return SFI_REJECT_CALL(r, SF_ERROR_INVALID_HANDLE, op->name, call, "no such branch"); }
    uint32_t cases = b->is.kind == SF_RESIDENT_IF ? 2 : b->is.kind == SF_RESIDENT_SWITCH ? b->is.cases : 1;
    if (which >= cases) {
        return SFI_REJECT_CALL(r, SF_ERROR_INVALID_VALUE, op->name, call, "the branch has no such case");
    }
    if (op->branch != SFI_RESIDENT_NONE) {
        return SFI_REJECT_CALL(r, SF_ERROR_CONNECTED_TWICE, op->name, call,
                               "it is in a branch already; a branch nests in the one that its predicate is in");
    }
    op->branch = (int32_t)branch.id - 1;
    op->which = (int32_t)which;
    b->any = true;
    b->has_else |= b->is.kind == SF_RESIDENT_IF && which == 1;
    return SF_OK;
}

/* >>hooks ------------------------------------------------------------------------------------------- */

/* What hooks and computes may call: sfi_resident_executor. They run in sf_resident_build(), stop hooks in
   sf_resident_destroy(). Default: on the thread of that call, with no lock; local, but a failed call fails the hook,
   which is stored and logged, and an emit may enqueue a copy on the stream that is captured. */

/* Fails the hook that runs; its first failure is recorded. Returns an error, SF_ERROR_USER if code is none. */
static sf_result sfi_resident_hook_fail(sf_context *ctx, sf_result code, const char *call, const char *why)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sf_result result = code < 0 ? code : SF_ERROR_USER;
    if (!why) { why = sf_result_string(result); }
    if (t->error >= 0) { t->error = SFI_FAIL(t->r, result, t->op->name, call, "%s", why); }
    return result;
}
static sf_result sfi_resident_port_fail(sf_context *ctx, int side, const char *port, sf_result code, const char *call,
                                        const char *why)
{
    char text[SFI_RESIDENT_TEXT / 2];
    sfi_resident_print_in(text, sizeof text, "%s '%s': %s", side < 0 ? "port" : side ? "output" : "input", port, why);
    return sfi_resident_hook_fail(ctx, code, call, text);
}
/* The port of a compute by its index. NULL: the compute has failed, now or before. */
static sfi_resident_port *sfi_resident_hook_port(sf_context *ctx, int port, int side, const char *call)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    char text[48];
    if (t->error < 0) { return NULL; }
    if (t->r->phase != SFI_RESIDENT_COMPUTE) {
        (void)sfi_resident_hook_fail(ctx, SF_ERROR_ILLEGAL_STATE, call, "only a compute has messages");
        return NULL;
    }
    if (port < 0 || port >= t->op->count[side]) {
        sfi_resident_print_in(text, sizeof text, "there is no %s %d", side ? "output" : "input", port);
        (void)sfi_resident_hook_fail(ctx, SF_ERROR_UNKNOWN_PORT, call, text);
        return NULL;
    }
    return t->op->ports[side][port];
}
static void sfi_resident_shape_bytes(sfi_resident_tensor *v, size_t bytes)   /* one dimension of bytes */
{
    v->is.dtype = SF_U8;
    v->is.ndim = 1;
    v->is.shape = v->shape;
    v->is.strides = v->strides;
    v->is.bytes = bytes;
    v->shape[0] = (int64_t)bytes;
    v->strides[0] = 1;
}
static uint64_t sfi_resident_item(sf_dtype type)             /* bytes of an element */
{
    const uint32_t dtype = (uint32_t)type;
    return ((dtype >> 8 & 0xff) * (dtype >> 16) + 7) / 8;
}
/* Shapes v by a desc, packed where it has no strides. Returns bytes up to the last element's end; 0: impossible. */
static size_t sfi_resident_shape(sfi_resident_tensor *v, const sf_tensor_desc *d, sf_dtype by_default)
{
    const sf_dtype type = d->dtype ? d->dtype : by_default ? by_default : SF_U8;
    const uint64_t item = type == SF_BUNDLE ? 0 : sfi_resident_item(type), most = SIZE_MAX / 2;
    uint64_t stride = 1, span = 1, steps;
    int32_t i, n = d->ndim;
    while (!d->ndim && n < SF_MAX_DIMS && d->shape[n]) { n++; }
    if (n < 0 || n > SF_MAX_DIMS || !item) { return 0; }
    sfi_resident_shape_bytes(v, 0);
    v->is.dtype = type;
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
static sf_tensor *sfi_resident_lend(const sf_resident *r, sfi_resident_port *p, void *memory)
{
    p->view.is.data = memory;
    p->view.is.device_type = r->on_host ? 1 : 2;
    p->view.is.device_id = r->ordinal;
    p->view.is.byte_offset = 0;
    p->view.is.owner = NULL;
    return &p->view.is;
}

static sf_tensor *sfi_resident_lend_input(const sfi_resident_call *t, sfi_resident_port *p)
{
    const sfi_resident_port *from = p->edge ? p->edge->output : NULL;
    if (from && from->emitted) {             /* its dtype and shape travel along */
        p->view = from->view;
        p->view.is.shape = p->view.shape;
        p->view.is.strides = p->view.strides;
    } else {
        sfi_resident_shape_bytes(&p->view, p->bytes);
    }
    return sfi_resident_lend(t->r, p, p->memory[t->ctx.run]);
}
static sf_tensor *sfi_resident_lend_bundle(sfi_resident_port *p)     /* of p->fields */
{
    sfi_resident_shape_bytes(&p->view, (size_t)p->field_count * sizeof *p->fields);
    p->view.is.dtype = SF_BUNDLE;
    p->view.shape[0] = p->field_count;
    p->view.is.data = p->fields;
    p->view.is.device_type = 1;
    p->view.is.device_id = 0;
    p->view.is.byte_offset = 0;
    p->view.is.owner = NULL;
    return &p->view.is;
}
/* sf_receive(): lends the input's buffer, shaped as what was emitted. NULL: received before, or no edge. */
static sf_tensor *sfi_resident_receive(sf_context *ctx, int port)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *p = sfi_resident_hook_port(ctx, port, 0, "sf_receive");
    if (!p) { return &t->nothing.is; }
    if (p->received || (!p->edge && !p->is.external && !p->parts)) { return NULL; }
    p->received = true;
    if (!p->parts) { return sfi_resident_lend_input(t, p); }
    for (int32_t i = 0; i < p->field_count; i++) {
        p->fields[i].name = p->parts[i]->edge->output->name;
        p->fields[i].tensor = sfi_resident_lend_input(t, p->parts[i]);
    }
    return sfi_resident_lend_bundle(p);
}
/* sf_compute_stream(): the stream that captures the operator, whatever the port. NULL: the compute has failed. */
static sf_stream *sfi_resident_stream(sf_context *ctx, int port)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    (void)port;
    if (t->r->phase != SFI_RESIDENT_COMPUTE) {
        (void)sfi_resident_hook_fail(ctx, SF_ERROR_ILLEGAL_STATE, "sf_compute_stream", "only a compute has a stream");
    }
    return t->error < 0 ? NULL : t->stream;
}
/* sf_tensor_bundle(): lends a bundle of these tensors, in the output's memory or not. */
static sf_tensor *sfi_resident_bundle(sf_context *ctx, int port, sf_tensor *const *tensors)
{
    static const char call[] = "sf_tensor_bundle";
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *p = sfi_resident_hook_port(ctx, port, 1, call);
    if (!p) { return &t->nothing.is; }
    const char *wrong = !p->field_count ? "it sends no bundles: set sf_port.fields"
                        : p->field_count > t->op->count[1] - 1 - port ? "it has more fields than outputs behind it"
                        : tensors ? NULL : "there are no tensors";
    for (int32_t i = 0; i < p->field_count && !wrong; i++) {
        p->fields[i].name = t->op->ports[1][port + 1 + i]->name;
        p->fields[i].tensor = tensors[i];
        if (!tensors[i] || !tensors[i]->data) { wrong = "a tensor is missing"; }
        if (!wrong && tensors[i]->dtype == SF_BUNDLE) { wrong = "a bundle has no bundles in it"; }
    }
    if (!wrong) { return sfi_resident_lend_bundle(p); }
    (void)sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_INVALID_VALUE, call, wrong);
    return &t->nothing.is;
}
/* sf_tensor_create(): lends the output's buffer. After an error an empty tensor, so that a compute need not check. */
static sf_tensor *sfi_resident_create_tensor(sf_context *ctx, int port, const sf_tensor_desc *desc)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *p = sfi_resident_hook_port(ctx, port, 1, "sf_tensor_create");
    sf_result code = SF_ERROR_MISMATCH;
    const char *why = NULL;
    sf_tensor *tensors[SF_MAX_PORTS];
    if (!p) { return &t->nothing.is; }
    if (p->field_count) {
        for (int32_t i = 0; i < p->field_count; i++) {
            tensors[i] = sfi_resident_create_tensor(ctx, port + 1 + i, desc ? &desc[i] : NULL);
        }
        return sfi_resident_bundle(ctx, port, tensors);
    }
    if (!p->memory[t->ctx.run]) {
        why = "it has neither bytes nor memory: give sf_port.bytes";
    } else if (desc) {
        p->view.is.bytes = sfi_resident_shape(&p->view, desc, p->is.dtype);
        if (p->bytes && p->view.is.bytes > p->bytes) { why = "the tensor is larger than the port's bytes"; }
        if (!p->view.is.bytes) {
            code = SF_ERROR_INVALID_VALUE;
            why = "the size is 0, negative or too large";
        }
    } else {
        sfi_resident_shape_bytes(&p->view, p->bytes);
        if (p->is.dtype) {
            p->view.is.dtype = p->is.dtype;
            p->view.shape[0] = (int64_t)(p->bytes / sfi_resident_item(p->is.dtype));
        }
    }
    if (why) {
        (void)sfi_resident_port_fail(ctx, 1, p->name, code, "sf_tensor_create", why);
        return &t->nothing.is;
    }
    return sfi_resident_lend(t->r, p, p->memory[t->ctx.run]);
}
static sf_result sfi_resident_emit(sf_context *ctx, int port, sf_tensor *tensor);
/* Emits each tensor of a bundle on the output of its field. */
static sf_result sfi_resident_emit_bundle(sf_context *ctx, int port, sfi_resident_port *p, const sf_tensor *bundle)
{
    const sfi_resident_call *t = (const sfi_resident_call *)(const void *)ctx;
    sf_result result = SF_OK;
    if (bundle->dtype != SF_BUNDLE || bundle->shape[0] != p->field_count) {
        return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_MISMATCH, "sf_emit", p->field_count
                                      ? "it sends bundles of as many tensors as .fields says"
                                      : "it is to send a bundle: set .fields, also where one is passed on");
    }
    for (int32_t i = 0; i < p->field_count; i++) {           /* each is copied in turn */
        for (int32_t k = 0; k < p->field_count; k++) {
            const sfi_resident_port *other = t->op->ports[1][port + 1 + k];
            if (k == i || sf_tensor_field(bundle, i)->data != other->memory[t->ctx.run]) { continue; }
            return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_INVALID_VALUE, "sf_emit", "a tensor lies in the "
                                          "memory of another field: create each on the output of its own");
        }
    }
    for (int32_t i = 0; i < p->field_count && result >= 0; i++) {
        result = sfi_resident_emit(ctx, port + 1 + i, sf_tensor_field(bundle, i));
    }
    p->emitted = true;
    return result;
}
/* sf_emit(). A received tensor is emitted as a copy: the next operator's input may have memory of its own. */
static sf_result sfi_resident_emit(sf_context *ctx, int port, sf_tensor *tensor)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *p = sfi_resident_hook_port(ctx, port, 1, "sf_emit");
    if (!p) { return t->error; }
    if (!tensor || !tensor->data) {
        return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_INVALID_VALUE, "sf_emit", "there is no tensor");
    }
    if (p->emitted) {
        return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_NOT_SUPPORTED, "sf_emit",
                                      "it holds one message in each iteration");
    }
    if (p->field_count || tensor->dtype == SF_BUNDLE) {
        return sfi_resident_emit_bundle(ctx, port, p, tensor);
    }
    if ((p->is.dtype && p->is.dtype != tensor->dtype) || (p->is.ndim && p->is.ndim != tensor->ndim)) {
        return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_MISMATCH, "sf_emit",
                                      "the tensor is of another type: see its .dtype and .ndim");
    }
    if (tensor != &p->view.is) {
        if (!p->memory[t->ctx.run] || (p->bytes && tensor->bytes > p->bytes) || tensor->ndim > SF_MAX_DIMS) {
            return sfi_resident_port_fail(ctx, 1, p->name, SF_ERROR_MISMATCH, "sf_emit",
                                          "its memory is smaller than what it is to take over: give bytes");
        }
        memcpy(p->view.shape, tensor->shape, (size_t)tensor->ndim * sizeof *tensor->shape);
        memcpy(p->view.strides, tensor->strides, (size_t)tensor->ndim * sizeof *tensor->strides);
        p->view.is.ndim = tensor->ndim;
        p->view.is.dtype = tensor->dtype;
        p->view.is.bytes = tensor->bytes;
        sfi_resident_lend(t->r, p, p->memory[t->ctx.run]);
        bool same = tensor->data == p->view.is.data;
        sf_result result = same ? SF_OK : sf_memcpy_async(t->stream, p->view.is.data, tensor->data, tensor->bytes);
        if (result < 0) { return sfi_resident_hook_fail(ctx, result, "sf_emit", NULL); }
    }
    p->emitted = true;
    return SF_OK;
}
/* sf_set_port_bytes(): the size of an output, or else of an input, of this name. */
static sf_result sfi_resident_set_port_bytes(sf_context *ctx, const char *port, size_t bytes)
{
    sfi_resident_call *t = (sfi_resident_call *)(void *)ctx;
    sfi_resident_port *in = sfi_resident_find_port(t->op, 0, port), *out = sfi_resident_find_port(t->op, 1, port);
    if (t->r->phase != SFI_RESIDENT_INITIALIZE) {
        return sfi_resident_hook_fail(ctx, SF_ERROR_ILLEGAL_STATE, "sf_set_port_bytes",
                                      "only in the initialize hook: memory is laid out then");
    }
    if (!in && !out) {
        return sfi_resident_port_fail(ctx, -1, port, SF_ERROR_UNKNOWN_PORT, "sf_set_port_bytes",
                                      "the operator has none of that name");
    }
    if (out) { out->bytes = bytes; } else { in->bytes = bytes; }
    return SF_OK;
}
static const sf_executor sfi_resident_executor = {
    sfi_resident_receive, sfi_resident_stream, sfi_resident_create_tensor, sfi_resident_emit,
    sfi_resident_set_port_bytes, sfi_resident_hook_fail, sfi_resident_bundle
};

/* Calls a hook or a compute; `pass` is its ctx->run. An error that it returns, throws or has caused is recorded. */
static sf_result sfi_resident_call_hook(sf_resident *r, sfi_resident_op *op, sf_compute_func hook, sf_stream *stream,
                                        uint32_t pass, const char *call)
{
    sfi_resident_call t;
    memset(&t, 0, sizeof t);
    t.ctx.user = op->is.user;
    t.ctx.name = op->name;
    t.ctx.executor = &sfi_resident_executor;
    t.ctx.op = sfi_resident_id(r, op);
    t.ctx.run = pass;
    t.r = r;
    t.op = op;
    t.stream = stream;
    sfi_resident_shape_bytes(&t.nothing, 0);
    t.nothing.is.device_type = 1;
    r->inside = true;
    sf_result result = SF_OK;
#if defined(__cpp_exceptions) && !defined(SF_NO_STDLIB)
    try {
        result = hook(&t.ctx);
    } catch (const std::exception &left) {
        t.error = SFI_FAIL(r, SF_ERROR_USER, op->name, call, "a C++ exception left it: %s", left.what());
    }
#else
    result = hook(&t.ctx);
#endif
    r->inside = false;
    if (t.error < 0) { return t.error; }
    if (result == SF_DONE && r->phase == SFI_RESIDENT_COMPUTE) {
        return SFI_FAIL(r, SF_ERROR_NOT_SUPPORTED, op->name, call,
                        "SF_DONE: it is called once, and its work is repeated; stop by sf_resident_raise()");
    }
    if (result < 0) {
        const sf_failure *f = sf_device_failure(r->device);
        return SFI_FAIL(r, result, op->name, call, "it returned %d, %s%s%s", (int)result, sf_result_string(result),
                        f->result == result ? ". " : "", f->result == result ? f->text : "");
    }
    return SF_OK;
}

/* >>rules --------------------------------------------------------------------------------------------- */

/* The checks of sf_resident_build(). Default: on its thread, without a lock; read what was added, ask the driver
   about pointers, and fail. A check that returns nothing has rejected by itself, and the next one runs all the same:
   the log has all that is wrong. The order of capture is allocated from the loop's heap. */

static const char *sfi_resident_needs_a_cpu(const sf_op_desc *d)
{
    if (d->count) { return ".count: a loop does not count runs: stop it, or raise"; }
    if (d->period) { return ".period: use SF_RESIDENT_EVERY, or feed it at that rate"; }
    if (d->on_error == SF_ON_ERROR_RETRY || d->retries) { return ".retries: nobody can call it again"; }
    if (d->adopt_stream) { return ".adopt_stream: its work is captured"; }
    if (d->flush) { return ".flush: it is called once, not at its end"; }
    if (d->copies > 1) { return ".copies: it is captured once: launch a larger grid"; }
    for (int i = 0; i < SF_DESC_CONDITIONS; i++) {
        if (d->when[i].kind) { return ".when: a CPU checks conditions: use a branch or a data-ready handler"; }
    }
    return NULL;
}
#define SFI_REJECT_PORT(r, result, p, format, ...)                                                            \
    (void)SFI_REJECT(r, result, (p)->op->name, "%s '%s'" format, (p)->side ? "output" : "input", (p)->name,   \
                     __VA_ARGS__)
/* Rejects a size of which a ring, or its delays, would overflow a size_t. */
static void sfi_resident_check_size(sf_resident *r, const sfi_resident_port *p)
{
    uint32_t slots = p->is.external ? r->desc.slots : 0;
    char in[24];
    sfi_resident_print_in(in, sizeof in, slots ? ", in %u slots" : "", slots);
    if (p->bytes <= SIZE_MAX / 2 / (slots + SFI_RESIDENT_DELAY + 1) - 256) { return; }
    SFI_REJECT_PORT(r, SF_ERROR_INVALID_VALUE, p, " of %z bytes%s: no memory has so many addresses: give fewer "
                    ".bytes", p->bytes, in);
}
/* A kernel that touches memory it cannot reach faults without naming memory or operator. */
static void sfi_resident_check_memory(sf_resident *r, const sfi_resident_port *p)
{
    sf_memory kind = SF_MEMORY_DEVICE;
    sf_result result = p->is.data ? sf_mem_get_kind(r->device, p->is.data, &kind) : SF_OK;
    if (result < 0) {
        (void)sfi_resident_fail_build(r, sfi_resident_device_failed(r, result, p->op->name, "sf_resident_build"));
    } else if (kind == SF_MEMORY_MANAGED || (kind == SF_MEMORY_HOST && !r->on_host)) {
        SFI_REJECT_PORT(r, SF_ERROR_INVALID_VALUE, p, ": .data is %s: sf_mem_alloc() it as SF_MEMORY_DEVICE or "
                        "SF_MEMORY_PINNED, or give .bytes only", kind == SF_MEMORY_MANAGED
                        ? "managed memory, which may move while the loop runs"
                        : "the host's pageable memory, which is not for loops on a GPU");
    }
}
/* All rules are checked: a port may break several. */
static void sfi_resident_check_port(sf_resident *r, const sfi_resident_port *p)
{
    const sf_port *is = &p->is;
    const bool input = !p->side, has_edge = p->edge || p->parts, bundle = p->side && p->field_count;
    const struct { bool broken; sf_result code; const char *why; } rules[] = {
        { is->many, SF_ERROR_NOT_SUPPORTED, ": .many: one upstream per input; use several inputs" },
        { is->batch > 1, SF_ERROR_NOT_SUPPORTED, ": .batch: an edge holds one message" },
        { is->stamped_on_emit || is->offset || is->reorder || is->period || is->max_age, SF_ERROR_NOT_SUPPORTED,
          ": .max_age and the like: messages of a loop have no timestamps" },
        { is->pool != NULL, SF_ERROR_NOT_SUPPORTED, ": .pool: an edge is one buffer: give .bytes or .data" },
        { bundle && (is->bytes || is->data || is->dtype || is->ndim || is->external), SF_ERROR_INVALID_VALUE,
          " has .fields: leave out .bytes, .data, .dtype, .ndim and .external, which its fields have" },
        { is->dtype && (is->dtype == SF_BUNDLE || !sfi_resident_item(is->dtype)), SF_ERROR_INVALID_VALUE,
          ": .dtype: no type of elements; bundles have .fields" },
        { input && is->fields && is->external, SF_ERROR_NOT_SUPPORTED,
          ": .fields: the host fills single tensors: give each an .external input" },
        { input && is->fields && !is->external && is->fields != p->field_count, SF_ERROR_MISMATCH,
          ": .fields: the output that it reads sends another number of tensors" },
        { is->overflow || is->tickets, SF_ERROR_NOT_SUPPORTED,
          ": .overflow, .tickets: the host waits for room, and for results" },
        { is->external && !p->bytes && !bundle, SF_ERROR_INVALID_VALUE,
          ": .external: say how many .bytes a slot has" },
        { strchr(p->name, '.') != NULL, SF_ERROR_NOT_SUPPORTED, ": a '.' in a port's name" },
        { input && is->external && has_edge, SF_ERROR_CONNECTED_TWICE,
          " is external and has an edge, too: choose one" },
        { input && !is->external && !has_edge && !is->optional, SF_ERROR_NOT_CONNECTED,
          " is neither connected nor external: connect it, or make it .external or .optional" },
        { input && is->external && p->op->handler, SF_ERROR_NOT_SUPPORTED,
          ": a data-ready handler runs when there is no request: it reads device memory only" }
    };
    sfi_resident_check_size(r, p);
    sfi_resident_check_memory(r, p);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].broken) { SFI_REJECT_PORT(r, rules[i].code, p, "%s", rules[i].why); }
    }
}
/* Whether kernels of a partition may be in a conditional's body. A host device has the rule of older drivers. */
static bool sfi_resident_bodies_take_partitions(const sf_resident *r)
{
    enum { CUDA_13_4 = 13040 };
    return !r->on_host && r->driver >= CUDA_13_4;
}
/* Rejects a partition for kernels in a conditional's body. op NULL: for all of the loop. */
static void sfi_resident_reject_partition(sf_resident *r, const sfi_resident_op *op, int32_t index)
{
    char too[48];
    sfi_resident_print_in(too, sizeof too, r->on_host ? "a host device, too" : "this driver is %d.%d",
                          (int)(r->driver / 1000), (int)(r->driver % 1000 / 10));
    (void)SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, op ? op->name : r->name, "it is to run in partition %d, and the "
                     "kernels of a loop are in a conditional's body, where CUDA refuses those of a partition before "
                     "13.4 (%s): make the loop a fused one (.fused)%s, take a driver for CUDA 13.4, or name no "
                     "partition", (int)index, too, op ? " in this partition" : "");
}
/* Finds the partition that an operator works in, or rejects it. */
static void sfi_resident_check_partition(sf_resident *r, sfi_resident_op *op)
{
    sf_partition *p = op->is.partition, *of_pool = NULL;
    const char *desc = p ? ".partition" : "the partition of .streams";
    sf_partition_info info;
    char here[32];
    if (op->is.streams && sf_stream_pool_get_partition(op->is.streams, &of_pool) < 0) {
        (void)SFI_REJECT(r, SF_ERROR_INVALID_HANDLE, op->name, ".streams is no pool: leave it out");
        return;
    }
    if (op->is.streams && p && of_pool != p) {
        (void)SFI_REJECT(r, SF_ERROR_MISMATCH, op->name, "the pool in .streams is not of .partition: set one of the "
                         "two, or sf_stream_pool_desc.partition to the same");
        return;
    }
    p = p ? p : of_pool;
    if (!p || p == r->desc.partition) { return; }            /* the loop's, which is checked once */
    if (sf_partition_get_info(p, &info) < 0) {
        (void)SFI_REJECT(r, SF_ERROR_INVALID_HANDLE, op->name, "%s is none: ask sf_device_get_partition()", desc);
    } else if (info.device != r->device) {
        (void)SFI_REJECT(r, SF_ERROR_INVALID_HANDLE, op->name, "%s is of another device than the loop: name one of "
                         "the loop's, or none", desc);
    } else if (r->desc.fused) {
        sfi_resident_print_in(here, sizeof here, r->place < 0 ? "in none" : "in partition %d", (int)r->place);
        (void)SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, op->name, "it is to run in partition %d, and a fused loop is one "
                         "kernel, %s: set sf_resident_desc.partition for all of its operators, or leave the "
                         "operator's out", (int)info.index, here);
    } else if (!sfi_resident_bodies_take_partitions(r)) {
        sfi_resident_reject_partition(r, op, info.index);
    } else {
        op->partition = p;
        op->place = info.index;
        r->apart = true;
    }
}
static void sfi_resident_check_op(sf_resident *r, sfi_resident_op *op)
{
    const bool none = !op->is.compute && !r->desc.fused;
    const char *wrong = none ? ".compute: there is none" : sfi_resident_needs_a_cpu(&op->is);
    if (wrong) { (void)SFI_REJECT(r, none ? SF_ERROR_INVALID_VALUE : SF_ERROR_NOT_SUPPORTED, op->name, "%s", wrong); }
    sfi_resident_check_partition(r, op);
}

/* All operators upstream of the handler belong to it. */
static void sfi_resident_mark_handler(sf_resident *r)
{
    bool more = r->handler != NULL;
    if (r->handler) { r->handler->handler = true; }
    while (more) {
        more = false;
        for (uint32_t i = 0; i < r->edge_count; i++) {
            const sfi_resident_edge *e = r->edges[i];
            if (!e->delay && e->to->handler && !e->from->handler) { e->from->handler = more = true; }
        }
    }
}

static void sfi_resident_mismatch(sf_resident *r, const sfi_resident_edge *e, const char *why)
{
    (void)SFI_REJECT(r, SF_ERROR_MISMATCH, e->to->name, "input '%s', from '%s.%s': %s", e->input->name, e->from->name,
                     e->output->name, why);
}
/* Gives both ends of an edge one memory and one size, or rejects it. A delayed edge copies: only sizes agree. */
static void sfi_resident_agree(sf_resident *r, sfi_resident_edge *e)
{
    sfi_resident_port *out = e->output, *in = e->input;
    char where[128], why[128];
    if ((in->is.dtype && out->is.dtype && in->is.dtype != out->is.dtype) ||
        (in->is.ndim && out->is.ndim && in->is.ndim != out->is.ndim)) {
        sfi_resident_mismatch(r, e, "the two ends have different .dtype or .ndim");
    }
    sfi_resident_print_in(where, sizeof where, "%s: input '%s'", e->to->name, in->name);
    if (in->data && out->data && in->data != out->data && !e->delay) {
        SFI_WARN(r, where, "both ends have memory of their own: the source's is used");
        in->data = out->data;
    } else if (!in->data != !out->data && !e->delay) {
        sfi_resident_port *has = in->data ? in : out, *lacks = in->data ? out : in;
        if (lacks->bytes && lacks->bytes != has->bytes) {
            SFI_WARN(r, where, in->data ? "its own memory is used: the output's size is ignored"
                                        : "the output's memory is used: the input's size is ignored");
        }
        if (!has->bytes) { has->bytes = lacks->bytes; }
        lacks->data = has->data;
        lacks->bytes = has->bytes;
    } else if ((!out->data || e->delay) && in->bytes && out->bytes && in->bytes != out->bytes) {
        sfi_resident_print_in(why, sizeof why, "the sizes differ, %z bytes here and %z there: make them equal",
                              in->bytes, out->bytes);
        sfi_resident_mismatch(r, e, why);
    } else if (!in->bytes && !out->bytes && !out->data) {
        sfi_resident_mismatch(r, e, "neither end has a size or memory: give .bytes to one");
    } else if (!out->data && !in->bytes != !out->bytes && !in->hidden) {
        SFI_WARN(r, where, in->bytes ? "the output has neither a size nor memory: the input's size is used"
                 : "it has neither a size nor memory: the output's size is used");
    }
    if (!out->bytes) { out->bytes = in->bytes; }
    if (!in->bytes) { in->bytes = out->bytes; }
    if (e->delay && !out->bytes) { sfi_resident_mismatch(r, e, "a delayed edge copies: give .bytes to one end"); }
}
/* Edges whose input has memory come first, so that all inputs of one output share that memory; then those of which a
   size or memory is known; then those that know by now what another input has given the output. */
static void sfi_resident_agree_all(sf_resident *r)
{
    for (uint32_t i = 0; i < r->edge_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const sfi_resident_edge *a = r->edges[i], *b = r->edges[k];
            if (a->output == b->output && !a->output->data && a->input->data && b->input->data && !a->delay &&
                !b->delay && a->input->data != b->input->data) {
                sfi_resident_mismatch(r, a, "two inputs of one output have different memory of their own: give it to "
                                            "the output, or to one");
                return;
            }
        }
    }
    for (int turn = 0; turn < 3; turn++) {
        for (uint32_t i = 0; i < r->edge_count; i++) {
            const sfi_resident_port *in = r->edges[i]->input, *out = r->edges[i]->output;
            const bool now[] = { in->data != NULL, !in->data && (in->bytes || out->bytes || out->data),
                                 !in->data && !in->bytes && !out->data };
            if (now[turn]) { sfi_resident_agree(r, r->edges[i]); }
        }
    }
}

/* A predicate is read as a uint32_t: the output has to have one, aligned. */
static void sfi_resident_check_predicates(sf_resident *r)
{
    for (uint32_t i = 0; i < r->branch_count; i++) {
        const sfi_resident_port *p = r->branches[i]->port;
        if (p && (uintptr_t)p->data % sizeof(uint32_t)) {
            SFI_REJECT_PORT(r, SF_ERROR_INVALID_VALUE, p, "%s", " decides a branch, and its .data is not aligned: a "
                            "uint32_t is read there, at a multiple of 4");
        }
        if (!p || p->bytes >= sizeof(uint32_t) || (p->data && !p->bytes)) { continue; }
        SFI_REJECT_PORT(r, SF_ERROR_MISMATCH, p, " decides a branch and has %z bytes: a uint32_t is read there",
                        p->bytes);
    }
}

/* -- the order of capture -- */

/* Items are numbered: operators, then branches. Each lies in a scope: the top, or one body of a branch. Pairs order
   items of one scope; an edge across scopes orders items of the innermost scope that holds both ends. */

typedef struct sfi_resident_scope { int32_t branch, which; } sfi_resident_scope;
static const sfi_resident_scope sfi_resident_top = { SFI_RESIDENT_NONE, 0 };

/* NULL: the item is an operator. */
static const sfi_resident_choice *sfi_resident_branch_at(const sf_resident *r, int32_t item)
{
    return item < (int32_t)r->op_count ? NULL : r->branches[item - (int32_t)r->op_count];
}
static sfi_resident_scope sfi_resident_scope_of(const sf_resident *r, int32_t item)
{
    const sfi_resident_choice *b = sfi_resident_branch_at(r, item);
    const sfi_resident_scope s = { b ? b->parent : r->ops[item]->branch, b ? b->which : r->ops[item]->which };
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
/* Replaces *a and *b by the items, of the innermost scope that holds both, in which they lie; equal ones: they lie in
   two cases of one branch, or one in the other. It ends: sfi_resident_nest() has refused cycles of branches. */
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
    const sfi_resident_choice *b = sfi_resident_branch_at(r, item);
    return !b ? r->ops[item]->name : b->predicate ? b->predicate->name : "a branch";
}
static void sfi_resident_print_item(sfi_resident_text *t, const sf_resident *r, int32_t item)
{
    const sfi_resident_choice *b = sfi_resident_branch_at(r, item);
    if (b && !b->predicate) {
        sfi_resident_print(t, "the branch of each of %u iterations", b->is.every);
    } else {
        sfi_resident_print(t, b ? "the branch of %s" : "%s", sfi_resident_item_name(r, item));
    }
}

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
/* One pair for each edge without delay and for each predicate; edges out of the data-ready handler need none. */
static void sfi_resident_pairs(const sf_resident *r, sfi_resident_order *o)
{
    for (uint32_t i = 0; i < r->edge_count; i++) {
        const sfi_resident_edge *e = r->edges[i];
        if (!e->delay && (e->from->handler == e->to->handler) && !SFI_MUTANT(edge_order)) {
            sfi_resident_pair(r, o, (int32_t)e->from->index, (int32_t)e->to->index);
        }
    }
    for (uint32_t i = 0; i < r->branch_count; i++) {
        if (r->branches[i]->predicate && !r->branches[i]->predicate->handler && !SFI_MUTANT(predicate_order)) {
            sfi_resident_pair(r, o, (int32_t)r->branches[i]->predicate->index, (int32_t)(r->op_count + i));
        }
    }
}
/* Each item that still waits has a predecessor that waits: a walk back from any of them ends in a cycle. */
static sf_result sfi_resident_cycle(sf_resident *r, const sfi_resident_order *o, const int32_t *waits)
{
    int32_t all = (int32_t)(r->op_count + r->branch_count), at = 0, k, steps, first;
    char names[SFI_RESIDENT_TEXT / 2];
    sfi_resident_text t = sfi_resident_text_in(names, sizeof names);
    while (at < all - 1 && waits[at] <= 0) { at++; }
    for (steps = 0, first = SFI_RESIDENT_NONE; steps <= 2 * all && at != first; steps++) {
        for (k = 0; k < o->pair_count && (o->pairs[k].to != at || waits[o->pairs[k].from] <= 0); k++) {}
        if (steps >= all) {                  /* inside by now */
            if (first == SFI_RESIDENT_NONE) { first = at; }
            sfi_resident_print_item(&t, r, at);
            sfi_resident_print(&t, " <- ");
        }
        if (k < o->pair_count) { at = o->pairs[k].from; }
    }
    sfi_resident_print_item(&t, r, at);
    return SFI_REJECT(r, SF_ERROR_DEADLOCK, sfi_resident_item_name(r, at), "a cycle: %s: give one of its edges "
                      ".delay, or take what lies between two operators of a branch into the branch", names);
}
/* Orders all items topologically. A cycle, and an edge between two cases of a branch, are rejected. */
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
        return SFI_REJECT(r, SF_ERROR_DEADLOCK, r->ops[o->across]->name, "it reads from another case of its branch, "
                          "which never runs in the same iteration: give the edge .delay");
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

/* Finds the scope of each branch: where its predicate lies. Rejects branches that nest in each other or too deep. */
static sf_result sfi_resident_nest(sf_resident *r)
{
    int32_t up, steps;
    for (uint32_t i = 0; i < r->branch_count; i++) {
        sfi_resident_choice *b = r->branches[i];
        if (!b->any) { SFI_WARN(r, r->name, "a branch has no operators"); }
        if (!b->predicate) { continue; }
        b->parent = b->predicate->branch;
        b->which = b->predicate->which;
    }
    for (uint32_t i = 0; i < r->branch_count; i++) {
        for (up = (int32_t)i, steps = 0; up != SFI_RESIDENT_NONE; up = r->branches[up]->parent) {
            if (++steps > (int32_t)SFI_RESIDENT_ENDS / 2) {
                return SFI_REJECT(r, SF_ERROR_DEADLOCK, sfi_resident_item_name(r, (int32_t)(r->op_count + i)),
                                  "branches nest in each other, or too deep");
            }
        }
    }
    for (uint32_t i = 0; i < r->op_count; i++) {
        if (!r->ops[i]->handler || r->ops[i]->branch == SFI_RESIDENT_NONE) { continue; }
        return SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, r->ops[i]->name,
                          "the data-ready handler is not part of a branch");
    }
    return SF_OK;
}

/* What a fused loop cannot have. Its operators run in the order in which they were added. */
static sf_result sfi_resident_check_fused(sf_resident *r)
{
    const char *wrong = NULL;
    if (r->branch_count) { wrong = "branches: let the function itself decide"; }
    if (r->handler) { wrong = "a data-ready handler: let another kernel mark data ready"; }
    if (wrong) { return SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, r->name, "a fused loop has no %s", wrong); }
    if (r->desc.measure_operators) {
        SFI_WARN(r, r->name, "measure_operators: a fused loop is one kernel, its operators are not measured");
    }
    for (uint32_t i = 0; i < r->op_count; i++) {
        const sfi_resident_op *op = r->ops[i];
        for (int k = 0; k < op->count[1]; k++) {
            if (!op->ports[1][k]->field_count) { continue; }
            return SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, op->name, "output '%s': .fields: a fused function has one "
                              "pointer per port: give each tensor a port", op->ports[1][k]->name);
        }
        if (op->is.compute) {
            return SFI_REJECT(r, SF_ERROR_INVALID_VALUE, op->name,
                              ".compute: in a fused loop the functions of SF_RESIDENT_FUSED() do the work");
        }
        for (int k = 0; k < op->count[1]; k++) {
            if (op->ports[1][k]->bytes || op->ports[1][k]->data) { continue; }
            return SFI_REJECT(r, SF_ERROR_MISMATCH, op->name, "output '%s' has neither bytes nor memory: give "
                              "sf_port.bytes", op->ports[1][k]->name);
        }
        if (op->count[0] > SF_DESC_PORTS || op->count[1] > SF_DESC_PORTS) {
            return SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, op->name,
                              "a fused operator has SF_DESC_PORTS ports at most");
        }
    }
    for (uint32_t i = 0; i < r->edge_count; i++) {
        const sfi_resident_edge *e = r->edges[i];
        if (e->delay) {
            return SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, e->to->name,
                              "a fused loop has no delayed edges: keep the value in memory of your own");
        }
        if (e->from->index >= e->to->index) {
            return SFI_REJECT(r, SF_ERROR_DEADLOCK, e->to->name, "fused operators run in the order in which they "
                              "were added: add it after %s", e->from->name);
        }
    }
    return SF_OK;
}

/* Numbers the sources and sinks, operators with external inputs or outputs, and makes the arrays of their rings. */
static void sfi_resident_find_ends(sf_resident *r)
{
    const size_t slots = r->desc.slots;
    for (uint32_t i = 0; i < r->op_count; i++) {
        sfi_resident_op *op = r->ops[i];
        for (int side = 0; side < 2; side++) {
            sfi_resident_ring *ring = side ? &op->sink : &op->source;
            uint32_t *count = side ? &r->sink_count : &r->source_count;
            const bool named = !side && r->desc.overflow == SF_OVERFLOW_DROP_NEWEST;
            for (int k = 0; k < op->count[side]; k++) { ring->is |= op->ports[side][k]->is.external; }
            if (!ring->is) { continue; }
            if (*count == SFI_RESIDENT_ENDS) {
                (void)SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, op->name,
                                 "more than 32 operators with external ports on one side");
                return;
            }
            if (side) { ring->out = (uint32_t *)sfi_resident_new(r, slots * sizeof *ring->out); }
            if (named) { ring->names = (uint64_t *)sfi_resident_new(r, 4 * slots * sizeof *ring->names); }
            if ((side && !ring->out) || (named && !ring->names)) {
                (void)sfi_resident_fail_build(r, SF_ERROR_OUT_OF_MEMORY);
            }
            ring->index = *count;
            (side ? r->sinks : r->sources)[(*count)++] = op;
        }
    }
    r->image.triggered = !r->source_count && !r->handler;
}

/* >>layout -------------------------------------------------------------------------------------------- */

/* The shape of the loop, and its memory: the device's, and the loop's heap. Default: on the build's thread, without a
   lock. What makes memory allocates, calls the device, waits for it (sfi_resident_finish), and fails; all else is
   local. */

/* Why the loop cannot be unrolled, and at which operator and port; NULL: it can. */
static const char *sfi_resident_not_unrolled(const sf_resident *r, const char **op, const char **port)
{
    *op = r->name;
    *port = "";
    if (r->handler) { return "a data-ready handler decides about each iteration"; }
    if (r->branch_count) { return "it has branches"; }
    if (r->delayed) { return "it has delayed edges"; }
    for (int side = 1; side >= 0; side--) {
        for (uint32_t i = 0; i < r->port_count; i++) {
            if (r->ports[i]->side != side || !r->ports[i]->is.data) { continue; }
            *op = r->ports[i]->op->name;
            *port = r->ports[i]->name;
            return "each slot needs memory of its own, and there is one .data at port ";
        }
    }
    return NULL;
}
static size_t sfi_resident_round(size_t bytes) { return (bytes + 255) & ~(size_t)255; }
static size_t sfi_resident_sum(size_t a, size_t b) { return b > SIZE_MAX - a ? SIZE_MAX : a + b; }

static size_t sfi_resident_buffer_bytes(const sf_resident *r)        /* of one captured slot */
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < r->port_count; i++) {
        const sfi_resident_port *p = r->ports[i];
        if (p->data || (!p->side && !p->is.external)) { continue; }
        bytes = sfi_resident_sum(bytes, sfi_resident_round(p->bytes));
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
        return SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, op, "cannot be unrolled: %s%s", why, port);
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
static void *sfi_resident_part(sfi_resident_arena *a, size_t bytes)
{
    char *p = a->base ? a->base + a->at : NULL;
    a->at = sfi_resident_sum(a->at, sfi_resident_round(bytes));
    return p;
}
/* Allocates what `lay` needs: it runs twice, to count the bytes and to hand them out. Pinned memory is zeroed. */
static sf_result sfi_resident_alloc(sf_resident *r, void (*lay)(sf_resident *r, sfi_resident_arena *a),
                                    sf_memory memory, char **base, size_t *bytes)
{
    sfi_resident_arena a = { NULL, 0 };
    void *p = NULL;
    lay(r, &a);
    if (a.at > SIZE_MAX / 2) {
        return SFI_REJECT(r, SF_ERROR_OUT_OF_MEMORY, r->name, "no memory has as many addresses as its %s take: give "
                          "ports fewer .bytes, or it fewer .slots", memory == SF_MEMORY_PINNED ? "rings" : "buffers");
    }
    *bytes = a.at;
    sf_result result = sf_mem_alloc(r->device, a.at, memory, &p);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    if (memory == SF_MEMORY_PINNED) { memset(p, 0, a.at); }
    *base = a.base = (char *)p;
    a.at = 0;
    lay(r, &a);
    return SF_OK;
}

/* Pinned memory: mail, records, requests, times, and the rings of external ports. */
static void sfi_resident_lay_rings(sf_resident *r, sfi_resident_arena *a)
{
    uint32_t slots = r->desc.slots, i;
    sf_resident_control *c = &r->image;
    size_t lines = c->line_words ? slots + 1 : 0;
    c->mail = r->mail = (sfi_resident_mail *)sfi_resident_part(a, sizeof *c->mail);
    c->records = (sfi_resident_entry *)sfi_resident_part(a, (c->record_mask + 1) * sizeof *c->records);
    c->requests = r->requests = (sfi_resident_request *)sfi_resident_part(a, lines * sizeof *c->requests);
    c->times = (uint64_t *)sfi_resident_part(a, SFI_RESIDENT_ENDS * (slots + 1) * sizeof *c->times);
    for (i = 0; i < r->port_count; i++) {
        sfi_resident_port *p = r->ports[i];
        if (!p->is.external) { continue; }
        p->stride = sfi_resident_round(p->bytes);
        p->ring = (char *)sfi_resident_part(a, p->stride * (slots + (p->side ? 0 : 1)));
    }
}

static size_t sfi_resident_histograms(const sf_resident *r)
{
    return SFI_RESIDENT_SPANS + (r->desc.measure_operators && !r->desc.fused ? r->op_count : 0);
}
/* All of the device's memory: the loop's own, and the buffers of the edges, each captured slot its own. */
static void sfi_resident_lay_device(sf_resident *r, sfi_resident_arena *a)
{
    sf_resident_control *c = &r->image;
    const size_t fused = r->desc.fused ? r->op_count : 0, spans = sfi_resident_histograms(r);
    c->histograms = (sfi_resident_histogram *)sfi_resident_part(a, spans * sizeof *c->histograms);
    c->began_op = (int64_t *)sfi_resident_part(a, (r->op_count + 1) * sizeof *c->began_op);
    c->fused = (sf_resident_fused_call *)sfi_resident_part(a, fused * sizeof *c->fused);
    c->copies = (sfi_resident_copy *)sfi_resident_part(a, (r->copy_count + 1) * sizeof *c->copies);
    for (uint32_t i = 0; i < r->port_count; i++) {
        sfi_resident_port *p = r->ports[i];
        bool own = !p->data && p->bytes && (p->side || p->is.external);
        for (uint32_t pass = 0; pass < r->passes; pass++) {
            p->memory[pass] = own ? sfi_resident_part(a, p->bytes) : p->data;
        }
    }
    for (uint32_t i = 0; i < r->edge_count; i++) {
        sfi_resident_edge *e = r->edges[i];
        const size_t step = sfi_resident_round(e->output->bytes);
        if (e->delay) { e->late = (char *)sfi_resident_part(a, e->delay * step); }
        for (uint32_t pass = 0; pass < r->passes; pass++) {
            void *late = e->late ? e->late + (e->delay - 1) * step : NULL;
            e->input->memory[pass] = e->delay ? late : e->output->memory[pass];
        }
    }
}
static bool sfi_resident_small(size_t bytes) { return bytes <= SFI_RESIDENT_SMALL; }
static bool sfi_resident_results_in_line(const sf_resident *r) { return r->image.record_words > SFI_RESIDENT_RECORD; }
/* Why a record needs a fence even if no kernel writes host memory, and which operator is why; NULL: it needs none. */
static const char *sfi_resident_needs_fence(const sf_resident *r, bool results_in_line, const char **where)
{
    *where = r->name;
    if (r->desc.any_source && r->source_count > 1) { return "any_source tells what it has taken of each"; }
    for (uint32_t i = 0; i < r->port_count; i++) {
        if (!r->ports[i]->data) { continue; }
        *where = r->ports[i]->op->name;
        return "this operator has a port with .data";
    }
    return r->sink_count && !results_in_line ? "its results are larger than 56 bytes" : NULL;
}
/* Chooses what travels in numbered words: small requests of one source, if each is taken, and small results. Then
   whether a record has to wait for what operators have written. */
static void sfi_resident_choose_lines(sf_resident *r)
{
    bool one = r->source_count == 1 && !r->handler && r->desc.overflow != SF_OVERFLOW_LATEST;
    const char *where, *why;
    r->image.line_words = one && r->in_words <= SFI_RESIDENT_INLINE ? SFI_RESIDENT_TIME + r->in_words : 0;
    r->image.record_mask = (2 * r->desc.slots < 8 ? 8 : 2 * r->desc.slots) - 1;
    r->image.record_words = SFI_RESIDENT_RECORD + (r->out_words <= SFI_RESIDENT_INLINE ? r->out_words : 0);
    why = sfi_resident_needs_fence(r, sfi_resident_results_in_line(r), &where);
    r->image.unfenced = r->desc.no_host_writes && !why;
    if (r->desc.no_host_writes && why) { SFI_WARN(r, where, "no_host_writes is of no use: %s", why); }
}
/* Counts what external ports need, and makes the arrays that depend on the number of passes. */
static sf_result sfi_resident_make_ports(sf_resident *r)
{
    for (uint32_t i = 0; i < r->port_count; i++) {
        sfi_resident_port *p = r->ports[i];
        uint32_t *words = p->side ? &r->out_words : &r->in_words;
        p->memory = (void **)sfi_resident_new(r, r->passes * sizeof *p->memory);
        if (!p->memory) { return SF_ERROR_OUT_OF_MEMORY; }
        if (!p->is.external) { continue; }
        r->copy_count += r->passes;
        *(p->side ? &r->image.copies_out : &r->image.copies_in) += 1;
        *(p->side ? &r->out_bytes : &r->in_bytes) += p->bytes;
        p->word = *words;
        *words += sfi_resident_small(p->bytes) ? sfi_resident_words_of(p->bytes) : SFI_RESIDENT_INLINE + 1;
    }
    sfi_resident_choose_lines(r);
    r->copies_image = (sfi_resident_copy *)sfi_resident_new(r, (r->copy_count + 1) * sizeof *r->copies_image);
    return r->copies_image ? SF_OK : SF_ERROR_OUT_OF_MEMORY;
}
/* The copies between rings and ports, by pass: first those in, then those out. */
static void sfi_resident_list_copies(sf_resident *r)
{
    sfi_resident_copy *c = r->copies_image;
    for (uint32_t n = 0; n < 2 * r->passes; n++) {
        for (uint32_t i = 0; i < r->port_count; i++) {
            const sfi_resident_port *p = r->ports[i];
            if (!p->is.external || p->side != (int)(n % 2)) { continue; }
            const sfi_resident_copy copy = {
                p->ring, (char *)p->memory[n / 2], p->bytes, p->stride,
                p->side ? p->op->sink.index : p->op->source.index, (uint32_t)p->side, p->word, 0
            };
            *c++ = copy;
        }
    }
}
/* What the loop's control begins with, but for what was chosen before. */
static void sfi_resident_fill_image(sf_resident *r)
{
    sf_resident_control *c = &r->image;
    c->ready = SFI_RESIDENT_NOT_READY;
    c->self = r->control;
    c->sources = c->triggered ? 1 : r->source_count;
    c->words = c->sources ? c->sources : 1;
    c->sinks = r->sink_count;
    c->slots = r->desc.slots;
    c->in_slots = r->desc.slots + (r->desc.overflow == SF_OVERFLOW_DROP_NEWEST ? 1 : 0);
    c->latest = r->desc.overflow == SF_OVERFLOW_LATEST;
    c->any = r->desc.any_source && r->source_count > 1;
    c->handler = r->handler != NULL;
    c->aligned = c->triggered && r->passes > 1 && !c->latest;
    c->ops = r->op_count;
    c->quick = c->words == 1 && c->sources == 1 && !c->handler && !c->latest;
}
/* Waits until the device has done what the build enqueued. SF_ERROR_STALLED: other work keeps the device busy. */
static sf_result sfi_resident_finish(sf_resident *r, sf_result result)
{
    if (result >= 0) { result = sf_stream_synchronize(r->run, SFI_RESIDENT_PATIENCE); }
    if (result == SF_TIMEOUT) { result = SF_ERROR_STALLED; }
    return result == SF_OK ? SF_OK : sfi_resident_device_failed(r, result, r->name, "sf_resident_build");
}
static sf_result sfi_resident_make_device(sf_resident *r)
{
    sf_resident_control *c = &r->image;
    sf_resident_fused_call *calls = (sf_resident_fused_call *)sfi_resident_new(r, (r->op_count + 1) * sizeof *calls);
    if (!calls) { return SF_ERROR_OUT_OF_MEMORY; }
    sf_result result =
        sfi_resident_alloc(r, sfi_resident_lay_device, SF_MEMORY_DEVICE, &r->device_memory, &r->device_bytes);
    if (result < 0) { return result; }
    sfi_resident_list_copies(r);
    sfi_resident_fill_image(r);
    for (uint32_t i = 0; r->desc.fused && i < r->op_count; i++) {
        const sfi_resident_op *op = r->ops[i];
        for (int k = 0; k < op->count[0]; k++) { calls[i].in[k] = op->ports[0][k]->memory[0]; }
        for (int k = 0; k < op->count[1]; k++) { calls[i].out[k] = op->ports[1][k]->memory[0]; }
        calls[i].user = op->is.user;
        calls[i].control = r->control;
    }
    result = sf_memset_async(r->run, r->device_memory, 0, r->device_bytes);
    if (result >= 0) { result = sf_memcpy_async(r->run, r->control, c, sizeof *c); }
    if (result >= 0 && r->copy_count) {
        result = sf_memcpy_async(r->run, (void *)(uintptr_t)c->copies, r->copies_image,
                                 r->copy_count * sizeof *c->copies);
    }
    if (result >= 0 && r->desc.fused) {
        result = sf_memcpy_async(r->run, c->fused, calls, r->op_count * sizeof *calls);
    }
    return sfi_resident_finish(r, result);
}

/* >>loop ------------------------------------------------------------------------------------------------ */

/* The loop's kernels for a host device: each body does what the kernel of its name in streamflow_kernels.cu does.
   Workers of the device call them: marks, and slices of copies, side by side, all others one at a time in the graph's
   order. Default: local, with no lock, but for the clock. A body that has to wait returns SF_NOT_READY and is called
   again: nothing blocks. */

/* Copies a part of a ring's slot into a port's memory, or back. */
static void sfi_resident_move(const sf_resident_control *c, const sfi_resident_copy *copy, size_t from, size_t to)
{
    const char *source = sfi_resident_from(c, copy);
    if (!source || from >= to) { return; }
    memcpy((copy->out ? sfi_resident_slot_of(c, copy) : copy->memory) + from, source + from, to - from);
}
static void sfi_resident_move_all(const sf_resident_control *c, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) { sfi_resident_move(c, &c->copies[i], 0, c->copies[i].bytes); }
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
    for (uint32_t i = 0; i < c->record_words; i++) {
        if (i == SFI_RESIDENT_RECORD) { SFI_RESIDENT_STEP("loop half a record"); }
        uint32_t word = i < SFI_RESIDENT_RECORD ? sfi_resident_half_of(record, i)
                                       : sfi_resident_result_word(&c->copies[first], count, i - SFI_RESIDENT_RECORD);
        sfi_resident_write_word(k, c->at.completed, i, word);
    }
}
/* Publishes the iteration that ran, if one did: see how, in section protocol. */
static void sfi_resident_deliver(sf_resident_control *c, uint32_t first, uint32_t count)
{
    const sfi_resident_known known = sfi_resident_know(c);
    sfi_resident_record record;
    if (!c->at.live) { return; }
    c->at.finished = sfi_resident_clock();
    sfi_resident_progress p = c->at;
    record = sfi_resident_record_of(&known, &p, sfi_resident_load32(&c->raised), sfi_resident_clock());
    if (SFI_MUTANT(done_order)) { sfi_resident_write_record(c, &known, &record, first, count); }
    SFI_RESIDENT_STEP("loop deliver");
    if (c->record_words == SFI_RESIDENT_RECORD) { sfi_resident_move_all(c, first, count); }
    SFI_RESIDENT_STEP("loop payload");
    sfi_resident_publish_taken(c, c->mail, &known);
    SFI_RESIDENT_STEP("loop record");
    sfi_resident_fence();
    sfi_resident_write_record(c, &known, &record, first, count);
    sfi_resident_publish(c, c->mail, &p, &record, c->pass);
    for (uint32_t i = 0; i < SFI_RESIDENT_SPANS; i++) {
        sfi_resident_account(&p, c->histograms, i, (int64_t)record.published);
    }
}

/* One poll of the wait kernel, for the pass a->pass: begins an iteration, ends the WHILE node, or SF_NOT_READY. */
static int sfi_resident_wait_here(const sfi_resident_args *a, uint32_t first, uint32_t count)
{
    sf_resident_control *c = a->control;
    int64_t now = sfi_resident_clock();
    if (c->aligned && c->at.done % c->slots != a->pass) {       /* not this pass's turn: after a relaunch */
        c->at.live = 0;
        return 0;
    }
    sfi_resident_decision turn = sfi_resident_poll(c, now);
    if (turn == SFI_RESIDENT_WAIT) { return SF_NOT_READY; }  /* called again later: no thread blocks */
    if (turn == SFI_RESIDENT_TAKE) {
        sfi_resident_take(c, now);
        c->pass = a->pass;
        sfi_resident_fetch(c, first, count);
    }
    if (a->loop && turn == SFI_RESIDENT_STOP) { sf_graph_conditional_set(a->loop, 0); }
    return 0;
}
/* After the data-ready handler: begins an iteration or not. While it cannot begin one it waits; without data once. */
static int sfi_resident_check_here(const sfi_resident_args *a)
{
    sf_resident_control *c = a->control;
    int64_t now = sfi_resident_clock();
    sfi_resident_decision turn = sfi_resident_poll(c, now);
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
    sf_graph_conditional_set(a->branch, turn == SFI_RESIDENT_TAKE);
    if (turn == SFI_RESIDENT_STOP) { sf_graph_conditional_set(a->loop, 0); }
    return 0;
}
static void sfi_resident_copy_here(const sfi_resident_args *a, const sf_slice *slice)
{
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        ptrdiff_t bytes = (ptrdiff_t)a->control->copies[i].bytes;
        sfi_resident_move(a->control, &a->control->copies[i], (size_t)sf_slice_begin(slice, bytes),
                          (size_t)sf_slice_end(slice, bytes));
    }
}
/* Before and after an operator: moves the heartbeat, takes its time. `every` is set in a data-ready handler. */
static void sfi_resident_mark_here(const sfi_resident_args *a)
{
    sf_resident_control *c = a->control;
    uint32_t op = a->stage - SFI_RESIDENT_STAGE_OP;
    if (a->kind != SFI_RESIDENT_MARK_END && (c->at.live || a->every)) { sfi_resident_enter(c, a->stage); }
    if (a->kind == SFI_RESIDENT_MARK_BEGIN) { c->began_op[op] = sfi_resident_clock(); }
    if (a->kind == SFI_RESIDENT_MARK_END && c->at.live) {
        sfi_resident_tally(&c->histograms[SFI_RESIDENT_SPANS + op], sfi_resident_clock() - c->began_op[op]);
    }
}
typedef struct sfi_resident_twin {           /* what a host body gets: a kernel's arguments, and which one it is */
    sfi_resident_args args;
    sfi_resident_function which;
} sfi_resident_twin;
static int sfi_resident_body(const sf_slice *slice, const void *args)
{
    const sfi_resident_twin *twin = (const sfi_resident_twin *)args;
    const sfi_resident_args *a = &twin->args;
    switch (twin->which) {
    case SFI_RESIDENT_BEGIN_KERNEL: sfi_resident_begin(a->control); break;
    case SFI_RESIDENT_WAIT_KERNEL: return sfi_resident_wait_here(a, a->first, a->count);
    case SFI_RESIDENT_PUBLISH_KERNEL: sfi_resident_deliver(a->control, a->first, a->count); break;
    case SFI_RESIDENT_TURN_KERNEL:
        sfi_resident_deliver(a->control, a->first, a->count);        /* once: nothing is live in the next try */
        return sfi_resident_wait_here(a, a->next, a->next_count);
    case SFI_RESIDENT_CHECK_KERNEL: return sfi_resident_check_here(a);
    case SFI_RESIDENT_COPY_KERNEL: sfi_resident_copy_here(a, slice); break;
    case SFI_RESIDENT_MARK_KERNEL: sfi_resident_mark_here(a); break;
    case SFI_RESIDENT_CHOOSE_KERNEL: sf_graph_conditional_set(a->branch, sfi_resident_choice_of(a)); break;
    default: sfi_resident_end(a->control);
    }
    return 0;
}

/* Names of the kernels in the PTX, and their twins here. */
static const sf_kernel sfi_resident_kernels[SFI_RESIDENT_KERNELS] = {
    { "sf_resident_begin_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_wait_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_publish_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_turn_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_check_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_copy_kernel", sfi_resident_body, NULL, 8, true, 1000 },
    { "sf_resident_mark_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_choose_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_end_kernel", sfi_resident_body, NULL, 1, true, 100 },
    { "sf_resident_clock_kernel", NULL, NULL, 1, false, 100 },
};

/* One try of a fused loop on a host device: begins the launch, and runs one iteration, or ends. */
SF_API int sf_resident_run_fused(const void *args, const sf_resident_fused_func *ops, int count)
{
    sf_resident_control *c = ((const sfi_resident_args *)args)->control;
    int64_t now = sfi_resident_clock();
    if (sfi_resident_load(&c->mail->board.started) != c->mail->settings.launch) { sfi_resident_begin(c); }
    if ((uint32_t)count != c->ops) { sfi_resident_raise(c, SF_ERROR_MISMATCH); }     /* not the operators added */
    sfi_resident_decision turn = sfi_resident_poll(c, now);
    if (turn == SFI_RESIDENT_STOP) {
        sfi_resident_end(c);
        return 0;
    }
    if (turn == SFI_RESIDENT_WAIT) { return SF_NOT_READY; }
    sfi_resident_take(c, now);
    sfi_resident_fetch(c, 0, c->copies_in);
    for (int i = 0; i < count; i++) {
        sf_resident_fused_call call = c->fused[i];
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
    return sfi_resident_is(resident) ? resident->control : NULL;
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
    /* at.sequence is the loop's alone; it shows `began` to others with each request that it takes */
    return control && control->mail ? sfi_resident_load(&control->mail->board.began) : 0;
}
/* Any thread. Only the first raise of a launch counts, so only that one stores its stage: the loop goes on, and
   overwrites that. */
SF_API void sf_resident_raise(sf_resident_control *control, sf_result code)
{
    if (!control) { return; }
    if (control->mail && !sfi_resident_load32(&control->raised)) {
        const sfi_resident_board *board = &control->mail->board;
        uint64_t stage = sfi_resident_load(&board->stage) & 0xffff;
        bool live = sfi_resident_load(&board->began) > sfi_resident_load(&board->done);
        sfi_resident_store(&control->mail->board.raised_at, stage << 1 | live);
    }
    sfi_resident_raise(control, (int32_t)code);
}

/* >>capturing ----------------------------------------------------------------------------------------- */

/* Captures the loop's graph. Default: on the thread of sf_resident_build(), without a lock; calls the device, fails,
   and allocates: memory comes from the loop's heap and stays until the loop is destroyed. User code: the computes of
   operators, and launchers. */

typedef struct sfi_resident_capture {
    sf_resident *r;
    const sfi_resident_order *order;
    sfi_resident_op *alone;                  /* without an order: the one operator to try */
    sfi_resident_tails *tails;               /* of each item, what the next one has to come after */
    sf_graph *root, *body;                   /* the whole graph; what is captured into at present */
    uint32_t pass;
    int32_t depth;                           /* of bodies within bodies: each has a stream */
    sfi_resident_scope scope;                /* of the branch's body that is captured next */
    bool handler;                            /* only the handler's operators, or only the others */
    bool any;                                /* of the operators has launched something */
} sfi_resident_capture;
static int sfi_resident_count_nodes(const sf_graph *graph)
{
    int count = 0;
    (void)sf_graph_get_nodes(graph, NULL, 0, &count);
    return count;
}

/* Stores the nodes that the stream's next one would come after. */
static sf_result sfi_resident_read_tails(sf_resident *r, sf_stream *s, sfi_resident_tails *to)
{
    sf_capture_info info;
    memset(&info, 0, sizeof info);
    sf_result result = sf_stream_get_capture_info(s, &info, NULL, 0);
    if (result >= 0 && info.status != SF_CAPTURE_ACTIVE) { result = SF_ERROR_CAPTURE_INVALIDATED; }
    if (result < 0) { return result; }
    sf_dependency *deps = (sf_dependency *)sfi_resident_new(r, (size_t)(info.dependencies + 1) * sizeof *deps);
    if (!deps) { return SF_ERROR_OUT_OF_MEMORY; }
    result = sf_stream_get_capture_info(s, &info, deps, info.dependencies);
    to->count = 0;
    for (int32_t i = 0; i < info.dependencies && result >= 0; i++) {
        if (!sfi_resident_add_tail(r, to, deps[i].node)) { result = SF_ERROR_OUT_OF_MEMORY; }
    }
    return result;
}
static sf_result sfi_resident_go_after(sf_stream *s, const sfi_resident_tails *t)
{
    return sf_stream_update_capture_dependencies(s, t->items, t->count, SF_CAPTURE_SET_DEPENDENCIES);
}
/* Whether kernels may start before the one in front of them has ended. A host device only records such edges. Between
   partitions all edges are full ones. */
static bool sfi_resident_early(const sf_resident *r)
{
    return (r->on_host || r->capability >= 90) && !r->desc.no_programmatic_launch && !r->apart;
}
static void sfi_resident_grid(sfi_resident_function which, const sfi_resident_args *a, const sf_resident *r,
                              sf_grid *grid)
{
    size_t bytes = 0;
    memset(grid, 0, sizeof *grid);
    grid->block[0] = 1;
    if (which >= SFI_RESIDENT_WAIT_KERNEL && which <= SFI_RESIDENT_CHECK_KERNEL) {
        bool out = which == SFI_RESIDENT_TURN_KERNEL || which == SFI_RESIDENT_PUBLISH_KERNEL;
        uint32_t in = which == SFI_RESIDENT_TURN_KERNEL ? a->next_count : out ? 0 : a->count;
        bool copies = (out && a->count && !sfi_resident_results_in_line(r)) || (in && !r->image.line_words);
        grid->block[0] = copies ? 256 : which == SFI_RESIDENT_TURN_KERNEL ? 64 : 32;
    }
    if (which != SFI_RESIDENT_COPY_KERNEL) { return; }
    for (uint32_t i = 0; i < a->count; i++) { bytes += (size_t)r->copies_image[a->first + i].bytes; }
    grid->block[0] = 512;
    grid->grid[0] = bytes / 32768 < 1 ? 1 : bytes / 32768 > 64 ? 64 : (uint32_t)(bytes / 32768);
}
static sfi_resident_args sfi_resident_new_args(const sf_resident *r)         /* zeros but for what all kernels need */
{
    sfi_resident_args a;
    memset(&a, 0, sizeof a);
    a.control = r->control;
    a.mail = r->mail;
    return a;
}
static sf_result sfi_resident_enqueue(sf_resident *r, sf_stream *s, sfi_resident_function which,
                                      sfi_resident_args args)
{
    const sfi_resident_twin twin = { args, which };
    sf_grid grid;
    void *params[1];
    if (r->on_host) { return sf_launch(s, &sfi_resident_kernels[which], &twin, sizeof twin); }
    params[0] = &args;
    sfi_resident_grid(which, &args, r, &grid);
    grid.programmatic =                      /* in the loop these wait by themselves for what comes before them */
        sfi_resident_early(r) && s != r->run &&
        (which <= SFI_RESIDENT_TURN_KERNEL || which == SFI_RESIDENT_COPY_KERNEL);
    return sf_launch_kernel(s, r->functions[which], &grid, params);
}
/* Adds a conditional node where the stream is; what the stream captures next comes after it. The node stores its
   bodies in `body`. */
static sf_result sfi_resident_add_conditional(sfi_resident_capture *c, sf_stream *s, const char *name,
                                              sf_graph_conditional_type type, sf_graph_conditional handle,
                                              int32_t bodies, sf_graph **body)
{
    sfi_resident_tails after = { NULL, 0 };
    sf_dependency on = { NULL, SF_DEPENDENCY_FULL };
    sf_node_desc d;
    memset(&d, 0, sizeof d);
    d.type = SF_NODE_CONDITIONAL;
    d.name = name;
    d.conditional.handle = handle;
    d.conditional.type = type;
    d.conditional.bodies = bodies;
    d.conditional.body = body;
    sf_result result = sfi_resident_read_tails(c->r, s, &after);
    if (result >= 0) { result = sf_graph_add_node(c->body, after.items, after.count, &d, &on.node); }
    if (result >= 0) { result = sf_stream_update_capture_dependencies(s, &on, 1, SF_CAPTURE_SET_DEPENDENCIES); }
    return result;
}
/* The same with a new conditional, and a kernel in front of it that sets it. */
static sf_result sfi_resident_add_choice(sfi_resident_capture *c, sf_stream *s, sfi_resident_function which,
                                         sfi_resident_args a, const char *name, sf_graph_conditional_type type,
                                         int32_t bodies, sf_graph **body)
{
    sf_result result = sf_graph_conditional_create(c->root, 0, true, &a.branch);
    if (result >= 0) { result = sfi_resident_enqueue(c->r, s, which, a); }
    return result < 0 ? result : sfi_resident_add_conditional(c, s, name, type, a.branch, bodies, body);
}
/* Begins the capture of a new graph, on the loop's stream. RELAXED: no call of any thread is refused for it. */
static sf_result sfi_resident_open_graph(const sf_resident *r, sf_graph **graph)
{
    sf_result result = sf_graph_create(r->device, graph);
    return result < 0 ? result : sf_stream_begin_capture_to_graph(r->run, *graph, NULL, 0, SF_CAPTURE_RELAXED);
}
/* Ends a capture into a graph or a body. Returns the first error: `result`, or its own. */
static sf_result sfi_resident_close(sf_stream *s, sf_result result)
{
    sf_graph *ended = NULL;
    sf_result end = sf_stream_end_capture(s, &ended);
    return result < 0 ? result : end;
}
/* Captures a body of a conditional node: what `fill` enqueues on a stream for this depth. An error of `fill` is
   reported when the outermost capture has ended. */
static sf_result sfi_resident_capture_body(sfi_resident_capture *c, sf_graph *body,
                                           sf_result (*fill)(sfi_resident_capture *c, sf_stream *s))
{
    sf_resident *r = c->r;
    sf_stream **s = &r->capture[c->depth];
    sf_graph *outer = c->body;
    uint32_t early = sfi_resident_early(r) ? (uint32_t)SF_STREAM_PROGRAMMATIC : 0;
    if (!*s) { (void)sfi_resident_make_stream(r, "resident capture", early, true, r->desc.partition, s); }
    sf_result result = !*s ? SF_ERROR_OUT_OF_MEMORY
                           : sf_stream_begin_capture_to_graph(*s, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    c->body = body;
    c->depth++;
    result = sfi_resident_close(*s, fill(c, *s));
    c->depth--;
    c->body = outer;
    return result;
}

/* -- operators -- */

/* SF_ERROR_NOT_SUPPORTED: the body has a node that cannot be in a loop. The operator captured last has added it.
   *other: its number, if the library has no name for its type; else -1. */
static sf_result sfi_resident_check_nodes(sf_resident *r, sf_graph *graph, int *other)
{
    sf_graph_node **nodes;
    sf_node_type type;
    bool bad = false;
    int count = 0, i;
    *other = -1;
    if (sf_graph_get_nodes(graph, NULL, 0, &count) == SF_ERROR_OUT_OF_MEMORY) { return SF_ERROR_OUT_OF_MEMORY; }
    if (!count) { return SF_OK; }
    nodes = (sf_graph_node **)r->heap.alloc((size_t)count * sizeof *nodes, r->heap.user);
    if (!nodes) { return SF_ERROR_OUT_OF_MEMORY; }
    if (sf_graph_get_nodes(graph, nodes, count, &count) < 0) { count = 0; }
    for (i = 0; i < count && !bad; i++) {
        if (sf_graph_node_get_type(nodes[i], &type) < 0) { continue; }
        bad = type != SF_NODE_EMPTY && type != SF_NODE_KERNEL && type != SF_NODE_MEMCPY && type != SF_NODE_MEMSET &&
              type != SF_NODE_CHILD && type != SF_NODE_CONDITIONAL;
        if (type == SF_NODE_OTHER) { *other = i; }
    }
    r->heap.free((void *)nodes, r->heap.user);
    return bad ? SF_ERROR_NOT_SUPPORTED : SF_OK;
}
static sf_result sfi_resident_mark_op(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *s,
                                      sfi_resident_mark_kind kind)
{
    sfi_resident_args a = sfi_resident_new_args(c->r);
    a.stage = SFI_RESIDENT_STAGE_OP + op->index;
    a.kind = (uint32_t)kind;
    a.every = op->handler;
    return sfi_resident_enqueue(c->r, s, SFI_RESIDENT_MARK_KERNEL, a);
}
/* Marks that an operator begins: in front of it if it is measured, else beside it, where that takes no time. */
static sf_result sfi_resident_enter_op(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *s,
                                       const sfi_resident_tails *before)
{
    sf_resident *r = c->r;
    if (r->desc.measure_operators) { return sfi_resident_mark_op(c, op, s, SFI_RESIDENT_MARK_BEGIN); }
    if (r->desc.no_stages) { return SF_OK; }
    sf_result result = sfi_resident_mark_op(c, op, s, SFI_RESIDENT_MARK_ENTER);
    if (result >= 0 && !r->on_host && !op->handler) { result = sfi_resident_go_after(s, before); }
    return result;
}
static void sfi_resident_check_emitted(sf_resident *r, const sfi_resident_op *op)
{
    for (int k = 0; k < op->count[1]; k++) {
        const sfi_resident_port *p = op->ports[1][k];
        if (p->emitted || (!p->connected && !p->is.external)) { continue; }
        SFI_WARN(r, op->name, "output '%s' was not emitted: what is behind it reads the memory all the same",
                 p->name);
    }
}
/* Checks what a compute has captured. Its own unsupported calls are reported before those that they have caused. */
static sf_result sfi_resident_captured(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *s)
{
    sf_capture_status status = SF_CAPTURE_NONE;
    sf_result failed = sf_stream_take_failure(s), result = sf_stream_is_capturing(s, &status);
    bool unfit = failed == SF_ERROR_CAPTURE_UNSUPPORTED;
    int other;
    if (failed < 0 && !unfit && failed != SF_ERROR_CAPTURE_INVALIDATED) {    /* that comes of an earlier one */
        return sfi_resident_device_failed(c->r, failed, op->name, "a call on its stream");
    }
    if (result < 0 || status != SF_CAPTURE_ACTIVE || unfit) {
        return SFI_FAIL(c->r, result < 0 ? result : unfit ? failed : SF_ERROR_CAPTURE_INVALIDATED, op->name,
                        "its compute", "it did what cannot be captured (waiting, allocating, looking at the stream, "
                        "as sf_stream_synchronize() does): receive, launch and emit only");
    }
    result = sfi_resident_check_nodes(c->r, c->body, &other);
    if (result == SF_ERROR_NOT_SUPPORTED && other >= 0) {
        return SFI_FAIL(c->r, SF_ERROR_NOT_SUPPORTED, op->name, "its compute", "node %d of the loop, which it has "
                        "captured, is of a type that the library has no name for (SF_NODE_OTHER): launch kernels, "
                        "copy and set memory", other);
    }
    if (result == SF_ERROR_NOT_SUPPORTED) {
        return SFI_FAIL(c->r, SF_ERROR_NOT_SUPPORTED, op->name, "its compute", "host functions, event nodes, "
                        "allocations and value operations cannot be in a loop on the GPU: launch kernels, copy and "
                        "set memory, or give the library a workspace of its own");
    }
    return result;
}
static sf_result sfi_resident_one_tail(sf_resident *r, sf_stream *s, sf_graph_node **node)   /* NULL: none, several */
{
    sfi_resident_tails now = { NULL, 0 };
    sf_result result = sfi_resident_read_tails(r, s, &now);
    *node = result >= 0 && now.count == 1 ? now.items[0].node : NULL;
    return result;
}
/* The stream that captures an operator: the body's, or one in the operator's partition, which joins the capture. What
   comes after the operator's nodes, on the body's stream, joins that one to it again. */
static sf_result sfi_resident_enter_partition(sf_resident *r, sfi_resident_op *op, sf_stream *body, sf_stream **s)
{
    sf_result result = SF_OK;
    *s = body;
    if (!op->partition) { return SF_OK; }
    if (!op->stream) { result = sfi_resident_make_stream(r, op->name, 0, true, op->partition, &op->stream); }
    if (result >= 0) { result = sf_stream_wait_stream(op->stream, body); }
    if (result >= 0) { *s = op->stream; }
    return result;
}
/* Captures one operator after `before`; `after`: its last nodes. Errors are reported here. */
static sf_result sfi_resident_capture_op(sfi_resident_capture *c, sfi_resident_op *op, sf_stream *body,
                                         const sfi_resident_tails *before, sfi_resident_tails *after)
{
    sf_resident *r = c->r;
    sf_stream *s;
    sf_result result = sfi_resident_enter_partition(r, op, body, &s);
    int k;
    if (result >= 0) { result = sfi_resident_go_after(s, before); }
    for (int side = 0; side < 2; side++) {
        for (k = 0; k < op->count[side]; k++) { op->ports[side][k]->received = op->ports[side][k]->emitted = false; }
    }
    (void)sf_stream_take_failure(s);
    if (result >= 0) { result = sfi_resident_enter_op(c, op, s, before); }
    if (result >= 0 && !c->pass && op->branch == SFI_RESIDENT_NONE) {
        result = sfi_resident_one_tail(r, s, &op->before);
        op->joins = before->count > 1;
    }
    if (result < 0) { return sfi_resident_device_failed(r, result, op->name, "sf_resident_build"); }
    int count = c->any ? 0 : sfi_resident_count_nodes(c->body);
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

static sf_result sfi_resident_capture_scope(sfi_resident_capture *c, sfi_resident_scope scope, sf_stream *s);

/* Whether an operator lies in the same branch as `taken`, but in another case. */
static bool sfi_resident_is_skipped(const sf_resident *r, const sfi_resident_op *op, sfi_resident_scope taken)
{
    int32_t branch = op->branch, which = op->which;
    while (branch != SFI_RESIDENT_NONE && branch != taken.branch) {
        which = r->branches[branch]->which;
        branch = r->branches[branch]->parent;
    }
    return branch != SFI_RESIDENT_NONE && which != taken.which;
}
/* Zeroes the outputs of skipped operators, with one node for outputs that lie side by side. */
static sf_result sfi_resident_clear_skipped(sfi_resident_capture *c, sfi_resident_scope taken, sf_stream *s)
{
    sf_resident *r = c->r;
    sf_result result = SF_OK;
    char *from = NULL, *to = NULL, *next = NULL;     /* next: where such a one would begin */
    for (uint32_t i = 0; i < r->op_count; i++) {
        if (!sfi_resident_is_skipped(r, r->ops[i], taken)) { continue; }
        for (int k = 0; k < r->ops[i]->count[1] && result >= 0; k++) {
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
static sf_result sfi_resident_capture_case(sfi_resident_capture *c, sf_stream *s)
{
    const sfi_resident_scope scope = c->scope;       /* branches within have other ones */
    sf_result result = SF_OK;
    if (c->r->branches[scope.branch]->is.clear_skipped) { result = sfi_resident_clear_skipped(c, scope, s); }
    return result < 0 ? result : sfi_resident_capture_scope(c, scope, s);
}
static sf_result sfi_resident_capture_branch(sfi_resident_capture *c, int32_t branch, sf_stream *s,
                                             const sfi_resident_tails *before, sfi_resident_tails *after)
{
    sf_resident *r = c->r;
    const sfi_resident_choice *b = r->branches[branch];
    const bool many = b->is.kind == SF_RESIDENT_SWITCH;
    const bool two = b->is.clear_skipped || b->has_else;     /* clear_skipped: the last body only clears outputs */
    int32_t bodies = many ? (int32_t)b->is.cases + b->is.clear_skipped : two ? 2 : 1;
    sf_graph **body = (sf_graph **)sfi_resident_new(r, (size_t)bodies * sizeof *body);
    sfi_resident_scope scope = { branch, 0 };
    sfi_resident_args a = sfi_resident_new_args(r);
    sf_result result = body ? sfi_resident_go_after(s, before) : SF_ERROR_OUT_OF_MEMORY;
    if (b->predicate) { a.predicate = (const uint32_t *)b->port->memory[c->pass]; }
    a.every = b->is.every;
    a.phase = b->is.every ? b->is.phase % b->is.every : 0;
    a.last = many ? b->is.cases : UINT32_MAX;
    if (result >= 0) {
        result = sfi_resident_add_choice(c, s, SFI_RESIDENT_CHOOSE_KERNEL, a, "branch",
                                         many ? SF_GRAPH_SWITCH : SF_GRAPH_IF, bodies, body);
    }
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    for (; scope.which < bodies && result >= 0; scope.which++) {
        c->scope = scope;
        result = sfi_resident_capture_body(c, body[scope.which], sfi_resident_capture_case);
        r->nested += (uint32_t)sfi_resident_count_nodes(body[scope.which]);
    }
    return result < 0 ? result : sfi_resident_read_tails(r, s, after);
}

/* All items of a scope, each after what it depends on; what the stream captures next comes after all of them. */
static sf_result sfi_resident_capture_scope(sfi_resident_capture *c, sfi_resident_scope scope, sf_stream *s)
{
    sf_resident *r = c->r;
    sfi_resident_tails entry = { NULL, 0 }, exit = { NULL, 0 };
    sf_result result = sfi_resident_read_tails(r, s, &entry);
    bool any = false;
    for (int32_t i = 0; i < c->order->count && result >= 0; i++) {
        int32_t item = c->order->items[i], branch = item - (int32_t)r->op_count, followed = 0;
        sfi_resident_tails before = { NULL, 0 };
        if (!sfi_resident_same(sfi_resident_scope_of(r, item), scope)) { continue; }
        if ((branch < 0 && r->ops[item]->handler) != c->handler) { continue; }
        for (int32_t k = 0; k < c->order->pair_count; k++) {
            if (c->order->pairs[k].to == item &&
                !sfi_resident_add_tails(r, &before, &c->tails[c->order->pairs[k].from])) {
                return SF_ERROR_OUT_OF_MEMORY;
            }
            followed += c->order->pairs[k].from == item;
        }
        const sfi_resident_tails *after = before.count ? &before : &entry;
        if (branch < 0) { r->ops[item]->first = !before.count; }
        result = branch < 0 ? sfi_resident_capture_op(c, r->ops[item], s, after, &c->tails[item])
                            : sfi_resident_capture_branch(c, branch, s, after, &c->tails[item]);
        any = true;
        if (!followed && result >= 0 && !sfi_resident_add_tails(r, &exit, &c->tails[item])) {
            return SF_ERROR_OUT_OF_MEMORY;
        }
    }
    return result < 0 ? result : sfi_resident_go_after(s, any ? &exit : &entry);
}

/* -- one iteration -- */

/* Delayed edges are written when all operators that read the old value are done. */
static sf_result sfi_resident_shift(sfi_resident_capture *c, sf_stream *s)
{
    sf_resident *r = c->r;
    sfi_resident_tails before = { NULL, 0 }, all = { NULL, 0 };
    sf_result result = sfi_resident_read_tails(r, s, &before);
    for (uint32_t i = 0; i < r->edge_count && result >= 0; i++) {
        const sfi_resident_edge *e = r->edges[i];
        size_t bytes = e->output->bytes, step = sfi_resident_round(bytes);
        sfi_resident_tails one = { NULL, 0 };
        if (!e->delay) { continue; }
        result = sfi_resident_go_after(s, &before);
        for (uint32_t d = e->delay - 1; d > 0 && result >= 0; d--) {
            result = sf_memcpy_async(s, e->late + d * step, e->late + (d - 1) * step, bytes);
        }
        if (result >= 0) { result = sf_memcpy_async(s, e->late, e->output->memory[c->pass], bytes); }
        if (result >= 0) { result = sfi_resident_read_tails(r, s, &one); }
        if (!sfi_resident_add_tails(r, &all, &one)) { return SF_ERROR_OUT_OF_MEMORY; }
    }
    return result >= 0 && all.count ? sfi_resident_go_after(s, &all) : result;
}
static sf_result sfi_resident_capture_copy(sf_resident *r, sf_stream *s, uint32_t first, uint32_t count, size_t bytes)
{
    sfi_resident_args a = sfi_resident_new_args(r);
    a.first = first;
    a.count = count;
    if (!count || sfi_resident_small(bytes)) { return SF_OK; }
    return sfi_resident_enqueue(r, s, SFI_RESIDENT_COPY_KERNEL, a);
}
/* Copies in, operators, copies out; what comes next is set to come after them. */
static sf_result sfi_resident_capture_work(sfi_resident_capture *c, sf_stream *s)
{
    sf_resident *r = c->r;
    const uint32_t in = r->image.copies_in, out = r->image.copies_out, first = c->pass * (in + out);
    sf_result result = sfi_resident_capture_copy(r, s, first, in, r->in_bytes);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    c->handler = false;
    result = sfi_resident_capture_scope(c, sfi_resident_top, s);
    if (result < 0) { return result; }
    result = sfi_resident_shift(c, s);
    if (result >= 0) { result = sfi_resident_capture_copy(r, s, first + in, out, r->out_bytes); }
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}
/* Of the kernel that publishes what `pass` did, or (not out) of the one that waits for what it will do. */
static sfi_resident_args sfi_resident_args_of(const sf_resident *r, uint32_t pass, bool out)
{
    sfi_resident_args a = sfi_resident_new_args(r);
    const uint32_t ins = r->image.copies_in, outs = r->image.copies_out;
    a.pass = pass;
    a.loop = r->loop_handle;
    a.first = pass * (ins + outs) + (out ? ins : 0);
    a.count = !sfi_resident_small(out ? r->out_bytes : r->in_bytes) ? 0 : out ? outs : ins;
    return a;
}
/* One kernel that publishes what `pass` did, and waits for what `next` will do. */
static sf_result sfi_resident_capture_turn(sf_resident *r, sf_stream *s, uint32_t pass, uint32_t next)
{
    sfi_resident_args a = sfi_resident_args_of(r, pass, true), in = sfi_resident_args_of(r, next, false);
    a.pass = next;
    a.next = in.first;
    a.next_count = in.count;
    return sfi_resident_enqueue(r, s, SFI_RESIDENT_TURN_KERNEL, a);
}
/* What runs if the check kernel says so: an iteration, which is published. */
static sf_result sfi_resident_capture_ready(sfi_resident_capture *c, sf_stream *s)
{
    sf_result result = sfi_resident_capture_work(c, s);
    if (result < 0) { return result; }
    return sfi_resident_enqueue(c->r, s, SFI_RESIDENT_PUBLISH_KERNEL, sfi_resident_args_of(c->r, 0, true));
}
/* With a data-ready handler: it runs in each round of the loop, and the rest if the check kernel says so. */
static sf_result sfi_resident_capture_handler(sfi_resident_capture *c, sf_stream *s)
{
    sf_resident *r = c->r;
    sf_graph *body = NULL;
    c->handler = true;
    sf_result result = sfi_resident_capture_scope(c, sfi_resident_top, s);
    if (result < 0) { return result; }
    result = sfi_resident_add_choice(c, s, SFI_RESIDENT_CHECK_KERNEL, sfi_resident_args_of(r, 0, false), "ready",
                                     SF_GRAPH_IF, 1, &body);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    result = sfi_resident_capture_body(c, body, sfi_resident_capture_ready);
    r->nested += (uint32_t)sfi_resident_count_nodes(body);
    return result;
}
/* The body of the WHILE node. FAST and UNROLLED: wait, work, then for each further pass a turn and its work, publish.
   EXACT: work and a turn, as it waits first in front of the WHILE node. */
static sf_result sfi_resident_capture_turns(sfi_resident_capture *c, sf_stream *s)
{
    sf_resident *r = c->r;
    const bool exact = r->loop == SF_RESIDENT_LOOP_EXACT;
    sf_result result = SF_OK;
    if (r->handler) { return sfi_resident_capture_handler(c, s); }
    if (!exact) { result = sfi_resident_enqueue(r, s, SFI_RESIDENT_WAIT_KERNEL, sfi_resident_args_of(r, 0, false)); }
    for (c->pass = 0; c->pass < r->passes && result >= 0; c->pass++) {
        if (c->pass > 0) { result = sfi_resident_capture_turn(r, s, c->pass - 1, c->pass); }
        if (result >= 0) { result = sfi_resident_capture_work(c, s); }
    }
    if (result < 0) { return result; }
    if (exact) { return sfi_resident_capture_turn(r, s, 0, 0); }
    return sfi_resident_enqueue(r, s, SFI_RESIDENT_PUBLISH_KERNEL, sfi_resident_args_of(r, r->passes - 1, true));
}

/* -- the whole graph -- */

static sf_result sfi_resident_capture_alone(sfi_resident_capture *c, sf_stream *s)
{
    sfi_resident_tails none = { NULL, 0 }, exit = { NULL, 0 };
    return sfi_resident_capture_op(c, c->alone, s, &none, &exit);
}
/* Captures one operator alone in a graph of its own, to see whether it can be in a loop. An error is reported. */
static sf_result sfi_resident_try_op(sf_resident *r, sfi_resident_op *op)
{
    sfi_resident_args a = sfi_resident_new_args(r);
    sf_graph *graph = NULL, *body = NULL;
    sf_graph_exec *exec = NULL;
    sf_result result = sfi_resident_open_graph(r, &graph);
    sfi_resident_capture c = { r, NULL, op, NULL, graph, graph, 0, 0, sfi_resident_top, false, false };
    a.every = 1;
    if (result >= 0) {
        result = sfi_resident_add_choice(&c, r->run, SFI_RESIDENT_CHOOSE_KERNEL, a, NULL, SF_GRAPH_IF, 1, &body);
        if (result >= 0) { result = sfi_resident_capture_body(&c, body, sfi_resident_capture_alone); }
        result = sfi_resident_close(r->run, result);
    }
    if (result >= 0) { result = sf_graph_instantiate(graph, 0, &exec); }
    if (result < 0) { (void)sfi_resident_device_failed(r, result, op->name, "its compute"); }
    if (exec) { (void)sf_graph_exec_destroy(exec); }
    if (graph) { (void)sf_graph_destroy(graph); }
    return result;
}
/* A driver refused the graph as a whole: tries each operator alone, to name the one that cannot be in a loop. */
static sf_result sfi_resident_find_culprit(sf_resident *r, sf_result result, const char *call)
{
    for (uint32_t i = 0; i < r->op_count && result != SF_ERROR_OUT_OF_MEMORY; i++) {
        sf_result tried = sfi_resident_try_op(r, r->ops[i]);
        if (tried < 0) { return tried; }
    }
    return sfi_resident_device_failed(r, result, r->name, call);
}
/* The whole graph: begin, zeros for the delayed edges, (wait,) WHILE, end. An error of the WHILE node's body alone is
   not reported. */
static sf_result sfi_resident_capture_loop(sfi_resident_capture *c, sf_stream *s)
{
    sf_resident *r = c->r;
    sf_graph *body = NULL;
    sf_result result = sf_graph_conditional_create(r->graph, 1, true, &r->loop_handle);
    if (result >= 0) { result = sfi_resident_enqueue(r, s, SFI_RESIDENT_BEGIN_KERNEL, sfi_resident_new_args(r)); }
    for (uint32_t i = 0; i < r->edge_count && result >= 0; i++) {
        const sfi_resident_edge *e = r->edges[i];
        size_t bytes = e->delay * sfi_resident_round(e->output->bytes);
        if (e->delay) { result = sf_memset_async(s, e->late, 0, bytes); }
    }
    if (result >= 0 && r->loop == SF_RESIDENT_LOOP_EXACT && !r->handler) {
        result = sfi_resident_enqueue(r, s, SFI_RESIDENT_WAIT_KERNEL, sfi_resident_args_of(r, 0, false));
    }
    if (result >= 0) {
        result = sfi_resident_add_conditional(c, s, "loop", SF_GRAPH_WHILE, r->loop_handle, 1, &body);
    }
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    result = sfi_resident_capture_body(c, body, sfi_resident_capture_turns);
    if (result < 0) { return result; }
    r->nodes = (uint32_t)sfi_resident_count_nodes(body);
    result = sfi_resident_enqueue(r, s, SFI_RESIDENT_END_KERNEL, sfi_resident_new_args(r));
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}
static sf_result sfi_resident_make_graph(sf_resident *r, const sfi_resident_order *o)
{
    const size_t items = r->op_count + r->branch_count + 1;
    sfi_resident_tails *tails = (sfi_resident_tails *)sfi_resident_new(r, items * sizeof *tails);
    if (!tails) { return SF_ERROR_OUT_OF_MEMORY; }
    sf_result result = sfi_resident_open_graph(r, &r->graph);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    sfi_resident_capture c = { r, o, NULL, tails, r->graph, r->graph, 0, 0, sfi_resident_top, false, false };
    result = sfi_resident_close(r->run, sfi_resident_capture_loop(&c, r->run));
    if (result < 0 && r->first_error >= 0) { result = sfi_resident_find_culprit(r, result, "sf_resident_build"); }
    if (result < 0) { return result; }
    if (!c.any) {
        SFI_WARN(r, r->name, "the loop does nothing: no compute has launched, copied or set anything");
    }
    result = sf_graph_preload(r->graph);
    if (result < 0) { return sfi_resident_device_failed(r, result, r->name, "sf_resident_build"); }
    result = sf_graph_instantiate(r->graph, 0, &r->exec);
    return result < 0 ? sfi_resident_find_culprit(r, result, "sf_graph_instantiate") : SF_OK;
}

/* -- what it costs, and what would be faster -- */

/* ns, measured on an H100: a request and its result in words with numbers, of which the fence; what travels beside
   them; a round of the loop; a node behind another, and how much earlier it starts programmatic; a conditional. */
enum {
    SFI_RESIDENT_NS_WORDS = 4900, SFI_RESIDENT_NS_FENCE = 1600, SFI_RESIDENT_NS_BESIDE = 1200,
    SFI_RESIDENT_NS_TURN = 4000, SFI_RESIDENT_NS_NODE = 900, SFI_RESIDENT_NS_EARLY = 200,
    SFI_RESIDENT_NS_CONDITIONAL = 4300, SFI_RESIDENT_NS_SUBMIT_KIB = 100, SFI_RESIDENT_NS_RESULT_KIB = 40
};

/* Counts the kernels of an operator that could start early: those behind a kernel by a full edge. Walks from its last
   node back to what was before it, while each node has one predecessor. */
static void sfi_resident_walk(sfi_resident_op *op, uint32_t *steps)
{
    sf_graph_node *node = op->last;
    sf_node_type type, earlier;
    sf_dependency after;
    for (; node && node != op->before && *steps; node = after.node, --*steps) {
        int count = 0;
        if (sf_graph_node_get_dependencies(node, &after, 1, &count) < 0 || count != 1) { return; }
        if (sf_graph_node_get_type(node, &type) < 0 || sf_graph_node_get_type(after.node, &earlier) < 0) { return; }
        bool plain = type == SF_NODE_KERNEL && earlier == SF_NODE_KERNEL && after.type == SF_DEPENDENCY_FULL;
        bool outer = after.node == op->before;
        op->plain += plain && !(outer && op->joins);
        op->late += plain && !(outer && (op->joins || op->first));
    }
}
/* All that a prediction depends on. Advice says what it would be with one of it changed. */
typedef struct sfi_resident_cost {
    bool requests_in_line, results_in_line, unfenced, fused, measured, fast;
    int64_t passes, behind, late;            /* nodes that come after another one; kernels that start late of these */
} sfi_resident_cost;

static int64_t sfi_resident_marked(const sf_resident *r)     /* operators whose marks are in the loop's body itself */
{
    int64_t n = 0;
    for (uint32_t i = 0; i < r->op_count; i++) {
        n += r->ops[i]->branch == SFI_RESIDENT_NONE && (!r->handler || r->ops[i]->handler);
    }
    return n;
}
/* ns from submit to result, without the kernels' own time. */
static int64_t sfi_resident_time_of(const sf_resident *r, const sfi_resident_cost *c)
{
    int64_t ns = SFI_RESIDENT_NS_WORDS - (c->unfenced ? (int64_t)SFI_RESIDENT_NS_FENCE : 0);
    int64_t turn = SFI_RESIDENT_NS_TURN / c->passes, marks, early;
    if (r->source_count && !c->requests_in_line) {
        ns += SFI_RESIDENT_NS_BESIDE + (int64_t)(r->in_bytes / 1024) * SFI_RESIDENT_NS_SUBMIT_KIB;
    }
    if (r->sink_count && !c->results_in_line) { ns += (int64_t)(r->out_bytes / 1024) * SFI_RESIDENT_NS_RESULT_KIB; }
    if (c->fused) { return ns; }             /* across the bus alone */
    marks = r->desc.no_stages ? 0 : sfi_resident_marked(r);  /* these, and what they stand between, are not early */
    if (c->measured) { marks = c->behind; }
    early = sfi_resident_early(r) && c->behind > marks + c->late ? c->behind - marks - c->late : 0;
    ns += turn + c->behind * SFI_RESIDENT_NS_NODE - early * SFI_RESIDENT_NS_EARLY;
    ns += (int64_t)r->branch_count * SFI_RESIDENT_NS_CONDITIONAL;
    return r->handler ? ns + SFI_RESIDENT_NS_CONDITIONAL + turn : ns;
}
/* Adds one piece of advice, sorted by what it saves; none that saves nothing. `then`: the loop that follows it. */
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
    if (r->handler || r->branch_count || r->delayed) { return false; }
    for (uint32_t i = 0; i < r->port_count; i++) {
        if (r->ports[i]->field_count) { return false; }
    }
    for (uint32_t i = 0; i < r->op_count; i++) {
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
    uint32_t steps = r->nodes ? 65536 / r->nodes : 0, i;     /* each one reads all nodes */
    uint64_t plain = 0;
    sfi_resident_cost c;
    c.requests_in_line = r->image.line_words != 0;
    c.results_in_line = sfi_resident_results_in_line(r);
    c.unfenced = r->image.unfenced;
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

/* Calls the initialize hooks, all of them, or the start hooks, up to the first error. Returns the first error. */
static sf_result sfi_resident_run_hooks(sf_resident *r, sfi_resident_phase phase)
{
    const bool starts = phase == SFI_RESIDENT_START;
    sf_result result = SF_OK, first = SF_OK;
    r->phase = phase;
    for (uint32_t i = 0; i < r->op_count; i++) {
        sfi_resident_op *op = r->ops[i];
        sf_compute_func hook = starts ? op->is.start : op->is.initialize;
        if (hook) { result = sfi_resident_call_hook(r, op, hook, NULL, 0, starts ? "start" : "initialize"); }
        if (result < 0 && first >= 0) { first = result; }
        if (result < 0 && starts) { break; }
        op->started = starts;
    }
    return first;
}
static sf_result sfi_resident_open_streams(sf_resident *r)
{
    const uint32_t named = r->on_host ? 0 : (uint32_t)SF_STREAM_PROGRAMMATIC;        /* captured nodes get names */
    sf_result result = sf_device_stay(r->device);    /* makes room now: later, loops of others may run */
    if (result == SF_OK) { (void)sf_device_leave(r->device); }
    if (result >= 0) { result = sfi_resident_make_stream(r, r->name, named, true, r->desc.partition, &r->run); }
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}
/* Measures how far the device's clock is from the host's: the shortest of 8 questions to a kernel counts. The first
   answer may take long. */
static sf_result sfi_resident_set_clock(sf_resident *r)
{
    sfi_resident_mail *mail = r->mail;
    int64_t best = INT64_MAX, before, now;
    sf_result result = sfi_resident_enqueue(r, r->run, SFI_RESIDENT_CLOCK_KERNEL, sfi_resident_new_args(r));
    for (uint64_t i = 1; i <= 8 && result >= 0; i++) {
        int64_t patience = i > 1 ? SF_MS(100) : SFI_RESIDENT_PATIENCE;
        before = now = sf_flow_now(NULL);
        sfi_resident_store(&mail->submit[0].value, i);
        while (sfi_resident_load(&mail->board.done) < i && now - before < patience) { now = sf_flow_now(NULL); }
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
/* All checks. Those that need what an earlier one has found are left out after an error. */
static sf_result sfi_resident_check_all(sf_resident *r)
{
    if (!r->op_count) {
        (void)SFI_REJECT(r, SF_ERROR_INVALID_VALUE, r->name, "there is no operator: sf_resident_add() one");
    }
    if (r->op_count > SFI_RESIDENT_OPS && (!r->desc.no_stages || r->desc.measure_operators || r->desc.fused)) {
        (void)SFI_REJECT(r, SF_ERROR_NOT_SUPPORTED, r->name, "the heartbeat tells 65533 operators apart, and there "
                         "are more: set sf_resident_desc.no_stages and do not measure them, or do more in each");
    }
    if (r->desc.partition && !r->desc.fused && !sfi_resident_bodies_take_partitions(r)) {
        sfi_resident_reject_partition(r, NULL, r->place);
    }
    sfi_resident_mark_handler(r);
    for (uint32_t i = 0; i < r->op_count; i++) { sfi_resident_check_op(r, r->ops[i]); }
    for (uint32_t i = 0; i < r->port_count; i++) { sfi_resident_check_port(r, r->ports[i]); }
    if (r->build_error >= 0) { sfi_resident_agree_all(r); }
    if (r->build_error >= 0) { sfi_resident_check_predicates(r); }
    sfi_resident_find_ends(r);
    if (r->build_error >= 0) { (void)sfi_resident_fail_build(r, sfi_resident_nest(r)); }
    if (r->build_error >= 0 && r->desc.fused) { (void)sfi_resident_fail_build(r, sfi_resident_check_fused(r)); }
    return r->build_error;
}
/* Loads the fused kernel: a load beside another loop would wait for its end. */
static sf_result sfi_resident_load_fused(sf_resident *r)
{
    sfi_resident_args a = sfi_resident_new_args(r);
    sf_result result = sf_kernel_preload(r->device, r->desc.fused, &a, sizeof a);
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}
static sf_result sfi_resident_load_kernels(sf_resident *r);
static sf_result sfi_resident_build(sf_resident *r)
{
    sfi_resident_order order;
    sf_result result = r->build_error;
    memset(&order, 0, sizeof order);
    if (r->device && result >= 0) { result = sfi_resident_run_hooks(r, SFI_RESIDENT_INITIALIZE); }
    r->phase = SFI_RESIDENT_STOP_HOOK;
    (void)sfi_resident_fail_build(r, result);
    if (!r->device) { return r->build_error; }
    result = sfi_resident_check_all(r);
    if (result >= 0) { result = sfi_resident_sort(r, &order); }
    if (result >= 0) { result = sfi_resident_choose_loop(r); }
    if (result >= 0) { result = sfi_resident_make_ports(r); }
    if (result >= 0) { result = sfi_resident_open_streams(r); }
    if (result >= 0) {
        result = sfi_resident_alloc(r, sfi_resident_lay_rings, SF_MEMORY_PINNED, &r->pinned, &r->pinned_bytes);
    }
    if (result >= 0) { result = sfi_resident_make_device(r); }
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
    return sfi_resident_fail_build(r, result);
}
static sf_result sfi_resident_reentrant(sf_resident *r, const char *call)
{
    return SFI_REFUSE(r, SF_ERROR_REENTRANT, r->name, call,
                      "a compute or hook of its own is at work: call when that has returned");
}
SF_API sf_result sf_resident_build(sf_resident *r)
{
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (r->inside) { return sfi_resident_reentrant(r, "sf_resident_build"); }
    if (sfi_resident_is_built(r)) { return SF_OK; }
    if (r->phase != SFI_RESIDENT_ADDING) { return r->build_error; }
    sf_result result = sfi_resident_build(r);
    if (result >= 0) { sfi_resident_store32(&r->state, SF_RESIDENT_BUILT); }
    return result;
}

/* >>running ------------------------------------------------------------------------------------------- */

/* From the launch to the end. Default: any thread; takes nothing from the loop's heap. Launches, stops and ends are
   recorded under `settling`: functions that need it say so. What polls the state reads the clock, asks the device,
   and records and logs an end or a stall; an end gives back what the launch has taken of the device. Calls that wait
   poll: each step notices an end or a stall. Functions about records and counters are local. */

/* -- records: the n-th result of a ring is in record n and in slot n - 1 -- */

static const uint64_t *sfi_resident_entry_of(const sf_resident *r, uint64_t n)
{
    return r->image.records[(n - 1) & r->image.record_mask].words;
}
/* 0: the n-th record is there, whole. 1: a later one is in its place; -1: an earlier one, or not all of it. */
static int sfi_resident_age(const sf_resident *r, uint64_t n)
{
    const uint64_t *words = sfi_resident_entry_of(r, n);
    for (uint32_t i = 0; i < (SFI_MUTANT(half_a_line) ? 1 : r->image.record_words); i++) {
        uint64_t word = sfi_resident_load(&words[i]);
        if (!sfi_resident_is_of(word, n)) { return (int32_t)((uint32_t)word - (uint32_t)n) > 0 ? 1 : -1; }
    }
    return 0;
}
/* How many results there are. The loop's count is a hint: nothing orders it with the words of records, so the last
   records may be late, or more of them may be there. */
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
/* Reads the n-th record. False: not all of it is there, or a later one is in its place. */
static bool sfi_resident_read_record(const sf_resident *r, uint64_t n, sfi_resident_record *to)
{
    const uint64_t *from = sfi_resident_entry_of(r, n);
    bool whole = !SFI_MUTANT(half_a_line) && !sfi_resident_age(r, n);
    for (uint32_t i = 0; i < SFI_RESIDENT_RECORD / 2; i++) {
        uint64_t low = sfi_resident_load(&from[2 * i]), high = sfi_resident_load(&from[2 * i + 1]);
        whole = whole && sfi_resident_is_of(low, n) && sfi_resident_is_of(high, n);
        (&to->sequence)[i] = sfi_resident_join(low, high);
    }
    return whole || SFI_MUTANT(half_a_line);
}
/* Reads the newest record, again if the loop overwrites it meanwhile; zeros: none. Returns how many there are. */
static uint64_t sfi_resident_last_record(const sf_resident *r, sfi_resident_record *to)
{
    uint64_t n;
    do {
        n = sfi_resident_completed(r);
        memset(to, 0, sizeof *to);
    } while (n && !sfi_resident_read_record(r, n, to));
    return n;
}
/* The last request that the loop is done with: that of the newest result, or one that a stop has dropped. */
static uint64_t sfi_resident_done(const sf_resident *r)
{
    uint64_t done = sfi_resident_load(&r->mail->board.end_done);
    sfi_resident_record newest;
    (void)sfi_resident_last_record(r, &newest);
    return newest.sequence > done ? newest.sequence : done;
}
/* How many requests of a source the loop has taken: their slots are free. */
static uint64_t sfi_resident_used(const sf_resident *r, const sfi_resident_op *op)
{
    return r->image.any ? sfi_resident_load(&r->mail->board.taken[op->source.index]) : sfi_resident_done(r);
}
/* The sequence that the host knows a request by; with DROP_NEWEST they differ. */
static uint64_t sfi_resident_sequence_of(const sf_resident *r, uint64_t request)
{
    const sfi_resident_ring *ring = r->source_count ? &r->sources[0]->source : NULL;
    return ring && ring->names && !r->image.any ? sfi_resident_load(&ring->names[request % (4 * r->desc.slots)])
                                                 : request;
}

/* -- the state -- */

static uint32_t sfi_resident_queues(const sf_resident *r) { return r->desc.fused ? 1 : 2; }  /* of the device */
/* Gives back what sfi_resident_stay() has taken of the device. `settling` held, or the loop is destroyed. */
static void sfi_resident_leave(sf_resident *r)
{
    sfi_resident_store32(&r->stays, 0);
    for (uint32_t n = sfi_resident_queues(r); n > 0; n--) { (void)sf_device_leave(r->device); }
}
/* Whether the loop's stream is at its end: SF_OK, SF_NOT_READY, or a fault. timeout < 0: does not wait. Relaxed
   capture mode allows the query while other threads capture. */
static sf_result sfi_resident_query(sf_resident *r, int64_t timeout)
{
    sf_capture_mode mode = SF_CAPTURE_RELAXED;
    sf_result result = sf_thread_exchange_stream_capture_mode(&mode);
    if (result < 0) { return result; }
    result = timeout < 0 ? sf_stream_query(r->run) : sf_stream_synchronize(r->run, timeout);
    (void)sf_thread_exchange_stream_capture_mode(&mode);
    return result == SF_TIMEOUT ? SF_NOT_READY : result;
}
static bool sfi_resident_has_space(const sf_resident *r, uint64_t completed)         /* in each ring of results */
{
    for (uint32_t t = 0; t < r->sink_count; t++) {
        if (completed - sfi_resident_load(&r->mail->consumed[t].value) >= r->desc.slots) { return false; }
    }
    return true;
}
static const sfi_resident_op *sfi_resident_op_at(const sf_resident *r, uint64_t stage)      /* NULL: of none */
{
    uint32_t op = (uint32_t)(stage & 0xffff) - SFI_RESIDENT_STAGE_OP;
    return op < r->op_count ? r->ops[op] : NULL;
}
/* With a handler: whether a mark waits for requests of the sources behind the handler, or for room for results. */
static bool sfi_resident_waits_for_host(const sf_resident *r)
{
    uint32_t s, lacking = 0;
    for (s = 0; s < r->source_count; s++) {
        uint64_t count = sfi_resident_load(&r->mail->submit[s].value) & SFI_RESIDENT_COUNT;
        lacking += count <= sfi_resident_used(r, r->sources[s]);
    }
    return !sfi_resident_has_space(r, sfi_resident_completed(r)) ||
           (lacking && (!r->image.any || lacking == r->source_count));
}
/* Whether the loop has something to do, so that a heartbeat is due: an iteration is under way, by `began` or by the
   stage of an operator; a request waits, with room for its result; or the handler runs. */
static bool sfi_resident_is_inside(const sf_resident *r)
{
    const sfi_resident_board *board = &r->mail->board;
    sfi_resident_record rec;
    uint64_t completed = sfi_resident_last_record(r, &rec), done = sfi_resident_done(r);
    uint64_t stage = sfi_resident_load(&board->stage);
    const sfi_resident_op *op = sfi_resident_op_at(r, stage);
    if (sfi_resident_load(&board->began) > done) { return true; }
    if (op && op->handler) { return !sfi_resident_waits_for_host(r); }
    if (op && (uint32_t)(stage >> 16) > (uint32_t)(rec.fresh >> 32)) { return true; }
    return r->image.quick && sfi_resident_has_space(r, completed) &&
           (sfi_resident_load(&r->mail->submit[0].value) & SFI_RESIDENT_COUNT) > done;
}
/* The name for people of a stage: an operator, "work" or "wait". */
static const char *sfi_resident_stage_name(const sf_resident *r, uint64_t stage)
{
    const sfi_resident_op *op = sfi_resident_op_at(r, stage);
    bool inside = sfi_resident_is_inside(r);
    if (op && (inside || op->handler)) { return op->name; }
    if (inside && r->op_count == 1) { return r->ops[0]->name; }
    return inside ? "work" : "wait";
}
/* Records a raise; the sentence for the log is in `later`. `settling` held. */
static sf_result sfi_resident_was_raised(sf_resident *r, sf_result code, char later[SFI_RESIDENT_TEXT])
{
    sfi_resident_record rec;
    if (code == SF_ERROR_MISMATCH && r->desc.fused && !sfi_resident_load(&r->mail->board.began) &&
        !sfi_resident_load(&r->mail->board.raised_at)) {
        sfi_resident_store32(&r->raised_by, 0);
        return SFI_FAIL_LATER(r, later, code, "", "sf_resident_launch", "SF_RESIDENT_FUSED() has not as many "
                              "functions as operators were added: one for each, in order");
    }
    if (sfi_resident_last_record(r, &rec) <= r->old_results) { memset(&rec, 0, sizeof rec); }
    bool inside = (sf_result)(int32_t)(uint32_t)rec.status == code;
    uint64_t note = sfi_resident_load(&r->mail->board.raised_at);    /* the stage of sf_resident_raise() */
    const sfi_resident_op *op = sfi_resident_op_at(r, note >> 1);
    uint32_t by = inside && r->op_count == 1 ? 1 : op && (note & 1 || op->handler) ? op->index + 1 : 0;
    sfi_resident_store32(&r->raised_by, by);
    return SFI_FAIL_LATER(r, later, code, by ? r->ops[by - 1]->name : "", "sf_resident_raise", inside
                          ? "the loop was ended with code %d, %s, in iteration %l: sf_resident_launch() goes on"
                          : "the loop was ended with code %d, %s: sf_resident_launch() goes on", (int)code,
                          sf_result_string(code), (int64_t)sfi_resident_sequence_of(r, rec.sequence));
}
static bool sfi_resident_says_ended(const sf_resident *r)    /* the loop itself, of its last launch */
{
    return sfi_resident_load(&r->mail->board.ended) == sfi_resident_load(&r->launches);
}
/* Records how a run ended; result: of its stream. `settling` held. The logger is called last, when the state is set:
   it may wait for the end, or stop once more. */
static void sfi_resident_ended(sf_resident *r, sf_result result, const char *call)
{
    char later[SFI_RESIDENT_TEXT];
    sf_result outcome;
    const char *where = sfi_resident_stage_name(r, sfi_resident_load(&r->mail->board.stage));
    if (result >= 0 && !sfi_resident_says_ended(r)) {
        result = SF_ERROR_LAUNCH_FAILED;     /* its stream is at its end, but it has not come to its own */
        outcome = SFI_FAIL_LATER(r, later, result, where, call, "the device had a fault, and was reset before "
                                 "anybody looked: destroy it, and make another");
    } else if (result < 0) {                 /* the device's sentence names the kernel */
        const sf_failure *f = sf_device_failure(r->device);
        outcome = SFI_FAIL_LATER(r, later, result, where, call, "the loop failed on the device, %s: destroy it%s",
                                 f->result == result ? f->text : sf_result_string(result), !r->on_host
                                 ? "; CUDA gives the device back to a new process only" : r->own_device
                                 ? ", and make another" : ", sf_device_reset(), and make another");
    } else {
        outcome = (sf_result)(int32_t)(uint32_t)sfi_resident_load(&r->mail->board.error);
        if (outcome < 0) { outcome = sfi_resident_was_raised(r, outcome, later); }
    }
    if (outcome < 0) { sfi_resident_store32(&r->outcome, (uint32_t)(int32_t)outcome); }
    sfi_resident_store32(&r->state, result < 0 ? SF_RESIDENT_FAULTED : SF_RESIDENT_STOPPED);
    sfi_resident_leave(r);
    if (outcome < 0) { sfi_resident_log(r, 1, outcome, later); }
}
/* Takes the lock `settling`, or returns false after `timeout`: its owner may call the logger, or launch. */
static bool sfi_resident_begin_settling(sf_resident *r, int64_t timeout)
{
    int64_t began = timeout ? sf_flow_now(NULL) : 0;
    bool held;
    do {
        held = sfi_resident_swap32(&r->settling, 0, 1);
    } while (!held && timeout && sf_flow_now(NULL) - began < timeout);
    return held;
}
static void sfi_resident_end_settling(sf_resident *r) { sfi_resident_store32(&r->settling, 0); }
static bool sfi_resident_is_on(const sf_resident *r)
{
    uint32_t state = sfi_resident_state_of(r);
    return state == SF_RESIDENT_RUNNING || state == SF_RESIDENT_STOPPING;
}
/* Notices that the loop has ended, and records how. It asks the driver when the loop says so, else each millisecond.
   Takes `settling` if it is free: another thread that has it records the end. */
static void sfi_resident_poll_end(sf_resident *r, int64_t now, const char *call)
{
    if (!r->on_host && !sfi_resident_says_ended(r) && (uint64_t)now - sfi_resident_load(&r->queried) < 1000000) {
        return;
    }
    if (!sfi_resident_begin_settling(r, 0)) { return; }
    if (sfi_resident_is_on(r)) {
        sfi_resident_store(&r->queried, (uint64_t)now);
        sf_result result = sfi_resident_query(r, -1);
        if (result != SF_NOT_READY && result != SF_ERROR_NOT_PERMITTED) { sfi_resident_ended(r, result, call); }
    }
    sfi_resident_end_settling(r);
}
/* A value that changes when the loop enters a stage or publishes. */
static uint64_t sfi_resident_signs_of_life(const sf_resident *r)
{
    const sfi_resident_board *board = &r->mail->board;
    return sfi_resident_load(&board->stage) ^ sfi_resident_load(&board->completed) << 48;
}
/* Notices a stall: something to do, and no heartbeat for stall_timeout. Takes `settling` if it is free. */
static void sfi_resident_poll_stall(sf_resident *r, int64_t now, const char *call)
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
        char later[SFI_RESIDENT_TEXT];
        (void)SFI_FAIL_LATER(r, later, SF_ERROR_STALLED, sfi_resident_stage_name(r, stage), call, "no progress for "
                             "%l %s (sf_resident_desc.stall_timeout): destroy it, and make another",
                             us < 1000 ? us : us / 1000, us < 1000 ? "us" : "ms");
        sfi_resident_store32(&r->outcome, (uint32_t)(int32_t)SF_ERROR_STALLED);
        for (uint32_t s = 0; s < SFI_RESIDENT_ENDS; s++) {   /* if it ever goes on it ends */
            sfi_resident_set_bits(sfi_resident_stop_word(r, s), ~SFI_RESIDENT_COUNT, true);
        }
        sfi_resident_store32(&r->state, SF_RESIDENT_FAULTED);
        sfi_resident_log(r, 1, SF_ERROR_STALLED, later);
    }
    sfi_resident_end_settling(r);
}
/* Notices an end or a stall of a loop that runs. It may call the logger. */
static void sfi_resident_poll_state(sf_resident *r, const char *call)
{
    if (!sfi_resident_is_on(r)) { return; }
    int64_t now = sf_flow_now(NULL);
    sfi_resident_poll_end(r, now, call);
    if (sfi_resident_is_on(r) && !SFI_MUTANT(stall_timeout)) { sfi_resident_poll_stall(r, now, call); }
}
/* One step of a call that waits. It returns at once in the first 200 us on a GPU, then waits on the stream for at
   most 50 us. SF_OK: poll again. SF_TIMEOUT: `timeout` ns since `began` are over. */
static sf_result sfi_resident_pause(sf_resident *r, int64_t began, int64_t timeout, const char *call)
{
    sfi_resident_poll_state(r, call);
    int64_t now = sf_flow_now(NULL);
    int64_t left = timeout < 0 ? SF_MS(1) : timeout - (now - began);
    if (left <= 0) { return SF_TIMEOUT; }
    if (!sfi_resident_is_on(r) || (!r->on_host && now - began < SF_US(200))) { return SF_OK; }
    sf_result result = sfi_resident_query(r, left < SF_US(50) ? left : SF_US(50));
    return result == SF_ERROR_NOT_PERMITTED ? result : SF_OK;
}
/* What a writer or reader returns when the loop does not run. A stop is how both are to end: logged, no failure. */
static sf_result sfi_resident_not_on(sf_resident *r, const char *where, const char *call)
{
    uint32_t state = sfi_resident_state_of(r);
    const char *why = state == SF_RESIDENT_STOPPING ? "it is being stopped" : "it has ended: launch it again";
    if (state == SF_RESIDENT_FAULTED) { return sfi_resident_outcome(r); }
    if (state <= SF_RESIDENT_BUILT) { why = "it is not launched yet: sf_resident_launch()"; }
    bool refused = state <= SF_RESIDENT_BUILT || sfi_resident_outcome(r) < 0;
    return sfi_resident_say(r, refused ? SFI_RESIDENT_REFUSES : SFI_RESIDENT_NOTES, NULL, SF_ERROR_ILLEGAL_STATE,
                            where, call, "%s", why);
}

/* -- launch -- */

static int64_t sfi_resident_times(int64_t n, int64_t unit) { return n < INT64_MAX / unit ? n * unit : INT64_MAX; }
/* Fills in the settings that the loop reads when it starts. `settling` held. */
static void sfi_resident_set_up(sf_resident *r)
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
/* Sets the words and counters that a launch begins with. `settling` held, the epoch begun. */
static void sfi_resident_reset(sf_resident *r)
{
    uint64_t completed = sfi_resident_completed(r);
    r->old_results = completed;
    for (uint32_t s = 0; s < SFI_RESIDENT_ENDS; s++) {
        SFI_RESIDENT_STEP("launch");
        sfi_resident_set_bits(sfi_resident_stop_word(r, s), ~SFI_RESIDENT_COUNT, false);
    }
    for (uint32_t s = 0; s < r->source_count; s++) {
        sfi_resident_ring *ring = &r->sources[s]->source;
        sfi_resident_store(&ring->next, sfi_resident_load(&r->mail->submit[s].value) & SFI_RESIDENT_COUNT);
        sfi_resident_store(&ring->acquired, 0);
    }
    for (uint32_t s = 0; s < r->sink_count; s++) {   /* results not read are gone; a read under way fails */
        sfi_resident_ring *ring = &r->sinks[s]->sink;
        sfi_resident_store(&ring->lent, completed);
        sfi_resident_store(&ring->next, completed);
        sfi_resident_store(&r->mail->consumed[s].value, completed);
        SFI_RESIDENT_STEP("launch ring");
        for (uint32_t slot = 0; slot < r->desc.slots; slot++) { sfi_resident_store32(&ring->out[slot], 0); }
    }
}
/* Reserves the device's queues and keeps the device open. SF_BUSY: other loops have them. `settling` held. */
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
/* Begins the epoch of a launch: submissions that were meant for an earlier one do not count in it. Waits, for at most
   a second, until no thread changes counters; none may then, until `holders` is opened. `settling` held. */
static bool sfi_resident_begin_epoch(sf_resident *r)
{
    int64_t began = sf_flow_now(NULL);
    (void)sfi_resident_add(&r->epoch, 1);
    while (!sfi_resident_swap32(&r->holders, 0, SFI_RESIDENT_CLOSED)) {
        if (sf_flow_now(NULL) - began > SF_MS(1000)) { return false; }
    }
    return true;
}
/* Launches a loop that is built, or has stopped. An error leaves it as it was, or BUILT. `settling` held. */
static sf_result sfi_resident_start(sf_resident *r)
{
    sfi_resident_args a = sfi_resident_new_args(r);
    sf_result result = sfi_resident_stay(r);
    if (result != SF_OK) {
        return SFI_REFUSE(r, result, r->name, "sf_resident_launch", "%s", sf_device_failure(r->device)->text);
    }
    if (!sfi_resident_begin_epoch(r)) {
        sfi_resident_leave(r);
        return SFI_REFUSE(r, SF_BUSY, r->name, "sf_resident_launch",
                          "another thread submits or releases a slot of the run before: call again");
    }
    sfi_resident_store32(&r->outcome, SF_OK);
    sfi_resident_lock(&r->failing);
    memset(&r->failure, 0, sizeof r->failure);
    r->failure.where = r->failure.call = r->failure.text = "";
    sfi_resident_store32(&r->failing, 0);
    sfi_resident_reset(r);
    (void)sfi_resident_add(&r->holders, 0 - (uint32_t)SFI_RESIDENT_CLOSED);  /* threads may change counters again */
    sfi_resident_store(&r->launches, r->launches + 1);
    sfi_resident_set_up(r);
    SFI_RESIDENT_STEP("launch");
    sfi_resident_store(&r->mail->board.raised_at, 0);
    sfi_resident_store(&r->watched, UINT64_MAX);
    sfi_resident_store(&r->queried, (uint64_t)sf_flow_now(NULL));
    sfi_resident_store32(&r->state, SF_RESIDENT_RUNNING);
    result = r->desc.fused ? sf_launch(r->run, r->desc.fused, &a, sizeof a) : sf_graph_launch(r->exec, r->run);
    if (result >= 0) { return SF_OK; }
    sfi_resident_store(&r->launches, r->launches - 1);
    sfi_resident_store32(&r->state, SF_RESIDENT_BUILT);
    sfi_resident_leave(r);
    return sfi_resident_device_failed(r, result, r->name, "sf_resident_launch");
}
SF_API sf_result sf_resident_launch(sf_resident *r)
{
    sf_result result = sf_resident_build(r);
    if (result < 0) { return result; }
    sfi_resident_poll_state(r, "sf_resident_launch");
    if (!sfi_resident_begin_settling(r, SF_MS(1000))) {
        return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, r->name, "sf_resident_launch", "a logger is being told of its "
                          "end, or another thread launches it: call when that has returned");
    }
    uint32_t state = sfi_resident_state_of(r);
    result = state == SF_RESIDENT_BUILT || state == SF_RESIDENT_STOPPED ? sfi_resident_start(r)
                                                                        : SF_ERROR_ILLEGAL_STATE;
    sfi_resident_end_settling(r);
    if (result == SF_ERROR_ILLEGAL_STATE) {
        return SFI_REFUSE(r, result, r->name, "sf_resident_launch", state == SF_RESIDENT_FAULTED
                          ? "it has failed: destroy it, and make a new one" : state == SF_RESIDENT_STOPPING
                          ? "it is still being stopped: sf_resident_wait()" : "it is running");
    }
    return result;
}

SF_API bool sf_resident_is_launched(const sf_resident *resident)
{
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    if (!sfi_resident_is(r) || !sfi_resident_is_built(r)) { return false; }
    sfi_resident_poll_state(r, "sf_resident_is_launched");
    bool stalled = sfi_resident_state_of(r) == SF_RESIDENT_FAULTED && sfi_resident_load32(&r->stays);
    return stalled ? sfi_resident_query(r, -1) == SF_NOT_READY : sfi_resident_is_on(r);
}
static uint32_t sfi_resident_state_now(sf_resident *r)       /* notices an end or a stall first */
{
    sfi_resident_poll_state(r, "sf_resident_get_state");
    return sfi_resident_state_of(r);
}
SF_API sf_resident_state sf_resident_get_state(const sf_resident *resident)
{
    if (!sfi_resident_is(resident)) { return SF_RESIDENT_NEW; }
    return (sf_resident_state)sfi_resident_state_now((sf_resident *)(uintptr_t)resident);
}
/* Waits until the loop has ended, or stalled. SF_OK: it has. */
static sf_result sfi_resident_wait_end(sf_resident *r, int64_t timeout, const char *call)
{
    int64_t began = sf_flow_now(NULL);
    sf_result result = SF_OK;
    while (result == SF_OK && sfi_resident_is_on(r)) { result = sfi_resident_pause(r, began, timeout, call); }
    if (result == SF_TIMEOUT && !sfi_resident_is_on(r)) { result = SF_OK; }
    return result;
}
static void sfi_resident_ask_to_stop(sf_resident *r, bool drain)
{
    uint64_t bits = SFI_RESIDENT_DRAIN | (drain ? 0 : SFI_RESIDENT_ABORT);
    /* Else a launch could get half of it. Without the lock in time it goes on: each store is atomic. */
    bool held = sfi_resident_begin_settling(r, SF_MS(1));
    (void)sfi_resident_swap32(&r->state, SF_RESIDENT_RUNNING, SF_RESIDENT_STOPPING);
    for (uint32_t s = 0; s < SFI_RESIDENT_ENDS && sfi_resident_state_of(r) == SF_RESIDENT_STOPPING; s++) {
        SFI_RESIDENT_STEP("stop");
        sfi_resident_set_bits(sfi_resident_stop_word(r, s), bits, true);
    }
    if (held) { sfi_resident_end_settling(r); }              /* else another thread says how it ended */
}
SF_API sf_result sf_resident_tear_down(sf_resident *r, bool drain, int64_t timeout)
{
    sf_result result = SF_OK;
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_resident_state_of(r) <= SF_RESIDENT_BUILT) { return SF_IGNORED; }
    sfi_resident_poll_state(r, "sf_resident_tear_down");
    if (sfi_resident_is_on(r)) {
        sfi_resident_ask_to_stop(r, drain);
        result = sfi_resident_wait_end(r, timeout, "sf_resident_tear_down");
    }
    if (result != SF_OK) { return result; }
    return sfi_resident_state_of(r) == SF_RESIDENT_FAULTED ? sfi_resident_outcome(r) : SF_OK;
}
SF_API sf_result sf_resident_wait(sf_resident *r, int64_t timeout)
{
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_resident_state_of(r) <= SF_RESIDENT_BUILT) { return SF_IGNORED; }
    sf_result result = sfi_resident_wait_end(r, timeout, "sf_resident_wait");
    return result != SF_OK ? result : sfi_resident_outcome(r);
}

/* Frees what the build has made of the device, and calls the stop hooks. Nothing of the loop runs any more. */
static void sfi_resident_release_all(sf_resident *r)
{
    int k;
    for (k = 0; k < SFI_RESIDENT_ENDS; k++) {                /* a compute that ended the capture has launched work */
        if (r->capture[k]) { (void)sf_stream_synchronize(r->capture[k], SF_MS(1000)); }
    }
    for (uint32_t i = 0; i < r->op_count; i++) {
        if (r->ops[i]->stream) { (void)sf_stream_synchronize(r->ops[i]->stream, SF_MS(1000)); }
    }
    if (r->exec) { (void)sf_graph_exec_destroy(r->exec); }
    if (r->graph) { (void)sf_graph_destroy(r->graph); }
    r->phase = SFI_RESIDENT_STOP_HOOK;
    for (uint32_t i = r->op_count; i-- > 0;) {        /* when nothing of theirs runs any more */
        sfi_resident_op *op = r->ops[i];
        if (op->started && op->is.stop) { (void)sfi_resident_call_hook(r, op, op->is.stop, NULL, 0, "stop"); }
    }
    if (r->module) { (void)sf_module_unload(r->module); }
    for (k = 0; k < SFI_RESIDENT_ENDS; k++) {
        if (r->capture[k]) { (void)sf_stream_destroy(r->capture[k]); }
    }
    for (uint32_t i = 0; i < r->op_count; i++) {
        if (r->ops[i]->stream) { (void)sf_stream_destroy(r->ops[i]->stream); }
    }
    if (r->run) { (void)sf_stream_destroy(r->run); }
    if (r->pinned) { (void)sf_mem_free(r->device, r->pinned); }
    if (r->device_memory) { (void)sf_mem_free(r->device, r->device_memory); }
    if (r->control) { (void)sf_mem_free(r->device, r->control); }
}
SF_API sf_result sf_resident_destroy(sf_resident *r)
{
    sf_result result = SF_OK, first;
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (r->inside) { return sfi_resident_reentrant(r, "sf_resident_destroy"); }
    int64_t patience = r->desc.stall_timeout;
    patience = patience < INT64_MAX - SF_MS(1000) ? patience + SF_MS(1000) : INT64_MAX;
    if (sfi_resident_state_of(r) > SF_RESIDENT_BUILT) {
        sf_result stopped;
        int64_t began;
        uint64_t signs;
        uint32_t passes = r->passes;                  /* that are left, maybe, and give no sign */
        do {
            signs = sfi_resident_signs_of_life(r);
            began = sf_flow_now(NULL);
            stopped = sf_resident_tear_down(r, false, patience);
        } while (stopped == SF_TIMEOUT && sfi_resident_is_on(r) &&
                 (sfi_resident_signs_of_life(r) != signs || passes-- > 1));
        if (sfi_resident_load32(&r->stays)) {         /* stalled: does it end all the same? */
            int64_t left = patience - (sf_flow_now(NULL) - began);
            result = sfi_resident_query(r, left > 0 ? left : 0);
            if (result != SF_NOT_READY) { sfi_resident_leave(r); }
        }
    }
    r->tag = 0;
    if (result == SF_NOT_READY) { return SF_TIMEOUT; }       /* what still runs uses all of this: it is leaked */
    sfi_resident_release_all(r);
    first = r->first_error;
    if (r->own_device) {
        result = sf_device_close(r->device, SF_MS(1000));
        if (first >= 0 && result != SF_OK) { first = result; }
    }
    sfi_resident_free_all(r);
    return first;
}

/* >>rings --------------------------------------------------------------------------------------------- */

/* Slots of requests and results. Default: each source has one writer, each sink one reader; others may launch and
   stop. No lock is held. Changes words of rings, reads the clock; a refusal is stored and logged, and a call that
   waits or finds nothing polls the state, as >>running. A submit or release holds the launch off (hold_any); a read
   notices one as it swaps `lent`. */

/* The source (side 0) or sink of a call; NULL: none, and *result is an error that was recorded. */
static sfi_resident_op *sfi_resident_end_of(sf_resident *r, sf_op id, int side, const char *call, sf_result *result)
{
    *result = sfi_resident_is(r) ? SF_OK : SF_ERROR_INVALID_HANDLE;
    if (*result < 0) { return NULL; }
    sfi_resident_op *op = sfi_resident_find(r, id);
    if (!op) {
        *result = SFI_REFUSE(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, id.id ? "no such operator"
                             : "there is no operator 0: a slot that is not lent, or was released, has it");
    } else if (sfi_resident_is_built(r) && !(side ? op->sink.is : op->source.is)) {
        *result = SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, op->name, call, "it has no external %s: set sf_port.external",
                             side ? "output" : "input");
    }
    return *result < 0 ? NULL : op;
}
static void sfi_resident_fill(const sf_resident *r, const sfi_resident_op *op, int side, uint64_t slot,
                              sf_resident_slot *to)
{
    memset(to, 0, sizeof *to);
    to->op = sfi_resident_id(r, op);
    for (int k = 0; k < op->count[side]; k++) {
        const sfi_resident_port *p = op->ports[side][k];
        if (p->is.external) { to->data[k] = p->ring + slot * p->stride; }
    }
}
static uint64_t sfi_resident_in_slot(const sf_resident *r, uint64_t request)
{
    return (request - 1) % r->image.in_slots;
}
/* A thread that changes a ring's counters holds the next launch off, for some stores. False, and nothing is held: a
   launch sets the counters right now; with `epoch`, which is the launch that a feeder's copy is for: that is over. */
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
/* Whether copies of a source's feeder for an earlier launch are under way: until they end no slot is lent. */
static bool sfi_resident_has_late_copies(const sf_resident *r, const sfi_resident_op *op)
{
    const sfi_resident_bridge *b = op->feeder;
    return b && sfi_resident_load32(&b->copying) && sfi_resident_load32(&b->epoch) != sfi_resident_load32(&r->epoch);
}
/* Whether the slot of a request is free. The count of taken ones only grows: what was read last is mostly enough. */
static bool sfi_resident_is_free(const sf_resident *r, sfi_resident_op *op, uint64_t request, uint64_t slots)
{
    uint64_t used = sfi_resident_load(&op->source.used);
    if (request - used <= slots) { return true; }
    used = sfi_resident_used(r, op);
    sfi_resident_store(&op->source.used, used);
    return request - used <= slots;
}

SF_API sf_result sf_resident_acquire(sf_resident *r, sf_op source, int64_t timeout, sf_resident_slot *slot)
{
    static const char call[] = "sf_resident_acquire";
    sf_result result;
    sfi_resident_op *op = sfi_resident_end_of(r, source, 0, call, &result);
    uint64_t request;
    int64_t began = timeout > 0 ? sf_flow_now(NULL) : 0;
    if (!op) { return result; }
    if (!slot) { return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, op->name, call, "the slot is NULL"); }
    sfi_resident_ring *ring = &op->source;
    if (r->desc.overflow == SF_OVERFLOW_ERROR) { timeout = 0; }
    for (;;) {                               /* polls once more when time is over */
        if (sfi_resident_state_of(r) != SF_RESIDENT_RUNNING) { return sfi_resident_not_on(r, op->name, call); }
        request = sfi_resident_load(&ring->next) + 1;
        bool is_free = r->desc.overflow == SF_OVERFLOW_DROP_NEWEST ||        /* submit drops what has no room */
                       sfi_resident_is_free(r, op, request, r->desc.slots + SFI_MUTANT(input_room));
        if (is_free && !sfi_resident_has_late_copies(r, op)) { break; }      /* which still write there */
        if (result == SF_TIMEOUT) { return timeout == 0 ? SF_BUSY : SF_TIMEOUT; }
        result = sfi_resident_pause(r, began, timeout, call);
        if (result != SF_OK && result != SF_TIMEOUT) { return result; }
    }
    sfi_resident_fill(r, op, 0, sfi_resident_in_slot(r, request), slot);
    slot->sequence = request + ring->dropped;
    sfi_resident_store(&ring->acquired, slot->sequence);
    if (SFI_MUTANT(submit_order) && !r->image.line_words) { r->mail->submit[ring->index].value++; }
    return SF_OK;
}

/* Writes the numbered words of a small request, which is counted already, from its slot. */
static void sfi_resident_send(sf_resident *r, const sfi_resident_op *op, uint64_t request)
{
    uint64_t slot = sfi_resident_in_slot(r, request), *words = r->requests[slot].words;
    uint64_t when = sfi_resident_load(&r->image.times[op->source.index * (r->desc.slots + 1) + slot]);
    sfi_resident_store(&words[0], sfi_resident_numbered((uint32_t)when, request));
    sfi_resident_store(&words[1], sfi_resident_numbered((uint32_t)(when >> 32), request));
    SFI_RESIDENT_STEP("submit half a line");
    for (int k = 0; k < op->count[0]; k++) {
        const sfi_resident_port *p = op->ports[0][k];
        const char *from = p->ring + slot * p->stride;
        for (uint32_t n = 0; p->is.external && n < sfi_resident_words_of(p->bytes); n++) {
            sfi_resident_store(&words[SFI_RESIDENT_TIME + p->word + n],
                               sfi_resident_numbered(sfi_resident_get_word(from, p->bytes, n), request));
        }
    }
}
/* Counts one more request of a source, and then sends its words. Returns its number; 0: a stop is there. */
static uint64_t sfi_resident_count_request(sf_resident *r, uint32_t source)
{
    uint64_t *word = &r->mail->submit[source].value, old;
    do {
        old = sfi_resident_load(word);
        if (old & ~SFI_RESIDENT_COUNT && !SFI_MUTANT(submit_after_stop)) { return 0; }
        SFI_RESIDENT_STEP("submit count");
    } while (!sfi_resident_swap(word, old, old + 1));
    SFI_RESIDENT_STEP("submitted");
    if (r->image.line_words) { sfi_resident_send(r, r->sources[source], old + 1); }
    return old + 1;
}
/* Before a request is counted: stores its time of submission and its sequence. The launch is held off. */
static void sfi_resident_prepare(sf_resident *r, sfi_resident_op *op, uint64_t request, uint64_t sequence)
{
    uint64_t *when = &r->image.times[op->source.index * (r->desc.slots + 1) + sfi_resident_in_slot(r, request)];
    SFI_RESIDENT_STEP("submit time");
    sfi_resident_store(when, (uint64_t)sf_flow_now(NULL) - sfi_resident_load(&r->shift));
    if (op->source.names) { sfi_resident_store(&op->source.names[request % (4 * r->desc.slots)], sequence); }
}
/* Submits the slot that acquire has lent, or drops it. The launch is held off. */
static sf_result sfi_resident_submit(sf_resident *r, sfi_resident_op *op, const sf_resident_slot *slot,
                                     const char *call)
{
    sfi_resident_ring *ring = &op->source;
    if (sfi_resident_state_of(r) != SF_RESIDENT_RUNNING) {
        sfi_resident_store(&ring->acquired, 0);
        return sfi_resident_not_on(r, op->name, call);
    }
    if (!slot->sequence || slot->sequence != sfi_resident_load(&ring->acquired)) {
        return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, op->name, call,
                          "this slot is not lent: sf_resident_acquire() one for each submit");
    }
    uint64_t request = sfi_resident_load(&ring->next) + 1;
    sfi_resident_store(&ring->acquired, 0);
    if (!sfi_resident_is_free(r, op, request, r->desc.slots)) {        /* DROP_NEWEST */
        sfi_resident_store(&ring->dropped, ring->dropped + 1);
        return SF_OK;
    }
    sfi_resident_prepare(r, op, request, slot->sequence);
    if ((!SFI_MUTANT(submit_order) || r->image.line_words) && !sfi_resident_count_request(r, ring->index)) {
        return sfi_resident_not_on(r, op->name, call);
    }
    sfi_resident_store(&ring->next, request);
    return SF_OK;
}
/* A slot comes back: checks it, and calls `then`, which counts it, while the launch is held off. */
static sf_result sfi_resident_take_back(sf_resident *r, sf_resident_slot *slot, int side, const char *call,
    sf_result (*then)(sf_resident *r, sfi_resident_op *op, const sf_resident_slot *slot, const char *call))
{
    sf_result result;
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (!slot) { return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, r->name, call, "the slot is NULL"); }
    sfi_resident_op *op = sfi_resident_end_of(r, slot->op, side, call, &result);
    if (!op) { return result; }
    if (!sfi_resident_hold_any(r)) {
        return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, op->name, call,
                          "this slot is not lent any more: another thread launches the loop");
    }
    result = then(r, op, slot, call);
    sfi_resident_let_go(r);
    return result;
}
SF_API sf_result sf_resident_submit(sf_resident *r, sf_resident_slot *slot)
{
    return sfi_resident_take_back(r, slot, 0, "sf_resident_submit", sfi_resident_submit);
}

/* -- results -- */

/* Copies results that came in the n-th record, which is whole, into the slot that is lent. */
static void sfi_resident_unload_result(const sf_resident *r, const sfi_resident_op *op, uint64_t n)
{
    const uint64_t *from = sfi_resident_entry_of(r, n) + SFI_RESIDENT_RECORD;
    uint64_t slot = (n - 1) % r->desc.slots;
    for (int k = 0; k < op->count[1]; k++) {
        const sfi_resident_port *p = op->ports[1][k];
        for (uint32_t i = 0; p->is.external && i < sfi_resident_words_of(p->bytes); i++) {
            uint64_t word = sfi_resident_load(&from[p->word + i]);
            sfi_resident_put_word(p->ring + slot * p->stride, p->bytes, i, sfi_resident_content(word));
        }
    }
}
/* The request that the host knows by a sequence. 0: the host has dropped it, or it is forgotten; UINT64_MAX: it is to
   come. The count of dropped ones is read first: then each sequence up to the sum has a name, or was dropped. */
static uint64_t sfi_resident_request_of(const sf_resident *r, uint64_t sequence)
{
    const sfi_resident_ring *ring = r->source_count ? &r->sources[0]->source : NULL;
    uint64_t names = 4 * (uint64_t)r->desc.slots, dropped, last, n;
    if (!ring || !ring->names || r->image.any) { return sequence; }
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
/* Whether a sequence is older than all names: it is not known any more whether it was dropped. */
static bool sfi_resident_is_forgotten(const sf_resident *r, uint64_t sequence)
{
    const sfi_resident_ring *ring = &r->sources[0]->source;
    uint64_t names = 4 * (uint64_t)r->desc.slots, last = sfi_resident_load(&ring->next);
    return last > names - 2 && sequence < sfi_resident_load(&ring->names[(last - (names - 2)) % names]);
}
static int64_t sfi_resident_later(int64_t a, int64_t b) { return a > b ? a : b; }
/* Lends the n-th result. `lent`: the last one that was lent when the caller decided. False: a launch came in between,
   and nothing is lent. By the sink's one reader. */
static bool sfi_resident_lend_result(sf_resident *r, sfi_resident_op *op, uint64_t lent, uint64_t n,
                                     const sfi_resident_record *rec, sf_resident_slot *slot)
{
    uint32_t *out = &op->sink.out[(n - 1) % r->desc.slots];
    int64_t shift = (int64_t)sfi_resident_load(&r->shift);
    int64_t late = (int64_t)rec->published + shift - sf_flow_now(NULL);
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
    slot->submitted = (int64_t)rec->submitted + shift;       /* clocks differ: no time is before the one above it */
    slot->started = sfi_resident_later(slot->submitted, (int64_t)rec->started + shift);
    slot->finished = sfi_resident_later(slot->started, (int64_t)rec->finished + shift);
    slot->published = sfi_resident_later(slot->finished, (int64_t)rec->published + shift);
    return true;
}
static sf_result sfi_resident_gone(sf_resident *r, const sfi_resident_op *op)
{
    return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, op->name, "sf_resident_result",
                      "this result is gone: released, dropped long ago, or not read before a launch");
}
/* Lends the result of a sequence, 0: the next one. SF_OK: lent. SF_NOT_READY: it may still come. SF_IGNORED: dropped.
   By the sink's one reader. */
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
    if (sequence && !request) { return sfi_resident_gone(r, op); }
    if (!sequence) {
        if (completed <= lent || !sfi_resident_read_record(r, lent + 1, &rec)) { return SF_NOT_READY; }
        return sfi_resident_lend_result(r, op, lent, lent + 1, &rec, slot) ? SF_OK : SF_NOT_READY;
    }
    for (n = completed; n > 0 && completed - n < r->image.record_mask; n--) {
        if (!sfi_resident_read_record(r, n, &rec)) { return SF_NOT_READY; }  /* passed by meanwhile, or late */
        if (rec.sequence < request) { break; }
        if (rec.sequence != request) { continue; }
        if (n <= sfi_resident_load(&ring->next)) { return sfi_resident_gone(r, op); }
        return sfi_resident_lend_result(r, op, lent, n, &rec, slot) ? SF_OK : SF_NOT_READY;
    }
    if (n > 0 && completed - n >= r->image.record_mask) { return sfi_resident_gone(r, op); }
    if (completed && !sfi_resident_read_record(r, completed, &rec)) { return SF_NOT_READY; }
    return end_done >= request || (completed && rec.sequence >= request) ? SF_IGNORED : SF_NOT_READY;
}
SF_API sf_result sf_resident_result(sf_resident *r, sf_op sink, uint64_t sequence, int64_t timeout,
                                    sf_resident_slot *slot)
{
    static const char call[] = "sf_resident_result";
    sf_result result;
    sfi_resident_op *op = sfi_resident_end_of(r, sink, 1, call, &result);
    int64_t began = timeout > 0 ? sf_flow_now(NULL) : 0;
    sf_result paused = SF_OK;
    bool on = true;
    if (!op) { return result; }
    if (!slot) { return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, op->name, call, "the slot is NULL"); }
    if (sfi_resident_state_of(r) <= SF_RESIDENT_BUILT) { return sfi_resident_not_on(r, op->name, call); }
    for (;;) {                               /* polls once more when time is over, or the loop has ended */
        result = sfi_resident_take_result(r, op, sequence, slot);
        if (result != SF_NOT_READY) { return result; }
        if (!on) { return sfi_resident_not_on(r, op->name, call); }
        on = sfi_resident_is_on(r);
        if (on && paused != SF_OK) { return paused; }
        if (on) { paused = sfi_resident_pause(r, began, timeout, call); }
    }
}
/* Releases the oldest result that is lent, which has to be this one. The launch is held off. */
static sf_result sfi_resident_release(sf_resident *r, sfi_resident_op *op, const sf_resident_slot *slot,
                                      const char *call)
{
    sfi_resident_record rec;
    uint64_t n, earlier;
    uint64_t request = sfi_resident_is_built(r) ? sfi_resident_request_of(r, slot->sequence) : 0;
    uint64_t lent = sfi_resident_load(&op->sink.lent);
    for (n = sfi_resident_load(&op->sink.next) + 1, earlier = 0; request && n <= lent; n++) {
        bool out = sfi_resident_load32(&op->sink.out[(n - 1) % r->desc.slots]) != 0;
        if (out && sfi_resident_read_record(r, n, &rec) && rec.sequence == request) { break; }
        if (out) { earlier++; }
    }
    if (!request || n > lent || earlier) {
        return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, op->name, call, request && n <= lent
                          ? "releases come in the order of the results"
                          : "this result is not lent: it was released already, or never asked for");
    }
    sfi_resident_store32(&op->sink.out[(n - 1) % r->desc.slots], 0);
    SFI_RESIDENT_STEP("release");
    sfi_resident_store(&op->sink.next, n);
    sfi_resident_store(&r->mail->consumed[op->sink.index].value, n);
    SFI_RESIDENT_STEP("released");
    return SF_OK;
}
SF_API sf_result sf_resident_release(sf_resident *r, sf_resident_slot *slot)
{
    sf_result result = sfi_resident_take_back(r, slot, 1, "sf_resident_release", sfi_resident_release);
    if (result == SF_OK && slot) { memset(slot, 0, sizeof *slot); }  /* never NULL here: for gcc */
    return result;
}

SF_API sf_result sf_resident_data_ready(sf_resident *r, uint64_t *sequence)
{
    static const char call[] = "sf_resident_data_ready";
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_resident_state_of(r) != SF_RESIDENT_RUNNING) { return sfi_resident_not_on(r, r->name, call); }
    if (!r->image.triggered) {
        return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, r->name, call, r->handler ? "its data-ready handler decides"
                          : "it is fed through slots: acquire and submit");
    }
    uint64_t count = sfi_resident_count_request(r, 0);
    if (!count) { return sfi_resident_not_on(r, r->name, call); }
    if (sequence) { *sequence = count; }
    return SF_OK;
}
/* Whether the loop is done with an iteration: published or dropped. */
static bool sfi_resident_is_done(const sf_resident *r, uint64_t sequence)
{
    uint64_t request = sfi_resident_request_of(r, sequence);                 /* 0: the host dropped it */
    return sfi_resident_done(r) >= request;
}
SF_API sf_result sf_resident_result_ready(const sf_resident *resident, uint64_t sequence)
{
    static const char call[] = "sf_resident_result_ready";
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (!sfi_resident_is_built(r)) { return sfi_resident_not_on(r, r->name, call); }
    if (!sequence) { return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, r->name, call, "sequences begin at 1"); }
    if (sfi_resident_is_done(r, sequence)) { return SF_OK; }
    sfi_resident_poll_state(r, call);
    if (sfi_resident_is_done(r, sequence)) { return SF_OK; }
    return sfi_resident_is_on(r) ? SF_NOT_READY : sfi_resident_not_on(r, r->name, call);
}

SF_API void *sf_resident_device_memory(const sf_resident *resident, sf_op op, const char *port, uint32_t slot)
{
    static const char call[] = "sf_resident_device_memory";
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    const char *wrong = NULL;
    if (!sfi_resident_is(r)) { return NULL; }
    sfi_resident_op *o = sfi_resident_find(r, op);
    if (!o) {
        (void)SFI_REFUSE(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, "no such operator");
        return NULL;
    }
    sfi_resident_port *in = port ? sfi_resident_find_port(o, 0, port) : NULL;
    sfi_resident_port *out = port ? sfi_resident_find_port(o, 1, port) : NULL;
    if (!in && !out) { wrong = "no such port"; }
    if (in && out) { wrong = "an input and an output have this name: rename one"; }
    if (!wrong && !r->device_memory) { wrong = "it is not built yet"; }
    if (!wrong && slot >= r->passes) { wrong = "there are not that many slots"; }
    if (!wrong) { return (in ? in : out)->memory[slot]; }
    (void)SFI_REFUSE(r, in || out ? SF_ERROR_ILLEGAL_STATE : SF_ERROR_UNKNOWN_PORT, o->name, call, "%s: %s", wrong,
                     port ? port : "NULL");
    return NULL;
}

/* >>bridges -------------------------------------------------------------------------------------------- */

/* Feeders and readers: operators of a flow that submit to a source, or read a sink. A bridge is the state of one.
   Default: their can_... functions run under the flow's worker lock, hooks and computes without one on the operator's
   thread. Both poll the loop's state, as >>running; computes also call the flow's functions, enqueue copies, and
   fail. Only sf_resident_feeder() and sf_resident_reader() allocate. Nothing waits, but for copies after one has
   failed. */

/* How many requests' metadata the feeder stores. A result may be of the newest request of a full ring, and a ring of
   such results may wait to be read; with LATEST each may have passed over a ring. */
static uint32_t sfi_resident_parcel_count(const sf_resident *r)
{
    uint32_t slots = r->desc.slots, far = slots < 64 ? slots : 64;
    return (r->desc.overflow == SF_OVERFLOW_LATEST ? far : 4) * (slots + 4);
}

static bool sfi_resident_is_full(sf_resident *r, sfi_resident_op *op)
{
    return sfi_resident_load(&op->source.next) + 1 - sfi_resident_used(r, op) > r->desc.slots;
}
/* Whether the loop has ended as it should since this run of the flow began; it may have been launched again. */
static bool sfi_resident_ended_well(const sfi_resident_bridge *b, uint32_t state)
{
    if (state == SF_RESIDENT_RUNNING || state == SF_RESIDENT_STOPPING) {     /* launched again since then */
        return sfi_resident_load(&b->r->launches) > b->over + 1;
    }
    return state == SF_RESIDENT_STOPPED && sfi_resident_outcome(b->r) >= 0 &&
           sfi_resident_load(&b->r->mail->board.ended) != b->over;
}
/* Warns, once in each run of the flow, if the loop was never launched. */
static void sfi_resident_warn_not_launched(sfi_resident_bridge *b, uint32_t state)
{
    if (state > SF_RESIDENT_BUILT || !sfi_resident_swap32(&b->r->warned, 0, 1)) { return; }
    SFI_WARN(b->r, b->name, "the flow waits until this loop is launched: sf_resident_launch()");
}
/* The feeder of a source, if it is in a flow that runs; else NULL. */
static sfi_resident_bridge *sfi_resident_feeder(const sf_resident *r, uint32_t source)
{
    sfi_resident_bridge *b = r->sources[source]->feeder;
    return b && b->flow ? b : NULL;
}
static bool sfi_resident_has_ended(const sfi_resident_bridge *b)
{
    sf_op_info info;
    return sf_op_get_info(b->flow, b->id, &info) >= 0 && info.state >= SF_OP_STOPPED;
}
/* Whether the feeder of another source has ended and all that it fed is done: then no iteration makes room here. */
static bool sfi_resident_lacks_partner(const sfi_resident_bridge *b)
{
    const sf_resident *r = b->r;
    for (uint32_t s = 0; s < r->source_count && !r->image.any; s++) {
        const sfi_resident_bridge *f = sfi_resident_feeder(r, s);
        if (!f || f == b || f->flow != b->flow || !sfi_resident_has_ended(f)) { continue; }
        if (sfi_resident_load(&f->op->source.next) <= sfi_resident_used(r, f->op)) { return true; }
    }
    return false;
}
/* Releases the results of a reader that has ended: unread, they would block the loop. One thread at a time does. */
static void sfi_resident_discard(sf_resident *r, sfi_resident_bridge *reader)
{
    static const char call[] = "sf_resident_release";
    sf_resident_slot slot;
    bool held = sfi_resident_hold_any(r);    /* else it is being launched, and there is nothing to discard */
    if (held && sfi_resident_swap32(&reader->discarding, 0, 1)) {            /* else another one does */
        for (uint32_t n = 0; n < r->desc.slots && sfi_resident_take_result(r, reader->op, 0, &slot) == SF_OK; n++) {
            SFI_RESIDENT_STEP("discard for the gone");
            if (sfi_resident_release(r, reader->op, &slot, call) != SF_OK) { break; }
        }
        sfi_resident_store32(&reader->discarding, 0);
    }
    if (held) { sfi_resident_let_go(r); }
}
/* Whether any sink has a reader, and discards the results of readers that have ended. `self` has not ended. A sink
   without a reader in the flow counts as read: another thread may read it. */
static bool sfi_resident_is_read(sf_resident *r, const sfi_resident_bridge *self)
{
    if (!sfi_resident_is_built(r)) { return true; }          /* another thread may be at that */
    bool any = !r->sink_count;
    for (uint32_t s = 0; s < r->sink_count; s++) {
        sfi_resident_bridge *b = r->sinks[s]->reader;
        bool gone = b && b != self && b->flow && sfi_resident_has_ended(b);
        any = any || !gone;                  /* without a flow: another thread's */
        if (gone && sfi_resident_completed(r) > sfi_resident_load(&b->op->sink.lent)) { sfi_resident_discard(r, b); }
    }
    return any;
}
/* The feeder's condition. SF_READY: it can feed, or has to report a failure. A GPU cannot wake a flow: while the ring
   is full the flow polls every 20 us. */
static sf_readiness sfi_resident_can_feed(void *user, int64_t now, int64_t *wake)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)user;
    if (!sfi_resident_is(b->r)) { return SF_NEVER; }
    uint32_t state = sfi_resident_state_now(b->r);
    if (sfi_resident_ended_well(b, state)) { return SF_NEVER; }
    if (state > SF_RESIDENT_STOPPING || sfi_resident_load32(&b->r->broken)) { return SF_READY; }      /* says why */
    if (!sfi_resident_is_read(b->r, NULL)) { return SF_NEVER; }
    sfi_resident_warn_not_launched(b, state);
    if (sfi_resident_has_late_copies(b->r, b->op) ||
        (sfi_resident_is_built(b->r) && sfi_resident_load(&b->op->source.next) < b->before &&
         sfi_resident_load32(&b->copying))) {
        *wake = now + SF_US(20);             /* a copy of the launch or the run before */
        return SF_WAIT;
    }
    if (state == SF_RESIDENT_RUNNING && (!sfi_resident_is_full(b->r, b->op) ||
                                         b->r->desc.overflow == SF_OVERFLOW_DROP_NEWEST ||
                                         b->r->desc.overflow == SF_OVERFLOW_ERROR)) {
        return SF_READY;
    }
    if (state == SF_RESIDENT_RUNNING && sfi_resident_lacks_partner(b)) { return SF_NEVER; }
    *wake = now + (state == SF_RESIDENT_RUNNING ? SF_US(20) : SF_MS(1));
    return SF_WAIT;
}
/* Whether a result is to come of what was fed. If not, all results are visible to a call after this one. */
static bool sfi_resident_is_busy(sf_resident *r)
{
    uint32_t fed = 0, waiting = 0, all = 0;
    for (uint32_t s = 0; s < r->source_count; s++) {
        const sfi_resident_op *op = r->sources[s];
        bool waits = sfi_resident_load(&op->source.next) > sfi_resident_used(r, op);
        bool by_flow = sfi_resident_feeder(r, s) != NULL;
        if (waits && r->image.any) { return true; }
        all += waits;
        fed += by_flow;
        waiting += waits && by_flow;
    }
    if (fed ? waiting == fed : all != 0) { return true; }    /* what lacks another feeder's gives no result */
    uint64_t began = sfi_resident_load(&r->mail->board.began);        /* any_source: taken is stored before done */
    return r->image.any && began > sfi_resident_done(r);
}
/* Whether the flow has feeders of this loop and all of them have ended. */
static bool sfi_resident_feeders_ended(const sf_resident *r)
{
    uint32_t ended = 0, all = 0;
    for (uint32_t s = 0; s < r->source_count; s++) {
        const sfi_resident_bridge *b = sfi_resident_feeder(r, s);
        all += b != NULL;
        ended += b && sfi_resident_has_ended(b);
    }
    return all && ended == all;
}
/* Signals all feeders (side 0), or all readers: their conditions are checked again. */
static void sfi_resident_wake_bridges(const sf_resident *r, int side)
{
    uint32_t count = side ? r->sink_count : r->source_count, i;
    for (i = 0; i < count; i++) {
        const sfi_resident_bridge *b = side ? r->sinks[i]->reader : r->sources[i]->feeder;
        if (b && b->flow) { (void)sf_flow_signal(b->flow, b->id, 0, SF_READY); }
    }
}
/* The reader's condition. SF_READY: a result is there, or a failure to report. SF_NEVER: no result is to come. */
static sf_readiness sfi_resident_can_read(void *user, int64_t now, int64_t *wake)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)user;
    sf_resident *r = b->r;
    if (!sfi_resident_is(r)) { return SF_NEVER; }
    uint32_t state = sfi_resident_state_now(r);
    if (state == SF_RESIDENT_FAULTED || sfi_resident_load32(&r->broken)) { return SF_READY; }    /* says why */
    if (state < SF_RESIDENT_RUNNING) {
        sfi_resident_warn_not_launched(b, state);
        *wake = now + SF_MS(1);
        return SF_WAIT;
    }
    if (state != SF_RESIDENT_STOPPED && sfi_resident_ended_well(b, state)) {
        sfi_resident_wake_bridges(r, 0);
        return b->raised < 0 ? SF_READY : SF_NEVER;
    }
    bool ended = sfi_resident_feeders_ended(r);
    bool busy = sfi_resident_is_busy(r);          /* first: then all that was published is seen */
    if (sfi_resident_completed(r) > sfi_resident_load(&b->op->sink.lent)) { return SF_READY; }
    if (state == SF_RESIDENT_STOPPED) {
        sfi_resident_wake_bridges(r, 0);     /* they may wait for a message that never comes */
        return sfi_resident_outcome(r) < 0 || b->raised < 0 ? SF_READY : SF_NEVER;
    }
    if (!busy && ended && b->raised >= 0) { return SF_NEVER; }
    (void)sfi_resident_is_read(r, b);        /* in place of feeders, which may all have ended */
    busy |= b->raised < 0;                   /* how it ends is known when it has */
    *wake = now + (busy ? SF_US(20) : SF_MS(1));             /* a feeder calls when it has fed */
    return SF_WAIT;
}

/* Stores the timestamp and metadata of the messages for the request that is fed next. */
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
        SFI_WARN(b->r, b->name, "a message has more than 16 entries of metadata: the first 16 go past the loop, the "
                 "others are lost");
    }
}
/* Counts a request when its copies are done. A host function on a stream: it may only store. The epoch stays while
   copies are under way: no slot is lent for another one. */
static void sfi_resident_submit_late(void *user)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)user;
    bool counted = false;
    SFI_RESIDENT_STEP("late submit");
    if (sfi_resident_hold(b->r, sfi_resident_load32(&b->epoch))) {
        counted = sfi_resident_count_request(b->r, b->op->source.index) != 0;
        sfi_resident_let_go(b->r);
    }
    if (!counted) { (void)sfi_resident_add(&b->r->lost, 1); }
    (void)sfi_resident_add(&b->copying, (uint32_t)-1);
}
/* Messages in device memory: the operator's stream copies them and then submits the request, so no thread waits.
   `epoch`: read before the slot was lent. If the loop was launched again since then, the frame is lost. */
static sf_result sfi_resident_feed_late(sf_context *ctx, sfi_resident_bridge *b, sf_resident_slot *slot,
                                        uint32_t epoch, sf_tensor *const *in, const int *port, int count)
{
    sf_resident *r = b->r;
    uint64_t request = sfi_resident_load(&b->op->source.next) + 1;
    sf_stream *s = sf_compute_stream(ctx);
    sf_result result = SF_OK;
    sfi_resident_store32(&b->epoch, epoch);
    (void)sfi_resident_add(&b->copying, 1);
    for (int i = 0; i < count && result >= 0; i++) {
        result = sf_memcpy_async(s, slot->data[port[i]], in[i]->data, in[i]->bytes);
    }
    if (result >= 0 && sfi_resident_hold(r, epoch)) {
        sfi_resident_prepare(r, b->op, request, slot->sequence);
        sfi_resident_store(&b->op->source.next, request);
        sfi_resident_store(&b->op->source.acquired, 0);
        sfi_resident_let_go(r);
    }
    if (result >= 0) { result = sf_launch_host_func(s, sfi_resident_submit_late, b); }
    if (result >= 0) { return result; }
    (void)sf_stream_synchronize(s, SF_MS(1000));             /* copies before the one that failed write there */
    if (sfi_resident_load(&b->op->source.next) == request && sfi_resident_hold(r, epoch)) {
        sfi_resident_store(&b->op->source.next, request - 1);
        sfi_resident_let_go(r);
    }
    (void)sfi_resident_add(&b->copying, (uint32_t)-1);
    return result;
}
/* Fails the operator with the loop's failure, or, if a launch has cleared that, another sentence. Takes `failing`. */
static sf_result sfi_resident_pass_on(sf_context *ctx, sf_resident *r, sf_result result)
{
    char text[SFI_RESIDENT_TEXT] = "the loop was ended with this code, and launched again";
    SFI_RESIDENT_STEP("pass on");
    sfi_resident_lock(&r->failing);
    if (r->failure.count) { memcpy(text, r->text, sizeof text); }
    sfi_resident_store32(&r->failing, 0);
    return sf_fail(ctx, result, text);
}
/* What the feeder returns if acquire or submit returned `result`. SF_DONE: the loop was stopped. SF_OK: try again
   when the loop has ended, as only then it is known how, or for the next launch. */
static sf_result sfi_resident_not_fed(sf_context *ctx, const sfi_resident_bridge *b, sf_result result)
{
    sf_resident *r = b->r;
    uint32_t state = sfi_resident_state_now(r);
    if (result >= 0) { return sf_fail(ctx, SF_ERROR_QUEUE_FULL, "the loop's ring is full"); }
    if (sfi_resident_ended_well(b, state)) { return SF_DONE; }
    sf_result outcome = sfi_resident_outcome(r);
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
/* The feeder's compute: one slot, from one message of each input. A frame that the loop does not take is lost. */
static sf_result sfi_resident_feed(sf_context *ctx)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)ctx->user;
    sf_resident *r = b->r;
    sf_resident_slot slot;
    sf_tensor *in[SF_MAX_PORTS];
    int port[SF_MAX_PORTS], count = 0, k;
    bool late = sfi_resident_load32(&b->copying) != 0, full;
    uint32_t epoch = sfi_resident_load32(&r->epoch);
    const sf_op source = sfi_resident_id(r, b->op);
    sf_result result = sf_resident_acquire(r, source, 0, &slot);
    while (result == SF_OK && !r->image.any && sfi_resident_load(&b->op->source.next) < b->before) {
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
    if (late && full) {                      /* dropped; its memory may be the GPU's and is not read */
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
    sfi_resident_wake_bridges(r, 1);
    return SF_OK;
}
/* Reads what pack() stored for a request. False: a newer one is in its place. */
static bool sfi_resident_unpack(const sfi_resident_bridge *feeder, uint64_t request, sfi_resident_parcel *to)
{
    const sfi_resident_parcel *p = &feeder->parcels[request % sfi_resident_parcel_count(feeder->r)];
    for (size_t i = 0; i < sizeof *to / 8; i++) { (&to->request)[i] = sfi_resident_load(&(&p->request)[i]); }
    return to->request == request && sfi_resident_load(&p->request) == request;
}
/* Sets timestamp and metadata of a result. The first source's feeder comes last: its values and timestamp count. */
static void sfi_resident_label(sf_context *ctx, const sf_resident *r, uint64_t request)
{
    sfi_resident_parcel p;
    sf_value value;
    for (uint32_t s = r->image.any ? 0 : r->source_count; s-- > 0;) {   /* any: the request is not known */
        const sfi_resident_bridge *feeder = sfi_resident_feeder(r, s);
        if (!feeder || !sfi_resident_unpack(feeder, request, &p)) { continue; }
        if ((int64_t)p.time >= 0 && !s) { sf_set_timestamp(ctx, (int64_t)p.time); }
        for (uint32_t i = 0; i < p.count; i++) {
            memcpy(&value, p.values[i], sizeof value);
            (void)sf_set_metadata(ctx, (uint32_t)p.keys[i], value);
        }
    }
}
/* What the reader returns if it got no result. SF_OK: the loop was launched again, try again. */
static sf_result sfi_resident_not_read(sf_context *ctx, const sfi_resident_bridge *b, sf_result result)
{
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
/* The reader's compute: emits one result, or discards one that was fed before this run of the flow. */
static sf_result sfi_resident_read(sf_context *ctx)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)ctx->user;
    sf_resident *r = b->r;
    sf_resident_slot slot;
    sf_tensor *made[SF_MAX_PORTS];
    int k, port = 0;
    if (b->raised < 0 && sfi_resident_ended_well(b, sfi_resident_state_now(r))) {
        return sfi_resident_not_read(ctx, b, b->raised);
    }
    sf_result result = sf_resident_result(r, sfi_resident_id(r, b->op), 0, 0, &slot);
    if (result == SF_TIMEOUT) { return SF_OK; }
    if (result < 0) { return sfi_resident_not_read(ctx, b, result); }
    if (slot.status < 0) { b->raised = slot.status; }
    uint64_t request = sfi_resident_request_of(r, slot.sequence);
    for (k = 0; k < (int)r->source_count && !r->image.any; k++) {   /* of a run that was stopped */
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
    for (int k = 0; k < b->op->count[1] && result >= 0; k++) {
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
/* Requests that an earlier run has left at one source would pair with new ones of another. So feeders first fill up
   to the farthest count (`before`), and readers discard results up to it. */
static void sfi_resident_begin_together(sfi_resident_bridge *b)
{
    sf_resident *r = b->r;
    uint64_t most = 0, next;
    b->before = sfi_resident_load(&b->op->source.next);
    if (!sfi_resident_is_built(r) || r->image.any) { return; }
    for (uint32_t s = 0; s < r->source_count; s++) {
        const sfi_resident_bridge *f = sfi_resident_feeder(r, s);
        next = f && f->flow == b->flow ? sfi_resident_load(&f->op->source.next) : 0;
        most = next > most ? next : most;
    }
    for (uint32_t s = 0; s < r->source_count; s++) {
        sfi_resident_bridge *f = sfi_resident_feeder(r, s);
        if (f && f->flow == b->flow) { f->before = most; }
    }
}
/* A feeder or reader of the same loop, maybe b itself, that is in another flow; NULL: none. All have to be in one
   flow, as they ask it whether the others have ended. `wiring` held. */
static const sfi_resident_bridge *sfi_resident_elsewhere(const sfi_resident_bridge *b, const sf_flow *flow)
{
    const sf_resident *r = b->r;
    for (uint32_t i = 0; i < r->op_count; i++) {
        const sfi_resident_bridge *in = r->ops[i]->feeder, *out = r->ops[i]->reader;
        if (in && in->flow && in->flow != flow) { return in; }
        if (out && out->flow && out->flow != flow) { return out; }
    }
    return NULL;
}
/* Notes a bridge's flow and operator: one feeder per source, one reader per sink, in one flow. Takes `wiring`. */
static sf_result sfi_resident_join_flow(sf_context *ctx, sfi_resident_bridge *b)
{
    char why[192];
    sfi_resident_lock(&b->r->wiring);
    const sfi_resident_bridge *other = sfi_resident_elsewhere(b, ctx->flow);
    bool twice = b->flow == ctx->flow && b->id.id != ctx->op.id;
    if (!other && !twice) {
        b->flow = ctx->flow;
        b->id = ctx->op;
    }
    sfi_resident_store32(&b->r->wiring, 0);
    if (!other && !twice) { return SF_OK; }
    sfi_resident_print_in(why, sizeof why, other
               ? "the loop's '%s' is in another flow that runs: the feeders and readers of a loop go into one"
               : "the loop's '%s' is in this flow already, as another operator: add it once",
               other ? other->name : b->name);
    return sf_fail(ctx, other ? SF_ERROR_ILLEGAL_STATE : SF_ERROR_CONNECTED_TWICE, why);
}
/* The start hook: notes how far the loop is, to tell its ends and results from earlier ones. */
static sf_result sfi_resident_bridge_start(sf_context *ctx)
{
    sfi_resident_bridge *b = (sfi_resident_bridge *)ctx->user;
    sf_result result = sfi_resident_join_flow(ctx, b);
    bool stopped;
    if (result < 0) { return result; }
    b->raised = SF_OK;
    sfi_resident_store32(&b->copying, 0);    /* the last run's have ended; a fault skips what counts down */
    sfi_resident_begin_together(b);
    sfi_resident_store32(&b->r->warned, 0);
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

/* The compute of a desc that sf_resident_feeder() or reader() refused: fails the flow with their sentence. */
static sf_result sfi_resident_no_bridge(sf_context *ctx)
{
    return sf_fail(ctx, SF_ERROR_INVALID_VALUE, (const char *)ctx->user);
}
/* Records the mistake now, and puts it into the desc for a flow that takes it all the same. */
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
    if (!sfi_resident_is(r)) { return; }
    (void)SFI_REFUSE(r, op ? SF_ERROR_INVALID_VALUE : SF_ERROR_UNKNOWN_OPERATOR, op ? op->name : "",
                     side ? "sf_resident_reader" : "sf_resident_feeder", strchr(text, ':') + 2);
}
/* The one bridge of a source or sink; made at the first call. NULL: no memory. */
static sfi_resident_bridge *sfi_resident_make_bridge(sf_resident *r, sfi_resident_op *op, int side)
{
    sfi_resident_bridge **place = side ? &op->reader : &op->feeder, *b;
    if (*place) { return *place; }
    b = (sfi_resident_bridge *)sfi_resident_new(r, sizeof *b);
    if (!b) { return NULL; }
    b->r = r;
    b->op = op;
    sfi_resident_print_in(b->name, sizeof b->name, side ? "%s reader" : "%s feeder", op->name);
    if (!side) {
        b->parcels = (sfi_resident_parcel *)sfi_resident_new(r, sfi_resident_parcel_count(r) * sizeof *b->parcels);
        if (!b->parcels) { return NULL; }
    }
    return *place = b;
}
/* The desc of a feeder (side 0) or reader. A port of the loop faces one of the operator, by name. */
static sf_op_desc sfi_resident_bridge_desc(sf_resident *r, sf_op id, int side)
{
    static char no_memory[] = "the heap gave nothing";
    sfi_resident_op *op = sfi_resident_is(r) ? sfi_resident_find(r, id) : NULL;
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
        to->memory = SF_MEMORY_PINNED;
    }
    if (!count || count > SF_DESC_PORTS) {
        sfi_resident_refuse_bridge(r, op, side, &d);
        return d;
    }
    sfi_resident_bridge *b = sfi_resident_make_bridge(r, op, side);
    if (!b) {
        (void)SFI_REFUSE(r, SF_ERROR_OUT_OF_MEMORY, op->name, side ? "sf_resident_reader" : "sf_resident_feeder",
                         no_memory);
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
SF_API sf_op_desc sf_resident_feeder(sf_resident *r, sf_op source) { return sfi_resident_bridge_desc(r, source, 0); }
SF_API sf_op_desc sf_resident_reader(sf_resident *r, sf_op sink) { return sfi_resident_bridge_desc(r, sink, 1); }

/* >>reports ------------------------------------------------------------------------------------------- */

/* Counters, latencies, reports. Default: any thread, while the loop goes on, with no lock; local, but: a refusal is
   stored and logged; a report calls its function, and of a built loop's graph the device; a latency, also in a table,
   allocates, and on a GPU calls the device and waits, 1 s at most. */

/* Counters of one moment: until no result came meanwhile. `high` keeps `submitted` from going down. */
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
        for (s = 0, n = 0; s < r->image.sources; s++) {
            uint64_t count = sfi_resident_load(&r->mail->submit[s].value) & SFI_RESIDENT_COUNT;
            if (r->image.any) { count += done - sfi_resident_load(&board->taken[s]); }
            n = !s || (r->image.any ? count > n : count < n) ? count : n;
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
/* Stages entered so far. The loop counts iterations in 32 bits, and operators side by side enter in any order: `beat`
   is the largest count returned, and keeps it from going down. */
static uint64_t sfi_resident_heartbeat(sf_resident *r, uint64_t stage)
{
    uint64_t seen = sfi_resident_load(&r->beat), stages = r->op_count + SFI_RESIDENT_STAGE_OP, beats = seen / stages;
    uint32_t ahead = (uint32_t)(stage >> 16) - (uint32_t)beats;
    if (ahead < 0xffff0000u) { beats += ahead; }             /* else another call has read a later one */
    uint64_t now = beats * stages + (stage & 0xffff);
    while (now > seen && !sfi_resident_swap(&r->beat, seen, now)) { seen = sfi_resident_load(&r->beat); }
    return now < seen ? seen : now;
}
SF_API sf_result sf_resident_get_info(const sf_resident *resident, sf_resident_info *info)
{
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (!info) { return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, r->name, "sf_resident_get_info", "info is NULL"); }
    memset(info, 0, sizeof *info);
    info->state = sf_resident_get_state(r);
    info->loop = r->desc.loop;
    info->partition = r->place;
    if (!sfi_resident_is_built(r)) { return SF_OK; }
    info->loop = r->loop;
    info->nodes = r->nodes + r->nested;
    info->predicted = r->predicted;
    info->advice_count = r->advice_count;
    memcpy(info->advice, r->advice, sizeof info->advice);
    info->device_bytes = r->device_bytes;
    info->host_bytes = r->pinned_bytes;
    bool failed = info->state == SF_RESIDENT_STOPPED && sfi_resident_outcome(r) < 0;
    uint32_t raised = failed ? sfi_resident_load32(&r->raised_by) : 0;       /* the operator's number + 1, or 0 */
    uint64_t stage = sfi_resident_load(&r->mail->board.stage);
    info->heartbeat = sfi_resident_heartbeat(r, stage);
    sfi_resident_print_in(info->stage, sizeof info->stage, "%s",
                          raised ? r->ops[raised - 1]->name : sfi_resident_stage_name(r, stage));
    sfi_resident_count(r, info);
    return SF_OK;
}

/* Copies a histogram while the loop goes on: on a GPU by a stream of its own. */
static sf_result sfi_resident_peek(sf_resident *r, const sfi_resident_histogram *from, sfi_resident_histogram *to)
{
    sf_stream *s = NULL;
    sf_capture_mode mode = SF_CAPTURE_RELAXED;
    if (r->on_host) {
        for (size_t i = 0; i < sizeof *to / 8; i++) { (&to->count)[i] = sfi_resident_load(&from->count + i); }
        return SF_OK;
    }
    sf_result result = sf_thread_exchange_stream_capture_mode(&mode);
    if (result < 0) { return result; }
    result = sfi_resident_make_stream(r, NULL, 0, false, NULL, &s);
    if (result >= 0) { result = sf_memcpy_async(s, to, from, sizeof *to); }
    if (result >= 0) { result = sf_stream_synchronize(s, SF_MS(1000)); }
    if (s) { (void)sf_stream_destroy(s); }
    (void)sf_thread_exchange_stream_capture_mode(&mode);
    return result;
}
/* The middle of the bucket in which the per_mille-th part of all times lies. */
static int64_t sfi_resident_percentile(const sfi_resident_histogram *h, uint64_t per_mille)
{
    uint64_t total = 0, want, seen = 0, value;
    for (uint32_t i = 0; i < SFI_RESIDENT_BUCKETS; i++) { total += h->buckets[i]; }
    want = (total * per_mille + 999) / 1000;
    for (uint32_t i = 0; i < SFI_RESIDENT_BUCKETS && total; i++) {
        seen += h->buckets[i];
        if (seen < want) { continue; }
        uint32_t exponent = i < 32 ? 0 : i / 16 - 1;
        value = i < 32 ? i : ((uint64_t)(i % 16 + 16) << exponent) + ((uint64_t)1 << exponent) / 2;
        value = value < ~h->low ? ~h->low : value > h->max ? h->max : value;
        return (int64_t)value;
    }
    return 0;
}
/* Latencies of the histogram `index`: spans, then operators. All zero before the build. */
static sf_result sfi_resident_get_latency(sf_resident *r, size_t index, sf_latency *latency)
{
    memset(latency, 0, sizeof *latency);
    if (!sfi_resident_is_built(r)) { return SF_OK; }
    sfi_resident_histogram *h = (sfi_resident_histogram *)r->heap.alloc(sizeof *h, r->heap.user);
    if (!h) { return SF_ERROR_OUT_OF_MEMORY; }
    sf_result result = sfi_resident_peek(r, &r->image.histograms[index], h);
    if (result == SF_OK && h->count) {
        latency->count = h->count;
        latency->min = (int64_t)~h->low;
        latency->max = (int64_t)h->max;
        int64_t mean = (int64_t)(h->sum / h->count);         /* of a moment later than the count */
        latency->mean = mean < latency->min ? latency->min : mean > latency->max ? latency->max : mean;
        latency->p50 = sfi_resident_percentile(h, 500);
        latency->p90 = sfi_resident_percentile(h, 900);
        latency->p99 = sfi_resident_percentile(h, 990);
        latency->p999 = sfi_resident_percentile(h, 999);
    }
    if (result != SF_TIMEOUT) { r->heap.free(h, r->heap.user); }     /* else the copy may still write there */
    return result;
}
SF_API sf_result sf_resident_get_latency(const sf_resident *resident, sf_resident_span span, sf_latency *latency)
{
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (!latency || (uint32_t)span > SF_RESIDENT_SPAN_PERIOD) {
        return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, r->name, "sf_resident_get_latency",
                                         "latency is NULL, or there is no such span");
    }
    return sfi_resident_get_latency(r, (size_t)span, latency);
}
SF_API sf_result sf_resident_get_op_latency(const sf_resident *resident, sf_op op, sf_latency *latency)
{
    static const char call[] = "sf_resident_get_op_latency";
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    const sfi_resident_op *o = sfi_resident_find(r, op);
    if (!o) { return SFI_REFUSE(r, SF_ERROR_UNKNOWN_OPERATOR, r->name, call, "no such operator"); }
    if (!latency) { return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, o->name, call, "latency is NULL"); }
    if (!r->desc.measure_operators || r->desc.fused) {
        return SFI_REFUSE(r, SF_ERROR_ILLEGAL_STATE, o->name, call, r->desc.fused
                          ? "operators of a fused loop run in one kernel: each alone is not measured"
                          : "operators are not measured: set sf_resident_desc.measure_operators");
    }
    return sfi_resident_get_latency(r, SFI_RESIDENT_SPANS + o->index, latency);
}

/* -- reports -- */

/* One cell: a number by %l or %t, right-aligned in `width`; csv: behind a comma. */
static void sfi_resident_write_cell(sfi_resident_text *w, bool csv, size_t width, const char *format, uint64_t n)
{
    char text[24];
    sfi_resident_print_in(text, sizeof text, format, n);
    for (size_t used = strlen(text); !csv && used < width; used++) { sfi_resident_put(w, " ", 1); }
    sfi_resident_print(w, csv ? ",%s" : "%s", text);
}
/* One line of a table: a name, a count, eight times in us. */
static void sfi_resident_write_row(sfi_resident_text *w, const char *name, const sf_latency *l, bool csv)
{
    const int64_t values[] = { l->min, l->mean, l->p50, l->p90, l->p99, l->p999, l->max, l->max - l->min };
    if (csv && strpbrk(name, ",\"\n\r")) {
        sfi_resident_put_quoted(w, name, true);
    } else {
        sfi_resident_print(w, "%s", name);
    }
    for (size_t used = strlen(name); !csv && used < 20; used++) { sfi_resident_put(w, " ", 1); }
    sfi_resident_write_cell(w, csv, 10, "%l", l->count);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        sfi_resident_write_cell(w, csv, 12, "%t", (uint64_t)values[i]);
    }
    sfi_resident_print(w, "\n");
}
static sf_result sfi_resident_write_table(sf_resident *r, sfi_resident_text *w, bool csv)
{
    static const char *const spans[] = { "total", "queue", "work", "publish", "period" };
    sf_resident_info info;
    sf_latency l;
    sf_result result = sf_resident_get_info(r, &info);
    sfi_resident_print(w, csv ? "span,count,min_us,mean_us,p50_us,p90_us,p99_us,p999_us,max_us,jitter_us\n"
                              : "us                       count         min        mean         p50         p90"
                                "         p99       p99.9         max      jitter\n");
    for (size_t i = 0; i < sfi_resident_histograms(r) && result == SF_OK; i++) {
        result = sfi_resident_get_latency(r, i, &l);
        sfi_resident_write_row(w, i < SFI_RESIDENT_SPANS ? spans[i] : r->ops[i - SFI_RESIDENT_SPANS]->name, &l, csv);
    }
    if (!csv) {
        sfi_resident_print(w, "submitted %l, completed %l, dropped %l, queued %l, past the deadline %l\n",
                           info.submitted, info.completed, info.dropped, info.queued, info.missed);
    }
    return result;
}
static void sfi_resident_write_ports(sfi_resident_text *w, const sfi_resident_op *op, int side)
{
    for (int k = 0; k < op->count[side]; k++) {
        const sfi_resident_port *p = op->ports[side][k];
        const sfi_resident_edge *e = p->parts ? p->parts[0]->edge : p->edge;
        if (p->field_count) {
            sfi_resident_print(w, "    %s%s: bundle of %u", side ? "out " : "in  ", p->name,
                               (uint32_t)p->field_count);
            if (e) { sfi_resident_print(w, ", its tensors from %s", e->from->name); }
            sfi_resident_print(w, "\n");
            continue;
        }
        sfi_resident_print(w, "    %s%s: %z bytes%s%s", side ? "out " : "in  ", p->name, p->bytes,
                           p->data ? ", memory of its own" : "",
                           !p->is.external ? "" : side ? ", to the host" : ", from the host");
        if (e) { sfi_resident_print(w, ", from %s.%s", e->from->name, e->output->name); }
        if (e && e->delay) { sfi_resident_print(w, ", iterations before: %u", e->delay); }
        sfi_resident_print(w, "\n");
    }
}
static void sfi_resident_write_advice(const sf_resident *r, sfi_resident_text *w, const sf_resident_advice *a)
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
    sfi_resident_print(w, "faster by about %t us: %s", a->saves, words[a->kind][0]);
    if (unit) { sfi_resident_print(w, "%u%s", a->count, unit); }
    for (uint32_t i = 0; i < r->op_count && a->kind == SF_RESIDENT_ADVICE_PROGRAMMATIC; i++) {
        if (!r->ops[i]->plain) { continue; }
        sfi_resident_print(w, "%s%s", more, r->ops[i]->name);
        more = ", ";
    }
    sfi_resident_print(w, "\n");
}
static void sfi_resident_write_plan(const sf_resident *r, sfi_resident_text *w)
{
    static const char *const loops[] = { "auto", "exact", "fast", "unrolled", "fused" };
    sfi_resident_print(w, "%s: loop %s", r->name, loops[sfi_resident_is_built(r) ? r->loop : r->desc.loop]);
    if (r->place >= 0) {
        sfi_resident_print(w, ", in partition %d of %d multiprocessors", (int)r->place, (int)r->sms);
    }
    sfi_resident_print(w, ", slots %u, nodes in the body %u", r->desc.slots, r->nodes + r->nested);
    if (r->passes > 1) { sfi_resident_print(w, " (in %u copies)", r->passes); }
    sfi_resident_print(w, ", device bytes %z, pinned bytes %z\n", r->device_bytes, r->pinned_bytes);
    sfi_resident_print(w, r->predicted ? "predicted from submit to result, on an H100, without the kernels' own "
                       "time: %t us\n" : "not built: sf_resident_build() tells what it costs\n", r->predicted);
    for (uint32_t i = 0; i < r->advice_count; i++) { sfi_resident_write_advice(r, w, &r->advice[i]); }
    for (uint32_t i = 0; i < r->op_count; i++) {
        const sfi_resident_op *op = r->ops[i];
        sfi_resident_print(w, "  %s%s", op->name, op->handler ? " (data-ready handler)" : "");
        if (op->partition) { sfi_resident_print(w, ", in partition %d", (int)op->place); }
        const sf_resident_branch_desc *b = op->branch == SFI_RESIDENT_NONE ? NULL : &r->branches[op->branch]->is;
        if (b && b->kind == SF_RESIDENT_EVERY) {
            sfi_resident_print(w, " (every %u, phase %u)", b->every, b->phase % b->every);
        } else if (b) {
            sfi_resident_print(w, " (in %s, case %d)", b->kind == SF_RESIDENT_IF ? "an if" : "a switch", op->which);
        }
        sfi_resident_print(w, "\n");
        sfi_resident_write_ports(w, op, 0);
        sfi_resident_write_ports(w, op, 1);
    }
}
/* An sf_text_func: passes on what follows the first brace of a digraph, so that it can be a part of another one. */
typedef struct sfi_resident_cluster { sf_text_func text; void *user; bool within; } sfi_resident_cluster;
static void sfi_resident_put_part(void *user, const char *text, size_t bytes)
{
    sfi_resident_cluster *p = (sfi_resident_cluster *)user;
    const char *brace = p->within ? NULL : (const char *)memchr(text, '{', bytes);
    size_t skip = p->within ? 0 : brace ? (size_t)(brace + 1 - text) : bytes;
    p->within = p->within || brace;
    if (bytes > skip) { p->text(p->user, text + skip, bytes - skip); }
}
/* The operators and edges; then the captured graph, if there is one, as a cluster. */
static sf_result sfi_resident_write_dot(const sf_resident *r, sfi_resident_text *w)
{
    sfi_resident_cluster part = { w->func, w->user, false };
    sf_result result = SF_OK;
    sfi_resident_print(w, "digraph %q {\n", r->name);
    for (uint32_t i = 0; i < r->op_count; i++) { sfi_resident_print(w, "  %q;\n", r->ops[i]->name); }
    for (uint32_t i = 0; i < r->edge_count; i++) {
        const sfi_resident_edge *e = r->edges[i];
        sfi_resident_print(w, "  %q -> %q [taillabel=%q, headlabel=%q%s];\n", e->from->name, e->to->name,
                           e->output->name, e->input->name, e->delay ? ", style=dashed" : "");
    }
    if (sfi_resident_is_built(r) && r->graph) {
        sfi_resident_print(w, "  subgraph cluster_graph {");
        result = sf_graph_dot(r->graph, sfi_resident_put_part, &part);
    }
    sfi_resident_print(w, "}\n");
    return result;
}
SF_API sf_result sf_resident_report(const sf_resident *resident, sf_resident_report_kind kind, sf_text_func text,
                                    void *user)
{
    sf_resident *r = (sf_resident *)(uintptr_t)resident;
    sfi_resident_text w = { text, user, NULL, 0 };
    if (!sfi_resident_is(r)) { return SF_ERROR_INVALID_HANDLE; }
    if (!text || (uint32_t)kind > SF_RESIDENT_REPORT_DOT) {
        return SFI_REFUSE(r, SF_ERROR_INVALID_VALUE, r->name, "sf_resident_report",
                                         "text is NULL, or there is no such report");
    }
    bool dot = kind == SF_RESIDENT_REPORT_DOT, plan = kind == SF_RESIDENT_REPORT_PLAN;
    if (!dot && !plan) { return sfi_resident_write_table(r, &w, kind == SF_RESIDENT_REPORT_CSV); }
    if (dot) { return sfi_resident_write_dot(r, &w); }
    sfi_resident_write_plan(r, &w);
    return SF_OK;
}
SF_API const sf_failure *sf_resident_failure(const sf_resident *resident)
{
    static const sf_failure none = { SF_ERROR_INVALID_HANDLE, 1, "", "sf_resident_failure",
                                     "sf_resident_failure: the resident is NULL or destroyed" };
    return sfi_resident_is(resident) ? &resident->failure : &none;
}

/* >>ptx ----------------------------------------------------------------------------------------------- */

/* The PTX of streamflow_kernels.cu, packed by a dictionary. tests/gen_ptx.py --print shows it as text, --write makes
   it. A character of sfi_resident_ptx_codes stands for a word of sfi_resident_ptx_words, and words have such codes in
   them; all other characters stand for themselves. The first SFI_RESIDENT_PTX_SHORT_CODES codes are the words 0, 1,
   ...; each of the rest is followed by a second character, # to ~, and is 92 words, in this order. Then registers and
   labels get their numbers: a letter with # is the next new one (a register: of its function), with =2 the third of
   those that were used last. */
/* nvcc 13.0 */
static const char sfi_resident_ptx_codes[] = "!$&'*/ABDEFHIJKMNOQRTUVWXYZ^`j~";
enum { SFI_RESIDENT_PTX_SHORT_CODES = 23, SFI_RESIDENT_PTX_NUMBERS = 523, SFI_RESIDENT_PTX_AHEAD = 4802,
       SFI_RESIDENT_PTX_ROOM = SFI_RESIDENT_PTX_AHEAD + 113790 };      /* numbers get so far ahead */
static const char *const sfi_resident_ptx_words[] = {
    ",d=", "1;", ",r=", "0;", "0,", "2;", "1,", "W:Wb", "q=", "^'^&", "3,", "2,", "3;", "16", "2!", "WzYCYB", "4;",
    "^'X*WPr=", "4,", "W/1+", "13", "5;", "[d=", "cvtWyZKr=", "W<:", "W.:", "WJ^+", ";subXR",
    "{XsX*temp_W@_regWf0XQ0+Wx", "YEXP", "YA`[", "mul.wideZKr=", ".sWvq#,d=", "YEL=", "L=1", "WJWY", "XqXP", "W:W;",
    "W**", ";ld", "XqL=", "Xx.pragma \"nounroll\"", "YEL#", "32;", ">;XsWvd<", "!/E", "mov", "Wcd=", "L=0", ";selp",
    "andXt", "WSX>", "param", "L=2", "W{W%", "XqL#", ">;XsX*r<", "8];", "ZMWQ", "X=W[", "W:WK", ";shlXt", "W3Yw",
    "XNr=", "W:YF", "0];", "ZMV", "^'^.", "r#,", "V1+", "orYH", "W:X;", "WgYF", "X=WY", "X+`[", "ZNA", "andZL", "X;V",
    "sfijm", "WbV", "+Wx", "YxWcWPd=", "8;E", "WgX;", "YzYF", "$W4", "XNWP", ".uWv", "YDW@", ".u32", ";Wd", "'W:",
    "Wcq#,d=", "W3W;", "YIXS", "XyYCYB", "4;E", ";sub`b", ";EH", "V3+", "24]", "48]", "XvL#", "'ld", "4];", "XvXP",
    "64 ", ";st", "0]!", ".u64", "YAeq", "bra.uni XP", ";shlZL", "^)X;[p", "0]&", "YIWh", "XOL#", "ZNH", "WJW[",
    "X{W.", "32]", "@D1X$", "32 ", ":setp.", "W3WY", "^'^(", "X<W,", "4W^", "YDp", ";shfl^,.idx^4r#|YB",
    "jsWeYO&'Y(AW)YU`h4W/", "notYH", "X=^+", "248]", "Y):", "192]", "X<XS", "orZL", "W3^8", ".uY@", "YAgt", "ldYw",
    "%globaltimer", "WzW,A", "XUW:eXwjo", "WRA", "2];", "WA:", "3!$", "XOXP", "YIW,", "^BW~", "208]", ":st", "1];",
    "WU1+", "256]", "/W4", ".uX*", " bra ", "L#;", "WwXr64[W@", ".s^&", "XNYB", "@D2XO", "jnWZ", ".W@ .bX*", "X,1+",
    ".shared", "id.x", "W]1", "W#1", "^5toYwYF", "W]$", "Y$0+", "WRH", "YyWyV", "X|WhK", "W+HX/", "^)^/^-,[p0+",
    "40]", "Y'YT+", "`j^(", "W?;E", "W}0+", "W>H", "*X~0&", "X{L=", "bar^, ", "A*D'", "Br=", "XOL=", ".^C", "@D0XO",
    ".W@.b", ".reg .b", ".b^&", "bra.uni L=", "D/XT", ",(W@*W@", "L#:", "X+eq", "`]d.sys", "Xu'", "YAge", "Wbr=",
    "1Wj", "4XQ4", "YJYM", "turn", ";EK", "^0Wy", "W<Wk", "L=3", "WgWK", "W-$", "X-1&", "$W0", "B%ntXY;", "W=Xt",
    "`kYFK", "W$@D", "J];", "56]", "352]", "Y\\L", "^32^12+W~", ">;XsJ h<", "WFY[", "!$WH", "M*W6", "ZMWo", "W]2",
    "W{XC", "T52]", "W/2+", "Wvd#,", ";setp.", "q#,r=", ".sX*", ".W@ .bWv", "'Xq", ".u^&", "`Zq#,", "YGD", "YAlt",
    "WwYw", "W=.b", "Wd^*", "WeV", "HD'", "V3]", "XvL=", "Xu$", "sfjm", "`\\'call.uni(`\\0),WZ", "[WZ^6", "W{W.",
    "3&I", "W$E", "X-4&", "!2Wi", ";E4", "2J]", "%SP", "IW0", "1X^", "/WL", "jxX{WAWVF$", "YJWeWQ", "'X_", "64]",
    "WJ^K0+", "J0]jw", "152]jw", "^LZ+", "W+*W^", "Z&h=*", "T68]", "YQW%", "W}0]", "184]", "W*H", "W#5", "T76]",
    "`ZD", "XqW.", "@D3", "X*WP", "h#,", "312]", ".global", "cvtWe", "WwXz", ";shr", "YK^(", "atom.", ".volatile",
    "!2W/", "YAne", "W:.b", "XUtakeXw1);}", ".uJ ", "^@X\\$", "!2W3", ".u8 ", "^:/jp", "){^7", "`l1/YL1$Z%",
    "`c.visible .entry YR", "-4ZU4", "orXt", "Z'EH", "'W5;", "X`1]", "WN2+", "4ZUI", "T44]", "(X00){^7", "`vallYH",
    "`u0+", "^QXS", "Y~6+128]", "Y~6+T6]", "Y-WB", "OAY^", "YyWyYO", "112]", "200]", "W2W-", "8;WL", "V3];", "W0WB",
    "W/3+", "WzW,", "WJZ\\", "ld^8", "!11Xe", "32];", "XNd#,", ".bX*WPr=", "YJWy", "andYH", "mul.lo", "2XQ2W\\",
    "func", "2&2&", "[`\\0+0];}", "X}1&", "61J8601842738790", "WQJ]", "WY2]", "YQL=", "W(7Wf^*IWd", ".uJ h#,", "X-3&",
    "WbWQ", "X|W,", "YK^.", "pending", "j}YW", "^FW]X~", "WCWIHWl", "W_X>", "W+AWl", "Wj0&", "X+ltXS", "~%align ",
    "WOK*8;", "IXTL#", "j|h=A", "304]", "^OX;", "`o WZ",
    "3!WlFW7Y|addZW,$E5,8;Y|addZW!1'EQJ;notXtIY|maxWY4]!3;E5,2NY|maxZW!6;Y|addWY4],$", "bar.warp^, ", "B%tXY", "Z#W,",
    "0X<XS", "@D1XE", "WU2+", "W+AW^", "M*W)", "^)Wb[p", "W$Z-", "T36]", "WgZZ", "WgW;", "WY3]", "W:YG'", "ldWY",
    "L=4:", "fence.acq_rel.sys", "3!2Xa", "Y@d=", "add.s", "X*r=", "W3.W@", "1XQ1+Wx", "W[0+", ".sync", "WPr#}",
    "Wvd=", ".v2We{", "WwXX", "``[W@", "X?W)", "XVW@", ".bX*", "cvta.", "warp_publish_record", ".reg `Zq<",
    ".acquire.sys", "8]Wi", "remZT", "W+AX/", "29496729", "12UWL", "XAYP", "wait", "W}WM", "WQ^9", "^31^11+", "local",
    "align 8 .b8 ", "ZQ_retval", "3W`H/", "Y%`a_", "B%tXY;", "YY1*YOWi9,^A8,ZVWi7,WQ24];W$ZOXRK",
    "X16&4&4&NZ$Y@{r=4&6", "^/^-,V", "`a(.W@ .^Dp0[80]", "`_7Wf", "[WZ`m", "ldXX", "64{^-", "YAle", "W3Xz", "minX}",
    "X|XS", "20Wx", "X-0&", "120]", ",(W@0)W3Xr", "12];", "XvW.", "YIW,H", "~.W6Wm3&N~-WT", "~,WN", "Y~3+1^W",
    "XcXdXcWq", "WIFWl", "j#W>", "`~W+", "Xh8];EA", "Y`W46;", "0!YN", "!4WF", "^V*$", "W4$W%W1", "^U2WF2Wp",
    "WCM*4YK^.", "WXH15W*A0XF", "(X0*XVp", ":XgF1XfAX212+", "`wlaunch_dependents", "`tYW", "BW7^:", "X3/WRFD", "^RW;",
    "Z.Z#W,A'", "[YR^G~/", "YbXv", "X+gtXS", "X+gtWh", "!3;EF4", "^Ntaken", "`q^M", "^HOA-J", "7!N^M`r", "!8WF",
    "B0Ya", "Y.^H", "W'6!3", "D0M*$W1", "jxX'", "Z&h=A", "W.XyW,5,W-2W'3!/~+1*6176;E", "Ws^+Xd", "F112", "T6W~",
    "X&3+", "Y+Xu/XCW+Q4X,6+-X(Y&3W'7`}AW-IBj~9:ldY}WKAV2WMZX4:ldY}WK*VWt", "jqW$", "addX;", "B1YyYM", "3$WWD",
    "9;WL", "184];", "Y{ZRAD'", "XBXi", "&'X4", "X#1!", "ZOXRFX/", "W_W6", "X|j$", "W6W*", "6;W{", "XXX;", "!/W<",
    "19XB", "WSW6", "has_", "Wj1&", "XUunloadXwAW@2);}", "X.*'", "X.H49", "W-7;", "R176]", "X>W'", "W)W#", "12W^",
    "WK*V", "!2Y/", "NW?;", "W<WV", "XsWv", "Wz~)", "WzW,H", "YDYSdevice_Z_^X", "/XU~'Xwjo", "0]M*", "W:ZZ", "!6;E",
    "Y@ZS", "__^C_depot", "3Z^KKAD/", ".pred ", "neYCYB", "retval", ".relaxe", "AW@HW@", "W(/YL", "WwXr32", "_kernel",
    "YCWPr=", "ret;}", "nanosleepWK", "ZSsetp.", "24];ZOXRK", ")W3Xr", ":subXRK", "ZP7Wf3XQ3W\\1$WdY#W\\1$",
    "/B^=IW{XxW1AX>;W%`_ju", "-4^<6^2rem", "WH*$W(", "block_^?_", "W.XyW,H", "`c.ZQ", "!2jy5,3^2", "jt15X,4]Y&U",
    "ZP7Wf3XQ3W\\15WfY#W\\1U", "3XQ3W\\", "Ww.v4YM2],{r=31&31&31&31};", ".W@X;[p", "vote^,.", "griddepcontrol.",
    ".sJ q#,h=A", ",{r=0&0", "IWd`s", "W]'X]Z*", "YJ.v2WeWQ", "`p`nY*", "$WLY-", "-$W#$", ".sWvD", "WRQWr", "~$Z[*-1",
    "`{2&/W%", "255Z#`x", "^P!'B", "[YR^Ggoes_on]", "7&7^J", "`iX@OH/", "`iX@OHI", "[YR~#Y%]", "X@OYVOF$jt14X,4]Y&U",
    "XWJ]Wn", "`_IWdZP`z7WfY#W\\7;", "jn~&Xw1);}", ",(W@0);}", "Ww.u8V2]", "0^0~6", "2j0Za3&$YX*$WCZe", "whenj3",
    "W3Y}W;", "0],'j2", "WJZKWQ", ":shlXtA7;E",
    "WKQV0+4WMYWH^FXZWm9&3^T2&Y]Zd6~1/BW_'W5W|A3YzX}11&3YZ!2j4&/Z[jzYQY)XIWeYO&IW%X-10&Xj", "XTXPWB", "RYcRY3",
    "Wl5!3`t", "W7X]W5M1QWT", "!2X,3]XW8]XWY2j1", "~56,VXJW$`w^?", "^OWbj.", "^T1&IXAD", "O1&2/Xb", "Z`4!6Xa6;Zb8!3",
    "`|X5`y};O", "Y0NWBj'", "^[$j%W|", "~3264];W+*6553", "j)3$B-1X13&5&4&4^J};Z$^P", "j+}W`FW7W>F~4", "0WN0+",
    "WF568]", "W_WT$WL", "Z,Xk55", "8328Z2", ">Z010", "[^E0+Wx", "[^E0+W~'", "'X%WuWB", "W(/XG", "^ZZcWN5+", "^YW>Q",
    "`o(XV^E0)WZ", "`o(YD^E0)WZ", "NBj~5:WHA'", "`|240]`y};O", "WCM*IW1", "(X0*X0", "W2Y+WAXyW,", "48RWq", ".u8j*,h=",
    "j|h=Hj(", "W%W19,", "Z3XH!$", "Z1W#'E", "^RW[1]", "W'3!3", "Y4Wn-$X=ZK", "Y17X$WI", "W2Y+XC",
    "^I1W^7!NZY`rj/ZYj,`qZYj-`qZY~2W-IO~07!NZY`rj&", "Z,X{WA", "_resident_", "call.uni ", "`^FW@4);}", "cvtWyXNd=",
    "X[X.1!$XZY{ZRYN`d/", "8]XWJ]XW", "`e`[*/W0B1Yy", "^;T!2X,3+jr`f", "$XVYSdecideXw1`g", "Y@18Q19YNE", "X.1!4YKjv",
    "X.1!5W/6]YIW,A$^>4W|F$jq", "X#HNW0W>", "*X~*Njp1&0X<WhXDX%YP'", "W5YZZ(Y}Z)WPV2]W|H3W|YVor.b^(4&3&$YXjzZX",
    "and.bJ h#,", "WJ.cv.v4We{WPWP^-,VXB", "W_Y*1&$j{", "check`a_", "X@Y,*$Y,*$", ".shared .",
    "cudaGraphSetConditional", "copy_all", "WT4WT4$WL4Y_4Y]Xb21^I2'E", ".sJ q#,h=*", "`iX@X-5&*NX-9&*-4",
    "maxXRF0X<WhA3$clz.bWvWPd='B59Wm1&2W=ZLF*D0X#*J;W]0W|F4W`1&'X]O3&2W=ZL5&QD'^SF767;W+A8;W+", "W?Z]1!$XqW<",
    "WHF'L#Wk*", "IOA-X~AIB", "submitted", "8&NW5M*~(", "!2W'6`p`nW-", "~*W2Y+WAWk8,", "Wn8448X&2+", "-4^<6;Z/K",
    "WpWi5,ZVWi6,^A", "We^NY%]&",
};
static const char *const sfi_resident_ptx[] = {
    ".version 7.8 .target sm_75 .address_size Wv.extern .ZQ ~&^l1);Zg4 XNWZ`mY%;Zg8 WcWZ`mtaken;~%^DWZ^6[64];.ZQ WZb",
    "eginZ62WD7W824>Z032RZJWSWsZ|XWjrWpXWX(XWXdXWWqWN9+J8]^}176]^}Ym^}X7^}^U8WFXH!8Y8!8;^~T8W~0X^288]&jMT84]!9ZG296]",
    ";Z=296]&$W?WF1408]!1WF28Wx2WF14J]!$X=Z\\128]Zv`012]&'W$WUT]Wn8592Z2!5W/4]Wn8576ZET6]Z>Y~3]jJ6Z>!$jZZ_^lAX0HXVp3",
    "Z+4Y72WD4W823>^).s8 Yu[p3]YlZw1]W}XBX\\/EH32RZJW+*`J3W9F128X:WY`5Z4^5toXpYF1WsXpWYXBW>K4WwXpWyYO!IYh1K/EF864`P",
    "W6X&14+Y>W2YEW<WN2]!1'W$WG2+Y>Y:W/3];minW;3!0`>XIYwWyV2+-XLY~2+-512]jgWwXr64jS/jY`AroomZ65Y76WD19W824jR4W&104]M",
    "*Zz$`Uh=$WCY?^WW&WtBZ1W#'Yh5W9`*'XK1^WW'8!IX[X#XDWCW/10+-72]WI1A7YZ^x224X:ZWWN12]!2WJW;1AV8+^WW'K3WJWK*WoWtW#0",
    "X|Wh4!$W:`'W-2WJWKHVXBW%XZ'Z[AX~1&/W:Yih=Wa/XCYxZ&WPh=1``jTjY`AarrivedZ65Y76WD14W818>Z0j`j:Z?R35`5jHWG6+10`TZz$",
    "`Uh=Y-EA96;B0WIF7;E9!IW5;Yh4Z(^8WY3];X]WG7+30WtOA1W*1&/Z[*$W:`'Y+WG8+4]Wj1&$W:Yih=Wa$W%YxZ&WPh=1``jTZmunload^lA",
    "XVp2Z+14WD30W852>YlZw1]ZwXBX\\$EHj`RjhWo1jXY0NWB`{2&/W.j;8!3X:Z|;EA8X:ZWW`QW7W>Q~44`QW)^]J+XH!/W$O4&5Z92&Y-W5;",
    "W#'WU3+Y2W+*X/3W9FJj0^FXZZvZOXR9,X/9^x'B'W5W3W[XJO2&/OF/Zu21Z(^8Z|W`HW7X]W+Q4X,7+-X(Y&3X,18]W'K3jy6,3^2`nW)B'B$",
    "W5YzX}4&3j4&/W#3X<WhKX~*NWWD/WOK*$X-2&*8;Y,*$XTL='YQY)XIYMW~IW%YX*$Z~7]WnZa1&WaNL=5:Y<'X-11&AX~1&1XM6;L=7:jZdev",
    "ice_Z_Z65WD14W814>Z0T88W&T8WEWS0W2W6X:W[3]M*2W=W;AXmX=WKAZCY(*W6W&WEWBEF4X:`KXJW%WG2+-1260]W2W6W&4]Wm3&/W#/WO4!",
    "0!$W<XIXr64jS$jYdecidej^1){Xp .^D`X6[WE`OY\\;`OY5;^729Y74WD34W841>;W:WcY5,`X6;^5^CWcY\\,Y5YlW}XJX\\/`/Y\\,'`/Y5",
    ",W_Z.WwXpWyV1]!$E5,208RXHYIW,A$Z}X)ZE1200]W'9!3`:1!KNYW1*8X:W[1]W2'B/WCX&6+-1^YWS0M*W_Z4WS-4ZUNWCW=ZZA*D/W1AZ4",
    "W1H'B'YxZ&WPh=Z1W(UXG$Wd2XQ2W\\1I^33^13+W~$YDYSZ_Xw`^3`g`WX=^K6+-Z?Wj3&1`75X<Wh1!UX%D`YZNQD`YY,XjXMWsXpW;6,V14]",
    ";W%WG5+-84]M*0Y/6!5,D'W>6,4ZU4Z#W,AW-2X?'X31'X%DZiX&5+1180]ZA'BY^118W~'E1*4X:W[1]Y$2+1188]&'W<:selpWbA*D4W&1176",
    "];X91&2X^1176]&2W&-76]ZvW(/`R`WWO8!1!$L#XyW,*W)W(/XVYS`Aarrived^XYtZScvt.uJXNYur=Y*1Q0`PW-NW('XVYS`Aroom^XYtZSc",
    "vt.uJXNYur=Y*A1Z#~)W-'WG3+1176]M*0Y{A*YNX{X6X4-80]M*W-3W&-108]ZvW($`RY@`eneW,*Y+W%W($`R^.FZSZX4:WG3+1180]M*0Y{F",
    "*YNL=4XIXr32jTjZtake_allZ6JWD17W846jR'X410WMWS0M*W_4ZUY]W1*Z4WS'BWTNW14!IW5W/4+Y4R608]W'KIminW;7!3!1X#AY_6;WCX&",
    "9+2`T'EQ-1Z^Q^eW$maxW;9!K$WO9!*8;Y,XjXM$XCWG5+WpM*0Xa7;WWD2Zq*'WWDWlA-1Y/KFD/@D8XEB'W5W/T+Y4R608]W'K3`QW6X&8+`?",
    "B1W|1&IX94&4X^X7&Y_8;@D5X$X#F/W1HW-'WG3+2`T'EF-1Z^F^eW$WU8+Y4YZ!3;EF1WN4+Y4!/W%YX*$WO1!*8Ze7;W4/Y)XIXr64jS8;Zmt",
    "akej^1Z+5WDJW823>YlW}XJX\\/EH29/B0X^292]`61X(Y:Y?60]R3J]Zq1!XM'WG2+1096]Y:W&110WtY=W(NYDYStake_all^X`WEA$XxWU4+",
    "-60]YZ!3Y;-52]!3WF-28]!9WF-36]!$B1Ya-4]`6WtZ=4]&$XK-260]Wn8456Z2!4W/4+-260]~3WtW+*65536;Z/A1X`4]!/ret;X6E1F4X:",
    "WKQVXJX6WG5+1100]M1&Z<B1YyYM2]&Z{1H$XuNXCOH1Y$2+110W~$W1A$YQ}.ZQ WZend(X00){Xp .^D`X9[WE`OY\\;`OY5;^723Y73WD23",
    "W857>;W:WcY5,`X9;^5^CWcY\\,Y5Z'`/Y\\,'`/Y5,'EQ32RZJWSW_Z.WwXpWyV5]!$B0YJWeWoT84]`696]M*W_Z4W:YGWgYH$XTXPW1*Z4W1",
    "QZ1W(8;XG$WdZP8;^33^13+0],'YDYSZ_Xw`^3`g`WX=^K9+YcWj2&1`75X<Wh1!UX%D`YZNQD`YY,XjXMWsXpZ)YuV8+7];Zj64Wz.sJ D8,h=",
    "A'W%WG4+92]M*0Y/5!QD'X)`,68]Z#YCD9&*'W<XyW,F'^qZiZG68]ZvE1A870WlF88;B'W5ZG4]Y:W/12+60WEWBXK35XBWOKK7;W.XIYwWyWo",
    "Y4!3X`7]!$ZhWOK*8X&6+6WEX-2&XjWa/X6XKZ@Y&6Y;^UI^$Y?Z@;E1A8600Z2!3W/4+Z@;E5,jQ!I^#B0YJWeWoXL&'E2*8;Y|exch^4WPV1]",
    ",'W#'E7,8592Z2W95,12YyYM1]&$WU7]jJ6Z>!$^$ZET6];E1*8584Z2!IZmwhenZ610WD20W822jR'X410`T'BW6ZG`?WHAZ1B1W|1&/WX4&4",
    "YnY+Z[XjUW4$W%X4X(W20M2&/X_WrR-44]W&WEOA$ZO`b2&NYh4Y~3+jhV6+jXjHYoY&2WIF3;ET!3X:Z|X?W-/^]11+156]!/W$ZmW:ej^AX0H",
    "X0FX04Z+27Y72WD194W882>YlW}1]W}2]W}3]W}WtZ/4!UW>F15X?0W`7,4Y/H*D0^QWh1!8;W0W5X|Wh0!$Zb9!3Z`4!11Xa6;W0E4!4^`9!3",
    "Z`6`V^%8;W0E5!Wl6!2^`11!3Z`6`V8W95!2Xa1$Zb11!3Z`8!7;E11!/E11!/E^%1/ZbT!3jFjFjFj}W<X+geWh19!UZb4K3^o4!10Xa6;W0E4",
    "!4^`9!3^o6`V^%8;W0E5!Wl29!2^`1K3^o7!6;E3W9^%1$WCWI4*Wl11!3^o10!W^3W93W9^%1W6WI38,Wl1K3`tji38,j?ji38,j?ji4*j?W$",
    "WO19!4!JX#K1UW4J;W.7:ld`u3]WIHWlK3Xa7W)W5YZ6!3W3Y}Z)YuV2];ET!3j4,h='WO1!0!10`76;W4'W%Zm~'^lAXVpHX0FX04Z+11WD28",
    "W851>YlZw1]Zw2]W}3]W}WtX\\IO1&2Z92&Y-W+*X/A2NW5`,14WtWS'X=Z\\14WMO2&2W&288]M*'XKYcY&5;EF-2NWCW3Z\\36]Y:Wi5,WQWE",
    "Ykld^+ZJB1W|1&2X&5+29XBWX4&2MHW)W+FW^K2ZEjhV5+1jXY0NY=divX}11&1$WG4+300]M3&WaNremX}4&Nmad.lo`b4&2&NW+FX/14YY1H",
    "WoWEX{X6W]UW]6;Z*7&/X6Z~T+`f3X,WtWO8!KUWAXyW,HW6W3W[3+36]Y:WJZKV12+108]R224];XiY0NY=Z~6+WEW{X6W]/W]IZ*4&/X6Z~4+",
    "`f3X,WtWO7!KUXCZ~4+Y2W(4Wf^*1$WdZP`z3'WdY#W\\3'X@^#X-11&*$WO28!*48Ze2/Yr'W.1:Z-begin^L){XsWvd<2>^@W('XUbeginj3",
    "Z-^?Yg238Y721WD334W8398>^_Xh8]Z'^nWnj`j>W&J]W&1X(W&T6]Yd104]j:Z?W&148]`GRYmRX7RZ@RXHM7,'BjO^b9,X/14Z(^/r=Ar#},V",
    "2+XdWiQWQjBM7,W)O7,j#WU18+`3W>KIX[/Xl0ZFXDZpW2'XAWuB0Y$4+24W~'W$@D1Xo$WBZpWj*32W*1A'X%D/B%ntXYX8*`1Nj=XKZkW&X5R",
    "`3Zo-$XK176];OQ-J;Zu17W9`*0MA3$ZDE29,128;W{L=4WV*`;17,0M5,jUWG6+24WEWS'ZtYm`GRZkW&Z5YdT36];X92&2RT6WMW?Y?Yjjg`E",
    "999`,T5XBWCWJW;8,WQ56WMYW38,8jfZEYjM2F`I18;B'XxYh20^^W'J!3X#K6;^gW0YUZf0&XM/Y):subXR15!15MQ0^[5000YbD2M*8;j%^c1",
    "28^RWY`5Z.X?Z{15!7;W4Zc;E19,1`jYtX221+Yf23Z:`&7^v15&17;ZDW>4AY059;W{Y)Zf*J^T18&9;W138,^uWA'WU41]W'44!IW#11X#XD",
    "W+H`J45W9F4224Z^9,^eX'8:Xg28,1Xf9,X225+Yf29Z:Y`W0Z,X'0:Y<IY<NZ*25&/W.0j;79!IW+1A8;WO21!4!/L=9:E1*8X8*15ZqQ'X%D2",
    "W2`14W/17+T6WMW?ZGTXdW2Zz$WCW&ZyZAWsXzW[5]W2YEW<X81Q15W=YiXmYW1H$X]X[UB'B^=`<L#:selpYiA*q#;W%Zjj(0XF8A$X_WrW'3!",
    "9`:KKIW$B-$`vanyYH1&'X)ZF1*`9^r*VXJW$Xi^sandYq6,D5AD/Z}YsXEZ}X317;X)W'39!3X|WcDKK1'W$notYqQD$W%B-$Z72&'X3/X)Z92",
    "0&1$Y<M0&8;X_D/Z73&NZsjc`H1!1$O8,$^kK90`4X%YP8X.88`L91!9AD0jI1*$`.ZHW[20]W2'orYq18,D*D$W19,X>;ZX7WV1*'B$XnY-Xg2",
    "Q1XfHX227+Yf43Z:`&0:X327;ZsO7,-J;Zu9W9`*0WN1]!26;W$BWg.bjKY91Q1X1ZRjL`MO3*-/OJ,-2jD9ZiW`7,j@10`211$Xn7W)O3&7/Xb",
    "1JYY6,Wo^95,ZVW3j<78;W4UL=6WV1QYEW.Wl59,1ZMV34+Zk!2WF56Wx$^~Y>&jMYj!2'E118,1Y;X7!2Y8!3WFXHY92A1j\\7F1X^X5&1Z]25",
    "!2X?^uW<jdX'2WVHWa$W(4/YL4$Z%W($XGJ;Y66;`CWH2&3UW$B3$B'B-1X15&3&4&4W*1AW-5j5UXk44:X975&73YnW)WBW?Wn1Xf6FX28+Yf4",
    "0Z:Y`W437;jP^mYfJZ:^djPWV*$W4$`l$YL11UZ%X'4:ldZ88]W*8*'B'EA128W=ZZA*D108YKYt64,AD1W=WbXmB12UWSWT12$L#`hT9Z]K86",
    "`DWW^Z5M98,WgYG-$X)W3`]d.gpuW;5,V9];Zj255Wz`xW6W'6!125X<j$KH199999;YkOF$^:5WzYCD0&HY*2&IW.^wT9!14$^qZiMQW6^rAV",
    "^YW14!UYkZHW;FZCW13!IW%W>Q^sjb'WWWrY:W`9,W7XZM92&$XZW2/WWYP'WBW>QZ.^2YU^w1!8;W0W16,`H1!1UO1*$^kK88`4X%WrW'4!4XF",
    "K3X.89`L89!89,D0^[$WRFWrW|1H$`.jb0W'9!9XFK9;X%WuWBldXzWK25,V14WEY=ZH`KWMW%W1QX>W=`'A*DZrA2000Y{1Q1&*D'^#X927&4M",
    "HW-J;XuJ;W.2:Xg2F1Xf19,X238+Yf4K2W/6+128]Y`XqWAIZ,XkJ^mYfJZ:^djl0:E36,1WN9+Zk!2WF56Wx37;^~Y>&ZcWFYj!43;E17F1Y;",
    "X7!2Y8^fXHY9A1j\\109,Y^X5&$YQWA3:shrYF4QW7XZM25&Z<`011]&'Y=OF1YJWeWoZ5&$W%X4Y>X8*7;W0Z=Y>&$W$W?WFYj!W^9,1Y;X7!2",
    "Y8^fXHY98,1j\\9,Y^X5&$L=5Wk69,j53W**$X_WuW(UXG5NY65N`CW$ZtZkY'^y]!$L=47:Xl'X94&35Yn`9W3`=^y];EA-$Xi`kW;3!K14'Yk",
    "j'ZpW3XXWb^NY%]W*AW6XhJ]Y$7+1328]&126Yn2X?'^>WsZ8Y2W('^Bj9`N8,0W*A$X_^Z01M12F`;9,W)`#BW7remX}1&3W*YV`@WI5,3;E19",
    "7!3j8QZCY1102XE`#W#'W#$WX17,^\\19ZB11NWL11UWL20/W0jE119jkj_49,`F^]55+XH!/Xk8:`#BW7remX}1&3W*YVW0W(6$XUj7Y19Xo/",
    "`#W#'W#$jV9;Y6JWf`s/WdY#W\\`SW$WR2*jWY[!$ZxpublishYg91WD221W8260>^_Xh8]Z'^nWn4'XKXdR72]RYcW&1J]W&124]M*'BW6WJ`K",
    "4+6WMW$X468]YdZ?`GM7,jO^b8,X/9YYQWojB;E1F8jfWJ^K9+X5R240]R2WpRY[RZ@RYmMAW6W&ZyW&XLR20WEW?M8,JW*7,jUO1*^a5!/^HW#",
    "'B%ntXY;W#'WX5,^\\J;WL18;WL2WT2/W0O1&J;Xb26^IJ;E^|j/^Mj,^zj-^z~2W-NO~0^|j&jj^{Wj*JZ918&$BYbWuE1QZa4&Z<Zd18~1NB",
    "W_Y*3&$j{5:@D20XOL=$X[/Bje1!/`826^x`)Wm9&j62IWH8,`-W%X326;ZsXl'W<^v17,3$Yr9;Y.BW7^SH32WmYVB-1YzZT`MZ$j)3$B0X13&",
    "2&3&7^J};Z$^P!76X11&7&j+}W*J,W)YoIYoIYo$bfiXt1!H32,32W'7!86X.K93`DWWD2W=X;A*D/E88!2Y'YT]!89Xe8]ZIJ]ZIWp!8XeX(!9",
    "0Xe4WxTXeWqZIY3!9;W$Zor=6M55,'WR5,WuE10*870NB'W5W/99+Y4Z>!/ZhZh^VXjWa'W.WV56,Zr7,NXAWrM*Y_ZB9;j]XD^j1!97!1A`%4!",
    "U^h1!1$`(108W9ZnY18XE^$;Y141XEE65,3W`H/X]W#69;W>118W9H$Xi4^<UW#46WI6,W^129!IXnNW5X8A1UXn38;WCW|F/WXH-8;BWZ^6;O1",
    "&IWX5,1Wz^4YBA$Zl[r=4]W`A32Y/KYNYxWcr=7`>ZfFJX84F3$XAWuOH-J`B1Y]WBZd81!2W'18`}QW-j[@D45Xo$Bje1!17;`881!3;EF4`)",
    "Wm8&j658;WH6,`-W%W+J,W^32!/X[WIAW7Z/K38X`6]!IY,0&56`B7/Yr/W.3:Ys6X$Z04'E75,832'E45,1Z>W9QjQ!81WN7+Ym^fX7!/BWs`=",
    "YT+Y3jdZlYT+WqZ324Wx1YaX5&0X^26W~88;Y(4A'WR35,XvWA2M29,Y_7Uj]1!78;^j1!78!78,`%3!N^h1!78;`(80W9ZnZxY%Yg406Y734WD",
    "641W8787>;Zg1 Z)YR^Ggoes_on;Zg8 WcYR^G~/^_XcY3Z'^nWn4'XKXdRWqR72]j>W&1J]W&124]M*'B'Br=$WCWJWKAV6+6WMW$X4-WpW&92",
    "]W&96]YdYcj:72]W&108]YdZ?RT6]R144]R152]RJ0]RJ8]`GM1FjO$WL^b1QX/17Z(^/r=1Ar#},V2+XdWiQWQ~57,VXJY(J,WTZB^b17,X/1K",
    "2WiQWojB;E27,8jfX&15+ZyRYvR568]W&XLYdX5R240]R2X(R2WpRY[RXHRZ@R`3^{Wj*JZ914&$BYbWuEJ,Za4&Z<Zd19!2W'6`pW%WHH0`QW-",
    "j[@D10XOL=$X[NBje1!/`831!3;EF4`)Wm9&2j0Za3&Y-YXXj19;WH7,`-W.WV17,W)`U0^0jaW_0Y'^t]!'Y(2*WgYG-$ZsW13QX>W*19,J;W:",
    "YqHYbD1IXTL='O3A^a32!/W#NY.W#'O1F-X~AIBW)WXF3Wm1&/~-WT46;WL3NWL3UWL5W)jE31^IJ;E^|j/^Mj,^zj-^z~*jjWX1*3MAW-IWXHI",
    "O10&6;W5M*~(^|~$YX*-1jjXl'@D9X$Wj15,W7ZDB'B%ntXY;BW7^SH32WmYVB-1YzZT`MZ$j)31X12&10&3&7^J};Z$^P!52X11&7&j+};@DJ",
    "XEYoNYo/YoIbfiXt1!H32,32W'7!87X.K102`DWWD2W=X;A*D/E90!2Y'YT]!90Xe8]ZIJ]ZIWp!8XeX(!91Xe4WxTXeWqZIY3!9;W$Y.^SAW7B",
    "32Wm1&IB-1YzZTNZor=2M7A'WR5,Wr^c870NBWT11NW5Y?Y4X`4]!/ZhZh^VXjWa'W.WV67,Zr28,NXAWrM*Y_`21W6M*IW1XD^j1!99!1H`%4!",
    "U^h1!1/`(125W9Zn`N1AW)^$;W<X+leXS56&/W0E56,^FX]W#8UW>95W9H$Xi4^<UW#45WI6,W^147!IXnNW5X8A1UXn6/WCW|F/WXH-8;BWZ^6",
    ";O1&IWX5,1Wz^4YBA$Zl[r=4]W`A32Y/KYNYxWcr=7`>ZfFJX85*3$XAWuOH-J`B1Y]WBZd7K2W'18`}QW-j[@D44Xo$BZ1O9,-J;W#/E1!17;",
    "`879^x`)Wm4&j664;WH7,`-W%W+1AW^32!/X[WIAW7Z/K38X`6]!IY,0&64`B29;Yr/W.3:Ys7X$^c832'E4H1Z>W9QjQ!80WNJ0+Ym^fX7!/B",
    "Ws`=YT+Y3jdZlYT+WqZ324Wx1YaX5&0X^26W~97;W<^v29,4M32,YbWrMAY_7Ij]1!76;^j1!76!76,`%3!N^h1!76;`(78W9ZnX{WA6WV11H0",
    "WjA64;WWWuWBOA-W7W>18FY020'W{Y)Wk117,'XAD4^QWh185!/WRQYPUOH-W7Y.OA-32W*FW)W?W*69,ZzW6X&30+TWqZA'X4Z5ZA'YUXIXXja",
    "'XCZo-$Xl1&5W3XXZ)Yuj*`P0W*12H'^>IW>FY0`<L=8:`{7&/L=8X+geXS12&1I`@WIH7;E208!IZu4Z(XzW;6,ZCW$W?W*9,'B'Br=$WCX&12",
    "+TWqZA'X4Z5W2Y*YVW4'WBW]9;OA$W]4M2&$XADUB-$Z73&'X3/@D1Xo7W*5,'Z71&$X3/@D1Xo'BWg.bjK!$B1X1ZRjLNO2F-/O3Q-34jD117;",
    "XTL#W`6,j@20`221$Xn14UW0O3&147;Xb81YY6,Wo^95,ZVW3j<15IW4UL=6WV36,`F`U1^0ja0Y'^t]!19;X'4:W]3$Y<IZ*32&/W.4:Ys5X$",
    "WIA3;E231!3W3Y}Z|Y'^t]!$Y112XoIW#47;W#4UWX7,^\\22ZB27;WL2ZB2W7W0jE32jkM*W-/Xu/W%Xl'L=52:^OZ)Yuj*`PW)@D61X$M3A'B",
    "'E5F1Y/85!FD'Zl^t];W?WN78+Yv!3jN!5Ya`+0X^Zy&172RX7Wn1Z3^i!5Y8!$B1`|X5`y}W&256];Z=XL&1ZF6,0^QW,K$X_XvW<Z3Y[!$X'",
    "Wk17FW)O157,j#WU3+`?W>KIW#6;Xl0ZFXDWR7,WuB0Y$4+X5&'W<X+neW,KXMIWAWV9,0Wj4*W7WWD/B%ntXYX8*`1Nj=^{ZEYvW&XLR`?Zo-$",
    "XK`3W+HW^195W9`*0MH3$ZDldZ88];EA128;W{^#@D9X$W*7H0M6,jUWG6+256];WS'ZtX7RYmRYvW&Y>YdT4WtX92&2RT6WEW?Y?Ypjg`E999",
    "`,T6WMWCWJW;8,WQ56WEW$ldXzW[290]Y?YpM186,`I18;B'XxYh19^^W'15!3X#K6;^gW0YUZf0&XM/Y)WkQ0XF1A5000YbD2M*8;j%^c128^R",
    "WY`5Z.X?Z{T!17;W4Zc;E30F1`jYtX220+Ye2K2W/6+T6]`&7^v15&2Z<W>4*Y010`<X6ZpWj*J;OA-J^T1&1Z{37,^uWAWsZ8WE^{W/41]W'44",
    "!IW#14X#XDW+H`J7W9F4224Z^9,^eX'8:Xg28,1Xf1HX225+Ye29Z;Y`W0Z,X'0:Y<IY<NZ*25&/W.0j;150!IW+1Q8;WO21!4!/L=9X+neW,H",
    "Zr*1UWWD2W2`14W/J+T6WEW?ZGTWqW2Zz$WCW&Z5ZAWsXzW[Y3W2YEW<X815,15W=YiXmYW1A$X]X[UB'B^=`<L#:selpYiA*q#;W%Zjj(0XF34",
    "F$X_WrW'3!9`:KKIW$B-$`vanyYH1&'X)ZF1*`9^r*VXJW$Xi^sandYq6,D5AD/Z}YsXEZ}X317;X)W'39!3X|WcDKK1'W$notYqQD$W%B-$Z72",
    "&'X3/X)Z923&1$Y<M0&8;X_D/Z73&NZsjc`H1!1$O8,$^kK352`4X%YP8X.350`L353!35FD0jI1*$`.ZHW[20]W2'orYq18,D*D$W19,X>;ZX7",
    ":B$Xn$@D68XEXg3A1XfHX227+Ye43Z;`&0:X327;X)WN57]!2NW$BWg.bjKY91H1X1ZRjL`MO29,-/O3*-2jD10ZiW`7,j@^=126;Xn10NW0O3&",
    "8$Xb127YY6,Wo^95,ZVW3j<9IW4UL=6:@D25XOW.4WN29+Yv!55jN!$^~`+jMYp!19;E11F1Y;^i!3Y8Y92A1jG77,Y^XL&1Z]24!2X?^uW<Z3",
    "Y[!$X'2WVHWa$W(39Wf^*38;Z%W($XG1UY6U`CWH2&3NW$B3$B'B-1X15&3&4&N@D5Xo5j5NXk44:X977&75YnW)WBW?Wn1Xf6HX28+Ye43Z;Y`",
    "W437;jP^mYeJZ;^dZ,Xk88Wk6F`I63;E256,$WHT9,'Br=$XxZu14^^`$Xa7;^gW490ZeIW4$WAWk97,W)O5,^a258!/W#97ZqXDWH6&14UW4I",
    "W%WU20+YpW'227!3`E999;WH1&$YrXF89,$WHAWa'WU5+Yj`$XFK4W=WK*XmXk60WV8,Wa6;`l2'YL127;Z%X'9:ldZ88]W*88,'B'EA128W=ZZ",
    "A*D114YKYt64,AD1W=WbXmB12UWSWTTIL#`h149Z]K9`DWWXvWA0M156,WgYG-$X)W3`]d.gpuW;5,V9];Zj255Wz`xW6W'6!T7X<j$KH199999",
    ";YkOF$^:5WzYCD0&HY*2&IW.^w149!15$^qIXTXP@D5X$^rAV^YW14!UYkZHW;FZCW13!IW%W>Q^sjb'WWWuYsX$W`9,W7XZM100&$XZW2/WWYP",
    "'YUXyW,HW)YU^w3!7;W0W15,`H1!1NO1*$^kK100`4X%WrX.100`L100!10*D0jI1H$`.ZNJ,DUj=ldXzWK3FV99];Y=ZH`KWMjcX>W=`'A*DZr",
    "A2000Y{1F1&*D'^#X935&4MHW-J;XuJ;W.TWk25,`I24YZF$B'XxYh45^^`$Xa7;^gYr15ZeXM$WAWk26,W)OQ^a43!/W#26ZqXDW4IW%WU40+",
    "YpW'258!3`E999;YrXF35,$W:Z&h=8,Wa'WU5+Yj`$XFK4W=YiXmX'7:Xg39,1Xf25,X210+Ye25Z;Y`XqWA8;jl1^mYeJZ;^djl5:E5A1WN9+",
    "Yv!2jN!5/B0Ya`+ZcWFYp!57;E19Q1Y;^i!4Y8Y9A1jG119,Y^XL&$YQWA8:Ys8XEWB`09]&'Y=O32,1YaY>&$W%X4T60]X8*7;W0Z=`+$W$W?",
    "WFYp`V7,1Y;^i!4Y8Y97,1jG8,Y^XL&$L=5XIXX~62W**$WR177,WuW(UXG6$Y66$`CW$ZtYvY'^y]!$L=57:Xl'X979&43Yn`9W3`=^y];EA-$",
    "Xi`kW;3!KJ/Ykj'^OWb^NY%];@D85X$XhJ]Y$7+Zy&27W*A2X?'^>WsZ8Y2W('^Bj9`N*$WR189,^Z11MT*`;7,W)^pT5W*87&I`@WI5,3;E270",
    "!3j8QZCY1110XOXPW#$W#/WX1Q^\\23ZBT`214WT24Y-O1&19;Xb144jkj_49,`F^]55+Y[!/Xk8:^p14W*15&Y]W(6$XUj7Y19Xo/W#$W#/jV7",
    ";Y614Wf`s/WdY#W\\`SW$WR2*jW2Wp!$ZxcheckYg37WD74W886>;Zg4 XNYR~#Y%^_XhWpXhJ]Z064j>W&J]W&1X(W&14WEZpW2W)Xg6,1/W{",
    "XxB50'`dZ{HX>;W%W($YLjuYtjsYM2]&'W<XIXXWej.&1W2W)W(/`RY@`eeqW,*W-'XuIW%`01]&'jCM*Z<W('YLIZ%Y=WU8+Z5R2Y2maxXRK3",
    "W'5!4W/6+T6]YIW,4!2YKjv1K2W/3];B0Y$6+2Wp`62ZJZ=2X(&1W*FWgYG'X)RZ?`:1!7`>X+ltW,Q$^qIXTL=/W]'`d'W$jCM*1W=WbXmW(18",
    ";XG'j2jCW2XM8;W(18;^Bj9W$XlWsXXWbj.W21W*1Q'XAWrMJ,`;J,W)Y.^p2W*19&I`@j8*V18];Y(2AW)W#/W#IWXF~.W)O26,3Wm6&6;WH5,",
    "'L#Wk*W_WT`~O5&/Xb26YYFYOWi5,^A5,WQY2W$j1X@O7,-/^;9jAX@OH-$^;9jAX@^;9jAX@^V*NYX*NO9&2YnY+WAWk9,W-IO9&NW5M*W_WT",
    "`~Xb1K2WiFYOWi5,^A5,WQY2W$j1j&j_29,`F~,ZMV36+X7!/Xk8:Y.^p2W*J&Y]W(4UXUj7Y(1QW-/W#/W#IjV8;Y6`z/WdY#W\\`SY(*'WR3A",
    "jW^U$Zxcopy^L){XsX*r<11W86>XcWqXcXd^@^n;`w^?;B%ctaXY;Y.W+1&$^HW#'EK/B%nctaXY;W+0&/W(NXGNY67Wf3XQ3W\\4WfY#W\\`S",
    "Z-markYg7WD39W840>XcY3XcYcZ'OF-2MF/EHW7ZDX=Z\\XLY:R4WMOFIW?Y?4WEW+QW^3!2X,3]W'6!I~+1H6176;E1K/EZnX{XCWG23+256];",
    "X91&17MHW6W/1]jJ6;W#J;Z/K2X`5]!I`N18,Wa/W?;W+17,8W/7+WqY&3WwWyV2]!NZxchooseYg4WD29W817>XcYcXc72]XhX(XhWpYl`QW)",
    "X\\$WGXJminZT/WBX\\IW#4W/3+24WMXijHW#7ZF1!1W=WK7,XmX6W(9;XG'j2Z-clockYg4W822>;WS$ld`uWMX\\$ZtZJXgF`JA8456;EA832",
    "8;W5X:WY4]`78;ZDW?W'1!8^[5000000Wa/W{X6W?X`9]!$^$X`9]!6;WO0!*1X#*9;W4/XCZ-end^L){XsWvd<2>^@W('XUendj3`c",
};
/* end of the PTX */
enum { SFI_RESIDENT_PTX_SECOND = 92 };       /* '#' to '~' */
/* Returns the end of what it writes to `to`. code_of: of an ASCII character, from 1 up; 0: it stands for itself. */
static char *sfi_resident_ptx_unpack(const uint8_t *code_of, const char *from, char *to)
{
    const uint32_t shorts = SFI_RESIDENT_PTX_SHORT_CODES;
    for (; *from; from++) {
        uint32_t word = code_of[(uint8_t)*from];
        if (!word--) {
            *to++ = *from;
            continue;
        }
        if (word >= shorts) {
            from++;
            word = shorts + (word - shorts) * ('~' - '#' + 1) + (uint32_t)(*from - '#');
        }
        to = sfi_resident_ptx_unpack(code_of, sfi_resident_ptx_words[word], to);
    }
    return to;
}
/* Decimal. gen_ptx.py compiles this section alone, so it calls nothing from outside of it. */
static char *sfi_resident_ptx_digits(uint32_t n, char *to)
{
    if (n > 9) { to = sfi_resident_ptx_digits(n / 10, to); }
    *to = (char)('0' + n % 10);
    return to + 1;
}
typedef struct sfi_resident_ptx_names {      /* of a letter: how many; their numbers, the one used last first */
    uint32_t count;
    uint32_t recent[SFI_RESIDENT_PTX_NUMBERS];
} sfi_resident_ptx_names;
static char *sfi_resident_ptx_number(const char *from, char *to)
{
    static const char letters[] = "drhqL";
    sfi_resident_ptx_names names[sizeof letters];
    memset(names, 0, sizeof names);
    for (; *from; from++) {
        const char *letter = *from == '#' || *from == '=' || *from == '<' ? strchr(letters, to[-1]) : NULL;
        sfi_resident_ptx_names *of = &names[letter ? letter - letters : 0];
        if (!letter || *from == '<') {
            if (letter) { of->count = 0; }   /* a function declares its registers of a letter */
            *to++ = *from;
            continue;
        }
        uint32_t at = *from == '#' ? of->count++ : 0, number = of->count;
        if (*from == '=') {
            for (; from[1] >= '0' && from[1] <= '9'; from++) { at = 10 * at + (uint32_t)(from[1] - '0'); }
            number = of->recent[at];
        }
        memmove(of->recent + 1, of->recent, at * sizeof *of->recent);
        of->recent[0] = number;
        to = sfi_resident_ptx_digits(number, to);
    }
    *to = 0;
    return to;
}
/* PTX version 7.8 for sm_75 has no griddepcontrol: the instruction is for sm_90 and later. */
static void sfi_resident_ptx_fit(char *text, int capability)
{
    char *at = strstr(text, ".target sm_75");
    if (capability >= 90 && at) { memcpy(at, ".target sm_90", strlen(".target sm_90")); }
    for (at = text; capability < 90 && (at = strstr(at, "griddepcontrol.")) != NULL;) {
        size_t length = strcspn(at, ";") + 1;
        memset(at, ' ', length);
    }
}
/* Writes the PTX for a device to `text`, of SFI_RESIDENT_PTX_ROOM bytes. Returns its bytes, with the 0 at its end. */
static size_t sfi_resident_ptx_text(char *text, int capability)
{
    char *unpacked = text + SFI_RESIDENT_PTX_AHEAD, *at = unpacked;
    uint8_t code_of[128];
    size_t i;
    memset(code_of, 0, sizeof code_of);
    for (i = 0; sfi_resident_ptx_codes[i]; i++) { code_of[(uint8_t)sfi_resident_ptx_codes[i]] = (uint8_t)(i + 1); }
    for (i = 0; i < sizeof sfi_resident_ptx / sizeof *sfi_resident_ptx; i++) {
        at = sfi_resident_ptx_unpack(code_of, sfi_resident_ptx[i], at);
    }
    *at = 0;
    at = sfi_resident_ptx_number(unpacked, text);
    sfi_resident_ptx_fit(text, capability);
    return (size_t)(at - text) + 1;
}
/* end of the decoder */
/* Loads the PTX, and each kernel now: a load beside a running loop would wait for its end. */
static sf_result sfi_resident_load_kernels(sf_resident *r)
{
    char *text = (char *)r->heap.alloc(SFI_RESIDENT_PTX_ROOM, r->heap.user);
    if (!text) { return SF_ERROR_OUT_OF_MEMORY; }
    sf_result result = sf_module_load(r->device, text, sfi_resident_ptx_text(text, r->capability), SF_MODULE_SHARED,
                                      &r->module);
    r->heap.free(text, r->heap.user);
    for (int k = 0; k < SFI_RESIDENT_KERNELS && result >= 0; k++) {
        result = sf_module_get_function(r->module, sfi_resident_kernels[k].name, &r->functions[k]);
        if (result >= 0) { result = sf_function_preload(r->functions[k]); }
    }
    return result < 0 ? sfi_resident_device_failed(r, result, r->name, "sf_resident_build") : SF_OK;
}

#endif /* STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION */

#pragma pop_macro("slots")
