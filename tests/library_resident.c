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
    #define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
void test_resident_set_beat(sf_resident *r, uint32_t beat) { sf_resident_get_control(r)->at.beat = beat; }
void test_resident_set_histogram(sf_resident *r, uint64_t count, uint64_t sum, uint64_t min, uint64_t max)
{
    r->image.histograms[0].count = count;
    r->image.histograms[0].sum = sum;
    r->image.histograms[0].low = ~min;
    r->image.histograms[0].max = max;
}
void test_resident_set_back(sf_resident *r, int64_t ns) { r->control->at.started -= ns; }
uint64_t test_resident_done(sf_resident *r) { return sfi_resident_load(&r->mail->board.done); }
static void test_resident_number(uint64_t *words, uint32_t room, uint64_t n, uint32_t entries)
{
    for (uint64_t k = n > entries ? n - entries + 1 : 1; k <= n; k++) {
        uint64_t *entry = words + (k - 1) % entries * room;
        for (uint32_t i = 0; i < room; i++) { entry[i] = sfi_resident_numbered(0xdeadbeefu, k); }
        entry[0] = sfi_resident_numbered((uint32_t)k, k);
        entry[1] = sfi_resident_numbered((uint32_t)(k >> 32), k);
    }
}
sf_result test_resident_count_from(sf_resident *r, uint64_t n)
{
    sf_resident_control *c = &r->image;
    sf_result result;
    c->at.done = c->at.completed = c->at.sequence = n;
    test_resident_number(c->records[0].words, COUNT_OF(c->records[0].words), n, c->record_mask + 1);
    if (r->image.line_words) {
        test_resident_number(r->requests[0].words, COUNT_OF(r->requests[0].words), n, r->image.in_slots);
    }
    for (uint32_t s = 0; s < SFI_RESIDENT_ENDS; s++) {
        c->taken[s] = c->seen[s] = c->room[s] = n;
        r->mail->submit[s].value = r->mail->consumed[s].value = r->mail->board.taken[s] = n;
    }
    for (uint32_t s = 0; s < r->source_count; s++) { r->sources[s]->source.next = n; }
    for (uint32_t s = 0; s < r->sink_count; s++) { r->sinks[s]->sink.next = r->sinks[s]->sink.lent = n; }
    r->mail->board.completed = r->mail->board.done = r->mail->board.began = n;
    if (r->on_host) {
        memcpy((void *)r->control, (const void *)c, sizeof *c);
        return SF_OK;
    }
    result = sf_memcpy_async(r->run, r->control, c, sizeof *c);
    return result == SF_OK ? sf_stream_synchronize(r->run, SF_MS(5000)) : result;
}
void test_resident_write(sf_resident *r, uint64_t n, uint32_t from, uint32_t to, uint64_t completed)
{
    sfi_resident_record record = { n, 0, 1, 1, 1, 1, 1, 0 };
    uint64_t *words = r->image.records[(n - 1) & r->image.record_mask].words;
    for (uint32_t i = from; i < to && i < r->image.record_words; i++) {
        uint32_t content = i < SFI_RESIDENT_RECORD ? sfi_resident_half_of(&record, i)
                                                   : (uint32_t)n * 100 + i - SFI_RESIDENT_RECORD;
        sfi_resident_store(&words[i], sfi_resident_numbered(content, n));
    }
    sfi_resident_store(&r->mail->board.completed, completed);
}
bool test_resident_feeder_rings(sf_resident *r, sf_op op, uint32_t times)
{
    return sfi_resident_load32(&sfi_resident_find(r, op)->feeder->copying) >= times;
}
bool test_resident_repeat_op(sf_resident *r, uint32_t count)
{
    while (r->op_count < count) {
        if (!sfi_resident_push(r, (void ***)(void *)&r->ops, &r->op_count, r->ops[0])) { return false; }
    }
    return true;
}
#endif
