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

    THE STREAM LAYER ALONE is CUDA streams and events in plain C: sf_device_open(), sf_stream_create(),
    sf_event_record(), sf_launch(), sf_stream_synchronize(); with SF_BACKEND_HOST the same calls do the same on the
    CPU. A host device can also run everything on one thread in a chosen order (sf_device_desc.host.order): seeded,
    repeatable, in virtual time: a missing wait shows in a test, not in the field.

    ERRORS. Calls of the stream layer return an sf_result. A flow keeps its first failure: build it without looking,
    and ask once, after sf_run(), with sf_flow_failure(), for a sentence that names the operator, the call and the
    remedy. sf_flow_check() finds all that is wrong with a flow before it runs. Inside a compute, a failed call fails
    the compute, looked at or not. Set a logger and you read it as it happens.

    MEMORY. A flow allocates while it is built and in its start; after that, nothing (but for pools that say so:
    SF_MEM_POOL_ASYNC, SF_MEM_POOL_UNBOUNDED; sf_tensor_wrap() beyond what was ever wrapped at a time; a stream that
    an operator allocates by a new name; CUDA host functions). With sf_flow_desc.memory the flow lives in one block of
    yours; sf_flow_memory() says how large. An output port's default pool has as many blocks as the queues behind it
    hold, and two. An operator is not scheduled before there is a block and room for what it emits.

    THREADS. Stream layer: any. Building a flow: one at a time. sf_run() runs the operators on the caller's thread,
    sf_start() on one of its own, sf_flow_step() one at a time inside your loop. sf_push(), sf_signal() and sf_stop()
    may come from any thread or interrupt; tensors are wrapped, retained and released on any thread. An operator never
    runs twice at once.

    BARE METAL. SF_NO_STDLIB, SF_NO_THREADS and SF_NO_CUDA, all three; nothing is needed but memcpy, memset and the
    compiler's own arithmetic. Without threads, host commands run inside the calls that wait or poll.

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

    DOES NOT, yet: several workers, graph capture and CUDA graphs, lazy operations, modules. Says so when asked to.
    DOES NOT, ever: own a main loop that you cannot replace, need an SDK, block a CPU thread to order GPU work.

    CONTENTS, in the order of this file. Declarations:
        >>result >>device >>stream >>event >>memory >>kernel     CUDA streams in plain C, and their CPU twin
        >>tensor >>compute >>operator >>flow >>observe           operators, ports, edges, conditions; run and look
    Implementation:
        >>config >>platform >>text >>heap                        what the rest stands on
        >>backend >>host >>cuda >>streams                        the stream layer: a table, two backends, public part
        >>order >>pools                                          order across streams; pooled streams, tracked memory
        >>flows >>build >>check >>layout                         a flow's structures; built, checked, laid out
        >>bells >>ready >>conditions >>messages >>ending         who can run
        >>engine >>hooks >>tensors >>control >>reports           running; what a compute calls; start to end; looking

    TRUE FOR EVERY DECLARATION, unless its comment says otherwise
        names      stream layer: cuFooBar() is sf_foo_bar(), same rules, same codes, on both backends, with an order
                   of its own: the object first, results last.
        handles    typed opaque pointers for what you create, ids for what lives inside a flow. NULL and a zero id
                   are never valid, never crash, never mean "the default". One that was destroyed, or belongs to
                   another device, is SF_ERROR_INVALID_HANDLE, as long as its device is open.
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
   result's magnitude. Any thread may call it; strings live for the call and may be NULL. Silent unless set. */
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

/* AUTO: CUDA where a GPU works, else the host; the log says which and why. */
typedef enum sf_backend { SF_BACKEND_AUTO, SF_BACKEND_HOST, SF_BACKEND_CUDA } sf_backend;

/* Which ready command a host device runs next. All but THREADS: one thread, virtual time, exactly repeatable. LAZY
   runs only what somebody waits for; PCT has random priorities and two demotions. To find a missing wait try RANDOM
   and PCT over many seeds. */
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

typedef struct sf_counters {                 /* since the device was opened */
    uint64_t launches, graph_launches, copies, event_records, event_waits, host_functions, synchronizes, queries;
    uint64_t stream_creates, event_creates, allocations, device_switches;
    uint64_t live_streams, live_events, live_graphs, live_bytes;
} sf_counters;

SF_API sf_result sf_device_open(const sf_device_desc *desc, sf_device **device);
SF_API sf_result sf_device_close(sf_device *device, int64_t timeout);        /* its handles die with it */
SF_API sf_result sf_device_get_info(sf_device *device, sf_device_info *info);
SF_API sf_result sf_device_synchronize(sf_device *device, int64_t timeout);  /* cuCtxSynchronize */
SF_API sf_result sf_device_reset(sf_device *device);         /* after a fault; CUDA needs a new process instead */
SF_API sf_result sf_device_get_counters(sf_device *device, sf_counters *counters);
SF_API sf_result sf_device_get_replay(sf_device *device, char *line, size_t bytes);  /* of what ran so far */
SF_API const sf_failure *sf_device_failure(const sf_device *device);
SF_API void *sf_device_native(const sf_device *device);      /* CUcontext; NULL on a host device */

/* Without threads and under a deterministic order: runs at least one ready command. SF_OK: it did. SF_IDLE: there was
   none in time. */
SF_API sf_result sf_device_poll(sf_device *device, int64_t timeout);

/* >>stream -------------------------------------------------------------------------------------------- */

enum { SF_STREAM_DEFAULT = 0, SF_STREAM_NON_BLOCKING = 1 };  /* blocking: ordered with the legacy stream */

typedef struct sf_stream_desc {
    uint32_t flags;
    int32_t priority;                        /* lower is more urgent; clamped, not refused */
    const char *name;                        /* for failures and traces */
} sf_stream_desc;

typedef void (*sf_host_func)(void *user);

SF_API sf_result sf_stream_create(sf_device *device, const sf_stream_desc *desc, sf_stream **stream);
SF_API sf_result sf_stream_destroy(sf_stream *stream);
SF_API sf_stream *sf_stream_legacy(sf_device *device);       /* the default stream; lent */
SF_API sf_result sf_stream_wrap(sf_device *device, void *native, sf_stream **stream);        /* a foreign CUstream */
SF_API void *sf_stream_native(const sf_stream *stream);      /* CUstream, cudaStream_t; NULL on a host device */

SF_API sf_result sf_stream_query(sf_stream *stream);         /* SF_OK: idle. SF_NOT_READY: busy */
SF_API sf_result sf_stream_synchronize(sf_stream *stream, int64_t timeout);
SF_API sf_result sf_stream_wait_event(sf_stream *stream, sf_event *event, uint32_t flags);
SF_API sf_result sf_stream_get_priority(const sf_stream *stream, int32_t *priority);
SF_API sf_result sf_stream_get_flags(const sf_stream *stream, uint32_t *flags);
SF_API sf_result sf_stream_get_id(const sf_stream *stream, uint64_t *id);
SF_API sf_result sf_stream_get_device(const sf_stream *stream, sf_device **device);  /* also for cuStreamGetCtx */

/* Host functions run once, in order, and hold up their stream meanwhile; inside one, every call of this library is
   SF_ERROR_NOT_PERMITTED. After a fault they are skipped. */
SF_API sf_result sf_launch_host_func(sf_stream *stream, sf_host_func func, void *user);

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

SF_API sf_result sf_event_create(sf_device *device, uint32_t flags, sf_event **event);
SF_API sf_result sf_event_destroy(sf_event *event);
SF_API sf_result sf_event_record(sf_event *event, sf_stream *stream);        /* same device; waits may cross */
SF_API sf_result sf_event_query(sf_event *event);            /* SF_OK also if never recorded */
SF_API sf_result sf_event_synchronize(sf_event *event, int64_t timeout);
SF_API sf_result sf_event_elapsed_ms(sf_event *start, sf_event *end, float *ms);
SF_API void *sf_event_native(const sf_event *event);         /* CUevent; NULL on a host device */

/* >>memory -------------------------------------------------------------------------------------------- */

typedef enum sf_memory {
    SF_MEMORY_DEVICE,                        /* the GPU's. On a host device: plain memory, for kernels only */
    SF_MEMORY_PINNED,                        /* the host's, mapped: for kernels and CPU */
    SF_MEMORY_MANAGED,                       /* migrates between the two */
    SF_MEMORY_HOST                           /* the host's, pageable */
} sf_memory;

SF_API sf_result sf_mem_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr);
SF_API sf_result sf_mem_free(sf_device *device, void *ptr);
SF_API sf_result sf_mem_get_device_pointer(sf_device *device, void *pinned, void **ptr);     /* as kernels see it */
SF_API sf_result sf_mem_alloc_async(sf_stream *stream, sf_mem_pool *pool_or_null, size_t bytes, void **ptr);
SF_API sf_result sf_mem_free_async(sf_stream *stream, void *ptr);
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
   that lives for the call. */
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
    uint64_t run;                            /* how many computes went before */
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

/* An operator's hook: receives, enqueues, emits, returns; never two at a time. SF_DONE ends the operator. Ports go
   by index, in the order of the desc. An error of a call below fails the compute even if nobody looks at it; from
   then on they return harmless stand-ins: an empty tensor, a NULL stream on which nothing can be launched. */
typedef sf_result (*sf_compute_func)(sf_context *ctx);

/* The five calls that most operators need. */
SF_API sf_tensor *sf_receive(sf_context *ctx, int port);             /* next message, lent; NULL: no more */
SF_API sf_stream *sf_compute_stream(sf_context *ctx);                /* the operator's own, ordered after all that it
                                                received so far; what it emits carries it */
SF_API sf_tensor *sf_tensor_create(sf_context *ctx, int port, const sf_tensor_desc *desc);   /* of the output's pool;
                                                NULL: port.bytes of SF_U8. Taken back unless emitted or retained */
SF_API sf_tensor *sf_tensor_like(sf_context *ctx, int port, const sf_tensor *like);
SF_API sf_result sf_emit(sf_context *ctx, int port, sf_tensor *tensor);      /* leaves with the compute's SF_OK */

/* Inline values: the fast path. */
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

/* Buffers that come from elsewhere, or outlive the compute. sf_set_deallocation_stream adds one more user to wait
   for; SF_IGNORED if the memory is not this library's to free. */
SF_API sf_tensor *sf_tensor_wrap(sf_flow *flow, const sf_tensor_desc *desc); /* yours: emit, push or release it */
SF_API sf_tensor *sf_tensor_retain(sf_tensor *tensor);
SF_API void sf_tensor_release(sf_tensor *tensor);
SF_API sf_result sf_set_deallocation_stream(sf_tensor *tensor, sf_stream *stream);

struct DLManagedTensor;                      /* dlpack.h completes it: included before, after, or never */
SF_API sf_tensor *sf_tensor_from_dlpack(sf_flow *flow, struct DLManagedTensor *managed);     /* takes it over */
SF_API struct DLManagedTensor *sf_tensor_to_dlpack(sf_tensor *tensor, sf_stream *consumer);  /* which waits for it */

/* What travels along. */
SF_API int64_t sf_get_timestamp(const sf_context *ctx, int port);    /* of the message last received; -1: none */
SF_API void sf_set_timestamp(sf_context *ctx, int64_t time);         /* default: that of the first message received */
SF_API bool sf_get_metadata(const sf_context *ctx, uint32_t key, sf_value *value);   /* merged from all received */
SF_API sf_result sf_set_metadata(sf_context *ctx, uint32_t key, sf_value value);

/* And the rest: dynamic flow (messages and turn go to the routed operators only; calls add up), failing with a
   reason, and, in the initialize hook only, the size of a port. */
SF_API sf_result sf_route(sf_context *ctx, sf_op downstream);
SF_API sf_result sf_fail(sf_context *ctx, sf_result code, const char *why);  /* return sf_fail(ctx, e, "no lens"); */
SF_API sf_result sf_set_port_bytes(sf_context *ctx, const char *port, size_t bytes);

/* >>operator ------------------------------------------------------------------------------------------ */

enum { SF_MAX_PORTS = 32 };                  /* on each side of an operator: a set of ports is one word */
enum { SF_DESC_PORTS = 8, SF_DESC_CONDITIONS = 4, SF_DESC_WORKERS = 8 };     /* room in descs; see sf_add_input() */

typedef struct sf_port {                     /* the first one without a name ends the list */
    const char *name;
    size_t bytes;                            /* in: expected payload, 0 any. out: block size of the port's own pool */
    void *data;                              /* out: one buffer of yours instead of a pool */
    sf_mem_pool *pool;                       /* out: default one of its own, sized by the flow at start */
    uint16_t capacity;                       /* in: messages an edge can hold; default 1, or batch */
    uint16_t batch;                          /* in: messages needed for a compute; default 1 */
    uint8_t memory;                          /* out: sf_memory of the port's own pool */
    bool optional;                           /* in: holds up no compute, need not be connected */
    bool many;                               /* in: any number of edges; one message of each, as connected */
    bool external;                           /* in: fed by sf_push(). Resident graph: the host's, in or out */
} sf_port;

/* An operator runs when all its conditions hold. Built in: messages on each required input, room and memory behind
   each output; naming a port in a MESSAGES, ROOM or MEMORY condition replaces the one built in. */
typedef enum sf_condition_kind {
    SF_CONDITION_NONE,
    SF_CONDITION_COUNT,                      /* `count` runs, then the operator stops */
    SF_CONDITION_PERIOD,                     /* every `ns` */
    SF_CONDITION_TIME,                       /* from `ns` on, on the flow's clock */
    SF_CONDITION_SIGNAL,                     /* as sf_signal() last said: pause, resume, a thread, an interrupt */
    SF_CONDITION_MESSAGES,                   /* `count` on `ports` together, or batch on each; or `ns` after the last
                                                run, even with none */
    SF_CONDITION_EXPIRING,                   /* `count` on `ports`, or the oldest is `ns` old */
    SF_CONDITION_ROOM,                       /* for `count` messages behind the outputs `ports` */
    SF_CONDITION_MEMORY,                     /* `count` blocks in the pools of the outputs `ports` */
    SF_CONDITION_STREAM,                     /* the GPU is done with all messages on `ports`: the CPU may look */
    SF_CONDITION_USER
} sf_condition_kind;

typedef enum sf_readiness { SF_WAIT, SF_READY, SF_NEVER } sf_readiness;      /* NEVER: the operator stops */
typedef enum sf_catch_up { SF_CATCH_UP_MISSED, SF_CATCH_UP_MIN_BETWEEN, SF_CATCH_UP_SKIP_MISSED } sf_catch_up;
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
    sf_compute_func initialize;              /* before memory is laid out: may fix the size of ports */
    sf_compute_func start, stop;             /* all starts before any compute, as added; stops in reverse */
    sf_stream_pool *streams;                 /* and with it the GPU; default the flow's */
    bool adopt_stream;                       /* has no stream of its own: works on the first one it receives */
    int32_t region;                          /* operators with the same number, not 0, that only receive, launch and
                                                emit: captured once, one CUDA graph launch per turn */
    int32_t workers;                         /* index into sf_flow_desc.workers */
    int32_t priority;                        /* among ready operators; lower is more urgent */
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
    bool control;                            /* hands over the turn, no message; port names are NULL */
} sf_edge_desc;

/* >>flow ---------------------------------------------------------------------------------------------- */

typedef enum sf_realtime { SF_REALTIME_NONE, SF_REALTIME_FIFO, SF_REALTIME_RR, SF_REALTIME_DEADLINE } sf_realtime;

typedef struct sf_workers {                  /* a group of threads; operators choose one */
    int32_t count;                           /* group 0: 0 is no thread at all, the caller's does the work */
    const char *name;
    const char *cpus;                        /* "0-3,8", as for taskset; default any */
    int64_t spin;                            /* looks for work so long before it sleeps; default 20 us, < 0 none */
    sf_realtime realtime;
    int32_t priority;                        /* FIFO, RR */
    int64_t runtime, deadline, period;       /* DEADLINE */
} sf_workers;

typedef enum sf_metadata_policy { SF_METADATA_UPDATE, SF_METADATA_REJECT, SF_METADATA_RAISE } sf_metadata_policy;
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
    struct {                                 /* required with `memory`. messages: capacities of all input ports */
        uint32_t ops, edges, messages;       /* together. streams: default one per operator if payload_bytes > 0 */
        size_t payload_bytes;                /* of all output pools together */
        uint32_t streams;
    } limits;
    sf_workers workers[SF_DESC_WORKERS];
    struct {                                 /* computes run on a task system of yours */
        void *(*enqueue)(void (*task)(void *arg), void *arg, void *user);    /* NULL: it has run already */
        void (*finish)(void *task, void *user);
        void *user;
    } jobs;
    struct {
        int64_t (*now)(void *user);
        void *user;
        bool simulated;                      /* jumps to the next timer when nothing can run */
    } clock;                                 /* default the system's monotonic clock */
    sf_stream_pool *streams;                 /* default: one of the flow's own */
    int64_t deadlock_timeout;                /* nothing can ever run: stop after it; default at once, < 0 never */
    int64_t max_duration;
    bool gxf_or;                             /* in `any` groups NEVER beats READY, as in GXF */
    sf_metadata_policy metadata;             /* two received messages bring the same key */
    uint32_t metadata_entries;               /* per message; default none */
    struct {
        bool latency, device_time;           /* per path; GPU time per operator, by timing events */
        uint32_t skip_first, discard_last;
        int64_t threshold;
    } track;
    uint32_t trace_events;                   /* ring for sf_flow_trace(); default none */
    struct {                                 /* data loggers, profilers; on the operator's thread */
        void (*func)(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user);
        void *user;
    } hook;
} sf_flow_desc;

SF_API sf_flow *sf_flow_create(const sf_flow_desc *desc);    /* NULL only if not even the flow itself fits */
SF_API sf_result sf_flow_destroy(sf_flow *flow);             /* stops it; returns the first error of its life */
SF_API size_t sf_flow_memory(const sf_flow_desc *desc);      /* bytes for desc.memory */

/* Port name NULL: the only one there. An input takes one edge, a `many` input any number; each edge has a queue of
   its own. sf_scope: names become "name/..." until sf_scope(flow, NULL): a subflow is a C function called in
   between. */
SF_API sf_op sf_add(sf_flow *flow, const sf_op_desc *desc);
SF_API int sf_add_input(sf_flow *flow, sf_op op, const sf_port *port);       /* more than the desc holds: its index */
SF_API int sf_add_output(sf_flow *flow, sf_op op, const sf_port *port);
SF_API sf_result sf_connect(sf_flow *flow, sf_op from, const char *output, sf_op to, const char *input,
                            const sf_edge_desc *desc);
SF_API void sf_scope(sf_flow *flow, const char *name);

/* Finds all that is wrong, without running and without a GPU, and writes it with the plan: order, memory, queues,
   streams, calls per message. text may be NULL. */
SF_API sf_result sf_flow_check(sf_flow *flow, bool json, sf_text_func text, void *user);

SF_API sf_result sf_run(sf_flow *flow);                      /* to its end; as often as you like */
SF_API sf_result sf_start(sf_flow *flow);                    /* checks everything, then runs in the background */
SF_API sf_result sf_wait(sf_flow *flow, int64_t timeout);    /* the result of the run, or SF_TIMEOUT */
SF_API sf_result sf_stop(sf_flow *flow);                     /* asks, from anywhere; sf_wait() tells when.
                                                Messages in queues are released unseen */
SF_API sf_result sf_flow_pause(sf_flow *flow, bool paused);
SF_API sf_result sf_op_stop(sf_flow *flow, sf_op op);        /* and who depends on it alone */
SF_API int64_t sf_now(const sf_flow *flow);                  /* its clock; of NULL: the system's */

/* A loop of your own: starts the flow if need be and runs at most one operator. SF_OK: it did. SF_IDLE: nothing to
   do before *wake (-1: before a push or a signal, and whoever sends one can wake you); wake may be NULL. SF_DONE: the
   flow has ended; the next call would start it again. */
SF_API sf_result sf_flow_step(sf_flow *flow, int64_t *wake);

/* From outside: any thread or interrupt, one at a time per port or condition; no lock, no allocation. Works from
   sf_flow_check() or the start on. SF_BUSY: the queue is full; then, and after an error, the tensor is still yours.
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
    uint64_t runs, errors;
    sf_latency cpu, device;                  /* of a compute; of the GPU work that it enqueued */
    char waits_for[96];                      /* in words; "" if it does not */
} sf_op_info;

typedef struct sf_edge_info {
    uint64_t messages, dropped, refused;     /* accepted; of these, thrown away later; never accepted */
    uint32_t queued, queued_high, capacity;
} sf_edge_info;

typedef struct sf_flow_info {
    bool running;
    uint32_t ops, edges, paths;
    uint64_t dropped;                        /* by edges, refused ones too, and emitted where no edge is */
    size_t memory_bytes, payload_bytes;      /* taken: for the flow and its queues; for tensors in its pools */
    sf_result result;                        /* of the first failure */
} sf_flow_info;

SF_API sf_result sf_flow_get_info(const sf_flow *flow, sf_flow_info *info);
SF_API sf_result sf_flow_get_path(const sf_flow *flow, uint32_t index, sf_latency *latency, char *name, size_t bytes);
SF_API sf_result sf_op_get_info(const sf_flow *flow, sf_op op, sf_op_info *info);
SF_API sf_result sf_op_get_edge_info(const sf_flow *flow, sf_op op, int input, int index, sf_edge_info *info);
SF_API const sf_failure *sf_flow_failure(const sf_flow *flow);
SF_API sf_result sf_flow_dot(const sf_flow *flow, sf_text_func text, void *user);    /* Graphviz, live counts */
SF_API sf_result sf_flow_trace(const sf_flow *flow, sf_text_func text, void *user);  /* JSON for Perfetto, Chrome */

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
    SFI_TEXT = 384,                          /* longest sentence */
    SFI_NAME = 48                            /* longest name of a stream, pool or flow */
#else
    SFI_SEEN = 8,
    SFI_TEXT = 160,
    SFI_NAME = 16
#endif
};

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
    return __atomic_compare_exchange_n(&a->v, &expected, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
/* The two sides of "I sleep unless there is news" need one total order of their accesses. */
static uint32_t sfi_load_ordered(sfi_atomic32 *a) { return __atomic_load_n(&a->v, __ATOMIC_SEQ_CST); }
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
static uint32_t sfi_load_ordered(sfi_atomic32 *a) { return sfi_load(a); }
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
typedef struct sfi_thread_state { bool in_host_func; const sf_flow *running; } sfi_thread_state;   /* of hooks */
SFI_THREAD_LOCAL sfi_thread_state sfi_this_thread;

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
    return timeout < 0 || timeout > SFI_NEVER - now ? SFI_NEVER : now + timeout;
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
static bool sfi_thread_is_self(sfi_thread t) { return pthread_equal(t, pthread_self()) != 0; }
static int32_t sfi_cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 2 ? 2 : n > 64 ? 64 : (int32_t)n;
}
static void sfi_yield(void) { sched_yield(); }
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
    while (a && b && *a && *a == *b) { a++, b++; }
    return a && b && *a == *b;
}
static void sfi_keep_name(char *dst, size_t size, const char *src)           /* truncated, never NULL */
{
    size_t n = sfi_length(src);
    if (n >= size) { n = size - 1; }
    if (n) { sfi_copy(dst, src, n); }
    dst[n] = 0;
}

typedef struct sfi_text { char *at, *end; } sfi_text;        /* end: room for the final zero */

static void sfi_put(sfi_text *t, const char *s, size_t n)
{
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
    t.at = buffer;
    t.end = buffer + size - 1;
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
    return (int32_t)result < 0 && (int32_t)result > -1000 ? "CUDA error: its code is the number without the sign"
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

/* A writer for reports: formats a piece and hands it on. */
typedef struct sfi_writer { sf_text_func func; void *user; } sfi_writer;
static void sfi_write(const sfi_writer *w, const char *format, ...)
{
    char buffer[SFI_TEXT];
    va_list args;
    sfi_text t = sfi_text_in(buffer, sizeof buffer);
    if (!w->func) { return; }
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
    if (logger->func) {
        logger->func("streamflow", level, (uint32_t)(item < 0 ? -item : item), text, 0, NULL, logger->user);
    }
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
    void *p = sfi_alloc(heap, bytes);
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

/* Doubles an array until it holds `count` items of `size` bytes. */
static bool sfi_grow(const sf_heap *heap, void **items, uint32_t *room, uint32_t count, size_t size)
{
    uint32_t bigger = *room ? *room : 8;
    void *copy;
    if (count <= *room) { return true; }
    while (bigger < count) { bigger *= 2; }
    copy = sfi_alloc(heap, bigger * size);
    if (!copy) { return false; }
    if (*room) { sfi_copy(copy, *items, *room * size); }
    sfi_zero((char *)copy + *room * size, (bigger - *room) * size);
    sfi_free(heap, *items);
    *items = copy;
    *room = bigger;
    return true;
}

/* One block for many arrays: a first pass with base NULL adds up, a second one hands out. */
typedef struct sfi_arena { char *base; size_t used; } sfi_arena;
static void *sfi_carve(sfi_arena *arena, size_t bytes)
{
    void *p = arena->base ? arena->base + arena->used : NULL;
    arena->used += SFI_ALIGN(bytes, 16);
    return p;
}

/* Objects of one size, never given back before their device: a stale handle can still be looked at, and says so. */
typedef struct sfi_slot { uint32_t tag; struct sfi_slot *next; } sfi_slot;   /* first member of every handle */
typedef struct sfi_slab { sfi_slot *free, *last; void *chunks; size_t size; uint32_t live, per_chunk; } sfi_slab;
enum {
    SFI_TAG_DEVICE = 0x5f0de01, SFI_TAG_STREAM = 0x5f57e02, SFI_TAG_EVENT = 0x5fe7e03,
    SFI_TAG_STREAM_POOL = 0x5f57b04, SFI_TAG_MEM_POOL = 0x5f3eb05, SFI_TAG_FLOW = 0x5ff1006
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

/* All of the library calls a device through one const table; the host's and CUDA's are in the next two sections and
   nowhere else. A function that takes a timeout returns SF_TIMEOUT when it passed. */
typedef struct sfi_rect { void *dst; const void *src; size_t dst_pitch, src_pitch, row_bytes, rows; } sfi_rect;
typedef struct sfi_backend {
    sf_result (*open)(sf_device *device, const sf_device_desc *desc);
    void (*close)(sf_device *device);
    sf_result (*enter)(sf_device *device, bool *entered);    /* makes the device the thread's current one ... */
    void (*leave)(sf_device *device, bool entered);          /* ... and the one before, again */
    sf_result (*get_info)(sf_device *device, sf_device_info *info);
    sf_result (*synchronize)(sf_device *device, int64_t timeout);
    sf_result (*reset)(sf_device *device);
    sf_result (*poll)(sf_device *device);

    sf_result (*stream_create)(sf_stream *stream);
    void (*stream_destroy)(sf_stream *stream);               /* gives the slot back when it has drained */
    sf_result (*stream_query)(sf_stream *stream);
    sf_result (*stream_synchronize)(sf_stream *stream, int64_t timeout);
    sf_result (*stream_wait)(sf_stream *stream, sf_event *event);

    sf_result (*event_create)(sf_event *event);
    void (*event_destroy)(sf_event *event);
    sf_result (*event_record)(sf_event *event, sf_stream *stream);
    sf_result (*event_query)(sf_event *event);
    sf_result (*event_synchronize)(sf_event *event, int64_t timeout);
    sf_result (*event_elapsed)(sf_event *start, sf_event *end, float *ms);

    sf_result (*alloc)(sf_device *device, size_t bytes, sf_memory memory, void **ptr);
    sf_result (*free)(sf_device *device, void *ptr, sf_memory memory);
    sf_result (*alloc_async)(sf_stream *stream, sf_mem_pool *pool, size_t bytes, void **ptr);
    sf_result (*free_async)(sf_stream *stream, void *ptr);
    sf_result (*device_pointer)(sf_device *device, void *pinned, void **ptr);
    sf_result (*pool_create)(sf_mem_pool *pool);
    void (*pool_destroy)(sf_mem_pool *pool);
    sf_result (*pool_trim)(sf_mem_pool *pool, size_t keep_bytes);

    sf_result (*set)(sf_stream *stream, void *dst, uint8_t value, size_t bytes);
    sf_result (*copy)(sf_stream *stream, const sfi_rect *rect);
    sf_result (*copy_peer)(sf_stream *stream, void *dst, sf_device *to, const void *src, sf_device *from, size_t n);
    sf_result (*prefetch)(sf_stream *stream, const void *ptr, size_t bytes, bool to_host);
    sf_result (*host_func)(sf_stream *stream, sf_host_func func, void *user, bool own);      /* own: the library's */
    sf_result (*launch)(sf_stream *stream, const sf_kernel *kernel, const void *args, size_t bytes);
} sfi_backend;

/* In the order of sf_counters. */
typedef enum sfi_counter {
    SFI_LAUNCHES, SFI_GRAPH_LAUNCHES, SFI_COPIES, SFI_EVENT_RECORDS, SFI_EVENT_WAITS, SFI_HOST_FUNCTIONS,
    SFI_SYNCHRONIZES, SFI_QUERIES, SFI_STREAM_CREATES, SFI_EVENT_CREATES, SFI_ALLOCATIONS, SFI_DEVICE_SWITCHES,
    SFI_LIVE_STREAMS, SFI_LIVE_EVENTS, SFI_LIVE_GRAPHS, SFI_LIVE_BYTES, SFI_COUNTERS
} sfi_counter;

/* What sf_mem_alloc() gave out: the kind is needed to free it, and a pointer that is not here was not ours. */
typedef struct sfi_allocation {
    struct sfi_allocation *next;
    void *ptr;
    size_t bytes;
    sf_memory memory;
    sf_mem_pool *pool;                       /* ASYNC: that counts it */
} sfi_allocation;
enum { SFI_ALLOCATION_LISTS = 16 };

struct sf_device {
    sfi_slot slot;
    const sfi_backend *backend;
    sf_heap heap;
    sf_logger logger;
    sfi_mutex lock;                          /* the slabs and lists below, failure, and a host device's queues */
    sfi_slab streams, events, stream_pools, mem_pools;
    sf_stream *first_stream;                 /* the live ones, and those that still drain */
    sf_stream *legacy;
    sfi_allocation *allocations[SFI_ALLOCATION_LISTS];
    uint64_t last_id;
    sfi_atomic64 counters[SFI_COUNTERS];
    sfi_atomic32 fault;                      /* CUDA's code of the fault that poisoned the device, or 0 */
    sfi_atomic32 flows;                      /* how many use it */
    sfi_atomic32 pins;                       /* 1 while open, 1 per wait of another device's stream for one here */
    sfi_failure failure;
    int32_t ordinal, priority_greatest;
    size_t memory_bytes;
    struct sfi_host *host;                   /* one of the two */
    struct sfi_cuda *cuda;
};

/* A host stream's commands stand in a ring of bytes, arguments behind each. A command's number never starts again,
   not even when the slot is used by another stream: so (stream, number) is a point in time that needs no owner. */
typedef enum sfi_queue_state {
    SFI_QUEUE_IDLE,
    SFI_QUEUE_READY,
    SFI_QUEUE_RUNNING,
    SFI_QUEUE_WAITING
} sfi_queue_state;
typedef struct sfi_queue {
    char *ring;
    size_t size, head, tail, limit;          /* limit: where the data ends before it goes on at 0 */
    uint32_t count, running;                 /* commands; slices of the first one that are being run */
    bool wrapped, again, zombie;             /* again: the first one said "not ready" */
    sfi_queue_state state;
    uint64_t enqueued;                       /* number of the last command */
    sfi_atomic64 done;                       /* of the last one that is complete */
    sf_stream *next, *previous;              /* in a list of ready streams */
    sf_stream *waiters, *next_waiter;        /* who waits for this one; the next of those */
    sf_stream *waits_for;
    uint64_t until;                          /* the command of waits_for */
    uint64_t rank;                           /* SF_ORDER_PCT */
} sfi_queue;

/* How flows order work across streams: numbered records into a ring of events. A slot of the ring that was recorded
   again since is a later point of the same stream, so waiting for it is right all the same. */
typedef struct sfi_seen { const sf_stream *stream; uint64_t number; } sfi_seen;
typedef struct sfi_order {
    sf_event **ring;
    uint32_t size;                           /* a power of two; 0: no ring yet */
    uint64_t number;                         /* of the last record; never starts again */
    uint64_t first;                          /* older numbers are not in the ring: it was replaced by a larger one */
    sfi_atomic64 complete;                   /* the newest that was seen complete */
    sfi_atomic32 busy;                       /* whoever releases a buffer, on any thread, may record here, too */
    sfi_seen seen[SFI_SEEN];                 /* later work here already waits for these */
    sf_result misuse;                        /* first error of a call on this stream, for the compute that made it */
} sfi_order;

struct sf_stream {
    sfi_slot slot;
    sf_device *device;
    void *native;
    uint64_t id;
    uint32_t flags, index;                   /* index: counts up on a device; ids are CUDA's, and need not */
    int32_t priority;
    bool wrapped;                            /* not ours to destroy */
    sf_stream *next_stream;
    sfi_queue queue;                         /* on a host device */
    sfi_order order;
    char name[SFI_NAME];
};

struct sf_event {
    sfi_slot slot;
    sf_device *device;
    void *native;
    uint32_t flags;
    bool recorded;
    sf_stream *stream;                       /* on a host device: the point of the last record, */
    uint64_t number;
    uint64_t stamp;                          /* which record that was, */
    int64_t time;                            /* and when it was reached */
};

/* A point in a stream's work: what sfi_order_record() numbered. Number 0: all that it holds when it is asked. */
typedef struct sfi_point { sf_stream *stream; uint64_t number; } sfi_point;

/* A bounded queue of numbers for any number of threads, without locks: each cell says whose turn it is. */
typedef struct sfi_cell { sfi_atomic32 turn; uint32_t value; } sfi_cell;
typedef struct sfi_ring { sfi_cell *cells; uint32_t mask; sfi_atomic32 in, out; } sfi_ring;

struct sfi_tensor;
struct sf_mem_pool {
    sfi_slot slot;
    sf_device *device;
    void *native;                            /* ASYNC: CUmemoryPool */
    sf_mem_pool_desc desc;
    void *memory;                            /* BLOCKS: one piece; NULL: the port's own buffer */
    struct sfi_tensor *blocks;               /* BLOCKS: a header for each */
    sfi_point *users;                        /* BLOCKS: user_room for each header */
    uint32_t user_room;
    sfi_ring free, pending;                  /* BLOCKS. pending: the GPU may still use them, the CPU must not */
    struct sfi_tensor *limbo;                /* without blocks: the same, a list under the device's lock */
    sf_stream *stream;                       /* stream-ordered memory: where frees go */
    sfi_atomic32 outstanding; /* tensors that somebody holds; destroyed meanwhile, the last one frees */
    bool zombie;
    sfi_atomic32 waiting;                    /* operators that wait for a block: */
    sfi_atomic32 busy;                       /* guards the list of them */
    struct sfi_subscriber *subscribers;
    sfi_atomic64 used, used_high, reserved_high;     /* bytes */
    uint64_t reserved;
};

static void sfi_count(sf_device *device, sfi_counter counter, uint64_t n)
{
    SFI_STEP("counter");
    sfi_add64(&device->counters[counter], n);
}

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
    sfi_log(&device->logger, 1, (int32_t)result, text);
    return result;
}

static void sfi_copy_failure(sf_device *device, char *text, size_t size)     /* another thread may be writing it */
{
    sfi_lock(&device->lock);
    sfi_keep_name(text, size, device->failure.text);
    sfi_unlock(&device->lock);
}

/* Every public call begins with one of these: handle, then place, then fault. */
static sf_result sfi_check_device(const sf_device *device)
{
    uint32_t fault;
    if (!device || device->slot.tag != SFI_TAG_DEVICE) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    fault = sfi_load(&device->fault);
    return fault ? (sf_result)(-(int32_t)fault) : SF_OK;
}
static sf_result sfi_check_stream(const sf_stream *stream)
{
    return stream && stream->slot.tag == SFI_TAG_STREAM ? sfi_check_device(stream->device) : SF_ERROR_INVALID_HANDLE;
}
static sf_result sfi_check_event(const sf_event *event)
{
    return event && event->slot.tag == SFI_TAG_EVENT ? sfi_check_device(event->device) : SF_ERROR_INVALID_HANDLE;
}
static const char *sfi_stream_name(const sf_stream *stream) { return stream->name[0] ? stream->name : "a stream"; }

/* A call on a stream that failed is remembered there too: a compute that ignores it fails all the same. */
static sf_result sfi_on_stream(sf_stream *stream, sf_result result)
{
    if (result < 0 && !stream->order.misuse) { stream->order.misuse = result; }
    return result;
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
    sf_stream **link = &device->first_stream;
    while (*link != stream) { link = &(*link)->next_stream; }
    *link = stream->next_stream;
    sfi_slab_give(&device->streams, &stream->slot);
}

/* >>host ---------------------------------------------------------------------------------------------- */

/* The CPU twin. A stream is a queue; its first command runs when what it waits for is done. No worker ever waits
   inside a command: a stream that cannot go on is put on the list of the stream that it waits for. One lock per
   device, held for a few list operations. */
typedef enum sfi_command_kind {
    SFI_COMMAND_LAUNCH, SFI_COMMAND_HOST_FUNC, SFI_COMMAND_COPY, SFI_COMMAND_SET,        /* run by a worker ... */
    SFI_COMMAND_WAIT, SFI_COMMAND_STAMP, SFI_COMMAND_FREE                                /* ... done on the spot */
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
        sfi_rect copy;
        struct { void *dst; size_t bytes; uint8_t value; } set;
        struct { sf_stream *stream; uint64_t number; } wait;
        struct { sf_event *event; uint64_t stamp; } stamp;
        void *free;
    } u;
} sfi_command;
#define SFI_COMMAND SFI_ALIGN(sizeof(sfi_command), 16)

typedef struct sfi_ready_list { sf_stream *first, *last; } sfi_ready_list;
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
    int32_t workers, sleeping, waiting;
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
static bool sfi_host_reached(const sf_stream *s, uint64_t number) { return sfi_load64(&s->queue.done) >= number; }
static sfi_command *sfi_host_first(const sf_stream *s)
{
    return (sfi_command *)(void *)(s->queue.ring + s->queue.head);
}
static void *sfi_host_args(sfi_command *c) { return (char *)c + SFI_COMMAND; }

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

/* -- lists of ready streams -- */

static void sfi_host_make_ready(sfi_host *h, sf_stream *s)
{
    sfi_ready_list *list = &h->ready[SFI_PRIORITIES - 1 + s->priority];
    s->queue.state = SFI_QUEUE_READY;
    s->queue.next = NULL;
    s->queue.previous = list->last;
    if (list->last) { list->last->queue.next = s; } else { list->first = s; }
    list->last = s;
    sfi_host_wake_workers(h, sfi_host_first(s)->slices > 1);
}
static void sfi_host_unready(sfi_host *h, sf_stream *s, sfi_queue_state state)
{
    sfi_ready_list *list = &h->ready[SFI_PRIORITIES - 1 + s->priority];
    sfi_queue *q = &s->queue;
    if (q->previous) { q->previous->queue.next = q->next; } else { list->first = q->next; }
    if (q->next) { q->next->queue.previous = q->previous; } else { list->last = q->previous; }
    q->next = q->previous = NULL;
    q->state = state;
}

/* -- completing commands -- */

static void sfi_device_unpin(sf_device *device);

/* The first command is complete. Streams that waited for it go onto *woken. */
static void sfi_host_pop(sf_stream *s, sf_stream **woken)
{
    sfi_queue *q = &s->queue;
    sf_stream **link = &q->waiters, *w;
    const sfi_command *c = sfi_host_first(s);
    if (c->kind == SFI_COMMAND_WAIT && c->u.wait.stream->device != s->device) {
        sfi_device_unpin(c->u.wait.stream->device);
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
static void sfi_host_stamp(sfi_host *h, const sfi_command *c)
{
    sf_event *e = c->u.stamp.event;
    if (e->stamp == c->u.stamp.stamp) { e->time = sfi_host_now(h); }
}

/* Does what needs no worker at the head of the queue; false: the first command waits for another stream. */
static bool sfi_host_settle(sf_stream *s, sf_stream **woken)
{
    sfi_host *h = s->device->host;
    while (s->queue.count) {
        sfi_command *c = sfi_host_first(s);
        sf_stream *other = c->u.wait.stream;
        if (c->kind < SFI_COMMAND_WAIT) { return true; }
        if (c->kind == SFI_COMMAND_WAIT && !sfi_host_reached(other, c->u.wait.number)) {
            if (other->device != s->device) { return true; } /* has a lock of its own: looked at again, as a try */
            s->queue.state = SFI_QUEUE_WAITING;
            s->queue.waits_for = other;
            s->queue.until = c->u.wait.number;
            s->queue.next_waiter = other->queue.waiters;
            other->queue.waiters = s;
            return false;
        }
        if (c->kind == SFI_COMMAND_STAMP) { sfi_host_stamp(h, c); }
        if (c->kind == SFI_COMMAND_FREE) { sfi_host_forget(s->device, c->u.free); }
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
        s->queue.state = SFI_QUEUE_IDLE;
        if (sfi_host_settle(s, &woken)) {
            if (s->queue.count) {
                sfi_host_make_ready(h, s);
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
    sfi_host_wake_waiters(h);
}

/* -- running commands -- */

static void sfi_host_poison(sf_device *device, sf_stream *s, const sf_kernel *kernel, int code)
{
    uint32_t fault = (uint32_t)(code < 0 ? -code : code);
    if (sfi_load(&device->fault)) { return; }
    (void)sfi_device_fail(device, (sf_result)(-(int32_t)fault), "sf_launch", kernel->name,
                          "the kernel returned %d on %s; the device takes no more work: sf_device_reset() frees it",
                          code, sfi_stream_name(s));
    (void)sfi_cas(&device->fault, 0, fault);                 /* who sees the fault finds the reason */
}

static int sfi_host_run(sf_device *device, sf_stream *s, sfi_command *c, int32_t slice)      /* lock not held */
{
    sf_slice part;
    size_t row;
    int code = 0;
    if (sfi_load(&device->fault)) { return 0; }
    switch (c->kind) {
    case SFI_COMMAND_LAUNCH:
        part.index = slice;
        part.count = (int32_t)c->slices;
        code = c->u.launch.kernel->host(&part, sfi_host_args(c));
        if (code && code != SF_NOT_READY) { sfi_host_poison(device, s, c->u.launch.kernel, code); }
        break;
    case SFI_COMMAND_HOST_FUNC:
        sfi_this_thread.in_host_func = true;
        c->u.host.func(c->u.host.user);
        sfi_this_thread.in_host_func = false;
        break;
    case SFI_COMMAND_COPY:
        for (row = 0; row < c->u.copy.rows; row++) {
            sfi_copy((char *)c->u.copy.dst + row * c->u.copy.dst_pitch,
                     (const char *)c->u.copy.src + row * c->u.copy.src_pitch, c->u.copy.row_bytes);
        }
        break;
    case SFI_COMMAND_SET: sfi_fill(c->u.set.dst, c->u.set.value, c->u.set.bytes); break;
    case SFI_COMMAND_WAIT: code = sfi_host_reached(c->u.wait.stream, c->u.wait.number) ? 0 : SF_NOT_READY; break;
    default: break;
    }
    return code;
}

/* Takes one slice of the first command of a ready stream, runs it, and sees what that completes. Lock held, given
   up meanwhile. False: the command said "not ready". */
static bool sfi_host_execute(sf_device *device, sf_stream *s, int32_t slice)
{
    sfi_host *h = device->host;
    sfi_command *c = sfi_host_first(s);
    int code;
    c->todo &= ~((uint64_t)1 << slice);
    s->queue.running++;
    if (!c->todo) { sfi_host_unready(h, s, SFI_QUEUE_RUNNING); }
    sfi_unlock(&device->lock);
    SFI_STEP("execute");
    code = sfi_host_run(device, s, c, slice);
    sfi_lock(&device->lock);
    if (!h->threaded) {
        int64_t ns = c->kind == SFI_COMMAND_LAUNCH ? c->u.launch.kernel->host_ns : 0;
        h->now += ns > 0 ? ns : 1000;
    }
    s->queue.running--;
    if (code == SF_NOT_READY && !sfi_load(&device->fault)) {
        c->todo |= (uint64_t)1 << slice;
        s->queue.again = true;
        if (s->queue.state == SFI_QUEUE_RUNNING) { sfi_host_make_ready(h, s); }
        return false;
    }
    s->queue.again = false;
    if (!c->todo && !s->queue.running) {
        sf_stream *woken = NULL, *next;
        sfi_host_pop(s, &woken);
        sfi_host_advance(s);
        for (; woken; woken = next) {
            next = woken->queue.next_waiter;
            woken->queue.next_waiter = NULL;
            sfi_host_advance(woken);
        }
    }
    return true;
}

static void sfi_host_new_round(sfi_host *h)                  /* all have said "not ready": each is asked once more */
{
    sf_stream *s;
    int32_t p;
    for (p = 0; p < SFI_PRIORITIES; p++) {
        for (s = h->ready[p].first; s; s = s->queue.next) { s->queue.again = false; }
    }
}

static int32_t sfi_lowest_bit(uint64_t bits)
{
    int32_t i = 0;
    while (!(bits & 1)) { bits >>= 1, i++; }
    return i;
}

#ifndef SF_NO_THREADS
/* The most urgent stream that has not said "not ready"; *fresh is false where all have, and a new round begins. */
static sf_stream *sfi_host_pick(sfi_host *h, bool *fresh)
{
    sf_stream *s, *first = NULL;
    int32_t p;
    *fresh = true;
    for (p = 0; p < SFI_PRIORITIES; p++) {
        for (s = h->ready[p].first; s; s = s->queue.next) {
            if (!s->queue.again) { return s; }
            if (!first) { first = s; }
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
        sf_stream *s = sfi_host_pick(h, &fresh);
        if (!s || (!fresh && tries > 64)) {                  /* asks again soon, but does not spin for ever */
            h->sleeping++;
            (void)sfi_cond_wait(&h->work, &device->lock, s ? sfi_clock() + 50000 : SFI_NEVER);
            h->sleeping--;
            tries = 0;
        } else if (sfi_host_execute(device, s, sfi_lowest_bit(sfi_host_first(s)->todo))) {
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

/* The candidates of a step, in the order of their streams' age. */
typedef struct sfi_choice { sf_stream *pick; uint32_t index, count; } sfi_choice;

static bool sfi_host_better(const sfi_host *h, const sf_stream *a, const sf_stream *b)
{
    if (h->order == SF_ORDER_REVERSE) { return sfi_host_first(a)->serial > sfi_host_first(b)->serial; }
    if (h->order == SF_ORDER_PCT && a->queue.rank != b->queue.rank) { return a->queue.rank > b->queue.rank; }
    return sfi_host_first(a)->serial < sfi_host_first(b)->serial;
}

/* What `s` cannot go on without. */
static sf_stream *sfi_host_needed(sf_stream *s)
{
    while (s && s->queue.state == SFI_QUEUE_WAITING) { s = s->queue.waits_for; }
    return s && s->queue.state == SFI_QUEUE_READY ? s : NULL;
}

/* The n-th ready stream, among all or, where one has not said "not ready", among those; the best one for n < 0. */
static sfi_choice sfi_host_scan(const sfi_host *h, bool fresh_only, int64_t n)
{
    sfi_choice c;
    sf_stream *s;
    int32_t p;
    c.pick = NULL;
    c.index = c.count = 0;
    for (p = 0; p < SFI_PRIORITIES; p++) {
        for (s = h->ready[p].first; s; s = s->queue.next) {
            if (fresh_only && s->queue.again) { continue; }
            if (n < 0 ? !c.pick || sfi_host_better(h, s, c.pick) : (int64_t)c.count == n) {
                c.pick = s;
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
    sf_stream *s;
    int32_t recalled;
    if (c.count < 2) { return c; }
    if (h->order == SF_ORDER_RANDOM) { return sfi_host_scan(h, false, (int64_t)(sfi_random(&h->random) % c.count)); }
    recalled = sfi_host_recall(h);
    if (recalled >= 0) { return sfi_host_scan(h, false, recalled % (int64_t)c.count); }
    s = h->order == SF_ORDER_LAZY ? sfi_host_needed(target) : NULL;
    if (!s || s->queue.again) {              /* others first: one of them may be what it waits for */
        fresh = sfi_host_scan(h, true, -1);
        if (fresh.pick) {
            s = fresh.pick;
        } else {
            sfi_host_new_round(h);
            s = sfi_host_scan(h, true, -1).pick;
            sfi_yield();
        }
    }
    for (c.index = 0; sfi_host_scan(h, false, c.index).pick != s; c.index++) {}
    c.pick = s;
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
        c.pick->queue.rank = 0;
    }
    first = sfi_host_first(c.pick);
    if (first->kind == SFI_COMMAND_WAIT) { other = first->u.wait.stream->device; }
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

static sf_result sfi_host_fault(const sf_device *device)
{
    uint32_t fault = sfi_load(&device->fault);
    return fault ? (sf_result)(-(int32_t)fault) : SF_OK;
}

/* Until command `number` of `s` is complete, run or, after a fault, skipped; or time is up. Lock held, given up
   meanwhile. */
static sf_result sfi_host_wait_until(sf_stream *s, uint64_t number, int64_t deadline)
{
    sf_device *device = s->device;
    sfi_host *h = device->host;
    bool helped = h->threaded;               /* without threads even a deadline of now runs something */
    while (!sfi_host_reached(s, number)) {
        if (helped && sfi_host_now(h) >= deadline) { return SF_TIMEOUT; }
#ifndef SF_NO_THREADS
        if (h->threaded) {
            h->waiting++;
            (void)sfi_cond_wait(&h->done, &device->lock, deadline);
            h->waiting--;
            continue;
        }
#endif
        if (!sfi_host_step(device, s)) { return SF_ERROR_DEADLOCK; }
        helped = true;
    }
    return SF_OK;
}

/* A poll is a chance to run for whoever has no threads. */
static void sfi_host_help(sf_device *device, sf_stream *target)
{
    if (!device->host->threaded) { (void)sfi_host_step(device, target); }
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
        r = sfi_host_wait_until(s, sfi_load64(&q->done) + 1, SFI_NEVER);
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
static void sfi_host_enqueue(sf_stream *s, const sfi_command *c)
{
    sfi_queue *q = &s->queue;
    q->tail += c->bytes;
    q->enqueued++;
    if (q->count++ == 0) { sfi_host_advance(s); }
}
static sf_result sfi_host_enqueue_wait(sf_stream *s, sf_stream *other, uint64_t number)
{
    sfi_command *c;
    sf_result r;
    if (other == s || sfi_host_reached(other, number)) { return SF_OK; }
    r = sfi_host_command(s, SFI_COMMAND_WAIT, 0, &c);
    if (r < 0) { return r; }
    c->u.wait.stream = other;
    c->u.wait.number = number;
    if (other->device != s->device) { (void)sfi_add(&other->device->pins, 1); }
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
        return sfi_host_enqueue_wait(s, device->legacy, device->legacy->queue.enqueued);
    }
    for (other = device->first_stream; other && r >= 0; other = other->next_stream) {
        if (!(other->flags & SF_STREAM_NON_BLOCKING)) { r = sfi_host_enqueue_wait(s, other, other->queue.enqueued); }
    }
    return r;
}
static sf_result sfi_host_begin(sf_stream *s, sfi_command_kind kind, size_t args, sfi_command **command)
{
    sf_result r;
    sfi_lock(&s->device->lock);
    r = sfi_host_implicit(s);
    if (r >= 0) { r = sfi_host_command(s, kind, args, command); }
    if (r < 0) { sfi_unlock(&s->device->lock); }
    return r;
}
static sf_result sfi_host_end(sf_stream *s, const sfi_command *c)
{
    sfi_host_enqueue(s, c);
    sfi_unlock(&s->device->lock);
    return SF_OK;
}

/* -- the table's functions -- */

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

static sf_result sfi_host_synchronize(sf_device *device, int64_t timeout)
{
    int64_t deadline = sfi_deadline(sfi_host_now(device->host), timeout);
    sf_result r = SF_OK;
    sf_stream *s;
    uint64_t serial;
    sfi_lock(&device->lock);
    serial = device->host->serial;           /* what is enqueued from now on is not waited for */
    for (s = device->first_stream; s && r == SF_OK;) {
        uint64_t last = s->queue.enqueued;
        if (s->queue.count && sfi_host_first(s)->serial <= serial && !sfi_host_reached(s, last)) {
            r = sfi_host_wait_until(s, last, deadline);
            s = device->first_stream;        /* the list may have changed meanwhile */
        } else {
            s = s->next_stream;
        }
    }
    sfi_unlock(&device->lock);
    return r ? r : sfi_host_fault(device);
}

static sf_result sfi_host_reset(sf_device *device)
{
    sf_stream *s;
    sf_result r;
    r = sfi_host_synchronize(device, SF_FOREVER);            /* poisoned commands complete without running */
    if (r == SF_ERROR_DEADLOCK) { return r; }
    sfi_store(&device->fault, 0);
    sfi_lock(&device->lock);
    for (s = device->first_stream; s; s = s->next_stream) { s->order.misuse = SF_OK; }
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

static sf_result sfi_host_stream_create(sf_stream *s)
{
    sfi_host *h = s->device->host;
    sfi_queue *q = &s->queue;
    SF_ASSERT(!q->count && !q->waiters);
    q->head = q->tail = q->running = 0;
    q->wrapped = q->again = q->zombie = false;
    q->state = SFI_QUEUE_IDLE;
    sfi_lock(&s->device->lock);
    q->rank = 1 + (sfi_random(&h->random) >> 1);
    sfi_unlock(&s->device->lock);
    return sfi_heap_is_range(&s->device->heap) ? SF_OK : sfi_host_make_ring(s);      /* there: when it is used */
}
static void sfi_host_stream_destroy(sf_stream *s)            /* lock held */
{
    if (s->queue.count) { s->queue.zombie = true; } else { sfi_stream_release(s); }
}

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
    busy = sfi_host_busy(s);
    if (busy) {
        sfi_host_help(s->device, busy);
        busy = sfi_host_busy(s);
    }
    r = busy ? SF_NOT_READY : SF_OK;
    sfi_unlock(&s->device->lock);
    return r ? r : sfi_host_fault(s->device);
}
static sf_result sfi_host_stream_synchronize(sf_stream *s, int64_t timeout)
{
    int64_t deadline = sfi_deadline(sfi_host_now(s->device->host), timeout);
    sf_result r = SF_OK;
    sf_stream *busy;
    sfi_lock(&s->device->lock);
    if (s == s->device->legacy) {
        while (r == SF_OK && (busy = sfi_host_busy(s)) != NULL) {
            r = sfi_host_wait_until(busy, busy->queue.enqueued, deadline);
        }
    } else {
        r = sfi_host_wait_until(s, s->queue.enqueued, deadline);
    }
    sfi_unlock(&s->device->lock);
    return r ? r : sfi_host_fault(s->device);
}
static sf_result sfi_host_stream_wait(sf_stream *s, sf_event *e)
{
    sf_stream *other;
    uint64_t number;
    sf_result r;
    sfi_lock(&e->device->lock);              /* another device's, perhaps: never both at once */
    other = e->recorded ? e->stream : s;
    number = e->number;
    sfi_unlock(&e->device->lock);
    sfi_lock(&s->device->lock);
    r = sfi_host_enqueue_wait(s, other, number);
    sfi_unlock(&s->device->lock);
    return r;
}

static sf_result sfi_host_event_create(sf_event *e) { return (void)e, SF_OK; }
static void sfi_host_event_destroy(sf_event *e) { e->stamp = ++e->device->host->stamp; }      /* lock held */
static sf_result sfi_host_event_record(sf_event *e, sf_stream *s)
{
    sf_device *device = s->device;
    sfi_command *c = NULL;
    sf_result r;
    sfi_lock(&device->lock);
    r = sfi_host_implicit(s);
    if (r >= 0 && !(e->flags & SF_EVENT_DISABLE_TIMING)) { r = sfi_host_command(s, SFI_COMMAND_STAMP, 0, &c); }
    if (r >= 0) {
        e->stamp = ++device->host->stamp;
        e->recorded = true;
        e->stream = s;
        if (c) {
            c->u.stamp.event = e;
            c->u.stamp.stamp = e->stamp;
            sfi_host_enqueue(s, c);
        }
        e->number = s->queue.enqueued;
    }
    sfi_unlock(&device->lock);
    return r;
}
static sf_result sfi_host_event_query(sf_event *e)
{
    bool done;
    sfi_lock(&e->device->lock);
    if (e->recorded && !sfi_host_reached(e->stream, e->number)) { sfi_host_help(e->device, e->stream); }
    done = !e->recorded || sfi_host_reached(e->stream, e->number);
    sfi_unlock(&e->device->lock);
    return done ? sfi_host_fault(e->device) : SF_NOT_READY;
}
static sf_result sfi_host_event_synchronize(sf_event *e, int64_t timeout)
{
    int64_t deadline = sfi_deadline(sfi_host_now(e->device->host), timeout);
    sf_result r = SF_OK;
    sfi_lock(&e->device->lock);
    if (e->recorded) { r = sfi_host_wait_until(e->stream, e->number, deadline); }
    sfi_unlock(&e->device->lock);
    return r ? r : sfi_host_fault(e->device);
}
static sf_result sfi_host_event_elapsed(sf_event *start, sf_event *end, float *ms)
{
    sf_result r = SF_OK;
    sfi_lock(&start->device->lock);
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & SF_EVENT_DISABLE_TIMING)) {
        r = SF_ERROR_INVALID_HANDLE;
    } else if (!sfi_host_reached(start->stream, start->number) || !sfi_host_reached(end->stream, end->number)) {
        r = SF_NOT_READY;
    } else {
        *ms = (float)((double)(end->time - start->time) * 1e-6);
    }
    sfi_unlock(&start->device->lock);
    return r;
}

/* Memory carries the pointer that its heap gave, and is aligned as CUDA's is, within reason. */
enum { SFI_HOST_ALIGN = 64 };
static sf_result sfi_host_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr)
{
    char *raw, *p;
    (void)memory;
    if (bytes > device->memory_bytes ||
        sfi_load64(&device->counters[SFI_LIVE_BYTES]) > (uint64_t)(device->memory_bytes - bytes)) {
        return SF_ERROR_OUT_OF_MEMORY;
    }
    raw = (char *)sfi_alloc(&device->heap, bytes + SFI_HOST_ALIGN + sizeof(void *));
    if (!raw) { return SF_ERROR_OUT_OF_MEMORY; }
    p = raw + sizeof(void *);
    p += (size_t)(0 - (uintptr_t)p) & (SFI_HOST_ALIGN - 1);
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
static sf_result sfi_host_alloc_async(sf_stream *s, sf_mem_pool *pool, size_t bytes, void **ptr)
{
    (void)pool;
    return sfi_host_alloc(s->device, bytes, SF_MEMORY_DEVICE, ptr);
}
static sf_result sfi_host_free_async(sf_stream *s, void *ptr)
{
    sfi_command *c;
    sf_result r = sfi_host_begin(s, SFI_COMMAND_FREE, 0, &c);
    if (r < 0) { return r; }
    c->u.free = ptr;
    return sfi_host_end(s, c);
}
static sf_result sfi_host_device_pointer(sf_device *device, void *pinned, void **ptr)
{
    return (void)device, *ptr = pinned, SF_OK;
}
static sf_result sfi_host_pool_create(sf_mem_pool *pool) { return (void)pool, SF_OK; }
static void sfi_host_pool_destroy(sf_mem_pool *pool) { (void)pool; }
static sf_result sfi_host_pool_trim(sf_mem_pool *pool, size_t keep_bytes)
{
    return (void)pool, (void)keep_bytes, SF_OK;
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
static sf_result sfi_host_launch(sf_stream *s, const sf_kernel *kernel, const void *args, size_t bytes)
{
    int32_t slices = kernel->slices < 1 ? 1 : kernel->slices > SFI_MAX_SLICES ? SFI_MAX_SLICES : kernel->slices;
    sfi_command *c;
    sf_result r;
    if (!kernel->host) {
        return sfi_device_fail(s->device, SF_ERROR_NOT_SUPPORTED, "sf_launch", kernel->name,
                               "the kernel has no host body: set sf_kernel.host, or use a CUDA device");
    }
    r = sfi_host_begin(s, SFI_COMMAND_LAUNCH, bytes, &c);
    if (r < 0) { return r; }
    c->u.launch.kernel = kernel;
    c->slices = (uint32_t)slices;
    c->todo = slices == SFI_MAX_SLICES ? ~(uint64_t)0 : ((uint64_t)1 << slices) - 1;
    if (bytes) { sfi_copy(sfi_host_args(c), args, bytes); }
    return sfi_host_end(s, c);
}

static const sfi_backend sfi_host_backend = {
    sfi_host_open, sfi_host_close, sfi_host_enter, sfi_host_leave, sfi_host_get_info, sfi_host_synchronize,
    sfi_host_reset, sfi_host_poll,
    sfi_host_stream_create, sfi_host_stream_destroy, sfi_host_stream_query, sfi_host_stream_synchronize,
    sfi_host_stream_wait,
    sfi_host_event_create, sfi_host_event_destroy, sfi_host_event_record, sfi_host_event_query,
    sfi_host_event_synchronize, sfi_host_event_elapsed,
    sfi_host_alloc, sfi_host_free, sfi_host_alloc_async, sfi_host_free_async, sfi_host_device_pointer,
    sfi_host_pool_create, sfi_host_pool_destroy, sfi_host_pool_trim,
    sfi_host_set, sfi_host_copy, sfi_host_copy_peer, sfi_host_prefetch, sfi_host_host_func, sfi_host_launch,
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
    X(event_elapsed_time, "cuEventElapsedTime", (float *, void *, void *))
#define SFI_CUDA_OPTIONAL(X)                                                                                    \
    X(stream_get_id, "cuStreamGetId", (void *, unsigned long long *))                                           \
    X(mem_prefetch_async, "cuMemPrefetchAsync", (sfi_cuda_ptr, size_t, int, void *))                            \
    X(mem_alloc_async, "cuMemAllocAsync", (sfi_cuda_ptr *, size_t, void *))                                     \
    X(mem_free_async, "cuMemFreeAsync", (sfi_cuda_ptr, void *))                                                 \
    X(mem_alloc_from_pool_async, "cuMemAllocFromPoolAsync", (sfi_cuda_ptr *, size_t, void *, void *))           \
    X(mem_pool_create, "cuMemPoolCreate", (void **, const sfi_cuda_pool_props *))                               \
    X(mem_pool_destroy, "cuMemPoolDestroy", (void *))                                                           \
    X(mem_pool_set_attribute, "cuMemPoolSetAttribute", (void *, int, void *))                                   \
    X(mem_pool_trim, "cuMemPoolTrimTo", (void *, size_t))

enum {
    SFI_CUDA_NOT_READY = 600, SFI_CUDA_ATTRIBUTE_MULTIPROCESSORS = 16, SFI_CUDA_ATTRIBUTE_MAJOR = 75,
    SFI_CUDA_ATTRIBUTE_MINOR = 76, SFI_CUDA_HOST_PORTABLE_MAPPED = 3, SFI_CUDA_ATTACH_GLOBAL = 1,
    SFI_CUDA_MEMORY_UNIFIED = 4, SFI_CUDA_POOL_FOLLOW_EVENT = 1, SFI_CUDA_POOL_OPPORTUNISTIC = 2,
    SFI_CUDA_POOL_INTERNAL_WAIT = 3, SFI_CUDA_POOL_THRESHOLD = 4
};

typedef struct sfi_cuda {
#define X(field, symbol, params) int(*field) params;
    SFI_CUDA_REQUIRED(X)
    SFI_CUDA_OPTIONAL(X)
#undef X
    void *library;
    int device, version;
    void *context;
} sfi_cuda;

/* After one of these the context is lost: CUDA returns it from every call until the process ends. */
static bool sfi_cuda_is_fault(int code)
{
    return code == 214 || code == 700 || code == 702 || code == 709 || code == 710 || (code >= 714 && code <= 721);
}

static sf_result sfi_cuda_fail(sf_device *device, int code, const char *call, const char *where)
{
    const char *name = NULL, *text = NULL;
    if (sfi_cuda_is_fault(code) && sfi_load(&device->fault)) { return (sf_result)-code; }
    (void)device->cuda->get_error_name(code, &name);
    (void)device->cuda->get_error_string(code, &text);
    (void)sfi_device_fail(device, (sf_result)-code, call, where, "%s, %s%s", name ? name : "CUDA error",
                           text ? text : "unknown",
                           sfi_cuda_is_fault(code) ? "; the GPU context is lost, start a new process" : "");
    if (sfi_cuda_is_fault(code)) { (void)sfi_cas(&device->fault, 0, (uint32_t)code); }
    return (sf_result)-code;
}

/* CUDA's code as ours. `call` is the public function, `where` what to blame. */
static sf_result sfi_cuda_result(sf_device *device, int code, const char *call, const char *where)
{
    if (code == 0) { return SF_OK; }
    return code == SFI_CUDA_NOT_READY ? SF_NOT_READY : sfi_cuda_fail(device, code, call, where);
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

static sf_result sfi_cuda_enter(sf_device *device, bool *entered)
{
    sfi_cuda *cu = device->cuda;
    void *current = NULL;
    int code;
    *entered = false;
    if (cu->context_get_current(&current) == 0 && current == cu->context) { return SF_OK; }
    code = cu->context_push(cu->context);
    if (code) { return sfi_cuda_result(device, code, "cuCtxPushCurrent", NULL); }
    *entered = true;
    sfi_count(device, SFI_DEVICE_SWITCHES, 1);
    return SF_OK;
}
static void sfi_cuda_leave(sf_device *device, bool entered)
{
    void *popped;
    if (entered) { (void)device->cuda->context_pop(&popped); }
}

/* For calls that need the context: wraps one driver call. */
#define SFI_CUDA_IN_CONTEXT(device, code, expression)                                                           \
    do {                                                                                                        \
        bool entered_;                                                                                          \
        sf_result enter_ = sfi_cuda_enter(device, &entered_);                                                   \
        if (enter_ < 0) { return enter_; }                                                                      \
        code = (expression);                                                                                    \
        sfi_cuda_leave(device, entered_);                                                                       \
    } while (0)

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

static void sfi_cuda_close(sf_device *device)
{
    sfi_cuda *cu = device->cuda;
    if (!cu) { return; }
    if (cu->context) { (void)cu->context_release(cu->device); }
    if (cu->library) { (void)dlclose(cu->library); }
    sfi_free(&device->heap, cu);
    device->cuda = NULL;
}
static sf_result sfi_cuda_open(sf_device *device, const sf_device_desc *desc)
{
    sf_result r;
    device->cuda = (sfi_cuda *)sfi_alloc_zeroed(&device->heap, sizeof *device->cuda);
    if (!device->cuda) { return SF_ERROR_OUT_OF_MEMORY; }
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
    if (timeout < 0) { return sfi_cuda_result(device, wait(handle), call, where); }
    start = sfi_clock();
    deadline = sfi_deadline(start, timeout);
    while ((code = query(handle)) == SFI_CUDA_NOT_READY) {
        int64_t now = sfi_clock();
        if (now >= deadline) { return SF_TIMEOUT; }
        if (now - start > 100000) { sfi_sleep(deadline - now < 20000 ? deadline - now : 20000); }
    }
    return sfi_cuda_result(device, code, call, where);
}
static sf_result sfi_cuda_synchronize(sf_device *device, int64_t timeout)
{
    sfi_cuda *cu = device->cuda;
    int64_t deadline = sfi_deadline(sfi_clock(), timeout);
    const sf_stream *s;
    bool entered;
    int code;
    sf_result r = sfi_cuda_enter(device, &entered);
    if (r < 0) { return r; }
    if (timeout < 0) {
        r = sfi_cuda_result(device, cu->context_synchronize(), "sf_device_synchronize", NULL);
    } else {
        for (;;) {                           /* asks our streams: the driver has no such call with a deadline */
            code = 0;
            sfi_lock(&device->lock);         /* none is destroyed meanwhile */
            for (s = device->first_stream; s && !code; s = s->next_stream) { code = cu->stream_query(s->native); }
            sfi_unlock(&device->lock);
            r = sfi_cuda_result(device, code, "sf_device_synchronize", NULL);
            if (r != SF_NOT_READY) { break; }
            r = SF_TIMEOUT;
            if (sfi_clock() >= deadline) { break; }
            sfi_sleep(20000);
        }
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

/* The default stream's handle has no context of its own: the device must be current. */
#define SFI_CUDA_ON(stream, code, expression)                                                                   \
    do {                                                                                                        \
        if ((stream) == (stream)->device->legacy) {                                                             \
            SFI_CUDA_IN_CONTEXT((stream)->device, code, expression);                                            \
        } else {                                                                                                \
            code = (expression);                                                                                \
        }                                                                                                       \
    } while (0)

static sf_result sfi_cuda_stream_create(sf_stream *s)
{
    sf_device *device = s->device;
    int code;
    unsigned long long id = 0;
    SFI_CUDA_IN_CONTEXT(device, code, device->cuda->stream_create(&s->native, s->flags, s->priority));
    if (!code && device->cuda->stream_get_id && !device->cuda->stream_get_id(s->native, &id)) { s->id = id; }
    return sfi_cuda_result(device, code, "sf_stream_create", s->name);
}
static void sfi_cuda_stream_destroy(sf_stream *s)
{
    if (!s->wrapped && s->native) { (void)s->device->cuda->stream_destroy(s->native); }
    sfi_stream_release(s);
}
static sf_result sfi_cuda_stream_query(sf_stream *s)
{
    int code;
    SFI_CUDA_ON(s, code, s->device->cuda->stream_query(s->native));
    return sfi_cuda_result(s->device, code, "sf_stream_query", sfi_stream_name(s));
}
static sf_result sfi_cuda_stream_synchronize(sf_stream *s, int64_t timeout)
{
    sfi_cuda *cu = s->device->cuda;
    sf_result r;
    bool entered;
    r = sfi_cuda_enter(s->device, &entered);
    if (r < 0) { return r; }
    r = sfi_cuda_wait(s->device, cu->stream_query, cu->stream_synchronize, s->native, timeout,
                      "sf_stream_synchronize", sfi_stream_name(s));
    sfi_cuda_leave(s->device, entered);
    return r;
}
static sf_result sfi_cuda_stream_wait(sf_stream *s, sf_event *e)
{
    int code;
    SFI_CUDA_ON(s, code, s->device->cuda->stream_wait_event(s->native, e->native, 0));
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
static sf_result sfi_cuda_event_record(sf_event *e, sf_stream *s)
{
    int code;
    SFI_CUDA_ON(s, code, s->device->cuda->event_record(e->native, s->native));
    if (!code) { e->recorded = true; }
    return sfi_cuda_result(s->device, code, "sf_event_record", sfi_stream_name(s));
}
static sf_result sfi_cuda_event_query(sf_event *e)
{
    return sfi_cuda_result(e->device, e->device->cuda->event_query(e->native), "sf_event_query", NULL);
}
static sf_result sfi_cuda_event_synchronize(sf_event *e, int64_t timeout)
{
    sfi_cuda *cu = e->device->cuda;
    return sfi_cuda_wait(e->device, cu->event_query, cu->event_synchronize, e->native, timeout,
                         "sf_event_synchronize", NULL);
}
static sf_result sfi_cuda_event_elapsed(sf_event *start, sf_event *end, float *ms)
{
    int code;
    if (!start->recorded || !end->recorded) { return SF_ERROR_INVALID_HANDLE; }
    code = start->device->cuda->event_elapsed_time(ms, start->native, end->native);
    return sfi_cuda_result(start->device, code, "sf_event_elapsed_ms", NULL);
}

static sf_result sfi_cuda_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr)
{
    sfi_cuda *cu = device->cuda;
    sfi_cuda_ptr p = 0;
    int code;
    switch (memory) {
    case SF_MEMORY_DEVICE:
        SFI_CUDA_IN_CONTEXT(device, code, cu->mem_alloc(&p, bytes));
        *ptr = (void *)(uintptr_t)p;
        break;
    case SF_MEMORY_PINNED:
        SFI_CUDA_IN_CONTEXT(device, code, cu->mem_host_alloc(ptr, bytes, SFI_CUDA_HOST_PORTABLE_MAPPED));
        break;
    case SF_MEMORY_MANAGED:
        SFI_CUDA_IN_CONTEXT(device, code, cu->mem_alloc_managed(&p, bytes, SFI_CUDA_ATTACH_GLOBAL));
        *ptr = (void *)(uintptr_t)p;
        break;
    default: return sfi_host_alloc(device, bytes, memory, ptr);
    }
    return sfi_cuda_result(device, code, "sf_mem_alloc", NULL);
}
static sf_result sfi_cuda_free(sf_device *device, void *ptr, sf_memory memory)
{
    int code;
    if (memory == SF_MEMORY_HOST) { return sfi_host_free(device, ptr, memory); }
    if (memory == SF_MEMORY_PINNED) {
        SFI_CUDA_IN_CONTEXT(device, code, device->cuda->mem_host_free(ptr));
    } else {
        SFI_CUDA_IN_CONTEXT(device, code, device->cuda->mem_free((sfi_cuda_ptr)(uintptr_t)ptr));
    }
    return sfi_cuda_result(device, code, "sf_mem_free", NULL);
}
static sf_result sfi_cuda_missing(sf_device *device, const char *call, const char *symbol)
{
    return sfi_device_fail(device, SF_ERROR_NOT_SUPPORTED, call, NULL, "the CUDA driver has no %s", symbol);
}
static sf_result sfi_cuda_alloc_async(sf_stream *s, sf_mem_pool *pool, size_t bytes, void **ptr)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_ptr p = 0;
    int code;
    if (!cu->mem_alloc_async || !cu->mem_alloc_from_pool_async) {
        return sfi_cuda_missing(s->device, "sf_mem_alloc_async", "cuMemAllocAsync");
    }
    SFI_CUDA_IN_CONTEXT(s->device, code,
                        pool && pool->native ? cu->mem_alloc_from_pool_async(&p, bytes, pool->native, s->native)
                                             : cu->mem_alloc_async(&p, bytes, s->native));
    *ptr = (void *)(uintptr_t)p;
    return sfi_cuda_result(s->device, code, "sf_mem_alloc_async", sfi_stream_name(s));
}
static sf_result sfi_cuda_free_async(sf_stream *s, void *ptr)
{
    sfi_cuda *cu = s->device->cuda;
    int code;
    if (!cu->mem_free_async) { return sfi_cuda_missing(s->device, "sf_mem_free_async", "cuMemFreeAsync"); }
    SFI_CUDA_IN_CONTEXT(s->device, code, cu->mem_free_async((sfi_cuda_ptr)(uintptr_t)ptr, s->native));
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
    int code, off = 0;
    if (!cu->mem_pool_create || !cu->mem_pool_destroy || !cu->mem_pool_set_attribute) {
        return sfi_cuda_missing(device, "sf_mem_pool_create", "cuMemPoolCreate");
    }
    sfi_zero(&props, sizeof props);
    props.type = 1;                          /* pinned, */
    props.location.type = 1;                 /* on a device */
    props.location.id = cu->device;
    props.max_bytes = pool->desc.max_bytes;
    SFI_CUDA_IN_CONTEXT(device, code, cu->mem_pool_create(&pool->native, &props));
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
    return sfi_cuda_result(device, code, "sf_mem_pool_create", NULL);
}
static void sfi_cuda_pool_destroy(sf_mem_pool *pool)
{
    if (pool->native) { (void)pool->device->cuda->mem_pool_destroy(pool->native); }
}
static sf_result sfi_cuda_pool_trim(sf_mem_pool *pool, size_t keep_bytes)
{
    sfi_cuda *cu = pool->device->cuda;
    if (!cu->mem_pool_trim) { return sfi_cuda_missing(pool->device, "sf_mem_pool_trim", "cuMemPoolTrimTo"); }
    return sfi_cuda_result(pool->device, cu->mem_pool_trim(pool->native, keep_bytes), "sf_mem_pool_trim", NULL);
}

static sf_result sfi_cuda_set(sf_stream *s, void *dst, uint8_t value, size_t bytes)
{
    int code;
    SFI_CUDA_IN_CONTEXT(s->device, code,
                        s->device->cuda->memset_async((sfi_cuda_ptr)(uintptr_t)dst, value, bytes, s->native));
    return sfi_cuda_result(s->device, code, "sf_memset_async", sfi_stream_name(s));
}
static sf_result sfi_cuda_copy(sf_stream *s, const sfi_rect *rect)
{
    sfi_cuda *cu = s->device->cuda;
    sfi_cuda_ptr dst = (sfi_cuda_ptr)(uintptr_t)rect->dst, src = (sfi_cuda_ptr)(uintptr_t)rect->src;
    sfi_cuda_copy_2d copy;
    int code;
    if (rect->rows == 1) {
        SFI_CUDA_IN_CONTEXT(s->device, code, cu->memcpy_async(dst, src, rect->row_bytes, s->native));
        return sfi_cuda_result(s->device, code, "sf_memcpy_async", sfi_stream_name(s));
    }
    sfi_zero(&copy, sizeof copy);
    copy.src_type = copy.dst_type = SFI_CUDA_MEMORY_UNIFIED;
    copy.src = src;
    copy.src_pitch = rect->src_pitch;
    copy.dst = dst;
    copy.dst_pitch = rect->dst_pitch;
    copy.width = rect->row_bytes;
    copy.height = rect->rows;
    SFI_CUDA_IN_CONTEXT(s->device, code, cu->memcpy_2d_async(&copy, s->native));
    return sfi_cuda_result(s->device, code, "sf_memcpy_2d_async", sfi_stream_name(s));
}
static sf_result sfi_cuda_copy_peer(sf_stream *s, void *dst, sf_device *to, const void *src, sf_device *from,
                                    size_t n)
{
    int code;
    SFI_CUDA_IN_CONTEXT(s->device, code,
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
    SFI_CUDA_IN_CONTEXT(s->device, code,
                        cu->mem_prefetch_async((sfi_cuda_ptr)(uintptr_t)ptr, bytes,
                                               to_host ? -1 : cu->device, s->native));
    return sfi_cuda_result(s->device, code, "sf_mem_prefetch_async", sfi_stream_name(s));
}

/* A host function of the user's, wrapped so that library calls in it are refused as on the host. Freed by itself. */
typedef struct sfi_cuda_host_call { sf_host_func func; void *user; sf_heap heap; } sfi_cuda_host_call;
static void sfi_cuda_call_host(void *arg)
{
    sfi_cuda_host_call *call = (sfi_cuda_host_call *)arg;
    sfi_this_thread.in_host_func = true;
    call->func(call->user);
    sfi_this_thread.in_host_func = false;
    sfi_free(&call->heap, call);
}
static sf_result sfi_cuda_host_func(sf_stream *s, sf_host_func func, void *user, bool own)
{
    sfi_cuda_host_call *call;
    sf_result r;
    bool entered;
    int code;
    if (own) {                               /* calls nothing that would have to be refused */
        SFI_CUDA_IN_CONTEXT(s->device, code, s->device->cuda->launch_host_func(s->native, func, user));
        return sfi_cuda_result(s->device, code, "sf_launch_host_func", sfi_stream_name(s));
    }
    r = sfi_cuda_enter(s->device, &entered);
    if (r < 0) { return r; }
    call = (sfi_cuda_host_call *)sfi_alloc(&s->device->heap, sizeof *call);
    if (call) {
        call->func = func;
        call->user = user;
        call->heap = s->device->heap;
        code = s->device->cuda->launch_host_func(s->native, sfi_cuda_call_host, call);
        if (code) { sfi_free(&s->device->heap, call); }
        r = sfi_cuda_result(s->device, code, "sf_launch_host_func", sfi_stream_name(s));
    } else {
        r = SF_ERROR_OUT_OF_MEMORY;
    }
    sfi_cuda_leave(s->device, entered);
    return r;
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
    SFI_CUDA_IN_CONTEXT(s->device, code, kernel->cuda(s->native, args));
    return sfi_cuda_result(s->device, code < 0 ? -code : code, "sf_launch", kernel->name);
}

static const sfi_backend sfi_cuda_backend = {
    sfi_cuda_open, sfi_cuda_close, sfi_cuda_enter, sfi_cuda_leave, sfi_cuda_get_info, sfi_cuda_synchronize,
    sfi_cuda_reset, sfi_cuda_poll,
    sfi_cuda_stream_create, sfi_cuda_stream_destroy, sfi_cuda_stream_query, sfi_cuda_stream_synchronize,
    sfi_cuda_stream_wait,
    sfi_cuda_event_create, sfi_cuda_event_destroy, sfi_cuda_event_record, sfi_cuda_event_query,
    sfi_cuda_event_synchronize, sfi_cuda_event_elapsed,
    sfi_cuda_alloc, sfi_cuda_free, sfi_cuda_alloc_async, sfi_cuda_free_async, sfi_cuda_device_pointer,
    sfi_cuda_pool_create, sfi_cuda_pool_destroy, sfi_cuda_pool_trim,
    sfi_cuda_set, sfi_cuda_copy, sfi_cuda_copy_peer, sfi_cuda_prefetch, sfi_cuda_host_func, sfi_cuda_launch,
};
#endif /* SF_NO_CUDA */

/* >>streams ------------------------------------------------------------------------------------------- */

/* Public functions of the stream layer: check, count, call the table. */

static sf_result sfi_stream_new(sf_device *device, const sf_stream_desc *desc, sf_stream **stream, bool legacy);

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
static void sfi_drop_stream(sf_device *device, sfi_slot *slot)
{
    sf_stream *s = (sf_stream *)(void *)slot;
#ifndef SF_NO_CUDA
    if (slot->tag && device->cuda && s != device->legacy && !s->wrapped && s->native) {
        (void)device->cuda->stream_destroy(s->native);
    }
#endif
    sfi_free(&device->heap, s->queue.ring);
    sfi_free(&device->heap, s->order.ring);
}
static void sfi_drop_event(sf_device *device, sfi_slot *slot)
{
    if (slot->tag) { device->backend->event_destroy((sf_event *)(void *)slot); }
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
    device->slot.tag = 0;
    sfi_slab_each(device, &device->stream_pools, sfi_drop_stream_pool);
    sfi_slab_each(device, &device->mem_pools, sfi_drop_mem_pool);
    if (works) { sfi_slab_each(device, &device->events, sfi_drop_event); }
    sfi_slab_each(device, &device->streams, sfi_drop_stream);
    for (i = 0; i < SFI_ALLOCATION_LISTS; i++) {
        while (device->allocations[i]) {
            sfi_allocation *a = device->allocations[i];
            device->allocations[i] = a->next;
            freed = device->backend->free(device, a->ptr, a->memory);
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

SF_API sf_result sf_device_open(const sf_device_desc *desc, sf_device **device)
{
    sf_device_desc d;
    sf_heap heap;
    sf_result r;
    sfi_failure why;
    sf_logger silent;
    if (!device) { return SF_ERROR_INVALID_VALUE; }
    *device = NULL;
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    if (desc) { d = *desc; } else { sfi_zero(&d, sizeof d); }
    if ((uint32_t)d.backend > SF_BACKEND_CUDA) { return SF_ERROR_INVALID_VALUE; }
    r = sfi_heap_init(&heap, &d.heap, d.memory);
    if (r < 0) { return r; }
    silent = d.logger;
    why.text[0] = 0;
    r = SF_ERROR_DRIVER;
#ifndef SF_NO_CUDA
    if (d.backend != SF_BACKEND_HOST && !d.memory.ptr) {     /* memory handed in means a host device */
        if (d.backend == SF_BACKEND_AUTO) { sfi_zero(&d.logger, sizeof d.logger); }
        r = sfi_device_open_as(&d, &sfi_cuda_backend, heap, device, &why);
        d.logger = silent;
        if (r >= 0) {
            (*device)->logger = silent;
            if (d.backend == SF_BACKEND_AUTO) { sfi_log(&silent, 3, 0, "a GPU works: taking the CUDA backend"); }
            return r;
        }
    }
#endif
    if (d.backend == SF_BACKEND_CUDA) {
        if (!why.text[0]) { sfi_log(&silent, 1, (int32_t)r, "sf_device_open: no CUDA backend is built in here"); }
        return r;
    }
    if (d.backend == SF_BACKEND_AUTO) {
        char text[SFI_TEXT];
        sfi_format(text, sizeof text, "taking the host backend: %s", why.text[0] ? why.text : sf_result_string(r));
        sfi_log(&silent, 3, 0, text);
    }
    return sfi_device_open_as(&d, &sfi_host_backend, heap, device, &why);
}

SF_API sf_result sf_device_get_info(sf_device *device, sf_device_info *info)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!info) { return SF_ERROR_INVALID_VALUE; }
    sfi_zero(info, sizeof *info);
    info->backend = device->host ? SF_BACKEND_HOST : SF_BACKEND_CUDA;
    info->ordinal = device->ordinal;
    info->priority_greatest = device->priority_greatest;
    return device->backend->get_info(device, info);
}
SF_API sf_result sf_device_synchronize(sf_device *device, int64_t timeout)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    sfi_count(device, SFI_SYNCHRONIZES, 1);
    return device->backend->synchronize(device, timeout);
}
SF_API sf_result sf_device_reset(sf_device *device)
{
    sf_result r = sfi_check_device(device);
    if (r == SF_ERROR_INVALID_HANDLE || r == SF_ERROR_NOT_PERMITTED) { return r; }
    return device->backend->reset(device);
}
SF_API sf_result sf_device_get_counters(sf_device *device, sf_counters *counters)
{
    sf_result r = sfi_check_device(device);
    uint64_t now[SFI_COUNTERS];
    size_t i;
    if (r == SF_ERROR_INVALID_HANDLE || r == SF_ERROR_NOT_PERMITTED) { return r; }
    if (!counters) { return SF_ERROR_INVALID_VALUE; }
    for (i = 0; i < SFI_COUNTERS; i++) { now[i] = sfi_load64(&device->counters[i]); }
    sfi_copy(counters, now, sizeof now);
    return SF_OK;
}
SF_API sf_result sf_device_get_replay(sf_device *device, char *line, size_t bytes)
{
    sf_result r = sfi_check_device(device);
    size_t prefix = sizeof sfi_replay_prefix - 1;
    if (r == SF_ERROR_INVALID_HANDLE || r == SF_ERROR_NOT_PERMITTED) { return r; }
    if (!line) { return SF_ERROR_INVALID_VALUE; }
    if (!device->host || device->host->threaded) { return SF_ERROR_NOT_SUPPORTED; }
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
    return r;
}
SF_API const sf_failure *sf_device_failure(const sf_device *device)
{
    static const sf_failure none = { SF_ERROR_INVALID_HANDLE, 0, "", "sf_device_failure", "not a device" };
    return device && device->slot.tag == SFI_TAG_DEVICE ? &device->failure.now : &none;
}
SF_API void *sf_device_native(const sf_device *device)
{
#ifndef SF_NO_CUDA
    if (sfi_check_device(device) >= 0 && device->cuda) { return device->cuda->context; }
#endif
    (void)device;
    return NULL;
}
SF_API sf_result sf_device_poll(sf_device *device, int64_t timeout)
{
    sf_result r = sfi_check_device(device);
    (void)timeout;                           /* nothing but our own commands could come: they are there or not */
    return r < 0 ? r : device->backend->poll(device);
}

/* -- streams -- */

static sf_result sfi_stream_new(sf_device *device, const sf_stream_desc *desc, sf_stream **stream, bool legacy)
{
    sf_stream *s;
    sf_result r;
    sfi_lock(&device->lock);
    s = (sf_stream *)(void *)sfi_slab_take(&device->streams, &device->heap, SFI_TAG_STREAM);
    if (s) { s->index = (uint32_t)(s->id = ++device->last_id); }
    sfi_unlock(&device->lock);
    if (!s) { return sfi_out_of_memory(&device->heap); }
    s->device = device;
    s->native = NULL;
    s->flags = desc ? desc->flags : 0;
    s->priority = desc ? desc->priority : 0;
    if (s->priority > 0) { s->priority = 0; }
    if (s->priority < device->priority_greatest) { s->priority = device->priority_greatest; }
    s->wrapped = false;
    s->order.misuse = SF_OK;
    sfi_zero(s->order.seen, sizeof s->order.seen);
    sfi_keep_name(s->name, sizeof s->name, legacy ? "the default stream" : desc ? desc->name : NULL);
    if (legacy) { s->native = (void *)(uintptr_t)1; }        /* CU_STREAM_LEGACY: right in per-thread builds, too */
    r = legacy && device->cuda ? SF_OK : device->backend->stream_create(s);
    sfi_lock(&device->lock);
    if (r >= 0) {                            /* whole, now others may see it */
        s->next_stream = device->first_stream;
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
    if (!stream || (desc && desc->flags > SF_STREAM_NON_BLOCKING)) { return SF_ERROR_INVALID_VALUE; }
    r = sfi_stream_new(device, desc, stream, false);
    if (r >= 0) {
        sfi_count(device, SFI_STREAM_CREATES, 1);
        sfi_count(device, SFI_LIVE_STREAMS, 1);
    }
    return r;
}
SF_API sf_result sf_stream_destroy(sf_stream *stream)
{
    sf_result r = sfi_check_stream(stream);
    sf_device *device;
    if (r < 0) { return r; }
    device = stream->device;
    if (stream == device->legacy) { return SF_ERROR_INVALID_HANDLE; }
    sfi_lock(&device->lock);
    stream->slot.tag = 0;
    device->backend->stream_destroy(stream);
    sfi_unlock(&device->lock);
    sfi_count(device, SFI_LIVE_STREAMS, (uint64_t)-1);
    return SF_OK;
}
SF_API sf_stream *sf_stream_legacy(sf_device *device) { return sfi_check_device(device) < 0 ? NULL : device->legacy; }
SF_API sf_result sf_stream_wrap(sf_device *device, void *native, sf_stream **stream)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!stream || !native) { return SF_ERROR_INVALID_VALUE; }
    if (device->host) { return SF_ERROR_NOT_SUPPORTED; }
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
        if (r < 0) { return r; }
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
    return stream->device->backend->stream_query(stream);
}
SF_API sf_result sf_stream_synchronize(sf_stream *stream, int64_t timeout)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_SYNCHRONIZES, 1);
    return stream->device->backend->stream_synchronize(stream, timeout);
}
SF_API sf_result sf_stream_wait_event(sf_stream *stream, sf_event *event, uint32_t flags)
{
    sf_result r = sfi_check_stream(stream);
    if (r >= 0) { r = sfi_check_event(event); }
    if (r >= 0 && !stream->device->host != !event->device->host) { r = SF_ERROR_INVALID_HANDLE; }
    if (r >= 0 && flags) { r = flags == 1 ? SF_ERROR_ILLEGAL_STATE : SF_ERROR_INVALID_VALUE; }   /* 1: capture only */
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_EVENT_WAITS, 1);
    return sfi_on_stream(stream, stream->device->backend->stream_wait(stream, event));
}
SF_API sf_result sf_stream_get_priority(const sf_stream *stream, int32_t *priority)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!priority) { return SF_ERROR_INVALID_VALUE; }
    *priority = stream->priority;
    return SF_OK;
}
SF_API sf_result sf_stream_get_flags(const sf_stream *stream, uint32_t *flags)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!flags) { return SF_ERROR_INVALID_VALUE; }
    *flags = stream->flags;
    return SF_OK;
}
SF_API sf_result sf_stream_get_id(const sf_stream *stream, uint64_t *id)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!id) { return SF_ERROR_INVALID_VALUE; }
    *id = stream->id;
    return SF_OK;
}
SF_API sf_result sf_stream_get_device(const sf_stream *stream, sf_device **device)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!device) { return SF_ERROR_INVALID_VALUE; }
    *device = stream->device;
    return SF_OK;
}
static sf_result sfi_stream_host_func(sf_stream *stream, sf_host_func func, void *user, bool own)
{
    sf_result r = sfi_check_stream(stream);
    if (r >= 0 && !func) { r = sfi_invalid(stream, "sf_launch_host_func", "the function is NULL"); }
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_HOST_FUNCTIONS, 1);
    return sfi_on_stream(stream, stream->device->backend->host_func(stream, func, user, own));
}
SF_API sf_result sf_launch_host_func(sf_stream *stream, sf_host_func func, void *user)
{
    return sfi_stream_host_func(stream, func, user, false);
}

/* -- events -- */

SF_API sf_result sf_event_create(sf_device *device, uint32_t flags, sf_event **event)
{
    sf_result r = sfi_check_device(device);
    sf_event *e;
    if (r < 0) { return r; }
    if (!event || flags > (SF_EVENT_BLOCKING_SYNC | SF_EVENT_DISABLE_TIMING)) { return SF_ERROR_INVALID_VALUE; }
    sfi_lock(&device->lock);
    e = (sf_event *)(void *)sfi_slab_take(&device->events, &device->heap, SFI_TAG_EVENT);
    if (e) {
        e->device = device;
        e->native = NULL;
        e->flags = flags;
        e->recorded = false;
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
    sfi_count(device, SFI_EVENT_CREATES, 1);
    sfi_count(device, SFI_LIVE_EVENTS, 1);
    *event = e;
    return SF_OK;
}
SF_API sf_result sf_event_destroy(sf_event *event)
{
    sf_result r = sfi_check_event(event);
    sf_device *device;
    if (r < 0) { return r; }
    device = event->device;
    sfi_lock(&device->lock);
    device->backend->event_destroy(event);
    sfi_slab_give(&device->events, &event->slot);
    sfi_unlock(&device->lock);
    sfi_count(device, SFI_LIVE_EVENTS, (uint64_t)-1);
    return SF_OK;
}
SF_API sf_result sf_event_record(sf_event *event, sf_stream *stream)
{
    sf_result r = sfi_check_event(event);
    if (r >= 0) { r = sfi_check_stream(stream); }
    if (r >= 0 && event->device != stream->device) { r = SF_ERROR_INVALID_HANDLE; }
    if (r < 0) { return r; }
    sfi_count(stream->device, SFI_EVENT_RECORDS, 1);
    return sfi_on_stream(stream, stream->device->backend->event_record(event, stream));
}
SF_API sf_result sf_event_query(sf_event *event)
{
    sf_result r = sfi_check_event(event);
    if (r < 0) { return r; }
    sfi_count(event->device, SFI_QUERIES, 1);
    return event->device->backend->event_query(event);
}
SF_API sf_result sf_event_synchronize(sf_event *event, int64_t timeout)
{
    sf_result r = sfi_check_event(event);
    if (r < 0) { return r; }
    sfi_count(event->device, SFI_SYNCHRONIZES, 1);
    return event->device->backend->event_synchronize(event, timeout);
}
SF_API sf_result sf_event_elapsed_ms(sf_event *start, sf_event *end, float *ms)
{
    sf_result r = sfi_check_event(start);
    if (r >= 0) { r = sfi_check_event(end); }
    if (r >= 0 && start->device != end->device) { r = SF_ERROR_INVALID_HANDLE; }
    if (r < 0) { return r; }
    return ms ? start->device->backend->event_elapsed(start, end, ms) : SF_ERROR_INVALID_VALUE;
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
static sf_result sfi_mem_add(sf_device *device, void *ptr, size_t bytes, sf_memory memory, sf_mem_pool *pool)
{
    sfi_allocation *a = (sfi_allocation *)sfi_alloc(&device->heap, sizeof *a), **list;
    if (!a) { return sfi_out_of_memory(&device->heap); }
    a->ptr = ptr;
    a->bytes = bytes;
    a->memory = memory;
    a->pool = pool;
    sfi_lock(&device->lock);
    list = sfi_allocation_list(device, ptr);
    a->next = *list;
    *list = a;
    sfi_unlock(&device->lock);
    if (pool) { sfi_pool_account(pool, bytes, true); }
    sfi_count(device, SFI_ALLOCATIONS, 1);
    sfi_count(device, SFI_LIVE_BYTES, bytes);
    return SF_OK;
}
static bool sfi_mem_remove(sf_device *device, const void *ptr, sfi_allocation *found)
{
    sfi_allocation **link, *a;
    sfi_lock(&device->lock);
    for (link = sfi_allocation_list(device, ptr); (a = *link) != NULL && a->ptr != ptr; link = &a->next) {}
    if (a) { *link = a->next; }
    sfi_unlock(&device->lock);
    if (!a) { return false; }
    *found = *a;
    if (a->pool) { sfi_pool_account(a->pool, a->bytes, false); }
    sfi_free(&device->heap, a);
    sfi_count(device, SFI_LIVE_BYTES, 0 - (uint64_t)found->bytes);
    return true;
}

SF_API sf_result sf_mem_alloc(sf_device *device, size_t bytes, sf_memory memory, void **ptr)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    if (!ptr || !bytes || (uint32_t)memory > SF_MEMORY_HOST) { return SF_ERROR_INVALID_VALUE; }
    *ptr = NULL;
    r = device->backend->alloc(device, bytes, memory, ptr);
    if (r >= 0) {
        r = sfi_mem_add(device, *ptr, bytes, memory, NULL);
        if (r < 0) { (void)device->backend->free(device, *ptr, memory); }
    }
    if (r < 0) { *ptr = NULL; }
    return r;
}
SF_API sf_result sf_mem_free(sf_device *device, void *ptr)
{
    sf_result r = sfi_check_device(device);
    sfi_allocation a;
    if (r < 0) { return r; }
    if (!ptr || !sfi_mem_remove(device, ptr, &a)) {
        return sfi_device_fail(device, SF_ERROR_INVALID_VALUE, "sf_mem_free", NULL,
                               "this device has not given out that memory, or it is free already");
    }
    return device->backend->free(device, ptr, a.memory);
}
SF_API sf_result sf_mem_get_device_pointer(sf_device *device, void *pinned, void **ptr)
{
    sf_result r = sfi_check_device(device);
    if (r < 0) { return r; }
    return pinned && ptr ? device->backend->device_pointer(device, pinned, ptr) : SF_ERROR_INVALID_VALUE;
}
static sf_result sfi_check_mem_pool(const sf_mem_pool *pool)
{
    return pool && pool->slot.tag == SFI_TAG_MEM_POOL ? sfi_check_device(pool->device) : SF_ERROR_INVALID_HANDLE;
}
SF_API sf_result sf_mem_alloc_async(sf_stream *stream, sf_mem_pool *pool, size_t bytes, void **ptr)
{
    sf_result r = sfi_check_stream(stream);
    if (r >= 0 && pool) { r = sfi_check_mem_pool(pool); }
    if (r >= 0 && pool && pool->device != stream->device) { r = SF_ERROR_INVALID_HANDLE; }
    if (r >= 0 && (!ptr || !bytes || (pool && pool->desc.kind != SF_MEM_POOL_ASYNC))) { r = SF_ERROR_INVALID_VALUE; }
    if (r < 0) { return r; }
    *ptr = NULL;
    if (pool && pool->desc.max_bytes && sfi_load64(&pool->used) + bytes > pool->desc.max_bytes) {
        return sfi_on_stream(stream, SF_ERROR_OUT_OF_MEMORY);
    }
    r = stream->device->backend->alloc_async(stream, pool, bytes, ptr);
    if (r >= 0) {
        r = sfi_mem_add(stream->device, *ptr, bytes, SF_MEMORY_DEVICE, pool);
        if (r < 0) { (void)stream->device->backend->free_async(stream, *ptr); }
    }
    if (r < 0) { *ptr = NULL; }
    return sfi_on_stream(stream, r);
}
SF_API sf_result sf_mem_free_async(sf_stream *stream, void *ptr)
{
    sf_result r = sfi_check_stream(stream);
    sfi_allocation a;
    if (r < 0) { return r; }
    if (!ptr || !sfi_mem_remove(stream->device, ptr, &a)) {
        return sfi_invalid(stream, "sf_mem_free_async", "this device has not given out that memory, or it is free");
    }
    return sfi_on_stream(stream, stream->device->backend->free_async(stream, ptr));
}
SF_API sf_result sf_mem_prefetch_async(sf_stream *stream, const void *ptr, size_t bytes, bool to_host)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!ptr || !bytes) { return sfi_invalid(stream, "sf_mem_prefetch_async", "the memory is NULL, or of 0 bytes"); }
    return sfi_on_stream(stream, stream->device->backend->prefetch(stream, ptr, bytes, to_host));
}
SF_API sf_result sf_memset_async(sf_stream *stream, void *dst, uint8_t value, size_t bytes)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!bytes) { return SF_OK; }
    if (!dst) { return sfi_invalid(stream, "sf_memset_async", "the memory is NULL"); }
    sfi_count(stream->device, SFI_COPIES, 1);
    return sfi_on_stream(stream, stream->device->backend->set(stream, dst, value, bytes));
}
SF_API sf_result sf_memcpy_2d_async(sf_stream *stream, void *dst, size_t dst_pitch, const void *src,
                                    size_t src_pitch, size_t row_bytes, size_t rows)
{
    sf_result r = sfi_check_stream(stream);
    sfi_rect rect;
    if (r < 0) { return r; }
    if (!row_bytes || !rows) { return SF_OK; }
    if (!dst || !src || (rows > 1 && (dst_pitch < row_bytes || src_pitch < row_bytes))) {
        return sfi_invalid(stream, "sf_memcpy_async", "a pointer is NULL, or a pitch less than a row");
    }
    rect.dst = dst;
    rect.src = src;
    rect.dst_pitch = dst_pitch;
    rect.src_pitch = src_pitch;
    rect.row_bytes = row_bytes;
    rect.rows = rows;
    sfi_count(stream->device, SFI_COPIES, 1);
    return sfi_on_stream(stream, stream->device->backend->copy(stream, &rect));
}
SF_API sf_result sf_memcpy_async(sf_stream *stream, void *dst, const void *src, size_t bytes)
{
    return sf_memcpy_2d_async(stream, dst, bytes, src, bytes, bytes, 1);
}
SF_API sf_result sf_memcpy_peer_async(sf_stream *stream, void *dst, sf_device *dst_device, const void *src,
                                      sf_device *src_device, size_t bytes)
{
    sf_result r = sfi_check_stream(stream);
    if (r >= 0) { r = sfi_check_device(dst_device); }
    if (r >= 0) { r = sfi_check_device(src_device); }
    if (r >= 0 && (!dst_device->host != !stream->device->host || !src_device->host != !stream->device->host)) {
        r = SF_ERROR_INVALID_DEVICE;
    }
    if (r < 0) { return r; }
    if (!bytes) { return SF_OK; }
    if (!dst || !src) { return sfi_invalid(stream, "sf_memcpy_peer_async", "a pointer is NULL"); }
    sfi_count(stream->device, SFI_COPIES, 1);
    return sfi_on_stream(stream, stream->device->backend->copy_peer(stream, dst, dst_device, src, src_device, bytes));
}

/* -- kernels -- */

SF_API sf_result sf_launch(sf_stream *stream, const sf_kernel *kernel, const void *args, size_t bytes)
{
    sf_result r = sfi_check_stream(stream);
    if (r < 0) { return r; }
    if (!kernel) { return sfi_invalid(stream, "sf_launch", "the kernel is NULL"); }
    if (bytes > SF_MAX_ARGS || (bytes && !args)) {
        return sfi_invalid(stream, "sf_launch",
                           args ? "more than SF_MAX_ARGS bytes: pass a pointer" : "the arguments are NULL");
    }
    sfi_count(stream->device, SFI_LAUNCHES, 1);
    return sfi_on_stream(stream, stream->device->backend->launch(stream, kernel, args, bytes));
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

/* >>order --------------------------------------------------------------------------------------------- */

/* Order across streams, as flows keep it: a number per record, an event from the stream's ring, and a wait only
   where a later number has not been waited for already. */
static sf_result sfi_order_arm(sf_stream *s, uint32_t size)  /* a ring for `size` records in flight */
{
    sfi_order *o = &s->order;
    sf_device *device = s->device;
    uint32_t n = 4;
    sf_event **ring;
    sf_result r = SF_OK;
    while (n < size) { n *= 2; }
    if (o->size >= n) { return SF_OK; }
    ring = (sf_event **)sfi_alloc_zeroed(&device->heap, n * sizeof *ring);
    if (!ring) { return sfi_out_of_memory(&device->heap); }
    if (o->size) { sfi_copy(ring, o->ring, o->size * sizeof *ring); }
    while (o->size < n && r >= 0) {
        r = sf_event_create(device, SF_EVENT_DISABLE_TIMING, &ring[o->size]);
        if (r >= 0) { o->size++; }
    }
    while (o->size & (o->size - 1)) { (void)sf_event_destroy(ring[--o->size]); }     /* stays a power of two */
    sfi_free(&device->heap, o->ring);
    o->ring = ring;
    o->first = o->number + 1;
    return r;
}
static sf_event *sfi_order_event(const sfi_order *o, uint64_t number) { return o->ring[number & (o->size - 1)]; }

static sf_result sfi_order_record(sf_stream *s, uint64_t *number)
{
    sf_result r = SF_OK;
    sfi_spin_lock(&s->order.busy);
    if (!s->order.size) { r = sfi_order_arm(s, 16); }        /* a stream that no pool made */
    if (r >= 0) { r = sf_event_record(sfi_order_event(&s->order, s->order.number + 1), s); }
    if (r >= 0) { *number = ++s->order.number; }
    sfi_spin_unlock(&s->order.busy);
    return r;
}
/* Points without a number, or from before the ring, are made now: later than need be, never too early. */
static sf_result sfi_order_fix(sfi_point *p)
{
    if (p->number >= p->stream->order.first && p->number && p->stream->order.size) { return SF_OK; }
    if (p->stream->slot.tag != SFI_TAG_STREAM) { return SF_IGNORED; }        /* destroyed: nothing left to ask */
    return sfi_order_record(p->stream, &p->number);
}

/* Later work of `s` waits for the point, unless it does so already. */
static sf_result sfi_order_wait(sf_stream *s, sfi_point *p)
{
    sfi_seen *seen = &s->order.seen[p->stream ? p->stream->index % SFI_SEEN : 0];
    sf_result r;
    if (!p->stream || p->stream == s) { return SF_OK; }
    if (p->number && seen->stream == p->stream && seen->number >= p->number) { return SF_OK; }
    r = sfi_order_fix(p);
    if (r != SF_OK) { return r < 0 ? r : SF_OK; }
    r = sf_stream_wait_event(s, sfi_order_event(&p->stream->order, p->number), 0);
    if (r >= 0) {
        seen->stream = p->stream;
        seen->number = p->number;
    }
    return r;
}
/* SF_OK, SF_NOT_READY, or the device's fault. */
static sf_result sfi_order_query(sfi_point *p)
{
    sf_result r;
    if (!p->stream || (p->number && p->number <= sfi_load64(&p->stream->order.complete))) { return SF_OK; }
    r = sfi_order_fix(p);
    if (r != SF_OK) { return r < 0 ? r : SF_OK; }
    r = sf_event_query(sfi_order_event(&p->stream->order, p->number));
    if (r == SF_OK) { sfi_store64(&p->stream->order.complete, p->number); }
    return r;
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
    if (r < 0) { (void)sf_stream_destroy(pool->streams[pool->count]); } else { pool->taken[pool->count++] = false; }
    return r;
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
    sfi_spin_lock(&pool->busy);
    for (i = 0; i < pool->count && pick == UINT32_MAX; i++) {
        if (!pool->taken[i] && pool->device->backend->stream_query(pool->streams[i]) == SF_OK) { pick = i; }
    }
    if (pick == UINT32_MAX && !sfi_stream_pool_full(pool)) {
        r = sfi_stream_pool_add(pool);
        if (r >= 0) { pick = pool->count - 1; }
    }
    if (pick != UINT32_MAX) {
        pool->taken[pick] = true;
        *stream = pool->streams[pick];
        r = SF_OK;
    }
    sfi_spin_unlock(&pool->busy);
    return r;
}
static void sfi_stream_pool_give(sf_stream_pool *pool, const sf_stream *stream)
{
    uint32_t i;
    sfi_spin_lock(&pool->busy);
    for (i = 0; i < pool->count; i++) {
        if (pool->streams[i] == stream) { pool->taken[i] = false; }
    }
    sfi_spin_unlock(&pool->busy);
}

SF_API sf_result sf_stream_pool_create(sf_device *device, const sf_stream_pool_desc *desc, sf_stream_pool **pool)
{
    sf_result r = sfi_check_device(device);
    sf_stream_pool *p;
    if (r < 0) { return r; }
    if (!pool || (desc && (desc->reserved < 0 || desc->max < 0))) { return SF_ERROR_INVALID_VALUE; }
    sfi_lock(&device->lock);
    device->stream_pools.size = SFI_ALIGN(sizeof(sf_stream_pool), 16);
    p = (sf_stream_pool *)(void *)sfi_slab_take(&device->stream_pools, &device->heap, SFI_TAG_STREAM_POOL);
    sfi_unlock(&device->lock);
    if (!p) { return sfi_out_of_memory(&device->heap); }
    p->device = device;
    if (desc) { p->desc = *desc; } else { sfi_zero(&p->desc, sizeof p->desc); }
    p->count = p->ring = 0;
    sfi_keep_name(p->name, sizeof p->name, desc ? desc->name : NULL);
    p->desc.name = p->name;
    r = sfi_stream_pool_reserve(p, p->desc.reserved ? (uint32_t)p->desc.reserved : 1, 0);
    if (r < 0) { (void)sf_stream_pool_destroy(p); } else { *pool = p; }
    return r;
}
static void sfi_drop_stream_pool(sf_device *device, sfi_slot *slot)
{
    sf_stream_pool *pool = (sf_stream_pool *)(void *)slot;
    sfi_free(&device->heap, pool->streams);
    sfi_free(&device->heap, pool->taken);
    pool->streams = NULL;
    pool->taken = NULL;
    pool->count = pool->streams_room = pool->taken_room = 0;
}
SF_API sf_result sf_stream_pool_destroy(sf_stream_pool *pool)
{
    sf_device *device;
    sf_result r;
    uint32_t i;
    if (!pool || pool->slot.tag != SFI_TAG_STREAM_POOL) { return SF_ERROR_INVALID_HANDLE; }
    device = pool->device;
    r = sfi_check_device(device);            /* a fault is told, and the pool goes all the same */
    if (r == SF_ERROR_NOT_PERMITTED) { return r; }
    for (i = 0; i < pool->count; i++) {
        if (pool->taken[i]) { return SF_ERROR_ILLEGAL_STATE; }       /* an operator of a running flow has it */
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
static bool sfi_ring_push(sfi_ring *ring, uint32_t value)
{
    for (;;) {
        uint32_t at = sfi_load(&ring->in);
        sfi_cell *cell = &ring->cells[at & ring->mask];
        int32_t ahead = (int32_t)(sfi_load(&cell->turn) - at);
        SFI_STEP("ring push");
        if (ahead < 0) { return false; }
        if (ahead == 0 && sfi_cas(&ring->in, at, at + 1)) {
            cell->value = value;
            sfi_store(&cell->turn, at + 1);  /* release: the value before the turn */
            return true;
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
    for (i = 0; i < t->user_count; i++) {
        if (t->users[i].stream == by.stream) {
            t->users[i] = by;
            return SF_OK;
        }
    }
    if (t->user_count < t->user_room) {
        t->users[t->user_count++] = by;
        return SF_OK;
    }
    r = sfi_order_wait(by.stream, &t->users[0]);
    by.number = 0;                           /* recorded when it is asked for: after the wait */
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
static void sfi_pool_announce(sf_mem_pool *pool)             /* a block came back */
{
    sfi_subscriber *s;
    if (!sfi_load_ordered(&pool->waiting)) { return; }
    sfi_spin_lock(&pool->busy);
    for (s = pool->subscribers; s; s = s->next) { sfi_bell(s->flow, s->source); }
    sfi_spin_unlock(&pool->busy);
}
static void sfi_pool_free(sf_mem_pool *pool);

/* Memory that is allocated each time. Device memory is freed in stream order, on the pool's own stream. */
static void sfi_tensor_free_ordered(sfi_tensor *t)
{
    sf_mem_pool *pool = t->pool;
    uint32_t i;
    for (i = 0; i < t->user_count; i++) { (void)sfi_order_wait(pool->stream, &t->users[i]); }
    (void)sf_mem_free_async(pool->stream, t->pub.data);
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
            (void)sf_mem_free(pool->device, t->pub.data);
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
        (void)sfi_ring_push(now ? &pool->free : &pool->pending, t->index);
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
    if (sfi_add(&pool->outstanding, (uint32_t)-1) == 1 && pool->zombie) { sfi_pool_free(pool); }
}

static void sfi_pool_reclaim(sf_mem_pool *pool, sf_stream **blocker)         /* blocks that the GPU is done with */
{
    uint32_t n, i;
    for (n = sfi_ring_count(&pool->pending); n && sfi_ring_pop(&pool->pending, &i); n--) {
        bool idle = sfi_tensor_idle(&pool->blocks[i], blocker) == SF_OK;
        (void)sfi_ring_push(idle ? &pool->free : &pool->pending, i);
    }
}
static sf_result sfi_pool_take_block(sf_mem_pool *pool, sfi_tensor **tensor, sf_stream **blocker)
{
    uint32_t i;
    if (!sfi_ring_pop(&pool->free, &i)) {
        sfi_pool_reclaim(pool, blocker);
        if (!sfi_ring_pop(&pool->free, &i)) { return SF_ERROR_POOL_EXHAUSTED; }
    }
    *tensor = &pool->blocks[i];
    return SF_OK;
}
static sf_result sfi_pool_allocate(sf_mem_pool *pool, size_t bytes, sf_stream *stream, sfi_tensor **tensor)
{
    uint32_t room = pool->user_room;
    sfi_tensor *t;
    void *data = NULL;
    sf_result r;
    if (pool->desc.max_bytes && sfi_load64(&pool->used) + bytes > pool->desc.max_bytes) {
        return SF_ERROR_POOL_EXHAUSTED;
    }
    t = (sfi_tensor *)sfi_alloc_zeroed(&pool->device->heap, sizeof *t + room * sizeof(sfi_point));
    if (!t) { return sfi_out_of_memory(&pool->device->heap); }
    sfi_pool_sweep(pool);
    r = sfi_pool_is_ordered(pool)
            ? sf_mem_alloc_async(stream, pool->desc.kind == SF_MEM_POOL_ASYNC ? pool : NULL, bytes, &data)
            : sf_mem_alloc(pool->device, bytes, pool->desc.memory, &data);
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
        if (sfi_ring_count(&pool->free) < count) { sfi_pool_reclaim(pool, blocker); }
        return sfi_ring_count(&pool->free) >= count;
    }
    return !pool->desc.max_bytes || sfi_load64(&pool->used) + bytes * count <= pool->desc.max_bytes;
}

static sf_result sfi_pool_make_blocks(sf_mem_pool *pool, void *data)
{
    const sf_heap *heap = &pool->device->heap;
    uint32_t n = (uint32_t)pool->desc.blocks, ring = sfi_power_of_two(n), i;
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
        (void)sfi_ring_push(&pool->free, i);
    }
    pool->reserved = each * n;
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
static sf_result sfi_pool_make(sf_device *device, const sf_mem_pool_desc *desc, void *data, uint32_t user_room,
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
    r = desc->kind == SF_MEM_POOL_BLOCKS ? sfi_pool_make_blocks(p, data)
        : sfi_pool_is_ordered(p)         ? sfi_pool_make_ordered(p)
                                         : SF_OK;
    if (r < 0) { sfi_pool_free(p); } else { *pool = p; }
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
static void sfi_pool_free(sf_mem_pool *pool)
{
    sf_device *device = pool->device;
    sfi_pool_forget(device, pool);
    sfi_pool_sweep(pool);
    if (pool->limbo) {                       /* the GPU still uses some: rather wait than free early */
        (void)device->backend->synchronize(device, SF_FOREVER);
        sfi_pool_sweep(pool);
    }
    if (pool->memory && pool->blocks) {
        uint32_t i;
        if (sfi_load(&device->fault) == 0) {
            for (i = 0; i < pool->desc.blocks; i++) {
                while (sfi_tensor_idle(&pool->blocks[i], NULL) == SF_NOT_READY) {
                    const sfi_tensor *t = &pool->blocks[i];
                    (void)device->backend->stream_synchronize(t->users[t->user_count - 1].stream, SF_MS(1));
                }
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
}

SF_API sf_result sf_mem_pool_create(sf_device *device, const sf_mem_pool_desc *desc, sf_mem_pool **pool)
{
    sf_result r = sfi_check_device(device);
    return r < 0 ? r : pool ? sfi_pool_make(device, desc, NULL, SFI_WRAP_USERS, pool) : SF_ERROR_INVALID_VALUE;
}
SF_API sf_result sf_mem_pool_destroy(sf_mem_pool *pool)
{
    sf_result r;
    if (!pool || pool->slot.tag != SFI_TAG_MEM_POOL) { return SF_ERROR_INVALID_HANDLE; }
    r = sfi_check_device(pool->device);      /* a fault is told, and the pool goes all the same */
    if (r == SF_ERROR_NOT_PERMITTED) { return r; }
    if (pool->subscribers) { return SF_ERROR_ILLEGAL_STATE; }        /* a flow that runs uses it */
    pool->slot.tag = 0;
    pool->zombie = true;                     /* while somebody holds a tensor: the last release frees */
    if (!sfi_load(&pool->outstanding)) { sfi_pool_free(pool); }
    return r;
}
SF_API sf_result sf_mem_pool_trim(sf_mem_pool *pool, size_t keep_bytes)
{
    sf_result r = sfi_check_mem_pool(pool);
    if (r < 0) { return r; }
    if (pool->desc.kind == SF_MEM_POOL_ASYNC) { return pool->device->backend->pool_trim(pool, keep_bytes); }
    sfi_pool_sweep(pool);
    return pool->desc.kind == SF_MEM_POOL_BLOCKS ? SF_IGNORED : SF_OK;
}
SF_API sf_result sf_mem_pool_get_info(sf_mem_pool *pool, sf_mem_pool_info *info)
{
    sf_result r = sfi_check_mem_pool(pool);
    if (r < 0) { return r; }
    if (!info) { return SF_ERROR_INVALID_VALUE; }
    info->used = (size_t)sfi_load64(&pool->used);
    info->used_high = (size_t)sfi_load64(&pool->used_high);
    info->reserved = pool->desc.kind == SF_MEM_POOL_BLOCKS ? (size_t)pool->reserved : info->used;
    info->reserved_high = pool->desc.kind == SF_MEM_POOL_BLOCKS ? (size_t)pool->reserved : info->used_high;
    return SF_OK;
}

SF_API sf_result sf_device_close(sf_device *device, int64_t timeout)
{
    sf_result r = sfi_check_device(device), freed;
    if (r == SF_ERROR_INVALID_HANDLE || r == SF_ERROR_NOT_PERMITTED) { return r; }
    if (sfi_load(&device->flows)) {
        return sfi_device_fail(device, SF_ERROR_ILLEGAL_STATE, "sf_device_close", NULL,
                               "a flow still uses the device: destroy the flow first");
    }
    r = device->backend->synchronize(device, timeout);
    if (r > 0) { return r; }                 /* SF_TIMEOUT: still open */
    freed = sfi_device_free(device);
    return r < 0 ? r : freed;
}

/* >>flows --------------------------------------------------------------------------------------------- */

/* The structures of a flow. Operators, ports and edges are arrays that grow while the flow is built and are named by
   index; what runs needs is carved out of one block at start. */
#define SFI_NONE UINT32_MAX
enum {
    SFI_HANDED = 16, SFI_ALARMS = 16, SFI_PATHS = 64, SFI_STAMPS = 8, SFI_RING_FIXED = 16, SFI_LEVELS = 64,
    SFI_SMALL_FLOW = 256                     /* operators: each gets a stream at start, whatever it looks like */
};

typedef enum sfi_kind { SFI_NOTHING, SFI_VALUE, SFI_TENSOR } sfi_kind;
typedef struct sfi_entry { uint32_t key; sf_value value; } sfi_entry;        /* metadata */
typedef struct sfi_message {
    sf_value value;                          /* SFI_TENSOR: ptr, and a reference */
    sfi_point order;                         /* wait for this before you touch it; no stream: nothing to wait for */
    int64_t time, born;                      /* the user's; when its source began, for latencies */
    uint16_t path;                           /* 1 + which way it came; 0: unknown */
    uint16_t entries;
    uint8_t kind;
    bool hidden;                             /* work on the default stream: orders, but is not listed */
} sfi_message;

typedef struct sfi_edge {
    sfi_message *ring;
    sfi_entry *entries;                      /* metadata, flow->entries_max for each place of the ring */
    int64_t *arrivals;                       /* where an EXPIRING condition looks */
    uint32_t first, count, room;             /* room: places of the ring */
    uint32_t limit, need;                    /* capacity; messages that a compute needs */
    uint32_t taken, ordered;                 /* received in this compute; of those, waited for by its stream */
    uint32_t from, to;                       /* operators; from SFI_NONE: pushed from outside */
    uint32_t next_output, next_input;        /* the next edge of the same port */
    uint16_t output, input, delay;
    uint8_t overflow;
    bool control, closed, routed;
    bool read;                               /* LATEST: somebody has had it */
    sfi_atomic32 pushed, popped;             /* external: what the outside has put in, what is out again */
    uint32_t absorbed;                       /* of `pushed`, what the flow has seen */
    uint64_t messages, dropped, refused;
    uint32_t high;
} sfi_edge;

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
    const sfi_message *latest;               /* what it returned last */
} sfi_input;

typedef struct sfi_output {
    const char *name;
    size_t bytes;
    void *data;
    sf_mem_pool *given, *pool;               /* the user's; the one in use */
    sfi_tensor *reserved;                    /* the block that admission set aside */
    sf_stream *stream;                       /* sf_set_stream(), for this compute */
    sfi_subscriber subscriber;
    uint32_t first, last, edges, staged;
    uint8_t memory;
    bool custom_room, custom_memory, watched;
    bool quiet;                              /* nobody works on another stream: no event needed */
} sfi_output;

typedef struct sfi_condition {
    sf_condition is;
    sfi_atomic32 signal;                     /* SIGNAL: sf_readiness */
    uint32_t source;
    int64_t next;                            /* PERIOD */
} sfi_condition;

typedef struct sfi_named_stream {
    struct sfi_named_stream *next;
    sf_stream *stream;
    char name[SFI_NAME];
} sfi_named_stream;

/* Counts of values by size: 16 steps per power of two, so a percentile is right within 6 %. */
enum { SFI_BUCKETS = 16 * 40 };
typedef struct sfi_histogram { uint64_t count, sum; int64_t min, max; uint32_t bucket[SFI_BUCKETS]; } sfi_histogram;

/* A pair of timing events around what a compute enqueued, read when both are done. */
typedef struct sfi_stamp { sf_event *begin, *end; bool pending; } sfi_stamp;

typedef struct sfi_op {
    sf_context pub;                          /* first: the handle of a hook is a pointer to it */
    struct sfi_turn *turn;                   /* while one of its hooks runs */
    sf_compute_func compute;
    uint32_t unmet;                          /* conditions, and groups of them, that do not hold; 0: it can run */
    uint32_t next;                           /* in a list of ready operators */
    uint32_t level;                          /* which list */
    uint32_t state;                          /* sf_op_state */
    bool queued, extras, extras_met, memory_wait, gpu_wait, adopt, uses_gpu;
    uint8_t input_count, output_count, condition_count;
    uint16_t control_edges;
    uint32_t first_control;                  /* the edges on which it hands on its own turn */
    uint32_t turns;                          /* that control edges brought */
    sfi_input *inputs;
    sfi_output *outputs;
    sfi_condition *conditions;
    uint64_t limit;                          /* COUNT; 0: none */
    int64_t wake, last_run;
    uint32_t timer;                          /* 1 + place in the heap of timers */
    sf_stream *blocker;                      /* whose work it waits for */
    sf_mem_pool *waits_pool;                 /* whose block */
    sf_stream *own;
    sfi_named_stream *named;
    sf_stream_pool *streams;
    sf_compute_func initialize, start, stop;
    sf_on_error on_error;
    int32_t priority;
    uint32_t retries, attempts, memory_source;
    bool started;
    uint32_t mark;                           /* for walks over the graph: 1 + the next one */
    uint64_t runs, errors;
    sfi_histogram *cpu, *device;
    sfi_stamp *stamps;
    uint32_t stamp;
    bool error_counted;                      /* the failure has been told */
    sfi_atomic32 asked_to_stop;              /* sf_op_stop() */
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
    sf_stream *handed[SFI_HANDED];           /* all that the operator was given */
    uint64_t recorded[SFI_HANDED];           /* number of this compute's record there, or 0 */
    uint32_t handed_count, staged_count, staged_room;
    sfi_tensor *created;
    sfi_staged *staged;
    sfi_entry *entries;
    uint32_t entry_count;
    int64_t time, begin, born;
    uint16_t path;
    sfi_stamp *stamp;
} sfi_turn;

/* Who rings from outside: an external input, a condition, a memory pool. */
typedef enum sfi_source_kind { SFI_SOURCE_INPUT, SFI_SOURCE_CONDITION, SFI_SOURCE_MEMORY } sfi_source_kind;
typedef struct sfi_source { sfi_atomic32 rung; uint32_t op; uint16_t index; uint8_t kind; } sfi_source;

/* A host function that is on its way behind a stream's work, to wake the flow: one at a time per stream. */
typedef struct sfi_alarm { sf_flow *flow; sf_stream *stream; sfi_atomic32 busy; } sfi_alarm;

typedef struct sfi_level { uint32_t first, last; } sfi_level;
typedef struct sfi_path { uint16_t parent; uint32_t op; sfi_histogram *latency; } sfi_path;
typedef enum sfi_trace_kind { SFI_TRACE_COMPUTE, SFI_TRACE_DROP } sfi_trace_kind;
typedef struct sfi_trace { int64_t time, duration; uint32_t op, edge; uint8_t kind; } sfi_trace;

typedef enum sfi_flow_state { SFI_FLOW_BUILDING, SFI_FLOW_READY, SFI_FLOW_RUNNING, SFI_FLOW_ENDED } sfi_flow_state;

struct sf_flow {
    sfi_slot slot;
    sf_heap heap;
    sf_logger logger;
    char name[SFI_NAME], scope[SFI_NAME];
    sfi_mutex lock;                          /* failure, wrapped tensors, and who waits for the end */
    sfi_failure failure;
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
    int64_t deadlock_timeout, max_duration, spin, threshold;
    uint32_t skip_first, discard_last, limit_ops, limit_edges, limit_messages, limit_streams;
    size_t limit_payload;
    sf_metadata_policy metadata;
    uint32_t entries_max, trace_room;
    void (*hook)(sf_hook hook, const sf_context *ctx, int port, const sf_tensor *tensor, void *user);
    void *hook_user;
    const char *unsupported;                 /* something in the desc that this version does not do */
    /* what was built */
    sfi_op *ops;
    sfi_edge *edges;
    uint32_t op_count, op_room, edge_count, edge_room, message_count, generation;
    /* what a start lays out: all of it in `block` */
    void *block;
    size_t block_bytes, payload_bytes;
    sfi_turn turn;
    sfi_level *levels;
    int32_t *priorities;
    uint64_t level_mask;
    uint32_t level_count, *timers, timer_count, *gpu_waiters, gpu_waiter_count;
    sfi_source *sources;
    sfi_atomic32 *groups, attention, sleeping;
    uint32_t source_count;
    sfi_alarm alarms[SFI_ALARMS];
    sfi_path *paths;
    uint32_t path_count;
    uint64_t paths_lost;
    sfi_trace *trace;
    uint64_t trace_count;
    sf_tensor nothing;                       /* stand-in after an error */
    int64_t nothing_shape[1];
    /* the run */
    sfi_flow_state state;
    sfi_atomic32 stop, paused;
    sf_result result, life;                  /* of this run; the first error ever */
    sf_stream *foreign[SFI_HANDED];          /* streams of the user's that were emitted: drained at the end, too */
    uint32_t foreign_count, steps;
    bool any_closed;
    int64_t now, started_at, ends_at, idle_since;                 /* now: simulated */
    uint64_t runs, dropped;
    uint32_t alive;                          /* operators that the outside may still wake */
    sfi_tensor *wrapped, *limbo;             /* free headers; released, but the GPU is not done */
    sfi_atomic32 wrapped_out;
    bool background, stepping, zombie;
#ifndef SF_NO_THREADS
    sfi_thread thread;
    bool threaded;
    sfi_cond ended, wake;
#endif
};

/* Counters that another thread may look at while the flow runs. */
#ifndef SF_NO_THREADS
    #define SFI_SET(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)
    #define SFI_GET(field)        __atomic_load_n(&(field), __ATOMIC_RELAXED)
#else
    #define SFI_SET(field, value) ((void)((field) = (value)))
    #define SFI_GET(field)        (field)
#endif
#define SFI_BUMP(field) SFI_SET(field, (field) + 1)

static sfi_edge *sfi_edge_at(const sf_flow *f, uint32_t index) { return index == SFI_NONE ? NULL : &f->edges[index]; }
static sfi_message *sfi_message_at(const sfi_edge *e, uint32_t n)            /* the n-th in the queue */
{
    uint32_t i = e->first + n;
    return &e->ring[i < e->room ? i : i - e->room];
}

/* -- failures, with names -- */

static sf_result sfi_flow_fail(sf_flow *f, const sfi_op *op, sf_result result, const char *call, const char *format,
                               ...)
{
    sfi_failure *failure = &f->failure;
    char text[SFI_TEXT];
    sfi_text t = sfi_text_in(text, sizeof text);
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
    sfi_lock(&f->lock);
    if (!failure->now.count++) {
        failure->now.result = result;
        failure->now.call = call;
        sfi_keep_name(failure->where, sizeof failure->where, op ? op->pub.name : f->name);
        sfi_keep_name(failure->text, sizeof failure->text, text);
    }
    sfi_unlock(&f->lock);
    sfi_log(&f->logger, 1, (int32_t)result, text);
    return result;
}

/* A mistake in building: as above, and kept for sf_flow_check() and the start. */
static sf_result sfi_flow_problem(sf_flow *f, sf_result result, const char *call, const char *where,
                                  const char *format, ...)
{
    char text[SFI_TEXT];
    sfi_text t = sfi_text_in(text, sizeof text);
    size_t n;
    va_list args;
    sfi_put(&t, call, sfi_length(call));
    sfi_put(&t, ": ", 2);
    va_start(args, format);
    sfi_put_v(&t, format, args);
    va_end(args);
    if (!f->problem_count++) {
        f->failure.now.result = result;
        f->failure.now.call = call;
        sfi_keep_name(f->failure.where, sizeof f->failure.where, where);
        sfi_keep_name(f->failure.text, sizeof f->failure.text, text);
    }
    f->failure.now.count++;
    sfi_log(&f->logger, 1, (int32_t)result, text);
    sfi_put(&t, "\n", 1);
    n = (size_t)(t.at - text);
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
    return sfi_is_flow(f) && SFI_GET(f->state) != SFI_FLOW_RUNNING;
}
static sfi_op *sfi_op_at(const sf_flow *f, sf_op op)         /* NULL: not one of this flow's */
{
    uint32_t slot = op.id & 0xfffff;
    return slot && slot <= f->op_count && op.id >> 20 == f->generation ? &f->ops[slot - 1] : NULL;
}
static uint32_t sfi_op_index(const sfi_op *op) { return (op->pub.op.id & 0xfffff) - 1; }

static void sfi_flow_take_desc(sf_flow *f, const sf_flow_desc *d)
{
    int32_t i;
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
    f->spin = d->workers[0].spin ? d->workers[0].spin : 20000;
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
    for (i = 0; i < SF_DESC_WORKERS; i++) {
        if (d->workers[i].count > (i == 0)) { f->unsupported = "more than one worker (sf_flow_desc.workers)"; }
        if (d->workers[i].cpus || d->workers[i].realtime) { f->unsupported = "pinned or real-time workers"; }
    }
    if (d->jobs.enqueue) { f->unsupported = "a task system of yours (sf_flow_desc.jobs)"; }
}

/* Bytes that a flow of these limits takes at most, with names of usual length and eight ports per operator. */
SF_API size_t sf_flow_memory(const sf_flow_desc *desc)
{
    size_t n = 512 + SFI_ALIGN(sizeof(sfi_range_heap), 16) + sizeof(sf_flow);
    size_t per_op = sizeof(sfi_op) + SF_DESC_PORTS * (sizeof(sfi_input) + sizeof(sfi_output)) / 2 + 192;
    size_t streams;
    if (!desc || !desc->limits.ops) { return 0; }
    streams = desc->limits.streams ? desc->limits.streams : desc->limits.payload_bytes ? desc->limits.ops : 0;
    n += desc->limits.ops * (per_op + SF_DESC_CONDITIONS * sizeof(sfi_condition) + 4 * sizeof(sfi_source));
    n += (desc->limits.edges + desc->limits.ops) * (sizeof(sfi_edge) + 64);
    n += desc->limits.messages * (sizeof(sfi_message) + sizeof(int64_t) + 16 +
                                  desc->metadata_entries * sizeof(sfi_entry));
    n += 2 * (desc->limits.ops + desc->limits.messages) *
         (sizeof(sfi_staged) + desc->metadata_entries * sizeof(sfi_entry));
    if (desc->track.latency || desc->track.device_time) { n += desc->limits.ops * 2 * (sizeof(sfi_histogram) + 256); }
    if (desc->track.latency) { n += SFI_PATHS * (sizeof(sfi_path) + sizeof(sfi_histogram)); }
    n += desc->trace_events * sizeof(sfi_trace);
    if (!desc->device && desc->limits.payload_bytes + streams) {
        size_t ring = SFI_STREAM_DEPTH_FIXED * (SFI_COMMAND + 32) + 4 * sizeof(void *);
        n += (streams + 2) * (sizeof(sf_stream) + ring + 64);
        n += (streams + 2) * SFI_RING_FIXED * (sizeof(sf_event) + sizeof(sf_event *) + 32);
    }
    if (!desc->device && desc->limits.payload_bytes + streams) {
        n += sizeof(sf_device) + sizeof(sfi_host) + 2 * (sizeof(sf_stream) + sizeof(sf_stream_pool)) + 512;
    }
    if (desc->limits.payload_bytes) {
        size_t blocks = desc->limits.messages + 3 * desc->limits.ops;
        n += desc->limits.payload_bytes;
        n += blocks * (sizeof(sfi_tensor) + 8 * sizeof(sfi_point) + 4 * sizeof(sfi_cell) + SFI_HOST_ALIGN);
        n += (desc->limits.ops + 1) * (2 * sizeof(sf_mem_pool) + sizeof(sfi_allocation) + SFI_HOST_ALIGN + 256);
    }
    return SFI_ALIGN(n, 16);
}

static bool sfi_flow_reserve(sf_flow *f)                     /* memory handed in: all operators and edges at once */
{
    if (!f->fixed) { return true; }
    f->ops = (sfi_op *)sfi_alloc_zeroed(&f->heap, f->limit_ops * sizeof *f->ops);
    f->op_room = f->limit_ops;
    f->edge_room = f->limit_edges + f->limit_ops;            /* an external input is an edge, too */
    f->edges = (sfi_edge *)sfi_alloc_zeroed(&f->heap, f->edge_room * sizeof *f->edges);
    return f->ops && f->edges;
}

SF_API sf_flow *sf_flow_create(const sf_flow_desc *desc)
{
    sf_flow *f;
    sf_heap heap, none;
    sf_range no_range;
    sfi_zero(&none, sizeof none);
    sfi_zero(&no_range, sizeof no_range);
    if (sfi_this_thread.in_host_func) { return NULL; }
    if (sfi_heap_init(&heap, desc ? &desc->heap : &none, desc ? desc->memory : no_range) < 0) { return NULL; }
    f = (sf_flow *)sfi_alloc_zeroed(&heap, sizeof *f);
    if (!f) { return NULL; }
    f->heap = heap;
    f->slot.tag = SFI_TAG_FLOW;
    f->generation = (uint32_t)(((uintptr_t)f >> 4 ^ (uintptr_t)f >> 16) & 0xfff);
    if (!f->generation) { f->generation = 1; }
    f->spin = 20000;
    f->fixed = sfi_heap_is_range(&heap);
    sfi_failure_clear(&f->failure);
    sfi_mutex_init(&f->lock);
#ifndef SF_NO_THREADS
    sfi_cond_init(&f->ended);
    sfi_cond_init(&f->wake);
#endif
    if (desc) { sfi_flow_take_desc(f, desc); }
    sfi_keep_name(f->name, sizeof f->name, desc && desc->name ? desc->name : "flow");
    f->nothing.ndim = 1;
    f->nothing.dtype = SF_U8;
    f->nothing.device_type = 1;
    f->nothing.shape = f->nothing_shape;
    f->nothing.strides = f->nothing_shape;
    if (f->device) {
        if (sfi_check_device(f->device) < 0) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_create", f->name,
                                   "sf_flow_desc.device is not an open device, or has a fault");
            f->device = NULL;
        } else {
            (void)sfi_add(&f->device->flows, 1);
        }
    }
    if (f->unsupported) {
        (void)sfi_flow_problem(f, SF_ERROR_NOT_SUPPORTED, "sf_flow_create", f->name, "%s: not in this version",
                               f->unsupported);
    }
    if (f->fixed && !f->limit_ops) {
        (void)sfi_flow_problem(
            f, SF_ERROR_INVALID_VALUE, "sf_flow_create", f->name,
            "with sf_flow_desc.memory the limits are needed: set .limits.ops, .edges and .messages");
    } else if (!sfi_flow_reserve(f)) {
        (void)sfi_flow_problem(f, SF_ERROR_NO_ROOM, "sf_flow_create", f->name,
                               "sf_flow_desc.memory has %Z bytes, these limits need up to %Z", desc->memory.bytes,
                               sf_flow_memory(desc));
        f->op_room = f->edge_room = 0;
    }
    return f;
}

/* -- names and ports -- */

static const char *sfi_flow_name(sf_flow *f, const char *name)
{
    char full[2 * SFI_NAME];
    if (!f->scope[0]) { return sfi_copy_string(&f->heap, name); }
    sfi_format(full, sizeof full, "%s/%s", f->scope, name);
    return sfi_copy_string(&f->heap, full);
}
SF_API void sf_scope(sf_flow *f, const char *name)
{
    if (sfi_building(f)) { sfi_keep_name(f->scope, sizeof f->scope, name); }
}

static bool sfi_copy_input(sf_flow *f, sfi_input *in, const sf_port *port)
{
    in->name = sfi_copy_string(&f->heap, port->name);
    in->bytes = port->bytes;
    in->batch = port->batch ? port->batch : 1;
    in->capacity = port->capacity ? port->capacity : in->batch;
    in->optional = port->optional;
    in->many = port->many;
    in->external = port->external;
    in->first = in->last = SFI_NONE;
    return in->name != NULL;
}
static bool sfi_copy_output(sf_flow *f, sfi_output *out, const sf_port *port)
{
    out->name = sfi_copy_string(&f->heap, port->name);
    out->bytes = port->bytes;
    out->data = port->data;
    out->given = port->pool;
    out->memory = port->memory;
    out->first = out->last = SFI_NONE;
    return out->name != NULL;
}
static uint8_t sfi_count_ports(const sf_port *ports)
{
    uint8_t n = 0;
    while (n < SF_DESC_PORTS && ports[n].name) { n++; }
    return n;
}
static int sfi_no_memory(sf_flow *f, const char *call)
{
    (void)sfi_flow_problem(f, sfi_out_of_memory(&f->heap), call, f->name,
                           f->fixed ? "sf_flow_desc.memory is used up: raise .limits and ask sf_flow_memory() again"
                                    : "no memory");
    return -1;
}

/* An edge that outside threads fill stands beside the others, from nobody. */
static uint32_t sfi_edge_new(sf_flow *f)
{
    sfi_edge *e;
    if (f->edge_count == f->edge_room &&
        (f->fixed || !sfi_grow(&f->heap, (void **)&f->edges, &f->edge_room, f->edge_count + 1, sizeof *f->edges))) {
        return SFI_NONE;
    }
    e = &f->edges[f->edge_count];
    sfi_zero(e, sizeof *e);
    e->from = e->to = e->next_output = e->next_input = SFI_NONE;
    return f->edge_count++;
}
static void sfi_edge_into(sf_flow *f, uint32_t index, uint32_t op, uint16_t port)
{
    sfi_edge *e = &f->edges[index];
    sfi_input *in = &f->ops[op].inputs[port];
    e->to = op;
    e->input = port;
    if (in->last == SFI_NONE) { in->first = index; } else { f->edges[in->last].next_input = index; }
    in->last = index;
    in->edges++;
}
static void sfi_edge_from(sf_flow *f, uint32_t index, uint32_t op, uint16_t port)
{
    sfi_edge *e = &f->edges[index];
    sfi_output *out = &f->ops[op].outputs[port];
    e->from = op;
    e->output = port;
    if (out->last == SFI_NONE) { out->first = index; } else { f->edges[out->last].next_output = index; }
    out->last = index;
    out->edges++;
}

/* -- operators -- */

static bool sfi_add_conditions(sf_flow *f, sfi_op *op, const sf_op_desc *d)
{
    uint8_t n = 0, i;
    while (n < SF_DESC_CONDITIONS && d->when[n].kind) { n++; }
    op->condition_count = (uint8_t)(n + (d->period > 0));
    if (!op->condition_count) { return true; }
    op->conditions = (sfi_condition *)sfi_alloc_zeroed(&f->heap, op->condition_count * sizeof *op->conditions);
    if (!op->conditions) { return false; }
    for (i = 0; i < n; i++) { op->conditions[i].is = d->when[i]; }
    if (d->period > 0) {
        op->conditions[n].is.kind = SF_CONDITION_PERIOD;
        op->conditions[n].is.ns = d->period;
    }
    return true;
}
static bool sfi_add_ports(sf_flow *f, sfi_op *op, const sf_op_desc *d)
{
    uint8_t i;
    op->input_count = sfi_count_ports(d->in);
    op->output_count = sfi_count_ports(d->out);
    op->inputs = (sfi_input *)sfi_alloc_zeroed(&f->heap, op->input_count * sizeof *op->inputs);
    op->outputs = (sfi_output *)sfi_alloc_zeroed(&f->heap, op->output_count * sizeof *op->outputs);
    if (!op->inputs || !op->outputs) { return false; }
    for (i = 0; i < op->input_count; i++) {
        if (!sfi_copy_input(f, &op->inputs[i], &d->in[i])) { return false; }
    }
    for (i = 0; i < op->output_count; i++) {
        if (!sfi_copy_output(f, &op->outputs[i], &d->out[i])) { return false; }
    }
    return true;
}
static void sfi_op_free(sf_flow *f, sfi_op *op)              /* as far as it got */
{
    int p;
    for (p = 0; op->inputs && p < op->input_count; p++) { sfi_free(&f->heap, (void *)(uintptr_t)op->inputs[p].name); }
    for (p = 0; op->outputs && p < op->output_count; p++) {
        sfi_free(&f->heap, (void *)(uintptr_t)op->outputs[p].name);
    }
    sfi_free(&f->heap, op->inputs);
    sfi_free(&f->heap, op->outputs);
    sfi_free(&f->heap, op->conditions);
    sfi_free(&f->heap, (void *)(uintptr_t)op->pub.name);
}
static bool sfi_add_external(sf_flow *f, uint32_t op, uint16_t port)
{
    uint32_t e;
    if (!f->ops[op].inputs[port].external) { return true; }
    e = sfi_edge_new(f);
    if (e == SFI_NONE) { return false; }
    sfi_edge_into(f, e, op, port);
    return true;
}

SF_API sf_op sf_add(sf_flow *f, const sf_op_desc *desc)
{
    sf_op id;
    sfi_op *op;
    char number[16];
    uint16_t i;
    id.id = 0;
    if (!sfi_building(f)) { return id; }
    if (!desc || !desc->compute) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_add", desc ? desc->name : NULL,
                               "operator \"%s\" has no compute function: set sf_op_desc.compute",
                               desc && desc->name ? desc->name : "");
        return id;
    }
    if (f->op_count >= 0xffffe ||
        (f->op_count == f->op_room &&
         (f->fixed || !sfi_grow(&f->heap, (void **)&f->ops, &f->op_room, f->op_count + 1, sizeof *f->ops)))) {
        return sfi_no_memory(f, "sf_add"), id;
    }
    op = &f->ops[f->op_count];
    sfi_zero(op, sizeof *op);
    sfi_format(number, sizeof number, "op%u", (unsigned)f->op_count);
    op->pub.name = sfi_flow_name(f, desc->name ? desc->name : number);
    op->pub.flow = f;
    op->pub.user = desc->user;
    op->compute = desc->compute;
    op->initialize = desc->initialize;
    op->start = desc->start;
    op->stop = desc->stop;
    op->streams = desc->streams;
    op->adopt = desc->adopt_stream;
    op->on_error = desc->on_error;
    op->retries = desc->retries;
    op->priority = desc->priority;
    op->limit = desc->count;
    op->state = SF_OP_NEW;
    op->first_control = SFI_NONE;
    op->pub.op.id = f->generation << 20 | (f->op_count + 1);
    if (!op->pub.name || !sfi_add_ports(f, op, desc) || !sfi_add_conditions(f, op, desc)) {
        sfi_op_free(f, op);
        return sfi_no_memory(f, "sf_add"), id;
    }
    f->op_count++;
    SFI_SET(f->state, SFI_FLOW_BUILDING);
    for (i = 0; i < op->input_count; i++) {
        if (!sfi_add_external(f, f->op_count - 1, i)) { return sfi_no_memory(f, "sf_add"), id; }
    }
    if (desc->region || desc->workers) {
        (void)sfi_flow_problem(f, SF_ERROR_NOT_SUPPORTED, "sf_add", op->pub.name,
                               "operator \"%s\": sf_op_desc.%s is not in this version", op->pub.name,
                               desc->region ? "region" : "workers");
    }
    return f->ops[f->op_count - 1].pub.op;
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
    SFI_SET(f->state, SFI_FLOW_BUILDING);
    return op;
}
SF_API int sf_add_input(sf_flow *f, sf_op id, const sf_port *port)
{
    sfi_op *op = sfi_op_to_extend(f, id, port, true, "sf_add_input");
    sfi_input *more;
    uint8_t n;
    if (!op) { return -1; }
    n = op->input_count;
    more = (sfi_input *)sfi_alloc_zeroed(&f->heap, (n + 1u) * sizeof *more);
    if (!more) { return sfi_no_memory(f, "sf_add_input"); }
    if (n) { sfi_copy(more, op->inputs, n * sizeof *more); }
    sfi_free(&f->heap, op->inputs);
    op->inputs = more;
    if (!sfi_copy_input(f, &more[n], port)) { return sfi_no_memory(f, "sf_add_input"); }
    op->input_count++;
    return sfi_add_external(f, sfi_op_index(op), n) ? n : sfi_no_memory(f, "sf_add_input");
}
SF_API int sf_add_output(sf_flow *f, sf_op id, const sf_port *port)
{
    sfi_op *op = sfi_op_to_extend(f, id, port, false, "sf_add_output");
    sfi_output *more;
    uint8_t n;
    if (!op) { return -1; }
    n = op->output_count;
    more = (sfi_output *)sfi_alloc_zeroed(&f->heap, (n + 1u) * sizeof *more);
    if (!more) { return sfi_no_memory(f, "sf_add_output"); }
    if (n) { sfi_copy(more, op->outputs, n * sizeof *more); }
    sfi_free(&f->heap, op->outputs);
    op->outputs = more;
    if (!sfi_copy_output(f, &more[n], port)) { return sfi_no_memory(f, "sf_add_output"); }
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
        e = &f->edges[i];
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
    uint32_t a = sfi_op_index(from), b = sfi_op_index(to), index = sfi_edge_new(f), i;
    if (index == SFI_NONE) { return sfi_no_memory(f, "sf_connect"), SF_ERROR_OUT_OF_MEMORY; }
    for (i = 0; i < index; i++) {
        if (f->edges[i].control && f->edges[i].from == a && f->edges[i].to == b) {
            f->edge_count--;
            return sfi_flow_problem(f, SF_ERROR_CONNECTED_TWICE, "sf_connect", to->pub.name,
                                    "\"%s\" hands its turn to \"%s\" already", from->pub.name, to->pub.name);
        }
    }
    f->edges[index].control = true;
    f->edges[index].from = a;
    f->edges[index].to = b;
    f->edges[index].delay = d->delay;
    f->edges[index].next_output = from->first_control;
    from->first_control = index;
    to->control_edges++;
    return SF_OK;
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
                                "the %s operator (of %s -> %s) is not one of this flow's: use what sf_add() returned",
                                a ? "second" : "first", output ? output : "its only output",
                                input ? input : "its only input");
    }
    SFI_SET(f->state, SFI_FLOW_BUILDING);
    if (desc && desc->control) { return sfi_connect_control(f, a, b, desc); }
    out = sfi_find_output(a, output);
    in = sfi_find_input(b, input);
    if (out < 0) {
        return sfi_flow_problem(f, SF_ERROR_UNKNOWN_PORT, "sf_connect", a->pub.name,
                                output ? "operator \"%s\" has no output \"%s\": see sf_op_desc.out"
                                       : "operator \"%s\" has not exactly one output: name it%s",
                                a->pub.name, output ? output : "");
    }
    if (in < 0) {
        return sfi_flow_problem(f, SF_ERROR_UNKNOWN_PORT, "sf_connect", b->pub.name,
                                input ? "operator \"%s\" has no input \"%s\": see sf_op_desc.in"
                                      : "operator \"%s\" has not exactly one input: name it%s",
                                b->pub.name, input ? input : "");
    }
    r = sfi_connect_refused(f, a, out, b, in);
    if (r < 0) { return r; }
    if (desc && (uint32_t)desc->overflow > SF_OVERFLOW_ERROR) {
        return sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_connect", b->pub.name,
                                "\"%s\".%s: there is no such overflow policy", b->pub.name, b->inputs[in].name);
    }
    index = sfi_edge_new(f);
    if (index == SFI_NONE) { return sfi_no_memory(f, "sf_connect"), SF_ERROR_OUT_OF_MEMORY; }
    e = &f->edges[index];
    if (desc) {
        e->overflow = (uint8_t)desc->overflow;
        e->limit = desc->capacity;           /* 0: the port's, settled when it is laid out */
        e->delay = desc->delay;
    }
    sfi_edge_from(f, index, sfi_op_index(a), (uint16_t)out);
    sfi_edge_into(f, index, sfi_op_index(b), (uint16_t)in);
    return SF_OK;
}

/* >>check --------------------------------------------------------------------------------------------- */

static bool sfi_has_memory(const sfi_output *out) { return out->bytes || out->given || out->data; }
static uint32_t sfi_edge_limit(const sf_flow *f, const sfi_edge *e)
{
    uint32_t n = e->limit ? e->limit : f->ops[e->to].inputs[e->input].capacity;
    return n < e->delay ? e->delay : n;
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
        e = &f->edges[i];
        if (sfi_edge_limit(f, e) < in->batch) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                                   "input \"%s\".%s wants a batch of %d, its edge holds %d: raise the capacity",
                                   op->pub.name, in->name, (int)in->batch, (int)sfi_edge_limit(f, e));
        }
        if (e->from == SFI_NONE) { continue; }
        from = &f->ops[e->from];
        out = from->outputs[e->output].bytes;
        if (out && in->bytes && out != in->bytes && (final || (!from->initialize && !op->initialize))) {
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
    if (out->given && out->given->slot.tag != SFI_TAG_MEM_POOL) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_check", op->pub.name,
                               "output \"%s\".%s: sf_port.pool is not a memory pool", op->pub.name, out->name);
    } else if (out->given && out->given->desc.kind == SF_MEM_POOL_BLOCKS &&
               out->given->desc.block_bytes < out->bytes) {
        (void)sfi_flow_problem(f, SF_ERROR_MISMATCH, "sf_flow_check", op->pub.name,
                               "output \"%s\".%s needs %Z bytes, the blocks of its pool have %Z", op->pub.name,
                               out->name, out->bytes, out->given->desc.block_bytes);
    }
    if (out->data && !out->bytes && (final || !op->initialize)) {
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
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e].next_input) {
            most += sfi_edge_limit(f, &f->edges[e]);
        }
    }
    return most;
}
static bool sfi_room_possible(const sf_flow *f, const sfi_op *op, uint32_t ports, uint32_t count)
{
    uint32_t i, e;
    for (i = 0; i < op->output_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->outputs[i].first; e != SFI_NONE; e = f->edges[e].next_output) {
            if (sfi_edge_limit(f, &f->edges[e]) < count) { return false; }
        }
    }
    return true;
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
    case SF_CONDITION_PERIOD: wrong = c->is.ns > 0 ? NULL : "set .ns to the period in nanoseconds"; break;
    case SF_CONDITION_TIME: break;
    case SF_CONDITION_SIGNAL: wrong = c->is.initial <= SF_NEVER ? NULL : "there is no such initial state"; break;
    case SF_CONDITION_MESSAGES:
    case SF_CONDITION_EXPIRING:
        if (c->is.count > sfi_most_messages(f, op, ports)) {
            wrong = "its queues can never hold so many: raise capacities";
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
    case SF_CONDITION_STREAM: break;
    default: wrong = "there is no such kind";
    }
    if (wrong) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_VALUE, "sf_flow_check", op->pub.name,
                               "operator \"%s\", condition %d (sf_op_desc.when) cannot hold: %s", op->pub.name, index,
                               wrong);
    }
}

/* Whether an edge can keep its consumer from ever beginning. */
static bool sfi_edge_binds(const sf_flow *f, const sfi_edge *e)
{
    return !e->control && e->from != SFI_NONE && !e->delay && !f->ops[e->to].inputs[e->input].optional;
}
static void sfi_check_report_circle(sf_flow *f, uint32_t start)
{
    char names[SFI_TEXT / 2];
    sfi_text t = sfi_text_in(names, sizeof names);
    uint32_t at = start, steps, i;
    for (steps = 0; steps <= f->op_count; steps++) {         /* go back until somebody comes up again */
        uint32_t before = SFI_NONE;
        f->ops[at].mark = 1;
        for (i = 0; i < f->edge_count; i++) {
            const sfi_edge *e = &f->edges[i];
            if (e->to == at && e->from != SFI_NONE && f->ops[e->from].unmet && !e->delay) { before = e->from; }
        }
        if (before == SFI_NONE || f->ops[before].mark) { break; }
        at = before;
    }
    sfi_put(&t, f->ops[at].pub.name, sfi_length(f->ops[at].pub.name));
    for (i = 0; i < f->op_count; i++) {
        if (f->ops[i].mark && i != at) {
            sfi_put(&t, ", ", 2);
            sfi_put(&t, f->ops[i].pub.name, sfi_length(f->ops[i].pub.name));
        }
        f->ops[i].mark = 0;
    }
    (void)sfi_flow_problem(f, SF_ERROR_DEADLOCK, "sf_flow_check", f->ops[at].pub.name,
                           "these operators wait for each other in a circle: %s; one of the edges between them needs "
                           "sf_edge_desc.delay = 1 or more",
                           names);
}
/* Takes away, one by one, the operators that can begin; what is left waits for itself. */
static void sfi_check_circles(sf_flow *f)
{
    uint32_t i, first = SFI_NONE, last = SFI_NONE, e, o;
    for (i = 0; i < f->op_count; i++) {
        f->ops[i].unmet = f->ops[i].control_edges ? 1 : 0;
        f->ops[i].mark = 0;
    }
    for (i = 0; i < f->edge_count; i++) {
        if (sfi_edge_binds(f, &f->edges[i])) { f->ops[f->edges[i].to].unmet++; }
        if (f->edges[i].control && f->edges[i].delay) { f->ops[f->edges[i].to].mark = 1; }   /* has a turn at start */
    }
    for (i = 0; i < f->op_count; i++) {
        if (f->ops[i].mark) { f->ops[i].unmet--; }
        f->ops[i].next = SFI_NONE;
        if (!f->ops[i].unmet) {
            if (last == SFI_NONE) { first = i; } else { f->ops[last].next = i; }
            last = i;
        }
    }
    for (; first != SFI_NONE; first = f->ops[first].next) {
        const sfi_op *op = &f->ops[first];
        for (o = 0; o <= op->output_count; o++) {            /* its outputs' edges, then its control edges */
            bool control = o == op->output_count;
            for (e = control ? op->first_control : op->outputs[o].first; e != SFI_NONE; e = f->edges[e].next_output) {
                sfi_op *to = &f->ops[f->edges[e].to];
                bool counts = control ? !to->mark : sfi_edge_binds(f, &f->edges[e]);
                if (control) { to->mark = 1; }               /* either of several gives the turn */
                if (counts && --to->unmet == 0) {
                    f->ops[last].next = f->edges[e].to;
                    last = f->edges[e].to;
                    to->next = SFI_NONE;
                }
            }
        }
    }
    for (i = 0; i < f->op_count; i++) { f->ops[i].mark = 0; }
    for (i = 0; i < f->op_count && !f->ops[i].unmet; i++) {}
    if (i < f->op_count) { sfi_check_report_circle(f, i); }
}

/* All that is wrong, as problems. `final`: the sizes of ports are settled. */
static sf_result sfi_validate(sf_flow *f, bool final)
{
    uint32_t i;
    int p;
    f->problem_count = f->built_count;       /* what was found before may be mended by now */
    f->problem_bytes = f->built_bytes;
    if (!f->built_count) { sfi_failure_clear(&f->failure); }
    f->checking = true;
    for (i = 0; i < f->op_count; i++) {
        const sfi_op *op = &f->ops[i];
        for (p = 0; p < op->input_count; p++) { sfi_check_input(f, op, &op->inputs[p], final); }
        for (p = 0; p < op->output_count; p++) { sfi_check_output(f, op, &op->outputs[p], final); }
        for (p = 0; p < op->condition_count; p++) { sfi_check_condition(f, op, &op->conditions[p], p); }
        if (op->streams && op->streams->slot.tag != SFI_TAG_STREAM_POOL) {
            (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_check", op->pub.name,
                                   "operator \"%s\": sf_op_desc.streams is not a stream pool", op->pub.name);
        }
    }
    if (f->given_streams && f->given_streams->slot.tag != SFI_TAG_STREAM_POOL) {
        (void)sfi_flow_problem(f, SF_ERROR_INVALID_HANDLE, "sf_flow_check", f->name,
                               "sf_flow_desc.streams is not a stream pool");
    }
    sfi_check_circles(f);
    f->checking = false;
    return f->problem_count ? f->failure.now.result : SF_OK;
}

/* >>layout -------------------------------------------------------------------------------------------- */

static bool sfi_expires(const sfi_op *op, uint32_t input)
{
    uint8_t i;
    for (i = 0; i < op->condition_count; i++) {
        const sfi_condition *c = &op->conditions[i];
        if (c->is.kind == SF_CONDITION_EXPIRING && (sfi_condition_ports(c, op->input_count) >> input & 1)) {
            return true;
        }
    }
    return false;
}
static void sfi_layout_edges(sf_flow *f, sfi_arena *arena)
{
    uint32_t i;
    f->message_count = 0;
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = &f->edges[i];
        uint32_t limit;
        if (e->control) { continue; }
        limit = sfi_edge_limit(f, e);
        e->room = limit + (e->from == e->to);                /* its own message goes before the next one comes */
        e->need = e->overflow == SF_OVERFLOW_LATEST ? 1 : f->ops[e->to].inputs[e->input].batch;
        e->ring = (sfi_message *)sfi_carve(arena, e->room * sizeof *e->ring);
        e->entries =
            f->entries_max ? (sfi_entry *)sfi_carve(arena, e->room * f->entries_max * sizeof *e->entries) : NULL;
        e->arrivals =
            sfi_expires(&f->ops[e->to], e->input) ? (int64_t *)sfi_carve(arena, e->room * sizeof(int64_t)) : NULL;
        f->message_count += e->room;
    }
}

/* The operators' own: sources of bells, ways to look at them. */
static void sfi_layout_ops(sf_flow *f, sfi_arena *arena)
{
    uint32_t i, staged = 0, sources = 0;
    int p;
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = &f->ops[i];
        uint32_t want = 0, e;
        bool track = f->latency || f->device_time;
        for (p = 0; p < op->output_count; p++) {
            uint32_t most = 1;
            for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e].next_output) {
                if (f->edges[e].room > most) { most = f->edges[e].room; }
            }
            want += most + 1;
            op->outputs[p].subscriber.source = sources;
        }
        if (want > staged) { staged = want; }
        op->memory_source = sources++;
        for (p = 0; p < op->input_count; p++) { sources += op->inputs[p].external; }
        for (p = 0; p < op->condition_count; p++) { op->conditions[p].source = sources++; }
        op->cpu = track ? (sfi_histogram *)sfi_carve(arena, sizeof *op->cpu) : NULL;
        op->device = f->device_time ? (sfi_histogram *)sfi_carve(arena, sizeof *op->device) : NULL;
        op->stamps = f->device_time ? (sfi_stamp *)sfi_carve(arena, SFI_STAMPS * sizeof *op->stamps) : NULL;
    }
    f->source_count = sources;
    f->turn.staged_room = staged;
    f->turn.staged = (sfi_staged *)sfi_carve(arena, staged * sizeof *f->turn.staged);
    f->turn.entries = (sfi_entry *)sfi_carve(arena, f->entries_max * sizeof *f->turn.entries);
}
static void sfi_layout(sf_flow *f, sfi_arena *arena)
{
    uint32_t i, levels = f->op_count < SFI_LEVELS ? f->op_count : (uint32_t)SFI_LEVELS;
    sfi_layout_edges(f, arena);
    sfi_layout_ops(f, arena);
    f->levels = (sfi_level *)sfi_carve(arena, levels * sizeof *f->levels);
    f->priorities = (int32_t *)sfi_carve(arena, levels * sizeof *f->priorities);
    f->timers = (uint32_t *)sfi_carve(arena, f->op_count * sizeof *f->timers);
    f->gpu_waiters = (uint32_t *)sfi_carve(arena, f->op_count * sizeof *f->gpu_waiters);
    f->sources = (sfi_source *)sfi_carve(arena, f->source_count * sizeof *f->sources);
    f->groups = (sfi_atomic32 *)sfi_carve(arena, (f->source_count / 64 + 1) * sizeof *f->groups);
    f->paths = f->latency ? (sfi_path *)sfi_carve(arena, SFI_PATHS * sizeof *f->paths) : NULL;
    for (i = 0; f->latency && i < SFI_PATHS; i++) {
        sfi_histogram *h = (sfi_histogram *)sfi_carve(arena, sizeof *h);
        if (arena->base) { f->paths[i].latency = h; }
    }
    f->trace = f->trace_room ? (sfi_trace *)sfi_carve(arena, f->trace_room * sizeof *f->trace) : NULL;
}

/* Distinct priorities, most urgent first; more than 64 share the last list. */
static void sfi_layout_levels(sf_flow *f)
{
    uint32_t i, n = 0, k;
    for (i = 0; i < f->op_count; i++) {
        int32_t p = f->ops[i].priority;
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
        for (k = 0; k + 1 < n && f->priorities[k] < f->ops[i].priority; k++) {}
        f->ops[i].level = k;
    }
    f->level_count = n;
}
static void sfi_layout_source(sf_flow *f, uint32_t source, uint32_t op, int index, sfi_source_kind kind)
{
    f->sources[source].op = op;
    f->sources[source].index = (uint16_t)index;
    f->sources[source].kind = (uint8_t)kind;
}
static void sfi_layout_sources(sf_flow *f)
{
    uint32_t i, s;
    int p;
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = &f->ops[i];
        s = op->memory_source;
        sfi_layout_source(f, s++, i, 0, SFI_SOURCE_MEMORY);
        for (p = 0; p < op->input_count; p++) {
            if (op->inputs[p].external) { sfi_layout_source(f, s++, i, p, SFI_SOURCE_INPUT); }
        }
        for (p = 0; p < op->condition_count; p++) {
            sfi_layout_source(f, op->conditions[p].source, i, p, SFI_SOURCE_CONDITION);
        }
    }
}
static uint32_t sfi_input_source(const sfi_op *op, int input)
{
    uint32_t s = op->memory_source + 1;
    int p;
    for (p = 0; p < input; p++) { s += op->inputs[p].external; }
    return s;
}

/* Which built-in conditions the operator's own replace or look at. */
static void sfi_layout_conditions(sfi_op *op)
{
    uint32_t i;
    uint8_t k;
    for (i = 0; i < op->input_count; i++) { op->inputs[i].custom = op->inputs[i].watched = false; }
    for (i = 0; i < op->output_count; i++) {
        op->outputs[i].custom_room = op->outputs[i].custom_memory = op->outputs[i].watched = false;
    }
    for (k = 0; k < op->condition_count; k++) {
        const sfi_condition *c = &op->conditions[k];
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
            out->watched = out->watched || out->custom_room;
        }
    }
    op->extras = op->condition_count > 0;
}

static void sfi_flow_drop_block(sf_flow *f)
{
    sfi_free(&f->heap, f->block);
    f->block = NULL;
    f->turn.op = NULL;
}

/* Everything that needs no device: checked and laid out, once for any number of runs. */
static sf_result sfi_prepare(sf_flow *f)
{
    sfi_arena arena;
    sf_result r;
    uint32_t i;
    if (SFI_GET(f->state) == SFI_FLOW_READY) { return SF_OK; }
    r = sfi_validate(f, false);
    if (r < 0) { return r; }
    sfi_flow_drop_block(f);
    arena.base = NULL;
    arena.used = 0;
    sfi_layout(f, &arena);
    if (f->fixed && f->message_count > f->limit_messages + f->limit_ops) {
        return sfi_flow_fail(f, NULL, SF_ERROR_NO_ROOM, "sf_start",
                             "the queues hold %u messages, limits.messages is %u", (unsigned)f->message_count,
                             (unsigned)f->limit_messages);
    }
    f->block_bytes = arena.used;
    f->block = sfi_alloc_zeroed(&f->heap, arena.used);
    if (!f->block) {
        return sfi_flow_fail(f, NULL, sfi_out_of_memory(&f->heap), "sf_start",
                             "queues and tables need %Z bytes%s", arena.used,
                             f->fixed ? ": raise .limits and ask sf_flow_memory() again" : "");
    }
    arena.base = (char *)f->block;
    arena.used = 0;
    sfi_layout(f, &arena);
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = &f->edges[i];
        e->first = e->count = e->absorbed = 0;
        e->messages = e->dropped = e->refused = e->high = 0;
        SFI_SET(e->closed, false);
        sfi_store(&e->pushed, 0);
        sfi_store(&e->popped, 0);
    }
    for (i = 0; i < f->op_count; i++) { sfi_layout_conditions(&f->ops[i]); }
    sfi_layout_levels(f);
    sfi_layout_sources(f);
    SFI_SET(f->state, SFI_FLOW_READY);
    return SF_OK;
}

/* -- what needs a device -- */

/* An operator works on the GPU of its streams; where that is not the flow's, it is made current around each hook. */
typedef struct sfi_entered { const sf_flow *before; bool device; } sfi_entered;
static sf_device *sfi_op_device(const sf_flow *f, const sfi_op *op)
{
    return op->streams ? op->streams->device : f->device;
}
static sf_result sfi_enter_op(const sf_flow *f, const sfi_op *op, sfi_entered *entered)
{
    sf_device *device = sfi_op_device(f, op);
    entered->before = sfi_this_thread.running;               /* a hook may run another flow */
    entered->device = false;
    sfi_this_thread.running = f;
    return device == f->device ? SF_OK : device->backend->enter(device, &entered->device);
}
static void sfi_leave_op(const sfi_op *op, const sfi_entered *entered)
{
    if (entered->device) { op->streams->device->backend->leave(op->streams->device, true); }
    sfi_this_thread.running = entered->before;
}
static bool sfi_op_may_use_gpu(const sf_flow *f, const sfi_op *op)
{
    uint32_t e;
    int p;
    if (op->streams) { return true; }
    for (p = 0; p < op->output_count; p++) {
        if (sfi_has_memory(&op->outputs[p])) { return true; }
    }
    for (p = 0; p < op->input_count; p++) {
        if (op->inputs[p].bytes) { return true; }
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e].next_input) {
            const sfi_edge *edge = &f->edges[e];
            if (edge->from != SFI_NONE && sfi_has_memory(&f->ops[edge->from].outputs[edge->output])) { return true; }
        }
    }
    return false;
}

static sf_result sfi_flow_enter(sf_flow *f, bool *entered)
{
    *entered = false;
    return f->device ? f->device->backend->enter(f->device, entered) : SF_OK;
}
static void sfi_flow_leave(sf_flow *f, bool entered)
{
    if (entered) { f->device->backend->leave(f->device, entered); }
}
static sf_result sfi_open_flow_device(sf_flow *f)
{
    sf_device_desc d;
    sf_result r;
    if (f->device) { return sfi_check_device(f->device); }
    if (f->fixed && !f->limit_payload && !f->limit_streams) { return SF_OK; }        /* values only: needs none */
    sfi_zero(&d, sizeof d);
    d.backend = f->fixed ? SF_BACKEND_HOST : f->backend;
    d.logger = f->logger;
    d.heap = f->heap;
    r = sf_device_open(&d, &f->device);
    if (r < 0) {
        return sfi_flow_fail(f, NULL, r, "sf_start", "no device could be opened: %s", sf_result_string(r));
    }
    f->owns_device = true;
    (void)sfi_add(&f->device->flows, 1);
    return SF_OK;
}

/* How many blocks an output keeps busy: what its queues hold, and those behind operators that only pass it on. */
static uint32_t sfi_blocks_downstream(const sf_flow *f, const sfi_output *out, int depth)
{
    uint32_t n = 0, e;
    int p;
    for (e = out->first; e != SFI_NONE; e = f->edges[e].next_output) {
        const sfi_op *to = &f->ops[f->edges[e].to];
        n += sfi_edge_limit(f, &f->edges[e]);
        for (p = 0; p < to->output_count && depth < 16; p++) {
            if (!sfi_has_memory(&to->outputs[p])) { n += sfi_blocks_downstream(f, &to->outputs[p], depth + 1); }
        }
    }
    return n;
}
static sf_result sfi_make_output_pool(sf_flow *f, sfi_op *op, sfi_output *out)
{
    sf_mem_pool_desc d;
    sf_result r = SF_OK;
    out->pool = out->given;
    out->reserved = NULL;
    if (!out->given && out->bytes && !f->device) {
        return sfi_flow_fail(f, op, SF_ERROR_NO_ROOM, "sf_start",
                             "output \"%s\" needs memory: set limits.payload_bytes", out->name);
    }
    if (!out->given && out->bytes) {
        sfi_zero(&d, sizeof d);
        d.kind = SF_MEM_POOL_BLOCKS;
        d.memory = (sf_memory)out->memory;
        d.block_bytes = out->bytes;
        d.blocks = out->data ? 1 : sfi_blocks_downstream(f, out, 0) + 2;
        r = sfi_pool_make(sfi_op_device(f, op), &d, out->data, out->edges + 4, &out->pool);
        if (r < 0) {
            out->pool = NULL;
            return sfi_flow_fail(f, op, f->fixed ? SF_ERROR_NO_ROOM : r, "sf_start",
                                 "output \"%s\" needs %Z blocks of %Z bytes: %s", out->name, d.blocks, out->bytes,
                                 f->fixed ? "raise limits.payload_bytes" : "there is not so much memory");
        }
        f->payload_bytes += d.blocks * out->bytes;
    }
    if (out->pool && sfi_check_mem_pool(out->pool) < 0) {
        return sfi_flow_fail(f, op, SF_ERROR_INVALID_HANDLE, "sf_start", "the pool of output \"%s\" was destroyed",
                             out->name);
    }
    if (out->pool) {
        out->subscriber.flow = f;
        out->subscriber.source = op->memory_source;
        sfi_spin_lock(&out->pool->busy);
        out->subscriber.next = out->pool->subscribers;
        out->pool->subscribers = &out->subscriber;
        if (out->custom_memory) { (void)sfi_add(&out->pool->waiting, 1); }   /* wants to hear of each block */
        sfi_spin_unlock(&out->pool->busy);
    }
    return r;
}
static void sfi_drop_output_pool(sfi_output *out)
{
    sfi_subscriber **link;
    if (!out->pool) { return; }
    sfi_spin_lock(&out->pool->busy);
    for (link = &out->pool->subscribers; *link && *link != &out->subscriber; link = &(*link)->next) {}
    if (*link) {
        *link = out->subscriber.next;
        if (out->custom_memory) { (void)sfi_add(&out->pool->waiting, (uint32_t)-1); }
    }
    sfi_spin_unlock(&out->pool->busy);
    if (!out->given) { (void)sf_mem_pool_destroy(out->pool); }
    out->pool = NULL;
}
static sf_result sfi_make_pools(sf_flow *f)
{
    uint32_t i;
    int p;
    sf_result r = SF_OK;
    f->payload_bytes = 0;
    for (i = 0; i < f->op_count && r >= 0; i++) {
        for (p = 0; p < f->ops[i].output_count && r >= 0; p++) {
            r = sfi_make_output_pool(f, &f->ops[i], &f->ops[i].outputs[p]);
        }
    }
    return r;
}

/* An output is quiet if whoever gets its messages, or gets them passed on, works on the stream that they carry. */
static bool sfi_output_is_quiet(const sf_flow *f, const sfi_output *out, int depth)
{
    uint32_t e;
    if (depth > 16 || (out->pool && sfi_cpu_visible(out->pool->desc.memory))) { return false; }
    for (e = out->first; e != SFI_NONE; e = f->edges[e].next_output) {
        const sfi_op *to = &f->ops[f->edges[e].to];
        int p, edges = 0;
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
    sf_result r = SF_OK;
    int p;
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = &f->ops[i];
        uint32_t messages = 0;
        op->uses_gpu = sfi_op_may_use_gpu(f, op) ||
                       (f->op_count <= SFI_SMALL_FLOW && (!f->fixed || f->limit_streams));
        wanted += op->uses_gpu && !op->streams && !op->adopt;
        for (p = 0; p < op->output_count; p++) {
            op->outputs[p].quiet = sfi_output_is_quiet(f, &op->outputs[p], 0);
            messages += sfi_blocks_downstream(f, &op->outputs[p], 0) + 4;
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
    for (i = 0; i < f->op_count && r >= 0; i++) {
        if (f->ops[i].streams) { r = sfi_stream_pool_reserve(f->ops[i].streams, f->ops[i].streams->count + 1, ring); }
    }
    if (r >= 0 && wanted && f->device) {
        r = sfi_order_arm(f->device->legacy, f->fixed ? (uint32_t)SFI_RING_FIXED : ring);
    }
    if (r < 0) {
        return sfi_flow_fail(f, NULL, r, "sf_start", "streams and events for %u operators", (unsigned)wanted);
    }
    return r;
}

static sf_result sfi_make_stamps(sf_flow *f)
{
    uint32_t i, k;
    sf_result r = SF_OK;
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = &f->ops[i];
        for (k = 0; op->stamps && op->uses_gpu && k < SFI_STAMPS && r >= 0; k++) {
            r = sf_event_create(f->device, SF_EVENT_DEFAULT, &op->stamps[k].begin);
            if (r >= 0) { r = sf_event_create(f->device, SF_EVENT_DEFAULT, &op->stamps[k].end); }
        }
    }
    return r < 0 ? sfi_flow_fail(f, NULL, r, "sf_start", "timing events") : r;
}
static void sfi_drop_stamps(sfi_op *op)
{
    uint32_t k;
    for (k = 0; op->stamps && k < SFI_STAMPS; k++) {
        if (op->stamps[k].begin) { (void)sf_event_destroy(op->stamps[k].begin); }
        if (op->stamps[k].end) { (void)sf_event_destroy(op->stamps[k].end); }
        sfi_zero(&op->stamps[k], sizeof op->stamps[k]);
    }
}

/* >>bells --------------------------------------------------------------------------------------------- */

/* Rung by any thread or interrupt, heard by the thread that runs the flow. Three levels of flags, so that neither
   side looks at all sources: plain stores on the way in, so that an interrupt may do it, and one exchange at the end,
   which also orders it against the runner's going to sleep. */
static void sfi_wake(sf_flow *f)
{
    (void)sfi_swap(&f->attention, 1);
#ifndef SF_NO_THREADS
    if (sfi_load_ordered(&f->sleeping)) {
        sfi_lock(&f->lock);
        sfi_cond_wake(&f->wake);
        sfi_unlock(&f->lock);
    }
#endif
}
static void sfi_bell(sf_flow *f, uint32_t source)
{
    SFI_STEP("bell");
    sfi_store(&f->sources[source].rung, 1);
    SFI_STEP("bell group");
    sfi_store(&f->groups[source / 64], 1);
    sfi_wake(f);
}

/* Until somebody rings or the deadline, in the system's time. */
static void sfi_sleep_until(sf_flow *f, int64_t deadline)
{
#ifndef SF_NO_THREADS
    sfi_lock(&f->lock);
    sfi_store_ordered(&f->sleeping, 1);
    SFI_STEP("sleep");
    if (!sfi_load_ordered(&f->attention)) { (void)sfi_cond_wait(&f->wake, &f->lock, deadline); }
    sfi_store_ordered(&f->sleeping, 0);
    sfi_unlock(&f->lock);
#else
    (void)f;
    if (deadline != SFI_NEVER) { sfi_sleep(1000); }
#endif
}

static int64_t sfi_flow_now(const sf_flow *f)
{
    return f->simulated ? SFI_GET(f->now) : f->clock ? f->clock(f->clock_user) : sfi_clock();
}

/* >>ready --------------------------------------------------------------------------------------------- */

static bool sfi_op_active(const sfi_op *op) { return op->state >= SF_OP_WAITING && op->state <= SF_OP_COMPUTING; }

/* All its conditions hold: to the end of the list of its priority. */
static void sfi_ready(sf_flow *f, sfi_op *op)
{
    sfi_level *level = &f->levels[op->level];
    uint32_t index = sfi_op_index(op);
    if (op->queued || op->state != SF_OP_WAITING) { return; }
    op->queued = true;
    SFI_SET(op->state, SF_OP_QUEUED);
    op->next = SFI_NONE;
    if (level->last == SFI_NONE) { level->first = index; } else { f->ops[level->last].next = index; }
    level->last = index;
    f->level_mask |= (uint64_t)1 << op->level;
}
static sfi_op *sfi_next_ready(sf_flow *f)
{
    while (f->level_mask) {
        uint32_t l = (uint32_t)sfi_lowest_bit(f->level_mask);
        sfi_level *level = &f->levels[l];
        sfi_op *op = &f->ops[level->first];
        level->first = op->next;
        if (level->first == SFI_NONE) {
            level->last = SFI_NONE;
            f->level_mask &= ~((uint64_t)1 << l);
        }
        op->queued = false;
        if (op->state != SF_OP_QUEUED) { continue; }         /* stopped meanwhile */
        SFI_SET(op->state, SF_OP_WAITING);
        if (!op->unmet) { return op; }       /* else a condition ceased to hold: whoever meets it brings it back */
    }
    return NULL;
}
static void sfi_meet(sf_flow *f, sfi_op *op)
{
    SF_ASSERT(op->unmet > 0);
    if (--op->unmet == 0) { sfi_ready(f, op); }
}

/* -- timers: a heap of operators by the time at which they want to be looked at -- */

static void sfi_timer_place(sf_flow *f, uint32_t place, uint32_t op)
{
    f->timers[place] = op;
    f->ops[op].timer = place + 1;
}
static void sfi_timer_up(sf_flow *f, uint32_t place)
{
    uint32_t op = f->timers[place];
    while (place && f->ops[f->timers[(place - 1) / 2]].wake > f->ops[op].wake) {
        sfi_timer_place(f, place, f->timers[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    sfi_timer_place(f, place, op);
}
static void sfi_timer_down(sf_flow *f, uint32_t place)
{
    uint32_t op = f->timers[place], child;
    while ((child = 2 * place + 1) < f->timer_count) {
        if (child + 1 < f->timer_count && f->ops[f->timers[child + 1]].wake < f->ops[f->timers[child]].wake) {
            child++;
        }
        if (f->ops[f->timers[child]].wake >= f->ops[op].wake) { break; }
        sfi_timer_place(f, place, f->timers[child]);
        place = child;
    }
    sfi_timer_place(f, place, op);
}
static void sfi_timer_set(sf_flow *f, sfi_op *op, int64_t wake)              /* SFI_NEVER: none */
{
    uint32_t place = op->timer;
    op->wake = wake;
    if (wake == SFI_NEVER) {
        if (!place) { return; }
        op->timer = 0;
        if (--f->timer_count == place - 1) { return; }
        sfi_timer_place(f, place - 1, f->timers[f->timer_count]);
        sfi_timer_up(f, place - 1);
        sfi_timer_down(f, f->ops[f->timers[place - 1]].timer - 1);
    } else if (!place) {
        f->timers[f->timer_count] = sfi_op_index(op);
        sfi_timer_up(f, f->timer_count++);
    } else {
        sfi_timer_up(f, place - 1);
        sfi_timer_down(f, op->timer - 1);
    }
}

/* -- operators that the GPU holds up -- */

static void sfi_gpu_wait(sf_flow *f, sfi_op *op, sf_stream *blocker)
{
    op->blocker = blocker;
    if (op->gpu_wait || !blocker) { return; }
    SFI_SET(op->gpu_wait, true);
    f->gpu_waiters[f->gpu_waiter_count++] = sfi_op_index(op);
}

/* >>conditions ---------------------------------------------------------------------------------------- */

static void sfi_op_end(sf_flow *f, sfi_op *op, sf_op_state state);

static uint32_t sfi_queued(const sf_flow *f, const sfi_op *op, uint32_t ports)
{
    uint32_t n = 0, i, e;
    for (i = 0; i < op->input_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e].next_input) { n += f->edges[e].count; }
    }
    return n;
}
static bool sfi_batches_there(const sf_flow *f, const sfi_op *op, uint32_t ports)
{
    uint32_t i, e;
    for (i = 0; i < op->input_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e].next_input) {
            if (f->edges[e].count < op->inputs[i].batch) { return false; }
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
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e].next_input) {
            const sfi_edge *edge = &f->edges[e];
            if (edge->count && edge->arrivals[edge->first] < oldest) { oldest = edge->arrivals[edge->first]; }
        }
    }
    return oldest;
}
static bool sfi_room_for(const sf_flow *f, const sfi_op *op, uint32_t ports, uint32_t count)
{
    uint32_t i, e;
    for (i = 0; i < op->output_count; i++) {
        if (!(ports >> i & 1)) { continue; }
        for (e = op->outputs[i].first; e != SFI_NONE; e = f->edges[e].next_output) {
            const sfi_edge *edge = &f->edges[e];
            if (edge->overflow == SF_OVERFLOW_BLOCK && !edge->closed && edge->room - edge->count < count) {
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
        uint32_t kept = out->reserved ? 1 : 0;
        if (!(ports >> i & 1) || !out->pool || count <= kept) { continue; }
        if (!sfi_pool_has(out->pool, count - kept, out->bytes, &blocker)) {
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
        for (e = op->inputs[i].first; e != SFI_NONE; e = f->edges[e].next_input) {
            for (m = 0; m < f->edges[e].count; m++) {
                sfi_point *p = &sfi_message_at(&f->edges[e], m)->order;
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
        f->result = f->result < 0 ? f->result : r;
        sfi_copy_failure(f->device, text, sizeof text);
        (void)sfi_flow_fail(f, op, r, "SF_CONDITION_STREAM", "the GPU work behind its messages failed: %s. %s",
                            sf_result_string(r), text);
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
        return enough ? SF_READY : c->is.ns > 0 ? sfi_by_time(op->last_run + c->is.ns, now, wake) : SF_WAIT;
    case SF_CONDITION_EXPIRING:
        if (sfi_queued(f, op, in) >= c->is.count) { return SF_READY; }
        oldest = sfi_oldest_arrival(f, op, in);
        return oldest == SFI_NEVER ? SF_WAIT : sfi_by_time(oldest + c->is.ns, now, wake);
    case SF_CONDITION_ROOM: return sfi_room_for(f, op, out, c->is.count ? c->is.count : 1) ? SF_READY : SF_WAIT;
    case SF_CONDITION_MEMORY: return sfi_memory_for(f, op, out, c->is.count ? c->is.count : 1) ? SF_READY : SF_WAIT;
    case SF_CONDITION_STREAM: return sfi_stream_readiness(f, op, in);
    case SF_CONDITION_USER: {
        int64_t ask = SFI_NEVER;
        sf_readiness r = c->is.custom.check(c->is.custom.user, now, &ask);
        if (r == SF_WAIT && ask < *wake) { *wake = ask; }
        return r;
    }
    default: return SF_READY;
    }
}

/* The alternatives that begin at condition `first`: ready wins; never only if all are, or, as in GXF, one. */
static sf_readiness sfi_group_state(sf_flow *f, sfi_op *op, uint8_t first, int64_t now, int64_t *wake)
{
    uint8_t i, any = op->conditions[first].is.any;
    int64_t wake_any = SFI_NEVER;
    sf_readiness all = SF_NEVER;
    for (i = first; i < op->condition_count; i++) {
        sf_readiness one;
        if (i != first && (!any || op->conditions[i].is.any != any)) { continue; }
        one = sfi_condition_state(f, op, &op->conditions[i], now, &wake_any);
        if (one == SF_NEVER && f->gxf_or) { return SF_NEVER; }
        if (one == SF_READY || (one == SF_WAIT && all == SF_NEVER)) { all = one; }
    }
    if (all == SF_WAIT && wake_any < *wake) { *wake = wake_any; }
    return all;
}
static bool sfi_begins_group(const sfi_op *op, uint8_t i)
{
    uint8_t k;
    if (!op->conditions[i].is.any) { return true; }
    for (k = 0; k < i; k++) {
        if (op->conditions[k].is.any == op->conditions[i].is.any) { return false; }
    }
    return true;
}
static bool sfi_needs_clock(const sfi_op *op)
{
    uint8_t i;
    for (i = 0; i < op->condition_count; i++) {
        sf_condition_kind k = op->conditions[i].is.kind;
        if (k == SF_CONDITION_PERIOD || k == SF_CONDITION_TIME || k == SF_CONDITION_EXPIRING ||
            k == SF_CONDITION_USER || (k == SF_CONDITION_MESSAGES && op->conditions[i].is.ns > 0)) {
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
    now = sfi_needs_clock(op) ? sfi_flow_now(f) : 0;
    for (i = 0; i < op->condition_count && all != SF_NEVER; i++) {
        sf_readiness one;
        if (!sfi_begins_group(op, i)) { continue; }
        one = sfi_group_state(f, op, i, now, &wake);
        if (one != SF_READY) { all = one; }
    }
    sfi_timer_set(f, op, all == SF_WAIT ? wake : SFI_NEVER);
    if (all == SF_NEVER) {
        if (op->state != SF_OP_COMPUTING) { sfi_op_end(f, op, SF_OP_STOPPED); }
    } else if (all == SF_READY && !op->extras_met) {
        SFI_SET(op->extras_met, true);
        sfi_meet(f, op);
    } else if (all == SF_WAIT && op->extras_met) {
        SFI_SET(op->extras_met, false);
        op->unmet++;
    }
}

/* A signal for one compute is spent when that begins: one that comes meanwhile is for the next. */
static void sfi_spend_signals(sfi_op *op)
{
    uint8_t i;
    for (i = 0; i < op->condition_count; i++) {
        sfi_condition *c = &op->conditions[i];
        if (c->is.kind == SF_CONDITION_SIGNAL && !c->is.latch) { (void)sfi_cas(&c->signal, SF_READY, SF_WAIT); }
    }
}
/* The operator ran: periods move on, users' conditions are told. */
static void sfi_conditions_executed(sf_flow *f, sfi_op *op)
{
    int64_t now = sfi_needs_clock(op) ? sfi_flow_now(f) : 0;
    uint8_t i;
    op->last_run = now;
    for (i = 0; i < op->condition_count; i++) {
        sfi_condition *c = &op->conditions[i];
        if (c->is.kind == SF_CONDITION_PERIOD && now >= c->next) {
            if (c->is.catch_up == SF_CATCH_UP_MIN_BETWEEN) {
                c->next = now + c->is.ns;
            } else if (c->is.catch_up == SF_CATCH_UP_SKIP_MISSED) {
                c->next += ((now - c->next) / c->is.ns + 1) * c->is.ns;
            } else {
                c->next += c->is.ns;
            }
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
static void sfi_message_release(const sfi_message *m)
{
    if (m->kind == SFI_TENSOR) { sf_tensor_release((sf_tensor *)m->value.ptr); }
}
static void sfi_trace_add(sf_flow *f, sfi_trace_kind kind, uint32_t op, uint32_t edge, int64_t time, int64_t duration)
{
    sfi_trace *t;
    if (!f->trace) { return; }
    t = &f->trace[f->trace_count++ % f->trace_room];
    t->kind = (uint8_t)kind;
    t->op = op;
    t->edge = edge;
    t->time = time;
    t->duration = duration;
}

static bool sfi_counts_messages(const sfi_input *in) { return !in->custom && !in->optional; }

/* Takes n messages from the front, with what that means for both ends. The messages are the caller's. */
static void sfi_edge_pop(sf_flow *f, sfi_edge *e, uint32_t n)
{
    sfi_op *to = &f->ops[e->to];
    const sfi_input *in = &to->inputs[e->input];
    uint32_t was = e->count;
    if (!n) { return; }
    e->first += n;
    if (e->first >= e->room) { e->first -= e->room; }
    SFI_SET(e->count, was - n);
    if (sfi_counts_messages(in) && was >= e->need && e->count < e->need) { to->unmet++; }
    if (e->from == SFI_NONE) {
        sfi_store(&e->popped, e->popped.v + n);
    } else {
        sfi_op *from = &f->ops[e->from];
        if (e->overflow == SF_OVERFLOW_BLOCK && !e->closed) {
            if (was == e->room && !from->outputs[e->output].custom_room) { sfi_meet(f, from); }
            if (from->outputs[e->output].watched) { sfi_look(f, from); }
        }
    }
}
/* One more message is in the ring, at its end. */
static void sfi_edge_arrived(sf_flow *f, sfi_edge *e)
{
    sfi_op *to = &f->ops[e->to];
    const sfi_input *in = &to->inputs[e->input];
    if (e->arrivals) {
        uint32_t i = e->first + e->count;
        e->arrivals[i < e->room ? i : i - e->room] = sfi_flow_now(f);
    }
    SFI_SET(e->count, e->count + 1);
    SFI_BUMP(e->messages);
    if (e->count > e->high) { SFI_SET(e->high, e->count); }
    if (sfi_counts_messages(in) && e->count == e->need) { sfi_meet(f, to); }
    if (e->from != SFI_NONE && e->overflow == SF_OVERFLOW_BLOCK && e->count == e->room &&
        !f->ops[e->from].outputs[e->output].custom_room) {
        f->ops[e->from].unmet++;
    }
    if (in->watched) { sfi_look(f, to); }
}
static void sfi_edge_drop(sf_flow *f, sfi_edge *e, const sfi_message *m, uint64_t *counter)
{
    sfi_message_release(m);
    SFI_SET(*counter, *counter + 1);
    SFI_BUMP(f->dropped);
    if (f->trace) { sfi_trace_add(f, SFI_TRACE_DROP, e->to, (uint32_t)(e - f->edges), sfi_flow_now(f), 0); }
}
static void sfi_edge_push(sf_flow *f, sfi_edge *e, const sfi_message *m, const sfi_entry *entries)
{
    sfi_message *slot;
    if (e->closed) {
        sfi_edge_drop(f, e, m, &e->refused);
        return;
    }
    if (e->overflow == SF_OVERFLOW_LATEST && e->count) {     /* written over in place */
        slot = sfi_message_at(e, 0);
        if (e->read) { sfi_message_release(slot); } else { sfi_edge_drop(f, e, slot, &e->dropped); }
        SFI_BUMP(e->messages);
    } else if (e->count == e->room) {
        if (e->overflow != SF_OVERFLOW_DROP_OLDEST) {
            sfi_edge_drop(f, e, m, &e->refused);
            return;
        }
        sfi_edge_drop(f, e, sfi_message_at(e, 0), &e->dropped);
        sfi_edge_pop(f, e, 1);
        slot = sfi_message_at(e, e->count);
    } else {
        slot = sfi_message_at(e, e->count);
    }
    *slot = *m;
    if (m->entries) {
        sfi_copy(e->entries + (size_t)(slot - e->ring) * f->entries_max, entries, m->entries * sizeof *entries);
    }
    e->read = false;
    if (e->overflow != SF_OVERFLOW_LATEST || !e->count) { sfi_edge_arrived(f, e); }
}
static void sfi_edge_clear(sf_flow *f, sfi_edge *e, bool count)
{
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

/* What outside threads have put in since the last look. */
static void sfi_edge_absorb(sf_flow *f, sfi_edge *e)
{
    uint32_t pushed = sfi_load(&e->pushed);
    while (e->absorbed != pushed) {
        e->absorbed++;
        sfi_edge_arrived(f, e);
    }
}

/* >>ending -------------------------------------------------------------------------------------------- */

/* An operator that runs no more takes no messages either: its queues are emptied, and whoever works for it alone
   ends, too. A list, not a recursion: chains may be long. */
static bool sfi_op_needed(const sf_flow *f, const sfi_op *op) /* it has no edges, or one that is open */
{
    bool any = false;
    uint32_t o, e;
    for (o = 0; o < op->output_count; o++) {
        for (e = op->outputs[o].first; e != SFI_NONE; e = f->edges[e].next_output) {
            if (!f->edges[e].closed && f->edges[e].from != f->edges[e].to) { return true; }
            any = any || f->edges[e].from != f->edges[e].to;
        }
    }
    for (e = op->first_control; e != SFI_NONE; e = f->edges[e].next_output) {
        if (sfi_op_active(&f->ops[f->edges[e].to])) { return true; }
        any = true;
    }
    return !any;
}
static void sfi_op_close_inputs(sf_flow *f, sfi_op *op, uint32_t *list)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e].next_input) {
            sfi_edge *edge = &f->edges[e];
            sfi_op *from;
            if (edge->from == SFI_NONE) { sfi_edge_absorb(f, edge); }
            sfi_edge_clear(f, edge, true);
            SFI_SET(edge->closed, true);
            f->any_closed = true;
            if (edge->from == SFI_NONE) { continue; }
            from = &f->ops[edge->from];
            if (sfi_op_active(from) && from->state != SF_OP_COMPUTING && !from->mark && !sfi_op_needed(f, from)) {
                from->mark = *list ? *list : SFI_NONE;
                *list = sfi_op_index(from) + 1;
            }
        }
    }
}
static bool sfi_op_is_alive(const sfi_op *op)                /* something outside may still set it going */
{
    int p;
    for (p = 0; p < op->input_count; p++) {
        if (op->inputs[p].external) { return true; }
    }
    for (p = 0; p < op->condition_count; p++) {
        if (op->conditions[p].is.kind == SF_CONDITION_SIGNAL || op->conditions[p].is.kind == SF_CONDITION_USER) {
            return true;
        }
    }
    return false;
}
static void sfi_memory_resume(sf_flow *f, sfi_op *op, bool meet)
{
    if (!op->memory_wait) { return; }
    SFI_SET(op->memory_wait, false);
    (void)sfi_add(&op->waits_pool->waiting, (uint32_t)-1);
    op->waits_pool = NULL;
    if (meet) { sfi_meet(f, op); } else { op->unmet--; }
}
static void sfi_op_end(sf_flow *f, sfi_op *op, sf_op_state state)
{
    uint32_t list = sfi_op_index(op) + 1;
    op->mark = 0;
    while (list) {
        sfi_op *end = &f->ops[list - 1];
        list = end->mark == SFI_NONE ? 0 : end->mark;
        end->mark = 0;
        if (!sfi_op_active(end)) { continue; }
        SFI_SET(end->state, end == op ? state : SF_OP_STOPPED);
        f->alive -= sfi_op_is_alive(end);
        sfi_memory_resume(f, end, false);
        sfi_timer_set(f, end, SFI_NEVER);
        sfi_op_close_inputs(f, end, &list);
    }
}

/* >>engine -------------------------------------------------------------------------------------------- */

/* -- admission: an operator that runs has the memory for what it emits -- */

static sf_result sfi_reserve(sfi_output *out, sf_stream **blocker)
{
    sf_mem_pool *pool = out->pool;
    if (!pool || out->custom_memory || pool->desc.fail_when_empty || out->reserved) { return SF_OK; }
    if (pool->desc.kind != SF_MEM_POOL_BLOCKS) {
        return sfi_pool_has(pool, 1, out->bytes, blocker) ? SF_OK : SF_ERROR_POOL_EXHAUSTED;
    }
    return sfi_pool_take(pool, pool->desc.block_bytes, NULL, &out->reserved, blocker);
}
static sf_result sfi_reserve_all(sfi_op *op, sf_stream **blocker)
{
    sf_result r = SF_OK;
    int p;
    for (p = 0; p < op->output_count && r == SF_OK; p++) { r = sfi_reserve(&op->outputs[p], blocker); }
    return r;
}
static bool sfi_admit(sf_flow *f, sfi_op *op)
{
    int p;
    for (p = 0; p < op->output_count; p++) {                 /* a pool that others share may be empty by now */
        if (!op->outputs[p].custom_memory) { continue; }
        sfi_look(f, op);
        if (op->unmet || !sfi_op_active(op)) { return false; }
        break;
    }
    for (p = 0; p < op->output_count; p++) {
        sfi_output *out = &op->outputs[p];
        sf_stream *blocker = NULL;
        if (!out->pool || sfi_reserve(out, &blocker) == SF_OK) { continue; }
        SFI_SET(op->memory_wait, true);
        op->waits_pool = out->pool;
        op->unmet++;
        (void)sfi_add(&out->pool->waiting, 1);
        SFI_STEP("memory wait");
        if (sfi_reserve(out, &blocker) == SF_OK) {           /* it came back between the look and the sign */
            sfi_memory_resume(f, op, false);
            continue;
        }
        sfi_gpu_wait(f, op, blocker);
        return false;
    }
    return true;
}
static void sfi_unreserve(sfi_op *op)
{
    int p;
    for (p = 0; p < op->output_count; p++) {
        if (op->outputs[p].reserved) {
            sf_tensor *t = &op->outputs[p].reserved->pub;
            op->outputs[p].reserved = NULL;
            sf_tensor_release(t);
        }
    }
}

/* -- one turn -- */

static void sfi_turn_begin(sf_flow *f, sfi_op *op, sf_hook hook)
{
    sfi_turn *t = &f->turn;
    uint32_t e;
    int p;
    t->flow = f;
    t->op = op;
    t->hook = hook;
    t->error = SF_OK;
    t->stream = NULL;
    t->hidden = t->routed = t->used_memory = t->time_set = false;
    t->handed_count = t->staged_count = t->entry_count = 0;
    t->created = NULL;
    t->time = -1;
    t->path = 0;
    t->stamp = NULL;
    op->turn = t;
    op->error_counted = false;
    for (p = 0; p < op->input_count; p++) {
        sfi_input *in = &op->inputs[p];
        in->asked = false;
        in->latest = NULL;
        in->cursor = in->first;
        in->lap = 0;
        for (e = in->first; e != SFI_NONE; e = f->edges[e].next_input) {
            f->edges[e].taken = f->edges[e].ordered = 0;
        }
    }
    for (p = 0; p < op->output_count; p++) {
        op->outputs[p].stream = NULL;
        op->outputs[p].staged = 0;
    }
}

static sf_result sfi_misuse(sf_flow *f, sfi_op *op)          /* an error of a call on a stream that was handed out */
{
    const sfi_turn *t = &f->turn;
    uint32_t i;
    for (i = 0; i < t->handed_count; i++) {
        const sf_stream *s = t->handed[i];
        char text[SFI_TEXT / 2];
        if (!s->order.misuse) { continue; }
        op->error_counted = true;
        sfi_copy_failure(s->device, text, sizeof text);
        return sfi_flow_fail(f, op, s->order.misuse, "compute", "a call on its stream failed, %s. %s",
                             sf_result_string(s->order.misuse), text);
    }
    return SF_OK;
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
        for (e = turn->op->inputs[p].first; e != SFI_NONE; e = f->edges[e].next_input) {
            for (m = 0; m < f->edges[e].taken; m++) {
                if (each(turn, sfi_message_at(&f->edges[e], m), arg)) { return true; }
            }
        }
    }
    return false;
}

/* Whether a received buffer's owner has to learn when this compute's work on `stream` is done. */
static bool sfi_needs_point(sfi_turn *turn, sfi_message *m, void *stream)
{
    const sfi_tensor *t = sfi_message_tensor(m);
    (void)turn;
    if (!t || !sfi_tracked(t)) { return false; }
    return m->order.stream != stream || !t->pool || sfi_cpu_visible(t->pool->desc.memory);
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
    (void)sfi_each_received(turn, sfi_add_users, NULL);
}
static sf_stream *sfi_staged_stream(const sfi_turn *turn, const sfi_staged *s)
{
    sf_stream *set = turn->op->outputs[s->output].stream;
    return set ? set : turn->stream;
}
static sf_result sfi_record_once(sfi_turn *turn, sf_stream *stream)
{
    uint32_t i = sfi_handed_index(turn, stream);
    if (i == turn->handed_count || turn->recorded[i]) { return SF_OK; }
    return sfi_order_record(stream, &turn->recorded[i]);
}

/* Records what the compute enqueued, once per stream that matters to others, and tells the buffers. */
static sf_result sfi_commit_order(sfi_turn *turn)
{
    sf_result r = SF_OK;
    sf_stream *main = turn->stream ? turn->stream : turn->handed_count ? turn->handed[0] : NULL;
    sfi_tensor *t;
    uint32_t i;
    if (!turn->handed_count) { return SF_OK; }
    for (i = 0; i < turn->staged_count && r >= 0; i++) {     /* forwarded, but not waited for: our stream must */
        sf_stream *s = sfi_staged_stream(turn, &turn->staged[i]);
        if (s) { r = sfi_order_wait(s, &turn->staged[i].message.order); }
    }
    if (turn->stamp && r >= 0) { r = sf_event_record(turn->stamp->end, main); }
    for (i = 0; i < turn->staged_count && r >= 0; i++) {
        sf_stream *s = sfi_staged_stream(turn, &turn->staged[i]);
        if (s && !turn->op->outputs[turn->staged[i].output].quiet) { r = sfi_record_once(turn, s); }
    }
    if (r >= 0 && sfi_each_received(turn, sfi_needs_point, main)) { r = sfi_record_once(turn, main); }
    for (t = turn->created; t; t = t->next) { t->user_count = 0; }   /* they are behind what we enqueued */
    sfi_tell_buffers(turn);
    return r;
}

static uint16_t sfi_path_of(sf_flow *f, uint16_t parent, uint32_t op)
{
    uint32_t i;
    for (i = 0; i < f->path_count; i++) {
        if (f->paths[i].parent == parent && f->paths[i].op == op) { return (uint16_t)(i + 1); }
    }
    if (f->path_count == SFI_PATHS) {
        f->paths_lost++;
        return 0;
    }
    f->paths[i].parent = parent;
    f->paths[i].op = op;
    SFI_SET(f->path_count, f->path_count + 1);
    return (uint16_t)(i + 1);
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
    uint32_t b;
    for (b = 0; b < SFI_BUCKETS; b++) {
        seen += SFI_GET(h->bucket[b]);
        if (seen >= want) { break; }
    }
    return b < SFI_BUCKETS ? sfi_bucket_value(b) : SFI_GET(h->max);
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

/* Reads pairs of timing events that are complete; all of them at the end. */
static void sfi_collect_stamps(sfi_op *op)
{
    uint32_t k;
    for (k = 0; op->stamps && k < SFI_STAMPS; k++) {
        float ms = 0;
        if (!op->stamps[k].pending) { continue; }
        if (sf_event_query(op->stamps[k].end) != SF_OK) { continue; }
        op->stamps[k].pending = false;
        if (sf_event_elapsed_ms(op->stamps[k].begin, op->stamps[k].end, &ms) == SF_OK) {
            sfi_histogram_add(op->device, (int64_t)((double)ms * 1e6));
        }
    }
}

/* The messages leave, each to all edges of its output. */
static void sfi_commit_emissions(sfi_turn *turn)
{
    sf_flow *f = turn->flow;
    sfi_op *op = turn->op;
    uint16_t path = f->paths && turn->staged_count ? sfi_path_of(f, turn->path, sfi_op_index(op)) : 0;
    uint32_t i, e;
    for (i = 0; i < turn->staged_count; i++) {
        sfi_message m = turn->staged[i].message;
        sfi_output *out = &op->outputs[turn->staged[i].output];
        sf_stream *s = sfi_staged_stream(turn, &turn->staged[i]);
        sfi_tensor *t = sfi_message_tensor(&m);
        if (s) {
            m.order.stream = s;
            m.order.number = turn->recorded[sfi_handed_index(turn, s)];
            m.hidden = s == s->device->legacy;
        }
        if (t && !t->order.stream) { t->order = m.order; }
        m.time = turn->time;
        m.born = turn->born;
        m.path = path;
        m.entries = (uint16_t)turn->entry_count;
        for (e = out->first; e != SFI_NONE; e = f->edges[e].next_output) {
            if (turn->routed && !f->edges[e].routed) { continue; }
            if (t) { (void)sfi_add(&t->references, 1); }
            sfi_edge_push(f, &f->edges[e], &m, turn->entries);
        }
        sfi_message_release(&m);             /* ours; the edges have one each */
    }
}
static void sfi_pop_received(sf_flow *f, sfi_op *op)
{
    uint32_t e, m;
    int p;
    for (p = 0; p < op->input_count; p++) {
        for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e].next_input) {
            sfi_edge *edge = &f->edges[e];
            if (!edge->taken) { continue; }
            if (edge->overflow == SF_OVERFLOW_LATEST) {      /* stays, to be read again */
                edge->read = true;
                continue;
            }
            for (m = 0; m < edge->taken; m++) { sfi_message_release(sfi_message_at(edge, m)); }
            sfi_edge_pop(f, edge, edge->taken);
            edge->taken = 0;
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
    turn->staged_count = 0;
}
static bool sfi_spend_turn(sfi_op *op)                      /* true: it was the last */
{
    SFI_SET(op->turns, op->turns - 1);
    return op->turns == 0;
}
static void sfi_hand_on_turns(sf_flow *f, sfi_op *op)
{
    uint32_t e;
    if (op->control_edges && sfi_spend_turn(op)) { op->unmet++; }
    for (e = op->first_control; e != SFI_NONE; e = f->edges[e].next_output) {
        sfi_op *to = &f->ops[f->edges[e].to];
        if (f->turn.routed && !f->edges[e].routed) { continue; }
        if (SFI_BUMP(to->turns), to->turns == 1) { sfi_meet(f, to); }
    }
}
static void sfi_unroute(sf_flow *f, const sfi_op *op)
{
    uint32_t e;
    int p;
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e].next_output) { f->edges[e].routed = false; }
    }
    for (e = op->first_control; e != SFI_NONE; e = f->edges[e].next_output) { f->edges[e].routed = false; }
}
static void sfi_track(sf_flow *f, sfi_op *op)
{
    sfi_turn *t = &f->turn;
    int64_t now;
    if (!op->cpu && !f->trace) { return; }
    now = sfi_flow_now(f);
    if (op->cpu) { sfi_histogram_add(op->cpu, now - t->begin); }
    sfi_trace_add(f, SFI_TRACE_COMPUTE, sfi_op_index(op), 0, t->begin, now - t->begin);
    if (f->paths && !t->staged_count && t->path && op->pub.run >= f->skip_first && now - t->born >= f->threshold) {
        uint16_t path = sfi_path_of(f, t->path, sfi_op_index(op));
        if (path) { sfi_histogram_add(f->paths[path - 1].latency, now - t->born); }
    }
}

/* A compute that failed: as its operator's policy says. */
static bool sfi_op_failed(sf_flow *f, sfi_op *op, sf_result r)               /* true: it tries again */
{
    sfi_turn *t = &f->turn;
    bool again = op->on_error == SF_ON_ERROR_RETRY && op->attempts < op->retries;
    sfi_tell_buffers(t);                     /* it may have enqueued work before it failed */
    sfi_discard(t);
    SFI_BUMP(op->errors);
    if (!op->error_counted) {
        (void)sfi_flow_fail(f, op, r, "compute", "it returned %d, %s", (int)r, sf_result_string(r));
    }
    if (again) {                             /* the same messages, once more */
        op->attempts++;
        sfi_drop_created(t);
        return true;
    }
    op->attempts = 0;
    sfi_drop_created(t);
    sfi_pop_received(f, op);
    if (op->control_edges && sfi_spend_turn(op)) { op->unmet++; }
    if (op->on_error == SF_ON_ERROR_STOP_OPERATOR) {
        SFI_SET(op->state, SF_OP_WAITING);
        sfi_op_end(f, op, SF_OP_FAILED);
    } else if (op->on_error != SF_ON_ERROR_IGNORE) {
        f->result = f->result < 0 ? f->result : r;
        SFI_SET(op->state, SF_OP_FAILED);
        sfi_store(&f->stop, 1);
    }
    return false;
}
static void sfi_op_succeeded(sf_flow *f, sfi_op *op)
{
    op->attempts = 0;
    sfi_track(f, op);
    sfi_pop_received(f, op);                 /* first, so that an edge to itself has room */
    sfi_commit_emissions(&f->turn);
    sfi_drop_created(&f->turn);
    if (op->control_edges || op->first_control != SFI_NONE) { sfi_hand_on_turns(f, op); }
    if (f->turn.routed) { sfi_unroute(f, op); }
}
static void sfi_call_hook(const sf_flow *f, const sfi_op *op, sf_hook hook)
{
    if (f->hook) { f->hook(hook, &op->pub, -1, NULL, f->hook_user); }
}

static void sfi_run_op(sf_flow *f, sfi_op *op)
{
    sfi_turn *t = &f->turn;
    sf_result r, commit;
    sfi_entered entered;
    SFI_SET(op->state, SF_OP_COMPUTING);
    sfi_turn_begin(f, op, SF_HOOK_BEGIN);
    if (op->extras && !op->attempts) { sfi_spend_signals(op); }
    if (op->cpu || f->trace) {
        t->begin = sfi_flow_now(f);
        t->born = t->begin;
    }
    r = sfi_enter_op(f, op, &entered);
    sfi_call_hook(f, op, SF_HOOK_BEGIN);
    if (r >= 0) { r = op->compute(&op->pub); }
    sfi_call_hook(f, op, SF_HOOK_END);
    if (r >= 0 && t->error < 0) { r = t->error; }
    if (r >= 0) {
        commit = sfi_misuse(f, op);
        if (commit >= 0) { commit = sfi_commit_order(t); }
        if (commit < 0) { r = commit; }
    }
    if (t->stamp) {
        t->stamp->pending = r >= 0;
        sfi_collect_stamps(op);
    }
    if (r >= 0) { sfi_op_succeeded(f, op); }
    if (r >= 0 || !sfi_op_failed(f, op, r)) {
        SFI_BUMP(op->runs);
        op->pub.run = op->runs;
    }
    sfi_leave_op(op, &entered);
    op->turn = NULL;
    t->op = NULL;
    sfi_unreserve(op);
    if (op->state != SF_OP_COMPUTING) { return; }
    SFI_SET(op->state, SF_OP_WAITING);
    if (r == SF_DONE || (op->limit && op->runs >= op->limit) || (f->any_closed && !sfi_op_needed(f, op))) {
        sfi_op_end(f, op, SF_OP_STOPPED);
        return;
    }
    if (op->extras && !op->attempts) {       /* what is tried again runs on the conditions that it had */
        sfi_conditions_executed(f, op);
        sfi_look(f, op);
    }
    if (!op->unmet) { sfi_ready(f, op); }
}

/* -- news from outside, timers, and the GPU -- */

static void sfi_hear_source(sf_flow *f, const sfi_source *s)
{
    sfi_op *op = &f->ops[s->op];
    if (!sfi_op_active(op)) { return; }
    if (s->kind == SFI_SOURCE_INPUT) {
        sfi_edge_absorb(f, &f->edges[op->inputs[s->index].first]);
    } else if (s->kind == SFI_SOURCE_MEMORY) {
        if (sfi_swap(&op->asked_to_stop, 0)) {
            sfi_op_end(f, op, SF_OP_STOPPED);
            return;
        }
        sfi_memory_resume(f, op, true);
        sfi_look(f, op);
    } else {
        sfi_look(f, op);
    }
}
static void sfi_hear(sf_flow *f)
{
    uint32_t g, i;
    if (!sfi_load(&f->attention)) { return; }
    (void)sfi_swap(&f->attention, 0);
    for (g = 0; g * 64 < f->source_count; g++) {
        if (!sfi_load(&f->groups[g])) { continue; }
        (void)sfi_swap(&f->groups[g], 0);
        for (i = g * 64; i < f->source_count && i < g * 64 + 64; i++) {
            if (sfi_load(&f->sources[i].rung) && sfi_swap(&f->sources[i].rung, 0)) {
                sfi_hear_source(f, &f->sources[i]);
            }
        }
    }
}
static void sfi_fire_timers(sf_flow *f)
{
    int64_t now;
    if (!f->timer_count) { return; }
    now = sfi_flow_now(f);
    while (f->timer_count && f->ops[f->timers[0]].wake <= now) {
        sfi_op *op = &f->ops[f->timers[0]];
        sfi_timer_set(f, op, SFI_NEVER);
        sfi_look(f, op);
        if (op->timer && op->wake <= now) { break; }         /* a user's condition that asks again at once */
    }
}
/* Asks the GPU about whom it holds up. A poll is also what lets a host device without threads go on. */
static void sfi_poll_gpu(sf_flow *f)
{
    uint32_t n = f->gpu_waiter_count, i;
    while (n--) {                            /* each once: who still waits goes to the end */
        sfi_op *op = &f->ops[f->gpu_waiters[0]];
        f->gpu_waiter_count--;
        for (i = 0; i < f->gpu_waiter_count; i++) { f->gpu_waiters[i] = f->gpu_waiters[i + 1]; }
        SFI_SET(op->gpu_wait, false);
        if (!sfi_op_active(op)) { continue; }
        if (op->memory_wait) {
            sf_stream *blocker = NULL;
            if (sfi_reserve_all(op, &blocker) == SF_OK) {
                sfi_memory_resume(f, op, true);
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
    sf_flow *f = a->flow;
    sfi_wake(f);
    sfi_store(&a->busy, 0);                  /* last: the flow may go once all are free */
}
/* Before a sleep: behind the work of each stream that somebody waits for, one host function. */
static void sfi_set_alarms(sf_flow *f)
{
    uint32_t i, k;
    for (i = 0; i < f->gpu_waiter_count; i++) {
        sf_stream *s = f->ops[f->gpu_waiters[i]].blocker;
        sfi_alarm *free = NULL;
        for (k = 0; k < SFI_ALARMS; k++) {
            if (sfi_load(&f->alarms[k].busy)) {
                if (f->alarms[k].stream == s) { break; }
            } else {
                free = &f->alarms[k];
            }
        }
        if (k < SFI_ALARMS || !free || !s) { continue; }
        free->flow = f;
        free->stream = s;
        sfi_store(&free->busy, 1);
        if (sfi_stream_host_func(s, sfi_alarm_rings, free, true) < 0) { sfi_store(&free->busy, 0); }
    }
}

/* -- when nothing is ready -- */

static const char *sfi_leftover(const sf_flow *f, uint32_t *op) /* who waits although nothing will come */
{
    uint32_t i;
    for (i = 0; i < f->op_count; i++) {
        if (sfi_op_active(&f->ops[i]) && f->ops[i].memory_wait) { return *op = i, "memory"; }
    }
    for (i = 0; i < f->edge_count; i++) {
        const sfi_edge *e = &f->edges[i];
        if (e->control || e->delay || !e->count || e->closed || e->overflow == SF_OVERFLOW_LATEST) { continue; }
        if (f->ops[e->to].inputs[e->input].optional) { continue; }   /* holds nobody up: not an end of its own */
        return *op = e->to, "messages";
    }
    return NULL;
}
static void sfi_describe_wait(const sf_flow *f, const sfi_op *op, sfi_text *t);

static void sfi_conclude(sf_flow *f)                         /* nothing is ready, and nothing is to come */
{
    char text[SFI_TEXT / 2];
    sfi_text t = sfi_text_in(text, sizeof text);
    uint32_t op, i, told = 0;
    if (!sfi_leftover(f, &op)) { return; }
    for (i = 0; i < f->op_count && told < 4; i++) {
        const sfi_op *o = &f->ops[i];
        if (!sfi_op_active(o)) { continue; }
        if (told++) { sfi_put(&t, "; ", 2); }
        sfi_put(&t, o->pub.name, sfi_length(o->pub.name));
        sfi_put(&t, " waits for ", 11);
        sfi_describe_wait(f, o, &t);
    }
    f->result = f->result < 0 ? f->result : SF_ERROR_DEADLOCK;
    (void)sfi_flow_fail(f, &f->ops[op], SF_ERROR_DEADLOCK, "sf_run", "nothing can run any more, but %s", text);
}

/* What to do when no operator can run: SF_OK: look again; SF_IDLE: nothing before *wake; SF_DONE: that was all. */
static sf_result sfi_idle(sf_flow *f, int64_t *wake)
{
    uint32_t op;
    *wake = f->ends_at;
    if (f->timer_count && f->ops[f->timers[0]].wake < *wake) { *wake = f->ops[f->timers[0]].wake; }
    if (f->gpu_waiter_count) { return SF_IDLE; }
    if (f->timer_count) {
        if (!f->simulated) { return SF_IDLE; }
        SFI_SET(f->now, *wake > f->now ? *wake : f->now);
        return SF_OK;
    }
    if (f->alive) { return SF_IDLE; }
    if (f->deadlock_timeout && sfi_leftover(f, &op)) {
        int64_t now = sfi_flow_now(f);
        if (f->deadlock_timeout < 0) { return SF_IDLE; }
        if (f->idle_since < 0) { f->idle_since = now; }
        if (now - f->idle_since < f->deadlock_timeout) {
            if (f->idle_since + f->deadlock_timeout < *wake) { *wake = f->idle_since + f->deadlock_timeout; }
            return SF_IDLE;
        }
    }
    return SF_DONE;
}

/* One operator at most. SF_OK: it ran; SF_IDLE: see above; SF_DONE: the run is over. */
static sf_result sfi_step(sf_flow *f, int64_t *wake)
{
    sfi_op *op;
    int pass;
    *wake = SFI_NEVER;
    sfi_hear(f);
    if (sfi_load(&f->stop)) { return SF_DONE; }
    if (sfi_load(&f->paused)) { return SF_IDLE; }
    sfi_fire_timers(f);
    if ((++f->steps & 15) == 0) {
        if (f->gpu_waiter_count) { sfi_poll_gpu(f); }
        if (f->ends_at != SFI_NEVER && sfi_flow_now(f) >= f->ends_at) { return SF_DONE; }
    }
    for (pass = 0; pass < 2; pass++) {
        for (op = sfi_next_ready(f); op; op = sfi_next_ready(f)) {
            if (!sfi_admit(f, op)) { continue; }
            sfi_run_op(f, op);
            f->idle_since = -1;
            return SF_OK;
        }
        if (!f->gpu_waiter_count) { break; }
        if (pass == 0) { sfi_poll_gpu(f); }
    }
    if (sfi_load(&f->stop)) { return SF_DONE; }
    if (f->ends_at != SFI_NEVER && sfi_flow_now(f) >= f->ends_at) { return SF_DONE; }
    return sfi_idle(f, wake);
}

/* >>hooks --------------------------------------------------------------------------------------------- */

/* What a compute calls. Each function finds the operator behind its context; outside of a hook there is none. */
static sfi_turn *sfi_turn_of(const sf_context *ctx) { return ctx ? ((const sfi_op *)(const void *)ctx)->turn : NULL; }

/* A call of the compute's failed: the first one decides how the compute ends. */
static sf_result sfi_turn_fail(sfi_turn *t, sf_result result, const char *call, const char *format, ...)
{
    char text[SFI_TEXT / 2];
    sfi_text at = sfi_text_in(text, sizeof text);
    va_list args;
    if (t->error < 0) { return result; }
    t->error = result;
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

/* -- streams -- */

/* Gives a stream to the compute: its work begins after whoever used the buffers that the compute has created. */
static sf_result sfi_hand(sfi_turn *t, sf_stream *s)
{
    sf_result r = SF_OK;
    sfi_tensor *c;
    uint32_t i;
    if (sfi_handed_index(t, s) < t->handed_count) { return SF_OK; }
    if (t->handed_count == SFI_HANDED) {
        return sfi_turn_fail(t, SF_ERROR_POOL_EXHAUSTED, "sf_allocate_stream", "a compute can use %d streams at most",
                             (int)SFI_HANDED);
    }
    s->order.misuse = SF_OK;
    t->recorded[t->handed_count] = 0;
    t->handed[t->handed_count++] = s;
    for (c = t->created; c && r >= 0; c = c->next) {
        for (i = 0; i < c->user_count && r >= 0; i++) { r = sfi_order_wait(s, &c->users[i]); }
    }
    if (t->op->stamps && !t->stamp && r >= 0 && t->op->stamps[0].begin) {
        t->stamp = &t->op->stamps[t->op->stamp++ % SFI_STAMPS];
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
    for (i = 0; i < f->foreign_count && f->foreign[i] != s; i++) {}
    if (i == f->foreign_count && i < SFI_HANDED) { f->foreign[f->foreign_count++] = s; }
}

/* Orders the compute's stream after what a port received so far. */
static sf_result sfi_order_input(sfi_turn *t, const sfi_input *in)
{
    sf_flow *f = t->flow;
    uint32_t e;
    sf_result r = SF_OK;
    for (e = in->first; e != SFI_NONE && r >= 0; e = f->edges[e].next_input) {
        sfi_edge *edge = &f->edges[e];
        for (; edge->ordered < edge->taken && r >= 0; edge->ordered++) {
            r = sfi_order_wait(t->stream, &sfi_message_at(edge, edge->ordered)->order);
        }
    }
    return r;
}
static sf_result sfi_order_all(sfi_turn *t)
{
    sf_result r = SF_OK;
    int p;
    for (p = 0; p < t->op->input_count && r >= 0; p++) { r = sfi_order_input(t, &t->op->inputs[p]); }
    return r < 0 ? sfi_turn_fail(t, r, "sf_compute_stream", "waiting for a message's work failed: %s",
                                 sf_result_string(r))
                 : r;
}

/* The operator's own stream: taken from its pool once, kept to the end of the run. */
static sf_result sfi_own_stream(sf_flow *f, sfi_op *op)
{
    sf_stream_pool *pool = op->streams ? op->streams : f->streams;
    sf_result r = SF_ERROR_POOL_EXHAUSTED;
    if (op->own) { return SF_OK; }
    if (op->adopt) { return r; }
    if (!pool && f->device && !f->given_streams &&
        (!f->fixed || f->limit_streams)) { /* nobody looked as if they needed one */
        sf_stream_pool_desc d;
        sfi_zero(&d, sizeof d);
        d.name = f->name;
        if (sf_stream_pool_create(f->device, &d, &f->streams) < 0) { return r; }
        f->owns_streams = true;
        (void)sfi_stream_pool_reserve(f->streams, 1, 16);
        pool = f->streams;
    }
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
    for (e = in->first; e != SFI_NONE; e = t->flow->edges[e].next_input) {
        const sfi_edge *edge = &t->flow->edges[e];
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

SF_API sf_stream *sf_compute_stream(sf_context *ctx)
{
    sfi_turn *t;
    if (ctx && ctx->executor) { return ctx->executor->stream(ctx, -1); }
    t = sfi_turn_of(ctx);
    if (!t || t->error < 0 || !t->flow->device) { return NULL; }
    return sfi_decide_stream(t, NULL, t->op->adopt) < 0 || sfi_order_all(t) < 0 ? NULL : t->stream;
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
    return t->stream;
}
SF_API sf_stream *sf_receive_stream(sf_context *ctx, int port) { return sf_receive_stream_with_flags(ctx, port, 0); }

/* Other calls have no counterpart in a foreign executor. */
static sf_result sfi_executor_refuses(sf_context *ctx, const char *call)
{
    return (ctx->executor->fail)(ctx, SF_ERROR_NOT_SUPPORTED, call, "this executor has no such call");
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
    for (e = in ? in->first : (uint32_t)SFI_NONE; e != SFI_NONE; e = t->flow->edges[e].next_input) {
        const sfi_edge *edge = &t->flow->edges[e];
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
    sf_result r;
    if (ctx && ctx->executor) { return (void)sfi_executor_refuses(ctx, "sf_allocate_stream"), (sf_stream *)NULL; }
    t = sfi_turn_of(ctx);
    if (!t || t->error < 0) { return NULL; }
    if (!name) {
        (void)sfi_turn_fail(t, SF_ERROR_INVALID_VALUE, "sf_allocate_stream", "a stream of one's own needs a name");
        return NULL;
    }
    for (n = t->op->named; n && !sfi_same(n->name, name); n = n->next) {}
    if (!n) {
        pool = t->op->streams ? t->op->streams : t->flow->streams;
        n = (sfi_named_stream *)sfi_alloc_zeroed(&t->flow->heap, sizeof *n);
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
        sfi_keep_name(n->name, sizeof n->name, name);
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
    if (!t || sfi_check_stream(stream) < 0 || stream == stream->device->legacy) { return NULL; }
    ours = stream == t->op->own;
    for (n = t->op->named; n; n = n->next) { ours = ours || n->stream == stream; }
    for (i = 0; i < t->handed_count; i++) { ours = ours || t->handed[i] == stream; }
    for (p = 0; p < t->op->input_count && !ours; p++) {      /* or it came with a message */
        uint32_t e, m;
        for (e = t->op->inputs[p].first; e != SFI_NONE; e = t->flow->edges[e].next_input) {
            for (m = 0; m < t->flow->edges[e].taken; m++) {
                received = sfi_message_at(&t->flow->edges[e], m)->order.stream;
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
        return e && e->taken < e->count ? e : NULL;
    }
    for (tries = 0; tries <= in->edges && in->lap < in->batch; tries++) {
        sfi_edge *e = sfi_edge_at(f, in->cursor);
        if (!e) {                            /* once around */
            in->cursor = in->first;
            in->lap++;
            continue;
        }
        in->cursor = e->next_input;
        if (e->taken < e->count && e->taken <= in->lap) { return e; }
    }
    return NULL;
}

/* Metadata of all messages received, merged. */
static sf_result sfi_merge(sfi_turn *t, const sfi_edge *e, const sfi_message *m)
{
    const sfi_entry *in = e->entries + (size_t)(m - e->ring) * t->flow->entries_max;
    uint32_t i, k;
    for (i = 0; i < m->entries; i++) {
        for (k = 0; k < t->entry_count && t->entries[k].key != in[i].key; k++) {}
        if (k == t->entry_count) {
            if (k == t->flow->entries_max) { continue; }
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
    if (!t->time_set && t->time < 0) { t->time = m->time; }
    if (t->flow->paths && m->path && !t->path) {
        t->path = m->path;
        t->born = m->born;
    }
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
SF_API sf_value sf_receive_value(sf_context *ctx, int port)
{
    sfi_turn *t;
    sfi_message *m;
    sf_value none;
    sfi_zero(&none, sizeof none);
    if (ctx && ctx->executor) { return (void)sfi_executor_refuses(ctx, "sf_receive_value"), none; }
    t = sfi_turn_of(ctx);
    if (!t || t->error < 0) { return none; }
    m = sfi_receive_message(t, port, SFI_VALUE, "sf_receive_value");
    if (m && t->flow->hook) { t->flow->hook(SF_HOOK_RECEIVE, ctx, port, NULL, t->flow->hook_user); }
    return m ? m->value : none;
}
SF_API int sf_available(const sf_context *ctx, int port)
{
    sfi_turn *t = ctx && !ctx->executor ? sfi_turn_of(ctx) : NULL;
    const sfi_input *in;
    uint32_t e, n = 0;
    if (!t || port < 0 || port >= t->op->input_count || t->hook != SF_HOOK_BEGIN) { return 0; }
    in = &t->op->inputs[port];
    for (e = in->first; e != SFI_NONE; e = t->flow->edges[e].next_input) {
        const sfi_edge *edge = &t->flow->edges[e];
        uint32_t may = in->many && edge->count > in->batch ? in->batch : edge->count;
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
        bytes = sfi_item_bytes(t->pub.dtype);
        for (i = 0; i < t->pub.ndim; i++) {
            if (d->strides[i] < 0) { return 0; }
            bytes += (uint64_t)(d->shape[i] ? d->shape[i] - 1 : 0) * (uint64_t)d->strides[i] *
                     sfi_item_bytes(t->pub.dtype);
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
static sf_result sfi_order_created(sfi_turn *turn, sfi_tensor *t)
{
    sf_result r = SF_OK;
    uint32_t i, k;
    sfi_named_stream *n;
    for (i = 0; i < t->user_count && r >= 0; i++) {
        for (k = 0; k < turn->handed_count && r >= 0; k++) { r = sfi_order_wait(turn->handed[k], &t->users[i]); }
        if (turn->op->own && r >= 0) { r = sfi_order_wait(turn->op->own, &t->users[i]); }
        for (n = turn->op->named; n && r >= 0; n = n->next) { r = sfi_order_wait(n->stream, &t->users[i]); }
    }
    return r;
}
static sfi_tensor *sfi_take_for(sfi_turn *turn, sfi_output *out, size_t bytes)
{
    sf_mem_pool *pool = out->pool;
    sf_stream *blocker = NULL, *stream = NULL;
    sfi_tensor *t = out->reserved;
    sf_result r = SF_OK;
    if (pool->desc.kind == SF_MEM_POOL_BLOCKS && bytes > pool->desc.block_bytes) {
        (void)sfi_turn_fail(turn, SF_ERROR_MISMATCH, "sf_tensor_create",
                            "output \"%s\": %Z bytes do not fit its blocks of %Z", out->name, bytes,
                            pool->desc.block_bytes);
        return NULL;
    }
    out->reserved = NULL;
    if (!t) {
        if (sfi_pool_is_ordered(pool)) {     /* allocated on the stream that will use it */
            r = sfi_decide_stream(turn, NULL, turn->op->adopt);
            stream = turn->stream;
        }
        if (r >= 0) { r = sfi_pool_take(pool, bytes, stream, &t, &blocker); }
        if (r < 0) {
            (void)sfi_turn_fail(turn, r, "sf_tensor_create",
                                "output \"%s\" has no memory left (%Z of %Z bytes in use), %s: its pool needs more",
                                out->name, (size_t)sfi_load64(&pool->used), (size_t)pool->reserved,
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
    bytes = desc ? sfi_shape_tensor(&shape, desc, false) : out->bytes;
    if (!out->pool || !bytes) {
        (void)sfi_turn_fail(turn, SF_ERROR_INVALID_VALUE, "sf_tensor_create",
                            out->pool ? "output \"%s\": the size is 0, negative or too large"
                                      : "output \"%s\" has no memory: set sf_port.bytes or .pool",
                            out->name);
        return &turn->flow->nothing;
    }
    t = sfi_take_for(turn, out, bytes);
    if (!t) { return &turn->flow->nothing; }
    if (desc) { (void)sfi_shape_tensor(t, desc, false); } else { sfi_shape_bytes(t, bytes); }
    sfi_place_tensor(t, out->pool->desc.memory);
    t->next = turn->created;
    turn->created = t;
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
    for (e = out->first; e != SFI_NONE; e = f->edges[e].next_output) {
        sfi_edge *edge = &f->edges[e];
        uint32_t left = edge->room - edge->count + (edge->from == edge->to ? edge->taken : 0);
        if (edge->closed || (edge->overflow != SF_OVERFLOW_BLOCK && edge->overflow != SF_OVERFLOW_ERROR)) {
            continue;
        }
        if (left <= out->staged) {
            SFI_BUMP(edge->refused);
            SFI_BUMP(f->dropped);
            return sfi_turn_fail(t, SF_ERROR_QUEUE_FULL, call,
                                 "output \"%s\": the queue of \"%s\" (%u messages) is full: raise "
                                 "its capacity, or wait for room with SF_CONDITION_ROOM",
                                 out->name, f->ops[edge->to].pub.name, (unsigned)edge->room);
        }
    }
    if (t->staged_count == t->staged_room) {
        return sfi_turn_fail(t, SF_ERROR_QUEUE_FULL, call,
                             "output \"%s\": one compute emits at most %u messages here", out->name,
                             (unsigned)t->staged_room);
    }
    return SF_OK;
}
static sf_result sfi_stage(sfi_turn *t, int port, const sfi_message *m, const char *call)
{
    sfi_output *out = sfi_turn_output(t, port, call);
    sf_result r;
    if (!out) { return SF_ERROR_UNKNOWN_PORT; }
    if (t->hook != SF_HOOK_BEGIN) {
        return sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, call, "only a compute emits, not start or stop");
    }
    if (out->first == SFI_NONE) {            /* nobody listens: released and counted */
        SFI_BUMP(t->flow->dropped);
        sfi_message_release(m);
        return SF_OK;
    }
    r = sfi_check_room(t, out, call);
    if (r < 0) { return r; }
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
    if (turn->error < 0) { return turn->error; }
    t = tensor ? (sfi_tensor *)tensor->owner : NULL;
    if (!t) {
        return sfi_turn_fail(turn, SF_ERROR_INVALID_VALUE, "sf_emit", "a tensor must come from sf_tensor_create() or "
                             "sf_tensor_wrap()");
    }
    sfi_zero(&m, sizeof m);
    m.kind = SFI_TENSOR;
    m.value.ptr = tensor;
    m.order = t->order;
    received = tensor;
    if (sfi_each_received(turn, sfi_is_message_of, &received)) {
        m.order = ((const sfi_message *)received)->order;    /* passed on untouched, it keeps its order */
        m.hidden = ((const sfi_message *)received)->hidden;
        (void)sfi_add(&t->references, 1);
    } else if (sfi_created_here(turn, t) || sfi_staged_here(turn, tensor)) {
        (void)sfi_add(&t->references, 1);    /* else the caller's reference is the message's */
    }
    r = sfi_stage(turn, port, &m, "sf_emit");
    if (r < 0) {
        sf_tensor_release(tensor);
    } else if (turn->flow->hook) {
        turn->flow->hook(SF_HOOK_EMIT, ctx, port, tensor, turn->flow->hook_user);
    }
    return r;
}
SF_API sf_result sf_emit_value(sf_context *ctx, int port, sf_value value)
{
    sfi_turn *turn;
    sfi_message m;
    sf_result r;
    if (ctx && ctx->executor) { return sfi_executor_refuses(ctx, "sf_emit_value"); }
    turn = sfi_turn_of(ctx);
    if (!turn) { return SF_ERROR_ILLEGAL_STATE; }
    if (turn->error < 0) { return turn->error; }
    sfi_zero(&m, sizeof m);
    m.kind = SFI_VALUE;
    m.value = value;
    r = sfi_stage(turn, port, &m, "sf_emit_value");
    if (r >= 0 && turn->flow->hook) { turn->flow->hook(SF_HOOK_EMIT, ctx, port, NULL, turn->flow->hook_user); }
    return r;
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
    f = t->flow;
    for (p = 0; p <= t->op->output_count; p++) {
        e = p < t->op->output_count ? t->op->outputs[p].first : t->op->first_control;
        for (; e != SFI_NONE; e = f->edges[e].next_output) {
            if (f->ops[f->edges[e].to].pub.op.id == downstream.id) { f->edges[e].routed = found = true; }
        }
    }
    if (!found) { return sfi_turn_fail(t, SF_ERROR_UNKNOWN_OPERATOR, "sf_route", "no edge leads to that operator"); }
    t->routed = true;
    return SF_OK;
}
SF_API sf_result sf_fail(sf_context *ctx, sf_result code, const char *why)
{
    sfi_turn *t;
    sf_result r = code < 0 ? code : SF_ERROR_USER;
    if (ctx && ctx->executor) {
        return (ctx->executor->fail)(ctx, r, "sf_fail", why);
    } /* cmocka has a macro of that name */
    t = sfi_turn_of(ctx);
    return t ? sfi_turn_fail(t, r, "sf_fail", "%s", why ? why : "") : SF_ERROR_ILLEGAL_STATE;
}
SF_API sf_result sf_set_port_bytes(sf_context *ctx, const char *port, size_t bytes)
{
    sfi_turn *t;
    int i;
    if (ctx && ctx->executor) { return ctx->executor->set_port_bytes(ctx, port, bytes); }
    t = sfi_turn_of(ctx);
    if (!t) { return SF_ERROR_ILLEGAL_STATE; }
    if (!t->op->initialize || t->hook != SF_HOOK_START || t->op->started) {
        return sfi_turn_fail(t, SF_ERROR_ILLEGAL_STATE, "sf_set_port_bytes", "only the initialize hook sets sizes");
    }
    i = sfi_find_output(t->op, port);
    if (i >= 0) {
        t->op->outputs[i].bytes = bytes;
        return SF_OK;
    }
    i = sfi_find_input(t->op, port);
    if (i < 0) {
        return sfi_turn_fail(t, SF_ERROR_UNKNOWN_PORT, "sf_set_port_bytes", "there is no port \"%s\"",
                             port ? port : "");
    }
    t->op->inputs[i].bytes = bytes;
    return SF_OK;
}

/* >>tensors ------------------------------------------------------------------------------------------- */

SF_API sf_tensor *sf_tensor_retain(sf_tensor *tensor)
{
    if (tensor && tensor->owner) { (void)sfi_add(&((sfi_tensor *)tensor->owner)->references, 1); }
    return tensor;
}

/* Wrapped headers: from a list of the flow's, with a heap behind it for whoever wraps more at a time than ever. */
static void sfi_wrap_recycle(sfi_tensor *t)
{
    sf_flow *f = t->flow;
    bool last;
    if (t->release) { t->release(t->pub.data, t->release_user); }
    sfi_lock(&f->lock);
    t->next = f->wrapped;
    f->wrapped = t;
    last = sfi_add(&f->wrapped_out, (uint32_t)-1) == 1 && f->zombie;
    sfi_unlock(&f->lock);
    if (last) { (void)sf_flow_destroy(f); }
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
    SFI_STEP("release");
    if (!t || sfi_add(&t->references, (uint32_t)-1) != 1) { return; }
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
static sf_tensor *sfi_wrap(sf_flow *f, const sf_tensor_desc *desc, bool strided)
{
    sfi_tensor *t;
    if (!sfi_is_flow(f) || sfi_this_thread.in_host_func) { return NULL; }
    if (!desc || !desc->data || (uint32_t)desc->memory > SF_MEMORY_HOST) { return NULL; }
    t = sfi_wrap_header(f);
    if (!t) { return NULL; }
    t->pub.data = desc->data;
    t->pub.bytes = sfi_shape_tensor(t, desc, strided);
    t->release = NULL;
    if (!t->pub.bytes) {
        sfi_wrap_recycle(t);
        return NULL;
    }
    t->release = desc->release;
    t->release_user = desc->user;
    sfi_place_tensor(t, desc->memory);
    return &t->pub;
}
SF_API sf_tensor *sf_tensor_wrap(sf_flow *f, const sf_tensor_desc *desc) { return sfi_wrap(f, desc, false); }
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
    if (!dl || dl->ndim < 0 || dl->ndim > SF_MAX_DIMS || !dl->data) { return NULL; }
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
    t = sfi_wrap(f, &d, dl->strides != NULL);
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
    sfi_entered entered;
    sf_result r;
    if (!func) { return SF_OK; }
    r = sfi_enter_op(f, op, &entered);
    sfi_turn_begin(f, op, hook);
    if (r >= 0) { r = func(&op->pub); }
    if (r >= 0 && f->turn.error < 0) { r = f->turn.error; }
    if (r >= 0) { r = sfi_misuse(f, op); }
    if (r >= 0) { r = sfi_commit_order(&f->turn); }
    sfi_drop_created(&f->turn);
    sfi_leave_op(op, &entered);
    op->turn = NULL;
    f->turn.op = NULL;
    if (r < 0 && !op->error_counted) {
        (void)sfi_flow_fail(f, op, r, name, "it returned %d, %s", (int)r, sf_result_string(r));
    }
    return r < 0 ? r : SF_OK;
}

static void sfi_reset_run(sf_flow *f)
{
    uint32_t i, k;
    f->result = SF_OK;
    f->runs++;
    f->dropped = 0;
    f->level_mask = 0;
    f->timer_count = f->gpu_waiter_count = f->path_count = f->alive = f->steps = f->foreign_count = 0;
    f->any_closed = f->background = false;
    f->idle_since = -1;
    f->trace_count = 0;
    f->now = 0;
    sfi_store(&f->stop, 0);
    f->started_at = sfi_flow_now(f);
    f->ends_at = f->max_duration > 0 ? sfi_deadline(f->started_at, f->max_duration) : SFI_NEVER;
    for (i = 0; i < f->level_count; i++) { f->levels[i].first = f->levels[i].last = SFI_NONE; }
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = &f->ops[i];
        op->pub.run = op->runs = op->errors = 0;
        op->queued = op->extras_met = op->memory_wait = op->gpu_wait = op->started = false;
        op->unmet = op->attempts = op->turns = op->timer = op->stamp = op->mark = 0;
        op->own = NULL;
        op->named = NULL;
        op->last_run = f->started_at;
        SFI_SET(op->state, SF_OP_WAITING);
        for (k = 0; k < op->condition_count; k++) {
            op->conditions[k].next = f->started_at;
            sfi_store(&op->conditions[k].signal, op->conditions[k].is.initial);
        }
        f->alive += sfi_op_is_alive(op);
    }
}
/* Unmet conditions of a flow whose queues hold nothing; then what is there at the start arrives. */
static sf_result sfi_prime_edge(sf_flow *f, sfi_edge *e)
{
    sfi_message m;
    uint32_t i;
    if (e->from == SFI_NONE) {
        sfi_edge_absorb(f, e);
        return SF_OK;
    }
    for (i = 0; i < e->delay; i++) {
        sfi_op *from = &f->ops[e->from];
        sfi_output *out = &from->outputs[e->output];
        sfi_zero(&m, sizeof m);
        m.kind = SFI_VALUE;
        m.time = -1;
        if (out->pool && out->bytes) {
            sfi_tensor *t = NULL;
            sf_stream *blocker = NULL, *s = sf_stream_legacy(f->device);
            sf_result r = sfi_pool_take(out->pool, out->bytes, s, &t, &blocker);
            if (r >= 0) {
                sfi_shape_bytes(t, out->bytes);
                sfi_place_tensor(t, out->pool->desc.memory);
                r = sf_memset_async(s, t->pub.data, 0, out->bytes);
                if (r >= 0) { r = sf_stream_synchronize(s, SF_FOREVER); }
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
        sfi_op *op = &f->ops[i];
        op->unmet = 1;                       /* taken away below, when all is counted */
        if (op->extras) { op->unmet++; }
        if (op->control_edges) { op->unmet++; }
        for (p = 0; p < op->input_count; p++) {
            for (e = op->inputs[p].first; e != SFI_NONE; e = f->edges[e].next_input) {
                op->unmet += sfi_counts_messages(&op->inputs[p]);
            }
        }
    }
    for (i = 0; i < f->edge_count && r >= 0; i++) {
        sfi_edge *edge = &f->edges[i];
        if (!edge->control) {
            r = sfi_prime_edge(f, edge);
        } else if (edge->delay) {
            if (f->ops[edge->to].turns == 0) { sfi_meet(f, &f->ops[edge->to]); }
            f->ops[edge->to].turns += edge->delay;
        }
    }
    for (i = 0; i < f->op_count && r >= 0; i++) {
        sfi_look(f, &f->ops[i]);
        if (sfi_op_active(&f->ops[i])) { sfi_meet(f, &f->ops[i]); }
    }
    return r;
}

static sf_result sfi_start_hooks(sf_flow *f)
{
    uint32_t i;
    sf_result r = SF_OK;
    for (i = 0; i < f->op_count && r >= 0; i++) {
        sfi_call_hook(f, &f->ops[i], SF_HOOK_START);
        r = sfi_run_hook(f, &f->ops[i], f->ops[i].start, SF_HOOK_START, "start");
        f->ops[i].started = r >= 0;
    }
    return r;
}
static void sfi_finish(sf_flow *f);

static sf_result sfi_begin_with_device(sf_flow *f)
{
    uint32_t i;
    sf_result r = SF_OK;
    f->turn.flow = f;
    for (i = 0; i < f->op_count && r >= 0; i++) {
        r = sfi_run_hook(f, &f->ops[i], f->ops[i].initialize, SF_HOOK_START, "initialize");
    }
    if (r >= 0) { r = sfi_validate(f, true); }
    if (r >= 0) { r = sfi_make_pools(f); }
    if (r >= 0) { r = sfi_make_streams(f); }
    if (r >= 0) { r = sfi_make_stamps(f); }
    if (r >= 0) { r = sfi_start_hooks(f); }
    if (r >= 0) { r = sfi_prime(f); }
    return r;
}
/* From a flow that was built to one that runs. On an error everything is taken back. */
static sf_result sfi_begin(sf_flow *f)
{
    bool entered;
    sf_result r;
    if (SFI_GET(f->state) == SFI_FLOW_RUNNING) {
        return sfi_this_thread.running == f ? SF_ERROR_REENTRANT : SF_ERROR_ILLEGAL_STATE;
    }
    if (!f->built_count) { sfi_failure_clear(&f->failure); }
    r = sfi_prepare(f);
    if (r >= 0) { r = sfi_open_flow_device(f); }
    if (r >= 0) { r = sfi_flow_enter(f, &entered); }
    if (r < 0) {
        if (!f->failure.now.count) {
            (void)sfi_flow_fail(f, NULL, r, "sf_start", "the device: %s", sf_result_string(r));
        }
        f->life = f->life < 0 ? f->life : r;
        return r;
    }
    sfi_reset_run(f);
    SFI_SET(f->state, SFI_FLOW_RUNNING);
    r = sfi_begin_with_device(f);
    if (r < 0) {
        f->result = r;
        sfi_finish(f);
    }
    sfi_flow_leave(f, entered);
    return r;
}

/* -- end -- */

static void sfi_drain(sf_flow *f)                            /* all that the flow has enqueued */
{
    sf_result r = SF_OK;
    uint32_t i;
    const sfi_named_stream *n;
    char text[SFI_TEXT / 2];
    if (!f->device) { return; }
    for (i = 0; i < f->op_count && r >= 0; i++) {
        if (f->ops[i].own) { r = sf_stream_synchronize(f->ops[i].own, SF_FOREVER); }
        for (n = f->ops[i].named; n && r >= 0; n = n->next) { r = sf_stream_synchronize(n->stream, SF_FOREVER); }
    }
    for (i = 0; i < f->foreign_count && r >= 0; i++) {
        if (sfi_check_stream(f->foreign[i]) >= 0) { r = sf_stream_synchronize(f->foreign[i], SF_FOREVER); }
    }
    for (i = 0; i < SFI_ALARMS && r >= 0; i++) {
        while (sfi_load(&f->alarms[i].busy) && sfi_load(&f->device->fault) == 0) {
            r = f->alarms[i].stream->slot.tag == SFI_TAG_STREAM ? sf_stream_synchronize(f->alarms[i].stream, SF_MS(1))
                                                                : SF_OK;
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
    sf_stream_pool *pool = op->streams ? op->streams : f->streams;
    while (op->named) {
        sfi_named_stream *n = op->named;
        op->named = n->next;
        sfi_stream_pool_give(pool, n->stream);
        sfi_free(&f->heap, n);
    }
    if (op->own) { sfi_stream_pool_give(pool, op->own); }
    op->own = NULL;
}
static void sfi_stop_hooks(sf_flow *f)
{
    uint32_t i;
    for (i = f->op_count; i-- > 0;) {
        sfi_op *op = &f->ops[i];
        sf_result r;
        if (!op->started) { continue; }
        op->started = false;
        sfi_call_hook(f, op, SF_HOOK_STOP);
        r = sfi_run_hook(f, op, op->stop, SF_HOOK_STOP, "stop");
        if (r < 0 && f->result >= 0) { f->result = r; }
    }
}
/* The run is over, well or not: streams drained, hooks called, everything borrowed given back. */
static void sfi_finish(sf_flow *f)
{
    uint32_t i;
    int p;
    sfi_drain(f);
    for (i = 0; i < f->op_count; i++) {
        sfi_memory_resume(f, &f->ops[i], false);
        sfi_unreserve(&f->ops[i]);
        sfi_collect_stamps(&f->ops[i]);
    }
    sfi_stop_hooks(f);
    for (i = 0; i < f->edge_count; i++) {
        sfi_edge *e = &f->edges[i];
        if (e->control) { continue; }
        if (e->from == SFI_NONE) { sfi_edge_absorb(f, e); }
        SFI_SET(e->closed, true);
        sfi_edge_clear(f, e, false);
    }
    sfi_wrap_sweep(f);
    for (i = 0; i < f->op_count; i++) {
        sfi_op *op = &f->ops[i];
        if (sfi_op_active(op)) { SFI_SET(op->state, SF_OP_STOPPED); }
        sfi_drop_stamps(op);
        for (p = 0; p < op->output_count; p++) { sfi_drop_output_pool(&op->outputs[p]); }
        sfi_give_back_streams(f, op);
    }
    f->life = f->life < 0 ? f->life : f->result;
    sfi_lock(&f->lock);
    SFI_SET(f->state, SFI_FLOW_ENDED);
#ifndef SF_NO_THREADS
    sfi_cond_wake_all(&f->ended);
#endif
    sfi_unlock(&f->lock);
}

/* Sleeps until something may have changed. Where the GPU is what is waited for: looks for a while, then sleeps with
   an alarm set, and not for long, since a lost context rings none. */
static void sfi_rest(sf_flow *f, int64_t wake, int64_t *spun_since)
{
    int64_t now = sfi_clock(), deadline = SFI_NEVER;
    bool polls = f->gpu_waiter_count != 0;
    if (polls && f->device->host && !f->device->host->threaded) { return; }  /* a poll is what makes it go on */
    if (polls) {
        if (*spun_since < 0) { *spun_since = now; }
        if (now - *spun_since < f->spin) { return; }
        sfi_set_alarms(f);
        deadline = now + 1000000;
    }
    if (wake != SFI_NEVER && !f->simulated) {
        int64_t ns = wake - sfi_flow_now(f);
        if (ns <= 0) { return; }
        if (ns < deadline - now) { deadline = now + ns; }
        if (f->clock && deadline > now + 1000000) { deadline = now + 1000000; } /* a clock of the user's may jump */
    }
    sfi_sleep_until(f, deadline);
}
static void sfi_loop(sf_flow *f)
{
    int64_t wake, spun_since = -1;
    bool entered = false;
    sf_result r = sfi_flow_enter(f, &entered);
    while (r >= 0 && (r = sfi_step(f, &wake)) != SF_DONE) {
        if (r == SF_OK) { spun_since = -1; } else { sfi_rest(f, wake, &spun_since); }
    }
    if (r == SF_DONE && !sfi_load(&f->stop) && f->ends_at == SFI_NEVER) { sfi_conclude(f); }
    sfi_finish(f);
    sfi_flow_leave(f, entered);
}

SF_API sf_result sf_run(sf_flow *f)
{
    sf_result r;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    r = sfi_begin(f);
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
    sfi_loop(f);
    return NULL;
}
static void sfi_join(sf_flow *f)
{
    if (!f->threaded) { return; }
    f->threaded = false;
    sfi_thread_join(f->thread);
}
#endif

SF_API sf_result sf_start(sf_flow *f)
{
    sf_result r;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
#ifndef SF_NO_THREADS
    if (SFI_GET(f->state) == SFI_FLOW_ENDED) { sfi_join(f); }         /* nobody waited for the last run */
#endif
    r = sfi_begin(f);
    if (r < 0) { return r; }
#ifndef SF_NO_THREADS
    f->background = true;
    sfi_lock(&f->lock);
    f->threaded = sfi_thread_start(&f->thread, sfi_background, f);
    sfi_unlock(&f->lock);
    if (!f->threaded) {
        f->result = SF_ERROR_OUT_OF_MEMORY;
        (void)sfi_flow_fail(f, NULL, f->result, "sf_start", "no thread could be started");
        sfi_finish(f);
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
    deadline = sfi_deadline(sfi_clock(), timeout);
#ifndef SF_NO_THREADS
    if (!f->threaded) { return SFI_GET(f->state) == SFI_FLOW_ENDED ? f->result : SF_ERROR_ILLEGAL_STATE; }
    if (sfi_thread_is_self(f->thread)) { return SF_ERROR_REENTRANT; }
    sfi_lock(&f->lock);
    while (SFI_GET(f->state) != SFI_FLOW_ENDED) {
        if (sfi_clock() >= deadline) {
            sfi_unlock(&f->lock);
            return SF_TIMEOUT;
        }
        (void)sfi_cond_wait(&f->ended, &f->lock, deadline);
    }
    sfi_unlock(&f->lock);
    sfi_join(f);
#else
    if (SFI_GET(f->state) == SFI_FLOW_RUNNING) {                      /* no threads: the waiting is the running */
        int64_t wake, spun_since = -1;
        sf_result r;
        while ((r = sfi_step(f, &wake)) != SF_DONE) {
            if (timeout >= 0 && sfi_clock() >= deadline) { return SF_TIMEOUT; }
            if (r == SF_IDLE) { sfi_rest(f, wake, &spun_since); }
        }
        if (!sfi_load(&f->stop) && f->ends_at == SFI_NEVER) { sfi_conclude(f); }
        sfi_finish(f);
    }
    if (SFI_GET(f->state) != SFI_FLOW_ENDED) { return SF_ERROR_ILLEGAL_STATE; }
#endif
    return f->result;
}
SF_API sf_result sf_stop(sf_flow *f)
{
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (SFI_GET(f->state) != SFI_FLOW_RUNNING) { return SF_IGNORED; }
    sfi_store(&f->stop, 1);
    sfi_wake(f);
    return SF_OK;
}
SF_API sf_result sf_flow_pause(sf_flow *f, bool paused)
{
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    sfi_store(&f->paused, paused);
    sfi_wake(f);
    return SF_OK;
}
SF_API sf_result sf_op_stop(sf_flow *f, sf_op id)
{
    sfi_op *op;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (SFI_GET(f->state) != SFI_FLOW_RUNNING) { return SF_IGNORED; }
    sfi_store(&op->asked_to_stop, 1);
    sfi_bell(f, op->memory_source);
    return SF_OK;
}
SF_API int64_t sf_now(const sf_flow *f) { return sfi_is_flow(f) ? sfi_flow_now(f) : sfi_clock(); }

SF_API sf_result sf_flow_step(sf_flow *f, int64_t *wake)
{
    int64_t next = SFI_NEVER;
    bool entered;
    sf_result r;
    if (wake) { *wake = -1; }
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
    if (f->background && SFI_GET(f->state) == SFI_FLOW_RUNNING) { return SF_ERROR_ILLEGAL_STATE; }
    if (sfi_this_thread.running == f) { return SF_ERROR_REENTRANT; }
    if (SFI_GET(f->state) == SFI_FLOW_ENDED && f->stepping) {         /* told once; the next call starts anew */
        f->stepping = false;
        return f->result < 0 ? f->result : SF_DONE;
    }
    if (SFI_GET(f->state) != SFI_FLOW_RUNNING) {
        r = sfi_begin(f);
        if (r < 0) { return r; }
        f->stepping = true;
    }
    r = sfi_flow_enter(f, &entered);
    if (r < 0) { return r; }
    r = sfi_step(f, &next);
    if (r == SF_DONE) {
        if (!sfi_load(&f->stop) && f->ends_at == SFI_NEVER) { sfi_conclude(f); }
        sfi_finish(f);
        f->stepping = false;
        r = f->result < 0 ? f->result : SF_DONE;
    } else if (r == SF_IDLE && f->gpu_waiter_count) {
        int64_t soon = sfi_flow_now(f) + 20000;              /* ask again: nothing will signal the caller */
        if (soon < next) { next = soon; }
    }
    sfi_flow_leave(f, entered);
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
    if (op->conditions[condition].is.kind != SF_CONDITION_SIGNAL &&
        op->conditions[condition].is.kind != SF_CONDITION_USER) {
        return SF_ERROR_INVALID_VALUE;
    }
    if (SFI_GET(f->state) != SFI_FLOW_RUNNING && SFI_GET(f->state) != SFI_FLOW_READY) { return SF_IGNORED; }
    SFI_STEP("signal");
    sfi_store(&op->conditions[condition].signal, (uint32_t)state);
    sfi_bell(f, op->conditions[condition].source);
    return SF_OK;
}
static sf_result sfi_push(sf_flow *f, sf_op id, int input, const sfi_message *m)
{
    const sfi_op *op;
    sfi_edge *e;
    uint32_t pushed, i;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (input < 0 || input >= op->input_count || !op->inputs[input].external) { return SF_ERROR_UNKNOWN_PORT; }
    if (SFI_GET(f->state) != SFI_FLOW_RUNNING && SFI_GET(f->state) != SFI_FLOW_READY) {
        return SF_ERROR_ILLEGAL_STATE;
    }
    e = &f->edges[op->inputs[input].first];
    if (SFI_GET(op->state) == SF_OP_STOPPED || SFI_GET(op->state) == SF_OP_FAILED) { return SF_ERROR_ILLEGAL_STATE; }
    pushed = e->pushed.v;                    /* only this side writes it */
    if (pushed - sfi_load(&e->popped) >= e->room) { return SF_BUSY; }
    SFI_STEP("push");
    i = pushed % e->room;
    e->ring[i] = *m;
    sfi_store(&e->pushed, pushed + 1);       /* release: the message before its number */
    sfi_bell(f, sfi_input_source(op, input));
    return SF_OK;
}
SF_API sf_result sf_push(sf_flow *f, sf_op id, int input, sf_tensor *tensor)
{
    sfi_message m;
    const sfi_op *op;
    if (!tensor || !tensor->owner) { return SF_ERROR_INVALID_VALUE; }
    op = sfi_is_flow(f) ? sfi_op_at(f, id) : NULL;
    if (op && input >= 0 && input < op->input_count && op->inputs[input].bytes &&
        op->inputs[input].bytes != tensor->bytes) {
        return SF_ERROR_MISMATCH;
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
    uint32_t i;
    if (!sfi_is_flow(f) && !(f && f->zombie)) { return SF_ERROR_INVALID_HANDLE; }
    if (sfi_this_thread.in_host_func) { return SF_ERROR_NOT_PERMITTED; }
#ifndef SF_NO_THREADS
    if (f->threaded && sfi_thread_is_self(f->thread)) { return SF_ERROR_REENTRANT; }
    if (f->threaded) {
        (void)sf_stop(f);
        sfi_join(f);
    }
#endif
    if (sfi_this_thread.running == f) { return SF_ERROR_REENTRANT; }
    if (SFI_GET(f->state) == SFI_FLOW_RUNNING) { sfi_finish(f); }
    if (SFI_GET(f->state) == SFI_FLOW_READY) {                        /* pushed, but never run */
        for (i = 0; i < f->edge_count; i++) {
            sfi_edge *e = &f->edges[i];
            uint32_t n;
            if (e->control || e->from != SFI_NONE) { continue; }
            for (n = sfi_load(&e->popped); n != sfi_load(&e->pushed); n++) {
                sfi_message_release(&e->ring[n % e->room]);
            }
        }
        SFI_SET(f->state, SFI_FLOW_BUILDING);
    }
    life = f->life < 0 ? f->life : f->built_count ? f->failure.now.result : SF_OK;
    sfi_wrap_sweep(f);
    f->slot.tag = 0;
    if (sfi_load(&f->wrapped_out)) { /* somebody holds a wrapped tensor: the last release frees */
        f->zombie = true;
        return life;
    }
    while (f->wrapped) {
        sfi_tensor *t = f->wrapped;
        f->wrapped = t->next;
        sfi_free(&f->heap, t);
    }
    if (f->owns_streams) { (void)sf_stream_pool_destroy(f->streams); }
    if (f->device) { (void)sfi_add(&f->device->flows, (uint32_t)-1); }
    if (f->owns_device) { (void)sf_device_close(f->device, SF_FOREVER); }
    for (i = 0; i < f->op_count; i++) { sfi_op_free(f, &f->ops[i]); }
    sfi_flow_drop_block(f);
    sfi_free(&f->heap, f->ops);
    sfi_free(&f->heap, f->edges);
    sfi_free(&f->heap, f->problems);
#ifndef SF_NO_THREADS
    sfi_cond_free(&f->ended);
    sfi_cond_free(&f->wake);
#endif
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
/* What keeps an operator from running, in words. */
static void sfi_describe_wait(const sf_flow *f, const sfi_op *op, sfi_text *t)
{
    char *begin = t->at;
    uint32_t e;
    int p;
    for (p = 0; p < op->input_count; p++) {
        const sfi_input *in = &op->inputs[p];
        for (e = in->first; e != SFI_NONE && sfi_counts_messages(in); e = f->edges[e].next_input) {
            const sfi_edge *edge = &f->edges[e];
            if (SFI_GET(edge->count) >= edge->need) { continue; }
            if (t->at != begin) { sfi_put(t, ", ", 2); }
            sfi_put_f(t, "messages on \"%s\" from %s (%u of %u)", in->name,
                      edge->from == SFI_NONE ? "outside" : f->ops[edge->from].pub.name,
                      (unsigned)SFI_GET(edge->count), (unsigned)edge->need);
        }
    }
    for (p = 0; p < op->output_count; p++) {
        for (e = op->outputs[p].first; e != SFI_NONE; e = f->edges[e].next_output) {
            const sfi_edge *edge = &f->edges[e];
            if (edge->overflow != SF_OVERFLOW_BLOCK || SFI_GET(edge->closed) || SFI_GET(edge->count) < edge->room) {
                continue;
            }
            if (t->at != begin) { sfi_put(t, ", ", 2); }
            sfi_put_f(t, "room behind \"%s\" at %s", op->outputs[p].name, f->ops[edge->to].pub.name);
        }
    }
    if (SFI_GET(op->memory_wait)) { sfi_put_f(t, "%smemory of an output", t->at != begin ? ", " : ""); }
    if (SFI_GET(op->gpu_wait) && !SFI_GET(op->memory_wait)) { sfi_put_f(t, "%sthe GPU", t->at != begin ? ", " : ""); }
    if (op->extras && !SFI_GET(op->extras_met) && !SFI_GET(op->gpu_wait)) {
        sfi_put_f(t, "%sa condition of its own (sf_op_desc.when)", t->at != begin ? ", " : "");
    }
    if (op->control_edges && !SFI_GET(op->turns)) { sfi_put_f(t, "%sits turn", t->at != begin ? ", " : ""); }
}

SF_API sf_result sf_flow_get_info(const sf_flow *f, sf_flow_info *info)
{
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (!info) { return SF_ERROR_INVALID_VALUE; }
    sfi_zero(info, sizeof *info);
    info->running = SFI_GET(f->state) == SFI_FLOW_RUNNING;
    info->ops = f->op_count;
    info->edges = f->edge_count;
    while (sf_flow_get_path(f, info->paths, NULL, NULL, 0) == SF_OK) { info->paths++; }
    info->dropped = SFI_GET(f->dropped);
    info->memory_bytes =
        f->fixed ? ((const sfi_range_heap *)f->heap.user)->used_high
                 : sizeof *f + f->op_room * sizeof(sfi_op) + f->edge_room * sizeof(sfi_edge) + f->block_bytes;
    info->payload_bytes = f->payload_bytes;
    info->result = f->failure.now.result;
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
    info->runs = SFI_GET(op->runs);
    info->errors = SFI_GET(op->errors);
    if (f->block) {
        sfi_histogram_read(op->cpu, &info->cpu);
        sfi_histogram_read(op->device, &info->device);
        t = sfi_text_in(info->waits_for, sizeof info->waits_for);
        if (info->state == SF_OP_WAITING) { sfi_describe_wait(f, op, &t); }
    }
    return SF_OK;
}
SF_API sf_result sf_op_get_edge_info(const sf_flow *f, sf_op id, int input, int index, sf_edge_info *info)
{
    const sfi_op *op;
    const sfi_edge *edge = NULL;
    uint32_t e;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    op = sfi_op_at(f, id);
    if (!op) { return SF_ERROR_UNKNOWN_OPERATOR; }
    if (input < 0 || input >= op->input_count) { return SF_ERROR_UNKNOWN_PORT; }
    if (!info) { return SF_ERROR_INVALID_VALUE; }
    for (e = op->inputs[input].first; e != SFI_NONE; e = f->edges[e].next_input) {
        if (index-- == 0) { edge = &f->edges[e]; }
    }
    if (!edge) { return SF_ERROR_INVALID_VALUE; }
    info->messages = SFI_GET(edge->messages);
    info->dropped = SFI_GET(edge->dropped);
    info->refused = SFI_GET(edge->refused);
    info->queued = SFI_GET(edge->count);
    info->queued_high = SFI_GET(edge->high);
    info->capacity = sfi_edge_limit(f, edge);
    return SF_OK;
}
SF_API sf_result sf_flow_get_path(const sf_flow *f, uint32_t index, sf_latency *latency, char *name, size_t bytes)
{
    const sfi_path *at;
    uint32_t ops[SFI_PATHS], n = 0, i, k, seen = 0;
    sfi_text t;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    for (i = 0; f->paths && f->block && i < SFI_GET(f->path_count); i++) {   /* the index-th that ends here */
        if (SFI_GET(f->paths[i].latency->count) && seen++ == index) { break; }
    }
    if (!f->paths || !f->block || i == SFI_GET(f->path_count)) { return SF_ERROR_INVALID_VALUE; }
    if (latency) { sfi_histogram_read(f->paths[i].latency, latency); }
    if (!name || !bytes) { return SF_OK; }
    for (at = &f->paths[i]; n < SFI_PATHS; at = &f->paths[at->parent - 1]) {
        ops[n++] = at->op;
        if (!at->parent) { break; }
    }
    t = sfi_text_in(name, bytes);
    for (k = n; k-- > 0;) { sfi_put_f(&t, "%s%s", f->ops[ops[k]].pub.name, k ? "," : ""); }
    return SF_OK;
}
SF_API const sf_failure *sf_flow_failure(const sf_flow *f)
{
    static const sf_failure none = { SF_ERROR_INVALID_HANDLE, 1, "", "sf_flow_create",
                                     "there is no flow: sf_flow_create() found not even the memory for that" };
    return sfi_is_flow(f) ? &f->failure.now : &none;
}

static void sfi_write_name(const sfi_writer *w, const char *s) /* inside quotes: JSON's and Graphviz's */
{
    char c[2] = { 0, 0 };
    for (; *s; s++) {
        c[0] = (unsigned char)*s < ' ' ? ' ' : *s;
        sfi_write(w, c[0] == '"' || c[0] == '\\' ? "\\%s" : "%s", c);
    }
}
static void sfi_plan_json(const sf_flow *f, const sfi_writer *w)
{
    uint32_t i;
    const char *p;
    sfi_write(w, "{\"flow\":\"");
    sfi_write_name(w, f->name);
    sfi_write(w, "\",\"problems\":[");
    for (p = f->problems; p && f->problem_bytes && *p;) {
        char line[SFI_TEXT];
        size_t n = 0;
        while (p[n] && p[n] != '\n') { n++; }
        sfi_keep_name(line, n + 1 < sizeof line ? n + 1 : sizeof line, p);
        sfi_write(w, p == f->problems ? "\"" : ",\"");
        sfi_write_name(w, line);
        sfi_write(w, "\"");
        p += n + (p[n] == '\n');
    }
    sfi_write(w, "],\"ops\":[");
    for (i = 0; i < f->op_count; i++) {
        sfi_write(w, i ? ",{\"name\":\"" : "{\"name\":\"");
        sfi_write_name(w, f->ops[i].pub.name);
        sfi_write(w, "\",\"inputs\":%d,\"outputs\":%d}", (int)f->ops[i].input_count, (int)f->ops[i].output_count);
    }
    sfi_write(w, "],\"edges\":[");
    for (i = 0; i < f->edge_count; i++) {
        const sfi_edge *e = &f->edges[i];
        sfi_write(w, "%s{\"from\":%L,\"to\":%u,\"capacity\":%u,\"delay\":%u,\"control\":%s}", i ? "," : "",
                  e->from == SFI_NONE ? (int64_t)-1 : (int64_t)e->from, (unsigned)e->to,
                  e->control ? 0u : (unsigned)sfi_edge_limit(f, e), (unsigned)e->delay,
                  e->control ? "true" : "false");
    }
    sfi_write(w, "]}\n");
}
static void sfi_plan_text(const sf_flow *f, const sfi_writer *w)
{
    uint32_t i, e;
    int p;
    if (f->problem_bytes) { w->func(w->user, f->problems, f->problem_bytes); }
    sfi_write(w, "flow \"%s\": %u operators, %u edges, %u problems, %Z bytes of queues and tables\n", f->name,
              (unsigned)f->op_count, (unsigned)f->edge_count, (unsigned)f->problem_count, f->block_bytes);
    for (i = 0; i < f->op_count; i++) {
        const sfi_op *op = &f->ops[i];
        bool gpu = sfi_op_may_use_gpu(f, op);
        sfi_write(w, "%u %s%s\n", (unsigned)i, op->pub.name,
                  !gpu        ? ""
                  : op->adopt ? ": works on the stream that it receives"
                              : ": a stream of its own, per message at most "
                                "1 record, 1 wait per input from another stream");
        for (p = 0; p < op->output_count; p++) {
            const sfi_output *out = &op->outputs[p];
            if (sfi_has_memory(out) && !out->given) {
                sfi_write(w, "    %s: %u blocks of %Z bytes\n", out->name,
                          out->data ? 1u : (unsigned)sfi_blocks_downstream(f, out, 0) + 2, out->bytes);
            }
            for (e = out->first; e != SFI_NONE; e = f->edges[e].next_output) {
                const sfi_edge *edge = &f->edges[e];
                sfi_write(w, "    %s -> %s.%s: %u messages%s\n", out->name, f->ops[edge->to].pub.name,
                          f->ops[edge->to].inputs[edge->input].name, (unsigned)sfi_edge_limit(f, edge),
                          edge->delay ? ", delayed" : "");
            }
        }
    }
}
SF_API sf_result sf_flow_check(sf_flow *f, bool json, sf_text_func text, void *user)
{
    sf_result r;
    sfi_writer w;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (SFI_GET(f->state) == SFI_FLOW_RUNNING) { return SF_ERROR_ILLEGAL_STATE; }
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
        sfi_write_name(&w, f->ops[i].pub.name);
        sfi_write(&w, "\\n%L runs\"];\n", (int64_t)SFI_GET(f->ops[i].runs));
    }
    for (i = 0; i < f->edge_count; i++) {
        const sfi_edge *e = &f->edges[i];
        if (e->from == SFI_NONE) {
            sfi_write(&w, "  outside%u [shape=plaintext, label=\"outside\"];\n  outside%u -> n%u", (unsigned)i,
                      (unsigned)i, (unsigned)e->to);
        } else {
            sfi_write(&w, "  n%u -> n%u", (unsigned)e->from, (unsigned)e->to);
        }
        sfi_write(&w, " [label=\"%L\"%s];\n", (int64_t)SFI_GET(e->messages),
                  e->control ? ", style=dashed" : e->delay ? ", style=dotted" : "");
    }
    sfi_write(&w, "}\n");
    return SF_OK;
}
SF_API sf_result sf_flow_trace(const sf_flow *f, sf_text_func text, void *user)
{
    sfi_writer w;
    uint64_t i, n;
    if (!sfi_is_flow(f)) { return SF_ERROR_INVALID_HANDLE; }
    if (!text) { return SF_ERROR_INVALID_VALUE; }
    if (!f->trace_room) { return SF_IGNORED; }
    if (SFI_GET(f->state) == SFI_FLOW_RUNNING) { return SF_ERROR_ILLEGAL_STATE; }
    w.func = text;
    w.user = user;
    sfi_write(&w, "{\"traceEvents\":[\n");
    n = f->trace ? f->trace_count : 0;
    for (i = n > f->trace_room ? n - f->trace_room : 0; i < n; i++) {
        const sfi_trace *t = &f->trace[i % f->trace_room];
        int64_t at = t->time - f->started_at;
        sfi_write(&w, "{\"name\":\"");
        sfi_write_name(&w, f->ops[t->op].pub.name);
        if (t->kind == SFI_TRACE_COMPUTE) {
            sfi_write(&w, "\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%t,\"dur\":%t}", at, t->duration);
        } else {
            sfi_write(&w, ": dropped\",\"ph\":\"i\",\"pid\":1,\"tid\":1,\"s\":\"p\",\"ts\":%t}", at);
        }
        sfi_write(&w, i + 1 < n ? ",\n" : "\n");
    }
    sfi_write(&w, "]}\n");
    return SF_OK;
}

#endif /* STREAMFLOW_IMPLEMENTATION */
