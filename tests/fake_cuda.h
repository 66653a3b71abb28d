/*  fake_cuda.h - a CUDA driver that does all at once on the CPU, behind sf_device_desc.cuda.resolve. It
    counts its calls and what is alive, wants a context where the real one does, and fails the n-th call of a
    symbol on demand. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

enum { FAKE_GPUS = 2, FAKE_LEAST = 0, FAKE_GREATEST = -5, FAKE_SYMBOLS = 80 };
typedef struct fake_stream { uint32_t magic, flags; int priority; void *context; } fake_stream;
typedef struct fake_event { uint32_t magic, flags; bool recorded; float time; } fake_event;
typedef struct fake_pool {
    sfi_cuda_pool_props props;
    unsigned long long attributes[8];
    bool set[8];
    size_t kept;
} fake_pool;

static struct fake {
    const char *missing, *fail;              /* symbols */
    uint32_t fail_at, calls_of_fail;
    int code, fault, gpus, init_code, count_code;
    uint32_t busy;                           /* so many queries find work pending */
    float now;
    void *stack[8];                          /* current contexts */
    int depth;
    int retained[FAKE_GPUS];
    long streams, events, blocks, pools;     /* alive */
    uint32_t outside;                        /* calls that came without the context they need */
    uint32_t pushes;
    fake_pool *last_pool;
    sfi_cuda_copy_2d last_copy;
    void *peer_contexts[2];
    uint32_t prefetches;
    struct { const char *symbol; uint32_t calls; } counts[FAKE_SYMBOLS];
} fake;
static int fake_contexts[FAKE_GPUS], fake_foreign_context;

static void *fake_memory[256];               /* a lost context frees nothing: the next reset does */

static void fake_reset(void)
{
    for (size_t i = 0; i < COUNT(fake_memory); i++) { free(fake_memory[i]), fake_memory[i] = NULL; }
    memset(&fake, 0, sizeof fake);
    fake.gpus = FAKE_GPUS;
}
static void *fake_current(void) { return fake.depth ? fake.stack[fake.depth - 1] : NULL; }
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
static int fake_on_stream(const char *symbol,
                          const void *stream) /* handles 0, 1, 2 belong to whoever is current */
{
    if ((uintptr_t)stream <= 2) { return fake_needs_context(symbol); }
    if (((const fake_stream *)stream)->magic != 0x57) { return 400; }
    return fake_call(symbol);
}
#define FAKE(expression)                                                                                     \
    do {                                                                                                     \
        int code_ = (expression);                                                                            \
        if (code_) { return code_; }                                                                         \
    } while (0)

static int fake_init(unsigned flags) { FAKE(fake_call("cuInit")); return flags ? 1 : fake.init_code; }
static int fake_driver_get_version(int *v) { FAKE(fake_call("cuDriverGetVersion")); *v = 12080; return 0; }
static int fake_get_error_name(int code, const char **name)
{
    ++*fake_count("cuGetErrorName");
    *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
    return 0;
}
static int fake_get_error_string(int code, const char **text)        /* this one knows not all codes */
{
    ++*fake_count("cuGetErrorString");
    *text = code == 2 ? "out of memory" : NULL;
    return code == 2 ? 0 : 1;
}
static int fake_device_get_count(int *n)
{
    FAKE(fake_call("cuDeviceGetCount"));
    *n = fake.gpus;
    return fake.count_code;
}
static int fake_device_get(int *device, int ordinal)
{
    FAKE(fake_call("cuDeviceGet"));
    *device = ordinal;
    return ordinal < 0 || ordinal >= fake.gpus ? 101 : 0;
}
static int fake_device_get_name(char *name, int bytes, int device)
{
    FAKE(fake_call("cuDeviceGetName"));
    snprintf(name, (size_t)bytes, "Fake %d", device);
    return 0;
}
static int fake_device_get_attribute(int *value, int attribute, int device)
{
    FAKE(fake_call("cuDeviceGetAttribute"));
    *value = attribute == 16 ? 100 + device : attribute == 75 ? 9 : attribute == 76 ? 0 : -1;
    return 0;
}
static int fake_context_retain(void **context, int device)
{
    FAKE(fake_call("cuDevicePrimaryCtxRetain"));
    fake.retained[device]++;
    *context = &fake_contexts[device];
    return 0;
}
static int fake_context_release(int device)
{
    fake.retained[device]--;
    return fake_call("cuDevicePrimaryCtxRelease_v2");
}
static int fake_context_get_current(void **context)
{
    FAKE(fake_call("cuCtxGetCurrent"));
    *context = fake_current();
    return 0;
}
static int fake_context_push(void *context)
{
    FAKE(fake_call("cuCtxPushCurrent_v2"));
    fake.pushes++;
    fake.stack[fake.depth++] = context;
    return 0;
}
static int fake_context_pop(void **context)                  /* pops even if it reports an error */
{
    if (!fake.depth) { return 201; }
    *context = fake.stack[--fake.depth];
    return fake_call("cuCtxPopCurrent_v2");
}
static int fake_context_synchronize(void) { return fake_needs_context("cuCtxSynchronize"); }
static int fake_context_get_priorities(int *least, int *greatest)
{
    FAKE(fake_needs_context("cuCtxGetStreamPriorityRange"));
    *least = FAKE_LEAST, *greatest = FAKE_GREATEST;
    return 0;
}
static int fake_mem_get_info(size_t *free_bytes, size_t *total)
{
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
    while (fake_memory[i]) { i++; }
    fake_memory[i] = p;
    fake.blocks++;
    return 0;
}
static int fake_give(void *p)
{
    for (size_t i = 0; i < COUNT(fake_memory); i++) {
        if (fake_memory[i] == p) {
            free(p), fake_memory[i] = NULL, fake.blocks--;
            return 0;
        }
    }
    return 1;
}
static int fake_mem_alloc(sfi_cuda_ptr *p, size_t n)
{
    FAKE(fake_needs_context("cuMemAlloc_v2"));
    return fake_take(p, n);
}
static int fake_mem_free(sfi_cuda_ptr p)
{
    FAKE(fake_needs_context("cuMemFree_v2"));
    return fake_give((void *)(uintptr_t)p);
}
static int fake_mem_host_alloc(void **p, size_t n, unsigned flags)
{
    FAKE(fake_needs_context("cuMemHostAlloc"));
    return (flags & 2) ? fake_take(p, n) : 1;
}
static int fake_mem_host_free(void *p) { FAKE(fake_needs_context("cuMemFreeHost")); return fake_give(p); }
static int fake_mem_host_get_device_pointer(sfi_cuda_ptr *out, void *p, unsigned flags)
{
    FAKE(fake_needs_context("cuMemHostGetDevicePointer_v2"));
    *out = (sfi_cuda_ptr)(uintptr_t)p;
    return flags ? 1 : 0;
}
static int fake_mem_alloc_managed(sfi_cuda_ptr *p, size_t n, unsigned flags)
{
    FAKE(fake_needs_context("cuMemAllocManaged"));
    return flags == 1 ? fake_take(p, n) : 1;
}
static int fake_memset_async(sfi_cuda_ptr p, unsigned char value, size_t n, void *stream)
{
    FAKE(fake_on_stream("cuMemsetD8Async", stream));
    memset((void *)(uintptr_t)p, value, n);
    return 0;
}
static int fake_memcpy_async(sfi_cuda_ptr dst, sfi_cuda_ptr src, size_t n, void *stream)
{
    FAKE(fake_on_stream("cuMemcpyAsync", stream));
    memcpy((void *)(uintptr_t)dst, (void *)(uintptr_t)src, n);
    return 0;
}
static int fake_memcpy_2d_async(const sfi_cuda_copy_2d *c, void *stream)
{
    FAKE(fake_on_stream("cuMemcpy2DAsync_v2", stream));
    fake.last_copy = *c;
    if (c->width > c->src_pitch || c->width > c->dst_pitch) { return 1; }
    for (size_t y = 0; y < c->height; y++) {
        memcpy((char *)(uintptr_t)c->dst + (c->dst_y + y) * c->dst_pitch + c->dst_x,
               (char *)(uintptr_t)c->src + (c->src_y + y) * c->src_pitch + c->src_x, c->width);
    }
    return 0;
}
static int fake_memcpy_peer_async(sfi_cuda_ptr dst, void *to, sfi_cuda_ptr src, void *from, size_t n,
                                  void *stream)
{
    FAKE(fake_on_stream("cuMemcpyPeerAsync", stream));
    fake.peer_contexts[0] = to, fake.peer_contexts[1] = from;
    memcpy((void *)(uintptr_t)dst, (void *)(uintptr_t)src, n);
    return 0;
}
static int fake_stream_create(void **stream, unsigned flags, int priority)
{
    FAKE(fake_needs_context("cuStreamCreateWithPriority"));
    fake_stream *s = (fake_stream *)malloc(sizeof *s);
    *s = (fake_stream){ 0x57, flags, priority, fake_current() };
    *stream = s;
    fake.streams++;
    return flags > 1 ? 1 : 0;
}
static int fake_stream_destroy(void *stream)
{
    int code = fake_call("cuStreamDestroy_v2");
    if ((uintptr_t)stream <= 2 || ((fake_stream *)stream)->magic != 0x57) { return 400; }
    ((fake_stream *)stream)->magic = 0;
    free(stream);
    fake.streams--;
    return code;
}
static int fake_pending(void) { return fake.busy ? fake.busy--, 600 : 0; }
static int fake_stream_query(void *s) { FAKE(fake_on_stream("cuStreamQuery", s)); return fake_pending(); }
static int fake_stream_synchronize(void *s)
{
    FAKE(fake_on_stream("cuStreamSynchronize", s));
    fake.busy = 0;
    return 0;
}
static int fake_stream_wait_event(void *s, void *e, unsigned flags)
{
    FAKE(fake_on_stream("cuStreamWaitEvent", s));
    return ((fake_event *)e)->magic != 0xe7 ? 400 : flags ? 1 : 0;
}
static int fake_stream_get_flags(void *s, unsigned *flags)
{
    FAKE(fake_on_stream("cuStreamGetFlags", s));
    *flags = (uintptr_t)s <= 2 ? 0 : ((fake_stream *)s)->flags;
    return 0;
}
static int fake_stream_get_priority(void *s, int *priority)
{
    FAKE(fake_on_stream("cuStreamGetPriority", s));
    *priority = (uintptr_t)s <= 2 ? 0 : ((fake_stream *)s)->priority;
    return 0;
}
static int fake_launch_host_func(void *s, void (*func)(void *), void *user)
{
    FAKE(fake_on_stream("cuLaunchHostFunc", s));
    func(user);
    return 0;
}
static int fake_event_create(void **event, unsigned flags)
{
    FAKE(fake_needs_context("cuEventCreate"));
    fake_event *e = (fake_event *)malloc(sizeof *e);
    *e = (fake_event){ .magic = 0xe7, .flags = flags };
    *event = e;
    fake.events++;
    return 0;
}
static int fake_event_destroy(void *event)
{
    int code = fake_call("cuEventDestroy_v2");
    if (((fake_event *)event)->magic != 0xe7) { return 400; }
    ((fake_event *)event)->magic = 0;
    free(event);
    fake.events--;
    return code;
}
static int fake_event_record(void *event, void *s)
{
    FAKE(fake_on_stream("cuEventRecord", s));
    ((fake_event *)event)->recorded = true;
    ((fake_event *)event)->time = fake.now += 0.5f;
    return 0;
}
static int fake_event_query(void *event)
{
    FAKE(fake_call("cuEventQuery"));
    (void)event;
    return fake_pending();
}
static int fake_event_synchronize(void *event)
{
    FAKE(fake_call("cuEventSynchronize"));
    (void)event;
    fake.busy = 0;
    return 0;
}
static int fake_event_elapsed_time(float *ms, void *start, void *end)
{
    const fake_event *a = (const fake_event *)start, *b = (const fake_event *)end;
    FAKE(fake_call("cuEventElapsedTime"));
    if (!a->recorded || !b->recorded || (a->flags | b->flags) & 2) { return 400; }
    *ms = b->time - a->time;
    return fake_pending();
}
static int fake_stream_get_id(void *s, unsigned long long *id)
{
    FAKE(fake_on_stream("cuStreamGetId", s));
    *id = (uintptr_t)s;
    return 0;
}
static int fake_mem_prefetch_async(sfi_cuda_ptr p, size_t n, int device, void *s)
{
    FAKE(fake_on_stream("cuMemPrefetchAsync", s));
    fake.prefetches += p && n && device >= -1;
    return 0;
}
static int fake_mem_alloc_async(sfi_cuda_ptr *p, size_t n, void *s)
{
    FAKE(fake_on_stream("cuMemAllocAsync", s));
    return fake_take(p, n);
}
static int fake_mem_free_async(sfi_cuda_ptr p, void *s)
{
    FAKE(fake_on_stream("cuMemFreeAsync", s));
    return fake_give((void *)(uintptr_t)p);
}
static int fake_mem_alloc_from_pool_async(sfi_cuda_ptr *p, size_t n, void *pool, void *s)
{
    FAKE(fake_on_stream("cuMemAllocFromPoolAsync", s));
    return pool ? fake_take(p, n) : 1;
}
static int fake_mem_pool_create(void **pool, const sfi_cuda_pool_props *props)
{
    FAKE(fake_call("cuMemPoolCreate"));
    fake.last_pool = (fake_pool *)calloc(1, sizeof(fake_pool));
    fake.last_pool->props = *props;
    *pool = fake.last_pool;
    fake.pools++;
    return 0;
}
static int fake_mem_pool_destroy(void *pool)
{
    int code = fake_call("cuMemPoolDestroy");
    free(pool);
    fake.pools--;
    return code;
}
static int fake_mem_pool_set_attribute(void *pool, int attribute, void *value)
{
    FAKE(fake_call("cuMemPoolSetAttribute"));
    if (attribute < 1 || attribute > 7) { return 1; }
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
static int fake_mem_pool_trim(void *pool, size_t n)
{
    FAKE(fake_call("cuMemPoolTrimTo"));
    ((fake_pool *)pool)->kept = n;
    return 0;
}

/* A symbol that the header asks for and this driver does not have fails to compile here: write it. */
static sf_proc fake_resolve(const char *symbol, void *user)
{
    (void)user;
    if (fake.missing && !strcmp(fake.missing, symbol)) { return NULL; }
#define X(field, name, params)                                                                               \
    if (!strcmp(symbol, name)) { return (sf_proc)fake_##field; }
    SFI_CUDA_REQUIRED(X)
    SFI_CUDA_OPTIONAL(X)
#undef X
    return NULL;
}

#endif /* FAKE_CUDA_H */
