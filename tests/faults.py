#!/usr/bin/env python3
"""faults.py BUILD_TESTS_DIR [NAME...]: proof that the checks of SF_DEBUG bite.

Each fault changes one place of streamflow.h: FAULT is 1 if it was chosen, else 0. All are compiled into one library,
and the environment variable TEST_FAULT chooses. An assertion must then end the named test, before the test finds a
wrong result, and within 100 checks of a whole flow or device from the first time that the faulty line ran. Without
a fault the test passes. `meson test -C BUILD faults` builds the programs, BUILD_TESTS_DIR/SUITE_faults, and runs this.

faults.py --generate FILE: writes the library's source, for Meson."""
import os, re, subprocess, sys, time
import tap
from tap import Failed, read

MOST = 100                                   # checks until an assertion must fail
TRIES = 12                                   # threads decide when some of them matter
FAULTS = [                                   # name, suite, test, what stands in streamflow.h once, what replaces it
    # A look bit that is not set: an operator that could run sleeps.
    ('look_behind_pop', 'test_flow', 'capacity_and_batch',
     '    if (e->popped) { return; }               /* see sfi_publish_popped() */',
     '    if (e->popped || FAULT) { return; }'),
    ('look_behind_show', 'test_flow', 'batches',
     '    if (!e->consumer) { return; }            /* the front of a link',
     '    if (!e->consumer || FAULT) { return; }   /* the front of a link'),
    # A publish left out, or one off.
    ('publish_popped', 'test_workers', 'any_graph_of_values',
     'if (e->popped && e->tail != sfi_load(e->popped)) {', 'if (e->popped && !FAULT && e->tail != sfi_load(e->popped)) {'),
    ('tail_one_off', 'test_flow', 'values_travel',
     '    SFI_SET_BEHIND(in->tail, cursor);', '    SFI_SET_BEHIND(in->tail, cursor - FAULT);'),
    ('cursor_left', 'test_flow', 'batches',
     '    while (e->overflow == SF_OVERFLOW_DROP_OLDEST && sfi_depth(e) > e->most) { sfi_edge_make_way(f, e, true); }\n'
     '    e->cursor = e->tail;',
     '    while (e->overflow == SF_OVERFLOW_DROP_OLDEST && sfi_depth(e) > e->most) { sfi_edge_make_way(f, e, true); }\n'
     '    e->cursor = e->tail - FAULT;'),
    # References.
    ('reference_lost', 'test_flow_memory', 'reuse_waits_for_every_reader',
     '(void)sfi_add(&sfi_message_tensor(m)->references, 1); }\n    place',
     '(void)sfi_add(&sfi_message_tensor(m)->references, 1 - FAULT); }\n    place'),
    ('reference_doubled', 'test_flow_memory', 'reuse_waits_for_every_reader',
     'place = &e->ring[e->fill++ & e->mask].message;',
     'if (FAULT && m->kind == SFI_TENSOR) { (void)sfi_add(&sfi_message_tensor(m)->references, 1); } '
     'place = &e->ring[e->fill++ & e->mask].message;'),
    ('block_kept', 'test_flow_memory', 'reuse_waits_for_every_reader',
     '            out->supply->reserved = NULL;\n            sfi_tensor_drop(t);',
     '            if (!FAULT) { out->supply->reserved = NULL; }\n            sfi_tensor_drop(t);'),
    # Locks: a wrong one, none, an order reversed.
    ('commit_locks', 'test_workers', 'any_graph_of_values',
     '    sfi_lock_workers(f, op->locks);\n    in_vain',
     '    sfi_lock_workers(f, sfi_worker_count(f) > 1 && FAULT ? 0 : op->locks);\n    in_vain'),
]


def source():
    """library.c with the faulty header in it."""
    header = read('streamflow.h')
    for number, (name, _, _, before, after) in enumerate(FAULTS, 1):
        if header.count(before) != 1:
            sys.exit(f'faults.py: {name}: its text stands {header.count(before)} times in streamflow.h: {before}')
        if before.count('\n') != after.count('\n') or 'FAULT' not in after:
            sys.exit(f'faults.py: {name}: as many lines as before, and FAULT in them')
        header = header.replace(before, re.sub(r'\bFAULT\b', f'test_fault({number})', after))
    include = '#include "../streamflow.h"'
    library = read('tests/library.c')
    if library.count(include) != 1:
        sys.exit('faults.py: library.c does not include ../streamflow.h once')
    names = ', '.join(f'"{fault[0]}"' for fault in FAULTS)
    return (f'#define TEST_FAULTS {names}\n#line 1 "library.c"\n' +
            library.replace(include, f'#line 1 "streamflow.h"\n{header}\n#line 1000 "library.c"'))


def run(suite, test, fault):
    """Its output and exit status."""
    environment = dict(os.environ, SF_TEST_SEEDS='100', CMOCKA_MESSAGE_OUTPUT='TAP')
    environment.pop('TEST_FAULT', None)
    if fault:
        environment['TEST_FAULT'] = fault
    try:
        done = subprocess.run([f'{programs}/{suite}_faults', '--backend', 'host', '--only', test],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                              errors='replace', timeout=60, env=environment)
    except OSError as error:
        raise Failed(f'{error}: build {suite}_faults')
    except subprocess.TimeoutExpired:
        return 'no end after 60 s', -1
    return done.stdout, done.returncode


def case(fault, suite, test):
    output, status = run(suite, test, None)
    if status or f'ok 1 - {test}' not in output:
        raise Failed(f'{suite}: {test} fails without a fault:\n{output}')
    for tries in range(1, TRIES + 1):
        output, status = run(suite, test, fault)
        said = re.search(r'streamflow\.h:(\d+): streamflow: (.*)', output)
        after = re.search(r'^fault: (\d+) checks later$', output, re.M)
        if said and after and 'ERROR' not in output[:said.start()]:
            if int(after[1]) > MOST:
                raise Failed(f'{suite}: {test}: {after[1]} checks later: {said[0]}')
            return f'{said[0]}, {after[1]} checks later' + (f' (try {tries})' if tries > 1 else '')
        if status:
            raise Failed(f'{suite}: {test}: no assertion found it first:\n{output}')
    raise Failed(f'{suite}: {test} passes {TRIES} times all the same')


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == '--generate':
        with open(sys.argv[2], 'w', encoding='utf-8') as file:
            file.write(source())
        sys.exit()
    programs = sys.argv.pop(1)
    if not os.path.isdir(programs):
        sys.exit(f'{programs} is no folder: faults.py BUILD_TESTS_DIR [NAME...]')
    began = time.monotonic()
    try:
        tap.run([(f'with {name}', lambda m=(name, suite, test): case(*m)) for name, suite, test, _, _ in FAULTS])
    finally:
        print(f'# {time.monotonic() - began:.0f} s')
