/*  hooks.h - what library.c and library_resident.c call when they are compiled with -DTEST_HOOKS. A suite sets the
    members before it starts threads. NULL and 0 do nothing. */
#ifndef HOOKS_H
#define HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "../streamflow.h"
#include "../streamflow_gpu_resident.h"

typedef struct library_hooks {
    void (*step)(const char *place);                         /* at each shared access of streamflow.h */
    void (*resident_step)(const char *place);                /* between any two stores of the resident protocol */
    void (*range_begin)(const char *name);                   /* NVTX range: a compute begins */
    void (*range_end)(void);                                 /* it ends */
    uint32_t no_futex;                                       /* nonzero: futex calls fail with ENOSYS; atomic */
    long mallocs;                                            /* counts the library's calls of malloc(); atomic */
} library_hooks;
extern library_hooks library;

/* How the calling thread has waited: on condition variables, by sleeping, by letting other threads run. */
typedef struct library_waits { uint32_t blocks, sleeps, yields; } library_waits;
extern _Thread_local library_waits library_waited;

/* Internals that no public call shows. */
int64_t test_heavy_ns(void);                                 /* SFI_HEAVY */
void test_resident_set_beat(sf_resident *r, uint32_t beat);  /* of a host device's loop that waits */
/* As if n iterations had been, each of a request of every source. Built, and never launched. */
sf_result test_resident_count_from(sf_resident *r, uint64_t n);
/* Words [from, to) of result n, and how many there are, as if the loop had written them. Word 16 + i is n * 100 + i. */
void test_resident_write(sf_resident *r, uint64_t n, uint32_t from, uint32_t to, uint64_t completed);
/* The latencies of span 0. */
void test_resident_set_histogram(sf_resident *r, uint64_t count, uint64_t sum, uint64_t min, uint64_t max);
/* Whatever is at work was begun so much earlier, by a clock that is behind. On a host device. */
void test_resident_set_back(sf_resident *r, int64_t ns);
uint64_t test_resident_done(sf_resident *r);                 /* the counter that the loop publishes */
/* At least `times` submits of the feeder of `op` are under way. */
bool test_resident_feeder_rings(sf_resident *r, sf_op op, uint32_t times);
/* Adds operator 0 again until there are `count`; false: no memory. */
bool test_resident_repeat_op(sf_resident *r, uint32_t count);

#endif /* HOOKS_H */
