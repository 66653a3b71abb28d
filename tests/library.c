/*  library.c - the implementation of streamflow.h, compiled once per configuration and linked by the suites.
    -DTEST_HOOKS: with the hooks of hooks.h. -DTEST_MUTANTS: with the mutants of mutants.h, chosen at run time. */
#include <stdio.h>
#include <stdlib.h>

#ifdef TEST_HOOKS
    #include "hooks.h"
    #include <errno.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    #include <pthread.h>
    #include <sched.h>
    #include <time.h>
library_hooks library;
_Thread_local library_waits library_waited;
static void *counted_malloc(size_t bytes)
{
    return __atomic_add_fetch(&library.mallocs, 1, __ATOMIC_RELAXED), malloc(bytes);
}
static void range_begin(const char *name)
{
    if (library.range_begin) { library.range_begin(name); }
}
static void range_end(void)
{
    if (library.range_end) { library.range_end(); }
}
    #define NVTX_VERSION 3
    #define nvtxRangePushA(name) range_begin(name)
    #define nvtxRangePop()       range_end()
    #define SFI_STEP(id)          (library.step ? library.step(id) : (void)0)
    #define syscall(number, ...) \
        ((number) == SYS_futex && __atomic_load_n(&library.no_futex, __ATOMIC_RELAXED) ? (errno = ENOSYS, -1L) \
                                                                                 : syscall(number, __VA_ARGS__))
    #define malloc counted_malloc
    #define pthread_cond_wait(c, m)         (library_waited.blocks++, pthread_cond_wait(c, m))
    #define pthread_cond_timedwait(c, m, t) (library_waited.blocks++, pthread_cond_timedwait(c, m, t))
    #define nanosleep(t, rest)              (library_waited.sleeps++, nanosleep(t, rest))
    #define sched_yield()                   (library_waited.yields++, sched_yield())
#endif

#ifdef TEST_MUTANTS
    #include "mutants.h"
    #include <string.h>
int test_mutant;
__attribute__((constructor)) static void choose_mutant(void)
{
    #define MUTANT_NAME(name, suite, test) #name,
    static const char *const names[] = { "", TEST_MUTANTS_TABLE(MUTANT_NAME) };
    #undef MUTANT_NAME
    const char *wanted = getenv("TEST_MUTANT");
    if (!wanted) { return; }
    for (test_mutant = TEST_MUTANT_count; --test_mutant > 0 && strcmp(names[test_mutant], wanted) != 0;) {}
    if (!test_mutant) {
        fprintf(stderr, "TEST_MUTANT=%s: there is no such mutant in mutants.h\n", wanted);
        _Exit(2);
    }
}
#endif

#ifdef TEST_FAULTS                               /* by faults.py: the names of what it has broken */
    #include <stdatomic.h>
    #include <string.h>
static atomic_uint fault_checks;                 /* 1 + checks of a whole flow or device since the fault first ran */
static int test_fault(int number)
{
    static const char *const names[] = { TEST_FAULTS };
    static int chosen = -1;
    if (chosen < 0) {
        const char *wanted = getenv("TEST_FAULT");
        int i = 0;
        while (wanted && i < (int)(sizeof names / sizeof *names) && strcmp(names[i], wanted) != 0) { i++; }
        chosen = wanted ? i + 1 : 0;
    }
    if (chosen != number) { return 0; }
    if (!fault_checks) { fault_checks = 1; }
    return 1;
}
static void fault_step(const char *place)
{
    if (fault_checks && strcmp(place, "validate") == 0) { fault_checks++; }
    if (library.step) { library.step(place); }
}
    #undef SFI_STEP
    #define SFI_STEP(id) fault_step(id)
    #define abort()      (fprintf(stderr, "fault: %u checks later\n", fault_checks - 1), abort())
#endif

#define STREAMFLOW_IMPLEMENTATION
#include "../streamflow.h"

#ifdef TEST_HOOKS
    #undef malloc
    #undef syscall
int64_t test_heavy_ns(void) { return SFI_HEAVY; }
#endif
