/*  race.h - handles that are destroyed while other threads use them. Comes after test.h.

    The main thread makes handles and destroys those before them; the others call with whatever handles are shared at
    the moment. Each call has to run or to be SF_ERROR_INVALID_HANDLE, and nothing may hang or crash. */
#ifndef RACE_H
#define RACE_H

#include <pthread.h>
#include <sched.h>

enum { RACE_SHARED = 4, RACE_THREADS = 3 };
typedef struct race {
    sf_device *device;
    void *shared[RACE_SHARED];
    uint32_t over, wrong;
    sf_result last_wrong;
    void *(*make)(sf_device *device);
    sf_result (*destroy)(void *handle);
    void (*use)(struct race *race, void *a, void *b, uint32_t choice, void *own);
    void *(*own)(sf_device *device);         /* what each thread has for itself */
} race;

static inline void *race_handle(race *r, uint32_t i)
{
    return __atomic_load_n(&r->shared[i % RACE_SHARED], __ATOMIC_ACQUIRE);
}
static inline sf_result race_is(race *r, sf_result result)   /* and false, as a number, for what is no handle any more */
{
    if (result < 0 && result != SF_ERROR_INVALID_HANDLE) {
        r->last_wrong = result;
        (void)test_add(&r->wrong, 1);
    }
    return result;
}
typedef struct race_thread { race *r; uint32_t seed; } race_thread;
static inline void *race_main(void *arg)
{
    race_thread *t = (race_thread *)arg;
    void *own = t->r->own ? t->r->own(t->r->device) : NULL;
    rng g = rng_seed(t->seed);
    while (!test_load(&t->r->over)) {
        uint32_t n = rng_next(&g);
        t->r->use(t->r, race_handle(t->r, n >> 4), race_handle(t->r, n >> 8), n >> 12, own);
    }
    return NULL;
}
static inline void race_run(race *r, uint32_t rounds)
{
    pthread_t threads[RACE_THREADS];
    race_thread own[RACE_THREADS];
    for (uint32_t i = 0; i < RACE_SHARED; i++) { r->shared[i] = r->make(r->device); }
    for (uint32_t i = 0; i < RACE_THREADS; i++) {
        own[i] = (race_thread){ r, i + 1 };
        CHECK_EQUAL(pthread_create(&threads[i], NULL, race_main, &own[i]), 0);
    }
    for (uint32_t i = 0; i < rounds; i++) {
        void *next = r->make(r->device), *old = __atomic_exchange_n(&r->shared[i % RACE_SHARED], next, __ATOMIC_ACQ_REL);
        CHECK_OK(r->destroy(old));
        if (i % 16 == 0) { sched_yield(); }
    }
    test_store(&r->over, 1);
    for (uint32_t i = 0; i < RACE_THREADS; i++) { CHECK_EQUAL(pthread_join(threads[i], NULL), 0); }
    if (r->wrong) { fail_msg("%u calls failed, one with %d", r->wrong, (int)r->last_wrong); }
    for (uint32_t i = 0; i < RACE_SHARED; i++) { CHECK_OK(r->destroy(r->shared[i])); }
}

#endif
