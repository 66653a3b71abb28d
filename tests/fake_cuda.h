/*  fake_cuda.h - a CUDA driver that does all at once on the CPU, behind sf_device_desc.cuda.resolve. It counts its
    calls and what is alive, wants a context where the real one does, captures, builds and runs graphs by the rules
    measured on the real one, and fails the n-th call of a symbol on demand. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <pthread.h>

enum {
    FAKE_GPUS = 2, FAKE_LEAST = 0, FAKE_GREATEST = -5, FAKE_SYMBOLS = 160, FAKE_AFTER = 16, FAKE_NODES = 64,
    FAKE_ROOM = 32, FAKE_PARAMS = 4, FAKE_BODIES = 8, FAKE_TURNS = 1000
};
enum {                                       /* CUgraphNodeType */
    FAKE_KERNEL, FAKE_MEMCPY, FAKE_MEMSET, FAKE_HOST, FAKE_CHILD, FAKE_EMPTY, FAKE_WAIT, FAKE_RECORD, FAKE_SIGNAL,
    FAKE_ALLOC = 10, FAKE_FREE, FAKE_VALUE, FAKE_CONDITIONAL, FAKE_COPIES
};
enum {                                       /* the first word of what a handle points to; 0 when it is gone */
    FAKE_STREAM_MAGIC = 0x57, FAKE_EVENT_MAGIC = 0xe7, FAKE_GRAPH_MAGIC = 0x6a, FAKE_NODE_MAGIC = 0x4d,
    FAKE_CAPTURE_MAGIC = 0xca, FAKE_POOL_MAGIC = 0x90, FAKE_EXEC_MAGIC = 0xec, FAKE_FUNCTION_MAGIC = 0xf0,
    FAKE_OBJECT_MAGIC = 0x0b, FAKE_MODULE_MAGIC = 0x30, FAKE_GREEN_MAGIC = 0x6e, FAKE_DESC_MAGIC = 0xde
};

struct fake_graph;
struct fake_node;
typedef struct fake_after { void *nodes[FAKE_AFTER]; sfi_cuda_edge edges[FAKE_AFTER]; size_t count; } fake_after;
typedef struct fake_capture {
    uint32_t magic;
    unsigned long long id;
    struct fake_graph *graph;
    struct fake_stream *origin, *streams[FAKE_ROOM];         /* all that take part */
    struct fake_node *left[FAKE_ROOM];       /* what streams that were destroyed had captured last */
    pthread_t thread;
    int mode, status;                        /* 1 active, 2 invalidated */
    bool lent;                               /* the graph was given */
    bool again;                              /* its nodes are captured again, */
    size_t at;                               /* this one next */
    struct fake_node *pending, *before;      /* the latest: as it is now, and a copy as it was */
    int (*tell)(void *, void *, const void *, const void *, int);
    void *user;
} fake_capture;
typedef struct fake_stream {
    uint32_t magic, flags;
    int priority;
    sfi_cuda_value values[11];               /* by attribute */
    void *context;
    struct fake_green *green;                /* or NULL */
    fake_capture *capture;
    fake_after after;                        /* what the next node would come after */
    void *own;                               /* the node that it has captured last; NULL: none */
} fake_stream;
typedef struct fake_event {
    uint32_t magic, flags;
    bool recorded;
    float time;
    unsigned long long captured;             /* in which capture, */
    fake_after after;                        /* and after what there */
} fake_event;
typedef struct fake_pool {
    uint32_t magic;
    sfi_cuda_pool_props props;
    unsigned long long attributes[9];
    bool set[9];
    size_t kept;
    unsigned readers;                        /* a bit per GPU that was let in */
} fake_pool;
typedef struct fake_function {               /* a kernel, from a module or behind a launcher */
    uint32_t magic;
    const char *name;
    void (*body)(void **params);
    size_t sizes[FAKE_PARAMS];               /* of its parameters; 0 ends them */
    int attribute;                           /* what <<<>>> asks for beyond a grid: clusters and the like */
} fake_function;
typedef struct fake_module { uint32_t magic; char image[256]; } fake_module;
typedef struct fake_desc { uint32_t magic; unsigned sms, queues, groups; } fake_desc;
typedef struct fake_green { uint32_t magic; unsigned sms, queues, groups; int device; long streams, most_streams; } fake_green;
typedef struct fake_block {                  /* what an alloc node reserves: there while a graph or exec knows it */
    void *ptr;
    int references;
    bool live;                               /* between a launch that allocates it and its free */
} fake_block;
typedef struct fake_object {                 /* CUuserObject */
    uint32_t magic;
    unsigned references;
    void *user;
    void (*destroy)(void *);
} fake_object;
typedef struct fake_node {
    uint32_t magic;
    int type;
    struct fake_graph *graph;
    const struct fake_node *from;            /* what it is a copy of */
    fake_after after;
    sfi_cuda_node p;
    struct fake_green *green;                /* captured on one of its streams; or NULL */
    char args[SF_MAX_STREAM_OPS * sizeof(sfi_cuda_op)];      /* FAKE_KERNEL, FAKE_VALUE */
    void *params[FAKE_PARAMS];
    int attribute;
    struct fake_graph *bodies[FAKE_BODIES];  /* FAKE_CHILD, FAKE_CONDITIONAL */
    size_t body_count;
    fake_block *block;                       /* FAKE_ALLOC, FAKE_FREE */
    struct { void *ptr; uint64_t value; unsigned bytes; bool wait; } op;     /* FAKE_VALUE */
    bool done;
} fake_node;
typedef struct fake_graph {
    uint32_t magic;
    fake_node *parent;                       /* whose body or child this is */
    fake_node *nodes[FAKE_NODES];
    size_t count;
    fake_object *objects[FAKE_ROOM];
    fake_capture *capture;                   /* into it */
    int execs;
    bool given_up;                           /* a capture into it, a body, was never ended */
} fake_graph;
typedef struct fake_exec { uint32_t magic; fake_graph *graph, *source; unsigned long long flags; } fake_exec;
typedef struct fake_handle { fake_graph *graph; unsigned initial, flags, value; bool used; } fake_handle;
typedef struct fake_queued {                 /* held back: see fake.hold */
    void (*func)(void *);
    void (*callback)(void *, int, void *);
    void *stream, *user;
} fake_queued;

static struct fake {
    const char *missing, *fail;              /* symbols */
    bool stays;                              /* a kernel runs that does not end, and */
    uint32_t hangs;                          /* so many calls would have waited for its end */
    const void *loaded[2 * FAKE_ROOM];       /* functions */
    size_t loads;
    long most_streams;                       /* that were alive at a time */
    int loading;                             /* CUmoduleLoadingMode; 0: LAZY, or EAGER by the environment */
    uint32_t fail_at, calls_of_fail;
    int code, fault, gpus, init_code, count_code;
    uint32_t busy;                           /* so many queries find work pending */
    float now;
    int retained[FAKE_GPUS];
    long streams, events, blocks, pools, graphs, nodes, execs, objects, modules, greens;     /* alive */
    int version;                             /* 0: 12080, with all entry points; else with those of that version */
    uint32_t spins;                          /* host functions for which the driver's thread spins */
    unsigned most_groups;                    /* of multiprocessors; 0: as many as there are */
    uint32_t outside;                        /* calls that came without the context they need */
    uint32_t fatal;                          /* calls that crash the real driver */
    uint32_t spoilt;                         /* calls that made a capture into a body invalid: it can never end */
    uint32_t unmet;                          /* waits for a value that was not there */
    uint32_t strict;                         /* potentially unsafe calls in another mode than RELAXED */
    uint32_t exchanges, pushes, uploads, splits;
    bool hold;                               /* host functions and callbacks run in fake_run_queue() */
    bool flies;                              /* launches go on: what executables held is dropped in fake_land() */
    fake_object *flying[FAKE_ROOM];
    fake_queued queue[FAKE_ROOM];
    size_t queued;
    fake_pool *last_pool;
    sfi_cuda_copy_2d last_copy;
    sfi_cuda_launch_config last_launch;
    sfi_cuda_attribute last_attribute;
    struct { void *ptr; size_t bytes; unsigned flags; } last_attach;
    void *peer_contexts[2];
    bool no_peer;                            /* the GPUs do not reach each other */
    unsigned peers[FAKE_GPUS];               /* whom each GPU reaches: a bit per other one */
    fake_pool first_pools[FAKE_GPUS];        /* each GPU's default pool */
    int idle_gpu;                            /* 1 + the one whose primary context is not active */
    uint32_t prefetches;
    void *managed;                           /* 64 bytes that others have allocated as managed memory */
    int zero_attribute;                      /* of devices: answered with 0 */
    bool pageable;                           /* devices take pageable memory */
    unsigned scheduling[FAKE_GPUS];          /* flags of the primary context */
    fake_capture *captures[FAKE_ROOM];
    unsigned long long last_capture;
    fake_block reserved[FAKE_ROOM];
    fake_handle handles[FAKE_ROOM];
    fake_exec *all_execs[FAKE_ROOM];
    unsigned handle_count;
    struct { const char *symbol; uint32_t calls; } counts[FAKE_SYMBOLS];
} fake;
static void (*fake_ran)(const fake_function *f, const fake_green *green);    /* is told of each kernel that runs, and
                                                of its green context, or NULL */
static __thread struct { void *stack[8]; int depth, mode; } fake_thread;     /* contexts, and the capture mode */
static fake_stream fake_per_thread;
static int fake_contexts[FAKE_GPUS], fake_foreign_context __attribute__((unused));

/* One call at a time: the library has threads of its own. What a call calls may call again. */
static pthread_mutex_t fake_mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int fake_inside;
static int fake_enter(void)
{
    if (fake_inside++ == 0) { pthread_mutex_lock(&fake_mutex); }
    return 0;
}
static void fake_leave(int *unused)
{
    (void)unused;
    if (--fake_inside == 0) { pthread_mutex_unlock(&fake_mutex); }
}
#define FAKE_LOCK int lock_ __attribute__((cleanup(fake_leave), unused)) = fake_enter()

static struct { void **items; size_t count, room; } fake_objects;   /* all there ever were since the last reset */
static struct { char *ptr; size_t bytes; void *pool; } fake_memory[1024];         /* a lost context frees nothing: a reset does */

/* What is destroyed stays until the next reset, so that a handle that is used afterwards is known for what it is. */
static void *fake_new(size_t bytes, uint32_t magic)
{
    void *object = calloc(1, bytes);
    if (fake_objects.count == fake_objects.room) {
        fake_objects.room = fake_objects.room * 2 + 64;
        fake_objects.items = (void **)realloc(fake_objects.items, fake_objects.room * sizeof(void *));
    }
    fake_objects.items[fake_objects.count++] = object;
    memcpy(object, &magic, sizeof magic);
    return object;
}
static void fake_kill(void *object) { memset(object, 0, sizeof(uint32_t)); }
static void fake_reset(void)
{
    for (size_t i = 0; i < fake_objects.count; i++) { free(fake_objects.items[i]); }
    free(fake_objects.items);
    memset(&fake_objects, 0, sizeof fake_objects);
    for (size_t i = 0; i < COUNT(fake_memory); i++) { free(fake_memory[i].ptr), fake_memory[i].ptr = NULL; }
    for (size_t i = 0; i < FAKE_ROOM; i++) { free(fake.reserved[i].ptr); }
    memset(&fake, 0, sizeof fake);
    memset(&fake_thread, 0, sizeof fake_thread);
    fake_per_thread = (fake_stream){ .magic = FAKE_STREAM_MAGIC };
    fake.gpus = FAKE_GPUS;
}
/* A handle of that kind; one that is gone would crash the real driver, here or later. */
static bool fake_is(const void *handle, uint32_t magic)
{
    bool is = handle && *(const uint32_t *)handle == magic;
    fake.fatal += handle && !is && !fake.fault;              /* which comes first, then */
    return is;
}
static void *fake_current(void) { return fake_thread.depth ? fake_thread.stack[fake_thread.depth - 1] : NULL; }
static uint32_t *fake_count(const char *symbol)
{
    size_t i = 0;
    while (fake.counts[i].symbol && strcmp(fake.counts[i].symbol, symbol) != 0) { i++; }
    fake.counts[i].symbol = symbol;
    return &fake.counts[i].calls;
}
static int fake_call(const char *symbol)
{
    ++*fake_count(symbol);
    if (fake.fail && !strcmp(fake.fail, symbol) && ++fake.calls_of_fail == fake.fail_at) {
        if (fake.code == 700 || fake.code == 719) { fake.fault = fake.code; }
        return fake.code;
    }
    return fake.fault;                       /* which every call says from then on */
}
/* Whether the call that is to fail has not come yet. Threads of the library may call meanwhile. */
static inline bool fake_has_yet_to_fail(void)
{
    FAKE_LOCK;
    return fake.calls_of_fail < fake.fail_at;
}
static int fake_needs_context(const char *symbol)
{
    int code = fake_call(symbol);
    if (code) { return code; }
    for (int i = 0; i < FAKE_GPUS; i++) {
        if (fake_current() == &fake_contexts[i]) { return 0; }
    }
    fake.outside++;
    return 201;
}
#define FAKE(expression)                                                                                     \
    do {                                                                                                     \
        int code_ = (expression);                                                                            \
        if (code_) { return code_; }                                                                         \
    } while (0)

/* -- captures -- */

static fake_stream *fake_stream_of(const void *stream)       /* NULL: the default one */
{
    if ((uintptr_t)stream < 2) { return NULL; }
    return (uintptr_t)stream == 2 ? &fake_per_thread : (fake_stream *)(uintptr_t)stream;
}
static fake_capture *fake_capture_of(const void *stream)
{
    fake_stream *s = fake_stream_of(stream);
    return s ? s->capture : NULL;
}
static fake_capture *fake_find_capture(unsigned long long id)
{
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (fake.captures[i] && fake.captures[i]->id == id) { return fake.captures[i]; }
    }
    return NULL;
}
static bool fake_is_body(const fake_capture *c);
static int fake_spoil(fake_capture *c, int code)
{
    fake.spoilt += fake_is_body(c);
    c->status = 2;
    return code;
}
/* The default stream is out of bounds while a blocking stream captures. */
static int fake_implicit(const void *stream, bool spoil)
{
    int code = 0;
    if ((uintptr_t)stream > 1) { return 0; }
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        fake_capture *c = fake.captures[i];
        for (size_t k = 0; c && k < FAKE_ROOM; k++) {
            if (c->streams[k] && !(c->streams[k]->flags & 1)) { code = spoil ? fake_spoil(c, 906) : 906; }
        }
    }
    return code;
}
static bool fake_is_detached(const fake_stream *s)           /* its green context is gone */
{
    return s->green && !s->green->magic;
}
static int fake_has_stream(const char *symbol, const void *stream)   /* 0, 1, 2 are the current context's */
{
    if ((uintptr_t)stream <= 2) { return fake_needs_context(symbol); }
    if (!fake_is(stream, FAKE_STREAM_MAGIC)) { return 400; }
    FAKE(fake_call(symbol));
    return fake_is_detached((const fake_stream *)stream) ? 917 : 0;
}
static int fake_on_stream(const char *symbol, const void *stream)
{
    FAKE(fake_has_stream(symbol, stream));
    return fake_implicit(stream, true);
}
/* Calls that could make somebody wait for a capture: refused, and that is spoiled, unless the modes allow them. */
static int fake_careful(int code)
{
    int mode = fake_thread.mode;
    if (code) { return code; }
    fake.strict += mode != 2;
    for (size_t i = 0; i < FAKE_ROOM && mode != 2; i++) {
        fake_capture *c = fake.captures[i];
        bool mine = c && c->mode != 2 && pthread_equal(c->thread, pthread_self());
        if (mine || (c && c->mode == 0 && mode == 0)) { code = fake_spoil(c, 900); }
    }
    return code;
}
static void fake_after_add(fake_after *to, void *node, const sfi_cuda_edge *edge)
{
    static const sfi_cuda_edge full;
    for (size_t i = 0; i < to->count; i++) {
        if (to->nodes[i] == node) { return; }
    }
    if (to->count == FAKE_AFTER) { abort(); }
    to->nodes[to->count] = node;
    to->edges[to->count++] = edge ? *edge : full;
}
static void fake_join(fake_capture *c, fake_stream *s, const fake_after *after)
{
    size_t i = 0;
    for (; s->capture != c && c->streams[i]; i++) {}
    if (s->capture != c) { c->streams[i] = s, s->capture = c, s->after.count = 0, s->own = NULL; }
    for (i = 0; after && i < after->count; i++) { fake_after_add(&s->after, after->nodes[i], &after->edges[i]); }
}
static void fake_graph_free(fake_graph *g);
static void fake_capture_over(fake_capture *c, bool drop)
{
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (c->streams[i]) { c->streams[i]->capture = NULL, c->streams[i]->after.count = 0; }
        if (fake.captures[i] == c) { fake.captures[i] = NULL; }
    }
    c->graph->capture = NULL;
    free(c->before);
    if (drop) { fake_graph_free(c->graph); }
    fake_kill(c);
}

/* -- graphs -- */

static bool fake_is_body(const fake_capture *c) { return c->graph->parent != NULL; }
static fake_graph *fake_graph_new(fake_node *parent)
{
    fake_graph *g = (fake_graph *)fake_new(sizeof *g, FAKE_GRAPH_MAGIC);
    g->parent = parent;
    fake.graphs++;
    return g;
}
static void fake_block_drop(fake_block *b)
{
    if (--b->references == 0 && !b->live) { free(b->ptr), b->ptr = NULL; }
}
static fake_block *fake_block_find(const void *ptr)
{
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (ptr && fake.reserved[i].ptr == ptr) { return &fake.reserved[i]; }
    }
    return NULL;
}
static void fake_object_drop(fake_object *o, unsigned count)
{
    if (o->references < count) { abort(); }
    if ((o->references -= count) == 0) {
        o->destroy(o->user);
        fake_kill(o), fake.objects--;
    }
}
static void fake_node_free(fake_node *n)
{
    for (size_t i = 0; i < n->body_count; i++) { fake_graph_free(n->bodies[i]); }
    if (n->block) { fake_block_drop(n->block); }
    fake_kill(n), fake.nodes--;
}
static void fake_graph_drop_objects(fake_graph *g)
{
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (g->objects[i]) { fake_object_drop(g->objects[i], 1), g->objects[i] = NULL; }
    }
}
static void fake_graph_free(fake_graph *g)
{
    if (g->capture) {                        /* while it is captured into */
        fake.fatal += !fake.fault;
        fake_capture_over(g->capture, false);
    }
    fake.fatal += g->given_up && !fake.fault;
    for (size_t i = 0; i < g->count; i++) { fake_node_free(g->nodes[i]); }
    fake_graph_drop_objects(g);
    for (unsigned i = 0; i < fake.handle_count; i++) {
        if (fake.handles[i].graph == g) { fake.handles[i].graph = NULL; }
    }
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (fake.all_execs[i] && fake.all_execs[i]->source == g) { fake.all_execs[i]->source = NULL; }
    }
    fake_kill(g), fake.graphs--;
}
static fake_node *fake_node_new(fake_graph *g, int type, const fake_after *after)
{
    fake_node *n = (fake_node *)fake_new(sizeof *n, FAKE_NODE_MAGIC);
    if (g->count == FAKE_NODES) { abort(); }
    n->type = n->p.type = type, n->graph = g;
    if (after) { n->after = *after; }
    g->nodes[g->count++] = n;
    fake.nodes++;
    return n;
}
/* What was captured last has other parameters than before: the caller is told, if only now, as they are complete. */
static int fake_tell_again(fake_capture *c)
{
    fake_node *n = c->pending, *before = c->before;
    int code = 0;
    c->pending = c->before = NULL;
    if (n && (memcmp(&n->p, &before->p, sizeof n->p) || memcmp(n->args, before->args, sizeof n->args))) {
        code = c->tell(c->user, n, &before->p, &n->p, 0);
    }
    free(before);
    return code ? fake_spoil(c, 918) : 0;
}
static int fake_again(fake_stream *s, int type, fake_node **node)
{
    fake_capture *c = s->capture;
    fake_node *n;
    FAKE(fake_tell_again(c));
    if (c->at >= c->graph->count) { return fake_spoil(c, 918); }
    n = c->graph->nodes[c->at];
    if (n->type != type || n->after.count != s->after.count) { return fake_spoil(c, 918); }
    for (size_t i = 0; i < n->after.count; i++) {
        size_t k = 0;
        while (k < s->after.count && s->after.nodes[k] != n->after.nodes[i]) { k++; }
        if (k == s->after.count) { return fake_spoil(c, 918); }
    }
    c->before = malloc(sizeof *n);
    *c->before = *n;
    c->pending = n;
    c->at++;
    *node = n;
    return 0;
}
/* A command: a node if its stream captures, else *node is NULL. */
static int fake_work(const char *symbol, void *stream, int type, fake_node **node)
{
    fake_stream *s = fake_stream_of(stream);
    *node = NULL;
    FAKE(fake_on_stream(symbol, stream));
    if (!s || !s->capture) { return 0; }
    if (s->capture->status == 2) { return 901; }
    if (s->capture->again) { FAKE(fake_again(s, type, node)); }
    else {
        *node = fake_node_new(s->capture->graph, type, &s->after);
        (*node)->green = s->green;
    }
    s->after.count = 0;
    fake_after_add(&s->after, s->own = *node, NULL);
    return 0;
}
/* No command there may be captured. */
static int fake_uncaptured(const char *symbol, void *stream)
{
    fake_capture *c = fake_capture_of(stream);
    FAKE(fake_on_stream(symbol, stream));
    return c ? fake_spoil(c, 900) : 0;
}
static bool fake_is_loaded(const void *function)
{
    size_t i = 0;
    while (i < fake.loads && fake.loaded[i] != function) { i++; }
    return i < fake.loads || fake.loading == 1;
}
static void fake_load(const void *function)  /* what the first launch does, too */
{
    if (fake_is_loaded(function)) { return; }
    if (fake.loads == COUNT(fake.loaded)) { abort(); }
    fake.loaded[fake.loads++] = function;
    fake.hangs += fake.stays;
}
static int fake_keep_params(fake_node *n, const fake_function *f, void **params)
{
    size_t at = 0;
    if (!fake_is(f, FAKE_FUNCTION_MAGIC)) { return 400; }
    n->p.u.kernel.func = (void *)(uintptr_t)f;
    for (int i = 0; i < FAKE_PARAMS && f->sizes[i]; i++) {
        memcpy(n->args + at, params[i], f->sizes[i]);
        n->params[i] = n->args + at;
        at += (f->sizes[i] + 15) & ~(size_t)15;
    }
    n->p.u.kernel.params = n->params;
    return 0;
}
/* What <<<>>> does: in a capture, too, it loads the code. */
/* green: its context, or NULL. */
static void fake_run_kernel(const fake_function *f, const fake_green *green, void **params)
{
    fake_load(f);
    if (fake_ran) { fake_ran(f, green); }
    f->body(params);
}
static int fake_launch(void *stream, const fake_function *f, void **params)
{
    fake_node *n;
    FAKE(fake_work("<<<>>>", stream, FAKE_KERNEL, &n));
    if (n) {
        fake_load(f);
        n->attribute = f->attribute;
        return fake_keep_params(n, f, params);
    }
    fake_run_kernel(f, fake_stream_of(stream) ? fake_stream_of(stream)->green : NULL, params);
    return 0;
}
/* What cudaGraphSetConditional() does. */
static fake_handle *fake_handle_of(unsigned long long handle)
{
    return handle >= 0x1000 && handle < 0x1000 + fake.handle_count ? &fake.handles[handle - 0x1000] : NULL;
}
static void fake_set_conditional(unsigned long long handle, unsigned value)
{
    if (fake_handle_of(handle)) { fake_handle_of(handle)->value = value; }
}

static int fake_init(unsigned flags) { FAKE_LOCK; FAKE(fake_call("cuInit")); return flags ? 1 : fake.init_code; }
static int fake_driver_get_version(int *v)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDriverGetVersion"));
    *v = fake.version ? fake.version : 12080;
    return 0;
}
static int fake_get_error_name(int code, const char **name)
{
    FAKE_LOCK;
    ++*fake_count("cuGetErrorName");
    *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
    return 0;
}
static int fake_get_error_string(int code, const char **text)        /* this one knows not all codes */
{
    FAKE_LOCK;
    ++*fake_count("cuGetErrorString");
    *text = code == 2 ? "out of memory" : NULL;
    return code == 2 ? 0 : 1;
}
static int fake_device_get_count(int *n)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGetCount"));
    *n = fake.gpus;
    return fake.count_code;
}
static int fake_device_get(int *device, int ordinal)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGet"));
    *device = ordinal;
    return ordinal < 0 || ordinal >= fake.gpus ? 101 : 0;
}
static int fake_device_get_name(char *name, int bytes, int device)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGetName"));
    snprintf(name, (size_t)bytes, "Fake %d", device);
    return 0;
}
static int fake_device_get_attribute(int *value, int attribute, int device)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGetAttribute"));
    switch (attribute) {
    case 16: *value = 100 + device; break;
    case 75: *value = 9; break;
    case 109: *value = 1 << 27; break;
    case 126: *value = 4; break;
    case 83: case 89: case 98: case 122: case 123: *value = 1; break;
    case 10: *value = 32; break;
    case 97: *value = 227 << 10; break;
    case 86: return 1;                       /* as a driver that does not know it */
    case 148:
        if (fake.version && fake.version < 13010) { return 1; }
        *value = 1;
        break;
    case 88: *value = fake.pageable; break;
    default: *value = 0; break;
    }
    if (attribute == fake.zero_attribute) { *value = 0; }
    return 0;
}
static int fake_device_get_uuid(sfi_cuda_uuid *uuid, int device)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGetUuid_v2"));
    memset(uuid, 0x40 + device, sizeof *uuid);
    return 0;
}
static int fake_device_get_pci(char *text, int bytes, int device)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGetPCIBusId"));
    snprintf(text, (size_t)bytes, "0000:3%d:00.0", device);
    return 0;
}
static int fake_context_set_flags(int device, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDevicePrimaryCtxSetFlags_v2"));
    if (flags & ~31u || (flags & 7) == 3 || (flags & 7) > 4) { return 1; }
    fake.scheduling[device] = flags;
    return 0;
}
static int fake_context_get_primary(int device, unsigned *flags, int *active)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDevicePrimaryCtxGetState"));
    *flags = fake.scheduling[device];
    *active = fake.retained[device] > 0 && fake.idle_gpu != 1 + device;
    return 0;
}
static int fake_context_retain(void **context, int device)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDevicePrimaryCtxRetain"));
    fake.retained[device]++;
    *context = &fake_contexts[device];
    return 0;
}
static int fake_context_release(int device)
{
    FAKE_LOCK;
    fake.retained[device]--;
    return fake_call("cuDevicePrimaryCtxRelease_v2");
}
static int fake_context_get_current(void **context)
{
    FAKE_LOCK;
    FAKE(fake_call("cuCtxGetCurrent"));
    *context = fake_current();
    return 0;
}
static int fake_context_push(void *context)
{
    FAKE_LOCK;
    FAKE(fake_call("cuCtxPushCurrent_v2"));
    fake.pushes++;
    fake_thread.stack[fake_thread.depth++] = context;
    return 0;
}
static int fake_context_pop(void **context)                  /* pops even if it reports an error */
{
    FAKE_LOCK;
    if (!fake_thread.depth) { return 201; }
    *context = fake_thread.stack[--fake_thread.depth];
    return fake_call("cuCtxPopCurrent_v2");
}
static int fake_context_synchronize(void)    /* whatever the modes are */
{
    FAKE_LOCK;
    int code;
    FAKE(fake_needs_context("cuCtxSynchronize"));
    code = 0;
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (fake.captures[i]) { code = fake_spoil(fake.captures[i], 900); }
    }
    return code;
}
static int fake_context_get_device(int *device)
{
    FAKE_LOCK;
    FAKE(fake_call("cuCtxGetDevice"));
    if (!fake_current()) { return 201; }
    *device = fake_current() == &fake_contexts[1];           /* the foreign one is GPU 0's */
    return 0;
}
static int fake_device_can_access_peer(int *can, int device, int peer)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceCanAccessPeer"));
    *can = device != peer && !fake.no_peer;
    return 0;
}
static int fake_context_enable_peer(void *peer, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_needs_context("cuCtxEnablePeerAccess")));
    unsigned self = fake_current() == &fake_contexts[1], other = peer == &fake_contexts[1];
    if (flags || self == other || (!other && peer != &fake_contexts[0])) { return 1; }
    if (fake.no_peer) { return 217; }
    if (fake.peers[self] >> other & 1) { return 704; }
    fake.peers[self] |= 1u << other;
    return 0;
}
static int fake_context_get_priorities(int *least, int *greatest)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuCtxGetStreamPriorityRange"));
    *least = FAKE_LEAST, *greatest = FAKE_GREATEST;
    return 0;
}
static int fake_mem_get_info(size_t *free_bytes, size_t *total)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuMemGetInfo_v2"));
    *free_bytes = 1000, *total = 3000;
    return 0;
}
static int fake_take(void *out, size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    size_t i = 0;
    memset(p, 0xdd, bytes);
    memcpy(out, &p, sizeof p);
    while (fake_memory[i].ptr) { i++; }
    fake_memory[i].ptr = (char *)p, fake_memory[i].bytes = bytes, fake_memory[i].pool = NULL;
    fake.blocks++;
    return 0;
}
static int fake_give(void *p)
{
    fake_block *b = fake_block_find(p);
    if (b) {
        bool was = b->live;
        b->live = false, b->references++;
        fake_block_drop(b);
        return was ? 0 : 1;
    }
    for (size_t i = 0; i < COUNT(fake_memory); i++) {
        if (fake_memory[i].ptr == p) {
            free(p), fake_memory[i].ptr = NULL, fake.blocks--;
            return 0;
        }
    }
    return 1;
}
static int fake_mem_alloc(sfi_cuda_ptr *p, size_t n)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_needs_context("cuMemAlloc_v2")));
    return fake_take(p, n);
}
static int fake_mem_free(sfi_cuda_ptr p)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_needs_context("cuMemFree_v2")));
    fake.hangs += fake.stays;
    return fake_give((void *)(uintptr_t)p);
}
static int fake_mem_host_alloc(void **p, size_t n, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_needs_context("cuMemHostAlloc")));
    return (flags & 2) ? fake_take(p, n) : 1;
}
static int fake_mem_host_free(void *p)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_needs_context("cuMemFreeHost")));
    fake.hangs += fake.stays;
    return fake_give(p);
}
static int fake_mem_host_get_device_pointer(sfi_cuda_ptr *out, void *p, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuMemHostGetDevicePointer_v2"));
    *out = (sfi_cuda_ptr)(uintptr_t)p;
    return flags ? 1 : 0;
}
static int fake_mem_alloc_managed(sfi_cuda_ptr *p, size_t n, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_needs_context("cuMemAllocManaged")));
    return flags == 1 ? fake_take(p, n) : 1;
}
static bool fake_is_host(const void *ptr)    /* neither ours nor a graph's: the GPU does not know it */
{
    const char *p = (const char *)ptr;
    for (size_t i = 0; i < COUNT(fake_memory); i++) {
        const char *from = fake_memory[i].ptr;
        if (from && p >= from && p < from + fake_memory[i].bytes) { return false; }
    }
    return !fake_block_find(p);
}
static int fake_memset_async(sfi_cuda_ptr p, unsigned char value, size_t n, void *stream)
{
    FAKE_LOCK;
    fake_node *node;
    FAKE(fake_work("cuMemsetD8Async", stream, FAKE_MEMSET, &node));
    if (node) {
        node->p.u.memset.dst = p, node->p.u.memset.value = value;
        node->p.u.memset.width = n, node->p.u.memset.height = node->p.u.memset.element = 1;
        return 0;
    }
    memset((void *)(uintptr_t)p, value, n);
    return 0;
}
static int fake_copy(const char *symbol, sfi_cuda_ptr dst, sfi_cuda_ptr src, size_t n, void *stream)
{
    fake_node *node;
    FAKE(fake_work(symbol, stream, FAKE_MEMCPY, &node));
    if (node) {
        sfi_cuda_copy_3d *c = &node->p.u.memcpy.copy;
        c->src_type = fake_is_host((void *)(uintptr_t)src) ? 1 : 2;
        c->dst_type = fake_is_host((void *)(uintptr_t)dst) ? 1 : 2;
        c->src = src, c->src_host = (void *)(uintptr_t)src;
        c->dst = dst, c->dst_host = (void *)(uintptr_t)dst;
        c->width = n, c->height = c->depth = 1;
        return 0;
    }
    memcpy((void *)(uintptr_t)dst, (void *)(uintptr_t)src, n);
    return 0;
}
static int fake_memcpy_async(sfi_cuda_ptr dst, sfi_cuda_ptr src, size_t n, void *stream)
{
    FAKE_LOCK;
    return fake_copy("cuMemcpyAsync", dst, src, n, stream);
}
static int fake_memcpy_2d_async(const sfi_cuda_copy_2d *c, void *stream)
{
    FAKE_LOCK;
    fake_node *node;
    if (c->width > c->src_pitch || c->width > c->dst_pitch) { return 1; }
    FAKE(fake_work("cuMemcpy2DAsync_v2", stream, FAKE_MEMCPY, &node));
    fake.last_copy = *c;
    if (node) {
        sfi_cuda_copy_3d *to = &node->p.u.memcpy.copy;
        to->src_type = to->dst_type = 2;
        to->src = c->src, to->src_pitch = c->src_pitch;
        to->dst = c->dst, to->dst_pitch = c->dst_pitch;
        to->width = c->width, to->height = c->height, to->depth = 1;
        return 0;
    }
    for (size_t y = 0; y < c->height; y++) {
        memcpy((char *)(uintptr_t)c->dst + (c->dst_y + y) * c->dst_pitch + c->dst_x,
               (char *)(uintptr_t)c->src + (c->src_y + y) * c->src_pitch + c->src_x, c->width);
    }
    return 0;
}
static int fake_memcpy_peer_async(sfi_cuda_ptr dst, void *to, sfi_cuda_ptr src, void *from, size_t n,
                                  void *stream)
{
    FAKE_LOCK;
    fake.peer_contexts[0] = to, fake.peer_contexts[1] = from;
    if (fake_capture_of(stream)) { return fake_uncaptured("cuMemcpyPeerAsync", stream); }    /* as driver 580 */
    return fake_copy("cuMemcpyPeerAsync", dst, src, n, stream);
}
static int fake_stream_create(void **stream, unsigned flags, int priority)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuStreamCreateWithPriority"));
    fake_stream *s = (fake_stream *)fake_new(sizeof *s, FAKE_STREAM_MAGIC);
    *s = (fake_stream){ .magic = FAKE_STREAM_MAGIC, .flags = flags, .priority = priority, .context = fake_current() };
    *stream = s;
    if (++fake.streams > fake.most_streams) {
        fake.most_streams = fake.streams;
        fake.hangs += fake.stays;
    }
    return flags > 1 ? 1 : 0;
}
static bool fake_must_join(const fake_stream *s, const void *node)   /* it has captured it, and goes on from there */
{
    for (size_t i = 0; node && i < s->after.count; i++) {
        if (s->after.nodes[i] == node) { return node == s->own; }
    }
    return false;
}
static int fake_stream_destroy(void *stream) /* of an origin: the capture is gone, with its graph unless that is a body */
{
    FAKE_LOCK;
    int code = fake_call("cuStreamDestroy_v2");
    fake_stream *s = (fake_stream *)stream;
    if ((uintptr_t)stream <= 2 || !fake_is(s, FAKE_STREAM_MAGIC)) { return 400; }
    if (s->capture && s->capture->origin == s) {
        s->capture->graph->given_up = fake_is_body(s->capture);
        fake_capture_over(s->capture, !fake_is_body(s->capture));
    }
    for (size_t i = 0; s->capture && i < FAKE_ROOM; i++) {
        if (s->capture->streams[i] == s) {
            s->capture->left[i] = fake_must_join(s, s->own) ? (fake_node *)s->own : NULL;
            s->capture->streams[i] = NULL;
        }
    }
    if (s->green) { s->green->streams--; }
    fake_kill(s);
    fake.streams--;
    return code;
}

/* -- green contexts, as on an H100: 8 multiprocessors at least, and steps of 8 -- */

enum { FAKE_SMS_STEP = 8 };
static int fake_device_get_resource(int device, sfi_cuda_resource *resource, int type)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGetDevResource"));
    if (type != 1 && type != 1000) { return 914; }
    memset(resource, 0, sizeof *resource);
    resource->type = type;
    if (type == 1) {
        resource->u.sm.count = 100 + (unsigned)device;
        resource->u.sm.least = resource->u.sm.step = FAKE_SMS_STEP;
    } else {
        resource->u.queues.device = device, resource->u.queues.limit = 32;
    }
    return 0;
}
static int fake_resource_split(sfi_cuda_resource *result, unsigned *groups, const sfi_cuda_resource *from,
                               sfi_cuda_resource *rest, unsigned flags, unsigned least)
{
    FAKE_LOCK;
    unsigned step = flags & 1 ? 2 : FAKE_SMS_STEP, sms = least ? (least + step - 1) / step * step : step, n;
    FAKE(fake_call("cuDevSmResourceSplitByCount"));
    if (from->type != 1 || flags > 2) { return 1; }
    if (least > from->u.sm.count || from->reserved[0]) { return 915; }       /* nothing is split twice */
    if (sms > from->u.sm.count) { sms = from->u.sm.count; }
    n = from->u.sm.count / sms < *groups ? from->u.sm.count / sms : *groups;
    if (fake.most_groups && n > fake.most_groups) { n = fake.most_groups; }
    fake.splits++;
    for (unsigned i = 0; i <= n; i++) {
        sfi_cuda_resource *r = i < n ? &result[i] : rest;
        *r = *from;
        memset(r->reserved, 0, sizeof r->reserved);
        r->reserved[0] = (unsigned char)fake.splits;
        r->u.sm.least = r->u.sm.step = 0;
        r->u.sm.count = i < n ? sms : from->u.sm.count - n * sms;
    }
    *groups = n;
    if (!rest->u.sm.count) { rest->type = 0; }
    return 0;
}
static int fake_resource_split_sizes(sfi_cuda_resource *result, unsigned groups, const sfi_cuda_resource *from,
                                     sfi_cuda_resource *rest, unsigned flags, sfi_cuda_group *sizes)
{
    FAKE_LOCK;
    unsigned left = from->u.sm.count;
    FAKE(fake_call("cuDevSmResourceSplit"));
    if (from->type != 1 || flags || !groups) { return 1; }
    if (from->reserved[0]) { return 915; }
    for (unsigned i = 0; i < groups; i++) {
        unsigned step = sizes[i].coscheduled ? sizes[i].coscheduled : FAKE_SMS_STEP;
        for (int k = 0; k < 12; k++) {
            if (sizes[i].reserved[k] || sizes[i].flags) { return 1; }
        }
        if (!sizes[i].count || sizes[i].count % step || sizes[i].count > left) { return 915; }
        left -= sizes[i].count;
    }
    fake.splits++;
    for (unsigned i = 0; i <= groups; i++) {
        sfi_cuda_resource *r = i < groups ? &result[i] : rest;
        *r = *from;
        r->reserved[0] = (unsigned char)fake.splits;
        r->u.sm.count = i < groups ? sizes[i].count : left;
    }
    if (!left) { rest->type = 0; }
    return 0;
}
static int fake_resource_describe(void **desc, sfi_cuda_resource *resources, unsigned count)
{
    FAKE_LOCK;
    fake_desc *d;
    FAKE(fake_call("cuDevResourceGenerateDesc"));
    d = (fake_desc *)fake_new(sizeof *d, FAKE_DESC_MAGIC);
    for (unsigned i = 0; i < count; i++) {
        const sfi_cuda_resource *r = &resources[i];
        if (r->type == 1000 && i && i + 1 == count && r->u.queues.scope == 1) {
            d->queues = r->u.queues.limit;
        } else if (r->type == 1 && r->u.sm.count) {          /* of one split */
            if (r->reserved[0] != resources[0].reserved[0]) { return 915; }
            d->sms += r->u.sm.count;
            d->groups++;
        } else {
            return 914;
        }
    }
    if (!d->sms) { return 1; }
    *desc = d;
    return 0;
}
static int fake_green_create(void **green, void *desc, int device, unsigned flags)
{
    FAKE_LOCK;
    fake_green *g;
    FAKE(fake_careful(fake_needs_context("cuGreenCtxCreate")));
    if (!fake_is(desc, FAKE_DESC_MAGIC) || flags != 1) { return 1; }
    g = (fake_green *)fake_new(sizeof *g, FAKE_GREEN_MAGIC);
    g->sms = ((fake_desc *)desc)->sms, g->queues = ((fake_desc *)desc)->queues, g->device = device;
    g->groups = ((fake_desc *)desc)->groups;
    *green = g;
    fake.greens++;
    return 0;
}
static int fake_green_destroy(void *green)   /* streams that are left leak, and are invalid */
{
    FAKE_LOCK;
    int code = fake_careful(fake_call("cuGreenCtxDestroy"));
    if (!fake_is(green, FAKE_GREEN_MAGIC)) { return 1; }
    fake.fatal += ((fake_green *)green)->streams != 0 && fake.version < 13010;
    fake_kill(green);
    fake.greens--;
    return code;
}
static int fake_green_stream_create(void **stream, void *green, unsigned flags, int priority)
{
    FAKE_LOCK;
    fake_green *g = (fake_green *)green;
    FAKE(fake_call("cuGreenCtxStreamCreate"));
    if (!fake_is(g, FAKE_GREEN_MAGIC) || flags != 1) { return 1; }
    fake_stream *s = (fake_stream *)fake_new(sizeof *s, FAKE_STREAM_MAGIC);
    *s = (fake_stream){ .magic = FAKE_STREAM_MAGIC, .flags = flags, .priority = priority, .green = g,
                        .context = &fake_contexts[g->device] };
    *stream = s;
    fake.streams++;
    if (++g->streams > g->most_streams) {    /* each green context has room of its own: the worst that may be */
        g->most_streams = g->streams;
        fake.hangs += fake.stays;
    }
    return 0;
}
static int fake_green_get_resource(void *green, sfi_cuda_resource *resource, int type)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGreenCtxGetDevResource"));
    if (!fake_is(green, FAKE_GREEN_MAGIC) || type != 1) { return 1; }
    memset(resource, 0, sizeof *resource);
    resource->type = 1, resource->u.sm.count = ((fake_green *)green)->sms;
    return 0;
}
static int fake_stream_get_contexts(void *s, void **context, void **green)
{
    FAKE_LOCK;
    FAKE(fake_has_stream("cuStreamGetCtx_v2", s));
    *context = (uintptr_t)s <= 2 ? fake_current() : ((fake_stream *)s)->context;
    *green = (uintptr_t)s <= 2 ? NULL : ((fake_stream *)s)->green;
    return 0;
}
/* Threads that wait for futures ask meanwhile. */
static inline void fake_set_busy(uint32_t queries)
{
    FAKE_LOCK;
    fake.busy = queries;
}
static int fake_pending(void) { return fake.busy ? fake.busy--, 600 : 0; }
static int fake_stream_query(void *s)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_uncaptured("cuStreamQuery", s)));
    return fake_pending();
}
static int fake_stream_synchronize(void *s)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_uncaptured("cuStreamSynchronize", s)));
    fake.busy = 0;
    return 0;
}
static int fake_stream_wait_event(void *stream, void *event, unsigned flags)
{
    FAKE_LOCK;
    fake_stream *s = fake_stream_of(stream);
    fake_event *e = (fake_event *)event;
    fake_capture *to, *from;
    FAKE(fake_on_stream("cuStreamWaitEvent", stream));
    if (!fake_is(e, FAKE_EVENT_MAGIC)) { return 400; }
    to = fake_capture_of(stream), from = e->captured ? fake_find_capture(e->captured) : NULL;
    if (flags > 1) { return 1; }
    if (to && to->status == 2) { return 901; }
    if (flags) {                             /* a node */
        fake_node *n;
        if (e->captured && (!from || from->status == 2)) { return to ? fake_spoil(to, 1) : 1; }
        if (!to) { return 401; }
        n = fake_node_new(to->graph, FAKE_WAIT, &s->after);
        n->p.u.event = e;
        s->after.count = 0;
        fake_after_add(&s->after, s->own = n, NULL);
        return 0;
    }
    if (!e->captured) { return to && e->recorded ? fake_spoil(to, 905) : 0; }
    if (!from || from->status == 2) { return to ? fake_spoil(to, 1) : 1; }
    if (!s) { return fake_spoil(from, 906); }
    if (to && to != from) { return fake_spoil(from, fake_spoil(to, 902)); }
    fake_join(from, s, &e->after);
    return 0;
}
static int fake_stream_get_flags(void *s, unsigned *flags)
{
    FAKE_LOCK;
    FAKE(fake_on_stream("cuStreamGetFlags", s));
    *flags = (uintptr_t)s <= 2 ? 0 : ((fake_stream *)s)->flags;
    return 0;
}
static int fake_stream_get_context(void *s, void **context)
{
    FAKE_LOCK;
    FAKE(fake_has_stream("cuStreamGetCtx", s));
    if ((uintptr_t)s > 2 && ((fake_stream *)s)->green) { return 801; }       /* has no way to tell */
    *context = (uintptr_t)s <= 2 ? fake_current() : ((fake_stream *)s)->context;
    return 0;
}
static int fake_stream_get_priority(void *s, int *priority)
{
    FAKE_LOCK;
    FAKE(fake_on_stream("cuStreamGetPriority", s));
    *priority = (uintptr_t)s <= 2 ? 0 : ((fake_stream *)s)->priority;
    return 0;
}
static int fake_host_func(const char *symbol, void *s, void (*func)(void *), void *user)
{
    fake_node *n;
    if (!func) { return 1; }
    FAKE(fake_work(symbol, s, FAKE_HOST, &n));
    if (n) {
        n->p.u.host.func = func, n->p.u.host.user = user;
    } else if (fake.hold) {
        fake.queue[fake.queued++] = (fake_queued){ func, NULL, s, user };
    } else {
        func(user);
    }
    return 0;
}
static int fake_launch_host_func(void *s, void (*func)(void *), void *user)
{
    FAKE_LOCK;
    return fake_host_func("cuLaunchHostFunc", s, func, user);
}
static int fake_launch_host_func_as(void *s, void (*func)(void *), void *user, unsigned mode)
{
    FAKE_LOCK;
    if (mode > 1) { return 1; }
    fake.spins += mode;
    return fake_host_func("cuLaunchHostFunc_v2", s, func, user);
}
static int fake_event_create(void **event, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuEventCreate"));
    fake_event *e = (fake_event *)fake_new(sizeof *e, FAKE_EVENT_MAGIC);
    e->flags = flags;
    *event = e;
    fake.events++;
    return 0;
}
static int fake_event_destroy(void *event)
{
    FAKE_LOCK;
    int code = fake_call("cuEventDestroy_v2");
    if (!fake_is(event, FAKE_EVENT_MAGIC)) { return 400; }
    for (size_t i = 0; i < fake_objects.count && !fake.fault; i++) {         /* a graph or an executable names it */
        const fake_node *n = (const fake_node *)fake_objects.items[i];
        if (n->magic != FAKE_NODE_MAGIC || (n->type != FAKE_RECORD && n->type != FAKE_WAIT)) { continue; }
        fake.fatal += n->p.u.event == event;
    }
    fake_kill(event);
    fake.events--;
    return code;
}
static int fake_record(const char *symbol, void *event, void *stream, unsigned flags)
{
    fake_stream *s = fake_stream_of(stream);
    fake_event *e = (fake_event *)event;
    FAKE(fake_on_stream(symbol, stream));
    if (!fake_is(e, FAKE_EVENT_MAGIC)) { return 400; }
    if (flags > 1) { return 1; }
    if (s && s->capture) {
        if (s->capture->status == 2) { return 901; }
        if (flags) {                         /* a node */
            fake_node *n = fake_node_new(s->capture->graph, FAKE_RECORD, &s->after);
            n->p.u.event = e;
            s->after.count = 0;
            fake_after_add(&s->after, s->own = n, NULL);
            return 0;
        }
        e->captured = s->capture->id, e->after = s->after;
        return 0;
    }
    if (flags) { return 401; }
    e->captured = 0;
    e->recorded = true;
    e->time = fake.now += 0.5f;
    return 0;
}
static int fake_event_record(void *event, void *s) { FAKE_LOCK; return fake_record("cuEventRecord", event, s, 0); }
static int fake_event_record_with_flags(void *event, void *s, unsigned flags)
{
    FAKE_LOCK;
    return fake_record("cuEventRecordWithFlags", event, s, flags);
}
static int fake_event_asked(const char *symbol, const fake_event *e)
{
    fake_capture *c;
    FAKE(fake_call(symbol));
    if (!fake_is(e, FAKE_EVENT_MAGIC)) { return 400; }
    c = e->captured ? fake_find_capture(e->captured) : NULL;
    if (c && c->status == 1) { return fake_spoil(c, 907); }
    return e->captured ? 1 : fake_careful(0);
}
static int fake_event_query(void *event)
{
    FAKE_LOCK;
    FAKE(fake_event_asked("cuEventQuery", (fake_event *)event));
    return fake_pending();
}
static int fake_context_record_event(void *context, void *event)         /* all streams; spoils as cuCtxSynchronize */
{
    FAKE_LOCK;
    fake_event *e = (fake_event *)event;
    int code;
    FAKE(fake_call("cuCtxRecordEvent"));
    if (context != fake_current() || !fake_is(e, FAKE_EVENT_MAGIC)) { return 400; }
    code = 0;
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (fake.captures[i]) { code = fake_spoil(fake.captures[i], 900); }
    }
    e->captured = 0;
    e->recorded = true;
    return code;
}
static int fake_event_synchronize(void *event)
{
    FAKE_LOCK;
    FAKE(fake_event_asked("cuEventSynchronize", (fake_event *)event));
    fake.busy = 0;
    return 0;
}
static int fake_event_elapsed_time(float *ms, void *start, void *end)
{
    FAKE_LOCK;
    const fake_event *a = (const fake_event *)start, *b = (const fake_event *)end;
    FAKE(fake_call("cuEventElapsedTime"));
    for (int i = 0; i < 2; i++) {
        const fake_event *e = i ? b : a;
        const fake_capture *c = e->captured ? fake_find_capture(e->captured) : NULL;
        if (e->captured) { return c && c->status == 1 ? 907 : 1; }
    }
    if (!a->recorded || !b->recorded || (a->flags | b->flags) & 2) { return 400; }
    *ms = b->time - a->time;
    return fake_pending();
}
static int fake_stream_get_id(void *s, unsigned long long *id)
{
    FAKE_LOCK;
    FAKE(fake_on_stream("cuStreamGetId", s));
    *id = (uintptr_t)s;
    return 0;
}
static int fake_mem_prefetch_async(sfi_cuda_ptr p, size_t n, int device, void *s)
{
    FAKE_LOCK;
    FAKE(fake_uncaptured("cuMemPrefetchAsync", s));
    fake.prefetches += p && n && device >= -1;
    return 0;
}
static fake_block *fake_reserve(size_t n)
{
    size_t i = 0;
    while (fake.reserved[i].ptr) { i++; }
    fake.reserved[i] = (fake_block){ .ptr = malloc(n ? n : 1), .references = 1 };
    return &fake.reserved[i];
}
static int fake_alloc_ordered(const char *symbol, sfi_cuda_ptr *p, size_t n, void *s)
{
    fake_node *node = NULL;
    if (fake_capture_of(s)) {
        FAKE(fake_work(symbol, s, FAKE_ALLOC, &node));
        node->block = fake_reserve(n);
        *p = node->p.u.alloc.ptr = (uintptr_t)node->block->ptr;
        return 0;
    }
    FAKE(fake_careful(fake_on_stream(symbol, s)));
    return fake_take(p, n);
}
static int fake_mem_alloc_async(sfi_cuda_ptr *p, size_t n, void *s)
{
    FAKE_LOCK;
    return fake_alloc_ordered("cuMemAllocAsync", p, n, s);
}
static int fake_mem_alloc_from_pool_async(sfi_cuda_ptr *p, size_t n, void *pool, void *s)
{
    FAKE_LOCK;
    int code = pool ? fake_alloc_ordered("cuMemAllocFromPoolAsync", p, n, s) : 1;
    for (size_t i = 0; i < COUNT(fake_memory) && !code; i++) {
        if (fake_memory[i].ptr == (void *)(uintptr_t)*p) { fake_memory[i].pool = pool; }
    }
    return code;
}
static int fake_frees(const fake_graph *g, const void *ptr)  /* whether a node there does */
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->type == FAKE_FREE && g->nodes[i]->block->ptr == ptr) { return 1; }
    }
    return 0;
}
static int fake_mem_free_async(sfi_cuda_ptr p, void *s)
{
    FAKE_LOCK;
    void *ptr = (void *)(uintptr_t)p;
    fake_node *node;
    fake_capture *c = fake_capture_of(s);
    if (!c) {
        FAKE(fake_careful(fake_on_stream("cuMemFreeAsync", s)));
        return ptr ? fake_give(ptr) : 0;
    }
    if (ptr && (!fake_block_find(ptr) || fake_frees(c->graph, ptr))) { return fake_call("cuMemFreeAsync"), 1; }
    FAKE(fake_work("cuMemFreeAsync", s, FAKE_FREE, &node));
    node->block = fake_block_find(ptr);
    node->block->references++;
    node->p.u.free = p;
    return 0;
}
static int fake_mem_pool_create(void **pool, const sfi_cuda_pool_props *props)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_call("cuMemPoolCreate")));
    fake.last_pool = (fake_pool *)fake_new(sizeof(fake_pool), FAKE_POOL_MAGIC);
    fake.last_pool->props = *props;
    *pool = fake.last_pool;
    fake.pools++;
    return 0;
}
static int fake_mem_pool_destroy(void *pool)
{
    FAKE_LOCK;
    int code = fake_call("cuMemPoolDestroy"), refused = fake_careful(0);
    if (refused) { return refused; }
    if (!fake_is(pool, FAKE_POOL_MAGIC)) { return 400; }
    for (size_t i = 0; i < COUNT(fake_memory); i++) {        /* the real one crashes, some calls later */
        fake.fatal += !fake.fault && fake_memory[i].ptr && fake_memory[i].pool == pool;
    }
    fake_kill(pool);
    fake.pools--;
    return code;
}
static int fake_mem_pool_set_attribute(void *pool, int attribute, void *value)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_call("cuMemPoolSetAttribute")));
    if (attribute < 1 || attribute > 8) { return 1; }
    ((fake_pool *)pool)->set[attribute] = true;
    if (attribute <= 3) {                    /* the switches are ints, the others 64 bits */
        int on;
        memcpy(&on, value, sizeof on);
        ((fake_pool *)pool)->attributes[attribute] = (unsigned long long)on;
    } else {
        memcpy(&((fake_pool *)pool)->attributes[attribute], value, 8);
    }
    return 0;
}
static int fake_mem_pool_set_access(void *pool, const sfi_cuda_pool_access *access, size_t count)
{
    FAKE_LOCK;
    FAKE(fake_call("cuMemPoolSetAccess"));
    if (!fake_is(pool, FAKE_POOL_MAGIC)) { return 400; }
    if (count != 1 || access->location.type != 1 || access->flags != 3) { return 1; }
    if (access->location.id == ((fake_pool *)pool)->props.location.id) { return 1; }
    ((fake_pool *)pool)->readers |= 1u << access->location.id;
    return 0;
}
static int fake_mem_pool_default(void **pool, int device)
{
    FAKE_LOCK;
    FAKE(fake_call("cuDeviceGetDefaultMemPool"));
    fake.first_pools[device].magic = FAKE_POOL_MAGIC;
    fake.first_pools[device].props.location.id = device;
    *pool = &fake.first_pools[device];
    return 0;
}
static int fake_mem_pool_trim(void *pool, size_t n)
{
    FAKE_LOCK;
    FAKE(fake_careful(fake_call("cuMemPoolTrimTo")));
    ((fake_pool *)pool)->kept = n;
    return 0;
}

static int fake_mem_pool_get_attribute(void *pool, int attribute, void *value)
{
    FAKE_LOCK;
    FAKE(fake_call("cuMemPoolGetAttribute"));
    if (attribute < 1 || attribute > 8) { return 1; }
    memcpy(value, &((fake_pool *)pool)->attributes[attribute], attribute <= 3 ? sizeof(int) : 8);
    return 0;
}
static int fake_pointer_get_attribute(void *value, int attribute, sfi_cuda_ptr p)
{
    FAKE_LOCK;
    int device = 2;
    FAKE(fake_call("cuPointerGetAttribute"));
    char *at = (char *)(uintptr_t)p, *managed = (char *)fake.managed;
    bool is_managed = managed && at >= managed && at < managed + 64;
    if ((attribute != 2 && attribute != 8) || (!is_managed && fake_is_host(at))) { return 1; }
    if (attribute == 8) { device = is_managed; }
    memcpy(value, &device, sizeof device);
    return 0;
}

/* -- callbacks, attached memory, attributes, values -- */

static int fake_stream_add_callback(void *s, void (*func)(void *, int, void *), void *user, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_uncaptured("cuStreamAddCallback", s));
    if (!func || flags) { return 1; }
    if (fake.hold) {
        fake.queue[fake.queued++] = (fake_queued){ NULL, func, s, user };
    } else {
        func(s, fake.fault, user);
    }
    return 0;
}
/* What was held back: after a fault callbacks are told, host functions never run. */
static inline void fake_run_queue(void)
{
    for (size_t i = 0; i < fake.queued; i++) {
        fake_queued q = fake.queue[i];
        if (q.callback) {
            q.callback(q.stream, fake.fault, q.user);
        } else if (!fake.fault) {
            q.func(q.user);
        }
    }
    fake.queued = 0;
}
static int fake_stream_attach_mem_async(void *s, sfi_cuda_ptr p, size_t n, unsigned flags)
{
    FAKE_LOCK;
    int mode = fake_thread.mode, code = fake_uncaptured("cuStreamAttachMemAsync", s);
    if (!code) {                             /* refused in any mode of the thread */
        fake_thread.mode = 0;
        code = fake_careful(0);
        fake_thread.mode = mode;
    }
    if (code) { return code; }
    if (!flags) { fake.fatal++; }            /* the real one crashes */
    if (flags != 1 && flags != 2 && flags != 4) { return 1; }
    if (flags == 4 && !s) { return 1; }
    fake.last_attach.ptr = (void *)(uintptr_t)p, fake.last_attach.bytes = n, fake.last_attach.flags = flags;
    return p ? 0 : 1;
}
static int fake_stream_copy_attributes(void *dst, void *src)
{
    FAKE_LOCK;
    fake_stream *to = fake_stream_of(dst), *from = fake_stream_of(src);
    FAKE(fake_on_stream("cuStreamCopyAttributes", dst));
    FAKE(fake_implicit(src, true));
    if ((to && to->capture && to->capture->status == 2) || (from && from->capture && from->capture->status == 2)) {
        return 901;
    }
    if (to) {
        to->priority = from ? from->priority : 0;
        if (from) { memcpy(to->values, from->values, sizeof to->values); }
    }
    return 0;
}
static int fake_check_attribute(int attribute, const sfi_cuda_value *v)
{
    switch (attribute) {
    case 1: return v->stream.window.hit_ratio < 0 || v->stream.window.hit_ratio > 1 || v->stream.window.miss > 1;
    case 3: return v->value < 1 || v->value > 4;
    case 8: return 0;
    case 9: return v->stream.map[0] > 3 || v->stream.map[1] > 3;
    case 10: return v->value < 0 || v->value > 1;
    default: return 1;
    }
}
static int fake_stream_get_attribute(void *stream, int attribute, sfi_cuda_value *v)
{
    FAKE_LOCK;
    fake_stream *s = fake_stream_of(stream);
    FAKE(fake_has_stream("cuStreamGetAttribute", stream));
    FAKE(fake_implicit(stream, false));
    if (s && s->capture && s->capture->status == 2) { return 901; }
    memset(v, 0, sizeof *v);
    if (s && attribute >= 0 && attribute < 11) { *v = s->values[attribute]; }
    if (attribute == 8) { v->value = s ? s->priority : 0; }
    if (attribute == 3 && !v->value) { v->value = -1; return 0; }    /* as driver 580 */
    if (attribute == 9 && !v->value) { v->stream.map[1] = 1; }
    return fake_check_attribute(attribute, v);
}
static int fake_stream_set_attribute(void *stream, int attribute, const sfi_cuda_value *v)
{
    FAKE_LOCK;
    fake_stream *s = fake_stream_of(stream);
    FAKE(fake_on_stream("cuStreamSetAttribute", stream));
    if (s && s->capture && s->capture->status == 2) { return 901; }
    if (fake_check_attribute(attribute, v)) { return 1; }
    if (s) { s->values[attribute] = *v; }
    if (s && attribute == 8) { s->priority = v->value > 0 ? 0 : v->value < -5 ? -5 : v->value; }
    return 0;
}
static bool fake_is_met(const void *ptr, uint64_t value, unsigned bytes, unsigned flags)
{
    uint64_t now = bytes == 4 ? __atomic_load_n((const uint32_t *)ptr, __ATOMIC_ACQUIRE)
                              : __atomic_load_n((const uint64_t *)ptr, __ATOMIC_ACQUIRE);
    switch (flags) {
    case 0: return bytes == 4 ? (int32_t)((uint32_t)now - (uint32_t)value) >= 0 : (int64_t)(now - value) >= 0;
    case 1: return now == value;
    case 2: return (now & value) != 0;
    default: return (bytes == 4 ? (uint32_t)~(now | value) : ~(now | value)) != 0;
    }
}
static void fake_reduce(void *ptr, int operation, int data, uint64_t value)
{
    uint32_t *narrow = (uint32_t *)ptr;
    uint64_t *wide = (uint64_t *)ptr;
    switch (operation * 2 + (data == 22)) {
    case 0: *narrow += (uint32_t)value; break;
    case 1: *wide += value; break;
    case 10: *narrow &= (uint32_t)value; break;
    case 11: *wide &= value; break;
    case 12: *narrow |= (uint32_t)value; break;
    default: *wide |= value; break;
    }
}
static void fake_do_batch(const fake_node *n)
{
    const sfi_cuda_op *op = (const sfi_cuda_op *)(const void *)n->args;
    for (int i = 0; i < n->p.reserved0[1]; i++, op++) {
        void *ptr = (void *)(uintptr_t)op->value.ptr, *word = (void *)(uintptr_t)op->atomic.ptr;
        switch (op->value.type) {
        case 1: case 4:
            fake.unmet += !fake_is_met(ptr, op->value.value, op->value.type == 1 ? 4 : 8, op->value.flags & 3);
            break;
        case 2: __atomic_store_n((uint32_t *)ptr, (uint32_t)op->value.value, __ATOMIC_RELEASE); break;
        case 5: __atomic_store_n((uint64_t *)ptr, op->value.value, __ATOMIC_RELEASE); break;
        case 8: fake_reduce(word, op->atomic.operation, op->atomic.data, op->atomic.value); break;
        default: break;
        }
    }
}
static void fake_do_value(const fake_node *n)                /* behind what came before it: as a GPU does */
{
    if (!n->op.bytes) {
        fake_do_batch(n);
    } else if (n->op.wait) {
        fake.unmet += !fake_is_met(n->op.ptr, n->op.value, n->op.bytes, n->p.reserved0[0] & 3);
    } else if (n->op.bytes == 4) {
        __atomic_store_n((uint32_t *)n->op.ptr, (uint32_t)n->op.value, __ATOMIC_RELEASE);
    } else {
        __atomic_store_n((uint64_t *)n->op.ptr, n->op.value, __ATOMIC_RELEASE);
    }
}
static int fake_value(const char *symbol, void *s, sfi_cuda_ptr p, uint64_t value, unsigned flags, unsigned bytes,
                      bool wait)
{
    fake_node now, *n;
    if (!p || p % bytes || (flags & ~(1u << 30)) > (wait ? 3u : 0u)) { return fake_call(symbol), 1; }
    FAKE(fake_work(symbol, s, FAKE_VALUE, &n));
    memset(&now, 0, sizeof now);
    if (!n) { n = &now; }
    n->op.ptr = (void *)(uintptr_t)p, n->op.value = value, n->op.bytes = bytes, n->op.wait = wait;
    n->p.reserved0[0] = (int)flags;
    if (n == &now) { fake_do_value(n); }
    return 0;
}
static int fake_stream_write_value32(void *s, sfi_cuda_ptr p, uint32_t value, unsigned flags)
{
    FAKE_LOCK;
    return fake_value("cuStreamWriteValue32_v2", s, p, value, flags, 4, false);
}
static int fake_stream_write_value64(void *s, sfi_cuda_ptr p, unsigned long long value, unsigned flags)
{
    FAKE_LOCK;
    return fake_value("cuStreamWriteValue64_v2", s, p, value, flags, 8, false);
}
static int fake_stream_wait_value32(void *s, sfi_cuda_ptr p, uint32_t value, unsigned flags)
{
    FAKE_LOCK;
    return fake_value("cuStreamWaitValue32_v2", s, p, value, flags, 4, true);
}
static int fake_stream_wait_value64(void *s, sfi_cuda_ptr p, unsigned long long value, unsigned flags)
{
    FAKE_LOCK;
    return fake_value("cuStreamWaitValue64_v2", s, p, value, flags, 8, true);
}
static int fake_stream_batch(void *s, unsigned count, sfi_cuda_op *ops, unsigned flags)
{
    FAKE_LOCK;
    fake_node *now = NULL, *n;
    bool wrong = flags || count > 255 || (count && !ops);
    for (unsigned i = 0; i < count && !wrong; i++) {
        int type = ops[i].value.type;
        wrong = type < 1 || (type > 6 && (type != 8 || (fake.version && fake.version < 13010)));
        if (type == 8) {
            int op = ops[i].atomic.operation, data = ops[i].atomic.data;
            wrong = wrong || ops[i].atomic.flags || (op != 0 && op != 5 && op != 6) || (data != 14 && data != 22) ||
                    !ops[i].atomic.ptr || ops[i].atomic.ptr % (data == 22 ? 8 : 4);
        } else if (type == 3 || type == 6) { wrong = ops[i].barrier.flags > (type == 6 ? 1u : 0u); }
        else { wrong = wrong || !ops[i].value.ptr; }
    }
    if (wrong) { return fake_call("cuStreamBatchMemOp_v2"), 1; }
    FAKE(fake_work("cuStreamBatchMemOp_v2", s, FAKE_VALUE, &n));
    if (!n) { n = now = calloc(1, sizeof *n); }
    n->op.bytes = 0;
    n->p.reserved0[1] = (int)count;
    if (count) { memcpy(n->args, ops, count * sizeof *ops); }
    if (now) { fake_do_batch(now); }
    free(now);
    return 0;
}

/* -- capture, as it is called -- */

static int fake_thread_exchange_capture_mode(int *mode)
{
    FAKE_LOCK;
    int old = fake_thread.mode;
    FAKE(fake_call("cuThreadExchangeStreamCaptureMode"));
    if (*mode < 0 || *mode > 2) { return 1; }
    fake.exchanges++;
    fake_thread.mode = *mode, *mode = old;
    return 0;
}
static int fake_begin(const char *symbol, void *stream, fake_graph *g, const fake_after *after, int mode)
{
    fake_stream *s = fake_stream_of(stream);
    fake_capture *c;
    size_t i = 0;
    FAKE(fake_on_stream(symbol, stream));
    if (!s) { return 900; }
    if (s->capture || (g && g->capture)) { return 401; }
    if (mode < 0 || mode > 2) { return 1; }
    c = (fake_capture *)fake_new(sizeof *c, FAKE_CAPTURE_MAGIC);
    c->id = ++fake.last_capture, c->graph = g ? g : fake_graph_new(NULL), c->lent = g != NULL;
    c->origin = s, c->mode = mode, c->thread = pthread_self(), c->status = 1;
    c->graph->capture = c;
    while (fake.captures[i]) { i++; }
    fake.captures[i] = c;
    fake_join(c, s, after);
    return 0;
}
static int fake_stream_begin_capture(void *s, int mode)
{
    FAKE_LOCK;
    return fake_begin("cuStreamBeginCapture_v2", s, NULL, NULL, mode);
}
/* Nodes of `g`, each once unless `again`. */
static int fake_make_after(fake_after *to, const fake_graph *g, void *const *nodes, const sfi_cuda_edge *edges,
                           size_t n, bool again)
{
    to->count = 0;
    if (n && !nodes) { return 1; }
    for (size_t i = 0; i < n; i++) {
        const fake_node *node = (const fake_node *)nodes[i];
        size_t before = to->count;
        if (!fake_is(node, FAKE_NODE_MAGIC) || node->graph != g) { return 1; }
        fake_after_add(to, nodes[i], edges ? &edges[i] : NULL);
        if (to->count == before && !again) { return 1; }
    }
    return 0;
}
static int fake_stream_begin_capture_to_graph(void *s, void *graph, void *const *nodes, const sfi_cuda_edge *edges,
                                              size_t n, int mode)
{
    FAKE_LOCK;
    static const char symbol[] = "cuStreamBeginCaptureToGraph";
    fake_graph *g = (fake_graph *)graph;
    fake_after after;
    int code = !g ? 1 : !fake_is(g, FAKE_GRAPH_MAGIC) ? 400 : fake_make_after(&after, g, nodes, edges, n, true);
    if (code) { return fake_call(symbol), code; }
    return fake_begin(symbol, s, g, &after, mode);
}
static int fake_stream_begin_recapture(void *s, int mode, void *graph,
                                       int (*tell)(void *, void *, const void *, const void *, int), void *user)
{
    FAKE_LOCK;
    static const char symbol[] = "cuStreamBeginRecaptureToGraph";
    fake_graph *g = (fake_graph *)graph;
    fake_after after;
    int code = !g || !tell ? 1 : !fake_is(g, FAKE_GRAPH_MAGIC) ? 400 : 0;
    if (code) { return fake_call(symbol), code; }
    after.count = 0;
    FAKE(fake_begin(symbol, s, g, &after, mode));
    fake_capture_of(s)->again = true;
    fake_capture_of(s)->tell = tell, fake_capture_of(s)->user = user;
    return 0;
}
static bool fake_leads_to(const fake_node *from, const fake_after *end)
{
    for (size_t i = 0; i < end->count; i++) {
        const fake_node *n = (const fake_node *)end->nodes[i];
        if (n == from || fake_leads_to(from, &n->after)) { return true; }
    }
    return false;
}
static int fake_check_end(const fake_capture *c)
{
    if (c->status == 2) { return c->again && c->at < c->graph->count ? 918 : 901; }
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        const fake_stream *s = c->streams[i];
        if (c->left[i] && !fake_leads_to(c->left[i], &c->origin->after)) { return 904; }
        for (size_t k = 0; s && s != c->origin && k < s->after.count; k++) {
            const fake_node *n = (const fake_node *)s->after.nodes[k];
            if (fake_must_join(s, n) && !fake_leads_to(n, &c->origin->after)) { return 904; }
        }
    }
    return c->mode != 2 && !pthread_equal(c->thread, pthread_self()) ? 908 : 0;
}
/* Whatever it says, the capture is over then; a graph that was given goes with one that failed, as the driver's does;
   a body cannot: the driver crashes, and so does this one. */
static int fake_stream_end_capture(void *stream, void **graph)
{
    FAKE_LOCK;
    fake_stream *s = fake_stream_of(stream);
    fake_capture *c = fake_capture_of(stream);
    int code = fake_has_stream("cuStreamEndCapture", stream), end;
    bool body;
    if (graph) { *graph = NULL; }
    if (!code) { code = fake_implicit(stream, true); }
    if (!c) { return code ? code : 401; }
    if (c->origin != s) { return fake_spoil(c, code ? code : 903); }
    if (c->again && c->status == 1 && !fake_tell_again(c) && c->at < c->graph->count) { (void)fake_spoil(c, 918); }
    end = fake_check_end(c);
    code = code ? code : end;
    body = fake_is_body(c);
    if (end && body && !fake.fault) {
        fprintf(stderr, "fake_cuda: a capture into a body that is to end is wrong: %d\n", end);
        abort();
    }
    if (!code && graph) { *graph = c->graph; }
    fake_capture_over(c, !body && (code || (!graph && !c->lent)));
    return code;
}
static int fake_status(const char *symbol, void *stream, int *status)
{
    fake_capture *c = fake_capture_of(stream);
    FAKE(fake_has_stream(symbol, stream));
    FAKE(fake_implicit(stream, false));
    *status = c ? c->status : 0;
    return 0;
}
static int fake_stream_is_capturing(void *s, int *status)
{
    FAKE_LOCK;
    return fake_status("cuStreamIsCapturing", s, status);
}
static int fake_stream_get_capture_info(void *s, int *status, unsigned long long *id, void **graph,
                                        void *const **nodes, const sfi_cuda_edge **edges, size_t *n)
{
    FAKE_LOCK;
    fake_stream *from = fake_stream_of(s);
    FAKE(fake_status("cuStreamGetCaptureInfo_v3", s, status));
    if (*status != 1) { return 0; }
    for (size_t i = 0; nodes && !edges && i < from->after.count; i++) {
        if (from->after.edges[i].type) { return 402; }
    }
    if (id) { *id = from->capture->id; }
    if (graph) { *graph = from->capture->graph; }
    if (nodes) { *nodes = from->after.nodes; }
    if (edges) { *edges = from->after.edges; }
    if (n) { *n = from->after.count; }
    return 0;
}
static int fake_stream_update_capture(void *stream, void **nodes, const sfi_cuda_edge *edges, size_t n,
                                      unsigned flags)
{
    FAKE_LOCK;
    fake_stream *s = fake_stream_of(stream);
    fake_after after;
    FAKE(fake_on_stream("cuStreamUpdateCaptureDependencies_v2", stream));
    if (flags > 1) { return 1; }
    if (!s || !s->capture) { return 401; }
    if (s->capture->status == 2) { return 901; }
    FAKE(fake_make_after(&after, s->capture->graph, nodes, edges, n, true));
    if (flags) { s->after.count = 0; }
    fake_join(s->capture, s, &after);
    return 0;
}

/* -- graphs, as they are called -- */

static int fake_graph_create(void **graph, unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGraphCreate"));
    *graph = fake_graph_new(NULL);
    return flags ? 1 : 0;
}
static int fake_graph_destroy(void *graph)
{
    FAKE_LOCK;
    int code = fake_call("cuGraphDestroy");
    fake_graph *g = (fake_graph *)graph;
    if (!fake_is(g, FAKE_GRAPH_MAGIC)) { return 400; }
    if (g->parent) { return 1; }
    fake_graph_free(g);
    return code;
}
static bool fake_is_single(const fake_graph *g)              /* can be in use once only */
{
    for (size_t i = 0; i < g->count; i++) {
        const fake_node *n = g->nodes[i];
        if (n->type == FAKE_ALLOC || n->type == FAKE_FREE || n->type == FAKE_CONDITIONAL) { return true; }
        for (size_t k = 0; k < n->body_count; k++) {
            if (fake_is_single(n->bodies[k])) { return true; }
        }
    }
    return false;
}
static void fake_node_renew(fake_node *n, const fake_node *from)     /* its parameters */
{
    n->p = from->p;
    n->op = from->op;
    n->attribute = from->attribute;
    n->green = from->green;
    memcpy(n->args, from->args, sizeof n->args);
    for (int i = 0; i < FAKE_PARAMS && from->params[i]; i++) {
        n->params[i] = n->args + ((const char *)from->params[i] - from->args);
    }
    if (n->type == FAKE_KERNEL) { n->p.u.kernel.params = n->params; }
}
static void fake_keep_objects(fake_graph *to, const fake_graph *from)
{
    fake_object *old[FAKE_ROOM];
    memcpy(old, to->objects, sizeof old);
    memcpy(to->objects, from->objects, sizeof old);
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (to->objects[i]) { to->objects[i]->references++; }
    }
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (old[i]) { fake_object_drop(old[i], 1); }
    }
}
static size_t fake_place(const fake_graph *g, const void *node)
{
    size_t i = 0;
    while (i < g->count && g->nodes[i] != node) { i++; }
    return i;
}
static fake_graph *fake_copy_graph(const fake_graph *from, fake_node *parent)
{
    fake_graph *g = fake_graph_new(parent);
    for (size_t i = 0; i < from->count; i++) {
        const fake_node *old = from->nodes[i];
        fake_node *n = fake_node_new(g, old->type, &old->after);
        n->from = old;
        fake_node_renew(n, old);
        n->block = old->block;
        if (n->block) { n->block->references++; }
        n->body_count = old->body_count;
        for (size_t k = 0; k < n->body_count; k++) { n->bodies[k] = fake_copy_graph(old->bodies[k], n); }
    }
    for (size_t i = 0; i < g->count; i++) {
        fake_after *a = &g->nodes[i]->after;
        for (size_t k = 0; k < a->count; k++) { a->nodes[k] = g->nodes[fake_place(from, a->nodes[k])]; }
    }
    fake_keep_objects(g, from);
    return g;
}
static int fake_graph_clone(void **clone, void *graph)
{
    FAKE_LOCK;
    fake_graph *g = (fake_graph *)graph;
    FAKE(fake_call("cuGraphClone"));
    if (!fake_is(g, FAKE_GRAPH_MAGIC)) { return 400; }
    if (fake_is_single(g) || g->parent) { return 801; }
    *clone = fake_copy_graph(g, NULL);
    return 0;
}
static int fake_tell(void *const *from, size_t count, void **to, size_t *n)
{
    size_t room = to ? *n : 0;
    *n = to && room < count ? room : count;
    for (size_t i = 0; i < room; i++) { to[i] = i < count ? from[i] : NULL; }
    return 0;
}
static int fake_graph_get_nodes(void *graph, void **nodes, size_t *n)
{
    FAKE_LOCK;
    fake_graph *g = (fake_graph *)graph;
    FAKE(fake_call("cuGraphGetNodes"));
    if (!fake_is(g, FAKE_GRAPH_MAGIC)) { return 400; }
    return fake_tell((void *const *)g->nodes, g->count, nodes, n);
}
static int fake_graph_node_get_type(void *node, int *type)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGraphNodeGetType"));
    *type = ((fake_node *)node)->type;
    return fake_is(node, FAKE_NODE_MAGIC) ? 0 : 400;
}
static int fake_graph_node_get_dependencies(void *node, void **nodes, sfi_cuda_edge *edges, size_t *n)
{
    FAKE_LOCK;
    fake_after *a = &((fake_node *)node)->after;
    FAKE(fake_call("cuGraphNodeGetDependencies_v2"));
    if (!fake_is(node, FAKE_NODE_MAGIC)) { return 400; }
    for (size_t i = 0; i < a->count; i++) {
        if (nodes && !edges && a->edges[i].type) { return 402; }
        if (nodes && edges && i < *n) { edges[i] = a->edges[i]; }
    }
    return fake_tell(a->nodes, a->count, nodes, n);
}
static int fake_graph_child_get_graph(void *node, void **graph)
{
    FAKE_LOCK;
    fake_node *n = (fake_node *)node;
    FAKE(fake_call("cuGraphChildGraphNodeGetGraph"));
    if (!fake_is(n, FAKE_NODE_MAGIC) || n->type != FAKE_CHILD) { return 1; }
    *graph = n->bodies[0];
    return 0;
}
static int fake_graph_add_dependencies(void *graph, void *const *from, void *const *to, const sfi_cuda_edge *edges,
                                       size_t n)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGraphAddDependencies_v2"));
    for (size_t i = 0; i < n; i++) {
        fake_node *a = (fake_node *)from[i], *b = (fake_node *)to[i];
        size_t before = b->after.count;
        if (!fake_is(a, FAKE_NODE_MAGIC) || !fake_is(b, FAKE_NODE_MAGIC)) { return 400; }
        if (a == b || a->graph != graph || b->graph != graph) { return 1; }
        fake_after_add(&b->after, a, edges ? &edges[i] : NULL);
        if (b->after.count == before) { return 1; }
    }
    return 0;
}
static int fake_graph_conditional_create(unsigned long long *handle, void *graph, void *context, unsigned initial,
                                         unsigned flags)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGraphConditionalHandleCreate"));
    if (flags > 1 || !context) { return 1; }
    if (!fake_is(graph, FAKE_GRAPH_MAGIC)) { return 400; }
    *handle = 0x1000 + fake.handle_count;
    fake.handles[fake.handle_count++] = (fake_handle){ (fake_graph *)graph, initial, flags, 0, false };
    return 0;
}
static int fake_add_conditional(fake_node *n, sfi_cuda_node *p)
{
    fake_handle *h = fake_handle_of(p->u.conditional.handle);
    unsigned size = p->u.conditional.size;
    int type = p->u.conditional.type;
    fake_graph *g = n->graph;
    while (h && g && h->graph != g) { g = g->parent ? g->parent->graph : NULL; }
    if (!h || !g || h->used || type < 0 || type > 2 || !size || size > FAKE_BODIES || (type == 0 && size > 2) ||
        (type == 1 && size > 1)) {
        return 1;
    }
    h->used = true;
    n->body_count = size;
    for (unsigned i = 0; i < size; i++) { n->bodies[i] = fake_graph_new(n); }
    p->u.conditional.bodies = n->p.u.conditional.bodies = (void **)n->bodies;
    return 0;
}
static int fake_fill_node(fake_node *n, sfi_cuda_node *p)    /* of a node that is new */
{
    void *ptr = (void *)(uintptr_t)p->u.free;
    n->p = *p;
    switch (n->type) {
    case FAKE_KERNEL: return fake_keep_params(n, (const fake_function *)p->u.kernel.func, p->u.kernel.params);
    case FAKE_MEMCPY: return p->u.memcpy.context && p->u.memcpy.copy.width && p->u.memcpy.copy.depth ? 0 : 1;
    case FAKE_MEMSET: return p->u.memset.context && p->u.memset.element == 1 && p->u.memset.height ? 0 : 1;
    case FAKE_HOST: return p->u.host.func ? 0 : 1;
    case FAKE_CHILD:
        if (fake_is_single((fake_graph *)p->u.child.graph)) { return 801; }
        n->bodies[0] = fake_copy_graph((fake_graph *)p->u.child.graph, n);
        n->body_count = 1;
        return 0;
    case FAKE_EMPTY: return 0;
    case FAKE_WAIT:
    case FAKE_RECORD: return fake_is(p->u.event, FAKE_EVENT_MAGIC) ? 0 : 400;
    case FAKE_ALLOC:
        if (!p->u.alloc.bytes || p->u.alloc.props.type != 1 || p->u.alloc.props.location.type != 1) { return 1; }
        n->block = fake_reserve(p->u.alloc.bytes);
        p->u.alloc.ptr = n->p.u.alloc.ptr = (uintptr_t)n->block->ptr;
        return 0;
    case FAKE_FREE:
        if (!fake_block_find(ptr)) { return 1; }
        n->block = fake_block_find(ptr);
        n->block->references++;
        return 0;
    case FAKE_CONDITIONAL: return fake_add_conditional(n, p);
    default: return 1;
    }
}
static int fake_graph_add_node(void **node, void *graph, void *const *nodes, const sfi_cuda_edge *edges, size_t count,
                               sfi_cuda_node *p)
{
    FAKE_LOCK;
    fake_graph *g = (fake_graph *)graph;
    fake_after after;
    fake_node *n;
    int code;
    FAKE(fake_needs_context("cuGraphAddNode_v2"));
    if (!fake_is(g, FAKE_GRAPH_MAGIC)) { return 400; }
    FAKE(fake_make_after(&after, g, nodes, edges, count, false));
    if (p->type == FAKE_FREE && fake_frees(g, (void *)(uintptr_t)p->u.free)) { return 1; }
    n = fake_node_new(g, p->type, &after);
    code = fake_fill_node(n, p);
    if (code) {
        g->count--;
        fake_node_free(n);
        return code;
    }
    *node = n;
    return 0;
}
static int fake_graph_kernel_get_params(void *node, sfi_cuda_kernel *params)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGraphKernelNodeGetParams_v2"));
    if (!fake_is(node, FAKE_NODE_MAGIC) || ((fake_node *)node)->type != FAKE_KERNEL) { return 1; }
    *params = ((fake_node *)node)->p.u.kernel;
    if (((fake_node *)node)->green) { params->context = ((fake_node *)node)->green; }
    return 0;
}
static int fake_graph_node_get_params(void *node, sfi_cuda_node *params)
{
    FAKE_LOCK;
    const fake_node *n = (const fake_node *)node;
    FAKE(fake_call("cuGraphNodeGetParams"));
    if (!fake_is(n, FAKE_NODE_MAGIC)) { return 1; }
    *params = n->p;
    if (n->type == FAKE_KERNEL && n->green) { params->u.kernel.context = n->green; }
    return 0;
}
static int fake_graph_kernel_copy_attributes(void *dst, void *src)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGraphKernelNodeCopyAttributes"));
    if (!fake_is(dst, FAKE_NODE_MAGIC) || !fake_is(src, FAKE_NODE_MAGIC)) { return 400; }
    ((fake_node *)dst)->attribute = ((fake_node *)src)->attribute;
    return 0;
}
static int fake_graph_memcpy_get_params(void *node, sfi_cuda_copy_3d *params)
{
    FAKE_LOCK;
    FAKE(fake_call("cuGraphMemcpyNodeGetParams"));
    if (!fake_is(node, FAKE_NODE_MAGIC) || ((fake_node *)node)->type != FAKE_MEMCPY) { return 1; }
    *params = ((fake_node *)node)->p.u.memcpy.copy;
    return 0;
}
static int fake_user_object_create(void **object, void *user, void (*destroy)(void *), unsigned references,
                                   unsigned flags)
{
    FAKE_LOCK;
    fake_object *o;
    FAKE(fake_call("cuUserObjectCreate"));
    if (flags != 1 || !references || !destroy) { return 1; } /* CU_USER_OBJECT_NO_DESTRUCTOR_SYNC is a must */
    o = (fake_object *)fake_new(sizeof *o, FAKE_OBJECT_MAGIC);
    *o = (fake_object){ FAKE_OBJECT_MAGIC, references, user, destroy };
    *object = o;
    fake.objects++;
    return 0;
}
static int fake_user_object_release(void *object, unsigned count)
{
    FAKE_LOCK;
    int code = fake_call("cuUserObjectRelease");
    if (!fake_is(object, FAKE_OBJECT_MAGIC)) { return 400; }
    fake_object_drop((fake_object *)object, count);
    return code;
}
static int fake_graph_retain_user_object(void *graph, void *object, unsigned count, unsigned flags)
{
    FAKE_LOCK;
    fake_graph *g = (fake_graph *)graph;
    size_t i = 0;
    FAKE(fake_call("cuGraphRetainUserObject"));
    if (!fake_is(g, FAKE_GRAPH_MAGIC) || !fake_is(object, FAKE_OBJECT_MAGIC)) { return 400; }
    if (count != 1 || flags > 1) { return 1; }
    while (g->objects[i]) { i++; }
    g->objects[i] = (fake_object *)object;
    if (!flags) { g->objects[i]->references++; }
    return 0;
}

/* -- executables -- */

static bool fake_has_cycle(const fake_graph *g)
{
    bool on = true;
    size_t left = g->count;
    for (size_t i = 0; i < g->count; i++) { g->nodes[i]->done = false; }
    while (on) {
        on = false;
        for (size_t i = 0; i < g->count; i++) {
            size_t k = 0;
            while (k < g->nodes[i]->after.count && ((fake_node *)g->nodes[i]->after.nodes[k])->done) { k++; }
            if (g->nodes[i]->done || k < g->nodes[i]->after.count) { continue; }
            g->nodes[i]->done = on = true;
            left--;
        }
    }
    return left != 0;
}
static int fake_check_graph(const fake_graph *g, bool in_body)
{
    if (fake_has_cycle(g)) { return 1; }
    for (size_t i = 0; i < g->count; i++) {
        const fake_node *n = g->nodes[i];
        const sfi_cuda_copy_3d *c = &n->p.u.memcpy.copy;
        bool fine = n->type == FAKE_KERNEL || n->type == FAKE_MEMSET || n->type == FAKE_EMPTY ||
                    n->type == FAKE_CHILD || n->type == FAKE_CONDITIONAL ||
                    (n->type == FAKE_MEMCPY && c->src_type != 1 && c->dst_type != 1);
        if (in_body && (!fine || (n->green && fake.version < 13040))) { return 1; }
        for (size_t k = 0; k < n->body_count; k++) {
            FAKE(fake_check_graph(n->bodies[k], in_body || n->type == FAKE_CONDITIONAL));
        }
    }
    return 0;
}
static int fake_graph_instantiate(void **exec, void *graph, unsigned long long flags)
{
    FAKE_LOCK;
    fake_graph *g = (fake_graph *)graph;
    fake_exec *e;
    size_t place = 0;
    FAKE(fake_careful(fake_needs_context("cuGraphInstantiateWithFlags")));
    if (!fake_is(g, FAKE_GRAPH_MAGIC)) { return 400; }
    if (flags & ~9ull) { return 1; }
    if (g->parent || (fake_is_single(g) && g->execs)) { return 801; }
    FAKE(fake_check_graph(g, false));
    for (unsigned i = 0; i < fake.handle_count; i++) {
        if (fake.handles[i].graph == g && !fake.handles[i].used) { return 1; }
    }
    e = (fake_exec *)fake_new(sizeof *e, FAKE_EXEC_MAGIC);
    *e = (fake_exec){ FAKE_EXEC_MAGIC, fake_copy_graph(g, NULL), g, flags };
    g->execs++;
    while (fake.all_execs[place]) { place++; }
    *exec = fake.all_execs[place] = e;
    fake.execs++;
    return 0;
}
static int fake_graph_exec_destroy(void *exec)               /* one that is refused stays */
{
    FAKE_LOCK;
    fake_exec *e = (fake_exec *)exec;
    if (!fake_is(e, FAKE_EXEC_MAGIC)) { return 400; }
    if (!fake.fault) { FAKE(fake_careful(fake_call("cuGraphExecDestroy"))); }
    fake.hangs += fake.stays;
    if (e->source) { e->source->execs--; }
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (fake.all_execs[i] == e) { fake.all_execs[i] = NULL; }
    }
    for (size_t i = 0, k = 0; fake.flies && i < FAKE_ROOM && e->graph->objects[i]; i++) {
        while (fake.flying[k]) { k++; }
        fake.flying[k] = e->graph->objects[i], e->graph->objects[i] = NULL;
    }
    fake_graph_free(e->graph);
    fake_kill(e), fake.execs--;
    return fake.fault;
}
static inline void fake_land(void)
{
    FAKE_LOCK;
    fake.flies = false;
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (fake.flying[i]) { fake_object_drop(fake.flying[i], 1), fake.flying[i] = NULL; }
    }
}
static inline void fake_destroy_execs(void)  /* those that nobody could */
{
    fake.fail = NULL;
    for (size_t i = 0; i < FAKE_ROOM; i++) {
        if (fake.all_execs[i]) { (void)fake_graph_exec_destroy(fake.all_execs[i]); }
    }
}
static int fake_run_graph(fake_graph *g, const fake_exec *e);
static int fake_run_node(fake_node *n, const fake_exec *e)
{
    const sfi_cuda_copy_3d *c = &n->p.u.memcpy.copy;
    fake_handle *h;
    switch (n->type) {
    case FAKE_KERNEL:
        fake_run_kernel((const fake_function *)n->p.u.kernel.func, n->green, n->params);
        return 0;
    case FAKE_MEMCPY:
        for (size_t y = 0; y < c->height; y++) {
            memcpy((char *)(c->dst_type == 1 ? c->dst_host : (void *)(uintptr_t)c->dst) + y * c->dst_pitch,
                   (const char *)(c->src_type == 1 ? c->src_host : (void *)(uintptr_t)c->src) + y * c->src_pitch,
                   c->width);
        }
        return 0;
    case FAKE_MEMSET:
        memset((void *)(uintptr_t)n->p.u.memset.dst, (int)n->p.u.memset.value, n->p.u.memset.width);
        return 0;
    case FAKE_HOST: n->p.u.host.func(n->p.u.host.user); return 0;
    case FAKE_CHILD: return fake_run_graph(n->bodies[0], e);
    case FAKE_RECORD:
        ((fake_event *)n->p.u.event)->recorded = true, ((fake_event *)n->p.u.event)->captured = 0;
        ((fake_event *)n->p.u.event)->time = fake.now += 0.5f;
        return 0;
    case FAKE_ALLOC: n->block->live = true; return 0;
    case FAKE_FREE: n->block->live = false; return 0;
    case FAKE_VALUE: fake_do_value(n); return 0;
    case FAKE_CONDITIONAL:
        h = fake_handle_of(n->p.u.conditional.handle);
        if (n->p.u.conditional.type == 0) {
            if (h->value) { return fake_run_graph(n->bodies[0], e); }
            return n->body_count > 1 ? fake_run_graph(n->bodies[1], e) : 0;
        }
        if (n->p.u.conditional.type == 2) {
            return h->value < n->body_count ? fake_run_graph(n->bodies[h->value], e) : 0;
        }
        for (int i = 0; i < FAKE_TURNS && h->value; i++) { FAKE(fake_run_graph(n->bodies[0], e)); }
        return 0;
    default: return 0;
    }
}
static int fake_run_graph(fake_graph *g, const fake_exec *e)
{
    size_t left = g->count;
    for (size_t i = 0; i < g->count; i++) { g->nodes[i]->done = false; }
    while (left) {
        for (size_t i = 0; i < g->count; i++) {
            size_t k = 0;
            while (k < g->nodes[i]->after.count && ((fake_node *)g->nodes[i]->after.nodes[k])->done) { k++; }
            if (g->nodes[i]->done || k < g->nodes[i]->after.count) { continue; }
            FAKE(fake_run_node(g->nodes[i], e));
            g->nodes[i]->done = true;
            left--;
        }
    }
    return 0;
}
/* Its memory is free before it runs, and what it frees is not. */
static int fake_check_memory(const fake_exec *e)
{
    for (size_t i = 0; i < e->graph->count; i++) {
        const fake_node *n = e->graph->nodes[i];
        bool own = false;
        for (size_t k = 0; k < e->graph->count; k++) {
            own |= e->graph->nodes[k]->type == FAKE_ALLOC && e->graph->nodes[k]->block == n->block;
        }
        if (n->type == FAKE_ALLOC && n->block->live && !(e->flags & 1)) { return 1; }
        if (n->type == FAKE_FREE && !n->block->live && !own) { return 1; }
    }
    return 0;
}
static void fake_reset_handles(const fake_graph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const fake_node *n = g->nodes[i];
        fake_handle *h = n->type == FAKE_CONDITIONAL ? fake_handle_of(n->p.u.conditional.handle) : NULL;
        if (h && h->flags) { h->value = h->initial; }
        for (size_t k = 0; k < n->body_count; k++) { fake_reset_handles(n->bodies[k]); }
    }
}
static int fake_graph_launch(void *exec, void *s)
{
    FAKE_LOCK;
    fake_exec *e = (fake_exec *)exec;
    if (!fake_is(e, FAKE_EXEC_MAGIC)) { return 400; }
    FAKE(fake_uncaptured("cuGraphLaunch", s));
    FAKE(fake_check_memory(e));
    fake_reset_handles(e->graph);
    return fake_run_graph(e->graph, e);
}
static int fake_graph_upload(void *exec, void *s)
{
    FAKE_LOCK;
    if (!fake_is(exec, FAKE_EXEC_MAGIC)) { return 400; }
    FAKE(fake_uncaptured("cuGraphUpload", s));
    fake.uploads++;
    return 0;
}
static int fake_update(fake_graph *to, const fake_graph *from, bool dry)
{
    if (to->count != from->count) { return 910; }
    for (size_t i = 0; i < to->count; i++) {
        fake_node *a = to->nodes[i];
        const fake_node *b = from->nodes[i];
        if (a->type != b->type || a->after.count != b->after.count || a->body_count != b->body_count) { return 910; }
        if (a->type == FAKE_KERNEL && a->green != b->green) { return 910; }
        for (size_t k = 0; k < a->after.count; k++) {
            if (fake_place(to, a->after.nodes[k]) != fake_place(from, b->after.nodes[k])) { return 910; }
        }
        if (!dry) { fake_node_renew(a, b); }
        for (size_t k = 0; k < a->body_count; k++) { FAKE(fake_update(a->bodies[k], b->bodies[k], dry)); }
    }
    if (!dry) { fake_keep_objects(to, from); }
    return 0;
}
static int fake_graph_exec_update(void *exec, void *graph, void *info)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuGraphExecUpdate_v2"));
    if (!fake_is(exec, FAKE_EXEC_MAGIC) || !fake_is(graph, FAKE_GRAPH_MAGIC)) { return 400; }
    memset(info, 0, sizeof(int));
    FAKE(fake_update(((fake_exec *)exec)->graph, (fake_graph *)graph, true));
    return fake_update(((fake_exec *)exec)->graph, (fake_graph *)graph, false);
}
static fake_node *fake_find_copy(fake_graph *g, const void *node)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i]->from == node) { return g->nodes[i]; }
        for (size_t k = 0; k < g->nodes[i]->body_count; k++) {
            fake_node *n = fake_find_copy(g->nodes[i]->bodies[k], node);
            if (n) { return n; }
        }
    }
    return NULL;
}
static int fake_graph_exec_node_set_params(void *exec, void *node, sfi_cuda_node *p)
{
    FAKE_LOCK;
    fake_node *n;
    FAKE(fake_needs_context("cuGraphExecNodeSetParams"));
    if (!fake_is(exec, FAKE_EXEC_MAGIC) || !fake_is(node, FAKE_NODE_MAGIC)) { return 400; }
    n = fake_find_copy(((fake_exec *)exec)->graph, node);
    if (!n || n->type != p->type || n->type == FAKE_ALLOC || n->type == FAKE_FREE || n->type == FAKE_CONDITIONAL) {
        return 1;
    }
    if (n->type == FAKE_KERNEL && n->green) { return 1; }
    if (n->type == FAKE_CHILD) { return fake_update(n->bodies[0], (fake_graph *)p->u.child.graph, false); }
    return fake_fill_node(n, p);
}

/* -- modules -- */

static uint32_t fake_stored;                 /* how often it ran */
static void fake_store(void **params) { **(uint32_t **)params[0] = *(uint32_t *)params[1], fake_stored++; }
static void fake_steer(void **params)
{
    fake_set_conditional(*(unsigned long long *)params[0], *(unsigned *)params[1]);
}
static fake_function fake_functions[] = {
    { FAKE_FUNCTION_MAGIC, "store", fake_store, { sizeof(void *), 4 }, 0 },     /* *dst = value */
    { FAKE_FUNCTION_MAGIC, "steer", fake_steer, { 8, 4 }, 0 },                  /* handle, value */
};
static struct { fake_function *list; size_t count; } fake_more;       /* a test's own, in what says not to be fake */
static int fake_module_load_data(void **module, const void *image, unsigned n, int *options, void **values)
{
    FAKE_LOCK;
    fake_module *m;
    (void)options, (void)values;
    FAKE(fake_needs_context("cuModuleLoadDataEx"));
    if (n || (strncmp((const char *)image, "fake", 4) && !fake_more.count)) { return 200; }  /* text: fake, names */
    m = (fake_module *)fake_new(sizeof *m, FAKE_MODULE_MAGIC);
    snprintf(m->image, sizeof m->image, "%s", (const char *)image);
    *module = m;
    fake.modules++;
    fake.hangs += fake.stays;
    return 0;
}
static int fake_module_unload(void *module)
{
    FAKE_LOCK;
    fake_module *m = (fake_module *)module;
    if (!fake_is(m, FAKE_MODULE_MAGIC)) { return 400; }
    if (!fake.fault) { FAKE(fake_careful(fake_call("cuModuleUnload"))); }
    fake.hangs += fake.stays;
    fake_kill(m), fake.modules--;
    return fake.fault;
}
static int fake_module_get_function(void **function, void *module, const char *name)
{
    FAKE_LOCK;
    FAKE(fake_call("cuModuleGetFunction"));
    if (!fake_is(module, FAKE_MODULE_MAGIC)) { return 400; }
    for (size_t i = 0; i < fake_more.count; i++) {
        if (!strcmp(fake_more.list[i].name, name)) {
            *function = &fake_more.list[i];
            return 0;
        }
    }
    for (size_t i = 0; i < COUNT(fake_functions); i++) {
        if (!strcmp(fake_functions[i].name, name) && strstr(((fake_module *)module)->image, name)) {
            *function = &fake_functions[i];
            return 0;
        }
    }
    return 500;
}
static int fake_func_load(void *function)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuFuncLoad"));
    if (!fake_is(function, FAKE_FUNCTION_MAGIC)) { return 400; }
    fake_load(function);
    return 0;
}
static int fake_func_is_loaded(int *loaded, void *function)
{
    FAKE_LOCK;
    FAKE(fake_needs_context("cuFuncIsLoaded"));
    *loaded = fake_is_loaded(function);
    return fake_is(function, FAKE_FUNCTION_MAGIC) ? 0 : 400;
}
static int fake_module_get_loading_mode(int *mode)
{
    const char *set = getenv("CUDA_MODULE_LOADING");
    FAKE_LOCK;
    FAKE(fake_call("cuModuleGetLoadingMode"));
    *mode = fake.loading ? fake.loading : set && !strcmp(set, "EAGER") ? 1 : 2;
    return 0;
}
static int fake_launch_kernel(const sfi_cuda_launch_config *config, void *function, void **params, void **extra)
{
    FAKE_LOCK;
    const fake_function *f = (const fake_function *)function;
    fake_node *n;
    FAKE(fake_work("cuLaunchKernelEx", config->stream, FAKE_KERNEL, &n));
    if (extra || !fake_is(f, FAKE_FUNCTION_MAGIC)) { return 400; }
    for (int i = 0; i < 3; i++) {
        if (!config->grid[i] || !config->block[i]) { return 1; }
    }
    fake.last_launch = *config;
    if (config->attribute_count) { fake.last_attribute = config->attributes[0]; }
    if (n) { return fake_keep_params(n, f, params); }
    fake_run_kernel(f, fake_stream_of(config->stream) ? fake_stream_of(config->stream)->green : NULL, params);
    return 0;
}

/* A command of a type that the library has no name for, as a launcher captures it: a semaphore, a batch of copies. */
static inline int fake_capture_other(void *stream, int type)
{
    FAKE_LOCK;
    fake_node *n;
    return fake_work("a type without a name", stream, type, &n);
}

/* With which version a symbol came, of those that are younger than 12.8. */
static int fake_age(const char *symbol)
{
    static const struct { const char *symbol; int version; } younger[] = {
        { "cuDevSmResourceSplit", 13010 }, { "cuLaunchHostFunc_v2", 13020 }, { "cuGraphNodeGetParams", 13020 },
        { "cuStreamBeginRecaptureToGraph", 13030 },
    };
    for (size_t i = 0; i < COUNT(younger); i++) {
        if (!strcmp(younger[i].symbol, symbol)) { return younger[i].version; }
    }
    return 0;
}
/* A symbol that the header asks for and this driver does not have fails to compile here: write it. */
static sf_proc fake_resolve(const char *symbol, void *user)
{
    (void)user;
    if (fake.missing && !strcmp(fake.missing, symbol)) { return NULL; }
    if (fake.version && fake_age(symbol) > fake.version) { return NULL; }
#define X(field, name, params)                                                                               \
    if (!strcmp(symbol, name)) { return (sf_proc)fake_##field; }
    SFI_CUDA_REQUIRED(X)
    SFI_CUDA_OPTIONAL(X)
#undef X
    return NULL;
}

#endif /* FAKE_CUDA_H */
