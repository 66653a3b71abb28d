/*  library_resident.c - the implementation of streamflow_gpu_resident.h for the suites, as library.c is that of
    streamflow.h. A file of its own, as compilers work on both at once. */
#include <stdio.h>
#include <stdlib.h>

#ifdef TEST_HOOKS
    #include "hooks.h"
    #define SFI_RESIDENT_STEP(id) (library.resident_step ? library.resident_step(id) : (void)0)
#endif
#ifdef TEST_MUTANTS
    #include "mutants.h"
#endif

#include "../streamflow.h"
#define STREAMFLOW_GPU_RESIDENT_IMPLEMENTATION
#include "../streamflow_gpu_resident.h"

#ifdef TEST_HOOKS
void test_resident_set_beat(sf_resident *r, uint32_t beat) { sf_resident_get_control(r)->at.beat = beat; }
void test_resident_set_histogram(sf_resident *r, uint64_t count, uint64_t sum, uint64_t min, uint64_t max)
{
    r->histograms[0].count = count;
    r->histograms[0].sum = sum;
    r->histograms[0].low = ~min;
    r->histograms[0].max = max;
}
uint64_t test_resident_done(sf_resident *r) { return sfi_resident_load(&r->mail->board.done); }
bool test_resident_feeder_rings(sf_resident *r, sf_op op, uint32_t times)
{
    return sfi_resident_load32(&sfi_resident_find(r, op)->feeder->ringing) >= times;
}
bool test_resident_repeat_op(sf_resident *r, uint32_t count)
{
    while (r->op_count < count) {
        if (!sfi_resident_push(r, (void ***)(void *)&r->ops, &r->op_count, &r->op_room, r->ops[0])) { return false; }
    }
    return true;
}
#endif
