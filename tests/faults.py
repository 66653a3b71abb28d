#!/usr/bin/env python3
"""faults.py BUILD_TESTS_DIR [NAME...]: proof that the checks of SF_DEBUG bite.

Each fault changes one place of streamflow.h: FAULT is 1 if it was chosen, else 0. All are compiled into one library,
and the environment variable TEST_FAULT chooses. An assertion must then end the named test, before the test finds a
wrong result, and within 100 checks of a whole flow or device from the first time that the faulty line ran. Without
a fault the test passes. `meson test -C BUILD faults` builds the programs, BUILD_TESTS_DIR/SUITE_faults, and runs this.

faults.py --generate FILE: writes the library's source, for Meson."""
import functools, os, re, sys, time
import tap
from tap import Failed, read

MOST = 100                                   # checks until an assertion must fail
TRIES = 12                                   # threads decide when some of them matter
FAULTS = [                                   # name, suite, test, what stands in streamflow.h once, what replaces it
    # A look bit that is not set: an operator that could run sleeps.
    ('look_behind_pop', 'test_flow_streams', 'any_graph_in_any_order',
     '    if (e->popped) { return; }               /* see sfi_publish_popped() */',
     '    if (e->popped || FAULT) { return; }'),
    ('look_behind_show', 'test_flow', 'batches',
     '    if (!e->consumer) { return; }            /* the front of a link',
     '    if (!e->consumer || FAULT) { return; }   /* the front of a link'),
    ('look_behind_commit', 'test_flow', 'values_travel',
     '    *bits |= op->around;\n    if (stays', '    if (!FAULT) { *bits |= op->around; }\n    if (stays'),
    ('marked', 'test_flow', 'batches', '    SFI_SET(w->marked, true);', '    SFI_SET(w->marked, !FAULT);'),
    # A publish left out, or one off.
    ('publish_popped', 'test_workers', 'any_graph_of_values',
     'if (e->popped && (e->tail != sfi_load', 'if (e->popped && !FAULT && (e->tail != sfi_load'),
    ('publish_number', 'test_workers', 'any_graph_of_values',
     '(void)sfi_swap(&e->ring[from & e->mask].number, from + 1);',
     '(void)sfi_swap(&e->ring[from & e->mask].number, from + 1 - FAULT);'),
    ('tail_one_off', 'test_flow', 'values_travel',
     'else { SFI_SET_BEHIND(in->tail, cursor); }', 'else { SFI_SET_BEHIND(in->tail, cursor - FAULT); }'),
    ('place_not_cleared', 'test_flow_memory', 'reuse_waits_for_every_reader',
     'for (i = 0; i < n; i++) { sfi_place_clear(sfi_message_at(e, i)); }',
     'for (i = 0; i < n && !FAULT; i++) { sfi_place_clear(sfi_message_at(e, i)); }'),
    # References and blocks.
    ('reference_lost', 'test_flow_memory', 'reuse_waits_for_every_reader',
     '(void)sfi_add(&sfi_message_tensor(m)->references, 1); }\n    place',
     '(void)sfi_add(&sfi_message_tensor(m)->references, 1 - FAULT); }\n    place'),
    ('reference_doubled', 'test_flow_memory', 'reuse_waits_for_every_reader',
     'place = &e->ring[e->fill++ & e->mask].message;',
     'if (FAULT && m->kind == SFI_TENSOR) { (void)sfi_add(&sfi_message_tensor(m)->references, 1); } '
     'place = &e->ring[e->fill++ & e->mask].message;'),
    ('reference_kept', 'test_flow_memory', 'reuse_waits_for_every_reader',
     'for (m = 0; m < taken; m++) { sfi_message_release(sfi_message_at(e, m)); }',
     'for (m = FAULT; m < taken; m++) { sfi_message_release(sfi_message_at(e, m)); }'),
    ('bundle_reference', 'test_bundles', 'what_a_field_carries',
     '(uint32_t)-1);)\n        sfi_tensor_drop(t);', '(uint32_t)-1);)\n        if (!FAULT) { sfi_tensor_drop(t); }'),
    ('block_kept', 'test_flow_memory', 'reuse_waits_for_every_reader',
     '            out->supply->reserved = NULL;\n            sfi_tensor_drop(t);',
     '            if (!FAULT) { out->supply->reserved = NULL; }\n            sfi_tensor_drop(t);'),
    # Locks: none, a wrong one, an order reversed.
    ('commit_locks', 'test_workers', 'any_graph_of_values',
     '    sfi_lock_workers(f, op->locks);\n    if (copy)',
     '    sfi_lock_workers(f, sfi_worker_count(f) > 1 && FAULT ? 0 : op->locks);\n    if (copy)'),
    ('end_lock', 'test_workers', 'any_graph_of_values',
     '        sfi_lock_workers(f, sfi_all_workers(f));\n        if (op->held & SFI_TO_END) { sfi_op_end',
     '        sfi_lock_workers(f, sfi_worker_count(f) > 1 && FAULT ? sfi_worker_bit(self) : sfi_all_workers(f));\n'
     '        if (op->held & SFI_TO_END) { sfi_op_end'),
    ('descending', 'test_workers', 'any_graph_of_values',
     '    for (left = locks; left; left &= left - 1) {\n        sfi_worker *w = &f->plan.workers[sfi_lowest_bit(left)];\n'
     '        SFI_STEP',
     '    for (left = locks; left; left ^= FAULT ? (uint64_t)1 << (63 - __builtin_clzll(left)) : left & (0 - left)) {\n'
     '        sfi_worker *w = &f->plan.workers[FAULT ? 63 - __builtin_clzll(left) : (int)sfi_lowest_bit(left)];\n'
     '        SFI_STEP'),
    # Ends: counts one off, a bit of an edge, a flag.
    ('unneeded_count', 'test_ending', 'a_sink_ends_its_line', 'f->run.unneeded++;', 'f->run.unneeded += 1 - FAULT;'),
    ('inputs_count', 'test_flow', 'pushed_by_threads', 'f->run.open_inputs--;', 'f->run.open_inputs -= 1 - FAULT;'),
    ('readers_count', 'test_ending', 'a_sink_ends_its_line',
     '--f->plan.lives[unit].readers)', '(f->plan.lives[unit].readers -= 1 - FAULT) != 0)'),
    ('edge_closed', 'test_workers', 'any_graph_of_values',
     '    SFI_SET(front->closed, true);', '    SFI_SET(front->closed, !FAULT);'),
    ('edge_over', 'test_flow', 'values_travel', '    e->over = true;\n    if (e->control)',
     '    e->over = !FAULT;\n    if (e->control)'),
    ('ended', 'test_flow', 'values_travel', '    sfi_set_held(op, SFI_ENDED);', '    if (!FAULT) { sfi_set_held(op, SFI_ENDED); }'),
    # Waits: a heap out of order, a list that lies, a flag that stays.
    ('timer_heap', 'test_flow_conditions', 'periods_of_slow_computes',
     '        sfi_timer_up(w, w->timer_count - 1);',
     '        if (FAULT) { sfi_timer_place(w, w->timer_count - 2, w->timers[w->timer_count - 1]); } '
     'else { sfi_timer_up(w, w->timer_count - 1); }'),
    ('waits_pool', 'test_flow_memory', 'reuse_waits_for_every_reader',
     '    SFI_SET(op->more->waits_pool, NULL);', '    if (!FAULT) { SFI_SET(op->more->waits_pool, NULL); }'),
    ('gpu_waiters', 'test_flow_streams', 'a_compute_gets_the_finished_ones',
     '        SFI_SET(op->wait.gpu, false);', '        SFI_SET(op->wait.gpu, FAULT);'),
    ('taken', 'test_workers', 'any_graph_of_values', '        sfi_set_held(op, SFI_TAKEN);', '        if (!FAULT) { sfi_set_held(op, SFI_TAKEN); }'),
    # Joins by time: order, counters, locks, references.
    ('join_order', 'test_joins', 'put_in_order',
     'while (to > sfi_due(e) && sfi_time_at(e, to - 1) > t) { to--; }',
     'while (to > sfi_due(e) && sfi_time_at(e, to - 1) > t && !FAULT) { to--; }'),
    ('join_bound', 'test_joins', 'put_in_order', '        j->bound = t;', '        j->bound = t - FAULT;'),
    ('intake_locks', 'test_joins', 'overflow_while_it_computes',
     '        sfi_lock_workers(f, op->locks);\n        op->worker->look',
     '        sfi_lock_workers(f, FAULT ? own : op->locks);\n        op->worker->look'),
    ('join_reference', 'test_joins', 'dropped_tensors',
     '{ sfi_message_release(&join->ring[join->out & join->mask].message); }',
     '{ if (!FAULT) { sfi_message_release(&join->ring[join->out & join->mask].message); } }'),
    # The stream layer: queues, lists, references, holders.
    ('queue_count', 'test_stream', 'streams_go_while_used', '    q->count--;', '    q->count -= 1 - FAULT;'),
    ('stream_list', 'test_stream', 'streams_go_while_used',
     '    if (stream->next_stream) { stream->next_stream->link_stream = stream->link_stream; }',
     '    if (stream->next_stream && !FAULT) { stream->next_stream->link_stream = stream->link_stream; }'),
    ('ready_list', 'test_stream', 'streams_go_while_used',
     '    if (t->next) { t->next->previous = t->previous; } else { list->last = t->previous; }',
     '    if (t->next && !FAULT) { t->next->previous = t->previous; } else if (!t->next) { list->last = t->previous; }'),
    ('command_references', 'test_graph', 'any_graph_in_any_order',
     '    if (c) { c->references++; }', '    if (c) { c->references += 1 - FAULT; }'),
    ('script_open', 'test_region', 'members_side_by_side', '    g->script.open = false;',
     '    g->script.open = FAULT;'),
]


def source():
    """library.c with the faulty header in it."""
    header = read('streamflow.h')
    for number, (name, _, _, before, after) in enumerate(FAULTS, 1):
        if header.count(before) != 1:
            raise Failed(f'{name}: its text stands {header.count(before)} times in streamflow.h: {before}')
        if before.count('\n') != after.count('\n') or 'FAULT' not in after:
            raise Failed(f'{name}: as many lines as before, and FAULT in them')
        header = header.replace(before, re.sub(r'\bFAULT\b', f'test_fault({number})', after))
    include = '#include "../streamflow.h"'
    library = read('tests/library.c')
    if library.count(include) != 1:
        raise Failed('library.c does not include ../streamflow.h once')
    names = ', '.join(f'"{fault[0]}"' for fault in FAULTS)
    return (f'#define TEST_FAULTS {names}\n#line 1 "library.c"\n' +
            library.replace(include, f'#line 1 "streamflow.h"\n{header}\n#line 1000 "library.c"'))


@functools.lru_cache(maxsize=None)
def baseline(suite, test):
    """How it fails without a fault; None: it passes."""
    status, output = tap.run_test(f'{programs}/{suite}_faults', test, 60, TEST_FAULT=None)
    return None if status == 0 and f'ok 1 - {test}' in output else output


def case(fault, suite, test):
    if baseline(suite, test):
        raise Failed(f'{suite}: {test} fails without a fault:\n{baseline(suite, test)}')
    for tries in range(1, TRIES + 1):
        status, output = tap.run_test(f'{programs}/{suite}_faults', test, 60, TEST_FAULT=fault)
        said = re.search(r'streamflow\.h:(\d+): streamflow: (.*)', output)
        after = re.search(r'^fault: (\d+) checks later$', output, re.M)
        if said and after and 'ERROR' not in output[:said.start()]:
            if int(after[1]) > MOST:
                raise Failed(f'{suite}: {test}: {after[1]} checks later: {said[0]}')
            return f'{said[0]}, {after[1]} checks later' + (f' (try {tries})' if tries > 1 else '')
        if status != 0:
            raise Failed(f'{suite}: {test}: no assertion found it first:\n{output}')
    raise Failed(f'{suite}: {test} passes {TRIES} times all the same')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == '--generate':
        try:
            library = source()
        except Failed as why:
            sys.exit(f'faults.py: {why}')
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.write(library)
        sys.exit()
    programs = sys.argv.pop(1)
    if not os.path.isdir(programs):
        sys.exit(f'{programs} is no folder: faults.py BUILD_TESTS_DIR [NAME...]')
    began = time.monotonic()
    try:
        tap.run([(f'with {name}', lambda m=(name, suite, test): case(*m)) for name, suite, test, _, _ in FAULTS])
    finally:
        print(f'# {time.monotonic() - began:.0f} s')
