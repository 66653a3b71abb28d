#!/usr/bin/env python3
"""mutants.py: proof that the flow suites can fail. Each case leaves one thing out of streamflow.h and requires that
the test named for it fails (a crash or a hang does, too), and that it passes with the header as it is.

A snippet has to occur exactly once: who rewrites that line of the header looks after its mutant, too."""
import os, shutil, subprocess, tempfile, threading
import tap
from tap import ROOT, Failed, sh

ORDER_INPUT = '            r = sfi_order_wait(t->stream, &sfi_message_at(edge, edge->ordered)->order);'
RECORD = 'if (s && !turn->op->outputs[turn->staged[i].output].quiet) { r = sfi_record_once(turn, s); }'
# (what is left out, suite, test, then pairs: snippet, instead)
MUTANTS = [
    ("the consumer's wait", 'test_flow_streams', 'any_graph_in_any_order', ORDER_INPUT, ''),
    ("the consumer's wait, on threads", 'test_flow_streams', 'any_graph_on_threads', ORDER_INPUT, ''),
    ("the producer's record", 'test_flow_streams', 'no_wait_for_the_producer_s_later_work', RECORD, '(void)s;'),
    ('what has been waited for', 'test_flow_streams', 'any_graph_in_any_order', 'seen->number = p->number;',
     'seen->number = p->number + 1;'),
    ('the memory of what has been waited for', 'test_flow_streams', 'what_a_message_costs', 'seen->number = p->number;',
     'seen->number = 0;'),
    ("a forwarded message's order", 'test_flow_streams', 'forwarded_on_another_stream',
     'if (s) { r = sfi_order_wait(s, &turn->staged[i].message.order); }', '(void)s;'),
    ('one record per stream', 'test_flow_streams', 'what_a_message_costs',
     'if (i == turn->handed_count || turn->recorded[i]) { return SF_OK; }', 'if (i == turn->handed_count) { return SF_OK; }'),
    ('sync to default', 'test_flow_streams', 'sync_to_default',
     'r = sfi_order_wait(sf_stream_legacy(t->stream->device), &p);', ''),
    ("set_stream's end with the compute", 'test_flow_streams', 'set_stream_is_for_one_port_and_one_compute',
     'op->outputs[p].stream = NULL;', ''),
    ('the stream condition', 'test_flow_streams', 'stream_condition',
     'case SF_CONDITION_STREAM: return sfi_stream_readiness(f, op, in);', 'case SF_CONDITION_STREAM: return SF_READY;'),
    ('the receive before the stream', 'test_flow_streams', 'the_message_comes_before_its_stream',
     'if (!in->asked) {', 'if (false) {'),
    ('the drain at the end', 'test_flow_streams', 'any_graph_in_any_order', '    sfi_drain(f);\n', ''),
    ('the snapshot of an event', 'test_flow_streams', 'any_graph_in_any_order', 'e->number = s->queue.enqueued;',
     'e->number = 0;'),
    ('the last use of what was received', 'test_flow_memory', 'reuse_waits_for_every_reader',
     '(void)sfi_each_received(turn, sfi_add_users, NULL);', ''),
    ('waiting for users at reuse', 'test_flow_memory', 'reuse_on_streams_that_were_there_before',
     '    for (i = 0; i < t->user_count && r >= 0; i++) {\n        for (k = 0;',
     '    for (i = t->user_count; i < t->user_count; i++) {\n        for (k = 0;'),
    ('waiting for users on streams that come later', 'test_flow_memory', 'reuse_on_streams_that_come_later',
     'i < c->user_count && r >= 0; i++) { r = sfi_order_wait(s, &c->users[i]); }', 'i < c->user_count; i++) { (void)s; }'),
    ('the deallocation stream', 'test_flow_memory', 'reuse_waits_for_other_readers_too',
     '/* all that the stream holds when the memory is reused */\n    return sfi_tensor_use(t, by);', '\n    return SF_OK;'),
    ('the late return of pinned blocks', 'test_flow_memory', 'the_cpu_may_write_at_once',
     'sfi_ring_push(now ? &pool->free : &pool->pending, t->index)', 'sfi_ring_push(&pool->free, t->index)'),
    ('memory at admission', 'test_flow_memory', 'reuse_waits_for_every_reader',
     'if (!out->pool || sfi_reserve(out, &blocker) == SF_OK) { continue; }', 'if (out) { continue; }'),
    ('the late release of wrapped memory', 'test_flow_memory', 'released_when_the_gpu_is_done',
     '} else if (sfi_tensor_idle(t, NULL) == SF_OK) {\n        sfi_wrap_recycle(t);',
     '} else if (true) {\n        sfi_wrap_recycle(t);'),
    ('what a failed compute enqueued', 'test_flow_memory', 'memory_of_a_failed_compute',
     '    sfi_tell_buffers(t);                     /* it may have enqueued work before it failed */\n', ''),
    ("DLPack's consumer as a user", 'test_dlpack', 'reuse_waits_for_the_consumer', ' || sfi_tensor_use(t, by) < 0', ''),
    ("DLPack's consumer's wait", 'test_dlpack', 'exported_from_a_flow', 'if (sfi_order_wait(consumer, &t->order) < 0',
     'if (false'),
    ('the room an emission needs', 'test_flow_errors', 'computes_that_fail', 'if (left <= out->staged) {', 'if (false) {'),
    ('room at admission', 'test_flow', 'capacity_and_batch',
     'if (e->from != SFI_NONE && e->overflow == SF_OVERFLOW_BLOCK && e->count == e->room &&', 'if (false &&'),
    ('pop before push, and the room for its own message', 'test_flow', 'edge_to_itself',
     '    sfi_pop_received(f, op);                 /* first, so that an edge to itself has room */\n'
     '    sfi_commit_emissions(&f->turn);\n',
     '    sfi_commit_emissions(&f->turn);\n    sfi_pop_received(f, op);\n',
     'e->room = limit + (e->from == e->to);', 'e->room = limit;'),
    ('the bell of a push', 'test_flow', 'pushed_by_threads', 'sfi_bell(f, sfi_input_source(op, input));', ''),
]
temp = tempfile.TemporaryDirectory()
lock = threading.Lock()
plain = {}


def build(suite, header, name):
    """The suite beside a header of its own."""
    folder = f'{temp.name}/{name}'
    os.makedirs(f'{folder}/tests')
    with open(f'{folder}/streamflow.h', 'w', encoding='utf-8') as file:
        file.write(header)
    for source in (f'{suite}.c', 'flow_test.h', 'test.h'):
        shutil.copy(f'{ROOT}/tests/{source}', f'{folder}/tests')
    sh(os.environ.get('CC', 'cc'), '-std=gnu11', '-g', '-w', f'{folder}/tests/{suite}.c', '-o', f'{folder}/suite', '-pthread',
       '-lcmocka', '-ldl', '-lm')
    return f'{folder}/suite'


def run(program, test, limit):
    """None if it passes, else how it failed."""
    environment = dict(os.environ, SF_TEST_SEEDS='100', CMOCKA_MESSAGE_OUTPUT='TAP')
    try:
        done = subprocess.run([program, '--backend', 'host', '--only', test], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, errors='replace', timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return f'no end after {limit} s'
    if done.returncode == 0 and f'ok 1 - {test}' in done.stdout:
        return None
    if done.returncode == 0:
        raise Failed(f'there is no test {test}:\n{done.stdout}')
    return next((line for line in done.stdout.splitlines() if line.startswith('ERROR')), f'exit status {done.returncode}')


def case(number, suite, test, *changes):
    with open(f'{ROOT}/streamflow.h', encoding='utf-8') as file:
        header = mutant = file.read()
    for snippet, instead in zip(changes[::2], changes[1::2]):
        if header.count(snippet) != 1:
            raise Failed(f'occurs {header.count(snippet)} times in streamflow.h, not once:\n{snippet}')
        mutant = mutant.replace(snippet, instead)
    with lock:                               # once per suite
        if suite not in plain:
            plain[suite] = build(suite, header, suite)
    reason = run(plain[suite], test, 60)
    if reason:
        raise Failed(f'{suite}: {test} fails without the mutation: {reason}')
    reason = run(build(suite, mutant, f'{suite}-{number}'), test, 10)
    if not reason:
        raise Failed(f'{suite}: {test} passes all the same')
    return f'{test}: {reason}'


tap.run([(f'without {name}', lambda i=i, m=rest: case(i, *m)) for i, (name, *rest) in enumerate(MUTANTS)])
