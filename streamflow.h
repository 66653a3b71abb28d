/*  streamflow.h - operators wired into a flow over GPU streams, in plain C, with a CPU twin of CUDA's streams

    A camera, radar or radio engineer writes operators (functions) and wires them into a flow. Each operator enqueues
    GPU work and returns at once; the library keeps that work in order across operators with events, never by blocking
    a CPU thread, reuses buffers only when their last GPU user is done, and runs an operator when its inputs and
    outputs allow. The same program runs without a GPU, on a CPU backend that keeps CUDA's rules, down to a
    microcontroller without threads, heap or OS.

    DO THIS in exactly one C, C++ or CUDA file; everywhere else include the header alone::

        #define STREAMFLOW_IMPLEMENTATION
        #include "streamflow.h"

    Compile with    cc -O2 -pthread program.c    (glibc before 2.34: -ldl, too). CUDA is loaded when the program runs:
    nothing of it is needed to build. Kernels are yours: compile your .cu files with nvcc, -DSF_WITH_CUDA_BODIES for
    the C files that name their launchers, and link with the CUDA runtime.

    THE SMALLEST FLOW: a source of three numbers and a sink that adds them up. Values of up to 16 bytes travel in the
    message itself::

        #include <stdio.h>
        #define STREAMFLOW_IMPLEMENTATION
        #include "streamflow.h"

        static uint64_t sum;
        static sf_result count(sf_context *ctx)
        {
            sf_value v = { .u64 = ctx->run + 1 };             // how many computes went before: 0, 1, 2
            return sf_emit_value(ctx, 0, v);                  // to output 0; leaves when this returns SF_OK
        }
        static sf_result add(sf_context *ctx)
        {
            sum += sf_receive_value(ctx, 0).u64;              // from input 0; there is one, or this would not run
            return SF_OK;
        }
        int main(void)
        {
            sf_flow *flow = sf_flow_create(&(sf_flow_desc){ .logger.func = sf_log_stderr });
            sf_op a = sf_add(flow, &(sf_op_desc){ .compute = count, .out = {{ .name = "n" }}, .count = 3 });
            sf_op b = sf_add(flow, &(sf_op_desc){ .compute = add, .in = {{ .name = "n" }} });
            sf_connect(flow, a, "n", b, "n", NULL);
            if (sf_run(flow) < 0) { puts(sf_flow_failure(flow)->text); }
            sf_flow_destroy(flow);
            return sum != 6;
        }

    AN OPERATOR WITH A KERNEL. A kernel has one name and a body per backend; its arguments are copied at the call. The
    host body runs on worker threads, in order per stream, and does its slice of the work::

        typedef struct { float *out; const float *in; int32_t n; } scale_args;
        static int scale_host(const sf_slice *slice, const void *p)
        {
            const scale_args *a = p;
            for (ptrdiff_t i = sf_slice_begin(slice, a->n); i < sf_slice_end(slice, a->n); i++) {
                a->out[i] = 2 * a->in[i];
            }
            return 0;                                         // an error code here is what a trap is on a GPU
        }
        int scale_cuda(void *stream, const void *args);       // in a .cu file: <<<..., (cudaStream_t)stream>>>
        static const sf_kernel scale = {
            .name = "scale", .host = scale_host, .cuda = SF_CUDA_BODY(scale_cuda), .slices = 8,
        };

        static sf_result compute(sf_context *ctx)
        {
            sf_tensor *in = sf_receive(ctx, 0);               // lent until this returns
            sf_tensor *out = sf_tensor_like(ctx, 0, in);      // from output 0's pool: its port says .bytes
            scale_args args = { out->data, in->data, (int32_t)in->shape[0] };
            sf_launch(sf_compute_stream(ctx), &scale, &args, sizeof args);   // runs after whoever wrote `in`
            return sf_emit(ctx, 0, out);                      // carries our stream; nobody waited
        }

    An operator that reads results on the CPU declares  .when = {{ .kind = SF_CONDITION_STREAM }}  and gets them in
    SF_MEMORY_PINNED (the producer's output port says .memory): then it runs when the GPU is done, and not before.

    STREAMS. sf_compute_stream() is the operator's own stream, ordered after all that it has received so far; what it
    emits carries it. Call it after sf_receive(), and again after receiving more if you kept no call in between. Per
    compute this costs at most one event record, and one wait per input that comes from another stream. A tensor that
    is created on a reused block waits, on the GPU, for every stream that received it before. The calls of Holoscan's
    operators (sf_receive_stream, sf_allocate_stream, sf_set_stream, ...) are there for work by hand.

    REGIONS. Operators with the same sf_op_desc.region run as one, each once, when all of them can. What their
    computes launch, copy and set on sf_compute_stream() is written down and goes to the device as one graph at the
    end of the turn, independent operators side by side; then their messages leave. The first turn captures; one that
    launches the same as one of the last eight different ones replays that graph, another one updates the oldest. A
    launch is the same if its arguments are, byte by byte: memset() a struct that has padding before it is filled in.
    The computes are called on every turn, so results are those of the flow without regions; a stream that does other
    things (events, host functions, a wait, sf_launch_kernel()) is not for a region, and says so. A region ends when
    one of its operators does; who receives from one that says SF_DONE and nothing else is left out of that turn, and
    what others have sent it is a deadlock, as without a region. Graphs allocate when they are captured or updated.
    What a copy reads has to last until it has run: no local variables. An operator's device time is that of its
    region.

    THE STREAM LAYER ALONE is the CUDA driver in plain C: cuFooBar() is sf_foo_bar(), with its rules and its codes.
    With SF_BACKEND_HOST the same calls do the same on the CPU. A host device can also run everything on one thread in
    a chosen order (sf_device_desc.host.order): seeded, repeatable, in virtual time: a missing wait shows in a test,
    not in the field. README.md has all calls beside the driver's, and where the two backends differ.

    CAPTURES AND GRAPHS. What is enqueued on a stream that captures becomes nodes of a graph; records and waits, fork
    and join become its edges. Nodes are added by hand, too: children, memory, and conditionals, whose bodies are
    graphs to be filled. Here how often `step` runs is decided where the numbers are; the CPU launches once and waits
    once::

        typedef struct { float *x; int32_t n; } step_args;
        typedef struct { const float *x; sf_conditional loop; } more_args;
        extern const sf_kernel step, more;                    // as above; `more` ends with, in its host body,
                                                              // sf_conditional_set(a->loop, x is not good yet)
        sf_result solve(sf_device *device, sf_stream *stream, float *x, int32_t n)
        {
            sf_graph *graph = NULL, *body = NULL;
            sf_graph_exec *exec = NULL;                       // it and the graph go with the device, at the latest
            step_args a = { x, n };
            more_args b = { x, 0 };
            sf_node_desc again = { .type = SF_NODE_CONDITIONAL };
            sf_graph_create(device, &graph);
            sf_graph_conditional_create(graph, 1, true, &b.loop);             // 1 whenever the graph is launched
            again.conditional.handle = b.loop, again.conditional.type = SF_CONDITIONAL_WHILE;
            again.conditional.bodies = 1, again.conditional.body = &body;
            sf_graph_add_node(graph, NULL, 0, &again, NULL);                  // after nothing; gives us the body
            sf_stream_begin_capture_to_graph(stream, body, NULL, 0, SF_CAPTURE_THREAD_LOCAL);
            sf_launch(stream, &step, &a, sizeof a);                           // nothing runs yet
            sf_launch(stream, &more, &b, sizeof b);
            sf_stream_end_capture(stream, &body);
            if (sf_stream_get_failure(stream) < 0 ||                          // a call above, looked at or not
                sf_graph_instantiate(graph, 0, &exec) < 0) { puts(sf_device_failure(device)->text); }
            sf_result r = sf_graph_launch(exec, stream);                      // as often as you like
            return r < 0 ? r : sf_stream_synchronize(stream, SF_FOREVER);
        }

    LAZY OPERATIONS are described first and touch nothing; a policy picks the stream when one is scheduled. A function
    of yours in between (sf_lazy_do(), sf_lazy_then()) enqueues its work and returns at once; its output is the input
    of what comes next. All that a submission touched is kept until the GPU is done with it, then dropped::

        typedef struct { float *out; const float *in; int32_t n; } scale_args;
        extern const sf_kernel scale;                         // as above

        static void show(sf_future *future, sf_result result, void *user)     // on a thread of the library's own
        {
            (void)future;
            printf("%s: %s\n", (const char *)user, sf_result_string(result));
        }
        sf_result frames(sf_device *device, const scale_args *half)
        {
            sf_lazy *row[2], *frame;
            sf_future *future = NULL;
            sf_result r;
            row[0] = sf_lazy_kernel(device, &scale, &half[0], sizeof *half);
            row[1] = sf_lazy_kernel(device, &scale, &half[1], sizeof *half);
            frame = sf_lazy_graph(sf_lazy_par(row, 2));       // side by side; the first run captures, others replay
            r = sf_sync(sf_lazy_retain(frame), NULL, SF_MS(100), NULL);       // NULL: one of four streams, in turn
            if (r == SF_OK) { r = sf_schedule(sf_lazy_retain(frame), NULL, &future); }
            if (r == SF_OK) { r = sf_future_on_ready(future, show, "second frame"); } // the first use submits it
            sf_future_drop(future);                           // it still runs, and tells
            sf_lazy_drop(frame);
            return r;
        }

    ERRORS. Calls of the stream layer return an sf_result: minus CUDA's code, on both backends. After one that failed
    sf_device_failure() has its name, what was wrong and what to change; it is the device's latest failure: ask before
    another call fails. A call without a valid handle tells the device that its thread asks next. What CUDA refuses
    without a word, a graph above all, is refused with node and reason. After a fault each call returns its code, and
    the sentence is the fault's. Lazy operations made from NULL are NULL, and whoever schedules one is told; an
    operation that fails ends its submission, whose future has the error. A flow keeps its first failure: build it
    without looking, and ask once, after sf_run(), with sf_flow_failure(), for a sentence that names the operator, the
    call and the remedy. Errors that on_error takes are counted and logged, and are not how a run ends.
    sf_flow_check() finds all that is wrong with a flow before it runs. Inside a compute, a failed call on its context
    or on one of its streams fails the compute, looked at or not. Set a logger and you read it as it happens.

    MEMORY. The stream layer allocates where something is made, captured, instantiated or scheduled; enqueueing and
    graph launches allocate nothing, but for CUDA host functions. A flow allocates while it is built and in its start;
    after that, nothing (but for pools that say so: SF_MEM_POOL_ASYNC, SF_MEM_POOL_UNBOUNDED; sf_tensor_wrap() beyond
    what was ever wrapped at a time; a stream that an operator allocates by a new name; CUDA host functions). With
    sf_flow_desc.memory the flow lives in one block of yours; sf_flow_memory() says how large. An output port's
    default pool has as many blocks as the queues behind it hold, and two. An operator is not scheduled before there
    is a block and room for what it emits. What lazy operations make goes to their drop_value when its last GPU user
    is done.

    THREADS. Stream layer: any; a capture that is not RELAXED is ended by the thread that began it. A lazy operation's
    functions run on the thread that submits it, on_ready functions on one of the library's own, or in
    sf_device_poll() where there are no threads; host functions and callbacks on threads that must not call the
    library, but for the three calls below. Building a flow: one at a time. sf_run() runs the operators on the
    caller's thread, sf_start() on one of its own, sf_flow_step() one at a time inside your loop; sf_flow_desc.workers
    asks for threads, in groups that operators choose from, and .jobs hands the computes to a task system of yours.
    sf_push(), sf_signal() and sf_stop() may come from any thread or interrupt, or a stream's host function; tensors
    are wrapped, retained and released on any thread. An operator never runs twice at once; functions of conditions,
    hooks and data loggers run on the threads of operators, those of one operator never at the same time.

    BARE METAL. SF_NO_STDLIB, SF_NO_THREADS and SF_NO_CUDA, all three; nothing is needed but memcpy, memset and the
    compiler's own arithmetic. There is no clock but sf_flow_desc.clock.now: without one, or a simulated one, no
    condition of a flow may wait for a time. Without threads, host commands run inside the calls that wait or poll,
    on_ready functions inside sf_device_poll(); and the timeouts of devices, streams, events and futures are in the
    host device's virtual time, in which each try of a slice takes sf_kernel.host_ns.

    MACROS, where the implementation is, unless it says otherwise
        SF_STATIC              everywhere: all functions are static to their file
        SF_API                 everywhere: how public functions are declared; default extern
        SF_WITH_CUDA_BODIES    where kernels are defined: SF_CUDA_BODY(f) is f; without it NULL
        SF_NO_CUDA             no CUDA backend; implied by SF_NO_STDLIB
        SF_NO_THREADS          no threads, no locks
        SF_NO_STDLIB           no malloc, no stdio: set desc.memory or desc.heap
        SF_CRITICAL_ENTER()    without threads: around what an interrupt shares; default on Cortex-M: mask them ...
        SF_CRITICAL_EXIT()     ... and elsewhere nothing
        SF_DEBUG, SF_ASSERT(c) check the library itself
        NVTX_VERSION           nvtx3/nvToolsExt.h was included before: each compute is a range of its operator's name

    DOES NOT, ever: own a main loop that you cannot replace, need an SDK, block a CPU thread to order GPU work.

    CONTENTS, in the order of this file. Declarations:
        >>result >>device >>stream >>event >>memory >>kernel     CUDA streams in plain C, and their CPU twin
        >>capture >>graph >>lazy                                 kept and replayed; described, and run later
        >>tensor >>compute >>operator >>flow >>observe           operators, ports, edges, conditions; run and look
    Implementation:
        >>config >>platform >>text >>heap                        what the rest stands on
        >>backend >>nodes >>host >>plans >>cuda                  the stream layer: a table, graphs, two backends ...
        >>streams >>captures >>graphs                            ... and its public part
        >>operations >>futures                                   lazy operations: run; scheduled, waited for
        >>order >>pools                                          order across streams; pooled streams, tracked memory
        >>flows >>build >>check >>layout                         a flow's structures; built, checked, laid out
        >>bells >>ready >>conditions >>messages >>ending         who can run
        >>engine >>hooks >>regions >>tensors >>control           running; what a compute calls; start to end
        >>reports                                                looking

    TRUE FOR EVERY DECLARATION, unless its comment says otherwise
        names      stream layer: cuFooBar() is sf_foo_bar(), same rules, same codes, on both backends, with an order
                   of its own: the object first, results last.
        handles    typed opaque pointers for what you create, ids for what lives inside a flow. NULL and a zero id
                   are never valid, never crash, never mean "the default". One that was destroyed, or belongs to
                   another device, is SF_ERROR_INVALID_HANDLE, as long as its device is open; but nothing is left of
                   a flow, a loop or a device that was destroyed or closed.
        results    negative is an error, zero is fine, positive is a status. Stream layer: every call returns its
                   own. Flow: builders return the new thing, the first error sticks, sf_run() reports it.
        descs      zero means default, in every field; NULL means all defaults. Copied by the call, with strings.
        time       int64_t nanoseconds, unless the name ends in another unit. Timeouts: 0 polls, SF_FOREVER waits.
        ownership  what you create you destroy; what is lent says so. Destroying a stream or an event never waits for
                   the GPU and never frees early: it goes when its last queued work is done.
        threads    stream layer: any. Building a flow: one at a time. A context: inside its hook only.
        memory     sized and taken in create() and start(); see above for the exceptions.

    License: MIT or public domain, as you like: see LICENSE.                                                       */
#ifndef STREAMFLOW_H
#define STREAMFLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SF_VERSION 100                       /* major * 10000 + minor * 100 + patch */

#ifndef SF_API
    #if defined(SF_STATIC) && defined(__GNUC__)
        #define SF_API static __attribute__((unused))
    #elif defined(SF_STATIC)
        #define SF_API static
    #else
        #define SF_API extern
    #endif
#endif

#define SF_FOREVER ((int64_t)-1)
#define SF_US(n)   ((int64_t)(n) * 1000)     /* nanoseconds, as constant expressions */
#define SF_MS(n)   ((int64_t)(n) * 1000000)
#define SF_HZ(n)   ((int64_t)1000000000 / (n))       /* the period of a rate */

#ifdef __cplusplus
extern "C" {
#endif

/* >>result -------------------------------------------------------------------------------------------- */

/* Errors are minus CUDA's own code (CUresult; cudaError_t agrees): nothing is lost in translation, and a code
   younger than this header passes through unharmed. What CUDA has no word for lies below -1000. */
typedef enum sf_result {
    SF_OK = 0,
    SF_DONE = 1,                             /* compute: run me no more. sf_flow_step: the flow is complete */
    SF_IDLE = 2,                             /* nothing to run at present */
    SF_BUSY = 3,                             /* full at present, nothing was taken: try again */
    SF_TIMEOUT = 4,                          /* the deadline passed; the work goes on */
    SF_IGNORED = 5,                          /* valid, but without effect here */
    SF_NOT_READY = 600,                      /* work is pending: CUDA's own code, as a status */

    SF_ERROR_INVALID_VALUE = -1,
    SF_ERROR_OUT_OF_MEMORY = -2,
    SF_ERROR_NO_DEVICE = -100,
    SF_ERROR_INVALID_DEVICE = -101,
    SF_ERROR_INVALID_CONTEXT = -201,
    SF_ERROR_INVALID_HANDLE = -400,
    SF_ERROR_ILLEGAL_STATE = -401,
    SF_ERROR_LOSSY_QUERY = -402,
    SF_ERROR_ILLEGAL_ADDRESS = -700,
    SF_ERROR_LAUNCH_FAILED = -719,
    SF_ERROR_NOT_PERMITTED = -800,
    SF_ERROR_NOT_SUPPORTED = -801,
    SF_ERROR_CAPTURE_UNSUPPORTED = -900,
    SF_ERROR_CAPTURE_INVALIDATED = -901,
    SF_ERROR_CAPTURE_MERGE = -902,
    SF_ERROR_CAPTURE_UNMATCHED = -903,
    SF_ERROR_CAPTURE_UNJOINED = -904,
    SF_ERROR_CAPTURE_ISOLATION = -905,
    SF_ERROR_CAPTURE_IMPLICIT = -906,
    SF_ERROR_CAPTURED_EVENT = -907,
    SF_ERROR_CAPTURE_WRONG_THREAD = -908,
    SF_ERROR_GRAPH_EXEC_UPDATE = -910,
    SF_ERROR_UNKNOWN = -999,

    SF_ERROR_DRIVER = -1001,                 /* no usable CUDA driver, or an entry point is missing: named */
    SF_ERROR_NO_ROOM = -1002,                /* the memory handed in is too small: says what is needed */
    SF_ERROR_UNKNOWN_OPERATOR = -1003,
    SF_ERROR_UNKNOWN_PORT = -1004,
    SF_ERROR_NOT_CONNECTED = -1005,          /* a required port has no edge */
    SF_ERROR_CONNECTED_TWICE = -1006,
    SF_ERROR_MISMATCH = -1007,               /* size, type or kind of message differ at the two ends */
    SF_ERROR_NOT_RECEIVED = -1008,           /* the stream of a port was asked for before its message */
    SF_ERROR_POOL_EXHAUSTED = -1009,
    SF_ERROR_QUEUE_FULL = -1010,             /* an edge with SF_OVERFLOW_ERROR */
    SF_ERROR_DEADLOCK = -1011,               /* operators wait for each other: says who for what */
    SF_ERROR_STALLED = -1012,                /* no progress within the deadline: names the operator */
    SF_ERROR_REENTRANT = -1013,
    SF_ERROR_USER = -1100,                   /* an operator's own; from here ... */
    SF_ERROR_USER_LAST = -0x7fffffff         /* ... to here the codes are the user's to define */
} sf_result;

SF_API const char *sf_result_string(sf_result result);       /* static, never NULL */

/* What went wrong, in words a user can act on: lent by the object asked, never NULL, SF_OK if nothing did. A flow
   keeps its first failure until it starts again, a device its latest until the next one. */
typedef struct sf_failure {
    sf_result result;
    uint64_t count;                          /* failures so far, this one included */
    const char *where;                       /* operator, node or stream to blame, by name; "" if none */
    const char *call;                        /* the public function that saw it */
    const char *text;                        /* one sentence: all of the above, and the remedy */
} sf_failure;

/* sokol's logger signature, so slog_func plugs in. Levels: 0 panic, 1 error, 2 warning, 3 info; `item` is the
   result's magnitude. Any thread may call it; strings live for the call and may be NULL. What it does wrong itself is
   not logged. Silent unless set. */
typedef struct sf_logger {
    void (*func)(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                 const char *file, void *user);
    void *user;
} sf_logger;

SF_API void sf_log_stderr(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                          const char *file, void *user);
typedef struct sf_heap {                     /* both functions or none; default malloc, free */
    void *(*alloc)(size_t bytes, void *user);
    void (*free)(void *ptr, void *user);
    void *user;
} sf_heap;
typedef struct sf_range { void *ptr; size_t bytes; } sf_range;       /* memory handed in, 16-byte aligned */

typedef void (*sf_text_func)(void *user, const char *text, size_t bytes);    /* receives text, piece by piece */
SF_API void sf_text_file(void *user, const char *text, size_t bytes);        /* one of them: user is a FILE * */

/* 16 bytes that travel in a message, a lazy result or a key/value pair: by value, in registers, never allocated. */
typedef union sf_value {
    uint64_t u64; int64_t i64; double f64; void *ptr;
    uint8_t bytes[16]; uint16_t u16[8]; uint32_t u32[4]; int32_t i32[4]; float f32[4];
} sf_value;

typedef struct sf_latency { uint64_t count; int64_t min, mean, p50, p90, p99, p999, max; } sf_latency;

/* >>device -------------------------------------------------------------------------------------------- */

typedef struct sf_device sf_device;          /* a GPU's primary context, or a host device; owns what follows */
typedef struct sf_stream sf_stream;
typedef struct sf_stream_pool sf_stream_pool;
typedef struct sf_event sf_event;
typedef struct sf_mem_pool sf_mem_pool;
typedef struct sf_graph sf_graph;
typedef struct sf_graph_node sf_graph_node;
typedef struct sf_graph_exec sf_graph_exec;

/* AUTO: CUDA where a GPU works, else the host; the log says which and why. */
typedef enum sf_backend { SF_BACKEND_AUTO, SF_BACKEND_HOST, SF_BACKEND_CUDA } sf_backend;

/* Which ready command a host device runs next. All but THREADS: one thread, virtual time, exactly repeatable;
   timeouts of what waits for the device are in virtual time, too. SF_NO_THREADS: THREADS is FIRST_IN. LAZY runs only
   what somebody waits for; PCT has random priorities and two demotions. To find a missing wait try RANDOM and PCT
   over many seeds. */
typedef enum sf_order {
    SF_ORDER_THREADS, SF_ORDER_FIRST_IN, SF_ORDER_LAZY, SF_ORDER_REVERSE, SF_ORDER_RANDOM, SF_ORDER_PCT,
    SF_ORDER_REPLAY
} sf_order;

typedef void (*sf_proc)(void);
typedef struct sf_device_desc {
    sf_backend backend;
    int32_t ordinal;                         /* which GPU */
    struct {
        int32_t workers;                     /* threads; default one per core, at least 2 */
        sf_order order;
        uint64_t seed;
        const char *replay;                  /* a line from sf_device_get_replay(); after its end: first in */
        size_t memory_bytes;                 /* what the device claims to have; default 1 GiB */
        uint32_t stream_depth;               /* commands a stream holds before its caller has to help; default 1024 */
    } host;
    struct {
        sf_proc (*resolve)(const char *symbol, void *user);  /* versioned name -> entry point; NULL: missing */
        void *user;
    } cuda;                                  /* default: libcuda.so.1, loaded now */
    sf_logger logger;
    sf_heap heap;
    sf_range memory;                         /* a host device lives in here alone: no heap */
} sf_device_desc;

typedef struct sf_device_info {
    sf_backend backend;
    int32_t ordinal, multiprocessors;
    int32_t compute_capability;              /* 90 is 9.0; 0 on a host device, as is driver_version */
    int32_t driver_version;                  /* 12080 is 12.8 */
    int32_t priority_least, priority_greatest;       /* 0, and a negative number */
    size_t memory_bytes, memory_free_bytes;
    char name[64];
} sf_device_info;

typedef struct sf_counters {                 /* calls since the device was opened, captured ones, too */
    uint64_t launches, graph_launches, copies, event_records, event_waits, host_functions, synchronizes, queries;
    uint64_t stream_creates, event_creates, allocations, device_switches;
    uint64_t live_streams, live_events, live_graphs, live_bytes;
} sf_counters;

SF_API sf_result sf_device_open(const sf_device_desc *desc, sf_device **device);     /* the log says why not */
SF_API sf_result sf_device_close(sf_device *device, int64_t timeout);        /* waits for its streams, and for what
                                                on_ready functions still enqueue there; handles die.
                                                Not from a function that the device calls: SF_ERROR_ILLEGAL_STATE.
                                                SF_TIMEOUT: still open. Captures go on, unless CUDA had to end them to
                                                see what comes before them, or on the default stream */
SF_API sf_result sf_device_get_info(sf_device *device, sf_device_info *info);
SF_API sf_result sf_device_synchronize(sf_device *device, int64_t timeout);  /* cuCtxSynchronize */
SF_API sf_result sf_device_reset(sf_device *device);         /* after a fault; CUDA needs a new process instead */
SF_API sf_result sf_device_get_counters(sf_device *device, sf_counters *counters);
SF_API sf_result sf_device_get_replay(sf_device *device, char *line, size_t bytes);  /* of what ran so far */
SF_API const sf_failure *sf_device_failure(const sf_device *device);
SF_API void *sf_device_native(const sf_device *device);      /* CUcontext; NULL on a host device */

/* Runs on_ready functions and, without threads or under a deterministic order, at least one ready command. SF_OK: it
   did, or a future became ready. SF_IDLE: nothing in time, and where no thread of the library's could do anything, or
   in an on_ready function, at once. The descriptor becomes readable when there is something to do, or a future became
   ready, for an event loop of your own; then poll until SF_IDLE. It is the device's, closed with it;
   SF_ERROR_NOT_SUPPORTED where the OS has no such thing. */
SF_API sf_result sf_device_poll(sf_device *device, int64_t timeout);
SF_API sf_result sf_device_ready_fd(sf_device *device, int *fd);

/* Between these two a kernel or graph of yours may stay on the device for good. Frees that would block until it has
   ended are put off till nobody stays. The first call of a device makes room for 250 streams, which the driver could
   not later: make it while nothing stays on that GPU. One call for each hardware queue that is kept: a kernel keeps
   one, a graph that loops two. SF_BUSY: all are, 8 of a GPU or CUDA_DEVICE_MAX_CONNECTIONS, at most 16. */
SF_API sf_result sf_device_stay(sf_device *device);
SF_API sf_result sf_device_leave(sf_device *device);

/* >>stream -------------------------------------------------------------------------------------------- */

enum { SF_STREAM_DEFAULT = 0, SF_STREAM_NON_BLOCKING = 1 };  /* blocking: ordered with the legacy stream */
enum { SF_STREAM_PROGRAMMATIC = 0x10000 };   /* captured: kernels declared programmatic get a programmatic edge where
                                                a kernel, and nothing else, comes before them */
enum { SF_ATTACH_GLOBAL = 1, SF_ATTACH_HOST = 2, SF_ATTACH_SINGLE = 4 };
enum { SF_WAIT_VALUE_GEQ = 0, SF_WAIT_VALUE_EQ = 1, SF_WAIT_VALUE_AND = 2, SF_WAIT_VALUE_NOR = 3 };

typedef struct sf_stream_desc {
    uint32_t flags;
    int32_t priority;                        /* lower is more urgent; clamped, not refused */
    const char *name;                        /* for failures and traces */
} sf_stream_desc;

typedef void (*sf_host_func)(void *user);
typedef void (*sf_stream_callback)(sf_stream *stream, sf_result status, void *user);

SF_API sf_result sf_stream_create(sf_device *device, const sf_stream_desc *desc, sf_stream **stream);
SF_API sf_result sf_stream_destroy(sf_stream *stream);
SF_API sf_stream *sf_stream_legacy(sf_device *device);       /* the default stream; lent, as is the next */
SF_API sf_stream *sf_stream_per_thread(sf_device *device);   /* for the calling thread; NULL if out of memory */
SF_API sf_result sf_stream_wrap(sf_device *device, void *native, sf_stream **stream);        /* a foreign CUstream */
SF_API void *sf_stream_native(const sf_stream *stream);      /* CUstream, cudaStream_t; NULL on a host device */

SF_API sf_result sf_stream_query(sf_stream *stream);         /* SF_OK: idle. SF_NOT_READY: busy */
SF_API sf_result sf_stream_synchronize(sf_stream *stream, int64_t timeout);  /* for what is there now. On CUDA a
                                                finite timeout: for what others go on to enqueue, too */
SF_API sf_result sf_stream_wait_event(sf_stream *stream, sf_event *event, uint32_t flags);
SF_API sf_result sf_stream_add_callback(sf_stream *stream, sf_stream_callback func, void *user, uint32_t flags);
SF_API sf_result sf_stream_attach_mem_async(sf_stream *stream, void *ptr, size_t bytes, uint32_t flags);
SF_API sf_result sf_stream_get_priority(const sf_stream *stream, int32_t *priority);
SF_API sf_result sf_stream_get_flags(const sf_stream *stream, uint32_t *flags);
SF_API sf_result sf_stream_get_id(const sf_stream *stream, uint64_t *id);
SF_API sf_result sf_stream_get_failure(sf_stream *stream);   /* of the calls on it, and on forks that it joined, since
                                                this was last asked */
SF_API sf_result sf_stream_get_device(const sf_stream *stream, sf_device **device);  /* also for cuStreamGetCtx */
SF_API sf_result sf_stream_copy_attributes(sf_stream *dst, const sf_stream *src);
SF_API sf_result sf_stream_write_value32(sf_stream *stream, void *ptr, uint32_t value, uint32_t flags);
SF_API sf_result sf_stream_write_value64(sf_stream *stream, void *ptr, uint64_t value, uint32_t flags);
SF_API sf_result sf_stream_wait_value32(sf_stream *stream, const void *ptr, uint32_t value, uint32_t flags);
SF_API sf_result sf_stream_wait_value64(sf_stream *stream, const void *ptr, uint64_t value, uint32_t flags);

/* Host functions and callbacks run once, in order, and hold up their stream meanwhile; inside one, every call of
   this library is SF_ERROR_NOT_PERMITTED. After a fault callbacks are told, host functions are skipped. */
SF_API sf_result sf_launch_host_func(sf_stream *stream, sf_host_func func, void *user);

/* Pooled streams. A child starts after what its parent holds now; join orders `into` after it and gives it back. */
SF_API sf_result sf_stream_fork(sf_stream *parent, sf_stream **child);
SF_API sf_result sf_stream_join(sf_stream *into, sf_stream *child);

typedef struct sf_stream_pool_desc {         /* what operators take their streams from; may be shared */
    bool blocking;                           /* default: non-blocking streams */
    int32_t priority;
    int32_t reserved;                        /* made at once; default 1 */
    int32_t max;                             /* default: as many as are asked for */
    const char *name;
} sf_stream_pool_desc;

SF_API sf_result sf_stream_pool_create(sf_device *device, const sf_stream_pool_desc *desc, sf_stream_pool **pool);
SF_API sf_result sf_stream_pool_destroy(sf_stream_pool *pool);

/* >>event --------------------------------------------------------------------------------------------- */

enum { SF_EVENT_DEFAULT = 0, SF_EVENT_BLOCKING_SYNC = 1, SF_EVENT_DISABLE_TIMING = 2 };
enum { SF_EVENT_RECORD_EXTERNAL = 1, SF_EVENT_WAIT_EXTERNAL = 1 };   /* under capture: a node, not an edge */

SF_API sf_result sf_event_create(sf_device *device, uint32_t flags, sf_event **event);
SF_API sf_result sf_event_destroy(sf_event *event);
SF_API sf_result sf_event_record(sf_event *event, sf_stream *stream);        /* same device; waits may cross */
SF_API sf_result sf_event_record_with_flags(sf_event *event, sf_stream *stream, uint32_t flags);
SF_API sf_result sf_event_query(sf_event *event);            /* SF_OK also if never recorded */
SF_API sf_result sf_event_synchronize(sf_event *event, int64_t timeout);
SF_API sf_result sf_event_elapsed_ms(sf_event *start, sf_event *end, float *ms);
SF_API void *sf_event_native(const sf_event *event);         /* CUevent; NULL on a host device */

/* >>memory -------------------------------------------------------------------------------------------- */

typedef enum sf_memory {
    SF_MEMORY_DEVICE,                        /* the GPU's. On a host device: plain memory, for kernels only */
    SF_MEMORY_PINNED,                        /* the host's, mapped: for kernels and CPU */
    SF_MEMORY_MANAGED,                       /* migrates; see sf_stream_attach_mem_async */
    SF_MEMORY_HOST                           /* the host's, pageable */
} sf_memory;

SF_API sf_result sf_mem_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr);
SF_API sf_result sf_mem_free(sf_device *device, void *ptr);
SF_API sf_result sf_mem_get_device_pointer(sf_device *device, void *pinned, void **ptr);     /* as kernels see it */
SF_API sf_result sf_mem_alloc_async(sf_stream *stream, sf_mem_pool *pool_or_null, size_t bytes, void **ptr);
SF_API sf_result sf_mem_free_async(sf_stream *stream, void *ptr);            /* of SF_MEMORY_DEVICE */
SF_API sf_result sf_mem_prefetch_async(sf_stream *stream, const void *ptr, size_t bytes, bool to_host);
/* Memory stays valid until the work is done. CUDA sets no pageable memory, and does host-to-host copies at once. */
SF_API sf_result sf_memset_async(sf_stream *stream, void *dst, uint8_t value, size_t bytes);
SF_API sf_result sf_memcpy_async(sf_stream *stream, void *dst, const void *src, size_t bytes);   /* any direction */
SF_API sf_result sf_memcpy_2d_async(sf_stream *stream, void *dst, size_t dst_pitch, const void *src,
                                    size_t src_pitch, size_t row_bytes, size_t rows);
SF_API sf_result sf_memcpy_peer_async(sf_stream *stream, void *dst, sf_device *dst_device, const void *src,
                                      sf_device *src_device, size_t bytes);

typedef enum sf_mem_pool_kind {
    SF_MEM_POOL_BLOCKS,                      /* `blocks` of `block_bytes`, taken at once */
    SF_MEM_POOL_ASYNC,                       /* cudaMallocAsync's pool */
    SF_MEM_POOL_UNBOUNDED                    /* allocates and frees each time */
} sf_mem_pool_kind;

/* Whatever the kind, reuse waits for the last user: on the GPU for device memory; PINNED and HOST blocks come back
   when the GPU is done with them, so that the CPU may write at once. */
typedef struct sf_mem_pool_desc {
    sf_mem_pool_kind kind;
    sf_memory memory;                        /* ASYNC: device only */
    size_t block_bytes, blocks;
    size_t initial_bytes, max_bytes, release_threshold_bytes;        /* ASYNC; max 0: no limit */
    bool no_follow_event, no_opportunistic, no_internal_wait;        /* CUDA's rules of reuse, on by default */
    bool fail_when_empty;                    /* default: operators that need a block are not scheduled meanwhile */
} sf_mem_pool_desc;

typedef struct sf_mem_pool_info { size_t used, used_high, reserved, reserved_high; } sf_mem_pool_info;   /* bytes */

SF_API sf_result sf_mem_pool_create(sf_device *device, const sf_mem_pool_desc *desc, sf_mem_pool **pool);
SF_API sf_result sf_mem_pool_destroy(sf_mem_pool *pool);
SF_API sf_result sf_mem_pool_trim(sf_mem_pool *pool, size_t keep_bytes);
SF_API sf_result sf_mem_pool_get_info(sf_mem_pool *pool, sf_mem_pool_info *info);

/* >>kernel -------------------------------------------------------------------------------------------- */

enum { SF_MAX_ARGS = 4096 };                 /* bytes of arguments, as in CUDA */

typedef struct sf_slice { int32_t index, count; } sf_slice;  /* one call's share of a launch */

/* One name, a body per backend, NULL where there is none; static, it outlives its launches. `cuda` is an extern
   "C" launcher in a .cu file: <<<>>> on `stream` (a cudaStream_t), then return cudaGetLastError(). `host` does
   slice `index` of `count`, in any order and side by side, as blocks are. Both return 0 or a CUDA error; from
   `host` it faults the device, as a trap does, except SF_NOT_READY: not yet, ask again later. `args` is a copy
   that lives for the call. As a node of a graph, a launcher that launches more than one kernel is a child. */
typedef struct sf_kernel {
    const char *name;
    int (*host)(const sf_slice *slice, const void *args);
    int (*cuda)(void *stream, const void *args);
    int32_t slices;                          /* at most, per launch on a host device; default 1 */
    bool programmatic;                       /* the CUDA body itself waits for its predecessors before it touches
                                                memory: cudaGridDependencySynchronize() */
    int64_t host_ns;                         /* of one slice in virtual time; default 1000 */
} sf_kernel;

#ifdef SF_WITH_CUDA_BODIES                   /* .cuda = SF_CUDA_BODY(blur_cuda): builds without the .cu file, too */
    #define SF_CUDA_BODY(func) func
#else
    #define SF_CUDA_BODY(func) NULL
#endif

SF_API sf_result sf_launch(sf_stream *stream, const sf_kernel *kernel, const void *args, size_t bytes);

/* The slice's part of n rows: for (i = sf_slice_begin(s, n); i < sf_slice_end(s, n); i++) */
SF_API ptrdiff_t sf_slice_begin(const sf_slice *slice, ptrdiff_t n);
SF_API ptrdiff_t sf_slice_end(const sf_slice *slice, ptrdiff_t n);

/* Kernels that come as PTX, cubin or fatbin; not on a host device: SF_ERROR_NOT_SUPPORTED. Zeros in a grid: one. */
typedef struct sf_module sf_module;
typedef struct sf_function sf_function;
typedef struct sf_grid { uint32_t grid[3], block[3], shared_bytes; bool programmatic; } sf_grid;

SF_API sf_result sf_module_load(sf_device *device, const void *image, size_t bytes, sf_module **module);
/* The same module for the same image, unloaded by the last one who shares it: loading one more may have to wait for
   work that stays on the device. */
SF_API sf_result sf_module_load_shared(sf_device *device, const void *image, size_t bytes, sf_module **module);
SF_API sf_result sf_module_unload(sf_module *module);
SF_API sf_result sf_module_get_function(sf_module *module, const char *name, sf_function **function);
SF_API sf_result sf_function_preload(sf_function *function);         /* now: a lazy load may block on running work */
SF_API sf_result sf_launch_kernel(sf_stream *stream, sf_function *function, const sf_grid *grid, void *const *params);

/* >>capture ------------------------------------------------------------------------------------------- */

typedef enum sf_capture_mode { SF_CAPTURE_GLOBAL, SF_CAPTURE_THREAD_LOCAL, SF_CAPTURE_RELAXED } sf_capture_mode;
typedef enum sf_capture_status { SF_CAPTURE_NONE, SF_CAPTURE_ACTIVE, SF_CAPTURE_INVALIDATED } sf_capture_status;
enum { SF_CAPTURE_ADD_DEPENDENCIES = 0, SF_CAPTURE_SET_DEPENDENCIES = 1 };

/* PROGRAMMATIC: the successor starts at the predecessor's trigger. LAUNCH_ORDER: when all its blocks have started. */
typedef enum sf_edge_type { SF_EDGE_FULL, SF_EDGE_PROGRAMMATIC, SF_EDGE_LAUNCH_ORDER } sf_edge_type;

typedef struct sf_dependency { sf_graph_node *node; sf_edge_type type; } sf_dependency;

typedef struct sf_capture_info {
    sf_capture_status status;                /* the rest is untouched unless ACTIVE */
    uint64_t id;                             /* one per capture, equal on all its streams */
    sf_graph *graph;                         /* lent */
    int32_t dependencies;                    /* how many the next node would have */
} sf_capture_info;

SF_API sf_result sf_stream_begin_capture(sf_stream *stream, sf_capture_mode mode);
SF_API sf_result sf_stream_begin_capture_to_graph(sf_stream *stream, sf_graph *graph, const sf_dependency *after,
                                                  int count, sf_capture_mode mode);
SF_API sf_result sf_stream_end_capture(sf_stream *stream, sf_graph **graph);         /* yours, unless given */
SF_API sf_result sf_stream_is_capturing(sf_stream *stream, sf_capture_status *status);
/* `after` gets what the next node depends on. On CUDA no other thread may enqueue on the stream meanwhile. */
SF_API sf_result sf_stream_get_capture_info(sf_stream *stream, sf_capture_info *info, sf_dependency *after, int max);
SF_API sf_result sf_stream_update_capture_dependencies(sf_stream *stream, const sf_dependency *after, int count,
                                                       uint32_t flags);
SF_API sf_result sf_thread_exchange_stream_capture_mode(sf_capture_mode *mode);      /* of the calling thread */

/* >>graph --------------------------------------------------------------------------------------------- */

typedef uint64_t sf_conditional;             /* CUgraphConditionalHandle: kernels take it by value */
typedef enum sf_conditional_type {
    SF_CONDITIONAL_IF, SF_CONDITIONAL_WHILE, SF_CONDITIONAL_SWITCH
} sf_conditional_type;
typedef enum sf_node_type {                  /* BATCH_MEM_OP: from captured write_value and wait_value only */
    SF_NODE_EMPTY, SF_NODE_KERNEL, SF_NODE_MEMCPY, SF_NODE_MEMSET, SF_NODE_HOST, SF_NODE_CHILD, SF_NODE_EVENT_RECORD,
    SF_NODE_EVENT_WAIT, SF_NODE_MEM_ALLOC, SF_NODE_MEM_FREE, SF_NODE_BATCH_MEM_OP, SF_NODE_CONDITIONAL
} sf_node_type;

typedef struct sf_node_desc {                /* `type` says which part is read */
    sf_node_type type;
    const char *name;                        /* failures and sf_graph_dot() show it */
    struct { const sf_kernel *func; const void *args; size_t bytes; } kernel;        /* KERNEL: this one, or ... */
    struct { sf_function *func; sf_grid grid; void *const *params; } function;       /* ... this one */
    struct { void *dst; const void *src; size_t bytes; uint8_t value; } mem;         /* MEMCPY, MEMSET */
    struct { sf_host_func func; void *user; } host;
    sf_graph *child;
    sf_event *event;
    struct { sf_mem_pool *pool; size_t bytes; void **ptr; } alloc;   /* *ptr receives the address */
    void *free;
    struct {
        sf_conditional handle;
        sf_conditional_type type;
        int32_t bodies;                      /* IF: 1, or 2 with an ELSE. WHILE: 1. SWITCH: as many as cases */
        sf_graph **body;                     /* receives that many lent graphs, to be filled */
    } conditional;
} sf_node_desc;

SF_API sf_result sf_graph_create(sf_device *device, sf_graph **graph);
SF_API sf_result sf_graph_destroy(sf_graph *graph);
SF_API sf_result sf_graph_clone(const sf_graph *graph, sf_graph **clone);
/* For a node of this graph, or of a body in it. Into a capture it comes by sf_stream_get_capture_info(),
   sf_graph_add_node() and sf_stream_update_capture_dependencies(). */
SF_API sf_result sf_graph_conditional_create(sf_graph *graph, uint32_t initial, bool reset_at_launch,
                                             sf_conditional *handle);
SF_API sf_result sf_graph_add_node(sf_graph *graph, const sf_dependency *after, int count, const sf_node_desc *desc,
                                   sf_graph_node **node);    /* node may be NULL */
SF_API sf_result sf_graph_add_dependencies(sf_graph *graph, sf_graph_node *node, const sf_dependency *after,
                                           int count);
SF_API sf_result sf_graph_get_nodes(const sf_graph *graph, sf_graph_node **nodes, int max, int *count);
SF_API sf_result sf_graph_node_get_type(const sf_graph_node *node, sf_node_type *type);
SF_API sf_result sf_graph_node_get_dependencies(const sf_graph_node *node, sf_dependency *after, int max, int *count);
SF_API sf_result sf_graph_dot(const sf_graph *graph, sf_text_func text, void *user);         /* Graphviz */
SF_API sf_result sf_graph_preload(sf_graph *graph);          /* all its kernels; see sf_function_preload() */

/* What CUDA would refuse with "invalid value" is found before: sf_device_failure() names the node and the reason. */
SF_API sf_result sf_graph_instantiate(sf_graph *graph, uint32_t flags, sf_graph_exec **exec);
SF_API sf_result sf_graph_upload(sf_graph_exec *exec, sf_stream *stream);
SF_API sf_result sf_graph_launch(sf_graph_exec *exec, sf_stream *stream);
SF_API sf_result sf_graph_exec_update(sf_graph_exec *exec, const sf_graph *graph);           /* same topology */
SF_API sf_result sf_graph_exec_set_node(sf_graph_exec *exec, const sf_graph_node *node, const sf_node_desc *desc);
/* In flight or not: a launch completes. On CUDA it waits for one that has conditionals. */
SF_API sf_result sf_graph_exec_destroy(sf_graph_exec *exec);

/* For host kernel bodies; device code calls cudaGraphSetConditional(). */
SF_API void sf_conditional_set(sf_conditional handle, uint32_t value);

/* >>lazy ---------------------------------------------------------------------------------------------- */

/* An operation is a description; nothing touches a device before it is scheduled. Operations are reference
   counted: whoever takes one as an argument takes that reference (sf_lazy_retain keeps another), and a description's
   state. Made from NULL they are NULL, and nothing is left of what they took: check once, at the end. A submission
   keeps all it touched, values and states, until its GPU work is done. */
typedef struct sf_lazy sf_lazy;
typedef struct sf_policy sf_policy;
typedef struct sf_future sf_future;

typedef struct sf_lazy_context {
    sf_device *device;
    sf_stream *stream;                       /* enqueue here */
    void *state;                             /* sf_lazy_desc.state */
    sf_lazy *next;                           /* set it to go on with another operation: its outputs become yours */
} sf_lazy_context;

/* Runs when its inputs are *enqueued*, on the submitting thread: adds its work to x->stream and returns at once. */
typedef sf_result (*sf_lazy_func)(sf_lazy_context *x, const sf_value *in, int count, sf_value *out);

typedef struct sf_lazy_desc {
    const char *name;
    sf_lazy_func run;
    void *state;
    void (*drop_state)(void *state);         /* when the operation is gone, or could not be made */
    void (*drop_value)(void *state, sf_value value, sf_stream *stream);      /* every output that was not taken, when
                                                the GPU is done with it; frees go to `stream` */
} sf_lazy_desc;

SF_API sf_lazy *sf_lazy_value(sf_device *device, sf_value value);
SF_API sf_lazy *sf_lazy_do(sf_device *device, const sf_lazy_desc *desc);     /* no inputs */
SF_API sf_lazy *sf_lazy_kernel(sf_device *device, const sf_kernel *kernel, const void *args, size_t bytes);
SF_API sf_lazy *sf_lazy_memcpy(sf_device *device, void *dst, const void *src, size_t bytes);
SF_API sf_lazy *sf_lazy_then(sf_lazy *first, const sf_lazy_desc *desc);      /* inputs: the outputs of `first` */
SF_API sf_lazy *sf_lazy_zip(sf_lazy *const *parts, int count);       /* in turn, on one stream; all their outputs */
SF_API sf_lazy *sf_lazy_par(sf_lazy *const *parts, int count);       /* side by side, on forked streams; the same */
SF_API sf_lazy *sf_lazy_share(sf_lazy *once);                        /* runs once, for many users on any stream */
SF_API sf_lazy *sf_lazy_pick(sf_lazy *from, int index);              /* one output of several */
SF_API sf_lazy *sf_lazy_repeat(sf_lazy *body, int times);
SF_API sf_lazy *sf_lazy_graph(sf_lazy *body);                        /* captured by its first run, then replayed */
SF_API sf_lazy *sf_lazy_retain(sf_lazy *lazy);
SF_API void sf_lazy_drop(sf_lazy *lazy);

typedef enum sf_policy_kind {
    SF_POLICY_ROUND_ROBIN, SF_POLICY_SINGLE_STREAM, SF_POLICY_PER_THREAD, SF_POLICY_LEAST_LOADED, SF_POLICY_GIVEN,
    SF_POLICY_CUSTOM
} sf_policy_kind;

typedef struct sf_policy_desc {
    sf_policy_kind kind;
    int32_t streams;                         /* ROUND_ROBIN, LEAST_LOADED: non-blocking ones, default 4 */
    int32_t priority;
    sf_stream *given;
    struct {                                 /* any thread may call them; all but schedule are optional */
        void *self;
        sf_result (*init)(void *self, sf_device *device);
        sf_result (*schedule)(void *self, sf_stream **stream);       /* the one decision a policy makes */
        sf_result (*sync)(void *self, sf_stream *stream, int64_t timeout);
        void (*fini)(void *self);
    } custom;
} sf_policy_desc;

SF_API sf_result sf_policy_create(sf_device *device, const sf_policy_desc *desc, sf_policy **policy);
SF_API sf_result sf_policy_destroy(sf_policy *policy);

/* policy NULL: the device's own, round-robin. out receives the first output; it may be NULL. */
SF_API sf_result sf_schedule(sf_lazy *lazy, sf_policy *policy, sf_future **future);  /* idle, not yet submitted */
SF_API sf_result sf_sync(sf_lazy *lazy, sf_policy *policy, int64_t timeout, sf_value *out);
SF_API sf_result sf_sync_on(sf_lazy *lazy, sf_stream *stream, int64_t timeout, sf_value *out);
SF_API sf_result sf_async_on(sf_lazy *lazy, sf_stream *stream);      /* and forget */

typedef enum sf_future_state {
    SF_FUTURE_IDLE, SF_FUTURE_RUNNING, SF_FUTURE_READY, SF_FUTURE_FAILED, SF_FUTURE_TAKEN
} sf_future_state;

/* The first poll, wait or on_ready submits. Where a host device's stream is full a poll does not wait for room, and a
   wait not beyond its deadline: the future stays idle. Dropped like that, as by sf_sync() and sf_sync_on(), it never
   runs. (It is room for what can be known before: what enqueues more, or into forks, may wait in its midst, whatever
   the deadline. So may all calls on a full CUDA stream: the driver does not tell.) What is wrong is told by codes
   alone. A fault always resolves a future, with its error: none can hang. on_ready functions run exactly once, the
   last one given first, on a thread of the library's own, or in sf_device_poll() where there is none. */
SF_API sf_future_state sf_future_get_state(const sf_future *future);
SF_API sf_result sf_future_poll(sf_future *future);                  /* SF_OK, SF_NOT_READY, or the error */
SF_API sf_result sf_future_wait(sf_future *future, int64_t timeout);
SF_API sf_result sf_future_take(sf_future *future, sf_value *values, int max);       /* once; yours from then on */
SF_API sf_result sf_future_on_ready(sf_future *future,
                                    void (*func)(sf_future *future, sf_result result, void *user), void *user);
SF_API void sf_future_drop(sf_future *future);

/* >>tensor -------------------------------------------------------------------------------------------- */

enum { SF_MAX_DIMS = 8 };
/* code | bits << 8 | lanes << 16: on a little-endian machine the bytes of a DLDataType. Make up others at will. */
typedef enum sf_dtype {
    SF_I8 = 0x10800, SF_I16 = 0x11000, SF_I32 = 0x12000, SF_I64 = 0x14000,
    SF_U8 = 0x10801, SF_U16 = 0x11001, SF_U32 = 0x12001, SF_U64 = 0x14001,
    SF_F16 = 0x11002, SF_F32 = 0x12002, SF_F64 = 0x14002,
    SF_BF16 = 0x11004, SF_C64 = 0x14005, SF_C128 = 0x18005, SF_BOOL = 0x10806
} sf_dtype;

/* The first eight members are a DLTensor, byte for byte: (DLTensor *)tensor is a free view. Payloads are shared:
   write to what you created, before you emit it. Every stream that received one is remembered, and waited for
   before reuse. */
typedef struct sf_tensor {
    void *data;
    int32_t device_type;                     /* DLPack's: 1 CPU, 2 CUDA, 3 CUDA pinned, 13 CUDA managed */
    int32_t device_id;
    int32_t ndim;
    uint32_t dtype;                          /* sf_dtype */
    int64_t *shape;
    int64_t *strides;                        /* in elements, never NULL */
    uint64_t byte_offset;                    /* always 0 */
    size_t bytes;                            /* at data */
    void *owner;                             /* the library's; NULL: a view that nobody counts */
} sf_tensor;

typedef struct sf_tensor_desc {
    sf_dtype dtype;                          /* default SF_U8 */
    int64_t shape[SF_MAX_DIMS];              /* up to the first zero, unless ndim is given */
    int32_t ndim;
    int64_t strides[SF_MAX_DIMS];            /* default: packed, last dimension fastest */
    void *data;                              /* sf_tensor_wrap() only, as are the next three */
    sf_memory memory;
    void (*release)(void *data, void *user); /* when its last GPU user is done; optional */
    void *user;
} sf_tensor_desc;

/* >>compute ------------------------------------------------------------------------------------------- */

typedef struct sf_flow sf_flow;
typedef struct sf_op { uint32_t id; } sf_op; /* an operator of a flow or of a resident graph */

typedef struct sf_context {                  /* lent to a hook for one call; read-only */
    void *user;                              /* sf_op_desc.user */
    const char *name;
    sf_flow *flow;                           /* NULL in a resident graph */
    const struct sf_executor *executor;      /* NULL in a flow */
    sf_op op;
    uint64_t run;                            /* how many computes went before; a retry is the same one */
} sf_context;

/* Whoever calls an operator outside a flow answers these for it: the resident executor does, a unit test may. */
typedef struct sf_executor {
    sf_tensor *(*receive)(sf_context *ctx, int port);
    sf_stream *(*stream)(sf_context *ctx, int port);             /* port -1: ordered after all that was received */
    sf_tensor *(*create)(sf_context *ctx, int port, const sf_tensor_desc *desc);
    sf_result (*emit)(sf_context *ctx, int port, sf_tensor *tensor);
    sf_result (*set_port_bytes)(sf_context *ctx, const char *port, size_t bytes);
    sf_result (*fail)(sf_context *ctx, sf_result code, const char *call, const char *why);   /* any other call, too */
} sf_executor;

/* An operator's hook: receives, enqueues, emits, returns; never two at a time. A negative code fails it, SF_DONE ends
   the operator, anything else is SF_OK, even SF_TIMEOUT. A message that it does not receive stays: then the operator
   runs again at once. Ports go by index, in the order of the desc. An error of a call below fails the compute even if
   nobody looks at it; from then on they return harmless stand-ins: an empty tensor, a NULL stream on which nothing
   can be launched. */
typedef sf_result (*sf_compute_func)(sf_context *ctx);

/* The five calls that most operators need. */
SF_API sf_tensor *sf_receive(sf_context *ctx, int port);             /* next message, lent; NULL: no more */
SF_API sf_stream *sf_compute_stream(sf_context *ctx);                /* the operator's own, ordered after all that it
                                                received so far; what it emits carries it */
SF_API sf_tensor *sf_tensor_create(sf_context *ctx, int port, const sf_tensor_desc *desc);   /* of the output's pool;
                                                NULL: port.bytes of SF_U8. Taken back unless emitted or retained */
SF_API sf_tensor *sf_tensor_like(sf_context *ctx, int port, const sf_tensor *like);
SF_API sf_result sf_emit(sf_context *ctx, int port, sf_tensor *tensor);      /* leaves with the compute's SF_OK */

/* Inline values: the fast path. They carry the stream, too, if the operator has used one. One compute can emit what
   the queues behind its outputs hold, and one more each, dropping edges or not; beyond that an emit is an error. */
SF_API sf_value sf_receive_value(sf_context *ctx, int port);         /* zero if there is none: see sf_available */
SF_API sf_result sf_emit_value(sf_context *ctx, int port, sf_value value);
SF_API int sf_available(const sf_context *ctx, int port);            /* messages left to receive */

/* Streams by hand. sf_receive_stream: the operator's own stream, the same for every port, ordered after what this
   port received. If its pool is exhausted, the first stream received is adopted; if none was, it is the default
   stream, and nothing is emitted. sf_receive_streams: one per message received, NULL where it had none; orders
   nothing. */
enum { SF_STREAM_ADOPT = 1, SF_STREAM_SYNC_TO_DEFAULT = 2 };         /* adopt anyway; make the default stream wait */

SF_API sf_stream *sf_receive_stream(sf_context *ctx, int port);
SF_API sf_stream *sf_receive_stream_with_flags(sf_context *ctx, int port, uint32_t flags);
SF_API int sf_receive_streams(sf_context *ctx, int port, sf_stream **streams, int max);      /* how many there are */
SF_API sf_stream *sf_allocate_stream(sf_context *ctx, const char *name);     /* one more, kept by name */
SF_API sf_result sf_set_stream(sf_context *ctx, int port, sf_stream *stream);        /* of this compute's messages */
SF_API sf_result sf_synchronize_streams(sf_context *ctx, sf_stream *const *streams, int count, sf_stream *target);
SF_API sf_device *sf_device_from_stream(sf_context *ctx, const sf_stream *stream);   /* NULL: not the flow's */

/* Buffers that come from elsewhere, or outlive the compute. A tensor of a flow's own pool lives as long as the flow,
   retained or not; one that was wrapped, until its last release. sf_set_deallocation_stream adds one more user to
   wait for; SF_IGNORED if the memory is not this library's to free. */
SF_API sf_tensor *sf_tensor_wrap(sf_flow *flow, const sf_tensor_desc *desc); /* yours: emit, push or release it.
                                                NULL: the log says why; if nothing failed before,
                                                sf_flow_failure(), too */
SF_API sf_tensor *sf_tensor_retain(sf_tensor *tensor);
SF_API void sf_tensor_release(sf_tensor *tensor);
SF_API sf_result sf_set_deallocation_stream(sf_tensor *tensor, sf_stream *stream);

struct DLManagedTensor;                      /* dlpack.h completes it: included before, after, or never */
SF_API sf_tensor *sf_tensor_from_dlpack(sf_flow *flow, struct DLManagedTensor *managed);     /* takes it over; NULL:
                                                as above, and it is still yours */
SF_API struct DLManagedTensor *sf_tensor_to_dlpack(sf_tensor *tensor, sf_stream *consumer);  /* which waits for it */

/* What travels along. */
SF_API int64_t sf_get_timestamp(const sf_context *ctx, int port);    /* of the message last received; -1: none */
SF_API void sf_set_timestamp(sf_context *ctx, int64_t time);         /* default: that of the first message received,
                                                so a source's messages have none */
SF_API bool sf_get_metadata(const sf_context *ctx, uint32_t key, sf_value *value);   /* merged from all received */
SF_API sf_result sf_set_metadata(sf_context *ctx, uint32_t key, sf_value value);
SF_API bool sf_list_metadata(const sf_context *ctx, uint32_t index, uint32_t *key, sf_value *value); /* from 0 on */

/* And the rest: dynamic flow (messages and turn go to the routed operators only; calls add up, and one for the sf_op
   of zeros adds nobody), failing with a reason, and, in the initialize hook only, the size of a port. */
SF_API sf_result sf_route(sf_context *ctx, sf_op downstream);
SF_API sf_result sf_fail(sf_context *ctx, sf_result code, const char *why);  /* return sf_fail(ctx, e, "no lens"); */
SF_API sf_result sf_set_port_bytes(sf_context *ctx, const char *port, size_t bytes);

/* >>operator ------------------------------------------------------------------------------------------ */

enum { SF_MAX_PORTS = 32 };                  /* on each side of an operator: a set of ports is one word */
enum { SF_DESC_PORTS = 8, SF_DESC_CONDITIONS = 4, SF_DESC_WORKERS = 8 };     /* room in descs; see sf_add_input() */

typedef struct sf_port {                     /* the first one without a name ends the list */
    const char *name;
    size_t bytes;                            /* out: block size of the port's own pool. in: what the output's blocks,
                                                and what is pushed, have to have; 0 any. Nothing else is measured */
    void *data;                              /* out: one buffer of yours instead of a pool */
    sf_mem_pool *pool;                       /* out: default one of its own, sized by the flow at start */
    uint16_t capacity;                       /* in: messages an edge can hold; default 1, or batch */
    uint16_t batch;                          /* in: messages needed for a compute; default 1 */
    uint8_t memory;                          /* out: sf_memory of the port's own pool */
    bool optional;                           /* in: holds up no compute, need not be connected */
    bool many;                               /* in: any number of edges; one message of each, as connected: one
                                                sf_receive() per edge */
    bool external;                           /* in: fed by sf_push(). Resident graph: the host's, in or out */
} sf_port;

/* An operator runs when all its conditions hold. Built in: messages on each required input, room and memory behind
   each output; naming a port in a MESSAGES, EXPIRING, ROOM or MEMORY condition replaces the one built in. One of
   each, or after a time what there is: MESSAGES on all ports and EXPIRING, both with the same `any`. */
typedef enum sf_condition_kind {
    SF_CONDITION_NONE,                       /* ends a list */
    SF_CONDITION_COUNT,                      /* `count` runs, then the operator stops */
    SF_CONDITION_PERIOD,                     /* every `ns`, the first time at once */
    SF_CONDITION_TIME,                       /* from `ns` on, on the flow's clock */
    SF_CONDITION_SIGNAL,                     /* as sf_signal() last said: pause, resume, a thread, an interrupt */
    SF_CONDITION_MESSAGES,                   /* `count` on `ports` together, or batch on each; or `ns` after the last
                                                run, or the start, even with none */
    SF_CONDITION_EXPIRING,                   /* `count` on `ports` together, or the oldest came `ns`
                                                ago; needs both */
    SF_CONDITION_ROOM,                       /* for `count` messages behind the outputs `ports` */
    SF_CONDITION_MEMORY,                     /* `count` blocks in the pools of the outputs `ports`. One each is set
                                                aside; others who share a pool may take the rest meanwhile */
    SF_CONDITION_STREAM,                     /* the GPU is done with all messages on `ports`: the CPU may look */
    SF_CONDITION_USER
} sf_condition_kind;

typedef enum sf_readiness { SF_WAIT, SF_READY, SF_NEVER } sf_readiness;      /* NEVER: the operator stops */
typedef enum sf_catch_up {
    SF_CATCH_UP_MISSED,                      /* a run for each period that was missed, at once: the mean rate holds */
    SF_CATCH_UP_MIN_BETWEEN,                 /* a period from one run's begin to the next one's at least */
    SF_CATCH_UP_SKIP_MISSED                  /* missed ones are left out: runs stay at multiples of the period */
} sf_catch_up;
typedef struct sf_condition {
    sf_condition_kind kind;
    uint32_t ports;                          /* a bit per port; default all */
    uint32_t count;
    uint8_t any;                             /* of conditions with the same number, not 0, one is enough */
    uint8_t catch_up;                        /* PERIOD: sf_catch_up */
    uint8_t initial;                         /* SIGNAL: sf_readiness */
    bool latch;                              /* SIGNAL: READY lasts; default: for one compute */
    int64_t ns;
    struct {
        sf_readiness (*check)(void *user, int64_t now, int64_t *wake);       /* *wake: ask again then at the latest */
        void (*on_execute)(void *user, int64_t now);                         /* optional */
        void *user;
    } custom;                                /* sf_signal() makes the flow ask again */
} sf_condition;

typedef enum sf_on_error {
    SF_ON_ERROR_STOP_FLOW,
    SF_ON_ERROR_STOP_OPERATOR,
    SF_ON_ERROR_IGNORE,
    SF_ON_ERROR_RETRY                        /* `retries` times, with the same messages; then STOP_FLOW */
} sf_on_error;

typedef struct sf_op_desc {
    const char *name;                        /* default "op<number>" */
    sf_compute_func compute;
    void *user;
    sf_port in[SF_DESC_PORTS];
    sf_port out[SF_DESC_PORTS];
    uint64_t count;                          /* short for SF_CONDITION_COUNT */
    int64_t period;                          /* short for SF_CONDITION_PERIOD */
    sf_condition when[SF_DESC_CONDITIONS];
    sf_compute_func initialize;              /* of each run, before memory is laid out: may fix the size of ports */
    sf_compute_func start, stop;             /* all starts before any compute, as added; stops in reverse, of those
                                                whose start has succeeded */
    sf_stream_pool *streams;                 /* and with it the GPU; default the flow's */
    bool adopt_stream;                       /* has no stream of its own: works on the first one it receives */
    int32_t region;                          /* operators with the same number, not 0, that only receive, launch, copy
                                                and emit: captured once, one CUDA graph launch per turn of all. On
                                                each edge within one message per turn; on_error STOP_FLOW only */
    int32_t workers;                         /* index into sf_flow_desc.workers */
    int32_t priority;                        /* among ready operators; lower is more urgent. Equals run first in,
                                                first out; to those who wait for nothing else a message goes on
                                                at once (with several workers along a chain only, and what has
                                                gathered in it, too). Who has got room again by a compute is
                                                ready behind those that got what it has emitted */
    sf_on_error on_error;
    uint32_t retries;
} sf_op_desc;

typedef enum sf_overflow {                   /* one more message for a full queue */
    SF_OVERFLOW_BLOCK,                       /* does not happen: the producer is not scheduled without room */
    SF_OVERFLOW_DROP_OLDEST,
    SF_OVERFLOW_DROP_NEWEST,
    SF_OVERFLOW_LATEST,                      /* one value, overwritten and read again; holds nobody up */
    SF_OVERFLOW_ERROR                        /* refused, and said so */
} sf_overflow;

typedef struct sf_edge_desc {
    sf_overflow overflow;
    uint16_t capacity;                       /* default the input port's */
    uint16_t delay;                          /* zeroed messages on it at start: what makes a cycle turn. Tensors of
                                                SF_U8 if the output has .bytes, else values */
    bool control;                            /* hands over the turn, no message; port names are NULL. Turns add up:
                                                it runs as often as it was handed one, by whomever */
} sf_edge_desc;

/* >>flow ---------------------------------------------------------------------------------------------- */

typedef enum sf_realtime { SF_REALTIME_NONE, SF_REALTIME_FIFO, SF_REALTIME_RR, SF_REALTIME_DEADLINE } sf_realtime;

typedef struct sf_workers {                  /* a group of threads; operators choose one */
    int32_t count;                           /* group 0: 0 is no thread at all, the caller's does the work (of
                                                sf_start(), one of the library's). All groups: 64 at most */
    const char *name;
    const char *cpus;                        /* "0-3,8", as for taskset; default any */
    int64_t spin;                            /* looks for work so long before it sleeps; default 20 us, < 0 none */
    sf_realtime realtime;
    int32_t priority;                        /* FIFO, RR */
    int64_t runtime, deadline, period;       /* DEADLINE */
} sf_workers;

typedef enum sf_metadata_policy {
    SF_METADATA_UPDATE,                      /* the last one received stays */
    SF_METADATA_REJECT,                      /* the first one */
    SF_METADATA_RAISE                        /* an error */
} sf_metadata_policy;
typedef enum sf_hook {
    SF_HOOK_START, SF_HOOK_BEGIN, SF_HOOK_RECEIVE, SF_HOOK_EMIT, SF_HOOK_END, SF_HOOK_STOP
} sf_hook;

typedef struct sf_flow_desc {
    const char *name;
    sf_device *device;                       /* default: opens one itself, and closes it ... */
    sf_backend backend;                      /* ... of this kind */
    sf_logger logger;
    sf_heap heap;
    sf_range memory;                         /* the flow lives in here alone: no heap, then or later */
    struct {                                 /* required with `memory`. edges: external inputs, too, but for one per
                                                operator. messages: capacities of all input ports together; twice
                                                those behind DROP_OLDEST and LATEST of who RETRYs, or with several
                                                workers, or jobs. streams: default one per operator if
                                                payload_bytes > 0 */
        uint32_t ops, edges, messages;
        size_t payload_bytes;                /* of all output pools together */
        uint32_t streams;
    } limits;
    sf_workers workers[SF_DESC_WORKERS];
    struct {                                 /* computes run on a task system of yours; the flow's thread hands them
                                                out. finish() returns when the task has ended: it may help, or wait */
        void *(*enqueue)(void (*task)(void *arg), void *arg, void *user);    /* NULL: it has run already */
        void (*finish)(void *task, void *user);
        void *user;
    } jobs;
    struct {
        int64_t (*now)(void *user);
        void *user;
        bool simulated;                      /* jumps to the next timer when nothing can run: what always can keeps
                                                it where it is, so give that a PERIOD */
    } clock;                                 /* default the system's monotonic clock; one of yours is asked while
                                                there is nothing to do but to wait for it */
    sf_stream_pool *streams;                 /* default: one of the flow's own */
    int64_t deadlock_timeout;                /* nothing can ever run: stop after it; default at once, < 0 never */
    int64_t max_duration;                    /* then it ends, with SF_OK; default never */
    bool gxf_or;                             /* in `any` groups NEVER beats READY, as in GXF */
    sf_metadata_policy metadata;             /* two received messages bring the same key */
    uint32_t metadata_entries;               /* per message; default none */
    struct {
        bool latency, device_time;           /* per path, from the begin of its first compute to the end of its last,
                                                of a circle to its begin, and computes' CPU time; GPU time per
                                                operator, by events. 64 paths of a flow, 16 that meet in a message (4
                                                on bare metal): what comes by others is counted in
                                                sf_flow_info.paths_lost, and logged */
        uint32_t skip_first, discard_last;   /* messages of each path that do not count, whatever their latency */
        int64_t threshold;                   /* nor do latencies below it */
    } track;
    uint32_t trace_events;                   /* ring for sf_flow_trace(); default none */
    struct {                                 /* data loggers, profilers; on the operator's thread */
        void (*func)(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user);
        void *user;
    } hook;
} sf_flow_desc;

SF_API sf_flow *sf_flow_create(const sf_flow_desc *desc);    /* NULL only if not even the flow itself fits: see the
                                                log */
SF_API sf_result sf_flow_destroy(sf_flow *flow);             /* stops it, waits for the computes that run, and returns
                                                the first error of its life */
SF_API size_t sf_flow_memory(const sf_flow_desc *desc);      /* bytes for desc.memory: enough with eight ports per
                                                operator and names of usual length; fewer may do, see memory_bytes */

/* Port name NULL: the only one there. An input takes one edge, a `many` input any number; each edge has a queue of
   its own. sf_scope: names become "name/..." until sf_scope(flow, NULL), scopes within scopes: a subflow is a C
   function called in between. */
SF_API sf_op sf_add(sf_flow *flow, const sf_op_desc *desc);
SF_API int sf_add_input(sf_flow *flow, sf_op op, const sf_port *port);       /* more than the desc holds: its index */
SF_API int sf_add_output(sf_flow *flow, sf_op op, const sf_port *port);
SF_API sf_result sf_connect(sf_flow *flow, sf_op from, const char *output, sf_op to, const char *input,
                            const sf_edge_desc *desc);
SF_API void sf_scope(sf_flow *flow, const char *name);

/* Finds all that is wrong, without running and without a GPU, and writes it with the plan: order, memory, queues,
   streams, calls per message; but for the sizes that initialize hooks set, as it calls none. text may be NULL. It
   lays the next run out: all counters begin anew. json: one object: flow, bytes, problems: sentences, ops: name,
   region, stream (none, own, received, region), inputs: names, outputs: name, blocks, bytes; edges: from, to: indices
   into ops (-1: outside), output, input, capacity, overflow, delay, control (such have no ports). */
SF_API sf_result sf_flow_check(sf_flow *flow, bool json, sf_text_func text, void *user);

/* A flow ends when nothing can run any more; who may be pushed to or signalled can. If then a message is left in
   front of a required input, as when one source of a join gives more than the other, or somebody waits for memory,
   that is SF_ERROR_DEADLOCK; the failure says which messages, in front of whom, and who waits for what. */
SF_API sf_result sf_run(sf_flow *flow);                      /* to its end; as often as you like */
SF_API sf_result sf_start(sf_flow *flow);                    /* checks everything, then runs in the background */
SF_API sf_result sf_wait(sf_flow *flow, int64_t timeout);    /* the result of the run, or SF_TIMEOUT */
SF_API sf_result sf_stop(sf_flow *flow);                     /* asks, from anywhere; sf_wait() tells when.
                                                Messages in queues are released unseen */
SF_API sf_result sf_flow_pause(sf_flow *flow, bool paused);  /* no compute begins until false, in later runs, too */
SF_API sf_result sf_op_stop(sf_flow *flow, sf_op op);        /* and who depends on it alone */
SF_API int64_t sf_now(const sf_flow *flow);                  /* its clock; of NULL: the system's */

/* A loop of your own: starts the flow if need be and runs at most one operator. SF_OK: it did, or went on otherwise
   (the time of a simulated clock, an operator's end, a task begun): call again. SF_IDLE: nothing to do before *wake
   (-1: before a push or a signal, and whoever sends one can wake you); wake may be NULL. SF_DONE: the flow has ended;
   the next call would start it again. Several workers: SF_ERROR_NOT_SUPPORTED, a failed start. */
SF_API sf_result sf_flow_step(sf_flow *flow, int64_t *wake);

/* From outside: any thread or interrupt, host functions of streams, too; one at a time per port or condition; no
   allocation; none may begin once sf_flow_destroy() has. Works from sf_flow_check() or the start on, to the end of
   the run, which waits for those under way, and releases what was pushed and not received. SF_BUSY: the queue is
   full; then, and after an error, the tensor is still yours. SF_ERROR_MISMATCH: the port has .bytes, and this is a
   value or of another size. Before and after, sf_signal() is SF_IGNORED, sf_push() SF_ERROR_ILLEGAL_STATE. They
   return a code, and leave no failure and no log: an interrupt may call them.
   `condition` is an index into sf_op_desc.when. */
SF_API sf_result sf_signal(sf_flow *flow, sf_op op, int condition, sf_readiness state);
SF_API sf_result sf_push(sf_flow *flow, sf_op op, int input, sf_tensor *tensor);     /* takes the reference */
SF_API sf_result sf_push_value(sf_flow *flow, sf_op op, int input, sf_value value);

/* >>observe ------------------------------------------------------------------------------------------- */

typedef enum sf_op_state {
    SF_OP_NEW, SF_OP_WAITING, SF_OP_QUEUED, SF_OP_COMPUTING, SF_OP_PAUSED, SF_OP_STOPPED, SF_OP_FAILED
} sf_op_state;

typedef struct sf_op_info {
    sf_op_state state;
    uint64_t runs, errors;                   /* of this run or the last one, as all counters of a flow */
    sf_latency cpu, device;                  /* of a compute, with track.latency; of the GPU work that it enqueued */
    char waits_for[96];                      /* in words; "" if it does not */
} sf_op_info;

typedef struct sf_edge_info {
    uint64_t messages, dropped, refused;     /* accepted; of these, thrown away later, but for what a stop released;
                                                never accepted */
    uint32_t queued, queued_high, capacity;  /* high: at most so far; from an operator to itself capacity + 1. Between
                                                two workers, while one takes message after message, `queued` may
                                                still count what it has taken: a quarter of the capacity at most */
} sf_edge_info;

typedef struct sf_flow_info {
    bool running;
    uint32_t ops, edges, paths;
    uint64_t dropped;                        /* by edges, refused ones too, and emitted where no edge is */
    size_t memory_bytes, payload_bytes;      /* taken: for the flow and its queues; for tensors in its pools */
    sf_result result;                        /* of sf_flow_failure() */
    uint64_t paths_lost;                     /* latencies that belong to none of `paths`: see track.latency */
} sf_flow_info;

/* From any thread, while the flow runs, too; but not beside a call that builds, checks, starts or destroys it: each
   start lays it out anew. */
SF_API sf_result sf_flow_get_info(const sf_flow *flow, sf_flow_info *info);
SF_API sf_result sf_flow_get_path(const sf_flow *flow, uint32_t index, sf_latency *latency, char *name, size_t bytes);
SF_API sf_result sf_op_get_info(const sf_flow *flow, sf_op op, sf_op_info *info);
SF_API sf_result sf_op_get_edge_info(const sf_flow *flow, sf_op op, int input, int index, sf_edge_info *info);
/* Why the run ended; else the first error that an on_error took, with what became of it. All are counted, those of an
   operator in sf_op_info.errors. A call that is refused because of a run that goes on is told while there is nothing
   else. */
SF_API const sf_failure *sf_flow_failure(const sf_flow *flow);
SF_API sf_result sf_flow_dot(const sf_flow *flow, sf_text_func text, void *user);    /* Graphviz, live counts */
/* JSON for Perfetto and chrome://tracing, of a run that is over: computes by worker, messages as arrows, queues,
   drops; with track.device_time the GPU work of each operator by stream, too. */
SF_API sf_result sf_flow_trace(const sf_flow *flow, sf_text_func text, void *user);

#ifdef __cplusplus
} /* extern "C" */

/* The same by reference, for braces and for C++20's designated initializers. */
static inline sf_result sf_device_open(const sf_device_desc &desc, sf_device **out)
{
    return sf_device_open(&desc, out);
}
static inline sf_flow *sf_flow_create(const sf_flow_desc &desc) { return sf_flow_create(&desc); }
static inline sf_op sf_add(sf_flow *flow, const sf_op_desc &desc) { return sf_add(flow, &desc); }
template <typename Args>
static inline sf_result sf_launch(sf_stream *stream, const sf_kernel &kernel, const Args &args)
{
    return sf_launch(stream, &kernel, &args, sizeof(Args));
}
#endif
#endif /* STREAMFLOW_H */

#if defined(STREAMFLOW_IMPLEMENTATION) && !defined(STREAMFLOW_IMPLEMENTED)
#define STREAMFLOW_IMPLEMENTED

/* >>config -------------------------------------------------------------------------------------------- */

#if defined(SF_NO_STDLIB) && !defined(SF_NO_CUDA)
    #define SF_NO_CUDA                       /* the driver is loaded with dlopen() */
#endif
#if defined(SF_NO_STDLIB) && defined(SF_NO_THREADS)
    #define SFI_BARE                         /* nothing below us: no clock, no heap, no files */
#endif
#ifndef SF_ASSERT                            /* fails only if streamflow itself is broken */
    #ifdef SF_DEBUG
        #define SF_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
    #else
        #define SF_ASSERT(condition) ((void)0)
    #endif
#endif
#ifdef NVTX_VERSION                          /* Nsight shows who computes when */
    #define SFI_RANGE_BEGIN(name) ((void)nvtxRangePushA(name))
    #define SFI_RANGE_END()       ((void)nvtxRangePop())
#else
    #define SFI_RANGE_BEGIN(name) ((void)0)
    #define SFI_RANGE_END()       ((void)0)
#endif
#define SFI_NOINLINE __attribute__((noinline))       /* rare; or what runs for each message, registers to itself */
#define SFI_INLINE inline __attribute__((always_inline))     /* into the loops that run for each message */
#ifndef SFI_STEP                             /* tests hand a baton between threads at each shared access */
    #define SFI_STEP(id) ((void)0)
#endif

/* Without threads an interrupt may still push and signal: read-modify-writes that it shares with the main loop
   stand between these two, always in this order, in one block. */
#ifndef SF_CRITICAL_ENTER
    #if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
        #define SF_CRITICAL_ENTER() \
            uint32_t sfi_primask;   \
            __asm__ __volatile__("mrs %0, primask\n\tcpsid i" : "=r"(sfi_primask) : : "memory")
        #define SF_CRITICAL_EXIT() __asm__ __volatile__("msr primask, %0" : : "r"(sfi_primask) : "memory")
    #else
        #define SF_CRITICAL_ENTER() ((void)0)
        #define SF_CRITICAL_EXIT()  ((void)0)
    #endif
#endif

#include <stdarg.h>
#ifndef SF_NO_STDLIB
    #include <stdio.h>
    #include <stdlib.h>
#endif
#ifndef SFI_BARE
    #include <time.h>
    #if defined(CLOCK_MONOTONIC)
        #define SFI_MONOTONIC CLOCK_MONOTONIC
    #elif defined(__GLIBC__) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
        #define SFI_MONOTONIC 1              /* glibc hides POSIX from strict C: declared below */
        #define SFI_STRICT_C
    #else
        #error "streamflow.h needs POSIX clocks and threads: compile with -D_DEFAULT_SOURCE, or as gnu11"
    #endif
#endif
#ifndef SF_NO_THREADS
    #include <errno.h>
    #include <pthread.h>
    #include <sched.h>
    #include <unistd.h>
    #if defined(__linux__)
        #include <sys/eventfd.h>
        #include <sys/syscall.h>
        #define SFI_EVENTFD
    #endif
#endif
#ifndef SF_NO_CUDA
    #include <dlfcn.h>
#endif

enum {
    SFI_PRIORITIES = 6,                      /* host streams: 0 (least) to -5 */
    SFI_MAX_SLICES = 64,                     /* slices of one host launch: a bit each */
    SFI_STREAM_DEPTH = 1024,
    SFI_STREAM_DEPTH_FIXED = 8,              /* default where the device lives in memory handed in */
#ifndef SFI_BARE
    SFI_SEEN = 64,                           /* streams whose progress a stream remembers having waited for */
    SFI_KNOWN = 16,                          /* the same, on the host backend, for the reuse of its pools' memory */
    SFI_TEXT = 384,                          /* longest sentence */
    SFI_NAME = 48                            /* longest name of a stream, pool or flow */
#else
    SFI_SEEN = 8,
    SFI_KNOWN = 2,
    SFI_TEXT = 160,
    SFI_NAME = 16
#endif
};

#define SFI_NONE UINT32_MAX                  /* no index */
#define SFI_COUNT(array) (sizeof(array) / sizeof *(array))
#define SFI_ALIGN(n, to) (((n) + ((to) - 1)) & ~(size_t)((to) - 1))

/* >>platform ------------------------------------------------------------------------------------------ */

#define sfi_copy(dst, src, bytes)  ((void)__builtin_memcpy(dst, src, bytes))
#define sfi_zero(dst, bytes)       ((void)__builtin_memset(dst, 0, bytes))
#define sfi_fill(dst, byte, bytes) ((void)__builtin_memset(dst, byte, bytes))

/* Atomics are structs, so that a plain access does not compile. */
typedef struct sfi_atomic32 { uint32_t v; } sfi_atomic32;
typedef struct sfi_atomic64 { uint64_t v; } sfi_atomic64;

#ifndef SF_NO_THREADS
static uint32_t sfi_load(const sfi_atomic32 *a) { return __atomic_load_n(&a->v, __ATOMIC_ACQUIRE); }
static void sfi_store(sfi_atomic32 *a, uint32_t v) { __atomic_store_n(&a->v, v, __ATOMIC_RELEASE); }
static uint32_t sfi_swap(sfi_atomic32 *a, uint32_t v) { return __atomic_exchange_n(&a->v, v, __ATOMIC_SEQ_CST); }
static uint32_t sfi_add(sfi_atomic32 *a, uint32_t v) { return __atomic_fetch_add(&a->v, v, __ATOMIC_ACQ_REL); }
static bool sfi_cas(sfi_atomic32 *a, uint32_t expected, uint32_t v)
{
    return __atomic_compare_exchange_n(&a->v, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
}
/* The two sides of "I sleep unless there is news" need one total order of their accesses. */
static uint32_t sfi_load_ordered(const sfi_atomic32 *a) { return __atomic_load_n(&a->v, __ATOMIC_SEQ_CST); }
static void sfi_store_ordered(sfi_atomic32 *a, uint32_t v) { __atomic_store_n(&a->v, v, __ATOMIC_SEQ_CST); }
static uint64_t sfi_load64(const sfi_atomic64 *a) { return __atomic_load_n(&a->v, __ATOMIC_ACQUIRE); }
static void sfi_store64(sfi_atomic64 *a, uint64_t v) { __atomic_store_n(&a->v, v, __ATOMIC_RELEASE); }
static void sfi_add64(sfi_atomic64 *a, uint64_t v) { (void)__atomic_fetch_add(&a->v, v, __ATOMIC_RELAXED); }
#else
#define SFI_BARRIER() __asm__ __volatile__("" : : : "memory")
static uint32_t sfi_load(const sfi_atomic32 *a)
{
    uint32_t v = *(const volatile uint32_t *)&a->v;
    SFI_BARRIER();
    return v;
}
static void sfi_store(sfi_atomic32 *a, uint32_t v)
{
    SFI_BARRIER();
    *(volatile uint32_t *)&a->v = v;
    SFI_BARRIER();
}
static uint32_t sfi_swap(sfi_atomic32 *a, uint32_t v)
{
    uint32_t old;
    SF_CRITICAL_ENTER();
    old = sfi_load(a);
    sfi_store(a, v);
    SF_CRITICAL_EXIT();
    return old;
}
static uint32_t sfi_add(sfi_atomic32 *a, uint32_t v)
{
    uint32_t old;
    SF_CRITICAL_ENTER();
    old = sfi_load(a);
    sfi_store(a, old + v);
    SF_CRITICAL_EXIT();
    return old;
}
static bool sfi_cas(sfi_atomic32 *a, uint32_t expected, uint32_t v)
{
    bool same;
    SF_CRITICAL_ENTER();
    same = sfi_load(a) == expected;
    if (same) { sfi_store(a, v); }
    SF_CRITICAL_EXIT();
    return same;
}
static uint32_t sfi_load_ordered(const sfi_atomic32 *a) { return sfi_load(a); }
static void sfi_store_ordered(sfi_atomic32 *a, uint32_t v) { sfi_store(a, v); }
static uint64_t sfi_load64(const sfi_atomic64 *a)
{
    uint64_t v;
    SF_CRITICAL_ENTER();
    v = *(const volatile uint64_t *)&a->v;
    SF_CRITICAL_EXIT();
    return v;
}
static void sfi_store64(sfi_atomic64 *a, uint64_t v)
{
    SF_CRITICAL_ENTER();
    *(volatile uint64_t *)&a->v = v;
    SF_CRITICAL_EXIT();
}
static void sfi_add64(sfi_atomic64 *a, uint64_t v)
{
    SF_CRITICAL_ENTER();
    *(volatile uint64_t *)&a->v = a->v + v;
    SF_CRITICAL_EXIT();
}
#endif

/* The only state outside of objects: what the calling thread is inside of. */
#ifndef SF_NO_THREADS
    #define SFI_THREAD_LOCAL static __thread
#else
    #define SFI_THREAD_LOCAL static
#endif
typedef struct sfi_thread_state {
    bool in_host_func, in_operation;         /* operation: a lazy one is being submitted */
    bool in_logger;
    const struct sf_device *calls;           /* a function of the user's, for that device; the innermost */
    int64_t birth;                           /* tells threads apart that have the same block, one after the other */
    sf_capture_mode capture_mode;
    const struct sfi_entered *inside;        /* whose hooks, the innermost first */
    struct sfi_plan *plan;                   /* the graph one of whose nodes runs here */
    struct sfi_memo *memos;                  /* shares and graphs of lazy operations that it runs, the latest first */
    const char *call;                        /* of the stream layer, until its failure is told */
    sf_result stray;                         /* its latest failure, if no device was told */
    const char *stray_call, *stray_why;
    uint32_t told;                           /* failures that were */
} sfi_thread_state;
SFI_THREAD_LOCAL sfi_thread_state sfi_this_thread;

/* Around what the library does for itself: no capture of the user's is broken by it, in any thread. */
static sf_capture_mode sfi_relax(void)
{
    sf_capture_mode mode = sfi_this_thread.capture_mode;
    sfi_this_thread.capture_mode = SF_CAPTURE_RELAXED;
    return mode;
}
static void sfi_unrelax(sf_capture_mode mode) { sfi_this_thread.capture_mode = mode; }

#ifdef SFI_STRICT_C
int clock_gettime(__clockid_t, struct timespec *);
int nanosleep(const struct timespec *, struct timespec *);
#endif
#ifdef SFI_BARE
static int64_t sfi_clock(void) { return 0; }
#else
static int64_t sfi_clock(void)
{
    struct timespec t;
    clock_gettime(SFI_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
#endif

/* `timeout` from now as a point in time; SFI_NEVER where it is SF_FOREVER. */
#define SFI_NEVER INT64_MAX
static int64_t sfi_deadline(int64_t now, int64_t timeout)
{
    return timeout < 0 || (now > 0 && timeout > SFI_NEVER - now) ? SFI_NEVER : now + timeout;
}

#ifndef SF_NO_THREADS
typedef pthread_mutex_t sfi_mutex;
typedef pthread_cond_t sfi_cond;
typedef pthread_t sfi_thread;

static void sfi_mutex_init(sfi_mutex *m) { pthread_mutex_init(m, NULL); }
static void sfi_mutex_free(sfi_mutex *m) { pthread_mutex_destroy(m); }
static void sfi_lock(sfi_mutex *m) { pthread_mutex_lock(m); }
static void sfi_unlock(sfi_mutex *m) { pthread_mutex_unlock(m); }
#if defined(__GLIBC__) && defined(__STRICT_ANSI__) && !defined(__cplusplus)
int pthread_condattr_setclock(pthread_condattr_t *, __clockid_t);
#endif
static void sfi_cond_init(sfi_cond *c)
{
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, SFI_MONOTONIC);
    pthread_cond_init(c, &a);
    pthread_condattr_destroy(&a);
}
static void sfi_cond_free(sfi_cond *c) { pthread_cond_destroy(c); }
static void sfi_cond_wake(sfi_cond *c) { pthread_cond_signal(c); }
static void sfi_cond_wake_all(sfi_cond *c) { pthread_cond_broadcast(c); }
static bool sfi_cond_wait(sfi_cond *c, sfi_mutex *m, int64_t deadline)       /* false: the deadline passed */
{
    struct timespec t;
    if (deadline == SFI_NEVER) { return pthread_cond_wait(c, m) == 0; }
    t.tv_sec = (time_t)(deadline / 1000000000);
    t.tv_nsec = (long)(deadline % 1000000000);
    return pthread_cond_timedwait(c, m, &t) != ETIMEDOUT;
}
static bool sfi_thread_start(sfi_thread *t, void *(*func)(void *), void *arg)
{
    return pthread_create(t, NULL, func, arg) == 0;
}
static void sfi_thread_join(sfi_thread t) { pthread_join(t, NULL); }

/* Cores as taskset writes them, "0-3,8", as bits; false: not so. */
enum { SFI_CORES = 1024 };
static bool sfi_parse_cores(const char *text, uint64_t bits[SFI_CORES / 64])
{
    uint32_t first = 0, n = 0, digits = 0;
    bool range = false;
    sfi_zero(bits, SFI_CORES / 8);
    for (;; text++) {
        if (*text >= '0' && *text <= '9' && n < SFI_CORES) {
            n = n * 10 + (uint32_t)(*text - '0');
            digits++;
            continue;
        }
        if (!digits || n >= SFI_CORES || (range && n < first)) { return false; }
        if (*text == '-' && !range) {
            first = n;
            range = true;
        } else if (*text == ',' || !*text) {
            for (first = range ? first : n; first <= n; first++) { bits[first / 64] |= (uint64_t)1 << (first & 63); }
            range = false;
        } else {
            return false;
        }
        if (!*text) { return true; }
        n = digits = 0;
    }
}
#if defined(__linux__) && defined(__STRICT_ANSI__) && !defined(__cplusplus)       /* glibc hides it from strict C */
long syscall(long, ...);
#endif

/* Where one thread sleeps and any other wakes it, without a lock on the way if the system has a futex. */
#if defined(__linux__) && defined(SYS_futex) && __SIZEOF_LONG__ == 8     /* else its time may be another */
typedef struct sfi_parker { sfi_atomic32 poked; } sfi_parker;
static void sfi_parker_init(sfi_parker *p) { sfi_store(&p->poked, 0); }
static void sfi_parker_free(sfi_parker *p) { (void)p; }
static void sfi_parker_unpark(sfi_parker *p)
{
    sfi_store_ordered(&p->poked, 1);
    (void)syscall(SYS_futex, &p->poked.v, 1 | 128 /* WAKE, PRIVATE */, 1, 0, 0, 0);
}
static bool sfi_parker_park(sfi_parker *p, int64_t deadline)         /* false: too late; may end for no reason */
{
    struct { long s, ns; } t;
    t.s = (long)(deadline / 1000000000);
    t.ns = (long)(deadline % 1000000000);
    return syscall(SYS_futex, &p->poked.v, 9 | 128 /* WAIT_BITSET, PRIVATE: until a time of the monotonic clock */, 0,
                   deadline == SFI_NEVER ? NULL : &t, 0, ~0u) == 0 || errno == EAGAIN || errno == EINTR;
}
#else
typedef struct sfi_parker { sfi_atomic32 poked; sfi_mutex lock; sfi_cond wake; } sfi_parker;
static void sfi_parker_init(sfi_parker *p)
{
    sfi_store(&p->poked, 0);
    sfi_mutex_init(&p->lock);
    sfi_cond_init(&p->wake);
}
static void sfi_parker_free(sfi_parker *p)
{
    sfi_cond_free(&p->wake);
    sfi_mutex_free(&p->lock);
}
static void sfi_parker_unpark(sfi_parker *p)
{
    sfi_lock(&p->lock);
    sfi_store_ordered(&p->poked, 1);
    sfi_unlock(&p->lock);
    sfi_cond_wake(&p->wake);
}
static bool sfi_parker_park(sfi_parker *p, int64_t deadline)
{
    bool in_time;
    sfi_lock(&p->lock);
    in_time = sfi_load(&p->poked) || sfi_cond_wait(&p->wake, &p->lock, deadline);
    sfi_unlock(&p->lock);
    return in_time;
}
#endif
static void sfi_parker_reset(sfi_parker *p) { (void)sfi_swap(&p->poked, 0); }  /* sees what led to the last poke */
static bool sfi_parker_is_unparked(const sfi_parker *p) { return sfi_load(&p->poked) != 0; }

#if defined(__linux__)
static void sfi_thread_name(const char *name)
{
    char text[16];                           /* all that the system keeps */
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof text; n++) { text[n] = name[n]; }
    text[n] = 0;
    (void)syscall(SYS_prctl, 15 /* PR_SET_NAME */, text, 0, 0, 0);
}
static bool sfi_thread_pin(const char *cores)
{
    uint64_t bits[SFI_CORES / 64];
    return sfi_parse_cores(cores, bits) && syscall(SYS_sched_setaffinity, 0, sizeof bits, bits) == 0;
}
static bool sfi_thread_schedule(int kind, int32_t priority, int64_t runtime, int64_t deadline, int64_t period)
{
    static const uint32_t policies[] = { 0, 1 /* FIFO */, 2 /* RR */, 6 /* DEADLINE */ };
    struct { uint32_t size, policy; uint64_t flags; int32_t nice; uint32_t priority; uint64_t ns[3]; } attr;
    sfi_zero(&attr, sizeof attr);
    attr.size = sizeof attr;
    attr.policy = policies[kind & 3];
    attr.priority = kind == 3 ? 0 : priority > 0 ? (uint32_t)priority : 1;
    if (kind == 3) {
        attr.ns[0] = (uint64_t)runtime;
        attr.ns[1] = (uint64_t)deadline;
        attr.ns[2] = (uint64_t)period;
    }
    return syscall(SYS_sched_setattr, 0, &attr, 0) == 0;
}
#else
static void sfi_thread_name(const char *name) { (void)name; }
static bool sfi_thread_pin(const char *cores) { return (void)cores, false; }
static bool sfi_thread_schedule(int kind, int32_t priority, int64_t runtime, int64_t deadline, int64_t period)
{
    return (void)kind, (void)priority, (void)runtime, (void)deadline, (void)period, false;
}
#endif
static bool sfi_thread_is_self(sfi_thread t) { return pthread_equal(t, pthread_self()) != 0; }
static int32_t sfi_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 2 ? 2 : n > 64 ? 64 : (int32_t)n;
}
static void sfi_yield(void) { sched_yield(); }
static void sfi_relax_core(void)                             /* while spinning: for the core's other thread */
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__ARM_ARCH_7A__)
    __asm__ __volatile__("yield");
#endif
}
static inline void sfi_sleep(int64_t ns)                     /* not every configuration needs it */
{
    struct timespec t;
    t.tv_sec = (time_t)(ns / 1000000000);
    t.tv_nsec = (long)(ns % 1000000000);
    nanosleep(&t, NULL);
}
#else
typedef struct sfi_mutex { char none; } sfi_mutex;
typedef struct sfi_cond { char none; } sfi_cond;
static void sfi_mutex_init(sfi_mutex *m) { m->none = 0; }
static void sfi_mutex_free(sfi_mutex *m) { (void)m; }
static void sfi_lock(sfi_mutex *m) { (void)m; }
static void sfi_unlock(sfi_mutex *m) { (void)m; }
static void sfi_yield(void) {}
static void sfi_relax_core(void) {}
static inline void sfi_sleep(int64_t ns) { (void)ns; }
#endif

/* >>text ---------------------------------------------------------------------------------------------- */

static size_t sfi_length(const char *s)                      /* of NULL: 0. No strlen: bare metal has none */
{
    const char *end = s;
    while (end && *end) { end++; }
    return (size_t)(end - s);
}
static bool sfi_same(const char *a, const char *b)
{
    if (!a || !b) { return false; }
    while (*a && *a == *b) { a++, b++; }
    return *a == *b;
}
static void sfi_keep_name(char *dst, size_t size, const char *src)           /* truncated, never NULL */
{
    size_t n = sfi_length(src);
    if (n >= size) { n = size - 1; }
    if (n) { sfi_copy(dst, src, n); }
    dst[n] = 0;
}

/* A text in a buffer, which is cut; of a report a piece, which is handed on when the buffer is full. */
typedef struct sfi_writer { sf_text_func func; void *user; } sfi_writer;
typedef struct sfi_text { char *at, *end, *begin; const sfi_writer *to; } sfi_text;  /* end: room for the zero */

static void sfi_put(sfi_text *t, const char *s, size_t n)
{
    if (t->to && n > (size_t)(t->end - t->at)) {
        t->to->func(t->to->user, t->begin, (size_t)(t->at - t->begin));
        t->to->func(t->to->user, s, n);
        t->at = t->begin;
        n = 0;
    }
    if (n > (size_t)(t->end - t->at)) { n = (size_t)(t->end - t->at); }
    if (n) { sfi_copy(t->at, s, n); }
    t->at += n;
    *t->at = 0;
}
static void sfi_put_number(sfi_text *t, uint64_t v, bool negative)
{
    char digits[24];
    size_t i = sizeof digits;
    do { digits[--i] = (char)('0' + v % 10); } while ((v /= 10) != 0);
    if (negative) { digits[--i] = '-'; }
    sfi_put(t, digits + i, sizeof digits - i);
}

/* %s string, %d int, %u unsigned, %L int64_t, %Z size_t, %t thousandths of an int64_t: all that messages need. */
static void sfi_put_v(sfi_text *t, const char *format, va_list args)
{
    for (; *format; format++) {
        int64_t v;
        const char *s;
        size_t n = 0;
        while (format[n] && format[n] != '%') { n++; }
        sfi_put(t, format, n);
        format += n;
        if (!*format) { return; }
        switch (*++format) {
        case 's':
            s = va_arg(args, const char *);
            sfi_put(t, s ? s : "", sfi_length(s));
            break;
        case 'd': v = va_arg(args, int); sfi_put_number(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0); break;
        case 'u': sfi_put_number(t, va_arg(args, unsigned), false); break;
        case 'L': v = va_arg(args, int64_t); sfi_put_number(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0); break;
        case 'Z': sfi_put_number(t, va_arg(args, size_t), false); break;
        case 't':
            v = va_arg(args, int64_t);
            sfi_put_number(t, (uint64_t)(v < 0 ? 0 : v) / 1000, false);
            sfi_put(t, ".", 1);
            sfi_put_number(t, (uint64_t)(v < 0 ? 0 : v) / 100 % 10, false);
            break;
        default: sfi_put(t, format, 1);
        }
    }
}
static sfi_text sfi_text_in(char *buffer, size_t size)
{
    sfi_text t;
    t.at = t.begin = buffer;
    t.end = buffer + size - 1;
    t.to = NULL;
    *buffer = 0;
    return t;
}
static void sfi_format(char *buffer, size_t size, const char *format, ...)
{
    va_list args;
    sfi_text t = sfi_text_in(buffer, size);
    va_start(args, format);
    sfi_put_v(&t, format, args);
    va_end(args);
}

typedef struct sfi_result_name { int32_t code; const char *text; } sfi_result_name;
static const sfi_result_name sfi_result_names[] = {
    { SF_OK, "ok" },
    { SF_DONE, "done" },
    { SF_IDLE, "nothing to run at present" },
    { SF_BUSY, "full at present, try again" },
    { SF_TIMEOUT, "the deadline passed" },
    { SF_IGNORED, "valid, but without effect" },
    { SF_NOT_READY, "work is pending" },
    { SF_ERROR_INVALID_VALUE, "invalid value" },
    { SF_ERROR_OUT_OF_MEMORY, "out of memory" },
    { SF_ERROR_NO_DEVICE, "no CUDA device" },
    { SF_ERROR_INVALID_DEVICE, "invalid device ordinal" },
    { SF_ERROR_INVALID_CONTEXT, "invalid device context" },
    { SF_ERROR_INVALID_HANDLE, "invalid handle" },
    { SF_ERROR_ILLEGAL_STATE, "not possible in this state" },
    { SF_ERROR_LOSSY_QUERY, "the answer would lose edge data" },
    { SF_ERROR_ILLEGAL_ADDRESS, "a kernel used an illegal address" },
    { SF_ERROR_LAUNCH_FAILED, "a kernel failed" },
    { SF_ERROR_NOT_PERMITTED, "not permitted inside a host function" },
    { SF_ERROR_NOT_SUPPORTED, "not supported" },
    { SF_ERROR_CAPTURE_UNSUPPORTED, "not permitted while a stream is capturing" },
    { SF_ERROR_CAPTURE_INVALIDATED, "the capture was invalidated" },
    { SF_ERROR_CAPTURE_MERGE, "two captures would merge" },
    { SF_ERROR_CAPTURE_UNMATCHED, "this stream did not begin the capture" },
    { SF_ERROR_CAPTURE_UNJOINED, "the capture has work that was not joined" },
    { SF_ERROR_CAPTURE_ISOLATION, "a dependency would cross the border of the capture" },
    { SF_ERROR_CAPTURE_IMPLICIT, "an implicit dependency on a capturing stream" },
    { SF_ERROR_CAPTURED_EVENT, "the event is part of a capture" },
    { SF_ERROR_CAPTURE_WRONG_THREAD, "another thread began the capture" },
    { SF_ERROR_GRAPH_EXEC_UPDATE, "the graph differs too much for an update" },
    { SF_ERROR_UNKNOWN, "unknown error" },
    { SF_ERROR_DRIVER, "no usable CUDA driver" },
    { SF_ERROR_NO_ROOM, "the memory handed in is too small" },
    { SF_ERROR_UNKNOWN_OPERATOR, "unknown operator" },
    { SF_ERROR_UNKNOWN_PORT, "unknown port" },
    { SF_ERROR_NOT_CONNECTED, "a required port has no edge" },
    { SF_ERROR_CONNECTED_TWICE, "connected twice" },
    { SF_ERROR_MISMATCH, "size, type or kind of message differ" },
    { SF_ERROR_NOT_RECEIVED, "the stream of a port was asked for before its message" },
    { SF_ERROR_POOL_EXHAUSTED, "the pool is used up" },
    { SF_ERROR_QUEUE_FULL, "the queue is full" },
    { SF_ERROR_DEADLOCK, "operators wait for each other" },
    { SF_ERROR_STALLED, "no progress within the deadline" },
    { SF_ERROR_REENTRANT, "called from inside itself" },
};

SF_API const char *sf_result_string(sf_result result)
{
    size_t i;
    for (i = 0; i < SFI_COUNT(sfi_result_names); i++) {
        if (sfi_result_names[i].code == (int32_t)result) { return sfi_result_names[i].text; }
    }
    if ((int32_t)result <= SF_ERROR_USER) { return "error of an operator"; }
    return (int32_t)result < 0 && (int32_t)result > -1000
               ? "CUDA error: its code is the number without the sign (an operator's own begin at SF_ERROR_USER)"
               : "unknown result";
}

SF_API void sf_log_stderr(const char *tag, uint32_t level, uint32_t item, const char *message, uint32_t line,
                          const char *file, void *user)
{
#ifndef SF_NO_STDLIB
    static const char *const levels[] = { "panic", "error", "warning", "info" };
    (void)line, (void)file, (void)user;
    fprintf(stderr, "%s: %s", tag ? tag : "streamflow", levels[level > 3 ? 3 : level]);
    if (item) { fprintf(stderr, " %u", (unsigned)item); }
    fprintf(stderr, ": %s\n", message ? message : "");
#else
    (void)tag, (void)level, (void)item, (void)message, (void)line, (void)file, (void)user;
#endif
}

SF_API void sf_text_file(void *user, const char *text, size_t bytes)
{
#ifndef SF_NO_STDLIB
    (void)fwrite(text, 1, bytes, (FILE *)user);
#else
    (void)user, (void)text, (void)bytes;
#endif
}

static void sfi_write(const sfi_writer *w, const char *format, ...)
{
    char buffer[SFI_TEXT];
    va_list args;
    sfi_text t = sfi_text_in(buffer, sizeof buffer);
    if (!w->func) { return; }
    t.to = w;
    va_start(args, format);
    sfi_put_v(&t, format, args);
    va_end(args);
    w->func(w->user, buffer, (size_t)(t.at - buffer));
}

/* The last failure of an object, with the text it points to. */
typedef struct sfi_failure { sf_failure now; char where[SFI_NAME], text[SFI_TEXT]; } sfi_failure;

static void sfi_failure_clear(sfi_failure *f)
{
    f->where[0] = f->text[0] = 0;
    f->now.result = SF_OK;
    f->now.count = 0;
    f->now.where = f->where;
    f->now.text = f->text;
    f->now.call = "";
}
static void sfi_log(const sf_logger *logger, uint32_t level, int32_t item, const char *text)
{
    uint32_t magnitude = item < 0 ? 0 - (uint32_t)item : (uint32_t)item;
    if (!logger->func || sfi_this_thread.in_logger) { return; }      /* what a logger itself does wrong is kept */
    sfi_this_thread.in_logger = true;
    logger->func("streamflow", level, magnitude, text, 0, NULL, logger->user);
    sfi_this_thread.in_logger = false;
}

/* >>heap ---------------------------------------------------------------------------------------------- */

/* Memory handed in is a heap of its own: first fit over an address-ordered free list. Blocks carry their size. */
typedef struct sfi_block { size_t bytes; struct sfi_block *next; } sfi_block;
typedef struct sfi_range_heap { sfi_block *free; size_t bytes, used, used_high; sfi_atomic32 busy; } sfi_range_heap;
enum { SFI_BLOCK = 2 * sizeof(void *) > 16 ? 2 * sizeof(void *) : 16 }; /* header: keeps blocks 16-byte aligned */

static void sfi_spin_lock(sfi_atomic32 *lock) { while (sfi_swap(lock, 1)) { sfi_yield(); } }
static void sfi_spin_unlock(sfi_atomic32 *lock) { sfi_store(lock, 0); }

static void *sfi_range_alloc(size_t bytes, void *user)
{
    sfi_range_heap *h = (sfi_range_heap *)user;
    sfi_block **link, *b;
    bytes = SFI_ALIGN(bytes, 16) + SFI_BLOCK;
    sfi_spin_lock(&h->busy);
    for (link = &h->free; (b = *link) != NULL && b->bytes < bytes; link = &b->next) {}
    if (b) {
        if (b->bytes >= bytes + SFI_BLOCK + 16) {            /* the rest stays free */
            sfi_block *rest = (sfi_block *)((char *)b + bytes);
            rest->bytes = b->bytes - bytes;
            rest->next = b->next;
            b->bytes = bytes;
            *link = rest;
        } else {
            *link = b->next;
        }
        h->used += b->bytes;
        if (h->used > h->used_high) { h->used_high = h->used; }
    }
    sfi_spin_unlock(&h->busy);
    return b ? (char *)b + SFI_BLOCK : NULL;
}
static void sfi_range_merge(sfi_block *b)
{
    if (b->next && (char *)b + b->bytes == (char *)b->next) {
        b->bytes += b->next->bytes;
        b->next = b->next->next;
    }
}
static void sfi_range_free(void *ptr, void *user)
{
    sfi_range_heap *h = (sfi_range_heap *)user;
    sfi_block *b = (sfi_block *)((char *)ptr - SFI_BLOCK), *before = NULL, *after;
    sfi_spin_lock(&h->busy);
    for (after = h->free; after && after < b; after = after->next) { before = after; }
    h->used -= b->bytes;
    b->next = after;
    if (before) { before->next = b; } else { h->free = b; }
    sfi_range_merge(b);
    if (before) { sfi_range_merge(before); }
    sfi_spin_unlock(&h->busy);
}
static sf_result sfi_range_heap_init(sf_heap *heap, sf_range range)
{
    size_t pad = (size_t)(0 - (uintptr_t)range.ptr) & 15, head = SFI_ALIGN(sizeof(sfi_range_heap), 16);
    sfi_range_heap *h;
    if (range.bytes < pad + head + 2 * SFI_BLOCK) { return SF_ERROR_NO_ROOM; }
    h = (sfi_range_heap *)(void *)((char *)range.ptr + pad);
    sfi_zero(h, sizeof *h);
    h->bytes = (range.bytes - pad - head) & ~(size_t)15;
    h->free = (sfi_block *)((char *)h + head);
    h->free->bytes = h->bytes;
    h->free->next = NULL;
    heap->alloc = sfi_range_alloc;
    heap->free = sfi_range_free;
    heap->user = h;
    return SF_OK;
}
static bool sfi_heap_is_range(const sf_heap *heap) { return heap->alloc == sfi_range_alloc; }
static size_t sfi_range_high(const sf_heap *heap)            /* bytes taken at most; others may be taking some */
{
    sfi_range_heap *h = (sfi_range_heap *)heap->user;
    size_t high;
    sfi_spin_lock(&h->busy);
    high = h->used_high;
    sfi_spin_unlock(&h->busy);
    return high;
}

#ifndef SF_NO_STDLIB
static void *sfi_std_alloc(size_t bytes, void *user) { return (void)user, malloc(bytes); }
static void sfi_std_free(void *ptr, void *user) { (void)user, free(ptr); }
#endif

/* Memory handed in, else the user's functions, else malloc() where there is one. */
static sf_result sfi_heap_init(sf_heap *heap, const sf_heap *users, sf_range memory)
{
    if (memory.ptr) { return sfi_range_heap_init(heap, memory); }
    if (!users->alloc != !users->free) { return SF_ERROR_INVALID_VALUE; }
    *heap = *users;
    if (!heap->alloc) {
#ifndef SF_NO_STDLIB
        heap->alloc = sfi_std_alloc;
        heap->free = sfi_std_free;
#else
        return SF_ERROR_OUT_OF_MEMORY;
#endif
    }
    return SF_OK;
}
static void *sfi_alloc(const sf_heap *heap, size_t bytes)
{
    return bytes > SIZE_MAX / 2 ? NULL : heap->alloc(bytes ? bytes : 1, heap->user);
}
static void *sfi_alloc_zeroed(const sf_heap *heap, size_t bytes)
{
    void *p = sfi_alloc(heap, bytes);        /* all touched now: no message meets a page that is not there */
    if (p) { sfi_zero(p, bytes); }
    return p;
}
static sf_result sfi_out_of_memory(const sf_heap *heap)      /* or out of what was handed in */
{
    return sfi_heap_is_range(heap) ? SF_ERROR_NO_ROOM : SF_ERROR_OUT_OF_MEMORY;
}
static void sfi_free(const sf_heap *heap, void *ptr)
{
    if (ptr) { heap->free(ptr, heap->user); }
}
static char *sfi_copy_string(const sf_heap *heap, const char *s)
{
    size_t n = sfi_length(s) + 1;
    char *copy = (char *)sfi_alloc(heap, n);
    if (copy) { sfi_copy(copy, s ? s : "", n); }
    return copy;
}

static void *sfi_bigger(const sf_heap *heap, void *items, size_t bytes, size_t wanted)
{
    void *copy;
#ifndef SF_NO_STDLIB
    if (heap->alloc == sfi_std_alloc) { return realloc(items, wanted); }     /* moves a large one without a copy */
#endif
    copy = sfi_alloc(heap, wanted);
    if (copy && bytes) { sfi_copy(copy, items, bytes); }
    if (copy) { sfi_free(heap, items); }
    return copy;
}
/* Doubles an array until it holds `count` items of `size` bytes. What is new is not touched: it takes no memory of
   the system's yet. */
static bool sfi_grow(const sf_heap *heap, void **items, uint32_t *room, uint32_t count, size_t size)
{
    uint32_t bigger = *room ? *room : 8;
    void *copy;
    if (count <= *room) { return true; }
    while (bigger < count) { bigger *= 2; }
    copy = sfi_bigger(heap, *items, *room * size, bigger * size);
    if (!copy) { return false; }
    *items = copy;
    *room = bigger;
    return true;
}

/* Small things that live as long as their owner, one after the other in a few chunks. */
typedef union sfi_chunk { union sfi_chunk *next; int64_t aligned; } sfi_chunk;
typedef struct sfi_pile { sfi_chunk *chunks; char *at, *end; size_t bytes; } sfi_pile;
enum { SFI_CHUNK = 256, SFI_CHUNK_MOST = 1 << 16 };
static char *sfi_align_up(char *p, size_t align) { return p ? p + ((0 - (uintptr_t)p) & (align - 1)) : NULL; }
static SFI_NOINLINE void *sfi_pile_chunk(const sf_heap *heap, sfi_pile *pile, size_t bytes, size_t align)
{
    size_t size = sizeof(sfi_chunk) + bytes + align - 1, usual = pile->bytes;        /* as much again as there is */
    sfi_chunk *chunk;
    char *p;
    bool own;
    if (usual < SFI_CHUNK || sfi_heap_is_range(heap)) { usual = SFI_CHUNK; }
    if (usual > SFI_CHUNK_MOST) { usual = SFI_CHUNK_MOST; }
    own = size > usual / 4;                  /* the rest of the last chunk is not to be lost for it */
    if (!own) { size = usual; }
    chunk = (sfi_chunk *)sfi_alloc(heap, size);
    if (!chunk) { return NULL; }
    chunk->next = pile->chunks;
    pile->chunks = chunk;
    pile->bytes += size;
    p = sfi_align_up((char *)(chunk + 1), align);
    if (!own) {
        pile->at = p + bytes;
        pile->end = (char *)chunk + size;
    }
    return p;
}
static void *sfi_pile_take(const sf_heap *heap, sfi_pile *pile, size_t bytes, size_t align)
{
    char *p = sfi_align_up(pile->at, align);
    if (!pile->at || bytes + (size_t)(p - pile->at) > (size_t)(pile->end - pile->at)) {
        return sfi_pile_chunk(heap, pile, bytes, align);
    }
    pile->at = p + bytes;
    return p;
}
/* The next `bytes` come from one block: memory handed in takes no chunk that is not used up. */
static bool sfi_pile_reserve(const sf_heap *heap, sfi_pile *pile, size_t bytes)
{
    char *p = (char *)sfi_pile_chunk(heap, pile, bytes, 1);
    if (!p) { return false; }
    pile->at = p;
    pile->end = p + bytes;
    return true;
}
static char *sfi_pile_text(const sf_heap *heap, sfi_pile *pile, const char *s, size_t n)
{
    char *copy = (char *)sfi_pile_take(heap, pile, n + 1, 1);
    if (!copy) { return NULL; }
    if (n) { sfi_copy(copy, s, n); }
    copy[n] = 0;
    return copy;
}
static void sfi_pile_free(const sf_heap *heap, sfi_pile *pile)
{
    while (pile->chunks) {
        sfi_chunk *chunk = pile->chunks;
        pile->chunks = chunk->next;
        sfi_free(heap, chunk);
    }
}

#ifndef SF_NO_THREADS
enum { SFI_LINE = 64 };
#else
enum { SFI_LINE = 8 };                       /* nobody to keep apart from */
#endif
/* One block for many arrays: a first pass with base NULL adds up, a second one hands out. */
typedef struct sfi_arena { char *base; size_t used; } sfi_arena;
static void *sfi_carve(sfi_arena *arena, size_t bytes)
{
    void *p = arena->base ? arena->base + arena->used : NULL;
    arena->used += SFI_ALIGN(bytes, 16);
    return p;
}

/* ... that begins with a cache line, as the block does, and shares none with what comes after it. */
static void *sfi_carve_lines(sfi_arena *arena, size_t bytes)
{
    arena->used = SFI_ALIGN(arena->used, SFI_LINE);
    return sfi_carve(arena, SFI_ALIGN(bytes, SFI_LINE));
}

/* Objects of one size, never given back before their device: a stale handle can still be looked at, and says so. */
typedef struct sfi_slot { uint32_t tag; struct sfi_slot *next; } sfi_slot;   /* first member of every handle */
typedef struct sfi_slab { sfi_slot *free, *last; void *chunks; size_t size; uint32_t live, per_chunk; } sfi_slab;
enum {
    SFI_TAG_DEVICE = 0x5f0de01,
    SFI_TAG_STREAM = 0x5f57e02,
    SFI_TAG_EVENT = 0x5fe7e03,
    SFI_TAG_STREAM_POOL = 0x5f57b04,
    SFI_TAG_MEM_POOL = 0x5f3eb05,
    SFI_TAG_FLOW = 0x5ff1006,
    SFI_TAG_FORK = 0x5ff0c0f,
    SFI_TAG_GRAPH = 0x5f69a07,
    SFI_TAG_NODE = 0x5f90d08,
    SFI_TAG_EXEC = 0x5fe7c09,
    SFI_TAG_MODULE = 0x5f30d0a,
    SFI_TAG_FUNCTION = 0x5ff410b,
    SFI_TAG_LAZY = 0x5f1a20c,
    SFI_TAG_POLICY = 0x5f9010d,
    SFI_TAG_FUTURE = 0x5ff070e,
    SFI_TAG_SCRIPT = 0x5f5c710
};

static void sfi_slab_put(sfi_slab *slab, sfi_slot *slot)     /* to the end of the queue: reused as late as possible */
{
    slot->tag = 0;
    slot->next = NULL;
    if (slab->last) { slab->last->next = slot; } else { slab->free = slot; }
    slab->last = slot;
}
static sfi_slot *sfi_slab_take(sfi_slab *slab, const sf_heap *heap, uint32_t tag)
{
    sfi_slot *slot;
    if (!slab->free) {
        size_t head = SFI_ALIGN(sizeof(void *), 16), i;
        char *chunk = (char *)sfi_alloc_zeroed(heap, head + slab->per_chunk * slab->size);
        if (!chunk) { return NULL; }
        *(void **)(void *)chunk = slab->chunks;
        slab->chunks = chunk;
        for (i = 0; i < slab->per_chunk; i++) {
            sfi_slab_put(slab, (sfi_slot *)(void *)(chunk + head + i * slab->size));
        }
    }
    slot = slab->free;
    slab->free = slot->next;
    if (!slab->free) { slab->last = NULL; }
    slot->tag = tag;
    slab->live++;
    return slot;
}
static void sfi_slab_give(sfi_slab *slab, sfi_slot *slot)
{
    slab->live--;
    sfi_slab_put(slab, slot);
}
static void sfi_slab_free(sfi_slab *slab, const sf_heap *heap)
{
    while (slab->chunks) {
        void *chunk = slab->chunks;
        slab->chunks = *(void **)chunk;
        sfi_free(heap, chunk);
    }
}

/* >>backend ------------------------------------------------------------------------------------------- */

/* What sf_mem_alloc() gave out: the kind is needed to free it, and a pointer that is not here was not ours. */
typedef struct sfi_allocation {
    struct sfi_allocation *next;
    void *ptr;
    size_t bytes;
    sf_memory memory;
    sf_mem_pool *pool;                       /* ASYNC: that counts it */
    struct sfi_graph_memory *graph;          /* a graph's: the address outlives what is freed there */
    bool ordered;                            /* by sf_mem_alloc_async() */
    bool lost;                               /* the graph came to nothing: a free has nothing to do */
    void *note;                              /* on a host device then: memory to note the free in */
} sfi_allocation;
enum { SFI_ALLOCATION_LISTS = 16 };

/* All of the library calls a device through one const table; the host's and CUDA's are in the next two sections and
   nowhere else. A function that takes a timeout returns SF_TIMEOUT when it passed. */
struct sfi_branch;
typedef struct sfi_rect { void *dst; const void *src; size_t dst_pitch, src_pitch, row_bytes, rows; } sfi_rect;
typedef struct sfi_backend {
    sf_result (*open)(sf_device *device, const sf_device_desc *desc);
    void (*close)(sf_device *device);
    sf_result (*enter)(sf_device *device, bool *entered);    /* makes the device the thread's current one ... */
    void (*leave)(sf_device *device, bool entered);          /* ... and the one before, again */
    sf_result (*get_info)(sf_device *device, sf_device_info *info);
    sf_result (*synchronize)(sf_device *device, int64_t timeout, bool own);  /* own: for a close, so not for who
                                                shares the context, and beside captures that go on */
    sf_result (*reset)(sf_device *device);
    sf_result (*poll)(sf_device *device);
    sf_result (*look)(sf_device *device);                    /* the fault, if there is one */

    sf_result (*stream_create)(sf_stream *stream);
    void (*stream_destroy)(sf_stream *stream);               /* gives the slot back when it has drained */
    sf_result (*stream_touch)(sf_stream *stream);            /* whether getters may look at the default stream */
    sf_result (*stream_query)(sf_stream *stream);
    sf_result (*stream_synchronize)(sf_stream *stream, int64_t timeout);
    sf_result (*stream_wait)(sf_stream *stream, sf_event *event, uint32_t flags);

    sf_result (*event_create)(sf_event *event);
    void (*event_destroy)(sf_event *event);
    sf_result (*event_record)(sf_event *event, sf_stream *stream, uint32_t flags);
    sf_result (*event_query)(sf_event *event);
    sf_result (*event_synchronize)(sf_event *event, int64_t timeout);
    sf_result (*event_elapsed)(sf_event *start, sf_event *end, float *ms);

    sf_result (*alloc)(sf_device *device, size_t bytes, sf_memory memory, void **ptr);
    sf_result (*free)(sf_device *device, void *ptr, sf_memory memory);
    sf_result (*alloc_async)(sf_stream *stream, sf_mem_pool *pool, size_t bytes, void **ptr);
    sf_result (*free_async)(sf_stream *stream, const sfi_allocation *a);
    bool (*free_ordered)(sf_device *device, const sfi_allocation *a);        /* false: as any memory */
    sf_result (*device_pointer)(sf_device *device, void *pinned, void **ptr);
    sf_result (*pool_create)(sf_mem_pool *pool);
    void (*pool_destroy)(sf_mem_pool *pool);
    sf_result (*pool_trim)(sf_mem_pool *pool, size_t keep_bytes);
    sf_result (*pool_info)(sf_mem_pool *pool, sf_mem_pool_info *info);       /* what is reserved */

    sf_result (*set)(sf_stream *stream, void *dst, uint8_t value, size_t bytes);
    sf_result (*copy)(sf_stream *stream, const sfi_rect *rect);
    sf_result (*copy_peer)(sf_stream *stream, void *dst, sf_device *to, const void *src, sf_device *from, size_t n);
    sf_result (*prefetch)(sf_stream *stream, const void *ptr, size_t bytes, bool to_host);
    sf_result (*host_func)(sf_stream *stream, sf_host_func func, void *user, bool own);      /* own: the library's */
    sf_result (*callback)(sf_stream *stream, sf_stream_callback func, void *user);
    sf_result (*attach)(sf_stream *stream, void *ptr, size_t bytes, uint32_t flags);
    sf_result (*copy_attributes)(sf_stream *dst, const sf_stream *src);
    sf_result (*write_value)(sf_stream *stream, void *ptr, uint64_t value, uint32_t bytes, uint32_t flags);
    sf_result (*wait_value)(sf_stream *stream, const void *ptr, uint64_t value, uint32_t bytes, uint32_t flags);
    sf_result (*launch)(sf_stream *stream, const sf_kernel *kernel, const void *args, size_t bytes);

    sf_result (*capture_begin)(sf_stream *stream, sf_graph *graph, const sf_dependency *after, int count,
                               sf_capture_mode mode);
    sf_result (*capture_end)(sf_stream *stream, sf_graph **graph);
    sf_result (*capture_status)(sf_stream *stream, sf_capture_status *status);
    bool (*is_capturing)(sf_stream *stream);                 /* lock held */
    sf_result (*capture_info)(sf_stream *stream, sf_capture_info *info, sf_dependency *after, int max);
    sf_result (*capture_update)(sf_stream *stream, const sf_dependency *after, int count, uint32_t flags);
    sf_result (*capture_free)(sf_stream *stream, void *ptr); /* a MEM_FREE node of what a graph allocates */

    sf_result (*graph_create)(sf_graph *graph);
    void (*graph_destroy)(sf_graph *graph);
    sf_result (*graph_clone)(const sf_graph *graph, sf_graph *clone);
    sf_result (*graph_refresh)(sf_graph *graph, bool within, /* its nodes and edges are what the driver's are; */
                               const char *call);            /* within: also of the graphs in it */
    sf_result (*graph_preload)(sf_graph *graph);
    sf_result (*conditional_create)(sf_graph *graph, struct sfi_branch *branch);
    sf_result (*node_add)(sf_graph_node *node, const sf_node_desc *desc);    /* its `after` is there */
    void (*node_destroy)(sf_graph_node *node);
    sf_result (*node_depend)(sf_graph_node *node, const sf_dependency *after, int count);
    bool (*node_is_pageable)(const sf_graph_node *node);     /* works on memory that a GPU does not map. Lock held */
    sf_result (*exec_create)(sf_graph_exec *exec, sf_graph *graph);
    sf_result (*exec_release)(sf_graph_exec *exec);          /* may be refused: a capture goes on */
    void (*exec_destroy)(sf_graph_exec *exec);
    sf_result (*exec_upload)(sf_graph_exec *exec, sf_stream *stream);
    sf_result (*exec_launch)(sf_graph_exec *exec, sf_stream *stream);
    sf_result (*exec_update)(sf_graph_exec *exec, const sf_graph *graph);
    sf_result (*exec_set_node)(sf_graph_exec *exec, const sf_graph_node *node, const sf_node_desc *desc);

    sf_result (*module_load)(sf_module *module, const void *image, size_t bytes);        /* these on CUDA only */
    sf_result (*module_unload)(sf_module *module);
    sf_result (*module_get_function)(sf_function *function, const char *name);
    sf_result (*function_preload)(sf_function *function);
    sf_result (*launch_function)(sf_stream *stream, sf_function *function, const sf_grid *grid, void *const *params);
} sfi_backend;

/* In the order of sf_counters. */
typedef enum sfi_counter {
    SFI_LAUNCHES, SFI_GRAPH_LAUNCHES, SFI_COPIES, SFI_EVENT_RECORDS, SFI_EVENT_WAITS, SFI_HOST_FUNCTIONS,
    SFI_SYNCHRONIZES, SFI_QUERIES, SFI_STREAM_CREATES, SFI_EVENT_CREATES, SFI_ALLOCATIONS, SFI_DEVICE_SWITCHES,
    SFI_LIVE_STREAMS, SFI_LIVE_EVENTS, SFI_LIVE_GRAPHS, SFI_LIVE_BYTES, SFI_COUNTERS
} sfi_counter;

struct sf_device {
    sfi_slot slot;
    const sfi_backend *backend;
    sf_heap heap;
    sf_logger logger;
    sfi_mutex lock;                          /* the slabs and lists below, failure, and a host device's queues */
    sfi_slab streams, events, stream_pools, mem_pools, graphs, nodes, execs, modules, functions;
    sfi_slab lazies, futures, policies;
    sf_stream *first_stream;                 /* the live ones, and those that still drain */
    sfi_slot *parked;                        /* streams that are destroyed: somebody may wait for their end */
    sf_stream *legacy;
    sf_stream *forks;                        /* pooled children that nobody has */
    struct sfi_capture *captures;            /* those that go on */
    sfi_atomic32 capturing;                  /* how many; 0: nothing to check */
    struct sfi_reactor *reactor;             /* completes futures; made when needed, as are the next two */
    sf_policy *policy;                       /* the device's own */
    struct sfi_flags *flags;                 /* words that streams write when a future is done */
    bool no_flags;
    sfi_allocation *allocations[SFI_ALLOCATION_LISTS];
    uint64_t last_id;
    sfi_atomic64 counters[SFI_COUNTERS];
    sfi_atomic32 fault;                      /* CUDA's code of the fault that poisoned the device, or 0 */
    sfi_atomic32 resets, last_fault;         /* how many faults a reset has taken away, and the latest of them */
    sfi_atomic32 flows;                      /* how many use it */
    sf_flow *zombies;                        /* destroyed, and somebody holds tensors that they wrapped */
    sfi_atomic32 staying;                    /* kernels and graphs that do not end by themselves, and ... */
    struct sfi_late *late;                   /* ... what is freed after the last of them */
    sf_module *shared;
    sfi_atomic32 pins;                       /* 1 while open, 1 per wait of another device's stream for one here */
    sfi_failure failure;
    int32_t ordinal, priority_greatest;
    size_t memory_bytes;
    struct sfi_host *host;                   /* one of the two */
    struct sfi_cuda *cuda;
};

/* A growing set of graph nodes to come after. */
typedef struct sfi_after { sf_dependency *items; uint32_t count, room; } sfi_after;

/* A host stream's commands stand in a ring of bytes, arguments behind each. A command's number never starts again,
   not even when the slot is used by another stream: so (stream, number) is a point in time that needs no owner. */
typedef enum sfi_task_state { SFI_TASK_IDLE, SFI_TASK_READY, SFI_TASK_RUNNING, SFI_TASK_WAITING } sfi_task_state;

/* What a worker can run: the first command of a stream, or a node of a graph that is under way. */
typedef struct sfi_task {
    struct sfi_task *next, *previous;        /* in a list of ready ones */
    sf_stream *stream;                       /* whose first command; of a node: where its graph was launched */
    struct sfi_plan *plan;                   /* a node's */
    uint32_t running;                        /* slices that are being run */
    int32_t priority;                        /* whose list it is in */
    bool again;                              /* it said "not ready" */
    sfi_task_state state;
    uint64_t rank;                           /* SF_ORDER_PCT */
} sfi_task;
typedef struct sfi_known { const sf_stream *stream; uint64_t number; } sfi_known;
typedef struct sfi_queue {
    char *ring;
    size_t size, head, tail, limit;          /* limit: where the data ends before it goes on at 0 */
    uint32_t count;                          /* commands */
    bool wrapped, zombie;
    uint64_t enqueued;                       /* number of the last command */
    sfi_atomic64 done;                       /* of the last one that is complete */
    sfi_task task;                           /* the first command */
    sf_stream *waiters, *next_waiter;        /* who waits for this one; the next of those */
    sf_stream *waits_for;
    uint64_t until;                          /* the command of waits_for */
    sfi_known known[SFI_KNOWN];              /* what it has waited for, newest last */
    uint32_t known_at;
    uint64_t awaited;                        /* the first command that somebody sleeps for; 0: nobody */
} sfi_queue;

/* How flows order work across streams: numbered records into a ring of events. A slot of the ring that was recorded
   again since is a later point of the same stream, so waiting for it is right all the same. */
typedef struct sfi_seen { const sf_stream *stream; uint64_t number; } sfi_seen;
typedef struct sfi_order_ring {              /* its events follow */
    struct sfi_order_ring *older;            /* that it took the place of: somebody may still look at it */
    uint64_t first;                          /* older numbers are not in it */
    uint32_t size;                           /* a power of two */
} sfi_order_ring;
typedef struct sfi_order {
    sfi_atomic64 ring;                       /* sfi_order_ring *; NULL: none yet. Only a larger one takes its place */
    uint64_t number;                         /* of the last record; never starts again */
    sfi_atomic64 complete;                   /* the newest that was seen complete */
    sfi_atomic32 busy;                       /* whoever releases a buffer, on any thread, may record here, too */
    sfi_seen seen[SFI_SEEN];                 /* later work here already waits for these */
    sfi_atomic32 open;                       /* a tensor waits for all that it holds, whenever that is asked */
    sfi_atomic32 misuse;                     /* first error of a call on this stream since somebody asked, ... */
    sfi_atomic32 misuses, last_misuse;       /* ... how many there were; the latest. Computes may share it */
} sfi_order;

struct sf_stream {
    sfi_slot slot;
    sf_device *device;
    void *native;
    uint64_t id;
    uint32_t flags, index;                   /* index: counts up on a device; ids are CUDA's, and need not */
    int32_t priority;
    bool wrapped;                            /* not ours to destroy */
    bool forked;                             /* a pooled child */
    uint64_t fork_capture;                   /* the capture that its parent took part in; 0: none */
    const void *thread;                      /* whose per-thread stream it is, */
    int64_t birth;                           /* and when that began: see sfi_thread_state */
    sf_event *fork_event;
    sf_stream *next_stream, **link_stream;   /* of the device's; link: what points to this one */
    sf_stream *next_fork;
    uint32_t pooled;                         /* its place in its pool */
    struct sfi_capture *capture;             /* in which it takes part (on CUDA only if into a body), */
    sfi_after after;                         /* and what the next node will depend on */
    sfi_queue queue;                         /* on a host device */
    sfi_order order;
    char name[SFI_NAME];
};
static sfi_order_ring *sfi_order_ring_of(const sf_stream *s)
{
    return (sfi_order_ring *)(uintptr_t)sfi_load64(&s->order.ring);
}

/* When an event is reached, on a host device: with a command or, where a graph's node records it, with that node or,
   if another record has taken its place, with the launch. */
typedef struct sfi_mark { sf_stream *stream; uint64_t number; sf_event *event; uint64_t stamp; } sfi_mark;

struct sf_event {
    sfi_slot slot;
    sf_device *device;
    void *native;
    uint32_t flags;
    bool recorded;
    sf_stream *stream;                       /* on a host device: the point of the last record, */
    uint64_t number;
    uint64_t stamp;                          /* which record that was, */
    bool by_node;                            /* a graph's; */
    sfi_atomic64 reached;                    /* of those, the last that was reached */
    int64_t time;                            /* and when it was reached */
    uint64_t captured;                       /* or (also on CUDA) the capture it is of, and the nodes there */
    sfi_after after;
    uint64_t id;                             /* another one for each event in this slot */
};

/* Graphs. The structure is ours on both backends; on CUDA it mirrors the driver's, read anew when it is asked for. */
typedef struct sfi_branch {                  /* the value behind a conditional handle */
    sf_conditional handle;
    sf_graph *graph;                         /* it was made for */
    uint32_t initial;
    bool reset;
} sfi_branch;
typedef struct sfi_graph_memory {            /* what a MEM_ALLOC node allocates: the address stays the same */
    sf_device *device;
    void *ptr;
    size_t bytes;
    sfi_atomic32 references;                 /* graphs, and execs or plans */
    bool live, was;                          /* between an alloc and a free, as launches and frees are called; was:
                                                before a launch that comes to nothing */
    sfi_mark freed;                          /* on a host device: where the latest sf_mem_free_async() has its turn */
} sfi_graph_memory;
typedef struct sfi_memories { sfi_graph_memory **items; uint32_t count, room; } sfi_memories;

struct sf_graph_node {
    sfi_slot slot;
    sf_graph *graph;
    void *native;
    sf_node_type type;
    uint32_t index, mark;                    /* index: in its graph */
    sfi_after after;
    struct sfi_command *command;             /* on a host device: what it does */
    const char *kernel;
    sfi_graph_memory *memory;                /* MEM_ALLOC, MEM_FREE */
    sf_graph **bodies;                       /* CHILD: its copy. CONDITIONAL: one for each case */
    uint32_t body_count;
    sf_conditional_type branch;
    sf_conditional handle;
    char name[SFI_NAME];
};
struct sf_graph {
    sfi_slot slot;
    sf_device *device;
    void *native;
    sf_graph *parent;                        /* a body, or a child's copy: where it lives */
    bool capturing, whole;                   /* whole: handed to the user, and counted */
    bool spoiled;                            /* on CUDA: the capture of a body was given up */
    uint64_t id;
    sf_graph_node **nodes;
    uint32_t count, room, branch_count, branch_room;
    sfi_branch *branches;                    /* of the outermost graph */
    sfi_memories memories, freed;            /* what its nodes allocate; what captured ones free */
    uint32_t execs;                          /* live ones, where it allocates */
};
struct sf_graph_exec {
    sfi_slot slot;
    sf_device *device;
    void *native;
    struct sfi_plan *plan;
    sf_graph *graph;                         /* it was made of, while that has the same id */
    uint64_t graph_id;
    uint32_t flags;
    sfi_memories memories, freed;            /* what a launch allocates, and frees */
    sf_stream *last;                         /* on a host device: of its last launch, the end */
    uint64_t last_number;
};

struct sf_module {
    sfi_slot slot;
    sf_device *device;
    void *native;
    sf_function *functions;
    struct sf_module *next_shared;
    uint64_t hash;                           /* of its image, and ... */
    size_t bytes;
    uint32_t users;                          /* ... 0: not shared */
};
struct sf_function { sfi_slot slot; sf_module *module; void *native; sf_function *next; char name[SFI_NAME]; };

/* A capture that goes on: the host's own, or the mirror of the driver's. */
typedef struct sfi_capture {
    struct sfi_capture *next;
    uint64_t id;
    sf_graph *graph;
    sf_stream *origin;
    const void *thread;                      /* that began it, */
    int64_t birth;                           /* and when that was new */
    sf_capture_mode mode;
    bool lent, invalid;                      /* lent: the graph was given */
    sf_graph_node *pending;                  /* being filled */
} sfi_capture;

/* A point in a stream's work: what sfi_order_record() numbered. Number 0: all that it holds when it is asked. */
typedef struct sfi_point { sf_stream *stream; uint64_t number; } sfi_point;

/* A bounded queue of numbers for any number of threads, without locks: each cell says whose turn it is. */
typedef struct sfi_cell { sfi_atomic32 turn; uint32_t value; } sfi_cell;
typedef struct sfi_ring { sfi_cell *cells; uint32_t mask; sfi_atomic32 in, out; } sfi_ring;

struct sfi_tensor;
struct sf_mem_pool {
    sfi_slot slot;
    sf_device *device;
    void *native;                            /* ASYNC: CUmemoryPool, */
    struct sfi_host_pool *host;              /* or the host backend's */
    sf_mem_pool_desc desc;
    void *memory;                            /* BLOCKS: one piece; NULL: the port's own buffer */
    struct sfi_tensor *blocks;               /* BLOCKS: a header for each */
    sfi_point *users;                        /* BLOCKS: user_room for each header */
    uint32_t user_room;
    sfi_ring free, pending;                  /* BLOCKS. pending: the GPU may still use them, the CPU must not */
    struct sfi_tensor *limbo;                /* without blocks: the same, a list under the device's lock */
    sf_stream *stream;                       /* stream-ordered memory: where frees go */
    sfi_atomic32 outstanding;                /* tensors that somebody holds, and its owner: the last one frees */
    bool zombie;
    sfi_atomic32 waiting;                    /* operators that wait for a block: */
    sfi_atomic32 busy, reclaiming;           /* guards the list of them; one at a time looks through `pending` */
    struct sfi_subscriber *subscribers;
    sfi_atomic64 used, used_high, reserved, reserved_high;   /* bytes */
};

static void sfi_count(sf_device *device, sfi_counter counter, uint64_t n)
{
    SFI_STEP("counter");
    sfi_add64(&device->counters[counter], n);
}

/* Around a function of the user's: what is inside of one cannot close its device. */
static const sf_device *sfi_call_out(const sf_device *device)
{
    const sf_device *outer = sfi_this_thread.calls;
    sfi_this_thread.calls = device;
    return outer;
}
static void sfi_call_back(const sf_device *outer) { sfi_this_thread.calls = outer; }

/* Keeps what went wrong and logs it. `where` is a stream, kernel or operator to blame, or NULL. */
static sf_result sfi_device_fail(sf_device *device, sf_result result, const char *call, const char *where,
                                 const char *format, ...)
{
    sfi_failure *f = &device->failure;
    char text[SFI_TEXT];
    sfi_text t = sfi_text_in(text, sizeof text);
    va_list args;
    sfi_put(&t, call, sfi_length(call));
    if (sfi_length(where)) {
        sfi_put(&t, " (", 2);
        sfi_put(&t, where, sfi_length(where));
        sfi_put(&t, ")", 1);
    }
    sfi_put(&t, ": ", 2);
    va_start(args, format);
    sfi_put_v(&t, format, args);
    va_end(args);
    sfi_lock(&device->lock);
    f->now.result = result;
    f->now.count++;
    f->now.call = call;
    sfi_keep_name(f->where, sizeof f->where, where);
    sfi_keep_name(f->text, sizeof f->text, text);
    sfi_unlock(&device->lock);
    sfi_this_thread.call = NULL;
    sfi_this_thread.stray = SF_OK;
    sfi_this_thread.told++;
    sfi_log(&device->logger, 1, (int32_t)result, text);
    return result;
}

/* What is wrong, and what to change, by code and call: the first row that fits. `call` is how its name begins. */
typedef struct sfi_advice_row { int32_t code; const char *call, *text; } sfi_advice_row;
static const sfi_advice_row sfi_advices[] = {
    { SF_ERROR_CAPTURE_UNSUPPORTED, "sf_stream_begin_capture",
      "the default stream cannot be captured: use another" },
    { SF_ERROR_CAPTURE_UNSUPPORTED, NULL,
      "not while a stream captures, and that capture is spoiled now: call it before or after; of other streams than "
      "the captured one from another thread in a THREAD_LOCAL capture, too, or anywhere in a RELAXED one" },
    { SF_ERROR_CAPTURE_INVALIDATED, NULL,
      "an earlier call was refused and spoiled the capture: end it, mend that call, and capture again" },
    { SF_ERROR_CAPTURE_MERGE, NULL, "the event belongs to another capture, and two cannot merge: end one first" },
    { SF_ERROR_CAPTURE_UNMATCHED, NULL, "this stream only joined the capture: end it on the one that began it" },
    { SF_ERROR_CAPTURE_UNJOINED, NULL,
      "another stream took part and did not join again: record an event on it, after its last work, and wait for "
      "that on this stream before the end" },
    { SF_ERROR_CAPTURE_ISOLATION, NULL,
      "the event was recorded outside of the capture: record it inside, or wait before the capture begins" },
    { SF_ERROR_CAPTURE_IMPLICIT, NULL,
      "the default stream is ordered with blocking streams, and one of them captures: create that one with "
      "SF_STREAM_NON_BLOCKING" },
    { SF_ERROR_CAPTURED_EVENT, NULL,
      "the event was recorded in a capture, so nothing happens before the graph runs: ask another event, or "
      "record it with SF_EVENT_RECORD_EXTERNAL" },
    { SF_ERROR_CAPTURE_WRONG_THREAD, NULL, "another thread began the capture: end it there, or capture RELAXED" },
    { SF_ERROR_ILLEGAL_STATE, "sf_stream_begin_capture",
      "the stream or the graph captures already: end that first" },
    { SF_ERROR_ILLEGAL_STATE, "sf_stream_end_capture", "the stream does not capture: begin first" },
    { SF_ERROR_ILLEGAL_STATE, "sf_stream_update_capture", "the stream does not capture: begin first" },
    { SF_ERROR_ILLEGAL_STATE, "sf_stream_wait_event",
      "an external wait is a node: it is for streams that capture" },
    { SF_ERROR_ILLEGAL_STATE, "sf_event_record", "an external record is a node: it is for streams that capture" },
    { SF_ERROR_ILLEGAL_STATE, "sf_graph_destroy",
      "a stream captures into it, or into a body in it: end that first" },
    { SF_ERROR_ILLEGAL_STATE, "sf_stream_pool_destroy",
      "a flow that runs has one of its streams: end the flow first" },
    { SF_ERROR_ILLEGAL_STATE, "sf_mem_pool_destroy", "a flow that runs uses it: end the flow first" },
    { SF_ERROR_ILLEGAL_STATE, "sf_device_leave", "nobody stays: one call for each sf_device_stay()" },
    { SF_ERROR_INVALID_HANDLE, "sf_event_elapsed_ms",
      "an event was never recorded, is of another device, or was created with SF_EVENT_DISABLE_TIMING" },
    { SF_ERROR_INVALID_HANDLE, "sf_stream_destroy",
      "default streams stay, and a forked one goes by sf_stream_join()" },
    { SF_ERROR_INVALID_HANDLE, NULL, "a handle is NULL, was destroyed, or belongs to another device" },
    { SF_ERROR_INVALID_VALUE, "sf_stream_wait_event",
      "the event was recorded in a capture that is over, or the flags are neither 0 nor SF_EVENT_WAIT_EXTERNAL: "
      "record it again" },
    { SF_ERROR_INVALID_VALUE, "sf_event_create",
      "the result is NULL, or the flags are others than SF_EVENT_BLOCKING_SYNC and _DISABLE_TIMING" },
    { SF_ERROR_INVALID_VALUE, "sf_event_record", "the flags are neither 0 nor SF_EVENT_RECORD_EXTERNAL" },
    { SF_ERROR_INVALID_VALUE, "sf_event_",
      "the event was recorded in a capture that is over, or a pointer is NULL: record it again" },
    { SF_ERROR_INVALID_VALUE, "sf_mem_alloc_async", "the result is NULL, or the pool is not SF_MEM_POOL_ASYNC" },
    { SF_ERROR_INVALID_VALUE, "sf_mem_alloc",
      "the result is NULL, bytes are 0, or there is no such kind of memory" },
    { SF_ERROR_INVALID_VALUE, "sf_device_open",
      "the result is NULL, one of the heap's functions is missing, or there is no such backend, order or number of "
      "workers" },
    { SF_ERROR_INVALID_VALUE, NULL,
      "a pointer is NULL, or a number, kind or flag is none that its declaration allows" },
    { SF_ERROR_OUT_OF_MEMORY, NULL,
      "there is no memory left for that: free some, ask for less, or raise what limits it, a pool's max_bytes "
      "or a host device's memory_bytes" },
    { SF_ERROR_NO_ROOM, "sf_device_get_replay", "the line does not fit: give more bytes" },
    { SF_ERROR_NO_ROOM, NULL, "the memory that the device lives in is used up: hand in more, or make less" },
    { SF_ERROR_INVALID_DEVICE, "sf_memcpy_peer", "the devices are of different backends: copy by way of the host" },
    { SF_ERROR_NOT_PERMITTED, NULL, "host functions and callbacks must not call this: do it on another thread" },
    { SF_ERROR_NOT_SUPPORTED, "sf_device_get_replay",
      "only a host device with an order of its own has a line: set sf_device_desc.host.order" },
    { SF_ERROR_NOT_SUPPORTED, "sf_stream_wrap", "a host device has no foreign streams: sf_stream_create()" },
    { SF_ERROR_DEADLOCK, NULL,
      "nothing that is enqueued would end this wait: who is to set the value, or enqueue the work, that it "
      "waits for?" },
    { SF_ERROR_REENTRANT, NULL, "a function of a lazy operation only enqueues: schedule and wait outside of it" },
};
static const char *sfi_advice(sf_result r, const char *call)         /* NULL: none */
{
    size_t i, k;
    for (i = 0; i < SFI_COUNT(sfi_advices); i++) {
        const char *begins = sfi_advices[i].call;
        if (sfi_advices[i].code != (int32_t)r) { continue; }
        for (k = 0; begins && begins[k] && begins[k] == call[k]; k++) {}
        if (!begins || !begins[k]) { return sfi_advices[i].text; }
    }
    return NULL;
}

/* Every failure of a call of the stream layer is told, here at its end if nobody had a better sentence before. */
static SFI_NOINLINE sf_result sfi_tell_failure(sf_device *device, const char *where, sf_result r)
{
    const char *call = sfi_this_thread.call, *advice;
    bool again;
    if (!call && sfi_this_thread.stray == r) { call = sfi_this_thread.stray_call; }      /* now there is a device */
    if (!call || sfi_this_thread.in_host_func) { return r; }
    sfi_lock(&device->lock);                 /* a fault is every call's error, and has its own sentence */
    again = device->failure.now.result == r && -(int32_t)r == (int32_t)sfi_load(&device->fault);
    sfi_unlock(&device->lock);
    sfi_this_thread.stray = SF_OK;
    if (again) { return r; }
    advice = sfi_advice(r, call);
    return sfi_device_fail(device, r, call, where, "%s (%d)", advice ? advice : sf_result_string(r), (int)r);
}
static sf_result sfi_told(sf_device *device, sf_result r) { return r < 0 ? sfi_tell_failure(device, NULL, r) : r; }
/* At the end of a call that calls others of the stream layer: `told` is what the thread had told before. */
static sf_result sfi_told_since(sf_device *device, sf_result r, const char *call, uint32_t told)
{
    sfi_this_thread.call = told == sfi_this_thread.told ? call : NULL;
    return sfi_told(device, r);
}
/* There is no device to tell, or, inside a host function, no lock to be had: the thread keeps it until it asks. */
static sf_result sfi_stray_as(sf_result r, const char *call, const char *why)
{
    if (!call) { return r; }
    if (!sfi_this_thread.in_host_func) { sfi_this_thread.call = NULL; }      /* else that of the call it runs in */
    sfi_this_thread.stray = r;
    sfi_this_thread.stray_call = call;
    sfi_this_thread.stray_why = why;
    return r;
}
static sf_result sfi_stray(const char *call)
{
    return sfi_stray_as(SF_ERROR_INVALID_HANDLE, call,
                        "a handle is NULL, was destroyed, or belongs to another device");
}
static sf_result sfi_not_here(const char *call)
{
    return sfi_stray_as(SF_ERROR_NOT_PERMITTED, call,
                        "not inside a host function or callback: let another thread do it");
}

static void sfi_copy_failure(sf_device *device, char *text, size_t size)     /* another thread may be writing it */
{
    sfi_lock(&device->lock);
    sfi_keep_name(text, size, device->failure.text);
    sfi_unlock(&device->lock);
}

/* Every public call begins with one of these: handle, then place, then fault. `call`: its name; NULL: no public call,
   whose failure is not to be told. */
static sf_result sfi_check_device_in(const sf_device *device, const char *call)
{
    uint32_t fault;
    if (!device || device->slot.tag != SFI_TAG_DEVICE) { return sfi_stray(call); }
    if (call && !sfi_this_thread.in_host_func) { sfi_this_thread.call = call; }
    if (sfi_this_thread.in_host_func) { return sfi_not_here(call); }
    fault = sfi_load(&device->fault);
    return fault ? sfi_told((sf_device *)(uintptr_t)device, (sf_result)(-(int32_t)fault)) : SF_OK;
}
#define sfi_check_device(device) sfi_check_device_in(device, __func__)
static sf_result sfi_on_stream(const sf_stream *stream, sf_result result);
/* What the computes of a region get is no stream: it takes launches, copies and sets. */
static bool sfi_is_script(const sf_stream *stream) { return stream && stream->slot.tag == SFI_TAG_SCRIPT; }
static sf_result sfi_no_stream(const sf_stream *stream, const char *call)
{
    if (!sfi_is_script(stream)) { return sfi_stray(call); }
    sfi_this_thread.call = call;
    return sfi_on_stream(stream, SF_ERROR_NOT_SUPPORTED);
}
static sf_result sfi_check_stream_in(const sf_stream *stream, const char *call)
{
    return stream && stream->slot.tag == SFI_TAG_STREAM ? sfi_check_device_in(stream->device, call)
                                                        : sfi_no_stream(stream, call);
}
#define sfi_check_stream(stream) sfi_check_stream_in(stream, __func__)
/* For the calls that a script takes, too. */
static sf_result sfi_check_launch_in(const sf_stream *stream, const char *call)
{
    return sfi_is_script(stream) ? sfi_check_device_in(stream->device, call) : sfi_check_stream_in(stream, call);
}
#define sfi_check_launch(stream) sfi_check_launch_in(stream, __func__)
/* After a fault every call tells it; what is destroyed goes all the same. */
#define SFI_IS_NO_HANDLE(r)                                                                                  \
    ((r) == SF_ERROR_INVALID_HANDLE || (r) == SF_ERROR_NOT_PERMITTED || (r) == SF_ERROR_NOT_SUPPORTED)
static sf_result sfi_check_event_in(const sf_event *event, const char *call)
{
    return event && event->slot.tag == SFI_TAG_EVENT ? sfi_check_device_in(event->device, call) : sfi_stray(call);
}
#define sfi_check_event(event) sfi_check_event_in(event, __func__)
static const char *sfi_stream_name(const sf_stream *stream) { return stream->name[0] ? stream->name : "a stream"; }

static void sfi_note_misuse(sfi_order *order, uint32_t result)
{
    (void)sfi_cas(&order->misuse, 0, result);
    sfi_store(&order->last_misuse, result);
    (void)sfi_add(&order->misuses, 1);
}
/* The end of each call on a stream: a failure, whatever was wrong, is told, and remembered there, too. A compute
   that ignores it fails all the same. */
static sf_result sfi_on_stream(const sf_stream *stream, sf_result result)
{
    if (result < 0) {
        (void)sfi_tell_failure(stream->device, stream->name, result);
        sfi_note_misuse(&((sf_stream *)(uintptr_t)stream)->order, (uint32_t)result);
    }
    return result;
}

/* A handle beside the stream belongs to another device: that one is told, too. */
static sf_result sfi_foreign(sf_device *device, const char *call)
{
    (void)sfi_told(device, SF_ERROR_INVALID_HANDLE);
    sfi_this_thread.call = call;
    return SF_ERROR_INVALID_HANDLE;
}
static sf_result sfi_invalid(sf_stream *stream, const char *call, const char *why)
{
    (void)sfi_device_fail(stream->device, SF_ERROR_INVALID_VALUE, call, stream->name, "%s", why);
    return sfi_on_stream(stream, SF_ERROR_INVALID_VALUE);
}

/* The slot of a stream that has drained: keeps its numbers, its ring of bytes and its ring of events. */
static void sfi_stream_release(sf_stream *stream)            /* device lock held */
{
    sf_device *device = stream->device;
    *stream->link_stream = stream->next_stream;
    if (stream->next_stream) { stream->next_stream->link_stream = stream->link_stream; }
    if (sfi_order_ring_of(stream) &&         /* its place is nobody's before its last record has been reached */
        (sfi_load(&stream->order.open) || stream->order.number > sfi_load64(&stream->order.complete))) {
        stream->slot.next = device->parked;
        device->parked = &stream->slot;
    } else {
        sfi_store(&stream->order.open, 0);
        sfi_slab_give(&device->streams, &stream->slot);
    }
}

/* >>nodes --------------------------------------------------------------------------------------------- */

/* The structure of graphs, the same on both backends. The device's lock is held unless a comment says otherwise. */

static bool sfi_after_add(const sf_heap *heap, sfi_after *to, sf_dependency item)
{
    uint32_t i;
    for (i = 0; i < to->count; i++) {
        if (to->items[i].node != item.node) { continue; }
        if (item.type == SF_EDGE_FULL) { to->items[i].type = SF_EDGE_FULL; }     /* the stricter one holds */
        return true;
    }
    if (!sfi_grow(heap, (void **)&to->items, &to->room, to->count + 1, sizeof *to->items)) { return false; }
    to->items[to->count++] = item;
    return true;
}
static sf_result sfi_after_set(const sf_heap *heap, sfi_after *to, const sf_dependency *items, uint32_t count)
{
    uint32_t i;
    to->count = 0;
    for (i = 0; i < count; i++) {
        if (!sfi_after_add(heap, to, items[i])) { return sfi_out_of_memory(heap); }
    }
    return SF_OK;
}
static void sfi_after_free(const sf_heap *heap, sfi_after *after)
{
    sfi_free(heap, after->items);
    sfi_zero(after, sizeof *after);
}

/* -- memory that graphs allocate -- */

static sf_result sfi_mem_link(sf_device *device, void *ptr, size_t bytes, sf_memory memory, sf_mem_pool *pool,
                              sfi_graph_memory *graph);
static bool sfi_mem_unlink(sf_device *device, const void *ptr, sfi_allocation *found);

static sfi_graph_memory *sfi_find_graph_memory(sf_device *device, const void *ptr);
static bool sfi_host_reached(const sfi_mark *m);
static bool sfi_host_give_block(sf_device *device, const sfi_allocation *a, sfi_mark when);
static void sfi_memory_release(sfi_graph_memory *m)
{
    sfi_allocation a;
    bool pending;
    if (sfi_add(&m->references, (uint32_t)-1) != 1 || m->live) {
        return;
    } /* live: whoever frees it, frees all */
    (void)sfi_mem_unlink(m->device, m->ptr, &a);
    pending = m->device->host && m->freed.stream && !sfi_host_reached(&m->freed);
    if (pending && !sfi_host_give_block(m->device, &a, m->freed)) {         /* no memory to note it in: it goes ... */
        (void)sfi_mem_link(m->device, m->ptr, m->bytes, SF_MEMORY_DEVICE, NULL, NULL);       /* ... with the device */
    }
    if (m->device->host && !pending) { (void)m->device->backend->free(m->device, m->ptr, SF_MEMORY_DEVICE); }
    sfi_free(&m->device->heap, m);
}
static bool sfi_memories_add(const sf_heap *heap, sfi_memories *to, sfi_graph_memory *m)
{
    uint32_t i;
    for (i = 0; i < to->count; i++) {
        if (to->items[i] == m) { return true; }
    }
    if (!sfi_grow(heap, (void **)&to->items, &to->room, to->count + 1, sizeof(void *))) { return false; }
    to->items[to->count++] = m;
    (void)sfi_add(&m->references, 1);
    return true;
}
static bool sfi_memories_copy(const sf_heap *heap, sfi_memories *to, const sfi_memories *from)
{
    uint32_t i;
    for (i = 0; i < from->count; i++) {
        if (!sfi_memories_add(heap, to, from->items[i])) { return false; }
    }
    return true;
}
static void sfi_memories_clear(const sf_heap *heap, sfi_memories *list)
{
    while (list->count) { sfi_memory_release(list->items[--list->count]); }
    sfi_free(heap, list->items);
    sfi_zero(list, sizeof *list);
}
/* An address that an alloc node of `graph` hands out; the graph owns it. */
static sf_result sfi_memory_new(sf_graph *graph, void *ptr, size_t bytes, sfi_graph_memory **memory)
{
    sf_device *device = graph->device;
    sfi_graph_memory *m = (sfi_graph_memory *)sfi_alloc_zeroed(&device->heap, sizeof *m);
    sf_result r;
    if (!m) { return sfi_out_of_memory(&device->heap); }
    m->device = device;
    m->ptr = ptr;
    m->bytes = bytes;
    r = sfi_mem_link(device, ptr, bytes, SF_MEMORY_DEVICE, NULL, m);
    if (r >= 0 && !sfi_memories_add(&device->heap, &graph->memories, m)) {
        sfi_allocation a;
        (void)sfi_mem_unlink(device, ptr, &a);
        r = sfi_out_of_memory(&device->heap);
    }
    if (r < 0) { sfi_free(&device->heap, m); } else { *memory = m; }
    return r;
}

/* -- nodes and graphs -- */

static sf_result sfi_graph_make(sf_device *device, sf_graph **graph);        /* takes the lock, as does the next */
static void sfi_graph_unmake(sf_graph *graph);
static void sfi_graph_is_whole(sf_graph *graph);
static void sfi_graph_free(sf_graph *graph);

static sf_graph_node *sfi_node_new(sf_graph *graph, sf_node_type type, const char *name, const sf_dependency *after,
                                   uint32_t count, sf_result *r)
{
    sf_device *device = graph->device;
    sf_graph_node *node = NULL;
    *r = sfi_out_of_memory(&device->heap);
    if (!sfi_grow(&device->heap, (void **)&graph->nodes, &graph->room, graph->count + 1, sizeof(void *))) {
        return NULL;
    }
    node = (sf_graph_node *)(void *)sfi_slab_take(&device->nodes, &device->heap, SFI_TAG_NODE);
    if (!node) { return NULL; }
    sfi_zero((char *)node + sizeof node->slot, sizeof *node - sizeof node->slot);
    node->graph = graph;
    node->type = type;
    node->index = graph->count;
    sfi_keep_name(node->name, sizeof node->name, name);
    if (sfi_after_set(&device->heap, &node->after, after, count) < 0) {
        sfi_after_free(&device->heap, &node->after);
        sfi_slab_give(&device->nodes, &node->slot);
        return NULL;
    }
    graph->nodes[graph->count++] = node;
    *r = SF_OK;
    return node;
}
static void sfi_node_free(sf_graph_node *node)
{
    sf_device *device = node->graph->device;
    uint32_t i;
    device->backend->node_destroy(node);
    if (node->type == SF_NODE_MEM_FREE && node->memory) { sfi_memory_release(node->memory); }
    for (i = 0; i < node->body_count; i++) {
        if (node->bodies[i]) { sfi_graph_free(node->bodies[i]); }
    }
    sfi_free(&device->heap, node->bodies);
    sfi_after_free(&device->heap, &node->after);
    sfi_slab_give(&device->nodes, &node->slot);
}
static void sfi_node_discard(sf_graph_node *node)            /* the last one of its graph, which came to nothing */
{
    node->graph->count--;
    sfi_node_free(node);
}
static sf_result sfi_node_make_bodies(sf_graph_node *node, uint32_t count)
{
    const sf_heap *heap = &node->graph->device->heap;
    node->bodies = (sf_graph **)sfi_alloc_zeroed(heap, count * sizeof(void *));
    if (!node->bodies) { return sfi_out_of_memory(heap); }
    node->body_count = count;
    return SF_OK;
}

static sf_graph *sfi_graph_root(const sf_graph *graph)
{
    while (graph->parent) { graph = graph->parent; }
    return (sf_graph *)graph;
}
static sf_result sfi_graph_new(sf_device *device, sf_graph *parent, sf_graph **graph)
{
    sf_graph *g;
    device->graphs.size = SFI_ALIGN(sizeof *g, 16);
    device->nodes.size = SFI_ALIGN(sizeof(sf_graph_node), 16);
    g = (sf_graph *)(void *)sfi_slab_take(&device->graphs, &device->heap, SFI_TAG_GRAPH);
    if (!g) { return sfi_out_of_memory(&device->heap); }
    sfi_zero((char *)g + sizeof g->slot, sizeof *g - sizeof g->slot);
    g->device = device;
    g->parent = parent;
    g->id = ++device->last_id;
    *graph = g;
    return SF_OK;
}
static void sfi_graph_clear(sf_graph *graph)
{
    while (graph->count) { sfi_node_free(graph->nodes[--graph->count]); }
}
static void sfi_graph_free(sf_graph *graph)
{
    sf_device *device = graph->device;
    sfi_capture *c;
    for (c = graph->capturing ? device->captures : NULL; c; c = c->next) {
        if (c->graph != graph) { continue; } /* a body, and the capture around it came to nothing */
        c->invalid = true;
        c->graph = NULL;
    }
    sfi_graph_clear(graph);
    device->backend->graph_destroy(graph);
    sfi_memories_clear(&device->heap, &graph->memories);
    sfi_memories_clear(&device->heap, &graph->freed);
    sfi_free(&device->heap, graph->nodes);
    sfi_free(&device->heap, graph->branches);
    graph->nodes = NULL;
    graph->branches = NULL;
    sfi_slab_give(&device->graphs, &graph->slot);
}

/* Marks `from` and all that comes before it. Nodes mostly depend on older ones: one pass, rarely more. */
static void sfi_graph_mark(sf_graph *graph, const sfi_after *from)
{
    bool again = true;
    uint32_t i, k;
    for (i = 0; i < graph->count; i++) { graph->nodes[i]->mark = 0; }
    for (i = 0; i < from->count; i++) { from->items[i].node->mark = 1; }
    while (again) {
        again = false;
        for (i = graph->count; i-- > 0;) {
            const sf_graph_node *node = graph->nodes[i];
            for (k = 0; node->mark && k < node->after.count; k++) {
                sf_graph_node *before = node->after.items[k].node;
                if (before->mark) { continue; }
                before->mark = 1;
                if (before->index > i) { again = true; }
            }
        }
    }
}

/* A MEM_FREE node: of memory that some graph allocates, once in this one; that graph may go before it. */
static sf_result sfi_node_frees(sf_graph_node *node, const void *ptr)
{
    sfi_graph_memory *m = sfi_find_graph_memory(node->graph->device, ptr);
    uint32_t i;
    if (!m) { return SF_ERROR_INVALID_VALUE; }
    for (i = 0; i < node->graph->count; i++) {
        const sf_graph_node *other = node->graph->nodes[i];
        if (other != node && other->type == SF_NODE_MEM_FREE && other->memory == m) { return SF_ERROR_INVALID_VALUE; }
    }
    node->memory = m;
    (void)sfi_add(&m->references, 1);
    return SF_OK;
}

/* Whether a conditional handle was made for the graph or one around it. */
static const sfi_branch *sfi_find_branch(const sf_graph *graph, sf_conditional handle)
{
    const sf_graph *root = sfi_graph_root(graph), *g;
    uint32_t i;
    for (i = 0; i < root->branch_count; i++) {
        if (root->branches[i].handle != handle) { continue; }
        for (g = graph; g; g = g->parent) {
            if (root->branches[i].graph == g) { return &root->branches[i]; }
        }
    }
    return NULL;
}

/* >>host ---------------------------------------------------------------------------------------------- */

/* The CPU twin. A stream is a queue; its first command runs when what it waits for is done. No worker ever waits
   inside a command: a stream that cannot go on is put on the list of the stream that it waits for. One lock per
   device, held for a few list operations. */
typedef enum sfi_command_kind {
    SFI_COMMAND_LAUNCH, SFI_COMMAND_HOST_FUNC, SFI_COMMAND_CALLBACK, SFI_COMMAND_COPY,   /* run by a worker ... */
    SFI_COMMAND_SET, SFI_COMMAND_WRITE_VALUE, SFI_COMMAND_WAIT_VALUE, SFI_COMMAND_BRANCH,
    SFI_COMMAND_WAIT, SFI_COMMAND_STAMP, SFI_COMMAND_FREE, SFI_COMMAND_GRAPH,            /* ... done on the spot */
    SFI_COMMAND_EMPTY, SFI_COMMAND_CHILD, SFI_COMMAND_RECORD
} sfi_command_kind;

typedef struct sfi_command {
    size_t bytes;                            /* with the arguments behind it */
    sfi_command_kind kind;
    uint32_t slices;
    uint64_t serial;                         /* order of enqueueing on the device */
    uint64_t todo;                           /* slices not yet handed out: a bit each */
    union {
        struct { const sf_kernel *kernel; } launch;
        struct { sf_host_func func; void *user; } host;
        struct { sf_stream_callback func; void *user; } callback;
        sfi_rect copy;
        struct { void *dst; size_t bytes; uint8_t value; } set;
        struct { void *ptr; uint64_t value; uint32_t bytes, how; } value;
        struct { sfi_mark mark; sf_event *event; uint64_t id; } wait;        /* event: of a graph's node */
        struct { sf_event *event; uint64_t stamp, id; } stamp;
        void *free;
        struct sfi_plan *plan;
    } u;
} sfi_command;
#define SFI_COMMAND SFI_ALIGN(sizeof(sfi_command), 16)

/* Stream-ordered memory that was freed: kept, with the point after which it is unused. */
typedef struct sfi_host_block { struct sfi_host_block *next; void *ptr; size_t bytes; sfi_mark free; } sfi_host_block;
typedef struct sfi_host_pool {
    struct sfi_host_pool *next;
    sf_mem_pool *pool;                       /* NULL: the default one */
    sfi_host_block *blocks;
    size_t kept, threshold;                  /* bytes of these blocks; how many may stay when the host has waited */
    bool follow, opportunistic, wait;
} sfi_host_pool;

typedef struct sfi_ready_list { sfi_task *first, *last; } sfi_ready_list;
typedef struct sfi_host {
    sf_order order;
    bool threaded, quit;
    uint32_t stream_depth;
    sfi_ready_list ready[SFI_PRIORITIES];    /* most urgent first */
    uint64_t serial, stamp;
    int64_t now;                             /* virtual time */
    uint64_t random, steps, demote[2];       /* seeded orders */
    char *choices;                           /* one character per step that had a choice */
    uint32_t choices_room, choices_count;
    char *replay;                            /* a copy of the line, */
    const char *replay_at;                   /* and how far it was followed */
    sfi_host_pool *pools;                    /* of stream-ordered memory; the last one is the default */
    int32_t workers, sleeping, waiting, executing;
    uint64_t given_up;                       /* how often who enqueued has waited for room, without the lock */
#ifndef SF_NO_THREADS
    sfi_cond work, done;
    sfi_thread *threads;
#endif
} sfi_host;

static uint64_t sfi_random(uint64_t *state)                  /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t sfi_host_now(const sfi_host *h) { return h->threaded ? sfi_clock() : h->now; }
static bool sfi_host_reached(const sfi_mark *m)
{
    return sfi_load64(&m->stream->queue.done) >= m->number ||
           (m->event && sfi_load64(&m->event->reached) == m->stamp);
}
static sfi_mark sfi_host_mark(sf_stream *s, uint64_t number)
{
    sfi_mark m;
    m.stream = s;
    m.number = number;
    m.event = NULL;
    m.stamp = 0;
    return m;
}
static sfi_mark sfi_event_mark(sf_event *e)
{
    sfi_mark m = sfi_host_mark(e->stream, e->number);
    if (e->by_node) {
        m.event = e;
        m.stamp = e->stamp;
    }
    return m;
}
static sfi_command *sfi_host_first(const sf_stream *s)
{
    return (sfi_command *)(void *)(s->queue.ring + s->queue.head);
}
static sfi_command *sfi_plan_command(const sfi_task *t);
static sfi_command *sfi_host_task_command(const sfi_task *t)
{
    return t->plan ? sfi_plan_command(t) : sfi_host_first(t->stream);
}
static void *sfi_host_args(sfi_command *c) { return (char *)c + SFI_COMMAND; }
static void sfi_host_set_slices(sfi_command *c, int32_t slices)
{
    c->slices = (uint32_t)(slices < 1 ? 1 : slices > SFI_MAX_SLICES ? SFI_MAX_SLICES : slices);
    c->todo = c->slices == SFI_MAX_SLICES ? ~(uint64_t)0 : ((uint64_t)1 << c->slices) - 1;
}

static void sfi_host_wake_workers(sfi_host *h, bool all)
{
#ifndef SF_NO_THREADS
    if (!h->sleeping) { return; }
    if (all) { sfi_cond_wake_all(&h->work); } else { sfi_cond_wake(&h->work); }
#else
    (void)h, (void)all;
#endif
}
static void sfi_host_wake_waiters(sfi_host *h)
{
#ifndef SF_NO_THREADS
    if (h->waiting) { sfi_cond_wake_all(&h->done); }
#else
    (void)h;
#endif
}

/* -- lists of ready tasks -- */

static void sfi_host_make_ready(sfi_host *h, sfi_task *t)
{
    sfi_ready_list *list = &h->ready[SFI_PRIORITIES - 1 + t->stream->priority];
    t->priority = t->stream->priority;
    t->state = SFI_TASK_READY;
    t->next = NULL;
    t->previous = list->last;
    if (list->last) { list->last->next = t; } else { list->first = t; }
    list->last = t;
    sfi_host_wake_workers(h, sfi_host_task_command(t)->slices > 1);
}
static void sfi_host_unready(sfi_host *h, sfi_task *t, sfi_task_state state)
{
    sfi_ready_list *list = &h->ready[SFI_PRIORITIES - 1 + t->priority];
    if (t->previous) { t->previous->next = t->next; } else { list->first = t->next; }
    if (t->next) { t->next->previous = t->previous; } else { list->last = t->previous; }
    t->next = t->previous = NULL;
    t->state = state;
}

/* -- completing commands -- */

static void sfi_device_unpin(sf_device *device);

/* The first command is complete. Streams that waited for it go onto *woken. */
static void sfi_host_pop(sf_stream *s, sf_stream **woken)
{
    sfi_queue *q = &s->queue;
    sf_stream **link = &q->waiters, *w;
    const sfi_command *c = sfi_host_first(s);
    if (c->kind == SFI_COMMAND_WAIT && c->u.wait.mark.stream->device != s->device) {
        sfi_device_unpin(c->u.wait.mark.stream->device);
    }
    q->head += c->bytes;
    if (--q->count == 0) {
        q->head = q->tail = 0;
        q->wrapped = false;
    } else if (q->wrapped && q->head == q->limit) {
        q->head = 0;
        q->wrapped = false;
    }
    sfi_store64(&q->done, q->enqueued - q->count);
    if (q->awaited && q->awaited <= q->enqueued - q->count) {
        q->awaited = 0;                      /* who wants more says so again */
        sfi_host_wake_waiters(s->device->host);
    }
    while ((w = *link) != NULL) {
        if (w->queue.until <= q->enqueued - q->count) {
            *link = w->queue.next_waiter;
            w->queue.waits_for = NULL;
            w->queue.next_waiter = *woken;
            *woken = w;
        } else {
            link = &w->queue.next_waiter;
        }
    }
}

static void sfi_host_forget(sf_device *device, void *ptr);
static bool sfi_plan_start(sfi_command *c, sf_stream *s);
static void sfi_host_stamp(sfi_host *h, const sfi_command *c)
{
    sf_event *e = c->u.stamp.event;
    if (e->stamp == c->u.stamp.stamp) { e->time = sfi_host_now(h); }
}

/* Does what needs no worker at the head of the queue; false: the first command waits for another stream, or is a
   graph that runs now. */
static bool sfi_host_settle(sf_stream *s, sf_stream **woken)
{
    sfi_host *h = s->device->host;
    while (s->queue.count) {
        sfi_command *c = sfi_host_first(s);
        sf_stream *other = c->u.wait.mark.stream;
        if (c->kind < SFI_COMMAND_WAIT) { return true; }
        if (c->kind == SFI_COMMAND_WAIT && !sfi_host_reached(&c->u.wait.mark)) {
            if (other->device != s->device || c->u.wait.mark.event) { return true; }     /* another's lock, or a node:
                                                looked at again, as a try */
            s->queue.task.state = SFI_TASK_WAITING;
            s->queue.waits_for = other;
            s->queue.until = c->u.wait.mark.number;
            s->queue.next_waiter = other->queue.waiters;
            other->queue.waiters = s;
            return false;
        }
        if (c->kind == SFI_COMMAND_STAMP) { sfi_host_stamp(h, c); }
        if (c->kind == SFI_COMMAND_FREE && c->u.free) { sfi_host_forget(s->device, c->u.free); }
        if (c->kind == SFI_COMMAND_GRAPH && !sfi_plan_start(c, s)) {
            s->queue.task.state = SFI_TASK_RUNNING;
            return false;
        }
        sfi_host_pop(s, woken);
    }
    return true;
}

/* `s` has a new first command or none: finds its state, and that of all streams that this sets free. */
static void sfi_host_advance(sf_stream *s)                   /* device lock held */
{
    sf_stream *woken = NULL;
    sfi_host *h = s->device->host;
    for (;;) {
        s->queue.task.state = SFI_TASK_IDLE;
        if (sfi_host_settle(s, &woken)) {
            if (s->queue.count) {
                sfi_host_make_ready(h, &s->queue.task);
            } else if (s->queue.zombie) {
                s->queue.zombie = false;
                sfi_stream_release(s);
            }
        }
        if (!woken) { break; }
        s = woken;
        woken = s->queue.next_waiter;
        s->queue.next_waiter = NULL;
    }
}
static void sfi_host_complete(sf_stream *s)                  /* its first command is done */
{
    sf_stream *woken = NULL, *next;
    sfi_host_pop(s, &woken);
    sfi_host_advance(s);
    for (; woken; woken = next) {
        next = woken->queue.next_waiter;
        woken->queue.next_waiter = NULL;
        sfi_host_advance(woken);
    }
}

/* -- running commands -- */

static void sfi_host_poison(sf_device *device, sf_stream *s, const sf_kernel *kernel, int code)
{
    uint32_t fault = (uint32_t)(code >= 0 ? code : code < -INT32_MAX ? INT32_MAX : -code);
    if (sfi_load(&device->fault)) { return; }
    (void)sfi_device_fail(device, (sf_result)(-(int32_t)fault), "sf_launch", kernel->name,
                          "the kernel returned %d on %s; the device takes no more work: sf_device_reset() frees it",
                          code, sfi_stream_name(s));
    (void)sfi_cas(&device->fault, 0, fault);                 /* who sees the fault finds the reason */
}
static void sfi_host_write_value(const sfi_command *c)
{
    if (c->u.value.bytes == 4) {
        sfi_store((sfi_atomic32 *)c->u.value.ptr, (uint32_t)c->u.value.value);
    } else {
        sfi_store64((sfi_atomic64 *)c->u.value.ptr, c->u.value.value);
    }
}
static bool sfi_host_has_value(const sfi_command *c)
{
    bool narrow = c->u.value.bytes == 4;
    uint64_t want = c->u.value.value;
    uint64_t is = narrow ? sfi_load((const sfi_atomic32 *)c->u.value.ptr)
                         : sfi_load64((const sfi_atomic64 *)c->u.value.ptr);
    switch (c->u.value.how) {
    case SF_WAIT_VALUE_GEQ:                  /* as a difference: a counter may wrap around */
        return narrow ? (int32_t)((uint32_t)is - (uint32_t)want) >= 0 : (int64_t)(is - want) >= 0;
    case SF_WAIT_VALUE_EQ: return is == want;
    case SF_WAIT_VALUE_AND: return (is & want) != 0;
    default: return (narrow ? (uint32_t) ~(is | want) : ~(is | want)) != 0;
    }
}
static void sfi_host_copy_rows(const sfi_rect *rect)
{
    size_t row;
    for (row = 0; row < rect->rows; row++) {
        sfi_copy((char *)rect->dst + row * rect->dst_pitch, (const char *)rect->src + row * rect->src_pitch,
                 rect->row_bytes);
    }
}

static sf_result sfi_host_fault(const sf_device *device)
{
    uint32_t fault = sfi_load(&device->fault);
    return fault ? (sf_result)(-(int32_t)fault) : SF_OK;
}

static int sfi_host_run(sf_device *device, const sfi_task *t, sfi_command *c,
                        int32_t slice) /* lock not held */
{
    const sf_device *outer;
    sf_slice part;
    int code = 0;
    if (c->kind == SFI_COMMAND_CALLBACK) {                   /* is told of faults, too */
        sfi_this_thread.in_host_func = true;
        c->u.callback.func(t->stream, sfi_host_fault(device), c->u.callback.user);
        sfi_this_thread.in_host_func = false;
        return 0;
    }
    if (sfi_load(&device->fault)) { return 0; }
    switch (c->kind) {
    case SFI_COMMAND_LAUNCH:
        part.index = slice;
        part.count = (int32_t)c->slices;
        sfi_this_thread.plan = t->plan;
        outer = sfi_call_out(device);
        code = c->u.launch.kernel->host(&part, sfi_host_args(c));
        sfi_call_back(outer);
        sfi_this_thread.plan = NULL;
        if (code && code != SF_NOT_READY) { sfi_host_poison(device, t->stream, c->u.launch.kernel, code); }
        break;
    case SFI_COMMAND_HOST_FUNC:
        sfi_this_thread.in_host_func = true;
        c->u.host.func(c->u.host.user);
        sfi_this_thread.in_host_func = false;
        break;
    case SFI_COMMAND_COPY: sfi_host_copy_rows(&c->u.copy); break;
    case SFI_COMMAND_SET: sfi_fill(c->u.set.dst, c->u.set.value, c->u.set.bytes); break;
    case SFI_COMMAND_WRITE_VALUE: sfi_host_write_value(c); break;
    case SFI_COMMAND_WAIT_VALUE: code = sfi_host_has_value(c) ? 0 : SF_NOT_READY; break;
    case SFI_COMMAND_WAIT: code = sfi_host_reached(&c->u.wait.mark) ? 0 : SF_NOT_READY; break;
    default: break;
    }
    return code;
}

static void sfi_plan_finish(sfi_task *t);

/* Takes one slice of a ready task, runs it, and sees what that completes. Lock held, given up meanwhile. False: the
   command said "not ready". */
static bool sfi_host_execute(sf_device *device, sfi_task *t, int32_t slice)
{
    sfi_host *h = device->host;
    sfi_command *c = sfi_host_task_command(t);
    int code;
    c->todo &= ~((uint64_t)1 << slice);
    t->running++;
    if (!c->todo) { sfi_host_unready(h, t, SFI_TASK_RUNNING); }
    h->executing++;
    sfi_unlock(&device->lock);
    SFI_STEP("execute");
    code = sfi_host_run(device, t, c, slice);
    sfi_lock(&device->lock);
    h->executing--;
    if (!h->threaded) {
        int64_t ns = c->kind == SFI_COMMAND_LAUNCH ? c->u.launch.kernel->host_ns : 0;
        h->now = sfi_deadline(h->now, ns > 0 ? ns : 1000);
#ifndef SF_NO_THREADS
        if (h->waiting) { sfi_cond_wake_all(&h->done); }
#endif
    }
    t->running--;
    if (code == SF_NOT_READY && !sfi_load(&device->fault)) {
        c->todo |= (uint64_t)1 << slice;
        t->again = true;
        if (t->state == SFI_TASK_RUNNING) { sfi_host_make_ready(h, t); }
        return false;
    }
    t->again = false;
    if (!c->todo && !t->running) {
        if (t->plan) { sfi_plan_finish(t); } else { sfi_host_complete(t->stream); }
    }
    return true;
}

static void sfi_host_new_round(sfi_host *h)                  /* all have said "not ready": each is asked once more */
{
    sfi_task *t;
    int32_t p;
    for (p = 0; p < SFI_PRIORITIES; p++) {
        for (t = h->ready[p].first; t; t = t->next) { t->again = false; }
    }
}

static int32_t sfi_lowest_bit(uint64_t bits)
{
    int32_t i = 0;
    while (!(bits & 1)) { bits >>= 1, i++; }
    return i;
}

#ifndef SF_NO_THREADS
/* The most urgent task that has not said "not ready"; *fresh is false where all have, and a new round begins. */
static sfi_task *sfi_host_pick(sfi_host *h, bool *fresh)
{
    sfi_task *t, *first = NULL;
    int32_t p;
    *fresh = true;
    for (p = 0; p < SFI_PRIORITIES; p++) {
        for (t = h->ready[p].first; t; t = t->next) {
            if (!t->again) { return t; }
            if (!first) { first = t; }
        }
    }
    *fresh = false;
    sfi_host_new_round(h);
    return first;
}

static void *sfi_host_worker(void *arg)
{
    sf_device *device = (sf_device *)arg;
    sfi_host *h = device->host;
    int32_t tries = 0;
    sfi_lock(&device->lock);
    while (!h->quit) {
        bool fresh;
        sfi_task *t = sfi_host_pick(h, &fresh);
        if (!t || (!fresh && tries > 64)) {                  /* asks again soon, but does not spin for ever */
            h->sleeping++;
            (void)sfi_cond_wait(&h->work, &device->lock, t ? sfi_clock() + 50000 : SFI_NEVER);
            h->sleeping--;
            tries = 0;
        } else if (sfi_host_execute(device, t, sfi_lowest_bit(sfi_host_task_command(t)->todo))) {
            tries = 0;
        } else {
            tries++;
            sfi_unlock(&device->lock);
            sfi_yield();
            sfi_lock(&device->lock);
        }
    }
    sfi_unlock(&device->lock);
    return NULL;
}
#endif

/* -- one thread, a chosen order -- */

/* The candidates of a step, in the order in which they became ready, the most urgent first. */
typedef struct sfi_choice { sfi_task *pick; uint32_t index, count; } sfi_choice;

static bool sfi_host_better(const sfi_host *h, const sfi_task *a, const sfi_task *b)
{
    uint64_t first = sfi_host_task_command(a)->serial, second = sfi_host_task_command(b)->serial;
    if (h->order == SF_ORDER_REVERSE) { return first > second; }
    if (h->order == SF_ORDER_PCT && a->rank != b->rank) { return a->rank > b->rank; }
    return first < second;
}

/* What `s` cannot go on without; of a graph that runs, any of its nodes. */
static sfi_task *sfi_host_needed(const sfi_host *h, sf_stream *s)
{
    sfi_task *t;
    int32_t p;
    while (s && s->queue.task.state == SFI_TASK_WAITING) { s = s->queue.waits_for; }
    if (!s) { return NULL; }
    if (s->queue.task.state == SFI_TASK_READY) { return &s->queue.task; }
    for (p = 0; p < SFI_PRIORITIES; p++) {
        for (t = h->ready[p].first; t; t = t->next) {
            if (t->stream == s && !t->again) { return t; }
        }
    }
    return NULL;
}

/* The n-th ready task, among all or, where one has not said "not ready", among those; the best one for n < 0. */
static sfi_choice sfi_host_scan(const sfi_host *h, bool fresh_only, int64_t n)
{
    sfi_choice c;
    sfi_task *t;
    int32_t p;
    c.pick = NULL;
    c.index = c.count = 0;
    for (p = 0; p < SFI_PRIORITIES; p++) {
        for (t = h->ready[p].first; t; t = t->next) {
            if (fresh_only && t->again) { continue; }
            if (n < 0 ? !c.pick || sfi_host_better(h, t, c.pick) : (int64_t)c.count == n) {
                c.pick = t;
                c.index = c.count;
            }
            c.count++;
        }
    }
    return c;
}

/* A replay line has a printable character per choice, from '!' on; each '~' before it adds as many as there are. */
enum { SFI_CHOICE_FIRST = 33, SFI_CHOICE_MORE = 126 };
static void sfi_host_remember_char(sf_device *device, int32_t c)
{
    sfi_host *h = device->host;
    if (!sfi_heap_is_range(&device->heap) &&
        sfi_grow(&device->heap, (void **)&h->choices, &h->choices_room, h->choices_count + 1, 1)) {
        h->choices[h->choices_count++] = (char)c;
    }
}
static void sfi_host_remember(sf_device *device, uint32_t index)
{
    for (; index >= SFI_CHOICE_MORE - SFI_CHOICE_FIRST; index -= SFI_CHOICE_MORE - SFI_CHOICE_FIRST) {
        sfi_host_remember_char(device, SFI_CHOICE_MORE);
    }
    sfi_host_remember_char(device, SFI_CHOICE_FIRST + (int32_t)index);
}
static int32_t sfi_host_recall(sfi_host *h)                  /* -1: the line is at its end */
{
    int32_t more = 0;
    if (h->order != SF_ORDER_REPLAY || !h->replay_at) { return -1; }
    for (; *h->replay_at == SFI_CHOICE_MORE; h->replay_at++) { more += SFI_CHOICE_MORE - SFI_CHOICE_FIRST; }
    return *h->replay_at >= SFI_CHOICE_FIRST ? more + (*h->replay_at++ - SFI_CHOICE_FIRST) : -1;
}

static sfi_choice sfi_host_choose(sf_device *device, sf_stream *target)
{
    sfi_host *h = device->host;
    sfi_choice c = sfi_host_scan(h, false, 0), fresh;
    sfi_task *t;
    int32_t recalled;
    if (c.count < 2) { return c; }
    if (h->order == SF_ORDER_RANDOM) { return sfi_host_scan(h, false, (int64_t)(sfi_random(&h->random) % c.count)); }
    recalled = sfi_host_recall(h);
    if (recalled >= 0) { return sfi_host_scan(h, false, recalled % (int64_t)c.count); }
    t = h->order == SF_ORDER_LAZY ? sfi_host_needed(h, target) : NULL;
    if (!t || t->again) {                    /* others first: one of them may be what it waits for */
        fresh = sfi_host_scan(h, true, -1);
        if (fresh.pick) {
            t = fresh.pick;
        } else {
            sfi_host_new_round(h);
            t = sfi_host_scan(h, true, -1).pick;
            sfi_yield();
        }
    }
    for (c.index = 0; sfi_host_scan(h, false, c.index).pick != t; c.index++) {}
    c.pick = t;
    return c;
}

/* One of the slices that are left: the first, or, where the order is random, any. */
static int32_t sfi_host_choose_slice(sf_device *device, uint64_t todo)
{
    sfi_host *h = device->host;
    int32_t slice = sfi_lowest_bit(todo), recalled;
    if (!(todo & (todo - 1))) { return slice; }
    if (h->order == SF_ORDER_RANDOM) {
        uint64_t rotate = sfi_random(&h->random) % SFI_MAX_SLICES, high = todo >> rotate << rotate;
        if (high) { slice = sfi_lowest_bit(high); }
    }
    recalled = sfi_host_recall(h);
    if (recalled >= 0 && recalled < SFI_MAX_SLICES && (todo >> recalled & 1)) { slice = recalled; }
    sfi_host_remember(device, (uint32_t)slice);
    return slice;
}

/* Runs one slice or command. False: nothing is ready. */
static bool sfi_host_step(sf_device *device, sf_stream *target)              /* lock held, given up meanwhile */
{
    sfi_host *h = device->host;
    sfi_choice c = sfi_host_choose(device, target);
    sfi_command *first;
    sf_device *other = NULL;
    if (!c.pick) { return false; }
    if (c.count > 1) { sfi_host_remember(device, c.index); }
    h->steps++;
    if (h->order == SF_ORDER_PCT && (h->steps == h->demote[0] || h->steps == h->demote[1])) {
        c.pick->rank = 0;
    }
    first = sfi_host_task_command(c.pick);
    if (first->kind == SFI_COMMAND_WAIT) { other = first->u.wait.mark.stream->device; }
    if (!sfi_host_execute(device, c.pick, sfi_host_choose_slice(device, first->todo)) && other &&
        !other->host->threaded) {
        sfi_unlock(&device->lock);           /* what it waits for is another device's to run */
        sfi_lock(&other->lock);
        (void)sfi_host_step(other, NULL);
        sfi_unlock(&other->lock);
        sfi_lock(&device->lock);
    }
    return true;
}

/* -- waiting -- */

/* Nothing is ready, but another thread is executing a command, behind which there may be more: until it is done. */
static bool sfi_host_others_run(sf_device *device)           /* lock held, given up meanwhile */
{
#ifndef SF_NO_THREADS
    sfi_host *h = device->host;
    if (!h->executing) { return false; }
    h->waiting++;
    (void)sfi_cond_wait(&h->done, &device->lock, SFI_NEVER);
    h->waiting--;
    return true;
#else
    return (void)device, false;
#endif
}
/* Until the mark is reached, run or, after a fault, skipped; or time is up. Lock held, given up meanwhile. */
static sf_result sfi_host_wait_mark(sf_device *device, const sfi_mark *m, int64_t deadline)
{
    sfi_host *h = device->host;
    bool helped = h->threaded;               /* without threads even a deadline of now runs something */
    while (!sfi_host_reached(m)) {
        if (helped && sfi_host_now(h) >= deadline) { return SF_TIMEOUT; }
#ifndef SF_NO_THREADS
        if (h->threaded) {
            sfi_queue *q = &m->stream->queue;
            if (!q->awaited || q->awaited > m->number) { q->awaited = m->number; }   /* a node's mark, too: where a
                                                later record came first, it is reached with the launch */
            h->waiting++;
            (void)sfi_cond_wait(&h->done, &device->lock, deadline);
            h->waiting--;
            continue;
        }
#endif
        if (!sfi_host_step(device, m->stream) && !sfi_host_others_run(device)) { return SF_ERROR_DEADLOCK; }
        helped = true;
    }
    return SF_OK;
}
static sf_result sfi_host_wait_until(sf_stream *s, uint64_t number, int64_t deadline)
{
    sfi_mark m = sfi_host_mark(s, number);
    return sfi_host_wait_mark(s->device, &m, deadline);
}

/* Until there is room for so many commands; a deadline is left for what comes next. Others may be quicker to fill
   it. */
static sf_result sfi_host_wait_for_room(sf_stream *s, uint32_t commands, int64_t *timeout)
{
    sf_device *device = s->device;
    sfi_host *h = device->host;
    sfi_queue *q = &s->queue;
    uint32_t most = commands < h->stream_depth ? h->stream_depth - commands : 0;
    sf_result r = SF_OK;
    sfi_lock(&device->lock);
    if (q->count > most) {
        int64_t deadline = sfi_deadline(sfi_host_now(h), *timeout), now;
        while (q->count > most && r == SF_OK) { r = sfi_host_wait_until(s, q->enqueued - most, deadline); }
        now = sfi_host_now(h);
        *timeout = deadline > now ? deadline - now : 0;
    }
    sfi_unlock(&device->lock);
    return r;
}

/* A poll is a chance to run for whoever has no threads. */
static void sfi_host_help(sf_device *device, sf_stream *target)
{
    if (!device->host->threaded) { (void)sfi_host_step(device, target); }
}

/* -- capture -- */

static sfi_capture *sfi_find_capture(const sf_device *device, uint64_t id)
{
    sfi_capture *c = device->captures;
    while (c && c->id != id) { c = c->next; }
    return c;
}

static int64_t sfi_thread_birth(void)
{
    if (!sfi_this_thread.birth) { sfi_this_thread.birth = sfi_clock() | 1; }
    return sfi_this_thread.birth;
}
static bool sfi_is_my_capture(const sfi_capture *c)
{
    return c->thread == &sfi_this_thread && c->birth == sfi_this_thread.birth;
}

/* CUDA's rule for calls that could make the host wait for a capture: refused, and the capture spoiled, where this
   thread captures or any thread does so globally, unless the mode of the thread or of the capture allows it. */
static bool sfi_capture_forbids(const sfi_capture *c)
{
    sf_capture_mode mode = sfi_this_thread.capture_mode;
    bool mine = sfi_is_my_capture(c) && c->mode != SF_CAPTURE_RELAXED;
    if (mode == SF_CAPTURE_RELAXED) { return false; }
    return mine || (c->mode == SF_CAPTURE_GLOBAL && mode == SF_CAPTURE_GLOBAL);
}
static sf_result sfi_host_unsafe(sf_device *device)          /* lock held */
{
    sfi_capture *c;
    sf_result r = SF_OK;
    for (c = device->captures; c; c = c->next) {
        if (!sfi_capture_forbids(c)) { continue; }
        c->invalid = true;
        r = SF_ERROR_CAPTURE_UNSUPPORTED;
    }
    return r;
}
static sf_result sfi_host_unsafe_call(sf_device *device)
{
    sf_result r;
    if (!sfi_load(&device->capturing)) { return SF_OK; }
    sfi_lock(&device->lock);
    r = sfi_host_unsafe(device);
    sfi_unlock(&device->lock);
    return r;
}
/* The default stream cannot be used while a blocking stream captures: its implicit order would reach into that. */
static sf_result sfi_host_check_implicit(sf_stream *s, bool invalidate)      /* lock held */
{
    sf_stream *other;
    sf_result r = SF_OK;
    if (!s->device->captures || s != s->device->legacy) { return SF_OK; }
    for (other = s->device->first_stream; other; other = other->next_stream) {
        if (other->capture && !(other->flags & SF_STREAM_NON_BLOCKING)) {
            if (invalidate) { other->capture->invalid = true; }
            r = SF_ERROR_CAPTURE_IMPLICIT;
        }
    }
    return r;
}
/* A query or a wait for a stream: on one that captures it spoils the capture. */
static sf_result sfi_host_check_stream(sf_stream *s)         /* lock held */
{
    sf_result r = sfi_host_check_implicit(s, true);
    if (r < 0) { return r; }
    if (s->capture) {
        s->capture->invalid = true;
        return SF_ERROR_CAPTURE_UNSUPPORTED;
    }
    return sfi_host_unsafe(s->device);
}
static sf_result sfi_host_check_event(sf_event *e, bool invalidate)          /* lock held */
{
    sfi_capture *c = e->captured ? sfi_find_capture(e->device, e->captured) : NULL;
    if (!e->captured) { return SF_OK; }
    if (!c || c->invalid) { return SF_ERROR_INVALID_VALUE; } /* of a capture that is over: worthless until recorded */
    if (invalidate) { c->invalid = true; }
    return SF_ERROR_CAPTURED_EVENT;
}

static sf_graph_node *sfi_node_new(sf_graph *graph, sf_node_type type, const char *name, const sf_dependency *after,
                                   uint32_t count, sf_result *r);
static void sfi_node_discard(sf_graph_node *node);
static sf_result sfi_after_set(const sf_heap *heap, sfi_after *to, const sf_dependency *items, uint32_t count);
static bool sfi_after_add(const sf_heap *heap, sfi_after *to, sf_dependency item);
static sf_result sfi_host_node_command(sf_graph_node *node, sfi_command_kind kind, size_t args,
                                       sfi_command **command);

static sf_node_type sfi_host_node_type(sfi_command_kind kind)
{
    switch (kind) {
    case SFI_COMMAND_LAUNCH: return SF_NODE_KERNEL;
    case SFI_COMMAND_HOST_FUNC: return SF_NODE_HOST;
    case SFI_COMMAND_COPY: return SF_NODE_MEMCPY;
    case SFI_COMMAND_SET: return SF_NODE_MEMSET;
    case SFI_COMMAND_WRITE_VALUE:
    case SFI_COMMAND_WAIT_VALUE: return SF_NODE_BATCH_MEM_OP;
    case SFI_COMMAND_RECORD: return SF_NODE_EVENT_RECORD;
    case SFI_COMMAND_WAIT: return SF_NODE_EVENT_WAIT;
    default: return SF_NODE_EMPTY;
    }
}
static sf_result sfi_host_capture_node(sf_stream *s, sf_node_type type, sf_graph_node **node)
{
    sf_result r = SF_OK;
    if (s->capture->invalid) { return SF_ERROR_CAPTURE_INVALIDATED; }
    *node = sfi_node_new(s->capture->graph, type, NULL, s->after.items, s->after.count, &r);
    return r;
}
static sf_result sfi_host_capture_command(sf_stream *s, sfi_command_kind kind, size_t args, sfi_command **command)
{
    sf_graph_node *node;
    sf_result r;
    if (kind == SFI_COMMAND_CALLBACK ||
        kind == SFI_COMMAND_EMPTY) { /* add_callback, attach: never captured */
        s->capture->invalid = true;
        return SF_ERROR_CAPTURE_UNSUPPORTED;
    }
    r = sfi_host_capture_node(s, sfi_host_node_type(kind), &node);
    if (r < 0) { return r; }
    r = sfi_host_node_command(node, kind, args, command);
    if (r < 0) { sfi_node_discard(node); }
    s->capture->pending = node;
    return r;
}
static sf_result sfi_host_now_after(sf_stream *s,
                                    sf_graph_node *node) /* what is captured next comes after it */
{
    sf_dependency one;
    one.node = node;
    one.type = SF_EDGE_FULL;
    return sfi_after_set(&s->device->heap, &s->after, &one, 1);
}
static sf_result sfi_host_captured(sf_stream *s)
{
    sf_graph_node *node = s->capture->pending;
    s->capture->pending = NULL;
    if (node->command->kind == SFI_COMMAND_LAUNCH) { node->kernel = node->command->u.launch.kernel->name; }
    return sfi_host_now_after(s, node);
}

static sfi_capture *sfi_capture_of(const sf_stream *origin)
{
    sfi_capture *c = origin->device->captures;
    while (c && c->origin != origin) { c = c->next; }
    return c;
}
/* Takes the capture apart; its graph goes to the caller, or away. */
static sf_graph *sfi_capture_over(sfi_capture *c)            /* lock held */
{
    sf_device *device = c->origin->device;
    sfi_capture **link = &device->captures;
    sf_graph *graph = c->graph;
    sf_stream *s;
    while (*link != c) { link = &(*link)->next; }
    *link = c->next;
    for (s = device->first_stream; s; s = s->next_stream) {
        if (s->capture == c) { s->capture = NULL; }
    }
    if (graph) { graph->capturing = false; } /* NULL: a body that went with the graph around it */
    if (!c->lent) { graph->native = NULL; }  /* the driver's, while it captured */
    (void)sfi_add(&device->capturing, (uint32_t)-1);
    sfi_free(&device->heap, c);
    return graph;
}
static sf_result sfi_capture_start(sf_stream *s, sf_graph *graph, bool lent, sf_capture_mode mode, uint64_t id,
                                   sfi_capture **capture)    /* lock held */
{
    sf_device *device = s->device;
    sfi_capture *c = (sfi_capture *)sfi_alloc_zeroed(&device->heap, sizeof *c);
    if (!c) { return sfi_out_of_memory(&device->heap); }
    c->id = id;
    c->graph = graph;
    c->origin = s;
    c->thread = &sfi_this_thread;
    c->birth = sfi_thread_birth();
    c->mode = mode;
    c->lent = lent;
    c->next = device->captures;
    device->captures = c;
    *capture = c;
    graph->capturing = true;
    (void)sfi_add(&device->capturing, 1);
    return SF_OK;
}

static sf_result sfi_host_capture_begin(sf_stream *s, sf_graph *graph, const sf_dependency *after, int count,
                                        sf_capture_mode mode)
{
    sf_device *device = s->device;
    bool lent = graph != NULL;
    sf_result r = SF_OK;
    if (s == device->legacy) { return SF_ERROR_CAPTURE_UNSUPPORTED; }
    if (!lent) { r = sfi_graph_make(device, &graph); }
    if (r < 0) { return r; }
    sfi_lock(&device->lock);
    if (s->capture || graph->capturing) { r = SF_ERROR_ILLEGAL_STATE; }
    if (r >= 0) { r = sfi_after_set(&device->heap, &s->after, after, (uint32_t)count); }
    if (r >= 0) { r = sfi_capture_start(s, graph, lent, mode, ++device->last_id, &s->capture); }
    sfi_unlock(&device->lock);
    if (r < 0 && !lent) { sfi_graph_unmake(graph); }
    return r;
}

static void sfi_graph_mark(sf_graph *graph, const sfi_after *from);
/* Whether a stream's captured work leads to the origin's end. */
static bool sfi_host_is_joined(const sf_stream *s)
{
    uint32_t i;
    for (i = 0; i < s->after.count; i++) {
        if (!s->after.items[i].node->mark) { return false; }
    }
    return true;
}
static sf_result sfi_host_check_end(sf_stream *s)
{
    sfi_capture *c = s->capture;
    sf_stream *other;
    if (c->mode != SF_CAPTURE_RELAXED && !sfi_is_my_capture(c)) { return SF_ERROR_CAPTURE_WRONG_THREAD; }
    if (c->invalid) { return SF_ERROR_CAPTURE_INVALIDATED; }
    sfi_graph_mark(c->graph, &s->after);
    for (other = s->device->first_stream; other; other = other->next_stream) {
        if (other != s && other->capture == c && !sfi_host_is_joined(other)) { return SF_ERROR_CAPTURE_UNJOINED; }
    }
    return SF_OK;
}
static sf_result sfi_host_capture_end(sf_stream *s, sf_graph **graph)
{
    sf_device *device = s->device;
    sf_graph *ended;
    bool lent;
    sf_result r;
    sfi_lock(&device->lock);
    r = sfi_host_check_implicit(s, true);
    if (r >= 0 && !s->capture) { r = SF_ERROR_ILLEGAL_STATE; }
    if (r >= 0 && s->capture->origin != s) {
        s->capture->invalid = true;
        r = SF_ERROR_CAPTURE_UNMATCHED;
    }
    if (r < 0) {
        sfi_unlock(&device->lock);
        return r;
    }
    r = sfi_host_check_end(s);
    lent = s->capture->lent;
    ended = sfi_capture_over(s->capture);
    sfi_unlock(&device->lock);
    if ((r < 0 || !graph) && !lent) { sfi_graph_unmake(ended); }
    if (r >= 0 && graph) { *graph = ended; }
    return r;
}
/* A stream that goes away: a participant leaves, with the origin the whole capture ends; its graph is the caller's to
   destroy. */
static sf_graph *sfi_capture_leave(sf_stream *s)             /* lock held */
{
    sf_graph *orphan = NULL;
    sfi_capture *c = sfi_capture_of(s);
    if (c) {
        bool lent = c->lent;
        sf_graph *graph = sfi_capture_over(c);
        if (!lent) { orphan = graph; }
    }
    s->capture = NULL;
    return orphan;
}

static sf_result sfi_host_get_status(sf_stream *s, sf_capture_status *status)       /* lock held */
{
    sf_result r = sfi_host_check_implicit(s, false);
    if (r >= 0) {
        *status = !s->capture           ? SF_CAPTURE_NONE
                  : s->capture->invalid ? SF_CAPTURE_INVALIDATED
                                        : SF_CAPTURE_ACTIVE;
    }
    return r;
}
static sf_result sfi_host_capture_status(sf_stream *s, sf_capture_status *status)
{
    sf_result r;
    sfi_lock(&s->device->lock);
    r = sfi_host_get_status(s, status);
    sfi_unlock(&s->device->lock);
    return r;
}
static bool sfi_host_is_capturing(sf_stream *s) { return s->capture != NULL; }
static sf_result sfi_host_capture_info(sf_stream *s, sf_capture_info *info, sf_dependency *after, int max)
{
    sf_result r;
    uint32_t i;
    sfi_lock(&s->device->lock);
    r = sfi_host_get_status(s, &info->status);
    if (r >= 0 && info->status == SF_CAPTURE_ACTIVE) {
        info->id = s->capture->id;
        info->graph = s->capture->graph;
        info->dependencies = (int32_t)s->after.count;
        for (i = 0; i < s->after.count && (int)i < max; i++) { after[i] = s->after.items[i]; }
    }
    sfi_unlock(&s->device->lock);
    return r;
}
static sf_result sfi_host_capture_update(sf_stream *s, const sf_dependency *after, int count, uint32_t flags)
{
    sf_result r = SF_OK;
    int i;
    sfi_lock(&s->device->lock);
    if (!s->capture) { r = SF_ERROR_ILLEGAL_STATE; }
    if (r >= 0 && s->capture->invalid) { r = SF_ERROR_CAPTURE_INVALIDATED; }
    for (i = 0; i < count && r >= 0; i++) {
        if (after[i].node->graph != s->capture->graph) { r = SF_ERROR_INVALID_VALUE; }
    }
    if (r >= 0 && flags == SF_CAPTURE_SET_DEPENDENCIES) { s->after.count = 0; }
    for (i = 0; i < count && r >= 0; i++) {
        if (!sfi_after_add(&s->device->heap, &s->after, after[i])) { r = sfi_out_of_memory(&s->device->heap); }
    }
    sfi_unlock(&s->device->lock);
    return r;
}

/* Waiting for an event inside captures: it joins streams to a capture, and must not cross a capture's border. */
static sf_result sfi_host_capture_wait(sf_stream *s, sf_event *e, bool *done)        /* lock held */
{
    sfi_capture *c = e->captured ? sfi_find_capture(e->device, e->captured) : NULL;
    uint32_t i;
    *done = true;
    if (s->capture && s->capture->invalid) { return SF_ERROR_CAPTURE_INVALIDATED; }
    if (e->captured && (!c || c->invalid)) {
        if (s->capture) { s->capture->invalid = true; }
        return SF_ERROR_INVALID_VALUE;
    }
    if (!c) {
        *done = s->capture || !e->recorded;
        if (!s->capture || !e->recorded) { return SF_OK; }
        s->capture->invalid = true;
        return SF_ERROR_CAPTURE_ISOLATION;
    }
    if (s == s->device->legacy) {
        c->invalid = true;
        return SF_ERROR_CAPTURE_IMPLICIT;
    }
    if (s->capture && s->capture != c) {
        s->capture->invalid = c->invalid = true;
        return SF_ERROR_CAPTURE_MERGE;
    }
    if (!s->capture) { s->after.count = 0; }
    for (i = 0; i < e->after.count; i++) {
        if (!sfi_after_add(&s->device->heap, &s->after, e->after.items[i])) {
            return sfi_out_of_memory(&s->device->heap);
        }
    }
    s->capture = c;
    return SF_OK;
}

/* -- enqueueing -- */

static bool sfi_host_room(sfi_queue *q, size_t bytes, uint32_t depth)
{
    if (q->count >= depth) { return false; }
    if (q->wrapped) { return q->head - q->tail >= bytes; }
    if (q->size - q->tail >= bytes) { return true; }
    if (q->head < bytes) { return false; }
    q->limit = q->tail;
    q->tail = 0;
    q->wrapped = true;
    return true;
}

/* The bytes of a ring: all that `depth` commands with full arguments need. Only what is used gets touched; memory
   that was handed in is too dear for that, so there the ring holds one command of the largest size. */
static sf_result sfi_host_make_ring(sf_stream *s)
{
    sf_device *device = s->device;
    sfi_queue *q = &s->queue;
    size_t depth = device->host->stream_depth;
    if (q->ring) { return SF_OK; }
    q->size = sfi_heap_is_range(&device->heap) ? depth * (SFI_COMMAND + 32) : depth * (SFI_COMMAND + SF_MAX_ARGS);
    q->ring = (char *)sfi_alloc(&device->heap, q->size);
    return q->ring ? SF_OK : sfi_out_of_memory(&device->heap);
}

static sf_result sfi_host_wait_for_place(sf_stream *s)       /* lock held, given up meanwhile */
{
    s->device->host->given_up++;
    return sfi_host_wait_until(s, sfi_load64(&s->queue.done) + 1, SFI_NEVER);
}
/* Room for one more command, which the caller fills; then sfi_host_enqueue(). */
static sf_result sfi_host_command(sf_stream *s, sfi_command_kind kind, size_t args, sfi_command **command)
{
    size_t bytes = SFI_COMMAND + SFI_ALIGN(args, 16);
    sf_device *device = s->device;
    sfi_host *h = device->host;
    sfi_queue *q = &s->queue;
    sf_result r = sfi_host_make_ring(s);
    sfi_command *c;
    if (r < 0) { return r; }
    if (bytes > q->size) { return SF_ERROR_NO_ROOM; }
    while (!sfi_host_room(q, bytes, h->stream_depth)) {
        r = sfi_host_wait_for_place(s);
        if (r < 0) { return r; }
    }
    c = (sfi_command *)(void *)(q->ring + q->tail);
    c->bytes = bytes;
    c->kind = kind;
    c->slices = 1;
    c->todo = 1;
    c->serial = ++h->serial;
    *command = c;
    return SF_OK;
}
struct sfi_reactor;
static void sfi_reactor_signal(const struct sfi_reactor *reactor);
static void sfi_host_enqueue(sf_stream *s, const sfi_command *c)
{
    sfi_queue *q = &s->queue;
    q->tail += c->bytes;
    q->enqueued++;
    if (q->count++ == 0) { sfi_host_advance(s); }
    if (s->device->reactor && !s->device->host->threaded) { sfi_reactor_signal(s->device->reactor); }
}
static void sfi_host_know(sf_stream *s, const sf_stream *other, uint64_t number)
{
    sfi_known *known = &s->queue.known[s->queue.known_at++ % SFI_KNOWN];
    known->stream = other;
    known->number = number;
}
static sf_result sfi_host_enqueue_wait(sf_stream *s, sfi_mark m)
{
    sfi_command *c = NULL;
    if (m.stream == s && !m.event) { return SF_OK; }
    if (!sfi_host_reached(&m)) {
        sf_result r = sfi_host_command(s, SFI_COMMAND_WAIT, 0, &c);          /* may wait for room */
        if (r < 0) { return r; }
    }
    if (!m.event) { sfi_host_know(s, m.stream, m.number); }
    if (!c) { return SF_OK; }
    c->u.wait.mark = m;
    c->u.wait.event = NULL;
    if (m.stream->device != s->device) { (void)sfi_add(&m.stream->device->pins, 1); }
    sfi_host_enqueue(s, c);
    return SF_OK;
}

/* CUDA's implicit order: legacy work waits for all blocking streams, and they for it. */
static sf_result sfi_host_implicit(sf_stream *s)
{
    sf_device *device = s->device;
    sf_stream *other;
    sf_result r = SF_OK;
    if (s != device->legacy) {
        if (s->flags & SF_STREAM_NON_BLOCKING) { return SF_OK; }
        return sfi_host_enqueue_wait(s, sfi_host_mark(device->legacy, device->legacy->queue.enqueued));
    }
    for (other = device->first_stream; other && r >= 0; other = other->next_stream) {
        if (other->flags & SF_STREAM_NON_BLOCKING) { continue; }
        r = sfi_host_enqueue_wait(s, sfi_host_mark(other, other->queue.enqueued));
    }
    return r;
}
static size_t sfi_plan_args(const struct sfi_plan *p);
static sf_result sfi_host_wait_for_launch(sf_stream *s, const sf_graph_exec *exec)   /* of `exec`: one at a time */
{
    return exec && exec->last ? sfi_host_enqueue_wait(s, sfi_host_mark(exec->last, exec->last_number)) : SF_OK;
}
static uint32_t sfi_host_count_waits(const sf_stream *s, const sf_graph_exec *exec)  /* the most, as it is now */
{
    const sf_stream *other, *legacy = s->device->legacy;
    uint32_t n = exec != NULL;
    if (s != legacy) { return n + !(s->flags & SF_STREAM_NON_BLOCKING); }
    for (other = s->device->first_stream; other; other = other->next_stream) { n += other->queue.count != 0; }
    return n;
}
/* Room for a command with all that it has to wait for. */
static sf_result sfi_host_make_way(sf_stream *s, const sf_graph_exec *exec)
{
    const uint32_t depth = s->device->host->stream_depth;
    sf_result r = SF_OK;
    while (r >= 0) {
        uint32_t n = 1 + sfi_host_count_waits(s, exec);
        if (s->queue.count + (n < depth ? n : depth) <= depth) { return SF_OK; }
        r = sfi_host_wait_for_place(s);
    }
    return r;
}
/* A command behind all that it has to wait for. Who waits for room gives the lock up: what others have enqueued or
   launched meanwhile it has to wait for, too. */
static sf_result sfi_host_command_in_order(sf_stream *s, const sf_graph_exec *exec, sfi_command_kind kind,
                                           size_t args, sfi_command **command)
{
    const sfi_host *h = s->device->host;
    uint64_t given_up;
    sf_result r;
    do {
        given_up = h->given_up;
        r = sfi_host_implicit(s);
        if (r >= 0) { r = sfi_host_wait_for_launch(s, exec); }
        if (r >= 0) { r = sfi_host_command(s, kind, exec ? sfi_plan_args(exec->plan) : args, command); }
        if (r < 0 || h->given_up == given_up) { return r; }
        r = sfi_host_make_way(s, exec);
    } while (r >= 0);
    return r;
}
/* A command for the stream or, while that captures, for a new node of the graph. Filled between begin and end. */
static sf_result sfi_host_begin(sf_stream *s, sfi_command_kind kind, size_t args, sfi_command **command)
{
    bool external = kind == SFI_COMMAND_WAIT || kind == SFI_COMMAND_RECORD;          /* a node, or nothing */
    sf_result r;
    sfi_lock(&s->device->lock);
    r = external && !s->capture ? SF_ERROR_ILLEGAL_STATE : sfi_host_check_implicit(s, true);
    if (r >= 0 && s->capture) {
        r = sfi_host_capture_command(s, kind, args, command);
    } else if (r >= 0) {
        r = sfi_host_command_in_order(s, NULL, kind, args, command);
    }
    if (r < 0) { sfi_unlock(&s->device->lock); }
    return r;
}
static sf_result sfi_host_end(sf_stream *s, const sfi_command *c)
{
    sf_result r = SF_OK;
    if (s->capture && s->capture->pending) { r = sfi_host_captured(s); } else { sfi_host_enqueue(s, c); }
    sfi_unlock(&s->device->lock);
    return r;
}

/* -- the table's functions -- */

static void sfi_host_pool_shrink(sf_device *device, sfi_host_pool *p, size_t keep, bool all);
static void sfi_host_shrink_pools(sf_device *device);

static void sfi_host_set_order(sf_device *device, const sf_device_desc *desc)
{
    sfi_host *h = device->host;
    h->order = desc->host.order;
#ifdef SF_NO_THREADS
    if (h->order == SF_ORDER_THREADS) { h->order = SF_ORDER_FIRST_IN; }
#endif
    h->threaded = h->order == SF_ORDER_THREADS;
    h->random = desc->host.seed;
    h->demote[0] = 1 + sfi_random(&h->random) % ((uint64_t)1 << (1 + sfi_random(&h->random) % 10));
    h->demote[1] = 1 + sfi_random(&h->random) % ((uint64_t)1 << (1 + sfi_random(&h->random) % 10));
    h->stream_depth = desc->host.stream_depth          ? desc->host.stream_depth
                      : sfi_heap_is_range(&device->heap) ? (uint32_t)SFI_STREAM_DEPTH_FIXED
                                                         : (uint32_t)SFI_STREAM_DEPTH;
}

static const char sfi_replay_prefix[] = "sf1:";
static sf_result sfi_host_set_replay(sf_device *device, const char *line)
{
    sfi_host *h = device->host;
    size_t i, prefix = sizeof sfi_replay_prefix - 1;
    if (h->order != SF_ORDER_REPLAY || !line) { return SF_OK; }      /* without a line, and after it: first in */
    for (i = 0; i < prefix; i++) {
        if (line[i] != sfi_replay_prefix[i]) {
            return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, "sf_device_open", NULL,
                                   "sf_device_desc.host.replay is not a line from sf_device_get_replay()");
        }
    }
    h->replay = sfi_copy_string(&device->heap, line + prefix);
    h->replay_at = h->replay;
    return h->replay ? SF_OK : sfi_out_of_memory(&device->heap);
}
static sf_result sfi_host_start_workers(sf_device *device, const sf_device_desc *desc)
{
#ifndef SF_NO_THREADS
    sfi_host *h = device->host;
    int32_t n = desc->host.workers > 0 ? desc->host.workers : sfi_cores();
    sfi_cond_init(&h->work);
    sfi_cond_init(&h->done);
    if (!h->threaded) { return SF_OK; }
    h->threads = (sfi_thread *)sfi_alloc(&device->heap, (size_t)n * sizeof(sfi_thread));
    if (!h->threads) { return sfi_out_of_memory(&device->heap); }
    for (h->workers = 0; h->workers < n; h->workers++) {
        if (!sfi_thread_start(&h->threads[h->workers], sfi_host_worker, device)) {
            return h->workers ? SF_OK : SF_ERROR_OUT_OF_MEMORY;
        }
    }
#else
    (void)device, (void)desc;
#endif
    return SF_OK;
}

static sf_result sfi_host_open(sf_device *device, const sf_device_desc *desc)
{
    sf_result r;
    if ((uint32_t)desc->host.order > SF_ORDER_REPLAY || desc->host.workers < 0) {
        return SF_ERROR_INVALID_VALUE;
    }
    device->host = (sfi_host *)sfi_alloc_zeroed(&device->heap, sizeof *device->host);
    if (!device->host) { return sfi_out_of_memory(&device->heap); }
    device->memory_bytes = desc->host.memory_bytes ? desc->host.memory_bytes : (size_t)1 << 30;
    device->priority_greatest = 1 - SFI_PRIORITIES;
    sfi_host_set_order(device, desc);
    r = sfi_host_start_workers(device, desc);
    return r < 0 ? r : sfi_host_set_replay(device, desc->host.replay);
}

static void sfi_host_close(sf_device *device)
{
    sfi_host *h = device->host;
    if (!h) { return; }
#ifndef SF_NO_THREADS
    sfi_lock(&device->lock);
    h->quit = true;
    sfi_cond_wake_all(&h->work);
    sfi_unlock(&device->lock);
    while (h->workers > 0) { sfi_thread_join(h->threads[--h->workers]); }
    sfi_cond_free(&h->work);
    sfi_cond_free(&h->done);
    sfi_free(&device->heap, h->threads);
#endif
    while (h->pools) {
        sfi_host_pool *p = h->pools;
        h->pools = p->next;
        p->pool = NULL;
        sfi_host_pool_shrink(device, p, 0, true);
        sfi_free(&device->heap, p);
    }
    sfi_free(&device->heap, h->choices);
    sfi_free(&device->heap, h->replay);
    sfi_free(&device->heap, h);
    device->host = NULL;
}

static sf_result sfi_host_enter(sf_device *device, bool *entered) { return (void)device, *entered = false, SF_OK; }
static void sfi_host_leave(sf_device *device, bool entered) { (void)device, (void)entered; }

static sf_result sfi_host_get_info(sf_device *device, sf_device_info *info)
{
    size_t used = (size_t)sfi_load64(&device->counters[SFI_LIVE_BYTES]);
    info->multiprocessors = device->host->threaded ? device->host->workers : 1;
    info->memory_bytes = device->memory_bytes;
    info->memory_free_bytes = used < device->memory_bytes ? device->memory_bytes - used : 0;
    sfi_keep_name(info->name, sizeof info->name, "host");
    return SF_OK;
}

static bool sfi_host_spoil_captures(sf_device *device)       /* lock held; of any mode; whether there were some */
{
    sfi_capture *c;
    for (c = device->captures; c; c = c->next) { c->invalid = true; }
    return device->captures != NULL;
}
static sf_result sfi_host_wait_for_all(sf_device *device, uint32_t but, int64_t deadline)    /* lock held; flags */
{
    uint64_t serial = device->host->serial;  /* what is enqueued from now on is not waited for */
    sf_result r = SF_OK;
    sf_stream *s;
    for (s = device->first_stream; s && r == SF_OK;) {
        uint64_t last = s->queue.enqueued;
        if (s->queue.count && !(s->flags & but) && sfi_host_first(s)->serial <= serial &&
            sfi_load64(&s->queue.done) < last) {
            r = sfi_host_wait_until(s, last, deadline);
            s = device->first_stream;        /* the list may have changed meanwhile */
        } else {
            s = s->next_stream;
        }
    }
    sfi_host_shrink_pools(device);
    return r;
}
static sf_result sfi_host_synchronize(sf_device *device, int64_t timeout, bool own)
{
    int64_t deadline;
    sf_result r = SF_ERROR_CAPTURE_UNSUPPORTED;
    sfi_lock(&device->lock);
    deadline = sfi_deadline(sfi_host_now(device->host), timeout);
    if (own || !sfi_host_spoil_captures(device)) { r = sfi_host_wait_for_all(device, 0, deadline); }
    sfi_unlock(&device->lock);
    return r ? r : sfi_host_fault(device);
}

static sf_result sfi_host_reset(sf_device *device)
{
    sf_stream *s;
    sf_result r;
    sfi_lock(&device->lock);
    (void)sfi_host_spoil_captures(device);
    r = sfi_host_wait_for_all(device, 0, SFI_NEVER);            /* poisoned commands complete without running */
    if (r == SF_ERROR_DEADLOCK) {
        sfi_unlock(&device->lock);
        return r;
    }
    if (sfi_load(&device->fault)) {          /* what it had skipped is told it all the same */
        sfi_store(&device->last_fault, sfi_load(&device->fault));
        (void)sfi_add(&device->resets, 1);
    }
    sfi_store(&device->fault, 0);
    for (s = device->first_stream; s; s = s->next_stream) { sfi_store(&s->order.misuse, 0); }
    sfi_failure_clear(&device->failure);
    sfi_unlock(&device->lock);
    return SF_OK;
}

static sf_result sfi_host_poll(sf_device *device)
{
    bool ran = false;
    sfi_lock(&device->lock);
    if (!device->host->threaded) { ran = sfi_host_step(device, NULL); }
    sfi_unlock(&device->lock);
    return ran ? SF_OK : SF_IDLE;
}

static sf_result sfi_host_look(sf_device *device) { return sfi_host_fault(device); }

static sf_result sfi_host_stream_create(sf_stream *s)
{
    sfi_host *h = s->device->host;
    sfi_queue *q = &s->queue;
    SF_ASSERT(!q->count && !q->waiters);
    q->head = q->tail = 0;
    q->wrapped = q->zombie = false;
    sfi_zero(&q->task, sizeof q->task);
    q->task.stream = s;
    q->awaited = 0;
    sfi_zero(q->known, sizeof q->known);
    sfi_lock(&s->device->lock);
    q->task.rank = 1 + (sfi_random(&h->random) >> 1);
    sfi_unlock(&s->device->lock);
    return sfi_heap_is_range(&s->device->heap) ? SF_OK : sfi_host_make_ring(s);      /* there: when it is used */
}
static void sfi_host_stream_destroy(sf_stream *s)            /* lock held */
{
    if (s->queue.count) { s->queue.zombie = true; } else { sfi_stream_release(s); }
}

static sf_result sfi_host_wait_for_all(sf_device *device, uint32_t but, int64_t deadline);
/* The default stream is busy while any blocking stream is. */
static sf_stream *sfi_host_busy(sf_stream *s)
{
    sf_stream *other;
    if (s->queue.count) { return s; }
    if (s != s->device->legacy) { return NULL; }
    for (other = s->device->first_stream; other; other = other->next_stream) {
        if (other->queue.count && !(other->flags & SF_STREAM_NON_BLOCKING)) { return other; }
    }
    return NULL;
}
static sf_result sfi_host_stream_query(sf_stream *s)
{
    sf_result r;
    sf_stream *busy;
    sfi_lock(&s->device->lock);
    r = sfi_host_check_stream(s);
    busy = sfi_host_busy(s);
    if (busy && r >= 0) {
        sfi_host_help(s->device, busy);
        busy = sfi_host_busy(s);
    }
    if (busy && r >= 0) { r = SF_NOT_READY; }
    sfi_unlock(&s->device->lock);
    return r ? r : sfi_host_fault(s->device);
}
static int64_t sfi_host_deadline(const sf_device *device, int64_t timeout)
{
    return timeout < 0 ? SFI_NEVER : sfi_deadline(sfi_host_now(device->host), timeout);
}
static sf_result sfi_host_stream_synchronize(sf_stream *s, int64_t timeout)
{
    int64_t deadline = SFI_NEVER;
    sf_result r;
    sfi_lock(&s->device->lock);
    r = sfi_host_check_stream(s);
    if (r >= 0 && sfi_host_busy(s)) { deadline = sfi_host_deadline(s->device, timeout); }    /* clocks are dear */
    if (r < 0) {
        /* nothing is waited for */
    } else if (s == s->device->legacy) {
        r = sfi_host_wait_for_all(s->device, SF_STREAM_NON_BLOCKING, deadline);
    } else {
        r = sfi_host_wait_until(s, s->queue.enqueued, deadline);
    }
    if (r == SF_OK) { sfi_host_shrink_pools(s->device); }
    sfi_unlock(&s->device->lock);
    return r ? r : sfi_host_fault(s->device);
}
static sf_result sfi_host_stream_touch(sf_stream *s)
{
    sf_result r;
    sfi_lock(&s->device->lock);
    r = sfi_host_check_implicit(s, true);
    sfi_unlock(&s->device->lock);
    return r;
}
static sf_result sfi_host_stream_wait(sf_stream *s, sf_event *e, uint32_t flags)
{
    sfi_mark m;
    bool done;
    sf_result r;
    if (flags) {                             /* external: a node, where the stream captures */
        sfi_command *c;
        r = sfi_host_begin(s, SFI_COMMAND_WAIT, 0, &c);
        if (r < 0) { return r; }
        c->u.wait.mark = sfi_host_mark(s, 0);
        c->u.wait.event = e;
        c->u.wait.id = e->id;
        return sfi_host_end(s, c);
    }
    r = sfi_host_stream_touch(s);
    if (r < 0) { return r; }
    sfi_lock(&e->device->lock);              /* another device's, perhaps: never both at once */
    done = !e->recorded && !e->captured;
    if (e->device == s->device) { r = sfi_host_capture_wait(s, e, &done); }
    if (e->device != s->device && e->captured) { r = SF_ERROR_CAPTURE_ISOLATION; }
    m = sfi_event_mark(e);
    sfi_unlock(&e->device->lock);
    if (done || r < 0) { return r; }
    sfi_lock(&s->device->lock);
    if (s->capture) {                        /* another device's work is outside of it */
        s->capture->invalid = true;
        r = SF_ERROR_CAPTURE_ISOLATION;
    } else {
        r = sfi_host_enqueue_wait(s, m);
    }
    sfi_unlock(&s->device->lock);
    return r;
}

static sf_result sfi_host_event_create(sf_event *e) { return (void)e, SF_OK; }
static void sfi_host_event_destroy(sf_event *e) { e->stamp = ++e->device->host->stamp; }      /* lock held */
static sf_result sfi_host_capture_record(sf_event *e, sf_stream *s)          /* lock held */
{
    sf_result r;
    if (s->capture->invalid) { return SF_ERROR_CAPTURE_INVALIDATED; }
    r = sfi_after_set(&s->device->heap, &e->after, s->after.items, s->after.count);
    if (r >= 0) { e->captured = s->capture->id; }
    return r;
}
static sf_result sfi_host_record(sf_event *e, sf_stream *s)                  /* lock held */
{
    sfi_command *c = NULL;
    sf_result r = sfi_host_check_implicit(s, true);
    if (r < 0) { return r; }
    if (s->capture) { return sfi_host_capture_record(e, s); }
    r = e->flags & SF_EVENT_DISABLE_TIMING ? sfi_host_implicit(s)
                                           : sfi_host_command_in_order(s, NULL, SFI_COMMAND_STAMP, 0, &c);
    if (r < 0) { return r; }
    e->stamp = ++s->device->host->stamp;
    e->recorded = true;
    e->by_node = false;
    e->captured = 0;
    e->stream = s;
    if (c) {
        c->u.stamp.event = e;
        c->u.stamp.stamp = e->stamp;
        sfi_host_enqueue(s, c);
    }
    e->number = s->queue.enqueued;
    return SF_OK;
}
static sf_result sfi_host_event_record(sf_event *e, sf_stream *s, uint32_t flags)
{
    sf_result r;
    if (flags) {                             /* external: a node, where the stream captures */
        sfi_command *c;
        r = sfi_host_begin(s, SFI_COMMAND_RECORD, 0, &c);
        if (r < 0) { return r; }
        c->u.stamp.event = e;
        c->u.stamp.id = e->id;
        return sfi_host_end(s, c);
    }
    sfi_lock(&s->device->lock);
    r = sfi_host_record(e, s);
    sfi_unlock(&s->device->lock);
    return r;
}
static bool sfi_host_event_done(sf_event *e)
{
    sfi_mark m;
    if (!e->recorded) { return true; }
    m = sfi_event_mark(e);
    return sfi_host_reached(&m);
}
static sf_result sfi_host_event_query(sf_event *e)
{
    bool done;
    sf_result r;
    sfi_lock(&e->device->lock);
    r = sfi_host_check_event(e, true);
    if (r >= 0) { r = sfi_host_unsafe(e->device); }
    if (r >= 0 && !sfi_host_event_done(e)) { sfi_host_help(e->device, e->stream); }
    done = sfi_host_event_done(e);
    sfi_unlock(&e->device->lock);
    return r < 0 ? r : done ? sfi_host_fault(e->device) : SF_NOT_READY;
}
static sf_result sfi_host_event_synchronize(sf_event *e, int64_t timeout)
{
    sf_result r;
    sfi_lock(&e->device->lock);
    r = sfi_host_check_event(e, true);
    if (r >= 0) { r = sfi_host_unsafe(e->device); }
    if (r >= 0 && !sfi_host_event_done(e)) {
        sfi_mark m = sfi_event_mark(e);
        r = sfi_host_wait_mark(e->device, &m, sfi_host_deadline(e->device, timeout));
        if (r == SF_OK) { sfi_host_shrink_pools(e->device); }
    }
    sfi_unlock(&e->device->lock);
    return r ? r : sfi_host_fault(e->device);
}
static sf_result sfi_host_event_elapsed(sf_event *start, sf_event *end, float *ms)
{
    sf_result r = SF_OK;
    sfi_lock(&start->device->lock);
    r = sfi_host_check_event(start, false);
    if (r >= 0) { r = sfi_host_check_event(end, false); }
    if (r < 0) {
        /* in a capture there is no time */
    } else if (!start->recorded || !end->recorded || ((start->flags | end->flags) & SF_EVENT_DISABLE_TIMING)) {
        r = SF_ERROR_INVALID_HANDLE;
    } else if (!sfi_host_event_done(start) || !sfi_host_event_done(end)) {
        r = SF_NOT_READY;
    } else {
        *ms = (float)((double)(end->time - start->time) * 1e-6);
    }
    sfi_unlock(&start->device->lock);
    return r;
}

/* Memory carries the pointer that its heap gave, and is aligned as CUDA's is, within reason. Who allocates in a
   stream's order may take what was freed under CUDA's rules of reuse, in their order. */
enum { SFI_HOST_ALIGN = 64, SFI_HOST_GRAIN = 512 };
static bool sfi_host_has_memory(sf_device *device, size_t bytes)
{
    return bytes <= device->memory_bytes && bytes <= SIZE_MAX - SFI_HOST_GRAIN &&
           sfi_load64(&device->counters[SFI_LIVE_BYTES]) <= (uint64_t)(device->memory_bytes - bytes);
}
static sf_result sfi_host_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr)
{
    char *raw, *p;
    (void)memory;
    if (!sfi_host_has_memory(device, bytes)) { return SF_ERROR_OUT_OF_MEMORY; }
    raw = (char *)sfi_alloc(&device->heap, bytes + SFI_HOST_ALIGN + sizeof(void *));
    if (!raw) { return SF_ERROR_OUT_OF_MEMORY; }
    p = raw + sizeof(void *);
    p = sfi_align_up(p, SFI_HOST_ALIGN);
    sfi_copy(p - sizeof(void *), &raw, sizeof raw);
    *ptr = p;
    return SF_OK;
}
static sf_result sfi_host_free(sf_device *device, void *ptr, sf_memory memory)
{
    void *raw;
    (void)memory;
    sfi_copy(&raw, (char *)ptr - sizeof(void *), sizeof raw);
    sfi_free(&device->heap, raw);
    return SF_OK;
}
static void sfi_host_forget(sf_device *device, void *ptr) { (void)sfi_host_free(device, ptr, SF_MEMORY_DEVICE); }

static void sfi_pool_reserve(sf_mem_pool *pool, size_t bytes, bool take);
static sfi_host_pool *sfi_host_pool_new(sf_device *device, sf_mem_pool *pool)
{
    sfi_host_pool *p = (sfi_host_pool *)sfi_alloc_zeroed(&device->heap, sizeof *p);
    if (!p) { return NULL; }
    p->pool = pool;
    p->threshold = pool ? pool->desc.release_threshold_bytes : 0;
    p->follow = !pool || !pool->desc.no_follow_event;
    p->opportunistic = !pool || !pool->desc.no_opportunistic;
    p->wait = !pool || !pool->desc.no_internal_wait;
    p->next = device->host->pools;
    device->host->pools = p;
    return p;
}
static sfi_host_pool *sfi_host_pool_of(sf_device *device, const sf_mem_pool *pool)
{
    sfi_host_pool *p = device->host->pools;
    while (p && p->pool != pool) { p = p->next; }
    return p ? p : pool ? NULL : sfi_host_pool_new(device, NULL);
}
static bool sfi_host_knows(const sf_stream *s, const sfi_mark *m)
{
    uint32_t i;
    for (i = 0; i < SFI_KNOWN; i++) {
        const sfi_known *k = &s->queue.known[i];
        if (k->stream == m->stream && k->number >= m->number) { return true; }
    }
    return false;
}
/* How good a block is for a stream: 0 not at all, 4 best. */
static int sfi_host_reuse(const sfi_host_pool *p, const sf_stream *s, const sfi_host_block *b)
{
    if (b->free.stream == s) { return 4; }
    if (p->follow && sfi_host_knows(s, &b->free)) { return 3; }
    if (p->opportunistic && sfi_host_reached(&b->free)) { return 2; }
    return p->wait ? 1 : 0;
}
static void sfi_host_keep_block(sfi_host_pool *p, sfi_host_block *b)
{
    b->next = p->blocks;
    p->blocks = b;
    p->kept += b->bytes;
}
static sf_result sfi_host_take_block(sfi_host_pool *p, sf_stream *s, size_t bytes, void **ptr)
{
    sfi_host_block **link, **best = NULL, *b;
    int best_score = 0;
    sf_result r = SF_OK;
    for (link = &p->blocks; (b = *link) != NULL; link = &b->next) {
        int score = b->bytes >= bytes && b->bytes <= 2 * bytes ? sfi_host_reuse(p, s, b) : 0;
        if (score > best_score || (score && score == best_score && b->bytes < (*best)->bytes)) {
            best = link;
            best_score = score;
        }
    }
    if (!best) { return SF_ERROR_OUT_OF_MEMORY; }
    b = *best;
    *best = b->next;                         /* first: where the stream is full, others come in meanwhile */
    p->kept -= b->bytes;
    if (best_score == 1) { r = sfi_host_enqueue_wait(s, b->free); }
    if (r < 0) {
        sfi_host_keep_block(p, b);
        return r;
    }
    *ptr = b->ptr;
    sfi_free(&s->device->heap, b);
    return SF_OK;
}
/* Gives blocks that nothing uses any more back to the heap, down to so many bytes. */
static void sfi_host_pool_shrink(sf_device *device, sfi_host_pool *p, size_t keep, bool all)
{
    sfi_host_block **link = &p->blocks, *b;
    while (p->kept > keep && (b = *link) != NULL) {
        if (!all && !sfi_host_reached(&b->free)) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        p->kept -= b->bytes;
        if (p->pool) { sfi_pool_reserve(p->pool, b->bytes, false); }
        sfi_host_forget(device, b->ptr);
        sfi_free(&device->heap, b);
    }
}
static void sfi_host_shrink_pools(sf_device *device)         /* the host has waited: CUDA's moment to trim */
{
    sfi_host_pool *p;
    for (p = device->host->pools; p; p = p->next) { sfi_host_pool_shrink(device, p, p->threshold, false); }
}
/* What is free from `when` on; false: there is no memory to note it in. */
static bool sfi_host_give_block(sf_device *device, const sfi_allocation *a, sfi_mark when)
{
    sfi_host_pool *p = sfi_host_pool_of(device, a->pool);
    sfi_host_block *b = (sfi_host_block *)a->note;
    if (p && !b) { b = (sfi_host_block *)sfi_alloc(&device->heap, sizeof *b); }
    if (!p || !b) {
        sfi_free(&device->heap, b);
        return false;
    }
    b->ptr = a->ptr;
    b->bytes = a->ordered ? SFI_ALIGN(a->bytes, SFI_HOST_GRAIN) : a->bytes;
    b->free = when;
    sfi_host_keep_block(p, b);
    return true;
}

static sf_result sfi_host_node_alloc(sf_graph_node *node, size_t bytes, void **ptr);
static sf_result sfi_host_capture_alloc(sf_stream *s, size_t bytes, void **ptr)      /* lock held */
{
    sf_graph_node *node;
    sf_result r = sfi_host_capture_node(s, SF_NODE_MEM_ALLOC, &node);
    sfi_command *c;
    if (r < 0) { return r; }
    r = sfi_host_node_command(node, SFI_COMMAND_EMPTY, 0, &c);
    if (r >= 0) { r = sfi_host_node_alloc(node, bytes, ptr); }
    if (r < 0) { sfi_node_discard(node); }
    return r < 0 ? r : sfi_host_now_after(s, node);
}
static sf_result sfi_host_alloc_async(sf_stream *s, sf_mem_pool *pool, size_t bytes, void **ptr)
{
    sf_device *device = s->device;
    sf_result r;
    sfi_host_pool *p;
    sfi_lock(&device->lock);
    r = sfi_host_check_implicit(s, true);
    if (r >= 0 && s->capture) {
        r = sfi_host_capture_alloc(s, bytes, ptr);
        sfi_unlock(&device->lock);
        return r;
    }
    if (r >= 0) { r = sfi_host_unsafe(device); }
    p = r < 0 ? NULL : sfi_host_pool_of(device, pool);
    if (r >= 0) { r = sfi_host_implicit(s); }
    if (r >= 0 && !sfi_host_has_memory(device, bytes)) { r = SF_ERROR_OUT_OF_MEMORY; }
    bytes = SFI_ALIGN(bytes, SFI_HOST_GRAIN);
    if (p && r >= 0 && sfi_host_take_block(p, s, bytes, ptr) >= 0) {
        sfi_unlock(&device->lock);
        return SF_OK;
    }
    sfi_unlock(&device->lock);
    if (r >= 0) { r = sfi_host_alloc(device, bytes, SF_MEMORY_DEVICE, ptr); }
    if (r >= 0 && pool) { sfi_pool_reserve(pool, bytes, true); }
    return r;
}
static sf_result sfi_host_capture_free(sf_stream *s, void *ptr);
static sf_result sfi_host_free_async(sf_stream *s, const sfi_allocation *a)
{
    sf_device *device = s->device;
    sfi_command *c;
    sf_result r;
    sfi_lock(&device->lock);
    r = sfi_host_check_implicit(s, true);
    if (r >= 0) { r = sfi_host_command_in_order(s, NULL, SFI_COMMAND_FREE, 0, &c); }
    if (r >= 0) {
        sfi_mark when = sfi_host_mark(s, s->queue.enqueued + 1);
        c->u.free = NULL;
        if (a->graph) {                      /* it stays the graph's: nobody else gets it before this turn */
            a->graph->freed = when;
        } else if (!sfi_host_give_block(device, a, when)) {
            c->u.free = a->ptr;              /* then it goes back to the heap when its turn comes */
        }
        sfi_host_enqueue(s, c);
    }
    sfi_unlock(&device->lock);
    return r;
}
static bool sfi_host_free_ordered(sf_device *device, const sfi_allocation *a)
{
    bool noted;
    sfi_lock(&device->lock);
    noted = sfi_host_give_block(device, a, sfi_host_mark(device->legacy, 0));
    sfi_unlock(&device->lock);
    return noted;
}
static sf_result sfi_host_device_pointer(sf_device *device, void *pinned, void **ptr)
{
    return (void)device, *ptr = pinned, SF_OK;
}
static sf_result sfi_host_pool_create(sf_mem_pool *pool)
{
    sfi_lock(&pool->device->lock);
    pool->host = sfi_host_pool_new(pool->device, pool);
    sfi_unlock(&pool->device->lock);
    return pool->host ? SF_OK : sfi_out_of_memory(&pool->device->heap);
}
/* Its blocks may still be in use by what is enqueued: they go to the default pool. */
static void sfi_host_pool_destroy(sf_mem_pool *pool)
{
    sf_device *device = pool->device;
    sfi_host_pool **link, *p, *heir;
    if (!device->host || !pool->host) { return; }
    sfi_lock(&device->lock);
    for (heir = device->host->pools; heir && heir->pool; heir = heir->next) {}
    for (link = &device->host->pools; (p = *link) != NULL && p != pool->host; link = &p->next) {}
    if (p && !heir) {                        /* there is none: it is the default pool from now on */
        p->pool = NULL;
        p->threshold = 0;
        p->follow = p->opportunistic = p->wait = true;
    } else if (p) {
        *link = p->next;
        while (p->blocks) {
            sfi_host_block *b = p->blocks;
            p->blocks = b->next;
            sfi_host_keep_block(heir, b);
        }
        sfi_free(&device->heap, p);
    }
    pool->host = NULL;
    sfi_unlock(&device->lock);
}
static sf_result sfi_host_pool_info(sf_mem_pool *pool, sf_mem_pool_info *info)
{
    return (void)pool, (void)info, SF_OK;
}
static sf_result sfi_host_pool_trim(sf_mem_pool *pool, size_t keep_bytes)
{
    size_t used = (size_t)sfi_load64(&pool->used);
    sfi_lock(&pool->device->lock);
    sfi_host_pool_shrink(pool->device, pool->host, keep_bytes > used ? keep_bytes - used : 0, false);
    sfi_unlock(&pool->device->lock);
    return SF_OK;
}

static sf_result sfi_host_set(sf_stream *s, void *dst, uint8_t value, size_t bytes)
{
    sfi_command *c;
    sf_result r = sfi_host_begin(s, SFI_COMMAND_SET, 0, &c);
    if (r < 0) { return r; }
    c->u.set.dst = dst;
    c->u.set.value = value;
    c->u.set.bytes = bytes;
    return sfi_host_end(s, c);
}
static sf_result sfi_host_copy(sf_stream *s, const sfi_rect *rect)
{
    sfi_command *c;
    sf_result r = sfi_host_begin(s, SFI_COMMAND_COPY, 0, &c);
    if (r < 0) { return r; }
    c->u.copy = *rect;
    return sfi_host_end(s, c);
}
static sf_result sfi_host_copy_peer(sf_stream *s, void *dst, sf_device *to, const void *src, sf_device *from,
                                    size_t n)
{
    sfi_rect rect;
    (void)to, (void)from;
    rect.dst = dst;
    rect.src = src;
    rect.dst_pitch = rect.src_pitch = rect.row_bytes = n;
    rect.rows = 1;
    return sfi_host_copy(s, &rect);
}
static sf_result sfi_host_prefetch(sf_stream *s, const void *ptr, size_t bytes, bool to_host)
{
    return (void)s, (void)ptr, (void)bytes, (void)to_host, SF_OK;
}
static sf_result sfi_host_host_func(sf_stream *s, sf_host_func func, void *user, bool own)
{
    sfi_command *c;
    sf_result r = sfi_host_begin(s, SFI_COMMAND_HOST_FUNC, 0, &c);
    if (r < 0) { return r; }
    (void)own;
    c->u.host.func = func;
    c->u.host.user = user;
    return sfi_host_end(s, c);
}
static sf_result sfi_host_callback(sf_stream *s, sf_stream_callback func, void *user)
{
    sfi_command *c;
    sf_result r = sfi_host_begin(s, SFI_COMMAND_CALLBACK, 0, &c);
    if (r < 0) { return r; }
    c->u.callback.func = func;
    c->u.callback.user = user;
    return sfi_host_end(s, c);
}
static sf_result sfi_host_attach(sf_stream *s, void *ptr, size_t bytes, uint32_t flags)
{
    sfi_command *c;                          /* there is one memory: only the order counts */
    sf_result r = sfi_host_begin(s, SFI_COMMAND_EMPTY, 0, &c);
    (void)ptr, (void)bytes, (void)flags;
    return r < 0 ? r : sfi_host_end(s, c);
}
static sf_result sfi_host_copy_attributes(sf_stream *dst, const sf_stream *src)
{
    sfi_lock(&dst->device->lock);
    dst->priority = src->priority;           /* counts when its next command becomes ready */
    sfi_unlock(&dst->device->lock);
    return SF_OK;
}
static sf_result sfi_host_value(sf_stream *s, sfi_command_kind kind, void *ptr, uint64_t value, uint32_t bytes,
                                uint32_t how)
{
    sfi_command *c;
    sf_result r = sfi_host_begin(s, kind, 0, &c);
    if (r < 0) { return r; }
    c->u.value.ptr = ptr;
    c->u.value.value = value;
    c->u.value.bytes = bytes;
    c->u.value.how = how;
    return sfi_host_end(s, c);
}
static sf_result sfi_host_write(sf_stream *s, void *ptr, uint64_t value, uint32_t bytes, uint32_t flags)
{
    return sfi_host_value(s, SFI_COMMAND_WRITE_VALUE, ptr, value, bytes, flags);
}
static sf_result sfi_host_wait(sf_stream *s, const void *ptr, uint64_t value, uint32_t bytes, uint32_t flags)
{
    return sfi_host_value(s, SFI_COMMAND_WAIT_VALUE, (void *)(uintptr_t)ptr, value, bytes, flags);
}
static sf_result sfi_host_launch(sf_stream *s, const sf_kernel *kernel, const void *args, size_t bytes)
{
    sfi_command *c;
    sf_result r;
    if (!kernel->host) {
        return sfi_device_fail(s->device, SF_ERROR_NOT_SUPPORTED, "sf_launch", kernel->name,
                               "the kernel has no host body: set sf_kernel.host, or use a CUDA device");
    }
    r = sfi_host_begin(s, SFI_COMMAND_LAUNCH, bytes, &c);
    if (r < 0) { return r; }
    c->u.launch.kernel = kernel;
    sfi_host_set_slices(c, kernel->slices);
    if (bytes) { sfi_copy(sfi_host_args(c), args, bytes); }
    return sfi_host_end(s, c);
}

/* >>plans --------------------------------------------------------------------------------------------- */

/* How the host backend runs graphs. Instantiating flattens a graph, its children and bodies into one block, a plan:
   levels of nodes, each with its successors. A node whose predecessors are done is a task like any stream's, so
   independent nodes run side by side. Changing an exec while its plan is under way makes a new plan. */
typedef struct sfi_plan_node {
    sfi_task task;                           /* first: the task is the node */
    const sf_graph_node *origin;
    sfi_command *command;
    size_t room;                             /* for it */
    struct sfi_plan_node *next;              /* to be looked at: */
    bool complete;                           /* done, or free to begin */
    sf_node_type type;
    sf_conditional_type how;
    uint32_t level, predecessors, missing, successor, successors, first_level, levels, branch;
} sfi_plan_node;
typedef struct sfi_plan_level { uint32_t node, count, left, owner; } sfi_plan_level;
typedef struct sfi_plan_branch {
    sf_conditional handle;
    uint32_t initial;
    bool reset;
    sfi_atomic32 value;
} sfi_plan_branch;
typedef struct sfi_plan {
    sf_device *device;
    sf_stream *stream;                       /* where it runs now */
    uint32_t references;                     /* the exec's, and one per launch that is not over */
    uint32_t nodes_count, levels_count, successors_count, branches_count, events;        /* events: nodes with one */
    sfi_plan_node *nodes, *first;            /* first: to be looked at */
    sfi_plan_level *levels;
    uint32_t *successors;
    sfi_plan_branch *branches;
    char *commands;
    size_t commands_bytes;
    sfi_memories memories;
    struct sfi_plan *before;                 /* still under way when this took its place: its values are taken over */
    bool over;
} sfi_plan;

static sfi_command *sfi_plan_command(const sfi_task *t) { return ((const sfi_plan_node *)(const void *)t)->command; }

/* -- running -- */

static void sfi_plan_look(sfi_plan *p, sfi_plan_node *n, bool complete)
{
    n->complete = complete;
    n->next = p->first;
    p->first = n;
}
static void sfi_plan_ready(sfi_plan *p, sfi_plan_node *n)
{
    sfi_host *h = p->device->host;
    sfi_host_set_slices(n->command, (int32_t)n->command->slices);
    n->command->serial = ++h->serial;
    n->task.again = false;
    sfi_host_make_ready(h, &n->task);
}
static void sfi_plan_begin_level(sfi_plan *p, uint32_t index)
{
    sfi_plan_level *level = &p->levels[index];
    uint32_t i;
    level->left = level->count;
    for (i = level->count; i-- > 0;) {
        sfi_plan_node *n = &p->nodes[level->node + i];
        n->missing = n->predecessors;
        if (!n->missing) { sfi_plan_look(p, n, false); }
    }
}
static void sfi_plan_record(sfi_plan *p, const sfi_command *c)
{
    sf_event *e = c->u.stamp.event;
    if (c->u.stamp.stamp > sfi_load64(&e->reached)) { sfi_store64(&e->reached, c->u.stamp.stamp); }  /* never back */
    sfi_host_stamp(p->device->host, c);
    sfi_host_wake_waiters(p->device->host);
}
static bool sfi_event_is(const sf_event *e, uint64_t id) { return e->slot.tag == SFI_TAG_EVENT && e->id == id; }

static size_t sfi_plan_args(const sfi_plan *p) { return p->events * sizeof(sfi_mark); }
/* The launch binds event nodes: a record is pending from now on, a wait is for the record that is the latest now. */
static void sfi_plan_bind(const sfi_plan *p, sf_stream *s, sfi_mark *marks)
{
    uint32_t i;
    for (i = 0; i < p->nodes_count; i++) {
        const sfi_command *c = p->nodes[i].command;
        sf_event *e;
        if (c->kind == SFI_COMMAND_RECORD) {
            e = c->u.stamp.event;
            *marks = sfi_host_mark(s, 0);    /* nobody's, if the event is gone */
            if (sfi_event_is(e, c->u.stamp.id)) {
                e->recorded = e->by_node = true;
                e->captured = 0;
                e->stream = s;
                e->number = s->queue.enqueued + 1;           /* the launch itself */
                e->stamp = marks->stamp = ++p->device->host->stamp;
            }
            marks++;
        } else if (c->kind == SFI_COMMAND_WAIT) {
            e = c->u.wait.event;
            *marks = sfi_event_is(e, c->u.wait.id) && e->recorded && !e->captured ? sfi_event_mark(e)
                                                                                 : sfi_host_mark(s, 0);
            if (marks->stream->device != p->device) { (void)sfi_add(&marks->stream->device->pins, 1); }
            marks++;
        }
    }
}
static void sfi_plan_bound(sfi_plan *p, const sfi_mark *marks)
{
    uint32_t i;
    for (i = 0; i < p->nodes_count; i++) {
        sfi_command *c = p->nodes[i].command;
        if (c->kind == SFI_COMMAND_RECORD) { c->u.stamp.stamp = marks++->stamp; }
        if (c->kind == SFI_COMMAND_WAIT) { c->u.wait.mark = *marks++; }
    }
}
/* The predecessors are done. */
static void sfi_plan_begin(sfi_plan *p, sfi_plan_node *n)
{
    sfi_command *c = n->command;
    switch (c->kind) {
    case SFI_COMMAND_EMPTY: sfi_plan_look(p, n, true); break;
    case SFI_COMMAND_RECORD:
        sfi_plan_record(p, c);
        sfi_plan_look(p, n, true);
        break;
    case SFI_COMMAND_CHILD:
        if (p->levels[n->first_level].count) {
            sfi_plan_begin_level(p, n->first_level);
        } else {
            sfi_plan_look(p, n, true);
        }
        break;
    case SFI_COMMAND_WAIT:
        if (sfi_host_reached(&c->u.wait.mark)) { sfi_plan_look(p, n, true); } else { sfi_plan_ready(p, n); }
        break;
    default: sfi_plan_ready(p, n);
    }
}
/* The level that a conditional runs now, or SFI_NONE. */
static uint32_t sfi_plan_choose(const sfi_plan *p, const sfi_plan_node *n)
{
    uint32_t value = n->branch == SFI_NONE ? 0 : sfi_load(&p->branches[n->branch].value);
    uint32_t pick = n->how == SF_CONDITIONAL_SWITCH ? value : value ? 0 : n->how == SF_CONDITIONAL_IF ? 1 : SFI_NONE;
    return sfi_load(&p->device->fault) || pick >= n->levels ? SFI_NONE : n->first_level + pick;
}
/* A task has run. */
static void sfi_plan_ran(sfi_plan *p, sfi_plan_node *n)
{
    uint32_t level = n->type == SF_NODE_CONDITIONAL ? sfi_plan_choose(p, n) : SFI_NONE;
    if (level == SFI_NONE) {
        sfi_plan_look(p, n, true);
    } else if (p->levels[level].count) {
        sfi_plan_begin_level(p, level);
    } else if (n->how == SF_CONDITIONAL_WHILE) {
        sfi_plan_ready(p, n);                /* turns on nothing, until somebody sets the value */
    } else {
        sfi_plan_look(p, n, true);
    }
}
static void sfi_plan_complete(sfi_plan *p, sfi_plan_node *n)
{
    sfi_plan_level *level = &p->levels[n->level];
    const sfi_command *c = n->command;
    uint32_t i;
    if (c->kind == SFI_COMMAND_WAIT && c->u.wait.mark.stream->device != p->device) {
        sfi_device_unpin(c->u.wait.mark.stream->device);
    }
    for (i = 0; i < n->successors; i++) {
        sfi_plan_node *after = &p->nodes[level->node + p->successors[n->successor + i]];
        if (--after->missing == 0) { sfi_plan_look(p, after, false); }
    }
    if (--level->left) { return; }
    if (level->owner == SFI_NONE) {
        p->over = true;
    } else if (p->nodes[level->owner].type == SF_NODE_CONDITIONAL &&
               p->nodes[level->owner].how == SF_CONDITIONAL_WHILE) {
        sfi_plan_ready(p, &p->nodes[level->owner]);          /* looks at its value again */
    } else {
        sfi_plan_look(p, &p->nodes[level->owner], true);
    }
}
static void sfi_plan_go_on(sfi_plan *p)
{
    sfi_plan_node *n;
    while ((n = p->first) != NULL) {
        p->first = n->next;
        if (n->complete) { sfi_plan_complete(p, n); } else { sfi_plan_begin(p, n); }
    }
}
static void sfi_plan_release(sfi_plan *p)
{
    const sf_heap *heap = &p->device->heap;
    uint32_t i;
    if (--p->references) { return; }
    if (p->before) { sfi_plan_release(p->before); }
    sfi_memories_clear(heap, &p->memories);
    for (i = 0; i < p->nodes_count; i++) {                   /* commands that outgrew their place */
        char *c = (char *)p->nodes[i].command;
        if (c < p->commands || c >= p->commands + p->commands_bytes) { sfi_free(heap, c); }
    }
    sfi_free(heap, p);
}

static uint32_t sfi_plan_find_branch(const sfi_plan *p, sf_conditional handle);
/* What no launch resets is kept, as the last launch leaves it. */
static void sfi_plan_take_values(sfi_plan *p, const sfi_plan *from)
{
    uint32_t i, old;
    for (i = 0; i < p->branches_count; i++) {
        old = sfi_plan_find_branch(from, p->branches[i].handle);
        if (old != SFI_NONE) { sfi_store(&p->branches[i].value, sfi_load(&from->branches[old].value)); }
    }
}
static void sfi_plan_succeed(sf_graph_exec *exec, sfi_plan *p)       /* what is launched from now on */
{
    sfi_plan *old = exec->plan, *before = old->references > 1 ? old : old->before;
    if (before) { before->references++; } else { sfi_plan_take_values(p, old); }
    p->before = before;
    exec->plan = p;
    sfi_plan_release(old);
}
/* The head of a stream is this graph: true if it is over at once. */
static bool sfi_plan_start(sfi_command *c, sf_stream *s)     /* lock held */
{
    sfi_plan *p = c->u.plan;
    uint32_t i;
    p->stream = s;
    if (p->events) { sfi_plan_bound(p, (const sfi_mark *)sfi_host_args(c)); }
    p->over = p->levels[0].count == 0;
    if (p->before) {
        sfi_plan_take_values(p, p->before);
        sfi_plan_release(p->before);
        p->before = NULL;
    }
    for (i = 0; i < p->branches_count; i++) {
        if (p->branches[i].reset) { sfi_store(&p->branches[i].value, p->branches[i].initial); }
    }
    for (i = 0; i < p->nodes_count; i++) {
        p->nodes[i].task.stream = s;
        p->nodes[i].task.rank = 1 + (sfi_random(&p->device->host->random) >> 1);
    }
    sfi_plan_begin_level(p, 0);
    sfi_plan_go_on(p);
    if (!p->over) { return false; }
    sfi_plan_release(p);
    return true;
}
static void sfi_plan_finish(sfi_task *t)                     /* lock held */
{
    sfi_plan *p = t->plan;
    sf_stream *s = p->stream;
    sfi_plan_ran(p, (sfi_plan_node *)(void *)t);
    sfi_plan_go_on(p);
    if (!p->over) { return; }
    sfi_plan_release(p);
    sfi_host_complete(s);
}

SF_API void sf_conditional_set(sf_conditional handle, uint32_t value)
{
    sfi_plan *p = sfi_this_thread.plan;
    uint32_t i;
    for (i = 0; p && i < p->branches_count; i++) {
        if (p->branches[i].handle == handle) { sfi_store(&p->branches[i].value, value); }
    }
}

/* -- making -- */

typedef struct sfi_plan_size { uint32_t nodes, levels, successors; size_t bytes; } sfi_plan_size;
static void sfi_plan_measure(const sf_graph *g, sfi_plan_size *size)
{
    uint32_t i, k;
    size->levels++;
    size->nodes += g->count;
    for (i = 0; i < g->count; i++) {
        size->successors += g->nodes[i]->after.count;
        size->bytes += g->nodes[i]->command->bytes;
        for (k = 0; k < g->nodes[i]->body_count; k++) { sfi_plan_measure(g->nodes[i]->bodies[k], size); }
    }
}
static void sfi_plan_lay_out(sfi_plan *p, char *block, size_t *bytes)
{
    sfi_arena a;
    a.base = block;
    a.used = 0;
    (void)sfi_carve(&a, sizeof *p);
    p->nodes = (sfi_plan_node *)sfi_carve(&a, p->nodes_count * sizeof *p->nodes);
    p->levels = (sfi_plan_level *)sfi_carve(&a, p->levels_count * sizeof *p->levels);
    p->successors = (uint32_t *)sfi_carve(&a, p->successors_count * sizeof *p->successors);
    p->branches = (sfi_plan_branch *)sfi_carve(&a, p->branches_count * sizeof *p->branches);
    p->commands = (char *)sfi_carve(&a, p->commands_bytes);
    *bytes = a.used;
}
static uint32_t sfi_plan_find_branch(const sfi_plan *p, sf_conditional handle)
{
    uint32_t i;
    for (i = 0; i < p->branches_count && p->branches[i].handle != handle; i++) {}
    return i < p->branches_count ? i : SFI_NONE;
}
/* The successors of each node of a level, from what each comes after. */
static void sfi_plan_connect(sfi_plan *p, const sf_graph *g, const sfi_plan_level *level, uint32_t *successor)
{
    uint32_t i, k;
    sfi_plan_node *nodes = p->nodes + level->node;
    for (i = 0; i < g->count; i++) { nodes[i].predecessors = g->nodes[i]->after.count; }
    for (i = 0; i < g->count; i++) {
        for (k = 0; k < g->nodes[i]->after.count; k++) {
            nodes[g->nodes[i]->after.items[k].node->index].successors++;
        }
    }
    for (i = 0; i < g->count; i++) {
        nodes[i].successor = *successor;
        *successor += nodes[i].successors;
        nodes[i].successors = 0;
    }
    for (i = 0; i < g->count; i++) {
        for (k = 0; k < g->nodes[i]->after.count; k++) {
            sfi_plan_node *before = &nodes[g->nodes[i]->after.items[k].node->index];
            p->successors[before->successor + before->successors++] = i;
        }
    }
}
typedef struct sfi_plan_fill { uint32_t node, level, successor; size_t command; } sfi_plan_fill;
static void sfi_plan_add(sfi_plan *p, const sf_graph *g, uint32_t index, uint32_t owner, sfi_plan_fill *at)
{
    sfi_plan_level *level = &p->levels[index];
    uint32_t i, k;
    level->node = at->node;
    level->count = g->count;
    level->owner = owner;
    at->node += g->count;
    for (i = 0; i < g->count; i++) {
        const sf_graph_node *from = g->nodes[i];
        sfi_plan_node *n = &p->nodes[level->node + i];
        n->task.plan = p;
        n->origin = from;
        n->type = from->type;
        n->how = from->branch;
        n->branch = sfi_plan_find_branch(p, from->handle);
        n->level = index;
        n->room = from->command->bytes;
        if (from->type == SF_NODE_EVENT_RECORD || from->type == SF_NODE_EVENT_WAIT) { p->events++; }
        n->command = (sfi_command *)(void *)(p->commands + at->command);
        sfi_copy(n->command, from->command, n->room);
        at->command += n->room;
        n->first_level = at->level;
        n->levels = from->body_count;
        at->level += from->body_count;
        for (k = 0; k < from->body_count; k++) {
            sfi_plan_add(p, from->bodies[k], n->first_level + k, level->node + i, at);
        }
    }
    sfi_plan_connect(p, g, level, &at->successor);
}
static sf_result sfi_plan_make(const sf_graph *g, sfi_plan **plan)
{
    const sf_heap *heap = &g->device->heap;
    sfi_plan_size size;
    sfi_plan_fill at;
    sfi_plan shape, *p;
    size_t bytes;
    bool whole;
    uint32_t i;
    sfi_zero(&size, sizeof size);
    sfi_zero(&shape, sizeof shape);
    sfi_zero(&at, sizeof at);
    sfi_plan_measure(g, &size);
    shape.device = g->device;
    shape.references = 1;
    shape.nodes_count = size.nodes;
    shape.levels_count = size.levels;
    shape.successors_count = size.successors;
    shape.branches_count = g->branch_count;
    shape.commands_bytes = size.bytes;
    sfi_plan_lay_out(&shape, NULL, &bytes);
    p = (sfi_plan *)sfi_alloc_zeroed(heap, bytes);
    if (!p) { return sfi_out_of_memory(heap); }
    *p = shape;
    sfi_plan_lay_out(p, (char *)p, &bytes);
    for (i = 0; i < g->branch_count; i++) {
        p->branches[i].handle = g->branches[i].handle;
        p->branches[i].reset = g->branches[i].reset;
        p->branches[i].initial = g->branches[i].initial;
    }
    at.level = 1;
    sfi_plan_add(p, g, 0, SFI_NONE, &at);
    whole = sfi_memories_copy(heap, &p->memories, &g->memories);
    for (i = 0; i < g->count && whole; i++) {                /* what it frees is used before that, too */
        const sf_graph_node *node = g->nodes[i];
        whole = node->type != SF_NODE_MEM_FREE || !node->memory || sfi_memories_add(heap, &p->memories, node->memory);
    }
    if (!whole) {
        sfi_plan_release(p);
        return sfi_out_of_memory(heap);
    }
    *plan = p;
    return SF_OK;
}
static bool sfi_plan_same_shape(const sfi_plan *a, const sfi_plan *b)
{
    uint32_t i;
    if (a->memories.count != b->memories.count) { return false; }
    for (i = 0; i < a->memories.count; i++) {                /* another address: the exec frees the old one */
        if (a->memories.items[i] != b->memories.items[i]) { return false; }
    }
    if (a->nodes_count != b->nodes_count || a->levels_count != b->levels_count ||
        a->successors_count != b->successors_count) {
        return false;
    }
    for (i = 0; i < a->nodes_count; i++) {
        const sfi_plan_node *m = &a->nodes[i], *n = &b->nodes[i];
        if (m->type != n->type || m->level != n->level || m->predecessors != n->predecessors ||
            m->successors != n->successors || m->levels != n->levels || m->how != n->how) {
            return false;
        }
    }
    for (i = 0; i < a->successors_count; i++) {
        if (a->successors[i] != b->successors[i]) { return false; }
    }
    return true;
}

/* -- the table's functions -- */

static sf_result sfi_host_make_command(sf_device *device, sfi_command_kind kind, size_t args, sfi_command **command)
{
    size_t bytes = SFI_COMMAND + SFI_ALIGN(args, 16);
    sfi_command *c = (sfi_command *)sfi_alloc_zeroed(&device->heap, bytes);
    if (!c) { return sfi_out_of_memory(&device->heap); }
    c->bytes = bytes;
    c->kind = kind;
    c->slices = 1;
    *command = c;
    return SF_OK;
}
static sf_result sfi_host_node_command(sf_graph_node *node, sfi_command_kind kind, size_t args, sfi_command **command)
{
    sf_result r = sfi_host_make_command(node->graph->device, kind, args, &node->command);
    *command = node->command;
    return r;
}
static sf_result sfi_host_graph_create(sf_graph *graph) { return (void)graph, SF_OK; }
static void sfi_host_graph_destroy(sf_graph *graph) { (void)graph; }
static sf_result sfi_host_graph_refresh(sf_graph *graph, bool within, const char *call)
{
    return (void)graph, (void)within, (void)call, SF_OK;
}
static sf_result sfi_host_graph_preload(sf_graph *graph) { return (void)graph, SF_OK; }
static sf_result sfi_host_conditional_create(sf_graph *graph, sfi_branch *branch)
{
    sfi_lock(&graph->device->lock);
    branch->handle = ++graph->device->last_id;
    sfi_unlock(&graph->device->lock);
    return SF_OK;
}

static sf_result sfi_host_copy_nodes(const sf_graph *from, sf_graph *to);
static sf_result sfi_host_copy_bodies(const sf_graph_node *from, sf_graph_node *to)
{
    sf_result r = from->body_count ? sfi_node_make_bodies(to, from->body_count) : SF_OK;
    uint32_t i;
    for (i = 0; i < from->body_count && r >= 0; i++) {
        r = sfi_graph_new(to->graph->device, to->graph, &to->bodies[i]);
        if (r >= 0) { r = sfi_host_copy_nodes(from->bodies[i], to->bodies[i]); }
    }
    return r;
}
static sf_result sfi_host_copy_nodes(const sf_graph *from, sf_graph *to)
{
    sf_device *device = to->device;
    sf_result r = SF_OK;
    uint32_t i, k;
    for (i = 0; i < from->count && r >= 0; i++) {
        const sf_graph_node *old = from->nodes[i];
        sf_graph_node *node = sfi_node_new(to, old->type, old->name, NULL, 0, &r);
        if (!node) { return r; }
        node->kernel = old->kernel;
        node->branch = old->branch;
        node->handle = old->handle;
        node->command = (sfi_command *)sfi_alloc(&device->heap, old->command->bytes);
        if (!node->command) { return sfi_out_of_memory(&device->heap); }
        sfi_copy(node->command, old->command, old->command->bytes);
        r = sfi_host_copy_bodies(old, node);
    }
    for (i = 0; i < from->count && r >= 0; i++) {            /* dependencies may point forward */
        for (k = 0; k < from->nodes[i]->after.count && r >= 0; k++) {
            sf_dependency d = from->nodes[i]->after.items[k];
            d.node = to->nodes[d.node->index];
            if (!sfi_after_add(&device->heap, &to->nodes[i]->after, d)) { r = sfi_out_of_memory(&device->heap); }
        }
    }
    return r;
}
static sf_result sfi_host_graph_clone(const sf_graph *from, sf_graph *to)
{
    sf_result r;
    sfi_lock(&to->device->lock);
    r = sfi_host_copy_nodes(from, to);
    sfi_unlock(&to->device->lock);
    return r;
}

static sf_result sfi_host_kernel_command(sf_device *device, const sf_node_desc *desc, sfi_command **command)
{
    const sf_kernel *kernel = desc->kernel.func;
    sf_result r = sfi_host_make_command(device, SFI_COMMAND_LAUNCH, desc->kernel.bytes, command);
    if (r < 0) { return r; }
    (*command)->u.launch.kernel = kernel;
    sfi_host_set_slices(*command, kernel->slices);
    if (desc->kernel.bytes) { sfi_copy(sfi_host_args(*command), desc->kernel.args, desc->kernel.bytes); }
    return r;
}
/* What a node of this description does. The desc is valid; a child and bodies are the caller's business. */
static sf_result sfi_host_desc_command(sf_device *device, const sf_node_desc *desc, sfi_command **command)
{
    static const sfi_command_kind kinds[] = {                /* by sf_node_type */
        SFI_COMMAND_EMPTY, SFI_COMMAND_LAUNCH, SFI_COMMAND_COPY, SFI_COMMAND_SET, SFI_COMMAND_HOST_FUNC,
        SFI_COMMAND_CHILD, SFI_COMMAND_RECORD, SFI_COMMAND_WAIT, SFI_COMMAND_EMPTY, SFI_COMMAND_EMPTY,
        SFI_COMMAND_EMPTY, SFI_COMMAND_BRANCH
    };
    sfi_command *c;
    sf_result r;
    if (desc->type == SF_NODE_KERNEL) { return sfi_host_kernel_command(device, desc, command); }
    r = sfi_host_make_command(device, kinds[desc->type], 0, command);
    if (r < 0) { return r; }
    c = *command;
    switch (desc->type) {
    case SF_NODE_MEMCPY:
        c->u.copy.dst = desc->mem.dst;
        c->u.copy.src = desc->mem.src;
        c->u.copy.row_bytes = c->u.copy.dst_pitch = c->u.copy.src_pitch = desc->mem.bytes;
        c->u.copy.rows = 1;
        break;
    case SF_NODE_MEMSET:
        c->u.set.dst = desc->mem.dst;
        c->u.set.bytes = desc->mem.bytes;
        c->u.set.value = desc->mem.value;
        break;
    case SF_NODE_HOST:
        c->u.host.func = desc->host.func;
        c->u.host.user = desc->host.user;
        break;
    case SF_NODE_EVENT_RECORD:
        c->u.stamp.event = desc->event;
        c->u.stamp.id = desc->event->id;
        break;
    case SF_NODE_EVENT_WAIT:
        c->u.wait.event = desc->event;
        c->u.wait.id = desc->event->id;
        break;
    default: break;
    }
    return SF_OK;
}
static sf_result sfi_host_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr);
static sf_result sfi_host_free(sf_device *device, void *ptr, sf_memory memory);
static sf_result sfi_host_node_alloc(sf_graph_node *node, size_t bytes, void **ptr)
{
    sf_device *device = node->graph->device;
    sf_result r = sfi_host_alloc(device, bytes, SF_MEMORY_DEVICE, ptr);
    if (r < 0) { return r; }
    r = sfi_memory_new(sfi_graph_root(node->graph), *ptr, bytes, &node->memory);
    if (r < 0) { (void)sfi_host_free(device, *ptr, SF_MEMORY_DEVICE); }
    return r;
}
static sf_result sfi_host_capture_free(sf_stream *s, void *ptr)
{
    sf_graph_node *node;
    sfi_command *c;
    sf_result r;
    sfi_lock(&s->device->lock);
    r = sfi_host_capture_node(s, SF_NODE_MEM_FREE, &node);
    if (r >= 0) {
        r = sfi_host_node_command(node, SFI_COMMAND_EMPTY, 0, &c);
        if (r >= 0) { r = sfi_node_frees(node, ptr); }
        if (r < 0) { sfi_node_discard(node); }
    }
    if (r >= 0) { r = sfi_host_now_after(s, node); }
    sfi_unlock(&s->device->lock);
    return r;
}
static sf_result sfi_host_node_add(sf_graph_node *node, const sf_node_desc *desc)    /* lock held */
{
    sf_device *device = node->graph->device;
    sf_result r = sfi_host_desc_command(device, desc, &node->command);
    uint32_t i;
    if (r < 0) { return r; }
    switch (desc->type) {
    case SF_NODE_KERNEL: node->kernel = desc->kernel.func->name; break;
    case SF_NODE_MEM_ALLOC: return sfi_host_node_alloc(node, desc->alloc.bytes, desc->alloc.ptr);
    case SF_NODE_MEM_FREE: return sfi_node_frees(node, desc->free);
    case SF_NODE_CHILD:
        r = sfi_node_make_bodies(node, 1);
        if (r >= 0) { r = sfi_graph_new(device, node->graph, &node->bodies[0]); }
        return r < 0 ? r : sfi_host_copy_nodes(desc->child, node->bodies[0]);
    case SF_NODE_CONDITIONAL:
        r = sfi_node_make_bodies(node, (uint32_t)desc->conditional.bodies);
        for (i = 0; i < node->body_count && r >= 0; i++) { r = sfi_graph_new(device, node->graph, &node->bodies[i]); }
        return r;
    default: break;
    }
    return r;
}
static void sfi_host_node_destroy(sf_graph_node *node)
{
    sfi_free(&node->graph->device->heap, node->command);
    node->command = NULL;
}
static sf_result sfi_host_node_depend(sf_graph_node *node, const sf_dependency *after, int count)
{
    return (void)node, (void)after, (void)count, SF_OK;      /* its list is all there is */
}
static bool sfi_is_mapped(sf_device *device, const void *ptr);
static bool sfi_host_node_is_pageable(const sf_graph_node *node)
{
    sf_device *device = node->graph->device;
    if (node->type == SF_NODE_MEMSET) { return !sfi_is_mapped(device, node->command->u.set.dst); }
    return node->type == SF_NODE_MEMCPY && (!sfi_is_mapped(device, node->command->u.copy.dst) ||
                                            !sfi_is_mapped(device, node->command->u.copy.src));
}

static sf_result sfi_host_exec_create(sf_graph_exec *exec, sf_graph *graph)
{
    sf_result r;
    sfi_lock(&exec->device->lock);
    r = sfi_plan_make(graph, &exec->plan);
    sfi_unlock(&exec->device->lock);
    return r;
}
static sf_result sfi_host_exec_release(sf_graph_exec *exec) { return sfi_host_unsafe_call(exec->device); }
static void sfi_host_exec_destroy(sf_graph_exec *exec)       /* lock held */
{
    if (exec->plan) { sfi_plan_release(exec->plan); }
    exec->plan = NULL;
}
static sf_result sfi_host_exec_upload(sf_graph_exec *exec, sf_stream *stream)
{
    return (void)exec, (void)stream, SF_OK;
}
static sf_result sfi_host_exec_launch(sf_graph_exec *exec, sf_stream *s)
{
    sfi_command *c;
    sf_result r;
    sfi_lock(&s->device->lock);
    r = sfi_host_check_implicit(s, true);
    if (r >= 0 && s->capture) {
        s->capture->invalid = true;
        r = SF_ERROR_CAPTURE_UNSUPPORTED;
    }
    if (r >= 0) { r = sfi_host_command_in_order(s, exec, SFI_COMMAND_GRAPH, 0, &c); }
    if (r >= 0) {
        c->u.plan = exec->plan;
        exec->plan->references++;
        sfi_plan_bind(exec->plan, s, (sfi_mark *)sfi_host_args(c));
        sfi_host_enqueue(s, c);
        exec->last = s;
        exec->last_number = s->queue.enqueued;
    }
    sfi_unlock(&s->device->lock);
    return r;
}
static sf_result sfi_plan_replace(sf_graph_exec *exec, const sf_graph *graph)        /* lock held */
{
    sfi_plan *p;
    uint32_t i;
    sf_result r = sfi_plan_make(graph, &p);
    if (r < 0) { return r; }
    if (!sfi_plan_same_shape(exec->plan, p)) {
        sfi_plan_release(p);
        return SF_ERROR_GRAPH_EXEC_UPDATE;
    }
    for (i = 0; i < p->nodes_count; i++) { p->nodes[i].origin = exec->plan->nodes[i].origin; }
    sfi_plan_succeed(exec, p);
    return SF_OK;
}
static sf_result sfi_host_exec_update(sf_graph_exec *exec, const sf_graph *graph)
{
    sf_result r;
    sfi_lock(&exec->device->lock);
    r = sfi_plan_replace(exec, graph);
    sfi_unlock(&exec->device->lock);
    return r;
}

/* A plan of one's own to change: a copy, if a launch still runs this one. */
static sf_result sfi_plan_own(sf_graph_exec *exec)
{
    sfi_plan *old = exec->plan, *p, shape;
    const sf_heap *heap = &old->device->heap;
    size_t bytes;
    bool whole = true;
    uint32_t i;
    if (old->references == 1) { return SF_OK; }
    shape = *old;                            /* the old one runs: it is only read */
    sfi_plan_lay_out(&shape, NULL, &bytes);
    p = (sfi_plan *)sfi_alloc_zeroed(heap, bytes);
    if (!p) { return sfi_out_of_memory(heap); }
    sfi_copy(p, old, (size_t)((char *)old->branches - (char *)old));
    sfi_plan_lay_out(p, (char *)p, &bytes);
    for (i = 0; i < p->branches_count; i++) {                /* a kernel may be setting the value */
        p->branches[i].handle = old->branches[i].handle;
        p->branches[i].initial = old->branches[i].initial;
        p->branches[i].reset = old->branches[i].reset;
    }
    sfi_copy(p->commands, old->commands, old->commands_bytes);
    p->references = 1;
    p->first = NULL;
    p->before = NULL;
    sfi_zero(&p->memories, sizeof p->memories);
    for (i = 0; i < p->nodes_count; i++) {
        sfi_plan_node *n = &p->nodes[i];
        char *at = (char *)n->command;
        size_t offset = (size_t)(at - old->commands);
        sfi_zero(&n->task, sizeof n->task);
        n->task.plan = p;
        if (at >= old->commands && at < old->commands + old->commands_bytes) {
            n->command = (sfi_command *)(void *)(p->commands + offset);
        } else {                             /* it outgrew its place */
            n->command = (sfi_command *)sfi_alloc(heap, n->room);
            if (n->command) { sfi_copy(n->command, at, n->room); } else { whole = false; }
        }
    }
    if (!whole || !sfi_memories_copy(heap, &p->memories, &old->memories)) {
        sfi_plan_release(p);
        return sfi_out_of_memory(heap);
    }
    sfi_plan_succeed(exec, p);
    return SF_OK;
}
/* Puts a command, which is the plan's from now on, in the place of a node's. */
static void sfi_plan_put(sfi_plan *p, sfi_plan_node *n, sfi_command *c)
{
    const sf_heap *heap = &p->device->heap;
    char *at = (char *)n->command;
    if (c->bytes <= n->room) {
        sfi_copy(at, c, c->bytes);
        sfi_free(heap, c);
        return;
    }
    if (at < p->commands || at >= p->commands + p->commands_bytes) { sfi_free(heap, at); }
    n->command = c;
    n->room = c->bytes;
}
/* A child's nodes in a plan, from node `n` on, take the commands of another child of the same shape. */
static sf_result sfi_plan_set_child(sfi_plan *p, const sfi_plan_node *n, const sf_graph *child)
{
    sfi_plan *q;
    uint32_t first = p->levels[n->first_level].node, i, k;
    sf_result r = sfi_plan_make(child, &q);
    if (r < 0) { return r; }
    for (i = 0; i < q->levels_count && r >= 0; i++) {
        const sfi_plan_level *mine = &p->levels[n->first_level + i < p->levels_count ? n->first_level + i : 0];
        if (mine->count != q->levels[i].count || mine->node != first + q->levels[i].node) {
            r = SF_ERROR_INVALID_VALUE;
        }
    }
    for (i = 0; i < q->nodes_count && r >= 0; i++) {
        const sfi_plan_node *a = &p->nodes[first + i], *b = &q->nodes[i];
        if (a->type != b->type || a->successors != b->successors || a->predecessors != b->predecessors ||
            a->levels != b->levels) {
            r = SF_ERROR_INVALID_VALUE;
        }
        for (k = 0; k < b->successors && r >= 0; k++) {
            if (p->successors[a->successor + k] != q->successors[b->successor + k]) { r = SF_ERROR_INVALID_VALUE; }
        }
    }
    for (i = 0; i < q->nodes_count && r >= 0; i++) {
        sfi_command *c = (sfi_command *)sfi_alloc(&p->device->heap, q->nodes[i].command->bytes);
        if (!c) { r = sfi_out_of_memory(&p->device->heap); } else {
            sfi_copy(c, q->nodes[i].command, q->nodes[i].command->bytes);
            sfi_plan_put(p, &p->nodes[first + i], c);
        }
    }
    sfi_plan_release(q);
    return r;
}
static sf_result sfi_plan_set_node(sf_graph_exec *exec, const sf_graph_node *node, const sf_node_desc *desc)
{                                                            /* lock held */
    sfi_command *c;
    sfi_plan_node *n = NULL;
    uint32_t i;
    sf_result r = sfi_plan_own(exec);
    for (i = 0; i < exec->plan->nodes_count && r >= 0; i++) {
        if (exec->plan->nodes[i].origin == node) { n = &exec->plan->nodes[i]; }
    }
    if (!n) { return r < 0 ? r : SF_ERROR_INVALID_VALUE; }
    if (desc->type == SF_NODE_CHILD) { return sfi_plan_set_child(exec->plan, n, desc->child); }
    r = sfi_host_desc_command(exec->device, desc, &c);
    if (r >= 0) { sfi_plan_put(exec->plan, n, c); }
    return r;
}
static sf_result sfi_host_exec_set_node(sf_graph_exec *exec, const sf_graph_node *node, const sf_node_desc *desc)
{
    sf_result r;
    sfi_lock(&exec->device->lock);
    r = sfi_plan_set_node(exec, node, desc);
    sfi_unlock(&exec->device->lock);
    return r;
}

static const sfi_backend sfi_host_backend = {
    sfi_host_open,
    sfi_host_close,
    sfi_host_enter,
    sfi_host_leave,
    sfi_host_get_info,
    sfi_host_synchronize,
    sfi_host_reset,
    sfi_host_poll,
    sfi_host_look,
    sfi_host_stream_create,
    sfi_host_stream_destroy,
    sfi_host_stream_touch,
    sfi_host_stream_query,
    sfi_host_stream_synchronize,
    sfi_host_stream_wait,
    sfi_host_event_create,
    sfi_host_event_destroy,
    sfi_host_event_record,
    sfi_host_event_query,
    sfi_host_event_synchronize,
    sfi_host_event_elapsed,
    sfi_host_alloc,
    sfi_host_free,
    sfi_host_alloc_async,
    sfi_host_free_async,
    sfi_host_free_ordered,
    sfi_host_device_pointer,
    sfi_host_pool_create,
    sfi_host_pool_destroy,
    sfi_host_pool_trim,
    sfi_host_pool_info,
    sfi_host_set,
    sfi_host_copy,
    sfi_host_copy_peer,
    sfi_host_prefetch,
    sfi_host_host_func,
    sfi_host_callback,
    sfi_host_attach,
    sfi_host_copy_attributes,
    sfi_host_write,
    sfi_host_wait,
    sfi_host_launch,
    sfi_host_capture_begin,
    sfi_host_capture_end,
    sfi_host_capture_status,
    sfi_host_is_capturing,
    sfi_host_capture_info,
    sfi_host_capture_update,
    sfi_host_capture_free,
    sfi_host_graph_create,
    sfi_host_graph_destroy,
    sfi_host_graph_clone,
    sfi_host_graph_refresh,
    sfi_host_graph_preload,
    sfi_host_conditional_create,
    sfi_host_node_add,
    sfi_host_node_destroy,
    sfi_host_node_depend,
    sfi_host_node_is_pageable,
    sfi_host_exec_create,
    sfi_host_exec_release,
    sfi_host_exec_destroy,
    sfi_host_exec_upload,
    sfi_host_exec_launch,
    sfi_host_exec_update,
    sfi_host_exec_set_node,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
};

/* >>cuda ---------------------------------------------------------------------------------------------- */

#ifndef SF_NO_CUDA

/* The driver's entry points, by versioned name: field, symbol, parameters. All return a CUresult. */
typedef unsigned long long sfi_cuda_ptr;
typedef struct sfi_cuda_copy_2d {                            /* CUDA_MEMCPY2D */
    size_t src_x, src_y;
    int src_type;
    const void *src_host;
    sfi_cuda_ptr src;
    void *src_array;
    size_t src_pitch, dst_x, dst_y;
    int dst_type;
    void *dst_host;
    sfi_cuda_ptr dst;
    void *dst_array;
    size_t dst_pitch, width, height;
} sfi_cuda_copy_2d;
typedef struct sfi_cuda_pool_props {                         /* CUmemPoolProps */
    int type, handle_types;
    struct { int type, id; } location;
    void *security;
    size_t max_bytes;
    unsigned short usage;
    unsigned char reserved[54];
} sfi_cuda_pool_props;

typedef struct sfi_cuda_edge {
    unsigned char from_port, to_port, type, reserved[5];
} sfi_cuda_edge;                                             /* CUgraphEdgeData */
typedef struct sfi_cuda_kernel {                             /* CUDA_KERNEL_NODE_PARAMS_v3 */
    void *func;
    unsigned grid[3], block[3], shared_bytes;
    void **params, **extra;
    void *kern, *context;
} sfi_cuda_kernel;
typedef struct sfi_cuda_copy_3d {                            /* CUDA_MEMCPY3D_v2 */
    size_t src_x, src_y, src_z, src_lod;
    int src_type;
    const void *src_host;
    sfi_cuda_ptr src;
    void *src_array, *reserved0;
    size_t src_pitch, src_height, dst_x, dst_y, dst_z, dst_lod;
    int dst_type;
    void *dst_host;
    sfi_cuda_ptr dst;
    void *dst_array, *reserved1;
    size_t dst_pitch, dst_height, width, height, depth;
} sfi_cuda_copy_3d;
typedef struct sfi_cuda_node {                               /* CUgraphNodeParams */
    int type, reserved0[3];
    union {
        long long reserved1[29];
        sfi_cuda_kernel kernel;
        struct { int flags, reserved; void *context; sfi_cuda_copy_3d copy; } memcpy;
        struct {
            sfi_cuda_ptr dst;
            size_t pitch;
            unsigned value, element;
            size_t width, height;
            void *context;
        } memset;
        struct { void (*func)(void *); void *user; } host;
        struct { void *graph; int ownership; } child;
        void *event;
        struct { sfi_cuda_pool_props props; const void *access; size_t access_count, bytes; sfi_cuda_ptr ptr; } alloc;
        sfi_cuda_ptr free;
        struct { unsigned long long handle; int type; unsigned size; void **bodies; void *context; } conditional;
    } u;
    long long reserved2;
} sfi_cuda_node;
typedef struct sfi_cuda_attribute { int id; char pad[4]; union { char bytes[64]; int value; } u; } sfi_cuda_attribute;
typedef struct sfi_cuda_launch_config {                      /* CUlaunchConfig */
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    sfi_cuda_attribute *attributes;
    unsigned attribute_count;
} sfi_cuda_launch_config;

#define SFI_CUDA_REQUIRED(X)                                                                                    \
    X(init, "cuInit", (unsigned))                                                                               \
    X(driver_get_version, "cuDriverGetVersion", (int *))                                                        \
    X(get_error_name, "cuGetErrorName", (int, const char **))                                                   \
    X(get_error_string, "cuGetErrorString", (int, const char **))                                               \
    X(device_get_count, "cuDeviceGetCount", (int *))                                                            \
    X(device_get, "cuDeviceGet", (int *, int))                                                                  \
    X(device_get_name, "cuDeviceGetName", (char *, int, int))                                                   \
    X(device_get_attribute, "cuDeviceGetAttribute", (int *, int, int))                                          \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **, int))                                               \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int))                                                   \
    X(context_get_current, "cuCtxGetCurrent", (void **))                                                        \
    X(context_push, "cuCtxPushCurrent_v2", (void *))                                                            \
    X(context_pop, "cuCtxPopCurrent_v2", (void **))                                                             \
    X(context_synchronize, "cuCtxSynchronize", (void))                                                          \
    X(context_get_priorities, "cuCtxGetStreamPriorityRange", (int *, int *))                                    \
    X(mem_get_info, "cuMemGetInfo_v2", (size_t *, size_t *))                                                    \
    X(mem_alloc, "cuMemAlloc_v2", (sfi_cuda_ptr *, size_t))                                                     \
    X(mem_free, "cuMemFree_v2", (sfi_cuda_ptr))                                                                 \
    X(mem_host_alloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                            \
    X(mem_host_free, "cuMemFreeHost", (void *))                                                                 \
    X(mem_host_get_device_pointer, "cuMemHostGetDevicePointer_v2", (sfi_cuda_ptr *, void *, unsigned))          \
    X(mem_alloc_managed, "cuMemAllocManaged", (sfi_cuda_ptr *, size_t, unsigned))                               \
    X(memset_async, "cuMemsetD8Async", (sfi_cuda_ptr, unsigned char, size_t, void *))                           \
    X(memcpy_async, "cuMemcpyAsync", (sfi_cuda_ptr, sfi_cuda_ptr, size_t, void *))                              \
    X(memcpy_2d_async, "cuMemcpy2DAsync_v2", (const sfi_cuda_copy_2d *, void *))                                \
    X(memcpy_peer_async, "cuMemcpyPeerAsync", (sfi_cuda_ptr, void *, sfi_cuda_ptr, void *, size_t, void *))     \
    X(stream_create, "cuStreamCreateWithPriority", (void **, unsigned, int))                                    \
    X(stream_destroy, "cuStreamDestroy_v2", (void *))                                                           \
    X(stream_query, "cuStreamQuery", (void *))                                                                  \
    X(stream_synchronize, "cuStreamSynchronize", (void *))                                                      \
    X(stream_wait_event, "cuStreamWaitEvent", (void *, void *, unsigned))                                       \
    X(stream_get_flags, "cuStreamGetFlags", (void *, unsigned *))                                               \
    X(stream_get_priority, "cuStreamGetPriority", (void *, int *))                                              \
    X(launch_host_func, "cuLaunchHostFunc", (void *, void (*)(void *), void *))                                 \
    X(event_create, "cuEventCreate", (void **, unsigned))                                                       \
    X(event_destroy, "cuEventDestroy_v2", (void *))                                                             \
    X(event_record, "cuEventRecord", (void *, void *))                                                          \
    X(event_query, "cuEventQuery", (void *))                                                                    \
    X(event_synchronize, "cuEventSynchronize", (void *))                                                        \
    X(event_elapsed_time, "cuEventElapsedTime", (float *, void *, void *))                                       \
    X(stream_add_callback, "cuStreamAddCallback", (void *, void (*)(void *, int, void *), void *, unsigned))    \
    X(stream_attach_mem_async, "cuStreamAttachMemAsync", (void *, sfi_cuda_ptr, size_t, unsigned))              \
    X(stream_begin_capture, "cuStreamBeginCapture_v2", (void *, int))                                           \
    X(stream_end_capture, "cuStreamEndCapture", (void *, void **))                                              \
    X(stream_is_capturing, "cuStreamIsCapturing", (void *, int *))                                              \
    X(thread_exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", (int *))                               \
    X(graph_create, "cuGraphCreate", (void **, unsigned))                                                       \
    X(graph_destroy, "cuGraphDestroy", (void *))                                                                \
    X(graph_clone, "cuGraphClone", (void **, void *))                                                           \
    X(graph_get_nodes, "cuGraphGetNodes", (void *, void **, size_t *))                                          \
    X(graph_node_get_type, "cuGraphNodeGetType", (void *, int *))                                               \
    X(graph_child_get_graph, "cuGraphChildGraphNodeGetGraph", (void *, void **))                                \
    X(graph_exec_destroy, "cuGraphExecDestroy", (void *))                                                       \
    X(graph_launch, "cuGraphLaunch", (void *, void *))                                                          \
    X(module_load_data, "cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **))                \
    X(module_unload, "cuModuleUnload", (void *))                                                                \
    X(module_get_function, "cuModuleGetFunction", (void **, void *, const char *))                              \
    X(pointer_get_attribute, "cuPointerGetAttribute", (void *, int, sfi_cuda_ptr))
#define SFI_CUDA_OPTIONAL(X)                                                                                    \
    X(context_record_event, "cuCtxRecordEvent", (void *, void *))                                               \
    X(stream_get_id, "cuStreamGetId", (void *, unsigned long long *))                                           \
    X(mem_prefetch_async, "cuMemPrefetchAsync", (sfi_cuda_ptr, size_t, int, void *))                            \
    X(mem_alloc_async, "cuMemAllocAsync", (sfi_cuda_ptr *, size_t, void *))                                     \
    X(mem_free_async, "cuMemFreeAsync", (sfi_cuda_ptr, void *))                                                 \
    X(mem_alloc_from_pool_async, "cuMemAllocFromPoolAsync", (sfi_cuda_ptr *, size_t, void *, void *))           \
    X(mem_pool_create, "cuMemPoolCreate", (void **, const sfi_cuda_pool_props *))                               \
    X(mem_pool_destroy, "cuMemPoolDestroy", (void *))                                                           \
    X(mem_pool_set_attribute, "cuMemPoolSetAttribute", (void *, int, void *))                                   \
    X(mem_pool_trim, "cuMemPoolTrimTo", (void *, size_t))                                                       \
    X(mem_pool_get_attribute, "cuMemPoolGetAttribute", (void *, int, void *))                                   \
    X(stream_copy_attributes, "cuStreamCopyAttributes", (void *, void *))                                       \
    X(stream_write_value32, "cuStreamWriteValue32_v2", (void *, sfi_cuda_ptr, uint32_t, unsigned))              \
    X(stream_write_value64, "cuStreamWriteValue64_v2", (void *, sfi_cuda_ptr, unsigned long long, unsigned))    \
    X(stream_wait_value32, "cuStreamWaitValue32_v2", (void *, sfi_cuda_ptr, uint32_t, unsigned))                \
    X(stream_wait_value64, "cuStreamWaitValue64_v2", (void *, sfi_cuda_ptr, unsigned long long, unsigned))      \
    X(event_record_with_flags, "cuEventRecordWithFlags", (void *, void *, unsigned))                            \
    X(stream_begin_capture_to_graph, "cuStreamBeginCaptureToGraph",                                             \
      (void *, void *, void *const *, const sfi_cuda_edge *, size_t, int))                                      \
    X(stream_get_capture_info, "cuStreamGetCaptureInfo_v3",                                                     \
      (void *, int *, unsigned long long *, void **, void *const **, const sfi_cuda_edge **, size_t *))         \
    X(stream_update_capture, "cuStreamUpdateCaptureDependencies_v2",                                            \
      (void *, void **, const sfi_cuda_edge *, size_t, unsigned))                                               \
    X(graph_add_node, "cuGraphAddNode_v2",                                                                      \
      (void **, void *, void *const *, const sfi_cuda_edge *, size_t, sfi_cuda_node *))                         \
    X(graph_add_dependencies, "cuGraphAddDependencies_v2",                                                      \
      (void *, void *const *, void *const *, const sfi_cuda_edge *, size_t))                                    \
    X(graph_node_get_dependencies, "cuGraphNodeGetDependencies_v2", (void *, void **, sfi_cuda_edge *, size_t *)) \
    X(graph_conditional_create, "cuGraphConditionalHandleCreate",                                               \
      (unsigned long long *, void *, void *, unsigned, unsigned))                                               \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))                  \
    X(graph_upload, "cuGraphUpload", (void *, void *))                                                          \
    X(graph_exec_update, "cuGraphExecUpdate_v2", (void *, void *, void *))                                      \
    X(graph_exec_node_set_params, "cuGraphExecNodeSetParams", (void *, void *, sfi_cuda_node *))                \
    X(graph_kernel_get_params, "cuGraphKernelNodeGetParams_v2", (void *, sfi_cuda_kernel *))                    \
    X(graph_kernel_copy_attributes, "cuGraphKernelNodeCopyAttributes", (void *, void *))                         \
    X(graph_memcpy_get_params, "cuGraphMemcpyNodeGetParams", (void *, sfi_cuda_copy_3d *))                      \
    X(user_object_create, "cuUserObjectCreate", (void **, void *, void (*)(void *), unsigned, unsigned))        \
    X(user_object_release, "cuUserObjectRelease", (void *, unsigned))                                           \
    X(graph_retain_user_object, "cuGraphRetainUserObject", (void *, void *, unsigned, unsigned))                \
    X(func_load, "cuFuncLoad", (void *))                                                                        \
    X(launch_kernel, "cuLaunchKernelEx", (const sfi_cuda_launch_config *, void *, void **, void **))

enum {
    SFI_CUDA_NOT_READY = 600, SFI_CUDA_ATTRIBUTE_MULTIPROCESSORS = 16, SFI_CUDA_ATTRIBUTE_MAJOR = 75,
    SFI_CUDA_ATTRIBUTE_MINOR = 76, SFI_CUDA_HOST_PORTABLE_MAPPED = 3, SFI_CUDA_ATTACH_GLOBAL = 1,
    SFI_CUDA_MEMORY_UNIFIED = 4, SFI_CUDA_POOL_FOLLOW_EVENT = 1, SFI_CUDA_POOL_OPPORTUNISTIC = 2,
    SFI_CUDA_POOL_INTERNAL_WAIT = 3, SFI_CUDA_POOL_THRESHOLD = 4, SFI_CUDA_POOL_RESERVED = 5,
    SFI_CUDA_POOL_RESERVED_HIGH = 6, SFI_CUDA_POINTER_MEMORY_TYPE = 2, SFI_CUDA_PROGRAMMATIC_SERIALIZATION = 6,
    SFI_CUDA_PORT_PROGRAMMATIC = 1, SFI_CUDA_PORT_LAUNCH_ORDER = 2, SFI_CUDA_EDGE_PROGRAMMATIC = 1
};

typedef struct sfi_cuda {
#define X(field, symbol, params) int(*field) params;
    SFI_CUDA_REQUIRED(X)
    SFI_CUDA_OPTIONAL(X)
#undef X
    void *library;
    int device, version;
    void *context;
    struct sfi_cuda_call *calls;             /* host functions on their way; guarded by the next */
    sfi_atomic32 busy;
    sfi_atomic32 has_room;                   /* for many streams */
    sfi_mutex capture_lock;                  /* around calls on streams that capture; innermost */
    sfi_mutex graph_lock;                    /* around the driver's looks at a graph, which has no lock. Outermost */
} sfi_cuda;

/* After one of these the context is lost: CUDA returns it from every call until the process ends. */
static bool sfi_cuda_is_fault(int code)
{
    return code == 214 || code == 700 || code == 702 || code == 709 || code == 710 || (code >= 714 && code <= 721);
}

static sf_result sfi_cuda_fail(sf_device *device, int code, const char *call, const char *where)
{
    const char *name = NULL, *text = NULL, *advice = sfi_advice((sf_result)-code, call);
    if (sfi_cuda_is_fault(code)) { advice = "the GPU context is lost, start a new process"; }
    if (sfi_cuda_is_fault(code) && sfi_load(&device->fault)) { return (sf_result)-code; }
    (void)device->cuda->get_error_name(code, &name);
    (void)device->cuda->get_error_string(code, &text);
    (void)sfi_device_fail(device, (sf_result)-code, call, where, "%s, %s%s%s", name ? name : "CUDA error",
                           text ? text : "unknown", advice ? "; " : "", advice ? advice : "");
    if (sfi_cuda_is_fault(code)) { (void)sfi_cas(&device->fault, 0, (uint32_t)code); }
    return (sf_result)-code;
}

/* CUDA's code as ours. `call` is the public function, `where` what to blame. */
static sf_result sfi_cuda_result(sf_device *device, int code, const char *call, const char *where)
{
    if (code == 0) { return SF_OK; }
    return code == SFI_CUDA_NOT_READY ? SF_NOT_READY : sfi_cuda_fail(device, code, call, where);
}

static sf_result sfi_cuda_missing(sf_device *device, const char *call, const char *symbol)
{
    return sfi_device_fail(device, SF_ERROR_NOT_SUPPORTED, call, NULL, "the CUDA driver has no %s", symbol);
}
static sf_proc sfi_cuda_find(sfi_cuda *cu, const sf_device_desc *desc, const char *symbol)
{
    sf_proc proc = NULL;
    void *address;
    if (desc->cuda.resolve) { return desc->cuda.resolve(symbol, desc->cuda.user); }
    address = dlsym(cu->library, symbol);
    sfi_copy(&proc, &address, sizeof proc);  /* an object pointer may not be cast to a function's */
    return proc;
}

static sf_result sfi_cuda_load(sf_device *device, const sf_device_desc *desc)
{
    sfi_cuda *cu = device->cuda;
    if (!desc->cuda.resolve) {
        cu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!cu->library) {
            return sfi_device_fail(device, SF_ERROR_DRIVER, "sf_device_open", NULL,
                                   "libcuda.so.1 cannot be loaded: is the NVIDIA driver installed?");
        }
    }
#define X(field, symbol, params)                                                                                \
    cu->field = (int(*) params)sfi_cuda_find(cu, desc, symbol);                                                 \
    if (!cu->field) {                                                                                           \
        return sfi_device_fail(device, SF_ERROR_DRIVER, "sf_device_open", NULL,                                 \
                               "the CUDA driver has no %s: it is too old, or not a CUDA driver", symbol);       \
    }
    SFI_CUDA_REQUIRED(X)
#undef X
#define X(field, symbol, params) cu->field = (int(*) params)sfi_cuda_find(cu, desc, symbol);
    SFI_CUDA_OPTIONAL(X)
#undef X
    return SF_OK;
}

static int sfi_cuda_push(sf_device *device, bool *entered)
{
    sfi_cuda *cu = device->cuda;
    void *current = NULL;
    int code;
    *entered = false;
    if (cu->context_get_current(&current) == 0 && current == cu->context) { return 0; }
    code = cu->context_push(cu->context);
    if (code) { return code; }
    *entered = true;
    sfi_count(device, SFI_DEVICE_SWITCHES, 1);
    return 0;
}
static sf_result sfi_cuda_enter_for(sf_device *device, bool *entered, const char *call)
{
    return sfi_cuda_result(device, sfi_cuda_push(device, entered), call, "cuCtxPushCurrent");
}
static sf_result sfi_cuda_enter(sf_device *device, bool *entered)
{
    return sfi_cuda_enter_for(device, entered, "a compute's device");
}
static void sfi_cuda_leave(sf_device *device, bool entered)
{
    void *popped;
    if (entered) { (void)device->cuda->context_pop(&popped); }
}

/* The calling thread's capture mode is the library's own: it counts around calls that could break a capture. */
static int sfi_cuda_set_mode(const sfi_cuda *cu, int *mode)
{
    *mode = (int)sfi_this_thread.capture_mode;
    return *mode ? cu->thread_exchange_capture_mode(mode) : 0;
}
static void sfi_cuda_reset_mode(const sfi_cuda *cu, int mode)
{
    if (sfi_this_thread.capture_mode) { (void)cu->thread_exchange_capture_mode(&mode); }
}

/* For calls that need the context: wraps one driver call. */
#define SFI_CUDA_IN_CONTEXT(device, code, expression)                                                           \
    do {                                                                                                        \
        bool entered_;                                                                                          \
        code = sfi_cuda_push(device, &entered_);                                                                \
        if (!code) { code = (expression); }                                                                     \
        sfi_cuda_leave(device, entered_);                                                                       \
    } while (0)
/* The driver's captures have no lock of their own: threads that begin, use and end them at once crash in there, and
   so does who asks for an event beside them. So while anything captures, one thread at a time is in the driver with
   a call that cannot block; with one that can, if its stream captures: then it does not. */
static bool sfi_cuda_hold(sf_device *device)
{
    bool held = sfi_load(&device->capturing) != 0;
    if (held) { sfi_lock(&device->cuda->capture_lock); }
    return held;
}
static void sfi_cuda_let(sf_device *device, bool held)
{
    if (held) { sfi_unlock(&device->cuda->capture_lock); }
}
#define SFI_CUDA_HELD(device, code, expression)                                                                 \
    do {                                                                                                        \
        bool held_ = sfi_cuda_hold(device);                                                                     \
        code = (expression);                                                                                    \
        sfi_cuda_let(device, held_);                                                                            \
    } while (0)
static int sfi_cuda_hold_stream(sf_stream *s, bool *held)
{
    int status = SF_CAPTURE_NONE, code = 0;
    *held = s != s->device->legacy && sfi_cuda_hold(s->device);
    if (*held) { SFI_CUDA_IN_CONTEXT(s->device, code, s->device->cuda->stream_is_capturing(s->native, &status)); }
    if (*held && !status) {
        sfi_cuda_let(s->device, true);
        *held = false;
    }
    return code;
}
/* For calls on a stream that cannot block. The default stream's handle has no context of its own: the device must be
   current. */
#define SFI_CUDA_ON(stream, code, expression)                                                                   \
    do {                                                                                                        \
        bool held_ = sfi_cuda_hold((stream)->device);                                                           \
        if ((uintptr_t)(stream)->native <= 2) { /* or a thread's */                                             \
            SFI_CUDA_IN_CONTEXT((stream)->device, code, expression);                                            \
        } else {                                                                                                \
            code = (expression);                                                                                \
        }                                                                                                       \
        sfi_cuda_let((stream)->device, held_);                                                                  \
    } while (0)
/* The same for those that can. */
#define SFI_CUDA_MAY_BLOCK(stream, code, expression)                                                            \
    do {                                                                                                        \
        bool lent_;                                                                                             \
        code = sfi_cuda_hold_stream(stream, &lent_);                                                            \
        if (!code && (uintptr_t)(stream)->native <= 2) {                                                        \
            SFI_CUDA_IN_CONTEXT((stream)->device, code, expression);                                            \
        } else if (!code) {                                                                                     \
            code = (expression);                                                                                \
        }                                                                                                       \
        sfi_cuda_let((stream)->device, lent_);                                                                  \
    } while (0)
#define SFI_CUDA_UNLESS(device, code, refused, expression)                                                      \
    do {                                                                                                        \
        int mode_;                                                                                              \
        bool entered_ = false;                                                                                  \
        code = (refused);                                                                                       \
        if (!code) { code = sfi_cuda_push(device, &entered_); }                                                 \
        if (!code) { code = sfi_cuda_set_mode((device)->cuda, &mode_); }                                        \
        if (!code) {                                                                                            \
            code = (expression);                                                                                \
            sfi_cuda_reset_mode((device)->cuda, mode_);                                                         \
        }                                                                                                       \
        sfi_cuda_leave(device, entered_);                                                                       \
    } while (0)
#define SFI_CUDA_UNSAFE(device, code, expression)                                                               \
    SFI_CUDA_UNLESS(device, code, sfi_cuda_unsafe(device, false), expression)
/* For work of a stream. */
#define SFI_CUDA_WORK(stream, code, expression)                                                                 \
    do {                                                                                                        \
        code = sfi_cuda_refuse(stream, SFI_CUDA_ADD);                                                           \
        if (!code) { SFI_CUDA_GIVE(stream, code, expression); }                                                 \
    } while (0)
/* Where it was asked before whether it may. */
#define SFI_CUDA_GIVE(stream, code, expression)                                                                 \
    do {                                                                                                        \
        bool given_;                                                                                            \
        code = sfi_cuda_hold_stream(stream, &given_);                                                           \
        if (!code) { SFI_CUDA_IN_CONTEXT((stream)->device, code, expression); }                                 \
        sfi_cuda_let((stream)->device, given_);                                                                 \
    } while (0)

/* -- captures into a body --

   A driver that is to end an invalid capture into a conditional's body crashes. So what would invalidate one is
   refused here, by the host's rules and with CUDA's codes, before the driver sees it. From then on the capture is
   invalid in our mirror only: the driver's is sound, and ends well. All of these are 0 where nothing captures. */

static bool sfi_cuda_is_body(const sfi_capture *c) { return c && c->lent && (!c->graph || c->graph->parent); }
static bool sfi_cuda_has_body(const sf_device *device)       /* lock held */
{
    const sfi_capture *c = device->captures;
    while (c && !sfi_cuda_is_body(c)) { c = c->next; }
    return c != NULL;
}
static bool sfi_cuda_is_capturing(sf_stream *s);
static void sfi_cuda_never(void *stream, int code, void *user) { (void)stream, (void)code, (void)user; }
/* A capture that is not into a body is spoiled by what cannot be captured at all. */
static void sfi_cuda_spoil(sf_device *device, void *native)
{
    bool entered;
    if (sfi_cuda_push(device, &entered)) { return; }
    sfi_lock(&device->cuda->capture_lock);
    (void)device->cuda->stream_add_callback(native, sfi_cuda_never, NULL, 0);
    sfi_unlock(&device->cuda->capture_lock);
    sfi_cuda_leave(device, entered);
}
/* An unsafe call: one that a body's capture forbids spoils whatever forbids it. `always`: in any mode. */
static int sfi_cuda_forbid(sf_device *device, bool always)   /* lock held */
{
    sfi_capture *c;
    bool refused = false;
    for (c = device->captures; c && !refused; c = c->next) {
        refused = sfi_cuda_is_body(c) && (always || sfi_capture_forbids(c));
    }
    for (c = device->captures; c && refused; c = c->next) {
        if (!always && !sfi_capture_forbids(c)) { continue; }
        if (sfi_cuda_is_body(c)) {
            c->invalid = true;
        } else if (c->id) {
            sfi_cuda_spoil(device, c->origin->native);
        }
    }
    return refused ? -(int)SF_ERROR_CAPTURE_UNSUPPORTED : 0;
}
static int sfi_cuda_unsafe(sf_device *device, bool always)
{
    int code;
    if (!sfi_load(&device->capturing)) { return 0; }
    sfi_lock(&device->lock);
    code = sfi_cuda_forbid(device, always);
    sfi_unlock(&device->lock);
    return code;
}
/* What a call on a stream is to a capture: a node; a node, but unsafe elsewhere; none; none, and unsafe elsewhere. */
typedef enum sfi_cuda_use { SFI_CUDA_ADD, SFI_CUDA_MEMORY, SFI_CUDA_OUTSIDE, SFI_CUDA_LOOK } sfi_cuda_use;
static int sfi_cuda_refuse_now(sf_stream *s, sfi_cuda_use use)
{
    sf_device *device = s->device;
    sf_result r;
    int code = 0;
    sfi_lock(&device->lock);
    r = sfi_host_check_implicit(s, true);
    if (r < 0) {
        /* the default stream beside a blocking one that captures */
    } else if (s->capture && use >= SFI_CUDA_OUTSIDE) {
        s->capture->invalid = true;
        r = SF_ERROR_CAPTURE_UNSUPPORTED;
    } else if (s->capture) {
        r = s->capture->invalid ? SF_ERROR_CAPTURE_INVALIDATED : SF_OK;
    } else if ((use == SFI_CUDA_LOOK || use == SFI_CUDA_MEMORY) && sfi_cuda_has_body(device) &&
               !sfi_cuda_is_capturing(s)) {
        code = sfi_cuda_forbid(device, false);
    }
    sfi_unlock(&device->lock);
    return code ? code : -(int)r;
}
static int sfi_cuda_refuse(sf_stream *s, sfi_cuda_use use)
{
    return sfi_load(&s->device->capturing) ? sfi_cuda_refuse_now(s, use) : 0;
}
/* What is only a hint is none there; so the host has it. */
static bool sfi_cuda_skips(sf_stream *s)
{
    bool is;
    if (!sfi_load(&s->device->capturing)) { return false; }
    sfi_lock(&s->device->lock);
    is = s->capture || sfi_host_check_implicit(s, false) < 0;
    sfi_unlock(&s->device->lock);
    return is;
}
/* A look at an event, which `waits`, or asks for a time only. */
static int sfi_cuda_refuse_look(sf_event *e, bool waits)
{
    sf_result r = SF_OK;
    int code = 0;
    if (!sfi_load(&e->device->capturing)) { return 0; }
    sfi_lock(&e->device->lock);
    if (e->captured) {                       /* of another capture: the driver knows */
        if (sfi_cuda_is_body(sfi_find_capture(e->device, e->captured))) { r = sfi_host_check_event(e, waits); }
    } else if (waits) {
        code = sfi_cuda_forbid(e->device, false);
    }
    sfi_unlock(&e->device->lock);
    return code ? code : -(int)r;
}
/* A wait for an event draws the stream into the event's capture, or must not cross a capture's border. */
static sf_result sfi_cuda_check_wait(sf_stream *s, sf_event *e, bool *drawn)         /* lock held */
{
    sf_device *device = s->device;
    sfi_capture *mine = s->capture, *c = e->captured ? sfi_find_capture(device, e->captured) : NULL;
    sf_stream *other = !mine ? s : c && !sfi_cuda_is_body(c) ? c->origin : NULL;     /* the driver knows about it */
    bool unused;
    int status = SF_CAPTURE_NONE, code;
    sf_result r;
    if (!mine && !sfi_cuda_is_body(c)) { return SF_OK; }     /* its matter */
    if (other && other != device->legacy) {
        SFI_CUDA_ON(other, code, device->cuda->stream_is_capturing(other->native, &status));
        if (code) { status = SF_CAPTURE_NONE; }
    }
    if (mine && other) { c->invalid = status == SF_CAPTURE_INVALIDATED; }
    if (!mine && status) {                   /* in a capture that is none into a body */
        r = status == SF_CAPTURE_INVALIDATED ? SF_ERROR_CAPTURE_INVALIDATED
            : c->invalid                     ? SF_ERROR_INVALID_VALUE
                                             : SF_ERROR_CAPTURE_MERGE;
        if (status == SF_CAPTURE_ACTIVE) { c->invalid = true; }
    } else {
        r = sfi_host_capture_wait(s, e, &unused);
        *drawn = !mine && s->capture;
    }
    if (mine && other) { c->invalid = false; }               /* not in our mirror */
    if (other && r < 0 && status == SF_CAPTURE_ACTIVE) { sfi_cuda_spoil(device, other->native); }
    return r;
}
static int sfi_cuda_refuse_wait(sf_stream *s, sf_event *e, uint32_t flags, bool *drawn)
{
    sf_result r;
    if (flags && s == s->device->legacy) { return -(int)SF_ERROR_ILLEGAL_STATE; }
    sfi_lock(&s->device->lock);
    r = sfi_host_check_implicit(s, true);
    if (r < 0) {
        /* as above */
    } else if (s->capture && s->capture->invalid) {
        r = SF_ERROR_CAPTURE_INVALIDATED;
    } else if (!flags && e->device == s->device) {
        r = sfi_cuda_check_wait(s, e, drawn);
    } else if (!flags && s->capture && (e->recorded || e->captured)) {       /* another device's work is outside */
        s->capture->invalid = true;
        r = SF_ERROR_CAPTURE_ISOLATION;
    }
    sfi_unlock(&s->device->lock);
    return -(int)r;
}
static sf_result sfi_cuda_open_device(sf_device *device, const sf_device_desc *desc)
{
    sfi_cuda *cu = device->cuda;
    int count = 0, least = 0, greatest = 0, code = cu->init(0);
    if (!code) { code = cu->driver_get_version(&cu->version); }
    if (!code) { code = cu->device_get_count(&count); }
    if (code) { return sfi_cuda_result(device, code, "sf_device_open", "cuInit"); }
    if (count < 1) {
        return sfi_device_fail(device, SF_ERROR_NO_DEVICE, "sf_device_open", NULL, "the CUDA driver sees no GPU");
    }
    if (desc->ordinal < 0 || desc->ordinal >= count) {
        return sfi_device_fail(device, SF_ERROR_INVALID_DEVICE, "sf_device_open", NULL,
                               "there is no GPU %d: ordinals go from 0 to %d", desc->ordinal, count - 1);
    }
    code = cu->device_get(&cu->device, desc->ordinal);
    if (!code) { code = cu->context_retain(&cu->context, cu->device); }
    if (code) { return sfi_cuda_result(device, code, "sf_device_open", "cuDevicePrimaryCtxRetain"); }
    SFI_CUDA_IN_CONTEXT(device, code, cu->context_get_priorities(&least, &greatest));
    device->priority_greatest = greatest;
    return sfi_cuda_result(device, code, "sf_device_open", "cuCtxGetStreamPriorityRange");
}

static void sfi_cuda_end_call(struct sfi_cuda_call *call);
typedef enum sfi_late_kind { SFI_LATE_MEMORY, SFI_LATE_EXEC, SFI_LATE_MODULE } sfi_late_kind;
typedef struct sfi_late { struct sfi_late *next; void *ptr; sf_memory memory; sfi_late_kind kind; } sfi_late;
static sf_result sfi_cuda_free(sf_device *device, void *ptr, sf_memory memory);
static void sfi_cuda_free_the_late(sf_device *device, sfi_late *late)        /* nobody stays any more */
{
    sfi_late *next;
    for (; late; late = next) {
        int code = 0;
        next = late->next;
        if (late->kind == SFI_LATE_MEMORY) { (void)sfi_cuda_free(device, late->ptr, late->memory); }
        if (late->kind == SFI_LATE_EXEC) {
            SFI_CUDA_UNSAFE(device, code, device->cuda->graph_exec_destroy(late->ptr));
        } else if (late->kind == SFI_LATE_MODULE) {
            SFI_CUDA_UNSAFE(device, code, device->cuda->module_unload(late->ptr));
        }
        (void)code;                          /* of something that is gone already for whoever had it */
        sfi_free(&device->heap, late);
    }
}
static void sfi_cuda_close(sf_device *device)
{
    sfi_cuda *cu = device->cuda;
    if (!cu) { return; }
    while (cu->calls) { sfi_cuda_end_call(cu->calls); }      /* a fault took their turn */
    sfi_store(&device->staying, 0);
    sfi_cuda_free_the_late(device, device->late);
    device->late = NULL;
    if (cu->context) { (void)cu->context_release(cu->device); }
    if (cu->library) { (void)dlclose(cu->library); }
    sfi_mutex_free(&cu->capture_lock);
    sfi_mutex_free(&cu->graph_lock);
    sfi_free(&device->heap, cu);
    device->cuda = NULL;
}
static sf_result sfi_cuda_open(sf_device *device, const sf_device_desc *desc)
{
    sf_result r;
    device->cuda = (sfi_cuda *)sfi_alloc_zeroed(&device->heap, sizeof *device->cuda);
    if (!device->cuda) { return SF_ERROR_OUT_OF_MEMORY; }
    sfi_mutex_init(&device->cuda->capture_lock);
    sfi_mutex_init(&device->cuda->graph_lock);
    device->memory_bytes = SIZE_MAX;         /* of SF_MEMORY_HOST; the rest is the driver's to refuse */
    r = sfi_cuda_load(device, desc);
    return r < 0 ? r : sfi_cuda_open_device(device, desc);
}

static sf_result sfi_cuda_get_info(sf_device *device, sf_device_info *info)
{
    sfi_cuda *cu = device->cuda;
    int major = 0, minor = 0, code;
    (void)cu->device_get_attribute(&info->multiprocessors, SFI_CUDA_ATTRIBUTE_MULTIPROCESSORS, cu->device);
    (void)cu->device_get_attribute(&major, SFI_CUDA_ATTRIBUTE_MAJOR, cu->device);
    (void)cu->device_get_attribute(&minor, SFI_CUDA_ATTRIBUTE_MINOR, cu->device);
    (void)cu->device_get_name(info->name, (int)sizeof info->name, cu->device);
    info->compute_capability = major * 10 + minor;
    info->driver_version = cu->version;
    SFI_CUDA_IN_CONTEXT(device, code, cu->mem_get_info(&info->memory_free_bytes, &info->memory_bytes));
    return sfi_cuda_result(device, code, "sf_device_get_info", NULL);
}

/* Waiting for ever is the driver's; a deadline is polled for, ever more slowly. */
typedef int (*sfi_cuda_probe)(void *handle);
static sf_result sfi_cuda_wait(sf_device *device, sfi_cuda_probe query, sfi_cuda_probe wait, void *handle,
                               int64_t timeout, const char *call, const char *where)
{
    int64_t start, deadline;
    int code;
    int mode;
    bool late = false;
    code = sfi_cuda_set_mode(device->cuda, &mode);
    if (code) { return sfi_cuda_result(device, code, call, where); }
    start = timeout < 0 ? 0 : sfi_clock();
    deadline = sfi_deadline(start, timeout);
    if (timeout < 0) {
        code = wait(handle);
    } else {
        for (;;) {
            int64_t now;
            SFI_CUDA_HELD(device, code, query(handle));
            if (code != SFI_CUDA_NOT_READY || late) { break; }
            now = sfi_clock();
            late = now >= deadline;
            if (now - start > 100000 && !late) { sfi_sleep(deadline - now < 20000 ? deadline - now : 20000); }
        }
    }
    sfi_cuda_reset_mode(device->cuda, mode);
    return code == SFI_CUDA_NOT_READY ? SF_TIMEOUT : sfi_cuda_result(device, code, call, where);
}
/* All that the context has to do now, on streams of anybody, and on those that are destroyed. */
static sf_result sfi_cuda_wait_context(sf_device *device, int64_t timeout, const char *call)
{
    sfi_cuda *cu = device->cuda;
    void *event = NULL;
    int code = cu->event_create(&event, SF_EVENT_DISABLE_TIMING);
    sf_capture_mode mode;
    sf_result r;
    if (!code) {
        sfi_lock(&device->lock);             /* nobody begins to capture meanwhile */
        code = sfi_cuda_forbid(device, true);
        if (!code) { SFI_CUDA_HELD(device, code, cu->context_record_event(cu->context, event)); }
        sfi_unlock(&device->lock);
    }
    mode = sfi_relax();                      /* a capture that begins meanwhile has nothing to fear */
    r = code ? sfi_cuda_result(device, code, call, NULL)
             : sfi_cuda_wait(device, cu->event_query, cu->event_synchronize, event, timeout, call, NULL);
    sfi_unrelax(mode);
    if (event) { (void)cu->event_destroy(event); }
    return r;
}
/* Whether a capture would be spoiled by a look at the stream. */
static bool sfi_cuda_is_hidden(sf_stream *s) { return s == s->device->legacy || sfi_cuda_is_capturing(s); }
/* Our streams, as far as they are there: at a close, and where the driver has no such event. Beside captures only
   those that may be looked at. */
static sf_result sfi_cuda_wait_streams(sf_device *device, int64_t timeout, const char *call, bool beside)
{
    int64_t deadline = sfi_deadline(sfi_clock(), timeout);
    sf_stream *s;
    sf_result r;
    int code, mode = 0;
    sf_capture_mode old;
    for (;;) {
        sfi_lock(&device->lock);             /* none is destroyed meanwhile */
        old = sfi_this_thread.capture_mode;
        if (beside) { (void)sfi_relax(); }
        code = beside ? sfi_cuda_set_mode(device->cuda, &mode) : sfi_cuda_forbid(device, true);
        for (s = device->first_stream; s && !code; s = s->next_stream) {
            if (s->wrapped || (beside && sfi_cuda_is_hidden(s))) { continue; }
            SFI_CUDA_HELD(device, code, device->cuda->stream_query(s->native));
        }
        if (beside) { sfi_cuda_reset_mode(device->cuda, mode); }
        sfi_unrelax(old);
        sfi_unlock(&device->lock);
        r = sfi_cuda_result(device, code, call, NULL);
        if (r != SF_NOT_READY) { return r; }
        if (sfi_clock() >= deadline) { return SF_TIMEOUT; }
        sfi_sleep(20000);
    }
}
static sf_result sfi_cuda_synchronize(sf_device *device, int64_t timeout, bool own)
{
    static const char call[] = "sf_device_synchronize";
    bool entered, beside = own && sfi_load(&device->capturing);
    int code;
    sf_result r = sfi_cuda_enter_for(device, &entered, call);
    if (r < 0) { return r; }
    code = beside ? 0 : sfi_cuda_unsafe(device, true);
    if (code) {
        r = sfi_cuda_result(device, code, call, NULL);
    } else if (!beside && (timeout < 0 || sfi_load(&device->capturing))) {   /* which a capture refuses anyway */
        r = sfi_cuda_result(device, device->cuda->context_synchronize(), call, NULL);
    } else if (device->cuda->context_record_event && !own) {
        r = sfi_cuda_wait_context(device, timeout, call);
    } else {
        r = sfi_cuda_wait_streams(device, timeout, call, beside);
    }
    sfi_cuda_leave(device, entered);
    return r;
}
static sf_result sfi_cuda_reset(sf_device *device)
{
    return sfi_device_fail(device, SF_ERROR_NOT_SUPPORTED, "sf_device_reset", NULL,
                           "a lost CUDA context needs a new process");
}
static sf_result sfi_cuda_poll(sf_device *device) { return (void)device, SF_IDLE; }
static sf_result sfi_cuda_look(sf_device *device)            /* any call tells a fault */
{
    size_t bytes, all;
    int code;
    SFI_CUDA_IN_CONTEXT(device, code, device->cuda->mem_get_info(&bytes, &all));
    return sfi_cuda_result(device, code, "sf_future_poll", NULL);
}

static sf_result sfi_cuda_stream_create(sf_stream *s)
{
    sf_device *device = s->device;
    int code;
    unsigned long long id = 0;
    SFI_CUDA_IN_CONTEXT(device, code, device->cuda->stream_create(&s->native, s->flags & SF_STREAM_NON_BLOCKING,
                                                                 s->priority));
    if (!code && device->cuda->stream_get_id && !device->cuda->stream_get_id(s->native, &id)) { s->id = id; }
    return sfi_cuda_result(device, code, "sf_stream_create", s->name);
}
#ifndef SFI_STREAM_ROOM
    #define SFI_STREAM_ROOM 256              /* tests take less */
#endif
/* The driver has room for so many streams, and where it makes more waits for all work: for what stays, too. So it is
   led to make more before; it keeps that. (On an H200 the 36th stream of a process had to wait, or the 79th where 49
   were there before.) */
static void sfi_cuda_make_room(sf_device *device)            /* as far as it goes: nobody asked for them */
{
    sfi_cuda *cu = device->cuda;
    void *made[SFI_STREAM_ROOM];
    int n, code = 0;
    for (n = 0; n < SFI_STREAM_ROOM && !code; n++) {
        SFI_CUDA_IN_CONTEXT(device, code, cu->stream_create(&made[n], SF_STREAM_NON_BLOCKING, 0));
    }
    for (n -= code != 0; n > 0; n--) { (void)cu->stream_destroy(made[n - 1]); }
    sfi_store(&cu->has_room, 1);
}
static void sfi_cuda_stream_destroy(sf_stream *s)
{
    if (!s->wrapped && s->native) { (void)s->device->cuda->stream_destroy(s->native); }
    sfi_stream_release(s);
}
static sf_result sfi_cuda_stream_touch(sf_stream *s)
{
    unsigned flags;
    int code = sfi_cuda_refuse(s, SFI_CUDA_ADD);
    if (!code) { SFI_CUDA_ON(s, code, s->device->cuda->stream_get_flags(s->native, &flags)); }
    return sfi_cuda_result(s->device, code, "sf_stream_get_flags", "the default stream");
}
static sf_result sfi_cuda_stream_query(sf_stream *s)
{
    sfi_cuda *cu = s->device->cuda;
    int code, mode;
    bool entered = false;
    sf_result r = (uintptr_t)s->native <= 2 ? sfi_cuda_enter_for(s->device, &entered, "sf_stream_query") : SF_OK;
    if (r < 0) { return r; }
    code = sfi_cuda_refuse(s, SFI_CUDA_LOOK);
    if (!code) { code = sfi_cuda_set_mode(cu, &mode); }
    if (!code) {
        SFI_CUDA_HELD(s->device, code, cu->stream_query(s->native));
        sfi_cuda_reset_mode(cu, mode);
    }
    sfi_cuda_leave(s->device, entered);
    return sfi_cuda_result(s->device, code, "sf_stream_query", sfi_stream_name(s));
}
static sf_result sfi_cuda_stream_synchronize(sf_stream *s, int64_t timeout)
{
    sfi_cuda *cu = s->device->cuda;
    sf_result r;
    bool entered;
    int code = sfi_cuda_refuse(s, SFI_CUDA_LOOK);
    if (code) { return sfi_cuda_result(s->device, code, "sf_stream_synchronize", sfi_stream_name(s)); }
    r = sfi_cuda_enter_for(s->device, &entered, "sf_stream_synchronize");
    if (r < 0) { return r; }
    r = sfi_cuda_wait(s->device, cu->stream_query, cu->stream_synchronize, s->native, timeout,
                      "sf_stream_synchronize", sfi_stream_name(s));
    sfi_cuda_leave(s->device, entered);
    return r;
}
static sf_result sfi_cuda_stream_wait(sf_stream *s, sf_event *e, uint32_t flags)
{
    bool drawn = false;
    int code = sfi_load(&s->device->capturing) ? sfi_cuda_refuse_wait(s, e, flags, &drawn) : 0;
    if (!code) { SFI_CUDA_ON(s, code, s->device->cuda->stream_wait_event(s->native, e->native, flags)); }
    if (code && drawn) {
        sfi_lock(&s->device->lock);
        s->capture = NULL;                   /* after all not */
        sfi_unlock(&s->device->lock);
    }
    return sfi_cuda_result(s->device, code, "sf_stream_wait_event", sfi_stream_name(s));
}

static sf_result sfi_cuda_event_create(sf_event *e)
{
    int code;
    SFI_CUDA_IN_CONTEXT(e->device, code, e->device->cuda->event_create(&e->native, e->flags));
    return sfi_cuda_result(e->device, code, "sf_event_create", NULL);
}
static void sfi_cuda_event_destroy(sf_event *e)
{
    if (e->native) { (void)e->device->cuda->event_destroy(e->native); }
}
/* An external record will be one, by a node; while something captures, another is perhaps one of a capture's. */
static int sfi_cuda_capture_record(sf_event *e, sf_stream *s, uint32_t flags)
{
    sfi_cuda *cu = s->device->cuda;
    unsigned long long id = 0;
    int status = SF_CAPTURE_NONE, code;
    if (flags && s == s->device->legacy) { return -(int)SF_ERROR_ILLEGAL_STATE; }
    code = sfi_cuda_refuse(s, SFI_CUDA_ADD);
    if (flags) {
        if (!code) { SFI_CUDA_ON(s, code, cu->event_record_with_flags(e->native, s->native, flags)); }
        if (!code) { e->recorded = true; }
        return code;
    }
    if (!code) { SFI_CUDA_ON(s, code, cu->event_record(e->native, s->native)); }
    if (!code && cu->stream_get_capture_info) {
        SFI_CUDA_ON(s, code, cu->stream_get_capture_info(s->native, &status, &id, NULL, NULL, NULL, NULL));
    }
    if (code) { return code; }
    sfi_lock(&s->device->lock);
    e->captured = status == SF_CAPTURE_ACTIVE ? id : 0;
    if (!e->captured) { e->recorded = true; }
    sfi_unlock(&s->device->lock);
    return 0;
}
static sf_result sfi_cuda_event_record(sf_event *e, sf_stream *s, uint32_t flags)
{
    sfi_cuda *cu = s->device->cuda;
    int code;
    if (flags && !cu->event_record_with_flags) {
        return sfi_cuda_missing(s->device, "sf_event_record_with_flags", "cuEventRecordWithFlags");
    }
    if (flags || sfi_load(&s->device->capturing)) {
        code = sfi_cuda_capture_record(e, s, flags);
    } else {
        SFI_CUDA_ON(s, code, cu->event_record(e->native, s->native));
        if (!code && (!e->recorded || e->captured)) {
            e->recorded = true;
            e->captured = 0;
        }
    }
    return sfi_cuda_result(s->device, code, flags ? "sf_event_record_with_flags" : "sf_event_record",
                           sfi_stream_name(s));
}
static sf_result sfi_cuda_event_query(sf_event *e)
{
    sfi_cuda *cu = e->device->cuda;
    int mode, code = sfi_cuda_refuse_look(e, true);
    if (!code) { code = sfi_cuda_set_mode(cu, &mode); }
    if (!code) {
        SFI_CUDA_HELD(e->device, code, cu->event_query(e->native));
        sfi_cuda_reset_mode(cu, mode);
    }
    return sfi_cuda_result(e->device, code, "sf_event_query", NULL);
}
static sf_result sfi_cuda_event_synchronize(sf_event *e, int64_t timeout)
{
    sfi_cuda *cu = e->device->cuda;
    int code = sfi_cuda_refuse_look(e, true);
    if (code) { return sfi_cuda_result(e->device, code, "sf_event_synchronize", NULL); }
    return sfi_cuda_wait(e->device, cu->event_query, cu->event_synchronize, e->native, timeout,
                         "sf_event_synchronize", NULL);
}
static sf_result sfi_cuda_event_elapsed(sf_event *start, sf_event *end, float *ms)
{
    int code = sfi_cuda_refuse_look(start, false);
    if (!code) { code = sfi_cuda_refuse_look(end, false); }
    if (!code) {
        SFI_CUDA_HELD(start->device, code,
                      start->device->cuda->event_elapsed_time(ms, start->native, end->native));
    }
    return sfi_cuda_result(start->device, code, "sf_event_elapsed_ms", NULL);
}

static sf_result sfi_cuda_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr)
{
    sfi_cuda *cu = device->cuda;
    sfi_cuda_ptr p = 0;
    int code;
    switch (memory) {
    case SF_MEMORY_DEVICE:
        SFI_CUDA_UNSAFE(device, code, cu->mem_alloc(&p, bytes));
        *ptr = (void *)(uintptr_t)p;
        break;
    case SF_MEMORY_PINNED:
        SFI_CUDA_UNSAFE(device, code, cu->mem_host_alloc(ptr, bytes, SFI_CUDA_HOST_PORTABLE_MAPPED));
        break;
    case SF_MEMORY_MANAGED:
        SFI_CUDA_UNSAFE(device, code, cu->mem_alloc_managed(&p, bytes, SFI_CUDA_ATTACH_GLOBAL));
        *ptr = (void *)(uintptr_t)p;
        break;
    default: return sfi_host_alloc(device, bytes, memory, ptr);
    }
    return sfi_cuda_result(device, code, "sf_mem_alloc", NULL);
}
/* The driver's frees wait for whatever runs: not for what stays for good. */
static bool sfi_cuda_late(sf_device *device, sfi_late_kind kind, void *ptr, sf_memory memory)
{
    sfi_late *late = NULL;
    bool stays;
    if (!sfi_load(&device->staying)) { return false; }
    sfi_lock(&device->lock);
    stays = sfi_load(&device->staying) != 0;
    if (stays) { late = (sfi_late *)sfi_alloc_zeroed(&device->heap, sizeof *late); }
    if (late) {
        late->kind = kind;
        late->ptr = ptr;
        late->memory = memory;
        late->next = device->late;
        device->late = late;
    }
    sfi_unlock(&device->lock);
    return late != NULL;
}
static sf_result sfi_cuda_free(sf_device *device, void *ptr, sf_memory memory)
{
    int code;
    if (memory == SF_MEMORY_HOST) { return sfi_host_free(device, ptr, memory); }
    if (sfi_cuda_late(device, SFI_LATE_MEMORY, ptr, memory)) { return SF_OK; }
    if (memory == SF_MEMORY_PINNED) {
        SFI_CUDA_UNSAFE(device, code, device->cuda->mem_host_free(ptr));
    } else {
        SFI_CUDA_UNSAFE(device, code, device->cuda->mem_free((sfi_cuda_ptr)(uintptr_t)ptr));
    }
    return sfi_cuda_result(device, code, "sf_mem_free", NULL);
}
/* An address that a capture's graph allocates belongs to that graph. */
static bool sfi_cuda_is_capturing(sf_stream *s);
static sf_graph *sfi_cuda_captured_graph(sf_stream *s, void **native, int *code);
static sf_result sfi_cuda_captured_alloc(sf_stream *s, void *ptr, size_t bytes)
{
    void *native;
    sfi_graph_memory *m;
    sf_result r;
    int code;
    sf_graph *graph = sfi_cuda_captured_graph(s, &native, &code);
    if (!s->device->cuda->stream_get_capture_info && sfi_cuda_is_capturing(s)) {
        return sfi_cuda_missing(s->device, "sf_mem_alloc_async", "cuStreamGetCaptureInfo_v3");
    }
    if (!graph) { return sfi_cuda_result(s->device, code, "sf_mem_alloc_async", sfi_stream_name(s)); }
    sfi_lock(&s->device->lock);
    r = sfi_memory_new(sfi_graph_root(graph), ptr, bytes, &m);
    sfi_unlock(&s->device->lock);
    return r;
}
static sf_result sfi_cuda_alloc_async(sf_stream *s, sf_mem_pool *pool, size_t bytes, void **ptr)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_ptr p = 0;
    int code;
    sf_result r;
    if (!cu->mem_alloc_async) { return sfi_cuda_missing(s->device, "sf_mem_alloc_async", "cuMemAllocAsync"); }
    if (!cu->mem_alloc_from_pool_async) {
        return sfi_cuda_missing(s->device, "sf_mem_alloc_async", "cuMemAllocFromPoolAsync");
    }
    code = sfi_cuda_refuse(s, SFI_CUDA_MEMORY);
    if (!code) {
        bool held;
        int asked = sfi_cuda_hold_stream(s, &held);
        SFI_CUDA_UNLESS(s->device, code, asked,
                        pool && pool->native ? cu->mem_alloc_from_pool_async(&p, bytes, pool->native, s->native)
                                             : cu->mem_alloc_async(&p, bytes, s->native));
        sfi_cuda_let(s->device, held);
    }
    *ptr = (void *)(uintptr_t)p;
    r = sfi_cuda_result(s->device, code, "sf_mem_alloc_async", sfi_stream_name(s));
    if (r < 0 || !sfi_load(&s->device->capturing)) { return r; }
    r = sfi_cuda_captured_alloc(s, *ptr, bytes);
    if (r < 0 && cu->mem_free_async) { (void)cu->mem_free_async(p, s->native); }     /* nobody will have it */
    return r;
}
static bool sfi_cuda_free_ordered(sf_device *device, const sfi_allocation *a) { return (void)device, (void)a, false; }
static sf_result sfi_cuda_free_async(sf_stream *s, const sfi_allocation *a)
{
    sfi_cuda *cu = s->device->cuda;
    int code;
    if (!cu->mem_free_async) { return sfi_cuda_missing(s->device, "sf_mem_free_async", "cuMemFreeAsync"); }
    code = sfi_cuda_refuse(s, SFI_CUDA_MEMORY);
    if (!code) {
        bool held;
        int asked = sfi_cuda_hold_stream(s, &held);
        SFI_CUDA_UNLESS(s->device, code, asked, cu->mem_free_async((sfi_cuda_ptr)(uintptr_t)a->ptr, s->native));
        sfi_cuda_let(s->device, held);
    }
    return sfi_cuda_result(s->device, code, "sf_mem_free_async", sfi_stream_name(s));
}
static sf_result sfi_cuda_device_pointer(sf_device *device, void *pinned, void **ptr)
{
    sfi_cuda_ptr p = 0;
    int code;
    SFI_CUDA_IN_CONTEXT(device, code, device->cuda->mem_host_get_device_pointer(&p, pinned, 0));
    *ptr = (void *)(uintptr_t)p;
    return sfi_cuda_result(device, code, "sf_mem_get_device_pointer", NULL);
}
static sf_result sfi_cuda_pool_create(sf_mem_pool *pool)
{
    sf_device *device = pool->device;
    sfi_cuda *cu = device->cuda;
    sfi_cuda_pool_props props;
    unsigned long long threshold = pool->desc.release_threshold_bytes;
    int code, off = 0, mode;
    if (!cu->mem_pool_create || !cu->mem_pool_destroy || !cu->mem_pool_set_attribute) {
        return sfi_cuda_missing(device, "sf_mem_pool_create",
                                !cu->mem_pool_create    ? "cuMemPoolCreate"
                                : !cu->mem_pool_destroy ? "cuMemPoolDestroy"
                                                        : "cuMemPoolSetAttribute");
    }
    sfi_zero(&props, sizeof props);
    props.type = 1;                          /* pinned, */
    props.location.type = 1;                 /* on a device */
    props.location.id = cu->device;
    props.max_bytes = pool->desc.max_bytes;
    SFI_CUDA_UNSAFE(device, code, cu->mem_pool_create(&pool->native, &props));
    if (!code) { code = sfi_cuda_set_mode(cu, &mode); }
    if (code) { return sfi_cuda_result(device, code, "sf_mem_pool_create", NULL); }
    if (!code && threshold) { code = cu->mem_pool_set_attribute(pool->native, SFI_CUDA_POOL_THRESHOLD, &threshold); }
    if (!code && pool->desc.no_follow_event) {
        code = cu->mem_pool_set_attribute(pool->native, SFI_CUDA_POOL_FOLLOW_EVENT, &off);
    }
    if (!code && pool->desc.no_opportunistic) {
        code = cu->mem_pool_set_attribute(pool->native, SFI_CUDA_POOL_OPPORTUNISTIC, &off);
    }
    if (!code && pool->desc.no_internal_wait) {
        code = cu->mem_pool_set_attribute(pool->native, SFI_CUDA_POOL_INTERNAL_WAIT, &off);
    }
    sfi_cuda_reset_mode(cu, mode);
    return sfi_cuda_result(device, code, "sf_mem_pool_create", NULL);
}
static void sfi_cuda_pool_destroy(sf_mem_pool *pool)
{
    sfi_cuda *cu = pool->device->cuda;
    int mode, code;
    if (!pool->native) { return; }
    code = sfi_cuda_set_mode(cu, &mode);
    (void)cu->mem_pool_destroy(pool->native);                /* whatever the exchange said */
    if (!code) { sfi_cuda_reset_mode(cu, mode); }
}
static sf_result sfi_cuda_pool_trim(sf_mem_pool *pool, size_t keep_bytes)
{
    sfi_cuda *cu = pool->device->cuda;
    int code, mode;
    if (!cu->mem_pool_trim) { return sfi_cuda_missing(pool->device, "sf_mem_pool_trim", "cuMemPoolTrimTo"); }
    code = sfi_cuda_set_mode(cu, &mode);
    if (!code) {
        code = cu->mem_pool_trim(pool->native, keep_bytes);
        sfi_cuda_reset_mode(cu, mode);
    }
    return sfi_cuda_result(pool->device, code, "sf_mem_pool_trim", NULL);
}
static sf_result sfi_cuda_pool_info(sf_mem_pool *pool, sf_mem_pool_info *info)
{
    sfi_cuda *cu = pool->device->cuda;
    unsigned long long now = 0, high = 0;
    int code, mode;
    if (!cu->mem_pool_get_attribute) { return SF_OK; }
    code = sfi_cuda_set_mode(cu, &mode);
    if (code) { return sfi_cuda_result(pool->device, code, "sf_mem_pool_get_info", NULL); }
    code = cu->mem_pool_get_attribute(pool->native, SFI_CUDA_POOL_RESERVED, &now);
    if (!code) { code = cu->mem_pool_get_attribute(pool->native, SFI_CUDA_POOL_RESERVED_HIGH, &high); }
    sfi_cuda_reset_mode(cu, mode);
    info->reserved = (size_t)now;
    info->reserved_high = (size_t)high;
    return sfi_cuda_result(pool->device, code, "sf_mem_pool_get_info", NULL);
}

static sf_result sfi_cuda_set(sf_stream *s, void *dst, uint8_t value, size_t bytes)
{
    int code;
    SFI_CUDA_WORK(s, code, s->device->cuda->memset_async((sfi_cuda_ptr)(uintptr_t)dst, value, bytes, s->native));
    return sfi_cuda_result(s->device, code, "sf_memset_async", sfi_stream_name(s));
}
static sf_result sfi_cuda_copy(sf_stream *s, const sfi_rect *rect)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_ptr dst = (sfi_cuda_ptr)(uintptr_t)rect->dst, src = (sfi_cuda_ptr)(uintptr_t)rect->src;
    sfi_cuda_copy_2d copy;
    const char *call = sfi_this_thread.call; /* of two */
    int code;
    if (rect->rows == 1) {
        SFI_CUDA_WORK(s, code, cu->memcpy_async(dst, src, rect->row_bytes, s->native));
        return sfi_cuda_result(s->device, code, call, sfi_stream_name(s));
    }
    sfi_zero(&copy, sizeof copy);
    copy.src_type = copy.dst_type = SFI_CUDA_MEMORY_UNIFIED;
    copy.src = src;
    copy.src_pitch = rect->src_pitch;
    copy.dst = dst;
    copy.dst_pitch = rect->dst_pitch;
    copy.width = rect->row_bytes;
    copy.height = rect->rows;
    SFI_CUDA_WORK(s, code, cu->memcpy_2d_async(&copy, s->native));
    return sfi_cuda_result(s->device, code, call, sfi_stream_name(s));
}
static sf_result sfi_cuda_copy_peer(sf_stream *s, void *dst, sf_device *to, const void *src, sf_device *from,
                                    size_t n)
{
    int code;
    SFI_CUDA_WORK(s, code,
                  s->device->cuda->memcpy_peer_async((sfi_cuda_ptr)(uintptr_t)dst, to->cuda->context,
                                                     (sfi_cuda_ptr)(uintptr_t)src, from->cuda->context, n,
                                                     s->native));
    return sfi_cuda_result(s->device, code, "sf_memcpy_peer_async", sfi_stream_name(s));
}
static sf_result sfi_cuda_prefetch(sf_stream *s, const void *ptr, size_t bytes, bool to_host)
{
    sfi_cuda *cu = s->device->cuda;
    int code;
    if (!cu->mem_prefetch_async) {
        return sfi_cuda_missing(s->device, "sf_mem_prefetch_async", "cuMemPrefetchAsync");
    }
    if (sfi_cuda_skips(s)) { return SF_OK; }
    SFI_CUDA_GIVE(s, code, cu->mem_prefetch_async((sfi_cuda_ptr)(uintptr_t)ptr, bytes, to_host ? -1 : cu->device,
                                                  s->native));
    return sfi_cuda_result(s->device, code, "sf_mem_prefetch_async", sfi_stream_name(s));
}

/* A host function or callback of the user's, wrapped so that library calls in it are refused as on the host. Listed
   until it ran: after a fault host functions never do. Captured ones belong to their graph. */
typedef struct sfi_cuda_call {
    struct sfi_cuda_call *next, *previous;
    sf_device *device;
    sf_stream *stream;
    sf_host_func func;
    sf_stream_callback callback;
    void *user;
    sf_heap heap;
} sfi_cuda_call;

static sfi_cuda_call *sfi_cuda_new_call(sf_device *device, sf_host_func func, void *user)
{
    sfi_cuda_call *call = (sfi_cuda_call *)sfi_alloc_zeroed(&device->heap, sizeof *call);
    if (!call) { return NULL; }
    call->device = device;
    call->func = func;
    call->user = user;
    call->heap = device->heap;
    return call;
}
static void sfi_cuda_list_call(sfi_cuda_call *call)
{
    sfi_cuda *cu = call->device->cuda;
    sfi_spin_lock(&cu->busy);
    call->next = cu->calls;
    if (cu->calls) { cu->calls->previous = call; }
    cu->calls = call;
    sfi_spin_unlock(&cu->busy);
}
static void sfi_cuda_end_call(sfi_cuda_call *call)
{
    sfi_cuda *cu = call->device->cuda;
    sfi_spin_lock(&cu->busy);
    if (call->previous) { call->previous->next = call->next; } else { cu->calls = call->next; }
    if (call->next) { call->next->previous = call->previous; }
    sfi_spin_unlock(&cu->busy);
    sfi_free(&call->heap, call);
}
static void sfi_cuda_call_again(void *arg)
{
    const sfi_cuda_call *call = (const sfi_cuda_call *)arg;
    sfi_this_thread.in_host_func = true;
    call->func(call->user);
    sfi_this_thread.in_host_func = false;
}
static void sfi_cuda_call_once(void *arg)
{
    sfi_cuda_call_again(arg);
    sfi_cuda_end_call((sfi_cuda_call *)arg);
}
static void sfi_cuda_call_back(void *stream, int code, void *arg)
{
    sfi_cuda_call *call = (sfi_cuda_call *)arg;
    (void)stream;
    if (sfi_cuda_is_fault(code)) { (void)sfi_cas(&call->device->fault, 0, (uint32_t)code); }
    sfi_this_thread.in_host_func = true;
    call->callback(call->stream, (sf_result)-code, call->user);
    sfi_this_thread.in_host_func = false;
    sfi_cuda_end_call(call);
}
static void sfi_cuda_drop_call(void *arg)
{
    sfi_cuda_call *call = (sfi_cuda_call *)arg;
    sf_heap heap = call->heap;
    sfi_free(&heap, call);
}
/* A call that a graph, its copies and executables make as often as they run, and the last of them frees. */
static bool sfi_cuda_is_capturing(sf_stream *s);
static sf_result sfi_cuda_keep_call(sf_device *device, void *graph, sf_host_func func, void *user, void **kept,
                                    const char *call_name)
{
    sfi_cuda *cu = device->cuda;
    sfi_cuda_call *call = sfi_cuda_new_call(device, func, user);
    void *object = NULL;
    int code;
    if (!call) { return SF_ERROR_OUT_OF_MEMORY; }
    *kept = call;
    if (!graph || !cu->user_object_create || !cu->graph_retain_user_object || !cu->user_object_release) {
        sfi_cuda_list_call(call);            /* an executable's, or an old driver: kept until the device closes */
        return SF_OK;
    }
    code = cu->user_object_create(&object, call, sfi_cuda_drop_call, 1, 1);
    if (code) {
        sfi_free(&device->heap, call);
    } else {
        code = cu->graph_retain_user_object(graph, object, 1, 1);    /* moves our reference */
        if (code) { (void)cu->user_object_release(object, 1); }
    }
    return sfi_cuda_result(device, code, call_name, NULL);
}
static sf_result sfi_cuda_captured_host_func(sf_stream *s, void *graph, sf_host_func func, void *user)
{
    void *call = NULL;
    sf_result r = sfi_cuda_keep_call(s->device, graph, func, user, &call, "sf_launch_host_func");
    int code;
    if (r < 0) { return r; }
    SFI_CUDA_ON(s, code, s->device->cuda->launch_host_func(s->native, sfi_cuda_call_again, call));
    return sfi_cuda_result(s->device, code, "sf_launch_host_func", sfi_stream_name(s));
}
static sf_result sfi_cuda_host_func(sf_stream *s, sf_host_func func, void *user, bool own)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_call *call;
    unsigned long long id;
    void *graph = NULL;
    bool entered;
    int code, status = 0;
    sf_result r;
    if (own) {                               /* calls nothing that would have to be refused */
        SFI_CUDA_WORK(s, code, s->device->cuda->launch_host_func(s->native, func, user));
        return sfi_cuda_result(s->device, code, "sf_launch_host_func", sfi_stream_name(s));
    }
    code = sfi_cuda_refuse(s, SFI_CUDA_ADD);
    if (code) { return sfi_cuda_result(s->device, code, "sf_launch_host_func", sfi_stream_name(s)); }
    r = sfi_cuda_enter_for(s->device, &entered, "sf_launch_host_func");
    if (r < 0) { return r; }
    SFI_CUDA_ON(s, code, cu->stream_is_capturing(s->native, &status));
    if (code == -(int)SF_ERROR_CAPTURE_IMPLICIT) { code = status = 0; }      /* the launch tells it */
    if (code || status) {
        if (!code && cu->stream_get_capture_info) {
            SFI_CUDA_ON(s, code, cu->stream_get_capture_info(s->native, &status, &id, &graph, NULL, NULL, NULL));
        }
        r = code          ? sfi_cuda_result(s->device, code, "sf_launch_host_func", sfi_stream_name(s))
            : status != 1 ? SF_ERROR_CAPTURE_INVALIDATED
            : graph       ? sfi_cuda_captured_host_func(s, graph, func, user)
                          : sfi_cuda_missing(s->device, "sf_launch_host_func", "cuStreamGetCaptureInfo_v3");
        sfi_cuda_leave(s->device, entered);
        return r;
    }
    call = sfi_cuda_new_call(s->device, func, user);
    code = 2;                                /* out of memory */
    if (call) {
        sfi_cuda_list_call(call);
        code = cu->launch_host_func(s->native, sfi_cuda_call_once, call);
        if (code) { sfi_cuda_end_call(call); }
    }
    sfi_cuda_leave(s->device, entered);
    return sfi_cuda_result(s->device, code, "sf_launch_host_func", sfi_stream_name(s));
}
static sf_result sfi_cuda_callback(sf_stream *s, sf_stream_callback func, void *user)
{
    sfi_cuda_call *call;
    bool entered;
    int code = sfi_cuda_refuse(s, SFI_CUDA_OUTSIDE);
    sf_result r;
    if (code) { return sfi_cuda_result(s->device, code, "sf_stream_add_callback", sfi_stream_name(s)); }
    r = sfi_cuda_enter_for(s->device, &entered, "sf_stream_add_callback");
    if (r < 0) { return r; }
    code = 2;                                /* out of memory */
    call = sfi_cuda_new_call(s->device, NULL, user);
    if (call) {
        call->stream = s;
        call->callback = func;
        sfi_cuda_list_call(call);
        SFI_CUDA_GIVE(s, code, s->device->cuda->stream_add_callback(s->native, sfi_cuda_call_back, call, 0));
        if (code) { sfi_cuda_end_call(call); }
    }
    sfi_cuda_leave(s->device, entered);
    return sfi_cuda_result(s->device, code, "sf_stream_add_callback", sfi_stream_name(s));
}
static sf_result sfi_cuda_attach(sf_stream *s, void *ptr, size_t bytes, uint32_t flags)
{
    int code = sfi_cuda_refuse(s, SFI_CUDA_OUTSIDE);
    if (!code) {
        SFI_CUDA_GIVE(s, code, s->device->cuda->stream_attach_mem_async(s->native, (sfi_cuda_ptr)(uintptr_t)ptr,
                                                                        bytes, flags));
    }
    return sfi_cuda_result(s->device, code, "sf_stream_attach_mem_async", sfi_stream_name(s));
}
static sf_result sfi_cuda_copy_attributes(sf_stream *dst, const sf_stream *src)
{
    sfi_cuda *cu = dst->device->cuda;
    int code, priority = 0;
    if (!cu->stream_copy_attributes) {
        return sfi_cuda_missing(dst->device, "sf_stream_copy_attributes", "cuStreamCopyAttributes");
    }
    SFI_CUDA_IN_CONTEXT(dst->device, code, cu->stream_copy_attributes(dst->native, src->native));
    if (!code && !cu->stream_get_priority(dst->native, &priority)) {
        sfi_lock(&dst->device->lock);
        dst->priority = priority;
        sfi_unlock(&dst->device->lock);
    }
    return sfi_cuda_result(dst->device, code, "sf_stream_copy_attributes", sfi_stream_name(dst));
}
static sf_result sfi_cuda_write_value(sf_stream *s, void *ptr, uint64_t value, uint32_t bytes, uint32_t flags)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_ptr p = (sfi_cuda_ptr)(uintptr_t)ptr;
    int code;
    if (bytes == 4 && !cu->stream_write_value32) {
        return sfi_cuda_missing(s->device, "sf_stream_write_value32", "cuStreamWriteValue32_v2");
    }
    if (bytes == 8 && !cu->stream_write_value64) {
        return sfi_cuda_missing(s->device, "sf_stream_write_value64", "cuStreamWriteValue64_v2");
    }
    code = sfi_cuda_refuse(s, SFI_CUDA_ADD);
    if (!code) {
        SFI_CUDA_MAY_BLOCK(s, code,
                           bytes == 4 ? cu->stream_write_value32(s->native, p, (uint32_t)value, flags)
                                      : cu->stream_write_value64(s->native, p, value, flags));
    }
    return sfi_cuda_result(s->device, code, bytes == 4 ? "sf_stream_write_value32" : "sf_stream_write_value64",
                           sfi_stream_name(s));
}
static sf_result sfi_cuda_wait_value(sf_stream *s, const void *ptr, uint64_t value, uint32_t bytes, uint32_t flags)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_ptr p = (sfi_cuda_ptr)(uintptr_t)ptr;
    int code;
    if (bytes == 4 && !cu->stream_wait_value32) {
        return sfi_cuda_missing(s->device, "sf_stream_wait_value32", "cuStreamWaitValue32_v2");
    }
    if (bytes == 8 && !cu->stream_wait_value64) {
        return sfi_cuda_missing(s->device, "sf_stream_wait_value64", "cuStreamWaitValue64_v2");
    }
    code = sfi_cuda_refuse(s, SFI_CUDA_ADD);
    if (!code) {
        SFI_CUDA_MAY_BLOCK(s, code,
                           bytes == 4 ? cu->stream_wait_value32(s->native, p, (uint32_t)value, flags)
                                      : cu->stream_wait_value64(s->native, p, value, flags));
    }
    return sfi_cuda_result(s->device, code, bytes == 4 ? "sf_stream_wait_value32" : "sf_stream_wait_value64",
                           sfi_stream_name(s));
}
static sf_result sfi_cuda_launch(sf_stream *s, const sf_kernel *kernel, const void *args, size_t bytes)
{
    int code;
    (void)bytes;                             /* the launcher's <<<>>> copies what it passes on */
    if (!kernel->cuda) {
        return sfi_device_fail(s->device, SF_ERROR_NOT_SUPPORTED, "sf_launch", kernel->name,
                               "the kernel has no CUDA body: set sf_kernel.cuda; SF_CUDA_BODY() needs "
                               "-DSF_WITH_CUDA_BODIES and the .cu file");
    }
    code = sfi_cuda_refuse(s, SFI_CUDA_ADD);
    if (!code) { SFI_CUDA_IN_CONTEXT(s->device, code, kernel->cuda(s->native, args)); }      /* anything is called */
    return sfi_cuda_result(s->device, code < 0 ? -code : code, "sf_launch", kernel->name);
}

/* -- capture -- */

/* Dependencies as the driver wants them: two arrays, in one block. */
typedef struct sfi_cuda_after { void **nodes; sfi_cuda_edge *edges; size_t count; } sfi_cuda_after;
static sf_result sfi_cuda_after_make(sf_device *device, sfi_cuda_after *to, const sf_dependency *after, int count)
{
    int i;
    sfi_zero(to, sizeof *to);
    if (!count) { return SF_OK; }
    to->nodes = (void **)sfi_alloc_zeroed(&device->heap, (size_t)count * (sizeof(void *) + sizeof(sfi_cuda_edge)));
    if (!to->nodes) { return SF_ERROR_OUT_OF_MEMORY; }
    to->edges = (sfi_cuda_edge *)(void *)(to->nodes + count);
    to->count = (size_t)count;
    for (i = 0; i < count; i++) {
        to->nodes[i] = after[i].node->native;
        if (after[i].type == SF_EDGE_FULL) { continue; }
        to->edges[i].type = SFI_CUDA_EDGE_PROGRAMMATIC;
        to->edges[i].from_port =
            after[i].type == SF_EDGE_PROGRAMMATIC ? SFI_CUDA_PORT_PROGRAMMATIC : SFI_CUDA_PORT_LAUNCH_ORDER;
    }
    return SF_OK;
}

static bool sfi_cuda_is_spoiled(sf_stream *s)                /* of the captures that the driver takes for sound */
{
    bool is;
    if (!sfi_load(&s->device->capturing)) { return false; }
    sfi_lock(&s->device->lock);
    is = s->capture && s->capture->invalid;
    sfi_unlock(&s->device->lock);
    return is;
}
static sf_result sfi_cuda_capture_status(sf_stream *s, sf_capture_status *status)
{
    int now = 0, code;
    if (sfi_cuda_is_spoiled(s)) {
        *status = SF_CAPTURE_INVALIDATED;
        return SF_OK;
    }
    SFI_CUDA_ON(s, code, s->device->cuda->stream_is_capturing(s->native, &now));
    if (!code) { *status = (sf_capture_status)now; }
    return sfi_cuda_result(s->device, code, "sf_stream_is_capturing", sfi_stream_name(s));
}
static bool sfi_cuda_is_capturing(sf_stream *s)
{
    int now = 0, code;
    SFI_CUDA_ON(s, code, s->device->cuda->stream_is_capturing(s->native, &now));
    return !code && now;
}
/* The graph of the capture that a stream takes part in, if we began it; and the driver's. */
static sf_graph *sfi_cuda_captured_graph(sf_stream *s, void **native, int *code)
{
    const sfi_cuda *cu = s->device->cuda;
    unsigned long long id = 0;
    int status = 0;
    const sfi_capture *c;
    sf_graph *graph;
    *code = 0;
    if (!cu->stream_get_capture_info) { return NULL; }
    SFI_CUDA_ON(s, *code, cu->stream_get_capture_info(s->native, &status, &id, native, NULL, NULL, NULL));
    if (*code || status != 1) { return NULL; }
    sfi_lock(&s->device->lock);
    c = sfi_find_capture(s->device, id);
    graph = c ? c->graph : NULL;
    sfi_unlock(&s->device->lock);
    return graph;
}
static sf_result sfi_cuda_capture_begin(sf_stream *s, sf_graph *graph, const sf_dependency *after, int count,
                                        sf_capture_mode mode)
{
    sf_device *device = s->device;
    sfi_cuda *cu = device->cuda;
    bool lent = graph != NULL, entered = false;
    const char *call = lent ? "sf_stream_begin_capture_to_graph" : "sf_stream_begin_capture";
    unsigned long long id = 0;
    void *dropped = NULL;
    sfi_cuda_after deps;
    sfi_capture *c = NULL;
    int code = s == device->legacy ? -(int)SF_ERROR_CAPTURE_UNSUPPORTED : 0, status;
    sf_result r = sfi_cuda_after_make(device, &deps, after, count);
    if (r >= 0 && lent && !cu->stream_begin_capture_to_graph) {
        r = sfi_cuda_missing(device, "sf_stream_begin_capture_to_graph", "cuStreamBeginCaptureToGraph");
    }
    if (r >= 0 && lent && !graph->native) { r = SF_ERROR_INVALID_VALUE; }
    sfi_lock(&device->lock);
    if (!code && (s->capture || (lent && graph->capturing))) { code = -(int)SF_ERROR_ILLEGAL_STATE; }
    if (r >= 0 && !code && !lent) { r = sfi_graph_new(device, NULL, &graph); }
    if (r >= 0 && !code) { r = sfi_capture_start(s, graph, lent, mode, 0, &c); }
    if (r < 0 && !lent && graph) { sfi_graph_free(graph); }
    sfi_unlock(&device->lock);
    if (c) {
        code = sfi_cuda_push(device, &entered);              /* default streams have no context of their own */
        if (code) {
            /* told below */
        } else {
            if (sfi_cuda_is_body(c)) { mode = SF_CAPTURE_RELAXED; }  /* ours to keep; so any thread can end it well */
            SFI_CUDA_HELD(device, code,
                          lent ? cu->stream_begin_capture_to_graph(s->native, graph->native, deps.nodes, deps.edges,
                                                                   deps.count, (int)mode)
                               : cu->stream_begin_capture(s->native, (int)mode));
        }
        if (!code && cu->stream_get_capture_info) {
            SFI_CUDA_ON(s, code, cu->stream_get_capture_info(s->native, &status, &id, NULL, NULL, NULL, NULL));
            if (code) {
                bool held = sfi_cuda_hold(device);
                (void)cu->stream_end_capture(s->native, &dropped);
                sfi_cuda_let(device, held);
            }
            if (code && dropped && !lent) { (void)cu->graph_destroy(dropped); }
        }
        sfi_cuda_leave(device, entered);
        sfi_lock(&device->lock);
        if (!cu->stream_get_capture_info) { id = ++device->last_id; }        /* an older driver: a number of ours */
        c->id = id;
        if (code || !id) {                   /* or another thread has ended or spoiled it already */
            (void)sfi_capture_over(c);
            if (!lent) { sfi_graph_free(graph); }
        } else if (sfi_cuda_is_body(c)) {
            s->capture = c;
        }
        sfi_unlock(&device->lock);
    }
    sfi_free(&device->heap, deps.nodes);
    return r < 0 ? r : sfi_cuda_result(device, code, call, sfi_stream_name(s));
}
/* An invalid capture into a body that the driver knows of: by calls that were not ours. The stream is replaced. */
static void sfi_cuda_abandon(sf_stream *s)                   /* lock held, in the context */
{
    sfi_cuda *cu = s->device->cuda;
    void *fresh = NULL;
    if (!s->wrapped && !cu->stream_create(&fresh, s->flags & SF_STREAM_NON_BLOCKING, s->priority)) {
        (void)cu->stream_destroy(s->native);                 /* and the capture with it; not a foreign one */
        s->native = fresh;
    }
}
static sf_result sfi_cuda_read_capture(sf_stream *s, sf_capture_info *info, sf_dependency *after, int max, int *code);
/* What the next node of a stream would come after, read from the driver. */
static sf_result sfi_cuda_read_after(sf_stream *s, int *code)
{
    const sf_heap *heap = &s->device->heap;
    sf_capture_info info;
    sf_dependency *after;
    sf_result r;
    sfi_zero(&info, sizeof info);
    r = sfi_cuda_read_capture(s, &info, NULL, 0, code);
    if (r < 0 || *code || !info.dependencies) { return r; }
    after = (sf_dependency *)sfi_alloc_zeroed(heap, (size_t)info.dependencies * sizeof *after);
    if (!after) { return SF_ERROR_OUT_OF_MEMORY; }
    r = sfi_cuda_read_capture(s, &info, after, info.dependencies, code);
    if (r >= 0 && !*code) { r = sfi_after_set(heap, &s->after, after, (uint32_t)info.dependencies); }
    sfi_free(heap, after);
    return r;
}
/* What is wrong with a capture into a body that ends: 0 or CUDA's code. */
static int sfi_cuda_check_end(const sfi_capture *c)
{
    const sf_device *device = c->origin->device;
    sf_stream *s;
    sf_result r = SF_OK;
    int code = 0;
    bool alone = true;
    for (s = device->first_stream; s; s = s->next_stream) {
        if (s->capture != c) { continue; }
        s->after.count = 0;                  /* of a capture before */
        alone = alone && s == c->origin;
    }
    for (s = device->first_stream; s && !alone && !c->invalid && r >= 0 && !code; s = s->next_stream) {
        if (s->capture == c) { r = sfi_cuda_read_after(s, &code); }
    }
    if (r >= 0 && !code) { r = sfi_host_check_end(c->origin); }
    return code ? code : -(int)r;
}
/* Who has not come back does: the driver must find nothing wrong. */
static void sfi_cuda_join_all(const sfi_capture *c)
{
    const sf_device *device = c->origin->device;
    sfi_cuda *cu = device->cuda;
    sf_stream *s;
    for (s = device->first_stream; s; s = s->next_stream) {
        unsigned long long id = 0;
        void *const *nodes = NULL;
        const sfi_cuda_edge *edges = NULL;
        size_t count = 0;
        int status = 0;
        if (s->capture != c || s == c->origin || !cu->stream_get_capture_info || !cu->stream_update_capture) {
            continue;
        }
        if (!cu->stream_get_capture_info(s->native, &status, &id, NULL, &nodes, &edges, &count) &&
            status == SF_CAPTURE_ACTIVE && id == c->id && count) {
            (void)cu->stream_update_capture(c->origin->native, (void **)(uintptr_t)nodes, edges, count,
                                            SF_CAPTURE_ADD_DEPENDENCIES);
        }
    }
}
/* Ends a capture into a body so that the driver survives it. */
static int sfi_cuda_end_body(const sfi_capture *c)           /* lock held, in the context */
{
    sfi_cuda *cu = c->origin->device->cuda;
    void *native = NULL;
    int now = 0, wrong, code;
    if (!c->graph) { return -(int)SF_ERROR_CAPTURE_INVALIDATED; }            /* ended with the one around it */
    code = cu->stream_is_capturing(c->origin->native, &now);
    if (!code && now == SF_CAPTURE_INVALIDATED) {            /* it is given up, and with it the graph around it */
        sfi_graph_root(c->graph)->spoiled = true;
        sfi_cuda_abandon(c->origin);
        return -(int)SF_ERROR_CAPTURE_INVALIDATED;
    }
    wrong = code ? code : sfi_cuda_check_end(c);
    if (wrong) { sfi_cuda_join_all(c); }
    code = cu->stream_end_capture(c->origin->native, &native);
    return wrong ? wrong : code;
}
/* Captures into bodies of a graph that another one captures. */
static bool sfi_cuda_is_within(const sfi_capture *c, const sfi_capture *around)
{
    return c != around && c->id && c->graph && around->graph && sfi_graph_root(c->graph) == around->graph;
}
static bool sfi_cuda_is_around(const sfi_capture *c)         /* lock held */
{
    const sfi_capture *other = c->origin->device->captures;
    while (other && !sfi_cuda_is_within(other, c)) { other = other->next; }
    return other != NULL;
}
/* The graph goes away: a driver whose graph went before crashes when it captures on. Ours wait to be told so. */
static void sfi_cuda_end_within(const sfi_capture *around)   /* lock held, in the context */
{
    sfi_capture *c;
    for (c = around->origin->device->captures; c; c = c->next) {
        if (!sfi_cuda_is_within(c, around)) { continue; }
        (void)sfi_cuda_end_body(c);
        c->invalid = true;
        c->graph->capturing = false;
        c->graph = NULL;
    }
}
/* Does a capture around others end well, as far as our streams show? If not, the driver destroys its graph. */
static bool sfi_cuda_ends_well(sfi_capture *c)               /* lock held, in the context */
{
    const sf_device *device = c->origin->device;
    sf_stream *s;
    bool well;
    for (s = device->first_stream; s; s = s->next_stream) {
        unsigned long long id = 0;
        int status = 0;
        if (s == device->legacy || s->capture || !device->cuda->stream_get_capture_info) { continue; }
        (void)device->cuda->stream_get_capture_info(s->native, &status, &id, NULL, NULL, NULL, NULL);
        if (status == SF_CAPTURE_ACTIVE && id == c->id) { s->capture = c; }      /* only while we look */
    }
    well = c->origin->capture == c && !sfi_cuda_check_end(c);
    for (s = device->first_stream; s; s = s->next_stream) {
        if (s->capture == c) { s->capture = NULL; }
    }
    return well;
}
/* The origin of a capture goes away. */
static void sfi_cuda_leave_capture(sf_stream *s)             /* lock held */
{
    sfi_capture *c = sfi_capture_of(s);
    bool entered;
    if (!c || !c->id || !(sfi_cuda_is_body(c) || sfi_cuda_is_around(c)) || sfi_cuda_push(s->device, &entered)) {
        return;
    }
    sfi_lock(&s->device->cuda->capture_lock);
    sfi_cuda_end_within(c);
    if (sfi_cuda_is_body(c)) { (void)sfi_cuda_end_body(c); }
    sfi_unlock(&s->device->cuda->capture_lock);
    sfi_cuda_leave(s->device, entered);
}
static sf_result sfi_cuda_capture_end(sf_stream *s, sf_graph **graph)
{
    sf_device *device = s->device;
    sfi_cuda *cu = device->cuda;
    sf_graph *ended = NULL;
    sfi_capture *c;
    void *native = NULL;
    bool lent = false, entered = false, looks;
    uint64_t id;
    int code;
    sf_result r;
    sfi_lock(&device->lock);
    r = sfi_host_check_implicit(s, true);
    if (r >= 0 && s->capture && s->capture->origin != s) {
        s->capture->invalid = true;
        r = SF_ERROR_CAPTURE_UNMATCHED;
    }
    for (c = device->captures; c && (c->origin != s || !c->id); c = c->next) {}      /* not one that only begins */
    id = c ? c->id : 0;
    looks = c && (sfi_cuda_is_body(c) || sfi_cuda_is_around(c));
    sfi_unlock(&device->lock);
    if (r < 0) { return sfi_cuda_result(device, -(int)r, "sf_stream_end_capture", sfi_stream_name(s)); }
    if ((uintptr_t)s->native <= 2 || looks) { /* default streams have no context of their own */
        r = sfi_cuda_enter_for(device, &entered, "sf_stream_end_capture");
        if (r < 0) { return r; }
    }
    sfi_lock(&device->lock);                 /* nobody looks at its nodes meanwhile */
    c = id ? sfi_find_capture(device, id) : NULL;            /* unless another thread was quicker */
    sfi_lock(&cu->capture_lock);
    if (c && looks && sfi_cuda_is_around(c)) {
        bool stays = (graph || c->lent) && sfi_cuda_ends_well(c);
        if (!stays) { sfi_cuda_end_within(c); }
    }
    code = sfi_cuda_is_body(c) ? sfi_cuda_end_body(c) : cu->stream_end_capture(s->native, &native);
    sfi_unlock(&cu->capture_lock);
    if (c) {
        lent = c->lent;
        ended = sfi_capture_over(c);
    } else if (!code) {
        r = sfi_graph_new(device, NULL, &ended);             /* somebody else began it */
    }
    if (ended && !lent) { ended->native = native; }
    if (ended && lent && code && !ended->parent) { ended->native = NULL; }       /* the driver has destroyed it */
    if (ended && !lent && (code || !graph)) { sfi_graph_free(ended); }
    sfi_unlock(&device->lock);
    sfi_cuda_leave(device, entered);
    if (!code && graph) { *graph = ended; }
    return code ? sfi_cuda_result(device, code, "sf_stream_end_capture", sfi_stream_name(s)) : r;
}
static sf_result sfi_cuda_mirror(sf_graph *graph, int *code);
/* Under the lock, so that no other thread ends the capture meanwhile and takes the nodes away. */
static sf_result sfi_cuda_read_capture(sf_stream *s, sf_capture_info *info, sf_dependency *after, int max, int *code)
{
    sf_device *device = s->device;
    unsigned long long id = 0;
    void *native = NULL, *const *nodes = NULL;
    const sfi_cuda_edge *edges = NULL;
    size_t count = 0, i;
    sfi_capture *c;
    sf_graph *graph;
    int status = 0;
    sf_result r = SF_OK;
    if (s->capture && s->capture->invalid) {
        info->status = SF_CAPTURE_INVALIDATED;
        return SF_OK;
    }
    *code = device->cuda->stream_get_capture_info(s->native, &status, &id, &native, &nodes, &edges, &count);
    if (*code) { return SF_OK; }
    info->status = (sf_capture_status)status;
    if (status != SF_CAPTURE_ACTIVE) { return SF_OK; }
    c = sfi_find_capture(device, id);
    graph = c ? c->graph : NULL;             /* NULL: somebody else began it */
    info->id = id;
    info->graph = graph;
    info->dependencies = (int32_t)count;
    if (graph) { graph->native = native; }
    if (!graph || !max) { return SF_OK; }    /* the nodes need not be known */
    r = sfi_cuda_mirror(graph, code);
    for (i = 0; i < count && (int)i < max && r >= 0 && !*code; i++) {
        uint32_t k = 0;
        while (k < graph->count && graph->nodes[k]->native != nodes[i]) { k++; }
        after[i].node = k < graph->count ? graph->nodes[k] : NULL;
        after[i].type = !edges || !edges[i].from_port                      ? SF_EDGE_FULL
                        : edges[i].from_port == SFI_CUDA_PORT_PROGRAMMATIC ? SF_EDGE_PROGRAMMATIC
                                                                           : SF_EDGE_LAUNCH_ORDER;
    }
    return r;
}
static sf_result sfi_cuda_capture_info(sf_stream *s, sf_capture_info *info, sf_dependency *after, int max)
{
    static const char call[] = "sf_stream_get_capture_info";
    sf_device *device = s->device;
    bool entered;
    int code = 0;
    sf_result r;
    if (!device->cuda->stream_get_capture_info) {
        return sfi_cuda_missing(device, call, "cuStreamGetCaptureInfo_v3");
    }
    if (max && !device->cuda->graph_node_get_dependencies) {
        return sfi_cuda_missing(device, call, "cuGraphNodeGetDependencies_v2");
    }
    r = sfi_cuda_enter_for(device, &entered, call);
    if (r < 0) { return r; }
    sfi_lock(&device->lock);
    sfi_lock(&device->cuda->capture_lock);
    r = sfi_cuda_read_capture(s, info, after, max, &code);
    sfi_unlock(&device->cuda->capture_lock);
    sfi_unlock(&device->lock);
    sfi_cuda_leave(device, entered);
    return r < 0 ? r : sfi_cuda_result(device, code, call, sfi_stream_name(s));
}
static sf_result sfi_cuda_capture_update(sf_stream *s, const sf_dependency *after, int count, uint32_t flags)
{
    sf_device *device = s->device;
    sfi_cuda *cu = device->cuda;
    sfi_cuda_after deps;
    bool entered;
    sf_result r;
    int code = 0;
    if (!cu->stream_update_capture) {
        return sfi_cuda_missing(device, "sf_stream_update_capture_dependencies",
                                "cuStreamUpdateCaptureDependencies_v2");
    }
    r = sfi_cuda_after_make(device, &deps, after, count);
    if (r < 0) { return r; }
    r = sfi_cuda_enter_for(device, &entered, "sf_stream_update_capture_dependencies");
    if (r >= 0) {
        code = s == device->legacy ? -(int)SF_ERROR_ILLEGAL_STATE : sfi_cuda_refuse(s, SFI_CUDA_ADD);
        if (!code) {
            SFI_CUDA_ON(s, code, cu->stream_update_capture(s->native, deps.nodes, deps.edges, deps.count, flags));
        }
        sfi_cuda_leave(device, entered);
    }
    sfi_free(&device->heap, deps.nodes);
    return r < 0 ? r : sfi_cuda_result(device, code, "sf_stream_update_capture_dependencies", sfi_stream_name(s));
}
static sf_result sfi_cuda_capture_free(sf_stream *s, void *ptr)
{
    sf_device *device = s->device;
    sf_graph *graph;
    sfi_graph_memory *m;
    void *native;
    bool kept;
    int code;
    if (!device->cuda->mem_free_async) { return sfi_cuda_missing(device, "sf_mem_free_async", "cuMemFreeAsync"); }
    SFI_CUDA_WORK(s, code, device->cuda->mem_free_async((sfi_cuda_ptr)(uintptr_t)ptr, s->native));
    graph = code ? NULL : sfi_cuda_captured_graph(s, &native, &code);
    sfi_lock(&device->lock);
    m = sfi_find_graph_memory(device, ptr);
    kept = !graph || !m || sfi_memories_add(&device->heap, &graph->freed, m);
    sfi_unlock(&device->lock);
    if (!kept) { return sfi_out_of_memory(&device->heap); }
    return sfi_cuda_result(device, code, "sf_mem_free_async", sfi_stream_name(s));
}

/* -- graphs -- */

static const int sfi_cuda_node_types[] = { 5, 0, 1, 2, 3, 4, 7, 6, 10, 11, 12, 13 };  /* by sf_node_type */
static sf_node_type sfi_cuda_node_type(int type)
{
    uint32_t i;
    for (i = 0; i < SFI_COUNT(sfi_cuda_node_types); i++) {
        if (sfi_cuda_node_types[i] == type) { return (sf_node_type)i; }
    }
    return SF_NODE_EMPTY;                    /* semaphores and the like: none of ours */
}
static sf_result sfi_cuda_graph_create(sf_graph *graph)
{
    int code = graph->device->cuda->graph_create(&graph->native, 0);
    return sfi_cuda_result(graph->device, code, "sf_graph_create", NULL);
}
static void sfi_cuda_graph_destroy(sf_graph *graph)
{
    if (graph->spoiled) { return; }          /* the driver crashes: it goes with the context */
    if (graph->native && !graph->parent) { (void)graph->device->cuda->graph_destroy(graph->native); }
}
static sf_result sfi_cuda_name_copy(const sf_graph *from, sf_graph *to, const char *call);
static sf_result sfi_cuda_graph_clone(const sf_graph *graph, sf_graph *clone)
{
    sfi_cuda *cu = graph->device->cuda;
    int code;
    sfi_lock(&cu->graph_lock);
    code = cu->graph_clone(&clone->native, graph->native);
    sfi_unlock(&cu->graph_lock);
    return code ? sfi_cuda_result(graph->device, code, "sf_graph_clone", NULL)
                : sfi_cuda_name_copy(graph, clone, "sf_graph_clone");
}

/* -- the mirror of a driver's graph -- */

static void sfi_cuda_mirror_node(sf_graph *graph, void *native, uint32_t at, sf_result *r, int *code)
{
    sf_graph_node *node;
    uint32_t i;
    int type = 0;
    for (i = at; i < graph->count && graph->nodes[i]->native != native; i++) {}
    if (i == graph->count) {
        *code = graph->device->cuda->graph_node_get_type(native, &type);
        if (*code) { return; }
        node = sfi_node_new(graph, sfi_cuda_node_type(type), NULL, NULL, 0, r);
        if (!node) { return; }
        node->native = native;
    }
    node = graph->nodes[i];                  /* to its place in the driver's order */
    graph->nodes[i] = graph->nodes[at];
    graph->nodes[i]->index = i;
    graph->nodes[at] = node;
    node->index = at;
    if (node->type == SF_NODE_CHILD && !node->body_count) {
        *r = sfi_node_make_bodies(node, 1);
        if (*r >= 0) { *r = sfi_graph_new(graph->device, graph, &node->bodies[0]); }
        if (*r >= 0) { *code = graph->device->cuda->graph_child_get_graph(native, &node->bodies[0]->native); }
    }
}
static sf_result sfi_cuda_mirror_edges(sf_graph *graph, sf_graph_node *node, void **natives, sfi_cuda_edge *edges,
                                       int *code)
{
    sfi_cuda *cu = graph->device->cuda;
    size_t count = 0, i;
    sf_result r = SF_OK;
    *code = cu->graph_node_get_dependencies(node->native, NULL, NULL, &count);
    if (!*code && count) { *code = cu->graph_node_get_dependencies(node->native, natives, edges, &count); }
    if (*code) { return SF_OK; }
    node->after.count = 0;
    for (i = 0; i < count; i++) {
        uint32_t k = node->index;            /* mostly a little before it */
        sf_dependency d;
        while (k-- > 0 && graph->nodes[k]->native != natives[i]) {}
        if (k == UINT32_MAX) {
            for (k = node->index; k < graph->count && graph->nodes[k]->native != natives[i]; k++) {}
        }
        if (k >= graph->count) { continue; }
        d.node = graph->nodes[k];
        d.type = !edges[i].from_port                                ? SF_EDGE_FULL
                 : edges[i].from_port == SFI_CUDA_PORT_PROGRAMMATIC ? SF_EDGE_PROGRAMMATIC
                                                                    : SF_EDGE_LAUNCH_ORDER;
        if (!sfi_after_add(&graph->device->heap, &node->after, d)) { r = SF_ERROR_OUT_OF_MEMORY; }
    }
    return r;
}
static sf_result sfi_cuda_mirror(sf_graph *graph, int *code)                 /* lock held: nothing is logged */
{
    sf_device *device = graph->device;
    sfi_cuda *cu = device->cuda;
    size_t count = 0, i;
    void **natives;
    sf_result r = SF_OK;
    *code = cu->graph_get_nodes(graph->native, NULL, &count);
    if (*code || !count) { return SF_OK; }
    natives = (void **)sfi_alloc(&device->heap, count * (2 * sizeof(void *) + sizeof(sfi_cuda_edge)));
    if (!natives) { return SF_ERROR_OUT_OF_MEMORY; }
    *code = cu->graph_get_nodes(graph->native, natives, &count);
    for (i = 0; i < count && !*code && r >= 0; i++) {
        sfi_cuda_mirror_node(graph, natives[i], (uint32_t)i, &r, code);
    }
    for (i = 0; i < count && !*code && r >= 0; i++) {
        r = sfi_cuda_mirror_edges(graph, graph->nodes[i], natives + count,
                                  (sfi_cuda_edge *)(void *)(natives + 2 * count), code);
    }
    sfi_free(&device->heap, natives);
    return r;
}
static sf_result sfi_cuda_mirror_all(sf_graph *graph, bool within, int *code)
{
    sf_result r = graph->native ? sfi_cuda_mirror(graph, code) : SF_ERROR_INVALID_VALUE;
    uint32_t i, k;
    for (i = 0; i < graph->count && within; i++) {
        for (k = 0; k < graph->nodes[i]->body_count && !*code && r >= 0; k++) {
            r = sfi_cuda_mirror_all(graph->nodes[i]->bodies[k], true, code);
        }
    }
    return r;
}
static sf_result sfi_cuda_graph_refresh(sf_graph *graph, bool within, const char *call)
{
    sf_device *device = graph->device;
    sf_result r;
    int code = 0;
    if (!device->cuda->graph_node_get_dependencies) {
        return sfi_cuda_missing(device, call, "cuGraphNodeGetDependencies_v2");
    }
    sfi_lock(&device->cuda->graph_lock);
    sfi_lock(&device->lock);
    r = sfi_cuda_mirror_all(graph, within, &code);
    sfi_unlock(&device->lock);
    sfi_unlock(&device->cuda->graph_lock);
    if (r == SF_ERROR_INVALID_VALUE) {
        return sfi_device_fail(device, r, call, NULL,
                               "the driver has destroyed the graph when a capture into it failed");
    }
    return r < 0 ? r : sfi_cuda_result(device, code, call, NULL);
}

/* -- nodes -- */

/* What a launcher launches, as a graph of its own: captured by a stream made for it, so that nothing that goes wrong
   there harms a graph of the user's. The caller destroys it. */
static sf_result sfi_cuda_capture_launcher(sf_device *device, const sf_kernel *kernel, const void *args,
                                           const char *call, void **graph)
{
    sfi_cuda *cu = device->cuda;
    void *stream = NULL;
    int code = cu->stream_create(&stream, SF_STREAM_NON_BLOCKING, 0), end;
    *graph = NULL;
    if (code) { return sfi_cuda_result(device, code, call, kernel->name); }
    sfi_lock(&cu->capture_lock);
    code = cu->stream_begin_capture(stream, SF_CAPTURE_RELAXED);
    sfi_unlock(&cu->capture_lock);
    if (!code) {
        code = kernel->cuda(stream, args);
        sfi_lock(&cu->capture_lock);
        end = cu->stream_end_capture(stream, graph);
        sfi_unlock(&cu->capture_lock);
        code = code ? code : end;
    }
    (void)cu->stream_destroy(stream);
    if (code && *graph) { (void)cu->graph_destroy(*graph); }
    return sfi_cuda_result(device, code < 0 ? -code : code, call, kernel->name);
}
/* The one kernel of such a graph; SF_IGNORED if there is more to it than one kernel. */
static sf_result sfi_cuda_launched_kernel(sf_device *device, void *graph, const sf_kernel *kernel, const char *call,
                                          sfi_cuda_node *p, void **native)
{
    sfi_cuda *cu = device->cuda;
    size_t count = 0, one = 1;
    int type = 0, code = cu->graph_get_nodes(graph, NULL, &count);
    if (!cu->graph_kernel_get_params) { return sfi_cuda_missing(device, call, "cuGraphKernelNodeGetParams_v2"); }
    if (!code && !count) {
        return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, call, kernel->name, "the launcher launched nothing");
    }
    if (!code && count > 1) { return SF_IGNORED; }
    if (!code) { code = cu->graph_get_nodes(graph, native, &one); }
    if (!code) { code = cu->graph_node_get_type(*native, &type); }
    if (!code && type) { return SF_IGNORED; }
    sfi_zero(p, sizeof *p);
    if (!code) { code = cu->graph_kernel_get_params(*native, &p->u.kernel); }
    return sfi_cuda_result(device, code, call, kernel->name);
}

static int sfi_cuda_pointer_type(sfi_cuda *cu, const void *ptr) /* of no memory that CUDA knows: 1, host */
{
    int type = 0;
    return cu->pointer_get_attribute(&type, SFI_CUDA_POINTER_MEMORY_TYPE, (sfi_cuda_ptr)(uintptr_t)ptr)
               ? 1
               : SFI_CUDA_MEMORY_UNIFIED;
}
/* The driver does not know a graph's memory before it is allocated. */
static bool sfi_is_mapped(sf_device *device, const void *ptr);
static bool sfi_cuda_is_pageable(sf_device *device, const void *ptr)         /* lock held */
{
    return sfi_cuda_pointer_type(device->cuda, ptr) == 1 && !sfi_is_mapped(device, ptr);
}
static void sfi_cuda_fill_copy(sfi_cuda *cu, sfi_cuda_copy_3d *copy, const sf_node_desc *desc)
{
    copy->src_type = sfi_cuda_pointer_type(cu, desc->mem.src);
    copy->src_host = desc->mem.src;
    copy->src = (sfi_cuda_ptr)(uintptr_t)desc->mem.src;
    copy->dst_type = sfi_cuda_pointer_type(cu, desc->mem.dst);
    copy->dst_host = desc->mem.dst;
    copy->dst = (sfi_cuda_ptr)(uintptr_t)desc->mem.dst;
    copy->width = desc->mem.bytes;
    copy->height = copy->depth = 1;
}
static void sfi_cuda_call_again(void *arg);
static void sfi_cuda_drop_call(void *arg);
static sf_result sfi_cuda_keep_call(sf_device *device, void *graph, sf_host_func func, void *user, void **kept,
                                    const char *call_name);

/* The driver's description of a node; all but launchers and new children. */
static sf_result sfi_cuda_fill_node(sf_device *device, void *graph, const sf_node_desc *desc, sfi_cuda_node *p)
{
    sfi_cuda *cu = device->cuda;
    sfi_zero(p, sizeof *p);
    p->type = sfi_cuda_node_types[desc->type];
    switch (desc->type) {
    case SF_NODE_KERNEL: {
        const sf_grid *g = &desc->function.grid;
        int i;
        p->u.kernel.func = desc->function.func->native;
        for (i = 0; i < 3; i++) {
            p->u.kernel.grid[i] = g->grid[i] ? g->grid[i] : 1;
            p->u.kernel.block[i] = g->block[i] ? g->block[i] : 1;
        }
        p->u.kernel.shared_bytes = g->shared_bytes;
        p->u.kernel.params = (void **)(uintptr_t)desc->function.params;
        break;
    }
    case SF_NODE_MEMCPY:
        p->u.memcpy.context = cu->context;
        sfi_cuda_fill_copy(cu, &p->u.memcpy.copy, desc);
        break;
    case SF_NODE_MEMSET:
        p->u.memset.dst = (sfi_cuda_ptr)(uintptr_t)desc->mem.dst;
        p->u.memset.value = desc->mem.value;
        p->u.memset.element = 1;
        p->u.memset.width = desc->mem.bytes;
        p->u.memset.height = 1;
        p->u.memset.context = cu->context;
        break;
    case SF_NODE_HOST:
        p->u.host.func = sfi_cuda_call_again;
        return sfi_cuda_keep_call(device, graph, desc->host.func, desc->host.user, &p->u.host.user,
                                  graph ? "sf_graph_add_node" : "sf_graph_exec_set_node");
    case SF_NODE_CHILD: p->u.child.graph = desc->child->native; break;
    case SF_NODE_EVENT_RECORD:
    case SF_NODE_EVENT_WAIT:
        p->u.event = desc->event->native;
        if (desc->type == SF_NODE_EVENT_RECORD && !desc->event->recorded) { desc->event->recorded = true; }
        break;                               /* when it is launched: that is not seen */
    case SF_NODE_MEM_ALLOC:
        p->u.alloc.props.type = p->u.alloc.props.location.type = 1;
        p->u.alloc.props.location.id = cu->device;
        p->u.alloc.bytes = desc->alloc.bytes;
        break;
    case SF_NODE_MEM_FREE: p->u.free = (sfi_cuda_ptr)(uintptr_t)desc->free; break;
    case SF_NODE_CONDITIONAL:
        p->u.conditional.handle = desc->conditional.handle;
        p->u.conditional.type = (int)desc->conditional.type;
        p->u.conditional.size = (unsigned)desc->conditional.bodies;
        p->u.conditional.context = cu->context;
        break;
    default: break;
    }
    return SF_OK;
}
/* The driver's copy of a graph has its nodes in the same order, but knows no names. */
static void sfi_cuda_copy_names(const sf_graph *from, sf_graph *to)          /* lock held */
{
    uint32_t i;
    for (i = 0; i < from->count && i < to->count; i++) {
        const sf_graph_node *old = from->nodes[i];
        sf_graph_node *node = to->nodes[i];
        if (node->type != old->type) { return; }
        sfi_copy(node->name, old->name, sizeof node->name);
        node->kernel = old->kernel;
        if (node->body_count && old->body_count) { sfi_cuda_copy_names(old->bodies[0], node->bodies[0]); }
    }
}
static sf_result sfi_cuda_name_copy(const sf_graph *from, sf_graph *to, const char *call)
{
    sf_result r = sfi_cuda_graph_refresh(to, true, call);
    sfi_lock(&to->device->lock);
    if (r >= 0) { sfi_cuda_copy_names(from, to); }
    sfi_unlock(&to->device->lock);
    return r;
}
/* What the driver told of the new node: addresses, bodies. */
static sf_result sfi_cuda_node_made(sf_graph_node *node, const sf_node_desc *desc, const sfi_cuda_node *p)
{
    sf_device *device = node->graph->device;
    sf_result r = SF_OK;
    uint32_t i;
    int code = 0;
    sfi_lock(&device->lock);
    if (desc->type == SF_NODE_MEM_ALLOC) {
        *desc->alloc.ptr = (void *)(uintptr_t)p->u.alloc.ptr;
        r = sfi_memory_new(sfi_graph_root(node->graph), *desc->alloc.ptr, desc->alloc.bytes, &node->memory);
        if (r < 0) { *desc->alloc.ptr = NULL; }
    }
    if (desc->type == SF_NODE_CONDITIONAL) { r = sfi_node_make_bodies(node, (uint32_t)desc->conditional.bodies); }
    if (desc->type == SF_NODE_CHILD) { r = sfi_node_make_bodies(node, 1); }
    for (i = 0; i < node->body_count && r >= 0; i++) {
        r = sfi_graph_new(device, node->graph, &node->bodies[i]);
        if (r >= 0 && desc->type == SF_NODE_CONDITIONAL) { node->bodies[i]->native = p->u.conditional.bodies[i]; }
        if (r >= 0 && desc->type == SF_NODE_CHILD) {
            code = device->cuda->graph_child_get_graph(node->native, &node->bodies[i]->native);
        }
    }
    sfi_unlock(&device->lock);
    if (r >= 0) { r = sfi_cuda_result(device, code, "sf_graph_add_node", desc->name); }
    return r >= 0 && desc->type == SF_NODE_CHILD
               ? sfi_cuda_name_copy(desc->child, node->bodies[0], "sf_graph_add_node")
               : r;
}
/* A launcher as a node: its kernel or, if it launches more than one, a child. */
static sf_result sfi_cuda_add_launcher(sf_graph_node *node, const sf_node_desc *desc, const sfi_cuda_after *deps)
{
    static const char call[] = "sf_graph_add_node";
    const sf_kernel *kernel = desc->kernel.func;
    sf_device *device = node->graph->device;
    sfi_cuda *cu = device->cuda;
    sfi_cuda_node p;
    void *graph, *native = NULL;
    int code;
    sf_result r = sfi_cuda_capture_launcher(device, kernel, desc->kernel.args, call, &graph);
    if (r < 0) { return r; }
    r = sfi_cuda_launched_kernel(device, graph, kernel, call, &p, &native);
    if (r == SF_IGNORED) {
        sfi_zero(&p, sizeof p);
        p.type = sfi_cuda_node_types[SF_NODE_CHILD];
        p.u.child.graph = graph;
        node->type = SF_NODE_CHILD;          /* its copy is found when the graph is looked at */
    }
    if (r >= 0) {
        code = cu->graph_add_node(&node->native, node->graph->native, deps->nodes, deps->edges, deps->count, &p);
        if (!code && r == SF_OK && cu->graph_kernel_copy_attributes) {
            code = cu->graph_kernel_copy_attributes(node->native, native);   /* clusters and the like */
        }
        r = sfi_cuda_result(device, code, call, kernel->name);
    }
    (void)cu->graph_destroy(graph);
    return r;
}
static sf_result sfi_cuda_add_in_context(sf_graph_node *node, const sf_node_desc *desc, const sfi_cuda_after *deps)
{
    sf_device *device = node->graph->device;
    sfi_cuda *cu = device->cuda;
    sfi_cuda_node p;
    sf_result r;
    bool pageable;
    int code;
    if (!cu->graph_add_node) { return sfi_cuda_missing(device, "sf_graph_add_node", "cuGraphAddNode_v2"); }
    if (desc->type == SF_NODE_KERNEL && !desc->function.func) {
        node->kernel = desc->kernel.func->name;
        return sfi_cuda_add_launcher(node, desc, deps);
    }
    r = sfi_cuda_fill_node(device, node->graph->native, desc, &p);
    if (r < 0) { return r; }
    code = cu->graph_add_node(&node->native, node->graph->native, deps->nodes, deps->edges, deps->count, &p);
    sfi_lock(&device->lock);
    pageable = code && desc->type == SF_NODE_MEMSET && sfi_cuda_is_pageable(device, desc->mem.dst);
    sfi_unlock(&device->lock);
    if (pageable) {
        return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, "sf_graph_add_node", desc->name,
                               "CUDA sets no pageable memory: use SF_MEMORY_PINNED");
    }
    if (code) { return sfi_cuda_result(device, code, "sf_graph_add_node", desc->name); }
    return sfi_cuda_node_made(node, desc, &p);
}
static sf_result sfi_cuda_node_add(sf_graph_node *node, const sf_node_desc *desc)
{
    sf_device *device = node->graph->device;
    sfi_cuda_after deps;
    bool entered;
    sf_result r = SF_OK;
    if (!node->graph->native) { return SF_ERROR_INVALID_VALUE; }
    if (desc->type == SF_NODE_MEM_FREE) {
        sfi_lock(&device->lock);
        r = sfi_node_frees(node, desc->free);
        sfi_unlock(&device->lock);
    }
    if (r >= 0) { r = sfi_cuda_after_make(device, &deps, node->after.items, (int)node->after.count); }
    if (r < 0) { return r; }
    r = sfi_cuda_enter_for(device, &entered, "sf_graph_add_node");
    if (r >= 0) {
        r = sfi_cuda_add_in_context(node, desc, &deps);
        sfi_cuda_leave(device, entered);
    }
    sfi_free(&device->heap, deps.nodes);
    return r;
}
static void sfi_cuda_node_destroy(sf_graph_node *node) { (void)node; }       /* goes with its graph */
static sf_result sfi_cuda_depend(sf_graph_node *node, const sf_dependency *after, int count, int *code)  /* silent */
{
    sf_device *device = node->graph->device;
    sfi_cuda *cu = device->cuda;
    sfi_cuda_after deps;
    sf_result r;
    size_t i;
    if (!cu->graph_add_dependencies) { return SF_ERROR_NOT_SUPPORTED; }
    r = sfi_cuda_after_make(device, &deps, after, count);
    for (i = 0; r >= 0 && i < deps.count && !*code; i++) {
        *code = cu->graph_add_dependencies(node->graph->native, &deps.nodes[i], &node->native, &deps.edges[i], 1);
    }
    sfi_free(&device->heap, deps.nodes);
    return r;
}
static sf_result sfi_cuda_depended(sf_device *device, sf_result r, int code, const char *call, const char *where)
{
    if (r == SF_ERROR_NOT_SUPPORTED) { return sfi_cuda_missing(device, call, "cuGraphAddDependencies_v2"); }
    return r < 0 ? r : sfi_cuda_result(device, code, call, where);
}
static sf_result sfi_cuda_node_depend(sf_graph_node *node, const sf_dependency *after, int count)
{
    int code = 0;
    sf_result r = sfi_cuda_depend(node, after, count, &code);
    return sfi_cuda_depended(node->graph->device, r, code, "sf_graph_add_dependencies", node->name);
}
static bool sfi_cuda_end_is_pageable(sf_device *device, int type, const void *host, sfi_cuda_ptr unified)
{
    const void *ptr = type == 1 ? host : (const void *)(uintptr_t)unified;   /* a captured copy's is unified */
    return (type == 1 || type == SFI_CUDA_MEMORY_UNIFIED) && sfi_cuda_is_pageable(device, ptr);
}
static bool sfi_cuda_node_is_pageable(const sf_graph_node *node)
{
    sfi_cuda *cu = node->graph->device->cuda;
    sfi_cuda_copy_3d copy;
    if (node->type != SF_NODE_MEMCPY || !cu->graph_memcpy_get_params ||
        cu->graph_memcpy_get_params(node->native, &copy)) {
        return false;
    }
    return sfi_cuda_end_is_pageable(node->graph->device, copy.src_type, copy.src_host, copy.src) ||
           sfi_cuda_end_is_pageable(node->graph->device, copy.dst_type, copy.dst_host, copy.dst);
}
static sf_result sfi_cuda_conditional_create(sf_graph *graph, sfi_branch *branch)
{
    sfi_cuda *cu = graph->device->cuda;
    unsigned long long handle = 0;
    int code;
    if (!cu->graph_conditional_create) {
        return sfi_cuda_missing(graph->device, "sf_graph_conditional_create", "cuGraphConditionalHandleCreate");
    }
    code = cu->graph_conditional_create(&handle, graph->native, cu->context, branch->initial, branch->reset ? 1 : 0);
    branch->handle = handle;
    return sfi_cuda_result(graph->device, code, "sf_graph_conditional_create", NULL);
}
static sf_result sfi_cuda_graph_preload(sf_graph *graph)
{
    sfi_cuda *cu = graph->device->cuda;
    sfi_cuda_kernel params;
    bool entered;
    uint32_t i, k;
    int code = 0;
    sf_result r = sfi_cuda_enter_for(graph->device, &entered, "sf_graph_preload");
    if (r < 0) { return r; }
    for (i = 0; i < graph->count && !code && cu->func_load && cu->graph_kernel_get_params; i++) {
        if (graph->nodes[i]->type != SF_NODE_KERNEL) { continue; }
        code = cu->graph_kernel_get_params(graph->nodes[i]->native, &params);
        if (!code && params.func) { code = cu->func_load(params.func); }
    }
    sfi_cuda_leave(graph->device, entered);
    r = sfi_cuda_result(graph->device, code, "sf_graph_preload", NULL);
    for (i = 0; i < graph->count && r >= 0; i++) {
        for (k = 0; k < graph->nodes[i]->body_count && r >= 0; k++) {
            r = sfi_cuda_graph_preload(graph->nodes[i]->bodies[k]);
        }
    }
    return r;
}

/* -- executables -- */

static const sf_graph_node *sfi_graph_cycle(sf_graph *graph);
static sf_graph_node *sfi_next_conditional(const sf_graph *graph, const sf_graph_node *last)
{
    sf_graph_node *next = NULL;
    uint32_t i;
    for (i = 0; i < graph->count; i++) {
        sf_graph_node *node = graph->nodes[i];
        bool behind = node->type == SF_NODE_CONDITIONAL && (!last || node->mark > last->mark);
        if (behind && (!next || node->mark < next->mark)) { next = node; }
    }
    return next;
}
/* Driver 580 (CUDA 13.0) hangs after some turns of a WHILE in whose body, or in one further in, two conditionals and
   a third way run side by side. So there a conditional comes after the one before it. */
static sf_result sfi_cuda_order_within(sf_graph *graph, bool in_loop, int *code)       /* lock held */
{
    const sf_heap *heap = &graph->device->heap;
    sf_graph_node *node;
    sf_dependency last = { NULL, SF_EDGE_FULL };
    sf_result r = SF_OK;
    uint32_t i, k;
    if (in_loop && sfi_graph_cycle(graph)) { return SF_OK; } /* told by who looks for it */
    for (node = NULL; in_loop && r >= 0 && !*code && (node = sfi_next_conditional(graph, node)) != NULL;
         last.node = node) {
        for (k = 0; k < node->after.count && node->after.items[k].node != last.node; k++) {}
        if (!last.node || k < node->after.count || !node->native) { continue; }
        r = sfi_cuda_depend(node, &last, 1, code);
        if (r >= 0 && !*code && !sfi_after_add(heap, &node->after, last)) { r = sfi_out_of_memory(heap); }
    }
    for (i = 0; i < graph->count; i++) {
        node = graph->nodes[i];
        for (k = 0; k < node->body_count && r >= 0 && !*code; k++) {
            bool loop = node->type == SF_NODE_CONDITIONAL && node->branch == SF_CONDITIONAL_WHILE;
            r = sfi_cuda_order_within(node->bodies[k], in_loop || loop, code);
        }
    }
    return r;
}
static sf_result sfi_cuda_order_conditionals(sf_graph *graph, const char *call)
{
    int code = 0;
    sf_result r;
    sfi_lock(&graph->device->cuda->graph_lock);
    sfi_lock(&graph->device->lock);
    r = sfi_cuda_order_within(graph, false, &code);
    sfi_unlock(&graph->device->lock);
    sfi_unlock(&graph->device->cuda->graph_lock);
    return sfi_cuda_depended(graph->device, r, code, call, NULL);
}
static sf_result sfi_cuda_exec_create(sf_graph_exec *exec, sf_graph *graph)
{
    sfi_cuda *cu = exec->device->cuda;
    sf_result r;
    int code;
    if (!cu->graph_instantiate) {
        return sfi_cuda_missing(exec->device, "sf_graph_instantiate", "cuGraphInstantiateWithFlags");
    }
    r = sfi_cuda_order_conditionals(graph, "sf_graph_instantiate");
    if (r < 0) { return r; }
    sfi_lock(&cu->graph_lock);
    SFI_CUDA_UNSAFE(exec->device, code, cu->graph_instantiate(&exec->native, graph->native, exec->flags));
    sfi_unlock(&cu->graph_lock);
    return sfi_cuda_result(exec->device, code, "sf_graph_instantiate", NULL);
}
static sf_result sfi_cuda_exec_release(sf_graph_exec *exec)
{
    int code;
    if (sfi_cuda_late(exec->device, SFI_LATE_EXEC, exec->native, SF_MEMORY_DEVICE)) {
        exec->native = NULL;
        return SF_OK;
    }
    SFI_CUDA_UNSAFE(exec->device, code, exec->device->cuda->graph_exec_destroy(exec->native));
    if (!code) { exec->native = NULL; }
    return sfi_cuda_result(exec->device, code, "sf_graph_exec_destroy", NULL);
}
static void sfi_cuda_exec_destroy(sf_graph_exec *exec)
{
    if (exec->native) { (void)exec->device->cuda->graph_exec_destroy(exec->native); }
    exec->native = NULL;
}
static sf_result sfi_cuda_exec_upload(sf_graph_exec *exec, sf_stream *s)
{
    int code;
    if (!s->device->cuda->graph_upload) { return sfi_cuda_missing(s->device, "sf_graph_upload", "cuGraphUpload"); }
    if (sfi_cuda_skips(s)) { return SF_OK; }
    SFI_CUDA_MAY_BLOCK(s, code, s->device->cuda->graph_upload(exec->native, s->native));
    return sfi_cuda_result(s->device, code, "sf_graph_upload", sfi_stream_name(s));
}
static sf_result sfi_cuda_exec_launch(sf_graph_exec *exec, sf_stream *s)
{
    int code = sfi_cuda_refuse(s, SFI_CUDA_OUTSIDE);
    if (!code) { SFI_CUDA_MAY_BLOCK(s, code, s->device->cuda->graph_launch(exec->native, s->native)); }
    return sfi_cuda_result(s->device, code, "sf_graph_launch", sfi_stream_name(s));
}
static sf_result sfi_cuda_exec_update(sf_graph_exec *exec, const sf_graph *graph)
{
    struct { int result, pad; void *node, *from; } info;
    sf_result r;
    int code;
    if (!exec->device->cuda->graph_exec_update) {
        return sfi_cuda_missing(exec->device, "sf_graph_exec_update", "cuGraphExecUpdate_v2");
    }
    sfi_zero(&info, sizeof info);
    r = sfi_cuda_order_conditionals((sf_graph *)(uintptr_t)graph, "sf_graph_exec_update");         /* as that was */
    if (r < 0) { return r; }
    sfi_lock(&exec->device->cuda->graph_lock);
    SFI_CUDA_IN_CONTEXT(exec->device, code,
                        exec->device->cuda->graph_exec_update(exec->native, graph->native, &info));
    sfi_unlock(&exec->device->cuda->graph_lock);
    return sfi_cuda_result(exec->device, code, "sf_graph_exec_update", NULL);
}
/* A launcher's new arguments are read from what it launches with them. */
static sf_result sfi_cuda_set_launcher(sf_graph_exec *exec, const sf_graph_node *node, const sf_node_desc *desc)
{
    static const char call[] = "sf_graph_exec_set_node";
    sf_device *device = exec->device;
    sfi_cuda_node p;
    void *graph, *native = NULL;
    sf_result r = sfi_cuda_capture_launcher(device, desc->kernel.func, desc->kernel.args, call, &graph);
    if (r < 0) { return r; }
    r = sfi_cuda_launched_kernel(device, graph, desc->kernel.func, call, &p, &native);
    if (r == SF_IGNORED) {
        r = sfi_device_fail(device, SF_ERROR_NOT_SUPPORTED, call, desc->kernel.func->name,
                            "the launcher launches more than one kernel");
    }
    if (r == SF_OK) {
        r = sfi_cuda_result(device, device->cuda->graph_exec_node_set_params(exec->native, node->native, &p), call,
                            desc->kernel.func->name);
    }
    (void)device->cuda->graph_destroy(graph);
    return r;
}
static sf_result sfi_cuda_exec_set_node(sf_graph_exec *exec, const sf_graph_node *node, const sf_node_desc *desc)
{
    sf_device *device = exec->device;
    sfi_cuda *cu = device->cuda;
    sfi_cuda_node p;
    bool entered;
    sf_result r;
    if (!cu->graph_exec_node_set_params) {
        return sfi_cuda_missing(device, "sf_graph_exec_set_node", "cuGraphExecNodeSetParams");
    }
    r = sfi_cuda_enter_for(device, &entered, "sf_graph_exec_set_node");
    if (r < 0) { return r; }
    if (desc->type == SF_NODE_KERNEL && !desc->function.func) {
        r = sfi_cuda_set_launcher(exec, node, desc);
    } else {
        r = sfi_cuda_fill_node(device, NULL, desc, &p);
        if (r >= 0) {
            r = sfi_cuda_result(device, cu->graph_exec_node_set_params(exec->native, node->native, &p),
                                "sf_graph_exec_set_node", desc->name);
        }
    }
    sfi_cuda_leave(device, entered);
    return r;
}

/* -- modules -- */

static sf_result sfi_cuda_module_load(sf_module *module, const void *image, size_t bytes)
{
    sf_device *device = module->device;
    char *copy;
    bool entered;
    int code = 2;                            /* out of memory */
    sf_result r = sfi_cuda_enter_for(device, &entered, "sf_module_load");
    if (r < 0) { return r; }
    copy = (char *)sfi_alloc(&device->heap, bytes + 1);      /* PTX must end with a zero */
    if (copy) {
        sfi_copy(copy, image, bytes);
        copy[bytes] = 0;
        code = device->cuda->module_load_data(&module->native, copy, 0, NULL, NULL);
        sfi_free(&device->heap, copy);
    }
    sfi_cuda_leave(device, entered);
    return sfi_cuda_result(device, code, "sf_module_load", NULL);
}
static sf_result sfi_cuda_module_unload(sf_module *module)
{
    int code;
    if (sfi_cuda_late(module->device, SFI_LATE_MODULE, module->native, SF_MEMORY_DEVICE)) { return SF_OK; }
    SFI_CUDA_UNSAFE(module->device, code, module->device->cuda->module_unload(module->native));
    return sfi_cuda_result(module->device, code, "sf_module_unload", NULL);
}
static sf_result sfi_cuda_module_get_function(sf_function *function, const char *name)
{
    sf_device *device = function->module->device;
    int code;
    SFI_CUDA_IN_CONTEXT(device, code,
                        device->cuda->module_get_function(&function->native, function->module->native, name));
    return sfi_cuda_result(device, code, "sf_module_get_function", name);
}
static sf_result sfi_cuda_function_preload(sf_function *function)
{
    sf_device *device = function->module->device;
    int code;
    if (!device->cuda->func_load) { return SF_OK; }          /* older drivers load at once */
    SFI_CUDA_IN_CONTEXT(device, code, device->cuda->func_load(function->native));
    return sfi_cuda_result(device, code, "sf_function_preload", function->name);
}
static sf_result sfi_cuda_launch_function(sf_stream *s, sf_function *function, const sf_grid *grid,
                                          void *const *params)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_launch_config config;
    sfi_cuda_attribute programmatic;
    int i, code;
    if (!cu->launch_kernel) { return sfi_cuda_missing(s->device, "sf_launch_kernel", "cuLaunchKernelEx"); }
    sfi_zero(&config, sizeof config);
    sfi_zero(&programmatic, sizeof programmatic);
    for (i = 0; i < 3; i++) {
        config.grid[i] = grid && grid->grid[i] ? grid->grid[i] : 1;
        config.block[i] = grid && grid->block[i] ? grid->block[i] : 1;
    }
    config.shared_bytes = grid ? grid->shared_bytes : 0;
    config.stream = s->native;
    if (grid && grid->programmatic) {
        programmatic.id = SFI_CUDA_PROGRAMMATIC_SERIALIZATION;
        programmatic.u.value = 1;
        config.attributes = &programmatic;
        config.attribute_count = 1;
    }
    SFI_CUDA_WORK(s, code, cu->launch_kernel(&config, function->native, (void **)(uintptr_t)params, NULL));
    return sfi_cuda_result(s->device, code, "sf_launch_kernel", function->name);
}

static const sfi_backend sfi_cuda_backend = {
    sfi_cuda_open, sfi_cuda_close, sfi_cuda_enter, sfi_cuda_leave, sfi_cuda_get_info, sfi_cuda_synchronize,
    sfi_cuda_reset, sfi_cuda_poll, sfi_cuda_look,
    sfi_cuda_stream_create, sfi_cuda_stream_destroy, sfi_cuda_stream_touch, sfi_cuda_stream_query,
    sfi_cuda_stream_synchronize, sfi_cuda_stream_wait,
    sfi_cuda_event_create, sfi_cuda_event_destroy, sfi_cuda_event_record, sfi_cuda_event_query,
    sfi_cuda_event_synchronize, sfi_cuda_event_elapsed,
    sfi_cuda_alloc, sfi_cuda_free, sfi_cuda_alloc_async, sfi_cuda_free_async, sfi_cuda_free_ordered,
    sfi_cuda_device_pointer, sfi_cuda_pool_create, sfi_cuda_pool_destroy, sfi_cuda_pool_trim,
    sfi_cuda_pool_info,
    sfi_cuda_set, sfi_cuda_copy, sfi_cuda_copy_peer, sfi_cuda_prefetch, sfi_cuda_host_func, sfi_cuda_callback,
    sfi_cuda_attach, sfi_cuda_copy_attributes, sfi_cuda_write_value, sfi_cuda_wait_value, sfi_cuda_launch,
    sfi_cuda_capture_begin, sfi_cuda_capture_end, sfi_cuda_capture_status, sfi_cuda_is_capturing,
    sfi_cuda_capture_info, sfi_cuda_capture_update, sfi_cuda_capture_free,
    sfi_cuda_graph_create, sfi_cuda_graph_destroy, sfi_cuda_graph_clone, sfi_cuda_graph_refresh,
    sfi_cuda_graph_preload, sfi_cuda_conditional_create, sfi_cuda_node_add, sfi_cuda_node_destroy,
    sfi_cuda_node_depend, sfi_cuda_node_is_pageable,
    sfi_cuda_exec_create, sfi_cuda_exec_release, sfi_cuda_exec_destroy, sfi_cuda_exec_upload, sfi_cuda_exec_launch,
    sfi_cuda_exec_update, sfi_cuda_exec_set_node,
    sfi_cuda_module_load, sfi_cuda_module_unload, sfi_cuda_module_get_function, sfi_cuda_function_preload,
    sfi_cuda_launch_function,
};
#endif /* SF_NO_CUDA */

/* >>streams ------------------------------------------------------------------------------------------- */

/* Public functions of the stream layer: check, count, call the table. */

static sf_result sfi_stream_new(sf_device *device, const sf_stream_desc *desc, sf_stream **stream, bool legacy);
static sf_result sfi_event_new(sf_device *device, uint32_t flags, sf_event **event);
static sf_result sfi_order_record(sf_stream *s, uint64_t *number);
static void sfi_parked_sweep(sf_device *device);
static uint32_t sfi_zombies_sweep(sf_device *device);
static void sfi_exec_free(sf_graph_exec *exec);
static void sfi_lazies_close(sf_device *device);

typedef void (*sfi_slot_func)(sf_device *device, sfi_slot *slot);
static void sfi_slab_each(sf_device *device, const sfi_slab *slab, sfi_slot_func func)
{
    void *chunk;
    uint32_t i;
    for (chunk = slab->chunks; chunk; chunk = *(void **)chunk) {
        for (i = 0; i < slab->per_chunk; i++) {
            func(device, (sfi_slot *)(void *)((char *)chunk + SFI_ALIGN(sizeof(void *), 16) + i * slab->size));
        }
    }
}
static void sfi_drop_native(sf_stream *s)
{
#ifndef SF_NO_CUDA
    if (s->slot.tag && s->device->cuda && s != s->device->legacy && !s->wrapped && s->native) {
        (void)s->device->cuda->stream_destroy(s->native);
        s->native = NULL;
    }
#else
    (void)s;
#endif
}
static void sfi_drop_stream(sf_device *device, sfi_slot *slot)
{
    sf_stream *s = (sf_stream *)(void *)slot;
    sfi_order_ring *ring = sfi_order_ring_of(s);
    if (slot->tag) { sfi_drop_native(s); }
    sfi_free(&device->heap, s->queue.ring);
    while (ring) {
        sfi_order_ring *older = ring->older;
        sfi_free(&device->heap, ring);
        ring = older;
    }
    sfi_store64(&s->order.ring, 0);
    sfi_after_free(&device->heap, &s->after);
}
static void sfi_drop_event(sf_device *device, sfi_slot *slot)
{
    sf_event *e = (sf_event *)(void *)slot;
    if (slot->tag && (device->host || device->cuda)) { device->backend->event_destroy(e); }
    sfi_after_free(&device->heap, &e->after);
}
static void sfi_module_free(sf_module *module);
static void sfi_drop_module(sf_device *device, sfi_slot *slot)
{
    (void)device;
    if (slot->tag) { sfi_module_free((sf_module *)(void *)slot); }
}
static void sfi_drop_exec(sf_device *device, sfi_slot *slot)
{
    (void)device;
    if (slot->tag) { sfi_exec_free((sf_graph_exec *)(void *)slot); }
}
static void sfi_drop_graph(sf_device *device, sfi_slot *slot)
{
    sf_graph *g = (sf_graph *)(void *)slot;
    (void)device;
    if (slot->tag && !g->parent) { sfi_graph_free(g); }
}
static void sfi_drop_stream_pool(sf_device *device, sfi_slot *slot);
static void sfi_drop_mem_pool(sf_device *device, sfi_slot *slot);

/* The memory that handles point to goes last: another device's stream may still have to look at one. */
static void sfi_device_unpin(sf_device *device)
{
    sf_heap heap = device->heap;
    if (sfi_add(&device->pins, (uint32_t)-1) != 1) { return; }
    sfi_slab_free(&device->streams, &heap);
    sfi_slab_free(&device->events, &heap);
    sfi_slab_free(&device->stream_pools, &heap);
    sfi_slab_free(&device->mem_pools, &heap);
    sfi_slab_free(&device->graphs, &heap);
    sfi_slab_free(&device->nodes, &heap);
    sfi_slab_free(&device->execs, &heap);
    sfi_slab_free(&device->modules, &heap);
    sfi_slab_free(&device->functions, &heap);
    sfi_slab_free(&device->lazies, &heap);
    sfi_slab_free(&device->futures, &heap);
    sfi_slab_free(&device->policies, &heap);
    sfi_mutex_free(&device->lock);
    sfi_free(&heap, device);
}
/* The device and all that it owns, as far as it got. Nothing runs any more. The first error on the way. */
static sf_result sfi_device_free(sf_device *device)
{
    sf_result r = SF_OK, freed;
    const sf_heap heap = device->heap;
    int32_t i;
    bool works = device->host || device->cuda;
    if (works) { sfi_lazies_close(device); } /* what is to be called is called while the device is open */
    device->slot.tag = 0;
    sfi_slab_each(device, &device->stream_pools, sfi_drop_stream_pool);
    sfi_slab_each(device, &device->mem_pools, sfi_drop_mem_pool);
    if (works) {
        sfi_slab_each(device, &device->execs, sfi_drop_exec);
        sfi_slab_each(device, &device->graphs, sfi_drop_graph);
        sfi_slab_each(device, &device->modules, sfi_drop_module);
    }
    sfi_slab_each(device, &device->events, sfi_drop_event);
    sfi_slab_each(device, &device->streams, sfi_drop_stream);
    for (i = 0; i < SFI_ALLOCATION_LISTS; i++) {
        while (device->allocations[i]) {
            sfi_allocation *a = device->allocations[i];
            device->allocations[i] = a->next;
            freed = device->backend->free(device, a->ptr, a->memory);
            sfi_free(&heap, a->graph);       /* its graph is gone, nobody freed it */
            sfi_free(&heap, a->note);
            r = r < 0 ? r : freed;
            sfi_free(&heap, a);
        }
    }
    device->backend->close(device);
    sfi_device_unpin(device);
    return r;
}

static void sfi_device_init_slabs(sf_device *device)
{
    uint32_t n = sfi_heap_is_range(&device->heap) ? 2 : 32;
    device->streams.size = SFI_ALIGN(sizeof(sf_stream), 16);
    device->events.size = SFI_ALIGN(sizeof(sf_event), 16);
    device->stream_pools.size = 0;           /* set beside their structs, in >>pools */
    device->streams.per_chunk = n / 2;
    device->events.per_chunk = n * 2;
    device->stream_pools.per_chunk = device->mem_pools.per_chunk = n / 2;
    device->graphs.per_chunk = device->execs.per_chunk = n / 2;
    device->nodes.per_chunk = device->functions.per_chunk = device->lazies.per_chunk = n;
    device->futures.per_chunk = n;
    device->modules.per_chunk = device->policies.per_chunk = n / 2;
}

static sf_result sfi_device_open_as(const sf_device_desc *desc, const sfi_backend *backend, sf_heap heap,
                                    sf_device **device, sfi_failure *why)
{
    sf_device *d = (sf_device *)sfi_alloc_zeroed(&heap, sizeof *d);
    sf_result r;
    if (!d) { return sfi_out_of_memory(&heap); }
    d->slot.tag = SFI_TAG_DEVICE;
    d->backend = backend;
    d->heap = heap;
    d->logger = desc->logger;
    d->ordinal = desc->ordinal;
    sfi_store(&d->pins, 1);
    sfi_failure_clear(&d->failure);
    sfi_mutex_init(&d->lock);
    sfi_device_init_slabs(d);
    r = backend->open(d, desc);
    if (r >= 0) { r = sfi_stream_new(d, NULL, &d->legacy, true); }
    if (r < 0) {
        *why = d->failure;
        (void)sfi_device_free(d);
        return r;
    }
    *device = d;
    return SF_OK;
}

/* *why: the sentence, as far as somebody has one; it is logged then. */
static sf_result sfi_device_open_any(const sf_device_desc *desc, sf_device **device, sfi_failure *why)
{
    sf_device_desc d;
    sf_heap heap;
    sf_result r;
    sf_logger silent;
    why->text[0] = 0;
    if (!device) { return SF_ERROR_INVALID_VALUE; }
    *device = NULL;
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    if (desc) { d = *desc; } else { sfi_zero(&d, sizeof d); }
    if ((uint32_t)d.backend > SF_BACKEND_CUDA) { return SF_ERROR_INVALID_VALUE; }
    r = sfi_heap_init(&heap, &d.heap, d.memory);
    if (r < 0) { return r; }
    silent = d.logger;
    r = SF_ERROR_DRIVER;
#ifndef SF_NO_CUDA
    if (d.backend != SF_BACKEND_HOST && !d.memory.ptr) {     /* memory handed in means a host device */
        if (d.backend == SF_BACKEND_AUTO) { sfi_zero(&d.logger, sizeof d.logger); }
        r = sfi_device_open_as(&d, &sfi_cuda_backend, heap, device, why);
        d.logger = silent;
        if (r >= 0) {
            (*device)->logger = silent;
            if (d.backend == SF_BACKEND_AUTO) { sfi_log(&silent, 3, 0, "a GPU works: taking the CUDA backend"); }
            return r;
        }
    }
#endif
    if (d.backend == SF_BACKEND_CUDA) { return r; }
    if (d.backend == SF_BACKEND_AUTO) {
        char text[SFI_TEXT];
        sfi_format(text, sizeof text, "taking the host backend: %s", why->text[0] ? why->text : sf_result_string(r));
        sfi_log(&silent, 3, 0, text);
        why->text[0] = 0;
    }
    return sfi_device_open_as(&d, &sfi_host_backend, heap, device, why);
}
static sf_result sfi_device_open_told(const sf_device_desc *desc, sf_device **device, sfi_failure *why)
{
    sf_result r = sfi_device_open_any(desc, device, why);
    const char *advice = r == SF_ERROR_DRIVER ? "no CUDA backend is built in here" : sfi_advice(r, "sf_device_open");
    if (r >= 0 || why->text[0]) { return r; }
    sfi_format(why->text, sizeof why->text, "sf_device_open: %s", advice ? advice : sf_result_string(r));
    if (desc) { sfi_log(&desc->logger, 1, (int32_t)r, why->text); }
    return r;
}
SF_API sf_result sf_device_open(const sf_device_desc *desc, sf_device **device)
{
    sfi_failure why;
    return sfi_device_open_told(desc, device, &why);
}

SF_API sf_result sf_device_get_info(sf_device *device, sf_device_info *info)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!info) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    sfi_zero(info, sizeof *info);
    info->backend = device->host ? SF_BACKEND_HOST : SF_BACKEND_CUDA;
    info->ordinal = device->ordinal;
    info->priority_greatest = device->priority_greatest;
    return sfi_told(device, device->backend->get_info(device, info));
}
SF_API sf_result sf_device_synchronize(sf_device *device, int64_t timeout)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    sfi_count(device, SFI_SYNCHRONIZES, 1);
    r = device->backend->synchronize(device, timeout, false);
    (void)sfi_zombies_sweep(device);
    return sfi_told(device, r);
}
SF_API sf_result sf_device_reset(sf_device *device)
{
    sf_result r = sfi_check_device(device);
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    return sfi_told(device, device->backend->reset(device));
}
SF_API sf_result sf_device_get_counters(sf_device *device, sf_counters *counters)
{
    sf_result r = sfi_check_device(device);
    uint64_t now[SFI_COUNTERS];
    size_t i;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    if (!counters) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    for (i = 0; i < SFI_COUNTERS; i++) { now[i] = sfi_load64(&device->counters[i]); }
    sfi_copy(counters, now, sizeof now);
    return SF_OK;
}
SF_API sf_result sf_device_get_replay(sf_device *device, char *line, size_t bytes)
{
    sf_result r = sfi_check_device(device);
    size_t prefix = sizeof sfi_replay_prefix - 1;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    if (!line) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    if (!device->host || device->host->threaded) { return sfi_told(device, SF_ERROR_NOT_SUPPORTED); }
    sfi_lock(&device->lock);
    r = bytes > prefix + device->host->choices_count ? SF_OK : SF_ERROR_NO_ROOM;
    if (r == SF_OK) {
        sfi_copy(line, sfi_replay_prefix, prefix);
        if (device->host->choices_count) {
            sfi_copy(line + prefix, device->host->choices, device->host->choices_count);
        }
        line[prefix + device->host->choices_count] = 0;
    }
    sfi_unlock(&device->lock);
    return sfi_told(device, r);
}
SF_API const sf_failure *sf_device_failure(const sf_device *device)
{
    static const sf_failure none = { SF_ERROR_INVALID_HANDLE, 0, "", "sf_device_failure", "not a device" };
    if (!device || device->slot.tag != SFI_TAG_DEVICE) { return &none; }
    if (sfi_this_thread.stray < 0 && !sfi_this_thread.in_host_func) {        /* now there is a device to tell */
        sf_device *d = (sf_device *)(uintptr_t)device;
        (void)sfi_device_fail(d, sfi_this_thread.stray, sfi_this_thread.stray_call, NULL, "%s (%d)",
                              sfi_this_thread.stray_why, (int)sfi_this_thread.stray);
    }
    return &device->failure.now;
}
SF_API void *sf_device_native(const sf_device *device)
{
#ifndef SF_NO_CUDA
    if (sfi_check_device(device) >= 0 && device->cuda) { return device->cuda->context; }
#endif
    (void)device;
    return NULL;
}

/* -- streams -- */

static sf_result sfi_stream_new(sf_device *device, const sf_stream_desc *desc, sf_stream **stream, bool legacy)
{
    sf_stream *s;
    sf_result r;
    sfi_parked_sweep(device);
    sfi_lock(&device->lock);
    s = (sf_stream *)(void *)sfi_slab_take(&device->streams, &device->heap, SFI_TAG_STREAM);
    if (s) {                                 /* who waited for the one before it in this slot still looks at these */
        s->index = (uint32_t)(s->id = ++device->last_id);
        s->device = device;
        s->flags = desc ? desc->flags : 0;
    }
    sfi_unlock(&device->lock);
    if (!s) { return sfi_out_of_memory(&device->heap); }
    s->native = NULL;
    s->priority = desc ? desc->priority : 0;
    if (s->priority > 0) { s->priority = 0; }
    if (s->priority < device->priority_greatest) { s->priority = device->priority_greatest; }
    s->wrapped = s->forked = false;
    s->fork_capture = 0;
    s->thread = NULL;
    s->fork_event = NULL;
    s->capture = NULL;
    sfi_store(&s->order.misuse, 0);
    sfi_zero(s->order.seen, sizeof s->order.seen);
    sfi_keep_name(s->name, sizeof s->name, legacy ? "the default stream" : desc ? desc->name : NULL);
    if (legacy) { s->native = (void *)(uintptr_t)1; }        /* CU_STREAM_LEGACY: right in per-thread builds, too */
    r = legacy && device->cuda ? SF_OK : device->backend->stream_create(s);
    sfi_lock(&device->lock);
    if (r >= 0) {                            /* whole, now others may see it */
        s->next_stream = device->first_stream;
        s->link_stream = &device->first_stream;
        if (s->next_stream) { s->next_stream->link_stream = &s->next_stream; }
        device->first_stream = s;
        *stream = s;
    } else {
        sfi_slab_give(&device->streams, &s->slot);
    }
    sfi_unlock(&device->lock);
    return r;
}

SF_API sf_result sf_stream_create(sf_device *device, const sf_stream_desc *desc, sf_stream **stream)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!stream || (desc && desc->flags & ~((uint32_t)SF_STREAM_NON_BLOCKING | (uint32_t)SF_STREAM_PROGRAMMATIC))) {
        return sfi_told(device, SF_ERROR_INVALID_VALUE);
    }
    r = sfi_stream_new(device, desc, stream, false);
    if (r >= 0) {
        sfi_count(device, SFI_STREAM_CREATES, 1);
        sfi_count(device, SFI_LIVE_STREAMS, 1);
    }
    return sfi_told(device, r);
}
static sf_graph *sfi_stream_leave_capture(sf_stream *s)      /* lock held; the graph is the caller's to destroy */
{
#ifndef SF_NO_CUDA
    if (s->device->cuda) { sfi_cuda_leave_capture(s); }
#endif
    return sfi_capture_leave(s);
}
SF_API sf_result sf_stream_destroy(sf_stream *stream)
{
    sf_result r = sfi_check_stream(stream);
    sf_device *device;
    sf_graph *orphan;
    if (SFI_IS_NO_HANDLE(r) || (r < 0 && !stream->device->host)) { return r; }       /* as in sf_mem_free() */
    device = stream->device;
    if (stream == device->legacy || stream->thread || stream->forked) {
        return sfi_on_stream(stream, SF_ERROR_INVALID_HANDLE);
    }
    sfi_lock(&device->lock);
    orphan = sfi_stream_leave_capture(stream);
    sfi_unlock(&device->lock);
    if (sfi_load(&stream->order.open)) {     /* who waits for all that it holds: up to here */
        uint64_t end;
        if (r < 0 || sfi_order_record(stream, &end) < 0) { sfi_store(&stream->order.open, 0); }
    }
    sfi_lock(&device->lock);
    stream->slot.tag = 0;
    device->backend->stream_destroy(stream);
    sfi_unlock(&device->lock);
    if (orphan) { sfi_graph_unmake(orphan); }
    sfi_count(device, SFI_LIVE_STREAMS, (uint64_t)-1);
    return r;
}
SF_API sf_stream *sf_stream_legacy(sf_device *device) { return sfi_check_device(device) < 0 ? NULL : device->legacy; }
/* The calling thread's, or that of one that is gone: it had the same block. Once that has drained it is as good as
   new, but for what the dead thread began on it. */
static sf_stream *sfi_find_per_thread(sf_device *device, sf_graph **orphan)  /* lock held */
{
    int64_t birth = sfi_thread_birth();
    sf_stream *s, *dead = NULL;
    for (s = device->first_stream; s; s = s->next_stream) {
        if (s->thread == &sfi_this_thread && s->birth == birth) { return s; }
        if (s->thread == &sfi_this_thread && !s->queue.count) { dead = s; }
    }
    if (!dead) { return NULL; }
    *orphan = sfi_stream_leave_capture(dead);
    dead->birth = birth;
    dead->priority = 0;
    sfi_store(&dead->order.misuse, 0);
    sfi_zero(dead->order.seen, sizeof dead->order.seen);     /* CUDA's is another one now */
    return dead;
}
SF_API sf_stream *sf_stream_per_thread(sf_device *device)
{
    sf_stream *s;
    sf_graph *orphan = NULL;
    if (sfi_check_device(device) < 0) { return NULL; }
    sfi_lock(&device->lock);
    s = sfi_find_per_thread(device, &orphan);
    sfi_unlock(&device->lock);
    if (orphan) { sfi_graph_unmake(orphan); }
    if (s || sfi_stream_new(device, NULL, &s, true) < 0) { return s; }
    sfi_lock(&device->lock);
    s->thread = &sfi_this_thread;
    s->birth = sfi_thread_birth();
    s->wrapped = true;
    s->native = device->host ? NULL : (void *)(uintptr_t)2;  /* CU_STREAM_PER_THREAD */
    sfi_keep_name(s->name, SFI_NAME, "a thread's default stream");
    sfi_unlock(&device->lock);
    return s;
}
SF_API sf_result sf_stream_wrap(sf_device *device, void *native, sf_stream **stream)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!stream || !native) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    if (device->host) { return sfi_told(device, SF_ERROR_NOT_SUPPORTED); }
#ifndef SF_NO_CUDA
    {
        sf_stream_desc desc;
        unsigned flags = 0;
        int priority = 0, code = device->cuda->stream_get_flags(native, &flags);
        if (!code) { code = device->cuda->stream_get_priority(native, &priority); }
        if (code) { return sfi_cuda_result(device, code, "sf_stream_wrap", NULL); }
        sfi_zero(&desc, sizeof desc);
        desc.flags = flags;
        desc.priority = priority;
        r = sfi_stream_new(device, &desc, stream, true);
        if (r < 0) { return sfi_told(device, r); }
        (*stream)->native = native;
        (*stream)->wrapped = true;
        sfi_keep_name((*stream)->name, SFI_NAME, "a foreign stream");
        sfi_count(device, SFI_LIVE_STREAMS, 1);
    }
#endif
    return r;
}
SF_API void *sf_stream_native(const sf_stream *stream)
{
    return sfi_check_stream(stream) < 0 || stream->device->host ? NULL : stream->native;
}
SF_API sf_result sf_stream_query(sf_stream *stream)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_QUERIES, 1);
    return sfi_on_stream(stream, stream->device->backend->stream_query(stream));
}
SF_API sf_result sf_stream_synchronize(sf_stream *stream, int64_t timeout)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_SYNCHRONIZES, 1);
    return sfi_on_stream(stream, stream->device->backend->stream_synchronize(stream, timeout));
}
static sf_result sfi_wait_event(sf_stream *stream, sf_event *event, uint32_t flags)
{
    sfi_count(stream->device, SFI_EVENT_WAITS, 1);
    return sfi_on_stream(stream, stream->device->backend->stream_wait(stream, event, flags));
}
SF_API sf_result sf_stream_wait_event(sf_stream *stream, sf_event *event, uint32_t flags)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    r = sfi_check_event(event);
    if (r >= 0 && !stream->device->host != !event->device->host) { r = sfi_foreign(event->device, __func__); }
    if (r >= 0 && flags > SF_EVENT_WAIT_EXTERNAL) { r = SF_ERROR_INVALID_VALUE; }
    return r < 0 ? sfi_on_stream(stream, r) : sfi_wait_event(stream, event, flags);
}
/* The default stream cannot even be asked while a blocking stream captures; CUDA's rule. */
static sf_result sfi_check_getter_in(const sf_stream *stream, const char *call)
{
    sf_result r = sfi_check_stream_in(stream, call);
    if (r >= 0 && stream == stream->device->legacy && sfi_load(&stream->device->capturing)) {
        r = sfi_on_stream(stream, stream->device->backend->stream_touch(stream->device->legacy));
    }
    return r;
}
#define sfi_check_getter(stream) sfi_check_getter_in(stream, __func__)
static int32_t sfi_stream_priority(const sf_stream *stream)  /* sf_stream_copy_attributes() may be changing it */
{
    int32_t priority;
    sfi_lock(&stream->device->lock);
    priority = stream->priority;
    sfi_unlock(&stream->device->lock);
    return priority;
}
SF_API sf_result sf_stream_get_priority(const sf_stream *stream, int32_t *priority)
{
    sf_result r = sfi_check_getter(stream);
    if (r < 0) { return r; }
    if (!priority) { return sfi_on_stream(stream, SF_ERROR_INVALID_VALUE); }
    *priority = sfi_stream_priority(stream);
    return SF_OK;
}
SF_API sf_result sf_stream_get_flags(const sf_stream *stream, uint32_t *flags)
{
    sf_result r = sfi_check_getter(stream);
    if (r < 0) { return r; }
    if (!flags) { return sfi_on_stream(stream, SF_ERROR_INVALID_VALUE); }
    *flags = stream->flags;
    return SF_OK;
}
SF_API sf_result sf_stream_get_id(const sf_stream *stream, uint64_t *id)
{
    sf_result r = sfi_check_getter(stream);
    if (r < 0) { return r; }
    if (!id) { return sfi_on_stream(stream, SF_ERROR_INVALID_VALUE); }
    *id = stream->id;
    return SF_OK;
}
SF_API sf_result sf_stream_get_device(const sf_stream *stream, sf_device **device)
{
    sf_result r = sfi_check_getter(stream);
    if (r < 0) { return r; }
    if (!device) { return sfi_on_stream(stream, SF_ERROR_INVALID_VALUE); }
    *device = stream->device;
    return SF_OK;
}
static sf_result sfi_stream_host_func(sf_stream *stream, sf_host_func func, void *user, bool own)
{
    sf_result r = sfi_check_stream_in(stream, "sf_launch_host_func");
    if (r >= 0 && !func) { r = sfi_invalid(stream, "sf_launch_host_func", "the function is NULL"); }
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_HOST_FUNCTIONS, 1);
    return sfi_on_stream(stream, stream->device->backend->host_func(stream, func, user, own));
}
SF_API sf_result sf_launch_host_func(sf_stream *stream, sf_host_func func, void *user)
{
    return sfi_stream_host_func(stream, func, user, false);
}

SF_API sf_result sf_stream_add_callback(sf_stream *stream, sf_stream_callback func, void *user, uint32_t flags)
{
    sf_result r = sfi_check_stream(stream);
    if (r >= 0 && (!func || flags)) {
        r = sfi_invalid(stream, "sf_stream_add_callback", func ? "flags must be 0" : "the function is NULL");
    }
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_HOST_FUNCTIONS, 1);
    return sfi_on_stream(stream, stream->device->backend->callback(stream, func, user));
}
static bool sfi_find_allocation(sf_device *device, const void *ptr, sfi_allocation *found);
static sf_memory sfi_memory_at(sf_device *device, const void *ptr);
SF_API sf_result sf_stream_attach_mem_async(sf_stream *stream, void *ptr, size_t bytes, uint32_t flags)
{
    sf_result r = sfi_check_stream(stream);
    sfi_allocation a;
    const char *wrong = NULL;
    if (r < 0) { return r; }
    if (flags != SF_ATTACH_GLOBAL && flags != SF_ATTACH_HOST && flags != SF_ATTACH_SINGLE) {
        wrong = "flags must be one of SF_ATTACH_GLOBAL, _HOST, _SINGLE";        /* CUDA crashes on 0 */
    } else if (flags == SF_ATTACH_SINGLE && stream == stream->device->legacy) {
        wrong = "memory cannot be attached to the default stream alone";
    } else if (!sfi_find_allocation(stream->device, ptr, &a) || a.memory != SF_MEMORY_MANAGED) {
        wrong = "this is no SF_MEMORY_MANAGED from sf_mem_alloc()";
    } else if (bytes && bytes != a.bytes) {
        wrong = "bytes must be 0 or the size of the allocation";
    }
    if (wrong) { return sfi_invalid(stream, "sf_stream_attach_mem_async", wrong); }
    return sfi_on_stream(stream, stream->device->backend->attach(stream, ptr, bytes, flags));
}
SF_API sf_result sf_stream_copy_attributes(sf_stream *dst, const sf_stream *src)
{
    sf_result r = sfi_check_getter(dst);
    if (r < 0) { return r; }
    r = sfi_check_getter(src);
    if (r >= 0 && dst->device != src->device) { r = sfi_foreign(src->device, __func__); }
    if (r >= 0) { r = dst->device->backend->copy_attributes(dst, src); }
    return sfi_on_stream(dst, r);
}
static sf_result sfi_check_value(sf_stream *stream, const void *ptr, uint32_t bytes, bool flags_fine,
                                 const char *call)
{
    sf_result r = sfi_check_stream_in(stream, call);
    if (r < 0) { return r; }
    if (!ptr || (uintptr_t)ptr % bytes) { return sfi_invalid(stream, call, "the address is NULL or not aligned"); }
    if (stream->device->host && sfi_memory_at(stream->device, ptr) == SF_MEMORY_MANAGED) {
        return sfi_invalid(stream, call, "CUDA takes no SF_MEMORY_MANAGED here: use SF_MEMORY_PINNED");
    }
    return flags_fine ? SF_OK : sfi_invalid(stream, call, "no such flags");
}
SF_API sf_result sf_stream_write_value32(sf_stream *stream, void *ptr, uint32_t value, uint32_t flags)
{
    sf_result r = sfi_check_value(stream, ptr, 4, !flags, "sf_stream_write_value32");
    return r < 0 ? r : sfi_on_stream(stream, stream->device->backend->write_value(stream, ptr, value, 4, flags));
}
SF_API sf_result sf_stream_write_value64(sf_stream *stream, void *ptr, uint64_t value, uint32_t flags)
{
    sf_result r = sfi_check_value(stream, ptr, 8, !flags, "sf_stream_write_value64");
    return r < 0 ? r : sfi_on_stream(stream, stream->device->backend->write_value(stream, ptr, value, 8, flags));
}
SF_API sf_result sf_stream_wait_value32(sf_stream *stream, const void *ptr, uint32_t value, uint32_t flags)
{
    sf_result r = sfi_check_value(stream, ptr, 4, flags <= SF_WAIT_VALUE_NOR, "sf_stream_wait_value32");
    return r < 0 ? r : sfi_on_stream(stream, stream->device->backend->wait_value(stream, ptr, value, 4, flags));
}
SF_API sf_result sf_stream_wait_value64(sf_stream *stream, const void *ptr, uint64_t value, uint32_t flags)
{
    sf_result r = sfi_check_value(stream, ptr, 8, flags <= SF_WAIT_VALUE_NOR, "sf_stream_wait_value64");
    return r < 0 ? r : sfi_on_stream(stream, stream->device->backend->wait_value(stream, ptr, value, 8, flags));
}

/* -- forked streams -- */

static sf_result sfi_record(sf_event *event, sf_stream *stream, uint32_t flags)
{
    sfi_count(stream->device, SFI_EVENT_RECORDS, 1);
    return sfi_on_stream(stream, stream->device->backend->event_record(event, stream, flags));
}

/* A pooled child of this urgency that takes part in no capture any more, or in this one. */
static sf_stream *sfi_fork_take(sf_device *device, int32_t priority, uint64_t capture)
{
    sf_stream **link, *s;
    sfi_lock(&device->lock);
    for (link = &device->forks; (s = *link) != NULL; link = &s->next_fork) {
        if (s->priority == priority &&
            (!s->fork_capture || s->fork_capture == capture || !device->backend->is_capturing(s))) {
            break;
        }
    }
    if (s) {
        *link = s->next_fork;
        s->fork_capture = capture;
        sfi_store(&s->order.misuse, 0);      /* that of the one before it */
        s->slot.tag = SFI_TAG_STREAM;
    }
    sfi_unlock(&device->lock);
    return s;
}
static void sfi_fork_give(sf_stream *s)
{
    sf_device *device = s->device;
    sfi_lock(&device->lock);
    s->slot.tag = SFI_TAG_FORK;              /* nobody's: the handle is void */
    s->next_fork = device->forks;
    device->forks = s;
    sfi_unlock(&device->lock);
}
static sf_result sfi_fork_new(sf_device *device, int32_t priority, sf_stream **stream)
{
    sf_stream_desc desc;
    sf_result r;
    desc.flags = SF_STREAM_NON_BLOCKING;
    desc.priority = priority;
    desc.name = "a forked stream";
    r = sfi_stream_new(device, &desc, stream, false);
    if (r < 0) { return r; }
    (*stream)->forked = true;
    r = sfi_event_new(device, SF_EVENT_DISABLE_TIMING, &(*stream)->fork_event);
    if (r < 0) {
        (*stream)->forked = false;
        sfi_lock(&device->lock);
        (*stream)->slot.tag = 0;
        device->backend->stream_destroy(*stream);
        sfi_unlock(&device->lock);
    }
    return r;
}
SF_API sf_result sf_stream_fork(sf_stream *parent, sf_stream **child)
{
    sf_result r = sfi_check_stream(parent);
    sf_capture_info info;
    int32_t priority;
    sf_stream *s;
    if (child) { *child = NULL; }
    if (r < 0) { return r; }
    if (!child) { return sfi_on_stream(parent, SF_ERROR_INVALID_VALUE); }
    sfi_zero(&info, sizeof info);
    if (sfi_load(&parent->device->capturing)) {
        r = parent->device->backend->capture_info(parent, &info, NULL, 0);
        if (r < 0) { return sfi_on_stream(parent, r); }
    }
    priority = sfi_stream_priority(parent);
    s = sfi_fork_take(parent->device, priority, info.id);
    if (!s) { r = sfi_fork_new(parent->device, priority, &s); }
    if (r < 0) { return sfi_on_stream(parent, r); }
    r = sfi_record(s->fork_event, parent, 0);
    if (r >= 0) { r = sfi_on_stream(parent, sfi_wait_event(s, s->fork_event, 0)); }
    s->fork_capture = info.id;
    if (r < 0) { sfi_fork_give(s); } else { *child = s; }
    return r;
}
/* A capture began on the child. Notes one that an event has brought it into. */
static bool sfi_fork_captures(sf_stream *child)
{
    bool begins;
    sfi_lock(&child->device->lock);
    begins = sfi_capture_of(child) != NULL;
    if (!child->fork_capture && child->device->backend->is_capturing(child)) { child->fork_capture = UINT64_MAX; }
    sfi_unlock(&child->device->lock);
    return begins;
}
SF_API sf_result sf_stream_join(sf_stream *into, sf_stream *child)
{
    sf_result r = sfi_check_stream(into);
    uint32_t failed;
    if (r < 0) { return r; }
    r = sfi_check_stream(child);
    if (r >= 0 && into->device != child->device) { r = sfi_foreign(child->device, __func__); }
    if (r < 0) { return sfi_on_stream(into, r); }
    if (!child->forked || into == child) {
        return sfi_invalid(into, "sf_stream_join", "the child is no stream from sf_stream_fork(), or joins itself");
    }
    if (sfi_load(&into->device->capturing) && sfi_fork_captures(child)) {    /* nobody could end that any more */
        r = sfi_device_fail(into->device, SF_ERROR_ILLEGAL_STATE, "sf_stream_join", child->name,
                            "a capture began on the child: end that first");
        return sfi_on_stream(into, r);
    }
    r = sfi_record(child->fork_event, child, 0);
    r = r < 0 ? sfi_on_stream(into, r) : sfi_wait_event(into, child->fork_event, 0);
    failed = sfi_swap(&child->order.misuse, 0);
    if (failed) { sfi_note_misuse(&into->order, failed); }   /* nobody can ask the child any more */
    sfi_fork_give(child);
    return r;
}

/* -- events -- */

static sf_result sfi_event_new(sf_device *device, uint32_t flags, sf_event **event)
{
    sf_event *e;
    sf_result r;
    sfi_lock(&device->lock);
    e = (sf_event *)(void *)sfi_slab_take(&device->events, &device->heap, SFI_TAG_EVENT);
    if (e) {
        e->device = device;
        e->native = NULL;
        e->flags = flags;
        e->recorded = e->by_node = false;
        e->captured = 0;
        e->id = ++device->last_id;
    }
    sfi_unlock(&device->lock);
    if (!e) { return sfi_out_of_memory(&device->heap); }
    r = device->backend->event_create(e);
    if (r < 0) {
        sfi_lock(&device->lock);
        sfi_slab_give(&device->events, &e->slot);
        sfi_unlock(&device->lock);
        return r;
    }
    *event = e;
    return SF_OK;
}
static void sfi_event_free(sf_event *event)
{
    sf_device *device = event->device;
    sfi_lock(&device->lock);
    device->backend->event_destroy(event);
    sfi_slab_give(&device->events, &event->slot);
    sfi_unlock(&device->lock);
}
SF_API sf_result sf_event_create(sf_device *device, uint32_t flags, sf_event **event)
{
    sf_result r = sfi_check_device(device);
    sf_event *e;
    if (r < 0) { return r; }
    if (!event || flags > (SF_EVENT_BLOCKING_SYNC | SF_EVENT_DISABLE_TIMING)) {
        return sfi_told(device, SF_ERROR_INVALID_VALUE);
    }
    r = sfi_event_new(device, flags, &e);
    if (r < 0) { return sfi_told(device, r); }
    sfi_count(device, SFI_EVENT_CREATES, 1);
    sfi_count(device, SFI_LIVE_EVENTS, 1);
    *event = e;
    return SF_OK;
}
SF_API sf_result sf_event_destroy(sf_event *event)
{
    sf_result r = sfi_check_event(event);
    sf_device *device;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    device = event->device;
    sfi_event_free(event);
    sfi_count(device, SFI_LIVE_EVENTS, (uint64_t)-1);
    return r;
}
static sf_result sfi_checked_record(sf_event *event, sf_stream *stream, uint32_t flags, const char *call)
{
    sf_result r = sfi_check_stream_in(stream, call);
    if (r < 0) { return r; }
    r = sfi_check_event_in(event, call);
    if (r >= 0 && event->device != stream->device) { r = sfi_foreign(event->device, call); }
    if (r >= 0 && flags > SF_EVENT_RECORD_EXTERNAL) { r = SF_ERROR_INVALID_VALUE; }
    return r < 0 ? sfi_on_stream(stream, r) : sfi_record(event, stream, flags);
}
SF_API sf_result sf_event_record_with_flags(sf_event *event, sf_stream *stream, uint32_t flags)
{
    return sfi_checked_record(event, stream, flags, __func__);
}
SF_API sf_result sf_event_record(sf_event *event, sf_stream *stream)
{
    return sfi_checked_record(event, stream, 0, __func__);
}
SF_API sf_result sf_event_query(sf_event *event)
{
    sf_result r = sfi_check_event(event);
    if (r < 0) { return r; }
    sfi_count(event->device, SFI_QUERIES, 1);
    return sfi_told(event->device, event->device->backend->event_query(event));
}
SF_API sf_result sf_event_synchronize(sf_event *event, int64_t timeout)
{
    sf_result r = sfi_check_event(event);
    if (r < 0) { return r; }
    sfi_count(event->device, SFI_SYNCHRONIZES, 1);
    return sfi_told(event->device, event->device->backend->event_synchronize(event, timeout));
}
SF_API sf_result sf_event_elapsed_ms(sf_event *start, sf_event *end, float *ms)
{
    sf_result r = sfi_check_event(start);
    if (r >= 0) { r = sfi_check_event(end); }
    if (r >= 0 && start->device != end->device) { r = sfi_stray(__func__); }
    if (r < 0) { return r; }
    r = ms ? start->device->backend->event_elapsed(start, end, ms) : SF_ERROR_INVALID_VALUE;
    return sfi_told(start->device, r);
}
SF_API void *sf_event_native(const sf_event *event)
{
    return sfi_check_event(event) < 0 || event->device->host ? NULL : event->native;
}

/* -- memory -- */

static sfi_allocation **sfi_allocation_list(sf_device *device, const void *ptr)
{
    uintptr_t p = (uintptr_t)ptr >> 6;
    return &device->allocations[(p ^ p >> 6 ^ p >> 12) % SFI_ALLOCATION_LISTS];
}
static void sfi_pool_account(sf_mem_pool *pool, size_t bytes, bool take);
static sfi_allocation **sfi_allocation_at(sf_device *device,
                                          const void *ptr) /* lock held; *result may be NULL */
{
    sfi_allocation **link = sfi_allocation_list(device, ptr);
    while (*link && (*link)->ptr != ptr) { link = &(*link)->next; }
    return link;
}
static bool sfi_find_allocation(sf_device *device, const void *ptr, sfi_allocation *found)
{
    sfi_allocation *a;
    sfi_lock(&device->lock);
    a = *sfi_allocation_at(device, ptr);
    if (a) { *found = *a; }
    sfi_unlock(&device->lock);
    return a != NULL;
}
static sfi_graph_memory *sfi_find_graph_memory(sf_device *device, const void *ptr)   /* lock held */
{
    sfi_allocation *a = *sfi_allocation_at(device, ptr);
    return a ? a->graph : NULL;
}
/* The kind of our memory that `ptr` lies in; SF_MEMORY_HOST if it is none of ours. */
static sf_memory sfi_memory_around(sf_device *device, const void *ptr)       /* lock held */
{
    const char *p = (const char *)ptr;
    const sfi_allocation *a;
    sf_memory found = SF_MEMORY_HOST;
    int32_t i;
    for (i = 0; i < SFI_ALLOCATION_LISTS && found == SF_MEMORY_HOST; i++) {
        for (a = device->allocations[i]; a && found == SF_MEMORY_HOST; a = a->next) {
            if (p >= (char *)a->ptr && p < (char *)a->ptr + a->bytes) { found = a->memory; }
        }
    }
    return found;
}
static sf_memory sfi_memory_at(sf_device *device, const void *ptr)
{
    sf_memory found;
    sfi_lock(&device->lock);
    found = sfi_memory_around(device, ptr);
    sfi_unlock(&device->lock);
    return found;
}
static bool sfi_is_mapped(sf_device *device, const void *ptr)                /* lock held */
{
    return sfi_memory_around(device, ptr) != SF_MEMORY_HOST;
}
static void sfi_mem_attach(sf_device *device, sfi_allocation *a)     /* lock held */
{
    sfi_allocation **list = sfi_allocation_list(device, a->ptr);
    a->next = *list;
    *list = a;
    if (a->pool) { sfi_pool_account(a->pool, a->bytes, true); }
    sfi_count(device, SFI_LIVE_BYTES, a->bytes);
}
static sf_result sfi_mem_link(sf_device *device, void *ptr, size_t bytes, sf_memory memory, sf_mem_pool *pool,
                              sfi_graph_memory *graph)       /* lock held */
{
    sfi_allocation *a = (sfi_allocation *)sfi_alloc(&device->heap, sizeof *a);
    if (!a) { return sfi_out_of_memory(&device->heap); }
    a->ptr = ptr;
    a->bytes = bytes;
    a->memory = memory;
    a->pool = pool;
    a->graph = graph;
    a->ordered = a->lost = false;
    a->note = NULL;
    sfi_mem_attach(device, a);
    sfi_count(device, SFI_ALLOCATIONS, 1);
    return SF_OK;
}
/* found->next: the entry itself, taken out, to free or to put back. */
static bool sfi_mem_detach(sf_device *device, const void *ptr, sfi_allocation *found)        /* lock held */
{
    sfi_allocation **link = sfi_allocation_at(device, ptr), *a = *link;
    if (!a) { return false; }
    *link = a->next;
    *found = *a;
    found->next = a;
    if (a->pool) { sfi_pool_account(a->pool, a->bytes, false); }
    sfi_count(device, SFI_LIVE_BYTES, 0 - (uint64_t)found->bytes);
    return true;
}
static bool sfi_mem_unlink(sf_device *device, const void *ptr, sfi_allocation *found)        /* lock held */
{
    if (!sfi_mem_detach(device, ptr, found)) { return false; }
    sfi_free(&device->heap, found->next);
    return true;
}
static bool sfi_pool_fits(const sf_mem_pool *pool, uint64_t bytes);
static sf_result sfi_mem_add(sf_device *device, void *ptr, size_t bytes, sf_memory memory, sf_mem_pool *pool,
                             bool ordered)
{
    void *note = NULL;
    sf_result r;
    if (ordered && device->host) {
        note = sfi_alloc(&device->heap, sizeof(sfi_host_block));
        if (!note) { return sfi_out_of_memory(&device->heap); }
    }
    sfi_lock(&device->lock);
    r = (pool && !sfi_pool_fits(pool, bytes)) || (device->host && !sfi_host_has_memory(device, bytes))
            ? SF_ERROR_OUT_OF_MEMORY         /* others have been faster */
            : sfi_mem_link(device, ptr, bytes, memory, pool, NULL);
    if (r >= 0) {
        (*sfi_allocation_at(device, ptr))->ordered = ordered;
        (*sfi_allocation_at(device, ptr))->note = note;
    } else {
        sfi_free(&device->heap, note);
    }
    sfi_unlock(&device->lock);
    return r;
}
/* Takes the entry of `ptr` away, to free what it stands for; of a graph's memory, which stays listed, only notes that
   it is free. Then sfi_mem_keep(), if it could not be freed, and sfi_mem_let_go(). */
static bool sfi_mem_take(sf_device *device, const void *ptr, sfi_allocation *found)
{
    bool is;
    sfi_lock(&device->lock);
    is = *sfi_allocation_at(device, ptr) != NULL;
    if (is) { *found = **sfi_allocation_at(device, ptr); }
    if (is && found->graph) {
        is = found->graph->live;
        found->graph->live = false;
        if (is && !sfi_load(&found->graph->references)) {    /* its graph is gone: memory like any other */
            sfi_graph_memory *m = found->graph;
            (void)sfi_mem_detach(device, ptr, found);
            sfi_free(&device->heap, m);
            found->graph = found->next->graph = NULL;
        } else if (is && device->host) {     /* until sfi_mem_let_go(): it may lose its last graph meanwhile */
            (void)sfi_add(&found->graph->references, 1);
        }
    } else if (is) {
        (void)sfi_mem_detach(device, ptr, found);
    }
    sfi_unlock(&device->lock);
    return is;
}
static void sfi_mem_let_go(sf_device *device, const sfi_allocation *a)
{
    if (!a->graph) {
        sfi_free(&device->heap, a->next);
    } else if (device->host) {
        sfi_lock(&device->lock);
        sfi_memory_release(a->graph);
        sfi_unlock(&device->lock);
    }
}
static void sfi_mem_keep(sf_device *device, sfi_allocation *a)       /* it was not freed after all */
{
    sfi_graph_memory *m;
    sfi_lock(&device->lock);
    if (!a->graph) {
        sfi_mem_attach(device, a->next);
        a->next = NULL;
    } else if ((m = sfi_find_graph_memory(device, a->ptr)) != NULL) {
        m->live = true;
    }
    sfi_unlock(&device->lock);
}

SF_API sf_result sf_mem_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!ptr || !bytes || (uint32_t)memory > SF_MEMORY_HOST) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    *ptr = NULL;
    if (device->host && memory != SF_MEMORY_HOST) { r = sfi_host_unsafe_call(device); }
    if (r < 0) { return sfi_told(device, r); }
    r = device->backend->alloc(device, bytes, memory, ptr);
    if (r >= 0) {
        r = sfi_mem_add(device, *ptr, bytes, memory, NULL, false);
        if (r < 0) { (void)device->backend->free(device, *ptr, memory); }
    }
    if (r < 0 && device->host) {
        (void)sfi_device_fail(device, r, "sf_mem_alloc", NULL, "no memory for %Z bytes: %Z of %Z are in use (%d); "
                              "free some, or raise sf_device_desc.host.memory_bytes", bytes,
                              (size_t)sfi_load64(&device->counters[SFI_LIVE_BYTES]), (size_t)device->memory_bytes,
                              (int)r);
    }
    if (r < 0) { *ptr = NULL; }
    return sfi_told(device, r);
}
SF_API sf_result sf_mem_free(sf_device *device, void *ptr)
{
    sf_result r = sfi_check_device(device), fault = r;
    sfi_allocation a;
    if (SFI_IS_NO_HANDLE(r) || (r < 0 && !device->host)) { return r; }       /* a lost context has lost it */
    if (device->host && sfi_load(&device->capturing) && sfi_find_allocation(device, ptr, &a) &&
        a.memory != SF_MEMORY_HOST) {
        r = sfi_host_unsafe_call(device);
        if (r < 0) { return sfi_told(device, r); }
    }
    if (!ptr || !sfi_mem_take(device, ptr, &a)) {
        if (fault < 0) { return fault; }
        return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, "sf_mem_free", NULL,
                               "this device has not given out that memory, or it is free already");
    }
    if ((!a.graph || !device->host) && (!a.ordered || !device->backend->free_ordered(device, &a))) {
        r = device->backend->free(device, ptr, a.memory);
        if (r < 0 && !sfi_load(&device->fault)) { sfi_mem_keep(device, &a); }
    }
    sfi_mem_let_go(device, &a);
    return fault < 0 ? fault : sfi_told(device, r);
}

/* Of 8 hardware queues, CUDA's default, 4 looping graphs leave other streams theirs. With a fifth some streams of the
   process waited for a loop's end, with a seventh it did itself (H200, driver 580); of 16, 8 left them all. */
enum { SFI_STAY = 8, SFI_STAY_MOST = 16 };
static uint32_t sfi_stay_limit(const sf_device *device)
{
    uint32_t queues = SFI_STAY_MOST;
#ifndef SF_NO_CUDA
    const char *given = device->cuda ? getenv("CUDA_DEVICE_MAX_CONNECTIONS") : NULL;
    int asked = given ? atoi(given) : 0;
    if (device->cuda && asked < SFI_STAY_MOST) { queues = (uint32_t)(asked > 0 ? asked : (int)SFI_STAY); }
#endif
    (void)device;
    return queues;
}
SF_API sf_result sf_device_stay(sf_device *device)
{
    sf_result r = sfi_check_device(device);
    uint32_t limit;
#ifndef SF_NO_CUDA
    if (r >= 0 && device->cuda && !sfi_load(&device->cuda->has_room)) { sfi_cuda_make_room(device); }
#endif
    if (r < 0) { return r; }
    limit = sfi_stay_limit(device);
    sfi_lock(&device->lock);
    if (sfi_load(&device->staying) < limit) {
        (void)sfi_add(&device->staying, 1);
    } else {
        r = SF_BUSY;
    }
    sfi_unlock(&device->lock);
    if (r == SF_BUSY) {
        (void)sfi_device_fail(device, r, "sf_device_stay", NULL, "what stays on the device keeps all %u hardware "
                              "queues: put more pipelines into one loop, stop one, or set "
                              "CUDA_DEVICE_MAX_CONNECTIONS=%d before the process first calls CUDA",
                              (unsigned)limit, (int)SFI_STAY_MOST);
    }
    return r;
}
SF_API sf_result sf_device_leave(sf_device *device)
{
    sf_result r = sfi_check_device(device);
#ifndef SF_NO_CUDA
    sfi_late *late = NULL;
#endif
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    sfi_lock(&device->lock);
    if (!sfi_load(&device->staying)) {
        r = SF_ERROR_ILLEGAL_STATE;
    } else if (sfi_add(&device->staying, (uint32_t)-1) == 1) {
#ifndef SF_NO_CUDA
        late = device->late;
        device->late = NULL;
#endif
    }
    sfi_unlock(&device->lock);
#ifndef SF_NO_CUDA
    sfi_cuda_free_the_late(device, late);
#endif
    return sfi_told(device, r);
}
SF_API sf_result sf_mem_get_device_pointer(sf_device *device, void *pinned, void **ptr)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    return sfi_told(device, pinned && ptr ? device->backend->device_pointer(device, pinned, ptr)
                                         : SF_ERROR_INVALID_VALUE);
}
SF_API sf_result sf_stream_get_failure(sf_stream *stream)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    return (sf_result)sfi_swap(&stream->order.misuse, 0);
}
static sf_result sfi_check_mem_pool_in(const sf_mem_pool *pool, const char *call)
{
    return pool && pool->slot.tag == SFI_TAG_MEM_POOL ? sfi_check_device_in(pool->device, call) : sfi_stray(call);
}
#define sfi_check_mem_pool(pool) sfi_check_mem_pool_in(pool, __func__)
static bool sfi_pool_fits(const sf_mem_pool *pool, uint64_t bytes)
{
    uint64_t max = pool->desc.max_bytes, used = max ? sfi_load64(&pool->used) : 0;
    return !max || (used <= max && bytes <= max - used);
}
SF_API sf_result sf_mem_alloc_async(sf_stream *stream, sf_mem_pool *pool, size_t bytes, void **ptr)
{
    sf_result r = sfi_check_stream(stream);
    sfi_allocation a;
    if (r < 0) { return r; }
    if (pool) { r = sfi_check_mem_pool(pool); }
    if (r >= 0 && pool && pool->device != stream->device) { r = sfi_foreign(pool->device, __func__); }
    if (r >= 0 && (!ptr || (pool && pool->desc.kind != SF_MEM_POOL_ASYNC))) { r = SF_ERROR_INVALID_VALUE; }
    if (r < 0) { return sfi_on_stream(stream, r); }
    *ptr = NULL;
    if (!bytes) { return SF_OK; }
    if (pool && !sfi_pool_fits(pool, bytes)) {
        return sfi_on_stream(stream, SF_ERROR_OUT_OF_MEMORY);
    }
    r = stream->device->backend->alloc_async(stream, pool, bytes, ptr);
    if (r >= 0 && !sfi_find_allocation(stream->device, *ptr, &a)) {          /* a graph's is listed already */
        r = sfi_mem_add(stream->device, *ptr, bytes, SF_MEMORY_DEVICE, pool, true);
        if (r < 0) {                         /* given back in its turn */
            sfi_zero(&a, sizeof a);
            a.ptr = *ptr;
            a.bytes = bytes;
            a.pool = pool;
            a.ordered = true;
            (void)stream->device->backend->free_async(stream, &a);
        }
    }
    if (r < 0) { *ptr = NULL; }
    return sfi_on_stream(stream, r);
}
static bool sfi_is_capturing(sf_stream *stream)
{
    sf_capture_status status = SF_CAPTURE_NONE;
    return sfi_load(&stream->device->capturing) &&
           stream->device->backend->capture_status(stream, &status) >= 0 && status != SF_CAPTURE_NONE;
}
SF_API sf_result sf_mem_free_async(sf_stream *stream, void *ptr)
{
    static const char call[] = "sf_mem_free_async";
    sf_capture_status status = SF_CAPTURE_NONE;
    sf_result r = sfi_check_stream(stream);
    sf_device *device;
    sfi_allocation a;
    if (r < 0 || !ptr) { return r; }
    device = stream->device;
    if (sfi_load(&device->capturing)) { r = device->backend->capture_status(stream, &status); }
    if (r < 0 && r != SF_ERROR_CAPTURE_IMPLICIT) { return sfi_on_stream(stream, r); }
    if (status != SF_CAPTURE_NONE) {
        if (sfi_find_allocation(device, ptr, &a) && a.graph) {
            r = device->backend->capture_free(stream, ptr);
            if (r != SF_ERROR_INVALID_VALUE) { return sfi_on_stream(stream, r); }
        }
        return sfi_invalid(stream, call, "a graph frees only what a graph allocates, and once");
    }
    if (device->host) { r = sfi_host_unsafe_call(device); }
    if (r < 0) { return sfi_on_stream(stream, r); }
    if (sfi_find_allocation(device, ptr, &a)) {
        if (a.lost) { return SF_OK; }
        if (a.memory != SF_MEMORY_DEVICE) {
            return sfi_invalid(stream, call,
                               "only SF_MEMORY_DEVICE is freed in stream order: sf_mem_free() frees this");
        }
    }
    if (!sfi_mem_take(device, ptr, &a)) {
        return sfi_invalid(stream, call, "this device has not given out that memory, or it is free");
    }
    r = device->backend->free_async(stream, &a);
    if (r < 0 && !sfi_load(&device->fault)) {
        sfi_mem_keep(device, &a);
    } else if (r < 0) {
        sfi_free(&device->heap, a.note);
    }
    sfi_mem_let_go(device, &a);
    return sfi_on_stream(stream, r);
}
SF_API sf_result sf_mem_prefetch_async(sf_stream *stream, const void *ptr, size_t bytes, bool to_host)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!ptr || !bytes) { return sfi_invalid(stream, "sf_mem_prefetch_async", "the memory is NULL, or of 0 bytes"); }
    return sfi_on_stream(stream, stream->device->backend->prefetch(stream, ptr, bytes, to_host));
}

/* -- scripts: what the computes of a region enqueue, written down, to be captured or compared -- */

typedef struct sfi_written {                 /* `more` bytes of arguments come behind it; size: with them, of 16 */
    uint32_t type, member, size, more;       /* type: sf_node_type. more: of a MEMSET, the value */
    const sf_kernel *kernel;
    sfi_rect rect;
} sfi_written;
typedef struct sfi_script {
    sf_stream *face;                         /* what the computes get; its .native leads back here */
    char *steps;
    uint32_t used, room;
    uint32_t member;                         /* whose compute runs */
    bool open;                               /* one does */
} sfi_script;

static sf_result sfi_script_add(sf_stream *face, const sfi_written *step, const void *args)
{
    sfi_script *s = (sfi_script *)face->native;
    uint32_t args_bytes = step->type == SF_NODE_KERNEL ? step->more : 0;
    uint32_t size = (uint32_t)(sizeof *step + args_bytes + 15) / 16 * 16;
    sfi_written *to;
    if (!s->open) { return sfi_no_stream(face, sfi_this_thread.call); }
    if (!sfi_grow(&face->device->heap, (void **)&s->steps, &s->room, s->used + size, 1)) {
        return sfi_on_stream(face, sfi_out_of_memory(&face->device->heap));
    }
    to = (sfi_written *)(void *)(s->steps + s->used);
    sfi_zero(to, size);
    *to = *step;
    to->member = s->member;
    to->size = size;
    if (args_bytes) { sfi_copy(to + 1, args, args_bytes); }
    s->used += size;
    return SF_OK;
}
static sf_result sfi_script_launch(sf_stream *face, const sf_kernel *kernel, const void *args, size_t bytes)
{
    sfi_written step;
    sfi_zero(&step, sizeof step);
    step.type = SF_NODE_KERNEL;
    step.kernel = kernel;
    step.more = (uint32_t)bytes;
    return sfi_script_add(face, &step, args);
}
static sf_result sfi_script_copy(sf_stream *face, const sfi_rect *rect)
{
    sfi_written step;
    sfi_zero(&step, sizeof step);
    step.type = SF_NODE_MEMCPY;
    step.rect = *rect;
    return sfi_script_add(face, &step, NULL);
}
static sf_result sfi_script_set(sf_stream *face, void *dst, uint8_t value, size_t bytes)
{
    sfi_written step;
    sfi_zero(&step, sizeof step);
    step.type = SF_NODE_MEMSET;
    step.more = value;
    step.rect.dst = dst;
    step.rect.row_bytes = bytes;
    return sfi_script_add(face, &step, NULL);
}

SF_API sf_result sf_memset_async(sf_stream *stream, void *dst, uint8_t value, size_t bytes)
{
    sf_result r = sfi_check_launch(stream);
    if (r < 0) { return r; }
    if (!bytes) { return SF_OK; }
    if (!dst) { return sfi_invalid(stream, "sf_memset_async", "the memory is NULL"); }
    if (sfi_is_script(stream)) { return sfi_script_set(stream, dst, value, bytes); }
    sfi_count(stream->device, SFI_COPIES, 1);
    return sfi_on_stream(stream, stream->device->backend->set(stream, dst, value, bytes));
}
static sf_result sfi_memcpy(sf_stream *stream, void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                            size_t row_bytes, size_t rows, const char *call)
{
    sf_result r = sfi_check_launch_in(stream, call);
    sfi_rect rect;
    if (r < 0) { return r; }
    if (!row_bytes || !rows) { return SF_OK; }
    if (!dst || !src || (rows > 1 && (dst_pitch < row_bytes || src_pitch < row_bytes))) {
        return sfi_invalid(stream, call, "a pointer is NULL, or a pitch less than a row");
    }
    rect.dst = dst;
    rect.src = src;
    rect.dst_pitch = dst_pitch;
    rect.src_pitch = src_pitch;
    rect.row_bytes = row_bytes;
    rect.rows = rows;
    if (sfi_is_script(stream)) { return sfi_script_copy(stream, &rect); }
    sfi_count(stream->device, SFI_COPIES, 1);
    return sfi_on_stream(stream, stream->device->backend->copy(stream, &rect));
}
SF_API sf_result sf_memcpy_2d_async(sf_stream *stream, void *dst, size_t dst_pitch, const void *src,
                                    size_t src_pitch, size_t row_bytes, size_t rows)
{
    return sfi_memcpy(stream, dst, dst_pitch, src, src_pitch, row_bytes, rows, __func__);
}
SF_API sf_result sf_memcpy_async(sf_stream *stream, void *dst, const void *src, size_t bytes)
{
    return sfi_memcpy(stream, dst, bytes, src, bytes, bytes, 1, __func__);
}
SF_API sf_result sf_memcpy_peer_async(sf_stream *stream, void *dst, sf_device *dst_device, const void *src,
                                      sf_device *src_device, size_t bytes)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    r = sfi_check_device(dst_device);
    if (r >= 0) { r = sfi_check_device(src_device); }
    if (r >= 0 && (!dst_device->host != !stream->device->host || !src_device->host != !stream->device->host)) {
        r = SF_ERROR_INVALID_DEVICE;
    }
    if (r < 0) { return sfi_on_stream(stream, r); }
    if (!bytes) { return SF_OK; }
    if (!dst || !src) { return sfi_invalid(stream, "sf_memcpy_peer_async", "a pointer is NULL"); }
    sfi_count(stream->device, SFI_COPIES, 1);
    return sfi_on_stream(stream, stream->device->backend->copy_peer(stream, dst, dst_device, src, src_device, bytes));
}

/* -- kernels -- */

/* The next node of a capture starts early if it waits by itself, and if one kernel is all that it comes after. False:
   the stream does not capture, or does not want that. */
static bool sfi_capture_programmatic(sf_stream *stream)
{
    sf_capture_info info;
    sf_dependency after;
    if (!(stream->flags & SF_STREAM_PROGRAMMATIC)) { return false; }
    sfi_zero(&info, sizeof info);
    if (stream->device->backend->capture_info(stream, &info, &after, 1) < 0) { return false; }
    if (info.status != SF_CAPTURE_ACTIVE) { return false; }
    if (info.dependencies == 1 && after.node->type == SF_NODE_KERNEL) {
        after.type = SF_EDGE_PROGRAMMATIC;
        (void)stream->device->backend->capture_update(stream, &after, 1, SF_CAPTURE_SET_DEPENDENCIES);
    }
    return true;
}

/* A captured kernel's node has no name; streams that look at their captures anyway give it the kernel's. */
static void sfi_capture_name(sf_stream *stream, const char *name)
{
    sf_capture_info info;
    sf_dependency after;
    if (stream->device->host || !(stream->flags & SF_STREAM_PROGRAMMATIC)) { return; }
    sfi_zero(&info, sizeof info);
    if (stream->device->backend->capture_info(stream, &info, &after, 1) < 0) { return; }
    if (info.status != SF_CAPTURE_ACTIVE) { return; }
    if (info.dependencies == 1 && !after.node->name[0]) {
        sfi_keep_name(after.node->name, sizeof after.node->name, name);
    }
}

SF_API sf_result sf_launch(sf_stream *stream, const sf_kernel *kernel, const void *args, size_t bytes)
{
    sf_result r = sfi_check_launch(stream);
    if (r < 0) { return r; }
    if (!kernel) { return sfi_invalid(stream, "sf_launch", "the kernel is NULL"); }
    if (bytes > SF_MAX_ARGS || (bytes && !args)) {
        return sfi_invalid(stream, "sf_launch",
                           args ? "more than SF_MAX_ARGS bytes: pass a pointer" : "the arguments are NULL");
    }
    if (sfi_is_script(stream)) { return sfi_script_launch(stream, kernel, args, bytes); }
    sfi_count(stream->device, SFI_LAUNCHES, 1);
    if (kernel->programmatic) { (void)sfi_capture_programmatic(stream); }
    r = sfi_on_stream(stream, stream->device->backend->launch(stream, kernel, args, bytes));
    if (r >= 0) { sfi_capture_name(stream, kernel->name); }
    return r;
}
SF_API ptrdiff_t sf_slice_begin(const sf_slice *slice, ptrdiff_t n)
{
    ptrdiff_t each = n / slice->count, more = n % slice->count;
    return slice->index * each + (slice->index < more ? slice->index : more);
}
SF_API ptrdiff_t sf_slice_end(const sf_slice *slice, ptrdiff_t n)
{
    ptrdiff_t each = n / slice->count, more = n % slice->count;
    return sf_slice_begin(slice, n) + each + (slice->index < more ? 1 : 0);
}

/* -- modules -- */

static sf_result sfi_no_modules(sf_device *device, const char *call)
{
    return sfi_device_fail(
        device, SF_ERROR_NOT_SUPPORTED, call, NULL,
        "modules hold GPU code, which a host device cannot run: give sf_kernel.host and sf_launch()");
}
static void sfi_module_free(sf_module *module)
{
    sf_device *device = module->device;
    while (module->functions) {
        sf_function *f = module->functions;
        module->functions = f->next;
        sfi_slab_give(&device->functions, &f->slot);
    }
    if (module->native) { (void)device->backend->module_unload(module); }
    sfi_slab_give(&device->modules, &module->slot);
}
SF_API sf_result sf_module_load(sf_device *device, const void *image, size_t bytes, sf_module **module)
{
    sf_result r = sfi_check_device(device);
    sf_module *m;
    if (r < 0) { return r; }
    if (!module) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    *module = NULL;
    if (!image || bytes < 4) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    if (device->host) { return sfi_no_modules(device, "sf_module_load"); }
    sfi_lock(&device->lock);
    device->modules.size = SFI_ALIGN(sizeof *m, 16);
    device->functions.size = SFI_ALIGN(sizeof(sf_function), 16);
    m = (sf_module *)(void *)sfi_slab_take(&device->modules, &device->heap, SFI_TAG_MODULE);
    sfi_unlock(&device->lock);
    if (!m) { return sfi_told(device, sfi_out_of_memory(&device->heap)); }
    m->device = device;
    m->native = NULL;
    m->functions = NULL;
    m->users = 0;
    r = device->backend->module_load(m, image, bytes);
    if (r < 0) {
        sfi_lock(&device->lock);
        sfi_module_free(m);
        sfi_unlock(&device->lock);
        return sfi_told(device, r);
    }
    *module = m;
    return SF_OK;
}
SF_API sf_result sf_module_load_shared(sf_device *device, const void *image, size_t bytes, sf_module **module)
{
    sf_result r = sfi_check_device(device);
    uint64_t hash = 14695981039346656037u;
    sf_module *m;
    size_t i;
    if (r < 0) { return r; }
    if (!module || !image) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    for (i = 0; i < bytes; i++) { hash = (hash ^ ((const uint8_t *)image)[i]) * 1099511628211u; }
    sfi_lock(&device->lock);
    for (m = device->shared; m && (m->hash != hash || m->bytes != bytes); m = m->next_shared) {}
    if (m) { m->users++; }
    sfi_unlock(&device->lock);
    *module = m;
    if (m) { return SF_OK; }
    r = sf_module_load(device, image, bytes, &m);
    if (r < 0) { return r; }
    sfi_lock(&device->lock);
    m->hash = hash;
    m->bytes = bytes;
    m->users = 1;
    m->next_shared = device->shared;
    device->shared = m;
    sfi_unlock(&device->lock);
    *module = m;
    return SF_OK;
}
static bool sfi_module_is_shared(sf_module *module)          /* still, by somebody else */
{
    sf_device *device = module->device;
    sf_module **link = &device->shared;
    bool kept = false;
    sfi_lock(&device->lock);
    if (module->users && --module->users) { kept = true; }
    while (!kept && *link && *link != module) { link = &(*link)->next_shared; }
    if (!kept && *link) { *link = module->next_shared; }
    sfi_unlock(&device->lock);
    return kept;
}
SF_API sf_result sf_module_unload(sf_module *module)
{
    sf_result r = module && module->slot.tag == SFI_TAG_MODULE ? sfi_check_device(module->device)
                                                               : sfi_stray(__func__);
    sf_device *device;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    device = module->device;
    if (sfi_module_is_shared(module)) { return r; }
    if (r >= 0) { r = device->backend->module_unload(module); }
    if (r < 0 && !sfi_load(&device->fault)) { return sfi_told(device, r); }
    sfi_lock(&device->lock);
    module->native = NULL;
    sfi_module_free(module);
    sfi_unlock(&device->lock);
    return r;
}
SF_API sf_result sf_module_get_function(sf_module *module, const char *name, sf_function **function)
{
    sf_result r = module && module->slot.tag == SFI_TAG_MODULE ? sfi_check_device(module->device)
                                                               : sfi_stray(__func__);
    sf_device *device;
    sf_function *f;
    if (r < 0) { return r; }
    if (!name || !function) { return sfi_told(module->device, SF_ERROR_INVALID_VALUE); }
    *function = NULL;
    device = module->device;
    sfi_lock(&device->lock);
    f = (sf_function *)(void *)sfi_slab_take(&device->functions, &device->heap, SFI_TAG_FUNCTION);
    sfi_unlock(&device->lock);
    if (!f) { return sfi_told(device, sfi_out_of_memory(&device->heap)); }
    f->module = module;
    f->native = NULL;
    sfi_keep_name(f->name, sizeof f->name, name);
    r = device->backend->module_get_function(f, name);
    sfi_lock(&device->lock);
    if (r < 0) {
        sfi_slab_give(&device->functions, &f->slot);
    } else {
        f->next = module->functions;
        module->functions = f;
        *function = f;
    }
    sfi_unlock(&device->lock);
    return sfi_told(device, r);
}
static sf_result sfi_check_function_in(const sf_function *function, const char *call)
{
    return function && function->slot.tag == SFI_TAG_FUNCTION ? sfi_check_device_in(function->module->device, call)
                                                              : sfi_stray(call);
}
#define sfi_check_function(function) sfi_check_function_in(function, __func__)
SF_API sf_result sf_function_preload(sf_function *function)
{
    sf_result r = sfi_check_function(function);
    if (r < 0) { return r; }
    return sfi_told(function->module->device, function->module->device->backend->function_preload(function));
}
SF_API sf_result sf_launch_kernel(sf_stream *stream, sf_function *function, const sf_grid *grid, void *const *params)
{
    sf_result r = sfi_check_stream(stream);
    sf_grid plain;
    if (r < 0) { return r; }
    r = sfi_check_function(function);
    if (r >= 0 && function->module->device != stream->device) { r = sfi_foreign(function->module->device, __func__); }
    if (r < 0) { return sfi_on_stream(stream, r); }
    sfi_count(stream->device, SFI_LAUNCHES, 1);
    if (grid && grid->programmatic && sfi_capture_programmatic(stream)) {
        plain = *grid;                       /* its edge says so */
        plain.programmatic = false;
        grid = &plain;
    }
    r = sfi_on_stream(stream, stream->device->backend->launch_function(stream, function, grid, params));
    if (r >= 0) { sfi_capture_name(stream, function->name); }
    return r;
}

/* >>captures ------------------------------------------------------------------------------------------ */

static sf_result sfi_check_graph_in(const sf_graph *graph, const char *call)
{
    return graph && graph->slot.tag == SFI_TAG_GRAPH ? sfi_check_device_in(graph->device, call) : sfi_stray(call);
}
#define sfi_check_graph(graph) sfi_check_graph_in(graph, __func__)
/* Nodes of this graph, SF_ERROR_INVALID_VALUE if one is not; only between kernels is an edge more than full. */
static sf_result sfi_check_after(const sf_graph *graph, const sf_dependency *after, int count, bool kernel)
{
    int i;
    if (count < 0 || (count && !after)) { return SF_ERROR_INVALID_VALUE; }
    for (i = 0; i < count; i++) {
        if (!after[i].node || after[i].node->slot.tag != SFI_TAG_NODE) { return SF_ERROR_INVALID_HANDLE; }
        if ((graph && after[i].node->graph != graph) || (uint32_t)after[i].type > SF_EDGE_LAUNCH_ORDER ||
            (after[i].type != SF_EDGE_FULL && (!kernel || after[i].node->type != SF_NODE_KERNEL))) {
            return SF_ERROR_INVALID_VALUE;
        }
    }
    return SF_OK;
}

SF_API sf_result sf_stream_begin_capture(sf_stream *stream, sf_capture_mode mode)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if ((uint32_t)mode > SF_CAPTURE_RELAXED) {
        return sfi_invalid(stream, "sf_stream_begin_capture", "no such mode");
    }
    return sfi_on_stream(stream, stream->device->backend->capture_begin(stream, NULL, NULL, 0, mode));
}
SF_API sf_result sf_stream_begin_capture_to_graph(sf_stream *stream, sf_graph *graph, const sf_dependency *after,
                                                  int count, sf_capture_mode mode)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    r = sfi_check_graph(graph);
    if (r >= 0 && graph->device != stream->device) { r = sfi_foreign(graph->device, __func__); }
    if (r >= 0) { r = sfi_check_after(graph, after, count, true); }
    if (r >= 0 && (uint32_t)mode > SF_CAPTURE_RELAXED) { r = SF_ERROR_INVALID_VALUE; }
    if (r >= 0) { r = stream->device->backend->capture_begin(stream, graph, after, count, mode); }
    return sfi_on_stream(stream, r);
}
SF_API sf_result sf_stream_end_capture(sf_stream *stream, sf_graph **graph)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (graph) { *graph = NULL; }
    r = stream->device->backend->capture_end(stream, graph);
    if (r >= 0 && graph && !(*graph)->parent) { sfi_graph_is_whole(*graph); }        /* a body is its node's */
    return sfi_on_stream(stream, r);
}
SF_API sf_result sf_stream_is_capturing(sf_stream *stream, sf_capture_status *status)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    r = status ? stream->device->backend->capture_status(stream, status) : SF_ERROR_INVALID_VALUE;
    return sfi_on_stream(stream, r);
}
SF_API sf_result sf_stream_get_capture_info(sf_stream *stream, sf_capture_info *info, sf_dependency *after, int max)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!info || max < 0 || (max && !after)) { return sfi_on_stream(stream, SF_ERROR_INVALID_VALUE); }
    return sfi_on_stream(stream, stream->device->backend->capture_info(stream, info, after, max));
}
SF_API sf_result sf_stream_update_capture_dependencies(sf_stream *stream, const sf_dependency *after, int count,
                                                       uint32_t flags)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    r = sfi_check_after(NULL, after, count, true);
    if (r >= 0 && flags > SF_CAPTURE_SET_DEPENDENCIES) { r = SF_ERROR_INVALID_VALUE; }
    if (r >= 0) { r = stream->device->backend->capture_update(stream, after, count, flags); }
    return sfi_on_stream(stream, r);
}
SF_API sf_result sf_thread_exchange_stream_capture_mode(sf_capture_mode *mode)
{
    sf_capture_mode old = sfi_this_thread.capture_mode;
    if (sfi_this_thread.in_host_func) { return sfi_not_here(__func__); }
    if (!mode || (uint32_t)*mode > SF_CAPTURE_RELAXED) {
        return sfi_stray_as(SF_ERROR_INVALID_VALUE, __func__, "the mode is NULL, or none of SF_CAPTURE_...");
    }
    sfi_this_thread.capture_mode = *mode;
    *mode = old;
    return SF_OK;
}

/* >>graphs -------------------------------------------------------------------------------------------- */

static const char *const sfi_node_types[] = {
    "empty", "kernel", "memcpy", "memset", "host", "child", "event record", "event wait", "alloc", "free", "value",
    "conditional"
};
/* A node by the name it was given, else by its kernel, else by type and number. */
static const char *sfi_node_name(const sf_graph_node *node, char *buffer, size_t size)
{
    if (node->name[0]) { return node->name; }
    sfi_format(buffer, size, "%s node %u", node->kernel ? node->kernel : sfi_node_types[node->type],
               (unsigned)node->index);
    return buffer;
}
/* From now on it is the user's to destroy, and counted. */
static void sfi_graph_is_whole(sf_graph *graph)
{
    if (!graph->whole) { sfi_count(graph->device, SFI_LIVE_GRAPHS, 1); }
    graph->whole = true;
}

SF_API sf_result sf_graph_create(sf_device *device, sf_graph **graph)
{
    sf_result r = sfi_check_device(device);
    sf_graph *g = NULL;
    if (r < 0) { return r; }
    if (!graph) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    r = sfi_graph_make(device, &g);
    if (r < 0) { return sfi_told(device, r); }
    sfi_graph_is_whole(g);
    *graph = g;
    return SF_OK;
}
/* A graph of the driver's or the host's, empty and not yet counted: a capture's may come to nothing. */
static sf_result sfi_graph_make(sf_device *device, sf_graph **graph)
{
    sf_result r;
    sfi_lock(&device->lock);
    r = sfi_graph_new(device, NULL, graph);
    sfi_unlock(&device->lock);
    if (r < 0) { return r; }
    r = device->backend->graph_create(*graph);
    if (r < 0) { sfi_graph_unmake(*graph); }
    return r;
}
static void sfi_graph_unmake(sf_graph *graph)
{
    sf_device *device = graph->device;
    sfi_lock(&device->lock);
    sfi_graph_free(graph);
    sfi_unlock(&device->lock);
}
static bool sfi_graph_is_capturing(const sf_graph *graph)    /* it or a body in it. Lock held */
{
    uint32_t i, k;
    if (graph->capturing) { return true; }
    for (i = 0; i < graph->count; i++) {
        for (k = 0; k < graph->nodes[i]->body_count; k++) {
            if (sfi_graph_is_capturing(graph->nodes[i]->bodies[k])) { return true; }
        }
    }
    return false;
}
SF_API sf_result sf_graph_destroy(sf_graph *graph)
{
    sf_result r = sfi_check_graph(graph);
    sf_device *device;
    bool capturing;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    device = graph->device;
    if (graph->parent) {
        return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, "sf_graph_destroy", NULL,
                               "this is the body of a node: it goes with the graph around it");
    }
    sfi_lock(&device->lock);
    capturing = sfi_graph_is_capturing(graph);
    if (!capturing) { sfi_graph_free(graph); }
    sfi_unlock(&device->lock);
    if (capturing) { return r < 0 ? r : sfi_told(device, SF_ERROR_ILLEGAL_STATE); }
    sfi_count(device, SFI_LIVE_GRAPHS, (uint64_t)-1);
    return r;                                /* a fault is told, and the graph goes all the same */
}

/* What is wrong with a graph, found with the lock held: to be told when it is given up. */
typedef struct sfi_wrong { sf_result r; const char *why; char where[SFI_NAME]; } sfi_wrong;
static sf_result sfi_is_wrong(sfi_wrong *wrong, sf_result r, const sf_graph_node *node, const char *why)
{
    char buffer[SFI_NAME];
    wrong->r = r;
    wrong->why = why;
    sfi_keep_name(wrong->where, sizeof wrong->where, node ? sfi_node_name(node, buffer, sizeof buffer) : NULL);
    return r;
}
static sf_result sfi_tell_wrong(sf_device *device, const sfi_wrong *wrong, const char *call)
{
    return sfi_device_fail(device, wrong->r, call, wrong->where, "%s", wrong->why);
}

/* What may be in use once only: graphs with memory or conditionals cannot be copied, CUDA says. Lock held. */
static const sf_graph_node *sfi_graph_single(const sf_graph *graph)
{
    uint32_t i, k;
    for (i = 0; i < graph->count; i++) {
        const sf_graph_node *node = graph->nodes[i];
        if (node->type == SF_NODE_MEM_ALLOC || node->type == SF_NODE_MEM_FREE || node->type == SF_NODE_CONDITIONAL) {
            return node;
        }
        for (k = 0; k < node->body_count; k++) {
            if (sfi_graph_single(node->bodies[k])) { return node; }
        }
    }
    return NULL;
}
/* Brings the mirror of a graph and all within it up to date. */
static sf_result sfi_graph_refresh(sf_graph *graph, const char *call)
{
    return graph->device->backend->graph_refresh(graph, true, call);
}
static sf_result sfi_graph_may_copy(sf_graph *graph, const char *call)
{
    const sf_graph_node *node;
    sfi_wrong wrong;
    sf_result r = sfi_graph_refresh(graph, call);
    if (r < 0) { return r; }
    sfi_lock(&graph->device->lock);
    node = sfi_graph_single(graph);
    if (node || graph->parent) {
        r = sfi_is_wrong(&wrong, SF_ERROR_NOT_SUPPORTED, node, "a graph that allocates, frees or has conditionals, "
                         "or is the body of one, cannot be copied");
    }
    sfi_unlock(&graph->device->lock);
    return r < 0 ? sfi_tell_wrong(graph->device, &wrong, call) : r;
}
SF_API sf_result sf_graph_clone(const sf_graph *graph, sf_graph **clone)
{
    sf_result r = sfi_check_graph(graph);
    sf_graph *c;
    sf_device *device;
    if (r < 0) { return r; }
    if (!clone) { return sfi_told(graph->device, SF_ERROR_INVALID_VALUE); }
    *clone = NULL;
    device = graph->device;
    r = sfi_graph_may_copy((sf_graph *)graph, "sf_graph_clone");
    if (r < 0) { return sfi_told(device, r); }
    sfi_lock(&device->lock);
    r = sfi_graph_new(device, NULL, &c);
    sfi_unlock(&device->lock);
    if (r < 0) { return sfi_told(device, r); }
    r = device->backend->graph_clone(graph, c);
    if (r < 0) {
        sfi_graph_unmake(c);
        return sfi_told(device, r);
    }
    sfi_graph_is_whole(c);
    *clone = c;
    return SF_OK;
}
static sf_result sfi_branch_room(sf_graph *root)             /* for one more. Lock held */
{
    const sf_heap *heap = &root->device->heap;
    return sfi_grow(heap, (void **)&root->branches, &root->branch_room, root->branch_count + 1, sizeof(sfi_branch))
               ? SF_OK
               : sfi_out_of_memory(heap);
}
SF_API sf_result sf_graph_conditional_create(sf_graph *graph, uint32_t initial, bool reset_at_launch,
                                             sf_conditional *handle)
{
    sf_result r = sfi_check_graph(graph);
    sf_graph *root;
    sfi_branch branch;
    sf_device *device;
    if (r < 0) { return r; }
    if (!handle) { return sfi_told(graph->device, SF_ERROR_INVALID_VALUE); }
    device = graph->device;
    root = sfi_graph_root(graph);
    branch.graph = graph;
    branch.initial = initial;
    branch.reset = reset_at_launch;
    sfi_lock(&device->lock);
    r = sfi_branch_room(root);               /* first, as no call takes a handle back */
    sfi_unlock(&device->lock);
    if (r >= 0) { r = device->backend->conditional_create(graph, &branch); }
    sfi_lock(&device->lock);
    if (r >= 0) { r = sfi_branch_room(root); }               /* another thread may have had that */
    if (r >= 0) { root->branches[root->branch_count++] = branch; }
    sfi_unlock(&device->lock);
    if (r < 0) { return sfi_told(device, r); }
    *handle = branch.handle;
    return SF_OK;
}

/* -- nodes -- */

static bool sfi_handle_is_used(const sf_graph *graph, sf_conditional handle)
{
    uint32_t i, k;
    for (i = 0; i < graph->count; i++) {
        const sf_graph_node *node = graph->nodes[i];
        if (node->type == SF_NODE_CONDITIONAL && node->handle == handle) { return true; }
        for (k = 0; k < node->body_count; k++) {
            if (sfi_handle_is_used(node->bodies[k], handle)) { return true; }
        }
    }
    return false;
}
static const char *sfi_conditional_wrong(const sf_graph *graph, const sf_node_desc *d)
{
    int32_t n = d->conditional.bodies;
    if (!d->conditional.body) { return "conditional.body is NULL: it receives the bodies"; }
    if (!sfi_find_branch(graph, d->conditional.handle)) {
        return "conditional.handle was made for another graph: sf_graph_conditional_create() on this one or "
               "one around it";
    }
    if (sfi_handle_is_used(sfi_graph_root(graph), d->conditional.handle)) {
        return "conditional.handle belongs to another node: make one for each";
    }
    switch (d->conditional.type) {
    case SF_CONDITIONAL_IF: return n == 1 || n == 2 ? NULL : "an IF has 1 body, or 2 with an ELSE";
    case SF_CONDITIONAL_WHILE: return n == 1 ? NULL : "a WHILE has 1 body";
    case SF_CONDITIONAL_SWITCH: return n >= 1 ? NULL : "a SWITCH has at least 1 body";
    default: return "conditional.type is none of IF, WHILE, SWITCH";
    }
}
/* What is wrong with a node's description, in words; NULL if it is fine. Lock held. */
static const char *sfi_desc_wrong(const sf_graph *graph, const sf_node_desc *d)
{
    switch (d->type) {
    case SF_NODE_EMPTY: return NULL;
    case SF_NODE_KERNEL:
        if (d->function.func) {
            if (d->function.func->slot.tag != SFI_TAG_FUNCTION) { return "function.func is no function any more"; }
            return d->function.func->module->device == graph->device ? NULL : "function.func is another device's";
        }
        if (!d->kernel.func) { return "neither kernel.func nor function.func is set"; }
        if (d->kernel.bytes > SF_MAX_ARGS) { return "more than SF_MAX_ARGS bytes of arguments: pass a pointer"; }
        return d->kernel.bytes && !d->kernel.args ? "kernel.args is NULL" : NULL;
    case SF_NODE_MEMCPY: return d->mem.dst && d->mem.src && d->mem.bytes ? NULL : "a pointer is NULL, or bytes is 0";
    case SF_NODE_MEMSET: return d->mem.dst && d->mem.bytes ? NULL : "mem.dst is NULL, or bytes is 0";
    case SF_NODE_HOST: return d->host.func ? NULL : "host.func is NULL";
    case SF_NODE_CHILD:
    case SF_NODE_EVENT_RECORD:
    case SF_NODE_EVENT_WAIT: return NULL;    /* handles are looked at later */
    case SF_NODE_MEM_ALLOC: return d->alloc.bytes && d->alloc.ptr ? NULL : "alloc.bytes is 0, or alloc.ptr is NULL";
    case SF_NODE_MEM_FREE: return d->free ? NULL : "free is NULL";
    case SF_NODE_BATCH_MEM_OP: return "these nodes come from captured write_value and wait_value calls only";
    case SF_NODE_CONDITIONAL: return sfi_conditional_wrong(graph, d);
    default: return "no such type of node";
    }
}
/* Handles within a description, and what one backend cannot do. */
static sf_result sfi_check_desc(sf_graph *graph, const sf_node_desc *d, const char *call)
{
    sf_device *device = graph->device;
    const char *wrong;
    sf_result r = SF_OK;
    sfi_lock(&device->lock);
    wrong = sfi_desc_wrong(graph, d);
    sfi_unlock(&device->lock);
    if (wrong) { return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, call, d->name, "%s", wrong); }
    if (d->type == SF_NODE_EVENT_RECORD || d->type == SF_NODE_EVENT_WAIT) {
        r = sfi_check_event_in(d->event, call);
    }
    if (r >= 0 && d->type == SF_NODE_EVENT_RECORD && d->event->device != device) { r = SF_ERROR_INVALID_HANDLE; }
    if (r >= 0 && d->type == SF_NODE_EVENT_WAIT && !d->event->device->host != !device->host) {
        r = sfi_foreign(d->event->device, call);
    }
    if (d->type == SF_NODE_MEM_ALLOC && d->alloc.pool) {     /* graphs have memory of their own: only looked at */
        r = sfi_check_mem_pool_in(d->alloc.pool, call);
        if (r >= 0 && d->alloc.pool->device != device) { r = SF_ERROR_INVALID_HANDLE; }
    }
    if (d->type == SF_NODE_CHILD) {
        r = sfi_check_graph_in(d->child, call);
        if (r >= 0 && d->child->device != device) { r = SF_ERROR_INVALID_HANDLE; }
        if (r >= 0 && sfi_graph_root(graph) == sfi_graph_root(d->child)) { r = SF_ERROR_INVALID_VALUE; }
        if (r >= 0) { r = sfi_graph_may_copy(d->child, call); }
    }
    if (r >= 0 && d->type == SF_NODE_KERNEL && !d->function.func &&
        (device->host ? !d->kernel.func->host : !d->kernel.func->cuda)) {
        r = sfi_device_fail(device, SF_ERROR_NOT_SUPPORTED, call, d->kernel.func->name,
                            "the kernel has no body for this backend: set sf_kernel.host or sf_kernel.cuda");
    }
    return r;
}
static bool sfi_has_duplicate(const sf_dependency *after, int count)
{
    int i, k;
    for (i = 0; i < count; i++) {
        for (k = 0; k < i; k++) {
            if (after[i].node == after[k].node) { return true; }
        }
    }
    return false;
}
static sf_result sfi_graph_add(sf_graph *graph, const sf_dependency *after, int count, const sf_node_desc *desc,
                               sf_graph_node **node)
{
    sf_result r = sfi_check_graph_in(graph, "sf_graph_add_node");
    sf_device *device;
    sf_graph_node *n = NULL;
    uint32_t i;
    if (r < 0) { return r; }
    device = graph->device;
    if (!desc) { return SF_ERROR_INVALID_VALUE; }
    r = sfi_check_after(graph, after, count, desc->type == SF_NODE_KERNEL);
    if (r >= 0 && sfi_has_duplicate(after, count)) {
        r = sfi_device_fail(device, SF_ERROR_INVALID_VALUE, "sf_graph_add_node", desc->name,
                            "a dependency comes twice");
    }
    if (r >= 0) { r = sfi_check_desc(graph, desc, "sf_graph_add_node"); }
    if (r < 0) { return r; }
    sfi_lock(&device->lock);
    n = sfi_node_new(graph, desc->type, desc->name, after, (uint32_t)count, &r);
    if (r >= 0) {
        n->handle = desc->type == SF_NODE_CONDITIONAL ? desc->conditional.handle : 0;
        n->branch = desc->type == SF_NODE_CONDITIONAL ? desc->conditional.type : SF_CONDITIONAL_IF;
        if (device->host) { r = device->backend->node_add(n, desc); }
    }
    sfi_unlock(&device->lock);
    if (r >= 0 && !device->host) { r = device->backend->node_add(n, desc); }     /* calls launchers of the user's */
    if (r < 0) {
        sfi_lock(&device->lock);
        if (n) { sfi_node_discard(n); }
        sfi_unlock(&device->lock);
        return r == SF_ERROR_INVALID_VALUE && desc->type == SF_NODE_MEM_FREE
                   ? sfi_device_fail(device, r, "sf_graph_add_node", desc->name,
                                     "no graph allocates that memory, or this one frees it already")
                   : r;
    }
    for (i = 0; n->type == SF_NODE_CONDITIONAL && i < n->body_count; i++) {
        desc->conditional.body[i] = n->bodies[i];
    }
    *node = n;
    return SF_OK;
}
SF_API sf_result sf_graph_add_node(sf_graph *graph, const sf_dependency *after, int count, const sf_node_desc *desc,
                                   sf_graph_node **node)
{
    sf_graph_node *added = NULL;
    sf_result r = sfi_graph_add(graph, after, count, desc, &added);
    if (node) { *node = added; }             /* not before: it may be a member of `after` */
    return r < 0 && graph && graph->slot.tag == SFI_TAG_GRAPH ? sfi_told(graph->device, r) : r;
}
static sf_result sfi_check_node_in(const sf_graph_node *node, const char *call)
{
    return node && node->slot.tag == SFI_TAG_NODE ? sfi_check_device_in(node->graph->device, call) : sfi_stray(call);
}
#define sfi_check_node(node) sfi_check_node_in(node, __func__)
SF_API sf_result sf_graph_add_dependencies(sf_graph *graph, sf_graph_node *node, const sf_dependency *after,
                                           int count)
{
    sf_result r = sfi_check_graph(graph);
    int i;
    uint32_t k;
    if (r >= 0) { r = sfi_check_node(node); }
    if (r >= 0) {
        r = sfi_told(graph->device, sfi_check_after(graph, after, count, node->type == SF_NODE_KERNEL));
    }
    if (r < 0) { return r; }
    r = node->graph == graph && !sfi_has_duplicate(after, count) ? SF_OK : SF_ERROR_INVALID_VALUE;
    sfi_lock(&graph->device->lock);
    for (i = 0; i < count && r >= 0; i++) {
        if (after[i].node == node) { r = SF_ERROR_INVALID_VALUE; }
        for (k = 0; k < node->after.count; k++) {
            if (node->after.items[k].node == after[i].node) { r = SF_ERROR_INVALID_VALUE; }
        }
    }
    sfi_unlock(&graph->device->lock);
    if (r < 0) {
        return sfi_device_fail(graph->device, r, "sf_graph_add_dependencies", node->name,
                               "the node is of another graph, comes after itself, or after one twice");
    }
    r = graph->device->backend->node_depend(node, after, count);
    sfi_lock(&graph->device->lock);
    for (i = 0; i < count && r >= 0; i++) {
        if (!sfi_after_add(&graph->device->heap, &node->after, after[i])) {
            r = sfi_out_of_memory(&graph->device->heap);
        }
    }
    sfi_unlock(&graph->device->lock);
    return sfi_told(graph->device, r);
}
SF_API sf_result sf_graph_get_nodes(const sf_graph *graph, sf_graph_node **nodes, int max, int *count)
{
    sf_result r = sfi_check_graph(graph);
    int i;
    if (r < 0) { return r; }
    if (!count || max < 0 || (max && !nodes)) { return sfi_told(graph->device, SF_ERROR_INVALID_VALUE); }
    r = graph->device->backend->graph_refresh((sf_graph *)graph, false, "sf_graph_get_nodes");
    if (r < 0) { return sfi_told(graph->device, r); }
    sfi_lock(&graph->device->lock);
    for (i = 0; i < max && i < (int)graph->count; i++) { nodes[i] = graph->nodes[i]; }
    *count = (int)graph->count;
    sfi_unlock(&graph->device->lock);
    return SF_OK;
}
SF_API sf_result sf_graph_node_get_type(const sf_graph_node *node, sf_node_type *type)
{
    sf_result r = sfi_check_node(node);
    if (r < 0) { return r; }
    if (!type) { return sfi_told(node->graph->device, SF_ERROR_INVALID_VALUE); }
    *type = node->type;
    return SF_OK;
}
SF_API sf_result sf_graph_node_get_dependencies(const sf_graph_node *node, sf_dependency *after, int max, int *count)
{
    sf_result r = sfi_check_node(node);
    sf_device *device;
    int i;
    if (r < 0) { return r; }
    if (!count || max < 0 || (max && !after)) { return sfi_told(node->graph->device, SF_ERROR_INVALID_VALUE); }
    device = node->graph->device;
    r = device->backend->graph_refresh(node->graph, false, "sf_graph_node_get_dependencies");
    if (r < 0) { return sfi_told(device, r); }
    sfi_lock(&device->lock);
    for (i = 0; i < max && i < (int)node->after.count; i++) { after[i] = node->after.items[i]; }
    *count = (int)node->after.count;
    sfi_unlock(&device->lock);
    return SF_OK;
}
SF_API sf_result sf_graph_preload(sf_graph *graph)
{
    sf_result r = sfi_check_graph(graph);
    if (r < 0) { return r; }
    r = sfi_graph_refresh(graph, "sf_graph_preload");
    return sfi_told(graph->device, r < 0 ? r : graph->device->backend->graph_preload(graph));
}

/* -- what CUDA would refuse without saying why -- */

/* Takes away nodes that come after nothing that is left; what cannot be taken is on a cycle, or behind one. `mark`
   becomes a node's place in an order that respects all edges. Lock held: the marks are one walker's at a time. */
static const sf_graph_node *sfi_graph_cycle(sf_graph *graph)
{
    uint32_t i, k, left = graph->count, before = left + 1;
    const sf_graph_node *node;
    for (i = 0; i < graph->count; i++) { graph->nodes[i]->mark = 0; }
    while (left < before) {
        before = left;
        for (i = 0; i < graph->count; i++) {
            sf_graph_node *n = graph->nodes[i];
            for (k = 0; k < n->after.count && n->after.items[k].node->mark; k++) {}
            if (!n->mark && k == n->after.count) { n->mark = graph->count - --left; }
        }
    }
    if (!left) { return NULL; }
    for (i = 0; graph->nodes[i]->mark; i++) {}
    node = graph->nodes[i];                  /* on a cycle or behind one: so many steps back it is on one */
    for (i = 0; i < graph->count; i++) {
        for (k = 0; node->after.items[k].node->mark; k++) {}
        node = node->after.items[k].node;
    }
    return node;
}
static const char *sfi_body_wrong(const sf_graph_node *node)
{
    switch (node->type) {
    case SF_NODE_HOST: return "a host function cannot run in the body of a conditional: put it before or behind that";
    case SF_NODE_EVENT_RECORD:
    case SF_NODE_EVENT_WAIT: return "event nodes cannot stand in the body of a conditional";
    case SF_NODE_MEM_ALLOC:
    case SF_NODE_MEM_FREE: return "memory cannot be allocated or freed in the body of a conditional: do it outside";
    case SF_NODE_BATCH_MEM_OP: return "value operations cannot stand in the body of a conditional: use a kernel";
    case SF_NODE_MEMCPY:
    case SF_NODE_MEMSET:
        return node->graph->device->backend->node_is_pageable(node)
                   ? "pageable memory cannot be copied in the body of a conditional: use SF_MEMORY_PINNED"
                   : NULL;
    default: return NULL;
    }
}
static sf_result sfi_graph_check(sf_graph *graph, bool in_body, sfi_wrong *wrong)      /* lock held */
{
    const sf_graph_node *node = sfi_graph_cycle(graph);
    sf_result r = SF_OK;
    uint32_t i, k;
    if (node) { return sfi_is_wrong(wrong, SF_ERROR_INVALID_VALUE, node, "the node is part of a cycle"); }
    for (i = 0; i < graph->count && r >= 0; i++) {
        const char *why = in_body ? sfi_body_wrong(graph->nodes[i]) : NULL;
        node = graph->nodes[i];
        if (why) { return sfi_is_wrong(wrong, SF_ERROR_INVALID_VALUE, node, why); }
        for (k = 0; k < node->body_count && r >= 0; k++) {
            r = sfi_graph_check(node->bodies[k], in_body || node->type == SF_NODE_CONDITIONAL, wrong);
        }
    }
    return r;
}
static sf_result sfi_graph_may_run(sf_graph *graph, sfi_wrong *wrong)        /* lock held */
{
    uint32_t i;
    sf_result r = sfi_graph_check(graph, false, wrong);
    for (i = 0; i < graph->branch_count && r >= 0; i++) {
        if (!sfi_handle_is_used(graph, graph->branches[i].handle)) {
            r = sfi_is_wrong(wrong, SF_ERROR_INVALID_VALUE, NULL, "a handle from sf_graph_conditional_create() "
                             "belongs to no node: add one, or make none");
        }
    }
    if (r >= 0 && graph->execs && sfi_graph_single(graph)) {
        r = sfi_is_wrong(wrong, SF_ERROR_NOT_SUPPORTED, NULL, "a graph with conditionals, or one that allocates, has "
                         "one executable at a time: destroy the other");
    }
    return r;
}

/* -- executables -- */

static sf_result sfi_check_exec_in(const sf_graph_exec *exec, const char *call)
{
    return exec && exec->slot.tag == SFI_TAG_EXEC ? sfi_check_device_in(exec->device, call) : sfi_stray(call);
}
#define sfi_check_exec(exec) sfi_check_exec_in(exec, __func__)
enum { SFI_AUTO_FREE = 1, SFI_NODE_PRIORITY = 8 };           /* CUDA's flags of instantiation */

static void sfi_exec_free(sf_graph_exec *exec)               /* lock held */
{
    sf_device *device = exec->device;
    device->backend->exec_destroy(exec);
    if (exec->graph && exec->graph->slot.tag == SFI_TAG_GRAPH && exec->graph->id == exec->graph_id) {
        exec->graph->execs--;
    }
    sfi_memories_clear(&device->heap, &exec->memories);
    sfi_memories_clear(&device->heap, &exec->freed);
    sfi_slab_give(&device->execs, &exec->slot);
}
SF_API sf_result sf_graph_instantiate(sf_graph *graph, uint32_t flags, sf_graph_exec **exec)
{
    sf_result r = sfi_check_graph(graph);
    sf_device *device;
    sf_graph_exec *e;
    sfi_wrong wrong;
    uint32_t i;
    if (r < 0) { return r; }
    device = graph->device;
    if (!exec || (flags & ~(uint32_t)(SFI_AUTO_FREE | SFI_NODE_PRIORITY))) {
        return sfi_told(device, SF_ERROR_INVALID_VALUE);
    }
    *exec = NULL;
    if (device->host) { r = sfi_host_unsafe_call(device); }
    if (r >= 0 && sfi_graph_root(graph)->spoiled) { r = SF_ERROR_CAPTURE_INVALIDATED; }
    if (r >= 0 && graph->parent) { r = sfi_graph_may_copy(graph, "sf_graph_instantiate"); }
    if (r >= 0) { r = sfi_graph_refresh(graph, "sf_graph_instantiate"); }
    if (r < 0) { return sfi_told(device, r); }
    sfi_lock(&device->lock);
    if (sfi_graph_may_run(graph, &wrong) < 0) {
        sfi_unlock(&device->lock);
        return sfi_tell_wrong(device, &wrong, "sf_graph_instantiate");
    }
    device->execs.size = SFI_ALIGN(sizeof *e, 16);
    e = (sf_graph_exec *)(void *)sfi_slab_take(&device->execs, &device->heap, SFI_TAG_EXEC);
    if (e) {
        sfi_zero((char *)e + sizeof e->slot, sizeof *e - sizeof e->slot);
        e->device = device;
        e->flags = flags;
        e->graph = graph;
        e->graph_id = graph->id;
        graph->execs++;
        if (!sfi_memories_copy(&device->heap, &e->memories, &graph->memories) ||
            !sfi_memories_copy(&device->heap, &e->freed, &graph->freed)) {
            r = sfi_out_of_memory(&device->heap);
        }
        for (i = 0; i < graph->count && r >= 0; i++) {
            const sf_graph_node *node = graph->nodes[i];
            if (node->type == SF_NODE_MEM_FREE && node->memory &&
                !sfi_memories_add(&device->heap, &e->freed, node->memory)) {
                r = sfi_out_of_memory(&device->heap);
            }
        }
    } else {
        r = sfi_out_of_memory(&device->heap);
    }
    sfi_unlock(&device->lock);
    if (r >= 0) { r = device->backend->exec_create(e, graph); }
    if (r < 0) {
        sfi_lock(&device->lock);
        if (e) { sfi_exec_free(e); }
        sfi_unlock(&device->lock);
        return sfi_told(device, r);
    }
    sfi_count(device, SFI_LIVE_GRAPHS, 1);
    *exec = e;
    return SF_OK;
}
SF_API sf_result sf_graph_exec_destroy(sf_graph_exec *exec)
{
    sf_result r = sfi_check_exec(exec);
    sf_device *device;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    device = exec->device;
    if (r >= 0) { r = device->backend->exec_release(exec); }
    if (r == SF_ERROR_CAPTURE_UNSUPPORTED) { return sfi_told(device, r); }
    sfi_lock(&device->lock);
    sfi_exec_free(exec);
    sfi_unlock(&device->lock);
    sfi_count(device, SFI_LIVE_GRAPHS, (uint64_t)-1);
    return r;
}
SF_API sf_result sf_graph_upload(sf_graph_exec *exec, sf_stream *stream)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    r = sfi_check_exec(exec);
    if (r >= 0 && exec->device != stream->device) { r = sfi_foreign(exec->device, __func__); }
    if (r >= 0) { r = exec->device->backend->exec_upload(exec, stream); }
    return sfi_on_stream(stream, r);
}

static bool sfi_memories_have(const sfi_memories *list, const sfi_graph_memory *m)
{
    uint32_t i;
    for (i = 0; i < list->count && list->items[i] != m; i++) {}
    return i < list->count;
}
/* What a launch allocates must be free before, what it frees live or its own. */
static bool sfi_exec_has_memory(const sf_graph_exec *exec)   /* lock held */
{
    uint32_t i;
    for (i = 0; i < exec->memories.count; i++) {
        if (exec->memories.items[i]->live && !(exec->flags & SFI_AUTO_FREE)) { return false; }
    }
    for (i = 0; i < exec->freed.count; i++) {
        sfi_graph_memory *m = exec->freed.items[i];
        if (!m->live && !sfi_memories_have(&exec->memories, m)) { return false; }
    }
    return true;
}
static void sfi_exec_take_memory(sf_graph_exec *exec)        /* lock held */
{
    uint32_t i;
    for (i = 0; i < exec->freed.count; i++) { exec->freed.items[i]->was = exec->freed.items[i]->live; }
    for (i = 0; i < exec->memories.count; i++) {
        sfi_graph_memory *m = exec->memories.items[i];
        m->was = m->live;
        m->live = true;
    }
    for (i = 0; i < exec->freed.count; i++) { exec->freed.items[i]->live = false; }
}
static void sfi_exec_take_back(sf_graph_exec *exec)          /* lock held */
{
    uint32_t i;
    for (i = 0; i < exec->memories.count; i++) { exec->memories.items[i]->live = exec->memories.items[i]->was; }
    for (i = 0; i < exec->freed.count; i++) { exec->freed.items[i]->live = exec->freed.items[i]->was; }
}
SF_API sf_result sf_graph_launch(sf_graph_exec *exec, sf_stream *stream)
{
    sf_result r = sfi_check_stream(stream);
    sf_device *device;
    bool has;
    if (r < 0) { return r; }
    r = sfi_check_exec(exec);
    if (r >= 0 && exec->device != stream->device) { r = sfi_foreign(exec->device, __func__); }
    if (r < 0) { return sfi_on_stream(stream, r); }
    device = exec->device;
    sfi_count(device, SFI_GRAPH_LAUNCHES, 1);
    if (!exec->memories.count && !exec->freed.count) {
        return sfi_on_stream(stream, device->backend->exec_launch(exec, stream));
    }
    sfi_lock(&device->lock);
    has = !device->host || sfi_exec_has_memory(exec);        /* CUDA refuses by itself */
    if (has) { sfi_exec_take_memory(exec); }                 /* at once: another thread may launch it, too */
    sfi_unlock(&device->lock);
    if (!has) {
        return sfi_invalid(stream, "sf_graph_launch",
                           "memory that the graph allocates is in use since its last launch, "
                           "or memory that it frees is free");
    }
    r = device->backend->exec_launch(exec, stream);
    sfi_lock(&device->lock);
    if (r < 0) { sfi_exec_take_back(exec); }
    sfi_unlock(&device->lock);
    return sfi_on_stream(stream, r);
}
SF_API sf_result sf_graph_exec_update(sf_graph_exec *exec, const sf_graph *graph)
{
    sf_result r = sfi_check_exec(exec);
    sf_device *device;
    sfi_wrong wrong;
    if (r >= 0) { r = sfi_check_graph(graph); }
    if (r >= 0 && exec->device != graph->device) { r = sfi_stray(__func__); }
    if (r < 0) { return r; }
    device = exec->device;
    r = sfi_graph_refresh((sf_graph *)graph, "sf_graph_exec_update");
    if (r < 0) { return sfi_told(device, r); }
    sfi_lock(&device->lock);
    r = sfi_graph_check((sf_graph *)graph, false, &wrong);
    sfi_unlock(&device->lock);
    if (r < 0) { return sfi_tell_wrong(device, &wrong, "sf_graph_exec_update"); }
    r = device->backend->exec_update(exec, graph);
    return r == SF_ERROR_GRAPH_EXEC_UPDATE && device->host
               ? sfi_device_fail(device, r, "sf_graph_exec_update", NULL,
                                 "nodes, types or dependencies differ from the graph that was instantiated: "
                                 "instantiate this one")
               : sfi_told(device, r);
}
SF_API sf_result sf_graph_exec_set_node(sf_graph_exec *exec, const sf_graph_node *node, const sf_node_desc *desc)
{
    sf_result r = sfi_check_exec(exec);
    sf_device *device;
    if (r >= 0) { r = sfi_check_node(node); }
    if (r < 0) { return r; }
    device = exec->device;
    if (!desc || node->graph->device != device || sfi_graph_root(node->graph)->id != exec->graph_id ||
        desc->type != node->type || desc->type == SF_NODE_CONDITIONAL || desc->type == SF_NODE_MEM_ALLOC ||
        desc->type == SF_NODE_MEM_FREE || desc->type == SF_NODE_BATCH_MEM_OP) {
        return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, "sf_graph_exec_set_node", node->name,
                               "the node is not of the graph that was instantiated, of another type than the "
                               "description, or of one that cannot be changed");
    }
    r = sfi_check_desc(node->graph, desc, "sf_graph_exec_set_node");
    return sfi_told(device, r < 0 ? r : device->backend->exec_set_node(exec, node, desc));
}

/* -- a picture -- */

static void sfi_write_name(const sfi_writer *w, const char *s);
static void sfi_dot_graph(const sfi_writer *w, const sf_graph *graph)
{
    char buffer[SFI_NAME];
    uint32_t i, k;
    for (i = 0; i < graph->count; i++) {
        const sf_graph_node *node = graph->nodes[i];
        const char *name = sfi_node_name(node, buffer, sizeof buffer);
        sfi_write(w, "  g%Ln%u [shape=%s, label=\"", (int64_t)graph->id, (unsigned)i,
                  node->type == SF_NODE_CONDITIONAL ? "diamond" : "box");
        sfi_write_name(w, name);
        sfi_write(w, "\", tooltip=\"%s\"];\n", sfi_node_types[node->type]);
        for (k = 0; k < node->after.count; k++) {
            sfi_write(w, "  g%Ln%u -> g%Ln%u%s;\n", (int64_t)graph->id,
                      (unsigned)node->after.items[k].node->index, (int64_t)graph->id, (unsigned)i,
                      node->after.items[k].type == SF_EDGE_FULL ? ""
                      : node->after.items[k].type == SF_EDGE_PROGRAMMATIC
                          ? " [style=dashed, label=programmatic]"
                          : " [style=dotted, label=\"launch order\"]");
        }
        for (k = 0; k < node->body_count; k++) {
            sfi_write(w, "  subgraph cluster_g%Ln%ub%u {\n  label=\"", (int64_t)graph->id, (unsigned)i, (unsigned)k);
            sfi_write_name(w, name);
            sfi_write(w, "\";\n");
            sfi_dot_graph(w, node->bodies[k]);
            sfi_write(w, "  }\n");
            if (node->bodies[k]->count) {
                sfi_write(w, "  g%Ln%u -> g%Ln0 [style=dotted, label=\"%u\"];\n", (int64_t)graph->id, (unsigned)i,
                          (int64_t)node->bodies[k]->id, (unsigned)k);
            }
        }
    }
}
SF_API sf_result sf_graph_dot(const sf_graph *graph, sf_text_func text, void *user)
{
    sf_result r = sfi_check_graph(graph);
    sfi_writer w;
    if (r < 0) { return r; }
    if (!text) { return sfi_told(graph->device, SF_ERROR_INVALID_VALUE); }
    r = sfi_graph_refresh((sf_graph *)graph, "sf_graph_dot");
    if (r < 0) { return sfi_told(graph->device, r); }
    w.func = text;
    w.user = user;
    sfi_write(&w, "digraph graph_%L {\n  compound=true;\n", (int64_t)graph->id);
    sfi_dot_graph(&w, graph);
    sfi_write(&w, "}\n");
    return SF_OK;
}

/* >>operations ---------------------------------------------------------------------------------------- */

/* Lazy operations: a tree of descriptions, counted references, run by walking it. Whatever an operation puts out is
   kept, with who made it, by the future or, in a share or a graph, by that operation, until all GPU work that may
   use it is done: so nothing is ever freed early, also where something fails half-way. */
typedef enum sfi_lazy_kind {
    SFI_LAZY_VALUE, SFI_LAZY_DO, SFI_LAZY_KERNEL, SFI_LAZY_MEMCPY, SFI_LAZY_THEN, SFI_LAZY_ZIP, SFI_LAZY_PAR,
    SFI_LAZY_SHARE, SFI_LAZY_PICK, SFI_LAZY_REPEAT, SFI_LAZY_GRAPH
} sfi_lazy_kind;

typedef struct sfi_made {
    struct sfi_made *next;
    sf_value value;
    sf_lazy *by;
    const struct sfi_keeper *keeper;
    bool final; /* its keeper's own result: stays until it is taken, or the future gone */
    sfi_atomic32 taken;
} sfi_made;
typedef struct sfi_outputs { sfi_made **items; uint32_t count, room; } sfi_outputs;
typedef struct sfi_keeper {                  /* outputs, and operations that joined on the way */
    sfi_made *made;
    sf_lazy **lazies;
    uint32_t count, room;
} sfi_keeper;
typedef struct sfi_memo {                    /* of a share or a graph: what its one run gave */
    sfi_mutex lock;
    sfi_atomic64 holder;                     /* the thread that has the lock */
    struct sfi_memo *outer, *waits_for;      /* of those it has: the one taken before; what it waits for now */
    bool ran;
    sf_result result;
    sfi_keeper keeper;
    sfi_outputs outputs;
    uint32_t stream;                         /* share: the index of where it ran, */
    sf_event *event;                         /* and its end */
    sf_graph *graph;
    sf_graph_exec *exec;
    sf_lazy **shares;                        /* graph: whose results it uses from outside */
    uint32_t share_count, share_room;
} sfi_memo;

struct sf_lazy {
    sfi_slot slot;
    sf_device *device;
    sfi_atomic32 references;
    sfi_lazy_kind kind;
    sf_lazy *next;                           /* among those being freed */
    sf_lazy **parts;
    uint32_t count;
    uint32_t commands;                       /* that it enqueues, as far as that is known; functions count as one */
    int32_t number;                          /* PICK: index. REPEAT: times */
    sf_value value;
    sf_lazy_desc desc;
    const sf_kernel *kernel;
    void *args;                              /* KERNEL: a copy. MEMCPY: the destination */
    const void *src;
    size_t bytes;
    sfi_memo *memo;
    char name[SFI_NAME];
};

/* A walk over a tree: on whose behalf, and, inside of a graph, the stream outside of the capture. */
typedef struct sfi_walk {
    sf_device *device;
    sfi_keeper *keeper;
    sf_lazy *graph;
    sf_stream *outer;
    uint32_t depth;
} sfi_walk;
enum { SFI_LAZY_DEPTH = 2000 };              /* operations within each other, chains not counted */
enum { SFI_LAZY_COMMANDS = 1 << 20 };        /* more than these count as these */

static bool sfi_is_lazy(const sf_lazy *lazy) { return lazy && lazy->slot.tag == SFI_TAG_LAZY; }
static uint32_t sfi_lazy_commands(const sf_lazy *l)
{
    uint64_t n = l->kind >= SFI_LAZY_DO && l->kind <= SFI_LAZY_THEN;
    uint32_t i;
    if (l->kind == SFI_LAZY_GRAPH) { return 1; }
    for (i = 0; i < l->count; i++) {         /* a fork's are on another stream, but for the wait that joins it */
        n += i && l->kind == SFI_LAZY_PAR ? 1 : l->parts[i]->commands;
    }
    if (l->kind == SFI_LAZY_REPEAT) { n *= (uint32_t)l->number; }
    return n < SFI_LAZY_COMMANDS ? (uint32_t)n : (uint32_t)SFI_LAZY_COMMANDS;
}

/* -- making and freeing -- */

static sf_lazy *sfi_lazy_new(sf_device *device, sfi_lazy_kind kind, sf_lazy *const *parts, uint32_t count)
{
    sf_lazy *l;
    sfi_lock(&device->lock);
    device->lazies.size = SFI_ALIGN(sizeof *l, 16);
    l = (sf_lazy *)(void *)sfi_slab_take(&device->lazies, &device->heap, SFI_TAG_LAZY);
    sfi_unlock(&device->lock);
    if (!l) { return NULL; }
    sfi_zero((char *)l + sizeof l->slot, sizeof *l - sizeof l->slot);
    l->device = device;
    l->kind = kind;
    sfi_store(&l->references, 1);
    if (count) { l->parts = (sf_lazy **)sfi_alloc(&device->heap, count * sizeof(void *)); }
    if (kind == SFI_LAZY_SHARE || kind == SFI_LAZY_GRAPH) {
        l->memo = (sfi_memo *)sfi_alloc_zeroed(&device->heap, sizeof *l->memo);
        if (l->memo) { sfi_mutex_init(&l->memo->lock); }
    }
    if ((count && !l->parts) || ((kind == SFI_LAZY_SHARE || kind == SFI_LAZY_GRAPH) && !l->memo)) {
        sf_lazy_drop(l);
        return NULL;
    }
    if (count) { sfi_copy(l->parts, parts, count * sizeof(void *)); }
    l->count = count;
    l->commands = sfi_lazy_commands(l);
    return l;
}
static bool sfi_may_describe(const sf_device *device)        /* also after a fault: who submits is told */
{
    return device && device->slot.tag == SFI_TAG_DEVICE && !sfi_this_thread.in_host_func;
}

/* What cannot be described is told at once: whoever schedules it has a NULL, and no reason. */
static void sfi_lazy_refuse(sf_device *device, const char *call, const char *name, const char *why)
{
    if (!sfi_may_describe(device) || sfi_load(&device->fault)) { return; }
    (void)sfi_device_fail(device, SF_ERROR_INVALID_VALUE, call, name, "%s", why);
}
/* Takes over the references of `parts`; NULL, and they are dropped, if one is not valid or memory is out. */
static sf_lazy *sfi_lazy_of(sfi_lazy_kind kind, sf_lazy *const *parts, int count)
{
    sf_lazy *l = NULL;
    bool whole = parts && count > 0;
    int i;
    for (i = 0; i < count && whole; i++) {
        whole = sfi_is_lazy(parts[i]);
        if (whole && parts[i]->device != parts[0]->device) {
            sfi_lazy_refuse(parts[0]->device, kind == SFI_LAZY_ZIP ? "sf_lazy_zip" : "sf_lazy_par", NULL,
                            "the parts are of two devices");
            whole = false;
        }
    }
    if (whole && sfi_may_describe(parts[0]->device)) {
        l = sfi_lazy_new(parts[0]->device, kind, parts, (uint32_t)count);
    }
    for (i = 0; i < count && parts && !l; i++) { sf_lazy_drop(parts[i]); }
    return l;
}
static sf_lazy *sfi_lazy_described(sf_lazy *l, const sf_lazy_desc *desc)
{
    if (!l && desc && desc->drop_state) { desc->drop_state(desc->state); }
    if (!l) { return NULL; }
    l->desc = *desc;
    sfi_keep_name(l->name, sizeof l->name, desc->name);
    l->desc.name = l->name;
    return l;
}
SF_API sf_lazy *sf_lazy_value(sf_device *device, sf_value value)
{
    sf_lazy *l = sfi_may_describe(device) ? sfi_lazy_new(device, SFI_LAZY_VALUE, NULL, 0) : NULL;
    if (l) { l->value = value; }
    return l;
}
#define SFI_NO_RUN "there is no function: set sf_lazy_desc.run"
SF_API sf_lazy *sf_lazy_do(sf_device *device, const sf_lazy_desc *desc)
{
    bool may = sfi_may_describe(device) && desc && desc->run;
    if (!desc || !desc->run) { sfi_lazy_refuse(device, "sf_lazy_do", desc ? desc->name : NULL, SFI_NO_RUN); }
    return sfi_lazy_described(may ? sfi_lazy_new(device, SFI_LAZY_DO, NULL, 0) : NULL, desc);
}
SF_API sf_lazy *sf_lazy_kernel(sf_device *device, const sf_kernel *kernel, const void *args, size_t bytes)
{
    sf_lazy *l;
    if (!kernel || bytes > SF_MAX_ARGS || (bytes && !args)) {
        sfi_lazy_refuse(device, "sf_lazy_kernel", kernel ? kernel->name : NULL,
                        "the kernel or its arguments are NULL, or there are more than 4096 bytes of these");
        return NULL;
    }
    if (!sfi_may_describe(device)) { return NULL; }
    l = sfi_lazy_new(device, SFI_LAZY_KERNEL, NULL, 0);
    if (!l) { return NULL; }
    l->kernel = kernel;
    l->bytes = bytes;
    l->args = sfi_alloc(&device->heap, bytes);
    if (!l->args) {
        sf_lazy_drop(l);
        return NULL;
    }
    if (bytes) { sfi_copy(l->args, args, bytes); }
    return l;
}
SF_API sf_lazy *sf_lazy_memcpy(sf_device *device, void *dst, const void *src, size_t bytes)
{
    sf_lazy *l;
    if (bytes && (!dst || !src)) { sfi_lazy_refuse(device, "sf_lazy_memcpy", NULL, "a pointer is NULL"); }
    if (!sfi_may_describe(device) || (bytes && (!dst || !src))) { return NULL; }
    l = sfi_lazy_new(device, SFI_LAZY_MEMCPY, NULL, 0);
    if (!l) { return NULL; }
    l->args = dst;
    l->src = src;
    l->bytes = bytes;
    return l;
}
SF_API sf_lazy *sf_lazy_then(sf_lazy *first, const sf_lazy_desc *desc)
{
    if (!desc || !desc->run) {
        if (sfi_is_lazy(first)) {
            sfi_lazy_refuse(first->device, "sf_lazy_then", desc ? desc->name : NULL, SFI_NO_RUN);
        }
        sf_lazy_drop(first);
        return sfi_lazy_described(NULL, desc);
    }
    return sfi_lazy_described(sfi_lazy_of(SFI_LAZY_THEN, &first, 1), desc);
}
SF_API sf_lazy *sf_lazy_zip(sf_lazy *const *parts, int count) { return sfi_lazy_of(SFI_LAZY_ZIP, parts, count); }
SF_API sf_lazy *sf_lazy_par(sf_lazy *const *parts, int count) { return sfi_lazy_of(SFI_LAZY_PAR, parts, count); }
SF_API sf_lazy *sf_lazy_share(sf_lazy *once) { return sfi_lazy_of(SFI_LAZY_SHARE, &once, 1); }
SF_API sf_lazy *sf_lazy_graph(sf_lazy *body) { return sfi_lazy_of(SFI_LAZY_GRAPH, &body, 1); }
static sf_lazy *sfi_lazy_numbered(sfi_lazy_kind kind, sf_lazy *part, int number)
{
    sf_lazy *l;
    if (number < 0) {
        if (sfi_is_lazy(part)) {
            sfi_lazy_refuse(part->device, kind == SFI_LAZY_PICK ? "sf_lazy_pick" : "sf_lazy_repeat", NULL,
                            "the number is negative");
        }
        sf_lazy_drop(part);
        return NULL;
    }
    l = sfi_lazy_of(kind, &part, 1);
    if (!l) { return NULL; }
    l->number = number;
    l->commands = sfi_lazy_commands(l);
    return l;
}
SF_API sf_lazy *sf_lazy_pick(sf_lazy *from, int index) { return sfi_lazy_numbered(SFI_LAZY_PICK, from, index); }
SF_API sf_lazy *sf_lazy_repeat(sf_lazy *body, int times) { return sfi_lazy_numbered(SFI_LAZY_REPEAT, body, times); }
SF_API sf_lazy *sf_lazy_retain(sf_lazy *lazy)
{
    if (!sfi_is_lazy(lazy)) { return NULL; }
    (void)sfi_add(&lazy->references, 1);
    return lazy;
}

/* A stream of the library's own, for frees after everything is done. */
static sf_stream *sfi_lazy_stream(sf_device *device)
{
    sf_stream *s = sfi_fork_take(device, 0, 0);
    return s || sfi_fork_new(device, 0, &s) >= 0 ? s : NULL;
}
static void sfi_drop_value(const sf_lazy *by, sf_value value, sf_stream *stream)
{
    const sf_device *outer;
    if (!by || !by->desc.drop_value) { return; }
    outer = sfi_call_out(by->device);
    by->desc.drop_value(by->desc.state, value, stream);
    sfi_call_back(outer);
}
/* Gives every output that nobody took to its drop_value, the final ones only if `all`. The GPU is done with them. */
static void sfi_keeper_drop(sfi_keeper *k, sf_device *device, sf_stream *stream, bool all)
{
    sfi_made **link = &k->made, *m;
    while ((m = *link) != NULL) {
        if (m->final && !all) {
            link = &m->next;
            continue;
        }
        *link = m->next;
        if (!sfi_load(&m->taken)) { sfi_drop_value(m->by, m->value, stream); }
        sfi_free(&device->heap, m);
    }
}
static void sfi_keeper_free(sfi_keeper *k, sf_device *device, sf_stream *stream, sf_lazy **dead)
{
    uint32_t i;
    sfi_keeper_drop(k, device, stream, true);
    for (i = 0; i < k->count; i++) {
        if (sfi_add(&k->lazies[i]->references, (uint32_t)-1) == 1) {
            k->lazies[i]->next = *dead;
            *dead = k->lazies[i];
        }
    }
    sfi_free(&device->heap, k->lazies);
    sfi_zero(k, sizeof *k);
}
static void sfi_memo_free(sf_lazy *l, sf_lazy **dead)
{
    sf_device *device = l->device;
    sfi_memo *m = l->memo;
    sf_stream *stream = m->keeper.made || m->keeper.count ? sfi_lazy_stream(device) : NULL;
    sf_capture_mode mode = sfi_relax();
    sfi_keeper_free(&m->keeper, device, stream ? stream : device->legacy, dead);
    if (stream) { sfi_fork_give(stream); }
    if (m->exec) { (void)sf_graph_exec_destroy(m->exec); }
    if (m->graph) { (void)sf_graph_destroy(m->graph); }
    if (m->event) { sfi_event_free(m->event); }
    sfi_unrelax(mode);
    sfi_free(&device->heap, m->outputs.items);
    sfi_free(&device->heap, m->shares);
    sfi_mutex_free(&m->lock);
    sfi_free(&device->heap, m);
}
/* Frees what nobody refers to any more; a list instead of recursion, since chains may be long. */
static void sfi_lazy_free(sf_lazy *dead)
{
    while (dead) {
        sf_lazy *l = dead;
        sf_device *device = l->device;
        uint32_t i;
        dead = l->next;
        if (l->memo) { sfi_memo_free(l, &dead); }
        if (l->desc.drop_state) {
            const sf_device *outer = sfi_call_out(device);
            l->desc.drop_state(l->desc.state);
            sfi_call_back(outer);
        }
        for (i = 0; i < l->count; i++) {
            if (sfi_add(&l->parts[i]->references, (uint32_t)-1) == 1) {
                l->parts[i]->next = dead;
                dead = l->parts[i];
            }
        }
        if (l->kind == SFI_LAZY_KERNEL) { sfi_free(&device->heap, l->args); }
        sfi_free(&device->heap, l->parts);
        sfi_lock(&device->lock);
        sfi_slab_give(&device->lazies, &l->slot);
        sfi_unlock(&device->lock);
    }
}
SF_API void sf_lazy_drop(sf_lazy *lazy)
{
    if (!sfi_is_lazy(lazy) || sfi_this_thread.in_host_func) { return; }
    if (sfi_add(&lazy->references, (uint32_t)-1) == 1) {
        lazy->next = NULL;
        sfi_lazy_free(lazy);
    }
}

/* -- running -- */

static sf_result sfi_lazy_run(sfi_walk *w, sf_lazy *lazy, sf_stream *stream, sfi_outputs *out);

static sf_result sfi_put_output(const sfi_walk *w, sfi_outputs *out, sfi_made *made)
{
    const sf_heap *heap = &w->device->heap;
    if (!sfi_grow(heap, (void **)&out->items, &out->room, out->count + 1, sizeof(void *))) {
        return sfi_out_of_memory(heap);
    }
    out->items[out->count++] = made;
    return SF_OK;
}
static sf_result sfi_make_output(const sfi_walk *w, sfi_outputs *out, sf_value value, sf_lazy *by, sf_stream *stream)
{
    sfi_made *m = (sfi_made *)sfi_alloc_zeroed(&w->device->heap, sizeof *m);
    sf_result r = m ? sfi_put_output(w, out, m) : sfi_out_of_memory(&w->device->heap);
    if (r < 0) {                             /* it cannot be kept: free it behind the work that uses it */
        sfi_free(&w->device->heap, m);
        if (by && by->desc.drop_value) {
            (void)sf_stream_synchronize(stream, SF_FOREVER);
            sfi_drop_value(by, value, stream);
        }
        return r;
    }
    m->value = value;
    m->by = by;
    m->keeper = w->keeper;
    m->next = w->keeper->made;
    w->keeper->made = m;
    return SF_OK;
}
static sf_result sfi_keep_lazy(const sfi_walk *w, sf_lazy *lazy)
{
    sfi_keeper *k = w->keeper;
    if (!sfi_grow(&w->device->heap, (void **)&k->lazies, &k->room, k->count + 1, sizeof(void *))) {
        sf_lazy_drop(lazy);
        return sfi_out_of_memory(&w->device->heap);
    }
    k->lazies[k->count++] = lazy;
    return SF_OK;
}
/* Calls the user's function. *next: the operation to go on with instead of an output of its own. */
static sf_result sfi_lazy_call(const sfi_walk *w, sf_lazy *lazy, sf_stream *stream, const sfi_outputs *in,
                               sfi_outputs *out, sf_lazy **next)
{
    enum { SFI_FEW = 8 };
    const sf_heap *heap = &w->device->heap;
    sf_value few[SFI_FEW], *values = few, value;
    uint32_t n = in ? in->count : 0, i;
    sf_lazy_context x;
    const sf_device *outer;
    uint32_t told = sfi_this_thread.told;
    sf_result r;
    if (n > SFI_FEW) { values = (sf_value *)sfi_alloc(heap, n * sizeof *values); }
    if (!values) { return sfi_out_of_memory(heap); }
    for (i = 0; i < n; i++) { values[i] = in->items[i]->value; }
    sfi_zero(&value, sizeof value);
    x.device = w->device;
    x.stream = stream;
    x.state = lazy->desc.state;
    x.next = NULL;
    outer = sfi_call_out(w->device);
    r = lazy->desc.run(&x, n ? values : NULL, (int)n, &value);
    sfi_call_back(outer);
    if (values != few) { sfi_free(heap, values); }
    *next = NULL;
    if (r < 0) {
        char text[SFI_TEXT / 2];             /* of the call in it that failed, mostly: the reason */
        text[0] = 0;
        if (told != sfi_this_thread.told) { sfi_copy_failure(w->device, text, sizeof text); }
        sf_lazy_drop(x.next);
        return sfi_device_fail(w->device, r, "a lazy operation", lazy->name, "its function returned %d, %s%s%s",
                               (int)r, sf_result_string(r), text[0] ? ". " : "", text);
    }
    if (!x.next) { return sfi_make_output(w, out, value, lazy, stream); }
    if (!sfi_is_lazy(x.next) || x.next->device != w->device) {
        sf_lazy_drop(x.next);
        return SF_ERROR_INVALID_HANDLE;
    }
    *next = x.next;
    return sfi_keep_lazy(w, x.next);
}
/* A chain of `then`s, innermost first: not by recursion, chains may be long. */
static sf_result sfi_lazy_run_chain(sfi_walk *w, sf_lazy *last, sf_stream *stream, sfi_outputs *out, sf_lazy **next)
{
    const sf_heap *heap = &w->device->heap;
    sfi_outputs in;
    sf_lazy *l, **chain;
    uint32_t n = 0, i;
    sf_result r;
    for (l = last; l->kind == SFI_LAZY_THEN; l = l->parts[0]) { n++; }
    chain = (sf_lazy **)sfi_alloc(heap, n * sizeof(void *));
    if (!chain) { return sfi_out_of_memory(heap); }
    for (i = n, l = last; i-- > 0; l = l->parts[0]) { chain[i] = l; }
    sfi_zero(&in, sizeof in);
    r = sfi_lazy_run(w, l, stream, &in);
    for (i = 0; i < n && r >= 0; i++) {
        sfi_outputs made;
        sfi_zero(&made, sizeof made);
        r = sfi_lazy_call(w, chain[i], stream, &in, i + 1 < n ? &made : out, next);
        if (r >= 0 && *next && i + 1 < n) {  /* the last one's is the caller's to run */
            r = sfi_lazy_run(w, *next, stream, &made);
            *next = NULL;
        }
        sfi_free(heap, in.items);
        in = made;
    }
    sfi_free(heap, in.items);
    sfi_free(heap, chain);
    return r;
}
/* Side by side: the first part on the stream, each other on a fork of it; joined whatever happens. */
static sf_result sfi_lazy_run_par(sfi_walk *w, const sf_lazy *lazy, sf_stream *stream, sfi_outputs *out)
{
    uint32_t forks = 0, i;
    sf_result r = SF_OK, joined;
    sf_stream **child = (sf_stream **)sfi_alloc_zeroed(&w->device->heap, lazy->count * sizeof(void *));
    if (!child) { return sfi_out_of_memory(&w->device->heap); }
    child[0] = stream;
    for (i = 1; i < lazy->count && r >= 0; i++) {
        r = sf_stream_fork(stream, &child[i]);
        if (r >= 0) { forks = i; }
    }
    for (i = 0; i < lazy->count && r >= 0; i++) { r = sfi_lazy_run(w, lazy->parts[i], child[i], out); }
    for (i = 1; i <= forks; i++) {
        joined = sf_stream_join(stream, child[i]);
        r = r < 0 ? r : joined;
    }
    sfi_free(&w->device->heap, child);
    return r;
}
static sf_result sfi_add_outputs(const sfi_walk *w, sfi_outputs *out, const sfi_outputs *from)
{
    sf_result r = SF_OK;
    uint32_t i;
    for (i = 0; i < from->count && r >= 0; i++) { r = sfi_put_output(w, out, from->items[i]); }
    return r;
}
/* A share or a graph that goes on with itself, by sf_lazy_context.next, would wait for itself; two that go on with
   each other on two threads, each for the other's. Who already holds some notes there what it waits for, under the
   device's lock: the last one of a circle sees all of it. */
static void sfi_memos_wait_for(sfi_memo *m)
{
    sfi_memo *held;
    for (held = sfi_this_thread.memos; held; held = held->outer) { held->waits_for = m; }
}
static bool sfi_memo_comes_back(const sfi_memo *m)
{
    for (; m; m = m->waits_for) {
        if (sfi_load64(&m->holder) == (uint64_t)(uintptr_t)&sfi_this_thread) { return true; }
    }
    return false;
}
static sf_result sfi_memo_lock(const sfi_walk *w, sf_lazy *lazy)
{
    sfi_memo *m = lazy->memo;
    if (sfi_this_thread.memos) {
        bool circle;
        sfi_lock(&w->device->lock);
        circle = sfi_memo_comes_back(m);
        if (!circle) { sfi_memos_wait_for(m); }
        sfi_unlock(&w->device->lock);
        if (circle) {
            return sfi_device_fail(w->device, SF_ERROR_REENTRANT, "a lazy operation", NULL,
                                   "a share or a graph goes on with itself");
        }
    }
    sfi_lock(&m->lock);
    if (sfi_this_thread.memos) {
        sfi_lock(&w->device->lock);
        sfi_memos_wait_for(NULL);
        sfi_unlock(&w->device->lock);
    }
    sfi_store64(&m->holder, (uint64_t)(uintptr_t)&sfi_this_thread);
    m->outer = sfi_this_thread.memos;
    sfi_this_thread.memos = m;
    return SF_OK;
}
static void sfi_memo_unlock(sf_lazy *lazy)
{
    sfi_this_thread.memos = lazy->memo->outer;
    sfi_store64(&lazy->memo->holder, 0);
    sfi_unlock(&lazy->memo->lock);
}
/* `stream` comes after a share's one run. */
static sf_result sfi_share_wait(const sf_lazy *share, sf_stream *stream)
{
    return share->memo->event && stream->index != share->memo->stream
               ? sf_stream_wait_event(stream, share->memo->event, 0)
               : SF_OK;
}
static sf_result sfi_share_first_run(sfi_walk *w, sf_lazy *lazy, sf_stream *stream)
{
    sfi_memo *m = lazy->memo;
    sfi_walk inner = *w;
    sf_result r, marked;
    inner.keeper = &m->keeper;
    inner.graph = NULL;                      /* its work stays outside of any capture of ours */
    r = sfi_lazy_run(&inner, lazy->parts[0], stream, &m->outputs);
    marked = sfi_event_new(w->device, SF_EVENT_DISABLE_TIMING, &m->event);
    if (marked >= 0) { marked = sf_event_record(m->event, stream); }
    m->stream = stream->index;
    m->result = r < 0 ? r : marked;
    m->ran = true;
    return m->result;
}
static sf_result sfi_lazy_run_share(sfi_walk *w, sf_lazy *lazy, sf_stream *stream, sfi_outputs *out)
{
    sfi_memo *m = lazy->memo;
    sf_stream *outer = w->graph ? w->outer : stream;
    sf_result r = sfi_memo_lock(w, lazy);
    if (r < 0) { return r; }
    if (!m->ran) { r = sfi_share_first_run(w, lazy, outer); } else if (m->result < 0) { r = m->result; }
    if (r >= 0) { r = sfi_share_wait(lazy, outer); }
    if (r >= 0 && w->graph) {                /* each replay must come after it, too */
        sfi_memo *g = w->graph->memo;
        if (sfi_grow(&w->device->heap, (void **)&g->shares, &g->share_room, g->share_count + 1, sizeof(void *))) {
            g->shares[g->share_count++] = lazy;
        } else {
            r = sfi_out_of_memory(&w->device->heap);
        }
    }
    if (r >= 0) { r = sfi_add_outputs(w, out, &m->outputs); }
    sfi_memo_unlock(lazy);
    return r;
}
/* To drop a value, its function frees it: that is no failure, which would hide why the graph came to nothing. */
static void sfi_memories_lose(sf_device *device, const sfi_memories *list)
{
    uint32_t i;
    sfi_lock(&device->lock);
    for (i = 0; i < list->count; i++) {
        sfi_allocation *a = *sfi_allocation_at(device, list->items[i]->ptr);
        if (a && a->graph == list->items[i]) { a->lost = true; }
    }
    sfi_unlock(&device->lock);
}
/* Runs the body once, on a stream that captures it. */
static sf_result sfi_graph_capture(sfi_walk *w, sf_lazy *lazy, sf_stream *stream)
{
    sfi_memo *m = lazy->memo;
    sfi_walk inner = *w;
    const sfi_capture *capture;
    sfi_memories held;
    sf_capture_mode mode;
    sf_result r, ended;
    sf_stream *s = sfi_lazy_stream(w->device);
    if (!s) { return sfi_out_of_memory(&w->device->heap); }
    sfi_zero(&held, sizeof held);
    r = sf_stream_begin_capture(s, SF_CAPTURE_RELAXED);
    if (r >= 0) {
        inner.keeper = &m->keeper;
        inner.graph = lazy;
        inner.outer = stream;
        m->outputs.count = 0;
        r = sfi_lazy_run(&inner, lazy->parts[0], s, &m->outputs);
        sfi_lock(&w->device->lock);          /* who comes to nothing takes its memory along: not before ... */
        capture = sfi_capture_of(s);
        if (capture && capture->graph &&
            !sfi_memories_copy(&w->device->heap, &held, &capture->graph->memories) && r >= 0) {
            r = sfi_out_of_memory(&w->device->heap);
        }
        sfi_unlock(&w->device->lock);
        ended = sf_stream_end_capture(s, &m->graph);
        r = r < 0 ? r : ended;
    }
    mode = sfi_relax();
    if (r >= 0) { r = sf_graph_instantiate(m->graph, SFI_AUTO_FREE, &m->exec); }
    if (r < 0) {                             /* ... the values that lie in it are dropped; nothing has used them */
        m->outputs.count = 0;
        sfi_memories_lose(w->device, &held);
        sfi_keeper_drop(&m->keeper, w->device, s, true);
    }
    sfi_unrelax(mode);
    sfi_fork_give(s);
    if (r < 0 && m->graph) { (void)sf_graph_destroy(m->graph); }
    if (r < 0) { m->graph = NULL; }
    sfi_lock(&w->device->lock);
    sfi_memories_clear(&w->device->heap, &held);
    sfi_unlock(&w->device->lock);
    return r;
}
static sf_result sfi_lazy_run_graph(sfi_walk *w, sf_lazy *lazy, sf_stream *stream, sfi_outputs *out)
{
    sfi_memo *m = lazy->memo;
    sf_result r = SF_OK;
    uint32_t i;
    if (w->graph) { return sfi_lazy_run(w, lazy->parts[0], stream, out); }       /* part of the graph around it */
    r = sfi_memo_lock(w, lazy);
    if (r < 0) { return r; }
    if (!m->exec) { r = sfi_graph_capture(w, lazy, stream); }
    for (i = 0; i < m->share_count && r >= 0; i++) { r = sfi_share_wait(m->shares[i], stream); }
    if (r >= 0) { r = sf_graph_launch(m->exec, stream); }
    if (r >= 0) { r = sfi_add_outputs(w, out, &m->outputs); }
    sfi_memo_unlock(lazy);
    return r;
}
static sf_result sfi_lazy_run_repeat(sfi_walk *w, const sf_lazy *lazy, sf_stream *stream, sfi_outputs *out)
{
    uint32_t before = out->count;
    int32_t i;
    sf_result r = SF_OK;
    for (i = 0; i < lazy->number && r >= 0; i++) {
        out->count = before;
        r = sfi_lazy_run(w, lazy->parts[0], stream, out);
    }
    return r;
}
static sf_result sfi_lazy_run_pick(sfi_walk *w, const sf_lazy *lazy, sf_stream *stream, sfi_outputs *out)
{
    sfi_outputs all;
    sf_result r;
    sfi_zero(&all, sizeof all);
    r = sfi_lazy_run(w, lazy->parts[0], stream, &all);
    if (r >= 0 && (uint32_t)lazy->number >= all.count) {
        r = sfi_device_fail(w->device, SF_ERROR_INVALID_VALUE, "sf_lazy_pick", NULL, "there is no output %d of %u",
                            (int)lazy->number, (unsigned)all.count);
    }
    if (r >= 0) { r = sfi_put_output(w, out, all.items[lazy->number]); }
    sfi_free(&w->device->heap, all.items);
    return r;
}
static sf_result sfi_lazy_step(sfi_walk *w, sf_lazy *lazy, sf_stream *stream, sfi_outputs *out, sf_lazy **next)
{
    sf_value value;
    sf_result r = SF_OK;
    uint32_t i;
    switch (lazy->kind) {
    case SFI_LAZY_VALUE: return sfi_make_output(w, out, lazy->value, NULL, stream);
    case SFI_LAZY_DO: return sfi_lazy_call(w, lazy, stream, NULL, out, next);
    case SFI_LAZY_KERNEL: return sf_launch(stream, lazy->kernel, lazy->bytes ? lazy->args : NULL, lazy->bytes);
    case SFI_LAZY_MEMCPY:
        r = sf_memcpy_async(stream, lazy->args, lazy->src, lazy->bytes);
        sfi_zero(&value, sizeof value);
        value.ptr = lazy->args;
        return r < 0 ? r : sfi_make_output(w, out, value, NULL, stream);
    case SFI_LAZY_THEN: return sfi_lazy_run_chain(w, lazy, stream, out, next);
    case SFI_LAZY_ZIP:
        for (i = 0; i < lazy->count && r >= 0; i++) { r = sfi_lazy_run(w, lazy->parts[i], stream, out); }
        return r;
    case SFI_LAZY_PAR: return sfi_lazy_run_par(w, lazy, stream, out);
    case SFI_LAZY_SHARE: return sfi_lazy_run_share(w, lazy, stream, out);
    case SFI_LAZY_PICK: return sfi_lazy_run_pick(w, lazy, stream, out);
    case SFI_LAZY_REPEAT: return sfi_lazy_run_repeat(w, lazy, stream, out);
    default: return sfi_lazy_run_graph(w, lazy, stream, out);
    }
}
/* Enqueues an operation; its outputs are added to *out. */
static sf_result sfi_lazy_run(sfi_walk *w, sf_lazy *lazy, sf_stream *stream, sfi_outputs *out)
{
    sf_lazy *next;
    sf_result r;
    if (w->depth >= SFI_LAZY_DEPTH) {
        return sfi_device_fail(w->device, SF_ERROR_INVALID_VALUE, "a lazy operation", lazy->name,
                               "more than %d operations within each other", (int)SFI_LAZY_DEPTH);
    }
    w->depth++;
    do {
        next = NULL;
        r = sfi_lazy_step(w, lazy, stream, out, &next);
        lazy = next;
    } while (r >= 0 && next);
    w->depth--;
    return r;
}

/* -- policies -- */

struct sf_policy {
    sfi_slot slot;
    sf_device *device;
    sfi_atomic32 references;
    sf_policy_desc desc;
    sf_stream **streams;
    sfi_atomic32 *loads;                     /* futures on each that are not done */
    uint32_t count;
    sfi_atomic32 turn;
    bool counted;                            /* its streams are */
};
static void sfi_policy_release(sf_policy *p)
{
    sf_device *device = p->device;
    uint32_t i;
    if (sfi_add(&p->references, (uint32_t)-1) != 1) { return; }
    for (i = 0; i < p->count; i++) {
        sfi_lock(&device->lock);
        p->streams[i]->slot.tag = 0;
        device->backend->stream_destroy(p->streams[i]);
        sfi_unlock(&device->lock);
        if (p->counted) { sfi_count(device, SFI_LIVE_STREAMS, (uint64_t)-1); }
    }
    if (p->desc.kind == SF_POLICY_CUSTOM && p->desc.custom.fini) {
        const sf_device *outer = sfi_call_out(device);
        p->desc.custom.fini(p->desc.custom.self);
        sfi_call_back(outer);
    }
    sfi_free(&device->heap, p->streams);
    sfi_free(&device->heap, p->loads);
    sfi_lock(&device->lock);
    sfi_slab_give(&device->policies, &p->slot);
    sfi_unlock(&device->lock);
}
static sf_result sfi_policy_make_streams(sf_policy *p)
{
    sf_device *device = p->device;
    uint32_t n = p->desc.kind == SF_POLICY_SINGLE_STREAM ? 1u : p->desc.streams ? (uint32_t)p->desc.streams : 4u;
    sf_stream_desc desc;
    sf_result r = SF_OK;
    p->streams = (sf_stream **)sfi_alloc_zeroed(&device->heap, n * sizeof(void *));
    p->loads = (sfi_atomic32 *)sfi_alloc_zeroed(&device->heap, n * sizeof *p->loads);
    if (!p->streams || !p->loads) { return sfi_out_of_memory(&device->heap); }
    desc.flags = SF_STREAM_NON_BLOCKING;
    desc.priority = p->desc.priority;
    desc.name = "a policy's stream";
    while (p->count < n && r >= 0) {
        r = sfi_stream_new(device, &desc, &p->streams[p->count], false);
        if (r >= 0) { p->count++; }
        if (r >= 0 && p->counted) {
            sfi_count(device, SFI_STREAM_CREATES, 1);
            sfi_count(device, SFI_LIVE_STREAMS, 1);
        }
    }
    return r;
}
static sf_result sfi_policy_validate(sf_device *device, const sf_policy_desc *d)
{
    sf_result r;
    if ((uint32_t)d->kind > SF_POLICY_CUSTOM || d->streams < 0 || d->streams > 1024) {
        return SF_ERROR_INVALID_VALUE;
    }
    if (d->kind == SF_POLICY_CUSTOM && !d->custom.schedule) { return SF_ERROR_INVALID_VALUE; }
    if (d->kind != SF_POLICY_GIVEN) { return SF_OK; }
    r = sfi_check_stream_in(d->given, NULL);
    return r >= 0 && d->given->device != device ? SF_ERROR_INVALID_HANDLE : r;
}
static sf_result sfi_policy_new(sf_device *device, const sf_policy_desc *desc, bool counted, sf_policy **policy)
{
    sf_policy *p;
    sf_result r = SF_OK;
    sfi_lock(&device->lock);
    device->policies.size = SFI_ALIGN(sizeof *p, 16);
    p = (sf_policy *)(void *)sfi_slab_take(&device->policies, &device->heap, SFI_TAG_POLICY);
    sfi_unlock(&device->lock);
    if (!p) { return sfi_out_of_memory(&device->heap); }
    sfi_zero((char *)p + sizeof p->slot, sizeof *p - sizeof p->slot);
    p->device = device;
    p->counted = counted;
    if (desc) { p->desc = *desc; }
    sfi_store(&p->references, 1);
    if (p->desc.kind == SF_POLICY_ROUND_ROBIN || p->desc.kind == SF_POLICY_SINGLE_STREAM ||
        p->desc.kind == SF_POLICY_LEAST_LOADED) {
        r = sfi_policy_make_streams(p);
    }
    if (p->desc.kind == SF_POLICY_CUSTOM && p->desc.custom.init) {
        const sf_device *outer = sfi_call_out(device);
        r = p->desc.custom.init(p->desc.custom.self, device);
        sfi_call_back(outer);
        if (r < 0) { p->desc.custom.fini = NULL; }           /* what did not begin does not end */
    }
    if (r < 0) { sfi_policy_release(p); } else { *policy = p; }
    return r < 0 ? r : SF_OK;
}
SF_API sf_result sf_policy_create(sf_device *device, const sf_policy_desc *desc, sf_policy **policy)
{
    sf_result r = sfi_check_device(device);
    uint32_t told = sfi_this_thread.told;
    if (r < 0) { return r; }
    if (!policy) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    *policy = NULL;
    if (desc) { r = sfi_policy_validate(device, desc); }
    if (r >= 0) { r = sfi_policy_new(device, desc, true, policy); }
    return sfi_told_since(device, r, __func__, told);
}
SF_API sf_result sf_policy_destroy(sf_policy *policy)
{
    sf_result r = policy && policy->slot.tag == SFI_TAG_POLICY ? sfi_check_device(policy->device)
                                                               : sfi_stray(__func__);
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    policy->slot.tag = 0;                    /* its futures go on without it */
    sfi_policy_release(policy);
    return r;
}
/* The policy's one decision. *load: the counter to take back when the future is done. */
static sf_result sfi_policy_choose(sf_policy *p, sf_stream **stream, sfi_atomic32 **load)
{
    const sf_device *outer;
    uint32_t i, best = 0;
    sf_result r = SF_OK;
    *load = NULL;
    switch (p->desc.kind) {
    case SF_POLICY_PER_THREAD:
        *stream = sf_stream_per_thread(p->device);
        return *stream ? SF_OK : sfi_out_of_memory(&p->device->heap);
    case SF_POLICY_GIVEN:
        *stream = p->desc.given;
        return sfi_check_stream_in(*stream, NULL);
    case SF_POLICY_CUSTOM:
        *stream = NULL;
        outer = sfi_call_out(p->device);
        r = p->desc.custom.schedule(p->desc.custom.self, stream);
        sfi_call_back(outer);
        if (r >= 0) { r = sfi_check_stream_in(*stream, NULL); }
        return r >= 0 && (*stream)->device != p->device ? SF_ERROR_INVALID_HANDLE : r;
    case SF_POLICY_LEAST_LOADED:
        for (i = 1; i < p->count; i++) {
            if (sfi_load(&p->loads[i]) < sfi_load(&p->loads[best])) { best = i; }
        }
        break;
    default: best = sfi_add(&p->turn, 1) % p->count; break;
    }
    *stream = p->streams[best];
    *load = &p->loads[best];
    (void)sfi_add(*load, 1);
    return r;
}

/* >>futures ------------------------------------------------------------------------------------------- */

/* A future is its submission: it keeps all that was touched until the point behind the last work is passed. States
   between the public ones: being submitted, and being completed, by one thread each. */
typedef struct sfi_watcher {
    struct sfi_watcher *next;
    void (*func)(sf_future *future, sf_result result, void *user);
    void *user;
} sfi_watcher;
enum { SFI_FUTURE_SUBMITTING = 100, SFI_FUTURE_COMPLETING = 101 };

struct sf_future {
    sfi_slot slot;
    sf_device *device;
    sfi_atomic32 references, state, busy;    /* references: the user's, the reactor's. busy guards the watchers */
    bool dropped, listed;                    /* listed: the reactor looks after it */
    sf_future *next;                         /* there */
    sf_lazy *lazy;
    sf_policy *policy;
    sf_stream *stream;
    uint32_t stream_index;                   /* tells whether that is still the same one */
    sfi_atomic32 *load;
    sf_result result, submitted;             /* in the end; when it was enqueued */
    sfi_keeper keeper;
    sfi_outputs outputs;
    sf_event *event;                         /* the point: an event ... */
    sfi_atomic32 *flag;                      /* ... or a word that the stream writes */
    uint32_t flag_value;
    bool flag_given;                         /* back: the word is another's, maybe */
    uint32_t resets;                         /* the device's, when it was submitted */
    sfi_atomic64 looked_at;                      /* when the driver was last asked for a fault */
    sfi_watcher *watchers;
};

/* The library's own thread, where there are threads: completes futures that somebody watches or has dropped. */
typedef struct sfi_reactor {
    sf_future *first;
    uint64_t news;                           /* completions that no sf_device_poll() has reported */
    int fd;                                  /* -1: nobody asked for it */
    sfi_atomic32 told_by_fd;
    bool quit, started, scanning;
#ifndef SF_NO_THREADS
    sfi_mutex lock;
    sfi_cond work, told;
    sfi_thread thread;
#endif
} sfi_reactor;
#ifndef SF_NO_THREADS
    #define SFI_REACTOR_LOCK(r)   sfi_lock(&(r)->lock)
    #define SFI_REACTOR_UNLOCK(r) sfi_unlock(&(r)->lock)
#else
    #define SFI_REACTOR_LOCK(r)   ((void)(r))
    #define SFI_REACTOR_UNLOCK(r) ((void)(r))
#endif

static bool sfi_is_future(const sf_future *f) { return f && f->slot.tag == SFI_TAG_FUTURE; }
static bool sfi_has_reactor_thread(const sf_device *device)
{
#ifndef SF_NO_THREADS
    return !device->host || device->host->threaded;
#else
    return (void)device, false;
#endif
}

/* -- the point behind a submission -- */

/* On CUDA a word of pinned memory, written by the stream: polling it costs nothing and tells a microsecond sooner
   than a query of the driver. Words are used again with the next value. */
enum { SFI_FLAGS = 1024 };
typedef struct sfi_flags { sfi_atomic32 *words; uint32_t next[SFI_FLAGS], values[SFI_FLAGS], free; } sfi_flags;

static sf_result sfi_flags_open(sf_device *device)
{
    sfi_flags *f = (sfi_flags *)sfi_alloc_zeroed(&device->heap, sizeof *f);
    void *words = NULL;
    sf_capture_mode mode;
    uint32_t i;
    sf_result r;
    if (!f) { return sfi_out_of_memory(&device->heap); }
    mode = sfi_relax();
    r = device->backend->alloc(device, SFI_FLAGS * sizeof(uint32_t), SF_MEMORY_PINNED, &words);
    sfi_unrelax(mode);
    if (r < 0) {
        sfi_free(&device->heap, f);
        return r;
    }
    f->words = (sfi_atomic32 *)words;
    for (i = 0; i < SFI_FLAGS; i++) {
        sfi_store(&f->words[i], 0);
        f->next[i] = i + 1;
    }
    sfi_lock(&device->lock);
    if (!device->flags) {
        device->flags = f;
        f = NULL;
    }
    sfi_unlock(&device->lock);
    if (f) {                                 /* another thread was first */
        (void)device->backend->free(device, f->words, SF_MEMORY_PINNED);
        sfi_free(&device->heap, f);
    }
    return SF_OK;
}
static bool sfi_flag_take(sf_future *f)
{
    sf_device *device = f->device;
    sfi_flags *flags;
    uint32_t i;
    bool open;
    if (device->host) { return false; }
    sfi_lock(&device->lock);
    open = device->flags || device->no_flags;
    sfi_unlock(&device->lock);
    if (!open && sfi_flags_open(device) < 0) { return false; }
    sfi_lock(&device->lock);
    flags = device->flags;
    i = device->no_flags ? (uint32_t)SFI_FLAGS : flags->free;
    if (i < SFI_FLAGS) {
        flags->free = flags->next[i];
        f->flag = &flags->words[i];
        f->flag_value = ++flags->values[i];
    }
    sfi_unlock(&device->lock);
    return i < SFI_FLAGS;
}
static void sfi_flag_give(sf_future *f)
{
    sfi_flags *flags = f->device->flags;
    uint32_t i = (uint32_t)(f->flag - flags->words);
    sfi_lock(&f->device->lock);
    flags->next[i] = flags->free;
    flags->free = i;
    sfi_unlock(&f->device->lock);
}
/* Where the driver refuses the word, and on the host, an event. */
static sf_result sfi_future_mark(sf_future *f)
{
    sf_device *device = f->device;
    uint32_t fault;
    sf_result r = SF_ERROR_NOT_SUPPORTED;
    if (sfi_flag_take(f)) {
        r = device->backend->write_value(f->stream, f->flag, f->flag_value, 4, 0);
        if (r < 0) {                         /* nobody else looks at the future yet */
            sfi_flag_give(f);
            f->flag = NULL;
        }
        if (r == SF_ERROR_NOT_SUPPORTED) {
            sfi_lock(&device->lock);
            device->no_flags = true;
            sfi_unlock(&device->lock);
        }
    }
    fault = sfi_load(&device->fault);
    if (r >= 0 || fault) { return r >= 0 ? r : (sf_result)(-(int32_t)fault); }
    r = sfi_event_new(device, SF_EVENT_DISABLE_TIMING, &f->event);
    if (r >= 0) { r = device->backend->event_record(f->event, f->stream, 0); }
    return r;
}
/* Whether the point is passed: SF_OK, SF_NOT_READY, or the fault that will never let it be. */
static sf_result sfi_future_look(sf_future *f)
{
    sf_device *device = f->device;
    uint32_t fault = sfi_load(&device->fault);
    sf_capture_mode mode;
    sf_result r;
    int64_t now;
    if (f->flag) {
        if (sfi_load(f->flag) == f->flag_value) { return SF_OK; }
        if (fault) { return (sf_result)(-(int32_t)fault); }
        now = sfi_clock();
        if (now - (int64_t)sfi_load64(&f->looked_at) < 100000) { return SF_NOT_READY; }
        sfi_store64(&f->looked_at, (uint64_t)now); /* the word is never written after a fault: ask for one */
        mode = sfi_relax();
        r = f->stream->slot.tag && f->stream->index == f->stream_index ? device->backend->stream_query(f->stream)
                                                                 : device->backend->look(device);
        sfi_unrelax(mode);
        return r < 0 && sfi_load(&device->fault) ? r : SF_NOT_READY;
    }
    if (!f->event) { return f->result; }
    mode = sfi_relax();
    r = device->backend->event_query(f->event);
    sfi_unrelax(mode);
    if (r == SF_OK && f->resets != sfi_load(&device->resets)) {              /* there was a fault meanwhile */
        r = (sf_result)(-(int32_t)sfi_load(&device->last_fault));
    }
    return r;
}

/* -- completion -- */

static void sfi_reactor_tell(sf_device *device);
static void sfi_reactor_free(sf_device *device, sfi_reactor *reactor);

static void sfi_future_free(sf_future *f)
{
    sf_device *device = f->device;
    sf_lazy *dead = NULL;
    sf_stream *own = NULL;
    if (f->keeper.made) { own = sfi_lazy_stream(device); }
    sfi_keeper_free(&f->keeper, device, own ? own : device->legacy, &dead);
    if (own) { sfi_fork_give(own); }
    if (f->flag && !f->flag_given) { sfi_flag_give(f); }
    if (f->event) { sfi_event_free(f->event); }
    sfi_free(&device->heap, f->outputs.items);
    if (f->lazy && sfi_add(&f->lazy->references, (uint32_t)-1) == 1) {
        f->lazy->next = dead;
        dead = f->lazy;
    }
    sfi_lazy_free(dead);
    if (f->load) { (void)sfi_add(f->load, (uint32_t)-1); }
    if (f->policy) { sfi_policy_release(f->policy); }
    sfi_lock(&device->lock);
    sfi_slab_give(&device->futures, &f->slot);
    sfi_unlock(&device->lock);
}
static void sfi_future_release(sf_future *f)
{
    if (sfi_add(&f->references, (uint32_t)-1) == 1) { sfi_future_free(f); }
}
/* The point is passed, or never will be: the outputs on the way go, the state is known. One thread gets here. */
static void sfi_future_complete(sf_future *f, sf_result r)
{
    sf_device *device = f->device;
    bool live;
    uint32_t i;
    sf_stream *own = NULL;
    if (f->result >= 0 && r < 0) { f->result = r; }
    for (i = 0; i < f->outputs.count && f->result >= 0; i++) {
        if (f->outputs.items[i]->keeper == &f->keeper) { f->outputs.items[i]->final = true; }    /* no share's */
    }
    live = f->stream->slot.tag == SFI_TAG_STREAM && f->stream->index == f->stream_index;
    if (!live && f->keeper.made) { own = sfi_lazy_stream(device); }
    sfi_keeper_drop(&f->keeper, device, live ? f->stream : own ? own : device->legacy, false);
    if (own) { sfi_fork_give(own); }
    if (f->flag && r >= 0) {                 /* after a fault the word might still be written */
        sfi_flag_give(f);
        f->flag_given = true;
    }
    if (f->load) { (void)sfi_add(f->load, (uint32_t)-1); }
    f->load = NULL;
    sfi_store(&f->state, f->result < 0 ? (uint32_t)SF_FUTURE_FAILED : (uint32_t)SF_FUTURE_READY);
    sfi_reactor_tell(device);
}
/* Completes a running future whose point is passed. True: it is resolved. */
static bool sfi_future_settle(sf_future *f)
{
    sf_result r;
    uint32_t state = sfi_load(&f->state);
    if (state == SFI_FUTURE_SUBMITTING || state == SFI_FUTURE_COMPLETING) { return false; }
    if (state != SF_FUTURE_RUNNING) { return state != SF_FUTURE_IDLE; }
    r = sfi_future_look(f);
    if (r == SF_NOT_READY || !sfi_cas(&f->state, SF_FUTURE_RUNNING, SFI_FUTURE_COMPLETING)) { return false; }
    sfi_future_complete(f, r);
    return true;
}

/* -- the reactor -- */

static void sfi_reactor_signal(const sfi_reactor *reactor)
{
#ifdef SFI_EVENTFD
    uint64_t one = 1;
    if (reactor->fd >= 0 && write(reactor->fd, &one, sizeof one) < 0) { /* full: readable already */ }
#else
    (void)reactor;
#endif
}
static void sfi_reactor_tell(sf_device *device)              /* a future is resolved */
{
    sfi_reactor *reactor = device->reactor;
    if (!reactor) { return; }
    SFI_REACTOR_LOCK(reactor);
    reactor->news++;
#ifndef SF_NO_THREADS
    sfi_cond_wake_all(&reactor->told);       /* with the lock: who is told may close the device */
#endif
    sfi_reactor_signal(reactor);
    SFI_REACTOR_UNLOCK(reactor);
}
static bool sfi_future_is_watched(sf_future *f)
{
    bool is;
    sfi_spin_lock(&f->busy);
    is = f->watchers != NULL;
    sfi_spin_unlock(&f->busy);
    return is;
}
static void sfi_future_run_watchers(sf_future *f)
{
    sfi_watcher *list, *w;
    sfi_spin_lock(&f->busy);
    list = f->watchers;
    f->watchers = NULL;
    sfi_spin_unlock(&f->busy);
    while ((w = list) != NULL) {
        const sf_device *outer = sfi_call_out(f->device);
        list = w->next;
        w->func(f, f->result, w->user);
        sfi_call_back(outer);
        sfi_free(&f->device->heap, w);
    }
}
/* Looks at every future once; true if that came to something. Reactor lock held, given up meanwhile: others may add
   at the front, only this removes. */
static bool sfi_reactor_scan(sf_device *device)
{
    sfi_reactor *reactor = device->reactor;
    sf_future *f = reactor->first, *next, **link;
    bool any = false;
    for (; f; f = next) {
        bool done;
        next = f->next;
        SFI_REACTOR_UNLOCK(reactor);
        done = sfi_future_settle(f);
        if (done && sfi_future_is_watched(f)) {
            sfi_future_run_watchers(f);
            sfi_reactor_tell(device);        /* who waits for what they did wakes up */
            any = true;
        }
        SFI_REACTOR_LOCK(reactor);
        if (!done || sfi_future_is_watched(f)) { continue; } /* a watcher may have added one */
        for (link = &reactor->first; *link != f; link = &(*link)->next) {}
        *link = f->next;
        f->listed = false;
        any = true;
        SFI_REACTOR_UNLOCK(reactor);
        sfi_future_release(f);
        SFI_REACTOR_LOCK(reactor);
    }
    return any;
}
#ifndef SF_NO_THREADS
static void *sfi_reactor_main(void *arg)
{
    sf_device *device = (sf_device *)arg;
    sfi_reactor *reactor = device->reactor;
    int64_t idle_since = sfi_clock();
    SFI_REACTOR_LOCK(reactor);
    while (!reactor->quit) {
        if (!reactor->first) {
            (void)sfi_cond_wait(&reactor->work, &reactor->lock, SFI_NEVER);
            idle_since = sfi_clock();
        } else if (sfi_reactor_scan(device)) {
            idle_since = sfi_clock();
        } else {                             /* spins a little, then sleeps ever longer, up to a millisecond */
            int64_t idle = sfi_clock() - idle_since;
            if (idle < 20000) {
                SFI_REACTOR_UNLOCK(reactor);
                sfi_yield();
                SFI_REACTOR_LOCK(reactor);
            } else {
                (void)sfi_cond_wait(&reactor->work, &reactor->lock,
                                    sfi_clock() + (idle / 16 > 1000000 ? 1000000 : 20000 + idle / 16));
            }
        }
    }
    SFI_REACTOR_UNLOCK(reactor);
    return NULL;
}
#endif
static sfi_reactor *sfi_reactor_now(sf_device *device)       /* NULL: nothing was ever scheduled */
{
    sfi_reactor *reactor;
    sfi_lock(&device->lock);
    reactor = device->reactor;
    sfi_unlock(&device->lock);
    return reactor;
}
static sfi_reactor *sfi_reactor_of(sf_device *device)
{
    sfi_reactor *made, *reactor = sfi_reactor_now(device);
    if (reactor) { return reactor; }
    made = (sfi_reactor *)sfi_alloc_zeroed(&device->heap, sizeof *made);
    if (!made) { return NULL; }
    made->fd = -1;
#ifndef SF_NO_THREADS
    sfi_mutex_init(&made->lock);
    sfi_cond_init(&made->work);
    sfi_cond_init(&made->told);
#endif
    sfi_lock(&device->lock);
    reactor = device->reactor;
    if (!reactor) { reactor = device->reactor = made; }
    sfi_unlock(&device->lock);
    if (reactor != made) { sfi_reactor_free(device, made); }
    return reactor;
}
static void sfi_reactor_free(sf_device *device, sfi_reactor *reactor)
{
#ifndef SF_NO_THREADS
    sfi_cond_free(&reactor->work);
    sfi_cond_free(&reactor->told);
    sfi_mutex_free(&reactor->lock);
#endif
#ifdef SFI_EVENTFD
    if (reactor->fd >= 0) { (void)close(reactor->fd); }
#endif
    sfi_free(&device->heap, reactor);
}
/* From now on the reactor looks after the future, and holds it. False: out of memory. */
static bool sfi_reactor_add(sf_future *f)
{
    sf_device *device = f->device;
    sfi_reactor *reactor = sfi_reactor_of(device);
    if (!reactor) { return false; }
    SFI_REACTOR_LOCK(reactor);
    if (!f->listed) {
        f->listed = true;
        (void)sfi_add(&f->references, 1);
        f->next = reactor->first;
        reactor->first = f;
    }
#ifndef SF_NO_THREADS
    if (sfi_has_reactor_thread(device) && !reactor->started && !reactor->quit) {
        reactor->started = sfi_thread_start(&reactor->thread, sfi_reactor_main, device);
    }
    sfi_cond_wake(&reactor->work);
#endif
    SFI_REACTOR_UNLOCK(reactor);
    return true;
}
/* Without a thread of its own the reactor works inside the calls that poll. */
static bool sfi_reactor_poll(sf_device *device)
{
    bool any = false;
    sfi_reactor *reactor = sfi_has_reactor_thread(device) ? NULL : sfi_reactor_now(device);
    if (!reactor) { return false; }
    SFI_REACTOR_LOCK(reactor);
    if (!reactor->scanning) {                /* an on_ready function may poll */
        reactor->scanning = true;
        any = sfi_reactor_scan(device);
        reactor->scanning = false;
    }
    SFI_REACTOR_UNLOCK(reactor);
    return any;
}
static void sfi_reactor_halt(sfi_reactor *reactor)           /* from now on others do what its thread did */
{
#ifndef SF_NO_THREADS
    SFI_REACTOR_LOCK(reactor);
    reactor->quit = true;
    sfi_cond_wake_all(&reactor->work);
    SFI_REACTOR_UNLOCK(reactor);
    if (reactor->started) { sfi_thread_join(reactor->thread); }
    reactor->started = false;
#else
    (void)reactor;
#endif
}
static void sfi_reactor_resume(sf_device *device, sfi_reactor *reactor)      /* lock held */
{
#ifndef SF_NO_THREADS
    reactor->quit = false;
    if (reactor->first && sfi_has_reactor_thread(device)) {
        reactor->started = sfi_thread_start(&reactor->thread, sfi_reactor_main, device);
    }
#else
    (void)device, (void)reactor;
#endif
}
static int64_t sfi_device_now(const sf_device *device)
{
    return device->host ? sfi_host_now(device->host) : sfi_clock();
}
/* The device closes, and all its work is done. What was promised still happens; it may enqueue more, and promise
   more. SF_TIMEOUT: that did not end in time, and goes on. */
static sf_result sfi_reactor_finish(sf_device *device, int64_t timeout)
{
    sfi_reactor *reactor = sfi_reactor_now(device);
    int64_t now, deadline;
    sf_result r = SF_OK;
    bool any = true;
    if (!reactor) { return SF_OK; }
    now = sfi_device_now(device);
    deadline = sfi_deadline(now, timeout);
    sfi_reactor_halt(reactor);
    SFI_REACTOR_LOCK(reactor);
    reactor->scanning = true;
    while (reactor->first && r <= 0 && (any || r == SF_OK)) {        /* else nothing will resolve them */
        any = sfi_reactor_scan(device);
        SFI_REACTOR_UNLOCK(reactor);
        if (timeout >= 0) {
            now = sfi_device_now(device);
            timeout = deadline > now ? deadline - now : 0;
        }
        r = device->backend->synchronize(device, timeout, true);
        SFI_REACTOR_LOCK(reactor);
        if (!timeout && reactor->first && r == SF_OK) { r = SF_TIMEOUT; }
    }
    reactor->scanning = false;
    if (r > 0) { sfi_reactor_resume(device, reactor); }
    SFI_REACTOR_UNLOCK(reactor);
    return r > 0 ? r : SF_OK;
}
/* Then handles die. */
static void sfi_drop_future(sf_device *device, sfi_slot *slot)
{
    sf_future *f = (sf_future *)(void *)slot;
    (void)device;
    if (slot->tag) { sfi_future_free(f); }
}
static void sfi_drop_policy(sf_device *device, sfi_slot *slot)
{
    sf_policy *p = (sf_policy *)(void *)slot;
    (void)device;
    if (!slot->tag) { return; }
    sfi_store(&p->references, 1);
    sfi_policy_release(p);
}
static void sfi_drop_values(sf_device *device, sfi_slot *slot)
{
    sf_lazy *l = (sf_lazy *)(void *)slot;
    if (slot->tag && l->memo) { sfi_keeper_drop(&l->memo->keeper, device, device->legacy, true); }
}
static void sfi_drop_lazy(sf_device *device, sfi_slot *slot)
{
    sf_lazy *l = (sf_lazy *)(void *)slot;
    (void)device;
    if (!slot->tag) { return; }
    l->next = NULL;
    sfi_store(&l->references, 1);
    sf_lazy_drop(l);
}
static void sfi_lazies_close(sf_device *device)
{
    sfi_reactor *reactor = device->reactor;
    if (reactor) { sfi_reactor_halt(reactor); }
    sfi_slab_each(device, &device->futures, sfi_drop_future);
    if (device->policy) { sfi_policy_release(device->policy); }
    device->policy = NULL;
    sfi_slab_each(device, &device->lazies, sfi_drop_values); /* before any operation's state */
    sfi_slab_each(device, &device->lazies, sfi_drop_lazy);
    sfi_slab_each(device, &device->policies, sfi_drop_policy);
    if (reactor) { (void)device->backend->synchronize(device, SF_FOREVER, true); }   /* what these have enqueued */
    if (device->flags) {
        (void)device->backend->free(device, device->flags->words, SF_MEMORY_PINNED);
        sfi_free(&device->heap, device->flags);
    }
    if (reactor) { sfi_reactor_free(device, reactor); }
    device->flags = NULL;
    device->reactor = NULL;
}

SF_API sf_result sf_device_ready_fd(sf_device *device, int *fd)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!fd) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
#ifdef SFI_EVENTFD
    {
        sfi_reactor *reactor = sfi_reactor_of(device);
        if (!reactor) { return sfi_out_of_memory(&device->heap); }
        SFI_REACTOR_LOCK(reactor);
        if (reactor->fd < 0) { reactor->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
        sfi_store(&reactor->told_by_fd, 1);
        *fd = reactor->fd;
        SFI_REACTOR_UNLOCK(reactor);
        return *fd < 0 ? sfi_device_fail(device, SF_ERROR_NOT_SUPPORTED, "sf_device_ready_fd", NULL,
                                         "the system gives no eventfd")
                       : SF_OK;
    }
#else
    return sfi_device_fail(device, SF_ERROR_NOT_SUPPORTED, "sf_device_ready_fd", NULL,
                           "this system, or a build without threads, has no eventfd");
#endif
}
SF_API sf_result sf_device_poll(sf_device *device, int64_t timeout)
{
    sf_result r = sfi_check_device(device);
    sfi_reactor *reactor;
    bool any;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    (void)sfi_zombies_sweep(device);
    any = device->backend->poll(device) == SF_OK;            /* after a fault, too: callbacks and futures are told */
    any = sfi_reactor_poll(device) || any;
    if (r < 0 || !sfi_has_reactor_thread(device)) { timeout = 0; }           /* nobody would have news later */
    reactor = timeout ? sfi_reactor_of(device) : sfi_reactor_now(device);
    if (!reactor) { return r < 0 ? r : any ? SF_OK : SF_IDLE; }
    SFI_REACTOR_LOCK(reactor);
#ifndef SF_NO_THREADS
    if (timeout && !reactor->quit && !(reactor->started && sfi_thread_is_self(reactor->thread))) {
        int64_t deadline = sfi_deadline(sfi_clock(), timeout);
        while (!reactor->news && sfi_cond_wait(&reactor->told, &reactor->lock, deadline)) {}
    }
#endif
    any = any || reactor->news;
    reactor->news = 0;
#ifdef SFI_EVENTFD
    if (!any && reactor->fd >= 0) {
        uint64_t count;
        if (read(reactor->fd, &count, sizeof count) < 0) { /* was not readable */ }
    }
#endif
    SFI_REACTOR_UNLOCK(reactor);
    return r < 0 ? r : any ? SF_OK : SF_IDLE;
}

/* -- scheduling -- */

static sf_result sfi_future_new(sf_lazy *lazy, sf_policy *policy, sf_stream *stream, sf_future **future)
{
    sf_device *device = lazy->device;
    sf_future *f = NULL;
    sf_result r = SF_OK;
    sfi_lock(&device->lock);
    device->futures.size = SFI_ALIGN(sizeof *f, 16);
    f = (sf_future *)(void *)sfi_slab_take(&device->futures, &device->heap, SFI_TAG_FUTURE);
    sfi_unlock(&device->lock);
    if (!f) { return sfi_out_of_memory(&device->heap); }
    sfi_zero((char *)f + sizeof f->slot, sizeof *f - sizeof f->slot);
    if (!sfi_reactor_of(device)) { r = sfi_out_of_memory(&device->heap); }
    f->device = device;
    f->stream = stream;
    sfi_store(&f->references, 1);
    if (policy && r >= 0) {
        r = sfi_policy_choose(policy, &f->stream, &f->load);
        (void)sfi_add(&policy->references, 1);
        f->policy = policy;
    }
    if (r < 0) {
        sfi_future_free(f);
        return r;
    }
    f->stream_index = f->stream->index;
    f->lazy = lazy;
    *future = f;
    return SF_OK;
}
static sf_result sfi_default_policy(sf_device *device, sf_policy **policy)
{
    sf_policy *made = NULL;
    sf_result r;
    sfi_lock(&device->lock);
    *policy = device->policy;
    sfi_unlock(&device->lock);
    if (*policy) { return SF_OK; }
    r = sfi_policy_new(device, NULL, false, &made);
    if (r < 0) { return r; }
    sfi_lock(&device->lock);
    if (!device->policy) { device->policy = made; }
    *policy = device->policy;
    sfi_unlock(&device->lock);
    if (*policy != made) { sfi_policy_release(made); }
    return SF_OK;
}
/* All ways to run begin here. Takes the reference of `lazy`, whatever comes of it. now: and submits it */
static sf_result sfi_schedule(sf_lazy *lazy, sf_policy *policy, sf_stream *stream, bool now, sf_future **future,
                              const char *call)
{
    sf_result r = sfi_is_lazy(lazy) ? sfi_check_device_in(lazy->device, call) : sfi_stray(call);
    if (future) { *future = NULL; }
    if (r == SF_ERROR_INVALID_HANDLE) { return r; }
    if (r >= 0 && !future) { r = SF_ERROR_INVALID_VALUE; }
    if (r >= 0 && now && sfi_this_thread.in_operation) { r = SF_ERROR_REENTRANT; }
    if (r >= 0 && policy && policy->slot.tag != SFI_TAG_POLICY) { r = SF_ERROR_INVALID_HANDLE; }
    if (r >= 0 && policy && policy->device != lazy->device) { r = SF_ERROR_INVALID_HANDLE; }
    if (r >= 0 && stream) { r = sfi_check_stream_in(stream, call); }
    if (r >= 0 && stream && stream->device != lazy->device) { r = SF_ERROR_INVALID_HANDLE; }
    if (r >= 0 && !policy && !stream) { r = sfi_default_policy(lazy->device, &policy); }
    if (r >= 0) { r = sfi_future_new(lazy, policy, stream, future); }
    r = sfi_told(lazy->device, r);
    if (r < 0) { sf_lazy_drop(lazy); }
    return r;
}
SF_API sf_result sf_schedule(sf_lazy *lazy, sf_policy *policy, sf_future **future)
{
    return sfi_schedule(lazy, policy, NULL, false, future, __func__);
}
static bool sfi_future_has_stream(const sf_future *f)
{
    return f->stream->slot.tag == SFI_TAG_STREAM && f->stream->index == f->stream_index;
}
/* With a deadline, waits no longer for room. On a blocking stream each command may take two, and the point at the end
   one: they wait for the default stream. */
static sf_result sfi_future_wait_for_room(sf_future *f, int64_t *timeout)
{
    uint32_t n = f->lazy->commands;
    if (*timeout < 0 || !f->device->host || !sfi_future_has_stream(f)) { return SF_OK; }
    if (sfi_is_capturing(f->stream)) { return SF_OK; }       /* is refused */
    return sfi_host_wait_for_room(f->stream, f->stream->flags & SF_STREAM_NON_BLOCKING ? n : 2 * n + 1, timeout);
}
/* Enqueues the operations, once; the thread that finds the future idle does it. SF_TIMEOUT, or SF_ERROR_DEADLOCK: it
   stays idle. */
static sf_result sfi_future_submit(sf_future *f, int64_t *timeout)
{
    sf_device *device = f->device;
    sfi_walk w;
    sf_result r = SF_OK, marked;
    if (sfi_load(&f->state) != SF_FUTURE_IDLE) { return SF_OK; }
    if (sfi_this_thread.in_operation) { return SF_ERROR_REENTRANT; }
    r = sfi_future_wait_for_room(f, timeout);
    if (r) { return r; }
    if (!sfi_cas(&f->state, SF_FUTURE_IDLE, SFI_FUTURE_SUBMITTING)) { return SF_OK; }
    f->resets = sfi_load(&device->resets);
    if (!sfi_future_has_stream(f)) { r = SF_ERROR_INVALID_HANDLE; }
    if (r >= 0) { r = sfi_check_device_in(device, NULL); }
    if (r >= 0 && sfi_is_capturing(f->stream)) { r = SF_ERROR_CAPTURE_UNSUPPORTED; }     /* it would never complete */
    if (r >= 0) {
        sfi_zero(&w, sizeof w);
        w.device = device;
        w.keeper = &f->keeper;
        sfi_this_thread.in_operation = true;
        r = sfi_lazy_run(&w, f->lazy, f->stream, &f->outputs);
        sfi_this_thread.in_operation = false;
        f->result = r < 0 ? r : SF_OK;
        marked = sfi_future_mark(f);
        if (marked < 0 && f->result >= 0) { f->result = marked; }
    } else {
        f->result = r;
    }
    f->submitted = f->result;
    sfi_store(&f->state, SF_FUTURE_RUNNING);
    if (sfi_load(&device->reactor->told_by_fd)) { (void)sfi_reactor_add(f); }    /* so that its end is noticed */
    return SF_OK;
}

/* -- using a future -- */

static sf_result sfi_check_future(const sf_future *f)        /* faults are the future's to tell */
{
    if (!sfi_is_future(f)) { return SF_ERROR_INVALID_HANDLE; }
    return sfi_this_thread.in_host_func ? SF_ERROR_NOT_PERMITTED : SF_OK;
}
static sf_result sfi_future_outcome(const sf_future *f)
{
    switch (sfi_load(&f->state)) {
    case SF_FUTURE_READY: return SF_OK;
    case SF_FUTURE_FAILED: return f->result;
    case SF_FUTURE_TAKEN: return SF_ERROR_ILLEGAL_STATE;
    default: return SF_NOT_READY;
    }
}
SF_API sf_future_state sf_future_get_state(const sf_future *future)
{
    uint32_t state = sfi_is_future(future) ? sfi_load(&future->state) : (uint32_t)SF_FUTURE_TAKEN;
    return state == SFI_FUTURE_SUBMITTING || state == SFI_FUTURE_COMPLETING ? SF_FUTURE_RUNNING
                                                                            : (sf_future_state)state;
}
SF_API sf_result sf_future_poll(sf_future *future)
{
    sf_result r = sfi_check_future(future);
    int64_t timeout = 0;
    if (r < 0) { return r; }
    r = sfi_future_submit(future, &timeout);
    if (r) { return r == SF_TIMEOUT || r == SF_ERROR_DEADLOCK ? SF_NOT_READY : r; }
    (void)sfi_future_settle(future);
    return sfi_future_outcome(future);
}
SF_API sf_result sf_future_wait(sf_future *future, int64_t timeout)
{
    sf_result r = sfi_check_future(future);
    int64_t start, deadline, now;
    uint32_t turns = 0;
    if (r >= 0) { r = sfi_future_submit(future, &timeout); }
    if (r) { return r; }
    if (sfi_future_settle(future) || !timeout) {
        r = sfi_future_outcome(future);
        return r == SF_NOT_READY ? SF_TIMEOUT : r;
    }
    if (sfi_load(&future->state) == SF_FUTURE_RUNNING && future->device->host && future->event) {    /* state first */
        sf_capture_mode mode = sfi_relax();
        r = future->device->backend->event_synchronize(future->event, timeout);
        sfi_unrelax(mode);
        if (r == SF_TIMEOUT || r == SF_ERROR_DEADLOCK) { return r; }
        timeout = SF_FOREVER;                /* passed: another thread may be completing it */
    }
    start = sfi_clock();
    deadline = sfi_deadline(start, timeout);
    while (!sfi_future_settle(future) && (r = sfi_future_outcome(future)) == SF_NOT_READY) {
        if (++turns % 64) { continue; }      /* the clock costs more than a look at the word */
        now = sfi_clock();
        if (now >= deadline) { return SF_TIMEOUT; }
        if (now - start > 50000) { sfi_sleep(now - start > 1000000 ? 50000 : 10000); }
    }
    return sfi_future_outcome(future);
}
SF_API sf_result sf_future_take(sf_future *future, sf_value *values, int max)
{
    sf_result r = sfi_check_future(future);
    uint32_t state, i;
    if (r < 0) { return r; }
    if (max < 0 || (max && !values)) { return SF_ERROR_INVALID_VALUE; }
    (void)sfi_future_settle(future);
    state = sfi_load(&future->state);
    if (state != SF_FUTURE_READY && state != SF_FUTURE_FAILED) { return sfi_future_outcome(future); }
    if (!sfi_cas(&future->state, state, SF_FUTURE_TAKEN)) { return SF_ERROR_ILLEGAL_STATE; }
    if (state == SF_FUTURE_FAILED) { return future->result; }
    for (i = 0; i < (uint32_t)max; i++) {
        sfi_zero(&values[i], sizeof values[i]);
        if (i >= future->outputs.count) { continue; }
        values[i] = future->outputs.items[i]->value;
        sfi_store(&future->outputs.items[i]->taken, 1);
    }
    return SF_OK;
}
SF_API sf_result sf_future_on_ready(sf_future *future, void (*func)(sf_future *future, sf_result result, void *user),
                                    void *user)
{
    sf_result r = sfi_check_future(future);
    int64_t timeout = SF_FOREVER;
    sfi_watcher *w;
    if (r < 0) { return r; }
    if (!func) { return SF_ERROR_INVALID_VALUE; }
    r = sfi_future_submit(future, &timeout);
    if (r < 0) { return r; }
    w = (sfi_watcher *)sfi_alloc(&future->device->heap, sizeof *w);
    if (!w) { return sfi_out_of_memory(&future->device->heap); }
    w->func = func;
    w->user = user;
    sfi_spin_lock(&future->busy);
    w->next = future->watchers;
    future->watchers = w;
    sfi_spin_unlock(&future->busy);
    (void)sfi_reactor_add(future);
    return SF_OK;
}
SF_API void sf_future_drop(sf_future *future)
{
    if (sfi_check_future(future) < 0 || future->dropped) { return; }
    future->dropped = true;
    if (!sfi_cas(&future->state, SF_FUTURE_IDLE, SF_FUTURE_TAKEN) && !sfi_future_settle(future) &&
        !sfi_reactor_add(future)) {
        return;                              /* no memory to look after it: it goes with the device */
    }
    sfi_future_release(future);
}
/* Submits, waits, and hands out the first output. */
static sf_result sfi_run_and_wait(sf_future *f, int64_t timeout, sf_value *out)
{
    sf_result r = sfi_future_submit(f, &timeout), synced = SF_OK;
    const sf_policy *p = f->policy;
    if (!r && p && p->desc.kind == SF_POLICY_CUSTOM && p->desc.custom.sync) {
        const sf_device *outer = sfi_call_out(p->device);
        synced = p->desc.custom.sync(p->desc.custom.self, f->stream, timeout);
        sfi_call_back(outer);
    }
    if (!r) { r = synced == SF_TIMEOUT ? SF_TIMEOUT : sf_future_wait(f, timeout); }
    if (r >= 0 && synced < 0) { r = synced; }
    if (r == SF_OK && out) { r = sf_future_take(f, out, 1); }
    sf_future_drop(f);
    return r;
}
/* A future has its failure as a code alone; who has none of it is told. wait: else it is only submitted */
static sf_result sfi_run_now(sf_lazy *lazy, sf_policy *policy, sf_stream *stream, bool wait, int64_t timeout,
                             sf_value *out, const char *call)
{
    uint32_t told = sfi_this_thread.told;
    sf_future *f = NULL;
    sf_device *device;
    sf_result r;
    if (out) { sfi_zero(out, sizeof *out); }
    r = sfi_schedule(lazy, policy, stream, true, &f, call);
    if (r >= 0) {
        device = f->device;
        if (wait) {
            r = sfi_run_and_wait(f, timeout, out);
        } else {
            r = sfi_future_submit(f, &timeout);
            if (r >= 0 && f->submitted < 0) { r = f->submitted; }
            sf_future_drop(f);
        }
        r = sfi_told_since(device, r, call, told);
    }
    return stream ? sfi_on_stream(stream, r) : r;
}
SF_API sf_result sf_sync(sf_lazy *lazy, sf_policy *policy, int64_t timeout, sf_value *out)
{
    return sfi_run_now(lazy, policy, NULL, true, timeout, out, __func__);
}
static sf_result sfi_run_lazy_on(sf_lazy *lazy, sf_stream *stream, bool wait, int64_t timeout, sf_value *out,
                                 const char *call)
{
    if (stream && stream->slot.tag == SFI_TAG_STREAM) {
        return sfi_run_now(lazy, NULL, stream, wait, timeout, out, call);
    }
    if (out) { sfi_zero(out, sizeof *out); }
    sf_lazy_drop(lazy);
    return sfi_no_stream(stream, call);
}
SF_API sf_result sf_sync_on(sf_lazy *lazy, sf_stream *stream, int64_t timeout, sf_value *out)
{
    return sfi_run_lazy_on(lazy, stream, true, timeout, out, __func__);
}
SF_API sf_result sf_async_on(sf_lazy *lazy, sf_stream *stream)
{
    return sfi_run_lazy_on(lazy, stream, false, SF_FOREVER, NULL, __func__);
}

/* >>order --------------------------------------------------------------------------------------------- */

/* Looking and waiting for the library's own sake: no capture is broken by it. */
static sf_result sfi_event_poll(sf_event *event)
{
    sf_capture_mode mode = sfi_relax();
    sf_result r = sf_event_query(event);
    sfi_unrelax(mode);
    return r;
}
static bool sfi_stream_is_idle(sf_stream *stream)
{
    sf_capture_mode mode = sfi_relax();
    bool is = !sfi_is_capturing(stream) && stream->device->backend->stream_query(stream) == SF_OK;
    sfi_unrelax(mode);
    return is;
}
static sf_result sfi_stream_drain(sf_stream *stream, int64_t timeout)
{
    sf_capture_mode mode = sfi_relax();
    sf_result r = sf_stream_synchronize(stream, timeout);
    sfi_unrelax(mode);
    return r;
}

/* Order across streams, as flows keep it: a number per record, an event from the stream's ring, and a wait only
   where a later number has not been waited for already. */
static sf_event **sfi_order_slot(const sfi_order_ring *ring, uint64_t number)
{
    return (sf_event **)(uintptr_t)(ring + 1) + (number & (ring->size - 1));
}
/* The records that the old ring has are in the new one, too. */
static sf_result sfi_order_grow(sf_stream *s, uint32_t size) /* s->order.busy held */
{
    sf_device *device = s->device;
    uint64_t number = s->order.number, kept = 0, k, n = 4;
    sfi_order_ring *old = sfi_order_ring_of(s), *ring;
    sf_result r = SF_OK;
    while (n < size) { n *= 2; }
    if (old && old->size >= n) { return SF_OK; }
    ring = (sfi_order_ring *)sfi_alloc_zeroed(&device->heap, sizeof *ring + (size_t)n * sizeof(sf_event *));
    if (!ring) { return sfi_out_of_memory(&device->heap); }
    ring->older = old;
    ring->size = (uint32_t)n;
    if (old) { kept = number + 1 - old->first < old->size ? number + 1 - old->first : old->size; }
    ring->first = number + 1 - kept;
    for (k = 0; k < n && r >= 0; k++) {
        sf_event **event = sfi_order_slot(ring, number - k);
        if (old && k < old->size) {
            *event = *sfi_order_slot(old, number - k);
        } else {
            r = sf_event_create(device, SF_EVENT_DISABLE_TIMING, event);
        }
    }
    if (r >= 0) {
        sfi_store64(&s->order.ring, (uint64_t)(uintptr_t)ring);
        return r;
    }
    for (k = old ? old->size : 0; k < n; k++) {
        sf_event *event = *sfi_order_slot(ring, number - k);
        if (event) { (void)sf_event_destroy(event); }
    }
    sfi_free(&device->heap, ring);
    return r;
}
static sf_result sfi_order_arm(sf_stream *s, uint32_t size)  /* a ring for `size` records in flight */
{
    sf_result r;
    sfi_spin_lock(&s->order.busy);
    r = sfi_order_grow(s, size);
    sfi_spin_unlock(&s->order.busy);
    return r;
}

static sf_result sfi_order_record(sf_stream *s, uint64_t *number)
{
    sf_result r = SF_OK;
    sfi_spin_lock(&s->order.busy);
    if (!sfi_order_ring_of(s)) { r = sfi_order_grow(s, 16); }                /* a stream that no pool made */
    if (r >= 0) { r = sf_event_record(*sfi_order_slot(sfi_order_ring_of(s), s->order.number + 1), s); }
    if (r >= 0) { *number = ++s->order.number; }
    sfi_spin_unlock(&s->order.busy);
    return r;
}
static sf_event *sfi_order_event(const sfi_point *p)         /* for it, or a later one; NULL: none */
{
    const sfi_order_ring *ring = sfi_order_ring_of(p->stream);
    return ring && p->number && p->number >= ring->first ? *sfi_order_slot(ring, p->number) : NULL;
}
/* Points without an event (no number, or from before the ring) are made now: later than need be, never too early. */
static sf_result sfi_order_fix(sfi_point *p, sf_event **event)
{
    sf_result r = SF_OK;
    if (p->stream->slot.tag != SFI_TAG_STREAM) {             /* destroyed: up to where its end was recorded */
        p->number = p->stream->order.number;
    } else if (sfi_is_capturing(p->stream)) {
        return SF_ERROR_CAPTURE_UNSUPPORTED; /* it would be the graph's */
    } else {
        r = sfi_order_record(p->stream, &p->number);
        if (r < 0 && p->stream->slot.tag != SFI_TAG_STREAM) {        /* destroyed meanwhile */
            p->number = p->stream->order.number;
            r = SF_OK;
        }
    }
    *event = sfi_order_event(p);
    return r < 0 || *event ? r : SF_IGNORED;
}

/* Later work of `s` waits for the point, unless it does so already. */
static sf_result sfi_order_wait(sf_stream *s, sfi_point *p)
{
    sfi_seen *seen = &s->order.seen[p->stream ? p->stream->index % SFI_SEEN : 0];
    sf_event *event;
    bool known;
    sf_result r;
    if (!p->stream || p->stream == s) { return SF_OK; }
    sfi_spin_lock(&s->order.busy);           /* operators that adopted it may be at work side by side */
    known = p->number && seen->stream == p->stream && seen->number >= p->number;
    sfi_spin_unlock(&s->order.busy);
    if (known) { return SF_OK; }
    event = sfi_order_event(p);
    r = event ? SF_OK : sfi_order_fix(p, &event);
    if (r != SF_OK) { return r < 0 ? r : SF_OK; }
    r = sf_stream_wait_event(s, event, 0);
    if (r >= 0) {
        sfi_spin_lock(&s->order.busy);
        seen->stream = p->stream;
        seen->number = p->number;
        sfi_spin_unlock(&s->order.busy);
    }
    return r;
}
/* SF_OK, SF_NOT_READY, or the device's fault. */
static sf_result sfi_order_query(sfi_point *p)
{
    sf_event *event;
    sf_result r;
    if (!p->stream || (p->number && p->number <= sfi_load64(&p->stream->order.complete))) { return SF_OK; }
    event = sfi_order_event(p);
    if (!event && p->stream->slot.tag == SFI_TAG_STREAM && sfi_stream_is_idle(p->stream)) {
        return SF_OK;                        /* an event that is recorded now would not have happened yet */
    }
    r = event ? SF_OK : sfi_order_fix(p, &event);
    if (r == SF_ERROR_CAPTURE_UNSUPPORTED) { return SF_NOT_READY; }          /* until it captures no more */
    if (r != SF_OK) { return r < 0 ? r : SF_OK; }
    r = sfi_event_poll(event);
    if (r == SF_OK) { sfi_store64(&p->stream->order.complete, p->number); }
    return r;
}

/* Streams that are destroyed, and whose end has been reached: their places are free. */
static void sfi_parked_sweep(sf_device *device)
{
    sfi_slot *list, *slot;
    sfi_lock(&device->lock);
    list = device->parked;
    device->parked = NULL;
    sfi_unlock(&device->lock);
    while ((slot = list) != NULL) {
        sf_stream *s = (sf_stream *)(void *)slot;
        sf_event *event = *sfi_order_slot(sfi_order_ring_of(s), s->order.number);
        bool there;
        list = slot->next;
        sfi_lock(&device->lock);             /* a question would spoil a capture that it was recorded in */
        there = !event->captured || !sfi_find_capture(device, event->captured);
        sfi_unlock(&device->lock);
        there = there && sfi_event_poll(event) != SF_NOT_READY;
        sfi_lock(&device->lock);
        if (there) {
            sfi_store(&s->order.open, 0);
            sfi_slab_give(&device->streams, slot);
        } else {
            slot->next = device->parked;
            device->parked = slot;
        }
        sfi_unlock(&device->lock);
    }
}

/* >>pools --------------------------------------------------------------------------------------------- */

/* -- streams that operators borrow -- */

struct sf_stream_pool {
    sfi_slot slot;
    sf_device *device;
    sf_stream_pool_desc desc;
    sf_stream **streams;
    bool *taken;
    uint32_t count, streams_room, taken_room, ring; /* ring: records in flight that its streams have room for */
    uint32_t free;                           /* of `count`, not taken */
    sfi_atomic32 busy;
    char name[SFI_NAME];
};

static sf_result sfi_stream_pool_add(sf_stream_pool *pool)
{
    sf_stream_desc desc;
    sf_result r;
    const sf_heap *heap = &pool->device->heap;
    if (!sfi_grow(heap, (void **)&pool->streams, &pool->streams_room, pool->count + 1, sizeof *pool->streams) ||
        !sfi_grow(heap, (void **)&pool->taken, &pool->taken_room, pool->count + 1, sizeof *pool->taken)) {
        return sfi_out_of_memory(heap);
    }
    desc.flags = pool->desc.blocking ? SF_STREAM_DEFAULT : SF_STREAM_NON_BLOCKING;
    desc.priority = pool->desc.priority;
    desc.name = pool->name;
    r = sf_stream_create(pool->device, &desc, &pool->streams[pool->count]);
    if (r < 0) { return r; }
    r = pool->ring ? sfi_order_arm(pool->streams[pool->count], pool->ring) : SF_OK;
    if (r < 0) {
        (void)sf_stream_destroy(pool->streams[pool->count]);
        return r;
    }
    pool->streams[pool->count]->pooled = pool->count;
    pool->taken[pool->count++] = false;
    pool->free++;
    return SF_OK;
}
static bool sfi_stream_pool_full(const sf_stream_pool *pool)
{
    return pool->desc.max > 0 && pool->count >= (uint32_t)pool->desc.max;
}
/* So many streams, each with its events, before anything runs. */
static sf_result sfi_stream_pool_reserve(sf_stream_pool *pool, uint32_t streams, uint32_t ring)
{
    sf_result r = SF_OK;
    uint32_t i;
    sfi_spin_lock(&pool->busy);
    if (ring > pool->ring) { pool->ring = ring; }
    for (i = 0; i < pool->count && r >= 0; i++) {
        if (!pool->taken[i]) { r = sfi_order_arm(pool->streams[i], pool->ring); }
    }
    while (r >= 0 && pool->count < streams && !sfi_stream_pool_full(pool)) { r = sfi_stream_pool_add(pool); }
    sfi_spin_unlock(&pool->busy);
    return r;
}
/* One whose work is done; a new one if there is none and there may be more. */
static sf_result sfi_stream_pool_take(sf_stream_pool *pool, sf_stream **stream)
{
    sf_result r = SF_ERROR_POOL_EXHAUSTED;
    uint32_t i, pick = UINT32_MAX;
    sf_capture_mode mode = sfi_relax();
    sfi_spin_lock(&pool->busy);
    for (i = 0; pool->free && i < pool->count && pick == UINT32_MAX; i++) {
        if (!pool->taken[i] && pool->device->backend->stream_query(pool->streams[i]) == SF_OK) { pick = i; }
    }
    if (pick == UINT32_MAX && !sfi_stream_pool_full(pool)) {
        r = sfi_stream_pool_add(pool);
        if (r >= 0) { pick = pool->count - 1; }
    }
    if (pick != UINT32_MAX) {
        pool->taken[pick] = true;
        pool->free--;
        *stream = pool->streams[pick];
        r = SF_OK;
    }
    sfi_spin_unlock(&pool->busy);
    sfi_unrelax(mode);
    return r;
}
static void sfi_stream_pool_give(sf_stream_pool *pool, const sf_stream *stream)
{
    uint32_t i = stream->pooled;
    sfi_spin_lock(&pool->busy);
    if (i < pool->count && pool->streams[i] == stream && pool->taken[i]) {   /* one of its own */
        pool->taken[i] = false;
        pool->free++;
    }
    sfi_spin_unlock(&pool->busy);
}

SF_API sf_result sf_stream_pool_create(sf_device *device, const sf_stream_pool_desc *desc, sf_stream_pool **pool)
{
    sf_result r = sfi_check_device(device);
    uint32_t told = sfi_this_thread.told;
    sf_stream_pool *p;
    if (r < 0) { return r; }
    if (!pool || (desc && (desc->reserved < 0 || desc->max < 0))) { return sfi_told(device, SF_ERROR_INVALID_VALUE); }
    sfi_lock(&device->lock);
    device->stream_pools.size = SFI_ALIGN(sizeof(sf_stream_pool), 16);
    p = (sf_stream_pool *)(void *)sfi_slab_take(&device->stream_pools, &device->heap, SFI_TAG_STREAM_POOL);
    sfi_unlock(&device->lock);
    if (!p) { return sfi_told(device, sfi_out_of_memory(&device->heap)); }
    p->device = device;
    if (desc) { p->desc = *desc; } else { sfi_zero(&p->desc, sizeof p->desc); }
    p->count = p->ring = 0;
    sfi_keep_name(p->name, sizeof p->name, desc ? desc->name : NULL);
    p->desc.name = p->name;
    r = sfi_stream_pool_reserve(p, p->desc.reserved ? (uint32_t)p->desc.reserved : 1, 0);
    if (r < 0) { (void)sf_stream_pool_destroy(p); } else { *pool = p; }
    return sfi_told_since(device, r, __func__, told);
}
static void sfi_drop_stream_pool(sf_device *device, sfi_slot *slot)
{
    sf_stream_pool *pool = (sf_stream_pool *)(void *)slot;
    sfi_free(&device->heap, pool->streams);
    sfi_free(&device->heap, pool->taken);
    pool->streams = NULL;
    pool->taken = NULL;
    pool->count = pool->free = pool->streams_room = pool->taken_room = 0;
}
SF_API sf_result sf_stream_pool_destroy(sf_stream_pool *pool)
{
    sf_device *device;
    sf_result r;
    uint32_t i;
    if (!pool || pool->slot.tag != SFI_TAG_STREAM_POOL) { return sfi_stray(__func__); }
    device = pool->device;
    r = sfi_check_device(device);            /* a fault is told, and the pool goes all the same */
    if (r == SF_ERROR_NOT_PERMITTED) { return r; }
    for (i = 0; i < pool->count; i++) {
        if (pool->taken[i]) { return sfi_told(device, SF_ERROR_ILLEGAL_STATE); }         /* a flow runs */
    }
    for (i = 0; i < pool->count; i++) { (void)sf_stream_destroy(pool->streams[i]); }
    sfi_drop_stream_pool(device, &pool->slot);
    sfi_lock(&device->lock);
    sfi_slab_give(&device->stream_pools, &pool->slot);
    sfi_unlock(&device->lock);
    return r;
}

/* -- numbers that threads pass on without a lock -- */

static void sfi_ring_init(sfi_ring *ring, sfi_cell *cells, uint32_t size)    /* size: a power of two */
{
    uint32_t i;
    ring->cells = cells;
    ring->mask = size - 1;
    sfi_store(&ring->in, 0);
    sfi_store(&ring->out, 0);
    for (i = 0; i < size; i++) { sfi_store(&cells[i].turn, i); }
}
static void sfi_ring_push(sfi_ring *ring, uint32_t value)    /* never full: it has twice the places that are needed */
{
    for (;;) {
        uint32_t at = sfi_load(&ring->in);
        sfi_cell *cell = &ring->cells[at & ring->mask];
        int32_t ahead = (int32_t)(sfi_load(&cell->turn) - at);
        SFI_STEP("ring push");
        if (ahead < 0) { sfi_yield(); }      /* somebody has taken from that place, but not said so yet */
        if (ahead == 0 && sfi_cas(&ring->in, at, at + 1)) {
            SFI_STEP("ring place taken");
            cell->value = value;
            sfi_store(&cell->turn, at + 1);  /* release: the value before the turn */
            return;
        }
    }
}
static bool sfi_ring_pop(sfi_ring *ring, uint32_t *value)
{
    for (;;) {
        uint32_t at = sfi_load(&ring->out);
        sfi_cell *cell = &ring->cells[at & ring->mask];
        int32_t ahead = (int32_t)(sfi_load(&cell->turn) - (at + 1));
        SFI_STEP("ring pop");
        if (ahead < 0) { return false; }
        if (ahead == 0 && sfi_cas(&ring->out, at, at + 1)) {
            SFI_STEP("ring value taken");
            *value = cell->value;
            sfi_store(&cell->turn, at + ring->mask + 1);
            return true;
        }
    }
}
static uint32_t sfi_ring_count(const sfi_ring *ring) { return sfi_load(&ring->in) - sfi_load(&ring->out); }

/* -- memory that remembers its users -- */

struct DLManagedTensor;
typedef struct sfi_tensor {
    sf_tensor pub;                           /* first: a handle is a pointer to it */
    sfi_atomic32 references;
    uint32_t index;                          /* in its pool */
    sf_device *device;                       /* NULL: the host's, no GPU ever sees it */
    sf_mem_pool *pool;                       /* NULL: wrapped */
    sf_flow *flow;                           /* wrapped: whose headers it is one of */
    sfi_point order;                         /* what whoever emitted it first did to it */
    sfi_point *users;                        /* streams whose work must end before it is used again */
    uint32_t user_count, user_room;
    sfi_atomic32 busy;                       /* guards them: receivers may be on several threads */
    void (*release)(void *data, void *user);
    void *release_user;
    struct sfi_tensor *next;
    int64_t shape[SF_MAX_DIMS], strides[SF_MAX_DIMS];
} sfi_tensor;
enum { SFI_WRAP_USERS = 8 };
enum { SFI_GONE = 0x40000000 };              /* references of one that is nobody's: who counts on by mistake does not
                                                give it back a second time */
static bool sfi_is_gone(uint32_t references) { return references >= SFI_GONE / 2; }

typedef struct sfi_subscriber { sf_flow *flow; uint32_t source; struct sfi_subscriber *next; } sfi_subscriber;
static void sfi_bell(sf_flow *flow, uint32_t source);

static bool sfi_cpu_visible(sf_memory memory) { return memory != SF_MEMORY_DEVICE; }
static uint32_t sfi_power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n) { p *= 2; }
    return p;
}

/* One more stream to wait for before reuse. Where there is no room left, the new user is ordered behind the oldest
   and takes its place: it then stands for both. */
static sf_result sfi_tensor_add_user(sfi_tensor *t, sfi_point by)
{
    uint32_t i;
    sf_result r;
    if (!by.number) { sfi_store(&by.stream->order.open, 1); }
    for (i = 0; i < t->user_count; i++) {
        sfi_point *user = &t->users[i];
        if (user->stream == by.stream) {     /* on several threads they come in another order than their work */
            if (user->number && (!by.number || by.number > user->number)) { *user = by; }
            return SF_OK;
        }
    }
    if (t->user_count < t->user_room) {
        t->users[t->user_count++] = by;
        return SF_OK;
    }
    r = sfi_order_wait(by.stream, &t->users[0]);
    by.number = 0;                           /* recorded when it is asked for: after the wait */
    sfi_store(&by.stream->order.open, 1);
    t->users[0] = by;
    return r;
}
static sf_result sfi_tensor_use(sfi_tensor *t, sfi_point by)
{
    sf_result r;
    if (!by.stream || !t->user_room) { return SF_OK; }
    sfi_spin_lock(&t->busy);
    r = sfi_tensor_add_user(t, by);
    sfi_spin_unlock(&t->busy);
    return r;
}
/* Forgets the users that are done. SF_NOT_READY, with *blocker, if one is not; a fault counts as done. */
static sf_result sfi_tensor_idle(sfi_tensor *t, sf_stream **blocker)
{
    while (t->user_count) {
        sfi_point *p = &t->users[t->user_count - 1];
        if (sfi_order_query(p) == SF_NOT_READY) {
            if (blocker) { *blocker = p->stream; }
            return SF_NOT_READY;
        }
        t->user_count--;
    }
    return SF_OK;
}

static size_t sfi_pool_bytes(const sf_mem_pool *pool, size_t bytes)          /* what a tensor of `bytes` takes */
{
    return pool->desc.kind == SF_MEM_POOL_BLOCKS  ? pool->desc.block_bytes
           : pool->desc.kind == SF_MEM_POOL_ASYNC ? 0 /* counted where it is allocated */
                                                  : bytes;
}
static void sfi_pool_account(sf_mem_pool *pool, size_t bytes, bool take)
{
    uint64_t used;
    sfi_add64(&pool->used, take ? (uint64_t)bytes : 0 - (uint64_t)bytes);
    used = sfi_load64(&pool->used);
    if (take && used > sfi_load64(&pool->used_high)) { sfi_store64(&pool->used_high, used); }
}
static void sfi_pool_reserve(sf_mem_pool *pool, size_t bytes, bool take)
{
    uint64_t now;
    sfi_add64(&pool->reserved, take ? (uint64_t)bytes : 0 - (uint64_t)bytes);
    now = sfi_load64(&pool->reserved);
    if (take && now > sfi_load64(&pool->reserved_high)) { sfi_store64(&pool->reserved_high, now); }
}
static void sfi_pool_announce(sf_mem_pool *pool)             /* a block came back */
{
    sfi_subscriber *s;
    if (!sfi_add(&pool->waiting, 0)) { return; }             /* both sides add: one sees the other */
    sfi_spin_lock(&pool->busy);
    for (s = pool->subscribers; s; s = s->next) { sfi_bell(s->flow, s->source); }
    sfi_spin_unlock(&pool->busy);
}
static void sfi_pool_free(sf_mem_pool *pool);

/* Memory that is allocated each time. Device memory is freed in stream order, on the pool's own stream. */
static void sfi_tensor_free_ordered(sfi_tensor *t)
{
    sf_mem_pool *pool = t->pool;
    sf_capture_mode mode;
    uint32_t i;
    for (i = 0; i < t->user_count; i++) { (void)sfi_order_wait(pool->stream, &t->users[i]); }
    mode = sfi_relax();
    (void)sf_mem_free_async(pool->stream, t->pub.data);
    sfi_unrelax(mode);
    sfi_free(&pool->device->heap, t);
}
static void sfi_pool_sweep(sf_mem_pool *pool)                /* frees what the GPU is done with */
{
    sfi_tensor *list, *t;
    sfi_lock(&pool->device->lock);
    list = pool->limbo;
    pool->limbo = NULL;
    sfi_unlock(&pool->device->lock);
    while ((t = list) != NULL) {
        list = t->next;
        if (sfi_tensor_idle(t, NULL) == SF_OK) {
            sf_capture_mode mode = sfi_relax();
            (void)sf_mem_free(pool->device, t->pub.data);
            sfi_unrelax(mode);
            sfi_free(&pool->device->heap, t);
        } else {
            sfi_lock(&pool->device->lock);
            t->next = pool->limbo;
            pool->limbo = t;
            sfi_unlock(&pool->device->lock);
        }
    }
}
static bool sfi_pool_is_ordered(const sf_mem_pool *pool)
{
    return pool->desc.kind == SF_MEM_POOL_ASYNC ||
           (pool->desc.kind == SF_MEM_POOL_UNBOUNDED && pool->desc.memory == SF_MEMORY_DEVICE);
}

/* The last reference is gone: back to the pool. */
static void sfi_tensor_retire_pooled(sfi_tensor *t)
{
    sf_mem_pool *pool = t->pool;
    sfi_pool_account(pool, sfi_pool_bytes(pool, t->pub.bytes), false);
    t->order.stream = NULL;
    if (pool->desc.kind == SF_MEM_POOL_BLOCKS) {
        bool now = !sfi_cpu_visible(pool->desc.memory) || sfi_tensor_idle(t, NULL) == SF_OK;
        sfi_ring_push(now ? &pool->free : &pool->pending, t->index);
    } else if (sfi_pool_is_ordered(pool)) {
        sfi_tensor_free_ordered(t);
    } else {
        sfi_lock(&pool->device->lock);
        t->next = pool->limbo;
        pool->limbo = t;
        sfi_unlock(&pool->device->lock);
        sfi_pool_sweep(pool);
    }
    sfi_pool_announce(pool);
    if (sfi_add(&pool->outstanding, (uint32_t)-1) == 1) { sfi_pool_free(pool); }
}

static void sfi_pool_reclaim(sf_mem_pool *pool, sf_stream **blocker)         /* blocks that the GPU is done with */
{
    uint32_t n, i;
    for (n = sfi_ring_count(&pool->pending); n && sfi_ring_pop(&pool->pending, &i); n--) {
        bool idle = sfi_tensor_idle(&pool->blocks[i], blocker) == SF_OK;
        sfi_ring_push(idle ? &pool->free : &pool->pending, i);
    }
}
static sf_result sfi_pool_take_block(sf_mem_pool *pool, sfi_tensor **tensor, sf_stream **blocker)
{
    uint32_t i;
    bool found = sfi_ring_pop(&pool->free, &i);
    if (!found) {
        sfi_spin_lock(&pool->reclaiming);    /* else a block in another thread's hands would look like none at all */
        sfi_pool_reclaim(pool, blocker);
        found = sfi_ring_pop(&pool->free, &i);
        sfi_spin_unlock(&pool->reclaiming);
    }
    if (!found) { return SF_ERROR_POOL_EXHAUSTED; }
    *tensor = &pool->blocks[i];
    return SF_OK;
}
static sf_result sfi_pool_allocate(sf_mem_pool *pool, size_t bytes, sf_stream *stream, sfi_tensor **tensor)
{
    uint32_t room = pool->user_room;
    sf_capture_mode mode;
    sfi_tensor *t;
    void *data = NULL;
    sf_result r;
    if (!sfi_pool_fits(pool, bytes)) { return SF_ERROR_POOL_EXHAUSTED; }
    t = (sfi_tensor *)sfi_alloc_zeroed(&pool->device->heap, sizeof *t + room * sizeof(sfi_point));
    if (!t) { return sfi_out_of_memory(&pool->device->heap); }
    sfi_pool_sweep(pool);
    mode = sfi_relax();
    r = sfi_pool_is_ordered(pool)
            ? sf_mem_alloc_async(stream, pool->desc.kind == SF_MEM_POOL_ASYNC ? pool : NULL, bytes, &data)
            : sf_mem_alloc(pool->device, bytes, pool->desc.memory, &data);
    sfi_unrelax(mode);
    if (r < 0) {
        sfi_free(&pool->device->heap, t);
        return r;
    }
    t->users = (sfi_point *)(void *)(t + 1);
    t->user_room = room;
    t->pub.data = data;
    *tensor = t;
    return SF_OK;
}
/* A tensor of one reference; *blocker: a stream whose work would free one, if there is none now. Ordered memory is
   allocated on `stream`. */
static sf_result sfi_pool_take(sf_mem_pool *pool, size_t bytes, sf_stream *stream, sfi_tensor **tensor,
                               sf_stream **blocker)
{
    bool blocks = pool->desc.kind == SF_MEM_POOL_BLOCKS;
    sf_result r =
        blocks ? sfi_pool_take_block(pool, tensor, blocker) : sfi_pool_allocate(pool, bytes, stream, tensor);
    sfi_tensor *t = *tensor;
    if (r < 0) { return r; }
    t->pool = pool;
    t->device = pool->device;
    t->pub.bytes = bytes;
    t->pub.owner = t;
    t->pub.byte_offset = 0;
    t->release = NULL;
    t->order.stream = NULL;
    sfi_store(&t->references, 1);
    (void)sfi_add(&pool->outstanding, 1);
    sfi_pool_account(pool, sfi_pool_bytes(pool, bytes), true);
    return SF_OK;
}
/* Whether an operator that wants `count` blocks of `bytes` may run. */
static bool sfi_pool_has(sf_mem_pool *pool, uint32_t count, size_t bytes, sf_stream **blocker)
{
    if (pool->desc.kind == SF_MEM_POOL_BLOCKS) {
        bool enough = sfi_ring_count(&pool->free) >= count;
        if (enough) { return true; }
        sfi_spin_lock(&pool->reclaiming);
        sfi_pool_reclaim(pool, blocker);
        enough = sfi_ring_count(&pool->free) >= count;
        sfi_spin_unlock(&pool->reclaiming);
        return enough;
    }
    return sfi_pool_fits(pool, (uint64_t)bytes * count);
}

static sf_result sfi_pool_make_blocks(sf_mem_pool *pool, void *data)
{
    const sf_heap *heap = &pool->device->heap;
    uint32_t n = (uint32_t)pool->desc.blocks, ring = 2 * sfi_power_of_two(n), i;
    size_t each = SFI_ALIGN(pool->desc.block_bytes, 256);
    sfi_cell *cells;
    sf_result r = SF_OK;
    if (data) {
        each = pool->desc.block_bytes;
    } else {
        if (sfi_heap_is_range(heap)) { each = SFI_ALIGN(pool->desc.block_bytes, SFI_HOST_ALIGN); }
        if (n > SIZE_MAX / 2 / each) { return SF_ERROR_OUT_OF_MEMORY; }
        r = sf_mem_alloc(pool->device, each * n, pool->desc.memory, &pool->memory);
        if (r < 0) { return r; }
        data = pool->memory;
    }
    pool->blocks = (sfi_tensor *)sfi_alloc_zeroed(heap, n * sizeof *pool->blocks);
    pool->users = (sfi_point *)sfi_alloc_zeroed(heap, n * pool->user_room * sizeof *pool->users);
    cells = (sfi_cell *)sfi_alloc_zeroed(heap, 2 * ring * sizeof *cells);
    if (!pool->blocks || !pool->users || !cells) {
        sfi_free(heap, cells);
        return sfi_out_of_memory(heap);
    }
    sfi_ring_init(&pool->free, cells, ring);
    sfi_ring_init(&pool->pending, cells + ring, ring);
    for (i = 0; i < n; i++) {
        pool->blocks[i].index = i;
        pool->blocks[i].pub.data = (char *)data + i * each;
        pool->blocks[i].users = pool->users + i * pool->user_room;
        pool->blocks[i].user_room = pool->user_room;
        sfi_ring_push(&pool->free, i);
    }
    sfi_pool_reserve(pool, each * n, true);
    return r;
}
static sf_result sfi_pool_make_ordered(sf_mem_pool *pool)
{
    sf_stream_desc desc;
    sf_result r;
    desc.flags = SF_STREAM_NON_BLOCKING;
    desc.priority = 0;
    desc.name = "frees of a memory pool";
    r = sf_stream_create(pool->device, &desc, &pool->stream);
    if (r < 0 || pool->desc.kind != SF_MEM_POOL_ASYNC) { return r; }
    r = pool->device->backend->pool_create(pool);
    if (r >= 0 && pool->desc.initial_bytes) {                /* taken once and given back: the pool keeps it */
        void *first;
        r = sf_mem_alloc_async(pool->stream, pool, pool->desc.initial_bytes, &first);
        if (r >= 0) { r = sf_mem_free_async(pool->stream, first); }
    }
    return r;
}
static sf_result sfi_pool_validate(const sf_mem_pool_desc *d)
{
    if (!d || (uint32_t)d->kind > SF_MEM_POOL_UNBOUNDED || (uint32_t)d->memory > SF_MEMORY_HOST) {
        return SF_ERROR_INVALID_VALUE;
    }
    if (d->kind == SF_MEM_POOL_BLOCKS && (!d->blocks || !d->block_bytes)) { return SF_ERROR_INVALID_VALUE; }
    if (d->kind == SF_MEM_POOL_BLOCKS && (d->blocks > 1u << 30 || d->block_bytes > SIZE_MAX / 4)) {
        return SF_ERROR_OUT_OF_MEMORY;
    }
    return d->kind == SF_MEM_POOL_ASYNC && (d->memory != SF_MEMORY_DEVICE ||
                                            (d->max_bytes && d->initial_bytes > d->max_bytes))
               ? SF_ERROR_INVALID_VALUE
               : SF_OK;
}
/* data: the one block of a port with a buffer of its own. user_room: streams that a block can remember. */
static sf_result sfi_pool_build(sf_device *device, const sf_mem_pool_desc *desc, void *data, uint32_t user_room,
                                sf_mem_pool **pool)
{
    sf_result r = sfi_pool_validate(desc);
    sf_mem_pool *p;
    sfi_slot slot;
    if (r < 0) { return r; }
    sfi_lock(&device->lock);
    device->mem_pools.size = SFI_ALIGN(sizeof(sf_mem_pool), 16);
    p = (sf_mem_pool *)(void *)sfi_slab_take(&device->mem_pools, &device->heap, SFI_TAG_MEM_POOL);
    sfi_unlock(&device->lock);
    if (!p) { return sfi_out_of_memory(&device->heap); }
    slot = p->slot;
    sfi_zero(p, sizeof *p);
    p->slot = slot;
    p->device = device;
    p->desc = *desc;
    p->user_room = user_room;
    sfi_store(&p->outstanding, 1);           /* its owner's, until it is destroyed */
    r = desc->kind == SF_MEM_POOL_BLOCKS ? sfi_pool_make_blocks(p, data)
        : sfi_pool_is_ordered(p)         ? sfi_pool_make_ordered(p)
                                         : SF_OK;
    if (r < 0) { sfi_pool_free(p); } else { *pool = p; }
    return r;
}
static sf_result sfi_pool_make(sf_device *device, const sf_mem_pool_desc *desc, void *data, uint32_t user_room,
                               sf_mem_pool **pool)
{
    sf_capture_mode mode = sfi_relax();
    sf_result r = sfi_pool_build(device, desc, data, user_room, pool);
    sfi_unrelax(mode);
    return r;
}
static void sfi_drop_mem_pool(sf_device *device, sfi_slot *slot)
{
    sf_mem_pool *pool = (sf_mem_pool *)(void *)slot;
    sfi_tensor *t;
    if (!slot->tag && !pool->zombie) { return; }
    while ((t = pool->limbo) != NULL) {
        pool->limbo = t->next;
        sfi_free(&device->heap, t);
    }
    device->backend->pool_destroy(pool);
    sfi_free(&device->heap, pool->free.cells);
    sfi_free(&device->heap, pool->users);
    sfi_free(&device->heap, pool->blocks);
    pool->free.cells = NULL;
    pool->users = NULL;
    pool->blocks = NULL;
    pool->native = NULL;
    pool->zombie = false;
}
static void sfi_pool_forget(sf_device *device, const sf_mem_pool *pool)      /* what it gave out lives on */
{
    sfi_allocation *a;
    int32_t i;
    sfi_lock(&device->lock);
    for (i = 0; i < SFI_ALLOCATION_LISTS; i++) {
        for (a = device->allocations[i]; a; a = a->next) {
            if (a->pool == pool) { a->pool = NULL; }
        }
    }
    sfi_unlock(&device->lock);
}
/* Of a block that is not idle: what the latest asked user of it waits for, for a moment. */
static void sfi_pool_wait(const sfi_tensor *t)
{
    const sfi_point *p = &t->users[t->user_count - 1];
    sf_event *event = sfi_order_event(p);
    if (event) { (void)sf_event_synchronize(event, SF_MS(1)); } else { sfi_yield(); }
}
static void sfi_pool_free(sf_mem_pool *pool)
{
    sf_device *device = pool->device;
    sf_capture_mode mode = sfi_relax();
    sfi_pool_forget(device, pool);
    sfi_pool_sweep(pool);
    while (pool->limbo) {                    /* the GPU still uses some: rather wait than free early */
        sfi_pool_wait(pool->limbo);
        sfi_pool_sweep(pool);
    }
    if (pool->memory && pool->blocks) {
        uint32_t i;
        if (sfi_load(&device->fault) == 0) {
            for (i = 0; i < pool->desc.blocks; i++) {
                while (sfi_tensor_idle(&pool->blocks[i], NULL) == SF_NOT_READY) { sfi_pool_wait(&pool->blocks[i]); }
            }
        }
    }
    if (pool->memory) { (void)sf_mem_free(device, pool->memory); }
    if (pool->stream) { (void)sf_stream_destroy(pool->stream); }
    pool->slot.tag = SFI_TAG_MEM_POOL;
    sfi_drop_mem_pool(device, &pool->slot);
    sfi_lock(&device->lock);
    sfi_slab_give(&device->mem_pools, &pool->slot);
    sfi_unlock(&device->lock);
    sfi_unrelax(mode);
}

SF_API sf_result sf_mem_pool_create(sf_device *device, const sf_mem_pool_desc *desc, sf_mem_pool **pool)
{
    sf_result r = sfi_check_device(device);
    uint32_t told = sfi_this_thread.told;
    if (r < 0) { return r; }
    r = pool ? sfi_pool_make(device, desc, NULL, SFI_WRAP_USERS, pool) : SF_ERROR_INVALID_VALUE;
    return sfi_told_since(device, r, __func__, told);
}
SF_API sf_result sf_mem_pool_destroy(sf_mem_pool *pool)
{
    sf_result r;
    if (!pool || pool->slot.tag != SFI_TAG_MEM_POOL) { return sfi_stray(__func__); }
    r = sfi_check_device(pool->device);      /* a fault is told, and the pool goes all the same */
    if (r == SF_ERROR_NOT_PERMITTED) { return r; }
    if (pool->subscribers) { return sfi_told(pool->device, SF_ERROR_ILLEGAL_STATE); }  /* a flow that runs uses it */
    pool->slot.tag = 0;
    pool->zombie = true;                     /* while somebody holds a tensor: the last release frees */
    SFI_STEP("pool ends");
    if (sfi_add(&pool->outstanding, (uint32_t)-1) == 1) { sfi_pool_free(pool); }
    return r;
}
SF_API sf_result sf_mem_pool_trim(sf_mem_pool *pool, size_t keep_bytes)
{
    sf_result r = sfi_check_mem_pool(pool);
    if (r < 0) { return r; }
    if (pool->desc.kind == SF_MEM_POOL_ASYNC) {
        sf_capture_mode mode = sfi_relax();
        r = pool->device->backend->pool_trim(pool, keep_bytes);
        sfi_unrelax(mode);
        return r;
    }
    sfi_pool_sweep(pool);
    return pool->desc.kind == SF_MEM_POOL_BLOCKS ? SF_IGNORED : SF_OK;
}
SF_API sf_result sf_mem_pool_get_info(sf_mem_pool *pool, sf_mem_pool_info *info)
{
    sf_result r = sfi_check_mem_pool(pool);
    if (r < 0) { return r; }
    if (!info) { return sfi_told(pool->device, SF_ERROR_INVALID_VALUE); }
    info->used = (size_t)sfi_load64(&pool->used);
    info->used_high = (size_t)sfi_load64(&pool->used_high);
    info->reserved = info->used;
    info->reserved_high = info->used_high;
    if (pool->desc.kind == SF_MEM_POOL_UNBOUNDED) { return SF_OK; }
    info->reserved = (size_t)sfi_load64(&pool->reserved);
    info->reserved_high = (size_t)sfi_load64(&pool->reserved_high);
    if (pool->desc.kind == SF_MEM_POOL_ASYNC) {
        sf_capture_mode mode = sfi_relax();
        r = pool->device->backend->pool_info(pool, info);
        sfi_unrelax(mode);
    }
    return r;
}

/* Captures that go on are ended, and their graphs dropped. */
static void sfi_captures_abandon(sf_device *device)
{
    sfi_capture *c;
    sfi_lock(&device->lock);
    while ((c = device->captures) != NULL) {
        sfi_unlock(&device->lock);
        (void)device->backend->capture_end(c->origin, NULL);
        sfi_lock(&device->lock);
        if (device->captures == c) {         /* the driver would not */
            bool lent = c->lent;
            sf_graph *graph = sfi_capture_over(c);
            if (!lent) { sfi_graph_free(graph); }
        }
    }
    sfi_unlock(&device->lock);
}
SF_API sf_result sf_device_close(sf_device *device, int64_t timeout)
{
    sf_result r = sfi_check_device(device), finished = SF_OK, freed;
    uint32_t zombies;
    if (SFI_IS_NO_HANDLE(r)) { return r; }
    zombies = sfi_zombies_sweep(device);
    if (zombies && sfi_load(&device->flows) == zombies) {    /* what their tensors wait for comes to an end */
        r = device->backend->synchronize(device, timeout, sfi_load(&device->capturing) != 0);
        if (r > 0) { return r; }
        zombies = sfi_zombies_sweep(device);
    }
    if (sfi_load(&device->flows)) {
        return sfi_device_fail(device, SF_ERROR_ILLEGAL_STATE, "sf_device_close", NULL,
                               sfi_load(&device->flows) == zombies
                                   ? "a wrapped tensor of a flow that was destroyed is still held: release it first"
                                   : "a flow still uses the device: destroy the flow first");
    }
    if (sfi_this_thread.calls == device || sfi_this_thread.in_logger) {
        return sfi_device_fail(device, SF_ERROR_ILLEGAL_STATE, "sf_device_close", NULL,
                               "a function that its device calls (of a lazy operation, a policy, an on_ready, a "
                               "logger or a kernel) cannot close it");
    }
    if (timeout >= 0 && sfi_load(&device->capturing)) {      /* is there time? Else captures go on */
        r = device->backend->synchronize(device, timeout, true);
        if (r > 0) { return r; }
    }
    sfi_captures_abandon(device);            /* they may keep the device from being waited for */
    r = device->backend->synchronize(device, timeout, true);
    if (r <= 0) { finished = sfi_reactor_finish(device, timeout); }
    if (r > 0 || finished > 0) { return SF_TIMEOUT; }        /* still open */
    freed = sfi_device_free(device);
    return r < 0 ? r : freed;
}

/* >>flows --------------------------------------------------------------------------------------------- */

/* The structures of a flow. Operators, ports and edges are arrays that grow while the flow is built and are named by
   index; what runs needs is carved out of one block at start. */
enum {
    SFI_HANDED = 16, SFI_ALARMS = 16, SFI_PATHS = 64, SFI_STAMPS = 8, SFI_RING_FIXED = 16,
#ifndef SFI_BARE
    SFI_LABELS = 16,                         /* paths that a message has come by, where several were joined */
#else
    SFI_LABELS = 4,
#endif
    SFI_LEVELS = 64,
    SFI_SMALL_FLOW = 256,                    /* operators: each gets a stream at start, whatever it looks like */
    SFI_NAMES = 8,
    SFI_SCOPES = 15,                         /* within each other; further ones are not seen in names */
    SFI_WORKERS = 64,                        /* of a flow: a bit each */
    SFI_JOBS = 64,                           /* computes in flight in a task system */
    SFI_RUN_ON = 256,                        /* operators at most that go the short way between two looks at
                                                everything else; those behind them in a chain or a fan are not
                                                counted */
    SFI_ALONG = 64,                          /* of these, with several workers, so many at a time */
    SFI_FANS = 4,                            /* within each other: deeper ones take the list */
    SFI_TURNS = 6,                           /* log2: a source that a worker has taken computes so often at most */
    SFI_WATCHED = 4,                         /* bridges that a worker looks at by itself while it has time */
    SFI_POLLED = 4,                          /* inlets that a worker looks at itself: in more it is rung for */
    SFI_AWAIT = 64,                          /* looks, before it asks what else there is */
    SFI_SPIN = 20000,                        /* ns: default of sf_workers.spin */
    SFI_SETTLE = 1000000,                    /* ns: nobody has anything to do for so long: is it the end? */
    SFI_PATIENCE = 10, SFI_JOB_NAP = 100000, /* ns: so often, so long, a task system may take to begin */
    SFI_HEAVY = 5000                         /* ns: a compute that takes longer lends its worker's desk to others */
};

typedef enum sfi_kind { SFI_NOTHING, SFI_VALUE, SFI_TENSOR } sfi_kind;
typedef struct sfi_entry { uint32_t key; sf_value value; } sfi_entry;        /* metadata */
/* For latencies: by which operators a message has come, and since when. Several, where several were joined. */
typedef struct sfi_label { int64_t born; uint32_t path; } sfi_label;         /* 1 + prefix; SFI_NONE: lost */
typedef struct sfi_message {
    sf_value value;                          /* SFI_TENSOR: ptr, and a reference */
    sfi_point order;                         /* wait for this before you touch it; no stream: nothing to wait for */
    int64_t time;                            /* the user's */
    uint16_t entries;
    uint8_t kind, labels;
    bool hidden;                             /* work on the default stream: orders, but is not listed */
} sfi_message;
/* Of a ring. Where its two sides are two threads', all that one has to tell the other lies in one cache line: who
   looks for the next number finds the message beside it. If there is one place, what is out again is counted in that
   line, too, as who puts a message in writes to it anyway; else in a line behind the ring. */
typedef struct sfi_place {
    sfi_message message;
    sfi_atomic32 number, out;                /* this is the number-th message */
#ifndef SF_NO_THREADS
    sfi_atomic32 none[2];                    /* a line in all, with pointers of 8 bytes */
#endif
} sfi_place;

/* What few edges need: of metadata, latencies, traces, expiring conditions, and what comes from outside. Laid out at
   start; the others share one that says so, and that nobody writes to. */
typedef struct sfi_edge_more {
    sfi_entry *entries;                      /* metadata, flow->entries_max for each place of the ring */
    sfi_label *labels;                       /* SFI_LABELS for each place, if latencies are wanted */
    int64_t *arrivals;                       /* where an EXPIRING condition looks */
    uint64_t traced;
    struct sfi_inlet *inlet;                 /* external: where messages come from, and ... */
    sfi_atomic32 *popped;                    /* ... how many are out again */
} sfi_edge_more;

typedef struct sfi_edge {
    uint32_t count, high;                    /* from here to `ring`: what each message touches */
    uint32_t full, wakes;                    /* with so many its producer, with fewer its consumer, cannot run */
    uint64_t messages;
    struct sfi_op *producer, *consumer;      /* from start on; producer NULL: pushed from outside */
    sfi_place *head;                         /* from here on: what goes from hand to hand does not touch */
    sfi_place *tail;                         /* where the next message goes: the producer's, between its commits */
    struct sfi_edge *more_in, *more_out;     /* quick: the next one into the consumer, out of the producer */
    sfi_place *ring, *end;                   /* `room` of them */
    uint32_t room;
    uint32_t there;                          /* messages when this compute began */
    uint32_t limit, need;                    /* capacity; messages that a compute needs */
    uint32_t most;                           /* messages that it holds at a time */
    uint32_t taken, ordered;                 /* received in this compute; of those, waited for */
    uint32_t lent;                           /* DROP_OLDEST, LATEST: the compute may be looking at so many */
    struct sfi_bridge *bridge;
    uint32_t absorbed;                       /* external, bridges: of what the other side did, seen */
    uint32_t from, to;                       /* operators; from SFI_NONE: pushed from outside */
    uint32_t next_output, next_input;        /* the next edge of the same port */
    uint32_t index;                          /* of flow->edges */
    uint16_t delay;
    uint8_t output, input, overflow;
    bool seen_behind, seen_before;           /* a condition of its consumer, its producer looks at it */
    bool linear;                             /* the only one out of its producer, and into its consumer */
    bool leads;                              /* who gets a message goes to the front of its list */
    bool control, closed, routed;
    bool read, lent_read;                    /* LATEST: somebody has had it; and the one before it, that is lent */
    sfi_edge_more *more;
    uint64_t dropped, refused;
} sfi_edge;

/* What a thread outside needs to push, and writes, in a cache line that the flow writes nothing to: each line that
   both write is a good part of a message's time from core to core. */
typedef struct sfi_inlet {
    size_t bytes;                            /* the input's */
    sfi_place *ring;
    struct sfi_worker *worker;               /* who is told */
    uint64_t key;                            /* operator and input: they are in this order */
    uint32_t source, room;
    uint32_t at, pushed;                     /* where the next message goes; so many were put in */
    uint32_t seen;                           /* how many were out again when it was last looked at */
    sfi_atomic32 closed;                     /* by the flow: its operator has ended */
    sfi_atomic32 polled;                     /* by its worker, who has nothing to do: nobody need ring */
    sfi_atomic32 *popped;                    /* how many are out again */
    sfi_edge *edge;                          /* the flow's */
} sfi_inlet;

/* A queue between quick operators of two desks. Each side counts on its own what is in it, and publishes what it has
   done: no lock is held for both. The consumer's side is the flow's edge, with no producer; the producer's is
   `front`, with no consumer. A side that cannot go on is watched by its worker, or asks to be rung. */
typedef struct sfi_bridge {
    struct sfi_edge front;
    char apart[SFI_LINE];
    sfi_atomic32 *taken;                     /* messages, by the consumer */
    sfi_atomic32 ring_producer, ring_consumer;
    char end[SFI_LINE];
} sfi_bridge;

typedef struct sfi_input {
    const char *name;
    size_t bytes;
    uint32_t first, last, edges;             /* chain of edges */
    uint32_t cursor, lap;                    /* many: whose message is next, in which time around */
    uint16_t capacity, batch;
    bool optional, many, external;
    bool custom;                             /* a condition of the operator's replaces the built-in one */
    bool watched;                            /* ... or looks at it beside */
    bool asked;                              /* sf_receive() was called in this compute */
    sfi_edge *single;                        /* its edge, where it can have but one */
    const sfi_message *latest;               /* what it returned last */
} sfi_input;

/* Where an output's tensors come from. Those that send values only share one of zeros, which nobody writes to. */
typedef struct sfi_supply {
    size_t bytes;
    void *data;
    sf_mem_pool *given, *pool;               /* the user's; the one in use */
    sfi_tensor *reserved;                    /* the block that admission set aside */
    sfi_subscriber subscriber;
} sfi_supply;
typedef struct sfi_output {
    const char *name;
    sfi_supply *supply;
    sf_stream *stream;                       /* sf_set_stream(), for this compute */
    uint32_t first, last, edges;
    uint32_t staged, laid;                   /* emitted by this compute; of these, in their queue already, unseen */
    sfi_edge *direct;                        /* its edge, where a value may be written into the queue at once */
    uint8_t memory;
    bool custom_room, custom_memory, watched;
    bool any_memory;                         /* a condition of its own may hold without memory: none is set aside */
    bool quiet;                              /* nobody works on another stream: no event needed */
} sfi_output;

typedef struct sfi_condition {
    sf_condition is;
    sfi_atomic32 signal;                     /* SIGNAL: sf_readiness */
    uint32_t source;
    int64_t next;                            /* PERIOD */
    bool lacks;                              /* MEMORY: when it was last looked at */
} sfi_condition;

typedef struct sfi_named_stream {            /* behind it its name, however long: it is what the stream is kept by */
    struct sfi_named_stream *next;
    sf_stream *stream;
} sfi_named_stream;

/* Counts of values by size: 16 steps per power of two, so a percentile is right within 6 %; of times beyond 26 days
   it is the longest. */
enum { SFI_BUCKETS = 16 * 48 };
typedef struct sfi_histogram { uint64_t count, sum; int64_t min, max; uint32_t bucket[SFI_BUCKETS]; } sfi_histogram;

/* A pair of timing events around what a compute enqueued, read when both are done. */
typedef struct sfi_stamp { sf_event *begin, *end; uint32_t stream; bool pending; } sfi_stamp;

/* How much there is to look at around a compute. Short: nothing but messages and room. Quick: and one output at
   most; no condition looks at its queues. Maybe: with a `many` input, which is for the quick way or the long one. */
typedef enum sfi_way { SFI_LONG_WAY, SFI_SHORT_WAY, SFI_MAYBE_QUICK, SFI_QUICK_WAY } sfi_way;
typedef enum sfi_quick {
    SFI_CARRIES = 1,                         /* the one behind it is quick, too, and may begin at once */
    SFI_IN_TURN = 2,                         /* in one that has used nothing but `take` and `hand` */
    SFI_MAY_PUT = 4,                         /* ... and not `hand` yet */
    SFI_CROSSES = 8,                         /* what it puts goes over a bridge */
    SFI_ON_STREAM = 16,                      /* instead of SFI_IN_TURN: it has used its stream besides: handed[0] */
    SFI_SPREADS = 32                         /* as SFI_CARRIES, to several */
} sfi_quick;

/* What few operators have, or need. All others share one that says so, and that nobody writes to: sfi_more_of(). */
typedef struct sfi_more {
    sf_compute_func initialize, start, stop;
    sf_stream_pool *streams;
    sfi_condition *conditions;
    int64_t wake, began, last_run;           /* of its last run: the begin, and the end */
    uint32_t timer;                          /* 1 + place in the heap of timers */
    int32_t number;                          /* sf_op_desc.region */
    uint32_t leader, next_member, member;    /* operators: the first one of its region; the next one; its place */
    uint32_t first_control, first_control_in;        /* the edges on which it hands on its turn, and gets it */
    uint32_t control_edges, turns;           /* that bring it turns; that they brought */
    uint32_t retries, stamp;
    struct sfi_region *region;
    sfi_histogram *cpu, *device;
    sfi_stamp *stamps;
    sf_stream *blocker;                      /* whose work it waits for */
    sf_mem_pool *waits_pool;                 /* whose block */
} sfi_more;

/* A compute puts it in two registers, which are stored one by one. Loaded as one it would have to wait until both are
   in the cache. */
typedef union sfi_held { sf_value value; uint64_t half[2]; } sfi_held;
/* In the order in which messages touch it: where it goes from hand to hand, two cache lines are enough. */
typedef struct sfi_op {
    sf_context pub;                          /* first: the handle of a hook is a pointer to it */
    struct sfi_turn *turn;                   /* while one of its hooks runs */
    sf_compute_func compute;
    const sf_value *take;                    /* quick: what came on input 0, as long as it has not been received */
    sfi_held hand;                           /* quick: what it emits on output 0 */
    sfi_edge *in, *out;                      /* quick: the first edge on either side */
    uint32_t unmet;                          /* conditions, and groups of them, that do not hold; it can run if ... */
    uint8_t state;                           /* sf_op_state */
    uint8_t quick, begins;                   /* sfi_quick: of this turn; with which it begins, 0: it is not quick */
    bool ends;                               /* quick: after a compute it may be over */
    uint32_t due;                            /* ... no more than these: of a region, its turn and what it brings */
    bool along;                              /* quick: in a chain that a worker has taken: nobody else's for now */
    uint8_t turns;                           /* log2: how often, then, if it is a source */
    uint8_t level;                           /* which list of ready operators */
    uint8_t home;                            /* its worker */
    struct sfi_op *next;                     /* in that list */
    struct sfi_worker *desk;                 /* where it is at home */
    sfi_edge *come;                          /* quick, with several edges in: the next one to receive from */
    uint64_t locks;                          /* a bit per worker: its own and those of its neighbours */
    uint64_t limit;                          /* COUNT; 0: none */
    sfi_more *more;
    sfi_input *inputs;
    sfi_output *outputs;
    uint8_t sample;                          /* computes until the next one that is timed */
    bool follows;                            /* with several workers: another one carries to it */
    uint8_t way;                             /* sfi_way */
    uint8_t input_count, output_count, condition_count;
    bool ending, heavy;                      /* heavy: the last compute that was timed took long */
    bool extras, extras_met, memory_wait, gpu_wait, adopt, uses_gpu;
    bool started;
    bool hopeless;                           /* the messages that it needs will never come ... */
    bool given_up;                           /* ... and some are left in front of it; or it works for such only */
    bool error_counted;                      /* the failure has been told */
    bool skipped;                            /* of a region: it, or who comes before, is done: no turn this time */
    uint8_t on_error;                        /* sf_on_error */
    sfi_atomic32 asked_to_stop;              /* sf_op_stop() */
    int32_t priority;
    uint32_t group;                          /* sf_op_desc.workers */
    uint32_t attempts, memory_source;
    uint32_t mark, link;                     /* for walks over the graph: 1 + the next one; the next one. At work: in
                                                its worker's list of those that are to end */
    uint64_t errors;
    sf_stream *own;
    sfi_named_stream *named;
} sfi_op;

typedef struct sfi_staged { sfi_message message; uint32_t output; } sfi_staged;

/* What lives for one call of a hook: one per thread that runs operators. */
typedef struct sfi_turn {
    sf_flow *flow;
    sfi_op *op;
    sf_hook hook;
    sf_result error;                         /* of the first call that failed */
    sf_stream *stream;                       /* that the first of the stream calls decided on */
    bool hidden, routed, used_memory, time_set;
    bool tensors;                            /* were received */
    bool unusual;                            /* something happened that the short way's end does not clear up */
    sf_stream *handed[SFI_HANDED];           /* all that the operator was given */
    uint64_t recorded[SFI_HANDED];           /* number of this compute's record there, or 0 */
    uint32_t misuses[SFI_HANDED];            /* failed calls there before it began */
    uint32_t handed_count, staged_count, staged_room;
    uint32_t unheard;                        /* emitted where no edge is */
    uint32_t direct;                         /* outputs with values in their queues that have not arrived yet */
    sfi_tensor *created;
    sfi_staged *staged;
    sfi_entry *entries;
    uint32_t entry_count;
    int64_t time, begin, end;                /* end: of a compute whose commit comes later; else -1 */
    sf_result returned;                      /* by that compute */
    uint32_t row;                            /* in a trace: which worker's */
    sfi_label labels[SFI_LABELS];
    uint32_t label_count;
    sfi_stamp *stamp;
} sfi_turn;

/* Operators that run as one: what their computes enqueue goes to the device as one graph. */
enum { SFI_REGION_GRAPHS = 8 };
typedef struct sfi_kept { char *steps; uint32_t used, room; sf_graph_exec *exec; uint64_t turn; } sfi_kept;
typedef struct sfi_region {
    uint32_t *members, count;                /* operators, producers before consumers; the first one leads */
    sfi_turn *turns;                         /* of each; the leader's is the worker's */
    sf_stream *stream, *scribe;              /* where its graphs run, and where they are captured */
    sf_graph_node **last;                    /* of each member, while they are */
    sf_dependency *after;
    uint32_t *marks;
    sfi_script script;                       /* of this turn */
    sfi_kept kept[SFI_REGION_GRAPHS];        /* what was captured, and for which script */
    uint64_t turn, recorded;                 /* recorded: number of this turn's record, or 0 */
    uint32_t failed;                         /* a member, by place, that ended the turn; or SFI_NONE */
    bool waits;                              /* the leader can run, somebody else cannot */
} sfi_region;

/* Who rings from outside: an external input, a condition, a memory pool. */
typedef enum sfi_source_kind { SFI_SOURCE_INPUT, SFI_SOURCE_CONDITION, SFI_SOURCE_MEMORY } sfi_source_kind;
typedef struct sfi_source { sfi_atomic32 rung; uint32_t op : 20, index : 8, kind : 2; } sfi_source;

/* A host function that is on its way behind a stream's work, to wake the flow: one at a time per stream. */
typedef struct sfi_alarm { struct sfi_worker *worker; sf_stream *stream; sfi_atomic32 busy; } sfi_alarm;

typedef struct sfi_level {
    sfi_op *first, *last;
    sfi_op *ahead;                           /* the last one that a commit has put to the front; ... */
    uint64_t commit;                         /* ... and which one: see sfi_worker.commit */
} sfi_level;
/* The begin of a path, as a tree; one that ends there has latencies. In a circle it ends where it comes by again. */
typedef struct sfi_prefix { uint32_t parent, op, next, path; bool circle; } sfi_prefix;      /* 1 + index; 0: none */
typedef struct sfi_path {
    sfi_histogram latency;
    int64_t *held;                           /* the last ones, as long as they may be the last of all */
    uint64_t held_count;
    uint32_t skipped, prefix;
} sfi_path;
typedef enum sfi_trace_kind {
    SFI_TRACE_COMPUTE, SFI_TRACE_GPU, SFI_TRACE_EMIT, SFI_TRACE_RECEIVE, SFI_TRACE_DROP
} sfi_trace_kind;
typedef struct sfi_trace {
    int64_t time, duration;
    uint64_t number;                         /* of a message on its edge */
    uint32_t op, edge, row;                  /* row: worker, or stream */
    uint32_t depth;                          /* of the queue, after this */
    uint8_t kind;
} sfi_trace;

typedef enum sfi_flow_state { SFI_FLOW_BUILDING, SFI_FLOW_READY, SFI_FLOW_RUNNING, SFI_FLOW_ENDED } sfi_flow_state;

/* A thread that runs operators, and its desk: each operator has its home at one, where it waits until it can run. A
   desk's lock guards what other threads may touch of the operators at home there: queues, counts of conditions,
   timers. A queue between two desks is changed with both locks held, and what may spread to any operator, an end,
   with all of them. With one worker nobody is to be locked out, and no lock is taken. */
typedef struct sfi_worker {
    sf_flow *flow;                           /* these stay as they are: who has nothing to do looks at them */
    uint32_t index, group;
    char before[SFI_LINE];
    sfi_atomic32 lock;
    sfi_turn turn;
    sfi_level *levels;
    uint64_t level_mask;                     /* a bit per list that is not empty */
    uint32_t *timers, timer_count, *gpu_waiters, gpu_waiter_count;
    uint32_t homes, first_group, end_group;  /* operators; flags of their bells */
    uint32_t ending;                         /* list of operators that are to end */
    uint32_t watched_count;                  /* sides of bridges that cannot go on, but nobody rings for them */
    sfi_edge *watched[SFI_WATCHED];
    uint32_t polled_count;                   /* external inputs that it looks at: all, or none */
    sfi_edge *polled[SFI_POLLED];
    uint32_t steps;
    uint32_t run_on;                         /* how many more operators it may take on the short way */
    uint64_t urgent;                         /* of level_mask: who would have to run before them */
    int64_t time;                            /* of the message that goes from hand to hand */
    uint32_t job_number, jobs_out, job_patience;     /* patience: short sleeps before a finish() that may block */
    uint64_t commit;                         /* number of the one under way, or of the last one */
    uint32_t fans;                           /* within each other: a message goes to several one after the other */
    bool rouse;                              /* something is ready here that was not */
    sfi_atomic32 recalled;                   /* who is at work here, maybe in a chain it has taken, is waited for */
    char between[SFI_LINE];                  /* a cache line for what others look at, or write */
    sfi_atomic32 bells;                      /* whose numbers are being turned into flags */
    sfi_atomic32 attention, sleeping;
    sfi_atomic32 lends;                      /* is in a long compute: others of its group run what is here */
    char behind[SFI_LINE];
    int64_t spun_since;
    bool rests, early;                       /* has nothing to do; sleeps only to find out whether that is the end */
    sfi_alarm alarms[SFI_ALARMS];
#ifndef SF_NO_THREADS
    bool threaded;
    sfi_thread thread;
    sfi_parker parker;
#endif
    char end[SFI_LINE];
} sfi_worker;

/* A compute on its way through a task system of the user's. */
typedef struct sfi_job {
    sfi_turn turn;
    sfi_worker *worker;
    void *handle;
    uint32_t number;
    sf_result result;
    sfi_atomic32 begun, done;
    bool busy;
} sfi_job;

struct sf_flow {
    sfi_slot slot;
    sf_heap heap;
    sf_logger logger;
    char name[SFI_NAME], scope[2 * SFI_NAME];
    uint8_t scopes[SFI_SCOPES], scope_depth; /* where each name in `scope` begins */
    sfi_mutex lock;                          /* failure, wrapped tensors, and who waits for the end */
    sfi_failure failure;
    bool sealed, refused;                    /* the failure decides how the run ends; is of a call that was refused */
    char *problems;                          /* what was wrong while building: sentences, one a line */
    uint32_t problem_count, problem_bytes, problem_room;
    uint32_t built_count, built_bytes;       /* of these, from the calls that built it; the rest is found anew */
    bool checking;
    /* as asked for */
    sf_backend backend;
    sf_device *device;
    bool owns_device, owns_streams, gxf_or, simulated, latency, device_time, fixed;
    sf_stream_pool *streams, *given_streams;
    int64_t (*clock)(void *user);
    void *clock_user;
    int64_t deadlock_timeout, max_duration, threshold;
    sf_workers crew[SF_DESC_WORKERS];        /* texts copied */
    void *(*enqueue)(void (*task)(void *arg), void *arg, void *user);
    void (*finish)(void *task, void *user);
    void *jobs_user;
    uint32_t skip_first, discard_last, limit_ops, limit_edges, limit_messages, limit_streams;
    size_t limit_payload, limit_bytes;       /* limit_bytes: what sf_flow_memory() says */
    sf_metadata_policy metadata;
    uint32_t entries_max, trace_room;
    void (*hook)(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user);
    void *hook_user;
    /* what was built */
    sfi_op **ops;
    sfi_edge **edges;
    uint32_t op_count, op_room, edge_count, edge_room, message_count, generation, region_count;
    uint32_t staged;                         /* the most messages that a compute emits */
    sfi_pile op_pile, edge_pile, pile;       /* the last one: names, ports, conditions */
    sfi_supply no_supply;
    sfi_more plain;
    sfi_edge_more plain_edge;
    const char *names[SFI_NAMES];            /* of ports, the last ones that differ: ports share them */
    uint32_t name_count;
    /* what some operator or edge has; else a start need not look for it */
    bool initializes, hooks, has_regions;    /* an initialize; any hook; a region */
    bool has_priorities, has_supplies;       /* a priority; an output with memory */
    bool has_pools, adopts;                  /* a stream pool; one that works on the stream it receives */
    bool has_bytes;                          /* a port that is not for values only, or may become so */
    bool backward, primes;                   /* an edge to an operator added before; with something on it at start */
    /* what a start lays out: all of it in `block` */
    void *block;
    size_t block_bytes, payload_bytes;
    sfi_worker only, *workers;               /* one needs no array */
    uint32_t worker_count;
    sfi_bridge *bridges;
    bool short_way;                          /* some operator is plain */
    sfi_job *jobs;
    sfi_region *regions;
    int32_t *priorities;
    uint32_t level_count;
    sfi_source *sources;
    sfi_atomic32 *groups;
    uint32_t source_count;
    sfi_atomic32 tracking, choosing;         /* locks: paths and trace; streams made late, streams to be drained */
    sfi_prefix *prefixes;
    sfi_path *paths;
    uint32_t path_count, prefix_count, prefix_room, *prefix_heads;
    uint64_t paths_lost;
    uint32_t lost_parent, lost_op;           /* the first one */
    sfi_trace *trace;
    uint64_t trace_count;
    sf_event *epoch;                         /* GPU times are since this event, which was at ... */
    int64_t epoch_time;                      /* ... this one of the flow's clock */
    sf_tensor nothing;                       /* stand-in after an error */
    int64_t nothing_shape[1];
    /* the run */
    sfi_atomic32 state;                      /* sfi_flow_state: whoever sees it sees what led to it */
    sfi_atomic32 stop, paused;
    sf_result result, life;                  /* of this run; the first error ever */
    sf_stream *foreign[SFI_HANDED];          /* streams of the user's that were emitted: drained at the end, too */
    uint32_t foreign_count;
    uint32_t region_left, region_left_count; /* an edge of a region that ended, and what it held for who needs it */
    bool any_closed;
    int64_t now, started_at, ends_at, idle_since;                 /* now: simulated */
    uint64_t runs;
    sfi_atomic64 dropped;
    uint32_t alive;                          /* operators that the outside may still wake, and ... */
    uint32_t fed_alive;                      /* ... those of them that need messages, too */
    bool any_ended;
    sfi_tensor *wrapped, *limbo;             /* free headers; released, but the GPU is not done */
    sfi_atomic32 wrapped_out;
    bool background, stepping, zombie;
    sf_flow *next_zombie;
    char apart[SFI_LINE];
    sfi_atomic32 visitors;                   /* from outside, who are at work on what was laid out; and SFI_SHUT */
    uint32_t inlet_count;                    /* read by each push */
    sfi_inlet **inlets;                      /* by key */
    char apart_too[SFI_LINE];
#ifndef SF_NO_THREADS
    sfi_mutex park;                          /* who sleeps; taken last of all locks, and held across nothing */
    uint32_t parked;
    sfi_atomic32 resting;                    /* workers that have nothing to do, asleep or not */
    sfi_atomic32 activity, settled;          /* how often one had something again; what that was when it was no end */
    bool deciding;                           /* the last one awake looks at all desks: the others stay */
    sfi_atomic32 over;                       /* the run: the workers leave */
    sfi_thread thread;
    bool threaded;
    sfi_cond ended, decided;
#endif
};

#define SFI_SHUT ((uint32_t)1 << 31)

/* Counters that another thread may look at while the flow runs. */
#ifndef SF_NO_THREADS
    #define SFI_SET(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)
    #define SFI_GET(field)        __atomic_load_n(&(field), __ATOMIC_RELAXED)
    #define SFI_SET_BEHIND(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)
    #define SFI_GET_BEFORE(field)        __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#else
    #define SFI_SET(field, value) ((void)((field) = (value)))
    #define SFI_GET(field)        (field)
    #define SFI_SET_BEHIND(field, value) SFI_SET(field, value)
    #define SFI_GET_BEFORE(field)        SFI_GET(field)
#endif
#define SFI_BUMP(field) SFI_SET(field, (field) + 1)

static sfi_edge *sfi_edge_at(const sf_flow *f, uint32_t index) { return index == SFI_NONE ? NULL : f->edges[index]; }
static sfi_edge *sfi_front(sfi_edge *e) { return e->bridge ? &e->bridge->front : e; }        /* the producer's side */
static uint32_t sfi_edge_count(const sfi_edge *e)            /* as anybody may ask */
{
    uint32_t taken;
    if (!e->bridge) { return SFI_GET_BEFORE(e->count); }     /* what is free may be written to, without the desk */
    taken = sfi_load(e->bridge->taken);      /* first: never more than was sent */
    return (uint32_t)SFI_GET(e->bridge->front.messages) - taken;
}
static sfi_place *sfi_place_at(const sfi_edge *e, uint32_t n)                /* of the n-th in the queue */
{
    uint32_t i = (uint32_t)(e->head - e->ring) + n;
    return &e->ring[i < e->room ? i : i - e->room];
}
static sfi_message *sfi_message_at(const sfi_edge *e, uint32_t n) { return &sfi_place_at(e, n)->message; }
static size_t sfi_place_of(const sfi_edge *e, const sfi_message *m)          /* in the ring */
{
    return (size_t)((const sfi_place *)(const void *)m - e->ring);
}
static sfi_place *sfi_place_after(const sfi_edge *e, sfi_place *place)       /* the next one */
{
    return ++place == e->end ? e->ring : place;
}

static int64_t sfi_flow_now(const sf_flow *f)
{
    return f->simulated ? SFI_GET(f->now) : f->clock ? f->clock(f->clock_user) : sfi_clock();
}

/* -- failures, with names -- */

/* Whether the policy of the operator that computes takes an error; if so, what comes of it. */
static const char *sfi_forgiven(const sfi_op *op)
{
    if (!op || !op->turn || op->turn->hook != SF_HOOK_BEGIN) { return NULL; }
    switch (op->on_error) {
    case SF_ON_ERROR_STOP_OPERATOR: return "; the operator stops, the flow goes on";
    case SF_ON_ERROR_IGNORE: return "; ignored";
    case SF_ON_ERROR_RETRY: return op->attempts < op->more->retries ? "; tried again" : NULL;
    default: return NULL;
    }
}
static void sfi_keep_failure(sf_flow *f, const sfi_op *op, sf_result result, const char *call, const char *text,
                             bool decides)
{
    sfi_failure *failure = &f->failure;
    sfi_lock(&f->lock);
    if (!failure->now.count++ || (!f->sealed && (decides || (!op && f->refused)))) {
        f->refused = !op && !decides;
        failure->now.result = result;
        failure->now.call = call;
        sfi_keep_name(failure->where, sizeof failure->where, op ? op->pub.name : f->name);
        sfi_keep_name(failure->text, sizeof failure->text, text);
    }
    f->sealed = f->sealed || decides;
    sfi_unlock(&f->lock);
    sfi_log(&f->logger, 1, (int32_t)result, text);
}
/* The first failure that decides how the run ends is kept; before there is one, the first that was forgiven. */
static sf_result sfi_flow_fail(sf_flow *f, const sfi_op *op, sf_result result, const char *call, const char *format,
                               ...)
{
    char text[SFI_TEXT];
    sfi_text t = sfi_text_in(text, sizeof text);
    const char *forgiven = sfi_forgiven(op);
    va_list args;
    sfi_put(&t, call, sfi_length(call));
    if (op) {
        sfi_put(&t, ": operator \"", 12);
        sfi_put(&t, op->pub.name, sfi_length(op->pub.name));
        sfi_put(&t, "\"", 1);
    }
    sfi_put(&t, ": ", 2);
    va_start(args, format);
    sfi_put_v(&t, format, args);
    va_end(args);
    if (forgiven) { sfi_put(&t, forgiven, sfi_length(forgiven)); }
    sfi_keep_failure(f, op, result, call, text, !forgiven);
    return result;
}

static void sfi_forget_failure(sf_flow *f)                   /* but not what was wrong while it was built */
{
    if (f->built_count) { return; }
    sfi_lock(&f->lock);
    sfi_failure_clear(&f->failure);
    f->sealed = false;
    sfi_unlock(&f->lock);
}

/* A mistake in building: as above, and kept for sf_flow_check() and the start. */
static sf_result sfi_flow_problem(sf_flow *f, sf_result result, const char *call, const char *where,
                                  const char *format, ...)
{
    char text[SFI_TEXT + 1];
    sfi_text t = sfi_text_in(text, SFI_TEXT);
    size_t n;
    va_list args;
    sfi_put(&t, call, sfi_length(call));
    sfi_put(&t, ": ", 2);
    va_start(args, format);
    sfi_put_v(&t, format, args);
    va_end(args);
    if (!f->problem_count++) {
        f->sealed = true;
        f->failure.now.result = result;
        f->failure.now.call = call;
        sfi_keep_name(f->failure.where, sizeof f->failure.where, where);
        sfi_keep_name(f->failure.text, sizeof f->failure.text, text);
    }
    f->failure.now.count++;
    sfi_log(&f->logger, 1, (int32_t)result, text);
    for (n = 0; text[n]; n++) {              /* a line is a problem, whatever the names are */
        if (text[n] == '\n') { text[n] = ' '; }
    }
    text[n++] = '\n';
    text[n] = 0;
    if (!f->fixed &&
        sfi_grow(&f->heap, (void **)&f->problems, &f->problem_room, f->problem_bytes + (uint32_t)n + 1, 1)) {
        sfi_copy(f->problems + f->problem_bytes, text, n + 1);
        f->problem_bytes += (uint32_t)n;
    }
    if (!f->checking) {
        f->built_count = f->problem_count;
        f->built_bytes = f->problem_bytes;
    }
    return result;
}

/* >>build --------------------------------------------------------------------------------------------- */

static bool sfi_is_flow(const sf_flow *f) { return f && f->slot.tag == SFI_TAG_FLOW; }
static bool sfi_building(sf_flow *f)
{
    return sfi_is_flow(f) && sfi_load(&f->state) != SFI_FLOW_RUNNING;
}
/* Who comes from outside and touches what a start lays out says so in a word that outlives it: how many are in there,
   and whether it is shut. Whoever ends a run or lays out anew shuts it, then waits until all are out. One word, so
   that of one who comes and one who shuts, one sees the other; and those who come later turn back before they count,
   so that a crowd of them holds up nobody. An interrupt is out again before the code that it interrupted goes on. */
static bool sfi_come_in(sf_flow *f)
{
    if (sfi_load(&f->visitors) & SFI_SHUT) { return false; }
    SFI_STEP("come in");
    if (!(sfi_add(&f->visitors, 1) & SFI_SHUT)) { return true; }
    (void)sfi_add(&f->visitors, (uint32_t)-1);
    return false;
}
static void sfi_go_out(sf_flow *f) { (void)sfi_add(&f->visitors, (uint32_t)-1); }        /* touches it no more */
static void sfi_shut(sf_flow *f)
{
    uint32_t tries = 0;
    if (!(sfi_load(&f->visitors) & SFI_SHUT)) { (void)sfi_add(&f->visitors, SFI_SHUT); }
    while (sfi_load(&f->visitors) != SFI_SHUT) {             /* one of them may be less urgent than this thread */
        if (++tries < 64) { sfi_yield(); } else { sfi_sleep(20000); }
    }
}
static void sfi_open(sf_flow *f)
{
    if (sfi_load(&f->visitors) & SFI_SHUT) { (void)sfi_add(&f->visitors, SFI_SHUT); }    /* the bit wraps */
}
static void sfi_build_on(sf_flow *f)                         /* what was laid out is no longer right */
{
    if (sfi_load(&f->state) == SFI_FLOW_BUILDING) { return; }        /* it is shut */
    sfi_shut(f);
    sfi_store(&f->state, SFI_FLOW_BUILDING);
}
static sfi_op *sfi_op_at(const sf_flow *f, sf_op op)         /* NULL: not one of this flow's */
{
    uint32_t slot = op.id & 0xfffff;
    return slot && slot <= f->op_count && op.id >> 20 == f->generation ? f->ops[slot - 1] : NULL;
}
static uint32_t sfi_op_index(const sfi_op *op) { return (op->pub.op.id & 0xfffff) - 1; }

static void sfi_flow_take_desc(sf_flow *f, const sf_flow_desc *d)
{
    f->logger = d->logger;
    f->backend = d->backend;
    f->device = d->device;
    f->given_streams = d->streams;
    f->gxf_or = d->gxf_or;
    f->simulated = d->clock.simulated;
    f->clock = d->clock.now;
    f->clock_user = d->clock.user;
    f->deadlock_timeout = d->deadlock_timeout;
    f->max_duration = d->max_duration;
    f->latency = d->track.latency;
    f->device_time = d->track.device_time;
    f->skip_first = d->track.skip_first;
    f->discard_last = d->track.discard_last;
    f->threshold = d->track.threshold;
    f->metadata = d->metadata;
    f->entries_max = d->metadata_entries;
    f->trace_room = d->trace_events;
    f->hook = d->hook.func;
    f->hook_user = d->hook.user;
    f->limit_ops = d->limits.ops;
    f->limit_edges = d->limits.edges;
    f->limit_messages = d->limits.messages;
    f->limit_payload = d->limits.payload_bytes;
    f->limit_streams = d->limits.streams ? d->limits.streams : d->limits.payload_bytes ? d->limits.ops : 0;
    f->enqueue = d->jobs.enqueue;
    f->finish = d->jobs.finish;
    f->jobs_user = d->jobs.user;
}

/* The workers of all groups, in an array; the first one is whoever runs the flow. */
static sf_result sfi_make_workers(sf_flow *f, const sf_flow_desc *d)
{
    uint32_t count = 0, i, k, n;
    f->worker_count = 1;
    f->workers = &f->only;
    for (i = 0; d && i < SF_DESC_WORKERS; i++) {
        f->crew[i] = d->workers[i];
        f->crew[i].name = f->crew[i].name ? sfi_copy_string(&f->heap, d->workers[i].name) : NULL;
        f->crew[i].cpus = f->crew[i].cpus ? sfi_copy_string(&f->heap, d->workers[i].cpus) : NULL;
        if (!f->crew[i].name != !d->workers[i].name || !f->crew[i].cpus != !d->workers[i].cpus) {
            return sfi_out_of_memory(&f->heap);
        }
        if (f->crew[i].count < 0) { f->crew[i].count = 0; }
        count += (uint32_t)f->crew[i].count + (i == 0 && !f->crew[i].count);
        if (count > SFI_WORKERS) { return SF_ERROR_INVALID_VALUE; }
    }
    if (count > 1) {
        sfi_worker *workers = (sfi_worker *)sfi_alloc_zeroed(&f->heap, count * sizeof *workers);
        if (!workers) { return sfi_out_of_memory(&f->heap); }
        f->workers = workers;
        f->worker_count = count;
    }
    for (i = 0, n = 0; i < SF_DESC_WORKERS && n < f->worker_count; i++) {
        count = (uint32_t)f->crew[i].count + (i == 0 && !f->crew[i].count);
        for (k = 0; k < count; k++, n++) {
            f->workers[n].flow = f;
            f->workers[n].index = n;
            f->workers[n].group = i;
#ifndef SF_NO_THREADS
            sfi_parker_init(&f->workers[n].parker);
#endif
        }
    }
    return SF_OK;
}

/* Operators and edges lie one after the other, as they were made. Several workers go along different chains: what a
   processor fetches ahead at the end of one must not be what another one writes to, so each chain begins apart. */
enum { SFI_APART = 8 * SFI_LINE };
static size_t sfi_piece_bytes(size_t count, size_t bytes, bool several)      /* of so many, at most */
{
    return count * (SFI_ALIGN(bytes, SFI_LINE) + (several ? SFI_APART : 0)) + SFI_LINE;
}
static void *sfi_piece_new(sf_flow *f, sfi_pile *pile, size_t bytes, bool first)     /* first: of a chain */
{
    size_t apart = first && f->worker_count > 1 ? SFI_APART : 0;
    char *p = (char *)sfi_pile_take(&f->heap, pile, apart + bytes, SFI_LINE);
    return p ? p + apart : NULL;
}

/* With names of usual length, and eight ports per operator; each may be an output with a pool of its own. */
SF_API size_t sf_flow_memory(const sf_flow_desc *desc)
{
    size_t n = 512 + SFI_ALIGN(sizeof(sfi_range_heap), 16) + sizeof(sf_flow);
    size_t ports = SF_DESC_PORTS * (sizeof(sfi_input) + sizeof(sfi_output) + sizeof(sfi_supply)) / 2;
    size_t per_op = sizeof(sfi_more) + ports + 192, edges;
    size_t streams, workers = 0;
    int i;
    if (!desc || !desc->limits.ops) { return 0; }
    edges = desc->limits.edges + desc->limits.ops;
    streams = desc->limits.streams ? desc->limits.streams : desc->limits.payload_bytes ? desc->limits.ops : 0;
    n += desc->limits.ops * (per_op + SF_DESC_CONDITIONS * sizeof(sfi_condition) + 4 * sizeof(sfi_source));
    n += edges * (sizeof(sfi_edge_more) + 64);
    n += edges * (SFI_ALIGN(sizeof(sfi_inlet), SFI_LINE) + 4 * SFI_LINE + sizeof(sfi_inlet *));
    n += desc->limits.messages * (sizeof(sfi_place) + sizeof(int64_t) + 16 +
                                  desc->metadata_entries * sizeof(sfi_entry));
    n += 2 * (desc->limits.ops + desc->limits.messages) *
         (sizeof(sfi_staged) + desc->metadata_entries * sizeof(sfi_entry));
    if (desc->track.latency || desc->track.device_time) { n += desc->limits.ops * 2 * (sizeof(sfi_histogram) + 256); }
    if (desc->track.latency) {
        n += SFI_PATHS * (sizeof(sfi_path) + desc->track.discard_last * sizeof(int64_t) + 16);
        n += ((SFI_LABELS + 1) * (size_t)desc->limits.ops + desc->limits.edges + 64) *
             (sizeof(sfi_prefix) + sizeof(uint32_t)) + 32;
        n += (desc->limits.messages + desc->limits.ops) * SFI_LABELS * sizeof(sfi_label) + 16 * desc->limits.edges;
    }
    n += desc->trace_events * sizeof(sfi_trace);
    if (desc->jobs.enqueue) {                /* each has a turn of its own, for what any operator may emit */
        n += SFI_JOBS * (sizeof(sfi_job) + 32 + desc->metadata_entries * sizeof(sfi_entry) +
                         (desc->limits.messages + 2 * SF_DESC_PORTS) * sizeof(sfi_staged));
    }
    for (i = 0; i < SF_DESC_WORKERS; i++) {
        if (desc->workers[i].count > 0) { workers += (size_t)desc->workers[i].count; }
    }
    n += sfi_piece_bytes(desc->limits.ops, sizeof(sfi_op), workers > 1) + desc->limits.ops * sizeof(sfi_op *);
    n += sfi_piece_bytes(edges, sizeof(sfi_edge), workers > 1) + edges * sizeof(sfi_edge *);
    if (workers > 1) {                       /* each has lists and a turn of its own */
        n += (workers + 1) * (sizeof(sfi_worker) + SFI_LEVELS * sizeof(sfi_level) + 256);
        n += desc->limits.edges * sizeof(sfi_bridge) + edges * SFI_APART;
        n += 2 * workers * (desc->limits.ops + desc->limits.messages) *
             (sizeof(sfi_staged) + desc->metadata_entries * sizeof(sfi_entry));
        n += desc->limits.messages *
             (sizeof(sfi_place) + sizeof(int64_t) + desc->metadata_entries * sizeof(sfi_entry));
    }
    if (!desc->device && desc->limits.payload_bytes + streams) {
        size_t ring = SFI_STREAM_DEPTH_FIXED * (SFI_COMMAND + 32) + 4 * sizeof(void *);
        n += (streams + 2) * (sizeof(sf_stream) + ring + 64);
        n += (streams + 2) * (sizeof(sfi_order_ring) + 16);
        n += (streams + 2) * SFI_RING_FIXED * (sizeof(sf_event) + sizeof(sf_event *) + 32);
    }
    if (!desc->device && desc->limits.payload_bytes + streams) {
        n += sizeof(sf_device) + sizeof(sfi_host) + 2 * (sizeof(sf_stream) + sizeof(sf_stream_pool)) + 512;
    }
    if (desc->limits.payload_bytes) {
        size_t pools = (size_t)desc->limits.ops * SF_DESC_PORTS, blocks = desc->limits.messages + 2 * pools;
        n += desc->limits.payload_bytes;
        n += blocks * (sizeof(sfi_tensor) + 8 * sizeof(sfi_point) + 8 * sizeof(sfi_cell) + SFI_HOST_ALIGN);
        n += pools * (sizeof(sf_mem_pool) + sizeof(sfi_supply) + sizeof(sfi_allocation) + SFI_HOST_ALIGN + 192);
        if (desc->track.device_time) { n += (streams + 1) * 2 * SFI_STAMPS * (sizeof(sf_event) + 32); }
    }
    return SFI_ALIGN(n, 16);
}

static bool sfi_flow_reserve(sf_flow *f)                     /* memory handed in: all operators and edges at once */
{
    bool several = f->worker_count > 1;
    if (!f->fixed) { return true; }
    f->op_room = f->limit_ops;
    f->edge_room = f->limit_edges + f->limit_ops;            /* an external input is an edge, too */
    f->ops = (sfi_op **)sfi_alloc(&f->heap, f->op_room * sizeof *f->ops);
    f->edges = (sfi_edge **)sfi_alloc(&f->heap, f->edge_room * sizeof *f->edges);
    return f->ops && f->edges &&
           sfi_pile_reserve(&f->heap, &f->op_pile, sfi_piece_bytes(f->op_room, sizeof(sfi_op), several)) &&
           sfi_pile_reserve(&f->heap, &f->edge_pile, sfi_piece_bytes(f->edge_room, sizeof(sfi_edge), several));
}

/* There is no flow to ask: the log says why. */
static sf_flow *sfi_flow_not_made(const sf_flow_desc *desc, sf_result r)
{
    char text[SFI_TEXT];
    if (!desc) { return NULL; }
    if (desc->memory.ptr) {
        size_t need = sf_flow_memory(desc);
        sfi_format(text, sizeof text, need ? "sf_flow_create: sf_flow_desc.memory has %Z bytes, .limits need up to %Z"
                                           : "sf_flow_create: sf_flow_desc.memory has %Z bytes, .limits are not set",
                   desc->memory.bytes, need);
    } else {
        sfi_format(text, sizeof text, "sf_flow_create: %s",
                   r == SF_ERROR_INVALID_VALUE ? "sf_flow_desc.heap needs both functions" : sf_result_string(r));
    }
    sfi_log(&desc->logger, 1, (int32_t)r, text);
    return NULL;
}
SF_API sf_flow *sf_flow_create(const sf_flow_desc *desc)
{
    sf_flow *f;
    sf_heap heap, none;
    sf_range no_range;
    sf_result crew, r;
#ifndef SF_NO_THREADS
    uint32_t i;
#endif
    sfi_zero(&none, sizeof none);
    sfi_zero(&no_range, sizeof no_range);
    if (sfi_this_thread.in_host_func) { return NULL; }
    r = sfi_heap_init(&heap, desc ? &desc->heap : &none, desc ? desc->memory : no_range);
    f = r >= 0 ? (sf_flow *)sfi_alloc_zeroed(&heap, sizeof *f) : NULL;
    if (!f) { return sfi_flow_not_made(desc, r < 0 ? r : sfi_out_of_memory(&heap)); }
    f->heap = heap;
    f->slot.tag = SFI_TAG_FLOW;
    sfi_store(&f->visitors, SFI_SHUT);
    f->generation = (uint32_t)(((uintptr_t)f >> 4 ^ (uintptr_t)f >> 16) & 0xfff);
    if (!f->generation) { f->generation = 1; }
    f->fixed = sfi_heap_is_range(&heap);
    sfi_failure_clear(&f->failure);
    sfi_mutex_init(&f->lock);
#ifndef SF_NO_THREADS
    sfi_mutex_init(&f->park);
    sfi_cond_init(&f->ended);
    sfi_cond_init(&f->decided);
#endif
    crew = sfi_make_workers(f, desc);
    if (desc) { sfi_flow_take_desc(f, desc); }
    f->limit_bytes = f->fixed ? sf_flow_memory(desc) : 0;
    sfi_keep_name(f->name, sizeof f->name, desc && desc->name ? desc->name : "flow");
    f->plain.leader = f->plain.next_member = f->plain.first_control = f->plain.first_control_in = SFI_NONE;
    f->nothing.ndim = 1;
    f->nothing.dtype = SF_U8;
    f->nothing.device_type = 1;
    f->nothing.shape = f->nothing_shape;
    f->nothing.strides = f->nothing_shape;
    if (f->device) {
        if (sfi_check_device_in(f->device, NULL) < 0) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_create", f->name,
                                   "sf_flow_desc.device is not an open device, or has a fault");
            f->device = NULL;
        } else {
            (void)sfi_add(&f->device->flows, 1);
        }
    }
    if (crew == SF_ERROR_INVALID_VALUE) {
        (void)sfi_flow_problem(f, crew, "sf_flow_create", f->name, "sf_flow_desc.workers: %d threads at most",
                               (int)SFI_WORKERS);
    }
#ifndef SF_NO_THREADS
    for (i = 0; i < SF_DESC_WORKERS; i++) {
        uint64_t bits[SFI_CORES / 64];
        if (!f->crew[i].cpus || sfi_parse_cores(f->crew[i].cpus, bits)) { continue; }
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_create", f->name,
                               "sf_flow_desc.workers[%d].cpus is \"%s\": write cores as \"0-3,8\"", (int)i,
                               f->crew[i].cpus);
    }
#else
    if (f->worker_count > 1) {
        (void)sfi_flow_problem(f, SF_ERROR_NOT_SUPPORTED, "sf_flow_create", f->name,
                               "sf_flow_desc.workers: this build has no threads (SF_NO_THREADS)");
    }
#endif
    if (f->enqueue && (!f->finish || f->worker_count > 1)) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_create", f->name,
                               f->finish ? "sf_flow_desc.jobs runs the computes: .workers cannot do so as well"
                                         : "sf_flow_desc.jobs needs .finish, too");
    }
    if (f->fixed && !f->limit_ops) {
        (void)sfi_flow_problem(
            f, SF_ERROR_INVALID_VALUE, "sf_flow_create", f->name,
            "with sf_flow_desc.memory the limits are needed: set .limits.ops, .edges and .messages");
    } else if ((crew < 0 && crew != SF_ERROR_INVALID_VALUE) || !sfi_flow_reserve(f)) {
        (void)sfi_flow_problem(f, sfi_out_of_memory(&f->heap), "sf_flow_create", f->name,
                               f->fixed ? "sf_flow_desc.memory has %Z bytes, these limits need up to %Z"
                                        : "no memory",
                               desc->memory.bytes, f->limit_bytes);
        f->op_room = f->edge_room = 0;
    }
    return f;
}

/* -- names and ports -- */

static const char *sfi_flow_name(sf_flow *f, const char *name, size_t n)
{
    char full[3 * SFI_NAME];
    if (!f->scope[0]) { return sfi_pile_text(&f->heap, &f->pile, name, n); }
    sfi_format(full, sizeof full, "%s/%s", f->scope, name);
    return sfi_pile_text(&f->heap, &f->pile, full, sfi_length(full));
}
static const char *sfi_port_name(sf_flow *f, const char *name)
{
    uint32_t i, n = f->name_count < SFI_NAMES ? f->name_count : (uint32_t)SFI_NAMES;
    const char *copy;
    for (i = 0; i < n; i++) {
        if (sfi_same(f->names[i], name)) { return f->names[i]; }
    }
    copy = sfi_pile_text(&f->heap, &f->pile, name, sfi_length(name));
    if (copy) { f->names[f->name_count++ % SFI_NAMES] = copy; }
    return copy;
}
SF_API void sf_scope(sf_flow *f, const char *name)
{
    size_t n;
    if (!sfi_building(f)) { return; }
    n = sfi_length(f->scope);
    if (!name) {
        if (f->scope_depth && f->scope_depth-- <= SFI_SCOPES) { f->scope[f->scopes[f->scope_depth]] = 0; }
    } else if (f->scope_depth < UINT8_MAX && f->scope_depth++ < SFI_SCOPES) {
        f->scopes[f->scope_depth - 1] = (uint8_t)n;
        sfi_format(f->scope + n, sizeof f->scope - n, n ? "/%s" : "%s", name);
    }
}

static void *sfi_piled(sf_flow *f, size_t bytes)
{
    return sfi_pile_take(&f->heap, &f->pile, bytes, sizeof(int64_t));
}
static void *sfi_piled_zeroed(sf_flow *f, size_t bytes)
{
    void *p = sfi_piled(f, bytes);
    if (p) { sfi_zero(p, bytes); }
    return p;
}
static bool sfi_copy_input(sf_flow *f, sfi_input *in, const sf_port *port)
{
    sfi_zero(in, sizeof *in);
    in->name = sfi_port_name(f, port->name);
    in->bytes = port->bytes;
    f->has_bytes = f->has_bytes || port->bytes;
    in->batch = port->batch ? port->batch : 1;
    in->capacity = port->capacity ? port->capacity : in->batch;
    in->optional = port->optional;
    in->many = port->many;
    in->external = port->external;
    in->first = in->last = SFI_NONE;
    return in->name != NULL;
}
static sfi_more *sfi_more_of(sf_flow *f, sfi_op *op)         /* its own, to be written to; NULL: no memory */
{
    sfi_more *more = op->more == &f->plain ? (sfi_more *)sfi_piled(f, sizeof *more) : op->more;
    if (more && op->more == &f->plain) { *more = f->plain; }
    if (more) { op->more = more; }
    return more;
}
static bool sfi_copy_output(sf_flow *f, sfi_op *op, sfi_output *out, const sf_port *port)
{
    sfi_zero(out, sizeof *out);
    out->name = sfi_port_name(f, port->name);
    out->supply = &f->no_supply;
    out->memory = port->memory;
    out->first = out->last = SFI_NONE;
    if (!port->bytes && !port->data && !port->pool && !op->more->initialize) { return out->name != NULL; }
    f->has_supplies = f->has_bytes = true;
    out->supply = (sfi_supply *)sfi_piled_zeroed(f, sizeof *out->supply);
    if (!out->supply || !sfi_more_of(f, op)) { return false; }
    out->supply->bytes = port->bytes;
    out->supply->data = port->data;
    out->supply->given = port->pool;
    return out->name != NULL;
}
static uint8_t sfi_count_ports(const sf_port *ports)
{
    uint8_t n = 0;
    while (n < SF_DESC_PORTS && ports[n].name) { n++; }
    return n;
}
#define SFI_USED_UP "sf_flow_desc.memory is used up: .limits need up to %Z bytes; if it has those, raise them"
static int sfi_no_memory(sf_flow *f, const char *call)
{
    (void)sfi_flow_problem(f, sfi_out_of_memory(&f->heap), call, f->name, f->fixed ? SFI_USED_UP : "no memory",
                           f->limit_bytes);
    return -1;
}
static int sfi_no_op(sf_flow *f, const char *call)
{
    if (!f->fixed || f->op_count < f->op_room) { return sfi_no_memory(f, call); }
    (void)sfi_flow_problem(f, SF_ERROR_NO_ROOM, call, f->name, "limits.ops is %u, this is one more",
                           (unsigned)f->limit_ops);
    return -1;
}
static int sfi_no_edge(sf_flow *f, const char *call)
{
    if (!f->fixed || f->edge_count < f->edge_room) { return sfi_no_memory(f, call); }
    (void)sfi_flow_problem(f, SF_ERROR_NO_ROOM, call, f->name,
                           "limits.edges is %u: external inputs count, too, but for one per operator",
                           (unsigned)f->limit_edges);
    return -1;
}

/* An edge that outside threads fill stands beside the others, from nobody. */
static uint32_t sfi_edge_new(sf_flow *f, bool first)
{
    sfi_edge *e;
    if (f->edge_count == f->edge_room &&
        (f->fixed || !sfi_grow(&f->heap, (void **)&f->edges, &f->edge_room, f->edge_count + 1, sizeof *f->edges))) {
        return SFI_NONE;
    }
    e = (sfi_edge *)sfi_piece_new(f, &f->edge_pile, sizeof *e, first);
    if (!e) { return SFI_NONE; }
    f->edges[f->edge_count] = e;
    sfi_zero(e, sizeof *e);
    e->from = e->to = e->next_output = e->next_input = SFI_NONE;
    e->more = &f->plain_edge;
    e->index = f->edge_count;
    return f->edge_count++;
}
static void sfi_edge_into(sf_flow *f, uint32_t index, uint32_t op, uint16_t port)
{
    sfi_edge *e = f->edges[index];
    sfi_input *in = &f->ops[op]->inputs[port];
    e->to = op;
    e->input = (uint8_t)port;
    if (in->last == SFI_NONE) { in->first = index; } else { f->edges[in->last]->next_input = index; }
    in->last = index;
    in->edges++;
}
static void sfi_edge_from(sf_flow *f, uint32_t index, uint32_t op, uint16_t port)
{
    sfi_edge *e = f->edges[index];
    sfi_output *out = &f->ops[op]->outputs[port];
    e->from = op;
    e->output = (uint8_t)port;
    if (out->last == SFI_NONE) { out->first = index; } else { f->edges[out->last]->next_output = index; }
    out->last = index;
    out->edges++;
}

/* -- operators -- */

/* Ports have room for a power of two of them. */
static bool sfi_ports_grow(sf_flow *f, void **ports, uint32_t count, uint32_t more, size_t size)
{
    void *bigger;
    if (!more || (count && count + more <= sfi_power_of_two(count))) { return true; }
    bigger = sfi_piled(f, sfi_power_of_two(count + more) * size);
    if (bigger && count) { sfi_copy(bigger, *ports, count * size); }
    if (bigger) { *ports = bigger; }
    return bigger != NULL;
}
static bool sfi_add_more(sf_flow *f, sfi_op *op, const sf_op_desc *d)
{
    sfi_more *more;
    if (!d->initialize && !d->start && !d->stop && !d->streams && !d->region && !d->retries && !d->when[0].kind &&
        !d->period && !f->latency && !f->device_time) {
        return true;
    }
    more = sfi_more_of(f, op);
    if (!more) { return false; }
    more->initialize = d->initialize;
    more->start = d->start;
    more->stop = d->stop;
    more->streams = d->streams;
    more->number = d->region;
    more->retries = d->retries;
    f->initializes = f->initializes || d->initialize;
    f->hooks = f->hooks || d->initialize || d->start || d->stop;
    f->has_regions = f->has_regions || d->region;
    f->has_pools = f->has_pools || d->streams;
    f->has_bytes = f->has_bytes || d->initialize;            /* it may say so */
    return true;
}
static bool sfi_add_conditions(sf_flow *f, sfi_op *op, const sf_op_desc *d)
{
    uint8_t n = 0, i;
    while (n < SF_DESC_CONDITIONS && d->when[n].kind) { n++; }
    op->condition_count = (uint8_t)(n + (d->period != 0));
    if (!op->condition_count) { return true; }
    op->more->conditions =
        (sfi_condition *)sfi_piled_zeroed(f, op->condition_count * sizeof *op->more->conditions);
    if (!op->more->conditions) { return false; }
    for (i = 0; i < n; i++) { op->more->conditions[i].is = d->when[i]; }
    if (d->period) {
        op->more->conditions[n].is.kind = SF_CONDITION_PERIOD;
        op->more->conditions[n].is.ns = d->period;
    }
    return true;
}
static bool sfi_add_ports(sf_flow *f, sfi_op *op, const sf_op_desc *d)
{
    uint8_t i, ins = sfi_count_ports(d->in), outs = sfi_count_ports(d->out);
    uint32_t room_in = ins ? sfi_power_of_two(ins) : 0, room_out = outs ? sfi_power_of_two(outs) : 0;
    op->input_count = ins;
    op->output_count = outs;
    op->inputs = (sfi_input *)sfi_piled(f, room_in * sizeof *op->inputs + room_out * sizeof *op->outputs);
    if (!op->inputs) { return false; }
    op->outputs = (sfi_output *)(void *)(op->inputs + room_in);
    for (i = 0; i < op->input_count; i++) {
        if (!sfi_copy_input(f, &op->inputs[i], &d->in[i])) { return false; }
    }
    for (i = 0; i < op->output_count; i++) {
        if (!sfi_copy_output(f, op, &op->outputs[i], &d->out[i])) { return false; }
    }
    return true;
}
static bool sfi_add_external(sf_flow *f, uint32_t op, uint16_t port)
{
    uint32_t e;
    if (!f->ops[op]->inputs[port].external) { return true; }
    e = sfi_edge_new(f, true);
    if (e == SFI_NONE) { return false; }
    f->primes = true;
    sfi_edge_into(f, e, op, port);
    return true;
}

/* An entry behind the one that ends its list would be left out without a word. */
static const char *sfi_behind_the_end(const sf_op_desc *d)
{
    int i;
    for (i = 1; i < SF_DESC_PORTS; i++) {
        if (d->in[i].name && !d->in[i - 1].name) { return "in"; }
        if (d->out[i].name && !d->out[i - 1].name) { return "out"; }
    }
    for (i = 1; i < SF_DESC_CONDITIONS; i++) {
        if (d->when[i].kind && !d->when[i - 1].kind) { return "when"; }
    }
    return NULL;
}
SF_API sf_op sf_add(sf_flow *f, const sf_op_desc *desc)
{
    const char *list;
    sf_op id;
    sfi_op *op;
    char number[16];
    sfi_text t = sfi_text_in(number, sizeof number);
    uint16_t i;
    id.id = 0;
    if (!sfi_building(f)) { return id; }
    if (!desc || !desc->compute) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_add", desc ? desc->name : NULL,
                               "operator \"%s\" has no compute function: set sf_op_desc.compute",
                               desc && desc->name ? desc->name : "");
        return id;
    }
    list = sfi_behind_the_end(desc);
    if (list) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_add", desc->name,
                               "operator \"%s\": in sf_op_desc.%s something comes after an empty entry, which ends "
                               "the list: move it up", desc->name ? desc->name : "", list);
    }
    if (f->op_count >= 0xffffe ||
        (f->op_count == f->op_room &&
         (f->fixed || !sfi_grow(&f->heap, (void **)&f->ops, &f->op_room, f->op_count + 1, sizeof *f->ops)))) {
        return sfi_no_op(f, "sf_add"), id;
    }
    op = (sfi_op *)sfi_piece_new(f, &f->op_pile, sizeof *op, !desc->in[0].name);
    if (!op) { return sfi_no_memory(f, "sf_add"), id; }
    f->ops[f->op_count] = op;
    sfi_zero(op, sizeof *op);
    if (!desc->name) {
        sfi_put(&t, "op", 2);
        sfi_put_number(&t, f->op_count, false);
    }
    op->pub.name = desc->name ? sfi_flow_name(f, desc->name, sfi_length(desc->name))
                              : sfi_flow_name(f, number, (size_t)(t.at - number));
    op->pub.flow = f;
    op->pub.user = desc->user;
    op->compute = desc->compute;
    op->more = &f->plain;
    op->adopt = desc->adopt_stream;
    op->on_error = (uint8_t)desc->on_error;
    op->priority = desc->priority;
    op->group = (uint32_t)desc->workers;
    op->limit = desc->count;
    op->state = SF_OP_NEW;
    op->pub.op.id = f->generation << 20 | (f->op_count + 1);
    if (!op->pub.name || !sfi_add_more(f, op, desc) || !sfi_add_ports(f, op, desc) ||
        !sfi_add_conditions(f, op, desc)) {
        return sfi_no_memory(f, "sf_add"), id;
    }
    f->op_count++;
    f->has_priorities = f->has_priorities || op->priority;
    f->adopts = f->adopts || op->adopt;
    sfi_build_on(f);
    for (i = 0; i < op->input_count; i++) {
        if (!sfi_add_external(f, f->op_count - 1, i)) { return sfi_no_edge(f, "sf_add"), id; }
    }
    return f->ops[f->op_count - 1]->pub.op;
}

static sfi_op *sfi_op_to_extend(sf_flow *f, sf_op id, const sf_port *port, bool input, const char *call)
{
    sfi_op *op;
    if (!sfi_building(f)) { return NULL; }
    op = sfi_op_at(f, id);
    if (!op) {
        (void)sfi_flow_problem(f, SF_ERROR_UNKNOWN_OPERATOR, call, NULL, "the operator is not one of this flow's");
        return NULL;
    }
    if (!port || !port->name || (input ? op->input_count : op->output_count) >= SF_MAX_PORTS) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, call, op->pub.name,
                               "operator \"%s\": a port needs a name, and there are at most %d on each side",
                               op->pub.name, (int)SF_MAX_PORTS);
        return NULL;
    }
    sfi_build_on(f);
    return op;
}
SF_API int sf_add_input(sf_flow *f, sf_op id, const sf_port *port)
{
    sfi_op *op = sfi_op_to_extend(f, id, port, true, "sf_add_input");
    uint8_t n;
    if (!op) { return -1; }
    n = op->input_count;
    if (!sfi_ports_grow(f, (void **)&op->inputs, n, 1, sizeof *op->inputs) ||
        !sfi_copy_input(f, &op->inputs[n], port)) {
        return sfi_no_memory(f, "sf_add_input");
    }
    op->input_count++;
    return sfi_add_external(f, sfi_op_index(op), n) ? n : sfi_no_edge(f, "sf_add_input");
}
SF_API int sf_add_output(sf_flow *f, sf_op id, const sf_port *port)
{
    sfi_op *op = sfi_op_to_extend(f, id, port, false, "sf_add_output");
    uint8_t n;
    if (!op) { return -1; }
    n = op->output_count;
    if (!sfi_ports_grow(f, (void **)&op->outputs, n, 1, sizeof *op->outputs) ||
        !sfi_copy_output(f, op, &op->outputs[n], port)) {
        return sfi_no_memory(f, "sf_add_output");
    }
    return op->output_count++;
}

/* -- edges -- */

static int sfi_find_input(const sfi_op *op, const char *name)                /* -1: none. NULL names the only one */
{
    int i;
    if (!name) { return op->input_count == 1 ? 0 : -1; }
    for (i = 0; i < op->input_count && !sfi_same(op->inputs[i].name, name); i++) {}
    return i < op->input_count ? i : -1;
}
static int sfi_find_output(const sfi_op *op, const char *name)
{
    int i;
    if (!name) { return op->output_count == 1 ? 0 : -1; }
    for (i = 0; i < op->output_count && !sfi_same(op->outputs[i].name, name); i++) {}
    return i < op->output_count ? i : -1;
}

static sf_result sfi_connect_refused(sf_flow *f, const sfi_op *from, int output, const sfi_op *to, int input)
{
    const char *in = to->inputs[input].name, *out = from->outputs[output].name;
    const sfi_edge *e;
    uint32_t i;
    for (i = to->inputs[input].first; i != SFI_NONE; i = e->next_input) {
        e = f->edges[i];
        if (e->from == sfi_op_index(from) && e->output == output) {
            return sfi_flow_problem(f, SF_ERROR_CONNECTED_TWICE, "sf_connect", to->pub.name,
                                    "\"%s\".%s is connected to \"%s\".%s already: remove one of the two calls",
                                    from->pub.name, out, to->pub.name, in);
        }
    }
    if (to->inputs[input].external) {
        return sfi_flow_problem(f, SF_ERROR_CONNECTED_TWICE, "sf_connect", to->pub.name,
                                "input \"%s\".%s is external, sf_push() feeds it: it takes no edge", to->pub.name,
                                in);
    }
    if (to->inputs[input].edges && !to->inputs[input].many) {
        return sfi_flow_problem(f, SF_ERROR_CONNECTED_TWICE, "sf_connect", to->pub.name,
                                "input \"%s\".%s has an edge already: set sf_port.many to allow more", to->pub.name,
                                in);
    }
    return SF_OK;
}

static sf_result sfi_connect_control(sf_flow *f, sfi_op *from, sfi_op *to, const sf_edge_desc *d)
{
    uint32_t a = sfi_op_index(from), b = sfi_op_index(to), index, i;
    for (i = from->more->first_control; i != SFI_NONE; i = f->edges[i]->next_output) {
        if (f->edges[i]->to == b) {
            return sfi_flow_problem(f, SF_ERROR_CONNECTED_TWICE, "sf_connect", to->pub.name,
                                    "\"%s\" hands its turn to \"%s\" already", from->pub.name, to->pub.name);
        }
    }
    index = sfi_more_of(f, from) && sfi_more_of(f, to) ? sfi_edge_new(f, false) : SFI_NONE;
    if (index == SFI_NONE) { return sfi_no_edge(f, "sf_connect"), sfi_out_of_memory(&f->heap); }
    f->backward = f->backward || a >= b;
    f->primes = f->primes || d->delay;
    f->edges[index]->control = true;
    f->edges[index]->from = a;
    f->edges[index]->to = b;
    f->edges[index]->delay = d->delay;
    f->edges[index]->next_output = from->more->first_control;
    f->edges[index]->next_input = to->more->first_control_in;
    from->more->first_control = index;
    to->more->first_control_in = index;
    to->more->control_edges++;
    return SF_OK;
}

static void sfi_put_f(sfi_text *t, const char *format, ...);
static sf_result sfi_no_port(sf_flow *f, const sfi_op *op, bool output, const char *name)
{
    char names[SFI_TEXT / 2];
    sfi_text t = sfi_text_in(names, sizeof names);
    int i, n = output ? op->output_count : op->input_count;
    for (i = 0; i < n; i++) {
        sfi_put_f(&t, "%s\"%s\"", i ? ", " : "", output ? op->outputs[i].name : op->inputs[i].name);
    }
    return sfi_flow_problem(f, SF_ERROR_UNKNOWN_PORT, "sf_connect", op->pub.name,
                            name ? "operator \"%s\" has no %s \"%s\": there is %s"
                                 : "operator \"%s\" has not exactly one %s: name it%s: there is %s",
                            op->pub.name, output ? "output" : "input", name ? name : "", n ? names : "none");
}
SF_API sf_result sf_connect(sf_flow *f, sf_op from, const char *output, sf_op to, const char *input,
                            const sf_edge_desc *desc)
{
    sfi_op *a, *b;
    sfi_edge *e;
    int out, in;
    uint32_t index;
    sf_result r;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (!sfi_building(f)) { return SF_ERROR_ILLEGAL_STATE; }
    a = sfi_op_at(f, from);
    b = sfi_op_at(f, to);
    if (!a || !b) {
        return sfi_flow_problem(f, SF_ERROR_UNKNOWN_OPERATOR, "sf_connect", a ? a->pub.name : b ? b->pub.name : NULL,
                                "the %s operator (of %s -> %s) is %s", a ? "second" : "first",
                                output ? output : "its only output", input ? input : "its only input",
                                (a ? to.id : from.id) ? "not one of this flow's: use what sf_add() returned"
                                                      : "zero: its sf_add() failed, or is missing");
    }
    sfi_build_on(f);
    if (desc && desc->control) { return sfi_connect_control(f, a, b, desc); }
    out = sfi_find_output(a, output);
    in = sfi_find_input(b, input);
    if (out < 0) { return sfi_no_port(f, a, true, output); }
    if (in < 0) { return sfi_no_port(f, b, false, input); }
    r = sfi_connect_refused(f, a, out, b, in);
    if (r < 0) { return r; }
    if (desc && (uint32_t)desc->overflow > SF_OVERFLOW_ERROR) {
        return sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_connect", b->pub.name,
                                "\"%s\".%s: there is no such overflow policy", b->pub.name, b->inputs[in].name);
    }
    index = sfi_edge_new(f, !a->input_count);
    if (index == SFI_NONE) { return sfi_no_edge(f, "sf_connect"), sfi_out_of_memory(&f->heap); }
    e = f->edges[index];
    if (desc) {
        e->overflow = (uint8_t)desc->overflow;
        e->limit = desc->capacity;           /* 0: the port's, settled when it is laid out */
        e->delay = desc->delay;
        f->primes = f->primes || e->delay;
    }
    f->backward = f->backward || a >= b;
    sfi_edge_from(f, index, sfi_op_index(a), (uint16_t)out);
    sfi_edge_into(f, index, sfi_op_index(b), (uint16_t)in);
    return SF_OK;
}

/* >>check --------------------------------------------------------------------------------------------- */

static bool sfi_has_memory(const sfi_output *out)
{
    return out->supply->bytes || out->supply->given || out->supply->data;
}
static uint32_t sfi_edge_limit(const sf_flow *f, const sfi_edge *e)
{
    uint32_t n = e->limit ? e->limit : f->ops[e->to]->inputs[e->input].capacity;
    return n < e->delay ? e->delay : n;
}

static void sfi_check_name(sf_flow *f, const sfi_op *op, const char *side, const char *name, const char *other)
{
    if (!sfi_same(name, other)) { return; }
    (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                           "operator \"%s\" has two %s of the name \"%s\": give each one of its own", op->pub.name,
                           side, name);
}
static void sfi_check_names(sf_flow *f, const sfi_op *op)    /* one that is there twice could not be connected */
{
    int p, q;
    for (p = 1; p < op->input_count; p++) {
        for (q = 0; q < p; q++) { sfi_check_name(f, op, "inputs", op->inputs[p].name, op->inputs[q].name); }
    }
    for (p = 1; p < op->output_count; p++) {
        for (q = 0; q < p; q++) { sfi_check_name(f, op, "outputs", op->outputs[p].name, op->outputs[q].name); }
    }
}
static void sfi_check_input(sf_flow *f, const sfi_op *op, const sfi_input *in, bool final)
{
    const sfi_edge *e;
    uint32_t i;
    if (!in->edges && !in->optional) {
        (void)sfi_flow_problem(f, SF_ERROR_NOT_CONNECTED, "sf_flow_check", op->pub.name,
                               "input \"%s\".%s has no edge: connect it, or set sf_port.optional (or .external)",
                               op->pub.name, in->name);
    }
    for (i = in->first; i != SFI_NONE; i = e->next_input) {
        const sfi_op *from;
        size_t out;
        e = f->edges[i];
        if (sfi_edge_limit(f, e) < in->batch) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                                   "input \"%s\".%s wants a batch of %d, its edge holds %d: raise the capacity",
                                   op->pub.name, in->name, (int)in->batch, (int)sfi_edge_limit(f, e));
        }
        if (e->from == SFI_NONE) { continue; }
        from = f->ops[e->from];
        out = from->outputs[e->output].supply->bytes;
        if (out && in->bytes && out != in->bytes && (final || (!from->more->initialize && !op->more->initialize))) {
            (void)sfi_flow_problem(
                f, SF_ERROR_MISMATCH, "sf_flow_check", op->pub.name,
                "\"%s\".%s sends %Z bytes, \"%s\".%s expects %Z: make sf_port.bytes equal, or 0 at the "
                "input",
                from->pub.name, from->outputs[e->output].name, out, op->pub.name, in->name, in->bytes);
        }
    }
}
static void sfi_check_output(sf_flow *f, const sfi_op *op, const sfi_output *out, bool final)
{
    if (out->supply->given && out->supply->given->slot.tag != SFI_TAG_MEM_POOL) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_check", op->pub.name,
                               "output \"%s\".%s: sf_port.pool is not a memory pool", op->pub.name, out->name);
    } else if (out->supply->given && out->supply->given->desc.kind == SF_MEM_POOL_BLOCKS &&
               out->supply->given->desc.block_bytes < out->supply->bytes) {
        (void)sfi_flow_problem(f, SF_ERROR_MISMATCH, "sf_flow_check", op->pub.name,
                               "output \"%s\".%s needs %Z bytes, the blocks of its pool have %Z", op->pub.name,
                               out->name, out->supply->bytes, out->supply->given->desc.block_bytes);
    }
    if (out->supply->data && !out->supply->bytes && (final || !op->more->initialize)) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                               "output \"%s\".%s has a buffer of its own: say how large it is in sf_port.bytes",
                               op->pub.name, out->name);
    }
    if (out->memory > SF_MEMORY_HOST) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                               "output \"%s\".%s: there is no such kind of memory", op->pub.name, out->name);
    }
}

/* What a condition can see at most: a sum over its ports. */
static uint32_t sfi_condition_ports(const sfi_condition *c, uint32_t count)
{
    uint32_t all = count >= 32 ? UINT32_MAX : ((uint32_t)1 << count) - 1;
    return c->is.ports ? c->is.ports & all : all;
}
static uint64_t sfi_most_messages(const sf_flow *f, const sfi_op *op, uint32_t ports)
{
    uint64_t most = 0;
    uint32_t i, e;
    for (i = 0; i < op->input_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            most += sfi_edge_limit(f, f->edges[e]);
        }
    }
    return most;
}
static bool sfi_room_possible(const sf_flow *f, const sfi_op *op, uint32_t ports, uint32_t count)
{
    uint32_t i, e;
    for (i = 0; i < op->output_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->outputs[i].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            const sfi_edge *edge = f->edges[e];
            if (edge->overflow == SF_OVERFLOW_BLOCK && sfi_edge_limit(f, edge) < count) { return false; }
        }
    }
    return true;
}
static bool sfi_memory_possible(const sfi_op *op, uint32_t ports, uint32_t count)    /* in pools of the user's */
{
    uint32_t i;
    for (i = 0; i < op->output_count; i++) {
        const sfi_supply *supply = op->outputs[i].supply;
        if (!(ports >> i & 1)) { continue; }
        if (supply->data && count > 1) { return false; }
        if (!supply->given || supply->given->slot.tag != SFI_TAG_MEM_POOL) { continue; }
        if (supply->given->desc.kind == SF_MEM_POOL_BLOCKS && count > supply->given->desc.blocks) { return false; }
    }
    return true;
}
static bool sfi_has_clock(const sf_flow *f)
{
#ifdef SFI_BARE
    return f->clock || f->simulated;
#else
    return (void)f, true;
#endif
}
static bool sfi_is_timed(const sfi_condition *c)
{
    sf_condition_kind kind = c->is.kind;
    return c->is.ns > 0 && (kind == SF_CONDITION_PERIOD || kind == SF_CONDITION_TIME ||
                            kind == SF_CONDITION_MESSAGES || kind == SF_CONDITION_EXPIRING);
}
static void sfi_check_condition(sf_flow *f, const sfi_op *op, const sfi_condition *c, int index)
{
    const char *wrong = NULL;
    bool outputs = c->is.kind == SF_CONDITION_ROOM || c->is.kind == SF_CONDITION_MEMORY;
    uint32_t count = outputs ? op->output_count : op->input_count;
    uint32_t ports = sfi_condition_ports(c, count);
    if (c->is.ports & ~sfi_condition_ports(c, count)) { wrong = "it names a port that is not there"; }
    switch (c->is.kind) {
    case SF_CONDITION_COUNT: wrong = c->is.count ? NULL : "a count of 0 would never run"; break;
    case SF_CONDITION_PERIOD:
        if (c->is.ns <= 0) { wrong = "set .ns to the period in nanoseconds"; }
        if (c->is.catch_up > SF_CATCH_UP_SKIP_MISSED) { wrong = "there is no such .catch_up"; }
        break;
    case SF_CONDITION_TIME: break;
    case SF_CONDITION_SIGNAL: wrong = c->is.initial <= SF_NEVER ? NULL : "there is no such initial state"; break;
    case SF_CONDITION_MESSAGES:
    case SF_CONDITION_EXPIRING:
        if (c->is.count > sfi_most_messages(f, op, ports)) {
            wrong = "its queues can never hold so many: raise capacities, or lower .count";
        }
        if (c->is.kind == SF_CONDITION_EXPIRING && (c->is.ns <= 0 || !c->is.count)) { wrong = "set .count and .ns"; }
        break;
    case SF_CONDITION_ROOM:
        if (!sfi_room_possible(f, op, ports, c->is.count)) {
            wrong = "there can never be so much room: raise capacities";
        }
        break;
    case SF_CONDITION_USER: wrong = c->is.custom.check ? NULL : "set .custom.check"; break;
    case SF_CONDITION_MEMORY:
        if (!sfi_memory_possible(op, ports, c->is.count)) { wrong = "its pool has not so many blocks: lower .count"; }
        break;
    case SF_CONDITION_STREAM: break;
    default: wrong = "there is no such kind";
    }
    if (!wrong && sfi_is_timed(c) && !sfi_has_clock(f)) { wrong = "no time passes: set sf_flow_desc.clock.now"; }
    if (wrong) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                               "operator \"%s\", condition %d (sf_op_desc.when) cannot hold: %s", op->pub.name, index,
                               wrong);
    }
}

/* Whether an edge can keep its consumer from ever beginning. */
static bool sfi_edge_binds(const sf_flow *f, const sfi_edge *e)
{
    return !e->control && e->from != SFI_NONE && !e->delay && !f->ops[e->to]->inputs[e->input].optional;
}
static uint32_t sfi_before(const sf_flow *f, uint32_t at)    /* whom it waits for, who cannot begin either */
{
    const sfi_op *op = f->ops[at];
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            if (sfi_edge_binds(f, f->edges[e]) && f->ops[f->edges[e]->from]->unmet) { return f->edges[e]->from; }
        }
    }
    for (e = op->more->first_control_in; e != SFI_NONE; e = f->edges[e]->next_input) {
        if (f->ops[f->edges[e]->from]->unmet) { return f->edges[e]->from; }
    }
    return at;
}
static uint32_t sfi_check_report_circle(sf_flow *f, uint32_t at)     /* returns one of it */
{
    char names[SFI_TEXT / 2];
    sfi_text t = sfi_text_in(names, sizeof names);
    uint32_t mark = at, steps = 0, lap = 1, i;
    while ((at = sfi_before(f, at)) != mark) {               /* go back until somebody comes up again */
        if (++steps == lap) {
            mark = at;
            lap *= 2;
            steps = 0;
        }
    }
    sfi_put(&t, f->ops[at]->pub.name, sfi_length(f->ops[at]->pub.name));
    for (i = sfi_before(f, at); i != at; i = sfi_before(f, i)) {
        sfi_put(&t, ", ", 2);
        sfi_put(&t, f->ops[i]->pub.name, sfi_length(f->ops[i]->pub.name));
    }
    (void)sfi_flow_problem(f, SF_ERROR_DEADLOCK, "sf_flow_check", f->ops[at]->pub.name,
                           "these operators wait for each other in a circle: %s; one of the edges between them needs "
                           "sf_edge_desc.delay = 1 or more",
                           names);
    return at;
}
/* Takes away, one by one, the operators that can begin; what is left waits for itself: a circle is reported, and one
   of it taken away, until nobody is left. */
static void sfi_check_circles(sf_flow *f)
{
    uint32_t i, first = SFI_NONE, last = SFI_NONE, e, o;
    if (!f->backward) { return; }            /* each comes after those that it waits for */
    for (i = 0; i < f->op_count; i++) {
        f->ops[i]->unmet = f->ops[i]->more->control_edges ? 1 : 0;
        f->ops[i]->mark = 0;
    }
    for (i = 0; i < f->edge_count; i++) {
        if (sfi_edge_binds(f, f->edges[i])) { f->ops[f->edges[i]->to]->unmet++; }
        if (f->edges[i]->control && f->edges[i]->delay) { f->ops[f->edges[i]->to]->mark = 1; }  /* has a turn */
    }
    for (i = 0; i < f->op_count; i++) {
        if (f->ops[i]->mark) { f->ops[i]->unmet--; }
        f->ops[i]->link = SFI_NONE;
        if (!f->ops[i]->unmet) {
            if (last == SFI_NONE) { first = i; } else { f->ops[last]->link = i; }
            last = i;
        }
    }
    for (i = 0;; first = f->ops[first]->link) {
        const sfi_op *op;
        while (first == SFI_NONE && i < f->op_count && !f->ops[i]->unmet) { i++; }
        if (first == SFI_NONE && i == f->op_count) { break; }
        if (first == SFI_NONE) {
            first = last = sfi_check_report_circle(f, i);
            f->ops[first]->unmet = 0;
        }
        op = f->ops[first];
        for (o = 0; o <= op->output_count; o++) {            /* its outputs' edges, then its control edges */
            bool control = o == op->output_count;
            e = control ? op->more->first_control : op->outputs[o].first;
            for (; e != SFI_NONE; e = f->edges[e]->next_output) {
                sfi_op *to = f->ops[f->edges[e]->to];
                bool counts = control ? !to->mark : sfi_edge_binds(f, f->edges[e]);
                if (control) { to->mark = 1; }               /* either of several gives the turn */
                if (counts && to->unmet && --to->unmet == 0) {
                    f->ops[last]->link = f->edges[e]->to;
                    last = f->edges[e]->to;
                    to->link = SFI_NONE;
                }
            }
        }
    }
    for (i = 0; i < f->op_count; i++) { f->ops[i]->mark = 0; }
}

/* -- regions -- */

static void sfi_find_regions(sf_flow *f)
{
    uint32_t leaders[256], i, k, *link;      /* lists, by the last bits of the number */
    f->region_count = 0;
    if (!f->has_regions) { return; }
    for (i = 0; i < 256; i++) { leaders[i] = SFI_NONE; }
    for (i = 0; i < f->op_count; i++) {      /* `link`: the next leader, then the last member */
        sfi_op *op = f->ops[i];
        op->mark = 0;
        if (!op->more->number) { continue; }
        op->more->leader = op->more->next_member = SFI_NONE;
        k = leaders[op->more->number & 255];
        while (k != SFI_NONE && f->ops[k]->more->number != op->more->number) { k = f->ops[k]->link; }
        op->more->leader = k == SFI_NONE ? i : k;
        if (k != SFI_NONE) { continue; }
        op->link = leaders[op->more->number & 255];
        leaders[op->more->number & 255] = i;
        f->region_count++;
    }
    for (i = 0; f->region_count && i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        if (op->more->leader == SFI_NONE) { continue; }
        link = &f->ops[op->more->leader]->link;
        if (op->more->leader != i) { f->ops[*link]->more->next_member = i; }
        *link = i;
    }
}
static bool sfi_is_inner(const sf_flow *f, const sfi_edge *e)        /* from one member of a region to another */
{
    return !e->control && e->from != SFI_NONE && f->ops[e->from]->more->leader != SFI_NONE &&
           f->ops[e->from]->more->leader == f->ops[e->to]->more->leader;
}
static sf_result sfi_region_problem(sf_flow *f, const sfi_op *op, const char *wrong, const char *remedy)
{
    return sfi_flow_problem(f, SF_ERROR_NOT_SUPPORTED, "sf_flow_check", op->pub.name,
                            "operator \"%s\" is in region %d: %s: %s", op->pub.name, (int)op->more->number, wrong,
                            remedy);
}
static void sfi_check_member(sf_flow *f, const sfi_op *op)
{
    const sfi_op *leader = f->ops[op->more->leader];
    if (f->enqueue) { (void)sfi_region_problem(f, op, "it runs on one thread", "take sf_flow_desc.jobs away"); }
    if (f->fixed) { (void)sfi_region_problem(f, op, "graphs need a heap", "take sf_flow_desc.memory away"); }
    if (op->adopt) { (void)sfi_region_problem(f, op, "it has one stream", "take .adopt_stream away"); }
    if (op->more->streams != leader->more->streams) {
        (void)sfi_region_problem(f, op, "it has one stream", "make .streams the same for all of its operators");
    }
    if (op->group != leader->group) {
        (void)sfi_region_problem(f, op, "it runs on one thread", "make .workers the same for all of its operators");
    }
    if (op->on_error != SF_ON_ERROR_STOP_FLOW) {
        (void)sfi_region_problem(f, op, "it launches all or nothing", "make .on_error SF_ON_ERROR_STOP_FLOW");
    }
    if (op->more->control_edges || op->more->first_control != SFI_NONE) {
        (void)sfi_region_problem(f, op, "its operators run together", "take the control edge away");
    }
}
static void sfi_check_inner_edge(sf_flow *f, const sfi_edge *e)
{
    const sfi_op *op = f->ops[e->to];
    const sfi_input *in = &op->inputs[e->input];
    const char *wrong = e->delay                               ? "an edge within it has a delay"
                        : e->overflow != SF_OVERFLOW_BLOCK     ? "an edge within it may drop messages"
                        : in->batch > 1 || in->many            ? "an edge within it brings one message on each turn"
                                                               : NULL;
    if (wrong) {
        (void)sfi_region_problem(f, op, wrong, e->delay ? "take .delay away, or the operator out of the region"
                                                        : "make .overflow BLOCK, .batch 1, .many false");
    }
}
static void sfi_check_member_condition(sf_flow *f, const sfi_op *op, const sfi_condition *c)
{
    sf_condition_kind kind = c->is.kind;
    bool inputs = kind == SF_CONDITION_MESSAGES || kind == SF_CONDITION_EXPIRING || kind == SF_CONDITION_STREAM;
    uint32_t e, ports = sfi_condition_ports(c, inputs ? op->input_count : op->output_count);
    bool inner = false;
    int p;
    for (p = 0; inputs && p < op->input_count; p++) {
        e = ports >> p & 1 ? op->inputs[p].first : (uint32_t)SFI_NONE;
        for (; e != SFI_NONE; e = f->edges[e]->next_input) {
            inner = inner || sfi_is_inner(f, f->edges[e]);
        }
    }
    for (p = 0; kind == SF_CONDITION_ROOM && p < op->output_count; p++) {
        e = ports >> p & 1 ? op->outputs[p].first : (uint32_t)SFI_NONE;
        for (; e != SFI_NONE; e = f->edges[e]->next_output) {
            inner = inner || sfi_is_inner(f, f->edges[e]);
        }
    }
    if (inner) {
        (void)sfi_region_problem(f, op, "a condition of its own looks at an edge within it",
                                 "name the other ports in sf_condition.ports");
    }
}
static uint32_t sfi_unit_of(const sf_flow *f, uint32_t op)   /* a region counts as its leader */
{
    return f->ops[op]->more->leader == SFI_NONE ? op : f->ops[op]->more->leader;
}
/* Who comes after one member and before another must be a member, too. Other regions are seen as one operator. */
static void sfi_reach(sf_flow *f, uint32_t op, uint32_t *last)       /* it, or its region: to the list's end */
{
    uint32_t i = sfi_unit_of(f, op);
    for (; i != SFI_NONE && !f->ops[i]->mark; i = f->ops[i]->more->next_member) {
        f->ops[i]->mark = 1;
        f->ops[i]->link = SFI_NONE;
        if (*last != SFI_NONE) { f->ops[*last]->link = i; }
        *last = i;
    }
}
static void sfi_check_between(sf_flow *f, uint32_t leader)
{
    uint32_t last = SFI_NONE, i, e, o;
    bool told = false;
    sfi_reach(f, leader, &last);
    for (i = leader; i != SFI_NONE; i = f->ops[i]->link) {
        const sfi_op *op = f->ops[i];
        for (o = 0; o <= op->output_count; o++) {
            e = o < op->output_count ? op->outputs[o].first : op->more->first_control;
            for (; e != SFI_NONE; e = f->edges[e]->next_output) {
                const sfi_op *to = f->ops[f->edges[e]->to];
                if (f->edges[e]->delay) { continue; }
                if (op->more->leader != leader && to->more->leader == leader && !told) {
                    told = true;
                    (void)sfi_region_problem(f, to, op->pub.name, "this one comes between its operators: put it into "
                                             "the region as well, or take those behind it out");
                }
                sfi_reach(f, f->edges[e]->to, &last);
            }
        }
    }
    for (i = leader; i != SFI_NONE; i = f->ops[i]->link) { f->ops[i]->mark = 0; }
}
/* Takes away, one by one, the regions and operators that come after nobody; only a region that is left may have
   somebody between its operators. */
static void sfi_check_order_of_regions(sf_flow *f)
{
    uint32_t first = SFI_NONE, last = SFI_NONE, i, k, e, o, to;
    for (i = 0; i < f->op_count; i++) { f->ops[i]->unmet = 0; }
    for (i = 0; i < f->edge_count; i++) {
        const sfi_edge *edge = f->edges[i];
        if (edge->from == SFI_NONE || edge->delay) { continue; }
        to = sfi_unit_of(f, edge->to);
        f->ops[to]->unmet += to != sfi_unit_of(f, edge->from);
    }
    for (i = 0; i < f->op_count; i++) {
        f->ops[i]->link = SFI_NONE;
        if (f->ops[i]->unmet || sfi_unit_of(f, i) != i) { continue; }
        if (last == SFI_NONE) { first = i; } else { f->ops[last]->link = i; }
        last = i;
    }
    for (k = first; k != SFI_NONE; k = f->ops[k]->link) {
        for (i = k; i != SFI_NONE; i = f->ops[i]->more->next_member) {
            const sfi_op *op = f->ops[i];
            for (o = 0; o <= op->output_count; o++) {
                e = o < op->output_count ? op->outputs[o].first : op->more->first_control;
                for (; e != SFI_NONE; e = f->edges[e]->next_output) {
                    to = sfi_unit_of(f, f->edges[e]->to);
                    if (f->edges[e]->delay || to == k || --f->ops[to]->unmet) { continue; }
                    f->ops[last]->link = to;
                    last = to;
                }
            }
        }
    }
    for (i = 0; i < f->op_count; i++) {
        if (f->ops[i]->more->leader == i && f->ops[i]->unmet) { sfi_check_between(f, i); }
    }
}
static void sfi_check_regions(sf_flow *f)
{
    uint32_t i;
    int p;
    sfi_find_regions(f);
    if (!f->region_count) { return; }
    for (i = 0; i < f->edge_count; i++) {
        if (sfi_is_inner(f, f->edges[i])) { sfi_check_inner_edge(f, f->edges[i]); }
    }
    for (i = 0; i < f->op_count; i++) {
        const sfi_op *op = f->ops[i];
        if (op->more->leader == SFI_NONE) { continue; }
        sfi_check_member(f, op);
        for (p = 0; p < op->condition_count; p++) { sfi_check_member_condition(f, op, &op->more->conditions[p]); }
    }
    sfi_check_order_of_regions(f);
}

/* All that is wrong, as problems. `final`: the sizes of ports are settled. */
static sf_result sfi_validate(sf_flow *f, bool final)
{
    uint32_t i;
    int p;
    f->problem_count = f->built_count;       /* what was found before may be mended by now */
    f->problem_bytes = f->built_bytes;
    sfi_forget_failure(f);
    f->checking = true;
    for (i = 0; i < f->op_count; i++) {
        const sfi_op *op = f->ops[i];
        sfi_check_names(f, op);
        for (p = 0; p < op->input_count; p++) { sfi_check_input(f, op, &op->inputs[p], final); }
        for (p = 0; p < op->output_count; p++) { sfi_check_output(f, op, &op->outputs[p], final); }
        for (p = 0; p < op->condition_count; p++) { sfi_check_condition(f, op, &op->more->conditions[p], p); }
        if (op->group >= SF_DESC_WORKERS || (op->group && !f->crew[op->group].count)) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                                   "operator \"%s\": sf_op_desc.workers is %d, and sf_flow_desc.workers[%d] has no "
                                   "threads: set its .count", op->pub.name, (int)op->group, (int)op->group);
        }
        if (op->on_error > SF_ON_ERROR_RETRY) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                                   "operator \"%s\": sf_op_desc.on_error is %d: there is none such, see sf_on_error",
                                   op->pub.name, (int)op->on_error);
        }
        if (op->more->streams && op->more->streams->slot.tag != SFI_TAG_STREAM_POOL) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_check", op->pub.name,
                                   "operator \"%s\": sf_op_desc.streams is not a stream pool", op->pub.name);
        }
    }
    if (f->entries_max > UINT16_MAX) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", f->name,
                               "sf_flow_desc.metadata_entries is %u: %u at most", (unsigned)f->entries_max,
                               (unsigned)UINT16_MAX);
    }
    if (f->simulated && f->clock) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", f->name,
                               "sf_flow_desc.clock: simulated time has no .now of yours: set one of the two");
    }
    if ((f->max_duration > 0 || f->deadlock_timeout > 0) && !sfi_has_clock(f)) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", f->name,
                               "sf_flow_desc.max_duration and .deadlock_timeout need a .clock.now of yours here");
    }
    if (f->given_streams && f->given_streams->slot.tag != SFI_TAG_STREAM_POOL) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_check", f->name,
                               "sf_flow_desc.streams is not a stream pool");
    }
    sfi_check_circles(f);
    sfi_check_regions(f);
    f->checking = false;
    return f->problem_count ? f->failure.now.result : SF_OK;
}

/* >>layout -------------------------------------------------------------------------------------------- */

static bool sfi_expires(const sfi_op *op, uint32_t input)
{
    uint8_t i;
    for (i = 0; i < op->condition_count; i++) {
        const sfi_condition *c = &op->more->conditions[i];
        if (c->is.kind == SF_CONDITION_EXPIRING && (sfi_condition_ports(c, op->input_count) >> input & 1)) {
            return true;
        }
    }
    return false;
}
static void sfi_layout_more(sf_flow *f, sfi_arena *arena, sfi_edge *e)
{
    bool expires = sfi_expires(f->ops[e->to], e->input);
    bool plain = !f->entries_max && !f->latency && !f->trace_room;
    sfi_edge_more none, *more = &none;       /* that one, while the bytes are only counted */
    e->more = &f->plain_edge;
    if (plain && !expires && e->from != SFI_NONE) { return; }
    e->more = (sfi_edge_more *)sfi_carve(arena, sizeof *e->more);
    if (arena->base) { more = e->more; }
    if (f->entries_max) {
        more->entries = (sfi_entry *)sfi_carve(arena, (size_t)e->room * f->entries_max * sizeof *more->entries);
    }
    if (f->latency) { more->labels = (sfi_label *)sfi_carve(arena, e->room * SFI_LABELS * sizeof *more->labels); }
    if (expires) { more->arrivals = (int64_t *)sfi_carve(arena, e->room * sizeof *more->arrivals); }
    if (e->from == SFI_NONE) { more->inlet = (sfi_inlet *)sfi_carve_lines(arena, sizeof *more->inlet); }
}
static void sfi_size_edge(sf_flow *f, sfi_edge *e)
{
    bool goes_on = f->worker_count > 1 || f->enqueue ||      /* while a compute runs, or between two tries */
                   f->ops[e->to]->on_error == SF_ON_ERROR_RETRY;
    uint32_t limit = sfi_edge_limit(f, e);
    e->most = e->room = limit + (e->from == e->to);          /* its own message goes before the next one comes */
    if (goes_on && (e->overflow == SF_OVERFLOW_DROP_OLDEST || e->overflow == SF_OVERFLOW_LATEST)) {
        e->room *= 2;                        /* what a compute looks at stays where it is while others come */
    }
    e->need = e->overflow == SF_OVERFLOW_LATEST ? 1 : f->ops[e->to]->inputs[e->input].batch;
    f->message_count += e->room;
    f->inlet_count += e->from == SFI_NONE;
}
static size_t sfi_ring_bytes(uint32_t room) { return SFI_ALIGN(room * sizeof(sfi_place), SFI_LINE); }
/* Whether it may become a bridge: between two desks, and nothing else goes out there, or comes in here. */
static bool sfi_is_bridge(const sf_flow *f, const sfi_edge *e)
{
    const sfi_op *from, *to = f->ops[e->to];
    if (e->control || e->from == SFI_NONE) { return false; }
    from = f->ops[e->from];
    return from->home != to->home && from->output_count == 1 && from->outputs[0].edges == 1 && to->input_count == 1 &&
           to->inputs[0].edges == 1;
}
static sfi_place *sfi_carve_ring(const sf_flow *f, sfi_arena *arena, const sfi_edge *e)
{
    bool between = e->from == SFI_NONE || (f->worker_count > 1 && sfi_is_bridge(f, e));      /* two threads */
    return (sfi_place *)sfi_carve_lines(arena, sfi_ring_bytes(e->room) + (between ? SFI_LINE : 0));
}
static sfi_atomic32 *sfi_counts_out(const sfi_edge *e)       /* between two threads: where they count what is out */
{
    char *behind = (char *)e->ring + sfi_ring_bytes(e->room);
    return e->room == 1 ? &e->ring->out : (sfi_atomic32 *)(void *)behind;
}
static bool sfi_edge_is_first(const sf_flow *f, const sfi_edge *e)           /* of a chain */
{
    return e->from == SFI_NONE || !f->ops[e->from]->input_count;
}
static void sfi_layout_edge(sf_flow *f, sfi_edge *e);
static void sfi_layout_edges(sf_flow *f, sfi_arena *arena)
{
    bool several = f->worker_count > 1;
    uint32_t i;
    if (!arena->base) { f->message_count = f->inlet_count = 0; }
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = f->edges[i];
        if (!e->control) {
            if (!arena->base) { sfi_size_edge(f, e); }
            if (several && sfi_edge_is_first(f, e)) { (void)sfi_carve(arena, SFI_APART); }
            e->ring = sfi_carve_ring(f, arena, e);
            if (!arena->base || e->more != &f->plain_edge) { sfi_layout_more(f, arena, e); }
        }
        if (arena->base) { sfi_layout_edge(f, e); }
    }
}

enum { SFI_UNHEARD = 2 };                    /* places for what goes to an output without an edge */
static uint32_t sfi_most_staged(const sf_flow *f)            /* messages that a compute emits */
{
    uint32_t i, e, staged = 0;
    int p;
    for (i = 0; i < f->op_count; i++) {
        const sfi_op *op = f->ops[i];
        uint32_t want = 0;
        for (p = 0; p < op->output_count; p++) {
            uint32_t most = SFI_UNHEARD - 1;
            for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
                if (f->edges[e]->room > most) { most = f->edges[e]->room; }
            }
            want += most + 1;
        }
        if (want > staged) { staged = want; }
    }
    return staged;
}
static void sfi_layout_ops(sf_flow *f, sfi_arena *arena)     /* what shows how they do */
{
    uint32_t i;
    for (i = 0; (f->latency || f->device_time) && i < f->op_count; i++) {
        sfi_more *more = f->ops[i]->more;
        more->cpu = (sfi_histogram *)sfi_carve(arena, sizeof *more->cpu);
        if (!f->device_time) { continue; }
        more->device = (sfi_histogram *)sfi_carve(arena, sizeof *more->device);
        more->stamps = (sfi_stamp *)sfi_carve(arena, SFI_STAMPS * sizeof *more->stamps);
    }
}
static void sfi_layout_turn(const sf_flow *f, sfi_arena *arena, sfi_turn *turn, uint32_t staged)
{
    turn->staged_room = staged;
    turn->staged = (sfi_staged *)sfi_carve(arena, staged * sizeof *turn->staged);
    turn->entries = (sfi_entry *)sfi_carve(arena, f->entries_max * sizeof *turn->entries);
}
static bool sfi_asks_for_memory(const sfi_op *op, uint8_t i)         /* and no other condition can do instead */
{
    const sf_condition *c = &op->more->conditions[i].is;
    uint8_t k;
    for (k = 0; k < op->condition_count; k++) {
        if (k != i && c->any && op->more->conditions[k].is.any == c->any) { return false; }
    }
    return c->kind == SF_CONDITION_MEMORY;
}
/* Which built-in conditions the operator's own replace or look at: at each start the same, or more. */
static void sfi_layout_conditions(sfi_op *op)
{
    uint32_t i;
    uint8_t k;
    for (k = 0; k < op->condition_count; k++) {
        const sfi_condition *c = &op->more->conditions[k];
        sf_condition_kind kind = c->is.kind;
        for (i = 0; i < op->input_count; i++) {
            sfi_input *in = &op->inputs[i];
            if (!(sfi_condition_ports(c, op->input_count) >> i & 1)) { continue; }
            in->custom = in->custom || kind == SF_CONDITION_MESSAGES || kind == SF_CONDITION_EXPIRING;
            in->watched = in->watched || in->custom || kind == SF_CONDITION_STREAM;
        }
        for (i = 0; i < op->output_count; i++) {
            sfi_output *out = &op->outputs[i];
            if (!(sfi_condition_ports(c, op->output_count) >> i & 1)) { continue; }
            out->custom_room = out->custom_room || kind == SF_CONDITION_ROOM;
            out->custom_memory = out->custom_memory || kind == SF_CONDITION_MEMORY;
            out->any_memory = out->any_memory || (kind == SF_CONDITION_MEMORY && !sfi_asks_for_memory(op, k));
            out->watched = out->watched || out->custom_room;
        }
    }
    for (k = 0; k < op->condition_count; k++) {              /* from now on it may be signalled */
        sfi_store(&op->more->conditions[k].signal, op->more->conditions[k].is.initial);
    }
}

/* Bells, those of a desk side by side: its worker looks at no others. */
static void sfi_number_sources(sf_flow *f)
{
    uint32_t sources = 0, i, w;
    int p;
    for (w = 0; w < f->worker_count; w++) {
        f->workers[w].first_group = sources / 64;
        for (i = 0; i < f->op_count; i++) {
            sfi_op *op = f->ops[i];
            if (op->home != w) { continue; }
            op->memory_source = sources++;
            for (p = 0; p < op->input_count; p++) { sources += op->inputs[p].external; }
            for (p = 0; p < op->condition_count; p++) { op->more->conditions[p].source = sources++; }
            op->extras = op->condition_count > 0;
            if (op->extras) { sfi_layout_conditions(op); }
        }
        sources = (sources + 63) / 64 * 64;
        f->workers[w].end_group = sources / 64;
    }
    f->source_count = sources;
}
static void sfi_layout_worker(sf_flow *f, sfi_arena *arena, sfi_worker *w, uint32_t staged)
{
    uint32_t levels = f->op_count < SFI_LEVELS ? f->op_count : (uint32_t)SFI_LEVELS;
    uint32_t homes = f->worker_count == 1 ? f->op_count : w->homes;
    w->levels = (sfi_level *)sfi_carve(arena, levels * sizeof *w->levels);
    w->timers = (uint32_t *)sfi_carve(arena, homes * sizeof *w->timers);
    w->gpu_waiters = (uint32_t *)sfi_carve(arena, homes * sizeof *w->gpu_waiters);
    sfi_layout_turn(f, arena, &w->turn, staged);
    w->turn.row = w->index;
}
/* Members in an order in which producers come first. */
static void sfi_order_members(const sf_flow *f, sfi_region *g, uint32_t leader)
{
    uint32_t i, e, n = 0, k;
    int p;
    for (i = leader; i != SFI_NONE; i = f->ops[i]->more->next_member) {
        sfi_op *op = f->ops[i];
        op->more->region = g;
        op->unmet = 0;                       /* members that it comes after */
        for (p = 0; p < op->input_count; p++) {
            e = op->inputs[p].first;
            op->unmet += e != SFI_NONE && sfi_is_inner(f, f->edges[e]);
        }
        if (!op->unmet) { g->members[n++] = i; }
    }
    for (k = 0; k < n; k++) {
        sfi_op *op = f->ops[g->members[k]];
        op->more->member = k;
        for (p = 0; p < op->output_count; p++) {
            for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
                if (sfi_is_inner(f, f->edges[e]) && --f->ops[f->edges[e]->to]->unmet == 0) {
                    g->members[n++] = f->edges[e]->to;
                }
            }
        }
    }
}
static void sfi_layout_regions(sf_flow *f, sfi_arena *arena, uint32_t staged)
{
    sfi_region one, *g = &one;               /* that one, while the bytes are only counted */
    uint32_t i, k, n = 0;
    f->regions = (sfi_region *)sfi_carve(arena, f->region_count * sizeof *f->regions);
    for (i = 0; f->region_count && i < f->op_count; i++) {
        if (f->ops[i]->more->leader != i) { continue; }
        if (arena->base) { g = &f->regions[n++]; }
        for (g->count = 0, k = i; k != SFI_NONE; k = f->ops[k]->more->next_member) {
            f->ops[k]->more->region = NULL;
            g->count++;
        }
        g->members = (uint32_t *)sfi_carve(arena, g->count * sizeof *g->members);
        g->last = (sf_graph_node **)sfi_carve(arena, g->count * sizeof *g->last);
        g->after = (sf_dependency *)sfi_carve(arena, g->count * sizeof *g->after);
        g->marks = (uint32_t *)sfi_carve(arena, g->count * sizeof *g->marks);
        g->turns = (sfi_turn *)sfi_carve(arena, g->count * sizeof *g->turns);
        for (k = 0; k < g->count; k++) {
            sfi_turn none;
            sfi_layout_turn(f, arena, arena->base ? &g->turns[k] : &none, staged);
        }
        if (arena->base) { sfi_order_members(f, g, i); }
    }
}
static void sfi_layout(sf_flow *f, sfi_arena *arena)
{
    uint32_t bridges = 0;
    uint32_t i, levels = f->op_count < SFI_LEVELS ? f->op_count : (uint32_t)SFI_LEVELS, staged;
    sfi_layout_edges(f, arena);
    if (!arena->base) { f->staged = sfi_most_staged(f); }
    staged = f->staged;
    sfi_layout_ops(f, arena);
    for (i = 0; i < f->worker_count; i++) { sfi_layout_worker(f, arena, &f->workers[i], staged); }
    f->jobs = f->enqueue ? (sfi_job *)sfi_carve(arena, SFI_JOBS * sizeof *f->jobs) : NULL;
    for (i = 0; f->enqueue && i < SFI_JOBS; i++) {
        sfi_turn none, *turn = arena->base ? &f->jobs[i].turn : &none;
        sfi_layout_turn(f, arena, turn, staged);
        turn->row = i;
    }
    sfi_layout_regions(f, arena, staged);
    for (i = 0; f->worker_count > 1 && i < f->edge_count; i++) { bridges += sfi_is_bridge(f, f->edges[i]); }
    f->bridges = (sfi_bridge *)sfi_carve(arena, bridges * sizeof *f->bridges);
    f->priorities = (int32_t *)sfi_carve(arena, levels * sizeof *f->priorities);
    f->sources = (sfi_source *)sfi_carve(arena, f->source_count * sizeof *f->sources);
    f->groups = (sfi_atomic32 *)sfi_carve(arena, (f->source_count / 64 + 1) * sizeof *f->groups);
    f->inlets = (sfi_inlet **)sfi_carve_lines(arena, f->inlet_count * sizeof *f->inlets);
    f->prefix_room = f->latency ? SFI_LABELS * f->op_count + f->edge_count + 64 : 0;
    f->prefixes = (sfi_prefix *)sfi_carve(arena, f->prefix_room * sizeof *f->prefixes);
    f->prefix_heads = (uint32_t *)sfi_carve(arena, f->prefix_room * sizeof *f->prefix_heads);
    f->paths = f->latency ? (sfi_path *)sfi_carve(arena, SFI_PATHS * sizeof *f->paths) : NULL;
    for (i = 0; f->latency && i < SFI_PATHS; i++) {
        int64_t *held = (int64_t *)sfi_carve(arena, f->discard_last * sizeof *held);
        if (arena->base) { f->paths[i].held = held; }
    }
    f->trace = f->trace_room ? (sfi_trace *)sfi_carve(arena, f->trace_room * sizeof *f->trace) : NULL;
}

/* Distinct priorities, most urgent first; more than 64 share the last list. */
static void sfi_layout_levels(sf_flow *f)
{
    uint32_t i, n = 0, k;
    if (f->op_count && !f->has_priorities) { /* one list, as each operator has it from the beginning */
        f->priorities[0] = 0;
        f->level_count = 1;
        return;
    }
    for (i = 0; i < f->op_count; i++) {
        int32_t p = f->ops[i]->priority;
        for (k = 0; k < n && f->priorities[k] < p; k++) {}
        if (k < n && f->priorities[k] == p) { continue; }
        if (n < SFI_LEVELS) { n++; } else if (k >= SFI_LEVELS - 1) { continue; }
        {
            uint32_t m;
            for (m = n - 1; m > k; m--) { f->priorities[m] = f->priorities[m - 1]; }
        }
        f->priorities[k] = p;
    }
    for (i = 0; i < f->op_count; i++) {
        for (k = 0; k + 1 < n && f->priorities[k] < f->ops[i]->priority; k++) {}
        f->ops[i]->level = (uint8_t)k;
    }
    f->level_count = n;
}
static void sfi_layout_inlet(sf_flow *f, const sfi_op *op, int input, uint32_t source)
{
    sfi_edge *e = f->edges[op->inputs[input].first];
    sfi_inlet *in = e->more->inlet;
    sfi_zero(in, sizeof *in);
    in->edge = e;
    in->bytes = op->inputs[input].bytes;
    in->ring = e->ring;
    in->popped = e->more->popped = sfi_counts_out(e);
    in->worker = &f->workers[op->home];
    in->key = (uint64_t)sfi_op_index(op) << 32 | (uint32_t)input;
    in->source = source;
    in->room = e->room;
    f->inlets[f->inlet_count++] = in;
}
static void sfi_layout_source(sf_flow *f, uint32_t source, uint32_t op, int index, sfi_source_kind kind)
{
    f->sources[source].op = op;
    f->sources[source].index = (uint8_t)index;
    f->sources[source].kind = kind;
}
static void sfi_layout_sources(sf_flow *f, const sfi_op *op)
{
    uint32_t s = op->memory_source, i = sfi_op_index(op);
    int p;
    sfi_layout_source(f, s++, i, 0, SFI_SOURCE_MEMORY);
    for (p = 0; p < op->input_count; p++) {
        if (!op->inputs[p].external) { continue; }
        sfi_layout_inlet(f, op, p, s);
        sfi_layout_source(f, s++, i, p, SFI_SOURCE_INPUT);
    }
    for (p = 0; p < op->condition_count; p++) {
        sfi_layout_source(f, op->more->conditions[p].source, i, p, SFI_SOURCE_CONDITION);
    }
}

static bool sfi_counts_messages(const sfi_input *in) { return !in->custom && !in->optional; }
/* Which ports and operators have nothing special about them, so that less has to be looked at. */
static void sfi_layout_ports(sf_flow *f, sfi_op *op, bool plain)     /* plain: nothing special about the flow */
{
    bool several = false;
    int p;
    plain = plain && !op->condition_count && !op->more->control_edges && op->more->first_control == SFI_NONE &&
            !op->more->streams && !op->more->region;
    for (p = 0; p < op->input_count; p++) {
        sfi_input *in = &op->inputs[p];
        in->single = in->many ? NULL : sfi_edge_at(f, in->first);
        plain = plain && (in->many || !in->single || in->single->overflow == SF_OVERFLOW_BLOCK);
        several = several || in->many;
    }
    for (p = 0; p < op->output_count; p++) {
        sfi_output *out = &op->outputs[p];
        sfi_edge *e = out->edges == 1 ? sfi_edge_at(f, out->first) : NULL;
        bool direct = e && e->overflow == SF_OVERFLOW_BLOCK && e->from != e->to && !f->hook && !f->latency &&
                      !f->entries_max && !e->more->arrivals && !op->more->region;
        out->direct = direct ? e : NULL;
        plain = plain && !sfi_has_memory(out);
    }
    op->desk = &f->workers[op->home];
    op->way = !plain ? SFI_LONG_WAY : several ? SFI_MAYBE_QUICK : SFI_SHORT_WAY;
}

/* Whether its consumer gets messages this way or none, and waits for nothing else of others. */
static bool sfi_edge_is_sole(const sfi_edge *e)
{
    const sfi_op *from = e->producer, *to = e->consumer;
    if (!from || from == to || e->overflow != SF_OVERFLOW_BLOCK || e->delay || !e->wakes) { return false; }
    return to->input_count == 1 && to->inputs[0].edges == 1 && from->more->first_control == SFI_NONE &&
           to->more->first_control_in == SFI_NONE && from->more->leader == SFI_NONE && to->more->leader == SFI_NONE;
}
/* ... and its producer sends none another way: who waits for it only runs as soon as it can. */
static bool sfi_edge_is_linear(const sfi_edge *e)
{
    uint32_t edges = 0;
    int p;
    if (!sfi_edge_is_sole(e)) { return false; }
    for (p = 0; p < e->producer->output_count; p++) { edges += e->producer->outputs[p].edges; }
    return edges == 1;
}
static void sfi_layout_edge(sf_flow *f, sfi_edge *e)         /* empty, between its two operators */
{
    sfi_input *in;
    const sfi_output *out;
    int p;
    e->head = e->tail = e->ring;
    e->end = e->ring ? e->ring + e->room : NULL;
    e->bridge = NULL;
    e->count = e->lent = e->absorbed = 0;
    e->messages = e->dropped = e->refused = e->high = 0;
    SFI_SET(e->closed, false);
    if (e->control) { return; }
    e->consumer = f->ops[e->to];
    in = &e->consumer->inputs[e->input];
    e->wakes = sfi_counts_messages(in) ? e->need : 0;
    e->seen_behind = in->watched;
    e->producer = e->from == SFI_NONE ? NULL : f->ops[e->from];
    out = e->producer ? &e->producer->outputs[e->output] : NULL;
    e->full = out && e->overflow == SF_OVERFLOW_BLOCK && !out->custom_room ? e->most : 0;
    e->seen_before = out && out->watched;
    e->linear = sfi_edge_is_linear(e);
    e->leads = f->worker_count == 1 ? sfi_edge_is_sole(e) : e->linear;
    e->more_in = sfi_edge_at(f, e->next_input);
    for (p = e->input + 1; !e->more_in && p < e->consumer->input_count; p++) {
        e->more_in = sfi_edge_at(f, e->consumer->inputs[p].first);
    }
    e->more_out = e->from == SFI_NONE ? NULL : sfi_edge_at(f, e->next_output);
}
static bool sfi_input_is_quick(const sf_flow *f, const sfi_op *op, const sfi_input *in)
{
    const sfi_edge *e;
    uint32_t i;
    if (in->external) { return !in->many && op->input_count == 1 && in->single->wakes; }
    if (!in->edges || (in->many && in->batch != 1)) { return false; }
    for (i = in->first; i != SFI_NONE; i = e->next_input) {
        e = f->edges[i];
        if (!e->full || !e->wakes || e->from == e->to || e->seen_before) { return false; }
        if (e->producer->more->leader != SFI_NONE) { return false; }
    }
    return true;
}
static bool sfi_output_is_quick(const sf_flow *f, const sfi_output *out)
{
    const sfi_edge *e;
    uint32_t i;
    for (i = out->first; i != SFI_NONE; i = e->next_output) {
        e = f->edges[i];
        if (!e->full || e->from == e->to || e->seen_behind || e->more->arrivals) { return false; }
        if (e->consumer->more->leader != SFI_NONE) { return false; }
    }
    return true;
}
static bool sfi_has_edge(const sf_flow *f, const sfi_op *op, uint32_t to)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            if (f->edges[e]->to == to) { return true; }
        }
    }
    return false;
}
/* Whether some other operator is in front of it and behind it. One of the two edges has a delay. */
static bool sfi_is_answered(const sf_flow *f, const sfi_op *op)
{
    uint32_t e, self = sfi_op_index(op);
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            if (f->edges[e]->delay && sfi_has_edge(f, op, f->edges[e]->from)) { return true; }
        }
    }
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            if (f->edges[e]->delay && sfi_has_edge(f, f->ops[f->edges[e]->to], self)) { return true; }
        }
    }
    return false;
}
static void sfi_layout_quick(const sf_flow *f, sfi_op *op)
{
    bool quick = op->way != SFI_LONG_WAY && op->on_error != SF_ON_ERROR_RETRY && op->output_count <= 1;
    int p;
    op->in = op->out = op->come = NULL;
    op->take = NULL;
    op->quick = op->begins = 0;
    op->follows = false;
    op->ends = op->limit != 0;
    for (p = 0; p < op->input_count; p++) { quick = quick && sfi_input_is_quick(f, op, &op->inputs[p]); }
    if (f->worker_count == 1) { quick = quick && !sfi_is_answered(f, op); }      /* see sfi_hold_back() */
    if (quick && (!op->output_count || sfi_output_is_quick(f, &op->outputs[0]))) {
        op->way = SFI_QUICK_WAY;
        if (op->input_count) { op->in = sfi_edge_at(f, op->inputs[0].first); }
        if (op->output_count) { op->out = sfi_edge_at(f, op->outputs[0].first); }
        op->begins = op->out ? SFI_IN_TURN | SFI_MAY_PUT : SFI_IN_TURN;
    } else if (op->way == SFI_MAYBE_QUICK) {
        op->way = SFI_LONG_WAY;
    }
}
static bool sfi_may_follow(const sfi_op *op, const sfi_edge *e)
{
    const sfi_op *to = e->consumer;
    return e->wakes == 1 && to->way == SFI_QUICK_WAY && to->home == op->home && to->priority == op->priority;
}
/* In a chain or a fan of them a message goes from compute to compute, as far as one worker sees to it. */
static void sfi_layout_chain(sfi_op *op)
{
    const sfi_edge *e = op->way == SFI_QUICK_WAY ? op->out : NULL;
    uint32_t edges = 0;
    if (!e) { return; }
    if (e->linear && sfi_may_follow(op, e)) {
        op->begins |= SFI_CARRIES;
        e->consumer->follows = e->consumer->pub.flow->worker_count > 1;
    }
    if (!e->more_out || op->pub.flow->worker_count > 1) { return; }
    for (; e && e->leads && sfi_may_follow(op, e); e = e->more_out) { edges++; }
    if (!e && edges <= SFI_RUN_ON) { op->begins |= SFI_SPREADS; }
}

static void sfi_layout_bridges(sf_flow *f)
{
    uint32_t i, n = 0;
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = f->edges[i];
        sfi_op *from = e->producer;
        sfi_bridge *bridge;
        if (!sfi_is_bridge(f, e) || !e->linear || e->wakes != 1 || from->way != SFI_QUICK_WAY ||
            e->consumer->way != SFI_QUICK_WAY) {
            continue;
        }
        e->bridge = bridge = &f->bridges[n++];
        bridge->taken = sfi_counts_out(e);
        bridge->front = *e;
        bridge->front.consumer = NULL;
        bridge->front.wakes = 0;
        bridge->front.linear = bridge->front.leads = false;
        e->producer = NULL;
        e->full = 0;
        from->out = &bridge->front;
        from->begins |= SFI_CROSSES;
        if (from->outputs[0].direct) { from->outputs[0].direct = from->out; }
        sfi_store(&bridge->ring_consumer, 1);                /* it is empty now */
    }
}
/* Which desks an operator's commit reaches. */
static void sfi_layout_locks(sf_flow *f)
{
    uint32_t i;
    for (i = 0; i < f->op_count; i++) { f->ops[i]->locks = (uint64_t)1 << f->ops[i]->home; }
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = f->edges[i];
        if (e->from == SFI_NONE || e->bridge) { continue; }
        f->ops[e->from]->locks |= (uint64_t)1 << f->ops[e->to]->home;
        f->ops[e->to]->locks |= (uint64_t)1 << f->ops[e->from]->home;
    }
}

static void sfi_message_release(const sfi_message *m);
/* What was pushed, but no run will see. Shut. */
static void sfi_empty_inlets(sf_flow *f)
{
    uint32_t i;
    for (i = 0; f->block && i < f->inlet_count; i++) {
        sfi_inlet *in = f->inlets[i];
        uint32_t n = in->pushed - sfi_load(in->popped);
        sfi_store(in->popped, in->pushed);
        for (; n; n--) { sfi_message_release(&in->ring[in->at >= n ? in->at - n : in->at + in->room - n].message); }
    }
}
static void sfi_flow_drop_block(sf_flow *f)
{
    uint32_t i;
    sfi_shut(f);
    sfi_empty_inlets(f);
    for (i = 0; f->worker_count > 1 && i < f->edge_count; i++) { f->edges[i]->bridge = NULL; }
    sfi_free(&f->heap, f->block);
    f->block = NULL;
    f->trace = NULL;
}

/* -- homes: which worker's desk an operator is at -- */

/* The operators along the edges, so that chains stay together, one branch after the other. */
static void sfi_walk_from(sf_flow *f, uint32_t start, uint32_t *order, uint32_t *count)
{
    uint32_t list = start + 1, e;
    int p;
    f->ops[start]->mark = SFI_NONE;           /* a stack: 1 + the next one, or none */
    while (list != SFI_NONE) {
        sfi_op *op = f->ops[list - 1];
        order[(*count)++] = list - 1;
        list = op->mark;
        for (p = op->output_count; p >= 0; p--) {
            e = p < op->output_count ? op->outputs[p].first : op->more->first_control;
            for (; e != SFI_NONE; e = f->edges[e]->next_output) {
                sfi_op *to = f->ops[f->edges[e]->to];
                if (to->mark) { continue; }
                to->mark = list;
                list = f->edges[e]->to + 1;
            }
        }
    }
}
static void sfi_share_out(sf_flow *f, const uint32_t *order)
{
    uint32_t in_group[SF_DESC_WORKERS], seen[SF_DESC_WORKERS], first[SF_DESC_WORKERS], threads[SF_DESC_WORKERS], i;
    sfi_zero(in_group, sizeof in_group);
    sfi_zero(seen, sizeof seen);
    sfi_zero(threads, sizeof threads);
    for (i = f->worker_count; i-- > 0;) {
        first[f->workers[i].group] = i;
        threads[f->workers[i].group]++;
        f->workers[i].homes = 0;
    }
    for (i = 0; i < f->op_count; i++) { in_group[f->ops[i]->group]++; }
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = f->ops[order[i]];
        uint64_t g = op->group;
        op->home = (uint8_t)(first[g] + (uint64_t)seen[g]++ * threads[g] / in_group[g]);
    }
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        if (op->more->leader != SFI_NONE) { op->home = f->ops[op->more->leader]->home; }
        f->workers[op->home].homes++;
    }
}
static bool sfi_layout_homes(sf_flow *f)
{
    uint32_t *order, count = 0, i, e;
    if (f->worker_count == 1) { return true; }
    order = (uint32_t *)sfi_alloc(&f->heap, f->op_count * sizeof *order + 1);
    if (!order) { return false; }
    for (i = 0; i < f->op_count; i++) { f->ops[i]->mark = 0; }
    for (e = 0; e < f->edge_count; e++) {    /* begin where nothing comes in */
        if (f->edges[e]->from != SFI_NONE && !f->edges[e]->delay) { f->ops[f->edges[e]->to]->hopeless = true; }
    }
    for (i = 0; i < f->op_count; i++) {
        if (!f->ops[i]->hopeless && !f->ops[i]->mark) { sfi_walk_from(f, i, order, &count); }
    }
    for (i = 0; i < f->op_count; i++) {
        if (!f->ops[i]->mark) { sfi_walk_from(f, i, order, &count); }
        f->ops[i]->hopeless = false;
    }
    for (i = 0; i < f->op_count; i++) { f->ops[i]->mark = 0; }
    sfi_share_out(f, order);
    sfi_free(&f->heap, order);
    return true;
}

static void sfi_turn_clear(const sf_flow *f, sfi_op *op);
enum { SFI_REMEDY = 112 };
/* The end of a sentence about memory that a start lacks. own: the flow's is used up. */
static const char *sfi_remedy(const sf_flow *f, bool own, char *text, size_t bytes)
{
    text[0] = 0;
    if (f->fixed && own) { sfi_format(text, bytes, ": " SFI_USED_UP, f->limit_bytes); }
    return text;
}
/* Everything that needs no device: checked and laid out, for the next run. */
static sf_result sfi_prepare(sf_flow *f)
{
    sfi_arena arena;
    char why[SFI_REMEDY];
    sf_result r;
    uint32_t i;
    bool plain;
    if (sfi_load(&f->state) == SFI_FLOW_READY) { return SF_OK; }
    r = sfi_validate(f, false);
    if (r < 0) { return r; }
    sfi_flow_drop_block(f);
    if (!sfi_layout_homes(f)) {
        return sfi_flow_fail(f, NULL, sfi_out_of_memory(&f->heap), "sf_start",
                             "no memory to share the operators out%s", sfi_remedy(f, true, why, sizeof why));
    }
    sfi_number_sources(f);
    arena.base = NULL;
    arena.used = 0;
    sfi_layout(f, &arena);
    if (f->fixed && f->message_count > f->limit_messages + f->limit_ops) {
        return sfi_flow_fail(f, NULL, SF_ERROR_NO_ROOM, "sf_start",
                             "the queues hold %u messages, limits.messages is %u", (unsigned)f->message_count,
                             (unsigned)f->limit_messages);
    }
    f->block_bytes = arena.used + SFI_LINE;
    f->block = sfi_alloc_zeroed(&f->heap, f->block_bytes);
    if (!f->block) {
        return sfi_flow_fail(f, NULL, sfi_out_of_memory(&f->heap), "sf_start",
                             "queues and tables need %Z bytes%s", f->block_bytes,
                             sfi_remedy(f, true, why, sizeof why));
    }
    arena.base = sfi_align_up((char *)f->block, SFI_LINE);
    arena.used = 0;
    sfi_layout(f, &arena);
    sfi_store64(&f->dropped, 0);
    for (i = 0; i < f->worker_count; i++) { sfi_store(&f->workers[i].attention, 0); }
    f->short_way = false;
    f->inlet_count = 0;
    plain = !f->hook && !f->latency && !f->device_time && !f->trace_room && !f->entries_max && !f->enqueue;
    for (i = 0; i < f->op_count; i++) {
        SFI_SET(f->ops[i]->pub.run, 0);
        SFI_SET(f->ops[i]->errors, 0);
        sfi_turn_clear(f, f->ops[i]);       /* the last run may have ended in the middle of one */
        sfi_layout_sources(f, f->ops[i]);
        sfi_layout_ports(f, f->ops[i], plain);
        sfi_layout_quick(f, f->ops[i]);
        f->short_way = f->short_way || f->ops[i]->way != SFI_LONG_WAY;
    }
    for (i = 0; i < f->op_count; i++) { sfi_layout_chain(f->ops[i]); }
    if (f->worker_count > 1) {
        sfi_layout_bridges(f);
        sfi_layout_locks(f);
    }
    sfi_layout_levels(f);
    sfi_store(&f->state, SFI_FLOW_READY);
    sfi_open(f);
    return SF_OK;
}

/* -- what needs a device -- */

/* An operator works on the GPU of its streams; where that is not the flow's, it is made current around each hook. */
typedef struct sfi_entered { const struct sfi_entered *before; const sf_flow *flow; bool device; } sfi_entered;
static bool sfi_inside(const sf_flow *f)                     /* a hook of it, maybe by way of another flow's */
{
    const sfi_entered *e = sfi_this_thread.inside;
    while (e && e->flow != f) { e = e->before; }
    return e != NULL;
}
static sf_device *sfi_op_device(const sf_flow *f, const sfi_op *op)
{
    return op->more->streams ? op->more->streams->device : f->device;
}
static sf_result sfi_enter_op(const sf_flow *f, const sfi_op *op, sfi_entered *entered)
{
    sf_device *device = sfi_op_device(f, op);
    entered->before = sfi_this_thread.inside;                /* a hook may run another flow */
    entered->flow = f;
    entered->device = false;
    sfi_this_thread.inside = entered;
    return device == f->device ? SF_OK : device->backend->enter(device, &entered->device);
}
static void sfi_leave_op(const sfi_op *op, const sfi_entered *entered)
{
    if (entered->device) { op->more->streams->device->backend->leave(op->more->streams->device, true); }
    sfi_this_thread.inside = entered->before;
}
static bool sfi_op_may_use_gpu(const sf_flow *f, const sfi_op *op)
{
    uint32_t e;
    int p;
    if (!f->has_bytes && !f->has_pools && !f->has_regions) { return false; }
    if (op->more->streams || op->more->region) { return true; }
    for (p = 0; p < op->output_count; p++) {
        if (sfi_has_memory(&op->outputs[p])) { return true; }
    }
    for (p = 0; p < op->input_count; p++) {
        if (op->inputs[p].bytes) { return true; }
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            const sfi_edge *edge = f->edges[e];
            if (edge->from != SFI_NONE && sfi_has_memory(&f->ops[edge->from]->outputs[edge->output])) { return true; }
        }
    }
    return false;
}

/* Around all that a thread does for a run: hooks, conditions and clocks of the user's are called from here. */
static sf_result sfi_flow_enter(const sf_flow *f, sfi_entered *entered)
{
    entered->before = sfi_this_thread.inside;
    entered->flow = f;
    entered->device = false;
    sfi_this_thread.inside = entered;
    return f->device ? f->device->backend->enter(f->device, &entered->device) : SF_OK;
}
static void sfi_flow_leave(const sf_flow *f, const sfi_entered *entered)
{
    if (entered->device) { f->device->backend->leave(f->device, true); }
    sfi_this_thread.inside = entered->before;
}
static sf_result sfi_open_flow_device(sf_flow *f)
{
    sf_device_desc d;
    sfi_failure told;
    char why[SFI_REMEDY];
    sf_result r;
    if (f->device) { return sfi_check_device_in(f->device, NULL); }
    if (f->fixed && !f->limit_payload && !f->limit_streams) { return SF_OK; }        /* values only: needs none */
    sfi_zero(&d, sizeof d);
    d.backend = f->fixed ? SF_BACKEND_HOST : f->backend;
    d.logger = f->logger;
    d.heap = f->heap;
    r = sfi_device_open_told(&d, &f->device, &told);
    if (r < 0) {
        bool full = r == SF_ERROR_NO_ROOM;
        return sfi_flow_fail(f, NULL, r, "sf_start", "no device could be opened: %s%s",
                             full ? sf_result_string(r) : told.text, sfi_remedy(f, full, why, sizeof why));
    }
    f->owns_device = true;
    (void)sfi_add(&f->device->flows, 1);
    return SF_OK;
}

/* How many blocks an output keeps busy: what its queues hold, and those behind operators that only pass it on, 16 at
   most. Each queue counts once, however many ways lead there: of those there may be 8 to the 16. */
static uint32_t sfi_queues_behind(const sf_flow *f, const sfi_output *out, uint32_t depth, uint32_t **end)
{
    uint32_t n = 0, e;
    for (e = out->first; e != SFI_NONE; e = f->edges[e]->next_output) {
        sfi_op *to = f->ops[f->edges[e]->to];
        n += sfi_edge_limit(f, f->edges[e]);
        if (to->mark) { continue; }
        to->mark = depth;
        to->link = SFI_NONE;
        **end = f->edges[e]->to;
        *end = &to->link;
    }
    return n;
}
static uint32_t sfi_blocks_downstream(const sf_flow *f, const sfi_output *out)
{
    uint32_t first = SFI_NONE, *end = &first, n = sfi_queues_behind(f, out, 1, &end), i;
    int p;
    for (i = first; i != SFI_NONE; i = f->ops[i]->link) {
        const sfi_op *op = f->ops[i];
        for (p = 0; p < op->output_count && op->mark <= 16; p++) {
            if (!sfi_has_memory(&op->outputs[p])) { n += sfi_queues_behind(f, &op->outputs[p], op->mark + 1, &end); }
        }
    }
    for (i = first; i != SFI_NONE; i = f->ops[i]->link) { f->ops[i]->mark = 0; }
    return n;
}
/* Of the pool that the flow makes for an output: what may be under way, and two to write to; or, if more, what MEMORY
   conditions ask for. */
static uint32_t sfi_blocks_of(const sf_flow *f, const sfi_op *op, const sfi_output *out)
{
    uint32_t n = sfi_blocks_downstream(f, out) + 2, i, p = (uint32_t)(out - op->outputs);
    if (out->supply->data) { return 1; }
    for (i = 0; i < op->condition_count; i++) {
        const sfi_condition *c = &op->more->conditions[i];
        if (c->is.kind != SF_CONDITION_MEMORY || !(sfi_condition_ports(c, op->output_count) >> p & 1)) { continue; }
        if (c->is.count > n) { n = c->is.count; }
    }
    return n;
}
static sf_result sfi_make_output_pool(sf_flow *f, sfi_op *op, sfi_output *out)
{
    sf_mem_pool_desc d;
    char why[SFI_REMEDY];
    sf_result r = SF_OK;
    if (out->supply == &f->no_supply) { return SF_OK; }
    out->supply->pool = out->supply->given;
    out->supply->reserved = NULL;
    if (!out->supply->given && out->supply->bytes && !f->device) {
        return sfi_flow_fail(f, op, SF_ERROR_NO_ROOM, "sf_start",
                             "output \"%s\" needs memory: set limits.payload_bytes", out->name);
    }
    if (!out->supply->given && out->supply->bytes) {
        sfi_zero(&d, sizeof d);
        d.kind = SF_MEM_POOL_BLOCKS;
        d.memory = (sf_memory)out->memory;
        d.block_bytes = out->supply->bytes;
        d.blocks = sfi_blocks_of(f, op, out);
        r = sfi_pool_make(sfi_op_device(f, op), &d, out->supply->data, out->edges + 4, &out->supply->pool);
        if (r < 0) {
            bool fixed = f->fixed && f->owns_device;
            bool more = f->payload_bytes + d.blocks * d.block_bytes > f->limit_payload;
            out->supply->pool = NULL;
            if (fixed) { r = SF_ERROR_NO_ROOM; }
            return sfi_flow_fail(f, op, r, "sf_start", "output \"%s\" needs %Z blocks of %Z bytes%s", out->name,
                                 d.blocks, d.block_bytes,
                                 !fixed ? ": there is not so much memory"
                                 : more ? ": raise limits.payload_bytes"
                                        : sfi_remedy(f, fixed, why, sizeof why));
        }
        f->payload_bytes += d.blocks * out->supply->bytes;
    }
    if (out->supply->pool && sfi_check_mem_pool_in(out->supply->pool, NULL) < 0) {
        return sfi_flow_fail(f, op, SF_ERROR_INVALID_HANDLE, "sf_start", "the pool of output \"%s\" was destroyed",
                             out->name);
    }
    if (out->supply->pool) {
        out->supply->subscriber.flow = f;
        out->supply->subscriber.source = op->memory_source;
        sfi_spin_lock(&out->supply->pool->busy);
        out->supply->subscriber.next = out->supply->pool->subscribers;
        out->supply->pool->subscribers = &out->supply->subscriber;
        if (out->custom_memory) { (void)sfi_add(&out->supply->pool->waiting, 1); }   /* wants to hear of each block */
        sfi_spin_unlock(&out->supply->pool->busy);
    }
    return r;
}
static void sfi_drop_output_pool(sfi_output *out)
{
    sfi_subscriber **link;
    if (!out->supply->pool) { return; }
    sfi_spin_lock(&out->supply->pool->busy);
    for (link = &out->supply->pool->subscribers; *link && *link != &out->supply->subscriber; link = &(*link)->next) {}
    if (*link) {
        *link = out->supply->subscriber.next;
        if (out->custom_memory) { (void)sfi_add(&out->supply->pool->waiting, (uint32_t)-1); }
    }
    sfi_spin_unlock(&out->supply->pool->busy);
    if (!out->supply->given) { (void)sf_mem_pool_destroy(out->supply->pool); }
    SFI_SET(out->supply->pool, NULL);        /* somebody may ask what its operator waits for */
}
static sf_result sfi_make_pools(sf_flow *f)
{
    uint32_t i;
    int p;
    sf_result r = SF_OK;
    f->payload_bytes = 0;
    for (i = 0; f->has_supplies && i < f->op_count && r >= 0; i++) {
        for (p = 0; p < f->ops[i]->output_count && r >= 0; p++) {
            r = sfi_make_output_pool(f, f->ops[i], &f->ops[i]->outputs[p]);
        }
    }
    return r;
}

/* An output is quiet if whoever gets its messages, or gets them passed on, works on the stream that they carry. */
static bool sfi_output_is_quiet(const sf_flow *f, const sfi_output *out, int depth)
{
    uint32_t e;
    if (depth > 16 || (out->supply->pool && sfi_cpu_visible(out->supply->pool->desc.memory))) { return false; }
    for (e = out->first; e != SFI_NONE; e = f->edges[e]->next_output) {
        const sfi_op *to = f->ops[f->edges[e]->to];
        int p, edges = 0;
        if (sfi_is_inner(f, f->edges[e])) { continue; }
        for (p = 0; p < to->input_count; p++) { edges += (int)to->inputs[p].edges; }
        if (!to->adopt || edges != 1 || to->extras) { return false; }
        for (p = 0; p < to->output_count; p++) {
            if (!sfi_output_is_quiet(f, &to->outputs[p], depth + 1)) { return false; }
        }
    }
    return true;
}

static sf_result sfi_make_streams(sf_flow *f)
{
    uint32_t i, wanted = 0, most = 0, ring = 16;
    bool any = f->streams || f->given_streams;      /* streams; else nobody needs to know how many records */
    bool same = f->adopts || f->has_regions;        /* some work on the stream that they are given */
    char why[SFI_REMEDY];
    sf_result r = SF_OK;
    int p;
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        op->uses_gpu = sfi_op_may_use_gpu(f, op) ||
                       (f->op_count <= SFI_SMALL_FLOW && (!f->fixed || f->limit_streams));
        wanted += op->uses_gpu && !op->more->streams && !op->adopt;
        any = any || op->uses_gpu;
        for (p = 0; p < op->output_count; p++) {
            sfi_output *out = &op->outputs[p];
            out->quiet = (same || !out->edges) && sfi_output_is_quiet(f, out, 0);
        }
    }
    for (i = 0; any && i < f->op_count; i++) {
        uint32_t messages = 0;
        for (p = 0; p < f->ops[i]->output_count; p++) {
            messages += sfi_blocks_downstream(f, &f->ops[i]->outputs[p]) + 4;
        }
        if (messages > most) { most = messages; }
    }
    while (!f->fixed && ring < most && ring < 1024) { ring *= 2; }
    if (!wanted && !f->given_streams && f->fixed) { return SF_OK; }
    if (f->given_streams) {
        f->streams = f->given_streams;
    } else if (!f->streams && (!f->fixed || f->limit_streams)) {
        sf_stream_pool_desc d;
        sfi_zero(&d, sizeof d);
        d.name = f->name;
        d.reserved = 1;
        d.max = f->fixed ? (int32_t)f->limit_streams : 0;
        if (!wanted) { return SF_OK; }       /* no operator touches memory: a pool is made when one asks after all */
        r = sf_stream_pool_create(f->device, &d, &f->streams);
        f->owns_streams = r >= 0;
    }
    if (r >= 0 && f->streams) { r = sfi_stream_pool_reserve(f->streams, wanted, ring); }
    for (i = 0; any && i < f->op_count && r >= 0; i++) {
        sf_stream_pool *own = f->ops[i]->more->streams;
        if (own) { r = sfi_stream_pool_reserve(own, own->count + 1, ring); }
    }
    for (i = 0; f->fixed && f->owns_device && f->streams && i < f->streams->count && r >= 0; i++) {
        r = sfi_host_make_ring(f->streams->streams[i]);      /* else it would come with the first command */
    }
    if (r >= 0 && wanted && f->device) {
        r = sfi_order_arm(f->device->legacy, f->fixed ? (uint32_t)SFI_RING_FIXED : ring);
    }
    if (r < 0) {
        return sfi_flow_fail(f, NULL, r, "sf_start", "streams and events for %u operators%s", (unsigned)wanted,
                             sfi_remedy(f, f->owns_device && r == SF_ERROR_NO_ROOM, why, sizeof why));
    }
    return r;
}

static sf_result sfi_make_stamps(sf_flow *f)
{
    uint32_t i, k;
    char why[SFI_REMEDY];
    sf_result r = SF_OK;
    for (i = 0; f->device_time && i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        for (k = 0; op->more->stamps && op->uses_gpu && k < SFI_STAMPS && r >= 0; k++) {
            r = sf_event_create(f->device, SF_EVENT_DEFAULT, &op->more->stamps[k].begin);
            if (r >= 0) { r = sf_event_create(f->device, SF_EVENT_DEFAULT, &op->more->stamps[k].end); }
        }
    }
    if (r >= 0 && f->device_time && f->trace && f->device) { /* where the GPU's times begin */
        sf_stream *s = sf_stream_legacy(f->device);
        r = sf_event_create(f->device, SF_EVENT_DEFAULT, &f->epoch);
        if (r >= 0) { r = sf_event_record(f->epoch, s); }
        if (r >= 0) { r = sfi_stream_drain(s, SF_FOREVER); }
        f->epoch_time = sfi_flow_now(f);
    }
    if (r < 0) {
        return sfi_flow_fail(f, NULL, r, "sf_start", "timing events%s",
                             sfi_remedy(f, f->owns_device && r == SF_ERROR_NO_ROOM, why, sizeof why));
    }
    return r;
}
static void sfi_drop_stamps(sfi_op *op)
{
    uint32_t k;
    for (k = 0; op->more->stamps && k < SFI_STAMPS; k++) {
        if (op->more->stamps[k].begin) { (void)sf_event_destroy(op->more->stamps[k].begin); }
        if (op->more->stamps[k].end) { (void)sf_event_destroy(op->more->stamps[k].end); }
        sfi_zero(&op->more->stamps[k], sizeof op->more->stamps[k]);
    }
}

/* >>bells --------------------------------------------------------------------------------------------- */

static void sfi_poke(sfi_worker *w)                          /* if it sleeps, it sleeps no longer */
{
#ifndef SF_NO_THREADS
    sfi_parker_unpark(&w->parker);
#else
    (void)w;
#endif
}
/* One of the group that sleeps, to look after the desk of one who has no time. */
static void sfi_poke_another(sfi_worker *w)
{
    sf_flow *f = w->flow;
    uint32_t i;
    for (i = 0; i < f->worker_count; i++) {
        sfi_worker *other = &f->workers[i];
        if (other == w || other->group != w->group || !sfi_load_ordered(&other->sleeping)) { continue; }
        sfi_poke(other);
        return;
    }
}
static void sfi_tell(sfi_worker *w)                          /* that there is something at its desk */
{
    if (sfi_load_ordered(&w->sleeping)) {
        sfi_poke(w);
    } else if (sfi_load(&w->lends)) {
        sfi_poke_another(w);
    }
}
/* Rung by any thread or interrupt, heard by a worker. One that rings alone leaves its number, the only cache line
   that the two sides share. Where several do, there are three levels of flags, so that neither side looks at all
   sources: plain stores on the way in, so that an interrupt may do it, and one exchange at the end, which also orders
   it against the worker's going to sleep. */
enum { SFI_ATTENTION_ALL = 1, SFI_ATTENTION_ONE };           /* look at all flags; ONE + source: nobody else rang */
static void sfi_flag(sf_flow *f, uint32_t source)
{
    sfi_store(&f->sources[source].rung, 1);
    SFI_STEP("bell group");
    sfi_store(&f->groups[source / 64], 1);
}
static void sfi_wake(sfi_worker *w)
{
    uint32_t before;
    (void)sfi_add(&w->bells, 1);             /* who asks meanwhile whether all is over is to wait for them */
    while ((before = sfi_swap(&w->attention, SFI_ATTENTION_ALL)) >= SFI_ATTENTION_ONE) {
        SFI_STEP("number");
        sfi_flag(w->flow, before - SFI_ATTENTION_ONE);       /* instead of its number; and somebody is to look */
    }
    (void)sfi_add(&w->bells, (uint32_t)-1);
    sfi_tell(w);
}
static void sfi_wake_all(sf_flow *f)
{
    uint32_t i;
    for (i = 0; i < f->worker_count; i++) { sfi_wake(&f->workers[i]); }
}
static void sfi_bell_of(sf_flow *f, sfi_worker *w, uint32_t source)
{
    SFI_STEP("bell");
    if (sfi_cas(&w->attention, 0, SFI_ATTENTION_ONE + source)) {
        sfi_tell(w);
        return;
    }
    sfi_flag(f, source);
    sfi_wake(w);
}
static void sfi_bell(sf_flow *f, uint32_t source)
{
    sfi_bell_of(f, &f->workers[f->ops[f->sources[source].op]->home], source);
}

/* -- the locks of desks -- */

static void sfi_lock_desk(sfi_worker *w)
{
    uint32_t tries = 0;
    SFI_STEP("desk");
    while (sfi_swap(&w->lock, 1)) {
        while (sfi_load(&w->lock)) {
            if (++tries > 64) { sfi_yield(); } else { sfi_relax_core(); }
        }
    }
}
static uint64_t sfi_desk(const sfi_worker *w) { return (uint64_t)1 << w->index; }
static uint64_t sfi_all_desks(const sf_flow *f) { return UINT64_MAX >> (64 - f->worker_count); }
static void sfi_hold(sf_flow *f, uint64_t desks)             /* in this order: nobody waits in a circle */
{
    if (f->worker_count == 1) { return; }
    for (; desks; desks &= desks - 1) { sfi_lock_desk(&f->workers[sfi_lowest_bit(desks)]); }
}
/* Lets go, then tells the workers for whom something became ready meanwhile; not `self`, who is awake. */
static void sfi_let_go(sf_flow *f, uint64_t desks, const sfi_worker *self)
{
    uint64_t rouse = 0, left;
    if (f->worker_count == 1) { return; }
    for (left = desks; left; left &= left - 1) {
        sfi_worker *w = &f->workers[sfi_lowest_bit(left)];
        if (w->rouse) {
            w->rouse = false;
            if (w != self) { rouse |= left & (0 - left); }
        }
        sfi_store(&w->lock, 0);
    }
    for (; rouse; rouse &= rouse - 1) {
        sfi_tell(&f->workers[sfi_lowest_bit(rouse)]);
    }
}

/* >>ready --------------------------------------------------------------------------------------------- */

static bool sfi_op_active(const sfi_op *op)
{
    uint32_t state = SFI_GET(op->state);     /* who is taken along changes it without a lock */
    return state >= SF_OP_WAITING && state <= SF_OP_COMPUTING;
}
static bool sfi_is_at_work(const sfi_op *op) { return op->along || op->state == SF_OP_COMPUTING; }

/* All its conditions hold: to the end of the list of its priority, at its desk. */
static SFI_INLINE void sfi_ready_at(sfi_op *op)
{
    sfi_worker *w = op->desk;
    sfi_level *level = &w->levels[op->level];
    if (op->state != SF_OP_WAITING) { return; }
    SFI_SET(op->state, SF_OP_QUEUED);
    op->next = NULL;
    if (level->first) {
        level->last->next = op;
    } else {
        level->first = op;
        w->rouse = w->rouse || !w->level_mask;
        SFI_SET(w->level_mask, w->level_mask | (uint64_t)1 << op->level);
    }
    level->last = op;
}
static void sfi_ready(sfi_op *op) { sfi_ready_at(op); }
static void sfi_begin_commit(const sfi_op *op) { op->desk->commit++; }
static sfi_op *sfi_ahead(const sfi_worker *w, const sfi_level *level)
{
    return level->commit == w->commit ? level->ahead : NULL;
}
/* As sfi_ready(), but to the front: what was begun with is ended first. On one thread behind those that the same
   commit has put there, as they may be several. */
static void sfi_ready_first(sfi_op *op)
{
    sfi_worker *w = op->desk;
    sfi_level *level = &w->levels[op->level];
    sfi_op *ahead = sfi_ahead(w, level);
    if (op->state != SF_OP_WAITING) { return; }
    SF_ASSERT(!ahead || (ahead->state != SF_OP_WAITING && ahead->state != SF_OP_COMPUTING));
    if (w->flow->worker_count == 1) {
        level->ahead = op;
        level->commit = w->commit;
    }
    if (!level->first || level->last == ahead) {
        sfi_ready(op);
        return;
    }
    SFI_SET(op->state, SF_OP_QUEUED);
    op->next = ahead ? ahead->next : level->first;
    if (ahead) { ahead->next = op; } else { level->first = op; }
}
/* It has computed, and can again. Within a chain what was begun with is ended first: else each operator would keep
   what has gathered before it, and no message would go from hand to hand again. Others have their turn if it is
   heavy, or has not received what there was. */
static SFI_INLINE void sfi_ready_again(sfi_op *op)
{
    bool goes_first = op->follows && op->sample && op->in->count < op->in->there;
    if (goes_first) { sfi_ready_first(op); } else { sfi_ready_at(op); }
}
static void sfi_leave_level(sfi_worker *w, uint32_t l)       /* the first one of that list */
{
    sfi_level *level = &w->levels[l];
    level->first = level->first->next;
    if (!level->first) { SFI_SET(w->level_mask, w->level_mask & ~((uint64_t)1 << l)); }
}
static sfi_op *sfi_next_ready(sfi_worker *w)
{
    while (w->level_mask) {
        uint32_t l = (uint32_t)sfi_lowest_bit(w->level_mask);
        sfi_op *op = w->levels[l].first;
        sfi_leave_level(w, l);
        if (op->state != SF_OP_QUEUED) { continue; }         /* stopped meanwhile */
        SFI_SET(op->state, SF_OP_WAITING);
        if (!op->unmet) { return op; }       /* else a condition ceased to hold: whoever meets it brings it back */
    }
    return NULL;
}
static void sfi_met(sfi_op *op)
{
    if (!op->due) {
        sfi_ready(op);
    } else if (op->more->region->waits) {          /* its leader looks again */
        op->more->region->waits = false;
        op = op->pub.flow->ops[op->more->region->members[0]];
        if (--op->unmet == 0) { sfi_ready(op); }
    }
}
static void sfi_meet(sfi_op *op)
{
    SF_ASSERT(op->unmet > 0);
    if (--op->unmet == op->due) { sfi_met(op); }
}
/* There are as many messages as the consumer needs. If it waits for nothing else, it goes first. */
static void sfi_meet_consumer(const sfi_edge *e)
{
    sfi_op *op = e->consumer;
    SF_ASSERT(op->unmet > 0);
    if (--op->unmet != op->due) { return; }
    if (e->leads) { sfi_ready_first(op); } else { sfi_met(op); }
}

/* -- timers: a heap of operators by the time at which they want to be looked at -- */

static void sfi_timer_place(sfi_worker *w, uint32_t place, uint32_t op)
{
    w->timers[place] = op;
    w->flow->ops[op]->more->timer = place + 1;
}
static void sfi_timer_up(sfi_worker *w, uint32_t place)
{
    uint32_t op = w->timers[place];
    while (place && w->flow->ops[w->timers[(place - 1) / 2]]->more->wake > w->flow->ops[op]->more->wake) {
        sfi_timer_place(w, place, w->timers[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    sfi_timer_place(w, place, op);
}
static void sfi_timer_down(sfi_worker *w, uint32_t place)
{
    sfi_op *const *ops = w->flow->ops;
    uint32_t op = w->timers[place], child;
    while ((child = 2 * place + 1) < w->timer_count) {
        const uint32_t *two = &w->timers[child];
        if (child + 1 < w->timer_count && ops[two[1]]->more->wake < ops[two[0]]->more->wake) { child++; }
        if (ops[w->timers[child]]->more->wake >= ops[op]->more->wake) { break; }
        sfi_timer_place(w, place, w->timers[child]);
        place = child;
    }
    sfi_timer_place(w, place, op);
}
static void sfi_timer_set(sf_flow *f, sfi_op *op, int64_t wake)              /* SFI_NEVER: none */
{
    sfi_worker *w = &f->workers[op->home];
    uint32_t place = op->more->timer;
    w->run_on = 0;
    if (wake == SFI_NEVER && !place) { return; }
    op->more->wake = wake;
    if (wake == SFI_NEVER) {
        op->more->timer = 0;
        SFI_SET(w->timer_count, w->timer_count - 1);
        if (w->timer_count == place - 1) { return; }
        sfi_timer_place(w, place - 1, w->timers[w->timer_count]);
        sfi_timer_up(w, place - 1);
        sfi_timer_down(w, w->flow->ops[w->timers[place - 1]]->more->timer - 1);
    } else if (!place) {
        w->timers[w->timer_count] = sfi_op_index(op);
        w->rouse = true;                     /* it may have to get up earlier */
        SFI_SET(w->timer_count, w->timer_count + 1);
        sfi_timer_up(w, w->timer_count - 1);
    } else {
        w->rouse = true;
        sfi_timer_up(w, place - 1);
        sfi_timer_down(w, op->more->timer - 1);
    }
}

/* -- operators that the GPU holds up -- */

static void sfi_gpu_wait(sf_flow *f, sfi_op *op, sf_stream *blocker)
{
    sfi_worker *w = &f->workers[op->home];
    op->more->blocker = blocker;
    w->run_on = 0;
    if (op->gpu_wait || !blocker) { return; }
    SFI_SET(op->gpu_wait, true);
    w->gpu_waiters[w->gpu_waiter_count] = sfi_op_index(op);
    SFI_SET(w->gpu_waiter_count, w->gpu_waiter_count + 1);
    w->rouse = true;
}

/* >>conditions ---------------------------------------------------------------------------------------- */

static void sfi_end_soon(sf_flow *f, sfi_op *op);
static void sfi_keep_result(sf_flow *f, sf_result r);

static uint32_t sfi_queued(const sf_flow *f, const sfi_op *op, uint32_t ports)
{
    uint32_t n = 0, i, e;
    for (i = 0; i < op->input_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e]->next_input) { n += f->edges[e]->count; }
    }
    return n;
}
static bool sfi_batches_there(const sf_flow *f, const sfi_op *op, uint32_t ports)
{
    uint32_t i, e;
    for (i = 0; i < op->input_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            if (f->edges[e]->count < op->inputs[i].batch) { return false; }
        }
    }
    return true;
}
static int64_t sfi_oldest_arrival(const sf_flow *f, const sfi_op *op, uint32_t ports)
{
    int64_t oldest = SFI_NEVER;
    uint32_t i, e;
    for (i = 0; i < op->input_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            const sfi_edge *edge = f->edges[e];
            if (edge->count && edge->more->arrivals[edge->head - edge->ring] < oldest) {
                oldest = edge->more->arrivals[edge->head - edge->ring];
            }
        }
    }
    return oldest;
}
static bool sfi_room_for(const sf_flow *f, const sfi_op *op, uint32_t ports, uint32_t count)
{
    uint32_t i, e;
    for (i = 0; i < op->output_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->outputs[i].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            const sfi_edge *edge = f->edges[e];
            if (edge->overflow == SF_OVERFLOW_BLOCK && !edge->closed && edge->most - edge->count < count) {
                return false;
            }
        }
    }
    return true;
}
static bool sfi_memory_for(sf_flow *f, sfi_op *op, uint32_t ports, uint32_t count)
{
    sf_stream *blocker = NULL;
    uint32_t i;
    for (i = 0; i < op->output_count; i++) {
        const sfi_output *out = &op->outputs[i];
        uint32_t kept = out->supply->reserved ? 1 : 0;
        if (!(ports >> i & 1) || !out->supply->pool || count <= kept) { continue; }
        if (!sfi_pool_has(out->supply->pool, count - kept, out->supply->bytes, &blocker)) {
            sfi_gpu_wait(f, op, blocker);
            return false;
        }
    }
    return true;
}
/* SF_OK: the GPU is done with all messages on the ports. */
static sf_result sfi_messages_done(sf_flow *f, sfi_op *op, uint32_t ports)
{
    uint32_t i, e, m;
    for (i = 0; i < op->input_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            for (m = 0; m < f->edges[e]->count; m++) {
                sfi_point *p = &sfi_message_at(f->edges[e], m)->order;
                sf_result r = sfi_order_query(p);
                if (r == SF_NOT_READY) { sfi_gpu_wait(f, op, p->stream); }
                if (r != SF_OK) { return r; }
            }
        }
    }
    return SF_OK;
}

static sf_readiness sfi_by_time(int64_t when, int64_t now, int64_t *wake)
{
    if (now >= when) { return SF_READY; }
    if (when < *wake) { *wake = when; }
    return SF_WAIT;
}
static sf_readiness sfi_stream_readiness(sf_flow *f, sfi_op *op, uint32_t ports)
{
    sf_result r = sfi_messages_done(f, op, ports);
    char text[SFI_TEXT / 2];
    if (r < 0) {                             /* nobody would ever wake it: the fault ends the flow instead */
        sfi_copy_failure(f->device, text, sizeof text);
        (void)sfi_flow_fail(f, op, r, "SF_CONDITION_STREAM", "the GPU work behind its messages failed: %s. %s",
                            sf_result_string(r), text);
        sfi_keep_result(f, r);
        sfi_store(&f->stop, 1);
    }
    return r == SF_OK ? SF_READY : SF_WAIT;
}
static sf_readiness sfi_condition_state(sf_flow *f, sfi_op *op, sfi_condition *c, int64_t now, int64_t *wake)
{
    uint32_t in = sfi_condition_ports(c, op->input_count), out = sfi_condition_ports(c, op->output_count);
    int64_t oldest;
    bool enough;
    switch (c->is.kind) {
    case SF_CONDITION_COUNT: return op->pub.run < c->is.count ? SF_READY : SF_NEVER;
    case SF_CONDITION_PERIOD: return sfi_by_time(c->next, now, wake);
    case SF_CONDITION_TIME: return sfi_by_time(c->is.ns, now, wake);
    case SF_CONDITION_SIGNAL: return (sf_readiness)sfi_load(&c->signal);
    case SF_CONDITION_MESSAGES:
        enough = c->is.count ? sfi_queued(f, op, in) >= c->is.count : sfi_batches_there(f, op, in);
        if (enough || c->is.ns <= 0) { return enough ? SF_READY : SF_WAIT; }
        return sfi_by_time(sfi_deadline(op->more->last_run, c->is.ns), now, wake);
    case SF_CONDITION_EXPIRING:
        if (sfi_queued(f, op, in) >= c->is.count) { return SF_READY; }
        oldest = sfi_oldest_arrival(f, op, in);
        return oldest == SFI_NEVER ? SF_WAIT : sfi_by_time(sfi_deadline(oldest, c->is.ns), now, wake);
    case SF_CONDITION_ROOM: return sfi_room_for(f, op, out, c->is.count ? c->is.count : 1) ? SF_READY : SF_WAIT;
    case SF_CONDITION_MEMORY:
        c->lacks = !sfi_memory_for(f, op, out, c->is.count ? c->is.count : 1);
        return c->lacks ? SF_WAIT : SF_READY;
    case SF_CONDITION_STREAM: return sfi_stream_readiness(f, op, in);
    case SF_CONDITION_USER: {
        int64_t ask = SFI_NEVER;
        sf_readiness r = c->is.custom.check(c->is.custom.user, now, &ask);
        if (r == SF_WAIT && ask < *wake) { *wake = ask > now ? ask : now; }  /* else it came before all others */
        return r;
    }
    default: return SF_READY;
    }
}

/* The alternatives that begin at condition `first`: ready wins; never only if all are, or, as in GXF, one. */
static sf_readiness sfi_group_state(sf_flow *f, sfi_op *op, uint8_t first, int64_t now, int64_t *wake)
{
    uint8_t i, any = op->more->conditions[first].is.any;
    int64_t wake_any = SFI_NEVER;
    sf_readiness all = SF_NEVER;
    for (i = first; i < op->condition_count; i++) {
        sf_readiness one;
        if (i != first && (!any || op->more->conditions[i].is.any != any)) { continue; }
        one = sfi_condition_state(f, op, &op->more->conditions[i], now, &wake_any);
        if (one == SF_NEVER && f->gxf_or) { return SF_NEVER; }
        if (one == SF_READY || (one == SF_WAIT && all == SF_NEVER)) { all = one; }
    }
    if (all == SF_WAIT && wake_any < *wake) { *wake = wake_any; }
    return all;
}
static bool sfi_begins_group(const sfi_op *op, uint8_t i)
{
    uint8_t k;
    if (!op->more->conditions[i].is.any) { return true; }
    for (k = 0; k < i; k++) {
        if (op->more->conditions[k].is.any == op->more->conditions[i].is.any) { return false; }
    }
    return true;
}
static bool sfi_needs_clock(const sfi_op *op)
{
    uint8_t i;
    for (i = 0; i < op->condition_count; i++) {
        sf_condition_kind k = op->more->conditions[i].is.kind;
        if (k == SF_CONDITION_PERIOD || k == SF_CONDITION_TIME || k == SF_CONDITION_EXPIRING ||
            k == SF_CONDITION_USER || (k == SF_CONDITION_MESSAGES && op->more->conditions[i].is.ns > 0)) {
            return true;
        }
    }
    return false;
}

/* Looks at all conditions of the operator's own; together they count as one. */
static void sfi_look(sf_flow *f, sfi_op *op)
{
    int64_t wake = SFI_NEVER, now;
    sf_readiness all = SF_READY;
    uint8_t i;
    if (!op->extras || !sfi_op_active(op)) { return; }
    if (op->state == SF_OP_COMPUTING) { return; }            /* its end looks again: no function of its runs twice */
    if (op->ending) { return; }              /* never is never */
    now = sfi_needs_clock(op) ? sfi_flow_now(f) : 0;
    for (i = 0; i < op->condition_count && all != SF_NEVER; i++) {
        sf_readiness one;
        if (!sfi_begins_group(op, i)) { continue; }
        if (op->attempts && !sfi_asks_for_memory(op, i)) { continue; }      /* it runs on what there was */
        one = sfi_group_state(f, op, i, now, &wake);
        if (one != SF_READY) { all = one; }
    }
    sfi_timer_set(f, op, all == SF_WAIT ? wake : SFI_NEVER);
    if (all == SF_READY && !op->extras_met) {
        SFI_SET(op->extras_met, true);
        sfi_meet(op);
    } else if (all != SF_READY && op->extras_met) {
        SFI_SET(op->extras_met, false);
        op->unmet++;
    }
    if (all == SF_NEVER) { sfi_end_soon(f, op); }            /* it may be queued, but does not run again */
}

/* A signal for one compute is spent when that begins: one that comes meanwhile is for the next. */
static void sfi_spend_signals(sfi_op *op)
{
    uint8_t i;
    for (i = 0; i < op->condition_count; i++) {
        sfi_condition *c = &op->more->conditions[i];
        if (c->is.kind == SF_CONDITION_SIGNAL && !c->is.latch) { (void)sfi_cas(&c->signal, SF_READY, SF_WAIT); }
    }
}
/* The operator ran: periods move on, users' conditions are told. */
static void sfi_conditions_executed(sf_flow *f, sfi_op *op)
{
    int64_t now = sfi_needs_clock(op) ? sfi_flow_now(f) : 0, began = op->more->began;
    uint8_t i;
    op->more->last_run = now;
    for (i = 0; i < op->condition_count; i++) {
        sfi_condition *c = &op->more->conditions[i];
        if (c->is.kind == SF_CONDITION_PERIOD && began >= c->next) {         /* a run before its time is another's */
            if (c->is.catch_up == SF_CATCH_UP_MIN_BETWEEN) {
                c->next = began;
            } else if (c->is.catch_up == SF_CATCH_UP_SKIP_MISSED) {
                c->next += (now - c->next) / c->is.ns * c->is.ns;
            }
            c->next = sfi_deadline(c->next, c->is.ns);
        } else if (c->is.kind == SF_CONDITION_USER && c->is.custom.on_execute) {
            c->is.custom.on_execute(c->is.custom.user, now);
        }
    }
}

/* >>messages ------------------------------------------------------------------------------------------ */

static sfi_tensor *sfi_message_tensor(const sfi_message *m)  /* NULL: a value */
{
    return m->kind == SFI_TENSOR ? (sfi_tensor *)((sf_tensor *)m->value.ptr)->owner : NULL;
}
static void sfi_message_plain(sfi_message *m)                /* a value, and nothing travels along */
{
    m->order.stream = NULL;
    m->entries = 0;
    m->kind = SFI_VALUE;
    m->labels = 0;
    m->hidden = false;
}
static void sfi_message_behind(sfi_message *m, sf_stream *s, uint64_t number)          /* carries that stream */
{
    m->order.stream = s;
    m->order.number = number;
    m->hidden = s == s->device->legacy;
}
static void sfi_message_release(const sfi_message *m)
{
    if (m->kind == SFI_TENSOR) { sf_tensor_release((sf_tensor *)m->value.ptr); }
}
static void sfi_trace_add(sf_flow *f, const sfi_trace *t)
{
    if (!f->trace) { return; }
    sfi_spin_lock(&f->tracking);
    f->trace[f->trace_count++ % f->trace_room] = *t;
    sfi_spin_unlock(&f->tracking);
}
static void sfi_trace_message(sf_flow *f, sfi_trace_kind kind, const sfi_edge *e, uint64_t number, int64_t time,
                              uint32_t row)
{
    sfi_trace t;
    sfi_zero(&t, sizeof t);
    t.kind = (uint8_t)kind;
    t.op = e->to;
    t.edge = e->index;
    t.number = number;
    t.depth = e->count;
    t.time = time;
    t.row = row;
    sfi_trace_add(f, &t);
}

/* -- bridges: sides, their desk held -- */

static void sfi_edge_arrived(sf_flow *f, sfi_edge *e);

/* Something that this side has not seen: the next message; or what the consumer has taken. */
static bool sfi_has_news(const sfi_edge *e)
{
    uint32_t seen = SFI_GET(e->absorbed);
    const sfi_place *next;
    if (!e->consumer) { return sfi_load_ordered(e->bridge->taken) != seen; }
    next = SFI_GET(e->tail);
    return sfi_load_ordered(&next->number) == seen + 1;
}
static bool sfi_is_stuck(const sfi_edge *e) { return e->consumer ? !e->count : e->count == e->full; }
/* Takes in what the other side has done. */
static void sfi_take_in(sf_flow *f, sfi_edge *e)
{
    uint32_t now, n;
    bool was_full = e->count == e->full;
    if (e->consumer) {
        while (sfi_has_news(e)) {
            SFI_SET(e->absorbed, e->absorbed + 1);
            sfi_edge_arrived(f, e);
        }
        return;
    }
    now = sfi_load(e->bridge->taken);
    n = now - e->absorbed;
    SFI_SET(e->absorbed, now);
    if (!n) { return; }
    SFI_SET(e->count, e->count - n);
    e->head = sfi_place_at(e, n);
    if (was_full) { sfi_meet(e->producer); }
}
/* It cannot go on: from here on the other side rings. */
static void sfi_ask_to_be_rung(sf_flow *f, sfi_edge *e)
{
    sfi_store_ordered(e->consumer ? &e->bridge->ring_consumer : &e->bridge->ring_producer, 1);
    SFI_STEP("bridge");
    if (sfi_has_news(e)) { sfi_take_in(f, e); }
}
/* Or its worker looks, if that is who runs it and has time: w. */
static void sfi_watch(sf_flow *f, sfi_edge *e, sfi_worker *w)
{
    uint32_t n = w ? w->watched_count : (uint32_t)SFI_WATCHED, i;
    for (i = 0; w && i < n; i++) {
        if (w->watched[i] == e) { return; }
    }
    if (n == SFI_WATCHED) {
        sfi_ask_to_be_rung(f, e);
    } else {
        SFI_SET(w->watched[n], e);
        SFI_SET(w->watched_count, n + 1);
    }
}
/* Looks at those that are watched; `rung`: for the last time. */
static void sfi_look_across(sfi_worker *w, bool rung)
{
    uint32_t n = w->watched_count, left = 0, i;
    for (i = 0; i < n; i++) {
        sfi_edge *e = w->watched[i];
        if (sfi_has_news(e)) { sfi_take_in(w->flow, e); }
        if (!sfi_is_stuck(e)) { continue; }
        if (rung) {
            sfi_ask_to_be_rung(w->flow, e);
        } else {
            SFI_SET(w->watched[left], e);
            left++;
        }
    }
    SFI_SET(w->watched_count, left);
}
static bool sfi_any_news(const sfi_worker *w)                /* as far as another thread can see */
{
    uint32_t n = SFI_GET(w->watched_count), i;
    for (i = 0; i < n && !sfi_has_news(SFI_GET(w->watched[i])); i++) {}
    return i < n;
}
static void sfi_ring_across(sf_flow *f, sfi_atomic32 *asked, uint32_t op)
{
    if (sfi_load_ordered(asked) && sfi_swap(asked, 0)) { sfi_bell(f, f->ops[op]->memory_source); }
}
static void sfi_bridge_sent(sf_flow *f, sfi_edge *e, sfi_worker *w)          /* one message, in the ring already */
{
    sfi_place *last = e->tail == e->ring ? e->end - 1 : e->tail - 1;
    (void)sfi_swap(&last->number, (uint32_t)e->messages);    /* ordered against the consumer's asking */
    sfi_ring_across(f, &e->bridge->ring_consumer, e->to);
    if (e->count == e->full) { sfi_take_in(f, e); }
    if (e->count == e->full) { sfi_watch(f, e, w); }
}
/* What the consumer has taken out, as far as `least` messages of it are not known to the producer yet: who waits for
   room looks at that number all the time, so that to change it costs a line's way to and fro. */
static void sfi_publish_taken(sf_flow *f, sfi_edge *e, uint32_t least)
{
    sfi_bridge *b = e->bridge;
    uint32_t taken = e->absorbed - e->count;
    if (taken - sfi_load(b->taken) < least) { return; }
    (void)sfi_swap(b->taken, taken);         /* ordered against the producer's asking */
    sfi_ring_across(f, &b->ring_producer, e->from);
}
static void sfi_bridge_taken(sf_flow *f, sfi_edge *e, uint32_t least, sfi_worker *w)
{
    sfi_publish_taken(f, e, least);
    if (!e->count) { sfi_take_in(f, e); }
    if (!e->count) { sfi_watch(f, e, w); }
}
/* What came over a bridge or from outside is out of its queue: whoever put it there has room again. */
static void sfi_tell_taken(sf_flow *f, sfi_edge *e, uint32_t n, sfi_worker *w)
{
    if (e->bridge) {
        sfi_bridge_taken(f, e, 1, w);
    } else {
        sfi_store(e->more->popped, sfi_load(e->more->popped) + n);
    }
}
static void sfi_hear_across(sf_flow *f, sfi_edge *e)         /* rung for */
{
    if (!e || !e->bridge) { return; }
    sfi_take_in(f, e);
    if (sfi_is_stuck(e)) { sfi_ask_to_be_rung(f, e); }
}

/* -- queues -- */

/* Takes n messages from the front, with what that means for both ends. The messages are the caller's. */
static void sfi_edge_pop(sf_flow *f, sfi_edge *e, uint32_t n)
{
    uint32_t was = e->count;
    if (!n) { return; }
    e->head = sfi_place_at(e, n);
    SFI_SET_BEHIND(e->count, was - n);       /* its places have been read */
    if (was >= e->wakes && was - n < e->wakes) { e->consumer->unmet++; }
    if (!e->producer) {
        sfi_tell_taken(f, e, n, NULL);
    } else if (e->overflow == SF_OVERFLOW_BLOCK && !e->closed) {
        if (was == e->full) { sfi_meet(e->producer); }
        if (e->seen_before) { sfi_look(f, e->producer); }
    }
}
/* One more message is in the ring, at its end. */
static void sfi_edge_arrived(sf_flow *f, sfi_edge *e)
{
    uint32_t count;
    if (!e->consumer) { sfi_take_in(f, e); }
    count = e->count + 1;
    if (e->more->arrivals) { e->more->arrivals[sfi_place_at(e, e->count) - e->ring] = sfi_flow_now(f); }
    SFI_SET(e->tail, sfi_place_after(e, e->tail));
    SFI_SET(e->count, count);
    SFI_BUMP(e->messages);
    if (count - e->lent > e->high) { SFI_SET(e->high, count - e->lent); }
    if (count == e->full) { e->producer->unmet++; }
    if (!e->consumer) { sfi_bridge_sent(f, e, NULL); }
    if (count == e->wakes) { sfi_meet_consumer(e); }
    if (e->seen_behind) { sfi_look(f, e->consumer); }
}
static void sfi_edge_drop(sf_flow *f, sfi_edge *e, const sfi_message *m, uint64_t *counter)
{
    sfi_message_release(m);
    SFI_SET(*counter, *counter + 1);
    sfi_add64(&f->dropped, 1);
    if (f->trace) { sfi_trace_message(f, SFI_TRACE_DROP, e, e->messages, sfi_flow_now(f), 0); }
}
/* Room for one more: the oldest message goes that no compute is looking at. */
static void sfi_edge_drop_oldest(sf_flow *f, sfi_edge *e)
{
    uint32_t n;
    sfi_edge_drop(f, e, sfi_message_at(e, e->lent), &e->dropped);
    if (!e->lent) {
        sfi_edge_pop(f, e, 1);
        return;
    }
    for (n = e->lent; n + 1 < e->count; n++) {
        sfi_message *to = sfi_message_at(e, n), *from = sfi_message_at(e, n + 1);
        size_t i = sfi_place_of(e, to), k = sfi_place_of(e, from), max = f->entries_max;
        const sfi_edge_more *of = e->more;
        *to = *from;
        if (from->entries) { sfi_copy(of->entries + i * max, of->entries + k * max, max * sizeof *of->entries); }
        if (from->labels) {
            sfi_copy(of->labels + i * SFI_LABELS, of->labels + k * SFI_LABELS, from->labels * sizeof *of->labels);
        }
        if (of->arrivals) { of->arrivals[i] = of->arrivals[k]; }
    }
    SFI_SET(e->count, e->count - 1);         /* still more than a compute needs */
}
static void sfi_edge_push(sf_flow *f, sfi_edge *e, const sfi_message *m, const sfi_turn *turn)
{
    bool latest = e->overflow == SF_OVERFLOW_LATEST;
    sfi_message *slot;
    if (!e->consumer) { sfi_take_in(f, e); }
    if (e->closed) {
        sfi_edge_drop(f, e, m, &e->refused);
        return;
    }
    if (latest && e->count > e->lent) {      /* written over in place */
        slot = sfi_message_at(e, e->lent);
        if (e->more->arrivals) { e->more->arrivals[sfi_place_of(e, slot)] = sfi_flow_now(f); }
        if (e->read) { sfi_message_release(slot); } else { sfi_edge_drop(f, e, slot, &e->dropped); }
        SFI_BUMP(e->messages);
    } else {
        if (latest && e->count) { e->lent_read = e->read; }
        latest = false;
        if (e->count - e->lent >= e->most) {
            if (e->overflow != SF_OVERFLOW_DROP_OLDEST) {
                sfi_edge_drop(f, e, m, &e->refused);
                return;
            }
            sfi_edge_drop_oldest(f, e);
        }
        slot = sfi_message_at(e, e->count);
    }
    *slot = *m;
    if (m->entries) {
        sfi_copy(e->more->entries + sfi_place_of(e, slot) * f->entries_max, turn->entries,
                 m->entries * sizeof *turn->entries);
    }
    if (m->labels) {
        sfi_copy(e->more->labels + sfi_place_of(e, slot) * SFI_LABELS, turn->labels,
                 m->labels * sizeof *turn->labels);
    }
    e->read = false;
    if (!latest) {
        sfi_edge_arrived(f, e);
    } else if (e->seen_behind) {
        sfi_look(f, e->consumer);            /* it is younger than the one before it */
    }
}
/* The compute is over: what it received goes, and of what came meanwhile no more stays than the capacity. */
static void sfi_edge_settle(sf_flow *f, sfi_edge *e)
{
    uint32_t taken = e->taken, lent = e->lent, m;
    e->taken = e->lent = 0;
    if (e->overflow == SF_OVERFLOW_LATEST) {                 /* stays, unless there is a later one */
        if (!lent || e->count == lent) {
            e->read = e->read || taken;
            return;
        }
        if (!taken && !e->lent_read) {
            sfi_edge_drop(f, e, sfi_message_at(e, 0), &e->dropped);
        } else {
            sfi_message_release(sfi_message_at(e, 0));
        }
        sfi_edge_pop(f, e, 1);
        return;
    }
    for (m = 0; m < taken; m++) {
        const sfi_message *message = sfi_message_at(e, m);
        if (message->kind == SFI_TENSOR) { sfi_message_release(message); }
    }
    sfi_edge_pop(f, e, taken);
    while (e->overflow == SF_OVERFLOW_DROP_OLDEST && e->count > e->most) { sfi_edge_drop_oldest(f, e); }
}
static void sfi_edge_clear(sf_flow *f, sfi_edge *e, bool count)
{
    e->lent = 0;
    while (e->count) {
        sfi_message m = *sfi_message_at(e, 0);
        if (count && e->overflow != SF_OVERFLOW_LATEST) {
            sfi_edge_drop(f, e, &m, &e->dropped);
        } else {
            sfi_message_release(&m);
        }
        sfi_edge_pop(f, e, 1);
    }
}

static void sfi_edge_close(sfi_edge *e)
{
    SFI_SET(e->closed, true);
    SFI_SET(sfi_front(e)->closed, true);
    if (e->more->inlet) { sfi_store(&e->more->inlet->closed, 1); }
}
/* >>ending -------------------------------------------------------------------------------------------- */

/* An operator that runs no more takes no messages either: its queues are emptied, and whoever works for it alone
   ends, too. A list, not a recursion: chains may be long. */
static bool sfi_op_needed(const sf_flow *f, const sfi_op *op) /* it has no edges, or one that is open */
{
    bool any = false;
    uint32_t o, e;
    for (o = 0; o < op->output_count; o++) {
        for (e = op->outputs[o].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            if (!f->edges[e]->closed && f->edges[e]->from != f->edges[e]->to) { return true; }
            any = any || f->edges[e]->from != f->edges[e]->to;
        }
    }
    for (e = op->more->first_control; e != SFI_NONE; e = f->edges[e]->next_output) {
        if (sfi_op_active(f->ops[f->edges[e]->to])) { return true; }
        any = true;
    }
    return !any;
}
static bool sfi_may_end(const sfi_op *op)                    /* is not at work, nor in the list */
{
    return sfi_op_active(op) && !sfi_is_at_work(op) && !op->mark;
}
static void sfi_list_end(sfi_op *op, uint32_t *list)
{
    op->mark = *list ? *list : SFI_NONE;
    *list = sfi_op_index(op) + 1;
}
static void sfi_end_if_idle(const sf_flow *f, sfi_op *from, uint32_t *list)  /* it has nobody to work for any more */
{
    if (sfi_may_end(from) && !sfi_op_needed(f, from)) { sfi_list_end(from, list); }
}
static void sfi_op_close_inputs(sf_flow *f, sfi_op *op, uint32_t *list)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            sfi_edge *edge = f->edges[e];
            if (!edge->producer) { sfi_take_in(f, edge); }
            sfi_edge_clear(f, edge, true);
            sfi_edge_close(edge);
            if (sfi_front(edge)->producer) { SFI_SET(sfi_front(edge)->producer->ends, true); }
            if (edge->from != SFI_NONE) { sfi_end_if_idle(f, f->ops[edge->from], list); }
        }
    }
    for (e = op->more->first_control_in; e != SFI_NONE; e = f->edges[e]->next_input) {
        sfi_end_if_idle(f, f->ops[f->edges[e]->from], list);
    }
}
static bool sfi_op_is_alive(const sfi_op *op)                /* something outside may still set it going */
{
    int p;
    if (op->given_up) { return false; }
    for (p = 0; p < op->input_count; p++) {
        if (op->inputs[p].external) { return true; }
    }
    for (p = 0; p < op->condition_count; p++) {
        sf_condition_kind kind = op->more->conditions[p].is.kind;
        if (kind == SF_CONDITION_SIGNAL || kind == SF_CONDITION_USER) { return true; }
    }
    return false;
}
static void sfi_memory_resume(sfi_op *op, bool meet)
{
    if (!op->memory_wait) { return; }
    SFI_SET(op->memory_wait, false);
    (void)sfi_add(&op->more->waits_pool->waiting, (uint32_t)-1);
    SFI_SET(op->more->waits_pool, NULL);
    if (meet) { sfi_meet(op); } else { op->unmet--; }
}
static void sfi_op_end(sf_flow *f, sfi_op *op, sf_op_state state)            /* all desks held */
{
    uint32_t list = sfi_op_index(op) + 1, k;
    op->mark = 0;
    while (list) {
        sfi_op *end = f->ops[list - 1];
        list = end->mark == SFI_NONE ? 0 : end->mark;
        end->mark = 0;
        if (!sfi_op_active(end)) { continue; }
        SFI_SET(end->state, end == op ? state : SF_OP_STOPPED);
        f->alive -= sfi_op_is_alive(end);
        f->fed_alive -= sfi_op_is_alive(end) && end->input_count;
        f->any_ended = true;
        SFI_SET(f->any_closed, true);
        sfi_memory_resume(end, false);
        sfi_timer_set(f, end, SFI_NEVER);
        sfi_op_close_inputs(f, end, &list);
        for (k = 0; end->more->region && k < end->more->region->count; k++) {            /* which ends as a whole */
            sfi_op *member = f->ops[end->more->region->members[k]];
            if (sfi_may_end(member)) { sfi_list_end(member, &list); }
        }
    }
}
/* An operator is to end: at once where nobody is to be asked, else by its worker, who takes all the locks for it. */
static void sfi_end_soon(sf_flow *f, sfi_op *op)
{
    sfi_worker *w = &f->workers[op->home];
    if (f->worker_count == 1) {
        sfi_op_end(f, op, SF_OP_STOPPED);
    } else if (!op->ending) {
        op->ending = w->rouse = true;
        op->link = w->ending;
        SFI_SET(w->ending, sfi_op_index(op));
    }
}
static void sfi_end_listed(sfi_worker *w)                    /* all desks held */
{
    sf_flow *f = w->flow;
#ifndef SF_NO_THREADS
    (void)sfi_add(&f->activity, 1);          /* this may be the last that was missing */
#endif
    while (w->ending != SFI_NONE) {
        sfi_op *op = f->ops[w->ending];
        SFI_SET(w->ending, op->link);
        op->ending = false;
        if (sfi_is_at_work(op)) {            /* once it is back */
            sfi_store(&op->asked_to_stop, 1);
            sfi_store(&w->recalled, 1);
        } else if (sfi_op_active(op)) {
            sfi_op_end(f, op, SF_OP_STOPPED);
        }
    }
}

/* The first failure decides the run's result. It is told before. */
static void sfi_keep_result(sf_flow *f, sf_result r)
{
    sfi_lock(&f->lock);
    if (f->result >= 0) { f->result = f->sealed ? f->failure.now.result : r; }
    sfi_unlock(&f->lock);
}

/* >>engine -------------------------------------------------------------------------------------------- */

/* -- admission: an operator that runs has the memory for what it emits -- */

static sf_result sfi_reserve(sfi_output *out, sf_stream **blocker)
{
    sf_mem_pool *pool = out->supply->pool;
    if (!pool || out->any_memory || pool->desc.fail_when_empty || out->supply->reserved) { return SF_OK; }
    if (pool->desc.kind != SF_MEM_POOL_BLOCKS) {
        return sfi_pool_has(pool, 1, out->supply->bytes, blocker) ? SF_OK : SF_ERROR_POOL_EXHAUSTED;
    }
    return sfi_pool_take(pool, pool->desc.block_bytes, NULL, &out->supply->reserved, blocker);
}
static void sfi_unreserve(sfi_op *op)
{
    int p;
    for (p = 0; p < op->output_count; p++) {
        if (op->outputs[p].supply->reserved) {
            sf_tensor *t = &op->outputs[p].supply->reserved->pub;
            op->outputs[p].supply->reserved = NULL;
            sf_tensor_release(t);
        }
    }
}
/* All or nothing: who kept one block while waiting for another might wait for somebody who does the same. `missing`:
   which pool had none. */
static sf_result sfi_reserve_all(sfi_op *op, sf_stream **blocker, sf_mem_pool **missing)
{
    sf_result r = SF_OK;
    int p, k;
    for (p = 0; p < op->output_count && r == SF_OK; p++) {
        sfi_output *out = &op->outputs[p];
        uint32_t same = 0;
        if (!out->supply->pool || out->supply->reserved) { continue; }
        *missing = out->supply->pool;
        for (k = p; k < op->output_count; k++) {
            same += op->outputs[k].supply->pool == out->supply->pool && !op->outputs[k].supply->reserved;
        }
        if (same > 1 && !out->any_memory && !out->supply->pool->desc.fail_when_empty &&
            !sfi_pool_has(out->supply->pool, same, out->supply->bytes, blocker)) {
            r = SF_ERROR_POOL_EXHAUSTED;
        } else {
            r = sfi_reserve(out, blocker);
        }
    }
    if (r != SF_OK) { sfi_unreserve(op); }
    return r;
}
static bool sfi_admit_one(sf_flow *f, sfi_op *op)
{
    sf_mem_pool *missing = NULL;
    sf_stream *blocker = NULL;
    int p;
    for (p = 0; p < op->output_count; p++) {                 /* a pool that others share may be empty by now */
        if (!op->outputs[p].custom_memory) { continue; }
        sfi_look(f, op);
        if (op->unmet != op->due || !sfi_op_active(op)) { return false; }
        break;
    }
    while (sfi_reserve_all(op, &blocker, &missing) != SF_OK) {
        sf_mem_pool *pool = missing;
        SFI_SET(op->memory_wait, true);
        SFI_SET(op->more->waits_pool, pool);
        op->unmet++;
        (void)sfi_add(&pool->waiting, 1);
        SFI_STEP("memory wait");
        if (sfi_reserve_all(op, &blocker, &missing) != SF_OK && missing == pool) {
            sfi_gpu_wait(f, op, blocker);
            return false;
        }
        sfi_memory_resume(op, false);        /* it came back meanwhile, or another is missing now */
    }
    return true;
}

/* A region runs if all of its operators can; else its leader waits for the others. */
static bool sfi_admit_region(sf_flow *f, sfi_region *g)
{
    sfi_op *leader = f->ops[g->members[0]], *op = leader;
    uint32_t k;
    for (k = 0; k < g->count; k++) {
        op = f->ops[g->members[k]];
        if (!sfi_op_active(op) || op->unmet != op->due) { break; }
    }
    if (k == g->count) {
        for (k = 0; k < g->count; k++) {
            op = f->ops[g->members[k]];
            if (!sfi_admit_one(f, op)) { break; }
        }
        if (k == g->count) { return true; }
        for (k = 0; k < g->count; k++) { sfi_unreserve(f->ops[g->members[k]]); }    /* others may need it to go on */
    }
    if (!sfi_op_active(op)) {
        sfi_end_soon(f, leader);
    } else if (op != leader) {
        g->waits = true;
        leader->unmet++;
    }
    return false;
}
static bool sfi_admit(sf_flow *f, sfi_op *op)
{
    return op->more->region ? sfi_admit_region(f, op->more->region) : sfi_admit_one(f, op);
}

/* -- one turn -- */

static void sfi_turn_reset(sfi_turn *t, sfi_op *op)
{
    t->op = op;
    t->error = SF_OK;
    t->stream = NULL;
    t->hidden = t->routed = t->used_memory = t->time_set = t->tensors = false;
    t->handed_count = t->staged_count = t->entry_count = t->direct = t->unheard = 0;
    t->created = NULL;
    t->time = t->end = -1;
    op->turn = t;
    op->quick = 0;
}
static void sfi_turn_begin(sf_flow *f, sfi_op *op, sf_hook hook, sfi_turn *t)
{
    uint32_t e;
    int p;
    sfi_turn_reset(t, op);
    t->flow = f;
    t->hook = hook;
    t->label_count = 0;
    t->stamp = NULL;
    t->unusual = op->way == SFI_LONG_WAY || hook != SF_HOOK_BEGIN;
    if (op->attempts) { return; }            /* what is tried again sees what it saw */
    for (p = 0; p < op->input_count; p++) {  /* what comes meanwhile is for the next one */
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            f->edges[e]->there = f->edges[e]->count;
            if (f->edges[e]->room > f->edges[e]->most) { f->edges[e]->lent = f->edges[e]->count; }
        }
    }
}

/* Behind a compute nothing is left of it, so that the next one has nothing to look for. */
static void sfi_turn_clear(const sf_flow *f, sfi_op *op)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        sfi_input *in = &op->inputs[p];
        in->asked = false;
        in->latest = NULL;
        in->cursor = in->first;
        in->lap = 0;
        for (e = in->first; e != SFI_NONE; e = f->edges[e]->next_input) {
            f->edges[e]->taken = f->edges[e]->ordered = 0;
        }
    }
    for (p = 0; p < op->output_count; p++) {
        op->outputs[p].stream = NULL;
        op->outputs[p].staged = op->outputs[p].laid = 0;
    }
    op->error_counted = false;
}

/* The first stream that was handed out on which a call failed, and what its device says. */
static const sf_stream *sfi_misused(const sfi_turn *t, char *text, size_t size)
{
    uint32_t i;
    text[0] = 0;
    for (i = 0; i < t->handed_count; i++) {
        const sf_stream *s = t->handed[i];
        if (sfi_load(&s->order.misuses) == t->misuses[i]) { continue; }
        sfi_copy_failure(s->device, text, size);
        return s;
    }
    return NULL;
}
static sf_result sfi_misuse(sf_flow *f, sfi_op *op)
{
    const sfi_turn *t = op->turn;
    char text[SFI_TEXT / 2];
    const sf_stream *s = sfi_misused(t, text, sizeof text);
    sf_result r = s ? (sf_result)sfi_load(&s->order.last_misuse) : SF_OK;
    if (!s) { return SF_OK; }
    op->error_counted = true;
    return sfi_flow_fail(f, op, r, t->hook == SF_HOOK_START  ? "start"
                                   : t->hook == SF_HOOK_STOP ? "stop"
                                                             : "compute",
                         "a call on its stream failed, %s. %s", sf_result_string(r), text);
}
/* A hook that returned an error, mostly that of a call on its stream: then the reason is the device's. */
static void sfi_tell_returned(sf_flow *f, const sfi_op *op, const sfi_turn *t, sf_result r, const char *call)
{
    char text[SFI_TEXT / 2];
    const sf_stream *s = sfi_misused(t, text, sizeof text);
    (void)sfi_flow_fail(f, op, r, call, "it returned %d, %s%s%s", (int)r, sf_result_string(r), s ? ". " : "", text);
}
static uint32_t sfi_handed_index(const sfi_turn *t, const sf_stream *s)
{
    uint32_t i;
    for (i = 0; i < t->handed_count && t->handed[i] != s; i++) {}
    return i;
}
static bool sfi_tracked(const sfi_tensor *t) { return t->user_room && (t->pool || t->release); }

/* Calls `each` for all messages that this compute received. */
typedef bool (*sfi_each_message)(sfi_turn *turn, sfi_message *m, void *arg);
static bool sfi_each_received(sfi_turn *turn, sfi_each_message each, void *arg)
{
    sf_flow *f = turn->flow;
    uint32_t e, m;
    int p;
    for (p = 0; p < turn->op->input_count; p++) {
        for (e = turn->op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            for (m = 0; m < f->edges[e]->taken; m++) {
                if (each(turn, sfi_message_at(f->edges[e], m), arg)) { return true; }
            }
        }
    }
    return false;
}

static sfi_region *sfi_region_of(const sfi_turn *turn)       /* whose graph has what the compute launched */
{
    return turn->hook == SF_HOOK_BEGIN ? turn->op->more->region : NULL;
}
/* Whether a received buffer's owner has to learn when this compute's work on `stream` is done. Where the region has
   its record already, it costs nothing, and the buffer asks for no other. */
static bool sfi_needs_point(sfi_turn *turn, sfi_message *m, void *stream)
{
    const sfi_tensor *t = sfi_message_tensor(m);
    const sfi_region *g;
    if (!t || !sfi_tracked(t)) { return false; }
    if (m->order.stream != stream || !t->pool || sfi_cpu_visible(t->pool->desc.memory)) { return true; }
    g = sfi_region_of(turn);
    return g && g->recorded;
}
static void sfi_used_by_all(const sfi_turn *turn, sfi_tensor *t)             /* streams that the compute was given */
{
    uint32_t i;
    for (i = 0; t && sfi_tracked(t) && i < turn->handed_count; i++) {
        sfi_point by;
        by.stream = turn->handed[i];
        by.number = turn->recorded[i];
        (void)sfi_tensor_use(t, by);
    }
}
static bool sfi_add_users(sfi_turn *turn, sfi_message *m, void *arg)
{
    (void)arg;
    sfi_used_by_all(turn, sfi_message_tensor(m));
    return false;
}
/* Tells all buffers that the compute received, created or is about to emit. */
static void sfi_tell_buffers(sfi_turn *turn)
{
    sfi_tensor *t;
    uint32_t i;
    for (t = turn->created; t; t = t->next) { sfi_used_by_all(turn, t); }
    for (i = 0; i < turn->staged_count; i++) { sfi_used_by_all(turn, sfi_message_tensor(&turn->staged[i].message)); }
    if (turn->tensors) { (void)sfi_each_received(turn, sfi_add_users, NULL); }
}
static sf_stream *sfi_output_stream(const sfi_turn *turn, uint32_t output)   /* that its messages carry */
{
    sf_stream *set = turn->op->outputs[output].stream;
    return set ? set : turn->stream;
}
static sf_result sfi_record_once(sfi_turn *turn, sf_stream *stream)
{
    uint32_t i = sfi_handed_index(turn, stream);
    sfi_region *g = sfi_region_of(turn);
    sf_result r;
    if (i == turn->handed_count || turn->recorded[i]) { return SF_OK; }
    if (g && g->recorded) { return turn->recorded[i] = g->recorded, SF_OK; }  /* behind the graph, once for all */
    r = sfi_order_record(stream, &turn->recorded[i]);
    if (g) { g->recorded = turn->recorded[i]; }
    return r;
}

static sf_result sfi_record_for(sfi_turn *turn, uint32_t output)     /* its messages */
{
    sf_stream *s = sfi_output_stream(turn, output);
    return s && !turn->op->outputs[output].quiet ? sfi_record_once(turn, s) : SF_OK;
}
/* Records what the compute enqueued, once per stream that matters to others, and tells the buffers. */
static sf_result sfi_commit_order(sfi_turn *turn)
{
    sf_result r = SF_OK;
    sf_stream *main = turn->stream ? turn->stream : turn->handed_count ? turn->handed[0] : NULL;
    sfi_tensor *t;
    uint32_t left, i;
    if (!turn->handed_count) { return SF_OK; }
    for (i = 0; i < turn->staged_count && r >= 0; i++) {     /* forwarded, but not waited for: our stream must */
        sf_stream *s = sfi_output_stream(turn, turn->staged[i].output);
        if (s) { r = sfi_order_wait(s, &turn->staged[i].message.order); }
    }
    if (turn->stamp && r >= 0) { r = sf_event_record(turn->stamp->end, main); }
    for (i = 0; i < turn->staged_count && r >= 0; i++) { r = sfi_record_for(turn, turn->staged[i].output); }
    for (left = turn->direct; left && r >= 0; left &= left - 1) {
        r = sfi_record_for(turn, (uint32_t)sfi_lowest_bit(left));
    }
    if (r >= 0 && turn->tensors && sfi_each_received(turn, sfi_needs_point, main)) {
        r = sfi_record_once(turn, main);
    }
    for (t = turn->created; t; t = t->next) { t->user_count = 0; }   /* they are behind what we enqueued */
    sfi_tell_buffers(turn);
    return r;
}

static void sfi_histogram_add(sfi_histogram *h, int64_t v)
{
    uint32_t exponent = 0, bucket;
    uint64_t x = v < 0 ? 0 : (uint64_t)v;
    while (x >> exponent >= 32) { exponent++; }
    bucket = x < 16 ? (uint32_t)x : exponent * 16 + (uint32_t)(x >> exponent);       /* 16 steps per doubling */
    if (bucket >= SFI_BUCKETS) { bucket = SFI_BUCKETS - 1; }
    SFI_BUMP(h->bucket[bucket]);
    if (!h->count || v < h->min) { SFI_SET(h->min, v); }
    if (v > h->max) { SFI_SET(h->max, v); }
    SFI_SET(h->sum, h->sum + x);
    SFI_BUMP(h->count);
}
static int64_t sfi_bucket_value(uint32_t b)
{
    uint32_t exponent = b < 32 ? 0 : b / 16 - 1;
    return (int64_t)(b - exponent * 16) << exponent;
}
static int64_t sfi_percentile(const sfi_histogram *h, uint64_t count, uint32_t per_mille)
{
    uint64_t want = (count * per_mille + 999) / 1000, seen = 0;
    int64_t value;
    uint32_t b;
    for (b = 0; b < SFI_BUCKETS; b++) {
        seen += SFI_GET(h->bucket[b]);
        if (seen >= want) { break; }
    }
    value = b < SFI_BUCKETS - 1 ? sfi_bucket_value(b) : SFI_GET(h->max);     /* the last one has no end */
    return value < SFI_GET(h->min) ? SFI_GET(h->min) : value > SFI_GET(h->max) ? SFI_GET(h->max) : value;
}
static void sfi_histogram_read(const sfi_histogram *h, sf_latency *l)
{
    sfi_zero(l, sizeof *l);
    if (!h || (l->count = SFI_GET(h->count)) == 0) { return; }
    l->min = SFI_GET(h->min);
    l->max = SFI_GET(h->max);
    l->mean = (int64_t)(SFI_GET(h->sum) / l->count);
    l->p50 = sfi_percentile(h, l->count, 500);
    l->p90 = sfi_percentile(h, l->count, 900);
    l->p99 = sfi_percentile(h, l->count, 990);
    l->p999 = sfi_percentile(h, l->count, 999);
}

/* -- paths: the lock `tracking` is held -- */

static void sfi_path_lost(sf_flow *f, uint32_t parent, uint32_t op)          /* there is no place for it */
{
    if (!f->paths_lost) {
        f->lost_parent = parent;
        f->lost_op = op;
    }
    SFI_BUMP(f->paths_lost);
}
static uint32_t sfi_prefix_of(sf_flow *f, uint32_t parent, uint32_t op)
{
    uint32_t *head = &f->prefix_heads[(parent * 0x9e3779b1u ^ op) % f->prefix_room], i, up;
    sfi_prefix *p;
    if (parent == SFI_NONE) { return SFI_NONE; }
    for (i = *head; i; i = f->prefixes[i - 1].next) {
        if (f->prefixes[i - 1].parent == parent && f->prefixes[i - 1].op == op) { return i; }
    }
    if (f->prefix_count == f->prefix_room) {
        sfi_path_lost(f, parent, op);
        return SFI_NONE;
    }
    p = &f->prefixes[f->prefix_count++];
    for (up = parent; up && f->prefixes[up - 1].op != op; up = f->prefixes[up - 1].parent) {}
    p->circle = up != 0;
    p->parent = parent;
    p->op = op;
    p->path = 0;
    p->next = *head;
    return *head = f->prefix_count;
}
static void sfi_path_add(sf_flow *f, uint32_t prefix, int64_t ns)            /* a message at the end of its path */
{
    sfi_prefix *p = prefix == SFI_NONE ? NULL : &f->prefixes[prefix - 1];
    sfi_path *path;
    if (!p) { return; }
    if (!p->path) {
        if (f->path_count == SFI_PATHS) {
            sfi_path_lost(f, p->parent, p->op);
            return;
        }
        f->paths[f->path_count].prefix = prefix;
        SFI_SET(f->path_count, f->path_count + 1);
        p->path = f->path_count;
    }
    path = &f->paths[p->path - 1];
    if (path->skipped < f->skip_first) {
        path->skipped++;
        return;
    }
    if (f->discard_last) {
        int64_t *held = &path->held[path->held_count % f->discard_last], last = *held;
        *held = ns;
        if (path->held_count++ < f->discard_last) { return; }
        ns = last;
    }
    if (ns >= f->threshold) { sfi_histogram_add(&path->latency, ns); }
}
static void sfi_label_add(sf_flow *f, sfi_turn *t, uint32_t path, int64_t born)
{
    uint32_t i;
    for (i = 0; i < t->label_count && t->labels[i].path != path; i++) {}
    if (i == SFI_LABELS) {
        if (path != SFI_NONE) { sfi_path_lost(f, f->prefixes[path - 1].parent, f->prefixes[path - 1].op); }
    } else if (i == t->label_count) {
        t->labels[t->label_count].path = path;
        t->labels[t->label_count++].born = born;
    } else if (born < t->labels[i].born) {
        t->labels[i].born = born;            /* of a batch the oldest goes on */
    }
}
/* What the received messages bring: latencies where nobody comes after, else labels for what is emitted. */
static void sfi_follow_paths(sf_flow *f, sfi_op *op, int64_t now)
{
    sfi_turn *t = op->turn;
    uint32_t me = sfi_op_index(op), e, m, k;
    bool leaf = true, any = false;
    int p;
    for (p = 0; p < op->output_count; p++) { leaf = leaf && op->outputs[p].first == SFI_NONE; }
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            const sfi_edge *edge = f->edges[e];
            for (m = 0; m < edge->taken; m++) {
                const sfi_message *message = sfi_message_at(edge, m);
                const sfi_label *labels = edge->more->labels + sfi_place_of(edge, message) * SFI_LABELS;
                bool again = edge->overflow == SF_OVERFLOW_LATEST &&
                             (edge->lent && edge->count > edge->lent ? edge->lent_read : edge->read);
                any = any || message->labels;
                for (k = 0; k < message->labels && !again; k++) {
                    uint32_t prefix = sfi_prefix_of(f, labels[k].path, me);
                    if (leaf) {
                        sfi_path_add(f, prefix, now - labels[k].born);
                    } else if (prefix != SFI_NONE && f->prefixes[prefix - 1].circle) {
                        sfi_path_add(f, prefix, t->begin - labels[k].born);
                        sfi_label_add(f, t, sfi_prefix_of(f, 0, me), t->begin);
                    } else {
                        sfi_label_add(f, t, prefix, labels[k].born);
                    }
                }
            }
        }
    }
    if (!t->label_count) { sfi_label_add(f, t, any ? SFI_NONE : sfi_prefix_of(f, 0, me), t->begin); }
}

static void sfi_trace_gpu(const sfi_op *op, const sfi_stamp *stamp, int64_t duration)
{
    sf_flow *f = op->pub.flow;
    sfi_trace t;
    float since = 0;
    if (!f->trace || !f->epoch || sf_event_elapsed_ms(f->epoch, stamp->begin, &since) != SF_OK) { return; }
    sfi_zero(&t, sizeof t);
    t.kind = SFI_TRACE_GPU;
    t.op = sfi_op_index(op);
    t.row = stamp->stream;
    t.time = f->epoch_time + (int64_t)((double)since * 1e6);
    t.duration = duration;
    sfi_trace_add(f, &t);
}
static void sfi_add_device_time(sfi_op *op, int64_t ns)      /* a region's is that of each of its operators */
{
    uint32_t k;
    for (k = 0; op->more->region && k < op->more->region->count; k++) {
        sfi_histogram_add(op->pub.flow->ops[op->more->region->members[k]]->more->device, ns);
    }
    if (!op->more->region) { sfi_histogram_add(op->more->device, ns); }
}
/* Reads pairs of timing events that are complete; all of them at the end. */
static void sfi_collect_stamps(sfi_op *op)
{
    uint32_t k;
    for (k = 0; op->more->stamps && k < SFI_STAMPS; k++) {
        float ms = 0;
        if (!op->more->stamps[k].pending) { continue; }
        if (sfi_event_poll(op->more->stamps[k].end) != SF_OK) { continue; }
        op->more->stamps[k].pending = false;
        if (sf_event_elapsed_ms(op->more->stamps[k].begin, op->more->stamps[k].end, &ms) != SF_OK) { continue; }
        sfi_add_device_time(op, (int64_t)((double)ms * 1e6));
        sfi_trace_gpu(op, &op->more->stamps[k], (int64_t)((double)ms * 1e6));
    }
}

/* The messages leave, each to all edges of its output. */
static void sfi_commit_emissions(sfi_turn *turn)
{
    sf_flow *f = turn->flow;
    sfi_op *op = turn->op;
    uint32_t i, e;
    for (i = 0; i < turn->staged_count; i++) {
        sfi_message m = turn->staged[i].message;
        sfi_output *out = &op->outputs[turn->staged[i].output];
        sf_stream *s = sfi_output_stream(turn, turn->staged[i].output);
        sfi_tensor *t = sfi_message_tensor(&m);
        if (s) { sfi_message_behind(&m, s, turn->recorded[sfi_handed_index(turn, s)]); }
        if (t && !t->order.stream) { t->order = m.order; }
        m.time = turn->time;
        m.labels = (uint8_t)turn->label_count;
        m.entries = (uint16_t)turn->entry_count;
        for (e = out->first; e != SFI_NONE; e = f->edges[e]->next_output) {
            if (turn->routed && !f->edges[e]->routed) { continue; }
            if (t) { (void)sfi_add(&t->references, 1); }
            sfi_edge_push(f, sfi_front(f->edges[e]), &m, turn);
        }
        sfi_message_release(&m);             /* ours; the edges have one each */
    }
}
/* Values that lie in their queues already. */
static void sfi_commit_direct(sfi_turn *turn)
{
    uint32_t left, i;
    for (left = turn->direct; left; left &= left - 1) {
        uint32_t output = (uint32_t)sfi_lowest_bit(left);
        sfi_output *out = &turn->op->outputs[output];
        sf_stream *s = sfi_output_stream(turn, output);
        sfi_edge *e = out->direct;
        if (turn->routed && !turn->flow->edges[out->first]->routed) { continue; }
        for (i = 0; i < out->laid && !e->closed; i++) {
            e->tail->message.time = turn->time;
            if (s) { sfi_message_behind(&e->tail->message, s, turn->recorded[sfi_handed_index(turn, s)]); }
            sfi_edge_arrived(turn->flow, e);
        }
        for (; i < out->laid; i++) { sfi_edge_drop(turn->flow, e, &e->tail->message, &e->refused); }
        out->staged = out->laid = 0;
    }
    turn->direct = 0;
}
static void sfi_pop_received(sf_flow *f, sfi_op *op)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            if (f->edges[e]->taken || f->edges[e]->lent) { sfi_edge_settle(f, f->edges[e]); }
        }
    }
}
static void sfi_drop_created(sfi_turn *turn)
{
    while (turn->created) {
        sfi_tensor *t = turn->created;
        turn->created = t->next;
        t->next = NULL;
        sf_tensor_release(&t->pub);
    }
}
static void sfi_discard(sfi_turn *turn)                      /* a compute that failed has emitted nothing */
{
    uint32_t i;
    for (i = 0; i < turn->staged_count; i++) { sfi_message_release(&turn->staged[i].message); }
    if (turn->unheard) { sfi_add64(&turn->flow->dropped, (uint64_t)0 - turn->unheard); }
    turn->staged_count = turn->direct = turn->unheard = 0;
}
static bool sfi_spend_turn(sfi_op *op)                      /* true: it was the last */
{
    SFI_SET(op->more->turns, op->more->turns - 1);
    return op->more->turns == 0;
}
static void sfi_hand_on_turns(sf_flow *f, sfi_op *op)
{
    uint32_t e;
    if (op->more->control_edges && sfi_spend_turn(op)) { op->unmet++; }
    for (e = op->more->first_control; e != SFI_NONE; e = f->edges[e]->next_output) {
        sfi_op *to = f->ops[f->edges[e]->to];
        if (op->turn->routed && !f->edges[e]->routed) { continue; }
        if (SFI_BUMP(to->more->turns), to->more->turns == 1) { sfi_meet(to); }
    }
}
static void sfi_unroute(sf_flow *f, const sfi_op *op)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) { f->edges[e]->routed = false; }
    }
    for (e = op->more->first_control; e != SFI_NONE; e = f->edges[e]->next_output) { f->edges[e]->routed = false; }
}
static void sfi_track(sf_flow *f, sfi_op *op)
{
    const sfi_turn *t = op->turn;
    sfi_trace trace;
    int64_t now;
    if (!op->more->cpu && !f->trace) { return; }
    now = t->end >= 0 ? t->end : sfi_flow_now(f);
    if (op->more->cpu) { sfi_histogram_add(op->more->cpu, now - t->begin); }
    if (f->trace) {
        sfi_zero(&trace, sizeof trace);
        trace.kind = SFI_TRACE_COMPUTE;
        trace.op = sfi_op_index(op);
        trace.row = t->row;
        trace.time = t->begin;
        trace.duration = now - t->begin;
        sfi_trace_add(f, &trace);
    }
    if (f->paths) {
        sfi_spin_lock(&f->tracking);
        sfi_follow_paths(f, op, now);
        sfi_spin_unlock(&f->tracking);
    }
}

/* Arrows from compute to compute, and what the queues hold. */
static void sfi_trace_received(sf_flow *f, const sfi_op *op)
{
    uint32_t e, m;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            const sfi_edge *edge = f->edges[e];
            for (m = 0; m < edge->taken && edge->overflow != SF_OVERFLOW_LATEST; m++) {
                sfi_trace_message(f, SFI_TRACE_RECEIVE, edge, edge->messages - edge->count + m + 1, op->turn->begin,
                                  op->turn->row);
            }
        }
    }
}
static void sfi_trace_emitted(sf_flow *f, const sfi_op *op)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            sfi_edge *edge = f->edges[e];
            while (edge->more->traced < edge->messages) {
                sfi_trace_message(f, SFI_TRACE_EMIT, edge, ++edge->more->traced, op->turn->begin, op->turn->row);
            }
        }
    }
}

/* A compute that failed: as its operator's policy says. */
static bool sfi_op_failed(sf_flow *f, sfi_op *op, sf_result r)               /* true: it tries again */
{
    sfi_turn *t = op->turn;
    bool again = op->on_error == SF_ON_ERROR_RETRY && op->attempts < op->more->retries;
    sfi_tell_buffers(t);                     /* it may have enqueued work before it failed */
    sfi_discard(t);
    if (t->routed) { sfi_unroute(f, op); }
    SFI_BUMP(op->errors);
    if (!op->error_counted) { sfi_tell_returned(f, op, t, r, "compute"); }
    if (again) {                             /* the same messages, once more */
        op->attempts++;
        sfi_drop_created(t);
        return true;
    }
    op->attempts = 0;
    sfi_drop_created(t);
    sfi_pop_received(f, op);
    if (op->more->control_edges && sfi_spend_turn(op)) { op->unmet++; }
    if (op->on_error != SF_ON_ERROR_IGNORE && op->on_error != SF_ON_ERROR_STOP_OPERATOR) {
        sfi_keep_result(f, r);
        SFI_SET(op->state, SF_OP_FAILED);
        sfi_store(&f->stop, 1);
    }
    return false;
}
/* Who is in front of it may get room by this commit. It is ready behind those that get what is emitted: what was
   begun with is ended first. On one thread, where the order is the same in each run; the short way does the same by
   putting first, so whoever is both in front of it and behind it does not go that way. */
static bool sfi_waits_for_commit(const sf_flow *f, const sfi_edge *e)
{
    return f->worker_count == 1 && e->producer && !e->producer->more->region;
}
static void sfi_hold_back(sf_flow *f, const sfi_op *op, bool hold)           /* false: let them come */
{
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            if (!sfi_waits_for_commit(f, f->edges[e])) { continue; }
            if (hold) { f->edges[e]->producer->unmet++; } else { sfi_meet(f->edges[e]->producer); }
        }
    }
}
static void sfi_op_succeeded(sf_flow *f, sfi_op *op)
{
    op->attempts = 0;
    sfi_track(f, op);
    if (f->trace) { sfi_trace_received(f, op); }
    sfi_begin_commit(op);
    sfi_hold_back(f, op, true);
    sfi_pop_received(f, op);                 /* first, so that an edge to itself has room */
    if (op->turn->direct) { sfi_commit_direct(op->turn); }
    sfi_commit_emissions(op->turn);
    sfi_hold_back(f, op, false);
    if (f->trace) { sfi_trace_emitted(f, op); }
    sfi_drop_created(op->turn);
    if (op->more->control_edges || op->more->first_control != SFI_NONE) { sfi_hand_on_turns(f, op); }
    if (op->turn->routed) { sfi_unroute(f, op); }
}
static void sfi_call_hook(const sf_flow *f, const sfi_op *op, sf_hook hook)
{
    if (f->hook) { f->hook(hook, &op->pub, -1, NULL, f->hook_user); }
}

/* The order of what the compute enqueued, and what it returns after all. */
static sf_result sfi_computed(sf_flow *f, sfi_op *op, sf_result r)
{
    sfi_turn *t = op->turn;
    if (r >= 0 && t->error < 0) { r = t->error; }
    if (r >= 0) {
        sf_result commit = sfi_misuse(f, op);
        if (commit >= 0) { commit = sfi_commit_order(t); }
        if (commit < 0) { r = commit; }
    }
    if (t->stamp) {
        t->stamp->pending = r >= 0;
        sfi_collect_stamps(op);
    }
    return r;
}
static sf_result sfi_call_compute(sfi_op *op)
{
    sf_result r;
    SFI_RANGE_BEGIN(op->pub.name);
    r = op->compute(&op->pub);
    SFI_RANGE_END();
    return r;
}
/* The compute itself: no lock is held. */
static sf_result sfi_compute(sf_flow *f, sfi_op *op)
{
    sfi_turn *t = op->turn;
    sf_result r;
    sfi_entered entered;
    if (op->more->cpu || f->trace) { t->begin = sfi_flow_now(f); }
    r = sfi_enter_op(f, op, &entered);
    sfi_call_hook(f, op, SF_HOOK_BEGIN);
    if (r >= 0) { r = sfi_call_compute(op); }
    sfi_call_hook(f, op, SF_HOOK_END);
    r = sfi_computed(f, op, r);
    sfi_leave_op(op, &entered);
    return r;
}
/* What it received goes, what it emitted arrives, and whoever waited for either may run. */
static void sfi_commit(sf_flow *f, sfi_op *op, sf_result r, const sfi_worker *self)
{
    sfi_turn *t = op->turn;
    sf_op_state end = SF_OP_WAITING;
    sfi_hold(f, op->locks);
    if (r >= 0) { sfi_op_succeeded(f, op); }
    if (r >= 0 || !sfi_op_failed(f, op, r)) {
        SFI_BUMP(op->pub.run);
        if (r < 0 && op->on_error == SF_ON_ERROR_STOP_OPERATOR) { end = SF_OP_FAILED; }
    }
    op->turn = NULL;
    t->op = NULL;
    sfi_turn_clear(f, op);
    sfi_unreserve(op);
    if (op->state == SF_OP_COMPUTING) {      /* else it has ended the flow */
        if (end == SF_OP_WAITING && (r == SF_DONE || (op->limit && op->pub.run >= op->limit) ||
                                     (f->any_closed && !sfi_op_needed(f, op)) ||
                                     (sfi_load(&op->asked_to_stop) && sfi_swap(&op->asked_to_stop, 0)))) {
            end = SF_OP_STOPPED;
        }
        if (end == SF_OP_WAITING) {
            SFI_SET(op->state, SF_OP_WAITING);
            if (op->extras && !op->attempts) { sfi_conditions_executed(f, op); }
            sfi_look(f, op);                 /* the first try may have taken blocks */
            if (!op->unmet) { sfi_ready(op); }
        }
    }
    sfi_let_go(f, op->locks, self);
    if (end != SF_OP_WAITING) {              /* which may reach anybody */
        sfi_hold(f, sfi_all_desks(f));
        SFI_SET(op->state, SF_OP_WAITING);
        sfi_op_end(f, op, end);
        sfi_let_go(f, sfi_all_desks(f), self);
    }
}
static sf_result sfi_region_turn(sf_flow *f, sfi_region *g);
static void sfi_region_commit(sfi_worker *w, sfi_region *g, sf_result r);
/* Whether a compute takes so long that others had better see to the desk meanwhile: seen by timing the first one and
   each 256th, or each one once it is. */
static void sfi_run_op(sfi_worker *w, sfi_op *op)
{
    sf_flow *f = w->flow;
    int64_t begin = 0;
    bool timed = f->worker_count > 1 && op->sample-- == 0;
    bool lends = timed && (op->heavy || !op->pub.run);
    sf_result r;
    if (timed) { begin = sfi_clock(); }
    if (lends) {
        sfi_store_ordered(&w->lends, 1);
        if (SFI_GET(w->level_mask) || SFI_GET(w->timer_count) || SFI_GET(w->gpu_waiter_count)) {
            sfi_poke_another(w);
        }
    }
    r = op->more->region ? sfi_region_turn(f, op->more->region) : sfi_compute(f, op);
    if (lends) { sfi_store(&w->lends, 0); }
    if (timed) {
        op->heavy = sfi_clock() - begin > SFI_HEAVY;
        op->sample = op->heavy ? 0 : 255;
    }
    if (op->more->region) { sfi_region_commit(w, op->more->region, r); } else { sfi_commit(f, op, r, w); }
}

/* -- news from outside, timers, and the GPU -- */

static void sfi_hear_source(sf_flow *f, const sfi_source *s)
{
    sfi_op *op = f->ops[s->op];
    if (!sfi_op_active(op)) { return; }
    if (s->kind == SFI_SOURCE_INPUT) {
        sfi_take_in(f, f->edges[op->inputs[s->index].first]);
    } else if (s->kind == SFI_SOURCE_MEMORY) {
        sfi_hear_across(f, op->in);
        sfi_hear_across(f, op->out);
        if (sfi_load(&op->asked_to_stop)) {
            if (sfi_is_at_work(op)) {        /* seen once it is back */
                sfi_store(&op->desk->recalled, 1);
                return;
            }
            (void)sfi_swap(&op->asked_to_stop, 0);
            sfi_end_soon(f, op);
            return;
        }
        sfi_memory_resume(op, true);
        sfi_look(f, op);
    } else {
        sfi_look(f, op);
    }
}
/* Inlets that nobody rings for. A worker with nothing to do looks at them itself: then a message comes to it in the
   cache lines that carry it, and no others. */
static bool sfi_has_pushed(const sfi_edge *e)
{
    return sfi_has_news(e) && sfi_op_active(e->consumer);
}
static bool sfi_any_pushed(const sfi_worker *w)
{
    uint32_t i;
    for (i = 0; i < w->polled_count && !sfi_has_pushed(w->polled[i]); i++) {}
    return i < w->polled_count;
}
static bool sfi_is_called(const sfi_worker *w)               /* by somebody outside */
{
    return sfi_load(&w->attention) || (w->polled_count && sfi_any_pushed(w));
}
static void sfi_hear_inlets(sfi_worker *w)
{
    uint32_t i;
    for (i = 0; i < w->polled_count; i++) {
        if (sfi_has_pushed(w->polled[i])) { sfi_take_in(w->flow, w->polled[i]); }
    }
}
static void sfi_hear(sfi_worker *w)
{
    sf_flow *f = w->flow;
    uint32_t g, i, rung;
    sfi_hear_inlets(w);
    if (!sfi_load(&w->attention)) { return; }
    rung = sfi_swap(&w->attention, 0);
    if (rung >= SFI_ATTENTION_ONE) {
        sfi_hear_source(f, &f->sources[rung - SFI_ATTENTION_ONE]);
        return;
    }
    for (g = w->first_group; g < w->end_group; g++) {
        if (!sfi_load(&f->groups[g])) { continue; }
        (void)sfi_swap(&f->groups[g], 0);
        for (i = g * 64; i < f->source_count && i < g * 64 + 64; i++) {
            if (sfi_load(&f->sources[i].rung) && sfi_swap(&f->sources[i].rung, 0)) {
                sfi_hear_source(f, &f->sources[i]);
            }
        }
    }
}
static void sfi_fire_timers(sfi_worker *w)
{
    sf_flow *f = w->flow;
    int64_t now;
    if (!w->timer_count) { return; }
    now = sfi_flow_now(f);
    while (w->timer_count && f->ops[w->timers[0]]->more->wake <= now) {
        sfi_op *op = f->ops[w->timers[0]];
        sfi_timer_set(f, op, SFI_NEVER);
        sfi_look(f, op);
        if (op->more->timer && op->more->wake <= now) { break; }     /* a user's condition that asks again at once */
    }
}
/* Asks the GPU about whom it holds up. A poll is also what lets a host device without threads go on. */
static void sfi_poll_gpu(sfi_worker *w)
{
    sf_flow *f = w->flow;
    uint32_t n = w->gpu_waiter_count, i;
    while (n--) {                            /* each once: who still waits goes to the end */
        sfi_op *op = f->ops[w->gpu_waiters[0]];
        SFI_SET(w->gpu_waiter_count, w->gpu_waiter_count - 1);
        for (i = 0; i < w->gpu_waiter_count; i++) { w->gpu_waiters[i] = w->gpu_waiters[i + 1]; }
        SFI_SET(op->gpu_wait, false);
        if (!sfi_op_active(op)) { continue; }
        if (op->memory_wait) {
            sf_stream *blocker = NULL;
            sf_mem_pool *missing;
            if (sfi_reserve_all(op, &blocker, &missing) == SF_OK) {
                sfi_memory_resume(op, true);
                sfi_unreserve(op);           /* others may have it until this one runs: it may be held up otherwise */
            } else {
                sfi_gpu_wait(f, op, blocker);
            }
        }
        sfi_look(f, op);
    }
}

static void sfi_alarm_rings(void *arg)
{
    sfi_alarm *a = (sfi_alarm *)arg;
    sfi_wake(a->worker);
    sfi_store(&a->busy, 0);                  /* last: the flow may go once all are free */
}
/* Before a sleep: behind the work of each stream that somebody waits for, one host function. */
static void sfi_set_alarms(sfi_worker *w)
{
    uint32_t i, k;
    for (i = 0; i < w->gpu_waiter_count; i++) {
        sf_stream *s = w->flow->ops[w->gpu_waiters[i]]->more->blocker;
        sfi_alarm *free = NULL;
        for (k = 0; k < SFI_ALARMS; k++) {
            if (sfi_load(&w->alarms[k].busy)) {
                if (w->alarms[k].stream == s) { break; }
            } else {
                free = &w->alarms[k];
            }
        }
        if (k < SFI_ALARMS || !free || !s) { continue; }
        free->worker = w;
        free->stream = s;
        sfi_store(&free->busy, 1);
        if (sfi_stream_host_func(s, sfi_alarm_rings, free, true) < 0) { sfi_store(&free->busy, 0); }
    }
}

/* -- when nothing is ready -- */

static bool sfi_is_left(const sf_flow *f, const sfi_edge *e) /* messages on it, and somebody needs them */
{
    if (e->control || e->delay || !e->count || e->closed || e->overflow == SF_OVERFLOW_LATEST) { return false; }
    return !f->ops[e->to]->inputs[e->input].optional;         /* else it holds nobody up: not an end of its own */
}
/* It had what it needs but for the memory that a condition of its own asks for. By now the block may be back: then
   the bell for that is being rung. */
static bool sfi_lacks_memory(const sf_flow *f, const sfi_op *op)
{
    bool lacks = false;
    uint32_t i;
    if (!op->extras || op->extras_met || op->unmet > op->due + 1) { return false; }
    for (i = 0; i < op->condition_count; i++) {
        const sfi_condition *c = &op->more->conditions[i];
        uint32_t in = sfi_condition_ports(c, op->input_count);
        if (c->is.kind == SF_CONDITION_MEMORY) { lacks = lacks || c->lacks; }
        if (c->is.kind == SF_CONDITION_EXPIRING && !sfi_queued(f, op, in)) { return false; }
        if (c->is.kind != SF_CONDITION_MESSAGES || c->is.ns > 0) { continue; }
        if (c->is.count ? sfi_queued(f, op, in) < c->is.count : !sfi_batches_there(f, op, in)) { return false; }
    }
    return lacks;
}
static bool sfi_leftover(const sf_flow *f, uint32_t *op)     /* who waits although nothing will come */
{
    uint32_t i;
    for (i = 0; f->has_supplies && i < f->op_count; i++) {
        if (!sfi_op_active(f->ops[i])) { continue; }
        if (f->ops[i]->memory_wait || sfi_lacks_memory(f, f->ops[i])) { return *op = i, true; }
    }
    for (i = 0; i < f->edge_count; i++) {
        if (sfi_is_left(f, f->edges[i])) { return *op = f->edges[i]->to, true; }
    }
    return false;
}
static void sfi_describe_wait(const sf_flow *f, const sfi_op *op, sfi_text *t);
static void sfi_describe_left(const sf_flow *f, const sfi_edge *e, uint32_t count, sfi_text *t)
{
    sfi_put_f(t, "%u message%s from %s left in front of %s (\"%s\"); ", (unsigned)count, count == 1 ? "" : "s",
              e->from == SFI_NONE ? "outside" : f->ops[e->from]->pub.name, f->ops[e->to]->pub.name,
              f->ops[e->to]->inputs[e->input].name);
}

static void sfi_describe_stuck(const sf_flow *f, sfi_text *t)        /* the first that is left, and who waits */
{
    uint32_t i, told = 0;
    for (i = 0; i < f->edge_count && told < 3; i++) {
        if (!sfi_is_left(f, f->edges[i])) { continue; }
        sfi_describe_left(f, f->edges[i], sfi_edge_count(f->edges[i]), t);
        told++;
    }
    for (i = 0, told = 0; i < f->op_count && told < 4; i++) {
        const sfi_op *op = f->ops[i];
        if (!sfi_op_active(op)) { continue; }
        sfi_put_f(t, "%s%s waits for ", told++ ? "; " : "", op->pub.name);
        sfi_describe_wait(f, op, t);
    }
}
static void sfi_conclude(sf_flow *f)                         /* the run ends by itself: with everything done? */
{
    char text[SFI_TEXT];
    sfi_text t = sfi_text_in(text, sizeof text);
    uint32_t op;
    if (f->result < 0 || sfi_load(&f->stop) || (f->ends_at != SFI_NEVER && sfi_flow_now(f) >= f->ends_at)) { return; }
    if (f->region_left != SFI_NONE) {
        const sfi_edge *e = f->edges[f->region_left];
        op = e->to;
        sfi_describe_left(f, e, f->region_left_count, &t);
        sfi_put_f(&t, "region %d ended with a compute that said SF_DONE", (int)f->ops[op]->more->number);
    } else if (sfi_leftover(f, &op)) {
        sfi_describe_stuck(f, &t);
    } else {
        return;
    }
    (void)sfi_flow_fail(f, f->ops[op], SF_ERROR_DEADLOCK, "sf_run", "nothing can run any more, but %s", text);
    sfi_keep_result(f, SF_ERROR_DEADLOCK);
}

/* A signal does not help an operator whose messages will never come: everybody in front of it has ended. */
static bool sfi_op_is_hopeless(const sf_flow *f, const sfi_op *op)
{
    uint32_t e;
    int p;
    if (!sfi_op_active(op)) { return true; }
    for (p = 0; p < op->input_count; p++) {
        if (op->inputs[p].optional || op->inputs[p].external || op->inputs[p].first == SFI_NONE) { continue; }
        if (op->inputs[p].custom) { continue; }              /* a condition of its own may hold without a message */
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            const sfi_edge *edge = f->edges[e];
            if (edge->count < edge->need && edge->from != SFI_NONE && f->ops[edge->from]->hopeless) { return true; }
        }
    }
    return false;
}
static bool sfi_has_left(const sf_flow *f, const sfi_op *op) /* messages that it will never take */
{
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            if (sfi_is_left(f, f->edges[e])) { return true; }
        }
    }
    return false;
}
static void sfi_give_up(sf_flow *f, sfi_op *op)
{
    f->alive--;
    f->fed_alive -= op->input_count != 0;
    op->given_up = true;
}
static bool sfi_works_in_vain(const sf_flow *f, const sfi_op *op)    /* for none but those that are given up */
{
    bool any = false;
    uint32_t e;
    int p;
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            const sfi_op *to = f->ops[f->edges[e]->to];
            if (sfi_op_active(to) && !to->given_up) { return false; }
            any = any || to->given_up;
        }
    }
    return any && op->more->first_control == SFI_NONE;
}
/* Those that only seem to wait for the outside end; but not who has something left, which is a deadlock. */
static bool sfi_retire(sf_flow *f)
{
    bool more = true, any = false;
    uint32_t i;
    for (i = 0; i < f->op_count; i++) { f->ops[i]->hopeless = false; }
    while (more) {
        more = false;
        for (i = 0; i < f->op_count; i++) {
            sfi_op *op = f->ops[i];
            if (op->hopeless || !sfi_op_is_hopeless(f, op)) { continue; }
            op->hopeless = more = true;
        }
    }
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        if (!op->hopeless || !sfi_op_active(op) || !sfi_op_is_alive(op)) { continue; }
        any = true;
        if (sfi_has_left(f, op)) { sfi_give_up(f, op); } else { sfi_op_end(f, op, SF_OP_STOPPED); }
    }
    for (more = any; more;) {
        more = false;
        for (i = 0; i < f->op_count; i++) {
            sfi_op *op = f->ops[i];
            if (!sfi_op_active(op) || !sfi_op_is_alive(op) || !sfi_works_in_vain(f, op)) { continue; }
            sfi_give_up(f, op);
            more = true;
        }
    }
    return any;
}

static int64_t sfi_next_timer(const sfi_worker *w)
{
    return w->timer_count ? w->flow->ops[w->timers[0]]->more->wake : SFI_NEVER;
}
/* -- the short way: one plain operator after the other, as long as nobody rings -- */

/* A quick operator's turn: nothing is written down but what it may take, and whether it may put something. */
static bool sfi_begin_quick(sfi_turn *t, sfi_op *op)         /* false: it is no value that comes */
{
    if (op->in) {
        const sfi_message *m = &op->in->head->message;
        if (m->kind != SFI_VALUE) { return false; }
        op->take = &m->value;
        op->come = op->in->more_in;
    }
    op->quick = op->begins;
    op->turn = t;
    return true;
}
/* What the producer has in hand: into the next place of its queue. */
static SFI_INLINE void sfi_lay_down(sfi_edge *e, const sfi_held *hand, int64_t time)
{
    sfi_message *m = &e->tail->message;
    sfi_held h;
    h.half[0] = SFI_GET(hand->half[0]);
    h.half[1] = SFI_GET(hand->half[1]);
    m->value = h.value;
    if (m->time != time) { m->time = time; }
    if (m->order.stream || m->entries || m->kind != SFI_VALUE || m->labels || m->hidden) { sfi_message_plain(m); }
}
/* The message that came from hand to hand is in the queue after all. */
static SFI_NOINLINE void sfi_take_down(const sfi_worker *w, sfi_op *op)
{
    sfi_edge *e = op->in;
    sfi_lay_down(e, &e->producer->hand, w->time);
    e->tail = sfi_place_after(e, e->tail);
    e->there = 1;
    if (e->full == 1 && w->flow->worker_count == 1) { e->producer->unmet++; }    /* else see sfi_run_along() */
    op->unmet--;
}
static void sfi_put_after_all(sfi_turn *t, sfi_op *op)       /* as sf_emit_value() does it otherwise */
{
    sfi_lay_down(op->out, &op->hand, t->time);
    op->outputs[0].staged = 1;
    if (op->outputs[0].direct) {
        op->outputs[0].laid = 1;
        t->direct = 1;
        return;
    }
    t->staged[0].message = op->out->tail->message;
    t->staged[0].output = 0;
    t->staged_count = 1;
    t->unusual = true;
}
static bool sfi_is_carried(const sfi_op *op)                 /* what it received, it got from hand to hand */
{
    return op->unmet && op->in && op->in->producer;
}
/* The compute asks for more, or has not ended well: on as any other turn. */
static SFI_NOINLINE void sfi_end_quick(sfi_turn *t, sfi_op *op)
{
    bool has_put = op->out && !(op->quick & SFI_MAY_PUT), had = !op->take;
    bool on_stream = (op->quick & SFI_ON_STREAM) != 0;
    sfi_edge *e;
    sfi_turn_reset(t, op);
    t->unusual = on_stream;
    if (on_stream) { t->stream = t->handed[t->handed_count++]; }
    if (sfi_is_carried(op)) { sfi_take_down(op->desk, op); }
    for (e = op->in; e; e = e->more_in) {
        bool many = op->inputs[e->input].many;
        t->unusual = t->unusual || many;
        if (many) { e->there = 1; } else if (t->flow->worker_count == 1) { e->there = e->count; }
    }
    for (e = op->in; had && e != op->come; e = e->more_in) {
        sfi_input *in = &op->inputs[e->input];
        in->latest = &e->head->message;
        if (t->time < 0) { t->time = in->latest->time; }
        in->cursor = e->next_input;
        in->asked = true;
        e->taken = 1;
    }
    if (has_put) { sfi_put_after_all(t, op); }
    op->take = NULL;
    op->come = NULL;
}
static void sfi_begin_plain(sfi_turn *t, sfi_op *op)
{
    sf_flow *f = op->pub.flow;
    uint32_t e;
    int p;
    sfi_turn_reset(t, op);
    t->unusual = op->attempts > 0;           /* what is tried again is cleared up the long way; it sees what it saw */
    for (p = 0; p < op->input_count; p++) {
        if (op->inputs[p].many) { t->unusual = true; }
        for (e = op->inputs[p].first; e != SFI_NONE && !op->attempts; e = f->edges[e]->next_input) {
            f->edges[e]->there = f->edges[e]->count;
        }
    }
}
static sfi_op *sfi_next_plain(sfi_worker *w, bool several)   /* with its turn begun; desk held */
{
    while (w->run_on && w->level_mask && !sfi_is_called(w)) {
        uint32_t l = (uint32_t)sfi_lowest_bit(w->level_mask);
        sfi_op *op = w->levels[l].first;
        if (op->way == SFI_LONG_WAY || (several && !op->sample)) { break; }
        sfi_leave_level(w, l);
        if (op->state != SF_OP_QUEUED) { continue; }         /* as in sfi_next_ready() */
        SFI_SET(op->state, op->unmet ? SF_OP_WAITING : SF_OP_COMPUTING);
        if (op->unmet) { continue; }
        w->run_on--;
        if (several) { op->sample--; }
        if (!op->begins || !sfi_begin_quick(&w->turn, op)) {
            sfi_begin_plain(&w->turn, op);
        } else if (several) {                /* what comes meanwhile is for the next one */
            sfi_edge *e;
            for (e = op->in; e; e = e->more_in) { e->there = e->count; }
        }
        return op;
    }
    return NULL;
}
/* As sfi_edge_settle() for a queue that holds its producer up. */
static void sfi_settle_plain(sf_flow *f, sfi_edge *e)
{
    sfi_place *place = e->head;
    uint32_t n = e->taken, left;
    e->taken = 0;
    for (left = n; left; left--, place = sfi_place_after(e, place)) {
        if (place->message.kind == SFI_TENSOR) { sfi_message_release(&place->message); }
    }
    sfi_edge_pop(f, e, n);
}
static void sfi_commit_plain(sf_flow *f, sfi_op *op)         /* desks held */
{
    sfi_turn *t = op->turn;
    int p;
    sfi_begin_commit(op);
    sfi_hold_back(f, op, true);
    for (p = 0; p < op->input_count; p++) {
        sfi_input *in = &op->inputs[p];
        if (!in->single || !in->single->taken) { continue; }
        in->asked = false;
        in->latest = NULL;
        sfi_settle_plain(f, in->single);
    }
    if (t->direct) { sfi_commit_direct(t); }
    sfi_hold_back(f, op, false);
    SFI_BUMP(op->pub.run);
    op->turn = NULL;
    SFI_SET(op->state, SF_OP_WAITING);
    if (!op->unmet) { sfi_ready(op); }
}
/* What a quick turn has put arrives. */
static SFI_INLINE void sfi_arrive_quick(sfi_op *op, sfi_edge *e, int64_t time)
{
    uint32_t count = e->count + 1;
    sfi_op *to;
    sfi_lay_down(e, &op->hand, time);
    if (e->room > 1) { e->tail = sfi_place_after(e, e->tail); }
    SFI_SET(e->count, count);
    SFI_BUMP(e->messages);
    if (count > e->high) { SFI_SET(e->high, count); }
    if (count == e->full) { op->unmet++; }
    if (count != e->wakes) { return; }
    to = e->consumer;
    SF_ASSERT(to->unmet > 0);
    if (--to->unmet) { return; }
    if (e->leads) { sfi_ready_first(to); } else { sfi_ready_at(to); }
}
/* Others that have ended do not matter to who does not work for them. */
static bool sfi_may_be_over(const sfi_op *op)
{
    const sfi_edge *e = SFI_GET(op->pub.flow->any_closed) ? op->out : NULL;
    while (e && !SFI_GET(e->closed)) { e = e->more_out; }
    return e || (op->limit && op->pub.run + 1 >= op->limit);
}
static bool sfi_ends_quick(const sfi_op *op, sf_result r)    /* the turn, as it began */
{
    return r == SF_OK && op->quick & SFI_IN_TURN && !(op->ends && sfi_may_be_over(op));
}
static void sfi_end_turn(sfi_op *op)
{
    SFI_BUMP(op->pub.run);
    op->turn = NULL;
    SFI_SET(op->state, SF_OP_WAITING);
}
/* Whether the consumer waits for this message and nothing else, and nobody is to run before it. */
static bool sfi_may_carry(const sfi_worker *w, const sfi_edge *e, const sfi_op *to, uint64_t urgent)
{
    return !e->count && to->unmet == 1 && !(w->level_mask & urgent) && !sfi_load(&w->attention);
}
static SFI_INLINE void sfi_begin_carried(sfi_worker *w, const sfi_op *from, sfi_op *to)
{
    to->take = &from->hand.value;
    to->quick = to->begins;
    to->turn = &w->turn;
    SFI_SET(to->state, SF_OP_COMPUTING);
}
/* From hand to hand. The queue is seen to hold the message while the consumer computes. That it can run and, where
   the queue is full now, its producer cannot, is not written down: see sfi_take_down(). */
static SFI_INLINE void sfi_carry(sfi_worker *w, const sfi_op *from, sfi_edge *e, sfi_op *to)
{
    SFI_SET(e->count, 1);
    SFI_BUMP(e->messages);
    sfi_begin_carried(w, from, to);
}
/* What a turn has put, if anything, waits in queues. */
static SFI_INLINE void sfi_put_down(sfi_op *op, uint8_t quick, int64_t time)
{
    sfi_edge *e = quick & SFI_MAY_PUT ? NULL : op->out;
    op->quick = 0;
    if (e) { sfi_begin_commit(op); }
    for (; e; e = e->more_out) { sfi_arrive_quick(op, e, time); }
}
static SFI_NOINLINE sfi_op *sfi_run_chain(sfi_worker *w, sfi_op *op, sf_result *result);
/* What a turn has put goes to several. To those who wait for nothing else it goes from hand to hand, too: it is seen
   to be in their queues, and they to be in the list, one behind the other, but that is not written down. */
static void sfi_mark_all(sfi_op *op, int64_t time)
{
    sfi_edge *e;
    for (e = op->out; e; e = e->more_out) {
        sfi_op *to = e->consumer;
        if (e->count || to->unmet != 1 || to->state != SF_OP_WAITING) {
            sfi_arrive_quick(op, e, time);
            continue;
        }
        SFI_SET(e->count, 1);
        SFI_BUMP(e->messages);
        SFI_SET(to->state, SF_OP_QUEUED);
        if (e->full == 1) { op->unmet++; }
    }
}
static bool sfi_is_marked(const sfi_op *op) { return op->state == SF_OP_QUEUED && op->unmet; }
/* Into the list after all. */
static SFI_NOINLINE void sfi_unmark(const sfi_worker *w, const sfi_op *from, sfi_edge *e)
{
    sfi_op *op = e->consumer;
    sfi_lay_down(e, &from->hand, w->time);
    e->tail = sfi_place_after(e, e->tail);
    op->unmet--;
    SFI_SET(op->state, SF_OP_WAITING);
    sfi_ready_first(op);
}
static bool sfi_may_spread(const sfi_worker *w, uint8_t quick)
{
    return quick == (SFI_IN_TURN | SFI_SPREADS) && w->fans < SFI_FANS;
}
/* They compute at once, one after the other. The turn of the one that has put is over. Returns the one whose turn is
   not to end like that. */
static SFI_NOINLINE sfi_op *sfi_run_fan(sfi_worker *w, sfi_op *op, sf_result *result)
{
    const int64_t time = w->time;
    const uint64_t urgent = ((uint64_t)1 << op->level) - 1;
    const sfi_level *level = &w->levels[op->level];
    sfi_op *left = NULL;
    sfi_edge *e;
    w->fans++;
    op->quick = 0;
    sfi_begin_commit(op);
    sfi_mark_all(op, time);
    if (!op->unmet) { sfi_ready(op); }
    for (e = op->out; e; e = e->more_out) {
        sfi_op *to = e->consumer;
        uint8_t quick;
        bool spreads;
        sf_result r;
        if (!sfi_is_marked(to)) { continue; }
        if (left || sfi_ahead(w, level) || (w->level_mask & urgent) || sfi_is_called(w)) {
            sfi_unmark(w, op, e);
            continue;
        }
        sfi_begin_carried(w, op, to);
        r = sfi_call_compute(to);
        quick = to->quick;
        if (to->take || !sfi_ends_quick(to, r)) {
            if (e->full == 1) { op->unmet--; }               /* see sfi_take_down() */
            *result = r;
            left = to;
            continue;
        }
        SFI_SET(e->count, 0);
        sfi_end_turn(to);
        spreads = sfi_may_spread(w, quick);
        if (quick != (SFI_IN_TURN | SFI_CARRIES) && !spreads) { sfi_put_down(to, quick, time); }
        if (e->full == 1 && --op->unmet == 0) { sfi_ready(op); }
        if (quick == (SFI_IN_TURN | SFI_CARRIES)) { left = sfi_run_chain(w, to, result); }
        if (spreads) { left = sfi_run_fan(w, to, result); }
    }
    w->fans--;
    return left;
}
static void sfi_put_across(sfi_worker *w, sfi_op *op, uint8_t quick)         /* maybe over a bridge */
{
    bool crosses = quick & SFI_CROSSES && !(quick & SFI_MAY_PUT);
    if (crosses && op->out->room == 1) { (void)sfi_add(op->out->bridge->taken, 0); }         /* as sfi_put_in() */
    if (crosses && op->out->count >= op->out->high) { sfi_take_in(w->flow, op->out); }       /* or some are gone */
    sfi_put_down(op, quick, w->time);
    if (!op->unmet) { sfi_ready_again(op); }
    if (crosses) { sfi_bridge_sent(w->flow, op->out, w); }
}
/* A turn has ended, and what it has put goes on: compute after compute. Returns the one whose turn is not to end like
   that; or NULL. */
static SFI_NOINLINE sfi_op *sfi_run_chain(sfi_worker *w, sfi_op *op, sf_result *result)
{
    const uint8_t goes_on = SFI_IN_TURN | SFI_CARRIES;
    const uint64_t urgent = ((uint64_t)1 << op->level) - 1;
    const bool polls = w->polled_count > 0;  /* sfi_is_called(), with less to load for each operator */
    sfi_op *first = NULL;                    /* has more to do once its queue is empty */
    uint8_t quick = goes_on;
    for (;;) {
        sfi_edge *e = op->out;
        sfi_op *to = e->consumer;
        sf_result r;
        if (!sfi_may_carry(w, e, to, urgent) || (polls && sfi_any_pushed(w))) { break; }
        if (!op->unmet) {
            if (e->full == 1) { first = op; } else { sfi_ready(op); }
        }
        sfi_carry(w, op, e, to);
        op = to;
        r = sfi_call_compute(op);
        quick = op->quick;
        if (r != SF_OK || op->take || op->ends || quick != goes_on) {
            *result = r;
            if (op->take || !sfi_ends_quick(op, r)) { return op; }
            if (quick != goes_on) {
                SFI_SET(e->count, 0);
                sfi_end_turn(op);
                break;
            }
        }
        SFI_SET(e->count, 0);
        sfi_end_turn(op);
        if (first) { sfi_ready(first); }
        first = NULL;
    }
    if (sfi_may_spread(w, quick)) {
        if (first) { sfi_ready(first); }
        return sfi_run_fan(w, op, result);
    }
    sfi_put_down(op, quick, w->time);
    if (first) { sfi_ready(first); }
    if (!op->unmet) { sfi_ready_again(op); }
    return NULL;
}
/* What it has received goes. Returns the time of what it puts. */
static SFI_INLINE int64_t sfi_settle_quick(sfi_op *op)
{
    int64_t time = -1;
    sfi_edge *e;
    for (e = op->in; e != op->come; e = e->more_in) {
        uint32_t was = e->count;
        if (time < 0) { time = e->head->message.time; }
        if (e->room > 1) { e->head = sfi_place_after(e, e->head); }
        SFI_SET_BEHIND(e->count, was - 1);
        if (was == e->wakes) { op->unmet++; }
        if (was == e->full) {
            sfi_op *from = e->producer;
            SF_ASSERT(from->unmet > 0);
            if (--from->unmet == 0) { sfi_ready_at(from); }
        }
    }
    op->come = NULL;
    return time;
}
/* The same with several workers, who may be at the desk meanwhile. Operators that wait for nothing but the message
   are taken along under the lock; then it goes through all of them without one: theirs are the queues in between. If
   nothing comes into them and nothing leaves them but what they do themselves, from a source to where it ends, the
   next message follows at once: so nothing that others touch is touched for each message. Where the chain begins or
   ends at a bridge the next one follows, too, but the lock is taken once in between. */
static sfi_op *sfi_take_along(sfi_op *op, uint32_t *turns)   /* the last one of them; how often all may compute */
{
    uint32_t left = SFI_ALONG;
    *turns = op->sample + 1;
    while (op->begins & SFI_CARRIES && left--) {
        sfi_op *next = op->out->consumer;
        if (op->out->count || next->unmet != 1 || !next->sample || next->state != SF_OP_WAITING) { break; }
        if (next->sample < *turns) { *turns = next->sample; }
        next->along = true;
        op = next;
    }
    return op;
}
static void sfi_leave_behind(sfi_worker *w, sfi_op *op)      /* desk held: who wanted it ended had to wait */
{
    sf_flow *f = w->flow;
    op->along = false;
    if (op->state != SF_OP_WAITING) { return; }              /* it is not through: its commit looks */
    if (sfi_load(&op->asked_to_stop) || (f->any_closed && !sfi_op_needed(f, op))) {
        (void)sfi_swap(&op->asked_to_stop, 0);
        sfi_end_soon(f, op);
        w->run_on = 0;
    }
    if (!op->unmet) { sfi_ready_again(op); }
}
static bool sfi_is_urged(const sfi_worker *w)                /* to look at something else */
{
    const sf_flow *f = w->flow;
    return (SFI_GET(w->level_mask) & w->urgent) || sfi_load(&w->attention) || sfi_load(&f->stop) ||
           sfi_load(&f->paused);
}
/* Where the message that `op` has put gets to: that one's turn has not ended yet. */
static SFI_INLINE sfi_op *sfi_hand_along(sfi_worker *w, sfi_op *op, const sfi_op *last, sf_result *result)
{
    for (;;) {
        sfi_edge *e = op->out;
        sfi_carry(w, op, e, e->consumer);
        op = e->consumer;
        op->sample--;
        *result = sfi_call_compute(op);
        if (op == last || *result != SF_OK || op->take || op->quick != (SFI_IN_TURN | SFI_CARRIES) ||
            sfi_is_urged(w) || (SFI_GET(op->ends) && sfi_may_be_over(op))) {
            return op;
        }
        SFI_SET(op->in->count, 0);
        sfi_end_turn(op);
    }
}
/* Its message has gone all the way. */
static SFI_INLINE bool sfi_may_go_again(const sfi_worker *w, const sfi_op *op)
{
    return !(SFI_GET(op->ends) && sfi_may_be_over(op)) && !sfi_load(&w->recalled) && !sfi_is_urged(w);
}
/* The first one of a chain that a worker has taken computes once more. True: what it has put goes along. What came
   over a bridge stays in its queue until the lock is held again. */
static SFI_INLINE bool sfi_go_again(sfi_worker *w, sfi_op *op, sf_result *result)
{
    SFI_SET(op->state, SF_OP_COMPUTING);
    op->sample--;
    *result = sfi_call_compute(op);
    if (*result != SF_OK || !(op->quick & SFI_IN_TURN)) { return false; }
    if (op->in) {
        w->time = op->take ? -1 : op->in->head->message.time;
        if (op->take) { op->come = op->in; } /* has not been received: it stays */
        op->take = NULL;
    }
    if (op->quick != (SFI_IN_TURN | SFI_CARRIES) || sfi_is_urged(w)) { return false; }
    sfi_end_turn(op);
    return true;
}
static bool sfi_is_through(const sfi_op *op, sf_result r)    /* nothing of the message is left */
{
    return sfi_ends_quick(op, r) && !op->take && (!op->out || op->quick & SFI_MAY_PUT);
}
/* Desk held: what it received over a bridge goes. The producer, who may be waiting for room, is told of a quarter of
   the queue at a time, of the rest when these turns are over: at least three quarters stay to be taken until then. */
static void sfi_settle_first(sfi_worker *w, sfi_op *first)
{
    bool received = first->in && first->come != first->in;
    first->come = NULL;
    if (!received) { return; }
    (void)sfi_settle_quick(first);
    sfi_bridge_taken(w->flow, first->in, first->in->most / 4, w);
}
/* Between two messages of a chain with a bridge at an end. *op: NULL once its turn is over. True: the first one may
   compute again. */
static bool sfi_pass_across(sfi_worker *w, sfi_op *first, sfi_op **op, bool again, sf_result r)
{
    sfi_op *last = *op;
    uint64_t held = last->locks;
    bool goes_on = false;
    sfi_hold(w->flow, held);
    if (!last->take && sfi_ends_quick(last, r)) {
        SFI_SET(last->in->count, 0);
        sfi_end_turn(last);
        if (again) { sfi_settle_first(w, first); }
        sfi_put_across(w, last, last->quick);
        if (w->watched_count) { sfi_look_across(w, false); }
        *op = NULL;
        goes_on = last->unmet == 1 && first->unmet == 1 && (!first->in || sfi_begin_quick(&w->turn, first));
        if (goes_on && first->in) { first->in->there = first->in->count; }
    }
    sfi_let_go(w->flow, held, w);
    return goes_on;
}
/* Message after message, as long as all goes well. *op: whose turn has not ended, or NULL. Returns how many turns it
   began: `turns` at most if others wait at the desk. */
static SFI_NOINLINE uint32_t sfi_run_turns(sfi_worker *w, sfi_op *first, const sfi_op *last, uint32_t turns,
                                           uint32_t most, sfi_op **op, sf_result *result)
{
    const bool alone = !first->in && !last->out;
    uint32_t n = 0;
    for (;;) {
        *op = sfi_hand_along(w, first, last, result);
        if (n + 1 >= (SFI_GET(w->level_mask) ? turns : most) || !sfi_may_go_again(w, first)) { return n; }
        if (!alone) {
            if (*op != last || !sfi_pass_across(w, first, op, n > 0, *result)) { return n; }
        } else {
            if (!sfi_is_through(*op, *result)) { return n; }
            SFI_SET((*op)->in->count, 0);
            (*op)->quick = 0;
            sfi_end_turn(*op);
        }
        n++;
        *op = first;
        first->quick = first->begins;
        first->turn = &w->turn;
        if (!sfi_go_again(w, first, result)) { return n; }
    }
}
/* As many turns as take about as long as a compute that is not heavy: others at the desk wait no longer for it. Since
   none in the chain was heavy then, none has to be timed by itself. */
static void sfi_time_turns(sfi_op *first, const sfi_op *last, int64_t ns, uint32_t turns, uint32_t again)
{
    sfi_op *op = again ? first : first->out->consumer;       /* else the clock began behind its only compute */
    bool all = again + 1 >= turns;
    if (all) { ns = ns / (again + 1) * turns; }              /* of that many: there may have been more */
    if (ns > SFI_HEAVY) {
        if (first->turns) { first->turns--; }
        return;
    }
    if (all && ns < SFI_HEAVY / 2 && first->turns < SFI_TURNS) { first->turns++; }
    for (; op != last; op = op->out->consumer) { op->sample = 255; }
    op->sample = 255;
}
/* How many messages may follow each other, with this one; 0: none may. Not where a place in the queue counts. */
static uint32_t sfi_most_turns(const sfi_worker *w, const sfi_op *first, const sfi_op *last, uint32_t most)
{
    const sfi_edge *in = first->in, *out = last->out;
    if ((in && (!in->bridge || !in->count || in->most < 4)) || (out && !out->bridge)) { return 0; }
    if (most > w->run_on + 1) { most = w->run_on + 1; }
    return most < (uint32_t)1 << SFI_TURNS ? most : (uint32_t)1 << SFI_TURNS;
}
/* The turn of the last one to compute, its desk held again. If it is not over, what came from hand to hand is in its
   queue after all. */
static bool sfi_end_along(sfi_worker *w, sfi_op *op, bool came, sf_result r)
{
    bool over = !op->take && sfi_ends_quick(op, r);
    if (over) {
        if (came) { SFI_SET(op->in->count, 0); } else { sfi_settle_first(w, op); }
        sfi_end_turn(op);
    } else if (came) {
        if (op->unmet) { sfi_take_down(w, op); }             /* else its compute has, as far as it may alone */
        if (op->in->full == 1) { op->in->producer->unmet++; }
    }
    return over;
}
/* A quick turn that has used its stream: did all calls there succeed, and is what it has put behind its work? Asked
   before desks are taken, as a full stream makes the driver wait. */
static bool sfi_record_quick(const sfi_op *op, sf_result r)
{
    sfi_turn *t = op->turn;
    if (!(op->quick & SFI_ON_STREAM) || r != SF_OK) { return false; }
    if (sfi_load(&t->handed[0]->order.misuses) != t->misuses[0]) { return false; }
    if (!op->out || op->quick & SFI_MAY_PUT || op->outputs[0].quiet || t->recorded[0]) { return true; }
    return sfi_order_record(t->handed[0], &t->recorded[0]) >= 0;
}
static bool sfi_ends_on_stream(const sfi_op *op, sf_result r)
{
    return sfi_record_quick(op, r) && !(op->ends && sfi_may_be_over(op)) && !sfi_load(&op->asked_to_stop);
}
static SFI_NOINLINE sfi_op *sfi_run_along(sfi_worker *w, sfi_op *first, sf_result *result, uint64_t *held)
{
    sf_flow *f = w->flow;
    uint32_t most, turns, n;
    sfi_op *last = sfi_take_along(first, &most), *op = first, *i;
    uint8_t quick = SFI_IN_TURN | SFI_CARRIES;
    int64_t begin = 0;
    bool over = true;
    if (last == first) {
        sfi_put_across(w, op, quick);
        return NULL;
    }
    most = sfi_most_turns(w, first, last, most);
    turns = (uint32_t)1 << first->turns;
    if (turns > most) { turns = most; }
    if (w->watched_count && !first->in && !last->out) { most = turns; }      /* nobody looks there meanwhile */
    first->along = true;
    first->unmet++;                          /* no other turn of it before they are through */
    w->urgent = ((uint64_t)1 << op->level) - 1;
    sfi_store(&w->recalled, 0);
    sfi_let_go(f, *held, w);
    if (turns) { begin = sfi_clock(); }
    n = sfi_run_turns(w, first, last, turns, most, &op, result);
    if (turns) { begin = sfi_clock() - begin; }
    if (op) { (void)sfi_record_quick(op, *result); }
    *held = (op ? op : first)->locks;
    sfi_hold(f, *held);
    w->run_on -= n < w->run_on ? n : w->run_on;
    if (n && op && op != first) { sfi_settle_first(w, first); }
    if (op) {
        quick = op->quick;
        over = sfi_end_along(w, op, op != first, *result);
    }
    if (n && first->in) { sfi_publish_taken(f, first->in, 1); }
    if (turns) { sfi_time_turns(first, last, begin, turns, n); }
    first->unmet--;
    for (i = first; i != last; i = i->out->consumer) { sfi_leave_behind(w, i); }
    sfi_leave_behind(w, last);
    if (op && over) { sfi_put_across(w, op, quick); }
    return over ? NULL : op;
}
/* The time that what a quick turn has received carries, or -1. */
static SFI_INLINE int64_t sfi_time_taken(const sfi_op *op)
{
    const sfi_edge *e = op->take ? NULL : op->in;
    int64_t time = -1;
    for (; e && e != op->come && time < 0; e = e->more_in) { time = e->head->message.time; }
    return time;
}
/* What a quick turn has received is gone. Returns the time that it carried, or -1. */
static SFI_INLINE int64_t sfi_end_taking(sfi_worker *w, sfi_op *op)
{
    int64_t time = -1;
    if (op->take) {
        op->take = NULL, op->come = NULL;
    } else {
        time = sfi_settle_quick(op);
        if (op->in && !op->in->producer) { sfi_tell_taken(w->flow, op->in, 1, w); }
    }
    sfi_end_turn(op);
    return time;
}
/* The end of a quick turn that began from the list, and what follows at once. As sfi_run_chain(). */
static SFI_INLINE sfi_op *sfi_commit_quick(sfi_worker *w, sfi_op *op, sf_result *result,
                                           uint64_t *held)     /* desks held; several workers: which */
{
    const uint8_t carries = SFI_IN_TURN | SFI_CARRIES;
    uint8_t quick = op->quick;
    if (held) {
        w->time = sfi_end_taking(w, op);
        if (quick == carries) { return sfi_run_along(w, op, result, held); }
        sfi_put_across(w, op, quick);
    } else if (quick == carries) {
        w->time = sfi_end_taking(w, op);
        return sfi_run_chain(w, op, result);
    } else if (sfi_may_spread(w, quick)) {
        w->time = sfi_end_taking(w, op);
        return sfi_run_fan(w, op, result);
    } else {                                 /* what it has put first: see sfi_hold_back() */
        sfi_put_down(op, quick, op->out ? sfi_time_taken(op) : -1);
        (void)sfi_end_taking(w, op);
        if (!op->unmet) { sfi_ready_again(op); }
    }
    return NULL;
}
static void sfi_commit_on_stream(sfi_worker *w, sfi_op *op)  /* desks held */
{
    const sfi_turn *t = &w->turn;
    sfi_edge *e = op->quick & SFI_MAY_PUT ? NULL : op->out;
    bool crosses = e && op->quick & SFI_CROSSES;
    int64_t time;
    if (sfi_is_carried(op)) { sfi_take_down(w, op); }
    time = sfi_time_taken(op);
    op->quick = 0;
    sfi_begin_commit(op);
    if (crosses && e->count >= e->high) { sfi_take_in(w->flow, e); }
    for (; e; e = e->more_out) {
        sfi_message *m = &e->tail->message;
        sfi_arrive_quick(op, e, time);
        sfi_message_behind(m, t->handed[0], t->recorded[0]);
    }
    (void)sfi_end_taking(w, op);
    if (!op->unmet) { sfi_ready_again(op); }
    if (crosses) { sfi_bridge_sent(w->flow, op->out, w); }
}
/* Quick operators from the list of a priority, by a worker who is alone. As sfi_run_chain(). */
static SFI_NOINLINE sfi_op *sfi_run_list(sfi_worker *w, uint8_t l, sf_result *result)
{
    const uint64_t urgent = ((uint64_t)1 << l) - 1;
    sfi_level *level = &w->levels[l];
    sfi_op *op, *left = NULL;
    uint32_t run_on = w->run_on;
    for (; run_on && !left && (op = level->first) != NULL; run_on--) {
        sf_result r;
        if ((w->level_mask & urgent) || sfi_is_called(w)) { break; }
        if (!op->begins || op->state != SF_OP_QUEUED || !sfi_begin_quick(&w->turn, op)) { break; }
        SF_ASSERT(!op->unmet);               /* what it can run on stays until it does */
        level->first = op->next;
        if (!level->first) { SFI_SET(w->level_mask, w->level_mask & ~((uint64_t)1 << l)); }
        SFI_SET(op->state, SF_OP_COMPUTING);
        r = sfi_call_compute(op);
        if (sfi_ends_quick(op, r)) { left = sfi_commit_quick(w, op, result, NULL); } else { *result = r, left = op; }
    }
    w->run_on = run_on;
    return left;
}
/* Nothing is ready, but bridges are watched: something may come soon. */
static bool sfi_await(sfi_worker *w, uint64_t *held)
{
    uint32_t left = SFI_AWAIT;
    if (!w->run_on || w->level_mask || !w->watched_count || sfi_load(&w->attention)) { return false; }
    sfi_let_go(w->flow, *held, w);
    while (!sfi_any_news(w) && left-- && !SFI_GET(w->level_mask) && !sfi_load(&w->attention)) { sfi_relax_core(); }
    *held = sfi_desk(w);
    sfi_hold(w->flow, *held);
    sfi_look_across(w, false);
    return w->level_mask != 0;
}
static bool sfi_is_over_for(const sf_flow *f, const sfi_op *op)              /* its last run, maybe */
{
    return (op->limit && op->pub.run + 1 >= op->limit) || SFI_GET(f->any_closed) || sfi_load(&op->asked_to_stop);
}
static SFI_NOINLINE bool sfi_run_on(sfi_worker *w)           /* whether any was there */
{
    sf_flow *f = w->flow;
    bool several = f->worker_count > 1, any = false;
    uint64_t held = sfi_desk(w);
    sfi_op *op;
    sfi_hold(f, held);
    sfi_hear(w);
    if (w->watched_count) { sfi_look_across(w, false); }
    w->run_on = SFI_RUN_ON;
    w->turn.flow = f;
    w->turn.hook = SF_HOOK_BEGIN;
    w->turn.stamp = NULL;
    while ((op = sfi_next_plain(w, several)) != NULL || sfi_await(w, &held)) {
        sf_result r;
        if (!op) { continue; }
        any = true;
        if (several) { sfi_let_go(f, held, w); }
        r = sfi_call_compute(op);
        if (several) {
            (void)sfi_record_quick(op, r);
            sfi_hold(f, held = op->locks | sfi_desk(w));
            if (w->watched_count) { sfi_look_across(w, false); }
        }
        if (sfi_ends_quick(op, r) &&
            !(several && sfi_load(&op->asked_to_stop))) {    /* somebody else has heard the bell meanwhile */
            uint8_t level = op->level;
            op = sfi_commit_quick(w, op, &r, several ? &held : NULL);
            if (!op && !several) { op = sfi_run_list(w, level, &r); }
            if (!op) { continue; }
        }
        if (sfi_ends_on_stream(op, r)) {
            sfi_commit_on_stream(w, op);
        } else {
            if (op->quick & (SFI_IN_TURN | SFI_ON_STREAM)) { sfi_end_quick(&w->turn, op); }
            if (r == SF_OK && !w->turn.unusual && !sfi_is_over_for(f, op)) {
                sfi_commit_plain(f, op);
                continue;
            }
            sfi_let_go(f, held, w);          /* the long way, after all */
            sfi_commit(f, op, sfi_computed(f, op, r), w);
            held = sfi_desk(w);
            sfi_hold(f, held);
        }
        if (sfi_load(&f->stop) || sfi_load(&f->paused) || SFI_GET(w->ending) != SFI_NONE) { break; }
    }
    sfi_let_go(f, held, w);
    return any;
}

/* What to do when no operator can run, of no worker: SF_OK: look again; SF_IDLE: nothing before *wake; SF_DONE: that
   was all. */
static sf_result sfi_idle(sf_flow *f, int64_t *wake)
{
    uint32_t op, i, timers = 0, waiters = 0;
    if (f->fed_alive && f->any_ended && sfi_retire(f)) { return SF_OK; }
    *wake = f->ends_at;
    for (i = 0; i < f->worker_count; i++) {
        if (sfi_next_timer(&f->workers[i]) < *wake) { *wake = sfi_next_timer(&f->workers[i]); }
        timers += f->workers[i].timer_count;
        waiters += f->workers[i].gpu_waiter_count;
    }
    if (waiters) { return SF_IDLE; }
    if (!timers && !f->alive) {
        int64_t now;
        if (!f->deadlock_timeout || !sfi_leftover(f, &op)) { return SF_DONE; }
        now = sfi_flow_now(f);
        if (f->deadlock_timeout > 0) {
            if (f->idle_since == SFI_NEVER) { SFI_SET(f->idle_since, now); }
            if (now >= sfi_deadline(f->idle_since, f->deadlock_timeout)) { return SF_DONE; }
            (void)sfi_by_time(sfi_deadline(f->idle_since, f->deadlock_timeout), now, wake);
        }
    }
    if (!f->simulated || *wake == SFI_NEVER) { return SF_IDLE; }
    SFI_SET(f->now, *wake > f->now ? *wake : f->now);
    return SF_OK;
}

static bool sfi_has_work(const sfi_worker *w)                /* as far as another thread can see */
{
    return SFI_GET(w->level_mask) || SFI_GET(w->ending) != SFI_NONE || sfi_load(&w->bells) ||
           sfi_load(&w->attention) || sfi_any_news(w);
}
static void sfi_op_begin(sf_flow *f, sfi_op *op, sfi_turn *turn)
{
    SFI_SET(op->state, SF_OP_COMPUTING);
    sfi_turn_begin(f, op, SF_HOOK_BEGIN, turn);
    if (op->extras && !op->attempts) {
        sfi_spend_signals(op);
        if (sfi_needs_clock(op)) { op->more->began = sfi_flow_now(f); }
    }
}
static void sfi_region_begin(sf_flow *f, sfi_region *g)      /* the leader's turn has begun */
{
    sfi_op *leader = f->ops[g->members[0]];
    uint32_t k;
    leader->unmet++;                         /* no other turn before this one is over */
    for (k = 1; k < g->count; k++) {
        g->turns[k].row = leader->turn->row;
        sfi_op_begin(f, f->ops[g->members[k]], &g->turns[k]);
    }
}
/* The next operator of a desk that can run, with its turn begun; its worker, or one of its group who has nothing to
   do, runs it. */
static sfi_op *sfi_find(sfi_worker *w, sfi_worker *self, sfi_turn *turn)
{
    sf_flow *f = w->flow;
    uint64_t desk = sfi_desk(w);
    sfi_op *op = NULL;
    int pass;
    if (f->worker_count > 1 && !sfi_has_work(w) && !SFI_GET(w->timer_count) && !SFI_GET(w->gpu_waiter_count)) {
        return NULL;                         /* nothing to hold the lock for: others may want it */
    }
    SFI_STEP("find");
    if (f->worker_count > 1 && SFI_GET(w->ending) != SFI_NONE) {
        sfi_hold(f, sfi_all_desks(f));
        sfi_end_listed(w);
        sfi_let_go(f, sfi_all_desks(f), self);
    }
    sfi_hold(f, desk);
    sfi_hear(w);
    if (w->watched_count) { sfi_look_across(w, false); }
    if (!sfi_load(&f->stop) && !sfi_load(&f->paused)) {
        sfi_fire_timers(w);
        if ((++w->steps & 15) == 0 && w->gpu_waiter_count) { sfi_poll_gpu(w); }
        for (pass = 0; pass < 2 && !op; pass++) {
            for (op = sfi_next_ready(w); op && !sfi_admit(f, op); op = sfi_next_ready(w)) {}
            if (!op && !w->gpu_waiter_count) { break; }
            if (!op && pass == 0) { sfi_poll_gpu(w); }
        }
    }
    if (op) {
        sfi_op_begin(f, op, turn);
        if (op->more->region) { sfi_region_begin(f, op->more->region); }
        if (w == self) { sfi_look_across(w, true); }         /* this may take long: nobody watches */
    }
    sfi_let_go(f, desk, self);
    return op;
}
static bool sfi_has_spun(const sfi_worker *w, int64_t now)   /* long enough to sleep */
{
    int64_t spin = w->flow->crew[w->group].spin;
    if (!spin) { spin = SFI_SPIN; }
    return w->spun_since >= 0 && now - w->spun_since >= spin;
}
/* At the desk of one who has no time; before a sleep, at any of the group's. */
static sfi_op *sfi_find_elsewhere(sfi_worker *self)
{
    sf_flow *f = self->flow;
    bool any = sfi_has_spun(self, sfi_clock());
    uint32_t i, n;
    for (i = 1; i < f->worker_count; i++) {
        sfi_worker *w;
        sfi_op *op;
        n = self->index + i;
        w = &f->workers[n < f->worker_count ? n : n - f->worker_count];
        if (w->group != self->group || (!any && !sfi_load(&w->lends))) { continue; }
        if (!sfi_has_work(w) && !SFI_GET(w->timer_count) && !SFI_GET(w->gpu_waiter_count)) { continue; }
        op = sfi_find(w, self, &self->turn);
        if (op) { return op; }
    }
    return NULL;
}

static bool sfi_time_is_up(const sf_flow *f) { return f->ends_at != SFI_NEVER && sfi_flow_now(f) >= f->ends_at; }
static sf_result sfi_step_idle(sfi_worker *w, int64_t *wake) /* nothing is ready here */
{
    sf_flow *f = w->flow;
    *wake = SFI_NEVER;
    if (sfi_load(&f->stop) || sfi_time_is_up(f)) { return SF_DONE; }
    if (sfi_load(&f->paused) || SFI_GET(w->level_mask)) {    /* or it was until now: who resumes it rings */
        *wake = f->ends_at;
        return SF_IDLE;
    }
    return f->worker_count == 1 ? sfi_idle(f, wake) : SF_IDLE;
}
/* Whether nothing but plain operators and bells have to be seen to. */
static bool sfi_may_run_on(const sfi_worker *w)
{
    const sf_flow *f = w->flow;
    return f->short_way && !f->stepping && f->ends_at == SFI_NEVER && !SFI_GET(w->timer_count) &&
           !SFI_GET(w->gpu_waiter_count) && SFI_GET(w->ending) == SFI_NONE && !sfi_load(&f->stop) &&
           !sfi_load(&f->paused);
}
static sf_result sfi_ran(sf_flow *f)
{
    if (SFI_GET(f->idle_since) != SFI_NEVER) { SFI_SET(f->idle_since, SFI_NEVER); }
    return SF_OK;
}
/* One operator, or as many as can run the short way. SF_OK: it ran; SF_IDLE: nothing for this worker; SF_DONE: the
   run is over. */
static sf_result sfi_step(sfi_worker *w, int64_t *wake)
{
    sf_flow *f = w->flow;
    sfi_op *op;
    *wake = SFI_NEVER;
    if (sfi_time_is_up(f)) { return SF_DONE; }
    if ((SFI_GET(w->level_mask) || sfi_is_called(w) || sfi_any_news(w)) && sfi_may_run_on(w) && sfi_run_on(w)) {
        return sfi_ran(f);
    }
    op = sfi_find(w, w, &w->turn);
    if (!op && f->worker_count > 1) { op = sfi_find_elsewhere(w); }
    if (op) {
        sfi_run_op(w, op);
        if (sfi_may_run_on(w)) { (void)sfi_run_on(w); }
        return sfi_ran(f);
    }
    return sfi_step_idle(w, wake);
}

/* >>hooks --------------------------------------------------------------------------------------------- */

/* What a compute calls. Each function finds the operator behind its context; outside of a hook there is none. */
static sfi_turn *sfi_turn_of(const sf_context *ctx)
{
    sfi_op *op = (sfi_op *)(uintptr_t)ctx;
    if (!op || !op->turn) { return NULL; }
    if (op->quick & (SFI_IN_TURN | SFI_ON_STREAM)) { sfi_end_quick(op->turn, op); }
    return op->turn;
}

/* A call of the compute's failed: the first one decides how the compute ends. */
static sf_result sfi_turn_fail(sfi_turn *t, sf_result result, const char *call, const char *format, ...)
{
    char text[SFI_TEXT / 2];
    sfi_text at = sfi_text_in(text, sizeof text);
    va_list args;
    if (t->error < 0) { return result; }
    t->error = result;
    t->unusual = true;
    t->op->error_counted = true;
    va_start(args, format);
    sfi_put_v(&at, format, args);
    va_end(args);
    return sfi_flow_fail(t->flow, t->op, result, call, "%s", text);
}
static sfi_input *sfi_turn_input(sfi_turn *t, int port, const char *call)
{
    if (port >= 0 && port < t->op->input_count) { return &t->op->inputs[port]; }
    (void)sfi_turn_fail(t, SF_ERROR_UNKNOWN_PORT, call, "there is no input %d, only %d of them", port,
                        (int)t->op->input_count);
    return NULL;
}
static sfi_output *sfi_turn_output(sfi_turn *t, int port, const char *call)
{
    if (port >= 0 && port < t->op->output_count) { return &t->op->outputs[port]; }
    (void)sfi_turn_fail(t, SF_ERROR_UNKNOWN_PORT, call, "there is no output %d, only %d of them", port,
                        (int)t->op->output_count);
    return NULL;
}

/* What a region's graph cannot do. */
static bool sfi_region_refuses(sfi_turn *t, const char *call)
{
    if (!sfi_region_of(t)) { return false; }
    (void)sfi_turn_fail(t, SF_ERROR_NOT_SUPPORTED, call, "the operators of a region receive, launch, copy, set and "
                        "emit: take it out of region %d", (int)t->op->more->number);
    return true;
}

/* -- streams -- */

/* What a compute may use its stream by. */
static sf_stream *sfi_turn_face(sfi_turn *t)
{
    const sfi_region *g = sfi_region_of(t);
    return g ? g->script.face : t->stream;
}

/* Gives a stream to the compute: its work begins after whoever used the buffers that the compute has created. */
static sf_result sfi_hand(sfi_turn *t, sf_stream *s)
{
    sf_result r = SF_OK;
    sfi_more *more;
    sfi_tensor *c;
    uint32_t i;
    if (sfi_handed_index(t, s) < t->handed_count) { return SF_OK; }
    if (t->handed_count == SFI_HANDED) {
        return sfi_turn_fail(t, SF_ERROR_POOL_EXHAUSTED, "sf_allocate_stream", "a compute can use %d streams at most",
                             (int)SFI_HANDED);
    }
    t->misuses[t->handed_count] = sfi_load(&s->order.misuses);
    t->unusual = true;
    t->recorded[t->handed_count] = 0;
    t->handed[t->handed_count++] = s;
    for (c = t->created; c && r >= 0; c = c->next) {
        for (i = 0; i < c->user_count && r >= 0; i++) { r = sfi_order_wait(s, &c->users[i]); }
    }
    more = t->op->more;
    if (more->stamps && !t->stamp && r >= 0 && more->stamps[0].begin && !(more->region && more->member)) {
        t->stamp = &more->stamps[more->stamp++ % SFI_STAMPS];
        t->stamp->stream = s->index;
        r = sf_event_record(t->stamp->begin, s);             /* a pair still pending after so many is given up */
    }
    if (r < 0) {
        return sfi_turn_fail(t, r, "sf_compute_stream", "the stream cannot be ordered: %s", sf_result_string(r));
    }
    return r;
}

static void sfi_remember_stream(sf_flow *f, sf_stream *s)    /* no operator's own: to be drained at the end as well */
{
    uint32_t i;
    sfi_spin_lock(&f->choosing);
    for (i = 0; i < f->foreign_count && f->foreign[i] != s; i++) {}
    if (i == f->foreign_count && i < SFI_HANDED) { f->foreign[f->foreign_count++] = s; }
    sfi_spin_unlock(&f->choosing);
}

/* Orders the compute's stream after what a port received so far. */
static sf_result sfi_order_input(sfi_turn *t, const sfi_input *in)
{
    sf_flow *f = t->flow;
    uint32_t e;
    sf_result r = SF_OK;
    for (e = in->first; e != SFI_NONE && r >= 0; e = f->edges[e]->next_input) {
        sfi_edge *edge = f->edges[e];
        for (; edge->ordered < edge->taken && r >= 0; edge->ordered++) {
            r = sfi_order_wait(t->stream, &sfi_message_at(edge, edge->ordered)->order);
        }
    }
    return r;
}
static sf_result sfi_order_failed(sfi_turn *t, sf_result r)
{
    return sfi_turn_fail(t, r, "sf_compute_stream", "waiting for a message's work failed: %s", sf_result_string(r));
}
static sf_result sfi_order_all(sfi_turn *t)
{
    sf_result r = SF_OK;
    int p;
    for (p = 0; p < t->op->input_count && r >= 0; p++) { r = sfi_order_input(t, &t->op->inputs[p]); }
    return r < 0 ? sfi_order_failed(t, r) : r;
}

/* The operator's own stream: taken from its pool once, kept to the end of the run. */
static sf_stream_pool *sfi_late_pool(sf_flow *f)             /* nobody looked as if they needed one */
{
    sf_stream_pool_desc d;
    if (f->streams || !f->device || f->given_streams || (f->fixed && !f->limit_streams)) { return f->streams; }
    sfi_zero(&d, sizeof d);
    d.name = f->name;
    if (sf_stream_pool_create(f->device, &d, &f->streams) < 0) { return NULL; }
    f->owns_streams = true;
    (void)sfi_stream_pool_reserve(f->streams, 1, 16);
    return f->streams;
}
static sf_stream_pool *sfi_streams_of(sf_flow *f, const sfi_op *op)
{
    sf_stream_pool *pool = op->more->streams;
    if (pool) { return pool; }
    sfi_spin_lock(&f->choosing);
    pool = sfi_late_pool(f);
    sfi_spin_unlock(&f->choosing);
    return pool;
}
static sf_result sfi_own_stream(sf_flow *f, sfi_op *op)
{
    sf_stream_pool *pool;
    sf_result r = SF_ERROR_POOL_EXHAUSTED;
    if (op->own) { return SF_OK; }
    if (op->adopt) { return r; }
    pool = sfi_streams_of(f, op);
    r = pool ? sfi_stream_pool_take(pool, &op->own) : r;
    if (r >= 0) { sfi_keep_name(op->own->name, sizeof op->own->name, op->pub.name); }        /* for failures */
    return r;
}
static bool sfi_has_stream(sfi_turn *t, sfi_message *m, void *found)
{
    (void)t;
    if (!m->order.stream || m->hidden) { return false; }
    *(sf_stream **)found = m->order.stream;
    return true;
}
static sf_stream *sfi_first_stream(sfi_turn *t, const sfi_input *in)         /* that a port received */
{
    sf_stream *found = NULL;
    uint32_t e, m;
    for (e = in->first; e != SFI_NONE; e = t->flow->edges[e]->next_input) {
        const sfi_edge *edge = t->flow->edges[e];
        for (m = 0; m < edge->taken; m++) {
            if (sfi_has_stream(t, sfi_message_at(edge, m), &found)) { return found; }
        }
    }
    return NULL;
}
/* Once per compute: own, else the first received, else the default stream. `in`: where to look; NULL: everywhere. */
static sf_result sfi_decide_stream(sfi_turn *t, const sfi_input *in, bool adopt)
{
    sf_stream *s = NULL;
    if (t->stream) { return SF_OK; }
    if (!adopt && sfi_own_stream(t->flow, t->op) >= 0) {
        s = t->op->own;
    } else if (in) {
        s = sfi_first_stream(t, in);
    } else {
        (void)sfi_each_received(t, sfi_has_stream, &s);
    }
    if (!s) {
        s = sf_stream_legacy(sfi_op_device(t->flow, t->op));
        t->hidden = true;
        sfi_remember_stream(t->flow, s);
        if (!s) { return sfi_turn_fail(t, SF_ERROR_INVALID_CONTEXT, "sf_compute_stream", "the device has a fault"); }
    }
    t->stream = s;
    return sfi_hand(t, s);
}

/* The same in a quick turn, which goes on as one. NULL: ask as in any other turn. */
static sf_stream *sfi_quick_stream(sfi_op *op)
{
    sfi_turn *t = op->turn;
    sf_stream *s = op->quick & SFI_ON_STREAM ? t->handed[0] : op->own;
    bool came = op->in && !op->take && !sfi_is_carried(op);
    sfi_edge *e, *end = came ? op->come : op->in;            /* what it has received is in front of these */
    sf_result r = SF_OK;
    for (e = op->in; op->adopt && !s && e != end; e = e->more_in) {
        if (!e->head->message.hidden) { s = e->head->message.order.stream; }
    }
    if (!s && op->adopt && t->flow->device) {
        s = sf_stream_legacy(t->flow->device);
        if (s) { sfi_remember_stream(t->flow, s); }
    }
    if (!s) { return NULL; }
    if (op->quick & SFI_IN_TURN) {
        t->handed[0] = s;
        t->recorded[0] = 0;
        t->misuses[0] = sfi_load(&s->order.misuses);
        op->quick = (uint8_t)(op->quick ^ (SFI_IN_TURN | SFI_ON_STREAM));
    }
    for (e = op->in; e != end && r >= 0; e = e->more_in) { r = sfi_order_wait(s, &e->head->message.order); }
    if (r < 0) { (void)sfi_order_failed(sfi_turn_of(&op->pub), r); }
    return r < 0 ? NULL : s;
}
SF_API sf_stream *sf_compute_stream(sf_context *ctx)
{
    sfi_op *op = (sfi_op *)(void *)ctx;
    sfi_turn *t;
    sf_stream *s;
    if (ctx && ctx->executor) { return ctx->executor->stream(ctx, -1); }
    s = op && op->turn && op->quick & (SFI_IN_TURN | SFI_ON_STREAM) ? sfi_quick_stream(op) : NULL;
    if (s) { return s; }
    t = sfi_turn_of(ctx);
    if (!t || t->error < 0 || !t->flow->device) { return NULL; }
    return sfi_decide_stream(t, NULL, t->op->adopt) < 0 || sfi_order_all(t) < 0 ? NULL : sfi_turn_face(t);
}
SF_API sf_stream *sf_receive_stream_with_flags(sf_context *ctx, int port, uint32_t flags)
{
    sfi_turn *t;
    sfi_input *in;
    sf_result r;
    if (ctx && ctx->executor) { return ctx->executor->stream(ctx, port); }
    t = sfi_turn_of(ctx);
    if (!t || t->error < 0) { return NULL; }
    in = sfi_turn_input(t, port, "sf_receive_stream");
    if (!in) { return NULL; }
    if (!in->asked) {
        (void)sfi_turn_fail(t, SF_ERROR_NOT_RECEIVED, "sf_receive_stream", "call sf_receive() on input \"%s\" first",
                            in->name);
        return NULL;
    }
    if (flags & ~(uint32_t)(SF_STREAM_ADOPT | SF_STREAM_SYNC_TO_DEFAULT)) {
        (void)sfi_turn_fail(t, SF_ERROR_INVALID_VALUE, "sf_receive_stream", "there are no such flags");
        return NULL;
    }
    if (flags && sfi_region_refuses(t, "sf_receive_stream_with_flags")) { return NULL; }
    r = sfi_decide_stream(t, in, t->op->adopt || (flags & SF_STREAM_ADOPT));
    if (r >= 0) { r = sfi_order_input(t, in); }
    if (r >= 0 && (flags & SF_STREAM_SYNC_TO_DEFAULT)) {
        sfi_point p;
        p.stream = t->stream;
        p.number = 0;
        r = sfi_order_wait(sf_stream_legacy(t->stream->device), &p);
    }
    if (r < 0) {
        (void)sfi_turn_fail(t, r, "sf_receive_stream", "input \"%s\": %s", in->name, sf_result_string(r));
        return NULL;
    }
    return sfi_turn_face(t);
}
SF_API sf_stream *sf_receive_stream(sf_context *ctx, int port) { return sf_receive_stream_with_flags(ctx, port, 0); }

/* Other calls have no counterpart in a foreign executor. */
static sf_result sfi_executor_refuses(sf_context *ctx, const char *call)
{
    return (ctx->executor->fail)(ctx, SF_ERROR_NOT_SUPPORTED, call,
                                 "not here: a compute outside of a flow receives and emits tensors, on "
                                 "sf_compute_stream(), and no more (a value: as a tensor of .bytes)");
}

SF_API int sf_receive_streams(sf_context *ctx, int port, sf_stream **streams, int max)
{
    sfi_turn *t;
    const sfi_input *in;
    uint32_t e, m;
    int n = 0;
    if (ctx && ctx->executor) { return (void)sfi_executor_refuses(ctx, "sf_receive_streams"), 0; }
    t = sfi_turn_of(ctx);
    in = t && t->error >= 0 ? sfi_turn_input(t, port, "sf_receive_streams") : NULL;
    for (e = in ? in->first : (uint32_t)SFI_NONE; e != SFI_NONE; e = t->flow->edges[e]->next_input) {
        const sfi_edge *edge = t->flow->edges[e];
        for (m = 0; m < edge->taken; m++, n++) {
            const sfi_message *message = sfi_message_at(edge, m);
            if (streams && n < max) { streams[n] = message->hidden ? NULL : message->order.stream; }
        }
    }
    return n;
}

SF_API sf_stream *sf_allocate_stream(sf_context *ctx, const char *name)
{
    sfi_turn *t;
    sfi_named_stream *n;
    sf_stream_pool *pool;
    size_t length;
    sf_result r;
    if (ctx && ctx->executor) { return (void)sfi_executor_refuses(ctx, "sf_allocate_stream"), (sf_stream *)NULL; }
    t = sfi_turn_of(ctx);
    if (!t || t->error < 0 || sfi_region_refuses(t, "sf_allocate_stream")) { return NULL; }
    if (!name) {
        (void)sfi_turn_fail(t, SF_ERROR_INVALID_VALUE, "sf_allocate_stream", "a stream of one's own needs a name");
        return NULL;
    }
    for (n = t->op->named; n && !sfi_same((const char *)(n + 1), name); n = n->next) {}
    if (!n) {
        pool = sfi_streams_of(t->flow, t->op);
        length = sfi_length(name);
        n = (sfi_named_stream *)sfi_alloc_zeroed(&t->flow->heap, sizeof *n + length + 1);
        r = !n                           ? SF_ERROR_OUT_OF_MEMORY
            : t->op->adopt || !pool      ? SF_ERROR_POOL_EXHAUSTED
                                         : sfi_stream_pool_take(pool, &n->stream);
        if (r < 0) {
            sfi_free(&t->flow->heap, n);
            (void)sfi_turn_fail(t, r, "sf_allocate_stream", "no stream for \"%s\": %s", name,
                                t->op->adopt || !pool ? "the operator has no stream pool (sf_op_desc.streams)"
                                                      : "its pool is used up, raise sf_stream_pool_desc.max");
            return NULL;
        }
        if (length) { sfi_copy(n + 1, name, length); }
        n->next = t->op->named;
        t->op->named = n;
    }
    return sfi_hand(t, n->stream) < 0 ? NULL : n->stream;
}
SF_API sf_result sf_set_stream(sf_context *ctx, int port, sf_stream *stream)
{
    sfi_turn *t;
    sfi_output *out;
    sf_result r;
    if (ctx && ctx->executor) { return sfi_executor_refuses(ctx, "sf_set_stream"); }
    t = sfi_turn_of(ctx);
    if (!t) { return SF_ERROR_ILLEGAL_STATE; }
    if (t->error < 0) { return t->error; }
    if (sfi_region_refuses(t, "sf_set_stream")) { return t->error; }
    out = sfi_turn_output(t, port, "sf_set_stream");
    if (!out) { return SF_ERROR_UNKNOWN_PORT; }
    r = sfi_check_stream(stream);
    if (r < 0) { return sfi_turn_fail(t, r, "sf_set_stream", "output \"%s\": this is not a stream", out->name); }
    r = sfi_hand(t, stream);
    if (r < 0) { return r; }
    out->stream = stream;
    sfi_remember_stream(t->flow, stream);
    return SF_OK;
}
SF_API sf_result sf_synchronize_streams(sf_context *ctx, sf_stream *const *streams, int count, sf_stream *target)
{
    sfi_turn *t;
    sf_result r;
    int i, k;
    if (ctx && ctx->executor) { return sfi_executor_refuses(ctx, "sf_synchronize_streams"); }
    t = sfi_turn_of(ctx);
    if (!t) { return SF_ERROR_ILLEGAL_STATE; }
    if (t->error < 0) { return t->error; }
    if (sfi_region_refuses(t, "sf_synchronize_streams")) { return t->error; }
    r = sfi_check_stream(target);
    if (r < 0 || count < 0 || (count && !streams)) {
        return sfi_turn_fail(t, r < 0 ? r : SF_ERROR_INVALID_VALUE, "sf_synchronize_streams",
                             "the target is not a stream, "
                             "or there is no list");
    }
    for (i = 0; i < count && r >= 0; i++) {
        sfi_point p;
        p.stream = streams[i];
        p.number = 0;
        for (k = 0; k < i && streams[k] != streams[i]; k++) {}
        if (!p.stream || p.stream == target || k < i) { continue; }
        r = sfi_check_stream(p.stream);
        if (r >= 0) { r = sfi_order_wait(target, &p); }
    }
    return r < 0 ? sfi_turn_fail(t, r, "sf_synchronize_streams", "entry %d: %s", i - 1, sf_result_string(r)) : SF_OK;
}
SF_API sf_device *sf_device_from_stream(sf_context *ctx, const sf_stream *stream)
{
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    sfi_named_stream *n;
    sf_stream *received = NULL;
    bool ours;
    uint32_t i;
    int p;
    if (t && t->op->more->region && stream == t->op->more->region->script.face) { return stream->device; }
    if (!t || sfi_check_stream(stream) < 0 || stream == stream->device->legacy) { return NULL; }
    ours = stream == t->op->own;
    for (n = t->op->named; n; n = n->next) { ours = ours || n->stream == stream; }
    for (i = 0; i < t->handed_count; i++) { ours = ours || t->handed[i] == stream; }
    for (p = 0; p < t->op->input_count && !ours; p++) {      /* or it came with a message */
        uint32_t e, m;
        for (e = t->op->inputs[p].first; e != SFI_NONE; e = t->flow->edges[e]->next_input) {
            for (m = 0; m < t->flow->edges[e]->taken; m++) {
                received = sfi_message_at(t->flow->edges[e], m)->order.stream;
                ours = ours || received == stream;
            }
        }
    }
    return ours ? stream->device : NULL;
}

/* -- receiving -- */

static sfi_edge *sfi_next_edge(sf_flow *f, sfi_input *in)    /* with one more message for this compute */
{
    uint32_t tries;
    if (!in->many) {
        sfi_edge *e = sfi_edge_at(f, in->first);
        return e && e->taken < e->there ? e : NULL;
    }
    for (tries = 0; tries <= in->edges && in->lap < in->batch; tries++) {
        sfi_edge *e = sfi_edge_at(f, in->cursor);
        if (!e) {                            /* once around */
            in->cursor = in->first;
            in->lap++;
            continue;
        }
        in->cursor = e->next_input;
        if (e->taken < e->there && e->taken <= in->lap) { return e; }
    }
    return NULL;
}

/* Metadata of all messages received, merged. */
static sf_result sfi_merge(sfi_turn *t, const sfi_edge *e, const sfi_message *m)
{
    const sfi_entry *in = e->more->entries + sfi_place_of(e, m) * t->flow->entries_max;
    uint32_t i, k;
    for (i = 0; i < m->entries; i++) {
        for (k = 0; k < t->entry_count && t->entries[k].key != in[i].key; k++) {}
        if (k == t->entry_count) {
            if (k == t->flow->entries_max) {
                return sfi_turn_fail(t, SF_ERROR_NO_ROOM, "sf_receive", "the messages bring more than %u entries of "
                                     "metadata: raise sf_flow_desc.metadata_entries", (unsigned)k);
            }
            t->entries[t->entry_count++] = in[i];
        } else if (t->flow->metadata == SF_METADATA_UPDATE) {
            t->entries[k] = in[i];
        } else if (t->flow->metadata == SF_METADATA_RAISE) {
            return sfi_turn_fail(t, SF_ERROR_MISMATCH, "sf_receive", "two messages bring metadata %u",
                                 (unsigned)in[i].key);
        }
    }
    return SF_OK;
}
static sfi_message *sfi_receive_message(sfi_turn *t, int port, sfi_kind kind, const char *call)
{
    sfi_input *in = sfi_turn_input(t, port, call);
    sfi_edge *e;
    sfi_message *m;
    if (!in) { return NULL; }
    if (t->hook != SF_HOOK_BEGIN) {
        (void)sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, call, "only a compute receives, not start or stop");
        return NULL;
    }
    in->asked = true;
    t->unusual = true;                       /* the short way's receiving did not do */
    e = sfi_next_edge(t->flow, in);
    if (!e) { return NULL; }
    m = sfi_message_at(e, e->taken);
    if (m->kind != kind) {
        (void)sfi_turn_fail(t, SF_ERROR_MISMATCH, call,
                            kind == SFI_TENSOR ? "input \"%s\" holds a value: use sf_receive_value()"
                                               : "input \"%s\" holds a tensor: use sf_receive()",
                            in->name);
        return NULL;
    }
    e->taken++;
    in->latest = m;
    t->tensors |= kind == SFI_TENSOR;
    if (!t->time_set && t->time < 0) { t->time = m->time; }
    if (m->entries) { (void)sfi_merge(t, e, m); }
    return m;
}
SF_API sf_tensor *sf_receive(sf_context *ctx, int port)
{
    sfi_turn *t;
    sfi_message *m;
    sf_tensor *tensor;
    if (ctx && ctx->executor) { return ctx->executor->receive(ctx, port); }
    t = sfi_turn_of(ctx);
    if (!t) { return NULL; }
    m = t->error < 0 ? NULL : sfi_receive_message(t, port, SFI_TENSOR, "sf_receive");
    if (!m) { return t->error < 0 ? &t->flow->nothing : NULL; }
    tensor = (sf_tensor *)m->value.ptr;
    if (t->flow->hook) { t->flow->hook(SF_HOOK_RECEIVE, ctx, port, tensor, t->flow->hook_user); }
    return tensor;
}
/* From an input with one edge, where nothing else travels along. */
static const sfi_message *sfi_receive_plain(sfi_turn *t, int port)
{
    sfi_input *in;
    sfi_edge *e;
    sfi_message *m;
    if (t->unusual || (uint32_t)port >= t->op->input_count) { return NULL; }
    in = &t->op->inputs[port];
    e = in->single;
    if (!e || e->taken >= e->there) { return NULL; }
    m = sfi_message_at(e, e->taken);
    if (m->kind != SFI_VALUE) { return NULL; }
    e->taken++;
    in->asked = true;
    in->latest = m;
    if (t->time < 0 && !t->time_set) { t->time = m->time; }
    return m;
}
static SFI_NOINLINE sf_value sfi_receive_value(sf_context *ctx, int port)
{
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    const sfi_message *m = t ? sfi_receive_plain(t, port) : NULL;
    sf_value none;
    if (m) { return m->value; }
    sfi_zero(&none, sizeof none);
    if (ctx && ctx->executor) { return (void)sfi_executor_refuses(ctx, "sf_receive_value"), none; }
    if (!t || t->error < 0) { return none; }
    m = sfi_receive_message(t, port, SFI_VALUE, "sf_receive_value");
    if (m && t->flow->hook) { t->flow->hook(SF_HOOK_RECEIVE, ctx, port, NULL, t->flow->hook_user); }
    return m ? m->value : none;
}
/* Of several edges the next one's, once around. */
static SFI_NOINLINE sf_value sfi_receive_next(sf_context *ctx, int port)
{
    sfi_op *op = (sfi_op *)(void *)ctx;
    const sfi_edge *e = ctx && !ctx->executor && !op->take ? op->come : NULL;
    if (e && e->input == port && e->head->message.kind == SFI_VALUE) {
        return op->come = e->more_in, e->head->message.value;
    }
    return sfi_receive_value(ctx, port);
}
SF_API sf_value sf_receive_value(sf_context *ctx, int port)
{
    sfi_op *op = (sfi_op *)(void *)ctx;
    if (ctx && !ctx->executor && !port && op->take) {
        const sf_value *value = op->take;
        op->take = NULL;
        return *value;
    }
    return sfi_receive_next(ctx, port);
}
SF_API int sf_available(const sf_context *ctx, int port)
{
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    const sfi_input *in;
    uint32_t e, n = 0;
    if (!t || t->error < 0 || port < 0 || port >= t->op->input_count || t->hook != SF_HOOK_BEGIN) { return 0; }
    in = &t->op->inputs[port];
    for (e = in->first; e != SFI_NONE; e = t->flow->edges[e]->next_input) {
        const sfi_edge *edge = t->flow->edges[e];
        uint32_t there = edge->there, may = in->many && there > in->batch ? in->batch : there;
        n += may > edge->taken ? may - edge->taken : 0;
    }
    return (int)n;
}

/* -- creating -- */

static size_t sfi_item_bytes(uint32_t dtype) { return ((dtype >> 8 & 0xff) * (dtype >> 16) + 7) / 8; }

/* Shape and strides of a desc into a tensor; 0: impossible. strided: strides of zero mean zero. */
static size_t sfi_shape_tensor(sfi_tensor *t, const sf_tensor_desc *d, bool strided)
{
    uint64_t bytes;
    int32_t i;
    bool packed = !strided;
    t->pub.dtype = d->dtype ? (uint32_t)d->dtype : (uint32_t)SF_U8;
    t->pub.ndim = d->ndim;
    while (!d->ndim && t->pub.ndim < SF_MAX_DIMS && d->shape[t->pub.ndim]) { t->pub.ndim++; }
    bytes = sfi_item_bytes(t->pub.dtype);
    if (t->pub.ndim < 0 || t->pub.ndim > SF_MAX_DIMS || !bytes) { return 0; }
    for (i = 0; i < t->pub.ndim; i++) { packed = packed && !d->strides[i]; }
    for (i = t->pub.ndim - 1; i >= 0; i--) {
        if (d->shape[i] < 0 || (d->shape[i] && bytes > SIZE_MAX / 2 / (uint64_t)d->shape[i])) { return 0; }
        t->shape[i] = d->shape[i];
        t->strides[i] = packed ? (int64_t)(bytes / sfi_item_bytes(t->pub.dtype)) : d->strides[i];
        bytes *= (uint64_t)d->shape[i];
    }
    if (!packed) {                           /* from the first to behind the last element */
        const uint64_t item = sfi_item_bytes(t->pub.dtype);
        for (bytes = item, i = 0; i < t->pub.ndim; i++) {
            uint64_t steps = (uint64_t)d->shape[i] - 1, stride = (uint64_t)d->strides[i];
            if (!d->shape[i] || d->strides[i] < 0) { return 0; }
            if (steps && stride > (SIZE_MAX / 2 - bytes) / item / steps) { return 0; }
            bytes += steps * stride * item;
        }
    }
    t->pub.shape = t->shape;
    t->pub.strides = t->strides;
    return (size_t)bytes;
}
static void sfi_shape_bytes(sfi_tensor *t, size_t bytes)     /* a row of bytes */
{
    t->pub.dtype = SF_U8;
    t->pub.ndim = 1;
    t->shape[0] = (int64_t)bytes;
    t->strides[0] = 1;
    t->pub.shape = t->shape;
    t->pub.strides = t->strides;
}
static void sfi_place_tensor(sfi_tensor *t, sf_memory memory)                /* DLPack's words for where it is */
{
    static const uint8_t on_cuda[] = { 2, 3, 13, 1 };
    bool cuda = t->device && t->device->cuda;
    t->pub.device_type = cuda ? on_cuda[memory] : 1;
    t->pub.device_id = cuda && memory != SF_MEMORY_HOST ? t->device->ordinal : 0;
}

/* New work on memory that had users: every stream that the operator holds waits for them. */
static sf_result sfi_order_all_after(sfi_turn *turn, sfi_point *p)
{
    sf_result r = SF_OK;
    uint32_t k;
    sfi_named_stream *n;
    for (k = 0; k < turn->handed_count && r >= 0; k++) { r = sfi_order_wait(turn->handed[k], p); }
    if (turn->op->own && r >= 0) { r = sfi_order_wait(turn->op->own, p); }
    for (n = turn->op->named; n && r >= 0; n = n->next) { r = sfi_order_wait(n->stream, p); }
    return r;
}
static sf_result sfi_order_created(sfi_turn *turn, sfi_tensor *t)
{
    sf_result r = SF_OK;
    uint32_t i;
    sfi_point allocated;
    for (i = 0; i < t->user_count && r >= 0; i++) { r = sfi_order_all_after(turn, &t->users[i]); }
    if (r >= 0 && t->pool && sfi_pool_is_ordered(t->pool)) {
        allocated.stream = turn->stream;     /* stream-ordered memory is there from this point on */
        allocated.number = 0;
        r = sfi_order_all_after(turn, &allocated);
    }
    return r;
}
static sfi_tensor *sfi_take_for(sfi_turn *turn, sfi_output *out, size_t bytes)
{
    sf_mem_pool *pool = out->supply->pool;
    sf_stream *blocker = NULL, *stream = NULL;
    sfi_tensor *t = out->supply->reserved;
    sf_result r = SF_OK;
    if (pool->desc.kind == SF_MEM_POOL_BLOCKS && bytes > pool->desc.block_bytes) {
        (void)sfi_turn_fail(turn, SF_ERROR_MISMATCH, "sf_tensor_create",
                            "output \"%s\": %Z bytes do not fit its blocks of %Z: raise sf_port.bytes", out->name,
                            bytes, pool->desc.block_bytes);
        return NULL;
    }
    out->supply->reserved = NULL;
    if (!t) {
        if (sfi_pool_is_ordered(pool)) {     /* allocated on the stream that will use it */
            r = sfi_decide_stream(turn, NULL, turn->op->adopt);
            stream = turn->stream;
        }
        if (r >= 0) { r = sfi_pool_take(pool, bytes, stream, &t, &blocker); }
        if (r < 0) {
            (void)sfi_turn_fail(turn, r, "sf_tensor_create",
                                "output \"%s\" has no memory left (%Z of %Z bytes in use), %s: its pool needs more",
                                out->name, (size_t)sfi_load64(&pool->used), (size_t)sfi_load64(&pool->reserved),
                                sf_result_string(r));
            return NULL;
        }
    }
    t->pub.bytes = bytes;
    return t;
}
SF_API sf_tensor *sf_tensor_create(sf_context *ctx, int port, const sf_tensor_desc *desc)
{
    sfi_turn *turn;
    sfi_output *out;
    sfi_tensor shape, *t;
    size_t bytes;
    sf_result r;
    if (ctx && ctx->executor) { return ctx->executor->create(ctx, port, desc); }
    turn = sfi_turn_of(ctx);
    if (!turn) { return NULL; }
    out = turn->error < 0 ? NULL : sfi_turn_output(turn, port, "sf_tensor_create");
    if (!out) { return &turn->flow->nothing; }
    bytes = desc ? sfi_shape_tensor(&shape, desc, false) : out->supply->bytes;
    if (!out->supply->pool || !bytes) {
        (void)sfi_turn_fail(turn, SF_ERROR_INVALID_VALUE, "sf_tensor_create",
                            out->supply->pool ? "output \"%s\": the size is 0, negative or too large"
                                      : "output \"%s\" has no memory: set sf_port.bytes or .pool",
                            out->name);
        return &turn->flow->nothing;
    }
    t = sfi_take_for(turn, out, bytes);
    if (!t) { return &turn->flow->nothing; }
    if (desc) { (void)sfi_shape_tensor(t, desc, false); } else { sfi_shape_bytes(t, bytes); }
    sfi_place_tensor(t, out->supply->pool->desc.memory);
    t->next = turn->created;
    turn->created = t;
    turn->unusual = true;
    r = sfi_order_created(turn, t);
    if (r < 0) {
        (void)sfi_turn_fail(turn, r, "sf_tensor_create", "waiting for its last users failed: %s",
                            sf_result_string(r));
        return &turn->flow->nothing;
    }
    return &t->pub;
}
SF_API sf_tensor *sf_tensor_like(sf_context *ctx, int port, const sf_tensor *like)
{
    sf_tensor_desc d;
    int32_t i;
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    if (!like || !like->shape || like->ndim > SF_MAX_DIMS) {
        if (!t) { return NULL; }
        (void)sfi_turn_fail(t, SF_ERROR_INVALID_VALUE, "sf_tensor_like", "there is no tensor to be like");
        return &t->flow->nothing;
    }
    sfi_zero(&d, sizeof d);
    d.dtype = (sf_dtype)like->dtype;
    d.ndim = like->ndim;
    for (i = 0; i < like->ndim; i++) { d.shape[i] = like->shape[i]; }        /* packed, whatever the strides were */
    return sf_tensor_create(ctx, port, &d);
}

/* -- emitting -- */

static bool sfi_is_message_of(sfi_turn *t, sfi_message *m, void *tensor)
{
    (void)t;
    return m->kind == SFI_TENSOR && m->value.ptr == *(void **)tensor && (*(void **)tensor = m, true);
}
static bool sfi_created_here(const sfi_turn *t, const sfi_tensor *tensor)
{
    const sfi_tensor *c = t->created;
    while (c && c != tensor) { c = c->next; }
    return c != NULL;
}
static bool sfi_staged_here(const sfi_turn *t, const sf_tensor *tensor)
{
    uint32_t i;
    for (i = 0; i < t->staged_count; i++) {
        if (t->staged[i].message.kind == SFI_TENSOR && t->staged[i].message.value.ptr == tensor) { return true; }
    }
    return false;
}
static sf_result sfi_check_room(sfi_turn *t, const sfi_output *out, const char *call)
{
    sf_flow *f = t->flow;
    uint32_t e;
    for (e = out->first; e != SFI_NONE; e = f->edges[e]->next_output) {
        sfi_edge *edge = f->edges[e];
        uint32_t left = edge->most - sfi_edge_count(edge) + (edge->from == edge->to ? edge->taken : 0);
        if (SFI_GET(edge->closed) || (edge->overflow != SF_OVERFLOW_BLOCK && edge->overflow != SF_OVERFLOW_ERROR)) {
            continue;
        }
        if (left <= out->staged) {
            SFI_BUMP(edge->refused);
            sfi_add64(&f->dropped, 1);
            return sfi_turn_fail(t, SF_ERROR_QUEUE_FULL, call,
                                 "output \"%s\": the queue of \"%s\" (%u messages) is full: raise "
                                 "its capacity, or wait for room with SF_CONDITION_ROOM",
                                 out->name, f->ops[edge->to]->pub.name, (unsigned)edge->most);
        }
    }
    if (t->staged_count == t->staged_room) {
        return sfi_turn_fail(t, SF_ERROR_QUEUE_FULL, call,
                             "output \"%s\": one compute emits at most %u messages here", out->name,
                             (unsigned)t->staged_room);
    }
    return SF_OK;
}
/* Nobody listens: counted, and released when the compute has ended, behind all that it has enqueued. */
static void sfi_let_fall(sfi_turn *t, int port, const sfi_message *m)
{
    sfi_output *out = &t->op->outputs[port];
    t->unheard++;
    sfi_add64(&t->flow->dropped, 1);
    if (m->kind != SFI_TENSOR) { return; }
    if (out->staged == SFI_UNHEARD || t->staged_count == t->staged_room) {   /* so many: behind the work so far */
        sfi_used_by_all(t, sfi_message_tensor(m));
        sfi_message_release(m);
        return;
    }
    t->unusual = true;
    t->staged[t->staged_count].message = *m;
    t->staged[t->staged_count].message.order.stream = NULL;  /* nobody has to wait for it */
    out->staged++;
    t->staged[t->staged_count++].output = (uint32_t)port;
}
static sf_result sfi_stage(sfi_turn *t, int port, const sfi_message *m, const char *call)
{
    sfi_output *out = sfi_turn_output(t, port, call);
    sf_result r;
    if (!out) { return SF_ERROR_UNKNOWN_PORT; }
    if (t->hook != SF_HOOK_BEGIN) {
        return sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, call, "only a compute emits, not start or stop");
    }
    if (out->first == SFI_NONE) { return sfi_let_fall(t, port, m), SF_OK; }
    r = sfi_check_room(t, out, call);
    if (r < 0) { return r; }
    t->unusual = true;
    t->staged[t->staged_count].message = *m;
    t->staged[t->staged_count++].output = (uint32_t)port;
    out->staged++;
    return SF_OK;
}
SF_API sf_result sf_emit(sf_context *ctx, int port, sf_tensor *tensor)
{
    sfi_turn *turn;
    sfi_tensor *t;
    sfi_message m;
    void *received;
    sf_result r;
    if (ctx && ctx->executor) { return ctx->executor->emit(ctx, port, tensor); }
    turn = sfi_turn_of(ctx);
    if (!turn) { return SF_ERROR_ILLEGAL_STATE; }
    t = tensor ? (sfi_tensor *)tensor->owner : NULL;
    received = tensor;
    if (turn->error < 0) {                   /* nothing goes out any more, but a reference given is taken */
        if (t && !sfi_each_received(turn, sfi_is_message_of, &received) && !sfi_created_here(turn, t) &&
            !sfi_staged_here(turn, tensor)) {
            sfi_used_by_all(turn, t);        /* what was enqueued before it failed runs all the same */
            sf_tensor_release(tensor);
        }
        return turn->error;
    }
    if (!t) {
        return sfi_turn_fail(turn, SF_ERROR_INVALID_VALUE, "sf_emit", "a tensor must come from sf_tensor_create() or "
                             "sf_tensor_wrap()");
    }
    if (sfi_is_gone(sfi_load(&t->references))) {
        return sfi_turn_fail(turn, SF_ERROR_INVALID_VALUE, "sf_emit", "the tensor was released already: what is "
                             "created or emitted is the flow's to release");
    }
    sfi_zero(&m, sizeof m);
    m.kind = SFI_TENSOR;
    m.value.ptr = tensor;
    m.order = t->order;
    if (sfi_each_received(turn, sfi_is_message_of, &received)) {
        m.order = ((const sfi_message *)received)->order;    /* passed on untouched, it keeps its order */
        m.hidden = ((const sfi_message *)received)->hidden;
        (void)sfi_add(&t->references, 1);
    } else if (sfi_created_here(turn, t) || sfi_staged_here(turn, tensor)) {
        (void)sfi_add(&t->references, 1);    /* else the caller's reference is the message's */
    }
    if (turn->flow->hook) { (void)sfi_add(&t->references, 1); }      /* the hook's: nobody else may want it */
    r = sfi_stage(turn, port, &m, "sf_emit");
    if (r < 0) {
        sfi_used_by_all(turn, t);
        sf_tensor_release(tensor);
    }
    if (turn->flow->hook) {
        if (r >= 0) { turn->flow->hook(SF_HOOK_EMIT, ctx, port, tensor, turn->flow->hook_user); }
        sf_tensor_release(tensor);
    }
    return r;
}
/* Straight into the queue, behind what is there: nobody sees it before the commit, where these come first, output by
   output. So not if anything was staged, or emitted by an output behind this one: messages arrive as emitted. */
static bool sfi_emit_direct(sfi_turn *t, int port, sf_value value)
{
    sfi_output *out;
    sfi_message *m;
    sfi_edge *e;
    uint32_t at;
    if ((uint32_t)port >= t->op->output_count || t->hook != SF_HOOK_BEGIN) { return false; }
    if (t->staged_count || t->direct >> port > 1) { return false; }
    out = &t->op->outputs[port];
    e = out->direct;
    if (!e || e->most - sfi_edge_count(e) <= out->staged || SFI_GET(e->closed)) { return false; }
    at = (uint32_t)(e->tail - e->ring) + out->laid++;
    out->staged++;
    m = &e->ring[at < e->room ? at : at - e->room].message;
    m->value = value;
    sfi_message_plain(m);
    t->direct |= (uint32_t)1 << port;
    return true;
}
static SFI_NOINLINE sf_result sfi_emit_value(sf_context *ctx, int port, sf_value value)
{
    sfi_turn *turn;
    sfi_message m;
    sf_result r;
    if (ctx && ctx->executor) { return sfi_executor_refuses(ctx, "sf_emit_value"); }
    turn = sfi_turn_of(ctx);
    if (!turn) { return SF_ERROR_ILLEGAL_STATE; }
    if (turn->error < 0) { return turn->error; }
    if (sfi_emit_direct(turn, port, value)) { return SF_OK; }
    sfi_zero(&m, sizeof m);
    m.kind = SFI_VALUE;
    m.value = value;
    r = sfi_stage(turn, port, &m, "sf_emit_value");
    if (r >= 0 && turn->flow->hook) { turn->flow->hook(SF_HOOK_EMIT, ctx, port, NULL, turn->flow->hook_user); }
    return r;
}
SF_API sf_result sf_emit_value(sf_context *ctx, int port, sf_value value)
{
    sfi_op *op = (sfi_op *)(void *)ctx;
    if (ctx && !ctx->executor && !port && op->quick & SFI_MAY_PUT) {
        op->hand.value = value;
        op->quick &= (uint8_t)~SFI_MAY_PUT;
        return SF_OK;
    }
    return sfi_emit_value(ctx, port, value);
}

/* -- what travels along -- */

SF_API int64_t sf_get_timestamp(const sf_context *ctx, int port)
{
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    if (!t || port < 0 || port >= t->op->input_count || !t->op->inputs[port].latest) { return -1; }
    return t->op->inputs[port].latest->time;
}
SF_API void sf_set_timestamp(sf_context *ctx, int64_t time)
{
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    if (!t) { return; }
    t->time = time;
    t->time_set = true;
}
SF_API bool sf_list_metadata(const sf_context *ctx, uint32_t index, uint32_t *key, sf_value *value)
{
    const sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    if (!t || index >= t->entry_count) { return false; }
    if (key) { *key = t->entries[index].key; }
    if (value) { *value = t->entries[index].value; }
    return true;
}
SF_API bool sf_get_metadata(const sf_context *ctx, uint32_t key, sf_value *value)
{
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    uint32_t i;
    for (i = 0; t && i < t->entry_count; i++) {
        if (t->entries[i].key != key) { continue; }
        if (value) { *value = t->entries[i].value; }
        return true;
    }
    return false;
}
SF_API sf_result sf_set_metadata(sf_context *ctx, uint32_t key, sf_value value)
{
    sfi_turn *t;
    uint32_t i;
    if (ctx && ctx->executor) { return sfi_executor_refuses(ctx, "sf_set_metadata"); }
    t = sfi_turn_of(ctx);
    if (!t) { return SF_ERROR_ILLEGAL_STATE; }
    for (i = 0; i < t->entry_count && t->entries[i].key != key; i++) {}
    if (i == t->flow->entries_max) {
        return sfi_turn_fail(t, SF_ERROR_NO_ROOM, "sf_set_metadata", "a message carries %u entries: raise "
                             "sf_flow_desc.metadata_entries", (unsigned)t->flow->entries_max);
    }
    t->entries[i].key = key;
    t->entries[i].value = value;
    if (i == t->entry_count) { t->entry_count++; }
    return SF_OK;
}
SF_API sf_result sf_route(sf_context *ctx, sf_op downstream)
{
    sfi_turn *t;
    sf_flow *f;
    bool found = false;
    uint32_t e;
    int p;
    if (ctx && ctx->executor) { return sfi_executor_refuses(ctx, "sf_route"); }
    t = sfi_turn_of(ctx);
    if (!t) { return SF_ERROR_ILLEGAL_STATE; }
    if (t->error < 0) { return t->error; }
    if (t->hook != SF_HOOK_BEGIN) {
        return sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, "sf_route", "only a compute routes, not start or stop");
    }
    if (sfi_region_refuses(t, "sf_route")) { return t->error; }
    f = t->flow;
    t->routed = t->unusual = true;
    if (!downstream.id) { return SF_OK; }
    for (p = 0; p <= t->op->output_count; p++) {
        e = p < t->op->output_count ? t->op->outputs[p].first : t->op->more->first_control;
        for (; e != SFI_NONE; e = f->edges[e]->next_output) {
            if (f->ops[f->edges[e]->to]->pub.op.id == downstream.id) { f->edges[e]->routed = found = true; }
        }
    }
    return found ? SF_OK
                 : sfi_turn_fail(t, SF_ERROR_UNKNOWN_OPERATOR, "sf_route", "no edge leads to that operator");
}
SF_API sf_result sf_fail(sf_context *ctx, sf_result code, const char *why)
{
    sfi_turn *t;
    sf_result r = code < 0 ? code : SF_ERROR_USER;
    if (!why || !why[0]) { why = sf_result_string(r); }
    if (ctx && ctx->executor) {
        return (ctx->executor->fail)(ctx, r, "sf_fail", why);
    } /* cmocka has a macro of that name */
    t = sfi_turn_of(ctx);
    return t ? sfi_turn_fail(t, r, "sf_fail", "%s", why) : SF_ERROR_ILLEGAL_STATE;
}
SF_API sf_result sf_set_port_bytes(sf_context *ctx, const char *port, size_t bytes)
{
    sfi_turn *t;
    int i;
    if (ctx && ctx->executor) { return ctx->executor->set_port_bytes(ctx, port, bytes); }
    t = sfi_turn_of(ctx);
    if (!t) { return SF_ERROR_ILLEGAL_STATE; }
    if (!t->op->more->initialize || t->hook != SF_HOOK_START || t->op->started) {
        return sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, "sf_set_port_bytes", "only the initialize hook sets sizes");
    }
    i = sfi_find_output(t->op, port);
    if (i >= 0) {
        t->op->outputs[i].supply->bytes = bytes;
        return SF_OK;
    }
    i = sfi_find_input(t->op, port);
    if (i < 0) {
        return sfi_turn_fail(t, SF_ERROR_UNKNOWN_PORT, "sf_set_port_bytes", "there is no port \"%s\"",
                             port ? port : "");
    }
    t->op->inputs[i].bytes = bytes;
    if (t->op->inputs[i].external) { t->flow->edges[t->op->inputs[i].first]->more->inlet->bytes = bytes; }
    return SF_OK;
}

/* >>regions ------------------------------------------------------------------------------------------- */

/* A turn of a region: all computes, one graph launch, all commits. What its operators hand each other lies in their
   queues before it has arrived there, so that nobody outside sees a message whose work is not launched yet. */

static bool sfi_same_steps(const sfi_kept *k, const sfi_script *s)
{
    const uint64_t *a = (const uint64_t *)(const void *)k->steps, *b = (const uint64_t *)(const void *)s->steps;
    uint32_t i, n = s->used / (uint32_t)sizeof *a;
    if (k->used != s->used) { return false; }
    for (i = 0; i < n && a[i] == b[i]; i++) {}
    return i == n;
}
/* The same graph with other arguments: an executable can be updated to it. */
static bool sfi_similar_steps(const sfi_kept *k, const sfi_script *s)
{
    uint32_t at = 0;
    while (at < s->used && at < k->used) {
        const sfi_written *a = (const sfi_written *)(void *)(k->steps + at);
        const sfi_written *b = (const sfi_written *)(void *)(s->steps + at);
        if (a->type != b->type || a->member != b->member || a->size != b->size || a->kernel != b->kernel) { break; }
        at += b->size;
    }
    return at == s->used && at == k->used;
}

/* -- capturing a script: operators that do not depend on each other side by side -- */

static void sfi_region_mark_before(const sf_flow *f, const sfi_region *g, uint32_t member, uint32_t mark)
{
    const sfi_op *op = f->ops[g->members[member]];
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        e = op->inputs[p].first;
        if (e == SFI_NONE || !sfi_is_inner(f, f->edges[e])) { continue; }
        g->marks[f->ops[f->edges[e]->from]->more->member] = mark;
    }
}
/* The next nodes come after those of whom this member receives from; who launched nothing passes that on. */
static sf_result sfi_region_fork(const sf_flow *f, sfi_region *g, uint32_t member)
{
    uint32_t count = 0, k;
    sfi_region_mark_before(f, g, member, member + 1);
    for (k = member; k-- > 0;) {
        if (g->marks[k] != member + 1) { continue; }
        if (!g->last[k]) { sfi_region_mark_before(f, g, k, member + 1); }
        if (!g->last[k]) { continue; }
        g->after[count].node = g->last[k];
        g->after[count++].type = SF_EDGE_FULL;
    }
    return sf_stream_update_capture_dependencies(g->scribe, g->after, (int)count, SF_CAPTURE_SET_DEPENDENCIES);
}
static sf_result sfi_region_repeat(sf_stream *s, const sfi_written *step)
{
    const sfi_rect *rect = &step->rect;
    if (step->type == SF_NODE_KERNEL) { return sf_launch(s, step->kernel, step->more ? step + 1 : NULL, step->more); }
    if (step->type == SF_NODE_MEMSET) { return sf_memset_async(s, rect->dst, (uint8_t)step->more, rect->row_bytes); }
    return sf_memcpy_2d_async(s, rect->dst, rect->dst_pitch, rect->src, rect->src_pitch, rect->row_bytes, rect->rows);
}
static sf_result sfi_region_capture_steps(const sf_flow *f, sfi_region *g)
{
    const sfi_script *s = &g->script;
    sf_result r = SF_OK;
    uint32_t at, k;
    for (k = 0; k < g->count; k++) {
        g->last[k] = NULL;
        g->marks[k] = 0;
    }
    for (at = 0; at < s->used && r >= 0;) {
        const sfi_written *step = (const sfi_written *)(void *)(s->steps + at);
        sf_capture_info info;
        sf_dependency end;
        g->failed = k = step->member;
        r = sfi_region_fork(f, g, k);
        for (; at < s->used && r >= 0; at += step->size) {
            step = (const sfi_written *)(void *)(s->steps + at);
            if (step->member != k) { break; }
            r = sfi_region_repeat(g->scribe, step);
        }
        if (r >= 0) { r = sf_stream_get_capture_info(g->scribe, &info, &end, 1); }
        if (r >= 0 && info.dependencies == 1) { g->last[k] = end.node; }     /* else its launchers launched nothing */
    }
    if (r >= 0) { g->failed = SFI_NONE; }
    return r;
}
static sf_result sfi_region_capture(const sf_flow *f, sfi_region *g, sf_graph **graph)
{
    sf_result r = sf_stream_begin_capture(g->scribe, SF_CAPTURE_RELAXED), end;
    *graph = NULL;
    if (r < 0) { return r; }
    r = sfi_region_capture_steps(f, g);
    end = sf_stream_end_capture(g->scribe, graph);
    if (r < 0 && *graph) {
        (void)sf_graph_destroy(*graph);
        *graph = NULL;
    }
    return r < 0 ? r : end;
}

/* -- executables, one for each of the last scripts that differ: buffers come round -- */

static sf_result sfi_region_keep(const sf_flow *f, sfi_region *g, sfi_kept *k)
{
    sf_graph *graph;
    sf_device *device = g->stream->device;
    sf_result r = SF_OK;
    bool similar = k->exec && sfi_similar_steps(k, &g->script);
    if (!sfi_grow(&device->heap, (void **)&k->steps, &k->room, g->script.used, 1)) {
        return sfi_out_of_memory(&device->heap);
    }
    k->used = 0;
    if (k->exec && !similar) {
        r = sf_graph_exec_destroy(k->exec);
        k->exec = NULL;
    }
    if (r >= 0) { r = sfi_region_capture(f, g, &graph); }
    if (r < 0) { return r; }
    if (similar && sf_graph_exec_update(k->exec, graph) < 0) {       /* memory of another kind, other launchers */
        similar = false;
        r = sf_graph_exec_destroy(k->exec);
        k->exec = NULL;
    }
    if (!similar && r >= 0) { r = sf_graph_instantiate(graph, 0, &k->exec); }
    (void)sf_graph_destroy(graph);
    if (r < 0) { return r; }
    sfi_copy(k->steps, g->script.steps, g->script.used);
    k->used = g->script.used;
    return SF_OK;
}
static sf_result sfi_region_launch(const sf_flow *f, sfi_region *g)
{
    sfi_kept *k, *oldest = &g->kept[0];
    sf_capture_mode mode;
    sf_result r = SF_OK;
    if (!g->script.used) { return SF_OK; }
    for (k = g->kept; k < g->kept + SFI_REGION_GRAPHS && !sfi_same_steps(k, &g->script); k++) {
        if (k->turn < oldest->turn) { oldest = k; }
    }
    mode = sfi_relax();
    if (k == g->kept + SFI_REGION_GRAPHS) {
        k = oldest;
        r = sfi_region_keep(f, g, k);
    }
    if (r >= 0) {
        k->turn = ++g->turn;
        r = sf_graph_launch(k->exec, g->stream);
    }
    sfi_unrelax(mode);
    return r;
}

/* -- the computes -- */

/* To the others of the region, at once: each gets what it would find in its queue. */
static sf_result sfi_region_deliver(sf_flow *f, sfi_turn *t)
{
    sfi_op *op = t->op;
    uint32_t e, i;
    int p;
    for (p = 0; p < op->input_count; p++) {
        e = op->inputs[p].first;
        if (e == SFI_NONE || !sfi_is_inner(f, f->edges[e]) || f->edges[e]->taken) { continue; }
        return sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, "compute", "it did not receive from \"%s\": within a region "
                             "there is one message on each turn", op->inputs[p].name);
    }
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            if (!sfi_is_inner(f, f->edges[e]) || op->outputs[p].staged == 1) { continue; }
            return sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, "compute", "it emitted %u messages on \"%s\", to \"%s\" "
                                 "of its region: there is one on each turn", (unsigned)op->outputs[p].staged,
                                 op->outputs[p].name, f->ops[f->edges[e]->to]->pub.name);
        }
    }
    for (i = 0; i < t->staged_count; i++) {
        sfi_point *order = &t->staged[i].message.order;
        sf_result r = sfi_order_wait(t->stream, order);      /* of one kept from an earlier turn */
        if (r < 0) { return sfi_turn_fail(t, r, "compute", "waiting for a message's work failed"); }
        order->stream = NULL;
        for (e = op->outputs[t->staged[i].output].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            sfi_edge *edge = f->edges[e];
            sfi_message *m;
            if (!sfi_is_inner(f, edge)) { continue; }        /* others take from that one meanwhile */
            m = sfi_message_at(edge, 0);
            *m = t->staged[i].message;
            m->hidden = false;
            m->time = t->time;
            m->labels = 0;
            m->entries = (uint16_t)t->entry_count;
            if (t->entry_count) {
                sfi_copy(edge->more->entries + sfi_place_of(edge, m) * f->entries_max, t->entries,
                         t->entry_count * sizeof *t->entries);
            }
            edge->there = 1;
        }
    }
    return SF_OK;
}
static sf_result sfi_region_misuse(sfi_turn *t, sf_stream *face)
{
    char text[SFI_TEXT / 2];
    sf_result r = (sf_result)sfi_load(&face->order.last_misuse);
    if (r == SF_ERROR_NOT_SUPPORTED) {
        return sfi_turn_fail(t, r, "compute", "its stream takes sf_launch(), sf_memcpy_async(), sf_memcpy_2d_async() "
                             "and sf_memset_async() only: take it out of region %d for another call",
                             (int)t->op->more->number);
    }
    sfi_copy_failure(face->device, text, sizeof text);
    return sfi_turn_fail(t, r, "compute", "a call on its stream failed, %s. %s", sf_result_string(r), text);
}
static bool sfi_has_emitted(const sfi_turn *t)               /* where somebody listens */
{
    uint32_t i;
    for (i = 0; i < t->staged_count && t->op->outputs[t->staged[i].output].first == SFI_NONE; i++) {}
    return i < t->staged_count;
}
/* SF_DONE: it had nothing more to do, and who receives from it has no turn. */
static sf_result sfi_region_compute(sf_flow *f, sfi_region *g, uint32_t member)
{
    sfi_op *op = f->ops[g->members[member]];
    sfi_turn *t = op->turn;
    sf_stream *face = g->script.face;
    uint32_t misuses = sfi_load(&face->order.misuses), used = g->script.used;
    sfi_entered entered;
    sf_result r;
    if (op->more->cpu || f->trace) { t->begin = sfi_flow_now(f); }
    g->script.member = member;
    r = sfi_enter_op(f, op, &entered);
    if (r >= 0) { r = sfi_decide_stream(t, NULL, false); }   /* also who launches nothing comes after the others */
    sfi_call_hook(f, op, SF_HOOK_BEGIN);
    g->script.open = true;
    if (r >= 0) { r = sfi_call_compute(op); }
    g->script.open = false;
    sfi_call_hook(f, op, SF_HOOK_END);
    sfi_leave_op(op, &entered);
    if (op->more->cpu || f->trace) { t->end = sfi_flow_now(f); }
    t->returned = r;
    if (r >= 0 && t->error < 0) { r = t->error; }
    if (sfi_load(&face->order.misuses) != misuses &&         /* returned, or not looked at */
        (r >= 0 || (!op->error_counted && r == (sf_result)sfi_load(&face->order.last_misuse)))) {
        r = sfi_region_misuse(t, face);
    }
    if (r == SF_DONE && !sfi_has_emitted(t) && g->script.used == used && op->output_count) { return r; }
    if (r >= 0) { r = sfi_order_all(t); }    /* also what it only handed on */
    if (r >= 0) { r = sfi_region_deliver(f, t); }
    return r;
}
static bool sfi_region_lacks(const sf_flow *f, const sfi_op *op)     /* somebody in front of it has emitted nothing */
{
    int p;
    for (p = 0; p < op->input_count; p++) {
        uint32_t e = op->inputs[p].first;
        if (e != SFI_NONE && sfi_is_inner(f, f->edges[e]) && f->ops[f->edges[e]->from]->skipped) { return true; }
    }
    return false;
}
static sf_result sfi_region_turn(sf_flow *f, sfi_region *g)
{
    sfi_op *leader = f->ops[g->members[0]];
    sfi_entered entered;
    sf_result r = SF_OK;
    uint32_t k;
    char text[SFI_TEXT / 2];
    g->script.used = 0;
    g->recorded = 0;
    g->failed = SFI_NONE;
    for (k = 0; k < g->count && r == SF_OK; k++) {
        sfi_op *op = f->ops[g->members[k]];
        op->skipped = sfi_region_lacks(f, op);
        if (op->skipped) { continue; }
        r = sfi_region_compute(f, g, k);
        op->skipped = r == SF_DONE;
        if (r < 0) { g->failed = k; } else { r = SF_OK; }
    }
    if (r != SF_OK) { return r; }
    r = sfi_enter_op(f, leader, &entered);
    if (r >= 0) { r = sfi_region_launch(f, g); }
    sfi_leave_op(leader, &entered);
    if (r >= 0) { return SF_OK; }
    if (g->failed == SFI_NONE) { g->failed = 0; }
    sfi_copy_failure(g->stream->device, text, sizeof text);
    return sfi_turn_fail(f->ops[g->members[g->failed]]->turn, r, "compute", "what region %d launches failed, %s. %s",
                         (int)leader->more->number, sf_result_string(r), text);
}

/* -- the commits -- */

/* What an operator that failed was handed by the others never arrived. */
static void sfi_region_take_back(sf_flow *f, const sfi_op *op)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        e = op->inputs[p].first;
        if (e != SFI_NONE && sfi_is_inner(f, f->edges[e])) { f->edges[e]->taken = f->edges[e]->ordered = 0; }
    }
}
static void sfi_region_abandon(sf_flow *f, sfi_op *op, const sfi_worker *self)       /* somebody else failed */
{
    sfi_turn *t = op->turn;
    sfi_hold(f, op->locks);
    sfi_tell_buffers(t);
    sfi_discard(t);
    sfi_drop_created(t);
    op->turn = NULL;
    t->op = NULL;
    sfi_turn_clear(f, op);
    sfi_unreserve(op);
    SFI_SET(op->state, SF_OP_WAITING);
    sfi_let_go(f, op->locks, self);
}
/* Who has no turn, as somebody in front of it is done: what the others sent it is never received. */
static void sfi_region_skip(sf_flow *f, sfi_op *op, const sfi_worker *self)
{
    uint32_t e;
    int p;
    sfi_region_abandon(f, op, self);
    sfi_hold(f, op->locks);
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
            if (!sfi_op_active(op) || !sfi_is_left(f, f->edges[e]) || f->region_left != SFI_NONE) { continue; }
            f->region_left = e;
            f->region_left_count = f->edges[e]->count;
        }
    }
    sfi_let_go(f, op->locks, self);
}
static sf_result sfi_region_commit_one(sf_flow *f, sfi_op *op, const sfi_worker *self)
{
    sfi_entered entered;
    sf_result r = sfi_enter_op(f, op, &entered), done = sfi_computed(f, op, op->turn->returned);
    sfi_leave_op(op, &entered);
    if (r >= 0) { r = done; }
    sfi_commit(f, op, r, self);
    return r < 0 ? r : SF_OK;
}
static void sfi_region_commit(sfi_worker *w, sfi_region *g, sf_result r)
{
    sf_flow *f = w->flow;
    sfi_op *leader = f->ops[g->members[0]], *op;
    bool ended = false;
    uint32_t k;
    for (k = 0; k < g->count; k++) {
        SFI_STEP("region commit");
        op = f->ops[g->members[k]];
        if (r == SF_OK && op->skipped && op->turn->returned != SF_DONE) {
            sfi_region_skip(f, op, w);
        } else if (r == SF_OK) {
            r = sfi_region_commit_one(f, op, w);             /* one that fails hands the others nothing */
        } else if (k != g->failed) {
            sfi_region_abandon(f, op, w);
        }
    }
    if (g->failed != SFI_NONE) {
        op = f->ops[g->members[g->failed]];
        sfi_region_take_back(f, op);
        sfi_commit(f, op, r, w);
    }
    sfi_hold(f, leader->locks);
    for (k = 0; k < g->count; k++) { ended = ended || !sfi_op_active(f->ops[g->members[k]]); }
    for (k = 0; k < g->count && ended; k++) {
        op = f->ops[g->members[k]];
        if (sfi_op_active(op)) { sfi_end_soon(f, op); }
    }
    sfi_meet(leader);                        /* see sfi_region_begin() */
    sfi_let_go(f, leader->locks, w);
}

/* -- start and end -- */

static sf_result sfi_make_script(sfi_script *script, sf_device *device, const char *name)
{
    sf_stream *face;
    sfi_lock(&device->lock);
    face = (sf_stream *)(void *)sfi_slab_take(&device->streams, &device->heap, SFI_TAG_SCRIPT);
    sfi_unlock(&device->lock);
    if (!face) { return sfi_out_of_memory(&device->heap); }
    face->device = device;
    face->native = script;
    face->wrapped = true;
    sfi_keep_name(face->name, sizeof face->name, name);
    script->face = face;
    return SF_OK;
}
static sf_result sfi_make_regions(sf_flow *f)
{
    sf_stream_desc d;
    sf_result r = SF_OK;
    uint32_t i, k;
    for (i = 0; i < f->region_count && r >= 0; i++) {
        sfi_region *g = &f->regions[i];
        sfi_op *leader = f->ops[g->members[0]];
        sfi_zero(&d, sizeof d);
        d.name = leader->pub.name;
        d.flags = SF_STREAM_NON_BLOCKING;
        g->waits = false;
        r = sfi_own_stream(f, leader);
        if (r >= 0) { r = sf_stream_create(sfi_op_device(f, leader), &d, &g->scribe); }
        if (r < 0) {
            return sfi_flow_fail(f, leader, r, "sf_start", "region %d needs a stream: %s%s",
                                 (int)leader->more->number, sf_result_string(r),
                                 r == SF_ERROR_POOL_EXHAUSTED ? ", raise sf_stream_pool_desc.max" : "");
        }
        g->stream = leader->own;
        for (k = 1; k < g->count; k++) { f->ops[g->members[k]]->own = g->stream; }
        r = sfi_make_script(&g->script, g->stream->device, leader->pub.name);
    }
    return r;
}
static void sfi_drop_region(sf_flow *f, sfi_region *g)
{
    const sf_heap *heap;
    sf_capture_mode mode;
    uint32_t k;
    if (!g->stream) { return; }
    mode = sfi_relax();
    heap = &g->stream->device->heap;
    for (k = 1; k < g->count; k++) { f->ops[g->members[k]]->own = NULL; }     /* the leader gives it back */
    for (k = 0; k < SFI_REGION_GRAPHS; k++) {
        if (g->kept[k].exec) { (void)sf_graph_exec_destroy(g->kept[k].exec); }
        sfi_free(heap, g->kept[k].steps);
    }
    sfi_zero(g->kept, sizeof g->kept);
    sfi_free(heap, g->script.steps);
    if (g->script.face) {
        sfi_lock(&g->stream->device->lock);
        sfi_slab_give(&g->stream->device->streams, &g->script.face->slot);
        sfi_unlock(&g->stream->device->lock);
    }
    sfi_zero(&g->script, sizeof g->script);
    (void)sf_stream_destroy(g->scribe);
    g->stream = g->scribe = NULL;
    sfi_unrelax(mode);
}

/* >>tensors ------------------------------------------------------------------------------------------- */

static void sfi_tensor_told(const sfi_tensor *t, const char *text)
{
    sfi_log(t->pool ? &t->pool->device->logger : &t->flow->logger, 1, (int32_t)SF_ERROR_INVALID_HANDLE, text);
}
SF_API sf_tensor *sf_tensor_retain(sf_tensor *tensor)
{
    sfi_tensor *t = tensor ? (sfi_tensor *)tensor->owner : NULL;
    if (t && sfi_is_gone(sfi_add(&t->references, 1))) {
        sfi_tensor_told(t, "sf_tensor_retain: the tensor was released already: retain it before");
    }
    return tensor;
}

/* Flows that are destroyed but for tensors that they wrapped. Their device lists them, which counts as one tensor
   more: who takes one off that list when only that is left, frees it. */
static bool sfi_zombie_take(sf_device *device, sf_flow *f)
{
    sf_flow **link;
    bool is;
    sfi_lock(&device->lock);
    for (link = &device->zombies; *link && *link != f; link = &(*link)->next_zombie) {}
    is = *link && sfi_load(&f->wrapped_out) == 1;
    if (is) {
        *link = f->next_zombie;
        sfi_store(&f->wrapped_out, 0);
    }
    sfi_unlock(&device->lock);
    return is;
}
static void sfi_zombie_list(sf_device *device, sf_flow *f)
{
    sfi_lock(&device->lock);
    f->next_zombie = device->zombies;
    device->zombies = f;
    sfi_unlock(&device->lock);
    if (sfi_zombie_take(device, f)) { (void)sf_flow_destroy(f); }
}
static void sfi_wrap_sweep(sf_flow *f);
static uint32_t sfi_zombies_sweep(sf_device *device)         /* how many are left, of those that wait for the GPU */
{
    sf_flow *list, *f;
    uint32_t left = 0;
    sfi_lock(&device->lock);
    list = device->zombies;
    device->zombies = NULL;
    sfi_unlock(&device->lock);
    if (!list) { return 0; }
    while ((f = list) != NULL) {
        list = f->next_zombie;
        sfi_wrap_sweep(f);
        sfi_zombie_list(device, f);
    }
    sfi_lock(&device->lock);
    for (f = device->zombies; f; f = f->next_zombie) { left++; }
    sfi_unlock(&device->lock);
    return left;
}

/* Wrapped headers: from a list of the flow's, with a heap behind it for whoever wraps more at a time than ever. */
static void sfi_wrap_recycle(sfi_tensor *t)
{
    sf_flow *f = t->flow;
    sf_device *device = f->device;
    bool last;
    if (t->release) { t->release(t->pub.data, t->release_user); }
    sfi_lock(&f->lock);
    t->next = f->wrapped;
    f->wrapped = t;
    last = sfi_add(&f->wrapped_out, (uint32_t)-1) == (device ? 2 : 1) && f->zombie;
    sfi_unlock(&f->lock);
    if (last && (!device || sfi_zombie_take(device, f))) { (void)sf_flow_destroy(f); }
}
static void sfi_wrap_sweep(sf_flow *f)                       /* releases what the GPU is done with */
{
    sfi_tensor *list, *t;
    sfi_lock(&f->lock);
    list = f->limbo;
    f->limbo = NULL;
    sfi_unlock(&f->lock);
    while ((t = list) != NULL) {
        list = t->next;
        if (sfi_tensor_idle(t, NULL) == SF_OK) {
            sfi_wrap_recycle(t);
        } else {
            sfi_lock(&f->lock);
            t->next = f->limbo;
            f->limbo = t;
            sfi_unlock(&f->lock);
        }
    }
}
SF_API void sf_tensor_release(sf_tensor *tensor)
{
    sfi_tensor *t = tensor ? (sfi_tensor *)tensor->owner : NULL;
    uint32_t before;
    SFI_STEP("release");
    if (!t) { return; }
    before = sfi_add(&t->references, (uint32_t)-1);
    if (sfi_is_gone(before)) {
        sfi_tensor_told(t, "sf_tensor_release: the tensor was released already: what is received, created or emitted "
                        "in a compute is the flow's to release, what was retained is yours, once for each time");
    }
    if (before != 1) { return; }
    sfi_store(&t->references, SFI_GONE);
    if (t->pool) {
        sfi_tensor_retire_pooled(t);
    } else if (sfi_tensor_idle(t, NULL) == SF_OK) {
        sfi_wrap_recycle(t);
    } else {
        sfi_lock(&t->flow->lock);
        t->next = t->flow->limbo;
        t->flow->limbo = t;
        sfi_unlock(&t->flow->lock);
    }
}
static sfi_tensor *sfi_wrap_header(sf_flow *f)
{
    sfi_tensor *t;
    sfi_wrap_sweep(f);
    sfi_lock(&f->lock);
    t = f->wrapped;
    if (t) { f->wrapped = t->next; }
    sfi_unlock(&f->lock);
    if (!t) { t = (sfi_tensor *)sfi_alloc_zeroed(&f->heap, sizeof *t + SFI_WRAP_USERS * sizeof(sfi_point)); }
    if (!t) { return NULL; }
    t->users = (sfi_point *)(void *)(t + 1);
    t->user_room = SFI_WRAP_USERS;
    t->user_count = 0;
    t->pool = NULL;
    t->next = NULL;
    t->flow = f;
    t->device = f->device;
    t->order.stream = NULL;
    t->order.number = 0;
    t->pub.owner = t;
    t->pub.byte_offset = 0;
    sfi_store(&t->references, 1);
    (void)sfi_add(&f->wrapped_out, 1);
    return t;
}
static sf_tensor *sfi_not_wrapped(sf_flow *f, sf_result r, const char *call, const char *why)
{
    char text[SFI_TEXT];
    sfi_format(text, sizeof text, "%s: %s", call, why);
    sfi_keep_failure(f, NULL, r, call, text, false);
    return NULL;
}
static sf_tensor *sfi_wrap(sf_flow *f, const sf_tensor_desc *desc, bool strided, const char *call)
{
    sfi_tensor *t;
    if (!sfi_is_flow(f) || sfi_this_thread.in_host_func) { return NULL; }
    if (!desc || !desc->data) {
        return sfi_not_wrapped(f, SF_ERROR_INVALID_VALUE, call, "there is no memory: set sf_tensor_desc.data");
    }
    if ((uint32_t)desc->memory > SF_MEMORY_HOST) {
        return sfi_not_wrapped(f, SF_ERROR_INVALID_VALUE, call, "there is no such kind of memory: see sf_memory");
    }
    t = sfi_wrap_header(f);
    if (!t) { return sfi_not_wrapped(f, SF_ERROR_OUT_OF_MEMORY, call, "no memory for its header"); }
    t->pub.data = desc->data;
    t->pub.bytes = sfi_shape_tensor(t, desc, strided);
    t->release = NULL;
    if (!t->pub.bytes) {
        sfi_wrap_recycle(t);
        return sfi_not_wrapped(f, SF_ERROR_INVALID_VALUE, call, "it has no bytes, too many, or too many dimensions: "
                               "look at its dtype, ndim, shape and strides");
    }
    t->release = desc->release;
    t->release_user = desc->user;
    sfi_place_tensor(t, desc->memory);
    return &t->pub;
}
SF_API sf_tensor *sf_tensor_wrap(sf_flow *f, const sf_tensor_desc *desc)
{
    return sfi_wrap(f, desc, false, "sf_tensor_wrap");
}
SF_API sf_result sf_set_deallocation_stream(sf_tensor *tensor, sf_stream *stream)
{
    sfi_tensor *t = tensor ? (sfi_tensor *)tensor->owner : NULL;
    sf_result r = sfi_check_stream(stream);
    sfi_point by;
    if (r < 0) { return r; }
    if (!tensor) { return SF_ERROR_INVALID_VALUE; }
    if (!t || !sfi_tracked(t)) { return SF_IGNORED; }
    by.stream = stream;
    by.number = 0;                           /* all that the stream holds when the memory is reused */
    return sfi_tensor_use(t, by);
}

/* -- DLPack: the structs as its header has them, under names of our own -- */

typedef struct sfi_dl_tensor {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} sfi_dl_tensor;
typedef struct sfi_dl_managed {
    sfi_dl_tensor tensor;
    void *context;
    void (*deleter)(struct sfi_dl_managed *self);
} sfi_dl_managed;

static void sfi_dl_release(void *data, void *user)
{
    sfi_dl_managed *managed = (sfi_dl_managed *)user;
    (void)data;
    if (managed->deleter) { managed->deleter(managed); }
}
SF_API sf_tensor *sf_tensor_from_dlpack(sf_flow *f, struct DLManagedTensor *from)
{
    sfi_dl_managed *managed = (sfi_dl_managed *)(void *)from;
    const sfi_dl_tensor *dl = managed ? &managed->tensor : NULL;
    sf_tensor_desc d;
    sf_tensor *t;
    int32_t i;
    if (!sfi_is_flow(f) || sfi_this_thread.in_host_func) { return NULL; }
    if (!dl || dl->ndim < 0 || dl->ndim > SF_MAX_DIMS || (dl->ndim && !dl->shape) || !dl->data) {
        return sfi_not_wrapped(f, SF_ERROR_INVALID_VALUE, "sf_tensor_from_dlpack",
                               "there is no tensor, it has no data or no shape, or more than SF_MAX_DIMS dimensions");
    }
    if ((uint32_t)dl->bits * dl->lanes % 8) {
        return sfi_not_wrapped(f, SF_ERROR_NOT_SUPPORTED, "sf_tensor_from_dlpack",
                               "it has several elements in a byte: send one an element");
    }
    sfi_zero(&d, sizeof d);
    d.dtype = (sf_dtype)((uint32_t)dl->code | (uint32_t)dl->bits << 8 | (uint32_t)dl->lanes << 16);
    d.ndim = dl->ndim;
    for (i = 0; i < dl->ndim; i++) {
        d.shape[i] = dl->shape[i];
        d.strides[i] = dl->strides ? dl->strides[i] : 0;
    }
    d.data = (char *)dl->data + dl->byte_offset;
    d.memory = dl->device_type == 2    ? SF_MEMORY_DEVICE
               : dl->device_type == 3  ? SF_MEMORY_PINNED
               : dl->device_type == 13 ? SF_MEMORY_MANAGED
                                       : SF_MEMORY_HOST;
    d.release = sfi_dl_release;
    d.user = managed;
    t = sfi_wrap(f, &d, dl->strides != NULL, "sf_tensor_from_dlpack");
    if (t) {                                 /* as it came, wherever the flow runs */
        t->device_type = dl->device_type;
        t->device_id = dl->device_id;
    }
    return t;
}

typedef struct sfi_dl_export { sfi_dl_managed managed; sf_heap heap; sf_tensor *tensor; } sfi_dl_export;
static void sfi_dl_delete(sfi_dl_managed *managed)
{
    sfi_dl_export *x = (sfi_dl_export *)managed->context;
    sf_heap heap = x->heap;
    sf_tensor_release(x->tensor);
    sfi_free(&heap, x);
}
SF_API struct DLManagedTensor *sf_tensor_to_dlpack(sf_tensor *tensor, sf_stream *consumer)
{
    sfi_tensor *t = tensor ? (sfi_tensor *)tensor->owner : NULL;
    const sf_heap *heap;
    sfi_dl_export *x;
    if (!t || (consumer && sfi_check_stream(consumer) < 0)) { return NULL; }
    heap = t->pool ? &t->pool->device->heap : &t->flow->heap;
    x = (sfi_dl_export *)sfi_alloc_zeroed(heap, sizeof *x);
    if (!x) { return NULL; }
    if (consumer) {                          /* waits for the writer; the next writer waits for it */
        sfi_point by;
        by.stream = consumer;
        by.number = 0;
        if (sfi_order_wait(consumer, &t->order) < 0 || sfi_tensor_use(t, by) < 0) {
            sfi_free(heap, x);
            return NULL;
        }
    }
    sfi_copy(&x->managed.tensor, tensor, sizeof x->managed.tensor);          /* a tensor begins as one */
    x->managed.context = x;
    x->managed.deleter = sfi_dl_delete;
    x->heap = *heap;
    x->tensor = sf_tensor_retain(tensor);
    return (struct DLManagedTensor *)(void *)&x->managed;
}

/* >>control ------------------------------------------------------------------------------------------- */

/* -- start -- */

static sf_result sfi_run_hook(sf_flow *f, sfi_op *op, sf_compute_func func, sf_hook hook, const char *name)
{
    sfi_turn *t = &f->workers[0].turn;
    sfi_entered entered;
    sf_result r;
    if (!func) { return SF_OK; }
    r = sfi_enter_op(f, op, &entered);
    sfi_turn_begin(f, op, hook, t);
    if (r >= 0) { r = func(&op->pub); }
    if (r >= 0 && t->error < 0) { r = t->error; }
    if (r >= 0) { r = sfi_misuse(f, op); }
    if (r >= 0) { r = sfi_commit_order(t); }
    sfi_drop_created(t);
    sfi_leave_op(op, &entered);
    op->turn = NULL;
    t->op = NULL;
    if (r < 0 && !op->error_counted) { sfi_tell_returned(f, op, t, r, name); }
    sfi_turn_clear(f, op);
    return r < 0 ? r : SF_OK;
}

static void sfi_reset_worker(const sf_flow *f, sfi_worker *w)
{
    uint32_t i;
    w->level_mask = 0;
    w->timer_count = w->gpu_waiter_count = w->steps = w->jobs_out = 0;
    w->job_patience = SFI_PATIENCE;
    w->ending = SFI_NONE;
    w->watched_count = w->polled_count = 0;
    w->rouse = w->rests = w->early = false;
    w->spun_since = -1;
    sfi_store(&w->lends, 0);
    sfi_store(&w->sleeping, 0);
    for (i = 0; i < f->level_count; i++) { w->levels[i].first = w->levels[i].last = NULL; }
}
static void sfi_reset_run(sf_flow *f)
{
    uint32_t i, k;
    f->result = SF_OK;
    f->runs++;
    f->paths_lost = 0;
    f->path_count = f->prefix_count = f->alive = f->fed_alive = f->foreign_count = 0;
    for (i = 0; i < f->worker_count; i++) { sfi_reset_worker(f, &f->workers[i]); }
#ifndef SF_NO_THREADS
    f->parked = 0;
    sfi_store(&f->resting, 0);
    sfi_store(&f->activity, 1);
    sfi_store(&f->settled, 0);
    f->deciding = false;
    sfi_store(&f->over, 0);
#endif
    f->any_closed = f->any_ended = false;
    SFI_SET(f->background, false);
    f->region_left = SFI_NONE;
    f->idle_since = SFI_NEVER;
    f->trace_count = 0;
    f->now = 0;
    sfi_store(&f->stop, 0);
    f->started_at = sfi_flow_now(f);
    f->ends_at = f->max_duration > 0 ? sfi_deadline(f->started_at, f->max_duration) : SFI_NEVER;
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        bool alive;
        op->given_up = false;                /* by the last run */
        alive = (f->primes || op->condition_count) && sfi_op_is_alive(op);
        op->sample = 0;
        op->ending = op->heavy = op->along = false;
        op->turns = 0;
        sfi_store(&op->asked_to_stop, 0);
        op->extras_met = op->memory_wait = op->gpu_wait = op->started = false;
        op->unmet = op->due = op->attempts = op->mark = 0;
        op->own = NULL;
        op->named = NULL;
        if (op->more != &f->plain) {
            op->more->turns = op->more->timer = op->more->stamp = 0;
            op->more->began = op->more->last_run = f->started_at;
        }
        SFI_SET(op->state, SF_OP_WAITING);
        for (k = 0; k < op->condition_count; k++) { op->more->conditions[k].next = f->started_at; }
        f->alive += alive;
        f->fed_alive += alive && op->input_count;
    }
}
/* Unmet conditions of a flow whose queues hold nothing; then what is there at the start arrives. */
static sf_result sfi_prime_edge(sf_flow *f, sfi_edge *e)
{
    sfi_message m;
    uint32_t i;
    if (e->from == SFI_NONE) {
        sfi_take_in(f, e);
        return SF_OK;
    }
    for (i = 0; i < e->delay; i++) {
        sfi_op *from = f->ops[e->from];
        sfi_output *out = &from->outputs[e->output];
        sfi_zero(&m, sizeof m);
        m.kind = SFI_VALUE;
        m.time = -1;
        if (out->supply->pool && out->supply->bytes) {
            sfi_tensor *t = NULL;
            sf_stream *blocker = NULL, *s = sf_stream_legacy(f->device);
            sf_result r = sfi_pool_take(out->supply->pool, out->supply->bytes, s, &t, &blocker);
            if (r >= 0) {
                sfi_shape_bytes(t, out->supply->bytes);
                sfi_place_tensor(t, out->supply->pool->desc.memory);
                r = sf_memset_async(s, t->pub.data, 0, out->supply->bytes);
                if (r >= 0) { r = sfi_stream_drain(s, SF_FOREVER); }
            }
            if (r < 0) {
                return sfi_flow_fail(f, from, r, "sf_start", "the delayed messages of output \"%s\"", out->name);
            }
            m.kind = SFI_TENSOR;
            m.value.ptr = &t->pub;
        }
        sfi_edge_push(f, e, &m, NULL);
    }
    return SF_OK;
}
static sf_result sfi_prime(sf_flow *f)
{
    uint32_t i, e;
    int p;
    sf_result r = SF_OK;
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        op->unmet = 1;                       /* taken away below, when all is counted */
        if (op->extras) { op->unmet++; }
        if (op->more->control_edges) { op->unmet++; }
        for (p = 0; p < op->input_count; p++) {
            if (!sfi_counts_messages(&op->inputs[p])) { continue; }
            op->unmet += op->inputs[p].edges;
            for (e = op->inputs[p].first; f->has_regions && e != SFI_NONE; e = f->edges[e]->next_input) {
                op->due += sfi_is_inner(f, f->edges[e]);
            }
        }
        if (op->more->region && op->more->member) {      /* led */
            op->unmet++;
            op->due++;
        }
    }
    for (i = 0; f->primes && i < f->edge_count && r >= 0; i++) {
        sfi_edge *edge = f->edges[i];
        if (!edge->control) {
            r = sfi_prime_edge(f, edge);
        } else if (edge->delay) {
            if (f->ops[edge->to]->more->turns == 0) { sfi_meet(f->ops[edge->to]); }
            f->ops[edge->to]->more->turns += edge->delay;
        }
    }
    for (i = 0; i < f->op_count && r >= 0; i++) {
        if (f->ops[i]->extras) { sfi_look(f, f->ops[i]); }
        if (sfi_op_active(f->ops[i])) { sfi_meet(f->ops[i]); }
    }
    return r;
}

static sf_result sfi_start_hooks(sf_flow *f)
{
    uint32_t i;
    sf_result r = SF_OK;
    if (!f->hooks && !f->hook) { return SF_OK; }
    for (i = 0; i < f->op_count && r >= 0; i++) {
        sfi_call_hook(f, f->ops[i], SF_HOOK_START);
        r = sfi_run_hook(f, f->ops[i], f->ops[i]->more->start, SF_HOOK_START, "start");
        f->ops[i]->started = r >= 0;
    }
    return r;
}
static void sfi_finish(sf_flow *f);

static sf_result sfi_begin_with_device(sf_flow *f, bool checked)
{
    uint32_t i;
    sf_result r = SF_OK;
    for (i = 0; f->initializes && i < f->op_count && r >= 0; i++) {
        r = sfi_run_hook(f, f->ops[i], f->ops[i]->more->initialize, SF_HOOK_START, "initialize");
    }
    if (r >= 0 && (f->initializes || !checked)) { r = sfi_validate(f, true); }
    if (r >= 0) { r = sfi_make_pools(f); }
    if (r >= 0) { r = sfi_make_streams(f); }
    if (r >= 0) { r = sfi_make_stamps(f); }
    if (r >= 0) { r = sfi_make_regions(f); }
    if (r >= 0) { r = sfi_start_hooks(f); }
    if (r >= 0) { r = sfi_prime(f); }
    return r;
}
#ifndef SF_NO_THREADS
static void sfi_join(sf_flow *f)
{
    bool mine;                               /* several may wait for the end */
    sfi_lock(&f->lock);
    mine = f->threaded;
    f->threaded = false;
    sfi_unlock(&f->lock);
    if (mine) { sfi_thread_join(f->thread); }
}
#endif
/* A call that is not for now. The run, if there is one, goes on, and its own failure stays. */
static sf_result sfi_refuse(sf_flow *f, sf_result r, const char *call)
{
    const char *why = r == SF_ERROR_REENTRANT ? "one of its own operators or hooks calls it: return from that first"
                      : sfi_load(&f->state) != SFI_FLOW_RUNNING ? "it does not run: sf_start() it, or sf_run()"
                      : SFI_GET(f->stepping)   ? "it is being stepped: sf_flow_step() it until SF_DONE; sf_stop() "
                                                 "makes that soon"
                      : SFI_GET(f->background) ? "it runs in the background: sf_wait() for it, or sf_stop() it"
                                               : "sf_run() runs it, and returns when it has ended";
    char text[SFI_TEXT];
    sfi_format(text, sizeof text, "%s: the flow is not free for that: %s (%d)", call, why, (int)r);
    sfi_keep_failure(f, NULL, r, call, text, false);
    return r;
}
/* From a flow that was built to one that runs. On an error everything is taken back. */
static sf_result sfi_begin(sf_flow *f, const char *call)
{
    bool checked = sfi_load(&f->state) != SFI_FLOW_READY;            /* by sfi_prepare(), just now */
    sfi_entered entered;
    sf_result r;
    if (sfi_inside(f)) { return sfi_refuse(f, SF_ERROR_REENTRANT, call); }
    if (sfi_load(&f->state) == SFI_FLOW_RUNNING) { return sfi_refuse(f, SF_ERROR_ILLEGAL_STATE, call); }
#ifndef SF_NO_THREADS
    sfi_join(f);                             /* of the last run, for whose end nobody waited */
#endif
    sfi_forget_failure(f);
    r = sfi_prepare(f);
    if (r >= 0) { r = sfi_open_flow_device(f); }
    if (r >= 0) {
        r = sfi_flow_enter(f, &entered);
        if (r < 0) { sfi_flow_leave(f, &entered); }
    }
    if (r < 0) {
        if (!f->failure.now.count) {
            bool lost = f->owns_device && f->device->host;   /* nobody can reset it */
            (void)sfi_flow_fail(f, NULL, r, "sf_start", "the device: %s%s", sf_result_string(r),
                                lost ? ": it is the flow's own: create another flow" : "");
        }
        f->life = f->life < 0 ? f->life : r;
        return r;
    }
    sfi_reset_run(f);
    sfi_store(&f->state, SFI_FLOW_RUNNING);
    r = sfi_begin_with_device(f, checked);
    if (r < 0) {
        f->result = r;
        sfi_finish(f);
    }
    sfi_flow_leave(f, &entered);
    return r;
}

/* -- end -- */

static bool sfi_had_streams(const sf_flow *f) { return f->streams || f->has_pools; }     /* some operator, maybe */
static void sfi_drain(sf_flow *f)                            /* all that the flow has enqueued */
{
    sf_result r = SF_OK;
    uint32_t i;
    const sfi_named_stream *n;
    char text[SFI_TEXT / 2];
    if (!f->device) { return; }
    for (i = 0; sfi_had_streams(f) && i < f->op_count && r >= 0; i++) {
        if (f->ops[i]->own) { r = sfi_stream_drain(f->ops[i]->own, SF_FOREVER); }
        for (n = f->ops[i]->named; n && r >= 0; n = n->next) { r = sfi_stream_drain(n->stream, SF_FOREVER); }
    }
    for (i = 0; i < f->foreign_count && r >= 0; i++) {
        if (sfi_check_stream_in(f->foreign[i], NULL) >= 0) { r = sfi_stream_drain(f->foreign[i], SF_FOREVER); }
    }
    for (i = 0; i < SFI_ALARMS * f->worker_count && r >= 0; i++) {
        const sfi_alarm *a = &f->workers[i / SFI_ALARMS].alarms[i % SFI_ALARMS];
        while (sfi_load(&a->busy) && sfi_load(&f->device->fault) == 0) {
            r = a->stream->slot.tag == SFI_TAG_STREAM ? sfi_stream_drain(a->stream, SF_MS(1)) : SF_OK;
        }
    }
    if (r < 0) {
        f->result = f->result < 0 ? f->result : r;
        sfi_copy_failure(f->device, text, sizeof text);
        (void)sfi_flow_fail(f, NULL, r, "sf_run", "the flow's GPU work failed: %s. %s", sf_result_string(r), text);
    }
}
static void sfi_give_back_streams(sf_flow *f, sfi_op *op)
{
    sf_stream_pool *pool = op->more->streams ? op->more->streams : f->streams;
    while (op->named) {
        sfi_named_stream *n = op->named;
        op->named = n->next;
        sfi_stream_pool_give(pool, n->stream);
        sfi_free(&f->heap, n);
    }
    if (op->own) { sfi_stream_pool_give(pool, op->own); }
    op->own = NULL;
}
static bool sfi_stop_hooks(sf_flow *f)                       /* true: there were any */
{
    bool any = false;
    uint32_t i;
    if (!f->hooks && !f->hook) { return false; }
    for (i = f->op_count; i-- > 0;) {
        sfi_op *op = f->ops[i];
        sf_result r;
        if (!op->started) { continue; }
        op->started = false;
        any = any || op->more->stop;
        sfi_call_hook(f, op, SF_HOOK_STOP);
        r = sfi_run_hook(f, op, op->more->stop, SF_HOOK_STOP, "stop");
        if (r < 0 && f->result >= 0) { f->result = r; }
    }
    return any;
}
static void sfi_take_back_jobs(sf_flow *f);

/* The run is over, well or not: streams drained, hooks called, everything borrowed given back. */
static void sfi_path_name(const sf_flow *f, uint32_t prefix, char *name, size_t bytes);
static void sfi_tell_lost_paths(const sf_flow *f)            /* what was measured is not all */
{
    char text[SFI_TEXT], path[SFI_TEXT / 2];
    path[0] = 0;
    if (f->lost_parent) { sfi_path_name(f, f->lost_parent, path, sizeof path); }
    sfi_format(text, sizeof text,
               "flow \"%s\": latencies are missing, the first one of \"%s%s%s\": it keeps %d paths, a message %d",
               f->name, path, path[0] ? "," : "", f->ops[f->lost_op]->pub.name, (int)SFI_PATHS, (int)SFI_LABELS);
    sfi_log(&f->logger, 2, 0, text);
}
static void sfi_finish(sf_flow *f)
{
    uint32_t i;
    int p;
    sfi_take_back_jobs(f);
    sfi_drain(f);
    for (i = 0; (f->has_supplies || f->device_time) && i < f->op_count; i++) {
        sfi_memory_resume(f->ops[i], false);
        sfi_unreserve(f->ops[i]);
        sfi_collect_stamps(f->ops[i]);
    }
    if (sfi_stop_hooks(f)) { sfi_drain(f); } /* they may have enqueued work, too */
    sfi_shut(f);                             /* what was accepted is in the inlets, and nothing comes any more */
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = f->edges[i];
        if (e->control) { continue; }
        if (!e->producer) { sfi_take_in(f, e); }
        sfi_edge_close(e);
        sfi_edge_clear(f, e, false);
    }
    sfi_wrap_sweep(f);
    for (i = 0; i < f->region_count; i++) { sfi_drop_region(f, &f->regions[i]); }
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = f->ops[i];
        if (sfi_op_active(op)) { SFI_SET(op->state, SF_OP_STOPPED); }
        if (f->device_time) { sfi_drop_stamps(op); }
        if (!i && f->epoch) {
            (void)sf_event_destroy(f->epoch);
            f->epoch = NULL;
        }
        for (p = 0; f->has_supplies && p < op->output_count; p++) { sfi_drop_output_pool(&op->outputs[p]); }
        if (sfi_had_streams(f)) { sfi_give_back_streams(f, op); }
    }
    if (f->paths_lost) { sfi_tell_lost_paths(f); }
    f->life = f->life < 0 ? f->life : f->result;
    sfi_lock(&f->lock);
    if (f->result >= 0 && f->refused) { f->failure.now.result = SF_OK; }
    sfi_store(&f->state, SFI_FLOW_ENDED);
#ifndef SF_NO_THREADS
    sfi_cond_wake_all(&f->ended);
#endif
    sfi_unlock(&f->lock);
}

static void sfi_finish_from_outside(sf_flow *f)
{
    sfi_entered entered;
    (void)sfi_flow_enter(f, &entered);       /* if that fails its streams cannot be waited for: what can end, ends */
    sfi_finish(f);
    sfi_flow_leave(f, &entered);
}

/* -- rest: nothing to do for now -- */

/* Until somebody rings or the deadline, in the system's time. */
static void sfi_sleep_until(sfi_worker *w, int64_t deadline)
{
#ifndef SF_NO_THREADS
    sfi_parker_reset(&w->parker);
    sfi_store_ordered(&w->sleeping, 1);      /* from here on it is told */
    SFI_STEP("sleep");
    while (!sfi_parker_is_unparked(&w->parker) && !sfi_load_ordered(&w->attention) &&
           sfi_parker_park(&w->parker, deadline)) {}
    sfi_store_ordered(&w->sleeping, 0);
#else
    (void)w;
    if (deadline != SFI_NEVER) { sfi_sleep(1000); }
#endif
}
/* When to look again, in the system's time, if nobody rings. A clock of the user's may jump. */
static int64_t sfi_wake_time(const sf_flow *f, int64_t wake, int64_t deadline)
{
    int64_t now = sfi_clock(), ns;
    if (wake == SFI_NEVER || f->simulated) { return deadline; }
    ns = sfi_flow_now(f);
    ns = wake <= ns ? 0 : ns < 0 && wake > SFI_NEVER + ns ? SFI_NEVER : wake - ns;
    if (ns < deadline - now) { deadline = now + ns; }
    return f->clock && deadline > now + 1000000 ? now + 1000000 : deadline;
}
#ifndef SF_NO_THREADS
static bool sfi_helps(sfi_worker *w, const sfi_worker *self) /* looks after that desk, too */
{
    return w == self || (w->group == self->group && sfi_load_ordered(&w->lends));
}
/* Of whose desks it looks after: when to look again. */
static int64_t sfi_rest_until(const sfi_worker *self)
{
    sf_flow *f = self->flow;
    int64_t deadline = SFI_NEVER, now = sfi_clock();
    uint32_t i;
    for (i = 0; i < f->worker_count; i++) {
        sfi_worker *w = &f->workers[i];
        if (w != self && w->group == self->group && !sfi_load(&w->sleeping) && deadline > now + 1000000) {
            deadline = now + 1000000;        /* it may be in a compute that takes long for once */
        }
        if (!sfi_helps(w, self)) { continue; }
        if (SFI_GET(w->gpu_waiter_count) && deadline > now + 1000000) { deadline = now + 1000000; }
        if (!SFI_GET(w->timer_count)) { continue; }
        sfi_hold(f, sfi_desk(w));
        deadline = sfi_wake_time(f, sfi_next_timer(w), deadline);
        sfi_let_go(f, sfi_desk(w), self);
    }
    return sfi_wake_time(f, f->ends_at, deadline);
}
static void sfi_end_run(sf_flow *f)                          /* the workers leave */
{
    uint32_t i;
    sfi_store(&f->over, 1);
    for (i = 0; i < f->worker_count; i++) { sfi_poke(&f->workers[i]); }
}
/* The last one awake: nobody but it touches the desks, so it sees whether anything is left to come. `park` held. */
static void sfi_decide(sfi_worker *self, int64_t *deadline)
{
    sf_flow *f = self->flow;
    int64_t wake = SFI_NEVER;
    sf_result r;
    uint32_t i, activity;
    bool waits;                              /* for the time after which it is a deadlock */
    if (sfi_load(&f->paused) && !sfi_load(&f->stop)) { return; }
    for (i = 0; i < f->worker_count; i++) {
        if (sfi_has_work(&f->workers[i])) { return; }        /* its worker is about to wake up */
    }
    f->deciding = true;
    activity = sfi_load(&f->activity);
    sfi_unlock(&f->park);
    r = sfi_load(&f->stop) ? SF_DONE : sfi_idle(f, &wake);
    if (r == SF_IDLE) { *deadline = sfi_wake_time(f, wake, *deadline); }
    sfi_lock(&f->park);
    f->deciding = false;
    sfi_cond_wake_all(&f->decided);
    waits = r == SF_IDLE && SFI_GET(f->idle_since) != SFI_NEVER;
    if (r == SF_IDLE && !waits) { sfi_store(&f->settled, activity); }
    if (r == SF_DONE) { sfi_store(&f->over, 1); }
    for (i = 0; i < f->worker_count; i++) {
        if (r == SF_IDLE && (waits || !f->workers[i].early)) { continue; }
        sfi_poke(&f->workers[i]);
    }
}
/* One of several: sleeps until its desk, or that of one who has no time, needs it. */
static void sfi_park(sfi_worker *w)
{
    sf_flow *f = w->flow;
    int64_t deadline;
    bool busy;
    uint32_t i;
    sfi_parker_reset(&w->parker);
    sfi_store_ordered(&w->sleeping, 1);      /* from here on it is told; what came before is seen below */
    SFI_STEP("sleep");
    busy = sfi_load_ordered(&w->attention) != 0;
    deadline = sfi_rest_until(w);
    sfi_hold(f, sfi_desk(w));    /* behind whoever had it, and may have put something here */
    sfi_let_go(f, sfi_desk(w), w);
    for (i = 0; i < f->worker_count; i++) {
        busy = busy || (sfi_helps(&f->workers[i], w) && sfi_has_work(&f->workers[i]));
    }
    sfi_lock(&f->park);
    f->parked++;
    if (!busy && f->parked == f->worker_count && !f->deciding) { sfi_decide(w, &deadline); }
    sfi_unlock(&f->park);
    while (!busy && !sfi_parker_is_unparked(&w->parker) && !sfi_load(&f->over) &&
           sfi_parker_park(&w->parker, deadline)) {}
    sfi_lock(&f->park);
    while (f->deciding) { (void)sfi_cond_wait(&f->decided, &f->park, SFI_NEVER); }
    f->parked--;
    sfi_unlock(&f->park);
    sfi_store_ordered(&w->sleeping, 0);
}
static bool sfi_is_over(sf_flow *f) { return sfi_load(&f->over) != 0; }

/* From here on nobody rings for an inlet: this worker, who is alone, looks at them wherever it asks for bells. */
static void sfi_poll_inlets(sfi_worker *w)
{
    sf_flow *f = w->flow;
    uint32_t i;
    if (w->polled_count || f->worker_count > 1 || f->enqueue || f->inlet_count > SFI_POLLED) { return; }
    for (i = 0; i < f->inlet_count; i++) {
        w->polled[i] = f->inlets[i]->edge;
        sfi_store_ordered(&f->inlets[i]->polled, 1);
    }
    w->polled_count = f->inlet_count;
}
static bool sfi_poll_no_inlets(sfi_worker *w)                /* whether some have come for which nobody rang */
{
    bool any;
    uint32_t i;
    if (!w->polled_count) { return false; }
    SFI_STEP("polls no more");
    for (i = 0; i < w->polled_count; i++) { sfi_store_ordered(&w->flow->inlets[i]->polled, 0); }
    any = sfi_any_pushed(w);
    if (any) { sfi_hear_inlets(w); }
    w->polled_count = 0;
    return any;
}

static void sfi_lie_down(sfi_worker *w)
{
    if (w->rests || w->flow->worker_count == 1) { return; }
    w->rests = true;
    (void)sfi_add(&w->flow->resting, 1);
}
static void sfi_get_up(sfi_worker *w)
{
    if (!w->rests) { return; }
    w->rests = false;
    (void)sfi_add(&w->flow->resting, (uint32_t)-1);
    (void)sfi_add(&w->flow->activity, 1);
}
/* That it is the end is found out when all sleep: who would look for news much longer sleeps once, early. */
static bool sfi_sleeps_early(const sfi_worker *w, int64_t now)
{
    const sf_flow *f = w->flow;
    return f->worker_count > 1 && now - w->spun_since >= SFI_SETTLE && sfi_load(&f->resting) == f->worker_count &&
           sfi_load(&f->settled) != sfi_load(&f->activity);
}
#else
static void sfi_lie_down(sfi_worker *w) { (void)w; }
static void sfi_get_up(sfi_worker *w) { (void)w; }
static void sfi_poll_inlets(sfi_worker *w) { (void)w; }
static bool sfi_poll_no_inlets(sfi_worker *w) { return (void)w, false; }
static bool sfi_sleeps_early(const sfi_worker *w, int64_t now) { return (void)w, (void)now, false; }
static void sfi_park(sfi_worker *w) { (void)w; }
static void sfi_end_run(sf_flow *f) { (void)f; }
static bool sfi_is_over(const sf_flow *f) { return (void)f, false; }
#endif

/* News that come soon are cheaper to look for than to be woken by. Where the GPU is what is waited for, an alarm is
   set, and the sleep is not long, since a lost context rings none. */
static void sfi_rest(sfi_worker *w, int64_t wake)
{
    sf_flow *f = w->flow;
    int64_t now = sfi_clock(), deadline = SFI_NEVER;
    bool polls = SFI_GET(w->gpu_waiter_count) != 0, spun;
    int i;
    if (polls && f->device->host && !f->device->host->threaded) { return; }  /* a poll is what makes it go on */
    if (w->spun_since < 0) { w->spun_since = now; }
    sfi_lie_down(w);
    spun = sfi_has_spun(w, now);
    w->early = !spun && sfi_sleeps_early(w, now);
    if (!spun && !w->early) {
        sfi_poll_inlets(w);
        for (i = 0; i < 16 && !sfi_is_called(w) && !SFI_GET(w->level_mask) && !sfi_any_news(w); i++) {
            sfi_relax_core();
        }
        return;
    }
    if (sfi_poll_no_inlets(w)) { return; }
    if (SFI_GET(w->watched_count)) {
        sfi_hold(f, sfi_desk(w));
        sfi_look_across(w, true);
        sfi_let_go(f, sfi_desk(w), w);
    }
    if (polls) {
        sfi_hold(f, sfi_desk(w));
        sfi_set_alarms(w);
        sfi_let_go(f, sfi_desk(w), w);
        deadline = now + 1000000;
    }
    if (w->jobs_out && deadline > now + SFI_JOB_NAP) { deadline = now + SFI_JOB_NAP; }
    if (f->worker_count > 1) {
        sfi_park(w);
    } else {
        deadline = sfi_wake_time(f, wake, deadline);
        if (deadline > now) { sfi_sleep_until(w, deadline); }
    }
    w->spun_since = -1;
}

/* -- computes that a task system of the user's runs -- */

static void sfi_job_run(void *arg)
{
    sfi_job *job = (sfi_job *)arg;
    sf_flow *f = job->worker->flow;
    sfi_entered entered;
    bool inside;
    sfi_store(&job->begun, 1);
    job->result = sfi_flow_enter(f, &entered);
    if (job->result >= 0) { job->result = sfi_compute(f, job->turn.op); }
    sfi_flow_leave(f, &entered);
    SFI_STEP("job done");
    inside = sfi_come_in(f);                 /* the run may end meanwhile, where finish() has not waited */
    sfi_store(&job->done, 1);                /* from here on its worker may take over */
    if (inside) {
        sfi_wake(&f->workers[0]);
        sfi_go_out(f);
    }
}
static void sfi_job_take_back(sfi_job *job)
{
    sf_flow *f = job->worker->flow;
    if (job->handle) { f->finish(job->handle, f->jobs_user); }
    while (!sfi_load(&job->done)) { sfi_yield(); }           /* where finish() has not waited */
    job->busy = false;
    job->worker->jobs_out--;
    sfi_commit(f, job->turn.op, job->result, job->worker);
}
static bool sfi_any_begun(const sf_flow *f)
{
    uint32_t i;
    for (i = 0; i < SFI_JOBS; i++) {
        if (f->jobs[i].busy && sfi_load(&f->jobs[i].begun)) { return true; }
    }
    return false;
}
static sfi_job *sfi_oldest_job(const sf_flow *f)
{
    sfi_job *oldest = NULL;
    uint32_t i;
    for (i = 0; i < SFI_JOBS; i++) {
        sfi_job *job = &f->jobs[i];
        if (job->busy && (!oldest || (int32_t)(job->number - oldest->number) < 0)) { oldest = job; }
    }
    return oldest;
}
static void sfi_take_back_jobs(sf_flow *f)
{
    while (f->workers[0].jobs_out) { sfi_job_take_back(sfi_oldest_job(f)); }
}
static bool sfi_start_jobs(sfi_worker *w)                    /* all that is ready */
{
    sf_flow *f = w->flow;
    bool any = false;
    uint32_t i;
    for (i = 0; i < SFI_JOBS; i++) {
        sfi_job *job = &f->jobs[i];
        if (job->busy || !sfi_find(w, w, &job->turn)) {
            if (job->busy) { continue; }
            break;
        }
        job->worker = w;
        job->number = w->job_number++;
        w->jobs_out++;
        job->busy = any = true;
        sfi_store(&job->begun, 0);
        sfi_store(&job->done, 0);
        job->handle = f->enqueue(sfi_job_run, job, f->jobs_user);
        if (!job->handle && !sfi_load(&job->done)) { sfi_job_run(job); }     /* refused: then here */
    }
    return any;
}
/* SF_OK: something went on. */
static sf_result sfi_step_jobs(sfi_worker *w, int64_t *wake)
{
    sf_flow *f = w->flow;
    bool up = sfi_time_is_up(f), any = !up && sfi_start_jobs(w);
    sfi_job *oldest;
    uint32_t i;
    for (i = 0; i < SFI_JOBS; i++) {
        if (!f->jobs[i].busy || !sfi_load(&f->jobs[i].done)) { continue; }
        sfi_job_take_back(&f->jobs[i]);
        w->job_patience = SFI_PATIENCE;
        any = true;
    }
    if (any) {
        SFI_SET(f->idle_since, SFI_NEVER);
        return SF_OK;
    }
    if (!w->jobs_out) { return sfi_step_idle(w, wake); }
    oldest = sfi_oldest_job(f);
    if (!sfi_any_begun(f) && w->job_patience-- == 0) {       /* a system whose finish() runs what it was given */
        w->job_patience = 0;
        sfi_job_take_back(oldest);
        return SF_OK;
    }
    *wake = up ? SFI_NEVER : sfi_next_timer(w);              /* the next one to end rings */
    if (!up && f->ends_at < *wake) { *wake = f->ends_at; }
    return SF_IDLE;
}

/* -- the loop of a worker -- */

static sf_result sfi_work_once(sfi_worker *w, int64_t *wake)
{
    return w->flow->enqueue ? sfi_step_jobs(w, wake) : sfi_step(w, wake);
}
static void sfi_work(sfi_worker *w)
{
    sf_flow *f = w->flow;
    int64_t wake;
    sf_result r = SF_OK;
    while (!sfi_is_over(f) && (r = sfi_work_once(w, &wake)) != SF_DONE) {
        if (r != SF_OK) {
            sfi_rest(w, wake);
        } else {
            sfi_get_up(w);
            w->spun_since = -1;
        }
    }
    if (f->worker_count > 1) { sfi_end_run(f); }
}
#ifndef SF_NO_THREADS
/* A thread that the library started becomes one of its group's: name, cores, scheduling. What is not permitted is a
   warning: the flow runs all the same. */
static void sfi_become(sfi_worker *w)
{
    const sf_workers *crew = &w->flow->crew[w->group];
    char text[SFI_TEXT / 2];
    if (crew->name) { sfi_thread_name(crew->name); }
    if (crew->cpus && !sfi_thread_pin(crew->cpus)) {
        sfi_format(text, sizeof text, "sf_start: worker %u: cores \"%s\" are not to be had here: it runs on any",
                   (unsigned)w->index, crew->cpus);
        sfi_log(&w->flow->logger, 2, 0, text);
    }
    if (crew->realtime && !sfi_thread_schedule((int)crew->realtime, crew->priority, crew->runtime, crew->deadline,
                                               crew->period)) {
        sfi_format(text, sizeof text, "sf_start: worker %u: real-time scheduling is not permitted (CAP_SYS_NICE, "
                   "RLIMIT_RTPRIO), or its numbers are wrong: it runs as any thread", (unsigned)w->index);
        sfi_log(&w->flow->logger, 2, 0, text);
    }
}
static void *sfi_worker_main(void *arg)
{
    sfi_worker *w = (sfi_worker *)arg;
    sf_flow *f = w->flow;
    sfi_entered entered;
    sf_result r = sfi_flow_enter(f, &entered);
    sfi_become(w);
    if (r >= 0) {
        sfi_work(w);
    } else {
        sfi_keep_result(f, r);
        sfi_end_run(f);
    }
    sfi_flow_leave(f, &entered);
    return NULL;
}
static void sfi_start_crew(sf_flow *f)                       /* all but the one whose thread this is */
{
    uint32_t i;
    for (i = 1; i < f->worker_count; i++) {
        sfi_worker *w = &f->workers[i];
        w->threaded = sfi_thread_start(&w->thread, sfi_worker_main, w);
        if (w->threaded) { continue; }
        sfi_keep_result(f, SF_ERROR_OUT_OF_MEMORY);
        (void)sfi_flow_fail(f, NULL, SF_ERROR_OUT_OF_MEMORY, "sf_start", "thread %u of %u could not be started",
                            (unsigned)i, (unsigned)f->worker_count);
        sfi_store(&f->stop, 1);
        return;
    }
}
static void sfi_join_crew(sf_flow *f)
{
    uint32_t i;
    for (i = 1; i < f->worker_count; i++) {
        if (f->workers[i].threaded) { sfi_thread_join(f->workers[i].thread); }
        f->workers[i].threaded = false;
    }
}
#else
static void sfi_start_crew(sf_flow *f) { (void)f; }
static void sfi_join_crew(sf_flow *f) { (void)f; }
#endif
static void sfi_loop(sf_flow *f)
{
    sfi_entered entered;
    sf_result r = sfi_flow_enter(f, &entered);
    if (r >= 0) {
        sfi_start_crew(f);
        sfi_work(&f->workers[0]);
        sfi_join_crew(f);
        sfi_conclude(f);
    } else {
        sfi_keep_result(f, r);
    }
    sfi_finish(f);
    sfi_flow_leave(f, &entered);
}

SF_API sf_result sf_run(sf_flow *f)
{
    sf_result r;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
#ifndef SF_NO_THREADS
    if (f->crew[0].count > 0 && !sfi_inside(f)) {               /* threads of its own do the work */
        r = sf_start(f);
        return r < 0 ? r : sf_wait(f, SF_FOREVER);
    }
#endif
    r = sfi_begin(f, "sf_run");
    if (r < 0) { return r; }
    sfi_loop(f);
    return f->result;
}

#ifndef SF_NO_THREADS
static void *sfi_background(void *arg)
{
    sf_flow *f = (sf_flow *)arg;
    sfi_lock(&f->lock);                      /* until sf_start() has noted which thread this is */
    sfi_unlock(&f->lock);
    sfi_become(&f->workers[0]);
    sfi_loop(f);
    return NULL;
}
#endif

SF_API sf_result sf_start(sf_flow *f)
{
    sf_result r;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    r = sfi_begin(f, "sf_start");
    if (r < 0) { return r; }
#ifndef SF_NO_THREADS
    SFI_SET(f->background, true);
    sfi_lock(&f->lock);
    f->threaded = sfi_thread_start(&f->thread, sfi_background, f);
    sfi_unlock(&f->lock);
    if (!f->threaded) {
        f->result = SF_ERROR_OUT_OF_MEMORY;
        (void)sfi_flow_fail(f, NULL, f->result, "sf_start", "no thread could be started");
        sfi_finish_from_outside(f);
        return f->result;
    }
#endif
    return SF_OK;
}
SF_API sf_result sf_wait(sf_flow *f, int64_t timeout)
{
    int64_t deadline;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    if (sfi_inside(f)) { return sfi_refuse(f, SF_ERROR_REENTRANT, "sf_wait"); }
    deadline = sfi_deadline(sfi_clock(), timeout);
#ifndef SF_NO_THREADS
    sfi_lock(&f->lock);
    if (!f->threaded) {
        sfi_unlock(&f->lock);
        return sfi_load(&f->state) == SFI_FLOW_ENDED ? f->result : sfi_refuse(f, SF_ERROR_ILLEGAL_STATE, "sf_wait");
    }
    if (sfi_thread_is_self(f->thread)) {
        sfi_unlock(&f->lock);
        return SF_ERROR_REENTRANT;
    }
    while (sfi_load(&f->state) == SFI_FLOW_RUNNING) {
        if (sfi_clock() >= deadline) {
            sfi_unlock(&f->lock);
            return SF_TIMEOUT;
        }
        (void)sfi_cond_wait(&f->ended, &f->lock, deadline);
    }
    sfi_unlock(&f->lock);
    sfi_join(f);
#else
    if (sfi_load(&f->state) == SFI_FLOW_RUNNING) {                      /* no threads: the waiting is the running */
        int64_t wake;
        sfi_entered entered;
        sf_result r = sfi_flow_enter(f, &entered);
        while (r >= 0 && (r = sfi_work_once(&f->workers[0], &wake)) != SF_DONE) {
            if (timeout >= 0 && sfi_clock() >= deadline) { r = SF_TIMEOUT; break; }
            if (r == SF_IDLE) { sfi_rest(&f->workers[0], wake); }
        }
        if (r == SF_DONE) {
            sfi_conclude(f);
            sfi_finish(f);
        }
        sfi_flow_leave(f, &entered);
        if (r != SF_DONE) { return r; }
    }
    if (sfi_load(&f->state) != SFI_FLOW_ENDED) { return sfi_refuse(f, SF_ERROR_ILLEGAL_STATE, "sf_wait"); }
#endif
    return f->result;
}
static void sfi_rouse_all(sf_flow *f)                        /* from outside */
{
    if (!sfi_come_in(f)) { return; }
    sfi_wake_all(f);
    sfi_go_out(f);
}
SF_API sf_result sf_stop(sf_flow *f)
{
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_load(&f->state) != SFI_FLOW_RUNNING) { return SF_IGNORED; }
    sfi_store(&f->stop, 1);
    sfi_rouse_all(f);
    return SF_OK;
}
SF_API sf_result sf_flow_pause(sf_flow *f, bool paused)
{
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    sfi_store(&f->paused, paused);
    sfi_rouse_all(f);
    return SF_OK;
}
SF_API sf_result sf_op_stop(sf_flow *f, sf_op id)
{
    sfi_op *op;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (sfi_load(&f->state) != SFI_FLOW_RUNNING || !sfi_come_in(f)) { return SF_IGNORED; }
    sfi_store(&op->asked_to_stop, 1);
    sfi_bell(f, op->memory_source);
    sfi_go_out(f);
    return SF_OK;
}
SF_API int64_t sf_now(const sf_flow *f) { return sfi_is_flow(f) ? sfi_flow_now(f) : sfi_clock(); }

SF_API sf_result sf_flow_step(sf_flow *f, int64_t *wake)
{
    int64_t next = SFI_NEVER;
    sfi_entered entered;
    sf_result r;
    if (wake) { *wake = -1; }
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    if (sfi_inside(f)) { return sfi_refuse(f, SF_ERROR_REENTRANT, "sf_flow_step"); }
#ifndef SF_NO_THREADS                        /* else a flow that was started is stepped, or waited for */
    if (sfi_load(&f->state) == SFI_FLOW_RUNNING && !SFI_GET(f->stepping)) {          /* another thread runs it */
        return sfi_refuse(f, SF_ERROR_ILLEGAL_STATE, "sf_flow_step");
    }
#endif
    if (f->worker_count > 1) {
        f->life = f->life < 0 ? f->life : SF_ERROR_NOT_SUPPORTED;            /* as of a start that fails */
        return sfi_flow_fail(f, NULL, SF_ERROR_NOT_SUPPORTED, "sf_flow_step",
                             "the flow has %u workers of its own: sf_run() or sf_start() it, or ask for none",
                             (unsigned)f->worker_count);
    }
    if (sfi_load(&f->state) == SFI_FLOW_ENDED && f->stepping) {         /* told once; the next call starts anew */
        SFI_SET(f->stepping, false);
        return f->result < 0 ? f->result : SF_DONE;
    }
    if (sfi_load(&f->state) != SFI_FLOW_RUNNING) {
        r = sfi_begin(f, "sf_flow_step");
        if (r < 0) { return r; }
        SFI_SET(f->stepping, true);
    }
    r = sfi_flow_enter(f, &entered);
    if (r >= 0) { r = sfi_work_once(&f->workers[0], &next); }
    if (r == SF_DONE) {
        sfi_conclude(f);
        sfi_finish(f);
        SFI_SET(f->stepping, false);
        r = f->result < 0 ? f->result : SF_DONE;
    } else if (r == SF_IDLE && f->workers[0].gpu_waiter_count) {
        int64_t soon = sfi_flow_now(f) + 20000;              /* ask again: nothing will signal the caller */
        if (soon < next) { next = soon; }
    }
    sfi_flow_leave(f, &entered);
    if (wake && next != SFI_NEVER) { *wake = next; }
    return r;
}

/* -- from outside -- */

SF_API sf_result sf_signal(sf_flow *f, sf_op id, int condition, sf_readiness state)
{
    sfi_op *op;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (condition < 0 || condition >= op->condition_count || (uint32_t)state > SF_NEVER) {
        return SF_ERROR_INVALID_VALUE;
    }
    if (op->more->conditions[condition].is.kind != SF_CONDITION_SIGNAL &&
        op->more->conditions[condition].is.kind != SF_CONDITION_USER) {
        return SF_ERROR_INVALID_VALUE;
    }
    if (!sfi_come_in(f)) { return SF_IGNORED; }
    SFI_STEP("signal");
    sfi_store(&op->more->conditions[condition].signal, (uint32_t)state);
    sfi_bell(f, op->more->conditions[condition].source);
    sfi_go_out(f);
    return SF_OK;
}
static sfi_inlet *sfi_inlet_at(const sf_flow *f, uint32_t op, int input)
{
    const uint64_t wanted = (uint64_t)op << 32 | (uint32_t)input;
    uint32_t low = 0, high = f->inlet_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->inlets[middle]->key == wanted) { return f->inlets[middle]; }
        if (f->inlets[middle]->key < wanted) { low = middle + 1; } else { high = middle; }
    }
    return NULL;
}
static sf_result sfi_put_in(sf_flow *f, sfi_inlet *in, const sfi_message *m)
{
    sfi_place *place = &in->ring[in->at];
    if (sfi_load(&in->closed)) { return SF_ERROR_ILLEGAL_STATE; }
    if (in->room == 1) {
        in->seen = sfi_add(in->popped, 0);   /* fetches the line as a writer does */
    } else if (in->pushed - in->seen >= in->room) {
        in->seen = sfi_load(in->popped);
    }
    if (in->pushed - in->seen >= in->room) { return SF_BUSY; }
    SFI_STEP("push");
    place->message = *m;
    if (++in->at == in->room) { in->at = 0; }
    (void)sfi_swap(&place->number, ++in->pushed);            /* the message before it, the look behind it */
    SFI_STEP("pushed");
    if (!sfi_load_ordered(&in->polled)) { sfi_bell_of(f, in->worker, in->source); }
    return SF_OK;
}
static sf_result sfi_cannot_push(const sfi_op *op, int input, size_t bytes)
{
    const sfi_input *port = input >= 0 && input < op->input_count ? &op->inputs[input] : NULL;
    if (port && port->bytes && port->bytes != bytes) { return SF_ERROR_MISMATCH; }
    return port && port->external ? SF_ERROR_ILLEGAL_STATE : SF_ERROR_UNKNOWN_PORT;
}
/* In the good case it looks at nothing that the workers write: each such cache line is a good part of a message's
   time from core to core. */
static sf_result sfi_push(sf_flow *f, sf_op id, int input, const sfi_message *m)
{
    size_t bytes = m->kind == SFI_TENSOR ? ((const sf_tensor *)m->value.ptr)->bytes : 0;
    const sfi_op *op;
    sfi_inlet *in;
    sf_result r;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (!sfi_come_in(f)) { return sfi_cannot_push(op, input, bytes); }
    in = sfi_inlet_at(f, (id.id & 0xfffff) - 1, input);
    if (!in) {
        r = sfi_cannot_push(op, input, bytes);
    } else {
        r = in->bytes && in->bytes != bytes ? SF_ERROR_MISMATCH : sfi_put_in(f, in, m);
    }
    sfi_go_out(f);
    return r;
}
SF_API sf_result sf_push(sf_flow *f, sf_op id, int input, sf_tensor *tensor)
{
    sfi_message m;
    if (!tensor || !tensor->owner || sfi_is_gone(sfi_load(&((sfi_tensor *)tensor->owner)->references))) {
        return SF_ERROR_INVALID_VALUE;       /* none, or one that was released */
    }
    sfi_zero(&m, sizeof m);
    m.kind = SFI_TENSOR;
    m.value.ptr = tensor;
    m.order = ((const sfi_tensor *)tensor->owner)->order;
    m.time = -1;
    return sfi_push(f, id, input, &m);
}
SF_API sf_result sf_push_value(sf_flow *f, sf_op id, int input, sf_value value)
{
    sfi_message m;
    sfi_zero(&m, sizeof m);
    m.kind = SFI_VALUE;
    m.value = value;
    m.time = -1;
    return sfi_push(f, id, input, &m);
}

SF_API sf_result sf_flow_destroy(sf_flow *f)
{
    sf_heap heap;
    sf_result life;
    bool held, listed;
    uint32_t i;
    if (!sfi_is_flow(f) && !(f && f->zombie)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    if (sfi_inside(f)) { return SF_ERROR_REENTRANT; }
#ifndef SF_NO_THREADS
    if (f->threaded && sfi_thread_is_self(f->thread)) { return SF_ERROR_REENTRANT; }
    if (f->threaded) {
        (void)sf_stop(f);
        sfi_join(f);
    }
#endif
    if (sfi_load(&f->state) == SFI_FLOW_RUNNING) { sfi_finish_from_outside(f); }     /* it was being stepped */
    sfi_build_on(f);
    sfi_empty_inlets(f);                     /* pushed, but never run */
    life = f->life < 0 ? f->life : f->built_count ? f->failure.now.result : SF_OK;
    sfi_wrap_sweep(f);
    f->slot.tag = 0;
    if (f->owns_device && f->limbo) {        /* its close would wait, too */
        (void)f->device->backend->synchronize(f->device, SF_FOREVER, false);
        sfi_wrap_sweep(f);
    }
    sfi_lock(&f->lock);
    held = sfi_load(&f->wrapped_out) != 0;   /* somebody holds a wrapped tensor: the last release frees */
    listed = held && !f->zombie && f->device;
    if (listed) { (void)sfi_add(&f->wrapped_out, 1); }
    f->zombie = f->zombie || held;
    sfi_unlock(&f->lock);
    if (listed) { sfi_zombie_list(f->device, f); }
    if (held) { return life; }
    while (f->wrapped) {
        sfi_tensor *t = f->wrapped;
        f->wrapped = t->next;
        sfi_free(&f->heap, t);
    }
    if (f->owns_streams) { (void)sf_stream_pool_destroy(f->streams); }
    if (f->device) { (void)sfi_add(&f->device->flows, (uint32_t)-1); }
    if (f->owns_device) { (void)sf_device_close(f->device, SF_FOREVER); }
    sfi_flow_drop_block(f);
    sfi_pile_free(&f->heap, &f->pile);
    sfi_pile_free(&f->heap, &f->op_pile);
    sfi_pile_free(&f->heap, &f->edge_pile);
    sfi_free(&f->heap, f->ops);
    sfi_free(&f->heap, f->edges);
    sfi_free(&f->heap, f->problems);
#ifndef SF_NO_THREADS
    sfi_cond_free(&f->ended);
    sfi_cond_free(&f->decided);
    sfi_mutex_free(&f->park);
    for (i = 0; i < f->worker_count; i++) { sfi_parker_free(&f->workers[i].parker); }
#endif
    for (i = 0; i < SF_DESC_WORKERS; i++) {
        sfi_free(&f->heap, (void *)(uintptr_t)f->crew[i].name);
        sfi_free(&f->heap, (void *)(uintptr_t)f->crew[i].cpus);
    }
    if (f->workers != &f->only) { sfi_free(&f->heap, f->workers); }
    sfi_mutex_free(&f->lock);
    heap = f->heap;
    sfi_free(&heap, f);
    return life;
}

/* >>reports ------------------------------------------------------------------------------------------- */

static void sfi_put_f(sfi_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sfi_put_v(t, format, args);
    va_end(args);
}
static void sfi_describe_conditions(const sf_flow *f, const sfi_op *op, sfi_text *t)
{
    static const char *names[] = { "", "COUNT", "PERIOD", "TIME", "SIGNAL", "MESSAGES", "EXPIRING", "ROOM", "MEMORY",
                                   "STREAM", "USER" };
    uint32_t i, p, e, n;
    sfi_put_f(t, "%s of its own (sf_op_desc.when:", op->condition_count > 1 ? "conditions" : "a condition");
    for (i = 0; i < op->condition_count; i++) {
        const sfi_condition *c = &op->more->conditions[i];
        sfi_put_f(t, "%s %s", i ? "," : "", names[c->is.kind]);
        if (c->is.kind != SF_CONDITION_MESSAGES && c->is.kind != SF_CONDITION_EXPIRING) { continue; }
        if (!c->is.count) { continue; }          /* a batch of each */
        for (n = 0, p = 0; p < op->input_count; p++) {
            if (!(sfi_condition_ports(c, op->input_count) >> p & 1)) { continue; }
            for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e]->next_input) {
                n += sfi_edge_count(f->edges[e]);
            }
        }
        sfi_put_f(t, " %u of %u", (unsigned)n, (unsigned)c->is.count);
    }
    sfi_put(t, ")", 1);
}
/* What keeps an operator from running, in words. */
static void sfi_describe_wait(const sf_flow *f, const sfi_op *op, sfi_text *t)
{
    char *begin = t->at;
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        const sfi_input *in = &op->inputs[p];
        for (e = in->first; e != SFI_NONE && sfi_counts_messages(in); e = f->edges[e]->next_input) {
            const sfi_edge *edge = f->edges[e];
            if (sfi_edge_count(edge) >= edge->need || sfi_is_inner(f, edge)) { continue; }
            if (t->at != begin) { sfi_put(t, ", ", 2); }
            sfi_put_f(t, "messages on \"%s\" from %s (%u of %u)", in->name,
                      edge->from == SFI_NONE ? "outside" : f->ops[edge->from]->pub.name,
                      (unsigned)sfi_edge_count(edge), (unsigned)edge->need);
        }
    }
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e]->next_output) {
            const sfi_edge *edge = f->edges[e];
            if (edge->overflow != SF_OVERFLOW_BLOCK || SFI_GET(edge->closed) || sfi_edge_count(edge) < edge->most) {
                continue;
            }
            if (t->at != begin) { sfi_put(t, ", ", 2); }
            sfi_put_f(t, "room behind \"%s\" at %s", op->outputs[p].name, f->ops[edge->to]->pub.name);
        }
    }
    for (p = 0; SFI_GET(op->memory_wait) && p < op->output_count; p++) {
        const sfi_output *out = &op->outputs[p];
        const sf_mem_pool *pool = SFI_GET(out->supply->pool);
        if (!pool || pool != SFI_GET(op->more->waits_pool)) { continue; }
        sfi_put_f(t, "%smemory of \"%s\"", t->at != begin ? ", " : "", out->name);
    }
    if (SFI_GET(op->gpu_wait) && !SFI_GET(op->memory_wait)) { sfi_put_f(t, "%sthe GPU", t->at != begin ? ", " : ""); }
    if (op->extras && !SFI_GET(op->extras_met) && !SFI_GET(op->gpu_wait)) {
        if (t->at != begin) { sfi_put(t, ", ", 2); }
        sfi_describe_conditions(f, op, t);
    }
    if (op->more->control_edges && !SFI_GET(op->more->turns)) {
        sfi_put_f(t, "%sits turn", t->at != begin ? ", " : "");
    }
    if (op->more->region && t->at == begin) { sfi_put_f(t, "the others of region %d", (int)op->more->number); }
}

SF_API sf_result sf_flow_get_info(const sf_flow *f, sf_flow_info *info)
{
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (!info) { return SF_ERROR_INVALID_VALUE; }
    sfi_zero(info, sizeof *info);
    info->running = sfi_load(&f->state) == SFI_FLOW_RUNNING;
    info->ops = f->op_count;
    info->edges = f->edge_count;
    while (sf_flow_get_path(f, info->paths, NULL, NULL, 0) == SF_OK) { info->paths++; }
    info->dropped = sfi_load64(&f->dropped);
    info->memory_bytes =
        f->fixed ? sfi_range_high(&f->heap)
                 : sizeof *f + f->op_room * sizeof(sfi_op) + f->edge_room * sizeof(sfi_edge) + f->pile.bytes +
                       f->block_bytes;
    info->payload_bytes = f->payload_bytes;
    info->paths_lost = SFI_GET(f->paths_lost);
    sfi_lock((sfi_mutex *)(uintptr_t)&f->lock);
    info->result = f->failure.now.result;
    sfi_unlock((sfi_mutex *)(uintptr_t)&f->lock);
    return SF_OK;
}
SF_API sf_result sf_op_get_info(const sf_flow *f, sf_op id, sf_op_info *info)
{
    const sfi_op *op;
    sfi_text t;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (!info) { return SF_ERROR_INVALID_VALUE; }
    sfi_zero(info, sizeof *info);
    info->state = (sf_op_state)SFI_GET(op->state);
    if (sfi_load(&f->paused) && (info->state == SF_OP_WAITING || info->state == SF_OP_QUEUED)) {
        info->state = SF_OP_PAUSED;
    }
    info->runs = SFI_GET(op->pub.run);
    info->errors = SFI_GET(op->errors);
    if (f->block) {
        sfi_histogram_read(op->more->cpu, &info->cpu);
        sfi_histogram_read(op->more->device, &info->device);
        t = sfi_text_in(info->waits_for, sizeof info->waits_for);
        if (info->state == SF_OP_WAITING) { sfi_describe_wait(f, op, &t); }
    }
    return SF_OK;
}
SF_API sf_result sf_op_get_edge_info(const sf_flow *f, sf_op id, int input, int index, sf_edge_info *info)
{
    const sfi_op *op;
    sfi_edge *edge = NULL, *front;
    uint32_t e;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (input < 0 || input >= op->input_count) { return SF_ERROR_UNKNOWN_PORT; }
    if (!info) { return SF_ERROR_INVALID_VALUE; }
    for (e = op->inputs[input].first; e != SFI_NONE; e = f->edges[e]->next_input) {
        if (index == 0) { edge = f->edges[e]; }
        index -= index >= 0;
    }
    if (!edge) { return SF_ERROR_INVALID_VALUE; }
    front = sfi_front(edge);
    info->messages = SFI_GET(front->messages);
    info->dropped = SFI_GET(edge->dropped);
    info->refused = SFI_GET(edge->refused) + (front == edge ? 0 : SFI_GET(front->refused));
    info->capacity = sfi_edge_limit(f, edge);
    info->queued = sfi_edge_count(edge);     /* its two sides, one after the other: more may have come than gone */
    if (info->queued > info->capacity) { info->queued = info->capacity; }
    info->queued_high = SFI_GET(front->high);
    if (!info->queued_high && info->messages) { info->queued_high = 1; }     /* from hand to hand: not written down */
    return SF_OK;
}
/* "root,...,leaf", as much as there is room for; written from its end. */
static void sfi_path_name(const sf_flow *f, uint32_t prefix, char *name, size_t bytes)
{
    size_t at = 0, i, n;
    uint32_t p;
    for (p = prefix; p; p = f->prefixes[p - 1].parent) {
        at += sfi_length(f->ops[f->prefixes[p - 1].op]->pub.name) + 1;
    }
    name[at - 1 < bytes - 1 ? at - 1 : bytes - 1] = 0;
    for (p = prefix; p; p = f->prefixes[p - 1].parent) {
        const char *op = f->ops[f->prefixes[p - 1].op]->pub.name;
        n = sfi_length(op);
        at -= n + 1;
        for (i = 0; i < n && at + i < bytes - 1; i++) { name[at + i] = op[i]; }
        if (p != prefix && at + n < bytes - 1) { name[at + n] = ','; }
    }
}
SF_API sf_result sf_flow_get_path(const sf_flow *f, uint32_t index, sf_latency *latency, char *name, size_t bytes)
{
    sfi_atomic32 *lock;
    uint32_t i, seen = 0;
    bool found;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (!f->paths || !f->block) { return SF_ERROR_INVALID_VALUE; }
    lock = (sfi_atomic32 *)(uintptr_t)&f->tracking;
    sfi_spin_lock(lock);                     /* while the flow runs, paths are added */
    for (i = 0; i < f->path_count && !(f->paths[i].latency.count && seen++ == index); i++) {}
    found = i < f->path_count;
    if (found && latency) { sfi_histogram_read(&f->paths[i].latency, latency); }
    if (found && name && bytes) { sfi_path_name(f, f->paths[i].prefix, name, bytes); }
    sfi_spin_unlock(lock);
    return found ? SF_OK : SF_ERROR_INVALID_VALUE;
}
SF_API const sf_failure *sf_flow_failure(const sf_flow *f)
{
    static const sf_failure none = { SF_ERROR_INVALID_HANDLE, 1, "", "sf_flow_create",
                                     "there is no flow: sf_flow_create() found not even the memory for that" };
    return sfi_is_flow(f) ? &f->failure.now : &none;
}

/* Bytes of the character that begins here; 0: none of UTF-8's, as where a long sentence was cut. */
static int sfi_character(const char *s)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint32_t c = (unsigned char)*s, value;
    int n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0, i;
    value = n > 1 ? c & (0x7fu >> n) : c;
    for (i = 1; i < n; i++) {
        if (((unsigned char)s[i] & 0xc0) != 0x80) { return 0; }
        value = value << 6 | ((unsigned char)s[i] & 0x3f);
    }
    return n && value >= least[n] && value >> 11 != 27 && value <= 0x10ffff ? n : 0;
}
static void sfi_write_name(const sfi_writer *w, const char *s) /* inside quotes: JSON's and Graphviz's */
{
    while (*s) {
        char c[5] = { 0, 0, 0, 0, 0 };
        int n = sfi_character(s);
        sfi_copy(c, s, n ? (size_t)n : 1);
        if ((unsigned char)*s < ' ') { c[0] = ' '; }
        if (!n) { c[0] = '?'; }
        sfi_write(w, c[0] == '"' || c[0] == '\\' ? "\\%s" : "%s", c);
        s += n ? n : 1;
    }
}
/* One a line; where there was no memory for them, as in memory handed in, the first one. */
static const char *sfi_problems(const sf_flow *f)
{
    return f->problem_bytes ? f->problems : f->problem_count ? f->failure.text : "";
}
static void sfi_write_string(const sfi_writer *w, const char *before, const char *s)
{
    sfi_write(w, "%s\"", before);
    sfi_write_name(w, s);
    sfi_write(w, "\"");
}
/* How many blocks an output that makes its own tensors has; 0: it makes none. */
static uint32_t sfi_planned_blocks(const sf_flow *f, const sfi_op *op, const sfi_output *out)
{
    return !sfi_has_memory(out) || out->supply->given ? 0 : sfi_blocks_of(f, op, out);
}
static void sfi_plan_json_op(const sf_flow *f, const sfi_op *op, const sfi_writer *w)
{
    bool gpu = sfi_op_may_use_gpu(f, op);
    int p;
    sfi_write_string(w, "{\"name\":", op->pub.name);
    sfi_write(w, ",\"region\":%d,\"stream\":\"%s\",\"inputs\":[", (int)op->more->number,
              !gpu ? "none" : op->more->number ? "region" : op->adopt ? "received" : "own");
    for (p = 0; p < op->input_count; p++) { sfi_write_string(w, p ? "," : "", op->inputs[p].name); }
    sfi_write(w, "],\"outputs\":[");
    for (p = 0; p < op->output_count; p++) {
        uint32_t blocks = sfi_planned_blocks(f, op, &op->outputs[p]);
        sfi_write_string(w, p ? ",{\"name\":" : "{\"name\":", op->outputs[p].name);
        sfi_write(w, ",\"blocks\":%u,\"bytes\":%Z}", (unsigned)blocks,
                  blocks ? op->outputs[p].supply->bytes : (size_t)0);
    }
    sfi_write(w, "]}");
}
static const char *sfi_edge_policy(const sfi_edge *e)        /* behind something else */
{
    static const char *const words[] = { "", ", drop oldest", ", drop newest", ", latest", ", error" };
    return words[e->overflow];
}
static void sfi_plan_json_edge(const sf_flow *f, const sfi_edge *e, const sfi_writer *w)
{
    bool from = e->from != SFI_NONE;
    sfi_write(w, "{\"from\":%L", from ? (int64_t)e->from : (int64_t)-1);
    if (from && !e->control) { sfi_write_string(w, ",\"output\":", f->ops[e->from]->outputs[e->output].name); }
    sfi_write(w, ",\"to\":%u", (unsigned)e->to);
    if (!e->control) { sfi_write_string(w, ",\"input\":", f->ops[e->to]->inputs[e->input].name); }
    sfi_write(w, ",\"capacity\":%u,\"overflow\":\"%s\",\"delay\":%u,\"control\":%s}",
              e->control ? 0u : (unsigned)sfi_edge_limit(f, e), e->overflow ? sfi_edge_policy(e) + 2 : "block",
              (unsigned)e->delay, e->control ? "true" : "false");
}
static void sfi_plan_json(const sf_flow *f, const sfi_writer *w)
{
    uint32_t i;
    const char *p;
    sfi_write_string(w, "{\"flow\":", f->name);
    sfi_write(w, ",\"bytes\":%Z,\"problems\":[", f->block_bytes);
    for (p = sfi_problems(f); *p;) {
        char line[SFI_TEXT];
        size_t n = 0;
        while (p[n] && p[n] != '\n') { n++; }
        sfi_keep_name(line, n + 1 < sizeof line ? n + 1 : sizeof line, p);
        sfi_write_string(w, p == sfi_problems(f) ? "" : ",", line);
        p += n + (p[n] == '\n');
    }
    sfi_write(w, "],\"ops\":[");
    for (i = 0; i < f->op_count; i++) {
        if (i) { sfi_write(w, ","); }
        sfi_plan_json_op(f, f->ops[i], w);
    }
    sfi_write(w, "],\"edges\":[");
    for (i = 0; i < f->edge_count; i++) {
        if (i) { sfi_write(w, ","); }
        sfi_plan_json_edge(f, f->edges[i], w);
    }
    sfi_write(w, "]}\n");
}
static void sfi_plan_text(const sf_flow *f, const sfi_writer *w)
{
    uint32_t i, e;
    int p;
    if (f->problem_bytes) {
        w->func(w->user, f->problems, f->problem_bytes);
    } else if (f->problem_count) {
        sfi_write(w, "%s\n", sfi_problems(f));
    }
    sfi_write(w, "flow \"%s\": %u operators, %u edges, %u problems, %Z bytes of queues and tables\n", f->name,
              (unsigned)f->op_count, (unsigned)f->edge_count, (unsigned)f->problem_count, f->block_bytes);
    for (i = 0; i < f->op_count; i++) {
        const sfi_op *op = f->ops[i];
        bool gpu = sfi_op_may_use_gpu(f, op);
        sfi_write(w, "%u %s", (unsigned)i, op->pub.name);
        if (op->more->number) {
            sfi_write(w, ", in region %d, one graph launch per turn of all", (int)op->more->number);
        }
        sfi_write(w, "%s\n",
                  !gpu        ? ""
                  : op->more->number ? ": works on the stream of its region"
                  : op->adopt ? ": works on the stream that it receives"
                              : ": a stream of its own, per message at most "
                                "1 record, 1 wait per input from another stream");
        for (p = 0; p < op->output_count; p++) {
            const sfi_output *out = &op->outputs[p];
            uint32_t blocks = sfi_planned_blocks(f, op, out);
            if (blocks) {
                sfi_write(w, "    %s: %u block%s of %Z bytes\n", out->name, (unsigned)blocks, blocks == 1 ? "" : "s",
                          out->supply->bytes);
            }
            for (e = out->first; e != SFI_NONE; e = f->edges[e]->next_output) {
                const sfi_edge *edge = f->edges[e];
                unsigned room = sfi_edge_limit(f, edge);
                sfi_write(w, "    %s -> %s.%s: %u message%s%s%s\n", out->name, f->ops[edge->to]->pub.name,
                          f->ops[edge->to]->inputs[edge->input].name, room, room == 1 ? "" : "s",
                          edge->delay ? ", delayed" : "", sfi_edge_policy(edge));
            }
        }
    }
}
SF_API sf_result sf_flow_check(sf_flow *f, bool json, sf_text_func text, void *user)
{
    sf_result r;
    sfi_writer w;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_load(&f->state) == SFI_FLOW_RUNNING) { return SF_ERROR_ILLEGAL_STATE; }
    r = sfi_prepare(f);
    w.func = text;
    w.user = user;
    if (text && json) { sfi_plan_json(f, &w); }
    if (text && !json) { sfi_plan_text(f, &w); }
    return r;
}
SF_API sf_result sf_flow_dot(const sf_flow *f, sf_text_func text, void *user)
{
    sfi_writer w;
    uint32_t i;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (!text) { return SF_ERROR_INVALID_VALUE; }
    w.func = text;
    w.user = user;
    sfi_write(&w, "digraph \"");
    sfi_write_name(&w, f->name);
    sfi_write(&w, "\" {\n  rankdir=LR;\n  node [shape=box];\n");
    for (i = 0; i < f->op_count; i++) {
        sfi_write(&w, "  n%u [label=\"", (unsigned)i);
        sfi_write_name(&w, f->ops[i]->pub.name);
        sfi_write(&w, "\\n%L runs\"];\n", (int64_t)SFI_GET(f->ops[i]->pub.run));
    }
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = f->edges[i];
        if (e->from == SFI_NONE) {
            sfi_write(&w, "  outside%u [shape=plaintext, label=\"outside\"];\n  outside%u -> n%u", (unsigned)i,
                      (unsigned)i, (unsigned)e->to);
        } else {
            sfi_write(&w, "  n%u -> n%u", (unsigned)e->from, (unsigned)e->to);
        }
        sfi_write(&w, " [label=\"%L%s\"%s];\n", (int64_t)SFI_GET(sfi_front(e)->messages), sfi_edge_policy(e),
                  e->control ? ", style=dashed" : e->delay ? ", style=dotted" : "");
    }
    sfi_write(&w, "}\n");
    return SF_OK;
}
/* One event as Chrome and Perfetto read them: slices (X), arrows (s to f), counters (C), instants (i). */
static void sfi_trace_write(const sf_flow *f, const sfi_trace *t, sfi_writer *w)
{
    const char *name = f->ops[t->op]->pub.name;
    const sfi_edge *e;
    int64_t at = t->time - f->started_at;
    if (t->kind == SFI_TRACE_COMPUTE || t->kind == SFI_TRACE_GPU) {
        sfi_write(w, "{\"name\":\"");
        sfi_write_name(w, name);
        sfi_write(w, "\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%t,\"dur\":%t}",
                  t->kind == SFI_TRACE_COMPUTE ? 1 : 2, (unsigned)t->row + 1, at, t->duration);
        return;
    }
    if (t->kind == SFI_TRACE_DROP) {
        sfi_write(w, "{\"name\":\"");
        sfi_write_name(w, name);
        sfi_write(w, ": dropped\",\"ph\":\"i\",\"pid\":1,\"tid\":1,\"s\":\"p\",\"ts\":%t},\n", at);
    } else {
        sfi_write(w, "{\"name\":\"message\",\"cat\":\"message\",\"ph\":\"%s\",\"id\":\"%u.%L\",\"pid\":1,"
                  "\"tid\":%u,\"ts\":%t%s},\n", t->kind == SFI_TRACE_EMIT ? "s" : "f", (unsigned)t->edge,
                  (int64_t)t->number, (unsigned)t->row + 1, at, t->kind == SFI_TRACE_EMIT ? "" : ",\"bp\":\"e\"");
    }
    e = f->edges[t->edge];
    sfi_write(w, "{\"name\":\"queue of ");
    sfi_write_name(w, name);
    sfi_write(w, ".");
    sfi_write_name(w, f->ops[e->to]->inputs[e->input].name);
    sfi_write(w, "\",\"ph\":\"C\",\"pid\":1,\"ts\":%t,\"args\":{\"messages\":%u}}", at, (unsigned)t->depth);
}
SF_API sf_result sf_flow_trace(const sf_flow *f, sf_text_func text, void *user)
{
    sfi_writer w;
    uint64_t i, n;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (!text) { return SF_ERROR_INVALID_VALUE; }
    if (!f->trace_room) { return SF_IGNORED; }
    if (sfi_load(&f->state) == SFI_FLOW_RUNNING) { return SF_ERROR_ILLEGAL_STATE; }
    w.func = text;
    w.user = user;
    sfi_write(&w, "{\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"");
    sfi_write_name(&w, f->name);
    sfi_write(&w, "\"}},\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2,\"args\":{\"name\":\"GPU\"}}");
    n = f->trace ? f->trace_count : 0;
    for (i = n > f->trace_room ? n - f->trace_room : 0; i < n; i++) {
        sfi_write(&w, ",\n");
        sfi_trace_write(f, &f->trace[i % f->trace_room], &w);
    }
    sfi_write(&w, "\n");
    sfi_write(&w, "]}\n");
    return SF_OK;
}

#endif /* STREAMFLOW_IMPLEMENTATION */
